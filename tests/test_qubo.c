/* test_qubo.c - lbp/models/qubo.h: energies, log-ratios, gradients and neighbours of all states of small models against
 * sums written down plainly, fields that follow flips against fresh ones, to the bit; draws of steps against
 * enumeration; readers on good and bad text, in pieces of any size; values of cuts. The chi-squared tests have fixed
 * seeds; a right program would fail one with probability 1e-8. */
#include "chi2.h"
#include "models.h"

/* strtod takes points as the locale says: the reader must never hand it one. */
static long points;
static double strtod_of_any_locale(const char *text, char **end) {
  points += strpbrk(text, ".,") != NULL;
  return strtod(text, end);
}
#define strtod strtod_of_any_locale
#include "../lbp/models/qubo.h"
#undef strtod

enum { MOST = 10 };

#define LBP_NAME           local
#define LBP_MODEL_T        lbp_qubo
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_qubo_delta
#define LBP_NEIGHBOURS     lbp_qubo_neighbours
#define LBP_MAX_NEIGHBOURS MOST
#define LBP_LOGP           lbp_qubo_logp
#include "../lbp.h"

#define LBP_NAME           kept
#define LBP_MODEL_T        lbp_qubo
#define LBP_REAL           lbp_real
#define LBP_FIELDS_T       lbp_qubo_fields
#define LBP_FIELDS_INIT    lbp_qubo_fields_set
#define LBP_FLIP           lbp_qubo_flip
#define LBP_FLIP_LIST      lbp_qubo_flip_list
#define LBP_DELTA          lbp_qubo_fields_delta
#define LBP_PREFETCH       lbp_qubo_prefetch
#define LBP_NEIGHBOURS     lbp_qubo_neighbours
#define LBP_MAX_NEIGHBOURS MOST
#define LBP_LOGP           lbp_qubo_fields_logp
#include "../lbp.h"

#define LBP_NAME        dense
#define LBP_MODEL_T     lbp_qubo_dense
#define LBP_REAL        lbp_real
#define LBP_FIELDS_T    lbp_qubo_dense_fields
#define LBP_FIELDS_INIT lbp_qubo_dense_fields_set
#define LBP_FLIP        lbp_qubo_dense_flip
#define LBP_SAVE        lbp_qubo_dense_save
#define LBP_RESTORE     lbp_qubo_dense_restore
#define LBP_DELTAS      lbp_qubo_dense_deltas
#define LBP_DELTA       lbp_qubo_dense_fields_delta
#include "../lbp.h"

#define LBP_NAME        by_logp
#define LBP_MODEL_T     lbp_qubo_dense
#define LBP_REAL        lbp_real
#define LBP_FIELDS_T    lbp_qubo_dense_fields
#define LBP_FIELDS_INIT lbp_qubo_dense_fields_set
#define LBP_FLIP        lbp_qubo_dense_flip
#define LBP_DELTAS      lbp_qubo_dense_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP        lbp_qubo_dense_fields_logp
#include "../lbp.h"

/* ---- models of all states ---------------------------------------------------------------------------------------- */

enum { TERMS = 40 };

typedef struct {
  uint32_t n, count, ends[2 * TERMS];
  double value[TERMS], offset;
} plain_qubo;

/* Some pairs are there several times, one the other way round; of one the values cancel. */
static void make_plain(plain_qubo *p, uint32_t n, int whole, lbp_rng *rng) {
  uint32_t k;
  p->n = n;
  p->count = n + below(TERMS - 2 - n, rng);
  p->offset = whole ? (double)below(100, rng) - 50 : 3 * uniform(rng) - 1;
  for (k = 0; k < p->count; k++) {
    p->ends[2 * k] = below(n, rng);
    p->ends[2 * k + 1] = below(n, rng);
    p->value[k] = whole ? (double)below(2001, rng) - 1000 : (4 * uniform(rng) - 2) * (k % 5 ? 1 : 30);
  }
  p->ends[2 * k] = p->ends[2 * k + 3] = 0;
  p->ends[2 * k + 1] = p->ends[2 * k + 2] = n - 1;
  p->value[k] = 7;
  p->value[k + 1] = -7;
  p->count += 2;
}

static double plain_energy(const plain_qubo *p, const uint8_t *x) {
  double sum = p->offset;
  uint32_t k;
  for (k = 0; k < p->count; k++) sum += p->value[k] * x[p->ends[2 * k]] * x[p->ends[2 * k + 1]];
  return sum;
}

static void state_of(uint32_t number, uint32_t n, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < n; i++) x[i] = (uint8_t)(number >> i & 1);
}

/* Neighbours are the sites of pairs whose values do not cancel. */
static void check_neighbours(const plain_qubo *p, const lbp_qubo *m) {
  uint32_t out[MOST], i, j, k, c, largest = 0;
  for (i = 0; i < p->n; i++) {
    const uint32_t count = lbp_qubo_neighbours(m, i, out);
    uint32_t want = 0;
    for (j = 0; j < p->n; j++) {
      double sum = 0;
      int found = 0;
      for (k = 0; k < p->count && j != i; k++) {
        const uint32_t a = p->ends[2 * k], b = p->ends[2 * k + 1];
        if ((a == i && b == j) || (a == j && b == i)) sum += p->value[k];
      }
      for (c = 0; c < count; c++) found += out[c] == j;
      CHECK(found == (fabs(sum) > 1e-9));
      want += sum != 0;
    }
    if (want > largest) largest = want;
  }
  CHECK(m->max_degree == largest && m->n == p->n);
}

/* A state's energy in every way, and what it gets by each flip. scale: of rounding, 0 for whole numbers. */
static void check_state(const plain_qubo *p, const lbp_qubo *m, const lbp_qubo_dense *d, uint8_t *x, double scale) {
  static const uint8_t zeros[16] = {0};
  const double want = plain_energy(p, x);
  lbp_real slope[MOST], both[2], all[MOST];
  lbp_qubo_fields f = {NULL};
  lbp_qubo_dense_fields g = {NULL, NULL, NULL};
  uint32_t i;
  CHECK(lbp_qubo_fields_init(m, &f) == LBP_OK && lbp_qubo_dense_fields_init(d, &g) == LBP_OK);
  lbp_qubo_fields_set(m, &f, x);
  lbp_qubo_dense_fields_set(d, &g, x);
  CHECK_NEAR(lbp_qubo_terms_energy(&m->terms, x), want, scale > 0 ? 1e-11 : 0);
  CHECK_NEAR(lbp_qubo_energy(m, x), want, scale > 0 ? 1e-11 : 0);
  CHECK(lbp_qubo_logp(m, x) == -lbp_qubo_energy(m, x));
  CHECK_NEAR(lbp_qubo_fields_logp(m, &f, x), -want, scale);
  CHECK_NEAR(lbp_qubo_dense_fields_logp(d, &g, x), -want, scale);
  CHECK_NEAR(lbp_qubo_dense_energy(d, x), want, scale);
  CHECK(lbp_qubo_dense_logp(d, x) == -lbp_qubo_dense_energy(d, x));
  CHECK_NEAR(lbp_qubo_gradient(m, x, slope), -want, scale);
  CHECK_NEAR(lbp_graph_logp(&m->graph, x) - lbp_graph_logp(&m->graph, zeros), p->offset - want, scale);
  lbp_qubo_dense_deltas(d, &g, x, all);
  for (i = 0; i < p->n; i++) {
    double gain;
    lbp_real ratio;
    x[i] ^= 1;
    gain = want - plain_energy(p, x);
    x[i] ^= 1;
    ratio = lbp_qubo_delta(m, x, i);
    CHECK_NEAR(ratio, gain, scale);
    CHECK_NEAR(slope[i], x[i] ? -gain : gain, scale);
    lbp_qubo_conditional(m, x, i, both);
    CHECK_NEAR(both[1] - both[0], x[i] ? -gain : gain, scale);
    CHECK_ALIKE(lbp_qubo_fields_delta(m, &f, x, i) == ratio && lbp_qubo_dense_delta(d, x, i) == ratio);
    CHECK_ALIKE(lbp_qubo_dense_fields_delta(d, &g, x, i) == ratio && all[i] == ratio);
  }
  lbp_qubo_fields_free(&f);
  lbp_qubo_dense_fields_free(&g);
}

