/* lbp_swap.h - groups of sites that keep their number of ones: LBP_GROUP, LBP_GROUPS, LBP_GROUP_ONES.
 *
 * Version 0.8.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_GROUP is
 * defined. You need it and lbp_jumps.h for NAME_swap_step and its like, and don't include it yourself. It brings
 * LBP_CLAMPED along, and so lbp_clamped.h.
 *
 * LBP_GROUP(m, i) -> uint32_t: the group of site i, below n and LBP_GROUPS, or LBP_NO_GROUP. A group keeps the number
 * of ones that it has; so what is drawn is pi given these numbers. One group of all sites: #define LBP_GROUP(m, i) 0u.
 * Sites in no group move by flips, the others by swaps of a one and a zero of their group; to samplers that flip they
 * are clamped. A group without ones or without zeros never moves. pi must be known where a group has one more or one
 * less as well: log-ratios are those of single flips.
 *
 * LBP_GROUPS: how many groups there may be, a constant; by default as many as sites. Workspace depends on it.
 *
 * LBP_GROUP_ONES(m, g) -> uint32_t: optional: how many ones group g has. Another number is LBP_E_ONES (NAME_admits);
 * without it, those of the state in which a chain begins are right. NAME_fill needs it.
 *
 *   swap       R times: a group in proportion to A B, the sums of its ones' weights and its zeros', then a one and a
 *              zero by their weights, all at x; both are taken out. All are swapped together. The way back draws the
 *              same pairs in reversed order, so the list of pairs is the path, and pairings need not be counted.
 *   path       R times: a one of all groups by its weight, at the present state, is removed; a zero of its group by its
 *              weight at the state then, maybe the same site, becomes a one. Accepted or not at the end. It also finds
 *              ones that may be added only where another was removed before, as particles that exclude each other.
 *   Kawasaki   a site, and one of its group that has the other value, uniformly.
 *
 * Acceptance comes from the weights that were drawn from, as they are stored, in full: pi(y) / pi(x), times weights on
 * the way back over weights on the way there, times sums there over sums back. Shorter forms, which hold for exact
 * weights, do not hold for rounded ones.
 *
 * A shift mu added to all log-odds of sites in groups does not change pi given the numbers of ones, but weights: with
 * LBP_BARKER the jump distance is best where ones and zeros have equal sums. Any mu is exact; LBP_SQRT does not notice.
 *
 * In this file's order: support; then the template: groups and lists, drawing, accepting, steps, the shift's tuner.
 *
 * Sources: [S] and [Z] of lbp.h; Kawasaki, Phys. Rev. 145, 1966.
 */

/* ==== support: once per translation unit ========================================================================== */

#ifndef LBP_VERSION
#include "lbp.h"
#endif

#ifndef LBP_SWAP_H
#define LBP_SWAP_H

#include "lbp_jumps.h"
#include "lbp_numbers.h"

/* What groups add to LBP_WS_LEN(n) or its like, where LBP_GROUPS is `groups`, or n; a constant expression. */
#define LBP_WS_LEN_SWAP(n, groups) (LBP_WS_HALVES((n) + 4, 4) + LBP_WS_HALVES(groups, 12))

/* Whose log-ratios a chain's are at the moment. */
enum {
  LBP_MODE_FLIP, /* of samplers that flip: sites in groups are clamped */
  LBP_MODE_SWAP, /* of swaps, with the shift */
  LBP_MODE_CHECK /* the model's */
};

/* Up to so many swaps of one group are drawn pair by pair: fewer than blocks of tries are good for. */
#ifndef LBP_P_PAIRS
#define LBP_P_PAIRS 2u
#endif

/* What weights_ready says of weights that are the swaps'. */
#define LBP_SWAP_READY 3

/* A product of positive numbers: value 2^exponent. */
typedef struct {
  double value;
  int32_t exponent;
} lbp_scaled;

