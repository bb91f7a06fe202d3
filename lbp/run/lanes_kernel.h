/* lbp/run/lanes_kernel.h - LBP_SAMPLER_LANES: groups of chains in a run, each chain one lane of the group's words.
 *
 * Version 0.8.0. MIT licence, see LICENSE. lbp/run/flip_kernel.h includes it if LBP_LANES is defined.
 *
 * The memory of a group, its band, consists of NAME_lanes and its words. The group draws from its first chain's
 * generator. A chain's state is in its x until steps move it into the lane. It stays there until `touch` announces a
 * change of x; `settle` copies it to x for reading. log pi follows from the lane's energy, a whole number.
 */

#ifndef LBP_P_SEATS
#error "lbp/run/lanes_kernel.h: lbp.h includes it, inside its template: don't include it yourself"
#else

struct LBP_(band) {
  LBP_NAME_(lanes) lanes;
  double constant;                 /* log pi is this + lanes.unit * energy */
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

/* Returns log pi minus the lanes' energy, at the state of zeros, so that all groups find the same. Lane 0 has x. */
LBP_FN double LBP_(band_constant)(LBP_(band) *band, LBP_(unit) *u, const void *model) {
  double constant;
  memset(u->chain.x, 0, band->lanes.n);
  LBP_NAME_(touch)(&u->chain);
  constant = LBP_(kernel_logp)(u, model);
  LBP_NAME_(lanes_put)(&band->lanes, LBP_LANES - 1, u->chain.x);
  constant -= band->lanes.unit * (double)LBP_NAME_(lanes_energies)(&band->lanes)[LBP_LANES - 1];
  LBP_NAME_(lanes_get)(&band->lanes, 0, u->chain.x);
  LBP_NAME_(touch)(&u->chain);
  return constant;
}

LBP_FN lbp_finding LBP_(kernel_make_group)(void *memory, const lbp_group *group, const void *model) {
  LBP_(band) *band = (LBP_(band) *)memory;
  LBP_(unit) *first = (LBP_(unit) *)group->chain[0];
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  uint64_t *words = (uint64_t *)memory + LBP_(band_words);
  uint32_t k;
  if (LBP_NAME_(lanes_init)(&band->lanes, &first->chain, m, group->count, words,
                            LBP_NAME_(lanes_len)(&first->chain, m)) != LBP_OK) {
    return LBP_(finding)(band->lanes.fault);
  }
  band->constant = LBP_(band_constant)(band, first, model);
  for (k = 0; k < group->count; k++) {
    LBP_(seat) *seat = &((LBP_(unit) *)group->chain[k])->seat;
    seat->band = band;
    seat->lane = k;
    seat->in_lane = 0;
  }
  return LBP_(finding)(band->lanes.fault);
}

LBP_FN double LBP_(lane_logp)(const LBP_(seat) *seat) {
  const LBP_(band) *band = seat->band;
  return band->constant + band->lanes.unit * (double)band->lanes.energy[seat->lane];
}

LBP_FN void LBP_(kernel_settle)(void *chain) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  if (u->seat.in_x) return;
  LBP_NAME_(lanes_get)(&u->seat.band->lanes, u->seat.lane, u->chain.x);
  LBP_NAME_(touch)(&u->chain);
  u->seat.in_x = 1;
}

/* Lanes hold the best states: these are recorded. */
LBP_FN void LBP_(band_begin_bests)(LBP_(band) *band) {
  uint32_t l;
  if (!band->has_bests) return;
  for (l = 0; l < band->lanes.chains; l++) band->lanes.best_energy[l] = INT64_MIN;
  LBP_NAME_(lanes_record)(&band->lanes);
  band->has_bests = 0;
}

/* The state of each chain is in its lane, temperatures are theirs, energies known. */
LBP_FN void LBP_(band_join)(LBP_(band) *band, const lbp_group *group) {
  double beta[LBP_LANES];
  uint32_t k;
  LBP_(band_begin_bests)(band);
  for (k = 0; k < group->count; k++) {
    LBP_(unit) *u = (LBP_(unit) *)group->chain[k];
    if (!u->seat.in_lane) LBP_NAME_(lanes_put)(&band->lanes, k, u->chain.x);
    u->seat.in_lane = 1;
    beta[k] = u->seat.beta;
  }
  LBP_NAME_(lanes_temper)(&band->lanes, beta);
  LBP_NAME_(lanes_energies)(&band->lanes);
}

/* Sweeps of a group. Their work is as if each chain took its own. */
LBP_FN uint32_t LBP_(kernel_lanes)(const lbp_group *group, const void *model, const lbp_plan *plan, uint32_t count,
                                   double limit, int learn) {
  LBP_(unit) *first = (LBP_(unit) *)group->chain[0];
  LBP_(band) *const band = first->seat.band;
  LBP_NAME_(lanes) *const lanes = &band->lanes;
  int64_t energy[LBP_LANES];
  double work = 0;
  uint32_t k, t;
  LBP_(band_join)(band, group);
  memcpy(energy, lanes->energy, sizeof energy);
  memset(lanes->flips, 0, sizeof lanes->flips);
  for (t = 0; t < count && work < limit; t++) {
    LBP_NAME_(lanes_sweep)(lanes, &first->unit.rng);
    work += group->count * (1.0 + lanes->n);
    for (k = 0; k < group->count; k++) {
      ((LBP_(unit) *)group->chain[k])->seat.in_x = 0;
      if (!plan->see) continue;
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
    moves->log_ratio += lanes->beta[k] * lanes->unit * (double)(lanes->energy[k] - energy[k]);
  }
  (void)model, (void)learn;
  return t;
}

/* Energies are exchanged at once, states after all swaps of the round are known. */
LBP_FN void LBP_(kernel_swap_lanes)(void *chain, void *next) {
  LBP_(seat) *a = &((LBP_(unit) *)chain)->seat, *b = &((LBP_(unit) *)next)->seat;
  int64_t *const energy = a->band->lanes.energy, here = energy[a->lane];
  a->band->swaps[a->lane / 64] |= (uint64_t)1 << a->lane % 64;
  energy[a->lane] = energy[b->lane];
  energy[b->lane] = here;
  a->in_x = b->in_x = 0;
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
  LBP_(seat) *seat = &((LBP_(unit) *)chain)->seat;
  LBP_NAME_(lanes_put)(&seat->band->lanes, seat->lane, x);
  seat->band->has_bests = 1;
  seat->in_lane = 0;
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
  k->swap = LBP_(kernel_swap_lanes);
  k->swapped = LBP_(kernel_swapped);
  k->record = LBP_(kernel_record);
  k->best_put = LBP_(kernel_best_put);
  k->best_get = LBP_(kernel_best_get);
}

#endif /* LBP_P_SEATS */
