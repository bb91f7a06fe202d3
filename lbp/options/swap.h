/* lbp/options/swap.h - groups of sites that keep their number of ones: LBP_GROUP, LBP_GROUPS, LBP_GROUP_ONES.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_GROUP is
 * defined. It generates NAME_swap_step and its like, and defines LBP_CLAMPED, and so includes lbp/options/clamped.h.
 *
 * LBP_GROUP(m, i) -> uint32_t: the group of site i, below n and LBP_GROUPS, or LBP_NO_GROUP. A group keeps its number
 * of ones (a cardinality constraint; one-hot if that is 1): the draws are from pi given these numbers. One group of all
 * sites: #define LBP_GROUP(m, i) 0u. Sites in no group move by flips, the others by swaps of a one and a zero of their
 * group; samplers that flip treat them as clamped. A group without ones or without zeros never moves. Log-ratios are
 * those of single flips, so pi must also be defined if a group has one more or one less.
 *
 * LBP_GROUPS: the largest number of groups, a constant; by default the number of sites. Workspace depends on it.
 *
 * LBP_GROUP_ONES(m, g) -> uint32_t: optional: the number of ones of group g. Any other number is LBP_E_ONES
 * (NAME_check_groups); without LBP_GROUP_ONES, the chain's first state sets the numbers. NAME_fill needs it.
 *
 *   swap       R times: a group in proportion to A B, the sums of its ones' weights and its zeros', then a one and a
 *              zero by their weights, all at x; both are taken out. All are swapped together. The way back draws the
 *              same pairs in reversed order, so the list of pairs is the path, and pairings need not be counted.
 *   path       R times: a one of all groups by its weight, at the present state, is removed; a zero of its group by its
 *              weight at the state then, maybe the same site, becomes a one. Accepted or not at the end. It also finds
 *              ones that may be added only where another was removed before, as particles that exclude each other.
 *   Kawasaki   a site, and one of its group that has the other value, uniformly.
 *
 * The acceptance probability uses the stored weights in full: pi(y) / pi(x), times the weights of the way back over
 * those of the way there, times the sums there over the sums back. Shorter forms hold for exact weights, but not for
 * rounded ones.
 *
 * A shift mu added to all log-odds of sites in groups does not change pi given the numbers of ones, but it changes
 * weights: with LBP_BARKER the jump distance is best if ones and zeros have equal sums. Any mu is exact; with LBP_SQRT
 * it has no effect.
 *
 * Order of this file: sums, drawing, accepting, steps, the shift's tuner.
 *
 * Sources: [S] and [Z] of lbp.h; Kawasaki, Phys. Rev. 145, 1966.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/swap.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* The weight by which group g is drawn. (The product is not added to anything by the same instruction: see lbp.h.) */
LBP_INLINE double LBP_(leaf)(const LBP_CHAIN_T *c, uint32_t g) {
  const double zeros = (double)(int64_t)c->sum[2 * g], ones = (double)(int64_t)c->sum[2 * g + 1];
  return c->groups.by_ones ? ones : lbp_rounded(ones * zeros);
}

/* Brings the tree up to date where group g's sums have changed. Sums of sums, from the bottom up: so they are functions
 * of the weights alone. */
LBP_INLINE void LBP_(renew_tree)(LBP_CHAIN_T *c, uint32_t g) {
  double *node = c->node;
  uint32_t k = LBP_P_ALONE ? 1 : c->groups.count + g;
  node[k] = LBP_(leaf)(c, g);
  while (!LBP_P_ALONE && k > 1) {
    k >>= 1;
    node[k] = node[2 * k] + node[2 * k + 1];
  }
}

LBP_FN void LBP_(renew_all)(LBP_CHAIN_T *c) { /* where all may have */
  double *node = c->node;
  uint32_t k;
  for (k = 0; k < c->groups.count; k++) node[c->groups.count + k] = LBP_(leaf)(c, k);
  for (k = c->groups.count - 1; k > 0; k--) node[k] = node[2 * k] + node[2 * k + 1];
}

/* The same for the groups of the sites touched[from ..). */
LBP_INLINE void LBP_(renew_touched)(LBP_CHAIN_T *c, uint32_t from) {
  uint32_t k;
  if (LBP_(is_alone)(c)) return;
  if (c->groups.count <= c->y.touched - from) {
    LBP_(renew_all)(c);
    return;
  }
  for (k = from; k < c->y.touched; k++) {
    const uint32_t g = c->group[c->touched[k]];
    if (g != LBP_NO_GROUP) LBP_(renew_tree)(c, g);
  }
}

/* The sites of a group that have one value, at = 2 g + value, have another sum, and a weight that is new among them. */
LBP_INLINE void LBP_(credit)(LBP_CHAIN_T *c, uint32_t at, uint64_t amount, uint32_t weight) {
  c->sum[at] += amount;
  if (weight > c->top[at]) c->top[at] = weight;
}

/* All sums from scratch, but for sites that are marked. */
LBP_CALLED void LBP_(sum_groups)(LBP_CHAIN_T *c, const uint32_t *weight) {
  const uint32_t n = LBP_P_COUNT(c);
  uint32_t i;
  memset(c->sum, 0, (size_t)2 * c->groups.count * sizeof c->sum[0]);
  memset(c->top, 0, (size_t)2 * c->groups.count * sizeof c->top[0]);
  c->groups.tries[0] = c->groups.tries[1] = 0;
  for (i = 0; i < n; i++) {
    const uint32_t g = c->group[i];
    if (g == LBP_NO_GROUP || (c->weight[i] & LBP_MARK)) continue;
    LBP_(credit)(c, 2 * g + c->x[i], weight[i], weight[i]);
  }
  LBP_(renew_all)(c);
}

