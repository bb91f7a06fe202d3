/* Every step of lbp_ab.h against enumeration: from states drawn from pi, one step must lead to pi again, and be as
 * frequent as its reverse. Small models of 16, 27, 81 and 125 states, quadratic and not; W exact, wrong, dense and by
 * edges; both precisions. Statistical tests: 1e-8 false-alarm probability each, fixed seeds. */
#include <stdlib.h>

#define LBP_AB_WIDTH 8u /* most models here have four coordinates */
#include "../lbp_ab.h"
#include "ab_toy.h"
#include "reversible.h"

enum { MOST_CELLS = 125 };
#ifndef AB_TRIALS
#ifdef API_QUICK
#define AB_TRIALS 6000
#else
#define AB_TRIALS 60000
#endif
#endif
enum { TRIALS = AB_TRIALS };

#define LBP_NAME     wide
#define LBP_MODEL_T  ab_toy
#define LBP_GRADIENT ab_toy_gradient
#define LBP_LOGP     ab_toy_logp
#include "../lbp_ab.h"

#define LBP_NAME     narrow
#define LBP_MODEL_T  ab_toy
#define LBP_REAL     float
#define LBP_GRADIENT ab_toy_gradient_f
#include "../lbp_ab.h"

#define LBP_NAME        bits
#define LBP_MODEL_T     ab_toy
#define LBP_GRADIENT    ab_toy_gradient
#define LBP_CONDITIONAL ab_toy_conditional
#define LBP_STATES      2
#include "../lbp_ab.h"

#undef LBP_AB_WIDTH
#define LBP_AB_WIDTH 1u
#define LBP_NAME     lone
#define LBP_MODEL_T  ab_toy
#define LBP_GRADIENT ab_toy_gradient
#include "../lbp_ab.h"
#undef LBP_AB_WIDTH
#define LBP_AB_WIDTH 8u

#include "ab_second.h"

/* ---- one kind of step on one model ------------------------------------------------------------------------------- */

typedef enum { STEP_AB, STEP_RWM, STEP_GIBBS } step_kind;

static void make_law(const ab_toy *m, double *law) {
  const uint32_t cells = ab_cells(m->d, m->states);
  double sum = 0;
  uint8_t x[AB_SITES];
  uint32_t k;
  for (k = 0; k < cells; k++) {
    ab_decode(m->d, m->states, k, x);
    law[k] = ab_toy_logp(m, x);
    law[k] = lbp_is_finite(law[k]) ? exp(law[k]) : 0;
    sum += law[k];
  }
  for (k = 0; k < cells; k++) law[k] /= sum;
}

#define EXACT(NAME) \
  static void NAME##_exact(const ab_toy *m, step_kind kind, const NAME##_curvature *curvature, NAME##_scale scale, \
                           uint64_t seed, const char *what) { \
    static uint32_t passed[MOST_CELLS * MOST_CELLS]; \
    const uint32_t cells = ab_cells(m->d, m->states); \
    NAME##_real ws[LBP_WS_LEN_AB(AB_SITES)]; \
    double law[MOST_CELLS], acceptance = 0; \
    uint8_t x[AB_SITES] = {0}, old[AB_SITES]; \
    NAME##_chain c; \
    lbp_rng rng; \
    uint32_t t, kept = 0; \
    int made; \
    make_law(m, law); \
    memset(passed, 0, sizeof passed); \
    lbp_rng_init(&rng, seed, 0); \
    made = NAME##_init(&c, m->d, m->states, x, ws, LBP_WS_LEN_AB(AB_SITES)) == LBP_OK; \
    CHECK(made); \
    if (!made) return; \
    for (t = 0; t < TRIALS; t++) { \
      const uint32_t from = ab_draw(law, cells, &rng); \
      NAME##_info info; \
      ab_decode(m->d, m->states, from, x); \
      ab_decode(m->d, m->states, from, old); \
      c.logp_ready = c.gradient_ready = 0; /* NAME_touch would drop the noise made ahead */ \
      c.site = t % m->d; \
      info = kind == STEP_RWM     ? NAME##_rwm_step(&c, m, (NAME##_real)1.5, &rng) \
             : kind == STEP_GIBBS ? NAME##_gibbs_step(&c, m, &rng) \
                                  : NAME##_ab_step(&c, m, curvature, &scale, &rng); \
      acceptance += (double)info.accept / TRIALS; \
      passed[from * cells + ab_encode(m->d, m->states, x)]++; \
      kept += kind != STEP_GIBBS && memcmp(info.accepted ? c.y : x, old, m->d) == 0; \
    } \
    CHECK(kept == (kind == STEP_GIBBS ? 0 : TRIALS)); \
    check_reversible(passed, law, cells, TRIALS, 5 * (TRIALS >= 20000), acceptance, what); \
  }
