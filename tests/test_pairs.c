/* Alternates every two calls in one chain: steps, sweeps, swaps, paths, the clock, touch, temper, clamp, and other
 * states and models. The families are binary sites in every way that lbp.h accepts, groups with sites in no group, and
 * any-scale samplers; pairs.h describes the comparison. One site, and independent ones, too. A second test looks at
 * sweeps over more sites than one block of random words has: no two sites, at whatever distance, may share a word. A
 * third alternates steps of 200 sites, whose moments are known.
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
#define PAIRS_FIELDS   3
#define PAIRS_PRODUCT  4
#define PAIRS_DENSE    5
#define PAIRS_KEPT     6
#define PAIRS_ESTIMATE 7
#define PAIRS_ASKED    8

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
                                     "temper", "clamp", "another model", "another state", "check", "scatter",
                                     "another shift"};
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
  pairs_mask[n > 1] = pairs_mask[n - 1] = 1;
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

static uint32_t pairs_level_of_fields(const toy *t, const toy_fields *f, const uint8_t *x, uint32_t i) {
  return (void)f, pairs_level(t, x, i);
}

static double pairs_cold, pairs_hot; /* of families that are run at several temperatures */

#define CASE            local
#define CASE_TITLE      "local"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LOCAL
#define CASE_CLOCK      LBP_BARKER
#define CASE_SORT_ABOVE 0
#define CASE_COLD       pairs_cold
#define CASE_HOT        pairs_hot
#include "cases/pairs_case.h"

#define CASE            listed
#define CASE_TITLE      "flips that list, float"
#define CASE_REAL       float
#define CASE_KIND       PAIRS_LISTED
#define CASE_FLIP_LIST  toy_flip_list_float
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

#define CASE            levels_grouped
#define CASE_TITLE      "levels in groups"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LOCAL
#define CASE_LEVEL
#define CASE_GROUPED
#define CASE_COLD       1
#define CASE_HOT        (-0.5)
#include "cases/pairs_case.h"

#define CASE            levels_listed
#define CASE_TITLE      "levels, flips that list"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LISTED
#define CASE_FLIP_LIST  toy_flip_list
#define CASE_LEVEL
#define CASE_COLD       1
#define CASE_HOT        0.25
#include "cases/pairs_case.h"

#define CASE            levels_of_fields
#define CASE_TITLE      "levels, fields"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_FIELDS
#define CASE_LEVEL
#define CASE_COLD       1
#define CASE_HOT        (-0.5)
#include "cases/pairs_case.h"

#define CASE            product
#define CASE_TITLE      "independent sites"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_PRODUCT
#define CASE_CLOCK      LBP_BARKER
#define CASE_COLD       1
#define CASE_HOT        (-0.5)
#include "cases/pairs_case.h"

#define CASE            kept
#define CASE_TITLE      "dense, kept"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_KEPT
#define CASE_WEIGHT     LBP_SQRT
#define CASE_CLOCK      LBP_BARKER
#define CASE_COLD       pairs_cold
#define CASE_HOT        pairs_hot
#include "cases/pairs_case.h"

#define CASE            estimate
#define CASE_TITLE      "estimates"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_ESTIMATE
#define CASE_WEIGHT     LBP_CUSTOM
#define CASE_SORT_ABOVE 0
#define CASE_COLD       pairs_cold
#define CASE_HOT        pairs_hot
#define CASE_BASE
#define CASE_MANY
#include "cases/pairs_case.h"

#define CASE            grouped
#define CASE_TITLE      "groups"
#define CASE_REAL       double
#define CASE_KIND       PAIRS_LOCAL
#define CASE_CLOCK      LBP_BARKER
#define CASE_GROUPED
#define CASE_COLD       pairs_cold
#define CASE_HOT        pairs_hot
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
#define CASE_FLIP_LIST  toy_flip_list_float
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

static void pairs_temperatures(double cold, double hot) {
  pairs_cold = cold;
  pairs_hot = hot;
}

