/* Flips that list what they change (LBP_FLIP_LIST): the same draws as without, bit by bit, and the reports of
 * NAME_check about lists that lie. That the law is right is in test_exact.c and test_laws.c. */

#define LBP_NEAR 100u /* so that lists are used without vectors, too, and on both sides of it with them */
#define LBP_FEW  2u

#include <stdio.h>
#include <stdlib.h>

#include "../lbp/models/local.h"
#include "test.h"

#define LIST        barker
#define LIST_WEIGHT LBP_BARKER
#include "cases/list_case.h"

#define LIST          root
#define LIST_WEIGHT   LBP_SQRT
#define LIST_TEMPERED
#include "cases/list_case.h"

#define LIST         examined
#define LIST_WEIGHT  LBP_BARKER
#define LIST_CHECKED 1
#include "cases/list_case.h"

#define LIST        swaps
#define LIST_WEIGHT LBP_BARKER
#define LIST_SWAPS
#include "cases/list_case.h"

/* A grid of couplings so strong that weights between two flips are larger than those before and after. */
static lbp_ising strong(uint32_t rows, uint32_t cols, double lambda) {
  double *alpha = (double *)calloc((size_t)rows * cols, sizeof *alpha);
  lbp_ising m;
  uint32_t i;
  for (i = 0; i < rows * cols; i++) alpha[i] = 0.3 * (double)(i * 2654435761u % 1000) / 1000 - 0.1;
  CHECK(lbp_ising_init(&m, rows, cols, lambda, alpha) == LBP_OK);
  free(alpha);
  return m;
}

static void test_same_draws(void) {
  static const uint32_t sides[][2] = {{1, 1}, {1, 2}, {2, 3}, {4, 4}, {9, 7}, {8, 8}, {13, 5}, {30, 28}, {7, 1}, {130, 1}, {100, 100}};
  static const double lambda[] = {0.15, -0.7, 0.45};
  uint32_t seen[6] = {0, 0, 0, 0, 0, 0}, s, k;
  for (s = 0; s < sizeof sides / sizeof sides[0]; s++) {
    for (k = 0; k < 3; k++) {
      lbp_ising m = strong(sides[s][0], sides[s][1], lambda[k]);
      const uint32_t steps = m.n >= 10000 ? 200 : 1500;
      barker_compare(&m, steps, 3 + k, seen);
      root_compare(&m, steps, 6 + k, seen);
      swaps_compare(&m, steps, 12 + k, seen);
      if (m.n < 10000) examined_compare(&m, steps, 9 + k, seen);
      lbp_ising_free(&m);
    }
  }
  for (k = 0; k < 6; k++) CHECK(seen[k] > 0);
}

/* ---- lists that lie ---------------------------------------------------------------------------------------------- */

enum { HONEST, LACKS, OLD_RATIO, STALE, TOO_FAR, LIES };

typedef struct {
  lbp_ising grid;
  int lie;
} liar;

static uint32_t liar_flip_list(const liar *m, lbp_ising_fields *f, const uint8_t *x, uint32_t i, uint32_t *site,
                               lbp_real *ratio) {
  uint32_t count = lbp_ising_flip_list(&m->grid, f, x, i, site, ratio);
  if (i != 5) return count;
  if (m->lie == LACKS) count--;
  if (m->lie == OLD_RATIO) ratio[1] += (lbp_real)0.125;
  if (m->lie == STALE) {
    f->cell[site[0]].bias += (lbp_real)0.25;
    ratio[0] = lbp_ising_fields_delta(&m->grid, f, x, site[0]);
  }
  if (m->lie == TOO_FAR) site[0] = m->grid.n;
  return count;
}

#undef LBP_CHECKED
#define LBP_CHECKED        0
#define LBP_NAME           lying
#define LBP_MODEL_T        liar
#define LBP_REAL           lbp_real
#define LBP_FIELDS_T       lbp_ising_fields
#define LBP_FIELDS_INIT(m, f, x)                  lbp_ising_fields_set(&(m)->grid, f, x)
#define LBP_FLIP(m, f, x, i)                      lbp_ising_flip(&(m)->grid, f, x, i)
#define LBP_FLIP_LIST                             liar_flip_list
#define LBP_DELTA(m, f, x, i)                     lbp_ising_fields_delta(&(m)->grid, f, x, i)
#define LBP_NEIGHBOURS(m, i, out)                 lbp_ising_neighbours(&(m)->grid, i, out)
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "../lbp.h"

static void test_liars(void) {
  static const int want[LIES] = {LBP_OK, LBP_E_FLIP_LIST, LBP_E_FLIP_LIST, LBP_E_FIELDS, LBP_E_NEIGHBOUR_RANGE};
  liar m;
  m.grid = strong(4, 4, 0.3);
  for (m.lie = HONEST; m.lie < LIES; m.lie++) {
    uint8_t x[16] = {0}, before[16];
    uint64_t ws[LBP_WS_LEN(16)];
    lbp_ising_fields f;
    lying_chain c;
    lying_report r;
    lbp_rng rng;
    lbp_rng_init(&rng, 8, 0);
    memcpy(before, x, sizeof x);
    CHECK(lbp_ising_fields_init(&m.grid, &f) == LBP_OK);
    CHECK(lying_init(&c, 16, x, &f, ws, LBP_WS_LEN(16)) == LBP_OK);
    r = lying_check(&c, &m, 3, &rng);
    if (r.status != want[m.lie]) printf("lie %d: %s\n", m.lie, lbp_error(r.status));
    CHECK(r.status == want[m.lie]);
    CHECK(m.lie == HONEST || r.site == 5);
    CHECK(memcmp(before, x, sizeof x) == 0);
    lbp_ising_fields_free(&f);
  }
  lbp_ising_free(&m.grid);
}

int main(void) {
  test_same_draws();
  test_liars();
  return test_report();
}
