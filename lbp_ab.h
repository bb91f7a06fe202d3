/* lbp_ab.h - the any-scale balanced (AB) sampler and its relatives, for binary and ordinal states: gradient-informed
 * proposals that move all coordinates at once, specialised to your model by the compiler.
 *
 * C99 or C++11, libm; no malloc, no I/O, no globals. Define a few macros, include this file, get step functions. With
 *
 *   #define LBP_AB_NAME     lattice
 *   #define LBP_AB_MODEL_T  gaussian          // your type
 *   #define LBP_AB_GRADIENT gaussian_gradient // log pi(x), and its gradient as if x were real
 *   #include "lbp_ab.h"
 *
 * this file generates
 *
 *   lattice_chain, lattice_info, lattice_scale, lattice_curvature, lattice_adaptive, lattice_tuner, lattice_adapter,
 *   lattice_report, lattice_real                                                                                  types
 *   int            lattice_init (lattice_chain *, uint32_t d, uint32_t states, uint8_t *x, lattice_real *ws,
 *                                size_t ws_len)
 *   lattice_report lattice_check (lattice_chain *, const gaussian *, uint32_t trials, lbp_rng *)    is the model right?
 *   void           lattice_touch (lattice_chain *)                     say that x or the model was changed from outside
 *
 *   int            lattice_adaptive_init (lattice_adaptive *, uint32_t d, uint32_t warmup, void *memory, size_t bytes)
 *   lattice_info   lattice_adaptive_step (lattice_adaptive *, lattice_chain *, const gaussian *, lbp_rng *)
 *                                                          algorithm 1: the AB sampler, everything tuned by itself
 *   lattice_info   lattice_adlp_step, lattice_arwm_step (lattice_chain *, const gaussian *, lattice_tuner *, lbp_rng *)
 *                                                          discrete Langevin and random walk, sigma tuned
 *   lattice_info   lattice_gibbs_step (lattice_chain *, const gaussian *, lbp_rng *)                the next coordinate
 *
 *   lattice_info   lattice_ab_step (lattice_chain *, const gaussian *, const lattice_curvature *,
 *                                   const lattice_scale *, lbp_rng *)    algorithm 2 and its relatives: the scale
 *   lattice_info   lattice_rwm_step (lattice_chain *, const gaussian *, lattice_real sigma, lbp_rng *)
 *   lattice_scale  lattice_first_order, lattice_langevin_d, lattice_second_order, lattice_second_order_d
 *   int            lattice_curvature_init (lattice_curvature *, const lbp_symmetric *W, const double *D, int exact,
 *                                          void *memory, size_t bytes)                 W + D and noise with it
 *   int            lattice_tuner_init;   void lattice_tuner_update                      sigma to an acceptance rate
 *   int            lattice_adapter_init; void lattice_adapter_update          up to three parameters to jump distance
 *
 * and once per translation unit the linear algebra behind them, in double:
 *
 *   lbp_symmetric           a symmetric matrix W, dense or sparse: check, product
 *   lbp_eigen               all eigenvalues and eigenvectors of a dense symmetric matrix
 *   lbp_least_eigenvalue    a lower bound of the least eigenvalue of W + diag(D), from products alone
 *   lbp_ab_d_*              a diagonal D >= 0 that makes W + D positive semi-definite: shift, trace, max, dominant
 *   lbp_ab_root_dense, lbp_ab_root_edges    noise with covariance W + D from standard normals
 *   lbp_ab_estimate         W from differences of states and gradients
 *   lbp_alpha               the weight function's exponent for a proposal of given scale
 *
 * Whatever can fail returns LBP_OK, an LBP_E_* of lbp.h or an LBP_AB_* below; lbp_ab_reason() has the sentence.
 * Functions that need room take `work`, `work_len` doubles of it, at least what NAME_workspace(n) says (otherwise
 * LBP_E_WORKSPACE). It is scratch: it holds nothing between calls and may not overlap other arguments. Matrices are
 * row-major. Unless said otherwise, a W that a function is given has passed lbp_symmetric_check. Lengths that a size_t
 * can't hold are SIZE_MAX, which no caller has.
 *
 * Before including, optionally define
 *   LBP_LAPACK   1: lbp_eigen calls dsyevd of a LAPACK that you link; otherwise (0, default) it is built in, which is
 *                good to a few hundred variables
 *
 * Sources: [A] Sun, Dai, Sutton, Schuurmans, Dai, "Any-scale Balanced Samplers for Discrete Spaces", ICLR 2023, whose
 * equation numbers are used; [M] Wang, Chang, Kolter, "The Mixing Method", arXiv:1706.00476; [L] Wu, Simon,
 * "Thick-restart Lanczos Method for Large Symmetric Eigenvalue Problems", SIAM J. Matrix Anal. Appl. 2000; [B] Boyd,
 * Vandenberghe, "Convex Optimization", 2004; [G] Golub, Van Loan, "Matrix Computations", 4th edition, 2013; [H] Higham,
 * "Accuracy and Stability of Numerical Algorithms", 2nd edition, 2002.
 */

/* ================================================================================================================
 * Support: once per translation unit
 * ============================================================================================================== */

#ifndef LBP_AB_NOISE

#include "lbp.h"

#include <float.h>
#include <math.h>

#ifndef LBP_LAPACK
#define LBP_LAPACK 0
#endif

LBP_EXACT_BEGIN

/* What may go wrong beyond the LBP_E_* of lbp.h. */
enum {
  LBP_AB_NOT_SYMMETRIC = 200,
  LBP_AB_INDEFINITE,
  LBP_AB_NOT_DOMINANT,
  LBP_AB_NOT_CONVERGED,
  LBP_AB_NO_DATA,
  LBP_AB_MODEL_NAN,
  LBP_AB_MODEL_LOGP,
  LBP_AB_MODEL_GRADIENT,
  LBP_AB_FIRST_ORDER
};

/* The sentence for a status of this file, LBP_E_* included. */
LBP_FN const char *lbp_ab_reason(int status) {
  switch (status) {
    case LBP_AB_NOT_SYMMETRIC: return "the matrix is not symmetric";
    case LBP_AB_INDEFINITE: return "W + D has a negative eigenvalue";
    case LBP_AB_NOT_DOMINANT: return "W + D is not diagonally dominant, so its noise is no sum over edges";
    case LBP_AB_NOT_CONVERGED: return "an iteration ended before it reached its tolerance";
    case LBP_AB_NO_DATA: return "no state has moved, so there is nothing to estimate from";
    case LBP_AB_MODEL_NAN: return "log pi is NaN or +infinity, or the gradient of a possible state is no finite number";
    case LBP_AB_MODEL_LOGP: return "LBP_AB_LOGP or LBP_AB_CONDITIONAL, and LBP_AB_GRADIENT, disagree about log pi";
    case LBP_AB_MODEL_GRADIENT: return "the gradient and the change of log pi disagree";
    case LBP_AB_FIRST_ORDER: return "the second order moved too little in the warm-up: steps go on in first order";
    case LBP_E_SIZE: return "a size is zero or too large";
    case LBP_E_STATE: return "the state has a value that is not below the number of values";
    case LBP_E_NOT_REPEATABLE: return "log pi or its gradient, asked twice at the same state, gives two values";
    case LBP_E_WORKSPACE: return "the workspace or memory is too short: see the function's _workspace, _ws_len, _bytes";
    case LBP_E_INDEX: return "a row's columns are out of range or do not increase";
    default: return lbp_error(status);
  }
}

/* log v, v > 0, to some 1e-15: lbp_log and a step of Newton's. Libraries differ in how they round theirs. */
LBP_FN double lbp_p_log(double v) {
  const int tiny = v < 1e-200, huge = v > 1e200;
  const double scaled = v * (tiny ? 1e200 : huge ? 1e-200 : 1.0), y = lbp_log(scaled);
  return y + (scaled * lbp_exp(-y) - 1.0) + (huge - tiny) * 460.51701859880914;
}

/* (6): the exponent alpha of the weight function t^alpha that balances a proposal of r = sigma / sigma_0 >= 0 times
 * the target's variance, from 1/2 at r = 0 to 1 at infinity (7). (6) times its conjugate: as printed it cancels for
 * small r; for large r it is divided through by r, which would overflow. */
LBP_FN double lbp_alpha(double r) {
  if (r < 2.0) return 0.5 + 0.5 * r / (2.0 + sqrt(r * r + 4.0));
  const double t = 2.0 / r;
  return 0.5 + 0.5 / (t + sqrt(1.0 + t * t));
}

/* ================================================================================================================
 * Vectors. Sums are kept in several lanes, since a compiler may not reorder one to vectorise it
 * ============================================================================================================== */

#define LBP_P_SUMS 8u

LBP_FN double lbp_p_dot(const double *a, const double *b, size_t n) {
  double lane[LBP_P_SUMS] = { 0.0 }, sum = 0.0;
  size_t i = 0;
  for (; i + LBP_P_SUMS <= n; i += LBP_P_SUMS)
    for (uint32_t l = 0; l < LBP_P_SUMS; l++) lane[l] += a[i + l] * b[i + l];
  for (; i < n; i++) sum += a[i] * b[i];
  for (uint32_t l = 0; l < LBP_P_SUMS; l++) sum += lane[l];
  return sum;
}

/* y += c x */
LBP_INLINE void lbp_p_add_scaled(double *y, double c, const double *x, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] += c * x[i];
}

/* y += the four rows at a, `stride` apart, times c[0..4): y is loaded and stored once for all of them. */
LBP_FN void lbp_p_add_4(double *y, const double *c, const double *a, size_t stride, size_t n) {
  const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  const double *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
  for (size_t i = 0; i < n; i++) y[i] += c0 * a[i] + c1 * a1[i] + c2 * a2[i] + c3 * a3[i];
}

/* y += A' x for the m rows, `stride` apart, of A. */
LBP_FN void lbp_p_add_rows(double *y, const double *x, const double *a, size_t m, size_t stride, size_t n) {
  size_t j = 0;
  for (; j + 4 <= m; j += 4) lbp_p_add_4(y, x + j, a + j * stride, stride, n);
  for (; j < m; j++) lbp_p_add_scaled(y, x[j], a + j * stride, n);
}

/* Uniform numbers in [-1, 1), the same at every call: iterations start from them. */
LBP_FN void lbp_p_scatter(double *x, size_t n) {
  lbp_rng rng;
  lbp_rng_init(&rng, 1, UINT64_MAX);
  for (size_t i = 0; i < n; i++) x[i] = 2.0 * lbp_u01(lbp_rng_u64(&rng)) - 1.0;
}

/* ================================================================================================================
 * Symmetric matrices
 * ============================================================================================================== */

typedef struct {
  uint32_t n;
  const double *dense;            /* n x n, or NULL if the matrix is sparse: */
  const uint32_t *start, *column; /* row i: entries start[i] ... start[i + 1] - 1, both triangles, columns increasing */
  const double *value;
} lbp_symmetric;

/* One row's entries: value[0..count) in the columns column[0..count), or 0..count where column is NULL. */
typedef struct {
  const double *value;
  const uint32_t *column;
  uint32_t count;
} lbp_p_row;

LBP_INLINE lbp_p_row lbp_p_row_of(const lbp_symmetric *W, uint32_t i) {
  lbp_p_row row;
  if (W->dense) {
    row.value = W->dense + (size_t)i * W->n;
    row.column = NULL;
    row.count = W->n;
  } else {
    row.value = W->value + W->start[i];
    row.column = W->column + W->start[i];
    row.count = W->start[i + 1] - W->start[i];
  }
  return row;
}

