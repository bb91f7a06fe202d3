/* lbp/base/linear.h, and lbp_alpha of lbp_ab.h, against sums written out, certificates that need no solver, and values of
 * CSDP 6.2.
 *
 * Random input has fixed seeds, so every check passes always or never. */
#ifdef NUMERICS_LAPACKE /* as a lapacke.h included before has it, here with a count */
#include <stddef.h>
void dsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t job_len, size_t triangle_len);
static long lapacke_calls;
#define LAPACK_dsyevd(...) (lapacke_calls++, dsyevd_(__VA_ARGS__, 1, 1))
#endif

#include "../lbp_ab.h"
#include "test.h"

#include <stdlib.h>

/* ---- input ------------------------------------------------------------------------------------------------------- */

static double *doubles(size_t n) {
  double *a = (double *)calloc(n, sizeof *a); /* exactly n, so that a sanitizer or valgrind sees one too many */
  if (!a) exit(2);
  return a;
}

static uint32_t *indices(size_t n) {
  uint32_t *a = (uint32_t *)calloc(n, sizeof *a);
  if (!a) exit(2);
  return a;
}

static double uniform(lbp_rng *rng) { return lbp_u01_open(lbp_rng_u64(rng)); }

static double gauss(lbp_rng *rng) {
  const double radius = sqrt(-2.0 * log(uniform(rng)));
  return radius * cos(6.283185307179586 * uniform(rng));
}

/* Volatile, as a compiler under -ffast-math that sees a NaN coming may do with it what it likes. */
static double from_bits(uint64_t bits) {
  volatile uint64_t held = bits;
  const uint64_t loaded = held;
  double v;
  memcpy(&v, &loaded, sizeof v);
  return v;
}

static double not_a_number(void) { return from_bits(UINT64_C(0x7ff8000000000000)); }
static double infinite(void) { return from_bits(UINT64_C(0x7ff0000000000000)); }

/* Matrices that own what they point to. */
typedef struct {
  lbp_symmetric W;
  double *value;
  uint32_t *start, *column;
} matrix;

static void release(matrix *m) {
  free(m->value);
  free(m->start);
  free(m->column);
}

static matrix dense(uint32_t n, double *a) {
  matrix m;
  memset(&m, 0, sizeof m);
  m.value = a;
  m.W.n = n;
  m.W.dense = a;
  return m;
}

/* The entries of the n x n matrix a that are not zero; a is freed. */
static matrix sparse(uint32_t n, double *a) {
  matrix m;
  uint32_t k = 0;
  memset(&m, 0, sizeof m);
  for (size_t t = 0; t < (size_t)n * n; t++) k += a[t] != 0.0;
  m.value = doubles(k + (k == 0));
  m.column = indices(k + (k == 0));
  m.start = indices((size_t)n + 1);
  k = 0;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++)
      if (a[(size_t)i * n + j] != 0.0) {
        m.column[k] = j;
        m.value[k++] = a[(size_t)i * n + j];
      }
    m.start[i + 1] = k;
  }
  free(a);
  m.W.n = n;
  m.W.start = m.start;
  m.W.column = m.column;
  m.W.value = m.value;
  return m;
}

static void put(double *a, uint32_t n, uint32_t i, uint32_t j, double w) {
  a[(size_t)i * n + j] = a[(size_t)j * n + i] = w;
}

enum { GOE, ROTATION, CYCLE, GRID, TREE, LOGISTIC, KINDS };

/* Orthogonal: Gram-Schmidt, twice. */
static double *rotation(uint32_t n, lbp_rng *rng) {
  double *q = doubles((size_t)n * n);
  for (size_t t = 0; t < (size_t)n * n; t++) q[t] = gauss(rng);
  for (uint32_t i = 0; i < n; i++)
    for (int pass = 0; pass < 2; pass++) {
      double *row = q + (size_t)i * n, square = 0.0;
      for (uint32_t k = 0; k < i; k++) {
        double along = 0.0;
        for (uint32_t j = 0; j < n; j++) along += row[j] * q[(size_t)k * n + j];
        for (uint32_t j = 0; j < n; j++) row[j] -= along * q[(size_t)k * n + j];
      }
      for (uint32_t j = 0; j < n; j++) square += row[j] * row[j];
      for (uint32_t j = 0; j < n; j++) row[j] /= sqrt(square);
    }
  return q;
}

/* [A, appendix B] as the guide reads it; n is a square for GRID. TREE: Barabasi-Albert, `ba` edges to each new site. */
static matrix example(int kind, uint32_t n, uint64_t seed) {
  double *a = doubles((size_t)n * n), *q;
  const uint32_t ba = n > 8 ? 4 : 1;
  uint32_t side = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, (uint64_t)kind);
  switch (kind) {
    case GOE:
      for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) put(a, n, i, j, gauss(&rng) / sqrt(n));
      return dense(n, a);
    case ROTATION: /* L = 10 */
      q = rotation(n, &rng);
      for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
          double sum = 0.0;
          for (uint32_t k = 0; k < n; k++)
            sum -= sqrt(10.0) / (1.0 + 9.0 * k / (n - 1.0)) * q[(size_t)k * n + i] * q[(size_t)k * n + j];
          put(a, n, i, j, sum);
        }
      free(q);
      return dense(n, a);
    case CYCLE: /* L = 50 */
      for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = (i + 1) % n;
        const double here = sqrt(1.0 / (1.0 + 49.0 * i / (n - 1.0))), there = sqrt(1.0 / (1.0 + 49.0 * j / (n - 1.0)));
        put(a, n, i, i, -here * here);
        put(a, n, i, j, -0.2 * gauss(&rng) * here * there);
      }
      return sparse(n, a);
    case GRID:
      while (side * side < n) side++;
      for (uint32_t i = 0; i < n; i++) {
        if (i % side + 1 < side && i + 1 < n) put(a, n, i, i + 1, 1.76);
        if (i + side < n) put(a, n, i, i + side, 1.76);
      }
      return sparse(n, a);
    case TREE:
      for (uint32_t i = ba; i < n; i++)
        for (uint32_t made = 0; made < ba;) { /* an end of a random edge, so by degree */
          uint32_t end = (uint32_t)(uniform(&rng) * i), to = end;
          for (uint32_t j = (uint32_t)(uniform(&rng) * n), tried = 0; i > ba && tried < n; tried++, j = (j + 1) % n)
            if (j < i && a[(size_t)end * n + j] != 0.0) {
              to = j;
              break;
            }
          if (i == ba) to = made;
          if (a[(size_t)i * n + to] != 0.0) continue;
          put(a, n, i, to, 1.76);
          made++;
        }
      return sparse(n, a);
    default:
      for (uint32_t t = 0; t < n / 2; t++) { /* rank n / 2 */
        const double p = uniform(&rng), shared = 0.5 * gauss(&rng);
        double *x = doubles(n);
        for (uint32_t i = 0; i < n; i++) x[i] = 0.5 * exp(-0.25 + i / (n - 1.0)) * (gauss(&rng) + shared);
        for (uint32_t i = 0; i < n; i++)
          for (uint32_t j = 0; j < n; j++) a[(size_t)i * n + j] -= p * (1.0 - p) * x[i] * x[j];
        free(x);
      }
      return dense(n, a);
  }
}

