/* Template: one instance of lbp.h with a mask, every step of it against a matrix by enumeration. Parameters: CASE (a
 * prefix), CASE_REAL, CASE_WEIGHT, CASE_KIND (CLAMPED_LOCAL, CLAMPED_LISTED, CLAMPED_PRODUCT, CLAMPED_LEVEL, CLAMPED_DENSE,
 * CLAMPED_KEPT, CLAMPED_ESTIMATE, CLAMPED_ASKED), CASE_DELTAS (AS_DOUBLE, AS_FLOAT), CASE_CLOCK if it has a clock, CASE_N and
 * CASE_SORT_ABOVE as in exact_case.h, CASE_NEVER, and CASE_BETA, a temperature. Generates CASE_test_all(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME    CASE
#define LBP_MODEL_T toy
#define LBP_REAL    CASE_REAL
#define LBP_WEIGHT  CASE_WEIGHT
#if CASE_WEIGHT == LBP_CUSTOM
#define LBP_LOG_WEIGHT(d) ((d) < 0 ? (d) : 0) /* g(t) = min(1, t) */
#endif
#define LBP_SWEEPS
#define LBP_CLAMPED
#ifdef CASE_CLOCK
#define LBP_CLOCK CASE_CLOCK
#endif
#ifdef CASE_N
#define LBP_N CASE_N
#endif
#ifdef CASE_BETA
#define LBP_TEMPERED
#define CASE_IS_TEMPERED 1
#else
#define CASE_BETA 1
#define CASE_IS_TEMPERED 0
#endif
#if CASE_KIND <= CLAMPED_LISTED
#define LBP_FIELDS_T       toy_fields
#define LBP_FIELDS_INIT    toy_fields_set
#define LBP_FLIP           toy_fields_flip
#define LBP_FLIP_LIST      CASE_DELTAS(toy_flip_list)
#define LBP_DELTA          toy_listed_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#define CASE_FIELDS
#elif CASE_KIND <= CLAMPED_LEVEL
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS (CASE_KIND == CLAMPED_PRODUCT ? 0 : 3)
#if CASE_KIND == CLAMPED_LEVEL
#define LBP_LEVEL  clamped_level
#define LBP_LEVELS 6
#endif
#elif CASE_KIND >= CLAMPED_ESTIMATE
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_DELTAS      CASE_DELTAS(toy_fields_deltas)
#define LBP_DELTAS_MANY CASE_DELTAS(toy_fields_deltas_many)
#define LBP_LOGP        toy_fields_logp
#define CASE_FIELDS
#if CASE_KIND == CLAMPED_ASKED
#define LBP_SAVE    toy_fields_save
#define LBP_RESTORE toy_fields_restore
#define LBP_DELTA   toy_fields_delta
#endif
#else
#define LBP_DELTAS CASE_DELTAS(toy_deltas)
#if CASE_KIND == CLAMPED_KEPT
#define LBP_LOGP toy_logp
#define LBP_DELTAS_EXACT
#endif
#endif
#ifdef CASE_SORT_ABOVE
#define LBP_SORT_ABOVE CASE_SORT_ABOVE
#endif
#ifdef CASE_NEVER
#define LBP_SORT_ABOVE LBP_NEVER
#endif
#include "../../lbp.h"

#define CASE_IS_LOCAL (CASE_KIND <= CLAMPED_LEVEL)

typedef struct {
  CASE_ID(_chain) chain;
  toy_fields fields;
  uint64_t ws[LBP_WS_LEN_DENSE(TOY_MAX)];
  uint8_t x[TOY_MAX], mask[TOY_MAX];
} CASE_ID(_bed);

LBP_FN void CASE_ID(_start)(CASE_ID(_bed) *bed, const toy *t, uint32_t code) {
  uint32_t i;
  int status;
  for (i = 0; i < t->n; i++) bed->x[i] = (uint8_t)(code >> i & 1);
#if defined CASE_FIELDS && defined CASE_N
  status = CASE_ID(_init)(&bed->chain, bed->x, &bed->fields);
#elif defined CASE_FIELDS
  status = CASE_ID(_init)(&bed->chain, t->n, bed->x, &bed->fields, bed->ws, CASE_ID(_ws_len)(t->n));
#elif defined CASE_N
  status = CASE_ID(_init)(&bed->chain, bed->x);
#else
  status = CASE_ID(_init)(&bed->chain, t->n, bed->x, bed->ws, CASE_ID(_ws_len)(t->n));
#endif
  if (status != LBP_OK || bed->chain.mask) CHECK(status == LBP_OK && !bed->chain.mask);
#if CASE_IS_TEMPERED
  CASE_ID(_temper)(&bed->chain, (CASE_REAL)CASE_BETA);
#endif
}

/* The bits of `mask` as a mask. Whatever is not 0 clamps. */
LBP_FN int CASE_ID(_put_on)(CASE_ID(_bed) *bed, const toy *t, uint32_t mask) {
  uint32_t i;
  for (i = 0; i < TOY_MAX; i++) bed->mask[i] = (uint8_t)(mask >> i & 1 ? 1 + 17 * i : 0);
  return CASE_ID(_clamp)(&bed->chain, mask || t->n % 2 ? bed->mask : NULL);
}

