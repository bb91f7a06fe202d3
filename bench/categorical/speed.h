/* Times of steps of lbp/options/cat.h over those of the binary steps they generalise: a site drawn by LBP-R over one of
 * two values, a Gibbs sweep over one by hand. On one core, by turns; medians of ratios. In LBP_MODELS_REAL. */
#ifndef BENCH_CATEGORICAL_SPEED_H
#define BENCH_CATEGORICAL_SPEED_H

#include <math.h>

#include "../../lbp_models.h"
#include "../../lbp/models/potts.h"
#include "../../lbp_run.h"
#include "../common/turns.h"

#define LBP_NAME         speed_product
#define LBP_WEIGHT       LBP_HEAT_BATH
#define MODEL            lbp_product
#define STATES           4
#define MODEL_NEIGHBOURS LBP_PRODUCT_MAX_NEIGHBOURS
#include "instance.h"

#define LBP_NAME   speed_bernoulli
#define LBP_REAL   lbp_real
#define LBP_WEIGHT LBP_BARKER
#undef MODEL
#define MODEL      lbp_bernoulli
#include "../common/instance.h"

#undef MODEL
#undef MODEL_NEIGHBOURS
#undef STATES
#define LBP_NAME         speed_potts
#define LBP_WEIGHT       LBP_SQRT
#define MODEL            lbp_potts
#define STATES           3
#define MODEL_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#include "instance.h"

#define LBP_NAME   speed_ising
#define LBP_REAL   lbp_real
#define LBP_WEIGHT LBP_SQRT
#undef MODEL
#define MODEL      lbp_ising
#include "../common/instance.h"

#define MODEL_FIELDS
#define MODEL_PREFETCH
#define LBP_NAME   speed_ising_fields
#define LBP_REAL   lbp_real
#define LBP_WEIGHT LBP_SQRT
#include "../common/instance.h"

#undef MODEL
#define MODEL      lbp_potts
#define LBP_NAME   speed_potts_fields
#define LBP_WEIGHT LBP_SQRT
#include "instance.h"

#undef MODEL
#undef MODEL_NEIGHBOURS
#undef MODEL_FIELDS
#undef MODEL_PREFETCH
#undef STATES

enum { SPEED_SIDE = 30, SPEED_SITES = SPEED_SIDE * SPEED_SIDE, SPEED_VALUES = 3, SPEED_FREE = 800 };

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static lbp_real plain_exp(lbp_real v) {
  return sizeof v == sizeof(float) ? (lbp_real)expf((float)v) : (lbp_real)exp((double)v);
}

/* As one would write it for three values: fields in an array. */
static void sweep_by_hand(const lbp_potts *m, lbp_real (*F)[SPEED_VALUES], uint8_t *x, lbp_rng *rng) {
  for (uint32_t i = 0; i < SPEED_SITES; i++) {
    lbp_real p[SPEED_VALUES], top = F[i][0], sum = 0;
    const uint32_t old = x[i];
    uint32_t v = 0;
    for (uint32_t k = 1; k < SPEED_VALUES; k++) top = F[i][k] > top ? F[i][k] : top;
    for (uint32_t k = 0; k < SPEED_VALUES; k++) sum += p[k] = plain_exp(F[i][k] - top);
    for (lbp_real u = (lbp_real)lbp_u01(lbp_rng_u64(rng)) * sum; v + 1 < SPEED_VALUES && u >= p[v]; v++) u -= p[v];
    if (v == old) continue;
    x[i] = (uint8_t)v;
    for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++) {
      F[m->link[k].site][old] -= m->link[k].J;
      F[m->link[k].site][v] += m->link[k].J;
    }
  }
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* One line: a over b, by turns; b NULL: over sweeps by hand of a's grid. */
static int print_speed(const char *name, contestant a, contestant *b, double target) {
  static lbp_real F[SPEED_SITES][SPEED_VALUES];
  static uint8_t x[SPEED_SITES];
  const lbp_potts *m = (const lbp_potts *)a.c.model;
  double ours[TURNS], theirs[TURNS];
  lbp_potts_fields fields = {F[0]};
  lbp_rng rng;
  if (!b) lbp_potts_fields_set(m, &fields, x);
  lbp_rng_init(&rng, 1, 1);
  for (int turn = FIRST_TURN; turn < TURNS; turn++) {
    double ns;
    take_turn(&a);
    if (b) {
      take_turn(b);
      ns = b->ns;
    } else {
      const double begin = bench_cpu_now();
      for (uint32_t k = 0; k < a.steps; k++) sweep_by_hand(m, F, x, &rng);
      ns = 1e9 * (bench_cpu_now() - begin) / a.steps / SPEED_SITES;
    }
    if (turn < 0) continue;
    ours[turn] = a.ns, theirs[turn] = ns;
  }
  const int missed = print_turns(sizeof(lbp_real) == sizeof(float) ? "float" : "double", name, ours, theirs, target);
  lbp_chains_free(&a.c);
  if (b) lbp_chains_free(&b->c);
  return missed;
}