/* What a chain knows of its groups, beside arrays. */
typedef struct {
  int ready;                        /* whether lists are those of x */
  int status;                       /* what is wrong with groups */
  int mode;                         /* LBP_MODE_FLIP and the like */
  int by_ones;                      /* what groups are drawn by: 0: A B, 1: A */
  uint32_t count;                   /* groups: the largest number and one */
  uint32_t mobile;                  /* sites that swaps can move */
  uint32_t pairs;                   /* swaps that can be made at once, at most */
  int twos;                         /* whether all of these sites are in groups of two: a swap turns one round */
  uint32_t halves;                  /* groups of two, and twice larger ones half of ones: all swaps turn each round */
  const uint8_t *clamps;            /* of NAME_clamp */
  double shift;                     /* mu */
  double mu;                        /* the same in steps of swaps, 0 otherwise */
  int apart;                        /* in a step: whether all ones are drawn and then all zeros, of one group */
  uint64_t whole[2];                /* then: sums of the zeros' weights at x, and of the ones' */
  uint64_t tries[2];                /* to draw these, since all were looked at */
  uint64_t gain[2], higher;         /* of flips that list: what these sums gain; whether a weight is above its top[] */
  lbp_scaled there;                 /* else: the product of all sums that were drawn from */
} lbp_groups;

/* The largest shift: a larger one takes too many digits from log-ratios. A tuner's changes 32 times by 4 at most. */
#define LBP_SHIFT_MOST 128.0

/* Tunes the shift: by how much the zeros' sum is to grow, in the mean of the steps since the last power of two. */
typedef struct {
  double shift;
  double lean, told; /* the sum of log(A / B), and of how many steps, since then */
  uint32_t step, warmup;
} lbp_shift_tuner;

/* Tells it what a step has left: log(A / B). */
LBP_FN void lbp_shift_tuner_observe(lbp_shift_tuner *t, double lean) {
  if (t->step >= t->warmup || !lbp_is_finite(lean)) return;
  t->lean += lean;
  t->told += 1;
}

/* Ends a step of all chains that share it. After the steps 1, 2, 4, 8 ... the shift moves by half of what it is told,
 * by 4 at most: all of it where weights are small, log A falling by the shift and log B rising, half where they are
 * large. */
LBP_FN void lbp_shift_tuner_update(lbp_shift_tuner *t) {
  if (t->step >= t->warmup) return;
  t->step++;
  if ((t->step & (t->step - 1)) != 0 || !(t->told > 0)) return;
  t->shift += lbp_clamp_double(t->lean / t->told, 8.0) * 0.5;
  t->lean = t->told = 0;
}

/* p v, for v > 0. */
LBP_INLINE void lbp_scaled_times(lbp_scaled *p, double v) {
  p->value *= v;
  p->exponent += lbp_split(&p->value);
}

#endif /* LBP_SWAP_H */

/* ==== template: for an instance of lbp.h, inside it =============================================================== */

#if defined LBP_GROUP && !defined LBP_P_INSTANCE

#if !defined LBP_CLAMPED /* to samplers that flip, sites in groups are clamped */
#define LBP_CLAMPED
#endif

/* Groups have numbers below LBP_GROUPS, and below n. */
#ifdef LBP_GROUPS
#define LBP_P_MOST_GROUPS(n) ((uint32_t)(LBP_GROUPS) < (n) ? (uint32_t)(LBP_GROUPS) : (n))
#else
#define LBP_P_MOST_GROUPS(n) (n)
#endif

/* Whether there can be no more than one, as the compiler knows: then nobody asks which. */
#define LBP_P_ALONE (LBP_P_MOST_GROUPS(2u) == 1)

/* Arrays of a chain, by site or by group. Members of a group are listed one after another, ones first. */
#define LBP_P_GROUP_ARRAYS \
  LBP_P_ARRAY(uint64_t, sum, 2 * LBP_P_MOST_GROUPS(LBP_N));     /* 2 g + v: weights of group g's sites of value v */ \
  LBP_P_ARRAY(double, node, 2 * LBP_P_MOST_GROUPS(LBP_N));      /* node[k] = node[2 k] + node[2 k + 1]; groups last */ \
  LBP_P_ARRAY(uint32_t, top, 2 * LBP_P_MOST_GROUPS(LBP_N));     /* none of these weights is larger */ \
  LBP_P_ARRAY(uint32_t, start, LBP_P_MOST_GROUPS(LBP_N) + 1);   /* group g is member[start[g] .. start[g + 1]) */ \
  LBP_P_ARRAY(uint32_t, ones, LBP_P_MOST_GROUPS(LBP_N));        /* how many of these are 1 */ \
  LBP_P_ARRAY(uint32_t, member, LBP_N);                         /* sites that swaps can move */ \
  LBP_P_ARRAY(uint32_t, rank, LBP_N);                           /* its inverse: member[rank[i]] == i */ \
  LBP_P_ARRAY(uint32_t, group, LBP_N);                          /* by site; LBP_NO_GROUP: swaps can't move it */ \
  LBP_P_ARRAY(uint8_t, held, LBP_N);                            /* by site: 1: flips can't */

