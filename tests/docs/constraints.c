/* Groups that keep their number of ones, of constraints.md, each checked. */
#include <stdio.h>
#include "lbp_stats.h"
#include "ring_model.h"
#include "top.c"

int main(void) {
  enum { N = 40 };
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN(N) + LBP_WS_LEN_SWAP(N, N)];
  const ring model = {N, 0.3, 0.1};
  half_chain chain;
  half_tuner tuner;
  lbp_rng rng;
  uint32_t t, accepted = 0, ones = 0;
  lbp_rng_init(&rng, 1, 0);
  if (half_init(&chain, N, x, ws, sizeof ws / sizeof ws[0]) != LBP_OK) return 1;
#include "loop.c"
  for (t = 0; t < N; t++) ones += x[t];
  if (ones != N / 2 || accepted < 1000 || half_check(&chain, &model, 3, &rng).status != LBP_OK) return 1;
#include "main.c"
  return 0;
}
