/* Cuts of the G-set's graphs into two halves of one size, as small or as large as annealing finds them: swaps by
 * NAME_anneal, next to the same annealing in plain C.
 *
 *   bisection DATA SECONDS [GRAPH...]: DATA is the folder of G1.txt.gz ...; SECONDS of CPU time a read, on one thread
 *
 * The plain program knows that there is one group, that weights are whole numbers, and which two sites have an edge: a
 * matrix of n^2 bytes. It keeps the gain of each site's flip, so that a rejected swap costs three look-ups.
 * Schedules are of one shape, from the same hot to the same cold end, and as long as SECONDS are good for. */
#define CUT_BALANCED
#define MOST_NEIGHBOURS 512
#include "../search/graphs.h"

enum { READS = 32 };

/* ---- plain C ----------------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t n, *start, *to; /* site i's neighbours are to[start[i]] to to[start[i + 1] - 1] */
  int8_t *weight;          /* [n][n] what an edge is worth where it is cut */
} plain_graph;

static plain_graph plain_init(const lbp_qubo *m) {
  const uint32_t n = m->n;
  plain_graph g = {n, NULL, NULL, NULL};
  uint32_t i, j, count = 0;
  g.start = (uint32_t *)basic_alloc(n + 1, sizeof *g.start);
  g.to = (uint32_t *)basic_alloc(2 * (size_t)m->terms.count, sizeof *g.to);
  g.weight = (int8_t *)basic_alloc((size_t)n * n, 1);
  for (i = 0; i < m->terms.count; i++) {
    const uint32_t *end = m->terms.ends + 2 * (size_t)i;
    if (end[0] == end[1]) continue;
    g.weight[(size_t)end[0] * n + end[1]] = g.weight[(size_t)end[1] * n + end[0]] = (int8_t)(m->terms.value[i] / 2);
  }
  for (i = 0; i < n; i++) {
    g.start[i] = count;
    for (j = 0; j < n; j++) {
      if (g.weight[(size_t)i * n + j] != 0) g.to[count++] = j;
    }
  }
  g.start[n] = count;
  return g;
}

/* Site i changes sides; gain[j] is what the cut gains where site j does. */
static void plain_flip(const plain_graph *g, uint8_t *x, int32_t *gain, uint32_t i) {
  const int8_t *weight = g->weight + (size_t)i * g->n;
  x[i] ^= 1;
  gain[i] = -gain[i];
  for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
    const uint32_t j = g->to[k];
    gain[j] += x[i] == x[j] ? 2 * weight[j] : -2 * weight[j];
  }
}

/* One read; the best cut of those after each sweep. */
static double plain_read(const plain_graph *g, double hot, double cold, uint64_t sweeps, uint64_t seed) {
  const uint32_t n = g->n, ones = n / 2;
  const uint64_t slow = sweeps - sweeps / 32;
  int32_t *gain = (int32_t *)basic_alloc(n, sizeof *gain);
  uint32_t *site = (uint32_t *)basic_alloc(n, sizeof *site), i, j, k; /* the ones, then the zeros */
  uint8_t *x = (uint8_t *)basic_alloc(n, 1);
  int64_t cut = 0, best = INT64_MIN;
  uint64_t sweep;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 0);
  for (i = 0; i < n; i++) site[i] = i;
  for (i = 0; i < n; i++) {
    for (k = g->start[i]; k < g->start[i + 1]; k++) gain[i] += g->weight[(size_t)i * n + g->to[k]];
  }
  for (k = 0; k < ones; k++) {
    j = k + (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), n - k);
    i = site[j];
    site[j] = site[k];
    site[k] = i;
    cut += gain[i];
    plain_flip(g, x, gain, i);
  }
  for (sweep = 0; sweep < sweeps; sweep++) {
    const double way = slow > 1 ? (double)sweep / (double)(slow - 1) : 1;
    const double beta = sweep < slow ? hot + (cold - hot) * way : 10 * cold;
    for (k = 0; k < ones; k++) {
      const uint32_t one = (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), ones);
      const uint32_t zero = ones + (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), n - ones);
      int32_t d;
      i = site[one];
      j = site[zero];
      d = gain[i] + gain[j] + 2 * g->weight[(size_t)i * n + j];
      if (d < 0 && !(lbp_u01(lbp_rng_u64(&rng)) < exp(beta * d))) continue;
      plain_flip(g, x, gain, i);
      plain_flip(g, x, gain, j);
      site[one] = j;
      site[zero] = i;
      cut += d;
    }
    if (cut > best) best = cut;
  }
  BENCH_FREE(gain, site, x);
  return (double)best;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  int sampler; /* as runs have it by default: n / 32 swaps a path; R tuned */
} solver;

