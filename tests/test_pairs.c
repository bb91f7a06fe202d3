/* Alternates every two calls in one chain: steps, sweeps, swaps, paths, the clock, touch, temper, clamp, and other
 * states and models. The families are binary sites in every way that lbp.h accepts, groups with sites in no group, and
 * any-scale samplers; pairs.h describes the comparison. A second test looks at sweeps over more sites than one block of
 * random words has: no two sites, at whatever distance, may share a word.
 *
 * `make test` takes a third of the pairs; `make test-long` takes all of them and more kinds of models (PAIRS_LONG).
 * About 4,000 chi-squared tests, or 20,000, have the level 1e-8: a false alarm has probability 4e-5, or 2e-4. */
#if defined PAIRS_LONG && !defined PAIRS_KINDS
#define PAIRS_KINDS /* all kinds of models */
#endif
#define LBP_NEAR 4u /* take the code paths of large models; the draws are the same */
#define LBP_FEW  1u

#include "../lbp_ab.h"
#include "ab_toy.h"
#include "pairs.h"
#include "test.h"
#include "toy.h"

/* Kinds of models. */
#define PAIRS_LOCAL    1
#define PAIRS_LISTED   2
#define PAIRS_DENSE    3
#define PAIRS_KEPT     4
#define PAIRS_ESTIMATE 5
#define PAIRS_ASKED    6

/* Calls. */
enum {
  PAIRS_LBP_1,
  PAIRS_LBP_2,
  PAIRS_LBP_3,
  PAIRS_GWG_2,
  PAIRS_RWM_1,
  PAIRS_RWM_2,
  PAIRS_TUNED,
  PAIRS_GIBBS,
  PAIRS_METROPOLIS,
  PAIRS_SKIP_GIBBS,
  PAIRS_SKIP_METROPOLIS,
  PAIRS_CLOCK,
  PAIRS_PATH_2,
  PAIRS_SWAP_1,
  PAIRS_SWAP_2,
  PAIRS_SWAP_3,
  PAIRS_SWAP_PATH_1,
  PAIRS_SWAP_PATH_2,
  PAIRS_KAWASAKI,
  PAIRS_SWAP_SWEEP,
  PAIRS_LANGEVIN,
  PAIRS_SECOND,
  PAIRS_SECOND_OTHER,
  PAIRS_MANY,
  PAIRS_MANY_SWAPS,
  PAIRS_TUNED_LANGEVIN,
  PAIRS_TUNED_RWM,
  PAIRS_ADAPTIVE,
  PAIRS_CHANGES, /* the calls from here on are no steps */
  PAIRS_TOUCH = PAIRS_CHANGES,
  PAIRS_TEMPER,
  PAIRS_CLAMP,
  PAIRS_MODEL,
  PAIRS_SET,
  PAIRS_CHECK,
  PAIRS_SCATTER,
  PAIRS_SHIFT
};

static const char *pairs_call_name(uint32_t call) {
  static const char *const name[] = {"LBP-1", "LBP-2", "LBP-3", "GWG-2", "RWM-1", "RWM-2", "tuned GWG", "a Gibbs sweep",
                                     "a Metropolis sweep", "a skip sweep by Gibbs", "a skip sweep by Metropolis",
                                     "the clock", "a path of 2", "a swap", "2 swaps", "3 swaps", "a path of a swap",
                                     "a path of 2 swaps", "a uniform swap", "a sweep of swaps", "discrete Langevin",
                                     "second order", "second order, another curvature", "LBP-2 of many",
                                     "2 swaps of many", "tuned Langevin", "tuned random walk", "adapted AB", "touch",
                                     "temper", "clamp", "another model", "another state", "check", "scatter", "another shift"};
  return name[call];
}

static int pairs_is_step(uint32_t call) { return call < PAIRS_CHANGES; }

/* ---- binary sites ------------------------------------------------------------------------------------------------ */

