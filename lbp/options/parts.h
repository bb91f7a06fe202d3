/* lbp/options/parts.h - exchanges of parts between two chains: Houdayer's cluster move, and its like between
 * temperatures: LBP_PARTS.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_PARTS is
 * defined. You need it for spin glasses in two dimensions, maximum cuts of sparse graphs, and other models with many
 * distant states of nearly the same log pi, and don't include it yourself.
 *
 * LBP_PARTS: if defined, a local model has
 *
 *   glass_parts glass_swap_parts (glass_chain *a, glass_chain *b, const grid *, lbp_rng *)
 *
 * Take two chains of one model, each at its temperature. The sites at which they differ fall into connected parts, by
 * LBP_NEIGHBOURS. The chains exchange their states on each part by itself, part after part, with probability
 *
 *   1 / (1 + exp(-E)),   E = the change of log pi of a + that of log pi of b, each at its chain's temperature,
 *
 * or at equal temperatures with half of min(1, exp(E)).
 *
 * Outside of a part, its neighbours have the same values in both chains. So log pi(a) + log pi(b) does not change, and
 * at equal temperatures E = 0: half of all parts are exchanged, whatever it would cost one chain to get there by itself
 * (Houdayer). At different temperatures E is the difference of beta times the gain of one of the two chains, which is
 * small for a small part: whole states, all parts together, need about sqrt(n) temperatures to be exchanged as often.
 *
 * E is the sum of both chains' log-ratios, and the set of sites that differ does not change. So the joint law of the
 * two chains is invariant for any local model, also with LBP_BASE and at beta = 0. A neighbour missing from a list only
 * costs acceptance. Sites that are clamped in one of the chains stay.
 *
 * LBP_SYMMETRIC(m) -> int: optional, for sites of two values: whether log pi(x) = log pi(x with all sites flipped), as
 * without fields. Then, if chains differ at more than half of the sites, the parts are those of the sites at which they
 * agree, and both chains flip them. NAME_check compares log-ratios before and after all sites flip (LBP_E_SYMMETRIC). A
 * wrong answer costs acceptance only; the law stays.
 *
 * Hard constraints: both chains change site by site, ones that become zeros first. If this leads through an impossible
 * state, log pi of the end states decides, if there is LBP_LOGP; otherwise the part stays.
 *
 * Exchanges of parts alone create no new states: alternate with steps of another kind in each chain. They gain nothing
 * if one part has nearly all of the sites that differ, as on lattices of three dimensions at high temperature: look at
 * `largest`. The two chains are then no longer independent of each other, so no R-hat may compare them.
 *
 * Sources: Houdayer, Eur. Phys. J. B 22, 2001; Zhu, Ochoa, Katzgraber, Phys. Rev. Lett. 115, 2015.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/parts.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* The result of an exchange of parts. */
typedef struct {
  uint32_t sites;      /* in all parts: those that differ or, with LBP_SYMMETRIC, agree */
  uint32_t parts;      /* into how many parts they fell ... */
  uint32_t exchanged;  /* ... of which these were exchanged ... */
  uint32_t largest;    /* ... and how many sites the largest has */
  uint32_t jump;       /* sites exchanged: each chain has moved so far */
  uint32_t evaluations;    /* log-ratios, and log pi, of both chains; UINT32_MAX: so many or more */
  LBP_REAL log_ratio[2];   /* log pi's gains of a and of b, each at its chain's temperature */
} LBP_NAME_(parts);

/* Values of mark[i]: not in a part; in one that is still to come; in one that has been, by the value chain a had. */
enum { LBP_(part_none) = 0, LBP_(part_open) = 1, LBP_(part_zero) = 2, LBP_(part_one) = 3 };

/* One chain's side of a part, touched[0 .. count) of chain a. */
typedef struct {
  uint32_t count;
  const uint32_t *site;
  const uint8_t *mark;
  int backwards;        /* from the last to the first: so that the way back is the way there, reversed */
  uint32_t ones;        /* the mark of those that come first */
} LBP_(part);

/* Flips the sites of a part, those of `ones` first, and then the others; *done gets how many. Returns log pi's
 * gain; -infinity where a flip is impossible, and then stops before it. */
LBP_FN double LBP_(walk_part)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const LBP_(part) *p, uint32_t *done) {
  double sum = 0;
  uint32_t k, turn;
  *done = 0;
  for (turn = 0; turn < 2; turn++) {
    for (k = 0; k < p->count; k++) {
      const uint32_t i = p->site[p->backwards ? p->count - 1 - k : k];
      LBP_REAL d;
      if ((p->mark[i] == p->ones) != (turn == 0)) continue;
      d = LBP_(delta)(c, m, i);
      LBP_P_WATCH(if (LBP_(is_nan)(d)) LBP_(meet_nan)(c, m, i);)
      if (lbp_is_impossible((float)d)) return (double)lbp_impossible();
      sum += (double)d;
      LBP_(flip_site)(c, m, i);
      ++*done;
    }
  }
  return sum;
}

