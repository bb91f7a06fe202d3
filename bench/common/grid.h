/* Grid search: the R with the largest expected jump distance. */
#ifndef BENCH_GRID_H
#define BENCH_GRID_H

#include "runner.h"

enum { GRID_MOST = 64 };

typedef struct { double r, ejd, se; } grid_point;

/* Runs at R, and puts what came of it in its place; returns the acceptance rate. */
LBP_FN double grid_try(const instance *in, run_spec *spec, uint64_t seed, double r, grid_point *points, int *count) {
  run_result result;
  int k;
  spec->r = r;
  spec->seed = seed + (uint64_t)*count + 1;
  run_chains(in, spec, &result);
  for (k = (*count)++; k > 0 && points[k - 1].r > r; k--) points[k] = points[k - 1];
  points[k] = (grid_point){r, result.ejd.mean, result.ejd.se};
  return result.acceptance.mean;
}

LBP_FN int grid_best(const grid_point *points, int count) {
  int best = 0;
  for (int k = 0; k < count; k++) best = points[k].ejd > points[best].ejd ? k : best;
  return best;
}

/* Tries R = 1, 2, 3 ... 5/4 apart from chains that a tuned LBP run has brought to equilibrium, until acceptance falls
 * below 5 %, then four finer steps around the best. points[] gets all of them in increasing R; returns their number
 * and *best the index of the winner. */
LBP_FN int grid_search(const instance *in, const run_spec *base, uint32_t pilot_steps, grid_point *points, int *best) {
  const uint32_t brought = (base->warmup + base->steps) / 10;
  run_spec spec = run_of(LBP_SAMPLER_LBP, base->chains, brought, brought, base->seed);
  run_result result;
  uint8_t *states = (uint8_t *)basic_alloc((size_t)base->chains * in->n, 1);
  const double share = basic_progress.share;
  int count = 0;
  memset(points, 0, GRID_MOST * sizeof *points);
  basic_progress.share = 0; /* the caller's estimate covers the whole search */
  spec.start = base->start;
  spec.last = states;
  run_chains(in, &spec, &result);
  spec.sampler = base->sampler;
  spec.warmup = 0;
  spec.steps = pilot_steps;
  spec.states = states;
  for (double r = 1; r <= in->n && count < GRID_MOST - 4; r = r < 5 ? r + 1 : (double)(long)(r * 1.25)) {
    const double acceptance = grid_try(in, &spec, base->seed, r, points, &count);
    basic_progress_add(share / 40);
    if (acceptance < 0.05) break;
  }
  const double top = points[grid_best(points, count)].r;
  for (int fine = -2; fine <= 2 && top > 8; fine++) {
    if (fine != 0) grid_try(in, &spec, base->seed, (double)(long)(top * (1 + 0.08 * fine)), points, &count);
  }
  *best = grid_best(points, count);
  basic_progress.share = share;
  free(states);
  return count;
}

#endif
