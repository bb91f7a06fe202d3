/* lbp/run/flip_kernel.h - the kernel of lbp.h's instances, NAME_kernel: all its samplers, in the form that drivers use
 * (lbp/run/kernel.h).
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp.h includes it if an instance is for lbp_run.h.
 *
 * Order of this file: chains; the law; samplers; tuners; the kernel.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/run/flip_kernel.h: lbp.h includes it, inside its template: don't include it yourself"
#else

#if !defined LBP_LOGP
#error "lbp_run.h: every draw has log pi: define LBP_LOGP, log pi(x) up to a constant"
#elif !defined LBP_P_OWN_RNG
#error "lbp_run.h: runs are saved with their generators: leave LBP_RNG_T to lbp.h"
#else

#ifdef LBP_LANES
#define LBP_P_SEATS(...) __VA_ARGS__
#else
#define LBP_P_SEATS(...)
#endif

#ifdef LBP_LANES
/* Where a chain of LBP_SAMPLER_LANES has its state: see lbp/run/lanes_kernel.h. */
typedef struct LBP_(band) LBP_(band);
typedef struct {
  LBP_(band) *band; /* of its group; NULL: it is in none */
  uint32_t lane;
} LBP_(seat);

LBP_FN int LBP_(is_in_lane)(const LBP_(seat) *seat); /* these stand in lanes_kernel.h */
LBP_FN void LBP_(leave_lane)(LBP_(seat) *seat);
LBP_FN void LBP_(temper_lane)(LBP_(seat) *seat, double beta);
LBP_FN double LBP_(lane_logp)(const LBP_(seat) *seat);
#endif

/* LBP_FIELDS_MAKE(m, fields) -> status, LBP_FIELDS_FREE(fields): MAKE allocates further memory of one chain's fields,
 * which are zeroed before; FREE frees it. FREE must also accept fields that are still zeroed, or whose MAKE failed. */

typedef struct {
  lbp_unit unit; /* comes first */
  LBP_CHAIN_T chain;
  double feedback[2];       /* the clock's last step: time, jumps; others: log(A / B) of swaps, how many can move */
  int isolated;           /* whether it has met a state without ways out */
  int blocked;            /* whether a step of several flips was refused since one was impossible */
#ifdef LBP_FIELDS_T
  LBP_FIELDS_T fields;
#endif
#ifdef LBP_LANES
  LBP_(seat) seat;
#endif
} LBP_(unit); /* without LBP_N, workspace and x come behind it */

/* ---- chains ------------------------------------------------------------------------------------------------------ */

#ifdef LBP_FIELDS_MAKE
LBP_FN int LBP_(call_fields_make)(const LBP_MODEL_T *lbp_m, LBP_FIELDS_T *lbp_fields) {
  (void)lbp_m, (void)lbp_fields;
  return LBP_P_CALL(LBP_FIELDS_MAKE, (lbp_m, lbp_fields));
}
#endif

#ifdef LBP_FIELDS_FREE
LBP_FN void LBP_(call_fields_free)(LBP_FIELDS_T *lbp_fields) {
  (void)lbp_fields;
  LBP_P_CALL(LBP_FIELDS_FREE, (lbp_fields));
}
#endif

LBP_FN size_t LBP_(kernel_bytes)(const lbp_plan *plan) {
  const size_t own = (sizeof(LBP_(unit)) + 63) / 64 * 64;
#ifdef LBP_N
  return (void)plan, own;
#else
  const size_t room = lbp_size_plus(lbp_size_times(LBP_NAME_(ws_len)(plan->n), sizeof(uint64_t)), plan->n);
  return lbp_size_plus(own, lbp_size_plus(room, 63) / 64 * 64);
#endif
}

#ifdef LBP_TERM
LBP_FN lbp_finding LBP_(finding)(LBP_REPORT_T report); /* below */

/* All chains share the index of the model's terms; without LBP_N its memory comes behind it. */
LBP_FN size_t LBP_(kernel_common_bytes)(const void *model, const lbp_plan *plan) {
#ifdef LBP_N
  return (void)model, (void)plan, sizeof(LBP_NAME_(terms));
#else
  const size_t len = LBP_NAME_(terms_len)((const LBP_MODEL_T *)model, plan->n);
  return lbp_size_plus(sizeof(LBP_NAME_(terms)), lbp_size_times(len, sizeof(uint32_t)));
#endif
}

LBP_FN lbp_finding LBP_(kernel_make_common)(void *common, const void *model, const lbp_plan *plan) {
  LBP_NAME_(terms) *terms = (LBP_NAME_(terms) *)common;
#ifdef LBP_N
  LBP_NAME_(terms_init)(terms, (const LBP_MODEL_T *)model);
  (void)plan;
#else
  const size_t len = LBP_NAME_(terms_len)((const LBP_MODEL_T *)model, plan->n);
  LBP_NAME_(terms_init)(terms, (const LBP_MODEL_T *)model, plan->n, (uint32_t *)(void *)(terms + 1), len);
#endif
  return LBP_(finding)(terms->fault);
}
#endif

LBP_FN int LBP_(kernel_make)(void *chain, const void *model, const lbp_plan *plan) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
#ifndef LBP_N
  uint64_t *ws = (uint64_t *)(void *)((unsigned char *)chain + (sizeof *u + 63) / 64 * 64);
  uint8_t *x = (uint8_t *)(ws + LBP_NAME_(ws_len)(plan->n));
#endif
  int status = LBP_OK;
#ifdef LBP_CAT_STATES_OF
  uint32_t i;
  for (i = 0; i < plan->n; i++) {
    const uint32_t states = LBP_(states_of)((const LBP_MODEL_T *)model, i);
    if (states < 1 || states > LBP_P_VALUES) return LBP_E_STATES;
  }
#endif
#ifdef LBP_FIELDS_MAKE
  status = LBP_(call_fields_make)((const LBP_MODEL_T *)model, &u->fields);
  if (status != LBP_OK) return status;
#endif
  (void)model;
#ifdef LBP_N
  if (plan->n != LBP_N) return LBP_E_SIZE;
  status = LBP_NAME_(init)(&u->chain, NULL LBP_P_FIELDS(, &u->fields)
                           LBP_P_TERMS(, (const LBP_NAME_(terms) *)plan->common));
#else
  status = LBP_NAME_(init)(&u->chain, plan->n, x LBP_P_FIELDS(, &u->fields)
                           LBP_P_TERMS(, (const LBP_NAME_(terms) *)plan->common), ws, LBP_NAME_(ws_len)(plan->n));
#endif
  u->unit.x = u->chain.x;
#ifdef LBP_GROUP_ONES
  if (status == LBP_OK) status = LBP_NAME_(fill)(&u->chain, (const LBP_MODEL_T *)model);
#endif
  return status;
}

#ifdef LBP_GROUP
/* `which`: a hash of the groups' numbers of ones: the sum of a number for each one, which its group has. */
LBP_FN int LBP_(kernel_admits)(void *chain, const void *model, uint64_t *which) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  uint32_t i;
  *which = 0;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    const uint32_t g = LBP_(call_group)(m, i);
    uint64_t word[2];
    if (!c->x[i] || g == LBP_NO_GROUP) continue;
    lbp_philox(g, 0, 0, word);
    *which += word[0];
  }
  LBP_NAME_(touch)(c);
  return LBP_NAME_(check_groups)(c, m);
}

LBP_FN void LBP_(kernel_scatter)(void *chain, const void *model, lbp_rng *rng) {
  LBP_NAME_(scatter)(&((LBP_(unit) *)chain)->chain, (const LBP_MODEL_T *)model, rng);
}

