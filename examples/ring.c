/* The README's sampler: an Ising ring in a field. cc -O3 -march=native -I.. ring.c */
#include <stdio.h>
#include "lbp.h"                                           /* the support section: lbp_rng, LBP_FN ... */

typedef struct { uint32_t n; double beta, field; } ring;   /* your model: an Ising ring in a field */

LBP_FN double ring_delta(const ring *m, const uint8_t *x, uint32_t i) { /* log pi(x, i flipped) - log pi(x) */
  const int up = x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n];
  return (x[i] ? -2 : 2) * (m->beta * (2 * up - 2) + m->field);
}
LBP_FN uint32_t ring_neighbours(const ring *m, uint32_t i, uint32_t *out) { /* whose delta changes when i flips */
  out[0] = (i + 1) % m->n, out[1] = (i + m->n - 1) % m->n;
  return 2;
}
LBP_FN double ring_logp(const ring *m, const uint8_t *x) { /* log pi(x): what ring_check holds the rest against */
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += (x[i] == x[(i + 1) % m->n] ? m->beta : -m->beta) + (x[i] ? m->field : -m->field);
  return sum;
}
#define LBP_NAME           ring
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#include "lbp.h"                                           /* -> ring_chain, ring_albp_step() ... */

int main(void) {
  enum { N = 1000 };
  static uint8_t x[N];                                     /* the state, yours */
  static uint64_t ws[LBP_WS_LEN(N)];                       /* the workspace, yours */
  const ring model = {N, 0.4, 0.1};
  double ones = 0, accepted = 0;
  ring_chain chain;
  ring_tuner tuner;
  lbp_rng rng;
  int t, i;
  lbp_rng_init(&rng, 2026, 0);                             /* stream 0 of seed 2026 */
  if (ring_init(&chain, N, x, ws, LBP_WS_LEN(N)) != LBP_OK) return 1;
  if (ring_check(&chain, &model, 10, &rng).status != LBP_OK) return 1; /* is the model right? */
  ring_tuner_init(&tuner, N, 2000, LBP_TARGET_LBP);        /* 2000 steps of warm-up, then R is frozen */
  for (t = 0; t < 12000; t++) {
    const ring_info it = ring_albp_step(&chain, &model, &tuner, &rng);
    if (t < 2000) continue;
    accepted += it.accepted;
    for (i = 0; i < N; i++) ones += x[i];
  }
  printf("R = %.1f, acceptance rate %.3f, mean of x %.4f\n", (double)tuner.r, accepted / 1e4, ones / 1e4 / N);
  return 0;
}
