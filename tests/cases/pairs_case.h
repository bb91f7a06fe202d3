/* A family of test_pairs.c: an instance of lbp.h with all optional samplers, its calls, and its audit. Parameters:
 * CASE, CASE_TITLE, CASE_REAL, CASE_KIND (PAIRS_LOCAL ...), of PAIRS_LISTED CASE_FLIP_LIST; optional CASE_WEIGHT,
 * CASE_CLOCK, CASE_N, CASE_SORT_ABOVE,
 * CASE_LEVEL (sites have levels), CASE_GROUPED (pairs_group says in which group a site is), CASE_BASE (the law at
 * beta = 0 is not uniform), CASE_MANY (steps of many chains), CASE_COLD and CASE_HOT (the two inverse temperatures). */
#define CASE_2(name, suffix)    name##_##suffix
#define CASE_1(name, suffix)    CASE_2(name, suffix)
#define CASE_(suffix)           CASE_1(CASE, suffix)

#define CASE_IS_LOCAL (CASE_KIND <= PAIRS_PRODUCT)

#define LBP_NAME    CASE
#define LBP_MODEL_T toy
#define LBP_REAL    CASE_REAL
#ifdef CASE_WEIGHT
#define LBP_WEIGHT  CASE_WEIGHT
#if CASE_WEIGHT == LBP_CUSTOM
#define LBP_LOG_WEIGHT pairs_log_weight
#endif
#endif
#ifdef CASE_CLOCK
#define LBP_CLOCK   CASE_CLOCK
#endif
#ifdef CASE_N
#define LBP_N       CASE_N
#endif
#ifdef CASE_SORT_ABOVE
#define LBP_SORT_ABOVE CASE_SORT_ABOVE
#endif
#if CASE_IS_LOCAL
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS (CASE_KIND == PAIRS_PRODUCT ? 0 : TOY_MAX)
#define LBP_PATH
#endif
#ifdef CASE_LEVEL
#define LBP_LEVELS    PAIRS_LEVELS
#if CASE_KIND == PAIRS_LOCAL
#define LBP_LEVEL     pairs_level
#else
#define LBP_LEVEL     pairs_level_of_fields
#endif
#endif
#if CASE_KIND == PAIRS_LOCAL || CASE_KIND == PAIRS_PRODUCT
#define LBP_DELTA     toy_delta
#elif CASE_KIND == PAIRS_FIELDS
#define LBP_DELTA     toy_fields_delta
#elif CASE_KIND == PAIRS_LISTED
#define LBP_DELTA     toy_listed_delta
#define LBP_FLIP_LIST CASE_FLIP_LIST
#elif CASE_KIND == PAIRS_DENSE
#define LBP_DELTAS    toy_deltas
#elif CASE_KIND == PAIRS_KEPT
#define LBP_DELTAS    toy_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP      toy_logp
#elif CASE_KIND == PAIRS_ESTIMATE
#define LBP_DELTAS    toy_fields_deltas
#define LBP_LOGP      toy_fields_logp
#define LBP_SAVE      toy_fields_save
#define LBP_RESTORE   toy_fields_restore
#elif CASE_KIND == PAIRS_ASKED
#define LBP_DELTAS    toy_fields_deltas
#define LBP_DELTA     toy_fields_delta
#define LBP_LOGP      toy_fields_logp
#endif
#if CASE_KIND == PAIRS_LISTED || CASE_KIND == PAIRS_FIELDS || CASE_KIND == PAIRS_ESTIMATE || CASE_KIND == PAIRS_ASKED
#define CASE_FIELDS(...) __VA_ARGS__
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#else
#define CASE_FIELDS(...)
#endif
#ifdef CASE_GROUPED
#define CASE_GROUPS(...) __VA_ARGS__
#define LBP_GROUP        pairs_group
#else
#define CASE_GROUPS(...)
#endif
#ifdef CASE_BASE
#define LBP_BASE pairs_base
#endif
#ifdef CASE_MANY
#define CASE_MANY_CHAINS(...) __VA_ARGS__
#if CASE_KIND == PAIRS_ESTIMATE
#define LBP_DELTAS_MANY toy_fields_deltas_many
#else
#define LBP_DELTAS_MANY pairs_deltas_many
#endif
#else
#define CASE_MANY_CHAINS(...)
#endif
#define LBP_SWEEPS
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../../lbp.h"

