/* lbp_stats.h against sums written out, numbers of other programs, and processes whose answer is known.
 *
 * Tests with random input have fixed seeds, so they pass always or never; odds given are those of another seed. */
#include "../lbp_stats.h"
#include "test.h"

#include <stdlib.h>

/* ---- input ------------------------------------------------------------------------------------------------------- */

static double *doubles(size_t n) {
  /* exactly n, so that a sanitizer or valgrind sees one too many */
  double *a = n < SIZE_MAX / 2 / sizeof *a ? (double *)malloc(n * sizeof *a) : NULL;
  if (!a) exit(2);
  return a;
}

static uint64_t splitmix(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static double gauss(uint64_t *state) {
  const double u = ((double)(splitmix(state) >> 11) + 0.5) / 9007199254740992.0;
  const double v = (double)(splitmix(state) >> 11) / 9007199254740992.0;
  return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* A stationary AR(1) trace with mean 0 and variance 1; its ESS is n (1 - phi) / (1 + phi). */
static void ar1(double *x, size_t n, double phi, uint64_t *state) {
  x[0] = gauss(state);
  for (size_t t = 1; t < n; t++) x[t] = phi * x[t - 1] + sqrt(1.0 - phi * phi) * gauss(state);
}

/* Integers that any language reproduces: chain c is shifted by c * shift and taken modulo mod if that is not 0. */
static void integer_chains(double *x, size_t m, size_t n, int memory, int shift, int mod) {
  uint64_t s = 2024;
  for (size_t c = 0; c < m; c++) {
    int v = memory >= 0 ? 20 : 0;
    for (size_t t = 0; t < n; t++) {
      s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      const int u = (int)((s >> 33) % 41u);
      v = memory >= 0 ? (memory * v + (8 - memory) * u) / 8 : 40 - (-memory * v + (8 + memory) * u) / 8;
      const int shifted = v + shift * (int)c;
      x[c * n + t] = mod ? shifted % mod : shifted;
    }
  }
}

/* Volatile, as a compiler under -ffast-math that sees a NaN coming may do with it what it likes. */
static double from_bits(uint64_t bits) {
  volatile uint64_t held = bits;
  const uint64_t loaded = held;
  double v;
  memcpy(&v, &loaded, sizeof v);
  return v;
}

static double not_a_number(void) { return from_bits(UINT64_C(0x7ff8000000000000)); }
static double infinite(void) { return from_bits(UINT64_C(0x7ff0000000000000)); }

/* ---- means and standard errors ----------------------------------------------------------------------------------- */

static void test_mean_se(void) {
  const double four[] = { 1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0, 1e9 + 4.0 }, same[] = { 0.1, 0.1, 0.1 };
  const double wide[] = { 1e200, -1e200 }, tiny[] = { 1e-200, 2e-200 };
  double bad[] = { 1.0, 2.0, 3.0 }, huge[] = { 1.7e308, -1.7e308 }, mean = -1.0, se = -1.0;
  CHECK(lbp_mean_se(four, 4, &mean, &se) == LBP_OK);
  CHECK_NEAR(mean, 1e9 + 2.5, 0.0);
  CHECK_NEAR(se, sqrt(5.0 / 12.0), 1e-12);

  mean = se = -1.0;
  CHECK(lbp_mean_se(same, 3, &mean, &se) == LBP_E_CONSTANT && mean == same[0] && se == -1.0);
  CHECK(lbp_mean_se(same, 3, &mean, NULL) == LBP_OK);
  mean = -1.0;
  CHECK(lbp_mean_se(same, 1, &mean, &se) == LBP_E_TOO_SHORT && mean == same[0] && se == -1.0);
  CHECK(lbp_mean_se(wide, 2, &mean, &se) == LBP_E_DRAW_NOT_FINITE && mean == 0.0 && se == -1.0); /* the variance */
  mean = -1.0;
  bad[2] = not_a_number();
  CHECK(lbp_mean_se(bad, 3, &mean, &se) == LBP_E_DRAW_NOT_FINITE);
  bad[2] = infinite();
  CHECK(lbp_mean_se(bad, 3, &mean, &se) == LBP_E_DRAW_NOT_FINITE);
  CHECK(mean == -1.0);
  CHECK_ALIKE(lbp_mean_se(tiny, 2, &mean, &se) == LBP_E_CONSTANT && mean == 1.5e-200 && se == -1.0);
  se = -1.0; /* where registers have a larger range the draws of `tiny` vary */
  CHECK(lbp_mean_se(huge, 2, &mean, &se) == LBP_E_DRAW_NOT_FINITE);
  mean = -1.0; /* where registers have a larger range the mean is known, 0 */
  CHECK(lbp_mean_se(bad, 0, &mean, &se) == LBP_E_SIZE);
  CHECK(lbp_mean_se(NULL, 3, &mean, &se) == LBP_E_NULL && lbp_mean_se(bad, 3, NULL, &se) == LBP_E_NULL);
  CHECK(mean == -1.0 && se == -1.0);
}

/* The same error from the whole trace: batches cut by hand. */
static double batch_error(const double *x, size_t n, size_t length) {
  const size_t full = n / length;
  double mean[LBP_STREAM_BATCHES], all = 0.0, own = 0.0, next = 0.0;
  for (size_t b = 0; b < full; b++) {
    mean[b] = 0.0;
    for (size_t t = 0; t < length; t++) mean[b] += x[b * length + t] / (double)length;
    all += mean[b] / (double)full;
  }
  for (size_t b = 0; b < full; b++) own += (mean[b] - all) * (mean[b] - all);
  for (size_t b = 1; b < full; b++) next += (mean[b] - all) * (mean[b - 1] - all);
  const double variance = (own + (next > 0.0 ? 2.0 * next : 0.0)) / (double)(full - 1) / (double)full;
  return sqrt(variance * (double)(full * length) / (double)n);
}

static void test_stream(void) {
  static const size_t lengths[][2] = { { 64, 2 },    { 65, 2 },    { 127, 2 },   { 128, 4 },
                                       { 1000, 16 }, { 4095, 64 }, { 4096, 128 } };
  double *x = doubles(4096), mean = 0.0, se = 0.0;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    const size_t n = lengths[i][0];
    for (int memory = -7; memory <= 7; memory += 14) { /* batches with covariances of either sign */
      lbp_stream s;
      double sum = 0.0;
      integer_chains(x, 1, n, memory, 0, 0);
      lbp_stream_init(&s);
      for (size_t t = 0; t < n; t++) {
        lbp_stream_push(&s, x[t]);
        sum += x[t];
      }
      CHECK(s.count == n && s.length == lengths[i][1] && s.full == n / s.length && s.filled == n % s.length);
      CHECK(lbp_stream_mean(&s, &mean, &se) == LBP_OK);
      CHECK_NEAR(mean, sum / (double)n, 1e-13);
      CHECK_NEAR(se, batch_error(x, n, lengths[i][1]), 1e-12);
    }
  }
  free(x);
}

static void push_many(lbp_stream *s, double a, double b, int n) {
  lbp_stream_init(s);
  for (int t = 0; t < n; t++) lbp_stream_push(s, t % 2 ? b : a);
}

static void test_stream_reasons(void) {
  const double same = 0.3; /* as a double: a literal may have more digits where arithmetic does */
  lbp_stream s;
  double mean = -1.0, se = -1.0;
  lbp_stream_init(&s);
  CHECK(lbp_stream_mean(&s, &mean, &se) == LBP_E_TOO_SHORT && mean == -1.0);
  push_many(&s, 0.0, 1.0, 63);
  CHECK(lbp_stream_mean(&s, &mean, &se) == LBP_E_TOO_SHORT);
  CHECK_NEAR(mean, 31.0 / 63.0, 1e-15);
  push_many(&s, same, same, 1000);
  CHECK(lbp_stream_mean(&s, &mean, &se) == LBP_E_CONSTANT && mean == same);
  CHECK(lbp_stream_mean(&s, &mean, NULL) == LBP_OK);
  lbp_stream_init(&s);
  for (int t = 0; t < 64; t++) lbp_stream_push(&s, t < 32 ? 1e200 : -1e200);
  CHECK_ALIKE(lbp_stream_mean(&s, &mean, &se) == LBP_E_DRAW_NOT_FINITE && se == -1.0);
  CHECK_NEAR(mean / 1e200, 0.0, 1e-15);
  se = -1.0; /* where registers have a larger range it is known */
  lbp_stream_init(&s); /* squares of the spread that are 0 once divided: an error of 0 would be a lie */
  for (int t = 0; t < 64; t++) lbp_stream_push(&s, t == 5 ? 3e-162 : 0.0);
  CHECK(lbp_stream_mean(&s, &mean, &se) == LBP_E_CONSTANT ? se == -1.0 : se > 0.0);
  se = mean = -1.0;
  for (int i = 0; i < 4; i++) { /* early and late: in a full batch, and in the open one */
    push_many(&s, 0.0, 1.0, i % 2 ? 5 : 999);
    lbp_stream_push(&s, i < 2 ? not_a_number() : infinite());
    for (int t = 0; t < 200 * (i % 2); t++) lbp_stream_push(&s, 1.0);
    CHECK(lbp_stream_mean(&s, &mean, &se) == LBP_E_DRAW_NOT_FINITE);
  }
  CHECK(lbp_stream_mean(NULL, &mean, &se) == LBP_E_NULL && lbp_stream_mean(&s, NULL, &se) == LBP_E_NULL);
  CHECK(mean == -1.0 && se == -1.0);
}

static void test_stats(void) {
  lbp_stats st;
  double rate = -1.0, rate_se = -1.0, ejd = -1.0, ejd_se = -1.0;
  uint64_t seed = 1;
  lbp_stats_init(&st);
  for (int t = 0; t < 10000; t++) {
    const int accepted = splitmix(&seed) % 4 != 0;
    lbp_stats_push(&st, accepted, accepted ? 8.0 : 0.0);
  }
  CHECK(lbp_stats_acceptance(&st, &rate, &rate_se) == LBP_OK && lbp_stats_ejd(&st, &ejd, &ejd_se) == LBP_OK);
  CHECK_NEAR(rate, 0.75, 5 * 0.00433); /* five standard errors: fails once in two million seeds */
  CHECK_NEAR(rate_se, 0.00433, 0.0018);
  CHECK_NEAR(ejd, 8.0 * rate, 1e-12);
  CHECK_NEAR(ejd_se, 8.0 * rate_se, 1e-12);
  CHECK(lbp_stats_acceptance(NULL, &rate, &rate_se) == LBP_E_NULL);
  CHECK(lbp_stats_ejd(NULL, &ejd, &ejd_se) == LBP_E_NULL);
}

/* How often mean +- 1.96 se holds the true mean, 0, in 2000 chains of n draws. */
static double coverage(double phi, size_t n, uint64_t seed) {
  enum { CHAINS = 2000 };
  double *x = doubles(n);
  int held = 0;
  for (int c = 0; c < CHAINS; c++) {
    lbp_stream s;
    double mean = 9.0, se = 0.0;
    ar1(x, n, phi, &seed);
    lbp_stream_init(&s);
    for (size_t t = 0; t < n; t++) lbp_stream_push(&s, x[t]);
    held += lbp_stream_mean(&s, &mean, &se) == LBP_OK && fabs(mean) <= 1.96 * se;
  }
  free(x);
  return held / (double)CHAINS;
}

/* 0.95, less some 0.01 for the 30 to 60 degrees of freedom, plus some for never subtracting a covariance. Other seeds
 * gave 0.949 to 0.958, 0.937 to 0.943 and 0.953 to 0.962; the standard error of a coverage is 0.005, so that fewer
 * than one seed in a thousand fails. */
static void test_coverage(void) {
  CHECK_NEAR(coverage(0.0, 1000, 3), 0.95, 0.025);
  CHECK_NEAR(coverage(0.9, 3000, 4), 0.945, 0.025);  /* correlation time 19 in batches of 64 */
  CHECK_NEAR(coverage(-0.5, 1000, 5), 0.955, 0.025);
}

/* ---- effective sample size --------------------------------------------------------------------------------------- */

static double lag_sum(const double *x, size_t n, double mean, size_t k) {
  double sum = 0.0;
  for (size_t t = 0; t + k < n; t++) sum += (x[t] - mean) * (x[t + k] - mean);
  return sum;
}

static double plain_mean(const double *x, size_t n) {
  double sum = 0.0;
  for (size_t t = 0; t < n; t++) sum += x[t];
  return sum / (double)n;
}

/* The definition of LBP_ESS_TFP, term by term. */
static double direct_tfp(const double *x, size_t n) {
  const double mean = plain_mean(x, n), c0 = lag_sum(x, n, mean, 0) / (double)n;
  double sum = 0.0;
  for (size_t k = 0; k < n; k++) {
    const double rho = lag_sum(x, n, mean, k) / (double)(n - k) / c0;
    if (rho < -1e-13) break;
    sum += (double)(n - k) / (double)n * rho;
  }
  return (double)n / (-1.0 + 2.0 * sum);
}

/* The definition of LBP_ESS_GEYER with its pairs kept in an array. */
static double direct_geyer(const double *x, size_t n) {
  double *pairs = doubles(n), tau = -1.0, even = 1.0, odd = 0.0;
  const double mean = plain_mean(x, n), c0 = lag_sum(x, n, mean, 0), bias = 1.0 / (double)(n - 1);
  size_t count = 0;
  for (size_t k = 0; k + 1 < n; k += 2) {
    even = k ? lag_sum(x, n, mean, k) / c0 - bias : 1.0;
    odd = lag_sum(x, n, mean, k + 1) / c0 - bias;
    if (even + odd <= 0.0 || k + 5 >= n) break;
    pairs[count++] = even + odd;
  }
  for (size_t i = 1; i < count; i++)
    if (pairs[i] > pairs[i - 1]) pairs[i] = pairs[i - 1];
  for (size_t i = 0; i < count; i++) tau += 2.0 * pairs[i];
  if (even > 0.0 || even + odd > 0.0) tau += even;
  free(pairs);
  const double least = 1.0 / log10((double)n);
  return (double)n / (tau > least ? tau : least);
}

static double ess_of(int kind, const double *x, size_t n) {
  double *work = doubles(LBP_ESS_WORKSPACE(n)), ess = -1.0;
  CHECK(lbp_ess(kind, x, n, work, LBP_ESS_WORKSPACE(n), &ess) == LBP_OK);
  free(work);
  return ess;
}

static void compare_with_direct(const double *x, size_t n) {
  const double tfp = direct_tfp(x, n), geyer = direct_geyer(x, n);
  CHECK_NEAR(ess_of(LBP_ESS_TFP, x, n), tfp, 1e-9 * tfp);
  if (n >= 6) CHECK_NEAR(ess_of(LBP_ESS_GEYER, x, n), geyer, 1e-9 * geyer);
}

static void test_ess_direct(void) {
  static const size_t more[] = { 63, 64, 65, 127, 128, 129, 1000, 1023, 1024, 1025, 4097, 100000, 131072 };
  double *x = doubles(131072);
  uint64_t seed = 11;
  for (size_t n = 4; n < 40; n++)
    for (int phi = -1; phi <= 1; phi++) {
      ar1(x, n, 0.8 * phi, &seed);
      compare_with_direct(x, n);
    }
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    ar1(x, more[i], 0.9, &seed);
    for (size_t t = 0; t < more[i]; t++) x[t] += 1000.0;
    compare_with_direct(x, more[i]);
    integer_chains(x, 1, more[i], 6, 0, 0);
    compare_with_direct(x, more[i]);
  }
  free(x);
}

