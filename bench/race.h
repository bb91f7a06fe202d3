/* Template: one weight function's contestants on one model. Parameters: RACE, the instance's name, which becomes its
 * LBP_NAME; RACE_WEIGHT; RACE_MODEL_T; RACE_LOGP(m, x) -> log pi(x); and
 *   of a local model   RACE_DELTA, RACE_NEIGHBOURS, RACE_MAX_NEIGHBOURS as in lbp.h;
 *   of a dense one     RACE_DELTAS as in lbp.h, whose acceptance is then by RACE_LOGP.
 * Generates the engine RACE_engine of compare.c, whose types must be known before. */

#define RACE_PASTE2(a, b) a##b
#define RACE_PASTE(a, b)  RACE_PASTE2(a, b)
#define RACE_ID(name)     RACE_PASTE(RACE, name)

#define LBP_NAME    RACE
#define LBP_MODEL_T RACE_MODEL_T
#define LBP_REAL    float
#define LBP_WEIGHT  RACE_WEIGHT
#ifdef RACE_DELTA
#define LBP_DELTA          RACE_DELTA
#define LBP_NEIGHBOURS     RACE_NEIGHBOURS
#define LBP_MAX_NEIGHBOURS RACE_MAX_NEIGHBOURS
#else
#define LBP_DELTAS RACE_DELTAS
#define LBP_LOGP   RACE_LOGP
#endif
#include "../lbp.h"

typedef struct {
  RACE_ID(_chain) chain;
  RACE_ID(_tuner) tuner;
  uint64_t *ws;
} RACE_ID(_lane);

static double RACE_ID(_race_logp)(const void *m, const uint8_t *x) {
  return (double)(RACE_LOGP((const RACE_MODEL_T *)m, x));
}

static void RACE_ID(_race_start)(racer *r) {
  const size_t ws_len = RACE_ID(_ws_len)(r->n);
  RACE_ID(_lane) *lane = (RACE_ID(_lane) *)basic_alloc(1, sizeof *lane);
  int status;
  lane->ws = (uint64_t *)basic_alloc(ws_len, sizeof *lane->ws);
  status = RACE_ID(_init)(&lane->chain, r->n, r->x, lane->ws, ws_len);
  if (status != LBP_OK) basic_die("%s", lbp_error(status));
  r->lane = lane;
}

static void RACE_ID(_race_finish)(racer *r) {
  RACE_ID(_lane) *lane = (RACE_ID(_lane) *)r->lane;
  free(lane->ws);
  free(lane);
}

/* A new tuner, which starts from R. */
static void RACE_ID(_race_tune)(racer *r, double R, uint32_t warmup) {
  RACE_ID(_tuner) *tuner = &((RACE_ID(_lane) *)r->lane)->tuner;
  const step_cost *low = &r->costs[0], *high = &r->costs[1];
  int status = RACE_ID(_tuner_init)(tuner, r->n, warmup, (float)r->how->target);
  if (status == LBP_OK && high->cost > 0) {
    status = RACE_ID(_tuner_cost)(tuner, (float)low->r, (float)low->cost, (float)high->r, (float)high->cost);
  }
  if (status != LBP_OK) basic_die("%s", lbp_error(status));
  tuner->r = (float)R;
}

static double RACE_ID(_race_r)(const racer *r) { return (double)((const RACE_ID(_lane) *)r->lane)->tuner.r; }

/* One sweep of single-site Metropolis, in order. A dense model keeps the current log pi, so that a site costs one. */
static RACE_ID(_info) RACE_ID(_race_metropolis)(racer *r) {
  const RACE_MODEL_T *m = (const RACE_MODEL_T *)r->model;
  float bar[METROPOLIS_BLOCK];
  RACE_ID(_info) info;
  uint32_t i, k;
#ifndef RACE_DELTA
  float kept = RACE_LOGP(m, r->x);
#endif
  memset(&info, 0, sizeof info);
  for (i = 0; i < r->n; i += METROPOLIS_BLOCK) {
    const uint32_t block = r->n - i < METROPOLIS_BLOCK ? r->n - i : METROPOLIS_BLOCK;
    draw_bars(&r->rng, bar);
    for (k = 0; k < block; k++) {
#ifdef RACE_DELTA
      const uint8_t flip = RACE_DELTA(m, r->x, i + k) > bar[k];
      r->x[i + k] ^= flip;
#else
      float flipped;
      uint8_t flip;
      r->x[i + k] ^= 1u;
      flipped = RACE_LOGP(m, r->x);
      flip = flipped - kept > bar[k];
      if (flip) kept = flipped;
      else r->x[i + k] ^= 1u;
#endif
      info.jump += flip;
    }
  }
  info.proposed = info.evaluations = r->n;
  return info;
}

static RACE_ID(_info) RACE_ID(_race_step)(racer *r, RACE_ID(_lane) *lane, const RACE_MODEL_T *m) {
  switch (r->how->move) {
    case MOVE_RWM_ONE: return RACE_ID(_rwm_step)(&lane->chain, m, 1, &r->rng);
    case MOVE_RWM: return RACE_ID(_arwm_step)(&lane->chain, m, &lane->tuner, &r->rng);
    case MOVE_GWG: return RACE_ID(_agwg_step)(&lane->chain, m, &lane->tuner, &r->rng);
    case MOVE_LBP_ONE: return RACE_ID(_lbp_step)(&lane->chain, m, 1, &r->rng);
    case MOVE_LBP: return RACE_ID(_albp_step)(&lane->chain, m, &lane->tuner, &r->rng);
    case MOVE_METROPOLIS: return RACE_ID(_race_metropolis)(r);
    default: return RACE_ID(_gibbs_sweep)(&lane->chain, m, &r->rng);
  }
}

static void RACE_ID(_race_advance)(racer *r, uint64_t steps) {
  RACE_ID(_lane) *lane = (RACE_ID(_lane) *)r->lane;
  uint64_t accepted = 0, jump = 0, evaluations = 0, t;
  for (t = 0; t < steps; t++) {
    const RACE_ID(_info) info = RACE_ID(_race_step)(r, lane, (const RACE_MODEL_T *)r->model);
    accepted += info.accepted;
    jump += info.jump;
    evaluations += info.evaluations;
  }
  r->steps += steps;
  r->accepted += accepted;
  r->jump += jump;
  r->evaluations += evaluations;
}

static const engine RACE_ID(_engine) = {RACE_ID(_race_logp), RACE_ID(_race_start), RACE_ID(_race_finish),
                                        RACE_ID(_race_tune), RACE_ID(_race_r), RACE_ID(_race_advance), NULL};

#undef RACE_PASTE2
#undef RACE_PASTE
#undef RACE_ID
#undef RACE
#undef RACE_WEIGHT
#undef RACE_MODEL_T
#undef RACE_LOGP
#undef RACE_DELTA
#undef RACE_NEIGHBOURS
#undef RACE_MAX_NEIGHBOURS
#undef RACE_DELTAS
