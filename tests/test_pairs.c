/* Every two calls in turn in one chain: steps, sweeps, swaps, paths, the clock, and what changes a chain from outside,
 * of binary sites in every way that lbp.h accepts, of groups with sites in none, and of any-scale samplers. See pairs.h.
 * And sweeps over more sites than a block has: no two of them, at whatever distance, share a random word.
 *
 * `make test` takes a third of the pairs, `make test-long` all of them (PAIRS_LONG). Some 2,000 chi-squared tests at
 * level 1e-8 and as many means of 6.5 standard errors: a false alarm of the suite has probability 2e-5. */
#define LBP_NEAR 4u /* all sites are far, and flips that list what they change are worth it: the draws are the same */
#define LBP_FEW  1u

#include "ab_toy.h"
#include "pairs.h"
#include "test.h"
#include "toy.h"

/* Kinds of models. */
#define PAIRS_LOCAL    1
#define PAIRS_LISTED   2
#define PAIRS_DENSE    3
#define PAIRS_KEPT     4
#define PAIRS_ESTIMATE 5
#define PAIRS_ASKED    6

/* Bits of a context. */
enum { PAIRS_HOT = 1, PAIRS_MASKED = 2, PAIRS_OTHER_MODEL = 4, PAIRS_SHIFTED = 8 };

/* Calls. */
enum {
  PAIRS_LBP_1,
  PAIRS_LBP_2,
  PAIRS_LBP_3,
  PAIRS_GWG_2,
  PAIRS_RWM_1,
  PAIRS_RWM_2,
  PAIRS_TUNED,
  PAIRS_GIBBS,
  PAIRS_METROPOLIS,
  PAIRS_SKIP_GIBBS,
  PAIRS_SKIP_METROPOLIS,
  PAIRS_CLOCK,
  PAIRS_PATH_2,
  PAIRS_SWAP_1,
  PAIRS_SWAP_2,
  PAIRS_SWAP_3,
  PAIRS_SWAP_PATH_1,
  PAIRS_SWAP_PATH_2,
  PAIRS_KAWASAKI,
  PAIRS_SWAP_SWEEP,
  PAIRS_LANGEVIN,
  PAIRS_SECOND,
  PAIRS_SECOND_OTHER,
  PAIRS_CHANGES, /* none of these moves the chain by its law */
  PAIRS_TOUCH = PAIRS_CHANGES,
  PAIRS_TEMPER,
  PAIRS_CLAMP,
  PAIRS_MODEL,
  PAIRS_SET,
  PAIRS_CHECK,
  PAIRS_SCATTER,
  PAIRS_SHIFT
};

static const char *pairs_call_name(uint32_t call) {
  static const char *const name[] = {"LBP-1", "LBP-2", "LBP-3", "GWG-2", "RWM-1", "RWM-2", "tuned GWG", "a Gibbs sweep",
                                     "a Metropolis sweep", "a skip sweep by Gibbs", "a skip sweep by Metropolis",
                                     "the clock", "a path of 2", "a swap", "2 swaps", "3 swaps", "a path of a swap",
                                     "a path of 2 swaps", "a uniform swap", "a sweep of swaps", "discrete Langevin",
                                     "second order", "second order, another curvature", "touch", "temper", "clamp",
                                     "another model", "another state", "check", "scatter", "another shift"};
  return name[call];
}

static int pairs_is_step(uint32_t call) { return call < PAIRS_CHANGES; }

/* ---- binary sites ------------------------------------------------------------------------------------------------ */

enum { PAIRS_LEVELS = 6 };

static toy pairs_toy[2]; /* the other one, too, has the same states */
static uint8_t pairs_mask[PAIRS_SITES];

static double pairs_log_weight(double log_t) { return 0.5 * log_t - 0.25 * log_t * log_t / (1 + log_t * log_t); }

/* Where all sites are alike, on a ring. */
static uint32_t pairs_level(const toy *t, const uint8_t *x, uint32_t i) {
  return x[i] * 3u + x[(i + 1) % t->n] + x[(i + t->n - 1) % t->n];
}

/* Two groups, of two ones and of one, and two sites in none. */
static uint32_t pairs_group(const toy *t, uint32_t i) {
  static const uint32_t group[] = {0, 1, 0, 0, LBP_NO_GROUP, 0, 1, LBP_NO_GROUP};
  return (void)t, group[i];
}

static int pairs_has_ones(const uint8_t *x) {
  uint32_t ones[2] = {0, 0}, i;
  for (i = 0; i < pairs_toy[0].n; i++) {
    const uint32_t g = pairs_group(NULL, i);
    if (g != LBP_NO_GROUP) ones[g] += x[i];
  }
  return ones[0] == 2 && ones[1] == 1;
}

static const uint8_t *pairs_mask_of(uint32_t context) { return context & PAIRS_MASKED ? pairs_mask : NULL; }

static void pairs_models(uint32_t n, double spread, int exclusion, uint64_t seed) {
  pairs_toy[0] = toy_make(n, spread, exclusion, seed);
  pairs_toy[1] = toy_make(n, spread, exclusion, seed + 1);
  memset(pairs_mask, 0, sizeof pairs_mask);
  pairs_mask[1] = pairs_mask[n - 1] = 1;
}

