/* Checked builds (LBP_CHECKED): on right models they draw the same as others; steps find every kind of lie that a model
 * can tell, and every misuse that the functions leave undefined, and from then on do nothing. Seeds are fixed, so that
 * no check can raise a false alarm by chance. */
static void note_error(int status, unsigned site);
#define LBP_ON_ERROR(status, site) note_error(status, site)

#include "models.h"
#include "toy.h"
#include "sick.h"

static int errors, last_error;

static void note_error(int status, unsigned site) {
  (void)site;
  errors++;
  last_error = status;
}

enum { CASE_MOST = 300 };
enum { RUN_LBP, RUN_GWG, RUN_RWM, RUN_ALBP, RUN_AGWG, RUN_ARWM, RUN_GIBBS, RUN_ALL };

/* ---- the same instances, checked or not -------------------------------------------------------------------------- */

/* A ring of sites whose log-ratios are sums of floats, long enough that not all of it is looked at each step. */
static float long_delta(const float *beta, const uint8_t *x, uint32_t i) {
  const int up = x[(i + 1) % CASE_MOST] + x[(i + CASE_MOST - 1) % CASE_MOST];
  return (x[i] ? -2.0f : 2.0f) * (*beta * (float)(2 * up - 2) + 0.1f * (float)((int)(i % 7) - 3));
}

static uint32_t long_neighbours(const float *beta, uint32_t i, uint32_t *out) {
  out[0] = (i + 1) % CASE_MOST;
  out[1] = (i + CASE_MOST - 1) % CASE_MOST;
  return *beta < 0 && i == 150 ? 1 : 2; /* beta < 0: a lie */
}

#define TWIN(name) name##_free
#include "cases/checked_set.h"
#undef TWIN

#undef LBP_CHECKED
#define LBP_CHECKED 1
#define TWIN(name) name##_checked
#include "cases/checked_set.h"
#undef TWIN

