/* The tools of lbp_ab.h around its steps: the curvature from W and D, algorithm 1, the adapter, the check of a model.
 *
 * Algorithm 1 is run side by side with itself put together from its parts, bit for bit; what it freezes is tested
 * against enumeration on models of 16, 27, 81 and 125 states; on lattice models its W, its residual and the distance
 * it jumps have known answers. Statistical tests: 1e-8 false-alarm probability each, fixed seeds. ab_adaptive_case.h
 * has what is done in every precision. */
#include <stdlib.h>

#include "../lbp_ab.h"
#include "ab_toy.h"
#include "reversible.h"

enum { MOST_SITES = 40, MOST_CELLS = 125, SHORT = 2000 }; /* SHORT and LONG are steps of a warm-up */
#ifdef API_QUICK
enum { TRIALS = 4000, LONG = 2500, LOOKS = 6, SEEDS = 2 };
#else
enum { TRIALS = 80000, LONG = 10000, LOOKS = 20, SEEDS = 12 };
#endif

/* ---- the model: right, or wrong on purpose ----------------------------------------------------------------------- */

typedef enum {
  RIGHT,
  GRADIENT_SIGN, GRADIENT_TWICE, GRADIENT_MORE, GRADIENT_TENTH, /* times 1.3, times 1.1 */
  GRADIENT_FORGETS, GRADIENT_SHIFTED, GRADIENT_NAN, GRADIENT_DRIFTS,
  LOGP_NAN, LOGP_INFINITE, LOGP_DRIFTS, LOGP_OTHER, LOGP_IMPOSSIBLE,
  CONDITIONAL_SHIFTED
} flaw;

/* f = h.x + x'Jx / 2 + sum_i (cubic x_i^3 - quartic (x_i - (states - 1) / 2)^4) + level */
typedef struct {
  uint32_t d, states;
  double J[MOST_SITES * MOST_SITES], h[MOST_SITES], cubic, quartic, level;
  flaw wrong;
  uint32_t where; /* the coordinate, or the sum of x, that is wrong */
} model;

static uint32_t calls; /* what a model that does not repeat itself depends on */

static double model_gradient(const model *m, const uint8_t *x, double *out) {
  double f = m->level;
  uint32_t i, j, sum = 0;
  for (i = 0; i < m->d; i++) {
    const double v = x[i], gap = v - 0.5 * (m->states - 1);
    double field = 0;
    for (j = 0; j < m->d; j++) field += m->J[i * m->d + j] * x[j];
    out[i] = m->h[i] + field + 3 * m->cubic * v * v - 4 * m->quartic * gap * gap * gap;
    f += v * (m->h[i] + field / 2) + m->cubic * v * v * v - m->quartic * gap * gap * gap * gap;
    sum += x[i];
  }
  calls++;
  switch (m->wrong) {
    case GRADIENT_SIGN: for (i = 0; i < m->d; i++) out[i] *= -1; break;
    case GRADIENT_TWICE: for (i = 0; i < m->d; i++) out[i] *= 2; break;
    case GRADIENT_MORE: for (i = 0; i < m->d; i++) out[i] *= 1.3; break;
    case GRADIENT_TENTH: for (i = 0; i < m->d; i++) out[i] *= 1.1; break;
    case GRADIENT_FORGETS: out[m->where] -= m->h[m->where]; break;
    case GRADIENT_SHIFTED: {
      const double first = out[0];
      for (i = 0; i + 1 < m->d; i++) out[i] = out[i + 1];
      out[m->d - 1] = first;
      break;
    }
    case GRADIENT_NAN: if (sum % 5 == m->where) out[m->d - 1] = (double)NAN; break;
    case GRADIENT_DRIFTS: out[m->where] += 1e-3 * (calls % 1000); break;
    case LOGP_NAN: return sum % 5 == m->where ? (double)NAN : f;
    case LOGP_INFINITE: return sum % 5 == m->where ? (double)INFINITY : f;
    case LOGP_DRIFTS: return f + 1e-3 * (calls % 1000);
    case LOGP_IMPOSSIBLE:
      if (sum % 5 != m->where) break;
      for (i = 0; i < m->d; i++) out[i] = (double)NAN; /* need not be known there */
      return -(double)INFINITY;
    default: break;
  }
  return f;
}

