/* The model of examples/ring.c with a number of sites that the compiler knows. */
#include "ring_model.h"
#include "top.c"

int main(void) {
  static small_chain chain;
  const uint8_t x[100] = {1};
  const ring model = {100, 0.4, 0.1};
  double accepted = 0;
  lbp_rng rng;
  int t;
  lbp_rng_init(&rng, 1, 0);
  if (small_init(&chain, x) != LBP_OK || small_check(&chain, &model, 10, &rng).status != LBP_OK) return 1;
  for (t = 0; t < 100; t++) accepted += small_lbp_step(&chain, &model, 5, &rng).accepted;
  return !(accepted > 50);
}
