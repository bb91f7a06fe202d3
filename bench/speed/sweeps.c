/* sweeps - times of a site in a sweep next to a loop by hand in the same order: Gibbs sweeps of a Potts grid, Metropolis
 * sweeps of an Ising grid by level (LBP_LEVEL). Medians of ratios, by turns. `make bench-sweeps`; some ten seconds.
 * Writes sweeps.csv. */
#include <math.h>

#include "../../lbp_models.h"
#include "../../lbp/models/potts.h"
#include "../common/turns.h"

enum { SIDE = 256, SITES = SIDE * SIDE, WIDE = 1024, WIDE_SITES = WIDE * WIDE, WARM_UP = 60 };

/* A line, and a row of the file. `way`: how the model gives its numbers. */
static void print_sweeps(FILE *csv, const char *sweep, int states, double beta, const char *way, const double *ours,
                         const double *theirs, double target) {
  char name[64];
  double ratio[TURNS];
  snprintf(name, sizeof name, "%s, %d values, beta %.2f, by %s", sweep, states, beta, way);
  print_turns("float", name, ours, theirs, target);
  for (int k = 0; k < TURNS; k++) ratio[k] = ours[k] / theirs[k];
  fprintf(csv, "%s,%d,%g,%s,%.2f,%.2f,%.3f,%.3f,%.3f\n", sweep, states, beta, way, bench_median(ours, TURNS),
          bench_median(theirs, TURNS), bench_median(ratio, TURNS), bench_quantile(ratio, TURNS, 0.25),
          bench_quantile(ratio, TURNS, 0.75));
}

#define STATES     3
#define GRID(name) three_##name
#include "sweeps_potts.h"
#define STATES     8
#define GRID(name) eight_##name
#include "sweeps_potts.h"

/* ---- an Ising torus ---------------------------------------------------------------------------------------------- */

typedef struct {
  float beta;
} torus;

static uint32_t torus_neighbours(const torus *m, uint32_t i, uint32_t *out) {
  const uint32_t col = i % WIDE;
  (void)m;
  out[0] = (i - WIDE) % WIDE_SITES;
  out[1] = (i + WIDE) % WIDE_SITES;
  out[2] = col > 0 ? i - 1 : i + WIDE - 1;
  out[3] = col + 1 < WIDE ? i + 1 : i + 1 - WIDE;
  return 4;
}

LBP_INLINE uint32_t torus_level(const torus *m, const uint8_t *x, uint32_t i) {
  uint32_t list[4];
  torus_neighbours(m, i, list);
  return 2u * ((uint32_t)x[list[0]] + x[list[1]] + x[list[2]] + x[list[3]]) + x[i];
}

static float torus_ratio(const torus *m, uint32_t level) {
  return (level & 1 ? -4.0f : 4.0f) * m->beta * (float)((int)(level / 2) - 2);
}

static float torus_delta(const torus *m, const uint8_t *x, uint32_t i) { return torus_ratio(m, torus_level(m, x, i)); }

#define LBP_NAME           torus_by_level
#define LBP_MODEL_T        torus
#define LBP_REAL           float
#define LBP_DELTA          torus_delta
#define LBP_NEIGHBOURS     torus_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LEVEL          torus_level
#define LBP_LEVELS         10
#include "../../lbp.h"

static void sweep_by_hand(uint8_t *x, const uint64_t *bar, lbp_rng *rng) {
  uint64_t word[WIDE];
  for (uint32_t row = 0; row < WIDE; row++) {
    uint8_t *here = x + row * WIDE;
    const uint8_t *up = x + (row + WIDE - 1) % WIDE * WIDE, *down = x + (row + 1) % WIDE * WIDE;
    lbp_rng_fill(rng, word, WIDE);
    for (uint32_t col = 0; col < WIDE; col++) {
      const uint32_t ones = (uint32_t)up[col] + down[col] + here[(col + WIDE - 1) % WIDE] + here[(col + 1) % WIDE];
      here[col] = (uint8_t)(here[col] ^ (word[col] >> 2 < bar[2 * ones + here[col]]));
    }
  }
}

static void compare_levels(FILE *csv, float beta) {
  static torus_by_level_chain c;
  static uint8_t x[2][WIDE_SITES];
  const torus m = {beta};
  const size_t words = torus_by_level_ws_len(WIDE_SITES);
  uint64_t *ws = (uint64_t *)basic_alloc(words, sizeof *ws), bar[10];
  double ours[TURNS], theirs[TURNS];
  const int ordered = beta > 0.44f; /* else walls take long to go */
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
  for (uint32_t i = 0; i < WIDE_SITES; i++) x[0][i] = x[1][i] = ordered ? 1 : (uint8_t)(lbp_rng_u64(&rng) >> 63);
  for (uint32_t k = 0; k < 10; k++) bar[k] = (uint64_t)(fmin(exp((double)torus_ratio(&m, k)), 1) * 4611686018427387904.0);
  bench_expect(torus_by_level_init(&c, WIDE_SITES, x[0], ws, words), "chain");
  for (int turn = -WARM_UP; turn < TURNS; turn++) {
    const double begin = bench_cpu_now();
    torus_by_level_metropolis_sweep(&c, &m, &rng);
    const double middle = bench_cpu_now();
    sweep_by_hand(x[1], bar, &rng);
    if (turn < 0) continue;
    ours[turn] = 1e9 * (middle - begin) / WIDE_SITES;
    theirs[turn] = 1e9 * (bench_cpu_now() - middle) / WIDE_SITES;
  }
  print_sweeps(csv, "Metropolis", 2, (double)(int)(100 * beta + 0.5f) / 100, "level", ours, theirs, 1.2);
  free(ws);
}

int main(void) {
  bench_start(1);
  const bench_file csv =
    bench_create("bench/out", "sweeps.csv", "sweep,values,beta,by,ns_a_site,by_hand,ratio,low,high");
  printf("CPU time of a site in ns: medians of %d turns.\n", TURNS);
  print_turns_head("type", "ours / by hand");
  three_compare(csv.to, 0.5);
  three_compare(csv.to, 1.0);
  eight_compare(csv.to, 0.5);
  eight_compare(csv.to, 1.3);
  compare_levels(csv.to, 0.1f);
  compare_levels(csv.to, 0.3f);
  compare_levels(csv.to, 0.44f);
  compare_levels(csv.to, 0.6f);
  bench_close(&csv);
  printf("Rows: %s\n", csv.path);
  return 0;
}
