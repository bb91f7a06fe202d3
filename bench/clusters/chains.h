/* Traces of clusters.c: one sampler on one target, its energies and orders, and how long a step takes. */
#ifndef BENCH_CLUSTERS_CHAINS_H
#define BENCH_CLUSTERS_CHAINS_H

#include "targets.h"

/* Samplers, in the order in which a chain takes them. Lanes are Metropolis sweeps, 256 chains of them: each moves as
 * one of those does, so that they are timed alone. */
enum { RUN_GIBBS, RUN_METROPOLIS, RUN_SWENDSEN_WANG, RUN_WOLFF, RUN_LANES, SAMPLERS };
static const char *const sampler_names[SAMPLERS] = {"Gibbs", "Metropolis", "Swendsen-Wang", "Wolff", "lanes"};
static const int sampler_rows[SAMPLERS] = {LBP_SAMPLER_GIBBS, LBP_SAMPLER_METROPOLIS, LBP_SAMPLER_SWENDSEN_WANG,
                                           LBP_SAMPLER_WOLFF, LBP_SAMPLER_LANES};
enum { LANE_CHAINS = 256 };

/* Of a chain: steps an effective sample of the energy, and of the order; means, of the energy by site; microseconds a
 * step; sites looked at a step, by those that there are; steps of the trace. */
typedef struct { double iact_energy, iact_order, energy, order, microseconds, share, steps; } outcome;
enum { OUTCOME = sizeof(outcome) / sizeof(double) };

static int has_lanes(const target *t) {
  return (t->kind == ISING && t->field == 0) || t->kind == GLASS_2D || t->kind == GLASS_3D;
}

static int is_run(const target *t, int sampler) { return sampler != RUN_LANES || has_lanes(t); }

/* Half as many of the slower sweep. */
static uint32_t steps_of(const target *t, int sampler, int quick) {
  const int is_slow = t->values > 2 ? sampler == RUN_METROPOLIS : t->kind <= RANDOM_FIELD && sampler == RUN_GIBBS;
  const uint32_t clusters = sampler == RUN_WOLFF ? t->wolff : t->swendsen_wang;
  const uint32_t thousands = sampler == RUN_WOLFF || sampler == RUN_SWENDSEN_WANG ? clusters : t->sweeps;
  return (quick ? 10 : 1000) * thousands / (is_slow ? 2 : 1);
}

/* A chain of a row at state x. */
static void make_chain(lbp_chains *c, const target *t, int sampler, const uint8_t *x, uint64_t seed, uint32_t stream) {
  lbp_plan plan;
  bench_expect(lbp_plan_init(&plan, &t->kernel, sampler_rows[sampler], t->n, 0), t->name);
  bench_expect(lbp_chains_init(c, &t->kernel, t->model, &plan, stream, 1, 0), t->name);
  bench_expect(lbp_chains_make(c, 0, seed), t->name);
  if (x) memcpy(lbp_chains_unit(c, 0)->x, x, t->n);
  t->kernel.touch(lbp_chains_unit(c, 0));
}

/* So many steps further; returns their CPU time in microseconds. */
static double advance(lbp_chains *c, uint32_t steps) {
  const double begin = bench_cpu_now();
  lbp_chains_step(c, 0, 1, steps, HUGE_VAL, 0);
  return 1e6 * (bench_cpu_now() - begin);
}

/* A state of about the target's law: sweeps and clusters by turns, from a random state, or what a picture shows. */
static void burn_in(const target *t, uint32_t rounds, uint64_t seed, uint32_t stream, uint8_t *x) {
  static const int turn[2] = {RUN_SWENDSEN_WANG, RUN_METROPOLIS};
  lbp_chains c[2];
  for (int k = 0; k < 2; k++) make_chain(&c[k], t, turn[k], NULL, seed, stream + (uint32_t)k);
  uint8_t *last = (uint8_t *)lbp_chains_unit(&c[0], 0)->x;
  if (t->kind == PICTURE) memcpy(last, t->reference, t->n);
  for (uint32_t round = 0; round < rounds; round++) {
    for (int k = 0; k < 2; k++) {
      lbp_unit *unit = lbp_chains_unit(&c[k], 0);
      if ((uint8_t *)unit->x != last) memcpy(unit->x, last, t->n);
      t->kernel.touch(unit);
      advance(&c[k], k ? 5 : 1);
      last = (uint8_t *)unit->x;
    }
  }
  memcpy(x, last, t->n);
  for (int k = 0; k < 2; k++) lbp_chains_free(&c[k]);
}