static void test_autocovariance(void) {
  for (size_t n = 2; n < 140; n++) {
    double *x = doubles(n), *work = doubles(LBP_ESS_WORKSPACE(n < 4 ? 4 : n)), worst = 0.0;
    uint64_t seed = n;
    ar1(x, n, 0.7, &seed);
    lbp_p_autocovariance(x, n, work);
    const double mean = plain_mean(x, n);
    for (size_t k = 0; k < n; k++) {
      const double off = fabs(work[k] - lag_sum(x, n, mean, k) / (double)n);
      if (off > worst) worst = off;
    }
    CHECK_NEAR(worst, 0.0, 1e-14 * (work[0] + 1.0));
    free(work);
    free(x);
  }
}

/* Mean ESS of 40 traces of 20000 draws over the known one. Other seeds gave 0.982 to 1.005 for TFP (whose sum goes on
 * into the noise, a bias of 1 %) and 0.993 to 1.014 for Geyer; from the standard error of about 0.01, fewer than one
 * seed in a thousand fails. At phi = -0.5, where ESS is 3 n, TFP's is n as lag 1 is negative. */
static double relative_ess(int kind, double phi, uint64_t seed) {
  const size_t n = 20000;
  const int traces = 40;
  double *x = doubles(n), sum = 0.0;
  for (int i = 0; i < traces; i++) {
    ar1(x, n, phi, &seed);
    sum += ess_of(kind, x, n) / traces;
  }
  free(x);
  return sum * (1.0 + phi) / (1.0 - phi) / (double)n;
}

