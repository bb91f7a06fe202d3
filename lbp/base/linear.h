/* lbp/base/linear.h - symmetric matrices, dense and sparse, in double: the linear algebra of lbp_ab.h, and the type of
 * Hessians of lbp_models.h. It depends on no sampler and no model. In this file's order:
 *
 *   lbp_symmetric           a symmetric matrix W: check, entry, row, product
 *   lbp_eigen               all eigenvalues and eigenvectors of a dense symmetric matrix
 *   lbp_least_eigenvalue    a lower bound of the least eigenvalue of W + diag(D), by products only
 *   lbp_diagonal_*          a diagonal D >= 0 that makes W + D positive semi-definite: dominant, shift, trace, max
 *   lbp_root_dense, lbp_root_edges    noise with covariance W + D from standard normals
 *   lbp_estimate            W from differences of states and gradients
 *
 * Each builds on those above it; vectors come first.
 *
 * Version 1.0.0. MIT licence, see LICENSE. C99 or C++11, libm, the support section of lbp.h: statuses, the random
 * number generator; and lbp/base/numbers.h: logarithms with the same rounding in all libraries. No malloc, no I/O, no
 * globals.
 *
 * Functions that can fail return LBP_OK or an LBP_E_*; lbp_error() returns its text. Functions that need scratch space
 * take `work` of `work_len` doubles, at least NAME_workspace(n) (otherwise LBP_E_WORKSPACE). It keeps nothing between
 * calls and must not overlap other arguments. Matrices are row-major. Unless stated otherwise, a matrix W must have
 * passed lbp_symmetric_check. Lengths that a size_t cannot hold are SIZE_MAX, so that no workspace is long enough.
 *
 * Before including, optionally define LBP_LAPACK and LBP_DIAGONAL_TIE.
 *
 * Sources: [A] Sun, Dai, Sutton, Schuurmans, Dai, "Any-scale Balanced Samplers for Discrete Spaces", ICLR 2023, whose
 * equation numbers are used; [M] Wang, Chang, Kolter, "The Mixing Method", arXiv:1706.00476; [L] Wu, Simon,
 * "Thick-restart Lanczos Method for Large Symmetric Eigenvalue Problems", SIAM J. Matrix Anal. Appl. 2000; [B] Boyd,
 * Vandenberghe, "Convex Optimization", 2004; [G] Golub, Van Loan, "Matrix Computations", 4th edition, 2013; [H] Higham,
 * "Accuracy and Stability of Numerical Algorithms", 2nd edition, 2002.
 */

#ifndef LBP_LINEAR_H
#define LBP_LINEAR_H

#include <float.h>
#include <math.h>

#include "support.h"
#include "numbers.h"

/* 1: lbp_eigen calls dsyevd of a LAPACK that you link; 0: the built-in method, good for up to a few hundred
 * variables. */
#ifndef LBP_LAPACK
#define LBP_LAPACK 0
#endif

LBP_EXACT_BEGIN

/* ---- vectors --------------------------------------------------------------------------------------------------------
 *
 * Sums are kept in several lanes, since a compiler may not reorder one to vectorise it. */

#define LBP_P_SUMS 8u

/* The sum of a[i] b[i], 0 <= i < n. */
LBP_FN double lbp_linear_dot(const double *a, const double *b, size_t n) {
  const size_t whole = n - n % LBP_P_SUMS; /* not i + LBP_P_SUMS <= n: gcc 12 warns that i overflows if n is known */
  double lane[LBP_P_SUMS] = {0.0}, sum = 0.0;
  size_t i;
  uint32_t l;
  for (i = 0; i < whole; i += LBP_P_SUMS) {
    for (l = 0; l < LBP_P_SUMS; l++) lane[l] += a[i + l] * b[i + l];
  }
  for (; i < n; i++) sum += a[i] * b[i];
  for (l = 0; l < LBP_P_SUMS; l++) sum += lane[l];
  return sum;
}

/* y += c x */
LBP_INLINE void lbp_linear_add_scaled(double *y, double c, const double *x, size_t n) {
  size_t i;
  for (i = 0; i < n; i++) y[i] += c * x[i];
}

/* y += the four rows at a, `stride` apart, times c[0..4): y is loaded and stored once for all of them. */
LBP_FN void lbp_p_add_4(double *y, const double *c, const double *a, size_t stride, size_t n) {
  const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  const double *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
  size_t i;
  for (i = 0; i < n; i++) y[i] += c0 * a[i] + c1 * a1[i] + c2 * a2[i] + c3 * a3[i];
}

/* y += A' x for the m rows, `stride` apart, of A. */
LBP_FN void lbp_p_add_rows(double *y, const double *x, const double *a, size_t m, size_t stride, size_t n) {
  size_t j = 0;
  for (; j + 4 <= m; j += 4) lbp_p_add_4(y, x + j, a + j * stride, stride, n);
  for (; j < m; j++) lbp_linear_add_scaled(y, x[j], a + j * stride, n);
}

/* Uniform numbers in [-1, 1), the same at every call: iterations start from them. */
LBP_FN void lbp_p_scatter(double *x, size_t n) {
  lbp_rng rng;
  size_t i;
  lbp_rng_init(&rng, 1, UINT64_MAX);
  for (i = 0; i < n; i++) x[i] = 2.0 * lbp_u01(lbp_rng_u64(&rng)) - 1.0;
}

/* ---- symmetric matrices ------------------------------------------------------------------------------------------ */

/* A symmetric matrix; its arrays belong to the caller. */
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
} lbp_symmetric_row;

