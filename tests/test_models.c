/* test_models.c - lbp_models.h, and the readers of bench/ and examples/ that feed it. Compile it twice: as it is, and
 * with -DLBP_MODELS_REAL=double. Needs no data set and leaves no file behind. */
#include "../bench/common/instances.h"
#include "../examples/ebm/idx.h"
#include "models.h"

#define TOLERANCE (IS_FLOAT ? 1e-5 : 1e-12) /* of a log-ratio of order 1 */

static void random_state(uint8_t *x, uint32_t n, lbp_rng *rng) {
  uint32_t i;
  for (i = 0; i < n; i++) x[i] = (uint8_t)(lbp_rng_u64(rng) >> 63);
}

/* ---- local models, seen through one interface -------------------------------------------------------------------- */

enum { MOST_SITES = 1024 };

typedef struct {
  const void *model;
  uint32_t n, max_neighbours;
  double (*logp)(const void *, const uint8_t *);
  double (*delta)(const void *, const uint8_t *, uint32_t);
  uint32_t (*neighbours)(const void *, uint32_t, uint32_t *);
} local_model;

#define LOCAL(kind)                                                                              \
  static double kind##_logp(const void *m, const uint8_t *x) {                                   \
    return lbp_##kind##_logp((const lbp_##kind *)m, x);                                          \
  }                                                                                              \
  static double kind##_delta(const void *m, const uint8_t *x, uint32_t i) {                      \
    return (double)lbp_##kind##_delta((const lbp_##kind *)m, x, i);                              \
  }                                                                                              \
  static uint32_t kind##_neighbours(const void *m, uint32_t i, uint32_t *out) {                  \
    return lbp_##kind##_neighbours((const lbp_##kind *)m, i, out);                               \
  }                                                                                              \
  static local_model kind##_local(const lbp_##kind *m, uint32_t max_neighbours) {                \
    local_model l;                                                                               \
    l.model = m;                                                                                 \
    l.n = m->n;                                                                                  \
    l.max_neighbours = max_neighbours;                                                           \
    l.logp = kind##_logp;                                                                        \
    l.delta = kind##_delta;                                                                      \
    l.neighbours = kind##_neighbours;                                                            \
    return l;                                                                                    \
  }

LOCAL(bernoulli)
LOCAL(ising)
LOCAL(graph)
LOCAL(fhmm)

/* Every log-ratio equals the difference of log densities. */
static void check_deltas(local_model l, double scale, lbp_rng *rng) {
  uint8_t x[MOST_SITES];
  double worst = 0.0;
  uint32_t i, round;
  for (round = 0; round < 4; round++) {
    random_state(x, l.n, rng);
    for (i = 0; i < l.n; i++) {
      const double delta = l.delta(l.model, x, i), before = l.logp(l.model, x);
      double gap;
      x[i] ^= 1;
      gap = fabs(l.logp(l.model, x) - before - delta);
      if (!(gap <= worst)) worst = gap;
    }
  }
  CHECK_NEAR(worst, 0, scale * TOLERANCE);
}

/* The list of i holds exactly the other sites whose log-ratio changes with x_i. */
static void check_neighbours(local_model l, lbp_rng *rng) {
  uint8_t x[MOST_SITES], listed[MOST_SITES];
  uint32_t list[MOST_SITES], i, j, k;
  int wrong = 0;
  for (i = 0; i < l.n; i++) {
    const uint32_t count = l.neighbours(l.model, i, list);
    memset(listed, 0, l.n);
    wrong += count > l.max_neighbours;
    for (k = 0; k < count; k++) {
      wrong += list[k] >= l.n || list[k] == i || listed[list[k] % l.n];
      listed[list[k] % l.n] = 1;
    }
    random_state(x, l.n, rng);
    for (j = 0; j < l.n; j++) {
      const double before = l.delta(l.model, x, j);
      double gap;
      x[i] ^= 1;
      gap = fabs(l.delta(l.model, x, j) - before);
      if (j != i) wrong += listed[j] ? !(gap > 0.0) : gap > (TEST_ALIKE ? 0.0 : 1e-5);
    }
  }
  CHECK(wrong == 0);
}

/* ---- local models with fields ------------------------------------------------------------------------------------ */

static lbp_real ising_kept_logp(const lbp_ising *m, const lbp_ising_fields *f, const uint8_t *x) {
  (void)f;
  return (lbp_real)lbp_ising_logp(m, x);
}

#define LBP_NAME           ising_kept
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_FIELDS_T       lbp_ising_fields
#define LBP_FIELDS_INIT    lbp_ising_fields_set
#define LBP_FLIP           lbp_ising_flip
#define LBP_FLIP_LIST      lbp_ising_flip_list
#define LBP_PREFETCH       lbp_ising_prefetch
#define LBP_DELTA          lbp_ising_fields_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           ising_kept_logp
#include "../lbp.h"

static lbp_real graph_kept_logp(const lbp_graph *m, const lbp_graph_fields *f, const uint8_t *x) {
  (void)f;
  return (lbp_real)lbp_graph_logp(m, x);
}

enum { GRAPH_N = 40, GRAPH_EDGES = 150 };

#define LBP_NAME           graph_kept
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_FIELDS_T       lbp_graph_fields
#define LBP_FIELDS_INIT    lbp_graph_fields_set
#define LBP_FLIP           lbp_graph_flip
#define LBP_FLIP_LIST      lbp_graph_flip_list
#define LBP_DELTA          lbp_graph_fields_delta
#define LBP_PREFETCH       lbp_graph_prefetch
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS GRAPH_N
#define LBP_LOGP           graph_kept_logp
#include "../lbp.h"

static lbp_real fhmm_kept_logp(const lbp_fhmm *m, const lbp_fhmm_fields *f, const uint8_t *x) {
  (void)f;
  return (lbp_real)lbp_fhmm_logp(m, x);
}

#define LBP_NAME           fhmm_kept
#define LBP_MODEL_T        lbp_fhmm
#define LBP_REAL           lbp_real
#define LBP_FIELDS_T       lbp_fhmm_fields
#define LBP_FIELDS_INIT    lbp_fhmm_fields_set
#define LBP_FLIP           lbp_fhmm_flip
#define LBP_DELTA          lbp_fhmm_fields_delta
#define LBP_NEIGHBOURS     lbp_fhmm_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FHMM_MAX_NEIGHBOURS
#define LBP_LOGP           fhmm_kept_logp
#include "../lbp.h"

typedef union {
  lbp_ising_fields ising;
  lbp_graph_fields graph;
  lbp_fhmm_fields fhmm;
} any_fields;

typedef struct {
  int (*init)(const void *, any_fields *);
  void (*free)(any_fields *);
  void (*set)(const void *, any_fields *, const uint8_t *);
  void (*flip)(const void *, any_fields *, const uint8_t *, uint32_t);
  uint32_t (*flip_list)(const void *, any_fields *, const uint8_t *, uint32_t, uint32_t *, lbp_real *);
  lbp_real (*delta)(const void *, const any_fields *, const uint8_t *, uint32_t);
  int (*check)(const void *, any_fields *, uint8_t *, uint32_t, lbp_rng *);
} fields_type;

#define WITH_FIELDS(kind, list)                                                                        \
  static int kind##_fields_init(const void *m, any_fields *f) {                                        \
    return lbp_##kind##_fields_init((const lbp_##kind *)m, f == NULL ? NULL : &f->kind);               \
  }                                                                                                    \
  static void kind##_fields_free(any_fields *f) { lbp_##kind##_fields_free(f == NULL ? NULL : &f->kind); } \
  static void kind##_fields_set(const void *m, any_fields *f, const uint8_t *x) {                      \
    lbp_##kind##_fields_set((const lbp_##kind *)m, &f->kind, x);                                       \
  }                                                                                                    \
  static void kind##_flip(const void *m, any_fields *f, const uint8_t *x, uint32_t i) {                \
    lbp_##kind##_flip((const lbp_##kind *)m, &f->kind, x, i);                                          \
  }                                                                                                    \
  static lbp_real kind##_fields_delta(const void *m, const any_fields *f, const uint8_t *x, uint32_t i) { \
    return lbp_##kind##_fields_delta((const lbp_##kind *)m, &f->kind, x, i);                           \
  }                                                                                                    \
  static int kind##_check(const void *m, any_fields *f, uint8_t *x, uint32_t n, lbp_rng *rng) {        \
    static uint64_t ws[LBP_WS_LEN(MOST_SITES)];                                                        \
    static kind##_kept_chain chain;                                                                    \
    const int status = kind##_kept_init(&chain, n, x, &f->kind, ws, LBP_WS_LEN(MOST_SITES));           \
    return status == LBP_OK ? kind##_kept_check(&chain, (const lbp_##kind *)m, 4, rng).status : status; \
  }                                                                                                    \
  static const fields_type kind##_fields = {kind##_fields_init, kind##_fields_free,  kind##_fields_set, \
                                            kind##_flip,        list,               kind##_fields_delta, \
                                            kind##_check};