/* The beginning of a step: the data of x, and if asked, weights. Returns whether there is anything to swap. */
LBP_CALLED int LBP_(prepare_swaps)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int weights, int by_ones) {
  c->groups.mode = LBP_MODE_SWAP;
  LBP_(prepare)(c, m, 0);
  LBP_P_CHECK(if (c->groups.status != LBP_OK) LBP_(fail)(c, c->groups.status, 0, 0, 0, 0);)
  if (c->groups.pairs == 0) return 0;
  if (weights && c->weights_ready != LBP_SWAP_READY) {
    LBP_(weigh_x)(c, m);
    LBP_(take_next)(c, LBP_SWAP_READY);
    c->groups.by_ones = by_ones;
    LBP_(sum_groups)(c, c->weight);
  }
  if (weights && c->groups.by_ones != by_ones) {
    c->groups.by_ones = by_ones;
    LBP_(renew_all)(c);
  }
  return 1;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* A group in proportion to its leaf, to one part in 2^53 of all. */
LBP_INLINE uint32_t LBP_(draw_group)(const LBP_CHAIN_T *c, LBP_RNG_T *rng) {
  const double *node = c->node;
  const uint32_t count = c->groups.count;
  uint32_t k = 1;
  double rest;
  if (LBP_P_ALONE || count == 1) return 0;
  rest = lbp_rounded(lbp_u01(LBP_(word)(rng)) * node[1]);
  while (k < count) {
    k *= 2;
    if (rest < node[k] || !(node[k + 1] > 0)) continue;
    rest -= node[k];
    k++;
  }
  return k - count;
}

/* The member of a list that a random word selects, in proportion to the weights, by looking at all of them, but for
 * marked ones. Lowers the ceiling to the largest weight. */
LBP_CALLED uint32_t LBP_(scan_members)(LBP_CHAIN_T *c, const uint32_t *list, uint32_t count, uint32_t at,
                                       uint64_t word) {
  uint64_t left = lbp_mulhi(word, c->sum[at]);
  uint32_t k, top = 0, drawn = LBP_NO_GROUP;
  for (k = 0; k < count; k++) {
    const uint32_t w = c->weight[list[k]], size = w & ~LBP_MARK;
    if (size > top) top = size;
    if ((w & LBP_MARK) || drawn != LBP_NO_GROUP) continue;
    if (left < w) drawn = list[k];
    left -= w;
  }
  c->top[at] = top;
  return drawn;
}

/* A site of group g that has this value, in proportion to the weights of those that are not marked, whose sum is not 0:
 * by tries, or where a few have nearly all the weight, by looking at all. So too now and then after tries in vain, so
 * often that it costs no more than these: the ceiling may be one of long ago. */
LBP_INLINE uint32_t LBP_(draw_member)(LBP_CHAIN_T *c, uint32_t g, uint32_t value, LBP_RNG_T *rng) {
  const uint32_t ones = c->ones[g], size = c->start[g + 1] - c->start[g], count = value ? ones : size - ones;
  const uint32_t *list = c->member + c->start[g] + (value ? 0 : ones), at = 2 * g + value, ceiling = c->top[at];
  const uint32_t *weight = c->weight;
  uint32_t looks = (((uint64_t)count * ceiling) >> 4) / (1 + count / 64) > c->sum[at], tries, threshold;
  while (!looks) {
    for (tries = 0; tries < LBP_BLOCK; tries++) {
      const uint32_t i = list[lbp_urn_aim(count, ceiling, LBP_(word)(rng), &threshold)];
      if ((int32_t)threshold < (int32_t)weight[i]) return i;
    }
    looks = count <= 4 * LBP_BLOCK || lbp_mulhi(LBP_(word)(rng), count) < 4 * LBP_BLOCK;
  }
  return LBP_(scan_members)(c, list, count, at, LBP_(word)(rng));
}

/* Draws R sites of the only group that have this value, by blocks of tries: they become touched[k ..), are marked and
 * leave the sum. Returns the new k: less than k + R where no more have a weight. */
LBP_CALLED uint32_t LBP_(draw_members)(LBP_CHAIN_T *c, uint32_t value, uint32_t R, uint32_t k, LBP_RNG_T *rng) {
  const uint32_t ones = c->ones[0], count = value ? ones : c->groups.mobile - ones, end = k + R;
  const uint32_t *list = c->member + (value ? 0 : ones);
  uint32_t candidate[LBP_CANDIDATES];
  uint64_t room[LBP_BLOCK];
  lbp_urn u;
  memset(&u, 0, sizeof u);
  u.sums.positive = count;
  while (k < end && c->sum[value] > 0) {
    uint32_t asked, done, tries, found = 0, drawn = k;
    u.sums.total = c->sum[value];
    lbp_urn_level(&u, count, c->top[value]);
    if ((u.mass >> 4) / (1 + count / 64) > u.sums.total || c->groups.tries[value] > (uint64_t)16 * count) {
      candidate[found++] = LBP_(scan_members)(c, list, count, value, LBP_(word)(rng));
      c->groups.tries[value] = 0;
    } else {
      asked = lbp_urn_tries(&u, 0, end - k, 0);
      for (done = 0; done < asked; done += tries) {
        const uint64_t *word;
        tries = asked - done < LBP_AT_ONCE ? asked - done : LBP_AT_ONCE;
        word = LBP_(words)(rng, room, &tries);
        found = lbp_urn_candidates(&u, c->weight, c->before, list, count, NULL, word, tries, 0, candidate, found);
      }
      c->groups.tries[value] += asked;
    }
    k = lbp_urn_keep(c->weight, c->touched, c->before, candidate, found, k, end);
    for (; drawn < k; drawn++) c->sum[value] -= c->before[drawn];
  }
  return k;
}

/* Draws R swaps one after another, of any groups. Returns how many there are. */
LBP_CALLED uint32_t LBP_(draw_pairs)(LBP_CHAIN_T *c, uint32_t R, LBP_RNG_T *rng) {
  lbp_scaled there = {1, 0};
  uint32_t k, moved;
  if (LBP_(is_alone)(c)) LBP_(renew_tree)(c, 0);
  for (k = 0; k < R && c->node[1] > 0; k++) {
    const uint32_t g = LBP_(draw_group)(c, rng);
    const uint32_t i = LBP_(draw_member)(c, g, 1, rng), j = LBP_(draw_member)(c, g, 0, rng);
    lbp_scaled_times(&there, c->node[1]);
    c->sum[2 * g + 1] -= c->weight[i];
    c->sum[2 * g] -= c->weight[j];
    lbp_urn_mark(c->weight, c->touched, c->before, i, k);
    lbp_urn_mark(c->weight, c->touched, c->before, j, R + k);
    LBP_(renew_tree)(c, g);
  }
  c->groups.there = there;
#if LBP_SMALL /* all words in one copy; GPUs have no memmove */
  for (moved = 0; k < R && moved < k; moved++) {
    c->touched[k + moved] = c->touched[R + moved];
    c->before[k + moved] = c->before[R + moved];
  }
#else
  (void)moved;
  if (k < R) {
    memmove(c->touched + k, c->touched + R, k * sizeof c->touched[0]);
    memmove(c->before + k, c->before + R, k * sizeof c->before[0]);
  }
#endif
  return k;
}

/* Goes back to the sums of x, from those of x without the sites drawn; or where y was `weighed`, of y: local models. */
LBP_CALLED void LBP_(put_back)(LBP_CHAIN_T *c, int weighed) {
  const int apart = c->groups.apart;
  uint32_t k;
  LBP_P_LIST(if (c->y.along) LBP_(revert)(c);)
  if (!weighed) c->y.touched = c->y.flips;
  for (k = 0; k < c->y.touched; k++) {
    const uint32_t i = c->touched[k], g = apart ? LBP_NO_GROUP : c->group[i], on = c->x[i];
    c->weight[i] = c->before[k];
    if (g == LBP_NO_GROUP) continue;
    if (weighed) c->sum[2 * g + (k < c->y.flips ? 1 - on : on)] -= c->next[k];
    c->sum[2 * g + on] += c->before[k];
  }
  for (k = 0; apart && k < 2; k++) c->sum[k] = c->groups.whole[k];
  LBP_(renew_touched)(c, 0);
}

/* R, or the most that a step takes: as many swaps as can be made at once; on a path, where they are made one after
 * another, as many as the list of its flips has room for. */
LBP_INLINE uint32_t LBP_(most_swaps)(const LBP_CHAIN_T *c, uint32_t R, int is_path) {
  const uint32_t most = is_path ? LBP_P_COUNT(c) / 2 : c->groups.pairs;
  return R < most ? R : most;
}

/* Draws R swaps: touched[k] is a one, touched[R + k] a zero of its group. Returns whether there are as many. Of one
 * group, a pair by A B is a one by A and a zero by B: so all ones are drawn first, and then all zeros, if these are
 * enough for blocks of tries. */
LBP_INLINE int LBP_(draw_swaps)(LBP_CHAIN_T *c, uint32_t R, LBP_RNG_T *rng, LBP_INFO_T *info) {
  R = LBP_(most_swaps)(c, R, 0);
  c->y.draws = 2 * R;
  c->y.removed = 0;
  LBP_P_LIST(c->y.along = 0;)
  c->groups.apart = R > LBP_P_PAIRS && LBP_(is_alone)(c);
  if (c->groups.apart) {
    c->groups.whole[0] = c->sum[0];
    c->groups.whole[1] = c->sum[1];
    c->y.flips = LBP_(draw_members)(c, 1, R, 0, rng);
    if (c->y.flips == R) c->y.flips = LBP_(draw_members)(c, 0, R, R, rng);
  } else {
    c->y.flips = 2 * LBP_(draw_pairs)(c, R, rng);
  }
  c->y.touched = c->y.flips;
  info->sites = c->touched;
  if (R == 0 || c->y.flips < 2 * R) {
    LBP_(put_back)(c, 0);
    return 0;
  }
  info->proposed = 2 * R;
  c->y.word = LBP_(word)(rng);
  return 1;
}

/* ---- accepting --------------------------------------------------------------------------------------------------- */

#if LBP_P_LOCAL
/* Ones and zeros being drawn apart: the neighbours' weights at y, which weight[] has if they were replaced on the way,
 * or next[]. */
LBP_FN void LBP_(credit_neighbours)(LBP_CHAIN_T *c, int along) {
  uint32_t k, end = c->y.touched;
  LBP_P_LIST(if (along) end = c->y.logged;)
  if (!along) {
    const uint32_t flips = c->y.flips;
    c->groups.gain[0] = c->groups.gain[1] = c->groups.higher = 0;
    LBP_(credit_all)(c, c->touched + flips, c->next + flips, c->before + flips, end - flips);
  }
  for (k = 0; k < 2; k++) c->sum[k] += c->groups.gain[k];
  for (k = c->y.flips; c->groups.higher && k < end; k++) {
    const uint32_t i = c->touched[k], w = along ? c->weight[i] : c->next[k];
    if (w < LBP_MARK && c->group[i] != LBP_NO_GROUP) LBP_(credit)(c, c->x[i], 0, w);
  }
}
#endif

/* Weighs y: next[], and the sums without the sites drawn. */
LBP_INLINE void LBP_(weigh_swaps)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
#if LBP_P_LOCAL
  uint32_t k;
  int along = 0;
  if (LBP_P_PRODUCT) return;
  LBP_P_LIST(along = c->y.along;)
  if (along) LBP_(weigh)(c, m, c->y.flips);
  else LBP_(reweigh)(c, m);
  if (c->groups.apart) {
    LBP_(credit_neighbours)(c, along);
    return;
  }
  for (k = c->y.flips; k < c->y.touched; k++) {
    const uint32_t i = c->touched[k], g = c->group[i];
    if (g != LBP_NO_GROUP) LBP_(credit)(c, 2 * g + c->x[i], (uint64_t)c->next[k] - c->before[k], c->next[k]);
  }
  LBP_(renew_touched)(c, c->y.flips);
#else
  LBP_(reweigh)(c, m);
  LBP_(sum_groups)(c, c->next);
#endif
}