static double model_logp(const model *m, const uint8_t *x) {
  double gradient[MOST_SITES];
  return model_gradient(m, x, gradient) + (m->wrong == LOGP_OTHER ? 0.01 * x[m->where] : 0);
}

static void model_conditional(const model *m, const uint8_t *x, uint32_t i, double *out) {
  double gradient[MOST_SITES];
  uint8_t y[MOST_SITES];
  uint32_t v;
  memcpy(y, x, m->d);
  for (v = 0; v < m->states; v++) {
    y[i] = (uint8_t)(m->wrong == CONDITIONAL_SHIFTED ? (v + 1) % m->states : v);
    out[v] = model_gradient(m, y, gradient);
  }
}

static float model_gradient_f(const model *m, const uint8_t *x, float *out) {
  double gradient[MOST_SITES];
  const double f = model_gradient(m, x, gradient);
  uint32_t i;
  for (i = 0; i < m->d; i++) out[i] = (float)gradient[i];
  return (float)f;
}

static double uniform(lbp_rng *rng) { return lbp_u01(lbp_rng_u64(rng)); }

/* Enumerable: up to 125 states. */
static model make_toy(uint32_t d, uint32_t states, double cubic, uint64_t seed) {
  model m;
  memset(&m, 0, sizeof m);
  m.d = d;
  m.states = states;
  m.cubic = cubic;
  ab_parameters(d, states, seed, m.J, m.h);
  return m;
}

/* A Gaussian on {0 ... 20}^d about its middle, standard deviations of some 3; less a quartic. */
static model make_lattice(uint32_t d, double quartic, uint64_t seed) {
  static double a[MOST_SITES * MOST_SITES];
  model m;
  lbp_rng rng;
  uint32_t i, j, k;
  memset(&m, 0, sizeof m);
  m.d = d;
  m.states = 21;
  m.quartic = quartic;
  lbp_rng_init(&rng, seed, 8);
  for (i = 0; i < d * d; i++) a[i] = 2 * uniform(&rng) - 1;
  for (i = 0; i < d; i++) {
    for (j = 0; j < d; j++) {
      double sum = i == j ? 0.03 : 0;
      for (k = 0; k < d; k++) sum += 0.3 / d * a[i * d + k] * a[j * d + k];
      m.J[i * d + j] = -sum;
      m.h[i] += 10 * sum;
    }
  }
  return m;
}

/* Sums of pi up to and including each cell. */
static void make_law(const model *m, double *law, double *upto) {
  const uint32_t cells = ab_cells(m->d, m->states);
  double sum = 0;
  uint8_t x[MOST_SITES];
  uint32_t k;
  for (k = 0; k < cells; k++) {
    ab_decode(m->d, m->states, k, x);
    law[k] = exp(model_logp(m, x));
    sum += law[k];
  }
  for (k = 0; k < cells; k++) {
    law[k] /= sum;
    upto[k] = law[k] + (k ? upto[k - 1] : 0);
  }
}

static uint32_t draw_cell(const double *upto, uint32_t cells, lbp_rng *rng) {
  const double u = uniform(rng);
  uint32_t low = 0, high = cells - 1;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (upto[middle] > u) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Exactly as many bytes as asked for, so that a sanitizer or valgrind sees one too many. */
static void *memory_of(size_t bytes) {
  void *p = malloc(bytes);
  if (!p) exit(2);
  return p;
}

static lbp_symmetric dense_of(uint32_t n, const double *a) {
  lbp_symmetric W;
  memset(&W, 0, sizeof W);
  W.n = n;
  W.dense = a;
  return W;
}

typedef struct {
  lbp_symmetric W;
  uint32_t start[MOST_SITES + 1], column[MOST_SITES * MOST_SITES];
  double value[MOST_SITES * MOST_SITES];
} sparse_matrix;

/* The entries of a that are not zero. W points into *s, which must stay where it is. */
static void make_sparse(sparse_matrix *s, uint32_t n, const double *a) {
  uint32_t k = 0, i, j;
  s->start[0] = 0;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      if (a[i * n + j] == 0) continue;
      s->column[k] = j;
      s->value[k++] = a[i * n + j];
    }
    s->start[i + 1] = k;
  }
  s->W.n = n;
  s->W.dense = NULL;
  s->W.start = s->start;
  s->W.column = s->column;
  s->W.value = s->value;
}

