/* Grid search: the R with the largest expected jump distance. */
#ifndef BENCH_GRID_H
#define BENCH_GRID_H

#include "runner.h"

enum { GRID_MOST = 64 };

typedef struct {
  double r, ejd, se;
} grid_point;

/* Tries R = 1, 2, 3 ... 5/4 apart from chains that a tuned LBP run has brought to equilibrium, until acceptance falls
 * below 5 %, then four finer steps around the best. points[] gets all of them in increasing R; returns their number
 * and *best the index of the winner. */
LBP_FN int grid_search(const instance *in, const run_spec *base, uint32_t pilot_steps, grid_point *points, int *best) {
  run_spec spec = *base;
  run_result result;
  uint8_t *states = (uint8_t *)basic_alloc((size_t)base->chains * in->n, 1);
  double r, share = basic_progress.share;
  int count = 0, k;
  memset(points, 0, GRID_MOST * sizeof *points);
  basic_progress.share = 0; /* the caller's estimate covers the whole search */
  spec.sampler = LBP_RUN_LBP;
  spec.r = 0;
  spec.target = LBP_TARGET_LBP;
  spec.warmup = spec.steps = (base->warmup + base->steps) / 10;
  spec.reference = NULL;
  spec.last = states;
  run_chains(in, &spec, &result);
  spec.sampler = base->sampler;
  spec.warmup = 0;
  spec.steps = pilot_steps;
  spec.states = states;
  *best = 0;
  for (r = 1; r <= in->n && count < GRID_MOST - 4; r = r < 5 ? r + 1 : (double)(long)(r * 1.25)) {
    spec.r = r;
    spec.seed = base->seed + (uint64_t)count + 1;
    run_chains(in, &spec, &result);
    points[count].r = r;
    points[count].ejd = result.ejd.mean;
    points[count].se = result.ejd.se;
    if (points[count].ejd > points[*best].ejd) *best = count;
    count++;
    basic_progress.share = share / 40;
    basic_progress_add(basic_progress.share);
    basic_progress.share = 0;
    if (result.acceptance.mean < 0.05) break;
  }
  r = points[*best].r;
  for (int fine = -2; fine <= 2 && r > 8; fine++) {
    if (fine == 0) continue;
    spec.r = (double)(long)(r * (1 + 0.08 * fine));
    spec.seed = base->seed + (uint64_t)count + 1;
    run_chains(in, &spec, &result);
    for (k = count++; k > 0 && points[k - 1].r > spec.r; k--) points[k] = points[k - 1];
    points[k].r = spec.r;
    points[k].ejd = result.ejd.mean;
    points[k].se = result.ejd.se;
  }
  for (k = *best = 0; k < count; k++) {
    if (points[k].ejd > points[*best].ejd) *best = k;
  }
  basic_progress.share = share;
  free(states);
  return count;
}

#endif