/* How many of a row's entries stand in columns below j. */
LBP_FN uint32_t lbp_p_below(lbp_p_row row, uint32_t j) {
  uint32_t low = 0, high = row.count;
  if (!row.column) return j;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (row.column[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* W_ij; 0 where a sparse matrix has no entry. O(log of the row's length). */
LBP_FN double lbp_symmetric_entry(const lbp_symmetric *W, uint32_t i, uint32_t j) {
  const lbp_p_row row = lbp_p_row_of(W, i);
  const uint32_t e = lbp_p_below(row, j);
  if (row.column && (e == row.count || row.column[e] != j)) return 0.0;
  return row.value[e];
}

/* sum of |W_ij| over j != i */
LBP_FN double lbp_p_radius(const lbp_symmetric *W, uint32_t i) {
  const lbp_p_row row = lbp_p_row_of(W, i);
  double sum = 0.0;
  for (uint32_t e = 0; e < row.count; e++)
    if ((row.column ? row.column[e] : e) != i) sum += fabs(row.value[e]);
  return sum;
}

/* What every function asks of a matrix before it looks into it. */
LBP_FN int lbp_p_matrix(const lbp_symmetric *W) {
  if (!W || (!W->dense && (!W->start || !W->column || !W->value))) return LBP_E_NULL;
  return W->n == 0 || W->n > LBP_MAX_SITES ? LBP_E_SIZE : LBP_OK;
}

/* The largest magnitude of an entry, and, inverted, the least that the largest of a matrix other than 0 may have:
 * squares and their inverses, and sums of them, then are finite. */
#define LBP_AB_LARGEST 1e100

/* LBP_OK if W is well-formed: LBP_E_NULL, LBP_E_SIZE; LBP_E_INDEX: columns out of range or not increasing, or start[]
 * decreases or does not begin with 0; LBP_E_NOT_FINITE; LBP_E_RANGE: see LBP_AB_LARGEST; LBP_AB_NOT_SYMMETRIC: W_ij and
 * W_ji differ by more than 1e-9 of the largest entry. O(entries), times log of a row's length where W is sparse. */
LBP_FN int lbp_symmetric_check(const lbp_symmetric *W) {
  const int status = lbp_p_matrix(W);
  if (status != LBP_OK) return status;
  double largest = 0.0;
  if (!W->dense && W->start[0] != 0) return LBP_E_INDEX;
  for (uint32_t i = 0; i < W->n; i++) {
    if (!W->dense && W->start[i + 1] < W->start[i]) return LBP_E_INDEX;
    const lbp_p_row row = lbp_p_row_of(W, i);
    for (uint32_t e = 0; e < row.count; e++) {
      if (row.column && (row.column[e] >= W->n || (e > 0 && row.column[e] <= row.column[e - 1]))) return LBP_E_INDEX;
      if (!lbp_is_finite(row.value[e])) return LBP_E_NOT_FINITE;
      if (fabs(row.value[e]) > largest) largest = fabs(row.value[e]);
    }
  }
  if (largest > LBP_AB_LARGEST || (largest > 0.0 && largest < 1.0 / LBP_AB_LARGEST)) return LBP_E_RANGE;
  for (uint32_t i = 0; i < W->n; i++) {
    const lbp_p_row row = lbp_p_row_of(W, i);
    for (uint32_t e = 0; e < row.count; e++) {
      const double mirrored = lbp_symmetric_entry(W, row.column ? row.column[e] : e, i);
      if (fabs(row.value[e] - mirrored) > 1e-9 * largest) return LBP_AB_NOT_SYMMETRIC;
    }
  }
  return LBP_OK;
}

/* y = (W + diag(D)) x, vectors of n; D may be NULL, for zero; y may not overlap x. */
LBP_FN void lbp_symmetric_product(const lbp_symmetric *W, const double *D, const double *x, double *y) {
  for (uint32_t i = 0; i < W->n; i++) y[i] = D ? D[i] * x[i] : 0.0;
  if (W->dense) { /* rows are columns, and adding columns vectorises */
    lbp_p_add_rows(y, x, W->dense, W->n, W->n, W->n);
    return;
  }
  for (uint32_t i = 0; i < W->n; i++) {
    double sum = 0.0;
    for (uint32_t e = W->start[i]; e < W->start[i + 1]; e++) sum += W->value[e] * x[W->column[e]];
    y[i] += sum;
  }
}

/* a <- W + diag(D), dense; D may be NULL. */
LBP_FN void lbp_symmetric_expand(const lbp_symmetric *W, const double *D, double *a) {
  const uint32_t n = W->n;
  memset(a, 0, (size_t)n * n * sizeof *a);
  for (uint32_t i = 0; i < n; i++) {
    const lbp_p_row row = lbp_p_row_of(W, i);
    for (uint32_t e = 0; e < row.count; e++) a[(size_t)i * n + (row.column ? row.column[e] : e)] = row.value[e];
    if (D) a[(size_t)i * n + i] += D[i];
  }
}

/* ================================================================================================================
 * Eigenvalues and eigenvectors of a dense symmetric matrix
 * ============================================================================================================== */

/* The length a n^2 + b n + c, or SIZE_MAX. */
LBP_FN size_t lbp_p_length(uint32_t n, uint32_t a, uint32_t b, size_t c) {
  return lbp_p_plus(lbp_p_times(lbp_p_plus(lbp_p_times(a, n), b), n), c);
}

/* Doubles that lbp_eigen works in: with LAPACK 1 + 6n + 2n^2 and 3 + 5n integers. */
LBP_FN size_t lbp_eigen_workspace(uint32_t n) { return lbp_p_length(n, 2, 11, 4); }

#if LBP_LAPACK
/* Declared here rather than by lapacke.h, which many a LAPACK comes without (reference LAPACK, OpenBLAS packages,
 * Accelerate) and which defines a macro I; every LAPACK has the Fortran symbol. The lengths of the character arguments
 * come last, as Fortran compilers pass them; a routine written in C ignores them. A lapacke.h included before this file
 * has declared it, maybe otherwise, and is left to call it. */
#ifndef LAPACK_dsyevd
#if defined __cplusplus
extern "C"
#else
extern
#endif
void dsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t job_len, size_t triangle_len);
#define LBP_P_DSYEVD(...) dsyevd_(__VA_ARGS__, 1, 1)
#else
#define LBP_P_DSYEVD(...) LAPACK_dsyevd(__VA_ARGS__)
#endif

LBP_FN int lbp_p_eigen(uint32_t n, double *a, double *values, double *work) {
  const int order = (int)n, doubles = (int)(1 + 6 * n + 2 * n * n), integers = (int)(3 + 5 * n);
  int info = 0;
  LBP_P_DSYEVD("V", "U", &order, a, &order, values, work, &doubles, (int *)(void *)(work + doubles), &integers, &info);
  if (info != 0) return LBP_AB_NOT_CONVERGED;
  return LBP_OK;
}

#else

/* Rows x and y turned into c x - s y and s x + c y. */
LBP_INLINE void lbp_p_turn(double *x, double *y, double c, double s, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const double u = x[i], v = y[i];
    x[i] = c * u - s * v;
    y[i] = s * u + c * v;
  }
}

/* One Jacobi rotation [G, section 8.5]: a_pq becomes 0. The new columns p and q are the new rows, but for the block in
 * which they cross. */
LBP_FN void lbp_p_rotate(uint32_t n, double *a, double *vectors, uint32_t p, uint32_t q) {
  double *row_p = a + (size_t)p * n, *row_q = a + (size_t)q * n;
  const double app = row_p[p], aqq = row_q[q], apq = row_p[q];
  const double theta = 0.5 * (aqq - app) / apq, size = fabs(theta) + sqrt(1.0 + theta * theta);
  const double t = (theta < 0.0 ? -1.0 : 1.0) / size, c = 1.0 / sqrt(1.0 + t * t), s = t * c;
  lbp_p_turn(row_p, row_q, c, s, n);
  row_p[p] = app - t * apq;
  row_q[q] = aqq + t * apq;
  row_p[q] = row_q[p] = 0.0;
  for (uint32_t i = 0; i < n; i++) {
    a[(size_t)i * n + p] = row_p[i];
    a[(size_t)i * n + q] = row_q[i];
  }
  lbp_p_turn(vectors + (size_t)p * n, vectors + (size_t)q * n, c, s, n);
}

/* Cyclic Jacobi. Entries too small to move an eigenvalue by a rounding are left alone; a sweep that finds no other
 * is the last, after 6 to 10 of them. */
LBP_FN int lbp_p_eigen(uint32_t n, double *a, double *values, double *work) {
  double *vectors = work;
  int status = LBP_AB_NOT_CONVERGED;
  const double size = sqrt(lbp_p_dot(a, a, (size_t)n * n)), negligible = DBL_EPSILON * size / (double)n;
  memset(vectors, 0, (size_t)n * n * sizeof *vectors);
  for (uint32_t i = 0; i < n; i++) vectors[(size_t)i * n + i] = 1.0;
  for (uint32_t sweep = 0; sweep < 50 && status != LBP_OK; sweep++) {
    status = LBP_OK;
    for (uint32_t p = 0; p + 1 < n; p++)
      for (uint32_t q = p + 1; q < n; q++) {
        if (!(fabs(a[(size_t)p * n + q]) > negligible)) continue;
        lbp_p_rotate(n, a, vectors, p, q);
        status = LBP_AB_NOT_CONVERGED;
      }
  }
  for (uint32_t i = 0; i < n; i++) values[i] = a[(size_t)i * n + i];
  for (uint32_t k = 0; k < n; k++) { /* smallest first */
    uint32_t least = k;
    for (uint32_t i = k + 1; i < n; i++)
      if (values[i] < values[least]) least = i;
    const double value = values[least];
    memcpy(a + (size_t)k * n, vectors + (size_t)least * n, n * sizeof *a);
    values[least] = values[k];
    if (least != k) memcpy(vectors + (size_t)least * n, vectors + (size_t)k * n, n * sizeof *a);
    values[k] = value;
  }
  return status;
}

#endif

/* Eigenvalues of the symmetric n x n matrix a into values, increasing; a becomes the matrix whose row k is the unit
 * eigenvector of values[k]. Both triangles of a are given. LBP_E_NULL, LBP_E_SIZE (n is 0 or above 30000),
 * LBP_E_WORKSPACE, LBP_E_NOT_FINITE, LBP_AB_NOT_CONVERGED. O(n^3). */
LBP_FN int lbp_eigen(uint32_t n, double *a, double *values, double *work, size_t work_len) {
  if (!a || !values || !work) return LBP_E_NULL;
  if (n == 0 || n > 30000) return LBP_E_SIZE; /* the length of LAPACK's workspace is an int */
  if (work_len < lbp_eigen_workspace(n)) return LBP_E_WORKSPACE;
  for (size_t i = 0; i < (size_t)n * n; i++)
    if (!lbp_is_finite(a[i])) return LBP_E_NOT_FINITE;
  return lbp_p_eigen(n, a, values, work);
}

/* ================================================================================================================
 * The least eigenvalue: Lanczos, thickly restarted [L]
 * ============================================================================================================== */

#define LBP_P_BASIS  32u /* vectors in a full basis */
#define LBP_P_KEPT   12u /* Ritz vectors a restart begins with */
#define LBP_P_STARTS 300u

LBP_FN uint32_t lbp_p_basis(uint32_t n) { return n < LBP_P_BASIS ? n : LBP_P_BASIS; }

/* Doubles of workspace for lbp_least_eigenvalue. */
LBP_FN size_t lbp_least_eigenvalue_workspace(uint32_t n) {
  const uint32_t m = lbp_p_basis(n);
  return lbp_p_length(n, 0, m + 1, lbp_p_length(m, 2, 1, lbp_eigen_workspace(m)));
}

/* Upper bound of every |eigenvalue| of W + D: the largest sum of magnitudes in a row (Gershgorin). No finite number if
 * one of these sums is none. */
LBP_FN double lbp_p_norm(const lbp_symmetric *W, const double *D) {
  double norm = 0.0;
  for (uint32_t i = 0; i < W->n; i++) {
    const double sum = fabs(lbp_symmetric_entry(W, i, i) + (D ? D[i] : 0.0)) + lbp_p_radius(W, i);
    if (!lbp_is_finite(sum)) return sum;
    if (sum > norm) norm = sum;
  }
  return norm;
}

/* One more column of the projection T (m x m, upper triangle) of W + D on basis vectors 0...k, and the unit vector
 * k + 1; returns the length that it had. Orthogonalised against all the others, twice: once leaves what cancelled. */
LBP_FN double lbp_p_extend(const lbp_symmetric *W, const double *D, double *basis, double *T, uint32_t m, uint32_t k) {
  const uint32_t n = W->n;
  double *next = basis + (size_t)(k + 1) * n;
  lbp_symmetric_product(W, D, basis + (size_t)k * n, next);
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint32_t i = k + 1; i-- > 0;) {
      const double along = lbp_p_dot(basis + (size_t)i * n, next, n);
      T[i * m + k] += along;
      lbp_p_add_scaled(next, -along, basis + (size_t)i * n, n);
    }
  const double length = sqrt(lbp_p_dot(next, next, n));
  if (length > 0.0)
    for (uint32_t i = 0; i < n; i++) next[i] /= length;
  return length;
}

/* Basis vectors 0...kept - 1 <- combinations of vectors 0...size - 1, coefficients in the rows of Y; vector `kept`
 * <- vector `size`. In blocks of coordinates, so that no second basis is needed. */
LBP_FN void lbp_p_recombine(uint32_t n, double *basis, const double *Y, uint32_t size, uint32_t kept) {
  double block[LBP_P_KEPT][64];
  for (uint32_t from = 0; from < n; from += 64) {
    const uint32_t width = n - from < 64 ? n - from : 64;
    memset(block, 0, sizeof block);
    for (uint32_t k = 0; k < kept; k++) lbp_p_add_rows(block[k], Y + (size_t)k * size, basis + from, size, n, width);
    for (uint32_t k = 0; k < kept; k++) memcpy(basis + (size_t)k * n + from, block[k], width * sizeof(double));
  }
  memcpy(basis + (size_t)kept * n, basis + (size_t)size * n, n * sizeof *basis);
}

/* Least Ritz value, in *value, and the length of its residual: an eigenvalue lies between value - residual and value.
 * Ends when residual <= tolerance. */
LBP_FN int lbp_p_lanczos(const lbp_symmetric *W, const double *D, double norm, double tolerance, double *work,
                         double *value, double *residual) {
  const uint32_t n = W->n, m = lbp_p_basis(n);
  double *basis = work, *T = basis + (size_t)(m + 1) * n, *Y = T + m * m, *ritz = Y + m * m, *scratch = ritz + m;
  uint32_t kept = 0;
  lbp_p_scatter(basis, n);
  const double length = sqrt(lbp_p_dot(basis, basis, n));
  for (uint32_t i = 0; i < n; i++) basis[i] /= length;
  memset(T, 0, m * m * sizeof *T);
  for (uint32_t round = 0; round < LBP_P_STARTS; round++) {
    uint32_t size = kept;
    double next; /* as long as this is more than rounding, there is a next vector */
    do next = lbp_p_extend(W, D, basis, T, m, size);
    while (++size < m && next > 1e-14 * norm);
    for (uint32_t i = 0; i < size; i++)
      for (uint32_t j = 0; j < size; j++) Y[i * size + j] = T[i < j ? i * m + j : j * m + i];
    const int status = lbp_p_eigen(size, Y, ritz, scratch);
    if (status != LBP_OK) return status;
    *value = ritz[0];
    *residual = next * fabs(Y[size - 1]);
    if (*residual <= tolerance || !(next > 1e-14 * norm)) return LBP_OK;
    kept = LBP_P_KEPT;
    lbp_p_recombine(n, basis, Y, size, kept);
    memset(T, 0, m * m * sizeof *T);
    for (uint32_t k = 0; k < kept; k++) T[k * m + k] = ritz[k];
  }
  return LBP_AB_NOT_CONVERGED;
}

/* Residuals that a bound stays below the estimate. One residual reaches some eigenvalue, not surely the least:
 * where many lie close together, as at 0 for the D of least trace, the estimate may have settled on their mean. */
#define LBP_P_MARGIN 10.0

/* lbp_p_lanczos's value less `tolerance`, or LBP_P_MARGIN residuals where that is more, and rounding. */
LBP_FN int lbp_p_floor(const lbp_symmetric *W, const double *D, double norm, double tolerance, double *work,
                       double *bound) {
  double value = 0.0, residual = 0.0;
  const int status = lbp_p_lanczos(W, D, norm, tolerance / LBP_P_MARGIN, work, &value, &residual);
  const double margin = LBP_P_MARGIN * residual;
  *bound = value - (margin > tolerance ? margin : tolerance) - 1e-14 * norm;
  return status;
}

/* The least eigenvalue of W + diag(D), D may be NULL, from below: *bound is at most that eigenvalue and less by at
 * most `tolerance` > 0 times the largest row sum of magnitudes, an upper bound of all |eigenvalues|. Products alone
 * prove no such bound: it holds with overwhelming probability over start vectors, of which one is used always.
 * (lbp_ab_root_dense, which factors, does prove.) LBP_E_NULL, LBP_E_SIZE, LBP_E_WORKSPACE, LBP_E_RANGE: tolerance;
 * LBP_E_NOT_FINITE: W, D or a row's sum; LBP_AB_NOT_CONVERGED after some 6000 products: *bound is then as safe, but may
 * be further off. */
LBP_FN int lbp_least_eigenvalue(const lbp_symmetric *W, const double *D, double tolerance, double *work,
                                size_t work_len, double *bound) {
  const int status = lbp_p_matrix(W);
  if (status != LBP_OK) return status;
  if (!work || !bound) return LBP_E_NULL;
  if (!(tolerance > 0.0) || !lbp_is_finite(tolerance)) return LBP_E_RANGE;
  if (work_len < lbp_least_eigenvalue_workspace(W->n)) return LBP_E_WORKSPACE;
  const double norm = lbp_p_norm(W, D);
  if (!lbp_is_finite(norm)) return LBP_E_NOT_FINITE;
  return lbp_p_floor(W, D, norm, tolerance * norm, work, bound);
}

/* ================================================================================================================
 * The diagonal
 * ============================================================================================================== */

/* D_i = max(0, sum_{j != i} |W_ij| - W_ii): W + D is diagonally dominant, so positive semi-definite. Needs no
 * solver. The trace is the least possible where no entry is cut at 0 and there are signs s with s_i s_j W_ij <= 0
 * for all i != j: W without positive entries, or on a bipartite graph such as a grid without negative ones. It is
 * bad for dense W. */
LBP_FN int lbp_ab_d_dominant(const lbp_symmetric *W, double *D) {
  const int status = lbp_p_matrix(W);
  if (status != LBP_OK) return status;
  if (!D) return LBP_E_NULL;
  for (uint32_t i = 0; i < W->n; i++) {
    const double least = lbp_p_radius(W, i) - lbp_symmetric_entry(W, i, i);
    D[i] = least > 0.0 ? least : 0.0;
  }
  return LBP_OK;
}

/* D = max(least, -lambda_min(W)) I, `least` >= 0 [A, section 3.2], lambda_min from below and to 1e-6 of W's norm.
 * Workspace and statuses as lbp_least_eigenvalue; LBP_E_RANGE: least. D is written, and W + D is positive
 * semi-definite, also with LBP_AB_NOT_CONVERGED. */
LBP_FN int lbp_ab_d_shift(const lbp_symmetric *W, double least, double *D, double *work, size_t work_len) {
  double bound = 0.0;
  if (!D) return LBP_E_NULL;
  if (!(least >= 0.0) || !lbp_is_finite(least)) return LBP_E_RANGE;
  const int status = lbp_least_eigenvalue(W, NULL, 1e-6, work, work_len, &bound);
  if (status != LBP_OK && status != LBP_AB_NOT_CONVERGED) return status;
  for (uint32_t i = 0; i < W->n; i++) D[i] = -bound > least ? -bound : least;
  return status;
}

/* ---- least trace (24)-(25) -------------------------------------------------------------------------------------
 *
 * The dual: minimise <W, V'V> over vectors v_i no longer than 1. The mixing method [M] minimises over one v_i after the
 * other, the rest held: v_i = -g_i / max(|g_i|, W_ii), g_i = sum_{j != i} W_ij v_j. Where nothing moves any more,
 * D_i = max(0, |g_i| - W_ii) solves (24)-(25). From any V, that D plus what Lanczos finds missing is feasible, and
 * -<W, V'V> is at most the optimum: so the distance from it is known, not guessed. */

#define LBP_P_WIDTH    16u /* coordinates of v that are summed at a time */
#define LBP_P_RANK_MAX 64u

/* Length of the v_i. sqrt(2n) + 1 suffices in theory [M]; optima have a far lower rank, and the gap would show if
 * not. */
LBP_FN uint32_t lbp_p_rank(uint32_t n) {
  const uint32_t rank = (uint32_t)sqrt(2.0 * n) + 2;
  if (rank >= LBP_P_RANK_MAX) return LBP_P_RANK_MAX;
  return (rank + LBP_P_WIDTH - 1) / LBP_P_WIDTH * LBP_P_WIDTH;
}

/* Doubles of workspace for lbp_ab_d_trace. */
LBP_FN size_t lbp_ab_d_trace_workspace(uint32_t n) {
  return lbp_p_length(n, 0, lbp_p_rank(n), lbp_least_eigenvalue_workspace(n));
}

/* g += the sum of value[e] v_column[e], or v_{first + e} where column is NULL, for e < count. */
LBP_FN void lbp_p_gather(const double *value, const uint32_t *column, uint32_t first, uint32_t count, const double *V,
                         uint32_t rank, double *g) {
  for (uint32_t from = 0; from < rank; from += LBP_P_WIDTH) {
    double sum[LBP_P_WIDTH];
    for (uint32_t l = 0; l < LBP_P_WIDTH; l++) sum[l] = g[from + l];
    for (uint32_t e = 0; e < count; e++) {
      const double *v = V + (size_t)(column ? column[e] : first + e) * rank + from, w = value[e];
      for (uint32_t l = 0; l < LBP_P_WIDTH; l++) sum[l] += w * v[l];
    }
    for (uint32_t l = 0; l < LBP_P_WIDTH; l++) g[from + l] = sum[l];
  }
}

/* g_i into g; returns W_ii. */
LBP_FN double lbp_p_pull(const lbp_symmetric *W, uint32_t i, const double *V, uint32_t rank, double *g) {
  const lbp_p_row row = lbp_p_row_of(W, i);
  const uint32_t before = lbp_p_below(row, i), own = before < row.count && (!row.column || row.column[before] == i);
  const uint32_t after = before + own;
  for (uint32_t l = 0; l < rank; l++) g[l] = 0.0;
  lbp_p_gather(row.value, row.column, 0, before, V, rank, g);
  lbp_p_gather(row.value + after, row.column ? row.column + after : NULL, after, row.count - after, V, rank, g);
  return own ? row.value[before] : 0.0;
}

/* Minimises over every v_i once; returns by how much <W, V'V> fell. */
LBP_FN double lbp_p_mix(const lbp_symmetric *W, double *V, uint32_t rank) {
  double g[LBP_P_RANK_MAX], fell = 0.0;
  for (uint32_t i = 0; i < W->n; i++) {
    double *v = V + (size_t)i * rank;
    const double own = lbp_p_pull(W, i, V, rank, g), length = sqrt(lbp_p_dot(g, g, rank));
    const double before = own * lbp_p_dot(v, v, rank) + 2.0 * lbp_p_dot(g, v, rank);
    const double over = own > length ? own : length;
    if (!(over > 0.0)) continue; /* nothing pulls */
    for (uint32_t l = 0; l < rank; l++) v[l] = -g[l] / over;
    fell += before - (length / over) * (own * length / over - 2.0 * length);
  }
  return fell;
}

/* D_i = max(0, |g_i| - W_ii); returns -<W, V'V>, which no feasible D's trace is below. */
LBP_FN double lbp_p_dual(const lbp_symmetric *W, const double *V, uint32_t rank, double *D) {
  double g[LBP_P_RANK_MAX], sum = 0.0;
  for (uint32_t i = 0; i < W->n; i++) {
    const double *v = V + (size_t)i * rank;
    const double own = lbp_p_pull(W, i, V, rank, g), least = sqrt(lbp_p_dot(g, g, rank)) - own;
    sum -= own * lbp_p_dot(v, v, rank) + lbp_p_dot(g, v, rank);
    D[i] = least > 0.0 ? least : 0.0;
  }
  return sum;
}

LBP_FN void lbp_p_directions(double *V, uint32_t n, uint32_t rank) {
  lbp_p_scatter(V, (size_t)n * rank);
  for (uint32_t i = 0; i < n; i++) {
    double *v = V + (size_t)i * rank;
    const double length = sqrt(lbp_p_dot(v, v, rank));
    for (uint32_t l = 0; l < rank; l++) v[l] /= length;
  }
}

#define LBP_P_SWEEPS 20000u

/* The D >= 0 of least trace with W + D positive semi-definite. 0 < tolerance < 1, say 1e-3: the trace is at most
 * the optimum times 1 + tolerance or so: *gap, which may be NULL, gets (trace - lower bound of the optimum) /
 * trace. As the objective is flat about its optimum and what D lacks is not, a sweep must gain less than
 * tolerance^2 before Lanczos is asked, or four times that; if the gap is still too wide, less yet. Where the
 * optimum is zero, or below 1e-9 of W's norm, the gap is relative to that. O(entries sqrt(n)) per sweep, mostly 10
 * to 300 of them. Errors as lbp_least_eigenvalue; LBP_AB_NOT_CONVERGED: the gap is wider than the tolerance (also
 * where rounding forbids more). D is written then too, and W + D is positive semi-definite whatever the gap. */
LBP_FN int lbp_ab_d_trace(const lbp_symmetric *W, double tolerance, double *D, double *gap, double *work,
                          size_t work_len) {
  const int status = lbp_p_matrix(W);
  if (status != LBP_OK) return status;
  if (!D || !work) return LBP_E_NULL;
  if (!(tolerance > 0.0 && tolerance < 1.0)) return LBP_E_RANGE;
  if (work_len < lbp_ab_d_trace_workspace(W->n)) return LBP_E_WORKSPACE;
  const uint32_t n = W->n, rank = lbp_p_rank(n);
  const double norm = lbp_p_norm(W, NULL), least = 1e-9 * norm * n;
  if (!lbp_is_finite(norm)) return LBP_E_NOT_FINITE;
  double *V = work, *lanczos = work + (size_t)n * rank, quiet = 4.0 * tolerance * tolerance, wide = 1.0;
  lbp_p_directions(V, n, rank);
  double dual = lbp_p_dual(W, V, rank, D);
  for (uint32_t sweep = 0; sweep < LBP_P_SWEEPS && wide > tolerance; sweep++) {
    const double fell = lbp_p_mix(W, V, rank);
    dual += fell;
    if (fell > quiet * (fabs(dual) + least) && sweep + 1 < LBP_P_SWEEPS) continue;
    double trace = 0.0, bound = 0.0;
    dual = lbp_p_dual(W, V, rank, D);
    for (uint32_t i = 0; i < n; i++) trace += D[i];
    lbp_p_floor(W, D, norm, 0.25 * tolerance * (trace + least) / n, lanczos, &bound);
    for (uint32_t i = 0; i < n && bound < 0.0; i++) D[i] -= bound;
    if (bound < 0.0) trace -= n * bound;
    wide = trace > 0.0 ? (trace - dual) / (trace + least) : 0.0;
    if (quiet < 1e-17) break;
    quiet /= 4.0;
  }
  if (gap) *gap = wide;
  if (!(wide <= tolerance)) return LBP_AB_NOT_CONVERGED;
  return LBP_OK;
}

/* ---- least largest eigenvalue (26)-(27) ------------------------------------------------------------------------
 *
 * By Newton's method on a barrier [B, chapter 11]: for falling mu, minimise over D and lambda
 *   (lambda + tie mean(D)) / mu - log det(W + D) - log det(lambda I - W - D) - sum_i log D_i,
 * which ends within 3 n mu of the optimum. With P and Q the inverses of the two matrices the second derivatives are
 * P_ij^2 + Q_ij^2, and 1 / D_i^2 on the diagonal. */

/* The optimum is not unique. This weight of the mean of D picks the one of least trace, for at most as much in
 * lambda. */
#define LBP_AB_MAX_TIE 1e-4

/* a = U'U in place of the upper triangle of a; c is scratch for n. Returns log det a in *log_det, 0 if a is not
 * positive definite. */
LBP_FN int lbp_p_cholesky(uint32_t n, double *a, double *c, double *log_det) {
  double sum = 0.0;
  for (uint32_t k = 0; k < n; k++) {
    double *row = a + (size_t)k * n + k;
    for (uint32_t j = 0; j < k; j++) c[j] = -a[(size_t)j * n + k];
    lbp_p_add_rows(row, c, a + k, k, n, n - k);
    if (!(row[0] > 0.0) || !lbp_is_finite(row[0])) return 0;
    const double pivot = sqrt(row[0]);
    for (uint32_t j = 0; j < n - k; j++) row[j] /= pivot;
    sum += 2.0 * lbp_p_log(pivot);
  }
  *log_det = sum;
  return 1;
}

/* Both triangles of the inverse of U'U, in place of U; c and l (n x n) are scratch. */
LBP_FN void lbp_p_invert(uint32_t n, double *a, double *c, double *l) {
  for (uint32_t k = 0; k < n; k++) { /* rows of U'^-1 */
    double *row = l + (size_t)k * n;
    const double pivot = a[(size_t)k * n + k];
    for (uint32_t j = 0; j < k; j++) {
      c[j] = -a[(size_t)j * n + k];
      l[(size_t)j * n + k] = 0.0;
      row[j] = 0.0;
    }
    lbp_p_add_rows(row, c, l, k, n, k);
    for (uint32_t j = 0; j < k; j++) row[j] /= pivot;
    row[k] = 1.0 / pivot;
  }
  for (uint32_t i = 0; i < n; i++) {
    double *row = a + (size_t)i * n;
    for (uint32_t j = 0; j <= i; j++) row[j] = 0.0;
    for (uint32_t k = i; k < n; k++) c[k - i] = l[(size_t)k * n + i];
    lbp_p_add_rows(row, c, l + (size_t)i * n, n - i, n, i + 1);
    for (uint32_t j = 0; j < i; j++) a[(size_t)j * n + i] = row[j];
  }
}

/* x <- (U'U)^-1 x */
LBP_FN void lbp_p_solve(uint32_t n, const double *a, double *x) {
  for (uint32_t k = 0; k < n; k++) {
    x[k] /= a[(size_t)k * n + k];
    lbp_p_add_scaled(x + k + 1, -x[k], a + (size_t)k * n + k + 1, n - k - 1);
  }
  for (uint32_t k = n; k-- > 0;) {
    const double *row = a + (size_t)k * n + k;
    x[k] = (x[k] - lbp_p_dot(row + 1, x + k + 1, n - k - 1)) / row[0];
  }
}

/* Doubles of workspace for lbp_ab_d_max. */
LBP_FN size_t lbp_ab_d_max_workspace(uint32_t n) { return lbp_p_length(n, 3, 5, 0); }

/* The barrier, with the factors of W + D in p and of lambda I - W - D in q; 0 where it is infinite. */
LBP_FN int lbp_p_barrier(const lbp_symmetric *W, const double *D, double lambda, double mu, double *p, double *q,
                         double *c, double *value) {
  const uint32_t n = W->n;
  double sum = 0.0, logs = 0.0, log_det_p = 0.0, log_det_q = 0.0;
  for (uint32_t i = 0; i < n; i++) {
    if (!(D[i] > 0.0)) return 0;
    sum += D[i];
    logs += lbp_p_log(D[i]);
  }
  lbp_symmetric_expand(W, D, p);
  for (size_t i = 0; i < (size_t)n * n; i++) q[i] = -p[i];
  for (uint32_t i = 0; i < n; i++) q[(size_t)i * n + i] += lambda;
  if (!lbp_p_cholesky(n, p, c, &log_det_p) || !lbp_p_cholesky(n, q, c, &log_det_q)) return 0;
  *value = (lambda + LBP_AB_MAX_TIE * sum / n) / mu - log_det_p - log_det_q - logs;
  return 1;
}

/* Newton's direction: `step` for D, *lambda_step for lambda. p and q hold the factors and are spoilt. Returns the
 * square of the decrement: twice what a step can be expected to gain. */
LBP_FN double lbp_p_newton(uint32_t n, const double *D, double mu, double *p, double *q, double *h, double *c,
                           double *step, double *border, double *slope, double *lambda_step) {
  double trace = 0.0, square = 0.0, gain = 0.0;
  lbp_p_invert(n, p, c, h);
  lbp_p_invert(n, q, c, h);
  for (size_t i = 0; i < (size_t)n * n; i++) h[i] = p[i] * p[i] + q[i] * q[i];
  for (uint32_t i = 0; i < n; i++) {
    const size_t at = (size_t)i * n + i;
    slope[i] = LBP_AB_MAX_TIE / (n * mu) - p[at] + q[at] - 1.0 / D[i];
    step[i] = -slope[i];
    border[i] = lbp_p_dot(q + (size_t)i * n, q + (size_t)i * n, n); /* less: the derivative by D_i and lambda */
    h[at] += 1.0 / (D[i] * D[i]);
    trace += q[at];
    square += border[i];
  }
  const double lambda_slope = 1.0 / mu - trace;
  double held = 0.0;
  lbp_p_cholesky(n, h, c, &held); /* a Gram matrix plus a diagonal: positive definite */
  memcpy(c, border, n * sizeof *c);
  lbp_p_solve(n, h, step);
  lbp_p_solve(n, h, c);
  *lambda_step = (lbp_p_dot(border, step, n) - lambda_slope) / (square - lbp_p_dot(border, c, n));
  lbp_p_add_scaled(step, *lambda_step, c, n);
  gain = -lambda_slope * *lambda_step;
  for (uint32_t i = 0; i < n; i++) gain -= slope[i] * step[i];
  return gain;
}

/* The D >= 0 with W + D positive semi-definite whose largest eigenvalue is least and, among those, the trace:
 * minimises lambda_max(W + D) + LBP_AB_MAX_TIE mean(D), to 1e-6 of its value. *largest, which may be NULL, gets a
 * bound of lambda_max from above. Dense whatever W is: O(n^3) for each of some 50 steps, so for a few hundred
 * variables. LBP_E_NULL, LBP_E_SIZE, LBP_E_WORKSPACE, LBP_E_NOT_FINITE; LBP_AB_NOT_CONVERGED: D is written and
 * feasible, but not optimal. */
LBP_FN int lbp_ab_d_max(const lbp_symmetric *W, double *D, double *largest, double *work, size_t work_len) {
  int status = lbp_ab_d_dominant(W, D);
  if (status != LBP_OK) return status;
  if (!work) return LBP_E_NULL;
  if (work_len < lbp_ab_d_max_workspace(W->n)) return LBP_E_WORKSPACE;
  const uint32_t n = W->n;
  const size_t square = (size_t)n * n;
  double *p = work, *q = p + square, *h = q + square, *c = h + square;
  double *step = c + n, *border = step + n, *slope = border + n, *trial = slope + n;
  const double norm = lbp_p_norm(W, NULL);
  if (!lbp_is_finite(norm)) return LBP_E_NOT_FINITE;
  if (largest) *largest = 0.0;
  if (!(norm > 0.0)) return LBP_OK;
  for (uint32_t i = 0; i < n; i++) D[i] += 0.1 * norm;
  double lambda = 1.1 * lbp_p_norm(W, D), mu = lambda / n, value = 0.0;
  status = LBP_AB_NOT_CONVERGED;
  int inside = lbp_p_barrier(W, D, lambda, mu, p, q, c, &value);
  for (uint32_t round = 0; inside && round < 500; round++) {
    double lambda_step = 0.0, size = 1.0, next = 0.0;
    const double gain = lbp_p_newton(n, D, mu, p, q, h, c, step, border, slope, &lambda_step);
    for (inside = 0; size > 1e-10; size *= 0.5) {
      for (uint32_t i = 0; i < n; i++) trial[i] = D[i] + size * step[i];
      inside = lbp_p_barrier(W, trial, lambda + size * lambda_step, mu, p, q, c, &next);
      if (inside && next <= value - 0.1 * size * gain + 1e-12 * fabs(value)) break;
      inside = 0;
    }
    if (!inside) break;
    memcpy(D, trial, n * sizeof *D);
    lambda += size * lambda_step;
    value = next;
    if (gain > 0.5) continue;
    if (3.0 * n * mu <= 1e-6 * lambda) {
      status = LBP_OK;
      break;
    }
    mu *= 0.1;
    inside = lbp_p_barrier(W, D, lambda, mu, p, q, c, &value);
  }
  if (largest) *largest = lambda;
  return status;
}

/* ---- one of them ----------------------------------------------------------------------------------------------- */

enum { LBP_AB_TRACE, LBP_AB_SHIFT, LBP_AB_MAX, LBP_AB_DOMINANT };

/* Doubles of workspace for lbp_ab_d. */
LBP_FN size_t lbp_ab_d_workspace(int kind, uint32_t n) {
  switch (kind) {
    case LBP_AB_TRACE: return lbp_ab_d_trace_workspace(n);
    case LBP_AB_SHIFT: return lbp_least_eigenvalue_workspace(n);
    case LBP_AB_MAX: return lbp_ab_d_max_workspace(n);
    default: return 1;
  }
}

/* The diagonal of that kind, LBP_AB_TRACE (to 1e-3) or another; any other number is LBP_E_RANGE. D is usable, if not
 * optimal, with LBP_AB_NOT_CONVERGED too. */
LBP_FN int lbp_ab_d(int kind, const lbp_symmetric *W, double *D, double *work, size_t work_len) {
  switch (kind) {
    case LBP_AB_TRACE: return lbp_ab_d_trace(W, 1e-3, D, NULL, work, work_len);
    case LBP_AB_SHIFT: return lbp_ab_d_shift(W, 0.0, D, work, work_len);
    case LBP_AB_MAX: return lbp_ab_d_max(W, D, NULL, work, work_len);
    case LBP_AB_DOMINANT: return lbp_ab_d_dominant(W, D);
    default: return LBP_E_RANGE;
  }
}

/* ================================================================================================================
 * Noise with covariance W + D
 * ============================================================================================================== */

/* Doubles of workspace for lbp_ab_root_dense and, of these, the n for lbp_ab_noise_dense. */
LBP_FN size_t lbp_ab_root_dense_workspace(uint32_t n) { return lbp_p_length(n, 0, 2, 0); }
LBP_FN size_t lbp_ab_noise_dense_workspace(uint32_t n) { return n; }

LBP_FN void lbp_p_swap(double *a, double *b) {
  const double held = *a;
  *a = *b;
  *b = held;
}

/* Row k of the permuted W + D, from column k on, less what root's rows above it already make of it. */
LBP_FN void lbp_p_remainder(const lbp_symmetric *W, const double *D, const uint32_t *order, uint32_t k, uint32_t rank,
                            double *root, double *row, double *c) {
  const uint32_t n = W->n, i = order[k];
  const lbp_p_row entries = lbp_p_row_of(W, i);
  for (uint32_t j = 0; j < n; j++) row[j] = 0.0;
  for (uint32_t e = 0; e < entries.count; e++) row[entries.column ? entries.column[e] : e] = entries.value[e];
  if (D) row[i] += D[i];
  for (uint32_t j = k; j < n; j++) c[j] = row[order[j]];
  for (uint32_t j = 0; j < rank; j++) row[j] = -root[(size_t)j * n + k];
  lbp_p_add_rows(c + k, row, root + k, rank, n, n - k);
}

/* A root S of W + D, S S' = W + D to rounding, by Cholesky's method with pivoting, which stops at the rank: W + D
 * may be singular [H, section 10.3]. root is n x n: row k, k < *rank, is column k of S with its entries reordered,
 * entry j belonging to variable order[j] (n indices), and zero before j = k; so a product costs half of what a
 * symmetric root's would. D may be NULL. Errors: as lbp_least_eigenvalue; LBP_AB_INDEFINITE: W + D has a negative
 * eigenvalue beyond rounding, here 8 n epsilon of the largest diagonal entry; root then holds nothing of use. O(n
 * rank^2). */
LBP_FN int lbp_ab_root_dense(const lbp_symmetric *W, const double *D, double *root, uint32_t *order, uint32_t *rank,
                             double *work, size_t work_len) {
  const int status = lbp_p_matrix(W);
  if (status != LBP_OK) return status;
  if (!root || !order || !rank || !work) return LBP_E_NULL;
  if (work_len < lbp_ab_root_dense_workspace(W->n)) return LBP_E_WORKSPACE;
  const uint32_t n = W->n;
  double *left = root + (size_t)(n - 1) * n; /* what is left of the diagonal: the last row is needed last, for itself */
  double *row = work, *c = work + n, largest = 0.0;
  uint32_t k = 0;
  for (uint32_t i = 0; i < n; i++) {
    order[i] = i;
    left[i] = lbp_symmetric_entry(W, i, i) + (D ? D[i] : 0.0);
    if (fabs(left[i]) > largest) largest = fabs(left[i]);
  }
  const double rounding = n * DBL_EPSILON * largest;
  for (; k < n; k++) {
    uint32_t pivot = k;
    for (uint32_t j = k + 1; j < n; j++)
      if (left[j] > left[pivot]) pivot = j;
    if (!(left[pivot] > rounding)) break;
    const uint32_t held = order[k];
    order[k] = order[pivot];
    order[pivot] = held;
    for (uint32_t j = 0; j < k; j++) lbp_p_swap(root + (size_t)j * n + k, root + (size_t)j * n + pivot);
    left[pivot] = left[k];
    lbp_p_remainder(W, D, order, k, k, root, row, c);
    const double length = sqrt(c[k] > rounding ? c[k] : rounding);
    for (uint32_t j = k + 1; j < n; j++) left[j] -= c[j] * c[j] / (length * length);
    for (uint32_t j = 0; j < n; j++) root[(size_t)k * n + j] = j < k ? 0.0 : j == k ? length : c[j] / length;
  }
  *rank = k;
  for (; k < n; k++) { /* nothing may be left: a remainder that is indefinite shows on its diagonal or beside it */
    lbp_p_remainder(W, D, order, k, *rank, root, row, c);
    for (uint32_t j = k; j < n; j++)
      if (!(fabs(c[j]) <= 8.0 * rounding)) return LBP_AB_INDEFINITE;
  }
  return LBP_OK;
}

/* g = S z: normal with covariance W + D if z are `rank` standard normals. work: n doubles. */
LBP_FN void lbp_ab_noise_dense(uint32_t n, const double *root, const uint32_t *order, uint32_t rank, const double *z,
                               double *g, double *work) {
  uint32_t k = 0;
  for (uint32_t j = 0; j < n; j++) work[j] = 0.0;
  for (; k + 4 <= rank; k += 4) lbp_p_add_4(work + k, z + k, root + (size_t)k * n + k, n, n - k);
  for (; k < rank; k++) lbp_p_add_scaled(work + k, z[k], root + (size_t)k * n + k, n - k);
  for (uint32_t j = 0; j < n; j++) g[order[j]] = work[j];
}

/* The same for a sparse W where W + D is diagonally dominant, as a sum of independent terms: site i adds
 * sqrt(slack_i) z, slack_i = W_ii + D_i - sum_{j != i} |W_ij|; edge ij adds sqrt|W_ij| z to g_i and the same with
 * W_ij's sign to g_j. No matrix has to be factored, none fills in. */

/* Standard normals that the noise takes, and roots: one per site, then one per entry above the diagonal. */
LBP_FN size_t lbp_ab_root_edges_count(const lbp_symmetric *W) {
  size_t count = W->n;
  for (uint32_t i = 0; i < W->n; i++)
    for (uint32_t e = W->start[i + 1]; e > W->start[i] && W->column[e - 1] > i; e--) count++;
  return count;
}

/* W_ii + D_i - sum_{j != i} |W_ij|; below zero by a rounding counts as zero. */
LBP_FN double lbp_p_slack(const lbp_symmetric *W, const double *D, uint32_t i) {
  const double own = lbp_symmetric_entry(W, i, i), added = D ? D[i] : 0.0, radius = lbp_p_radius(W, i);
  const double slack = own + added - radius, rounding = 16.0 * DBL_EPSILON * (fabs(own) + fabs(added) + radius);
  return slack < 0.0 && slack >= -rounding ? 0.0 : slack;
}

/* Whether W is sparse and W + D diagonally dominant, so that lbp_ab_root_edges will do. D may be NULL. */
LBP_FN int lbp_ab_is_dominant(const lbp_symmetric *W, const double *D) {
  if (W->dense) return 0;
  for (uint32_t i = 0; i < W->n; i++)
    if (!(lbp_p_slack(W, D, i) >= 0.0)) return 0;
  return 1;
}

/* The terms' square roots, lbp_ab_root_edges_count(W) of them; an edge's has the sign of W_ij. W sparse, otherwise
 * LBP_E_NULL; D may be NULL; LBP_AB_NOT_DOMINANT: a slack is negative beyond rounding. */
LBP_FN int lbp_ab_root_edges(const lbp_symmetric *W, const double *D, double *root) {
  const int status = lbp_p_matrix(W);
  if (status != LBP_OK) return status;
  if (W->dense || !root) return LBP_E_NULL;
  double *edge = root + W->n;
  for (uint32_t i = 0; i < W->n; i++) {
    const double slack = lbp_p_slack(W, D, i);
    if (!(slack >= 0.0)) return LBP_AB_NOT_DOMINANT;
    root[i] = sqrt(slack);
    for (uint32_t e = W->start[i + 1]; e > W->start[i] && W->column[e - 1] > i; e--, edge++)
      *edge = W->value[e - 1] < 0.0 ? -sqrt(-W->value[e - 1]) : sqrt(W->value[e - 1]);
  }
  return LBP_OK;
}

/* g = S z for lbp_ab_root_edges_count(W) standard normals z. O(entries). */
LBP_FN void lbp_ab_noise_edges(const lbp_symmetric *W, const double *root, const double *z, double *g) {
  const double *edge = root + W->n, *z_edge = z + W->n;
  for (uint32_t i = 0; i < W->n; i++) g[i] = root[i] * z[i];
  for (uint32_t i = 0; i < W->n; i++) {
    double sum = 0.0;
    for (uint32_t e = W->start[i + 1]; e > W->start[i] && W->column[e - 1] > i; e--, edge++, z_edge++) {
      sum += fabs(*edge) * *z_edge;
      g[W->column[e - 1]] += *edge * *z_edge;
    }
    g[i] += sum;
  }
}

/* ================================================================================================================
 * W from differences (10)
 * ============================================================================================================== */

/* Where C is singular, this part of its largest eigenvalue is added to all of them. */
#define LBP_AB_RIDGE 1e-4

/* Sums over pairs of states x -> y: C of dx dx' and B of dx dg', with dx = y - x and dg = grad f(y) - grad f(x).
 * The W of (10) solves C W + W C = B + B'. Plain data but for the two pointers. */
typedef struct {
  uint32_t n;
  uint64_t pairs; /* pushed with dx != 0 */
  double *C, *B;  /* n x n each, the caller's */
  double square;  /* sum of |dg|^2 */
} lbp_ab_estimate;

/* Doubles of memory that an estimate keeps. */
LBP_FN size_t lbp_ab_estimate_memory(uint32_t n) { return lbp_p_length(n, 2, 0, 0); }

/* LBP_E_NULL, LBP_E_SIZE; LBP_E_WORKSPACE: memory_len < lbp_ab_estimate_memory(n). */
LBP_FN int lbp_ab_estimate_init(lbp_ab_estimate *s, uint32_t n, double *memory, size_t memory_len) {
  if (!s || !memory) return LBP_E_NULL;
  if (n == 0 || n > 30000) return LBP_E_SIZE;
  if (memory_len < lbp_ab_estimate_memory(n)) return LBP_E_WORKSPACE;
  s->n = n;
  s->pairs = 0;
  s->square = 0.0;
  s->C = memory;
  s->B = memory + (size_t)n * n;
  memset(memory, 0, lbp_ab_estimate_memory(n) * sizeof *memory);
  return LBP_OK;
}

/* Adds a pair. O(n) for each coordinate that moved. A pair with NaN or infinity is left out: LBP_E_NOT_FINITE. */
LBP_FN int lbp_ab_estimate_push(lbp_ab_estimate *s, const double *dx, const double *dg) {
  const uint32_t n = s->n;
  uint32_t first = 0;
  while (first < n && dx[first] == 0.0) first++;
  if (first == n) return LBP_OK;
  for (uint32_t i = 0; i < n; i++)
    if (!lbp_is_finite(dx[i]) || !lbp_is_finite(dg[i])) return LBP_E_NOT_FINITE;
  for (uint32_t i = first; i < n; i++) {
    if (dx[i] == 0.0) continue;
    lbp_p_add_scaled(s->C + (size_t)i * n, dx[i], dx, n);
    lbp_p_add_scaled(s->B + (size_t)i * n, dx[i], dg, n);
  }
  s->square += lbp_p_dot(dg, dg, n);
  s->pairs++;
  return LBP_OK;
}

/* Doubles of workspace for lbp_ab_estimate_solve. */
LBP_FN size_t lbp_ab_estimate_solve_workspace(uint32_t n) {
  return lbp_p_length(n, 1, 1, lbp_eigen_workspace(n)); /* which is more than the n^2 that come later */
}

/* out = a b, all n x n */
LBP_FN void lbp_p_multiply(uint32_t n, const double *a, const double *b, double *out) {
  memset(out, 0, (size_t)n * n * sizeof *out);
  for (uint32_t i = 0; i < n; i++) lbp_p_add_rows(out + (size_t)i * n, a + (size_t)i * n, b, n, n, n);
}

LBP_FN void lbp_p_transpose(uint32_t n, double *a) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < i; j++) lbp_p_swap(a + (size_t)i * n + j, a + (size_t)j * n + i);
}