static const solver solvers[] = {{"plain C", LBP_SAMPLER_DEFAULT},
                                 {"paths", LBP_SAMPLER_SWAP_PATH},
                                 {"sweeps of uniform swaps", LBP_SAMPLER_SWAP_SWEEP},
                                 {"R swaps by weight", LBP_SAMPLER_SWAP}};

/* Reads of so many steps, the cut of each into best[READS]; returns the CPU seconds of one. The first solver is told
 * the range of temperatures that the others find. */
static double anneal(const lbp_qubo *m, const plain_graph *g, const solver *s, double *range, uint64_t steps,
                     double *best) {
  const double begin = bench_cpu_now();
  lbp_run run;
  lbp_run_result found;
  for (uint32_t k = 0; k < READS && s == solvers; k++) best[k] = plain_read(g, range[0], range[1], steps, k + 1);
  if (s == solvers) return (bench_cpu_now() - begin) / READS;
  lbp_run_init(&run);
  run.chains = READS;
  run.sampler = s->sampler;
  run.annealing.sweeps = steps;
  run.check_trials = 0;
  if (cut_anneal(&run, m, m->n, &found) != LBP_OK) basic_die("%s: %s", s->name, found.message);
  memcpy(best, found.best_logp, READS * sizeof *best);
  range[0] = found.hot;
  range[1] = found.cold;
  lbp_run_free(&found);
  return (bench_cpu_now() - begin) / READS;
}

/* A line of the table for each solver. */
static void race(const char *graph, const lbp_qubo *m, int smallest, double seconds) {
  const uint32_t count = sizeof solvers / sizeof solvers[0];
  const double sign = smallest ? -1 : 1;
  plain_graph g = plain_init(m);
  double range[2] = {0, 0}, best[READS], taken;
  uint32_t k, r;
  anneal(m, &g, &solvers[1], range, 1, best);
  for (k = 0; k < count; k++) {
    uint64_t steps = 16;
    estimate it;
    for (taken = 0; taken < seconds / 16; ) taken = anneal(m, &g, &solvers[k], range, steps *= 2, best);
    for (r = 0; r < 5; r++) { /* a quarter of the time says what all of it is good for, to a few percent */
      if (r > 1 && fabs(taken / seconds - 1) < 0.04) break;
      steps = (uint64_t)((double)steps * seconds / taken / (r == 0 ? 4 : 1));
      taken = anneal(m, &g, &solvers[k], range, steps, best);
    }
    for (r = 0; r < READS; r++) best[r] *= sign;
    it = bench_estimate(best, READS);
    printf("| %s | %s | %s | %llu | %.3f | %.1f +- %.1f | %.0f |\n", graph, smallest ? "smallest" : "largest",
           solvers[k].name, (unsigned long long)steps, taken, it.mean, it.se,
           bench_quantile(best, READS, smallest ? 0 : 1));
  }
  BENCH_FREE(g.start, g.to, g.weight);
}

int main(int argc, char **argv) {
  static const char *const usual[] = {"G1", "G14", "G22"};
  const uint32_t graphs = argc > 3 ? (uint32_t)argc - 3 : 3;
  const double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
  if (argc < 3 || !(seconds > 0)) basic_die("bisection DATA SECONDS [GRAPH...]");
  bench_start(1);
  printf("| graph | cut | by | steps | CPU s a read | mean of %d reads | best |\n"
         "|---|---|---|---:|---:|---:|---:|\n", READS);
  for (uint32_t k = 0; k < graphs; k++) {
    const char *graph = argc > 3 ? argv[3 + k] : usual[k];
    lbp_qubo_terms *t;
    lbp_qubo largest, smallest;
    uint32_t n;
    if (!read_graph(argv[1], graph, &largest, &n)) {
      printf("%s/%s.txt.gz is not there: left out\n", argv[1], graph);
      continue;
    }
    race(graph, &largest, 0, seconds);
    t = &largest.terms;
    cut_negate(t);
    bench_expect(lbp_qubo_init(&smallest, n, t->count, t->ends, t->value, t->offset, MOST_NEIGHBOURS), graph);
    race(graph, &smallest, 1, seconds);
    lbp_qubo_free(&smallest);
    lbp_qubo_free(&largest);
  }
  return 0;
}