static void test_all_states(void) {
  plain_qubo p;
  lbp_qubo m;
  lbp_qubo_dense d;
  uint8_t x[64] = {0};
  uint32_t trial, s, k;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
  for (trial = 0; trial < 4 * MOST; trial++) {
    const uint32_t n = 1 + trial % MOST;
    const int whole = trial / MOST % 2;
    double size = 0;
    make_plain(&p, n, whole, &rng);
    for (k = 0; k < p.count; k++) size += fabs(p.value[k]);
    CHECK(lbp_qubo_init(&m, n, p.count, p.ends, p.value, p.offset, n - 1) == LBP_OK);
    CHECK(lbp_qubo_dense_init(&d, n, p.count, p.ends, p.value, p.offset) == LBP_OK && d.n == n);
    for (k = 1; k < m.terms.count; k++) { /* in order, each once */
      const uint32_t *a = m.terms.ends + 2 * k, *b = a - 2;
      CHECK(a[0] <= a[1] && (a[0] > b[0] || (a[0] == b[0] && a[1] > b[1])) && m.terms.value[k] != 0);
    }
    check_neighbours(&p, &m);
    for (s = 0; s < 1u << n; s++) {
      state_of(s, n, x);
      check_state(&p, &m, &d, x, whole ? 0 : size * (IS_FLOAT ? 4e-7 : 1e-15));
    }
    lbp_qubo_free(&m);
    lbp_qubo_dense_free(&d);
  }
}

/* Whole numbers that are no floats are as given in energies; terms add up in double. */
static void test_large_values(void) {
  static const uint32_t ends[12] = {0, 0, 1, 1, 0, 1, 2, 1, 1, 2, 1, 2};
  static const double value[6] = {20000001, -3, 900000000007.0, 1e11, 0.5, -1e11};
  lbp_qubo_terms terms;
  lbp_qubo m;
  uint8_t x[3] = {1, 1, 1};
  CHECK(lbp_qubo_terms_init(&terms, 3, 6, ends, value, 1) == LBP_OK);
  CHECK(lbp_qubo_terms_energy(&terms, x) == 900020000006.5);
  CHECK(terms.count == 4 && terms.value[3] == 0.5 && terms.ends[6] == 1 && terms.ends[7] == 2);
  lbp_qubo_terms_free(&terms);
  CHECK(lbp_qubo_init(&m, 3, 6, ends, value, 1, 2) == (IS_FLOAT ? LBP_E_PRECISION : LBP_OK));
  lbp_qubo_free(&m);
}

/* ---- large and small terms in one model -------------------------------------------------------------------------- */

/* One of n options, whose costs are 0.05 i, by a penalty: a constructor takes it if and only if its log-ratios are right
 * to 1e-3 in all states, of which those of few ones and those of all but a few are the worst. */
static double check_penalty(uint32_t n, double penalty) {
  enum { N = 100 };
  static uint32_t ends[N * (N + 1)];
  static double value[N * (N + 1) / 2];
  static uint8_t x[N];
  uint32_t i, j, s, count = 0;
  double worst = 0;
  lbp_qubo m;
  lbp_qubo_dense d;
  int status;
  for (i = 0; i < n; i++) {
    for (j = i; j < n; j++, count++) {
      ends[2 * count] = i;
      ends[2 * count + 1] = j;
      value[count] = i == j ? 0.05 * i - penalty : 2 * penalty;
    }
  }
  status = lbp_qubo_init(&m, n, count, ends, value, penalty, n);
  CHECK(status == LBP_OK || (status == LBP_E_PRECISION && m.n == 0 && !m.graph.link));
  CHECK(lbp_qubo_dense_init(&d, n, count, ends, value, penalty) == status);
  for (s = 0; s < 50 && status == LBP_OK; s++) {
    uint32_t ones = 0;
    for (i = 0; i < n; i++) x[i] = (uint8_t)(s == 0 ? 0 : s == 1 ? 1 : (i + s) % s == 0);
    for (i = 0; i < n; i++) ones += x[i];
    for (i = 0; i < n; i++) {
      const double gain = x[i] ? 0.05 * i - penalty + 2 * penalty * (ones - 1.0) : penalty - 0.05 * i - 2 * penalty * ones;
      worst = test_larger(worst, fabs((double)lbp_qubo_delta(&m, x, i) - gain));
    }
  }
  if (status == LBP_OK) CHECK(worst <= m.rounding + 1e-15 * n * penalty && m.rounding <= 1e-3 && d.rounding == m.rounding);
  if (status == LBP_OK) CHECK(lbp_models_check_rounding(m.rounding, 2e-3 / (m.rounding + 1e-300)) == LBP_E_PRECISION);
  lbp_qubo_free(&m);
  lbp_qubo_dense_free(&d);
  return status == LBP_OK ? worst : -1;
}

static void test_two_scales(void) {
  static const uint32_t ends[6] = {0, 0, 1, 1, 0, 1};
  static const double deep[3] = {-1e8, -1, 3}, whole[3] = {-16777215, -1, 1};
  lbp_qubo m;
  double penalty;
  CHECK(check_penalty(3, 100) >= 0); /* one of float's units is 2^-15 */
  for (penalty = 1e2; penalty < 1e9; penalty *= 10) {
    const double worst = check_penalty(100, penalty);
    CHECK(IS_FLOAT ? (worst < 0) == (penalty > 200) : worst >= 0 && worst < 1e-4);
  }
  CHECK(lbp_qubo_init(&m, 2, 3, ends, deep, 0, 1) == (IS_FLOAT ? LBP_E_PRECISION : LBP_OK));
  lbp_qubo_free(&m);
  CHECK(lbp_qubo_init(&m, 2, 3, ends, whole, 0, 1) == LBP_OK && m.rounding == 0); /* 2^24 - 1: exact */
  lbp_qubo_free(&m);
}

/* ---- max-cut of edges in memory ---------------------------------------------------------------------------------- */