/* How much more probable the way back is, but for pi. All sites drawn are out; those that were ones come back as
 * zeros, and the others as ones. 0 where there is no way back. */
LBP_APART LBP_(product) LBP_(back_apart)(LBP_CHAIN_T *c) {
  const uint32_t R = c->y.flips / 2;
  LBP_(product) p = {1, 0};
  uint32_t k, on, lost = 0;
  for (on = 0; on < 2; on++) {
    uint32_t top = c->top[on];
    for (k = on * R; k < on * R + R; k++) top = LBP_(next_weight)(c, k) > top ? LBP_(next_weight)(c, k) : top;
    c->top[on] = top;
    lost |= LBP_(back_drawn)(c, on * R, on * R + R, c->groups.whole[1 - on], &c->sum[on], &p);
  }
  if (lost) p.value = 0, p.exponent = 0;
  return p;
}

/* The same of pairs: one after another comes back, and the way back draws it from the sum at that time. */
LBP_APART LBP_(product) LBP_(back_pairs)(LBP_CHAIN_T *c) {
  const uint32_t R = c->y.flips / 2;
  lbp_scaled back = c->groups.there;
  LBP_(product) p = {0, 0};
  uint32_t k, lost = 0;
  for (k = 0; k < R; k++) {
    const uint32_t one = LBP_(next_weight)(c, R + k), zero = LBP_(next_weight)(c, k), g = c->group[c->touched[k]];
    const double forth = (double)(int64_t)((uint64_t)c->before[k] * c->before[R + k]);
    LBP_(credit)(c, 2 * g + 1, one, one);
    LBP_(credit)(c, 2 * g, zero, zero);
    LBP_(renew_tree)(c, g);
    lost |= one == 0 || zero == 0;
    if (!lost) lbp_scaled_times(&back, (double)(int64_t)((uint64_t)one * zero) / (forth * c->node[1]));
  }
  if (lost) return p;
  p.value = (LBP_REAL)back.value;
  p.exponent = back.exponent;
  return p;
}

