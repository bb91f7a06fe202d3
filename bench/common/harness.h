/* What the benchmarks share: CPU time, order statistics, files. What runs many chains is in runner.h; time, options and
 * progress, which any program has, in basic.h. */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#define BASIC_PROGRAM "bench"
#include "../../examples/ebm/basic.h"

#include <sys/stat.h>

#include "../../lbp_stats.h"

/* The mean cost of a step with R sites, in seconds or evaluations of the model. */
typedef struct {
  double r, cost;
} step_cost;

typedef struct {
  double mean, se; /* between chains */
} estimate;

/* CPU time of this thread: a busy machine disturbs it less. */
LBP_FN double bench_cpu_now(void) {
#ifdef CLOCK_THREAD_CPUTIME_ID
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
  return basic_now();
#endif
}

/* ---- order statistics -------------------------------------------------------------------------------------------- */

LBP_FN int bench_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The share-quantile of up to 64 numbers. */
LBP_FN double bench_quantile(const double *values, uint32_t count, double share) {
  double sorted[64];
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, bench_ascending);
  return sorted[(uint32_t)(share * (count - 1) + 0.5)];
}

LBP_FN double bench_median(const double *values, uint32_t count) { return bench_quantile(values, count, 0.5); }

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Opens a new file in a folder, which it makes if need be; path gets where that is. */
LBP_FN FILE *bench_create(const char *folder, const char *name, char *path, size_t size) {
  FILE *file;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) basic_die("cannot make the folder %s: %s", folder, strerror(errno));
  snprintf(path, size, "%s/%s", folder, name);
  file = fopen(path, "w");
  if (!file) basic_die("cannot write %s: %s", path, strerror(errno));
  return file;
}

/* Runs bench/QUESTION/NAME.gp, which makes folder/NAME.svg and folder/NAME.png, with these settings. */
LBP_FN void bench_draw(const char *question, const char *name, const char *settings, const char *folder) {
  char script[100];
  snprintf(script, sizeof script, "bench/%s/%s.gp", question, name);
  if (basic_gnuplot(script, settings)) printf("Picture: %s/%s.svg, %s/%s.png\n", folder, name, folder, name);
}

LBP_FN estimate bench_estimate(const double *values, uint32_t count) {
  estimate e = {0, 0};
  if (lbp_mean_se(values, count, &e.mean, &e.se) != LBP_OK && count == 1) e.mean = values[0];
  return e;
}

#endif