/* Of models whose flips list what they change, too. */
#define WITH_LISTS(kind)                                                                               \
  static uint32_t kind##_flip_list(const void *m, any_fields *f, const uint8_t *x, uint32_t i, uint32_t *site, \
                                   lbp_real *ratio) {                                                  \
    return lbp_##kind##_flip_list((const lbp_##kind *)m, &f->kind, x, i, site, ratio);                 \
  }                                                                                                    \
  WITH_FIELDS(kind, kind##_flip_list)

WITH_LISTS(ising)
WITH_LISTS(graph)
WITH_FIELDS(fhmm, NULL)

/* The largest gap between log-ratios with and without fields; infinite unless fields made from scratch give the same to
 * the last bit. */
static double fields_gap(local_model l, const fields_type *type, const any_fields *f, any_fields *fresh,
                         const uint8_t *x) {
  double worst = 0.0;
  uint32_t i;
  type->set(l.model, fresh, x);
  for (i = 0; i < l.n; i++) {
    const lbp_real kept = type->delta(l.model, f, x, i), again = type->delta(l.model, fresh, x, i);
    const double gap = fabs((double)kept - l.delta(l.model, x, i));
    if (memcmp(&kept, &again, sizeof kept) != 0) return infinity;
    if (!(gap <= worst)) worst = gap;
  }
  return worst;
}

/* Random states, random flips, and back again as after a rejected move; the generated check; freeing twice. */
static void check_fields(local_model l, const fields_type *type, double scale, lbp_rng *rng) {
  enum { FLIPS = 64 };
  any_fields f, fresh;
  uint8_t x[MOST_SITES];
  double gap[3];
  uint32_t flipped[FLIPS], round, t;
  memset(&f, 0, sizeof f);
  CHECK(type->init(l.model, &f) == LBP_OK && type->init(l.model, &fresh) == LBP_OK);
  for (round = 0; round < 10; round++) {
    random_state(x, l.n, rng);
    type->set(l.model, &f, x);
    gap[0] = fields_gap(l, type, &f, &fresh, x);
    for (t = 0; t < FLIPS; t++) {
      flipped[t] = below(l.n, rng);
      x[flipped[t]] ^= 1;
      type->flip(l.model, &f, x, flipped[t]);
    }
    gap[1] = fields_gap(l, type, &f, &fresh, x);
    for (t = FLIPS; t > FLIPS / 2; t--) {
      x[flipped[t - 1]] ^= 1;
      type->flip(l.model, &f, x, flipped[t - 1]);
    }
    gap[2] = fields_gap(l, type, &f, &fresh, x);
    for (t = 0; t < 3; t++) CHECK_NEAR(gap[t], 0, scale * TOLERANCE);
  }
  CHECK(type->check(l.model, &f, x, l.n, rng) == LBP_OK);
  type->free(&fresh);
  type->free(&f);
  type->free(&f);
  type->free(NULL);
  CHECK(is_zeroed(&f, sizeof f));
}

/* A walk of flips that list what they change: the sites are those that LBP_NEIGHBOURS names, their log-ratios to the
 * last bit those that LBP_DELTA gives after LBP_FLIP; and so are all others. */
static void check_flip_lists(local_model l, const fields_type *type, lbp_rng *rng) {
  enum { FLIPS = 2000 };
  any_fields f, other;
  uint8_t x[MOST_SITES];
  uint32_t site[MOST_SITES], list[MOST_SITES], t, k, wrong = 0;
  lbp_real ratio[MOST_SITES], want;
  CHECK(type->init(l.model, &f) == LBP_OK && type->init(l.model, &other) == LBP_OK);
  random_state(x, l.n, rng);
  type->set(l.model, &f, x);
  type->set(l.model, &other, x);
  for (t = 0; t < FLIPS; t++) {
    const uint32_t i = below(l.n, rng);
    uint32_t count;
    x[i] ^= 1;
    count = type->flip_list(l.model, &f, x, i, site, ratio);
    type->flip(l.model, &other, x, i);
    wrong += count != l.neighbours(l.model, i, list);
    for (k = 0; k < count; k++) {
      want = type->delta(l.model, &other, x, list[k]);
      wrong += site[k] != list[k] || memcmp(&ratio[k], &want, sizeof want) != 0;
    }
    k = below(l.n, rng);
    ratio[0] = type->delta(l.model, &f, x, k);
    want = type->delta(l.model, &other, x, k);
    wrong += memcmp(ratio, &want, sizeof want) != 0;
  }
  CHECK(wrong == 0);
  CHECK(fields_gap(l, type, &f, &other, x) < infinity);
  type->free(&f);
  type->free(&other);
}

static void check_fields_refused(const void *no_model, const fields_type *type) {
  any_fields f;
  memset(&f, 0, sizeof f);
  CHECK(type->init(no_model, NULL) == LBP_E_NULL);
  CHECK(type->init(NULL, &f) == LBP_E_NULL);
  CHECK(type->init(no_model, &f) == LBP_E_NULL);
  CHECK(is_zeroed(&f, sizeof f));
}

/* ---- Bernoulli --------------------------------------------------------------------------------------------------- */

static void test_bernoulli(void) {
  static const double p[6] = {0.5, 0.01, 0.99, 0.3, 0.7, 1e-300};
  static const double least[4] = {0, 0.25, 0.15, 0.05};
  lbp_bernoulli m, again;
  lbp_rng rng;
  double total = 0.0, bad[2];
  uint8_t x[6];
  uint32_t s, i;
  int config;
  lbp_rng_init(&rng, 1, 0);
  CHECK(lbp_bernoulli_init(&m, 6, p) == LBP_OK);
  for (s = 0; s < 64; s++) {
    double want = 1.0;
    for (i = 0; i < 6; i++) {
      x[i] = (uint8_t)(s >> i & 1);
      want *= x[i] ? p[i] : 1.0 - p[i];
    }
    CHECK_NEAR(lbp_bernoulli_logp(&m, x), log(want), IS_FLOAT ? 1e-4 : 1e-12);
    total += exp(lbp_bernoulli_logp(&m, x));
  }
  CHECK_NEAR(total, 1, TOLERANCE);
  check_deltas(bernoulli_local(&m, LBP_BERNOULLI_MAX_NEIGHBOURS), 300, &rng);
  check_neighbours(bernoulli_local(&m, LBP_BERNOULLI_MAX_NEIGHBOURS), &rng);
  lbp_bernoulli_free(&m);
  lbp_bernoulli_free(&m);
  lbp_bernoulli_free(NULL);
  CHECK(is_zeroed(&m, sizeof m));

  for (config = LBP_C1; config <= LBP_C3; config++) {
    const uint32_t n = 20000;
    double low = 1, high = 0, sum = 0, squares = 0, width = 1 - 2 * least[config];
    CHECK(lbp_bernoulli_random(&m, n, config, 7) == LBP_OK);
    CHECK(lbp_bernoulli_random(&again, n, config, 7) == LBP_OK);
    CHECK(memcmp(m.logit, again.logit, n * sizeof *m.logit) == 0);
    lbp_bernoulli_free(&again);
    CHECK(lbp_bernoulli_random(&again, n, config, 8) == LBP_OK);
    CHECK(memcmp(m.logit, again.logit, n * sizeof *m.logit) != 0);
    lbp_bernoulli_free(&again);
    for (i = 0; i < n; i++) {
      const double q = 1 / (1 + exp(-(double)m.logit[i]));
      low = q < low ? q : low;
      high = q > high ? q : high;
      sum += q;
      squares += (q - 0.5) * (q - 0.5);
    }
    CHECK(low >= least[config] - 1e-6 && low < least[config] + 0.001);
    CHECK(high <= 1 - least[config] + 1e-6 && high > 1 - least[config] - 0.001);
    CHECK_NEAR(sum / n, 0.5, 5 * width / sqrt(12.0 * n));
    CHECK_NEAR(squares / n, width * width / 12, 0.05 * width * width / 12);
    lbp_bernoulli_free(&m);
  }

  CHECK(lbp_bernoulli_init(NULL, 6, p) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_bernoulli_init(&m, 6, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_bernoulli_init(&m, 0, p), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_bernoulli_init(&m, LBP_MAX_SITES + 1u, p), LBP_E_SIZE);
  bad[0] = 0.5;
  bad[1] = 0.0;
  CHECK_REFUSED(m, lbp_bernoulli_init(&m, 2, bad), LBP_E_RANGE);
  bad[1] = 1.0;
  CHECK_REFUSED(m, lbp_bernoulli_init(&m, 2, bad), LBP_E_RANGE);
  bad[1] = not_a_number();
  CHECK_REFUSED(m, lbp_bernoulli_init(&m, 2, bad), LBP_E_NOT_FINITE);
  CHECK(lbp_bernoulli_random(NULL, 6, LBP_C1, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_bernoulli_random(&m, 0, LBP_C1, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_bernoulli_random(&m, 6, 0, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_bernoulli_random(&m, 6, 4, 1), LBP_E_RANGE);
}

/* ---- Ising on a grid --------------------------------------------------------------------------------------------- */

/* The definition: every pair of sites at distance one. */
static double ising_truth(uint32_t rows, uint32_t cols, double lambda, const double *alpha, const uint8_t *x) {
  const uint32_t n = rows * cols;
  double sum = 0.0;
  uint32_t i, j;
  for (i = 0; i < n; i++) {
    sum += alpha[i] * (2 * x[i] - 1);
    for (j = 0; j < i; j++) {
      const int down = (int)(i / cols) - (int)(j / cols), right = (int)(i % cols) - (int)(j % cols);
      if (abs(down) + abs(right) == 1) sum += lambda * (2 * x[i] - 1) * (2 * x[j] - 1);
    }
  }
  return sum;
}

/* Lists of grids with a table of edges and without. */
static void test_ising_lists(uint32_t rows, uint32_t cols) {
  double *alpha = (double *)calloc((size_t)rows * cols, sizeof *alpha);
  lbp_ising m;
  uint32_t row, col, i = 0, wrong = 0;
  CHECK(alpha && lbp_ising_init(&m, rows, cols, 0.3, alpha) == LBP_OK);
  CHECK((m.edges != NULL) == (rows * cols <= LBP_ISING_TABLE || cols == 1));
  for (row = 0; row < rows; row++) {
    for (col = 0; col < cols; col++, i++) {
      uint32_t list[LBP_ISING_MAX_NEIGHBOURS], k = 0;
      const uint32_t count = lbp_ising_neighbours(&m, i, list);
      if (row > 0) wrong += k >= count || list[k++] != i - cols;
      if (row + 1 < rows) wrong += k >= count || list[k++] != i + cols;
      if (col > 0) wrong += k >= count || list[k++] != i - 1;
      if (col + 1 < cols) wrong += k >= count || list[k++] != i + 1;
      wrong += k != count;
    }
  }
  CHECK(wrong == 0);
  lbp_ising_free(&m);
  free(alpha);
}

static void test_ising_shape(uint32_t rows, uint32_t cols, lbp_rng *rng) {
  double alpha[MOST_SITES] = {0};
  uint8_t x[MOST_SITES];
  lbp_ising m;
  uint32_t i;
  for (i = 0; i < rows * cols; i++) alpha[i] = 2 * uniform(rng) - 1;
  CHECK(lbp_ising_init(&m, rows, cols, 0.3, alpha) == LBP_OK);
  CHECK(m.n == rows * cols);
  random_state(x, m.n, rng);
  CHECK_NEAR(lbp_ising_logp(&m, x), ising_truth(rows, cols, 0.3, alpha, x), m.n * TOLERANCE);
  check_deltas(ising_local(&m, LBP_ISING_MAX_NEIGHBOURS), 1, rng);
  check_neighbours(ising_local(&m, LBP_ISING_MAX_NEIGHBOURS), rng);
  check_fields(ising_local(&m, LBP_ISING_MAX_NEIGHBOURS), &ising_fields, 1, rng);
  check_flip_lists(ising_local(&m, LBP_ISING_MAX_NEIGHBOURS), &ising_fields, rng);
  lbp_ising_free(&m);
}

static void test_ising_random(int config) {
  static const double coupling[4] = {0, 0.1, 0.15, 0.2};
  const uint32_t side = 100;
  const double lambda = coupling[config];
  double sum[2] = {0, 0}, low[2] = {9, 9}, high[2] = {-9, -9};
  uint32_t row, col, count[2] = {0, 0};
  int k;
  lbp_ising m, again;
  CHECK(lbp_ising_random(&m, side, config, 3) == LBP_OK);
  CHECK(lbp_ising_random(&again, side, config, 3) == LBP_OK);
  CHECK(memcmp(m.alpha, again.alpha, m.n * sizeof *m.alpha) == 0);
  lbp_ising_free(&again);
  CHECK(m.rows == side && m.cols == side && m.n == side * side);
  CHECK_NEAR(m.lambda, lambda, 1e-12);
  for (row = 0; row < side; row++) {
    for (col = 0; col < side; col++) {
      const double r = row / 100.0 - 0.5, c = col / 100.0 - 0.5, a = (double)m.alpha[row * side + col];
      const int inside = r * r + c * c < 0.15915494309189535;
      count[inside]++;
      sum[inside] += a;
      low[inside] = a < low[inside] ? a : low[inside];
      high[inside] = a > high[inside] ? a : high[inside];
    }
  }
  CHECK_NEAR(count[1], side * side / 2, 20);
  for (k = 0; k < 2; k++) {   /* alpha is uniform on +-lambda +-3 lambda, negative inside */
    const double centre = k ? -lambda : lambda;
    CHECK_NEAR(low[k], centre - 3 * lambda, 0.02 * lambda);
    CHECK_NEAR(high[k], centre + 3 * lambda, 0.02 * lambda);
    CHECK_NEAR(sum[k] / count[k], centre, 5 * 3 * lambda / sqrt(3.0 * count[k]));
  }
  lbp_ising_free(&m);
}

static void test_ising(void) {
  double alpha[4] = {0.1, 0.2, 0.3, 0.4};
  lbp_ising m;
  lbp_rng rng;
  int config;
  lbp_rng_init(&rng, 2, 0);
  test_ising_lists(1, 1);
  test_ising_lists(7, 1);
  test_ising_lists(3, 5);
  test_ising_lists(1, LBP_ISING_TABLE + 1);
  test_ising_lists(LBP_ISING_TABLE + 1, 1);
  test_ising_lists(100001, 2);
  test_ising_lists(449, 457);
  test_ising_shape(1, 1, &rng);
  test_ising_shape(1, 7, &rng);
  test_ising_shape(6, 1, &rng);
  test_ising_shape(2, 2, &rng);
  test_ising_shape(5, 9, &rng);
  test_ising_shape(1, 2, &rng);
  test_ising_shape(2, 1, &rng);
  test_ising_shape(3, 2, &rng);
  for (config = LBP_C1; config <= LBP_C3; config++) test_ising_random(config);

  CHECK(lbp_ising_init(NULL, 2, 2, 0.1, alpha) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_ising_init(&m, 2, 2, 0.1, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_ising_init(&m, 0, 2, 0.1, alpha), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_ising_init(&m, 2, 0, 0.1, alpha), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_ising_init(&m, 65536, 65536, 0.1, alpha), LBP_E_SIZE);   /* 2^32 sites: 0 in 32 bits */
  CHECK_REFUSED(m, lbp_ising_init(&m, UINT32_MAX, UINT32_MAX, 0.1, alpha), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_ising_init(&m, 2, 2, infinity, alpha), LBP_E_NOT_FINITE);
  CHECK_REFUSED(m, lbp_ising_init(&m, 2, 2, -1e13, alpha), LBP_E_RANGE);
  alpha[3] = not_a_number();
  CHECK_REFUSED(m, lbp_ising_init(&m, 2, 2, 0.1, alpha), LBP_E_NOT_FINITE);
  alpha[3] = 1e300;
  CHECK_REFUSED(m, lbp_ising_init(&m, 2, 2, 0.1, alpha), LBP_E_RANGE);
  CHECK(lbp_ising_random(NULL, 2, LBP_C1, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_ising_random(&m, 0, LBP_C1, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_ising_random(&m, 65536, LBP_C1, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_ising_random(&m, 2, 4, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_ising_random(&m, 2, -1, 1), LBP_E_RANGE);
  lbp_ising_free(&m);
  lbp_ising_free(NULL);
  check_fields_refused(&m, &ising_fields);   /* m is no model now */
}

/* ---- Ising on a graph -------------------------------------------------------------------------------------------- */

static void test_graph(void) {
  uint32_t ends[2 * GRAPH_EDGES], e, i, degree[GRAPH_N] = {0}, largest = 0, round;
  double J[GRAPH_EDGES], h[GRAPH_N];
  char joined[GRAPH_N][GRAPH_N];
  uint8_t x[GRAPH_N];
  lbp_graph m;
  lbp_rng rng;
  lbp_rng_init(&rng, 3, 0);
  memset(joined, 0, sizeof joined);
  for (e = 0; e < GRAPH_EDGES; e++) {   /* some of them parallel */
    const uint32_t a = below(GRAPH_N - 2, &rng), b = (a + 1 + below(GRAPH_N - 3, &rng)) % (GRAPH_N - 2);
    ends[2 * e] = a;   /* the last two sites stay without any */
    ends[2 * e + 1] = b;
    J[e] = 2 * uniform(&rng) - 1;
    degree[a] += !joined[a][b];
    degree[b] += !joined[a][b];
    joined[a][b] = joined[b][a] = 1;
  }
  for (i = 0; i < GRAPH_N; i++) {
    h[i] = 2 * uniform(&rng) - 1;
    largest = degree[i] > largest ? degree[i] : largest;
  }
  CHECK(lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, J, largest) == LBP_OK);
  CHECK(m.start[GRAPH_N] < 2 * GRAPH_EDGES);   /* there were parallel edges */
  for (i = 0; i < GRAPH_N; i++) CHECK(m.start[i + 1] - m.start[i] == degree[i]);
  for (round = 0; round < 20; round++) {
    double want = 0.0;
    random_state(x, GRAPH_N, &rng);
    for (i = 0; i < GRAPH_N; i++) want += h[i] * (2 * x[i] - 1);
    for (e = 0; e < GRAPH_EDGES; e++) want += J[e] * (2 * x[ends[2 * e]] - 1) * (2 * x[ends[2 * e + 1]] - 1);
    CHECK_NEAR(lbp_graph_logp(&m, x), want, 10 * TOLERANCE);
  }
  check_deltas(graph_local(&m, largest), 10, &rng);
  check_neighbours(graph_local(&m, largest), &rng);
  lbp_graph_free(&m);
  lbp_graph_free(&m);
  lbp_graph_free(NULL);

  CHECK(lbp_graph_init(&m, 3, NULL, 0, NULL, NULL, 0) == LBP_OK);   /* no fields, no edges */
  x[0] = x[1] = x[2] = 1;
  CHECK_NEAR(lbp_graph_logp(&m, x), 0, 0);
  lbp_graph_free(&m);

  CHECK(lbp_graph_init(NULL, GRAPH_N, h, GRAPH_EDGES, ends, J, largest) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, NULL, J, largest), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, NULL, largest), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_graph_init(&m, 0, h, GRAPH_EDGES, ends, J, largest), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, 1u << 31, ends, J, largest), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, J, largest - 1), LBP_E_RANGE);
  ends[7] = GRAPH_N;
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, J, largest), LBP_E_INDEX);
  ends[7] = ends[6];
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, J, largest), LBP_E_INDEX);
  ends[7] = ends[6] + 1 < GRAPH_N ? ends[6] + 1 : 0;
  ends[6] = GRAPH_N;
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, J, largest), LBP_E_INDEX);
  J[9] = infinity;
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, J, largest), LBP_E_NOT_FINITE);
  J[9] = -2e12;
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, J, largest), LBP_E_RANGE);
  J[9] = 0;
  h[GRAPH_N - 1] = not_a_number();
  CHECK_REFUSED(m, lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, J, largest), LBP_E_NOT_FINITE);
}