#elif defined LBP_P_INSTANCE && defined LBP_GROUP && !defined LBP_P_GROUPS_HERE
#define LBP_P_GROUPS_HERE

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

/* The arrays, from ws on; returns what is behind them. */
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
LBP_FN int LBP_(read_groups)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
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
LBP_FN void LBP_(list_groups)(LBP_CHAIN_T *c) {
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
    c->top[2 * g + 1] = at; /* for now: where its next one, and its next zero, will stand */
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
LBP_FN void LBP_(heed_groups)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
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

/* What is added to the log-ratio of site i before it is weighed. */
LBP_INLINE LBP_REAL LBP_(shift)(const LBP_CHAIN_T *c, uint32_t i) {
  const LBP_REAL mu = (LBP_REAL)c->groups.mu;
  return c->x[i] ? -mu : mu;
}

#if LBP_CHECKED
/* Whether site i stands among the ones of its group, or the zeros, as it should. */
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

/* Of one group: sites that are not drawn have weights next[] in place of was[], which the sums gain. */
LBP_INLINE void LBP_(credit_all)(LBP_CHAIN_T *c, const uint32_t *site, const uint32_t *next, const uint32_t *was,
                                 uint32_t count) {
  const uint32_t *group = c->group, top[2] = {c->top[0], c->top[1]};
  const uint8_t *x = c->x;
  uint64_t both = 0, ones = 0;
  uint32_t k, higher = 0;
  for (k = 0; k < count; k++) {
    const uint32_t i = site[k], on = x[i], of = ~group[i]; /* all bits or, in no group, none */
    const uint64_t change = (uint64_t)(next[k] & of) - (was[k] & of);
    both += change;
    ones += change & (0 - (uint64_t)on);
    higher |= (next[k] & of) > top[on];
  }
  c->groups.gain[0] += both - ones;
  c->groups.gain[1] += ones;
  c->groups.higher |= higher;
}

/* Makes x one of the states that the groups connect with was[], each as likely. */
LBP_FN void LBP_(scatter)(LBP_CHAIN_T *c, const uint8_t *was, LBP_RNG_T *rng) {
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

/* The beginning of NAME_check: whether groups are what they should be. */
LBP_FN int LBP_(begin_check)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report) {
  c->groups.mode = LBP_MODE_CHECK;
  c->groups.ready = 0;
  LBP_(heed_groups)(c, m);
  return LBP_(find)(report, c->groups.status, 0, 0, 0, 0);
}

#elif defined LBP_P_INSTANCE && defined LBP_GROUP

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* What group g is drawn by. (The product is not added to anything by the same instruction: see lbp.h.) */
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
LBP_FN void LBP_(sum_groups)(LBP_CHAIN_T *c, const uint32_t *weight) {
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

/* Takes next[], by site, as the weights of all sites. */
LBP_FN void LBP_(start_swap_weights)(LBP_CHAIN_T *c) {
#if LBP_P_LOCAL || defined LBP_N
  memcpy(c->weight, c->next, LBP_P_COUNT(c) * sizeof c->next[0]);
#else
  uint32_t *const scratch = c->weight;
  c->weight = c->next;
  c->next = scratch;
#endif
  c->weights_ready = LBP_SWAP_READY;
}

/* The beginning of a step: what describes x, and if asked, weights. Returns whether there is anything to swap. */
LBP_FN int LBP_(prepare_swaps)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int weights, int by_ones) {
  c->groups.mode = LBP_MODE_SWAP;
  LBP_(prepare)(c, m, 0);
  LBP_P_CHECK(if (c->groups.status != LBP_OK) LBP_(fail)(c, c->groups.status, 0, 0, 0, 0);)
  if (c->groups.pairs == 0) return 0;
  if (weights && c->weights_ready != LBP_SWAP_READY) {
    LBP_(weigh_x)(c, m);
    LBP_(start_swap_weights)(c);
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

/* The member of a list that a random word stands for, in proportion to the weights, by looking at all of them, but for
 * marked ones. Lowers the ceiling to the largest weight. */
LBP_FN uint32_t LBP_(scan_members)(LBP_CHAIN_T *c, const uint32_t *list, uint32_t count, uint32_t at, uint64_t word) {
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
 * leave the sum. Returns what k is then: less where no more have a weight. */
LBP_FN uint32_t LBP_(draw_members)(LBP_CHAIN_T *c, uint32_t value, uint32_t R, uint32_t k, LBP_RNG_T *rng) {
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
        tries = asked - done < LBP_LANES ? asked - done : LBP_LANES;
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
LBP_FN uint32_t LBP_(draw_pairs)(LBP_CHAIN_T *c, uint32_t R, LBP_RNG_T *rng) {
  lbp_scaled there = {1, 0};
  uint32_t k;
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
  if (k < R) { /* what there is, in one piece */
    memmove(c->touched + k, c->touched + R, k * sizeof c->touched[0]);
    memmove(c->before + k, c->before + R, k * sizeof c->before[0]);
  }
  return k;
}

/* Goes back to the sums of x, from those of x without the sites drawn; or where y was `weighed`, of y: local models. */
LBP_FN void LBP_(put_back)(LBP_CHAIN_T *c, int weighed) {
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

/* The same of pairs: one after another comes back, and what the way back draws it from is the sum then. */
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
LBP_FN void LBP_(settle_swaps)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int accepted, int weighed) {
  uint32_t k;
  LBP_P_LOGP(if (accepted) c->logp = c->logp_proposed;)
  for (k = 0; accepted && 2 * k < c->y.flips; k++) LBP_(trade)(c, c->touched[k], c->touched[c->y.flips / 2 + k]);
  if (accepted && LBP_P_LOCAL) {
    for (k = 0; k < c->y.touched; k++) c->weight[c->touched[k]] = c->next[k];
  } else if (accepted) {
    LBP_(start_swap_weights)(c);
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

/* One step of R swaps, drawn by weights without replacement and made together. R is cut to the number of swaps that can
 * be made at once, NAME_swaps; where fewer have a positive probability nothing happens, and info.accept is 0. With R as
 * large as NAME_swaps it may not reach all states: 3 ones of 6 sites, all swapped, come back every other step. Nor with
 * a fixed even R where all groups that move have two sites that are not clamped: each swap turns one of them round, and
 * an even number of turned groups stays even. Use an odd R, a random one (NAME_random_r), or a tuner. A one that can be
 * added only where another was removed is never proposed: see NAME_swap_path_step. */
LBP_FN LBP_INFO_T LBP_NAME_(swap_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng) {
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
/* One step of R[k] swaps of each of `count` chains, whose log-ratios come from one call of LBP_DELTAS_MANY for up to
 * LBP_MANY chains: see NAME_lbp_steps, of which all else holds. */
LBP_FN void LBP_NAME_(swap_steps)(LBP_CHAIN_T *const *chain, const LBP_MODEL_T *m, const uint32_t *R,
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
        LBP_(start_swap_weights)(chain[k]);
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
/* Flips site i, and weighs it and its neighbours anew; adds to y.log_pi what log pi gains. Returns how many log-ratios
 * that took. */
LBP_INLINE uint32_t LBP_(hop)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  enum { LBP_(listed_by_hop) = LBP_MAX_NEIGHBOURS + 2 + 2 * LBP_PAD };
  uint32_t site[LBP_(listed_by_hop)], next[LBP_(listed_by_hop)], was[LBP_(listed_by_hop)], count, k;
  LBP_REAL ratio[LBP_(listed_by_hop)];
  lbp_sums sums = {0, 0, 0};
  LBP_P_WATCH(LBP_REAL sum_of_ratios;)
  c->sum[2 * c->group[i] + c->x[i]] -= c->weight[i];
  count = LBP_(flip_and_list)(c, m, i, site, ratio);
  LBP_(relist)(c, i);
  c->weight[i] = 0; /* so what was its weight is not taken out of the other sum */
  site[count] = i;
  ratio[count] = LBP_(delta)(c, m, i);
  c->y.log_pi -= ratio[count++];
  LBP_(shift_all)(c, site, ratio, count);
  LBP_P_WATCH(sum_of_ratios =) LBP_(replace_all)(c->weight, site, ratio, next, was, count, &sums);
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(sum_of_ratios))) LBP_(seek_nan)(c, m);)
  for (k = 0; k < count; k++) {
    const uint32_t g = c->group[site[k]];
    if (g == LBP_NO_GROUP) continue;
    LBP_(credit)(c, 2 * g + c->x[site[k]], (uint64_t)next[k] - was[k], next[k]);
    if (c->groups.count > 1 || k + 1 == count) LBP_(renew_tree)(c, g); /* what was flipped comes last */
  }
  return count;
}

/* Removes a one and adds a zero of its group, R times; again[2 k] and again[2 k + 1] are these. Multiplies *back by
 * weights on the way back over weights there, adds to *asked the log-ratios that it took; *jump: how many sites differ.
 * Returns how many were flipped: 2 R, unless the way ended: where there is
 * none back, too, unless it has led out of an impossible state; or where `watch` has given it up. */
LBP_FN uint32_t LBP_(walk_path)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng, lbp_watch *watch,
                                lbp_scaled *back, uint64_t *asked, uint32_t *jump) {
  uint32_t k, g, w[4];
  for (k = 0; k < 2 * R; k += 2) {
    if (!(c->node[1] > 0) || (k > 0 && lbp_watch_ends(watch, k))) return k;
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

/* R times: removes a one, of any group, and adds a zero of its group, both by their weights at the state then; all of
 * it is accepted or not at the end. R is cut to n / 2. Weights are renewed 2 R times, and on rejection as often again,
 * but acceptance hardly falls with R: it is not to be tuned, R is how many are made before a draw is worth taking.
 * info.proposed is 2 R, info.jump the number of sites that have changed. */
LBP_FN LBP_INFO_T LBP_NAME_(swap_path_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng) {
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
LBP_FN void LBP_(swap_uniformly)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng, LBP_INFO_T *info) {
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
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(c->y.log_pi))) LBP_(retrace)(c, m, 0);)
  if (!info->accepted) return;
  info->log_ratio += c->y.log_pi;
  LBP_P_LOGP(c->logp = c->logp_proposed;)
  LBP_(trade)(c, i, j);
  c->weights_ready = 0;
}

/* One uniform swap: a site of those that swaps can move, another of its group that has the other value. Does not keep
 * the weights: other steps look at all sites once afterwards. */
LBP_FN LBP_INFO_T LBP_NAME_(kawasaki_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
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

/* A sweep of them, NAME_swaps one after another, each accepted or not by itself. Where all groups that move have two
 * sites that are not clamped there is one more, as a coin falls: else an even number of swaps, all accepted, would lead
 * to half of the states. info.accept is their mean, info.jump the number of sites that have changed in the end. */
LBP_FN LBP_INFO_T LBP_NAME_(swap_sweep)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
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

/* ---- what else can be asked for ---------------------------------------------------------------------------------- */

/* Whether the groups, and their numbers of ones in x, are what they should be: LBP_OK, LBP_E_NULL, LBP_E_GROUP,
 * LBP_E_ONES. In a chain that is not admitted nothing moves (a fault in a checked build). */
LBP_FN int LBP_NAME_(admits)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  if (!c) return LBP_E_NULL;
  LBP_(heed_groups)(c, m);
  return c->groups.status;
}

/* How many swaps can be made at once: the sum over groups of how many ones, or zeros if these are fewer, are not
 * clamped. 0: swaps move nothing. */
LBP_FN uint32_t LBP_NAME_(swaps)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  LBP_(heed_groups)(c, m);
  return c->groups.pairs;
}

/* Makes x one of the states that keep all numbers of ones, each as likely; clamped sites keep their values. Returns
 * what NAME_admits says, and does nothing unless that is LBP_OK; LBP_E_NULL without a generator. */
LBP_FN int LBP_NAME_(scatter)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  const int status = rng ? LBP_NAME_(admits)(c, m) : LBP_E_NULL;
  if (status != LBP_OK) return status;
  LBP_(scatter)(c, c->x, rng);
  LBP_NAME_(touch)(c);
  return LBP_OK;
}

/* log of how many states there are that NAME_scatter draws from. */
LBP_FN double LBP_NAME_(log_states)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  double sum;
  uint32_t g, k;
  LBP_(heed_groups)(c, m);
  sum = 0.69314718055994530942 * (double)c->free;
  for (g = 0; g < c->groups.count; g++) {
    const uint32_t size = c->start[g + 1] - c->start[g];
    for (k = 0; k < c->ones[g]; k++) sum += lbp_log_fine((double)(size - k) / (double)(k + 1));
  }
  return sum;
}

