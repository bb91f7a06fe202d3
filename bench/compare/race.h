/* Template: one type of models for compare.c. Parameters: RACE, its name; RACE_MODEL, the type, behind whose name are
 * those of its functions: _logp(m, x), and
 *   of a local model   _delta and _neighbours as in lbp.h, with RACE_MAX_NEIGHBOURS;
 *   of a dense one     _deltas as in lbp.h, where acceptance is by _logp.
 * Generates instances RACE_barker and RACE_sqrt, by their weight functions, and RACE_metropolis, the steps of a row for
 * their kernels. */

#define RACE_PASTE2(a, b) a##b
#define RACE_PASTE(a, b)  RACE_PASTE2(a, b)
#define RACE_ID(name)     RACE_PASTE(RACE, name)
#define RACE_CALL(name)   RACE_PASTE(RACE_MODEL, name)

/* pair.h forgets what MODEL is */
#define PAIR  RACE
#define MODEL RACE_MODEL
#ifdef RACE_MAX_NEIGHBOURS
#define MODEL_NEIGHBOURS RACE_MAX_NEIGHBOURS
#endif
#include "../common/pair.h"

/* A sweep of single-site Metropolis, in order; returns the number of flips. A dense model keeps the current log pi, so
 * that a site costs one. */
LBP_INLINE uint32_t RACE_ID(_sweep)(const RACE_MODEL *m, uint8_t *x, uint32_t n, lbp_rng *rng) {
  float bar[METROPOLIS_BLOCK];
  uint32_t flips = 0;
#ifndef RACE_MAX_NEIGHBOURS
  float kept = RACE_CALL(_logp)(m, x);
#endif
  for (uint32_t i = 0; i < n; i += METROPOLIS_BLOCK) {
    const uint32_t block = n - i < METROPOLIS_BLOCK ? n - i : METROPOLIS_BLOCK;
    draw_bars(rng, bar);
    for (uint32_t k = 0; k < block; k++) {
#ifdef RACE_MAX_NEIGHBOURS
      const uint8_t flip = RACE_CALL(_delta)(m, x, i + k) > bar[k];
      x[i + k] ^= flip;
#else
      x[i + k] ^= 1u;
      const float flipped = RACE_CALL(_logp)(m, x);
      const uint8_t flip = flipped - kept > bar[k];
      if (flip) kept = flipped;
      else x[i + k] ^= 1u;
#endif
      flips += flip;
    }
  }
  return flips;
}

static uint32_t RACE_ID(_metropolis)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                     double limit, int learn, lbp_moves *moves) {
  lbp_unit *unit = (lbp_unit *)chain;
  double work = 0;
  uint32_t t;
  (void)tuner, (void)learn;
  for (t = 0; t < count && work < limit; t++) {
    const uint32_t flips = RACE_ID(_sweep)((const RACE_MODEL *)model, (uint8_t *)unit->x, plan->n, &unit->rng);
    work += tell_sweep(chain, plan, flips, moves);
  }
  return t;
}

#undef RACE_PASTE2
#undef RACE_PASTE
#undef RACE_ID
#undef RACE_CALL
#undef RACE
#undef RACE_MODEL
#undef RACE_MAX_NEIGHBOURS
