/* Template: clamped categorical sites, one instance. Parameters: CASE (a prefix), CASE_REAL, CASE_WEIGHT, CASE_KIND
 * (CLAMPED_LOCAL, _PRODUCT, _DENSE, _BOTH: dense with sites of their own, _ESTIMATE). Generates CASE_test_all(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

LBP_FN void CASE_ID(_of)(const cat_toy *t, const uint8_t *x, uint32_t i, CASE_REAL *out) {
  uint32_t v;
  clamped_asked++;
  for (v = 0; v < t->K[i]; v++) out[v] = (CASE_REAL)cat_ratio(t, cat_code(t, x), i, v);
}

LBP_FN CASE_REAL CASE_ID(_one)(const cat_toy *t, const uint8_t *x, uint32_t i, uint32_t v) {
  clamped_asked++;
  return (CASE_REAL)cat_ratio(t, cat_code(t, x), i, v);
}

LBP_FN void CASE_ID(_deltas)(const cat_toy *t, const uint8_t *x, CASE_REAL *out) {
  uint32_t i, v;
  for (i = 0; i < t->n; i++) {
    for (v = 0; v < t->K[i]; v++) {
      out[i * 4 + v] = (CASE_REAL)(CASE_KIND == CLAMPED_ESTIMATE ? cat_estimate(t, cat_code(t, x), i, v)
                                                                 : cat_ratio(t, cat_code(t, x), i, v));
    }
  }
}

LBP_FN CASE_REAL CASE_ID(_table)(const cat_toy *t, const uint8_t *x) { return (CASE_REAL)t->logp[cat_code(t, x)]; }

#define LBP_NAME       CASE
#define LBP_MODEL_T    cat_toy
#define LBP_REAL       CASE_REAL
#define LBP_WEIGHT     CASE_WEIGHT
#define LBP_CAT_STATES 4
#define LBP_CAT_STATES_OF(m, i) (m)->K[i]
#define LBP_CLAMPED
#if CASE_KIND == CLAMPED_LOCAL || CASE_KIND == CLAMPED_PRODUCT
#define LBP_CAT_DELTAS_OF CASE_ID(_of)
#define LBP_CAT_DELTA     CASE_ID(_one)
#define LBP_NEIGHBOURS    cat_neighbours
#if CASE_KIND == CLAMPED_PRODUCT
#define LBP_MAX_NEIGHBOURS 0
#else
#define LBP_MAX_NEIGHBOURS CAT_SITES
#endif
#else
#define LBP_DELTAS CASE_ID(_deltas)
#endif
#if CASE_KIND == CLAMPED_BOTH
#define LBP_CAT_DELTAS_OF CASE_ID(_of)
#endif
#if CASE_KIND == CLAMPED_BOTH || CASE_KIND == CLAMPED_ESTIMATE
#define LBP_LOGP CASE_ID(_table)
#endif
#include "../../lbp.h"

/* One step of a kind. */
LBP_FN CASE_ID(_info) CASE_ID(_step)(CASE_ID(_chain) *c, const cat_toy *t, int kind, uint32_t R, lbp_rng *rng) {
  if (kind == CLAMPED_LBP) return CASE_ID(_lbp_step)(c, t, R, rng);
  if (kind == CLAMPED_GWG) return CASE_ID(_gwg_step)(c, t, R, rng);
  if (kind == CLAMPED_RWM) return CASE_ID(_rwm_step)(c, t, R, rng);
  if (kind == CLAMPED_DLP) return CASE_ID(_dlp_step)(c, t, (CASE_REAL)0.4, rng);
  if (kind == CLAMPED_GIBBS) return CASE_ID(_gibbs_sweep)(c, t, rng);
  return CASE_ID(_metropolis_sweep)(c, t, rng);
}

/* From the law given the clamped sites of `mask`, which have the values of state `given`, one step leads to it again;
 * but for sweeps as often as back. */
