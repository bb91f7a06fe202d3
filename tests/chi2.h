/* Chi-squared tests of counts. Seeds are fixed, so a test passes or fails for good; LEVEL is the probability that a
 * correct program would have failed with another seed, by its common cells and again by its rare ones. */
#ifndef CHI2_H
#define CHI2_H

#include <math.h>
#include <stdint.h>

#include "test.h"

#define CHI2_LEVEL 1e-8
#define CHI2_CELL  10.0 /* a cell expects at least so many */

/* P(chi-squared with `df` degrees of freedom > value): the regularised upper incomplete gamma function, by its
 * series below the mean and its continued fraction (Lentz) above. */
static double chi2_tail(double value, double df) {
  const double a = df / 2, x = value / 2, front = exp(a * log(x) - x - lgamma(a));
  int k;
  if (value <= 0) return 1;
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (k = 1; k < 10000 && term > sum * 1e-16; k++) sum += term *= x / (a + k);
    return 1 - front * sum;
  } else {
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (k = 1; k < 10000; k++) {
      const double an = -k * (k - a);
      double step;
      b += 2;
      d = 1 / (an * d + b);
      c = b + an / c;
      step = c * d;
      h *= step;
      if (fabs(step - 1) < 1e-15) break;
    }
    return front * h;
  }
}

/* P(N >= count), N by Poisson's law, of a count above the mean. */
static double chi2_excess(double count, double mean) {
  double term = exp(count * log(mean) - mean - lgamma(count + 1)), sum = 0;
  for (; term > sum * 1e-16; term *= mean / count) {
    sum += term;
    count++;
  }
  return sum;
}

/* Sums of a test. Cells that expect fewer than CHI2_CELL are rare: within a row neighbouring ones are taken together
 * until they expect as many, and what remains of all rows is one cell. By Poisson's law no rare cell, nor that one, may
 * have far more than it expects, either. */
typedef struct {
  double statistic, degrees;
  double rest_seen, rest; /* what remains, and what that expects */
  double worst, rare;     /* smallest p-value of a rare cell, and their number; 0: an impossible count */
} chi2_sums;

static inline chi2_sums chi2_begin(void) {
  const chi2_sums sums = {0, 0, 0, 0, 1, 0};
  return sums;
}

static void chi2_rare(chi2_sums *sums, double count, double expected) {
  sums->rare++;
  if (count > expected) sums->worst = fmin(sums->worst, chi2_excess(count, expected));
}

/* Adds a row of counts, against its probabilities; none may be seen whose probability is not above `least`. */
static void chi2_row(chi2_sums *sums, const uint32_t *seen, const double *law, uint32_t cells, double trials,
                     double least) {
  double statistic = 0, used = 0, bin_seen = 0, bin = 0;
  uint32_t k;
  for (k = 0; k < cells; k++) {
    const double expected = law[k] * trials;
    if (!(law[k] > least)) {
      if (seen[k] > 0) sums->worst = 0;
      continue;
    }
    if (expected < CHI2_CELL) {
      chi2_rare(sums, seen[k], expected);
      bin += expected;
      bin_seen += seen[k];
      if (bin < CHI2_CELL) continue;
      statistic += (bin_seen - bin) * (bin_seen - bin) / bin;
      bin = bin_seen = 0;
    } else {
      statistic += (seen[k] - expected) * (seen[k] - expected) / expected;
    }
    used++;
  }
  sums->rest += bin;
  sums->rest_seen += bin_seen;
  if (used < 2) return;
  sums->statistic += statistic;
  sums->degrees += used - 1 + bin / trials;
}

/* Returns the p-value; that of rare cells where it is below CHI2_LEVEL, and 0 for an impossible count. */
static double chi2_end(chi2_sums *sums) {
  const double gap = sums->rest_seen - sums->rest;
  if (sums->rest > CHI2_CELL / 2) sums->statistic += gap * gap / sums->rest, sums->degrees++;
  else if (sums->rest > 0) chi2_rare(sums, sums->rest_seen, sums->rest);
  if (sums->worst * sums->rare < CHI2_LEVEL && sums->worst < 1) return sums->worst * sums->rare;
  return sums->degrees > 0 ? chi2_tail(sums->statistic, sums->degrees) : 1;
}

/* Counts against probabilities: the p-value. */
static inline double chi2_counts(const uint32_t *seen, const double *law, uint32_t cells, double trials) {
  chi2_sums sums = chi2_begin();
  chi2_row(&sums, seen, law, cells, trials, 0);
  return chi2_end(&sums);
}

/* Whether steps from the law lead as often from k to i, passed[k * stride + i], as back. Pairs passed fewer than
 * CHI2_CELL times are rare: together they must lead as often to the more probable state as to the other. Returns the
 * p-value; *pairs: how many pairs are common. */
static inline double chi2_symmetric(const uint32_t *passed, uint32_t stride, const double *law, uint32_t cells,
                                    uint32_t *pairs) {
  double statistic = 0, rare = 0, rare_gap = 0, there, back;
  uint32_t i, k;
  *pairs = 0;
  for (k = 0; k < cells; k++) {
    for (i = 0; i < k; i++) {
      there = passed[k * stride + i];
      back = passed[i * stride + k];
      if (there + back < CHI2_CELL) {
        rare += there + back;
        rare_gap += law[i] > law[k] ? there - back : back - there;
      } else {
        statistic += (there - back) * (there - back) / (there + back);
        (*pairs)++;
      }
    }
  }
  if (rare >= CHI2_CELL) return chi2_tail(statistic + rare_gap * rare_gap / rare, *pairs + 1.0);
  return *pairs > 0 ? chi2_tail(statistic, *pairs) : 1;
}

#endif
