/* lbp/options/clusters.h - cluster moves of Swendsen and Wang, and of Wolff: LBP_CLUSTERS.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_CLUSTERS is
 * defined; lbp_run.h does so by itself for models that have pairs. You need it for ferromagnets near their critical
 * point, Potts models, and other models whose sites agree over long distances, and don't include it yourself.
 *
 * LBP_CLUSTERS: if defined, a local model with pairs (LBP_TERM, LBP_PAIRS or LBP_CAT_PAIRS, see lbp/options/pairs.h)
 * has
 *
 *   ising_info ising_swendsen_wang_step (ising_chain *, const grid *, lbp_rng *)   all clusters
 *   ising_info ising_wolff_step         (ising_chain *, const grid *, lbp_rng *)   the cluster of a random site
 *
 * Both are exact for couplings of either sign, fields, tables of pairs of any kind, terms of three and more sites, hard
 * constraints, sites that differ in their number of values, clamped sites, at any temperature and with LBP_BASE. If log
 * pi has more than couplings, the rest decides whether a cluster flips. So wrong couplings make clusters stay, but do
 * not change the law. One condition must hold: a coupling is the same from both of its sites. LBP_FIELD and
 * LBP_CAT_FIELD promise that there is no rest; with them, pairs and fields must be right, too. NAME_check checks all of
 * this.
 *
 * How it works. Sites of two values have spins s. With log pi(x) = sum of J_ij s_i s_j + rest(x), a pair with J_ij s_i
 * s_j > 0 gets a bond with probability 1 - exp(-2 |J_ij|); bonds connect sites to clusters. Given all bonds, x has
 * the law exp(rest(x)) over the flips of whole clusters. Swendsen and Wang's step makes all bonds and then takes each
 * cluster in turn: it flips with probability 1 / (1 + exp(-d)), d = rest(x with it flipped) - rest(x). Wolff's step
 * grows the cluster of one random site, and flips it with probability min(1, exp(d)). Without fields d = 0.
 *
 * Sites of more values move between two values a and b at a time. The sites that have a or b are spins, with J_ij a
 * quarter of a(a, a) + a(b, b) - a(a, b) - a(b, a); everything else in their tables is part of the rest. Swendsen and
 * Wang's step puts all values into pairs at random, and moves each site within its pair; if their number is odd, one
 * value stays. A Potts model, which gives equal neighbours J_ij >= 0 and has no rest, is an exception: each cluster
 * draws any of all values (up to 32) by its heat bath, as usual. Wolff's step draws another value for the site that it
 * begins with. In a model without a rest, two values that may not meet, or may not part, make a certain bond: for
 * colourings, the clusters are Kempe chains.
 *
 * If there is a rest, d is the sum of the log-ratios of a cluster's flips, one after another in a random order. If one
 * of them is impossible, the cluster stays, even if the state at the end would be possible.
 *
 * If some states are impossible, cluster steps alone may not reach all others: alternate with other steps.
 *
 * Choose Swendsen and Wang's step if there are fields: small clusters flip next to large ones that do not. Neither step
 * helps if fields are strong or couplings are frustrated: docs/choosing.md has figures.
 *
 * Sources: Swendsen, Wang, Phys. Rev. Lett. 58, 1987; Wolff, Phys. Rev. Lett. 62, 1989; Edwards, Sokal, Phys. Rev. D
 * 38, 1988. Of two values at a time: Wang, Swendsen, Kotecky, Phys. Rev. Lett. 63, 1989.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/clusters.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* The value of weights_ready while weight[] has a mark for each site, a byte: all free sites have LBP_(mark_free). */
enum { LBP_(has_marks) = 32, LBP_(mark_free) = 0, LBP_(mark_taken) = 1, LBP_(mark_clamped) = 2 };

/* Values of c->clusters, the form of the law: not known yet; pairs alone, pairs and fields; of more than two values,
 * the same where pairs are those of a Potts model; or more than these. */
