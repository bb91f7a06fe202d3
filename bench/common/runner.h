/* Runs many chains of a model over lbp/run/chains.h, and measures them.
 *
 * Chain k draws from stream (seed, k) wherever it runs, and sums over chains are taken in the order of chains, so
 * results do not depend on the number of threads. */
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "../../lbp_run.h"
#include "harness.h"

/* A model and the samplers of one instance of lbp.h. */
typedef struct {
  const void *model;
  uint32_t n;
  lbp_kernel kernel;
} instance;

/* One run: `chains` chains of `warmup` steps that nothing is measured in and `steps` that all is. */
typedef struct {
  int sampler;                /* LBP_SAMPLER_RWM and the like */
  uint32_t chains, warmup, steps;
  double r;                   /* fixed R: 1, or the mean of a random R that mixes even and odd; 0 tunes it */
  int as_is;                  /* r, a whole number, is R at every step: the number of ones may stay even or odd */
  double target;              /* acceptance rate to tune to in the warm-up, with one tuner for all chains */
  double first_r;             /* R that tuning begins with; 0: 1 */
  const step_cost *costs;     /* two, in increasing order: then R is tuned to what these count; NULL: to steps */
  uint64_t seed;              /* chain k draws from the stream (seed, k) */
  const double *start;        /* initial P(x_i = 1); NULL: fair coins */
  const uint8_t *states;      /* or initial states, chains x n */
  uint8_t *last;              /* gets the final states, chains x n, unless NULL */
  const uint8_t *reference;   /* the trace is the Hamming distance to this state, unless NULL */
  double *each;               /* gets every chain's acceptance rate and jump distance, 2 x chains, unless NULL */
} run_spec;

typedef struct {
  estimate acceptance, ejd, ess;
  double r, r_se;             /* R that the measured steps ran with; its error, by run_rerun_errors alone, else -1 */
  double seconds, seconds_se; /* wall time of the whole run; error from the spread between chains */
  double ess_rate;            /* of all chains, per second of the measured steps */
  double evaluations;         /* calls of the model per step */
  double r_last;              /* the last R_t, if R was tuned */
  double measured_seconds;    /* of the measured steps alone, tracing included */
  double step_seconds;        /* CPU time of a measured step, tracing included */
  uint32_t without_ess;       /* chains whose trace has no effective sample size (constant, say) */
} run_result;

/* With R tuned to the sampler's own target. */
LBP_FN run_spec run_of(int sampler, uint32_t chains, uint32_t warmup, uint32_t steps, uint64_t seed) {
  run_spec spec = {.sampler = sampler, .chains = chains, .warmup = warmup, .steps = steps, .seed = seed,
                   .target = sampler == LBP_SAMPLER_RWM ? LBP_TARGET_RWM : LBP_TARGET_LBP};
  return spec;
}

/* ---- before what is measured ------------------------------------------------------------------------------------- */

LBP_FN int run_is_tuned(const lbp_plan *plan) { return plan->setting[0] == 0 && plan->sampler->parameter_name; }

LBP_FN lbp_plan run_plan(const instance *in, const run_spec *spec) {
  lbp_plan plan;
  bench_expect(lbp_plan_init(&plan, &in->kernel, spec->sampler, in->n, 0), "sampler");
  plan.warmup = spec->warmup;
  plan.setting[0] = spec->r > 1 && !spec->as_is ? nextafter(spec->r, HUGE_VAL) : spec->r;
  if (!run_is_tuned(&plan)) return plan;
  plan.target = spec->target;
  plan.first = spec->first_r > 1 ? spec->first_r : 0;
  for (int k = 0; spec->costs && k < 2; k++) {
    plan.at[k] = spec->costs[k].r;
    plan.cost[k] = spec->costs[k].cost;
  }
  return plan;
}

LBP_FN void run_make(lbp_chains *c, const run_spec *spec, uint32_t k) {
  lbp_unit *unit = lbp_chains_unit(c, k);
  bench_expect(lbp_chains_make(c, k, spec->seed), "chain");
  uint8_t *x = (uint8_t *)unit->x;
  lbp_rng_init(&unit->rng, spec->seed, k); /* the states here are others */
  for (uint32_t i = 0; i < c->plan.n; i++) {
    x[i] = spec->states ? spec->states[(size_t)k * c->plan.n + i]
                        : lbp_u01(lbp_rng_u64(&unit->rng)) < (spec->start ? spec->start[i] : 0.5);
  }
  c->kernel->touch(unit);
}

LBP_FN double run_r(const lbp_chains *c) {
  double setting[LBP_SETTINGS];
  c->kernel->tuner_setting(c->tuner, setting);
  return setting[0];
}

