/* One step from pi, many times: is pi left as it is, and every pair of states passed as often one way as the other? */
#ifndef REVERSIBLE_H
#define REVERSIBLE_H

#include <string.h>

#include "chi2.h"

enum { REVERSIBLE_MOST = 125 };

/* passed[k * cells + i]: steps from k to i, of `trials`; law: pi. More than least_pairs pairs must have been passed ten
 * times, and the mean acceptance probability be above 0.1, for this to mean anything. */
static void check_reversible(const uint32_t *passed, const double *law, uint32_t cells, uint32_t trials,
                             uint32_t least_pairs, double acceptance, const char *what) {
  uint32_t reached[REVERSIBLE_MOST], pairs, i, k;
  double invariance, reversibility;
  char text[160];
  memset(reached, 0, sizeof reached);
  for (k = 0; k < cells; k++) {
    for (i = 0; i < cells; i++) reached[i] += passed[k * cells + i];
  }
  invariance = chi2_counts(reached, law, cells, trials);
  reversibility = chi2_symmetric(passed, cells, law, cells, &pairs);
  snprintf(text, sizeof text, "%.60s, %u states: invariance p = %.2g, reversibility p = %.2g", what, (unsigned)cells,
           invariance, reversibility);
  test_count(invariance > CHI2_LEVEL && reversibility > CHI2_LEVEL, __FILE__, __LINE__, text);
  snprintf(text, sizeof text, "%.60s, %u states: moves enough to mean anything: %u pairs, acceptance %.2g", what,
           (unsigned)cells, (unsigned)pairs, acceptance);
  test_count(pairs > least_pairs && acceptance > 0.1, __FILE__, __LINE__, text);
}

#endif
