/* lbp_stats.h - diagnostics of chains (effective sample size, R-hat, acceptance rates), and the theory's predictions of
 * acceptance rates. In this file's order:
 *
 *   Streaming    lbp_stats_push(&st, it.accept, it.jump) after every step; acceptance rate and expected jump distance
 *                with standard errors that hold for correlated draws, in constant memory
 *   Traces       effective sample size of one trace (lbp_ess) or several chains (lbp_ess_bulk, lbp_ess_tail),
 *                R-hat (lbp_rhat, lbp_rhat_split), the error of a mean (lbp_mcse_mean); of whole numbers the most
 *                frequent one and the entropy (lbp_discrete)
 *   Weights      whether a mean of importance weights can be trusted (lbp_pareto_k)
 *   Theory       acceptance rate, efficiency and best R of LBP-R and RWM-R on a product target
 *
 * Copyright (c) 2026 the lbp authors. SPDX-License-Identifier: MIT
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h and libm.
 *
 * A function that can fail returns LBP_OK or an LBP_E_*, whose text lbp_error() returns, and writes its result only if
 * it returns LBP_OK. (Functions that return a mean and its standard error write the mean even if the error is unknown.)
 * Functions without a status, which push a value or return a double, need an argument that lbp_stats_init or its like
 * has made.
 *
 * Nothing is allocated: functions of traces take a workspace of LBP_ESS_WORKSPACE(n) or LBP_CHAINS_WORKSPACE(m, n)
 * doubles (SIZE_MAX if a size_t cannot hold that number). It is scratch space, keeps nothing between calls, and must
 * not overlap the draws.
 *
 * Sources: [S] Sun, Dai, Schuurmans, "Optimal Scaling for Locally Balanced Proposals in Discrete Spaces", NeurIPS 2022,
 * whose equation numbers are used; [V] Vehtari, Gelman, Simpson, Carpenter, Buerkner, "Rank-Normalization, Folding, and
 * Localization: An Improved R-hat", Bayesian Analysis 2021; [Y] Geyer, "Practical Markov Chain Monte Carlo",
 * Statistical Science 1992; [P] Vehtari, Simpson, Gelman, Yao, Gabry, "Pareto Smoothed Importance Sampling", JMLR 2024;
 * [Z] Zhang, Stephens, "A New and Efficient Estimation Method for the Generalized Pareto Distribution", Technometrics
 * 2009.
 */

#ifndef LBP_STATS_H
#define LBP_STATS_H

#include <float.h>
#include <math.h>

#include "lbp/base/support.h"

/* ---- means and standard errors ----------------------------------------------------------------------------------- */

/* Mean of x[0..n), n >= 1. origin is a number of similar size, subtracted first: a large common offset costs no
 * digits. */
LBP_FN double lbp_p_mean_from(const double *x, size_t n, double origin) {
  double sum = 0.0;
  size_t i;
  for (i = 0; i < n; i++) sum += x[i] - origin;
  return sum / (double)n;
}

/* Mean of x[0..n), n >= 1. */
LBP_FN double lbp_p_mean(const double *x, size_t n) { return x[0] + lbp_p_mean_from(x, n, x[0]); }

/* Returns the unbiased sample variance of x[0..n), n >= 2. */
LBP_FN double lbp_variance(const double *x, size_t n) {
  const double mean = lbp_p_mean_from(x, n, x[0]);
  double sum = 0.0;
  size_t i;
  for (i = 0; i < n; i++) sum += (x[i] - x[0] - mean) * (x[i] - x[0] - mean);
  return sum / (double)(n - 1);
}

/* Returns 1 if v, a computed value, is finite. (clang -ffast-math assumes that computed values are, unless they come
 * out of memory.) */
LBP_FN int lbp_result_is_finite(double v) {
  volatile double held = v;
  return lbp_is_finite(held);
}

/* LBP_OK, or why x[0..n) supports no estimate of a spread. Equality and bits rather than a variance of zero: rounding
 * gives a constant trace a tiny variance, and -ffast-math deletes a test for NaN. */
LBP_FN int lbp_p_screen(const double *x, size_t n) {
  int varies = 0;
  size_t i;
  for (i = 0; i < n; i++) {
    if (!lbp_is_finite(x[i])) return LBP_E_DRAW_NOT_FINITE;
    varies |= x[i] != x[0];
  }
  if (varies) return LBP_OK;
  return LBP_E_CONSTANT;
}

/* Computes the mean of n independent values, for example one figure per chain, and its standard error sd / sqrt(n).
 * Writes the mean if all values and their differences are finite and n >= 1. se may be NULL; otherwise it is written
 * unless the status is LBP_E_TOO_SHORT (n < 2), LBP_E_CONSTANT (no spread, or its square underflows) or
 * LBP_E_DRAW_NOT_FINITE. */
LBP_FN int lbp_mean_se(const double *values, size_t n, double *mean, double *se) {
  if (!values || !mean) return LBP_E_NULL;
  if (n == 0) return LBP_E_SIZE;
  const int status = lbp_p_screen(values, n);
  const double centre = lbp_p_mean(values, n);
  if (status == LBP_E_DRAW_NOT_FINITE || !lbp_result_is_finite(centre)) return LBP_E_DRAW_NOT_FINITE;
  *mean = centre;
  if (!se) return LBP_OK;
  if (n < 2) return LBP_E_TOO_SHORT;
  if (status != LBP_OK) return status;
  const double variance = lbp_variance(values, n);
  if (!lbp_result_is_finite(variance)) return LBP_E_DRAW_NOT_FINITE;
  if (!(variance > 0.0)) return LBP_E_CONSTANT;
  *se = sqrt(variance / (double)n);
  return LBP_OK;
}

#define LBP_STREAM_BATCHES 64 /* of a stream, at most */

/* A running mean of correlated draws with its error by batch means, in constant memory. When all batches are full,
 * pairs of neighbours are joined and a batch holds twice as many draws from then on. So a long stream has 32 to 64 full
 * batches, whose length grows with the run, past any correlation time. Plain data: copy it to save it. */
