/* A family of test_pairs_cat.c: an instance for categorical sites, its calls, and its audit. Parameters: those of
 * cat_instance.h, of which this sets CASE_TEMPERED, CASE_CLAMPED and CASE_OWN_RNG; CASE_TITLE; CASE_COLD and CASE_HOT,
 * the two inverse temperatures. */
#define CASE_TEMPERED
#define CASE_CLAMPED
#define CASE_OWN_RNG
#define CASE_ASKED ((void)0)
#include "cat_instance.h"

/* Chain PAIRS_CHAINS + k takes the steps of many chains together with chain k; it is told the same, and audited. */
#if CASE_KIND == CAT_MANY
enum { CASE_ID(_beds) = 2 * PAIRS_CHAINS };
#else
enum { CASE_ID(_beds) = PAIRS_CHAINS };
#endif

static struct {
  CASE_ID(_chain) chain;
  cat_fields fields;
  uint8_t x[CAT_SITES];
  uint64_t ws[512];
} CASE_ID(_bed)[CASE_ID(_beds)];

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

static double CASE_ID(_beta)(uint32_t context) { return context & PAIRS_HOT ? CASE_HOT : CASE_COLD; }

static uint32_t CASE_ID(_context_of)[CASE_ID(_beds)];
static uint32_t CASE_ID(_context)(uint32_t k) { return CASE_ID(_context_of)[k]; }

/* Sets the context of chain k by calls for the bits that differ; `all`: for all bits. */
static void CASE_ID(_tell)(uint32_t k, uint32_t context, int all) {
  CASE_ID(_chain) *c = &CASE_ID(_bed)[k].chain;
  const uint32_t differs = all ? PAIRS_CONTEXTS - 1 : CASE_ID(_context_of)[k] ^ context;
  CASE_ID(_context_of)[k] = context;
  if (differs & PAIRS_HOT) CASE_ID(_temper)(c, (CASE_REAL)CASE_ID(_beta)(context));
  if (differs & PAIRS_MASKED) CASE_ID(_clamp)(c, cat_mask_of(context));
  if (differs & PAIRS_OTHER_MODEL) CASE_ID(_touch)(c);
  if (k + PAIRS_CHAINS < CASE_ID(_beds)) CASE_ID(_tell)(k + PAIRS_CHAINS, context, all);
}

static void CASE_ID(_begin_one)(uint32_t k, const uint8_t *x) {
  int status;
#if defined CASE_FIELDS && defined CASE_N
  status = CASE_ID(_init)(&CASE_ID(_bed)[k].chain, x, &CASE_ID(_bed)[k].fields);
#elif defined CASE_N
  status = CASE_ID(_init)(&CASE_ID(_bed)[k].chain, x);
#else
  memcpy(CASE_ID(_bed)[k].x, x, pairs_model[0].n);
  status = CASE_ID(_init)(&CASE_ID(_bed)[k].chain, pairs_model[0].n, CASE_ID(_bed)[k].x,
#ifdef CASE_FIELDS
                          &CASE_ID(_bed)[k].fields,
#endif
                          CASE_ID(_bed)[k].ws, sizeof CASE_ID(_bed)[k].ws / sizeof CASE_ID(_bed)[k].ws[0]);
#endif
  if (status != LBP_OK) test_count(0, __FILE__, __LINE__, "a chain could not be made");
}

static void CASE_ID(_begin)(uint32_t k, const uint8_t *x, uint32_t context) {
  CASE_ID(_begin_one)(k, x);
  if (k + PAIRS_CHAINS < CASE_ID(_beds)) CASE_ID(_begin_one)(k + PAIRS_CHAINS, pairs_state[pairs_states / 2]);
  CASE_ID(_tell)(k, context, 1);
}

static void CASE_ID(_set)(uint32_t k, const uint8_t *x) {
  memcpy(CASE_ID(_bed)[k].chain.x, x, pairs_model[0].n);
  CASE_ID(_touch)(&CASE_ID(_bed)[k].chain);
}

static const uint8_t *CASE_ID(_state)(uint32_t k) { return CASE_ID(_bed)[k].chain.x; }