LBP_FN double LBP_(kernel_log_states)(void *chain, const void *model) {
  return LBP_NAME_(log_states)(&((LBP_(unit) *)chain)->chain, (const LBP_MODEL_T *)model);
}
#endif

LBP_FN void LBP_(kernel_drop)(void *chain) {
#ifdef LBP_FIELDS_FREE
  LBP_(call_fields_free)(&((LBP_(unit) *)chain)->fields);
#endif
  (void)chain;
}

LBP_FN void LBP_(kernel_touch)(void *chain) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  LBP_P_SEATS(LBP_(leave_lane)(&u->seat);)
  LBP_NAME_(touch)(&u->chain);
}

#ifdef LBP_CLAMPED
LBP_FN int LBP_(kernel_clamp)(void *chain, const uint8_t *mask) {
  return LBP_NAME_(clamp)(&((LBP_(unit) *)chain)->chain, mask);
}
#endif

LBP_FN lbp_finding LBP_(finding)(LBP_REPORT_T report) {
  lbp_finding it;
  it.status = report.status;
  it.placed = 1;
  it.site = report.site;
  it.other = report.other;
  it.got = (double)report.got;
  it.want = (double)report.want;
  return it;
}

#if LBP_P_WATCHES
/* The meaning of y.nan: 0: no NaN; or 1 + a site whose log-ratio is NaN at a possible state; or that log pi is, or is
 * +infinity. From LBP_P_NAN_BEYOND on it counts how often NaN was met at states that were impossible, where it does not
 * matter. */
#define LBP_P_NAN_BEYOND    0x80000000u
#define LBP_P_INFINITE_LOGP (UINT32_MAX - 1)
#define LBP_P_NAN_LOGP      UINT32_MAX

/* Whether NaN was found. */
LBP_INLINE int LBP_(has_met_nan)(const LBP_CHAIN_T *c) {
  return c->y.nan > 0 && (c->y.nan < LBP_P_NAN_BEYOND || c->y.nan >= LBP_P_INFINITE_LOGP);
}

/* Returns the fault in y.nan, as NAME_fault does. */
LBP_COLD void LBP_(recall_nan)(const LBP_CHAIN_T *c, LBP_REPORT_T *report) {
  const uint32_t nan = c->y.nan, site = nan < LBP_P_INFINITE_LOGP ? nan - 1 : 0;
  const LBP_REAL infinite = -(LBP_REAL)lbp_impossible();
  const LBP_REAL got = nan == LBP_P_INFINITE_LOGP ? infinite : infinite - infinite;
  if (!LBP_(has_met_nan)(c)) return;
  LBP_(find)(report, nan < LBP_P_INFINITE_LOGP ? LBP_E_DELTA_NAN : LBP_E_MODEL_NAN, site, site, got, got);
}

/* Keeps in mind a log pi that is NaN or +infinity. */
LBP_COLD void LBP_(note_logp)(LBP_CHAIN_T *c, LBP_REAL logp) {
  if (!LBP_(has_met_nan)(c)) c->y.nan = LBP_(is_nan)(logp) ? LBP_P_NAN_LOGP : LBP_P_INFINITE_LOGP;
}

/* Records that the log-ratio of site i is NaN. */
LBP_COLD void LBP_(note_nan)(LBP_CHAIN_T *c, uint32_t i) {
  if (!LBP_(has_met_nan)(c)) c->y.nan = i + 1;
}

/* The same, if x is possible: what the model returns beyond an impossible flip does not matter. Where x was impossible
 * so far, log pi is asked for the 1st, 2nd, 4th, 8th ... time alone. */
LBP_COLD void LBP_(meet_nan)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  const uint32_t beyond = c->y.nan >= LBP_P_NAN_BEYOND ? c->y.nan - LBP_P_NAN_BEYOND + 1 : 1;
  if (LBP_(has_met_nan)(c)) return;
  if ((beyond & (beyond - 1)) == 0 && LBP_(is_finite)(LBP_(logp)(c, m))) LBP_(note_nan)(c, i);
  else if (!LBP_(has_met_nan)(c) && beyond < LBP_P_NAN_BEYOND / 2) c->y.nan = LBP_P_NAN_BEYOND + beyond;
}

/* Whether site i has a log-ratio that is NaN. */
LBP_COLD int LBP_(has_nan)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
#ifdef LBP_CAT_STATES
  LBP_REAL d[LBP_P_VALUES];
  uint32_t v = 0;
  LBP_(row)(c, m, i, d);
  while (v < LBP_P_VALUES && !LBP_(is_nan)(d[v])) v++;
  return v < LBP_P_VALUES;
#elif LBP_P_LOCAL
  return LBP_(is_nan)(LBP_(delta)(c, m, i));
#else
  return (void)m, LBP_(is_nan)(c->ratio[i]);
#endif
}

/* After log-ratios were weighed, one of which may be NaN: asks all sites again. */
LBP_COLD void LBP_(seek_nan)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  uint32_t i = 0;
  if (LBP_(has_met_nan)(c)) return;
  while (i < LBP_P_COUNT(c) && !LBP_(has_nan)(c, m, i)) i++;
  if (i < LBP_P_COUNT(c)) LBP_(meet_nan)(c, m, i);
}

/* The same at the end of a step that flips one site, of the proposal y. */
LBP_COLD void LBP_(seek_nan_at_y)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t accepted) {
  if (!accepted) {
    LBP_P_FIELDS(LBP_(save)(c, m);)
    LBP_(flip_site)(c, m, c->touched[0]);
  }
  LBP_(seek_nan)(c, m);
  if (!accepted) LBP_(unflip)(c, m);
}

/* After a proposal was refused since its log-ratios add up to NaN, at x again: goes the same way as far as flips are
 * possible, and looks at each of them there and back. */
LBP_COLD void LBP_(retrace)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int backwards) {
#if !LBP_P_BY_LOGP /* otherwise log pi shows it */
  const uint32_t flips = c->y.flips;
  uint32_t k;
  LBP_REAL d = 0;
  if (LBP_(has_met_nan)(c)) return;
  LBP_P_FIELDS(LBP_(save)(c, m);)
  for (k = 0; k < flips && LBP_(is_finite)(d); k++) {
    const uint32_t i = c->touched[backwards ? flips - 1 - k : k];
    d = LBP_(delta)(c, m, i);
    if (LBP_(is_nan)(d)) LBP_(meet_nan)(c, m, i);
    LBP_(flip_site)(c, m, i);
    if (LBP_(is_finite)(d) && LBP_(is_nan)(LBP_(delta)(c, m, i))) LBP_(meet_nan)(c, m, i);
  }
  while (k-- > 0) {
    const uint32_t i = c->touched[backwards ? flips - 1 - k : k];
#ifdef LBP_RESTORE
    LBP_(turn)(c, i);
#else
    LBP_(flip_site)(c, m, i);
#endif
  }
#ifdef LBP_RESTORE
  LBP_P_DENSE(c->ratio_ready = 0;)
  LBP_(call_restore)(c, m);
#endif
#endif
  (void)c, (void)m, (void)backwards;
}
#endif

LBP_FN lbp_finding LBP_(kernel_check)(void *chain, const void *model, uint32_t trials, lbp_rng *rng) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  return LBP_(finding)(LBP_NAME_(check)(c, (const LBP_MODEL_T *)model, trials, rng));
}

LBP_FN lbp_finding LBP_(kernel_fault)(void *chain) {
  lbp_finding it = LBP_(finding)(LBP_NAME_(fault)(&((LBP_(unit) *)chain)->chain));
  if (((LBP_(unit) *)chain)->isolated && it.status == LBP_OK) it.status = LBP_E_ISOLATED;
  return it;
}

