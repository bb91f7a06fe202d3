/* lanes - multi-spin coding (LBP_LANES) next to NAME_metropolis_sweep of the same model, in turns on one core; and
 * energies of Ising models next to Kaufman's. `make bench-lanes` runs it as it is built for several processors.
 *
 *   lanes sweeps FOLDER NAME: FOLDER/NAME.csv, ns a site and chain, 256 chains
 *   lanes energies FOLDER: FOLDER/energies.csv
 *
 * Both print a table that says whether targets are met: those of AVX2, or of any x86-64 where the compiler has none. */
#include "../../lbp_models.h"
#include "../common/harness.h"
#include "../../tests/exact/torus.h"

enum { LANES_MOST = 256 * 256, EDGES_MOST = 2 * LANES_MOST, DEGREE_MOST = 100, LANES_TURNS = 11, CHAINS = 256 };

/* Edges of couplings 1 and -1. */
typedef struct {
  uint32_t n, edges, end[EDGES_MOST][2];
  int8_t J[EDGES_MOST];
} spins;

LBP_FN uint32_t spins_sites(const spins *m, uint32_t t, uint32_t *out) {
  out[0] = m->end[t][0], out[1] = m->end[t][1];
  return 2;
}

#define LBP_NAME          spins
#define LBP_MODEL_T       spins
#define LBP_TERM_COUNT(m) (m)->edges
#define LBP_TERM_SITES    spins_sites
#define LBP_TERM(m, t, v) ((v)[0] == (v)[1] ? (m)->J[t] : -(m)->J[t])
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  DEGREE_MOST
#define LBP_UNIT(m)       1
#define LBP_TEMPERED
#define LBP_SWEEPS
#define LBP_LANES         256
#include "../../lbp.h"

static void add(spins *m, uint32_t a, uint32_t b, int J) {
  m->end[m->edges][0] = a, m->end[m->edges][1] = b;
  m->J[m->edges++] = (int8_t)J;
}

/* A torus of `sides` dimensions; both: couplings of both signs. */
static void make_torus(spins *m, uint32_t side, int sides, int both, lbp_rng *rng) {
  uint32_t n = 1, step = 1;
  for (int d = 0; d < sides; d++) n *= side;
  m->n = n, m->edges = 0;
  for (int d = 0; d < sides; d++, step *= side) {
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t at = i / step % side;
      add(m, i, at + 1 < side ? i + step : i - at * step, both && lbp_rng_u64(rng) >> 63 ? -1 : 1);
    }
  }
}

/* Like G1 of the G-set: 800 sites, 19,176 edges, all of them -1. */
static void make_graph(spins *m, lbp_rng *rng) {
  m->n = 800, m->edges = 0;
  while (m->edges < 19176) {
    const uint32_t a = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), 800), b = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), 800);
    if (a != b) add(m, a, b, -1);
  }
}

static spins model;
static spins_terms terms;
static spins_chain chain;
static spins_lanes lanes;
static void *memory[4];

static void *take(size_t bytes) {
  void *p = calloc(bytes, 1);
  if (!p) exit(1);
  return p;
}

static void begin(double beta) {
  const size_t index = spins_terms_len(&model, model.n);
  double betas[CHAINS];
  size_t len;
  for (int k = 0; k < 4; k++) free(memory[k]);
  memory[0] = take(4 * index), memory[1] = take(model.n), memory[2] = take(8 * LBP_WS_LEN(model.n));
  bench_expect(spins_terms_init(&terms, &model, model.n, (uint32_t *)memory[0], index), "terms");
  bench_expect(spins_init(&chain, model.n, (uint8_t *)memory[1], &terms, (uint64_t *)memory[2], LBP_WS_LEN(model.n)),
               "chain");
  spins_temper(&chain, beta);
  len = spins_lanes_len(&chain, &model);
  memory[3] = take(8 * len);
  bench_expect(spins_lanes_init(&lanes, &chain, &model, CHAINS, (uint64_t *)memory[3], len), "lanes");
  for (int l = 0; l < CHAINS; l++) betas[l] = beta;
  bench_expect(spins_lanes_temper(&lanes, betas), "temperatures");
}

static void compare(const bench_file *csv, const char *name, double beta, double target) {
  double ours[3][LANES_TURNS], theirs[LANES_TURNS];
  const int sweeps = 1 + 1000000 / (int)model.n, few = 1 + sweeps / 10;
  lbp_rng rng;
  lbp_rng_init(&rng, 7, 0);
  begin(beta);
  for (int t = 0; t < 200; t++) spins_lanes_metropolis_sweep(&lanes, &rng), spins_metropolis_sweep(&chain, &model, &rng);
  for (int turn = 0; turn < LANES_TURNS; turn++) {
    double start = bench_cpu_now();
    for (int t = 0; t < sweeps / 4 + 1; t++) spins_lanes_metropolis_sweep(&lanes, &rng);
    ours[0][turn] = 1e9 * (bench_cpu_now() - start) / (sweeps / 4 + 1) / model.n / CHAINS;
    start = bench_cpu_now();
    for (int t = 0; t < sweeps / 4 + 1 && lanes.planes <= 3; t++) spins_lanes_gibbs_sweep(&lanes, &rng);
    ours[1][turn] = 1e9 * (bench_cpu_now() - start) / (sweeps / 4 + 1) / model.n / CHAINS;
    spins_lanes_units(&lanes);
    start = bench_cpu_now();
    for (int t = 0; t < sweeps / 4 + 1; t++) spins_lanes_metropolis_sweep(&lanes, &rng);
    ours[2][turn] = 1e9 * (bench_cpu_now() - start) / (sweeps / 4 + 1) / model.n / CHAINS;
    lanes.keeps = 0;
    start = bench_cpu_now();
    for (int t = 0; t < few; t++) spins_metropolis_sweep(&chain, &model, &rng);
    theirs[turn] = 1e9 * (bench_cpu_now() - start) / few / model.n;
  }
  const double sweep = bench_median(ours[0], LANES_TURNS), kept = bench_median(ours[2], LANES_TURNS);
  const double alone = bench_median(theirs, LANES_TURNS);
  char heat[20] = "";
  if (lanes.planes <= 3) snprintf(heat, sizeof heat, "%.4g", bench_median(ours[1], LANES_TURNS));
  fprintf(csv->to, "%s,%u,%g,%.4g,%s,%.4g,%.4g,%g\n", name, model.n, beta, sweep, heat, kept, alone, target);
  bench_flush(csv);
  printf("| %s, beta %g | %.3g | %s | %.3g | %.3g | %.2f | %s |\n", name, beta, sweep, heat, kept, alone, target,
         sweep <= target ? "met" : "missed");
  fflush(stdout);
}

