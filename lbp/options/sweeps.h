/* lbp/options/sweeps.h - Metropolis sweeps, and sweeps that only visit the sites that flip: LBP_SWEEPS, LBP_LEVEL.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_SWEEPS or
 * LBP_LEVEL is defined; lbp_run.h does so by itself. You need it for NAME_metropolis_sweep and NAME_skip_sweep, and
 * don't include it yourself.
 *
 * LBP_SWEEPS: if defined, both are generated, NAME_skip_sweep for local models only.
 *
 * LBP_LEVEL(m, x, i) -> uint32_t, LBP_LEVELS: optional, for local models: a number below the constant LBP_LEVELS that
 * determines the log-ratio of site i: sites of the same level have the same log-ratio in all states. So sweeps ask the
 * model once a level, and then use a table. For an Ising model on a grid, the level combines x[i] and the number of
 * neighbours that are 1. With LBP_FIELDS_T it gets fields, too; NAME_touch and NAME_temper forget the tables. LBP_BASE
 * is not allowed with it, because it depends on the site: at a temperature no level would determine the log-ratio.
 *
 * Order of this file: levels, the Metropolis sweep, the skip sweep.
 *
 * Sources: Metropolis et al., J. Chem. Phys. 21, 1953. Skipping in order, by exponential times, is the discrete form of
 * the n-fold way: Bortz, Kalos, Lebowitz, J. Comput. Phys. 17, 1975.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/sweeps.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* ---- levels ------------------------------------------------------------------------------------------------------ */

/* Dense estimates alone: a site is asked for by flipping it. */
#if LBP_P_BY_LOGP && !LBP_P_KEEPS && !defined LBP_DELTA
#define LBP_P_ASKS_LOGP 1
#else
#define LBP_P_ASKS_LOGP 0
#endif

/* The probability of a flip as a number of 62 bits, as NAME_priv_trial has it. */
LBP_FN uint64_t LBP_(bar)(LBP_REAL d) {
  const LBP_REAL lowest = sizeof(LBP_REAL) == sizeof(float) ? -85 : -700;
  LBP_REAL p, high;
  if (d >= 0) return LBP_CERTAIN;
  if (lbp_is_impossible((float)d) || LBP_(is_nan)(d) || d < lowest) return 0;
  p = LBP_(exp)(d);
  high = p * (LBP_REAL)1073741824.0; /* whole and rest: see lbp_bernoulli_trialf */
  return ((uint64_t)(uint32_t)(int32_t)high << 32) +
         (uint64_t)(uint32_t)((high - (LBP_REAL)(int32_t)high) * (LBP_REAL)4294967296.0);
}

#ifdef LBP_LEVEL
enum { LBP_(levels) = LBP_LEVELS }; /* yours by a name that no parameter or variable has */
#undef LBP_LEVELS
#define LBP_LEVELS LBP_(levels)

LBP_INLINE uint32_t LBP_(call_level)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i;
  return (uint32_t)(LBP_P_CALL(LBP_LEVEL, (LBP_P_ARGS, lbp_i)));
}

/* The bar of a level that is not known yet: above all others, so that loops over sites stop at it as at a flip. */
#define LBP_P_UNKNOWN UINT64_MAX

/* The bar of site i, or that; and the site's level, if a flip is possible. */
LBP_INLINE uint64_t LBP_(bar_of)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t *level) {
  LBP_P_CLAMP(if (LBP_(is_clamped)(c, i)) return 0;)
  *level = LBP_(call_level)(c, m, i);
  LBP_P_CHECK(if (*level >= LBP_LEVELS) LBP_(fail)(c, LBP_E_LEVEL, i, i, (LBP_REAL)*level, LBP_LEVELS);)
  LBP_P_CHECK(if (*level >= LBP_LEVELS) return 0;)
  return c->bar[*level];
}

LBP_APART uint64_t LBP_(learn_bar)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  const uint32_t level = LBP_(call_level)(c, m, i);
  const LBP_REAL d = LBP_(delta)(c, m, i);
  LBP_P_WATCH(if (LBP_(is_nan)(d)) LBP_(meet_nan)(c, m, i);)
  c->bar[level] = LBP_(bar)(d);
  c->gain[level][0] = 0;
  c->gain[level][1] = d;
  return c->bar[level];
}
#endif