enum { LBP_(law_unknown), LBP_(law_of_pairs), LBP_(law_of_fields), LBP_(law_of_labels), LBP_(law_with_rest) };

/* A cluster that grows. */
typedef struct {
  uint32_t end;   /* touched[.. end) are its sites */
  int32_t beyond; /* impossible values of pairs and fields that flips lead to, less those that they lead from */
  double beta;    /* the chain's temperature */
  double pairs;   /* log pi's gain by couplings where its sites flip ... */
  double rest;    /* ... and by all else, if the law is known by pairs and fields */
  lbp_bond bond;  /* of the coupling that was met last */
} LBP_(cluster);

LBP_INLINE uint8_t *LBP_(marks)(LBP_CHAIN_T *c) { return (uint8_t *)(void *)c->weight; }

/* ---- the form of the law ----------------------------------------------------------------------------------------- */

#ifdef LBP_CAT_STATES
/* Up to so many values are looked at whether they are those of a Potts model: of each pair the square of that. */
enum { LBP_(most_labels) = 32 };

/* Whether the k-th pair of site i is that of a Potts model, J where values are equal, and J >= 0. */
LBP_FN int LBP_(is_potts_pair)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t k) {
  const LBP_REAL equal = LBP_NAME_(pair_at)(c, m, i, k, 0, 0), other = LBP_NAME_(pair_at)(c, m, i, k, 0, 1);
  uint32_t v, w;
  if (!LBP_(is_finite)(equal) || !LBP_(is_finite)(other) || !(equal >= other)) return 0;
  for (v = 0; v < LBP_P_VALUES; v++) {
    for (w = 0; w < LBP_P_VALUES; w++) {
      if (LBP_NAME_(pair_at)(c, m, i, k, v, w) != (v == w ? equal : other)) return 0;
    }
  }
  return 1;
}

/* Whether all are, of sites with the same values. */
LBP_CALLED int LBP_(is_potts)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], i, k;
  if (LBP_P_VALUES < 3 || LBP_P_VALUES > LBP_(most_labels)) return 0;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    const uint32_t count = LBP_NAME_(pairs_of)(c, m, i, site);
    if (LBP_(states_of)(m, i) < LBP_P_VALUES) return 0;
    for (k = 0; k < count; k++) { /* no table is read beyond its values */
      if (LBP_(states_of)(m, site[k]) < LBP_P_VALUES || !LBP_(is_potts_pair)(c, m, i, k)) return 0;
    }
  }
  return 1;
}
#endif

LBP_FN int LBP_(judge_law)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  if (!LBP_NAME_(is_pairwise)(c, m)) return LBP_(law_with_rest);
  LBP_P_CAT(if (LBP_(is_potts)(c, m)) return LBP_(law_of_labels);)
#if !defined LBP_CAT_STATES && !defined LBP_BASE
  {
    uint32_t i = 0;
    LBP_P_CLAMP(if (c->mask) return LBP_(law_of_fields);)
    while (i < LBP_P_COUNT(c) && LBP_NAME_(field_of)(c, m, i) == 0) i++;
    if (i == LBP_P_COUNT(c)) return LBP_(law_of_pairs);
  }
#endif
  return LBP_(law_of_fields);
}

/* Prepares fields, the form of the law, and marks, all of them free if `all`. */
LBP_CALLED void LBP_(begin_clusters)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int all) {
  LBP_(prepare_fields)(c, m);
  if (c->clusters == LBP_(law_unknown)) c->clusters = LBP_(judge_law)(c, m);
  if (!all && c->weights_ready == LBP_(has_marks)) return;
  memset(LBP_(marks)(c), LBP_(mark_free), LBP_P_COUNT(c));
#ifdef LBP_CLAMPED
  {
    uint32_t i;
    for (i = 0; c->mask && i < LBP_P_COUNT(c); i++) {
      if (c->mask[i]) LBP_(marks)(c)[i] = LBP_(mark_clamped);
    }
  }
#endif
  c->weights_ready = LBP_(has_marks);
}