EXACT(wide)
EXACT(narrow)
EXACT(bits)
EXACT(lone)

/* ---- models ------------------------------------------------------------------------------------------------------ */

static void test_model(const ab_toy *m, uint64_t seed) {
  const int exact = m->cubic == 0;
  ab_second s, wrong, thin;
  wide_curvature dense, edges, wrong_dense, wrong_edges, singular;
  narrow_curvature single;
  CHECK(ab_second_make(&s, m, 0, 0) == m->d);
  CHECK(ab_second_make(&wrong, m, 0.4, 0) == m->d); /* an estimate may be wrong: the chain stays exact */
  CHECK(ab_second_make(&thin, m, 0, 1) == m->d);
  dense = ab_curvature(&s, m->d, exact, 0);
  edges = ab_curvature(&s, m->d, exact, 1);
  wrong_dense = ab_curvature(&wrong, m->d, 0, 0);
  wrong_edges = ab_curvature(&wrong, m->d, 0, 1);
  singular = ab_curvature(&thin, m->d, 0, 0);
  single = ab_curvature_f(&s, m->d, exact);
  wide_exact(m, STEP_RWM, NULL, wide_first_order(1, 1), seed, "RWM");
  wide_exact(m, STEP_GIBBS, NULL, wide_first_order(1, 1), seed + 1, "Gibbs");
  wide_exact(m, STEP_AB, NULL, wide_first_order(1.5, 0.5), seed + 2, "DLP");
  wide_exact(m, STEP_AB, NULL, wide_first_order(3, 0.8), seed + 3, "AB-1st");
  wide_exact(m, STEP_AB, &dense, wide_langevin_d(3), seed + 4, "DLP in the metric of D");
  wide_exact(m, STEP_AB, &dense, wide_second_order(20, 0.9), seed + 5, "AB, (sigma, alpha)");
  wide_exact(m, STEP_AB, &dense, wide_second_order_d(10, 1, 1), seed + 6, "AB, (s, rho)");
  wide_exact(m, STEP_AB, &dense, wide_second_order_d(3, 0.5, 0.5), seed + 7, "AB, damped");
  wide_exact(m, STEP_AB, &edges, wide_second_order_d(10, 1, 1), seed + 8, "AB, noise by edges");
  narrow_exact(m, STEP_AB, NULL, narrow_first_order(1.5f, 0.5f), seed + 9, "DLP, float");
  lone_exact(m, STEP_AB, NULL, lone_first_order(1.5, 0.5), seed + 16, "DLP, one lane");
  narrow_exact(m, STEP_AB, &single, narrow_second_order_d(10, 1, 0.8f), seed + 10, "AB, float");
  wide_exact(m, STEP_AB, &wrong_dense, wide_second_order_d(10, 1, 1), seed + 11, "AB, W off by 40 %");
  wide_exact(m, STEP_AB, &wrong_edges, wide_second_order_d(3, 0.8, 0.7), seed + 14, "AB, W off by 40 %, by edges");
  wide_exact(m, STEP_AB, &singular, wide_second_order_d(10, 1, 1), seed + 15, "AB, W + D singular");
  if (m->states == 2) {
    const bits_scale none = bits_first_order(1.5, 0.5);
    bits_exact(m, STEP_AB, NULL, none, seed + 12, "DLP, S fixed");
    bits_exact(m, STEP_GIBBS, NULL, none, seed + 13, "Gibbs by conditionals");
  }
}

/* ---- many coordinates -------------------------------------------------------------------------------------------- */

/* Independent coordinates, so that states can be drawn from pi: log pi = sum_i h_i x_i - x_i^2 / 4. */
enum { MANY = 150, MANY_VALUES = 3, MANY_BAND = 3 };

typedef struct {
  float h[MANY];
} product;

static float product_gradient(const product *m, const uint8_t *x, float *out) {
  float f = 0;
  uint32_t i;
  for (i = 0; i < MANY; i++) {
    out[i] = m->h[i] - 0.5f * x[i];
    f += x[i] * (m->h[i] - 0.25f * x[i]);
  }
  return f;
}

#define LBP_NAME     many
#define LBP_MODEL_T  product
#define LBP_REAL     float
#define LBP_GRADIENT product_gradient
#include "../lbp_ab.h"