static double CASE_ID(_logp)(const uint8_t *x, uint32_t context) {
  const cat_toy *t = cat_model_of(context);
  const double beta = CASE_ID(_beta)(context);
  uint32_t i;
  for (i = 0; i < t->n; i++) {
    if (x[i] >= t->K[i]) return -HUGE_VAL;
  }
#ifdef CASE_BASED
  return cat_tempered(t, cat_code(t, x), beta, 1);
#else
  return cat_tempered(t, cat_code(t, x), beta, 0);
#endif
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static const uint32_t CASE_ID(_calls)[] = {
  CALL_LBP_1, CALL_LBP_2, CALL_LBP_3, CALL_GWG_2, CALL_RWM_1, CALL_RWM_2, CALL_TUNED, CALL_GIBBS, CALL_METROPOLIS,
  CALL_DLP, CALL_DLP_TUNED,
#if CASE_KIND == CAT_MANY
  CALL_MANY,
#endif
  CALL_TOUCH, CALL_TEMPER, CALL_CLAMP, CALL_MODEL, CALL_SET, CALL_CHECK
};

#if CASE_KIND == CAT_MANY
/* A step of chain k and of its companion, with another R; in turn the one and the other comes first. */
static CASE_ID(_info) CASE_ID(_step_both)(uint32_t k, const cat_toy *m, lbp_rng *rng) {
  static lbp_rng other;
  static uint32_t turn;
  const uint32_t own = turn % 2;
  CASE_ID(_chain) *chain[2];
  CASE_ID(_info) info[2];
  uint32_t R[2] = {1, 1};
  lbp_rng *words[2];
  if (turn++ == 0) lbp_rng_init(&other, 77, 0);
  chain[own] = &CASE_ID(_bed)[k].chain;
  chain[1 - own] = &CASE_ID(_bed)[k + PAIRS_CHAINS].chain;
  words[own] = rng;
  words[1 - own] = &other;
  R[own] = 2;
  CASE_ID(_lbp_steps)(chain, m, R, words, 2, info);
  return info[own];
}
#endif

static pairs_told CASE_ID(_go)(uint32_t k, uint32_t call, lbp_rng *rng) {
  CASE_ID(_chain) *c = &CASE_ID(_bed)[k].chain;
  const uint32_t context = CASE_ID(_context_of)[k];
  const cat_toy *m = cat_model_of(context);
  static CASE_ID(_tuner) tuner;
  lbp_scale_tuner scale;
  CASE_ID(_info) info;
  pairs_told told;
  memset(&info, 0, sizeof info);
  switch (call) {
    case CALL_LBP_1: info = CASE_ID(_lbp_step)(c, m, 1, rng); break;
    case CALL_LBP_2: info = CASE_ID(_lbp_step)(c, m, 2, rng); break;
    case CALL_LBP_3: info = CASE_ID(_lbp_step)(c, m, 3, rng); break;
    case CALL_GWG_2: info = CASE_ID(_gwg_step)(c, m, 2, rng); break;
    case CALL_RWM_1: info = CASE_ID(_rwm_step)(c, m, 1, rng); break;
    case CALL_RWM_2: info = CASE_ID(_rwm_step)(c, m, 2, rng); break;
    case CALL_GIBBS: info = CASE_ID(_gibbs_sweep)(c, m, rng); break;
    case CALL_METROPOLIS: info = CASE_ID(_metropolis_sweep)(c, m, rng); break;
    case CALL_DLP: info = CASE_ID(_dlp_step)(c, m, 0.5, rng); break;
    case CALL_TUNED: /* these tuners are frozen */
      CASE_ID(_tuner_init)(&tuner, m->n, 0, (CASE_REAL)0.5);
      tuner.r = (CASE_REAL)1.5;
      info = CASE_ID(_agwg_step)(c, m, &tuner, rng);
      if (tuner.r != (CASE_REAL)1.5) test_count(0, __FILE__, __LINE__, "a frozen tuner does not learn");
      break;
    case CALL_DLP_TUNED:
      lbp_scale_tuner_init(&scale, 2, 0, 0.5);
      info = CASE_ID(_adlp_step)(c, m, &scale, rng);
      if (scale.sigma != 2) test_count(0, __FILE__, __LINE__, "a frozen tuner of sigma does not learn");
      break;
#if CASE_KIND == CAT_MANY
    case CALL_MANY: info = CASE_ID(_step_both)(k, m, rng); break;
#endif
    case CALL_TOUCH: CASE_ID(_touch)(c); break;
    case CALL_TEMPER: CASE_ID(_tell)(k, context ^ PAIRS_HOT, 0); break;
    case CALL_CLAMP: CASE_ID(_tell)(k, context ^ PAIRS_MASKED, 0); break;
    case CALL_MODEL: CASE_ID(_tell)(k, context ^ PAIRS_OTHER_MODEL, 0); break;
    case CALL_SET: CASE_ID(_set)(k, pairs_any(rng)); break;
    case CALL_CHECK:
      if (CASE_ID(_check)(c, m, 1, rng).status != LBP_OK) test_count(0, __FILE__, __LINE__, "the model is right");
      break;
    default: test_count(0, __FILE__, __LINE__, "a call of this family"); break;
  }
  told.log_ratio = (double)info.log_ratio;
  told.changed = info.jump;
  told.sites = info.sites;
  return told;
}

/* ---- the audit --------------------------------------------------------------------------------------------------- */

/* Compares the weights and the urn with those of a chain made from scratch. */
static const char *CASE_ID(_audit_weights)(const CASE_ID(_chain) *c, const CASE_ID(_chain) *fresh) {
  uint32_t i;
  for (i = 0; i < pairs_model[0].n; i++) {
    if (!test_same_weight(c->weight[i], fresh->weight[i])) return "a weight";
    if (!c->urn.sorted && c->weight[i] > c->urn.sums.ceiling) return "the largest weight";
#ifndef CASE_NEVER
    if (c->urn.sorted) {
      const uint32_t at = c->slot[i];
      if (at >= pairs_model[0].n || c->order[at] != i) return "the order of sites";
      if (at > 0 && lbp_bucket(c->weight[c->order[at - 1]]) > lbp_bucket(c->weight[i])) return "the buckets of sites";
    }
#endif
  }
  if (!test_same_weight((double)c->urn.sums.total, (double)fresh->urn.sums.total)) return "the sum of the weights";
  return c->urn.sums.positive != fresh->urn.sums.positive ? "how many weights are positive" : NULL;
}

/* Compares all that chain k marks as valid with a chain made from scratch. */
static const char *CASE_ID(_audit)(uint32_t k) {
  CASE_ID(_chain) *c = &CASE_ID(_bed)[k].chain, *fresh = &CASE_ID(_bed)[PAIRS_AUDIT].chain;
  const uint32_t context = CASE_ID(_context_of)[k];
  const cat_toy *m = cat_model_of(context);
  const uint8_t *mask = cat_mask_of(context);
  const char *what = NULL;
  uint32_t mobile = 0, i;
  CASE_ID(_begin)(PAIRS_AUDIT, c->x, context);
  CASE_ID(_priv_prepare)(fresh, m, c->weights_ready == 1);
  for (i = 0; i < m->n; i++) mobile += m->K[i] > 1 && !(mask && mask[i]);
  if (c->mobile != UINT32_MAX && c->mobile != mobile) return "how many sites can move";
#ifdef CASE_FIELDS
  if (c->fields_ready && c->fields->code != cat_code(m, c->x)) return "fields";
#endif
#if !CASE_LOCAL
  if (c->ratio_ready) {
    uint32_t v;
    CASE_ID(_priv_deltas)(fresh, m);
    for (i = 0; i < m->n; i++) {
      for (v = 0; v < m->K[i]; v++) {
        const CASE_REAL kept = c->ratio[i * CASE_K + v], made = fresh->ratio[i * CASE_K + v];
        if (kept != made && !(fabs((double)(kept - made)) < 1e-6)) return "log-ratios";
      }
    }
  }
#if CASE_BY_LOGP
  if (c->logp_ready && fabs((double)c->logp - CASE_ID(_logp)(c->x, context)) > 1e-5) return "log pi";
#endif
#endif
  if (c->weights_ready) what = CASE_ID(_audit_weights)(c, fresh);
  if (!what && k + PAIRS_CHAINS < CASE_ID(_beds)) what = CASE_ID(_audit)(k + PAIRS_CHAINS);
  return what;
}

static void CASE_ID(_run)(uint32_t share, uint64_t seed) {
  pairs_family f;
  memset(&f, 0, sizeof f);
  f.name = CASE_TITLE;
  f.n = pairs_model[0].n;
  f.values = 4;
  f.call = CASE_ID(_calls);
  f.calls = sizeof CASE_ID(_calls) / sizeof CASE_ID(_calls)[0];
  f.call_name = call_name;
  f.is_step = call_is_step;
  f.begin = CASE_ID(_begin);
  f.set = CASE_ID(_set);
  f.go = CASE_ID(_go);
  f.state = CASE_ID(_state);
  f.context = CASE_ID(_context);
  f.logp = CASE_ID(_logp);
  f.mask = cat_mask_of;
  f.audit = CASE_ID(_audit);
  f.slack = sizeof(CASE_REAL) == sizeof(float) ? 1e-4 : 1e-9;
  pairs_run(&f, share, seed);
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_TITLE
#undef CASE_REAL
#undef CASE_WEIGHT
#undef CASE_KIND
#undef CASE_K
#undef CASE_N
#undef CASE_SORT_ABOVE
#undef CASE_NEVER
#undef CASE_SAME
#undef CASE_ONE
#undef CASE_TEMPERED
#undef CASE_BASED
#undef CASE_CLAMPED
#undef CASE_OWN_RNG
#undef CASE_ASKED
#undef CASE_COLD
#undef CASE_HOT
#undef CASE_FIELDS
#undef CASE_ARGS
#undef CASE_CODE
#undef CASE_LOCAL
#undef CASE_ESTIMATES
#undef CASE_BY_LOGP
