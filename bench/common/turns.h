/* Two things timed by turns, on one core: medians of ratios, since the machine's speed changes. */
#ifndef BENCH_TURNS_H
#define BENCH_TURNS_H

#include "../../lbp_run.h"
#include "harness.h"

enum { TURNS = 21, FIRST_TURN = -3 }; /* those before 0 are not counted */

/* What is timed: steps of a chain. */
typedef struct {
  lbp_chains c;
  uint32_t steps;  /* of a turn */
  double ns;       /* a site that was drawn or looked at, in the last turn */
} contestant;

/* At a random state. */
LBP_FN contestant enter(const lbp_kernel *kernel, const void *model, int sampler, uint32_t n, uint32_t R) {
  contestant it = {.steps = 1000};
  lbp_plan plan;
  bench_expect(lbp_plan_init(&plan, kernel, sampler, n, 0), "sampler");
  plan.setting[0] = R;
  bench_expect(lbp_chains_init(&it.c, kernel, model, &plan, 0, 1, 0), "chain");
  bench_expect(lbp_chains_make(&it.c, 0, 1), "chain");
  return it;
}

/* A turn of some milliseconds: the first ones find out how many steps that is. */
LBP_FN void take_turn(contestant *it) {
  const int sweeps = !it->c.plan.sampler->parameter_name;
  memset(it->c.moves, 0, sizeof *it->c.moves);
  const double begin = bench_cpu_now();
  lbp_chains_step(&it->c, 0, 1, it->steps, HUGE_VAL, 0);
  const double seconds = bench_cpu_now() - begin;
  it->ns = 1e9 * seconds / (sweeps ? (double)it->steps * it->c.plan.n : it->c.moves[0].proposed);
  it->steps = (uint32_t)(it->steps * lbp_clamp_double(0.02 / seconds - 1, 1) + it->steps);
  if (it->steps < 10) it->steps = 10;
}

LBP_FN void print_turns_head(const char *type, const char *name) {
  printf("| %-6s | %-42s |    ours |  theirs | ratio | quartiles    | target |      |\n|---|---|---:|---:|---:|---|---:|---|\n",
         type, name);
}

/* A line of medians, in ns; returns whether the target is missed. */
LBP_FN int print_turns(const char *type, const char *name, const double *ours, const double *theirs, double target) {
  double ratio[TURNS];
  for (int k = 0; k < TURNS; k++) ratio[k] = ours[k] / theirs[k];
  const double median = bench_median(ratio, TURNS);
  printf("| %-6s | %-42s | %7.2f | %7.2f | %5.2f | %4.2f to %4.2f | %6.1f | %s |\n", type, name, bench_median(ours, TURNS),
         bench_median(theirs, TURNS), median, bench_quantile(ratio, TURNS, 0.25), bench_quantile(ratio, TURNS, 0.75),
         target, median <= target ? "pass" : "fail");
  return median > target;
}

#endif
