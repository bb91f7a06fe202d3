/* lbp/run/ladder.h - parallel tempering (replica exchange) in a run: swaps of replicas or of their parts, round trips,
 * best states of all rungs, spacing of the ladder, log Z. Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes
 * it; you call nothing in it.
 *
 * Order of this file: weights of replicas; the best states; exchanges of parts; swaps and round trips; the ladder;
 * log Z.
 *
 * Sources, as in lbp_run.h: [T] Syed et al. 2022; [K] Katzgraber et al. 2006; [M] Meng, Wong 1996.
 */

#ifndef LBP_RUN_LADDER_H
#define LBP_RUN_LADDER_H

#include "runner.h"

LBP_EXACT_BEGIN

/* ---- log pi of replicas ------------------------------------------------------------------------------------------ */

/* The most that rounding moves a log-ratio of the model at inverse temperature beta. */
LBP_FN double lbp_runner_rounding(const lbp_runner *r, double beta) {
  return r->c.kernel->rounding ? r->c.kernel->rounding(r->c.model) * beta : 0;
}

/* Fails where that is too much at the coldest inverse temperature, which is above 1: constructors have judged 1. */
LBP_COLD int lbp_runner_judge_beta(lbp_runner *r, double beta) {
  const double rounding = lbp_runner_rounding(r, beta);
  if (!(beta > 1) || rounding <= LBP_MOST_ROUNDING) return r->result->status;
  return lbp_runner_fail(r->result, LBP_E_PRECISION, "tempering.ladder: at an inverse temperature of %g rounding moves "
                         "log-ratios by up to %.2g: let LBP_MODELS_REAL be double, bring the scales nearer to each "
                         "other, or end at %.3g", beta, rounding, LBP_MOST_ROUNDING * beta / rounding);
}

/* Every unit gets the inverse temperature of its rung. Where rounding matters at the coldest, runs fail. */
LBP_COLD void lbp_runner_set_betas(lbp_runner *r) {
  uint32_t k;
  if (lbp_runner_tempers(r->run)) lbp_runner_judge_beta(r, r->ladder[0]);
  for (k = 0; lbp_runner_tempers(r->run) && k < r->c.count; k++) {
    r->c.kernel->temper(lbp_chains_unit(&r->c, k), r->ladder[(r->c.first + k) % r->rungs]);
  }
}

/* log(e^a + e^b). */
LBP_FN double lbp_runner_log_add(double a, double b) {
  const double high = a > b ? a : b, low = a > b ? b : a;
  return high == -lbp_infinity() ? high : high + log1p(exp(low - high));
}

/* The probability that a pair of neighbouring replicas swaps. */
LBP_FN double lbp_p_run_swap_chance(const lbp_runner *r, uint32_t rung, double cold, double hot) {
  const double gain = (r->ladder[rung] - r->ladder[rung + 1]) * (hot - cold);
  return !(gain < 0) ? 1 : gain > -700 ? lbp_exp(gain) : 0;
}

/* The log weight of item i = v at beta = 0, where sites are independent. */
LBP_FN double lbp_runner_base(const lbp_runner *r, uint32_t i, uint32_t v) {
  return r->c.kernel->base ? r->c.kernel->base(r->c.model, i, v) : 0;
}

/* Computes log pi minus log base of this process's units [begin, end). */
LBP_FN void lbp_runner_excess(lbp_runner *r, uint32_t begin, uint32_t end, int wide) {
  int64_t k;
  for (; r->c.group_memory && begin < end; begin += r->c.group) { /* whole groups */
    if (!r->c.kernel->logps(lbp_chains_unit(&r->c, begin), r->excess + r->c.first + begin)) break;
  }
  LBP_P_EACH_UNITS(&r->c)
  for (k = begin; k < (int64_t)end; k++) {
    double (*const excess)(void *, const void *) = r->c.kernel->excess ? r->c.kernel->excess : r->c.kernel->logp;
    r->excess[r->c.first + (uint32_t)k] = excess(lbp_chains_unit(&r->c, (uint32_t)k), r->c.model);
  }
  (void)wide;
}

/* ---- the best states --------------------------------------------------------------------------------------------- */

/* The state of unit k here is kept if it is the best that it has had. */
LBP_FN void lbp_runner_keep_best(lbp_runner *r, uint32_t k, double logp) {
  if (!(logp > r->best_logp[k])) return;
  r->best_logp[k] = logp;
  lbp_runner_pack(r, lbp_chains_settled(&r->c, k)->x, r->best + k * r->packed);
}

/* Looks whether units [begin, end) here, which come to `step`, if they do for the first time, have states better than
 * before. Their log pi is known as soon as r->excess is; only where a base has been taken off is it asked for, of
 * states that the base and r->excess promise to be better up to rounding. */
LBP_FN void lbp_p_run_look_for_best(lbp_runner *r, uint32_t begin, uint32_t end, uint64_t step, int wide) {
  const double slack = r->c.kernel->real_bytes == sizeof(float) ? 1e-4 : 1e-9;
  int64_t k;
  if (step <= r->step) return;
  LBP_P_EACH_UNITS(&r->c)
  for (k = begin; k < (int64_t)end; k++) {
    lbp_unit *unit = lbp_chains_unit(&r->c, (uint32_t)k);
    const double excess = r->excess[r->c.first + (uint32_t)k];
    double logp = excess;
    uint32_t i;
    if (!lbp_is_finite(excess)) continue;
    if (r->c.kernel->excess) {
      for (i = 0; i < r->n; i++) logp += lbp_runner_base(r, i, lbp_item(unit->x, r->item, i));
      if (!(logp > r->best_logp[k] - slack * (r->n + fabs(logp) + fabs(excess)))) continue;
      logp = r->c.kernel->logp(unit, r->c.model);
    }
    lbp_runner_keep_best(r, (uint32_t)k, logp);
  }
  (void)wide;
}

