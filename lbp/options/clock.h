/* lbp/options/clock.h - rejection-free steps of fixed time (n-fold way, BKL, kinetic Monte Carlo): LBP_CLOCK.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_CLOCK is
 * defined; lbp_run.h does so by itself. It gives NAME_clock_step.
 *
 * LBP_CLOCK: the rate w_i(x) at which site i flips while the chain is in x. With t = pi(x with i flipped) / pi(x), it
 * is one of
 *
 *   LBP_BARKER        t / (1 + t)
 *   LBP_METROPOLIS    min(1, t)
 *   LBP_BIRTH_DEATH   t to switch a site on, 1 to switch one off: dense models
 *
 * For a local model it must equal LBP_WEIGHT. The chain stays in a state for an exponential time of rate W(x), the sum
 * of all w_i(x); then i flips with probability w_i / W. Since pi(x) w_i(x) is the same on both sides of a flip, pi is
 * invariant under this process for any fixed time. A step ends after such a time, in the middle of a stay: exponential
 * times have no memory. So draws have equal weights, as those of other steps do, and neither parity nor temperature
 * needs care. Log-ratios must be exact: no acceptance decision could correct estimates.
 *
 * Weights are rounded to integers, but this costs no exactness. A site's integer plus one is never below its weight,
 * and W is the sum of these. A site that is drawn flips with probability weight / (integer + 1); otherwise the state
 * stays. This also holds for birth-death weights, which are unbounded and are rounded relative to the largest. If all
 * weights are so small that hardly any drawn site flips, as deep in a mode, the next flip is found from all log-ratios,
 * in double.
 *
 * Order of this file: weights, jumps, the step. The tuner of times is in lbp/base/moves.h.
 *
 * Sources: Bortz, Kalos, Lebowitz, J. Comput. Phys. 17, 1975, and Gillespie, J. Comput. Phys. 22, 1976 (the chain);
 * Zanella, Roberts, "Scalable Importance Tempering and Bayesian Variable Selection", JRSS B 2019 (birth-death weights,
 * there in importance sampling).
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/clock.h: lbp.h includes it, inside its template: don't include it yourself"
#elif defined LBP_CLOCK

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* The value of weights_ready where weights are the clock's. */
#define LBP_P_CLOCK_READY (LBP_CLOCK == LBP_WEIGHT ? 1 : 2)

/* The logarithm of a birth-death weight; it is as impossible as the flip. */
LBP_INLINE LBP_REAL LBP_(log_rate)(uint8_t x, LBP_REAL d) {
  const uint32_t death = x & ((uint32_t)lbp_is_impossible((float)d) ^ 1u);
  return LBP_CLOCK == LBP_BIRTH_DEATH && death ? 0 : d;
}

#if !LBP_P_LOCAL
/* The largest of them: birth-death weights, which have no bound, are kept relative to it. At least the limit of
 * lbp_exp, as also where the largest is infinite. (An impossible death counts as a possible one: that costs digits
 * only.) In lanes: compilers don't take a maximum apart. */
LBP_FN LBP_REAL LBP_(scale)(const LBP_CHAIN_T *c) {
  enum { LBP_(lanes) = 8 };
  const LBP_REAL limit = sizeof(LBP_REAL) == sizeof(float) ? 80 : 700, *ratio = c->ratio;
  const uint32_t n = LBP_P_COUNT(c);
  const uint8_t *x = c->x;
  LBP_REAL most[LBP_(lanes)], top = -limit;
  uint32_t i, k;
  if (LBP_CLOCK != LBP_BIRTH_DEATH) return 0;
  for (k = 0; k < LBP_(lanes); k++) most[k] = -limit;
  for (i = 0; i + LBP_(lanes) <= n; i += LBP_(lanes)) {
    for (k = 0; k < LBP_(lanes); k++) {
      const LBP_REAL v = x[i + k] ? 0 : ratio[i + k];
      most[k] = v > most[k] ? v : most[k]; /* not a NaN */
    }
  }
  for (; i < n; i++) {
    const LBP_REAL v = x[i] ? 0 : ratio[i];
    most[0] = v > most[0] ? v : most[0];
  }
  for (k = 0; k < LBP_(lanes); k++) top = most[k] > top ? most[k] : top;
  return LBP_(is_finite)(top) ? top : limit;
}

