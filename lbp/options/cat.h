/* lbp/options/cat.h - categorical sites, of up to 256 unordered values each: LBP_CAT_STATES.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_CAT_STATES is
 * defined. You need it for Potts models, sequences, clusterings and the like. Include lbp.h or lbp_run.h: they generate
 * step functions of the same names as for two values.
 *
 *   #define LBP_NAME           potts
 *   #define LBP_MODEL_T        grid
 *   #define LBP_CAT_STATES     3                 // values of a site: x[i] is 0, 1 or 2
 *   #define LBP_CAT_DELTAS_OF  grid_deltas_of    // log pi(x with x_i = v) - log pi(x), for all v
 *   #define LBP_NEIGHBOURS     grid_neighbours
 *   #define LBP_MAX_NEIGHBOURS 4
 *   #include "lbp.h"
 *
 * All parameters and functions of lbp.h keep their meaning, except for these.
 *
 * LBP_CAT_STATES: K, the number of values of a site, 1 to 256: a literal or a macro. If sites differ, the largest.
 *
 * LBP_CAT_STATES_OF(m, i): optional: the number of values of site i, K_i, 1 to K. A site of one value never moves.
 *
 * LBP_CAT_DELTAS_OF(m, x, i, out): writes out[v] = log pi(x with x_i = v) - log pi(x), exact, for all v < K_i; replaces
 * LBP_DELTA. out[v] is 0 for the present value v. Entries from K_i on are ignored. Required for local models; optional
 * for dense ones, where sweeps and the model check use it.
 *
 * LBP_CAT_DELTA(m, x, i, v) -> LBP_REAL: optional: returns out[v] alone. On its way from x to y, a step calls it once
 * for each site that it changes.
 *
 * LBP_CAT_POWERS_OF(m, x, i, out, power): optional, for local models without fields: writes out[] as LBP_CAT_DELTAS_OF
 * does, and float power[v] = C e^out[v] for all v < K_i, to within 1e-5 of their sum. You choose C > 0 for each site.
 * power[] has room for at least eight numbers, which are 0 at first; leave those from K_i on at 0. Gibbs sweeps at
 * beta = 1 draw by these powers; if they do not decide, or their sum is not between 1e-20 and 1e30, by log-ratios. The
 * draws are the same; a model that multiplies a few stored numbers saves the exponentials.
 *
 * LBP_DELTAS(m, x, out): all log-ratios of a dense model, n x K: out[i * K + v]. They are exact, or estimates from a
 * gradient over one-hot codes: out[i * K + v] = g[i * K + v] - g[i * K + x[i]].
 *
 * LBP_CAT_CHANGE(m, fields, x, i, old): with LBP_FIELDS_T; replaces LBP_FLIP: updates the fields after x[i] has changed
 * from `old`.
 *
 * LBP_CAT_BASE(m, i, v) -> LBP_REAL: optional, with LBP_TEMPERED; replaces LBP_BASE: the log-weight of x_i = v at
 * beta = 0, instead of equal ones.
 *
 * LBP_WEIGHT: the weight of a move that takes site i from a to v, by p, the law of x_i given all others:
 *
 *   LBP_HEAT_BATH     p_v                               the default; t / (1 + t) if there are two values
 *   LBP_METROPOLISED  p_v / max(1 - p_a, 1 - p_v)       min(1, t) if there are two
 *   LBP_BARKER        p_v / (p_a + p_v)                 t / (1 + t), pair by pair
 *   LBP_SQRT          sqrt(p_v / p_a)                   for sites that interact on a sparse graph
 *   LBP_CUSTOM        g(p_v / p_a), by LBP_LOG_WEIGHT
 *
 * Weights are whole numbers, and a site's weight is the sum over its moves: so the urn of lbp.h draws sites, and each
 * site drawn takes one value. A move exchanges x[i] and other[i], its new value: the rest of lbp.h, which knows flips,
 * needs no more. With (i, v_r) the moves of a step from x to y, a_r = W(x) and b_r = W(y) the
 * weights of their sites, and S the sum over the sites not drawn, LBP-R accepts with probability min(1, A),
 *
 *   A = pi(y) / pi(x) prod_r w_{x_r}(y) / w_{v_r}(x) prod_r (S(x) + sum_{s >= r} a_s) / (S(y) + sum_{s <= r} b_s).
 *
 * GWG-R draws sites with replacement, and then one value for each site drawn. RWM-R draws R of the sites that have more
 * than one value, and another value for each, uniformly. Besides the steps of lbp.h there are
 *
 *   potts_info potts_metropolis_sweep (potts_chain *, const grid *, lbp_rng *)             Gibbs, but never to x_i [L]
 *   potts_info potts_dlp_step  (potts_chain *, const grid *, potts_real sigma, lbp_rng *)  all sites at once [D]
 *   potts_info potts_adlp_step (potts_chain *, const grid *, lbp_scale_tuner *, lbp_rng *) sigma tunes itself
 *
 * Not available for categorical sites: clocks and skip sweeps, which are for two values and pay if hardly any site
 * moves; levels; flips that list what they change. A step uses about 7 kilobytes of stack (K = 4, doubles) to 33
 * (K = 256), because it weighs many sites together; under -Os it weighs them one by one, and uses 1 to 4.
 *
 * Parity: with a fixed R, sites of two possible values may keep a chain from half of the states, as in lbp.h. One site
 * of three cures that if R < n; so do a random R and a tuner.
 *
 * Order of this file: lots, the user's macros, rows of log-ratios, weights, proposals, sweeps, discrete Langevin, parts
 * of the check.
 *
 * Sources: [S] and [Z] of lbp.h; [L] Liu, "Metropolized Gibbs Sampler", Biometrika 1996; [D] Zhang, Liu, Liu, "A
 * Langevin-like Sampler for Discrete Distributions", ICML 2022.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/cat.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* Sites whose values are weighed together, in loops over sites, which vectorise whatever the number of values is. */
enum {
  LBP_(lot) = LBP_SMALL ? 1 : LBP_P_STATES <= 16 ? 64 : LBP_P_STATES <= 32 ? 32 : LBP_P_STATES <= 64 ? 16 : 8,
  LBP_(lot_values) = LBP_(lot) * LBP_P_STATES,
  LBP_(lot_pad) = LBP_SMALL ? 1 : LBP_(lot) < 16 ? 8 : 16 /* these loops go on to a multiple of so many */
};

/* A lot: what is known of value v of its k-th site is at [v * NAME_priv_lot + k]. */
typedef struct {
  uint32_t count, end;                 /* its sites, and how far loops go on */
  uint32_t values;                     /* the most that one of its sites has */
  float power[LBP_(lot_values)];       /* by which values are weighed: exponents of e, and then these powers */
  uint32_t weight[LBP_(lot_values)];   /* of moves */
  uint32_t from[LBP_(lot)];            /* the value that a site has, ... */
  uint32_t own[LBP_(lot)];             /* ... the weight that this value would have as a proposal, ... */
  uint32_t total[LBP_(lot)];           /* ... and the sum of the others' weights, or of all where sites may stay */
  uint32_t to[LBP_(lot)], chosen[LBP_(lot)]; /* a value that was drawn, and its weight */
} LBP_(values);