/* 2 (|h_i| + sum_j |J_ij|), as the model has them. */
static double graph_reach(const lbp_graph *m, uint32_t i, double *h) {
  double gains = 0.0;
  uint32_t k;
  *h = (double)m->bias[i] / 2;
  for (k = m->start[i]; k < m->start[i + 1]; k++) {
    gains += fabs((double)m->link[k].gain) / 2;
    *h += (double)m->link[k].gain / 4;
  }
  return 2 * fabs(*h) + gains;
}

/* What lbp_graph_round changes: at most 2^-24 (2^-53) of the reach of a site, or of either end. */
static void check_graph_round(lbp_graph *m) {
  const double most = IS_FLOAT ? ldexp(1, -24) : ldexp(1, -53), least = ldexp(1, -100);
  static lbp_graph_link links[2 * GRAPH_EDGES];
  double reach[GRAPH_N], h[GRAPH_N], now;
  uint32_t i, k, wrong = 0;
  for (i = 0; i < GRAPH_N; i++) reach[i] = graph_reach(m, i, &h[i]);
  memcpy(links, m->link, m->start[GRAPH_N] * sizeof *links);
  CHECK(lbp_graph_round(m) == LBP_OK && m->rounded);
  for (i = 0; i < GRAPH_N; i++) {
    const double slack = (IS_FLOAT ? 1e-14 : 4 * most) * reach[i] + GRAPH_N * least; /* of this test's own sums */
    wrong += !(graph_reach(m, i, &now) <= reach[i] * (1 + most) + slack);
    wrong += !(fabs(now - h[i]) <= most * reach[i] + slack);
    wrong += !(fabs(now - (double)m->h[i]) <= 2 * most * fabs(now) + slack); /* log pi is of the same law */
    for (k = m->start[i]; k < m->start[i + 1]; k++) {
      const double other = reach[links[k].site], larger = reach[i] > other ? reach[i] : other;
      wrong += m->link[k].site != links[k].site;
      wrong += !(fabs((double)m->link[k].gain - (double)links[k].gain) / 4 <= most * larger + least);
    }
  }
  CHECK(wrong == 0);
}

/* With J = any number times size[e % sizes], h likewise; the first site is a hub, the last two stay alone. */
static void test_graph_fields_of(const double *size, uint32_t sizes, double times, lbp_rng *rng) {
  enum { FLIPS = 20000 };
  uint32_t ends[2 * GRAPH_EDGES], e, i, t, wrong = 0;
  double J[GRAPH_EDGES], h[GRAPH_N];
  uint8_t x[GRAPH_N];
  any_fields f, fresh;
  lbp_graph m;
  for (e = 0; e < GRAPH_EDGES; e++) {
    const uint32_t a = e < GRAPH_N - 3 ? 0 : below(GRAPH_N - 2, rng);
    ends[2 * e] = a;
    ends[2 * e + 1] = e < GRAPH_N - 3 ? e + 1 : (a + 1 + below(GRAPH_N - 3, rng)) % (GRAPH_N - 2);
    J[e] = size[e % sizes] * times * (e % 3 ? 1 : -1);
  }
  for (i = 0; i < GRAPH_N; i++) h[i] = size[i % sizes] * times * (2 * uniform(rng) - 1);
  CHECK(lbp_graph_init(&m, GRAPH_N, h, GRAPH_EDGES, ends, J, GRAPH_N) == LBP_OK);
  memset(&f, 0, sizeof f);
  CHECK(graph_fields_init(&m, &f) == LBP_E_FIELDS && is_zeroed(&f, sizeof f));
  check_graph_round(&m);
  CHECK(graph_fields_init(&m, &f) == LBP_OK && graph_fields_init(&m, &fresh) == LBP_OK);
  random_state(x, GRAPH_N, rng);
  graph_fields_set(&m, &f, x);
  for (t = 0; t < FLIPS; t++) {
    i = below(GRAPH_N, rng);
    x[i] ^= 1;
    graph_flip(&m, &f, x, i);
    if (t % 16) continue;
    graph_fields_set(&m, &fresh, x);
    wrong += memcmp(f.graph.slope, fresh.graph.slope, GRAPH_N * sizeof *f.graph.slope) != 0;
  }
  CHECK(wrong == 0);
  graph_fields_free(&f);
  graph_fields_free(&fresh);
  check_fields(graph_local(&m, GRAPH_N), &graph_fields, 0, rng);   /* without fields the same, to the last bit */
  check_flip_lists(graph_local(&m, GRAPH_N), &graph_fields, rng);
  lbp_graph_free(&m);
}

static void test_graph_fields(void) {
  static const double tenth[] = {0.1}, third[] = {1 / 3.0}, signs[] = {1}, none[] = {0, 0.3}, tiny[] = {1e-37, 1e-31};
  static const double mixed[] = {1e-3, 0.7, 1e3, 0.013, 31, 0.1}, all[] = {1e-12, 1e12, 1, 1e-6, 1e6};
  lbp_graph m;
  lbp_rng rng;
  lbp_rng_init(&rng, 11, 0);
  test_graph_fields_of(tenth, 1, 1, &rng);
  test_graph_fields_of(third, 1, 1, &rng);
  test_graph_fields_of(signs, 1, 1, &rng);
  test_graph_fields_of(none, 2, 1, &rng);
  test_graph_fields_of(mixed, 6, 1e-3, &rng); /* what rounds is small, or it were refused */
  test_graph_fields_of(mixed, 6, 1e-3 / 3, &rng);
  test_graph_fields_of(all, 5, 0.7e-12, &rng);
  test_graph_fields_of(tiny, 2, 1, &rng);
  memset(&m, 0, sizeof m);
  CHECK(lbp_graph_round(NULL) == LBP_E_NULL && lbp_graph_round(&m) == LBP_E_NULL);
  check_fields_refused(&m, &graph_fields);
}

/* ---- factorial HMM ----------------------------------------------------------------------------------------------- */

static void test_fhmm_shape(uint32_t L, uint32_t K, lbp_rng *rng) {
  const double b = 0.3, sigma2 = 0.7, a0 = -1.1, c = 0.4;
  double W[LBP_FHMM_MAX_K], Y[MOST_SITES] = {0}, want = 0.0;
  uint8_t x[MOST_SITES];
  lbp_fhmm m;
  uint32_t l, k;
  for (k = 0; k < K; k++) W[k] = 2 * uniform(rng) - 1;
  for (l = 0; l < L; l++) Y[l] = 4 * uniform(rng) - 2;
  CHECK(lbp_fhmm_init(&m, L, K, W, b, sigma2, Y, a0, c) == LBP_OK);
  CHECK(m.n == L * K);
  random_state(x, m.n, rng);
  for (l = 0; l < L; l++) {
    double mean = b;
    for (k = 0; k < K; k++) {
      mean += W[k] * x[l * K + k];
      if (l == 0) want += a0 * x[k];
      if (l > 0 && x[l * K + k] != x[(l - 1) * K + k]) want += c;
    }
    want -= (Y[l] - mean) * (Y[l] - mean) / (2 * sigma2);
  }
  CHECK_NEAR(lbp_fhmm_logp(&m, x), want, 10 * TOLERANCE);
  check_deltas(fhmm_local(&m, LBP_FHMM_MAX_NEIGHBOURS), 10, rng);
  check_neighbours(fhmm_local(&m, LBP_FHMM_MAX_NEIGHBOURS), rng);
  check_fields(fhmm_local(&m, LBP_FHMM_MAX_NEIGHBOURS), &fhmm_fields, 10, rng);
  lbp_fhmm_free(&m);
}

