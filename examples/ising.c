/* An Ising model of one's own: a periodic square lattice of spins in lbp.h's terms, and a sampler that tunes itself.
 *
 *   cc -O3 -march=native -I.. ising.c -lm && ./a.out
 */
#include <stdio.h>

#include "lbp_stats.h" /* brings lbp.h's support section */

enum { SIDE = 64, N = SIDE * SIDE, STEPS = 40000, WARMUP = 10000 };

typedef struct {
  double beta; /* log pi(x) = beta * sum over bonds of s_i s_j, s = 2x - 1 */
} grid;

/* the four sites next to i */
static uint32_t grid_neighbours(const grid *g, uint32_t i, uint32_t *out) {
  const uint32_t row = i / SIDE, column = i % SIDE;
  (void)g;
  out[0] = (row + 1) % SIDE * SIDE + column;
  out[1] = (row + SIDE - 1) % SIDE * SIDE + column;
  out[2] = row * SIDE + (column + 1) % SIDE;
  out[3] = row * SIDE + (column + SIDE - 1) % SIDE;
  return 4;
}

/* log pi(x with site i flipped) - log pi(x) */
static double grid_delta(const grid *g, const uint8_t *x, uint32_t i) {
  uint32_t near[4];
  grid_neighbours(g, i, near);
  const int ones = x[near[0]] + x[near[1]] + x[near[2]] + x[near[3]];
  return (x[i] ? -4 : 4) * g->beta * (ones - 2);
}

#define LBP_NAME           ising /* -> ising_chain, ising_init(), ising_albp_step() ... */
#define LBP_MODEL_T        grid
#define LBP_DELTA          grid_delta
#define LBP_NEIGHBOURS     grid_neighbours
#define LBP_MAX_NEIGHBOURS 4
#include "lbp.h"

int main(void) {
  static uint8_t x[N];                /* the state */
  static uint64_t ws[LBP_WS_LEN(N)];  /* the chain's memory */
  const grid g = {0.35};              /* the critical one is 0.4407 */
  ising_chain chain;
  ising_tuner tuner;
  lbp_stats stats;
  lbp_stream magnetisation;
  lbp_rng rng;
  double rate, rate_error, jump, jump_error, mean, error;

  lbp_rng_init(&rng, 2026, 0);
  if (ising_init(&chain, N, x, ws, LBP_WS_LEN(N)) || ising_tuner_init(&tuner, N, WARMUP, LBP_TARGET_LBP)) return 1;
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