/* Begins a lot of at most `left` sites. */
LBP_INLINE void LBP_(begin_lot)(LBP_(values) *l, uint32_t left) {
  const uint32_t most = LBP_(lot), pad = LBP_(lot_pad);
  l->count = left < most ? left : most;
  l->end = (l->count + pad - 1) / pad * pad;
  l->values = LBP_P_VALUES;
}

/* How many values loops look at: a constant unless sites differ in that. */
LBP_INLINE uint32_t LBP_(width)(const LBP_(values) *l) {
  (void)l;
#ifdef LBP_CAT_STATES_OF
  return l->values;
#else
  return LBP_P_VALUES;
#endif
}

/* ---- the user's macros ------------------------------------------------------------------------------------------- */

LBP_INLINE uint32_t LBP_(states_of)(const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
  (void)lbp_m, (void)lbp_i;
#ifdef LBP_CAT_STATES_OF
  return (uint32_t)(LBP_P_CALL(LBP_CAT_STATES_OF, (lbp_m, lbp_i)));
#else
  return LBP_P_VALUES;
#endif
}

/* The k-th site of a lot is i: notes which value it has, and how many it may have. */
LBP_INLINE void LBP_(enter_lot)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_(values) *l, uint32_t k, uint32_t i) {
#ifdef LBP_CAT_STATES_OF
  const uint32_t states = LBP_(states_of)(m, i);
  l->values = k == 0 || states > l->values ? states : l->values;
#endif
  (void)m;
  l->from[k] = c->x[i];
}

#ifdef LBP_CAT_DELTAS_OF
LBP_INLINE void LBP_(call_deltas_of)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i, LBP_REAL *lbp_out) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i, (void)lbp_out;
  LBP_P_CALL(LBP_CAT_DELTAS_OF, (LBP_P_ARGS, lbp_i, lbp_out));
}

#ifdef LBP_CAT_POWERS_OF
LBP_INLINE void LBP_(call_powers_of)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i, LBP_REAL *lbp_out,
                                     float *lbp_power) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i, (void)lbp_out, (void)lbp_power;
  LBP_P_CALL(LBP_CAT_POWERS_OF, (LBP_P_ARGS, lbp_i, lbp_out, lbp_power));
}
#endif

/* The log-ratio of taking site i to other[i]. */
LBP_INLINE LBP_REAL LBP_(call_delta)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
#ifdef LBP_CAT_DELTA
  (void)lbp_c, (void)lbp_m, (void)lbp_i;
  return (LBP_REAL)(LBP_P_CALL(LBP_CAT_DELTA, (LBP_P_ARGS, lbp_i, lbp_c->other[lbp_i])));
#else
  LBP_REAL out[LBP_P_VALUES];
  LBP_(call_deltas_of)(lbp_c, lbp_m, lbp_i, out);
  return out[lbp_c->other[lbp_i]];
#endif
}
#endif

/* ---- rows of log-ratios ------------------------------------------------------------------------------------------ */

/* Completes a site's log-ratios from the model: at the chain's temperature, and impossible where there
 * is no such value. */
LBP_INLINE void LBP_(finish_row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *d) {
#ifdef LBP_CAT_STATES_OF
  uint32_t v;
  for (v = LBP_(states_of)(m, i); v < LBP_P_VALUES; v++) d[v] = (LBP_REAL)lbp_impossible();
#endif
  LBP_P_TEMPER(LBP_(temper_row)(c, m, i, d);)
  LBP_P_CLAMP(LBP_(clamp_row)(c, i, d);)
  LBP_P_CHECK(LBP_(look_at_row)(c, m, i, d);)
  (void)c, (void)m, (void)i, (void)d;
}

#if !LBP_P_LOCAL
/* The same of all sites. */
LBP_FN void LBP_(finish_ratios)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  uint32_t i;
  for (i = 0; i < LBP_P_COUNT(c); i++) LBP_(finish_row)(c, m, i, c->ratio + (size_t)i * LBP_P_VALUES);
}
#endif

/* d[v] = the log-ratio of taking site i to v, as proposals use it: of a dense model, as LBP_DELTAS wrote it. */
LBP_INLINE void LBP_(row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *d) {
#if LBP_P_LOCAL
  LBP_(call_deltas_of)(c, m, i, d);
  LBP_(finish_row)(c, m, i, d);
#else
  (void)m;
  memcpy(d, c->ratio + (size_t)i * LBP_P_VALUES, LBP_P_VALUES * sizeof *d);
#endif
}