/* One step from pi: every coordinate must be distributed as before, and move as often one way as the other. */
static void check_many(const product *m, uint32_t states, const many_curvature *curvature, many_scale scale,
                       uint64_t seed, const char *what) {
  static float ws[LBP_WS_LEN_AB(MANY)];
  static uint32_t passed[MANY][MANY_VALUES][MANY_VALUES];
  uint8_t x[MANY] = { 0 };
  double law[MANY][MANY_VALUES], acceptance = 0, least = 1;
  many_chain c;
  lbp_rng rng;
  uint32_t t, i, k, l;
  char text[120];
  memset(&c, 0, sizeof c);
  memset(passed, 0, sizeof passed);
  for (i = 0; i < MANY; i++) {
    double sum = 0;
    for (k = 0; k < states; k++) sum += law[i][k] = exp(k * ((double)m->h[i] - 0.25 * k));
    for (k = 0; k < states; k++) law[i][k] /= sum;
  }
  lbp_rng_init(&rng, seed, 1);
  CHECK(many_init(&c, MANY, states, x, ws, LBP_WS_LEN_AB(MANY)) == LBP_OK);
  for (t = 0; t < TRIALS / 10; t++) {
    uint8_t old[MANY];
    for (i = 0; i < MANY; i++) old[i] = x[i] = (uint8_t)ab_draw(law[i], states, &rng);
    c.logp_ready = c.gradient_ready = 0;
    acceptance += (double)many_ab_step(&c, m, curvature, &scale, &rng).accept / (TRIALS / 10);
    for (i = 0; i < MANY; i++) passed[i][old[i]][x[i]]++;
  }
  for (i = 0; i < MANY; i++) {
    uint32_t reached[MANY_VALUES] = { 0 };
    double statistic = 0, p;
    for (k = 0; k < states; k++) {
      for (l = 0; l < states; l++) {
        const double there = passed[i][k][l], back = passed[i][l][k];
        reached[l] += passed[i][k][l];
        if (l < k && there + back > 0) statistic += (there - back) * (there - back) / (there + back);
      }
    }
    p = chi2_tail(statistic, states * (states - 1) / 2);
    if (p < least) least = p;
    p = chi2_counts(reached, law[i], states, TRIALS / 10);
    if (p < least) least = p;
  }
  snprintf(text, sizeof text, "%d coordinates of %u values, %.40s: least p = %.2g, acceptance %.2f", MANY, states, what,
           least, acceptance);
  test_count(least > CHI2_LEVEL / MANY && acceptance > 0.1, __FILE__, __LINE__, text);
}

/* A W that is not the Hessian, dense and by edges. */
static float many_W[MANY * MANY], many_D[MANY];
static many_curvature many_dense, many_edges;

static void make_many(product *m, lbp_rng *rng) {
  static double W[MANY * MANY], D[MANY], root[MANY * MANY], work[2 * MANY];
  static float root_f[MANY * MANY], edge[MANY * MANY_BAND], site[MANY];
  static uint32_t order[MANY], ends[2 * MANY * MANY_BAND];
  lbp_symmetric matrix;
  uint32_t i, j;
  memset(&many_dense, 0, sizeof many_dense);
  memset(&many_edges, 0, sizeof many_edges);
  memset(&matrix, 0, sizeof matrix);
  for (i = 0; i < MANY; i++) m->h[i] = (float)(lbp_u01(lbp_rng_u64(rng)) - 0.3);
  for (i = 0; i < MANY; i++) {
    W[i * MANY + i] = -0.4;
    for (j = i + 1; j < MANY && j <= i + MANY_BAND; j++) {
      const double w = 0.2 * (lbp_u01(lbp_rng_u64(rng)) - 0.5);
      W[i * MANY + j] = W[j * MANY + i] = w;
      ends[2 * many_edges.edges] = i;
      ends[2 * many_edges.edges + 1] = j;
      edge[many_edges.edges++] = (float)(w < 0 ? -sqrt(-w) : sqrt(w));
    }
  }
  matrix.n = MANY;
  matrix.dense = W;
  for (i = 0; i < MANY; i++) {
    const double slack = 0.05 + lbp_u01(lbp_rng_u64(rng));
    D[i] = lbp_p_radius(&matrix, i) + 0.4 + slack;
    site[i] = (float)sqrt(slack);
  }
  CHECK(lbp_root_dense(&matrix, D, root, order, &many_dense.rank, work, 2 * MANY) == LBP_OK);
  for (i = 0; i < MANY * MANY; i++) {
    many_W[i] = (float)W[i];
    root_f[i] = (float)root[i];
  }
  for (i = 0; i < MANY; i++) many_D[i] = (float)D[i];
  many_dense.n = many_edges.n = MANY;
  many_dense.D = many_edges.D = many_D;
  many_dense.W = many_W;
  many_dense.root = root_f;
  many_dense.order = order;
  many_edges.ends = ends;
  many_edges.edge = edge;
  many_edges.site = site;
}