/* One chain of weight 20 can be read off the data. */
static void test_fhmm_data(int config) {
  static const double noise[4] = {0, 2, 1, 0.5}, W[1] = {20};
  const uint32_t L = 20000, starts = 4000;
  double squares = 0.0, changes = 0.0, started = 0.0;
  uint32_t l, seed;
  lbp_fhmm m;
  CHECK(lbp_fhmm_random(&m, L, 1, W, -3, config, LBP_FHMM_AS_RUN, 5) == LBP_OK);
  CHECK_NEAR(m.sigma2, noise[config], 0);
  CHECK_NEAR(m.b, -3, 0);
  for (l = 0; l < L; l++) {
    const int on = (double)m.centred[l] > 10;
    const double r = (double)m.centred[l] - 20 * on;
    squares += r * r;
    if (l > 0) changes += on != ((double)m.centred[l - 1] > 10);
  }
  CHECK_NEAR(squares / L, noise[config], 5 * noise[config] * sqrt(2.0 / L));
  CHECK_NEAR(changes / L, 0.2, 5 * sqrt(0.16 / L));
  lbp_fhmm_free(&m);
  for (seed = 0; seed < starts; seed++) {
    CHECK(lbp_fhmm_random(&m, 1, 1, W, 0, config, LBP_FHMM_AS_RUN, seed) == LBP_OK);
    started += (double)m.centred[0] > 10;
    lbp_fhmm_free(&m);
  }
  CHECK_NEAR(started / starts, 0.1, 5 * sqrt(0.09 / starts));
}

static void test_fhmm_weights(void) {
  double W[5], b, sum = 0, squares = 0;
  const uint32_t seeds = 500;
  uint32_t seed, k;
  lbp_fhmm m, again;
  for (seed = 0; seed < seeds; seed++) {
    CHECK(lbp_fhmm_random(&m, 3, 16, NULL, 0, LBP_C2, LBP_FHMM_AS_WRITTEN, seed) == LBP_OK);
    for (k = 0; k < 16; k++) {
      sum += m.W[k];
      squares += m.W[k] * m.W[k];
    }
    lbp_fhmm_free(&m);
  }
  CHECK_NEAR(sum / (16 * seeds), 0, 5 / sqrt(16.0 * seeds));
  CHECK_NEAR(squares / (16 * seeds), 1, 5 * sqrt(2 / (16.0 * seeds)));
  lbp_fhmm_paper_weights(W, &b);
  CHECK_NEAR(W[0] + W[1] + W[2] + W[3] + W[4] + b, 0.99323466, 1e-8);
  CHECK(lbp_fhmm_random(&m, 50, 5, W, b, LBP_C1, LBP_FHMM_AS_RUN, 9) == LBP_OK);
  CHECK(lbp_fhmm_random(&again, 50, 5, W, b, LBP_C1, LBP_FHMM_AS_WRITTEN, 9) == LBP_OK);
  CHECK(memcmp(m.centred, again.centred, 50 * sizeof *m.centred) == 0);   /* the law does not touch the data */
  CHECK_NEAR(m.a0, log(9.0), 1e-12);
  CHECK_NEAR(m.c, -0.2, 0);
  CHECK_NEAR(again.a0, -log(9.0), 1e-12);
  CHECK_NEAR(again.c, log(0.25), 1e-12);
  lbp_fhmm_free(&m);
  lbp_fhmm_free(&again);
}