/* Parities are kept by an even R where all that can move, sites or swaps, has two ways to be; and where all of it moves
 * at once, which paths, that are not tuned, don't do, two such never change apart, nor do halves of a group. Draws with
 * replacement, and an R that differs from step to step: neither. */
LBP_FN int LBP_(kernel_parity)(void *chain, const void *model, const lbp_plan *plan, uint32_t R) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const int mixed = plan->setting[0] > (uint32_t)plan->setting[0];
  uint32_t mobile = LBP_P_COUNT(c), twos;
  int all;
  LBP_P_CLAMP(mobile = c->free;)
  LBP_P_CAT(mobile = LBP_(cut_to_mobile)(c, (const LBP_MODEL_T *)model, mobile);)
  LBP_P_GROUPS(mobile = c->groups.pairs;)
  twos = mobile;
  LBP_P_GROUPS(if (!c->groups.twos) twos = 0;)
#ifdef LBP_CAT_STATES
  {
    const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
    uint32_t i;
    for (i = 0; i < LBP_P_COUNT(c); i++) twos -= LBP_(is_mobile)(c, m, i) && LBP_(states_of)(m, i) > 2;
  }
#else
  (void)c, (void)model;
#endif
  all = R >= mobile && plan->sampler->target > 0;
  LBP_P_GROUPS(if (all) twos = c->groups.halves;)
  if (twos == 0 || (plan->sampler->sampler == LBP_SAMPLER_GWG && (R > 1 || mixed))) return LBP_PARITY_FREE;
  if (all) return twos > 1 ? LBP_PARITY_KEPT : LBP_PARITY_TURNED;
  if (twos < mobile || mixed) return LBP_PARITY_FREE;
  return R % 2 == 0 ? LBP_PARITY_KEPT : LBP_PARITY_TURNED;
}

#if defined LBP_PATH || defined LBP_CLUSTERS
LBP_FN int LBP_(kernel_blocked)(const void *chain) { return ((const LBP_(unit) *)chain)->blocked; }
#endif

/* Returns the chain in a unit of a driver. */
LBP_FN LBP_CHAIN_T *LBP_NAME_(chain_of)(void *chain) { return &((LBP_(unit) *)chain)->chain; }

/* ---- the law ----------------------------------------------------------------------------------------------------- */

/* With all the digits that LBP_LOGP has. */
LBP_FN double LBP_(kernel_logp)(void *lbp_chain, const void *lbp_model) {
  LBP_CHAIN_T *lbp_c = &((LBP_(unit) *)lbp_chain)->chain;
  const LBP_MODEL_T *lbp_m = (const LBP_MODEL_T *)lbp_model;
  LBP_P_SEATS(const LBP_(seat) *const seat = &((LBP_(unit) *)lbp_chain)->seat;)
  LBP_P_SEATS(if (LBP_(is_in_lane)(seat)) return LBP_(lane_logp)(seat);)
  LBP_(prepare)(lbp_c, lbp_m, 0);
  return (double)(LBP_P_CALL(LBP_LOGP, (LBP_P_ARGS)));
}

/* Whether its differences decide about steps: LBP_BY_LOGP_NOT and so on. */
LBP_FN int LBP_(kernel_by_logp)(void) {
#if LBP_P_BY_LOGP
  return LBP_(is_logp_wide)(NULL, NULL) ? LBP_BY_LOGP_WIDE : LBP_BY_LOGP_ALONE;
#else
  return LBP_BY_LOGP_NOT;
#endif
}

/* At the chain's temperature, which is 1 unless it was set. */
LBP_FN void LBP_(kernel_ratios)(void *chain, const void *model, void (*take)(void *data, uint32_t i, double d),
                                void *data) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  uint32_t i;
  LBP_P_GROUPS(c->groups.mode = LBP_MODE_CHECK;) /* of sites in groups, too */
  LBP_(prepare)(c, m, 0);
#if !LBP_P_LOCAL
  LBP_(deltas)(c, m);
#endif
  for (i = 0; i < LBP_P_COUNT(c); i++) {
#if defined LBP_CAT_STATES
    LBP_REAL d[LBP_P_VALUES];
    uint32_t v;
    LBP_(row)(c, m, i, d);
    for (v = 0; v < LBP_(states_of)(m, i); v++) {
      if (v != c->x[i]) take(data, i, (double)d[v]);
    }
#elif LBP_P_LOCAL
    take(data, i, (double)LBP_(delta)(c, m, i));
#else
    take(data, i, (double)c->ratio[i]);
#endif
  }
  LBP_P_GROUPS(c->groups.mode = LBP_MODE_FLIP;)
}

#if defined LBP_CAT_STATES && (LBP_P_LOCAL || defined LBP_DELTA || defined LBP_DELTAS_EXACT)
LBP_FN void LBP_(kernel_conditionals)(void *chain, const void *model, double *sums) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  LBP_REAL d[LBP_P_VALUES];
  double share[LBP_P_VALUES];
  uint32_t i, v;
  LBP_P_DENSE(const int ready = c->ratio_ready;)
  LBP_(prepare_fields)(c, m);
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    double top = 0, total = 0;
    LBP_(exact_row)(c, m, i, d);
    for (v = 0; v < LBP_P_VALUES; v++) top = (double)d[v] > top ? (double)d[v] : top; /* not a NaN */
    for (v = 0; v < LBP_P_VALUES; v++) {
      const double below = lbp_is_impossible((float)d[v]) ? -800 : (double)d[v] < top ? (double)d[v] - top : 0;
      share[v] = below > -700 ? lbp_exp(below) : 0;
      total += share[v];
    }
    if (LBP_P_VALUES == 2) sums[i] += share[1] / total;
    for (v = 0; LBP_P_VALUES > 2 && v < LBP_P_VALUES; v++) sums[(size_t)i * LBP_P_VALUES + v] += share[v] / total;
  }
  LBP_P_DENSE(c->ratio_ready = ready;) /* so that steps ask for as many as without this */
}
#define LBP_P_CONDITIONALS LBP_(kernel_conditionals)
#elif defined LBP_CAT_STATES
#define LBP_P_CONDITIONALS NULL
#elif LBP_P_LOCAL || defined LBP_DELTA || defined LBP_DELTAS_EXACT
/* Of site i. Barker's weights are pi of a flip, with a relative error of 4e-6 in the mean; not those of products, whose
 * conditionals never vary, nor small ones, which are whole numbers. */
LBP_INLINE double LBP_(conditional)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
#if LBP_P_LOCAL && LBP_WEIGHT == LBP_BARKER
  if (!LBP_P_PRODUCT && c->weights_ready == 1) {
    const uint32_t w = c->weight[i];
    if (c->x[i]) return 1 - w / 2147483648.0;
    if (w == 0 || w >= 1u << 18) return w / 2147483648.0;
  }
#endif
  return lbp_conditional((double)LBP_(delta)(c, m, i), c->x[i]);
}

LBP_FN void LBP_(kernel_conditionals)(void *chain, const void *model, double *sums) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  uint32_t i;
  LBP_(prepare_fields)(c, m);
#if !LBP_P_LOCAL && defined LBP_DELTAS_EXACT
  {
    const int ready = c->ratio_ready;
    if (!ready) LBP_(deltas)(c, m);
    for (i = 0; i < LBP_P_COUNT(c); i++) sums[i] += lbp_conditional((double)c->ratio[i], c->x[i]);
    c->ratio_ready = ready; /* so that steps ask for as many as without this */
  }
#else
  for (i = 0; i < LBP_P_COUNT(c); i++) sums[i] += LBP_(conditional)(c, m, i);
#endif
}
#define LBP_P_CONDITIONALS LBP_(kernel_conditionals)
#else
#define LBP_P_CONDITIONALS NULL
#endif

