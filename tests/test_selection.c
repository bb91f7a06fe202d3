/* test_selection.c - lbp/models/selection.h: log pi and log-ratios against normal equations solved in long double, set
 * by set; fields that follow flips against fresh ones; chains against enumeration. Statistical checks have fixed seeds;
 * a right program would fail one in about 10^6 seeds. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define LBP_SELECTION_REFRESH 64u /* often, so that both sides of it are seen */
#include "models.h"

#define LBP_NAME        select
#define LBP_MODEL_T     lbp_selection
#define LBP_FIELDS_T    lbp_selection_fields
#define LBP_FIELDS_INIT lbp_selection_fields_set
#define LBP_FIELDS_MAKE lbp_selection_fields_init
#define LBP_FIELDS_FREE lbp_selection_fields_free
#define LBP_FLIP        lbp_selection_flip
#define LBP_DELTAS      lbp_selection_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP lbp_selection_logp
#define LBP_TEMPERED
#define LBP_CLOCK        LBP_BIRTH_DEATH
#include "../lbp_run.h"

#define LBP_NAME        single /* log-ratios one by one */
#define LBP_MODEL_T     lbp_selection
#define LBP_FIELDS_T    lbp_selection_fields
#define LBP_FIELDS_INIT lbp_selection_fields_set
#define LBP_FLIP        lbp_selection_flip
#define LBP_DELTAS      lbp_selection_deltas
#define LBP_DELTA       lbp_selection_delta
#define LBP_LOGP        lbp_selection_logp
#include "../lbp.h"

#define LBP_NAME        slopes
#define LBP_MODEL_T     lbp_selection
#define LBP_GRADIENT    lbp_selection_gradient
#define LBP_CONDITIONAL lbp_selection_conditional
#define LBP_STATES      2
#include "../lbp_run.h"

#include "../examples/crime.h"
#include "../examples/csv.h"

enum { MOST_ROWS = 60, MOST_COLUMNS = 40 };

static double X[MOST_ROWS * MOST_COLUMNS], y[MOST_ROWS];

static double log_pi_empty(const lbp_selection_options *o, uint32_t n) { /* log of the prior of no column */
  const double a = o->a, b = o->b;
  if (o->inclusion > 0) return n * log1p(-o->inclusion);
  return lgamma(a + b) - lgamma(b) + lgamma(b + n) - lgamma(a + b + n);
}

/* log pi(x) - log of the prior of no column, from the rows of X; `ridge` is what a g-prior adds to the diagonal. */
static double plain(uint32_t rows, uint32_t n, const uint8_t *x, const lbp_selection_options *o, double ridge) {
  static long double A[MOST_COLUMNS][MOST_COLUMNS + 1], Z[MOST_COLUMNS + 1][MOST_ROWS];
  long double log_det = 0, explained = 0, total = 0, prior, g, fit;
  const long double exponent = (rows - 1 + o->nu) / 2, h = o->inclusion;
  uint32_t i, s, k = 0, a, b, c;
  for (i = 0; i <= n; i++) {
    long double mean = 0, square = 0, *z = Z[k];
    if (i < n && !x[i]) continue;
    for (s = 0; s < rows; s++) mean += (z[s] = i < n ? X[s * n + i] : y[s]) / rows;
    for (s = 0; s < rows; s++) z[s] -= mean;
    for (s = 0; s < rows; s++) square += z[s] * z[s];
    if (i == n) total = square;
    for (s = 0; s < rows && i < n && o->standardise; s++) z[s] /= sqrtl(square / (rows - 1));
    k++;
  }
  k--;
  for (a = 0; a < k; a++) {
    for (b = 0; b <= k; b++) {
      for (A[a][b] = 0, s = 0; s < rows; s++) A[a][b] += Z[a][s] * Z[b][s];
    }
    A[a][a] += o->slab == LBP_SLAB_NORMAL ? 1 / (long double)o->variance : ridge * A[a][a];
  }
  for (a = 0; a < k; a++) {
    log_det += logl(A[a][a] * (o->slab == LBP_SLAB_NORMAL ? o->variance : 1));
    explained += A[a][k] * A[a][k] / A[a][a];
    for (b = a + 1; b < k; b++) {
      const long double factor = A[b][a] / A[a][a];
      for (c = a; c <= k; c++) A[b][c] -= factor * A[a][c];
    }
  }
  prior = o->inclusion > 0 ? k * logl(h / (1 - h))
                           : lgammal(o->a + k) + lgammal(o->b + n - k) - lgammal(o->a) - lgammal(o->b + n);
  total += o->nu * o->lambda;
  if (o->slab == LBP_SLAB_NORMAL) return (double)(prior - log_det / 2 - exponent * logl(1 - explained / total));
  g = o->g > 0 ? o->g : rows;
  fit = -exponent * logl(1 - g / (1 + g) * explained / total);
  return (double)(prior - k * logl(1 + g) / 2 + fit);
}

static void flip(const lbp_selection *m, lbp_selection_fields *f, uint8_t *x, uint32_t i) {
  x[i] ^= 1;
  lbp_selection_flip(m, f, x, i);
}

