/* lanes_runs - searches by LBP_SAMPLER_LANES next to the same by Metropolis sweeps, end to end, on one core: annealing of
 * tori and graphs like those of the G-set in equal CPU time, and how long tempering takes to the best energy of glasses.
 *
 *   lanes_runs OUT [SECONDS]: OUT gets lanes_runs.csv, a line for each search, and with gnuplot a picture. SECONDS of CPU
 *   for each annealing: 1. Status 1 where a target is missed: the mean and the best of lanes' reads on a torus, the best
 *   on graphs, and ten times less time on glasses, in the median. */
#include "../common/harness.h"
#define MOST_NEIGHBOURS 200
#include "../../examples/cut.h"

#define LBP_NAME           lanes
#define LBP_MODEL_T        lbp_qubo
#define LBP_REAL           lbp_real
#define LBP_NEIGHBOURS     lbp_qubo_neighbours
#define LBP_MAX_NEIGHBOURS MOST_NEIGHBOURS
#define LBP_DELTA          lbp_qubo_delta
#define LBP_LOGP           lbp_qubo_logp
#define LBP_PAIRS          lbp_qubo_pairs
#define LBP_FIELD          lbp_qubo_field
#define LBP_UNIT(m)        1
#define LBP_LANES          256
#define LBP_TEMPERED
#include "../../lbp_run.h"

enum { EDGES = 20000, GRAPHS = 4, GLASSES = 6, SEEDS = 3, RUNGS = 32 };

typedef struct {
  uint32_t n, count, ends[6 * EDGES];
  double value[3 * EDGES], offset;
} terms;

/* -J s s' of two spins s = 1 - 2x, as terms of an energy. */
static void add(terms *t, uint32_t a, uint32_t b, double J) {
  t->offset -= J;
  for (int k = 0; k < 3; k++) {
    t->ends[2 * t->count] = k == 1 ? b : a;
    t->ends[2 * t->count + 1] = k == 0 ? a : b;
    t->value[t->count++] = k == 2 ? -4 * J : 2 * J;
  }
}

static int sign(lbp_rng *rng) { return lbp_rng_u64(rng) >> 63 ? -1 : 1; }

/* A torus of these sides, with couplings 1 and -1. */
static void torus(terms *t, const uint32_t *side, int sides, lbp_rng *rng) {
  uint32_t step = 1;
  t->n = 1, t->count = 0, t->offset = 0;
  for (int d = 0; d < sides; d++) t->n *= side[d];
  for (int d = 0; d < sides; step *= side[d++]) {
    for (uint32_t i = 0; i < t->n; i++) {
      const uint32_t at = i / step % side[d];
      add(t, i, at + 1 < side[d] ? i + step : i - at * step, sign(rng));
    }
  }
}

/* A graph to be cut: all couplings are -1. */
static void graph(terms *t, uint32_t n, uint32_t edges, lbp_rng *rng) {
  t->n = n, t->count = 0, t->offset = 0;
  while (t->count < 3 * edges) {
    const uint32_t a = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), n), b = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), n);
    if (a != b) add(t, a, b, -1);
  }
}

static void make(lbp_qubo *m, const terms *t) {
  bench_expect(lbp_qubo_init(m, t->n, t->count, t->ends, t->value, t->offset, MOST_NEIGHBOURS), "a model");
}

/* ---- annealing --------------------------------------------------------------------------------------------------- */

/* `best`, and the mean of reads, of log pi = sum of J s s'; CPU seconds. */
typedef struct {
  double mean, best, seconds;
  uint64_t sweeps;
} found;

static found anneal(const lbp_qubo *m, int by_lanes, uint32_t reads, uint64_t sweeps, uint64_t seed) {
  const lbp_kernel kernel = by_lanes ? lanes_kernel() : cut_kernel();
  found f = {0, 0, bench_cpu_now(), sweeps};
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.sampler = by_lanes ? LBP_SAMPLER_LANES : LBP_SAMPLER_METROPOLIS;
  run.chains = reads;
  run.seed = seed;
  run.annealing.sweeps = sweeps;
  if (lbp_anneal_kernel(&run, &kernel, m, m->terms.n, &result) != LBP_OK) basic_die("%s", result.message);
  for (uint32_t k = 0; k < reads; k++) f.mean += result.best_logp[k] / reads;
  f.best = result.best_logp[0];
  lbp_run_free(&result);
  f.seconds = bench_cpu_now() - f.seconds;
  return f;
}