#ifdef LBP_TEMPERED
LBP_FN void LBP_(kernel_temper)(void *chain, double beta) {
  LBP_P_SEATS(LBP_(temper_lane)(&((LBP_(unit) *)chain)->seat, beta);)
  LBP_NAME_(temper)(&((LBP_(unit) *)chain)->chain, (LBP_REAL)beta);
}

#ifdef LBP_ROUNDING
LBP_FN double LBP_(kernel_rounding)(const void *model) {
  const LBP_MODEL_T *lbp_m = (const LBP_MODEL_T *)model;
  return (double)(LBP_P_CALL(LBP_ROUNDING, (lbp_m)));
}
#endif
#endif

#ifdef LBP_BASE
LBP_FN double LBP_(kernel_excess)(void *chain, const void *model) {
  const LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  return LBP_(kernel_logp)(chain, model) - (double)LBP_(base_logp)(c, m);
}

LBP_FN double LBP_(kernel_base)(const void *model, uint32_t i, uint32_t v) {
  LBP_P_CAT(return (double)LBP_(call_base)((const LBP_MODEL_T *)model, i, v);)
  LBP_P_BINARY(return v ? (double)LBP_(call_base)((const LBP_MODEL_T *)model, i) : 0;)
}
#endif

#ifdef LBP_PARTS
LBP_FN void LBP_(kernel_swap_parts)(void *a, void *b, const void *model, lbp_rng *rng, lbp_parts *it) {
  const LBP_NAME_(parts) info = LBP_NAME_(swap_parts)(&((LBP_(unit) *)a)->chain, &((LBP_(unit) *)b)->chain,
                                                      (const LBP_MODEL_T *)model, rng);
  it->sites = info.sites;
  it->parts = info.parts;
  it->exchanged = info.exchanged;
  it->largest = info.largest;
  it->evaluations = info.evaluations;
  it->gain[0] = (double)info.log_ratio[0];
  it->gain[1] = (double)info.log_ratio[1];
}
#endif

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

/* The tuner of a chain: of R, which comes first, or of time; for categorical sites, of R or of sigma. */
typedef struct {
  LBP_TUNER_T R;
  LBP_P_BINARY(lbp_clock_tuner time;)
  LBP_P_CAT(lbp_scale_tuner scale;)
  int is_of_R;
  uint32_t part;
} LBP_(tuners);

/* The largest R of a tuner in a chain, whatever it has learned elsewhere: not all that can move. Paths have no such. */
LBP_INLINE LBP_REAL LBP_(kernel_most)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const lbp_plan *plan,
                                      const LBP_TUNER_T *t) {
  if (!(plan->sampler->target > 0)) return t->largest;
  LBP_P_GROUPS(return LBP_(most_of)(t, c->groups.ready ? c->groups.pairs : LBP_NAME_(max_swaps)(c, m));)
  return LBP_(most)(c, m, t);
}

/* R of the next step: fixed, random with that mean, or the tuner's. */
LBP_INLINE uint32_t LBP_(kernel_R)(LBP_(unit) *u, const LBP_MODEL_T *m, const lbp_plan *plan,
                                   const LBP_TUNER_T *t) {
  const double mean = plan->setting[0];
  const uint32_t whole = (uint32_t)mean;
  lbp_rng *rng = &u->unit.rng;
  if (mean > whole) return LBP_NAME_(random_r)((LBP_REAL)mean, rng);
  return whole > 0 ? whole : LBP_(draw_r)(t, LBP_(kernel_most)(&u->chain, m, plan, t), rng);
}

/* Adds a step to `moves`. Returns its work. */
LBP_INLINE double LBP_(tell)(const void *chain, const lbp_plan *plan, const LBP_INFO_T *info, double parameter,
                             lbp_moves *moves) {
  moves->accept += (double)info->accept;
  moves->parameter += parameter;
  moves->jump += info->jump;
  moves->proposed += info->proposed;
  moves->evaluations += info->evaluations;
  moves->log_ratio += (double)info->log_ratio;
  if (plan->see) plan->see(plan->see_data, chain, info->sites, info->jump);
  return 1.0 + info->evaluations;
}

#ifdef LBP_GROUP
/* Sites in no group move after every step of swaps: by a Gibbs sweep; of a dense model, where that would take as many
 * evaluations as sites, by a step of LBP-R, R odd, and 1 where there are no more. */
LBP_INLINE void LBP_(flip_the_rest)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, lbp_rng *rng, LBP_INFO_T *info) {
  LBP_INFO_T rest;
  if (c->free == 0) return;
  R = (R | 1) < c->free ? R | 1 : 1;
  rest = LBP_P_LOCAL ? LBP_NAME_(gibbs_sweep)(c, m, rng) : LBP_NAME_(lbp_step)(c, m, R, rng);
  info->jump += rest.jump;
  info->evaluations += rest.evaluations < UINT32_MAX - info->evaluations ? rest.evaluations : 0; /* as many as fit */
  info->log_ratio += rest.log_ratio;
  info->sites = NULL;
}
#endif

/* Prepares a step of R sites or swaps. Returns its R. */
LBP_INLINE uint32_t LBP_(before_step)(LBP_(unit) *u, const LBP_MODEL_T *m, const lbp_plan *plan,
                                      const LBP_TUNER_T *t) {
  LBP_P_GROUPS(LBP_NAME_(set_shift)(&u->chain, t->shift.shift);)
  return LBP_(kernel_R)(u, m, plan, t);
}

/* Ends such a step. Returns its work. */
LBP_INLINE double LBP_(after_step)(LBP_(unit) *u, const LBP_MODEL_T *m, const lbp_plan *plan, LBP_TUNER_T *t,
                                   uint32_t R, int learn, LBP_INFO_T *info, lbp_moves *moves) {
#ifdef LBP_GROUP
  if (learn) {
    LBP_(learn_swaps)(&u->chain, t, info->accept);
  } else if (t->shift.step < t->shift.warmup) {
    u->feedback[0] = LBP_(log_odds_gap)(&u->chain);
    u->feedback[1] = u->chain.groups.pairs;
  }
  LBP_(flip_the_rest)(&u->chain, m, R, &u->unit.rng, info);
  R = LBP_(most_swaps)(&u->chain, R, plan->sampler->sampler == LBP_SAMPLER_SWAP_PATH);
#else
  if (info->proposed > 1 && lbp_is_impossible((float)u->chain.y.log_pi)) u->blocked = 1;
  if (learn) LBP_(learn)(t, LBP_(most)(&u->chain, m, t), info->accept);
  LBP_P_CAT(if (t->step < t->warmup) u->feedback[1] = LBP_(cut_to_mobile)(&u->chain, m, UINT32_MAX);)
#endif
  return LBP_(tell)(u, plan, info, R, moves);
}

/* Steps of NAME_lbp_step or its like. */
typedef LBP_INFO_T LBP_(step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng);
LBP_INLINE uint32_t LBP_(kernel_steps)(LBP_(step) *step, void *chain, const void *model, const lbp_plan *plan,
                                       void *tuner, uint32_t count, double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  LBP_TUNER_T *t = (LBP_TUNER_T *)tuner; /* the first of LBP_(tuners) */
  double work = 0;
  uint32_t k;
  u->chain.y.log_pi = 0;
  for (k = 0; k < count && work < limit; k++) {
    const uint32_t R = LBP_(before_step)(u, m, plan, t);
    LBP_INFO_T info = step(&u->chain, m, R, &u->unit.rng);
    work += LBP_(after_step)(u, m, plan, t, R, learn, &info, moves);
  }
  return k;
}

