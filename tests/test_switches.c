/* The switches of lbp.h and lbp_ab.h: those that offer another way to the same numbers must lead to the same draws,
 * bit for bit. (Models here have parameters that are multiples of 2^-10, so sums are exact in any order.) */

#if defined __ELF__ && defined __GNUC__
#define SECTION 1
#define LBP_FN  static inline __attribute__((unused, section("lbp_functions"))) /* as CUDA's users add qualifiers */
#endif

#include "../lbp_ab.h"
#include "chi2.h"
#include "toy.h"

/* Another generator, which counts. */
typedef struct {
  lbp_rng rng;
  uint64_t words;
} counter;

LBP_FN uint64_t counter_u64(counter *c) {
  c->words++;
  return lbp_rng_u64(&c->rng);
}

LBP_FN double log_root(double d) { return 0.5 * d; }

LBP_FN double untyped_delta(const void *m, const uint8_t *x, uint32_t i) { return toy_delta((const toy *)m, x, i); }
LBP_FN uint32_t untyped_neighbours(const void *m, uint32_t i, uint32_t *out) {
  return toy_neighbours((const toy *)m, i, out);
}
LBP_FN void fields_deltas(const toy *t, toy_fields *f, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < t->n; i++) out[i] = toy_fields_delta(t, f, x, i);
}

LBP_FN void deltas_many(const toy *t, const uint8_t *const *x, double *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) toy_deltas(t, x[k], out[k]);
}

/* ---- local models ------------------------------------------------------------------------------------------------ */

#define CASE               plain
#define CASE_RNG           lbp_rng
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#include "cases/switch_case.h"

#define CASE               fixed
#define CASE_FIXED
#define CASE_RNG           lbp_rng
#define LBP_REAL           double
#define LBP_WEIGHT         LBP_BARKER
#define LBP_SORT_ABOVE     8
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#include "cases/switch_case.h"

#define CASE               foreign
#define CASE_RNG           counter
#define LBP_RNG_T          counter
#define LBP_RNG_U64        counter_u64
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#include "cases/switch_case.h"

#define CASE               untyped
#define CASE_NO_TYPE
#define CASE_RNG           lbp_rng
#define LBP_DELTA          untyped_delta
#define LBP_NEIGHBOURS     untyped_neighbours
#define LBP_MAX_NEIGHBOURS 3
#include "cases/switch_case.h"

#define CASE               checked /* by log pi, which a local model needs for nothing else */
#define CASE_RNG           lbp_rng
#define LBP_LOGP           toy_logp
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#include "cases/switch_case.h"

#define CASE               flipped
#define CASE_FIELDS
#define CASE_RNG           lbp_rng
#define LBP_DELTA          toy_fields_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#include "cases/switch_case.h"

#define CASE               restored
#define CASE_FIXED
#define CASE_FIELDS
#define CASE_RNG           lbp_rng
#define LBP_SAVE           toy_fields_save
#define LBP_RESTORE        toy_fields_restore
#define LBP_DELTA          toy_fields_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#include "cases/switch_case.h"

#define CASE               root
#define CASE_RNG           lbp_rng
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#include "cases/switch_case.h"

#define CASE               own_root
#define CASE_RNG           lbp_rng
#define LBP_WEIGHT         LBP_CUSTOM
#define LBP_LOG_WEIGHT     log_root
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#include "cases/switch_case.h"

/* ---- dense models ------------------------------------------------------------------------------------------------ */

#define CASE       dense
#define CASE_RNG   lbp_rng
#define LBP_DELTAS toy_deltas
#include "cases/switch_case.h"

#define CASE       dense_single
#define CASE_RNG   counter
#define LBP_RNG_T   counter
#define LBP_RNG_U64 counter_u64
#define LBP_DELTAS  toy_deltas
#define LBP_DELTA   toy_delta
#include "cases/switch_case.h"

#define CASE       dense_logp
#define CASE_RNG   lbp_rng
#define LBP_DELTAS toy_deltas
#define LBP_LOGP   toy_logp
#include "cases/switch_case.h"