static void test_ess_known(void) {
  CHECK_NEAR(relative_ess(LBP_ESS_TFP, 0.9, 21), 1.0, 0.05);
  CHECK_NEAR(relative_ess(LBP_ESS_GEYER, 0.9, 22), 1.0, 0.05);
  CHECK_NEAR(relative_ess(LBP_ESS_TFP, 0.5, 23), 1.0, 0.05);
  CHECK_NEAR(relative_ess(LBP_ESS_GEYER, 0.5, 24), 1.0, 0.05);
  CHECK_NEAR(relative_ess(LBP_ESS_TFP, -0.5, 25), 1.0 / 3.0, 1e-12);
  CHECK_NEAR(relative_ess(LBP_ESS_GEYER, -0.5, 26), 1.0, 0.05);
}

static void test_ess_edges(void) {
  enum { N = 100 };
  double x[N], y[N], work[LBP_ESS_WORKSPACE(N)];
  for (int t = 0; t < N; t++) x[t] = t % 2;
  CHECK_NEAR(ess_of(LBP_ESS_TFP, x, N), 100.0, 1e-10);   /* lag 1 is negative: nothing is left but lag 0 */
  CHECK_NEAR(ess_of(LBP_ESS_GEYER, x, N), 200.0, 1e-10); /* n log10 n, the cap */
  CHECK(lbp_ess_workspace(N) == LBP_ESS_WORKSPACE(N) && sizeof work == lbp_ess_workspace(N) * sizeof *work);

  /* mean 0, lag sums S0, 0, S2 > 0 and a negative one: the zero may not be taken for negative after rounding */
  static const double vanishing[][12] = { { -2, 1, 0, 2, -3, -2, -1, 1, -3, 2, 2, 3 },
                                          { 2, -3, 3, 3, 2, 0, -2, -2, -3, 2, -2, 0 },
                                          { 2, 2, 3, -3, -2, -1, -1, -1, 1, -1, 3, -2 },
                                          { 0, 0, -3, 0, -2, 0, 2, 2, 2, -1, 2, -2 },
                                          { 1, 1, 0, 1, -2, 2, 1, 0, 0, -3, -1, 0 },
                                          { -2, -1, 1, 2, -2, -2, -3, 3, 0, 3, 0, 1 } };
  for (int i = 0; i < 6; i++) {
    const double *v = vanishing[i];
    CHECK(lag_sum(v, 12, 0.0, 1) == 0.0 && lag_sum(v, 12, 0.0, 3) < 0.0);
    const double rho2 = lag_sum(v, 12, 0.0, 2) / lag_sum(v, 12, 0.0, 0);
    CHECK_NEAR(ess_of(LBP_ESS_TFP, v, 12), 12.0 / (1.0 + 2.0 * rho2), 1e-10);
  }

  integer_chains(x, 1, N, 6, 0, 0); /* units do not matter */
  for (int t = 0; t < N; t++) y[t] = 1e6 - 1024.0 * x[t];
  for (int kind = 0; kind < 2; kind++) CHECK_NEAR(ess_of(kind, x, N), ess_of(kind, y, N), 1e-9);
}

static void test_ess_reasons(void) {
  enum { N = 50, W = 5 * N };
  double x[N], work[W], ess = -1.0;
  for (int t = 0; t < N; t++) x[t] = 0.1;
  CHECK(lbp_ess(LBP_ESS_TFP, x, N, work, W, &ess) == LBP_E_CONSTANT);
  for (int t = 0; t < N; t++) x[t] = t % 3 * 1e-200;
  CHECK(lbp_ess(LBP_ESS_TFP, x, N, work, W, &ess) == LBP_E_CONSTANT);
  for (int t = 0; t < N; t++) x[t] = t % 3 * 1e200;
  CHECK(lbp_ess(LBP_ESS_GEYER, x, N, work, W, &ess) == LBP_E_DRAW_NOT_FINITE);
  for (int t = 0; t < N; t++) x[t] = t % 3;
  CHECK(lbp_ess(LBP_ESS_TFP, x, 3, work, W, &ess) == LBP_E_TOO_SHORT);
  CHECK(lbp_ess(LBP_ESS_GEYER, x, 5, work, W, &ess) == LBP_E_TOO_SHORT);
  CHECK(lbp_ess(LBP_ESS_TFP, x, N, work, W - 1, &ess) == LBP_E_WORKSPACE);
  CHECK(lbp_ess(LBP_ESS_TFP, x, SIZE_MAX / 5 + 1, work, W, &ess) == LBP_E_WORKSPACE);
  CHECK(lbp_ess(2, x, N, work, W, &ess) == LBP_E_RANGE);
  CHECK(lbp_ess(LBP_ESS_TFP, NULL, N, work, W, &ess) == LBP_E_NULL);
  CHECK(lbp_ess(LBP_ESS_TFP, x, N, NULL, W, &ess) == LBP_E_NULL);
  CHECK(lbp_ess(LBP_ESS_TFP, x, N, work, W, NULL) == LBP_E_NULL);
  for (int at = 0; at < N; at += N - 1) {
    const double held = x[at];
    x[at] = not_a_number();
    CHECK(lbp_ess(LBP_ESS_TFP, x, N, work, W, &ess) == LBP_E_DRAW_NOT_FINITE);
    x[at] = -infinite();
    CHECK(lbp_ess(LBP_ESS_GEYER, x, N, work, W, &ess) == LBP_E_DRAW_NOT_FINITE);
    x[at] = held;
  }
  CHECK(ess == -1.0);
}