/* next[k] = the weight of a site from its log-ratio, for a block of sites. Logarithms first: the second loop
 * vectorises. */
LBP_INLINE void LBP_(clock_weigh_block)(const uint8_t *x, const LBP_REAL *ratio, LBP_REAL scale, uint32_t count,
                                        uint32_t *next) {
  float log_rate[LBP_BLOCK];
  uint32_t k;
  for (k = 0; k < count; k++) log_rate[k] = (float)(LBP_(log_rate)(x[k], ratio[k]) - scale);
#if LBP_CLOCK == LBP_BARKER
  for (k = 0; k < count; k++) next[k] = lbp_weight_barker(log_rate[k]);
#else
  for (k = 0; k < count; k++) next[k] = lbp_weight_metropolis(log_rate[k]);
#endif
  LBP_SETTLE(next);
}

/* The weights of x, from ratio[]. */
LBP_CALLED void LBP_(clock_weigh)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REAL scale) {
  const uint32_t n = LBP_P_COUNT(c);
  uint32_t done, block;
  memset(&c->y.sums, 0, sizeof c->y.sums);
  for (done = 0; done < n; done += block) {
    block = n - done < LBP_BLOCK ? n - done : LBP_BLOCK;
    LBP_(clock_weigh_block)(c->x + done, c->ratio + done, scale, block, c->next + done);
    lbp_urn_tally(&c->y.sums, c->next + done, NULL, block);
  }
  LBP_P_WATCH(if (LBP_SELDOM(c->y.sums.positive < n)) LBP_(seek_nan)(c, m);)
  (void)m;
  LBP_(start_weights)(c);
  c->weights_ready = LBP_P_CLOCK_READY;
}
#endif

/* A weight, relative to e^scale, from the log-ratio. */
LBP_FN double LBP_(clock_rate)(const LBP_CHAIN_T *c, uint32_t i, LBP_REAL d, LBP_REAL scale) {
  const double most = 700, log_rate = (double)(LBP_(log_rate)(c->x[i], d) - scale); /* rounded as there */
  const double v = log_rate > most ? most : log_rate < -most ? -most : log_rate;
  if (lbp_is_impossible((float)d)) return 0;
  if (LBP_CLOCK == LBP_BARKER) return 1.0 / (1.0 + lbp_exp(-v));
  return v < 0 ? lbp_exp(v) : 1;
}

/* ---- jumps ------------------------------------------------------------------------------------------------------- */

/* The log-ratio of site i, to all digits. */
LBP_INLINE LBP_REAL LBP_(exact_ratio)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint64_t *evaluations) {
#if LBP_P_LOCAL
  *evaluations += 1;
  return LBP_(delta)(c, m, i);
#else
  (void)m, (void)evaluations;
  return c->ratio[i];
#endif
}

/* Whether site i, which was picked, flips: with the share that its weight has of its integer plus one, which is nearly
 * always clear before either is known to all digits. */
LBP_INLINE int LBP_(is_due)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL scale, uint64_t word,
                            uint64_t *evaluations) {
  const uint32_t v = c->weight[i] + 1;
  LBP_REAL d;
  if ((float)(int32_t)(word >> 33) * (1.0f / 2147483648.0f) < 1.0f - 5e-5f - 2.0f / (float)(int32_t)(v >> 1)) return 1;
  d = LBP_(exact_ratio)(c, m, i, evaluations);
  return lbp_bernoulli_trial(word, LBP_(clock_rate)(c, i, d, scale) * LBP_CLOCK_UNIT / (double)v);
}

/* How many picks in a row may flip nothing before all log-ratios are looked at, if there are fewer sites. */
#define LBP_P_PATIENCE 64u