/* D of a kind, in its own workspace of exactly the size documented. */
static int diagonal_of(int kind, const lbp_symmetric *W, double *D) {
  const size_t len = lbp_diagonal_workspace(kind, W->n);
  double *work = (double *)memory_of(len * sizeof *work);
  const int status = lbp_diagonal(kind, W, D, work, len);
  free(work);
  return status;
}

/* Ordinal, double; ordinal, float; binary, double. */
#define LBP_NAME        wide
#define LBP_MODEL_T     model
#define LBP_GRADIENT    model_gradient
#define LBP_LOGP        model_logp
#define LBP_CONDITIONAL model_conditional
#include "../lbp_ab.h"

#define LBP_NAME     narrow
#define LBP_MODEL_T  model
#define LBP_REAL     float
#define LBP_GRADIENT model_gradient_f
#include "../lbp_ab.h"

#define LBP_NAME        bits
#define LBP_MODEL_T     model
#define LBP_GRADIENT    model_gradient
#define LBP_CONDITIONAL model_conditional
#define LBP_STATES      2
#include "../lbp_ab.h"

#define CASE          wide
#define CASE_EPSILON  DBL_EPSILON
#define CASE_GRADIENT model_gradient
#define CASE_LOGP     1
#define CASE_BINARY   0
#include "cases/ab_adaptive_case.h"

#define CASE          narrow
#define CASE_EPSILON  ((double)FLT_EPSILON)
#define CASE_GRADIENT model_gradient_f
#define CASE_LOGP     0
#define CASE_BINARY   0
#include "cases/ab_adaptive_case.h"

#define CASE          bits
#define CASE_EPSILON  DBL_EPSILON
#define CASE_GRADIENT model_gradient
#define CASE_LOGP     0
#define CASE_BINARY   1
#include "cases/ab_adaptive_case.h"

/* ---- values that are labels -------------------------------------------------------------------------------------- */

/* Three colours on a grid: log pi = beta times the number of neighbours that agree. Labels have no order, so that no
 * curvature helps, however "agree" is extended to real numbers: by Lagrange's polynomials through the three values, or
 * by the quartic in their difference. */
enum { COLOURS = 3, MOST_TILES = 144, MOST_PAINTINGS = 729 };

typedef struct {
  uint32_t rows, cols;
  double beta;
  int quartic;
} colouring;

/* d agree(a, b) / da */
static double colour_slope(int quartic, int a, int b) {
  static const double slope[3][3] = {{-1.5, 2, -0.5}, {-0.5, 0, 0.5}, {0.5, -2, 1.5}}; /* of polynomial b at a */
  const double t = a - b;
  return quartic ? t * t * t - 2.5 * t : slope[a][b];
}

static double colour_gradient(const colouring *m, const uint8_t *x, double *out) {
  const uint32_t d = m->rows * m->cols;
  uint32_t agree = 0, i, way;
  for (i = 0; i < d; i++) out[i] = 0;
  for (i = 0; i < d; i++) {
    for (way = 0; way < 2; way++) {
      const uint32_t j = way ? i + 1 : i + m->cols;
      if (way ? j % m->cols == 0 : j >= d) continue;
      agree += x[i] == x[j];
      out[i] += m->beta * colour_slope(m->quartic, x[i], x[j]);
      out[j] += m->beta * colour_slope(m->quartic, x[j], x[i]);
    }
  }
  return m->beta * agree;
}

#define LBP_NAME     colours
#define LBP_MODEL_T  colouring
#define LBP_GRADIENT colour_gradient
#include "../lbp_ab.h"

typedef struct {
  double ws[LBP_WS_LEN_AB(MOST_TILES)];
  uint8_t x[MOST_TILES];
  colours_chain c;
  colours_adaptive a;
  lbp_rng rng;
  void *memory;
} colours_run;

