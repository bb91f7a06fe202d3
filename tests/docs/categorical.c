/* A ring of three colours. */
#include "lbp.h"
#include "top.c"

int main(void) {
  enum { N = 100 };
  static uint8_t x[N];
  static uint64_t ws[2000];
  const colours model = {N, 0.8};
  colours_chain chain;
  colours_tuner tuner;
  lbp_scale_tuner scale;
  lbp_rng rng;
  double alike = 0;
  int t;
  lbp_rng_init(&rng, 1, 0);
  if (colours_ws_len(N) > 2000 || colours_tuner_init(&tuner, N, 1000, LBP_TARGET_LBP) != LBP_OK) return 1;
  if (lbp_scale_tuner_init(&scale, 0.1, 1000, (double)LBP_TARGET_LBP) != LBP_OK) return 1;
  for (t = 0; t < 4000; t++) {
#include "main.c"
    alike += colours_logp(&model, x) / model.beta / N / 4000;
  }
  return !(alike > 0.50 && alike < 0.55); /* e^0.8 / (e^0.8 + 2) = 0.527, and some more on a ring */
}