LBP_INLINE LBP_(cluster) LBP_(new_cluster)(const LBP_CHAIN_T *c) {
  LBP_(cluster) g;
  memset(&g, 0, sizeof g);
  g.beta = 1;
  LBP_P_TEMPER(g.beta = (double)c->beta;)
  return (void)c, g;
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

/* A coupling or field of site i, or a sum of them: if it is NaN, clusters stay for ever. */
LBP_INLINE void LBP_(watch)(LBP_CHAIN_T *c, uint32_t i, LBP_REAL v) {
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(v))) LBP_(note_nan)(c, i);)
  (void)c, (void)i, (void)v;
}

/* Site j, which is free and agrees with a site of the cluster by a coupling of strength t >= 0, joins if that makes a
 * bond, unless it is in already: a list may name it twice. Written always, kept where it joins: that is as
 * unpredictable as the draw, so there is no branch. */
LBP_INLINE void LBP_(try_bond)(uint8_t *mark, uint32_t *touched, uint32_t j, double t, LBP_(cluster) *g,
                               LBP_RNG_T *rng) {
  const uint32_t joins = (uint32_t)lbp_bond_trial(&g->bond, t, LBP_(word)(rng)) & ~(uint32_t)mark[j];
  mark[j] = (uint8_t)(mark[j] | joins);
  touched[g->end] = j;
  g->end += joins;
}

#ifndef LBP_CAT_STATES
/* The flip of site i: log pi's gain by its pairs, and which of its neighbours join. */
LBP_INLINE void LBP_(look_around)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_(cluster) *g,
                                  LBP_RNG_T *rng) {
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], k;
  const LBP_REAL sign[2] = {1, -1}; /* by whether two sites differ: no branch */
  LBP_REAL J[LBP_MAX_NEIGHBOURS + LBP_BLOCK], sum = 0, size = 0;
  const uint32_t count = LBP_NAME_(pairs_of)(c, m, i, site, J), own = c->x[i];
  uint32_t tries = 0;
  uint8_t *const mark = LBP_(marks)(c);
  const uint8_t *const x = c->x;
  uint32_t *const touched = c->touched;
  for (k = 0; k < count; k++) {
    const uint32_t j = site[k];
    const uint32_t apart = own ^ x[j];
    LBP_REAL t = J[k];
    size += LBP_(abs)(t);
    LBP_P_TEMPER(t = LBP_(rounded)(t * (LBP_REAL)g->beta);)
#ifdef LBP_CLAMPED
    if (LBP_SELDOM(mark[j] == LBP_(mark_clamped))) {
      g->rest -= 2 * (double)(t * sign[apart]);
      continue;
    }
#endif
    sum += t * sign[apart];
    site[tries] = j; /* those that may join come first: no branch here either */
    J[tries] = LBP_(abs)(t);
    tries += (apart ^ (uint32_t)(t >= 0)) > mark[j];
  }
  for (k = 0; k < tries; k++) LBP_(try_bond)(mark, touched, site[k], (double)J[k], g, rng);
  g->pairs -= 2 * (double)sum;
  LBP_(watch)(c, i, size);
}

/* The same by its field. */
LBP_INLINE void LBP_(look_at_field)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_(cluster) *g) {
  const double h = 2 * (double)LBP_NAME_(field_of)(c, m, i);
  LBP_(watch)(c, i, (LBP_REAL)h);
  g->rest += lbp_rounded(g->beta * (c->x[i] ? -h : h));
  LBP_P_TEMPER(g->rest += lbp_rounded((1 - g->beta) * (double)LBP_(base_delta)(c, m, i));)
}

/* Whether site i can move; binary ones are always given the value that they do not have. */
LBP_INLINE int LBP_(is_spin)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  return (void)m, LBP_(marks)(c)[i] == LBP_(mark_free);
}
#else
/* A part of log pi of site i, a coupling or a field, goes from `now` to `then`; impossible ones are counted. */
LBP_INLINE void LBP_(change_part)(LBP_CHAIN_T *c, uint32_t i, LBP_REAL now, LBP_REAL then, LBP_(cluster) *g) {
  const int leaves = lbp_is_impossible((float)now), enters = lbp_is_impossible((float)then);
  LBP_(watch)(c, i, now + then);
  g->beyond += enters - leaves;
  g->rest += lbp_rounded(g->beta * ((enters ? 0 : (double)then) - (leaves ? 0 : (double)now)));
}

