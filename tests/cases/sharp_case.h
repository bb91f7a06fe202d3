/* Template: the steps of lbp/options/sweeps.h and lbp/options/clock.h for one instance of lbp.h, against matrices by
 * enumeration. Parameters: CASE (a prefix), CASE_REAL, CASE_WEIGHT, CASE_KIND (SHARP_LOCAL, SHARP_LISTED,
 * SHARP_PRODUCT, SHARP_DENSE, SHARP_KEPT, SHARP_ESTIMATE), CASE_CLOCK if it has a clock, CASE_N and CASE_SORT_ABOVE as
 * in exact_case.h, CASE_NEVER, and CASE_BETA, a temperature. Generates CASE_test_all(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME    CASE
#define LBP_MODEL_T toy
#define LBP_REAL    CASE_REAL
#define LBP_WEIGHT  CASE_WEIGHT
#define LBP_SWEEPS
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
#if CASE_KIND == SHARP_LISTED
#define LBP_FIELDS_T       toy_fields
#define LBP_FIELDS_INIT    toy_fields_set
#define LBP_FLIP           toy_fields_flip
#define LBP_FLIP_LIST      CASE_DELTAS(toy_flip_list)
#define LBP_DELTA          toy_listed_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#define CASE_FIELDS
#elif CASE_KIND <= SHARP_PRODUCT
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS (CASE_KIND == SHARP_PRODUCT ? 0 : 3)
#elif CASE_KIND == SHARP_ESTIMATE
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_DELTAS      CASE_DELTAS(toy_fields_deltas)
#define LBP_LOGP        toy_fields_logp
#define CASE_FIELDS
#else
#define LBP_DELTAS CASE_DELTAS(sharp_deltas)
#if CASE_KIND == SHARP_KEPT
#define LBP_LOGP sharp_logp
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

#define CASE_IS_LOCAL (CASE_KIND <= SHARP_PRODUCT)

typedef struct {
  CASE_ID(_chain) chain;
  toy_fields fields;
  uint64_t ws[LBP_WS_LEN_DENSE(TOY_MAX)];
  uint8_t x[TOY_MAX];
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
  if (status != LBP_OK) CHECK(status == LBP_OK);
}

/* A step of one kind; R and time are for those that have them. */
LBP_FN CASE_ID(_info) CASE_ID(_step)(CASE_ID(_chain) *c, const toy *t, int kind, uint32_t R, double time, lbp_rng *rng) {
  (void)time;
  switch (kind) {
    case SHARP_LBP: return CASE_ID(_lbp_step)(c, t, R, rng);
    case SHARP_GWG: return CASE_ID(_gwg_step)(c, t, R, rng);
    case SHARP_RWM: return CASE_ID(_rwm_step)(c, t, R, rng);
    case SHARP_GIBBS: return CASE_ID(_gibbs_sweep)(c, t, rng);
    case SHARP_METROPOLIS: return CASE_ID(_metropolis_sweep)(c, t, rng);
#if CASE_IS_LOCAL
    case SHARP_SKIP_GIBBS: return CASE_ID(_skip_sweep)(c, t, LBP_BARKER, rng);
    case SHARP_SKIP_METROPOLIS: return CASE_ID(_skip_sweep)(c, t, LBP_METROPOLIS, rng);
#endif
#ifdef CASE_CLOCK
    case SHARP_CLOCK: return CASE_ID(_clock_step)(c, t, time, rng);
#endif
    default: return CASE_ID(_gibbs_sweep)(c, t, rng);
  }
}

/* What is kept from step to step must be what would be made from scratch: hazards, log-ratios, log pi. */
LBP_FN int CASE_ID(_consistent)(CASE_ID(_bed) *bed, const toy *t) {
  CASE_ID(_chain) *c = &bed->chain;
  int ok = 1;
#if CASE_IS_LOCAL
  uint32_t hazard[TOY_MAX], sum, i;
  const int weight = c->weights_ready - CASE_ID(_priv_has_hazards);
  if (weight != LBP_BARKER && weight != LBP_METROPOLIS) return 1;
  memcpy(hazard, c->weight, t->n * sizeof *hazard);
  sum = c->before[0]; /* of one block */
  CASE_ID(_priv_begin_hazards)(c, t, weight);
  for (i = 0; i < t->n; i++) ok &= hazard[i] == c->weight[i] || !TEST_ALIKE;
  ok &= sum == c->before[0] || !TEST_ALIKE;
#elif CASE_KIND != SHARP_ESTIMATE
  CASE_REAL ratio[TOY_MAX];
#if CASE_KIND == SHARP_KEPT
  if (c->logp_ready) ok = c->logp == CASE_ID(_priv_logp)(c, t);
#endif
  if (!c->ratio_ready) return ok;
  memcpy(ratio, c->ratio, t->n * sizeof *ratio);
  CASE_ID(_priv_deltas)(c, t);
  ok &= memcmp(ratio, c->ratio, t->n * sizeof *ratio) == 0;
#endif
  return (void)t, (void)c, ok;
}