static lbp_selection_options some_options(int kind) {
  lbp_selection_options o;
  lbp_selection_options_init(&o);
  o.slab = kind & 1 ? LBP_SLAB_NORMAL : LBP_SLAB_G;
  o.variance = 3;
  if (kind & 2) o.inclusion = 0.3;
  else o.a = 2, o.b = 5;
  if (kind & 4) o.nu = 3, o.lambda = 0.7, o.g = 7;
  o.standardise = !(kind & 8);
  return o;
}

/* ---- the law ----------------------------------------------------------------------------------------------------- */

/* log pi, all log-ratios and slopes in states that flips lead to, of at most `most` columns. */
static void check_law(uint32_t rows, uint32_t n, int kind, uint32_t most, uint32_t flips, double rho) {
  lbp_selection_options o = some_options(kind);
  lbp_selection m;
  lbp_selection_fields f;
  lbp_rng rng;
  double gap = 0, no_ridge = 0, ratio_gap = 0, slope_gap = 0, ratio[MOST_COLUMNS], slope[MOST_COLUMNS], pair[2];
  uint8_t x[MOST_COLUMNS] = {0};
  uint32_t t, i, s;
  lbp_rng_init(&rng, 1, (uint64_t)kind);
  o.most = most;
  CHECK(lbp_selection_simulate(rows, n, rho, 3, 2, 1 + (uint64_t)kind, X, y, NULL) == LBP_OK);
  for (s = 0; s < rows; s++) X[s * n + 2] = 20 * X[s * n + 2] + 500; /* another unit */
  CHECK(lbp_selection_init(&m, rows, n, X, y, &o) == LBP_OK);
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_OK);
  CHECK(m.n == n && m.most == (most ? most : n < rows - 2 ? n : rows - 2));
  lbp_selection_fields_set(&m, &f, x);
  CHECK_NEAR(lbp_selection_logp(&m, &f, x), log_pi_empty(&o, n), 1e-12 * n);
  for (t = 0; t < flips; t++) {
    double here, got;
    i = below(n, &rng);
    if (!x[i] && f.k == m.most) continue;
    flip(&m, &f, x, i);
    here = plain(rows, n, x, &o, LBP_SELECTION_RIDGE);
    got = lbp_selection_logp(&m, &f, x);
    gap = fmax(gap, fabs(got - log_pi_empty(&o, n) - here));
    no_ridge = fmax(no_ridge, fabs(here - plain(rows, n, x, &o, 0)));
    lbp_selection_deltas(&m, &f, x, ratio);
    CHECK(lbp_selection_gradient(&m, x, slope) - got < 1e-9 && got - lbp_selection_gradient(&m, x, slope) < 1e-9);
    for (i = 0; i < n; i++) {
      const double one = lbp_selection_delta(&m, &f, x, i);
      double want;
      CHECK(ratio[i] == one || fabs(ratio[i] - one) < 1e-11);
      lbp_selection_conditional(&m, x, i, pair);
      if (!x[i] && f.k == m.most) {
        CHECK(ratio[i] == -infinity && pair[1] == -infinity && pair[0] == 0 && slope[i] < infinity);
        continue;
      }
      x[i] ^= 1;
      want = plain(rows, n, x, &o, LBP_SELECTION_RIDGE) - here;
      x[i] ^= 1;
      ratio_gap = fmax(ratio_gap, fabs(ratio[i] - want));
      slope_gap = fmax(slope_gap, fabs(slope[i] - (x[i] ? -ratio[i] : ratio[i])));
      slope_gap = fmax(slope_gap, fabs(slope[i] - (pair[1] - pair[0])));
    }
  }
  CHECK_NEAR(gap, 0, kind & 1 ? 1e-11 : 1e-9);
  CHECK_NEAR(ratio_gap, 0, kind & 1 ? 1e-11 : 1e-9);
  if (m.most < rows / 2) CHECK_NEAR(no_ridge, 0, 1e-5); /* a ridge tells only where nothing else does */
  CHECK_NEAR(slope_gap, 0, 1e-9);
  lbp_selection_fields_free(&f);
  lbp_selection_free(&m);
}

static void test_law(void) {
  int kind;
  for (kind = 0; kind < 16; kind++) {
    check_law(30, 9, kind, 0, 150, 0.9);
    check_law(15, 25, kind, 0, 100, 0.5); /* more columns than rows: up to 13 of them */
    check_law(20, 12, kind, 4, 100, 0.7);
  }
}

