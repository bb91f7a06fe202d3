/* The ring of examples/ring.c, 256 times: its blocks are a program. */
#include <stdlib.h>
#include "ring.h"
#include "top.c"

int main(void) {
  enum { N = 1000 };
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN(N)];
  static uint32_t ones[256];
  const ring model = {N, 0.4, 0.1};
  uint64_t *memory;
  double sum = 0;
  size_t len;
  uint32_t t, l;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
  {
#include "main.c"
    for (l = 0; l < 256; l++) sum += ones[l] / 256.0 / N;
    free(memory);
    return sum < 0.6088 - 0.005 || sum > 0.6088 + 0.005 || lanes.units[0] == 0;
  }
}