/* Four AR(1) chains: the ESS of their mean, and what follows from it. */
static void test_mean_of_chains(void) {
  enum { M = 4, LENGTH = 20000 };
  const size_t room = LBP_CHAINS_WORKSPACE(M, LENGTH);
  double *x = doubles((size_t)M * LENGTH), *work = doubles(room), ess = -1.0, mcse = -1.0, mean, squares = 0.0;
  uint64_t state = 7;
  for (size_t c = 0; c < M; c++) ar1(x + c * LENGTH, LENGTH, 0.5, &state);
  CHECK(lbp_ess_mean(x, M, LENGTH, work, room, &ess) == LBP_OK);
  CHECK_NEAR(ess / ((double)M * LENGTH / 3.0), 1.0, 0.1);
  CHECK(lbp_mcse_mean(x, M, LENGTH, work, room, &mcse) == LBP_OK);
  mean = lbp_p_mean(x, (size_t)M * LENGTH);
  for (size_t t = 0; t < (size_t)M * LENGTH; t++) squares += (x[t] - mean) * (x[t] - mean);
  CHECK_NEAR(mcse * mcse * ess * ((double)M * LENGTH - 1.0) / squares, 1.0, 1e-9);
  CHECK(fabs(mean) < 5.0 * mcse); /* a false alarm in 10^6 seeds */
  ess = mcse = -1.0;
  CHECK(lbp_ess_mean(x, M, LENGTH, work, room, NULL) == LBP_E_NULL);
  CHECK(lbp_mcse_mean(x, M, LENGTH, work, room, NULL) == LBP_E_NULL);
  CHECK(lbp_ess_mean(x, M, LENGTH, work, room - 1, &ess) == LBP_E_WORKSPACE);
  CHECK(lbp_mcse_mean(x, M, 2, work, room, &mcse) == LBP_E_TOO_SHORT);
  memset(x, 0, (size_t)M * LENGTH * sizeof *x);
  CHECK(lbp_mcse_mean(x, M, LENGTH, work, room, &mcse) == LBP_E_CONSTANT);
  CHECK(ess == -1.0 && mcse == -1.0);
  free(x);
  free(work);
}

static void test_discrete(void) {
  const double x[] = { 3.0, -1.0, 3.0, 7.0, -1.0, 3.0, 0.0, 7.0 }, half[] = { 1.0, 0.5 };
  double bad[] = { 1.0, 2.0 }, work[8];
  lbp_frequencies f, same;
  CHECK(lbp_discrete(x, 8, work, 8, &f) == LBP_OK && f.values == 4);
  CHECK(f.mode == 3.0 && f.share == 3.0 / 8.0);
  CHECK_NEAR(f.entropy, -(3.0 / 8.0 * log(3.0 / 8.0) + 2.0 * 0.25 * log(0.25) + 0.125 * log(0.125)), 1e-14);
  CHECK(lbp_discrete(x, 2, work, 2, &f) == LBP_OK && f.mode == -1.0 && f.share == 0.5); /* of equals the smallest */
  CHECK(lbp_discrete(x, 1, work, 1, &f) == LBP_OK && f.mode == 3.0 && f.share == 1.0 && f.entropy == 0.0);
  same = f;
  CHECK(lbp_discrete(NULL, 2, work, 2, &f) == LBP_E_NULL && lbp_discrete(x, 2, NULL, 2, &f) == LBP_E_NULL);
  CHECK(lbp_discrete(x, 2, work, 2, NULL) == LBP_E_NULL && lbp_discrete(x, 0, work, 2, &f) == LBP_E_SIZE);
  CHECK(lbp_discrete(x, 3, work, 2, &f) == LBP_E_WORKSPACE);
  CHECK(lbp_discrete(half, 2, work, 2, &f) == LBP_E_NOT_WHOLE);
  bad[1] = not_a_number();
  CHECK(lbp_discrete(bad, 2, work, 2, &f) == LBP_E_DRAW_NOT_FINITE);
  bad[1] = infinite();
  CHECK(lbp_discrete(bad, 2, work, 2, &f) == LBP_E_DRAW_NOT_FINITE);
  CHECK(memcmp(&f, &same, sizeof f) == 0);
}

/* ---- several chains ---------------------------------------------------------------------------------------------- */

/* integer_chains() and what other programs say. ArviZ 0.23.4, stats.diagnostics: _rhat of _split_chains; the
 * larger _rhat of _z_scale of these and of their distances from the median; _ess_bulk; _ess_tail; _ess of the first
 * chain. TensorFlow Probability 0.24: mcmc.effective_sample_size of the first chain, in double precision; 0: not asked.
 * Of odd numbers of draws or draws of a half, where ArviZ takes the median of the halves and a pair of lags more,
 * R's posterior 1.4.0: rhat_basic, rhat, ess_bulk, ess_tail, .ess. */
typedef struct {
  size_t m, n;
  int memory, shift, mod;
  double rhat_split, rhat, ess_bulk, ess_tail, ess_geyer, ess_tfp;
} reference;

static const reference references[] = {
  { 4, 250, 6, 0, 0,
    1.02463024478384, 1.02500061828723, 144.370400738104, 256.307115920071, 51.4849589000218, 50.7333703616787 },
  { 1, 101, 7, 0, 0,
    1.01002629444712, 1.00678933209934, 22.222220742682, 60.3843451962804, 19.7221542166955, 19.2514834096162 },
  { 3, 40, 5, 2, 0,
    1.06244570849028, 1.06127934536663, 36.632354644518, 88.2791030290647, 12.7127873504783, 12.1201676798401 },
  { 4, 200, 7, 0, 2,
    1.00055028537861, 1.00055028537861, 563.072685227884, 563.072685227885, 156.762931040337, 154.515584761566 },
  { 2, 120, -6, 0, 0,
    0.992944549000627, 1.0138328926886, 571.250698010785, 158.812100150067, 249.501749525715, 120.0 },
  /* chains so far apart that the pairs of lags stay positive to the end */
  { 2, 12, 3, 1000, 0,
    94.7328021532341, 2.04420618752276, 7.62829397480981, 14.7945205479452, 12.9501749525715, 12.0 },
  { 2, 14, 3, 1000, 0,
    83.8811159023467, 1.79135438867098, 9.07307826659479, 19.8840579710145, 16.0457924994953, 14.0 },
  { 4, 99, 7, 0, 0,
    1.22486410919702, 1.23075196181011, 13.9580151548662, 39.3007415442281, 19.5506385262213, 0.0 },
  { 3, 51, 7, 9, 0,
    3.34886890487461, 2.26761118185688, 4.67103456020311, 21.2179813736788, 10.7073039644662, 0.0 },
  { 2, 33, 7, 0, 0,
    1.12892524650561, 1.11117120482438, 13.4842396525662, 48.8283378746594, 6.38410219150641, 0.0 },
  { 3, 13, 5, 0, 0,
    1.34574646447079, 1.33082861924995, 15.7478973368346, 22.1917808219178, 14.4107683390224, 0.0 },
  { 4, 101, 5, 1, 0,
    1.14361316750173, 1.14355151246239, 21.9089166412446, 94.1270250933527, 33.4977659521544, 0.0 },
  { 3, 51, -5, 0, 0, /* the median of the halves would give an R-hat of 1.032399 */
    0.983597586943352, 1.03238283062066, 326.413688858352, 165.048543689320, 87.0860789809947, 0.0 },
};

typedef int chains_fn(const double *x, size_t m, size_t n, double *work, size_t work_len, double *result);

/* The result, or minus the status. */
static double of_chains(chains_fn *f, const double *x, size_t m, size_t n) {
  double *work = doubles(LBP_CHAINS_WORKSPACE(m, n)), result = -1e300;
  const int status = f(x, m, n, work, LBP_CHAINS_WORKSPACE(m, n), &result);
  free(work);
  CHECK((status == LBP_OK) == (result != -1e300));
  return status == LBP_OK ? result : -status;
}

static void test_references(void) {
  for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
    const reference r = references[i];
    double *x = doubles(r.m * r.n);
    integer_chains(x, r.m, r.n, r.memory, r.shift, r.mod);
    CHECK_NEAR(of_chains(lbp_rhat_split, x, r.m, r.n), r.rhat_split, 1e-12);
    CHECK_NEAR(of_chains(lbp_rhat, x, r.m, r.n), r.rhat, 1e-12);
    CHECK_NEAR(of_chains(lbp_ess_bulk, x, r.m, r.n), r.ess_bulk, 1e-10 * r.ess_bulk);
    CHECK_NEAR(of_chains(lbp_ess_tail, x, r.m, r.n), r.ess_tail, 1e-10 * r.ess_tail);
    CHECK_NEAR(ess_of(LBP_ESS_GEYER, x, r.n), r.ess_geyer, 1e-10 * r.ess_geyer);
    if (r.ess_tfp > 0.0) CHECK_NEAR(ess_of(LBP_ESS_TFP, x, r.n), r.ess_tfp, 1e-10 * r.ess_tfp);
    for (size_t t = 0; t < r.m * r.n; t++) x[t] *= x[t] * x[t]; /* ranks see no difference */
    CHECK_NEAR(of_chains(lbp_ess_bulk, x, r.m, r.n), r.ess_bulk, 1e-10 * r.ess_bulk);
    free(x);
  }
}