/* Flips the first `done` back, from the last one on. */
LBP_FN void LBP_(walk_part_back)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const LBP_(part) *p, uint32_t done) {
  uint32_t left = p->count, k, turn;
  for (turn = 2; turn-- > 0;) {
    for (k = p->count; k-- > 0;) {
      const uint32_t i = p->site[p->backwards ? p->count - 1 - k : k];
      if ((p->mark[i] == p->ones) != (turn == 0)) continue;
      if (left-- <= done) LBP_(flip_site)(c, m, i);
    }
  }
}

#ifdef LBP_LOGP
/* log pi at the chain's temperature, with all the digits that LBP_LOGP has. */
LBP_FN double LBP_(logp_fine)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  double logp;
  LBP_(prepare_fields)(c, m);
  logp = LBP_(call_logp)(c, m);
  LBP_P_TEMPER(if (lbp_is_finite(logp)) {
    logp = lbp_rounded((double)c->beta * logp) + lbp_rounded((1 - (double)c->beta) * (double)LBP_(base_logp)(c, m));
  })
  return logp;
}
#endif

/* The chain's side of an exchange: x gets the part's other values. Returns log pi's gain, -infinity if it can't,
 * and then x is as it was. Adds to *asked. */
LBP_FN double LBP_(take_part)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const LBP_(part) *p, uint64_t *asked) {
  uint32_t done;
  double gain = LBP_(walk_part)(c, m, p, &done);
  *asked += done + (done < p->count);
  if (done == p->count) return gain;
  LBP_(walk_part_back)(c, m, p, done);
#ifdef LBP_LOGP
  {
    const double here = LBP_(logp_fine)(c, m);
    uint32_t k;
    for (k = 0; k < p->count; k++) LBP_(turn)(c, p->site[k]);
    c->fields_ready = 0;
    gain = LBP_(logp_fine)(c, m) - here;
    *asked += 2;
    if (!lbp_is_impossible((float)gain)) return gain;
    for (k = 0; k < p->count; k++) LBP_(turn)(c, p->site[k]);
    c->fields_ready = 0;
    LBP_(prepare_fields)(c, m);
  }
#endif
  return (double)lbp_impossible();
}

#ifdef LBP_SYMMETRIC
LBP_INLINE int LBP_(is_symmetric)(const LBP_MODEL_T *lbp_m) {
  (void)lbp_m;
  return (LBP_P_CALL(LBP_SYMMETRIC, (lbp_m))) != 0;
}

LBP_FN void LBP_(mirror)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  uint32_t i;
  for (i = 0; i < LBP_P_COUNT(c); i++) c->x[i] ^= 1;
  LBP_NAME_(touch)(c);
  LBP_(prepare)(c, m, 0);
}

/* Part of NAME_check: the log-ratio of site i before and after all sites flip. */
LBP_COLD int LBP_(check_symmetry)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REPORT_T *report) {
  LBP_REAL before, after;
  if (!LBP_(is_symmetric)(m)) return LBP_OK;
  before = LBP_(delta)(c, m, i);
  LBP_(mirror)(c, m);
  after = LBP_(delta)(c, m, i);
  LBP_(mirror)(c, m);
  if (LBP_(same)(after, before) || LBP_(agree)(after, before, LBP_(abs)(before))) return LBP_OK;
  return LBP_(find)(report, LBP_E_SYMMETRIC, i, i, after, before);
}
#endif

/* Marks the sites that parts are made of; returns how many. If the model is symmetric those that are fewer, of sites
 * where the chains differ or agree: *agree is 1 if they agree. */
LBP_FN uint32_t LBP_(mark_parts)(LBP_CHAIN_T *a, LBP_CHAIN_T *b, const LBP_MODEL_T *m, uint8_t *mark,
                                 uint32_t *agree) {
  const uint32_t n = LBP_P_COUNT(a);
  uint32_t i, count = 0, movable = 0;
  *agree = 0;
  for (i = 0; i < n; i++) {
    uint32_t open = 1;
    LBP_P_CLAMP(open = !LBP_(is_clamped)(a, i) && !LBP_(is_clamped)(b, i);)
    movable += open;
    mark[i] = (uint8_t)(open & (a->x[i] != b->x[i]));
    count += mark[i];
  }
#ifdef LBP_SYMMETRIC
  if (count <= movable / 2 || !LBP_(is_symmetric)(m)) return count;
  *agree = 1;
  for (i = 0; i < n; i++) {
    mark[i] = (uint8_t)(a->x[i] == b->x[i]);
    LBP_P_CLAMP(mark[i] = mark[i] && !LBP_(is_clamped)(a, i) && !LBP_(is_clamped)(b, i);)
  }
  count = movable - count;
#endif
  return (void)movable, (void)m, count;
}