/* With CASE_MANY, chain PAIRS_CHAINS + k takes the steps of many chains together with chain k; it is told the same, and
 * audited, too. */
enum { CASE_(chains) = PAIRS_CHAINS CASE_MANY_CHAINS(* 2) };

static CASE_1(CASE, chain) CASE_(of)[CASE_(chains)];
static CASE_1(CASE, tuner) CASE_(tuned);
CASE_FIELDS(static toy_fields CASE_(fields)[CASE_(chains)];)
#ifndef CASE_N
static uint8_t CASE_(x)[CASE_(chains)][PAIRS_SITES];
static uint64_t CASE_(ws)[CASE_(chains)][40 * PAIRS_SITES];
#endif

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

static const toy *CASE_(model)(uint32_t context) { return &pairs_toy[(context & PAIRS_OTHER_MODEL) != 0]; }
static CASE_REAL CASE_(beta)(uint32_t context) {
  return context & PAIRS_HOT ? (CASE_REAL)CASE_HOT : (CASE_REAL)CASE_COLD;
}

static uint32_t CASE_(context_of)[CASE_(chains)];
static uint32_t CASE_(context)(uint32_t k) { return CASE_(context_of)[k]; }

/* Sets the context of chain k by calls for the bits that differ; `all`: for all bits. */
static void CASE_(tell)(uint32_t k, uint32_t context, int all) {
  CASE_1(CASE, chain) *c = &CASE_(of)[k];
  const uint32_t differs = all ? PAIRS_CONTEXTS - 1 : CASE_(context_of)[k] ^ context;
  CASE_(context_of)[k] = context;
  if (differs & PAIRS_HOT) CASE_1(CASE, temper)(c, CASE_(beta)(context));
  if (differs & PAIRS_MASKED) CASE_1(CASE, clamp)(c, context & PAIRS_MASKED ? pairs_mask : NULL);
  if (differs & PAIRS_OTHER_MODEL) CASE_1(CASE, touch)(c);
  CASE_GROUPS(if (differs & PAIRS_SHIFTED) CASE_1(CASE, set_shift)(c, context & PAIRS_SHIFTED ? 1.25 : 0);)
  if (k + PAIRS_CHAINS < CASE_(chains)) CASE_(tell)(k + PAIRS_CHAINS, context, all);
}

static void CASE_(begin_one)(uint32_t k, const uint8_t *x) {
  int status;
#ifdef CASE_N
  status = CASE_1(CASE, init)(&CASE_(of)[k], x CASE_FIELDS(, &CASE_(fields)[k]));
#else
  const uint32_t n = pairs_toy[0].n;
  memcpy(CASE_(x)[k], x, n);
  status = CASE_1(CASE, init)(&CASE_(of)[k], n, CASE_(x)[k] CASE_FIELDS(, &CASE_(fields)[k]), CASE_(ws)[k],
                              sizeof CASE_(ws)[k] / sizeof CASE_(ws)[k][0]);
#endif
  if (status != LBP_OK) test_count(0, __FILE__, __LINE__, "a chain could not be made");
}

static void CASE_(begin)(uint32_t k, const uint8_t *x, uint32_t context) {
  CASE_(begin_one)(k, x);
  if (k + PAIRS_CHAINS < CASE_(chains)) CASE_(begin_one)(k + PAIRS_CHAINS, pairs_state[pairs_states / 2]);
  CASE_(tell)(k, context, 1);
}

static void CASE_(set)(uint32_t k, const uint8_t *x) {
  memcpy(CASE_(of)[k].x, x, CASE_(of)[k].n);
  CASE_1(CASE, touch)(&CASE_(of)[k]);
}