/* Steps an effective sample; -1 of a trace that has none. */
static double iact(const double *trace, uint32_t steps) {
  const size_t length = lbp_ess_workspace(steps);
  double *work = (double *)basic_alloc(length, sizeof *work), ess = -1;
  if (lbp_ess(LBP_ESS_GEYER, trace, steps, work, length, &ess) != LBP_OK) ess = -1;
  free(work);
  return ess > 0 ? steps / ess : -1;
}

static double mean_of(const double *trace, uint32_t steps) {
  double sum = 0;
  for (uint32_t k = 0; k < steps; k++) sum += trace[k] / steps;
  return sum;
}

/* Time of a step comes from steps between which nobody looks. */
static outcome run_chain(const target *t, int sampler, const uint8_t *start, int quick, uint64_t seed,
                         uint32_t stream) {
  const uint32_t steps = steps_of(t, sampler, quick), timed = steps / 5 + 1;
  double *energy = (double *)basic_alloc(steps, sizeof *energy), *order = (double *)basic_alloc(steps, sizeof *order);
  outcome out = {.steps = steps};
  lbp_chains c;
  make_chain(&c, t, sampler, start, seed, stream);
  lbp_unit *unit = lbp_chains_unit(&c, 0);
  advance(&c, steps / 50);
  out.microseconds = advance(&c, timed) / timed;
  memset(c.moves, 0, sizeof *c.moves);
  for (uint32_t k = 0; k < steps; k++) {
    advance(&c, 1);
    energy[k] = t->kernel.logp(unit, t->model) / t->n;
    order[k] = order_of(t, (const uint8_t *)unit->x);
  }
  out.share = c.moves[0].evaluations / t->n / steps;
  out.iact_energy = iact(energy, steps);
  out.iact_order = iact(order, steps);
  out.energy = mean_of(energy, steps);
  out.order = mean_of(order, steps);
  lbp_chains_free(&c);
  BENCH_FREE(energy, order);
  return out;
}

/* 256 chains in a word: the time of a sweep of all of them. */
static outcome run_lanes(const target *t, const outcome *metropolis, int quick, uint64_t seed) {
  const uint32_t sweeps = quick ? 4 : (uint32_t)(1 + 2e6 / t->n);
  outcome out = *metropolis;
  lbp_plan plan;
  lbp_chains c;
  bench_expect(lbp_plan_init(&plan, &t->kernel, LBP_SAMPLER_LANES, t->n, 0), t->name);
  bench_expect(lbp_chains_init(&c, &t->kernel, t->model, &plan, LANE_CHAINS, LANE_CHAINS, 0), t->name);
  for (uint32_t k = 0; k < LANE_CHAINS; k++) bench_expect(lbp_chains_make(&c, k, seed), t->name);
  bench_expect(lbp_chains_together(&c, LANE_CHAINS, LANE_CHAINS), t->name);
  bench_expect(lbp_chains_join(&c), t->name);
  lbp_chains_step(&c, 0, LANE_CHAINS, sweeps, HUGE_VAL, 0);
  const double begin = bench_cpu_now();
  lbp_chains_step(&c, 0, LANE_CHAINS, sweeps, HUGE_VAL, 0);
  out.microseconds = 1e6 * (bench_cpu_now() - begin) / sweeps / LANE_CHAINS;
  out.share = 1;
  lbp_chains_free(&c);
  return out;
}

#endif