/* As many sweeps as fit into so many seconds of CPU, all included. */
static found anneal_for(const lbp_qubo *m, int by_lanes, uint32_t reads, double seconds, uint64_t seed) {
  const found few = anneal(m, by_lanes, reads, 40, seed), more = anneal(m, by_lanes, reads, 240, seed);
  const double each = (more.seconds - few.seconds) / 200, sweeps = (seconds - few.seconds) / each + 40;
  return anneal(m, by_lanes, reads, sweeps > 2 ? (uint64_t)sweeps : 2, seed);
}

/* Mean and best of all graphs of a kind, by lanes, and by 16 reads and as many as lanes; whether lanes are behind. */
static int race(FILE *csv, const char *name, int kind, double seconds) {
  static terms t;
  static const uint32_t sides[2] = {50, 40}, reads[3] = {256, 16, 256};
  found sum[3] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  for (int g = 0; g < GRAPHS; g++) {
    lbp_qubo m;
    lbp_rng rng;
    lbp_rng_init(&rng, 63, (uint64_t)(100 * kind + g));
    if (kind == 0) torus(&t, sides, 2, &rng);
    else graph(&t, kind == 1 ? 800 : kind == 2 ? 2000 : 1000, kind == 1 ? 19176 : kind == 2 ? 19990 : 9990, &rng);
    make(&m, &t);
    for (int k = 0; k < 3; k++) {
      const found f = anneal_for(&m, k == 0, reads[k], seconds, (uint64_t)g + 1);
      sum[k].mean += f.mean / GRAPHS, sum[k].best += f.best / GRAPHS;
      sum[k].seconds += f.seconds / GRAPHS, sum[k].sweeps += f.sweeps / GRAPHS;
      fprintf(csv, "anneal,%s,%d,%s,%u,%llu,%.3f,%.17g,%.17g\n", name, g + 1, k == 0 ? "lanes" : "Metropolis", reads[k],
              (unsigned long long)f.sweeps, f.seconds, f.mean, f.best);
    }
    lbp_qubo_free(&m);
  }
  printf("| %-12s |", name);
  for (int k = 0; k < 3; k++) printf(" %.1f / %.1f (%llu, %.2f s) |", sum[k].mean, sum[k].best,
                                     (unsigned long long)sum[k].sweeps, sum[k].seconds);
  const int behind = sum[0].best < sum[1].best || (kind == 0 && sum[0].mean < sum[1].mean);
  printf(" %s |\n", behind ? "fail" : "pass");
  fflush(stdout);
  return behind;
}

/* ---- tempering --------------------------------------------------------------------------------------------------- */

/* Tempers for so many rounds of 10 sweeps from a random start; the largest log pi, and CPU seconds. */
static found temper(const lbp_qubo *m, int by_lanes, uint64_t rounds, uint64_t seed) {
  const lbp_kernel kernel = by_lanes ? lanes_kernel() : cut_kernel();
  found f = {0, 0, bench_cpu_now(), 10 * rounds};
  double ladder[RUNGS];
  lbp_run run;
  lbp_run_result result;
  for (int k = 0; k < RUNGS; k++) ladder[k] = 2.0 * pow(0.1, k / (RUNGS - 1.0));
  lbp_run_init(&run);
  run.sampler = by_lanes ? LBP_SAMPLER_LANES : LBP_SAMPLER_METROPOLIS;
  run.chains = by_lanes ? 8 : 1;
  run.seed = seed;
  run.tempering.rungs = RUNGS;
  run.tempering.ladder = ladder;
  run.tempering.swap_every = by_lanes ? 1 : 5;
  run.warmup = 0;
  run.thin = 10;
  run.draws = rounds;
  if (lbp_run_kernel(&run, &kernel, m, m->terms.n, &result) != LBP_OK) basic_die("%s", result.message);
  f.best = result.best_logp[0];
  lbp_run_free(&result);
  f.seconds = bench_cpu_now() - f.seconds;
  return f;
}

