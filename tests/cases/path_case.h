/* Template: NAME_path_step of one instance of lbp.h, against all its paths by enumeration. Parameters: CASE (a prefix),
 * CASE_REAL, CASE_WEIGHT, CASE_KIND (PATH_LOCAL, PATH_LISTED, PATH_SAVED, PATH_PRODUCT), and as in sharp_case.h CASE_N,
 * CASE_SORT_ABOVE, CASE_NEVER, CASE_BETA, CASE_DELTAS; CASE_MASK, the clamped sites as bits. Generates CASE_test_all(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME           CASE
#define LBP_MODEL_T        toy
#define LBP_REAL           CASE_REAL
#define LBP_WEIGHT         CASE_WEIGHT
#define LBP_RNG_T          path_rng
#define LBP_RNG_U64        path_word
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS (CASE_KIND == PATH_PRODUCT ? 0 : 3)
#define LBP_PATH
#if CASE_WEIGHT == LBP_CUSTOM
#define LBP_LOG_WEIGHT path_log_weight
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
#ifdef CASE_MASK
#define LBP_CLAMPED
#define CASE_IS_CLAMPED 1
#else
#define CASE_MASK 0u
#define CASE_IS_CLAMPED 0
#endif
#if CASE_KIND == PATH_LISTED || CASE_KIND == PATH_SAVED
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_DELTA       toy_listed_delta
#define CASE_FIELDS
#else
#define LBP_DELTA toy_delta
#endif
#if CASE_KIND == PATH_LISTED
#define LBP_FLIP_LIST CASE_DELTAS(toy_flip_list)
#elif CASE_KIND == PATH_SAVED
#define LBP_SAVE    toy_fields_save
#define LBP_RESTORE toy_fields_restore
#endif
#ifdef CASE_SORT_ABOVE
#define LBP_SORT_ABOVE CASE_SORT_ABOVE
#endif
#ifdef CASE_NEVER
#define LBP_SORT_ABOVE LBP_NEVER
#endif
#include "../../lbp.h"

typedef struct {
  CASE_ID(_chain) chain;
  toy_fields fields;
  uint64_t ws[LBP_WS_LEN(TOY_MAX)];
  uint8_t x[TOY_MAX], mask[TOY_MAX];
} CASE_ID(_bed);

/* A chain in a state, with its weights. */
LBP_FN void CASE_ID(_start)(CASE_ID(_bed) *bed, const toy *t, uint32_t code) {
  uint32_t i;
  int status;
  for (i = 0; i < t->n; i++) {
    bed->x[i] = (uint8_t)(code >> i & 1);
    bed->mask[i] = (uint8_t)(CASE_MASK >> i & 1);
  }
#if defined CASE_FIELDS && defined CASE_N
  status = CASE_ID(_init)(&bed->chain, bed->x, &bed->fields);
#elif defined CASE_FIELDS
  status = CASE_ID(_init)(&bed->chain, t->n, bed->x, &bed->fields, bed->ws, CASE_ID(_ws_len)(t->n));
#elif defined CASE_N
  status = CASE_ID(_init)(&bed->chain, bed->x);
#else
  status = CASE_ID(_init)(&bed->chain, t->n, bed->x, bed->ws, CASE_ID(_ws_len)(t->n));
#endif
  if (status != LBP_OK) abort();
#if CASE_IS_TEMPERED
  CASE_ID(_temper)(&bed->chain, (CASE_REAL)CASE_BETA);
#endif
#if CASE_IS_CLAMPED
  CASE_ID(_clamp)(&bed->chain, bed->mask);
#endif
  CASE_ID(_priv_prepare)(&bed->chain, t, 1);
}

/* The weights that the instance has in each state. */
LBP_FN void CASE_ID(_table)(path_table *table, const toy *t) {
  static CASE_ID(_bed) bed;
  uint32_t x, i;
  path_values(table, t, CASE_BETA, CASE_MASK);
  for (x = 0; x < table->states; x++) {
    if (!path_is_possible(table, x)) continue;
    CASE_ID(_start)(&bed, t, x);
    for (i = 0; i < t->n; i++) table->total[x] += table->weight[x][i] = bed.chain.weight[i];
  }
}

/* What the chain keeps is what it would have in its state from scratch, to the last bit. */
LBP_FN int CASE_ID(_is_as_new)(CASE_ID(_bed) *bed, const toy *t, const path_table *table) {
  const CASE_ID(_chain) *c = &bed->chain;
  const uint32_t x = toy_code(c->x, t->n);
  uint64_t total = 0;
  uint32_t i, positive = 0;
  int ok = test_same_weight((double)c->urn.sums.total, (double)table->total[x]) && c->weights_ready == 1;
#ifdef CASE_FIELDS
  toy_fields fresh;
  memset(&fresh, 0, sizeof fresh);
  toy_fields_set(t, &fresh, c->x);
  ok &= memcmp(fresh.h, bed->fields.h, t->n * sizeof fresh.h[0]) == 0 || !TEST_ALIKE;
#endif
  for (i = 0; i < t->n; i++) {
    ok &= test_same_weight(c->weight[i], table->weight[x][i]) && c->weight[i] <= (c->urn.sorted ? LBP_MARK : c->urn.sums.ceiling);
    positive += table->weight[x][i] > 0;
    total += c->weight[i];
  }
  return ok && positive == c->urn.sums.positive && total == c->urn.sums.total;
}

