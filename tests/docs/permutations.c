/* A matching of 30 rows with random costs. */
#include "lbp_perm.h"
#include "top.c"

int main(void) {
  enum { N = 30 };
  static uint64_t ws[LBP_WS_LEN_PAIRS(N)];
  static costs model;
  uint32_t s[N], a, b;
  lbp_pairs_tuner tuner;
  pairing_chain chain;
  lbp_rng rng;
  double first, mean = 0;
  int t;
  lbp_rng_init(&rng, 1, 0);
  model.n = N;
  for (a = 0; a < N; a++) {
    for (b = 0; b < N; b++) model.cost[a][b] = 10 * lbp_u01(lbp_rng_u64(&rng));
    s[a] = a;
  }
  first = costs_logp(&model, s);
#include "init.c"
  if (lbp_pairs_tuner_init(&tuner, N, 1000, (double)LBP_TARGET_LBP) != LBP_OK) return 3;
  for (t = 0; t < 3000; t++) {
#include "main.c"
    mean += costs_logp(&model, s) / 3000;
  }
  return !(mean > first + 50 && mean > -40 && mean < -20 && tuner.r > 2);
}