/* The next jump by all log-ratios, where weights are so far below their integers plus one that hardly a pick flips:
 * each site has its own exponential time, and the first flips (Gillespie's first reaction). Returns that site,
 * n if *time ends before; *time gets the rest. */
LBP_CALLED uint32_t LBP_(first_due)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, double *time, LBP_RNG_T *rng,
                                    uint64_t *evaluations) {
  const uint32_t n = LBP_P_COUNT(c);
  double first = *time;
  uint32_t i, site = n;
  for (i = 0; i < n; i++) {
    double v, root, mine = lbp_exponential(LBP_(word)(rng));
    const LBP_REAL d = LBP_(exact_ratio)(c, m, i, evaluations);
    if (lbp_is_impossible((float)d)) continue;
    v = -(double)LBP_(log_rate)(c->x[i], d);
    if (LBP_CLOCK == LBP_METROPOLIS && v < 0) v = 0;
    root = lbp_exp(v / 2 > 700 ? 700 : v / 2 < -700 ? -700 : v / 2); /* its square may be infinite: so is the time */
    mine *= (LBP_CLOCK == LBP_BARKER) + root * root;
    if (mine < first) first = mine, site = i;
  }
  *time -= first;
  return site;
}

#if !LBP_P_LOCAL
/* Flips site i, and evaluates all log-ratios again; *gain gets log pi's gain. Returns the number of evaluations. */
LBP_INLINE uint32_t LBP_(jump)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *gain) {
  *gain = c->ratio[i];
  LBP_(flip_site)(c, m, i);
  LBP_(deltas)(c, m);
  return 1;
}
#endif

/* ---- the step ---------------------------------------------------------------------------------------------------- */

/* The beginning of a step. Returns whether there is one. */
LBP_INLINE int LBP_(clock_begin)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, double time, LBP_RNG_T *rng, LBP_INFO_T *info) {
  memset(info, 0, sizeof *info);
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return *info = LBP_(nothing)(), 0;)
  info->sites = c->touched;
  LBP_P_CHECK(if (!lbp_is_finite(time)) LBP_(fail)(c, LBP_E_RANGE, 0, 0, (LBP_REAL)time, 0);)
  if (!lbp_is_finite(time) || !(time > 0)) return 0;
#if LBP_P_LOCAL
  LBP_(prepare)(c, m, 1);
#else
  LBP_(prepare_fields)(c, m);
  info->evaluations = !c->ratio_ready;
  if (!c->ratio_ready) LBP_(deltas)(c, m);
  if (c->weights_ready != LBP_P_CLOCK_READY) LBP_(clock_weigh)(c, m, LBP_(scale)(c));
#endif
  (void)rng;
  c->y.log_pi = 0;
  return 1;
}

/* A part of it, of up to `most` jumps, over 0, in up to `time`: adds to *info and *evaluations. Returns the time that
 * is left, 0 where it ends before there are so many. Parts of a step draw the same as the whole step would, since they
 * end with a jump. */
LBP_CALLED double LBP_(clock_go)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, double time, uint32_t most, LBP_RNG_T *rng,
                                 LBP_INFO_T *info, uint64_t *evaluations) {
  const uint32_t patience = LBP_P_COUNT(c) > LBP_P_PATIENCE ? LBP_P_COUNT(c) : LBP_P_PATIENCE;
  LBP_REAL scale = 0;
  double unit = LBP_CLOCK_UNIT;
  uint32_t jumps = 0, refused = 0; /* refused: picks in a row that flipped nothing */
#if !LBP_P_LOCAL
  scale = LBP_(scale)(c);
#endif
  while (c->urn.sums.positive > 0) {
    const uint64_t total = c->urn.sums.total + c->urn.sums.positive;
    LBP_REAL gain;
    uint32_t i;
    info->accept = 1;
    if (LBP_CLOCK == LBP_BIRTH_DEATH) unit = LBP_CLOCK_UNIT * lbp_exp(scale < 700 ? -(double)scale : -700);
    if (refused < patience) {
      time -= lbp_exponential(LBP_(word)(rng)) * unit / (double)(int64_t)total;
      if (!(time > 0)) break;
      refused++;
      i = LBP_(pick)(c, 1, rng);
      if (!LBP_(is_due)(c, m, i, scale, LBP_(word)(rng), evaluations)) continue;
    } else {
      i = LBP_(first_due)(c, m, &time, rng, evaluations);
      if (i == LBP_P_COUNT(c)) break;
    }
    refused = 0;
    *evaluations += LBP_(jump)(c, m, i, &gain);
    c->y.log_pi += gain;
#if !LBP_P_LOCAL
    scale = LBP_(scale)(c);
    LBP_(clock_weigh)(c, m, scale);
#endif
    info->jump = lbp_toggle(c->touched, c->before, i, info->jump);
    info->proposed++;
    LBP_P_CHECK(if (LBP_(failed)(c)) break;)
    if (++jumps == most && time > 0) return time;
  }
  return 0;
}