/* Ends a step: takes y over, or goes back to x. */
LBP_CALLED void LBP_(settle_swaps)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int accepted, int weighed) {
  uint32_t k;
  LBP_P_LOGP(if (accepted) c->logp = c->logp_proposed;)
  for (k = 0; accepted && 2 * k < c->y.flips; k++) LBP_(trade)(c, c->touched[k], c->touched[c->y.flips / 2 + k]);
  if (accepted && LBP_P_LOCAL) {
    for (k = 0; k < c->y.touched; k++) c->weight[c->touched[k]] = c->next[k];
  } else if (accepted) {
    LBP_(take_next)(c, LBP_SWAP_READY);
  } else {
    LBP_(unflip)(c, m);
    if (LBP_P_LOCAL || !weighed) {
      LBP_(put_back)(c, weighed);
    } else {
      for (k = 0; k < c->y.flips; k++) c->weight[c->touched[k]] = c->before[k];
      LBP_(sum_groups)(c, c->weight);
    }
  }
}

/* After the flips, with y.log_pi known and for a dense model ratio[]: accepts or goes back. */
LBP_INLINE void LBP_(conclude_swaps)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_INFO_T *info) {
  const int weighed = !lbp_is_impossible((float)c->y.log_pi);
  LBP_(product) back = {0, 0};
  if (weighed) {
    LBP_(weigh_swaps)(c, m);
    info->evaluations += LBP_P_LOCAL ? c->y.touched : 1;
    LBP_P_LIST(if (c->y.along) info->evaluations += c->y.logged - c->y.flips;)
    back = c->groups.apart ? LBP_(back_apart)(c) : LBP_(back_pairs)(c);
    if (!LBP_(is_finite)(c->y.log_pi)) back.value = 1; /* out of an impossible state, even if there is no way back */
  }
  LBP_P_CHECK(if (LBP_(failed)(c)) back.value = 0;)
  info->accept = LBP_(probability)(&back, c->y.log_pi);
  info->accepted = LBP_(decide)(&back, c->y.log_pi, c->y.word, info->accept);
  info->jump = info->accepted ? info->proposed : 0;
  info->log_ratio = info->accepted ? c->y.log_pi : 0;
  LBP_(settle_swaps)(c, m, (int)info->accepted, weighed);
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(c->y.log_pi))) LBP_(retrace)(c, m, 0);)
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* One step of R swaps, drawn by weights without replacement and made together. R is cut to NAME_max_swaps, the number
 * of swaps that are possible at once; if fewer have a positive probability, nothing happens, and info.accept is 0. Two
 * choices of R may not reach all states: R = NAME_max_swaps (3 ones of 6 sites, all swapped, come back every other
 * step), and a fixed even R if all groups that move have two free sites (each swap turns one group, so the number of
 * turned groups stays even). Use an odd R, a random one (NAME_random_r), or a tuner. A one that can only be added after
 * another was removed is never proposed: see NAME_swap_path_step. */