/* The symmetric n x n W of (10), into W. Where C is singular (its least eigenvalue is below 1e-10 of the largest)
 * it is that of least sum_i |W dx_i - dg_i|^2 + LBP_AB_RIDGE lambda_max(C) |W|^2, so that directions never moved in
 * get no curvature; otherwise exact. The sums stay: more pairs may follow. LBP_E_NULL, LBP_E_WORKSPACE;
 * LBP_AB_NO_DATA; LBP_E_NOT_FINITE: sums have overflowed, or squares vanished; LBP_AB_NOT_CONVERGED. O(n^3). */
LBP_FN int lbp_ab_estimate_solve(const lbp_ab_estimate *s, double *W, double *work, size_t work_len) {
  if (!s || !W || !work) return LBP_E_NULL;
  const uint32_t n = s->n;
  const size_t square = (size_t)n * n;
  if (work_len < lbp_ab_estimate_solve_workspace(n)) return LBP_E_WORKSPACE;
  if (s->pairs == 0) return LBP_AB_NO_DATA;
  if (!lbp_is_finite(s->square)) return LBP_E_NOT_FINITE;
  double *Q = work, *lambda = Q + square, *half = lambda + n; /* `half` is lbp_eigen's scratch first */
  memcpy(Q, s->C, square * sizeof *Q);
  const int status = lbp_eigen(n, Q, lambda, half, work_len - square - n);
  if (status != LBP_OK) return status;
  const double most = lambda[n - 1], ridge = lambda[0] < 1e-10 * most ? 2.0 * LBP_AB_RIDGE * most : 0.0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) W[(size_t)i * n + j] = s->B[(size_t)i * n + j] + s->B[(size_t)j * n + i];
  lbp_p_multiply(n, Q, W, half);
  lbp_p_transpose(n, Q);
  lbp_p_multiply(n, half, Q, W);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) W[(size_t)i * n + j] /= lambda[i] + lambda[j] + ridge;
  lbp_p_multiply(n, Q, W, half);
  lbp_p_transpose(n, Q);
  lbp_p_multiply(n, half, Q, W);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j <= i; j++) {
      const double mean = 0.5 * (W[(size_t)i * n + j] + W[(size_t)j * n + i]);
      if (!lbp_is_finite(mean)) return LBP_E_NOT_FINITE;
      W[(size_t)i * n + j] = W[(size_t)j * n + i] = mean;
    }
  return LBP_OK;
}

