/* A ring of 40 sites with 20 chords to be cut: where the two halves of the ring have opposite colours, all edges are but
 * the two between the halves, and no cut has more. */
#include <stdio.h>
#include "top.c"

int main(void) {
  enum { N = 40, EDGES = N + N / 2 };
  static uint32_t ends[6 * EDGES];
  static double value[3 * EDGES];
  uint32_t e, count = 0;
  double best = 0;
  lbp_qubo model;
  for (e = 0; e < EDGES; e++) {
    const uint32_t i = e < N ? e : e - N, j = e < N ? (e + 1) % N : i + N / 2, pair[6] = {i, i, j, j, i, j};
    memcpy(ends + 2 * count, pair, sizeof pair);
    value[count] = value[count + 1] = -1;
    value[count + 2] = 2;
    count += 3;
  }
  if (lbp_qubo_init(&model, N, count, ends, value, 0, 100) != LBP_OK) return 1;
#define lbp_run_free(result) best = (result)->best_logp ? (result)->best_logp[0] : 0, lbp_run_free(result)
#include "main.c"
  lbp_qubo_free(&model);
  return !(best >= EDGES - 2 && best <= EDGES - 2);
}