#define CASE       dense_both
#define CASE_FIXED
#define CASE_RNG   lbp_rng
#define LBP_DELTAS toy_deltas
#define LBP_DELTA  toy_delta
#define LBP_LOGP   toy_logp
#include "cases/switch_case.h"

#define CASE       dense_fields
#define CASE_FIELDS
#define CASE_RNG   lbp_rng
#define LBP_DELTAS fields_deltas
#include "cases/switch_case.h"

#define CASE        dense_restored
#define CASE_FIELDS
#define CASE_RNG    lbp_rng
#define LBP_SAVE    toy_fields_save
#define LBP_RESTORE toy_fields_restore
#define LBP_DELTAS  fields_deltas
#define LBP_DELTA   toy_fields_delta
#include "cases/switch_case.h"

#define CASE            dense_many
#define CASE_RNG        lbp_rng
#define LBP_DELTAS      toy_deltas
#define LBP_DELTAS_MANY deltas_many
#define LBP_LOGP        toy_logp
#include "cases/switch_case.h"

/* Chains without fields, all in one call and each alone. */
static void test_many(void) {
  enum { CHAINS = 3 };
  const toy m = toy_make(TOY_MAX, 0.75, 0, 7);
  static uint64_t ws[2 * CHAINS][LBP_WS_LEN_DENSE(TOY_MAX)];
  uint8_t x[2 * CHAINS][TOY_MAX] = {{0}};
  dense_many_chain c[2 * CHAINS], *chain[CHAINS];
  dense_many_info info[CHAINS];
  lbp_rng rng[2 * CHAINS], *generator[CHAINS];
  uint32_t R[CHAINS], k, t, moved = 0;
  for (k = 0; k < 2 * CHAINS; k++) {
    lbp_rng_init(&rng[k], 31, k % CHAINS);
    CHECK(dense_many_init(&c[k], TOY_MAX, x[k], ws[k], LBP_WS_LEN_DENSE(TOY_MAX)) == LBP_OK);
  }
  for (t = 0; t < 200; t++) {
    for (k = 0; k < CHAINS; k++) {
      chain[k] = &c[k];
      generator[k] = &rng[k];
      R[k] = (t + k) % 4;
      dense_many_lbp_step(&c[CHAINS + k], &m, R[k], &rng[CHAINS + k]);
    }
    dense_many_lbp_steps(chain, &m, R, generator, CHAINS, info);
    for (k = 0; k < CHAINS; k++) moved += info[k].jump;
  }
  CHECK(moved > 100 && memcmp(x[0], x[CHAINS], CHAINS * sizeof x[0]) == 0);
}

static void test_same_draws(void) {
  const toy m = toy_make(TOY_MAX, 0.75, 0, 5), hard = toy_make(TOY_MAX, 0.75, 1, 6);
  const uint64_t local = plain_trace(&m), roots = root_trace(&m), whole = dense_trace(&m);
  CHECK_ALIKE(fixed_trace(&m) == local);
  CHECK_ALIKE(foreign_trace(&m) == local);
  CHECK_ALIKE(untyped_trace(&m) == local);
  CHECK_ALIKE(checked_trace(&m) == local);
  CHECK_ALIKE(flipped_trace(&m) == local);
  CHECK_ALIKE(restored_trace(&m) == local);
  CHECK_ALIKE(own_root_trace(&m) == roots && roots != local);
  CHECK_ALIKE(dense_single_trace(&m) == whole);
  CHECK_ALIKE(dense_logp_trace(&m) == whole);
  CHECK_ALIKE(dense_both_trace(&m) == whole);
  CHECK_ALIKE(dense_many_trace(&m) == whole);
  CHECK_ALIKE(dense_fields_trace(&m) == whole);
  CHECK_ALIKE(dense_restored_trace(&m) == whole);
  CHECK_ALIKE(own_root_trace(&hard) == root_trace(&hard) && root_trace(&hard) != roots);
  CHECK_ALIKE(checked_trace(&hard) == plain_trace(&hard) && plain_trace(&hard) != local); /* with impossible states */
}