/* Wide enough that loops in blocks begin anew, and deep enough that four rows go together. */
static void test_wide(void) {
  enum { N = 700, ROWS = 100, COLUMNS = 23 };
  lbp_selection_options o;
  lbp_selection m;
  lbp_selection_fields f, fresh;
  static double ratio[N], want[N], slope[N];
  static uint8_t x[N];
  lbp_rng rng;
  double gap = 0, slope_gap = 0;
  uint32_t t, i;
  lbp_rng_init(&rng, 3, 0);
  lbp_selection_options_init(&o);
  o.slab = LBP_SLAB_NORMAL;
  CHECK(lbp_selection_random(&m, ROWS, N, 0.8, 10, 2, &o, 5) == LBP_OK);
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_OK && lbp_selection_fields_init(&m, &fresh) == LBP_OK);
  memset(x, 0, N);
  lbp_selection_fields_set(&m, &f, x);
  for (t = 0; t < 60; t++) {
    i = below(N, &rng);
    while (f.k >= COLUMNS && !x[i]) i = (i + 1) % N;
    flip(&m, &f, x, i);
    lbp_selection_deltas(&m, &f, x, ratio);
    lbp_selection_fields_set(&m, &fresh, x);
    lbp_selection_deltas(&m, &fresh, x, want);
    lbp_selection_gradient(&m, x, slope);
    for (i = 0; i < N; i++) {
      gap = test_larger(gap, fabs(ratio[i] - want[i]));
      slope_gap = test_larger(slope_gap, fabs(slope[i] - (x[i] ? -want[i] : want[i])));
    }
  }
  CHECK_NEAR(gap, 0, 1e-10);
  CHECK_NEAR(slope_gap, 0, 1e-10);
  lbp_selection_fields_free(&f);
  lbp_selection_fields_free(&fresh);
  lbp_selection_free(&m);
}

/* The US crime data: what examples/crime.c computes in another way. */
static void test_crime(void) {
  static const uint8_t first[FACTORS] = {1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0}; /* the most probable model */
  lbp_selection_options o;
  lbp_selection m;
  lbp_selection_fields f;
  double sum = 0, inequality = 0, most = -infinity, best = -infinity;
  uint8_t x[FACTORS];
  uint32_t model, i;
  int s;
  for (s = 0; s < STATES; s++) {
    for (i = 0; i < FACTORS; i++) X[s * FACTORS + (int)i] = crime_value(s, (int)i);
    y[s] = crime_value(s, RATE);
  }
  lbp_selection_options_init(&o);
  o.slab = LBP_SLAB_NORMAL;
  o.variance = 2.85 * 2.85;
  o.inclusion = 0.5;
  CHECK(lbp_selection_init(&m, STATES, FACTORS, X, y, &o) == LBP_OK);
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_OK);
  lbp_selection_fields_set(&m, &f, first);
  most = lbp_selection_logp(&m, &f, first);
  memset(x, 0, sizeof x);
  lbp_selection_fields_set(&m, &f, x);
  for (model = 0; model < 1u << FACTORS; model++) { /* in the order of Gray's code */
    const double v = lbp_selection_logp(&m, &f, x);
    best = fmax(best, v);
    sum += exp(v - most);
    inequality += x[12] * exp(v - most);
    for (i = 0; i + 1 < FACTORS && !((model + 1) >> i & 1); i++) continue;
    flip(&m, &f, x, i);
  }
  CHECK_NEAR(best, most, 1e-9);
  CHECK_NEAR(1 / sum, 0.0238, 5e-5);
  CHECK_NEAR(inequality / sum, 0.9971, 5e-5);
  lbp_selection_fields_free(&f);
  lbp_selection_free(&m);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Columns that others determine, and nearly so: the largest drift in `flips` flips. */
static double drift(int slab, double variance, int twins, uint32_t flips) {
  enum { ROWS = 50, N = 40 };
  lbp_selection_options o;
  lbp_selection m;
  lbp_selection_fields f;
  double worst = 0, gap, ratio[N];
  uint8_t x[N] = {0};
  lbp_rng rng;
  uint32_t s, i, t;
  lbp_rng_init(&rng, 5, 0);
  lbp_selection_options_init(&o);
  o.slab = slab;
  o.variance = variance;
  CHECK(lbp_selection_simulate(ROWS, N, 0.9, 5, 1, 7, X, y, NULL) == LBP_OK);
  for (s = 0; s < ROWS && twins; s++) {
    double *row = X + s * N;
    for (i = 0; i < 10; i++) row[20 + i] = 2 * row[i] + 1;
    for (i = 0; i < 5; i++) row[30 + i] = row[i] + row[i + 1];
    for (i = 35; i < 40; i++) row[i] = row[i - 35] + 1e-5 * row[i];
  }
  CHECK(lbp_selection_init(&m, ROWS, N, X, y, &o) == LBP_OK);
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_OK);
  lbp_selection_fields_set(&m, &f, x);
  for (t = 0; t < flips; t++) {
    flip(&m, &f, x, below(N, &rng));
    lbp_selection_deltas(&m, &f, x, ratio);
    for (i = 0; i < N; i++) {
      if (!lbp_is_finite(ratio[i])) worst = infinity;
    }
    if (t % 61 != 60) continue;
    gap = lbp_selection_drift(&m, &f, x);
    worst = fmax(worst, gap);
    CHECK(f.flips == 0 && f.ready);
    if (!twins) CHECK_NEAR(lbp_selection_drift(&m, &f, x), 0, 1e-12); /* fresh ones have none, but for loops of 1 */
  }
  lbp_selection_fields_free(&f);
  lbp_selection_free(&m);
  return worst;
}

