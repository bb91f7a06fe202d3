/* Chains of sharp.c: one sampler on one target, in batches whose means are compared with the truth. */
#ifndef BENCH_SHARP_RACE_H
#define BENCH_SHARP_RACE_H

#include "targets.h"

/* What a chain has to say. A selection's means are inclusion probabilities; other targets have one, the energy's. */
typedef struct {
  double squares;        /* of what batch means are off the truth (energy: off 0): sum over sites, mean of batches */
  double mean, second;   /* of the energy, and of its square */
  double work, seconds;  /* of a batch */
  double setting;        /* what was tuned */
} outcome;

enum { OUTCOME = sizeof(outcome) / sizeof(double) };

/* A chain, or one for each rung of a ladder; the scribe, of a dense kernel, knows conditionals where the chain's own
 * does not. */
typedef struct {
  const target *t;
  const row *r;
  lbp_chains c, scribe;
  uint32_t rungs;
  uint64_t sweeps;
  double *last, jumps;   /* the conditionals of the last draw, and how far the chain had jumped by then */
} racer;

static int is_sweep(const row *r) { return r->sampler == LBP_SAMPLER_GIBBS || r->sampler == LBP_SAMPLER_METROPOLIS; }

/* Count chains of a row, from the target's start or another state. */
static void make_chains(lbp_chains *c, const target *t, const row *r, const uint8_t *start, uint32_t count,
                        uint32_t warmup, uint64_t seed, uint32_t stream) {
  const lbp_kernel *kernel = &t->kernels[r->kernel];
  lbp_plan plan;
  bench_expect(lbp_plan_init(&plan, kernel, r->sampler, t->n, 0), r->name);
  plan.warmup = warmup;
  plan.setting[0] = r->R;
  if (r->jumps > 0) plan.target = t->ladder[0] > 0 ? t->n / 4.0 : r->jumps;
  bench_expect(lbp_chains_init(c, kernel, t->model, &plan, stream * RUNGS, count, 0), r->name);
  for (uint32_t k = 0; k < count; k++) {
    lbp_unit *unit = lbp_chains_unit(c, k);
    bench_expect(lbp_chains_make(c, k, seed), r->name);
    memcpy(unit->x, start, t->n);
    kernel->touch(unit);
    if (t->ladder[0] > 0) kernel->temper(unit, t->ladder[k]);
  }
}

/* Neighbours swap their states. */
static void swap_rungs(racer *q) {
  double logp[RUNGS];
  for (uint32_t k = 0; k < q->rungs; k++) logp[k] = q->c.kernel->logp(lbp_chains_unit(&q->c, k), q->t->model);
  for (uint32_t k = 0; k + 1 < q->rungs; k++) {
    lbp_unit *a = lbp_chains_unit(&q->c, k), *b = lbp_chains_unit(&q->c, k + 1);
    const double by = (q->t->ladder[k] - q->t->ladder[k + 1]) * (logp[k + 1] - logp[k]), kept = logp[k];
    if (!(lbp_u01(lbp_rng_u64(&a->rng)) < exp(by))) continue;
    for (uint32_t i = 0; i < q->t->n; i++) {
      uint8_t *x = (uint8_t *)a->x + i, *y = (uint8_t *)b->x + i, was = *x;
      *x = *y;
      *y = was;
    }
    logp[k] = logp[k + 1];
    logp[k + 1] = kept;
    q->c.kernel->touch(a);
    q->c.kernel->touch(b);
  }
}

/* So many draws further; of a ladder: a sweep, or updates of a quarter as many as sites, on each rung, and swaps. */
static void advance(racer *q, uint32_t draws, int learn) {
  q->sweeps += (uint64_t)draws * q->rungs;
  if (q->rungs == 1) {
    lbp_chains_step(&q->c, 0, 1, draws, HUGE_VAL, learn);
    return;
  }
  for (uint32_t d = 0; d < draws; d++) {
    for (uint32_t k = 0; k < q->rungs; k++) {
      const double enough = q->c.moves[k].proposed + q->t->n / 4.0;
      do lbp_chains_step(&q->c, k, k + 1, 1, HUGE_VAL, learn);
      while (q->r->sampler == LBP_SAMPLER_LBP && q->c.moves[k].proposed < enough);
    }
    swap_rungs(q);
  }
}

/* Evaluations of a selection; updates of other targets: sites of sweeps, flips that the rest propose or make. */
static double work_done(const racer *q) {
  double sum = 0;
  if (is_dense(q->t)) return (double)asked;
  if (is_sweep(q->r)) return (double)q->sweeps * q->t->n;
  for (uint32_t k = 0; k < q->rungs; k++) sum += q->c.moves[k].proposed;
  return sum;
}

