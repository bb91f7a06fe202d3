/* Moves that the library does not have, or has and is to be compared with, as one would write them for one model:
 * log-odds in an array, `double`, no rounding of weights. */
#ifndef BENCH_CONSTRAINTS_BY_HAND_H
#define BENCH_CONSTRAINTS_BY_HAND_H

#include "targets.h"

typedef struct hand hand;

/* What a step has done: its acceptance probability, and the sites or rows that it has changed. */
typedef struct {
  double accept;
  uint32_t changed[4], count;
} hand_info;

struct hand {
  const target *t;
  lbp_rng rng;
  uint8_t *x;                     /* of sites */
  uint32_t *s;                    /* of a matching */
  double *odds;                   /* log-odds of a one, given the others */
  uint32_t *place, *list;         /* ones, then zeros, and where each is; one group alone */
  uint32_t ones;
  uint32_t *edge, edges;          /* of the graph: two ends each, and how many */
  double *tree;                   /* sums of odds of zeros, for draws from them */
  uint32_t leaves;
};

typedef hand_info hand_step(hand *h);

static double hand_u01(hand *h) { return lbp_u01(lbp_rng_u64(&h->rng)); }
static uint32_t hand_below(hand *h, uint32_t n) { return (uint32_t)lbp_mulhi(lbp_rng_u64(&h->rng), n); }
static const lbp_graph *graph_of(const hand *h) { return &((const lbp_qubo *)h->t->model)->graph; }

/* ---- states ------------------------------------------------------------------------------------------------------ */

static void tree_set(hand *h, uint32_t i) {
  uint32_t k = h->leaves + i;
  if (!h->tree) return;
  h->tree[k] = h->x[i] ? 0 : exp(h->odds[i]);
  for (k /= 2; k > 0; k /= 2) h->tree[k] = h->tree[2 * k] + h->tree[2 * k + 1];
}

static uint32_t tree_draw(hand *h) {
  double u = hand_u01(h) * h->tree[1];
  uint32_t k = 1;
  while (k < h->leaves) {
    k *= 2;
    if (u >= h->tree[k] && h->tree[k + 1] > 0) u -= h->tree[k++];
  }
  return k - h->leaves;
}

static void hand_flip(hand *h, uint32_t i) {
  const lbp_graph *g = graph_of(h);
  const double sign = h->x[i] ? -1 : 1;
  h->x[i] ^= 1;
  tree_set(h, i);
  for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
    h->odds[g->link[k].site] += sign * (double)g->link[k].gain;
    tree_set(h, g->link[k].site);
  }
}

static void hand_make(hand *h, const target *t, uint64_t seed, uint32_t stream, int step_draws_zeros) {
  memset(h, 0, sizeof *h);
  h->t = t;
  lbp_rng_init(&h->rng, seed, stream);
  if (is_matching(t)) {
    h->s = (uint32_t *)basic_alloc(t->n, sizeof *h->s);
    for (uint32_t a = 0; a < t->n; a++) h->s[a] = a;
    set_start(t, h->s, &h->rng);
    return;
  }
  h->x = (uint8_t *)basic_alloc(t->n, 1);
  if (t->make == make_selection || t->make == make_hard_core) return;
  const lbp_qubo *m = (const lbp_qubo *)t->model;
  h->odds = (double *)basic_alloc(t->n, sizeof *h->odds);
  h->list = (uint32_t *)basic_alloc(t->n, sizeof *h->list);
  h->place = (uint32_t *)basic_alloc(t->n, sizeof *h->place);
  for (uint32_t i = 0; i < t->n; i++) h->odds[i] = (double)m->graph.bias[i];
  uint8_t *start = (uint8_t *)basic_alloc(t->n, 1);
  set_start(t, start, &h->rng);
  for (uint32_t i = 0; i < t->n; i++) {
    if (start[i]) hand_flip(h, i);
  }
  free(start);
  for (int v = 1; v >= 0; v--) {
    for (uint32_t i = 0, k = v ? 0 : h->ones; i < t->n; i++) {
      if (h->x[i] != v) continue;
      h->list[h->place[i] = k++] = i;
      h->ones += (uint32_t)v;
    }
  }
  h->edge = (uint32_t *)basic_alloc(2 * (size_t)m->terms.count, sizeof *h->edge);
  for (uint32_t k = 0; k < m->terms.count; k++) {
    const uint32_t *end = m->terms.ends + 2 * k;
    if (end[0] != end[1]) memcpy(h->edge + 2 * h->edges++, end, 2 * sizeof *end);
  }
  if (!step_draws_zeros) return;
  for (h->leaves = 1; h->leaves < t->n;) h->leaves *= 2;
  h->tree = (double *)basic_alloc(2 * (size_t)h->leaves, sizeof *h->tree);
  for (uint32_t i = 0; i < t->n; i++) tree_set(h, i);
}

static void hand_free(hand *h) {
  BENCH_FREE(h->x, h->s, h->odds, h->place, h->list, h->edge, h->tree);
}

