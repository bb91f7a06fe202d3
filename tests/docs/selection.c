/* Columns chosen for simulated data, of which three are true. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include "top.c"

enum { ROWS = 60, COLUMNS = 12 };

int main(void) {
  static double X[ROWS * COLUMNS], y[ROWS], p[COLUMNS];
  uint8_t truth[COLUMNS];
  uint32_t i;
  if (lbp_selection_simulate(ROWS, COLUMNS, 0.5, 3, 10, 1, X, y, truth) != LBP_OK) return 1;
  if (inclusion(ROWS, COLUMNS, X, y, p) != LBP_OK) return 1;
  for (i = 0; i < COLUMNS; i++) {
    if ((p[i] > 0.9) != truth[i]) return 1;
  }
  y[3] = HUGE_VAL;
  return inclusion(ROWS, COLUMNS, X, y, p) != LBP_E_NOT_FINITE;
}