/* What W leaves unexplained: sum |W dx - dg|^2 / sum |dg|^2, 0 where log pi is quadratic, 1 where W = 0 does as well.
 * work: n doubles. O(n^3). */
LBP_FN double lbp_ab_estimate_residual(const lbp_ab_estimate *s, const double *W, double *work) {
  const uint32_t n = s->n;
  double left = s->square;
  for (uint32_t i = 0; i < n; i++) {
    const double *row = W + (size_t)i * n;
    memset(work, 0, n * sizeof *work);
    lbp_p_add_rows(work, row, s->C, n, n, n);
    left += lbp_p_dot(row, work, n);
    for (uint32_t j = 0; j < n; j++) left -= 2.0 * row[j] * s->B[(size_t)j * n + i];
  }
  return s->square > 0.0 && left > 0.0 ? left / s->square : 0.0;
}

/* ================================================================================================================
 * What all instances share
 * ============================================================================================================== */

#define LBP_AB_NOISE 16u /* steps that noise is made for at a time */

/* Coordinates that are handled together: loops over them have a fixed length and vectorise. A divisor of 128; where
 * there are fewer coordinates, lanes go empty. (gcc unrolls loops of up to 16 before it can vectorise them.) */
#ifndef LBP_AB_LANES
#define LBP_AB_LANES 32u
#endif

#define LBP_AB_TILE  16u /* coordinates whose noise is summed in registers, for 8 steps at a time */

/* LBP_FN for what clang must not inline. */
#if defined __clang__
#define LBP_P_APART LBP_FN __attribute__((noinline))
#else
#define LBP_P_APART LBP_FN
#endif

/* lbp_clamp in double. */
LBP_INLINE double lbp_p_clamp(double v, double limit) {
  uint64_t bits, most, size;
  memcpy(&bits, &v, sizeof bits);
  memcpy(&most, &limit, sizeof most);
  size = bits & 0x7fffffffffffffffu;
  bits = (bits & 0x8000000000000000u) | (size < most ? size : most);
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* Workspace of a chain of d coordinates, in LBP_AB_REALs; SIZE_MAX where a size_t can't hold that. */
#define LBP_AB_WS_LEN(d) \
  ((size_t)(d) / (SIZE_MAX / (8 + 2 * LBP_AB_NOISE)) ? SIZE_MAX : (size_t)(d) * (4 + 2 * LBP_AB_NOISE) + 16)

LBP_EXACT_END

#endif /* LBP_AB_NOISE */

/* ================================================================================================================
 * Template: once per model
 * ============================================================================================================== */

#if !defined LBP_AB_NAME
#if defined LBP_AB_GRADIENT || defined LBP_AB_LOGP
#error "lbp_ab.h: define LBP_AB_NAME, the prefix of the generated functions"
#endif
#define LBP_P_SKIP 1
#elif !defined LBP_AB_GRADIENT
#error "lbp_ab.h: define LBP_AB_GRADIENT(m, x, out), which writes the gradient of log pi and returns log pi"
#define LBP_P_SKIP 1
#elif defined LBP_AB_STATES && (LBP_AB_STATES < 2 || LBP_AB_STATES > 256)
#error "lbp_ab.h: LBP_AB_STATES, the number of values of a coordinate, is 2 to 256, a literal or a macro"
#define LBP_P_SKIP 1
#elif defined LBP_AB_RNG_T != defined LBP_AB_RNG_U64
#error "lbp_ab.h: define both of LBP_AB_RNG_T and LBP_AB_RNG_U64 or none"
#define LBP_P_SKIP 1
#endif

#ifndef LBP_P_SKIP

/* Type of the model; every call takes a const pointer to it, never stored. */
#ifndef LBP_AB_MODEL_T
#define LBP_AB_MODEL_T void
#endif

/* float or double: gradients, proposals, acceptance. */
#ifndef LBP_AB_REAL
#define LBP_AB_REAL double
#endif

/* Callbacks, here as in lbp.h: functions of any name, or macros with these parameters.
 *
 * LBP_AB_GRADIENT(m, x, out) -> LBP_AB_REAL: log pi(x) up to a constant; writes d log pi / d x_i, as if x were real,
 * for all i. Both must be functions of x alone. log pi = -infinity is an impossible state. Chains are exact whatever
 * the gradient is. Of the ways to extend log pi to real x choose one whose slope foretells log pi at the next value;
 * for binary x, log pi(x, x_i = 1) - log pi(x, x_i = 0) does (the multilinear extension). */

/* LBP_AB_LOGP(m, x) -> LBP_AB_REAL: log pi(x) alone, for the samplers that need no gradient. By default the
 * gradient's. */

/* LBP_AB_CONDITIONAL(m, x, i, out): optional, for Gibbs steps: log pi of x with x_i = v, for v = 0 ... S - 1, up to a
 * constant, in out[v]. By default LBP_AB_LOGP is asked S times. */

/* LBP_AB_STATES: S, the number of values of a coordinate, when fixed at compile time. By default NAME_init is told. */

/* Another generator: its type, and 64 uniform bits from it. */
#ifndef LBP_AB_RNG_T
#define LBP_AB_RNG_T lbp_rng
#define LBP_P_OWN_RNG 1
#endif

#ifdef LBP_AB_STATES
#define LBP_P_STATES(chain) ((uint32_t)(LBP_AB_STATES))
#else
#define LBP_P_STATES(chain) ((chain)->states)
#endif

/* What only checked builds compile: LBP_CHECKED of lbp.h. */
#if LBP_CHECKED
#define LBP_P_CHECK(statement) statement
#else
#define LBP_P_CHECK(statement)
#endif

/* Expands a callback: see lbp.h. */
#define LBP_P_CALL(callback, arguments) callback arguments

#define LBP_P_PASTE2(left, right) left##right
#define LBP_P_PASTE(left, right)  LBP_P_PASTE2(left, right)
#define LBP_P_ID(name)            LBP_P_PASTE(LBP_AB_NAME, _##name)
#define LBP_P_PRIV(name)          LBP_P_PASTE(LBP_AB_NAME, _priv_##name)
#define LBP_P_REAL                LBP_P_ID(real)
#define LBP_P_CHAIN               LBP_P_ID(chain)
#define LBP_P_INFO                LBP_P_ID(info)
#define LBP_P_CURVATURE           LBP_P_ID(curvature)
#define LBP_P_SCALE               LBP_P_ID(scale)

LBP_EXACT_BEGIN

/* ---- types ---------------------------------------------------------------------------------------------------- */

/* Defined twice, it says in the first of many errors what is wrong. */
enum { LBP_P_ID(is_the_LBP_NAME_of_another_instance) };

typedef LBP_AB_REAL LBP_P_REAL;

/* Your types by names that no parameter or variable has. */
typedef LBP_AB_MODEL_T LBP_P_PRIV(model);
#undef LBP_AB_MODEL_T
#define LBP_AB_MODEL_T LBP_P_PRIV(model)

typedef LBP_AB_RNG_T LBP_P_PRIV(rng);
#undef LBP_AB_RNG_T
#define LBP_AB_RNG_T LBP_P_PRIV(rng)

/* The second-order part of the proposal, W + D = S S', made once and shared by all chains of a model. Arrays are the
 * caller's. The noise G = S xi comes from a dense root, as lbp_ab_root_dense leaves it, or from the edges of a sparse W
 * whose W + D is diagonally dominant: sum over edges e = (i, j) of |edge[e]| xi_e for i and edge[e] xi_e for j, plus
 * site[i] xi_i. */
typedef struct {
  uint32_t n;
  int exact;                          /* W is log pi's Hessian at every x: W (x - y) is a difference of gradients */
  const LBP_P_REAL *D;                /* n, not negative */
  const LBP_P_REAL *W;                /* n x n, symmetric; NULL where exact or by edges */
  const LBP_P_REAL *root;             /* n x n, row k is S's column k, reordered, zero before entry k; NULL: by edges */
  const uint32_t *order;              /* n: entry j of the root's rows belongs to variable order[j] */
  uint32_t rank;                      /* rows of the root that are in use */
  uint32_t edges;
  const uint32_t *ends;               /* 2 x edges */
  const LBP_P_REAL *edge;             /* sqrt |W_ij|, with the sign of W_ij */
  const LBP_P_REAL *site;             /* n: sqrt(D_i + W_ii - sum_j |W_ij|) */
} LBP_P_CURVATURE;

/* How far a proposal goes. The kernel is exp(-z'Kz/2), K_i = flat + along D_i; weights are (pi(y)/pi(x))^alpha; W, D
 * and the noise count `damping` times. Made by NAME_first_order and its siblings. */
typedef struct {
  LBP_P_REAL alpha, damping, flat, along;
} LBP_P_SCALE;

/* One chain. Read x, d, logp; leave the rest to the functions below. */
typedef struct {
  uint32_t d, states;
  uint8_t *x;
  int logp_ready, gradient_ready;     /* whether they are those of x */
  LBP_P_REAL logp;
  LBP_P_REAL *gradient, *proposed;    /* at x and y */
  LBP_P_REAL *noise;                  /* LBP_AB_NOISE draws of G, of which the last noise_left are still to come */
  LBP_P_REAL *normals;                /* the xi behind them; between times x - y */
  const LBP_P_CURVATURE *noise_of;
  uint32_t noise_left;
  uint32_t site;                      /* of the next Gibbs step */
  LBP_P_REAL *shift;                  /* W (x - y) */
  uint8_t *y;                         /* the proposal; after a step, the state that was not kept: the old one if
                                         accepted, else the rejected proposal */
#if LBP_CHECKED
  uint32_t made;                      /* LBP_MADE, once NAME_init has succeeded */
#endif
} LBP_P_CHAIN;

/* What NAME_check found first; status LBP_OK if nothing. */
typedef struct {
  int status;                         /* lbp_ab_reason(status) says it in words */
  uint32_t site;
  LBP_P_REAL got, want;               /* the two values that should agree */
} LBP_P_ID(report);

/* What a step did. */
typedef struct {
  LBP_P_REAL accept;                  /* acceptance probability */
  uint32_t accepted;
  uint32_t changed;                   /* coordinates that the step changed */
  uint32_t jump;                      /* sum_i |x_i - y_i| of the move; 0 if rejected */
  uint32_t proposed;                  /* the same of the proposal: accept * proposed is the expected jump distance */
  uint32_t evaluations;               /* of the gradient, or of log pi where the step needs no gradient */
  int status;                         /* LBP_E_NOT_FINITE: log pi or its gradient is NaN or +infinity at the proposal,
                                         which was rejected for it, or at a state that you gave; LBP_E_NULL,
                                         LBP_E_SIZE, LBP_E_RANGE: see NAME_ab_step; in checked builds also what
                                         NAME_priv_judge finds; else LBP_OK */
} LBP_P_INFO;

/* ---- the user's macros, each expanded once ---------------------------------------------------------------------- */

LBP_INLINE LBP_P_REAL LBP_P_PRIV(call_gradient)(const LBP_AB_MODEL_T *lbp_m, const uint8_t *lbp_x,
                                                LBP_P_REAL *lbp_out) {
  (void)lbp_m, (void)lbp_x, (void)lbp_out;
  return (LBP_P_REAL)(LBP_P_CALL(LBP_AB_GRADIENT, (lbp_m, lbp_x, lbp_out)));
}

#ifdef LBP_AB_LOGP
LBP_INLINE LBP_P_REAL LBP_P_PRIV(call_logp)(const LBP_AB_MODEL_T *lbp_m, const uint8_t *lbp_x) {
  (void)lbp_m, (void)lbp_x;
  return (LBP_P_REAL)(LBP_P_CALL(LBP_AB_LOGP, (lbp_m, lbp_x)));
}
#endif

#ifdef LBP_AB_CONDITIONAL
LBP_INLINE void LBP_P_PRIV(call_conditional)(const LBP_AB_MODEL_T *lbp_m, uint8_t *lbp_x, uint32_t lbp_i,
                                             LBP_P_REAL *lbp_out) {
  (void)lbp_m, (void)lbp_x, (void)lbp_i, (void)lbp_out;
  LBP_P_CALL(LBP_AB_CONDITIONAL, (lbp_m, lbp_x, lbp_i, lbp_out));
}
#endif

#if LBP_CHECKED
LBP_FN void LBP_P_PRIV(on_error)(int lbp_status, uint32_t lbp_site) {
  (void)lbp_status, (void)lbp_site;
  LBP_P_CALL(LBP_ON_ERROR, (lbp_status, lbp_site));
}
#endif

LBP_FN uint64_t LBP_P_PRIV(word)(LBP_AB_RNG_T *lbp_generator) {
#ifdef LBP_P_OWN_RNG
  return lbp_rng_u64(lbp_generator);
#else
  (void)lbp_generator;
  return LBP_P_CALL(LBP_AB_RNG_U64, (lbp_generator));
#endif
}

/* ---- random numbers -------------------------------------------------------------------------------------------- */

/* 32 random bits for each of `count` coordinates, rounded up to even. */
LBP_FN void LBP_P_PRIV(bits)(LBP_AB_RNG_T *rng, uint32_t *out, uint32_t count) {
  const uint64_t *word;
  uint32_t part, i;
  for (; count > 0; count = count > 2 * part ? count - 2 * part : 0, out += 2 * part) {
#ifdef LBP_P_OWN_RNG
    part = (count + 1) / 2;
    word = lbp_rng_take(rng, &part);
#else
    const uint64_t one = LBP_P_PRIV(word)(rng);
    word = &one;
    part = 1;
#endif
    for (i = 0; i < part; i++) {
      out[2 * i] = (uint32_t)word[i];
      out[2 * i + 1] = (uint32_t)(word[i] >> 32);
    }
  }
}

LBP_INLINE LBP_P_REAL LBP_P_PRIV(exp)(LBP_P_REAL v) {
  return sizeof(LBP_P_REAL) == sizeof(float) ? (LBP_P_REAL)lbp_expf((float)v) : (LBP_P_REAL)lbp_exp((double)v);
}

LBP_INLINE LBP_P_REAL LBP_P_PRIV(log)(LBP_P_REAL v) {
  return sizeof(LBP_P_REAL) == sizeof(float) ? (LBP_P_REAL)lbp_logf((float)v) : (LBP_P_REAL)lbp_log((double)v);
}

LBP_INLINE LBP_P_REAL LBP_P_PRIV(sqrt)(LBP_P_REAL v) {
  if (sizeof(LBP_P_REAL) == sizeof(float)) return (LBP_P_REAL)sqrtf((float)v);
  return (LBP_P_REAL)sqrt((double)v);
}

/* Two standard normals from two uniform numbers of 32 bits (Box and Muller); cosine and sine of a quarter turn by their
 * series about 0, the others by symmetry. */
LBP_INLINE void LBP_P_PRIV(box_muller)(uint32_t a, uint32_t b, LBP_P_REAL *first, LBP_P_REAL *second) {
  const LBP_P_REAL u = ((LBP_P_REAL)(int32_t)(a >> 1) + (LBP_P_REAL)0.5) * (LBP_P_REAL)4.656612873077392578125e-10;
  const LBP_P_REAL radius = LBP_P_PRIV(sqrt)(-2 * LBP_P_PRIV(log)(u));
  const int32_t turn = (int32_t)(b << 2) >> 2;                                              /* a quarter turn about 0 */
  const LBP_P_REAL angle = (LBP_P_REAL)turn * (LBP_P_REAL)1.46291807926715968105e-9;        /* pi / 2^31 */
  const LBP_P_REAL square = angle * angle;
  const uint32_t quadrant = b >> 30;
  LBP_P_REAL sine = (LBP_P_REAL)-1.98412698412698413e-4, cosine = (LBP_P_REAL)2.48015873015873016e-5;
  if (sizeof(LBP_P_REAL) > sizeof(float)) {
    sine += square * ((LBP_P_REAL)2.75573192239858907e-6 + square * ((LBP_P_REAL)-2.50521083854417188e-8 +
            square * ((LBP_P_REAL)1.60590438368216146e-10 + square * (LBP_P_REAL)-7.64716373181981648e-13)));
    cosine += square * ((LBP_P_REAL)-2.75573192239858907e-7 + square * ((LBP_P_REAL)2.08767569878680990e-9 +
              square * ((LBP_P_REAL)-1.14707455977297247e-11 + square * (LBP_P_REAL)4.77947733238738530e-14)));
  }
  sine = (LBP_P_REAL)8.33333333333333333e-3 + square * sine;
  cosine = (LBP_P_REAL)4.16666666666666667e-2 + square * ((LBP_P_REAL)-1.38888888888888889e-3 + square * cosine);
  sine = angle * (1 + square * ((LBP_P_REAL)-0.166666666666666667 + square * sine));
  cosine = 1 + square * ((LBP_P_REAL)-0.5 + square * cosine);
  *first = radius * (quadrant & 1 ? sine : cosine) * (quadrant & 2 ? -1 : 1);
  *second = radius * (quadrant & 1 ? cosine : sine) * ((quadrant & 1) ^ (quadrant >> 1) ? -1 : 1);
}

/* Standard normals, n rounded up to even. */
LBP_FN void LBP_P_PRIV(normals)(LBP_AB_RNG_T *rng, LBP_P_REAL *out, size_t n) {
  uint32_t bits[2 * LBP_BLOCK], k;
  size_t first;
  for (first = 0; first < n; first += 2 * LBP_BLOCK, out += 2 * LBP_BLOCK) {
    const uint32_t pairs = n - first < 2 * LBP_BLOCK ? (uint32_t)(n - first + 1) / 2 : LBP_BLOCK;
    LBP_P_PRIV(bits)(rng, bits, 2 * pairs);
    for (k = 0; k < pairs; k++) LBP_P_PRIV(box_muller)(bits[k], bits[pairs + k], out + k, out + pairs + k);
  }
}

/* ---- chains ----------------------------------------------------------------------------------------------------- */

/* Workspace of a chain of d coordinates, in LBP_AB_REALs: LBP_AB_WS_LEN(d). */
LBP_FN size_t LBP_P_ID(ws_len)(uint32_t d) { return LBP_AB_WS_LEN(d); }

/* Makes a chain over your state x, d values below `states`, and your workspace, which must outlive it. With
 * LBP_AB_STATES, `states` must be the same. Returns LBP_E_NULL, LBP_E_SIZE (d = 0 or too large), LBP_E_RANGE (states
 * not 2 to 256), LBP_E_WORKSPACE, LBP_E_STATE; the chain is usable only after LBP_OK. */
LBP_FN int LBP_P_ID(init)(LBP_P_CHAIN *c, uint32_t d, uint32_t states, uint8_t *x, LBP_P_REAL *ws, size_t ws_len) {
  uint32_t i;
  if (!c || !x || !ws) return LBP_E_NULL;
  LBP_P_CHECK(c->made = 0;)
  if (d < 1 || d > LBP_MAX_SITES / LBP_AB_NOISE) return LBP_E_SIZE;
  if (states < 2 || states > 256) return LBP_E_RANGE;
#ifdef LBP_AB_STATES
  if (states != (uint32_t)(LBP_AB_STATES)) return LBP_E_RANGE;
#endif
  if (ws_len < LBP_AB_WS_LEN(d)) return LBP_E_WORKSPACE;
  for (i = 0; i < d; i++) {
    if (x[i] >= states) return LBP_E_STATE;
  }
  memset(c, 0, sizeof *c);
  c->d = d;
  c->states = states;
  c->x = x;
  c->gradient = ws;
  c->proposed = ws + d;
  c->shift = ws + 2 * (size_t)d;
  c->noise = ws + 3 * (size_t)d;
  c->normals = c->noise + LBP_AB_NOISE * (size_t)d;
  c->y = (uint8_t *)(c->normals + LBP_AB_NOISE * (size_t)d + 1);
  LBP_P_CHECK(c->made = LBP_MADE;)
  return LBP_OK;
}

/* Say that you changed x, the model, or a curvature. */
LBP_FN void LBP_P_ID(touch)(LBP_P_CHAIN *c) {
  c->logp_ready = c->gradient_ready = 0;
  c->noise_left = 0;
}

/* The sum of LBP_AB_LANES sums. */
LBP_INLINE LBP_P_REAL LBP_P_PRIV(fold)(const LBP_P_REAL *lane) {
  LBP_P_REAL sum = 0;
  uint32_t l;
  for (l = 0; l < LBP_AB_LANES / 2; l++) sum += lane[l] + lane[l + LBP_AB_LANES / 2];
  return sum;
}

/* NaN or infinite, as the bits say: fast-math compilers take comparisons out. */
LBP_INLINE uint32_t LBP_P_PRIV(is_wild)(LBP_P_REAL v) {
  if (sizeof v == sizeof(uint32_t)) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (bits & 0x7f800000u) == 0x7f800000u;
  }
  return !lbp_is_finite((double)v);
}