/* The exact ones, by the cheapest way that the model offers. Returns how many evaluations that took. */
LBP_INLINE uint32_t LBP_(exact_row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *d) {
#if defined LBP_CAT_DELTAS_OF
  LBP_(call_deltas_of)(c, m, i, d);
  LBP_(finish_row)(c, m, i, d);
  return 1;
#elif LBP_P_KEEPS
  const int ready = c->ratio_ready;
  if (!ready) LBP_(deltas)(c, m);
  LBP_(row)(c, m, i, d);
  return !ready;
#else
  const uint32_t states = LBP_(states_of)(m, i);
  uint32_t v;
  for (v = 0; v < LBP_P_VALUES; v++) d[v] = v < states ? 0 : (LBP_REAL)lbp_impossible();
  LBP_P_CLAMP(LBP_(clamp_row)(c, i, d);)
  LBP_P_CLAMP(if (LBP_(is_clamped)(c, i)) return 0;)
  for (v = 0; v < states; v++) {
    if (v == c->x[i]) continue;
    c->other[i] = (uint8_t)v;
    LBP_(flip_site)(c, m, i);
    d[v] = LBP_(logp)(c, m) - c->logp;
    LBP_(flip_site)(c, m, i);
  }
  return states - 1;
#endif
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* v as a whole number, one at least if the move is possible. */
LBP_INLINE uint32_t LBP_(whole)(float v) {
  const uint32_t w = (uint32_t)(int32_t)v;
  return w | ((uint32_t)(w == 0) & (uint32_t)(v > 0)); /* no branch */
}

/* Exponents from rows of log-ratios, one of K a site. p_v is relative to the likeliest value, so that it is the same
 * whatever value a site has; what goes pair by pair is relative to that one. `staying`: discrete Langevin's, with the
 * cost of a change. */
LBP_INLINE void LBP_(spread)(LBP_(values) *l, const LBP_REAL *d, int staying, float cost) {
  const LBP_REAL most = (LBP_REAL)1e30;
  const uint32_t count = l->count;
  LBP_REAL top[LBP_(lot)];
  uint32_t k, v;
  for (k = 0; k < LBP_(lot); k++) top[k] = 0;
  for (v = 0; v < LBP_(width)(l) && !staying && (LBP_WEIGHT == LBP_HEAT_BATH || LBP_WEIGHT == LBP_METROPOLISED); v++) {
    for (k = 0; k < count; k++) {
      const LBP_REAL t = d[k * LBP_P_VALUES + v];
      const int nan = LBP_FAST_MATH && lbp_is_nanf((float)t); /* else no comparison holds of it */
      top[k] = t > top[k] && t < most && !nan ? t : top[k];
    }
  }
  for (v = 0; v < LBP_(width)(l); v++) {
    float *power = l->power + (size_t)v * LBP_(lot);
    for (k = 0; k < count; k++) {
      const LBP_REAL t = d[k * LBP_P_VALUES + v];
      if (staying) power[k] = v == l->from[k] ? 0.0f : 0.5f * (float)t - cost;
#if LBP_WEIGHT == LBP_SQRT
      else power[k] = 0.5f * (float)t;
#elif LBP_WEIGHT == LBP_CUSTOM
      else if (lbp_is_impossible((float)t)) power[k] = lbp_impossible();
      else power[k] = lbp_is_finitef((float)t) ? (float)LBP_(call_log_weight)(t) : (float)most; /* not asked */
#else
      else power[k] = (float)(t - top[k]);
#endif
    }
    for (k = count; k < l->end; k++) power[k] = 0;
  }
  for (k = count; k < l->end; k++) l->from[k] = 0;
}

/* Powers from exponents, cut to e^80, so that sums of 256 are numbers, or to e^66, so that a power times the unit of
 * weights is one, which -ffast-math may take first; 0 where a value is impossible. Adds up those of all values, the
 * same whichever a site has, and of all but that; and finds that one's. */
LBP_INLINE void LBP_(raise)(LBP_(values) *l, float *all, float *rest, float *mine) {
  const uint32_t end = l->end;
  uint32_t k, v;
  for (k = 0; k < end; k++) all[k] = rest[k] = mine[k] = 0;
  for (v = 0; v < LBP_(width)(l); v++) {
    float *power = l->power + (size_t)v * LBP_(lot);
    for (k = 0; k < end; k++) {
      const uint32_t possible = (uint32_t)lbp_is_impossible(power[k]) - 1u;
      float above, below, t;
      uint32_t bits;
      lbp_exp_quotient(lbp_clamp(power[k], LBP_FAST_MATH ? 66.0f : 80.0f), &above, &below);
      t = above / below;
      memcpy(&bits, &t, sizeof bits);
      bits &= possible;
      memcpy(&t, &bits, sizeof t);
      power[k] = t;
      all[k] += t;
      rest[k] += l->from[k] == v ? 0.0f : t;
      mine[k] += l->from[k] == v ? t : 0.0f;
    }
  }
}

/* The weight of a value as one to move to, from its power, the sum of all, that of all but the value that a site has,
 * and that one's. */
LBP_INLINE uint32_t LBP_(weigh_value)(float p, float all, float rest, float mine, int staying) {
  const float most = LBP_CAT_UNIT / (float)(LBP_P_STATES > 1 ? LBP_P_STATES - 1 : 1);
  /* unbounded: as in lbp.h, with more room above 1 where there are more values */
  const float room = LBP_P_STATES > 64 ? 8.0f : LBP_P_STATES > 16 ? 4.0f : LBP_P_STATES > 4 ? 2.0f : 1.0f;
  const float unit = LBP_WEIGHT_UNIT / room;
  if (staying || LBP_WEIGHT == LBP_HEAT_BATH) return LBP_(whole)(p * (LBP_CAT_UNIT / all));
  if (LBP_WEIGHT == LBP_METROPOLISED) { /* at most 1, but for the value that a site has, which is not one to move to */
    return LBP_(whole)(lbp_clamp(p / (p < mine ? mine + rest - p : rest), 1.0f) * LBP_CAT_UNIT);
  }
  if (LBP_WEIGHT == LBP_BARKER) return LBP_(whole)(p / (1.0f + p) * most);
  return LBP_(whole)(lbp_clamp(p * unit, most)); /* a comparison of floats would be a branch */
}

/* Weighs the values of a lot, from rows of log-ratios: fills all members below `power`. */
LBP_INLINE void LBP_(weigh_lot)(LBP_(values) *l, const LBP_REAL *d, int staying, float cost) {
  const uint32_t end = l->end;
  float all[LBP_(lot)], rest[LBP_(lot)], mine[LBP_(lot)];
  uint32_t k, v;
  LBP_(spread)(l, d, staying, cost);
  LBP_(raise)(l, all, rest, mine);
  for (k = 0; k < end; k++) l->own[k] = l->total[k] = 0;
  for (v = 0; v < LBP_(width)(l); v++) {
    const float *power = l->power + (size_t)v * LBP_(lot);
    uint32_t *weight = l->weight + (size_t)v * LBP_(lot);
    for (k = 0; k < end; k++) {
      const uint32_t w = LBP_(weigh_value)(power[k], all[k], rest[k], mine[k], staying);
      const uint32_t here = 0u - (l->from[k] == v);
      const uint32_t moves = staying ? w : w & ~here;
      l->own[k] |= w & here;
      weight[k] = moves;
      l->total[k] += moves;
    }
  }
}

/* A value of each site, in proportion to its weight, from a random word. */
LBP_INLINE void LBP_(draw_lot)(LBP_(values) *l, const uint64_t *word) {
  const uint32_t end = l->end;
  int32_t target[LBP_(lot)], below[LBP_(lot)];
  uint32_t k, v;
  for (k = 0; k < end; k++) target[k] = below[k] = 0, l->to[k] = 0;
  for (k = 0; k < l->count; k++) target[k] = (int32_t)(uint32_t)lbp_mulhi(word[k], l->total[k]);
  for (v = 0; v + 1 < LBP_(width)(l); v++) {
    const uint32_t *weight = l->weight + (size_t)v * LBP_(lot);
    for (k = 0; k < end; k++) {
      below[k] += (int32_t)weight[k];
      l->to[k] += target[k] >= below[k];
    }
  }
  for (k = 0; k < end; k++) l->chosen[k] = l->weight[l->to[k] * LBP_(lot) + k];
}

/* share[k] = that of the value drawn in its site's weight. */
LBP_INLINE void LBP_(share_there)(const LBP_(values) *l, LBP_REAL *share) {
  uint32_t k;
  for (k = 0; k < l->count; k++) share[k] = (LBP_REAL)(int32_t)l->chosen[k] / (LBP_REAL)(int32_t)l->total[k];
}

/* share[k], from that to the same of the way back, with weight back[k] in total[k], over it; 0 where there is none. */
LBP_INLINE void LBP_(share_back)(const uint32_t *back, const uint32_t *total, uint32_t count, LBP_REAL *share) {
  uint32_t k;
  for (k = 0; k < count; k++) {
    const LBP_REAL there = back[k] > 0 ? (LBP_REAL)(int32_t)total[k] * share[k] : 1;
    share[k] = (LBP_REAL)(int32_t)back[k] / there;
  }
}

#if LBP_P_WATCHES
/* The sum of a row, which is NaN if one of its log-ratios is. */
LBP_INLINE LBP_REAL LBP_(sum_of_row)(const LBP_REAL *d) {
  LBP_REAL sum = d[0];
  uint32_t v;
  for (v = 1; v < LBP_P_VALUES; v++) sum += d[v];
  return sum;
}
#endif

/* Weighs a lot of touched[first ...), at most `left`; d gets their rows. */
LBP_INLINE void LBP_(weigh_touched)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t first, uint32_t left,
                                    LBP_(values) *l, LBP_REAL *d) {
  const uint32_t *site = c->touched + first;
  uint32_t k;
  LBP_P_WATCH(LBP_REAL sum = 0;)
  LBP_(begin_lot)(l, left);
  for (k = 0; k < l->count; k++) {
    LBP_(enter_lot)(c, m, l, k, site[k]);
    LBP_(row)(c, m, site[k], d + (size_t)k * LBP_P_VALUES);
    LBP_P_WATCH(sum += LBP_(sum_of_row)(d + (size_t)k * LBP_P_VALUES);)
  }
  LBP_(weigh_lot)(l, d, 0, 0);
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(sum))) LBP_(seek_nan)(c, m);)
}

