/* Template: an instance of lbp.h, a look at it by its model check, and steps of it. Parameters: those of lbp.h but for
 * LBP_NAME; CASE (the prefix), CASE_MODEL, CASE_REAL, and for a model with fields CASE_FIELDS. n <= CASE_MOST. */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#ifndef CASE_REAL
#define CASE_REAL double
#endif
#ifdef LBP_N
#define CASE_FIXED
#endif

#define LBP_NAME    CASE
#define LBP_MODEL_T CASE_MODEL
#define LBP_REAL    CASE_REAL
#ifdef CASE_FIELDS
#define LBP_FIELDS_T CASE_FIELDS
#endif
#include "../../lbp.h"

/* A chain that begins at `from`, one of two. */
LBP_FN CASE_ID(_chain) *CASE_ID(_begin)(int which, const uint8_t *from, uint32_t n) {
  static CASE_ID(_chain) c[2];
  static uint8_t x[2][CASE_MOST];
#ifndef CASE_FIXED
  static uint64_t ws[2][LBP_WS_LEN_DENSE(CASE_MOST)];
#endif
#ifdef CASE_FIELDS
  static CASE_FIELDS fields[2];
#endif
  memcpy(x[which], from, n);
#if defined CASE_FIXED && defined CASE_FIELDS
  CHECK(CASE_ID(_init)(&c[which], x[which], &fields[which]) == LBP_OK);
#elif defined CASE_FIXED
  CHECK(CASE_ID(_init)(&c[which], x[which]) == LBP_OK);
#elif defined CASE_FIELDS
  CHECK(CASE_ID(_init)(&c[which], n, x[which], &fields[which], ws[which], CASE_ID(_ws_len)(n)) == LBP_OK);
#else
  CHECK(CASE_ID(_init)(&c[which], n, x[which], ws[which], CASE_ID(_ws_len)(n)) == LBP_OK);
#endif
  return &c[which];
}

LBP_FN void CASE_ID(_go)(CASE_ID(_chain) *c, const CASE_MODEL *m, uint64_t seed, uint32_t steps) {
  lbp_rng rng;
  uint32_t t;
  lbp_rng_init(&rng, seed, 2);
  for (t = 0; t < steps; t++) CASE_ID(_lbp_step)(c, m, 1 + t % 2, &rng);
}

/* What the check finds in `trials` trials, begun at `from`. It must leave the state alone, and a chain that then does
 * what it would have done without. */
LBP_FN verdict CASE_ID(_look)(const CASE_MODEL *m, const uint8_t *from, uint32_t n, uint32_t trials, uint64_t seed) {
  CASE_ID(_chain) *c = CASE_ID(_begin)(0, from, n), *twin = CASE_ID(_begin)(1, from, n);
  CASE_ID(_report) r;
  verdict v;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 1);
  r = CASE_ID(_check)(c, m, trials, &rng);
  CHECK(memcmp(c->x, from, n) == 0);
  CASE_ID(_go)(c, m, seed, 5);
  CASE_ID(_go)(twin, m, seed, 5);
  CHECK(memcmp(c->x, twin->x, n) == 0);
  v.status = r.status;
  v.site = r.site;
  v.other = r.other;
  v.got = (double)r.got;
  v.want = (double)r.want;
  return v;
}

/* What steps from `from` find in a checked build; *moved: how many sites are no longer what they were. */
LBP_FN int CASE_ID(_steps)(const CASE_MODEL *m, const uint8_t *from, uint32_t n, uint32_t steps, uint32_t *moved) {
  CASE_ID(_chain) *c = CASE_ID(_begin)(0, from, n);
  uint32_t i;
  CASE_ID(_go)(c, m, 7, steps);
  for (i = *moved = 0; i < n; i++) *moved += c->x[i] != from[i];
  return CASE_ID(_fault)(c).status;
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_MODEL
#undef CASE_REAL
#undef CASE_FIELDS
#undef CASE_FIXED
