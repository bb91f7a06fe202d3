/* Tempering of glasses in clusters.c: whole states are swapped, or parts of them as well. */
#ifndef BENCH_CLUSTERS_REPLICAS_H
#define BENCH_CLUSTERS_REPLICAS_H

#include <time.h>

#include "chains.h"

/* Whole swaps of one replica a rung, by lanes or one after the other; two replicas a rung, which exchange parts by a
 * coin, and parts and whole states in turn between rungs. */
enum { WHOLE_LANES = 1, WHOLE, PARTS, WAYS = PARTS };
static const char *const way_names[WAYS + 1] = {"", "whole by lanes", "whole", "parts"};

enum { REPLICA_CHAINS = 16, PAIRS_OF_CHAINS = REPLICA_CHAINS * (REPLICA_CHAINS - 1) / 2, MOST_RUNGS = 32 };

/* Inverse temperatures are a geometric row. rounds: thousands, by way; 0: not run. */
typedef struct {
  const char *name;
  uint32_t side;
  int dimensions;
  double cold, hot;
  uint32_t rungs, rounds[WAYS + 1];
  double microseconds[WAYS + 1]; /* of a round of all chains, about */
} glass;

static const glass glasses[] = {
  {"2d-16", 16, 2, 3, 0.2, 16, {0, 1000, 20, 6}, {0, 70, 1500, 6000}},
  {"2d-32", 32, 2, 4, 0.2, 32, {0, 600, 0, 5}, {0, 300, 0, 60000}},
  {"3d-6", 6, 3, 1.4, 0.2, 16, {0, 200, 20, 6}, {0, 100, 1200, 4000}}};
enum { GLASSES = sizeof glasses / sizeof glasses[0], ROUND_DRAWS = 20000 };

typedef struct {
  double energy[REPLICA_CHAINS], iact_energy[REPLICA_CHAINS];
  double iact_overlap[REPLICA_CHAINS / 2];  /* of neighbouring chains */
  double overlap[PAIRS_OF_CHAINS];          /* means of |q| of each two chains */
  double microseconds, rounds, cold, hot, best; /* a round of one chain; the largest part's share, -1: none; log pi */
} replica_outcome;

static uint32_t glass_rounds(int which, int way, int quick) { return glasses[which].rounds[way] * (quick ? 5 : 1000); }

/* Rounds before the first draw. Parts have fewer rounds, each worth more; energies of 32^2 fall for 1200 of them. */
static uint32_t glass_warmup(int which, int way, int quick) {
  return glass_rounds(which, way, quick) / (way == PARTS ? 2 : 5);
}

static uint32_t glass_sites(int which) {
  const uint32_t side = glasses[which].side;
  return glasses[which].dimensions == 2 ? side * side : side * side * side;
}

