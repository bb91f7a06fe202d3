/* Template: Gibbs sweeps by the model's powers, LBP_CAT_POWERS_OF, next to the same by log-ratios. Parameters: CASE (a
 * prefix), CASE_K (values of a site); CASE_OF (sites have numbers of their own), CASE_MORE (temperatures and clamps). */
#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#if defined CASE_OF
#define CASE_DELTAS(m, x, i, out)        lbp_potts_deltas_of(m, x, i, out)
#define CASE_POWERS(m, x, i, out, power) lbp_potts_powers(m, x, i, out, power)
#else
#define CASE_DELTAS(m, x, i, out)        lbp_potts_deltas_k(m, x, i, CASE_K, out)
#define CASE_POWERS(m, x, i, out, power) lbp_potts_powers_k(m, x, i, CASE_K, out, power)
#endif

LBP_INLINE void CASE_ID(_write)(const lbp_potts *m, const uint8_t *x, uint32_t i, lbp_real *out, float *power) {
  CASE_POWERS(m, x, i, out, power);
  spoil(out, power, m->values[i]);
}

#define LBP_NAME           CASE_ID(_powers)
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     CASE_K
#define LBP_CAT_DELTAS_OF  CASE_DELTAS
#define LBP_CAT_POWERS_OF  CASE_ID(_write)
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS MOST
#if defined CASE_OF
#define LBP_CAT_STATES_OF  lbp_potts_values
#endif
#if defined CASE_MORE
#define LBP_TEMPERED
#define LBP_CLAMPED
#endif
#include "../../lbp.h"

#define LBP_NAME           CASE_ID(_ratios)
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     CASE_K
#define LBP_CAT_DELTAS_OF  CASE_DELTAS
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS MOST
#if defined CASE_OF
#define LBP_CAT_STATES_OF  lbp_potts_values
#endif
#if defined CASE_MORE
#define LBP_TEMPERED
#define LBP_CLAMPED
#endif
#include "../../lbp.h"

/* So many sweeps of both: the same states, numbers and random words. Returns how often powers were asked for. */
LBP_FN long CASE_ID(_race)(const lbp_potts *m, double beta, const uint8_t *mask, int metropolised) {
  static CASE_ID(_powers_chain) powers;
  static CASE_ID(_ratios_chain) ratios;
  static uint8_t x[2][SITES];
  static uint64_t ws[2][ROOM];
  lbp_rng rng[2];
  int t, same = 1;
  uint32_t i;
  const long before = called;
  for (i = 0; i < m->n; i++) x[0][i] = x[1][i] = (uint8_t)(i % m->values[i]);
  for (t = 0; t < 2; t++) lbp_rng_init(&rng[t], 3, 0);
  CHECK(CASE_ID(_powers_init)(&powers, m->n, x[0], ws[0], ROOM) == LBP_OK);
  CHECK(CASE_ID(_ratios_init)(&ratios, m->n, x[1], ws[1], ROOM) == LBP_OK);
#if defined CASE_MORE
  CHECK(CASE_ID(_powers_temper)(&powers, (lbp_real)beta) == LBP_OK);
  CHECK(CASE_ID(_ratios_temper)(&ratios, (lbp_real)beta) == LBP_OK);
  if (mask) CHECK(CASE_ID(_powers_clamp)(&powers, mask) == LBP_OK);
  if (mask) CHECK(CASE_ID(_ratios_clamp)(&ratios, mask) == LBP_OK);
#else
  (void)beta, (void)mask;
#endif
  for (t = 0; t < SWEEPS && same; t++) {
    if (metropolised) {
      const CASE_ID(_powers_info) a = CASE_ID(_powers_metropolis_sweep)(&powers, m, &rng[0]);
      const CASE_ID(_ratios_info) b = CASE_ID(_ratios_metropolis_sweep)(&ratios, m, &rng[1]);
      same &= a.jump == b.jump;
    } else {
      const CASE_ID(_powers_info) a = CASE_ID(_powers_gibbs_sweep)(&powers, m, &rng[0]);
      const CASE_ID(_ratios_info) b = CASE_ID(_ratios_gibbs_sweep)(&ratios, m, &rng[1]);
      same &= a.jump == b.jump && a.jump > 0 && a.evaluations == b.evaluations && a.log_ratio == b.log_ratio;
    }
    same &= memcmp(x[0], x[1], m->n) == 0 && lbp_rng_u64(&rng[0]) == lbp_rng_u64(&rng[1]);
  }
  CHECK_ALIKE(same);
  return called - before;
}

/* What NAME_check says. */
LBP_FN int CASE_ID(_look)(const lbp_potts *m) {
  static CASE_ID(_powers_chain) powers;
  static uint8_t x[SITES];
  static uint64_t ws[ROOM];
  lbp_rng rng;
  lbp_rng_init(&rng, 4, 0);
  memset(x, 0, sizeof x);
  CHECK(CASE_ID(_powers_init)(&powers, m->n, x, ws, ROOM) == LBP_OK);
  return CASE_ID(_powers_check)(&powers, m, 5, &rng).status;
}

LBP_FN void CASE_ID(_test)(void) {
  int kind;
  for (kind = 0; kind < MODELS; kind++) {
    lbp_potts m;
    make_model(&m, kind, CASE_K,
#if defined CASE_OF
               1
#else
               0
#endif
    );
    CHECK((m.power != NULL) == (kind < STRONG));
    for (spoilt = 0; spoilt < HARMLESS; spoilt++) {
      CHECK(!TEST_ALIKE || CASE_ID(_race)(&m, 1, NULL, 0) == (long)SWEEPS * (long)m.n);
      CHECK(CASE_ID(_look)(&m) == LBP_OK);
    }
    for (; spoilt < SPOILS && CASE_K > 1; spoilt++) CHECK(CASE_ID(_look)(&m) == LBP_E_POWERS);
    spoilt = 0;
    CHECK(CASE_ID(_race)(&m, 1, NULL, 1) == 0);
#if defined CASE_MORE
    {
      static uint8_t mask[SITES];
      uint32_t i, free = 0;
      for (i = 0; i < m.n; i++) free += !(mask[i] = i % 3 == 0);
      CHECK(CASE_ID(_race)(&m, 0.7, NULL, 0) == 0); /* they are of another law */
      CHECK(!TEST_ALIKE || CASE_ID(_race)(&m, 1, mask, 0) == (long)SWEEPS * (long)free);
      CHECK(CASE_ID(_race)(&m, 0.7, mask, 0) == 0);
    }
#endif
    lbp_potts_free(&m);
  }
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE_DELTAS
#undef CASE_POWERS
#undef CASE
#undef CASE_K
#undef CASE_OF
#undef CASE_MORE