/* Whether log pi and its gradient are numbers; log pi may be -infinity. */
LBP_FN int LBP_P_PRIV(is_usable)(LBP_P_REAL logp, const LBP_P_REAL *gradient, uint32_t d) {
  uint32_t wild = 0, i;
  for (i = 0; i < d; i++) wild += LBP_P_PRIV(is_wild)(gradient[i]);
  return wild == 0 && (!LBP_P_PRIV(is_wild)(logp) || logp < 0);
}

/* ---- scales: which sampler a step is ----------------------------------------------------------------------------- */

/* First order, W = D = 0, kernel exp(-|z|^2 / (2 sigma)): the discrete Langevin proposal with alpha = 1/2, AB-1st with
 * alpha from 1/2 to 1; sigma > 0. */
LBP_FN LBP_P_SCALE LBP_P_ID(first_order)(LBP_P_REAL sigma, LBP_P_REAL alpha) {
  LBP_P_SCALE s;
  s.alpha = alpha;
  s.damping = 0;
  s.flat = 1 / sigma;
  s.along = 0;
  return s;
}

/* The discrete Langevin proposal in the metric of D, kernel exp(-z'Dz / sigma). */
LBP_FN LBP_P_SCALE LBP_P_ID(langevin_d)(LBP_P_REAL sigma) {
  LBP_P_SCALE s = LBP_P_ID(first_order)(1, (LBP_P_REAL)0.5);
  s.flat = 0;
  s.along = 2 / sigma;
  return s;
}

/* Second order, with the kernel as printed, exp(-|z|^2 / (2 sigma)). */
LBP_FN LBP_P_SCALE LBP_P_ID(second_order)(LBP_P_REAL sigma, LBP_P_REAL alpha) {
  LBP_P_SCALE s = LBP_P_ID(first_order)(sigma, alpha);
  s.damping = 1;
  return s;
}

/* Second order in the metric of D: kernel exp(-z'Dz / (2 s)), alpha = alpha(s rho) of (6), W and D times `damping` in
 * (0, 1]. s > 0, rho > 0. */
LBP_FN LBP_P_SCALE LBP_P_ID(second_order_d)(LBP_P_REAL s, LBP_P_REAL rho, LBP_P_REAL damping) {
  LBP_P_SCALE scale;
  scale.alpha = (LBP_P_REAL)lbp_alpha((double)(s * rho));
  scale.damping = damping;
  scale.flat = 0;
  scale.along = damping / s;
  return scale;
}

/* ---- the noise --------------------------------------------------------------------------------------------------- */

/* LBP_AB_TILE columns of the root's first `rows` rows, n apart, for eight steps: out = sum over k of row_k times
 * xi[8 k + step]. The sums stay in registers if they are written out like this, and if the function stays by itself:
 * once inlined, clang keeps them in memory. */
LBP_P_APART void LBP_P_PRIV(noise_tile)(const LBP_P_REAL *row, size_t n, size_t rows, const LBP_P_REAL *xi,
                                        LBP_P_REAL (*out)[LBP_AB_TILE]) {
  LBP_P_REAL sum[8][LBP_AB_TILE] = { { 0 } };
  size_t k;
  int i;
  for (k = 0; k < rows; k++, row += n, xi += 8) {
    for (i = 0; i < (int)LBP_AB_TILE; i++) {
      sum[0][i] += xi[0] * row[i];
      sum[1][i] += xi[1] * row[i];
      sum[2][i] += xi[2] * row[i];
      sum[3][i] += xi[3] * row[i];
      sum[4][i] += xi[4] * row[i];
      sum[5][i] += xi[5] * row[i];
      sum[6][i] += xi[6] * row[i];
      sum[7][i] += xi[7] * row[i];
    }
  }
  memcpy(out, sum, sizeof sum);
}

LBP_FN void LBP_P_PRIV(noise_dense)(LBP_P_CHAIN *c, const LBP_P_CURVATURE *curvature, LBP_AB_RNG_T *rng) {
  const size_t d = c->d, rank = curvature->rank;
  const uint32_t *order = curvature->order;
  LBP_P_REAL tile[8][LBP_AB_TILE];
  size_t done, i, k, t;
  LBP_P_PRIV(normals)(rng, c->normals, LBP_AB_NOISE * rank);
  for (done = 0; done < d; done += LBP_AB_TILE) { /* where columns are left over, the last tile repeats some */
    const size_t first = done + LBP_AB_TILE <= d ? done : d < LBP_AB_TILE ? 0 : d - LBP_AB_TILE;
    const size_t width = d < LBP_AB_TILE ? d : LBP_AB_TILE, rows = first + width < rank ? first + width : rank;
    const LBP_P_REAL *root = curvature->root + first;
    for (t = 0; t < LBP_AB_NOISE; t += 8) { /* while these columns are in the cache */
      const LBP_P_REAL *xi = c->normals + t * rank;
      if (width == LBP_AB_TILE) {
        LBP_P_PRIV(noise_tile)(root, d, rows, xi, tile);
      } else {
        memset(tile, 0, sizeof tile);
        for (k = 0; k < 8 * rows; k++)
          for (i = 0; i < width; i++) tile[k % 8][i] += xi[k] * root[k / 8 * d + i];
      }
      for (k = 0; k < 8; k++)
        for (i = 0; i < width; i++) c->noise[(t + k) * d + order[first + i]] = tile[k][i];
    }
  }
}

/* An edge adds to its ends for all steps at once; sums by coordinate, then by step. */
LBP_FN void LBP_P_PRIV(noise_edges)(LBP_P_CHAIN *c, const LBP_P_CURVATURE *curvature, LBP_AB_RNG_T *rng) {
  LBP_P_REAL xi[LBP_AB_LANES * LBP_AB_NOISE], *sum = c->normals;
  const size_t d = c->d;
  uint32_t e, t;
  size_t i;
  LBP_P_PRIV(normals)(rng, sum, LBP_AB_NOISE * d);
  for (i = 0; i < d; i++)
    for (t = 0; t < LBP_AB_NOISE; t++) sum[i * LBP_AB_NOISE + t] *= curvature->site[i];
  for (e = 0; e < curvature->edges; e++) {
    const LBP_P_REAL w = curvature->edge[e], size = w < 0 ? -w : w, *z = xi + e % LBP_AB_LANES * LBP_AB_NOISE;
    LBP_P_REAL *one = sum + (size_t)curvature->ends[2 * e] * LBP_AB_NOISE;
    LBP_P_REAL *two = sum + (size_t)curvature->ends[2 * e + 1] * LBP_AB_NOISE;
    const uint32_t left = curvature->edges - e;
    if (e % LBP_AB_LANES == 0) LBP_P_PRIV(normals)(rng, xi, (left < LBP_AB_LANES ? left : LBP_AB_LANES) * LBP_AB_NOISE);
    for (t = 0; t < LBP_AB_NOISE; t++) one[t] += size * z[t];
    for (t = 0; t < LBP_AB_NOISE; t++) two[t] += w * z[t];
  }
  for (t = 0; t < LBP_AB_NOISE; t++)
    for (i = 0; i < d; i++) c->noise[t * d + i] = sum[i * LBP_AB_NOISE + t];
}

/* G = S xi for LBP_AB_NOISE steps ahead: they do not depend on the state, and many products cost little more than
 * one. */
LBP_FN void LBP_P_PRIV(make_noise)(LBP_P_CHAIN *c, const LBP_P_CURVATURE *curvature, LBP_AB_RNG_T *rng) {
  if (curvature->root) LBP_P_PRIV(noise_dense)(c, curvature, rng);
  else LBP_P_PRIV(noise_edges)(c, curvature, rng);
  c->noise_of = curvature;
  c->noise_left = LBP_AB_NOISE;
}

/* ---- proposals: coordinates are independent given G ----------------------------------------------------------------
 *
 * Q(v) ~ exp(c v - a v^2 / 2), v = 0 ... S - 1. Probabilities are whole numbers: what is drawn from is what the
 * acceptance divides by, whatever the exponentials' rounding is. */

/* Coordinates are handled in strips, and the strips LBP_AB_LANES at a time. Bytes are converted apart from the
 * arithmetic: in one loop they would make compilers take the shortest vectors. */
#define LBP_P_STRIP (2 * LBP_BLOCK)

/* A strip: c and a, 32 random bits each where values are to be drawn, the values, and Q of each. */
typedef struct {
  LBP_P_REAL c[LBP_P_STRIP], a[LBP_P_STRIP], q[LBP_P_STRIP];
  uint32_t bits[LBP_P_STRIP], v[LBP_P_STRIP];
} LBP_P_PRIV(strip);

/* v with its magnitude cut to `limit`; NaN becomes +-limit. */
LBP_INLINE LBP_P_REAL LBP_P_PRIV(clamp)(LBP_P_REAL v, LBP_P_REAL limit) {
  if (sizeof(LBP_P_REAL) == sizeof(float)) return (LBP_P_REAL)lbp_clamp((float)v, (float)limit);
  return (LBP_P_REAL)lbp_p_clamp((double)v, (double)limit);
}

/* exp(-t), 1 for t < 0. A comparison would be a branch, see lbp_clamp. */
LBP_INLINE LBP_P_REAL LBP_P_PRIV(fade)(LBP_P_REAL t) {
  const LBP_P_REAL cut = LBP_P_PRIV(clamp)(t, 28);
  const LBP_P_REAL v = (LBP_P_REAL)-0.5 * (cut + (LBP_P_REAL)fabs((double)cut));
  float above, below;
  if (sizeof(LBP_P_REAL) > sizeof(float)) return LBP_P_PRIV(exp)(v);
  lbp_exp_quotient((float)v, &above, &below);
  return (LBP_P_REAL)(above / below);
}

/* The weight of 1 among 2^31, 1 to 2^31 - 1, if its log-odds are t. */
LBP_INLINE uint32_t LBP_P_PRIV(odds)(LBP_P_REAL t) {
  const LBP_P_REAL v = LBP_P_PRIV(clamp)(-t, 24);
  float above = 0, below = 0;
  uint32_t whole;
  if (sizeof(LBP_P_REAL) == sizeof(float)) lbp_exp_quotient((float)v, &above, &below);
  whole = sizeof(LBP_P_REAL) == sizeof(float) ? (uint32_t)(int32_t)(LBP_WEIGHT_MAX * (below / (below + above)))
                                              : (uint32_t)(int32_t)((LBP_P_REAL)2147483520 / (1 + LBP_P_PRIV(exp)(v)));
  return whole | (whole == 0);
}

/* LBP_AB_LANES binary coordinates from `first` on: drawn, or those of b->v. */
LBP_INLINE void LBP_P_PRIV(propose_bits)(LBP_P_PRIV(strip) *b, size_t first, int draw) {
  const LBP_P_REAL *c = b->c + first, *a = b->a + first;
  uint32_t *v = b->v + first, weight[LBP_AB_LANES], i;
  for (i = 0; i < LBP_AB_LANES; i++) weight[i] = LBP_P_PRIV(odds)(c[i] - a[i] * (LBP_P_REAL)0.5);
  if (draw) {
    for (i = 0; i < LBP_AB_LANES; i++) v[i] = b->bits[first + i] >> 1 < weight[i];
  }
  for (i = 0; i < LBP_AB_LANES; i++) {
    const uint32_t w = v[i] ? weight[i] : 0x80000000u - weight[i];
    b->q[first + i] = (LBP_P_REAL)(int32_t)w * (LBP_P_REAL)4.656612873077392578125e-10;
  }
}

