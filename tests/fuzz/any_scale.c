/* Fuzz target: lbp_ab.h. Matrices of any kind go through the linear algebra, whose results must be what their
 * comments promise; chains, tuners and the adaptive sampler on models of any numbers. */
#include "fuzz.h"

#include "../../lbp_ab.h"

enum { SCALE_MOST = 9, SCALE_ENTRIES = SCALE_MOST * SCALE_MOST + 2, SCALE_OPERATIONS = 40, SCALE_ADAPTED = 300 };

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* log pi(x) = sum_i field_i x_i + coupling / 2 sum_i (x_i - x_{i+1})^2; something else, and another gradient, where the
 * sum of x has a remainder. */
typedef struct {
  uint32_t d, states, remainder;
  int sound;                       /* none has */
  double field[SCALE_MOST], coupling, odd_logp, odd_gradient;
} scale_model;

static double scale_gradient(const scale_model *m, const uint8_t *x, double *out) {
  double logp = 0;
  uint32_t i, sum = 0;
  for (i = 0; i < m->d; i++) out[i] = m->field[i];
  for (i = 0; i < m->d; i++) {
    sum += x[i];
    logp += m->field[i] * x[i];
    if (i + 1 < m->d) {
      const double gap = (double)x[i] - x[i + 1];
      logp += 0.5 * m->coupling * gap * gap;
      out[i] += m->coupling * gap;
      out[i + 1] -= m->coupling * gap;
    }
  }
  if (m->sound || sum % 5 != m->remainder) return logp;
  out[sum % m->d] = m->odd_gradient;
  return m->odd_logp;
}

static float scale_gradient_float(const scale_model *m, const uint8_t *x, float *out) {
  double exact[SCALE_MOST];
  const double logp = scale_gradient(m, x, exact);
  uint32_t i;
  for (i = 0; i < m->d; i++) out[i] = (float)exact[i];
  return (float)logp;
}

static float scale_logp_float(const scale_model *m, const uint8_t *x) {
  float unused[SCALE_MOST];
  return scale_gradient_float(m, x, unused);
}

static void scale_conditional_float(const scale_model *m, const uint8_t *x, uint32_t i, float *out) {
  uint8_t y[SCALE_MOST];
  uint32_t v;
  memcpy(y, x, m->d);
  for (v = 0; v < m->states; v++) {
    y[i] = (uint8_t)v;
    out[v] = scale_logp_float(m, y);
  }
}

#define CASE          wide
#define CASE_REAL     double
#define CASE_GRADIENT scale_gradient
#include "any_scale_case.h"

#define CASE          five
#define CASE_REAL     float
#define CASE_GRADIENT scale_gradient_float
#define LBP_STATES      5
#define LBP_LOGP        scale_logp_float
#define LBP_CONDITIONAL scale_conditional_float
#include "any_scale_case.h"

#define CASE          narrow
#define CASE_REAL     float
#define CASE_GRADIENT scale_gradient_float
#include "any_scale_case.h"

static void scale_make(scale_model *m, uint32_t states) {
  uint32_t i;
  memset(m, 0, sizeof *m);
  m->d = 1 + fuzz_below(SCALE_MOST);
  m->states = states;
  m->sound = (int)fuzz_below(3) > 0;
  m->remainder = fuzz_below(5);
  m->coupling = fuzz_plain() / 64;
  m->odd_logp = fuzz_double();
  m->odd_gradient = fuzz_double();
  for (i = 0; i < m->d; i++) m->field[i] = fuzz_plain() / 16;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

typedef struct {
  lbp_symmetric W;
  double value[SCALE_ENTRIES];
  uint32_t start[SCALE_MOST + 1], column[SCALE_ENTRIES];
} scale_matrix;

/* A dense matrix: symmetric, but for one entry maybe. */
static void scale_dense(scale_matrix *m, uint32_t n, int wild) {
  uint32_t i, j;
  memset(m, 0, sizeof *m);
  m->W.n = n;
  m->W.dense = m->value;
  for (i = 0; i < n; i++)
    for (j = 0; j <= i; j++) m->value[i * n + j] = m->value[j * n + i] = wild ? fuzz_double() : fuzz_plain() / 8;
  if (fuzz_below(16) == 1) m->value[fuzz_below(n * n)] = fuzz_double();
}

/* A sparse one: the dense one's entries that the input keeps, or anything at all. */
static void scale_sparse(scale_matrix *m, uint32_t n, int wild) {
  double dense[SCALE_MOST * SCALE_MOST];
  uint32_t keep[SCALE_MOST], i, j, entries = 0;
  scale_dense(m, n, wild);
  memcpy(dense, m->value, sizeof dense);
  m->W.dense = NULL;
  m->W.start = m->start;
  m->W.column = m->column;
  m->W.value = m->value;
  for (i = 0; i < n; i++) keep[i] = (uint32_t)fuzz_word(2);
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      if (!(keep[i > j ? i : j] >> (i > j ? j : i) & 1)) continue;
      m->column[entries] = j;
      m->value[entries++] = dense[i * n + j];
    }
    m->start[i + 1] = entries;
  }
  for (i = fuzz_below(8); i > 4; i--) { /* now and then not even a matrix */
    if (fuzz_below(2)) m->start[fuzz_below(n + 1)] = (uint32_t)fuzz_word(fuzz_below(5));
    else m->column[fuzz_below(SCALE_ENTRIES)] = (uint32_t)fuzz_word(fuzz_below(5));
  }
  /* a row that is read begins within the arrays, and is left at its first column that does not increase */
}