static void test_many(void) {
  product m;
  lbp_rng rng;
  uint32_t S;
  lbp_rng_init(&rng, 21, 2);
  make_many(&m, &rng);
  for (S = 2; S <= 3; S++) {
    check_many(&m, S, NULL, many_first_order(1, 0.5f), 31 * S, "DLP");
    check_many(&m, S, &many_dense, many_second_order_d(3, 1, 1), 32 * S, "AB, dense root");
    check_many(&m, S, &many_edges, many_second_order_d(3, 1, 0.8f), 33 * S, "AB, by edges");
  }
}

/* What a step is made of against the formulas: some mistakes in it only make a chain slower. */
static void test_pieces(void) {
  static float ws[LBP_WS_LEN_AB(MANY)], noise[MANY];
  const many_scale scale = many_second_order_d(2, 0.7f, 0.6f);
  const double damping = 0.6, alpha = lbp_alpha(1.4);
  uint8_t x[MANY];
  product m;
  many_chain c;
  lbp_rng rng;
  uint32_t S, i, j, k, t;
  lbp_rng_init(&rng, 22, 2);
  make_many(&m, &rng);
  for (S = 2; S <= 3; S++) {
    double form = 0, shift[MANY], gap = 0;
    for (i = 0; i < MANY; i++) x[i] = (uint8_t)(lbp_rng_u64(&rng) % S);
    CHECK(many_init(&c, MANY, S, x, ws, LBP_WS_LEN_AB(MANY)) == LBP_OK);
    for (i = 0; i < MANY; i++) {
      c.y[i] = (uint8_t)(lbp_rng_u64(&rng) % S);
      noise[i] = (float)(2 * lbp_u01(lbp_rng_u64(&rng)) - 1);
      c.gradient[i] = (float)lbp_u01(lbp_rng_u64(&rng));
      c.proposed[i] = (float)lbp_u01(lbp_rng_u64(&rng));
    }
    for (i = 0; i < MANY; i++) {
      shift[i] = 0;
      for (j = 0; j < MANY; j++) shift[i] += (double)many_W[i * MANY + j] * (x[j] - c.y[j]);
      form += (x[i] - c.y[i]) * sqrt(damping) * (double)noise[i];
      form += (x[i] - c.y[i]) * damping / 2 * (shift[i] + (double)many_D[i] * (x[i] - c.y[i]));
    }
    for (k = 0; k < 2; k++) { /* W (x - y) dense and by edges, and the form */
      CHECK_NEAR(many_priv_quadratic(&c, k ? &many_edges : &many_dense, noise, 0.6f), form, 1e-3);
      for (i = 0; i < MANY; i++) gap += fabs((double)c.shift[i] - shift[i]);
    }
    CHECK(gap < 1e-3);
    for (k = 0; k < 2; k++) { /* log Q there and back */
      const uint8_t *from = k ? c.y : x;
      uint8_t *to = k ? x : c.y;
      double log_q = 0;
      for (i = 0; i < MANY; i++) {
        const double D = (double)many_D[i], a = alpha * damping * D + damping / 2 * D;
        const double G = sqrt(damping) * (double)noise[i] + damping * D * x[i];
        const double force = k ? (double)c.proposed[i] + damping * shift[i] : (double)c.gradient[i];
        const double linear = alpha * (force + G) + damping / 2 * D * from[i];
        double sum = 0;
        for (j = 0; j < S; j++) sum += exp(linear * j - a * j * j / 2);
        log_q += linear * to[i] - a * to[i] * to[i] / 2 - log(sum);
      }
      if (k) many_priv_quadratic(&c, &many_dense, noise, 0.6f);
      many_priv_drift(&c, many_D, noise, 0.6f, (int)k);
      CHECK_NEAR(many_priv_propose(&c, &scale, many_D, from, c.shift, 1, NULL, to), log_q, 2e-3);
    }
    /* each step has noise of its own: so much of it that it decides */
    many_touch(&c);
    many_priv_make_noise(&c, &many_dense, &rng);
    for (t = 0; t < LBP_NOISE_STEPS; t++)
      for (i = 0; i < MANY; i++) c.noise[t * MANY + i] = (t * 5 + 3) & 4 ? 1e4f : -1e4f;
    for (t = LBP_NOISE_STEPS; t-- > 0;) {
      const uint8_t *y = many_ab_step(&c, &m, &many_dense, &scale, &rng).accepted ? x : c.y;
      for (i = 0, k = 0; i < MANY; i++) k += y[i];
      CHECK(k == ((t * 5 + 3) & 4 ? MANY * (S - 1) : 0));
    }
    CHECK(c.noise_left == 0);
  }
}

