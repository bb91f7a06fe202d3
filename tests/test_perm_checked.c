/* Checked builds (LBP_CHECKED) of lbp_perm.h: on right models they draw the same as others; steps find a model's false
 * values, misuse, and changes behind a chain's back, and from then on do nothing. Seeds are fixed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
static void note_error(int status, unsigned site);
#define LBP_ON_ERROR(status, site) note_error(status, site)

#include "test.h"
#include "../lbp_run.h"
#include "perm_toy.h"

static int errors;
static void note_error(int status, unsigned site) {
  (void)status, (void)site;
#if defined _OPENMP
#pragma omp atomic
#endif
  errors++;
}

enum { N = PERM_MOST };
enum { NONE, NOT_A_NUMBER, SIGN, ROW, LAW, FORGETS, RANGE, LONG_LIST, CHANCES, LIES };
static int lie;

static double told_exchange(const perm_toy *t, const uint32_t *s, uint32_t a, uint32_t b) {
  const double d = perm_exchange(t, s, a, b);
  if (lie == NOT_A_NUMBER && a + b == 5 && s[a] + s[b] > 3) return NAN;
  return lie == SIGN && a + b == 5 ? d + 1 : d;
}

static void told_row(const perm_toy *t, const uint32_t *s, uint32_t a, double *out) {
  uint32_t b;
  for (b = 0; b < t->n; b++) out[b] = b == a ? 0 : told_exchange(t, s, a, b);
  if (lie == ROW) out[(a + 1) % t->n] += 1;
}

static double told_row_weight(const perm_toy *t, const uint32_t *s, uint32_t a) {
  static int calls;
  return perm_row_weight(t, s, a) + (lie == CHANCES ? 0.01 * calls++ : 0);
}

static uint32_t told_neighbours(const perm_toy *t, uint32_t a, uint32_t *out) {
  const uint32_t count = perm_neighbours(t, a, out);
  if (lie == RANGE && a == 2) out[0] = N;
  return lie == FORGETS ? 0 : lie == LONG_LIST ? N + 1 : count;
}

static double told_logp(const perm_toy *t, const uint32_t *s) { return perm_logp(t, s) * (lie == LAW ? 2 : 1); }

#define LBP_NAME            plain
#define LBP_MODEL_T         perm_toy
#define LBP_EXCHANGE        told_exchange
#define LBP_PERM_ROW        told_row
#define LBP_PERM_ROW_WEIGHT told_row_weight
#define LBP_NEIGHBOURS      told_neighbours
#define LBP_MAX_NEIGHBOURS  PERM_MOST
#define LBP_LOGP            told_logp
#include "../lbp_perm.h"

#undef LBP_CHECKED
#define LBP_CHECKED         1
#define LBP_NAME            checked
#define LBP_MODEL_T         perm_toy
#define LBP_EXCHANGE        told_exchange
#define LBP_PERM_ROW        told_row
#define LBP_PERM_ROW_WEIGHT told_row_weight
#define LBP_NEIGHBOURS      told_neighbours
#define LBP_MAX_NEIGHBOURS  PERM_MOST
#define LBP_LOGP            told_logp
#include "../lbp_run.h"

static uint64_t ws[LBP_WS_LEN_PAIRS(PERM_MOST)], other_ws[LBP_WS_LEN_PAIRS(PERM_MOST)];
static uint32_t s[N], y[N];

#define STEP(NAME, c, m, k, rng) \
  ((k) % 4 == 0 ? NAME##_row_step(c, m, rng) : (k) % 4 == 1 ? NAME##_pairs_step(c, m, 1 + (k) / 4 % 2, rng) \
   : (k) % 4 == 2 ? NAME##_exchange_step(c, m, rng) : NAME##_exchange_sweep(c, m, rng))

static void begin(checked_chain *c) {
  uint32_t a;
  for (a = 0; a < N; a++) s[a] = a;
  CHECK(checked_init(c, N, s, ws, LBP_WS_LEN_PAIRS(N)) == LBP_OK);
  errors = 0;
}

static void test_alike(const perm_toy *t) {
  static const uint8_t mask[N] = {0, 1, 0, 0, 0};
  checked_chain c;
  plain_chain d;
  lbp_rng rng, other;
  uint32_t k, clamped;
  for (clamped = 0; clamped < 2; clamped++) {
    begin(&c);
    memcpy(y, s, sizeof y);
    CHECK(plain_init(&d, N, y, other_ws, LBP_WS_LEN_PAIRS(N)) == LBP_OK);
    if (clamped) CHECK(checked_clamp(&c, mask) == LBP_OK && plain_clamp(&d, mask) == LBP_OK);
    lbp_rng_init(&rng, 1, clamped);
    lbp_rng_init(&other, 1, clamped);
    for (k = 0; k < 4000; k++) {
      const checked_info one = STEP(checked, &c, t, k / 3, &rng);
      const plain_info two = STEP(plain, &d, t, k / 3, &other);
      CHECK_ALIKE(one.accept == two.accept && one.jump == two.jump && one.evaluations == two.evaluations);
    }
    CHECK_ALIKE(memcmp(s, y, sizeof s) == 0 && lbp_rng_u64(&rng) == lbp_rng_u64(&other));
    CHECK(errors == 0 && checked_fault(&c).status == LBP_OK && plain_fault(&d).status == LBP_OK);
  }
}

/* Steps of one kind until there is a fault; each lie with those that can notice. */
static void test_lies(const perm_toy *t) {
  static const int status[LIES] = {LBP_OK, LBP_E_DELTA_NAN, LBP_E_ANTISYMMETRY, LBP_E_ROW, LBP_E_LOGP, LBP_E_STALE,
                                   LBP_E_NEIGHBOUR_RANGE, LBP_E_NEIGHBOUR_RANGE, LBP_E_NOT_REPEATABLE};
  checked_chain c;
  lbp_rng rng;
  uint32_t k, kind;
  for (lie = NOT_A_NUMBER; lie < LIES; lie++) {
    for (kind = 0; kind < 4; kind++) {
      if (lie >= FORGETS && lie <= LONG_LIST && kind != 1) continue;
      begin(&c);
      if (lie == NOT_A_NUMBER || lie == RANGE || lie == LONG_LIST) c.wait = UINT32_MAX; /* steps find it themselves */
      lbp_rng_init(&rng, 3, kind);
      for (k = 0; k < 2000 && errors == 0; k++) {
        const checked_info info = STEP(checked, &c, t, kind, &rng);
        CHECK(errors == 0 || !info.accepted || kind == 3); /* a sweep may have found it late */
      }
      if (lie == SIGN) CHECK(checked_fault(&c).status == LBP_E_ANTISYMMETRY || checked_fault(&c).status == LBP_E_LOGP);
      else CHECK(checked_fault(&c).status == status[lie]);
      memcpy(y, s, sizeof y);
      for (k = 0; k < 8; k++) CHECK(STEP(checked, &c, t, k, &rng).jump == 0);
      CHECK(memcmp(s, y, sizeof s) == 0 && errors == 1);
      CHECK(lbp_is_permutation(s, N, (uint8_t *)y));
    }
  }
  lie = NONE;
}

