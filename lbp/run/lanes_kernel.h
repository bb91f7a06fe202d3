/* lbp/run/lanes_kernel.h - LBP_SAMPLER_LANES: groups of chains in a run, each chain one lane of the group's words.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp/run/flip_kernel.h includes it if LBP_LANES is defined.
 *
 * The memory of a group, its band, consists of NAME_lanes and its words. The group draws from its first chain's
 * generator. A chain's state is in its x until steps move it into the lane. It stays there until `touch` announces a
 * change of x; `settle` copies it to x for reading. log pi follows from the lane's units, a whole number. All that
 * sweeps need is in the band: chains are far from each other in memory, and reading them all takes as long as a sweep
 * of 100 sites.
 */

#ifndef LBP_P_SEATS
#error "lbp/run/lanes_kernel.h: lbp.h includes it, inside its template: don't include it yourself"
#else

struct LBP_(band) {
  LBP_NAME_(lanes) lanes;
  double constant;                 /* log pi is this + lanes.unit * units */
  double beta[LBP_LANES];          /* the chains' inverse temperatures: lanes get them when they step */
  uint8_t in_lane[LBP_LANES];      /* whether a chain's state is in its lane */
  uint8_t in_x[LBP_LANES];         /* whether it is in x */
  uint64_t swaps[LBP_LANES / 64];  /* lanes that are to exchange their states with the next */
  int has_bests;                   /* whether lanes hold best states, which are to be recorded */
};

enum { LBP_(band_words) = (sizeof(LBP_(band)) + 63) / 64 * 8 };

LBP_FN size_t LBP_(kernel_group_bytes)(void *chain, const void *model, const lbp_plan *plan) {
  const LBP_(unit) *u = (const LBP_(unit) *)chain;
  if (plan->sampler->sampler != LBP_SAMPLER_LANES) return 0;
  return lbp_size_times(lbp_size_plus(LBP_(band_words), LBP_NAME_(lanes_len)(&u->chain, (const LBP_MODEL_T *)model)),
                        sizeof(uint64_t));
}

/* Returns log pi minus the lanes' units, at the state of zeros, so that all groups find the same. Lane 0 has x. */
LBP_FN double LBP_(band_constant)(LBP_(band) *band, LBP_(unit) *u, const void *model) {
  double constant;
  memset(u->chain.x, 0, band->lanes.n);
  LBP_NAME_(touch)(&u->chain);
  constant = LBP_(kernel_logp)(u, model);
  LBP_NAME_(lanes_put)(&band->lanes, LBP_LANES - 1, u->chain.x);
  constant -= band->lanes.unit * (double)LBP_NAME_(lanes_units)(&band->lanes)[LBP_LANES - 1];
  LBP_NAME_(lanes_get)(&band->lanes, 0, u->chain.x);
  LBP_NAME_(touch)(&u->chain);
  return constant;
}

/* The inverse temperature of a chain by itself. */
LBP_FN double LBP_(beta_of)(const LBP_(unit) *u) {
#ifdef LBP_TEMPERED
  return (double)u->chain.beta;
#else
  return (void)u, 1;
#endif
}

LBP_FN lbp_finding LBP_(kernel_make_group)(void *memory, const lbp_group *group, const void *model) {
  LBP_(band) *band = (LBP_(band) *)memory;
  LBP_(unit) *first = (LBP_(unit) *)group->chain[0];
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  uint64_t *words = (uint64_t *)memory + LBP_(band_words);
  uint32_t k;
  for (k = 0; k < group->count; k++) ((LBP_(unit) *)group->chain[k])->seat.band = NULL;
  if (LBP_NAME_(lanes_init)(&band->lanes, &first->chain, m, group->count, words,
                            LBP_NAME_(lanes_len)(&first->chain, m)) != LBP_OK) {
    return LBP_(finding)(band->lanes.fault);
  }
  band->constant = LBP_(band_constant)(band, first, model);
  for (k = 0; k < group->count; k++) {
    LBP_(unit) *u = (LBP_(unit) *)group->chain[k];
    u->seat.band = band;
    u->seat.lane = k;
    band->beta[k] = LBP_(beta_of)(u);
    band->in_lane[k] = 0;
    band->in_x[k] = 1;
  }
  return LBP_(finding)(band->lanes.fault);
}

