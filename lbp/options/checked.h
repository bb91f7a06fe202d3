/* lbp/options/checked.h - checked builds of lbp.h: LBP_CHECKED 1.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_CHECKED is 1;
 * lbp/base/checked.h has the part that lbp_ab.h and lbp_perm.h share. Checked builds need both; don't include them
 * yourself.
 *
 * Every step verifies its arguments and the model's answers, and from time to time everything that the chain stores. If
 * the model is right, the draws are the same as without checks. The chain keeps its first fault, which NAME_fault
 * returns: the step that finds it rejects its proposal, and later steps do nothing. docs/trust.md has the cost.
 *
 * Order of this file: faults; checks of every step; checks from time to time. NAME_check, which checks a model before
 * the first draw, is in lbp.h and needs nothing of this.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/checked.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* ---- faults ------------------------------------------------------------------------------------------------------ */

LBP_FN void LBP_(on_error)(int lbp_status, uint32_t lbp_site) {
  (void)lbp_status, (void)lbp_site;
  LBP_P_CALL(LBP_ON_ERROR, (lbp_status, lbp_site));
}

LBP_INLINE int LBP_(failed)(const LBP_CHAIN_T *c) { return c->fault.status != LBP_OK; }

/* All faults come by here. */
LBP_FN void LBP_(fail)(LBP_CHAIN_T *c, int status, uint32_t site, uint32_t other, LBP_REAL got, LBP_REAL want) {
  if (c && c->made == LBP_MADE) {
    if (LBP_(failed)(c)) return;
    LBP_(find)(&c->fault, status, site, other, got, want);
  }
  LBP_(on_error)(status, site);
}

LBP_INLINE void LBP_(refuse_nan)(LBP_CHAIN_T *c, uint32_t i, LBP_REAL v) {
  if (LBP_(is_nan)(v)) LBP_(fail)(c, LBP_E_DELTA_NAN, i, i, v, v);
}

/* The result of NAME_fault. */
LBP_FN void LBP_(recall)(const LBP_CHAIN_T *c, LBP_REPORT_T *report) {
  if (c && c->made == LBP_MADE) {
    *report = c->fault;
  } else {
    report->status = c ? LBP_E_NOT_MADE : LBP_E_NULL;
  }
}

/* The end of NAME_init. */
LBP_FN void LBP_(mark_valid)(LBP_CHAIN_T *c) {
  c->made = LBP_MADE;
  c->wait = c->turn = 0;
  LBP_(find)(&c->fault, LBP_OK, 0, 0, 0, 0);
}

/* A chain that has failed reports nothing more: so faults that NAME_check meets are none of the chain's. Returns the
 * one that it has, to be put back. */
LBP_FN LBP_REPORT_T LBP_(suspend_faults)(LBP_CHAIN_T *c) {
  const LBP_REPORT_T kept = c->fault;
  c->fault.status = LBP_E_STALE;
  return kept;
}

/* ---- checks of each step ----------------------------------------------------------------------------------------- */

/* LBP_E_NULL without a chain or a generator; LBP_E_NOT_MADE if one of them was not made. */
LBP_FN int LBP_(judge)(const LBP_CHAIN_T *c, const LBP_RNG_T *rng) {
  if (!c || !rng) return LBP_E_NULL;
  if (c->made != LBP_MADE) return LBP_E_NOT_MADE;
#ifdef LBP_P_OWN_RNG
  if (!lbp_rng_is_made(rng)) return LBP_E_NOT_MADE;
#endif
  return LBP_OK;
}

/* Whether the arguments of a step are usable. */
LBP_FN int LBP_(usable)(LBP_CHAIN_T *c, const LBP_RNG_T *rng) {
  const int status = LBP_(judge)(c, rng);
  if (status != LBP_OK) LBP_(fail)(c, status, 0, 0, 0, 0);
  return status == LBP_OK && !LBP_(failed)(c);
}

/* The info of a step that has done nothing. */
LBP_FN LBP_INFO_T LBP_(nothing)(void) {
  LBP_INFO_T info;
  memset(&info, 0, sizeof info);
  return info;
}