/* Two chains by hand: halves 0 0 0 4, 0 0 0 4 | 2 2 2 6, 2 2 2 6. Means 1 1 3 3, each variance 4, between 4/3. */
static void test_rhat_by_hand(void) {
  const double x[] = { 0, 0, 0, 4, 0, 0, 0, 4, 2, 2, 2, 6, 2, 2, 2, 6 };
  CHECK_NEAR(of_chains(lbp_rhat_split, x, 2, 8), sqrt(3.0 / 4.0 + 1.0 / 3.0), 1e-15);
}

static void test_chains_reasons(void) {
  enum { M = 2, N = 13, ALL = M * N, W = (2 * M + 3) * N };
  static chains_fn *const all[] = { lbp_rhat_split, lbp_rhat, lbp_ess_bulk, lbp_ess_tail, lbp_ess_mean, lbp_mcse_mean };
  CHECK(lbp_chains_workspace(M, N) == W && LBP_CHAINS_WORKSPACE(M, N) == W);
  for (size_t i = 0; i < 6; i++) {
    double x[ALL], work[W], result = -1.0;
    chains_fn *const f = all[i];
    for (int t = 0; t < ALL; t++) x[t] = 0.1;
    CHECK(f(x, M, N, work, W, &result) == LBP_E_CONSTANT);
    x[N / 2] = 5.0; /* the middle draw, which splitting leaves out */
    CHECK(f(x, M, N, work, W, &result) == LBP_E_CONSTANT);
    for (int t = 0; t < ALL; t++) x[t] = t < N ? 0.1 : 0.3;
    CHECK(f(x, M, N, work, W, &result) == LBP_E_STUCK);
    for (int t = 0; t < ALL; t++) x[t] = t % 4;
    CHECK(f(x, M, i < 2 ? 7 : 11, work, W, &result) == LBP_E_TOO_SHORT);
    CHECK(f(x, M, N, work, W - 1, &result) == LBP_E_WORKSPACE);
    CHECK(f(x, SIZE_MAX / 2 + 1, N, work, W, &result) == LBP_E_WORKSPACE);
    CHECK(f(x, 0, N, work, W, &result) == LBP_E_SIZE);
    CHECK(f(NULL, M, N, work, W, &result) == LBP_E_NULL);
    CHECK(f(x, M, N, NULL, W, &result) == LBP_E_NULL);
    CHECK(f(x, M, N, work, W, NULL) == LBP_E_NULL);
    x[ALL - 1] = not_a_number();
    CHECK(f(x, M, N, work, W, &result) == LBP_E_DRAW_NOT_FINITE);
    x[ALL - 1] = infinite();
    CHECK(f(x, M, N, work, W, &result) == LBP_E_DRAW_NOT_FINITE);
    CHECK(result == -1.0);
    x[ALL - 1] = 1.0;
    CHECK(f(x, M, N, work, W, &result) == LBP_OK && result > 0.0);
  }
}

/* Draws whose variances are no numbers, or underflow; chains whose distances from the median do not vary. */
static void test_chains_extremes(void) {
  enum { M = 2, N = 8, ALL = M * N, W = (2 * M + 3) * N };
  double x[ALL], work[W], result = -1.0;
  for (int t = 0; t < ALL; t++) x[t] = t % 2 ? 1e200 : -1e200;
  CHECK(lbp_rhat_split(x, M, N, work, W, &result) == LBP_E_DRAW_NOT_FINITE);
  for (int t = 0; t < ALL; t++) x[t] = (t < N ? 1e160 : -1e160) * (t % 2 ? 1.0 : 1.0 + DBL_EPSILON);
  CHECK(lbp_rhat_split(x, M, N, work, W, &result) == LBP_E_DRAW_NOT_FINITE); /* between the chains only */
  CHECK(result == -1.0);
  for (int t = 0; t < ALL; t++) x[t] = t % 2 ? 1e-170 : 0.0;
  CHECK_ALIKE(lbp_rhat_split(x, M, N, work, W, &result) == LBP_E_CONSTANT);
  result = -1.0;
  for (int t = 0; t < ALL; t++) x[t] = (t % 2 ? 1.0 : -1.0) * (t < N ? 1.0 : 2.0);
  CHECK(lbp_rhat(x, M, N, work, W, &result) == LBP_E_STUCK);
  CHECK(result == -1.0);
  CHECK(lbp_rhat_split(x, M, N, work, W, &result) == LBP_OK && result < 1.0);
}

/* The error of a mean of draws whose squares, or only those of the chains' means, overflow or underflow. */
static void test_mean_extremes(void) {
  enum { M = 2, N = 100, ALL = M * N, W = (2 * M + 3) * N };
  static chains_fn *const all[] = { lbp_ess_mean, lbp_mcse_mean };
  double x[ALL], work[W], result = -1.0;
  for (size_t i = 0; i < 2; i++) {
    for (int t = 0; t < ALL; t++) x[t] = 1e160 * (t * 7919 % 101);
    CHECK(all[i](x, M, N, work, W, &result) == LBP_E_DRAW_NOT_FINITE);
    for (int t = 0; t < ALL; t++) x[t] = (t < N ? 1e160 : -1e160) * (t % 2 ? 1.0 : 1.0 + DBL_EPSILON);
    CHECK(all[i](x, M, N, work, W, &result) == LBP_E_DRAW_NOT_FINITE);
    for (int t = 0; t < ALL; t++) x[t] = 1e-170 * (t * 7919 % 101);
    CHECK_ALIKE(all[i](x, M, N, work, W, &result) == LBP_E_CONSTANT);
  }
  CHECK_ALIKE(result == -1.0);
}

/* An offset that all draws have in common changes nothing, up to where they are still told apart: 2^53 + 2 k. */
static void test_offset(void) {
  enum { M = 2, N = 400, ALL = M * N, W = (2 * M + 3) * N };
  static chains_fn *const all[] = { lbp_rhat_split, lbp_ess_mean, lbp_mcse_mean, lbp_rhat };
  const double offset = 9007199254740992.0;
  double *x = doubles(2 * ALL), *far = x + ALL, *work = doubles(W + 5 * N), a, b, mean, se, far_se;
  uint64_t seed = 17;
  for (int t = 0; t < ALL; t++) x[t] = 2.0 * (gauss(&seed) > 0.0);
  for (int t = 0; t < ALL; t++) far[t] = x[t] + offset;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    CHECK(all[i](x, M, N, work, W, &a) == LBP_OK && all[i](far, M, N, work, W, &b) == LBP_OK);
    CHECK_NEAR(b / a, 1.0, 1e-9);
  }
  for (int kind = LBP_ESS_TFP; kind <= LBP_ESS_GEYER; kind++) {
    CHECK(lbp_ess(kind, x, N, work, W, &a) == LBP_OK && lbp_ess(kind, far, N, work, W, &b) == LBP_OK);
    CHECK_NEAR(b / a, 1.0, 1e-9);
  }
  CHECK(lbp_mean_se(x, N, &mean, &se) == LBP_OK && lbp_mean_se(far, N, &mean, &far_se) == LBP_OK);
  CHECK_NEAR(far_se / se, 1.0, 1e-9);
  CHECK_NEAR(lbp_variance(far, N) / lbp_variance(x, N), 1.0, 1e-9);
  free(x);
  free(work);
}