static void test_binary(uint32_t share) {
  pairs_temperatures(1, 0.5);
  pairs_models(5, 0.75, 0, 5);
  local_run(share, 1);
  listed_run(share, 2);
  kept_run(share, 3);
  pairs_temperatures(1, 0);
  estimate_run(share, 4);
  pairs_temperatures(0.5, -0.5);
  estimate_run(2 * share, 24);
#ifdef PAIRS_KINDS
  never_run(share, 5);
  dense_run(share, 6);
  asked_run(share, 7);
#endif
  pairs_rings(4);
  levels_run(share, 8);
  levels_listed_run(2 * share, 28);
  levels_of_fields_run(2 * share, 29);
  pairs_temperatures(-0.5, 1);
  pairs_models(6, 0.5, 1, 9);
  local_run(share, 9);
  pairs_models(5, 0.75, 0, 5);
  kept_run(2 * share, 23);
  pairs_temperatures(1, 0.5);
}

/* How often one site flips, in fresh chains of the last family: steps that propose to, as Metropolis's rule says. */
static void judge_one(void) {
  static const uint32_t calls[] = {PAIRS_GIBBS, PAIRS_SKIP_GIBBS, PAIRS_METROPOLIS, PAIRS_SKIP_METROPOLIS, PAIRS_LBP_1,
                                   PAIRS_RWM_1};
  uint32_t k, from;
  for (k = 0; k < sizeof calls / sizeof calls[0]; k++) {
    for (from = 0; from < 2; from++) {
      const double odds = pairs_law[0][1 - from] / pairs_law[0][from];
      double law[2];
      law[1 - from] = k < 2 ? odds / (1 + odds) : fmin(odds, 1);
      law[from] = 1 - law[1 - from];
      CHECK(chi2_counts(pairs_fresh[calls[k]][0][from], law, 2, PAIRS_TRIALS) > CHI2_LEVEL);
    }
  }
}

/* Sites that are independent, and one alone. */
static void test_few(uint32_t share) {
  pairs_models(5, 0.75, 0, 25);
  pairs_toy[0] = toy_product(5, 0.75, 0, 25);
  pairs_toy[1] = toy_product(5, 0.75, 0, 26);
  product_run(share, 25);
  pairs_models(1, 0.75, 0, 27);
  product_run(share, 27);
  judge_one();
  local_run(share, 30);
  judge_one();
  kept_run(share, 31);
  estimate_run(share, 32);
}

static void test_groups(uint32_t share) {
  pairs_exclude(15);
  grouped_run(1, 15);
  pairs_rings(8);
  levels_grouped_run(2 * share, 33);
  pairs_models(8, 1.5, 0, 11);
  pairs_temperatures(-0.5, 1);
  grouped_run(2 * share, 34);
  pairs_temperatures(1, 0.5);
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
  ab_begin(PAIRS_CHAIN, ab_x[PAIRS_NEW], 0);
  CHECK(scale_temper(&ab_of[PAIRS_CHAIN], -0.5) == LBP_E_RANGE && ab_of[PAIRS_CHAIN].beta == 1);
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

/* ---- 200 sites --------------------------------------------------------------------------------------------------- */

/* A row, log pi = sum_i f_i x_i + J x_i x_{i-1}, whose law is that of a Markov chain: after two calls in turn from that
 * law, it must say how often sites, and neighbours, are 1, and the means of log pi and of the number of ones. */
enum { ROW_N = 200, ROW_SEGMENTS = 100 };

typedef struct {
  double J, field[ROW_N];
  double next[ROW_N][2];               /* P(x_i = 1), given what x_{i-1} is */
  double one[ROW_N], both[ROW_N], mean; /* P(x_i = 1), P(x_i = x_{i-1} = 1), the mean of log pi */
  double ones;                          /* the mean of their number */
} row;

static double row_logp(const row *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < ROW_N; i++) sum += x[i] * (m->field[i] + (i > 0 ? m->J * x[i - 1] : 0));
  return sum;
}

static double row_delta(const row *m, const uint8_t *x, uint32_t i) {
  const double d = m->field[i] + m->J * ((i > 0 ? x[i - 1] : 0) + (i + 1 < ROW_N ? x[i + 1] : 0));
  return x[i] ? -d : d;
}

static uint32_t row_neighbours(const row *m, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  if (m->J == 0) return 0;
  if (i > 0) out[count++] = i - 1;
  if (i + 1 < ROW_N) out[count++] = i + 1;
  return count;
}

