/* Template: steps of any sampler of an instance of lbp.h, and whether their reports and the chain's kept data are true.
 * Included behind lbp.h by test_api.c and the fuzz target of chains. Parameters: CASE (the prefix), CASE_ID (pastes it
 * in front), CASE_MODEL, CASE_RNG; API_MAX, the most sites; API_ROUNDING, how far two evaluations of one weight may
 * differ, as a share of it. */

#ifndef CHAIN_CASE_H
#define CHAIN_CASE_H
enum { API_LBP, API_GWG, API_RWM, API_ALBP, API_AGWG, API_ARWM, API_GIBBS, API_SAMPLERS };
#endif

/* Any sampler by its number. */
LBP_FN CASE_ID(_info) CASE_ID(_any)(CASE_ID(_chain) *c, const CASE_MODEL *m, int sampler, uint32_t R,
                                    CASE_ID(_tuner) *tuner, CASE_RNG *rng) {
  switch (sampler) {
    case API_LBP: return CASE_ID(_lbp_step)(c, m, R, rng);
    case API_GWG: return CASE_ID(_gwg_step)(c, m, R, rng);
    case API_RWM: return CASE_ID(_rwm_step)(c, m, R, rng);
    case API_ALBP: return CASE_ID(_albp_step)(c, m, tuner, rng);
    case API_AGWG: return CASE_ID(_agwg_step)(c, m, tuner, rng);
    case API_ARWM: return CASE_ID(_arwm_step)(c, m, tuner, rng);
    default: return CASE_ID(_gibbs_sweep)(c, m, rng);
  }
}

/* One step, and whether its info tells what happened to x. */
LBP_FN int CASE_ID(_honest)(CASE_ID(_chain) *c, const CASE_MODEL *m, int sampler, uint32_t R, CASE_ID(_tuner) *tuner,
                            CASE_RNG *rng, CASE_ID(_info) *out) {
  uint8_t before[API_MAX];
  CASE_ID(_info) info;
  uint32_t i, changed = 0;
  int ok;
  memcpy(before, c->x, c->n);
  *out = info = CASE_ID(_any)(c, m, sampler, R, tuner, rng);
  for (i = 0; i < c->n; i++) changed += c->x[i] != before[i];
  ok = changed == info.jump && info.accepted <= 1 && info.accept >= 0 && info.accept <= 1;
  ok &= info.jump == (info.accepted ? info.proposed : 0);
  for (i = 0; i < info.jump; i++) {
    ok &= info.sites[i] < c->n && c->x[info.sites[i]] != before[info.sites[i]];
    before[info.sites[i]] ^= 1u; /* a site listed twice fails */
  }
  for (i = 0; i < c->n; i++) ok &= (c->weight[i] & LBP_MARK) == 0;
  return ok;
}

/* Whether the sums that the chain keeps are those of its weights: the total, the ceilings, how many are positive; and
 * whether sorted sites are where they should be. */
LBP_FN int CASE_ID(_kept)(const CASE_ID(_chain) *c) {
  uint64_t sum = 0, ceilings = c->urn.sorted ? 0 : (uint64_t)c->urn.sums.ceiling * c->n;
  uint32_t positive = 0, i;
  int ok = c->weights_ready;
  for (i = 0; i < c->n && ok; i++) {
    const uint32_t weight = c->weight[i], b = lbp_bucket(weight);
    sum += weight;
    positive += weight > 0;
    if (c->urn.sorted) {
      ceilings += lbp_bucket_ceiling(b);
      ok &= c->order[c->slot[i]] == i && c->slot[i] >= c->urn.start[b] && c->slot[i] < c->urn.start[b + 1];
    } else {
      ok &= weight <= c->urn.sums.ceiling;
    }
  }
  return ok && sum == c->urn.sums.total && ceilings == c->urn.mass && positive == c->urn.sums.positive;
}

/* Whether, beyond that, the weights are what a fresh chain makes from x: exactly, but for -ffast-math, which lets a
 * compiler round the same formula in two ways. */
LBP_FN int CASE_ID(_fresh)(CASE_ID(_chain) *c, const CASE_MODEL *m) {
  static uint32_t weight[API_MAX];
  int ok = CASE_ID(_kept)(c);
  uint32_t i;
  memcpy(weight, c->weight, c->n * sizeof weight[0]);
  CASE_ID(_touch)(c);
  CASE_ID(_priv_prepare)(c, m, 1);
  for (i = 0; i < c->n; i++) {
    const double gap = fabs((double)weight[i] - (double)c->weight[i]);
    ok &= gap <= API_ROUNDING * (double)c->weight[i];
  }
  return ok;
}