/* What a chain keeps is what its state has. */
static void test_kept(void) {
  const ab_toy m = ab_toy_make(4, 3, -0.04, 17);
  wide_real ws[LBP_WS_LEN_AB(4)], gradient[4];
  const wide_scale scale = wide_first_order(1.5, 0.5);
  uint8_t x[4] = { 0 };
  uint32_t t, i, wrong = 0;
  wide_chain c;
  lbp_rng rng;
  lbp_rng_init(&rng, 5, 5);
  CHECK(wide_init(&c, 4, 3, x, ws, LBP_WS_LEN_AB(4)) == LBP_OK);
  for (t = 0; t < 1000; t++) {
    const uint64_t which = lbp_rng_u64(&rng) % 3;
    const double logp = which == 0   ? (wide_rwm_step(&c, &m, 1, &rng), ab_toy_gradient(&m, x, gradient))
                        : which == 1 ? (wide_gibbs_step(&c, &m, &rng), ab_toy_gradient(&m, x, gradient))
                                     : (wide_ab_step(&c, &m, NULL, &scale, &rng), ab_toy_gradient(&m, x, gradient));
    wrong += c.logp_ready && c.logp != logp;
    for (i = 0; i < 4; i++) wrong += c.gradient_ready && c.gradient[i] != gradient[i];
  }
  CHECK(wrong == 0);
}

/* The noise against its definition, for sizes with and without columns left over. */
static void test_noise(void) {
  enum { MOST = 45, N = LBP_NOISE_STEPS };
  static const uint32_t sizes[] = { 3, 15, 16, 17, 32, MOST };
  static double ws[LBP_WS_LEN_AB(MOST)], root[MOST * MOST];
  uint8_t x[MOST] = { 0 };
  uint32_t order[MOST], s, j, k, t;
  lbp_rng rng;
  lbp_rng_init(&rng, 8, 8);
  for (s = 0; s < 6; s++) {
    const uint32_t d = sizes[s], rank = d - s % 2;
    double worst = 0;
    wide_curvature curvature;
    wide_chain c;
    memset(&c, 0, sizeof c);
    memset(&curvature, 0, sizeof curvature);
    for (k = 0; k < d; k++) {
      order[k] = (k * 7 + 2) % d; /* a permutation: no size is a multiple of 7 */
      for (j = 0; j < d; j++) root[k * d + j] = j < k ? 0 : k < rank ? lbp_u01(lbp_rng_u64(&rng)) : (double)NAN;
    }
    curvature.n = d;
    curvature.root = root;
    curvature.order = order;
    curvature.rank = rank;
    CHECK(wide_init(&c, d, 2, x, ws, LBP_WS_LEN_AB(d)) == LBP_OK);
    wide_priv_make_noise(&c, &curvature, &rng);
    for (t = 0; t < N; t++) {
      for (j = 0; j < d; j++) {
        double sum = 0;
        for (k = 0; k < rank; k++) sum += root[k * d + j] * c.normals[t / 8 * 8 * rank + 8 * k + t % 8];
        sum = fabs(sum - c.noise[t * d + order[j]]);
        if (!(sum <= worst)) worst = sum;
      }
    }
    CHECK(worst < 1e-12);
  }
}

/* Where all is accepted, or nothing, for however long, sigma is a number, and so is what is divided by it; s does not
 * exceed what it may. */
static void test_tuners_end(void) {
  const narrow_real start[3] = { 100, 1, 1 };
  narrow_tuner narrow;
  narrow_adapter adapter;
  wide_tuner wide;
  uint32_t t, way;
  for (way = 0; way < 2; way++) {
    CHECK(narrow_tuner_init(&narrow, 0.1f, UINT32_MAX, 0.234f) == LBP_OK);
    CHECK(wide_tuner_init(&wide, 0.1, UINT32_MAX, 0.234) == LBP_OK);
    for (t = 0; t < 50000; t++) {
      narrow_tuner_update(&narrow, (narrow_real)way);
      wide_tuner_update(&wide, way);
    }
    CHECK(narrow.sigma > 0 && lbp_is_finite((double)narrow.sigma) && lbp_is_finite((double)(1 / narrow.sigma)));
    CHECK(wide.sigma > 0 && lbp_is_finite(wide.sigma) && lbp_is_finite(1 / wide.sigma));
    CHECK(way ? narrow.sigma > 1e30f && wide.sigma > 1e300 : narrow.sigma < 1e-30f && wide.sigma < 1e-300);
  }
  narrow_adapter_init(&adapter, 3, start);
  for (t = 0; t < 150000; t++) narrow_adapter_update(&adapter, 0);
  CHECK(adapter.value[0] == adapter.most[0]);
}