/* Transitions of one step, from wherever some steps of all kinds have led, against the matrix of the kind. */
LBP_FN void CASE_ID(_transitions)(const toy *t, int kind, double time, uint64_t seed) {
  static CASE_ID(_bed) bed;
  static matrix P;
  static uint32_t seen[MATRIX_STATES][MATRIX_STATES];
  CASE_ID(_chain) *c = &bed.chain;
  uint32_t trial, begin = 0;
  int ok = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, (uint64_t)kind);
#ifdef CASE_CLOCK
  sharp_matrix(t, kind, CASE_CLOCK, time, CASE_BETA, P);
#else
  sharp_matrix(t, kind, 0, time, CASE_BETA, P);
#endif
  memset(seen, 0, sizeof seen);
  for (trial = 0; trial < SHARP_TRIALS; trial++) {
    CASE_ID(_info) info;
    uint32_t x, y, s;
    if (trial % 16 == 0) {
      do {
        begin = (uint32_t)(lbp_rng_u64(&rng) % (1u << t->n));
      } while (!sharp_is_possible(t, begin));
      CASE_ID(_start)(&bed, t, begin);
#if CASE_IS_TEMPERED
      CASE_ID(_temper)(c, (CASE_REAL)CASE_BETA);
#endif
    }
    for (s = (uint32_t)(lbp_rng_u64(&rng) % 3); s > 0; s--) {
      const int other = (int)(lbp_rng_u64(&rng) % SHARP_STEPS);
      const double times[4] = {1e-3, 0.1, 1, 7};
      CASE_ID(_step)(c, t, other, 1 + (uint32_t)(lbp_rng_u64(&rng) % t->n), times[lbp_rng_u64(&rng) % 4], &rng);
    }
    x = toy_code(c->x, t->n);
    info = CASE_ID(_step)(c, t, kind, 1, time, &rng);
    y = toy_code(c->x, t->n);
    seen[x][y]++;
    ok &= toy_lists(info.sites, info.jump, x ^ y) && info.accept == 1 && info.accepted == (kind != SHARP_CLOCK || info.proposed > 0);
    if (trial % 32 == 0) ok &= CASE_ID(_consistent)(&bed, t);
  }
  CHECK(ok);
  sharp_judge(kind, seen, P, 1u << t->n);
}

/* More states: after some steps from the law the end follows it. */
LBP_FN void CASE_ID(_stationary)(const toy *t, uint64_t seed) {
  static CASE_ID(_bed) bed;
  static double law[1 << TOY_MAX];
  static uint32_t seen[1 << TOY_MAX];
  CASE_ID(_chain) *c = &bed.chain;
  uint32_t trial, s;
  double p;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 99);
  sharp_law(t, CASE_BETA, law);
  memset(seen, 0, sizeof seen);
  for (trial = 0; trial < SHARP_TRIALS; trial++) {
    CASE_ID(_start)(&bed, t, sharp_sample(law, lbp_u01(lbp_rng_u64(&rng))));
#if CASE_IS_TEMPERED
    CASE_ID(_temper)(c, (CASE_REAL)CASE_BETA);
#endif
    for (s = 0; s < 6; s++) {
      const int kind = (int)(lbp_rng_u64(&rng) % SHARP_STEPS);
      CASE_ID(_step)(c, t, kind, 1 + (uint32_t)(lbp_rng_u64(&rng) % t->n), 0.5, &rng);
    }
    seen[toy_code(c->x, t->n)]++;
  }
  p = chi2_counts(seen, law, 1u << t->n, SHARP_TRIALS);
  if (!(p > CHI2_LEVEL)) printf("stationary: p = %g\n", p);
  CHECK(p > CHI2_LEVEL);
}