enum { PAIRS_LEVELS = 6 };

static toy pairs_toy[2]; /* the model and another one, with the same possible states */
static uint8_t pairs_mask[PAIRS_SITES];

static double pairs_base(const toy *t, uint32_t i) { return (i % 3 - 1.0) * t->field[0] / 2 + 0.25; }

static void pairs_deltas_many(const toy *t, const uint8_t *const *x, double *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) toy_deltas(t, x[k], out[k]);
}

static double pairs_log_weight(double log_t) { return 0.5 * log_t - 0.25 * log_t * log_t / (1 + log_t * log_t); }

/* The level of a site of pairs_rings: its value and the number of neighbours that are 1. */
static uint32_t pairs_level(const toy *t, const uint8_t *x, uint32_t i) {
  return x[i] * 3u + x[(i + 1) % t->n] + x[(i + t->n - 1) % t->n];
}

/* Two groups, with two ones and one; sites 4 and 7 are in no group. */
static uint32_t pairs_group(const toy *t, uint32_t i) {
  static const uint32_t group[] = {0, 1, 0, 0, LBP_NO_GROUP, 0, 1, LBP_NO_GROUP};
  return (void)t, group[i];
}

static int pairs_has_ones(const uint8_t *x) {
  uint32_t ones[2] = {0, 0}, i;
  for (i = 0; i < pairs_toy[0].n; i++) {
    const uint32_t g = pairs_group(NULL, i);
    if (g != LBP_NO_GROUP) ones[g] += x[i];
  }
  return ones[0] == 2 && ones[1] == 1;
}

static const uint8_t *pairs_mask_of(uint32_t context) { return context & PAIRS_MASKED ? pairs_mask : NULL; }

static void pairs_models(uint32_t n, double spread, int exclusion, uint64_t seed) {
  pairs_toy[0] = toy_make(n, spread, exclusion, seed);
  pairs_toy[1] = toy_make(n, spread, exclusion, seed + 1);
  memset(pairs_mask, 0, sizeof pairs_mask);
  pairs_mask[1] = pairs_mask[n - 1] = 1;
}

/* Rings with the same field and coupling at each site. */
static void pairs_rings(uint32_t n) {
  uint32_t k, i;
  pairs_models(n, 0, 0, 1);
  for (k = 0; k < 2; k++) {
    toy *t = &pairs_toy[k];
    memset(t->coupling, 0, sizeof t->coupling);
    for (i = 0; i < n; i++) {
      t->field[i] = k ? 0.25 : -0.125;
      t->coupling[i][(i + 1) % n] = t->coupling[(i + 1) % n][i] = k ? -0.25 : 0.375;
    }
  }
}

/* Some pairs of sites in groups exclude each other, so that often fewer swaps can be drawn than R. */
static void pairs_exclude(uint64_t seed) {
  static const uint32_t cut[] = {1, 2, 4, 5, 5, 6, 6, 7};
  uint32_t k, e;
  pairs_models(8, 0.5, 1, seed);
  for (k = 0; k < 2; k++) {
    double(*J)[TOY_MAX] = pairs_toy[k].coupling;
    for (e = 0; e < 8; e += 2) J[cut[e]][cut[e + 1]] = J[cut[e + 1]][cut[e]] = 0;
  }
}

#define pairs_flip_list toy_flip_list_float

#define CASE            local
#define CASE_TITLE      "local"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LOCAL
#define CASE_CLOCK      LBP_BARKER
#define CASE_SORT_ABOVE 0
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"

#define CASE            listed
#define CASE_TITLE      "flips that list, float"
#define CASE_REAL       float
#define CASE_KIND       PAIRS_LISTED
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_N          5
#define CASE_COLD       1.25
#define CASE_HOT        0
#define CASE_BASE
#include "cases/pairs_case.h"

#define CASE            levels
#define CASE_TITLE      "levels"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LOCAL
#define CASE_LEVEL
#define CASE_COLD       1
#define CASE_HOT        0.25
#include "cases/pairs_case.h"

