/* Fuzz target: lbp_stats.h on any numbers. Every status is one of those that a function's comment names, every result a
 * number in the range that it promises. */
#include "fuzz.h"

#include "../../lbp_stats.h"

enum { STATS_MOST = 600 };

/* Draws: all kinds of numbers, or few values, or a walk; n of them. */
static void stats_draws(double *x, uint32_t n) {
  const uint32_t kind = fuzz_below(4);
  const double offset = kind == 2 ? fuzz_double() : 0, unit = kind == 2 ? fuzz_double() : 1;
  uint32_t i;
  for (i = 0; i < n; i++) {
    if (kind == 0) x[i] = fuzz_double();
    else if (kind == 1) x[i] = fuzz_below(3);
    else if (kind == 2) x[i] = offset + unit * fuzz_byte();
    else x[i] = (i > 0 ? x[i - 1] : 0) + (int8_t)(uint8_t)fuzz_byte();
  }
}

/* The draws behind workspace of just the length asked for. */
static double *stats_room(size_t doubles) {
  double *room = (double *)malloc(doubles * sizeof *room);
  FUZZ_CHECK(room != NULL);
  return room;
}

static int stats_is_finite(const double *x, uint32_t n) {
  uint32_t i;
  for (i = 0; i < n; i++) {
    if (!lbp_is_finite(x[i])) return 0;
  }
  return 1;
}

static int stats_varies(const double *x, uint32_t n) {
  uint32_t i;
  for (i = 1; i < n; i++) {
    if (x[i] != x[0]) return 1;
  }
  return 0;
}

static void stats_means(const double *x, uint32_t n) {
  double mean = -7, se = -7, least = n ? x[0] : 0, most = least;
  lbp_stream s;
  uint32_t i;
  int status = lbp_mean_se(x, n, &mean, &se);
  for (i = 0; i < n; i++) {
    least = fmin(least, x[i]);
    most = fmax(most, x[i]);
  }
  if (n == 0) FUZZ_CHECK(status == LBP_E_SIZE);
  else if (!stats_is_finite(x, n)) FUZZ_CHECK(status == LBP_E_DRAW_NOT_FINITE);
  else if (status == LBP_OK) FUZZ_CHECK(n >= 2 && se >= 0 && lbp_is_finite(se) && stats_varies(x, n));
  if (status == LBP_OK || status == LBP_E_CONSTANT) {
    const double slack = 1e-9 * (fabs(least) + fabs(most));
    FUZZ_CHECK(mean >= least - slack && mean <= most + slack);
  }
  FUZZ_CHECK(status == LBP_OK || status >= LBP_E_TOO_SHORT || status == LBP_E_SIZE);
  lbp_stream_init(&s);
  for (i = 0; i < n; i++) lbp_stream_push(&s, x[i]);
  se = -7;
  status = lbp_stream_mean(&s, &mean, &se);
  FUZZ_CHECK(s.count == n && (status == LBP_OK || (status >= LBP_E_TOO_SHORT && status <= LBP_E_DRAW_NOT_FINITE)));
  FUZZ_CHECK(status == LBP_OK ? n >= LBP_STREAM_BATCHES && se > 0 && lbp_is_finite(se) : se == -7);
  FUZZ_CHECK(n == 0 || stats_is_finite(x, n) || status == LBP_E_DRAW_NOT_FINITE || n < LBP_STREAM_BATCHES);
}

static void stats_ess(const double *x, uint32_t n) {
  const int kind = (int)fuzz_below(3);
  const size_t len = lbp_ess_workspace(n);
  double *work = stats_room(len + (len == 0)), ess = -7;
  const int status = lbp_ess(kind, x, n, work, len, &ess);
  const uint32_t least = kind == LBP_ESS_TFP ? 4 : 6; /* draws */
  if (n >= least && kind < 2) FUZZ_CHECK(lbp_ess(kind, x, n, work, len - 1, &ess) == LBP_E_WORKSPACE);
  free(work);
  if (kind > 1) FUZZ_CHECK(status == LBP_E_RANGE);
  else if (n < least) FUZZ_CHECK(status == LBP_E_TOO_SHORT);
  else if (!stats_is_finite(x, n)) FUZZ_CHECK(status == LBP_E_DRAW_NOT_FINITE);
  else if (!stats_varies(x, n)) FUZZ_CHECK(status == LBP_E_CONSTANT);
  else FUZZ_CHECK(status == LBP_OK || status == LBP_E_DRAW_NOT_FINITE || status == LBP_E_CONSTANT);
  if (status != LBP_OK) FUZZ_CHECK(ess == -7);
  else FUZZ_CHECK(ess > 0 && ess <= 1.0001 * n * (kind == LBP_ESS_TFP ? 1 : log10(n)));
}

