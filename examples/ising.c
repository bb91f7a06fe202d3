/* Your own Ising model: a periodic square lattice of spins in lbp.h's terms, and a sampler that tunes itself.
 *
 *   cc -O3 -march=native -I.. ising.c -lm && ./a.out
 */
#include <stdio.h>

#include "lbp_stats.h" /* brings lbp.h's support section */

enum { SIDE = 64, N = SIDE * SIDE, STEPS = 40000, WARMUP = 10000 };

typedef struct {
  double beta; /* log pi(x) = beta * sum over bonds of s_i s_j, s = 2x - 1 */
} grid;

/* bond t joins site t / 2 to the one on its right, or below */
static uint32_t grid_bond(const grid *g, uint32_t t, uint32_t *out) {
  const uint32_t row = t / 2 / SIDE, column = t / 2 % SIDE;
  (void)g;
  out[0] = t / 2;
  out[1] = t % 2 ? (row + 1) % SIDE * SIDE + column : row * SIDE + (column + 1) % SIDE;
  return 2;
}

#define LBP_NAME          ising /* -> ising_chain, ising_init(), ising_albp_step() ... */
#define LBP_MODEL_T       grid
#define LBP_TERM_COUNT(g) (2 * N)
#define LBP_TERM_SITES    grid_bond
#define LBP_TERM(g, t, v) ((v)[0] == (v)[1] ? (g)->beta : -(g)->beta)
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  4
#include "lbp.h"

int main(void) {
  static uint8_t x[N];                /* the state */
  static uint64_t ws[LBP_WS_LEN(N)];  /* the chain's memory */
  static uint32_t index[LBP_TERMS_LEN(N, 2, 4)]; /* which bonds a site has */
  const grid g = {0.35};              /* the critical one is 0.4407 */
  ising_terms terms;
  ising_chain chain;
  ising_tuner tuner;
  lbp_stats stats;
  lbp_stream magnetisation;
  lbp_rng rng;
  double rate, rate_error, jump, jump_error, mean, error;

  lbp_rng_init(&rng, 2026, 0);
  if (ising_terms_init(&terms, &g, N, index, LBP_TERMS_LEN(N, 2, 4))) return 1;
  if (ising_init(&chain, N, x, &terms, ws, LBP_WS_LEN(N))) return 1;
  if (ising_tuner_init(&tuner, N, WARMUP, LBP_TARGET_LBP)) return 1;
  lbp_stats_init(&stats);
  lbp_stream_init(&magnetisation);

  for (int t = 0; t < WARMUP + STEPS; t++) {
    const ising_info step = ising_albp_step(&chain, &g, &tuner, &rng);
    if (t < WARMUP) continue;
    int ones = 0;
    for (uint32_t i = 0; i < N; i++) ones += x[i];
    lbp_stats_push(&stats, step.accept, step.jump);
    lbp_stream_push(&magnetisation, 2.0 * ones / N - 1);
  }

  if (lbp_stats_acceptance(&stats, &rate, &rate_error) || lbp_stats_ejd(&stats, &jump, &jump_error) ||
      lbp_stream_mean(&magnetisation, &mean, &error)) {
    return 1;
  }
  printf("%d x %d spins, beta = %g: R tuned itself to %.1f sites a step\n", SIDE, SIDE, g.beta, tuner.r);
  printf("acceptance rate         %7.4f +- %.4f (target %.3f)\n", rate, rate_error, LBP_TARGET_LBP);
  printf("expected jump distance  %7.2f +- %.2f sites a step\n", jump, jump_error);
  printf("mean magnetisation      %7.4f +- %.4f (0 by symmetry)\n", mean, error);
  return 0;
}