static void test_edges_in_memory(void) {
  static const uint32_t ends[10] = {0, 1, 2, 1, 2, 3, 1, 4, 4, 1}, loop[4] = {0, 1, 2, 2}, beyond[2] = {0, 5};
  static const double weight[5] = {1, -2, 3.5, 4, 0.25};
  lbp_qubo_terms t;
  lbp_qubo m;
  uint32_t s, e;
  uint8_t x[5];
  CHECK(lbp_qubo_max_cut(&m, 5, 5, ends, weight) == LBP_OK && m.n == 5 && m.max_degree == 3 && m.symmetric);
  CHECK(lbp_qubo_terms_max_cut(&t, 5, 5, ends, NULL) == LBP_OK && t.n == 5);
  for (s = 0; s < 32; s++) {
    double cut = 0, edges = 0;
    state_of(s, 5, x);
    for (e = 0; e < 5; e++) {
      cut += x[ends[2 * e]] != x[ends[2 * e + 1]] ? weight[e] : 0;
      edges += x[ends[2 * e]] != x[ends[2 * e + 1]];
    }
    CHECK(lbp_qubo_energy(&m, x) == -cut && lbp_qubo_terms_energy(&t, x) == -edges);
  }
  lbp_qubo_free(&m);
  lbp_qubo_terms_free(&t);
  CHECK(lbp_qubo_max_cut(&m, 3, 0, NULL, NULL) == LBP_OK && m.max_degree == 0);
  lbp_qubo_free(&m);
  CHECK(lbp_qubo_max_cut(NULL, 5, 5, ends, weight) == LBP_E_NULL);
  CHECK(lbp_qubo_terms_max_cut(NULL, 5, 5, ends, weight) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_qubo_max_cut(&m, 5, 5, NULL, weight), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_qubo_max_cut(&m, 0, 5, ends, weight), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_qubo_max_cut(&m, 5, 800000000, ends, weight), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_qubo_max_cut(&m, 3, 2, loop, weight), LBP_E_INDEX);
  CHECK_REFUSED(m, lbp_qubo_max_cut(&m, 5, 1, beyond, weight), LBP_E_INDEX);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* After many flips of a model of any numbers they are fresh ones, to the last bit. */
static void check_sparse_fields(uint32_t n, uint32_t count, double spread, uint64_t seed) {
  enum { N = 200, COUNT = 1000 };
  static uint32_t ends[2 * COUNT], site[N], near[N];
  static double value[COUNT];
  static lbp_real ratio[N];
  static uint8_t x[N];
  lbp_qubo m;
  lbp_qubo_fields f, fresh;
  uint32_t t, k, wrong = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 0);
  for (k = 0; k < count; k++) {
    ends[2 * k] = below(n, &rng);
    ends[2 * k + 1] = below(n, &rng);
    value[k] = 1e-6 * lbp_models_normal(&rng) * exp(spread * lbp_models_normal(&rng)); /* so that rounding may be */
  }
  CHECK(lbp_qubo_init(&m, n, count, ends, value, 0, n) == LBP_OK);
  CHECK(lbp_qubo_fields_init(&m, &f) == LBP_OK && lbp_qubo_fields_init(&m, &fresh) == LBP_OK);
  for (k = 0; k < n; k++) x[k] = (uint8_t)below(2, &rng);
  lbp_qubo_fields_set(&m, &f, x);
  for (t = 0; t < 20000; t++) {
    const uint32_t i = below(n, &rng);
    x[i] ^= 1;
    if (t & 1) {
      lbp_qubo_prefetch(&m, &f, x, i);
      lbp_qubo_flip(&m, &f, x, i);
      continue;
    }
    {
      const uint32_t listed = lbp_qubo_flip_list(&m, &f, x, i, site, ratio);
      wrong += listed != lbp_qubo_neighbours(&m, i, near);
      for (k = 0; k < listed; k++) {
        wrong += site[k] != near[k] || (TEST_ALIKE && ratio[k] != lbp_qubo_delta(&m, x, near[k]));
      }
    }
  }
  lbp_qubo_fields_set(&m, &fresh, x);
  CHECK(wrong == 0);
  CHECK_ALIKE(memcmp(f.slope, fresh.slope, n * sizeof *f.slope) == 0);
  CHECK_NEAR(lbp_qubo_fields_logp(&m, &f, x) / lbp_qubo_logp(&m, x), 1, IS_FLOAT ? 1e-5 : 1e-12);
  lbp_qubo_fields_free(&f);
  lbp_qubo_fields_free(&fresh);
  lbp_qubo_free(&m);
}

static void check_dense_fields(uint32_t n, uint64_t seed) {
  enum { N = 70 };
  uint32_t ends[2 * N * (N + 1) / 2], count = 0, t, i, j;
  double value[N * (N + 1) / 2];
  lbp_real kept[N], out[N];
  uint8_t x[N];
  lbp_qubo_dense m;
  lbp_qubo_dense_fields f, fresh;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 0);
  for (i = 0; i < n; i++) {
    x[i] = (uint8_t)below(2, &rng);
    for (j = i; j < n; j++, count++) {
      ends[2 * count] = j;
      ends[2 * count + 1] = i;
      value[count] = 1e-4 * lbp_models_normal(&rng) * exp(3 * lbp_models_normal(&rng));
    }
  }
  CHECK(lbp_qubo_dense_init(&m, n, count, ends, value, 2) == LBP_OK && m.stride % 16 == 0 && m.stride < n + 16);
  CHECK((uintptr_t)m.bias % 64 == 0 && (uintptr_t)m.row % 64 == 0);
  CHECK(lbp_qubo_dense_fields_init(&m, &f) == LBP_OK && lbp_qubo_dense_fields_init(&m, &fresh) == LBP_OK);
  lbp_qubo_dense_fields_set(&m, &f, x);
  for (t = 0; t < 10000; t++) {
    i = below(n, &rng);
    if (t % 7 == 0) { /* there and back */
      memcpy(kept, f.slope, n * sizeof *kept);
      lbp_qubo_dense_save(&m, &f);
      x[i] ^= 1;
      lbp_qubo_dense_flip(&m, &f, x, i);
      lbp_qubo_dense_restore(&m, &f);
      x[i] ^= 1;
      CHECK(memcmp(kept, f.slope, n * sizeof *kept) == 0);
    }
    x[i] ^= 1;
    lbp_qubo_dense_flip(&m, &f, x, i);
  }
  lbp_qubo_dense_fields_set(&m, &fresh, x);
  CHECK_ALIKE(memcmp(f.slope, fresh.slope, n * sizeof *f.slope) == 0);
  lbp_qubo_dense_deltas(&m, &f, x, out);
  for (i = 0; i < n; i++) CHECK_ALIKE(out[i] == lbp_qubo_dense_delta(&m, x, i));
  for (i = 0; i < n; i++) {
    const lbp_real *row = m.row + i * m.stride;
    for (j = 0; j < m.stride; j++) CHECK(row[j] == (j < n ? m.row[j * m.stride + i] : 0) && (i != j || row[j] == 0));
  }
  CHECK_NEAR(lbp_qubo_dense_fields_logp(&m, &f, x), lbp_qubo_dense_logp(&m, x), 1e-9);
  lbp_qubo_dense_fields_free(&f);
  lbp_qubo_dense_fields_free(&fresh);
  lbp_qubo_dense_free(&m);
}

static void test_fields(void) {
  check_sparse_fields(200, 1000, 0, 2);
  check_sparse_fields(200, 600, 3, 3);
  check_sparse_fields(9, 40, 6, 4);
  check_dense_fields(64, 5);
  check_dense_fields(70, 6);
  check_dense_fields(3, 7);
}

/* ---- what steps draw --------------------------------------------------------------------------------------------- */

#ifdef API_QUICK
enum { PATHS = 5000 };
#else
enum { PATHS = 20000 };
#endif
enum { N = 6, STATES = 1 << N, SWEEPS = 25, STEPS = 90 };

static const uint32_t law_ends[2 * 13] = {0, 0, 1, 1, 3, 3, 4, 4, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 0, 3, 2, 5, 1, 4};
static const double law_value[13] = {-1, 0.75, 0.5, -0.25, 1, -1, 0.5, 1, -0.75, 0.5, -0.5, 1, -1};
static double law[STATES];
static double room[4096];

static void check_counts(const uint32_t *seen, const char *what) {
  const double p = chi2_counts(seen, law, STATES, PATHS);
  if (p < CHI2_LEVEL) printf("%s: p = %g\n", what, p);
  CHECK(p >= CHI2_LEVEL);
}

static uint32_t number_of(const uint8_t *x) {
  uint32_t i, number = 0;
  for (i = 0; i < N; i++) number |= (uint32_t)x[i] << i;
  return number;
}