/* The answer of lbp_symmetric_check for a dense matrix, the slow way. */
static int scale_check(const double *a, uint32_t n) {
  double largest = 0;
  uint32_t i, j;
  for (i = 0; i < n * n; i++) {
    if (!lbp_is_finite(a[i])) return LBP_E_NOT_FINITE;
    largest = fmax(largest, fabs(a[i]));
  }
  if (largest > 1e100 || (largest > 0 && largest < 1e-100)) return LBP_E_RANGE;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (fabs(a[i * n + j] - a[j * n + i]) > 1e-9 * largest) return LBP_E_NOT_SYMMETRIC;
  return LBP_OK;
}

/* Least eigenvalue of W + D by Jacobi's method, and the size of what it is made of. */
static double scale_least(const lbp_symmetric *W, const double *D, double *size) {
  double a[SCALE_MOST * SCALE_MOST], values[SCALE_MOST], work[2 * SCALE_MOST * SCALE_MOST + 11 * SCALE_MOST + 4];
  uint32_t i;
  lbp_symmetric_expand(W, NULL, a);
  for (i = 0, *size = 0; i < W->n * W->n; i++) *size += fabs(a[i]);
  for (i = 0; i < W->n; i++) *size += D[i];
  lbp_symmetric_expand(W, D, a);
  FUZZ_CHECK(lbp_eigen(W->n, a, values, work, sizeof work / sizeof work[0]) == LBP_OK);
  for (i = 1; i < W->n; i++) FUZZ_CHECK(values[i] >= values[i - 1]);
  return values[0];
}

/* Every diagonal: not negative, and W + D positive semi-definite. */
static void scale_diagonals(const lbp_symmetric *W, double *D) {
  const int kind = (int)fuzz_below(6) - 1;
  const size_t len = lbp_diagonal_workspace(kind, W->n);
  double *work = (double *)malloc(len * sizeof *work), size, least, bound = 0;
  uint32_t i;
  int status;
  FUZZ_CHECK(work != NULL);
  if (kind >= LBP_DIAGONAL_TRACE && kind < LBP_DIAGONAL_DOMINANT) {
    FUZZ_CHECK(lbp_diagonal(kind, W, D, work, len - 1) == LBP_E_WORKSPACE);
  }
  status = lbp_diagonal(kind, W, D, work, len);
  free(work);
  for (i = 0; i < W->n && status == LBP_E_RANGE; i++) D[i] = 0;
  if (kind < LBP_DIAGONAL_TRACE || kind > LBP_DIAGONAL_DOMINANT) {
    FUZZ_CHECK(status == LBP_E_RANGE);
    return;
  }
  FUZZ_CHECK(status == LBP_OK || (status == LBP_E_NOT_CONVERGED && kind != LBP_DIAGONAL_DOMINANT));
  for (i = 0; i < W->n; i++) FUZZ_CHECK(D[i] >= 0 && lbp_is_finite(D[i]));
  least = scale_least(W, D, &size);
  FUZZ_CHECK(least >= -1e-7 * size);

  work = (double *)malloc(lbp_least_eigenvalue_workspace(W->n) * sizeof *work);
  FUZZ_CHECK(work != NULL);
  status = lbp_least_eigenvalue(W, D, fabs(fuzz_double()), work, lbp_least_eigenvalue_workspace(W->n), &bound);
  free(work);
  FUZZ_CHECK(status == LBP_OK || status == LBP_E_NOT_CONVERGED || status == LBP_E_RANGE);
  if (status != LBP_E_RANGE) FUZZ_CHECK(bound <= least + 1e-12 * size);
}

