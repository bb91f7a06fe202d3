/* The page on samplers: clusters. */
#include "lbp_models.h"
#include "top.c"

int main(void) {
  enum { SIDE = 8 };
  static uint64_t ws[LBP_WS_LEN(SIDE * SIDE)];
  static uint8_t x[SIDE * SIDE];
  const double alpha[SIDE * SIDE] = {0};
  magnet_chain chain;
  lbp_ising model;
  lbp_rng rng;
  uint32_t jump;
  lbp_rng_init(&rng, 1, 0);
  if (lbp_ising_init(&model, SIDE, SIDE, 0.44, alpha) != LBP_OK) return 1;
  if (magnet_init(&chain, SIDE * SIDE, x, ws, LBP_WS_LEN(SIDE * SIDE)) != LBP_OK) return 1;
  jump = magnet_wolff_step(&chain, &model, &rng).jump + magnet_swendsen_wang_step(&chain, &model, &rng).jump;
  lbp_ising_free(&model);
  return jump == 0;
}
