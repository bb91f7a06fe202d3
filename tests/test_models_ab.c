/* test_models_ab.c - the models of lbp_models.h that have gradients, against evaluations of the paper's formulas in
 * long double at real x, which share no code with them. Compile it twice: as it is, and with
 * -DLBP_MODELS_REAL=double. */
#include "models.h"

#define TOLERANCE (IS_FLOAT ? 1e-6 : 1e-12)   /* relative to the size of what is summed */

enum { MOST = 400 };   /* coordinates */

static double normal(lbp_rng *rng) {   /* a sum of twelve: enough for test data */
  double sum = -6.0;
  int k;
  for (k = 0; k < 12; k++) sum += uniform(rng);
  return sum;
}

static void random_state(uint8_t *x, uint32_t n, uint32_t states, lbp_rng *rng) {
  uint32_t i;
  for (i = 0; i < n; i++) x[i] = (uint8_t)below(states, rng);
}

static double *new_doubles(size_t count) {
  double *values = (double *)calloc(count, sizeof *values);
  if (values == NULL) exit(3);
  return values;
}

/* A number that tells arrays apart: of the values in units of 2^-10, in which float, double and another libm agree. */
static uint64_t mix(uint64_t hash, const lbp_real *values, size_t count) {
  size_t k;
  for (k = 0; k < count; k++) hash = (hash ^ (uint64_t)llround(ldexp((double)values[k], 10))) * UINT64_C(0x100000001b3);
  return hash;
}

static void check_hash(uint64_t got, uint64_t want) {
  if (got != want) printf("0x%016llx, want 0x%016llx\n", (unsigned long long)got, (unsigned long long)want);
  CHECK(got == want);
}

/* ---- any model, and what it should be ---------------------------------------------------------------------------- */

typedef struct {
  const void *model, *truth;
  uint32_t n, states;
  double (*logp)(const void *, const uint8_t *);
  lbp_real (*gradient)(const void *, const uint8_t *, lbp_real *);
  void (*conditional)(const void *, const uint8_t *, uint32_t, lbp_real *);   /* NULL if there is none */
  long double (*f)(const void *truth, const double *x);   /* the formula at real x */
  double size;                                            /* of what its gradient sums up */
  double step;                                            /* for numerical derivatives */
} target;

#define TARGET(kind)                                                                            \
  static double kind##_logp(const void *m, const uint8_t *x) {                                  \
    return lbp_##kind##_logp((const lbp_##kind *)m, x);                                         \
  }                                                                                             \
  static lbp_real kind##_gradient(const void *m, const uint8_t *x, lbp_real *gradient) {        \
    return lbp_##kind##_gradient((const lbp_##kind *)m, x, gradient);                           \
  }                                                                                             \
  static target kind##_target(const lbp_##kind *m, uint32_t states, const kind##_truth *truth,  \
                              double size) {                                                    \
    target t;                                                                                   \
    t.model = m;                                                                                \
    t.truth = truth;                                                                            \
    t.n = m->n;                                                                                 \
    t.states = states;                                                                          \
    t.logp = kind##_logp;                                                                       \
    t.gradient = kind##_gradient;                                                               \
    t.conditional = NULL;                                                                       \
    t.f = kind##_f;                                                                             \
    t.size = size;                                                                              \
    t.step = 1.0 / 1024;                                                                        \
    return t;                                                                                   \
  }

#define CONDITIONAL(kind)                                                                       \
  static void kind##_conditional(const void *m, const uint8_t *x, uint32_t i, lbp_real *out) {  \
    lbp_##kind##_conditional((const lbp_##kind *)m, x, i, out);                                 \
  }

/* d f / d x_i by differences of order 4: with this step, quartics are exact, and the rest is so to about 1e-12;
 * 1e-10 where a long double is a double, as under valgrind. */
static double slope(const target *t, double *x, uint32_t i) {
  const double at = x[i], step = t->step;
  long double near, far;
  x[i] = at + step, near = t->f(t->truth, x);
  x[i] = at - step, near -= t->f(t->truth, x);
  x[i] = at + 2 * step, far = t->f(t->truth, x);
  x[i] = at - 2 * step, far -= t->f(t->truth, x);
  x[i] = at;
  return (double)((8 * near - far) / (12 * (long double)step));
}

/* log pi and its gradient are those of the formula, at random states and in the corners. */
static void check_target(target t, uint64_t seed) {
  lbp_real gradient[MOST + 1], again[MOST];
  uint8_t x[MOST];
  double real[MOST], worst = 0.0, worst_f = 0.0;
  uint32_t round, i, k;
  lbp_rng rng;
  int same = 1;
  lbp_rng_init(&rng, seed, 0);
  for (round = 0; round < 6; round++) {
    double f;
    volatile double value, value_again; /* stored: registers may hold more digits */
    random_state(x, t.n, t.states, &rng);
    if (round < 2) memset(x, round == 0 ? 0 : (int)t.states - 1, t.n);
    for (i = 0; i < t.n; i++) real[i] = x[i];
    memset(gradient, 0x5a, sizeof gradient);   /* whatever was there is overwritten, what lies behind is not */
    gradient[t.n] = 77;
    value = (double)t.gradient(t.model, x, gradient);
    CHECK_NEAR(gradient[t.n], 77, 0);
    f = (double)t.f(t.truth, real);
    worst_f = fmax(worst_f, fabs(t.logp(t.model, x) - f) / fmax(fabs(f), t.size));
    worst_f = fmax(worst_f, fabs(value - f) / fmax(fabs(f), t.size));
    value_again = (double)t.gradient(t.model, x, again);
    same = same && fabs(value_again - value) <= 0;
    same = same && memcmp(gradient, again, t.n * sizeof *again) == 0;
    for (k = 0; k < t.n && k < 24; k++) {
      double gap;
      i = t.n <= 24 ? k : (uint32_t)(uniform(&rng) * t.n);
      gap = fabs((double)gradient[i] - slope(&t, real, i)) / t.size;
      if (!(gap <= worst)) worst = gap;
    }
  }
  CHECK_NEAR(worst, 0, IS_FLOAT ? TOLERANCE : 1e-9);
  CHECK_NEAR(worst_f, 0, 4 * TOLERANCE);
  CHECK(same);
}

/* The conditional of every coordinate has the differences of log pi, and writes no more than its S values. */
static void check_conditional(target t, uint64_t seed) {
  lbp_real out[257];
  uint8_t x[MOST];
  double worst = 0.0;
  uint32_t i, v;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 0);
  random_state(x, t.n, t.states, &rng);
  for (i = 0; i < t.n; i++) {
    const uint8_t old = x[i];
    const double f = t.logp(t.model, x);
    memset(out, 0x5a, sizeof out);
    out[t.states] = 77;
    t.conditional(t.model, x, i, out);
    CHECK_NEAR(out[t.states], 77, 0);
    for (v = 0; v < t.states; v += t.states > 32 ? 5 : 1) {
      double gap;
      x[i] = (uint8_t)v;
      gap = fabs((double)(out[v] - out[old]) - (t.logp(t.model, x) - f)) / fmax(fabs(f), t.size);
      if (!(gap <= worst)) worst = gap;
    }
    x[i] = old;
    if (i % 16 == 0) random_state(x, t.n, t.states, &rng);
  }
  CHECK_NEAR(worst, 0, 20 * TOLERANCE);
}