LBP_FN uint32_t LBP_(kernel_lbp)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                 double limit, int learn, lbp_moves *moves) {
  return LBP_(kernel_steps)(LBP_NAME_(lbp_step), chain, model, plan, tuner, count, limit, learn, moves);
}

LBP_FN uint32_t LBP_(kernel_gwg)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                 double limit, int learn, lbp_moves *moves) {
  return LBP_(kernel_steps)(LBP_NAME_(gwg_step), chain, model, plan, tuner, count, limit, learn, moves);
}

LBP_FN uint32_t LBP_(kernel_rwm)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                 double limit, int learn, lbp_moves *moves) {
  return LBP_(kernel_steps)(LBP_NAME_(rwm_step), chain, model, plan, tuner, count, limit, learn, moves);
}

/* Sweeps. */
typedef LBP_INFO_T LBP_(sweep)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng);
LBP_INLINE uint32_t LBP_(kernel_sweeps)(LBP_(sweep) *sweep, void *chain, const void *model, const lbp_plan *plan,
                                        uint32_t count, double limit, lbp_moves *moves) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  lbp_rng *rng = &((LBP_(unit) *)chain)->unit.rng;
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    const LBP_INFO_T info = sweep(c, (const LBP_MODEL_T *)model, rng);
    work += LBP_(tell)(chain, plan, &info, 0, moves);
  }
  return k;
}

LBP_P_SAMPLER(kernel_gibbs, kernel_sweeps, LBP_NAME_(gibbs_sweep))
LBP_P_SAMPLER(kernel_metropolis, kernel_sweeps, LBP_NAME_(metropolis_sweep))

#ifdef LBP_CLUSTERS
/* Steps of clusters: these, too, may be refused since one flip of several is impossible. */
LBP_INLINE uint32_t LBP_(kernel_clusters)(LBP_(sweep) *step, void *chain, const void *model, const lbp_plan *plan,
                                          uint32_t count, double limit, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  uint32_t taken;
  u->chain.y.log_pi = 0;
  taken = LBP_(kernel_sweeps)(step, chain, model, plan, count, limit, moves);
  if (lbp_is_impossible((float)u->chain.y.log_pi)) u->blocked = 1;
  return taken;
}

LBP_P_SAMPLER(kernel_swendsen_wang, kernel_clusters, LBP_NAME_(swendsen_wang_step))
LBP_P_SAMPLER(kernel_wolff, kernel_clusters, LBP_NAME_(wolff_step))
#endif

#ifdef LBP_CAT_STATES
LBP_FN uint32_t LBP_(kernel_dlp)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                 double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  lbp_scale_tuner *t = &((LBP_(tuners) *)tuner)->scale;
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    const double sigma = plan->setting[0] > 0 ? plan->setting[0] : t->sigma;
    const LBP_INFO_T info =
      LBP_NAME_(dlp_step)(&u->chain, (const LBP_MODEL_T *)model, (LBP_REAL)sigma, &u->unit.rng);
    if (learn) lbp_scale_tuner_update(t, (double)info.accept);
    work += LBP_(tell)(chain, plan, &info, sigma, moves);
  }
  return k;
}
#elif LBP_P_LOCAL
LBP_FN LBP_INFO_T LBP_(skip_gibbs)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  return LBP_NAME_(skip_sweep)(c, m, LBP_BARKER, rng);
}

LBP_FN LBP_INFO_T LBP_(skip_metropolis)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  return LBP_NAME_(skip_sweep)(c, m, LBP_METROPOLIS, rng);
}

LBP_P_SAMPLER(kernel_skip_gibbs, kernel_sweeps, LBP_(skip_gibbs))
LBP_P_SAMPLER(kernel_skip_metropolis, kernel_sweeps, LBP_(skip_metropolis))
#endif

/* Steps of NAME_path_step or its like, whose number of moves is R's and not the model's: they may be given up. */
#if defined LBP_PATH || (defined LBP_GROUP && LBP_P_LOCAL)
typedef LBP_INFO_T LBP_(path)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng, lbp_watch *watch,
                              double *evaluations);
LBP_INLINE uint32_t LBP_(kernel_paths)(LBP_(path) *path, void *chain, const void *model, const lbp_plan *plan,
                                       void *tuner, uint32_t count, double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  LBP_TUNER_T *t = (LBP_TUNER_T *)tuner; /* the first of LBP_(tuners) */
  lbp_watch watch = {plan->over, plan->over_data, 0};
  double work = 0;
  uint32_t k;
  u->chain.y.log_pi = 0;
  for (k = 0; k < count && work < limit; k++) {
    const uint32_t R = LBP_(before_step)(u, m, plan, t);
    double evaluations;
    LBP_INFO_T info = path(&u->chain, m, R, &u->unit.rng, &watch, &evaluations);
    const double more = evaluations - info.evaluations; /* than it counts */
    if (watch.given_up) {
      LBP_(tell)(u, plan, &info, R, moves);
      moves->given_up++;
      break;
    }
    work += LBP_(after_step)(u, m, plan, t, R, learn, &info, moves);
    if (more > 0) moves->evaluations += more, work += more;
  }
  return k;
}
#endif

#ifdef LBP_CLOCK
LBP_FN uint32_t LBP_(kernel_clock)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                   double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  lbp_clock_tuner *t = &((LBP_(tuners) *)tuner)->time;
  lbp_watch watch = {plan->over, plan->over_data, 0};
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    const double time = plan->setting[0] > 0 ? plan->setting[0] : t->time;
    const uint32_t most = plan->setting[0] > 0 || !(learn || plan->told) ? 0 : lbp_clock_tuner_most(t);
    LBP_(clock_count) it;
    double left;
    const LBP_INFO_T info =
      LBP_(clock_run)(&u->chain, (const LBP_MODEL_T *)model, time, most, &u->unit.rng, &watch, &left, &it);
    work += LBP_(tell)(chain, plan, &info, time - left, moves);
    work += it.evaluations - info.evaluations; /* evaluations that info lacks */
    moves->evaluations += it.evaluations - info.evaluations;
    moves->proposed += it.jumps - info.proposed;
    if (watch.given_up) {
      moves->given_up++;
      break;
    }
    if (!(info.accept > 0)) u->isolated = 1;
    u->feedback[0] = time - left;
    u->feedback[1] = it.jumps;
    if (learn) lbp_clock_tuner_observe(t, time - left, it.jumps);
    if (learn) lbp_clock_tuner_update(t);
  }
  return k;
}
#endif

#ifdef LBP_PATH
LBP_FN uint32_t LBP_(kernel_path)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                  double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  const uint32_t taken = LBP_(kernel_paths)(LBP_(path_run), chain, model, plan, tuner, count, limit, learn, moves);
  if (u->chain.weights_ready == 1 && u->chain.urn.sums.positive == 0) u->isolated = 1; /* once so, for ever */
  return taken;
}
#endif

#ifdef LBP_GROUP
LBP_FN uint32_t LBP_(kernel_swap)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                  double limit, int learn, lbp_moves *moves) {
  return LBP_(kernel_steps)(LBP_NAME_(swap_step), chain, model, plan, tuner, count, limit, learn, moves);
}

#if LBP_P_LOCAL
LBP_FN uint32_t LBP_(kernel_swap_path)(void *chain, const void *model, const lbp_plan *plan, void *tuner,
                                       uint32_t count, double limit, int learn, lbp_moves *moves) {
  return LBP_(kernel_paths)(LBP_(swap_path_run), chain, model, plan, tuner, count, limit, learn, moves);
}
#endif

LBP_INLINE LBP_INFO_T LBP_(kawasaki_and_rest)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_INFO_T info = LBP_NAME_(kawasaki_step)(c, m, rng);
  LBP_(flip_the_rest)(c, m, 1, rng, &info);
  return info;
}

