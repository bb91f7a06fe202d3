/* Alternates every two calls in one chain of categorical sites: steps, sweeps, discrete Langevin, steps of many chains,
 * touch, temper, clamp, and other states and models; pairs.h describes the comparison. Sites have their own numbers of
 * values, in some families one of them a single value. A second test looks at random words that sites share: in sweeps
 * over more sites than a block of words has, and where values are drawn for more sites than a lot has.
 *
 * `make test` takes a part of the pairs; `make test-long` takes all of them and more kinds of models (PAIRS_LONG).
 * About 2,000 chi-squared tests, or 12,000, have the level 1e-8: a false alarm has probability 2e-5, or 1.2e-4. */
#if defined PAIRS_LONG && !defined PAIRS_KINDS
#define PAIRS_KINDS /* all kinds of models */
#endif
#define LBP_NEAR 2u /* take the code paths of large models; the draws are the same */
#define LBP_FEW  1u

#include "../lbp/base/numbers.h"

#include "cat_toy.h"
#include "pairs.h"
#include "test.h"

enum {
  CALL_LBP_1,
  CALL_LBP_2,
  CALL_LBP_3,
  CALL_GWG_2,
  CALL_RWM_1,
  CALL_RWM_2,
  CALL_TUNED,
  CALL_GIBBS,
  CALL_METROPOLIS,
  CALL_DLP,
  CALL_DLP_TUNED,
  CALL_MANY,
  CALL_CHANGES, /* the calls from here on are no steps */
  CALL_TOUCH = CALL_CHANGES,
  CALL_TEMPER,
  CALL_CLAMP,
  CALL_MODEL,
  CALL_SET,
  CALL_CHECK
};

static const char *call_name(uint32_t call) {
  static const char *const name[] = {"LBP-1", "LBP-2", "LBP-3", "GWG-2", "RWM-1", "RWM-2", "tuned GWG", "a Gibbs sweep",
                                     "a metropolised Gibbs sweep", "discrete Langevin", "tuned discrete Langevin",
                                     "LBP-2 of many", "touch", "temper", "clamp", "another model", "another state",
                                     "check"};
  return name[call];
}

static int call_is_step(uint32_t call) { return call < CALL_CHANGES; }

static cat_toy pairs_model[2]; /* the model and another one, with the same possible states */
static uint8_t pairs_mask[CAT_SITES];

static const cat_toy *cat_model_of(uint32_t context) { return &pairs_model[(context & PAIRS_OTHER_MODEL) != 0]; }
static const uint8_t *cat_mask_of(uint32_t context) { return context & PAIRS_MASKED ? pairs_mask : NULL; }

static const uint32_t pairs_three[] = {3, 2, 4}, pairs_single[] = {3, 1, 2, 3};

static void pairs_models(uint32_t n, const uint32_t *K, int kind, int alone, uint64_t seed) {
  pairs_model[0] = cat_make(n, K, 0.75, kind, alone, seed);
  pairs_model[1] = cat_make(n, K, 0.75, kind, alone, seed + 1);
  memset(pairs_mask, 0, sizeof pairs_mask);
  pairs_mask[n == 3 ? 1 : 0] = 1;
}

/* ---- families ---------------------------------------------------------------------------------------------------- */

#define CASE            local
#define CASE_TITLE      "local"
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_HEAT_BATH
#define CASE_KIND       CAT_LOCAL
#define CASE_K          4
#define CASE_SORT_ABOVE 0
#define CASE_BASED
#define CASE_COLD       1
#define CASE_HOT        (-0.5)
#include "cases/pairs_cat_case.h"

#define CASE            fields
#define CASE_TITLE      "fields, float"
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_METROPOLISED
#define CASE_KIND       CAT_FIELDS
#define CASE_K          4
#define CASE_N          3
#define CASE_ONE
#define CASE_COLD       1.25
#define CASE_HOT        0
#include "cases/pairs_cat_case.h"

#define CASE            kept
#define CASE_TITLE      "dense, kept"
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_BARKER
#define CASE_KIND       CAT_KEPT
#define CASE_K          4
#define CASE_COLD       1
#define CASE_HOT        (-0.5)
#include "cases/pairs_cat_case.h"

#define CASE            many
#define CASE_TITLE      "estimates, many chains"
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_SQRT
#define CASE_KIND       CAT_MANY
#define CASE_K          4
#define CASE_N          3
#define CASE_SORT_ABOVE 0
#define CASE_COLD       1
#define CASE_HOT        0.25
#include "cases/pairs_cat_case.h"

#ifdef PAIRS_KINDS
#define CASE            product
#define CASE_TITLE      "product"
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_HEAT_BATH
#define CASE_KIND       CAT_PRODUCT
#define CASE_K          4
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_cat_case.h"

#define CASE            product_by
#define CASE_TITLE      "product, pair by pair, float"
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_KIND       CAT_PRODUCT
#define CASE_K          4
#define CASE_N          3
#define CASE_NEVER
#define CASE_BASED
#define CASE_COLD       1
#define CASE_HOT        0
#include "cases/pairs_cat_case.h"

#define CASE            dense
#define CASE_TITLE      "dense, float"
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_HEAT_BATH
#define CASE_KIND       CAT_DENSE
#define CASE_K          4
#define CASE_N          3
#define CASE_BASED
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_cat_case.h"

