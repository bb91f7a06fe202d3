/* The model of examples/lattice.c, step by step. */
#include <stdio.h>
#include <stdlib.h>
#include "lattice_model.h"

#define LBP_NAME     lattice
#define LBP_MODEL_T  string
#define LBP_GRADIENT string_gradient
#include "lbp_ab.h"

enum { D = 20 };

/* log pi is quadratic: differences of its gradient are its Hessian. */
static int is_hessian(const lbp_symmetric *W, const string *m) {
  uint8_t x[D] = {0};
  double here[D], there[D];
  uint32_t i, j;
  string_gradient(m, x, here);
  for (j = 0; j < D; j++) {
    x[j] = 1;
    string_gradient(m, x, there);
    x[j] = 0;
    for (i = 0; i < D; i++) {
      const double gap = there[i] - here[i] - lbp_symmetric_entry(W, i, j);
      if (gap > 1e-12 || gap < -1e-12) return 0;
    }
  }
  return 1;
}

int main(void) {
  enum { WORK = 10000, BYTES = 1 << 20 };
  static uint8_t x[D];
  static double ws[LBP_WS_LEN_AB(D)], diagonal[D], work[WORK], value[3 * D];
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
  if (!is_hessian(&W, &model)) return 2;
  for (t = 0, jump = 0; t < 4000; t++) jump += lattice_adaptive_step(&chain, &model, &adaptive, &rng).jump;
  free(memory);
  return adaptive.status != LBP_OK || !(jump > 4000);
}
