/* Times of steps of lbp_cat.h over those of what they generalise: a site drawn by LBP-R over one of two values, a Gibbs
 * sweep over one by hand. On one core, by turns; medians of ratios. In LBP_MODELS_REAL. */
#ifndef BENCH_CATEGORICAL_SPEED_H
#define BENCH_CATEGORICAL_SPEED_H

#include <math.h>

#include "../../lbp_models.h"
#include "../../lbp_potts.h"
#include "../../lbp_run.h"
#include "../common/harness.h"

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

enum { SPEED_TURNS = 21, SPEED_SIDE = 30, SPEED_SITES = SPEED_SIDE * SPEED_SIDE, SPEED_PRODUCT = 800, SPEED_VALUES = 3 };

/* What is timed: steps of a chain, or where there is none, sweeps by hand. */
typedef struct {
  lbp_chains c;
  uint32_t steps;  /* of a turn */
  double ns;       /* a site that was drawn or looked at, in the last turn */
} contestant;

static contestant enter(lbp_kernel kernel, const void *model, int sampler, uint32_t n, uint32_t R) {
  contestant it = {.steps = 1000};
  lbp_plan plan;
  bench_expect(lbp_plan_init(&plan, &kernel, sampler, n, 0), "sampler");
  plan.setting[0] = R;
  lbp_kernel *kept = (lbp_kernel *)basic_alloc(1, sizeof *kept);
  *kept = kernel;
  bench_expect(lbp_chains_init(&it.c, kept, model, &plan, 0, 1, 0), "chain");
  bench_expect(lbp_chains_make(&it.c, 0, 1), "chain");
  return it;
}