static void test_misuse(const perm_toy *t) {
  checked_chain c;
  lbp_pairs_tuner tuner;
  lbp_rng rng;
  memset(&c, 0, sizeof c);
  memset(&rng, 0, sizeof rng);
  begin(&c);
  CHECK(checked_row_step(&c, t, &rng).proposed == 0 && checked_fault(&c).status == LBP_E_NOT_MADE && errors == 1);
  begin(&c);
  c.made = 0;
  lbp_rng_init(&rng, 1, 1);
  CHECK(checked_row_step(&c, t, &rng).proposed == 0 && checked_fault(&c).status == LBP_E_NOT_MADE && errors == 1);
  CHECK(checked_row_step(NULL, t, &rng).proposed == 0 && checked_fault(NULL).status == LBP_E_NULL && errors == 2);
  CHECK(checked_check(&c, t, 1, &rng).status == LBP_E_NOT_MADE);
  begin(&c);
  CHECK(checked_check(&c, t, 3, &rng).status == LBP_OK && errors == 0);
  CHECK(checked_apairs_step(&c, t, NULL, &rng).proposed == 0 && checked_fault(&c).status == LBP_E_NULL);
  begin(&c);
  CHECK(lbp_pairs_tuner_init(&tuner, N, 10, 0.5) == LBP_OK && checked_apairs_step(&c, t, &tuner, &rng).proposed > 0);
  s[0] = s[1]; /* behind its back */
  CHECK(checked_exchange_step(&c, t, &rng).proposed == 0 && checked_fault(&c).status == LBP_E_STATE);
  begin(&c);
  checked_pairs_step(&c, t, 1, &rng);
  begin(&c);
  checked_pairs_step(&c, t, 0, &rng);
  checked_pairs_step(&c, t, 1, &rng);
  s[0] ^= s[1], s[1] ^= s[0], s[0] ^= s[1]; /* without NAME_touch */
  for (errors = 0; errors == 0 && tuner.r < 1000; tuner.r++) checked_pairs_step(&c, t, 1, &rng);
  CHECK(checked_fault(&c).status == LBP_E_STALE);
  begin(&c);
  checked_pairs_step(&c, t, 1, &rng);
  s[0] ^= s[1], s[1] ^= s[0], s[0] ^= s[1];
  checked_touch(&c);
  checked_pairs_step(&c, t, 1, &rng);
  CHECK(checked_fault(&c).status == LBP_OK);
}

static void test_run(const perm_toy *t) {
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.draws = 100;
  CHECK(checked_run(&run, t, N, &result) == LBP_OK);
  lbp_run_free(&result);
  run.check_trials = 0;
  lie = NOT_A_NUMBER;
  CHECK(checked_run(&run, t, N, &result) == LBP_E_DELTA_NAN);
  lbp_run_free(&result);
  lie = NONE;
}

int main(void) {
  const perm_toy t = perm_make(N, PERM_QUADRATIC, 1, 0); /* whose sums are exact */
  test_alike(&t);
  test_lies(&t);
  test_misuse(&t);
  test_run(&t);
  return test_report();
}