static void test_drift(void) {
  lbp_selection m;
  lbp_selection_fields f;
  uint8_t x[10] = {0};
  uint32_t t;
  double ratio[10];
  CHECK(drift(LBP_SLAB_G, 1, 0, 2000) < 1e-11);
  CHECK(drift(LBP_SLAB_NORMAL, 100, 0, 2000) < 1e-11);
  CHECK(drift(LBP_SLAB_G, 1, 1, 2000) < 1e-6);
  CHECK(drift(LBP_SLAB_NORMAL, 1, 1, 2000) < 1e-11);
  CHECK(drift(LBP_SLAB_NORMAL, 1e4, 1, 2000) < 1e-7);
  CHECK(drift(LBP_SLAB_NORMAL, 2e7, 1, 2000) < 1e-4);
  /* they are made afresh when it is time, not before */
  CHECK(lbp_selection_random(&m, 30, 10, 0.5, 2, 1, NULL, 1) == LBP_OK);
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_OK);
  lbp_selection_fields_set(&m, &f, x);
  for (t = 1; t < 3 * LBP_SELECTION_REFRESH; t++) {
    flip(&m, &f, x, t % 10);
    CHECK(f.flips == t % LBP_SELECTION_REFRESH || f.flips == LBP_SELECTION_REFRESH);
    lbp_selection_deltas(&m, &f, x, ratio);
    CHECK(f.flips == t % LBP_SELECTION_REFRESH && f.ready);
  }
  lbp_selection_fields_free(&f);
  lbp_selection_free(&m);
}

/* Flips and flips back leave what was, within 1e-10; beyond `most` columns too. */
static void test_limit(void) {
  enum { N = 30, MOST = 6 };
  lbp_selection_options o;
  lbp_selection m;
  lbp_selection_fields f;
  lbp_rng rng;
  double before[N], ratio[N], slope[N], logp, pair[2];
  uint8_t x[N] = {0};
  uint32_t t, k, i, site[4 * MOST];
  lbp_rng_init(&rng, 9, 0);
  lbp_selection_options_init(&o);
  o.most = MOST;
  CHECK(lbp_selection_random(&m, 40, N, 0.6, 4, 1, &o, 2) == LBP_OK);
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_OK);
  lbp_selection_fields_set(&m, &f, x);
  for (t = 0; t < 200; t++) {
    i = below(N, &rng);
    if (!x[i] && f.k == MOST) continue;
    flip(&m, &f, x, i);
    logp = lbp_selection_logp(&m, &f, x);
    lbp_selection_deltas(&m, &f, x, before);
    for (k = 0; k < 4 * MOST; k++) flip(&m, &f, x, site[k] = below(N, &rng));
    CHECK((lbp_selection_logp(&m, &f, x) == -infinity) == (f.k > MOST));
    if (f.k > MOST) { /* only out */
      lbp_selection_deltas(&m, &f, x, ratio);
      for (i = 0; i < N; i++) {
        CHECK(ratio[i] == (x[i] ? infinity : -infinity) && lbp_selection_delta(&m, &f, x, i) == ratio[i]);
      }
      CHECK(lbp_selection_drift(&m, &f, x) == 0);
      CHECK(lbp_selection_gradient(&m, x, slope) == -infinity && lbp_is_finite(slope[0]));
      lbp_selection_conditional(&m, x, 3, pair);
      CHECK(pair[0] == 0 && pair[1] == -infinity);
    }
    for (k = 4 * MOST; k > 0; k--) flip(&m, &f, x, site[k - 1]);
    CHECK_NEAR(lbp_selection_logp(&m, &f, x), logp, 1e-10);
    lbp_selection_deltas(&m, &f, x, ratio);
    for (i = 0; i < N; i++) CHECK(ratio[i] == before[i] || fabs(ratio[i] - before[i]) < 1e-10);
  }
  memset(x, 1, N); /* fields of an impossible state, and the way out */
  lbp_selection_fields_set(&m, &f, x);
  for (i = 0; i < N - 2; i++) flip(&m, &f, x, i);
  CHECK(f.k == 2 && lbp_is_finite(lbp_selection_logp(&m, &f, x)) && lbp_selection_drift(&m, &f, x) < 1e-12);
  lbp_selection_fields_free(&f);
  lbp_selection_free(&m);
}

/* Slopes have room for so many columns; log pi is -infinity beyond. */
static void test_gradient_limit(void) {
  enum { N = LBP_SELECTION_GRADIENT_MOST + 10 };
  lbp_selection_options o;
  lbp_selection m;
  lbp_selection_fields f;
  static uint8_t x[N];
  static double slope[N];
  double pair[2];
  lbp_selection_options_init(&o);
  o.slab = LBP_SLAB_NORMAL;
  CHECK(lbp_selection_random(&m, N + 20, N, 0.2, 4, 1, &o, 2) == LBP_OK);
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_OK);
  memset(x, 0, N);
  memset(x + 5, 1, LBP_SELECTION_GRADIENT_MOST);
  lbp_selection_fields_set(&m, &f, x);
  CHECK_NEAR(lbp_selection_gradient(&m, x, slope), lbp_selection_logp(&m, &f, x), 1e-9);
  CHECK_NEAR(slope[0], lbp_selection_delta(&m, &f, x, 0), 1e-9);
  CHECK_NEAR(slope[7], -lbp_selection_delta(&m, &f, x, 7), 1e-9);
  lbp_selection_conditional(&m, x, 0, pair);
  CHECK(pair[0] == 0 && pair[1] == -infinity);
  lbp_selection_conditional(&m, x, 7, pair);
  CHECK_NEAR(pair[1] - pair[0], slope[7], 1e-9);
  x[0] = 1;
  CHECK(lbp_selection_gradient(&m, x, slope) == -infinity && lbp_is_finite(slope[0]));
  lbp_selection_fields_free(&f);
  lbp_selection_free(&m);
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