/* Weights of more than two values go outward from the mode, where the ratios of neighbours are at most 1 and shrink by
 * exp(-a) each: no exponential for every value, and none overflows. In whole numbers they are 1 more than what is left
 * of the fraction, so that every value can be reached. A walk is k values away from the mode on either side. */
typedef struct {
  LBP_P_REAL up[LBP_AB_LANES], up_ratio[LBP_AB_LANES], down[LBP_AB_LANES], down_ratio[LBP_AB_LANES], fade[LBP_AB_LANES];
} LBP_P_PRIV(walk);

#define LBP_P_TINY ((LBP_P_REAL)1e-12) /* added, so that nothing becomes subnormal, which would be slow */

/* A value further: what its weight has above 1, 0 where there is no such value. */
LBP_INLINE uint32_t LBP_P_PRIV(further)(LBP_P_REAL *weight, LBP_P_REAL *ratio, LBP_P_REAL fade, int32_t exists) {
  *weight = *weight * *ratio + LBP_P_TINY;
  *ratio = *ratio * fade + LBP_P_TINY;
  return exists ? (uint32_t)(int32_t)*weight : 0;
}

/* Takes a value if what is left of the target is below its weight; once passed, the target is above all weights. */
LBP_INLINE void LBP_P_PRIV(pass)(uint32_t w, int32_t value, uint32_t *rest, int32_t *v, uint32_t *weight) {
  const int hit = *rest < w;
  *v = hit ? value : *v;
  *weight = hit ? w : *weight;
  *rest -= w;
}

/* The same for coordinates of S values. Walks end where all weights are 1: k values away from the mode they are below
 * 1 + 2^31 exp(-a k (k - 1) / 2). */
LBP_INLINE void LBP_P_PRIV(propose_values)(LBP_P_PRIV(strip) *b, size_t first, uint32_t states, int draw) {
  const uint32_t unit = 0x7f000000u / states;
  const int32_t top = (int32_t)states - 1;
  const LBP_P_REAL *a = b->a + first, *c = b->c + first;
  uint32_t total[LBP_AB_LANES], rest[LBP_AB_LANES], weight[LBP_AB_LANES], i;
  int32_t mode[LBP_AB_LANES], v[LBP_AB_LANES], reach = top, k;
  LBP_P_REAL least = a[0];
  LBP_P_PRIV(walk) start, w;
  for (i = 1; i < LBP_AB_LANES; i++) least = a[i] < least ? a[i] : least;
  if (least * (LBP_P_REAL)(top * top) > 44)
    reach = (int32_t)((LBP_P_REAL)1.5 + LBP_P_PRIV(sqrt)((LBP_P_REAL)0.25 + 44 / least));
  if (reach > top) reach = top;
  for (i = 0; i < LBP_AB_LANES; i++) {
    const LBP_P_REAL curve = a[i] + LBP_P_TINY, force = LBP_P_PRIV(clamp)(c[i], (LBP_P_REAL)1e30);
    const int32_t nearest = (int32_t)(LBP_P_PRIV(clamp)(force / curve, 256) + (LBP_P_REAL)256.5) - 256;
    const int32_t low = nearest > 0 ? nearest : 0;
    LBP_P_REAL slope;
    mode[i] = low < top ? low : top;
    slope = force - curve * (LBP_P_REAL)mode[i];
    start.up_ratio[i] = LBP_P_PRIV(fade)(curve * (LBP_P_REAL)0.5 - slope);
    start.down_ratio[i] = LBP_P_PRIV(fade)(curve * (LBP_P_REAL)0.5 + slope);
    start.fade[i] = LBP_P_PRIV(fade)(curve);
    start.up[i] = start.down[i] = (LBP_P_REAL)(int32_t)unit;
    v[i] = draw ? -1 : (int32_t)b->v[first + i];
    weight[i] = v[i] == mode[i] ? unit + 1 : 1;
    total[i] = unit + states;
  }
  w = start;
  for (k = 1; k <= reach; k++) {
    for (i = 0; i < LBP_AB_LANES; i++) {
      const uint32_t above = LBP_P_PRIV(further)(&w.up[i], &w.up_ratio[i], w.fade[i], mode[i] + k <= top);
      const uint32_t below = LBP_P_PRIV(further)(&w.down[i], &w.down_ratio[i], w.fade[i], mode[i] >= k);
      total[i] += above + below;
      if (!draw) weight[i] += (v[i] == mode[i] + k ? above : 0) + (v[i] == mode[i] - k ? below : 0);
    }
  }
  if (draw) { /* the same walk, until the target is passed */
    for (i = 0; i < LBP_AB_LANES; i++) {
      rest[i] = (uint32_t)((uint64_t)b->bits[first + i] * total[i] >> 32);
      LBP_P_PRIV(pass)(unit + 1, mode[i], &rest[i], &v[i], &weight[i]);
    }
    w = start;
    for (k = 1; k <= reach; k++) {
      for (i = 0; i < LBP_AB_LANES; i++) {
        const int32_t high = mode[i] + k <= top, low = mode[i] >= k;
        const uint32_t above = LBP_P_PRIV(further)(&w.up[i], &w.up_ratio[i], w.fade[i], high) + (uint32_t)high;
        const uint32_t below = LBP_P_PRIV(further)(&w.down[i], &w.down_ratio[i], w.fade[i], low) + (uint32_t)low;
        LBP_P_PRIV(pass)(above, mode[i] + k, &rest[i], &v[i], &weight[i]);
        LBP_P_PRIV(pass)(below, mode[i] - k, &rest[i], &v[i], &weight[i]);
      }
    }
    for (i = 0; i < LBP_AB_LANES; i++) {
      const int32_t below = mode[i] > reach ? mode[i] - reach : 0, left = (int32_t)rest[i]; /* beyond the walk's ends */
      const int32_t far = left < below ? left : mode[i] + reach + 1 + left - below;
      b->v[first + i] = (uint32_t)(v[i] < 0 ? far : v[i]);
    }
  }
  for (i = 0; i < LBP_AB_LANES; i++)
    b->q[first + i] = (LBP_P_REAL)(int32_t)weight[i] / (LBP_P_REAL)(int32_t)total[i];
}

/* All coordinates of a proposal from `at`, where the gradient, or what stands for it, is `force`: drawn into v if rng
 * is given, else those of v. Returns log Q(v). D may be NULL. */
LBP_FN LBP_P_REAL LBP_P_PRIV(propose)(const LBP_P_CHAIN *c, const LBP_P_SCALE *s, const LBP_P_REAL *D,
                                      const uint8_t *at, const LBP_P_REAL *force, LBP_AB_RNG_T *rng, uint8_t *v) {
  const LBP_P_REAL alpha = s->alpha, flat = s->flat, along = s->along, damped = s->alpha * s->damping;
  const uint32_t states = LBP_P_STATES(c);
  LBP_P_REAL sum[LBP_AB_LANES] = { 0 }, product[LBP_AB_LANES];
  LBP_P_PRIV(strip) b;
  size_t left, count, i;
  uint32_t l;
  for (l = 0; l < LBP_AB_LANES; l++) product[l] = 1;
  for (left = c->d; left > 0; left -= count, at += count, force += count, v += count) {
    count = left < LBP_P_STRIP ? left : LBP_P_STRIP;
    for (i = count; i % LBP_AB_LANES > 0; i++) { /* harmless lanes fill up */
      b.c[i] = 0;
      b.a[i] = 64;
      b.bits[i] = b.v[i] = 0;
    }
    for (i = 0; i < count; i++) b.a[i] = flat;
    if (D) {
      for (i = 0; i < count; i++) b.a[i] += along * D[i];
    }
    for (i = 0; i < count; i++) b.c[i] = alpha * force[i] + b.a[i] * (LBP_P_REAL)(int32_t)at[i];
    if (D) {
      for (i = 0; i < count; i++) b.a[i] += damped * D[i];
      D += count;
    }
    if (rng) {
      LBP_P_PRIV(bits)(rng, b.bits, (uint32_t)count);
    } else {
      for (i = 0; i < count; i++) b.v[i] = v[i];
    }
    for (i = 0; i < count; i += LBP_AB_LANES) {
      if (states == 2) LBP_P_PRIV(propose_bits)(&b, i, rng != NULL);
      else LBP_P_PRIV(propose_values)(&b, i, states, rng != NULL);
    }
    for (i = count; i % LBP_AB_LANES > 0; i++) b.q[i] = 1;
    for (i = 0; i < count; i += LBP_AB_LANES) { /* one logarithm of four: each is above 2^-31 */
      const int last = i + LBP_AB_LANES >= count || i / LBP_AB_LANES % 4 == 3;
      for (l = 0; l < LBP_AB_LANES; l++) product[l] *= b.q[i + l];
      if (!last) continue;
      for (l = 0; l < LBP_AB_LANES; l++) {
        sum[l] += LBP_P_PRIV(log)(product[l]);
        product[l] = 1;
      }
    }
    if (rng) {
      for (i = 0; i < count; i++) v[i] = (uint8_t)b.v[i];
    }
  }
  return LBP_P_PRIV(fold)(sum);
}

/* ---- what checked builds verify before a step -------------------------------------------------------------------- */

#if LBP_CHECKED
/* Whether log pi and the gradient that the chain keeps are those of x, asked anew; not to the last bits, since sums may
 * be taken in another order. */
LBP_FN int LBP_P_PRIV(is_fresh)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m) {
  const LBP_P_REAL slack = (LBP_P_REAL)(sizeof(LBP_P_REAL) == sizeof(float) ? 1e-3 : 1e-8);
  const LBP_P_REAL logp = LBP_P_PRIV(call_gradient)(m, c->x, c->shift);
  LBP_P_REAL off = 0, size = 1;
  uint32_t i;
  if (lbp_is_finite((double)c->logp) || lbp_is_finite((double)logp)) {
    if (!(fabs((double)(logp - c->logp)) <= (double)slack * (1 + fabs((double)logp)))) return 0;
  }
  for (i = 0; c->gradient_ready && i < c->d; i++) {
    off += (LBP_P_REAL)fabs((double)(c->gradient[i] - c->shift[i]));
    size += (LBP_P_REAL)fabs((double)c->shift[i]);
  }
  return off <= slack * size;
}

/* LBP_E_NULL without a chain, a generator or what else the step takes; LBP_E_NOT_MADE: chain or generator were not
 * made; LBP_E_STATE; LBP_E_STALE: what the chain keeps is not so at x, which takes a gradient. LBP_ON_ERROR is told. */
LBP_FN int LBP_P_PRIV(judge)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, const void *other, const LBP_AB_RNG_T *rng) {
  int status = LBP_OK;
  uint32_t i;
  if (!c || !rng || !other) {
    status = LBP_E_NULL;
  } else if (c->made != LBP_MADE) {
    status = LBP_E_NOT_MADE;
#ifdef LBP_P_OWN_RNG
  } else if (!lbp_p_rng_is_made(rng)) {
    status = LBP_E_NOT_MADE;
#endif
  } else {
    for (i = 0; i < c->d; i++) {
      if (c->x[i] >= LBP_P_STATES(c)) status = LBP_E_STATE;
    }
    if (status == LBP_OK && c->logp_ready && !LBP_P_PRIV(is_fresh)(c, m)) status = LBP_E_STALE;
  }
  if (status != LBP_OK) LBP_P_PRIV(on_error)(status, 0);
  return status;
}

/* What a step says that has done nothing. */
LBP_FN LBP_P_INFO LBP_P_PRIV(nothing)(int status) {
  LBP_P_INFO info;
  memset(&info, 0, sizeof info);
  info.status = status;
  return info;
}
#endif

/* In checked builds, ends a step here that can't be taken. */
#define LBP_P_ENTER(other)                                                        \
  LBP_P_CHECK(const int unfit = LBP_P_PRIV(judge)(c, m, other, rng);              \
              if (unfit != LBP_OK) return LBP_P_PRIV(nothing)(unfit);)

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* shift = W z for z = x - y. */
LBP_FN void LBP_P_PRIV(turn)(LBP_P_CHAIN *c, const LBP_P_CURVATURE *curvature, const LBP_P_REAL *z) {
  const size_t d = c->d;
  LBP_P_REAL *shift = c->shift;
  uint32_t e;
  size_t i, j;
  if (curvature->exact) {
    for (i = 0; i < d; i++) shift[i] = c->gradient[i] - c->proposed[i];
  } else if (curvature->W) {
    for (i = 0; i < d; i++) shift[i] = 0;
    for (j = 0; j < d; j++) {
      const LBP_P_REAL *row = curvature->W + j * d, zj = z[j];
      if (c->x[j] == c->y[j]) continue;
      for (i = 0; i < d; i++) shift[i] += row[i] * zj;
    }
  } else { /* S S' z - D z */
    for (i = 0; i < d; i++) shift[i] = (curvature->site[i] * curvature->site[i] - curvature->D[i]) * z[i];
    for (e = 0; e < curvature->edges; e++) {
      const uint32_t one = curvature->ends[2 * e], two = curvature->ends[2 * e + 1];
      const LBP_P_REAL w = curvature->edge[e], size = w < 0 ? -w : w, along = size * z[one] + w * z[two];
      shift[one] += size * along;
      shift[two] += w * along;
    }
  }
}

/* G.(x - y) + (x - y)'(W + D)(x - y) / 2, damped; leaves W (x - y) in c->shift. */
LBP_FN LBP_P_REAL LBP_P_PRIV(quadratic)(LBP_P_CHAIN *c, const LBP_P_CURVATURE *curvature, const LBP_P_REAL *noise,
                                        LBP_P_REAL damping) {
  const LBP_P_REAL root = LBP_P_PRIV(sqrt)(damping), half = damping * (LBP_P_REAL)0.5;
  const LBP_P_REAL *D = curvature->D, *shift = c->shift;
  LBP_P_REAL sum[LBP_AB_LANES] = { 0 }, *z = c->normals;
  uint32_t i, l;
  for (i = 0; i < c->d; i++) z[i] = (LBP_P_REAL)(c->x[i] - c->y[i]);
  LBP_P_PRIV(turn)(c, curvature, z);
  for (i = 0; i < c->d; i++) z[i] *= root * noise[i] + half * (shift[i] + D[i] * z[i]);
  for (i = 0; i + LBP_AB_LANES <= c->d; i += LBP_AB_LANES)
    for (l = 0; l < LBP_AB_LANES; l++) sum[l] += z[i + l];
  for (l = 0; i < c->d; i++, l++) sum[l] += z[i];
  return LBP_P_PRIV(fold)(sum);
}

/* c->shift = gradient + D x + G, damped, plus W (x - y) of c->shift in reverse. */
LBP_FN void LBP_P_PRIV(drift)(LBP_P_CHAIN *c, const LBP_P_REAL *D, const LBP_P_REAL *noise, LBP_P_REAL damping,
                              int reverse) {
  const LBP_P_REAL *gradient = reverse ? c->proposed : c->gradient, root = LBP_P_PRIV(sqrt)(damping);
  LBP_P_REAL *force = c->shift;
  uint32_t i;
  if (!reverse) {
    for (i = 0; i < c->d; i++) force[i] = 0;
  }
  for (i = 0; i < c->d; i++)
    force[i] = gradient[i] + root * noise[i] + damping * (force[i] + D[i] * (LBP_P_REAL)(int32_t)c->x[i]);
}

/* Accepts or not; on acceptance x and y change places. */
LBP_FN void LBP_P_PRIV(conclude)(LBP_P_CHAIN *c, LBP_P_INFO *info, LBP_P_REAL log_ratio, LBP_P_REAL logp,
                                 LBP_AB_RNG_T *rng) {
  const uint64_t word = LBP_P_PRIV(word)(rng);
  uint8_t *x = c->x, *y = c->y;
  uint32_t changed = 0, jump = 0, i;
  info->accept = log_ratio >= 0 ? 1 : log_ratio > -80 ? LBP_P_PRIV(exp)(log_ratio) : 0;
  info->accepted = info->accept >= 1 || lbp_bernoulli_trial(word, (double)info->accept);
  for (i = 0; i < c->d; i++) {
    const uint32_t gap = x[i] > y[i] ? (uint32_t)(x[i] - y[i]) : (uint32_t)(y[i] - x[i]);
    changed += gap > 0;
    jump += gap;
  }
  info->proposed = jump;
  if (!info->accepted) return;
  for (i = 0; i < c->d; i++) {
    const uint8_t old = x[i];
    x[i] = y[i];
    y[i] = old;
  }
  info->changed = changed;
  info->jump = jump;
  c->logp = logp;
  c->logp_ready = 1;
}

/* Why no step can be taken on this scale, or LBP_OK. */
LBP_FN int LBP_P_PRIV(refusal)(const LBP_P_CHAIN *c, const LBP_P_CURVATURE *curvature, const LBP_P_SCALE *s) {
  const uint32_t wild = LBP_P_PRIV(is_wild)(s->alpha) + LBP_P_PRIV(is_wild)(s->damping) + LBP_P_PRIV(is_wild)(s->flat) +
                        LBP_P_PRIV(is_wild)(s->along);
  if (wild > 0 || s->damping < 0 || s->flat < 0 || s->along < 0) return LBP_E_RANGE;
  if (!curvature) return s->damping > 0 || s->along > 0 ? LBP_E_NULL : LBP_OK;
  return curvature->n == c->d ? LBP_OK : LBP_E_SIZE;
}

/* One Metropolis-Hastings step of the any-scale balanced sampler (algorithm 2, corrected), and of all its relatives:
 * which one, the scale says. curvature may be NULL for first-order scales. A proposal where log pi or its gradient is
 * no finite number is rejected, and info.status says so. Nothing is done, for the reason in info.status, without the
 * curvature that the scale needs (LBP_E_NULL), with one of another size (LBP_E_SIZE), or where the scale has NaN,
 * infinity or negative numbers, as from sigma <= 0 (LBP_E_RANGE). One gradient a step. */
