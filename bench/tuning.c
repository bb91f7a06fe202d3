/* tuning - what one chain's tuner is worth: the R that ALBP freezes after a warm-up of a single chain, against the
 * best R of a grid search, in expected jump distance. And what averaging R_t over the second half of the warm-up buys
 * over freezing its last value. `make bench-tuning`; some minutes.
 *
 * Each of many single-chain tuners gives an R; its EJD is read off a smooth curve through the grid search (a parabola
 * in log R through the three nearest points), so that the comparison is not blurred by new noise. One tuner's R is
 * also run in full. */
#include "grid.h"
#include "models.h"

enum { TUNERS = 40 };

/* Seconds on one or two cores, for the progress bar alone: a grid search and its closing run; all tuners of a model. */
enum { SEARCH_SECONDS = 20 };
static const double tuner_seconds[2][MODEL_COUNT] = {{1, 3, 8, 10}, {3, 27, 35, 90}};

/* EJD at R by the parabola through the three grid points nearest in log R. */
static double interpolate(const grid_point *g, int count, double R) {
  int k = 0, a, b;
  double sum = 0;
  while (k + 3 < count && log(g[k + 1].r) + log(g[k + 2].r) < 2 * log(R)) k++;
  for (a = k; a < k + 3; a++) {
    double term = g[a].ejd;
    for (b = k; b < k + 3; b++) {
      if (b != a) term *= log(R / g[b].r) / log(g[a].r / g[b].r);
    }
    sum += term;
  }
  return sum;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(const char *what, double *R, const grid_point *g, int count, double best) {
  double share[TUNERS], mean = 0, mean_r = 0, spread = 0;
  int k;
  for (k = 0; k < TUNERS; k++) {
    share[k] = interpolate(g, count, R[k]) / best;
    mean += share[k] / TUNERS;
    mean_r += R[k] / TUNERS;
  }
  for (k = 0; k < TUNERS; k++) spread += (R[k] - mean_r) * (R[k] - mean_r) / (TUNERS - 1);
  qsort(share, TUNERS, sizeof share[0], ascending);
  printf("    %-22s R = %7.2f +- %5.2f (sd)   EJD / best: mean %.4f  worst of %d: %.4f\n", what, mean_r, sqrt(spread),
         mean, TUNERS, share[0]);
}

int main(int argc, char **argv) {
  double work = 0;
  int model, longer;
  if (argc > 1) bench_die("%s: tuning takes no options", argv[1]);
  bench_threads(0);
  bench_single_blas();
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (model = 0; model < MODEL_COUNT; model++) {
    work += SEARCH_SECONDS + tuner_seconds[0][model] + tuner_seconds[1][model];
  }
  bench_progress_begin(work);
  printf("R frozen after the warm-up of one ALBP chain, t/(1+t), %d chains; burn-in as long as the warm-up before it\n",
         TUNERS);
  for (model = 0; model < MODEL_COUNT; model++) {
    bench_model m;
    run_spec spec;
    run_result r;
    grid_point grid[GRID_MOST];
    double last[TUNERS], averaged[TUNERS];
    uint8_t *states;
    int count, best, k;
    bench_model_load(&m, model, 2, "bench/data");
    memset(&spec, 0, sizeof spec);
    spec.kernel = KERNEL_LBP;
    spec.chains = 100;
    spec.steps = m.steps / 4;
    spec.target = LBP_TARGET_LBP;
    spec.seed = 3;
    spec.start = m.start;
    snprintf(bench_progress.label, sizeof bench_progress.label, "%s, grid search", model_names[model]);
    bench_progress_share = SEARCH_SECONDS;
    count = grid_search(&m.instances[0], &spec, m.steps / 20, grid, &best);
    bench_progress_clear();
    printf("%s %s: best of the grid R = %.0f, EJD %.3f +- %.3f\n", model_names[model], m.size, grid[best].r,
           grid[best].ejd, grid[best].se);
    states = (uint8_t *)bench_alloc(m.n, 1);
    for (longer = 0; longer < 2; longer++) {
      const uint32_t warmup = longer ? m.steps / 2 : 2000;
      snprintf(bench_progress.label, sizeof bench_progress.label, "%s, tuners", model_names[model]);
      bench_progress_share = tuner_seconds[longer][model] / (2 * TUNERS);
      for (k = 0; k < TUNERS; k++) {
        /* burn in with a tuner of its own, then tune afresh from there */
        spec.chains = 1;
        spec.seed = 100 + (uint64_t)k;
        spec.r = 0;
        spec.steps = 2 * warmup;
        spec.last = states;
        m.instances[0].run(&m.instances[0], &spec, &r);
        spec.last = NULL;
        spec.burned_in = states;
        m.instances[0].run(&m.instances[0], &spec, &r);
        averaged[k] = r.r;
        last[k] = r.r_last;
        spec.burned_in = NULL;
      }
      bench_progress_clear();
      printf("  warm-up of %u steps%s\n", warmup, longer ? ", as in the paper" : "");
      report("last R_t", last, grid, count, grid[best].ejd);
      report("mean over second half", averaged, grid, count, grid[best].ejd);
    }
    spec.chains = 100;
    spec.seed = 55;
    spec.steps = m.steps / 2;
    spec.r = averaged[0];
    bench_progress_share = 0;
    m.instances[0].run(&m.instances[0], &spec, &r);
    bench_progress_clear();
    printf("  run with R = %.2f      EJD %.3f +- %.3f, acceptance %.3f: %.4f of the best\n", averaged[0], r.ejd.mean,
           r.ejd.se, r.acceptance.mean, r.ejd.mean / grid[best].ejd);
    free(states);
    bench_model_free(&m);
  }
  return 0;
}