/* ---- exchanges of parts ------------------------------------------------------------------------------------------ */

/* Whether rung and rung + 1 exchange parts in this round; else whole states. */
LBP_FN int lbp_runner_takes_parts(const lbp_runner *r, uint32_t rung, uint64_t round) {
  return r->parts && !r->whole[rung] && round / 2 % 2 == 0;
}

/* The state of a unit of another process, in r->guest, in exchange for that of a unit here. */
LBP_FN lbp_unit *lbp_p_run_invite(const lbp_runner *r, uint32_t unit, const lbp_unit *here) {
#if LBP_RUN_MPI
  const int rank = lbp_runner_rank_of(r, unit);
  memcpy(r->guest->x, here->x, r->n * r->item);
  MPI_Sendrecv_replace(r->guest->x, (int)(r->n * r->item), MPI_BYTE, rank, 2, rank, 2, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  if (lbp_runner_tempers(r->run)) r->c.kernel->temper(r->guest, r->ladder[unit % r->rungs]);
#endif
  return (void)unit, (void)here, r->guest;
}

/* After parts have gone over: unit k here, whose log pi has gained so much, at `step`. Log pi itself is asked for only
 * if that promises a better state than before. */
LBP_FN void lbp_p_run_settle_parts(lbp_runner *r, uint32_t k, double gain, uint64_t step) {
  const double slack = r->c.kernel->real_bytes == sizeof(float) ? 1e-4 : 1e-9;
  const double beta = r->ladder[(r->c.first + k) % r->rungs];
  double *excess = &r->excess[r->c.first + k];
  const int known = !r->c.kernel->excess && beta > 0;
  if (known) *excess += gain / beta;
  if (known && !(*excess > r->best_logp[k] - slack * (r->n + fabs(*excess)))) return;
  lbp_runner_excess(r, k, k + 1, 0);
  lbp_p_run_look_for_best(r, k, k + 1, step, 0);
}

/* The exchange that is due between units a and r->due[a].with. Both begin as if touched, so that it is the same
 * wherever they are; of two processes each makes it, and keeps its own unit. */
LBP_FN void lbp_p_run_exchange_parts(lbp_runner *r, uint32_t a, int kind, uint64_t step) {
  const uint32_t side[2] = {a, r->due[a].with};
  lbp_unit *own[2], *unit[2];
  lbp_parts it;
  lbp_rng rng;
  uint32_t s;
  for (s = 0; s < 2; s++) own[s] = unit[s] = lbp_runner_unit(r, side[s]);
  if (!own[0] && !own[1]) return;
  for (s = 0; s < 2; s++) {
    if (!own[s]) unit[s] = lbp_p_run_invite(r, side[s], own[1 - s]);
  }
  for (s = 0; s < 2; s++) r->c.kernel->touch(unit[s]);
  memset(&it, 0, sizeof it);
  lbp_rng_init(&rng, r->due[a].seed, LBP_P_STREAMS + a);
  r->c.kernel->swap_parts(unit[0], unit[1], r->c.model, &rng, &it);
  for (s = 0; s < 2; s++) {
    if (own[s]) r->effort[side[s]] += it.evaluations / 2;
    if (own[s] && it.exchanged > 0) lbp_p_run_settle_parts(r, side[s] - r->c.first, it.gain[s], step);
  }
  if (own[0] && it.sites > 0 && step > r->step) {
    lbp_runner_parts *sum = &r->parts[(size_t)2 * a + (size_t)kind];
    const double share = (double)it.largest / it.sites;
    sum->tries++;
    sum->share += share;
    sum->large += share > LBP_MOST_PART;
    sum->parts += it.parts;
    sum->exchanged += it.exchanged;
  }
}

/* All that are due between units of a chain, none of which takes part in two. */
LBP_FN void lbp_p_run_exchange_due(lbp_runner *r, uint32_t chain, int kind, uint64_t step, int wide) {
  const uint32_t first = chain * r->members;
  int64_t k;
  if (r->spread) wide = 0; /* processes meet in the same order */
  LBP_P_EACH_UNIT
  for (k = first; k < (int64_t)first + r->members; k++) {
    if (r->due[k].with != LBP_P_NONE) lbp_p_run_exchange_parts(r, (uint32_t)k, kind, step);
  }
  for (k = first; k < (int64_t)first + r->members; k++) r->due[k].with = LBP_P_NONE;
  (void)wide;
}

/* Units a and b exchange parts, by separate random numbers: not all processes see how many that takes. */
LBP_FN void lbp_p_run_make_due(lbp_runner *r, uint32_t chain, uint32_t a, uint32_t b) {
  r->due[a].with = b;
  r->due[a].seed = lbp_rng_u64(&r->swap_rng[chain]);
}

/* Exchanges of parts of a chain in this round: between the pairs of rungs whose turn it is, and then between replicas
 * of each rung two by two. */
LBP_FN void lbp_p_run_swap_parts(lbp_runner *r, uint32_t chain, uint64_t round, uint64_t step, int wide) {
  const uint32_t first = chain * r->members, replicas = r->members / r->rungs;
  uint32_t k, rung;
  for (rung = (uint32_t)(round % 2); rung + 1 < r->rungs; rung += 2) {
    for (k = 0; lbp_runner_takes_parts(r, rung, round) && k < replicas; k++) {
      lbp_p_run_make_due(r, chain, first + k * r->rungs + rung, first + k * r->rungs + rung + 1);
    }
  }
  lbp_p_run_exchange_due(r, chain, LBP_P_BETWEEN, step, wide);
  for (rung = 0; rung < r->rungs; rung++) {
    for (k = 0; !r->whole[r->rungs + rung] && k + 1 < replicas; k += 2) {
      const uint32_t a = (uint32_t)((k + round) % replicas), b = (a + 1) % replicas;
      lbp_p_run_make_due(r, chain, first + a * r->rungs + rung, first + b * r->rungs + rung);
    }
  }
  lbp_p_run_exchange_due(r, chain, LBP_P_WITHIN, step, wide);
}

/* Returns the counts of a kind of exchanges at a rung, over all chains: r->parts must have been shared. */
LBP_COLD lbp_runner_parts lbp_runner_sum_parts(const lbp_runner *r, uint32_t rung, int kind) {
  lbp_runner_parts sum = {0, 0, 0, 0, 0};
  uint32_t k;
  for (k = rung; k < r->units; k += r->rungs) {
    const lbp_runner_parts *it = &r->parts[(size_t)2 * k + (size_t)kind];
    sum.tries += it->tries;
    sum.share += it->share;
    sum.large += it->large;
    sum.parts += it->parts;
    sum.exchanged += it->exchanged;
  }
  return sum;
}

/* Sets counts of exchanges to 0, except of those that are left out. */
LBP_FN void lbp_runner_count_parts(lbp_runner *r) {
  uint32_t k;
  for (k = 0; r->parts && k < 2 * r->units; k++) {
    if (!r->whole[k / 2 % r->rungs + k % 2 * r->rungs]) memset(&r->parts[k], 0, sizeof *r->parts);
  }
}

/* Where the warm-up ends: leaves parts out where one has mostly been nearly all of the difference. */
LBP_COLD void lbp_runner_judge_parts(lbp_runner *r) {
  uint32_t k;
  if (!r->parts) return;
  lbp_runner_share(r, lbp_runner_first, r->parts, 2 * sizeof *r->parts);
  for (k = 0; k < 2 * r->rungs; k++) {
    const lbp_runner_parts sum = lbp_runner_sum_parts(r, k % r->rungs, (int)(k / r->rungs));
    r->whole[k] = sum.large > sum.tries / 2;
  }
}

/* Whether any are left: then replicas have no round trips. */
LBP_FN int lbp_runner_has_parts(const lbp_runner *r) {
  uint32_t k, has = 0;
  for (k = 0; r->parts && k < r->rungs; k++) {
    has |= k + 1 < r->rungs && !r->whole[k];
    has |= r->members > r->rungs && !r->whole[r->rungs + k];
  }
  return has != 0;
}

/* Writes the results of exchanges of parts. */
LBP_COLD void lbp_runner_report_parts(lbp_runner *r) {
  lbp_run_result *result = r->result;
  uint32_t k;
  result->by_parts = lbp_runner_has_parts(r);
  if (!r->parts) return;
  result->parts = (double *)lbp_runner_alloc(r, (size_t)2 * r->rungs, sizeof *result->parts);
  result->largest_part = (double *)lbp_runner_alloc(r, (size_t)2 * r->rungs, sizeof *result->largest_part);
  for (k = 0; result->status == LBP_OK && k < 2 * r->rungs; k++) {
    const lbp_runner_parts sum = lbp_runner_sum_parts(r, k % r->rungs, (int)(k / r->rungs));
    result->largest_part[k] = sum.tries > 0 ? sum.share / sum.tries : (double)NAN;
    result->parts[k] = sum.parts > 0 && !r->whole[k] ? sum.exchanged / sum.parts : (double)NAN;
  }
}

/* ---- swaps and round trips [T] ----------------------------------------------------------------------------------- */

/* Units a and a + 1, of the same chain, exchange their states. */
LBP_FN void lbp_p_run_swap_states(lbp_runner *r, uint32_t a) {
  const uint32_t side[2] = {a, a + 1};
  uint8_t *x[2];
  size_t i, bytes = r->n * r->item;
  uint32_t s;
  if (r->c.group_memory) { /* where all of a ladder are in one group */
    r->c.kernel->swap(lbp_chains_unit(&r->c, a - r->c.first), lbp_chains_unit(&r->c, a + 1 - r->c.first));
    return;
  }
  for (s = 0; s < 2; s++) {
    lbp_unit *unit = lbp_runner_unit(r, side[s]);
    x[s] = unit ? (uint8_t *)unit->x : NULL;
    if (unit) r->c.kernel->touch(unit);
  }
  if (x[0] && x[1]) {
    for (i = 0; i < bytes; i++) {
      const uint8_t other = x[0][i];
      x[0][i] = x[1][i];
      x[1][i] = other;
    }
  }
#if LBP_RUN_MPI
  for (s = 0; s < 2; s++) {
    if (x[s] && !x[1 - s]) {
      const int rank = lbp_runner_rank_of(r, side[1 - s]);
      MPI_Sendrecv_replace(x[s], (int)bytes, MPI_BYTE, rank, 1, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
#endif
}

/* How often a chain has tried to swap its replicas when it has taken so many steps. */
LBP_FN uint64_t lbp_p_run_rounds(const lbp_runner *r, uint64_t step) {
  const uint64_t warmup = r->run->warmup, warm = step < warmup ? step : warmup;
  return warm / r->exchange + (step - warm) / r->exchange;
}

/* Replicas begin their round trips, of which there are none yet. */
LBP_COLD void lbp_runner_begin_trips(lbp_runner *r) {
  uint32_t unit;
  memset(r->trips, 0, r->run->chains * sizeof *r->trips);
  for (unit = 0; unit < r->units; unit++) {
    r->trip[unit] = (uint8_t)(unit % r->rungs + 1 == r->rungs ? LBP_P_TO_COLD : LBP_P_NO_TRIP);
  }
}

/* Those of a chain that are at an end of the ladder turn around there [K]. */
LBP_FN void lbp_p_run_turn(lbp_runner *r, uint32_t chain, int fresh) {
  uint8_t *const end = r->trip + (size_t)(chain + 1) * r->members;
  uint8_t *cold, *hot;
  for (cold = end - r->members; cold < end; cold += r->rungs) {
    hot = cold + r->rungs - 1;
    if (*cold == LBP_P_TO_COLD) *cold = LBP_P_TO_HOT;
    if (fresh && *hot == LBP_P_TO_HOT) r->trips[chain]++;
    *hot = LBP_P_TO_COLD;
  }
}

/* Tries to swap every other pair of neighbouring rungs of a chain, in turn the even and the odd ones, of its replicas
 * that begin with unit `first`, and counts if `fresh`. All processes that call it find the same: log pi and the numbers
 * that decide are known to them. */
LBP_FN void lbp_p_run_swap(lbp_runner *r, uint32_t chain, uint32_t first, uint64_t round, int fresh, int sampling) {
  double *excess = r->excess + first, *bridge = r->bridge + (size_t)2 * first;
  uint8_t *trip = r->trip + first;
  double hot = excess[0]; /* as it was before swaps of the pair below */
  uint32_t rung;
  for (rung = 0; rung + 1 < r->rungs; rung++) {
    const double half = (r->ladder[rung] - r->ladder[rung + 1]) / 2, cold = hot;
    const int due = rung % 2 == round % 2;
    const uint8_t cold_trip = trip[rung];
    double chance;
    hot = excess[rung + 1];
    if (!fresh && !due) continue;
    chance = lbp_p_run_swap_chance(r, rung, cold, hot);
    if (fresh) r->refused[first + rung] += 1 - chance;
    if (fresh && sampling) { /* Z_cold / Z_hot = E_hot sqrt(pi_cold / pi_hot) / E_cold sqrt(pi_hot / pi_cold) */
      bridge[2 * rung] = lbp_runner_log_add(bridge[2 * rung], half * hot);
      bridge[2 * rung + 1] = lbp_runner_log_add(bridge[2 * rung + 1], -half * cold);
    }
    if (!due || lbp_runner_takes_parts(r, rung, round)) continue;
    if (!lbp_bernoulli_trial(lbp_rng_u64(&r->swap_rng[chain]), chance)) continue;
    lbp_p_run_swap_states(r, first + rung);
    excess[rung] = hot;
    excess[rung + 1] = cold;
    trip[rung] = trip[rung + 1];
    trip[rung + 1] = cold_trip;
  }
}

/* The exchanges of a chain's replicas after step `step`: whole swaps, then parts. */
LBP_FN void lbp_p_run_swap_chain(lbp_runner *r, uint32_t chain, uint64_t step, int sampling, int wide) {
  const uint64_t round = lbp_p_run_rounds(r, step) - 1;
  const int fresh = step > r->step;
  uint32_t first;
  for (first = chain * r->members; first < (chain + 1) * r->members; first += r->rungs) {
    lbp_p_run_swap(r, chain, first, round, fresh, sampling);
  }
  if (sampling) lbp_p_run_turn(r, chain, fresh);
  if (r->parts) lbp_p_run_swap_parts(r, chain, round, step, wide);
}

/* Swaps of chains [begin, end), whose units here are [first, last), after step `step`, where that is not done. */
LBP_FN void lbp_runner_swap_all(lbp_runner *r, uint32_t begin, uint32_t end, uint32_t first, uint32_t last,
                               uint64_t step, int wide) {
  const int sampling = r->run->warmup == 0 || lbp_runner_phase(r, step - 1) > 0;
  uint32_t chain;
  lbp_runner_excess(r, first, last, wide);
  lbp_p_run_look_for_best(r, first, last, step, wide);
  if (r->spread) lbp_runner_share(r, lbp_runner_first, r->excess, sizeof *r->excess);
  for (chain = begin; chain < end; chain++) {
    const int mine = r->spread || (chain >= r->first_chain && chain - r->first_chain < r->count_chain);
    if (mine && r->at[chain] < step) lbp_p_run_swap_chain(r, chain, step, sampling, wide);
  }
  for (; r->c.group_memory && first < last; first += r->c.group) r->c.kernel->swapped(lbp_chains_unit(&r->c, first));
}

/* ---- the ladder and its statistics ------------------------------------------------------------------------------- */

/* Sets counts of refused swaps to 0. */
LBP_FN void lbp_runner_count_swaps(lbp_runner *r) {
  memset(r->refused, 0, r->units * sizeof *r->refused);
  lbp_runner_count_parts(r);
  r->counted = r->step;
}

/* How often each chain has tried to swap since then. */
LBP_FN double lbp_runner_tried(const lbp_runner *r) {
  return (double)(lbp_p_run_rounds(r, r->step) - lbp_p_run_rounds(r, r->counted));
}

/* How often all of them have, each replica of a rung for itself. */
LBP_FN double lbp_runner_tries(const lbp_runner *r) {
  return lbp_runner_tried(r) * (double)(r->units / r->rungs);
}

/* Refusals between a rung and the next, of all chains: r->refused must have been shared. */
LBP_FN double lbp_runner_refusals(const lbp_runner *r, uint32_t rung) {
  double sum = 0;
  uint32_t k;
  for (k = rung; k < r->units; k += r->rungs) sum += r->refused[k];
  return sum;
}

/* The last step at which the ends of a ladder are found, after 64 rounds: those of 32 rounds are of states that were
 * drawn where it was warmer. */
LBP_FN uint64_t lbp_runner_last_cold(const lbp_run *run) {
  return (uint64_t)64 * (run->tempering.swap_every > 0 ? run->tempering.swap_every : run->thin);
}

/* The step, if there is still one, after which the ladder is set again: when 32, 64, 128 ... rounds are done, in the
 * first three quarters of the warm-up. */
LBP_FN uint64_t lbp_runner_next_ladder(const lbp_runner *r, uint64_t step) {
  const int ends = r->run->tempering.adapt_ends && step < lbp_runner_last_cold(r->run);
  uint64_t next = (uint64_t)32 * r->exchange;
  if (r->rungs == 1 || r->run->metric || !(ends || r->run->tempering.adapt)) return UINT64_MAX;
  while (next <= step && next <= r->run->warmup) next *= 2;
  return next <= (uint64_t)r->run->warmup / 4 * 3 ? next : UINT64_MAX;
}

/* How large log-ratios are: of possible moves of sites that are not clamped, but those that are 0. */
typedef struct {
  const uint8_t *clamp;
  double *size; /* NULL: they are counted only */
  size_t count, room;
  double most, squares, fourths; /* the largest; sums of powers */
} lbp_runner_sizes;

LBP_FN void lbp_runner_take_size(void *data, uint32_t i, double d) {
  lbp_runner_sizes *s = (lbp_runner_sizes *)data;
  const double size = fabs(d);
  if (!lbp_is_finite(d) || !(size > 0) || (s->clamp && s->clamp[i])) return;
  if (s->size && s->count == s->room) return; /* of a kernel that tells more than one a move */
  if (s->size) s->size[s->count] = size;
  if (size > s->most) s->most = size;
  s->squares += size * size;
  s->fourths += size * size * (size * size);
  s->count++;
}

/* Sorts sizes, and returns the one that this share does not reach, without those that are 0 up to rounding; 0: none. */
LBP_COLD double lbp_runner_size_quantile(lbp_runner_sizes *s, double share) {
  size_t rounded = 0;
  if (!s->size || s->count == 0) return 0;
  lbp_sort(s->size, s->count);
  while (s->size[rounded] <= 1e-6 * s->most) rounded++;
  return lbp_quantile(s->size + rounded, s->count - rounded, share);
}

/* Of each chain, at its coldest state: the 5 % quantile of the log-ratios that are not 0, up to rounding, and the
 * largest; both are 0 if all are 0. NULL, and the status, where there is no memory. All processes call it. */
LBP_COLD double *lbp_p_run_find_sizes(lbp_runner *r) {
  const size_t room = lbp_size_times(r->n, r->c.plan.values);
  double *found = (double *)lbp_runner_alloc(r, r->run->chains, 2 * sizeof *found);
  double *size = (double *)lbp_runner_alloc(r, room, sizeof *size);
  uint32_t k;
  for (k = 0; found && size && k < r->c.count; k++) {
    double *chain = found + (size_t)2 * ((r->c.first + k) / r->members);
    lbp_runner_sizes sizes = {r->c.plan.clamp, size, 0, room, 0, 0, 0};
    if (lbp_runner_chain(r, k) < 0) continue;
    r->c.kernel->ratios(lbp_chains_settled(&r->c, k), r->c.model, lbp_runner_take_size, &sizes);
    chain[0] = lbp_runner_size_quantile(&sizes, 0.05) / r->ladder[0]; /* they are at its temperature */
    chain[1] = sizes.most / r->ladder[0];
  }
  free(size);
  if (lbp_runner_agree(r) == LBP_OK) {
    lbp_runner_share(r, lbp_runner_first_chain, found, 2 * sizeof *found);
    return found;
  }
  free(found);
  return NULL;
}

/* Finds the ends of the ladder: at the cold one a flip that costs as much as the smallest that matter is made once in a
 * hundred times, at the hot one that which costs most every other time, as in the default range of D-Wave's annealers.
 * Between them it is geometric; if it ends at beta = 0, all but that. */
LBP_COLD int lbp_p_run_find_ends(lbp_runner *r) {
  const double *given = r->run->tempering.ladder;
  const double kept = given ? given[r->rungs - 1] : 0, ln_100 = 4.6051701859880914, ln_2 = 0.6931471805599453;
  const uint32_t last = given && kept == 0 ? r->rungs - 2 : r->rungs - 1; /* the last that is above 0 */
  double *found = lbp_p_run_find_sizes(r), least = lbp_infinity(), most = 0, cold = given ? given[0] : 1, hot, fall;
  uint32_t k;
  if (!found) return r->result->status;
  for (k = 0; k < r->run->chains; k++) {
    if (found[2 * k] > 0 && found[2 * k] < least) least = found[2 * k];
    if (found[2 * k + 1] > most) most = found[2 * k + 1];
  }
  free(found);
  if (most > 0 && ln_100 / least > cold) cold = ln_100 / least;
  hot = kept > 0 ? kept : most > 0 && ln_2 / most < cold ? ln_2 / most : cold / 100;
  fall = lbp_log(cold / hot);
  for (k = 0; k <= last; k++) r->ladder[k] = k == 0 ? cold : k == last ? hot : cold * lbp_exp(-fall * k / last);
  if (last + 1 < r->rungs) r->ladder[r->rungs - 1] = 0;
  return LBP_OK;
}

/* Spaces the ladder so that all pairs refuse equally often, as estimated from how often they have: the sum of
 * refusals is taken as a piecewise linear function of beta, and cut into equal parts. The ends stay. */
LBP_COLD int lbp_p_run_adapt_ladder(lbp_runner *r) {
  const uint32_t last = r->rungs - 1;
  const double least = 1e-3 * lbp_runner_tries(r);
  double *spaced = (double *)lbp_runner_alloc(r, r->rungs, sizeof *spaced), total = 0, behind = 0;
  uint32_t k, rung = 0;
  if (!spaced) return r->result->status;
  lbp_runner_share(r, lbp_runner_first, r->refused, sizeof *r->refused);
  for (k = 0; k < last; k++) total += lbp_runner_refusals(r, k) + least;
  spaced[0] = r->ladder[0];
  spaced[last] = r->ladder[last];
  for (k = 1; k < last; k++) {
    const double goal = total * k / last;
    double here = lbp_runner_refusals(r, rung) + least;
    for (; rung + 1 < last && behind + here < goal; here = lbp_runner_refusals(r, ++rung) + least) behind += here;
    spaced[k] = r->ladder[rung] + (r->ladder[rung + 1] - r->ladder[rung]) * ((goal - behind) / here);
  }
  memcpy(r->ladder, spaced, r->rungs * sizeof *spaced);
  free(spaced);
  return LBP_OK;
}

/* Finds the ladder's ends, or spaces it; then sets all counts to 0. */
LBP_COLD int lbp_runner_set_ladder(lbp_runner *r) {
  const int ends = r->run->tempering.adapt_ends && r->step <= lbp_runner_last_cold(r->run);
  const int status = ends ? lbp_p_run_find_ends(r) : lbp_p_run_adapt_ladder(r);
  if (status != LBP_OK) return status;
  lbp_runner_set_betas(r);
  lbp_runner_count_swaps(r);
  lbp_runner_forget_all(r);
  return r->result->status;
}

/* Round trips of replicas, and the number expected if only the pairs' swap rates decided [T]. */
LBP_COLD void lbp_runner_report_trips(lbp_runner *r) {
  lbp_run_result *result = r->result;
  const double tries = lbp_runner_tries(r);
  double odds = 0;
  uint32_t k;
  if (r->rungs == 1 || !(tries > 0) || lbp_runner_has_parts(r)) return;
  for (k = 0; k < r->run->chains; k++) result->round_trips += r->trips[k];
  for (k = 0; k + 1 < r->rungs; k++) {
    odds += result->swaps[k] > 0 ? (1 - result->swaps[k]) / result->swaps[k] : lbp_infinity();
  }
  result->round_trip_rate = (double)result->round_trips / tries;
  result->round_trip_ideal = 1 / (2 + 2 * odds);
}

/* Whether replicas should have made many round trips, and have made none. Each may be on one when counting begins, and
 * on one when it ends, so a round trip of each is not missed. */
LBP_COLD int lbp_runner_stays(const lbp_runner *r) {
  const double due = lbp_runner_tried(r) * r->result->round_trip_ideal - r->rungs;
  const double replicas = r->units / r->rungs;
  return r->rungs > 1 && r->result->round_trips == 0 && due * replicas >= LBP_MANY_TRIPS;
}

/* ---- log Z ------------------------------------------------------------------------------------------------------- */

/* Log weights at beta = 0 whose magnitudes add up to more leave log Z less than four digits behind the point. */
#define LBP_P_MOST_BASE 1e12

/* log of the sum over states there with the values of clamped sites; NaN: can't be counted, or weights too large. */
LBP_FN double lbp_runner_log_base(lbp_runner *r) {
  double sum = 0, size = 0;
  uint32_t i, v;
  if (r->c.kernel->scatter) {
    lbp_unit *unit = lbp_runner_spare(r);
    sum = unit && r->c.kernel->log_states ? r->c.kernel->log_states(unit, r->c.model) : (double)NAN;
    lbp_runner_drop_spare(r, unit);
    return sum;
  }
  for (i = 0; i < r->n; i++) {
    const int clamped = r->c.plan.clamp && r->c.plan.clamp[i];
    double site = lbp_runner_base(r, i, clamped ? lbp_runner_packed_item(r, r->given, i) : 0);
    for (v = 1; !clamped && v < lbp_runner_values(r, i); v++) site = lbp_runner_log_add(site, lbp_runner_base(r, i, v));
    sum += site;
    size += fabs(site);
  }
  return size < LBP_P_MOST_BASE ? sum : (double)NAN;
}

/* Returns the value of item i at beta = 0 for a uniform number u, if it has more than two values. */
LBP_FN uint32_t lbp_p_run_base_value(const lbp_runner *r, uint32_t i, double u) {
  const uint32_t values = lbp_runner_values(r, i);
  double best = lbp_runner_base(r, i, 0), total = 0, target;
  uint32_t v;
  if (!r->c.kernel->base) return u * values < values - 1.0 ? (uint32_t)(u * values) : values - 1; /* at once */
  for (v = 1; v < values; v++) best = lbp_runner_base(r, i, v) > best ? lbp_runner_base(r, i, v) : best;
  for (v = 0; v < values; v++) total += exp(lbp_runner_base(r, i, v) - best);
  target = u * total;
  for (v = 0; v + 1 < values; v++) {
    target -= exp(lbp_runner_base(r, i, v) - best);
    if (target < 0) break;
  }
  return v;
}

/* A unit's x is drawn at beta = 0; clamped sites stay. */
LBP_FN void lbp_runner_draw_base(const lbp_runner *r, lbp_rng *rng, lbp_unit *unit) {
  uint32_t i, v;
  if (r->c.kernel->scatter) {
    r->c.kernel->scatter(unit, r->c.model, rng);
    return;
  }
  for (i = 0; i < r->n; i++) {
    if (r->c.plan.clamp && r->c.plan.clamp[i]) continue;
    if (lbp_runner_values(r, i) == 2) {
      const double odds = lbp_runner_base(r, i, 1) - lbp_runner_base(r, i, 0);
      const double size = odds < -700 ? 700 : odds > 700 ? 700 : fabs(odds);
      const int likely = lbp_bernoulli_trial(lbp_rng_u64(rng), 1 / (1 + lbp_exp(-size)));
      v = (uint32_t)(likely ? odds > 0 : odds <= 0);
    } else {
      v = lbp_p_run_base_value(r, i, lbp_u01(lbp_rng_u64(rng)));
    }
    lbp_set_item(unit->x, r->item, i, v);
  }
}

/* A search among log-ratios for an impossible move of a site that may move. */
typedef struct {
  const uint8_t *clamp;
  int impossible;
} lbp_p_search;

LBP_COLD void lbp_p_run_find_impossible(void *data, uint32_t i, double d) {
  lbp_p_search *found = (lbp_p_search *)data;
  if (!lbp_is_finite(d) && !(found->clamp && found->clamp[i])) found->impossible = 1;
}

/* Whether some neighbours of the state are impossible: all of them by their log-ratios, or else 16 at random. */
LBP_COLD void lbp_p_run_look_around(const lbp_runner *r, lbp_unit *unit, lbp_rng *rng, lbp_p_search *found) {
  uint32_t k;
  if (r->c.kernel->exact) {
    r->c.kernel->ratios(unit, r->c.model, lbp_p_run_find_impossible, found);
    return;
  }
  for (k = 0; k < 16 && r->c.plan.values > 1 && !r->c.kernel->scatter; k++) {
    const uint32_t i = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), r->n), old = lbp_item(unit->x, r->item, i);
    const uint32_t values = lbp_runner_values(r, i);
    const uint32_t other = values > 1 ? 1 + (uint32_t)lbp_mulhi(lbp_rng_u64(rng), values - 1) : 0;
    lbp_set_item(unit->x, r->item, i, (uint32_t)(((uint64_t)old + other) % values));
    r->c.kernel->touch(unit);
    lbp_p_run_find_impossible(found, i, r->c.kernel->logp(unit, r->c.model));
    lbp_set_item(unit->x, r->item, i, old);
    r->c.kernel->touch(unit);
  }
}

/* Data of the test whether states are connected: a spare chain, in which they are changed; work that is left. */
typedef struct {
  lbp_unit *unit;
  uint8_t *goal; /* packed */
  double left;   /* evaluations of log pi */
} lbp_p_walk;

/* A single move towards the goal, which sets item a right: item a alone, or in exchange with b, which has the value
 * that a is to have. Whether it can be made; else nothing has changed. */
LBP_COLD int lbp_p_run_try_move(const lbp_runner *r, lbp_p_walk *w, uint32_t a, uint32_t b) {
  const uint32_t was = lbp_item(w->unit->x, r->item, a), want = lbp_runner_packed_item(r, w->goal, a);
  uint64_t which;
  lbp_set_item(w->unit->x, r->item, a, want);
  if (b != a) lbp_set_item(w->unit->x, r->item, b, was);
  r->c.kernel->touch(w->unit);
  if (!r->c.kernel->admits || r->c.kernel->admits(w->unit, r->c.model, &which) == LBP_OK) {
    w->left--;
    if (lbp_is_finite(r->c.kernel->logp(w->unit, r->c.model))) return 1;
  }
  lbp_set_item(w->unit->x, r->item, a, was);
  if (b != a) lbp_set_item(w->unit->x, r->item, b, want);
  r->c.kernel->touch(w->unit);
  return 0;
}

/* Whether single moves through possible states lead from the spare chain's state to the goal, each of which sets an
 * item right that is not: from a random one on, the first that can be. 0: such moves end elsewhere. */
LBP_COLD int lbp_p_run_leads(const lbp_runner *r, lbp_p_walk *w, lbp_rng *rng) {
  const int exchange = r->c.kernel->admits != NULL;
  for (;;) {
    const uint32_t from = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), r->n);
    uint32_t k, l, wrong = 0;
    int moved = 0;
    for (k = 0; k < r->n && !moved; k++) {
      const uint32_t a = (from + k) % r->n, want = lbp_runner_packed_item(r, w->goal, a);
      if (lbp_item(w->unit->x, r->item, a) == want) continue;
      wrong++;
      moved = w->left > 0 && lbp_p_run_try_move(r, w, a, a);
      for (l = 0; exchange && l < r->n && !moved && w->left > 0; l++) {
        const uint32_t b = (from + l) % r->n;
        if (lbp_item(w->unit->x, r->item, b) != want || lbp_runner_packed_item(r, w->goal, b) == want) continue;
        moved = lbp_p_run_try_move(r, w, a, b);
      }
    }
    if (wrong == 0) return 1;
    if (!moved) return 0;
  }
}

