/* A checked build of examples/ring.c: its model is right, then x is changed without a word. */
#define LBP_CHECKED 1
#include "ring.h"

int main(void) {
  enum { N = 100 };
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN(N)];
  const ring model = {N, 0.4, 0.1};
  ring_chain chain;
  lbp_rng rng;
  int t;
  lbp_rng_init(&rng, 1, 0);
  if (ring_init(&chain, N, x, ws, LBP_WS_LEN(N)) != LBP_OK) return 1;
#include "main.c"
  ring_lbp_step(&chain, &model, 1, &rng);
  if (report.status != LBP_OK || ring_fault(&chain).status != LBP_OK) return 1;
  memset(x, 1, N / 2);
  for (t = 0; t < 1000; t++) ring_lbp_step(&chain, &model, 1, &rng);
#include "fault.c"
  return ring_fault(&chain).status != LBP_E_STALE;
}