/* Rings whose sites are alike. */
static void pairs_rings(uint32_t n) {
  uint32_t k, i;
  pairs_models(n, 0, 0, 1);
  for (k = 0; k < 2; k++) {
    toy *t = &pairs_toy[k];
    memset(t->coupling, 0, sizeof t->coupling);
    for (i = 0; i < n; i++) {
      t->field[i] = k ? 0.25 : -0.125;
      t->coupling[i][(i + 1) % n] = t->coupling[(i + 1) % n][i] = k ? -0.25 : 0.375;
    }
  }
}

/* Sites of groups some of which exclude each other, so that often fewer swaps can be drawn than asked for. */
static void pairs_exclude(uint64_t seed) {
  static const uint32_t cut[] = {1, 2, 4, 5, 5, 6, 6, 7};
  uint32_t k, e;
  pairs_models(8, 0.5, 1, seed);
  for (k = 0; k < 2; k++) {
    for (e = 0; e < 8; e += 2) pairs_toy[k].coupling[cut[e]][cut[e + 1]] = pairs_toy[k].coupling[cut[e + 1]][cut[e]] = 0;
  }
}

#define pairs_flip_list toy_flip_list_float

#define CASE            local
#define CASE_TITLE      "local"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LOCAL
#define CASE_CLOCK      LBP_BARKER
#define CASE_SORT_ABOVE 0
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"

#define CASE            listed
#define CASE_TITLE      "flips that list, float"
#define CASE_REAL       float
#define CASE_KIND       PAIRS_LISTED
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_N          5
#define CASE_COLD       1.25
#define CASE_HOT        0
#include "cases/pairs_case.h"

#define CASE            levels
#define CASE_TITLE      "levels"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LOCAL
#define CASE_LEVEL
#define CASE_COLD       1
#define CASE_HOT        0.25
#include "cases/pairs_case.h"

#define CASE            kept
#define CASE_TITLE      "dense, kept"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_KEPT
#define CASE_WEIGHT     LBP_SQRT
#define CASE_CLOCK      LBP_BARKER
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"

#define CASE            estimate
#define CASE_TITLE      "estimates"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_ESTIMATE
#define CASE_WEIGHT     LBP_CUSTOM
#define CASE_SORT_ABOVE 0
#define CASE_COLD       0.75
#define CASE_HOT        0.25
#include "cases/pairs_case.h"

#define CASE            grouped
#define CASE_TITLE      "groups"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LOCAL
#define CASE_CLOCK      LBP_BARKER
#define CASE_GROUPED
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"

#define CASE            grouped_dense
#define CASE_TITLE      "groups, dense"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_KEPT
#define CASE_CLOCK      LBP_BARKER
#define CASE_GROUPED
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"

#ifdef PAIRS_LONG
#define CASE            never
#define CASE_TITLE      "local, never sorted, float"
#define CASE_REAL       float
#define CASE_KIND       PAIRS_LOCAL
#define CASE_CLOCK      LBP_BARKER
#define CASE_N          5
#define CASE_SORT_ABOVE LBP_NEVER
#define CASE_COLD       1
#define CASE_HOT        0
#include "cases/pairs_case.h"

#define CASE            dense
#define CASE_TITLE      "dense"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_DENSE
#define CASE_CLOCK      LBP_BIRTH_DEATH
#define CASE_N          5
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"

#define CASE            asked
#define CASE_TITLE      "estimates, sites of their own"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_ASKED
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"

#define CASE            grouped_list
#define CASE_TITLE      "groups, flips that list, float"
#define CASE_REAL       float
#define CASE_KIND       PAIRS_LISTED
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_GROUPED
#define CASE_COLD       1
#define CASE_HOT        0
#include "cases/pairs_case.h"

#define CASE            grouped_estimate
#define CASE_TITLE      "groups, estimates"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_ESTIMATE
#define CASE_WEIGHT     LBP_SQRT
#define CASE_N          8
#define CASE_GROUPED
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"
#endif

static void test_binary(uint32_t share) {
  pairs_models(5, 0.75, 0, 5);
  local_run(share, 1);
  listed_run(share, 2);
  kept_run(share, 3);
  estimate_run(share, 4);
#ifdef PAIRS_LONG
  never_run(share, 5);
  dense_run(share, 6);
  asked_run(share, 7);
#endif
  pairs_rings(4);
  levels_run(share, 8);
  pairs_models(6, 0.5, 1, 9);
  local_run(share, 9);
}

static void test_groups(uint32_t share) {
  pairs_exclude(15);
  grouped_run(1, 15);
  pairs_models(8, 1.5, 0, 11);
  grouped_dense_run(share, 12);
#ifdef PAIRS_LONG
  grouped_run(share, 11);
  grouped_list_run(share, 13);
  grouped_estimate_run(share, 14);
  pairs_exclude(15);
  grouped_list_run(share, 16);
#endif
}

int main(void) {
  test_binary(PAIRS_SHARE);
  test_groups(PAIRS_SHARE);
  return test_report();
}