#define CASE            kept
#define CASE_TITLE      "dense, kept"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_KEPT
#define CASE_WEIGHT     LBP_SQRT
#define CASE_CLOCK      LBP_BARKER
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"

#define CASE            estimate
#define CASE_TITLE      "estimates"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_ESTIMATE
#define CASE_WEIGHT     LBP_CUSTOM
#define CASE_SORT_ABOVE 0
#define CASE_COLD       0.75
#define CASE_HOT        0.25
#define CASE_MANY
#include "cases/pairs_case.h"

#define CASE            grouped
#define CASE_TITLE      "groups"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LOCAL
#define CASE_CLOCK      LBP_BARKER
#define CASE_GROUPED
#define CASE_COLD       1
#define CASE_HOT        0.5
#include "cases/pairs_case.h"

#define CASE            grouped_dense
#define CASE_TITLE      "groups, dense"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_KEPT
#define CASE_CLOCK      LBP_BARKER
#define CASE_GROUPED
#define CASE_COLD       1
#define CASE_HOT        0.5
#define CASE_MANY
#include "cases/pairs_case.h"

#ifdef PAIRS_KINDS
#define CASE            never
#define CASE_TITLE      "local, never sorted, float"
#define CASE_REAL       float
#define CASE_KIND       PAIRS_LOCAL
#define CASE_CLOCK      LBP_BARKER
#define CASE_N          5
#define CASE_SORT_ABOVE LBP_NEVER
#define CASE_COLD       1
#define CASE_HOT        0
#include "cases/pairs_case.h"

#define CASE            dense
#define CASE_TITLE      "dense"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_DENSE
#define CASE_CLOCK      LBP_BIRTH_DEATH
#define CASE_N          5
#define CASE_COLD       1
#define CASE_HOT        0.5
#define CASE_BASE
#include "cases/pairs_case.h"

#define CASE            asked
#define CASE_TITLE      "estimates, sites of their own"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_ASKED
#define CASE_COLD       1
#define CASE_HOT        0.5
#define CASE_BASE
#include "cases/pairs_case.h"

#define CASE            grouped_list
#define CASE_TITLE      "groups, flips that list, float"
#define CASE_REAL       float
#define CASE_KIND       PAIRS_LISTED
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_GROUPED
#define CASE_COLD       1
#define CASE_HOT        0
#include "cases/pairs_case.h"

#define CASE            grouped_estimate
#define CASE_TITLE      "groups, estimates"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_ESTIMATE
#define CASE_WEIGHT     LBP_SQRT
#define CASE_N          8
#define CASE_GROUPED
#define CASE_COLD       1
#define CASE_HOT        0.5
#define CASE_MANY
#include "cases/pairs_case.h"
#endif

static void test_binary(uint32_t share) {
  pairs_models(5, 0.75, 0, 5);
  local_run(share, 1);
  listed_run(share, 2);
  kept_run(share, 3);
  estimate_run(share, 4);
#ifdef PAIRS_KINDS
  never_run(share, 5);
  dense_run(share, 6);
  asked_run(share, 7);
#endif
  pairs_rings(4);
  levels_run(share, 8);
  pairs_models(6, 0.5, 1, 9);
  local_run(share, 9);
}

static void test_groups(uint32_t share) {
  pairs_exclude(15);
  grouped_run(1, 15);
  pairs_models(8, 1.5, 0, 11);
  grouped_dense_run(share, 12);
#ifdef PAIRS_KINDS
  grouped_run(share, 11);
  grouped_list_run(share, 13);
  grouped_estimate_run(share, 14);
  pairs_exclude(15);
  grouped_list_run(share, 16);
#endif
}

/* ---- any-scale samplers ------------------------------------------------------------------------------------------ */