/* Parameters are multiples of 2^-6, so that sums are exact in any order. */
static row row_make(double J, double spread) {
  double odds = 1; /* of what is behind, given that x_i = 1, against x_i = 0 */
  uint32_t i;
  row m;
  memset(&m, 0, sizeof m);
  m.J = J;
  for (i = 0; i < ROW_N; i++) m.field[i] = spread * ((double)(i * 37 % 101) / 64 - 0.75);
  for (i = ROW_N; i-- > 0;) {
    const double weight[2] = {exp(m.field[i]) * odds, exp(m.field[i] + J) * odds};
    m.next[i][0] = weight[0] / (1 + weight[0]);
    m.next[i][1] = weight[1] / (1 + weight[1]);
    odds = (1 + weight[1]) / (1 + weight[0]);
  }
  for (i = 0; i < ROW_N; i++) {
    const double before = i > 0 ? m.one[i - 1] : 0;
    m.both[i] = before * m.next[i][1];
    m.one[i] = m.both[i] + (1 - before) * m.next[i][0];
    m.mean += m.field[i] * m.one[i] + J * m.both[i];
    m.ones += m.one[i];
  }
  return m;
}

static void row_draw(const row *m, uint8_t *x, lbp_rng *rng) {
  uint32_t i;
  for (i = 0; i < ROW_N; i++) x[i] = lbp_u01(lbp_rng_u64(rng)) < m->next[i][i > 0 && x[i - 1]];
}

#define LBP_NAME           coupled
#define LBP_MODEL_T        row
#define LBP_DELTA          row_delta
#define LBP_NEIGHBOURS     row_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_CLOCK          LBP_BARKER
#define LBP_SWEEPS
#define LBP_PATH
#include "../lbp.h"

#define LBP_NAME           apart
#define LBP_MODEL_T        row
#define LBP_DELTA          row_delta
#define LBP_NEIGHBOURS     row_neighbours
#define LBP_MAX_NEIGHBOURS 0
#define LBP_CLOCK          LBP_BARKER
#define LBP_SWEEPS
#define LBP_PATH
#include "../lbp.h"

static const uint32_t row_calls[] = {PAIRS_LBP_1, PAIRS_LBP_3, PAIRS_GWG_2, PAIRS_RWM_2, PAIRS_GIBBS, PAIRS_METROPOLIS,
                                     PAIRS_SKIP_GIBBS, PAIRS_SKIP_METROPOLIS, PAIRS_CLOCK, PAIRS_PATH_2};
enum { ROW_CALLS = sizeof row_calls / sizeof row_calls[0] };

typedef struct {
  double count, one[ROW_N], both[ROW_N];
  double gap[2], square[2]; /* of log pi, and the number of ones, from their means */
  uint32_t wrong;           /* reports */
} row_sums;

static void row_see(const row *m, const uint8_t *x, const uint8_t *y, pairs_told told, row_sums *sums) {
  uint32_t changed = 0, i;
  for (i = 0; i < ROW_N; i++) changed += x[i] != y[i];
  sums->wrong += changed != told.changed || !(fabs(told.log_ratio - row_logp(m, y) + row_logp(m, x)) < 1e-9);
}

static void row_count(const row *m, const uint8_t *x, row_sums *sums) {
  double gap[2] = {row_logp(m, x) - m->mean, -m->ones};
  uint32_t i;
  for (i = 0; i < ROW_N; i++) {
    sums->one[i] += x[i];
    sums->both[i] += i > 0 && x[i] && x[i - 1];
    gap[1] += x[i];
  }
  for (i = 0; i < 2; i++) sums->gap[i] += gap[i], sums->square[i] += gap[i] * gap[i];
  sums->count++;
}

static void row_add(row_sums *all, const row_sums *sums) {
  uint32_t i;
  for (i = 0; i < ROW_N; i++) all->one[i] += sums->one[i], all->both[i] += sums->both[i];
  for (i = 0; i < 2; i++) all->gap[i] += sums->gap[i], all->square[i] += sums->square[i];
  all->count += sums->count;
}

/* In standard errors, of rare counts with room for single ones. */
static double row_errors(double seen, double p, double count) {
  return fabs(seen - p * count) / sqrt(p * (1 - p) * count + 1);
}

