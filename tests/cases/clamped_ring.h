/* Template: an instance of lbp.h with a mask on rings of many sites. Parameters: RING (a prefix), RING_REAL, RING_LOCAL (1,
 * or 0: dense), RING_LEVELS if sites have levels; LBP_CHECKED as it stands. Generates RING_test_all(). */

#define RING_PASTE2(a, b) a##b
#define RING_PASTE(a, b)  RING_PASTE2(a, b)
#define RING_ID(name)     RING_PASTE(RING, name)

#define LBP_NAME    RING
#define LBP_MODEL_T ring
#define LBP_REAL    RING_REAL
#define LBP_LOGP    ring_logp
#define LBP_CLAMPED
#define LBP_SWEEPS
#define LBP_CLOCK   LBP_BARKER
#if RING_LOCAL
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#else
#define LBP_DELTAS ring_deltas
#define LBP_DELTAS_EXACT
#endif
#ifdef RING_LEVELS
#define LBP_LEVEL  ring_level
#define LBP_LEVELS 30
#endif
#include "../../lbp.h"

typedef struct {
  RING_ID(_chain) chain;
  uint64_t ws[RING_WS];
  uint8_t x[RING_MOST], mask[RING_MOST];
} RING_ID(_bed);

/* A ring of which every `period`-th site is free, or clamped if `most` is 0. */
LBP_FN uint32_t RING_ID(_start)(RING_ID(_bed) *bed, uint32_t n, uint32_t period, int most) {
  uint32_t i, left = 0;
  for (i = 0; i < n; i++) {
    bed->x[i] = i / 2 % 2;
    bed->mask[i] = (i % period == period / 2) != most;
    left += !bed->mask[i];
  }
  CHECK(RING_ID(_init)(&bed->chain, n, bed->x, bed->ws, RING_WS) == LBP_OK);
  CHECK(RING_ID(_clamp)(&bed->chain, bed->mask) == (left > 0 ? LBP_OK : LBP_E_CLAMPED) && bed->chain.free == left);
  return left;
}

/* A step of one kind with whatever R and time. */
LBP_FN RING_ID(_info) RING_ID(_step)(RING_ID(_chain) *c, const ring *m, int kind, RING_ID(_tuner) *t, lbp_rng *rng) {
  const uint32_t R = (uint32_t)(lbp_rng_u64(rng) % (m->n + 5)), few = (uint32_t)(lbp_rng_u64(rng) % 4);
  switch (kind) {
    case 0: return RING_ID(_lbp_step)(c, m, R, rng);
    case 1: return RING_ID(_gwg_step)(c, m, R, rng);
    case 2: return RING_ID(_rwm_step)(c, m, R, rng);
    case 3: return RING_ID(_lbp_step)(c, m, few, rng);
    case 4: return RING_ID(_gwg_step)(c, m, few, rng);
    case 5: return RING_ID(_rwm_step)(c, m, few, rng);
    case 6: return RING_ID(_albp_step)(c, m, t, rng);
    case 7: return RING_ID(_agwg_step)(c, m, t, rng);
    case 8: return RING_ID(_arwm_step)(c, m, t, rng);
    case 9: return RING_ID(_gibbs_sweep)(c, m, rng);
    case 10: return RING_ID(_metropolis_sweep)(c, m, rng);
#if RING_LOCAL
    case 11: return RING_ID(_skip_sweep)(c, m, LBP_BARKER, rng);
    case 12: return RING_ID(_skip_sweep)(c, m, LBP_METROPOLIS, rng);
#endif
    default: return RING_ID(_clock_step)(c, m, 0.5, rng);
  }
}

/* Clamped sites stay, free ones move, under steps of all kinds; what steps say of themselves is so. */
LBP_FN void RING_ID(_moves)(uint32_t n, uint32_t period, int most) {
  static RING_ID(_bed) bed;
  const ring m = {n, 0.3};
  const uint32_t left = RING_ID(_start)(&bed, n, period, most);
  uint8_t before[RING_MOST], seen[RING_MOST] = {0};
  RING_ID(_tuner) t;
  uint32_t s, i, restless = 0;
  int ok = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, 51, n * 16 + period);
  CHECK(RING_ID(_tuner_init)(&t, n, 100000, (RING_REAL)0.5) == LBP_OK);
  for (s = 0; s < (LBP_CHECKED ? 600 : 3000); s++) {
    RING_ID(_info) info;
    uint32_t apart = 0;
    memcpy(before, bed.x, n);
    info = RING_ID(_step)(&bed.chain, &m, (int)(lbp_rng_u64(&rng) % 14), &t, &rng);
    for (i = 0; i < n; i++) {
      apart += bed.x[i] != before[i];
      ok &= bed.x[i] == before[i] || !bed.mask[i];
      seen[i] |= bed.x[i] != before[i];
    }
    for (i = 0; i < info.jump; i++) ok &= bed.x[info.sites[i]] != before[info.sites[i]];
    ok &= apart == info.jump && info.jump <= left && t.r <= (RING_REAL)(left > 1 ? left : 1);
    ok &= left > 0 || info.proposed == 0;
    if (s % 100 == 99) ok &= RING_ID(_check)(&bed.chain, &m, 1, &rng).status == LBP_OK;
  }
  for (i = 0; i < n; i++) restless += seen[i];
  CHECK(ok);
  CHECK(restless == left);
  CHECK(RING_ID(_fault)(&bed.chain).status == LBP_OK);
}