#define AB_NAME      wide
#define AB_TOLERANCE 1e-6
#include "cases/ab_numbers.h"

#define AB_NAME      narrow
#define AB_TOLERANCE 1e-3
#include "cases/ab_numbers.h"

static void test_bad_input(void) {
  ab_toy m = ab_toy_make(3, 3, 0, 1);
  wide_real ws[LBP_WS_LEN_AB(3)];
  uint8_t x[3] = {0, 1, 2};
  wide_chain c;
  bits_chain binary;
  wide_tuner tuner;
  wide_adapter adapter;
  wide_scale scale = wide_first_order(1.5, 0.5);
  const wide_real endless[2] = {1, (wide_real)INFINITY};
  const wide_real zero[2] = {1, 0}, start[4] = {1, 1, 1, 1};
  lbp_rng rng;
  uint32_t t, rejected = 0, left[6] = {0};
  const size_t len = LBP_WS_LEN_AB(3);
  CHECK(len == wide_ws_len(3));
  CHECK(wide_init(NULL, 3, 3, x, ws, len) == LBP_E_NULL);
  CHECK(wide_init(&c, 3, 3, NULL, ws, len) == LBP_E_NULL);
  CHECK(wide_init(&c, 3, 3, x, NULL, len) == LBP_E_NULL);
  CHECK(wide_init(&c, 0, 3, x, ws, len) == LBP_E_SIZE);
  CHECK(wide_init(&c, LBP_MAX_SITES, 3, x, ws, SIZE_MAX) == LBP_E_SIZE);
  /* a distance of all sites is counted in 32 bits: 255 * 16843009 = 2^32 - 1 */
  CHECK(wide_init(&c, 16843009, 256, x, ws, len) == LBP_E_WORKSPACE);
  CHECK(wide_init(&c, 16843010, 256, x, ws, len) == LBP_E_SIZE);
  CHECK(wide_init(&c, 3, 1, x, ws, len) == LBP_E_RANGE);
  CHECK(wide_init(&c, 3, 257, x, ws, len) == LBP_E_RANGE);
  CHECK(wide_init(&c, 3, 3, x, ws, len - 1) == LBP_E_WORKSPACE);
  CHECK(wide_init(&c, 3, 2, x, ws, len) == LBP_E_STATE);
  CHECK(bits_init((bits_chain *)NULL, 3, 2, x, ws, len) == LBP_E_NULL);
  CHECK(bits_init(&binary, 3, 3, x, ws, len) == LBP_E_RANGE); /* LBP_STATES is 2 */
  CHECK(wide_tuner_init(NULL, 1, 10, 0.5) == LBP_E_NULL);
  CHECK(wide_tuner_init(&tuner, 1, 10, 0) == LBP_E_RANGE);
  CHECK(wide_tuner_init(&tuner, 1, 0, 300) == LBP_E_RANGE); /* target and warm-up in the order of 0.5.1 */
  CHECK(wide_tuner_init(&tuner, 0, 10, 0.5) == LBP_E_RANGE);
  CHECK(wide_tuner_init(&tuner, 1, 10, 1) == LBP_E_RANGE);
  CHECK(wide_tuner_init(&tuner, (wide_real)INFINITY, 10, 0.5) == LBP_E_RANGE);
  CHECK(wide_adapter_init(&adapter, 2, zero) == LBP_E_RANGE);
  CHECK(wide_adapter_init(&adapter, 2, endless) == LBP_E_RANGE);
  CHECK(wide_adapter_init(&adapter, 4, start) == LBP_E_SIZE);
  CHECK(wide_adapter_init(&adapter, 0, start) == LBP_E_SIZE);
  CHECK(wide_adapter_init(&adapter, 1, NULL) == LBP_E_NULL);
  CHECK(wide_adapter_init(NULL, 1, start) == LBP_E_NULL);
  /* states without log pi are never entered, and said */
  m.nan_at = 4;
  lbp_rng_init(&rng, 3, 3);
  CHECK(wide_init(&c, 3, 3, x, ws, len) == LBP_OK);
  for (t = 0; t < 3000; t++) {
    const wide_info info = t % 3 == 0   ? wide_rwm_step(&c, &m, 2, &rng)
                           : t % 3 == 1 ? wide_gibbs_step(&c, &m, &rng)
                                        : wide_ab_step(&c, &m, NULL, &scale, &rng);
    rejected += info.status == LBP_E_MODEL_NAN;
    CHECK(x[0] + x[1] + x[2] != 4);
    CHECK(info.status == LBP_OK || !info.accepted);
  }
  CHECK(rejected > 100);
  m.nan_at = 0;
  m.inf_at = 4;
  for (t = 0, rejected = 0; t < 1000; t++) {
    rejected += wide_ab_step(&c, &m, NULL, &scale, &rng).status == LBP_E_MODEL_NAN;
    CHECK(x[0] + x[1] + x[2] != 4);
  }
  CHECK(rejected > 30);
  m.inf_at = 0;
  m.nan_at = 4;
  memset(x, 0, sizeof x); /* a start without log pi: said, and nothing lost */
  x[0] = x[1] = 2;
  wide_touch(&c);
  for (t = 0; t < 10; t++) {
    const wide_info info = t % 2 ? wide_rwm_step(&c, &m, 2, &rng) : wide_ab_step(&c, &m, NULL, &scale, &rng);
    CHECK(info.status == LBP_E_MODEL_NAN && !info.accepted && x[0] == 2 && x[1] == 2 && x[2] == 0);
  }
  m.h[0] = (double)NAN; /* no state has a log pi */
  for (t = 0; t < 10; t++) {
    const wide_info info = wide_gibbs_step(&c, &m, &rng);
    CHECK(info.status == LBP_E_MODEL_NAN && !info.accepted && x[0] == 2 && x[1] == 2 && x[2] == 0);
  }
  m.h[0] = 0;
  x[0] = 0;
  wide_touch(&c);
  CHECK(wide_ab_step(&c, &m, NULL, &scale, &rng).status == LBP_OK || c.x == x);
  m.nan_at = 0; /* out of an impossible state any move is taken, at any temperature, into one none */
  m.none_at = 4;
  for (t = 0; t < 300; t++) {
    wide_info info;
    x[0] = x[1] = 2;
    x[2] = 0;
    wide_touch(&c);
    CHECK(wide_temper(&c, t % 2) == LBP_OK);
    info = t % 3 == 0   ? wide_rwm_step(&c, &m, 2, &rng)
           : t % 3 == 1 ? wide_gibbs_step(&c, &m, &rng)
                        : wide_ab_step(&c, &m, NULL, &scale, &rng);
    CHECK(info.status == LBP_OK && info.accepted == (x[0] + x[1] + x[2] != 4));
    CHECK(info.accepted ? info.log_ratio == (wide_real)INFINITY : info.changed == 0);
    left[t % 6] += info.accepted;
  }
  for (t = 0; t < 6; t++) CHECK(left[t] > 20); /* of 50, of which few are proposed to go where none is possible */
  m.none_at = UINT32_MAX; /* no state is possible: that is no fault of the model, and nothing moves */
  x[0] = x[1] = 2;
  wide_touch(&c);
  for (t = 0; t < 10; t++) {
    const wide_info info = wide_gibbs_step(&c, &m, &rng);
    CHECK(info.status == LBP_OK && !info.accepted && x[0] == 2 && x[1] == 2 && x[2] == 0);
  }
}