LBP_FN int LBP_(is_in_lane)(const LBP_(seat) *seat) { return seat->band && seat->band->in_lane[seat->lane]; }

LBP_FN void LBP_(leave_lane)(LBP_(seat) *seat) {
  if (!seat->band) return;
  seat->band->in_lane[seat->lane] = 0;
  seat->band->in_x[seat->lane] = 1;
}

LBP_FN void LBP_(temper_lane)(LBP_(seat) *seat, double beta) {
  if (seat->band) seat->band->beta[seat->lane] = beta;
}

LBP_FN double LBP_(lane_logp)(const LBP_(seat) *seat) {
  const LBP_(band) *band = seat->band;
  return band->constant + band->lanes.unit * (double)band->lanes.units[seat->lane];
}

LBP_FN void LBP_(kernel_settle)(void *chain) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  LBP_(band) *band = u->seat.band;
  const uint32_t lane = u->seat.lane;
  if (!band || band->in_x[lane]) return;
  LBP_NAME_(lanes_get)(&band->lanes, lane, u->chain.x);
  LBP_NAME_(touch)(&u->chain);
#ifdef LBP_TEMPERED
  LBP_NAME_(temper)(&u->chain, (LBP_REAL)band->beta[lane]);
#endif
  band->in_x[lane] = 1;
}

/* The same inverse temperature for all chains of the group: of the chains themselves, it is that once they step and
 * settle. */
LBP_FN void LBP_(kernel_temper_group)(void *chain, double beta) {
  LBP_(band) *band = ((LBP_(unit) *)chain)->seat.band;
  uint32_t k;
  for (k = 0; k < band->lanes.chains; k++) band->beta[k] = beta;
}

/* log pi of all chains of the group, if all are in their lanes. */
LBP_FN int LBP_(kernel_logps)(void *chain, double *logp) {
  LBP_(seat) seat = ((LBP_(unit) *)chain)->seat;
  const uint32_t count = seat.band->lanes.chains;
  if (memchr(seat.band->in_lane, 0, count)) return 0;
  for (seat.lane = 0; seat.lane < count; seat.lane++) logp[seat.lane] = LBP_(lane_logp)(&seat);
  return 1;
}

/* Lanes hold the best states: these are recorded. */
LBP_FN void LBP_(band_begin_bests)(LBP_(band) *band) {
  uint32_t l;
  if (!band->has_bests) return;
  for (l = 0; l < band->lanes.chains; l++) band->lanes.best_units[l] = INT64_MIN;
  LBP_NAME_(lanes_record)(&band->lanes);
  band->has_bests = 0;
}

/* The state of each chain is in its lane, temperatures are theirs, units known. */
LBP_FN void LBP_(band_join)(LBP_(band) *band, const lbp_group *group) {
  uint32_t k;
  LBP_(band_begin_bests)(band);
  for (k = 0; k < group->count; k++) {
    if (!band->in_lane[k]) LBP_NAME_(lanes_put)(&band->lanes, k, ((LBP_(unit) *)group->chain[k])->chain.x);
    band->in_lane[k] = 1;
  }
  LBP_NAME_(lanes_temper)(&band->lanes, band->beta);
  LBP_NAME_(lanes_units)(&band->lanes);
}