/* ---- LBP_SORT_ABOVE ---------------------------------------------------------------------------------------------- */

#define SKEWED_N 40
enum { TRIALS = 20000 };

/* Independent sites: the first is 0 or 1 alike, the others have these odds of being 0. */
LBP_FN double skewed_delta(const double *odds, const uint8_t *x, uint32_t i) {
  return i == 0 ? 0 : x[i] ? log(*odds) : -log(*odds);
}
LBP_FN uint32_t skewed_neighbours(const double *odds, uint32_t i, uint32_t *out) {
  return (void)odds, (void)i, (void)out, 0;
}

/* The law of the first site and of the number of ones among the others (0, 1, more), after one step of R = 2 from a
 * state that follows it. Returns after how many of the TRIALS steps sites were sorted. */
#define SKEWED(name)                                                                                          \
  static uint32_t name##_test(double odds, int replace) {                                                     \
    const double none = pow(odds / (1 + odds), SKEWED_N - 1), one = none * (SKEWED_N - 1) / odds;             \
    uint32_t seen[6] = {0}, trial, i, sorted = 0;                                                             \
    double law[6];                                                                                            \
    name##_chain c;                                                                                           \
    lbp_rng rng;                                                                                              \
    lbp_rng_init(&rng, 21, (uint64_t)replace);                                                                \
    for (i = 0; i < 6; i++) law[i] = 0.5 * (i / 2 == 0 ? none : i / 2 == 1 ? one : 1 - none - one);           \
    for (trial = 0; trial < TRIALS; trial++) {                                                                \
      uint8_t x[SKEWED_N];                                                                                    \
      uint32_t ones = 0;                                                                                      \
      for (i = 0; i < SKEWED_N; i++) x[i] = lbp_u01(lbp_rng_u64(&rng)) < (i ? 1 / (1 + odds) : 0.5);          \
      if (name##_init(&c, x) != LBP_OK) break;                                                                \
      if (replace) name##_gwg_step(&c, &odds, 2, &rng);                                                       \
      else name##_lbp_step(&c, &odds, 2, &rng);                                                               \
      sorted += (uint32_t)c.urn.sorted;                                                                       \
      for (i = 1; i < SKEWED_N; i++) ones += c.x[i];                                                          \
      seen[(ones < 2 ? ones : 2) * 2 + c.x[0]]++;                                                             \
    }                                                                                                         \
    CHECK(trial == TRIALS && chi2_counts(seen, law, 6, TRIALS) > CHI2_LEVEL);                                 \
    return sorted;                                                                                            \
  }

#define LBP_NAME           seldom
#define LBP_MODEL_T        double
#define LBP_N              SKEWED_N
#define LBP_SORT_ABOVE     60
#define LBP_DELTA          skewed_delta
#define LBP_NEIGHBOURS     skewed_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "../lbp.h"
SKEWED(seldom)

#define LBP_NAME           mostly
#define LBP_MODEL_T        double
#define LBP_N              SKEWED_N
#define LBP_DELTA          skewed_delta
#define LBP_NEIGHBOURS     skewed_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "../lbp.h"
SKEWED(mostly)

#define LBP_NAME           always
#define LBP_MODEL_T        double
#define LBP_N              SKEWED_N
#define LBP_SORT_ABOVE     0
#define LBP_DELTA          skewed_delta
#define LBP_NEIGHBOURS     skewed_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "../lbp.h"
SKEWED(always)

#define LBP_NAME           never
#define LBP_MODEL_T        double
#define LBP_N              SKEWED_N
#define LBP_SORT_ABOVE     LBP_NEVER
#define LBP_DELTA          skewed_delta
#define LBP_NEIGHBOURS     skewed_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "../lbp.h"
SKEWED(never)

