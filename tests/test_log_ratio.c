/* The gain of log pi that a step reports, info.log_ratio, which kernels add up, against log pi itself before and after:
 * every sampler of every kind of model, at temperatures from 0 to above 1, with a base and without, with clamped sites.
 * */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdio.h>

#include "ring.h"
#include "test.h"

enum { STEPS = 300, LEVELS = 6 };

#define LBP_NAME           local
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           single
#define LBP_REAL           float
#define LBP_MODEL_T        ring
#define LBP_DELTA          (float)ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           (float)ring_logp
#define LBP_WEIGHT         LBP_SQRT
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           based
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_TEMPERED
#define LBP_BASE           ring_base
#define LBP_SORT_ABOVE     8
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME           levels
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_LEVEL          ring_level
#define LBP_LEVELS         LEVELS
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           product
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_independent
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           ring_product
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME    estimated
#define LBP_MODEL_T ring
#define LBP_DELTAS  ring_estimates
#define LBP_LOGP    ring_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME    asked
#define LBP_MODEL_T ring
#define LBP_DELTAS  ring_estimates
#define LBP_DELTA   ring_delta
#define LBP_LOGP    ring_logp
#define LBP_TEMPERED
#define LBP_BASE           ring_base
#include "../lbp_run.h"

#define LBP_NAME    exact
#define LBP_MODEL_T ring
#define LBP_DELTAS  ring_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP ring_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           colours
#define LBP_MODEL_T        ring
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  ring_row
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME       colours_dense
#define LBP_MODEL_T    ring
#define LBP_CAT_STATES 3
#define LBP_DELTAS     ring_rows
#define LBP_LOGP       ring_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME     steps
#define LBP_MODEL_T  ring
#define LBP_GRADIENT ring_gradient
#define LBP_STATES   3
#include "../lbp_run.h"

#define LBP_NAME        conditional
#define LBP_MODEL_T     ring
#define LBP_GRADIENT    ring_gradient
#define LBP_CONDITIONAL ring_conditional
#define LBP_STATES      3
#include "../lbp_run.h"

/* One sampler at one temperature. */
static void check_sampler(const lbp_kernel *kernel, const ring *m, int sampler, double R, double beta,
                          const uint8_t *mask, const char *what) {
  double logp, base, worst = 0, moved = 0;
  char text[120];
  lbp_chains c;
  lbp_plan plan;
  lbp_unit *unit;
  uint32_t k;
  int status = lbp_plan_init(&plan, kernel, sampler, m->n, 0);
  plan.warmup = 1;
  if (plan.sampler->traits & LBP_TRAIT_SITES) plan.setting[0] = R;
  if (plan.sampler->traits & LBP_TRAIT_SCALE) plan.setting[0] = 0.4;
  if (plan.sampler->traits & LBP_TRAIT_TIME) plan.setting[0] = 0.3;
  if (status == LBP_OK && mask) status = lbp_plan_clamp(&plan, mask);
  if (status == LBP_OK) status = lbp_chains_init(&c, kernel, m, &plan, 0, 1, 0);
  if (status == LBP_OK) status = lbp_chains_make(&c, 0, 7);
  CHECK(status == LBP_OK);
  unit = lbp_chains_unit(&c, 0);
  if (kernel->temper) kernel->temper(unit, beta);
  logp = kernel->logp(unit, m);
  base = kernel->excess ? logp - kernel->excess(unit, m) : 0;
  for (k = 0; k < STEPS; k++) {
    const double before = beta * logp + (1 - beta) * base;
    double after, gap;
    memset(c.moves, 0, sizeof *c.moves);
    lbp_chains_steps(&c, 1, 1, 0);
    logp = kernel->logp(unit, m);
    base = kernel->excess ? logp - kernel->excess(unit, m) : 0;
    after = beta * logp + (1 - beta) * base;
    gap = fabs(after - before - c.moves->log_ratio) / (1 + fabs(before));
    if (!(gap <= worst)) worst = gap; /* a NaN stays */
    moved += c.moves->jump;
  }
  snprintf(text, sizeof text, "%s, %s, beta %g: off by %.2g, %g moved", what, plan.sampler->name, beta, worst, moved);
  test_count(worst < 1e-5 && moved > STEPS / 10.0, __FILE__, __LINE__, text);
  lbp_chains_free(&c);
}

static void check_kernel(lbp_kernel kernel, const ring *m, const uint8_t *mask, const char *what) {
  static const double betas[] = {1, 0.3, 0, 1.7};
  uint32_t k, b;
  for (k = 0; k < kernel.samplers; k++) {
    if (kernel.sampler[k].traits & LBP_TRAIT_MOMENTUM) continue; /* test_momentum.c */
    for (b = 0; b < (kernel.temper ? 4u : 1u); b++) {
      check_sampler(&kernel, m, kernel.sampler[k].sampler, 3, betas[b], mask, what);
      if (!(kernel.sampler[k].traits & LBP_TRAIT_SITES)) continue;
      check_sampler(&kernel, m, kernel.sampler[k].sampler, 1, betas[b], mask, what); /* its own function */
    }
  }
}

int main(void) {
  const ring m = ring_make(0.3, 0.2);
  ring even = m;
  uint8_t mask[RING_SITES] = {0};
  uint32_t i;
  for (i = 0; i < RING_SITES; i++) {
    even.h[i] = -0.4;
    mask[i] = i % 3 == 1;
  }
  check_kernel(local_kernel(), &m, NULL, "local");
  check_kernel(single_kernel(), &m, NULL, "float");
  check_kernel(based_kernel(), &m, NULL, "with a base");
  check_kernel(based_kernel(), &m, mask, "with a base, clamped");
  check_kernel(levels_kernel(), &even, NULL, "levels");
  check_kernel(product_kernel(), &m, NULL, "product");
  check_kernel(estimated_kernel(), &m, NULL, "estimates");
  check_kernel(asked_kernel(), &m, NULL, "estimates, sites of their own");
  check_kernel(exact_kernel(), &m, NULL, "dense, exact");
  check_kernel(colours_kernel(), &m, NULL, "categorical");
  check_kernel(colours_kernel(), &m, mask, "categorical, clamped");
  check_kernel(colours_dense_kernel(), &m, NULL, "categorical, dense");
  check_kernel(steps_kernel(), &m, NULL, "any-scale");
  check_kernel(conditional_kernel(), &m, NULL, "any-scale, conditional");
  return test_report();
}