/* All in this program's type. R: of the rows ALBP heat-bath and ALBP sqrt(t) of data/categorical.csv, and 20. Returns
 * how many targets are missed. */
static int compare_speed(void) {
  static double weight[SPEED_FREE * 4], h[SPEED_SITES * SPEED_VALUES], p[SPEED_FREE], alpha[SPEED_SITES];
  const double beta = 0.8;
  lbp_product product;
  lbp_bernoulli bernoulli;
  lbp_potts potts;
  lbp_ising ising;
  lbp_rng rng;
  int missed = 0;
  lbp_rng_init(&rng, 1, 0);
  for (int k = 0; k < SPEED_FREE * 4; k++) weight[k] = lbp_models_normal(&rng);
  for (int k = 0; k < SPEED_SITES * SPEED_VALUES; k++) h[k] = 0.5 * lbp_models_normal(&rng);
  for (int i = 0; i < SPEED_FREE; i++) p[i] = 1 / (1 + exp(weight[4 * i] - weight[4 * i + 1]));
  for (int i = 0; i < SPEED_SITES; i++) alpha[i] = (h[SPEED_VALUES * i + 1] - h[SPEED_VALUES * i]) / 2;
  bench_expect(lbp_product_init(&product, SPEED_FREE, 4, NULL, weight), "product");
  bench_expect(lbp_bernoulli_init(&bernoulli, SPEED_FREE, p), "Bernoulli");
  bench_expect(lbp_potts_grid(&potts, SPEED_SIDE, SPEED_SIDE, SPEED_VALUES, beta, 0, h), "Potts");
  bench_expect(lbp_ising_init(&ising, SPEED_SIDE, SPEED_SIDE, beta / 2, alpha), "Ising"); /* the same couplings */
  const lbp_kernel ours[] = {speed_product_kernel(), speed_potts_kernel(), speed_potts_fields_kernel()};
  const lbp_kernel theirs[] = {speed_bernoulli_kernel(), speed_ising_kernel(), speed_ising_fields_kernel()};
  static const char *const names[] = {"product K = 4 / Bernoulli", "Potts q = 3 / Ising",
                                      "with fields, Potts q = 3 / Ising"};
  for (int k = 0; k < 6; k++) {
    const uint32_t n = k < 2 ? SPEED_FREE : SPEED_SITES, R = k % 2 ? 20 : k ? 61 : 203;
    const void *model = k < 2 ? (const void *)&product : &potts, *binary = k < 2 ? (const void *)&bernoulli : &ising;
    contestant b = enter(&theirs[k / 2], binary, LBP_SAMPLER_LBP, n, R);
    char name[64];
    snprintf(name, sizeof name, "%s, R = %u", names[k / 2], (unsigned)R);
    missed += print_speed(name, enter(&ours[k / 2], model, LBP_SAMPLER_LBP, n, R), &b, 2.5);
  }
  const contestant gibbs = enter(&ours[2], &potts, LBP_SAMPLER_GIBBS, SPEED_SITES, 0);
  missed += print_speed("Gibbs with fields, Potts q = 3 / by hand", gibbs, NULL, 1.2);
  lbp_product_free(&product);
  lbp_bernoulli_free(&bernoulli);
  lbp_potts_free(&potts);
  lbp_ising_free(&ising);
  return missed;
}

#endif