LBP_CALLED LBP_INFO_T LBP_NAME_(swap_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng) {
  LBP_INFO_T info;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  memset(&info, 0, sizeof info);
  if (LBP_(prepare_swaps)(c, m, 1, 0) && LBP_(draw_swaps)(c, R, rng, &info)) {
#if LBP_P_LOCAL
    LBP_(move)(c, m, 0);
    info.evaluations = LBP_P_PRODUCT ? 0 : info.proposed;
#else
    LBP_(flip)(c, m, 0);
    info.evaluations = LBP_P_BY_LOGP ? 1 : info.proposed;
    if (!lbp_is_impossible((float)c->y.log_pi)) LBP_(deltas)(c, m);
#endif
    LBP_(conclude_swaps)(c, m, &info);
  }
  c->groups.mode = LBP_MODE_FLIP;
  return info;
}

#ifdef LBP_DELTAS_MANY
/* One step of R[k] swaps for each of `count` chains. One call of LBP_DELTAS_MANY computes the log-ratios of up to
 * LBP_MANY chains. Otherwise the same as NAME_lbp_steps. */
LBP_CALLED void LBP_NAME_(swap_steps)(LBP_CHAIN_T *const *chain, const LBP_MODEL_T *m, const uint32_t *R,
                                      LBP_RNG_T *const *rng, uint32_t count, LBP_INFO_T *info) {
  uint32_t k, first, block;
  LBP_P_CHECK(if (!LBP_(all_ready)(chain, m, R, rng, count, info)) return;)
  for (first = 0; first < count; first += block) {
    int stale = 0;
    block = count - first < LBP_MANY ? count - first : LBP_MANY;
    for (k = first; k < first + block; k++) {
      memset(&info[k], 0, sizeof info[k]);
      chain[k]->groups.mode = LBP_MODE_SWAP;
      LBP_(prepare_fields)(chain[k], m);
      stale |= chain[k]->weights_ready != LBP_SWAP_READY || !chain[k]->logp_ready;
    }
    if (stale) LBP_(deltas_many)(chain + first, m, block);
    for (k = first; k < first + block; k++) {
      if (!LBP_(prepare_swaps)(chain[k], m, 0, 0)) continue; /* nothing moves */
      if (chain[k]->weights_ready != LBP_SWAP_READY) {
        LBP_(weigh_all)(chain[k], m);
        LBP_(take_next)(chain[k], LBP_SWAP_READY);
        chain[k]->groups.by_ones = 0;
        LBP_(sum_groups)(chain[k], chain[k]->weight);
      }
      if (LBP_(prepare_swaps)(chain[k], m, 1, 0) && LBP_(draw_swaps)(chain[k], R[k], rng[k], &info[k])) {
        LBP_(flip_all)(chain[k], m);
      }
    }
    LBP_(deltas_many)(chain + first, m, block);
    for (k = first; k < first + block; k++) {
      if (info[k].proposed > 0) {
        chain[k]->logp_proposed = LBP_(logp)(chain[k], m);
        chain[k]->y.log_pi = chain[k]->logp_proposed - chain[k]->logp;
        info[k].evaluations = 1;
        LBP_(conclude_swaps)(chain[k], m, &info[k]);
      }
      chain[k]->groups.mode = LBP_MODE_FLIP;
    }
  }
}
#endif

#if LBP_P_LOCAL
/* Flips site i, and weighs it and its neighbours again; adds log pi's gain to y.log_pi. Returns how many log-ratios
 * that took. */
LBP_INLINE uint32_t LBP_(hop)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  enum { LBP_(listed_by_hop) = LBP_MAX_NEIGHBOURS + 2 + 2 * LBP_PAD };
  uint32_t site[LBP_(listed_by_hop)], next[LBP_(listed_by_hop)], was[LBP_(listed_by_hop)], count, k;
  LBP_REAL ratio[LBP_(listed_by_hop)];
  lbp_sums sums = {0, 0, 0};
  LBP_P_WATCH(uint32_t nan;)
  c->sum[2 * c->group[i] + c->x[i]] -= c->weight[i];
  count = LBP_(flip_and_list)(c, m, i, site, ratio);
  LBP_(relist)(c, i);
  c->weight[i] = 0; /* so its old weight is not taken out of the other sum */
  site[count] = i;
  ratio[count] = LBP_(delta)(c, m, i);
  c->y.log_pi -= ratio[count++];
  LBP_(shift_all)(c, site, ratio, count);
  LBP_P_WATCH(nan =) LBP_(replace_all)(c->weight, site, ratio, next, was, count, &sums);
  LBP_P_WATCH(if (LBP_SELDOM(nan != 0)) LBP_(seek_nan)(c, m);)
  for (k = 0; k < count; k++) {
    const uint32_t g = c->group[site[k]];
    if (g == LBP_NO_GROUP) continue;
    LBP_(credit)(c, 2 * g + c->x[site[k]], (uint64_t)next[k] - was[k], next[k]);
    if (c->groups.count > 1 || k + 1 == count) LBP_(renew_tree)(c, g); /* the flipped site comes last */
  }
  return count;
}

/* Removes a one and adds a zero of its group, R times; again[2 k] and again[2 k + 1] are these. Multiplies *back by
 * weights on the way back over weights there, adds to *asked the log-ratios that it took; *jump: how many sites differ.
 * Returns how many were flipped: 2 R, unless the way ended: where there is
 * none back, too, unless it has led out of an impossible state; or where `watch` has given it up. */
