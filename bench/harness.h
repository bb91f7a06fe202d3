/* What the benchmarks share: what to run, what comes out, order statistics, files. The running itself is in runner.h,
 * once per instance of lbp.h; time, options and progress, which any program has, in basic.h. */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#define BASIC_PROGRAM "bench"
#include "../examples/ebm/basic.h"

#include <sys/stat.h>

#include "../lbp_stats.h"

typedef enum { KERNEL_RWM, KERNEL_GWG, KERNEL_LBP, KERNEL_GIBBS } kernel;

/* The mean cost of a step with R sites, in seconds or evaluations of the model. */
typedef struct {
  double r, cost;
} step_cost;

/* One run: `chains` chains of `warmup` steps that nothing is measured in and `steps` that all is. */
typedef struct {
  kernel kernel;
  uint32_t chains, warmup, steps;
  double r;                   /* fixed R: 1, or the mean of a random R that mixes even and odd; 0 tunes it */
  double target;              /* acceptance rate to tune to in the warm-up, with one tuner for all chains */
  double first_r;             /* R that tuning begins with; 0: 1 */
  const step_cost *costs;     /* two, in increasing order: then R is tuned to what these count; NULL: to steps */
  uint64_t seed;              /* chain k draws from the stream (seed, k) */
  const double *start;        /* initial P(x_i = 1); NULL: fair coins */
  const uint8_t *states;      /* or initial states, chains x n */
  const uint8_t *burned_in;   /* or one initial state for all chains */
  uint8_t *last;              /* gets the final states, chains x n, unless NULL */
  const uint8_t *reference;   /* the trace is the Hamming distance to this state, unless NULL */
} run_spec;

typedef struct {
  double mean, se;            /* between chains */
} estimate;

typedef struct {
  estimate acceptance, ejd, ess;
  double r, r_se, r_last;     /* R that the measured steps ran with; if it was tuned, its error and the last R_t */
  double evaluations;         /* calls of the model per step */
  double seconds, seconds_se; /* wall time of the whole run; error from the spread between chains */
  double measured_seconds;    /* of the measured steps alone, tracing included */
  double step_seconds;        /* CPU time of a measured step, tracing included */
  uint32_t without_ess;       /* chains whose trace has no effective sample size (constant, say) */
} run_result;

/* A model behind one instance of lbp.h. */
typedef struct instance {
  const void *model;
  uint32_t n;
  void (*run)(const struct instance *, const run_spec *, run_result *);
} instance;

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

/* ---- order statistics ------------------------------------------------------------------------------------------- */

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

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* Opens a new file in a folder, which it makes if need be; path gets where that is. */
LBP_FN FILE *bench_create(const char *folder, const char *name, char *path, size_t size) {
  FILE *file;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) basic_die("cannot make the folder %s: %s", folder, strerror(errno));
  snprintf(path, size, "%s/%s", folder, name);
  file = fopen(path, "w");
  if (!file) basic_die("cannot write %s: %s", path, strerror(errno));
  return file;
}

/* Runs bench/NAME.gp, which makes folder/NAME.svg and folder/NAME.png, with these settings. */
LBP_FN void bench_draw(const char *name, const char *settings, const char *folder) {
  char script[100];
  snprintf(script, sizeof script, "bench/%s.gp", name);
  if (basic_gnuplot(script, settings)) printf("Picture: %s/%s.svg, %s/%s.png\n", folder, name, folder, name);
}

LBP_FN estimate bench_estimate(const double *values, uint32_t count) {
  estimate e = {0, 0};
  if (lbp_mean_se(values, count, &e.mean, &e.se) != LBP_OK && count == 1) e.mean = values[0];
  return e;
}

#endif
