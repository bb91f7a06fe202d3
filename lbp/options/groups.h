/* lbp/options/groups.h - for LBP_GROUP: the group of each site, and the lists of a group's ones and zeros.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp/options/clamped.h includes it if there are groups, because samplers that
 * flip treat sites in groups as clamped; lbp/options/swap.h has the steps.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/groups.h: lbp.h includes it, inside its template: don't include it yourself"
#else

#ifdef LBP_GROUPS
enum { LBP_(groups) = LBP_GROUPS }; /* yours by a name that no parameter or variable has */
#undef LBP_GROUPS
#define LBP_GROUPS LBP_(groups)
#endif

/* ---- groups and lists -------------------------------------------------------------------------------------------- */

LBP_INLINE uint32_t LBP_(call_group)(const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
  (void)lbp_m, (void)lbp_i;
  return (uint32_t)(LBP_P_CALL(LBP_GROUP, (lbp_m, lbp_i)));
}

#ifdef LBP_GROUP_ONES
LBP_INLINE uint32_t LBP_(call_group_ones)(const LBP_MODEL_T *lbp_m, uint32_t lbp_number) {
  (void)lbp_m, (void)lbp_number;
  return (uint32_t)(LBP_P_CALL(LBP_GROUP_ONES, (lbp_m, lbp_number)));
}
#endif

#ifndef LBP_N
LBP_FN size_t LBP_(group_ws_len)(uint32_t n) {
  return lbp_size_plus(LBP_WS_HALVES((size_t)n + 4, 4), LBP_WS_HALVES(LBP_P_MOST_GROUPS(n), 12));
}

LBP_FN size_t LBP_(ws_len_with_groups)(uint32_t n) {
  size_t length = LBP_P_LOCAL ? LBP_WS_LEN_NEVER(n) : LBP_WS_LEN(n);
  if (LBP_P_SORTS) length = LBP_P_LOCAL ? LBP_WS_LEN(n) : LBP_WS_LEN_DENSE(n);
  return lbp_size_plus(length, LBP_(group_ws_len)(n));
}

/* Lays out the arrays, from ws on; returns the address behind them. */
LBP_FN uint64_t *LBP_(lay_out_groups)(LBP_CHAIN_T *c, uint64_t *ws) {
  const uint32_t n = c->n, most = LBP_P_MOST_GROUPS(n);
  c->sum = ws;
  c->node = (double *)(void *)(ws + 2 * (size_t)most);
  c->top = (uint32_t *)(void *)(ws + 4 * (size_t)most);
  c->start = c->top + 2 * (size_t)most;
  c->ones = c->start + most + 1;
  c->member = c->ones + most;
  c->rank = c->member + n;
  c->group = c->rank + n;
  c->held = (uint8_t *)(c->group + n);
  return ws + LBP_(group_ws_len)(n);
}
#endif

/* Reads the groups: group[], held[], start[g] = members of group g, ones[g]. Sites that are clamped, and groups without
 * ones or zeros, have no members. */
LBP_CALLED int LBP_(read_groups)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t n = LBP_P_COUNT(c), most = LBP_P_MOST_GROUPS(n);
  uint32_t i, g;
  c->groups.count = 0;
  memset(c->start, 0, (most + (size_t)1) * sizeof c->start[0]);
  memset(c->ones, 0, most * sizeof c->ones[0]);
  memset(c->top, 0, (size_t)2 * most * sizeof c->top[0]); /* for now: all ones of group g, clamped ones too */
  for (i = 0; i < n; i++) {
    const int clamped = c->groups.clamps && c->groups.clamps[i];
    g = LBP_(call_group)(m, i);
    if (g != LBP_NO_GROUP && g >= most) return LBP_E_GROUP;
    c->group[i] = clamped ? LBP_NO_GROUP : g;
    c->held[i] = clamped || g != LBP_NO_GROUP;
    if (g == LBP_NO_GROUP) continue;
    if (g >= c->groups.count) c->groups.count = g + 1;
    c->top[g] += c->x[i];
    if (clamped) continue;
    c->start[g]++;
    c->ones[g] += c->x[i];
  }
