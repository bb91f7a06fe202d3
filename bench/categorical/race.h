/* The race of categorical.c: effective samples of the energy, log pi, per second and per evaluation. */
#ifndef BENCH_CATEGORICAL_RACE_H
#define BENCH_CATEGORICAL_RACE_H

#include "targets.h"

/* What a chain has to say of its batches. */
typedef struct {
  double squares, mean, second;        /* of batch means: their squares; of the energy, and of its square */
  double draws, evaluations, seconds;  /* of a batch */
  double accept, setting;
} outcome;

enum { OUTCOME = sizeof(outcome) / sizeof(double) };

typedef struct {
  const char *name;
  int sampler, kernel;
  double R;            /* 0: tuned */
  double longer;       /* batches, since it is slow */
} row;

static const row rows[] = {
  {"Gibbs", LBP_SAMPLER_GIBBS, HEAT_BATH, 0, 1}, {"metropolised Gibbs", LBP_SAMPLER_METROPOLIS, HEAT_BATH, 0, 1},
  {"ALBP t/(1+t)", LBP_SAMPLER_LBP, BARKER, 0, 1}, {"ALBP sqrt(t)", LBP_SAMPLER_LBP, SQRT, 0, 1},
  {"ALBP heat-bath", LBP_SAMPLER_LBP, HEAT_BATH, 0, 1}, {"ALBP metropolised", LBP_SAMPLER_LBP, METROPOLISED, 0, 1},
  {"LBP-1 t/(1+t)", LBP_SAMPLER_LBP, BARKER, 1, 1}, {"LBP-1 sqrt(t)", LBP_SAMPLER_LBP, SQRT, 1, 1},
  {"AGWG sqrt(t)", LBP_SAMPLER_GWG, SQRT, 0, 1}, {"AGWG heat-bath", LBP_SAMPLER_GWG, HEAT_BATH, 0, 1},
  {"DLP", LBP_SAMPLER_DLP, HEAT_BATH, 0, 1}, {"ARWM", LBP_SAMPLER_RWM, HEAT_BATH, 0, 5},
  {"RWM-1", LBP_SAMPLER_RWM, HEAT_BATH, 1, 5}};

enum { ROWS = sizeof rows / sizeof rows[0], BATCH_SWEEPS = 500, BATCH_LOOKS = 5000 };

/* What `steps` steps have asked of the model, in log-ratios of all values of a site: an answer of a dense model to
 * LBP_DELTAS has those of all sites; log pi, once a step, counts as one. */
static double evaluations_of(const target *t, int sampler, const lbp_moves *m, double steps) {
  if (t->kernel[0].local || is_sweep(sampler) || sampler == LBP_SAMPLER_RWM) return m->evaluations;
  return (m->evaluations - steps) * t->n + steps;
}

/* One chain of a row. */
static void make_chain(lbp_chains *c, const target *t, const row *r, const uint8_t *start, uint32_t warmup,
                       uint64_t seed, uint32_t stream) {
  lbp_plan plan;
  bench_expect(lbp_plan_init(&plan, &t->kernel[r->kernel], r->sampler, t->n, 0), r->name);
  plan.warmup = warmup;
  plan.setting[0] = r->R;
  bench_expect(lbp_chains_init(c, &t->kernel[r->kernel], t->model, &plan, stream, 1, 0), r->name);
  bench_expect(lbp_chains_make(c, 0, seed), r->name);
  if (!start) return;
  memcpy(lbp_chains_unit(c, 0)->x, start, t->n);
  c->kernel->touch(lbp_chains_unit(c, 0));
}

/* A state of the target's law, for all samplers to begin with. */
static void burn_in(const target *t, uint32_t sweeps, uint64_t seed, uint32_t stream, uint8_t *x) {
  lbp_chains c;
  make_chain(&c, t, &rows[0], NULL, 0, seed, stream);
  lbp_chains_step(&c, 0, 1, sweeps, HUGE_VAL, 0);
  memcpy(x, lbp_chains_unit(&c, 0)->x, t->n);
  lbp_chains_free(&c);
}