/* From random colours; `compared` or not. */
static void colours_warm_up(colours_run *r, const colouring *m, uint32_t warmup, int compared, uint64_t seed) {
  const uint32_t d = m->rows * m->cols;
  const size_t bytes = colours_adaptive_bytes(d);
  uint32_t i;
  lbp_rng_init(&r->rng, seed, 6);
  for (i = 0; i < d; i++) r->x[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(&r->rng), COLOURS);
  r->memory = memory_of(bytes);
  CHECK(colours_init(&r->c, d, COLOURS, r->x, r->ws, LBP_WS_LEN_AB(d)) == LBP_OK);
  CHECK(colours_adaptive_init(&r->a, d, warmup, r->memory, bytes) == LBP_OK);
  CHECK(r->a.compared == 1);
  r->a.compared = compared;
  for (i = 0; i < warmup; i++) {
    CHECK(r->a.status == LBP_OK);
    colours_adaptive_step(&r->c, m, &r->a, &r->rng);
  }
}

static double colours_acceptance(colours_run *r, const colouring *m) {
  double sum = 0;
  uint32_t t;
  for (t = 0; t < 1000; t++) sum += colours_adaptive_step(&r->c, m, &r->a, &r->rng).accept / 1000;
  return sum;
}

static void decode_painting(uint32_t code, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < 6; i++, code /= COLOURS) x[i] = (uint8_t)(code % COLOURS);
}

/* One step on 2 x 3 tiles from draws of the law, which must be reached again. */
static void check_paintings(const colouring *m, const colours_curvature *v, const colours_scale *scale, uint64_t seed,
                            const char *what) {
  static uint32_t reached[MOST_PAINTINGS];
  static double law[MOST_PAINTINGS], upto[MOST_PAINTINGS];
  double ws[LBP_WS_LEN_AB(6)], gradient[6], sum = 0, accept = 0, p;
  uint8_t x[6] = {0};
  colours_chain c;
  lbp_rng rng;
  uint32_t t, k, code, i;
  char text[160];
  memset(reached, 0, sizeof reached);
  for (k = 0; k < MOST_PAINTINGS; k++) {
    decode_painting(k, x);
    sum += law[k] = exp(colour_gradient(m, x, gradient));
  }
  for (k = 0; k < MOST_PAINTINGS; k++) {
    law[k] /= sum;
    upto[k] = law[k] + (k ? upto[k - 1] : 0);
  }
  lbp_rng_init(&rng, seed, 7);
  CHECK(colours_init(&c, 6, COLOURS, x, ws, LBP_WS_LEN_AB(6)) == LBP_OK);
  for (t = 0; t < TRIALS; t++) {
    decode_painting(draw_cell(upto, MOST_PAINTINGS, &rng), x);
    c.logp_ready = c.gradient_ready = 0;
    accept += colours_ab_step(&c, m, v, scale, &rng).accept / TRIALS;
    for (code = 0, i = 6; i-- > 0;) code = code * COLOURS + x[i];
    reached[code]++;
  }
  p = chi2_counts(reached, law, MOST_PAINTINGS, TRIALS);
  snprintf(text, sizeof text, "%s: invariance p = %.2g, acceptance %.2g", what, p, accept);
  test_count(p > CHI2_LEVEL && accept > 0.3, __FILE__, __LINE__, text);
}

/* The second order hardly moves on 12 x 12 tiles, and says so; the first, which it falls back to, does. On 2 x 3 it
 * moves far enough. */