#ifdef LBP_LEVEL
LBP_FN int LBP_(agree)(LBP_REAL got, LBP_REAL want, LBP_REAL scale); /* elsewhere in lbp.h */
LBP_FN LBP_REAL LBP_(abs)(LBP_REAL v);

/* Part of NAME_check: sites of the level of site i have its log-ratio, at x and with i flipped. */
LBP_COLD int LBP_(check_level)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REPORT_T *report) {
  int round, status = LBP_OK;
  uint32_t j;
  if (!LBP_(is_finite)(LBP_(delta)(c, m, i))) return LBP_OK; /* this flip is never made */
  for (round = 0; round < 2 && status == LBP_OK; round++) {
    const uint32_t level = LBP_(call_level)(c, m, i);
    const LBP_REAL want = LBP_(delta)(c, m, i);
    if (level >= LBP_LEVELS) status = LBP_(find)(report, LBP_E_LEVEL, i, i, (LBP_REAL)level, LBP_LEVELS);
    for (j = 0; j < LBP_P_COUNT(c) && status == LBP_OK; j++) {
      const LBP_REAL got = LBP_(delta)(c, m, j);
      if (LBP_(call_level)(c, m, j) != level || LBP_(agree)(got, want, LBP_(abs)(want))) continue;
      status = LBP_(find)(report, LBP_E_LEVEL, i, j, got, want);
    }
    LBP_(flip_site)(c, m, i);
  }
  if (round == 1) LBP_(flip_site)(c, m, i);
  return status;
}
#endif

/* ---- the Metropolis sweep ---------------------------------------------------------------------------------------- */

/* How a sweep asks sites: by table, by logarithms of a block of random numbers, which are found ahead of the sites in a
 * loop that vectorises, or one by one, where words can't be taken ahead or a site is asked for by flipping it. */
#if !defined LBP_P_OWN_RNG || LBP_P_ASKS_LOGP
#define LBP_P_ONE_BY_ONE 1
#else
#define LBP_P_ONE_BY_ONE 0
#endif

#if LBP_P_ONE_BY_ONE
/* Sites [i, end): those that flip are appended to touched[0 .. jump), and *log_ratio gets log pi's gain. Returns
 * the new jump. */
LBP_INLINE uint32_t LBP_(metropolis_block)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t end,
                                           uint32_t jump, LBP_RNG_T *rng, LBP_REAL *log_ratio) {
  for (; i < end; i++) {
    LBP_REAL d;
    uint64_t bar;
    LBP_P_CLAMP(if (LBP_(is_clamped)(c, i)) continue;)
#if LBP_P_ASKS_LOGP
    LBP_(flip_site)(c, m, i);
    c->logp_proposed = LBP_(logp)(c, m);
    d = c->logp_proposed - c->logp;
#else
    d = LBP_(delta)(c, m, i);
#endif
    bar = LBP_(bar)(d);
    LBP_P_WATCH(if (bar == 0 && !LBP_P_ASKS_LOGP && LBP_(is_nan)(d)) LBP_(meet_nan)(c, m, i);)
    if (bar == LBP_CERTAIN || (bar > 0 && LBP_(word)(rng) >> 2 < bar)) {
      if (!LBP_P_ASKS_LOGP) LBP_(flip_site)(c, m, i);
      LBP_P_LOGP(c->logp = LBP_P_ASKS_LOGP ? c->logp_proposed : c->logp;)
      c->touched[jump++] = i;
      *log_ratio += d;
    } else if (LBP_P_ASKS_LOGP) {
      LBP_(flip_site)(c, m, i);
    }
  }
  return jump;
}
#else
#if defined LBP_LEVEL && !defined LBP_FIELDS_T && !LBP_CHECKED
/* NAME_priv_metropolis_block by table, with no branch on whether a site flips. */
LBP_INLINE uint32_t LBP_(metropolis_by_level)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t end,
                                              uint32_t jump, const uint64_t *word, uint32_t *used,
                                              LBP_REAL *log_ratio) {
  LBP_REAL gain = *log_ratio;
  uint32_t k = 0;
  for (; i < end; i++) {
    uint32_t level, flips;
    uint64_t bar;
    LBP_P_CLAMP(if (LBP_(is_clamped)(c, i)) continue;)
    level = LBP_(call_level)(c, m, i);
    bar = c->bar[level];
    if (LBP_SELDOM(bar == LBP_P_UNKNOWN)) bar = LBP_(learn_bar)(c, m, i);
    flips = word[k] >> 2 < bar;
    c->x[i] ^= (uint8_t)flips;
    c->touched[jump] = i;
    jump += flips;
    gain += c->gain[level][flips]; /* looked up: compilers make a branch of a product */
    k += bar - 1 < LBP_CERTAIN - 1;
  }
  *used = k;
  *log_ratio = gain;
  return jump;
}
#endif