#ifdef LBP_GROUP_ONES
  for (g = 0; g < c->groups.count; g++) {
    if (c->top[g] != LBP_(call_group_ones)(m, g)) return LBP_E_ONES;
  }
#endif
  for (g = 0; g < c->groups.count; g++) {
    if (c->ones[g] == 0 || c->ones[g] == c->start[g]) c->start[g] = c->ones[g] = 0;
  }
  return LBP_OK;
}

/* Lists the members of all groups. */
LBP_CALLED void LBP_(list_groups)(LBP_CHAIN_T *c) {
  const uint32_t n = LBP_P_COUNT(c);
  uint32_t i, g, at = 0;
  c->groups.pairs = 0;
  c->groups.twos = 1;
  c->groups.halves = 0;
  for (g = 0; g < c->groups.count; g++) {
    const uint32_t size = c->start[g], ones = c->ones[g];
    c->groups.pairs += ones < size - ones ? ones : size - ones;
    if (size > 2) c->groups.twos = 0;
    if (size > 0 && size - ones == ones) c->groups.halves += size > 2 ? 2 : 1;
    c->start[g] = at;
    c->top[2 * g + 1] = at; /* for now: where its next one, and its next zero, will go */
    c->top[2 * g] = at + ones;
    at += size;
  }
  c->start[c->groups.count] = c->groups.mobile = at;
  for (i = 0; i < n; i++) {
    g = c->group[i];
    if (g == LBP_NO_GROUP) continue;
    if (c->start[g] == c->start[g + 1]) {
      c->group[i] = LBP_NO_GROUP;
      continue;
    }
    c->rank[i] = c->top[2 * g + c->x[i]]++;
    c->member[c->rank[i]] = i;
  }
}

/* Makes the lists of x, once after NAME_init or NAME_touch; and log-ratios are those of its mode from now on. */
LBP_FN void LBP_(ready_groups)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t n = LBP_P_COUNT(c);
  const int swaps = c->groups.mode == LBP_MODE_SWAP;
  const uint8_t *mask = swaps ? c->groups.clamps : NULL;
  uint32_t i;
  c->groups.mu = swaps && LBP_WEIGHT != LBP_SQRT ? c->groups.shift : 0;
  if (!c->groups.ready) {
    c->groups.status = LBP_(read_groups)(c, m);
    if (c->groups.status != LBP_OK) { /* nothing moves */
      c->groups.count = 0;
      memset(c->group, 255, n * sizeof c->group[0]);
      memset(c->held, 1, n);
    }
    LBP_(list_groups)(c);
    for (i = 0, c->free = n; i < n; i++) c->free -= c->held[i];
    c->groups.ready = 1;
  }
  if (c->groups.mode == LBP_MODE_FLIP && c->free < n) mask = c->held;
  LBP_P_DENSE(if (mask != c->mask) c->ratio_ready = 0;)
  c->mask = mask;
}

/* The amount added to the log-ratio of site i before it is weighed. */
LBP_INLINE LBP_REAL LBP_(shift)(const LBP_CHAIN_T *c, uint32_t i) {
  const LBP_REAL mu = (LBP_REAL)c->groups.mu;
  return (LBP_REAL)(1 - 2 * (int)c->x[i]) * mu;
}

#if LBP_CHECKED
/* Whether site i is listed among the ones of its group, or the zeros, as it should be. */
LBP_FN int LBP_(is_listed)(const LBP_CHAIN_T *c, uint32_t i) {
  const uint32_t g = c->group[i];
  return g == LBP_NO_GROUP || (c->rank[i] < c->start[g] + c->ones[g]) == c->x[i];
}
#endif

/* Site i, whose value has changed, goes over to the other part of its group's list. */
LBP_INLINE void LBP_(relist)(LBP_CHAIN_T *c, uint32_t i) {
  const uint32_t g = c->group[i], on = c->x[i], border = c->start[g] + c->ones[g] - 1 + on, hole = c->rank[i];
  const uint32_t other = c->member[border];
  c->member[hole] = other;
  c->rank[other] = hole;
  c->member[border] = i;
  c->rank[i] = border;
  c->ones[g] += 2 * on - 1;
}

