/* Paths of flips, lbp/options/path.h: by enumeration, and where there are too many sites for that.
 *
 * Of up to 6 sites all paths of up to 4 flips are walked, by words that are chosen: acceptance, detailed balance to
 * 1e-12, what a step leaves behind to the last bit; with interactions, with states that exclude each other, with
 * log-ratios up to +-80. Then transitions and the law itself by chi-squared tests at level 1e-8, about 250 of them;
 * means of longer rings, 12 within 6.5 of their standard errors from 32 batches (3e-7 each): a false alarm of the suite
 * has probability 6e-6. */
#include "toy.h"
#include "chi2.h"
#include "exact/matrix.h"

#define PATH_LOCAL   1
#define PATH_LISTED  2
#define PATH_SAVED   3
#define PATH_PRODUCT 4

#ifdef API_QUICK
enum { PATH_TRIALS = 1500, PATH_LARGEST = 4 };
#else
enum { PATH_TRIALS = 4000, PATH_LARGEST = 6 };
#endif
enum { PATH_MOST = 4 }; /* flips of a path that is walked */

#define AS_DOUBLE(name) name
#define AS_FLOAT(name)  name##_float

/* ---- words that are chosen --------------------------------------------------------------------------------------- */

typedef struct {
  lbp_rng own;
  const uint64_t *word; /* come first */
  uint32_t left;
} path_rng;

static uint64_t path_word(path_rng *rng) {
  if (rng->left == 0) return lbp_rng_u64(&rng->own);
  rng->left--;
  return *rng->word++;
}

static void path_begin(path_rng *rng, const uint64_t *word, uint32_t count) {
  lbp_rng_init(&rng->own, 1, 1);
  rng->word = word;
  rng->left = count;
}

/* The word by which lbp_urn_aim finds a site, with a threshold of 0. */
static uint64_t path_word_of(uint32_t n, uint32_t site) { return site * (UINT64_MAX / n) + site; }

/* Not even balanced: flips by which log pi gains much have weight 0, but not their ways back. */
static double path_log_weight(double d) { return d > 1.5 ? -HUGE_VAL : d < 0 ? 0.75 * d : 0.25 * d; }

/* ---- laws -------------------------------------------------------------------------------------------------------- */

/* A model by its states, and the weights that an instance has in them. */
typedef struct {
  uint32_t n, states, weight[1 << 6][6];
  uint64_t total[1 << 6];
  double value[1 << 6]; /* beta log pi; -infinity where it is impossible */
} path_table;

static int path_is_possible(const path_table *t, uint32_t x) { return t->value[x] > -1e300; }

/* kind 0: mild; 1: neighbouring ones are impossible; 2: log-ratios between some -80 and 80. */
static toy path_toy(int product, uint32_t n, int kind) {
  toy t = product ? toy_product(n, 0.75, 0, 11) : toy_make(n, 0.75, kind == 1, 11);
  uint32_t i;
  for (i = 0; i < n && kind == 2; i++) t.field[i] += i % 3 == 0 ? 39 : i % 3 == 1 ? -38 : 0;
  return t;
}

static double path_value(const toy *m, uint32_t code, double beta) {
  uint8_t x[TOY_MAX];
  double value;
  uint32_t i;
  for (i = 0; i < m->n; i++) x[i] = (uint8_t)(code >> i & 1);
  value = toy_logp(m, x);
  return value > -1e300 ? beta * value : value;
}

static void path_values(path_table *t, const toy *m, double beta, uint32_t mask) {
  uint32_t x;
  (void)mask;
  memset(t, 0, sizeof *t);
  t->n = m->n;
  t->states = 1u << m->n;
  for (x = 0; x < t->states; x++) t->value[x] = path_value(m, x, beta);
}

/* The law, in which clamped sites are 0. */
static void path_law(const toy *m, double beta, uint32_t mask, double *law) {
  double sum = 0, top = -1e300;
  uint32_t x;
  for (x = 0; x < 1u << m->n; x++) top = x & mask ? top : fmax(top, path_value(m, x, beta));
  for (x = 0; x < 1u << m->n; x++) sum += law[x] = x & mask ? 0 : exp(path_value(m, x, beta) - top);
  for (x = 0; x < 1u << m->n; x++) law[x] /= sum;
}