/* Draws of 0 and 1, equally often: all distances from the median are 1/2 and have no R-hat, but the draws have. */
static void test_two_values(void) {
  double x[40];
  for (int t = 0; t < 40; t++) x[t] = t / 2 % 2;
  const double rhat = of_chains(lbp_rhat, x, 2, 20);
  CHECK_NEAR(rhat, of_chains(lbp_rhat_split, x, 2, 20), 1e-12);
  CHECK(rhat > 0.9 && rhat < 1.1);
}

/* What R-hat is for: chains apart in location, and chains apart in scale only, which plain split R-hat cannot see.
 * Chains that agree stay below 1.01 (four of 1000 independent draws give 1.000 +- 0.001). */
static void test_rhat_finds(void) {
  enum { M = 4, N = 1000 };
  double *x = doubles(M * N);
  uint64_t seed = 31;
  for (int t = 0; t < M * N; t++) x[t] = gauss(&seed);
  CHECK_NEAR(of_chains(lbp_rhat, x, M, N), 1.0, 0.01);
  for (int t = 0; t < N; t++) x[t] *= 3.0;
  CHECK_NEAR(of_chains(lbp_rhat_split, x, M, N), 1.0, 0.01);
  CHECK(of_chains(lbp_rhat, x, M, N) > 1.1);
  for (int t = 0; t < N; t++) x[t] = x[t] / 3.0 + 1.0;
  CHECK(of_chains(lbp_rhat, x, M, N) > 1.05 && of_chains(lbp_rhat_split, x, M, N) > 1.05);
  free(x);
}

/* ---- equal chains ------------------------------------------------------------------------------------------------ */

enum { EQUAL_M = 5, EQUAL_N = 1000 };

/* What all that looks at several chains says, which is one and the same, or LBP_OK. */
static int said_of(const double *x, size_t m, size_t n) {
  const size_t room = LBP_CHAINS_WORKSPACE(m, n);
  double *work = doubles(room), value = -1;
  size_t pair[2] = {9, 9};
  const int status = lbp_chains_equal(x, m, n, work, room, pair), all[6] = {
    lbp_rhat(x, m, n, work, room, &value), lbp_rhat_split(x, m, n, work, room, &value),
    lbp_ess_bulk(x, m, n, work, room, &value), lbp_ess_tail(x, m, n, work, room, &value),
    lbp_ess_mean(x, m, n, work, room, &value), lbp_mcse_mean(x, m, n, work, room, &value)};
  int k;
  for (k = 0; k < 6; k++) CHECK((all[k] == LBP_E_EQUAL_CHAINS) == (status == LBP_E_EQUAL_CHAINS));
  if (status == LBP_E_EQUAL_CHAINS) {
    CHECK(value == -1 && pair[0] < pair[1] && pair[1] < m);
    CHECK(memcmp(x + pair[0] * n, x + pair[1] * n, n * sizeof *x) == 0);
  }
  free(work);
  return status;
}

static void test_equal(void) {
  static double x[EQUAL_M * EQUAL_N];
  uint64_t state = 31;
  size_t a, b, t, lengths[4] = {12, 33, 200, EQUAL_N}, k;
  for (k = 0; k < 4; k++) {
    const size_t n = lengths[k];
    for (t = 0; t < EQUAL_M * n; t++) x[t] = gauss(&state);
    CHECK(said_of(x, EQUAL_M, n) == LBP_OK);
    for (a = 0; a < EQUAL_M; a++) {
      for (b = 0; b < a; b++) { /* any two */
        double held[EQUAL_N];
        memcpy(held, x + a * n, n * sizeof *held);
        memcpy(x + a * n, x + b * n, n * sizeof *held);
        CHECK(said_of(x, EQUAL_M, n) == LBP_E_EQUAL_CHAINS);
        x[a * n + n - 1] += 1; /* all but one draw */
        CHECK(said_of(x, EQUAL_M, n) == LBP_OK);
        memcpy(x + a * n, held, n * sizeof *held);
      }
    }
  }
  for (t = 0; t < EQUAL_N; t++) { /* two values, at irregular times */
    const double v = (double)(splitmix(&state) >> 63);
    for (a = 0; a < EQUAL_M; a++) x[a * EQUAL_N + t] = v;
  }
  CHECK(said_of(x, EQUAL_M, EQUAL_N) == LBP_E_EQUAL_CHAINS);
  CHECK(said_of(x, 1, EQUAL_N) == LBP_OK);
  for (t = 0; t < EQUAL_N; t++) { /* no chance needed: taking turns; one value; a single change */
    for (a = 0; a < EQUAL_M; a++) x[a * EQUAL_N + t] = (double)(t % 2);
  }
  CHECK(said_of(x, EQUAL_M, EQUAL_N) != LBP_E_EQUAL_CHAINS);
  for (t = 0; t < EQUAL_N; t++) {
    for (a = 0; a < EQUAL_M; a++) x[a * EQUAL_N + t] = t > 400;
  }
  CHECK(said_of(x, EQUAL_M, EQUAL_N) != LBP_E_EQUAL_CHAINS);
  for (k = 0; k < 300; k++) { /* short traces of three values, that may well be the same; 1 in 3^12 in all pairs is */
    for (t = 0; t < EQUAL_M * 12; t++) x[t] = (double)(splitmix(&state) % 3);
    for (t = 0; t < 12; t++) x[12 + t] = x[t];
    CHECK(said_of(x, EQUAL_M, 12) != LBP_E_EQUAL_CHAINS);
  }
  for (t = 0; t < EQUAL_N; t++) x[t] = t == 7 ? 0 : gauss(&state); /* -0 equals 0, but is another draw */
  memcpy(x + EQUAL_N, x, EQUAL_N * sizeof *x), memcpy(x + 2 * EQUAL_N, x, EQUAL_N * sizeof *x);
  x[EQUAL_N + 7] = -0.0;
  CHECK(said_of(x, 2, EQUAL_N) == LBP_OK && said_of(x, 3, EQUAL_N) == LBP_E_EQUAL_CHAINS);
  CHECK(lbp_chains_equal(NULL, 2, 2, x, 99, NULL) == LBP_E_NULL);
  CHECK(lbp_chains_equal(x, 0, 2, x, 99, NULL) == LBP_E_SIZE);
  CHECK(lbp_chains_equal(x, 2, 10, x + 20, 69, NULL) == LBP_E_WORKSPACE);
}

/* ---- importance weights ------------------------------------------------------------------------------------------ */

/* Weights u^-k have a Pareto tail of that shape; those of exponential variables k = 0. By the weak prior means are off
 * by a little towards 0.5; from 40 samples they are known to 0.02. */