/* Steps that tune themselves are the steps with the tuner's sigma, which then learns; and where the curvature is not
 * that of the last step, there is new noise. */
static void test_tuned_steps(void) {
  const ab_toy m = ab_toy_make(4, 3, -0.04, 19);
  wide_real ws[2][LBP_WS_LEN_AB(4)];
  uint8_t x[2][4] = {{0}};
  wide_chain c[2];
  wide_tuner langevin[2], walk[2];
  wide_curvature curvature[2];
  ab_second s[2];
  lbp_rng rng[2];
  uint32_t t, k, accepted = 0, apart = 0;
  for (k = 0; k < 2; k++) {
    lbp_rng_init(&rng[k], 19, 1);
    CHECK(wide_init(&c[k], 4, 3, x[k], ws[k], LBP_WS_LEN_AB(4)) == LBP_OK);
    CHECK(wide_tuner_init(&langevin[k], 0.3, 300, LBP_TARGET_LBP) == LBP_OK);
    CHECK(wide_tuner_init(&walk[k], 0.3, 300, LBP_TARGET_RWM) == LBP_OK);
    CHECK(ab_second_make(&s[k], &m, 0.25 * k, 0) == 4);
    curvature[k] = ab_curvature(&s[k], 4, 1, 0);
  }
  for (t = 0; t < 500; t++) {
    const wide_scale first = wide_first_order(langevin[1].sigma, 0.5), own = wide_second_order_d(2, 1, 1);
    accepted += wide_adlp_step(&c[0], &m, &langevin[0], &rng[0]).accepted;
    wide_tuner_update(&langevin[1], wide_ab_step(&c[1], &m, NULL, &first, &rng[1]).accept);
    accepted += wide_arwm_step(&c[0], &m, &walk[0], &rng[0]).accepted;
    wide_tuner_update(&walk[1], wide_rwm_step(&c[1], &m, walk[1].sigma, &rng[1]).accept);
    wide_ab_step(&c[0], &m, &curvature[t % 2], &own, &rng[0]);
    wide_touch(&c[1]); /* which drops the other curvature's noise */
    wide_ab_step(&c[1], &m, &curvature[t % 2], &own, &rng[1]);
    apart += memcmp(x[0], x[1], 4) != 0 || langevin[0].sigma != langevin[1].sigma || walk[0].sigma != walk[1].sigma;
  }
  CHECK(apart == 0 && accepted > 100);
  CHECK(langevin[0].step == 300 && walk[0].step == 300 && langevin[0].sigma != walk[0].sigma);
}