LBP_CALLED uint32_t LBP_(walk_path)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng, lbp_watch *watch,
                                    lbp_scaled *back, uint64_t *asked, uint32_t *jump) {
  uint32_t k, g, w[4];
  for (k = 0; k < 2 * R; k += 2) {
    if (!(c->node[1] > 0) || (k > 0 && lbp_watch_is_over(watch, k))) return k;
    g = LBP_(draw_group)(c, rng);
    c->again[k] = LBP_(draw_member)(c, g, 1, rng);
    w[0] = c->weight[c->again[k]];
    *asked += LBP_(hop)(c, m, c->again[k]);
    *jump = lbp_toggle(c->touched, c->before, c->again[k], *jump);
    w[1] = c->weight[c->again[k]];
    if ((w[1] == 0 && LBP_(is_finite)(c->y.log_pi)) || c->sum[2 * g] == 0) return k + 1;
    c->again[k + 1] = LBP_(draw_member)(c, g, 0, rng);
    w[2] = c->weight[c->again[k + 1]];
    *asked += LBP_(hop)(c, m, c->again[k + 1]);
    *jump = lbp_toggle(c->touched, c->before, c->again[k + 1], *jump);
    w[3] = c->weight[c->again[k + 1]];
    if (!LBP_(is_finite)(c->y.log_pi)) continue;
    if (w[3] == 0) return k + 2;
    lbp_scaled_times(back, (double)(int64_t)((uint64_t)w[1] * w[3]) / (double)(int64_t)((uint64_t)w[0] * w[2]));
  }
  return k;
}

/* NAME_swap_path_step, which `watch` may give up: x stays where the path has come to then. *evaluations: as in info,
 * where they are cut to 32 bits. */
LBP_INLINE LBP_INFO_T LBP_(swap_path_run)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng,
                                          lbp_watch *watch, double *evaluations) {
  LBP_(product) p = {0, 0};
  lbp_scaled back = {1, 0};
  LBP_INFO_T info;
  uint64_t asked = 0;
  uint32_t flips;
  int given_up;
  *evaluations = 0;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  memset(&info, 0, sizeof info);
  info.sites = c->touched;
  R = LBP_(most_swaps)(c, R, 1);
  if (R > 0 && LBP_(prepare_swaps)(c, m, 1, 1)) {
    const double all = c->node[1];
    c->y.log_pi = 0;
    flips = LBP_(walk_path)(c, m, R, rng, watch, &back, &asked, &info.jump);
    info.proposed = flips;
    given_up = watch && watch->given_up;
    if (flips == 2 * R && !lbp_is_impossible((float)c->y.log_pi) && !LBP_(is_finite)(c->y.log_pi)) {
      p.value = 1; /* out of an impossible state, even if there is no way back */
    } else if (flips == 2 * R && c->node[1] > 0 && LBP_(is_finite)(c->y.log_pi)) {
      lbp_scaled_times(&back, all / c->node[1]);
      p.value = (LBP_REAL)back.value;
      p.exponent = back.exponent;
    }
    LBP_P_CHECK(if (LBP_(failed)(c)) p.value = 0;)
    info.accept = given_up ? 1 : LBP_(probability)(&p, c->y.log_pi);
    info.accepted = given_up ? 1 : LBP_(decide)(&p, c->y.log_pi, LBP_(word)(rng), info.accept);
    info.log_ratio = info.accepted ? c->y.log_pi : 0;
    while (!info.accepted && flips > 0) asked += LBP_(hop)(c, m, c->again[--flips]);
    if (!info.accepted) info.jump = 0;
  }
  *evaluations = (double)asked;
  info.evaluations = asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX;
  c->groups.mode = LBP_MODE_FLIP;
  return info;
}

/* R times: removes a one of any group, and adds a zero of its group, each drawn by its weight at the state then; all
 * swaps are accepted or rejected together at the end. R is cut to n / 2. Weights are updated 2 R times, and as often
 * again on rejection, but acceptance hardly falls with R. So do not tune R: it is the number of swaps between two
 * draws. info.proposed is 2 R, info.jump the number of sites that have changed. */
LBP_CALLED LBP_INFO_T LBP_NAME_(swap_path_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng) {
  double evaluations;
  return LBP_(swap_path_run)(c, m, R, rng, NULL, &evaluations);
}
#endif

/* A swap of touched[0], a one, and touched[1], in halves: the zero becomes a one only where the swap is accepted, which
 * saves two flips where it isn't. Not where log pi decides, or fields are restored. */
LBP_INLINE void LBP_(begin_swap)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
#if LBP_P_BY_LOGP || defined LBP_RESTORE
  LBP_(flip)(c, m, 0);
#else
  c->y.log_pi = LBP_(rounded)(LBP_(delta)(c, m, c->touched[0]));
  LBP_(flip_site)(c, m, c->touched[0]);
  c->y.log_pi += LBP_(rounded)(LBP_(delta)(c, m, c->touched[1]));
#endif
}

LBP_INLINE void LBP_(end_swap)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t accepted) {
#if LBP_P_BY_LOGP || defined LBP_RESTORE
  if (!accepted) LBP_(unflip)(c, m);
#else
  LBP_(flip_site)(c, m, c->touched[accepted ? 1 : 0]);
#endif
}

/* A swap of a site and another of its group, drawn uniformly among those that have the other value: touched[0] is the
 * one, touched[1] the zero. The one is removed first: so both ways lead through the same states. */