/* The shares of the first `count` sites of a lot that begins with touched[first]: it is of y, where other[] is the way
 * back. */
LBP_INLINE void LBP_(share_touched)(LBP_CHAIN_T *c, const LBP_(values) *l, uint32_t first, uint32_t count) {
  uint32_t back[LBP_(lot)] = {0}, k;
  for (k = 0; k < count; k++) back[k] = l->weight[c->other[c->touched[first + k]] * LBP_(lot) + k];
  LBP_(share_back)(back, l->total, count, c->share + first);
}

#if LBP_P_LOCAL
/* next[k] = the weight of touched[k], for all of them; and the shares of those that were drawn. */
LBP_CALLED void LBP_(weigh)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t count) {
  const uint32_t flips = c->y.flips;
  LBP_REAL d[LBP_(lot_values)];
  LBP_(values) l;
  uint32_t done;
  for (done = 0; done < count; done += l.count) {
    LBP_(weigh_touched)(c, m, done, count - done, &l, d);
    memcpy(c->next + done, l.total, l.count * sizeof l.total[0]);
    if (done < flips) LBP_(share_touched)(c, &l, done, flips - done < l.count ? flips - done : l.count);
  }
}
#else
/* next[i] = the weight of site i, for all sites, from their log-ratios in ratio[], and their sums. */
LBP_CALLED void LBP_(weigh_all)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t n = LBP_P_COUNT(c);
  LBP_(values) l;
  uint32_t done, k;
  LBP_P_WATCH(LBP_REAL sum = 0;)
  memset(&c->y.sums, 0, sizeof c->y.sums);
  for (done = 0; done < n; done += l.count) {
    LBP_(begin_lot)(&l, n - done);
    for (k = 0; k < l.count; k++) LBP_(enter_lot)(c, m, &l, k, done + k);
    LBP_(weigh_lot)(&l, c->ratio + (size_t)done * LBP_P_VALUES, 0, 0);
    LBP_P_WATCH(for (k = 0; k < l.count; k++) sum += LBP_(sum_of_row)(c->ratio + (size_t)(done + k) * LBP_P_VALUES);)
    memcpy(c->next + done, l.total, l.count * sizeof l.total[0]);
    lbp_urn_tally(&c->y.sums, c->next + done, NULL, l.count);
  }
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(sum))) LBP_(seek_nan)(c, m);)
  (void)m;
}

/* A rejected step: ratio[] is of x again. */
LBP_FN void LBP_(restore_ratios)(LBP_CHAIN_T *c) {
  memcpy(c->ratio, c->ratio_x, (size_t)LBP_P_COUNT(c) * LBP_P_VALUES * sizeof *c->ratio);
  c->ratio_ready = 1;
}
#endif

/* ---- proposals --------------------------------------------------------------------------------------------------- */

#ifndef LBP_N
LBP_FN size_t LBP_(cat_ws_len)(uint32_t n) {
  const size_t words = LBP_P_LOCAL && !LBP_P_SORTS ? LBP_WS_LEN_NEVER(n) : LBP_WS_LEN(n); /* lbp.h's, without ratio[] */
  const size_t reals = lbp_size_times(n, 1 + (LBP_P_LOCAL ? 0u : 2u * LBP_P_VALUES));
  const size_t bytes = lbp_size_plus(lbp_size_times(reals, sizeof(LBP_REAL)), n);
  return lbp_size_plus(words, lbp_size_plus(bytes / 8, 2));
}

/* Lays out the arrays that lbp.h does not have; they come first. Returns the address behind them. */
LBP_FN uint64_t *LBP_(lay_out)(LBP_CHAIN_T *c, uint64_t *ws) {
  const size_t n = c->n;
  LBP_REAL *real = (LBP_REAL *)(void *)ws;
#if !LBP_P_LOCAL
  c->ratio = real;
  c->ratio_x = c->ratio + n * LBP_P_VALUES;
  real = c->ratio_x + n * LBP_P_VALUES;
#endif
  c->share = real;
  c->other = (uint8_t *)(c->share + n);
  return ws + ((size_t)(c->other + n - (uint8_t *)(void *)ws) + 7) / 8;
}
#endif

/* Of a product: next[] and share[] at y, where all log-ratios are known from those at x. Returns `sum` plus the amounts
 * that these sites add to log pi(y) - log pi(x), one by one, so that it does not matter how long lots are. */
LBP_INLINE LBP_REAL LBP_(look_ahead)(LBP_CHAIN_T *c, LBP_(values) *l, LBP_REAL *d, uint32_t first, LBP_REAL sum) {
  const uint32_t count = l->count;
  uint32_t *next = c->next + first, back[LBP_(lot)] = {0}, k;
#if LBP_WEIGHT == LBP_HEAT_BATH /* and weights are the same */
  for (k = 0; k < count; k++) {
    sum += d[k * LBP_P_VALUES + l->to[k]];
    back[k] = l->own[k];
    next[k] = l->total[k] + l->own[k] - l->chosen[k];
  }
#else
  for (k = 0; k < count; k++) {
    LBP_REAL *row = d + (size_t)k * LBP_P_VALUES;
    const LBP_REAL there = row[l->to[k]];
    uint32_t v;
    sum += there;
    for (v = 0; v < LBP_P_VALUES; v++) row[v] -= there;
    back[k] = l->from[k];
    row[back[k]] = -there;
    l->from[k] = l->to[k];
  }
  LBP_(weigh_lot)(l, d, 0, 0);
  for (k = 0; k < count; k++) {
    back[k] = l->weight[back[k] * LBP_(lot) + k];
    next[k] = l->total[k];
  }
#endif
  LBP_(share_back)(back, next, count, c->share + first);
  return sum;
}

/* Before the sites drawn are flipped: draws their next values, each in proportion to its weight at x. */
LBP_CALLED void LBP_(choose_values)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  const uint32_t flips = c->y.flips;
  LBP_REAL d[LBP_(lot_values)], sum = 0;
  uint64_t room[LBP_BLOCK];
  LBP_(values) l;
  uint32_t done, k;
#if !LBP_P_LOCAL
  if (!c->ratio_ready) LBP_(deltas)(c, m);
  memcpy(c->ratio_x, c->ratio, (size_t)LBP_P_COUNT(c) * LBP_P_VALUES * sizeof *c->ratio);