/* Sweeps of a group. Their work is as if each chain took its own. */
LBP_FN uint32_t LBP_(kernel_lanes)(const lbp_group *group, const void *model, const lbp_plan *plan, uint32_t count,
                                   double limit, int learn) {
  LBP_(unit) *first = (LBP_(unit) *)group->chain[0];
  LBP_(band) *const band = first->seat.band;
  LBP_NAME_(lanes) *const lanes = &band->lanes;
  int64_t units[LBP_LANES];
  double work = 0;
  uint32_t k, t;
  LBP_(band_join)(band, group);
  memcpy(units, lanes->units, sizeof units);
  memset(lanes->flips, 0, sizeof lanes->flips);
  for (t = 0; t < count && work < limit; t++) {
    LBP_NAME_(lanes_metropolis_sweep)(lanes, &first->unit.rng);
    work += group->count * (1.0 + lanes->n);
    memset(band->in_x, 0, group->count);
    for (k = 0; plan->see && k < group->count; k++) {
      LBP_(kernel_settle)(group->chain[k]);
      plan->see(plan->see_data, group->chain[k], NULL, 0);
    }
  }
  for (k = 0; k < group->count; k++) {
    lbp_moves *const moves = group->moves[k];
    moves->accept += t;
    moves->jump += (double)lanes->flips[k];
    moves->proposed += (double)lanes->flips[k];
    moves->evaluations += (double)t * lanes->n;
    moves->log_ratio += lanes->beta[k] * lanes->unit * (double)(lanes->units[k] - units[k]);
  }
  (void)model, (void)learn;
  return t;
}

/* Units are exchanged at once, states after all swaps of the round are known. */
LBP_FN void LBP_(kernel_swap_lanes)(void *chain, void *next) {
  const LBP_(seat) *a = &((LBP_(unit) *)chain)->seat, *b = &((LBP_(unit) *)next)->seat;
  int64_t *const units = a->band->lanes.units, here = units[a->lane];
  a->band->swaps[a->lane / 64] |= (uint64_t)1 << a->lane % 64;
  units[a->lane] = units[b->lane];
  units[b->lane] = here;
  a->band->in_x[a->lane] = a->band->in_x[b->lane] = 0;
}

LBP_FN void LBP_(kernel_swapped)(void *chain) {
  LBP_(band) *band = ((LBP_(unit) *)chain)->seat.band;
  uint64_t any = 0;
  uint32_t w;
  for (w = 0; w < LBP_LANES / 64; w++) any |= band->swaps[w];
  if (any) LBP_(exchange_lanes)(&band->lanes, band->swaps);
  memset(band->swaps, 0, sizeof band->swaps);
}

LBP_FN void LBP_(kernel_record)(void *chain) { LBP_NAME_(lanes_record)(&((LBP_(unit) *)chain)->seat.band->lanes); }

LBP_FN void LBP_(kernel_best_put)(void *chain, const uint8_t *x) {
  const LBP_(seat) *seat = &((LBP_(unit) *)chain)->seat;
  LBP_NAME_(lanes_put)(&seat->band->lanes, seat->lane, x);
  seat->band->has_bests = 1;
  seat->band->in_lane[seat->lane] = 0;
}

LBP_FN void LBP_(kernel_best_get)(void *chain, uint8_t *x) {
  const LBP_(seat) *seat = &((LBP_(unit) *)chain)->seat;
  if (!seat->band->has_bests) LBP_NAME_(lanes_best)(&seat->band->lanes, seat->lane, x);
}

/* A chain that has forgotten goes through its bits twice: x from its lane, and back. */
LBP_FN double LBP_(kernel_rebuild_cost)(const lbp_plan *plan) {
  if (plan->sampler->sampler == LBP_SAMPLER_LANES) return 8.0 * plan->n;
  return LBP_P_LOCAL ? plan->n : 3.0;
}

LBP_FN void LBP_(kernel_groups)(lbp_kernel *k) {
  k->lanes = LBP_LANES;
  k->rebuild_cost = LBP_(kernel_rebuild_cost);
  k->group_bytes = LBP_(kernel_group_bytes);
  k->make_group = LBP_(kernel_make_group);
  k->settle = LBP_(kernel_settle);
  k->temper_group = LBP_(kernel_temper_group);
  k->logps = LBP_(kernel_logps);
  k->swap = LBP_(kernel_swap_lanes);
  k->swapped = LBP_(kernel_swapped);
  k->record = LBP_(kernel_record);
  k->best_put = LBP_(kernel_best_put);
  k->best_get = LBP_(kernel_best_get);
}

#endif /* LBP_P_SEATS */