static double *expanded(const lbp_symmetric *W, const double *D) {
  double *a = doubles((size_t)W->n * W->n);
  for (uint32_t i = 0; i < W->n; i++) {
    for (uint32_t j = 0; W->dense && j < W->n; j++) a[(size_t)i * W->n + j] = W->dense[(size_t)i * W->n + j];
    for (uint32_t e = W->dense ? 0 : W->start[i]; !W->dense && e < W->start[i + 1]; e++)
      a[(size_t)i * W->n + W->column[e]] = W->value[e];
    if (D) a[(size_t)i * W->n + i] += D[i];
  }
  return a;
}

static double sum_of(const double *x, uint32_t n) {
  double sum = 0.0;
  for (uint32_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

/* Least and largest eigenvalue of W + D by lbp_eigen, which test_eigen has checked. */
static void extremes(const lbp_symmetric *W, const double *D, double *least, double *most) {
  double *a = expanded(W, D), *values = doubles(W->n), *work = doubles(lbp_eigen_workspace(W->n));
  CHECK(lbp_eigen(W->n, a, values, work, lbp_eigen_workspace(W->n)) == LBP_OK);
  *least = values[0];
  *most = values[W->n - 1];
  free(a);
  free(values);
  free(work);
}

/* ---- alpha ------------------------------------------------------------------------------------------------------- */

/* What a long double resolves where this runs, whatever LDBL_EPSILON says: valgrind computes them as doubles. */
static double long_double_epsilon(void) {
  volatile long double epsilon = 1.0L, sum;
  do {
    epsilon /= 2.0L;
    sum = 1.0L + epsilon;
  } while (sum > 1.0L);
  return (double)(2.0L * epsilon);
}

static void test_alpha(void) {
  const double epsilon = long_double_epsilon();
  CHECK(lbp_alpha(0.0) == 0.5 && lbp_alpha(infinite()) == 1.0 && lbp_alpha(1e300) == 1.0 && lbp_alpha(1e-300) == 0.5);
  for (double r = 1e-6; r < 1e9; r *= 1.37) { /* (6) loses as many digits as 4 / r has before the point */
    const long double l = (long double)r, want = (l - 2.0L + sqrtl(l * l + 4.0L)) / (2.0L * l);
    CHECK_NEAR(lbp_alpha(r), want, 3e-16 + 4.0 * epsilon / r);
  }
  for (double r = 1e-15; r < 1e-5; r *= 10.0) CHECK_NEAR((lbp_alpha(r) - 0.5) / r, 0.125, 1e-6 + 2e-16 / r);
  CHECK_NEAR(lbp_alpha(2.0), sqrt(0.5), 2e-16);
  CHECK(lbp_alpha(2.0 - 1e-15) <= lbp_alpha(2.0));
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

static void test_check(void) {
  double a[] = { 1.0, 2.0, 3.0, 2.0, 5.0, 6.0, 3.0, 6.0, 9.0 };
  uint32_t start[] = { 0, 2, 4, 5 }, column[] = { 0, 1, 0, 2, 1 };
  double value[] = { 4.0, 1.0, 1.0, 2.0, 2.0 };
  lbp_symmetric W = { 3, NULL, NULL, NULL, NULL }, S = { 3, NULL, NULL, NULL, NULL };
  CHECK(lbp_symmetric_check(NULL) == LBP_E_NULL && lbp_symmetric_check(&W) == LBP_E_NULL);
  W.dense = a;
  S.start = start;
  S.column = column;
  CHECK(lbp_symmetric_check(&S) == LBP_E_NULL);
  S.value = value;
  CHECK(lbp_symmetric_check(&W) == LBP_OK && lbp_symmetric_check(&S) == LBP_OK);
  W.n = 0;
  CHECK(lbp_symmetric_check(&W) == LBP_E_SIZE);
  W.n = LBP_MAX_SITES + 1;
  CHECK(lbp_symmetric_check(&W) == LBP_E_SIZE);
  W.n = 3;
  a[1] = 2.0 + 8e-9;
  CHECK(lbp_symmetric_check(&W) == LBP_OK);
  a[1] = 2.0 + 1e-8;
  CHECK(lbp_symmetric_check(&W) == LBP_E_NOT_SYMMETRIC);
  a[1] = not_a_number();
  CHECK(lbp_symmetric_check(&W) == LBP_E_NOT_FINITE);
  a[1] = infinite();
  CHECK(lbp_symmetric_check(&W) == LBP_E_NOT_FINITE);

  value[4] = 2.1;
  CHECK(lbp_symmetric_check(&S) == LBP_E_NOT_SYMMETRIC);
  value[4] = 2.0;
  column[4] = 0; /* the mirror image of the entry (1, 2) is gone */
  CHECK(lbp_symmetric_check(&S) == LBP_E_NOT_SYMMETRIC);
  column[4] = 3;
  CHECK(lbp_symmetric_check(&S) == LBP_E_INDEX);
  column[4] = 1;
  column[1] = 0;
  CHECK(lbp_symmetric_check(&S) == LBP_E_INDEX);
  column[1] = 1;
  start[0] = 1;
  CHECK(lbp_symmetric_check(&S) == LBP_E_INDEX);
  start[0] = 0;
  start[1] = 5;
  CHECK(lbp_symmetric_check(&S) == LBP_E_INDEX);
  start[1] = 2;
  start[2] = 1;
  CHECK(lbp_symmetric_check(&S) == LBP_E_INDEX);
  start[2] = 4;
  CHECK(lbp_symmetric_check(&S) == LBP_OK);
  CHECK(lbp_symmetric_entry(&S, 1, 2) == 2.0 && lbp_symmetric_entry(&S, 0, 2) == 0.0);
  CHECK(lbp_symmetric_entry(&S, 2, 2) == 0.0 && lbp_symmetric_entry(&S, 0, 0) == 4.0);
}

static void test_product(void) {
  static const uint32_t sizes[] = { 1, 2, 3, 4, 5, 9, 23 };
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t s = 2; s < sizeof sizes / sizeof *sizes; s++)
      for (int with = 0; with < 2; with++) {
        const uint32_t n = sizes[s];
        matrix m = example(kind, n, 5);
        lbp_rng rng;
        double *D = doubles(n), *x = doubles(n), *y = doubles(n), *again = doubles((size_t)n * n);
        lbp_rng_init(&rng, 1, 2);
        for (uint32_t i = 0; i < n; i++) {
          D[i] = gauss(&rng);
          x[i] = gauss(&rng);
          y[i] = 7.0;
        }
        double *a = expanded(&m.W, with ? D : NULL);
        CHECK(lbp_symmetric_check(&m.W) == LBP_OK);
        lbp_symmetric_product(&m.W, with ? D : NULL, x, y);
        lbp_symmetric_expand(&m.W, with ? D : NULL, again);
        double off = 0.0, apart = 0.0;
        for (uint32_t i = 0; i < n; i++) {
          for (uint32_t j = 0; j < n; j++) y[i] -= a[(size_t)i * n + j] * x[j];
          if (!(fabs(y[i]) <= off)) off = fabs(y[i]);
        }
        for (size_t t = 0; t < (size_t)n * n; t++) apart += fabs(a[t] - again[t]);
        CHECK_NEAR(off, 0.0, 1e-13);
        CHECK_NEAR(apart, 0.0, 0.0);
        release(&m);
        free(a);
        free(D);
        free(x);
        free(y);
        free(again);
      }
}

/* ---- eigenvalues ------------------------------------------------------------------------------------------------- */

/* A = Q diag(values) Q', Q orthogonal, values increasing: nothing else is left to be wrong. */
static void check_eigen(const lbp_symmetric *W, const double *known, double tolerance) {
  const uint32_t n = W->n;
  double *a = expanded(W, NULL), *q = expanded(W, NULL), *values = doubles(n), *work = doubles(lbp_eigen_workspace(n));
  double apart = 0.0, skew = 0.0, off = 0.0;
  CHECK(lbp_eigen(n, q, values, work, lbp_eigen_workspace(n)) == LBP_OK);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j <= i; j++) {
      double product = 0.0, unit = i == j ? -1.0 : 0.0;
      for (uint32_t k = 0; k < n; k++) {
        product += values[k] * q[(size_t)k * n + i] * q[(size_t)k * n + j];
        unit += q[(size_t)i * n + k] * q[(size_t)j * n + k];
      }
      if (!(fabs(product - a[(size_t)i * n + j]) <= apart)) apart = fabs(product - a[(size_t)i * n + j]);
      if (!(fabs(unit) <= skew)) skew = fabs(unit);
    }
  for (uint32_t k = 0; k + 1 < n; k++) CHECK(values[k] <= values[k + 1]);
  for (uint32_t k = 0; known && k < n; k++)
    if (!(fabs(values[k] - known[k]) <= off)) off = fabs(values[k] - known[k]);
  CHECK_NEAR(apart, 0.0, tolerance);
  CHECK_NEAR(skew, 0.0, 1e-13 * sqrt(n));
  CHECK_NEAR(off, 0.0, tolerance);
  free(a);
  free(q);
  free(values);
  free(work);
}

/* Whether entries times `scale` have the eigenvalues times `scale`, for a power of 2 to the bit. */
static void check_eigen_scaled(double scale, int exact) {
  const double a[] = { 0.0, 1.0, 2.0, 1.0, 3.0, 1.0, 2.0, 1.0, -1.0 };
  double plain[9], scaled[9], want[3], got[3], work[64];
  for (int k = 0; k < 9; k++) plain[k] = a[k], scaled[k] = scale * a[k];
  CHECK(lbp_eigen(3, plain, want, work, 64) == LBP_OK && lbp_eigen(3, scaled, got, work, 64) == LBP_OK);
  for (int k = 0; k < 3; k++) CHECK_NEAR(got[k] / scale, want[k], exact ? 0.0 : 1e-14);
  for (int k = 0; k < 9; k++) CHECK_NEAR(scaled[k], plain[k], exact ? 0.0 : 1e-14);
}

static void test_eigen(void) {
  static const uint32_t sizes[] = { 2, 3, 9, 64, 100 };
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t s = 1; s < sizeof sizes / sizeof *sizes; s++) {
      matrix m = example(kind, sizes[s], 3);
      double known[100];
      for (uint32_t k = 0; k < sizes[s]; k++) known[k] = -sqrt(10.0) / (1.0 + 9.0 * k / (sizes[s] - 1.0));
      check_eigen(&m.W, kind == ROTATION ? known : NULL, kind == LOGISTIC ? 1e-11 : 1e-12);
      release(&m);
    }
  double one[] = { -3.0 }, value = 0.0, few[] = { 0.0, 0.0, 0.0, 0.0 }, values[2], work[64];
  CHECK(lbp_eigen(1, one, &value, work, 64) == LBP_OK && value == -3.0 && fabs(one[0]) == 1.0);
  CHECK(lbp_eigen(2, few, values, work, 64) == LBP_OK && values[0] == 0.0 && values[1] == 0.0);
  CHECK(lbp_eigen(2, few, values, work, lbp_eigen_workspace(2) - 1) == LBP_E_WORKSPACE);
  CHECK(lbp_eigen(0, few, values, work, 64) == LBP_E_SIZE && lbp_eigen(2, NULL, values, work, 64) == LBP_E_NULL);
  CHECK(lbp_eigen(2, few, NULL, work, 64) == LBP_E_NULL && lbp_eigen(2, few, values, NULL, 64) == LBP_E_NULL);
  CHECK(lbp_eigen(30001, few, values, work, SIZE_MAX) == LBP_E_SIZE);
  check_eigen_scaled(ldexp(1.0, -1000), LBP_LAPACK == 0);
  check_eigen_scaled(ldexp(1.0, 600), LBP_LAPACK == 0);
  check_eigen_scaled(1e160, 0);
  check_eigen_scaled(1e-170, 0);
  check_eigen_scaled(1e-305, 0);
  few[0] = few[1] = few[2] = few[3] = DBL_MAX; /* one of the eigenvalues is twice that */
  CHECK(lbp_eigen(2, few, values, work, 64) == LBP_E_NOT_FINITE);
  few[3] = not_a_number();
  CHECK(lbp_eigen(2, few, values, work, 64) == LBP_E_NOT_FINITE);
}