/* Returns row i < n. */
LBP_INLINE lbp_symmetric_row lbp_symmetric_row_of(const lbp_symmetric *W, uint32_t i) {
  lbp_symmetric_row row;
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

/* How many of a row's entries are in columns below j. */
LBP_FN uint32_t lbp_p_below(lbp_symmetric_row row, uint32_t j) {
  uint32_t low = 0, high = row.count;
  if (!row.column) return j;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (row.column[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Returns W_ij; 0 if a sparse matrix has no entry. O(log of the row's length). */
LBP_FN double lbp_symmetric_entry(const lbp_symmetric *W, uint32_t i, uint32_t j) {
  const lbp_symmetric_row row = lbp_symmetric_row_of(W, i);
  const uint32_t e = lbp_p_below(row, j);
  if (row.column && (e == row.count || row.column[e] != j)) return 0.0;
  return row.value[e];
}

/* sum of |W_ij| over j != i */
LBP_FN double lbp_p_radius(const lbp_symmetric *W, uint32_t i) {
  const lbp_symmetric_row row = lbp_symmetric_row_of(W, i);
  double sum = 0.0;
  uint32_t e;
  for (e = 0; e < row.count; e++) {
    if ((row.column ? row.column[e] : e) != i) sum += fabs(row.value[e]);
  }
  return sum;
}

/* The checks of every function before it reads a matrix. */
LBP_FN int lbp_p_matrix(const lbp_symmetric *W) {
  if (!W || (!W->dense && (!W->start || !W->column || !W->value))) return LBP_E_NULL;
  return W->n == 0 || W->n > LBP_MAX_SITES ? LBP_E_SIZE : LBP_OK;
}

/* The largest allowed magnitude of an entry. Its inverse is the smallest allowed largest magnitude of a matrix other
 * than 0. Squares, their inverses, and sums of these are then finite. */
#define LBP_SYMMETRIC_LARGEST 1e100

/* Checks a matrix. Returns LBP_OK if W is well-formed, or LBP_E_NULL, LBP_E_SIZE; LBP_E_INDEX (columns are out of range
 * or not increasing, or start[] decreases or does not begin with 0); LBP_E_NOT_FINITE; LBP_E_RANGE (see
 * LBP_SYMMETRIC_LARGEST); LBP_E_NOT_SYMMETRIC (W_ij and W_ji differ by more than 1e-9 of the largest entry).
 * O(entries), times log of a row's length if W is sparse. */
LBP_FN int lbp_symmetric_check(const lbp_symmetric *W) {
  const int status = lbp_p_matrix(W);
  uint32_t i, e;
  if (status != LBP_OK) return status;
  double largest = 0.0;
  if (!W->dense && W->start[0] != 0) return LBP_E_INDEX;
  for (i = 0; i < W->n; i++) {
    if (!W->dense && W->start[i + 1] < W->start[i]) return LBP_E_INDEX;
    const lbp_symmetric_row row = lbp_symmetric_row_of(W, i);
    for (e = 0; e < row.count; e++) {
      if (row.column && (row.column[e] >= W->n || (e > 0 && row.column[e] <= row.column[e - 1]))) return LBP_E_INDEX;
      if (!lbp_is_finite(row.value[e])) return LBP_E_NOT_FINITE;
      if (fabs(row.value[e]) > largest) largest = fabs(row.value[e]);
    }
  }
  if (largest > LBP_SYMMETRIC_LARGEST || (largest > 0.0 && largest < 1.0 / LBP_SYMMETRIC_LARGEST)) return LBP_E_RANGE;
  for (i = 0; i < W->n; i++) {
    const lbp_symmetric_row row = lbp_symmetric_row_of(W, i);
    for (e = 0; e < row.count; e++) {
      const double mirrored = lbp_symmetric_entry(W, row.column ? row.column[e] : e, i);
      if (fabs(row.value[e] - mirrored) > 1e-9 * largest) return LBP_E_NOT_SYMMETRIC;
    }
  }
  return LBP_OK;
}

/* y = (W + diag(D)) x, vectors of n; D may be NULL, for zero; y may not overlap x. */
LBP_FN void lbp_symmetric_product(const lbp_symmetric *W, const double *D, const double *x, double *y) {
  uint32_t i, e;
  for (i = 0; i < W->n; i++) y[i] = D ? D[i] * x[i] : 0.0;
  if (W->dense) { /* rows are columns, and adding columns vectorises */
    lbp_p_add_rows(y, x, W->dense, W->n, W->n, W->n);
    return;
  }
  for (i = 0; i < W->n; i++) {
    double sum = 0.0;
    for (e = W->start[i]; e < W->start[i + 1]; e++) sum += W->value[e] * x[W->column[e]];
    y[i] += sum;
  }
}

/* a <- W + diag(D), dense; D may be NULL. */
LBP_FN void lbp_symmetric_expand(const lbp_symmetric *W, const double *D, double *a) {
  const uint32_t n = W->n;
  uint32_t i, e;
  memset(a, 0, (size_t)n * n * sizeof *a);
  for (i = 0; i < n; i++) {
    const lbp_symmetric_row row = lbp_symmetric_row_of(W, i);
    for (e = 0; e < row.count; e++) a[(size_t)i * n + (row.column ? row.column[e] : e)] = row.value[e];
    if (D) a[(size_t)i * n + i] += D[i];
  }
}

/* ---- eigenvalues and eigenvectors of a dense symmetric matrix ---------------------------------------------------- */

/* Returns the length a n^2 + b n + c, or SIZE_MAX. */
LBP_FN size_t lbp_linear_length(uint32_t n, uint32_t a, uint32_t b, size_t c) {
  return lbp_size_plus(lbp_size_times(lbp_size_plus(lbp_size_times(a, n), b), n), c);
}

/* Returns the length of the workspace of lbp_eigen, in doubles: with LAPACK 1 + 6n + 2n^2, and 3 + 5n integers. */
LBP_FN size_t lbp_eigen_workspace(uint32_t n) { return lbp_linear_length(n, 2, 11, 4); }

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
  if (info != 0) return LBP_E_NOT_CONVERGED;
  return LBP_OK;
}

#else

/* Rows x and y turned into c x - s y and s x + c y. */
LBP_INLINE void lbp_p_turn(double *x, double *y, double c, double s, size_t n) {
  size_t i;
  for (i = 0; i < n; i++) {
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
  uint32_t i;
  lbp_p_turn(row_p, row_q, c, s, n);
  row_p[p] = app - t * apq;
  row_q[q] = aqq + t * apq;
  row_p[q] = row_q[p] = 0.0;
  for (i = 0; i < n; i++) {
    a[(size_t)i * n + p] = row_p[i];
    a[(size_t)i * n + q] = row_q[i];
  }
  lbp_p_turn(vectors + (size_t)p * n, vectors + (size_t)q * n, c, s, n);
}

/* The exponent of the power of 2 above a's largest magnitude; a is divided by that power, so that the squares of its
 * entries neither overflow nor vanish. */
LBP_FN int lbp_p_normalise(double *a, size_t count) {
  double largest = 0.0;
  int exponent;
  size_t i;
  for (i = 0; i < count; i++) largest = fmax(largest, fabs(a[i]));
  (void)frexp(largest, &exponent);
  for (i = 0; i < count; i++) a[i] = ldexp(a[i], -exponent);
  return exponent;
}

/* Cyclic Jacobi. Entries too small to move an eigenvalue by a rounding are left alone; a sweep that finds no other
 * is the last, after 6 to 10 of them. */
LBP_FN int lbp_p_eigen(uint32_t n, double *a, double *values, double *work) {
  double *vectors = work;
  int status = LBP_E_NOT_CONVERGED;
  const int exponent = lbp_p_normalise(a, (size_t)n * n);
  const double size = sqrt(lbp_linear_dot(a, a, (size_t)n * n)), negligible = DBL_EPSILON * size / (double)n;
  uint32_t i, sweep, p, q, k;
  memset(vectors, 0, (size_t)n * n * sizeof *vectors);
  for (i = 0; i < n; i++) vectors[(size_t)i * n + i] = 1.0;
  for (sweep = 0; sweep < 50 && status != LBP_OK; sweep++) {
    status = LBP_OK;
    for (p = 0; p + 1 < n; p++) {
      for (q = p + 1; q < n; q++) {
        if (!(fabs(a[(size_t)p * n + q]) > negligible)) continue;
        lbp_p_rotate(n, a, vectors, p, q);
        status = LBP_E_NOT_CONVERGED;
      }
    }
  }
  for (i = 0; i < n; i++) values[i] = ldexp(a[(size_t)i * n + i], exponent);
  for (k = 0; k < n; k++) { /* smallest first */
    uint32_t least = k;
    for (i = k + 1; i < n; i++) {
      if (values[i] < values[least]) least = i;
    }
    const double value = values[least];
    memcpy(a + (size_t)k * n, vectors + (size_t)least * n, n * sizeof *a);
    values[least] = values[k];
    if (least != k) memcpy(vectors + (size_t)least * n, vectors + (size_t)k * n, n * sizeof *a);
    values[k] = value;
  }
  return status;
}

#endif

/* Writes the eigenvalues of the symmetric n x n matrix a to values, in increasing order; row k of a becomes the unit
 * eigenvector of values[k]. a needs both triangles. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE (n is 0 or above 30000),
 * LBP_E_WORKSPACE, LBP_E_NOT_FINITE (an entry, or an eigenvalue), LBP_E_NOT_CONVERGED. O(n^3). */
LBP_FN int lbp_eigen(uint32_t n, double *a, double *values, double *work, size_t work_len) {
  size_t i;
  int status;
  if (!a || !values || !work) return LBP_E_NULL;
  if (n == 0 || n > 30000) return LBP_E_SIZE; /* the length of LAPACK's workspace is an int */
  if (work_len < lbp_eigen_workspace(n)) return LBP_E_WORKSPACE;
  for (i = 0; i < (size_t)n * n; i++) {
    if (!lbp_is_finite(a[i])) return LBP_E_NOT_FINITE;
  }
  status = lbp_p_eigen(n, a, values, work);
  return lbp_is_finite(values[0]) && lbp_is_finite(values[n - 1]) ? status : LBP_E_NOT_FINITE;
}

/* ---- the least eigenvalue: Lanczos, thickly restarted [L] -------------------------------------------------------- */

#define LBP_P_BASIS  32u /* vectors in a full basis */
#define LBP_P_KEPT   12u /* Ritz vectors a restart begins with */
#define LBP_P_STARTS 300u

LBP_FN uint32_t lbp_p_basis(uint32_t n) { return n < LBP_P_BASIS ? n : LBP_P_BASIS; }

/* Returns the length of the workspace of lbp_least_eigenvalue, in doubles. */
LBP_FN size_t lbp_least_eigenvalue_workspace(uint32_t n) {
  const uint32_t m = lbp_p_basis(n);
  return lbp_linear_length(n, 0, m + 1, lbp_linear_length(m, 2, 1, lbp_eigen_workspace(m)));
}

/* Upper bound of every |eigenvalue| of W + D: the largest sum of magnitudes in a row (Gershgorin). No finite number if
 * one of these sums is none. */
LBP_FN double lbp_p_norm(const lbp_symmetric *W, const double *D) {
  double norm = 0.0;
  uint32_t i;
  for (i = 0; i < W->n; i++) {
    const double sum = fabs(lbp_symmetric_entry(W, i, i) + (D ? D[i] : 0.0)) + lbp_p_radius(W, i);
    if (!lbp_is_finite(sum)) return sum;
    if (sum > norm) norm = sum;
  }
  return norm;
}

/* One more column of the projection tri (m x m, upper triangle) of W + D on basis vectors 0...k, and the unit vector
 * k + 1; returns the length that it had. Orthogonalised against all the others twice, since cancellation leaves errors
 * the first time. */
LBP_FN double lbp_p_extend(const lbp_symmetric *W, const double *D, double *basis, double *tri, uint32_t m,
                           uint32_t k) {
  const uint32_t n = W->n;
  double *next = basis + (size_t)(k + 1) * n;
  uint32_t pass, i;
  lbp_symmetric_product(W, D, basis + (size_t)k * n, next);
  for (pass = 0; pass < 2; pass++) {
    for (i = k + 1; i-- > 0;) {
      const double along = lbp_linear_dot(basis + (size_t)i * n, next, n);
      tri[i * m + k] += along;
      lbp_linear_add_scaled(next, -along, basis + (size_t)i * n, n);
    }
  }
  const double length = sqrt(lbp_linear_dot(next, next, n));
  if (length > 0.0) {
    for (i = 0; i < n; i++) next[i] /= length;
  }
  return length;
}

/* Basis vectors 0...kept - 1 <- combinations of vectors 0...size - 1, coefficients in the rows of coef; vector `kept`
 * <- vector `size`. In blocks of coordinates, so that no second basis is needed. */
LBP_FN void lbp_p_recombine(uint32_t n, double *basis, const double *coef, uint32_t size, uint32_t kept) {
  double block[LBP_P_KEPT][64];
  uint32_t from, k;
  for (from = 0; from < n; from += 64) {
    const uint32_t width = n - from < 64 ? n - from : 64;
    memset(block, 0, sizeof block);
    for (k = 0; k < kept; k++) lbp_p_add_rows(block[k], coef + (size_t)k * size, basis + from, size, n, width);
    for (k = 0; k < kept; k++) memcpy(basis + (size_t)k * n + from, block[k], width * sizeof(double));
  }
  memcpy(basis + (size_t)kept * n, basis + (size_t)size * n, n * sizeof *basis);
}

/* Least Ritz value, in *value, and the length of its residual: an eigenvalue lies between value - residual and value.
 * Ends when residual <= tolerance. */
LBP_FN int lbp_p_lanczos(const lbp_symmetric *W, const double *D, double norm, double tolerance, double *work,
                         double *value, double *residual) {
  const uint32_t n = W->n, m = lbp_p_basis(n);
  const size_t square = (size_t)m * m;
  double *basis = work, *tri = basis + (size_t)(m + 1) * n, *coef = tri + square;
  double *ritz = coef + square, *scratch = ritz + m;
  uint32_t kept = 0;
  uint32_t i, round, j, k;
  lbp_p_scatter(basis, n);
  const double length = sqrt(lbp_linear_dot(basis, basis, n));
  for (i = 0; i < n; i++) basis[i] /= length;
  memset(tri, 0, square * sizeof *tri);
  for (round = 0; round < LBP_P_STARTS; round++) {
    uint32_t size = kept;
    double next; /* as long as this is more than rounding, there is a next vector */
    do next = lbp_p_extend(W, D, basis, tri, m, size);
    while (++size < m && next > 1e-14 * norm);
    for (i = 0; i < size; i++) {
      for (j = 0; j < size; j++) coef[i * size + j] = tri[i < j ? i * m + j : j * m + i];
    }
    const int status = lbp_p_eigen(size, coef, ritz, scratch);
    if (status != LBP_OK) return status;
    *value = ritz[0];
    *residual = next * fabs(coef[size - 1]);
    if (*residual <= tolerance || !(next > 1e-14 * norm)) return LBP_OK;
    kept = LBP_P_KEPT;
    lbp_p_recombine(n, basis, coef, size, kept);
    memset(tri, 0, square * sizeof *tri);
    for (k = 0; k < kept; k++) tri[k * m + k] = ritz[k];
  }
  return LBP_E_NOT_CONVERGED;
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

/* Computes a lower bound of the least eigenvalue of W + diag(D); D may be NULL. *bound is below that eigenvalue by at
 * most `tolerance` > 0 times the largest row sum of magnitudes, an upper bound of all |eigenvalues|. Products cannot
 * prove such a bound: it holds with overwhelming probability over start vectors, one of which is always used.
 * (lbp_root_dense, which factors, does prove it.) Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_WORKSPACE,
 * LBP_E_RANGE (tolerance), LBP_E_NOT_FINITE (W, D or a row's sum), LBP_E_NOT_CONVERGED (after about 6000 products:
 * *bound is as safe, but may be less accurate). */
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

/* ---- the diagonal D: dominant, shifted --------------------------------------------------------------------------- */

/* Writes D_i = max(0, sum_{j != i} |W_ij| - W_ii): W + D is diagonally dominant, and so positive semi-definite. It
 * needs no solver. The trace is the least possible if no entry is cut at 0 and there are signs s with s_i s_j W_ij <= 0
 * for all i != j: W without positive entries, or on a bipartite graph such as a grid without negative ones. It is bad
 * for dense W. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_NOT_FINITE. */
LBP_FN int lbp_diagonal_dominant(const lbp_symmetric *W, double *D) {
  const int status = lbp_p_matrix(W);
  uint32_t i;
  if (status != LBP_OK) return status;
  if (!D) return LBP_E_NULL;
  for (i = 0; i < W->n; i++) {
    const double least = lbp_p_radius(W, i) - lbp_symmetric_entry(W, i, i);
    D[i] = least > 0.0 ? least : 0.0;
  }
  return LBP_OK;
}

/* Writes D = max(least, -lambda_min(W)) I, `least` >= 0 [A, section 3.2], with lambda_min from below and to 1e-6 of W's
 * norm. Workspace and statuses as lbp_least_eigenvalue; LBP_E_RANGE: least. D is written, and W + D is positive
 * semi-definite, also with LBP_E_NOT_CONVERGED. */
LBP_FN int lbp_diagonal_shift(const lbp_symmetric *W, double least, double *D, double *work, size_t work_len) {
  double bound = 0.0;
  uint32_t i;
  if (!D) return LBP_E_NULL;
  if (!(least >= 0.0) || !lbp_is_finite(least)) return LBP_E_RANGE;
  const int status = lbp_least_eigenvalue(W, NULL, 1e-6, work, work_len, &bound);
  if (status != LBP_OK && status != LBP_E_NOT_CONVERGED) return status;
  for (i = 0; i < W->n; i++) D[i] = -bound > least ? -bound : least;
  return status;
}

/* ---- D of least trace (24)-(25) -------------------------------------------------------------------------------------
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

/* Returns the length of the workspace of lbp_diagonal_trace, in doubles. */
LBP_FN size_t lbp_diagonal_trace_workspace(uint32_t n) {
  return lbp_linear_length(n, 0, lbp_p_rank(n), lbp_least_eigenvalue_workspace(n));
}

/* g += the sum of value[e] v_column[e], or v_{first + e} where column is NULL, for e < count. */
LBP_FN void lbp_p_gather(const double *value, const uint32_t *column, uint32_t first, uint32_t count,
                         const double *arrow, uint32_t rank, double *g) {
  uint32_t from, l, e;
  for (from = 0; from < rank; from += LBP_P_WIDTH) {
    double sum[LBP_P_WIDTH];
    for (l = 0; l < LBP_P_WIDTH; l++) sum[l] = g[from + l];
    for (e = 0; e < count; e++) {
      const double *v = arrow + (size_t)(column ? column[e] : first + e) * rank + from, w = value[e];
      for (l = 0; l < LBP_P_WIDTH; l++) sum[l] += w * v[l];
    }
    for (l = 0; l < LBP_P_WIDTH; l++) g[from + l] = sum[l];
  }
}

/* g_i into g; returns W_ii. */
LBP_FN double lbp_p_pull(const lbp_symmetric *W, uint32_t i, const double *arrow, uint32_t rank, double *g) {
  const lbp_symmetric_row row = lbp_symmetric_row_of(W, i);
  const uint32_t before = lbp_p_below(row, i), own = before < row.count && (!row.column || row.column[before] == i);
  const uint32_t after = before + own;
  uint32_t l;
  for (l = 0; l < rank; l++) g[l] = 0.0;
  lbp_p_gather(row.value, row.column, 0, before, arrow, rank, g);
  lbp_p_gather(row.value + after, row.column ? row.column + after : NULL, after, row.count - after, arrow, rank, g);
  return own ? row.value[before] : 0.0;
}

/* Minimises over every v_i once; returns by how much <W, V'V> fell. */
LBP_FN double lbp_p_mix(const lbp_symmetric *W, double *arrow, uint32_t rank) {
  double g[LBP_P_RANK_MAX], fell = 0.0;
  uint32_t i, l;
  for (i = 0; i < W->n; i++) {
    double *v = arrow + (size_t)i * rank;
    const double own = lbp_p_pull(W, i, arrow, rank, g), length = sqrt(lbp_linear_dot(g, g, rank));
    const double before = own * lbp_linear_dot(v, v, rank) + 2.0 * lbp_linear_dot(g, v, rank);
    const double over = own > length ? own : length;
    if (!(over > 0.0)) continue; /* nothing pulls */
    for (l = 0; l < rank; l++) v[l] = -g[l] / over;
    fell += before - (length / over) * (own * length / over - 2.0 * length);
  }
  return fell;
}

/* D_i = max(0, |g_i| - W_ii); returns -<W, V'V>, which no feasible D's trace is below. */
LBP_FN double lbp_p_dual(const lbp_symmetric *W, const double *arrow, uint32_t rank, double *D) {
  double g[LBP_P_RANK_MAX], sum = 0.0;
  uint32_t i;
  for (i = 0; i < W->n; i++) {
    const double *v = arrow + (size_t)i * rank;
    const double own = lbp_p_pull(W, i, arrow, rank, g), least = sqrt(lbp_linear_dot(g, g, rank)) - own;
    sum -= own * lbp_linear_dot(v, v, rank) + lbp_linear_dot(g, v, rank);
    D[i] = least > 0.0 ? least : 0.0;
  }
  return sum;
}

LBP_FN void lbp_p_directions(double *arrow, uint32_t n, uint32_t rank) {
  uint32_t i, l;
  lbp_p_scatter(arrow, (size_t)n * rank);
  for (i = 0; i < n; i++) {
    double *v = arrow + (size_t)i * rank;
    const double length = sqrt(lbp_linear_dot(v, v, rank));
    for (l = 0; l < rank; l++) v[l] /= length;
  }
}

#define LBP_P_SWEEPS 20000u

/* Writes the D >= 0 of least trace with W + D positive semi-definite. 0 < tolerance < 1, for example 1e-3: the trace is
 * at most about 1 + tolerance times the optimum. *gap, which may be NULL, gets (trace - lower bound of the optimum) /
 * trace. The objective is flat near its optimum, but the infeasibility of D is not: Lanczos starts only when a sweep
 * gains less than tolerance^2, or four times that; if the gap is still too wide, less. If the optimum is zero, or below
 * 1e-9 of W's norm, the gap is relative to that norm. O(entries sqrt(n)) per sweep, usually 10 to 300 of them. Errors
 * as lbp_least_eigenvalue; LBP_E_NOT_CONVERGED: the gap is wider than the tolerance (also if rounding prevents more).
 * Even then D is written, and W + D is positive semi-definite. */
LBP_FN int lbp_diagonal_trace(const lbp_symmetric *W, double tolerance, double *D, double *gap, double *work,
                              size_t work_len) {
  const int status = lbp_p_matrix(W);
  uint32_t sweep, i;
  if (status != LBP_OK) return status;
  if (!D || !work) return LBP_E_NULL;
  if (!(tolerance > 0.0 && tolerance < 1.0)) return LBP_E_RANGE;
  if (work_len < lbp_diagonal_trace_workspace(W->n)) return LBP_E_WORKSPACE;
  const uint32_t n = W->n, rank = lbp_p_rank(n);
  const double norm = lbp_p_norm(W, NULL), least = 1e-9 * norm * n;
  if (!lbp_is_finite(norm)) return LBP_E_NOT_FINITE;
  double *arrow = work, *lanczos = work + (size_t)n * rank, quiet = 4.0 * tolerance * tolerance, wide = 1.0;
  lbp_p_directions(arrow, n, rank);
  double dual = lbp_p_dual(W, arrow, rank, D);
  for (sweep = 0; sweep < LBP_P_SWEEPS && wide > tolerance; sweep++) {
    const double fell = lbp_p_mix(W, arrow, rank);
    dual += fell;
    if (fell > quiet * (fabs(dual) + least) && sweep + 1 < LBP_P_SWEEPS) continue;
    double trace = 0.0, bound = 0.0;
    dual = lbp_p_dual(W, arrow, rank, D);
    for (i = 0; i < n; i++) trace += D[i];
    lbp_p_floor(W, D, norm, 0.25 * tolerance * (trace + least) / n, lanczos, &bound);
    for (i = 0; i < n && bound < 0.0; i++) D[i] -= bound;
    if (bound < 0.0) trace -= n * bound;
    wide = trace > 0.0 ? (trace - dual) / (trace + least) : 0.0;
    if (quiet < 1e-17) break;
    quiet /= 4.0;
  }
  if (gap) *gap = wide;
  if (!(wide <= tolerance)) return LBP_E_NOT_CONVERGED;
  return LBP_OK;
}

/* ---- D of least largest eigenvalue (26)-(27) ------------------------------------------------------------------------
 *
 * By Newton's method on a barrier [B, chapter 11]: for falling mu, minimise over D and lambda
 *   (lambda + tie mean(D)) / mu - log det(W + D) - log det(lambda I - W - D) - sum_i log D_i,
 * which ends within 3 n mu of the optimum. With P and Q the inverses of the two matrices the second derivatives are
 * P_ij^2 + Q_ij^2, and 1 / D_i^2 on the diagonal. */

/* The optimum is not unique. This weight of the mean of D picks the one of least trace, for at most as much in
 * lambda; 0 picks the one in the middle, as interior-point solvers do, a weight below 0 that of the largest trace. */
#ifndef LBP_DIAGONAL_TIE
#define LBP_DIAGONAL_TIE 1e-4
#endif

/* a = U'U in place of the upper triangle of a; c is scratch for n. Returns log det a in *log_det, 0 if a is not
 * positive definite. */
LBP_FN int lbp_p_cholesky(uint32_t n, double *a, double *c, double *log_det) {
  double sum = 0.0;
  uint32_t k, j;
  for (k = 0; k < n; k++) {
    double *row = a + (size_t)k * n + k;
    for (j = 0; j < k; j++) c[j] = -a[(size_t)j * n + k];
    lbp_p_add_rows(row, c, a + k, k, n, n - k);
    if (!(row[0] > 0.0) || !lbp_is_finite(row[0])) return 0;
    const double pivot = sqrt(row[0]);
    for (j = 0; j < n - k; j++) row[j] /= pivot;
    sum += 2.0 * lbp_log_fine(pivot);
  }
  *log_det = sum;
  return 1;
}

/* Both triangles of the inverse of U'U, in place of U; c and l (n x n) are scratch. */
LBP_FN void lbp_p_invert(uint32_t n, double *a, double *c, double *l) {
  uint32_t k, j, i;
  for (k = 0; k < n; k++) { /* rows of U'^-1 */
    double *row = l + (size_t)k * n;
    const double pivot = a[(size_t)k * n + k];
    for (j = 0; j < k; j++) {
      c[j] = -a[(size_t)j * n + k];
      l[(size_t)j * n + k] = 0.0;
      row[j] = 0.0;
    }
    lbp_p_add_rows(row, c, l, k, n, k);
    for (j = 0; j < k; j++) row[j] /= pivot;
    row[k] = 1.0 / pivot;
  }
  for (i = 0; i < n; i++) {
    double *row = a + (size_t)i * n;
    for (j = 0; j <= i; j++) row[j] = 0.0;
    for (k = i; k < n; k++) c[k - i] = l[(size_t)k * n + i];
    lbp_p_add_rows(row, c, l + (size_t)i * n, n - i, n, i + 1);
    for (j = 0; j < i; j++) a[(size_t)j * n + i] = row[j];
  }
}

/* x <- (U'U)^-1 x */
LBP_FN void lbp_p_solve(uint32_t n, const double *a, double *x) {
  uint32_t k;
  for (k = 0; k < n; k++) {
    x[k] /= a[(size_t)k * n + k];
    lbp_linear_add_scaled(x + k + 1, -x[k], a + (size_t)k * n + k + 1, n - k - 1);
  }
  for (k = n; k-- > 0;) {
    const double *row = a + (size_t)k * n + k;
    x[k] = (x[k] - lbp_linear_dot(row + 1, x + k + 1, n - k - 1)) / row[0];
  }
}

/* Returns the length of the workspace of lbp_diagonal_max, in doubles. */
LBP_FN size_t lbp_diagonal_max_workspace(uint32_t n) { return lbp_linear_length(n, 3, 5, 0); }

/* The barrier, with the factors of W + D in p and of lambda I - W - D in q; 0 where it is infinite. */
LBP_FN int lbp_p_barrier(const lbp_symmetric *W, const double *D, double lambda, double mu, double *p, double *q,
                         double *c, double *value) {
  const uint32_t n = W->n;
  double sum = 0.0, logs = 0.0, log_det_p = 0.0, log_det_q = 0.0;
  uint32_t i;
  size_t k;
  for (i = 0; i < n; i++) {
    if (!(D[i] > 0.0)) return 0;
    sum += D[i];
    logs += lbp_log_fine(D[i]);
  }
  lbp_symmetric_expand(W, D, p);
  for (k = 0; k < (size_t)n * n; k++) q[k] = -p[k];
  for (i = 0; i < n; i++) q[(size_t)i * n + i] += lambda;
  if (!lbp_p_cholesky(n, p, c, &log_det_p) || !lbp_p_cholesky(n, q, c, &log_det_q)) return 0;
  *value = (lambda + LBP_DIAGONAL_TIE * sum / n) / mu - log_det_p - log_det_q - logs;
  return 1;
}

/* Newton's direction: `step` for D, *lambda_step for lambda. p and q hold the factors and are spoilt. Returns the
 * square of the decrement: twice the expected gain of a step. */
LBP_FN double lbp_p_newton(uint32_t n, const double *D, double mu, double *p, double *q, double *h, double *c,
                           double *step, double *border, double *slope, double *lambda_step) {
  double trace = 0.0, square = 0.0, gain = 0.0;
  uint32_t i;
  size_t k;
  lbp_p_invert(n, p, c, h);
  lbp_p_invert(n, q, c, h);
  for (k = 0; k < (size_t)n * n; k++) h[k] = p[k] * p[k] + q[k] * q[k];
  for (i = 0; i < n; i++) {
    const size_t at = (size_t)i * n + i;
    slope[i] = LBP_DIAGONAL_TIE / (n * mu) - p[at] + q[at] - 1.0 / D[i];
    step[i] = -slope[i];
    border[i] = lbp_linear_dot(q + (size_t)i * n, q + (size_t)i * n, n); /* less: the derivative by D_i and lambda */
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
  *lambda_step = (lbp_linear_dot(border, step, n) - lambda_slope) / (square - lbp_linear_dot(border, c, n));
  lbp_linear_add_scaled(step, *lambda_step, c, n);
  gain = -lambda_slope * *lambda_step;
  for (i = 0; i < n; i++) gain -= slope[i] * step[i];
  return gain;
}

/* Writes the D >= 0 with W + D positive semi-definite whose largest eigenvalue is least and, among those, the trace:
 * minimises lambda_max(W + D) + LBP_DIAGONAL_TIE mean(D), to 1e-6 of its value. *largest, which may be NULL, gets an
 * upper bound of lambda_max. Always dense, O(n^3) for each of about 50 steps, so for up to a few hundred variables.
 * Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_WORKSPACE, LBP_E_NOT_FINITE; LBP_E_NOT_CONVERGED: D is written and
 * feasible, but not optimal. */
LBP_FN int lbp_diagonal_max(const lbp_symmetric *W, double *D, double *largest, double *work, size_t work_len) {
  int status = lbp_diagonal_dominant(W, D);
  uint32_t i, round;
  if (status != LBP_OK) return status;
  if (!work) return LBP_E_NULL;
  if (work_len < lbp_diagonal_max_workspace(W->n)) return LBP_E_WORKSPACE;
  const uint32_t n = W->n;
  const size_t square = (size_t)n * n;
  double *p = work, *q = p + square, *h = q + square, *c = h + square;
  double *step = c + n, *border = step + n, *slope = border + n, *trial = slope + n;
  const double norm = lbp_p_norm(W, NULL);
  if (!lbp_is_finite(norm)) return LBP_E_NOT_FINITE;
  if (largest) *largest = 0.0;
  if (!(norm > 0.0)) return LBP_OK;
  for (i = 0; i < n; i++) D[i] += 0.1 * norm;
  double lambda = 1.1 * lbp_p_norm(W, D), mu = lambda / n, value = 0.0, mean = 0.0;
  status = LBP_E_NOT_CONVERGED;
  int inside = lbp_p_barrier(W, D, lambda, mu, p, q, c, &value);
  for (round = 0; inside && round < 500; round++) {
    double lambda_step = 0.0, size = 1.0, next = 0.0;
    const double gain = lbp_p_newton(n, D, mu, p, q, h, c, step, border, slope, &lambda_step);
    for (inside = 0; size > 1e-10; size *= 0.5) {
      for (i = 0; i < n; i++) trial[i] = D[i] + size * step[i];
      inside = lbp_p_barrier(W, trial, lambda + size * lambda_step, mu, p, q, c, &next);
      if (inside && next <= value - 0.1 * size * gain + 1e-12 * fabs(value)) break;
      inside = 0;
    }
    if (!inside) break;
    memcpy(D, trial, n * sizeof *D);
    lambda += size * lambda_step;
    value = next;
    if (gain > 0.5) continue;
    for (i = 0, mean = 0.0; i < n; i++) mean += D[i] / n;
    if (3.0 * n * mu <= 1e-6 * (lambda + fabs(LBP_DIAGONAL_TIE) * mean)) { /* lambda alone may be 0 */
      status = LBP_OK;
      break;
    }
    mu *= 0.1;
    inside = lbp_p_barrier(W, D, lambda, mu, p, q, c, &value);
  }
  if (largest) *largest = lambda;
  return status;
}

/* ---- any of these D ---------------------------------------------------------------------------------------------- */

/* Kinds of diagonals: of least trace, a multiple of the unit matrix, with the least largest eigenvalue, dominant. */
enum { LBP_DIAGONAL_TRACE, LBP_DIAGONAL_SHIFT, LBP_DIAGONAL_MAX, LBP_DIAGONAL_DOMINANT };

/* Returns the length of the workspace of lbp_diagonal, in doubles. */
LBP_FN size_t lbp_diagonal_workspace(int kind, uint32_t n) {
  switch (kind) {
    case LBP_DIAGONAL_TRACE: return lbp_diagonal_trace_workspace(n);
    case LBP_DIAGONAL_SHIFT: return lbp_least_eigenvalue_workspace(n);
    case LBP_DIAGONAL_MAX: return lbp_diagonal_max_workspace(n);
    default: return 1;
  }
}

/* Writes the diagonal of a kind, LBP_DIAGONAL_TRACE (to 1e-3) or another; an unknown kind is LBP_E_RANGE. With
 * LBP_E_NOT_CONVERGED D is usable, though not optimal. */
LBP_FN int lbp_diagonal(int kind, const lbp_symmetric *W, double *D, double *work, size_t work_len) {
  switch (kind) {
    case LBP_DIAGONAL_TRACE: return lbp_diagonal_trace(W, 1e-3, D, NULL, work, work_len);
    case LBP_DIAGONAL_SHIFT: return lbp_diagonal_shift(W, 0.0, D, work, work_len);
    case LBP_DIAGONAL_MAX: return lbp_diagonal_max(W, D, NULL, work, work_len);
    case LBP_DIAGONAL_DOMINANT: return lbp_diagonal_dominant(W, D);
    default: return LBP_E_RANGE;
  }
}

/* ---- noise with covariance W + D --------------------------------------------------------------------------------- */

/* Returns the length of the workspace of lbp_root_dense, in doubles. */
LBP_FN size_t lbp_root_dense_workspace(uint32_t n) { return lbp_linear_length(n, 0, 2, 0); }

/* Returns the length of the workspace of lbp_noise_dense, in doubles: n. */
LBP_FN size_t lbp_noise_dense_workspace(uint32_t n) { return n; }

LBP_FN void lbp_p_swap(double *a, double *b) {
  const double held = *a;
  *a = *b;
  *b = held;
}

/* Row k of the permuted W + D, from column k on, less the contribution of root's rows above it. */
LBP_FN void lbp_p_remainder(const lbp_symmetric *W, const double *D, const uint32_t *order, uint32_t k, uint32_t rank,
                            double *root, double *row, double *c) {
  const uint32_t n = W->n, i = order[k];
  const lbp_symmetric_row entries = lbp_symmetric_row_of(W, i);
  uint32_t j, e;
  for (j = 0; j < n; j++) row[j] = 0.0;
  for (e = 0; e < entries.count; e++) row[entries.column ? entries.column[e] : e] = entries.value[e];
  if (D) row[i] += D[i];
  for (j = k; j < n; j++) c[j] = row[order[j]];
  for (j = 0; j < rank; j++) row[j] = -root[(size_t)j * n + k];
  lbp_p_add_rows(c + k, row, root + k, rank, n, n - k);
}

/* Computes a root S of W + D, S S' = W + D up to rounding, by Cholesky's method with pivoting, which stops at the rank:
 * W + D may be singular [H, section 10.3]. root is n x n: row k, k < *rank, is column k of S with its entries
 * reordered: entry j belongs to variable order[j] (n indices), and entries before j = k are zero. So a product costs
 * half as much as with a symmetric root. D may be NULL. Errors: as lbp_least_eigenvalue; LBP_E_INDEFINITE: W + D has a
 * negative eigenvalue beyond rounding, here 8 n epsilon of the largest diagonal entry; root is then undefined. O(n
 * rank^2). */
LBP_FN int lbp_root_dense(const lbp_symmetric *W, const double *D, double *root, uint32_t *order, uint32_t *rank,
                          double *work, size_t work_len) {
  const int status = lbp_p_matrix(W);
  uint32_t i, j;
  if (status != LBP_OK) return status;
  if (!root || !order || !rank || !work) return LBP_E_NULL;
  if (work_len < lbp_root_dense_workspace(W->n)) return LBP_E_WORKSPACE;
  const uint32_t n = W->n;
  double *left = root + (size_t)(n - 1) * n; /* the rest of the diagonal: the last row is needed last, for itself */
  double *row = work, *c = work + n, largest = 0.0;
  uint32_t k = 0;
  for (i = 0; i < n; i++) {
    order[i] = i;
    left[i] = lbp_symmetric_entry(W, i, i) + (D ? D[i] : 0.0);
    if (fabs(left[i]) > largest) largest = fabs(left[i]);
  }
  const double rounding = n * DBL_EPSILON * largest;
  for (; k < n; k++) {
    uint32_t pivot = k;
    for (j = k + 1; j < n; j++) {
      if (left[j] > left[pivot]) pivot = j;
    }
    if (!(left[pivot] > rounding)) break;
    const uint32_t held = order[k];
    order[k] = order[pivot];
    order[pivot] = held;
    for (j = 0; j < k; j++) lbp_p_swap(root + (size_t)j * n + k, root + (size_t)j * n + pivot);
    left[pivot] = left[k];
    lbp_p_remainder(W, D, order, k, k, root, row, c);
    const double length = sqrt(c[k] > rounding ? c[k] : rounding);
    for (j = k + 1; j < n; j++) left[j] -= c[j] * c[j] / (length * length);
    for (j = 0; j < n; j++) root[(size_t)k * n + j] = j < k ? 0.0 : j == k ? length : c[j] / length;
  }
  *rank = k;
  for (; k < n; k++) { /* nothing may be left: an indefinite remainder shows on or next to its diagonal */
    lbp_p_remainder(W, D, order, k, *rank, root, row, c);
    for (j = k; j < n; j++) {
      if (!(fabs(c[j]) <= 8.0 * rounding)) return LBP_E_INDEFINITE;
    }
  }
  return LBP_OK;
}

/* Writes g = S z: normal with covariance W + D if z are `rank` standard normals. work: n doubles. */
LBP_FN void lbp_noise_dense(uint32_t n, const double *root, const uint32_t *order, uint32_t rank, const double *z,
                            double *g, double *work) {
  uint32_t k = 0;
  uint32_t j;
  for (j = 0; j < n; j++) work[j] = 0.0;
  for (; k + 4 <= rank; k += 4) lbp_p_add_4(work + k, z + k, root + (size_t)k * n + k, n, n - k);
  for (; k < rank; k++) lbp_linear_add_scaled(work + k, z[k], root + (size_t)k * n + k, n - k);
  for (j = 0; j < n; j++) g[order[j]] = work[j];
}

/* The same for a sparse W with W + D diagonally dominant, as a sum of independent terms: site i adds sqrt(slack_i) z,
 * slack_i = W_ii + D_i - sum_{j != i} |W_ij|; edge ij adds sqrt|W_ij| z to g_i and the same with W_ij's sign to g_j. It
 * factors no matrix, so there is no fill-in. */

/* Returns the number of standard normals of the noise, and of roots: one per site, then one per entry above the
 * diagonal. */
LBP_FN size_t lbp_root_edges_count(const lbp_symmetric *W) {
  size_t count = W->n;
  uint32_t i, e;
  for (i = 0; i < W->n; i++) {
    for (e = W->start[i + 1]; e > W->start[i] && W->column[e - 1] > i; e--) count++;
  }
  return count;
}

/* W_ii + D_i - sum_{j != i} |W_ij|; below zero by a rounding counts as zero. */
LBP_FN double lbp_p_slack(const lbp_symmetric *W, const double *D, uint32_t i) {
  const double own = lbp_symmetric_entry(W, i, i), added = D ? D[i] : 0.0, radius = lbp_p_radius(W, i);
  const double slack = own + added - radius, rounding = 16.0 * DBL_EPSILON * (fabs(own) + fabs(added) + radius);
  return slack < 0.0 && slack >= -rounding ? 0.0 : slack;
}

/* Returns 1 if W is sparse and W + D diagonally dominant, as lbp_root_edges requires, otherwise 0. D may be NULL. */
LBP_FN int lbp_symmetric_is_dominant(const lbp_symmetric *W, const double *D) {
  uint32_t i;
  if (W->dense) return 0;
  for (i = 0; i < W->n; i++) {
    if (!(lbp_p_slack(W, D, i) >= 0.0)) return 0;
  }
  return 1;
}

/* Writes the square roots of the terms, lbp_root_edges_count(W) of them; that of an edge has the sign of W_ij. D may be
 * NULL. Returns LBP_OK, or LBP_E_NULL (also: W is not sparse), LBP_E_NOT_DOMINANT (a slack is negative beyond
 * rounding). */
LBP_FN int lbp_root_edges(const lbp_symmetric *W, const double *D, double *root) {
  const int status = lbp_p_matrix(W);
  uint32_t i, e;
  if (status != LBP_OK) return status;
  if (W->dense || !root) return LBP_E_NULL;
  double *edge = root + W->n;
  for (i = 0; i < W->n; i++) {
    const double slack = lbp_p_slack(W, D, i);
    if (!(slack >= 0.0)) return LBP_E_NOT_DOMINANT;
    root[i] = sqrt(slack);
    for (e = W->start[i + 1]; e > W->start[i] && W->column[e - 1] > i; e--, edge++) {
      *edge = W->value[e - 1] < 0.0 ? -sqrt(-W->value[e - 1]) : sqrt(W->value[e - 1]);
    }
  }
  return LBP_OK;
}

/* Writes g = S z for lbp_root_edges_count(W) standard normals z. O(entries). */
LBP_FN void lbp_noise_edges(const lbp_symmetric *W, const double *root, const double *z, double *g) {
  const double *edge = root + W->n, *z_edge = z + W->n;
  uint32_t i, e;
  for (i = 0; i < W->n; i++) g[i] = root[i] * z[i];
  for (i = 0; i < W->n; i++) {
    double sum = 0.0;
    for (e = W->start[i + 1]; e > W->start[i] && W->column[e - 1] > i; e--, edge++, z_edge++) {
      sum += fabs(*edge) * *z_edge;
      g[W->column[e - 1]] += *edge * *z_edge;
    }
    g[i] += sum;
  }
}

/* ---- W from differences (10) ------------------------------------------------------------------------------------- */

/* If C is singular, this share of its largest eigenvalue is added to all eigenvalues. */
#define LBP_ESTIMATE_RIDGE 1e-4

/* Sums over pairs of states x -> y: C of dx dx' and B of dx dg', with dx = y - x and dg = grad f(y) - grad f(x). The W
 * of (10) solves C W + W C = B + B'. Plain data except for the two pointers. */
typedef struct {
  uint32_t n;
  uint64_t pairs; /* pushed with dx != 0 */
  double *C, *B;  /* n x n each, the caller's */
  double square;  /* sum of |dg|^2 */
} lbp_estimate;

/* Returns the length of the memory of an estimate, in doubles. */
LBP_FN size_t lbp_estimate_memory(uint32_t n) { return lbp_linear_length(n, 2, 0, 0); }

/* Makes an estimate without pairs. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_WORKSPACE (memory_len <
 * lbp_estimate_memory(n)). */
LBP_FN int lbp_estimate_init(lbp_estimate *s, uint32_t n, double *memory, size_t memory_len) {
  if (!s || !memory) return LBP_E_NULL;
  if (n == 0 || n > 30000) return LBP_E_SIZE;
  if (memory_len < lbp_estimate_memory(n)) return LBP_E_WORKSPACE;
  s->n = n;
  s->pairs = 0;
  s->square = 0.0;
  s->C = memory;
  s->B = memory + (size_t)n * n;
  memset(memory, 0, lbp_estimate_memory(n) * sizeof *memory);
  return LBP_OK;
}

/* Adds a pair, O(n) for each coordinate that moved. Returns LBP_OK, or LBP_E_NOT_FINITE: a pair with NaN or infinity is
 * left out. */
LBP_FN int lbp_estimate_push(lbp_estimate *s, const double *dx, const double *dg) {
  const uint32_t n = s->n;
  uint32_t first = 0;
  uint32_t i;
  while (first < n && dx[first] == 0.0) first++;
  if (first == n) return LBP_OK;
  for (i = 0; i < n; i++) {
    if (!lbp_is_finite(dx[i]) || !lbp_is_finite(dg[i])) return LBP_E_NOT_FINITE;
  }
  for (i = first; i < n; i++) {
    if (dx[i] == 0.0) continue;
    lbp_linear_add_scaled(s->C + (size_t)i * n, dx[i], dx, n);
    lbp_linear_add_scaled(s->B + (size_t)i * n, dx[i], dg, n);
  }
  s->square += lbp_linear_dot(dg, dg, n);
  s->pairs++;
  return LBP_OK;
}

/* Returns the length of the workspace of lbp_estimate_solve, in doubles. */
LBP_FN size_t lbp_estimate_solve_workspace(uint32_t n) {
  return lbp_linear_length(n, 1, 1, lbp_eigen_workspace(n)); /* which is more than the n^2 that come later */
}

/* out = a b, all n x n */
LBP_FN void lbp_p_multiply(uint32_t n, const double *a, const double *b, double *out) {
  uint32_t i;
  memset(out, 0, (size_t)n * n * sizeof *out);
  for (i = 0; i < n; i++) lbp_p_add_rows(out + (size_t)i * n, a + (size_t)i * n, b, n, n, n);
}

LBP_FN void lbp_p_transpose(uint32_t n, double *a) {
  uint32_t i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) lbp_p_swap(a + (size_t)i * n + j, a + (size_t)j * n + i);
  }
}

/* Writes the symmetric n x n matrix W of (10). If C is singular (its least eigenvalue is below 1e-10 of the largest), W
 * minimises sum_i |W dx_i - dg_i|^2 + LBP_ESTIMATE_RIDGE lambda_max(C) |W|^2, so that directions without moves get no
 * curvature; otherwise W is exact. The sums stay: more pairs may follow. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_WORKSPACE, LBP_E_NO_DATA, LBP_E_NOT_FINITE (sums have overflowed, or squares underflowed), LBP_E_NOT_CONVERGED.
 * O(n^3). */
LBP_FN int lbp_estimate_solve(const lbp_estimate *s, double *W, double *work, size_t work_len) {
  uint32_t i, j;
  if (!s || !W || !work) return LBP_E_NULL;
  const uint32_t n = s->n;
  const size_t square = (size_t)n * n;
  if (work_len < lbp_estimate_solve_workspace(n)) return LBP_E_WORKSPACE;
  if (s->pairs == 0) return LBP_E_NO_DATA;
  if (!lbp_is_finite(s->square)) return LBP_E_NOT_FINITE;
  double *axes = work, *lambda = axes + square, *half = lambda + n; /* `half` is lbp_eigen's scratch first */
  memcpy(axes, s->C, square * sizeof *axes);
  const int status = lbp_eigen(n, axes, lambda, half, work_len - square - n);
  if (status != LBP_OK) return status;
  const double most = lambda[n - 1], ridge = lambda[0] < 1e-10 * most ? 2.0 * LBP_ESTIMATE_RIDGE * most : 0.0;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) W[(size_t)i * n + j] = s->B[(size_t)i * n + j] + s->B[(size_t)j * n + i];
  }
  lbp_p_multiply(n, axes, W, half);
  lbp_p_transpose(n, axes);
  lbp_p_multiply(n, half, axes, W);
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) W[(size_t)i * n + j] /= lambda[i] + lambda[j] + ridge;
  }
  lbp_p_multiply(n, axes, W, half);
  lbp_p_transpose(n, axes);
  lbp_p_multiply(n, half, axes, W);
  for (i = 0; i < n; i++) {
    for (j = 0; j <= i; j++) {
      const double mean = 0.5 * (W[(size_t)i * n + j] + W[(size_t)j * n + i]);
      if (!lbp_is_finite(mean)) return LBP_E_NOT_FINITE;
      W[(size_t)i * n + j] = W[(size_t)j * n + i] = mean;
    }
  }
  return LBP_OK;
}

/* Returns the part not explained by W: sum |W dx - dg|^2 / sum |dg|^2, 0 if log pi is quadratic, 1 if W = 0 is as good.
 * work: n doubles. O(n^3). */
LBP_FN double lbp_estimate_residual(const lbp_estimate *s, const double *W, double *work) {
  const uint32_t n = s->n;
  double left = s->square;
  uint32_t i, j;
  for (i = 0; i < n; i++) {
    const double *row = W + (size_t)i * n;
    memset(work, 0, n * sizeof *work);
    lbp_p_add_rows(work, row, s->C, n, n, n);
    left += lbp_linear_dot(row, work, n);
    for (j = 0; j < n; j++) left -= 2.0 * row[j] * s->B[(size_t)j * n + i];
  }
  return s->square > 0.0 && left > 0.0 ? left / s->square : 0.0;
}

#undef LBP_P_SUMS
#undef LBP_P_DSYEVD
#undef LBP_P_BASIS
#undef LBP_P_KEPT
#undef LBP_P_STARTS
#undef LBP_P_MARGIN
#undef LBP_P_WIDTH
#undef LBP_P_RANK_MAX
#undef LBP_P_SWEEPS

LBP_EXACT_END

#endif /* LBP_LINEAR_H */