/* A pair's table between two values of site i, a that it has and b, and the same two of site j, which has w. */
LBP_INLINE void LBP_(look_at_table)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t k, uint32_t j,
                                    LBP_(cluster) *g, LBP_RNG_T *rng) {
  const uint32_t a = c->x[i], b = c->other[i], w = c->x[j], v = w == a ? b : a; /* v: the one that j has not */
  const LBP_REAL now = LBP_NAME_(pair_at)(c, m, i, k, a, w), flipped = LBP_NAME_(pair_at)(c, m, i, k, b, w);
  const LBP_REAL both = LBP_NAME_(pair_at)(c, m, i, k, b, v), other = LBP_NAME_(pair_at)(c, m, i, k, a, v);
  const int open = !lbp_is_impossible((float)now) && !lbp_is_impossible((float)both);
  const int shut = lbp_is_impossible((float)flipped) && lbp_is_impossible((float)other);
  uint8_t *const mark = LBP_(marks)(c);
  double t;
  LBP_(watch)(c, i, now + flipped + both + other);
  if (open && shut) { /* the two can only flip together: their coupling counts as 0, and drops out */
    g->rest -= lbp_rounded(g->beta * (double)now);
    if (mark[j] == LBP_(mark_free)) LBP_(try_bond)(mark, c->touched, j, lbp_infinity(), g, rng);
    return;
  }
  if (lbp_is_impossible((float)now) && lbp_is_impossible((float)both) && !lbp_is_impossible((float)flipped) &&
      !lbp_is_impossible((float)other)) { /* the same, seen from one of them that comes second */
    g->rest += lbp_rounded(g->beta * (double)flipped);
    return;
  }
  LBP_(change_part)(c, i, now, flipped, g);
  if (!open || lbp_is_impossible((float)flipped) || lbp_is_impossible((float)other)) return;
  t = lbp_rounded(0.25 * g->beta * ((double)now + (double)both - (double)flipped - (double)other));
  g->pairs -= 2 * t;
  g->rest += 2 * t;
  if (t > 0 && mark[j] == LBP_(mark_free)) LBP_(try_bond)(mark, c->touched, j, t, g, rng);
}

/* Taking site i to other[i]: log pi's gain by its pairs, and which of its neighbours join. */
LBP_INLINE void LBP_(look_around)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_(cluster) *g,
                                  LBP_RNG_T *rng) {
  const uint32_t a = c->x[i], b = c->other[i], most = a > b ? a : b;
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], k;
  const uint32_t count = LBP_NAME_(pairs_of)(c, m, i, site);
  for (k = 0; k < count; k++) {
    const uint32_t j = site[k], w = c->x[j];
    int spin = (w == a || w == b) && LBP_(states_of)(m, j) > most;
    LBP_P_CLAMP(spin &= LBP_(marks)(c)[j] != LBP_(mark_clamped);)
    if (spin) {
      if (LBP_(marks)(c)[j] == LBP_(mark_free)) c->other[j] = (uint8_t)(w == a ? b : a);
      LBP_(look_at_table)(c, m, i, k, j, g, rng);
    } else {
      LBP_(change_part)(c, i, LBP_NAME_(pair_at)(c, m, i, k, a, w), LBP_NAME_(pair_at)(c, m, i, k, b, w), g);
    }
  }
}

/* The gain by its field. */
LBP_INLINE void LBP_(look_at_field)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_(cluster) *g) {
  LBP_REAL h[LBP_P_VALUES];
  LBP_NAME_(field_of)(c, m, i, h);
  LBP_(change_part)(c, i, h[c->x[i]], h[c->other[i]], g);
  LBP_P_TEMPER(g->rest += lbp_rounded((1 - g->beta) * (double)LBP_(base_delta)(c, m, i));)
}