#endif
  for (done = 0; done < flips; done += l.count) {
    uint32_t count = flips - done < LBP_BLOCK ? flips - done : LBP_BLOCK;
    const uint64_t *word;
    LBP_(begin_lot)(&l, count);
    count = l.count;
    word = LBP_(words)(rng, room, &count);
    LBP_(weigh_touched)(c, m, done, count, &l, d);
    LBP_(draw_lot)(&l, word);
    for (k = 0; k < count; k++) c->other[c->touched[done + k]] = (uint8_t)l.to[k];
    LBP_(share_there)(&l, c->share + done);
    if (LBP_P_PRODUCT) sum = LBP_(look_ahead)(c, &l, d, done, sum);
  }
  if (LBP_P_PRODUCT) c->y.log_pi = sum;
}

#if LBP_P_LOCAL
/* A product's whole proposal, of which NAME_priv_choose_values has found all but the flips and the sums. */
LBP_CALLED void LBP_(flip_product)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t flips = c->y.flips;
  uint32_t k;
  LBP_P_FIELDS(LBP_(save)(c, m);)
  for (k = 0; k < flips; k++) LBP_(flip_site)(c, m, c->touched[k]);
  if (!LBP_(is_finite)(c->y.log_pi)) LBP_(weigh)(c, m, flips); /* out of an impossible state */
  lbp_urn_begin(&c->urn, &c->y.sums);
  lbp_urn_tally(&c->y.sums, c->next, c->before, flips);
}
#endif

/* p times the first `count` shares; 0 if one is. */
LBP_CALLED void LBP_(multiply_shares)(const LBP_CHAIN_T *c, uint32_t count, LBP_(product) *p) {
  LBP_REAL ratio[LBP_BLOCK];
  uint32_t done, block, k, lost = 0;
  for (done = 0; done < count; done += block) {
    block = count - done < LBP_BLOCK ? count - done : LBP_BLOCK;
    LBP_(neutral)(ratio, block, 1);
    LBP_ROLLED for (k = 0; k < block; k++) {
      const int positive = c->share[done + k] > 0;
      ratio[k] = positive ? c->share[done + k] : 1;
      lost |= !positive;
    }
    LBP_(multiply)(p, ratio, block);
  }
  if (lost) p->value = 0, p->exponent = 0;
}

/* How much more probable the way back is: lbp.h's ratio of the sites' weights, times that of their values. */
LBP_CALLED void LBP_(bring_in_values)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_(product) *back) {
  const uint32_t flips = c->y.flips;
#if !LBP_P_LOCAL
  uint32_t done;
  LBP_REAL d[LBP_(lot_values)];
  LBP_(values) l;
  for (done = 0; done < flips; done += l.count) {
    LBP_(weigh_touched)(c, m, done, flips - done, &l, d);
    LBP_(share_touched)(c, &l, done, l.count);
  }
#endif
  LBP_(multiply_shares)(c, flips, back);
  (void)m;
}

/* Whether site i can move. */
LBP_INLINE int LBP_(is_mobile)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  LBP_P_CLAMP(if (LBP_(is_clamped)(c, i)) return 0;)
  return (void)c, LBP_(states_of)(m, i) > 1;
}

/* R, cut to the number of sites that can. */
LBP_FN uint32_t LBP_(cut_to_mobile)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R) {
  uint32_t i;
  if (c->mobile == UINT32_MAX) {
    c->mobile = 0;
    for (i = 0; i < LBP_P_COUNT(c); i++) c->mobile += (uint32_t)LBP_(is_mobile)(c, m, i);
  }
  return R < c->mobile ? R : c->mobile;
}

/* Draws R different sites uniformly from those that can move, and for each another value. */
LBP_CALLED void LBP_(draw_uniform)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng) {
  const uint32_t n = LBP_P_COUNT(c);
  uint64_t room[LBP_BLOCK];
  uint32_t k = 0, h;
  while (k < R) {
    uint32_t count = R - k < LBP_BLOCK ? R - k : LBP_BLOCK, i;
    const uint64_t *word = LBP_(words)(rng, room, &count);
    for (h = 0; h < count; h++) {
      if ((uint64_t)c->mobile * 64 >= n) {
        i = (uint32_t)lbp_mulhi(word[h], n);
        if (!LBP_(is_mobile)(c, m, i)) continue;
      } else { /* few are: by looking at all */
        uint32_t left = (uint32_t)lbp_mulhi(word[h], c->mobile);
        for (i = 0; left > 0 || !LBP_(is_mobile)(c, m, i); i++) left -= (uint32_t)LBP_(is_mobile)(c, m, i);
      }
      k += lbp_urn_mark(c->weight, c->touched, c->before, i, k);
    }
  }
  c->y.flips = k;
  c->y.removed = 0;
  for (k = 0; k < R; k++) {
    const uint32_t i = c->touched[k], v = (uint32_t)lbp_mulhi(LBP_(word)(rng), LBP_(states_of)(m, i) - 1);
    c->other[i] = (uint8_t)(v + (v >= c->x[i]));
  }
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

/* A value of a site that has a, with log-ratios d[0 .. K): from its conditional law p, or `metropolised` another value
 * v with probability p_v / max(1 - p_a, 1 - p_v), else a. With all the digits that LBP_REAL has. */
LBP_APART uint32_t LBP_(pick_value_fine)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, const LBP_REAL *d,
                                         uint32_t a, int metropolised, uint64_t word) {
  const LBP_REAL lowest = sizeof(LBP_REAL) == sizeof(float) ? -85 : -700;
  LBP_REAL p[LBP_P_VALUES], top = 0, rest = 0, target;
  uint32_t v;
  LBP_P_WATCH(for (v = 0; v < LBP_P_VALUES; v++) if (LBP_(is_nan)(d[v])) LBP_(meet_nan)(c, m, i);)
  (void)c, (void)m, (void)i;
  for (v = 0; v < LBP_P_VALUES; v++) top = d[v] > top ? d[v] : top; /* not a NaN */
  if (!LBP_(is_finite)(top)) top = LBP_(real)(0) - lowest;          /* a is impossible, others are not */
  for (v = 0; v < LBP_P_VALUES; v++) {
    const LBP_REAL below = LBP_(is_finite)(d[v]) ? d[v] - top : 0;
    p[v] = lbp_is_impossible((float)d[v]) ? 0 : LBP_(exp)(below > lowest ? below : lowest);
    rest += v == a ? 0 : p[v];
  }
  if (metropolised) {
    const LBP_REAL stay = p[a];
    p[a] = 1;
    for (v = 0; v < LBP_P_VALUES; v++) {
      if (v == a || !(p[v] > 0)) continue;
      p[v] /= p[v] < stay ? stay + rest - p[v] : rest;
      p[a] -= p[v];
    }
    if (!(p[a] > 0)) p[a] = 0;
    rest = 1 - p[a];
  }
  target = (LBP_(real)(word >> 2) + (LBP_REAL)0.5) / (LBP_REAL)4611686018427387904.0;
  target = LBP_(rounded)(target * (p[a] + rest));
  for (v = 0; v < LBP_P_VALUES; v++) {
    target -= p[v];
    if (target < 0) return v;
  }
  return a;
}

/* Room for a row of numbers of a site: at least those that vectors have. */
enum { LBP_(row_room) = LBP_P_STATES <= 8 ? 8 : LBP_P_STATES };
#define LBP_P_BY_FOURS (LBP_P_FOURS && LBP_P_STATES <= 8)

