/* Template: one type of models for compare.c: instances PAIR_barker and PAIR_sqrt of pair.h, whose parameters it takes,
 * and PAIR_metropolis, the steps of a row for their kernels. */

/* A sweep of single-site Metropolis, in order; returns the number of flips. A dense model keeps the current log pi, so
 * that a site costs one. */
LBP_INLINE uint32_t BENCH_PASTE(PAIR, _sweep)(const MODEL *m, uint8_t *x, uint32_t n, lbp_rng *rng) {
  float bar[METROPOLIS_BLOCK];
  uint32_t flips = 0;
#ifndef MODEL_NEIGHBOURS
  float kept = BENCH_PASTE(MODEL, _logp)(m, x);
#endif
  for (uint32_t i = 0; i < n; i += METROPOLIS_BLOCK) {
    const uint32_t block = n - i < METROPOLIS_BLOCK ? n - i : METROPOLIS_BLOCK;
    draw_bars(rng, bar);
    for (uint32_t k = 0; k < block; k++) {
#ifdef MODEL_NEIGHBOURS
      const uint8_t flip = BENCH_PASTE(MODEL, _delta)(m, x, i + k) > bar[k];
      x[i + k] ^= flip;
#else
      x[i + k] ^= 1u;
      const float flipped = BENCH_PASTE(MODEL, _logp)(m, x);
      const uint8_t flip = flipped - kept > bar[k];
      if (flip) kept = flipped;
      else x[i + k] ^= 1u;
#endif
      flips += flip;
    }
  }
  return flips;
}

static uint32_t BENCH_PASTE(PAIR, _metropolis)(void *chain, const void *model, const lbp_plan *plan, void *tuner,
                                               uint32_t count, double limit, int learn, lbp_moves *moves) {
  lbp_unit *unit = (lbp_unit *)chain;
  double work = 0;
  uint32_t t;
  (void)tuner, (void)learn;
  for (t = 0; t < count && work < limit; t++) {
    const uint32_t flips = BENCH_PASTE(PAIR, _sweep)((const MODEL *)model, (uint8_t *)unit->x, plan->n, &unit->rng);
    work += tell_sweep(chain, plan, plan->n, flips, moves);
  }
  return t;
}

#include "../common/pair.h"