/* The same, of eight tries: whether a state is connected with the goal. `packed`: the state; counts it. */
LBP_COLD void lbp_p_run_connect(lbp_runner *r, lbp_p_walk *w, lbp_rng *rng, const uint8_t *packed) {
  int tries, there = 0;
  for (tries = 0; tries < 8 && !there && w->left > 0; tries++) {
    lbp_runner_unpack(r, packed, w->unit->x);
    r->c.kernel->touch(w->unit);
    there = lbp_p_run_leads(r, w, rng);
  }
  if (there) r->result->reached++;
  else if (w->left > 0) r->result->unreached++;
}

/* Whether steps of the first chain's hottest replica are made of single moves, or may be: not if R is 2 or more in
 * each. All processes ask, and the first is told. */
LBP_COLD int lbp_runner_moves_singly(const lbp_runner *r) {
  const uint32_t hot = r->rungs - 1, here = hot - r->c.first;
  const lbp_plan *plan = &r->c.plan;
  double setting[LBP_SETTINGS] = {0};
  if (!(plan->sampler->traits & LBP_TRAIT_SITES) || !(plan->sampler->target > 0)) return 1;
  if (plan->setting[0] > 0) return plan->setting[0] < 2;
  if (here < r->c.count) r->c.kernel->tuner_setting(lbp_chains_tuner(&r->c, here), setting);
  lbp_runner_pass(r, lbp_runner_rank_of(r, hot), 0, setting, sizeof setting);
  return setting[0] < 2;
}