/* Adds a draw to sums[]: of all sites, or the energy. One that is where the last was adds what that did. */
static void record(racer *q, double *sums) {
  lbp_unit *unit = lbp_chains_unit(&q->c, 0), *scribe = q->scribe.count ? lbp_chains_unit(&q->scribe, 0) : unit;
  const uint8_t *x = (const uint8_t *)unit->x;
  if (!is_dense(q->t)) {
    const double energy = q->c.kernel->logp(unit, q->t->model);
    sums[0] += energy;
    sums[1] += energy * energy;
    return;
  }
  for (uint32_t i = 0; !q->r->rb && i < q->t->n; i++) sums[i] += x[i];
  if (!q->r->rb) return;
  if (q->jumps != q->c.moves[0].jump) {
    if (scribe != unit) {
      memcpy(scribe->x, x, q->t->n);
      q->scribe.kernel->touch(scribe);
    }
    memset(q->last, 0, q->t->n * sizeof *q->last);
    q->t->kernels[DENSE_BARKER].conditionals(scribe, q->t->model, q->last);
    q->jumps = q->c.moves[0].jump;
  }
  for (uint32_t i = 0; i < q->t->n; i++) sums[i] += q->last[i];
}

/* A batch of draws: what it is off by, and the time it took. */
static void run_batch(racer *q, uint32_t draws, double *sums, uint32_t batches, outcome *out) {
  const uint32_t n = is_dense(q->t) ? q->t->n : 1;
  const double begin = bench_cpu_now(), before = work_done(q);
  memset(sums, 0, (n + 1) * sizeof *sums);
  for (uint32_t d = 0; d < draws; d++) {
    advance(q, 1, 0);
    record(q, sums);
  }
  if (is_dense(q->t)) out->seconds += (bench_cpu_now() - begin) / batches;
  out->work += (work_done(q) - before) / batches;
  for (uint32_t i = 0; i < n; i++) {
    const double off = sums[i] / draws - (is_dense(q->t) ? q->t->truth[i] : 0);
    out->squares += off * off / batches;
  }
  out->mean += sums[0] / draws / batches;
  out->second += sums[1] / draws / batches;
}

/* A chain from `start`: a warm-up, `batches` batches, and where recording is not part of it, as many draws for time. */
static outcome run_race(const target *t, const row *r, const uint8_t *start, uint32_t warmup, uint32_t batches,
                        uint64_t seed, uint32_t stream) {
  double *sums = (double *)basic_alloc((size_t)t->n + 1, sizeof *sums), before, setting[LBP_SETTINGS] = {0};
  outcome out = {0};
  racer q = {.t = t, .r = r, .rungs = t->ladder[0] > 0 ? RUNGS : 1, .jumps = -1};
  q.last = (double *)basic_alloc(t->n, sizeof *q.last);
  make_chains(&q.c, t, r, start, q.rungs, warmup, seed, stream);
  if (r->rb && r->kernel == DENSE_AB) make_chains(&q.scribe, t, rows_of(t), start, 1, 0, seed, stream);
  advance(&q, warmup, 1);
  before = work_done(&q);
  advance(&q, warmup / 2, 0);
  const double per_draw = (work_done(&q) - before) / (warmup / 2) + (q.scribe.count > 0);
  const double size = is_sweep(r) && !is_dense(t) ? t->sweeps : t->work / (per_draw > 0 ? per_draw : 1);
  const uint32_t draws = size > 1 ? (uint32_t)size : 1;
  for (uint32_t b = 0; b < batches; b++) run_batch(&q, draws, sums, batches, &out);
  if (!is_dense(t)) {
    const double begin = bench_cpu_now();
    advance(&q, draws * batches, 0);
    out.seconds = (bench_cpu_now() - begin) / batches;
  }
  q.c.kernel->tuner_setting(lbp_chains_tuner(&q.c, 0), setting);
  out.setting = q.c.plan.sampler->parameter_name ? r->R > 0 ? r->R : setting[0] : 0;
  lbp_chains_free(&q.c);
  if (q.scribe.count > 0) lbp_chains_free(&q.scribe);
  BENCH_FREE(sums, q.last);
  return out;
}

/* A state of the target's law, for all samplers to begin with; draws: of sweeps, or of the clock. */
static void burn_in(const target *t, uint32_t draws, uint64_t seed, uint32_t stream, uint8_t *x) {
  const row *r = &rows_of(t)[is_dense(t) ? row_count(t) - 1 : 0];
  racer q = {.t = t, .r = r, .rungs = 1};
  make_chains(&q.c, t, r, t->start, 1, draws, seed, stream);
  advance(&q, draws, 1);
  memcpy(x, lbp_chains_unit(&q.c, 0)->x, t->n);
  lbp_chains_free(&q.c);
}