/* The tuners on the 81-state model: sigma that gives its target, and a pair that moves as far as the best of a grid. */
static void test_tuning(void) {
  const ab_toy m = ab_toy_make(4, 3, 0, 5);
  wide_real ws[LBP_WS_LEN_AB(4)];
  uint8_t x[4] = {0};
  wide_chain c;
  wide_tuner tuner;
  wide_adapter adapter;
  lbp_rng rng;
  ab_second s;
  wide_curvature curvature;
  const wide_real start[2] = {100, 1};
  double mean = 0, best = 0, jump = 0;
  uint32_t t, g;
  lbp_rng_init(&rng, 9, 9);
  CHECK(wide_init(&c, 4, 3, x, ws, LBP_WS_LEN_AB(4)) == LBP_OK);
  CHECK(wide_tuner_init(&tuner, 0.1, 20000, LBP_TARGET_RWM) == LBP_OK);
  for (t = 0; t < 60000; t++) {
    const wide_info info = wide_rwm_step(&c, &m, tuner.sigma, &rng);
    wide_tuner_update(&tuner, info.accept);
    if (t >= 20000) mean += (double)info.accept / 40000;
  }
  CHECK(tuner.step == 20000);
  CHECK(tuner.sigma > 0.1);
  if (tuner.sigma < 1e3) CHECK_NEAR(mean, LBP_TARGET_RWM, 0.02); /* else no sigma is that bold */
  CHECK(ab_second_make(&s, &m, 0, 0) == 4);
  curvature = ab_curvature(&s, 4, 1, 0);
  for (g = 0; g < 6; g++) {
    const wide_scale scale = wide_second_order_d(pow(4, g - 1.0), 1, 1);
    double sum = 0;
    for (t = 0; t < 20000; t++) sum += wide_ab_step(&c, &m, &curvature, &scale, &rng).jump / 2e4;
    if (sum > best) best = sum;
  }
  CHECK(wide_adapter_init(&adapter, 2, start) == LBP_OK);
  for (t = 0; t < 120000; t++) {
    const wide_scale scale = wide_second_order_d(wide_adapter_value(&adapter, 0), wide_adapter_value(&adapter, 1), 1);
    const wide_info info = wide_ab_step(&c, &m, &curvature, &scale, &rng);
    wide_adapter_update(&adapter, (double)(info.accept * (wide_real)info.proposed));
    if (t >= 100000) jump += info.jump / 2e4;
  }
  CHECK(jump > 0.95 * best);
}

int main(void) {
  static const struct {
    uint32_t d, states;
  } sizes[] = {{4, 2}, {3, 3}, {4, 3}, {3, 5}};
  uint32_t k;
  test_noise();
  test_pieces();
  test_tuners_end();
  test_kept();
  wide_moments();
  narrow_moments();
  for (k = 0; k < 4; k++) {
    const ab_toy quadratic = ab_toy_make(sizes[k].d, sizes[k].states, 0, 3 + k);
    const ab_toy cubic = ab_toy_make(sizes[k].d, sizes[k].states, -0.04, 13 + k);
    test_model(&quadratic, 100 * k);
    test_model(&cubic, 100 * k + 50);
  }
  test_many();
  wide_all_weights();
  narrow_all_weights();
  test_bad_input();
  test_tuned_steps();
  test_tuning();
  return test_report();
}