typedef struct {
  double first;                     /* everything is summed relative to the first draw, as in lbp_p_mean */
  double open;                      /* sum over the batch being filled */
  double batch[LBP_STREAM_BATCHES]; /* sums over the full ones */
  uint64_t count;                   /* draws pushed */
  uint64_t length;                  /* draws in a full batch, a power of two */
  uint64_t filled;                  /* draws in the open one, < length */
  uint32_t full;                    /* full batches, < LBP_STREAM_BATCHES */
} lbp_stream;

/* Makes a stream without draws. */
LBP_FN void lbp_stream_init(lbp_stream *s) {
  memset(s, 0, sizeof *s);
  s->length = 1;
}

LBP_FN void lbp_p_join_batches(lbp_stream *s) {
  uint32_t i;
  s->full = LBP_STREAM_BATCHES / 2;
  for (i = 0; i < s->full; i++) s->batch[i] = s->batch[2 * i] + s->batch[2 * i + 1];
  s->length *= 2;
}

/* Adds a draw: any finite number. (lbp_stream_mean reports others.) */
LBP_FN void lbp_stream_push(lbp_stream *s, double value) {
  if (s->count++ == 0) s->first = value;
  s->open += value - s->first;
  if (++s->filled < s->length) return;
  s->batch[s->full++] = s->open;
  s->open = 0.0;
  s->filled = 0;
  if (s->full == LBP_STREAM_BATCHES) lbp_p_join_batches(s);
}

/* Computes the mean of the draws and its standard error. Batch means of a chain are nearly uncorrelated except for next
 * neighbours, whose covariance is added if it is positive. The error is reliable once a batch, 1/64 to 1/32 of the run,
 * is longer than the correlation time. Writes the mean from the first draw on. se may be NULL; otherwise it is written
 * unless the status is LBP_E_TOO_SHORT (fewer than 64 draws), LBP_E_CONSTANT (no spread between the batches, or its
 * square underflows) or LBP_E_DRAW_NOT_FINITE. */
LBP_FN int lbp_stream_mean(const lbp_stream *s, double *mean, double *se) {
  uint32_t i;
  if (!s || !mean) return LBP_E_NULL;
  if (s->count == 0) return LBP_E_TOO_SHORT;
  double in_full = 0.0, own = 0.0, shared = 0.0, previous = 0.0;
  for (i = 0; i < s->full; i++) in_full += s->batch[i];
  const double centre = s->first + (in_full + s->open) / (double)s->count;
  if (!lbp_result_is_finite(centre)) return LBP_E_DRAW_NOT_FINITE;
  *mean = centre;
  if (!se) return LBP_OK;
  if (s->count < LBP_STREAM_BATCHES) return LBP_E_TOO_SHORT;
  for (i = 0; i < s->full; i++) {
    const double apart = s->batch[i] - in_full / s->full;
    own += apart * apart;
    shared += apart * previous;
    previous = apart;
  }
  const double batch_variance = (own + 2.0 * (shared > 0.0 ? shared : 0.0)) / (s->full - 1.0);
  const double error = sqrt(batch_variance / (double)s->length / (double)s->count);
  if (!lbp_result_is_finite(error)) return LBP_E_DRAW_NOT_FINITE;
  if (!(error > 0.0)) return LBP_E_CONSTANT;
  *se = error;
  return LBP_OK;
}

/* Streams of the acceptance probabilities and of the jump distances of steps. */
typedef struct {
  lbp_stream accept;
  lbp_stream jump;
} lbp_stats;

/* Makes both streams without draws. */
LBP_FN void lbp_stats_init(lbp_stats *s) {
  lbp_stream_init(&s->accept);
  lbp_stream_init(&s->jump);
}

/* Adds a step. accept: its acceptance probability, in [0, 1], or its outcome, 0 or 1, which is noisier. jump: the
 * number of sites that the step changed, 0 on rejection. */
LBP_FN void lbp_stats_push(lbp_stats *s, double accept, double jump) {
  lbp_stream_push(&s->accept, accept);
  lbp_stream_push(&s->jump, jump);
}

/* Computes the acceptance rate and its standard error. Statuses as lbp_stream_mean. */
LBP_FN int lbp_stats_acceptance(const lbp_stats *s, double *rate, double *se) {
  return s ? lbp_stream_mean(&s->accept, rate, se) : LBP_E_NULL;
}

/* Computes the expected jump distance, in sites per step, and its standard error. Statuses as lbp_stream_mean. */
LBP_FN int lbp_stats_ejd(const lbp_stats *s, double *distance, double *se) {
  return s ? lbp_stream_mean(&s->jump, distance, se) : LBP_E_NULL;
}

/* ---- autocovariance by a fast Hartley transform ---------------------------------------------------------------------
 *
 * That is the discrete Fourier transform of real data in real arithmetic. */

LBP_FN void lbp_p_bit_reverse(double *f, size_t length) {
  size_t i, j;
  for (i = 1, j = 0; i < length; i++) {
    size_t bit = length / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j |= bit;
    if (i < j) {
      const double held = f[i];
      f[i] = f[j];
      f[j] = held;
    }
  }
}

LBP_FN void lbp_p_sum_difference(double *a, double *b) {
  const double sum = *a + *b;
  *b = *a - *b;
  *a = sum;
}

/* f[k] <- sum_t f[t] (cos + sin)(2 pi k t / length), length a power of two.
 * sine[i] = sin(2 pi i / length), 0 <= i <= length / 4. */
LBP_FN void lbp_p_hartley(double *f, size_t length, const double *sine) {
  size_t half, start, k;
  lbp_p_bit_reverse(f, length);
  for (half = 1; half < length; half *= 2) {
    const size_t turn = length / half / 2;
    for (start = 0; start < length; start += 2 * half) {
      double *even = f + start, *odd = even + half; /* transforms of the even and odd terms; k mirrors to half - k */
      lbp_p_sum_difference(even, odd);
      if (half > 1) lbp_p_sum_difference(even + half / 2, odd + half / 2);
      for (k = 1; k < half / 2; k++) {
        const double c = sine[length / 4 - k * turn], s = sine[k * turn];
        const double u = c * odd[k] + s * odd[half - k], v = s * odd[k] - c * odd[half - k];
        odd[k] = even[k] - u;
        even[k] += u;
        odd[half - k] = even[half - k] - v;
        even[half - k] += v;
      }
    }
  }
}

