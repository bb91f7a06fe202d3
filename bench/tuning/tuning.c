/* tuning - the gain of the tuner, in expected jump distance (see README.md). `make bench-tuning`; some minutes. */
#include "../common/grid.h"
#include "../common/models.h"

/* ---- per step, one chain ----------------------------------------------------------------------------------------- */

enum { TUNERS = 40 };

/* EJD at R by the parabola through the three grid points nearest in log R. */
static double interpolate(const grid_point *g, int count, double R) {
  int k = 0;
  double sum = 0;
  while (k + 3 < count && log(g[k + 1].r) + log(g[k + 2].r) < 2 * log(R)) k++;
  for (int a = k; a < k + 3; a++) {
    double term = g[a].ejd;
    for (int b = k; b < k + 3; b++) {
      if (b != a) term *= log(R / g[b].r) / log(g[a].r / g[b].r);
    }
    sum += term;
  }
  return sum;
}

static void report(const char *what, double *R, const grid_point *g, int count, double best) {
  const estimate R_of = bench_estimate(R, TUNERS);
  double share[TUNERS], mean = 0;
  for (int k = 0; k < TUNERS; k++) {
    share[k] = interpolate(g, count, R[k]) / best;
    mean += share[k] / TUNERS;
  }
  printf("    %-22s R = %7.2f +- %5.2f (sd)   EJD / best: mean %.4f  worst of %d: %.4f\n", what, R_of.mean,
         R_of.se * sqrt(TUNERS), mean, TUNERS, bench_quantile(share, TUNERS, 0));
}

/* The R of TUNERS tuners: each burns in with one of its own, then tunes afresh from there. */
static void tune_single_chains(const bench_model *m, run_spec spec, uint32_t warmup, double *last, double *averaged) {
  uint8_t *state = (uint8_t *)basic_alloc(m->n, 1);
  run_result r;
  spec.chains = 1;
  spec.warmup = spec.steps = warmup;
  for (int k = 0; k < TUNERS; k++) {
    spec.seed = 100 + (uint64_t)k;
    spec.states = NULL;
    spec.last = state;
    run_chains(&m->instances[WEIGHT_BARKER], &spec, &r);
    spec.states = state;
    spec.last = NULL;
    run_chains(&m->instances[WEIGHT_BARKER], &spec, &r);
    averaged[k] = r.r;
    last[k] = r.r_last;
  }
  free(state);
}

static void compare_per_step(const bench_model *m) {
  const instance *in = &m->instances[WEIGHT_BARKER];
  run_spec spec = run_of(LBP_SAMPLER_LBP, 100, m->steps / 8, m->steps / 8, 3);
  run_result r;
  grid_point grid[GRID_MOST];
  double last[TUNERS], averaged[TUNERS];
  int best;
  spec.start = m->start;
  bench_label("%s, grid search", model_names[m->kind]);
  basic_progress_begin(basic_progress.share = 1);
  const int count = grid_search(in, &spec, m->steps / 20, grid, &best);
  basic_progress_clear();
  printf("%s %s: best of the grid R = %.0f, EJD %.3f +- %.3f\n", model_names[m->kind], m->size, grid[best].r,
         grid[best].ejd, grid[best].se);
  for (int longer = 0; longer < 2; longer++) {
    const uint32_t warmup = longer ? m->steps / 2 : 2000;
    bench_label("%s, tuners", model_names[m->kind]);
    basic_progress_begin(2 * TUNERS);
    tune_single_chains(m, spec, warmup, last, averaged);
    basic_progress_clear();
    printf("  warm-up of %u steps%s\n", warmup, longer ? ", as in the paper" : "");
    report("last R_t", last, grid, count, grid[best].ejd);
    report("mean over second half", averaged, grid, count, grid[best].ejd);
  }
  spec.seed = 55;
  spec.warmup = spec.steps = m->steps / 4;
  spec.r = averaged[0];
  basic_progress.share = 0;
  run_chains(in, &spec, &r);
  basic_progress_clear();
  printf("  run with R = %.2f      EJD %.3f +- %.3f, acceptance %.3f: %.4f of the best\n", averaged[0], r.ejd.mean,
         r.ejd.se, r.acceptance.mean, r.ejd.mean / grid[best].ejd);
}

