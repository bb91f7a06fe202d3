/* lanes_runs - searches by LBP_SAMPLER_LANES next to the same by Metropolis sweeps, end to end, on one core. Tables say
 * whether targets are met.
 *
 *   lanes_runs annealing OUT [SECONDS]: tori and graphs like those of the G-set, SECONDS of CPU each, 1 by default:
 *     OUT/annealing.csv, a line for each run. Best and mean of lanes' reads must not be behind those of 16 reads.
 *   lanes_runs glasses OUT: tempering of glasses to their best known energies, which must take lanes a tenth of the
 *     time in the median, all included; Metropolis swaps every sweep or every fifth, and the shorter time counts:
 *     OUT/glasses.csv, a line for each run, and with gnuplot a picture. */
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

enum { EDGES = 20000, GRAPHS = 4, RACES = 2, GLASSES = 6, SEEDS = 3, RUNGS = 32, BEGINS = 9, WAYS = 3 };

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

/* As many sweeps as fit into so many seconds of CPU, all included: a quarter of them tells how many. */
static found anneal_for(const lbp_qubo *m, int by_lanes, uint32_t reads, double seconds, uint64_t seed) {
  const found few = anneal(m, by_lanes, reads, 40, seed), more = anneal(m, by_lanes, reads, 240, seed);
  const double guess = (more.seconds - few.seconds) / 200, begin = fmax(few.seconds - 40 * guess, 0);
  const uint64_t part = 240 + (uint64_t)fmax((seconds - begin) / guess / 4, 0);
  const found quarter = anneal(m, by_lanes, reads, part, seed);
  const double each = (quarter.seconds - begin) / (double)part, sweeps = (seconds - begin) / each;
  return anneal(m, by_lanes, reads, sweeps > 2 ? (uint64_t)sweeps : 2, seed);
}

/* Mean and best of all graphs of a kind, by lanes, and by 16 reads and as many as lanes. */
static void race(const bench_file *csv, const char *name, int kind, double seconds) {
  static terms t;
  static const uint32_t sides[2] = {50, 40}, reads[3] = {256, 16, 256};
  enum { ALL = GRAPHS * RACES };
  found sum[3] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  double ahead[ALL], mean = 0, squares = 0;
  for (int g = 0; g < GRAPHS; g++) {
    lbp_qubo m;
    lbp_rng rng;
    lbp_rng_init(&rng, 63, (uint64_t)(100 * kind + g));
    if (kind == 0) torus(&t, sides, 2, &rng);
    else graph(&t, kind == 1 ? 800 : kind == 2 ? 2000 : 1000, kind == 1 ? 19176 : kind == 2 ? 19990 : 9990, &rng);
    make(&m, &t);
    for (int turn = 0; turn < RACES; turn++) {
      for (int k = 0; k < 3; k++) {
        const found f = anneal_for(&m, k == 0, reads[k], seconds, (uint64_t)(g + 1 + 100 * turn));
        sum[k].mean += f.mean / ALL, sum[k].best += f.best / ALL;
        sum[k].seconds += f.seconds / ALL, sum[k].sweeps += f.sweeps;
        if (k == 0) ahead[g * RACES + turn] = f.mean;
        if (k == 1) ahead[g * RACES + turn] -= f.mean;
        fprintf(csv->to, "%s,%d,%d,%s,%u,%llu,%.3f,%.17g,%.17g\n", name, g + 1, turn + 1,
                k == 0 ? "lanes" : "Metropolis", reads[k], (unsigned long long)f.sweeps, f.seconds, f.mean, f.best);
        bench_flush(csv);
      }
    }
    lbp_qubo_free(&m);
  }
  for (int k = 0; k < ALL; k++) mean += ahead[k] / ALL;
  for (int k = 0; k < ALL; k++) squares += (ahead[k] - mean) * (ahead[k] - mean);
  const double error = sqrt(squares / (ALL - 1) / ALL);
  const int behind = sum[0].best < sum[1].best || mean < -2 * error;
  printf("| %s |", name);
  for (int k = 0; k < 3; k++) {
    printf(" %.1f / %.1f (%.0f sweeps, %.2f s) |", sum[k].mean, sum[k].best, (double)sum[k].sweeps / ALL,
           sum[k].seconds);
  }
  printf(" %.1f +- %.1f | %s |\n", mean, error, behind ? "missed" : mean < 0 ? "met, within errors" : "met");
  fflush(stdout);
}

/* ---- tempering --------------------------------------------------------------------------------------------------- */

typedef struct {
  int by_lanes;
  uint32_t swap_every;
} tempered;

/* Tempers for so many rounds of 10 sweeps from a random start; the largest log pi, and CPU seconds. */
static found temper(const lbp_qubo *m, tempered way, uint64_t rounds, uint64_t seed) {
  const lbp_kernel kernel = way.by_lanes ? lanes_kernel() : cut_kernel();
  found f = {0, 0, bench_cpu_now(), 10 * rounds};
  double ladder[RUNGS];
  lbp_run run;
  lbp_run_result result;
  for (int k = 0; k < RUNGS; k++) ladder[k] = 2.0 * pow(0.1, k / (RUNGS - 1.0));
  lbp_run_init(&run);
  run.sampler = way.by_lanes ? LBP_SAMPLER_LANES : LBP_SAMPLER_METROPOLIS;
  run.chains = way.by_lanes ? 8 : 1;
  run.seed = seed;
  run.tempering.rungs = RUNGS;
  run.tempering.ladder = ladder;
  run.tempering.swap_every = way.swap_every;
  run.warmup = 0;
  run.thin = 10;
  run.draws = rounds;
  if (lbp_run_kernel(&run, &kernel, m, m->terms.n, &result) != LBP_OK) basic_die("%s", result.message);
  f.best = result.best_logp[0];
  lbp_run_free(&result);
  f.seconds = bench_cpu_now() - f.seconds;
  return f;
}