/* The Hessian as a dense matrix. */
static double *expand(const lbp_symmetric *w) {
  double *dense = new_doubles((size_t)w->n * w->n);
  CHECK(lbp_symmetric_check(w) == LBP_OK);
  lbp_symmetric_expand(w, NULL, dense);
  return dense;
}

/* W has the differences of the gradient, and with it, log pi(x + v e_i) - log pi(x) = g_i v + W_ii v^2 / 2. */
static void check_hessian(target t, const lbp_symmetric *w, uint64_t seed) {
  double *dense = expand(w), worst = 0.0, worst_f = 0.0;
  lbp_real before[MOST], after[MOST];
  uint8_t x[MOST];
  uint32_t i, j;
  lbp_rng rng;
  int asymmetric = 0;
  lbp_rng_init(&rng, seed, 0);
  CHECK(w->n == t.n);
  random_state(x, t.n, t.states, &rng);
  for (i = 0; i < t.n; i++) {
    const uint8_t old = x[i], other = (uint8_t)((old + 1 + (uint32_t)(uniform(&rng) * (t.states - 1))) % t.states);
    const double v = other - (double)old, f = t.logp(t.model, x);
    double gap;
    (void)t.gradient(t.model, x, before);
    x[i] = other;
    (void)t.gradient(t.model, x, after);
    gap = fabs(t.logp(t.model, x) - f - (double)before[i] * v - dense[(size_t)i * t.n + i] * v * v / 2);
    gap /= fmax(fabs(f), t.size);
    if (!(gap <= worst_f)) worst_f = gap;
    x[i] = old;
    for (j = 0; j < t.n; j++) {
      gap = fabs((double)(after[j] - before[j]) - v * dense[(size_t)i * t.n + j]) / t.size;
      if (!(gap <= worst)) worst = gap;
      asymmetric += fabs(dense[(size_t)i * t.n + j] - dense[(size_t)j * t.n + i]) > 0;
    }
  }
  CHECK_NEAR(worst, 0, 2 * TOLERANCE);
  CHECK_NEAR(worst_f, 0, 20 * TOLERANCE);
  CHECK(asymmetric == 0);
  free(dense);
}

/* ---- random orthogonal matrices ---------------------------------------------------------------------------------- */

static double determinant(double *a, uint32_t n) {
  double product = 1.0;
  uint32_t i, j, k;
  for (k = 0; k < n; k++) {   /* no pivots: an orthogonal matrix of four rows hardly ever needs one */
    product *= a[k * n + k];
    for (i = k + 1; i < n; i++) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

/* Q Q' = I; and over draws, trace Q has the moments 0, 1, 3 (orders 1, 2, 4) of the Haar law on O(4), every entry the
 * moments 0, 1/n, 3/(n (n + 2)) of a coordinate on the sphere, and det Q is -1 as often as 1. Tolerances: five standard
 * errors. */
static void test_orthogonal(void) {
  enum { N = 4, DRAWS = 20000, LARGE = 60 };
  double trace[3] = {0}, *entry = new_doubles(3 * N * N), turns = 0.0, worst = 0.0, *q;
  uint32_t i, j, k, draw;
  lbp_rng rng;
  lbp_rng_init(&rng, 5, 0);
  for (draw = 0; draw < DRAWS; draw++) {
    double sum = 0.0;
    q = lbp_p_random_orthogonal(N, &rng);
    if (q == NULL) exit(3);
    for (i = 0; i < N; i++) sum += q[i * N + i];
    trace[0] += sum / DRAWS;
    trace[1] += sum * sum / DRAWS;
    trace[2] += sum * sum * sum * sum / DRAWS;
    for (i = 0; i < N * N; i++) {
      entry[i] += q[i] / DRAWS;
      entry[N * N + i] += q[i] * q[i] / DRAWS;
      entry[2 * N * N + i] += q[i] * q[i] * q[i] * q[i] / DRAWS;
    }
    turns += determinant(q, N) / DRAWS;
    free(q);
  }
  CHECK_NEAR(trace[0], 0, 5 * 1.0 / sqrt((double)DRAWS));
  CHECK_NEAR(trace[1], 1, 5 * 1.42 / sqrt((double)DRAWS));
  CHECK_NEAR(trace[2], 3, 5 * 9.8 / sqrt((double)DRAWS));
  CHECK_NEAR(turns, 0, 5 * 1.0 / sqrt((double)DRAWS));
  for (i = 0; i < N * N; i++) {
    CHECK_NEAR(entry[i], 0, 5 * 0.5 / sqrt((double)DRAWS));
    CHECK_NEAR(entry[N * N + i], 0.25, 5 * 0.25 / sqrt((double)DRAWS));
    CHECK_NEAR(entry[2 * N * N + i], 0.125, 5 * 0.2 / sqrt((double)DRAWS));
  }
  free(entry);
  q = lbp_p_random_orthogonal(LARGE, &rng);
  if (q == NULL) exit(3);
  for (i = 0; i < LARGE; i++) {
    for (j = 0; j < LARGE; j++) {
      double sum = i == j ? -1.0 : 0.0;
      for (k = 0; k < LARGE; k++) sum += q[i * LARGE + k] * q[j * LARGE + k];
      worst = fmax(worst, fabs(sum));
    }
  }
  CHECK_NEAR(worst, 0, 1e-13);
  free(q);
}

/* ---- Bernoulli --------------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t n;
  const double *p;
} bernoulli_truth;

static long double bernoulli_f(const void *truth, const double *x) {
  const bernoulli_truth *t = (const bernoulli_truth *)truth;
  long double sum = 0;
  uint32_t i;
  for (i = 0; i < t->n; i++) sum += x[i] * logl(t->p[i]) + (1 - (long double)x[i]) * log1pl(-t->p[i]);
  return sum;
}

TARGET(bernoulli)

static void test_bernoulli(void) {
  static const double p[7] = {0.5, 0.01, 0.99, 0.3, 0.7, 0.001, 0.25};
  bernoulli_truth truth;
  lbp_bernoulli m;
  truth.n = 7, truth.p = p;
  CHECK(lbp_bernoulli_init(&m, 7, p) == LBP_OK);
  check_target(bernoulli_target(&m, 2, &truth, 7), 16);
  lbp_bernoulli_free(&m);
}

/* ---- Ising on a grid and on a graph ------------------------------------------------------------------------------ */

typedef struct {
  uint32_t n, edges;
  const uint32_t *ends;
  const double *h, *J;   /* J: one per edge */
} graph_truth;

static long double graph_f(const void *truth, const double *x) {
  const graph_truth *t = (const graph_truth *)truth;
  long double sum = 0;
  uint32_t i, e;
  for (i = 0; i < t->n; i++) sum += t->h[i] * (2 * (long double)x[i] - 1);
  for (e = 0; e < t->edges; e++) {
    sum += t->J[e] * (2 * (long double)x[t->ends[2 * e]] - 1) * (2 * (long double)x[t->ends[2 * e + 1]] - 1);
  }
  return sum;
}

TARGET(graph)
CONDITIONAL(graph)

typedef graph_truth ising_truth;

static long double ising_f(const void *truth, const double *x) { return graph_f(truth, x); }

TARGET(ising)

static void check_graph(const lbp_graph *m, const graph_truth *truth, double size) {
  const uint32_t entries = lbp_graph_hessian_entries(m);
  uint32_t *column = (uint32_t *)calloc((size_t)entries + 1, sizeof *column);
  double *value = new_doubles((size_t)entries + 1);
  target t = graph_target(m, 2, truth, size);
  lbp_symmetric w;
  if (column == NULL) exit(3);
  w = lbp_graph_hessian(m, column, value);
  CHECK(w.dense == NULL && w.start[w.n] == entries);
  check_target(t, 1);
  check_hessian(t, &w, 2);
  t.conditional = graph_conditional;
  check_conditional(t, 3);
  free(column);
  free(value);
}

static void test_graph_random(void) {
  enum { N = 30, EDGES = 90 };
  static const uint32_t pair[] = {0, 1};
  uint32_t ends[2 * EDGES], e;
  double h[N], J[EDGES];
  graph_truth truth;
  lbp_graph m;
  lbp_rng rng;
  lbp_rng_init(&rng, 3, 0);
  for (e = 0; e < N; e++) h[e] = normal(&rng);
  for (e = 0; e < EDGES; e++) {   /* some parallel */
    ends[2 * e] = (uint32_t)(uniform(&rng) * N);
    ends[2 * e + 1] = (ends[2 * e] + 1 + (uint32_t)(uniform(&rng) * (N - 1))) % N;
    J[e] = normal(&rng);
  }
  truth.n = N, truth.edges = EDGES, truth.ends = ends, truth.h = h, truth.J = J;
  CHECK(lbp_graph_init(&m, N, h, EDGES, ends, J, N) == LBP_OK);
  check_graph(&m, &truth, 20);
  lbp_graph_free(&m);
  truth.n = 2, truth.edges = 1, truth.ends = pair;
  CHECK(lbp_graph_init(&m, 2, h, 1, pair, J, 1) == LBP_OK);
  check_graph(&m, &truth, 4);
  lbp_graph_free(&m);
  truth.edges = 0;
  CHECK(lbp_graph_init(&m, 2, h, 0, NULL, NULL, 0) == LBP_OK);
  check_graph(&m, &truth, 4);
  lbp_graph_free(&m);
}

/* A grid, of either kind, has these edges and no others. */
static void test_grid(uint32_t rows, uint32_t cols) {
  const uint32_t n = rows * cols;
  const double J = 0.4407;
  uint32_t ends[4 * MOST], edges = 0, i, j, degree = 0, most = 0;
  double h[MOST] = {0}, couplings[2 * MOST];
  graph_truth truth;
  lbp_graph m;
  lbp_ising ising;
  lbp_rng rng;
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      const int down = (int)(i / cols) - (int)(j / cols), across = (int)(i % cols) - (int)(j % cols);
      if (down * down + across * across != 1) continue;
      couplings[edges] = J;
      ends[2 * edges] = i;
      ends[2 * edges + 1] = j;
      edges++;
    }
  }
  truth.n = n, truth.edges = edges, truth.ends = ends, truth.h = h, truth.J = couplings;
  CHECK(lbp_graph_grid(&m, rows, cols, J) == LBP_OK);
  CHECK(m.n == n && m.start[n] == 2 * edges);
  for (i = 0; i < n; i++) {
    degree = m.start[i + 1] - m.start[i];
    most = degree > most ? degree : most;
  }
  CHECK(m.max_degree == most);
  check_graph(&m, &truth, 4);
  lbp_graph_free(&m);
  lbp_rng_init(&rng, 17, 0);
  for (i = 0; i < n; i++) h[i] = normal(&rng);
  CHECK(lbp_ising_init(&ising, rows, cols, J, h) == LBP_OK);
  check_target(ising_target(&ising, 2, &truth, 20), 18);
  lbp_ising_free(&ising);
}