LBP_INLINE LBP_INFO_T LBP_(swap_sweep_and_rest)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_INFO_T info = LBP_NAME_(swap_sweep)(c, m, rng);
  LBP_(flip_the_rest)(c, m, 1, rng, &info);
  return info;
}

LBP_P_SAMPLER(kernel_kawasaki, kernel_sweeps, LBP_(kawasaki_and_rest))
LBP_P_SAMPLER(kernel_swap_sweep, kernel_sweeps, LBP_(swap_sweep_and_rest))
#endif

#ifdef LBP_DELTAS_MANY
LBP_FN uint32_t LBP_(kernel_together)(const lbp_group *group, const void *model, const lbp_plan *plan, uint32_t count,
                                      double limit, int learn) {
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  LBP_(unit) *u[LBP_GROUP_MOST];
  LBP_CHAIN_T *chain[LBP_GROUP_MOST];
  lbp_rng *rng[LBP_GROUP_MOST];
  LBP_INFO_T info[LBP_GROUP_MOST];
  uint32_t R[LBP_GROUP_MOST], k, t;
  double work = 0;
  for (k = 0; k < group->count; k++) {
    u[k] = (LBP_(unit) *)group->chain[k];
    chain[k] = &u[k]->chain;
    rng[k] = &u[k]->unit.rng;
  }
  for (t = 0; t < count && work < limit; t++) {
    for (k = 0; k < group->count; k++) R[k] = LBP_(before_step)(u[k], m, plan, (const LBP_TUNER_T *)group->tuner[k]);
#ifdef LBP_GROUP
    LBP_NAME_(swap_steps)(chain, m, R, rng, group->count, info);
#else
    LBP_NAME_(lbp_steps)(chain, m, R, rng, group->count, info);
#endif
    for (k = 0; k < group->count; k++) {
      work += LBP_(after_step)(u[k], m, plan, (LBP_TUNER_T *)group->tuner[k], R[k], learn, &info[k], group->moves[k]);
    }
  }
  return t;
}
#define LBP_P_TOGETHER LBP_(kernel_together)
#else
#define LBP_P_TOGETHER NULL
#endif

#ifdef LBP_LANES
#include "lanes_kernel.h"
#endif

/* ---- tuners ------------------------------------------------------------------------------------------------------ */

LBP_FN size_t LBP_(kernel_tuner_bytes)(const lbp_plan *plan) { return (void)plan, sizeof(LBP_(tuners)); }

#ifndef LBP_CAT_STATES
/* The default number of jumps a step: a few; of local models, whose log pi costs a look at all sites, more with n. */
LBP_FN double LBP_(kernel_jumps)(const lbp_plan *plan) {
  const double share = LBP_P_LOCAL ? (plan->n - plan->clamped) / 16.0 : 0;
  return plan->target > 0 ? plan->target : share > 4 ? share : 4;
}

/* The default R of paths: as many, up to a million, and half of one, so that it is even and odd; half as many
 * swaps, which may go back. */
LBP_FN double LBP_(kernel_flips)(const lbp_plan *plan) {
  const double most = 1e6, flips = LBP_(kernel_jumps)(plan), whole = (uint32_t)(flips < most ? flips : most);
#ifdef LBP_GROUP
  return plan->n < 4 ? 1 : whole / 2;
#else
  return whole + 0.5;
#endif
}
#endif

LBP_FN int LBP_(kernel_tuner_init)(void *tuner, const lbp_plan *plan) {
  const int is_of_R = (plan->sampler->traits & (LBP_TRAIT_TIME | LBP_TRAIT_SCALE)) == 0;
  const int takes_R = is_of_R && plan->sampler->parameter_name, is_path = takes_R && !(plan->sampler->target > 0);
  const double target = takes_R && !is_path ? plan->target : 0.5; /* the R of paths is not tuned, sweeps have none */
  const double most = plan->sampler->traits & LBP_TRAIT_PATH ? LBP_MAX_SITES : plan->n - plan->clamped;
  LBP_(tuners) *both = (LBP_(tuners) *)tuner;
  LBP_TUNER_T *t = &both->R;
  int status = LBP_NAME_(tuner_init)(t, plan->n, is_path ? 0 : plan->warmup, (LBP_REAL)target);
  both->is_of_R = is_of_R;
  both->part = plan->part;
  if (!is_of_R && status == LBP_OK) {
#ifdef LBP_CAT_STATES
    const double first = plan->setting[0] > 0 ? plan->setting[0] : plan->first > 0 ? plan->first : 0.1;
    return lbp_scale_tuner_init(&both->scale, first, plan->warmup, plan->target);
#else
    const double jumps = LBP_(kernel_jumps)(plan);
    return lbp_clock_tuner_init(&both->time, jumps, plan->first > 0 ? plan->first : jumps / most, plan->warmup);
#endif
  }
  if (status == LBP_OK && plan->cost[1] > 0) {
    status = LBP_NAME_(tuner_cost)(t, (LBP_REAL)plan->at[0], (LBP_REAL)plan->cost[0], (LBP_REAL)plan->at[1],
                                   (LBP_REAL)plan->cost[1]);
  }
  t->largest = is_path ? (LBP_REAL)LBP_MAX_SITES : LBP_(most_of)(t, lbp_part_of(plan->part, plan->n - plan->clamped));
  LBP_P_GROUPS(t->shift.warmup = plan->warmup;)
  LBP_P_BINARY(if (is_path) t->r = (LBP_REAL)LBP_(kernel_flips)(plan);)
  if (status == LBP_OK && plan->first > 0) t->r = (LBP_REAL)(plan->first < most ? plan->first : most);
  return status;
}

LBP_FN void LBP_(kernel_tuner_update)(void *tuner, double accept) {
  LBP_(tuners) *t = (LBP_(tuners) *)tuner;
  LBP_P_CAT(if (!t->is_of_R) lbp_scale_tuner_update(&t->scale, accept);)
  LBP_P_BINARY(if (!t->is_of_R) lbp_clock_tuner_update(&t->time);)
  LBP_P_GROUPS(lbp_shift_tuner_update(&t->R.shift);)
  if (t->is_of_R) LBP_NAME_(tuner_update)(&t->R, (LBP_REAL)accept);
}

LBP_FN void LBP_(kernel_tuner_setting)(const void *tuner, double *setting) {
  const LBP_(tuners) *t = (const LBP_(tuners) *)tuner;
  setting[0] = t->is_of_R ? (double)t->R.r : LBP_P_CAT(t->scale.sigma) LBP_P_BINARY(t->time.time);
  LBP_P_GROUPS(setting[1] = t->R.shift.shift;)
}

/* Of R: fewer sites, or swaps, may be possible in a chain than where its tuner learned. */
LBP_FN double LBP_(kernel_tuner_most)(const void *tuner, void *chain, const void *model, const lbp_plan *plan) {
  const LBP_(tuners) *t = (const LBP_(tuners) *)tuner;
  if (!t->is_of_R) return HUGE_VAL;
  return (double)LBP_(kernel_most)(&((LBP_(unit) *)chain)->chain, (const LBP_MODEL_T *)model, plan, &t->R);
}

/* Returns the number of doubles of a tuner that updates change. */
LBP_FN size_t LBP_(kernel_tuner_words)(const lbp_plan *plan) {
  LBP_P_GROUPS(return (void)plan, (size_t)7;)
  return plan->sampler->traits & LBP_TRAIT_TIME ? (size_t)6 : plan->sampler->traits & LBP_TRAIT_SCALE ? 4 : 3;
}