static void test_least_eigenvalue(void) {
  static const uint32_t sizes[] = { 3, 32, 33, 49, 144 };
  static const double tolerances[] = { 1e-2, 1e-5, 1e-10 };
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (size_t t = 0; t < 6; t++) {
        const uint32_t n = sizes[s];
        matrix m = example(kind, n, 11);
        double *D = doubles(n), least, most, bound = 0.0, again = 0.0, norm = 0.0;
        const size_t room = lbp_least_eigenvalue_workspace(n);
        double *work = doubles(room);
        for (uint32_t i = 0; i < n; i++) D[i] = 0.1 * i;
        const double *added = t % 2 ? D : NULL;
        double *a = expanded(&m.W, added);
        for (uint32_t i = 0; i < n; i++) {
          double sum = 0.0;
          for (uint32_t j = 0; j < n; j++) sum += fabs(a[(size_t)i * n + j]);
          if (sum > norm) norm = sum;
        }
        extremes(&m.W, added, &least, &most);
        CHECK(lbp_least_eigenvalue(&m.W, added, tolerances[t / 2], work, room, &bound) == LBP_OK);
        CHECK(bound <= least + 1e-15 * norm);
        CHECK_NEAR(bound, least, (tolerances[t / 2] + 2e-14) * norm);
        CHECK(lbp_least_eigenvalue(&m.W, added, tolerances[t / 2], work, room, &again) == LBP_OK && again == bound);
        if (t == 0) {
          CHECK(lbp_least_eigenvalue(&m.W, NULL, 0.1, work, room - 1, &again) == LBP_E_WORKSPACE);
          CHECK(lbp_least_eigenvalue(&m.W, NULL, 0.0, work, room, &again) == LBP_E_RANGE);
          CHECK(lbp_least_eigenvalue(&m.W, NULL, infinite(), work, room, &again) == LBP_E_RANGE);
          CHECK(lbp_least_eigenvalue(&m.W, NULL, 0.1, work, room, NULL) == LBP_E_NULL);
          CHECK(lbp_least_eigenvalue(&m.W, NULL, 0.1, NULL, room, &again) == LBP_E_NULL);
          CHECK(lbp_least_eigenvalue(NULL, NULL, 0.1, work, room, &again) == LBP_E_NULL);
        }
        release(&m);
        free(D);
        free(a);
        free(work);
      }
  matrix zero = dense(5, doubles(25)), one = dense(1, doubles(1));
  double *work = doubles(lbp_least_eigenvalue_workspace(5)), bound = 1.0;
  CHECK(lbp_least_eigenvalue(&zero.W, NULL, 1e-3, work, lbp_least_eigenvalue_workspace(5), &bound) == LBP_OK && bound == 0.0);
  one.value[0] = 4.0;
  CHECK(lbp_least_eigenvalue(&one.W, NULL, 1e-3, work, lbp_least_eigenvalue_workspace(1), &bound) == LBP_OK);
  CHECK_NEAR(bound, 4.0, 4.001e-3);
  release(&zero);
  release(&one);
  free(work);
  { /* the path's Laplacian: eigenvalue 0 among many nearby, and a known second one */
    enum { N = 400 };
    double *a = doubles((size_t)N * N), last = 1.0;
    for (uint32_t i = 0; i + 1 < N; i++) put(a, N, i, i + 1, -1.0);
    for (uint32_t i = 0; i < N; i++) put(a, N, i, i, i == 0 || i == N - 1 ? 1.0 : 2.0);
    matrix path = sparse(N, a);
    double *room = doubles(lbp_least_eigenvalue_workspace(N));
    CHECK(lbp_least_eigenvalue(&path.W, NULL, 1e-6, room, lbp_least_eigenvalue_workspace(N), &last) == LBP_OK);
    CHECK(last <= 0.0 && last >= -4.001e-6);
    release(&path);
    free(room);
  }
  { /* eigenvalues from 1 to 1e-12, and a tolerance beyond reach: a bound all the same */
    enum { N = 64 };
    double *a = doubles((size_t)N * N), last = 1.0, *room = doubles(lbp_least_eigenvalue_workspace(N));
    for (uint32_t i = 0; i < N; i++) put(a, N, i, i, pow(10.0, -12.0 * i / (N - 1.0)));
    matrix steps = sparse(N, a);
    CHECK(lbp_least_eigenvalue(&steps.W, NULL, 1e-300, room, lbp_least_eigenvalue_workspace(N), &last) ==
          LBP_E_NOT_CONVERGED);
    CHECK(last <= 1e-12 && last >= -1e-6);
    release(&steps);
    free(room);
  }
  { /* so close together that not even 1e-6 is within reach: what D has too much does no harm */
    enum { N = 128 };
    double *a = doubles((size_t)N * N), D[N], *room = doubles(lbp_least_eigenvalue_workspace(N));
    for (uint32_t i = 0; i < N; i++) put(a, N, i, i, pow(10.0, -6.0 * i / (N - 1.0)) - 0.5);
    matrix steps = sparse(N, a);
    CHECK(lbp_diagonal_shift(&steps.W, 0.0, D, room, lbp_least_eigenvalue_workspace(N)) == LBP_E_NOT_CONVERGED);
    CHECK(D[0] >= 0.5 - 1e-6 && D[0] <= 0.51 && D[N - 1] == D[0]);
    release(&steps);
    free(room);
  }
}