/* A step of one kind; R and time are for those that have them. */
LBP_FN CASE_ID(_info) CASE_ID(_step)(CASE_ID(_chain) *c, const toy *t, int kind, uint32_t R, double time, lbp_rng *rng) {
  (void)time;
  switch (kind) {
    case CLAMPED_LBP: return CASE_ID(_lbp_step)(c, t, R, rng);
    case CLAMPED_GWG: return CASE_ID(_gwg_step)(c, t, R, rng);
    case CLAMPED_RWM: return CASE_ID(_rwm_step)(c, t, R, rng);
    case CLAMPED_GIBBS: return CASE_ID(_gibbs_sweep)(c, t, rng);
    case CLAMPED_METROPOLIS: return CASE_ID(_metropolis_sweep)(c, t, rng);
#if CASE_IS_LOCAL
    case CLAMPED_SKIP_GIBBS: return CASE_ID(_skip_sweep)(c, t, LBP_BARKER, rng);
    case CLAMPED_SKIP_METROPOLIS: return CASE_ID(_skip_sweep)(c, t, LBP_METROPOLIS, rng);
#endif
#ifdef CASE_CLOCK
    case CLAMPED_CLOCK: return CASE_ID(_clock_step)(c, t, time, rng);
#endif
#if CASE_KIND >= CLAMPED_ESTIMATE
    case CLAMPED_MANY: {
      CASE_ID(_info) info;
      CASE_ID(_lbp_steps)(&c, t, &R, &rng, 1, &info);
      return info;
    }
#endif
    default: return CASE_ID(_gibbs_sweep)(c, t, rng);
  }
}

/* Whether this instance has the kind of steps. */
LBP_FN int CASE_ID(_has)(int kind) {
#ifndef CASE_CLOCK
  if (kind == CLAMPED_CLOCK) return 0;
#endif
  if (kind == CLAMPED_MANY) return CASE_KIND >= CLAMPED_ESTIMATE;
  return CASE_IS_LOCAL || (kind != CLAMPED_SKIP_GIBBS && kind != CLAMPED_SKIP_METROPOLIS);
}

/* What is kept from step to step must be what would be made from scratch, and 0 where sites are clamped. */
LBP_FN int CASE_ID(_consistent)(CASE_ID(_bed) *bed, const toy *t) {
  CASE_ID(_chain) *c = &bed->chain;
  const int ready = c->weights_ready;
  uint32_t weight[TOY_MAX], i;
  int ok = 1;
  if (ready != 1 && ready < 8) return 1;
  memcpy(weight, c->weight, t->n * sizeof *weight);
  for (i = 0; i < t->n; i++) ok &= weight[i] == 0 || !CASE_ID(_priv_is_clamped)(c, i);
#if CASE_IS_LOCAL
  if (ready != 1) {
    CASE_ID(_priv_begin_hazards)(c, t, ready - CASE_ID(_priv_has_hazards));
    return ok && (memcmp(weight, c->weight, t->n * sizeof *weight) == 0 || !TEST_ALIKE);
  }
#endif
  c->weights_ready = 0;
  CASE_ID(_priv_prepare)(c, t, 1);
  return ok && (memcmp(weight, c->weight, t->n * sizeof *weight) == 0 || !TEST_ALIKE);
}

/* Transitions of one step under a mask, from wherever steps of all kinds under other masks have led. */
LBP_FN void CASE_ID(_transitions)(const toy *t, uint32_t mask, int kind, uint32_t R, double time, uint64_t seed) {
  static CASE_ID(_bed) bed;
  static clamped_table table;
  static uint32_t seen[MATRIX_STATES][MATRIX_STATES];
  CASE_ID(_chain) *c = &bed.chain;
  const uint32_t all = (1u << t->n) - 1;
  const double times[4] = {1e-3, 0.1, 1, 7};
  uint32_t trial, s;
  int ok = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, seed + 1000 * mask, (uint64_t)kind * 16 + R);
#ifdef CASE_CLOCK
  clamped_make(&table, t, mask, CASE_WEIGHT, CASE_CLOCK, CASE_KIND, CASE_BETA);
#else
  clamped_make(&table, t, mask, CASE_WEIGHT, 0, CASE_KIND, CASE_BETA);