/* A one and a zero change places in the list. */
static void trade_places(hand *h, uint32_t one, uint32_t zero) {
  const uint32_t a = h->place[one], b = h->place[zero];
  h->list[h->place[zero] = a] = zero;
  h->list[h->place[one] = b] = one;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Exchanges the pairs by flips, with log-ratios on the way; flips them back if that is refused. */
static hand_info try_swaps(hand *h, const uint32_t *site, uint32_t count) {
  hand_info info = {.count = 0};
  double log_ratio = 0;
  for (uint32_t k = 0; k < count; k++) {
    log_ratio += h->x[site[k]] ? -h->odds[site[k]] : h->odds[site[k]];
    hand_flip(h, site[k]);
  }
  info.accept = log_ratio < 0 ? exp(log_ratio) : 1;
  if (hand_u01(h) < info.accept) {
    memcpy(info.changed, site, count * sizeof *site);
    info.count = count;
    return info;
  }
  for (uint32_t k = 0; k < count; k++) hand_flip(h, site[k]);
  return info;
}

/* A uniform one and a uniform zero; log-ratios without flips, as they are cheapest: the coupling of the pair, if there
 * is one, is in both log-odds. */
static hand_info plain_kawasaki(hand *h) {
  const uint32_t one = h->list[hand_below(h, h->ones)], zero = h->list[h->ones + hand_below(h, h->t->n - h->ones)];
  const lbp_graph *g = graph_of(h);
  hand_info info = {.changed = {one, zero}};
  double log_ratio = h->odds[zero] - h->odds[one];
  for (uint32_t k = g->start[one]; k < g->start[one + 1]; k++) {
    if (g->link[k].site == zero) log_ratio -= (double)g->link[k].gain;
  }
  info.accept = log_ratio < 0 ? exp(log_ratio) : 1;
  if (info.accept < 1 && !(hand_u01(h) < info.accept)) return info;
  hand_flip(h, one);
  hand_flip(h, zero);
  trade_places(h, one, zero);
  info.count = 2;
  return info;
}

/* Two different ones and two different zeros. */
static hand_info two_uniform_swaps(hand *h) {
  const uint32_t zeros = h->t->n - h->ones;
  uint32_t site[4], a = hand_below(h, h->ones), b = hand_below(h, h->ones - 1);
  site[0] = h->list[a], site[1] = h->list[b + (b >= a)];
  a = hand_below(h, zeros), b = hand_below(h, zeros - 1);
  site[2] = h->list[h->ones + a], site[3] = h->list[h->ones + b + (b >= a)];
  const hand_info info = try_swaps(h, site, 4);
  for (int k = 0; info.count > 0 && k < 2; k++) trade_places(h, site[k], site[2 + k]);
  return info;
}

/* A uniform edge, whose ends exchange their values. */
static hand_info kawasaki_edge(hand *h) {
  const uint32_t *end = h->edge + 2 * hand_below(h, h->edges);
  return h->x[end[0]] == h->x[end[1]] ? (hand_info){.accept = 0} : try_swaps(h, end, 2);
}

/* A uniform one is removed; a zero, maybe the same site, is added in proportion to pi. */
static hand_info down_up(hand *h) {
  const uint32_t one = h->list[hand_below(h, h->ones)];
  hand_flip(h, one);
  const uint32_t zero = tree_draw(h);
  hand_flip(h, zero);
  if (zero == one) return (hand_info){.accept = 1};
  trade_places(h, one, zero);
  return (hand_info){.accept = 1, .changed = {one, zero}, .count = 2};
}

/* One of all ones by its weight, then a zero of its group by its weight: sqrt(t), independent sites. */
static hand_info ones_first(hand *h) {
  const uint32_t n = h->t->n, size = h->t->group;
  double ones = 0, zeros = 0, u;
  uint32_t one = 0, zero;
  for (uint32_t i = 0; i < n; i++) ones += h->x[i] ? exp(-h->odds[i] / 2) : 0;
  u = hand_u01(h) * ones;
  for (uint32_t i = 0; i < n && u >= 0; i++) {
    if (!h->x[i]) continue;
    u -= exp(-h->odds[i] / 2);
    one = i;
  }
  const uint32_t first = one / size * size;
  for (uint32_t i = first; i < first + size; i++) zeros += h->x[i] ? 0 : exp(h->odds[i] / 2);
  u = hand_u01(h) * zeros;
  zero = one;
  for (uint32_t i = first; i < first + size && u >= 0; i++) {
    if (h->x[i]) continue;
    u -= exp(h->odds[i] / 2);
    zero = i;
  }
  /* pi(y) / pi(x) and the weights of sites cancel */
  const double in = exp(-h->odds[one] / 2), out = exp(-h->odds[zero] / 2);
  const double back = (ones - in + out) * (zeros - 1 / out + 1 / in);
  hand_info info = {.accept = fmin(1, ones * zeros / back), .changed = {one, zero}};
  if (!(hand_u01(h) < info.accept)) return info;
  hand_flip(h, one);
  hand_flip(h, zero);
  info.count = 2;
  return info;
}

/* Exchanges of uniform rows, no row twice. */
static hand_info uniform_exchanges(hand *h, int count) {
  const matching *m = (const matching *)h->t->model;
  hand_info info = {.count = 0};
  uint32_t row[4], rows = 0;
  double log_ratio = 0;
  while (rows < (uint32_t)(2 * count)) {
    int fresh = 1;
    row[rows] = hand_below(h, h->t->n);
    for (uint32_t k = 0; k < rows; k++) fresh &= row[k] != row[rows];
    rows += (uint32_t)fresh;
  }
  for (uint32_t k = 0; k < rows; k += 2) log_ratio += matching_exchange(m, h->s, row[k], row[k + 1]);
  info.accept = log_ratio < 0 ? exp(log_ratio) : 1;
  if (!(hand_u01(h) < info.accept)) return info;
  for (uint32_t k = 0; k < rows; k += 2) {
    const uint32_t was = h->s[row[k]];
    h->s[row[k]] = h->s[row[k + 1]];
    h->s[row[k + 1]] = was;
  }
  memcpy(info.changed, row, rows * sizeof *row);
  info.count = rows;
  return info;
}

static hand_info one_exchange(hand *h) { return uniform_exchanges(h, 1); }
static hand_info two_exchanges(hand *h) { return uniform_exchanges(h, 2); }

#endif