/* Defined further down in lbp.h, and in lbp/options/fields.h, lbp/options/custom.h and lbp/options/clamped.h. */
LBP_FN int LBP_(agree)(LBP_REAL got, LBP_REAL want, LBP_REAL scale);
LBP_COLD int LBP_P_CHECK_SITE(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REPORT_T *report);
LBP_P_CAT(LBP_COLD int LBP_(check_values)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report);)
LBP_P_CAT(LBP_INLINE uint32_t LBP_(states_of)(const LBP_MODEL_T *lbp_m, uint32_t lbp_i);)
LBP_INLINE void LBP_(weigh_x)(LBP_CHAIN_T *c, const LBP_MODEL_T *m);
#if LBP_P_LOCAL
LBP_FN int LBP_(judge_list)(const LBP_CHAIN_T *c, uint32_t i, const uint32_t *list, uint32_t count,
                            LBP_REPORT_T *report);
#else
LBP_COLD int LBP_(check_dense)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report);
#endif
#if LBP_P_BY_LOGP
LBP_FN LBP_REAL LBP_(logp)(LBP_CHAIN_T *c, const LBP_MODEL_T *m);
LBP_FN LBP_REAL LBP_(abs)(LBP_REAL v);
#endif
#ifdef LBP_CLAMPED
LBP_INLINE int LBP_(is_clamped)(const LBP_CHAIN_T *c, uint32_t i);
LBP_FN uint64_t LBP_(hash_of_clamped)(const LBP_CHAIN_T *c);
LBP_P_GROUPS(LBP_FN void LBP_(ready_groups)(LBP_CHAIN_T *c, const LBP_MODEL_T *m);)
LBP_P_GROUPS(LBP_FN int LBP_(is_listed)(const LBP_CHAIN_T *c, uint32_t i);)
#endif
#ifdef LBP_FIELDS_T
LBP_INLINE void LBP_(call_fields_init)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m);
#endif
#if LBP_WEIGHT == LBP_CUSTOM
LBP_FN int LBP_(check_weight)(LBP_REPORT_T *report);
#endif
LBP_P_TERMS(LBP_FN int LBP_(examine_terms)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report);)

#if LBP_P_LOCAL
/* How many sites of a list are fit for use: all or none. */
LBP_FN uint32_t LBP_(fit)(LBP_CHAIN_T *c, uint32_t i, const uint32_t *list, uint32_t count) {
  LBP_REPORT_T r;
  if (LBP_(judge_list)(c, i, list, count, &r) == LBP_OK) return count;
  LBP_(fail)(c, r.status, r.site, r.other, r.got, r.want);
  return 0;
}
#elif !defined LBP_CAT_STATES
LBP_FN void LBP_(look_at_ratios)(LBP_CHAIN_T *c) {
  uint32_t i;
  for (i = 0; i < LBP_P_COUNT(c); i++) LBP_(refuse_nan)(c, i, c->ratio[i]);
}
#endif

#ifdef LBP_CAT_STATES
/* Log-ratios of one site: numbers, and 0 for the value that it has. */
LBP_FN void LBP_(look_at_row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, const LBP_REAL *d) {
  const LBP_REAL here = d[c->x[i]];
  uint32_t v;
  for (v = 0; v < LBP_(states_of)(m, i) && v < LBP_P_VALUES; v++) LBP_(refuse_nan)(c, i, d[v]);
  if (!LBP_(agree)(here, 0, 0)) LBP_(fail)(c, LBP_E_CURRENT, i, i, here, 0);
}
#endif

/* ---- checks now and then ----------------------------------------------------------------------------------------- */

/* The weights in next[] against `kept` ones: equal, up to rounding in another order. */
LBP_FN int LBP_(compare)(const LBP_CHAIN_T *c, const uint32_t *kept, int status, LBP_REPORT_T *report) {
  const uint32_t shift = sizeof(LBP_REAL) == sizeof(float) ? 9 : 17;
  uint32_t i;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    const uint32_t fresh = c->next[i], high = kept[i] > fresh ? kept[i] : fresh;
    if (2 * high - kept[i] - fresh > 2 + (high >> shift)) {
      return LBP_(find)(report, status, i, i, (LBP_REAL)kept[i], (LBP_REAL)fresh);
    }
  }
  return LBP_OK;
}