/* Whether site i can move to other[i]. */
LBP_INLINE int LBP_(is_spin)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  return LBP_(marks)(c)[i] == LBP_(mark_free) && c->other[i] != c->x[i] && LBP_(states_of)(m, i) > c->other[i];
}
#endif

/* The cluster of site i, which becomes touched[first .. g->end). All of its sites flip in x, and nothing else: fields
 * stay as they were. A pair is asked for a bond once, since the site that is looked at first is marked by then. */
LBP_INLINE void LBP_(grow)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t first, LBP_(cluster) *g,
                           LBP_RNG_T *rng, int law) {
  uint32_t done;
  g->beyond = 0;
  g->pairs = g->rest = 0;
  g->end = first;
  LBP_(marks)(c)[i] = LBP_(mark_taken);
  c->touched[g->end++] = i;
  for (done = first; done < g->end; done++) {
    const uint32_t here = c->touched[done];
    LBP_(look_around)(c, m, here, g, rng);
    if (law == LBP_(law_of_fields)) LBP_(look_at_field)(c, m, here, g);
    LBP_(turn)(c, here);
  }
}

/* ---- flipping ---------------------------------------------------------------------------------------------------- */

LBP_FN void LBP_(turn_back)(LBP_CHAIN_T *c, uint32_t first, uint32_t end) {
  for (; first < end; first++) LBP_(turn)(c, c->touched[first]);
}

/* Flips touched[first .. end) one after another in a random order, so that the way back is as likely as the way there.
 * Returns log pi's gain; -infinity, or NaN, where a flip is impossible, and then flips all back. */
LBP_CALLED double LBP_(flip_cluster)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t first, uint32_t end,
                                     LBP_RNG_T *rng) {
  double sum = 0;
  uint32_t k;
  for (k = first; k < end; k++) {
    const uint32_t other = k + (uint32_t)lbp_mulhi(LBP_(word)(rng), end - k), i = c->touched[other];
    LBP_REAL d;
    c->touched[other] = c->touched[k];
    c->touched[k] = i;
    d = LBP_(delta)(c, m, i);
    LBP_P_WATCH(if (LBP_(is_nan)(d)) LBP_(meet_nan)(c, m, i);)
    sum += (double)d;
    if (lbp_is_impossible((float)d)) break;
    LBP_(flip_site)(c, m, i);
  }
  if (k == end) return sum;
  if (end - first > 1) c->y.log_pi = (LBP_REAL)lbp_impossible(); /* so that runs count it */
  while (k-- > first) LBP_(flip_site)(c, m, c->touched[k]);
  return (double)lbp_impossible();
}

/* Log pi's gain, without couplings, if the cluster flips: -infinity if it can't. Where the law has a rest the
 * cluster is flipped with its fields, or is not flipped at all; else it is in x alone. */
LBP_INLINE double LBP_(rest_of)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t first, LBP_(cluster) *g, LBP_RNG_T *rng,
                                int law) {
  double gain;
  if (law == LBP_(law_of_pairs)) return 0;
  if (law == LBP_(law_of_fields)) {
    return g->beyond > 0 ? (double)lbp_impossible() : g->beyond < 0 ? lbp_infinity() : g->rest;
  }
  LBP_(turn_back)(c, first, g->end);
  gain = LBP_(flip_cluster)(c, m, first, g->end, rng);
  g->rest = gain - g->pairs;
  return g->rest;
}

/* The cluster stays. */
LBP_INLINE void LBP_(keep_cluster)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t first, LBP_(cluster) *g, double rest,
                                   int law) {
  uint32_t k;
  if (law != LBP_(law_with_rest)) LBP_(turn_back)(c, first, g->end);
  else if (!lbp_is_impossible((float)rest)) {
    for (k = g->end; k-- > first;) LBP_(flip_site)(c, m, c->touched[k]);
  }
}

