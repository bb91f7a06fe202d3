/* The largest cut of the Petersen graph has 12 of its 15 edges. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "top.c"

int main(void) {
  lbp_qubo_terms t;
  lbp_qubo_fault fault;
  lbp_qubo_dense model;
  uint8_t best[10];
  double energy;
  FILE *file = tmpfile();
  int k;
  if (!file) return 1;
  fprintf(file, "10 15\n");
  for (k = 0; k < 5; k++) {
    fprintf(file, "%d %d\n%d %d\n%d %d\n", k + 1, (k + 1) % 5 + 1, k + 1, k + 6, k + 6, (k + 2) % 5 + 6);
  }
  rewind(file);
#include "main.c"
  k = energy == -12 && lbp_qubo_terms_energy(&t, best) == -12;
  lbp_qubo_dense_free(&model);
  lbp_qubo_terms_free(&t);
  fclose(file);
  return !k;
}