/* ---- the diagonal ------------------------------------------------------------------------------------------------ */

/* Feasible: D >= 0 and W + D without negative eigenvalues, by lbp_eigen. */
static void check_feasible(const lbp_symmetric *W, const double *D) {
  double least, most, lowest = 0.0;
  extremes(W, D, &least, &most);
  for (uint32_t i = 0; i < W->n; i++)
    if (!(D[i] >= lowest)) lowest = D[i] < 0.0 ? D[i] : -1.0;
  CHECK(lowest == 0.0);
  CHECK(least >= -2e-14 * (fabs(most) + fabs(least)) * W->n);
}

/* Optima of (24) and (26) by CSDP 6.2, an interior-point solver, for example(kind, 100, 1); its relative gap is 1e-8. */
static const double csdp_trace[KINDS] = { 169.9129664, 268.6621510, 10.77654769, 633.5999993, 730.7274842, 10983.03182 };
static const double csdp_max[KINDS] = { 3.612081761, 2.786981556, 0.2221874954, 13.50966106, 40.68196747, 134.8764954 };

static void test_d_trace(void) {
  for (int kind = 0; kind < KINDS; kind++)
    for (int tight = 0; tight < 2; tight++) {
      const double tolerance = tight ? 1e-5 : 1e-3;
      enum { N = 100 };
      matrix m = example(kind, N, 1);
      double D[N], gap = -1.0, *work = doubles(lbp_diagonal_trace_workspace(N));
      CHECK(lbp_diagonal_trace(&m.W, tolerance, D, &gap, work, lbp_diagonal_trace_workspace(N)) == LBP_OK);
      CHECK(gap >= -1e-12 && gap <= tolerance);
      check_feasible(&m.W, D);
      CHECK_NEAR(sum_of(D, N) / csdp_trace[kind] - 1.0, 0.5 * tolerance, 0.5 * tolerance + 2e-8);
      CHECK(sum_of(D, N) * (1.0 - gap) <= csdp_trace[kind] * (1.0 + 2e-8)); /* the bound is one */
      CHECK(lbp_diagonal_trace(&m.W, tolerance, D, NULL, work, lbp_diagonal_trace_workspace(N) - 1) == LBP_E_WORKSPACE);
      CHECK(lbp_diagonal_trace(&m.W, 0.0, D, NULL, work, lbp_diagonal_trace_workspace(N)) == LBP_E_RANGE);
      CHECK(lbp_diagonal_trace(&m.W, 1.0, D, NULL, work, lbp_diagonal_trace_workspace(N)) == LBP_E_RANGE);
      CHECK(lbp_diagonal_trace(&m.W, 0.1, NULL, NULL, work, lbp_diagonal_trace_workspace(N)) == LBP_E_NULL);
      CHECK(lbp_diagonal_trace(&m.W, 0.1, D, NULL, NULL, lbp_diagonal_trace_workspace(N)) == LBP_E_NULL);
      release(&m);
      free(work);
    }
}