#define LBP_NAME           lean
#define LBP_MODEL_T        double
#define LBP_SORT_ABOVE     LBP_NEVER
#define LBP_DELTA          skewed_delta
#define LBP_NEIGHBOURS     skewed_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "../lbp.h"

#undef LBP_CHECKED
#define LBP_CHECKED 1
#define LBP_NAME           careful
#define LBP_MODEL_T        double
#define LBP_N              SKEWED_N
#define LBP_SORT_ABOVE     LBP_NEVER
#define LBP_DELTA          skewed_delta
#define LBP_NEIGHBOURS     skewed_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "../lbp.h"
#undef LBP_CHECKED
#define LBP_CHECKED 0

/* Single flips where sites are never sorted, by code of their own or, in a checked build, by that of all steps: the same
 * draws, be they by tries or by looking at all sites. */
static void test_lone(void) {
  static const double odds[5] = {1, 9, 100, 1e4, 1e6};
  uint32_t k, t;
  for (k = 0; k < 5; k++) {
    never_chain a;
    careful_chain b;
    lbp_rng rng_a, rng_b;
    lbp_rng_init(&rng_a, 23, k);
    lbp_rng_init(&rng_b, 23, k);
    CHECK(never_init(&a, NULL) == LBP_OK && careful_init(&b, NULL) == LBP_OK);
    for (t = 0; t < 2000; t++) {
      never_lbp_step(&a, &odds[k], 1, &rng_a);
      careful_lbp_step(&b, &odds[k], 1, &rng_b);
      if (memcmp(a.x, b.x, SKEWED_N) != 0 || lbp_rng_u64(&rng_a) != lbp_rng_u64(&rng_b)) break;
    }
    CHECK_NEAR(t, 2000, 0);
  }
}

/* An urn that is never sorted: what it takes, and that it lowers a ceiling of long ago. */
static void test_lean(void) {
  enum { N = 1000 };
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN_NEVER(N)];
  const double odds = 1e6;
  lean_chain c;
  lbp_rng rng;
  uint32_t t;
  lbp_rng_init(&rng, 22, 0);
  CHECK(sizeof ws <= 20 * N + 16 && lean_ws_len(N) == LBP_WS_LEN_NEVER(N));
  CHECK(lean_init(&c, N, x, ws, LBP_WS_LEN_NEVER(N) - 1) == LBP_E_WORKSPACE);
  CHECK(lean_init(&c, N, x, ws, LBP_WS_LEN_NEVER(N)) == LBP_OK);
  memset(x + 1, 1, N - 1); /* all these want to be zeros: one weight is half, the others are nearly 1 */
  for (t = 0; t < 3000 && (t == 0 || c.urn.sums.total > c.urn.sums.ceiling); t++) lean_lbp_step(&c, &odds, 1, &rng);
  CHECK(t < 3000 && c.urn.sums.ceiling > 2147480000u);
  CHECK(lean_lbp_step(&c, &odds, 2, &rng).proposed == 2); /* the first site has nearly all the weight */
  CHECK(c.urn.sums.ceiling < 1073750000u || c.urn.sums.total > c.urn.sums.ceiling);
  CHECK(lean_check(&c, &odds, 3, &rng).status == LBP_OK);
}

static void test_sort_above(void) {
  int replace;
  for (replace = 0; replace < 2; replace++) { /* tries per drawn site: 30 with odds of 249, 5 with 9 */
    CHECK_NEAR(always_test(249, replace), TRIALS, 0);
    CHECK_NEAR(mostly_test(249, replace), TRIALS, 0);
    CHECK_NEAR(always_test(9, replace), TRIALS, 0);
    CHECK_NEAR(mostly_test(9, replace), 0, 0);
    CHECK_NEAR(seldom_test(9, replace), 0, 0);
    CHECK_NEAR(never_test(249, replace), 0, 0);
    CHECK_NEAR(never_test(9, replace), 0, 0);
  }
  CHECK_NEAR(seldom_test(249, 1), 0, 0);
  CHECK(seldom_test(249, 0) < TRIALS); /* a step sorts them if the sites drawn first hold nearly all the weight */
}