#define CASE            of
#define CASE_TITLE      "estimates, sites of their own"
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_CUSTOM
#define CASE_KIND       CAT_OF
#define CASE_K          4
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_cat_case.h"

#define CASE            estimate
#define CASE_TITLE      "estimates"
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_METROPOLISED
#define CASE_KIND       CAT_ESTIMATE
#define CASE_K          4
#define CASE_SORT_ABOVE 0
#define CASE_COLD       0.75
#define CASE_HOT        0.25
#include "cases/pairs_cat_case.h"
#endif

static void test_families(uint32_t share) {
  pairs_models(3, pairs_three, CAT_SOFT, 0, 1);
  local_run(share, 1);
  fields_run(share, 2);
  many_run(share, 3);
  pairs_models(4, pairs_single, CAT_SOFT, 0, 3);
  kept_run(share, 4);
#ifdef PAIRS_KINDS
  local_run(share, 5);
  of_run(share, 6);
  estimate_run(share, 7);
  pairs_models(3, pairs_three, CAT_SOFT, 0, 5);
  kept_run(share, 8);
  dense_run(share, 9);
  estimate_run(share, 10);
  pairs_models(3, pairs_three, CAT_SOFT, 1, 7);
  product_run(share, 11);
  product_by_run(share, 12);
  pairs_models(3, pairs_three, CAT_HARD, 0, 9);
  fields_run(share, 13);
  kept_run(share, 14);
  of_run(share, 15);
#endif
  pairs_models(3, pairs_three, CAT_HARD, 0, 9);
  local_run(share, 16);
}

/* ---- random words ------------------------------------------------------------------------------------------------ */

/* Independent sites with equal fields, more than two blocks of random words have, and lots of values. */
enum { WORDS_SITES = 150, WORDS_VALUES = 20, WORDS_STEPS = 250 };

typedef struct {
  double field;
  uint32_t values;
} dice;

static uint32_t dice_none(const dice *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }
static void dice_row(const dice *m, const uint8_t *x, uint32_t i, double *out) {
  uint32_t v;
  for (v = 0; v < m->values; v++) out[v] = m->field * ((v > 0) - (x[i] > 0));
}

#define LBP_NAME           die
#define LBP_MODEL_T        dice
#define LBP_N              150
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  dice_row
#define LBP_NEIGHBOURS     dice_none
#define LBP_MAX_NEIGHBOURS 0
#include "../lbp.h"

#define LBP_NAME           wide
#define LBP_MODEL_T        dice
#define LBP_N              150
#define LBP_CAT_STATES     20
#define LBP_CAT_DELTAS_OF  dice_row
#define LBP_NEIGHBOURS     dice_none
#define LBP_MAX_NEIGHBOURS 1
#include "../lbp.h"

enum { WORDS_GIBBS, WORDS_METROPOLIS, WORDS_DLP, WORDS_LBP, WORDS_GWG, WORDS_RWM };

static void words_die(uint32_t kind, uint8_t *x, lbp_rng *rng) {
  static const dice m = {0.75, 3};
  static die_chain c;
  die_init(&c, x);
  if (kind == WORDS_GIBBS) die_gibbs_sweep(&c, &m, rng);
  else if (kind == WORDS_METROPOLIS) die_metropolis_sweep(&c, &m, rng);
  else die_dlp_step(&c, &m, 4, rng);
  memcpy(x, c.x, WORDS_SITES);
}

static void words_wide(uint32_t kind, uint8_t *x, lbp_rng *rng) {
  static const dice m = {0, WORDS_VALUES};
  static wide_chain c;
  wide_init(&c, x);
  switch (kind) {
    case WORDS_GIBBS: wide_gibbs_sweep(&c, &m, rng); break;
    case WORDS_METROPOLIS: wide_metropolis_sweep(&c, &m, rng); break;
    case WORDS_DLP: wide_dlp_step(&c, &m, 1, rng); break;
    case WORDS_LBP: wide_lbp_step(&c, &m, 100, rng); break;
    case WORDS_GWG: wide_gwg_step(&c, &m, 140, rng); break;
    default: wide_rwm_step(&c, &m, 100, rng); break;
  }
  memcpy(x, c.x, WORDS_SITES);
}

static void test_words(void) {
  static const char *const three[] = {"three values, Gibbs", "three values, metropolised Gibbs",
                                      "three values, Langevin"};
  static const char *const twenty[] = {"twenty values, Gibbs", "twenty values, metropolised Gibbs",
                                       "twenty values, Langevin", "twenty values, LBP-100", "twenty values, GWG-140",
                                       "twenty values, RWM-100"};
  uint32_t k;
  for (k = 0; k <= WORDS_DLP; k++) pairs_judge_words(three[k], WORDS_SITES, 3, 0.75, WORDS_STEPS, words_die, k);
  for (k = 0; k <= WORDS_RWM; k++) {
    pairs_judge_words(twenty[k], WORDS_SITES, WORDS_VALUES, 0, WORDS_STEPS, words_wide, k);
  }
}

int main(void) {
  test_words();
  test_families(PAIRS_SHARE);
  return test_report();
}