static void row_judge(const row *m, const char *name, const char *a, const char *b, const row_sums *sums) {
  const double log_pi = fabs(sums->gap[0]) / sqrt(sums->square[0]), ones = fabs(sums->gap[1]) / sqrt(sums->square[1]);
  double worst = 0;
  char text[200];
  uint32_t i;
  for (i = 0; i < ROW_N; i++) {
    worst = test_larger(worst, row_errors(sums->one[i], m->one[i], sums->count));
    worst = test_larger(worst, row_errors(sums->both[i], m->both[i], sums->count));
  }
  snprintf(text, sizeof text, "200 sites, %s, %s and %s: off by %.1f errors at a site, %.1f in log pi, %.1f in ones; "
           "%u wrong reports", name, a, b, worst, log_pi, ones, (unsigned)sums->wrong);
  worst = test_larger(test_larger(worst, log_pi), ones);
  test_count(worst < PAIRS_ERRORS && sums->wrong == 0, __FILE__, __LINE__, text);
}

/* A call for each instance; steps flip many sites. */
#define ROW_GO(NAME) \
  static pairs_told NAME##_go(NAME##_chain *c, const row *m, uint32_t call, lbp_rng *rng) { \
    pairs_told told = {0, 0, NULL}; \
    NAME##_info info; \
    switch (call) { \
      case PAIRS_LBP_1: info = NAME##_lbp_step(c, m, 1, rng); break; \
      case PAIRS_LBP_3: info = NAME##_lbp_step(c, m, 130, rng); break; \
      case PAIRS_GWG_2: info = NAME##_gwg_step(c, m, 70, rng); break; \
      case PAIRS_RWM_2: info = NAME##_rwm_step(c, m, 2, rng); break; \
      case PAIRS_GIBBS: info = NAME##_gibbs_sweep(c, m, rng); break; \
      case PAIRS_METROPOLIS: info = NAME##_metropolis_sweep(c, m, rng); break; \
      case PAIRS_SKIP_GIBBS: info = NAME##_skip_sweep(c, m, LBP_BARKER, rng); break; \
      case PAIRS_SKIP_METROPOLIS: info = NAME##_skip_sweep(c, m, LBP_METROPOLIS, rng); break; \
      case PAIRS_CLOCK: info = NAME##_clock_step(c, m, 0.25, rng); break; \
      default: info = NAME##_path_step(c, m, 40, rng); break; \
    } \
    told.log_ratio = info.log_ratio; \
    told.changed = info.jump; \
    return told; \
  } \
  static void NAME##_alternate(const row *m, uint32_t a, uint32_t b, row_sums *sums) { \
    static const uint8_t second[PAIRS_ORDER] = {0, 1, 1, 0, 0, 1, 0, 1}; \
    static uint64_t ws[LBP_WS_LEN(ROW_N)]; \
    uint8_t x[ROW_N] = {0}, was[ROW_N]; \
    uint32_t segment, k; \
    NAME##_chain c; \
    lbp_rng rng; \
    lbp_rng_init(&rng, 41, a * PAIRS_CALLS + b); \
    CHECK(NAME##_init(&c, ROW_N, x, ws, LBP_WS_LEN(ROW_N)) == LBP_OK); \
    for (segment = 0; segment < ROW_SEGMENTS; segment++) { \
      row_draw(m, x, &rng); \
      NAME##_touch(&c); \
      for (k = 0; k < PAIRS_ORDER; k++) { \
        memcpy(was, x, ROW_N); \
        row_see(m, was, x, NAME##_go(&c, m, second[k] ? b : a, &rng), sums); \
      } \
      row_count(m, x, sums); \
    } \
  } \
  static void NAME##_pairs(double J, double spread) { \
    static row_sums all, sums; \
    const row m = row_make(J, spread); \
    uint32_t a, b; \
    memset(&all, 0, sizeof all); \
    for (a = 0; a < ROW_CALLS; a++) { \
      for (b = a; b < ROW_CALLS; b++) { \
        memset(&sums, 0, sizeof sums); \
        NAME##_alternate(&m, row_calls[a], row_calls[b], &sums); \
        row_judge(&m, #NAME, pairs_call_name(row_calls[a]), pairs_call_name(row_calls[b]), &sums); \
        row_add(&all, &sums); \
      } \
    } \
    row_judge(&m, #NAME, "all", "all", &all); \
  }

ROW_GO(coupled)
ROW_GO(apart)

int main(void) {
  test_any_scale(1);
  test_words();
  coupled_pairs(0.75, 1);
  coupled_pairs(6, 12); /* few sites flip */
  apart_pairs(0, 1);
  test_binary(PAIRS_SHARE);
  test_few(PAIRS_SHARE);
  test_groups(PAIRS_SHARE);
  return test_report();
}
