/* Every step of models of many sites, computed again in plain double arithmetic: that sites were drawn in proportion to
 * their weights, that the acceptance probability is that of formula (5) for just these sites in just this order, that
 * the move was made or undone, and that the weights kept are those of where the chain is. With R beyond each of the
 * blocks that lbp.h works in (64, 128, 256), and neighbour lists of 1 to 300 sites.
 *
 * Probabilities are compared step by step, to rounding. Draws are compared by sums with mean zero, which are within six
 * standard deviations: fewer than 1000 of them, a false alarm in 5e5 runs. */
#define LBP_NEAR 1000u /* some models take the code paths of large ones; the draws are the same */
#include "../lbp.h"
#include "steps_web.h"

#define STEPS_LOCAL    1
#define STEPS_DENSE    2
#define STEPS_ESTIMATE 3

enum { STEPS_LBP, STEPS_GWG, STEPS_RWM };

#ifdef API_QUICK
enum { STEPS_ROUNDS = 1 };
#else
enum { STEPS_ROUNDS = 4 };
#endif

/* Of a weight: of its exponential, and of the log-ratio in float. */
#define STEPS_WEIGHT_TOLERANCE 4e-6

/* Of the logarithm of an acceptance probability, for each draw: four times what is seen. */
static void steps_see(double got, double want, uint32_t draws) { CHECK_NEAR(got, want, 2e-6 * (10 + draws)); }

/* the grid of the paper's figures is as large: 35 x 35 */
#define CASE        grid
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   STEPS_LOCAL
#define CASE_SITES  1225
#define CASE_DEGREE 4
#define CASE_BETA   1
#include "cases/steps_case.h"

#define CASE            grid_fixed
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_SQRT
#define CASE_KIND       STEPS_LOCAL
#define CASE_SITES      1225
#define CASE_DEGREE     4
#define CASE_FIXED      1
#define CASE_SORT_ABOVE 0
#define CASE_BETA       1
#include "cases/steps_case.h"

#define CASE            pairs
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_KIND       STEPS_LOCAL
#define CASE_SITES      600
#define CASE_DEGREE     1
#define CASE_SORT_ABOVE 0
#define CASE_BETA       1
#include "cases/steps_case.h"

#define CASE            six
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_SQRT
#define CASE_KIND       STEPS_LOCAL
#define CASE_SITES      512
#define CASE_DEGREE     6
#define CASE_FIXED      1
#define CASE_SORT_ABOVE 2
#define CASE_TEMPERED   1
#define CASE_BETA       0.75
#include "cases/steps_case.h"

#define CASE        crowd
#define CASE_REAL   float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   STEPS_LOCAL
#define CASE_SITES  700
#define CASE_DEGREE 48
#define CASE_BETA   1
#include "cases/steps_case.h"

#define CASE        throng
#define CASE_REAL   double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   STEPS_LOCAL
#define CASE_SITES  801
#define CASE_DEGREE 300
#define CASE_BETA   1
#include "cases/steps_case.h"

#define CASE            throng_fixed
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_KIND       STEPS_LOCAL
#define CASE_SITES      701
#define CASE_DEGREE     300
#define CASE_FIXED      1
#define CASE_SORT_ABOVE 0
#define CASE_BETA       1
#include "cases/steps_case.h"

/* independent sites */
#define CASE        alone
#define CASE_REAL   float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   STEPS_LOCAL
#define CASE_SITES  900
#define CASE_DEGREE 0
#define CASE_BETA   1
#include "cases/steps_case.h"

#define CASE            alone_fixed
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_SQRT
#define CASE_KIND       STEPS_LOCAL
#define CASE_SITES      900
#define CASE_DEGREE     0
#define CASE_FIXED      1
#define CASE_SORT_ABOVE 0
#define CASE_BETA       1
#include "cases/steps_case.h"

/* dense, exact */
#define CASE        dense
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   STEPS_DENSE
#define CASE_SITES  600
#define CASE_DEGREE 6
#define CASE_BETA   1
#include "cases/steps_case.h"

#define CASE            dense_fixed
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_SQRT
#define CASE_KIND       STEPS_DENSE
#define CASE_SITES      601
#define CASE_DEGREE     6
#define CASE_FIXED      1
#define CASE_SORT_ABOVE 0
#define CASE_BETA       1
#include "cases/steps_case.h"

/* dense, estimates and log pi */
#define CASE          guess
#define CASE_REAL     double
#define CASE_WEIGHT   LBP_SQRT
#define CASE_KIND     STEPS_ESTIMATE
#define CASE_SITES    603
#define CASE_DEGREE   4
#define CASE_TEMPERED 1
#define CASE_BETA     0.75
#include "cases/steps_case.h"

#define CASE            guess_fixed
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_KIND       STEPS_ESTIMATE
#define CASE_SITES      521
#define CASE_DEGREE     6
#define CASE_FIXED      1
#define CASE_SORT_ABOVE 0
#define CASE_TEMPERED   1
#define CASE_BETA       0.75
#include "cases/steps_case.h"

int main(void) {
  grid_test();
  grid_fixed_test();
  pairs_test();
  six_test();
  crowd_test();
  throng_test();
  throng_fixed_test();
  alone_test();
  alone_fixed_test();
  dense_test();
  dense_fixed_test();
  guess_test();
  guess_fixed_test();
  CHECK(steps_tests > 200 && steps_tests < 1000);
  return test_report();
}