#ifdef LBP_GROUP_ONES
/* Makes x a state that has LBP_GROUP_ONES: in each group the first sites are ones; sites in no group stay. For a start:
 * NAME_scatter makes it a random one. Clamped sites are not spared. LBP_E_NULL; LBP_E_GROUP; LBP_E_ONES: a group is too
 * small. */
LBP_FN int LBP_NAME_(fill)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
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
  return LBP_NAME_(admits)(c, m);
}
#endif

/* ---- the shift --------------------------------------------------------------------------------------------------- */

/* Sets mu, 0 unless it was set: what is added to the log-odds of all sites in groups when they are weighed, from
 * -LBP_SHIFT_MOST to LBP_SHIFT_MOST; any of these is exact. NAME_aswap_step finds one. LBP_E_NULL; LBP_E_NOT_FINITE;
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
LBP_FN double LBP_(lean)(const LBP_CHAIN_T *c) {
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
  if (t->step % (1 + c->groups.count / 64) == 0) lbp_shift_tuner_observe(t, LBP_(lean)(c));
}

LBP_FN uint32_t LBP_(draw_r)(const LBP_TUNER_T *t, LBP_REAL most, LBP_RNG_T *rng); /* stand further down in lbp.h */
LBP_FN LBP_REAL LBP_(most_of)(const LBP_TUNER_T *t, uint32_t sites);
LBP_FN void LBP_(learn)(LBP_TUNER_T *t, LBP_REAL most, LBP_REAL accept);