/* ---- per step, per second, per evaluation ------------------------------------------------------------------------ */

enum { PER_STEP, PER_SECOND, PER_EVALUATION, OBJECTIVES };
static const char *const objective_names[OBJECTIVES] = {"step", "second", "evaluation"};

enum { ROUNDS = 9, TOGETHER = 20, POINTS_MOST = 64 };      /* TOGETHER: chains that share a tuner */
static const double run_seconds = 0.1, grid_factor = 1.3;  /* of all chains at one R in one round */

/* A fixed R: means over rounds, but for the time. */
typedef struct {
  double r, ejd, acceptance, evaluations;
  double seconds[ROUNDS], relative; /* of a step; the median over rounds of its share in its round */
} point;

static void run_point(const instance *in, run_spec spec, double step_seconds, int round, point *p) {
  run_result result;
  spec.r = p->r;
  spec.seed += (uint64_t)round + 1;
  spec.steps = (uint32_t)(run_seconds / TOGETHER / step_seconds) + 1;
  run_chains(in, &spec, &result);
  p->ejd += result.ejd.mean / ROUNDS;
  p->acceptance += result.acceptance.mean / ROUNDS;
  p->evaluations += result.evaluations / ROUNDS;
  p->seconds[round] = result.step_seconds;
}

/* Runs all points in every round, up and down in turn. line: two points whose times tell how many steps fill a run. */
static void run_rounds(const instance *in, const run_spec *spec, const step_cost *line, point *points, int count) {
  const double slope = (line[1].cost - line[0].cost) / (line[1].r - line[0].r);
  double share[ROUNDS];
  basic_progress_begin(ROUNDS * count);
  basic_progress.share = 1;
  for (int round = 0; round < ROUNDS; round++) {
    for (int k = 0; k < count; k++) {
      point *p = &points[round % 2 ? count - 1 - k : k];
      run_point(in, *spec, line[0].cost + slope * (p->r - line[0].r), round, p);
    }
  }
  for (int k = 0; k < count; k++) {
    for (int round = 0; round < ROUNDS; round++) {
      double sum = 0;
      for (int j = 0; j < count; j++) sum += points[j].seconds[round];
      share[round] = points[k].seconds[round] / sum;
    }
    points[k].relative = bench_median(share, ROUNDS);
  }
}

/* Costs of a step at R and at R / 8, at least 1. */
static void measure_costs(const instance *in, const run_spec *spec, double R, double step_seconds,
                          step_cost costs[OBJECTIVES][2]) {
  const step_cost flat[2] = {{0, step_seconds}, {1, step_seconds}};
  point points[2];
  memset(points, 0, sizeof points);
  points[0].r = R > 8 ? R / 8 : 1;
  points[1].r = R > 2 ? R : 2;
  run_rounds(in, spec, flat, points, 2);
  for (int k = 0; k < 2; k++) {
    costs[PER_SECOND][k].r = costs[PER_EVALUATION][k].r = points[k].r;
    costs[PER_SECOND][k].cost = bench_median(points[k].seconds, ROUNDS);
    costs[PER_EVALUATION][k].cost = points[k].evaluations;
  }
}

/* R = 1 and so on up to the limit, each a whole number. */
static int make_grid(double limit, point *points) {
  int count = 0;
  for (double r = 1; r <= limit && count < POINTS_MOST - OBJECTIVES; r *= grid_factor) {
    if (count == 0 || points[count - 1].r < floor(r)) points[count++].r = floor(r);
  }
  return count;
}

static double jump_per(const point *p, int objective) {
  return p->ejd / (objective == PER_STEP ? 1 : objective == PER_SECOND ? p->relative : p->evaluations);
}