/* Fills info at the end, after so many jumps. */
LBP_INLINE void LBP_(clock_end)(LBP_CHAIN_T *c, double jumps, LBP_INFO_T *info) {
  LBP_P_CLAMP(if (c->free == 0) return;)
  LBP_P_CHECK(if (info->accept == 0) LBP_(fail)(c, LBP_E_ISOLATED, 0, 0, 0, 0);)
  LBP_P_LOGP(c->logp_ready &= !(jumps > 0);)
  info->accepted = jumps > 0;
  info->log_ratio = c->y.log_pi;
}

/* Counts of a step, which may exceed 32 bits. */
typedef struct {
  double jumps, evaluations;
} LBP_(clock_count);

/* NAME_clock_step, of at most `most` jumps; 0: any number. *left gets the time that is left then, or where `watch` has
 * ended it, else 0; *count the jumps and evaluations. */
LBP_CALLED LBP_INFO_T LBP_(clock_run)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, double time, double most, LBP_RNG_T *rng,
                                      lbp_watch *watch, double *left, LBP_(clock_count) *count) {
  const double fits = UINT32_MAX;
  LBP_INFO_T info;
  uint64_t evaluations;
  *left = count->jumps = count->evaluations = 0;
  if (!LBP_(clock_begin)(c, m, time, rng, &info)) return info;
  evaluations = info.evaluations;
  for (;;) {
    const double more = most > 0 && most - count->jumps < LBP_WATCH_MOVES ? most - count->jumps : LBP_WATCH_MOVES;
    info.proposed = 0;
    time = LBP_(clock_go)(c, m, time, (uint32_t)more, rng, &info, &evaluations);
    count->jumps += info.proposed;
    count->evaluations = (double)evaluations;
    if (!(time > 0)) break;
    *left = time;
    if ((most > 0 && !(count->jumps < most)) || lbp_watch_is_over(watch, 0)) break;
    *left = 0;
  }
  info.proposed = (uint32_t)(count->jumps < fits ? count->jumps : fits);
  info.evaluations = (uint32_t)(count->evaluations < fits ? count->evaluations : fits);
  LBP_(clock_end)(c, count->jumps, &info);
  return info;
}

/* Runs the rejection-free chain for `time`. It jumps W(x) times per unit of time: with t/(1+t) and min(1, t), up to
 * once a site. Any time is exact; long ones take more jumps. Nothing happens unless time is a finite number above 0.
 *
 * info.proposed is the number of jumps (it and info.evaluations are at most 2^32 - 1), info.jump the distance between
 * the first and the last state, and info.sites are the sites at which they differ. info.accept is 1; it is 0 if no flip
 * is possible from x, which is then the chain's last state (LBP_E_ISOLATED in a checked build and in runs). */
LBP_CALLED LBP_INFO_T LBP_NAME_(clock_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, double time, LBP_RNG_T *rng) {
  LBP_(clock_count) count;
  double left;
  return LBP_(clock_run)(c, m, time, 0, rng, NULL, &left, &count);
}

#undef LBP_P_CLOCK_READY
#undef LBP_P_PATIENCE

#endif /* LBP_P_INSTANCE */