#ifdef CASE_NEVER
/* One path by chosen words; returns how probable it is that it is accepted, by the step. */
LBP_FN double CASE_ID(_walk)(const toy *t, const path_table *table, uint32_t x, const uint32_t *site, uint32_t R,
                             uint64_t last, uint32_t *end) {
  static CASE_ID(_bed) bed;
  uint64_t word[PATH_MOST + 1];
  path_rng rng;
  CASE_ID(_info) info;
  uint32_t y = x, k;
  int ok;
  for (k = 0; k < R; k++) {
    word[k] = path_word_of(t->n, site[k]);
    y ^= 1u << site[k];
  }
  word[R] = last;
  path_begin(&rng, word, R + 1);
  CASE_ID(_start)(&bed, t, x);
  info = CASE_ID(_path_step)(&bed.chain, t, R, &rng);
  *end = toy_code(bed.chain.x, t->n);
  ok = rng.left == 0 && info.proposed == R && *end == (info.accepted ? y : x);
  if (last == 0) ok &= info.accepted == ((double)info.accept > 1e-18);
  else if (info.accept < 1) ok &= info.accepted == 0; /* a float may be 1 where what decides is less */
  ok &= toy_lists(info.sites, info.jump, x ^ *end) && CASE_ID(_is_as_new)(&bed, t, table);
  ok &= fabs((double)info.log_ratio - (table->value[*end] - table->value[x])) <= 1e-5;
  if (!ok) CHECK(ok);
  *end = y;
  return (double)info.accept;
}

/* All paths of R flips: the acceptance against formula and detailed balance, both ways; what a step leaves behind. */
LBP_FN void CASE_ID(_paths)(const toy *t, uint32_t R) {
  static path_table table;
  const int single = sizeof(CASE_REAL) == sizeof(float);
  const double exact = !TEST_ALIKE ? 1e-5 : single ? 1e-6 : 1e-12, least = single ? 1e-30 : 1e-280;
  uint32_t x, code, codes = 1, k, site[PATH_MOST], back[PATH_MOST], y, z, walked = 0, refused = 0;
  double off = 0, unbalanced = 0;
  CASE_ID(_table)(&table, t);
  for (k = 0; k < R; k++) codes *= t->n;
  for (x = 0; x < table.states; x++) {
    for (code = 0; code < codes && path_is_possible(&table, x); code++) {
      uint32_t rest = code;
      double accept, accept_back, balance, want;
      for (k = 0; k < R; k++, rest /= t->n) back[R - 1 - k] = site[k] = rest % t->n;
      if (!path_leads(&table, x, site, R)) continue;
      want = path_accept(&table, x, site, R);
      accept = CASE_ID(_walk)(t, &table, x, site, R, code % 2 ? 0 : UINT64_MAX, &y);
      off = fmax(off, fabs(accept - want) / (want + least));
      walked++;
      refused += accept < 0.5;
      if (!path_leads(&table, y, back, R)) unbalanced += accept > 0;
      if (accept < least || !path_leads(&table, y, back, R)) continue;
      accept_back = CASE_ID(_walk)(t, &table, y, back, R, UINT64_MAX, &z);
      if (accept_back < least) continue;
      balance = table.value[x] + path_log_q(&table, x, site, R) + log(accept);
      balance -= table.value[y] + path_log_q(&table, y, back, R) + log(accept_back);
      unbalanced = fmax(unbalanced, fabs(balance));
    }
  }
  CHECK(walked > 0);
  CHECK_NEAR(off, 0, exact);
  CHECK_NEAR(unbalanced, 0, exact * 2);
  path_refused += refused;
}
#endif

LBP_FN CASE_ID(_info) CASE_ID(_step)(CASE_ID(_chain) *c, const toy *t, int kind, uint32_t R, path_rng *rng) {
  switch (kind) {
    case 0: return CASE_ID(_lbp_step)(c, t, R, rng);
    case 1: return CASE_ID(_gwg_step)(c, t, R, rng);
    case 2: return CASE_ID(_rwm_step)(c, t, R, rng);
    case 3: return CASE_ID(_gibbs_sweep)(c, t, rng);
    default: return CASE_ID(_path_step)(c, t, R, rng);
  }
}