/* The state where a chain is that began with zeros, many times over: by Gibbs sweeps, by LBP steps of a random R. */
#define CHECK_LAW(NAME, chain_init, model)                                            \
  do {                                                                                \
    uint32_t seen[2][STATES] = {{0}}, path, step;                                     \
    NAME##_chain c;                                                                   \
    CHECK(NAME##_ws_len(N) <= 4096 && (chain_init) == LBP_OK);                        \
    CHECK(NAME##_check(&c, model, 200, &rng).status == LBP_OK);                       \
    for (path = 0; path < 2 * PATHS; path++) {                                        \
      memset(x, 0, sizeof x);                                                         \
      NAME##_touch(&c);                                                               \
      for (step = 0; step < SWEEPS && path < PATHS; step++) {                         \
        NAME##_gibbs_sweep(&c, model, &rng);                                          \
      }                                                                               \
      for (step = 0; step < STEPS && path >= PATHS; step++) {                         \
        NAME##_lbp_step(&c, model, NAME##_random_r((lbp_real)1.5, &rng), &rng);       \
      }                                                                               \
      seen[path >= PATHS][number_of(x)]++;                                            \
    }                                                                                 \
    check_counts(seen[0], #NAME ", Gibbs");                                           \
    check_counts(seen[1], #NAME ", LBP");                                             \
  } while (0)

static void test_law(void) {
  uint64_t *ws = (uint64_t *)(void *)room;
  lbp_qubo m;
  lbp_qubo_dense d;
  lbp_qubo_fields f;
  lbp_qubo_dense_fields g;
  uint8_t x[N] = {0};
  double sum = 0;
  uint32_t s;
  lbp_rng rng;
  lbp_rng_init(&rng, 8, 0);
  CHECK(lbp_qubo_init(&m, N, 13, law_ends, law_value, 5, MOST) == LBP_OK);
  CHECK(lbp_qubo_dense_init(&d, N, 13, law_ends, law_value, 5) == LBP_OK);
  CHECK(lbp_qubo_fields_init(&m, &f) == LBP_OK && lbp_qubo_dense_fields_init(&d, &g) == LBP_OK);
  for (s = 0; s < STATES; s++) {
    uint8_t y[N];
    double energy = 0;
    uint32_t k;
    state_of(s, N, y);
    for (k = 0; k < 13; k++) energy += law_value[k] * y[law_ends[2 * k]] * y[law_ends[2 * k + 1]];
    sum += law[s] = exp(-energy);
  }
  for (s = 0; s < STATES; s++) law[s] /= sum;
  CHECK_LAW(local, local_init(&c, N, x, ws, 4096), &m);
  CHECK_LAW(kept, kept_init(&c, N, x, &f, ws, 4096), &m);
  CHECK_LAW(dense, dense_init(&c, N, x, &g, ws, 4096), &d);
  CHECK_LAW(by_logp, by_logp_init(&c, N, x, &g, ws, 4096), &d);
  lbp_qubo_fields_free(&f);
  lbp_qubo_dense_fields_free(&g);
  lbp_qubo_free(&m);
  lbp_qubo_dense_free(&d);
}

/* ---- constructors ------------------------------------------------------------------------------------------------ */

static void test_refusals(void) {
  static const uint32_t ends[8] = {0, 0, 0, 1, 1, 2, 1, 0}, wrong[8] = {0, 0, 0, 1, 1, 3, 1, 0};
  static const uint32_t other[8] = {3, 0, 0, 1, 1, 2, 1, 0};
  double value[4] = {1, 2, 3, 4};
  lbp_qubo_terms t;
  lbp_qubo m;
  lbp_qubo_dense d;
  lbp_qubo_fields f;
  lbp_qubo_dense_fields g;
#define REFUSES(n, count, ends, value, offset, status)                              \
  do {                                                                              \
    CHECK_REFUSED(t, lbp_qubo_terms_init(&t, n, count, ends, value, offset), status); \
    CHECK_REFUSED(m, lbp_qubo_init(&m, n, count, ends, value, offset, 9), status);  \
    CHECK_REFUSED(d, lbp_qubo_dense_init(&d, n, count, ends, value, offset), status); \
  } while (0)
  REFUSES(3, 4, NULL, value, 0, LBP_E_NULL);
  REFUSES(3, 4, ends, NULL, 0, LBP_E_NULL);
  REFUSES(0, 4, ends, value, 0, LBP_E_SIZE);
  REFUSES(1u << 31, 4, ends, value, 0, LBP_E_SIZE);
  REFUSES(3, 1u << 31, ends, value, 0, LBP_E_SIZE);
  REFUSES(3, 4, wrong, value, 0, LBP_E_INDEX);
  REFUSES(3, 4, other, value, 0, LBP_E_INDEX);
  REFUSES(3, 4, ends, value, infinity, LBP_E_NOT_FINITE);
  REFUSES(3, 4, ends, value, -2e12, LBP_E_RANGE);
  value[3] = not_a_number();
  REFUSES(3, 4, ends, value, 0, LBP_E_NOT_FINITE);
  value[3] = 1.5e12;
  REFUSES(3, 4, ends, value, 0, LBP_E_RANGE);
  value[1] = value[3] = 6e11; /* of one pair */
  REFUSES(3, 4, ends, value, 0, LBP_E_RANGE);
  value[3] = -6e11;
  CHECK(lbp_qubo_terms_init(NULL, 3, 4, ends, value, 0) == LBP_E_NULL);
  CHECK(lbp_qubo_init(NULL, 3, 4, ends, value, 0, 9) == LBP_E_NULL);
  CHECK(lbp_qubo_dense_init(NULL, 3, 4, ends, value, 0) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_qubo_init(&m, 3, 4, ends, value, 0, 0), LBP_E_RANGE);
  CHECK(lbp_qubo_init(&m, 3, 4, ends, value, 0, 1) == LBP_OK && m.max_degree == 1); /* 0 and 1 have cancelled */
  lbp_qubo_free(&m);
  CHECK_REFUSED(d, lbp_qubo_dense_init(&d, 46400, 4, ends, value, 0), LBP_E_SIZE);
  CHECK_REFUSED(d, lbp_qubo_dense_random(&d, 46400, 0.1, 1, 1), LBP_E_SIZE);
  CHECK(lbp_qubo_init(&m, 3, 0, NULL, NULL, -2, 0) == LBP_OK && m.max_degree == 0);
  CHECK(lbp_qubo_dense_init(&d, 3, 0, NULL, NULL, -2) == LBP_OK);
  {
    uint8_t x[3] = {1, 0, 1};
    CHECK(lbp_qubo_energy(&m, x) == -2 && lbp_qubo_dense_energy(&d, x) == -2 && lbp_qubo_delta(&m, x, 2) == 0);
  }
  CHECK(lbp_qubo_fields_init(&m, NULL) == LBP_E_NULL && lbp_qubo_fields_init(NULL, &f) == LBP_E_NULL);
  CHECK(lbp_qubo_dense_fields_init(&d, NULL) == LBP_E_NULL && lbp_qubo_dense_fields_init(NULL, &g) == LBP_E_NULL);
  lbp_qubo_free(&m);
  lbp_qubo_dense_free(&d);
  CHECK(is_zeroed(&m, sizeof m) && is_zeroed(&d, sizeof d));
  CHECK(lbp_qubo_fields_init(&m, &f) == LBP_E_NULL && lbp_qubo_dense_fields_init(&d, &g) == LBP_E_NULL);
  lbp_qubo_free(NULL);
  lbp_qubo_terms_free(NULL);
  lbp_qubo_dense_free(NULL);
  lbp_qubo_fields_free(NULL);
  lbp_qubo_dense_fields_free(NULL);
}

/* As many terms as the density says, within six standard deviations; values all alike; the same seed, the same. */
static void test_random(void) {
  static const double density[4] = {1, 0.5, 0.02, 0.0005};
  lbp_qubo_terms t, again;
  lbp_qubo m;
  lbp_qubo_dense d;
  uint32_t k, c, count[7] = {0};
  for (c = 0; c < 4; c++) {
    const uint32_t n = 400;
    const double all = n * (n + 1) / 2.0, mean = all * density[c] * 200 / 201; /* a value 0 is none */
    double row = 0;
    CHECK(lbp_qubo_terms_random(&t, n, density[c], 100, c) == LBP_OK && t.n == n && t.offset == 0);
    CHECK(lbp_qubo_terms_random(&again, n, density[c], 100, c) == LBP_OK && again.count == t.count);
    CHECK_NEAR(t.count, mean, 6 * sqrt(mean * (1 - mean / all)));
    CHECK(memcmp(t.ends, again.ends, 2 * t.count * sizeof *t.ends) == 0);
    CHECK(memcmp(t.value, again.value, t.count * sizeof *t.value) == 0);
    for (k = 0; k < t.count; k++) row += t.ends[2 * k] + t.ends[2 * k + 1]; /* uniform: means of (n - 1) / 3, 2 / 3 n */
    CHECK_NEAR(row / t.count, n - 1, 6 * n * sqrt(1 / 9.0 / t.count));
    lbp_qubo_terms_free(&t);
    lbp_qubo_terms_free(&again);
  }
  CHECK(lbp_qubo_terms_random(&t, 300, 1, 3, 9) == LBP_OK);
  for (k = 0; k < t.count; k++) count[(int)t.value[k] + 3]++;
  for (k = 0; k < 7; k++) CHECK_NEAR(count[k], k == 3 ? 0 : 45150 / 7.0, k == 3 ? 0 : 6 * sqrt(45150 / 7.0));
  lbp_qubo_terms_free(&t);
  CHECK(lbp_qubo_random(&m, 50, 0.3, 10, 2) == LBP_OK && lbp_qubo_dense_random(&d, 50, 0.3, 10, 2) == LBP_OK);
  CHECK(m.n == 50 && d.n == 50 && m.max_degree > 5 && m.max_degree < 30);
  for (k = 0; k < m.terms.count; k++) {
    const uint32_t i = m.terms.ends[2 * k], j = m.terms.ends[2 * k + 1];
    CHECK((i == j ? d.bias[i] : d.row[i * d.stride + j]) == -(lbp_real)m.terms.value[k]);
  }
  lbp_qubo_free(&m);
  lbp_qubo_dense_free(&d);
  CHECK(lbp_qubo_terms_random(NULL, 5, 0.5, 1, 1) == LBP_E_NULL && lbp_qubo_random(NULL, 5, 0.5, 1, 1) == LBP_E_NULL);
  CHECK(lbp_qubo_dense_random(NULL, 5, 0.5, 1, 1) == LBP_E_NULL);
  CHECK_REFUSED(t, lbp_qubo_terms_random(&t, 0, 0.5, 1, 1), LBP_E_SIZE);
  CHECK_REFUSED(t, lbp_qubo_terms_random(&t, 5, 0, 1, 1), LBP_E_RANGE);
  CHECK_REFUSED(t, lbp_qubo_terms_random(&t, 5, 1.1, 1, 1), LBP_E_RANGE);
  CHECK_REFUSED(t, lbp_qubo_terms_random(&t, 5, not_a_number(), 1, 1), LBP_E_NOT_FINITE);
  CHECK_REFUSED(m, lbp_qubo_random(&m, 5, 0.5, 0, 1), LBP_E_RANGE);
  CHECK_REFUSED(d, lbp_qubo_dense_random(&d, 5, 0.5, 1000000001, 1), LBP_E_RANGE);
  CHECK(lbp_qubo_terms_random(&t, 1000000, 1e-30, 1, 1) == LBP_OK && t.count == 0);
  lbp_qubo_terms_free(&t);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

enum { G = LBP_QUBO_GUESS, T = LBP_QUBO_TERMS, C = LBP_QUBO_MAX_CUT, S = LBP_QUBO_SPARSE };

/* Reads text in pieces of so many bytes. */
static int parse(lbp_qubo_terms *t, const char *text, size_t length, int format, size_t piece, lbp_qubo_fault *fault) {
  lbp_qubo_reader r;
  size_t at;
  int status = lbp_qubo_begin(&r, format);
  for (at = 0; at < length && status == LBP_OK; at += piece) {
    status = lbp_qubo_feed(&r, text + at, length - at < piece ? length - at : piece);
  }
  status = lbp_qubo_end(&r, t);
  CHECK(!r.list.term);
  *fault = r.fault;
  return status;
}

/* terms: "i j value" each. */
static void check_offset(const char *text, int format, uint32_t n, const char *terms, double offset) {
  static const size_t piece[4] = {1, 2, 7, 4096};
  lbp_qubo_fault fault;
  lbp_qubo_terms t;
  char *at;
  size_t p;
  uint32_t k;
  for (p = 0; p < 4; p++) {
    CHECK(parse(&t, text, strlen(text), format, piece[p], &fault) == LBP_OK && !fault.what && fault.line == 0);
    if (fault.what) printf("%s: %s\n", text, fault.what);
    CHECK(t.n == n && t.offset == offset);
    at = (char *)(uintptr_t)terms;
    for (k = 0; k < t.count; k++) {
      CHECK(t.ends[2 * k] == strtoul(at, &at, 10) && t.ends[2 * k + 1] == strtoul(at, &at, 10));
      CHECK(t.value[k] == strtod(at, &at));
    }
    CHECK(*at == '\0');
    lbp_qubo_terms_free(&t);
    CHECK(is_zeroed(&t, sizeof t));
  }
}

static void check_good(const char *text, int format, uint32_t n, const char *terms) {
  check_offset(text, format, n, terms, 0);
}

static void check_bad(const char *text, size_t length, int format, int status, uint64_t line, const char *what) {
  static const size_t piece[3] = {1, 5, 4096};
  lbp_qubo_fault fault;
  lbp_qubo_terms t;
  size_t p;
  for (p = 0; p < 3; p++) {
    memset(&t, 0xa5, sizeof t);
    CHECK(parse(&t, text, length, format, piece[p], &fault) == status);
    CHECK(is_zeroed(&t, sizeof t) && fault.line == line && fault.what && strstr(fault.what, what));
    if (!fault.what || !strstr(fault.what, what) || fault.line != line) {
      printf("%s: %lu: %s\n", text, (unsigned long)fault.line, fault.what ? fault.what : "nothing");
    }
  }
}

static void test_good_files(void) {
  check_good("0 0 -1\n0 1 2.5\n2 1 3\n", G, 3, "0 0 -1 0 1 2.5 1 2 3");
  check_good("0 1 2.5\n0 0 -1\n2 1 3", T, 3, "0 0 -1 0 1 2.5 1 2 3");
  check_good("# a\nc b\n\n  c 1 2\n 3\t0  1e2 \r\n#\n0 3 .5\r\n0 3 -1.\n1 1 0\n", G, 4, "0 3 99.5");
  check_good("c a 1 2\np qubo 0 5 2 1\nc b\n0 0 1\n4 4 -1\n0 4 7\n", G, 5, "0 0 1 0 4 7 4 4 -1");
  check_good("p qubo unconstrained 5 0 2\n4 0 1\n0 4 7", T, 5, "0 4 8");
  check_good("p qubo 0 7 0 0\n", G, 7, "");
  check_good("2 2 0\n", T, 3, "");
  check_good("3 2\n1 2\n2 3 -2.5\n", G, 3, "0 0 -1 0 1 2 1 1 1.5 1 2 -5 2 2 2.5");
  check_good("# a\n\n3 2\r\n2 1 1\r\n\n3 2 1\r\n", C, 3, "0 0 -1 0 1 2 1 1 -2 1 2 2 2 2 -1");
  check_good("4 1\n1 2 0\n", G, 4, "");
  check_good("4 0", G, 4, "");
  check_good("2 1\n2 1 +3", C, 2, "0 0 -3 0 1 6 1 1 -3");
  check_good("3 3\n1 1 -2\n1 2 5\n3 2 -4\n", S, 3, "0 0 -2 0 1 10 1 2 -8");
  check_good("3 2\n1 2 5\n2 3 -4\n", S, 3, "0 1 10 1 2 -8");
  check_good("3 3 1\n1 1 1\n", T, 4, "1 1 1 3 3 1"); /* no head, where terms are asked for */
}

/* What comments say. Energies of spins are those of dimod. */
static void test_comments(void) {
  check_good("# vartype=BINARY\n0 1 2\n", G, 2, "0 1 2");
  check_good("# a vartype of any kind\n0 1 2\n", G, 2, "0 1 2");
  check_offset("# vartype=SPIN\n0 1 2\n", G, 2, "0 0 -4 0 1 8 1 1 -4", 2);
  check_offset("#a: Vartype.SPIN, vartype: SPIN\r\n0 1 2\n1 0 1\n1 1 3\n2 2 -1", T, 3, "0 0 -6 0 1 12 2 2 -2", 1);
  check_offset("0 1 2\n# vartype=spin", G, 2, "0 0 -4 0 1 8 1 1 -4", 2);
  check_offset("# VARTYPE=SPIN\n0 1 2\n", G, 2, "0 0 -4 0 1 8 1 1 -4", 2);
  check_offset("# Vartype: Spin\n0 1 2\n", T, 2, "0 0 -4 0 1 8 1 1 -4", 2);
  check_good("# VarType=Binary\n0 1 2\n", G, 2, "0 1 2");
  check_good("# min x^T Q x, Q symmetric\n3 2\n1 2 5\n2 3 -4\n", G, 3, "0 1 10 1 2 -8");
  check_good("c Minimise\nc y'Ay\n# min: y'Ay\n2 1\n2 2 5", G, 2, "1 1 5");
  check_good("# max sum w_ij (1 - x_i x_j) / 2\n2 1\n1 2\n", G, 2, "0 0 -1 0 1 2 1 1 -1");
  check_good("# max x'Qx\n2 1\n1 2\n", C, 2, "0 0 -1 0 1 2 1 1 -1");
  check_good("# max x'Qx\n0 1 5\n", T, 2, "0 1 5");
  check_good("# min x'Qx\n0 1 5\n", G, 2, "0 1 5");
  check_good("# max x'Qx\n2 1\n1 2 3\n", S, 2, "0 1 6");
}

/* A file of ../shared/cases has this minimum. */
static void test_minimum(const char *text, int format, double want) {
  lbp_qubo_fault fault;
  lbp_qubo_terms t;
  double least = HUGE_VAL;
  uint32_t k, i;
  CHECK(parse(&t, text, strlen(text), format, 4096, &fault) == LBP_OK && t.n < 8);
  for (k = 0; k < 1u << t.n; k++) {
    uint8_t x[8];
    for (i = 0; i < t.n; i++) x[i] = k >> i & 1;
    least = fmin(least, lbp_qubo_terms_energy(&t, x));
  }
  CHECK(least == want);
  lbp_qubo_terms_free(&t);
}

static void test_minima(void) {
  test_minimum("# vartype=SPIN\n0 1 1.000000\n0 2 1.000000\n0 3 1.000000\n1 2 1.0\n1 3 1.0\n2 3 1.0\n", G, -2);
  test_minimum("3 3\n1 1 -2\n1 2 5\n2 3 -4\n", S, -8);
  test_minimum("# min x^T Q x, Q symmetric\n3 2\n1 2 5\n2 3 -4\n", G, -8);
  test_minimum("3 2\n1 2 5\n2 3 -4\n", G, -5);
}

static void test_numbers(void) {
  static const char *const good[] = {"0.1", "+0.1", "-2.5E+3", ".5", "5.", "1e-3", "123456789.123456789", "1e-400",
    "0.1000000000000000055511151231257827021181583404541015625", "00000.00000000000000000001e31", "-1000000e6", "1e12",
    "9007199254740993e-5", "3.14159265358979323846264338327950288419716939937510582097494"};
  static const char *const bad[] = {"x", "-", "+", ".", "1e", "1e+", "e5", "1.2.3", "0x10", "1,5", "--1", "1e5.0", "1f",
    "-.e1", "1d5", "1e5x", "1ex"};
  static const char *const endless[] = {"nan", "-inf", "NaN", "+Infinity", "INF", "nan(0)"};
  char line[128];
  lbp_qubo_fault fault;
  lbp_qubo_terms t;
  size_t k;
  points = 0;
  for (k = 0; k < sizeof good / sizeof *good; k++) {
    snprintf(line, sizeof line, "0 0 %s\n1 1 1\n", good[k]);
    CHECK(parse(&t, line, strlen(line), G, 3, &fault) == LBP_OK);
    CHECK(t.count == 1 + (strtod(good[k], NULL) != 0) && t.value[0] == (t.count == 2 ? strtod(good[k], NULL) : 1));
    lbp_qubo_terms_free(&t);
  }
  CHECK(points == 0);
  for (k = 0; k < sizeof bad / sizeof *bad; k++) {
    snprintf(line, sizeof line, "0 0 1\n0 1 %s\n", bad[k]);
    check_bad(line, strlen(line), G, LBP_E_FORMAT, 2, "not a number");
    snprintf(line, sizeof line, "2 1\n1 2 %s\n", bad[k]);
    check_bad(line, strlen(line), G, LBP_E_FORMAT, 2, "not a number");
  }
  for (k = 0; k < sizeof endless / sizeof *endless; k++) {
    snprintf(line, sizeof line, "0 0 1\n0 1 %s\n", endless[k]);
    check_bad(line, strlen(line), T, LBP_E_NOT_FINITE, 2, "NaN or infinite");
  }
}

static void test_bad_files(void) {
  static const struct {
    const char *text;
    int format, status;
    uint64_t line;
    const char *what;
  } bad[] = {
    {"", G, LBP_E_FORMAT, 1, "empty"}, {" \n\n", G, LBP_E_FORMAT, 3, "empty"}, {"c\n# a", T, LBP_E_FORMAT, 2, "empty"},
    {"", C, LBP_E_FORMAT, 1, "empty"},
    {"0 0 1\n0 1\n", G, LBP_E_FORMAT, 2, "fewer than three"}, {"0 0 1\n0 1", G, LBP_E_FORMAT, 2, "fewer than three"},
    {"0\n", G, LBP_E_FORMAT, 1, "fewer than three"}, {"3 1\n1 2 1\n", T, LBP_E_FORMAT, 1, "fewer than three"},
    {"0 0 1 1\n", G, LBP_E_FORMAT, 1, "more than three"}, {"0 0 1 # a\n", G, LBP_E_FORMAT, 1, "more than three"},
    {"0 0 1 2 3 4 5", G, LBP_E_FORMAT, 1, "more than six"},
    {"\n0 a 1\n", G, LBP_E_FORMAT, 2, "not a whole number: sites are 0"},
    {"0 -1 1\n", G, LBP_E_FORMAT, 1, "not a whole number: sites are 0"},
    {"0 1.0 1\n", G, LBP_E_FORMAT, 1, "not a whole number: sites are 0"},
    {"0 1 1\n0 2147483647 1\n", G, LBP_E_SIZE, 2, "not below 2^31 - 1"},
    {"0 99999999999999999999999999 1\n", G, LBP_E_SIZE, 1, "not below 2^31 - 1"},
    {"18446744073709551616 0 1\n", G, LBP_E_SIZE, 1, "not below 2^31 - 1"},
    {"0 0 1000000000001", G, LBP_E_RANGE, 1, "beyond 1e12"}, {"0 0 -1e999999999999", G, LBP_E_RANGE, 1, "beyond 1e12"},
    {"0 1 9e11\n0 0 1\n1 0 9e11\n2 2 1\n", G, LBP_E_RANGE, 3, "add up to"},
    {"2 1\n1 2 6e11\n", G, LBP_E_RANGE, 2, "add up to"},
    {"p qubo 0 2 1\n0 0 1\n", G, LBP_E_FORMAT, 1, "p line must be"}, {"p qubo", G, LBP_E_FORMAT, 1, "p line must be"},
    {"p cnf 0 2 1 1\n", G, LBP_E_FORMAT, 1, "p line must be"}, {"p", G, LBP_E_FORMAT, 1, "p line must be"},
    {"p qubo 0 2 1 1 1\n", G, LBP_E_FORMAT, 1, "more than six"},
    {"p qubo chimera128 2 1 1\n", G, LBP_E_FORMAT, 1, "topology"},
    {"p qubo 0 x 1 1\n", G, LBP_E_FORMAT, 1, "no whole number for"},
    {"p qubo 0 2 1 -1\n", G, LBP_E_FORMAT, 1, "no whole number for"},
    {"p qubo 0 0 0 0\n", G, LBP_E_SIZE, 1, "not 1 to"}, {"p qubo 0 2147483648 0 0\n", G, LBP_E_SIZE, 1, "not 1 to"},
    {"p qubo 0 2 0 1\np qubo 0 2 0 1\n", G, LBP_E_FORMAT, 2, "second p line"},
    {"0 1 1\np qubo 0 2 0 1\n", G, LBP_E_FORMAT, 2, "comes after terms"},
    {"p qubo 0 2 1 1\n0 0 1\n0 2 1\n", G, LBP_E_INDEX, 3, "p line says"},
    {"p qubo 0 2 1 1\n0 0 1\n1 1 1\n", G, LBP_E_FORMAT, 3, "more diagonals"},
    {"p qubo 0 2 1 1\n0 1 1\n1 0 1\n", G, LBP_E_FORMAT, 3, "more elements"},
    {"p qubo 0 2 1 1\n0 1 1\n", G, LBP_E_FORMAT, 3, "fewer diagonals"},
    {"p qubo 0 2 1 1\n0 0 1", G, LBP_E_FORMAT, 2, "fewer elements"},
    {"p qubo 0 2 1 1\n0 0 1\n0 1", G, LBP_E_FORMAT, 3, "fewer than three"},
    {"3 x\n1 2\n", G, LBP_E_FORMAT, 1, "first line is not"}, {"-3 1\n1 2\n", G, LBP_E_FORMAT, 1, "first line is not"},
    {"3\n1 2\n", C, LBP_E_FORMAT, 1, "first line is not"}, {"3 1 1\n1 2\n", C, LBP_E_FORMAT, 1, "first line is not"},
    {"0 0\n", G, LBP_E_SIZE, 1, "not 1 to"}, {"4294967297 1\n1 2\n", G, LBP_E_SIZE, 1, "not 1 to"},
    {"3 2\n1 2\n", G, LBP_E_FORMAT, 3, "fewer edges"}, {"3 2\n1 2 1\n2", G, LBP_E_FORMAT, 3, "one number"},
    {"3 1\n1 2\n2 3\n", G, LBP_E_FORMAT, 3, "more edges"},
    {"3 1\n1 2 1 1\n", G, LBP_E_FORMAT, 2, "more than two sites"},
    {"3 1\n1 4\n", G, LBP_E_INDEX, 2, "not 1 to the number"}, {"3 1\n0 1\n", G, LBP_E_INDEX, 2, "not 1 to the number"},
    {"3 1\n1 99999999999999999999 1\n", G, LBP_E_INDEX, 2, "not 1 to the number"},
    {"3 1\n1 b\n", G, LBP_E_FORMAT, 2, "not a whole number: sites are 1"},
    {"3 1\n2 2\n", C, LBP_E_INDEX, 2, "to itself"},
    {"3 3\n1 1 -2\n1 2 5\n2 3 -4\n", G, LBP_E_INDEX, 2, "Biq Mac's .sparse files, pass LBP_QUBO_SPARSE"},
    {"# max x'Qx\n3 1\n1 2 5\n", G, LBP_E_FORMAT, 2, "negate all values"},
    {"# x' Q x\n3 1\n1 2 5\n", G, LBP_E_FORMAT, 2, "does not say that it is to be minimised"},
    {"# max or min x' Q x\n3 1\n1 2 5\n", G, LBP_E_FORMAT, 2, "does not say that it is to be minimised"},
    {"3 1\n# min x' Q x\n1 2 5\n", G, LBP_E_FORMAT, 4, "not a max-cut"},
    {"3 2\n1 2 5\n2 1 5\n", S, LBP_E_FORMAT, 3, "occurs twice"},
    {"3 2\n1 1 5\n1 1 5\n", S, LBP_E_FORMAT, 3, "occurs twice"},
    {"3 2\n1 2\n2 1 5\n", S, LBP_E_FORMAT, 2, "three numbers"},
    {"3 2\n1 2 5\n", S, LBP_E_FORMAT, 3, "fewer edges or lines"},
    {"3 2\n0 2 5\n", S, LBP_E_INDEX, 2, "not 1 to the number"}, {"3\n", S, LBP_E_FORMAT, 1, "first line is not"},
    {"# vartype=SPIN\n3 1\n1 2\n", G, LBP_E_FORMAT, 2, "vartype=SPIN"},
    {"# vartype=SPIN\n3 1\n1 2 1\n", S, LBP_E_FORMAT, 2, "vartype=SPIN"},
    {"# vartype=SPIN\np qubo 0 2 1 1\n0 0 1\n0 1 1\n", G, LBP_E_FORMAT, 2, "vartype=SPIN"},
    {"# max x'Qx\n0 1 5\n", G, LBP_E_FORMAT, 3, "negate all values"},
    {"# max x'Qx, not min\n0 1 5", G, LBP_E_FORMAT, 2, "negate all values"},
    {"3 1\n# vartype=SPIN\n1 2\n", G, LBP_E_FORMAT, 2, "vartype=SPIN"},
    {"3 1\n1 2\n# vartype=SPIN", G, LBP_E_FORMAT, 3, "vartype=SPIN"},
    {"3 1\n1 2 1\n# vartype=SPIN\n", S, LBP_E_FORMAT, 3, "vartype=SPIN"},
    {"p qubo 0 2 1 1\n# vartype=SPIN\n0 0 1\n0 1 1\n", G, LBP_E_FORMAT, 2, "vartype=SPIN"},
    {"# vartype=SPIN\n# vartype=BINARY\n0 1 1\n", G, LBP_E_FORMAT, 2, "both"},
    {"0 1 1\n# vartype=INTEGER", T, LBP_E_FORMAT, 2, "neither SPIN nor BINARY"},
    {"0 1 1\n# VARTYPE=A SPIN", T, LBP_E_FORMAT, 2, "neither SPIN nor BINARY"},
    {"# vartype=SPIN\n0 1 3e11\n", G, LBP_E_RANGE, 2, "add up to"},
    {"# vartype=SPIN\n0 1 2e11\n2 3 2e11\n4 5 2e11\n6 7 2e11\n8 9 2e11\n10 11 2e11\n", G, LBP_E_RANGE, 7, "offset"},
    {"%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n2 1 5\n", G, LBP_E_FORMAT, 1, "Matrix Market"},
    {"3 3 2\n2 1 5\n3 3 1\n", G, LBP_E_FORMAT, 1, "rows, columns and lines"},
    {"p edge 3 2\ne 1 2\n", G, LBP_E_FORMAT, 1, "p edge, p col, p cnf"},
    {"4 4\n1 2\n2 3\n1 2\n3 2\n", G, LBP_E_FORMAT, 4, "occurs twice"},
    {"4 5\n4 3\n1 2\n2 3\n2 1\n3 4\n", G, LBP_E_FORMAT, 5, "occurs twice"},
    {"2 3\n1 2 0\n1 2 0\n1 2 0\n", G, LBP_E_FORMAT, 3, "occurs twice"},
    {"2 1\n1 2 1e13\n", G, LBP_E_RANGE, 2, "beyond 1e12: divide"},
    {"2 1\n1 2 nan\n", G, LBP_E_NOT_FINITE, 2, "NaN"},
    {"\xef\xbb\xbf" "0 0 1\n", G, LBP_E_FORMAT, 1, "not a letter"}, {"\x1f\x8b\x08", G, LBP_E_FORMAT, 1, "not a letter"},
    {"0 0 1\n0 1 \x7f\n", G, LBP_E_FORMAT, 2, "not a letter"}};
  lbp_qubo_reader r;
  lbp_qubo_terms t;
  size_t k;
  for (k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    check_bad(bad[k].text, strlen(bad[k].text), bad[k].format, bad[k].status, bad[k].line, bad[k].what);
  }
  check_bad("0 0 1\0002\n", 8, G, LBP_E_FORMAT, 1, "not a letter");
  CHECK(lbp_qubo_begin(NULL, G) == LBP_E_NULL && lbp_qubo_begin(&r, -1) == LBP_E_RANGE);
  CHECK(lbp_qubo_begin(&r, 4) == LBP_E_RANGE && lbp_qubo_feed(&r, "0 0 1\n", 6) == LBP_E_RANGE);
  CHECK(lbp_qubo_end(&r, &t) == LBP_E_RANGE && lbp_qubo_end(&r, NULL) == LBP_E_NULL);
  CHECK(lbp_qubo_end(NULL, &t) == LBP_E_NULL && is_zeroed(&t, sizeof t));
  CHECK(lbp_qubo_read(NULL, stdin, G, NULL) == LBP_E_NULL && lbp_qubo_read(&t, NULL, G, NULL) == LBP_E_NULL);
}

/* Lines of megabytes take no memory: comments and blanks are passed over, words refused at once. */
static void test_long_lines(void) {
  static const char begin[3][4] = {"#", "0 0", "0 0"};
  lbp_qubo_reader r;
  lbp_qubo_terms t;
  char many[4096];
  int k, which;
  for (which = 0; which < 2; which++) {
    CHECK(lbp_qubo_begin(&r, G) == LBP_OK && lbp_qubo_feed(&r, begin[which], strlen(begin[which])) == LBP_OK);
    memset(many, which ? ' ' : '7', sizeof many);
    for (k = 0; k < 2000; k++) CHECK(lbp_qubo_feed(&r, many, sizeof many) == LBP_OK);
    CHECK(lbp_qubo_feed(&r, which ? "5\n" : "\n0 0 5\n", which ? 2 : 7) == LBP_OK);
    CHECK(r.list.room <= 256 && lbp_qubo_end(&r, &t) == LBP_OK && t.count == 1 && t.value[0] == 5);
    lbp_qubo_terms_free(&t);
  }
  memset(many, '7', sizeof many);
  CHECK(lbp_qubo_begin(&r, G) == LBP_OK && lbp_qubo_feed(&r, "1 1 1\n0 ", 8) == LBP_OK);
  CHECK(lbp_qubo_feed(&r, many, 63) == LBP_OK && lbp_qubo_feed(&r, many, sizeof many) == LBP_E_FORMAT);
  CHECK(r.fault.line == 2 && strstr(r.fault.what, "63 characters") && !r.list.term);
  CHECK(lbp_qubo_end(&r, &t) == LBP_E_FORMAT && is_zeroed(&t, sizeof t));
}

static void test_file(void) {
  lbp_qubo_fault fault;
  lbp_qubo_terms t;
  FILE *file = tmpfile();
  int k;
  CHECK(file != NULL);
  if (!file) return;
  fprintf(file, "1000 1000\n");
  for (k = 1; k < 1000; k++) fprintf(file, "%d %d\n", k + 1, k);
  rewind(file);
  CHECK(lbp_qubo_read(&t, file, G, &fault) == LBP_E_FORMAT && fault.line == 1001 && strstr(fault.what, "fewer edges"));
  rewind(file);
  CHECK(lbp_qubo_read(&t, file, G, NULL) == LBP_E_FORMAT && is_zeroed(&t, sizeof t));
  rewind(file);
  CHECK(lbp_qubo_read(&t, file, 7, &fault) == LBP_E_RANGE && fault.what);
  fseek(file, 0, SEEK_END);
  fputs("1 1000 -1", file);
  rewind(file);
  CHECK(lbp_qubo_read(&t, file, G, &fault) == LBP_OK && !fault.what && t.n == 1000 && t.count == 1998);
  CHECK(t.ends && t.ends[0] == 0 && t.ends[1] == 1 && t.ends[3] == 999 && t.value[1] == -2); /* site 0's cancel */
  lbp_qubo_terms_free(&t);
  fclose(file);
#if !defined _WIN32 /* Wine has one that can be read */
  file = fopen("/dev/null", "w"); /* where there is one, it cannot be read */
  if (!file) return;
  CHECK(lbp_qubo_read(&t, file, G, &fault) == LBP_E_FILE && fault.what && is_zeroed(&t, sizeof t));
  fclose(file);
#endif
}

/* -E is the weight of the edges between zeros and ones. */
static void test_cuts(void) {
  char text[1024];
  uint32_t trial, i, j, s;
  lbp_rng rng;
  lbp_rng_init(&rng, 12, 0);
  for (trial = 0; trial < 20; trial++) {
    const uint32_t n = 2 + below(7, &rng);
    double weight[8][8] = {{0}};
    uint32_t edges = 0;
    size_t length;
    lbp_qubo_terms t;
    lbp_qubo_fault fault;
    for (i = 0; i < n; i++) {
      for (j = 0; j < i; j++) weight[i][j] = below(2, &rng) ? 0 : (double)below(9, &rng) - 3;
      for (j = 0; j < i; j++) edges += weight[i][j] != 0;
    }
    length = (size_t)sprintf(text, "%u %u\n", n, edges);
    for (i = 0; i < n; i++) {
      for (j = 0; j < i; j++) {
        if (weight[i][j] == 1) length += (size_t)sprintf(text + length, "%u %u\n", i + 1, j + 1);
        else if (weight[i][j] != 0) length += (size_t)sprintf(text + length, "%u %u %g\n", j + 1, i + 1, weight[i][j]);
      }
    }
    CHECK(parse(&t, text, length, G, 17, &fault) == LBP_OK && t.n == n);
    for (s = 0; s < 1u << n && t.n == n; s++) {
      uint8_t x[32];
      double cut = 0;
      state_of(s, n, x);
      for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) cut += x[i] != x[j] ? weight[i][j] : 0;
      }
      CHECK(lbp_qubo_terms_energy(&t, x) == -cut);
    }
    lbp_qubo_terms_free(&t);
  }
}

int main(void) {
  test_refusals();
  test_good_files();
  test_comments();
  test_minima();
  test_numbers();
  test_bad_files();
  test_long_lines();
  test_file();
  test_cuts();
  test_random();
  test_large_values();
  test_two_scales();
  test_edges_in_memory();
  test_all_states();
  test_fields();
  test_law();
  return test_report();
}
