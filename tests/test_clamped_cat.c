/* Clamped categorical sites: every sampler of lbp/options/cat.h under all masks of four sites with 3, 2, 1 and 4
 * values, against the law given the clamped sites, by enumeration; impossible values and pairs; evaluations against
 * what was asked. And the random walk among many sites of which few can move. Chi-squared tests at level 1e-8, about
 * 1500 of them: a false alarm of the suite has probability 2e-5. */
#include <stdio.h>

#include "cat_toy.h"
#include "reversible.h"

enum { CLAMPED_CELLS = 24, CLAMPED_WORDS = 256 };
#ifdef API_QUICK
enum { CLAMPED_TRIALS = 1000 };
#else
enum { CLAMPED_TRIALS = 4000 };
#endif

#define CLAMPED_LOCAL    1
#define CLAMPED_PRODUCT  2
#define CLAMPED_DENSE    3
#define CLAMPED_BOTH     4
#define CLAMPED_ESTIMATE 5

/* Kinds of steps; the last two don't do as much one way as the other. */
enum { CLAMPED_LBP, CLAMPED_GWG, CLAMPED_RWM, CLAMPED_DLP, CLAMPED_GIBBS, CLAMPED_METROPOLIS, CLAMPED_STEPS };

static uint32_t clamped_asked; /* log-ratios of a site, so many times */

static void clamped_law(const cat_toy *t, uint32_t mask, uint32_t given, double *law) {
  double sum = 0;
  uint32_t code, i;
  for (code = 0; code < t->states; code++) {
    int agrees = 1;
    for (i = 0; i < t->n; i++) agrees &= !(mask >> i & 1) || cat_value(t, code, i) == cat_value(t, given, i);
    sum += law[code] = agrees && t->logp[code] > -1e300 ? exp(t->logp[code]) : 0;
  }
  for (code = 0; code < t->states; code++) law[code] /= sum;
}

static uint32_t clamped_draw(const double *law, uint32_t cells, double u) {
  uint32_t k = 0;
  while (k + 1 < cells && (u >= law[k] || law[k] <= 0)) u -= law[k++];
  return k;
}

#define CASE        local
#define CASE_TEXT   "local"
#define CASE_REAL   double
#define CASE_WEIGHT LBP_HEAT_BATH
#define CASE_KIND   CLAMPED_LOCAL
#include "cases/clamped_cat_case.h"

#define CASE        local_float
#define CASE_TEXT   "local, float"
#define CASE_REAL   float
#define CASE_WEIGHT LBP_METROPOLISED
#define CASE_KIND   CLAMPED_LOCAL
#include "cases/clamped_cat_case.h"

#define CASE        product
#define CASE_TEXT   "product"
#define CASE_REAL   double
#define CASE_WEIGHT LBP_HEAT_BATH
#define CASE_KIND   CLAMPED_PRODUCT
#include "cases/clamped_cat_case.h"

#define CASE        dense
#define CASE_TEXT   "dense"
#define CASE_REAL   double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   CLAMPED_DENSE
#include "cases/clamped_cat_case.h"

#define CASE        estimate
#define CASE_TEXT   "estimates"
#define CASE_REAL   float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   CLAMPED_ESTIMATE
#include "cases/clamped_cat_case.h"

#undef LBP_CHECKED
#define LBP_CHECKED 1
#define CASE        both
#define CASE_TEXT   "dense, sites of their own, checked"
#define CASE_REAL   double
#define CASE_WEIGHT LBP_HEAT_BATH
#define CASE_KIND   CLAMPED_BOTH
#include "cases/clamped_cat_case.h"
#undef LBP_CHECKED
#define LBP_CHECKED 0

/* ---- few of many ------------------------------------------------------------------------------------------------- */

/* Independent sites of one value, but for those that `few` divides, which have three; all values equally likely. */
typedef struct {
  uint32_t n, few;
} crowd;

static void crowd_of(const crowd *m, const uint8_t *x, uint32_t i, double *out) {
  (void)m, (void)x, (void)i;
  out[0] = out[1] = out[2] = 0;
}

static uint32_t crowd_neighbours(const crowd *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

#define LBP_NAME       crowded
#define LBP_MODEL_T    crowd
#define LBP_CAT_STATES 3
#define LBP_CAT_STATES_OF(m, i) ((i) % (m)->few ? 1u : 3u)
#define LBP_CAT_DELTAS_OF  crowd_of
#define LBP_NEIGHBOURS     crowd_neighbours
#define LBP_MAX_NEIGHBOURS 0
#define LBP_CLAMPED
#include "../lbp.h"

/* R of `mobile` sites move, each as often as the others, in order of drawing, and to each other value as often: on both
 * sides of what is drawn by tries and by looking at all. Before that, the mask of another step. */
static void test_few(uint32_t few, uint32_t mobile, uint32_t clamped, uint32_t R) {
  enum { MANY = 640, DRAWS = 6000 };
  static uint64_t ws[4096];
  static uint8_t x[MANY], mask[MANY];
  const crowd m = {MANY, few};
  uint32_t first[MANY], to[3] = {0}, trial, i, cells = 0;
  double law[MANY], half[3] = {0, 0.5, 0.5};
  crowded_chain c;
  lbp_rng rng;
  int ok = 1;
  memset(x, 0, sizeof x);
  memset(mask, 0, sizeof mask);
  memset(first, 0, sizeof first);
  lbp_rng_init(&rng, 9, few * 64 + R);
  CHECK(crowded_ws_len(MANY) <= 4096 && crowded_init(&c, MANY, x, ws, 4096) == LBP_OK);
  crowded_rwm_step(&c, &m, R, &rng);
  for (i = 0; i < clamped; i++) mask[i * few] = 1;
  CHECK(crowded_clamp(&c, mask) == LBP_OK);
  for (i = 0; i < MANY; i++) {
    law[i] = i % few || mask[i] ? 0 : 1.0 / mobile;
    cells += law[i] > 0;
  }
  CHECK(cells == mobile);
  for (trial = 0; trial < DRAWS; trial++) {
    crowded_info info;
    for (i = 0; i < MANY; i++) x[i] = mask[i] ? x[i] : 0;
    info = crowded_rwm_step(&c, &m, R, &rng);
    ok &= info.proposed == (R < mobile ? R : mobile) && info.accepted && info.jump == info.proposed;
    for (i = 0; i < info.jump; i++) ok &= x[info.sites[i]] > 0;
    first[info.sites[0]]++;
    to[x[info.sites[0]]]++;
  }
  CHECK(ok);
  CHECK(chi2_counts(first, law, MANY, DRAWS) > CHI2_LEVEL);
  CHECK(chi2_counts(to, half, 3, DRAWS) > CHI2_LEVEL);
}

int main(void) {
  local_test_all();
  local_float_test_all();
  product_test_all();
  dense_test_all();
  estimate_test_all();
  both_test_all();
  test_few(64, 10, 0, 3); /* as many as are still tried for */
  test_few(64, 9, 1, 3);  /* one less: by looking at all */
  test_few(80, 8, 0, 8);
  test_few(80, 2, 6, 5);
  test_few(320, 1, 1, 1);
  return test_report();
}
