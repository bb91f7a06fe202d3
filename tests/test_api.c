/* How the functions behave at their edges: statuses, sizes, impossible flips, random numbers, the tuner, the model
 * check. That the samplers are exact is tested elsewhere. Runs with -ffast-math too, so NaN and infinity come from
 * bits. Statistical checks use fixed seeds and 6 standard errors: each would have raised a false alarm with
 * probability 2e-9. */
#include <stdlib.h>

#include "test.h"

#ifdef API_PLAIN /* as a compiler without gcc's extensions sees the header */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#undef __GNUC__
#undef __SIZEOF_INT128__
#endif

#include "toy.h"
#include "../lbp/base/numbers.h"

#ifdef API_QUICK
#define API_STEPS 20000
#else
#define API_STEPS 1000000
#endif

#ifdef __FAST_MATH__
#define API_ROUNDING 1e-6 /* of a weight: two roundings of one formula */
#else
#define API_ROUNDING 0
#endif

enum { API_MAX = 1000, API_DRAWS = 100000 };

static double from_bits(uint64_t bits) {
  volatile uint64_t held = bits; /* out of a compiler's sight, which under -ffast-math believes in no NaN */
  const uint64_t seen = held;
  double v;
  memcpy(&v, &seen, sizeof v);
  return v;
}

static double infinity(void) { return from_bits(0x7ff0000000000000u); }
static double minus_infinity(void) { return from_bits(0xfff0000000000000u); }
static double not_a_number(void) { return from_bits(0x7ff8000000000000u); }

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* A generator that counts the words drawn from it. */
typedef struct {
  lbp_rng rng;
  uint64_t words;
} counter;

static uint64_t counter_u64(counter *c) {
  c->words++;
  return lbp_rng_u64(&c->rng);
}

static void counter_seed(counter *c, uint64_t stream) {
  lbp_rng_init(&c->rng, 1, stream);
  c->words = 0;
}

static void rng_seed(lbp_rng *rng, uint64_t stream) { lbp_rng_init(rng, 1, stream); }

/* Independent sites with any log odds, and a count of the calls. */
typedef struct {
  double up[API_MAX]; /* log p(x_i = 1) / p(x_i = 0) */
  uint64_t *calls;
} product;

/* -up by its bits, which also flips the sign of infinity under -ffast-math */
static double product_delta(const product *p, const uint8_t *x, uint32_t i) {
  uint64_t bits;
  double d;
  ++*p->calls;
  memcpy(&bits, &p->up[i], sizeof bits);
  bits ^= (uint64_t)(x[i] & 1u) << 63;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static float product_delta_float(const product *p, const uint8_t *x, uint32_t i) {
  return (float)product_delta(p, x, i);
}

static uint32_t product_neighbours(const product *p, uint32_t i, uint32_t *out) {
  (void)p, (void)i, (void)out;
  return 0;
}

/* 200 sites, each tied to five others at random; multiples of 2^-8, so that sums are exact in float. */
enum { GRAPH_N = 200, GRAPH_DEGREE = 24 };

typedef struct {
  uint32_t degree[GRAPH_N], to[GRAPH_N][GRAPH_DEGREE];
  double field[GRAPH_N], coupling[GRAPH_N][GRAPH_DEGREE];
} graph;

static void graph_make(graph *g, uint64_t seed) {
  lbp_rng rng;
  uint32_t i, k;
  lbp_rng_init(&rng, seed, 0);
  memset(g, 0, sizeof *g);
  for (i = 0; i < GRAPH_N; i++) g->field[i] = floor(256 * (lbp_u01(lbp_rng_u64(&rng)) - 0.5)) / 256;
  for (i = 0; i < GRAPH_N; i++) {
    for (k = 0; k < 3; k++) {
      const uint32_t j = (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), GRAPH_N);
      const double coupling = floor(256 * (lbp_u01(lbp_rng_u64(&rng)) - 0.5)) / 256;
      if (j == i || g->degree[i] == GRAPH_DEGREE || g->degree[j] == GRAPH_DEGREE) continue;
      g->to[i][g->degree[i]] = j;
      g->to[j][g->degree[j]] = i;
      g->coupling[i][g->degree[i]++] = g->coupling[j][g->degree[j]++] = coupling;
    }
  }
}

static double graph_delta(const graph *g, const uint8_t *x, uint32_t i) {
  double h = g->field[i];
  uint32_t k;
  for (k = 0; k < g->degree[i]; k++) h += x[g->to[i][k]] ? g->coupling[i][k] : -g->coupling[i][k];
  return x[i] ? -2 * h : 2 * h;
}

static float graph_delta_float(const graph *g, const uint8_t *x, uint32_t i) { return (float)graph_delta(g, x, i); }