/* Length of the workspace for a trace of n draws, in doubles: up to 4n for the transform, n for its sines. */
#define LBP_ESS_WORKSPACE(n) ((size_t)(n) / (SIZE_MAX / 5) ? SIZE_MAX : (size_t)5 * (size_t)(n))

/* work[k] <- (1/n) sum_t c_t c_{t+k} for 0 <= k < n, c = x - mean; zero padding keeps the ends apart. */
LBP_FN void lbp_p_autocovariance(const double *x, size_t n, double *work) {
  const double mean = lbp_p_mean_from(x, n, x[0]);
  size_t length = 8;
  size_t i, k;
  while (length < 2 * n) length *= 2;
  double *sine = work + length;
  for (i = 0; i <= length / 4; i++) sine[i] = sin(6.28318530717958647693 * (double)i / (double)length);
  for (i = 0; i < length; i++) work[i] = i < n ? x[i] - x[0] - mean : 0.0;
  lbp_p_hartley(work, length, sine);
  work[0] *= work[0];
  work[length / 2] *= work[length / 2];
  for (k = 1; k < length / 2; k++) {
    work[k] = work[length - k] = 0.5 * (work[k] * work[k] + work[length - k] * work[length - k]);
  }
  lbp_p_hartley(work, length, sine);
  for (k = 0; k < n; k++) work[k] /= (double)length * (double)n;
}

/* ---- effective sample size of one trace -------------------------------------------------------------------------- */

/* Kinds of effective sample sizes. */
enum {
  LBP_ESS_TFP,  /* as TensorFlow Probability's effective_sample_size by default, used in the tables of [S]; at most n */
  LBP_ESS_GEYER /* initial monotone sequence [Y] with the refinements of [V]; at most n log10(n) */
};

/* Returns the value of LBP_ESS_WORKSPACE(n). */
LBP_FN size_t lbp_ess_workspace(size_t n) { return LBP_ESS_WORKSPACE(n); }

/* n / (-1 + 2 sum_k (n-k)/n rho_k) over the lags before the first negative one, where rho_k has 1/(n-k) and so
 * (n-k)/n rho_k = a[k]/a[0]. A lag that is negative by the transform's rounding only counts as zero. */
LBP_FN double lbp_p_ess_first_negative(const double *a, size_t n) {
  const double negative = -64.0 * DBL_EPSILON * a[0];
  double sum = a[0];
  size_t k;
  for (k = 1; k < n && a[k] >= negative; k++) sum += a[k];
  return (double)n / (2.0 * sum / a[0] - 1.0);
}

enum { LBP_P_GEYER_LEAST = 6 }; /* draws of a chain: with fewer there is but one pair of lags */

/* ESS of chains of n >= LBP_P_GEYER_LEAST draws each from the mean a[0..n) of their autocovariances and the variance of
 * their means: rho_k in pairs of lags, down to the first negative pair, none above the pair before it; of the pair
 * after the last one the even lag counts once if it or the pair is positive, which steadies alternating chains [V]. The
 * result is that of R's posterior, unless the first pair is negative: posterior adds that pair nevertheless, and
 * returns half the number of draws. */
LBP_FN double lbp_p_ess_monotone(const double *a, size_t n, size_t chains, double variance_of_means) {
  const double within = a[0] * (double)n / ((double)n - 1.0), total = a[0] + variance_of_means;
  const double draws = (double)n * (double)chains, least = 1.0 / log10(draws);
  double even = 1.0, odd = 1.0 - (within - a[1]) / total, pair = 2.0, tau = -1.0;
  size_t lag;
  for (lag = 2; lag + 3 < n && even + odd > 0.0; lag += 2) {
    if (even + odd < pair) pair = even + odd;
    tau += 2.0 * pair;
    even = 1.0 - (within - a[lag]) / total;
    odd = 1.0 - (within - a[lag + 1]) / total;
  }
  if (even > 0.0 || even + odd >= 0.0) tau += even;
  return draws / (tau > least ? tau : least);
}

/* Computes the effective sample size of the trace x[0..n), n >= 4 (LBP_ESS_GEYER: n >= 6), in O(n log n). kind: one of
 * the definitions above. work has work_len >= LBP_ESS_WORKSPACE(n) doubles. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_WORKSPACE, LBP_E_RANGE (kind), LBP_E_TOO_SHORT, LBP_E_CONSTANT, LBP_E_DRAW_NOT_FINITE. */
LBP_FN int lbp_ess(int kind, const double *x, size_t n, double *work, size_t work_len, double *ess) {
  if (!x || !work || !ess) return LBP_E_NULL;
  if (kind != LBP_ESS_TFP && kind != LBP_ESS_GEYER) return LBP_E_RANGE;
  if (n < (kind == LBP_ESS_TFP ? 4 : LBP_P_GEYER_LEAST)) return LBP_E_TOO_SHORT;
  if (work_len / 5 < n) return LBP_E_WORKSPACE;
  const int status = lbp_p_screen(x, n);
  if (status != LBP_OK) return status;
  lbp_p_autocovariance(x, n, work);
  if (!lbp_result_is_finite(work[0])) return LBP_E_DRAW_NOT_FINITE;
  if (!(work[0] > 0.0)) return LBP_E_CONSTANT; /* the spread underflows when squared */
  *ess = kind == LBP_ESS_TFP ? lbp_p_ess_first_negative(work, n) : lbp_p_ess_monotone(work, n, 1, 0.0);
  return LBP_OK;
}

/* ---- several chains: R-hat, bulk and tail ESS [V] -------------------------------------------------------------------
 *
 * m chains of n draws, chain c at x + c n; n >= 8, for effective sample sizes n >= 12. Each is split into halves of n /
 * 2 draws (of an odd n the middle draw is left out), so one chain is enough. Statuses: LBP_E_NULL, LBP_E_SIZE (m = 0),
 * LBP_E_WORKSPACE, LBP_E_TOO_SHORT, LBP_E_DRAW_NOT_FINITE (or a spread whose square overflows), LBP_E_CONSTANT (or one
 * that vanishes when squared), LBP_E_STUCK (no half varies, or none in what is compared, as distances from the median,
 * but they differ), LBP_E_EQUAL_CHAINS: two chains have the same draws, and of so many different values that this is no
 * chance; see lbp_chains_equal. */