static void check_check(int kind) {
  lbp_selection_options o = some_options(kind);
  lbp_selection m;
  lbp_selection_fields f;
  select_chain chain;
  single_chain other;
  slopes_chain ab;
  uint64_t ws[LBP_WS_LEN_DENSE(12)];
  double room[LBP_WS_LEN_AB(12)];
  uint8_t x[12] = {0};
  lbp_rng rng;
  lbp_rng_init(&rng, 4, 0);
  o.most = kind & 2 ? 5 : 0;
  CHECK(lbp_selection_random(&m, 30, 12, 0.9, 3, 1, &o, 1) == LBP_OK);
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_OK);
  CHECK(select_init(&chain, 12, x, &f, ws, LBP_WS_LEN_DENSE(12)) == LBP_OK);
  CHECK(select_check(&chain, &m, 100, &rng).status == LBP_OK);
  CHECK(single_init(&other, 12, x, &f, ws, LBP_WS_LEN_DENSE(12)) == LBP_OK);
  CHECK(single_check(&other, &m, 100, &rng).status == LBP_OK);
  CHECK(slopes_init(&ab, 12, 2, x, room, LBP_WS_LEN_AB(12)) == LBP_OK);
  if (!(kind & 2)) CHECK(slopes_check(&ab, &m, 100, &rng).status == LBP_OK);
  lbp_selection_fields_free(&f);
  lbp_selection_free(&m);
}

/* Inclusion probabilities of 9 columns, one of them twice, from runs and from all 512 sets. */
static void check_run(int kind, int sampler, int ab, double R) {
  enum { N = 9, ROWS = 25 };
  static const char *const name[N] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
  lbp_selection_options o = some_options(kind);
  lbp_selection m;
  lbp_run_column column[N];
  lbp_run_result result;
  lbp_run run;
  double sum = 0, in[N] = {0};
  uint8_t x[N];
  uint32_t set, i, s;
  CHECK(lbp_selection_simulate(ROWS, N, 0.7, 2, 1, 3, X, y, NULL) == LBP_OK);
  for (s = 0; s < ROWS; s++) X[s * N + 8] = X[s * N + 2];
  o.most = kind & 4 ? 3 : 0;
  CHECK(lbp_selection_init(&m, ROWS, N, X, y, &o) == LBP_OK);
  for (set = 0; set < 1u << N; set++) {
    double unused[N], p;
    for (i = 0; i < N; i++) x[i] = (uint8_t)(set >> i & 1);
    p = exp(lbp_selection_gradient(&m, x, unused));
    sum += p;
    for (i = 0; i < N; i++) in[i] += x[i] * p;
  }
  if (o.most == 0) CHECK(sum > 1); /* the prior's sum, times likelihoods of which the first is 1 */
  memset(column, 0, sizeof column);
  for (i = 0; i < N; i++) {
    column[i].name = name[i];
    column[i].value = lbp_run_site;
    column[i].site = i;
  }
  lbp_run_init(&run);
  run.sampler = sampler;
  run.parameter = R;
  run.column = column;
  run.columns = N;
  run.draws = 4000;
  run.start = lbp_selection_start;
  run.start_data = &m;
  CHECK((ab ? slopes_run(&run, &m, N, &result) : select_run(&run, &m, N, &result)) == LBP_OK);
  for (i = 0; i < N && result.row; i++) CHECK_NEAR(result.row[1 + i].mean, in[i] / sum, 5 * result.row[1 + i].mcse);
  lbp_run_free(&result);
  lbp_selection_free(&m);
}

static void test_chains(void) {
  int kind;
  for (kind = 0; kind < 4; kind++) check_check(kind);
  for (kind = 0; kind < 8; kind++) {
    check_run(kind, LBP_SAMPLER_LBP, 0, 1);
    check_run(kind, LBP_SAMPLER_LBP, 0, 1.5); /* through sets that are too large */
    check_run(kind, LBP_SAMPLER_GIBBS, 0, 0);
    check_run(kind, LBP_SAMPLER_RWM, 0, 3);
    check_run(kind, LBP_SAMPLER_CLOCK, 0, 0);
    check_run(kind, LBP_SAMPLER_GIBBS, 1, 0);
  }
  check_run(0, LBP_SAMPLER_DLP, 1, 0);
}