LBP_CALLED void LBP_(swap_uniformly)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng, LBP_INFO_T *info) {
  const uint32_t i = c->member[lbp_mulhi(LBP_(word)(rng), c->groups.mobile)], g = c->group[i], on = c->x[i];
  const uint32_t ones = c->ones[g], size = c->start[g + 1] - c->start[g];
  const uint32_t others = on ? size - ones : ones, first = c->start[g] + (on ? ones : 0);
  const uint32_t j = c->member[first + (uint32_t)lbp_mulhi(LBP_(word)(rng), others)];
  const uint64_t word = LBP_(word)(rng);
  LBP_(product) one = {1, 0};
  c->touched[0] = on ? i : j;
  c->touched[1] = on ? j : i;
  c->y.flips = 2;
  c->y.removed = 0;
  LBP_(begin_swap)(c, m);
  info->evaluations += LBP_P_BY_LOGP ? 1 : 2;
  if (lbp_is_impossible((float)c->y.log_pi)) one.value = 0;
  LBP_P_CHECK(if (LBP_(failed)(c)) one.value = 0;)
  info->accept = LBP_(probability)(&one, c->y.log_pi);
  info->accepted = LBP_(decide)(&one, c->y.log_pi, word, info->accept);
  LBP_(end_swap)(c, m, info->accepted);
  if (!info->accepted) {
    LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(c->y.log_pi))) LBP_(retrace)(c, m, 0);)
    return;
  }
  info->log_ratio += c->y.log_pi;
  LBP_P_LOGP(c->logp = c->logp_proposed;)
  LBP_(trade)(c, i, j);
  c->weights_ready = 0;
}

/* One uniform swap: draws a site that swaps can move, and another of its group with the other value. Does not keep the
 * weights: other steps look at all sites once afterwards. */
LBP_CALLED LBP_INFO_T LBP_NAME_(kawasaki_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_INFO_T info;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  memset(&info, 0, sizeof info);
  info.sites = c->touched;
  if (LBP_(prepare_swaps)(c, m, 0, 0)) {
    LBP_(swap_uniformly)(c, m, rng, &info);
    info.proposed = 2;
    info.jump = 2 * info.accepted;
  }
  c->groups.mode = LBP_MODE_FLIP;
  return info;
}

/* A sweep of NAME_max_swaps uniform swaps, one after another, each accepted or rejected by itself. If all groups that
 * move have two free sites, a coin decides whether there is one more: otherwise an even number of swaps, all accepted,
 * would only reach half of the states. info.accept is their mean acceptance, info.jump the number of sites that have
 * changed in the end. */
LBP_CALLED LBP_INFO_T LBP_NAME_(swap_sweep)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_INFO_T info;
  LBP_REAL accept = 0;
  uint32_t k;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  memset(&info, 0, sizeof info);
  info.sites = c->again;
  if (LBP_(prepare_swaps)(c, m, 0, 0)) {
    const uint32_t tries = c->groups.pairs + (c->groups.twos ? (uint32_t)(LBP_(word)(rng) >> 63) : 0);
    for (k = 0; k < tries; k++) {
      LBP_(swap_uniformly)(c, m, rng, &info);
      accept += info.accept;
      if (!info.accepted) continue;
      info.jump = lbp_toggle(c->again, c->before, c->touched[0], info.jump);
      info.jump = lbp_toggle(c->again, c->before, c->touched[1], info.jump);
    }
    info.accept = accept / (LBP_REAL)k;
    info.proposed = 2 * k;
    info.accepted = info.jump > 0;
  }
  c->groups.mode = LBP_MODE_FLIP;
  return info;
}

/* ---- queries and states ------------------------------------------------------------------------------------------ */

/* Checks the groups and their numbers of ones in x. Returns LBP_OK, or LBP_E_NULL, LBP_E_GROUP, LBP_E_ONES. If it is
 * not LBP_OK, steps move nothing (a fault in a checked build). */
LBP_FN int LBP_NAME_(check_groups)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  if (!c) return LBP_E_NULL;
  LBP_(ready_groups)(c, m);
  return c->groups.status;
}

/* Returns the number of swaps that are possible at once: the sum over groups of the number of free ones, or of free
 * zeros if these are fewer. 0: swaps move nothing. */
LBP_FN uint32_t LBP_NAME_(max_swaps)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  LBP_(ready_groups)(c, m);
  return c->groups.pairs;
}

/* Replaces x by one of the states with the same numbers of ones, all equally likely; clamped sites keep their values.
 * Returns LBP_OK, or a status of NAME_check_groups, or LBP_E_NULL (no generator), and then does nothing. */
LBP_CALLED int LBP_NAME_(scatter)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  const int status = rng ? LBP_NAME_(check_groups)(c, m) : LBP_E_NULL;
  if (status != LBP_OK) return status;
  LBP_(scatter)(c, c->x, rng);
  LBP_NAME_(touch)(c);
  return LBP_OK;
}

/* Returns the log of the number of states that NAME_scatter draws from. */
LBP_CALLED double LBP_NAME_(log_states)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  double sum;
  uint32_t g, k;
  LBP_(ready_groups)(c, m);
  sum = 0.69314718055994530942 * (double)c->free;
  for (g = 0; g < c->groups.count; g++) {
    const uint32_t size = c->start[g + 1] - c->start[g];
    for (k = 0; k < c->ones[g]; k++) sum += lbp_log_fine((double)(size - k) / (double)(k + 1));
  }
  return sum;
}

#ifdef LBP_GROUP_ONES
/* Sets x to a state with LBP_GROUP_ONES: in each group the first sites are ones; sites in no group stay. Use it for a
 * start, and NAME_scatter after it for a random one. It also changes clamped sites. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_GROUP, LBP_E_ONES (a group is too small). */
LBP_CALLED int LBP_NAME_(fill)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  uint32_t i, g, n, most;
  if (!c) return LBP_E_NULL;
  n = LBP_P_COUNT(c);
  most = LBP_P_MOST_GROUPS(n);
  memset(c->ones, 0, most * sizeof c->ones[0]);
  for (i = 0; i < n; i++) {
    g = LBP_(call_group)(m, i);
    if (g == LBP_NO_GROUP) continue;
    if (g >= most) return LBP_E_GROUP;
    c->x[i] = c->ones[g] < LBP_(call_group_ones)(m, g);
    c->ones[g] += c->x[i];
  }
  LBP_NAME_(touch)(c);
  return LBP_NAME_(check_groups)(c, m);
}
#endif