/* A tuner hears of a swap step of this chain. */
LBP_FN void LBP_(learn_swaps)(const LBP_CHAIN_T *c, LBP_TUNER_T *t, LBP_REAL accept) {
  LBP_(observe_lean)(c, &t->shift);
  lbp_shift_tuner_update(&t->shift);
  LBP_(learn)(t, LBP_(most_of)(t, c->groups.pairs), accept);
}

/* One NAME_swap_step with the tuner's R, and its shift, which then learn from it: R as that of NAME_albp_step does, up
 * to NAME_swaps less 1/2, which is rounded to even and odd numbers, the shift until its mean over states makes A = B.
 * Both are frozen at the warm-up's end. */
LBP_FN LBP_INFO_T LBP_NAME_(aswap_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_TUNER_T *t, LBP_RNG_T *rng) {
  LBP_INFO_T info;
  uint32_t pairs;
  LBP_P_CHECK(if (!LBP_(usable)(c, t ? rng : NULL)) return LBP_(nothing)();)
  pairs = c->groups.ready ? c->groups.pairs : LBP_NAME_(swaps)(c, m); /* which does too much to be asked each time */
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
LBP_FN void LBP_(walk)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
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

#undef LBP_P_GROUPS_HERE
#undef LBP_P_GROUP_ARRAYS
#undef LBP_P_MOST_GROUPS
#undef LBP_P_ALONE

#endif /* LBP_P_INSTANCE */