LBP_FN LBP_P_INFO LBP_P_ID(ab_step)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, const LBP_P_CURVATURE *curvature,
                                    const LBP_P_SCALE *s, LBP_AB_RNG_T *rng) {
  LBP_P_ENTER(s)
  const LBP_P_REAL *D = curvature ? curvature->D : NULL;
  const LBP_P_REAL *noise = NULL;
  LBP_P_REAL logp, log_ratio;
  LBP_P_INFO info;
  memset(&info, 0, sizeof info);
  info.status = LBP_P_PRIV(refusal)(c, curvature, s);
  if (info.status != LBP_OK) return info;
  if (!c->gradient_ready) {
    c->logp = LBP_P_PRIV(call_gradient)(m, c->x, c->gradient);
    info.evaluations++;
    c->logp_ready = c->gradient_ready = LBP_P_PRIV(is_usable)(c->logp, c->gradient, c->d);
    if (!c->gradient_ready) {
      info.status = LBP_E_NOT_FINITE;
      return info;
    }
  }
  if (s->damping > 0) {
    if (c->noise_left == 0 || c->noise_of != curvature) LBP_P_PRIV(make_noise)(c, curvature, rng);
    noise = c->noise + (size_t)--c->noise_left * c->d;
    LBP_P_PRIV(drift)(c, D, noise, s->damping, 0);
  }
  log_ratio = -LBP_P_PRIV(propose)(c, s, D, c->x, noise ? c->shift : c->gradient, rng, c->y);
  logp = LBP_P_PRIV(call_gradient)(m, c->y, c->proposed);
  info.evaluations++;
  if (LBP_P_PRIV(is_wild)(logp) && logp < 0) return info; /* impossible, whatever the gradient is there */
  if (!LBP_P_PRIV(is_usable)(logp, c->proposed, c->d)) {
    info.status = LBP_E_NOT_FINITE;
    return info;
  }
  if (noise) {
    log_ratio -= LBP_P_PRIV(quadratic)(c, curvature, noise, s->damping);
    LBP_P_PRIV(drift)(c, D, noise, s->damping, 1);
  }
  log_ratio += LBP_P_PRIV(propose)(c, s, D, c->y, noise ? c->shift : c->proposed, NULL, c->x);
  LBP_P_PRIV(conclude)(c, &info, log_ratio + logp - c->logp, logp, rng);
  if (info.accepted) {
    LBP_P_REAL *swap = c->gradient;
    c->gradient = c->proposed;
    c->proposed = swap;
  }
  return info;
}

/* log pi of a state, where no gradient is wanted. */
LBP_FN LBP_P_REAL LBP_P_PRIV(logp)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, const uint8_t *x) {
#ifdef LBP_AB_LOGP
  (void)c;
  return LBP_P_PRIV(call_logp)(m, x);
#else
  return LBP_P_PRIV(call_gradient)(m, x, c->proposed);
#endif
}

/* One step of the random walk with a heat kernel on every coordinate, exp(-|z|^2 / (2 sigma)). sigma > 0, else nothing
 * is done and info.status is LBP_E_RANGE. One log pi a step. */
LBP_FN LBP_P_INFO LBP_P_ID(rwm_step)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, LBP_P_REAL sigma, LBP_AB_RNG_T *rng) {
  LBP_P_ENTER(c)
  const LBP_P_SCALE s = LBP_P_ID(first_order)(sigma, 0);
  LBP_P_REAL logp, log_ratio;
  LBP_P_INFO info;
  memset(&info, 0, sizeof info);
  info.status = LBP_P_PRIV(refusal)(c, NULL, &s);
  if (info.status != LBP_OK) return info;
  if (!c->logp_ready) {
    c->logp = LBP_P_PRIV(logp)(c, m, c->x);
    info.evaluations++;
    c->logp_ready = LBP_P_PRIV(is_usable)(c->logp, NULL, 0);
    if (!c->logp_ready) {
      info.status = LBP_E_NOT_FINITE;
      return info;
    }
  }
  memset(c->shift, 0, c->d * sizeof *c->shift); /* no force */
  log_ratio = -LBP_P_PRIV(propose)(c, &s, NULL, c->x, c->shift, rng, c->y);
  log_ratio += LBP_P_PRIV(propose)(c, &s, NULL, c->y, c->shift, NULL, c->x);
  logp = LBP_P_PRIV(logp)(c, m, c->y);
  info.evaluations++;
  if (LBP_P_PRIV(is_wild)(logp)) {
    info.status = logp < 0 ? LBP_OK : LBP_E_NOT_FINITE;
    return info;
  }
  LBP_P_PRIV(conclude)(c, &info, log_ratio + logp - c->logp, logp, rng);
  if (info.accepted) c->gradient_ready = 0;
  return info;
}

/* One Gibbs step: the next coordinate, in order, drawn from its conditional distribution, to 2^-31 of the most probable
 * value. S evaluations of log pi, or one call of LBP_AB_CONDITIONAL. Values whose log pi is no finite number are not
 * drawn; if there is no other, x stays and info.status is LBP_E_NOT_FINITE. */
LBP_FN LBP_P_INFO LBP_P_ID(gibbs_step)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, LBP_AB_RNG_T *rng) {
  LBP_P_ENTER(c)
  const uint32_t states = LBP_P_STATES(c), i = c->site;
  const uint8_t old = c->x[i];
  LBP_P_REAL logp[256], top = 0;
  uint64_t weight[256], total = 0, target;
  uint32_t v, best = states;
  LBP_P_INFO info;
  memset(&info, 0, sizeof info);
  c->site = i + 1 < c->d ? i + 1 : 0;
#ifdef LBP_AB_CONDITIONAL
  LBP_P_PRIV(call_conditional)(m, c->x, i, logp);
  info.evaluations = 1;
#else
  for (v = 0; v < states; v++) {
    c->x[i] = (uint8_t)v;
    logp[v] = LBP_P_PRIV(logp)(c, m, c->x);
  }
  c->x[i] = old;
  info.evaluations = states;
#endif
  for (v = 0; v < states; v++) {
    if (lbp_is_finite((double)logp[v]) && (best == states || logp[v] > top)) top = logp[best = v];
  }
  if (best == states) {
    info.status = LBP_E_NOT_FINITE;
    return info;
  }
  for (v = 0; v < states; v++) {
    const LBP_P_REAL below = lbp_is_finite((double)logp[v]) ? logp[v] - top : -80;
    weight[v] = below > -40 ? (uint64_t)(LBP_P_PRIV(exp)(below) * (LBP_P_REAL)2147483648.0) : 0;
    total += weight[v];
  }
  target = lbp_mulhi(LBP_P_PRIV(word)(rng), total);
  for (v = 0; target >= weight[v]; v++) target -= weight[v];
  c->x[i] = (uint8_t)v;
  info.accept = 1;
  info.accepted = 1;
  info.changed = v != old;
  info.jump = info.proposed = v > old ? v - old : old - v;
  if (v != old) c->logp_ready = c->gradient_ready = 0;
  return info;
}

/* ---- tuning ------------------------------------------------------------------------------------------------------ */

/* Tunes sigma to an acceptance rate: 0.574 for first-order scales with alpha = 1/2, 0.234 for the random walk. log
 * sigma moves by the rate's excess; after the warm-up sigma is the geometric mean over its second half. */
typedef struct {
  LBP_P_REAL sigma, target;
  double log_sigma, mean;
  uint32_t step, warmup;
} LBP_P_ID(tuner);

/* Returns LBP_E_NULL, LBP_E_RANGE (sigma not positive, or target not in (0, 1)). */
LBP_FN int LBP_P_ID(tuner_init)(LBP_P_ID(tuner) *t, LBP_P_REAL sigma, LBP_P_REAL target, uint32_t warmup) {
  if (!t) return LBP_E_NULL;
  if (!lbp_is_finite((double)sigma) || !(sigma > 0) || !(target > 0 && target < 1)) return LBP_E_RANGE;
  t->sigma = sigma;
  t->target = target;
  t->log_sigma = lbp_p_log((double)sigma);
  t->mean = 0;
  t->step = 0;
  t->warmup = warmup;
  return LBP_OK;
}

/* Tells the acceptance probability of a step; any other number is left out. */
LBP_FN void LBP_P_ID(tuner_update)(LBP_P_ID(tuner) *t, LBP_P_REAL accept) {
  if (t->step >= t->warmup || !(accept >= 0 && accept <= 1)) return;
  t->log_sigma += 0.1 * (double)(accept - t->target);
  t->step++;
  if (t->step > t->warmup / 2) t->mean += (t->log_sigma - t->mean) / (t->step - t->warmup / 2);
  t->sigma = (LBP_P_REAL)lbp_exp(lbp_p_clamp(t->step == t->warmup ? t->mean : t->log_sigma, 700));
}

/* One step of the discrete Langevin proposal with the tuner's sigma, which learns during its warm-up. Target 0.574. */
LBP_FN LBP_P_INFO LBP_P_ID(adlp_step)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, LBP_P_ID(tuner) *t, LBP_AB_RNG_T *rng) {
  LBP_P_ENTER(t)
  const LBP_P_SCALE s = LBP_P_ID(first_order)(t->sigma, (LBP_P_REAL)0.5);
  const LBP_P_INFO info = LBP_P_ID(ab_step)(c, m, NULL, &s, rng);
  LBP_P_ID(tuner_update)(t, info.accept);
  return info;
}

/* The same of the random walk. Target 0.234. */
LBP_FN LBP_P_INFO LBP_P_ID(arwm_step)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, LBP_P_ID(tuner) *t, LBP_AB_RNG_T *rng) {
  LBP_P_ENTER(t)
  const LBP_P_INFO info = LBP_P_ID(rwm_step)(c, m, t->sigma, rng);
  LBP_P_ID(tuner_update)(t, info.accept);
  return info;
}

/* Algorithm 3 on up to three parameters, whatever they mean: (s, rho) and maybe the damping of NAME_second_order_d,
 * which works, or (sigma, alpha), which stalls on the ridge alpha = alpha(sigma) for all but first-order scales. In
 * turn one of them is tried as it is, larger by a factor 1 + gamma, smaller by 1 - gamma, for `buffer` steps each; the
 * largest mean jump distance wins. When all have stayed, gamma shrinks by `decay`. */
typedef struct {
  uint32_t count;
  LBP_P_REAL value[3], most[3];        /* and what they may not exceed */
  LBP_P_REAL gamma, decay;
  uint32_t buffer, which, probe, step; /* the probe in progress: 0 as is, 1 larger, 2 smaller */
  int moved;
  double jump[3];
} LBP_P_ID(adapter);

/* Starts from `count` values > 0, 1 to 3 of them, with gamma = 0.2, decay 0.9, buffer 100 as the paper has it; change
 * them, and most, afterwards if you like. Returns LBP_E_NULL, LBP_E_SIZE (count), LBP_E_RANGE (a value). */
LBP_FN int LBP_P_ID(adapter_init)(LBP_P_ID(adapter) *a, uint32_t count, const LBP_P_REAL *start) {
  uint32_t k;
  if (!a || !start) return LBP_E_NULL;
  memset(a, 0, sizeof *a);
  if (count < 1 || count > 3) return LBP_E_SIZE;
  for (k = 0; k < count; k++) {
    if (!lbp_is_finite((double)start[k]) || !(start[k] > 0)) return LBP_E_RANGE;
    a->value[k] = start[k];
    a->most[k] = (LBP_P_REAL)1e6;
  }
  a->count = count;
  a->gamma = (LBP_P_REAL)0.2;
  a->decay = (LBP_P_REAL)0.9;
  a->buffer = 100;
  return LBP_OK;
}

/* The value of parameter `which` < count that the next step is to use; 0 for any other. */
LBP_FN LBP_P_REAL LBP_P_ID(adapter_value)(const LBP_P_ID(adapter) *a, uint32_t which) {
  const LBP_P_REAL factor = which != a->which || a->probe == 0 ? 1 : a->probe == 1 ? 1 + a->gamma : 1 - a->gamma;
  const LBP_P_REAL value = which < a->count ? a->value[which] * factor : 0;
  return which >= a->count || value < a->most[which] ? value : a->most[which];
}

/* Tells how far the step moved, better: how far it was expected to, accept times proposed, which varies less. */
LBP_FN void LBP_P_ID(adapter_update)(LBP_P_ID(adapter) *a, double jump) {
  uint32_t best;
  a->jump[a->probe] += jump;
  if (++a->step < a->buffer) return;
  a->step = 0;
  if (++a->probe < 3) return;
  a->probe = 1;
  if (LBP_P_ID(adapter_value)(a, a->which) == a->value[a->which]) { /* at most already: the same value, tried twice */
    a->jump[0] = a->jump[1] = 0.5 * (a->jump[0] + a->jump[1]);
  }
  best = a->jump[1] > a->jump[0] ? 1 : 0;
  if (a->jump[2] > a->jump[best]) best = 2;
  if (a->jump[best] <= 0) {
    if (a->which == 0) a->value[0] *= 2; /* nothing moves: too near, in the metric of D */
    a->moved = 1;
  } else {
    const LBP_P_REAL before = a->value[a->which];
    a->probe = best;
    a->value[a->which] = LBP_P_ID(adapter_value)(a, a->which);
    a->moved |= a->value[a->which] != before; /* it may not exceed `most` */
  }
  a->probe = 0;
  a->jump[0] = a->jump[1] = a->jump[2] = 0;
  if (++a->which < a->count) return;
  a->which = 0;
  if (!a->moved) a->gamma *= a->decay;
  a->moved = 0;
}

/* ---- the curvature, from W and D --------------------------------------------------------------------------------- */

/* count doubles, at the same place as LBP_AB_REALs: from the front, none is overwritten before it is read */
LBP_FN LBP_P_REAL *LBP_P_PRIV(rounded)(double *values, size_t count) {
  char *bytes = (char *)values;
  size_t i;
  for (i = 0; i < count; i++) {
    double value;
    LBP_P_REAL real;
    memcpy(&value, bytes + i * sizeof value, sizeof value);
    real = (LBP_P_REAL)value;
    memcpy(bytes + i * sizeof real, &real, sizeof real);
  }
  return (LBP_P_REAL *)(void *)bytes;
}

/* Bytes of memory for NAME_curvature_init: some 16 n^2, or 20 per entry of a sparse W where W + D is diagonally
 * dominant. */
LBP_FN size_t LBP_P_ID(curvature_bytes)(const lbp_symmetric *W, const double *D, int exact) {
  const uint32_t wide = sizeof(double), real = sizeof(LBP_P_REAL), index = sizeof(uint32_t), n = W->n;
  if (!lbp_ab_is_dominant(W, D)) return lbp_p_length(n, exact ? wide : wide + real, 2 * wide + real + index, 0);
  return lbp_p_length(n, 0, wide + real, lbp_p_times(lbp_ab_root_edges_count(W) - n, wide + 2 * index));
}

/* The second-order part of proposals with this W and D >= 0, exact if W is the Hessian of log pi everywhere. What it
 * needs of W and D is copied into the memory, which is aligned for doubles and must outlive it. Returns what
 * lbp_symmetric_check finds, LBP_E_NULL, LBP_E_WORKSPACE (bytes < NAME_curvature_bytes), LBP_E_RANGE (a D_i is negative
 * or no finite number), LBP_AB_INDEFINITE (W + D has a negative eigenvalue beyond rounding). O(n^3), or O(entries)
 * where W is sparse and W + D diagonally dominant. */
LBP_FN int LBP_P_ID(curvature_init)(LBP_P_CURVATURE *v, const lbp_symmetric *W, const double *D, int exact,
                                    void *memory, size_t bytes) {
  double *root = (double *)memory;
  int status = lbp_symmetric_check(W);
  size_t n, k;
  if (status != LBP_OK) return status;
  if (!v || !D || !memory) return LBP_E_NULL;
  n = W->n;
  for (k = 0; k < n; k++) {
    if (!(D[k] >= 0) || !lbp_is_finite(D[k])) return LBP_E_RANGE;
  }
  if (bytes < LBP_P_ID(curvature_bytes)(W, D, exact)) return LBP_E_WORKSPACE;
  memset(v, 0, sizeof *v);
  v->n = (uint32_t)n;
  v->exact = exact;
  if (lbp_ab_is_dominant(W, D)) {
    const size_t count = lbp_ab_root_edges_count(W);
    LBP_P_REAL *diagonal = (LBP_P_REAL *)(void *)(root + count);
    uint32_t *ends = (uint32_t *)(void *)(diagonal + n), i, e;
    for (k = 0; k < n; k++) diagonal[k] = (LBP_P_REAL)D[k];
    for (i = 0, k = 0; i < n; i++) {
      for (e = W->start[i + 1]; e > W->start[i] && W->column[e - 1] > i; e--) {
        ends[k++] = i;
        ends[k++] = W->column[e - 1];
      }
    }
    lbp_ab_root_edges(W, D, root);
    v->D = diagonal;
    v->edges = (uint32_t)(count - n);
    v->ends = ends;
    v->site = LBP_P_PRIV(rounded)(root, count);
    v->edge = v->site + n;
  } else {
    double *work = root + n * n;
    LBP_P_REAL *diagonal = (LBP_P_REAL *)(void *)(work + 2 * n), *dense = diagonal + n;
    uint32_t *order = (uint32_t *)(void *)(exact ? dense : dense + n * n);
    if (!exact) { /* by way of the root's place */
      lbp_symmetric_expand(W, NULL, root);
      for (k = 0; k < n * n; k++) dense[k] = (LBP_P_REAL)root[k];
      v->W = dense;
    }
    status = lbp_ab_root_dense(W, D, root, order, &v->rank, work, 2 * n);
    if (status != LBP_OK) return status;
    for (k = 0; k < n; k++) diagonal[k] = (LBP_P_REAL)D[k];
    v->D = diagonal;
    v->order = order;
    v->root = LBP_P_PRIV(rounded)(root, n * n);
  }
  return LBP_OK;
}

/* ---- algorithm 1: everything by itself --------------------------------------------------------------------------- */

/* Warm-up in three parts: a quarter of the steps are first order, while sigma is tuned to acceptance 0.574; from those
 * of the next quarter W is estimated (10), then D and the root; in the second half s, rho and the damping of W are
 * adapted to the largest jump distance, by algorithm 3 from s = 100, rho = 1, damping 1, which is where they stay if
 * log pi is quadratic. Then all is frozen, and the chain is a Markov chain: draws count from there on. Warm-ups of
 * 10000 to 20000 steps do well.
 *
 * Look at `status` after the warm-up: anything but LBP_OK says why the steps go on in first order, with the sigma that
 * was tuned, as correct as ever. LBP_AB_FIRST_ORDER: log pi has no curvature that helps (values that are labels, not
 * numbers; a wrong W). */
typedef struct {
  uint32_t warmup;                    /* steps */
  int diagonal;                       /* LBP_AB_TRACE by default; LBP_AB_SHIFT, LBP_AB_MAX, LBP_AB_DOMINANT */
  int literal;                        /* 1: as printed in [A]: (sigma, alpha) adapted from (0.1, 0.5) in all parts,
                                         kernel exp(-|z|^2 / (2 sigma)), no damping. It stalls short of the best */
  int damped;                         /* 0: W counts in full, as in [A]; default 1 */
  int compared;                       /* 0: the second order stays however little it moves, as in [A] and whenever
                                         `literal`; default 1 */
  uint32_t step;                      /* taken so far */
  int status;                         /* LBP_OK, or why the steps go on in first order: W or D could not be had, or
                                         LBP_AB_FIRST_ORDER, known when the warm-up ends */
  double residual;                    /* what W leaves unexplained, see lbp_ab_estimate_residual */
  LBP_P_SCALE scale;                  /* of the next step */
  const LBP_P_CURVATURE *given;
  LBP_P_CURVATURE own;
  LBP_P_ID(tuner) tuner;
  LBP_P_ID(adapter) adapter;
  double mean[3];                     /* of the adapter's logarithms, over the last quarter of the warm-up */
  double moved[2], taken[2];          /* jump distance expected and acceptance, summed: of the first order over the
                                         quarter before the curvature, of the second over the last quarter */
  lbp_ab_estimate estimate;
  uint32_t d;
  double *work;                       /* behind the sums: W, D, differences, scratch; then the curvature */
  size_t work_len, own_bytes;
} LBP_P_ID(adaptive);