static void test_colours(void) {
  static colours_run r;
  uint64_t seed;
  for (seed = 0; seed < SEEDS; seed++) {
    const colouring m = {12, 12, 0.6, seed % 2 == 1}, small = {2, 3, 0.6, seed % 2 == 1};
    colours_scale first;
    colours_warm_up(&r, &m, 4000, 1, seed);
    first = colours_first_order(r.a.tuner.sigma, 0.5);
    CHECK(r.a.status == LBP_E_FIRST_ORDER && colours_adaptive_curvature(&r.a) == NULL);
    CHECK(r.a.scale.flat == first.flat && r.a.scale.alpha == 0.5 && r.a.scale.damping == 0 && r.a.scale.along == 0);
    CHECK(colours_acceptance(&r, &m) > 0.3);
    if (seed < 2) check_paintings(&small, NULL, &r.a.scale, seed, "colours, fallen back");
    free(r.memory);
    if (seed > 1) continue;
    colours_warm_up(&r, &small, 4000, 1, seed);
    CHECK(r.a.status == LBP_OK);
    check_paintings(&small, colours_adaptive_curvature(&r.a), &r.a.scale, seed, "colours, second order");
    free(r.memory);
  }
  { /* kept where asked for: this is what it falls back from */
    const colouring m = {12, 12, 0.6, 0};
    colours_warm_up(&r, &m, SHORT, 0, 1);
    CHECK(r.a.status == LBP_OK && colours_adaptive_curvature(&r.a) == &r.a.own);
    CHECK(colours_acceptance(&r, &m) < 0.1);
    free(r.memory);
  }
}

/* ---- what has no precision --------------------------------------------------------------------------------------- */

/* lbp_diagonal is each of the four; a workspace one short is refused. */
static void test_diagonals(void) {
  const model m = make_lattice(12, 0, 3);
  const lbp_symmetric W = dense_of(m.d, m.J);
  double D[12], want[12], trace[4];
  int kind;
  for (kind = LBP_DIAGONAL_TRACE; kind <= LBP_DIAGONAL_DOMINANT; kind++) {
    const size_t len = lbp_diagonal_workspace(kind, m.d);
    double *work = (double *)memory_of(len * sizeof *work), largest;
    uint32_t i;
    CHECK(diagonal_of(kind, &W, D) == LBP_OK);
    switch (kind) {
      case LBP_DIAGONAL_TRACE: CHECK(lbp_diagonal_trace(&W, 1e-3, want, NULL, work, len) == LBP_OK); break;
      case LBP_DIAGONAL_SHIFT: CHECK(lbp_diagonal_shift(&W, 0, want, work, len) == LBP_OK); break;
      case LBP_DIAGONAL_MAX: CHECK(lbp_diagonal_max(&W, want, &largest, work, len) == LBP_OK); break;
      default: CHECK(lbp_diagonal_dominant(&W, want) == LBP_OK); break;
    }
    trace[kind] = 0;
    for (i = 0; i < m.d; i++) {
      CHECK(D[i] == want[i]);
      trace[kind] += D[i];
    }
    if (kind != LBP_DIAGONAL_DOMINANT) CHECK(lbp_diagonal(kind, &W, D, work, len - 1) == LBP_E_WORKSPACE);
    free(work);
  }
  for (kind = LBP_DIAGONAL_SHIFT; kind <= LBP_DIAGONAL_DOMINANT; kind++) CHECK(trace[kind] > trace[LBP_DIAGONAL_TRACE] * 1.001);
  CHECK(lbp_diagonal(4, &W, D, want, 12) == LBP_E_RANGE);
  CHECK(lbp_diagonal(-1, &W, D, want, 12) == LBP_E_RANGE);
  CHECK(lbp_diagonal(LBP_DIAGONAL_TRACE, NULL, D, want, 12) == LBP_E_NULL);
}

static void test_dominant(void) {
  const double a[9] = {-1.1, 0.3, 0, 0.3, 0.1, -0.7, 0, -0.7, 0}; /* radii 0.3, 1, 0.7 */
  const lbp_symmetric dense = dense_of(3, a);
  double D[3] = {1.4, 0.9, 0.7};
  sparse_matrix s;
  double root[5];
  uint32_t i;
  make_sparse(&s, 3, a);
  CHECK(lbp_symmetric_is_dominant(&s.W, D)); /* though 1.4 - 1.1 < 0.3 in binary */
  CHECK(!lbp_symmetric_is_dominant(&dense, D));
  CHECK(!lbp_symmetric_is_dominant(&s.W, NULL));
  CHECK(lbp_root_edges(&s.W, D, root) == LBP_OK);
  for (i = 0; i < 3; i++) {
    D[i] -= 1e-9;
    CHECK(!lbp_symmetric_is_dominant(&s.W, D));
    CHECK(lbp_root_edges(&s.W, D, root) == LBP_E_NOT_DOMINANT);
    D[i] += 2e-9;
    CHECK(lbp_symmetric_is_dominant(&s.W, D));
  }
  D[1] = (double)NAN;
  CHECK(!lbp_symmetric_is_dominant(&s.W, D));
}

