/* Paths of inequalities.md, among the independent sets of a ring. */
#include <math.h>
#include "lbp.h"
#include "ring_model.h"

LBP_FN double set_delta(const ring *m, const uint8_t *x, uint32_t i) {
  if (x[(i + 1) % m->n] || x[(i + m->n - 1) % m->n]) return x[i] ? INFINITY : -INFINITY;
  return x[i] ? -m->field : m->field;
}

#define LBP_NAME           set
#define LBP_MODEL_T        ring
#define LBP_DELTA          set_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_PATH
#include "lbp.h"

int main(void) {
  enum { N = 400 };
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN(N)];
  const ring model = {N, 0, 0.3};
  set_chain chain;
  set_info it;
  lbp_rng rng;
  uint32_t i;
  lbp_rng_init(&rng, 1, 1);
  if (set_init(&chain, N, x, ws, LBP_WS_LEN(N)) != LBP_OK) return 1;
  if (set_check(&chain, &model, 3, &rng).status != LBP_OK) return 2;
#include "main.c"
  for (i = 0; i < N; i++) {
    if (x[i] && x[(i + 1) % N]) return 3;
  }
  return it.proposed == 0;
}