static void test_fhmm_errors(void) {
  double W[LBP_FHMM_MAX_K + 1] = {1, 2}, Y[3] = {1, 2, 3};
  lbp_fhmm m;
  CHECK(lbp_fhmm_init(NULL, 3, 2, W, 0, 1, Y, 0, 0) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 2, NULL, 0, 1, Y, 0, 0), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 2, W, 0, 1, NULL, 0, 0), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 0, 2, W, 0, 1, Y, 0, 0), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 0, W, 0, 1, Y, 0, 0), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, LBP_FHMM_MAX_K + 1, W, 0, 1, Y, 0, 0), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 1u << 28, 2, W, 0, 1, Y, 0, 0), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 2, W, 0, 0, Y, 0, 0), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 2, W, 0, -1, Y, 0, 0), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 2, W, 1e20, 1, Y, 0, 0), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 2, W, 0, 1, Y, infinity, 0), LBP_E_NOT_FINITE);
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 2, W, 0, 1, Y, 0, not_a_number()), LBP_E_NOT_FINITE);
  Y[2] = -infinity;
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 2, W, 0, 1, Y, 0, 0), LBP_E_NOT_FINITE);
  Y[2] = 0;
  W[1] = not_a_number();
  CHECK_REFUSED(m, lbp_fhmm_init(&m, 3, 2, W, 0, 1, Y, 0, 0), LBP_E_NOT_FINITE);
  CHECK_REFUSED(m, lbp_fhmm_random(&m, 3, 2, W, 0, LBP_C1, LBP_FHMM_AS_RUN, 1), LBP_E_NOT_FINITE);
  CHECK(lbp_fhmm_random(NULL, 3, 2, NULL, 0, LBP_C1, LBP_FHMM_AS_RUN, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_fhmm_random(&m, 0, 2, NULL, 0, LBP_C1, LBP_FHMM_AS_RUN, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_fhmm_random(&m, 3, LBP_FHMM_MAX_K + 1, NULL, 0, LBP_C1, LBP_FHMM_AS_RUN, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_fhmm_random(&m, 3, 0, NULL, 0, LBP_C1, LBP_FHMM_AS_RUN, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_fhmm_random(&m, 1u << 28, 2, NULL, 0, LBP_C1, LBP_FHMM_AS_RUN, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_fhmm_random(&m, 3, 2, NULL, 0, LBP_C1, (lbp_fhmm_law)7, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_fhmm_random(&m, 3, 2, NULL, 0, 5, LBP_FHMM_AS_RUN, 1), LBP_E_RANGE);
  lbp_fhmm_free(&m);
  lbp_fhmm_free(NULL);
  check_fields_refused(&m, &fhmm_fields);   /* m is no model now */
}

static void test_fhmm(void) {
  static const double W[LBP_FHMM_MAX_K] = {0}, Y[1] = {0};
  lbp_rng rng;
  uint32_t K, k;
  int config;
  lbp_rng_init(&rng, 4, 0);
  for (K = 1; K <= LBP_FHMM_MAX_K; K++) {
    const uint32_t last = (1u << 28) - 1;
    lbp_fhmm m;
    test_fhmm_shape(1, K, &rng);
    test_fhmm_shape(2, K, &rng);
    test_fhmm_shape(13, K, &rng);
    CHECK(lbp_fhmm_init(&m, 1, K, W, 0, 1, Y, 0, 0) == LBP_OK);
    for (k = 0; k < 1000; k++) {   /* the reciprocal divides every index right, to the largest */
      const uint32_t i = k < 100 ? last - k : below(last, &rng), edge = i / K * K;
      CHECK(i * m.inverse_K >> 32 == i / K);
      CHECK(edge * m.inverse_K >> 32 == edge / K);
    }
    lbp_fhmm_free(&m);
  }
  for (config = LBP_C1; config <= LBP_C3; config++) test_fhmm_data(config);
  test_fhmm_weights();
  test_fhmm_errors();
}

/* ---- RBM --------------------------------------------------------------------------------------------------------- */

/* From the definition, in double precision, for real-valued x. */
static double rbm_truth(const lbp_rbm *m, const double *x) {
  double sum = 0.0;
  uint32_t i, j;
  for (i = 0; i < m->n; i++) sum += x[i] * (double)m->b[i];
  for (j = 0; j < m->hidden; j++) {
    double h = (double)m->c[j];
    for (i = 0; i < m->n; i++) h += x[i] * (double)m->W[(size_t)i * m->hidden + j];
    sum += (h > 0 ? h : 0) + log1p(exp(-fabs(h)));
  }
  return sum;
}

static double rbm_truth_at(const lbp_rbm *m, const uint8_t *x) {
  double real[MOST_SITES];
  uint32_t i;
  for (i = 0; i < m->n; i++) real[i] = x[i];
  return rbm_truth(m, real);
}

/* log pi, exact log-ratios and gradient estimates on random states, against the definition. */
static void test_rbm_callbacks(uint32_t n, uint32_t hidden, double scale, double tolerance, lbp_rng *rng) {
  lbp_rbm m;
  lbp_rbm_fields f;
  uint8_t x[MOST_SITES];
  lbp_real deltas[MOST_SITES];
  double real[MOST_SITES];
  uint32_t i, round;
  CHECK(lbp_rbm_random(&m, n, hidden, scale, n + hidden) == LBP_OK);
  CHECK(lbp_rbm_fields_init(&m, &f) == LBP_OK);
  for (round = 0; round < 3; round++) {
    double logp, worst_delta = 0.0, worst_gradient = 0.0;
    random_state(x, n, rng);
    lbp_rbm_fields_set(&m, &f, x);
    logp = rbm_truth_at(&m, x);
    CHECK_NEAR(lbp_rbm_logp(&m, &f, x), logp, tolerance * (1 + fabs(logp)));
    lbp_rbm_deltas(&m, &f, x, deltas);
    for (i = 0; i < n; i++) real[i] = x[i];
    for (i = 0; i < n; i++) {
      const double sign = 1 - 2 * x[i], step = 1e-5;
      double want, gap;
      real[i] = x[i] ^ 1;
      gap = fabs((double)lbp_rbm_delta(&m, &f, x, i) - (rbm_truth(&m, real) - logp));
      if (!(gap <= worst_delta)) worst_delta = gap;
      real[i] = x[i] + step;
      want = rbm_truth(&m, real);
      real[i] = x[i] - step;
      want = sign * (want - rbm_truth(&m, real)) / (2 * step);
      real[i] = x[i];
      gap = fabs((double)deltas[i] - want);
      if (!(gap <= worst_gradient)) worst_gradient = gap;
    }
    CHECK_NEAR(worst_delta, 0, tolerance * (1 + fabs(logp)));
    CHECK_NEAR(worst_gradient, 0, (IS_FLOAT ? 1e-5 : 5e-9) * (1 + scale * hidden));   /* differences' own error */
  }
  lbp_rbm_fields_free(&f);
  lbp_rbm_free(&m);
}

/* Summing out the hidden units one configuration at a time gives the same law. */
static void test_rbm_marginal(void) {
  enum { N = 6, HIDDEN = 7 };
  lbp_rbm m;
  lbp_rbm_fields f;
  uint8_t x[N];
  uint32_t s, z, i, j;
  CHECK(lbp_rbm_random(&m, N, HIDDEN, 1.0, 11) == LBP_OK);
  CHECK(lbp_rbm_fields_init(&m, &f) == LBP_OK);
  for (s = 0; s < 1u << N; s++) {
    double sum = 0.0;
    for (i = 0; i < N; i++) x[i] = (uint8_t)(s >> i & 1);
    for (z = 0; z < 1u << HIDDEN; z++) {
      double energy = 0.0;
      for (i = 0; i < N; i++) energy += x[i] * (double)m.b[i];
      for (j = 0; j < HIDDEN; j++) {
        if (!(z >> j & 1)) continue;
        energy += (double)m.c[j];
        for (i = 0; i < N; i++) energy += x[i] * (double)m.W[i * HIDDEN + j];
      }
      sum += exp(energy);
    }
    lbp_rbm_fields_set(&m, &f, x);
    CHECK_NEAR(lbp_rbm_logp(&m, &f, x), log(sum), IS_FLOAT ? 1e-5 : 1e-12);
  }
  lbp_rbm_fields_free(&f);
  lbp_rbm_free(&m);
}

static int same_fields(const lbp_rbm *m, lbp_rbm_fields *f, const lbp_rbm_fields *g) {
  (void)lbp_rbm_logp(m, f, NULL);   /* adds rows that wait */
  return memcmp(f->h, g->h, m->hidden * sizeof *f->h) == 0 && memcmp(&f->bx, &g->bx, sizeof f->bx) == 0;
}

/* A million flips leave the fields what they would be from scratch, bit for bit. */
static void test_rbm_exactness(double scale) {
  enum { N = 101, HIDDEN = 37, FLIPS = 1000003 };
  lbp_rbm m;
  lbp_rbm_fields f, fresh;
  lbp_rng rng;
  uint8_t x[N];
  uint32_t t, wrong = 0;
  lbp_rng_init(&rng, 12, 0);
  CHECK(lbp_rbm_random(&m, N, HIDDEN, scale, 13) == LBP_OK);
  CHECK(lbp_rbm_fields_init(&m, &f) == LBP_OK);
  CHECK(lbp_rbm_fields_init(&m, &fresh) == LBP_OK);
  random_state(x, N, &rng);
  lbp_rbm_fields_set(&m, &f, x);
  for (t = 1; t <= FLIPS; t++) {
    const uint32_t i = below(N, &rng);
    x[i] ^= 1;
    lbp_rbm_flip(&m, &f, x, i);
    if (t % 9999 != 0) continue;
    lbp_rbm_fields_set(&m, &fresh, x);
    wrong += !same_fields(&m, &f, &fresh);
  }
  CHECK(wrong == 0);
  lbp_rbm_fields_set(&m, &fresh, x);
  lbp_rbm_save(&m, &f);   /* rows wait, here and when it returns */
  for (t = 0; t < 50; t++) {
    x[t] ^= 1;
    lbp_rbm_flip(&m, &f, x, t);
  }
  CHECK(f.waiting > 0);
  for (t = 0; t < 50; t++) x[t] ^= 1;
  lbp_rbm_restore(&m, &f);
  CHECK(same_fields(&m, &f, &fresh));
  x[0] ^= 1;
  lbp_rbm_save(&m, &f);
  lbp_rbm_flip(&m, &f, x, 0);
  CHECK(!same_fields(&m, &f, &fresh));
  x[0] ^= 1;
  lbp_rbm_restore(&m, &f);
  CHECK_NEAR(lbp_rbm_logp(&m, &f, x), lbp_rbm_logp(&m, &fresh, x), TEST_ALIKE ? 0 : 1e-6);
  lbp_rbm_flip(&m, &f, x, 1);
  lbp_rbm_fields_set(&m, &f, x);
  lbp_rbm_fields_set(&m, &fresh, x);
  CHECK(same_fields(&m, &f, &fresh));
  lbp_rbm_fields_free(&f);
  lbp_rbm_fields_free(&fresh);
  lbp_rbm_free(&m);
}

/* Many chains at once get what they would get one by one; the first keeps room for the most there were. */
static void test_rbm_deltas_many(void) {
  enum { N = 41, HIDDEN = 37, MOST = 100 };
  static const uint32_t counts[6] = {2, 1, 64, 2, MOST, 64};
  static uint8_t x[MOST][N];
  static lbp_real got[MOST][N];
  lbp_rbm m;
  lbp_rbm_fields f[MOST], before;
  lbp_rbm_fields *fields[MOST];
  const uint8_t *state[MOST];
  lbp_real *out[MOST], want[N];
  double worst = 0.0;
  lbp_rng rng;
  uint32_t round, k, i;
  int wrong = 0;
  lbp_rng_init(&rng, 25, 0);
  CHECK(lbp_rbm_random(&m, N, HIDDEN, 0.5, 26) == LBP_OK);
  CHECK(lbp_rbm_fields_init(&m, &before) == LBP_OK);
  for (k = 0; k < MOST; k++) {
    CHECK(lbp_rbm_fields_init(&m, &f[k]) == LBP_OK);
    fields[k] = &f[k];
    state[k] = x[k];
    out[k] = got[k];
  }
  for (round = 0; round < 6; round++) {
    for (k = 0; k < MOST; k++) {
      random_state(x[k], N, &rng);
      lbp_rbm_fields_set(&m, &f[k], x[k]);
      for (i = 0; i < N; i++) got[k][i] = 1000;
    }
    lbp_rbm_deltas_many(&m, fields, state, out, counts[round]);
    for (k = 0; k < counts[round]; k++) {
      lbp_rbm_fields_set(&m, &before, x[k]);
      wrong += !same_fields(&m, &f[k], &before);
      lbp_rbm_deltas(&m, &before, x[k], want);
      for (i = 0; i < N; i++) {
        const double gap = fabs((double)got[k][i] - (double)want[i]);
        if (!(gap <= worst)) worst = gap;
      }
    }
    for (; k < MOST; k++) {
      for (i = 0; i < N; i++) wrong += got[k][i] != 1000;
    }
  }
  CHECK_NEAR(worst, 0, 10 * TOLERANCE);
  CHECK(wrong == 0);
  for (k = 0; k < MOST; k++) lbp_rbm_fields_free(&f[k]);
  lbp_rbm_fields_free(&before);
  lbp_rbm_free(&m);
}

/* The grid is as fine as the significand allows, and an RBM that is on it stays as it is. */
static void test_rbm_grid(void) {
  enum { N = 50, HIDDEN = 20 };
  lbp_real W[N * HIDDEN], b[N], c[HIDDEN];
  lbp_rbm m, again;
  lbp_rng rng;
  double worst = 0.0;
  uint32_t k;
  lbp_rng_init(&rng, 14, 0);
  for (k = 0; k < N * HIDDEN; k++) W[k] = (lbp_real)(2 * uniform(&rng) - 1);
  for (k = 0; k < N; k++) b[k] = (lbp_real)(2 * uniform(&rng) - 1);
  for (k = 0; k < HIDDEN; k++) c[k] = (lbp_real)(2 * uniform(&rng) - 1);
  W[3] = (lbp_real)-1e-30;   /* rounds to zero, not to -0 */
  CHECK(lbp_rbm_init(&m, N, HIDDEN, W, b, c) == LBP_OK);
  for (k = 0; k < N * HIDDEN; k++) {
    const double gap = fabs((double)m.W[k] - (double)W[k]);
    worst = gap > worst ? gap : worst;
  }
  CHECK(worst <= 50 * (IS_FLOAT ? (double)FLT_EPSILON : DBL_EPSILON) && worst > 0.0);   /* columns sum to about 25 */
  CHECK(is_zeroed(&m.W[3], sizeof m.W[3]));
  CHECK(lbp_rbm_init(&again, N, HIDDEN, m.W, m.b, m.c) == LBP_OK);
  CHECK(memcmp(m.W, again.W, sizeof(lbp_real) * (N * HIDDEN + N + HIDDEN)) == 0);
  lbp_rbm_free(&again);
  lbp_rbm_free(&m);
  lbp_rbm_free(&m);
  lbp_rbm_free(NULL);
  memset(W, 0, sizeof W);
  memset(b, 0, sizeof b);
  memset(c, 0, sizeof c);
  CHECK(lbp_rbm_init(&m, N, HIDDEN, W, b, c) == LBP_OK);   /* all zero is a model, too */
  CHECK(is_zeroed(m.W, sizeof W));
  lbp_rbm_free(&m);
}

static void test_rbm_errors(void) {
  lbp_real W[4] = {1, 2, 3, 4}, b[2] = {0, 0}, c[2] = {0, 0};
  lbp_rbm m;
  lbp_rbm_fields f;
  CHECK(lbp_rbm_init(NULL, 2, 2, W, b, c) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_rbm_init(&m, 2, 2, NULL, b, c), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_rbm_init(&m, 2, 2, W, NULL, c), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_rbm_init(&m, 2, 2, W, b, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_rbm_init(&m, 0, 2, W, b, c), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_rbm_init(&m, 2, 0, W, b, c), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_rbm_init(&m, (1u << 20) + 1, 1, W, b, c), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_rbm_init(&m, 1u << 16, 1u << 16, W, b, c), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_rbm_init(&m, UINT32_MAX, UINT32_MAX, W, b, c), LBP_E_SIZE);
  W[3] = (lbp_real)infinity;
  CHECK_REFUSED(m, lbp_rbm_init(&m, 2, 2, W, b, c), LBP_E_NOT_FINITE);
  W[3] = (lbp_real)1e13;
  CHECK_REFUSED(m, lbp_rbm_init(&m, 2, 2, W, b, c), LBP_E_RANGE);
  W[3] = 4;
  b[1] = (lbp_real)not_a_number();
  CHECK_REFUSED(m, lbp_rbm_init(&m, 2, 2, W, b, c), LBP_E_NOT_FINITE);
  b[1] = 0;
  c[1] = (lbp_real)-infinity;
  CHECK_REFUSED(m, lbp_rbm_init(&m, 2, 2, W, b, c), LBP_E_NOT_FINITE);
  CHECK(lbp_rbm_random(NULL, 2, 2, 1, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_rbm_random(&m, 2, 2, not_a_number(), 1), LBP_E_NOT_FINITE);
  CHECK_REFUSED(m, lbp_rbm_random(&m, 2, 2, 1e13, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_rbm_random(&m, 0, 2, 1, 1), LBP_E_SIZE);
  CHECK_REFUSED(f, lbp_rbm_fields_init(NULL, &f), LBP_E_NULL);
  CHECK_REFUSED(f, lbp_rbm_fields_init(&m, &f), LBP_E_NULL);   /* m is no model */
  CHECK(lbp_rbm_fields_init(&m, NULL) == LBP_E_NULL);
  lbp_rbm_fields_free(&f);
  lbp_rbm_fields_free(NULL);
}

/* Frequencies of a block Gibbs chain against the enumerated law. */
static void test_rbm_gibbs(void) {
  enum { N = 4, HIDDEN = 3, STATES = 1 << N, STEPS = 400000 };
  lbp_rbm m;
  lbp_rbm_fields f, fresh;
  lbp_rng rng;
  uint8_t x[N] = {0};
  lbp_real logit[N];
  double p[STATES], total = 0.0, distance = 0.0;
  uint32_t visits[STATES] = {0}, s, i, t;
  lbp_rng_init(&rng, 15, 0);
  CHECK(lbp_rbm_random(&m, N, HIDDEN, 1.0, 16) == LBP_OK);
  CHECK(lbp_rbm_fields_init(&m, &f) == LBP_OK);
  CHECK(lbp_rbm_fields_init(&m, &fresh) == LBP_OK);
  lbp_rbm_fields_set(&m, &f, x);
  for (t = 0; t < STEPS; t++) {
    lbp_rbm_gibbs(&m, &f, x, logit, &rng);
    for (s = 0, i = 0; i < N; i++) s |= (uint32_t)x[i] << i;
    visits[s]++;
  }
  lbp_rbm_fields_set(&m, &fresh, x);
  CHECK(same_fields(&m, &f, &fresh));
  for (s = 0; s < STATES; s++) {
    for (i = 0; i < N; i++) x[i] = (uint8_t)(s >> i & 1);
    p[s] = exp(rbm_truth_at(&m, x));
    total += p[s];
  }
  for (s = 0; s < STATES; s++) distance += fabs(visits[s] / (double)STEPS - p[s] / total) / 2;
  CHECK_NEAR(distance, 0, 0.005);
  lbp_rbm_fields_free(&f);
  lbp_rbm_fields_free(&fresh);
  lbp_rbm_free(&m);
}

/* Draws have the right mean, and those of different places have nothing to do with each other. */
static void test_draw_bits(void) {
  enum { COUNT = 1000, ROUNDS = 100, SHIFTS = 300 };
  const double p = 1 / (1 + exp(1.5)), variance = p * (1 - p);
  lbp_real bits[COUNT];
  double ones = 0.0, product[SHIFTS] = {0}, worst = 0.0;
  lbp_rng rng;
  uint32_t round, k, shift;
  lbp_rng_init(&rng, 24, 0);
  for (round = 0; round < ROUNDS; round++) {
    for (k = 0; k < COUNT; k++) bits[k] = (lbp_real)-1.5;
    lbp_p_draw_bits(bits, COUNT, &rng);
    for (k = 0; k < COUNT; k++) ones += (double)bits[k];
    for (shift = 1; shift < SHIFTS; shift++) {
      for (k = shift; k < COUNT; k++) product[shift] += ((double)bits[k] - p) * ((double)bits[k - shift] - p);
    }
  }
  CHECK_NEAR(ones / 1e5, p, 5 * sqrt(variance / 1e5));
  for (shift = 1; shift < SHIFTS; shift++) worst = fabs(product[shift]) > worst ? fabs(product[shift]) : worst;
  CHECK_NEAR(worst / 1e5, 0, 6 * variance / sqrt(1e5));
}

static void test_dense_arithmetic(void) {
  enum { ROWS = 5, INNER = 7, COLS = 19 };
  lbp_real a[ROWS * INNER], at[INNER * ROWS], b[INNER * COLS], c[ROWS * COLS], ct[ROWS * COLS];
  double want[ROWS * COLS], worst = 0.0;
  lbp_rng rng;
  uint32_t r, i, k;
  int v;
  lbp_rng_init(&rng, 17, 0);
  for (k = 0; k < ROWS * INNER; k++) a[k] = at[k % INNER * ROWS + k / INNER] = (lbp_real)(below(5, &rng)) - 2;
  for (k = 0; k < INNER * COLS; k++) b[k] = (lbp_real)(below(9, &rng)) - 4;
  for (k = 0; k < ROWS * COLS; k++) want[k] = (double)(c[k] = ct[k] = (lbp_real)(below(9, &rng)));
  for (r = 0; r < ROWS; r++) {
    for (i = 0; i < INNER; i++) {
      for (k = 0; k < COLS; k++) want[r * COLS + k] += 3 * (double)a[r * INNER + i] * (double)b[i * COLS + k];
    }
  }
  lbp_p_matmul(0, ROWS, INNER, COLS, 3, a, b, c);
  lbp_p_matmul(1, ROWS, INNER, COLS, 3, at, b, ct);
  for (k = 0; k < ROWS * COLS; k++) worst += fabs((double)c[k] - want[k]) + fabs((double)ct[k] - want[k]);
  CHECK_NEAR(worst, 0, 0);   /* small integers: exact */
  for (v = -80; v <= 80; v++) {
    const double e = exp(v / 8.0);
    CHECK_NEAR((double)lbp_p_exp((lbp_real)(v / 8.0)) / e, 1, IS_FLOAT ? 2e-6 : 1e-13);
    CHECK_NEAR(lbp_p_sigmoid((lbp_real)(v / 8.0)), e / (1 + e), IS_FLOAT ? 1e-6 : 1e-14);
  }
  CHECK(lbp_p_sigmoid(1000) >= 1 && lbp_p_sigmoid(-1000) >= 0 && lbp_p_sigmoid(-1000) < (lbp_real)1e-37);
}

static void test_rbm(void) {
  lbp_rng rng;
  lbp_rng_init(&rng, 10, 0);
  test_draw_bits();
  test_dense_arithmetic();
  test_rbm_callbacks(1, 1, 1.0, TOLERANCE, &rng);
  test_rbm_callbacks(23, 17, 1.0, TOLERANCE, &rng);
  test_rbm_callbacks(10, 512, 0.1, IS_FLOAT ? 2e-6 : 1e-12, &rng);
  test_rbm_callbacks(9, 1105, 0.5, IS_FLOAT ? 2e-6 : 1e-12, &rng);   /* several logarithms, an odd rest */
  test_rbm_callbacks(20, IS_FLOAT ? 60 : 600, IS_FLOAT ? 10.0 : 200.0, IS_FLOAT ? 2e-6 : 1e-10, &rng); /* large hidden inputs */
  test_rbm_marginal();
  test_rbm_exactness(0.07);
  test_rbm_exactness(IS_FLOAT ? 1.5 : 3);
  test_rbm_deltas_many();
  test_rbm_grid();
  test_rbm_errors();
  test_rbm_gibbs();
}

/* ---- RBM as bytes ------------------------------------------------------------------------------------------------ */

static void reseal(unsigned char *bytes, size_t size) { lbp_p_put(bytes + size - 8, lbp_checksum(bytes, size - 8), 8); }

static void test_rbm_layout(void) {
  static const unsigned char head[32] = {'l', 'b', 'p', '-', 'r', 'b', 'm', '\n', 1, 0, 0, 0, 2, 0, 0, 0,
                                         1, 0, 0, 0, 13, 0, 0, 0, /* W = 0.5, -2 */ 0, 0x10, 0, 0xc0,
                                         /* b = 3.5, 0 */ 0, 0x70, 0, 0};
  const lbp_real W[2] = {(lbp_real)0.5, -2}, b[2] = {(lbp_real)3.5, 0}, c[1] = {(lbp_real)-0.25};
  unsigned char bytes[64];
  lbp_rbm m;
  CHECK(lbp_rbm_init(&m, 2, 1, W, b, c) == LBP_OK);
  CHECK(lbp_rbm_bytes(2, 1) == 42);
  CHECK(lbp_rbm_bytes(0, 5) == UINT64_MAX && lbp_rbm_bytes(1u << 20, 1u << 20) == UINT64_MAX);
  CHECK(lbp_rbm_write(&m, bytes, 42) == LBP_OK);
  CHECK(memcmp(bytes, head, 32) == 0);
  CHECK(bytes[32] == 0x00 && bytes[33] == 0xf8);   /* c = -0.25 */
  CHECK(lbp_rbm_write(&m, bytes, 41) == LBP_E_SIZE);
  CHECK(lbp_rbm_write(&m, NULL, 42) == LBP_E_NULL);
  CHECK(lbp_rbm_write(NULL, bytes, 42) == LBP_E_NULL);
  lbp_rbm_free(&m);
  CHECK(lbp_rbm_write(&m, bytes, 42) == LBP_E_NULL);
}

/* Just below a power of two, rounding to 16 bits must not carry into the sign. */
static void test_rbm_carry(void) {
  const lbp_real W[1] = {(lbp_real)(1 - 1.0 / 1048576)}, zero[1] = {0};
  unsigned char bytes[38];
  lbp_rbm m;
  CHECK(lbp_rbm_init(&m, 1, 1, W, zero, zero) == LBP_OK);
  CHECK(lbp_rbm_write(&m, bytes, sizeof bytes) == LBP_OK);
  lbp_rbm_free(&m);
  CHECK(lbp_rbm_read(&m, bytes, sizeof bytes) == LBP_OK);
  CHECK_NEAR(m.W[0], 1, 1e-4);
  lbp_rbm_free(&m);
}

/* Large and small numbers in one model: double has room for both, float has not. */
static void test_two_scales(void) {
  enum { N = 6, HIDDEN = 3 };
  const int refused = IS_FLOAT ? LBP_E_PRECISION : LBP_OK;
  const uint32_t ends[4] = {0, 1, 1, 2};
  const double h[3] = {1e7, 0.05, 0.1}, J[2] = {1e6, 0.3}, few[2] = {16, 0.3}, small[2] = {0.3, 0.3}, alpha[4] = {1e6, 0.05, 0.3, 0};
  lbp_real W[N * HIDDEN], b[N] = {0}, c[HIDDEN] = {0};
  lbp_graph m;
  lbp_ising grid;
  lbp_rbm rbm;
  uint32_t k;
  CHECK(lbp_graph_init(&m, 3, NULL, 2, ends, few, 2) == LBP_OK && m.rounding > 0 && m.rounding < 1e-5);
  CHECK(lbp_graph_round(&m) == LBP_OK && m.rounding > 0 && m.rounding < 1e-5);
  CHECK(lbp_models_check_rounding(m.rounding, 1) == LBP_OK);
  CHECK(lbp_models_check_rounding(m.rounding, 1e-3 / m.rounding * 1.01) == LBP_E_PRECISION);
  lbp_graph_free(&m);
  CHECK(lbp_graph_init(&m, 3, h, 0, NULL, NULL, 0) == LBP_OK && m.rounding <= 1e-3); /* 1e7 is a float */
  lbp_graph_free(&m);
  CHECK(lbp_graph_init(&m, 3, h, 2, ends, small, 2) == refused); /* 2e7 + 1.2 is none */
  lbp_graph_free(&m);
  CHECK(lbp_graph_init(&m, 3, NULL, 2, ends, J, 2) == refused);
  lbp_graph_free(&m);
  CHECK(lbp_ising_init(&grid, 2, 2, 0.3, alpha) == refused);
  lbp_ising_free(&grid);
  CHECK(lbp_ising_init(&grid, 1, 3, 0.3, alpha + 1) == LBP_OK && grid.rounding < 1e-6);
  lbp_ising_free(&grid);
  for (k = 0; k < N * HIDDEN; k++) W[k] = (lbp_real)(0.05 * k);
  CHECK(lbp_rbm_init(&rbm, N, HIDDEN, W, b, c) == LBP_OK && rbm.rounding < 1e-3);
  lbp_rbm_free(&rbm);
  c[0] = (lbp_real)1e6;
  CHECK(lbp_rbm_init(&rbm, N, HIDDEN, W, b, c) == refused);
  lbp_rbm_free(&rbm);
  { /* of b alone: sums of b are in double, and 10^14 leaves them steps of 1 / 64 */
    enum { MANY = 100 };
    static lbp_real none[MANY], most[MANY];
    for (k = 0; k < MANY; k++) most[k] = (lbp_real)1e12;
    most[0] = (lbp_real)0.3, c[0] = 0;
    CHECK(lbp_rbm_init(&rbm, MANY, 1, none, most, c) == LBP_E_PRECISION);
    lbp_rbm_free(&rbm);
  }
}

/* The largest degree is found. */
static void test_graph_edges(void) {
  const uint32_t ends[8] = {0, 1, 0, 2, 0, 3, 3, 0}, loop[2] = {1, 1};
  const double J[4] = {1, 2, 3, 4}, h[4] = {1, 0, 0, 0};
  lbp_graph m, again;
  CHECK(lbp_graph_edges(&m, 4, h, 4, ends, J) == LBP_OK && m.max_degree == 3 && m.n == 4);
  CHECK(lbp_graph_init(&again, 4, h, 4, ends, J, 3) == LBP_OK && again.max_degree == 3);
  CHECK(memcmp(m.bias, again.bias, 4 * sizeof *m.bias) == 0 && memcmp(m.link, again.link, 6 * sizeof *m.link) == 0);
  lbp_graph_free(&m);
  lbp_graph_free(&again);
  CHECK(lbp_graph_edges(&m, 4, h, 0, NULL, NULL) == LBP_OK && m.max_degree == 0);
  lbp_graph_free(&m);
  CHECK(lbp_graph_edges(NULL, 4, h, 4, ends, J) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_graph_edges(&m, 4, h, 1, loop, J), LBP_E_INDEX);
}

static void test_rbm_round_trip(double scale) {
  enum { N = 9, HIDDEN = 5, SIZE = 24 + 2 * (N * HIDDEN + N + HIDDEN) + 8 };
  unsigned char bytes[SIZE + 1], again[SIZE];
  lbp_rbm m, back;
  double worst = 0.0, largest = 0.0;
  uint32_t k;
  CHECK(lbp_rbm_random(&m, N, HIDDEN, scale, 18) == LBP_OK);
  CHECK(lbp_rbm_bytes(N, HIDDEN) == SIZE);
  CHECK(lbp_rbm_write(&m, bytes, SIZE) == LBP_OK);
  CHECK(lbp_rbm_read(&back, bytes, SIZE) == LBP_OK);
  CHECK(back.n == N && back.hidden == HIDDEN);
  for (k = 0; k < N * HIDDEN + N + HIDDEN; k++) {
    const double gap = fabs((double)m.W[k] - (double)back.W[k]), size = fabs((double)m.W[k]);
    worst = gap > worst ? gap : worst;
    largest = size > largest ? size : largest;
  }
  CHECK(worst <= largest / 32768);   /* half a unit, the largest being at least 2^14 of them */
  CHECK(lbp_rbm_write(&back, again, SIZE) == LBP_OK);
  CHECK(memcmp(bytes, again, SIZE) == 0);
  lbp_rbm_free(&m);
  lbp_rbm_free(&back);
}

/* The largest parameters that a machine may have can be read back. */
static void test_rbm_largest(void) {
  enum { SIZE = 24 + 2 * 3 + 8 };
  const lbp_real W = (lbp_real)LBP_MODELS_LARGEST, b = -W, c = 0;
  unsigned char bytes[SIZE];
  lbp_rbm m, back;
  CHECK(lbp_rbm_init(&m, 1, 1, &W, &b, &c) == LBP_OK);
  CHECK(lbp_rbm_write(&m, bytes, SIZE) == LBP_OK);
  CHECK(lbp_rbm_read(&back, bytes, SIZE) == LBP_OK);
  CHECK_NEAR(back.W[0], W, 1e-4 * LBP_MODELS_LARGEST);
  CHECK_NEAR(back.b[0], b, 1e-4 * LBP_MODELS_LARGEST);
  lbp_rbm_free(&m);
  lbp_rbm_free(&back);
}

static void test_rbm_corrupt(void) {
  enum { N = 4, HIDDEN = 3, SIZE = 24 + 2 * (N * HIDDEN + N + HIDDEN) + 8 };
  unsigned char bytes[SIZE + 1] = {0}, bad[SIZE + 1];
  lbp_rbm m;
  size_t k;
  int bit;
  CHECK(lbp_rbm_random(&m, N, HIDDEN, 1.0, 19) == LBP_OK);
  CHECK(lbp_rbm_write(&m, bytes, SIZE) == LBP_OK);
  lbp_rbm_free(&m);
  for (k = 0; k < SIZE; k++) CHECK_REFUSED(m, lbp_rbm_read(&m, bytes, k), LBP_E_FORMAT);
  CHECK_REFUSED(m, lbp_rbm_read(&m, bytes, SIZE + 1), LBP_E_FORMAT);
  for (k = 0; k < SIZE; k++) {
    for (bit = 0; bit < 8; bit++) {
      memcpy(bad, bytes, SIZE);
      bad[k] ^= (unsigned char)(1 << bit);
      CHECK_REFUSED(m, lbp_rbm_read(&m, bad, SIZE), LBP_E_FORMAT);
    }
  }
  for (k = 0; k < 24; k++) {   /* a header that is wrong, not damaged: its checksum fits. Version, sizes, grid */
    memcpy(bad, bytes, SIZE);
    bad[k] = 0x7f;
    reseal(bad, SIZE);
    CHECK_REFUSED(m, lbp_rbm_read(&m, bad, SIZE), LBP_E_FORMAT);
  }
  memcpy(bad, bytes, SIZE);
  reseal(bad, SIZE + 1);   /* a byte too many, and its checksum fits */
  CHECK_REFUSED(m, lbp_rbm_read(&m, bad, SIZE + 1), LBP_E_FORMAT);
  memcpy(bad, bytes, SIZE);
  lbp_p_put(bad + 20, 100, 4);
  reseal(bad, SIZE);
  CHECK(lbp_rbm_read(&m, bad, SIZE) == LBP_OK);   /* the finest grid there is */
  lbp_rbm_free(&m);
  lbp_p_put(bad + 20, (uint64_t)-26, 4);
  reseal(bad, SIZE);
  CHECK_REFUSED(m, lbp_rbm_read(&m, bad, SIZE), LBP_E_FORMAT);
  lbp_p_put(bad + 20, 0, 4);
  memset(bad + 12, 0, 8);   /* no units at all, in a file of the right length */
  reseal(bad, 32);
  CHECK_REFUSED(m, lbp_rbm_read(&m, bad, 32), LBP_E_FORMAT);
  CHECK_REFUSED(m, lbp_rbm_read(&m, NULL, SIZE), LBP_E_NULL);
  CHECK(lbp_rbm_read(NULL, bytes, SIZE) == LBP_E_NULL);
}

static void test_rbm_bytes(void) {
  test_rbm_layout();
  test_rbm_carry();
  test_rbm_round_trip(0.1);
  test_rbm_round_trip(100);
  test_two_scales();
  test_graph_edges();
  test_rbm_round_trip(1e-20);
  test_rbm_largest();
  test_rbm_corrupt();
}

/* ---- training ---------------------------------------------------------------------------------------------------- */

enum { TINY_N = 6, TINY_HIDDEN = 3, TINY_ROWS = 600 };

/* Two prototypes, each pixel wrong with probability 0.1. */
static void tiny_data(uint8_t *data) {
  lbp_rng rng;
  uint32_t row, i;
  lbp_rng_init(&rng, 20, 0);
  for (row = 0; row < TINY_ROWS; row++) {
    const uint32_t kind = below(2, &rng);
    for (i = 0; i < TINY_N; i++) data[row * TINY_N + i] = (uint8_t)(((i < 3) ^ kind) ^ (uniform(&rng) < 0.1));
  }
}

/* Mean over the data of log pi(x), normalised. */
static double tiny_likelihood(const lbp_rbm *m, const uint8_t *data) {
  double total = 0.0, sum = 0.0;
  uint8_t x[TINY_N];
  uint32_t s, i, row;
  for (s = 0; s < 1u << TINY_N; s++) {
    for (i = 0; i < TINY_N; i++) x[i] = (uint8_t)(s >> i & 1);
    total += exp(rbm_truth_at(m, x));
  }
  for (row = 0; row < TINY_ROWS; row++) sum += rbm_truth_at(m, data + row * TINY_N);
  return sum / (double)TINY_ROWS - log(total);
}

/* What the best possible model reaches: minus the entropy of the data. */
static double tiny_bound(const uint8_t *data) {
  double bound = 0.0;
  uint32_t seen[1 << TINY_N] = {0}, row, i;
  for (row = 0; row < TINY_ROWS; row++) {
    uint32_t s = 0;
    for (i = 0; i < TINY_N; i++) s |= (uint32_t)data[row * TINY_N + i] << i;
    seen[s]++;
  }
  for (i = 0; i < 1u << TINY_N; i++) {
    const double p = seen[i] / (double)TINY_ROWS;
    if (seen[i] > 0) bound += p * log(p);
  }
  return bound;
}

typedef struct {
  uint64_t calls, wrong;
  double model_ones;   /* summed over the second half */
} training_log;

static void log_training(void *user, const lbp_rbm_progress *p) {
  training_log *seen = (training_log *)user;
  seen->calls++;
  seen->wrong += p->done != seen->calls || !(p->data_ones > 0.3 && p->data_ones < 0.7);
  if (2 * p->done > p->total) seen->model_ones += p->model_ones;
}

/* The private gradient, with the whole law for model samples, is that of the exact likelihood. */
static void test_training_gradient(const uint8_t *data) {
  const double step = 1e-3;
  lbp_rbm_training how = lbp_rbm_training_defaults(21);
  lbp_p_trainer t;
  lbp_real *theta;
  double worst = 0.0;
  uint32_t k, i, count = TINY_N * TINY_HIDDEN + TINY_N + TINY_HIDDEN;
  how.batch = TINY_ROWS;
  CHECK(lbp_p_trainer_init(&t, TINY_N, TINY_HIDDEN, TINY_ROWS, &how) == LBP_OK);
  lbp_p_trainer_start(&t, data, TINY_ROWS);
  for (i = 0; i < TINY_ROWS * TINY_N; i++) t.v[i] = data[i];
  (void)lbp_p_trainer_gradient(&t, 1.0);
  theta = t.model.W;
  for (k = 0; k < count; k++) {   /* of the mean unnormalised log pi */
    const lbp_real kept = theta[k];
    double up = 0.0, down = 0.0;
    theta[k] = kept + (lbp_real)step;
    for (i = 0; i < TINY_ROWS; i++) up += rbm_truth_at(&t.model, data + i * TINY_N);
    theta[k] = kept - (lbp_real)step;
    for (i = 0; i < TINY_ROWS; i++) down += rbm_truth_at(&t.model, data + i * TINY_N);
    theta[k] = kept;
    up = fabs((up - down) / (2 * step * (double)TINY_ROWS) - (double)t.gradient.W[k]);
    worst = up > worst ? up : worst;
  }
  CHECK_NEAR(worst, 0, IS_FLOAT ? 2e-4 : 1e-6);
  lbp_p_trainer_free(&t);
}

/* Pixels that are always the same begin as if they were so 99 times in 100. */
static void test_training_constant(void) {
  uint8_t data[4 * 3] = {0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1};
  lbp_rbm_training how = lbp_rbm_training_defaults(23);
  lbp_rbm m;
  how.batch = 4;
  how.rate = 1e-12; /* it stays where it begins */
  CHECK(lbp_rbm_train(&m, 3, 2, data, 4, &how, NULL, NULL) == LBP_OK);
  CHECK_NEAR(m.b[0], -log(99.0), 1e-3);
  CHECK_NEAR(m.b[1], log(99.0), 1e-3);
  CHECK_NEAR(m.b[2], 0, 1e-3);
  lbp_rbm_free(&m);
}

static void test_training_errors(uint8_t *data) {
  lbp_rbm_training how = lbp_rbm_training_defaults(1);
  const lbp_rbm_training good = how;
  lbp_rbm m;
  CHECK(how.epochs == 1 && how.batch == 100 && how.gibbs == 100);
  CHECK_NEAR(how.rate, 1e-3, 0);
  CHECK(lbp_rbm_train(NULL, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, NULL, TINY_ROWS, &how, NULL, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, NULL, NULL, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_rbm_train(&m, 0, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, 0, data, TINY_ROWS, &how, NULL, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, 0, &how, NULL, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, (1u << 20) + 1, data, TINY_ROWS, &how, NULL, NULL), LBP_E_SIZE);
  how.batch = 0;
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL), LBP_E_RANGE);
  how.batch = TINY_ROWS + 1;
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL), LBP_E_RANGE);
  how = good;
  how.epochs = 0;
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL), LBP_E_RANGE);
  how = good;
  how.gibbs = 0;
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL), LBP_E_RANGE);
  how = good;
  how.rate = 0;
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL), LBP_E_RANGE);
  how.rate = 1.5;
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL), LBP_E_RANGE);
  how.rate = not_a_number();
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL), LBP_E_NOT_FINITE);
  how = good;
  data[TINY_ROWS * TINY_N - 1] = 2;
  CHECK_REFUSED(m, lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL), LBP_E_STATE);
  data[TINY_ROWS * TINY_N - 1] = 1;
}