/* Mean share of sites of degree 0 ... 6 in a graph of n, from the recursion of preferential attachment. (It ignores
 * that repeated draws are made anew: off by 0.002 at n = 400.) */
static void attachment_shares(uint32_t n, uint32_t attach, double *share) {
  double count[8] = {0}, edges = attach;
  uint32_t i, k;
  count[1] = attach;
  for (i = attach + 1; i <= n; i++, edges += attach) {
    count[attach] += 1;
    if (i == n) break;
    for (k = 7; k-- > 1;) {
      const double moved = count[k] * attach * k / (2 * edges);
      count[k] -= moved;
      count[k + 1] += moved;
    }
  }
  for (k = 0; k < 7; k++) share[k] = count[k] / n;
}

/* 1584 edges; the core; every later site joined to four different earlier ones; degrees as preferential attachment
 * makes them, 4, 5 and 6 with shares of 0.330, 0.189, 0.118, where uniform attachment has 0.2, 0.16, 0.128. Tolerance,
 * over 100 graphs: four standard errors. */
static void test_barabasi_albert(void) {
  enum { N = 400, ATTACH = 4, GRAPHS = 100 };
  double share[7] = {0}, want[7], largest = 0.0;
  uint64_t hash = 0;
  uint32_t seed, i, k, wrong = 0;
  lbp_graph m, other;
  for (seed = 0; seed < GRAPHS; seed++) {
    uint32_t most = 0;
    CHECK(lbp_graph_barabasi_albert(&m, N, ATTACH, 0.4407, seed) == LBP_OK);
    CHECK(m.n == N && m.start[N] == 2 * (N - ATTACH) * ATTACH);
    for (i = 0; i < N; i++) {
      const uint32_t degree = m.start[i + 1] - m.start[i];
      uint32_t earlier = 0;
      for (k = m.start[i]; k < m.start[i + 1]; k++) {
        earlier += m.link[k].site < i;
        wrong += fabs((double)m.link[k].gain - 4 * 0.4407) > 1e-6;   /* else it would have been drawn twice */
        wrong += i == ATTACH && k < m.start[i] + ATTACH && m.link[k].site != k - m.start[i];   /* the core */
      }
      wrong += earlier != (i < ATTACH ? 0 : ATTACH);
      if (degree < 7) share[degree] += 1.0 / N / GRAPHS;
      if (degree > most) most = degree;
    }
    wrong += m.max_degree != most;
    largest += (double)most / GRAPHS;
    if (seed + 1 < GRAPHS) lbp_graph_free(&m);
  }
  CHECK(wrong == 0);
  attachment_shares(N, ATTACH, want);
  for (k = 4; k < 7; k++) CHECK_NEAR(share[k], want[k], 0.008);
  CHECK(largest > 40 && largest < 90);
  CHECK(lbp_graph_barabasi_albert(&other, N, ATTACH, 0.4407, GRAPHS - 1) == LBP_OK);
  CHECK(memcmp(m.link, other.link, m.start[N] * sizeof *m.link) == 0);
  lbp_graph_free(&other);
  CHECK(lbp_graph_barabasi_albert(&other, N, ATTACH, 0.4407, GRAPHS) == LBP_OK);
  CHECK(memcmp(m.link, other.link, m.start[N] * sizeof *m.link) != 0);
  lbp_graph_free(&other);
  lbp_graph_free(&m);
  CHECK(lbp_graph_barabasi_albert(&m, N, ATTACH, 0.4407, 1) == LBP_OK);
  for (i = 0; i < m.start[N]; i++) hash = (hash ^ m.link[i].site) * UINT64_C(0x100000001b3);
  check_hash(hash, UINT64_C(0x66a687646b020861));
  lbp_graph_free(&m);
  CHECK(lbp_graph_barabasi_albert(&m, 5, 4, 1.0, 1) == LBP_OK);   /* the core alone: a star */
  CHECK(m.start[5] == 8 && m.max_degree == 4);
  lbp_graph_free(&m);
  CHECK(lbp_graph_barabasi_albert(&m, 2, 1, 1.0, 1) == LBP_OK);
  lbp_graph_free(&m);
}