/* States that were drawn at beta = 0 and are possible are looked at, so many at most; with fewer than the least, or if
 * one of them is not connected with the first chain's, it is not known whether moves lead to all states. */
#define LBP_P_DRAWN       64u
#define LBP_P_DRAWN_LEAST 16u

/* Where some states are impossible, chains at beta = 0 only see the possible ones, and Z is too large by the factor 1 /
 * their share of all the probability there: this share, and the variance of its logarithm, are found by drawing states
 * at beta = 0. How many is decided by the work that has been done, a sixteenth of it at most; if all of these are
 * possible, and all neighbours of every eighth, so are all states, as far as log Z can tell. If not, chains may know a
 * part of the possible ones only: so states that are drawn, and those of other chains, are looked at whether single
 * moves connect them with the first chain's. */
LBP_COLD int lbp_p_run_possible(lbp_runner *r, double *variance) {
  const double work = r->total.evaluations * r->members / (r->budget / LBP_P_SEGMENT) / 16;
  const uint32_t trials = work < 16 ? 16 : work > 65536 ? 65536 : (uint32_t)work;
  const uint32_t chains = r->run->chains < LBP_P_DRAWN ? r->run->chains : LBP_P_DRAWN;
  lbp_unit *unit = lbp_runner_spare(r);
  lbp_p_search found = {r->c.plan.clamp, 0};
  uint8_t *drawn = (uint8_t *)lbp_runner_alloc(r, LBP_P_DRAWN + 1, r->packed); /* the goal comes last */
  lbp_p_walk walk;
  uint32_t t, possible = 0;
  double share;
  lbp_rng rng;
  lbp_rng_init(&rng, r->run->seed, UINT64_MAX - 1); /* a stream that no chain draws from */
  for (t = 0; unit && drawn && t < trials; t++) {
    lbp_runner_draw_base(r, &rng, unit);
    r->c.kernel->touch(unit);
    if (!lbp_is_finite(r->c.kernel->logp(unit, r->c.model))) continue;
    if (possible < LBP_P_DRAWN) lbp_runner_pack(r, unit->x, drawn + possible * r->packed);
    possible++;
    if (!found.impossible && t % 8 == 0) lbp_p_run_look_around(r, unit, &rng, &found);
  }
  share = (double)possible / trials;
  r->result->possible = share;
  *variance = 0;
  if (unit && drawn && possible > 0 && (possible < trials || found.impossible)) {
    const uint32_t few = possible < LBP_P_DRAWN ? possible : LBP_P_DRAWN;
    walk.unit = unit;
    walk.goal = drawn + LBP_P_DRAWN * r->packed;
    walk.left = 65536 + 16.0 * trials;
    memcpy(walk.goal, r->state, r->packed); /* where chains last forgot: a complete run, called again, has these */
    for (t = 0; t < few; t++) lbp_p_run_connect(r, &walk, &rng, drawn + t * r->packed);
    for (t = 1; t < chains; t++) {
      lbp_p_run_connect(r, &walk, &rng, r->state + (size_t)t * r->members * r->packed);
    }
    if (r->result->unreached > 0 || r->result->reached < LBP_P_DRAWN_LEAST || !r->singly) {
      r->result->warnings |= LBP_WARN_REACH;
    }
    *variance = (1 - share) / (share * trials) + 1 / ((double)trials * trials);
  }
  lbp_runner_drop_spare(r, unit);
  free(drawn);
  if (r->result->status != LBP_OK) return r->result->status;
  return possible > 0 ? LBP_OK : LBP_E_STATE;
}