#ifdef LBP_CAT_STATES
LBP_FN void LBP_(words_of_other)(LBP_(tuners) *tuners, lbp_words *w) {
  lbp_scale_tuner *t = &tuners->scale;
  lbp_words_double(w, &t->sigma);
  lbp_words_double(w, &t->log_sigma);
  lbp_words_double(w, &t->mean);
  lbp_words_u32(w, &t->step);
}
#else
LBP_FN void LBP_(words_of_other)(LBP_(tuners) *tuners, lbp_words *w) {
  lbp_clock_tuner *t = &tuners->time;
  lbp_words_double(w, &t->time);
  lbp_words_double(w, &t->jumps);
  lbp_words_double(w, &t->spent);
  lbp_words_double(w, &t->jumps_before);
  lbp_words_double(w, &t->spent_before);
  lbp_words_u32(w, &t->step);
}
#endif

#ifdef LBP_GROUP
LBP_FN void LBP_(words_of_shift)(lbp_shift_tuner *t, lbp_words *w) {
  lbp_words_double(w, &t->shift);
  lbp_words_double(w, &t->log_odds_gap);
  lbp_words_double(w, &t->told);
  lbp_words_u32(w, &t->step);
}
#endif

LBP_FN void LBP_(kernel_tuner_save)(void *tuner, double *words) {
  const LBP_TUNER_T *t = &((LBP_(tuners) *)tuner)->R;
  lbp_words w = {words, NULL};
  if (!((LBP_(tuners) *)tuner)->is_of_R) {
    LBP_(words_of_other)((LBP_(tuners) *)tuner, &w);
    return;
  }
  words[0] = (double)t->r;
  words[1] = (double)t->mean;
  words[2] = t->step;
  w.out += 3;
  LBP_P_GROUPS(LBP_(words_of_shift)(&((LBP_(tuners) *)tuner)->R.shift, &w);)
}

LBP_FN void LBP_(kernel_tuner_load)(void *tuner, const double *words) {
  LBP_TUNER_T *t = &((LBP_(tuners) *)tuner)->R;
  lbp_words w = {NULL, words};
  if (!((LBP_(tuners) *)tuner)->is_of_R) {
    LBP_(words_of_other)((LBP_(tuners) *)tuner, &w);
    return;
  }
  t->r = LBP_(between)((LBP_REAL)words[0], t->largest); /* of a run.metric where more sites could move */
  t->mean = (LBP_REAL)words[1];
  t->step = words[2] >= 0 && words[2] <= t->warmup ? (uint32_t)words[2] : t->warmup;
  w.in += 3;
  LBP_P_GROUPS(LBP_(words_of_shift)(&t->shift, &w);)
}

/* A tuner of time hears of jumps, not of acceptance, one of swaps or of categorical sites of how many can move, too. */
LBP_FN size_t LBP_(kernel_feedback_bytes)(const lbp_plan *plan) {
  int some = (plan->sampler->traits & LBP_TRAIT_TIME) != 0;
  LBP_P_GROUPS(some = 1;)
  LBP_P_CAT(some = (plan->sampler->traits & LBP_TRAIT_SITES) != 0;)
  return some ? 2 * sizeof(double) : (size_t)0;
}

LBP_FN void LBP_(kernel_feedback)(const void *chain, const lbp_plan *plan, void *feedback) {
  (void)plan;
  memcpy(feedback, ((const LBP_(unit) *)chain)->feedback, 2 * sizeof(double));
}