static void test_graph_errors(void) {
  lbp_graph m;
  CHECK(lbp_graph_grid(NULL, 2, 2, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_graph_grid(&m, 0, 2, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_graph_grid(&m, 2, 0, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_graph_grid(&m, 1u << 16, 1u << 15, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_graph_grid(&m, 1u << 15, 1u << 15, 1), LBP_E_SIZE); /* the sites would do, their edges not */
  CHECK_REFUSED(m, lbp_graph_grid(&m, 2, 2, not_a_number()), LBP_E_NOT_FINITE);
  CHECK_REFUSED(m, lbp_graph_grid(&m, 2, 2, 1e13), LBP_E_RANGE);
  CHECK(lbp_graph_barabasi_albert(NULL, 5, 2, 1, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_graph_barabasi_albert(&m, 0, 1, 1, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_graph_barabasi_albert(&m, 5, 0, 1, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_graph_barabasi_albert(&m, 5, 5, 1, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_graph_barabasi_albert(&m, 1u << 30, 1u << 20, 1, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_graph_barabasi_albert(&m, 5, 2, HUGE_VAL, 1), LBP_E_NOT_FINITE);
}

/* ---- lattice Gaussian -------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t n;
  double most;           /* states - 1 */
  const double *P, *c;   /* P dense */
} lattice_truth;

/* log pi, 0 at the place of the lattice that is next to c. */
static long double lattice_f(const void *truth, const double *x) {
  const lattice_truth *t = (const lattice_truth *)truth;
  long double sum = 0;
  uint32_t i, j;
  for (i = 0; i < t->n; i++) {
    for (j = 0; j < t->n; j++) {
      const double entry = t->P[(size_t)i * t->n + j], far = fmin(fmax(t->c[i], 0), t->most) - t->c[i];
      const double beside = fmin(fmax(t->c[j], 0), t->most) - t->c[j];
      if (!(entry < 0 || entry > 0)) continue;
      sum += entry * (((long double)x[i] - t->c[i]) * ((long double)x[j] - t->c[j]) - (long double)far * beside);
    }
  }
  return -sum / 2;
}

TARGET(lattice)
CONDITIONAL(lattice)

static double lattice_size(const lbp_lattice *m) {   /* the largest sum |offset| + states * sum |W_ij| */
  double largest = 0.0;
  uint32_t i, k;
  for (i = 0; i < m->n; i++) {
    const uint32_t begin = m->start == NULL ? i * m->n : m->start[i];
    const uint32_t end = m->start == NULL ? begin + m->n : m->start[i + 1];
    double sum = fabs((double)m->offset[i]);
    for (k = begin; k < end; k++) sum += m->states * fabs((double)m->value[k]);
    largest = fmax(largest, sum);
  }
  return largest;
}

static void check_lattice(const lbp_lattice *m, const double *P, const double *c) {
  double *value = new_doubles(lbp_lattice_hessian_entries(m));
  const lbp_symmetric w = lbp_lattice_hessian(m, value);
  lattice_truth truth;
  target t;
  truth.n = m->n, truth.most = m->states - 1.0, truth.P = P, truth.c = c;
  t = lattice_target(m, m->states, &truth, lattice_size(m));
  check_target(t, 7);
  check_hessian(t, &w, 8);
  t.conditional = lattice_conditional;
  check_conditional(t, 9);
  free(value);
}

/* Any symmetric P, with `far` diagonals beside the main one, given densely and sparsely. */
static void test_lattice_given(uint32_t n, uint32_t states, uint32_t far, double scale) {
  double *P = new_doubles((size_t)n * n), *c = new_doubles(n), *value = new_doubles((size_t)n * n);
  uint32_t *start = (uint32_t *)calloc((size_t)n + 1, sizeof *start), i, j, entries = 0;
  uint32_t *column = (uint32_t *)calloc((size_t)n * n, sizeof *column);
  lbp_symmetric dense, sparse;
  lbp_lattice m;
  lbp_rng rng;
  lbp_rng_init(&rng, n, states);
  memset(&dense, 0, sizeof dense);
  memset(&sparse, 0, sizeof sparse);
  if (start == NULL || column == NULL) exit(3);
  for (i = 0; i < n; i++) {
    c[i] = uniform(&rng) * states;
    for (j = i < far ? 0 : i - far; j <= i; j++) P[(size_t)i * n + j] = P[(size_t)j * n + i] = scale * normal(&rng);
  }
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      if ((i > j ? i - j : j - i) > far) continue;
      column[entries] = j;
      value[entries++] = P[(size_t)i * n + j];
    }
    start[i + 1] = entries;
  }
  dense.n = sparse.n = n;
  dense.dense = P;
  sparse.start = start, sparse.column = column, sparse.value = value;
  CHECK(lbp_lattice_init(&m, states, c, &dense) == LBP_OK);
  CHECK(m.n == n && m.states == states && m.start == NULL);
  check_lattice(&m, P, c);
  lbp_lattice_free(&m);
  CHECK(lbp_lattice_init(&m, states, c, &sparse) == LBP_OK);
  CHECK(m.n == n && m.states == states && m.start != NULL && lbp_lattice_hessian_entries(&m) == entries);
  check_lattice(&m, P, c);
  lbp_lattice_free(&m);
  lbp_lattice_free(&m);
  free(P);
  free(c);
  free(value);
  free(start);
  free(column);
}

/* The negative of the Hessian, dense: P. */
static double *lattice_P(const lbp_lattice *m) {
  double *value = new_doubles(lbp_lattice_hessian_entries(m)), *P;
  const lbp_symmetric w = lbp_lattice_hessian(m, value);
  size_t k;
  P = expand(&w);
  for (k = 0; k < (size_t)m->n * m->n; k++) P[k] = -P[k];
  free(value);
  return P;
}

/* tr P, tr P^2, tr P^3 are those of the eigenvalues wanted; c = 10; the directions differ from seed to seed. */
static void test_rotation(uint32_t n, double L) {
  double power[3] = {0}, want[3] = {0}, *P, c[MOST];
  uint32_t i, j, k;
  lbp_lattice m, other;
  CHECK(lbp_lattice_random_rotation(&m, n, 21, L, 4) == LBP_OK);
  P = lattice_P(&m);
  for (i = 0; i < n; i++) {
    const double e = sqrt(L) / (1 + (L - 1) * i / (n - 1.0));
    want[0] += e, want[1] += e * e, want[2] += e * e * e;
    power[0] += P[i * n + i];
    c[i] = 10;
    for (j = 0; j < n; j++) {
      power[1] += P[i * n + j] * P[j * n + i];
      for (k = 0; k < n; k++) power[2] += P[i * n + j] * P[j * n + k] * P[k * n + i];
    }
  }
  for (k = 0; k < 3; k++) CHECK_NEAR(power[k] / want[k], 1, 10 * TOLERANCE);
  check_lattice(&m, P, c);
  CHECK(lbp_lattice_random_rotation(&other, n, 21, L, 4) == LBP_OK);
  CHECK(memcmp(m.value, other.value, (size_t)n * n * sizeof *m.value) == 0);
  lbp_lattice_free(&other);
  CHECK(lbp_lattice_random_rotation(&other, n, 21, L, 5) == LBP_OK);
  CHECK(memcmp(m.value, other.value, (size_t)n * n * sizeof *m.value) != 0);
  lbp_lattice_free(&other);
  lbp_lattice_free(&m);
  free(P);
}

/* log pi as lbp_ab.h gets it, rounded to lbp_real: errors must stay far below 0.01, so that acceptance rates don't show
 * them, also in a larger model than the paper's. Near the mode, and far out, where a chain may start. */
static void test_precision(void) {
  enum { N = 400, STATES = 21, TRIALS = 40 };
  static const double L = 50;
  double *P, c[N], worst[2] = {0};
  lbp_real gradient[N];
  lattice_truth truth;
  uint8_t x[N];
  uint32_t t, i;
  lbp_lattice m;
  lbp_rng rng;
  CHECK(lbp_lattice_random_rotation(&m, N, STATES, L, 18) == LBP_OK);
  P = lattice_P(&m);
  for (i = 0; i < N; i++) c[i] = 10;
  truth.n = N, truth.most = STATES - 1, truth.P = P, truth.c = c;
  lbp_rng_init(&rng, 19, 0);
  for (t = 0; t < TRIALS; t++) {
    double real[N], gap;
    for (i = 0; i < N; i++) {
      x[i] = (uint8_t)(t % 2 ? below(STATES, &rng) : 9 + below(3, &rng));
      real[i] = x[i];
    }
    gap = fabs((double)lbp_lattice_gradient(&m, x, gradient) - (double)lattice_f(&truth, real));
    worst[t % 2] = fmax(worst[t % 2], gap);
  }
  CHECK_NEAR(worst[0], 0, IS_FLOAT ? 1e-4 : 1e-11);
  CHECK_NEAR(worst[1], 0, IS_FLOAT ? 1e-3 : 1e-9);
  lbp_lattice_free(&m);
  free(P);
}

/* A cycle and nothing else; the diagonal is 1 / (1 + (L - 1) (i - 1) / (n - 1)), the others, in units of the diagonal's
 * roots, are N(0, 0.04). Tolerances: four standard errors. */
static void test_cycle(uint32_t n, double L, double states) {
  const double middle = (states - 1) / 2;
  double *P, c[MOST], worst = 0.0, mean = 0.0, square = 0.0, fourth = 0.0;
  uint32_t i, j;
  lbp_lattice m;
  CHECK(lbp_lattice_random_cycle(&m, n, (uint32_t)states, L, 4) == LBP_OK);
  CHECK(lbp_lattice_hessian_entries(&m) == 3 * n);
  P = lattice_P(&m);
  for (i = 0; i < n; i++) {
    const uint32_t next = (i + 1) % n;
    const double z = P[i * n + next] / sqrt(P[i * n + i] * P[next * n + next]) / 0.2;
    c[i] = middle;
    worst = fmax(worst, fabs(P[i * n + i] - 99.0 / (99.0 + 99.0 * i / (n - 1) * (L - 1))));
    mean += z / n;
    square += z * z / n;
    fourth += z * z * z * z / n;
    for (j = 0; j < n; j++) {
      if (j != i && j != next && i != (j + 1) % n) worst = fmax(worst, fabs(P[i * n + j]));
    }
  }
  CHECK_NEAR(worst, 0, TOLERANCE);
  if (n >= 100) {
    CHECK_NEAR(mean, 0, 4 / sqrt((double)n));
    CHECK_NEAR(square, 1, 4 * sqrt(2.0) / sqrt((double)n));
    CHECK_NEAR(fourth, 3, 4 * sqrt(96.0) / sqrt((double)n));
  }
  check_lattice(&m, P, c);
  lbp_lattice_free(&m);
  free(P);
}

/* c far outside the lattice: all that depends on x keeps its digits. */
static void test_lattice_far(int is_sparse) {
  static const double P[] = {1e-9, 0, 0, 3e-9}, value[] = {1e-9, 3e-9}, c[] = {1e9, -1e9};
  static const uint32_t start[] = {0, 1, 2}, column[] = {0, 1};
  lbp_real gradient[2], at_0[21];
  uint8_t x[2] = {0, 0}, v;
  double first, value_0;
  lbp_symmetric w;
  lbp_lattice m;
  memset(&w, 0, sizeof w);
  w.n = 2;
  if (is_sparse) w.start = start, w.column = column, w.value = value;
  else w.dense = P;
  CHECK(lbp_lattice_init(&m, 21, c, &w) == LBP_OK);
  first = lbp_lattice_logp(&m, x);
  value_0 = (double)lbp_lattice_gradient(&m, x, gradient);
  lbp_lattice_conditional(&m, x, 0, at_0);
  for (v = 0; v < 21; v++) {
    x[0] = v;
    CHECK_NEAR(lbp_lattice_logp(&m, x) - first, v, 1e-4);
    CHECK_NEAR(at_0[v], v, 1e-4);
    x[1] = v;
    CHECK_NEAR(lbp_lattice_logp(&m, x) - first, v - 3.0 * v, 1e-4);
    CHECK_NEAR((double)lbp_lattice_gradient(&m, x, gradient) - value_0, v - 3.0 * v, 1e-4);
    x[1] = 0;
  }
  lbp_lattice_free(&m);
}

/* Sums in float whose terms are small next to what they begin with: 100 in the diagonal, -0.1 beside it. */
static void test_lattice_sums(void) {
  enum { N = 1000 };
  double *P = new_doubles((size_t)N * N), c[N];
  lbp_symmetric w;
  lbp_lattice m;
  uint32_t i;
  int status;
  memset(&w, 0, sizeof w);
  w.n = N, w.dense = P;
  for (i = 0; i < N * N; i++) P[i] = i % (N + 1) == 0 ? 100 : -0.1;
  for (i = 0; i < N; i++) c[i] = 127.5;
  status = lbp_lattice_init(&m, 256, c, &w);
  CHECK(status == (IS_FLOAT ? LBP_E_PRECISION : LBP_OK));
  CHECK(status != LBP_OK || m.rounding < 1e-9);
  lbp_lattice_free(&m);
  free(P);
}

static void test_lattice_errors(void) {
  double P[] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, c[] = {1, 1, 1}, value[] = {2, 1, 1, 2, 1, 1, 2};
  uint32_t start[] = {0, 2, 5, 7}, column[] = {0, 1, 0, 1, 2, 1, 2};
  lbp_symmetric w, s, bad;
  lbp_lattice m;
  memset(&w, 0, sizeof w);
  memset(&s, 0, sizeof s);
  w.n = s.n = 3;
  w.dense = P;
  s.start = start, s.column = column, s.value = value;
  CHECK(lbp_lattice_init(&m, 2, c, &w) == LBP_OK);
  lbp_lattice_free(&m);
  CHECK(lbp_lattice_init(&m, 256, c, &s) == LBP_OK);
  lbp_lattice_free(&m);
  lbp_lattice_free(NULL);
  CHECK(lbp_lattice_init(NULL, 2, c, &w) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, NULL, &w), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, NULL), LBP_E_NULL);
  bad = s, bad.start = NULL;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &bad), LBP_E_NULL);
  bad = s, bad.column = NULL;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &bad), LBP_E_NULL);
  bad = s, bad.value = NULL;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &bad), LBP_E_NULL);
  bad = w, bad.n = 0;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &bad), LBP_E_SIZE);
  bad.n = 1u << 16;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &bad), LBP_E_SIZE);
  bad = s, bad.n = 0;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &bad), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_lattice_init(&m, 0, c, &w), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_lattice_init(&m, 1, c, &w), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_lattice_init(&m, 257, c, &w), LBP_E_RANGE);
  c[2] = not_a_number();
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &w), LBP_E_NOT_FINITE);
  c[2] = 1;
  P[8] = -HUGE_VAL;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &w), LBP_E_NOT_FINITE);
  P[8] = 1e13;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &w), LBP_E_RANGE);
  P[8] = 2, P[7] = 1 + 1e-8;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &w), LBP_E_NOT_SYMMETRIC);
  P[7] = 1 + 1e-10;
  CHECK(lbp_lattice_init(&m, 2, c, &w) == LBP_OK);
  lbp_lattice_free(&m);
  P[7] = 1;
  value[6] = not_a_number();
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &s), LBP_E_NOT_FINITE);
  value[6] = 1e13;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &s), LBP_E_RANGE);
  value[6] = 2, value[5] = 1.5;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &s), LBP_E_NOT_SYMMETRIC);
  value[5] = 1, column[5] = 0;   /* an entry without its twin */
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &s), LBP_E_NOT_SYMMETRIC);
  column[5] = 2;   /* twice the same */
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &s), LBP_E_INDEX);
  column[5] = 1, column[6] = 3;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &s), LBP_E_INDEX);
  column[6] = 2, start[1] = 6;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &s), LBP_E_INDEX);
  start[1] = 2, start[0] = 1;
  CHECK_REFUSED(m, lbp_lattice_init(&m, 2, c, &s), LBP_E_INDEX);

  CHECK(lbp_lattice_random_rotation(NULL, 3, 21, 2, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_lattice_random_rotation(&m, 0, 21, 2, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_lattice_random_rotation(&m, 1u << 16, 21, 2, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_lattice_random_rotation(&m, 3, 1, 2, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_lattice_random_rotation(&m, 3, 21, 0, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_lattice_random_rotation(&m, 3, 21, not_a_number(), 1), LBP_E_NOT_FINITE);
  CHECK(lbp_lattice_random_cycle(NULL, 3, 21, 2, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_lattice_random_cycle(&m, 2, 21, 2, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_lattice_random_cycle(&m, 1u << 31, 21, 2, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_lattice_random_cycle(&m, 3, 257, 2, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_lattice_random_cycle(&m, 3, 21, -1, 1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_lattice_random_cycle(&m, 3, 21, HUGE_VAL, 1), LBP_E_NOT_FINITE);
}

/* Instances as they always were. */
static void test_lattice_hashes(void) {
  lbp_lattice m;
  CHECK(lbp_lattice_random_rotation(&m, 20, 21, 10, 1) == LBP_OK);
  check_hash(mix(mix(0, m.value, 400), m.centre, 20), UINT64_C(0x85651017cb7b81b3));
  lbp_lattice_free(&m);
  CHECK(lbp_lattice_random_cycle(&m, 100, 21, 10, 1) == LBP_OK);
  check_hash(mix(mix(0, m.value, 300), m.centre, 100), UINT64_C(0x83fff95c0a1f191a));
  lbp_lattice_free(&m);
}

/* Gibbs steps of lbp_ab.h, which ask for conditionals, and others, which ask for log pi S times, go the same way. */
#define LBP_NAME        quick
#define LBP_MODEL_T     lbp_lattice
#define LBP_REAL        lbp_real
#define LBP_GRADIENT    lbp_lattice_gradient
#define LBP_CONDITIONAL lbp_lattice_conditional
#include "../lbp_ab.h"

#define LBP_NAME     slow
#define LBP_MODEL_T  lbp_lattice
#define LBP_REAL     lbp_real
#define LBP_GRADIENT lbp_lattice_gradient
#include "../lbp_ab.h"

static void test_gibbs(void) {
  enum { N = 30, STATES = 21, STEPS = 3000 };
  static lbp_real room[2][LBP_WS_LEN_AB(N)];
  uint8_t x[2][N] = {{0}};
  uint32_t t, apart = 0, changed = 0, evaluations[2] = {0, 0};
  quick_chain quick;
  slow_chain slow;
  lbp_rng rng[2];
  lbp_lattice m;
  CHECK(lbp_lattice_random_cycle(&m, N, STATES, 10, 20) == LBP_OK);
  CHECK(quick_init(&quick, N, STATES, x[0], room[0], LBP_WS_LEN_AB(N)) == LBP_OK);
  CHECK(slow_init(&slow, N, STATES, x[1], room[1], LBP_WS_LEN_AB(N)) == LBP_OK);
  for (t = 0; t < 2; t++) lbp_rng_init(&rng[t], 21, 0);
  for (t = 0; t < STEPS; t++) {
    const quick_info step = quick_gibbs_step(&quick, &m, &rng[0]);
    evaluations[0] += step.evaluations;
    evaluations[1] += slow_gibbs_step(&slow, &m, &rng[1]).evaluations;
    changed += step.changed;
    apart += memcmp(x[0], x[1], N) != 0;
  }
  CHECK(apart == 0);
  CHECK(changed > STEPS / 4);
  CHECK(evaluations[0] == STEPS && evaluations[1] == STATES * STEPS);
  lbp_lattice_free(&m);
}

/* ---- Bayesian logistic regression -------------------------------------------------------------------------------- */

typedef struct {
  uint32_t n, observations;
  const double *X, *prior;
  const uint8_t *y;
} logistic_truth;

static long double softplus(long double v) { return (v > 0 ? v : 0) + log1pl(expl(-fabsl(v))); }

static long double logistic_f(const void *truth, const double *x) {
  const logistic_truth *t = (const logistic_truth *)truth;
  long double sum = 0;
  uint32_t i, j;
  for (j = 0; j < t->n; j++) sum += t->prior[j] * (long double)x[j];
  for (i = 0; i < t->observations; i++) {
    long double v = 0;
    for (j = 0; j < t->n; j++) v += t->X[(size_t)i * t->n + j] * (long double)x[j];
    sum -= t->y[i] * softplus(-v) + (1 - t->y[i]) * softplus(v);
  }
  return sum;
}

TARGET(logistic)

/* Data of any size: one observation, a block, one more, several; coefficients beyond a strip; large logits. */
static void test_logistic_given(uint32_t n, uint32_t observations, double scale) {
  double *X = new_doubles((size_t)n * observations), *prior = new_doubles(n), size = 0.0;
  uint8_t *y = (uint8_t *)calloc(observations, 1);
  uint32_t i;
  logistic_truth truth;
  lbp_logistic m;
  target t;
  lbp_rng rng;
  if (y == NULL) exit(3);
  lbp_rng_init(&rng, n, observations);
  for (i = 0; i < n * observations; i++) size += fabs(X[i] = scale * normal(&rng)) / n;
  for (i = 0; i < n; i++) prior[i] = normal(&rng);
  for (i = 0; i < observations; i++) y[i] = (uint8_t)(uniform(&rng) * 2);
  truth.n = n, truth.observations = observations, truth.X = X, truth.prior = prior, truth.y = y;
  size = fmax(size, scale * n);
  CHECK(lbp_logistic_init(&m, n, observations, X, y, prior) == LBP_OK);
  CHECK(m.n == n && m.observations == observations);
  t = logistic_target(&m, 2, &truth, fmax(1, size));
  t.step /= fmax(1, scale);
  check_target(t, 9);
  lbp_logistic_free(&m);
  memset(prior, 0, n * sizeof *prior);
  CHECK(lbp_logistic_init(&m, n, observations, X, y, NULL) == LBP_OK);
  check_target(t, 10);
  lbp_logistic_free(&m);
  lbp_logistic_free(&m);
  free(X);
  free(y);
  free(prior);
}

/* X as it is kept: the sign is that of 1 - 2 y. */
static double logistic_X(const lbp_logistic *m, uint32_t i, uint32_t j) {
  const uint32_t first = i - i % 256, left = m->observations - first, count = left < 256 ? left : 256;
  return (double)m->X[(size_t)first * m->n + (size_t)j * ((count + 15) / 16 * 16) + i % 256];
}

/* Rows have covariance 0.25 Lam Sigma Lam, and y follows the model: at a logit v, sigmoid((1 - 2 y) v), known for X
 * with signs, has mean 2 p (1 - p), p = sigmoid(v), also known. Tolerances: five standard errors. */
static void test_logistic_data(void) {
  enum { N = 9, ROWS = 40000 };
  double cov[N][N] = {{0}}, gap = 0.0, lam[N];
  uint32_t i, j, k;
  lbp_logistic m, other;
  CHECK(lbp_logistic_random(&m, N, ROWS, 11) == LBP_OK);
  for (i = 0; i < ROWS; i++) {
    double v = 0.0, p;
    for (j = 0; j < N; j++) {
      if (j < 7) v += logistic_X(&m, i, j);
      for (k = 0; k < N; k++) cov[j][k] += logistic_X(&m, i, j) * logistic_X(&m, i, k) / ROWS;
    }
    p = 1 / (1 + exp(-v));
    gap += (p - 2 * p * (1 - p)) / ROWS;
  }
  for (j = 0; j < N; j++) lam[j] = exp(-0.25 + j / (N - 1.0));
  for (j = 0; j < N; j++) {
    for (k = 0; k < N; k++) {
      const double unit = 0.25 * lam[j] * lam[k];
      CHECK_NEAR(cov[j][k] / unit, j == k ? 1.25 : 0.25, 5 * 1.25 * sqrt(j == k ? 2.0 : 1.04) / sqrt((double)ROWS));
    }
  }
  CHECK_NEAR(gap, 0, 5 * 0.35 / sqrt((double)ROWS));
  for (j = 0; j < N; j++) CHECK_NEAR(m.prior[j], 0, 0);
  CHECK(lbp_logistic_random(&other, N, ROWS, 11) == LBP_OK);
  CHECK(memcmp(m.X, other.X, (size_t)N * ROWS * sizeof *m.X) == 0);
  lbp_logistic_free(&other);
  CHECK(lbp_logistic_random(&other, N, ROWS, 12) == LBP_OK);
  CHECK(memcmp(m.X, other.X, (size_t)N * ROWS * sizeof *m.X) != 0);
  lbp_logistic_free(&other);
  lbp_logistic_free(&m);
  CHECK(lbp_logistic_random(&m, 1, 1, 12) == LBP_OK);
  lbp_logistic_free(&m);
  CHECK(lbp_logistic_random(&m, 20, 30, 1) == LBP_OK);   /* as it always was: y is in the signs */
  check_hash(mix(0, m.X, 32 * 20), UINT64_C(0xd228d8a7f0231501));
  lbp_logistic_free(&m);
}

static void test_logistic_errors(void) {
  double X[] = {1, 2, 3, 4, 5, 6}, prior[] = {0, 0};
  uint8_t y[] = {0, 1, 1};
  lbp_logistic m;
  CHECK(lbp_logistic_init(NULL, 2, 3, X, y, prior) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_logistic_init(&m, 2, 3, NULL, y, prior), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_logistic_init(&m, 2, 3, X, NULL, prior), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_logistic_init(&m, 2, 0xffffffffu, X, y, prior), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_logistic_init(&m, 0, 3, X, y, prior), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_logistic_init(&m, 2, 0, X, y, prior), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_logistic_init(&m, 1u << 16, 1u << 16, X, y, prior), LBP_E_SIZE);
  y[2] = 2;
  CHECK_REFUSED(m, lbp_logistic_init(&m, 2, 3, X, y, prior), LBP_E_STATE);
  y[2] = 1, X[5] = not_a_number();
  CHECK_REFUSED(m, lbp_logistic_init(&m, 2, 3, X, y, prior), LBP_E_NOT_FINITE);
  X[5] = 1e13;
  CHECK_REFUSED(m, lbp_logistic_init(&m, 2, 3, X, y, prior), LBP_E_RANGE);
  X[5] = 1, prior[1] = HUGE_VAL;
  CHECK_REFUSED(m, lbp_logistic_init(&m, 2, 3, X, y, prior), LBP_E_NOT_FINITE);
  CHECK(lbp_logistic_random(NULL, 2, 3, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_logistic_random(&m, 0, 3, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_logistic_random(&m, 2, 0, 1), LBP_E_SIZE);
  lbp_logistic_free(NULL);
}

/* ---- quartic mixture --------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t n, components;
  const double *s, *P, *b;
} quartic_truth;

/* Component by component, as (44)-(47) have it: log(e^sum + e^-energy) of two at a time. */
static long double quartic_f(const void *truth, const double *x) {
  const quartic_truth *t = (const quartic_truth *)truth;
  long double sum = 0;
  uint32_t k, e, i;
  for (k = 0; k < t->components; k++) {
    long double energy = 0;
    for (e = 0; e < t->n; e++) {
      long double u = 0;
      for (i = 0; i < t->n; i++) u += t->P[(size_t)e * t->n + i] * ((long double)x[i] - t->b[k]) / t->s[i];
      energy += (u + 1) * (u * u + 0.5L) * (u - 2);
    }
    sum = k == 0 ? -energy : sum + softplus(-energy - sum);
  }
  return sum;
}

TARGET(quartic)

/* scale: of s, below 20 states far out have large energies. spread: of the shifts. */
static void test_quartic_given(uint32_t n, uint32_t states, uint32_t components, double scale, double spread) {
  double *P = new_doubles((size_t)n * n), *s = new_doubles(n), *b = new_doubles(components), size = 0.0;
  quartic_truth truth;
  lbp_quartic m;
  uint32_t i, k;
  lbp_rng rng;
  lbp_rng_init(&rng, n, components);
  for (i = 0; i < n * n; i++) P[i] = normal(&rng) / sqrt((double)n);
  for (i = 0; i < n; i++) s[i] = scale * (0.5 + uniform(&rng));
  for (k = 0; k < components; k++) b[k] = spread * uniform(&rng);
  for (i = 0; i < n; i++) size += states / s[i] / sqrt((double)n);   /* of u */
  size = fmax(1, size);
  truth.n = n, truth.components = components, truth.s = s, truth.P = P, truth.b = b;
  CHECK(lbp_quartic_init(&m, n, states, s, P, components, b) == LBP_OK);
  CHECK(m.n == n && m.states == states && m.components == components);
  check_target(quartic_target(&m, states, &truth, 4 * size * size * size * sqrt((double)n)), 13);
  lbp_quartic_free(&m);
  lbp_quartic_free(&m);
  free(P);
  free(s);
  free(b);
}

/* The paper's: u = P (x / s) with P orthogonal, s_i = 20 exp(-0.5 + (i - 1) / 49), b_k = (k - 1) / 49. */
static void test_quartic_paper(void) {
  enum { N = 50, K = 50 };
  double *P = new_doubles(N * N), s[N], b[K], worst = 0.0;
  quartic_truth truth;
  lbp_quartic m, other;
  uint32_t i, j, e, k;
  CHECK(lbp_quartic_random(&m, N, 21, K, 14) == LBP_OK);
  for (i = 0; i < N; i++) s[i] = 20 * exp(-0.5 + i / 49.0);
  for (k = 0; k < K; k++) b[k] = k / 49.0;
  for (i = 0; i < N; i++) {
    for (e = 0; e < N; e++) P[e * N + i] = (double)m.A[i * N + e] * s[i];
  }
  for (i = 0; i < N; i++) {
    for (j = 0; j < N; j++) {
      double sum = i == j ? -1.0 : 0.0;
      for (e = 0; e < N; e++) sum += P[e * N + i] * P[e * N + j];
      worst = fmax(worst, fabs(sum));
    }
  }
  CHECK_NEAR(worst, 0, TOLERANCE);
  truth.n = N, truth.components = K, truth.s = s, truth.P = P, truth.b = b;
  check_target(quartic_target(&m, 21, &truth, 20), 15);
  CHECK(lbp_quartic_random(&other, N, 21, K, 14) == LBP_OK);
  CHECK(memcmp(m.A, other.A, N * N * sizeof *m.A) == 0);
  lbp_quartic_free(&other);
  CHECK(lbp_quartic_random(&other, N, 21, K, 15) == LBP_OK);
  CHECK(memcmp(m.A, other.A, N * N * sizeof *m.A) != 0);
  lbp_quartic_free(&other);
  lbp_quartic_free(&m);
  free(P);
  CHECK(lbp_quartic_random(&m, 20, 21, 10, 1) == LBP_OK);   /* as it always was */
  check_hash(mix(mix(0, m.A, 20 * 20), m.b, 10), UINT64_C(0x97f8b84e64b09b9f));
  lbp_quartic_free(&m);
}

static void test_quartic_errors(void) {
  double P[] = {1, 0, 0, 1}, s[] = {20, 20}, b[] = {0, 1, 2};
  lbp_quartic m;
  CHECK(lbp_quartic_init(NULL, 2, 21, s, P, 3, b) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 21, NULL, P, 3, b), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 21, s, NULL, 3, b), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 21, s, P, 3, NULL), LBP_E_NULL);
  CHECK_REFUSED(m, lbp_quartic_init(&m, 0, 21, s, P, 3, b), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_quartic_init(&m, LBP_QUARTIC_MAX_N + 1, 21, s, P, 3, b), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 21, s, P, 0, b), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 1, s, P, 3, b), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 257, s, P, 3, b), LBP_E_RANGE);
  s[1] = 0;
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 21, s, P, 3, b), LBP_E_RANGE);
  s[1] = -1;
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 21, s, P, 3, b), LBP_E_RANGE);
  s[1] = not_a_number();
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 21, s, P, 3, b), LBP_E_NOT_FINITE);
  s[1] = 1, P[3] = HUGE_VAL;
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 21, s, P, 3, b), LBP_E_NOT_FINITE);
  P[3] = 1, b[2] = not_a_number();
  CHECK_REFUSED(m, lbp_quartic_init(&m, 2, 21, s, P, 3, b), LBP_E_NOT_FINITE);
  CHECK(lbp_quartic_random(NULL, 2, 21, 3, 1) == LBP_E_NULL);
  CHECK_REFUSED(m, lbp_quartic_random(&m, 0, 21, 3, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_quartic_random(&m, 2, 21, 0, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_quartic_random(&m, LBP_QUARTIC_MAX_N + 1, 21, 3, 1), LBP_E_SIZE);
  CHECK_REFUSED(m, lbp_quartic_random(&m, 2, 1, 3, 1), LBP_E_RANGE);
  lbp_quartic_free(NULL);
}

int main(void) {
  test_orthogonal();
  test_bernoulli();
  test_graph_random();
  test_grid(1, 1);
  test_grid(1, 7);
  test_grid(5, 3);
  test_grid(20, 20);
  test_barabasi_albert();
  test_graph_errors();
  test_lattice_given(1, 2, 0, 1);
  test_lattice_given(2, 3, 1, 1);
  test_lattice_given(7, 21, 6, 1);
  test_lattice_given(33, 256, 4, 0.02); /* more would be lost to float where precisions are negative */
  test_lattice_given(300, 5, 299, 1);
  test_rotation(5, 2);
  test_rotation(100, 10);
  test_precision();
  test_cycle(3, 10, 21);
  test_cycle(4, 50, 6);
  test_cycle(400, 10, 21);
  test_lattice_far(0);
  test_lattice_far(1);
  test_lattice_sums();
  test_lattice_errors();
  test_lattice_hashes();
  test_gibbs();
  test_logistic_given(1, 1, 1);
  test_logistic_given(10, 50, 0.5);
  test_logistic_given(70, 256, 0.5);
  test_logistic_given(66, 257, 0.5);
  test_logistic_given(5, 600, 1);
  test_logistic_given(9, 40, 100);
  test_logistic_data();
  test_logistic_errors();
  test_quartic_given(1, 2, 1, 1, 1);
  test_quartic_given(6, 21, 3, 20, 1);
  test_quartic_given(13, 21, 65, 20, 30);
  test_quartic_given(5, 21, 130, 2, 20);
  test_quartic_paper();
  test_quartic_errors();
  return test_report();
}