/* Sites [i, end), as above, with their random words, of which *used are. A loop over sites that do not flip stores
 * nothing, so that data that callbacks read stay in registers. `careful`: see NAME_priv_gibbs_block. */
LBP_INLINE uint32_t LBP_(metropolis_block)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t end,
                                           uint32_t jump, const uint64_t *word, uint32_t *used, int careful,
                                           LBP_REAL *log_ratio) {
  LBP_REAL gain = *log_ratio; /* stays in a register */
  uint32_t k = 0;
#ifdef LBP_LEVEL
  (void)careful;
#if !defined LBP_FIELDS_T && !LBP_CHECKED
  /* where from a fourth to three fourths of the sites before flip, the branch is hard to predict */
  if ((uint64_t)jump * 4 >= i && (uint64_t)jump * 4 <= (uint64_t)i * 3) {
    return LBP_(metropolis_by_level)(c, m, i, end, jump, word, used, log_ratio);
  }
#endif
  for (; i < end; i++) {
    uint32_t level = 0;
    uint64_t bar = 0;
    for (; i < end; i++) {
      bar = LBP_(bar_of)(c, m, i, &level);
      if (word[k] >> 2 < bar) break; /* one that is certain, or not known yet, is above all words */
      k += bar > 0;
    }
    if (i == end) break;
    if (bar == LBP_P_UNKNOWN) bar = LBP_(learn_bar)(c, m, i);
    if (word[k] >> 2 < bar) {
      gain += c->gain[level][1];
      LBP_(flip_site)(c, m, i);
      c->touched[jump++] = i;
    }
    k += bar - 1 < LBP_CERTAIN - 1;
  }
#else
  const LBP_REAL half = (LBP_REAL)0.5, all = (LBP_REAL)LBP_CERTAIN;
  LBP_REAL log_u[LBP_BLOCK];
  for (k = 0; k < end - i; k++) log_u[k] = LBP_(log)((LBP_(real)(word[k] >> 2) + half) / all);
  for (k = 0; i < end; i++) {
    const LBP_REAL d = LBP_(delta)(c, m, i);
    const int nan = LBP_FAST_MATH && LBP_(is_nan)(d); /* else no comparison holds of it */
    int flips = !careful || (d >= 0 && !nan);
    LBP_P_WATCH(if (careful && LBP_(is_nan)(d)) LBP_(meet_nan)(c, m, i);)
    if (d < 0 && !nan) { /* a NaN, which flips unless `careful`, passes by: to look for it costs nothing */
      flips = d > log_u[k];
      k += !lbp_is_below_all((float)d);
    }
    if (flips) {
      LBP_(flip_site)(c, m, i);
      c->touched[jump++] = i;
      gain += d;
    }
  }
#endif
  *used = k;
  *log_ratio = gain;
  return jump;
}

#if LBP_P_WATCHES
/* Such a block again, `before` which there were so many flips. */
LBP_COLD LBP_(swept) LBP_(metropolis_again)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t end,
                                            uint32_t jump, uint32_t before, const uint64_t *word, LBP_REAL log_ratio) {
  LBP_(swept) it = {0, 0, 0};
  it.log_ratio = log_ratio;
  while (jump > before) LBP_(flip_site)(c, m, c->touched[--jump]);
  it.jump = LBP_(metropolis_block)(c, m, i, end, jump, word, &it.used, 1, &it.log_ratio);
  return it;
}
#endif
#endif