/* Sites i and j of a group, which have exchanged their values, take each other's places in its list. */
LBP_INLINE void LBP_(trade)(LBP_CHAIN_T *c, uint32_t i, uint32_t j) {
  const uint32_t place = c->rank[i];
  c->rank[i] = c->rank[j];
  c->rank[j] = place;
  c->member[place] = j;
  c->member[c->rank[i]] = i;
}

/* Whether there is one group. */
LBP_INLINE int LBP_(is_alone)(const LBP_CHAIN_T *c) { return LBP_P_ALONE || c->groups.count == 1; }

/* Adds it to the log-ratios of many. */
LBP_INLINE void LBP_(shift_all)(const LBP_CHAIN_T *c, const uint32_t *site, LBP_REAL *ratio, uint32_t count) {
  uint32_t k;
  if (c->groups.mu == 0) return;
  for (k = 0; k < count; k++) ratio[k] += LBP_(shift)(c, site[k]);
}

/* Of one group: sites that are not drawn have weights next[] in place of was[], which the sums gain. Only where one of
 * them is above the lower ceiling are they held against their own. */
LBP_INLINE void LBP_(credit_all)(LBP_CHAIN_T *c, const uint32_t *site, const uint32_t *next, const uint32_t *was,
                                 uint32_t count) {
  const uint32_t *group = c->group, *rank = c->rank, border = c->ones[0], top[2] = {c->top[0], c->top[1]};
  const uint8_t *x = c->x;
  int64_t both = 0, ones = 0;
  uint32_t k, most = 0, higher = 0;
  for (k = 0; k < count; k++) most = next[k] > most ? next[k] : most;
  if (c->groups.mobile == LBP_P_COUNT(c)) {
    for (k = 0; k < count; k++) both += (int32_t)next[k] - (int32_t)was[k];
    for (k = 0; k < count; k++) { /* by ranks, which vectors gather, unlike the bytes of x */
      ones += ((int32_t)next[k] - (int32_t)was[k]) & -(int32_t)(rank[site[k]] < border);
    }
  } else {
    for (k = 0; k < count; k++) {
      const uint32_t i = site[k], of = ~group[i]; /* all bits or, in no group, none */
      const int32_t change = (int32_t)(next[k] & of) - (int32_t)(was[k] & of);
      both += change;
      ones += change & -(int32_t)x[i];
    }
  }
  if (most > (top[0] < top[1] ? top[0] : top[1])) {
    for (k = 0; k < count; k++) higher |= (next[k] & ~group[site[k]]) > top[x[site[k]]];
  }
  c->groups.gain[0] += (uint64_t)(both - ones);
  c->groups.gain[1] += (uint64_t)ones;
  c->groups.higher |= higher;
}

/* Makes x one of the states that the groups connect with was[], each as likely. */
LBP_CALLED void LBP_(scatter)(LBP_CHAIN_T *c, const uint8_t *was, LBP_RNG_T *rng) {
  const uint32_t n = LBP_P_COUNT(c);
  uint32_t i, g, k;
  for (i = 0; i < n; i++) c->x[i] = c->held[i] ? was[i] : (uint8_t)(LBP_(word)(rng) >> 63);
  for (g = 0; g < c->groups.count; g++) {
    uint32_t *member = c->member + c->start[g];
    const uint32_t size = c->start[g + 1] - c->start[g];
    for (k = 0; k < size; k++) {
      const uint32_t j = k + (uint32_t)lbp_mulhi(LBP_(word)(rng), size - k), drawn = member[j];
      member[j] = member[k];
      member[k] = drawn;
      c->x[drawn] = k < c->ones[g];
    }
  }
}

/* The beginning of NAME_check: whether groups are correct. */
LBP_CALLED int LBP_(begin_check)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report) {
  c->groups.mode = LBP_MODE_CHECK;
  c->groups.ready = 0;
  LBP_(ready_groups)(c, m);
  return LBP_(find)(report, c->groups.status, 0, 0, 0, 0);
}

#endif /* LBP_P_INSTANCE */
