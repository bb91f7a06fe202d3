/* Template of test_swap_checked.c: swaps of one instance of lbp.h. Parameters: CASE (a prefix), CASE_DENSE (all log-ratios
 * at once). Generates CASE_run(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME    CASE
#define LBP_MODEL_T shy
#define LBP_GROUP   shy_group
#define LBP_CLAMPED
#ifdef CASE_DENSE
#define LBP_DELTAS  shy_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP    shy_logp
#else
#define LBP_DELTA          shy_delta
#define LBP_NEIGHBOURS     shy_neighbours
#define LBP_MAX_NEIGHBOURS 4
#endif
#include "../../lbp.h"

/* Steps of one kind from shy_start, sites 1 and 31 clamped; halfway, if asked, x[at] is changed from outside. The fault
 * at the end; *hash is of all states and of what was said of the steps. */
LBP_FN int CASE_ID(_run)(const shy *m, int kind, int at, uint64_t *hash) {
  static uint64_t ws[SHY_WORDS];
  uint8_t x[N], mask[N] = {0};
  CASE_ID(_chain) c;
  CASE_ID(_tuner) t;
  lbp_rng rng;
  uint32_t s, i;
  memset(&c, 0, sizeof c);
  shy_start(x);
  mask[1] = mask[31] = 1;
  lbp_rng_init(&rng, 11, (uint64_t)kind);
  CHECK(CASE_ID(_ws_len)(N) <= SHY_WORDS && CASE_ID(_init)(&c, N, x, ws, SHY_WORDS) == LBP_OK);
  CHECK(CASE_ID(_tuner_init)(&t, N, STEPS / 2, LBP_TARGET_LBP) == LBP_OK && CASE_ID(_clamp)(&c, mask) == LBP_OK);
  *hash = 0;
  for (s = 0; s < STEPS; s++) {
    CASE_ID(_info) info;
    if (at >= 0 && s == STEPS / 2) x[at] ^= 1;
    info = kind == STEP_SWAP       ? CASE_ID(_swap_step)(&c, m, 3, &rng)
           : kind == STEP_TUNED    ? CASE_ID(_aswap_step)(&c, m, &t, &rng)
           : kind == STEP_KAWASAKI ? CASE_ID(_kawasaki_step)(&c, m, &rng)
           : kind == STEP_SWEEP    ? CASE_ID(_swap_sweep)(&c, m, &rng)
#ifdef CASE_DENSE
           : CASE_ID(_gibbs_sweep)(&c, m, &rng);
#else
           : kind == STEP_PATH     ? CASE_ID(_swap_path_step)(&c, m, 3, &rng)
                                   : CASE_ID(_gibbs_sweep)(&c, m, &rng);
#endif
    for (i = 0; i < N; i++) *hash = (*hash ^ x[i]) * 0x9e3779b97f4a7c15u;
    *hash = (*hash ^ info.jump) * 0x9e3779b97f4a7c15u;
  }
  return CASE_ID(_fault)(&c).status;
}

#undef CASE
#undef CASE_ID
#undef CASE_PASTE
#undef CASE_PASTE2