/* A turn of some milliseconds: the first ones find out how many steps that is. */
static void take_turn(contestant *it) {
  const int sweeps = !it->c.plan.sampler->parameter;
  memset(it->c.moves, 0, sizeof *it->c.moves);
  const double begin = bench_cpu_now();
  lbp_chains_step(&it->c, 0, 1, it->steps, HUGE_VAL, 0);
  const double seconds = bench_cpu_now() - begin;
  it->ns = 1e9 * seconds / (sweeps ? (double)it->steps * it->c.plan.n : it->c.moves[0].proposed);
  it->steps = (uint32_t)(it->steps * lbp_clamp_double(0.02 / seconds - 1, 1) + it->steps);
  if (it->steps < 10) it->steps = 10;
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

/* A Potts grid as one would write it: fields in an array, neighbours in another. */
typedef struct {
  lbp_real J, F[SPEED_SITES][SPEED_VALUES];
  uint32_t degree[SPEED_SITES], near[SPEED_SITES][4];
  uint8_t x[SPEED_SITES];
} by_hand;

static void begin_by_hand(by_hand *m, double beta, const double *h) {
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
  m->J = (lbp_real)beta;
  for (uint32_t i = 0; i < SPEED_SITES; i++) {
    const uint32_t row = i / SPEED_SIDE, col = i % SPEED_SIDE;
    m->x[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(&rng), SPEED_VALUES);
    if (row > 0) m->near[i][m->degree[i]++] = i - SPEED_SIDE;
    if (row + 1 < SPEED_SIDE) m->near[i][m->degree[i]++] = i + SPEED_SIDE;
    if (col > 0) m->near[i][m->degree[i]++] = i - 1;
    if (col + 1 < SPEED_SIDE) m->near[i][m->degree[i]++] = i + 1;
  }
  for (uint32_t i = 0; i < SPEED_SITES; i++) {
    for (uint32_t v = 0; v < SPEED_VALUES; v++) m->F[i][v] = (lbp_real)h[i * SPEED_VALUES + v];
    for (uint32_t k = 0; k < m->degree[i]; k++) m->F[i][m->x[m->near[i][k]]] += m->J;
  }
}

static lbp_real plain_exp(lbp_real v) { return sizeof v == sizeof(float) ? (lbp_real)expf((float)v) : (lbp_real)exp(v); }

static void sweep_by_hand(by_hand *m, lbp_rng *rng) {
  for (uint32_t i = 0; i < SPEED_SITES; i++) {
    lbp_real p[SPEED_VALUES], top = m->F[i][0], sum = 0;
    const uint32_t old = m->x[i];
    uint32_t v = 0;
    for (uint32_t k = 1; k < SPEED_VALUES; k++) top = m->F[i][k] > top ? m->F[i][k] : top;
    for (uint32_t k = 0; k < SPEED_VALUES; k++) sum += p[k] = plain_exp(m->F[i][k] - top);
    for (lbp_real u = (lbp_real)lbp_u01(lbp_rng_u64(rng)) * sum; v + 1 < SPEED_VALUES && u >= p[v]; v++) u -= p[v];
    if (v == old) continue;
    m->x[i] = (uint8_t)v;
    for (uint32_t k = 0; k < m->degree[i]; k++) {
      lbp_real *F = m->F[m->near[i][k]];
      F[old] -= m->J;
      F[v] += m->J;
    }
  }
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* One line: a over b, by turns; b NULL: over sweeps by hand. */
static int print_speed(const char *name, contestant a, contestant *b, by_hand *hand, double target) {
  double ours[SPEED_TURNS], theirs[SPEED_TURNS], ratio[SPEED_TURNS];
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 1);
  for (int turn = -3; turn < SPEED_TURNS; turn++) {
    double ns;
    take_turn(&a);
    if (b) {
      take_turn(b);
      ns = b->ns;
    } else {
      const double begin = bench_cpu_now();
      for (uint32_t k = 0; k < a.steps; k++) sweep_by_hand(hand, &rng);
      ns = 1e9 * (bench_cpu_now() - begin) / a.steps / SPEED_SITES;
    }
    if (turn < 0) continue;
    ours[turn] = a.ns, theirs[turn] = ns, ratio[turn] = a.ns / ns;
  }
  const double median = bench_median(ratio, SPEED_TURNS);
  printf("| %-6s | %-42s | %7.2f | %7.2f | %5.2f | %4.2f to %4.2f | %6.1f | %s |\n",
         sizeof(lbp_real) == sizeof(float) ? "float" : "double", name, bench_median(ours, SPEED_TURNS),
         bench_median(theirs, SPEED_TURNS), median, bench_quantile(ratio, SPEED_TURNS, 0.25),
         bench_quantile(ratio, SPEED_TURNS, 0.75), target, median <= target ? "pass" : "fail");
  lbp_chains_free(&a.c);
  if (b) lbp_chains_free(&b->c);
  return median > target;
}

/* A line of LBP-R. */
static int print_pair(const char *name, uint32_t R, lbp_kernel many, const void *model, lbp_kernel two, const void *binary,
                      uint32_t n) {
  char line[64];
  contestant b = enter(two, binary, LBP_SAMPLER_LBP, n, R);
  snprintf(line, sizeof line, "%s, R = %u", name, (unsigned)R);
  return print_speed(line, enter(many, model, LBP_SAMPLER_LBP, n, R), &b, NULL, 2.5);
}

/* All in this program's type. R: of the rows ALBP heat-bath and ALBP sqrt(t) of data/categorical.csv, and 20. Returns how
 * many targets are missed. */
static int compare_speed(void) {
  static double weight[SPEED_PRODUCT * 4], h[SPEED_SITES * SPEED_VALUES], p[SPEED_PRODUCT], alpha[SPEED_SITES];
  static by_hand hand;
  const double beta = 0.8;
  lbp_product product;
  lbp_bernoulli bernoulli;
  lbp_potts potts;
  lbp_ising ising;
  lbp_rng rng;
  int missed = 0;
  lbp_rng_init(&rng, 1, 0);
  for (int k = 0; k < SPEED_PRODUCT * 4; k++) weight[k] = lbp_models_normal(&rng);
  for (int k = 0; k < SPEED_SITES * SPEED_VALUES; k++) h[k] = 0.5 * lbp_models_normal(&rng);
  for (int i = 0; i < SPEED_PRODUCT; i++) p[i] = 1 / (1 + exp(weight[4 * i] - weight[4 * i + 1]));
  for (int i = 0; i < SPEED_SITES; i++) alpha[i] = (h[SPEED_VALUES * i + 1] - h[SPEED_VALUES * i]) / 2;
  bench_expect(lbp_product_init(&product, SPEED_PRODUCT, 4, NULL, weight), "product");
  bench_expect(lbp_bernoulli_init(&bernoulli, SPEED_PRODUCT, p), "Bernoulli");
  bench_expect(lbp_potts_grid(&potts, SPEED_SIDE, SPEED_SIDE, SPEED_VALUES, beta, 0, h), "Potts");
  bench_expect(lbp_ising_init(&ising, SPEED_SIDE, SPEED_SIDE, beta / 2, alpha), "Ising"); /* the same couplings */
  begin_by_hand(&hand, beta, h);
  for (int k = 0; k < 2; k++) {
    missed += print_pair("product K = 4 / Bernoulli", k ? 20 : 203, speed_product_kernel(), &product,
                         speed_bernoulli_kernel(), &bernoulli, SPEED_PRODUCT);
  }
  for (int k = 0; k < 2; k++) {
    missed += print_pair("Potts q = 3 / Ising", k ? 20 : 61, speed_potts_kernel(), &potts, speed_ising_kernel(), &ising,
                         SPEED_SITES);
  }
  for (int k = 0; k < 2; k++) {
    missed += print_pair("with fields, Potts q = 3 / Ising", k ? 20 : 61, speed_potts_fields_kernel(), &potts,
                         speed_ising_fields_kernel(), &ising, SPEED_SITES);
  }
  missed += print_speed("Gibbs with fields, Potts q = 3 / by hand",
                        enter(speed_potts_fields_kernel(), &potts, LBP_SAMPLER_GIBBS, SPEED_SITES, 0), NULL, &hand, 1.2);
  lbp_product_free(&product);
  lbp_bernoulli_free(&bernoulli);
  lbp_potts_free(&potts);
  lbp_ising_free(&ising);
  return missed;
}

#endif