/* Both twins run alike, and neither has found anything. */
#define CHECK_TWINS(name, m, n)                                                             \
  do {                                                                                      \
    int sampler;                                                                            \
    for (sampler = RUN_LBP; sampler <= RUN_ALL; sampler++) {                                \
      uint64_t free_hash, hash;                                                             \
      CHECK(name##_free_run(m, n, sampler, 3000, &free_hash).status == LBP_OK);             \
      CHECK(name##_checked_run(m, n, sampler, 3000, &hash).status == LBP_OK);               \
      CHECK_ALIKE(free_hash == hash);                                                       \
    }                                                                                       \
  } while (0)

static void test_alike(void) {
  static const uint32_t sizes[] = {1, 2, TOY_MAX};
  const float beta = 0.4f;
  uint64_t calls = 0;
  const sick sound = {SOUND, &calls};
  size_t k;
  int exclusion;
  errors = 0;
  for (k = 0; k < 3; k++) {
    const uint32_t n = sizes[k];
    for (exclusion = 0; exclusion < 2; exclusion++) {
      const toy m = toy_make(n, 1.0, exclusion, n);
      if (exclusion == 0 || n != TOY_MAX) CHECK_TWINS(local, &m, n);
      if (exclusion == 0) CHECK_TWINS(dense, &m, n);
      if (exclusion == 0) CHECK_TWINS(estimates, &m, n);
      if (exclusion == 0) CHECK_TWINS(restoring, &m, n);
    }
  }
  CHECK_TWINS(ring, &beta, CASE_MOST);
  CHECK_TWINS(sick_local, &sound, SICK_N);
  CHECK_TWINS(sick_logp, &sound, SICK_N);
  CHECK_TWINS(sick_dense, &sound, SICK_N);
  CHECK_TWINS(sick_estimates, &sound, SICK_N);
  CHECK_TWINS(sick_fields, &sound, SICK_N);
  CHECK(errors == 0);
}

/* ---- lies -------------------------------------------------------------------------------------------------------- */

/* A lie is found, as one thing or the other, by every sampler that meets it, told once, and then nothing moves. */
#define CHECK_FOUND(name, lie, one, other, from, to)                                    \
  do {                                                                                  \
    uint64_t calls = 0, trace;                                                          \
    const sick m = {lie, &calls};                                                       \
    int sampler;                                                                        \
    for (sampler = from; sampler <= to; sampler++) {                                    \
      int found;                                                                        \
      errors = 0;                                                                       \
      found = name##_checked_run(&m, SICK_N, sampler, 400, &trace).status;              \
      CHECK(found == (one) || found == (other));                                        \
      CHECK(errors == (found != LBP_OK) && (errors == 0 || last_error == found));       \
    }                                                                                   \
  } while (0)

#define CHECK_LIE(name, lie, want) CHECK_FOUND(name, lie, want, want, RUN_LBP, RUN_ALL)

static void test_lies(void) {
  const float wrong = -0.4f;
  uint64_t hash;
  CHECK_LIE(sick_logp, WRONG_SIGN, LBP_E_LOGP);
  CHECK_LIE(sick_logp, WRONG_LOGP, LBP_E_LOGP);
  CHECK_LIE(sick_logp, UNDEFINED_LOGP, LBP_E_LOGP);
  CHECK_LIE(sick_local, ONE_WAY, LBP_E_ANTISYMMETRY);
  CHECK_FOUND(sick_local, FORGOTTEN, LBP_E_STALE, LBP_E_STALE, RUN_LBP, RUN_GWG);
  CHECK_FOUND(sick_local, FORGOTTEN, LBP_E_STALE, LBP_E_STALE, RUN_ALBP, RUN_AGWG);
  CHECK_FOUND(sick_local, FORGOTTEN, LBP_OK, LBP_OK, RUN_RWM, RUN_RWM); /* who asks for no list is told no lie */
  CHECK_FOUND(sick_local, OUT_OF_RANGE, LBP_E_NEIGHBOUR_RANGE, LBP_E_NEIGHBOUR_RANGE, RUN_LBP, RUN_GWG);
  CHECK_FOUND(sick_local, TOO_MANY, LBP_E_NEIGHBOUR_RANGE, LBP_E_NEIGHBOUR_RANGE, RUN_ALBP, RUN_AGWG);
  CHECK_LIE(sick_local, UNDEFINED, LBP_E_DELTA_NAN);
  CHECK_FOUND(sick_local, NOT_REPEATABLE, LBP_E_NOT_REPEATABLE, LBP_E_STALE, RUN_LBP, RUN_ALL);
  CHECK_LIE(sick_dense, DENSE_DIFFERS, LBP_E_DELTAS);
  CHECK_LIE(sick_dense, DENSE_UNDEFINED, LBP_E_DELTA_NAN);
  CHECK_LIE(sick_dense, ONE_WAY, LBP_E_ANTISYMMETRY);
  CHECK_LIE(sick_estimates, DENSE_UNDEFINED, LBP_E_DELTA_NAN);
  CHECK_LIE(sick_estimates, UNDEFINED_LOGP, LBP_E_LOGP);
  CHECK_LIE(sick_fields, DRIFT, LBP_E_FIELDS);
  CHECK_FOUND(sick_fields, HALF_RESTORED, LBP_E_FIELDS, LBP_E_FIELDS, RUN_LBP, RUN_ARWM);
  CHECK_FOUND(sick_fields, HALF_RESTORED, LBP_OK, LBP_OK, RUN_GIBBS, RUN_GIBBS); /* a sweep rejects no move */
  CHECK_LIE(sick_weight, SOUND, LBP_E_BALANCE);
  CHECK(ring_checked_run(&wrong, CASE_MOST, RUN_LBP, 3000, &hash).status == LBP_E_STALE);
  CHECK(ring_free_run(&wrong, CASE_MOST, RUN_LBP, 3000, &hash).status == LBP_OK);
}

/* ---- misuse ------------------------------------------------------------------------------------------------------ */

typedef struct {
  uint8_t x[SICK_N];
  uint64_t ws[LBP_WS_LEN_DENSE(SICK_N)], calls;
  lbp_rng rng;
  sick_local_checked_chain chain;
  sick_local_checked_tuner tuner;
  sick model;
} bench_top;

static void bench_top_make(bench_top *b) {
  memset(b, 0, sizeof *b);
  memcpy(b->x, sick_start, SICK_N);
  b->model.calls = &b->calls;
  lbp_rng_init(&b->rng, 1, 0);
  CHECK(sick_local_checked_init(&b->chain, SICK_N, b->x, b->ws, LBP_WS_LEN(SICK_N)) == LBP_OK);
  CHECK(sick_local_checked_tuner_init(&b->tuner, SICK_N, 100, LBP_TARGET_LBP) == LBP_OK);
  CHECK(sick_local_checked_fault(&b->chain).status == LBP_OK);
  errors = 0;
}

/* All samplers with these arguments: none does anything, all say why. */
static void check_refused(bench_top *b, sick_local_checked_chain *c, lbp_rng *rng, sick_local_checked_tuner *t,
                          int status) {
  sick_local_checked_info it;
  uint8_t before[SICK_N];
  int sampler;
  memcpy(before, b->x, SICK_N);
  for (sampler = RUN_LBP; sampler < RUN_ALL; sampler++) {
    const int tuned = sampler == RUN_ALBP || sampler == RUN_AGWG || sampler == RUN_ARWM;
    if (!t && !tuned) continue;
    errors = 0;
    switch (sampler) {
      case RUN_LBP: it = sick_local_checked_lbp_step(c, &b->model, 1, rng); break;
      case RUN_GWG: it = sick_local_checked_gwg_step(c, &b->model, 1, rng); break;
      case RUN_RWM: it = sick_local_checked_rwm_step(c, &b->model, 1, rng); break;
      case RUN_ALBP: it = sick_local_checked_albp_step(c, &b->model, t, rng); break;
      case RUN_AGWG: it = sick_local_checked_agwg_step(c, &b->model, t, rng); break;
      case RUN_ARWM: it = sick_local_checked_arwm_step(c, &b->model, t, rng); break;
      default: it = sick_local_checked_gibbs_sweep(c, &b->model, rng);
    }
    CHECK(it.accepted == 0 && it.jump == 0 && it.evaluations == 0);
    CHECK(sick_local_checked_fault(c).status == status || (c == &b->chain && status == LBP_E_NOT_MADE));
    CHECK(errors == 1 && last_error == status);
    if (c == &b->chain && c->made == LBP_MADE) {
      CHECK(sick_local_checked_fault(c).status == status);
      CHECK(sick_local_checked_init(&b->chain, SICK_N, b->x, b->ws, LBP_WS_LEN(SICK_N)) == LBP_OK);
    }
  }
  CHECK(memcmp(before, b->x, SICK_N) == 0);
}

static void test_arguments(void) {
  static bench_top b;
  lbp_rng zeros, wild;
  int t;
  memset(&zeros, 0, sizeof zeros);
  memset(&wild, 0xa5, sizeof wild);
  bench_top_make(&b);
  check_refused(&b, NULL, &b.rng, &b.tuner, LBP_E_NULL);
  check_refused(&b, &b.chain, NULL, &b.tuner, LBP_E_NULL);
  check_refused(&b, &b.chain, &b.rng, NULL, LBP_E_NULL);
  check_refused(&b, &b.chain, &zeros, &b.tuner, LBP_E_NOT_MADE);
  check_refused(&b, &b.chain, &wild, &b.tuner, LBP_E_NOT_MADE);
  CHECK(sick_local_checked_check(NULL, &b.model, 1, &b.rng).status == LBP_E_NULL);
  CHECK(sick_local_checked_check(&b.chain, &b.model, 1, &zeros).status == LBP_E_NOT_MADE);

  /* a chain that was never made, or whose init failed */
  memset(&b.chain, 0, sizeof b.chain);
  check_refused(&b, &b.chain, &b.rng, &b.tuner, LBP_E_NOT_MADE);
  memset(&b.chain, 0xa5, sizeof b.chain);
  check_refused(&b, &b.chain, &b.rng, &b.tuner, LBP_E_NOT_MADE);
  CHECK(sick_local_checked_check(&b.chain, &b.model, 1, &b.rng).status == LBP_E_NOT_MADE);
  bench_top_make(&b);
  CHECK(sick_local_checked_init(&b.chain, SICK_N, b.x, b.ws, LBP_WS_LEN(SICK_N) - 1) == LBP_E_WORKSPACE);
  check_refused(&b, &b.chain, &b.rng, &b.tuner, LBP_E_NOT_MADE);

  { /* log pi that is kept is not that of x */
    static uint64_t ws[LBP_WS_LEN_DENSE(SICK_N)];
    sick_estimates_checked_chain c;
    bench_top_make(&b);
    CHECK(sick_estimates_checked_init(&c, SICK_N, b.x, ws, LBP_WS_LEN_DENSE(SICK_N)) == LBP_OK);
    CHECK(sick_estimates_checked_lbp_step(&c, &b.model, 1, &b.rng).proposed == 1);
    c.logp += 1;
    CHECK(sick_estimates_checked_lbp_step(&c, &b.model, 1, &b.rng).proposed == 0);
    CHECK(sick_estimates_checked_fault(&c).status == LBP_E_LOGP && errors == 1);
    CHECK_NEAR(sick_estimates_checked_fault(&c).got - sick_estimates_checked_fault(&c).want, 1, 1e-12);
  }

  /* x has another value than 0 and 1; x or the model was changed and nobody said so */
  for (t = 0; t < 2; t++) {
    bench_top_make(&b);
    if (t) CHECK(sick_local_checked_lbp_step(&b.chain, &b.model, 1, &b.rng).proposed == 1);
    b.x[4] = 2;
    CHECK(sick_local_checked_lbp_step(&b.chain, &b.model, 1, &b.rng).proposed == 0);
    CHECK(sick_local_checked_fault(&b.chain).status == LBP_E_STATE && sick_local_checked_fault(&b.chain).site == 4);
    CHECK(sick_local_checked_fault(&b.chain).got == 2 && errors == 1);
  }
  bench_top_make(&b);
  sick_local_checked_lbp_step(&b.chain, &b.model, 1, &b.rng);
  b.x[4] ^= 1u;
  CHECK(sick_local_checked_lbp_step(&b.chain, &b.model, 1, &b.rng).proposed == 0);
  CHECK(sick_local_checked_fault(&b.chain).status == LBP_E_STALE);
  bench_top_make(&b);
  sick_local_checked_lbp_step(&b.chain, &b.model, 1, &b.rng);
  b.x[4] ^= 1u;
  sick_local_checked_touch(&b.chain);
  CHECK(sick_local_checked_lbp_step(&b.chain, &b.model, 1, &b.rng).proposed == 1 && errors == 0);
  b.model.fault = WRONG_SIGN;
  sick_local_checked_lbp_step(&b.chain, &b.model, 1, &b.rng);
  CHECK(sick_local_checked_fault(&b.chain).status == LBP_E_STALE);
  CHECK(sick_local_checked_fault(&b.chain).site == SICK_SITE);
  CHECK(sick_local_checked_fault(&b.chain).got != sick_local_checked_fault(&b.chain).want);

  /* what is wrong with a model is no fault of a chain that the check has used; a fault stays in spite of a check */
  bench_top_make(&b);
  b.model.fault = UNDEFINED;
  CHECK(sick_local_checked_check(&b.chain, &b.model, 5, &b.rng).status == LBP_E_DELTA_NAN);
  CHECK(errors == 0 && sick_local_checked_fault(&b.chain).status == LBP_OK);
  sick_local_checked_lbp_step(&b.chain, &b.model, 1, &b.rng);
  b.model.fault = SOUND;
  CHECK(sick_local_checked_check(&b.chain, &b.model, 5, &b.rng).status == LBP_OK);
  CHECK(errors == 1 && sick_local_checked_fault(&b.chain).status == LBP_E_DELTA_NAN);
}

/* Several chains in one call: one that can't move keeps all of them. */
static void test_many(void) {
  enum { CHAINS = 3 };
  static uint64_t ws[CHAINS][LBP_WS_LEN_DENSE(TOY_MAX)];
  const toy m = toy_make(TOY_MAX, 1.0, 0, 1);
  uint8_t x[CHAINS][TOY_MAX];
  uint32_t R[CHAINS] = {1, 2, 3};
  toy_fields fields[CHAINS];
  estimates_checked_chain chain[CHAINS], *chains[CHAINS], *twice[CHAINS];
  estimates_checked_info it[CHAINS];
  lbp_rng rng[CHAINS], *rngs[CHAINS], *lost[CHAINS];
  int k, round;
  memset(x, 0, sizeof x);
  for (k = 0; k < CHAINS; k++) {
    lbp_rng_init(&rng[k], 1, (uint64_t)k);
    CHECK(estimates_checked_init(&chain[k], TOY_MAX, x[k], &fields[k], ws[k], LBP_WS_LEN_DENSE(TOY_MAX)) == LBP_OK);
    chains[k] = twice[k] = &chain[k];
    rngs[k] = lost[k] = &rng[k];
  }
  lost[1] = NULL;
  twice[2] = &chain[1];
  errors = 0;
  for (round = 0; round < 100; round++) estimates_checked_lbp_steps(chains, &m, R, rngs, CHAINS, it);
  CHECK(errors == 0 && it[0].proposed == 1 && it[1].proposed == 2 && it[2].proposed == 3);
  estimates_checked_lbp_steps(NULL, &m, R, rngs, CHAINS, it);
  estimates_checked_lbp_steps(chains, &m, NULL, rngs, CHAINS, it);
  estimates_checked_lbp_steps(chains, &m, R, NULL, CHAINS, it);
  estimates_checked_lbp_steps(chains, &m, R, rngs, CHAINS, NULL);
  CHECK(errors == 4 && last_error == LBP_E_NULL && it[2].proposed == 0);
  estimates_checked_lbp_steps(twice, &m, R, rngs, CHAINS, it);
  CHECK(errors == 5 && estimates_checked_fault(&chain[1]).status == LBP_E_RANGE && it[0].proposed == 0);
  CHECK(estimates_checked_init(&chain[1], TOY_MAX, x[1], &fields[1], ws[1], LBP_WS_LEN_DENSE(TOY_MAX)) == LBP_OK);
  estimates_checked_lbp_steps(chains, &m, R, lost, CHAINS, it);
  CHECK(errors == 6 && estimates_checked_fault(&chain[1]).status == LBP_E_NULL && it[2].proposed == 0);
  CHECK(estimates_checked_fault(&chain[0]).status == LBP_OK);
  estimates_checked_lbp_steps(chains, &m, R, rngs, CHAINS, it);
  CHECK(errors == 6 && it[0].proposed == 0);
}

/* Builds that do not look find nothing, not even NULL. Their chains are shorter by what is kept. */
static void test_free(void) {
  CHECK_NEAR(sizeof(local_checked_chain) - sizeof(local_free_chain), sizeof(local_checked_report) + 12, 4);
  CHECK(local_free_fault(NULL).status == LBP_OK && local_checked_fault(NULL).status == LBP_E_NULL);
}

/* ---- lbp_ab.h ---------------------------------------------------------------------------------------------------- */

enum { ORDINAL_D = 20, ORDINAL_STATES = 5, ORDINAL_STEPS = 2000 };

/* All samplers of lbp_ab.h in turn: what they leave. */
#define ORDINAL_RUN(name, hash)                                                                               \
  do {                                                                                                        \
    static lbp_real ws[LBP_WS_LEN_AB(ORDINAL_D)];                                                             \
    static double memory[40000];                                                                              \
    uint8_t x[ORDINAL_D] = {0};                                                                               \
    name##_chain c;                                                                                           \
    name##_adaptive a;                                                                                        \
    name##_tuner t;                                                                                           \
    name##_info it;                                                                                           \
    lbp_rng rng;                                                                                              \
    uint32_t step, i;                                                                                         \
    lbp_rng_init(&rng, 3, 0);                                                                                 \
    CHECK(name##_init(&c, ORDINAL_D, ORDINAL_STATES, x, ws, LBP_WS_LEN_AB(ORDINAL_D)) == LBP_OK);             \
    CHECK(name##_adaptive_init(&a, ORDINAL_D, ORDINAL_STEPS / 2, memory, sizeof memory) == LBP_OK);           \
    CHECK(name##_tuner_init(&t, 1, ORDINAL_STEPS, (lbp_real)0.5) == LBP_OK);                                  \
    for (step = 0, hash = 0; step < ORDINAL_STEPS; step++) {                                                  \
      switch (step % 8) {                                                                                     \
        case 5: it = name##_gibbs_step(&c, &m, &rng); break;                                                  \
        case 6: it = name##_arwm_step(&c, &m, &t, &rng); break;                                               \
        case 7: it = name##_adlp_step(&c, &m, &t, &rng); break;                                               \
        default: it = name##_adaptive_step(&c, &m, &a, &rng);                                                 \
      }                                                                                                       \
      CHECK(it.status == LBP_OK);                                                                             \
      for (i = 0; i < ORDINAL_D; i++) hash = hash * 6364136223846793005u + x[i] + rng.left;                   \
    }                                                                                                         \
  } while (0)

static void test_ordinal(void) {
  static lbp_real ws[LBP_WS_LEN_AB(ORDINAL_D)];
  ordinal_checked_chain c;
  ordinal_checked_scale s = ordinal_checked_first_order(1, (lbp_real)0.5);
  ordinal_checked_tuner tuner;
  uint64_t hash, free_hash;
  uint8_t x[ORDINAL_D] = {0};
  lbp_rng rng, zeros;
  lbp_lattice m, other;
  int k, found = LBP_OK;
  CHECK(lbp_lattice_random_cycle(&m, ORDINAL_D, ORDINAL_STATES, 2, 1) == LBP_OK);
  CHECK(lbp_lattice_random_cycle(&other, ORDINAL_D, ORDINAL_STATES, 9, 2) == LBP_OK);
  errors = 0;
  ORDINAL_RUN(ordinal_free, free_hash);
  ORDINAL_RUN(ordinal_checked, hash);
  CHECK(errors == 0);
  CHECK_ALIKE(hash == free_hash);

  memset(&zeros, 0, sizeof zeros);
  memset(&c, 0, sizeof c);
  lbp_rng_init(&rng, 1, 0);
  CHECK(ordinal_checked_tuner_init(&tuner, 1, 10, (lbp_real)0.5) == LBP_OK);
  CHECK(ordinal_checked_ab_step(&c, &m, NULL, &s, &rng).status == LBP_E_NOT_MADE);
  CHECK(ordinal_checked_check(&c, &m, 1, &rng).status == LBP_E_NOT_MADE);
  CHECK(ordinal_checked_init(&c, ORDINAL_D, ORDINAL_STATES, x, ws, LBP_WS_LEN_AB(ORDINAL_D)) == LBP_OK);
  CHECK(ordinal_checked_ab_step(NULL, &m, NULL, &s, &rng).status == LBP_E_NULL);
  CHECK(ordinal_checked_ab_step(&c, &m, NULL, NULL, &rng).status == LBP_E_NULL);
  CHECK(ordinal_checked_ab_step(&c, &m, NULL, &s, NULL).status == LBP_E_NULL);
  CHECK(ordinal_checked_ab_step(&c, &m, NULL, &s, &zeros).status == LBP_E_NOT_MADE);
  CHECK(ordinal_checked_rwm_step(NULL, &m, 1, &rng).status == LBP_E_NULL);
  CHECK(ordinal_checked_gibbs_step(NULL, &m, &rng).status == LBP_E_NULL);
  CHECK(ordinal_checked_adlp_step(&c, &m, NULL, &rng).status == LBP_E_NULL);
  CHECK(ordinal_checked_arwm_step(&c, &m, NULL, &rng).status == LBP_E_NULL);
  CHECK(ordinal_checked_adaptive_step(&c, &m, NULL, &rng).status == LBP_E_NULL);
  CHECK(errors == 10);
  x[7] = ORDINAL_STATES;
  CHECK(ordinal_checked_ab_step(&c, &m, NULL, &s, &rng).status == LBP_E_STATE);
  CHECK(ordinal_checked_gibbs_step(&c, &m, &rng).status == LBP_E_STATE && x[7] == ORDINAL_STATES);
  x[7] = 0;
  CHECK(ordinal_checked_ab_step(&c, &m, NULL, &s, &rng).status == LBP_OK);
  for (k = 0; k < 40 && found == LBP_OK; k++) found = ordinal_checked_ab_step(&c, &other, NULL, &s, &rng).status;
  CHECK(found == LBP_E_STALE); /* another model, and nobody said so */
  ordinal_checked_touch(&c);
  for (k = 0; k < 40; k++) CHECK(ordinal_checked_ab_step(&c, &other, NULL, &s, &rng).status == LBP_OK);
  lbp_lattice_free(&m);
  lbp_lattice_free(&other);
}

int main(void) {
  test_alike();
  test_lies();
  test_arguments();
  test_many();
  test_free();
  test_ordinal();
  return test_report();
}