/* touched[0 .. jump) are flipped in x: brings fields up to date, by each flip or, of many, from scratch. */
LBP_CALLED void LBP_(settle_clusters)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t jump, int law) {
#ifdef LBP_FIELDS_T
  uint32_t k;
  if (law == LBP_(law_with_rest)) return;
  if (jump > LBP_P_COUNT(c) / 4) {
    c->fields_ready = 0;
    LBP_(prepare_fields)(c, m);
    return;
  }
  LBP_(turn_back)(c, 0, jump);
  for (k = 0; k < jump; k++) LBP_(flip_site)(c, m, c->touched[k]);
#endif
  (void)c, (void)m, (void)jump, (void)law;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

#ifdef LBP_CAT_STATES
/* other[i] for all sites: values in pairs at random; of an odd number one is alone. */
LBP_CALLED void LBP_(pair_values)(LBP_CHAIN_T *c, LBP_RNG_T *rng) {
  uint8_t order[LBP_P_VALUES], mate[LBP_P_VALUES];
  uint32_t v, i;
  for (v = 0; v < LBP_P_VALUES; v++) mate[v] = order[v] = (uint8_t)v;
  for (v = 0; v + 1 < LBP_P_VALUES && LBP_P_VALUES > 2; v++) {
    const uint32_t w = v + (uint32_t)lbp_mulhi(LBP_(word)(rng), LBP_P_VALUES - v);
    const uint8_t there = order[w];
    order[w] = order[v];
    order[v] = there;
  }
  for (v = 0; v + 1 < LBP_P_VALUES; v += 2) mate[order[v]] = order[v + 1], mate[order[v + 1]] = order[v];
  for (i = 0; i < LBP_P_COUNT(c); i++) c->other[i] = mate[c->x[i]];
}

/* A cluster of equal values in a Potts model. */
typedef struct {
  uint32_t first, end;                      /* touched[first .. end) are its sites */
  double bound[LBP_P_VALUES + 1];           /* by value, couplings with other free sites; LBP_P_VALUES: within it */
  double weight[LBP_P_VALUES];              /* of each value, from fields and clamped sites */
} LBP_(labelled);

/* Site i, which has the cluster's value, has been reached: its couplings, its field, and which of its neighbours join.
 * It has no value until the cluster gets one, so that couplings within the cluster are known. */
LBP_INLINE void LBP_(reach)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_(labelled) *a, LBP_(cluster) *g,
                            LBP_RNG_T *rng) {
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], k;
  const uint32_t count = LBP_NAME_(pairs_of)(c, m, i, site), own = c->x[i];
  uint8_t *const mark = LBP_(marks)(c);
  LBP_REAL h[LBP_P_VALUES];
  for (k = 0; k < count; k++) {
    const uint32_t j = site[k], v = c->x[j];
    const double t = g->beta * ((double)LBP_NAME_(pair_at)(c, m, i, k, 0, 0) -
                                (double)LBP_NAME_(pair_at)(c, m, i, k, 0, 1));
    if (LBP_SELDOM(mark[j] == LBP_(mark_clamped))) {
      a->weight[v] += t;
      continue;
    }
    a->bound[v] += t;
    if (v == own && mark[j] == LBP_(mark_free) && t > 0) LBP_(try_bond)(mark, c->touched, j, t / 2, g, rng);
  }
  c->x[i] = LBP_P_VALUES;
  LBP_NAME_(field_of)(c, m, i, h);
  for (k = 0; k < LBP_P_VALUES; k++) {
    double weight = (double)h[k];
    LBP_(watch)(c, i, h[k]);
    LBP_P_TEMPER(if (!lbp_is_impossible((float)h[k])) weight *= g->beta;)
#ifdef LBP_BASE
    weight += (1 - g->beta) * (double)LBP_(call_base)(m, i, k);
#endif
    a->weight[k] += weight;
  }
}