LBP_FN void LBP_(kernel_observe)(void *tuner, const void *feedback) {
  double step[2];
  memcpy(step, feedback, sizeof step);
#if defined LBP_GROUP || defined LBP_CAT_STATES
  {
    LBP_TUNER_T *t = &((LBP_(tuners) *)tuner)->R;
    const uint32_t mobile = lbp_part_of(((LBP_(tuners) *)tuner)->part, (uint32_t)step[1]);
    LBP_P_GROUPS(lbp_shift_tuner_observe(&t->shift, step[0]);)
    if (t->step < t->warmup) t->largest = LBP_(most_of)(t, mobile); /* a path's is not tuned */
  }
#else
  lbp_clock_tuner_observe(&((LBP_(tuners) *)tuner)->time, step[0], step[1]);
#endif
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

#ifdef LBP_CAT_STATES_OF
LBP_FN uint32_t LBP_(kernel_values_of)(const void *model, uint32_t i) {
  return LBP_(states_of)((const LBP_MODEL_T *)model, i);
}
#endif

/* Why the table has no row. */
LBP_FN const char *LBP_(kernel_lacks)(int sampler) {
#if defined LBP_GROUP
  if (sampler == LBP_SAMPLER_LANES) return "lanes flip sites, which would change the groups' numbers of ones";
  if (sampler == LBP_SAMPLER_SWAP_PATH) return "a path of swaps is for local models";
  return "this model has groups: take LBP_SAMPLER_SWAP, _SWAP_PATH, _KAWASAKI or _SWAP_SWEEP, which also move sites "
         "in no group";
#else
#ifndef LBP_CLUSTERS
  if (sampler == LBP_SAMPLER_SWENDSEN_WANG || sampler == LBP_SAMPLER_WOLFF) {
    return "clusters need the couplings of a local model: define LBP_TERM, LBP_PAIRS or LBP_CAT_PAIRS";
  }
#endif
#if !defined LBP_LANES && defined LBP_CAT_STATES
  if (sampler == LBP_SAMPLER_LANES) return "lanes are for sites of two values";
#elif !defined LBP_LANES
  if (sampler == LBP_SAMPLER_LANES) {
    return "lanes need couplings and fields in whole units: define LBP_LANES, LBP_UNIT, and LBP_TERM, or LBP_PAIRS and "
           "LBP_FIELD";
  }
#endif
#if defined LBP_CAT_STATES
  if (sampler == LBP_SAMPLER_CLOCK || sampler == LBP_SAMPLER_SKIP_GIBBS || sampler == LBP_SAMPLER_SKIP_METROPOLIS ||
      sampler == LBP_SAMPLER_PATH) {
    return "clocks, skip sweeps and paths are for sites of two values";
  }
#elif LBP_P_LOCAL && !defined LBP_CLOCK
  if (sampler == LBP_SAMPLER_CLOCK) return "a clock needs bounded weights: LBP_WEIGHT LBP_BARKER or LBP_METROPOLIS";
#elif !defined LBP_CLOCK
  if (sampler == LBP_SAMPLER_CLOCK) {
    return "a clock needs exact log-ratios: define LBP_DELTAS_EXACT, if LBP_DELTAS are exact";
  }
#endif
#if !LBP_P_LOCAL && !defined LBP_CAT_STATES
  if (sampler == LBP_SAMPLER_SKIP_GIBBS || sampler == LBP_SAMPLER_SKIP_METROPOLIS) {
    return "skip sweeps are for local models; for dense ones take Gibbs sweeps, which keep exact log-ratios";
  }
  if (sampler == LBP_SAMPLER_PATH) return "paths are for local models; for dense ones use a clock, or LBP with R = 1";
#endif
#endif
  return (void)sampler, (const char *)NULL;
}

/* The table of samplers, and how many there are. */
LBP_FN const lbp_sampler *LBP_(kernel_rows)(uint32_t *count) {
  static const lbp_sampler rows[] = {
#ifdef LBP_GROUP
      {LBP_SAMPLER_SWAP, "swap", "swap_r", "R", (double)LBP_TARGET_LBP, "evaluations",
       LBP_TRAIT_SITES | LBP_TRAIT_PARITY, LBP_(kernel_swap), LBP_P_TOGETHER},
#if LBP_P_LOCAL
      {LBP_SAMPLER_SWAP_PATH, "swap path", "swap_path", "R", 0, "evaluations", LBP_TRAIT_SITES, LBP_(kernel_swap_path),
       NULL},
#endif
      {LBP_SAMPLER_KAWASAKI, "Kawasaki", "kawasaki", NULL, 0, "evaluations", LBP_TRAIT_PARITY, LBP_(kernel_kawasaki),
       NULL},
      {LBP_SAMPLER_SWAP_SWEEP, "swap sweep", "swap_sweep", NULL, 0, "evaluations", 0, LBP_(kernel_swap_sweep), NULL},
#else
      {LBP_SAMPLER_LBP, "LBP", "lbp_r", "R", (double)LBP_TARGET_LBP, "evaluations", LBP_TRAIT_SITES | LBP_TRAIT_PARITY,
       LBP_(kernel_lbp), LBP_P_TOGETHER},
      {LBP_SAMPLER_GWG, "GWG", "gwg_r", "R", (double)LBP_TARGET_LBP, "evaluations", LBP_TRAIT_SITES | LBP_TRAIT_PARITY,
       LBP_(kernel_gwg), NULL},
      {LBP_SAMPLER_RWM, "RWM", "rwm_r", "R", (double)LBP_TARGET_RWM, "evaluations", LBP_TRAIT_SITES | LBP_TRAIT_PARITY,
       LBP_(kernel_rwm), NULL},
      {LBP_SAMPLER_GIBBS, "Gibbs", "gibbs", NULL, 0, "evaluations", 0, LBP_(kernel_gibbs), NULL},
      {LBP_SAMPLER_METROPOLIS, "Metropolis", "metropolis", NULL, 0, "evaluations", LBP_TRAIT_METROPOLIS,
       LBP_(kernel_metropolis), NULL},
#if defined LBP_CAT_STATES
      {LBP_SAMPLER_DLP, "DLP", "dlp", "sigma", (double)LBP_TARGET_LBP, "evaluations", LBP_TRAIT_SCALE,
       LBP_(kernel_dlp), NULL},
#elif LBP_P_LOCAL
      {LBP_SAMPLER_SKIP_GIBBS, "skip Gibbs", "skip_gibbs", NULL, 0, "evaluations", 0, LBP_(kernel_skip_gibbs),
       NULL},
      {LBP_SAMPLER_SKIP_METROPOLIS, "skip Metropolis", "skip_metropolis", NULL, 0, "evaluations", LBP_TRAIT_METROPOLIS,
       LBP_(kernel_skip_metropolis), NULL},
#endif
#ifdef LBP_CLOCK
      {LBP_SAMPLER_CLOCK, "clock", "clock", "time", 0, "evaluations", LBP_TRAIT_TIME, LBP_(kernel_clock), NULL},
#endif
#ifdef LBP_PATH
      {LBP_SAMPLER_PATH, "path", "path_r", "R", 0, "evaluations", LBP_TRAIT_SITES | LBP_TRAIT_PARITY | LBP_TRAIT_PATH,
       LBP_(kernel_path), NULL},
#endif
#ifdef LBP_CLUSTERS
      {LBP_SAMPLER_SWENDSEN_WANG, "Swendsen-Wang", "swendsen_wang", NULL, 0, "evaluations", 0,
       LBP_(kernel_swendsen_wang), NULL},
      {LBP_SAMPLER_WOLFF, "Wolff", "wolff", NULL, 0, "evaluations", LBP_TRAIT_PARITY | LBP_TRAIT_CLUSTER,
       LBP_(kernel_wolff), NULL},
#endif
#ifdef LBP_LANES
      {LBP_SAMPLER_LANES, "lanes", "lanes", NULL, 0, "evaluations", LBP_TRAIT_METROPOLIS | LBP_TRAIT_LANES,
       LBP_(kernel_metropolis), LBP_(kernel_lanes)},
#endif
#endif
  };
  *count = sizeof rows / sizeof rows[0];
  return rows;
}

/* The part of the kernel about the law. */
LBP_FN void LBP_(kernel_law)(lbp_kernel *k) {
  k->by_logp = LBP_(kernel_by_logp)();
  k->logp = LBP_(kernel_logp);
  k->ratios = LBP_(kernel_ratios);
  k->conditionals = LBP_P_CONDITIONALS;
#ifdef LBP_TEMPERED
  k->temper = LBP_(kernel_temper);
#ifdef LBP_ROUNDING
  k->rounding = LBP_(kernel_rounding);
#endif
#endif
#ifdef LBP_BASE
  k->excess = LBP_(kernel_excess);
  k->base = LBP_(kernel_base);
#endif
#ifdef LBP_PARTS
  k->swap_parts = LBP_(kernel_swap_parts);
#endif
}

/* This instance as drivers know it. */
LBP_FN lbp_kernel LBP_NAME_(kernel)(void) {
  lbp_kernel k;
  memset(&k, 0, sizeof k);
  k.sampler = LBP_(kernel_rows)(&k.samplers);
  k.values = LBP_P_VALUES;
#ifdef LBP_CAT_STATES_OF
  k.values_of = LBP_(kernel_values_of);
#endif
  k.item_bytes = 1;
  k.real_bytes = sizeof(LBP_REAL);
  k.weight = LBP_WEIGHT;
  k.sort_above = LBP_SORT_ABOVE;
  k.local = LBP_P_LOCAL;
  k.exact = 1;
#ifdef LBP_CLOCK
  k.clock = LBP_CLOCK;
#endif
  k.lacks = LBP_(kernel_lacks);
#ifdef LBP_TERM
  k.common_bytes = LBP_(kernel_common_bytes);
  k.make_common = LBP_(kernel_make_common);
#endif
  k.bytes = LBP_(kernel_bytes);
  k.make = LBP_(kernel_make);
  k.drop = LBP_(kernel_drop);
#ifdef LBP_CLAMPED
  k.clamp = LBP_(kernel_clamp);
#endif
  k.touch = LBP_(kernel_touch);
  k.check = LBP_(kernel_check);
  k.fault = LBP_(kernel_fault);
  k.parity = LBP_(kernel_parity);
#if defined LBP_PATH || defined LBP_CLUSTERS
  k.blocked = LBP_(kernel_blocked);
#endif
  LBP_(kernel_law)(&k);
  LBP_P_SEATS(LBP_(kernel_groups)(&k);)
#ifdef LBP_GROUP
  k.admits = LBP_(kernel_admits);
  k.scatter = LBP_(kernel_scatter);
  k.log_states = LBP_(kernel_log_states);
#ifndef LBP_GROUP_ONES
  k.needs_start = 1;
#endif
#endif
  k.tuner_bytes = LBP_(kernel_tuner_bytes);
  k.tuner_init = LBP_(kernel_tuner_init);
  k.tuner_update = LBP_(kernel_tuner_update);
  k.tuner_setting = LBP_(kernel_tuner_setting);
  k.tuner_most = LBP_(kernel_tuner_most);
  k.tuner_words = LBP_(kernel_tuner_words);
  k.tuner_save = LBP_(kernel_tuner_save);
  k.tuner_load = LBP_(kernel_tuner_load);
  k.feedback_bytes = LBP_(kernel_feedback_bytes);
  k.feedback = LBP_(kernel_feedback);
  k.observe = LBP_(kernel_observe);
  return k;
}

#define LBP_P_KERNEL LBP_NAME_(kernel)()

#endif /* no error */

#undef LBP_P_SEATS
#undef LBP_P_TOGETHER
#undef LBP_P_NAN_BEYOND
#undef LBP_P_INFINITE_LOGP
#undef LBP_P_NAN_LOGP
#undef LBP_P_CONDITIONALS

#endif /* LBP_P_INSTANCE */