/* power[v] = e^d[v], roughly, of the first `states` values. Returns whether one is out of range, or no number. */
LBP_INLINE uint32_t LBP_(raise_roughly)(const LBP_REAL *d, uint32_t states, float *power) {
  uint32_t open = 0;
#if LBP_P_BY_FOURS
#define LBP_P_AT(v) ((v) < LBP_P_VALUES ? (float)d[v] : -100.0f)
  lbp_floats low = {LBP_P_AT(0), LBP_P_AT(1), LBP_P_AT(2), LBP_P_AT(3)};
  open = lbp_exp_four(&low);
  memcpy(power, &low, sizeof low);
  if (LBP_P_VALUES > 4) {
    lbp_floats high = {LBP_P_AT(4), LBP_P_AT(5), LBP_P_AT(6), LBP_P_AT(7)};
    open |= lbp_exp_four(&high);
    memcpy(power + 4, &high, sizeof high);
  }
#undef LBP_P_AT
  (void)states;
#else
  uint32_t v;
  for (v = 0; v < states; v++) {
    const float t = (float)d[v];
    power[v] = lbp_exp_roughly(lbp_clamp(t, 80.0f)); /* an impossible value has e^-80, too little for any word */
    open |= (uint32_t)(t > 60.0f) | (uint32_t)lbp_is_nanf(t);
  }
#endif
  return open;
}

/* The value that a word draws by these powers; *open becomes true where it is too near to another one to tell, or the
 * powers' sum is no usable number. No branch for each value: it would be as unpredictable as the draw. */
LBP_INLINE uint32_t LBP_(choose_value)(const float *power, uint32_t states, uint64_t word, uint32_t *open) {
  const float share = (float)(int32_t)(word >> 33) * (1.0f / 2147483648.0f);
#if LBP_P_BY_FOURS
  const uint32_t all_but_last = (1u << (LBP_P_VALUES - 1)) - 1;
  lbp_floats low;
  uint32_t to, unclear;
  (void)states;
  memcpy(&low, power, sizeof low);
  lbp_scan_four(&low);
  if (LBP_P_VALUES <= 4) {
    to = lbp_four_at_most(&low, share * low[3], 3e-5f * low[3], &unclear);
    *open |= lbp_is_unusable(low[3]);
  } else {
    lbp_floats high;
    uint32_t unclear_high;
    memcpy(&high, power + 4, sizeof high);
    lbp_scan_four(&high);
    high += __builtin_shufflevector(low, low, 3, 3, 3, 3);
    to = lbp_four_at_most(&low, share * high[3], 3e-5f * high[3], &unclear);
    to |= lbp_four_at_most(&high, share * high[3], 3e-5f * high[3], &unclear_high) << 4;
    unclear |= unclear_high << 4;
    *open |= lbp_is_unusable(high[3]);
  }
  *open |= unclear & all_but_last;
  to &= all_but_last; /* of ones from the lowest bit on */
  return LBP_P_VALUES <= 4 ? to - (to >> 1) - (to >> 2 & 1) : (uint32_t)__builtin_popcount(to);
#else
  float sum = 0, target, slack;
  uint32_t v, to = 0, unclear = 0;
  for (v = 0; v < states; v++) sum += power[v];
  target = share * sum;
  slack = 3e-5f * sum;
  *open |= lbp_is_unusable(sum);
  for (v = 0, sum = 0; v + 1 < states; v++) {
    float gap;
    sum += power[v];
    gap = target - sum;
    to += gap >= 0;
    unclear |= (uint32_t)(gap < slack) & (uint32_t)(gap > -slack);
  }
  *open |= unclear;
  return to;
#endif
}

/* NAME_priv_pick_value_fine by these powers, where they decide it: nearly always single precision tells, and few digits
 * of the word. states: how many values the site has; open: whether powers are known not to do. */
LBP_INLINE uint32_t LBP_(pick_by_powers)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, const LBP_REAL *d,
                                         const float *power, uint32_t states, uint32_t a, int metropolised,
                                         uint64_t word, uint32_t open) {
  uint32_t to = LBP_(choose_value)(power, states, word, &open);
  if (LBP_SELDOM(open)) {
    LBP_REAL copy[LBP_P_VALUES]; /* so that d[] can stay in registers */
    memcpy(copy, d, sizeof copy);
    to = LBP_(pick_value_fine)(c, m, i, copy, a, metropolised, word);
  }
  return to;
}

/* The same, powers being found from log-ratios. */
LBP_INLINE uint32_t LBP_(pick_value)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, const LBP_REAL *d,
                                     uint32_t states, uint32_t a, int metropolised, uint64_t word) {
  float power[LBP_(row_room)];
  const uint32_t open = LBP_(raise_roughly)(d, states, power);
  if (metropolised) {
    float rest = 0, sum = 0;
    uint32_t v;
    power[a] = 0;
    for (v = 0; v < states; v++) rest += power[v];
    for (v = 0; v < states; v++) {
      power[v] = power[v] > 0 ? power[v] / (power[v] < 1.0f ? 1.0f + rest - power[v] : rest) : 0;
      sum += power[v];
    }
    power[a] = sum < 1.0f ? 1.0f - sum : 0;
  }
  return LBP_(pick_by_powers)(c, m, i, d, power, states, a, metropolised, word, open);
}

/* A value of site i, drawn by a word, and the site's log-ratios, to d[]. `known`: by the model's own powers, where it
 * writes them, and the site is not clamped. Adds to *evaluations how many that took. */
LBP_INLINE uint32_t LBP_(draw_value)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *d, int metropolised,
                                     int known, uint64_t word, uint32_t *evaluations) {
  const uint32_t a = c->x[i], states = LBP_(states_of)(m, i);
  (void)known;
#ifdef LBP_CAT_POWERS_OF
  LBP_P_CLAMP(known &= !LBP_(is_clamped)(c, i);)
  if (known) {
    float power[LBP_(row_room)] = {0};
    LBP_(call_powers_of)(c, m, i, d, power);
    LBP_(finish_row)(c, m, i, d);
    ++*evaluations;
    return LBP_(pick_by_powers)(c, m, i, d, power, states, a, 0, word, 0);
  }
#endif
  *evaluations += LBP_(exact_row)(c, m, i, d);
  return LBP_(pick_value)(c, m, i, d, states, a, metropolised, word);
}

LBP_INLINE LBP_INFO_T LBP_(sweep_values)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int metropolised, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  const uint32_t n = LBP_P_COUNT(c);
  LBP_INFO_T info;
  uint32_t first, count, k, jump = 0;
  uint64_t room[LBP_BLOCK];
  int known = !metropolised; /* the model's powers are of this law */
  LBP_P_TEMPER(known &= c->beta == 1;)
  memset(&info, 0, sizeof info);
  info.sites = c->touched;
  if (LBP_P_KEEPS) LBP_(prepare_fields)(c, m);
  else LBP_(prepare)(c, m, 0);
  for (first = 0; first < n; first += count) {
    const uint64_t *word;
    count = n - first < LBP_BLOCK ? n - first : LBP_BLOCK;
    word = LBP_(words)(rng, room, &count);
    for (k = 0; k < count; k++) {
      const uint32_t i = first + k, a = c->x[i];
      LBP_REAL d[LBP_(row_room)];
      const uint32_t v = LBP_(draw_value)(c, m, i, d, metropolised, known, word[k], &info.evaluations);
#if LBP_P_LOCAL && !defined LBP_FIELDS_T
      c->other[i] = (uint8_t)a; /* nothing else to keep: no branch on the draw */
      c->x[i] = (uint8_t)v;
      c->touched[jump] = i;
      jump += v != a;
      info.log_ratio += d[v];
#else
      if (v == a) continue;
      c->other[i] = (uint8_t)v;
      LBP_(flip_site)(c, m, i);
      c->touched[jump++] = i;
      info.log_ratio += d[v];
#endif
#if LBP_P_BY_LOGP && !defined LBP_CAT_DELTAS_OF && !LBP_P_KEEPS
      c->logp = LBP_(logp)(c, m);
      info.evaluations++;
#endif
    }
  }
