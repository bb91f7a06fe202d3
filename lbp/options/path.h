/* lbp/options/path.h - many flips in one step, each drawn by the weights of the state it leaves: LBP_PATH.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_PATH is
 * defined; lbp_run.h does so by itself for local models. It gives NAME_path_step.
 *
 * LBP_PATH: if defined, a local model has NAME_path_step, for inequality constraints: caps, independent sets, pairs
 * that exclude each other. LBP-R draws all its sites at x, and rejects the whole step if two of them exclude each
 * other. A path x_0 ... x_R draws each flip at the state that the flip before has led to, where impossible flips have
 * weight 0. So it stays among the possible states, and is accepted or rejected once, at its end.
 *
 * Let w_k be the weight of flip k at x_k, v_k the weight of its reversal at x_k+1, and W the sum of all weights at a
 * state. A path is accepted with probability
 *
 *   min(1, pi(x_R) / pi(x_0) * v_0 ... v_R-1 / (w_0 ... w_R-1) * W(x_0) / W(x_R))
 *
 * since all other sums occur in the probabilities of both directions. With exact weights, pi and the products would
 * cancel. Stored weights are integers, rounded, cut at both ends and at least 1, so nothing is left out here: any
 * integers that depend only on the state leave pi invariant.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/path.h: lbp.h includes it, inside its template: don't include it yourself"
#elif defined LBP_PATH

/* Flips touched[0 .. y.flips) back, and then gives them and their neighbours the weights that they had, which the state
 * alone decides. Returns how many log-ratios that took: none on the way, which may lead through impossible states. */
LBP_CALLED uint32_t LBP_(retreat)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  uint32_t site[LBP_(around)], evaluations = 0, count, k, j;
  LBP_REAL ratio[LBP_(around)];
  LBP_(unflip)(c, m);
  for (k = 0; k < c->y.flips; k++) {
    count = LBP_P_PRODUCT ? 0 : LBP_(neighbours)(c, m, c->touched[k], site);
    site[count++] = c->touched[k];
    for (j = 0; j < count; j++) ratio[j] = LBP_(delta)(c, m, site[j]);
    LBP_(renew)(c, m, site, ratio, count);
    evaluations += count;
  }
  return evaluations;
}

/* The flips of a path. Returns how many log-ratios they took, which may be more than fit into 32 bits. */
LBP_INLINE uint64_t LBP_(path_walk)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng, lbp_watch *watch,
                                    lbp_path_product *path, LBP_INFO_T *info) {
  uint64_t evaluations = 0;
  while (path->flips < R && c->urn.sums.positive > 0) {
    const uint32_t i = LBP_(pick)(c, 0, rng), there = c->weight[i];
    LBP_REAL gain;
    evaluations += LBP_(jump)(c, m, i, &gain);
    lbp_path_add(path, (double)gain, there, c->weight[i]);
    info->jump = lbp_toggle(c->touched, c->before, i, info->jump);
    LBP_P_CHECK(if (LBP_(failed)(c)) break;)
    if (lbp_watch_is_over(watch, path->flips)) break;
  }
  return evaluations;
}

/* NAME_path_step, which `watch` may give up: x stays where the path has come to then. *evaluations: as in info, where
 * they are cut to 32 bits. */
LBP_INLINE LBP_INFO_T LBP_(path_run)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng,
                                     lbp_watch *watch, double *evaluations) {
  lbp_path_product path = {0, 1, 0, 0, 0};
  LBP_INFO_T info;
  uint64_t total, asked;
  double accept;
  *evaluations = 0;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  memset(&info, 0, sizeof info);
  info.sites = c->touched;
  LBP_(prepare)(c, m, 1);
  LBP_P_FIELDS(LBP_(save)(c, m);)
  total = c->urn.sums.total;
  asked = LBP_(path_walk)(c, m, R, rng, watch, &path, &info);
  info.proposed = path.flips;
  if (path.flips == 0) {
    LBP_P_CLAMP(if (c->free == 0) return info;)
    LBP_P_CHECK(if (R > 0) LBP_(fail)(c, LBP_E_ISOLATED, 0, 0, 0, 0);)
    return info;
  }
  accept = lbp_path_accept(&path, total, c->urn.sums.total);
  LBP_P_CHECK(if (LBP_(failed)(c)) accept = 0;)
  if (watch && watch->given_up) accept = 1;
  info.accept = (LBP_REAL)accept;
  info.accepted = (uint32_t)lbp_bernoulli_trial(LBP_(word)(rng), accept);
  info.log_ratio = info.accepted ? (LBP_REAL)path.log_pi : 0;
  if (!info.accepted) {
    c->y.flips = info.jump;
    info.jump = 0;
    asked += LBP_(retreat)(c, m);
  }
  *evaluations = (double)asked;
  info.evaluations = asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX;
  return info;
}

/* R flips one after another, for any R, accepted or rejected together. Each site is drawn by its weight at the state
 * that the flips before have led to. It never draws an impossible flip; if all flips are impossible, nothing happens
 * (LBP_E_ISOLATED in a checked build and in runs).
 *
 * Don't tune R to an acceptance rate, which hardly falls with it: choose R by how often you want to look at x. The gain
 * of a step grows with R until x has forgotten where it began. A fixed even R never changes the parity of the number of
 * ones: use an odd R, or a random one (NAME_random_r).
 *
 * info.proposed is the number of flips, info.jump the distance between the first and the last state, and info.sites are
 * the sites at which they differ; info.evaluations is at most 2^32 - 1. Keeps the weights, as LBP steps do. After a
 * rejection the weights, x, and fields that are exact sums have their old values to the last bit. */
LBP_CALLED LBP_INFO_T LBP_NAME_(path_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng) {
  double evaluations;
  return LBP_(path_run)(c, m, R, rng, NULL, &evaluations);
}

#endif /* LBP_P_INSTANCE */
