/* test_potts.c - lbp/models/potts.h, lbp/models/alignment.h, lbp/models/potts_train.h: log pi and log-ratios against
 * sums written down plainly; fields that follow changes against fresh ones, to the bit; gauge; the reader on good and
 * bad text, in pieces of any size; weights and frequencies by hand; the trained model against enumeration. Statistical
 * checks have fixed seeds; a right program would fail one in about 10^6 seeds. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#if defined _OPENMP
#include <omp.h>
#endif

#include "models.h"

#include "../lbp/models/alignment.h"
#include "../lbp/models/potts.h"

#define LBP_NAME       tiny
#define LBP_CAT_STATES 3
#include "../examples/dense_potts.h"

#define LBP_NAME       wide
#define LBP_CAT_STATES 5
#include "../examples/dense_potts.h"

#define LBP_NAME           local
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     5
#define LBP_CAT_STATES_OF  lbp_potts_values
#define LBP_CAT_DELTAS_OF  lbp_potts_deltas_of
#define LBP_CAT_DELTA      lbp_potts_delta
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS 7
#define LBP_LOGP           lbp_potts_logp
#include "../lbp_run.h"

#define LBP_NAME           kept
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     5
#define LBP_CAT_STATES_OF  lbp_potts_values
#define LBP_FIELDS_T       lbp_potts_fields
#define LBP_FIELDS_INIT    lbp_potts_fields_set
#define LBP_FIELDS_MAKE    lbp_potts_fields_init
#define LBP_FIELDS_FREE    lbp_potts_fields_free
#define LBP_CAT_CHANGE     lbp_potts_change
#define LBP_CAT_DELTAS_OF  lbp_potts_fields_deltas_of
#define LBP_CAT_DELTA      lbp_potts_fields_delta
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS 7
#define LBP_LOGP           lbp_potts_fields_logp
#include "../lbp_run.h"

#define LBP_NAME           free_sites
#define LBP_MODEL_T        lbp_product
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     5
#define LBP_CAT_STATES_OF  lbp_product_values
#define LBP_CAT_DELTAS_OF  lbp_product_deltas_of
#define LBP_CAT_DELTA      lbp_product_delta
#define LBP_NEIGHBOURS     lbp_product_neighbours
#define LBP_MAX_NEIGHBOURS LBP_PRODUCT_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_product_logp
#include "../lbp_run.h"

#include "../lbp/models/potts_train.h"

#ifdef API_QUICK
enum { STEPS = 100 };
#else
enum { STEPS = 300 };
#endif

enum { N = 7, Q = 5 };

static const double tight = IS_FLOAT ? 2e-5 : 1e-12;

/* The next state of n sites with `values` each (NULL: Q); 0 after the last. */
static int next_state(uint8_t *x, uint32_t n, const uint32_t *values) {
  uint32_t i;
  for (i = 0; i < n; i++) {
    if (++x[i] < (values ? values[i] : Q)) return 1;
    x[i] = 0;
  }
  return 0;
}

static void random_state(uint8_t *x, uint32_t n, const uint32_t *values, lbp_rng *rng) {
  uint32_t i;
  for (i = 0; i < n; i++) x[i] = (uint8_t)below(values ? values[i] : Q, rng);
}

/* ---- product ----------------------------------------------------------------------------------------------------- */

