/* A loop of examples/ring.c: its blocks are steps of one chain. */
#include "ring.h"
#include "top.c"

int main(void) {
  enum { N = 1000 };
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN(N)], cold_ws[LBP_WS_LEN(N)];
  const ring model = {N, 0.4, 0.1};
  ring_chain chain;
  ring_tuner tuner;
  static uint8_t y[N];
  cold_chain sharp;
  lbp_clock_tuner clock;
  lbp_rng rng;
  uint32_t t;
  lbp_rng_init(&rng, 1, 0);
  if (ring_init(&chain, N, x, ws, LBP_WS_LEN(N)) != LBP_OK) return 1;
  if (cold_init(&sharp, N, y, cold_ws, LBP_WS_LEN(N)) != LBP_OK) return 1;
  if (cold_check(&sharp, &model, 10, &rng).status != LBP_OK) return 1; /* levels, too */
  if (ring_tuner_init(&tuner, N, 100, LBP_TARGET_LBP) != LBP_OK) return 1;
#include "main.c"
  if (clock.step != 2000 || sharp.x != y) return 1;
  return tuner.warmup != 2000 || ring_check(&chain, &model, 10, &rng).status != LBP_OK;
}
