/* CUDA's qualifiers, for a compiler without them; tests/hygiene.sh asks nvcc itself. */
#define __host__
#define __device__
#include "top.c"
#include "ring.h"

int main(void) {
  static uint8_t x[10];
  static uint64_t ws[LBP_WS_LEN(10)];
  ring_chain chain;
  return ring_init(&chain, 10, x, ws, LBP_WS_LEN(10));
}