/* Matrices whose D is known. */
static void test_d_trace_known(void) {
  double D[8], gap = 0.0, *work = doubles(lbp_diagonal_trace_workspace(8));
  const size_t room = lbp_diagonal_trace_workspace(8);
  matrix m = dense(8, doubles(64));
  CHECK(lbp_diagonal_trace(&m.W, 1e-3, D, &gap, work, room) == LBP_OK && sum_of(D, 8) == 0.0);
  for (uint32_t i = 0; i < 8; i++) put(m.value, 8, i, i, i % 2 ? 1.0 + i : -1.0 - i); /* diagonal: max(0, -W_ii) */
  CHECK(lbp_diagonal_trace(&m.W, 1e-6, D, &gap, work, room) == LBP_OK);
  for (uint32_t i = 0; i < 8; i++) CHECK_NEAR(D[i], i % 2 ? 0.0 : 1.0 + i, 1e-5);
  for (uint32_t i = 0; i < 8; i++) put(m.value, 8, i, i, 1.0);
  put(m.value, 8, 0, 1, 0.5); /* positive definite: no D needed */
  CHECK(lbp_diagonal_trace(&m.W, 1e-3, D, &gap, work, room) == LBP_OK);
  CHECK_NEAR(sum_of(D, 8), 0.0, 1e-12);
  put(m.value, 8, 0, 1, 1.0); /* and singular */
  CHECK(lbp_diagonal_trace(&m.W, 1e-3, D, &gap, work, room) == LBP_OK);
  CHECK_NEAR(sum_of(D, 8), 0.0, 1e-7);
  put(m.value, 8, 0, 0, 4.0); /* (4 + D_0)(1 + D_1) >= 9: D_1 = 1.25, where D_0 >= 0 binds */
  put(m.value, 8, 0, 1, 3.0);
  CHECK(lbp_diagonal_trace(&m.W, 1e-5, D, &gap, work, room) == LBP_OK);
  CHECK_NEAR(sum_of(D, 8), 1.25, 2e-5);
  CHECK_NEAR(D[1], 1.25, 1e-4);
  CHECK(lbp_diagonal_trace(&m.W, 1e-15, D, &gap, work, room) == LBP_E_NOT_CONVERGED); /* more than rounding allows */
  check_feasible(&m.W, D);
  CHECK_NEAR(sum_of(D, 8), 1.25, 1e-7);
  release(&m);
  free(work);
}

/* As many variables as have vectors of the greatest length that are kept: D is known, as W is diagonal. */
static void test_d_trace_large(void) {
  enum { N = 2000 };
  double *value = doubles(N), *D = doubles(N), *work = doubles(lbp_diagonal_trace_workspace(N)), gap = 1.0, off = 0.0;
  uint32_t *start = indices(N + 1), *column = indices(N);
  lbp_symmetric W = { N, NULL, NULL, NULL, NULL };
  for (uint32_t i = 0; i < N; i++) {
    value[i] = i % 2 ? 1.0 : -1.0 - i;
    column[i] = i;
    start[i + 1] = i + 1;
  }
  W.start = start;
  W.column = column;
  W.value = value;
  CHECK(lbp_diagonal_trace(&W, 1e-3, D, &gap, work, lbp_diagonal_trace_workspace(N)) == LBP_OK && gap <= 1e-3);
  for (uint32_t i = 0; i < N; i++) off += fabs(D[i] - (i % 2 ? 0.0 : 1.0 + i));
  CHECK_NEAR(off / 1e6, 0.0, 1e-3); /* the trace is 10^6 */
  free(value);
  free(D);
  free(work);
  free(start);
  free(column);
}

/* Numbers so large that they overflow, or underflow, on the way: no answer, but no wrong one. */
static void test_d_extreme(void) {
  double D[2], *work = doubles(lbp_diagonal_max_workspace(2)), a[] = { 1e308, 1e308, 1e308, -1e308 };
  const size_t room = lbp_diagonal_max_workspace(2);
  matrix m = dense(2, a);
  CHECK(lbp_diagonal_max(&m.W, D, NULL, work, room) == LBP_E_NOT_FINITE);
  for (int i = 0; i < 4; i++) a[i] = i < 3 ? 1e170 : -1e170;
  CHECK(lbp_diagonal_max(&m.W, D, NULL, work, room) == LBP_E_NOT_CONVERGED);
  check_feasible(&m.W, D);
  free(work);
}

