/* Template: one instance of lbp.h and where it goes. Parameters: those of lbp.h but for LBP_NAME and LBP_MODEL_T; CASE
 * (the prefix), CASE_RNG (lbp_rng, or a type that begins with one) and, where they are defined, CASE_FIXED (n is
 * fixed), CASE_FIELDS (there are some), CASE_NO_TYPE (the model has none). Generates CASE_trace(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME CASE
#ifndef CASE_NO_TYPE
#define LBP_MODEL_T toy
#endif
#ifdef CASE_FIXED
#define LBP_N 10 /* TOY_MAX */
#endif
#ifdef CASE_FIELDS
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#endif
#include "../../lbp.h"

/* A hash of all states and acceptance probabilities of a run with every sampler, on a model of TOY_MAX sites. */
LBP_FN uint64_t CASE_ID(_trace)(const toy *m) {
  uint8_t x[TOY_MAX] = {0, 1};
#ifdef CASE_FIELDS
  toy_fields fields;
#endif
#ifndef CASE_FIXED
  uint64_t ws[LBP_WS_LEN_DENSE(TOY_MAX)];
#endif
  CASE_ID(_chain) c;
  CASE_ID(_tuner) tuner;
  CASE_RNG rng;
  uint64_t hash = 0;
  uint32_t t, i;
  int status;
  memset(&rng, 0, sizeof rng);
  lbp_rng_init((lbp_rng *)(void *)&rng, 17, 4);
#if defined CASE_FIXED && defined CASE_FIELDS
  status = CASE_ID(_init)(&c, x, &fields);
#elif defined CASE_FIXED
  status = CASE_ID(_init)(&c, x);
#elif defined CASE_FIELDS
  status = CASE_ID(_init)(&c, TOY_MAX, x, &fields, ws, sizeof ws / sizeof *ws);
#else
  status = CASE_ID(_init)(&c, TOY_MAX, x, ws, sizeof ws / sizeof *ws);
#endif
  CHECK(status == LBP_OK);
  CHECK(CASE_ID(_check)(&c, m, 20, &rng).status == LBP_OK);
  lbp_rng_init((lbp_rng *)(void *)&rng, 17, 5); /* what a check draws depends on what there is to check */
  CHECK(CASE_ID(_tuner_init)(&tuner, TOY_MAX, 200, (CASE_ID(_real))0.5) == LBP_OK);
  for (t = 0; t < 1000; t++) {
    const CASE_ID(_info) info = t % 5 == 0   ? CASE_ID(_lbp_step)(&c, m, 1 + t % 4, &rng)
                                : t % 5 == 1 ? CASE_ID(_gwg_step)(&c, m, 1 + t % 4, &rng)
                                : t % 5 == 2 ? CASE_ID(_rwm_step)(&c, m, 1 + t % 3, &rng)
                                : t % 5 == 3 ? CASE_ID(_albp_step)(&c, m, &tuner, &rng)
                                             : CASE_ID(_gibbs_sweep)(&c, m, &rng);
    const double accept = (double)info.accept;
    uint64_t word;
    memcpy(&word, &accept, sizeof word);
    hash = (hash ^ word) * 6364136223846793005u;
    for (i = 0; i < TOY_MAX; i++) hash = (hash ^ c.x[i]) * 6364136223846793005u + 1;
  }
  return hash;
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_FIXED
#undef CASE_FIELDS
#undef CASE_NO_TYPE
#undef CASE_RNG