/* Length of the workspace for m chains of n draws, in doubles: half-chains, a sorted copy, autocovariances. */
#define LBP_CHAINS_WORKSPACE(m, n)                                                                      \
  ((size_t)(m) / (SIZE_MAX / 4) || (size_t)(n) / (SIZE_MAX / ((size_t)2 * (size_t)(m) + 3)) ? SIZE_MAX  \
                                                       : ((size_t)2 * (size_t)(m) + 3) * (size_t)(n))

/* Returns the value of LBP_CHAINS_WORKSPACE(m, n). */
LBP_FN size_t lbp_chains_workspace(size_t m, size_t n) { return LBP_CHAINS_WORKSPACE(m, n); }

LBP_FN void lbp_p_sift_down(double *heap, size_t at, size_t n) {
  const double value = heap[at];
  size_t child;
  for (child = 2 * at + 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && heap[child + 1] > heap[child]) child++;
    if (heap[child] <= value) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
}

/* Sorts a[0..n) in ascending order, by heap sort. */
LBP_FN void lbp_sort(double *a, size_t n) {
  size_t i, end;
  for (i = n / 2; i-- > 0;) lbp_p_sift_down(a, i, n);
  for (end = n; end-- > 1;) {
    const double largest = a[0];
    a[0] = a[end];
    a[end] = largest;
    lbp_p_sift_down(a, 0, end);
  }
}

