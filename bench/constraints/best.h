/* The acceptance rate with the largest jump distance, by a grid of R, and the loss by tuning to 0.574 instead. */
#ifndef BENCH_CONSTRAINTS_BEST_H
#define BENCH_CONSTRAINTS_BEST_H

#include "../common/fit.h"
#include "reference.h"

enum { CURVE_MOST = 16, GRID = 24, GRID_WARMUP = 2048 };

typedef struct {
  char name[32], weight[16];
  int target, kernel, shifted;
  const sampler_name *sampler;
  estimate want;               /* of the guide; no error: it gives none */
} curve;

typedef struct { double R, acceptance, ejd, ejd_se; } curve_point;

static curve curves[CURVE_MOST];
static int curve_count;

static void read_curves(const char *folder) {
  char path[1024], line[512], *cell[6];
  snprintf(path, sizeof path, "%s/constraints_best.csv", folder);
  FILE *csv = fopen(path, "r");
  if (!csv || !fgets(line, sizeof line, csv)) basic_die("cannot read %s", path);
  while (fgets(line, sizeof line, csv)) {
    curve c = {.target = -1};
    if (bench_split(line, cell, 6) != 6 || curve_count == CURVE_MOST) basic_die("%s: a row too many, or too short", path);
    c.target = target_of(cell[0]);
    c.sampler = c.target < 0 ? NULL : sampler_of(cell[1], is_matching(&targets[c.target]), 0);
    if (!c.sampler) basic_die("%s: %s, %s: there is no such model or sampler", path, cell[0], cell[1]);
    c.kernel = weight_of(cell[2]);
    c.shifted = atoi(cell[3]);
    snprintf(c.name, sizeof c.name, "%s", cell[1]);
    snprintf(c.weight, sizeof c.weight, "%s", cell[2]);
    c.want = (estimate){atof(cell[4]), atof(cell[5])};
    curves[curve_count++] = c;
  }
  fclose(csv);
}

/* A grid of whole R, from a quarter of what a tuner finds (with a shift, where there is one) to three times that, by
 * all chains, one R after another: they come to rest once. */
static void run_curve(const curve *v, uint32_t chains, uint32_t steps, uint64_t seed, curve_point *points) {
  const target *t = &targets[v->target];
  const size_t rates = sizeof(double[REFERENCE_MOST]);
  double (*accept)[REFERENCE_MOST] = (double (*)[REFERENCE_MOST])basic_alloc(2 * GRID, rates);
  double (*jump)[REFERENCE_MOST] = accept + GRID, tuned[LBP_SETTINGS] = {0};
  walker first;
  walker_make(&first, t, v->sampler, v->kernel, 0, GRID_WARMUP, seed, 0);
  first.c.kernel->tuner_setting(lbp_chains_tuner_at(&first.c, 0), tuned);
  walker_free(&first);
  for (int k = 0; k < GRID; k++) points[k].R = fmax(1, floor(tuned[0] * (0.25 + 2.75 * k / (GRID - 1)) + 0.5));
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < (int)chains; k++) {
    walker w;
    walker_make(&w, t, v->sampler, v->kernel, tuned[0], v->shifted ? GRID_WARMUP : 0, seed, (uint32_t)k + 1);
    walker_walk(&w, GRID_WARMUP, NULL);
    for (int p = 0; p < GRID; p++) {
      w.c.plan.setting[0] = points[p].R;
      walker_reset(&w);
      walker_walk(&w, steps, NULL);
      accept[p][k] = w.accept / steps;
      jump[p][k] = w.jump / steps;
    }
    walker_free(&w);
#pragma omp critical
    basic_progress_add(basic_progress.share / chains);
  }
  for (int p = 0; p < GRID; p++) {
    const estimate e = bench_estimate(jump[p], chains);
    points[p].acceptance = bench_estimate(accept[p], chains).mean;
    points[p].ejd = e.mean;
    points[p].ejd_se = e.se;
  }
  free(accept);
}

typedef struct {
  peak top;      /* of the jump distance, over acceptance; where the fit finds none within, the best point of the grid */
  double R;      /* of that point */
  double loss;   /* what of the largest jump distance is lost where acceptance is that which R is tuned to */
} best;

/* A tuner goes between two whole R at random, so that is linear between points. */
static best best_of(const curve_point *points, double tuned) {
  double x[GRID], y[GRID], at_tuned = 0;
  uint32_t count = 0;
  best it = {.R = 0};
  for (int k = 0, top = 0; k < GRID; k++) {
    if (k > 0 && points[k].R <= points[k - 1].R) continue;
    x[count] = points[k].acceptance;
    y[count] = points[k].ejd;
    if (y[count] >= y[top]) it.R = points[k].R, top = (int)count;
    if (count > 0 && x[count] <= tuned && x[count - 1] > tuned) {
      at_tuned = y[count - 1] + (y[count] - y[count - 1]) * (x[count - 1] - tuned) / (x[count - 1] - x[count]);
    }
    count++;
  }
  it.top = fit_peak(x, y, count, 0.7);
  it.loss = 1 - at_tuned / it.top.value;
  return it;
}

#endif