#define LBP_NAME     scale
#define LBP_MODEL_T  ab_toy
#define LBP_GRADIENT ab_toy_gradient
#define LBP_STATES   3
#define LBP_CLAMPED
#include "../lbp_ab.h"

enum { AB_N = 3, AB_BYTES = 16384 };

static ab_toy ab_model[2];
static scale_curvature ab_curvature[2];
static scale_chain ab_of[PAIRS_CHAINS];
static uint8_t ab_x[PAIRS_CHAINS][AB_SITES];
static double ab_ws[PAIRS_CHAINS][LBP_WS_LEN_AB(AB_N)];
static uint32_t ab_context_of[PAIRS_CHAINS];

static const uint8_t ab_mask[AB_N] = {1, 0, 0}; /* not the last site: a sweep must end where the next one begins */
static const uint8_t *ab_mask_of(uint32_t context) { return context & PAIRS_MASKED ? ab_mask : NULL; }
static const ab_toy *ab_model_of(uint32_t context) { return &ab_model[(context & PAIRS_OTHER_MODEL) != 0]; }
static double ab_beta(uint32_t context) { return context & PAIRS_HOT ? 0.5 : 1; }
static uint32_t ab_context(uint32_t k) { return ab_context_of[k]; }
static const uint8_t *ab_state(uint32_t k) { return ab_x[k]; }

/* The curvature of the Hessian, and that of half of it with another diagonal. */
static void ab_make_curvatures(void) {
  static uint64_t memory[2][AB_BYTES / sizeof(uint64_t)];
  double W[AB_N * AB_N], D[AB_N];
  lbp_symmetric matrix;
  uint32_t k, i, j;
  for (k = 0; k < 2; k++) {
    memset(&matrix, 0, sizeof matrix);
    for (i = 0; i < AB_N; i++) {
      D[i] = 0.2 + 5.0 * k;
      for (j = 0; j < AB_N; j++) {
        W[i * AB_N + j] = ab_model[0].J[i * AB_N + j] / (1 + k);
        D[i] += fabs(W[i * AB_N + j]);
      }
    }
    matrix.n = AB_N;
    matrix.dense = W;
    CHECK(scale_curvature_init(&ab_curvature[k], &matrix, D, 0, memory[k], sizeof memory[k]) == LBP_OK);
  }
}

static void ab_tell(uint32_t k, uint32_t context, int all) {
  const uint32_t differs = all ? PAIRS_CONTEXTS - 1 : ab_context_of[k] ^ context;
  ab_context_of[k] = context;
  if (differs & PAIRS_HOT) scale_temper(&ab_of[k], ab_beta(context));
  if (differs & PAIRS_MASKED) scale_clamp(&ab_of[k], ab_mask_of(context));
  if (differs & PAIRS_OTHER_MODEL) scale_touch(&ab_of[k]);
}

static void ab_begin(uint32_t k, const uint8_t *x, uint32_t context) {
  memcpy(ab_x[k], x, AB_N);
  if (scale_init(&ab_of[k], AB_N, 3, ab_x[k], ab_ws[k], sizeof ab_ws[k] / sizeof ab_ws[k][0]) != LBP_OK) {
    test_count(0, __FILE__, __LINE__, "a chain could not be made");
  }
  ab_tell(k, context, 1);
}

static void ab_set(uint32_t k, const uint8_t *x) {
  memcpy(ab_x[k], x, AB_N);
  scale_touch(&ab_of[k]);
}

static double ab_logp(const uint8_t *x, uint32_t context) {
  return ab_beta(context) * ab_toy_logp(ab_model_of(context), x);
}