/* RWM draws free sites alike: how often each is flipped by steps of R, where all steps are accepted. */
LBP_FN void RING_ID(_alike)(uint32_t n, uint32_t period, int most, uint32_t R) {
  static RING_ID(_bed) bed;
  const uint32_t left = RING_ID(_start)(&bed, n, period, most), steps = CLAMPED_TRIALS;
  uint32_t seen[RING_MOST] = {0}, s, i;
  double law[RING_MOST], p;
  int ok = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, 52, n * 16 + R);
  for (s = 0; s < steps; s++) {
    RING_ID(_priv_draw_uniform)(&bed.chain, R, &rng);
    ok &= bed.chain.y.flips == R;
    seen[bed.chain.touched[R - 1]]++; /* the last is as likely as the first */
    for (i = 0; i < R; i++) bed.chain.weight[bed.chain.touched[i]] = bed.chain.before[i];
  }
  for (i = 0; i < n; i++) law[i] = bed.mask[i] ? 0 : 1.0 / left;
  p = chi2_counts(seen, law, n, steps);
  if (!(p > CHI2_LEVEL)) printf("%lu of %lu sites, R = %lu: p = %g\n", (unsigned long)left, (unsigned long)n, (unsigned long)R, p);
  CHECK(ok && p > CHI2_LEVEL);
}

/* A tuner ends with as many sites as may move, where all steps are accepted, and keeps its own bound. */
LBP_FN void RING_ID(_tunes)(int kind) {
  static RING_ID(_bed) bed;
  const ring m = {100, 0};
  RING_ID(_tuner) t;
  uint32_t s, i, left = RING_ID(_start)(&bed, 100, 20, 1);
  double mean = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, 53, (uint64_t)kind);
  for (i = 0; i < 100; i++) {
    if (bed.mask[i]) continue;
    bed.mask[i] = i % 5 != 2; /* sites without a field */
    left -= bed.mask[i];
  }
  CHECK(left == 0);
  for (i = 0; i < 100; i++) left += !(bed.mask[i] = i % 10 != 2);
  CHECK(RING_ID(_clamp)(&bed.chain, bed.mask) == LBP_OK && bed.chain.free == 10 && left == 10);
  CHECK(RING_ID(_tuner_init)(&t, 100, 2000, (RING_REAL)0.3) == LBP_OK);
  for (s = 0; s < 2000; s++) mean += (double)RING_ID(_step)(&bed.chain, &m, kind, &t, &rng).accept / 2000;
  CHECK(mean > 0.9 && t.r > 9 && t.r <= (RING_REAL)9.5 && t.largest == (RING_REAL)99.5);
}

#if LBP_CHECKED
/* What a checked build says of clamped sites that move behind its back, and of those that were given other values. */
LBP_FN void RING_ID(_faults)(void) {
  static RING_ID(_bed) bed;
  const ring m = {100, 0.3};
  int round;
  for (round = 0; round < 4; round++) {
    uint32_t s;
    lbp_rng rng;
    lbp_rng_init(&rng, 54, (uint64_t)round);
    RING_ID(_start)(&bed, 100, 10, 1);
    for (s = 0; s < 30; s++) RING_ID(_rwm_step)(&bed.chain, &m, 1, &rng);
    if (round > 0) bed.x[20] ^= 1;
    if (round == 2) RING_ID(_touch)(&bed.chain);
    if (round == 3) RING_ID(_clamp)(&bed.chain, bed.mask);
    for (s = 0; s < 30; s++) RING_ID(_rwm_step)(&bed.chain, &m, 1, &rng);
    CHECK(RING_ID(_fault)(&bed.chain).status == (round == 1 ? LBP_E_STALE : LBP_OK));
  }
}
#endif

LBP_FN void RING_ID(_test_all)(void) {
  static const uint32_t sizes[7] = {3, 63, 64, 65, 128, 129, 193};
  uint32_t k;
  int kind;
  for (k = 0; k < 7; k++) {
    RING_ID(_moves)(sizes[k], 3, 0);
    RING_ID(_moves)(sizes[k], 7, 1);
    RING_ID(_moves)(sizes[k], sizes[k], 0);
    RING_ID(_moves)(sizes[k], sizes[k], 1);
    RING_ID(_moves)(sizes[k], 2 * sizes[k] + 2, 1);
    RING_ID(_alike)(sizes[k], 3, 0, 1);
    RING_ID(_alike)(sizes[k], 3, 0, 2);
    RING_ID(_alike)(sizes[k], 3, 1, 1);
    RING_ID(_alike)(sizes[k], sizes[k], 1, 1);
  }
  RING_ID(_alike)(193, 2, 1, 9);
  RING_ID(_alike)(193, 2, 1, 90);
  for (kind = 6; kind < 9; kind++) RING_ID(_tunes)(kind);
#if LBP_CHECKED
  RING_ID(_faults)();
#endif
}

#undef RING_PASTE2
#undef RING_PASTE
#undef RING_ID
#undef RING
#undef RING_REAL
#undef RING_LOCAL
#undef RING_LEVELS