LBP_FN size_t LBP_P_PRIV(larger)(size_t a, size_t b) { return a > b ? a : b; }

/* Doubles of scratch that estimating takes, whatever the diagonal. */
LBP_FN size_t LBP_P_PRIV(scratch)(uint32_t d) {
  size_t most = LBP_P_PRIV(larger)(lbp_ab_estimate_solve_workspace(d), lbp_ab_d_trace_workspace(d));
  most = LBP_P_PRIV(larger)(most, lbp_least_eigenvalue_workspace(d));
  return LBP_P_PRIV(larger)(most, lbp_ab_d_max_workspace(d));
}

LBP_FN lbp_symmetric LBP_P_PRIV(dense)(uint32_t d, const double *W) {
  lbp_symmetric it;
  memset(&it, 0, sizeof it);
  it.n = d;
  it.dense = W;
  return it;
}

/* Bytes of memory for NAME_adaptive_init: some 80 d^2. */
LBP_FN size_t LBP_P_ID(adaptive_bytes)(uint32_t d) {
  const double unused = 0;
  const lbp_symmetric W = LBP_P_PRIV(dense)(d, &unused);
  const size_t doubles = lbp_p_plus(lbp_ab_estimate_memory(d), lbp_p_length(d, 1, 3, LBP_P_PRIV(scratch)(d)));
  return lbp_p_plus(lbp_p_times(doubles, sizeof(double)), LBP_P_ID(curvature_bytes)(&W, NULL, 0));
}

LBP_FN int LBP_P_PRIV(adaptive_start)(LBP_P_ID(adaptive) *a, uint32_t d, uint32_t warmup) {
  static const LBP_P_REAL printed[2] = {(LBP_P_REAL)0.1, (LBP_P_REAL)0.5};
  memset(a, 0, sizeof *a);
  if (d < 1 || d > 30000) return LBP_E_SIZE;
  a->d = d;
  a->warmup = warmup;
  a->damped = a->compared = 1;
  a->scale = LBP_P_ID(first_order)(printed[0], printed[1]);
  LBP_P_ID(adapter_init)(&a->adapter, 2, printed);
  a->adapter.most[1] = 1;
  return LBP_P_ID(tuner_init)(&a->tuner, printed[0], (LBP_P_REAL)LBP_TARGET_LBP, warmup / 4);
}

/* For d coordinates and `warmup` steps, in the caller's memory, aligned for doubles, which must outlive it and any use
 * of its curvature. Change `diagonal`, `literal`, `damped`, `compared` afterwards if you like. Returns LBP_E_NULL,
 * LBP_E_SIZE (d is 0 or above 30000), LBP_E_WORKSPACE (bytes < NAME_adaptive_bytes(d)). */
LBP_FN int LBP_P_ID(adaptive_init)(LBP_P_ID(adaptive) *a, uint32_t d, uint32_t warmup, void *memory, size_t bytes) {
  int status;
  if (!a || !memory) return LBP_E_NULL;
  status = LBP_P_PRIV(adaptive_start)(a, d, warmup);
  if (status != LBP_OK) return status;
  if (bytes < LBP_P_ID(adaptive_bytes)(d)) return LBP_E_WORKSPACE;
  if (warmup == 0) a->status = LBP_AB_NO_DATA; /* nor will there be */
  a->work = (double *)memory + lbp_ab_estimate_memory(d);
  a->work_len = (size_t)d * d + 3 * (size_t)d + LBP_P_PRIV(scratch)(d);
  a->own_bytes = bytes - (lbp_ab_estimate_memory(d) + a->work_len) * sizeof(double);
  return lbp_ab_estimate_init(&a->estimate, d, (double *)memory, lbp_ab_estimate_memory(d));
}

/* The same with a curvature that you have, maybe from the Hessian: nothing is estimated, no memory is needed. The
 * curvature must outlive it. Returns LBP_E_NULL. */
LBP_FN int LBP_P_ID(adaptive_given)(LBP_P_ID(adaptive) *a, const LBP_P_CURVATURE *curvature, uint32_t warmup) {
  int status;
  if (!a || !curvature) return LBP_E_NULL;
  status = LBP_P_PRIV(adaptive_start)(a, 1, warmup);
  a->d = curvature->n;
  a->given = curvature;
  return status;
}

/* The curvature that the next step takes; NULL while, or if for good, there is none. Once the warm-up is over it and
 * a->scale serve any chain of the model, in NAME_ab_step. */
LBP_FN const LBP_P_CURVATURE *LBP_P_ID(adaptive_curvature)(const LBP_P_ID(adaptive) *a) {
  if (a->step < a->warmup / 2 || a->status != LBP_OK) return NULL;
  return a->given ? a->given : &a->own;
}

/* W, D and the root from what was observed. */
LBP_FN int LBP_P_PRIV(learn)(LBP_P_ID(adaptive) *a) {
  double *W = a->work, *D = W + (size_t)a->d * a->d, *scratch = D + 3 * (size_t)a->d;
  const size_t len = LBP_P_PRIV(scratch)(a->d);
  const lbp_symmetric matrix = LBP_P_PRIV(dense)(a->d, W);
  int status = lbp_ab_estimate_solve(&a->estimate, W, scratch, len);
  if (status != LBP_OK) return status;
  a->residual = lbp_ab_estimate_residual(&a->estimate, W, scratch);
  status = lbp_symmetric_check(&matrix);
  if (status != LBP_OK) return status;
  status = lbp_ab_d(a->diagonal, &matrix, D, scratch, len);
  if (status != LBP_OK && status != LBP_AB_NOT_CONVERGED) return status;
  return LBP_P_ID(curvature_init)(&a->own, &matrix, D, 0, a->work + a->work_len, a->own_bytes);
}

LBP_FN void LBP_P_PRIV(second_part)(LBP_P_ID(adaptive) *a) {
  static const LBP_P_REAL start[3] = { 100, 1, 1 };
  if (!a->given) a->status = LBP_P_PRIV(learn)(a);
  if (a->status != LBP_OK || a->literal) return;
  LBP_P_ID(adapter_init)(&a->adapter, a->damped ? 3 : 2, start);
  a->adapter.most[2] = 1;
}

/* gamma falls from 0.4, as the way to a good damping can be long, to 0.1, whatever moved: jump distances are noisy, and
 * where they are flat something moves nearly always. */
LBP_FN void LBP_P_PRIV(narrow)(LBP_P_ID(adaptive) *a) {
  const uint32_t half = a->warmup / 2;
  if (a->literal || a->step < half) return;
  a->adapter.gamma = (LBP_P_REAL)(0.4 - 0.3 * (a->step - half) / (a->warmup - half));
}

/* The scale that tuner and adapter ask for. */
LBP_FN LBP_P_SCALE LBP_P_PRIV(current)(const LBP_P_ID(adaptive) *a) {
  const LBP_P_REAL first = LBP_P_ID(adapter_value)(&a->adapter, 0), second = LBP_P_ID(adapter_value)(&a->adapter, 1);
  const int ready = LBP_P_ID(adaptive_curvature)(a) != NULL;
  if (a->literal) return ready ? LBP_P_ID(second_order)(first, second) : LBP_P_ID(first_order)(first, second);
  if (!ready) return LBP_P_ID(first_order)(a->tuner.sigma, (LBP_P_REAL)0.5);
  return LBP_P_ID(second_order_d)(first, second, a->damped ? LBP_P_ID(adapter_value)(&a->adapter, 2) : 1);
}

/* What the chain just did, for W. */
LBP_FN void LBP_P_PRIV(observe)(LBP_P_ID(adaptive) *a, const LBP_P_CHAIN *c) {
  double *dx = a->work + (size_t)a->d * a->d + a->d, *dg = dx + a->d;
  uint32_t i;
  for (i = 0; i < a->d; i++) {
    dx[i] = (double)c->x[i] - (double)c->y[i];
    dg[i] = (double)(c->gradient[i] - c->proposed[i]);
  }
  lbp_ab_estimate_push(&a->estimate, dx, dg);
}

/* What the adapter ends with: the mean of where it was in its second half, since it wanders where the jump distance is
 * flat. */
LBP_FN void LBP_P_PRIV(average)(LBP_P_ID(adaptive) *a) {
  const uint32_t first = a->warmup - a->warmup / 4, last = a->warmup - 1;
  uint32_t k;
  if (a->step == last) a->adapter.probe = 0; /* where it is, not where it was looking */
  if (a->literal || a->step < first) return;
  for (k = 0; k < a->adapter.count; k++) {
    a->mean[k] += lbp_p_log((double)a->adapter.value[k]);
    if (a->step == last) a->adapter.value[k] = (LBP_P_REAL)lbp_exp(a->mean[k] / (last - first + 1));
  }
}

/* Is the second order worth it? Not if it jumps less than half as far a step as the first order did, or is accepted
 * less than a tenth as often: far jumps that are hardly ever taken look as good on average, and leave the chain where
 * it is. Nothing is drawn for this, and nothing said before the warm-up ends: the way to a good damping can be long. */
LBP_FN void LBP_P_PRIV(compare)(LBP_P_ID(adaptive) *a, const LBP_P_INFO *info) {
  const uint32_t half = a->warmup / 2, quarter = a->warmup / 4;
  const int second = a->step >= a->warmup - quarter;
  if (!a->compared || a->literal || a->status != LBP_OK) return;
  if (!second && (a->step < half - quarter || a->step >= half)) return;
  a->moved[second] += (double)info->accept * info->proposed;
  a->taken[second] += (double)info->accept;
  if (a->step + 1 < a->warmup) return;
  if (a->moved[1] > 0 && a->moved[1] >= 0.5 * a->moved[0] && a->taken[1] >= 0.1 * a->taken[0]) return;
  a->status = LBP_AB_FIRST_ORDER;
}

/* One step of the any-scale balanced sampler (algorithm 1): of the warm-up first, with all found in it frozen later. A
 * chain of a->d coordinates, else info.status is LBP_E_SIZE and nothing is done; only the warm-up needs this function,
 * and one chain of several may serve all. */
LBP_FN LBP_P_INFO LBP_P_ID(adaptive_step)(LBP_P_ID(adaptive) *a, LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m,
                                          LBP_AB_RNG_T *rng) {
  LBP_P_ENTER(a)
  LBP_P_INFO info;
  if (c->d != a->d) {
    memset(&info, 0, sizeof info);
    info.status = LBP_E_SIZE;
    return info;
  }
  if (a->step == a->warmup / 2 && a->step < a->warmup) LBP_P_PRIV(second_part)(a);
  if (a->step < a->warmup) {
    LBP_P_PRIV(narrow)(a);
    a->scale = LBP_P_PRIV(current)(a);
  }
  info = LBP_P_ID(ab_step)(c, m, LBP_P_ID(adaptive_curvature)(a), &a->scale, rng);
  if (a->step >= a->warmup) return info;
  if (info.accepted && !a->given && a->step >= (a->literal ? 0 : a->warmup / 4) && a->step < a->warmup / 2) {
    LBP_P_PRIV(observe)(a, c);
  }
  LBP_P_ID(tuner_update)(&a->tuner, info.accept);
  if (a->literal || LBP_P_ID(adaptive_curvature)(a)) {
    LBP_P_ID(adapter_update)(&a->adapter, a->literal ? info.jump : (double)info.accept * info.proposed);
  }
  LBP_P_PRIV(average)(a);
  LBP_P_PRIV(compare)(a, &info);
  if (++a->step == a->warmup) a->scale = LBP_P_PRIV(current)(a);
  return info;
}

/* ---- is the model right? ----------------------------------------------------------------------------------------- */

LBP_FN LBP_P_ID(report) LBP_P_PRIV(found)(int status, uint32_t site, LBP_P_REAL got, LBP_P_REAL want) {
  LBP_P_ID(report) report;
  report.status = status;
  report.site = site;
  report.got = got;
  report.want = want;
  return report;
}

LBP_INLINE LBP_P_REAL LBP_P_PRIV(size)(LBP_P_REAL v) { return v < 0 ? -v : v; }

/* Equal up to rounding of numbers of that size, and of sums of d such. */
LBP_FN int LBP_P_PRIV(agree)(const LBP_P_CHAIN *c, LBP_P_REAL a, LBP_P_REAL b, LBP_P_REAL size) {
  const LBP_P_REAL epsilon = (LBP_P_REAL)(sizeof(LBP_P_REAL) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON);
  return a == b || LBP_P_PRIV(size)(a - b) <= 64 * epsilon * (size + (LBP_P_REAL)c->d);
}

/* log pi and the gradient at c->x, and whether other ways to get at them say the same. */
LBP_FN LBP_P_ID(report) LBP_P_PRIV(check_state)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, LBP_P_REAL *gradient) {
  const LBP_P_REAL logp = LBP_P_PRIV(call_gradient)(m, c->x, gradient);
  const LBP_P_REAL again = LBP_P_PRIV(call_gradient)(m, c->x, c->shift);
  uint32_t i;
  c->logp = logp;
  if (lbp_is_nan((double)logp) || logp > (LBP_P_REAL)1e37) return LBP_P_PRIV(found)(LBP_AB_MODEL_NAN, 0, logp, 0);
  if (!LBP_P_PRIV(agree)(c, logp, again, 0)) return LBP_P_PRIV(found)(LBP_E_NOT_REPEATABLE, 0, again, logp);
  for (i = 0; lbp_is_finite((double)logp) && i < c->d; i++) {
    if (!lbp_is_finite((double)gradient[i])) return LBP_P_PRIV(found)(LBP_AB_MODEL_NAN, i, gradient[i], 0);
    if (!LBP_P_PRIV(agree)(c, gradient[i], c->shift[i], 0)) {
      return LBP_P_PRIV(found)(LBP_E_NOT_REPEATABLE, i, c->shift[i], gradient[i]);
    }
  }
#ifdef LBP_AB_LOGP
  {
    const LBP_P_REAL alone = LBP_P_PRIV(call_logp)(m, c->x);
    if (!LBP_P_PRIV(agree)(c, alone, logp, LBP_P_PRIV(size)(logp))) {
      return LBP_P_PRIV(found)(LBP_AB_MODEL_LOGP, 0, alone, logp);
    }
  }
#endif
  return LBP_P_PRIV(found)(LBP_OK, 0, 0, 0);
}

/* One coordinate one value up. The change of log pi is the gradient's mean on the way: between its two ends if log pi
 * is convex or concave there, as it is for most models; a tenth more is granted to the others. */
LBP_FN LBP_P_ID(report) LBP_P_PRIV(check_slope)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, uint32_t i) {
  LBP_P_ID(report) report = LBP_P_PRIV(check_state)(c, m, c->gradient);
  const LBP_P_REAL here = c->logp, slope = c->gradient[i];
  LBP_P_REAL rise, mean, slack;
#ifdef LBP_AB_CONDITIONAL
  LBP_P_REAL conditional[256];
  if (report.status == LBP_OK) LBP_P_PRIV(call_conditional)(m, c->x, i, conditional);
#endif
  if (report.status != LBP_OK) return report;
  c->x[i]++;
  report = LBP_P_PRIV(check_state)(c, m, c->proposed);
  c->x[i]--;
  if (report.status != LBP_OK || !lbp_is_finite((double)here) || !lbp_is_finite((double)c->logp)) return report;
  rise = c->logp - here;
#ifdef LBP_AB_CONDITIONAL
  {
    const LBP_P_REAL other = conditional[c->x[i] + 1] - conditional[c->x[i]];
    if (!LBP_P_PRIV(agree)(c, other, rise, LBP_P_PRIV(size)(here))) {
      return LBP_P_PRIV(found)(LBP_AB_MODEL_LOGP, i, other, rise);
    }
  }
#endif
  mean = (slope + c->proposed[i]) / 2;
  slack = LBP_P_PRIV(size)(c->proposed[i] - slope) / 2;
  slack += (LBP_P_PRIV(size)(slope) + LBP_P_PRIV(size)(c->proposed[i])) / 10;
  if (LBP_P_PRIV(size)(rise - mean) <= slack || LBP_P_PRIV(agree)(c, rise, mean, LBP_P_PRIV(size)(here))) return report;
  return LBP_P_PRIV(found)(LBP_AB_MODEL_GRADIENT, i, mean, rise);
}

/* Verifies the model on `trials` random states, up to 32 coordinates of each: log pi and its gradient are numbers and
 * repeatable, LBP_AB_LOGP and LBP_AB_CONDITIONAL agree with them, and the gradient predicts what log pi does when a
 * coordinate goes one value up. A chain is exact whatever the gradient; a wrong one makes it slow. Returns what failed
 * first; LBP_E_NULL without a chain or a generator. Some 130 gradients a trial; x is as before afterwards. */
LBP_FN LBP_P_ID(report) LBP_P_ID(check)(LBP_P_CHAIN *c, const LBP_AB_MODEL_T *m, uint32_t trials, LBP_AB_RNG_T *rng) {
  LBP_P_ID(report) report = LBP_P_PRIV(found)(c && rng ? LBP_OK : LBP_E_NULL, 0, 0, 0);
  LBP_P_CHECK(if (c && rng && c->made != LBP_MADE) report.status = LBP_E_NOT_MADE;)
  uint32_t states, sites, t, k, i;
  if (report.status != LBP_OK) return report;
  states = LBP_P_STATES(c);
  sites = c->d < 32 ? c->d : 32;
  memcpy(c->y, c->x, c->d);
  for (t = 0; t < trials; t++) {
    for (i = 0; i < c->d; i++) c->x[i] = (uint8_t)lbp_mulhi(LBP_P_PRIV(word)(rng), states);
    for (k = 0; k < sites && report.status == LBP_OK; k++) {
      i = c->d <= 32 ? k : (uint32_t)lbp_mulhi(LBP_P_PRIV(word)(rng), c->d);
      if (c->x[i] + 1u == states) c->x[i]--;
      report = LBP_P_PRIV(check_slope)(c, m, i);
    }
  }
  memcpy(c->x, c->y, c->d);
  LBP_P_ID(touch)(c);
  return report;
}

LBP_EXACT_END

#undef LBP_P_OWN_RNG
#undef LBP_P_STATES
#undef LBP_P_CHECK
#undef LBP_P_CALL
#undef LBP_P_PASTE2
#undef LBP_P_PASTE
#undef LBP_P_ID
#undef LBP_P_PRIV
#undef LBP_P_REAL
#undef LBP_P_CHAIN
#undef LBP_P_INFO
#undef LBP_P_CURVATURE
#undef LBP_P_SCALE
#undef LBP_P_STRIP
#undef LBP_P_ENTER
#undef LBP_P_TINY

#endif /* LBP_P_SKIP */

#undef LBP_P_SKIP
#undef LBP_AB_NAME
#undef LBP_AB_MODEL_T
#undef LBP_AB_REAL
#undef LBP_AB_GRADIENT
#undef LBP_AB_LOGP
#undef LBP_AB_CONDITIONAL
#undef LBP_AB_STATES
#undef LBP_AB_RNG_T
#undef LBP_AB_RNG_U64