LBP_FN void CASE_ID(_exact)(const cat_toy *t, uint32_t mask, uint32_t given, int kind, uint32_t R) {
  static uint32_t passed[CLAMPED_CELLS * CLAMPED_CELLS], ends[CLAMPED_CELLS];
  uint64_t ws[CLAMPED_WORDS];
  double law[CLAMPED_CELLS], accept = 0;
  uint8_t x[CAT_SITES] = {0}, bytes[CAT_SITES];
  uint32_t trial, i, free_sites = 0, possible = 0, sizes = 1;
  CASE_ID(_chain) c;
  lbp_rng rng;
  char what[100];
  int ok = 1, status;
  memset(passed, 0, sizeof passed);
  memset(ends, 0, sizeof ends);
  lbp_rng_init(&rng, mask * 64 + R, (uint64_t)(given * 8 + (uint32_t)kind));
  for (i = 0; i < t->n; i++) {
    bytes[i] = (uint8_t)(mask >> i & 1);
    free_sites += !bytes[i];
    if (!bytes[i]) sizes *= t->K[i];
  }
  clamped_law(t, mask, given, law);
  for (i = 0; i < t->states; i++) possible += law[i] > 0;
  CHECK(CASE_ID(_ws_len)(t->n) <= CLAMPED_WORDS);
  CHECK(CASE_ID(_init)(&c, t->n, x, ws, CLAMPED_WORDS) == LBP_OK);
  status = CASE_ID(_clamp)(&c, bytes);
  CHECK(status == (free_sites > 0 ? LBP_OK : LBP_E_CLAMPED));
  for (trial = 0; trial < CLAMPED_TRIALS; trial++) {
    const uint32_t from = clamped_draw(law, t->states, lbp_u01(lbp_rng_u64(&rng)));
    CASE_ID(_info) info;
    uint32_t to, moved = 0;
    for (i = 0; i < t->n; i++) x[i] = (uint8_t)cat_value(t, from, i);
    CASE_ID(_touch)(&c);
    if (trial % 2) CASE_ID(_priv_prepare)(&c, t, 1); /* now weights are there, now they are not */
    clamped_asked = 0;
    info = CASE_ID(_step)(&c, t, kind, R, &rng);
#if CASE_KIND == CLAMPED_LOCAL && !LBP_CHECKED
    if (trial % 2) ok &= clamped_asked <= info.evaluations && (mask || clamped_asked == info.evaluations);
#endif
    accept += (double)info.accept / CLAMPED_TRIALS;
    for (i = 0; i < t->n; i++) {
      const int moves = x[i] != cat_value(t, from, i);
      ok &= !(moves && bytes[i]) && x[i] < t->K[i];
      moved += (uint32_t)moves;
    }
    ok &= moved == info.jump && (kind >= CLAMPED_DLP || info.proposed <= free_sites);
    ok &= CASE_ID(_fault)(&c).status == LBP_OK;
    to = cat_code(t, x);
    passed[from * t->states + to]++;
    ends[to]++;
  }
  CHECK(ok);
  snprintf(what, sizeof what, "%s, mask %u, R %u, sampler %d", CASE_TEXT, (unsigned)mask, (unsigned)R, kind);
  if (possible > 2 && sizes > 2 && kind < CLAMPED_GIBBS && R == 1) {
    check_reversible(passed, law, t->states, CLAMPED_TRIALS, 0, accept, what);
  } else {
    const double p = chi2_counts(ends, law, t->states, CLAMPED_TRIALS);
    test_count(p > CHI2_LEVEL, __FILE__, __LINE__, what);
  }
}

LBP_FN void CASE_ID(_test_all)(void) {
  static const uint32_t K[4] = {3, 2, 1, 4};
  const cat_toy t = cat_make(4, K, 0.75, CASE_KIND == CLAMPED_PRODUCT ? CAT_SOFT : CAT_HARD,
                             CASE_KIND == CLAMPED_PRODUCT, 6);
  uint32_t mask, R, given = 13;
  int kind;
  while (!(t.logp[given] > -1e300)) given--;
  for (mask = 0; mask < 16; mask++) {
    for (kind = 0; kind < CLAMPED_STEPS; kind++) {
      for (R = 1; R <= (kind < CLAMPED_DLP ? 3u : 1u); R++) CASE_ID(_exact)(&t, mask, given, kind, R);
    }
  }
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_REAL
#undef CASE_WEIGHT
#undef CASE_KIND
#undef CASE_TEXT