static uint32_t path_sample(const double *law, double u) {
  uint32_t code = 0;
  for (; u >= law[code] && code < (1u << TOY_MAX) - 1; code++) u -= law[code];
  return code;
}

/* Whether no flip of a path is impossible. */
static int path_leads(const path_table *t, uint32_t x, const uint32_t *site, uint32_t R) {
  uint32_t k;
  for (k = 0; k < R; k++) {
    if (t->weight[x][site[k]] == 0) return 0;
    x ^= 1u << site[k];
  }
  return 1;
}

/* The logarithm of the probability that it is proposed. */
static double path_log_q(const path_table *t, uint32_t x, const uint32_t *site, uint32_t R) {
  double sum = 0;
  uint32_t k;
  for (k = 0; k < R; k++) {
    sum += log(t->weight[x][site[k]]) - log((double)t->total[x]);
    x ^= 1u << site[k];
  }
  return sum;
}

/* The probability that it is accepted, from both proposals in full. */
static double path_accept(const path_table *t, uint32_t x, const uint32_t *site, uint32_t R) {
  double ratio = 1;
  uint32_t k, y = x;
  for (k = 0; k < R; k++) {
    const uint32_t i = site[k], z = y ^ 1u << i;
    ratio *= (double)t->weight[z][i] / (double)t->weight[y][i] * (double)t->total[y] / (double)t->total[z];
    y = z;
  }
  ratio *= exp(t->value[y] - t->value[x]);
  return ratio < 1 ? ratio : 1;
}

/* What a step of R flips does to all states. */
static void path_matrix(const path_table *t, uint32_t R, matrix P) {
  uint32_t x, code, codes = 1, k, site[PATH_MOST];
  matrix_identity(t->states, P);
  for (k = 0; k < R; k++) codes *= t->n;
  for (x = 0; x < t->states; x++) {
    for (code = 0; code < codes && path_is_possible(t, x); code++) {
      uint32_t rest = code, y = x;
      double p;
      for (k = 0; k < R; k++, rest /= t->n) site[k] = rest % t->n;
      if (!path_leads(t, x, site, R)) continue;
      for (k = 0; k < R; k++) y ^= 1u << site[k];
      p = exp(path_log_q(t, x, site, R)) * path_accept(t, x, site, R);
      P[x][y] += p;
      P[x][x] -= p;
    }
  }
}

static uint32_t path_refused; /* of all walked: paths with an acceptance below 1/2 */

/* ---- instances --------------------------------------------------------------------------------------------------- */

#define CASE        ld
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   PATH_LOCAL
#define CASE_NEVER
#include "cases/path_case.h"

#define CASE        lf
#define CASE_REAL   float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   PATH_LOCAL
#define CASE_NEVER
#include "cases/path_case.h"

#define CASE        ld_sqrt
#define CASE_REAL   double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   PATH_LOCAL
#define CASE_N      5
#define CASE_NEVER
#include "cases/path_case.h"

#define CASE        lf_hot
#define CASE_REAL   float
#define CASE_WEIGHT LBP_METROPOLIS
#define CASE_KIND   PATH_LOCAL
#define CASE_BETA   0.5
#define CASE_MASK   2u
#define CASE_NEVER
#include "cases/path_case.h"

#define CASE        ld_custom
#define CASE_REAL   double
#define CASE_WEIGHT LBP_CUSTOM
#define CASE_KIND   PATH_SAVED
#define CASE_NEVER
#include "cases/path_case.h"

#define CASE        sd
#define CASE_REAL   double
#define CASE_WEIGHT LBP_METROPOLIS
#define CASE_KIND   PATH_LISTED
#define CASE_DELTAS AS_DOUBLE
#define CASE_BETA   1.5
#define CASE_NEVER
#include "cases/path_case.h"

#define CASE            sf_sorted
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_KIND       PATH_LISTED
#define CASE_DELTAS     AS_FLOAT
#define CASE_MASK       1u
#define CASE_SORT_ABOVE 0
#include "cases/path_case.h"

#define CASE            ld_sorted
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_SQRT
#define CASE_KIND       PATH_SAVED
#define CASE_SORT_ABOVE 2
#include "cases/path_case.h"

