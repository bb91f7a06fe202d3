/* Template: an instance of lbp.h and a look at it by its model check. Parameters: those of lbp.h but for LBP_NAME; CASE
 * (the prefix), CASE_MODEL, CASE_REAL, and for a model with fields CASE_FIELDS. n <= CASE_MOST. */

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
#include "../lbp.h"

/* What the check finds in `trials` trials, begun at `from`. It must leave the state alone, and a chain that then does
 * what it would have done without. */
LBP_FN verdict CASE_ID(_look)(const CASE_MODEL *m, const uint8_t *from, uint32_t n, uint32_t trials, uint64_t seed) {
  static uint8_t x[2][CASE_MOST];
  static CASE_ID(_chain) c[2];
#ifndef CASE_FIXED
  static uint64_t ws[2][LBP_WS_LEN_DENSE(CASE_MOST)];
#endif
#ifdef CASE_FIELDS
  static CASE_FIELDS fields[2];
#endif
  CASE_ID(_report) r;
  verdict f;
  lbp_rng rng;
  int k, t;
  memset(&r, 0, sizeof r);
  for (k = 0; k < 2; k++) {
    memcpy(x[k], from, n);
#if defined CASE_FIXED && defined CASE_FIELDS
    CHECK(CASE_ID(_init)(&c[k], x[k], &fields[k]) == LBP_OK);
#elif defined CASE_FIXED
    CHECK(CASE_ID(_init)(&c[k], x[k]) == LBP_OK);
#elif defined CASE_FIELDS
    CHECK(CASE_ID(_init)(&c[k], n, x[k], &fields[k], ws[k], CASE_ID(_ws_len)(n)) == LBP_OK);
#else
    CHECK(CASE_ID(_init)(&c[k], n, x[k], ws[k], CASE_ID(_ws_len)(n)) == LBP_OK);
#endif
    lbp_rng_init(&rng, seed, 1);
    if (k == 1) {
      r = CASE_ID(_check)(&c[k], m, trials, &rng);
      CHECK(memcmp(c[k].x, from, n) == 0);
    }
    lbp_rng_init(&rng, seed, 2);
    for (t = 0; t < 5; t++) CASE_ID(_lbp_step)(&c[k], m, 1 + (uint32_t)t % 2, &rng);
  }
  CHECK(memcmp(c[0].x, c[1].x, n) == 0);
  f.status = r.status;
  f.site = r.site;
  f.other = r.other;
  f.got = (double)r.got;
  f.want = (double)r.want;
  return f;
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_MODEL
#undef CASE_REAL
#undef CASE_FIELDS
#undef CASE_FIXED