static void test_start(void) {
  lbp_selection_options o;
  lbp_selection m;
  uint8_t x[50];
  uint32_t chain, i;
  lbp_selection_options_init(&o);
  o.most = 7;
  CHECK(lbp_selection_random(&m, 30, 50, 0.5, 2, 1, &o, 1) == LBP_OK);
  for (chain = 0; chain < 40; chain++) {
    uint32_t k = 0;
    memset(x, 9, sizeof x);
    lbp_selection_start(&m, chain, x, 50);
    for (i = 0; i < 50; i++) k += x[i];
    CHECK(k <= 7 && (chain % 16 == 0) == (k == 0));
  }
  lbp_selection_free(&m);
}

/* ---- constructors ------------------------------------------------------------------------------------------------ */

/* The options that each call is refused for. */
static void test_options(void) {
  static const double large = 2e12;
  lbp_selection_options o, good;
  lbp_selection m;
  int k;
  lbp_selection_options_init(&good);
  CHECK(lbp_selection_simulate(10, 4, 0, 1, 1, 1, X, y, NULL) == LBP_OK);
  for (k = 0; k < 24; k++) {
    int want = LBP_E_RANGE;
    o = good;
    if (k >= 16) o.slab = LBP_SLAB_NORMAL;
    switch (k) {
      case 0: o.slab = 2; break;
      case 1: o.slab = -1; break;
      case 2: o.standardise = 2; break;
      case 3: o.g = -1; break;
      case 4: o.g = large; break;
      case 5: o.g = not_a_number(), want = LBP_E_NOT_FINITE; break;
      case 6: o.inclusion = 1; break;
      case 7: o.inclusion = -0.1; break;
      case 8: o.a = 0; break;
      case 9: o.b = -1; break;
      case 10: o.nu = -1; break;
      case 11: o.lambda = -1; break;
      case 12: o.nu = infinity, want = LBP_E_NOT_FINITE; break;
      case 13: o.most = 5; break;
      case 14: o.nu = o.lambda = 1e12; break; /* beyond what y says */
      case 15: o.a = 0, o.inclusion = 0.5, want = LBP_OK; break; /* not asked about */
      case 16: o.variance = 0; break;
      case 17: o.variance = -1; break;
      case 18: o.variance = 1.1e9 / 9; break;
      case 19: o.variance = 0.9e9 / 9, want = LBP_OK; break;
      case 20: o.variance = 1e-13 / 9; break;
      case 21: o.variance = not_a_number(), want = LBP_E_NOT_FINITE; break;
      case 22: o.most = 4, want = LBP_OK; break;
      default: o.g = -1, want = LBP_OK; break; /* not asked about */
    }
    if (want != LBP_OK) {
      CHECK_REFUSED(m, lbp_selection_init(&m, 10, 4, X, y, &o), want);
    } else {
      CHECK(lbp_selection_init(&m, 10, 4, X, y, &o) == LBP_OK);
      lbp_selection_free(&m);
    }
  }
  o = good;
  o.most = 3;
  CHECK_REFUSED(m, lbp_selection_init(&m, 4, 4, X, y, &o), LBP_E_RANGE); /* the g-prior leaves two degrees of freedom */
  o.slab = LBP_SLAB_NORMAL;
  CHECK(lbp_selection_init(&m, 4, 4, X, y, &o) == LBP_OK);
  lbp_selection_free(&m);
}