/* A chain from `start`: a warm-up, batches, and as many draws for time. */
static outcome run_race(const target *t, const row *r, const uint8_t *start, uint32_t warmup, uint32_t batches,
                        uint64_t seed, uint32_t stream) {
  double setting[LBP_SETTINGS] = {0}, begin;
  outcome out = {0};
  lbp_chains c;
  make_chain(&c, t, r, start, warmup, seed, stream);
  lbp_unit *unit = lbp_chains_unit(&c, 0);
  lbp_chains_step(&c, 0, 1, warmup, HUGE_VAL, 1);
  memset(c.moves, 0, sizeof *c.moves);
  lbp_chains_step(&c, 0, 1, warmup / 2, HUGE_VAL, 0);
  const double proposed = c.moves[0].proposed / (warmup / 2);
  const double size = is_sweep(r->sampler) ? BATCH_SWEEPS : r->longer * t->work / (proposed > 1 ? proposed : 1);
  const uint32_t apart = (uint32_t)size / BATCH_LOOKS + 1, looks = (uint32_t)size / apart, draws = looks * apart;
  memset(c.moves, 0, sizeof *c.moves);
  for (uint32_t b = 0; b < batches; b++) {
    double sum = 0;
    for (uint32_t d = 0; d < looks; d++) {
      lbp_chains_step(&c, 0, 1, apart, HUGE_VAL, 0);
      const double energy = c.kernel->logp(unit, t->model);
      sum += energy / looks;
      out.second += energy * energy / looks / batches;
    }
    out.mean += sum / batches;
    out.squares += sum * sum / batches;
  }
  out.draws = draws;
  out.evaluations = evaluations_of(t, r->sampler, c.moves, (double)draws * batches) / batches;
  out.accept = c.moves[0].accept / draws / batches;
  begin = bench_cpu_now();
  lbp_chains_step(&c, 0, 1, draws * batches, HUGE_VAL, 0);
  out.seconds = (bench_cpu_now() - begin) / batches;
  c.kernel->tuner_setting(lbp_chains_tuner(&c, 0), setting);
  out.setting = !c.plan.sampler->parameter_name ? 0 : r->R > 0 ? r->R : setting[0];
  lbp_chains_free(&c);
  return out;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

enum { PER_SECOND, PER_EVALUATION, TO_GIBBS, FIGURES, MOST_CHAINS = 64 };

typedef struct {
  estimate figure[FIGURES];     /* per second; per 1000 evaluations; seconds, over those of the Gibbs sweep */
  double setting, accept, microseconds; /* of a draw */
  double worth;                 /* effective samples of a batch */
  double away;                  /* chains that are left out */
  estimate energy;
} result;

/* Of chains but number `without`. Energies are less that of the first chain, so that squares keep digits. */
static void figures_of(const outcome *const *chain, uint32_t chains, uint32_t batches, uint32_t without, double *figure,
                       double *worth) {
  const double origin = chain[0]->mean;
  double squares = 0, mean = 0, second = 0, evaluations = 0, seconds = 0, count = 0;
  for (uint32_t k = 0; k < chains; k++) {
    const outcome *o = chain[k];
    if (k == without) continue;
    squares += o->squares - 2 * origin * o->mean + origin * origin;
    second += o->second - 2 * origin * o->mean + origin * origin;
    mean += o->mean - origin;
    evaluations += o->evaluations;
    seconds += o->seconds;
    count++;
  }
  mean /= count;
  const double error = (squares / count - mean * mean) * count * batches / (count * batches - 1);
  *worth = (second / count - mean * mean) / error;
  figure[PER_SECOND] = *worth * count / seconds;
  figure[PER_EVALUATION] = 1000 * *worth * count / evaluations;
}

/* A row, by a jackknife over chains; without chains that were in another mode, where the energy varies more. */
static result result_of(const outcome *const *chain, uint32_t chains, int r, uint32_t batches) {
  const outcome *kept[MOST_CHAINS];
  double left[TO_GIBBS][MOST_CHAINS], energy[MOST_CHAINS], spread[MOST_CHAINS], all[TO_GIBBS];
  uint32_t count = 0;
  result it = {.setting = 0};
  for (uint32_t k = 0; k < chains; k++) spread[k] = sqrt(chain[k][r].second - chain[k][r].mean * chain[k][r].mean);
  for (uint32_t k = 0; k < chains; k++) {
    if (spread[k] < 1.2 * bench_median(spread, chains)) kept[count++] = &chain[k][r];
  }
  it.away = chains - count;
  if (count < 2) return it;
  for (uint32_t k = 0; k <= count; k++) { /* the last: without none */
    figures_of(kept, count, batches, k, all, &it.worth);
    for (int f = 0; k < count && f < TO_GIBBS; f++) left[f][k] = all[f];
  }
  for (int f = 0; f < TO_GIBBS; f++) it.figure[f] = (estimate){all[f], bench_estimate(left[f], count).se * (count - 1)};
  for (uint32_t k = 0; k < count; k++) {
    energy[k] = kept[k]->mean;
    it.setting += kept[k]->setting / count;
    it.accept += kept[k]->accept / count;
    it.microseconds += 1e6 * kept[k]->seconds / kept[k]->draws / count;
  }
  it.energy = bench_estimate(energy, count);
  return it;
}

#endif