#endif
  clamped_matrix(&table, kind, R, time);
  memset(seen, 0, sizeof seen);
  for (trial = 0; trial < CLAMPED_TRIALS; trial++) {
    CASE_ID(_info) info;
    uint32_t x, y;
    if (trial % 16 == 0) {
      do {
        x = (uint32_t)(lbp_rng_u64(&rng) % (all + 1));
      } while (!clamped_is_possible(&table, x));
      CASE_ID(_start)(&bed, t, x);
      if (trial % 32 == 0) CASE_ID(_put_on)(&bed, t, (uint32_t)(lbp_rng_u64(&rng) & all));
      for (s = (uint32_t)(lbp_rng_u64(&rng) % 3); s > 0; s--) {
        CASE_ID(_step)(c, t, (int)(lbp_rng_u64(&rng) % CLAMPED_STEPS), 2, 1, &rng);
      }
      ok &= CASE_ID(_put_on)(&bed, t, mask) == (mask == all ? LBP_E_CLAMPED : LBP_OK);
    }
    if (trial % 16 == 8) { /* other evidence, if it is possible */
      x = toy_code(c->x, t->n) ^ (mask & (uint32_t)lbp_rng_u64(&rng));
      for (s = 0; clamped_is_possible(&table, x) && s < t->n; s++) c->x[s] = (uint8_t)(x >> s & 1);
      CASE_ID(_touch)(c);
    }
    for (s = (uint32_t)(lbp_rng_u64(&rng) % 3); s > 0; s--) {
      const int other = (int)(lbp_rng_u64(&rng) % CLAMPED_STEPS);
      const uint32_t before = toy_code(c->x, t->n), r = 1 + (uint32_t)(lbp_rng_u64(&rng) % t->n);
      CASE_ID(_step)(c, t, other, r, times[lbp_rng_u64(&rng) % 4], &rng);
      ok &= ((before ^ toy_code(c->x, t->n)) & mask) == 0;
    }
    x = toy_code(c->x, t->n);
    info = CASE_ID(_step)(c, t, kind, R, time, &rng);
    y = toy_code(c->x, t->n);
    seen[x][y]++;
    ok &= toy_lists(info.sites, info.jump, x ^ y) && ((x ^ y) & mask) == 0;
    if (mask == all) ok &= info.jump == 0 && info.proposed == 0;
    if (trial % 32 == 0) ok &= CASE_ID(_consistent)(&bed, t);
  }
  CHECK(ok);
  clamped_judge(&table, kind, seen);
}

LBP_FN void CASE_ID(_test_masks)(const toy *t, int hard, uint64_t seed) {
  const uint32_t all = (1u << t->n) - 1, masks[6] = {0, 1, 6 & all, all - 2, all - 1, all};
  uint32_t k;
  int kind;
  for (k = 0; k < 6; k++) {
    if (k == 3 && t->n < 5) continue;
    for (kind = 0; kind < CLAMPED_STEPS; kind++) {
      const int draws = kind <= CLAMPED_RWM || kind == CLAMPED_MANY;
      if (!CASE_ID(_has)(kind)) continue;
      CASE_ID(_transitions)(t, masks[k], kind, 1, 0.7, seed);
      if (draws) CASE_ID(_transitions)(t, masks[k], kind, 2, 0, seed);
      if (draws && !hard && k > 0) CASE_ID(_transitions)(t, masks[k], kind, t->n, 0, seed);
    }
  }
}

LBP_FN void CASE_ID(_test_all)(void) {
#ifdef CASE_N
  const uint32_t n = CASE_N;
#else
  const uint32_t n = 5;
#endif
  static CASE_ID(_bed) bed;
  const toy t = clamped_toy(CASE_KIND, n, 0.75, 0, 11), sharp = clamped_toy(CASE_KIND, n, 2.0, 0, 15);
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 1);
  CASE_ID(_test_masks)(&t, 0, 100);
  CASE_ID(_test_masks)(&sharp, 0, 200);
#if CASE_KIND == CLAMPED_LOCAL || CASE_KIND == CLAMPED_LISTED || CASE_KIND == CLAMPED_DENSE || CASE_KIND == CLAMPED_KEPT
  {
    const toy hard = clamped_toy(CASE_KIND, n, 0.75, 1, 13);
    CASE_ID(_test_masks)(&hard, 1, 300);
  }
#endif
  /* the model is looked at as if nothing were clamped; the mask stays */
  CASE_ID(_start)(&bed, &t, 0);
  CHECK(CASE_ID(_put_on)(&bed, &t, 6) == LBP_OK && bed.chain.free == n - 2);
  CHECK(CASE_ID(_check)(&bed.chain, &t, 10, &rng).status == LBP_OK && bed.chain.mask == bed.mask);
  CHECK(CASE_ID(_put_on)(&bed, &t, (1u << n) - 1) == LBP_E_CLAMPED);
  CHECK(CASE_ID(_check)(&bed.chain, &t, 10, &rng).status == LBP_OK && bed.chain.mask == bed.mask);
  CHECK(CASE_ID(_clamp)(&bed.chain, NULL) == LBP_OK && !bed.chain.mask && bed.chain.free == n);
  CHECK(CASE_ID(_clamp)(NULL, bed.mask) == LBP_E_NULL);
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_REAL
#undef CASE_WEIGHT
#undef CASE_KIND
#undef CASE_CLOCK
#undef CASE_FIELDS
#undef CASE_NEVER
#undef CASE_DELTAS
#undef CASE_N
#undef CASE_SORT_ABOVE
#undef CASE_BETA
#undef CASE_IS_LOCAL
#undef CASE_IS_TEMPERED