static double glass_seconds(int which, int way, int quick) {
  return 1e-6 * glass_rounds(which, way, quick) * glasses[which].microseconds[way];
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

/* Energies and states of all draws of all chains: bits. */
typedef struct {
  uint32_t n, words, draws;
  double *energy;
  uint64_t *bit;
} draws;

static void take_draw(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  draws *d = (draws *)data;
  const size_t at = (size_t)chain * d->draws + draw;
  d->energy[at] = -values[LBP_DRAW_LOGP] / d->n;
  for (uint32_t i = 0; i < d->n; i++) d->bit[at * d->words + i / 64] |= (uint64_t)(x[i] & 1) << i % 64;
}

/* |q| of two chains at each draw. */
static void overlaps(const draws *d, uint32_t a, uint32_t b, double *q) {
  for (uint32_t k = 0; k < d->draws; k++) {
    const uint64_t *x = d->bit + ((size_t)a * d->draws + k) * d->words;
    const uint64_t *y = d->bit + ((size_t)b * d->draws + k) * d->words;
    uint32_t apart = 0;
    for (uint32_t w = 0; w < d->words; w++) {
      for (uint64_t bits = x[w] ^ y[w]; bits; bits &= bits - 1) apart++;
    }
    q[k] = fabs(1 - 2.0 * apart / d->n);
  }
}

/* Rounds an effective sample, where a draw is taken every `thin`: -1 where these are too few to tell. */
static double iact_of(const double *trace, uint32_t draws, uint32_t thin) {
  const double rounds = thin * iact(trace, draws);
  return rounds > 2 * thin || thin == 1 ? rounds : -1;
}

static replica_outcome run_replicas(int which, int way, int quick, uint64_t seed) {
  const glass *g = &glasses[which];
  const uint32_t rounds = glass_rounds(which, way, quick), thin = rounds > ROUND_DRAWS ? rounds / ROUND_DRAWS : 1;
  const lbp_kernel kernel = glass_kernel();
  replica_outcome out = {.rounds = rounds, .cold = -1, .hot = -1};
  double ladder[MOST_RUNGS];
  uint32_t pair = 0;
  draws d = {.n = glass_sites(which), .draws = rounds / thin};
  lbp_graph model;
  lbp_run run;
  lbp_run_result result;
  make_torus(&model, g->side, g->dimensions, 1, 100 + (uint64_t)which);
  d.words = (d.n + 63) / 64;
  d.energy = (double *)basic_alloc((size_t)REPLICA_CHAINS * d.draws, sizeof *d.energy);
  d.bit = (uint64_t *)basic_alloc((size_t)REPLICA_CHAINS * d.draws * d.words, sizeof *d.bit);
  double *q = (double *)basic_alloc(d.draws, sizeof *q);
  for (uint32_t k = 0; k < g->rungs; k++) ladder[k] = g->cold * pow(g->hot / g->cold, k / (g->rungs - 1.0));
  lbp_run_init(&run);
  run.sampler = way == WHOLE_LANES ? LBP_SAMPLER_LANES : LBP_SAMPLER_METROPOLIS;
  run.seed = seed;
  run.chains = REPLICA_CHAINS;
  run.warmup = glass_warmup(which, way, quick);
  run.draws = d.draws;
  run.thin = thin;
  run.check_trials = 0;
  run.tempering.rungs = g->rungs;
  run.tempering.ladder = ladder;
  run.tempering.adapt = 0;
  run.tempering.swap_every = 1;
  run.tempering.swap_parts = way == PARTS;
  run.tempering.replicas = way == PARTS ? 2 : 1;
  run.save_states = LBP_STATES_PASSED;
  run.on_draw = take_draw;
  run.on_draw_data = &d;
  const clock_t begin = clock();
  if (lbp_run_kernel(&run, &kernel, &model, d.n, &result) != LBP_OK) basic_die("%s", result.message);
  out.microseconds = 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / (rounds + run.warmup) / REPLICA_CHAINS;
  out.best = result.best_logp[0];
  if (way == PARTS) out.cold = result.largest_part[g->rungs], out.hot = result.largest_part[2 * g->rungs - 1];
  lbp_run_free(&result);
  for (uint32_t a = 0; a < REPLICA_CHAINS; a++) {
    out.energy[a] = mean_of(d.energy + (size_t)a * d.draws, d.draws);
    out.iact_energy[a] = iact_of(d.energy + (size_t)a * d.draws, d.draws, thin);
    for (uint32_t b = a + 1; b < REPLICA_CHAINS; b++) {
      overlaps(&d, a, b, q);
      out.overlap[pair++] = mean_of(q, d.draws);
      if (a % 2 == 0 && b == a + 1) out.iact_overlap[a / 2] = iact_of(q, d.draws, thin);
    }
  }
  lbp_graph_free(&model);
  BENCH_FREE(d.energy, d.bit, q);
  return out;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef struct { estimate energy, iact_energy, iact_overlap, overlap; } replica_result;

/* Their mean, where all are known. */
static estimate where_all(const double *value, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    if (!(value[k] > 0)) return (estimate){NAN, NAN};
  }
  return bench_estimate(value, count);
}

/* |q| is a mean over all pairs of chains; its error is a jackknife's over chains. */
static replica_result replicas_result(const replica_outcome *o) {
  double sum = 0, without[REPLICA_CHAINS] = {0};
  replica_result r = {.energy = bench_estimate(o->energy, REPLICA_CHAINS),
                      .iact_energy = where_all(o->iact_energy, REPLICA_CHAINS),
                      .iact_overlap = where_all(o->iact_overlap, REPLICA_CHAINS / 2)};
  uint32_t pair = 0;
  for (uint32_t a = 0; a < REPLICA_CHAINS; a++) {
    for (uint32_t b = a + 1; b < REPLICA_CHAINS; b++, pair++) {
      sum += o->overlap[pair];
      without[a] -= o->overlap[pair];
      without[b] -= o->overlap[pair];
    }
  }
  for (uint32_t a = 0; a < REPLICA_CHAINS; a++) {
    without[a] = (without[a] + sum) / (PAIRS_OF_CHAINS - REPLICA_CHAINS + 1);
  }
  r.overlap = bench_estimate(without, REPLICA_CHAINS);
  r.overlap = (estimate){sum / PAIRS_OF_CHAINS, r.overlap.se * (REPLICA_CHAINS - 1)};
  return r;
}

#endif
