/* Exactness: every sampler x weight function x {local, independent, dense, dense with estimates} x {float, double} x {n at run
 * time, fixed}, against the law known by enumeration.
 *
 * Two kinds of test. Detailed balance by enumeration of all paths, to rounding. And independent trials: a state drawn
 * from the law, moved by the sampler, must follow the law again; no mixing time enters, so plain chi-squared tests
 * apply. There are 1456, at level 1e-8: a false alarm of the suite has probability 1.5e-5.
 */
/* so few sites are on both sides of what decides how steps go about them */
#define LBP_NEAR  5u
#define LBP_AHEAD 2u
#define LBP_FEW   0u

#include "toy.h"
#include "chi2.h"

#define EXACT_LOCAL    1
#define EXACT_DENSE    2
#define EXACT_ESTIMATE 3
#define EXACT_PRODUCT  4
#define EXACT_LISTED   5

#ifndef EXACT_TRIALS
#ifdef EXACT_QUICK
#define EXACT_TRIALS 20000u
#else
#define EXACT_TRIALS 40000u
#endif
#endif

/* A weight made twice is the same to this, and to one: where compilers round one formula in two ways. */
#if !TEST_ALIKE
#define EXACT_ROUNDING 1e-6
#else
#define EXACT_ROUNDING 0.0
#endif

#define AS_DOUBLE(name) name
#define AS_FLOAT(name)  name##_float

static int exact_ways[2]; /* sites were drawn by rejection, in order */

static int exact_alike(uint64_t weight, uint64_t again) {
  return weight == again || fabs((double)weight - (double)again) <= EXACT_ROUNDING * ((double)weight + 1e6);
}

static uint32_t exact_sample(const double *law, double u) {
  uint32_t code = 0;
  for (; u >= law[code] && code < (1u << TOY_MAX) - 1; code++) u -= law[code];
  return code;
}

static void exact_chi2(const char *what, const uint32_t *seen, const double *law, uint32_t cells, uint32_t trials) {
  const double p = chi2_counts(seen, law, cells, trials);
  if (!(p > CHI2_LEVEL)) printf("%s: p = %g\n", what, p);
  CHECK(p > CHI2_LEVEL);
}

/* (x, y) and (y, x) equally frequent. */
static void exact_symmetric(uint32_t (*seen)[32], const double *law, uint32_t states) {
  uint32_t pairs;
  CHECK(chi2_symmetric(seen[0], 32, law, states, &pairs) > CHI2_LEVEL);
}

/* Around a ring of mutually exclusive sites, R > 1 flips seldom lead anywhere. */
static int exact_is_stuck(const toy *t, uint32_t R) { return t->exclusion && R > 1; }

/* local */
#define CASE ld
#define CASE_REAL double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_LOCAL
#define CASE_SORT_ABOVE 0
#include "cases/exact_case.h"

#define CASE lf_sqrt
#define CASE_REAL float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_LOCAL
#include "cases/exact_case.h"

/* the same, with flips that list what they change */
#define CASE sf
#define CASE_REAL float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_LISTED
#define CASE_DELTAS AS_FLOAT
#include "cases/exact_case.h"

/* the same, never sorted */
#define CASE nf
#define CASE_REAL float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_LISTED
#define CASE_DELTAS AS_FLOAT
#define CASE_NEVER
#include "cases/exact_case.h"

/* independent sites */
#define CASE pf
#define CASE_REAL float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_PRODUCT
#include "cases/exact_case.h"

#ifndef EXACT_QUICK

#define CASE pd_sqrt
#define CASE_REAL double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_PRODUCT
#define CASE_SORT_ABOVE 0
#include "cases/exact_case.h"

#define CASE ld_sqrt
#define CASE_REAL double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_LOCAL
#define CASE_SORT_ABOVE 2
#include "cases/exact_case.h"

#define CASE ld_custom
#define CASE_REAL double
#define CASE_WEIGHT LBP_CUSTOM
#define CASE_KIND EXACT_LOCAL
#define CASE_SORT_ABOVE 0
#include "cases/exact_case.h"

#define CASE lf
#define CASE_REAL float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_LOCAL
#include "cases/exact_case.h"

#define CASE lf_custom
#define CASE_REAL float
#define CASE_WEIGHT LBP_CUSTOM
#define CASE_KIND EXACT_LOCAL
#define CASE_SORT_ABOVE 2
#include "cases/exact_case.h"