static void stats_chains(const double *x, uint32_t total) {
  static int (*const what[])(const double *, size_t, size_t, double *, size_t, double *) = {
    lbp_rhat, lbp_rhat_split, lbp_ess_bulk, lbp_ess_tail};
  const uint32_t m = fuzz_below(5), n = m ? total / m : total, which = fuzz_below(4), draws = m * n;
  const size_t len = lbp_chains_workspace(m, n);
  double *work = stats_room(len + 1), result = -7;
  const int status = what[which](x, m, n, work, len, &result);
  if (m > 0 && n >= 8) FUZZ_CHECK(what[which](x, m, n, work, len - n, &result) == LBP_E_WORKSPACE);
  free(work);
  if (m == 0) FUZZ_CHECK(status == LBP_E_SIZE);
  else if (n < 8) FUZZ_CHECK(status == LBP_E_TOO_SHORT);
  else if (!stats_is_finite(x, draws)) FUZZ_CHECK(status == LBP_E_DRAW_NOT_FINITE);
  else if (!stats_varies(x, draws)) FUZZ_CHECK(status == LBP_E_CONSTANT);
  else if (which > 1 && n < 12) FUZZ_CHECK(status >= LBP_E_TOO_SHORT && status <= LBP_E_STUCK);
  else FUZZ_CHECK(status == LBP_OK || (status >= LBP_E_CONSTANT && status <= LBP_E_DRAW_NOT_FINITE));
  if (status != LBP_OK) {
    FUZZ_CHECK(result == -7);
  } else if (which < 2) {
    FUZZ_CHECK(result >= 0 && lbp_is_finite(result));
  } else {
    FUZZ_CHECK(result > 0 && result <= 1.0001 * draws * log10(draws));
  }
}

static double stats_odd_weight(double t) { return t; }
static double stats_min_weight(double t) { return t < 1 ? t : 1; }

static void stats_theory(const double *p, uint32_t n) {
  static const lbp_g weights[] = {lbp_g_barker, lbp_g_sqrt, stats_min_weight, stats_odd_weight};
  const uint32_t which = fuzz_below(4);
  double lambda = -7, best;
  lbp_scaling s = {0, 0, 0};
  int status = lbp_lambda1(p, n, weights[which], (int)fuzz_below(3), &lambda), good = n > 0;
  uint32_t i;
  for (i = 0; i < n; i++) good &= p[i] > 0 && p[i] < 1;
  FUZZ_CHECK(status == LBP_OK ? lambda >= 0 && lbp_is_finite(lambda) && good : lambda == -7);
  lambda = -7;
  status = lbp_lambda2(p, n, &lambda);
  FUZZ_CHECK(status == (n == 0 ? LBP_E_SIZE : good ? LBP_OK : LBP_E_RANGE));
  FUZZ_CHECK(status == LBP_OK ? lambda >= 0 && lbp_is_finite(lambda) : lambda == -7);

  lambda = fuzz_double();
  n = (uint32_t)fuzz_word(fuzz_below(5));
  status = which % 2 ? lbp_scaling_lbp(&s, lambda, n) : lbp_scaling_rwm(&s, lambda, n);
  good = lambda >= 0 && lbp_is_finite(lambda) && (which % 2 || lambda <= 1e100);
  FUZZ_CHECK(status == (n == 0 ? LBP_E_SIZE : good ? LBP_OK : LBP_E_RANGE));
  if (status != LBP_OK) return;
  best = lbp_scaling_best_R(&s);
  FUZZ_CHECK(best >= 1 && best <= n);
  lambda = lbp_scaling_acceptance(&s, best);
  FUZZ_CHECK(lambda >= 0 && lambda <= 1);
  best = fabs(fuzz_double());
  if (lbp_is_nan(best)) return;
  lambda = lbp_scaling_acceptance(&s, best);
  FUZZ_CHECK((lambda >= 0 && lambda <= 1) || !lbp_is_finite(best));
}

static void stats_normal(void) {
  const double p = fuzz_double(), x = lbp_normal_quantile(p), back = lbp_normal_cdf(x);
  if (p > 1e-300 && p < 1) FUZZ_CHECK(fabs(back - p) <= 1e-12 * p + 1e-15);
  FUZZ_CHECK(lbp_is_nan(p) || (lbp_normal_cdf(p) >= 0 && lbp_normal_cdf(p) <= 1 && lbp_normal_pdf(p) >= 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static double room[STATS_MOST];
  const uint32_t kind = size ? bytes[0] % 5 : 0;
  uint32_t n;
  double *x;
  fuzz_start(bytes, size);
  (void)fuzz_byte();
  n = (uint32_t)fuzz_word(2) % (STATS_MOST + 1);
  if (n > 200 && kind != 1) n %= 200; /* long ones cost time, and only the transform cares */
  stats_draws(room, n);
  x = stats_room(n + (n == 0));
  memcpy(x, room, n * sizeof *x);
  if (kind == 0) stats_means(x, n);
  else if (kind == 1) stats_ess(x, n);
  else if (kind == 2) stats_chains(x, n);
  else if (kind == 3) stats_theory(x, n);
  else stats_normal();
  free(x);
  return 0;
}