static pairs_told ab_go(uint32_t k, uint32_t call, lbp_rng *rng) {
  const scale_scale first = scale_first_order(0.75, 0.5), second = scale_second_order_d(2, 1, 1);
  scale_chain *c = &ab_of[k];
  const ab_toy *m = ab_model_of(ab_context_of[k]);
  scale_tuner tuner;
  scale_adaptive adaptive;
  scale_info info;
  pairs_told told = {0, 0, NULL};
  uint32_t i;
  memset(&info, 0, sizeof info);
  switch (call) {
    case PAIRS_LANGEVIN: info = scale_ab_step(c, m, NULL, &first, rng); break;
    case PAIRS_SECOND: info = scale_ab_step(c, m, &ab_curvature[0], &second, rng); break;
    case PAIRS_SECOND_OTHER: info = scale_ab_step(c, m, &ab_curvature[1], &second, rng); break;
    case PAIRS_TUNED_LANGEVIN: /* these tuners are frozen */
      scale_tuner_init(&tuner, 0.75, 0, 0.5);
      info = scale_adlp_step(c, m, &tuner, rng);
      if (tuner.sigma != 0.75) test_count(0, __FILE__, __LINE__, "a frozen tuner does not learn");
      break;
    case PAIRS_TUNED_RWM:
      scale_tuner_init(&tuner, 0.75, 0, 0.25);
      info = scale_arwm_step(c, m, &tuner, rng);
      break;
    case PAIRS_ADAPTIVE:
      scale_adaptive_given(&adaptive, &ab_curvature[1], 0);
      adaptive.scale = second;
      info = scale_adaptive_step(c, m, &adaptive, rng);
      if (adaptive.scale.flat != second.flat || adaptive.scale.along != second.along) {
        test_count(0, __FILE__, __LINE__, "a frozen scale does not learn");
      }
      break;
    case PAIRS_RWM_1: info = scale_rwm_step(c, m, 0.5, rng); break;
    case PAIRS_GIBBS:
      for (i = 0; i < c->free; i++) {
        const scale_info one = scale_gibbs_step(c, m, rng);
        info.log_ratio += one.log_ratio;
        info.changed += one.changed;
      }
      break;
    case PAIRS_TOUCH: scale_touch(c); break;
    case PAIRS_TEMPER: ab_tell(k, ab_context_of[k] ^ PAIRS_HOT, 0); break;
    case PAIRS_CLAMP: /* the call also tells of another state */
      memcpy(ab_x[k], pairs_any(rng), AB_N);
      ab_tell(k, ab_context_of[k] ^ PAIRS_MASKED, 0);
      break;
    case PAIRS_MODEL: ab_tell(k, ab_context_of[k] ^ PAIRS_OTHER_MODEL, 0); break;
    case PAIRS_SET: ab_set(k, pairs_any(rng)); break;
    case PAIRS_CHECK:
      if (scale_check(c, m, 1, rng).status != LBP_OK) test_count(0, __FILE__, __LINE__, "the model is right");
      break;
    default: test_count(0, __FILE__, __LINE__, "a call of this family"); break;
  }
  told.log_ratio = info.log_ratio;
  told.changed = info.changed;
  return told;
}

/* Checks log pi and the gradient, if the chain marks them as valid. */
static const char *ab_audit(uint32_t k) {
  const scale_chain *c = &ab_of[k];
  double gradient[AB_SITES];
  const double logp = ab_toy_gradient(ab_model_of(ab_context_of[k]), ab_x[k], gradient);
  uint32_t i;
  if (c->logp_ready && fabs(c->logp - logp) > 1e-9) return "log pi";
  if (c->gradient_ready && fabs(c->logp - logp) > 1e-9) return "log pi beside the gradient";
  for (i = 0; c->gradient_ready && i < AB_N; i++) {
    if (fabs(c->gradient[i] - gradient[i]) > 1e-9) return "the gradient";
  }
  return NULL;
}