/* ---- the shift --------------------------------------------------------------------------------------------------- */

/* Sets the shift mu, 0 at first: weights of sites in groups are those of their log-odds + mu. -LBP_SHIFT_MOST <= mu <=
 * LBP_SHIFT_MOST; any mu is exact. NAME_aswap_step tunes it. Returns LBP_OK, or LBP_E_NULL, LBP_E_NOT_FINITE,
 * LBP_E_RANGE. */
LBP_FN int LBP_NAME_(set_shift)(LBP_CHAIN_T *c, double mu) {
  if (!c) return LBP_E_NULL;
  if (!lbp_is_finite(mu)) return LBP_E_NOT_FINITE;
  if (mu > LBP_SHIFT_MOST || mu < -LBP_SHIFT_MOST) return LBP_E_RANGE;
  if (c->weights_ready == LBP_SWAP_READY && c->groups.shift != mu) c->weights_ready = 0;
  c->groups.shift = mu;
  return LBP_OK;
}

/* How far the sums of all ones and all zeros are apart: log(A / B); 0 where nobody asks. */
LBP_FN double LBP_(log_odds_gap)(const LBP_CHAIN_T *c) {
  uint64_t zeros = 0, ones = 0;
  uint32_t g;
  if (LBP_WEIGHT == LBP_SQRT || c->weights_ready != LBP_SWAP_READY) return 0;
  for (g = 0; g < c->groups.count; g++) {
    zeros += c->sum[2 * g];
    ones += c->sum[2 * g + 1];
  }
  return zeros > 0 && ones > 0 ? lbp_log_fine((double)(int64_t)ones / (double)(int64_t)zeros) : 0;
}

/* A tuner of the shift hears of it, of many groups not after every step. */
LBP_FN void LBP_(observe_lean)(const LBP_CHAIN_T *c, lbp_shift_tuner *t) {
  if (t->step % (1 + c->groups.count / 64) == 0) lbp_shift_tuner_observe(t, LBP_(log_odds_gap)(c));
}

LBP_FN uint32_t LBP_(draw_r)(const LBP_TUNER_T *t, LBP_REAL most, LBP_RNG_T *rng); /* further down in lbp.h */
LBP_FN LBP_REAL LBP_(most_of)(const LBP_TUNER_T *t, uint32_t sites);
LBP_FN void LBP_(learn)(LBP_TUNER_T *t, LBP_REAL most, LBP_REAL accept);

/* A tuner hears of a swap step of this chain. */
LBP_FN void LBP_(learn_swaps)(const LBP_CHAIN_T *c, LBP_TUNER_T *t, LBP_REAL accept) {
  LBP_(observe_lean)(c, &t->shift);
  lbp_shift_tuner_update(&t->shift);
  LBP_(learn)(t, LBP_(most_of)(t, c->groups.pairs), accept);
}

/* One NAME_swap_step with the tuner's R and shift, which then learn from it. R learns as in NAME_albp_step, up to
 * NAME_max_swaps - 1/2, which is rounded to even and odd numbers; the shift learns until its mean over states makes
 * A = B. Both are frozen at the end of the warm-up. */
LBP_CALLED LBP_INFO_T LBP_NAME_(aswap_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_TUNER_T *t, LBP_RNG_T *rng) {
  LBP_INFO_T info;
  uint32_t pairs;
  LBP_P_CHECK(if (!LBP_(usable)(c, t ? rng : NULL)) return LBP_(nothing)();)
  pairs = c->groups.ready ? c->groups.pairs : LBP_NAME_(max_swaps)(c, m); /* it does too much to be asked each time */
  LBP_NAME_(set_shift)(c, t->shift.shift);
  info = LBP_NAME_(swap_step)(c, m, LBP_(draw_r)(t, LBP_(most_of)(t, pairs), rng), rng);
  LBP_(learn_swaps)(c, t, info.accept);
  return info;
}

/* ---- the model check --------------------------------------------------------------------------------------------- */

/* Flips site i if that is possible; returns whether it was. */
LBP_FN int LBP_(try_flip)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
#ifdef LBP_LOGP
  LBP_(flip_site)(c, m, i);
  if (LBP_(is_finite)(LBP_(logp)(c, m))) return 1;
  LBP_(flip_site)(c, m, i);
#else
  if (LBP_(is_finite)(LBP_(delta)(c, m, i))) return LBP_(flip_site)(c, m, i), 1;
#endif
  return 0;
}

/* Goes from a possible state to others that have the same numbers of ones. */
LBP_CALLED void LBP_(walk)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  uint32_t k;
  for (k = 0; k < 3 * LBP_BLOCK; k++) {
    const uint32_t i = (uint32_t)lbp_mulhi(LBP_(word)(rng), LBP_P_COUNT(c)), g = c->group[i], on = c->x[i];
    uint32_t others, first, j;
    if (g == LBP_NO_GROUP) {
      if (!c->held[i]) LBP_(try_flip)(c, m, i);
      continue;
    }
    others = on ? c->start[g + 1] - c->start[g] - c->ones[g] : c->ones[g];
    first = c->start[g] + (on ? c->ones[g] : 0);
    j = c->member[first + (uint32_t)lbp_mulhi(LBP_(word)(rng), others)];
    if (!LBP_(try_flip)(c, m, on ? i : j)) continue;
    if (LBP_(try_flip)(c, m, on ? j : i)) LBP_(trade)(c, i, j);
    else LBP_(flip_site)(c, m, on ? i : j);
  }
}

#endif /* LBP_P_INSTANCE */
