/* The cluster moves of `make bench-compare` on Ising grids without field (bench/compare/clusters.h): clusters of Wolff
 * and of Swendsen-Wang, and Metropolis by table, on a grid of 4 x 4 against the law by enumeration. */
#include "../bench/compare/clusters.h"
#include "chi2.h"

enum { SIDE = 4, SITES = SIDE * SIDE, STATES = 1 << SITES, EDGES = 2 * SIDE * (SIDE - 1), APART = 24 };
#ifndef CLUSTERS_DRAWS
#define CLUSTERS_DRAWS 20000u
#endif

/* A state's cell by the numbers of edges between equal spins and of ones, and by its first eight sites. */
enum { BY_SUMS = (EDGES + 1) * (SITES + 1), BY_SITES = 256, CELLS = BY_SUMS + BY_SITES };

static uint32_t edges_of_equals(const lbp_ising *m, const uint8_t *x) {
  uint32_t i, equals = 0;
  for (i = 0; i < SITES; i++) {
    if (i % SIDE + 1 < SIDE) equals += x[i] == x[i + 1];
    if (i + SIDE < m->n) equals += x[i] == x[i + SIDE];
  }
  return equals;
}

/* Adds `weight` to both cells of x. */
static void put(const lbp_ising *m, const uint8_t *x, double weight, double *sum) {
  uint32_t i, ones = 0, first = 0;
  for (i = 0; i < SITES; i++) ones += x[i];
  for (i = 0; i < 8; i++) first |= (uint32_t)x[i] << i;
  sum[edges_of_equals(m, x) * (SITES + 1) + ones] += weight;
  sum[BY_SUMS + first] += weight;
}

static void enumerate(const lbp_ising *m, double *law) {
  double total = 0;
  uint32_t code, i;
  uint8_t x[SITES];
  memset(law, 0, CELLS * sizeof *law);
  for (code = 0; code < STATES; code++) {
    for (i = 0; i < SITES; i++) x[i] = code >> i & 1;
    total += exp(lbp_ising_logp(m, x));
    put(m, x, exp(lbp_ising_logp(m, x)), law);
  }
  for (i = 0; i < CELLS; i++) law[i] /= total;
}

enum { WOLFF, SWENDSEN_WANG, METROPOLIS, KINDS };

/* How likely draws so far from the law are; steps take lambda for the model's. */
static double odds(int kind, const lbp_ising *m, double lambda, const double *law, uint64_t seed) {
  static double sum[CELLS];
  static uint32_t seen[CELLS];
  const uint64_t bond = bond_words(lambda);
  checkerboard b;
  uint8_t x[SITES] = {0};
  uint32_t draw, t, i;
  double p, q;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, (uint64_t)kind);
  checkerboard_init(&b, lambda);
  checkerboard_copy(&b, SIDE, x, 0);
  memset(sum, 0, sizeof sum);
  for (draw = 0; draw < CLUSTERS_DRAWS; draw++) {
    for (t = 0; t < APART; t++) {
      if (kind == WOLFF) wolff_step(m, x, bond, &rng);
      if (kind == SWENDSEN_WANG) swendsen_wang_step(m, x, bond, &rng);
      if (kind == METROPOLIS) checkerboard_sweep(&b, SIDE, &rng);
    }
    if (kind == METROPOLIS) checkerboard_copy(&b, SIDE, x, 1);
    put(m, x, 1, sum);
  }
  for (i = 0; i < CELLS; i++) seen[i] = (uint32_t)sum[i];
  p = chi2_counts(seen, law, BY_SUMS, CLUSTERS_DRAWS);
  q = chi2_counts(seen + BY_SUMS, law + BY_SUMS, BY_SITES, CLUSTERS_DRAWS);
  return p < q ? p : q;
}

/* A step says how many sites it has flipped. */
static void test_counts(const lbp_ising *m) {
  uint8_t x[SITES] = {0}, before[SITES];
  uint32_t t, i, told, flips, right = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 9);
  for (t = 0; t < 1000; t++) {
    memcpy(before, x, sizeof x);
    told = (t % 2 ? wolff_step : swendsen_wang_step)(m, x, bond_words(m->lambda), &rng);
    for (flips = 0, i = 0; i < SITES; i++) flips += x[i] != before[i];
    right += told == flips;
  }
  CHECK(right == 1000);
}

int main(void) {
  static const double betas[] = {0.3, 0.4406868};
  static double law[CELLS];
  const double none[SITES] = {0};
  uint32_t b;
  int kind;
  for (b = 0; b < 2; b++) {
    lbp_ising m;
    if (lbp_ising_init(&m, SIDE, SIDE, betas[b], none) != LBP_OK) return 2;
    enumerate(&m, law);
    for (kind = 0; kind < KINDS; kind++) {
      CHECK(odds(kind, &m, betas[b], law, 1 + b) > CHI2_LEVEL);
      CHECK(odds(kind, &m, 1.15 * betas[b], law, 1 + b) < CHI2_LEVEL); /* of another law, and it is seen */
    }
    test_counts(&m);
    lbp_ising_free(&m);
  }
  return test_report();
}