/* Returns a quantile of sorted[0..n), n >= 1, interpolated: probability 0 is the first, 1 the last, 1/2 the median. */
LBP_FN double lbp_quantile(const double *sorted, size_t n, double prob) {
  const double at = prob * (double)(n - 1);
  const size_t below = (size_t)at;
  if (below + 1 >= n) return sorted[n - 1];
  return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* How many of sorted[0..n) are below value, or with or_equal = 1 at most value. */
LBP_FN size_t lbp_p_count_below(const double *sorted, size_t n, double value, int or_equal) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (sorted[middle] < value || (or_equal && sorted[middle] <= value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Returns the standard normal distribution function at x. It is accurate far into the lower tail, unlike 1 -
 * Phi(-x). */
LBP_FN double lbp_normal_cdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

/* Returns the standard normal density at x. */
LBP_FN double lbp_normal_pdf(double x) { return 0.39894228040143267794 * exp(-0.5 * x * x); }

/* Returns the inverse of lbp_normal_cdf at p, 0 < p < 1 (otherwise NaN), to about 1e-15: the rational start of
 * Abramowitz and Stegun (26.2.23), good to 4.5e-4, and two steps of Halley's method, each of which cubes the error. */
LBP_FN double lbp_normal_quantile(double p) {
  const double tail = p < 0.5 ? p : 1.0 - p, t = sqrt(-2.0 * log(tail));
  double x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  int i;
  for (i = 0; i < 2; i++) {
    const double step = (lbp_normal_cdf(x) - tail) / lbp_normal_pdf(x);
    x -= step / (1.0 + 0.5 * x * step);
  }
  return p < 0.5 ? x : -x;
}

/* y <- the normal scores of its ranks; equal values have the mean of their ranks [V]. */
LBP_FN void lbp_p_rank_normalise(double *y, size_t n, double *sorted) {
  size_t i;
  memcpy(sorted, y, n * sizeof *y);
  lbp_sort(sorted, n);
  for (i = 0; i < n; i++) {
    const size_t below = lbp_p_count_below(sorted, n, y[i], 0), up_to = lbp_p_count_below(sorted, n, y[i], 1);
    const double rank = 0.5 * ((double)below + (double)up_to + 1.0);
    y[i] = lbp_normal_quantile((rank - 0.375) / ((double)n + 0.25));
  }
}

/* A number for each of count stretches of `length` doubles, which begin `step` apart: the same for the same values.
 * They have 53 bits. */
LBP_FN void lbp_p_hash_stretches(const double *x, size_t count, size_t step, size_t length, double *out) {
  size_t k, i;
  for (k = 0; k < count; k++) {
    uint64_t hash = 0;
    for (i = 0; i < length; i++) {
      const double v = x[k * step + i] + 0.0; /* no -0 */
      uint64_t bits;
      memcpy(&bits, &v, sizeof bits);
      hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
      hash ^= hash >> 29;
    }
    out[k] = (double)(hash >> 11);
  }
}

/* How many of count numbers differ; sorts them. */
LBP_FN size_t lbp_p_count_different(double *x, size_t count) {
  size_t k, different = count > 0;
  lbp_sort(x, count);
  for (k = 1; k < count; k++) different += x[k] != x[k - 1];
  return different;
}

/* Whether two of m chains of n draws are identical, and not by chance: they have at least ten different values, or at
 * least 64 different stretches of 16 draws (traces of few values that change at more than three or four irregular times
 * have these). Constant and alternating traces may be identical by chance. Writes both chains to pair[2], unless that
 * is NULL. work has 2 m + n doubles. */
LBP_FN int lbp_p_are_equal(const double *x, size_t m, size_t n, double *work, size_t *pair) {
  double *hash = work, *sorted = work + m;
  size_t a, b;
  if (m < 2) return 0;
  lbp_p_hash_stretches(x, m, n, n, hash);
  memcpy(sorted, hash, m * sizeof *hash);
  if (lbp_p_count_different(sorted, m) == m) return 0;
  for (a = 0; a + 1 < m; a++) {
    for (b = a + 1; b < m; b++) {
      if (hash[b] == hash[a] && memcmp(x + a * n, x + b * n, n * sizeof *x) == 0) break;
    }
    if (b == m) continue;
    memcpy(sorted, x + a * n, n * sizeof *x);
    if (lbp_p_count_different(sorted, n) < 10) {
      if (n < 16) continue;
      lbp_p_hash_stretches(x + a * n, n - 15, 1, 16, sorted);
      if (lbp_p_count_different(sorted, n - 15) < 64) continue;
    }
    if (pair) pair[0] = a, pair[1] = b;
    return 1;
  }
  return 0;
}

/* Looks for two identical chains among m chains of n draws; chain c is at x + c n. Chains count as identical if all
 * draws agree and that is no chance: at least ten different values, or at least 64 different stretches of 16 draws.
 * (Constant and alternating traces may be identical by chance.) work has work_len >= LBP_CHAINS_WORKSPACE(m, n)
 * doubles. Returns LBP_E_EQUAL_CHAINS if there are two, and writes the first such pair to pair[2], which may be NULL.
 * Otherwise returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE (m or n is 0), LBP_E_WORKSPACE. */
LBP_FN int lbp_chains_equal(const double *x, size_t m, size_t n, double *work, size_t work_len, size_t *pair) {
  if (!x || !work) return LBP_E_NULL;
  if (m == 0 || n == 0) return LBP_E_SIZE;
  if (m > SIZE_MAX / 4 || work_len / n < 2 * m + 3) return LBP_E_WORKSPACE;
  return lbp_p_are_equal(x, m, n, work, pair) ? LBP_E_EQUAL_CHAINS : LBP_OK;
}

/* The 2 m halves of n / 2 draws, one after the other, to the front of work. */
LBP_FN int lbp_p_split(const double *x, size_t m, size_t n, double *work, size_t work_len) {
  const size_t half = n / 2;
  size_t c;
  int status;
  if (!x || !work) return LBP_E_NULL;
  if (m == 0) return LBP_E_SIZE;
  if (n < 8) return LBP_E_TOO_SHORT;
  if (m > SIZE_MAX / 4 || work_len / n < 2 * m + 3) return LBP_E_WORKSPACE;
  status = lbp_p_screen(x, m * n);
  if (status == LBP_OK && lbp_p_are_equal(x, m, n, work, NULL)) return LBP_E_EQUAL_CHAINS;
  for (c = 0; c < m; c++) {
    memcpy(work + 2 * c * half, x + c * n, half * sizeof *x);
    memcpy(work + (2 * c + 1) * half, x + c * n + (n - half), half * sizeof *x);
  }
  return status;
}

/* LBP_OK if the draws vary within some chain. */
LBP_FN int lbp_p_screen_chains(const double *y, size_t chains, size_t n) {
  size_t c;
  for (c = 0; c < chains; c++) {
    if (lbp_p_screen(y + c * n, n) != LBP_E_CONSTANT) return LBP_OK;
  }
  if (lbp_p_screen(y, chains * n) == LBP_OK) return LBP_E_STUCK;
  return LBP_E_CONSTANT;
}

/* R-hat of chains >= 2 as they are; means has room for one double per chain. */
LBP_FN int lbp_p_rhat(const double *y, size_t chains, size_t n, double *means, double *rhat) {
  const int status = lbp_p_screen_chains(y, chains, n);
  size_t c;
  if (status != LBP_OK) return status;
  double within = 0.0;
  for (c = 0; c < chains; c++) {
    means[c] = lbp_p_mean_from(y + c * n, n, y[0]);
    within += lbp_variance(y + c * n, n) / (double)chains;
  }
  const double between = lbp_variance(means, chains);
  if (!lbp_result_is_finite(within) || !lbp_result_is_finite(between)) return LBP_E_DRAW_NOT_FINITE;
  if (!(within > 0.0)) return LBP_E_CONSTANT;
  *rhat = sqrt(between / within + 1.0 - 1.0 / (double)n);
  return LBP_OK;
}

/* Computes the split R-hat of the values themselves (no ranks), for draws with finite variance. x has m chains of n
 * draws, chain c at x + c n; work has work_len >= LBP_CHAINS_WORKSPACE(m, n) doubles. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_SIZE, LBP_E_WORKSPACE, LBP_E_TOO_SHORT, LBP_E_CONSTANT, LBP_E_DRAW_NOT_FINITE. */
LBP_FN int lbp_rhat_split(const double *x, size_t m, size_t n, double *work, size_t work_len, double *rhat) {
  if (!rhat) return LBP_E_NULL;
  const int status = lbp_p_split(x, m, n, work, work_len);
  if (status != LBP_OK) return status;
  return lbp_p_rhat(work, 2 * m, n / 2, work + m * n, rhat);
}

/* Computes the rank-normalised split R-hat [V]: the larger of those of the draws (location) and of their distances from
 * the median of all draws (scale). If the distances are constant (two values, equally often), only location counts.
 * Arguments and statuses as lbp_rhat_split. */
LBP_FN int lbp_rhat(const double *x, size_t m, size_t n, double *work, size_t work_len, double *rhat) {
  size_t i;
  if (!rhat) return LBP_E_NULL;
  int status = lbp_p_split(x, m, n, work, work_len);
  if (status != LBP_OK) return status;
  const size_t draws = 2 * m * (n / 2);
  double *sorted = work + m * n, location = 0.0, scale = 0.0;
  lbp_p_rank_normalise(work, draws, sorted);
  status = lbp_p_rhat(work, 2 * m, n / 2, sorted, &location);
  if (status != LBP_OK) return status;

  lbp_p_split(x, m, n, work, work_len);
  memcpy(sorted, x, m * n * sizeof *x);
  lbp_sort(sorted, m * n);
  const double median = 0.5 * sorted[(m * n - 1) / 2] + 0.5 * sorted[m * n / 2]; /* rounded alike on both sides */
  for (i = 0; i < draws; i++) work[i] = fabs(work[i] - median);
  lbp_p_rank_normalise(work, draws, sorted);
  status = lbp_p_rhat(work, 2 * m, n / 2, sorted, &scale);
  if (status != LBP_OK && status != LBP_E_CONSTANT) return status;
  *rhat = location > scale ? location : scale;
  return LBP_OK;
}

/* ESS of chains as they are; scratch has LBP_ESS_WORKSPACE(n) + n doubles, means one per chain. */
LBP_FN int lbp_p_ess_chains(const double *y, size_t chains, size_t n, double *means, double *scratch, double *ess) {
  const int status = lbp_p_screen_chains(y, chains, n);
  size_t c, k;
  if (status != LBP_OK) return status;
  if (n < LBP_P_GEYER_LEAST) return LBP_E_TOO_SHORT;
  double *one = scratch, *all = scratch + LBP_ESS_WORKSPACE(n);
  memset(all, 0, n * sizeof *all);
  for (c = 0; c < chains; c++) {
    means[c] = lbp_p_mean_from(y + c * n, n, y[0]);
    lbp_p_autocovariance(y + c * n, n, one);
    for (k = 0; k < n; k++) all[k] += one[k] / (double)chains;
  }
  const double between = lbp_variance(means, chains);
  if (!lbp_result_is_finite(all[0]) || !lbp_result_is_finite(between)) return LBP_E_DRAW_NOT_FINITE;
  if (!(all[0] > 0.0)) return LBP_E_CONSTANT;
  *ess = lbp_p_ess_monotone(all, n, chains, between);
  return LBP_OK;
}

/* Computes the bulk effective sample size (split chains, rank-normalised [V]), for means, medians and the like.
 * Arguments and statuses as lbp_rhat_split. */
LBP_FN int lbp_ess_bulk(const double *x, size_t m, size_t n, double *work, size_t work_len, double *ess) {
  if (!ess) return LBP_E_NULL;
  const int status = lbp_p_split(x, m, n, work, work_len);
  if (status != LBP_OK) return status;
  double *sorted = work + m * n, *scratch = work + 2 * m * n;
  lbp_p_rank_normalise(work, 2 * m * (n / 2), sorted);
  return lbp_p_ess_chains(work, 2 * m, n / 2, sorted, scratch, ess);
}

/* Computes the tail effective sample size (split chains [V]): the smaller of those of the 5 % and 95 % quantiles. If a
 * tail has no draws of its own, as with draws of two values, only the other one counts. Arguments and statuses as
 * lbp_rhat_split. */
LBP_FN int lbp_ess_tail(const double *x, size_t m, size_t n, double *work, size_t work_len, double *ess) {
  int tail;
  size_t i;
  if (!ess) return LBP_E_NULL;
  double least = DBL_MAX, one = 0.0;
  for (tail = 0; tail < 2; tail++) {
    int status = lbp_p_split(x, m, n, work, work_len);
    if (status != LBP_OK) return status;
    double *sorted = work + m * n, *scratch = work + 2 * m * n;
    memcpy(sorted, x, m * n * sizeof *x);
    lbp_sort(sorted, m * n);
    const double quantile = lbp_quantile(sorted, m * n, tail ? 0.95 : 0.05);
    for (i = 0; i < 2 * m * (n / 2); i++) work[i] = work[i] <= quantile;
    status = lbp_p_ess_chains(work, 2 * m, n / 2, sorted, scratch, &one);
    if (status != LBP_OK && status != LBP_E_CONSTANT) return status;
    if (status == LBP_OK && one < least) least = one;
  }
  if (!(least < DBL_MAX)) return LBP_E_CONSTANT;
  *ess = least;
  return LBP_OK;
}

/* Computes the effective sample size for the mean (split chains, no ranks). Arguments and statuses as
 * lbp_rhat_split. */
LBP_FN int lbp_ess_mean(const double *x, size_t m, size_t n, double *work, size_t work_len, double *ess) {
  if (!ess) return LBP_E_NULL;
  const int status = lbp_p_split(x, m, n, work, work_len);
  if (status != LBP_OK) return status;
  return lbp_p_ess_chains(work, 2 * m, n / 2, work + m * n, work + 2 * m * n, ess);
}

/* Computes the Monte Carlo standard error of the mean: the standard deviation of all draws divided by the square root
 * of lbp_ess_mean. Arguments and statuses as lbp_rhat_split. */
LBP_FN int lbp_mcse_mean(const double *x, size_t m, size_t n, double *work, size_t work_len, double *mcse) {
  double ess;
  if (!mcse) return LBP_E_NULL;
  const int status = lbp_ess_mean(x, m, n, work, work_len, &ess);
  if (status != LBP_OK) return status;
  const double variance = lbp_variance(x, m * n);
  if (!lbp_result_is_finite(variance)) return LBP_E_DRAW_NOT_FINITE;
  *mcse = sqrt(variance / ess);
  return LBP_OK;
}

/* The result of lbp_discrete. */
typedef struct {
  double mode, share; /* the most frequent value (the smallest of equally frequent ones), and its relative frequency */
  double entropy;     /* of the relative frequencies, in nats; divided by log(values) it is between 0 and 1 */
  size_t values;      /* the number of different values */
} lbp_frequencies;

/* Computes the most frequent value and the entropy of the draws x[0..n), which are whole numbers. work has work_len >=
 * n doubles. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE (n = 0), LBP_E_WORKSPACE, LBP_E_DRAW_NOT_FINITE,
 * LBP_E_NOT_WHOLE. */
LBP_FN int lbp_discrete(const double *x, size_t n, double *work, size_t work_len, lbp_frequencies *f) {
  size_t i, next;
  if (!x || !work || !f) return LBP_E_NULL;
  if (n == 0) return LBP_E_SIZE;
  if (work_len < n) return LBP_E_WORKSPACE;
  if (lbp_p_screen(x, n) == LBP_E_DRAW_NOT_FINITE) return LBP_E_DRAW_NOT_FINITE;
  for (i = 0; i < n; i++) {
    if (floor(x[i]) < x[i]) return LBP_E_NOT_WHOLE;
  }
  memcpy(work, x, n * sizeof *x);
  lbp_sort(work, n);
  memset(f, 0, sizeof *f);
  for (i = 0; i < n; i = next) {
    const size_t up_to = lbp_p_count_below(work, n, work[i], 1);
    const double share = (double)(up_to - i) / (double)n;
    if (share > f->share) f->share = share, f->mode = work[i];
    f->entropy -= share * log(share);
    f->values++;
    next = up_to;
  }
  return LBP_OK;
}

/* ---- importance weights ------------------------------------------------------------------------------------------ */

/* Length of the workspace of lbp_pareto_k for n weights, in doubles. */
#define LBP_PARETO_WORKSPACE(n) ((size_t)(n) > SIZE_MAX / 2 ? SIZE_MAX : (size_t)2 * (size_t)(n))

/* Computes the Pareto k diagnostic [P] of n importance weights: the shape of the generalised Pareto distribution that
 * fits the largest of them, a fifth or 3 sqrt(n), whichever is smaller. Moments above the (1/k)-th do not exist: from k
 * = 0.5 on the weights' variance is infinite, and above 0.7 no practical number of weights gives their mean with a
 * reliable error. The fit is that of [Z] with the weak prior of [P] (k = 0.5, worth ten weights), as in R's loo.
 * Weights that equal the largest one below the tail do not count. work has work_len >= LBP_PARETO_WORKSPACE(n) doubles.
 * Returns LBP_OK, or LBP_E_NULL, LBP_E_WORKSPACE, LBP_E_DRAW_NOT_FINITE, LBP_E_RANGE (a weight is negative),
 * LBP_E_TOO_SHORT (fewer than five weights in the tail). */
LBP_FN int lbp_pareto_k(const double *weight, size_t n, double *work, size_t work_len, double *k) {
  const double part = 0.2 * (double)n, root = 3.0 * sqrt((double)n);
  size_t tail = (size_t)(part < root ? part : root), grid, i, j;
  double *x = work, below, largest, quartile, average = 0.0, best = 0.0, sum = 0.0, theta = 0.0, shape = 0.0;
  if (!weight || !work || !k) return LBP_E_NULL;
  if (work_len / 2 < n) return LBP_E_WORKSPACE;
  for (i = 0; i < n; i++) {
    if (!lbp_is_finite(weight[i])) return LBP_E_DRAW_NOT_FINITE;
    if (weight[i] < 0.0) return LBP_E_RANGE;
  }
  if (tail < 5) return LBP_E_TOO_SHORT;
  memcpy(work, weight, n * sizeof *work);
  lbp_sort(work, n);
  x += n - tail; /* excesses, rising */
  below = x[-1];
  while (tail > 0 && !(*x - below > 1e-9 * fabs(below))) x++, tail--;
  if (tail < 5) return LBP_E_TOO_SHORT;
  largest = x[tail - 1] - below;
  for (i = 0; i < tail; i++) {
    x[i] = (x[i] - below) / largest; /* k has no scale */
    average += x[i] / (double)tail;
  }
  quartile = fmax(x[(tail + 2) / 4 - 1], 1e-290); /* of tail / 4, rounded */
  grid = 30 + (size_t)sqrt((double)tail);
  for (j = 0; j < grid; j++) { /* the posterior mean of theta on a grid, its weights relative to the best so far */
    const double at = 1.0 + (1.0 - sqrt((double)grid / ((double)j + 0.5))) / (3.0 * quartile);
    double mean = 0.0, level;
    for (i = 0; i < tail; i++) mean += log1p(-at * x[i]) / (double)tail;
    level = (double)tail * (log(mean > 0.0 || mean < 0.0 ? -at / mean : 1.0 / average) - mean - 1.0);
    if (j == 0 || level > best) {
      sum *= exp(j == 0 ? 0.0 : best - level);
      theta *= exp(j == 0 ? 0.0 : best - level);
      best = level;
    }
    sum += exp(level - best);
    theta += at * exp(level - best);
  }
  for (i = 0; i < tail; i++) shape += log1p(-theta / sum * x[i]) / (double)tail;
  if (!lbp_result_is_finite(shape)) return LBP_E_DRAW_NOT_FINITE;
  *k = (shape * (double)tail + 5.0) / ((double)tail + 10.0);
  return LBP_OK;
}

/* ---- theory of optimal scaling [S, sections 3.3 to 3.5] -------------------------------------------------------------
 *
 * The product target with P(x_j = 1) = p[j], 0 < p[j] < 1. */

/* The weight function g of a locally balanced proposal, g(t) = t g(1/t). */
typedef double (*lbp_g)(double t);

/* The weight function of LBP_BARKER, t / (1 + t). */
LBP_FN double lbp_g_barker(double t) { return t / (1.0 + t); }

/* The weight function of LBP_SQRT, sqrt(t). */
LBP_FN double lbp_g_sqrt(double t) { return sqrt(t); }

/* The weight function of LBP_METROPOLIS, min(1, t). */
LBP_FN double lbp_g_metropolis(double t) { return t < 1.0 ? t : 1.0; }

/* Forms of lambda_1. */
enum {
  LBP_LAMBDA_PAPER,    /* (7) as printed; correct if w_j(0) + w_j(1) is the same for all j, as with t / (1 + t) */
  LBP_LAMBDA_CORRECTED /* with the variance of w_j(0) + w_j(1), for every g */
};

/* Computes lambda_1, which determines how fast the acceptance rate of LBP-R falls with R. With w_j(x_j) the weight of
 * flipping site j and u_r the site of a path's r-th flip, drawn from q_j proportional to p_j w_j(1) and equally likely
 * to be 0 or 1, the log acceptance ratio (11) is a sum over r of
 *   (R/2) (w_u(x_u) - w_u(1 - x_u)) + (R/2 - r) (w_u(0) + w_u(1)),
 * divided by N E w. (7) assumes that the second term is constant. That term adds Var_q(w(0) + w(1)) / 3 to the
 * numerator:
 *   lambda_1^2 = [ E_q (w(0) - w(1))^2 + Var_q(w(0) + w(1)) / 3 ] / (4 (E w)^2),
 * E w = (1/N) sum_j (1 - p_j) w_j(0) + p_j w_j(1). p has n entries; form is LBP_LAMBDA_PAPER or _CORRECTED. Returns
 * LBP_OK, or LBP_E_NULL, LBP_E_SIZE (n = 0), LBP_E_RANGE (a p outside (0, 1), or an unknown form), LBP_E_BALANCE (g is
 * not locally balanced, to 1e-6), LBP_E_NOT_FINITE (a weight overflows). */
LBP_FN int lbp_lambda1(const double *p, size_t n, lbp_g g, int form, double *lambda1) {
  size_t j;
  if (!p || !g || !lambda1) return LBP_E_NULL;
  if (n == 0) return LBP_E_SIZE;
  if (form != LBP_LAMBDA_PAPER && form != LBP_LAMBDA_CORRECTED) return LBP_E_RANGE;
  double q_sum = 0.0, square = 0.0, sum_mean = 0.0, sum_spread = 0.0;
  for (j = 0; j < n; j++) {
    if (!lbp_is_finite(p[j]) || p[j] <= 0.0 || p[j] >= 1.0) return LBP_E_RANGE;
    const double w0 = g(p[j] / (1.0 - p[j])), w1 = g((1.0 - p[j]) / p[j]);
    const double q = p[j] * w1, back = (1.0 - p[j]) * w0, off = w0 + w1 - sum_mean;
    if (!lbp_result_is_finite(w0 + w1)) return LBP_E_NOT_FINITE;
    if (!(w0 > 0.0 && w1 > 0.0 && fabs(q - back) <= 1e-6 * q)) return LBP_E_BALANCE;
    q_sum += q;
    square += q * (w0 - w1) * (w0 - w1);
    sum_mean += off * q / q_sum; /* weighted mean and spread about it, in one pass */
    sum_spread += q * off * (w0 + w1 - sum_mean);
  }
  const double numerator = (square + (form == LBP_LAMBDA_CORRECTED ? sum_spread / 3.0 : 0.0)) / q_sum;
  const double mean_weight = 2.0 * q_sum / (double)n; /* balance: (1 - p) w(0) = p w(1) */
  const double lambda = sqrt(numerator) / (2.0 * mean_weight);
  if (!lbp_result_is_finite(lambda)) return LBP_E_NOT_FINITE;
  *lambda1 = lambda;
  return LBP_OK;
}

/* Computes lambda_2 of (21) at beta = 0, the analogue for RWM-R. At another beta it is N^beta times this; as l = R /
 * N^(2 beta), (20) predicts the same acceptance rate. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE (n = 0), LBP_E_RANGE (a
 * p outside (0, 1)). */
LBP_FN int lbp_lambda2(const double *p, size_t n, double *lambda2) {
  size_t j;
  if (!p || !lambda2) return LBP_E_NULL;
  if (n == 0) return LBP_E_SIZE;
  double sum = 0.0;
  for (j = 0; j < n; j++) {
    if (!lbp_is_finite(p[j]) || p[j] <= 0.0 || p[j] >= 1.0) return LBP_E_RANGE;
    sum += (2.0 * p[j] - 1.0) * log(p[j] / (1.0 - p[j]));
  }
  *lambda2 = sqrt(2.0 * sum / (double)n);
  return LBP_OK;
}

/* The acceptance rate as a function of R: a(R) = 2 Phi(-z^power / 2), z = R rate. */
typedef struct {
  double power; /* 3/2 for LBP, 1/2 for RWM */
  double rate;  /* dimensionless z per site flipped */
  double sites; /* N, the largest R */
} lbp_scaling;

/* Makes the scaling of LBP-R on n sites: (6) with l = R / n^(2/3). Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE (n = 0),
 * LBP_E_RANGE unless lambda1 >= 0 and finite. */
LBP_FN int lbp_scaling_lbp(lbp_scaling *s, double lambda1, size_t n) {
  if (!s) return LBP_E_NULL;
  if (n == 0) return LBP_E_SIZE;
  if (!lbp_result_is_finite(lambda1) || lambda1 < 0.0) return LBP_E_RANGE;
  s->power = 1.5;
  s->rate = pow(lambda1 / (double)n, 2.0 / 3.0);
  s->sites = (double)n;
  return LBP_OK;
}

/* Makes the scaling of RWM-R on n sites: (20) at beta = 0. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE (n = 0),
 * LBP_E_RANGE unless 0 <= lambda2 <= 1e100. */
LBP_FN int lbp_scaling_rwm(lbp_scaling *s, double lambda2, size_t n) {
  if (!s) return LBP_E_NULL;
  if (n == 0) return LBP_E_SIZE;
  if (!lbp_result_is_finite(lambda2) || lambda2 < 0.0 || lambda2 > 1e100) return LBP_E_RANGE;
  s->power = 0.5;
  s->rate = lambda2 * lambda2;
  s->sites = (double)n;
  return LBP_OK;
}

/* Returns the predicted acceptance rate at R >= 0 flips per step; NaN for any other R, unless s->rate is 0. */
LBP_FN double lbp_scaling_acceptance(const lbp_scaling *s, double R) {
  return 2.0 * lbp_normal_cdf(-0.5 * pow(R * s->rate, s->power));
}

/* Returns the predicted expected jump distance R a(R), the efficiency of (8), in sites per step. */
LBP_FN double lbp_scaling_ejd(const lbp_scaling *s, double R) { return R * lbp_scaling_acceptance(s, R); }

/* Returns the z > 0 that maximises z Phi(-z^power / 2). It is the same for all targets (corollaries 3.2 and 3.9 of
 * [S]): 1.081 for LBP, 5.670 for RWM ([S] has 5.673), with acceptance rates 0.574 and 0.234. Computed by bisection:
 * with h = z^power / 2 the derivative vanishes where Phi(-h) = power h phi(h), to the left of which it is positive; as
 * Phi(-h) < phi(h) / h, that lies below 1 / sqrt(power). */
LBP_FN double lbp_scaling_best_z(const lbp_scaling *s) {
  double low = 0.0, high = 1.0 / sqrt(s->power);
  int i;
  for (i = 0; i < 60; i++) {
    const double h = 0.5 * (low + high);
    if (lbp_normal_cdf(-h) > s->power * h * lbp_normal_pdf(h)) low = h;
    else high = h;
  }
  return pow(low + high, 1.0 / s->power);
}

/* Returns the R in [1, N] that maximises R a(R), not rounded to an integer; N if acceptance never falls (lambda =
 * 0). */
LBP_FN double lbp_scaling_best_R(const lbp_scaling *s) {
  const double z = lbp_scaling_best_z(s);
  if (z >= s->rate * s->sites) return s->sites;
  return z > s->rate ? z / s->rate : 1.0;
}

#endif /* LBP_STATS_H */
