/* The model of examples/lattice.c, step by step. */
#include <stdio.h>
#include <stdlib.h>
#include "lattice_model.h"

#define LBP_AB_NAME     lattice
#define LBP_AB_MODEL_T  string
#define LBP_AB_GRADIENT string_gradient
#include "lbp_ab.h"

int main(void) {
  enum { D = 20, WORK = 10000, BYTES = 1 << 20 };
  static uint8_t x[D];
  static double ws[LBP_AB_WS_LEN(D)], diagonal[D], work[WORK], value[3 * D];
  static uint32_t start[D + 1], column[3 * D];
  const string model = {D, 0.5};
  const lbp_symmetric W = {D, NULL, start, column, value};
  void *memory = malloc(BYTES);
  uint32_t i, t, entries = 0;
  double jump = 0;
  lattice_chain chain;
  lattice_adaptive adaptive;
  lattice_curvature curvature;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
  if (!memory || lattice_adaptive_bytes(D) > BYTES) return 1;
#include "main.c"
  if (lattice_check(&chain, &model, 10, &rng).status != LBP_OK || !(jump > 1000)) return 1;
  for (t = 0; t < 4000; t++) jump -= 1000 * lattice_adaptive_step(&chain, &model, &adaptive, &rng).jump / 1000;
  t = adaptive.status != LBP_OK || jump > 0; /* the Hessian gives more */
  free(memory);
  return t != 0;
}