static void test_product(void) {
  static const uint32_t values[4] = {3, 1, 5, 2};
  double weight[4 * Q], sum = 0, largest = 0;
  lbp_product m, again;
  lbp_real out[Q];
  uint8_t x[4] = {0}, y[4];
  lbp_rng rng;
  uint32_t i, v, other;
  lbp_rng_init(&rng, 1, 0);
  for (i = 0; i < 4 * Q; i++) weight[i] = 6 * uniform(&rng) - 3;
  weight[3] = weight[5 + 1] = not_a_number(); /* beyond K_i */
  weight[10] = 300;                           /* exp of which is no float */
  weight[11] = 299;
  CHECK(lbp_product_init(&m, 4, Q, values, weight) == LBP_OK && m.n == 4 && m.states == Q);
  do {
    double plain = 0;
    for (i = 0; i < 4; i++) plain += weight[i * Q + x[i]];
    sum += exp(lbp_product_logp(&m, x));
    for (i = 0; i < 4; i++) {
      CHECK(lbp_product_values(&m, i) == values[i]);
      lbp_product_deltas_of(&m, x, i, out);
      memcpy(y, x, sizeof y);
      for (v = 0; v < values[i]; v++) {
        const double want = weight[i * Q + v] - weight[i * Q + x[i]];
        largest = fmax(largest, fabs((double)out[v] - want) / (1 + fabs(want)));
        CHECK_NEAR(out[v], lbp_product_delta(&m, x, i, v), TEST_ALIKE ? 0 : tight * (1 + fabs(want)));
        y[i] = (uint8_t)v;
        CHECK_NEAR(lbp_product_logp(&m, y) - lbp_product_logp(&m, x), out[v], 40 * tight);
      }
      CHECK(out[x[i]] == 0);
    }
  } while (next_state(x, 4, values));
  CHECK_NEAR(sum, 1, 10 * tight);
  CHECK_NEAR(largest, 0, tight);
  CHECK(lbp_product_neighbours(&m, 0, &other) == 0);
  lbp_product_free(&m);
  CHECK(lbp_product_random(&m, 2000, 2, 8, 0.5, 3) == LBP_OK);
  CHECK(lbp_product_random(&again, 2000, 2, 8, 0.5, 3) == LBP_OK);
  CHECK(memcmp(m.weight, again.weight, 16000 * sizeof *m.weight) == 0);
  {
    uint32_t count[9] = {0};
    for (i = 0; i < 2000; i++) count[m.values[i]]++;
    for (v = 2; v <= 8; v++) CHECK_NEAR(count[v], 2000 / 7.0, 6 * sqrt(2000 / 7.0));
    CHECK(count[0] + count[1] == 0);
  }
  lbp_product_free(&m);
  lbp_product_free(&again);
  lbp_product_free(NULL);
  weight[3] = weight[6] = 0;
  CHECK(lbp_product_init(NULL, 4, Q, values, weight) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_product_init(&m, 4, Q, values, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_product_init(&m, 0, Q, values, weight), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_product_init(&m, 1u << 31, Q, NULL, weight), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_product_init(&m, 4, 0, NULL, weight), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_product_init(&m, 4, 257, NULL, weight), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_product_init(&m, 4, 4, values, weight), LBP_E_RANGE);
  weight[10] = not_a_number();
  CHECK_REFUSED(m, lbp_product_init(&m, 4, Q, values, weight), LBP_E_NOT_FINITE);
  weight[10] = -2e12;
  CHECK_REFUSED(m, lbp_product_init(&m, 4, Q, values, weight), LBP_E_RANGE);
  CHECK(lbp_product_random(NULL, 4, 2, 3, 1, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_product_random(&m, 0, 2, 3, 1, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_product_random(&m, 4, 0, 3, 1, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_product_random(&m, 4, 4, 3, 1, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_product_random(&m, 4, 2, 3, infinity, 1), LBP_E_NOT_FINITE);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

enum { EDGES = 12 };

typedef struct {
  const uint32_t *values;
  double h[N * Q], J[EDGES], beta;
  uint32_t ends[2 * EDGES];
} plain_graph;

/* Some edges are there twice, one the other way round; of sites with other numbers of values. */
static void make_graph(plain_graph *g, const uint32_t *values, lbp_rng *rng) {
  uint32_t e, i;
  g->values = values;
  g->beta = 0.7;
  for (i = 0; i < N * Q; i++) g->h[i] = (i / Q == 1 ? 50 : 1) * (4 * uniform(rng) - 2); /* steps differ */
  for (e = 0; e < EDGES; e++) {
    g->ends[2 * e] = below(N - 1, rng);
    do g->ends[2 * e + 1] = below(N - 1, rng);
    while (g->ends[2 * e + 1] == g->ends[2 * e]); /* site N - 1 has none */
    g->J[e] = 4 * uniform(rng) - 2;
  }
  g->ends[2] = g->ends[1];
  g->ends[3] = g->ends[0];
}

static double plain_logp(const plain_graph *g, const uint8_t *x) {
  double sum = 0;
  uint32_t e, i;
  for (i = 0; i < N; i++) sum += g->h[i * Q + x[i]];
  for (e = 0; e < EDGES; e++) sum += x[g->ends[2 * e]] == x[g->ends[2 * e + 1]] ? g->beta * g->J[e] : 0;
  return sum;
}

static void check_graph(const uint32_t *values, uint64_t seed) {
  plain_graph g;
  lbp_potts m;
  lbp_potts_fields f, fresh;
  lbp_real out[Q], from_fields[Q], of_k[Q];
  uint8_t x[N], y[N];
  uint32_t neighbour[N], t, i, v, k, degree = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 0);
  make_graph(&g, values, &rng);
  CHECK(lbp_potts_init(&m, N, Q, values, g.h, g.beta, EDGES, g.ends, g.J) == LBP_OK);
  CHECK(lbp_potts_fields_init(&m, &f) == LBP_OK && lbp_potts_fields_init(&m, &fresh) == LBP_OK);
  random_state(x, N, values, &rng);
  lbp_potts_fields_set(&m, &f, x);
  for (t = 0; t < 2000; t++) {
    const uint32_t site = below(N, &rng), old = x[site];
    x[site] = (uint8_t)below(values ? values[site] : Q, &rng);
    lbp_potts_change(&m, &f, x, site, old);
    if (t % 20) continue;
    CHECK_NEAR(lbp_potts_logp(&m, x), plain_logp(&g, x), 10 * tight);
    CHECK_NEAR(lbp_potts_fields_logp(&m, &f, x), lbp_potts_logp(&m, x), 1e-12);
    lbp_potts_fields_set(&m, &fresh, x);
    CHECK_ALIKE(memcmp(f.F, fresh.F, sizeof(lbp_real) * N * Q) == 0);
    for (i = 0; i < N; i++) {
      lbp_potts_deltas_of(&m, x, i, out);
      lbp_potts_fields_deltas_of(&m, &f, x, i, from_fields);
      if (!values) { /* as many at each site, by a constant */
        lbp_potts_deltas_k(&m, x, i, Q, of_k);
        CHECK_ALIKE(memcmp(of_k, out, sizeof of_k) == 0);
        lbp_potts_fields_deltas_k(&m, &f, x, i, Q, of_k);
        CHECK_ALIKE(memcmp(of_k, from_fields, sizeof of_k) == 0);
      }
      CHECK(lbp_potts_values(&m, i) == (values ? values[i] : Q) && out[x[i]] == 0);
      memcpy(y, x, sizeof y);
      for (v = 0; v < lbp_potts_values(&m, i); v++) {
        y[i] = (uint8_t)v;
        CHECK_NEAR(out[v], plain_logp(&g, y) - plain_logp(&g, x), 10 * tight);
        CHECK_ALIKE(out[v] == from_fields[v] && out[v] == lbp_potts_delta(&m, x, i, v));
        CHECK(from_fields[v] == lbp_potts_fields_delta(&m, &f, x, i, v));
      }
    }
  }
  for (i = 0; i < N; i++) {
    const uint32_t count = lbp_potts_neighbours(&m, i, neighbour);
    int linked[N] = {0};
    for (k = 0; k < EDGES; k++) {
      if (g.ends[2 * k] == i) linked[g.ends[2 * k + 1]] = 1;
      if (g.ends[2 * k + 1] == i) linked[g.ends[2 * k]] = 1;
    }
    for (k = 0; k < count; k++) {
      CHECK(linked[neighbour[k]] == 1 && (k == 0 || neighbour[k] > neighbour[k - 1]));
      linked[neighbour[k]] = 0;
    }
    for (k = 0; k < N; k++) CHECK(!linked[k]);
    degree = count > degree ? count : degree;
  }
  CHECK(degree == m.max_degree);
  lbp_potts_fields_free(&f);
  lbp_potts_fields_free(&fresh);
  lbp_potts_free(&m);
}

/* On a grid: couplings to the right and down, by rows and columns. */
static void check_grid(uint32_t rows, uint32_t cols, int round) {
  double h[24 * 3];
  lbp_potts m;
  uint8_t x[24];
  uint32_t trial, i, row, col;
  lbp_rng rng;
  lbp_rng_init(&rng, 5, rows * 10 + cols);
  for (i = 0; i < rows * cols * 3; i++) h[i] = uniform(&rng);
  CHECK(lbp_potts_grid(&m, rows, cols, 3, 0.75, round, h) == LBP_OK && m.n == rows * cols && m.states == 3);
  CHECK(m.max_degree <= LBP_POTTS_GRID_NEIGHBOURS);
  for (trial = 0; trial < 20; trial++) {
    double want = 0;
    for (i = 0; i < rows * cols; i++) {
      x[i] = (uint8_t)below(3, &rng);
      want += h[i * 3 + x[i]];
    }
    for (row = 0; row < rows; row++) {
      for (col = 0; col < cols; col++) {
        const uint32_t right = (col + 1) % cols, down = (row + 1) % rows;
        if (right > 0 || (round && cols > 1)) want += x[row * cols + col] == x[row * cols + right] ? 0.75 : 0;
        if (down > 0 || (round && rows > 1)) want += x[row * cols + col] == x[down * cols + col] ? 0.75 : 0;
      }
    }
    CHECK_NEAR(lbp_potts_logp(&m, x), want, 10 * tight);
  }
  lbp_potts_free(&m);
}

static void test_graphs(void) {
  static const uint32_t values[N] = {2, 5, 1, 3, 4, 5, 2};
  static const uint32_t ends[4] = {0, 1, 1, 2};
  static const double J[2] = {1, 0.25};
  double h[9] = {0}, bad[2] = {1, 0};
  uint32_t wrong[4] = {0, 1, 2, 3}, count[3] = {1, 2, 4}, k;
  lbp_real sum = 0;
  lbp_potts m, again;
  lbp_potts_fields f;
  uint64_t seed;
  for (seed = 0; seed < 10; seed++) check_graph(seed & 1 ? values : NULL, seed);
  for (seed = 0; seed < 2; seed++) {
    check_grid(4, 6, (int)seed);
    check_grid(1, 5, (int)seed);
    check_grid(2, 2, (int)seed);
    check_grid(3, 1, (int)seed);
    check_grid(1, 1, (int)seed);
  }
  CHECK(lbp_potts_init(&m, 3, 3, NULL, NULL, 2, 2, ends, J) == LBP_OK);
  CHECK(m.link[0].J == 2 && m.link[2].J == (lbp_real)0.5); /* multiples of powers of two stay */
  lbp_potts_free(&m);
  CHECK(lbp_potts_init(&m, 3, 3, NULL, NULL, 2, 0, NULL, NULL) == LBP_OK);
  lbp_potts_free(&m);
  for (k = 0; k < 6; k++) { /* parallel edges: one sum, whatever their order */
    const uint32_t both[6] = {0, 2, 0, 2, 2, 0};
    const double part[3] = {1e3, 0.3, -1e3};
    const double sorted[3] = {part[k % 3], part[(k % 3 + 1 + k / 3) % 3], part[(k % 3 + 2 - k / 3) % 3]};
    CHECK(lbp_potts_init(&m, 3, 3, NULL, NULL, 1, 3, both, sorted) == LBP_OK && m.max_degree == 1);
    CHECK(m.link[0].site == 2 && m.link[1].site == 0 && m.link[0].J == m.link[1].J);
    if (k == 0) sum = m.link[0].J;
    CHECK(m.link[0].J == sum);
    lbp_potts_free(&m);
  }
  { /* large and small numbers in one model: double has room for both, float has not */
    const double far[9] = {0, 0.05, -1e6}, near[9] = {0, 0.05, -1e3}, part[3] = {1e9, 0.3, -1e9};
    const uint32_t both[6] = {0, 2, 0, 2, 2, 0};
    CHECK(lbp_potts_init(&m, 3, 3, NULL, far, 1, 2, ends, J) == (IS_FLOAT ? LBP_E_PRECISION : LBP_OK));
    lbp_potts_free(&m);
    CHECK(lbp_potts_init(&m, 3, 3, NULL, NULL, 1, 3, both, part) == (IS_FLOAT ? LBP_E_PRECISION : LBP_OK));
    lbp_potts_free(&m);
    CHECK(lbp_potts_init(&m, 3, 3, NULL, near, 1, 2, ends, J) == LBP_OK && m.rounding > 0 && m.rounding < 1e-3);
    CHECK(fabs((double)m.h[1] - 0.05) <= m.rounding);
    lbp_potts_free(&m);
  }
  CHECK(lbp_potts_init(NULL, 3, 3, NULL, h, 1, 2, ends, J) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, NULL, h, 1, 2, NULL, J), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, NULL, h, 1, 2, ends, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_init(&m, 0, 3, NULL, h, 1, 2, ends, J), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, NULL, h, 1, 1u << 31, ends, J), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 257, NULL, NULL, 1, 2, ends, J), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, count, h, 1, 2, ends, J), LBP_E_RANGE);
  count[2] = 0;
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, count, h, 1, 2, ends, J), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, NULL, h, infinity, 2, ends, J), LBP_E_NOT_FINITE);
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, NULL, h, 1, 2, wrong, J), LBP_E_INDEX);
  wrong[3] = 2;
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, NULL, h, 1, 2, wrong, J), LBP_E_INDEX);
  bad[1] = not_a_number();
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, NULL, h, 1, 2, ends, bad), LBP_E_NOT_FINITE);
  bad[1] = 1e7;
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, NULL, h, 1e6, 2, ends, bad), LBP_E_RANGE);
  h[8] = not_a_number();
  CHECK_REFUSED(m, lbp_potts_init(&m, 3, 3, NULL, h, 1, 2, ends, J), LBP_E_NOT_FINITE);
  CHECK(lbp_potts_grid(NULL, 3, 3, 3, 1, 0, NULL) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_grid(&m, 0, 3, 3, 1, 0, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_potts_grid(&m, 1u << 16, 1u << 15, 3, 1, 0, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_potts_grid(&m, 3, 3, 3, 1, 2, NULL), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_potts_grid(&m, 3, 3, 0, 1, 0, NULL), LBP_E_RANGE);
  CHECK(lbp_potts_random(&m, 20, 20, 4, 1, 8) == LBP_OK && lbp_potts_random(&again, 20, 20, 4, 1, 8) == LBP_OK);
  CHECK(m.start[400] == 1600 && memcmp(m.link, again.link, 1600 * sizeof *m.link) == 0);
  lbp_potts_free(&again);
  lbp_potts_free(&m);
  lbp_potts_free(NULL);
  CHECK(is_zeroed(&m, sizeof m) && lbp_potts_fields_init(&m, &f) == LBP_E_NULL);
  CHECK(lbp_potts_fields_init(&m, NULL) == LBP_E_NULL);
  lbp_potts_fields_free(NULL);
}

/* ---- all pairs --------------------------------------------------------------------------------------------------- */

enum { PAIRS = N * (N - 1) / 2 };

static lbp_real dense_h[N * Q], dense_J[PAIRS * Q * Q];

static double dense_logp(const uint8_t *x) {
  double sum = 0;
  uint32_t i, j, pair = 0;
  for (i = 0; i < N; i++) sum += (double)dense_h[i * Q + x[i]];
  for (i = 0; i < N; i++) {
    for (j = i + 1; j < N; j++, pair++) sum += (double)dense_J[(pair * Q + x[i]) * Q + x[j]];
  }
  return sum;
}

static void make_dense(lbp_potts_dense *m, uint64_t seed) {
  lbp_rng rng;
  uint32_t k;
  lbp_rng_init(&rng, seed, 1);
  for (k = 0; k < N * Q; k++) dense_h[k] = (lbp_real)(3 * uniform(&rng) - 2);
  for (k = 0; k < PAIRS * Q * Q; k++) dense_J[k] = (lbp_real)(2 * uniform(&rng) - 0.5);
  CHECK(lbp_potts_dense_init(m, N, Q, dense_h, dense_J) == LBP_OK);
}

static void test_dense(void) {
  lbp_potts_dense m;
  lbp_potts_dense_fields f, fresh;
  lbp_real all[N * Q], out[Q], of_k[Q];
  uint8_t x[N], y[N];
  uint32_t t, i, v, pair = 0, j;
  lbp_rng rng;
  lbp_rng_init(&rng, 6, 0);
  make_dense(&m, 1);
  CHECK(lbp_potts_dense_couplings(N, Q) == PAIRS * Q * Q);
  for (i = 0; i < N; i++) {
    for (j = i + 1; j < N; j++, pair++) CHECK(lbp_potts_dense_pair(N, Q, i, j) == pair * Q * Q);
  }
  CHECK(lbp_potts_dense_coupling(&m, 2, 1, 4, 3) == lbp_potts_dense_coupling(&m, 4, 3, 2, 1));
  CHECK_NEAR(lbp_potts_dense_coupling(&m, 2, 1, 4, 3), dense_J[lbp_potts_dense_pair(N, Q, 2, 4) + 1 * Q + 3], tight);
  CHECK(lbp_potts_dense_fields_init(&m, &f) == LBP_OK && lbp_potts_dense_fields_init(&m, &fresh) == LBP_OK);
  random_state(x, N, NULL, &rng);
  lbp_potts_dense_fields_set(&m, &f, x);
  for (t = 0; t < 3000; t++) {
    const uint32_t site = below(N, &rng), old = x[site];
    if (t % 7 == 0) { /* there and back */
      lbp_potts_dense_save(&m, &f);
      x[site] = (uint8_t)((old + 1) % Q);
      lbp_potts_dense_change(&m, &f, x, site, old);
      lbp_potts_dense_restore(&m, &f);
    }
    x[site] = (uint8_t)below(Q, &rng);
    lbp_potts_dense_change(&m, &f, x, site, old);
    if (t % 30) continue;
    lbp_potts_dense_fields_set(&m, &fresh, x);
    CHECK_ALIKE(memcmp(f.F, fresh.F, m.stride * sizeof *f.F) == 0);
    CHECK_NEAR(lbp_potts_dense_logp(&m, &f, x), dense_logp(x), 10 * tight);
    lbp_potts_dense_deltas(&m, &f, x, all);
    for (i = 0; i < N; i++) {
      lbp_potts_dense_deltas_of(&m, &f, x, i, out);
      lbp_potts_dense_deltas_k(&m, &f, x, i, Q, of_k);
      CHECK_ALIKE(memcmp(of_k, out, sizeof of_k) == 0);
      memcpy(y, x, sizeof y);
      CHECK(out[x[i]] == 0);
      for (v = 0; v < Q; v++) {
        y[i] = (uint8_t)v;
        CHECK_NEAR(out[v], dense_logp(y) - dense_logp(x), 10 * tight);
        CHECK(out[v] == all[i * Q + v] && out[v] == lbp_potts_dense_delta(&m, &f, x, i, v));
      }
    }
  }
  lbp_potts_dense_fields_free(&f);
  lbp_potts_dense_fields_free(&fresh);
  lbp_potts_dense_free(&m);
}

/* In zero-sum gauge rows, columns and fields sum to 0, and log pi has gained a constant. */
static void test_gauge(void) {
  lbp_potts_dense m;
  lbp_potts_dense_fields f;
  uint8_t x[N];
  double first = 0;
  uint32_t i, j, v, w, t;
  lbp_rng rng;
  lbp_rng_init(&rng, 7, 0);
  make_dense(&m, 2);
  CHECK(lbp_potts_dense_zero_sum(&m) == LBP_OK && lbp_potts_dense_fields_init(&m, &f) == LBP_OK);
  for (t = 0; t < 200; t++) {
    double gain;
    random_state(x, N, NULL, &rng);
    lbp_potts_dense_fields_set(&m, &f, x);
    gain = lbp_potts_dense_logp(&m, &f, x) - dense_logp(x);
    if (t == 0) first = gain;
    CHECK_NEAR(gain, first, 20 * tight);
  }
  for (i = 0; i < N; i++) {
    double fields = 0;
    for (v = 0; v < Q; v++) fields += (double)m.h[i * Q + v];
    CHECK_NEAR(fields, 0, tight);
    for (j = 0; j < N; j++) {
      for (v = 0; v < Q && j != i; v++) {
        double sum = 0;
        for (w = 0; w < Q; w++) sum += (double)lbp_potts_dense_coupling(&m, i, v, j, w);
        CHECK_NEAR(sum, 0, tight);
      }
      for (v = 0; v < Q * Q && j == i; v++) CHECK(lbp_potts_dense_coupling(&m, i, v % Q, i, v / Q) == 0);
    }
  }
  lbp_potts_dense_fields_free(&f);
  lbp_potts_dense_free(&m);
}

static void test_contacts(void) {
  lbp_potts_dense m;
  double score[N * N], norm[N][N], mean[N], all = 0;
  uint32_t i, j, v, w, without;
  make_dense(&m, 3);
  for (without = 0; without <= Q; without += Q) {
    CHECK(lbp_potts_dense_contacts(&m, without, score) == LBP_OK);
    memset(norm, 0, sizeof norm);
    memset(mean, 0, sizeof mean);
    for (i = 0; i < N; i++) {
      for (j = 0; j < N && all >= 0; j++) {
        double row[Q] = {0}, col[Q] = {0}, total = 0, sum = 0;
        if (i == j) continue;
        for (v = 0; v < Q; v++) {
          for (w = 0; w < Q; w++) {
            const double J = (double)lbp_potts_dense_coupling(&m, i, v, j, w);
            row[v] += J / Q, col[w] += J / Q, total += J / (Q * Q);
          }
        }
        for (v = 0; v < Q; v++) {
          for (w = 0; w < Q; w++) {
            const double J = (double)lbp_potts_dense_coupling(&m, i, v, j, w) - row[v] - col[w] + total;
            if (v != without && w != without) sum += J * J;
          }
        }
        norm[i][j] = sqrt(sum);
        mean[i] += norm[i][j] / (N - 1);
      }
    }
    for (i = 0, all = 0; i < N; i++) all += mean[i] / N;
    for (i = 0; i < N; i++) {
      for (j = 0; j < N; j++) {
        CHECK_NEAR(score[i * N + j], i == j ? 0 : norm[i][j] - mean[i] * mean[j] / all, tight);
      }
    }
  }
  CHECK(lbp_potts_dense_contacts(&m, 0, NULL) == LBP_E_NULL && lbp_potts_dense_contacts(NULL, 0, score) == LBP_E_NULL);
  lbp_potts_dense_free(&m);
  CHECK(lbp_potts_dense_contacts(&m, 0, score) == LBP_E_NULL && lbp_potts_dense_zero_sum(&m) == LBP_E_NULL);
  CHECK(lbp_potts_dense_init(&m, 2, Q, dense_h, NULL) == LBP_OK); /* no couplings: no score */
  CHECK(lbp_potts_dense_contacts(&m, 0, score) == LBP_E_SIZE);
  lbp_potts_dense_free(&m);
}

static void test_dense_constructors(void) {
  lbp_potts_dense m, again;
  lbp_potts_dense_fields f;
  lbp_real kept;
  CHECK(lbp_potts_dense_init(NULL, N, Q, dense_h, dense_J) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_dense_init(&m, N, Q, NULL, dense_J), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_dense_init(&m, 0, Q, dense_h, dense_J), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_potts_dense_init(&m, 50000, Q, dense_h, dense_J), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_potts_dense_init(&m, N, 0, dense_h, dense_J), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_potts_dense_init(&m, N, 257, dense_h, dense_J), LBP_E_RANGE);
  kept = dense_J[PAIRS * Q * Q - 1];
  dense_J[PAIRS * Q * Q - 1] = (lbp_real)infinity;
  CHECK_REFUSED(m, lbp_potts_dense_init(&m, N, Q, dense_h, dense_J), LBP_E_NOT_FINITE);
  dense_J[PAIRS * Q * Q - 1] = (lbp_real)2e12;
  CHECK_REFUSED(m, lbp_potts_dense_init(&m, N, Q, dense_h, dense_J), LBP_E_RANGE);
  dense_J[PAIRS * Q * Q - 1] = kept;
  kept = dense_h[3];
  dense_h[3] = (lbp_real)not_a_number();
  CHECK_REFUSED(m, lbp_potts_dense_init(&m, N, Q, dense_h, dense_J), LBP_E_NOT_FINITE);
  dense_h[3] = kept;
  CHECK(lbp_potts_dense_random(NULL, N, Q, 1, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_dense_random(&m, 0, Q, 1, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_potts_dense_random(&m, N, Q, infinity, 1), LBP_E_NOT_FINITE);
  CHECK(lbp_potts_dense_random(&m, N, Q, 1, 1) == LBP_OK && lbp_potts_dense_random(&again, N, Q, 1, 1) == LBP_OK);
  CHECK(memcmp(m.J, again.J, m.stride * N * Q * sizeof *m.J) == 0);
  lbp_potts_dense_free(&again); /* without couplings is without those that it had */
  CHECK(m.rounding < 1e-3);
  {
    lbp_real far[N * Q] = {0};
    far[0] = (lbp_real)-1e7; /* all other numbers would lose their small digits */
    memcpy(far + 1, dense_h + 1, sizeof far - sizeof *far);
    CHECK(lbp_potts_dense_init(&again, N, Q, far, dense_J) == (IS_FLOAT ? LBP_E_PRECISION : LBP_OK));
    lbp_potts_dense_free(&again);
  }
  { /* one site alone would lose its field, among many that are exact */
    enum { MANY = 1000 };
    static lbp_real few[2 * MANY];
    few[1] = (lbp_real)1e5, few[3] = (lbp_real)0.0077;
    CHECK(lbp_potts_dense_init(&again, MANY, 2, few, NULL) == (IS_FLOAT ? LBP_E_PRECISION : LBP_OK));
    lbp_potts_dense_free(&again);
  }
  { /* a gauge adds its rounding to that of before */
    const lbp_real high[4] = {(lbp_real)4000, (lbp_real)4000.3, 0, 0};
    CHECK(lbp_potts_dense_init(&again, 2, 2, high, NULL) == LBP_OK);
    const double before = again.rounding;
    CHECK(lbp_potts_dense_zero_sum(&again) == LBP_OK && again.rounding >= before && again.rounding < 1e-3);
    CHECK(!IS_FLOAT || before > 1e-5);
    CHECK(fabs((double)again.h[1] - (double)again.h[0] - 0.3) <= again.rounding + 1e-4 * IS_FLOAT);
    lbp_potts_dense_free(&again);
  }
  CHECK(lbp_potts_dense_init(&again, N, Q, dense_h, NULL) == LBP_OK);
  lbp_potts_dense_set(&m, dense_h, NULL);
  CHECK(memcmp(m.h, again.h, m.stride * (N * Q + 1) * sizeof *m.h) == 0);
  CHECK(lbp_potts_dense_fields_init(&m, NULL) == LBP_E_NULL && lbp_potts_dense_fields_init(NULL, &f) == LBP_E_NULL);
  lbp_potts_dense_free(&again);
  lbp_potts_dense_free(&m);
  lbp_potts_dense_free(NULL);
  CHECK(is_zeroed(&m, sizeof m) && lbp_potts_dense_fields_init(&m, &f) == LBP_E_NULL);
  lbp_potts_dense_fields_free(NULL);
}

/* ---- alignments -------------------------------------------------------------------------------------------------- */

/* Reads text in pieces of so many bytes. */
static int parse(lbp_alignment *a, const char *text, size_t length, int letters, int keep, size_t piece,
                 lbp_alignment_fault *fault) {
  lbp_alignment_reader r;
  size_t at;
  int status = lbp_alignment_begin(&r, letters, keep);
  for (at = 0; at < length && status == LBP_OK; at += piece) {
    status = lbp_alignment_feed(&r, text + at, length - at < piece ? length - at : piece);
  }
  status = lbp_alignment_end(&r, a);
  *fault = r.fault;
  return status;
}

static void check_good(const char *text, int letters, int keep, uint32_t sequences, uint32_t positions,
                       const char *alphabet, const char *values, uint64_t unknown, uint64_t inserts) {
  static const size_t piece[4] = {1, 2, 7, 4096};
  lbp_alignment_fault fault;
  lbp_alignment a;
  size_t p;
  uint32_t k;
  for (p = 0; p < 4; p++) {
    CHECK(parse(&a, text, strlen(text), letters, keep, piece[p], &fault) == LBP_OK && !fault.what);
    CHECK(a.sequences == sequences && a.positions == positions && strcmp(a.alphabet, alphabet) == 0);
    CHECK(a.unknown == unknown && a.inserts == inserts);
    if (a.sequences != sequences || a.positions != positions) printf("%s\n", fault.what ? fault.what : text);
    for (k = 0; k < sequences * positions && a.x && a.positions == positions; k++) {
      CHECK(a.x[k] == (uint8_t)(values[k] >= 'a' ? values[k] - 'a' + 10 : values[k] - '0'));
    }
    for (k = 0; k < a.sequences; k++) CHECK(a.weight[k] == 1);
    lbp_alignment_free(&a);
    CHECK(is_zeroed(&a, sizeof a));
  }
}

static void check_bad(const char *text, size_t length, int letters, int status, uint64_t line, const char *what) {
  static const size_t piece[3] = {1, 5, 4096};
  lbp_alignment_fault fault;
  lbp_alignment a;
  size_t p;
  for (p = 0; p < 3; p++) {
    memset(&a, 0xa5, sizeof a);
    CHECK(parse(&a, text, length, letters, 0, piece[p], &fault) == status);
    CHECK(is_zeroed(&a, sizeof a) && fault.line == line && fault.what && strstr(fault.what, what));
    if (!fault.what || !strstr(fault.what, what)) printf("%lu: %s\n", (unsigned long)fault.line, fault.what);
  }
}

static void test_reader(void) {
  enum { G = LBP_LETTERS_GUESS, P = LBP_LETTERS_PROTEIN, R = LBP_LETTERS_NUCLEOTIDES };
  static const struct {
    const char *text;
    int letters, status;
    uint64_t line;
    const char *what;
  } bad[] = {
    {"", G, LBP_E_FORMAT, 1, "empty"}, {" \n\n", G, LBP_E_FORMAT, 3, "empty"},
    {">a\nA.GU\n>b\nTT.U", G, LBP_E_FORMAT, 4, "if they are gaps, set keep = 1"},
    {">a\nA.GU\n>b\nTTAU\n", G, LBP_E_FORMAT, 4, "if points are gaps, set keep = 1"},
    {">a\nAAGU\n>b\nT.AU\n", G, LBP_E_FORMAT, 3, "if points are gaps, set keep = 1"},
    {">a\nacg\n>b\nacg\n", G, LBP_E_FORMAT, 1, "unless keep = 1"},
    {"# STOCKHOLM 1.0\na ACG\n", G, LBP_E_FORMAT, 1, "write Stockholm"},
    {" 2 3\na ACG\nb ACU\n", G, LBP_E_FORMAT, 1, "PHYLIP"},
    {"\nACG\n", G, LBP_E_FORMAT, 2, "neither with > nor with a number"},
    {"\x1f\x8b", G, LBP_E_FORMAT, 1, "neither with >"},
    {">a\nACG\n>b\nAC\n>c\nACG\n", G, LBP_E_FORMAT, 3, "fewer letters than the first"},
    {">a\nACG\n>b\nAC\nGA\n", G, LBP_E_FORMAT, 5, "more letters than the first"},
    {">a\nACG\n>b\nAc\n", G, LBP_E_FORMAT, 3, "fewer letters"},
    {">a\n>b\nAC\n", G, LBP_E_FORMAT, 1, "no letters"}, {">a\nAC\n>b", G, LBP_E_FORMAT, 3, "no letters"},
    {">a\nacg..\n", G, LBP_E_FORMAT, 1, "no letters"}, {">a\nAC1\n", G, LBP_E_FORMAT, 2, "neither a letter nor"},
    {">a\nAC >\n", G, LBP_E_FORMAT, 2, "neither a letter nor"}, {">a\nACE\n", R, LBP_E_FORMAT, 2, "not a nucleotide"},
    {"3 2\n0 1\n", G, LBP_E_FORMAT, 1, "fewer than 3"}, {"3 2", G, LBP_E_FORMAT, 1, "fewer than 3"},
    {"3 2 4 1\n0 1\n", G, LBP_E_FORMAT, 1, "more than 3"}, {"0 2 4\n", G, LBP_E_SIZE, 1, "no sequence"},
    {"2 0 4\n", G, LBP_E_SIZE, 1, "no position"}, {"2 65537 4\n", G, LBP_E_SIZE, 1, "more than 65536 positions"},
    {"4000000000 2 4\n", G, LBP_E_SIZE, 1, "2^31 - 1 letters"}, {"65536 65536 4\n", G, LBP_E_SIZE, 1, "2^31 - 1 letters"},
    {"2 2 0\n", G, LBP_E_RANGE, 1, "1 to 256"}, {"2 2 257\n", G, LBP_E_RANGE, 1, "1 to 256"},
    {"2 2 4\n0 1\n", G, LBP_E_FORMAT, 3, "fewer rows"}, {"2 2 4\n0 1\n1 1\n0 0\n", G, LBP_E_FORMAT, 4, "more rows"},
    {"2 2 4\n0 1\n\n1\n", G, LBP_E_FORMAT, 4, "fewer numbers"}, {"2 2 4\n0 1\n1", G, LBP_E_FORMAT, 3, "fewer numbers"},
    {"2 2 4\n0 1 1\n", G, LBP_E_FORMAT, 2, "more numbers"}, {"2 2 4\n0 4\n", G, LBP_E_FORMAT, 2, "not below"},
    {"2 2 4\n0 4", G, LBP_E_FORMAT, 2, "not below"}, {"2 2 4\n0 -1\n", G, LBP_E_FORMAT, 2, "neither a digit"},
    {"2 2 4\n0 99999999999999999999999\n", G, LBP_E_FORMAT, 2, "too large"},
    {"4294967296 2 4\n", G, LBP_E_FORMAT, 1, "too large"},
    {"2 2 4\n0 1\nA", G, LBP_E_FORMAT, 3, "neither a digit"}};
  lbp_alignment_reader r;
  lbp_alignment a;
  size_t k;
  check_good(">a\nACGU\n>b\n-UGT\n", G, 0, 2, 4, "-ACGU", "12340434", 0, 0);
  check_good("\n >a|x/1-4 > E\r\nAC\r\n\r\nG U\n>\n-U\nGT", G, 0, 2, 4, "-ACGU", "12340434", 0, 0);
  check_good(">a\nAC.gGTn\n>b\n-Ta.GT.", G, 0, 2, 4, "-ACGU", "12340434", 0, 6);
  check_good(">a\nA.G\nU\n>b\nT.-\nT", G, 0, 2, 3, "-ACGU", "134404", 0, 2);
  check_good(">a\nA.GU\n>b\nTT.U", G, 1, 2, 4, "-ACGU", "10344404", 0, 0); /* plmc's */
  check_good(">a\nAaGU\n>b\nTTU", G, 0, 2, 3, "-ACGU", "134444", 0, 1); /* without points inserts may be anywhere */
  check_good(">a\nac.u\n>b\n-TGT", G, 1, 2, 4, "-ACGU", "12040434", 0, 0);
  check_good(">a\n-ACDEFGHIKLMNPQRSTVWY\n", G, 0, 1, 21, "-ACDEFGHIKLMNPQRSTVWY", "0123456789abcdefghijk", 0, 0);
  check_good(">a\nAXBZ*C\n>b\nJOUAAC\n", P, 0, 2, 6, "-ACDEFGHIKLMNPQRSTVWY", "100002000112", 7, 0);
  check_good(">a\nACGTACGTACGTACGTACGTN\n", G, 0, 1, 21, "-ACGU", "123412341234123412340", 1, 0);
  check_good(">a\nACGTACGTACGTACGTACRYR\n", G, 0, 1, 21, "-ACDEFGHIKLMNPQRSTVWY", "126h126h126h126h12fkf", 0, 0);
  check_good(">a\nACGT\n", P, 0, 1, 4, "-ACDEFGHIKLMNPQRSTVWY", "126h", 0, 0);
  check_good(">a\nARNW\n", R, 0, 1, 4, "-ACGU", "1000", 3, 0);
  check_good(">a\n---\n", G, 0, 1, 3, "-ACGU", "000", 0, 0);
  check_good("2 3 12\n0 1 2\n11 4 5\n", G, 0, 2, 3, "", "012b45", 0, 0);
  check_good("\n 2\t3 12 \r\n\n0 1 2\r\n 11 4  5", G, 0, 2, 3, "", "012b45", 0, 0);
  for (k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    check_bad(bad[k].text, strlen(bad[k].text), bad[k].letters, bad[k].status, bad[k].line, bad[k].what);
  }
  check_bad(">a\nA\0C\n", 7, G, LBP_E_FORMAT, 2, "neither a letter nor");
  CHECK(lbp_alignment_begin(NULL, G, 0) == LBP_E_NULL && lbp_alignment_begin(&r, 3, 0) == LBP_E_RANGE);
  CHECK(lbp_alignment_begin(&r, G, 2) == LBP_E_RANGE && lbp_alignment_feed(&r, ">a\nA", 4) == LBP_E_RANGE);
  CHECK(lbp_alignment_end(&r, NULL) == LBP_E_NULL && lbp_alignment_end(NULL, &a) == LBP_E_NULL);
  CHECK(lbp_alignment_read(NULL, stdin, G, 0, NULL) == LBP_E_NULL);
  CHECK(lbp_alignment_read(&a, NULL, G, 0, NULL) == LBP_E_NULL);
}

/* A title of megabytes takes no memory; a sequence without an end is refused in time. */
static void test_long_lines(void) {
  lbp_alignment_reader r;
  lbp_alignment a;
  char many[4096];
  int k, status = LBP_OK;
  CHECK(lbp_alignment_begin(&r, LBP_LETTERS_GUESS, 0) == LBP_OK);
  memset(many, 'c', sizeof many);
  CHECK(lbp_alignment_feed(&r, ">", 1) == LBP_OK);
  for (k = 0; k < 2000; k++) status |= lbp_alignment_feed(&r, many, sizeof many);
  CHECK(status == LBP_OK && lbp_alignment_feed(&r, "\nA", 2) == LBP_OK);
  for (k = 0; k < 2000; k++) status |= lbp_alignment_feed(&r, many, sizeof many);
  CHECK(status == LBP_OK && r.room <= 4096 && lbp_alignment_end(&r, &a) == LBP_OK);
  CHECK(a.positions == 1 && a.inserts == 2000 * sizeof many);
  lbp_alignment_free(&a);
  CHECK(lbp_alignment_begin(&r, LBP_LETTERS_GUESS, 0) == LBP_OK && lbp_alignment_feed(&r, ">\n", 2) == LBP_OK);
  memset(many, 'C', sizeof many);
  for (k = 0; k < 16; k++) CHECK(lbp_alignment_feed(&r, many, sizeof many) == LBP_OK);
  CHECK(lbp_alignment_feed(&r, "C", 1) == LBP_E_SIZE && r.fault.line == 2 && !r.a.x);
  CHECK(lbp_alignment_feed(&r, many, sizeof many) == LBP_E_SIZE && lbp_alignment_end(&r, &a) == LBP_E_SIZE);
  lbp_alignment_free(NULL);
}

static void test_file(void) {
  lbp_alignment_fault fault;
  lbp_alignment a;
  FILE *file = tmpfile();
  int k;
  CHECK(file != NULL);
  if (!file) return;
  for (k = 0; k < 1000; k++) fprintf(file, ">%d\nACGU%s\n", k, k == 999 ? "" : "-");
  rewind(file);
  CHECK(lbp_alignment_read(&a, file, LBP_LETTERS_GUESS, 0, &fault) == LBP_E_FORMAT && fault.line == 1999);
  rewind(file);
  CHECK(lbp_alignment_read(&a, file, LBP_LETTERS_GUESS, 0, NULL) == LBP_E_FORMAT && is_zeroed(&a, sizeof a));
  fseek(file, 0, SEEK_END);
  fputs("-", file); /* on a line of its own */
  rewind(file);
  CHECK(lbp_alignment_read(&a, file, LBP_LETTERS_GUESS, 0, &fault) == LBP_OK && a.sequences == 1000 && !fault.what);
  CHECK(a.x && a.x[4999] == 0 && a.x[4998] == 4);
  lbp_alignment_free(&a);
  fclose(file);
}

/* By hand: of five sequences of five letters, at least 80 % alike. */
static void test_weights(void) {
  static const uint8_t x[25] = {0, 1, 2, 0, 1,  0, 1, 2, 0, 0,  0, 1, 2, 2, 0,  2, 2, 1, 1, 2,  2, 2, 1, 1, 2};
  static const double want[5] = {1 / 2.0, 1 / 3.0, 1 / 2.0, 1 / 2.0, 1 / 2.0};
  uint8_t wide[2 * 1000];
  double weight[5], sum = 0;
  lbp_real one[5 * 3], two[10 * 9], other[10 * 9], single[5 * 3], slope_one[15], slope_two[90];
  double slope, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  uint32_t i, j, v, w, k;
  CHECK(lbp_alignment_weigh(5, 5, x, 0.8, weight) == LBP_OK);
  for (k = 0; k < 5; k++) CHECK_NEAR(weight[k], want[k], 1e-15);
  for (k = 0; k < 5; k++) sum += weight[k];
  CHECK(lbp_alignment_weigh(5, 5, x, 1, weight) == LBP_OK && weight[0] == 1 && weight[3] == 0.5);
  CHECK(lbp_alignment_weigh(5, 5, x, 0.01, weight) == LBP_OK);
  CHECK_NEAR(weight[0], 1 / 3.0, TEST_ALIKE ? 0 : 1e-15);
  memset(wide, 1, sizeof wide);
  for (k = 0; k < 200; k++) wide[1000 + 5 * k] = 2;
  CHECK(lbp_alignment_weigh(2, 1000, wide, 0.8, weight) == LBP_OK && weight[0] == 0.5); /* 800 of 1000 */
  wide[1001] = 2;
  CHECK(lbp_alignment_weigh(2, 1000, wide, 0.8, weight) == LBP_OK && weight[0] == 1);
  CHECK(lbp_alignment_weigh(5, 5, NULL, 0.8, weight) == LBP_E_NULL);
  CHECK(lbp_alignment_weigh(5, 5, x, 0.8, NULL) == LBP_E_NULL);
  CHECK(lbp_alignment_weigh(0, 5, x, 0.8, weight) == LBP_E_SIZE);
  CHECK(lbp_alignment_weigh(5, 5, x, 0, weight) == LBP_E_RANGE);
  CHECK(lbp_alignment_weigh(5, 5, x, 1.1, weight) == LBP_E_RANGE);
  CHECK(lbp_alignment_frequencies(5, 5, 3, x, want, one, two) == LBP_OK);
  CHECK(lbp_alignment_frequencies(5, 5, 3, x, NULL, single, other) == LBP_OK);
  CHECK_NEAR(one[0], (1 / 2.0 + 1 / 3.0 + 1 / 2.0) / sum, 1e-6);
  CHECK_NEAR(single[2], 2 / 5.0, 1e-6);
  for (i = 0, k = 0; i < 5; i++) {
    for (j = i + 1; j < 5; j++) {
      for (v = 0; v < 3; v++) {
        for (w = 0; w < 3; w++, k++) {
          double f = 0, g = 0, c, d;
          uint32_t row;
          for (row = 0; row < 5; row++) {
            const int here = x[row * 5 + i] == v && x[row * 5 + j] == w;
            f += here ? want[row] / sum : 0, g += here ? 0.2 : 0;
          }
          CHECK_NEAR(two[k], f, 1e-6);
          CHECK_NEAR(other[k], g, 1e-6);
          c = f - (double)one[i * 3 + v] * (double)one[j * 3 + w];
          d = g - (double)single[i * 3 + v] * (double)single[j * 3 + w];
          a += c / 90, b += d / 90, aa += c * c / 90, bb += d * d / 90, ab += c * d / 90;
        }
      }
    }
  }
  a = (ab - a * b) / sqrt((aa - a * a) * (bb - b * b));
  CHECK_NEAR(lbp_alignment_pearson(5, 3, one, two, single, other, &slope), a, 1e-5);
  CHECK_NEAR(slope, ab / aa, 1e-5);
  CHECK_NEAR(lbp_alignment_pearson(5, 3, one, two, one, two, NULL), 1, 1e-9);
  CHECK(lbp_alignment_frequencies(5, 5, 3, x, NULL, slope_one, NULL) == LBP_OK);
  CHECK(memcmp(slope_one, single, sizeof single) == 0);
  CHECK(lbp_alignment_frequencies(5, 5, 2, x, NULL, slope_one, slope_two) == LBP_E_STATE);
  CHECK(lbp_alignment_frequencies(5, 5, 257, x, NULL, slope_one, slope_two) == LBP_E_RANGE);
  CHECK(lbp_alignment_frequencies(0, 5, 3, x, NULL, slope_one, slope_two) == LBP_E_SIZE);
  CHECK(lbp_alignment_frequencies(5, 5, 0, x, NULL, slope_one, slope_two) == LBP_E_SIZE);
  CHECK(lbp_alignment_frequencies(5, 5, 3, NULL, NULL, slope_one, slope_two) == LBP_E_NULL);
  CHECK(lbp_alignment_frequencies(5, 5, 3, x, NULL, NULL, slope_two) == LBP_E_NULL);
}

/* ---- samplers on these models ------------------------------------------------------------------------------------ */

/* NAME_check of every instance: its callbacks agree. */
static void test_checks(void) {
  static const uint32_t values[N] = {2, 5, 1, 3, 4, 5, 2};
  static double room[4096];
  uint64_t *ws = (uint64_t *)(void *)room;
  plain_graph g;
  lbp_potts m;
  lbp_potts_fields f;
  lbp_potts_dense d;
  lbp_potts_dense_fields df;
  lbp_product p;
  local_chain a;
  kept_chain b;
  wide_chain c;
  free_sites_chain e;
  uint8_t x[N] = {0};
  lbp_rng rng;
  lbp_rng_init(&rng, 9, 0);
  make_graph(&g, values, &rng);
  CHECK(lbp_potts_init(&m, N, Q, values, g.h, g.beta, EDGES, g.ends, g.J) == LBP_OK);
  CHECK(lbp_potts_fields_init(&m, &f) == LBP_OK);
  CHECK(local_ws_len(N) <= 4096 && local_init(&a, N, x, ws, 4096) == LBP_OK);
  CHECK(local_check(&a, &m, 200, &rng).status == LBP_OK);
  CHECK(kept_ws_len(N) <= 4096 && kept_init(&b, N, x, &f, ws, 4096) == LBP_OK);
  CHECK(kept_check(&b, &m, 200, &rng).status == LBP_OK);
  make_dense(&d, 4);
  CHECK(lbp_potts_dense_fields_init(&d, &df) == LBP_OK);
  CHECK(wide_ws_len(N) <= 4096 && wide_init(&c, N, x, &df, ws, 4096) == LBP_OK);
  CHECK(wide_check(&c, &d, 200, &rng).status == LBP_OK);
  CHECK(lbp_product_random(&p, N, 1, Q, 1, 2) == LBP_OK);
  CHECK(free_sites_ws_len(N) <= 4096 && free_sites_init(&e, N, x, ws, 4096) == LBP_OK);
  CHECK(free_sites_check(&e, &p, 200, &rng).status == LBP_OK);
  lbp_product_free(&p);
  lbp_potts_dense_fields_free(&df);
  lbp_potts_dense_free(&d);
  lbp_potts_fields_free(&f);
  lbp_potts_free(&m);
}

/* ---- training ---------------------------------------------------------------------------------------------------- */

enum { SITES = 4, VALUES = 3, BONDS = 6, ROWS = 3000 };

static uint8_t data[ROWS * SITES];
static double data_weight[ROWS];

/* Frequencies of a model by enumeration. */
static void enumerate(const lbp_potts_dense *m, double *one, double *two) {
  static const uint32_t values[SITES] = {VALUES, VALUES, VALUES, VALUES};
  lbp_potts_dense_fields f;
  double sum = 0;
  uint8_t x[SITES] = {0};
  uint32_t i, j, k;
  memset(one, 0, SITES * VALUES * sizeof *one);
  memset(two, 0, BONDS * 9 * sizeof *two);
  CHECK(lbp_potts_dense_fields_init(m, &f) == LBP_OK);
  do {
    double p;
    lbp_potts_dense_fields_set(m, &f, x);
    p = exp(lbp_potts_dense_logp(m, &f, x));
    sum += p;
    for (i = 0; i < SITES; i++) {
      one[i * VALUES + x[i]] += p;
      for (j = i + 1; j < SITES; j++) two[lbp_potts_dense_pair(SITES, VALUES, i, j) + x[i] * 3u + x[j]] += p;
    }
  } while (next_state(x, SITES, values));
  for (k = 0; k < SITES * VALUES; k++) one[k] /= sum;
  for (k = 0; k < BONDS * 9; k++) two[k] /= sum;
  lbp_potts_dense_fields_free(&f);
}

/* Draws of a random model; weights that change frequencies. */
static void make_data(void) {
  const lbp_kernel kernel = tiny_kernel();
  lbp_potts_dense m;
  uint32_t k;
  CHECK(lbp_potts_dense_random(&m, SITES, VALUES, 1.6, 5) == LBP_OK);
  CHECK(lbp_potts_draw(&m, &kernel, LBP_SAMPLER_GIBBS, 50, 50, 3, ROWS, 1, data) == LBP_OK);
  for (k = 0; k < ROWS; k++) data_weight[k] = data[k * SITES] == 0 ? 3 : 1 + k % 2;
  lbp_potts_dense_free(&m);
}

typedef struct {
  uint32_t calls, chains;
  double pearson;
} heard;

static void hear(void *user, const lbp_potts_progress *p) {
  heard *h = (heard *)user;
  h->calls++;
  CHECK(p->done == h->calls && p->done <= p->total);
  h->chains += (uint32_t)p->chains;
  h->pearson = p->pearson;
}

/* Trains with these options; the largest gap between the model's frequencies and the data's. */
static double train_gap(const lbp_potts_training *how, heard *h, lbp_potts_dense *m) {
  const lbp_kernel kernel = tiny_kernel();
  double one[SITES * VALUES], two[BONDS * 9], gap = 0;
  lbp_real f[SITES * VALUES], g[BONDS * 9];
  uint32_t k;
  memset(h, 0, sizeof *h);
  CHECK(lbp_potts_train(m, ROWS, SITES, VALUES, data, data_weight, &kernel, how, hear, h) == LBP_OK);
  CHECK(lbp_alignment_frequencies(ROWS, SITES, VALUES, data, data_weight, f, g) == LBP_OK);
  if (!m->J) return HUGE_VAL;
  enumerate(m, one, two);
  for (k = 0; k < SITES * VALUES; k++) gap = test_larger(gap, fabs(one[k] - (double)f[k]));
  for (k = 0; k < BONDS * 9; k++) gap = test_larger(gap, fabs(two[k] - (double)g[k]));
  return gap;
}

static void test_training(void) {
  lbp_potts_training how = lbp_potts_training_defaults(3);
  lbp_potts_dense m;
  heard h;
  make_data();
  how.iterations = 0; /* pseudo-likelihood alone: of a model's own draws it ends about where the likelihood does */
  how.l2 = 1e-5;
  how.start = STEPS;
  how.batch = ROWS;
  CHECK_NEAR(train_gap(&how, &h, &m), 0, 0.03);
  CHECK(h.calls == STEPS && h.chains == 0);
  lbp_potts_dense_free(&m);
  how.start = 20;
  how.batch = 500;
  how.iterations = STEPS;
  how.chains = 400;
  CHECK_NEAR(train_gap(&how, &h, &m), 0, 0.015);
  CHECK(h.calls == STEPS + 20 && h.chains == STEPS && h.pearson > 0.99);
  lbp_potts_dense_free(&m);
  how.sampler = LBP_SAMPLER_LBP; /* any sampler will do, and no start */
  how.start = 0;
  how.sweeps = 10;
  CHECK_NEAR(train_gap(&how, &h, &m), 0, 0.06);
  lbp_potts_dense_free(&m);
}

/* A penalty leaves couplings of about the correlations / l2, however large it is, and fields that go with the data. */
static void test_penalty(void) {
  static const double penalty[4] = {10, 100, 1000, 1e12};
  lbp_potts_training how = lbp_potts_training_defaults(3);
  lbp_potts_dense m;
  double one[SITES * VALUES], two[BONDS * 9];
  lbp_real f[SITES * VALUES], g[BONDS * 9];
  heard h;
  size_t i, k;
  CHECK(lbp_alignment_frequencies(ROWS, SITES, VALUES, data, data_weight, f, g) == LBP_OK);
  for (i = 0; i < 4; i++) {
    double largest = 0, off = 0;
    how.l2 = penalty[i];
    train_gap(&how, &h, &m);
    if (!m.J) continue;
    enumerate(&m, one, two);
    for (k = 0; k < m.n * VALUES * m.stride; k++) largest = test_larger(largest, fabs((double)m.J[k]));
    for (k = 0; k < SITES * VALUES; k++) off = test_larger(off, fabs(one[k] - (double)f[k]));
    CHECK_NEAR(largest, 0, 0.3 / penalty[i]);
    CHECK_NEAR(off, 0, 0.02);
    lbp_potts_dense_free(&m);
  }
}

/* A value without data has the pseudocount's probability, however small that is. */
static void test_pseudocount(void) {
  static const double pseudocount[4] = {1, 1e-6, 1e-50, 4e-324};
  lbp_potts_training how = lbp_potts_training_defaults(3);
  lbp_real one[SITES * Q];
  uint32_t k, i;
  how.iterations = 0;
  how.start = 1;
  CHECK(lbp_alignment_frequencies(ROWS, SITES, Q, data, NULL, one, NULL) == LBP_OK);
  for (k = 0; k < (LBP_FAST_MATH ? 3 : 4); k++) { /* fast math takes the last, a subnormal number, for 0 */
    lbp_potts_dense m;
    how.pseudocount = pseudocount[k];
    CHECK(lbp_potts_train(&m, ROWS, SITES, Q, data, NULL, NULL, &how, NULL, NULL) == LBP_OK);
    for (i = 0; i < SITES && m.h; i++) { /* a step of training moves it little */
      CHECK_NEAR(m.h[i * Q + VALUES], log(fmax(pseudocount[k] / Q / ROWS, DBL_MIN)), 0.5);
    }
    lbp_potts_dense_free(&m);
  }
}

/* Parameters that run away are no model: one state in 200 is different, and chains are all at it or all not. */
static void test_runaway(void) {
  enum { FEW = 200, LONG = 8 };
  const lbp_kernel kernel = tiny_kernel();
  lbp_potts_training how = lbp_potts_training_defaults(1);
  uint8_t x[FEW * LONG] = {0};
  lbp_potts_dense m;
  memset(x, 1, LONG);
  how.damping = 1e12;
  CHECK_REFUSED(m, lbp_potts_train(&m, FEW, LONG, VALUES, x, NULL, &kernel, &how, NULL, NULL), LBP_E_NOT_CONVERGED);
}

/* The same seed, the same model, with one thread and with three. */
static void test_threads(void) {
  enum { LONG = 20, FEW = 300 };
  const lbp_kernel kernel = wide_kernel();
  lbp_potts_training how = lbp_potts_training_defaults(5);
  uint8_t *x = (uint8_t *)calloc(FEW, LONG);
  lbp_potts_dense m, trained[2];
  int k;
  how.start = how.iterations = 4;
  how.chains = 60;
  CHECK(x && lbp_potts_dense_random(&m, LONG, Q, 1.5, 5) == LBP_OK);
  if (!x) return;
  CHECK(lbp_potts_draw(&m, &kernel, LBP_SAMPLER_GIBBS, 30, 50, 3, FEW, 1, x) == LBP_OK);
  for (k = 0; k < 2; k++) {
#if defined _OPENMP
    omp_set_num_threads(k ? 3 : 1);
#endif
    CHECK(lbp_potts_train(&trained[k], FEW, LONG, Q, x, NULL, &kernel, &how, NULL, NULL) == LBP_OK);
  }
#if defined _OPENMP
  omp_set_num_threads(1);
#endif
  if (trained[0].J && trained[1].J) {
    CHECK(memcmp(trained[0].J, trained[1].J, m.stride * LONG * Q * sizeof *m.J) == 0);
    CHECK(memcmp(trained[0].J, m.J, m.stride * LONG * Q * sizeof *m.J) != 0);
  }
  for (k = 0; k < 2; k++) lbp_potts_dense_free(&trained[k]);
  lbp_potts_dense_free(&m);
  free(x);
}

static void refuse_training(const lbp_potts_training *how, int status) {
  const lbp_kernel kernel = tiny_kernel();
  lbp_potts_dense m;
  CHECK_REFUSED(m, lbp_potts_train(&m, 100, SITES, VALUES, data, NULL, &kernel, how, NULL, NULL), status);
}

static void test_refusals(void) {
  const lbp_potts_training good = lbp_potts_training_defaults(1);
  const lbp_kernel kernel = tiny_kernel(), other = wide_kernel();
  lbp_potts_training how;
  lbp_potts_dense m;
  static double heavy[ROWS];
  uint8_t x[20 * SITES] = {0};
  uint32_t k;
  for (k = 0; k < 16; k++) {
    int want = LBP_E_RANGE;
    how = good;
    switch (k) {
      case 0: how.rate = 0; break;
      case 1: how.start_rate = -1; break;
      case 2: how.damping = -1; break;
      case 3: how.l2 = -1; break;
      case 4: how.pseudocount = 0; break;
      case 5: how.batch = 0; break;
      case 6: how.start = UINT32_MAX; break;
      case 7: how.iterations = UINT32_MAX; break;
      case 8: how.start = how.iterations = 0; break;
      case 9: how.chains = 0; break;
      case 10: how.sweeps = 0; break;
      case 11: how.sampler = LBP_SAMPLER_AB; break;
      case 12: how.rate = not_a_number(), want = LBP_E_NOT_FINITE; break;
      case 13: how.l2 = infinity, want = LBP_E_NOT_FINITE; break;
      case 14: how.damping = 2e12; break;
      default: how.start_rate = 2e12; break;
    }
    refuse_training(&how, want);
  }
  CHECK(lbp_potts_train(NULL, 20, SITES, VALUES, data, NULL, &kernel, &good, NULL, NULL) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_train(&m, 20, SITES, VALUES, NULL, NULL, &kernel, &good, NULL, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_train(&m, 20, SITES, VALUES, data, NULL, NULL, &good, NULL, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_potts_train(&m, 0, SITES, VALUES, data, NULL, &kernel, &good, NULL, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_potts_train(&m, 20, 1, VALUES, data, NULL, &kernel, &good, NULL, NULL), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_potts_train(&m, 20, SITES, 1, data, NULL, &kernel, &good, NULL, NULL), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_potts_train(&m, 20, SITES, VALUES, data, NULL, &other, &good, NULL, NULL), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_potts_train(&m, 20, SITES, VALUES, x, NULL, &kernel, &good, NULL, NULL), LBP_E_CONSTANT);
  how = good;
  how.batch = 1;
  refuse_training(&how, LBP_E_TOO_SHORT);
  for (k = 0; k < ROWS; k++) heavy[k] = k == 5 ? 1e12 : 1;
  CHECK_REFUSED(m, lbp_potts_train(&m, ROWS, SITES, VALUES, data, heavy, &kernel, &good, NULL, NULL), LBP_E_TOO_SHORT);
  x[7] = VALUES;
  CHECK_REFUSED(m, lbp_potts_train(&m, 20, SITES, VALUES, x, NULL, &kernel, &good, NULL, NULL), LBP_E_STATE);
  data_weight[3] = 0;
  CHECK_REFUSED(m, lbp_potts_train(&m, 20, SITES, VALUES, data, data_weight, &kernel, NULL, NULL, NULL), LBP_E_RANGE);
  data_weight[3] = not_a_number();
  CHECK_REFUSED(m, lbp_potts_train(&m, 20, SITES, VALUES, data, data_weight, &kernel, NULL, NULL, NULL),
                LBP_E_NOT_FINITE);
  CHECK(lbp_potts_dense_random(&m, SITES, VALUES, 1, 1) == LBP_OK);
  CHECK(lbp_potts_draw(NULL, &kernel, LBP_SAMPLER_GIBBS, 5, 5, 1, 20, 1, x) == LBP_E_NULL);
  CHECK(lbp_potts_draw(&m, NULL, LBP_SAMPLER_GIBBS, 5, 5, 1, 20, 1, x) == LBP_E_NULL);
  CHECK(lbp_potts_draw(&m, &kernel, LBP_SAMPLER_GIBBS, 5, 5, 1, 20, 1, NULL) == LBP_E_NULL);
  CHECK(lbp_potts_draw(&m, &kernel, LBP_SAMPLER_GIBBS, 5, 5, 1, 0, 1, x) == LBP_E_SIZE);
  CHECK(lbp_potts_draw(&m, &kernel, LBP_SAMPLER_GIBBS, 0, 5, 1, 20, 1, x) == LBP_E_RANGE);
  CHECK(lbp_potts_draw(&m, &kernel, LBP_SAMPLER_GIBBS, 5, 5, 0, 20, 1, x) == LBP_E_RANGE);
  CHECK(lbp_potts_draw(&m, &kernel, LBP_SAMPLER_AB, 5, 5, 1, 20, 1, x) == LBP_E_RANGE);
  CHECK(lbp_potts_draw(&m, &other, LBP_SAMPLER_GIBBS, 5, 5, 1, 20, 1, x) == LBP_E_RANGE);
  CHECK(lbp_potts_draw(&m, &kernel, LBP_SAMPLER_GIBBS, 50, 5, 1, 20, 1, x) == LBP_OK); /* more chains than rows */
  lbp_potts_dense_free(&m);
}

int main(void) {
#if defined _OPENMP
  omp_set_num_threads(1); /* most of what is here is too little for more */
#endif
  test_product();
  test_graphs();
  test_dense();
  test_gauge();
  test_contacts();
  test_dense_constructors();
  test_reader();
  test_long_lines();
  test_file();
  test_weights();
  test_checks();
  test_training();
  test_penalty();
  test_pseudocount();
  test_runaway();
  test_threads();
  test_refusals();
  return test_report();
}