#define CASE        pf
#define CASE_REAL   float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   PATH_PRODUCT
#define CASE_N      5
#include "cases/path_case.h"

#define CASE        pd
#define CASE_REAL   double
#define CASE_WEIGHT LBP_METROPOLIS
#define CASE_KIND   PATH_PRODUCT
#define CASE_NEVER
#include "cases/path_case.h"

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* log pi(x) = field sum_i x_i + pull sum_i x_i x_i+1; where `hard`, neighbouring ones are impossible. */
typedef struct {
  uint32_t n;
  int hard;
  double field, pull;
  uint32_t sick; /* a site whose log-ratio is NaN while its neighbours differ; n: none; above n: in impossible states
                    those of ones beside ones are, for which a step must not ask */
} ring;

typedef struct {
  uint8_t around[200]; /* how many neighbours are 1 */
} ring_fields;

static double ring_ratio(const ring *m, uint32_t x, uint32_t around) {
  if (m->hard && around > 0) return x ? HUGE_VAL : -HUGE_VAL;
  return (x ? -1 : 1) * (m->field + m->pull * around);
}

static uint32_t ring_around(const ring *m, const uint8_t *x, uint32_t i) {
  return (uint32_t)x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n];
}

static double ring_delta(const ring *m, const uint8_t *x, uint32_t i) {
  const uint32_t around = ring_around(m, x, i);
  if (m->sick > m->n ? m->hard && x[i] && around > 0 : i == m->sick && around == 1) return HUGE_VAL - HUGE_VAL;
  return ring_ratio(m, x[i], around);
}

static double ring_logp(const ring *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    if (m->hard && x[i] && x[(i + 1) % m->n]) return -HUGE_VAL;
    sum += x[i] * (m->field + m->pull * x[(i + 1) % m->n]);
  }
  return sum;
}

static uint32_t ring_neighbours(const ring *m, uint32_t i, uint32_t *out) {
  out[0] = (i + 1) % m->n;
  out[1] = (i + m->n - 1) % m->n;
  return 2;
}

static void ring_set(const ring *m, ring_fields *f, const uint8_t *x) {
  uint32_t i;
  for (i = 0; i < m->n; i++) f->around[i] = (uint8_t)ring_around(m, x, i);
}

static void ring_flip(const ring *m, ring_fields *f, const uint8_t *x, uint32_t i) {
  uint32_t list[2], k;
  for (k = 0; k < ring_neighbours(m, i, list); k++) f->around[list[k]] = (uint8_t)(f->around[list[k]] + 2 * x[i] - 1);
}

static float ring_fields_delta(const ring *m, const ring_fields *f, const uint8_t *x, uint32_t i) {
  return (float)ring_ratio(m, x[i], f->around[i]);
}

static uint32_t ring_flip_list(const ring *m, ring_fields *f, const uint8_t *x, uint32_t i, uint32_t *site,
                               float *ratio) {
  const uint32_t count = ring_neighbours(m, i, site);
  uint32_t k;
  ring_flip(m, f, x, i);
  for (k = 0; k < count; k++) ratio[k] = ring_fields_delta(m, f, x, site[k]);
  return count;
}

#define LBP_NAME           walk
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_SORT_ABOVE     LBP_NEVER
#define LBP_RNG_T          path_rng
#define LBP_RNG_U64        path_word
#define LBP_PATH
#include "../lbp.h"

#define LBP_NAME           walk_float
#define LBP_MODEL_T        ring
#define LBP_REAL           float
#define LBP_FIELDS_T       ring_fields
#define LBP_FIELDS_INIT    ring_set
#define LBP_FLIP           ring_flip
#define LBP_FLIP_LIST      ring_flip_list
#define LBP_DELTA          ring_fields_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_SORT_ABOVE     LBP_NEVER
#define LBP_RNG_T          path_rng
#define LBP_RNG_U64        path_word
#define LBP_PATH
#include "../lbp.h"

#define LBP_NAME           sorted
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_WEIGHT         LBP_SQRT
#define LBP_SORT_ABOVE     0
#define LBP_PATH
#include "../lbp.h"

