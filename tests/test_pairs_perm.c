/* Alternates every two calls in one chain of permutations or partial matchings: steps by rows, by pairs, uniform
 * exchanges, touch, temper, clamp, and other states and models; pairs.h describes the comparison.
 *
 * `make test` has permutations of 4; `make test-long` has more kinds of models, permutations of 5 and many more steps
 * (PAIRS_LONG). About 1,500 chi-squared tests, or 8,000, have the level 1e-8: a false alarm has
 * probability 2e-5, or 8e-5. */
#if defined PAIRS_LONG && !defined PAIRS_KINDS
#define PAIRS_KINDS /* all kinds of models */
#endif
#define PAIRS_ROOM 121 /* permutations of 5, and one more */

#include "../lbp/base/numbers.h"
#include "../lbp_perm.h"

#include "pairs.h"
#include "perm_toy.h"
#include "test.h"

enum {
  CALL_ROW,
  CALL_PAIRS_1,
  CALL_PAIRS_2,
  CALL_EXCHANGE,
  CALL_SWEEP,
  CALL_TUNED,
  CALL_CHANGES, /* the calls from here on are no steps */
  CALL_TOUCH = CALL_CHANGES,
  CALL_TEMPER,
  CALL_CLAMP,
  CALL_MODEL,
  CALL_SET,
  CALL_CHECK
};

static const char *call_name(uint32_t call) {
  static const char *const name[] = {"a row step", "a pair", "2 pairs", "a uniform exchange", "a sweep of exchanges",
                                     "tuned pairs", "touch", "temper", "clamp", "another model", "another state",
                                     "check"};
  return name[call];
}

static int call_is_step(uint32_t call) { return call < CALL_CHANGES; }

static perm_toy pairs_model[2]; /* the model and another one, with the same possible states */
static uint8_t pairs_mask[PERM_MOST];

static const perm_toy *perm_model_of(uint32_t context) { return &pairs_model[(context & PAIRS_OTHER_MODEL) != 0]; }
static const uint8_t *perm_mask_of(uint32_t context) { return context & PAIRS_MASKED ? pairs_mask : NULL; }

/* `rows` and `columns` of a partial matching, or 0. The other model has half of all costs; `forbidden`: some images are
 * impossible in both. */
static void pairs_models(uint32_t n, int kind, uint32_t rows, uint32_t columns, int forbidden, uint32_t clamped) {
  uint32_t a, b;
  perm_toy *t = pairs_model;
  t[0] = rows > 0 ? perm_partial(n, rows, columns, kind, 1.5, 0) : perm_make(n, kind, 1.5, 0);
  if (forbidden) t[0].cost[0][1] = t[0].cost[2][0] = HUGE_VAL;
  t[1] = t[0];
  for (a = 0; a < n; a++) {
    for (b = 0; b < n; b++) {
      if (t[0].cost[a][b] < 1e300) t[1].cost[a][b] = t[0].cost[a][b] / 2;
    }
  }
  memset(pairs_mask, 0, sizeof pairs_mask);
  pairs_mask[clamped] = 1;
}

#define AS_DOUBLE(name) name
#define AS_FLOAT(name)  name##_float

#define CASE        plain
#define CASE_TITLE  "permutations"
#define CASE_REAL   double
#define CASE_AS     AS_DOUBLE
#define CASE_WEIGHT LBP_BARKER
#define CASE_ROW_WEIGHT
#define CASE_NEIGHBOURS
#define CASE_COLD   1
#define CASE_HOT    0.5
#include "cases/pairs_perm_case.h"

#define CASE        partial
#define CASE_TITLE  "partial matchings"
#define CASE_REAL   double
#define CASE_AS     AS_DOUBLE
#define CASE_WEIGHT LBP_SQRT
#define CASE_ROW
#define CASE_ROW_WEIGHT
#define CASE_NEIGHBOURS
#define CASE_PARTIAL
#define CASE_COLD   1
#define CASE_HOT    0.25
#include "cases/pairs_perm_case.h"

#ifdef PAIRS_KINDS
#define CASE        asked
#define CASE_TITLE  "permutations, float, no neighbours"
#define CASE_REAL   float
#define CASE_AS     AS_FLOAT
#define CASE_WEIGHT LBP_METROPOLIS
#define CASE_ROW
#define CASE_COLD   1.25
#define CASE_HOT    0
#include "cases/pairs_perm_case.h"

#define CASE        partial_asked
#define CASE_TITLE  "partial matchings, no neighbours"
#define CASE_REAL   double
#define CASE_AS     AS_DOUBLE
#define CASE_WEIGHT LBP_BARKER
#define CASE_PARTIAL
#define CASE_COLD   0.75
#define CASE_HOT    0
#include "cases/pairs_perm_case.h"
#endif

static void test_families(uint32_t share) {
  pairs_models(4, PERM_PATH, 0, 0, 0, 1);
  plain_run(share, 1);
  pairs_models(4, PERM_LINEAR, 2, 2, 0, 3); /* no neighbours: so rows whose weights D changes are not named as such */
  partial_run(share, 2);
#ifdef PAIRS_KINDS
  pairs_models(4, PERM_PATH, 2, 2, 0, 3);
  partial_run(share, 12);
  pairs_models(4, PERM_QUADRATIC, 0, 0, 0, 2);
  plain_run(share, 3);
  asked_run(share, 4);
  pairs_models(4, PERM_LINEAR, 0, 0, 1, 3);
  plain_run(share, 5);
  asked_run(share, 6);
  pairs_models(4, PERM_LINEAR, 3, 2, 1, 0);
  partial_run(share, 7);
  partial_asked_run(share, 8);
  pairs_models(4, PERM_LINEAR, 1, 3, 0, 2);
  partial_asked_run(share, 9);
  pairs_models(5, PERM_PATH, 0, 0, 0, 1);
  plain_run(share, 10);
  pairs_models(5, PERM_PATH, 2, 3, 0, 4);
  partial_run(share, 11);
#endif
}

int main(void) {
  test_families(1);
  return test_report();
}