static void test_pareto(void) {
  enum { COUNT = 2000, TIMES = 40 };
  static const double shape[5] = {-0.3, 0, 0.3, 0.7, 1.2};
  double *w = doubles(COUNT), *work = doubles(LBP_PARETO_WORKSPACE(COUNT)), k = -1;
  uint64_t state = 5;
  size_t s, i, t;
  for (s = 0; s < 5; s++) {
    double mean = 0;
    for (t = 0; t < TIMES; t++) {
      for (i = 0; i < COUNT; i++) {
        const double u = ((double)(splitmix(&state) >> 11) + 0.5) / 9007199254740992.0;
        w[i] = shape[s] < 0 || shape[s] > 0 ? (pow(u, -shape[s]) - 1) / shape[s] : -log(u);
      }
      CHECK(lbp_pareto_k(w, COUNT, work, LBP_PARETO_WORKSPACE(COUNT), &k) == LBP_OK);
      mean += k / TIMES;
    }
    CHECK_NEAR(mean, (134 * shape[s] + 5) / 144, 0.07);
  }
  for (i = 0; i < COUNT; i++) w[i] *= 1e-300; /* the unit does not matter */
  {
    const double before = k;
    CHECK(lbp_pareto_k(w, COUNT, work, LBP_PARETO_WORKSPACE(COUNT), &k) == LBP_OK);
    CHECK_NEAR(k, before, 1e-6);
  }
  { /* a point of the grid at 0 exactly; tiny weights next to large ones: k is that of the same, less round */
    double few[25], round, near;
    for (i = 0; i < 25; i++) few[i] = i < 20 ? 1 : (double)(i - 14);
    CHECK(lbp_pareto_k(few, 25, work, LBP_PARETO_WORKSPACE(25), &round) == LBP_OK);
    few[24] += 1e-6;
    CHECK(lbp_pareto_k(few, 25, work, LBP_PARETO_WORKSPACE(25), &near) == LBP_OK);
    CHECK_NEAR(round, near, 1e-5);
    for (i = 0; i < 20; i++) few[i] = 0;
    few[20] = 1e-315, few[21] = 1e-312, few[22] = 1e-310, few[23] = 1e-300, few[24] = 1;
    CHECK(lbp_pareto_k(few, 25, work, LBP_PARETO_WORKSPACE(25), &round) == LBP_OK && round > 5);
    few[3] = -1;
    CHECK(lbp_pareto_k(few, 25, work, LBP_PARETO_WORKSPACE(25), &round) == LBP_E_RANGE);
  }
  k = -1;
  for (i = 0; i < COUNT; i++) w[i] = 1;
  CHECK(lbp_pareto_k(w, COUNT, work, LBP_PARETO_WORKSPACE(COUNT), &k) == LBP_E_TOO_SHORT && k == -1);
  w[0] = w[1] = w[2] = w[3] = 2;
  CHECK(lbp_pareto_k(w, COUNT, work, LBP_PARETO_WORKSPACE(COUNT), &k) == LBP_E_TOO_SHORT);
  CHECK(lbp_pareto_k(w, 24, work, LBP_PARETO_WORKSPACE(24), &k) == LBP_E_TOO_SHORT);
  CHECK(lbp_pareto_k(w, 24, work, 47, &k) == LBP_E_WORKSPACE && lbp_pareto_k(w, 24, work, 48, NULL) == LBP_E_NULL);
  w[5] = HUGE_VAL;
  CHECK(lbp_pareto_k(w, COUNT, work, LBP_PARETO_WORKSPACE(COUNT), &k) == LBP_E_DRAW_NOT_FINITE && k == -1);
  free(w);
  free(work);
}

static void test_sort(void) {
  uint64_t seed = 41;
  for (size_t n = 0; n < 200; n++) {
    double *a = doubles(n + 1), sum = 0.0;
    int wrong = 0;
    for (size_t i = 0; i < n; i++) sum += (a[i] = (double)(splitmix(&seed) % (n % 2 ? 1000000 : 7)) - 3.0);
    lbp_sort(a, n);
    for (size_t i = 0; i < n; i++) {
      sum -= a[i];
      wrong += i > 0 && a[i] < a[i - 1];
    }
    CHECK(wrong == 0 && sum == 0.0);
    free(a);
  }
}

static void test_quantile(void) {
  const double sorted[] = { 1.0, 2.0, 4.0 };
  CHECK_NEAR(lbp_quantile(sorted, 3, 0.0), 1.0, 0.0);
  CHECK_NEAR(lbp_quantile(sorted, 3, 0.25), 1.5, 0.0);
  CHECK_NEAR(lbp_quantile(sorted, 3, 0.875), 3.5, 0.0);
  CHECK_NEAR(lbp_quantile(sorted, 3, 1.0), 4.0, 0.0);
}

static void test_normal(void) {
  /* scipy.stats.norm */
  CHECK_NEAR(lbp_normal_cdf(0.5), 0.69146246127401312, 1e-15);
  CHECK_NEAR(lbp_normal_cdf(-10.0), 7.6198530241604697e-24, 1e-36);
  CHECK_NEAR(lbp_normal_quantile(0.975), 1.959963984540054, 1e-14);
  CHECK_NEAR(lbp_normal_quantile(0.3), -0.52440051270804078, 1e-15);
  CHECK_NEAR(lbp_normal_quantile(1e-10), -6.3613409024040557, 1e-14);
  CHECK_NEAR(lbp_normal_quantile(1e-300), -37.047096299361201, 1e-12);
  CHECK_NEAR(lbp_normal_quantile(0.5), 0.0, 1e-16);
  for (int i = 1; i < 1000; i++) {
    const double x = lbp_normal_quantile(i / 1000.0);
    CHECK_NEAR(lbp_normal_cdf(x), i / 1000.0, 1e-15);
    CHECK_NEAR(x, -lbp_normal_quantile(1.0 - i / 1000.0), 1e-13);
  }
}

/* ---- theory ------------------------------------------------------------------------------------------------------ */

static double unbalanced(double t) { return 1.0 + 0.0 * t; }
static double overflowing(double t) { return 1e308 * (1.0 + t); } /* balanced: t (1 + 1/t) = 1 + t */

static double lambda1(const double *p, size_t n, lbp_g g, int form) {
  double lambda = -1.0;
  CHECK(lbp_lambda1(p, n, g, form, &lambda) == LBP_OK);
  return lambda;
}

static void test_lambda(void) {
  /* one p: (2p - 1) / (4 p (1 - p)) for either g, in both forms, and the same for 1 - p */
  const double one[] = { 0.8, 0.8, 0.8 }, other[] = { 0.2 };
  for (int form = LBP_LAMBDA_PAPER; form <= LBP_LAMBDA_CORRECTED; form++) {
    CHECK_NEAR(lambda1(one, 3, lbp_g_barker, form), 0.9375, 1e-14);
    CHECK_NEAR(lambda1(one, 3, lbp_g_sqrt, form), 0.9375, 1e-14);
    CHECK_NEAR(lambda1(other, 1, lbp_g_sqrt, form), 0.9375, 1e-14);
  }
  /* sqrt(t): weights (1, 1) and (2, 1/2); q = 5/9, 4/9; E_q (w(0) - w(1))^2 = 1; Var_q(w(0) + w(1)) = 5/81;
   * E w = 0.9 */
  const double two[] = { 0.5, 0.8 };
  CHECK_NEAR(lambda1(two, 2, lbp_g_sqrt, LBP_LAMBDA_PAPER), sqrt(1.0 / 3.24), 1e-14);
  CHECK_NEAR(lambda1(two, 2, lbp_g_sqrt, LBP_LAMBDA_CORRECTED), sqrt((1.0 + 5.0 / 81.0 / 3.0) / 3.24), 1e-14);
  /* t / (1 + t): weights (1/2, 1/2) and (0.8, 0.2); q = 0.25, 0.16 over 0.41; E w = 0.41 */
  const double barker = 0.6 * sqrt(0.16 / 0.41) / 0.82;
  CHECK_NEAR(lambda1(two, 2, lbp_g_barker, LBP_LAMBDA_PAPER), barker, 1e-14);
  CHECK_NEAR(lambda1(two, 2, lbp_g_barker, LBP_LAMBDA_CORRECTED), barker, 1e-14);

  double lambda = -1.0;
  CHECK(lbp_lambda2(one, 3, &lambda) == LBP_OK);
  CHECK_NEAR(lambda, sqrt(1.2 * log(4.0)), 1e-14);
  CHECK(lbp_lambda2(two, 2, &lambda) == LBP_OK);
  CHECK_NEAR(lambda, sqrt(0.6 * log(4.0)), 1e-14);
}

