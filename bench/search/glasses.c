/* Ground states of spin glasses on cubes of 6^3 sites with periodic edges, couplings +-1 or normal: those on which
 * annealing and tempering agree, which know nothing of each other.
 *
 *   glasses OUT: OUT gets glasses.csv, a line for each of 40 glasses. Exits with 1 if there is one on which they differ.
 *
 * Both search in rounds, each of four times as many sweeps as the one before, until they agree after two rounds in a row,
 * the second of which has found nothing lower. Couplings +-1 have many ground states; normal ones have one and its mirror image,
 * so that states are compared, too. */
#include "../common/harness.h"
#define MOST_NEIGHBOURS 6
#include "../../examples/cut.h"

enum { SIDE = 6, SITES = SIDE * SIDE * SIDE, GLASSES = 20, READS = 32, CHAINS = 4, RUNGS = 24, FIRST = 2000, ROUNDS = 5 };

static const double gap = 1e-4; /* energies that differ by less do so by rounding: mirror images, above all */

/* The energy -sum J s s', with s = 1 - 2x, over neighbours along each of three axes. */
static void make_glass(lbp_qubo *m, int normal, uint32_t seed) {
  static const uint32_t stride[3] = {1, SIDE, SIDE * SIDE};
  uint32_t ends[2 * 9 * SITES], count = 0, i, axis, k;
  double value[9 * SITES], offset = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, (uint64_t)normal);
  for (i = 0; i < SITES; i++) {
    for (axis = 0; axis < 3; axis++) {
      const uint32_t wraps = i / stride[axis] % SIDE == SIDE - 1;
      const uint32_t pair[2] = {i, wraps ? i - (SIDE - 1) * stride[axis] : i + stride[axis]};
      const double u = 1 - lbp_u01(lbp_rng_u64(&rng)), v = lbp_u01(lbp_rng_u64(&rng));
      const double J = normal ? sqrt(-2 * log(u)) * cos(6.283185307179586 * v) : v < 0.5 ? -1 : 1;
      offset -= J;
      for (k = 0; k < 3; k++) { /* s s' = 1 - 2x - 2x' + 4 x x' */
        ends[2 * count] = pair[k == 1];
        ends[2 * count + 1] = pair[k != 0];
        value[count++] = k == 2 ? -4 * J : 2 * J;
      }
    }
  }
  bench_expect(lbp_qubo_init(m, SITES, count, ends, value, offset, MOST_NEIGHBOURS), "a glass");
}

/* What a method has found in a glass. */
typedef struct {
  double energy;
  uint32_t found, of; /* in the last round: how many reads, or chains, came to that energy */
  uint8_t x[SITES];
} finding;

static void note(finding *f, const lbp_run_result *result) {
  if (-result->best_logp[0] < f->energy - gap) {
    f->energy = -result->best_logp[0];
    memcpy(f->x, result->best, SITES);
  }
  f->of = result->chains;
  for (f->found = 0; f->found < f->of && -result->best_logp[f->found] < f->energy + gap; f->found++) continue;
}

static int agree(const finding *a, const finding *b, int normal) {
  uint32_t i, same = 0;
  if (!(fabs(a->energy - b->energy) < gap)) return 0;
  for (i = 0; i < SITES; i++) same += a->x[i] == b->x[i];
  return !normal || same == 0 || same == SITES;
}

/* A round of each method: found[0], by annealing; found[1], by tempering. */
static void search(const lbp_qubo *m, uint32_t sweeps, uint64_t seed, finding *found) {
  lbp_run_result result;
  lbp_run run;
  lbp_run_init(&run);
  run.chains = READS;
  run.annealing.sweeps = sweeps;
  run.seed = seed;
  if (cut_anneal(&run, m, SITES, &result) != LBP_OK) basic_die("%s", result.message);
  note(&found[0], &result);
  lbp_run_free(&result);
  lbp_run_init(&run);
  run.sampler = LBP_SAMPLER_METROPOLIS;
  run.chains = CHAINS;
  run.tempering.rungs = RUNGS;
  run.tempering.adapt_ends = 1;
  run.warmup = sweeps / 2;
  run.draws = sweeps / 2;
  run.seed = seed;
  if (cut_run(&run, m, SITES, &result) != LBP_OK) basic_die("%s", result.message);
  note(&found[1], &result);
  lbp_run_free(&result);
}

int main(int argc, char **argv) {
  static const char *const kind[2] = {"+-1", "normal"};
  uint32_t agreed[2] = {0, 0}, seed;
  if (argc != 2) basic_die("glasses OUT");
  bench_start(0);
  const bench_file csv = bench_create(argv[1], "glasses.csv", "couplings,seed,rounds,sweeps,energy_anneal,found_anneal,"
                                                              "reads,energy_temper,found_temper,chains");
  for (int normal = 0; normal < 2; normal++) {
    for (seed = 1; seed <= GLASSES; seed++) {
      finding found[2];
      uint32_t sweeps = FIRST, round = 0, agreeing = 0;
      lbp_qubo m;
      found[0].energy = found[1].energy = HUGE_VAL;
      make_glass(&m, normal, seed);
      for (; round < ROUNDS && agreeing < 2; round++, sweeps *= 4) {
        const double before = found[0].energy;
        search(&m, sweeps, (uint64_t)ROUNDS * seed + round, found);
        agreeing = !agree(&found[0], &found[1], normal) ? 0 : before < found[0].energy + gap ? agreeing + 1 : 1;
      }
      agreed[normal] += agreeing == 2;
      fprintf(csv.to, "%s,%u,%u,%u,%.10g,%u,%u,%.10g,%u,%u\n", kind[normal], (unsigned)seed, (unsigned)round,
              (unsigned)sweeps / 4, found[0].energy, (unsigned)found[0].found, (unsigned)found[0].of, found[1].energy,
              (unsigned)found[1].found, (unsigned)found[1].of);
      bench_flush(&csv);
      printf("%-6s %2u  E = %.6f, by %2u of %u reads and %u of %u chains in round %u%s\n", kind[normal], (unsigned)seed,
             found[0].energy, (unsigned)found[0].found, (unsigned)found[0].of, (unsigned)found[1].found,
             (unsigned)found[1].of, (unsigned)round, agreeing == 2 ? "" : "; they do not agree");
      lbp_qubo_free(&m);
    }
  }
  bench_close(&csv);
  printf("ground states on which annealing and tempering agree: %u of %d with couplings +-1, %u of %d with normal ones\n",
         (unsigned)agreed[0], GLASSES, (unsigned)agreed[1], GLASSES);
  return agreed[0] + agreed[1] < 2 * GLASSES;
}