/* Where all flips are so rare that their weights, or hazards, are a few units, rounding up would be seen in how often
 * sites flip: their number, against its expectation. log_ratio: of each of ten sites; the clock's of births. */
LBP_FN void CASE_ID(_rare)(int kind, double log_ratio, double time, uint32_t steps) {
  static CASE_ID(_bed) bed;
#ifdef CASE_CLOCK
  const int rule = kind == SHARP_CLOCK ? CASE_CLOCK : sharp_rule(kind);
#else
  const int rule = sharp_rule(kind);
#endif
  const double mean = 2 * 10 * sharp_rate(rule, log_ratio, 0) * steps * time; /* there, and back soon */
  toy t = toy_product(10, 0, 0, 1);
  double flips = 0;
  uint32_t i, s;
  lbp_rng rng;
  lbp_rng_init(&rng, 31, (uint64_t)kind);
  for (i = 0; i < t.n; i++) t.field[i] = log_ratio / 2;
  CASE_ID(_start)(&bed, &t, 0);
  for (s = 0; s < steps; s++) flips += CASE_ID(_step)(&bed.chain, &t, kind, 1, time, &rng).proposed;
  CHECK_NEAR(flips, mean, 5.8 * sqrt(2 * mean)); /* flips come in pairs, these by Poisson's law: 7e-9 */
}

LBP_FN void CASE_ID(_test_all)(void) {
#ifdef CASE_N
  const uint32_t smallest = CASE_N, largest = CASE_N;
#else
  const uint32_t smallest = 3, largest = 10;
#endif
  uint32_t n;
  int kind;
  for (n = smallest; n <= 5; n += 2) {
#if CASE_KIND == SHARP_PRODUCT
    const toy t = toy_product(n, 0.75, 0, 11), sharp = toy_product(n, 3.0, 0, 15);
    const toy steep = toy_product(n, 12.0, 0, 16);
#else
    const toy t = toy_make(n, 0.75, 0, 11), sharp = toy_make(n, 3.0, 0, 15);
    const toy steep = toy_make(n, 12.0, 0, 16);
#endif
    for (kind = SHARP_GIBBS; kind < SHARP_STEPS; kind++) {
#ifndef CASE_CLOCK
      if (kind == SHARP_CLOCK) continue;
#endif
      if (!CASE_IS_LOCAL && (kind == SHARP_SKIP_GIBBS || kind == SHARP_SKIP_METROPOLIS)) continue;
      CASE_ID(_transitions)(&t, kind, 0.3, 100 + n);
      CASE_ID(_transitions)(&sharp, kind, 2.0, 200 + n);
      if (n == 3) CASE_ID(_transitions)(&steep, kind, 2.0, 250 + n); /* most of its transitions are rare */
#if CASE_KIND != SHARP_PRODUCT && CASE_KIND != SHARP_ESTIMATE
      {
        const toy hard = toy_make(n, 0.75, 1, 13);
        CASE_ID(_transitions)(&hard, kind, 0.7, 300 + n);
      }
#endif
      if (kind != SHARP_CLOCK) continue;
      CASE_ID(_transitions)(&t, kind, 1e-2, 400 + n);
      CASE_ID(_transitions)(&t, kind, 40, 500 + n);
      CASE_ID(_transitions)(&sharp, kind, 20, 600 + n);
    }
  }
  for (n = smallest; n <= largest; n += 7) {
#if CASE_KIND == SHARP_PRODUCT
    const toy t = toy_product(n, 0.75, 0, 21);
#else
    const toy t = toy_make(n, 0.75, 0, 21);
#endif
    CASE_ID(_stationary)(&t, 700 + n);
  }
#if !defined CASE_N && !CASE_IS_TEMPERED && CASE_KIND != SHARP_ESTIMATE
#if CASE_IS_LOCAL
  CASE_ID(_rare)(SHARP_SKIP_GIBBS, -14.66, 1, SHARP_TRIALS < 30000 ? 500000 : 20000000);
  CASE_ID(_rare)(SHARP_SKIP_METROPOLIS, -14.66, 1, SHARP_TRIALS < 30000 ? 500000 : 20000000);
#endif
#ifdef CASE_CLOCK
  CASE_ID(_rare)(SHARP_CLOCK, -21.2, 1e8, SHARP_TRIALS < 30000 ? 1000 : 20000);
#endif
#endif
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
