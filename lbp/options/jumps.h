/* lbp/options/jumps.h - flips of single sites, one after another, each by the weights of the state that it leaves.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template for clocks and paths.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/jumps.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* A site in proportion to its weight plus `more`, which is 0 or 1; none whose flip is impossible. */
LBP_INLINE uint32_t LBP_(pick)(LBP_CHAIN_T *c, uint32_t more, LBP_RNG_T *rng) {
  const uint32_t n = LBP_P_COUNT(c);
  const uint32_t *weight = c->weight;
  uint64_t ends[LBP_BUCKETS - 1], left;
  uint32_t i, threshold, tries;
  if (!LBP_SMALL) memset(ends, 0, sizeof ends);
#if LBP_P_SORTS && LBP_P_LOCAL
  lbp_urn_choose_order(&c->urn, weight, LBP_P_ORDER(c), n, 1, LBP_SORT_ABOVE, 1);
  if (c->urn.sorted) lbp_urn_ends(&c->urn, ends);
#endif
  for (tries = 0; tries < LBP_BLOCK; tries++) {
    const uint64_t word = LBP_(word)(rng);
#if LBP_P_SORTS && LBP_P_LOCAL
    i = c->urn.sorted ? lbp_urn_aim_sorted(&c->urn, c->order, ends, word, &threshold)
                      : lbp_urn_aim(n, c->urn.sums.ceiling + more, word, &threshold);
#else
    i = lbp_urn_aim(n, c->urn.sums.ceiling + more, word, &threshold);
#endif
    if (weight[i] > 0 && threshold < weight[i] + more) return i;
  }
  if (!LBP_P_SORTS) lbp_urn_is_thin(&c->urn, weight, n); /* the ceiling may be one of long ago */
  left = c->urn.sums.total + (uint64_t)more * c->urn.sums.positive;
  left = lbp_mulhi(LBP_(word)(rng), left); /* a few sites have nearly all */
  for (i = 0; i + 1 < n; i++) {
    const uint64_t w = (uint64_t)weight[i] + (weight[i] > 0 ? more : 0);
    if (left < w) break;
    left -= w;
  }
  return i;
}

#if LBP_P_LOCAL
/* Room for a site, its neighbours, and padding of loops over them. */
enum { LBP_(around) = LBP_MAX_NEIGHBOURS + 2 + 2 * LBP_PAD };

/* Gives sites their weights from their log-ratios; both arrays have room for NAME_priv_around, and lose the latter. */
LBP_INLINE void LBP_(renew)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const uint32_t *site, LBP_REAL *ratio,
                            uint32_t count) {
  uint32_t next[LBP_(around)], was[LBP_(around)];
  lbp_sums sums;
  LBP_P_WATCH(uint32_t nan;)
  (void)m;
  lbp_urn_begin(&c->urn, &sums);
  LBP_P_WATCH(nan =) LBP_(replace_all)(c->weight, site, ratio, next, was, count, &sums);
  LBP_P_WATCH(if (LBP_SELDOM(nan != 0)) LBP_(seek_nan)(c, m);)
  lbp_urn_adopt(&c->urn, &sums, LBP_P_COUNT(c), count, 0);
  if (LBP_P_SORTS) lbp_urn_move_all(&c->urn, LBP_P_ORDER(c), site, was, next, count, 0);
}

/* Flips site i, and weighs it and its neighbours again; *gain gets log pi's gain. Returns how many log-ratios that
 * took. */
LBP_INLINE uint32_t LBP_(jump)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *gain) {
  uint32_t site[LBP_(around)], count;
  LBP_REAL ratio[LBP_(around)], back;
  count = LBP_(flip_and_list)(c, m, i, site, ratio);
  back = LBP_(rounded)(LBP_(delta)(c, m, i));
  site[count] = i;
  ratio[count++] = back;
  *gain = -back;
  LBP_(renew)(c, m, site, ratio, count);
  return count;
}
#endif

#endif /* LBP_P_INSTANCE */