/* The part of site i, in the order in which neighbours are found: touched[0 .. count) of chain a. */
LBP_FN uint32_t LBP_(find_part)(LBP_CHAIN_T *a, const LBP_MODEL_T *m, uint32_t i, uint8_t *mark) {
  uint32_t list[LBP_MAX_NEIGHBOURS + LBP_BLOCK], count = 1, done, k;
  a->touched[0] = i;
  mark[i] = (uint8_t)(a->x[i] ? LBP_(part_one) : LBP_(part_zero));
  for (done = 0; done < count && !LBP_P_PRODUCT; done++) {
    const uint32_t length = LBP_(neighbours)(a, m, a->touched[done], list);
    for (k = 0; k < length; k++) {
      const uint32_t j = list[k];
      if (mark[j] != LBP_(part_open)) continue;
      mark[j] = (uint8_t)(a->x[j] ? LBP_(part_one) : LBP_(part_zero));
      a->touched[count++] = j;
    }
  }
  return count;
}

/* Whether the chains have the same temperature. */
LBP_INLINE int LBP_(is_as_warm)(const LBP_CHAIN_T *a, const LBP_CHAIN_T *b) {
  LBP_P_TEMPER(return a->beta == b->beta;)
  return (void)a, (void)b, 1;
}

/* Whether a part goes over, by the gain of both chains' log pi together. At equal temperatures that is 0, unless a
 * neighbour was missing, so that a coin came before: half of all parts are not even looked at. */
LBP_INLINE int LBP_(goes_over)(double gain, int alike, LBP_RNG_T *rng) {
  const double chance = !alike ? lbp_heat_bath(gain) : gain >= 0 ? 1 : gain > -700 ? lbp_exp(gain) : 0;
  return (alike && chance >= 1) || lbp_bernoulli_trial(LBP_(word)(rng), chance);
}

/* Exchanges states of two different chains of a model, part by part, see above. Both keep their temperatures. A site
 * that is clamped in one of them stays in both. Costs a look at all sites and two log-ratios for each site of a part,
 * at equal temperatures for half of the parts, and does not keep the weights of either chain. Nothing happens if a and
 * b are one chain, or have different numbers of sites. */
LBP_FN LBP_NAME_(parts) LBP_NAME_(swap_parts)(LBP_CHAIN_T *a, LBP_CHAIN_T *b, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_NAME_(parts) info;
  memset(&info, 0, sizeof info);
  LBP_P_CHECK(if (!LBP_(ready)(a, m, rng) || !LBP_(ready)(b, m, rng)) return info;)
  if (a == b || LBP_P_COUNT(a) != LBP_P_COUNT(b)) return info;
  uint8_t *const mark = (uint8_t *)(void *)a->weight;
  const int alike = LBP_(is_as_warm)(a, b);
  double gain[2] = {0, 0};
  uint64_t asked = 0;
  uint32_t i, agree;
  LBP_(prepare_fields)(a, m);
  LBP_(prepare_fields)(b, m);
  a->weights_ready = b->weights_ready = 0;
  info.sites = LBP_(mark_parts)(a, b, m, mark, &agree);
  for (i = 0; i < LBP_P_COUNT(a); i++) {
    LBP_(part) p = {0, a->touched, mark, 0, LBP_(part_one)};
    double there, back;
    if (mark[i] != LBP_(part_open)) continue;
    p.count = LBP_(find_part)(a, m, i, mark);
    info.parts++;
    info.largest = p.count > info.largest ? p.count : info.largest;
    if (alike && LBP_(word)(rng) >> 63) continue;
#ifdef LBP_CAT_STATES
    {
      uint32_t k;
      for (k = 0; k < p.count; k++) a->other[p.site[k]] = b->x[p.site[k]], b->other[p.site[k]] = a->x[p.site[k]];
    }
    p.backwards = a->x[i] < b->x[i];
    p.ones = LBP_(part_none); /* no site comes first */
    there = LBP_(take_part)(a, m, &p, &asked);
    p.backwards = !p.backwards;
#else
    p.backwards = a->x[i] == 0;
    there = LBP_(take_part)(a, m, &p, &asked);
    p.backwards = b->x[i] == 0;
    p.ones = agree ? LBP_(part_one) : LBP_(part_zero);
#endif
    if (lbp_is_impossible((float)there)) continue;
    back = LBP_(take_part)(b, m, &p, &asked);
    if (LBP_(goes_over)(there + back, alike, rng)) {
      info.exchanged++;
      info.jump += p.count;
      gain[0] += there;
      gain[1] += back;
      continue;
    }
    if (!lbp_is_impossible((float)back)) LBP_(walk_part_back)(b, m, &p, p.count);
    LBP_P_BINARY(p.backwards = a->x[i] != 0, p.ones = LBP_(part_one);)
    LBP_P_CAT(p.backwards = !p.backwards;)
    LBP_(walk_part_back)(a, m, &p, p.count);
  }
  info.evaluations = asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX;
  info.log_ratio[0] = (LBP_REAL)gain[0];
  info.log_ratio[1] = (LBP_REAL)gain[1];
  return (void)agree, info;
}

#endif /* LBP_P_INSTANCE */