/* The energy a site, sum of s s', of 256 chains, next to the derivative of Kaufman's log Z; 5 standard errors. */
static void energy(const bench_file *csv, uint32_t side, double beta, int sweeps) {
  const double d = 1e-5, exact = (torus_log_z(side, beta + d) - torus_log_z(side, beta - d)) / (2 * d) / model.n;
  double mean[CHAINS] = {0}, sum = 0, squares = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, 9, side);
  begin(beta);
  for (int t = 0; t < 2 * sweeps; t++) {
    spins_lanes_metropolis_sweep(&lanes, &rng);
    if (t < sweeps) continue;
    const int64_t *now = spins_lanes_units(&lanes);
    for (int l = 0; l < CHAINS; l++) mean[l] += (double)now[l] / model.n / sweeps;
  }
  for (int l = 0; l < CHAINS; l++) sum += mean[l] / CHAINS;
  for (int l = 0; l < CHAINS; l++) squares += (mean[l] - sum) * (mean[l] - sum);
  const double error = sqrt(squares / (CHAINS - 1) / CHAINS);
  fprintf(csv->to, "%u,%g,%.8f,%.8f,%.8f,%.3f\n", side, beta, sum, error, exact, (sum - exact) / error);
  bench_flush(csv);
  printf("| %u^2, beta %.2f | %.6f +- %.6f | %.6f | %.1f |\n", side, beta, sum, error, exact, (sum - exact) / error);
  fflush(stdout);
}

static void all_sweeps(const char *folder, const char *name) {
#ifdef __AVX2__
  const double targets[3] = {0.20, 0.22, 0.70};
#else
  const double targets[3] = {0.50, 0.50, 0.50};
#endif
  char path[200];
  lbp_rng rng;
  snprintf(path, sizeof path, "%s.csv", name);
  const bench_file csv = bench_create(folder, path, "model,n,beta,lanes,heat_bath,with_energies,metropolis,target");
  lbp_rng_init(&rng, 2026, 0);
  puts("| ns a site and chain | lanes | heat bath | with energies | NAME_metropolis_sweep, by terms | must | |\n"
       "|---|---:|---:|---:|---:|---:|---|");
  make_torus(&model, 64, 2, 0, &rng);
  compare(&csv, "Ising 64^2", 0.44, targets[0]);
  compare(&csv, "Ising 64^2", 0.80, targets[0]);
  make_torus(&model, 256, 2, 0, &rng);
  compare(&csv, "Ising 256^2", 0.44, targets[0]);
  make_torus(&model, 20, 3, 1, &rng);
  compare(&csv, "glass 20^3", 0.5, targets[1]);
  make_graph(&model, &rng);
  compare(&csv, "like G1", 0.3, targets[2]);
  bench_close(&csv);
}

static void all_energies(const char *folder) {
  static const double betas[5] = {0.2, 0.3, 0.38, 0.44, 0.5};
  const bench_file csv = bench_create(folder, "energies.csv", "side,beta,energy,error,exact,errors_off");
  lbp_rng rng;
  lbp_rng_init(&rng, 2026, 0);
  puts("| energy a site | lanes | Kaufman | errors off |\n|---|---:|---:|---:|");
  make_torus(&model, 64, 2, 0, &rng);
  for (int k = 0; k < 5; k++) energy(&csv, 64, betas[k], k == 3 ? 40000 : 4000);
  make_torus(&model, 256, 2, 0, &rng);
  for (int k = 0; k < 5; k++) { /* at the critical point single flips need 10^5 sweeps and more */
    if (k != 3) energy(&csv, 256, betas[k], k < 2 ? 400 : 2000);
  }
  bench_close(&csv);
}

int main(int argc, char **argv) {
  (void)torus_law, (void)torus_free, (void)law_pick; /* log Z is all that is needed */
  bench_start(1);
  if (argc == 4 && strcmp(argv[1], "sweeps") == 0) all_sweeps(argv[2], argv[3]);
  else if (argc == 3 && strcmp(argv[1], "energies") == 0) all_energies(argv[2]);
  else basic_die("lanes sweeps FOLDER NAME, or lanes energies FOLDER");
  return 0;
}