#define LBP_NAME           checked
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_CLOCK          LBP_BARKER
#define LBP_PATH
#define LBP_CLAMPED
#undef LBP_CHECKED
#define LBP_CHECKED 1
#include "../lbp.h"
#undef LBP_CHECKED
#define LBP_CHECKED 0

enum { RING_MOST = 200, RING_WS = 1024, RING_FLIPS = 1000 };

/* The acceptance of paths too long to be enumerated, by the formula in full: flips drawn from outside in proportion to
 * the weights, or with `there_and_back` of as many sites as there are and back but for the first, on the way where log pi
 * loses thousands, and the weights gain what no double holds. */
static double ring_accept(const ring *m, uint8_t *x, const uint32_t *site, uint32_t R) {
  static uint64_t ws[RING_WS];
  walk_chain c;
  double log_ratio = 0;
  uint64_t total = 0;
  uint32_t k;
  if (walk_init(&c, m->n, x, ws, RING_WS) != LBP_OK) abort();
  for (k = 0; k <= R; k++) {
    walk_touch(&c);
    walk_priv_prepare(&c, m, 1);
    if (k > 0) log_ratio += log(c.weight[site[k - 1]]) + log((double)total / (double)c.urn.sums.total);
    if (k == R) break;
    total = c.urn.sums.total;
    log_ratio += ring_delta(m, x, site[k]) - log(c.weight[site[k]]);
    x[site[k]] ^= 1;
  }
  return log_ratio < 0 ? exp(log_ratio) : 1;
}

static void check_long(ring m, int there_and_back) {
  static uint64_t ws[3][RING_WS], word[RING_FLIPS + 1];
  static uint32_t site[RING_FLIPS];
  uint8_t x[3][RING_MOST] = {{0}}, end[RING_MOST] = {0};
  ring_fields fields;
  walk_chain a, c;
  walk_float_chain b;
  walk_info info;
  walk_float_info other;
  path_rng rng;
  double want;
  uint64_t total;
  uint32_t k, i, R = there_and_back ? 2 * m.n - 1 : 500, ok = 1;
  path_begin(&rng, NULL, 0);
  if (walk_init(&c, m.n, x[2], ws[2], RING_WS) != LBP_OK) abort();
  for (k = 0; k < R; k++) {
    if (there_and_back) {
      site[k] = k < m.n ? k : 2 * m.n - 1 - k;
    } else {
      walk_touch(&c);
      walk_priv_prepare(&c, &m, 1);
      site[k] = lbp_urn_pick(&c.urn, c.weight, c.before, m.n, path_word(&rng), 0);
      x[2][site[k]] ^= 1;
    }
    word[k] = path_word_of(m.n, site[k]);
  }
  memset(x, 0, sizeof x);
  want = ring_accept(&m, end, site, R);
  for (k = 0; k < 2; k++) { /* refused if it can be, and accepted */
    word[R] = k ? 0 : UINT64_MAX;
    memset(x, 0, 2 * sizeof x[0]);
    if (walk_init(&a, m.n, x[0], ws[0], RING_WS) != LBP_OK ||
        walk_float_init(&b, m.n, x[1], &fields, ws[1], RING_WS) != LBP_OK) {
      abort();
    }
    path_begin(&rng, word, R + 1);
    info = walk_path_step(&a, &m, R, &rng);
    path_begin(&rng, word, R + 1);
    other = walk_float_path_step(&b, &m, R, &rng);
    CHECK_NEAR((double)info.accept / want, 1, TEST_ALIKE ? 1e-11 : 1e-4);
    CHECK_NEAR((double)other.accept / want, 1, TEST_ALIKE ? 2e-6 : 1e-4);
    ok &= memcmp(x[0], end, m.n) == 0 || info.accepted == 0;
    ok &= memcmp(x[1], end, m.n) == 0 || other.accepted == 0;
    CHECK_NEAR(info.log_ratio, info.accepted ? ring_logp(&m, x[0]) : 0, 1e-9);
    memcpy(x[2], x[0], m.n);
    walk_touch(&c);
    walk_priv_prepare(&c, &m, 1);
    for (i = 0, total = 0; i < m.n; i++) ok &= test_same_weight(a.weight[i], c.weight[i]), total += a.weight[i];
    ok &= total == a.urn.sums.total;
    ok &= test_same_weight((double)a.urn.sums.total, (double)c.urn.sums.total);
  }
  CHECK(ok);
}