/* One systematic sweep by Metropolis' rule: every site once, in order, flips with probability min(1, e^d), d its
 * log-ratio. Takes no random number where a flip is impossible or certain. Does not keep the weights. By table where
 * LBP_LEVEL is defined. info.accept is 1.
 *
 * Where flips are certain a sweep is no longer random: sites that are independent of all others and have d = 0 flip
 * every time, all of them together. Take Gibbs sweeps there; at beta = 0, where that is so of all sites, this is
 * one. */
LBP_CALLED LBP_INFO_T LBP_NAME_(metropolis_sweep)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  const uint32_t n = LBP_P_COUNT(c);
  LBP_INFO_T info;
  uint32_t i, count, jump = 0;
  LBP_P_TEMPER(if (c->beta == 0) return LBP_NAME_(gibbs_sweep)(c, m, rng);)
  memset(&info, 0, sizeof info);
  info.sites = c->touched;
  if (LBP_P_KEEPS) LBP_(prepare_fields)(c, m);
  else LBP_(prepare)(c, m, 0);
  LBP_P_DENSE(info.evaluations = LBP_P_KEEPS ? !c->ratio_ready : n;)
  for (i = 0; i < n; i += count) {
    count = n - i < LBP_BLOCK ? n - i : LBP_BLOCK;
#if LBP_P_ONE_BY_ONE
    jump = LBP_(metropolis_block)(c, m, i, i + count, jump, rng, &info.log_ratio);
#else
    {
      const uint64_t *word = lbp_rng_take(rng, &count);
      uint32_t used;
      LBP_P_WATCH(const uint32_t before = jump;)
      LBP_P_WATCH(const LBP_REAL gained = info.log_ratio;)
      jump = LBP_(metropolis_block)(c, m, i, i + count, jump, word, &used, LBP_P_CAREFUL, &info.log_ratio);
#if LBP_P_WATCHES
      if (!LBP_P_CAREFUL && LBP_SELDOM(LBP_(hides_nan)(info.log_ratio))) {
        const LBP_(swept) it = LBP_(metropolis_again)(c, m, i, i + count, jump, before, word, gained);
        jump = it.jump;
        used = it.used;
        info.log_ratio = it.log_ratio;
      }
#endif
      rng->left += count - used; /* the others are still to come */
    }
#endif
  }
#if LBP_P_BY_LOGP && !LBP_P_ASKS_LOGP
  c->logp_ready &= jump == 0;
#endif
  info.accept = 1;
  info.accepted = 1;
  info.proposed = info.jump = jump;
  if (LBP_P_LOCAL) info.evaluations = n;
  LBP_P_DENSE(if (LBP_P_KEEPS) info.evaluations += jump - (jump > 0 && !c->ratio_ready);)
  c->weights_ready = 0;
  return info;
}

/* ---- the skip sweep ---------------------------------------------------------------------------------------------- */

#if LBP_P_LOCAL
/* The value of weights_ready while weight[] has hazards, and before[] their sums over blocks of LBP_BLOCK sites. */
enum { LBP_(has_hazards) = 8 };

LBP_INLINE uint32_t LBP_(hazard)(LBP_REAL d, int weight) {
  return weight == LBP_BARKER ? lbp_hazard_barker((float)d) : lbp_hazard_metropolis((float)d);
}

/* The hazard of site i; d: its log-ratio, where there are no levels. */
LBP_INLINE uint32_t LBP_(hazard_of)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL d, int weight) {
#ifdef LBP_LEVEL
  LBP_P_CLAMP(if (LBP_(is_clamped)(c, i)) return 0;)
  const uint32_t level = LBP_(call_level)(c, m, i);
  (void)d;
  LBP_P_CHECK(if (level >= LBP_LEVELS) LBP_(fail)(c, LBP_E_LEVEL, i, i, (LBP_REAL)level, LBP_LEVELS);)
  LBP_P_CHECK(if (level >= LBP_LEVELS) return 0;)
  if (LBP_SELDOM(c->hazard[level] == 0)) {
    const LBP_REAL now = LBP_(delta)(c, m, i);
    LBP_P_WATCH(if (LBP_(is_nan)(now)) LBP_(meet_nan)(c, m, i);)
    c->hazard[level] = LBP_(hazard)(now, weight) + 1;
  }
  return c->hazard[level] - 1;
#else
  return (void)c, (void)m, (void)i, LBP_(hazard)(d, weight);
#endif
}

