/* Compares our samplers with data/categorical.csv: a row is a target, a sampler and its setting. */
#ifndef BENCH_CATEGORICAL_REFERENCE_H
#define BENCH_CATEGORICAL_REFERENCE_H

#include "targets.h"

enum { ACCEPTANCE, EJD, ESS, ESS_HAMMING, MEASURES };
static const char *const measure_names[MEASURES] = {"acceptance", "jump distance", "ESS of log pi", "ESS of Hamming"};

enum { REFERENCE_MOST = 128, BURN_IN_SWEEPS = 300 };

typedef struct {
  char name[32], weight[32], title[64]; /* of the sampler, of its weights, of both */
  int target, sampler, kernel;
  double setting;                 /* R or sigma; 0: none */
  uint32_t chains, steps, burn_in;
  estimate want[MEASURES];
} reference;

static reference references[REFERENCE_MOST];
static int reference_count, reference_left_out;

/* A row, unless it is of a sampler or a weight that is not here. */
static void add_reference(char *const *cell) {
  reference r = {.target = -1, .sampler = sampler_of(cell[3]), .kernel = weight_of(cell[4])};
  for (int t = 0; t < TARGETS; t++) r.target = strcmp(targets[t].name, cell[0]) == 0 ? t : r.target;
  if (r.target < 0 || r.sampler < 0 || r.kernel < 0) {
    reference_left_out++;
    return;
  }
  if (reference_count == REFERENCE_MOST) basic_die("categorical.csv: more than %d rows", REFERENCE_MOST);
  snprintf(r.name, sizeof r.name, "%s", cell[3]);
  snprintf(r.weight, sizeof r.weight, "%s", cell[4]);
  snprintf(r.title, sizeof r.title, "%.30s%s%.30s", cell[3], *cell[4] ? "/" : "", cell[4]);
  r.setting = atof(cell[5]);
  for (int m = 0; m < MEASURES; m++) r.want[m] = (estimate){atof(cell[6 + 2 * m]), atof(cell[7 + 2 * m])};
  r.chains = (uint32_t)atoi(cell[14]);
  if (r.chains > REFERENCE_MOST) basic_die("categorical.csv: more than %d chains", REFERENCE_MOST);
  r.steps = (uint32_t)atoi(cell[15]);
  r.burn_in = (uint32_t)atoi(cell[16]);
  references[reference_count++] = r;
}

static void read_references(const char *folder) {
  char path[1024], line[512], *cell[18];
  snprintf(path, sizeof path, "%s/categorical.csv", folder);
  FILE *csv = fopen(path, "r");
  if (!csv || !fgets(line, sizeof line, csv)) basic_die("cannot read %s", path);
  while (fgets(line, sizeof line, csv)) {
    if (bench_split(line, cell, 18) != 18) basic_die("%s: a row that has not 18 columns", path);
    add_reference(cell);
  }
  fclose(csv);
}

/* Steps of chain k by the reference's method, from a random state; traces of log pi and of the distance to x0. */
static void run_reference_chain(lbp_chains *c, const target *t, const reference *r, uint32_t k, uint64_t seed,
                                double *logp, double *distance) {
  lbp_unit *unit = lbp_chains_unit(c, k);
  const uint8_t *x;
  lbp_chains sweeps = *c;
  bench_expect(lbp_chains_make(c, k, seed), r->name);
  x = (const uint8_t *)unit->x;
  sweeps.plan.sampler = lbp_kernel_sampler(c->kernel, LBP_SAMPLER_GIBBS);
  lbp_chains_step(&sweeps, k, k + 1, BURN_IN_SWEEPS, HUGE_VAL, 0);
  lbp_chains_step(c, k, k + 1, r->burn_in, HUGE_VAL, 0);
  memset(&c->moves[k], 0, sizeof c->moves[k]);
  for (uint32_t s = 0; s < r->steps; s++) {
    uint32_t off = 0;
    lbp_chains_step(c, k, k + 1, 1, HUGE_VAL, 0);
    for (uint32_t i = 0; i < t->n; i++) off += x[i] != t->x0[i];
    logp[s] = c->kernel->logp(unit, t->model);
    distance[s] = off;
  }
}

/* Means over chains; a chain whose trace has no effective sample size does not count in that. */
static void run_reference(const reference *r, const target *t, uint32_t chains, uint64_t seed, estimate got[MEASURES]) {
  const lbp_kernel *kernel = &t->kernel[r->kernel];
  double value[MEASURES][REFERENCE_MOST];
  lbp_chains c;
  lbp_plan plan;
  bench_expect(lbp_plan_init(&plan, kernel, r->sampler, t->n, 0), r->name);
  /* a fraction is rounded to one of its neighbours, as a tuner does that has settled there */
  if (r->sampler == LBP_SAMPLER_DLP || r->setting == floor(r->setting)) plan.setting[0] = r->setting;
  else plan.first = r->setting;
  bench_expect(lbp_chains_init(&c, kernel, t->model, &plan, 0, chains, 1), r->name);
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < (int)chains; k++) {
    double *logp = (double *)basic_alloc(2 * (size_t)r->steps, sizeof *logp);
    run_reference_chain(&c, t, r, (uint32_t)k, seed, logp, logp + r->steps);
    value[ACCEPTANCE][k] = c.moves[k].accept / r->steps;
    value[EJD][k] = c.moves[k].jump / r->steps;
    value[ESS][k] = bench_ess(logp, r->steps);
    value[ESS_HAMMING][k] = bench_ess(logp + r->steps, r->steps);
    free(logp);
#pragma omp critical
    basic_progress_add(basic_progress.share / chains);
  }
  for (int m = 0; m < MEASURES; m++) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < chains; k++) {
      if (value[m][k] >= 0) value[m][count++] = value[m][k];
    }
    got[m] = bench_estimate(value[m], count);
  }
  lbp_chains_free(&c);
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

enum { LEAST_REFERENCE_ESS = 30 };

/* A walk that hardly moves has an effective sample size that says little. */
static int is_exempt(const reference *r, int measure) {
  return measure >= ESS && r->want[measure].mean < LEAST_REFERENCE_ESS;
}

static int is_within(const reference *r, const estimate *got, int measure) {
  return is_exempt(r, measure) || is_near(got[measure], r->want[measure], 0.03);
}

#endif