/* CPU seconds to log pi of `goal`, beyond those that a run takes anyway: by bisection, as the same seed gives the same
 * run. */
static double time_to(const lbp_qubo *m, int by_lanes, double goal, uint64_t seed, double *once) {
  uint64_t low = 0, high = 4;
  while (high < 1000000 && temper(m, by_lanes, high, seed).best < goal - 0.5) low = high, high *= 2;
  while (high - low > 1 + high / 20) {
    const uint64_t middle = low + (high - low) / 2;
    if (temper(m, by_lanes, middle, seed).best < goal - 0.5) low = middle;
    else high = middle;
  }
  *once = temper(m, by_lanes, 1, seed).seconds;
  return fmax(temper(m, by_lanes, high + 1, seed).seconds - *once, 1e-6);
}

static int glasses(FILE *csv) {
  static terms t;
  static const uint32_t sides[3] = {8, 8, 8};
  double ratio[GLASSES];
  for (int g = 0; g < GLASSES; g++) {
    double took[2][SEEDS], median[2], once[2], goal;
    lbp_qubo m;
    lbp_rng rng;
    lbp_rng_init(&rng, 64, (uint64_t)g);
    torus(&t, sides, 3, &rng);
    make(&m, &t);
    goal = temper(&m, 1, 2000, 99).best; /* of eight ladders: 160,000 sweeps of each rung */
    for (int k = 0; k < 2; k++) {
      for (int s = 0; s < SEEDS; s++) {
        took[k][s] = time_to(&m, k == 0, goal, (uint64_t)s + 1, &once[k]);
        fprintf(csv, "temper,8^3,%d,%s,%d,,%.6f,,%.17g\n", g + 1, k == 0 ? "lanes" : "Metropolis", k == 0 ? 8 : 1,
                took[k][s], goal);
      }
      median[k] = bench_median(took[k], SEEDS);
    }
    ratio[g] = median[1] / median[0];
    printf("| 8^3, %d | %.0f | %.1f (+ %.1f) | %.1f (+ %.1f) | %.1f |\n", g + 1, goal, 1e3 * median[0], 1e3 * once[0],
           1e3 * median[1], 1e3 * once[1], ratio[g]);
    fflush(stdout);
    lbp_qubo_free(&m);
  }
  printf("\nmedian of ratios %.1f, at least 10 %s\n", bench_median(ratio, GLASSES),
         bench_median(ratio, GLASSES) >= 10 ? "pass" : "fail");
  return !(bench_median(ratio, GLASSES) >= 10);
}

int main(int argc, char **argv) {
  const double seconds = argc > 2 ? strtod(argv[2], NULL) : 1;
  char path[1000];
  int missed = 0;
  FILE *csv;
  if (argc < 2) basic_die("which folder? lanes_runs OUT [SECONDS]");
  snprintf(path, sizeof path, "%s/lanes_runs.csv", argv[1]);
  csv = fopen(path, "w");
  if (!csv) basic_die("cannot write %s", path);
  bench_start(1);
  fprintf(csv, "# %s\n", bench_made());
  fprintf(csv, "search,model,instance,sampler,chains,sweeps,seconds,mean,best\n");
  printf("| sum of J s s', mean / best | lanes, 256 reads | Metropolis, 16 | 256 | lanes not behind 16 |\n|---|---|---|---|---|\n");
  missed |= race(csv, "torus 40x50", 0, seconds);
  missed |= race(csv, "like G1", 1, seconds);
  missed |= race(csv, "like G22", 2, seconds);
  missed |= race(csv, "like G43", 3, seconds);
  printf("\n| glass | energy | lanes, ms (+ to begin) | Metropolis, ms (+ to begin) | ratio |\n|---|---|---|---|---|\n");
  missed |= glasses(csv);
  fclose(csv);
  bench_draw("speed", "lanes_runs", argv[1]);
  return missed;
}