/* The hazards of all sites, from scratch. */
LBP_CALLED void LBP_(begin_hazards)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int weight) {
  uint32_t i;
  LBP_P_LEVELS(memset(c->hazard, 0, sizeof c->hazard);)
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    LBP_REAL d = 0;
#ifndef LBP_LEVEL
    d = LBP_(delta)(c, m, i);
    LBP_P_WATCH(if (LBP_(is_nan)(d)) LBP_(meet_nan)(c, m, i);)
#endif
    c->weight[i] = LBP_(hazard_of)(c, m, i, d, weight);
    if (i % LBP_BLOCK == 0) c->before[i / LBP_BLOCK] = 0;
    c->before[i / LBP_BLOCK] += c->weight[i];
  }
  c->weights_ready = LBP_(has_hazards) + weight;
}

#if LBP_CHECKED
/* When all that a chain keeps has just been examined: hazards against those from scratch, which they become. */
LBP_CALLED void LBP_(examine_hazards)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int weight) {
  const uint32_t n = LBP_P_COUNT(c), blocks = (n - 1) / LBP_BLOCK + 1;
  LBP_REPORT_T r;
  uint32_t i;
  int status;
  memcpy(c->next, c->weight, n * sizeof c->next[0]);
  memcpy(c->again, c->before, blocks * sizeof c->again[0]);
  LBP_(begin_hazards)(c, m, weight);
  memcpy(c->touched, c->next, n * sizeof c->next[0]);
  memcpy(c->next, c->weight, n * sizeof c->next[0]);
  status = LBP_(compare)(c, c->touched, LBP_E_STALE, &r);
  for (i = 0; i < blocks && status == LBP_OK; i++) {
    const uint32_t got = c->again[i], want = c->before[i], gap = got < want ? want - got : got - want;
    if (gap > (want >> 8) + LBP_BLOCK) {
      status = LBP_(find)(&r, LBP_E_STALE, i * LBP_BLOCK, i * LBP_BLOCK, (LBP_REAL)got, (LBP_REAL)want);
    }
  }
  if (status != LBP_OK) LBP_(fail)(c, r.status, r.site, r.other, r.got, r.want);
}
#endif

/* Flips site i; it and its neighbours get new hazards. Returns how many log-ratios that took. */
LBP_INLINE uint32_t LBP_(skip_flip)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, int weight) {
  enum { LBP_(listed_at_once) = LBP_MAX_NEIGHBOURS + 2 + 2 * LBP_PAD };
  uint32_t site[LBP_(listed_at_once)], next[LBP_(listed_at_once)], count, k;
  LBP_P_WATCH(LBP_REAL sum = 0;) /* NaN if a log-ratio is */
#ifdef LBP_LEVEL
  LBP_(flip_site)(c, m, i);
  count = LBP_P_PRODUCT ? 0 : LBP_(neighbours)(c, m, i, site);
  site[count++] = i;
  for (k = 0; k < count; k++) next[k] = LBP_(hazard_of)(c, m, site[k], 0, weight);
#else
  LBP_REAL ratio[LBP_(listed_at_once)];
  count = LBP_(flip_and_list)(c, m, i, site, ratio);
  site[count] = i;
  ratio[count++] = LBP_(delta)(c, m, i);
  for (k = count; k < lbp_padded(count); k++) ratio[k] = 0;
  for (k = 0; k < lbp_padded(count); k++) next[k] = LBP_(hazard)(ratio[k], weight);
#endif
  for (k = 0; k < count; k++) {
    c->before[site[k] / LBP_BLOCK] += next[k] - c->weight[site[k]];
    c->weight[site[k]] = next[k];
#ifndef LBP_LEVEL
    LBP_P_WATCH(sum += ratio[k];)
#endif
  }
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(sum))) LBP_(seek_nan)(c, m);)
  return count;
}