/* Transitions of one step, from wherever some steps of all kinds have led, against the matrix of all paths. */
LBP_FN void CASE_ID(_transitions)(const toy *t, uint32_t R, uint64_t seed) {
  static CASE_ID(_bed) bed;
  static path_table table;
  static matrix P;
  static uint32_t seen[MATRIX_STATES][MATRIX_STATES];
  CASE_ID(_chain) *c = &bed.chain;
  chi2_sums sums = chi2_begin();
  double p;
  uint32_t trial, x, y, s;
  int ok = 1;
  path_rng rng;
  path_begin(&rng, NULL, 0);
  lbp_rng_init(&rng.own, seed, R);
  CASE_ID(_table)(&table, t);
  path_matrix(&table, R, P);
  memset(seen, 0, sizeof seen);
  for (trial = 0; trial < PATH_TRIALS; trial++) {
    CASE_ID(_info) info;
    if (trial % 16 == 0) {
      do {
        x = (uint32_t)(lbp_rng_u64(&rng.own) % table.states);
      } while (!path_is_possible(&table, x));
      CASE_ID(_start)(&bed, t, x);
    }
    for (s = (uint32_t)(lbp_rng_u64(&rng.own) % 3); s > 0; s--) {
      CASE_ID(_step)(c, t, (int)(lbp_rng_u64(&rng.own) % 5), 1 + (uint32_t)(lbp_rng_u64(&rng.own) % t->n), &rng);
    }
    x = toy_code(c->x, t->n);
    info = CASE_ID(_path_step)(c, t, R, &rng);
    y = toy_code(c->x, t->n);
    seen[x][y]++;
    ok &= toy_lists(info.sites, info.jump, x ^ y) && CASE_ID(_is_as_new)(&bed, t, &table);
    ok &= table.total[x] > 0 ? info.proposed == R : info.proposed == 0 && info.accept == 0;
  }
  CHECK(ok);
  for (x = 0; x < table.states; x++) matrix_compare(table.states, seen[x], P[x], 0, &sums);
  p = chi2_end(&sums);
  if (!(p > CHI2_LEVEL)) printf("R = %lu: p = %g of %g degrees\n", (unsigned long)R, p, sums.degrees);
  CHECK(p > CHI2_LEVEL);
}

/* More states: after some steps from the law the end follows it. */
LBP_FN void CASE_ID(_stationary)(const toy *t, uint32_t R, uint64_t seed) {
  static CASE_ID(_bed) bed;
  static double law[1 << TOY_MAX];
  static uint32_t seen[1 << TOY_MAX];
  uint32_t trial, s;
  path_rng rng;
  path_begin(&rng, NULL, 0);
  lbp_rng_init(&rng.own, seed, R);
  path_law(t, CASE_BETA, CASE_MASK, law);
  memset(seen, 0, sizeof seen);
  for (trial = 0; trial < PATH_TRIALS; trial++) {
    CASE_ID(_start)(&bed, t, path_sample(law, lbp_u01(lbp_rng_u64(&rng.own))));
    for (s = 0; s < 3; s++) CASE_ID(_path_step)(&bed.chain, t, R + s, &rng);
    seen[toy_code(bed.chain.x, t->n)]++;
  }
  CHECK(chi2_counts(seen, law, 1u << t->n, PATH_TRIALS) > CHI2_LEVEL);
}

LBP_FN void CASE_ID(_test_all)(void) {
#ifdef CASE_N
  const uint32_t smallest = CASE_N, largest = CASE_N;
#else
  const uint32_t smallest = 3, largest = 10;
#endif
  uint32_t n, R;
  int kind;
  for (kind = 0; kind < 3; kind++) { /* mild, with states that exclude each other, with log-ratios up to +-80 */
    if (CASE_KIND == PATH_PRODUCT && kind == 1) continue;
    for (n = PATH_TRIALS < 4000 ? 5 : smallest; n <= 5; n += 2) {
      const toy t = path_toy(CASE_KIND == PATH_PRODUCT, n, kind);
      for (R = 1; R <= 4; R++) CASE_ID(_transitions)(&t, R, 100 * n + (uint64_t)kind);
    }
#ifdef CASE_NEVER
    for (n = smallest; n <= (smallest == largest ? smallest : (uint32_t)PATH_LARGEST); n++) {
      const toy t = path_toy(CASE_KIND == PATH_PRODUCT, n, kind);
      for (R = 1; R <= PATH_MOST; R++) {
        if (R < PATH_MOST || n < 6 || CASE_KIND == PATH_LOCAL) CASE_ID(_paths)(&t, R); /* the longest of them are many */
      }
    }
#endif
    for (n = smallest; n <= largest; n += 7) {
      const toy t = path_toy(CASE_KIND == PATH_PRODUCT, n, kind);
      CASE_ID(_stationary)(&t, 3 * n, 700 + n);
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
#undef CASE_FIELDS
#undef CASE_NEVER
#undef CASE_DELTAS
#undef CASE_N
#undef CASE_MASK
#undef CASE_SORT_ABOVE
#undef CASE_BETA
#undef CASE_IS_TEMPERED
#undef CASE_IS_CLAMPED