static const uint8_t *CASE_(state)(uint32_t k) { return CASE_(of)[k].x; }

static double CASE_(logp)(const uint8_t *x, uint32_t context) {
  const double logp = toy_logp(CASE_(model)(context), x);
  double base = 0;
#ifdef CASE_BASE
  uint32_t i;
  for (i = 0; i < pairs_toy[0].n; i++) base += x[i] ? pairs_base(CASE_(model)(context), i) : 0;
  base *= 1 - (double)CASE_(beta)(context);
#endif
  CASE_GROUPS(if (!pairs_has_ones(x)) return -HUGE_VAL;)
  return logp > -1e300 ? logp * (double)CASE_(beta)(context) + base : -HUGE_VAL;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static const uint32_t CASE_(calls)[] = {
  PAIRS_LBP_1, PAIRS_LBP_2, PAIRS_GWG_2, PAIRS_RWM_1, PAIRS_GIBBS, PAIRS_METROPOLIS,
#if !defined CASE_GROUPED || defined PAIRS_KINDS
  PAIRS_LBP_3, PAIRS_RWM_2, PAIRS_TUNED,
#endif
#if CASE_IS_LOCAL
  PAIRS_SKIP_GIBBS, PAIRS_SKIP_METROPOLIS, PAIRS_PATH_2,
#endif
#ifdef CASE_CLOCK
  PAIRS_CLOCK,
#endif
#ifdef CASE_GROUPED
  PAIRS_SWAP_1, PAIRS_SWAP_2, PAIRS_SWAP_3, PAIRS_KAWASAKI, PAIRS_SWAP_SWEEP, PAIRS_SCATTER, PAIRS_SHIFT,
#if CASE_IS_LOCAL
  PAIRS_SWAP_PATH_1, PAIRS_SWAP_PATH_2,
#endif
#endif
#ifdef CASE_MANY
  PAIRS_MANY,
#ifdef CASE_GROUPED
  PAIRS_MANY_SWAPS,
#endif
#endif
  PAIRS_TOUCH, PAIRS_TEMPER, PAIRS_CLAMP, PAIRS_MODEL, PAIRS_SET, PAIRS_CHECK
};

#ifdef CASE_MANY
/* A step of chain k and of its companion, with another R; in turn the one and the other comes first. */
static CASE_1(CASE, info) CASE_(step_both)(uint32_t k, const toy *m, uint32_t call, lbp_rng *rng) {
  static lbp_rng other;
  static uint32_t turn;
  const uint32_t own = turn % 2;
  CASE_1(CASE, chain) *chain[2];
  CASE_1(CASE, info) info[2];
  uint32_t R[2] = {1, 1};
  lbp_rng *words[2];
  if (turn++ == 0) lbp_rng_init(&other, 77, 0);
  chain[own] = &CASE_(of)[k];
  chain[1 - own] = &CASE_(of)[k + PAIRS_CHAINS];
  words[own] = rng;
  words[1 - own] = &other;
  R[own] = 2;
  if (call == PAIRS_MANY) CASE_1(CASE, lbp_steps)(chain, m, R, words, 2, info);
  CASE_GROUPS(else CASE_1(CASE, swap_steps)(chain, m, R, words, 2, info);)
  return info[own];
}
#endif

static pairs_told CASE_(go)(uint32_t k, uint32_t call, lbp_rng *rng) {
  CASE_1(CASE, chain) *c = &CASE_(of)[k];
  const uint32_t context = CASE_(context_of)[k];
  const toy *m = CASE_(model)(context);
  CASE_1(CASE, info) info;
  pairs_told told;
  memset(&info, 0, sizeof info);
  switch (call) {
    case PAIRS_LBP_1: info = CASE_1(CASE, lbp_step)(c, m, 1, rng); break;
    case PAIRS_LBP_2: info = CASE_1(CASE, lbp_step)(c, m, 2, rng); break;
    case PAIRS_LBP_3: info = CASE_1(CASE, lbp_step)(c, m, 3, rng); break;
    case PAIRS_GWG_2: info = CASE_1(CASE, gwg_step)(c, m, 2, rng); break;
    case PAIRS_RWM_1: info = CASE_1(CASE, rwm_step)(c, m, 1, rng); break;
    case PAIRS_RWM_2: info = CASE_1(CASE, rwm_step)(c, m, 2, rng); break;
    case PAIRS_GIBBS: info = CASE_1(CASE, gibbs_sweep)(c, m, rng); break;
    case PAIRS_METROPOLIS: info = CASE_1(CASE, metropolis_sweep)(c, m, rng); break;
    case PAIRS_TUNED: /* by a tuner that is frozen */
      CASE_1(CASE, tuner_init)(&CASE_(tuned), c->n, 0, (CASE_REAL)0.5);
      CASE_(tuned).r = (CASE_REAL)1.5;
      info = CASE_1(CASE, agwg_step)(c, m, &CASE_(tuned), rng);
      if (CASE_(tuned).r != (CASE_REAL)1.5) test_count(0, __FILE__, __LINE__, "a frozen tuner does not learn");
      break;
#if CASE_IS_LOCAL
    case PAIRS_SKIP_GIBBS: info = CASE_1(CASE, skip_sweep)(c, m, LBP_BARKER, rng); break;
    case PAIRS_SKIP_METROPOLIS: info = CASE_1(CASE, skip_sweep)(c, m, LBP_METROPOLIS, rng); break;
    case PAIRS_PATH_2: info = CASE_1(CASE, path_step)(c, m, 2, rng); break;
#endif
#ifdef CASE_CLOCK
    case PAIRS_CLOCK: info = CASE_1(CASE, clock_step)(c, m, 0.75, rng); break;
#endif
#ifdef CASE_GROUPED
    case PAIRS_SWAP_1: info = CASE_1(CASE, swap_step)(c, m, 1, rng); break;
    case PAIRS_SWAP_2: info = CASE_1(CASE, swap_step)(c, m, 2, rng); break;
    case PAIRS_SWAP_3: info = CASE_1(CASE, swap_step)(c, m, 3, rng); break;
    case PAIRS_KAWASAKI: info = CASE_1(CASE, kawasaki_step)(c, m, rng); break;
    case PAIRS_SWAP_SWEEP: info = CASE_1(CASE, swap_sweep)(c, m, rng); break;
#if CASE_IS_LOCAL
    case PAIRS_SWAP_PATH_1: info = CASE_1(CASE, swap_path_step)(c, m, 1, rng); break;
    case PAIRS_SWAP_PATH_2: info = CASE_1(CASE, swap_path_step)(c, m, 2, rng); break;
#endif
    case PAIRS_SCATTER: /* it knows groups, but not which states are impossible */
      do CASE_1(CASE, scatter)(c, m, rng);
      while (!(CASE_(logp)(c->x, context) > -1e300));
      break;
    case PAIRS_SHIFT: CASE_(tell)(k, context ^ PAIRS_SHIFTED, 0); break;
#endif
#ifdef CASE_MANY
    case PAIRS_MANY:
    case PAIRS_MANY_SWAPS: info = CASE_(step_both)(k, m, call, rng); break;
#endif
    case PAIRS_TOUCH: CASE_1(CASE, touch)(c); break;
    case PAIRS_TEMPER: CASE_(tell)(k, context ^ PAIRS_HOT, 0); break;
    case PAIRS_CLAMP: CASE_(tell)(k, context ^ PAIRS_MASKED, 0); break;
    case PAIRS_MODEL: CASE_(tell)(k, context ^ PAIRS_OTHER_MODEL, 0); break;
    case PAIRS_SET: CASE_(set)(k, pairs_any(rng)); break;
    case PAIRS_CHECK:
      if (CASE_1(CASE, check)(c, m, 1, rng).status != LBP_OK) test_count(0, __FILE__, __LINE__, "the model is right");
      break;
    default: test_count(0, __FILE__, __LINE__, "a call of this family"); break;
  }
  told.log_ratio = (double)info.log_ratio;
  told.changed = info.jump;
  told.sites = info.sites;
  return told;
}

/* ---- the audit --------------------------------------------------------------------------------------------------- */

/* The urn: the sums of the weights, and the ceiling, or if sites are sorted, their buckets. */
static const char *CASE_(audit_urn)(const CASE_1(CASE, chain) *c, const CASE_1(CASE, chain) *fresh) {
  uint32_t i;
  if (!test_same_weight((double)c->urn.sums.total, (double)fresh->urn.sums.total)) return "the sum of the weights";
  if (c->urn.sums.positive != fresh->urn.sums.positive) return "how many weights are positive";
  for (i = 0; !c->urn.sorted && i < c->n; i++) {
    if (c->weight[i] > c->urn.sums.ceiling) return "the largest weight";
  }
#if !defined CASE_SORT_ABOVE || CASE_SORT_ABOVE != LBP_NEVER
  for (i = 0; c->urn.sorted && i < c->n; i++) {
    const uint32_t bucket = lbp_bucket(c->weight[i]), at = c->slot[i];
    if (at >= c->n || c->order[at] != i) return "the order of sites";
    if (at > 0 && lbp_bucket(c->weight[c->order[at - 1]]) > bucket) return "the buckets of sites";
  }
#endif
  return NULL;
}

#ifdef CASE_GROUPED
/* The lists of groups; with `weights` also the swaps' sums, ceilings and tree. */
static const char *CASE_(audit_groups)(const CASE_1(CASE, chain) *c, const CASE_1(CASE, chain) *fresh, int weights) {
  uint32_t i, g, k;
  if (c->groups.count != fresh->groups.count || c->groups.pairs != fresh->groups.pairs) return "how many groups";
  for (i = 0; i < c->n; i++) {
    if (c->group[i] != fresh->group[i] || c->held[i] != fresh->held[i]) return "the group of a site";
    g = c->group[i];
    if (g == LBP_NO_GROUP) continue;
    if (c->member[c->rank[i]] != i) return "the lists of groups";
    if (c->rank[i] < c->start[g] || c->rank[i] >= c->start[g + 1]) return "the list of a group";
    if ((c->rank[i] < c->start[g] + c->ones[g]) != c->x[i]) return "the ones of a group";
    if (weights && c->weight[i] > c->top[2 * g + c->x[i]]) return "the largest weight of a group";
  }
  for (k = 0; weights && k < 2 * c->groups.count; k++) {
    if (!test_same_weight((double)c->sum[k], (double)fresh->sum[k])) return "a group's sum";
    if (k > 0 && fabs(c->node[k] - fresh->node[k]) > 1e-9 * fresh->node[k]) return "the groups' tree";
  }
  return NULL;
}
#endif

/* Compares all that chain k marks as valid with a chain made from scratch. */
static const char *CASE_(audit_one)(uint32_t k) {
  CASE_1(CASE, chain) *c = &CASE_(of)[k], *fresh = &CASE_(of)[PAIRS_AUDIT];
  const uint32_t context = CASE_(context_of)[k];
  const toy *m = CASE_(model)(context);
  const char *what = NULL;
  uint32_t i;
  CASE_(begin)(PAIRS_AUDIT, c->x, context);
  CASE_GROUPS(if (c->groups.mode != LBP_MODE_FLIP) return "the mode of groups";)
  CASE_GROUPS(if (c->weights_ready == LBP_SWAP_READY) fresh->groups.mode = LBP_MODE_SWAP;)
  CASE_1(CASE, priv_prepare)(fresh, m, c->weights_ready == 1);
  CASE_GROUPS(if (c->groups.ready) what = CASE_(audit_groups)(c, fresh, 0);)
#ifdef CASE_GROUPED
  if (c->weights_ready == LBP_SWAP_READY && fresh->groups.pairs > 0) {
    CASE_1(CASE, priv_prepare_swaps)(fresh, m, 1, c->groups.by_ones);
    if (!what) what = CASE_(audit_groups)(c, fresh, 1);
  }
#endif
#if CASE_IS_LOCAL
  if (c->weights_ready >= 8) {
    CASE_1(CASE, priv_begin_hazards)(fresh, m, c->weights_ready - 8);
    if (c->before[0] != fresh->before[0]) return "the sum of hazards";
  }
#ifdef CASE_LEVEL
  for (i = 0; i < c->n; i++) {
    const uint64_t bar = c->bar[pairs_level(m, c->x, i)];
    if (bar == UINT64_MAX || (fresh->mask && fresh->mask[i])) continue; /* unknown, or not used by flips */
    if (bar != CASE_1(CASE, priv_bar)(CASE_1(CASE, priv_delta)(fresh, m, i))) return "the table of levels";
  }
#endif
#else
#ifdef CASE_CLOCK
  if (c->weights_ready == 2) {
    CASE_1(CASE, priv_deltas)(fresh, m);
    CASE_1(CASE, priv_clock_weigh)(fresh, m, CASE_1(CASE, priv_scale)(fresh));
  }
#endif
  if (c->ratio_ready) {
    fresh->mask = c->mask;
    CASE_1(CASE, priv_deltas)(fresh, m);
    for (i = 0; i < c->n; i++) {
      if (c->ratio[i] == fresh->ratio[i] || fabs((double)(c->ratio[i] - fresh->ratio[i])) < 1e-6) continue;
      return "log-ratios";
    }
  }
#if CASE_KIND != PAIRS_DENSE
  if (c->logp_ready && fabs((double)c->logp - CASE_(logp)(c->x, context)) > 1e-9) return "log pi";
#endif
#endif
  CASE_FIELDS(for (i = 0; c->fields_ready && i < c->n; i++) {)
  CASE_FIELDS(  if (c->fields->h[i] != fresh->fields->h[i]) return "fields";)
  CASE_FIELDS(})
  if (what) return what;
  if (!c->weights_ready) return NULL;
  for (i = 0; i < c->n; i++) {
    if (!test_same_weight(c->weight[i], fresh->weight[i])) return "a weight";
  }
  return c->weights_ready <= 2 ? CASE_(audit_urn)(c, fresh) : NULL;
}

static const char *CASE_(audit)(uint32_t k) {
  const char *what = CASE_(audit_one)(k);
  return !what && k + PAIRS_CHAINS < CASE_(chains) ? CASE_(audit_one)(k + PAIRS_CHAINS) : what;
}

static void CASE_(run)(uint32_t share, uint64_t seed) {
  pairs_family f;
  memset(&f, 0, sizeof f);
  f.name = CASE_TITLE;
  f.n = pairs_toy[0].n;
  f.values = 2;
  f.call = CASE_(calls);
  f.calls = sizeof CASE_(calls) / sizeof CASE_(calls)[0];
  f.call_name = pairs_call_name;
  f.is_step = pairs_is_step;
  f.begin = CASE_(begin);
  f.set = CASE_(set);
  f.go = CASE_(go);
  f.state = CASE_(state);
  f.context = CASE_(context);
  f.logp = CASE_(logp);
  f.mask = pairs_mask_of;
  f.audit = CASE_(audit);
  f.slack = sizeof(CASE_REAL) == sizeof(float) ? 1e-4 : 1e-9;
  pairs_run(&f, share, seed);
}

#undef CASE_2
#undef CASE_1
#undef CASE_
#undef CASE
#undef CASE_TITLE
#undef CASE_REAL
#undef CASE_KIND
#undef CASE_WEIGHT
#undef CASE_CLOCK
#undef CASE_N
#undef CASE_SORT_ABOVE
#undef CASE_LEVEL
#undef CASE_FLIP_LIST
#undef CASE_GROUPED
#undef CASE_BASE
#undef CASE_MANY
#undef CASE_MANY_CHAINS
#undef CASE_COLD
#undef CASE_HOT
#undef CASE_IS_LOCAL
#undef CASE_FIELDS
#undef CASE_GROUPS