/* Whether x is a state, and all data that the chain keeps agree with the model at x, called again; and whether the
 * model is right at x, for one site in 16, in turn. For a right model nothing changes but scratch; no random number is
 * drawn. */
LBP_FN void LBP_(examine)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t n = LBP_P_COUNT(c);
  LBP_REPORT_T r;
  uint32_t i;
  int status = LBP_(find)(&r, LBP_OK, 0, 0, 0, 0), ready = 1;
  LBP_P_GROUPS(if (c->weights_ready != 1) c->groups.mode = LBP_MODE_SWAP, ready = LBP_SWAP_READY;)
#if LBP_WEIGHT == LBP_CUSTOM
  status = LBP_(check_weight)(&r);
#endif
  LBP_P_CAT(if (status == LBP_OK) status = LBP_(check_values)(c, m, &r);)
#ifndef LBP_CAT_STATES
  for (i = 0; i < n && status == LBP_OK; i++) {
    if (c->x[i] > 1) status = LBP_(find)(&r, LBP_E_STATE, i, i, c->x[i], 1);
  }
#endif
  LBP_P_TERMS(if (status == LBP_OK) status = LBP_(examine_terms)(c, m, &r);)
#ifdef LBP_GROUP
  for (i = 0; i < n && status == LBP_OK && c->groups.ready; i++) {
    if (!LBP_(is_listed)(c, i)) status = LBP_(find)(&r, LBP_E_STALE, i, i, c->x[i], (LBP_REAL)(1 - c->x[i]));
  }
  if (c->fields_ready) LBP_(ready_groups)(c, m);
#endif
  if (status == LBP_OK && c->fields_ready) {
    for (i = 0; i <= n / 16 && status == LBP_OK; i++, c->turn++) {
      LBP_P_CLAMP(if (LBP_(is_clamped)(c, c->turn % n)) continue;)
      status = LBP_P_CHECK_SITE(c, m, c->turn % n, &r);
    }
#ifdef LBP_CLAMPED
    if (status == LBP_OK && c->evidence != LBP_(hash_of_clamped)(c)) status = LBP_(find)(&r, LBP_E_STALE, 0, 0, 0, 0);
#endif
#if !LBP_P_LOCAL
    if (status == LBP_OK) status = LBP_(check_dense)(c, m, &r);
#endif
#ifdef LBP_FIELDS_INIT
    LBP_(weigh_x)(c, m);
    memcpy(c->again, c->next, n * sizeof c->next[0]);
    LBP_(call_fields_init)(c, m);
#endif
    LBP_(weigh_x)(c, m);
#ifdef LBP_FIELDS_INIT
    if (status == LBP_OK) status = LBP_(compare)(c, c->again, LBP_E_FIELDS, &r);
#endif
    if (status == LBP_OK && c->weights_ready == ready) status = LBP_(compare)(c, c->weight, LBP_E_STALE, &r);
#if LBP_P_BY_LOGP
    if (status == LBP_OK && c->logp_ready) {
      const LBP_REAL fresh = LBP_(logp)(c, m);
      if (!LBP_(agree)(c->logp, fresh, LBP_(abs)(fresh))) {
        status = LBP_(find)(&r, LBP_E_LOGP, 0, 0, c->logp, fresh);
      }
    }
#endif
  }
  LBP_P_GROUPS(c->groups.mode = LBP_MODE_FLIP;)
  if (status != LBP_OK) LBP_(fail)(c, r.status, r.site, r.other, r.got, r.want);
}

/* All at once after n / 16 steps, rather than 16 sites a step, so that no site can hide from being looked at. */
LBP_FN int LBP_(ready)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const LBP_RNG_T *rng) {
  if (!LBP_(usable)(c, rng)) return 0;
  if (c->fields_ready && c->wait > 0) {
    c->wait--;
    return 1;
  }
  c->wait = LBP_P_COUNT(c) / 16;
  LBP_(examine)(c, m);
  return !LBP_(failed)(c);
}

#endif /* LBP_P_INSTANCE */