/* tuned[k]: the point with the R tuned to objective k. */
static void print_objectives(const bench_model *m, const point *grid, int count, const point *tuned) {
  double best[OBJECTIVES] = {0}, best_r[OBJECTIVES] = {0};
  for (int k = 0; k < count; k++) {
    for (int objective = 0; objective < OBJECTIVES; objective++) {
      const double jump = jump_per(&grid[k], objective);
      if (jump <= best[objective]) continue;
      best[objective] = jump;
      best_r[objective] = grid[k].r;
    }
  }
  for (int k = 0; k < OBJECTIVES; k++) {
    printf("%-10s %-10s %8.2f %11.3f %8.0f", k ? "" : model_names[m->kind], objective_names[k], tuned[k].r,
           tuned[k].acceptance, best_r[k]);
    for (int objective = 0; objective < OBJECTIVES; objective++) {
      printf(" %11.3f", jump_per(&tuned[k], objective) / best[objective]);
    }
    printf("\n");
  }
}

static void print_costs(step_cost costs[OBJECTIVES][2]) {
  double slope[OBJECTIVES], fixed[OBJECTIVES];
  for (int k = PER_SECOND; k < OBJECTIVES; k++) {
    slope[k] = (costs[k][1].cost - costs[k][0].cost) / (costs[k][1].r - costs[k][0].r);
    fixed[k] = costs[k][0].cost - slope[k] * costs[k][0].r;
  }
  printf("%-10s a step costs %.0f + %.1f R ns, %.1f + %.1f R evaluations\n", "", 1e9 * fixed[PER_SECOND],
         1e9 * slope[PER_SECOND], fixed[PER_EVALUATION], slope[PER_EVALUATION]);
}

static void compare_objectives(const bench_model *m) {
  const instance *in = &m->instances[WEIGHT_BARKER];
  uint8_t *states = (uint8_t *)basic_alloc(TOGETHER * (size_t)m->n, 1);
  step_cost costs[OBJECTIVES][2];
  point points[POINTS_MOST];
  run_spec tuning = run_of(LBP_SAMPLER_LBP, TOGETHER, m->steps / 4, m->steps / 4, 7), fixed;
  run_result result;
  double R[OBJECTIVES];
  bench_label("%s, per second", model_names[m->kind]);
  memset(points, 0, sizeof points);
  tuning.start = m->start;
  fixed = tuning;
  fixed.states = states;
  fixed.warmup = 0;
  tuning.last = states;
  for (int k = 0; k < OBJECTIVES; k++) {
    basic_progress_begin(basic_progress.share = 1);
    run_chains(in, &tuning, &result);
    R[k] = result.r;
    if (k == PER_STEP) measure_costs(in, &fixed, R[PER_STEP], result.step_seconds, costs);
    if (k + 1 < OBJECTIVES) tuning.costs = costs[k + 1];
    tuning.last = NULL;
  }
  const int count = make_grid(2 * R[PER_STEP], points);
  for (int k = 0; k < OBJECTIVES; k++) points[count + k].r = R[k];
  run_rounds(in, &fixed, costs[PER_SECOND], points, count + OBJECTIVES);
  basic_progress_clear();
  print_objectives(m, points, count, points + count);
  print_costs(costs);
  free(states);
}

static void for_all_models(void (*compare)(const bench_model *)) {
  for (int kind = 0; kind < MODEL_COUNT; kind++) {
    bench_model m;
    bench_model_load(&m, kind, bench_table1_extent(kind, 2), 2, "bench/data");
    compare(&m);
    bench_model_free(&m);
  }
}

int main(int argc, char **argv) {
  int second_only = 0;
  const basic_option table[] = {{"--per-second", "the second part alone", OPTION_FLAG, &second_only, 0, 0, NULL}};
  basic_parse(argc, argv, "usage: tuning [option]", table, 1);
  bench_start(0);
  if (!second_only) {
    printf("R frozen after the warm-up of one ALBP chain, t/(1+t), %d chains; burn-in as long as the warm-up before\n",
           TUNERS);
    for_all_models(compare_per_step);
    printf("\n");
  }
  basic_threads(1); /* so that times are of the samplers alone */
  printf("R tuned per step, per second and per evaluation by %d chains, t/(1+t), one thread. Jump distances as shares\n"
         "of the largest in a grid of R, which is at best R.\n", TOGETHER);
  printf("%-10s %-10s %8s %11s %8s %11s %11s %11s\n", "", "tuned per", "R", "acceptance", "best R", "per step",
         "per second", "per eval");
  for_all_models(compare_objectives);
  return 0;
}
