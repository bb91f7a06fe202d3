/* Multi-spin coding, lbp/options/lanes.h. Transitions of one sweep by enumeration, from one state, at seven
 * temperatures in interleaved lanes, and of pairs of lanes; sites of degree 0 to 250, and next to powers of two by how
 * many of their couplings are satisfied; energies, ones, best states and
 * swaps against sums over bytes; thresholds bit by bit; the same draws with vectors and without, on any machine;
 * refused options. About 1,500 chi-squared tests at level 1e-8, so a false alarm has probability 2e-5; and their
 * p-values are uniform. */
#include "chi2.h"
#include "../lbp.h"
#include "../lbp_models.h"
#include "../lbp/models/qubo.h"

enum {
  SPINS_SITES = 260,
  SPINS_EDGES = 600,
  SPINS_DEGREE = 300,
  SPINS_STATES = 256, /* of models that are enumerated */
  SPINS_PAIRS = 16,   /* states of each of two lanes */
  SPINS_BETAS = 7
};

static const double spins_betas[SPINS_BETAS] = {0, 0.4, 1, 0.7, 2, 0.15, 1.5};

/* Spins, and edges a - b with whole couplings; third: another site of its term, or NONE. */
typedef struct {
  uint32_t n, edges, a[SPINS_EDGES], b[SPINS_EDGES], third;
  double J[SPINS_EDGES], h[SPINS_SITES], unit;
  int hard;
} web_of_spins;

enum { SPINS_NONE = 0xffff };

LBP_FN uint32_t spins_sites(const web_of_spins *m, uint32_t t, uint32_t *out) {
  out[0] = m->a[t];
  out[1] = m->b[t];
  out[2] = m->third;
  return m->third == SPINS_NONE || t > 0 ? 2 : 3;
}
LBP_FN double spins_term(const web_of_spins *m, uint32_t t, const uint8_t *v) {
  if (m->hard && t == 0 && v[0] != v[1]) return (double)lbp_impossible();
  return v[0] == v[1] ? m->J[t] * m->unit : -m->J[t] * m->unit;
}
LBP_FN uint32_t spins_pairs(const web_of_spins *m, uint32_t i, uint32_t *site, double *J) {
  uint32_t t, count = 0;
  for (t = 0; t < m->edges; t++) {
    if (m->a[t] == i) site[count] = m->b[t], J[count++] = m->J[t] * m->unit;
    else if (m->b[t] == i) site[count] = m->a[t], J[count++] = m->J[t] * m->unit;
  }
  return count;
}
LBP_FN uint32_t spins_neighbours(const web_of_spins *m, uint32_t i, uint32_t *out) {
  double J[SPINS_DEGREE];
  return spins_pairs(m, i, out, J);
}
LBP_FN double spins_field(const web_of_spins *m, uint32_t i) { return m->h[i] * m->unit; }

/* Sum of J s s' and h s. */
static double spins_energy(const web_of_spins *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i, t;
  for (t = 0; t < m->edges; t++) sum += x[m->a[t]] == x[m->b[t]] ? m->J[t] : -m->J[t];
  for (i = 0; i < m->n; i++) sum += x[i] ? m->h[i] : -m->h[i];
  return sum;
}
LBP_FN double spins_logp(const web_of_spins *m, const uint8_t *x) { return spins_energy(m, x) * m->unit; }
LBP_FN double spins_delta(const web_of_spins *m, const uint8_t *x, uint32_t i) {
  double sum = m->h[i];
  uint32_t t;
  for (t = 0; t < m->edges; t++) {
    if (m->a[t] == i) sum += x[m->b[t]] ? m->J[t] : -m->J[t];
    else if (m->b[t] == i) sum += x[m->a[t]] ? m->J[t] : -m->J[t];
  }
  return (x[i] ? -2 : 2) * sum * m->unit;
}

static uint32_t spins_number(const uint8_t *x, uint32_t n) {
  uint32_t i, s = 0;
  for (i = 0; i < n && i < 32; i++) s |= (uint32_t)x[i] << i;
  return s;
}
static void spins_write(uint8_t *x, uint32_t n, uint32_t s) {
  uint32_t i;
  for (i = 0; i < n; i++) x[i] = (uint8_t)(i < 32 ? s >> i & 1 : 0);
}