/* log of sums of pi, by the bridges from rung to rung down to beta = 0; the error from how chains differ, which in flat
 * laws they do not. No number is left that is wrong: NaN without one, and of one chain an error of NaN. */
LBP_COLD int lbp_runner_log_z(lbp_runner *r) {
  lbp_run_result *result = r->result;
  double *each = r->work_space, base, mean = 0, se = 0, variance;
  uint32_t chain, rung, k;
  int status, of_error;
  if (r->rungs == 1) return LBP_E_RANGE;
  result->log_z = result->log_z_se = (double)NAN;
  if (r->ladder[r->rungs - 1] > 0) return LBP_E_RANGE;
  if (lbp_runner_drawn(r) == 0) return LBP_E_TOO_SHORT;
  base = lbp_runner_log_base(r);
  if (lbp_is_nan(base)) return LBP_E_SIZE;
  for (chain = 0; chain < r->run->chains; chain++) {
    each[chain] = base;
    for (rung = 0; rung + 1 < r->rungs; rung++) {
      const double *bridge = r->bridge + (size_t)2 * (chain * r->members + rung);
      double cold = bridge[0], hot = bridge[1];
      for (k = r->rungs; k < r->members; k += r->rungs) { /* those of its other replicas */
        cold = lbp_runner_log_add(cold, bridge[2 * k]);
        hot = lbp_runner_log_add(hot, bridge[2 * k + 1]);
      }
      each[chain] += cold - hot;
    }
  }
  of_error = lbp_mean_se(each, r->run->chains, &mean, &se);
  if (of_error != LBP_OK && of_error != LBP_E_CONSTANT && of_error != LBP_E_TOO_SHORT) return of_error;
  status = lbp_p_run_possible(r, &variance);
  if (status != LBP_OK) return status;
  result->log_z = mean + log(result->possible);
  if (of_error == LBP_E_TOO_SHORT) return of_error;
  result->log_z_se = sqrt(se * se + variance);
  return LBP_OK;
}

LBP_EXACT_END

#endif /* LBP_RUN_LADDER_H */