static int reaches(const lbp_qubo *m, tempered way, double goal, uint64_t rounds, uint64_t seed) {
  return temper(m, way, rounds, seed).best >= goal - 0.5;
}

/* Sweeps until log pi is `goal`, by bisection, as the same seed gives the same run, and CPU seconds of such a run:
 * infinity if so many rounds do not reach it. */
static found run_to(const lbp_qubo *m, tempered way, double goal, uint64_t seed) {
  uint64_t low = 0, high = 4;
  while (!reaches(m, way, goal, high, seed)) {
    if (high > 1000000) return (found){0, 0, INFINITY, 10 * high};
    low = high, high *= 2;
  }
  while (high - low > 1 + high / 20) {
    const uint64_t middle = low + (high - low) / 2;
    if (reaches(m, way, goal, middle, seed)) high = middle;
    else low = middle;
  }
  return temper(m, way, high, seed);
}

/* CPU seconds of a run before its first sweep: of one round, in the median. */
static double begin_of(const lbp_qubo *m, tempered way) {
  double took[BEGINS];
  for (int k = 0; k < BEGINS; k++) took[k] = temper(m, way, 1, (uint64_t)k).seconds;
  return bench_median(took, BEGINS);
}

static void glasses(const char *folder) {
  static terms t;
  static const uint32_t sides[3] = {8, 8, 8};
  static const tempered ways[WAYS] = {{1, 1}, {0, 1}, {0, 5}};
  static const char head[] = "glass,energy,sampler,chains,swap_every,seed,sweeps,ms,ms_to_begin";
  const bench_file csv = bench_create(folder, "glasses.csv", head);
  double whole[GLASSES], beyond[GLASSES];
  puts("| glass | energy | lanes, ms, of them to begin | Metropolis, the same | its swaps, every | ratio | without beginnings |\n"
       "|---|---:|---:|---:|---:|---:|---:|");
  for (int g = 0; g < GLASSES; g++) {
    double median[WAYS], begin[WAYS], goal;
    lbp_qubo m;
    lbp_rng rng;
    lbp_rng_init(&rng, 64, (uint64_t)g);
    torus(&t, sides, 3, &rng);
    make(&m, &t);
    goal = temper(&m, ways[0], 2000, 99).best; /* of eight ladders: 160,000 sweeps of each rung */
    for (int k = 0; k < WAYS; k++) {
      double took[SEEDS];
      begin[k] = begin_of(&m, ways[k]);
      for (int s = 0; s < SEEDS; s++) {
        const found f = run_to(&m, ways[k], goal, (uint64_t)s + 1);
        took[s] = f.seconds;
        fprintf(csv.to, "%d,%.0f,%s,%d,%u,%d,%llu,%.4g,%.4g\n", g + 1, goal, k == 0 ? "lanes" : "Metropolis",
                k == 0 ? 8 : 1, (unsigned)ways[k].swap_every, s + 1, (unsigned long long)f.sweeps, 1e3 * took[s], 1e3 * begin[k]);
        bench_flush(&csv);
      }
      median[k] = bench_median(took, SEEDS);
    }
    const int best = median[2] < median[1] ? 2 : 1;
    whole[g] = median[best] / median[0];
    beyond[g] = (median[best] - begin[best]) / fmax(median[0] - begin[0], 1e-6);
    printf("| %d | %.0f | %.1f, %.1f | %.1f, %.1f | %u | %.1f | %.1f |\n", g + 1, goal, 1e3 * median[0], 1e3 * begin[0],
           1e3 * median[best], 1e3 * begin[best], (unsigned)ways[best].swap_every, whole[g], beyond[g]);
    fflush(stdout);
    lbp_qubo_free(&m);
  }
  bench_close(&csv);
  lbp_sort(whole, GLASSES), lbp_sort(beyond, GLASSES);
  const double ratio = lbp_quantile(whole, GLASSES, 0.5);
  printf("\nThe median of ratios is %.1f, without beginnings %.1f; must be 10: %s.\n", ratio,
         lbp_quantile(beyond, GLASSES, 0.5), ratio >= 10 ? "met" : "missed");
}

static void races(const char *folder, double seconds) {
  static const char head[] = "graphs,graph,turn,sampler,reads,sweeps,seconds,mean,best";
  const bench_file csv = bench_create(folder, "annealing.csv", head);
  puts("| sum of J s s', mean / best | lanes, 256 reads | Metropolis, 16 | 256 | mean, lanes less 16 | not behind |\n"
       "|---|---:|---:|---:|---:|---|");
  race(&csv, "torus 40x50", 0, seconds);
  race(&csv, "like G1", 1, seconds);
  race(&csv, "like G22", 2, seconds);
  race(&csv, "like G43", 3, seconds);
  bench_close(&csv);
}

int main(int argc, char **argv) {
  bench_start(1);
  if (argc >= 3 && strcmp(argv[1], "annealing") == 0) {
    races(argv[2], argc > 3 ? strtod(argv[3], NULL) : 1);
  } else if (argc == 3 && strcmp(argv[1], "glasses") == 0) {
    glasses(argv[2]);
    bench_draw("lanes", "lanes_runs", argv[2]);
  } else {
    basic_die("lanes_runs annealing FOLDER [SECONDS], or lanes_runs glasses FOLDER");
  }
  return 0;
}