/* A value by its weights; `own` where all are impossible. */
LBP_INLINE uint32_t LBP_(draw_label)(const LBP_(labelled) *a, uint32_t own, LBP_RNG_T *rng) {
  double share[LBP_P_VALUES], most = a->weight[0], sum = 0, u;
  uint32_t v;
  for (v = 1; v < LBP_P_VALUES; v++) most = a->weight[v] > most ? a->weight[v] : most;
  for (v = 0; v < LBP_P_VALUES; v++) {
    share[v] = a->weight[v] - most > -700 ? lbp_exp(a->weight[v] - most) : 0;
    sum += share[v];
  }
  u = lbp_u01(LBP_(word)(rng)) * sum;
  if (!(sum > 0)) return own;
  for (v = 0; v + 1 < LBP_P_VALUES && u >= share[v]; v++) u -= share[v];
  while (!(share[v] > 0)) v--; /* if rounding has led behind the last that is possible */
  return v;
}

/* A step of Swendsen and Wang where pairs are those of a Potts model: each cluster gets any of all values, by its heat
 * bath. */
LBP_INLINE void LBP_(label)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng, LBP_INFO_T *info) {
  LBP_(cluster) g = LBP_(new_cluster)(c);
  uint32_t i, k, looks = 0;
  double gain = 0;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    const uint32_t own = c->x[i];
    LBP_(labelled) a;
    uint32_t v;
    if (LBP_(marks)(c)[i] != LBP_(mark_free)) continue;
    memset(&a, 0, sizeof a);
    a.first = g.end;
    LBP_(marks)(c)[i] = LBP_(mark_taken);
    c->touched[g.end++] = i;
    for (k = a.first; k < g.end; k++) LBP_(reach)(c, m, c->touched[k], &a, &g, rng);
    looks += g.end - a.first;
    v = LBP_(draw_label)(&a, own, rng);
    for (k = a.first; k < g.end; k++) c->x[c->touched[k]] = (uint8_t)v, c->other[c->touched[k]] = (uint8_t)own;
    if (v == own) {
      g.end = a.first;
      continue;
    }
    gain += a.weight[v] - a.weight[own] + a.bound[v] - (a.bound[own] - a.bound[LBP_P_VALUES]);
  }
  info->accept = 1;
  info->accepted = 1;
  info->proposed = info->jump = g.end;
  info->evaluations = looks;
  info->log_ratio = (LBP_REAL)gain;
}
#endif

/* The same for each law, so that loops know it. */
LBP_INLINE void LBP_(swendsen_wang)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng, LBP_INFO_T *info, int law) {
  LBP_(cluster) g = LBP_(new_cluster)(c);
  double gain = 0;
  uint32_t i, jump = 0, looks = 0;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    double rest;
    if (!LBP_(is_spin)(c, m, i)) continue;
    LBP_(grow)(c, m, i, jump, &g, rng, law);
    looks += g.end - jump;
    rest = LBP_(rest_of)(c, m, jump, &g, rng, law);
    if (lbp_bernoulli_trial(LBP_(word)(rng), law == LBP_(law_of_pairs) ? 0.5 : lbp_heat_bath(rest))) {
      gain += g.pairs + rest;
      jump = g.end;
    } else {
      LBP_(keep_cluster)(c, m, jump, &g, rest, law);
    }
  }
  info->accept = 1;
  info->accepted = 1;
  info->proposed = info->jump = jump;
  info->evaluations = looks;
  info->log_ratio = (LBP_REAL)gain;
}