static void test_any_scale(uint32_t share) {
  static const uint32_t calls[] = {PAIRS_LANGEVIN, PAIRS_SECOND, PAIRS_SECOND_OTHER, PAIRS_RWM_1, PAIRS_GIBBS,
                                   PAIRS_TUNED_LANGEVIN, PAIRS_TUNED_RWM, PAIRS_ADAPTIVE, PAIRS_TOUCH, PAIRS_TEMPER,
                                   PAIRS_CLAMP, PAIRS_MODEL, PAIRS_SET, PAIRS_CHECK};
  pairs_family f;
  memset(&f, 0, sizeof f);
  ab_model[0] = ab_toy_make(AB_N, 3, 0, 3);
  ab_model[1] = ab_toy_make(AB_N, 3, 0, 4);
  ab_make_curvatures();
  f.name = "any-scale";
  f.n = AB_N;
  f.values = 3;
  f.call = calls;
  f.calls = sizeof calls / sizeof calls[0];
  f.call_name = pairs_call_name;
  f.is_step = pairs_is_step;
  f.begin = ab_begin;
  f.set = ab_set;
  f.go = ab_go;
  f.state = ab_state;
  f.context = ab_context;
  f.logp = ab_logp;
  f.mask = ab_mask_of;
  f.audit = ab_audit;
  f.slack = 1e-9;
  pairs_run(&f, share, 21);
}

/* ---- random words ------------------------------------------------------------------------------------------------ */

/* Independent sites with equal fields, more than two blocks of random words have. */
enum { WORDS_SITES = 150, WORDS_STEPS = 250 };

typedef struct {
  double field;
} coins;

static double coins_delta(const coins *m, const uint8_t *x, uint32_t i) { return x[i] ? -m->field : m->field; }
static uint32_t coins_none(const coins *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

#define LBP_NAME           coin
#define LBP_MODEL_T        coins
#define LBP_N              150
#define LBP_DELTA          coins_delta
#define LBP_NEIGHBOURS     coins_none
#define LBP_MAX_NEIGHBOURS 1
#define LBP_SWEEPS
#define LBP_CLOCK          LBP_BARKER
#include "../lbp.h"

#define LBP_NAME           independent
#define LBP_MODEL_T        coins
#define LBP_N              150
#define LBP_DELTA          coins_delta
#define LBP_NEIGHBOURS     coins_none
#define LBP_MAX_NEIGHBOURS 0
#include "../lbp.h"

enum { WORDS_GIBBS, WORDS_METROPOLIS, WORDS_SKIP_GIBBS, WORDS_SKIP_METROPOLIS, WORDS_CLOCK, WORDS_KINDS };

static const coins words_model = {0.75};

static void words_step(uint32_t kind, uint8_t *x, lbp_rng *rng) {
  static coin_chain c;
  static independent_chain product;
  if (kind == WORDS_KINDS) {
    independent_init(&product, x);
    independent_gibbs_sweep(&product, &words_model, rng);
    memcpy(x, product.x, WORDS_SITES);
    return;
  }
  coin_init(&c, x);
  switch (kind) {
    case WORDS_GIBBS: coin_gibbs_sweep(&c, &words_model, rng); break;
    case WORDS_METROPOLIS: coin_metropolis_sweep(&c, &words_model, rng); break;
    case WORDS_SKIP_GIBBS: coin_skip_sweep(&c, &words_model, LBP_BARKER, rng); break;
    case WORDS_SKIP_METROPOLIS: coin_skip_sweep(&c, &words_model, LBP_METROPOLIS, rng); break;
    default: coin_clock_step(&c, &words_model, 2, rng); break;
  }
  memcpy(x, c.x, WORDS_SITES);
}

static void test_words(void) {
  static const char *const name[] = {"Gibbs", "Metropolis", "skip Gibbs", "skip Metropolis", "the clock",
                                     "Gibbs, independent sites"};
  uint32_t k;
  for (k = 0; k <= WORDS_KINDS; k++) {
    pairs_judge_words(name[k], WORDS_SITES, 2, words_model.field, WORDS_STEPS, words_step, k);
  }
}

int main(void) {
  test_any_scale(1);
  test_words();
  test_binary(PAIRS_SHARE);
  test_groups(PAIRS_SHARE);
  return test_report();
}