/* The probability that a sweep flips site i. */
static double spins_flip(const web_of_spins *m, const uint8_t *x, uint32_t i, double beta, int heat) {
  const double d = beta * spins_delta(m, x, i);
  double reach = fabs(m->h[i]);
  uint32_t t;
  for (t = 0; t < m->edges; t++) reach += m->a[t] == i || m->b[t] == i ? fabs(m->J[t]) : 0;
  if (beta <= 0 || reach <= 0) return 0.5;
  if (heat) return 1 / (1 + exp(-d));
  return d >= 0 ? 1 : exp(d);
}

/* Transitions of one sweep from state s. */
static void spins_row(const web_of_spins *m, uint32_t s, double beta, int heat, const uint8_t *mask, double *row) {
  double next[SPINS_STATES];
  const uint32_t states = 1u << m->n;
  uint8_t x[SPINS_SITES];
  uint32_t i, r;
  for (r = 0; r < states; r++) row[r] = r == s;
  for (i = 0; i < m->n; i++) {
    if (mask && mask[i]) continue;
    for (r = 0; r < states; r++) next[r] = 0;
    for (r = 0; r < states; r++) {
      double p;
      spins_write(x, m->n, r);
      p = spins_flip(m, x, i, beta, heat);
      next[r] += row[r] * (1 - p);
      next[r ^ 1u << i] += row[r] * p;
    }
    memcpy(row, next, states * sizeof row[0]);
  }
}

/* p-values: each above the level, and all of them uniform. */
static uint32_t spins_tests, spins_tenths[10];
static void spins_judge(double p) {
  CHECK(p >= CHI2_LEVEL);
  if (p >= 1) return; /* one cell alone */
  spins_tenths[(int)(p * 10)]++;
  spins_tests++;
}

#define CASE       full
#define CASE_LANES 256
#include "cases/lanes_case.h"

#define CASE       plain
#define CASE_LANES 256
#define CASE_PLAIN
#include "cases/lanes_case.h"

#define CASE       narrow
#define CASE_LANES 64
#define CASE_PAIRS
#include "cases/lanes_case.h"

#ifdef API_QUICK
enum { ROUNDS = 400 };
#else
enum { ROUNDS = 4000 };
#define CASE      qubo
#define CASE_UNIT 1
#include "cases/lanes_ready_case.h"

#define CASE      graph
#define CASE_UNIT 1
#include "cases/lanes_ready_case.h"

#define CASE      ising
#define CASE_UNIT 0.25f
#include "cases/lanes_ready_case.h"

#define CASE       middle
#define CASE_LANES 128
#include "cases/lanes_case.h"
#endif

/* ---- models ------------------------------------------------------------------------------------------------------ */

static void spins_begin(web_of_spins *m, uint32_t n) {
  memset(m, 0, sizeof *m);
  m->n = n;
  m->unit = 0.17;
  m->third = SPINS_NONE;
}
static void spins_edge(web_of_spins *m, uint32_t a, uint32_t b, int J) {
  m->a[m->edges] = a;
  m->b[m->edges] = b;
  m->J[m->edges++] = J;
}
static uint32_t spins_below(lbp_rng *rng, uint32_t n) { return (uint32_t)lbp_mulhi(lbp_rng_u64(rng), n); }

/* n sites, edges of |J| up to `most`, of which some are parallel; fields up to `field`. sign: of all couplings; 0: both */
static void spins_random(web_of_spins *m, uint32_t n, uint32_t edges, uint32_t most, uint32_t field, int sign, lbp_rng *rng) {
  uint32_t i;
  spins_begin(m, n);
  while (n > 1 && m->edges < edges) {
    const uint32_t a = spins_below(rng, n), b = spins_below(rng, n);
    const int J = 1 + (int)spins_below(rng, most);
    if (a != b) spins_edge(m, a, b, sign ? sign * J : spins_below(rng, 2) ? J : -J);
  }
  for (i = 0; i < n; i++) m->h[i] = (double)spins_below(rng, 2 * field + 1) - field;
}