LBP_INLINE void LBP_(wolff)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_RNG_T *rng, LBP_INFO_T *info,
                            int law) {
  LBP_(cluster) g = LBP_(new_cluster)(c);
  uint8_t *const mark = LBP_(marks)(c);
  const uint32_t *const touched = c->touched;
  double rest, accept;
  uint32_t k;
  LBP_(grow)(c, m, i, 0, &g, rng, law);
  rest = LBP_(rest_of)(c, m, 0, &g, rng, law);
  accept = rest >= 0 ? 1 : rest > -700 ? lbp_exp(rest) : 0; /* of NaN, too */
  for (k = 0; k < g.end; k++) mark[touched[k]] = LBP_(mark_free);
  info->accept = (LBP_REAL)accept;
  info->accepted = accept >= 1 || lbp_bernoulli_trial(LBP_(word)(rng), accept);
  info->proposed = info->evaluations = g.end;
  info->jump = info->accepted ? g.end : 0;
  info->log_ratio = info->accepted ? (LBP_REAL)(g.pairs + rest) : 0;
  if (!info->accepted) LBP_(keep_cluster)(c, m, 0, &g, rest, law);
}

/* The end of all such steps. */
LBP_INLINE LBP_INFO_T LBP_(end_clusters)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_INFO_T info) {
  LBP_(settle_clusters)(c, m, info.jump, c->clusters);
  info.sites = c->touched;
  return info;
}

/* A step of Swendsen and Wang: all bonds, and then each cluster flips or stays, by its heat bath. Costs one look at
 * each site and its pairs, which info.evaluations counts, and where the law has a rest a log-ratio more. info.accept is
 * 1. After NAME_touch, and the first time, it asks for all fields. Does not keep the weights. */
LBP_CALLED LBP_INFO_T LBP_NAME_(swendsen_wang_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  LBP_INFO_T info;
  memset(&info, 0, sizeof info);
  LBP_(begin_clusters)(c, m, 1);
#ifdef LBP_CAT_STATES
  if (c->clusters == LBP_(law_of_labels) && LBP_(new_cluster)(c).beta >= 0) {
    LBP_(label)(c, m, rng, &info);
    c->weights_ready = 0;
    return LBP_(end_clusters)(c, m, info);
  }
  LBP_(pair_values)(c, rng);
#endif
  if (c->clusters == LBP_(law_of_pairs)) LBP_(swendsen_wang)(c, m, rng, &info, LBP_(law_of_pairs));
  else if (c->clusters == LBP_(law_with_rest)) LBP_(swendsen_wang)(c, m, rng, &info, LBP_(law_with_rest));
  else LBP_(swendsen_wang)(c, m, rng, &info, LBP_(law_of_fields));
  c->weights_ready = 0;
  return LBP_(end_clusters)(c, m, info);
}

/* A step of Wolff: the cluster of a site that is drawn uniformly flips, or stays. Costs one look at each of its sites,
 * of which a step may have one or all: compare samplers by info.evaluations, which counts them. info.proposed is their
 * number. Nothing happens where the site has one value, or all are clamped. After a step of another kind it looks at
 * all sites once. Does not keep the weights. */
LBP_CALLED LBP_INFO_T LBP_NAME_(wolff_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  LBP_INFO_T info;
  uint32_t i;
  memset(&info, 0, sizeof info);
  LBP_P_CLAMP(if (c->free == 0) return LBP_(end_clusters)(c, m, info);)
  LBP_(begin_clusters)(c, m, 0);
  do {
    i = (uint32_t)lbp_mulhi(LBP_(word)(rng), LBP_P_COUNT(c));
  } while (LBP_(marks)(c)[i] != LBP_(mark_free)); /* clamped */
#ifdef LBP_CAT_STATES
  {
    const uint32_t states = LBP_(states_of)(m, i), v = (uint32_t)lbp_mulhi(LBP_(word)(rng), states - 1);
    if (states < 2) return LBP_(end_clusters)(c, m, info);
    c->other[i] = (uint8_t)(v + (v >= c->x[i]));
  }
#endif
  if (c->clusters == LBP_(law_of_pairs)) LBP_(wolff)(c, m, i, rng, &info, LBP_(law_of_pairs));
  else if (c->clusters == LBP_(law_with_rest)) LBP_(wolff)(c, m, i, rng, &info, LBP_(law_with_rest));
  else LBP_(wolff)(c, m, i, rng, &info, LBP_(law_of_fields));
  return LBP_(end_clusters)(c, m, info);
}

#endif /* LBP_P_INSTANCE */