static uint32_t graph_neighbours(const graph *g, uint32_t i, uint32_t *out) {
  memcpy(out, g->to[i], g->degree[i] * sizeof out[0]);
  return g->degree[i];
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

#define CASE               pd
#define CASE_MODEL         product
#define CASE_REAL          double
#define CASE_RNG           counter
#define LBP_RNG_T          counter
#define LBP_RNG_U64        counter_u64
#define LBP_DELTA          product_delta
#define LBP_NEIGHBOURS     product_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "cases/api_case.h"

#define CASE               pf
#define CASE_MODEL         product
#define CASE_REAL          float
#define CASE_RNG           counter
#define LBP_RNG_T          counter
#define LBP_RNG_U64        counter_u64
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          product_delta_float
#define LBP_NEIGHBOURS     product_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "cases/api_case.h"

#define CASE               pn
#define CASE_MODEL         product
#define CASE_REAL          double
#define CASE_RNG           counter
#define LBP_N              6
#define LBP_RNG_T          counter
#define LBP_RNG_U64        counter_u64
#define LBP_DELTA          product_delta
#define LBP_NEIGHBOURS     product_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "cases/api_case.h"

#define CASE               gd
#define CASE_MODEL         graph
#define CASE_REAL          double
#define CASE_RNG           lbp_rng
#define LBP_DELTA          graph_delta
#define LBP_NEIGHBOURS     graph_neighbours
#define LBP_MAX_NEIGHBOURS GRAPH_DEGREE
#include "cases/api_case.h"

#define CASE               gf
#define CASE_MODEL         graph
#define CASE_REAL          float
#define CASE_RNG           lbp_rng
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          graph_delta_float
#define LBP_NEIGHBOURS     graph_neighbours
#define LBP_MAX_NEIGHBOURS GRAPH_DEGREE
#include "cases/api_case.h"

#define CASE       td
#define CASE_MODEL toy
#define CASE_REAL  double
#define CASE_RNG   lbp_rng
#define LBP_DELTAS toy_deltas
#include "cases/api_case.h"

#define CASE            te
#define CASE_MODEL      toy
#define CASE_REAL       float
#define CASE_RNG        lbp_rng
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_DELTAS      toy_fields_deltas_float
#define LBP_LOGP        (float)toy_fields_logp
#include "cases/api_case.h"

/* ---- init -------------------------------------------------------------------------------------------------------- */

static void test_init(void) {
  static uint64_t ws[LBP_WS_LEN_DENSE(8)];
  static const size_t sizes[] = {1, 2, 3, 64, 1000, LBP_MAX_SITES};
  uint8_t x[8] = {0, 1, 1, 0, 1, 0, 0, 1};
  toy_fields fields;
  pd_chain c;
  pn_chain cn;
  te_chain ce;
  size_t k;
  int s;

  for (k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    CHECK(pd_ws_len((uint32_t)sizes[k]) == LBP_WS_LEN(sizes[k]));
    CHECK(gf_ws_len((uint32_t)sizes[k]) == LBP_WS_LEN(sizes[k]));
    CHECK(td_ws_len((uint32_t)sizes[k]) == LBP_WS_LEN_DENSE(sizes[k]));
    CHECK(te_ws_len((uint32_t)sizes[k]) == LBP_WS_LEN_DENSE(sizes[k]));
  }

  CHECK(pd_init(&c, 8, x, ws, pd_ws_len(8)) == LBP_OK);
  CHECK(c.x == x && c.n == 8);
  CHECK(pd_init(NULL, 8, x, ws, pd_ws_len(8)) == LBP_E_NULL);
  CHECK(pd_init(&c, 8, NULL, ws, pd_ws_len(8)) == LBP_E_NULL);
  CHECK(pd_init(&c, 8, x, NULL, pd_ws_len(8)) == LBP_E_NULL);
  CHECK(pd_init(&c, 0, x, ws, pd_ws_len(8)) == LBP_E_SIZE);
  CHECK(pd_init(&c, LBP_MAX_SITES + 1, x, ws, SIZE_MAX) == LBP_E_SIZE);
  CHECK(pd_init(&c, 0xffffffffu, x, ws, SIZE_MAX) == LBP_E_SIZE);
  CHECK(pd_init(&c, 8, x, ws, pd_ws_len(8) - 1) == LBP_E_WORKSPACE);
  CHECK(pd_init(&c, 8, x, ws, 0) == LBP_E_WORKSPACE);
  x[7] = 2;
  CHECK(pd_init(&c, 8, x, ws, pd_ws_len(8)) == LBP_E_STATE);
  CHECK(pn_init(&cn, x) == LBP_OK); /* its six sites are in order */
  x[5] = 255;
  CHECK(pn_init(&cn, x) == LBP_E_STATE);
  x[5] = x[7] = 1;
  CHECK(pn_init(NULL, x) == LBP_E_NULL);
  CHECK(pn_init(&cn, NULL) == LBP_OK && cn.n == 6 && cn.x[0] == 0 && cn.x[5] == 0);
  CHECK(pn_init(&cn, x) == LBP_OK && memcmp(cn.x, x, 6) == 0);
  CHECK(te_init(&ce, 8, x, &fields, ws, te_ws_len(8)) == LBP_OK && ce.fields == &fields);
  CHECK(te_init(&ce, 8, x, NULL, ws, te_ws_len(8)) == LBP_E_NULL);
  CHECK(te_init(&ce, 8, x, &fields, ws, te_ws_len(8) - 1) == LBP_E_WORKSPACE);

  for (s = LBP_OK; s < LBP_STATUS_COUNT; s++) {
    CHECK(strcmp(lbp_error(s), "unknown status") != 0);
    for (k = 0; k < (size_t)s; k++) CHECK(strcmp(lbp_error(s), lbp_error((int)k)) != 0);
  }
  CHECK(strcmp(lbp_error(-1), "unknown status") == 0 && strcmp(lbp_error(s), "unknown status") == 0);
}

/* ---- steps at the edges ------------------------------------------------------------------------------------------ */

/* A chain in memory of exactly the size asked for, so that a sanitizer sees every step outside. */
static void product_start(pd_chain *c, uint32_t n, uint8_t value) {
  uint8_t *x = (uint8_t *)malloc(n);
  uint64_t *ws = (uint64_t *)malloc(pd_ws_len(n) * sizeof *ws);
  if (!x || !ws) abort();
  memset(x, value, n);
  CHECK(pd_init(c, n, x, ws, pd_ws_len(n)) == LBP_OK);
}

static void product_end(pd_chain *c) {
  free(c->weight);
  free(c->x);
}

static void product_fill(product *p, uint32_t n, double spread, uint64_t *calls) {
  lbp_rng rng;
  uint32_t i;
  lbp_rng_init(&rng, 3, 3);
  for (i = 0; i < n; i++) p->up[i] = spread * (2 * lbp_u01(lbp_rng_u64(&rng)) - 1);
  p->calls = calls;
}

/* R = 0, R > n, n = 1, n at block borders: every sampler's info is true, and counts its evaluations. */
static void test_sizes(void) {
  static const uint32_t sizes[] = {1, 2, 3, 63, 64, 65, 129, 200};
  static product p;
  uint64_t calls;
  pd_tuner tuner = {0};
  pd_info info;
  pd_chain c;
  counter rng;
  size_t k;
  int s, t;
  counter_seed(&rng, 0);
  for (k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    const uint32_t n = sizes[k];
    product_fill(&p, n, 1.0, &calls);
    product_start(&c, n, 0);
    for (s = 0; s < API_SAMPLERS; s++) {
      const uint32_t R[] = {0, 1, n, n + 1, 0xffffffffu, 5};
      size_t r;
      uint32_t jumps = 0;
      int honest = 1, counted = 1, proposed = 1;
      CHECK(pd_tuner_init(&tuner, n, 30, LBP_TARGET_LBP) == LBP_OK);
      for (r = 0; r < sizeof R / sizeof R[0]; r++) {
        for (t = 0; t < 20; t++) {
          calls = 0;
          honest &= pd_honest(&c, &p, s, R[r], &tuner, &rng, &info);
          /* the first step after others may look at all sites */
          counted &= info.evaluations == calls || (t == 0 && info.evaluations + n == calls) ||
                     (c.weights_ready && info.evaluations + n == calls);
          if (s == API_LBP || s == API_RWM) proposed &= info.proposed == (R[r] < n ? R[r] : n);
          if (s == API_GWG) proposed &= info.proposed <= R[r] && info.proposed <= n && !R[r] == !info.proposed;
          jumps += info.jump;
        }
      }
      CHECK(honest);
      CHECK(counted);
      CHECK(proposed);
      CHECK(jumps > 0);
      CHECK(tuner.r >= 1 && tuner.r <= n);
    }
    product_end(&c);
  }
}

/* The dense kinds and n fixed: info is true. */
static void test_kinds(void) {
  static uint64_t ws[LBP_WS_LEN_DENSE(TOY_MAX)];
  static product p;
  uint32_t n;
  uint64_t calls = 0;
  int s, t;
  for (n = 1; n <= TOY_MAX; n += 3) {
    const toy m = toy_make(n, 1.0, 0, n);
    for (s = 0; s < API_SAMPLERS; s++) {
      uint8_t x[TOY_MAX] = {0};
      toy_fields fields;
      td_chain d;
      td_info d_info;
      td_tuner d_tuner = {0};
      te_chain e;
      te_info e_info;
      te_tuner e_tuner = {0};
      lbp_rng rng;
      uint32_t jumps = 0;
      int honest = 1;
      rng_seed(&rng, n);
      CHECK(td_init(&d, n, x, ws, td_ws_len(n)) == LBP_OK);
      CHECK(td_tuner_init(&d_tuner, n, 30, LBP_TARGET_LBP) == LBP_OK);
      for (t = 0; t < 200; t++) {
        honest &= td_honest(&d, &m, s, (uint32_t)t % (n + 2), &d_tuner, &rng, &d_info);
        jumps += d_info.jump;
      }
      CHECK(te_init(&e, n, x, &fields, ws, te_ws_len(n)) == LBP_OK);
      CHECK(te_tuner_init(&e_tuner, n, 30, LBP_TARGET_LBP) == LBP_OK);
      for (t = 0; t < 200; t++) {
        honest &= te_honest(&e, &m, s, (uint32_t)t % (n + 2), &e_tuner, &rng, &e_info);
        jumps += e_info.jump;
      }
      CHECK(honest);
      CHECK(jumps > 0);
    }
  }
  product_fill(&p, 6, 2.0, &calls);
  for (s = 0; s < API_SAMPLERS; s++) {
    pn_chain c;
    pn_info info;
    pn_tuner tuner = {0};
    counter rng;
    int honest = 1;
    counter_seed(&rng, 4);
    CHECK(pn_init(&c, NULL) == LBP_OK);
    CHECK(pn_tuner_init(&tuner, 6, 30, LBP_TARGET_LBP) == LBP_OK);
    for (t = 0; t < 200; t++) honest &= pn_honest(&c, &p, s, (uint32_t)t % 8, &tuner, &rng, &info);
    CHECK(honest);
    if (s == API_LBP) {
      pn_chain copy = c; /* holds no pointers: may be copied */
      counter rng2 = rng;
      for (t = 0; t < 50; t++) {
        pn_lbp_step(&c, &p, 3, &rng);
        pn_lbp_step(&copy, &p, 3, &rng2);
      }
      CHECK(memcmp(c.x, copy.x, 6) == 0 && c.urn.sums.total == copy.urn.sums.total);
    }
  }
}

/* Flips that are impossible never happen; those that are possible do. */
static void test_impossible(void) {
  enum { N = 20, FREE = 3 };
  static product p;
  uint64_t calls = 0;
  pd_tuner tuner = {0};
  pd_chain c;
  pd_info info;
  counter rng;
  uint32_t i, k;
  int s, t;
  counter_seed(&rng, 1);
  for (k = 0; k < 3; k++) { /* all frozen by -infinity, all by NaN, three free */
    product_fill(&p, N, 1.0, &calls);
    for (i = 0; i < N; i++) {
      if (k < 2 || i % 7 != 3) p.up[i] = k == 1 ? not_a_number() : minus_infinity();
    }
    for (s = 0; s < API_SAMPLERS; s++) {
      uint64_t moves = 0, wrong = 0, most = 0;
      int honest = 1;
      product_start(&c, N, 0);
      CHECK(pd_tuner_init(&tuner, N, 30, LBP_TARGET_LBP) == LBP_OK);
      rng.words = 0;
      for (t = 0; t < 1000; t++) {
        honest &= pd_honest(&c, &p, s, (uint32_t)t % 13, &tuner, &rng, &info);
        moves += info.jump;
        if (info.proposed > most) most = info.proposed;
        for (i = 0; i < N; i++) wrong += c.x[i] && i % 7 != 3;
      }
      CHECK(honest);
      CHECK(wrong == 0);
      CHECK(rng.words < 100000);
      CHECK(k < 2 ? moves == 0 : moves > 0);
      if (s == API_LBP) CHECK(most == (k < 2 ? 0 : FREE));
      product_end(&c);
    }
  }
}

/* From an impossible state (flips with log-ratio +infinity) and from a very unlikely one (1e4). */
static void test_escape(void) {
  enum { N = 12 };
  static product p;
  uint64_t calls = 0;
  pd_chain c;
  pd_info info;
  pd_tuner tuner = {0};
  counter rng;
  int s, t, k;
  for (k = 0; k < 2; k++) {
    for (s = 0; s < API_SAMPLERS; s++) {
      int honest = 1, left = -1;
      product_fill(&p, N, 1.0, &calls);
      p.up[4] = k ? minus_infinity() : -1e4;
      counter_seed(&rng, 2);
      product_start(&c, N, 1);
      CHECK(pd_tuner_init(&tuner, N, 30, LBP_TARGET_LBP) == LBP_OK);
      for (t = 0; t < 500; t++) {
        honest &= pd_honest(&c, &p, s, 1, &tuner, &rng, &info);
        if (c.x[4] == 0 && left < 0) left = t;
        if (left >= 0) honest &= c.x[4] == 0; /* and never comes back */
      }
      CHECK(honest);
      CHECK(left >= 0 && left < 100);
      product_end(&c);
    }
  }
}

/* Large, infinite and undefined log-ratios, float and sqrt: infos stay true, frozen sites stay. */
static void test_extremes(void) {
  static const uint32_t n = 40;
  static product p;
  static uint64_t ws[LBP_WS_LEN(40)];
  uint8_t x[40];
  uint64_t calls = 0;
  pf_chain c;
  pf_info info;
  pf_tuner tuner = {0};
  counter rng;
  uint32_t i;
  int s, t;
  for (s = 0; s < API_SAMPLERS; s++) {
    int honest = 1;
    for (i = 0; i < n; i++) {
      const double values[5] = {1e4, -1e4, not_a_number(), minus_infinity(), 0.25};
      p.up[i] = values[i % 5];
      x[i] = 0;
    }
    p.calls = &calls;
    counter_seed(&rng, 3);
    CHECK(pf_init(&c, n, x, ws, pf_ws_len(n)) == LBP_OK);
    CHECK(pf_tuner_init(&tuner, n, 30, LBP_TARGET_LBP) == LBP_OK);
    for (t = 0; t < 2000; t++) honest &= pf_honest(&c, &p, s, 1 + (uint32_t)t % 3, &tuner, &rng, &info);
    CHECK(honest);
    for (i = 0; i < n; i++) {
      if (i % 5 != 4) CHECK(x[i] == (i % 5 == 0));
    }
  }
}

/* One site with nearly all the weight and R close to n: a bounded number of random words. */
static void test_skewed(void) {
  enum { N = 1000 };
  static product p;
  uint64_t calls = 0;
  pd_chain c;
  counter rng;
  uint32_t i, R;
  counter_seed(&rng, 9);
  p.calls = &calls;
  for (i = 0; i < N; i++) p.up[i] = i == 500 ? 0 : -30;
  for (R = 1; R <= N; R += R < 990 ? 43 : 1) {
    product_start(&c, N, 0);
    rng.words = 0;
    CHECK(pd_lbp_step(&c, &p, R, &rng).proposed == R);
    CHECK(rng.words < 20 * N);
    product_end(&c);
  }
  /* a ladder over all buckets */
  for (i = 0; i < N; i++) p.up[i] = -(double)i / 40;
  for (R = 1; R <= N; R += 37) {
    product_start(&c, N, 0);
    rng.words = 0;
    CHECK(pd_lbp_step(&c, &p, R, &rng).proposed == R);
    CHECK(rng.words < 20 * N);
    product_end(&c);
  }
}

/* ---- state over time --------------------------------------------------------------------------------------------- */

static void test_drift(void) {
  static graph g;
  static uint64_t ws[LBP_WS_LEN(GRAPH_N)];
  static uint8_t x[GRAPH_N];
  gd_chain d;
  gf_chain f;
  lbp_rng rng;
  int t;
  graph_make(&g, 8);
  rng_seed(&rng, 1);
  CHECK(gd_init(&d, GRAPH_N, x, ws, gd_ws_len(GRAPH_N)) == LBP_OK);
  CHECK(gd_check(&d, &g, 3, &rng).status == LBP_OK);
  for (t = 0; t < API_STEPS; t++) {
    const uint32_t R = gd_random_r(t % 1000 ? 6 : 150, &rng);
    if (t % 5000 == 1) gd_rwm_step(&d, &g, 2, &rng);
    else if (t % 7000 == 2) gd_gibbs_sweep(&d, &g, &rng);
    else if (t % 3 == 0) gd_gwg_step(&d, &g, R, &rng);
    else gd_lbp_step(&d, &g, R, &rng);
  }
  CHECK(gd_fresh(&d, &g));
  CHECK(gf_init(&f, GRAPH_N, x, ws, gf_ws_len(GRAPH_N)) == LBP_OK);
  for (t = 0; t < API_STEPS / 4; t++) {
    const uint32_t R = gf_random_r(t % 1000 ? 6 : 150, &rng);
    if (t % 3 == 0) gf_gwg_step(&f, &g, R, &rng);
    else gf_lbp_step(&f, &g, R, &rng);
  }
  CHECK(gf_fresh(&f, &g));
  gd_test_tuner(&rng);
  gf_test_tuner(&rng);
  gd_test_priced_tuner();
  gf_test_priced_tuner();
}

/* Samplers that do not keep the weights leave none behind that are out of date. */
static void test_mixed(void) {
  static graph g;
  static uint64_t ws[LBP_WS_LEN(GRAPH_N)];
  static uint8_t x[GRAPH_N];
  gd_chain c;
  lbp_rng rng;
  int round, fresh = 1;
  graph_make(&g, 10);
  rng_seed(&rng, 3);
  CHECK(gd_init(&c, GRAPH_N, x, ws, gd_ws_len(GRAPH_N)) == LBP_OK);
  for (round = 0; round < 50; round++) {
    if (round % 3 == 0) gd_gibbs_sweep(&c, &g, &rng);
    else while (gd_rwm_step(&c, &g, 3, &rng).jump == 0) {
    }
    if (round % 2) gd_lbp_step(&c, &g, 1, &rng);
    else gd_gwg_step(&c, &g, 1, &rng);
    fresh &= gd_fresh(&c, &g);
  }
  CHECK(fresh);
}

static void test_touch(void) {
  static graph g;
  static uint64_t ws[LBP_WS_LEN(GRAPH_N)], ws2[LBP_WS_LEN(GRAPH_N)];
  static uint8_t x[GRAPH_N], x2[GRAPH_N];
  gd_chain c, fresh;
  lbp_rng rng, rng2;
  uint32_t i;
  int t, changed = 0;
  graph_make(&g, 9);
  rng_seed(&rng, 2);
  CHECK(gd_init(&c, GRAPH_N, x, ws, gd_ws_len(GRAPH_N)) == LBP_OK);
  for (t = 0; t < 100; t++) gd_lbp_step(&c, &g, 5, &rng);
  CHECK(gd_fresh(&c, &g));
  for (i = 0; i < GRAPH_N; i++) x[i] ^= i % 3 == 0; /* the state, from outside */
  for (i = 0; i < GRAPH_N; i++) g.field[i] += 0.25; /* and the model */
  gd_touch(&c);
  memcpy(x2, x, sizeof x);
  CHECK(gd_init(&fresh, GRAPH_N, x2, ws2, gd_ws_len(GRAPH_N)) == LBP_OK);
  rng2 = rng;
  for (t = 0; t < 100; t++) {
    const gd_info a = gd_lbp_step(&c, &g, 5, &rng), b = gd_lbp_step(&fresh, &g, 5, &rng2);
    changed |= a.accept != b.accept || a.jump != b.jump;
  }
  CHECK(!changed && memcmp(x, x2, sizeof x) == 0 && c.urn.sums.total == fresh.urn.sums.total);
  CHECK(gd_fresh(&c, &g));
  gd_test_repeatable(&c, &g, rng_seed);
}

static void test_repeatable(void) {
  static product p;
  uint64_t calls = 0;
  pd_chain c;
  product_fill(&p, 100, 1.0, &calls);
  product_start(&c, 100, 0);
  pd_test_repeatable(&c, &p, counter_seed);
  product_end(&c);
}

/* ---- the tuner at work ------------------------------------------------------------------------------------------- */

enum { TUNED = 1000, CHAINS = 4, WARMUP = 4000, MEASURE = 4000 };

/* Acceptance rate of 4 chains that share a tuner, after the warm-up. */
static double tuned_rate(int sampler, double target, double *r) {
  static product p;
  uint64_t calls = 0;
  pd_chain c[CHAINS];
  pd_tuner tuner = {0};
  counter rng;
  double sum = 0, frozen;
  int k, t, bounds = 1;
  product_fill(&p, TUNED, 1.0, &calls);
  counter_seed(&rng, (uint64_t)sampler);
  CHECK(pd_tuner_init(&tuner, TUNED, WARMUP, target) == LBP_OK);
  for (k = 0; k < CHAINS; k++) product_start(&c[k], TUNED, (uint8_t)(k % 2));
  for (t = 0; t < WARMUP; t++) {
    pd_any(&c[t % CHAINS], &p, sampler, 0, &tuner, &rng);
    bounds &= tuner.r >= 1 && tuner.r <= TUNED;
  }
  frozen = tuner.r;
  for (t = 0; t < MEASURE; t++) sum += pd_any(&c[t % CHAINS], &p, sampler, 0, &tuner, &rng).accept;
  CHECK(bounds);
  CHECK(tuner.r == frozen && tuner.step == WARMUP);
  for (k = 0; k < CHAINS; k++) product_end(&c[k]);
  *r = frozen;
  return sum / MEASURE;
}

static void test_tuned(void) {
  /* the standard error of the rate is below 0.4 / sqrt(4000) = 0.006; R adds as much again */
  double lbp, gwg, rwm;
  CHECK_NEAR(tuned_rate(API_ALBP, LBP_TARGET_LBP, &lbp), LBP_TARGET_LBP, 0.05);
  CHECK_NEAR(tuned_rate(API_AGWG, LBP_TARGET_LBP, &gwg), LBP_TARGET_LBP, 0.05);
  CHECK_NEAR(tuned_rate(API_ARWM, LBP_TARGET_RWM, &rwm), LBP_TARGET_RWM, 0.05);
  CHECK(lbp > 50 && rwm < lbp && rwm > 5);
  CHECK(gwg > 10);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static void known_philox(uint64_t key, uint64_t block, uint64_t chain, uint64_t low, uint64_t high) {
  uint64_t out[2];
  lbp_philox(key, chain, block, out);
  CHECK(out[0] == low && out[1] == high);
}

/* The generator's authors' C code, from the state 1, 2, 3, 4. */
static void known_xoshiro(void) {
  static const uint64_t known[] = {41943041u, 58720359u, 3588806011781223u, 3591011842654386u, 9228616714210784205u,
                                   9973669472204895162u, 14011001112246962877u, 12406186145184390807u};
  lbp_rng rng;
  uint32_t k, row;
  int ok = 1;
  lbp_rng_init(&rng, 1, 2);
  for (k = 0; k < 8; k++) {
    for (row = 0; row < 4; row++) rng.state[row][k] = row + 1 + (k == 5 ? 0 : 10 * (uint64_t)k + 3);
  }
  for (row = 0; row < 8; row++) {
    for (k = 0; k < 8; k++) {
      const uint64_t word = lbp_rng_u64(&rng);
      ok &= (word == known[row]) == (k == 5);
    }
  }
  CHECK(ok && rng.left == 0);
}

/* Each generator's state is two Philox blocks of its own. */
static void known_seeding(void) {
  lbp_rng rng;
  uint64_t half[4];
  uint32_t k, row;
  int ok = 1;
  lbp_rng_init(&rng, 77, 88);
  for (k = 0; k < 8; k++) {
    lbp_philox(77, 88, 2 * k, half);
    lbp_philox(77, 88, 2 * k + 1, half + 2);
    for (row = 0; row < 4; row++) ok &= rng.state[row][k] == half[row];
  }
  CHECK(ok);
}

static void test_rng(void) {
  static uint64_t all[500], parts[500];
  lbp_rng rng, other;
  uint32_t done, size, k, equal = 0;
  int ok = 1;
  double sum = 0;
  /* known answers of the paper's authors: key and counter zero, all ones, digits of pi */
  known_philox(0, 0, 0, 0xe169c58d6627e8d5u, 0x9b00dbd8bc57ac4cu);
  known_philox(UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x41c83b0e408f276du, 0x6d5451fda20bc7c6u);
  known_philox(0x299f31d0a4093822u, 0x85a308d3243f6a88u, 0x0370734413198a2eu, 0x94fdccebd16cfe09u,
               0x24126ea15001e420u);
  known_xoshiro();
  known_seeding();
  lbp_rng_init(&rng, 7, 8);
  lbp_rng_fill(&rng, all, 500);
  for (size = 1; size < 150; size += 7) { /* piecewise as at once, and from a copy */
    memset(parts, 0, sizeof parts);
    lbp_rng_init(&rng, 7, 8);
    for (done = 0; done < 500; done += k) {
      k = size < 500 - done ? size : 500 - done;
      if (done / size % 3 == 0) {
        other = rng;
        rng = other;
      }
      if (done / size % 3 == 1) {
        uint32_t taken = k;
        const uint64_t *word = lbp_rng_take(&rng, &taken);
        CHECK(taken >= 1 && taken <= k);
        k = taken;
        memcpy(parts + done, word, k * sizeof *word);
      } else {
        lbp_rng_fill(&rng, parts + done, k);
      }
    }
    CHECK(memcmp(all, parts, sizeof all) == 0);
  }
  lbp_rng_init(&other, 7, 9);
  for (k = 0; k < 500; k++) equal += lbp_rng_u64(&other) == all[k];
  lbp_rng_init(&other, 8, 8);
  for (k = 0; k < 500; k++) equal += lbp_rng_u64(&other) == all[k];
  CHECK(equal == 0);
  for (k = 0; k < API_DRAWS; k++) sum += lbp_u01(lbp_rng_u64(&rng));
  CHECK_NEAR(sum / API_DRAWS, 0.5, 6 * sqrt(1.0 / 12 / API_DRAWS));
  CHECK(!lbp_bernoulli_trial(0, 0) && !lbp_bernoulli_trialf(0, 0) && lbp_bernoulli_trial(UINT64_MAX, 1) &&
        lbp_bernoulli_trialf(UINT64_MAX, 1));
  CHECK(lbp_bernoulli_trial(0, 1e-15) && !lbp_bernoulli_trial((uint64_t)1 << 20, 1e-15)); /* 2^-49.8 and 2^-44 */
  CHECK(lbp_bernoulli_trialf(0, 1e-15f) && !lbp_bernoulli_trialf((uint64_t)1 << 20, 1e-15f));
  for (k = 0; k < 2000; k++) { /* probabilities from 1 to below 2^-62: the two have the same threshold */
    const float p = lbp_u01f(lbp_rng_u64(&rng)) * (float)exp2(-(double)(k / 30));
    const uint64_t threshold = (uint64_t)((double)p * 4611686018427387904.0) << 2;
    ok &= !lbp_bernoulli_trialf(threshold, p) && (threshold == 0 || lbp_bernoulli_trialf(threshold - 1, p));
  }
  CHECK(ok);
  for (k = 0, done = size = 0; k < API_DRAWS; k++) {
    done += (uint32_t)lbp_bernoulli_trial(lbp_rng_u64(&rng), 0.3);
    size += (uint32_t)lbp_bernoulli_trialf(lbp_rng_u64(&rng), 0.3f);
  }
  CHECK_NEAR((double)done / API_DRAWS, 0.3, 6 * sqrt(0.21 / API_DRAWS));
  CHECK_NEAR((double)size / API_DRAWS, 0.3, 6 * sqrt(0.21 / API_DRAWS));
  CHECK(lbp_u01(0) == 0 && lbp_u01(UINT64_MAX) < 1 && lbp_u01(UINT64_MAX) > 1 - 1e-15);
  CHECK(lbp_u01_open(0) > 0 && lbp_u01_open(UINT64_MAX) < 1 && lbp_u01_open(UINT64_MAX) > 1 - 1e-15);
  CHECK(lbp_u01f(0) == 0 && lbp_u01f(UINT64_MAX) < 1 && lbp_u01f(UINT64_MAX) > 1 - 1e-6f);
}

/* The high half of a product, one bit at a time. */
static uint64_t slow_mulhi(uint64_t a, uint64_t b) {
  uint64_t high = 0, low = 0;
  int k;
  for (k = 63; k >= 0; k--) {
    high = high << 1 | low >> 63;
    low <<= 1;
    if (b >> k & 1) {
      low += a;
      high += low < a;
    }
  }
  return high;
}

/* The largest of the gaps seen; a NaN is larger than all. */
static void widen(double *worst, double gap) {
  if (!(gap <= *worst)) *worst = gap;
}

static void test_exponentials(void) {
#ifdef __FAST_MATH__ /* takes the two parts of log 2 together */
  const double slack = 1000;
#else
  const double slack = 1;
#endif
  double whole = 0, single = 0, quotient = 0, d;
  int turned = 1;
  for (d = -708; d <= 708; d += 0.0078125 * 1.37) {
    const volatile double got = lbp_exp(d);
    const float v = (float)d;
    float above, below, over, under;
    widen(&whole, fabs(got / exp(d) - 1));
    if (d < -87 || d > 87) continue;
    widen(&single, fabs((double)lbp_expf(v) / exp((double)v) - 1));
    if (d < -84 || d > 84) continue;
    lbp_exp_quotient(v, &above, &below);
    lbp_exp_quotient(-v, &over, &under);
    widen(&quotient, fabs((double)above / (double)below / exp((double)v) - 1));
    turned &= (double)above * (double)over == (double)below * (double)under;
  }
  CHECK_NEAR(whole, 0, 1e-15 * slack);
  CHECK_NEAR(single, 0, 3e-7 * slack);
  CHECK_NEAR(quotient, 0, 2e-6 * slack);
  CHECK_ALIKE(turned);
  CHECK(lbp_exp(0) == 1 && lbp_expf(0) == 1 && lbp_expf(-87) > 0 && lbp_exp(-708) > 0 && lbp_exp(708) > 1e307);
}

static void test_logarithms(void) {
#ifdef __FAST_MATH__ /* adds what is small to what is large first, and has no subnormal numbers */
  const double slack = 10, lowest = -700;
#else
  const double slack = 1, lowest = -744;
#endif
  double whole = 0, single = 0, fine = 0, e;
  for (e = -700; e <= 700; e += 0.0078125 * 1.37) {
    const double v = exp(e), least = fabs(e) > 1 ? fabs(e) : 1;
    const float f = (float)v;
    widen(&whole, fabs(lbp_log(v) - log(v)) / least);
    if (e > -87 && e < 88) widen(&single, fabs((double)lbp_logf(f) - log((double)f)) / least);
  }
  for (e = lowest; e <= 709; e += 0.0078125 * 1.37) {
    const double v = exp(e), least = fabs(e) > 1 ? fabs(e) : 1;
    widen(&fine, fabs(lbp_log_fine(v) - log(v)) / least);
  }
  CHECK_NEAR(whole, 0, 3e-10);
  CHECK_NEAR(single, 0, 2e-7);
  CHECK_NEAR(fine, 0, 1e-15 * slack);
  CHECK(lbp_log(1) == 0 && lbp_logf(1) == 0 && lbp_log_fine(1) == 0);
}

/* Products of cut numbers are exact: sums of them are the same fused or not. */
static void test_cut(void) {
  lbp_rng rng;
  uint32_t k;
  int ok = 1;
  lbp_rng_init(&rng, 1, 2);
  for (k = 0; k < 1000; k++) {
    const double u = lbp_u01(lbp_rng_u64(&rng)) * 8, v = lbp_cut(u);
    const float w = lbp_cutf((float)u);
    int size;
    const double digits = ldexp(frexp(v, &size), 26);
    ok &= v <= u && u - v <= ldexp(1, size - 26) && digits == floor(digits);
    ok &= (double)(float)(w * w) == (double)w * (double)w;
    ok &= lbp_rounded(u) == u && lbp_roundedf((float)u) == (float)u;
  }
  CHECK(ok);
}

static void test_numbers(void) {
  const double within = -1 - 1e-15;
  static const double finite[] = {0.0, -0.0, 1.0, -1e308, 5e-324};
  lbp_rng rng;
  uint32_t k;
  int ok = 1;
  lbp_rng_init(&rng, 1, 1);
  for (k = 0; k < 100000; k++) {
    const uint64_t a = lbp_rng_u64(&rng) >> k % 64, b = lbp_rng_u64(&rng) >> k / 64 % 64;
    ok &= lbp_mulhi(a, b) == slow_mulhi(a, b);
  }
  CHECK(ok && lbp_mulhi(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);

  for (k = 0; k < 5; k++) CHECK(lbp_is_finite(finite[k]) && !lbp_is_nan(finite[k]));
  CHECK(lbp_is_finitef(0) && lbp_is_finitef(-3.4e38f) && !lbp_is_nanf(-3.4e38f) && lbp_is_nanf((float)not_a_number()));
  CHECK(!lbp_is_finitef((float)infinity()) && !lbp_is_finitef((float)minus_infinity()));
  CHECK(!lbp_is_nanf((float)infinity()) && !lbp_is_nanf((float)minus_infinity()) && !lbp_is_finitef((float)not_a_number()));
  CHECK(!lbp_is_finite(infinity()) && !lbp_is_nan(infinity()) && !lbp_is_impossible((float)infinity()));
  CHECK(!lbp_is_finite(minus_infinity()) && !lbp_is_nan(minus_infinity()));
  CHECK(lbp_is_impossible((float)minus_infinity()));
  CHECK(!lbp_is_finite(not_a_number()) && lbp_is_nan(not_a_number()) && lbp_is_impossible((float)not_a_number()));
  CHECK(lbp_is_nan(from_bits(0xfff8000000000001u)) && lbp_is_impossible((float)from_bits(0xfff8000000000001u)));
  CHECK(!lbp_is_impossible(-3e38f) && !lbp_is_impossible(0));
  CHECK(lbp_clamp(3, 2) == 2 && lbp_clamp(-3, 2) == -2 && lbp_clamp(-1, 2) == -1);
  CHECK(fabs((double)lbp_clamp((float)not_a_number(), 2)) == 2);
  CHECK(lbp_clamp_double(3, 2) == 2 && lbp_clamp_double(-1e300, 2) == -2);
  CHECK(lbp_clamp_double(within, 2) == within);
  CHECK(fabs(lbp_clamp_double(not_a_number(), 2)) == 2);

  ok = lbp_bit_length(0) == 0;
  for (k = 0; k < 32; k++) ok &= lbp_bit_length(1u << k) == k + 1 && lbp_bit_length((2u << k) - 1) == k + 1;
  CHECK(ok);
  for (k = 0; k < 200; k++) {
    double v = exp2(-900 + 9.1 * k), part = v;
    float vf = (float)exp2(-120 + 1.2 * k), partf = vf;
    const int32_t e = lbp_split(&part), ef = lbp_splitf(&partf);
    ok &= part >= 1 && part < 2 && ldexp(part, e) == v && partf >= 1 && partf < 2 && ldexpf(partf, ef) == vf;
  }
  CHECK(ok);
}

/* Weights against their formulas, and buckets against their ranges. */
static void test_weights(void) {
  double worst_barker = 0, worst_log = 0;
  float d;
  uint32_t k, b;
  int ok = 1;
  for (d = -14; d <= 90; d += 0.0137f) {
    const double t = exp((double)d), want = t / (1 + t) * 2147483648.0, got = lbp_weight_barker(d);
    const double gap = fabs(got - want) / want;
    if (d <= 60 && gap > worst_barker) worst_barker = gap;
    ok &= got >= 1 && got < 2147483648.0;
  }
  for (d = -6; d <= 7.2f; d += 0.0137f) {
    const double want = exp((double)d) * (double)LBP_WEIGHT_UNIT, gap = fabs(lbp_weight_log(d) - want) / want;
    if (gap > worst_log) worst_log = gap;
  }
  CHECK(ok);
  CHECK_NEAR(worst_barker, 0, 1e-3); /* of the smallest weights, e^-14 2^31 = 1786, one unit */
  CHECK_NEAR(worst_log, 0, 1e-3);
  CHECK_NEAR((double)LBP_WEIGHT_UNIT / exp2(20.5), 1, 1e-6);
  CHECK_ALIKE(lbp_weight_barker(0) == 1u << 30 || lbp_weight_barker(0) == (1u << 30) - 64);
  CHECK_NEAR(lbp_weight_barker(0), 1u << 30, 1024);
  CHECK(lbp_weight_barker(-30) == 1 && lbp_weight_barker(-1e4f) == 1 && lbp_weight_barker(-3e38f) == 1);
  CHECK(lbp_weight_barker(1e4f) < 1u << 31 && lbp_weight_barker(1e4f) > (TEST_ALIKE ? 0x7fffff00u : 0x7ffff000u));
  CHECK(lbp_weight_barker((float)infinity()) == lbp_weight_barker(1e4f));
  CHECK(lbp_weight_barker((float)minus_infinity()) == 0 && lbp_weight_barker((float)not_a_number()) == 0);
  CHECK(lbp_weight_log(-1e4f) == 1 && lbp_weight_log(1e4f) == (uint32_t)LBP_WEIGHT_MAX);
  CHECK(lbp_weight_log((float)infinity()) == (uint32_t)LBP_WEIGHT_MAX);
  CHECK(lbp_weight_log((float)minus_infinity()) == 0 && lbp_weight_log((float)not_a_number()) == 0);
  CHECK(lbp_bucket(0) == LBP_BUCKETS - 1 && lbp_bucket_ceiling(LBP_BUCKETS - 1) == 0);
  for (k = 0, ok = 1; k < 31; k++) {
    const uint32_t edges[2] = {1u << k, (2u << k) - 1};
    for (b = 0; b < 2; b++) {
      const uint32_t bucket = lbp_bucket(edges[b]);
      ok &= bucket < LBP_BUCKETS - 1 && edges[b] < lbp_bucket_ceiling(bucket);
      ok &= (uint64_t)edges[b] * 8 >= lbp_bucket_ceiling(bucket);
    }
  }
  CHECK(ok);
}

#include "cases/api_check.h"

/* Independent sites whose log-ratios are no numbers once they are ones. */
LBP_FN double broken_delta(const void *m, const uint8_t *x, uint32_t i) {
  return (void)m, x[i] ? infinity() - infinity() : 0.5;
}
LBP_FN uint32_t broken_neighbours(const void *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

#define LBP_NAME           broken
#define LBP_N              8
#define LBP_DELTA          broken_delta
#define LBP_NEIGHBOURS     broken_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "../lbp.h"

/* Sites, said to have a neighbour each, that can become ones but not zeros again: no move has a way back. */
LBP_FN double oneway_delta(const void *m, const uint8_t *x, uint32_t i) {
  return (void)m, x[i] ? minus_infinity() : 0.5;
}

#define LBP_NAME           oneway
#define LBP_N              8
#define LBP_DELTA          oneway_delta
#define LBP_NEIGHBOURS     broken_neighbours
#define LBP_MAX_NEIGHBOURS 1
#include "../lbp.h"

static void test_one_way(void) {
  oneway_chain c;
  lbp_rng rng;
  uint32_t t, proposed = 0, moved = 0;
  lbp_rng_init(&rng, 6, 6);
  CHECK(oneway_init(&c, NULL) == LBP_OK);
  for (t = 0; t < 50; t++) {
    const oneway_info lbp = oneway_lbp_step(&c, NULL, 1 + t % 8, &rng);
    const oneway_info gwg = oneway_gwg_step(&c, NULL, 1 + t % 8, &rng);
    proposed += (lbp.proposed > 0) + (gwg.proposed > 0);
    moved += lbp.jump + gwg.jump;
  }
  CHECK(proposed == 100 && moved == 0);
}

static void test_broken_product(void) {
  broken_chain c;
  lbp_rng rng;
  uint32_t t, moved = 0;
  lbp_rng_init(&rng, 5, 5);
  CHECK(broken_init(&c, NULL) == LBP_OK);
  for (t = 0; t < 50; t++) {
    moved += broken_lbp_step(&c, NULL, 1 + t % 8, &rng).jump;
    moved += broken_gwg_step(&c, NULL, 1 + t % 8, &rng).jump;
  }
  CHECK(moved == 0);
}

int main(void) {
  test_init();
  test_sizes();
  test_kinds();
  test_impossible();
  test_escape();
  test_extremes();
  test_skewed();
  test_drift();
  test_mixed();
  test_touch();
  test_repeatable();
  test_tuned();
  test_rng();
  test_exponentials();
  test_logarithms();
  test_cut();
  test_numbers();
  test_weights();
  test_model_check();
  test_broken_product();
  test_one_way();
  return test_report();
}