static void test_d_other(void) {
  for (int kind = 0; kind < KINDS; kind++) {
    enum { N = 100 };
    matrix m = example(kind, N, 1);
    double D[N], least, most, low, high, largest = 0.0, dominant = 0.0;
    double *work = doubles(lbp_diagonal_max_workspace(N)), *room = doubles(lbp_least_eigenvalue_workspace(N));
    extremes(&m.W, NULL, &least, &most);
    CHECK(lbp_diagonal_shift(&m.W, 0.0, D, room, lbp_least_eigenvalue_workspace(N)) == LBP_OK);
    check_feasible(&m.W, D);
    CHECK_NEAR(D[0], -least, 1e-4 * fabs(least));
    CHECK(D[0] == D[N - 1]);
    CHECK(lbp_diagonal_shift(&m.W, 1e3, D, room, lbp_least_eigenvalue_workspace(N)) == LBP_OK && D[0] == 1e3 && D[N - 1] == 1e3);
    CHECK(lbp_diagonal_shift(&m.W, -1.0, D, room, lbp_least_eigenvalue_workspace(N)) == LBP_E_RANGE);
    CHECK(lbp_diagonal_shift(&m.W, infinite(), D, room, lbp_least_eigenvalue_workspace(N)) == LBP_E_RANGE);
    CHECK(lbp_diagonal_shift(&m.W, 0.0, NULL, room, lbp_least_eigenvalue_workspace(N)) == LBP_E_NULL);
    CHECK(lbp_diagonal_shift(&m.W, 0.0, D, room, 0) == LBP_E_WORKSPACE);

    CHECK(lbp_diagonal_dominant(&m.W, NULL) == LBP_E_NULL && lbp_diagonal_dominant(NULL, D) == LBP_E_NULL);
    CHECK(lbp_diagonal_dominant(&m.W, D) == LBP_OK);
    check_feasible(&m.W, D);
    double *a = expanded(&m.W, NULL);
    for (uint32_t i = 0; i < N; i++) {
      double want = -a[(size_t)i * N + i];
      for (uint32_t j = 0; j < N; j++)
        if (j != i) want += fabs(a[(size_t)i * N + j]);
      dominant += fabs(D[i] - (want > 0.0 ? want : 0.0));
    }
    CHECK_NEAR(dominant, 0.0, 1e-11 * sum_of(D, N));
    if (kind == GRID) CHECK_NEAR(sum_of(D, N) / csdp_trace[kind], 1.0, 2e-8);

    CHECK(lbp_diagonal_max(&m.W, D, &largest, work, lbp_diagonal_max_workspace(N)) == LBP_OK);
    check_feasible(&m.W, D);
    extremes(&m.W, D, &low, &high);
    CHECK(high <= largest && largest <= high * (1.0 + 1e-4));
    CHECK_NEAR(high / csdp_max[kind] - 1.0, 0.0, 1e-5);
    CHECK(lbp_diagonal_max(&m.W, D, NULL, work, lbp_diagonal_max_workspace(N) - 1) == LBP_E_WORKSPACE);
    CHECK(lbp_diagonal_max(&m.W, D, NULL, NULL, lbp_diagonal_max_workspace(N)) == LBP_E_NULL);
    CHECK(lbp_diagonal_max(NULL, D, NULL, work, lbp_diagonal_max_workspace(N)) == LBP_E_NULL);
    release(&m);
    free(a);
    free(work);
    free(room);
  }
  /* two blocks that decide: diag(-1, -3) needs D >= (1, 3) and, as lambda is no less than 0, no more: the tie-break */
  double D[3], largest = 0.0, *work = doubles(lbp_diagonal_max_workspace(3));
  matrix m = dense(3, doubles(9));
  put(m.value, 3, 0, 0, -1.0);
  put(m.value, 3, 1, 1, -3.0);
  put(m.value, 3, 2, 2, 5.0); /* lambda = 5 whatever the others are up to 6 and 8 */
  CHECK(lbp_diagonal_max(&m.W, D, &largest, work, lbp_diagonal_max_workspace(3)) == LBP_OK);
  CHECK_NEAR(largest, 5.0, 2e-5);
  CHECK_NEAR(D[0], 1.0, 0.1);
  CHECK_NEAR(D[1], 3.0, 0.1);
  CHECK_NEAR(D[2], 0.0, 2e-5);
  memset(m.value, 0, 9 * sizeof(double));
  CHECK(lbp_diagonal_max(&m.W, D, &largest, work, lbp_diagonal_max_workspace(3)) == LBP_OK && sum_of(D, 3) == 0.0 && largest == 0.0);
  for (uint32_t n = 1; n <= 3; n++) { /* a lambda of 0: all is in the tie-break */
    const lbp_symmetric alone = { n, m.value, NULL, NULL, NULL };
    for (uint32_t i = 0; i < n; i++) put(m.value, n, i, i, -1.0 - i);
    CHECK(lbp_diagonal_max(&alone, D, &largest, work, lbp_diagonal_max_workspace(3)) == LBP_OK);
    CHECK(largest >= 0.0 && largest < 1e-5);
    for (uint32_t i = 0; i < n; i++) CHECK_NEAR(D[i], 1.0 + i, 1e-5);
    memset(m.value, 0, 9 * sizeof(double));
  }
  release(&m);
  free(work);
}

/* ---- noise ------------------------------------------------------------------------------------------------------- */

/* S from what unit vectors give; S S' against W + D. */
static void check_root(const lbp_symmetric *W, const double *D, double tolerance) {
  const uint32_t n = W->n;
  double *root = doubles((size_t)n * n), *work = doubles(lbp_root_dense_workspace(n)), *S = doubles((size_t)n * n);
  double *z = doubles(n), *a = expanded(W, D), apart = 0.0, *scratch = doubles(lbp_noise_dense_workspace(n));
  uint32_t *order = indices(n), rank = 0;
  CHECK(lbp_root_dense(W, D, root, order, &rank, work, lbp_root_dense_workspace(n)) == LBP_OK);
  CHECK(rank <= n);
  for (uint32_t k = 0; k < rank; k++) { /* row k of S: the noise of normal k */
    z[k] = 1.0;
    lbp_noise_dense(n, root, order, rank, z, S + (size_t)k * n, scratch);
    z[k] = 0.0;
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      double sum = -a[(size_t)i * n + j];
      for (uint32_t k = 0; k < rank; k++) sum += S[(size_t)k * n + i] * S[(size_t)k * n + j];
      if (!(fabs(sum) <= apart)) apart = fabs(sum);
    }
  CHECK_NEAR(apart, 0.0, tolerance);
  CHECK(lbp_root_dense(W, D, root, order, &rank, work, 2 * n - 1) == LBP_E_WORKSPACE);
  CHECK(lbp_root_dense(NULL, D, root, order, &rank, work, 2 * n) == LBP_E_NULL);
  CHECK(lbp_root_dense(W, D, NULL, order, &rank, work, 2 * n) == LBP_E_NULL);
  CHECK(lbp_root_dense(W, D, root, NULL, &rank, work, 2 * n) == LBP_E_NULL);
  CHECK(lbp_root_dense(W, D, root, order, NULL, work, 2 * n) == LBP_E_NULL);
  CHECK(lbp_root_dense(W, D, root, order, &rank, NULL, 2 * n) == LBP_E_NULL);
  free(root);
  free(work);
  free(S);
  free(z);
  free(a);
  free(scratch);
  free(order);
}