#if LBP_P_BY_LOGP && (defined LBP_CAT_DELTAS_OF || LBP_P_KEEPS)
  c->logp_ready &= jump == 0;
#endif
  info.accept = 1;
  info.accepted = 1;
  info.proposed = info.jump = jump;
  c->weights_ready = 0;
  return info;
}

/* One systematic sweep: every site once, in order, drawn from its conditional. Does not keep the weights. Where a dense
 * model's LBP_DELTAS are exact, and LBP_CAT_DELTAS_OF is not there, they are asked for again after changes alone. */
LBP_CALLED LBP_INFO_T LBP_NAME_(gibbs_sweep)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  return LBP_(sweep_values)(c, m, 0, rng);
}

/* One systematic sweep of the metropolised Gibbs sampler [L]: every site once, in order, another value v in proportion
 * to its conditional p_v, accepted with probability min(1, (1 - p_a) / (1 - p_v)), where a is the value that it has. It
 * moves more than a Gibbs sweep; for sites with two values it is lbp.h's Metropolis sweep, with the same caution
 * about flips that are certain. At beta = 0 it is a Gibbs sweep. info.accept is 1. */
LBP_CALLED LBP_INFO_T LBP_NAME_(metropolis_sweep)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  int metropolised = 1;
  LBP_P_TEMPER(if (c && c->beta == 0) metropolised = 0;)
  return LBP_(sweep_values)(c, m, metropolised, rng);
}

/* ---- discrete Langevin ------------------------------------------------------------------------------------------- */

/* A lot of sites first, first + 1, ..., at most `left`: all values, that of staying too, with weights e^(d / 2), less
 * 1 / (2 sigma) in the exponent for a change. */
LBP_INLINE void LBP_(langevin_lot)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t first, uint32_t left, float cost,
                                   LBP_(values) *l) {
  LBP_REAL d[LBP_(lot_values)];
  uint32_t k;
  LBP_P_WATCH(LBP_REAL sum = 0;)
  LBP_(begin_lot)(l, left);
  for (k = 0; k < l->count; k++) {
    LBP_(enter_lot)(c, m, l, k, first + k);
    LBP_(row)(c, m, first + k, d + (size_t)k * LBP_P_VALUES);
    LBP_P_WATCH(sum += LBP_(sum_of_row)(d + (size_t)k * LBP_P_VALUES);)
  }
  LBP_(weigh_lot)(l, d, 1, cost);
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(sum))) LBP_(seek_nan)(c, m);)
}

/* Draws a value for every site: other[], which is x[i] where a site stays, and share[], by site. touched[] becomes
 * those that change. */
LBP_CALLED void LBP_(draw_langevin)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, float cost, LBP_RNG_T *rng) {
  const uint32_t n = LBP_P_COUNT(c);
  uint64_t room[LBP_BLOCK];
  LBP_(values) l;
  uint32_t done, k, flips = 0;
  for (done = 0; done < n; done += l.count) {
    const uint64_t *word;
    uint32_t count;
    LBP_(begin_lot)(&l, n - done);
    count = l.count;
    word = LBP_(words)(rng, room, &count);
    LBP_(langevin_lot)(c, m, done, count, cost, &l);
    LBP_(draw_lot)(&l, word);
    LBP_(share_there)(&l, c->share + done);
    for (k = 0; k < count; k++) {
      c->other[done + k] = (uint8_t)l.to[k];
      c->touched[flips] = done + k;
      flips += l.to[k] != l.from[k];
    }
  }
  c->y.flips = c->y.touched = c->y.draws = flips;
  c->y.removed = 0;
}

/* How much more probable the way back is: at y, where other[] is the way back. */
LBP_CALLED LBP_(product) LBP_(back_langevin)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, float cost) {
  const uint32_t n = LBP_P_COUNT(c);
  LBP_(values) l;
  LBP_(product) p = {1, 0};
  uint32_t done, k;
  for (done = 0; done < n; done += l.count) {
    uint32_t back[LBP_(lot)] = {0};
    LBP_(langevin_lot)(c, m, done, n - done, cost, &l);
    for (k = 0; k < l.count; k++) back[k] = l.weight[c->other[done + k] * LBP_(lot) + k];
    LBP_(share_back)(back, l.total, l.count, c->share + done);
  }
  LBP_(multiply_shares)(c, n, &p);
  return p;
}

/* After flips of which log pi(y) - log pi(x) is NaN: from an impossible state out of it and into another one, as where
 * any of several sites could mend x by itself; or from a possible one through an impossible one, which is refused. Goes
 * to where one of the flips leads, if that is out of an impossible state. Returns whether it is. */
LBP_CALLED int LBP_(leave_by_one)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint64_t word) {
  const LBP_REAL log_pi = c->y.log_pi;
  const uint32_t k = (uint32_t)lbp_mulhi(word, c->y.flips), i = c->touched[k];
  LBP_(unflip)(c, m);
  LBP_P_WATCH(LBP_(retrace)(c, m, (int)(word & 1));)
  c->touched[k] = c->touched[0];
  c->touched[0] = i;
  c->y.flips = c->y.touched = c->y.draws = 1;
  LBP_(flip)(c, m, 0);
  if (!lbp_is_impossible((float)c->y.log_pi) && !LBP_(is_finite)(c->y.log_pi)) return 1;
  c->y.log_pi = log_pi;
  return 0;
}

/* One step of the discrete Langevin proposal [D]: every site by itself, to v with probability in proportion to
 * e^(d_v / 2 - [v != x_i] / (2 sigma)), all at once, then accepted or not. Asks for all log-ratios at x and y. Nothing
 * happens unless sigma > 0 (LBP_E_RANGE in a checked build). A proposal from an impossible state into another one is
 * tried again with one of its changes alone, so that the step leaves where one leads out. Does not keep the weights. */
