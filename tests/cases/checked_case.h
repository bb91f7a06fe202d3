/* Template: an instance of lbp.h and a run of any of its samplers, which a checked build must leave as it is on a right
 * model and stop on a wrong one. Parameters: those of lbp.h but for LBP_NAME; CASE (the prefix), CASE_MODEL, and for a
 * model with fields CASE_FIELDS. n <= CASE_MOST. */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME    CASE
#define LBP_MODEL_T CASE_MODEL
#ifdef CASE_FIELDS
#define LBP_FIELDS_T CASE_FIELDS
#endif
#include "../../lbp.h"

/* `steps` steps, from a state of ones and zeros in turn. *hash tells of all states and infos. Returns the chain's
 * fault, after which nothing may have moved. */
LBP_FN CASE_ID(_report) CASE_ID(_run)(const CASE_MODEL *m, uint32_t n, int sampler, uint32_t steps, uint64_t *hash) {
  static uint64_t ws[LBP_WS_LEN_DENSE(CASE_MOST)];
  uint8_t x[CASE_MOST], before[CASE_MOST];
#ifdef CASE_FIELDS
  CASE_FIELDS fields;
#endif
  CASE_ID(_chain) c;
  CASE_ID(_tuner) tuner;
  CASE_ID(_info) it;
  lbp_rng rng;
  uint32_t t, i;
  lbp_rng_init(&rng, 7, (uint64_t)sampler);
  for (i = 0; i < n; i++) x[i] = (uint8_t)(i % 2);
#ifdef CASE_FIELDS
  CHECK(CASE_ID(_init)(&c, n, x, &fields, ws, CASE_ID(_ws_len)(n)) == LBP_OK);
#else
  CHECK(CASE_ID(_init)(&c, n, x, ws, CASE_ID(_ws_len)(n)) == LBP_OK);
#endif
  CHECK(CASE_ID(_tuner_init)(&tuner, n, UINT32_MAX, (CASE_ID(_real))LBP_TARGET_LBP) == LBP_OK);
  for (t = 0, *hash = 0; t < steps; t++) {
    const int failed = CASE_ID(_fault)(&c).status != LBP_OK;
    memcpy(before, x, n);
    switch (sampler < RUN_ALL ? sampler : (int)(t % RUN_ALL)) {
      case RUN_LBP: it = CASE_ID(_lbp_step)(&c, m, 1 + t % 3, &rng); break;
      case RUN_GWG: it = CASE_ID(_gwg_step)(&c, m, 1 + t % 3, &rng); break;
      case RUN_RWM: it = CASE_ID(_rwm_step)(&c, m, 1 + t % 3, &rng); break;
      case RUN_ALBP: it = CASE_ID(_albp_step)(&c, m, &tuner, &rng); break;
      case RUN_AGWG: it = CASE_ID(_agwg_step)(&c, m, &tuner, &rng); break;
      case RUN_ARWM: it = CASE_ID(_arwm_step)(&c, m, &tuner, &rng); break;
      default: it = CASE_ID(_gibbs_sweep)(&c, m, &rng);
    }
    if (failed) {
      CHECK(memcmp(before, x, n) == 0 && !it.accepted && it.jump == 0 && it.proposed == 0 && it.sites == NULL);
    }
    if (!failed && sampler < RUN_GIBBS && CASE_ID(_fault)(&c).status != LBP_OK) { /* found in this step */
      CHECK(memcmp(before, x, n) == 0 && !it.accepted && it.jump == 0);
    }
    for (i = 0; i < n; i++) *hash = *hash * 6364136223846793005u + x[i] + 1;
    *hash = *hash * 6364136223846793005u + it.evaluations + (it.accepted ? 1000 : 0) + rng.left;
    *hash = *hash * 6364136223846793005u + (uint64_t)((double)it.accept * 1e9);
  }
  return CASE_ID(_fault)(&c);
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_MODEL
#undef CASE_FIELDS