static void test_root_dense(void) {
  static const uint32_t sizes[] = { 3, 9, 64, 100 };
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      const uint32_t n = sizes[s];
      matrix m = example(kind, n, 21);
      double *D = doubles(n), *work = doubles(lbp_diagonal_trace_workspace(n));
      CHECK(lbp_diagonal_trace(&m.W, 1e-3, D, NULL, work, lbp_diagonal_trace_workspace(n)) == LBP_OK);
      double scale = 0.0;
      for (uint32_t i = 0; i < n; i++) scale += D[i];
      check_root(&m.W, D, 1e-14 * scale);
      CHECK(lbp_diagonal_dominant(&m.W, D) == LBP_OK); /* the grid's is singular */
      scale = sum_of(D, n);
      check_root(&m.W, D, 1e-14 * scale);
      release(&m);
      free(D);
      free(work);
    }
  { /* rank 2, and by rounding a third pivot whose remainder is none */
    double a[] = { 17510.116067660379, 17490.933346991143, 2371.904263063901, 17490.933346991143, 17617.866531261254,
                   2597.7749278172105, 2371.904263063901, 2597.7749278172105, 678.58531934820314 };
    matrix m = dense(3, a);
    check_root(&m.W, NULL, 1e-10);
  }
  enum { N = 40 }; /* singular: rank 7 */
  lbp_rng rng;
  double *a = doubles((size_t)N * N), *x = doubles(N);
  lbp_rng_init(&rng, 3, 3);
  for (uint32_t t = 0; t < 7; t++) {
    for (uint32_t i = 0; i < N; i++) x[i] = gauss(&rng);
    for (uint32_t i = 0; i < N; i++)
      for (uint32_t j = 0; j < N; j++) a[(size_t)i * N + j] += x[i] * x[j];
  }
  matrix m = dense(N, a);
  double *root = doubles((size_t)N * N), *work = doubles(2 * N), D[N];
  uint32_t order[N], rank = 0;
  check_root(&m.W, NULL, 1e-12);
  CHECK(lbp_root_dense(&m.W, NULL, root, order, &rank, work, 2 * N) == LBP_OK && rank == 7);
  for (uint32_t i = 0; i < N; i++) D[i] = -1e-9; /* eigenvalues of -1e-9 are more than rounding */
  CHECK(lbp_root_dense(&m.W, D, root, order, &rank, work, 2 * N) == LBP_E_INDEFINITE);
  memset(a, 0, (size_t)N * N * sizeof *a);
  check_root(&m.W, NULL, 0.0);
  put(a, N, 3, 8, 1.0); /* nothing on the diagonal, but indefinite */
  CHECK(lbp_root_dense(&m.W, NULL, root, order, &rank, work, 2 * N) == LBP_E_INDEFINITE);
  put(a, N, 5, 5, 1.0);
  CHECK(lbp_root_dense(&m.W, NULL, root, order, &rank, work, 2 * N) == LBP_E_INDEFINITE);
  release(&m);
  free(root);
  free(work);
  free(x);
}

static void test_root_edges(void) {
  static const int kinds[] = { CYCLE, GRID, TREE };
  for (size_t k = 0; k < 3; k++)
    for (uint32_t n = 3; n < 101; n += 13) {
      matrix m = example(kinds[k], n, 8);
      for (uint32_t i = 0; i < n; i++) /* both signs: symmetric changes */
        for (uint32_t e = m.start[i]; e < m.start[i + 1]; e++)
          if ((i + m.column[e]) % 3 == 0) m.value[e] = -m.value[e];
      const size_t count = lbp_root_edges_count(&m.W);
      double *D = doubles(n), *root = doubles(count), *z = doubles(count), *g = doubles(n), apart = 0.0;
      CHECK(lbp_diagonal_dominant(&m.W, D) == LBP_OK);
      for (uint32_t i = 0; i < n; i += 2) D[i] += 0.25 * i; /* slack at some sites, none at others */
      CHECK(lbp_root_edges(&m.W, D, root) == LBP_OK);
      double *a = expanded(&m.W, D);
      for (size_t t = 0; t < count; t++) {
        z[t] = 1.0;
        lbp_noise_edges(&m.W, root, z, g);
        z[t] = 0.0;
        for (uint32_t i = 0; i < n; i++)
          for (uint32_t j = 0; j < n; j++) a[(size_t)i * n + j] -= g[i] * g[j];
      }
      for (size_t t = 0; t < (size_t)n * n; t++)
        if (!(fabs(a[t]) <= apart)) apart = fabs(a[t]);
      CHECK_NEAR(apart, 0.0, 1e-13 * (1.0 + 0.25 * n));
      CHECK(lbp_root_edges(&m.W, D, NULL) == LBP_E_NULL && lbp_root_edges(NULL, D, root) == LBP_E_NULL);
      D[n / 2] = -1.0;
      CHECK(lbp_root_edges(&m.W, D, root) == LBP_E_NOT_DOMINANT);
      release(&m);
      free(D);
      free(root);
      free(z);
      free(g);
      free(a);
    }
  matrix m = example(GOE, 9, 1);
  double root[50];
  CHECK(lbp_root_edges(&m.W, NULL, root) == LBP_E_NULL); /* dense */
  release(&m);
}

/* ---- estimate ---------------------------------------------------------------------------------------------------- */

static double most_apart(const double *a, const double *b, size_t n) {
  double apart = 0.0;
  for (size_t t = 0; t < n; t++)
    if (!(fabs(a[t] - b[t]) <= apart)) apart = fabs(a[t] - b[t]);
  return apart;
}

/* Pairs from steps that move `moves` of the coordinates below `used` by -2...2; dg = W dx + noise. */
static void feed(lbp_estimate *s, const lbp_symmetric *W, uint32_t pairs, uint32_t used, uint32_t moves, double noise,
                 double *dx, double *dg) {
  lbp_rng rng;
  lbp_rng_init(&rng, 77, moves);
  for (uint32_t t = 0; t < pairs; t++) {
    for (uint32_t i = 0; i < W->n; i++) dx[i] = 0.0;
    for (uint32_t k = 0; k < moves; k++) dx[(uint32_t)(uniform(&rng) * used)] = floor(5.0 * uniform(&rng)) - 2.0;
    lbp_symmetric_product(W, NULL, dx, dg);
    for (uint32_t i = 0; i < W->n; i++) dg[i] += noise * gauss(&rng);
    CHECK(lbp_estimate_push(s, dx, dg) == LBP_OK);
  }
}

