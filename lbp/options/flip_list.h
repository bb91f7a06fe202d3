/* lbp/options/flip_list.h - flips that list the log-ratios they have changed: LBP_FLIP_LIST.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_FLIP_LIST is
 * defined. You need it for models whose LBP_FLIP visits all neighbours anyway, and don't include it yourself.
 *
 * LBP_FLIP_LIST(m, fields, x, i, site, ratio) -> uint32_t: optional, for local models with fields: does all that
 * LBP_FLIP does after x[i] was flipped. In the same visit it writes the sites of LBP_NEIGHBOURS to site[] and the new
 * values of LBP_DELTA at these sites to ratio[] (LBP_REAL *), equal to the bit, and returns their number. LBP-R and
 * GWG-R then visit each neighbour of a flip once, instead of three times: for its field, its mark and its weight. Draws
 * are the same.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/flip_list.h: lbp.h includes it, inside its template: don't include it yourself"
#else

LBP_INLINE uint32_t LBP_(call_flip_list)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i,
                                         uint32_t *lbp_site, LBP_REAL *lbp_ratio) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i, (void)lbp_site, (void)lbp_ratio;
  return LBP_P_CALL(LBP_FLIP_LIST, (LBP_P_ARGS, lbp_i, lbp_site, lbp_ratio));
}

/* Flips site i, and brings fields up to date; site[] and ratio[] get its neighbours and their log-ratios. */
LBP_INLINE uint32_t LBP_(flip_list)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t *site,
                                    LBP_REAL *ratio) {
  uint32_t count;
  c->x[i] ^= 1u;
  count = LBP_(call_flip_list)(c, m, i, site, ratio);
  LBP_P_CHECK(count = LBP_(fit)(c, i, site, count);)
#if defined LBP_TEMPERED || defined LBP_CLAMPED || LBP_CHECKED
  {
    uint32_t k, plain = !LBP_CHECKED;
    LBP_P_TEMPER(plain = 0;)
    LBP_P_CLAMP(plain &= !c->mask;)
    for (k = 0; !plain && k < count; k++) {
      LBP_P_TEMPER(ratio[k] = LBP_(tempered)(c, ratio[k], LBP_(base_delta)(c, m, site[k]));)
      LBP_P_CLAMP(if (LBP_(is_clamped)(c, site[k])) ratio[k] = (LBP_REAL)lbp_impossible();)
      LBP_P_CHECK(LBP_(refuse_nan)(c, site[k], ratio[k]);)
    }
  }
#endif
  return count;
}

/* Flips sites drawn, from flip k on, as many as there is room for their changes, and adds up their log-ratios.
 * Returns the number of flips made by then. */
LBP_INLINE uint32_t LBP_(flip_some)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t k, int backwards, int distant,
                                    uint32_t *site, LBP_REAL *ratio, uint32_t *count, LBP_REAL *log_pi) {
  const uint32_t flips = c->y.flips, *touched = c->touched;
  const int beyond = distant && LBP_P_COUNT(c) > 4 * LBP_NEAR; /* with weights for more than a second-level cache */
  LBP_REAL sum = *log_pi;
  uint32_t t = 0, j, listed;
  for (; k < flips && t < 4 * LBP_BLOCK; k++) {
    const uint32_t i = touched[backwards ? flips - 1 - k : k], then = k + LBP_AHEAD;
    if (distant && then < flips) LBP_(prefetch)(c, m, touched[backwards ? flips - 1 - then : then]);
    sum += LBP_(rounded)(LBP_(delta)(c, m, i));
    listed = LBP_(flip_list)(c, m, i, site + t, ratio + t);
    for (j = t, t += listed; beyond && j < t; j++) lbp_prefetch(c->weight + site[j]);
  }
  *log_pi = sum;
  *count = t;
  return k;
}

/* The largest number of sites that a call of NAME_priv_flip_some lists, with so many flips to come. */
LBP_INLINE uint32_t LBP_(listed)(uint32_t flips) {
  const uint32_t most = 4 * LBP_BLOCK + LBP_MAX_NEIGHBOURS;
  return flips < most / (LBP_MAX_NEIGHBOURS + 1u) ? flips * LBP_MAX_NEIGHBOURS : most;
}

/* Undoes the changes of NAME_priv_flip_along to weight[]; but flipped sites may have lost their marks. */
LBP_CALLED void LBP_(revert)(LBP_CHAIN_T *c) {
  const uint32_t *touched = c->touched, *before = c->before, flips = c->y.flips;
  uint32_t *weight = c->weight, k = c->y.logged;
  while (k > flips) {
    k--;
    weight[touched[k]] = before[k];
  }
}

/* NAME_priv_flip and NAME_priv_reweigh in one pass: flips the sites drawn, gives their neighbours' weights at
 * y to weight[], and completes y but for the flipped sites. touched[] and before[] log behind these whose weights were
 * replaced, and the weights; a site named twice is logged twice. Not while sites are sorted, which moves each once.
 * Returns 0, with nothing done, where there is no room for the log, or no gain. */