/* p on a grid in [0.05, 0.95], like configuration C3 of [S]; figures from a few lines of NumPy. */
static void test_lambda_grid(void) {
  const size_t n = 6400;
  double *p = doubles(n), lambda = -1.0;
  for (size_t j = 0; j < n; j++) p[j] = 0.05 + 0.9 * ((double)j + 0.5) / (double)n;
  CHECK_NEAR(lambda1(p, n, lbp_g_sqrt, LBP_LAMBDA_PAPER), 0.825698654167656, 1e-11);
  CHECK_NEAR(lambda1(p, n, lbp_g_sqrt, LBP_LAMBDA_CORRECTED), 0.843808400706799, 1e-11);
  CHECK_NEAR(lambda1(p, n, lbp_g_barker, LBP_LAMBDA_PAPER), 0.597281621915858, 1e-11);
  CHECK_NEAR(lambda1(p, n, lbp_g_barker, LBP_LAMBDA_CORRECTED), 0.597281621915858, 1e-11);
  CHECK(lbp_lambda2(p, n, &lambda) == LBP_OK);
  CHECK_NEAR(lambda, 1.17405115925853, 1e-11);
  free(p);
}

static double steep(double t) { return 1e200 * sqrt(t); }
static double one_sided(double t) { return t < 1.0 ? 0.0 : t; }

static void test_lambda_reasons(void) {
  double p[] = { 0.3, 0.6 }, lambda = -1.0;
  const double out[] = { 0.0, 1.0, -0.5, 1.5, not_a_number(), infinite() };
  for (size_t i = 0; i < 6; i++) {
    p[1] = out[i];
    CHECK(lbp_lambda1(p, 2, lbp_g_sqrt, LBP_LAMBDA_PAPER, &lambda) == LBP_E_RANGE);
    CHECK(lbp_lambda2(p, 2, &lambda) == LBP_E_RANGE);
  }
  p[1] = 0.6;
  CHECK(lbp_lambda1(p, 2, overflowing, LBP_LAMBDA_PAPER, &lambda) == LBP_E_NOT_FINITE);
  CHECK(lbp_lambda1(p, 2, unbalanced, LBP_LAMBDA_PAPER, &lambda) == LBP_E_BALANCE);
  CHECK(lbp_lambda1(p, 2, steep, LBP_LAMBDA_PAPER, &lambda) == LBP_E_NOT_FINITE);
  CHECK(lbp_lambda1(p, 1, one_sided, LBP_LAMBDA_PAPER, &lambda) == LBP_E_BALANCE);     /* w(0) is zero */
  CHECK(lbp_lambda1(p + 1, 1, one_sided, LBP_LAMBDA_PAPER, &lambda) == LBP_E_BALANCE); /* w(1) is */
  CHECK(lbp_lambda1(p, 2, lbp_g_sqrt, 2, &lambda) == LBP_E_RANGE);
  CHECK(lbp_lambda1(p, 0, lbp_g_sqrt, LBP_LAMBDA_PAPER, &lambda) == LBP_E_SIZE);
  CHECK(lbp_lambda1(NULL, 2, lbp_g_sqrt, LBP_LAMBDA_PAPER, &lambda) == LBP_E_NULL);
  CHECK(lbp_lambda1(p, 2, NULL, LBP_LAMBDA_PAPER, &lambda) == LBP_E_NULL);
  CHECK(lbp_lambda1(p, 2, lbp_g_sqrt, LBP_LAMBDA_PAPER, NULL) == LBP_E_NULL);
  CHECK(lbp_lambda2(p, 0, &lambda) == LBP_E_SIZE);
  CHECK(lbp_lambda2(NULL, 2, &lambda) == LBP_E_NULL && lbp_lambda2(p, 2, NULL) == LBP_E_NULL);
  CHECK(lambda == -1.0);
}

/* The maximiser of R a(R) by golden section, which knows nothing of derivatives. */
static double golden_section(const lbp_scaling *s, double low, double high) {
  const double part = 0.6180339887498949;
  while (high - low > 1e-7 * high) {
    const double a = high - part * (high - low), b = low + part * (high - low);
    if (lbp_scaling_ejd(s, a) < lbp_scaling_ejd(s, b)) low = a;
    else high = b;
  }
  return 0.5 * (low + high);
}

/* [S] prints z = 1.081 and 5.673; the second maximum is at 5.670 (SciPy's brentq on the derivative agrees), where the
 * acceptance rate is 0.234 all the same. */
static void check_scaling(const lbp_scaling *s, double z, double acceptance) {
  const double R = lbp_scaling_best_R(s);
  CHECK_NEAR(lbp_scaling_best_z(s), z, 0.0005);
  CHECK_NEAR(lbp_scaling_acceptance(s, R), acceptance, 0.0005);
  CHECK_NEAR(golden_section(s, 1e-3, s->sites) / R, 1.0, 1e-5);
  CHECK_NEAR(lbp_scaling_ejd(s, R), R * lbp_scaling_acceptance(s, R), 1e-12 * R);
  CHECK_NEAR(lbp_scaling_acceptance(s, 0.0), 1.0, 1e-15);
}

static void test_scaling(void) {
  lbp_scaling s;
  CHECK(lbp_scaling_lbp(&s, 0.8, 6400) == LBP_OK);
  check_scaling(&s, 1.081, 0.574);
  CHECK_NEAR(lbp_scaling_best_R(&s), 1.081 * pow(6400.0 / 0.8, 2.0 / 3.0), 0.3);
  CHECK_NEAR(lbp_scaling_acceptance(&s, 100.0), 2.0 * lbp_normal_cdf(-0.8 * 1000.0 / 12800.0), 1e-14);
  CHECK(lbp_scaling_rwm(&s, 1.2, 100) == LBP_OK);
  check_scaling(&s, 5.670, 0.234);
  CHECK_NEAR(lbp_scaling_best_R(&s), 5.670 / 1.44, 0.001);
  CHECK_NEAR(lbp_scaling_acceptance(&s, 4.0), 2.0 * lbp_normal_cdf(-1.2), 1e-14);

  CHECK(lbp_scaling_rwm(&s, 9.0, 100) == LBP_OK && lbp_scaling_best_R(&s) == 1.0);
  CHECK(lbp_scaling_rwm(&s, 0.1, 100) == LBP_OK && lbp_scaling_best_R(&s) == 100.0);
  CHECK(lbp_scaling_lbp(&s, 0.0, 50) == LBP_OK && lbp_scaling_best_R(&s) == 50.0);
  CHECK_NEAR(lbp_scaling_acceptance(&s, 50.0), 1.0, 1e-15);
  const double out[] = { -1.0, not_a_number(), infinite() };
  for (size_t i = 0; i < 3; i++)
    CHECK(lbp_scaling_lbp(&s, out[i], 9) == LBP_E_RANGE && lbp_scaling_rwm(&s, out[i], 9) == LBP_E_RANGE);
  CHECK_ALIKE(lbp_scaling_rwm(&s, 1e100, 9) == LBP_OK);
  CHECK(lbp_scaling_rwm(&s, 0.9e100, 9) == LBP_OK && lbp_scaling_rwm(&s, 1.1e100, 9) == LBP_E_RANGE);
  CHECK(lbp_scaling_lbp(&s, 1.0, 0) == LBP_E_SIZE && lbp_scaling_rwm(&s, 1.0, 0) == LBP_E_SIZE);
  CHECK(lbp_scaling_lbp(NULL, 1.0, 9) == LBP_E_NULL && lbp_scaling_rwm(NULL, 1.0, 9) == LBP_E_NULL);
}

int main(void) {
  test_mean_se();
  test_stream();
  test_stream_reasons();
  test_stats();
  test_coverage();
  test_autocovariance();
  test_ess_direct();
  test_ess_known();
  test_ess_edges();
  test_ess_reasons();
  test_mean_of_chains();
  test_discrete();
  test_references();
  test_rhat_by_hand();
  test_mean_extremes();
  test_chains_reasons();
  test_chains_extremes();
  if (!LBP_FAST_MATH) test_offset(); /* where sums may be taken apart there is no such promise */
  test_two_values();
  test_rhat_finds();
  test_equal();
  test_pareto();
  test_sort();
  test_quantile();
  test_normal();
  test_lambda();
  test_lambda_grid();
  test_lambda_reasons();
  test_scaling();
  return test_report();
}