static void test_estimate(void) {
  enum { N = 37 };
  double *memory = doubles(lbp_estimate_memory(N)), *work = doubles(lbp_estimate_solve_workspace(N));
  double *W = doubles((size_t)N * N), *dx = doubles(N), *dg = doubles(N), *left = doubles((size_t)N * N);
  const size_t room = lbp_estimate_memory(N), solve_room = lbp_estimate_solve_workspace(N);
  lbp_estimate s;
  for (int kind = 0; kind < KINDS; kind++) { /* enough data, few coordinates at a time: exact */
    matrix m = example(kind, N, 2);
    double *a = expanded(&m.W, NULL);
    CHECK(lbp_estimate_init(&s, N, memory, room) == LBP_OK);
    CHECK(lbp_estimate_solve(&s, W, work, solve_room) == LBP_E_NO_DATA);
    feed(&s, &m.W, 600, N, 3, 0.0, dx, dg);
    CHECK(lbp_estimate_solve(&s, W, work, solve_room) == LBP_OK);
    CHECK_NEAR(most_apart(W, a, (size_t)N * N), 0.0, 1e-10);
    release(&m);
    free(a);
  }
  matrix m = example(GOE, N, 2);
  for (int singular = 0; singular < 2; singular++) { /* noise: the equations hold, with the ridge where C is singular */
    const uint32_t used = singular ? 30 : N;
    CHECK(lbp_estimate_init(&s, N, memory, room) == LBP_OK);
    feed(&s, &m.W, 300, used, 4, 0.3, dx, dg);
    CHECK(lbp_estimate_solve(&s, W, work, solve_room) == LBP_OK);
    lbp_symmetric C = { N, NULL, NULL, NULL, NULL };
    C.dense = s.C;
    double least, most, ridge;
    extremes(&C, NULL, &least, &most);
    ridge = singular ? 2e-4 * most : 0.0;
    for (uint32_t i = 0; i < N; i++)
      for (uint32_t j = 0; j < N; j++) {
        double sum = ridge * W[i * N + j] - s.B[i * N + j] - s.B[j * N + i];
        for (uint32_t k = 0; k < N; k++) sum += s.C[i * N + k] * W[k * N + j] + W[i * N + k] * s.C[k * N + j];
        left[i * N + j] = sum;
      }
    memset(memory, 0, room * sizeof *memory);
    CHECK_NEAR(most_apart(left, memory, (size_t)N * N), 0.0, 1e-10 * most);
    uint32_t asymmetric = 0, curved = 0;
    for (uint32_t i = 0; i < N; i++)
      for (uint32_t j = 0; j < N; j++) {
        asymmetric += W[i * N + j] != W[j * N + i];
        curved += i >= used && j >= used && fabs(W[i * N + j]) > 1e-12; /* where nothing moved */
      }
    CHECK(asymmetric == 0 && curved == 0);
  }
  CHECK(lbp_estimate_init(&s, N, memory, room) == LBP_OK);
  memset(dx, 0, N * sizeof *dx);
  dg[0] = not_a_number();
  CHECK(lbp_estimate_push(&s, dx, dg) == LBP_OK && s.pairs == 0); /* no move: not looked at */
  dx[N - 1] = 1.0;
  CHECK(lbp_estimate_push(&s, dx, dg) == LBP_E_NOT_FINITE && s.pairs == 0 && s.B[(N - 1) * N + 1] == 0.0);
  dg[0] = 1.0;
  CHECK(lbp_estimate_push(&s, dx, dg) == LBP_OK && s.pairs == 1);
  CHECK(lbp_estimate_solve(&s, W, work, solve_room - 1) == LBP_E_WORKSPACE);
  CHECK(lbp_estimate_solve(NULL, W, work, solve_room) == LBP_E_NULL);
  CHECK(lbp_estimate_solve(&s, NULL, work, solve_room) == LBP_E_NULL);
  CHECK(lbp_estimate_solve(&s, W, NULL, solve_room) == LBP_E_NULL);
  dx[N - 1] = infinite();
  CHECK(lbp_estimate_push(&s, dx, dg) == LBP_E_NOT_FINITE && s.pairs == 1);
  dx[N - 1] = dg[0] = 1e308;
  CHECK(lbp_estimate_push(&s, dx, dg) == LBP_OK);
  CHECK(lbp_estimate_solve(&s, W, work, solve_room) == LBP_E_NOT_FINITE); /* of dx dx' */
  CHECK(lbp_estimate_init(&s, N, memory, room) == LBP_OK);
  dx[N - 1] = 10.0;
  CHECK(lbp_estimate_push(&s, dx, dg) == LBP_OK);
  CHECK(lbp_estimate_solve(&s, W, work, solve_room) == LBP_E_NOT_FINITE); /* of dx dg' */
  CHECK(lbp_estimate_init(NULL, N, memory, room) == LBP_E_NULL);
  CHECK(lbp_estimate_init(&s, 30001, memory, SIZE_MAX) == LBP_E_SIZE);
  CHECK(lbp_estimate_init(&s, N, memory, room - 1) == LBP_E_WORKSPACE);
  CHECK(lbp_estimate_init(&s, 0, memory, room) == LBP_E_SIZE && lbp_estimate_init(&s, N, NULL, room) == LBP_E_NULL);
  release(&m);
  free(memory);
  free(work);
  free(W);
  free(dx);
  free(dg);
  free(left);
}

#ifdef TEST_NUMERICS_DUMP
static void dump(int kind) { /* upper triangle of example(kind, 100, 1), to be given to another program */
  matrix m = example(kind, 100, 1);
  for (uint32_t i = 0; i < 100; i++)
    for (uint32_t j = i; j < 100; j++)
      if (lbp_symmetric_entry(&m.W, i, j) != 0.0) printf("%u %u %.17g\n", i + 1, j + 1, lbp_symmetric_entry(&m.W, i, j));
  release(&m);
}

int main(int argc, char **argv) {
  if (argc > 1) dump(atoi(argv[1]));
  return 0;
}
#else
int main(void) {
  test_alpha();
  test_check();
  test_product();
  test_eigen();
  test_least_eigenvalue();
  test_d_trace();
  test_d_trace_known();
  test_d_trace_large();
  test_d_extreme();
  test_d_other();
  test_root_dense();
  test_root_edges();
  test_estimate();
#ifdef NUMERICS_LAPACKE
  CHECK(lapacke_calls > 100);
#endif
  return test_report();
}
#endif