/* The share of ones where neighbours exclude each other: by a transfer matrix. */
static double ring_density(const ring *m) {
  const double step = 1e-5;
  double log_z[2];
  int k;
  for (k = 0; k < 2; k++) {
    const double z = exp(m->field + (k ? step : -step)), root = sqrt(1 + 4 * z), ratio = (1 - root) / (1 + root);
    log_z[k] = m->n * log((1 + root) / 2) + log1p(pow(ratio, m->n));
  }
  return (log_z[1] - log_z[0]) / (2 * step) / m->n;
}

/* A mean of many steps against it. */
static void judge_mean(const double *batch, uint32_t batches, double want) {
  double mean = 0, squares = 0;
  uint32_t k;
  for (k = 0; k < batches; k++) mean += batch[k] / batches;
  for (k = 0; k < batches; k++) squares += (batch[k] - mean) * (batch[k] - mean);
  CHECK_NEAR(mean, want, 6.5 * sqrt(squares / batches / (batches - 1.0)));
}

static void check_mean(ring m) {
  enum { BATCHES = 32, STEPS = PATH_TRIALS / 6 };
  static uint64_t ws[3][RING_WS];
  static double batch[3][BATCHES];
  uint8_t x[3][RING_MOST] = {{0}};
  ring_fields fields;
  walk_float_chain a;
  sorted_chain b;
  checked_chain c;
  path_rng own;
  lbp_rng rng;
  uint32_t k, s, i;
  int ok = 1;
  path_begin(&own, NULL, 0);
  lbp_rng_init(&rng, 3, m.n);
  if (walk_float_init(&a, m.n, x[0], &fields, ws[0], RING_WS) != LBP_OK ||
      sorted_init(&b, m.n, x[1], ws[1], RING_WS) != LBP_OK || checked_init(&c, m.n, x[2], ws[2], RING_WS) != LBP_OK) {
    abort();
  }
  memset(batch, 0, sizeof batch);
  for (k = 0; k < BATCHES; k++) {
    for (s = 0; s < STEPS; s++) {
      walk_float_path_step(&a, &m, m.n / 4 + s % 2, &own);
      sorted_path_step(&b, &m, m.n / 4 + s % 2, &rng);
      if (s % 2) checked_path_step(&c, &m, 31, &rng);
      else checked_clock_step(&c, &m, 1, &rng);
      for (i = 0; i < m.n; i++) {
        batch[0][k] += x[0][i] / (double)(STEPS * m.n);
        batch[1][k] += x[1][i] / (double)(STEPS * m.n);
        batch[2][k] += x[2][i] / (double)(STEPS * m.n);
      }
      ok &= ring_logp(&m, x[0]) > -1e300 && ring_logp(&m, x[1]) > -1e300 && ring_logp(&m, x[2]) > -1e300;
    }
  }
  for (k = 0; k < 3; k++) judge_mean(batch[k], BATCHES, ring_density(&m));
  CHECK(ok && checked_fault(&c).status == LBP_OK);
}

/* ---- what steps are given ---------------------------------------------------------------------------------------- */