/* Against the sums written out, for the best W and for others. */
static void test_residual(void) {
  enum { N = 7, PAIRS = 60 };
  static double dx[PAIRS][N], dg[PAIRS][N];
  double memory[2 * N * N], W[N * N], other[N * N], work[2 * N * N + 20 * N + 2 * N * N + 4], best = 2;
  lbp_estimate estimate;
  lbp_rng rng;
  uint32_t t, i, j, round;
  lbp_rng_init(&rng, 4, 4);
  CHECK(lbp_estimate_init(&estimate, N, memory, 2 * N * N) == LBP_OK);
  memset(W, 0, sizeof W);
  CHECK(lbp_estimate_residual(&estimate, W, work) == 0);
  for (t = 0; t < PAIRS; t++) {
    for (i = 0; i < N; i++) dx[t][i] = floor(5 * uniform(&rng)) - 2;
    for (i = 0; i < N; i++) {
      dg[t][i] = uniform(&rng) - 0.5;
      for (j = 0; j < N; j++) dg[t][i] += (0.3 * (i == j) - 0.1 * (double)(i + j) / N) * dx[t][j];
    }
    CHECK(lbp_estimate_push(&estimate, dx[t], dg[t]) == LBP_OK);
  }
  CHECK_NEAR(lbp_estimate_residual(&estimate, W, work), 1, 1e-12);
  CHECK(lbp_estimate_solve_workspace(N) <= sizeof work / sizeof *work);
  CHECK(lbp_estimate_solve(&estimate, other, work, sizeof work / sizeof *work) == LBP_OK);
  for (round = 0; round < 5; round++) {
    double left = 0, all = 0, got;
    for (i = 0; i < N; i++) {
      for (j = 0; j <= i; j++) {
        const double off = round ? 0.2 * (uniform(&rng) - 0.5) : 0;
        W[i * N + j] = W[j * N + i] = other[i * N + j] + off;
      }
    }
    for (t = 0; t < PAIRS; t++) {
      for (i = 0; i < N; i++) {
        double gap = -dg[t][i];
        for (j = 0; j < N; j++) gap += W[i * N + j] * dx[t][j];
        left += gap * gap;
        all += dg[t][i] * dg[t][i];
      }
    }
    got = lbp_estimate_residual(&estimate, W, work);
    CHECK_NEAR(got, left / all, 1e-12);
    CHECK(round ? got > best : got < 1);
    if (!round) best = got;
  }
}

int main(void) {
  static const struct {
    uint32_t d, states;
  } sizes[] = {{4, 2}, {3, 3}, {4, 3}, {3, 5}};
  uint32_t k;
  test_diagonals();
  test_dominant();
  test_residual();
  wide_test_scales();
  narrow_test_scales();
  wide_test_curvature();
  narrow_test_curvature();
  wide_test_adapter();
  narrow_test_adapter();
  wide_test_check();
  narrow_test_check();
  bits_test_check();
  wide_test_replay();
  bits_test_replay();
  wide_test_phases();
  narrow_test_phases();
  wide_test_compare();
  narrow_test_compare();
  test_colours();
  wide_test_warmups();
  narrow_test_warmups();
  wide_test_lattice();
  narrow_test_lattice();
  for (k = 0; k < 4; k++) {
    const model quadratic = make_toy(sizes[k].d, sizes[k].states, 0, 3 + k);
    const model cubic = make_toy(sizes[k].d, sizes[k].states, -0.04, 13 + k);
    wide_test_exact(&quadratic, 100 * k);
    wide_test_exact(&cubic, 100 * k + 50);
    narrow_test_exact(&quadratic, 1000 + 100 * k);
    narrow_test_exact(&cubic, 1050 + 100 * k);
    if (sizes[k].states == 2) bits_test_exact(&quadratic, 2000);
  }
  return test_report();
}