LBP_CALLED int LBP_(flip_along)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int backwards) {
  enum { LBP_(room) = 4 * LBP_BLOCK + LBP_MAX_NEIGHBOURS + LBP_PAD };
  const uint32_t n = LBP_P_COUNT(c), flips = c->y.flips;
  const int plain = n <= LBP_NEAR && !backwards;
  uint32_t next[LBP_(room)], k = 0, count;
  LBP_REAL ratio[LBP_(room)], sum = 0;
  LBP_P_WATCH(uint32_t nan;)
  if (!LBP_VECTOR && n <= LBP_NEAR) return 0; /* no gain where all is near, and lists are not made by vectors */
  LBP_P_GROUPS(if (c->groups.mode == LBP_MODE_SWAP && !c->groups.apart) return 0;)
  if (flips <= LBP_FEW || (c->crowded > 0 && flips >= c->crowded)) return 0;
  LBP_(save)(c, m);
  lbp_urn_begin(&c->urn, &c->y.sums);
  c->y.logged = flips;
  LBP_P_GROUPS(c->groups.gain[0] = c->groups.gain[1] = c->groups.higher = 0;)
  while (k < flips && LBP_(listed)(flips - k) + LBP_PAD <= n - c->y.logged) {
    uint32_t *const site = c->touched + c->y.logged, *const was = c->before + c->y.logged;
    k = plain ? LBP_(flip_some)(c, m, k, 0, 0, site, ratio, &count, &sum)
              : LBP_(flip_some)(c, m, k, backwards, n > LBP_NEAR, site, ratio, &count, &sum);
    LBP_P_GROUPS(LBP_(shift_all)(c, site, ratio, count);)
    LBP_P_WATCH(nan =) LBP_(replace_all)(c->weight, site, ratio, next, was, count, &c->y.sums);
    LBP_P_WATCH(if (LBP_SELDOM(nan != 0)) LBP_(seek_nan)(c, m);)
    LBP_P_GROUPS(if (c->groups.mode == LBP_MODE_SWAP) LBP_(credit_all)(c, site, next, was, count);)
    c->y.logged += count;
  }
  c->y.log_pi = sum;
  if (k == flips) return 1;
  while (k > 0) k--, LBP_(flip_site)(c, m, c->touched[backwards ? flips - 1 - k : k]);
  LBP_(revert)(c);
  for (k = 0; k < flips; k++) c->weight[c->touched[k]] = c->before[k] | LBP_MARK;
  c->crowded = flips;
  return 0;
}

/* After it: the weights of the flipped sites, and the sums with them. A weight that was largest only between two flips
 * next to a site is none of y's: if it exceeds the urn's limit, the largest of y is looked for again. */
LBP_CALLED void LBP_(weigh_flips)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  lbp_sums *sums = &c->y.sums;
  uint32_t k;
  LBP_(weigh)(c, m, c->y.flips);
  lbp_urn_tally(sums, c->next, c->before, c->y.flips);
  if (sums->ceiling <= c->urn.sums.ceiling) return;
  sums->ceiling = 0;
  for (k = 0; k < c->y.logged; k++) {
    const uint32_t w = k < c->y.flips ? c->next[k] : c->weight[c->touched[k]];
    if (w < LBP_MARK && w > sums->ceiling) sums->ceiling = w;
  }
}

LBP_FN int LBP_(names)(const uint32_t *list, uint32_t count, uint32_t i); /* further down in lbp.h */

/* Part of NAME_check: compares the list of a flip of site i with LBP_NEIGHBOURS and LBP_DELTA, and the fields that it
 * leaves behind with fields from scratch. */
LBP_COLD int LBP_(check_flip_list)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REPORT_T *report) {
  LBP_REAL ratio[LBP_MAX_NEIGHBOURS + 1];
  uint32_t site[LBP_MAX_NEIGHBOURS + 1], list[LBP_MAX_NEIGHBOURS + 1], count, length, k;
  int status;
  if (!LBP_(is_finite)(LBP_(delta)(c, m, i))) return LBP_OK;
  memset(site, 0, sizeof site);
  memset(ratio, 0, sizeof ratio);
  length = LBP_(call_neighbours)(c, m, i, list);
  count = LBP_(flip_list)(c, m, i, site, ratio);
  status = LBP_(judge_list)(c, i, site, count, report);
  for (k = 0; k < length && status == LBP_OK; k++) {
    if (list[k] == i || LBP_(names)(site, count, list[k])) continue;
    status = LBP_(find)(report, LBP_E_FLIP_LIST, i, list[k], 0, 1);
  }
  for (k = 0; k < count && status == LBP_OK; k++) {
    const LBP_REAL want = LBP_(delta)(c, m, site[k]);
    if (LBP_(same)(ratio[k], want) || ratio[k] == want) continue;
    status = LBP_(find)(report, LBP_E_FLIP_LIST, i, site[k], ratio[k], want);
  }
  LBP_(call_fields_init)(c, m);
  for (k = 0; k < count && status == LBP_OK; k++) {
    const LBP_REAL fresh = LBP_(delta)(c, m, site[k]);
    if (LBP_(agree)(ratio[k], fresh, LBP_(abs)(fresh))) continue;
    status = LBP_(find)(report, LBP_E_FIELDS, i, site[k], ratio[k], fresh);
  }
  LBP_(flip_site)(c, m, i);
  return status;
}

#endif /* LBP_P_INSTANCE */