/* A new tuner, which starts from R; warmup 0: it stays there. */
LBP_FN void run_retune(lbp_chains *c, double R, uint32_t warmup) {
  c->plan.first = R;
  c->plan.warmup = warmup;
  bench_expect(lbp_chains_tune(c), "tuner");
}

/* One chain by itself, from the state x, which draws from the stream (seed, stream); R 0: tuned. */
LBP_FN void run_alone(lbp_chains *c, const lbp_kernel *kernel, const void *model, int sampler, uint32_t n, double R,
                      const uint8_t *x, uint64_t seed, uint32_t stream) {
  lbp_plan plan;
  bench_expect(lbp_plan_init(&plan, kernel, sampler, n, 0), "sampler");
  plan.setting[0] = R;
  bench_expect(lbp_chains_init(c, kernel, model, &plan, stream, 1, 0), "chain");
  bench_expect(lbp_chains_make(c, 0, seed), "chain");
  memcpy(lbp_chains_unit(c, 0)->x, x, n);
  kernel->touch(lbp_chains_unit(c, 0));
}

/* One tuner learns from the steps of all chains. Every thread has a copy of it that hears the same: that takes one
 * barrier a step, where lbp_chains_step_apart takes two; and two sets of numbers, since a thread may be a step ahead.
 * step_work: of one step of one chain. */
LBP_FN void run_tune(lbp_chains *c, double step_work, run_result *result) {
  double *accept = (double *)basic_alloc(2 * (size_t)c->count, sizeof *accept);
  const uint32_t warmup = c->plan.warmup;
#pragma omp parallel
  {
    lbp_chains mine = *c;
    mine.tuner = (unsigned char *)basic_alloc(c->tuner_bytes, 1);
    memcpy(mine.tuner, c->tuner, c->tuner_bytes);
    for (uint32_t t = 1; t <= warmup; t++) {
      double *set = accept + (t % 2) * (size_t)c->count;
#pragma omp for schedule(static)
      for (int k = 0; k < (int)c->count; k++) {
        lbp_moves done = {0};
        c->plan.sampler->steps(lbp_chains_unit(c, (uint32_t)k), c->model, &c->plan, mine.tuner, 1, HUGE_VAL, 0, &done);
        set[k] = done.accept;
      }
      lbp_chains_learn(&mine, set, NULL, c->count);
#pragma omp master
      {
        if (t < warmup) result->r_last = run_r(&mine); /* the last step replaces R_t by the mean */
        basic_progress_add(step_work * c->count);
      }
    }
#pragma omp single
    memcpy(c->tuner, mine.tuner, c->tuner_bytes);
    free(mine.tuner);
  }
  result->r = run_r(c);
  free(accept);
}

/* ---- what is measured -------------------------------------------------------------------------------------------- */

/* The Hamming distances of a chain to a state. */
typedef struct {
  const uint8_t *reference;
  uint32_t distance;
  double *next;
} run_trace;

LBP_FN void run_see(void *data, const void *chain, const uint32_t *changed, uint32_t count) {
  run_trace *trace = (run_trace *)data;
  const uint8_t *x = (const uint8_t *)((const lbp_unit *)chain)->x;
  for (uint32_t i = 0; i < count; i++) trace->distance += x[changed[i]] != trace->reference[changed[i]] ? 1u : ~0u;
  *trace->next++ = trace->distance;
}

/* Steps of chain k; trace, unless NULL, gets the distance after each. Returns CPU seconds. */
LBP_FN double run_steps(const lbp_chains *c, uint32_t k, uint32_t steps, const uint8_t *reference, double *trace) {
  const double begin = bench_cpu_now();
  const uint8_t *x = (const uint8_t *)lbp_chains_unit(c, k)->x;
  lbp_chains own = *c; /* tells of this chain alone */
  run_trace seen = {reference, 0, trace};
  for (uint32_t i = 0; trace && i < c->plan.n; i++) seen.distance += x[i] != reference[i];
  if (trace) own.plan.see = run_see;
  own.plan.see_data = &seen;
  lbp_chains_step(&own, k, k + 1, steps, HUGE_VAL, 0);
  return bench_cpu_now() - begin;
}

/* The same of all chains, one after the other on each core. step_work: of one step of one chain. */
LBP_FN void run_all(lbp_chains *c, uint32_t steps, const uint8_t *reference, double *trace, double *seconds,
                    double step_work) {
  memset(c->moves, 0, c->count * sizeof *c->moves);
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < (int)c->count; k++) {
    seconds[k] = run_steps(c, (uint32_t)k, steps, reference, trace ? trace + (size_t)k * steps : NULL);
#pragma omp critical
    basic_progress_add(step_work * steps);
  }
}