/* The first site from `from` on where the clock's remaining time runs out; n if it does not. */
LBP_INLINE uint32_t LBP_(next_out)(const LBP_CHAIN_T *c, uint32_t from, uint32_t left) {
  const uint32_t n = LBP_P_COUNT(c), blocks = (n - 1) / LBP_BLOCK + 1, *hazard = c->weight, *sum = c->before;
  uint32_t i = from, b, end;
  while (i < n) {
    if (i % LBP_BLOCK == 0) {
      for (b = i / LBP_BLOCK; b < blocks && left >= sum[b]; b++) left -= sum[b];
      if (b == blocks) return n;
      i = b * LBP_BLOCK;
    }
    end = n - i < LBP_BLOCK ? n : (i / LBP_BLOCK + 1) * LBP_BLOCK;
    if (end > n) end = n;
    for (; i < end && left >= hazard[i]; i++) left -= hazard[i];
    if (i < end) return i;
  }
  return n;
}

/* One sweep that is the same in law as NAME_gibbs_sweep (`weight` LBP_BARKER) or NAME_metropolis_sweep
 * (LBP_METROPOLIS), but skips the sites that do not flip. It draws an exponential time E and passes along the sites,
 * in blocks, until the sum of their hazards -log(1 - w) reaches E; there a site flips, and E is drawn again. Hazards
 * are whole numbers, rounded up; E is cut to whole numbers too, and still has no memory. Where E is reached, the site
 * flips with probability w / (1 - e^-hazard); otherwise the sweep continues after it. So rounding does not change the
 * law.
 *
 * Pays if fewer than about 2 % of the sites flip. Hazards are kept from one such sweep to the next, in place of the
 * weights: LBP and GWG steps look at all sites once after them. Any other `weight` does nothing (LBP_E_RANGE in a
 * checked build). info.accept is 1. */
LBP_CALLED LBP_INFO_T LBP_NAME_(skip_sweep)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int weight, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  const uint32_t n = LBP_P_COUNT(c);
  LBP_INFO_T info;
  uint32_t i = 0, jump = 0;
  uint64_t evaluations = 0;
  memset(&info, 0, sizeof info);
  info.sites = c->touched;
  if (weight != LBP_BARKER && weight != LBP_METROPOLIS) {
    LBP_P_CHECK(LBP_(fail)(c, LBP_E_RANGE, 0, 0, (LBP_REAL)weight, 0);)
    return info;
  }
  LBP_P_TEMPER(if (c->beta == 0) weight = LBP_BARKER;)
  LBP_(prepare)(c, m, 0);
  if (c->weights_ready != LBP_(has_hazards) + weight) {
    LBP_(begin_hazards)(c, m, weight);
    evaluations = n;
  }
  LBP_P_CHECK(else if (c->wait == n / 16) LBP_(examine_hazards)(c, m, weight);)
  LBP_P_CHECK(if (LBP_(failed)(c)) return info;)
  for (;; i++) {
    LBP_REAL d;
    i = LBP_(next_out)(c, i, (uint32_t)(int32_t)(lbp_exponential(LBP_(word)(rng)) / LBP_HAZARD_UNIT));
    if (i >= n) break;
    evaluations++;
    d = LBP_(delta)(c, m, i);
    if (!lbp_hazard_trial(LBP_(word)(rng), c->weight[i], (double)d, weight)) continue;
    c->touched[jump++] = i;
    info.log_ratio += d;
    evaluations += LBP_(skip_flip)(c, m, i, weight);
    LBP_P_CHECK(if (LBP_(failed)(c)) break;)
  }
  info.evaluations = evaluations < UINT32_MAX ? (uint32_t)evaluations : UINT32_MAX; /* flips ask for neighbours, too */
  info.accept = 1;
  info.accepted = 1;
  info.proposed = info.jump = jump;
  return info;
}
#endif

#undef LBP_P_UNKNOWN
#undef LBP_P_ASKS_LOGP
#undef LBP_P_ONE_BY_ONE

#endif /* LBP_P_INSTANCE */