/* ---- the truth --------------------------------------------------------------------------------------------------- */

enum { TRUTH_MOST = 20, TRUTH_CHAINS = 16 };

/* Inclusion probabilities of up to TRUTH_MOST columns, by enumeration. */
static void enumerate(const target *t, double *p) {
  lbp_chains c;
  double total = 0, shift = 0;
  make_chains(&c, t, rows_of(t), t->start, 1, 0, 1, 0);
  lbp_unit *unit = lbp_chains_unit(&c, 0);
  for (uint32_t state = 0; state < UINT32_C(1) << t->n; state++) {
    for (uint32_t i = 0; i < t->n; i++) ((uint8_t *)unit->x)[i] = state >> i & 1;
    c.kernel->touch(unit);
    const double logp = c.kernel->logp(unit, t->model);
    if (state == 0) shift = logp;
    const double weight = exp(logp - shift);
    total += weight;
    for (uint32_t i = 0; i < t->n; i++) p[i] += (state >> i & 1) * weight;
  }
  for (uint32_t i = 0; i < t->n; i++) p[i] /= total;
  lbp_chains_free(&c);
}

/* One long chain's means of conditionals: Gibbs sweeps and steps of the clock with birth-death weights by turns. */
static void run_reference(const target *t, uint32_t draws, uint32_t stream, double *p) {
  const row *row = &rows_of(t)[row_count(t) - 1];
  racer turn[2] = {{.t = t, .r = rows_of(t), .rungs = 1}, {.t = t, .r = row, .rungs = 1}};
  for (int k = 0; k < 2; k++) make_chains(&turn[k].c, t, turn[k].r, t->start, 1, 2000, 1, 2 * stream + k + 1000);
  advance(&turn[1], 4000, 1);
  for (uint32_t d = 0; d < draws; d++) {
    for (int k = 0; k < 2; k++) {
      lbp_unit *from = lbp_chains_unit(&turn[1 - k].c, 0), *to = lbp_chains_unit(&turn[k].c, 0);
      memcpy(to->x, from->x, t->n);
      turn[k].c.kernel->touch(to);
      advance(&turn[k], k ? 8 : 2, 0);
      t->kernels[row->kernel].conditionals(to, t->model, p);
    }
  }
  for (uint32_t i = 0; i < t->n; i++) p[i] /= 2.0 * draws;
  for (int k = 0; k < 2; k++) lbp_chains_free(&turn[k].c);
}

/* Writes data/selection.csv: inclusion probabilities of all selections, and their standard errors between chains. */
static void write_truth(const char *folder, uint32_t draws) {
  const bench_file csv = bench_create(folder, "selection.csv", "target,column,inclusion,error");
  for (int k = 0; k < TARGETS; k++) {
    if (!is_dense(&targets[k])) continue;
    const target *t = target_of(k);
    const int chains = t->n <= TRUTH_MOST ? 1 : TRUTH_CHAINS;
    double *p = (double *)basic_alloc((size_t)chains * t->n, sizeof *p);
    if (chains == 1) enumerate(t, p);
#pragma omp parallel for schedule(dynamic)
    for (int c = 0; c < (chains > 1 ? chains : 0); c++) run_reference(t, draws, (uint32_t)c, p + (size_t)c * t->n);
    for (uint32_t i = 0; i < t->n; i++) {
      double value[TRUTH_CHAINS];
      for (int c = 0; c < chains; c++) value[c] = p[(size_t)c * t->n + i];
      const estimate e = bench_estimate(value, (uint32_t)chains);
      fprintf(csv.to, "%s,%u,%.8g,%.3g\n", t->name, (unsigned)i + 1, e.mean, e.se);
    }
    bench_flush(&csv);
    printf("%s\n", t->name);
    free(p);
  }
  bench_close(&csv);
}

/* What is in it of a target. */
static void read_truth(target *t, const char *folder) {
  char path[1024], line[256], *cell[4];
  uint32_t found = 0;
  snprintf(path, sizeof path, "%s/selection.csv", folder);
  FILE *csv = fopen(path, "r");
  if (!csv) basic_die("cannot read %s: %s; build/bench/sharp --truth writes it", path, strerror(errno));
  t->truth = (double *)basic_alloc(t->n, sizeof *t->truth);
  while (fgets(line, sizeof line, csv)) {
    if (bench_split(line, cell, 4) != 4 || strcmp(cell[0], t->name) != 0 || found == t->n) continue;
    const double p = t->truth[found++] = atof(cell[2]), error = atof(cell[3]);
    t->variance += p * (1 - p);
    t->doubt += error * error;
  }
  fclose(csv);
  if (found != t->n) basic_die("%s: %u columns of %s, not %u", path, (unsigned)found, t->name, (unsigned)t->n);
}

#endif
