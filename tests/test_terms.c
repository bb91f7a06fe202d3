/* Terms, lbp/options/terms.h, and pairs and fields, lbp/options/pairs.h: random models of up to 6 sites, with terms of 0
 * to 5 sites, impossible values, sites that have their own number of values; tempered, clamped, in groups.
 *
 * In all states log-ratios, log pi and neighbours are those of the same model by LBP_DELTA, to the bit; so are the draws of
 * all steps. Laws by enumeration too: some 100 chi-squared tests at level 1e-8, so a false alarm has probability 1e-6. */
#include "web.h"
#include "chi2.h"

#ifdef TERMS_LONG
enum { TERMS_MODELS = 200, TERMS_STEPS = 2000, TERMS_TRIALS = 100000, TERMS_LAWS = 8 };
#else
enum { TERMS_MODELS = 12, TERMS_STEPS = 300, TERMS_TRIALS = 5000, TERMS_LAWS = 2 };
#endif
enum { TERMS_KINDS = 9 }; /* of steps */

/* What a step says. */
typedef struct {
  uint32_t accepted, jump, evaluations;
  double log_ratio;
} terms_told;

static uint64_t terms_moved;

#define CASE      two
#define CASE_REAL double
#include "cases/terms_case.h"

#define CASE      two_fixed
#define CASE_REAL float
#define CASE_N    5
#include "cases/terms_case.h"

#define CASE        two_pairs
#define CASE_REAL   double
#define CASE_ARITY  2
#define CASE_WEIGHT LBP_METROPOLIS
#include "cases/terms_case.h"

#define CASE         two_groups
#define CASE_REAL    double
#define CASE_GROUPED
#include "cases/terms_case.h"

#define CASE      many
#define CASE_REAL double
#define CASE_CAT
#include "cases/terms_case.h"

#define CASE       many_pairs
#define CASE_REAL  float
#define CASE_CAT
#define CASE_ARITY 2
#include "cases/terms_case.h"

/* ---- the same as by log-ratios ----------------------------------------------------------------------------------- */

#define SAME(name, sites, values, terms, arity, hard, seed)                  \
  do {                                                                       \
    web_make(&model, sites, values, terms, arity, hard, seed);               \
    name##_compare(&model);                                                  \
    name##_approve(&model, seed);                                            \
    name##_draw_alike(&model, betas[(seed) % 4], (seed) % 3 == 0, seed);     \
  } while (0)

static void test_same(void) {
  static const double betas[4] = {1, 0.5, 0, 2};
  static web model;
  uint64_t seed;
  for (seed = 0; seed < TERMS_MODELS; seed++) {
    const uint32_t n = 1 + (uint32_t)(seed * 5 % WEB_SITES), terms = (uint32_t)(seed * 7 % (WEB_TERMS + 1));
    const int hard = seed % 2 == 0;
    SAME(two, n, 2, terms, WEB_ARITY, hard, seed);
    SAME(two_fixed, 5, 2, terms, WEB_ARITY, hard, seed);
    SAME(two_pairs, n, 2, terms, 2, hard, seed);
    SAME(many, n, WEB_VALUES, terms, WEB_ARITY, hard, seed);
    SAME(many_pairs, n, WEB_VALUES, terms, 2, hard, seed);
    web_make(&model, n, 2, terms, 3, hard, seed);
    two_groups_compare(&model);
    two_groups_draw_alike(&model, betas[seed % 4], 0, seed);
  }
  CHECK(terms_moved > 1000);
}

static void test_laws(void) {
  static web model;
  uint64_t seed;
  for (seed = 0; seed < TERMS_LAWS; seed++) {
    web_make(&model, 4, 2, 6, 3, 1, 100 + seed);
    two_keep_law(&model, seed % 2 ? 0.5 : 1, seed);
    web_make(&model, 4, 2, 6, 2, 1, 200 + seed);
    two_pairs_keep_law(&model, seed % 2 ? 1 : 0, seed);
    web_make(&model, 4, WEB_VALUES, 6, 3, 1, 300 + seed);
    many_keep_law(&model, seed % 2 ? 0.5 : 1, seed);
  }
}

/* ---- pairs and fields -------------------------------------------------------------------------------------------- */

static int longest(const web *m) {
  uint32_t t, most = 0;
  for (t = 0; t < m->terms; t++) most = m->arity[t] > most ? m->arity[t] : most;
  return (int)most;
}

static int is_hard(const web *m) {
  uint32_t t, j, cell, v[2];
  for (t = 0; t < m->terms; t++) {
    for (j = 0; j < 4 && m->arity[t] > 0; j++) {
      v[0] = j / 2, v[1] = j % 2;
      cell = m->arity[t] == 1 ? v[0] : v[0] * WEB_VALUES + v[1];
      if (m->table[t][cell] < -1e300) return 1;
    }
  }
  return 0;
}

static void test_pairs(void) {
  static web model;
  uint64_t seed;
  for (seed = 0; seed < 2 * TERMS_MODELS; seed++) {
    const uint32_t n = 1 + (uint32_t)(seed * 5 % WEB_SITES), terms = (uint32_t)(seed * 7 % (WEB_TERMS + 1));
    web_make(&model, n, 2, terms, 2, 0, seed);
    two_pairs_sum_pairs(&model, 1);
    two_sum_pairs(&model, 1); /* LBP_TERM_MAX is 5, no term has more than 2 */
    web_make(&model, n, 2, terms, 2, 1, seed);
    two_pairs_sum_pairs(&model, !is_hard(&model));
    web_make(&model, n, 2, terms, 3, 0, seed);
    two_sum_pairs(&model, longest(&model) < 3);
    web_make(&model, n, WEB_VALUES, terms, 2, 0, seed);
    many_pairs_sum_pairs(&model, 1);
    many_sum_pairs(&model, 1);
    web_make(&model, n, WEB_VALUES, terms, 3, 0, seed);
    many_sum_pairs(&model, longest(&model) < 3);
  }
}

int main(void) {
  test_same();
  test_laws();
  test_pairs();
  return test_report();
}
