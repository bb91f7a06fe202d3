/* The whole test runner: checks that count, print where they failed, and make main return non-zero. */
#ifndef TEST_H
#define TEST_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether two ways to compute the same must agree to the bit: not where intermediate results have more digits than their
 * type (registers of the x87), nor where the compiler may change the formula. 16: half precision has registers of its
 * own. */
#if defined __FAST_MATH__ || defined __RECIPROCAL_MATH__ || (defined FLT_EVAL_METHOD && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16)
#define TEST_ALIKE 0
#else
#define TEST_ALIKE 1
#endif

static long test_passed, test_failed;

static void test_count(int ok, const char *file, int line, const char *what) {
  if (ok) {
    test_passed++;
  } else {
    test_failed++;
    printf("%s:%d: FAILED: %s\n", file, line, what);
#ifdef TEST_STOP /* at the first failure */
    exit(1);
#endif
  }
}

static inline void test_count_near(double got, double want, double tol, const char *file, int line, const char *what) {
  const double gap = fabs(got - want);
  char text[256];
  snprintf(text, sizeof text, "%.120s: got %.17g, want %.17g +- %g", what, got, want, tol);
  test_count(gap <= tol, file, line, text);   /* a NaN compares false, so it fails */
}

#define CHECK(condition)            test_count(!!(condition), __FILE__, __LINE__, #condition)
#define CHECK_ALIKE(condition)      CHECK((condition) || !TEST_ALIKE)
#define CHECK_NEAR(got, want, tol)  test_count_near((double)(got), (double)(want), (double)(tol), __FILE__, __LINE__, #got)

/* Whether two weights, or sums of them, are the same; almost, where they need not be alike to the bit. */
static inline int test_same_weight(double a, double b) {
  return a == b || (!TEST_ALIKE && fabs(a - b) <= 1e-5 * (a + b) + 2);
}

/* The larger one. NaN stays; fmax, whose loops gcc 12.2 for AArch64 does not always compile, loses it. */
static inline double test_larger(double a, double b) { return a > b || a != a ? a : b; }

static inline int test_report(void) {
  printf("%ld passed, %ld failed\n", test_passed, test_failed);
  return test_failed != 0 || test_passed == 0;
}

#endif
