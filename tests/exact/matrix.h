/* Laws of transitions as matrices of up to 32 states: products, e^(Q time), and counts against a row. For test_sharp.c,
 * test_clamped.c and test_path.c. */
#ifndef EXACT_MATRIX_H
#define EXACT_MATRIX_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../chi2.h"

enum { MATRIX_STATES = 32 };

typedef double matrix[MATRIX_STATES][MATRIX_STATES]; /* from the state that is the row to the column's */

static void matrix_identity(uint32_t states, matrix out) {
  uint32_t x;
  memset(out, 0, sizeof(matrix));
  for (x = 0; x < states; x++) out[x][x] = 1;
}

/* out = a b; out may be one of them. Both are only read, but C takes no matrix for one of constants without a cast. */
static void matrix_multiply(uint32_t states, matrix a, matrix b, matrix out) {
  static matrix product;
  uint32_t x, y, z;
  memset(product, 0, sizeof product);
  for (x = 0; x < states; x++)
    for (z = 0; z < states; z++)
      for (y = 0; y < states; y++) product[x][y] += a[x][z] * b[z][y];
  memcpy(out, product, sizeof product);
}

/* out = e^(Q time), by its series for time / 2^k, squared k times. Q is only read: rates, and on its diagonal minus the
 * sum of its row. */
static inline void matrix_exponential(uint32_t states, matrix Q, double time, matrix out) {
  static matrix power;
  double largest = 0, share;
  uint32_t x, y;
  int doublings = 0, k;
  for (x = 0; x < states; x++) largest = fmax(largest, -Q[x][x]);
  while (largest * time / (1 << doublings) > 0.01) doublings++;
  share = time / (1 << doublings);
  matrix_identity(states, out);
  memcpy(power, out, sizeof power);
  for (k = 1; k < 9; k++) {
    matrix_multiply(states, power, Q, power);
    for (x = 0; x < states; x++) {
      for (y = 0; y < states; y++) out[x][y] += power[x][y] *= share / k;
    }
  }
  for (k = 0; k < doublings; k++) matrix_multiply(states, out, out, out);
}

/* Ends that were seen from one state against its row, to the sums of a chi-squared test. */
static void matrix_compare(uint32_t states, const uint32_t *seen, const double *row, double least, chi2_sums *sums) {
  double all = 0;
  uint32_t y;
  for (y = 0; y < states; y++) all += seen[y];
  if (all > 0) chi2_row(sums, seen, row, states, all, least);
}

#endif