#define CASE ld_fixed
#define CASE_REAL double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_LOCAL
#define CASE_N 4
#define CASE_SORT_ABOVE 0
#include "cases/exact_case.h"

#define CASE ld_sqrt_fixed
#define CASE_REAL double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_LOCAL
#define CASE_N 4
#include "cases/exact_case.h"

#define CASE lf_fixed
#define CASE_REAL float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_LOCAL
#define CASE_N 5
#define CASE_SORT_ABOVE 2
#include "cases/exact_case.h"

#define CASE lf_sqrt_fixed
#define CASE_REAL float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_LOCAL
#define CASE_N 10
#define CASE_SORT_ABOVE 0
#include "cases/exact_case.h"

#define CASE sd_sqrt_fixed
#define CASE_REAL double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_LISTED
#define CASE_DELTAS AS_DOUBLE
#define CASE_N 5
#define CASE_SORT_ABOVE 2
#include "cases/exact_case.h"

#define CASE sd
#define CASE_REAL double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_LISTED
#define CASE_DELTAS AS_DOUBLE
#include "cases/exact_case.h"

/* dense, exact */
#define CASE dd
#define CASE_REAL double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_DENSE
#define CASE_DELTAS AS_DOUBLE
#include "cases/exact_case.h"

#define CASE df_sqrt
#define CASE_REAL float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_DENSE
#define CASE_DELTAS AS_FLOAT
#define CASE_SORT_ABOVE 2
#include "cases/exact_case.h"

#define CASE dd_sqrt_fixed
#define CASE_REAL double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_DENSE
#define CASE_DELTAS AS_DOUBLE
#define CASE_N 4
#define CASE_SORT_ABOVE 0
#include "cases/exact_case.h"

#define CASE df_fixed
#define CASE_REAL float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_DENSE
#define CASE_DELTAS AS_FLOAT
#define CASE_N 4
#include "cases/exact_case.h"

/* dense, estimates and log pi */
#define CASE ed
#define CASE_REAL double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_ESTIMATE
#define CASE_DELTAS AS_DOUBLE
#define CASE_SORT_ABOVE 2
#include "cases/exact_case.h"

#define CASE ed_sqrt
#define CASE_REAL double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_ESTIMATE
#define CASE_DELTAS AS_DOUBLE
#define CASE_SORT_ABOVE 0
#include "cases/exact_case.h"

#define CASE ef
#define CASE_REAL float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_ESTIMATE
#define CASE_DELTAS AS_FLOAT
#include "cases/exact_case.h"

#define CASE ef_sqrt
#define CASE_REAL float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_ESTIMATE
#define CASE_DELTAS AS_FLOAT
#define CASE_SORT_ABOVE 2
#include "cases/exact_case.h"

#define CASE ed_fixed
#define CASE_REAL double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND EXACT_ESTIMATE
#define CASE_DELTAS AS_DOUBLE
#define CASE_N 4
#define CASE_SORT_ABOVE 0
#include "cases/exact_case.h"

#define CASE ef_sqrt_fixed
#define CASE_REAL float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND EXACT_ESTIMATE
#define CASE_DELTAS AS_FLOAT
#define CASE_N 4
#include "cases/exact_case.h"

#endif /* EXACT_QUICK */

int main(void) {
  ld_test_all();
  lf_sqrt_test_all();
  sf_test_all();
  nf_test_all();
  pf_test_all();
#ifndef EXACT_QUICK
  pd_sqrt_test_all();
  ld_sqrt_test_all();
  ld_custom_test_all();
  lf_test_all();
  lf_custom_test_all();
  ld_fixed_test_all();
  ld_sqrt_fixed_test_all();
  lf_fixed_test_all();
  lf_sqrt_fixed_test_all();
  sd_sqrt_fixed_test_all();
  sd_test_all();
  dd_test_all();
  df_sqrt_test_all();
  dd_sqrt_fixed_test_all();
  df_fixed_test_all();
  ed_test_all();
  ed_sqrt_test_all();
  ef_test_all();
  ef_sqrt_test_all();
  ed_fixed_test_all();
  ef_sqrt_fixed_test_all();
#endif
  CHECK(exact_ways[0] && exact_ways[1]);
  return test_report();
}