static void test_constructors(void) {
  lbp_selection m;
  lbp_selection_fields f;
  double kept;
  uint32_t s;
  CHECK(lbp_selection_simulate(10, 4, 0, 1, 1, 1, X, y, NULL) == LBP_OK);
  CHECK(lbp_selection_init(NULL, 10, 4, X, y, NULL) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_selection_init(&m, 10, 4, NULL, y, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_selection_init(&m, 10, 4, X, NULL, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_selection_init(&m, 2, 4, X, y, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_selection_init(&m, 10, 0, X, y, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_selection_init(&m, 10, 50000, X, y, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_selection_init(&m, UINT32_MAX, 4, X, y, NULL), LBP_E_SIZE);
  kept = X[7];
  X[7] = not_a_number();
  CHECK_REFUSED(m, lbp_selection_init(&m, 10, 4, X, y, NULL), LBP_E_NOT_FINITE);
  X[7] = 2e12;
  CHECK_REFUSED(m, lbp_selection_init(&m, 10, 4, X, y, NULL), LBP_E_RANGE);
  X[7] = kept;
  kept = y[9];
  y[9] = infinity;
  CHECK_REFUSED(m, lbp_selection_init(&m, 10, 4, X, y, NULL), LBP_E_NOT_FINITE);
  y[9] = kept;
  for (s = 0; s < 10; s++) X[s * 4 + 1] = 0.1; /* of which the mean is no 0.1 to the last bit */
  CHECK_REFUSED(m, lbp_selection_init(&m, 10, 4, X, y, NULL), LBP_E_RANGE);
  CHECK(lbp_selection_constant(10, 4, X, y) == 1);
  for (s = 0; s < 10; s++) X[s * 4 + 1] = 1e9 + s; /* not constant, though far from 0 */
  CHECK(lbp_selection_constant(10, 4, X, y) == 5);
  CHECK(lbp_selection_init(&m, 10, 4, X, y, NULL) == LBP_OK);
  CHECK(lbp_selection_fields_init(NULL, &f) == LBP_E_NULL && is_zeroed(&f, sizeof f));
  CHECK(lbp_selection_fields_init(&m, NULL) == LBP_E_NULL);
  lbp_selection_free(&m);
  lbp_selection_free(&m);
  lbp_selection_free(NULL);
  CHECK(is_zeroed(&m, sizeof m));
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_E_NULL);
  lbp_selection_fields_free(&f);
  lbp_selection_fields_free(NULL);
  for (s = 0; s < 10; s++) y[s] = 3;
  CHECK_REFUSED(m, lbp_selection_init(&m, 10, 4, X, y, NULL), LBP_E_RANGE);
  CHECK(lbp_selection_constant(10, 4, X, y) == 4);
}

/* Columns are correlated as asked for, `active` of them make y, and the noise has the variance asked for. */
static void test_simulate(void) {
  enum { ROWS = 20000, N = 8 };
  double *Z = (double *)calloc((size_t)ROWS * N, sizeof *Z), *z = (double *)calloc(ROWS, sizeof *z);
  double product[4] = {0}, mean = 0, total = 0, coefficient;
  lbp_selection_options o;
  lbp_selection m, again;
  lbp_selection_fields f;
  uint8_t truth[N];
  uint32_t s, i, count = 0;
  lbp_selection_options_init(&o);
  CHECK(Z && z);
  if (!Z || !z) return;
  CHECK(lbp_selection_simulate(ROWS, N, 0.8, 3, 4, 11, Z, z, truth) == LBP_OK);
  for (i = 0; i < N; i++) count += truth[i];
  CHECK(count == 3);
  for (s = 0; s < ROWS; s++) {
    const double *row = Z + s * N;
    mean += z[s] / ROWS;
    for (i = 0; i < 4; i++) product[i] += row[2] * row[2 + i] / ROWS;
  }
  for (i = 0; i < 4; i++) CHECK_NEAR(product[i], pow(0.8, i), 6 * sqrt(2.0 / ROWS));
  CHECK(lbp_selection_init(&m, ROWS, N, Z, z, &o) == LBP_OK);
  CHECK(lbp_selection_fields_init(&m, &f) == LBP_OK);
  lbp_selection_fields_set(&m, &f, truth);
  for (s = 0; s < ROWS; s++) total += (z[s] - mean) * (z[s] - mean) / ROWS;
  coefficient = lbp_linear_dot(f.z, f.z, 3); /* R^2 = 4/5 */
  CHECK_NEAR(coefficient, 0.8, 6 * 0.4 / sqrt((double)ROWS));
  for (i = 0; i < N; i++) CHECK((lbp_selection_delta(&m, &f, truth, i) < 0)); /* and they are found */
  CHECK(total > 0);
  lbp_selection_fields_free(&f);
  lbp_selection_free(&m);
  free(Z);
  free(z);
  CHECK(lbp_selection_simulate(10, 4, 0, 1, 1, 1, NULL, y, NULL) == LBP_E_NULL);
  CHECK(lbp_selection_simulate(10, 4, 0, 1, 1, 1, X, NULL, NULL) == LBP_E_NULL);
  CHECK(lbp_selection_simulate(0, 4, 0, 1, 1, 1, X, y, NULL) == LBP_E_SIZE);
  CHECK(lbp_selection_simulate(10, 4, 1, 1, 1, 1, X, y, NULL) == LBP_E_RANGE);
  CHECK(lbp_selection_simulate(10, 4, 0, 5, 1, 1, X, y, NULL) == LBP_E_RANGE);
  CHECK(lbp_selection_simulate(10, 4, 0, 1, 0, 1, X, y, NULL) == LBP_E_RANGE);
  CHECK(lbp_selection_simulate(10, 4, 0, 0, 1, 1, X, y, NULL) == LBP_OK); /* noise alone */
  CHECK(lbp_selection_random(NULL, 10, 4, 0, 1, 1, NULL, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_selection_random(&m, 0, 4, 0, 1, 1, NULL, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_selection_random(&m, 10, 4, 2, 1, 1, NULL, 1), LBP_E_RANGE);
  CHECK(lbp_selection_random(&m, 10, 4, 0.5, 1, 1, NULL, 7) == LBP_OK);
  CHECK(lbp_selection_random(&again, 10, 4, 0.5, 1, 1, NULL, 7) == LBP_OK);
  CHECK(memcmp(m.gram, again.gram, 16 * sizeof *m.gram) == 0 && memcmp(m.zy, again.zy, 4 * sizeof *m.zy) == 0);
  lbp_selection_free(&again);
  CHECK(lbp_selection_random(&again, 10, 4, 0.5, 1, 1, NULL, 8) == LBP_OK);
  CHECK(memcmp(m.gram, again.gram, 16 * sizeof *m.gram) != 0);
  lbp_selection_free(&again);
  lbp_selection_free(&m);
}

/* ---- tables, for examples/select.c ------------------------------------------------------------------------------- */

static int parse(csv_table *t, const char *text, char *why) {
  char *own = (char *)calloc(strlen(text) + 1, 1);
  CHECK(own != NULL);
  if (!own) return LBP_E_MEMORY;
  memcpy(own, text, strlen(text));
  return csv_parse(t, own, why);
}

static void test_tables(void) {
  static const char *const good[8] = {
    "a,b c,d\n1,2,3\n4,5,-6e1\n",       "\xef\xbb\xbf" "a;b c;d\r\n1;2;3\r\n\r\n4;5;-60",   "a\tb c\td\n 1\t2 \t3\n4\t5\t-60\n\n",
    "\"a\",\"b c\",d\n1,\"2\",3\n4,5,-60", " a , b c ,\"d\" \n1, 2 ,3 \n \n4,5,-60\n", "a,b c,d\n+1,2.,3\n4,.5e1,-60",
    "a,b c,d\r1,2,3\r4,5,-60\r",       "a,b c,d\r\r1,2,3\r\n\n4,5,-60"};
  static const char *const bad[][2] = {
    {"", "line 1: column 1 has no name"},
    {"a,,c\n1,2,3\n", "line 1: column 2 has no name"},
    {"a,b\n1,2\n\n3\n", "line 4 has fewer than 2 numbers, one for each name"},
    {"a,b\n1,2,3\n", "line 2 has more than 2 numbers, one for each name"},
    {"a,b\n1,\n", "line 2, column b: \"\" is no finite number"},
    {"a,b\n1,2\nNA,2\n", "line 3, column a: \"NA\" is no finite number"},
    {"a,b\n1,1e999\n", "line 2, column b: \"1e999\" is no finite number"},
    {"a,b\n1,2x\n", "line 2, column b: \"2x\" is no finite number"},
    {"a,b\n\"1,2\n", "line 2: a quote has no end"},
    {"a,b\n\"1\"5,2\n", "line 2: a field goes on behind its quotes"},
    {"a,b\n\"1\n2\",2\n", "line 2, column a: \"1\n2\" is no finite number"},
    {"\"a\n\r\nb\",c\n1,2\n3\n", "line 5 has fewer than 2 numbers, one for each name"},
    {"a,b\n\n", "line 3: the table ends without a row of numbers"},
    {"a,b", "line 1: the table ends without a row of numbers"},
    {"1,2.5\n3,4\n", "line 1 has numbers, not names of columns: put a line of names before it "
     "(a number that is a name, in double quotes)"},
    {"1,NA\n3,4\n", "line 1 has numbers, not names of columns: put a line of names before it "
     "(a number that is a name, in double quotes)"}};
  csv_table t;
  char why[INPUT_WHY];
  int k, i;
  for (k = 0; k < 8; k++) {
    static const double want[6] = {1, 2, 3, 4, 5, -60};
    CHECK(parse(&t, good[k], why) == LBP_OK);
    CHECK(t.rows == 2 && t.columns == 3);
    if (t.rows != 2 || t.columns != 3) continue;
    CHECK(strcmp(t.name[0], "a") == 0 && strcmp(t.name[1], "b c") == 0 && strcmp(t.name[2], "d") == 0);
    for (i = 0; i < 6; i++) CHECK(t.value[i] == want[i]);
    CHECK(csv_find(&t, "b c") == 1 && csv_find(&t, "b") == 3);
    csv_free(&t);
    CHECK(is_zeroed(&t, sizeof t));
  }
  for (k = 0; k < (int)(sizeof bad / sizeof bad[0]); k++) {
    CHECK(parse(&t, bad[k][0], why) == LBP_E_FORMAT);
    CHECK(strcmp(why, bad[k][1]) == 0);
    CHECK(is_zeroed(&t, sizeof t));
  }
  CHECK(parse(&t, "\"a\"\"b\"\n7", why) == LBP_OK && strcmp(t.name[0], "a\"b") == 0 && t.rows == 1 && t.value[0] == 7);
  csv_free(&t);
  CHECK(parse(&t, "\"size\n(m2)\",c,d,e,f,g,h,i,j,k,l,m\n1,2,3,4,5,6,7,8,9,10,11,12\n", why) == LBP_OK);
  CHECK(t.rows == 1 && t.columns == 12 && strcmp(t.name[0], "size\n(m2)") == 0 && t.value[11] == 12);
  csv_free(&t);
  CHECK(parse(&t, "\"1990\",\"1991\"\n1,2\n", why) == LBP_OK && strcmp(t.name[1], "1991") == 0 && t.rows == 1);
  csv_free(&t);
  CHECK(parse(&t, "\"a;b\";c\n1;2\n", why) == LBP_OK && t.columns == 2 && strcmp(t.name[0], "a;b") == 0);
  csv_free(&t);
  CHECK(csv_read(&t, "tests", why) == LBP_E_FILE && strstr(why, "regular file") != NULL);
  CHECK(csv_read(&t, "tests/no such file", why) == LBP_E_FILE && strstr(why, "no such file") != NULL);
}

int main(void) {
  test_law();
  test_wide();
  test_crime();
  test_drift();
  test_limit();
  test_gradient_limit();
  test_chains();
  test_start();
  test_options();
  test_constructors();
  test_simulate();
  test_tables();
  return test_report();
}