static void check_calls(void) {
  static uint64_t ws[RING_WS];
  const ring m = {65, 1, 0.3, 0, 65};
  ring shut = {2, 1, -HUGE_VAL, 0, 2}, sick = {65, 0, 0.3, 0.2, 20};
  uint8_t x[RING_MOST] = {0}, kept[RING_MOST], mask[RING_MOST];
  checked_chain c;
  checked_info info;
  lbp_rng rng, same;
  uint32_t s, i, ones;
  int ok = 1;
  lbp_rng_init(&rng, 8, 8);
  checked_init(&c, m.n, x, ws, RING_WS);
  same = rng;
  info = checked_path_step(&c, &m, 0, &rng); /* nothing, and no fault */
  CHECK(info.proposed == 0 && info.accept == 0 && checked_fault(&c).status == LBP_OK);
  CHECK(lbp_rng_u64(&same) == lbp_rng_u64(&rng));
  info = checked_path_step(&c, &m, 100000, &rng); /* more flips than sites, and than an exponent has room for */
  CHECK(info.proposed == 100000 && info.accept > 0.9 && info.jump <= 65);
  CHECK_NEAR(info.log_ratio, info.accepted ? ring_logp(&m, x) : 0, 1e-8);
  CHECK(info.evaluations >= 300000 && checked_fault(&c).status == LBP_OK);
  for (s = 0; s < 200; s++) { /* parity */
    for (i = ones = 0; i < m.n; i++) ones += x[i];
    info = checked_path_step(&c, &m, 2 + s % 2, &rng);
    ok &= info.jump % 2 == (info.accepted ? s % 2 : 0);
    for (i = 0; i < m.n; i++) ones += x[i];
    ok &= ones % 2 == info.jump % 2;
  }
  CHECK(ok && checked_fault(&c).status == LBP_OK);
  /* out of an impossible state, at once and for good */
  memset(x, 1, m.n);
  checked_init(&c, m.n, x, ws, RING_WS);
  info = checked_path_step(&c, &m, 1000, &rng);
  CHECK(info.accept == 1 && info.accepted && !lbp_is_finite((double)info.log_ratio) && ring_logp(&m, x) > -1e300);
  /* all sites clamped: nothing; some: they stay */
  memset(mask, 1, sizeof mask);
  CHECK(checked_clamp(&c, mask) == LBP_E_CLAMPED);
  info = checked_path_step(&c, &m, 10, &rng);
  CHECK(info.proposed == 0 && checked_fault(&c).status == LBP_OK);
  for (i = 0; i < m.n; i++) mask[i] = i % 3 == 0;
  CHECK(checked_clamp(&c, mask) == LBP_OK);
  memcpy(kept, x, sizeof x);
  for (s = 0; s < 50; s++) checked_path_step(&c, &m, 40, &rng);
  for (i = 0; i < m.n; i += 3) ok &= x[i] == kept[i];
  CHECK(ok && memcmp(kept, x, m.n) != 0 && checked_fault(&c).status == LBP_OK);
  /* no flip is possible */
  memset(x, 0, sizeof x);
  checked_init(&c, shut.n, x, ws, RING_WS);
  info = checked_path_step(&c, &shut, 3, &rng);
  CHECK(info.proposed == 0 && info.accept == 0 && checked_fault(&c).status == LBP_E_ISOLATED);
  /* a fault on the way: the step is refused, and the chain does nothing more */
  checked_init(&c, sick.n, x, ws, RING_WS);
  for (s = 0; s < 1000 && checked_fault(&c).status == LBP_OK; s++) {
    memcpy(kept, x, sizeof x);
    info = checked_path_step(&c, &sick, 7, &rng);
  }
  CHECK(checked_fault(&c).status == LBP_E_DELTA_NAN && checked_fault(&c).site == 20);
  CHECK(!info.accepted && info.jump == 0 && memcmp(kept, x, sizeof x) == 0);
  info = checked_path_step(&c, &sick, 7, &rng);
  CHECK(info.proposed == 0 && memcmp(kept, x, sizeof x) == 0);
  info = checked_path_step(NULL, &m, 1, &rng);
  CHECK(info.proposed == 0);
}

int main(void) {
  static const uint32_t sizes[6] = {3, 63, 64, 65, 128, 193};
  uint32_t k;
  check_calls();
  for (k = 0; k < 6; k++) {
    const ring steep = {sizes[k], 0, -20, -0.5, RING_MOST}, mild = {sizes[k], 0, 0.3, -0.6, RING_MOST};
    const ring hard = {sizes[k], 1, 0.4, 0, RING_MOST};
    check_long(steep, 1);
    check_long(mild, 0);
    check_long(hard, 0);
    if (k > 0 && k < 5) check_mean(hard);
  }
  ld_test_all();
  lf_test_all();
  ld_sqrt_test_all();
  lf_hot_test_all();
  ld_custom_test_all();
  sd_test_all();
  sf_sorted_test_all();
  ld_sorted_test_all();
  pf_test_all();
  pd_test_all();
  CHECK(path_refused > 1000); /* or nothing has been restored */
  return test_report();
}