LBP_CALLED LBP_INFO_T LBP_NAME_(dlp_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REAL sigma, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  LBP_(product) back = {0, 0};
  LBP_INFO_T info;
  uint64_t word;
  float cost;
  memset(&info, 0, sizeof info);
  info.sites = c->touched;
  if (LBP_(is_nan)(sigma) || !(sigma > 0)) {
    LBP_P_CHECK(LBP_(fail)(c, LBP_E_RANGE, 0, 0, sigma, 0);)
    return info;
  }
  cost = sigma < (LBP_REAL)1e-3 ? 500.0f : 0.5f / (float)sigma;
  LBP_(prepare)(c, m, 0);
#if !LBP_P_LOCAL
  info.evaluations = !c->ratio_ready;
  if (!c->ratio_ready) LBP_(deltas)(c, m);
  memcpy(c->ratio_x, c->ratio, (size_t)LBP_P_COUNT(c) * LBP_P_VALUES * sizeof *c->ratio);
#endif
  LBP_(draw_langevin)(c, m, cost, rng);
  info.proposed = c->y.flips;
  word = LBP_(word)(rng);
  /* The way back must lead through the same states, some of which may be impossible: in either order, by a toss. */
  LBP_(flip)(c, m, (int)(word & 1));
  info.evaluations += LBP_P_LOCAL ? 2 * LBP_P_COUNT(c) + info.proposed : LBP_P_BY_LOGP ? 2 : 1 + info.proposed;
  if (LBP_(is_nan)(c->y.log_pi) && info.proposed > 1) {
    if (LBP_(leave_by_one)(c, m, word)) info.proposed = 1;
    info.evaluations++;
  }
  if (!lbp_is_impossible((float)c->y.log_pi)) {
#if !LBP_P_LOCAL
    LBP_(deltas)(c, m);
#endif
    back.value = 1; /* out of an impossible state, even if there is no way back */
    if (LBP_(is_finite)(c->y.log_pi)) back = LBP_(back_langevin)(c, m, cost);
  }
  LBP_P_CHECK(if (LBP_(failed)(c)) back.value = 0;)
  info.accept = LBP_(probability)(&back, c->y.log_pi);
  info.accepted = LBP_(decide)(&back, c->y.log_pi, word, info.accept);
  if (info.accepted) {
    info.jump = info.proposed;
    info.log_ratio = c->y.log_pi;
    LBP_P_LOGP(c->logp = c->logp_proposed;)
    c->weights_ready = 0;
  } else {
    LBP_(unflip)(c, m);
    LBP_P_DENSE(LBP_(restore_ratios)(c);)
  }
  return info;
}

/* The same with the tuner's sigma, which then learns from it. */
LBP_CALLED LBP_INFO_T LBP_NAME_(adlp_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, lbp_scale_tuner *t, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(usable)(c, t ? rng : NULL)) return LBP_(nothing)();)
  const LBP_INFO_T info = LBP_NAME_(dlp_step)(c, m, (LBP_REAL)t->sigma, rng);
  lbp_scale_tuner_update(t, (double)info.accept);
  return info;
}

/* ---- parts of the check ------------------------------------------------------------------------------------------ */

LBP_COLD int LBP_(check_flip)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REPORT_T *report);

/* How many values sites have, and whether x keeps to them. */
LBP_COLD int LBP_(check_values)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report) {
  uint32_t i;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    const uint32_t states = LBP_(states_of)(m, i);
    if (states < 1 || states > LBP_P_VALUES) {
      return LBP_(find)(report, LBP_E_STATES, i, i, (LBP_REAL)(double)states, LBP_P_VALUES);
    }
    if (c->x[i] >= states) return LBP_(find)(report, LBP_E_STATE, i, i, (LBP_REAL)c->x[i], (LBP_REAL)(states - 1));
  }
  return LBP_OK;
}

/* other[i] becomes a value that site i has not, if there is one: flips of the check go to it. */
LBP_FN void LBP_(aim)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_RNG_T *rng) {
  const uint32_t states = LBP_(states_of)(m, i), v = (uint32_t)lbp_mulhi(LBP_(word)(rng), states > 1 ? states - 1 : 1);
  c->other[i] = (uint8_t)(states > 1 ? v + (v >= c->x[i]) : c->x[i]);
}

/* A random state, and random flips from there. */
LBP_CALLED void LBP_(scatter)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  uint32_t i;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    c->x[i] = (uint8_t)lbp_mulhi(LBP_(word)(rng), LBP_(states_of)(m, i));
    LBP_(aim)(c, m, i, rng);
  }
}

#ifdef LBP_CAT_POWERS_OF
/* Part of NAME_check: LBP_CAT_POWERS_OF writes the log-ratios of LBP_CAT_DELTAS_OF, and powers that agree with them. */
LBP_COLD int LBP_(check_powers)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REPORT_T *report) {
  const uint32_t states = LBP_(states_of)(m, i);
  LBP_REAL d[LBP_P_VALUES], own[LBP_P_VALUES];
  float power[LBP_(row_room)] = {0}, sum = 0;
  double p[LBP_P_VALUES], all = 0, top = 0;
  uint32_t v;
  LBP_(call_deltas_of)(c, m, i, d);
  LBP_(call_powers_of)(c, m, i, own, power);
  for (v = 0; v < states; v++) {
    if (!LBP_(agree)(own[v], d[v], LBP_(abs)(d[v]))) return LBP_(find)(report, LBP_E_POWERS, i, v, own[v], d[v]);
    if ((double)d[v] > top) top = (double)d[v];
    sum += power[v];
  }
  if (lbp_is_unusable(sum) || !lbp_is_finite(top)) return LBP_OK; /* not used */
  for (v = 0; v < states; v++) {
    p[v] = lbp_is_impossible((float)d[v]) ? 0 : lbp_exp(lbp_clamp_double((double)d[v] - top, 700));
    all += p[v];
  }
  for (v = 0; v < states; v++) {
    const LBP_REAL got = (LBP_REAL)(power[v] / sum), want = (LBP_REAL)(p[v] / all), gap = LBP_(abs)(got - want);
    if (gap > (LBP_REAL)2e-5) return LBP_(find)(report, LBP_E_POWERS, i, v, got, want);
  }
  return LBP_OK;
}
#endif

/* All values of one site at the current state: the one that it has, numbers, there and back, log pi. */
LBP_COLD int LBP_(check_row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REPORT_T *report) {
  const uint32_t states = LBP_(states_of)(m, i), a = c->x[i];
  const uint8_t kept = c->other[i];
  int status = LBP_OK;
  uint32_t v;
#ifdef LBP_CAT_DELTAS_OF
  LBP_REAL d[LBP_P_VALUES];
  LBP_(call_deltas_of)(c, m, i, d);
  LBP_(finish_row)(c, m, i, d);
  if (!LBP_(agree)(d[a], 0, 0)) return LBP_(find)(report, LBP_E_CURRENT, i, i, d[a], 0);
#endif
#ifdef LBP_CAT_POWERS_OF
  status = LBP_(check_powers)(c, m, i, report);
#endif
  for (v = 0; v < states && status == LBP_OK; v++) {
    if (v == a) continue;
    c->other[i] = (uint8_t)v;
    status = LBP_(check_flip)(c, m, i, report);
#ifdef LBP_CAT_DELTA
    if (status == LBP_OK && !LBP_(agree)(LBP_(delta)(c, m, i), d[v], LBP_(abs)(d[v]))) {
      status = LBP_(find)(report, LBP_E_ROW, i, i, LBP_(delta)(c, m, i), d[v]);
    }
#endif
  }
  c->other[i] = kept;
  return status;
}

#undef LBP_P_BY_FOURS

#endif /* LBP_P_INSTANCE */