static void test_training(void) {
  static uint8_t data[TINY_ROWS * TINY_N];
  lbp_rbm_training how = lbp_rbm_training_defaults(22);
  const size_t bytes = sizeof(lbp_real) * (TINY_N * TINY_HIDDEN + TINY_N + TINY_HIDDEN);
  training_log seen = {0, 0, 0.0};
  double before, after, bound, ones = 0.0;
  lbp_p_trainer start;
  lbp_rbm m, again;
  uint32_t i;
  tiny_data(data);
  for (i = 0; i < TINY_ROWS * TINY_N; i++) ones += data[i];
  test_training_gradient(data);
  how.epochs = 40;
  how.gibbs = 10;
  how.batch = 50;
  how.rate = 0.02;
  CHECK(lbp_p_trainer_init(&start, TINY_N, TINY_HIDDEN, TINY_ROWS, &how) == LBP_OK);
  lbp_p_trainer_start(&start, data, TINY_ROWS);
  for (i = 0; i < TINY_N * TINY_HIDDEN; i++) CHECK(fabs((double)start.model.W[i]) <= 1 / sqrt((double)TINY_N));
  before = tiny_likelihood(&start.model, data);
  lbp_p_trainer_free(&start);
  CHECK(lbp_rbm_train(&m, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, log_training, &seen) == LBP_OK);
  CHECK(seen.calls == 12 * 40 && seen.wrong == 0);
  CHECK_NEAR(seen.model_ones / 240, ones / (double)(TINY_ROWS * TINY_N), 0.02);
  after = tiny_likelihood(&m, data);
  bound = tiny_bound(data);
  CHECK(before < bound - 0.8);   /* there is something to learn */
  CHECK(after > bound - 0.12 && after <= bound);
  CHECK(lbp_rbm_train(&again, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL) == LBP_OK);
  CHECK(memcmp(m.W, again.W, bytes) == 0);
  lbp_rbm_free(&again);
  how.seed++;
  CHECK(lbp_rbm_train(&again, TINY_N, TINY_HIDDEN, data, TINY_ROWS, &how, NULL, NULL) == LBP_OK);
  CHECK(memcmp(m.W, again.W, bytes) != 0);
  lbp_rbm_free(&again);
  lbp_rbm_free(&m);
  test_training_constant();
  test_training_errors(data);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static char scratch_path[1024]; /* beside the program: others that are made of this file may run at the same time */

static const char *scratch(void) { return scratch_path; }

static void write_scratch(const void *bytes, size_t size) {
  FILE *file = fopen(scratch(), "wb");
  CHECK(file != NULL);
  if (file == NULL) return;
  CHECK(fwrite(bytes, 1, size, file) == size);
  CHECK(fclose(file) == 0);
}

/* Bytes that are no good image file: the status, and a sentence that names the file and says `word`. */
static void check_idx_refused(const void *bytes, size_t size, int want, const char *word) {
  idx_images images;
  char why[IDX_WHY] = "";
  write_scratch(bytes, size);
  CHECK_REFUSED(images, idx_read(&images, scratch(), why), want);
  CHECK(strstr(why, scratch()) != NULL);
  CHECK(strstr(why, word) != NULL);
}

static void test_idx(void) {
  enum { SIZE = 16 + 3 * 2 * 4 };
  uint8_t bytes[SIZE + 1] = {0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 4}, bad[SIZE];
  idx_images images;
  char why[IDX_WHY] = "";
  size_t k;
  for (k = 16; k <= SIZE; k++) bytes[k] = (uint8_t)(k * 11);
  write_scratch(bytes, SIZE);
  CHECK(idx_read(&images, scratch(), why) == LBP_OK);
  CHECK(images.count == 3 && images.rows == 2 && images.cols == 4);
  CHECK(memcmp(images.pixels, bytes + 16, SIZE - 16) == 0);
  images.pixels[0] = 127;
  images.pixels[1] = 128;
  idx_binarise(&images);
  CHECK(images.pixels[0] == 0 && images.pixels[1] == 1);
  for (k = 2; k < SIZE - 16; k++) CHECK(images.pixels[k] == (bytes[16 + k] / 255.0 > 0.5));
  idx_free(&images);
  idx_free(&images);

  check_idx_refused(bytes, 0, LBP_E_FORMAT, "header");
  for (k = 1; k < SIZE; k++) check_idx_refused(bytes, k, LBP_E_FORMAT, k < 16 ? "header" : "truncated");
  check_idx_refused(bytes, SIZE + 1, LBP_E_FORMAT, "goes on");
  memcpy(bad, bytes, SIZE);
  bad[3] = 1;   /* an IDX file of labels */
  check_idx_refused(bad, SIZE, LBP_E_FORMAT, "not an IDX file of images");
  check_idx_refused("<!DOCTYPE html> no such page", 28, LBP_E_FORMAT, "not an IDX file of images");
  for (k = 4; k < 16; k += 4) {
    memcpy(bad, bytes, SIZE);
    memset(bad + k, 0, 4);
    check_idx_refused(bad, SIZE, LBP_E_FORMAT, "nothing");
    memset(bad + k, 0xff, 4);
    check_idx_refused(bad, SIZE, LBP_E_FORMAT, "absurd");
  }
  memset(bad + 4, 0xff, 12);
  check_idx_refused(bad, SIZE, LBP_E_FORMAT, "absurd");
  memcpy(bad, bytes, SIZE);
  bad[4] = 0x0f;   /* claims 2^31 pixels or so and has 24: no memory is taken on trust */
  check_idx_refused(bad, SIZE, LBP_E_FORMAT, "truncated");
#if IDX_ZLIB
  {
    gzFile file = gzopen(scratch(), "wb");
    CHECK(gzwrite(file, bytes, SIZE) == SIZE);
    CHECK(gzclose(file) == Z_OK);
    CHECK(idx_read(&images, scratch(), why) == LBP_OK);
    CHECK(memcmp(images.pixels, bytes + 16, SIZE - 16) == 0);
    idx_free(&images);

    file = gzopen(scratch(), "wb"); /* a gzip file in a gzip file */
    CHECK(gzwrite(file, "\x1f\x8b\x08 and so on and so on", 20) == 20);
    CHECK(gzclose(file) == Z_OK);
    CHECK_REFUSED(images, idx_read(&images, scratch(), why), LBP_E_FORMAT);
    CHECK(strstr(why, "gzipped twice") != NULL);
  }
#else
  check_idx_refused("\x1f\x8b\x08 and so on and so on", 20, LBP_E_FORMAT, "zlib");
#endif
  CHECK(remove(scratch()) == 0);
  CHECK_REFUSED(images, idx_read(&images, scratch(), why), LBP_E_FILE);
  CHECK(strstr(why, "cannot open") != NULL);
}

static void check_numbers_refused(const char *text, size_t count, const char *word) {
  double out[3];
  char why[INPUT_WHY] = "";
  write_scratch(text, strlen(text));
  CHECK(input_numbers(scratch(), count, out, why) == LBP_E_FORMAT);
  CHECK(strstr(why, scratch()) != NULL && strstr(why, word) != NULL);
}

static void check_state_refused(const char *text, const char *word) {
  uint8_t x[6];
  char why[INPUT_WHY] = "";
  write_scratch(text, strlen(text));
  CHECK(instance_state(scratch(), 6, x, why) == LBP_E_FORMAT);
  CHECK(strstr(why, scratch()) != NULL && strstr(why, word) != NULL);
}

static void test_instance_models(void) {
  char why[INPUT_WHY] = "";
  unsigned char bytes[42] = {0};
  lbp_bernoulli bernoulli;
  lbp_ising ising;
  lbp_fhmm fhmm;
  lbp_rbm rbm;
  write_scratch("0.25\n0.5\n0.75\n0.5\n", 18);
  CHECK(instance_bernoulli(&bernoulli, scratch(), 4, why) == LBP_OK);
  CHECK_NEAR(bernoulli.logit[2], log(3.0), TOLERANCE);
  lbp_bernoulli_free(&bernoulli);
  CHECK_REFUSED(bernoulli, instance_bernoulli(&bernoulli, scratch(), 5, why), LBP_E_FORMAT);
  CHECK(instance_ising(&ising, scratch(), 2, LBP_C3, why) == LBP_OK);
  CHECK_NEAR(ising.lambda, 0.2, 1e-12);
  CHECK_NEAR(ising.alpha[2], 0.75, 0);
  lbp_ising_free(&ising);
  CHECK(instance_fhmm(&fhmm, scratch(), 1, 2, LBP_C3, LBP_FHMM_AS_RUN, why) == LBP_OK);
  CHECK_NEAR(fhmm.W[1], 0.5, 0);
  CHECK_NEAR(fhmm.b, 0.75, 0);
  CHECK_NEAR(fhmm.sigma2, 0.5, 0);
  CHECK_NEAR(fhmm.centred[0], -0.25, 0);
  lbp_fhmm_free(&fhmm);
  write_scratch("0.25 1", 6);
  CHECK_REFUSED(bernoulli, instance_bernoulli(&bernoulli, scratch(), 2, why), LBP_E_RANGE);
  CHECK(strstr(why, scratch()) != NULL && strstr(why, "range") != NULL);
  CHECK(lbp_rbm_random(&rbm, 2, 1, 1.0, 23) == LBP_OK);
  CHECK(lbp_rbm_write(&rbm, bytes, sizeof bytes) == LBP_OK);
  lbp_rbm_free(&rbm);
  write_scratch(bytes, sizeof bytes);
  CHECK(input_rbm(&rbm, scratch(), why) == LBP_OK);
  CHECK(rbm.n == 2 && rbm.hidden == 1);
  lbp_rbm_free(&rbm);
  write_scratch(bytes, sizeof bytes - 1);
  CHECK_REFUSED(rbm, input_rbm(&rbm, scratch(), why), LBP_E_FORMAT);
  CHECK(strstr(why, scratch()) != NULL);
  write_scratch(bytes, 0);
  CHECK_REFUSED(rbm, input_rbm(&rbm, scratch(), why), LBP_E_FORMAT);
  CHECK(remove(scratch()) == 0);
  CHECK_REFUSED(rbm, input_rbm(&rbm, scratch(), why), LBP_E_FILE);
  CHECK_REFUSED(ising, instance_ising(&ising, scratch(), 2, LBP_C1, why), LBP_E_FILE);
  CHECK_REFUSED(fhmm, instance_fhmm(&fhmm, scratch(), 1, 2, LBP_C1, LBP_FHMM_AS_RUN, why), LBP_E_FILE);
}

static void test_instances(void) {
  static const uint8_t state[6] = {0, 1, 1, 0, 0, 1};
  double out[3] = {0, 0, 0};
  uint8_t x[6] = {0};
  char why[INPUT_WHY] = "";
  write_scratch(" 1\n-2.5e0\n\n3\n", 13);
  CHECK(input_numbers(scratch(), 3, out, why) == LBP_OK);
  CHECK_NEAR(out[0] + 10 * out[1] + 100 * out[2], 276, 0);
  check_numbers_refused("1\n2\n", 3, "number 3 of 3");
  check_numbers_refused("1\nx\n2\n", 3, "number 2 of 3");
  check_numbers_refused("1\nnan\n2\n", 3, "number 2 of 3");
  check_numbers_refused("", 1, "number 1 of 1");
  check_numbers_refused("1 2 3 4", 3, "goes on");
  write_scratch("011\n001\n", 8);
  CHECK(instance_state(scratch(), 6, x, why) == LBP_OK);
  CHECK(memcmp(x, state, 6) == 0);
  check_state_refused("011\n00\n", "found 5");
  check_state_refused("011\n0012\n", "more after 6");
  check_state_refused("011\n0010\n", "more after 6");
  check_state_refused("01x001", "found 2");
  check_state_refused("", "found 0");
  CHECK(remove(scratch()) == 0);
  CHECK(input_numbers(scratch(), 3, out, why) == LBP_E_FILE);
  CHECK(instance_state(scratch(), 6, x, why) == LBP_E_FILE);
  test_instance_models();
}

int main(int argc, char **argv) {
  snprintf(scratch_path, sizeof scratch_path, "%.1000s.tmp", argc > 0 ? argv[0] : "test_models");
  test_bernoulli();
  test_ising();
  test_graph();
  test_graph_fields();
  test_fhmm();
  test_rbm();
  test_rbm_bytes();
  test_training();
  test_idx();
  test_instances();
  return test_report();
}
