/* Chi-squared tests of counts. Seeds are fixed, so a test passes or fails for good; LEVEL is the probability that a
 * correct program would have failed with another seed. */
#ifndef CHI2_H
#define CHI2_H

#include <math.h>
#include <stdint.h>

#include "test.h"

#define CHI2_LEVEL 1e-8

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

/* Counts against probabilities; cells that expect fewer than 10 are taken together. A count where the probability is
 * zero fails. Returns the p-value, 0 for an impossible count. */
static double chi2_counts(const uint32_t *seen, const double *law, uint32_t cells, double trials) {
  double statistic = 0, small_seen = 0, small_expected = 0;
  uint32_t k, used = 0;
  for (k = 0; k < cells; k++) {
    const double expected = law[k] * trials, gap = seen[k] - expected;
    if (law[k] <= 0 && seen[k] > 0) return 0;
    if (expected < 10) {
      small_seen += seen[k];
      small_expected += expected;
    } else {
      statistic += gap * gap / expected;
      used++;
    }
  }
  if (small_expected > 1) {
    statistic += (small_seen - small_expected) * (small_seen - small_expected) / small_expected;
    used++;
  }
  return used > 1 ? chi2_tail(statistic, used - 1) : 1;
}

#endif