/* Noise roots: S S' = W + D. */
static void scale_roots(const lbp_symmetric *W, const double *D) {
  const uint32_t n = W->n;
  double root[SCALE_MOST * SCALE_MOST], work[2 * SCALE_MOST], z[SCALE_MOST], g[SCALE_MOST], size, least;
  uint32_t order[SCALE_MOST], rank = 0, i, j, k;
  int status = lbp_root_dense(W, D, root, order, &rank, work, 2 * n);
  FUZZ_CHECK(status == LBP_OK || status == LBP_E_INDEFINITE);
  least = scale_least(W, D, &size);
  if (least > 1e-9 * size) FUZZ_CHECK(status == LBP_OK && rank == n);
  if (status != LBP_OK) return;
  FUZZ_CHECK(rank <= n && least >= -1e-9 * size);
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      double sum = 0;
      for (k = 0; k < rank; k++) sum += root[k * n + i] * root[k * n + j];
      sum -= lbp_symmetric_entry(W, order[i], order[j]) + (i == j && D ? D[order[i]] : 0);
      FUZZ_CHECK(fabs(sum) <= 1e-9 * size);
    }
  }
  for (k = 0; k < n; k++) z[k] = k + 1;
  lbp_noise_dense(n, root, order, rank, z, g, work);
  for (i = 0; i < n; i++) {
    double sum = 0;
    for (k = 0; k < rank; k++) sum += root[k * n + i] * z[k];
    FUZZ_CHECK(fabs(sum - g[order[i]]) <= 1e-9 * (1 + size));
  }
}

static void scale_algebra(void) {
  static scale_matrix m;
  const uint32_t n = 1 + fuzz_below(SCALE_MOST), sparse = fuzz_below(2);
  double D[SCALE_MOST], dense[SCALE_MOST * SCALE_MOST];
  int status;
  if (sparse) scale_sparse(&m, n, fuzz_below(4) == 0);
  else scale_dense(&m, n, fuzz_below(4) == 0);
  status = lbp_symmetric_check(&m.W);
  if (!sparse) FUZZ_CHECK(status == scale_check(m.value, n));
  if (status != LBP_OK) return;
  if (sparse) {
    lbp_symmetric_expand(&m.W, NULL, dense);
    FUZZ_CHECK(scale_check(dense, n) == LBP_OK);
  }
  scale_diagonals(&m.W, D);
  scale_roots(&m.W, D);
  if (fuzz_left > 0) { /* a chain with this curvature */
    scale_model model;
    scale_make(&model, 2);
    model.d = n;
    wide_run(&model, &m.W, D);
  }
}

/* W from differences: any numbers, and some that a W explains. */
static void scale_estimates(void) {
  const uint32_t n = 1 + fuzz_below(5);
  const size_t len = lbp_estimate_solve_workspace(n);
  double memory[50], W[25], dx[5], dg[5], *work = (double *)malloc(len * sizeof *work), residual;
  uint32_t pairs = 0, i, times = 60;
  lbp_estimate s;
  int status;
  FUZZ_CHECK(work != NULL);
  FUZZ_CHECK(lbp_estimate_init(&s, n, memory, 2 * n * n - 1) == LBP_E_WORKSPACE);
  FUZZ_CHECK(lbp_estimate_init(&s, n, memory, 2 * n * n) == LBP_OK);
  while (fuzz_left > 0 && times-- > 0) {
    int moved = 0, wild = 0;
    for (i = 0; i < n; i++) {
      dx[i] = fuzz_double();
      dg[i] = fuzz_double();
      moved |= dx[i] != 0;
      wild |= !lbp_is_finite(dx[i]) || !lbp_is_finite(dg[i]);
    }
    status = lbp_estimate_push(&s, dx, dg);
    FUZZ_CHECK(status == (moved && wild ? LBP_E_NOT_FINITE : LBP_OK));
    pairs += moved && !wild;
  }
  FUZZ_CHECK(s.pairs == pairs);
  FUZZ_CHECK(lbp_estimate_solve(&s, W, work, len - 1) == LBP_E_WORKSPACE);
  status = lbp_estimate_solve(&s, W, work, len);
  FUZZ_CHECK((status == LBP_E_NO_DATA) == (pairs == 0));
  FUZZ_CHECK(status == LBP_OK || status == LBP_E_NO_DATA || status == LBP_E_NOT_FINITE ||
             status == LBP_E_NOT_CONVERGED);
  if (status == LBP_OK) {
    status = scale_check(W, n);
    FUZZ_CHECK(status == LBP_OK || status == LBP_E_RANGE);
    residual = lbp_estimate_residual(&s, W, work);
    FUZZ_CHECK(residual >= 0);
  }
  free(work);
}

static void scale_alpha(void) {
  const double r = fabs(fuzz_double()), alpha = lbp_alpha(r);
  FUZZ_CHECK(lbp_is_nan(r) || (alpha >= 0.5 && alpha <= 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const uint32_t states[8] = {2, 3, 2, 7, 256, 2, 4, 21};
  scale_model m;
  fuzz_start(bytes, size);
  switch (fuzz_below(6)) {
    case 0: scale_algebra(); break;
    case 1: scale_estimates(); break;
    case 2:
      scale_make(&m, states[fuzz_below(8)]);
      wide_run(&m, NULL, NULL);
      break;
    case 3:
      scale_make(&m, states[fuzz_below(8)]);
      narrow_run(&m, NULL, NULL);
      break;
    case 4:
      scale_make(&m, 5);
      five_run(&m, NULL, NULL);
      break;
    default: scale_alpha();
  }
  return 0;
}