/* ---- lbp_ab.h ---------------------------------------------------------------------------------------------------- */

LBP_FN double ab_gradient(const toy *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = (x[i] ? -1 : 1) * toy_delta(m, x, i);
  return toy_logp(m, x);
}

LBP_FN void ab_conditional(const toy *m, const uint8_t *x, uint32_t i, double *out) {
  uint8_t y[TOY_MAX];
  memcpy(y, x, m->n);
  for (y[i] = 0; y[i] < 2; y[i]++) out[y[i]] = toy_logp(m, y);
}

LBP_FN double ab_untyped(const void *m, const uint8_t *x, double *out) { return ab_gradient((const toy *)m, x, out); }

/* As CASE_trace(), with the steps of lbp_ab.h. */
#define AB_TRACE(name, rng_type)                                                                              \
  static uint64_t name##_trace(const toy *m) {                                                                \
    static double memory[20000], ws[LBP_WS_LEN_AB(TOY_MAX)];                                                  \
    uint8_t x[TOY_MAX] = {0, 1};                                                                              \
    uint64_t hash = 0;                                                                                        \
    uint32_t t, i;                                                                                            \
    name##_chain c;                                                                                           \
    name##_adaptive adaptive;                                                                                 \
    name##_tuner langevin, walk;                                                                              \
    rng_type rng;                                                                                             \
    memset(&rng, 0, sizeof rng);                                                                              \
    lbp_rng_init((lbp_rng *)(void *)&rng, 18, 4);                                                             \
    CHECK(name##_init(&c, TOY_MAX, 2, x, ws, LBP_WS_LEN_AB(TOY_MAX)) == LBP_OK);                              \
    CHECK(name##_check(&c, m, 20, &rng).status == LBP_OK);                                                    \
    lbp_rng_init((lbp_rng *)(void *)&rng, 18, 5);                                                             \
    CHECK(name##_adaptive_init(&adaptive, TOY_MAX, 400, memory, sizeof memory) == LBP_OK);                    \
    CHECK(name##_tuner_init(&langevin, 0.5, 100, 0.5) == LBP_OK);                                             \
    CHECK(name##_tuner_init(&walk, 0.5, 100, 0.25) == LBP_OK);                                                \
    for (t = 0; t < 2000; t++) {                                                                              \
      const name##_info info = t % 4 == 0   ? name##_adlp_step(&c, m, &langevin, &rng)                        \
                               : t % 4 == 1 ? name##_arwm_step(&c, m, &walk, &rng)                            \
                               : t % 4 == 2 ? name##_gibbs_step(&c, m, &rng)                                  \
                                            : name##_adaptive_step(&c, m, &adaptive, &rng);                   \
      uint64_t word;                                                                                          \
      memcpy(&word, &info.accept, sizeof word);                                                               \
      hash = (hash ^ word) * 6364136223846793005u;                                                            \
      for (i = 0; i < TOY_MAX; i++) hash = (hash ^ c.x[i]) * 6364136223846793005u + 1;                        \
    }                                                                                                         \
    CHECK(adaptive.status == LBP_OK);                                                                         \
    return hash;                                                                                              \
  }

#define LBP_NAME     ab_plain
#define LBP_MODEL_T  toy
#define LBP_GRADIENT ab_gradient
#include "../lbp_ab.h"
AB_TRACE(ab_plain, lbp_rng)

#define LBP_NAME     ab_binary
#define LBP_MODEL_T  toy
#define LBP_REAL     double
#define LBP_STATES   2
#define LBP_GRADIENT ab_gradient
#include "../lbp_ab.h"
AB_TRACE(ab_binary, lbp_rng)

#define LBP_NAME     ab_foreign
#define LBP_MODEL_T  toy
#define LBP_RNG_T    counter
#define LBP_RNG_U64  counter_u64
#define LBP_GRADIENT ab_gradient
#include "../lbp_ab.h"
AB_TRACE(ab_foreign, counter)

#define LBP_NAME     ab_untyped
#define LBP_GRADIENT ab_untyped
#include "../lbp_ab.h"
AB_TRACE(ab_untyped, lbp_rng)

#define LBP_NAME     ab_logp
#define LBP_MODEL_T  toy
#define LBP_LOGP     toy_logp
#define LBP_GRADIENT ab_gradient
#include "../lbp_ab.h"
AB_TRACE(ab_logp, lbp_rng)

#define LBP_NAME        ab_all
#define LBP_MODEL_T     toy
#define LBP_LOGP        toy_logp
#define LBP_CONDITIONAL ab_conditional
#define LBP_GRADIENT    ab_gradient
#include "../lbp_ab.h"
AB_TRACE(ab_all, lbp_rng)

static void test_same_ab_draws(void) {
  const toy m = toy_make(TOY_MAX, 0.75, 0, 5), other = toy_make(TOY_MAX, 0.75, 0, 6);
  const uint64_t plain = ab_plain_trace(&m);
  CHECK_ALIKE(ab_binary_trace(&m) == plain);
  CHECK_ALIKE(ab_foreign_trace(&m) == plain);
  CHECK_ALIKE(ab_untyped_trace(&m) == plain);
  CHECK_ALIKE(ab_logp_trace(&m) == plain);
  CHECK_ALIKE(ab_all_trace(&m) == plain);
  CHECK(ab_plain_trace(&other) != plain);
}

/* ---- LBP_FN ------------------------------------------------------------------------------------------------------ */

#if defined SECTION
extern char __start_lbp_functions[], __stop_lbp_functions[]; /* the linker's */
#if defined __powerpc64__ && (!defined _CALL_ELF || _CALL_ELF < 2) /* a pointer to what says where the function is */
#define CODE(function) (*(const uintptr_t *)(uintptr_t)(function))
#else
#define CODE(function) (uintptr_t)(function)
#endif
#define IN_SECTION(function)                                       \
  CHECK(CODE(function) >= (uintptr_t)__start_lbp_functions &&      \
        CODE(function) < (uintptr_t)__stop_lbp_functions)
#endif

/* ---- cache lines asked for ahead --------------------------------------------------------------------------------- */

enum { AHEAD_SITES = LBP_NEAR + 1, AHEAD_R = 201 };

static uint32_t asked[2 * AHEAD_R], asked_count;

static double path_delta(const uint32_t *n, const uint8_t *x, uint32_t i) {
  const int ones = (i > 0 ? x[i - 1] : 0) + (i + 1 < *n ? x[i + 1] : 0);
  return (x[i] ? -0.25 : 0.25) * (ones - 1.5);
}

static uint32_t path_neighbours(const uint32_t *n, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  if (i > 0) out[count++] = i - 1;
  if (i + 1 < *n) out[count++] = i + 1;
  return count;
}

static void path_prefetch(const uint32_t *n, const uint8_t *x, uint32_t i) {
  (void)n, (void)x;
  if (asked_count < 2 * AHEAD_R) asked[asked_count] = i;
  asked_count++;
}

#define LBP_NAME           path
#define LBP_MODEL_T        uint32_t
#define LBP_DELTA          path_delta
#define LBP_NEIGHBOURS     path_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "../lbp.h"

/* The same with fields, which hold nothing. */
typedef struct { char none; } path_fields;
static void path_begin(const uint32_t *n, path_fields *f, const uint8_t *x) { (void)n, (void)x, f->none = 0; }
static double path_field_delta(const uint32_t *n, const path_fields *f, const uint8_t *x, uint32_t i) {
  return (void)f, path_delta(n, x, i);
}
static void path_field_prefetch(const uint32_t *n, const path_fields *f, const uint8_t *x, uint32_t i) {
  (void)f, path_prefetch(n, x, i);
}

#define LBP_NAME           path_ahead
#define LBP_MODEL_T        uint32_t
#define LBP_DELTA          path_field_delta
#define LBP_NEIGHBOURS     path_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_FIELDS_T       path_fields
#define LBP_FIELDS_INIT    path_begin
#define LBP_FLIP(m, f, x, i) ((void)(m), (void)(f), (void)(x), (void)(i))
#define LBP_PREFETCH       path_field_prefetch
#include "../lbp.h"

#define LBP_NAME           path_forth
#define LBP_MODEL_T        uint32_t
#define LBP_DELTA          path_delta
#define LBP_NEIGHBOURS     path_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_PREFETCH       path_prefetch
#include "../lbp.h"

/* The sites that a step asks for are those that it flips, LBP_AHEAD flips before, from LBP_NEAR + 1 sites on; where it
 * goes back, they are asked for again, last one first, if there are fields to restore. It makes no difference to
 * draws. */
static void test_ahead(uint32_t n) {
  static uint8_t x[3][AHEAD_SITES];
  static uint64_t ws[3][LBP_WS_LEN(AHEAD_SITES)];
  path_chain plain_path;
  path_ahead_chain ahead;
  path_forth_chain forth;
  path_fields fields;
  lbp_rng rng[3];
  uint32_t t, k, taken[2] = {0, 0}, wrong = 0;
  memset(x, 0, sizeof x);
  memset(&plain_path, 0, sizeof plain_path); /* compilers fear that it is refused */
  CHECK(path_init(&plain_path, n, x[0], ws[0], LBP_WS_LEN(AHEAD_SITES)) == LBP_OK);
  CHECK(path_ahead_init(&ahead, n, x[1], &fields, ws[1], LBP_WS_LEN(AHEAD_SITES)) == LBP_OK);
  lbp_rng_init(&rng[0], 21, 0);
  rng[2] = rng[1] = rng[0];
  CHECK(path_forth_init(&forth, n, x[2], ws[2], LBP_WS_LEN(AHEAD_SITES)) == LBP_OK);
  for (t = 0; t < 100; t++) {
    const uint32_t R = t % 3 == 0 ? LBP_AHEAD : t % 3 == 1 ? LBP_AHEAD + 1 : AHEAD_R, late = R - LBP_AHEAD;
    path_info one;
    path_ahead_info with;
    asked_count = 0;
    path_forth_lbp_step(&forth, &n, R, &rng[2]);
    wrong += asked_count != (n <= LBP_NEAR ? 0 : late);
    asked_count = 0;
    one = path_lbp_step(&plain_path, &n, R, &rng[0]);
    with = path_ahead_lbp_step(&ahead, &n, R, &rng[1]);
    wrong += one.accept < with.accept || one.accept > with.accept || one.jump != with.jump;
    taken[with.accepted]++;
    if (n <= LBP_NEAR) {
      wrong += asked_count != 0;
      continue;
    }
    wrong += asked_count != (with.accepted ? late : 2 * late);
    for (k = 0; k < late; k++) wrong += asked[k] != ahead.touched[k + LBP_AHEAD];
    for (k = 0; k < late && !with.accepted; k++) wrong += asked[late + k] != ahead.touched[late - 1 - k];
  }
  CHECK(wrong == 0 && taken[0] > 0 && taken[1] > 0);
  CHECK(memcmp(x[0], x[1], n) == 0 && memcmp(x[0], x[2], n) == 0);
}

static void test_qualifiers(void) {
#if defined SECTION
  IN_SECTION(lbp_error);
  IN_SECTION(lbp_mulhi); /* inlined always, but for this */
  IN_SECTION(plain_lbp_step);
  IN_SECTION(plain_priv_draw);
  IN_SECTION(lbp_eigen);
  IN_SECTION(ab_plain_ab_step);
#endif
}

int main(void) {
  test_same_draws();
  test_many();
  test_sort_above();
  test_lean();
  test_lone();
  test_ahead(LBP_NEAR);
  test_ahead(AHEAD_SITES);
  test_same_ab_draws();
  test_qualifiers();
  return test_report();
}