/* Site 0, and `degree` others around it. */
static void spins_star(web_of_spins *m, uint32_t degree, uint32_t most, int field, lbp_rng *rng) {
  uint32_t k;
  spins_begin(m, degree + 1);
  m->unit = 0.02;
  for (k = 1; k <= degree; k++) {
    const int J = 1 + (int)spins_below(rng, most);
    spins_edge(m, 0, k, spins_below(rng, 2) ? J : -J);
  }
  m->h[0] = field;
}

/* All pairs of n sites, that agree. */
static void spins_complete(web_of_spins *m, uint32_t n) {
  uint32_t a, b;
  spins_begin(m, n);
  m->unit = 0.5 / n;
  for (a = 0; a < n; a++) {
    for (b = 0; b < a; b++) spins_edge(m, a, b, 1);
  }
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static web_of_spins model;

static void test_transitions(void) {
  static const uint32_t counts[6] = {1, 63, 64, 65, 255, 256};
  static const uint32_t gaps[4] = {1, 7, 8, 64};
  uint32_t k;
  lbp_rng rng;
  lbp_rng_init(&rng, 11, 0);
  for (k = 0; k < 24; k++) {
    const uint32_t n = 1 + k % 5, edges = k % 3 == 0 ? n : 3 + k % 4;
    spins_random(&model, n, edges, k % 4 == 3 ? 7 : 1 + k % 2, k % 2 ? 4 : 0, k % 5 == 0 ? 1 : k % 5 == 1 ? -1 : 0, &rng);
    full_transitions(&model, counts[5 - k % 3], NULL, 0, ROUNDS, gaps[k % 4], &rng);
    narrow_transitions(&model, counts[k % 3], NULL, 0, 4 * ROUNDS, gaps[k % 3], &rng);
#ifndef API_QUICK
    if (k % 4 == 0) middle_transitions(&model, 128, NULL, 0, 2 * ROUNDS, gaps[k % 3], &rng);
    if (k % 4 == 1) middle_swaps(&model, 127, 127, ROUNDS / 100, &rng);
#endif
    if (full_all.planes > 3) continue;
    full_transitions(&model, counts[3 + k % 3], NULL, 1, ROUNDS, gaps[k % 4], &rng);
    narrow_transitions(&model, 64, NULL, 1, 4 * ROUNDS, gaps[k % 3], &rng);
  }
}

/* Grids as they are: four neighbours, D even; and in a field, D odd. */
static void test_grids(void) {
  uint32_t k, i;
  lbp_rng rng;
  lbp_rng_init(&rng, 12, 0);
  for (k = 0; k < 4; k++) {
    spins_begin(&model, 6);
    for (i = 0; i < 6; i++) {
      spins_edge(&model, i, (i + 1) % 6, k % 2 ? -1 : 1);
      spins_edge(&model, i, (i + 2) % 6, 1);
      model.h[i] = k / 2;
    }
    full_transitions(&model, 256, NULL, 0, ROUNDS, 8, &rng);
    full_transitions(&model, 256, NULL, 1, ROUNDS, 1, &rng);
  }
}

static void test_clamped(void) {
  static const uint8_t mask[6] = {0, 1, 0, 0, 1, 0}, all[6] = {1, 1, 1, 1, 1, 1};
  lbp_rng rng;
  lbp_rng_init(&rng, 13, 0);
  spins_random(&model, 6, 9, 2, 1, 0, &rng);
  full_transitions(&model, 256, mask, 0, ROUNDS, 1, &rng);
  narrow_transitions(&model, 64, mask, 0, ROUNDS, 1, &rng);
  full_sums(&model, 200, 6, mask, &rng);
  CHECK(full_make(&model, 256, all) == LBP_E_CLAMPED);
}

/* Stars and complete graphs on both sides of where a counter needs another plane. */
static void test_planes(void) {
  enum { COUNT_ROUNDS = 100 };
  static const uint32_t degrees[8] = {7, 8, 15, 16, 31, 32, 63, 64};
  uint32_t k, field;
  lbp_rng rng;
  lbp_rng_init(&rng, 21, 0);
  for (k = 0; k < 8; k++) {
    for (field = 0; field < 2; field++) {
      spins_star(&model, degrees[k], 1, (int)field, &rng);
      model.unit = 0.5 / degrees[k];
      full_counts(&model, 0, COUNT_ROUNDS, &rng);
      narrow_counts(&model, 0, COUNT_ROUNDS, &rng);
      if (degrees[k] < 16 && full_all.planes <= 3) full_counts(&model, 1, COUNT_ROUNDS, &rng);
    }
  }
  for (k = 0; k < 4; k++) { /* complete graphs */
    spins_complete(&model, degrees[k] + 1);
    full_counts(&model, 0, COUNT_ROUNDS, &rng);
    full_sums(&model, 256, 4, NULL, &rng);
  }
}

static void test_degrees(void) {
  static const uint32_t degrees[6] = {7, 15, 16, 63, 200, 250};
  uint32_t k;
  lbp_rng rng;
  lbp_rng_init(&rng, 14, 0);
  for (k = 0; k < 6; k++) {
    spins_star(&model, degrees[k], 1, k % 2 ? 1 : 0, &rng);
    full_first_site(&model, ROUNDS / 40, &rng);
    full_sums(&model, 256, 8, NULL, &rng);
  }
  spins_star(&model, 60, 7, -17, &rng); /* |J| up to 7 */
  full_first_site(&model, ROUNDS / 40, &rng);
  narrow_first_site(&model, ROUNDS / 10, &rng);
  full_sums(&model, 255, 8, NULL, &rng);
  spins_star(&model, 1, 1, 510, &rng); /* the largest sum there may be, and one more */
  model.unit = 0.002;
  full_first_site(&model, ROUNDS / 40, &rng);
  full_sums(&model, 256, 8, NULL, &rng);
  model.h[0] = 511;
  CHECK(full_make(&model, 256, NULL) == LBP_E_PLANES && full_all.fault.site == 0);
  CHECK_NEAR(full_all.fault.got, 512, 0);
  spins_star(&model, 2, 1, 0, &rng);
  model.J[0] = 300, model.J[1] = -211; /* nine bits of |J| */
  model.unit = 0.002;
  full_first_site(&model, ROUNDS / 40, &rng);
  full_sums(&model, 256, 8, NULL, &rng);
}

static void test_sums(void) {
  static const uint32_t counts[6] = {1, 63, 64, 65, 255, 256};
  uint32_t k;
  lbp_rng rng;
  lbp_rng_init(&rng, 15, 0);
  for (k = 0; k < 6; k++) {
    spins_random(&model, 70 + k, 100 + 40 * k, 1 + k, k, 0, &rng);
    full_sums(&model, counts[k], 8, NULL, &rng);
    if (counts[k] <= 64) narrow_sums(&model, counts[k], 8, NULL, &rng);
#ifndef API_QUICK
    if (counts[k] <= 128) middle_sums(&model, counts[k], 8, NULL, &rng);
#endif
  }
}

/* The largest sums: every coupling and field is satisfied, on a ring of six neighbours. */
static void test_order(void) {
  uint32_t i, l;
  uint8_t x[SPINS_SITES];
  spins_begin(&model, 150);
  for (i = 0; i < 150; i++) {
    for (l = 1; l <= 3; l++) spins_edge(&model, i, (i + l) % 150, 1);
    model.h[i] = 1;
  }
  CHECK(full_make(&model, 256, NULL) == LBP_OK);
  memset(x, 1, sizeof x);
  for (l = 0; l < 256; l++) full_lanes_put(&full_all, l, x);
  full_lanes_units(&full_all);
  for (l = 0; l < 256; l++) CHECK(full_all.units[l] == 600);
}

static void test_thresholds(void) {
  lbp_rng rng;
  lbp_rng_init(&rng, 16, 0);
  spins_random(&model, 5, 6, 1, 1, 0, &rng);
  full_thresholds(&model);
  narrow_thresholds(&model);
  spins_star(&model, 12, 1, 1, &rng);
  full_thresholds(&model);
  spins_star(&model, 250, 2, 1, &rng);
  full_thresholds(&model);
}

static void test_swaps(void) {
  lbp_rng rng;
  lbp_rng_init(&rng, 17, 0);
  spins_random(&model, 6, 12, 3, 1, 0, &rng);
  full_swaps(&model, 256, 256, ROUNDS / 10, &rng); /* across words */
  full_swaps(&model, 255, 5, ROUNDS / 10, &rng);
  narrow_swaps(&model, 64, 64, ROUNDS / 10, &rng);
  spins_random(&model, 6, 12, 3, 1, 1, &rng);
  plain_swaps(&model, 250, 32, ROUNDS / 10, &rng);
}

/* The same draws with vectors and without, and on every machine. */
static void test_draws(void) {
  static const uint64_t known[4] = {0x328d182c67935471, 0xb0fe417f37e47e00, 0xb6a43fbe4ccf17ee, 0xa7336052ac1196f1};
  uint64_t got[4];
  uint32_t k;
  lbp_rng rng;
  lbp_rng_init(&rng, 18, 0);
  spins_random(&model, 100, 200, 1, 1, 0, &rng);
  model.unit = 0.25;
  got[0] = full_hash(&model, 250, 40, 0, 5);
  CHECK(got[0] == plain_hash(&model, 250, 40, 0, 5));
  got[1] = narrow_hash(&model, 64, 40, 0, 5);
  spins_random(&model, 50, 300, 7, 4, 0, &rng);
  model.unit = 0.25;
  got[2] = full_hash(&model, 256, 40, 0, 6);
  CHECK(got[2] == plain_hash(&model, 256, 40, 0, 6));
  spins_random(&model, 60, 60, 1, 1, 0, &rng);
  model.unit = 0.25;
  got[3] = full_hash(&model, 256, 40, 1, 7);
  CHECK(got[3] == plain_hash(&model, 256, 40, 1, 7));
  for (k = 0; k < 4; k++) {
    if (got[k] != known[k]) printf("draws %u: 0x%016llx\n", k, (unsigned long long)got[k]);
    CHECK(got[k] == known[k]);
  }
}

static void test_refusals(void) {
  static uint8_t x[3];
  static uint64_t ws[LBP_WS_LEN(3)], memory[1];
  narrow_chain chain;
  narrow_lanes lanes;
  double beta[64] = {0};
  lbp_rng rng;
  lbp_rng_init(&rng, 19, 0);
  spins_random(&model, 3, 4, 2, 1, 0, &rng);
  CHECK(full_make(&model, 0, NULL) == LBP_E_RANGE);
  CHECK(full_make(&model, 257, NULL) == LBP_E_RANGE);
  CHECK(narrow_make(&model, 65, NULL) == LBP_E_RANGE);
  CHECK(full_make(&model, 256, NULL) == LBP_OK);
  model.J[1] = 1.1;
  CHECK(full_make(&model, 256, NULL) == LBP_E_UNIT);
  CHECK_NEAR(full_all.fault.got, 1.1 * model.unit, 1e-12);
  model.J[1] = 1.25; /* a whole number of quarters */
  CHECK(full_make(&model, 256, NULL) == LBP_OK);
  CHECK_NEAR(full_all.unit, model.unit / 4, 1e-15);
  model.J[1] = 1;
  model.h[2] = 1e9;
  CHECK(full_make(&model, 256, NULL) != LBP_OK);
  model.h[2] = 0;
  model.third = 3 - model.a[0] - model.b[0];
  CHECK(full_make(&model, 256, NULL) == LBP_E_NOT_PAIRWISE);
  model.third = SPINS_NONE;
  model.hard = 1;
  CHECK(full_make(&model, 256, NULL) == LBP_E_NOT_PAIRWISE);
  model.hard = 0;
  model.b[2] = model.a[2];
  CHECK(narrow_make(&model, 64, NULL) == LBP_E_PAIRS && narrow_all.fault.site == model.a[2]);
  model.b[2] = 7;
  CHECK(narrow_make(&model, 64, NULL) == LBP_E_NEIGHBOUR_RANGE);
  model.b[2] = (model.a[2] + 1) % 3;
  CHECK(narrow_init(&chain, 3, x, ws, LBP_WS_LEN(3)) == LBP_OK);
  CHECK(narrow_lanes_init(NULL, &chain, &model, 9, memory, 1) == LBP_E_NULL);
  CHECK(narrow_lanes_init(&lanes, NULL, &model, 9, memory, 1) == LBP_E_NULL);
  CHECK(narrow_lanes_init(&lanes, &chain, &model, 9, NULL, 1) == LBP_E_NULL);
  CHECK(narrow_lanes_init(&lanes, &chain, &model, 9, memory, 1) == LBP_E_WORKSPACE);
  CHECK(narrow_lanes_len(NULL, &model) == 0);
  CHECK(narrow_make(&model, 9, NULL) == LBP_OK);
  beta[8] = -1e-9;
  CHECK(narrow_lanes_temper(&narrow_all, beta) == LBP_E_RANGE);
  beta[8] = HUGE_VAL;
  CHECK(narrow_lanes_temper(&narrow_all, beta) == LBP_E_NOT_FINITE);
  CHECK(narrow_lanes_temper(&narrow_all, NULL) == LBP_E_NULL && narrow_lanes_temper(NULL, beta) == LBP_E_NULL);
  spins_star(&model, 16, 1, 0, &rng);
  CHECK(narrow_make(&model, 9, NULL) == LBP_OK && narrow_lanes_gibbs_sweep(&narrow_all, &rng) == LBP_E_PLANES);
}

#ifndef API_QUICK
/* Ready-made models whose weights are whole numbers, and one that has a fraction. */
static void test_ready(void) {
  uint32_t ends[2 * 40], k;
  double value[40], h[20];
  lbp_rng rng;
  lbp_qubo qubo;
  lbp_graph graph;
  lbp_ising ising;
  lbp_rng_init(&rng, 20, 0);
  for (k = 0; k < 40; k++) {
    ends[2 * k] = k % 20;
    ends[2 * k + 1] = (k + 1 + k / 20) % 20;
    value[k] = (double)spins_below(&rng, 7) - 3;
  }
  for (k = 0; k < 20; k++) h[k] = (double)spins_below(&rng, 3) - 1;
  CHECK(lbp_qubo_init(&qubo, 20, 40, ends, value, 0, 8) == LBP_OK && ready_qubo_energies(&qubo, 20) == LBP_OK);
  lbp_qubo_free(&qubo);
  CHECK(lbp_graph_init(&graph, 20, h, 40, ends, value, 8) == LBP_OK && ready_graph_energies(&graph, 20) == LBP_OK);
  lbp_graph_free(&graph);
  CHECK(lbp_ising_init(&ising, 4, 5, 0.25, h) == LBP_OK && ready_ising_energies(&ising, 20) == LBP_OK);
  lbp_ising_free(&ising);
  value[7] = 0.3;
  CHECK(lbp_qubo_init(&qubo, 20, 40, ends, value, 0, 8) == LBP_OK && ready_qubo_energies(&qubo, 20) == LBP_E_UNIT);
  lbp_qubo_free(&qubo);
  CHECK(lbp_graph_init(&graph, 20, h, 40, ends, value, 8) == LBP_OK && ready_graph_energies(&graph, 20) == LBP_E_UNIT);
  lbp_graph_free(&graph);
}
#endif

int main(void) {
  uint32_t k;
  double even[10];
  test_transitions();
  test_grids();
  test_clamped();
  test_planes();
  test_degrees();
  test_sums();
  test_order();
  test_thresholds();
  test_swaps();
  test_draws();
  test_refusals();
#ifndef API_QUICK
  test_ready();
#endif
  for (k = 0; k < 10; k++) even[k] = 0.1;
  CHECK(spins_tests > 400);
  CHECK(chi2_counts(spins_tenths, even, 10, spins_tests) > 1e-6);
  free(full_memory), free(plain_memory), free(narrow_memory);
#ifndef API_QUICK
  free(middle_memory);
#endif
  return test_report();
}