/* Effective sample sizes of the chains' traces. */
LBP_FN void run_ess(const double *trace, uint32_t chains, uint32_t steps, run_result *result) {
  double *value = (double *)basic_alloc(chains, sizeof *value);
  uint32_t with_ess = 0;
#pragma omp parallel for schedule(dynamic)
  for (int c = 0; c < (int)chains; c++) value[c] = bench_ess(trace + (size_t)c * steps, steps);
  for (uint32_t k = 0; k < chains; k++) {
    if (value[k] >= 0) value[with_ess++] = value[k];
  }
  result->ess = bench_estimate(value, with_ess);
  result->without_ess = chains - with_ess;
  free(value);
}

/* Means over chains. seconds: CPU time of each one's measured steps. */
LBP_FN void run_sum(const lbp_chains *c, uint32_t steps, const double *seconds, run_result *result) {
  const estimate pace = bench_estimate(seconds, c->count);
  double *value = (double *)basic_alloc(c->count, sizeof *value);
  result->seconds_se = result->seconds * pace.se / pace.mean;
  result->step_seconds = pace.mean / steps;
  for (uint32_t k = 0; k < c->count; k++) value[k] = c->moves[k].accept / steps;
  result->acceptance = bench_estimate(value, c->count);
  for (uint32_t k = 0; k < c->count; k++) value[k] = c->moves[k].jump / steps;
  result->ejd = bench_estimate(value, c->count);
  for (uint32_t k = 0; k < c->count; k++) result->evaluations += c->moves[k].evaluations / steps / c->count;
  free(value);
}

LBP_FN void run_chains(const instance *in, const run_spec *spec, run_result *result) {
  const uint32_t chains = spec->chains, steps = spec->steps;
  const double begin = basic_now(), step_work = basic_progress.share / ((double)spec->warmup + steps) / chains;
  const lbp_plan plan = run_plan(in, spec);
  double *trace = spec->reference ? (double *)basic_alloc((size_t)chains * steps, sizeof *trace) : NULL;
  double *seconds = (double *)basic_alloc(chains, sizeof *seconds), middle;
  lbp_chains c;
  bench_expect(lbp_chains_init(&c, &in->kernel, in->model, &plan, 0, chains, 1), "chains");
  *result = (run_result){.r = spec->r, .r_se = -1};
#pragma omp parallel for schedule(static)
  for (int k = 0; k < (int)chains; k++) run_make(&c, spec, (uint32_t)k);
  if (run_is_tuned(&plan)) run_tune(&c, step_work, result);
  else run_all(&c, spec->warmup, NULL, NULL, seconds, step_work);
  middle = basic_now();
  run_all(&c, steps, spec->reference, trace, seconds, step_work);
  result->seconds = basic_now() - begin;
  result->measured_seconds = basic_now() - middle;
  run_sum(&c, steps, seconds, result);
  if (trace) run_ess(trace, chains, steps, result);
  result->ess_rate = result->ess.mean * (chains - result->without_ess) / result->measured_seconds;
  for (uint32_t k = 0; spec->each && k < chains; k++) {
    spec->each[2 * k] = c.moves[k].accept / steps;
    spec->each[2 * k + 1] = c.moves[k].jump / steps;
  }
  for (int k = 0; spec->last && k < (int)chains; k++) {
    memcpy(spec->last + (size_t)k * in->n, lbp_chains_unit(&c, (uint32_t)k)->x, in->n);
  }
  lbp_chains_free(&c);
  BENCH_FREE(seconds, trace);
}

/* Errors of reruns, which tune R anew; those of run_chains are at the R that it has come to. Tuning hears the
 * acceptance rates of half the warm-up, which are as uncertain as those of as many measured steps, and R changes with
 * them as in a = 2 Phi(-h), where h is a power of R: (6), (20). (R_t wanders too slowly for its own scatter to tell.) */
LBP_FN void run_rerun_errors(const run_spec *spec, run_result *r) {
  const double power = spec->sampler == LBP_SAMPLER_RWM ? 0.5 : spec->sampler == LBP_SAMPLER_GWG ? 1 : 1.5;
  const double h = -lbp_normal_quantile(r->acceptance.mean / 2), density = exp(-h * h / 2) / sqrt(2 * acos(-1.0));
  const double tuning = r->acceptance.se * sqrt(2.0 * spec->steps / spec->warmup);
  if (spec->r > 0) return;
  r->r_se = r->r * tuning / (2 * power * h * density);
  r->acceptance.se = hypot(r->acceptance.se, tuning);
}

#endif
