/* lbp/run/ais.h - log Z by annealed importance sampling and population annealing.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it.
 *
 * In annealed importance sampling [N] each chain climbs the ladder by itself, and keeps its weight to the end. With
 * `resample` above 0 it becomes population annealing [H, M, W]: when weights have become uneven, systematic resampling
 * draws chains by their weights, and they continue with equal weights, so that a few lucky chains do not decide
 * everything. Descendants of the same chain are equal until steps separate them, and carry less information than their
 * number suggests. So the chains are divided into up to 16 independent populations of at least 8 chains, and each
 * resamples within itself. The estimate of Z of each population is unbiased, and so is their mean. Its standard error
 * comes from the spread between populations, so correlations within them do not matter.
 *
 * The estimates are unbiased for any steps. But if steps hardly move the chains, most weights are too small, and the
 * few large weights that would make up for it are missing from the sample; the standard error is then meaningless. So
 * the default step is a sweep. If R is tuned, it stays small: at small beta the acceptance rate alone would tune it to
 * nearly n, and such steps flip everything back and forth. The effective number of weights and the Pareto k of their
 * tail decide whether the weights can be trusted. Both are also checked in the last pass that tunes, whose chains are
 * different: states that one pass misses are often found by the other. No weight can reveal states that no chain of any
 * pass has visited.
 *
 * Order of this file: the result; populations; a pass up the ladder; estimates; NAME_ais for any kernel.
 *
 * Sources: [N] Neal, "Annealed Importance Sampling", Statistics and Computing 2001; [H] Hukushima, Iba, "Population
 * Annealing and Its Application to a Spin Glass", AIP Conference Proceedings 690, 2003; [M] Machta, "Population
 * Annealing with Weighted Averages", Physical Review E 82, 026704, 2010; [W] Wang, Machta, Katzgraber, "Population
 * Annealing: Theory and Application in Spin Glasses", Physical Review E 92, 063307, 2015.
 */

#ifndef LBP_AIS_H
#define LBP_AIS_H

#include "../base/numbers.h"
#include "go.h"

LBP_EXACT_BEGIN

/* Prints the result of NAME_ais, in a few lines. */
LBP_P_DRIVER void lbp_ais_print(const lbp_ais_result *result, FILE *to) {
  const unsigned warnings = result->warnings;
  unsigned warning;
  if (result->status != LBP_OK) return;
  lbp_runner_print_sampler(to, result->sampler, result->n, result->values);
  fprintf(to, "log Z = %.6g", result->log_z);
  if (!lbp_is_nan(result->log_z_se)) fprintf(to, " +- %.2g", result->log_z_se);
  fprintf(to, ", %.4g%s effective weights, acceptance %.3f, %.1f s\n", result->weights,
          warnings & LBP_WARN_AIS_WEIGHTS ? "!" : "", result->accept, result->seconds);
  if (result->populations > 0) {
    fprintf(to, "populations: %lu%s, families: %lu, %.4g%s effective\n", (unsigned long)result->populations,
            warnings & LBP_WARN_AIS_CHAINS ? "!" : "", (unsigned long)result->families, result->effective_families,
            warnings & LBP_WARN_AIS_FAMILIES ? "!" : "");
  }
  for (warning = LBP_WARN_AIS_WEIGHTS; warning <= LBP_WARN_AIS_ALL_SITES; warning *= 2) {
    if (warnings & warning) fprintf(to, "! %s\n", lbp_ais_advice(warning));
  }
}

/* Pass number `pass` of so many has come so far up the ladder. */
LBP_COLD void lbp_p_ais_progress(lbp_runner *r, uint32_t pass, uint32_t passes, uint32_t done, uint32_t rungs) {
  const double now = lbp_run_now(), share = (pass + (double)done / rungs) / passes;
  const int last = pass + 1 == passes && done == rungs;
  char line[128];
  int length;
  if (!lbp_runner_is_due(r, last)) return;
  length = snprintf(line, sizeof line, "%.16s: annealing, pass %lu of %lu, rung %lu/%lu, %.0f s", r->run->name,
                    (unsigned long)pass + 1, (unsigned long)passes, (unsigned long)done, (unsigned long)rungs,
                    now - r->begin);
  if (!last) {
    snprintf(line + length, sizeof line - (size_t)length, ", %.0f s left", (now - r->begin) * (1 / share - 1));
  }
  lbp_runner_tell_line(r, line, last, now);
}

/* The data of an annealing, by rung and by chain. */
typedef struct {
  double *ladder, *spaced;                /* inverse temperatures, falling; their new values */
  double *spread;                         /* the standard deviation of log pi there */
  double (*setting)[LBP_SETTINGS];        /* of the steps at each of them */
  double *log_weight;                     /* of each chain */
  double *room;                           /* for lbp_pareto_k: weights, and its workspace */

  /* with resampling, the same in all processes */
  uint32_t populations;                   /* 0: no resampling */
  double *weight;                         /* of each chain: its weight, by which it is resampled; of each family */
  uint32_t *copies, *family;              /* of each chain: descendants to come; the first chain it descends from */
  lbp_rng rng;                            /* from stream LBP_P_STREAMS, which no chain draws from */
} lbp_p_ais;

/* Populations are so many at most, of so many chains at least, if there is more than one. */
enum { LBP_P_POPULATIONS = 16, LBP_P_POPULATION = 8 };

LBP_COLD int lbp_p_ais_make(lbp_runner *r, lbp_p_ais *a, const lbp_run *given) {
  const uint32_t rungs = given->tempering.rungs;
  uint32_t k;
  a->ladder = (double *)lbp_runner_alloc(r, rungs, sizeof *a->ladder);
  a->spaced = (double *)lbp_runner_alloc(r, rungs, sizeof *a->spaced);
  a->spread = (double *)lbp_runner_alloc(r, rungs, sizeof *a->spread);
  a->setting = (double(*)[LBP_SETTINGS])lbp_runner_alloc(r, rungs, sizeof *a->setting);
  a->log_weight = (double *)lbp_runner_alloc(r, r->units, sizeof *a->log_weight);
  a->room = (double *)lbp_runner_alloc(r, lbp_size_times(r->units, 3), sizeof *a->room);
  if (given->tempering.resample > 0) {
    a->populations = r->units / LBP_P_POPULATION;
    if (a->populations < 1) a->populations = 1;
    if (a->populations > LBP_P_POPULATIONS) a->populations = LBP_P_POPULATIONS;
    a->weight = (double *)lbp_runner_alloc(r, r->units, sizeof *a->weight);
    a->copies = (uint32_t *)lbp_runner_alloc(r, r->units, sizeof *a->copies);
    a->family = (uint32_t *)lbp_runner_alloc(r, r->units, sizeof *a->family);
    lbp_rng_init(&a->rng, given->seed, LBP_P_STREAMS);
  }
  for (k = 0; a->ladder && k < rungs; k++) {
    a->ladder[k] = given->tempering.ladder ? given->tempering.ladder[k] : 1 - k / (rungs - 1.0);
  }
  if (a->ladder) lbp_runner_judge_beta(r, a->ladder[0]);
  r->c.plan.part = LBP_AIS_PART;
  r->c.plan.over = lbp_runner_listens(given) ? lbp_runner_is_over : NULL;
  r->c.plan.over_data = r;
  lbp_chains_tune(&r->c);
  if (lbp_is_nan(lbp_runner_log_base(r))) {
    lbp_runner_fail(r->result, LBP_E_RANGE, r->c.kernel->scatter ? "log Z: the number of states at beta = 0 is "
                    "unknown" : "log Z: log-odds at beta = 0 (LBP_BASE) are too large to leave it digits: in all at "
                    "most 10^12");
  }
  return lbp_runner_agree(r);
}

/* ---- populations ------------------------------------------------------------------------------------------------- */

/* The first chain of a population. */
LBP_COLD uint32_t lbp_p_ais_population(const lbp_runner *r, const lbp_p_ais *a, uint32_t population) {
  return (uint32_t)((uint64_t)r->units * population / a->populations);
}

/* Systematic resampling: how many of `count` descendants each chain is to have, from weights that add up to `sum`. On a
 * line where each chain has a piece as long as its weight, descendants are equal steps apart, the first after the
 * share u of a step, 0 <= u < 1. So a chain has as many as its weight is means of all, rounded down or up; without
 * weight none. */
LBP_FN void lbp_p_ais_systematic(const double *weight, uint32_t count, double sum, double u, uint32_t *copies) {
  double behind = 0;
  uint32_t k, given = 0, last = 0;
  for (k = 0; k < count; k++) {
    double steps;
    behind += weight[k];
    steps = lbp_rounded(behind / sum * count) - u;
    copies[k] = 0;
    while (given < count && given < steps) given++, copies[k]++;
    if (weight[k] > 0) last = k;
  }
  copies[last] += count - given; /* where the sum of the pieces is rounded down */
}

/* Chain `to`, of process `taker`, becomes a copy of chain `from`, of process `giver`. All processes call it in the same
 * order. `state` is not read any more: it has the copy on its way. */
LBP_FN void lbp_p_ais_copy(lbp_runner *r, uint32_t from, int giver, uint32_t to, int taker) {
  const uint32_t source = from - r->c.first, target = to - r->c.first; /* if they are here */
  uint8_t *room = NULL;
  if (r->rank == giver && giver == taker) {
    memcpy(lbp_chains_unit(&r->c, target)->x, lbp_chains_unit(&r->c, source)->x, r->n * r->item);
  } else if (r->rank == giver) {
    room = r->state + source * r->packed;
    lbp_runner_pack(r, lbp_chains_unit(&r->c, source)->x, room);
  } else if (r->rank == taker) {
    room = r->state + target * r->packed;
  }
  if (room) lbp_runner_pass(r, giver, taker, room, r->packed);
  if (r->rank != taker) return;
  if (room) lbp_runner_unpack(r, room, lbp_chains_unit(&r->c, target)->x);
  r->c.kernel->touch(lbp_chains_unit(&r->c, target));
}

/* In chains [begin, end) those without descendants make room for the others': a chain that has some is the first of
 * them itself. */
LBP_FN void lbp_p_ais_replace(lbp_runner *r, lbp_p_ais *a, uint32_t begin, uint32_t end) {
  uint32_t from = begin, to;
  int giver = 0, taker = 0;
  for (to = begin; to < end; to++) {
    if (a->copies[to] > 0) continue;
    while (a->copies[from] < 2) from++;
    a->copies[from]--;
    a->family[to] = a->family[from];
    while (lbp_runner_first(r, giver + 1) <= from) giver++;
    while (lbp_runner_first(r, taker + 1) <= to) taker++;
    lbp_p_ais_copy(r, from, giver, to, taker);
  }
}

/* Resamples chains [begin, end), a population, if their weights have become that uneven: each then has the mean weight,
 * so that the sum stays. Not if none is possible, or log pi is no number, which comes out at the end. All processes
 * decide the same: they know all weights, and no library's function rounds on the way. */
LBP_FN void lbp_p_ais_resample(lbp_runner *r, lbp_p_ais *a, double share, uint32_t begin, uint32_t end) {
  const uint32_t count = end - begin;
  double *log_weight = a->log_weight, *weight = a->weight, largest = -lbp_infinity(), sum = 0, squares = 0, mean;
  uint32_t k;
  for (k = begin; k < end; k++) {
    if (lbp_is_nan(log_weight[k])) return;
    if (log_weight[k] > largest) largest = log_weight[k];
  }
  if (!lbp_is_finite(largest)) return;
  for (k = begin; k < end; k++) {
    const double gap = log_weight[k] - largest;
    weight[k] = gap > -700 ? lbp_exp(gap) : 0;
    sum += weight[k];
    squares += lbp_rounded(weight[k] * weight[k]);
  }
  if (share < 1 && sum * sum >= share * count * squares) return;
  lbp_p_ais_systematic(weight + begin, count, sum, lbp_u01(lbp_rng_u64(&a->rng)), a->copies + begin);
  lbp_p_ais_replace(r, a, begin, end);
  mean = largest + lbp_log_fine(sum / count);
  for (k = begin; k < end; k++) log_weight[k] = mean;
}

/* ---- a pass up the ladder ---------------------------------------------------------------------------------------- */

/* Keeps the best state that each chain here has had at the end of a rung. excess: r->excess is up to date. */
LBP_FN void lbp_p_ais_look(lbp_runner *r, int excess) {
  const int known = excess && !r->c.kernel->excess; /* without a base, log pi is the excess */
  int64_t k;
  LBP_P_EACH
  for (k = 0; k < (int64_t)r->c.count; k++) {
    lbp_unit *unit = lbp_chains_unit(&r->c, (uint32_t)k);
    const double logp = known ? r->excess[r->c.first + k] : r->c.kernel->logp(unit, r->c.model);
    if (!(logp > r->best_logp[k])) continue;
    r->best_logp[k] = logp;
    lbp_runner_pack(r, unit->x, r->best + (size_t)k * r->packed);
  }
}

/* Weighs all chains, which come from this rung, for the next one up, and finds spread[] here. */
LBP_FN void lbp_p_ais_weigh(lbp_runner *r, lbp_p_ais *a, uint32_t rung) {
  double mean = 0, squares = 0;
  uint32_t possible = 0, k;
  lbp_runner_excess(r, 0, r->c.count, 1);
  lbp_p_ais_look(r, 1);
  lbp_runner_share(r, lbp_runner_first, r->excess, sizeof *r->excess);
  for (k = 0; k < r->units; k++) {
    const double step = a->ladder[rung - 1] - a->ladder[rung];
    if (a->populations > 0) a->log_weight[k] += lbp_rounded(step * r->excess[k]);
    else a->log_weight[k] += step * r->excess[k];
    possible += lbp_is_finite(r->excess[k]) != 0;
  }
  for (k = 0; k < r->units; k++) mean += lbp_is_finite(r->excess[k]) ? r->excess[k] / possible : 0;
  for (k = 0; k < r->units; k++) { /* an impossible state weighs nothing, however far it is */
    if (lbp_is_finite(r->excess[k])) squares += (r->excess[k] - mean) * (r->excess[k] - mean);
  }
  a->spread[rung] = possible > 0 ? sqrt(squares / possible) : 0;
}

/* Draws all chains at beta = 0, and takes them up the ladder. A pass that tunes finds setting[] for each
 * rung; another one only uses it, so that its weights are those of [N]. */
LBP_FN void lbp_p_ais_pass(lbp_runner *r, lbp_p_ais *a, const lbp_run *given, int tuning, uint32_t pass) {
  const uint32_t passes = given->tempering.adapt ? 3 : 2;
  const lbp_plan plan = r->c.plan;
  uint32_t rung, k, t, p;
  for (k = 0; k < r->c.count; k++) {
    lbp_unit *unit = lbp_chains_unit(&r->c, k);
    lbp_runner_draw_base(r, &unit->rng, unit);
    r->c.kernel->touch(unit);
  }
  memset(a->log_weight, 0, r->units * sizeof *a->log_weight);
  for (k = 0; a->family && k < r->units; k++) a->family[k] = k;
  for (rung = given->tempering.rungs - 1; rung > 0; rung--) {
    lbp_p_ais_weigh(r, a, rung);
    for (p = 0; p < a->populations; p++) {
      lbp_p_ais_resample(r, a, given->tempering.resample, lbp_p_ais_population(r, a, p),
                         lbp_p_ais_population(r, a, p + 1));
    }
    for (k = 0; k < r->c.count; k++) r->c.kernel->temper(lbp_chains_unit(&r->c, k), a->ladder[rung - 1]);
    if (tuning) {
      for (t = 0; t < given->thin && !lbp_runner_joint_step(r, 1); t++) continue;
      r->c.kernel->tuner_setting(lbp_chains_tuner_at(&r->c, 0), a->setting[rung - 1]);
      if (plan.setting[0] > 0) memcpy(a->setting[rung - 1], plan.setting, sizeof plan.setting);
    } else {
      memcpy(r->c.plan.setting, a->setting[rung - 1], sizeof plan.setting);
      lbp_chains_steps(&r->c, given->thin, 0, 1);
      r->c.plan = plan;
    }
    lbp_runner_look_at_faults(r);
    if (r->result->status == LBP_OK && lbp_runner_is_stopped(given)) {
      lbp_runner_fail(r->result, LBP_E_TOO_SHORT, "stopped on the way up the ladder, before log Z was known: call it "
                      "again");
    }
    if (lbp_runner_agree(r) != LBP_OK) break; /* all processes, or they would wait for each other */
    lbp_p_ais_progress(r, pass, passes, given->tempering.rungs - rung, given->tempering.rungs - 1);
  }
  if (r->result->status == LBP_OK) lbp_p_ais_look(r, 0);
  lbp_runner_agree(r);
}

/* Spaces the ladder so that log pi (beta' - beta) spreads equally from each rung to the next. */
LBP_COLD void lbp_p_ais_space(lbp_p_ais *a, uint32_t rungs) {
  const double *ladder = a->ladder, *spread = a->spread;
  double *spaced = a->spaced;
  double total = 0, behind = 0, step = 0;
  uint32_t k, rung = rungs - 1;
  for (k = 1; k < rungs; k++) total += (ladder[k - 1] - ladder[k]) * (spread[k] + 1e-9);
  spaced[rungs - 1] = ladder[rungs - 1];
  spaced[0] = ladder[0];
  for (k = rungs - 2; k > 0; k--) {
    const double goal = total * (rungs - 1 - k) / (rungs - 1);
    while (rung > 1 && behind + (step = (ladder[rung - 1] - ladder[rung]) * (spread[rung] + 1e-9)) < goal) {
      behind += step;
      rung--;
    }
    step = (ladder[rung - 1] - ladder[rung]) * (spread[rung] + 1e-9);
    spaced[k] = ladder[rung] + (ladder[rung - 1] - ladder[rung]) * ((goal - behind) / step);
  }
  memcpy(a->ladder, spaced, rungs * sizeof *spaced);
}

/* ---- the estimate ------------------------------------------------------------------------------------------------ */

/* log of the weights' mean and its error, by chains: that of log Z also has the base's. `largest`: of log weights. */
LBP_COLD void lbp_p_ais_sum_chains(lbp_runner *r, const lbp_p_ais *a, double largest, lbp_ais_result *result) {
  double sum = 0, squares = 0, spread = 0;
  uint32_t k;
  for (k = 0; k < r->units; k++) {
    const double w = exp(a->log_weight[k] - largest);
    sum += w;
    squares += w * w;
  }
  for (k = 0; k < r->units; k++) {
    const double apart = exp(a->log_weight[k] - largest) * r->units / sum - 1;
    spread += apart * apart;
  }
  result->log_z = lbp_runner_log_base(r) + largest + log(sum / r->units);
  result->weights = sum * sum / squares;
  result->log_z_se = r->units > 1 ? sqrt(spread / r->units / (r->units - 1.0)) : (double)NAN;
  result->families = r->units;
  result->effective_families = result->weights;
}

/* The same by populations, and the families. */
LBP_COLD void lbp_p_ais_sum_populations(lbp_runner *r, lbp_p_ais *a, double largest, lbp_ais_result *result) {
  const uint32_t populations = a->populations;
  double z[LBP_P_POPULATIONS], mean = 0, spread = 0, sum = 0, squares = 0, shares = 0;
  uint32_t p, k;
  memset(a->weight, 0, r->units * sizeof *a->weight);
  memset(a->copies, 0, r->units * sizeof *a->copies);
  for (p = 0; p < populations; p++) {
    const uint32_t begin = lbp_p_ais_population(r, a, p), end = lbp_p_ais_population(r, a, p + 1);
    z[p] = 0;
    for (k = begin; k < end; k++) {
      const double w = exp(a->log_weight[k] - largest) / (end - begin);
      z[p] += w;
      sum += w;
      squares += w * w;
      a->weight[a->family[k]] += w;
      a->copies[a->family[k]]++;
    }
    mean += z[p] / populations;
  }
  for (p = 0; p < populations; p++) spread += (z[p] - mean) * (z[p] - mean);
  for (k = 0; k < r->units; k++) {
    shares += a->weight[k] * a->weight[k];
    result->families += a->copies[k] > 0;
  }
  result->log_z = lbp_runner_log_base(r) + largest + log(mean);
  result->weights = sum * sum / squares;
  result->log_z_se = populations > 1 ? sqrt(spread / populations / (populations - 1.0)) / mean : (double)NAN;
  result->populations = populations;
  result->effective_families = sum * sum / shares;
}

/* log Z and its error, from the weights of a pass, and warnings about them. LBP_OK, LBP_E_STATE: none
 * of the weights is above 0, or LBP_E_DRAW_NOT_FINITE: one is no number. */
LBP_COLD int lbp_p_ais_sum(lbp_runner *r, lbp_p_ais *a, lbp_ais_result *result) {
  double largest = -lbp_infinity();
  uint32_t k, possible = 0;
  for (k = 0; k < r->units; k++) {
    if (lbp_is_nan(a->log_weight[k])) return LBP_E_DRAW_NOT_FINITE;
    if (a->log_weight[k] > largest) largest = a->log_weight[k];
    possible += a->log_weight[k] > -lbp_infinity();
  }
  if (possible == 0) return LBP_E_STATE;
  if (a->populations > 0) lbp_p_ais_sum_populations(r, a, largest, result);
  else lbp_p_ais_sum_chains(r, a, largest, result);
  if (!lbp_result_is_finite(result->log_z)) return LBP_E_DRAW_NOT_FINITE;
  for (k = 0; k < r->units; k++) a->room[k] = exp(a->log_weight[k] - largest);
  result->pareto_k = (double)NAN;
  lbp_pareto_k(a->room, r->units, a->room + r->units, (size_t)2 * r->units, &result->pareto_k);
  if (result->weights < LBP_AIS_LEAST_WEIGHTS * sqrt(possible)) result->warnings |= LBP_WARN_AIS_WEIGHTS;
  if (result->pareto_k > LBP_AIS_MOST_PARETO_K) result->warnings |= LBP_WARN_AIS_WEIGHTS;
  if (a->populations == 0) return LBP_OK;
  if (result->log_z_se * result->log_z_se * a->populations > LBP_AIS_MOST_UNEVEN) {
    result->warnings |= LBP_WARN_AIS_WEIGHTS;
  }
  if (result->effective_families < LBP_AIS_LEAST_FAMILIES) result->warnings |= LBP_WARN_AIS_FAMILIES;
  if (r->run->tempering.resample * LBP_AIS_MOST_UNEQUAL > 1 &&
      result->families > LBP_AIS_MOST_UNEQUAL * result->effective_families) result->warnings |= LBP_WARN_AIS_FAMILIES;
  return LBP_OK;
}

/* Whether R is fixed, and so large that steps turn all mobile sites over, see LBP_AIS_PART. A swap moves two. */
LBP_COLD int lbp_p_ais_is_all_over(const lbp_runner *r) {
  const lbp_plan *plan = &r->c.plan;
  const uint32_t open = plan->n - plan->clamped, mobile = r->c.kernel->scatter ? open / 2 : open;
  if (!(plan->sampler->traits & LBP_TRAIT_SITES) || !(plan->sampler->target > 0)) return 0;
  return plan->setting[0] > 1 && plan->setting[0] > mobile / LBP_AIS_PART + 1;
}

/* Writes the result of the last pass; `before`: warnings of the pass before it. */
LBP_COLD void lbp_p_ais_conclude(lbp_runner *r, lbp_p_ais *a, const lbp_run *given, unsigned before,
                                 lbp_ais_result *result) {
  const int status = lbp_p_ais_sum(r, a, result);
  double *accept = a->log_weight;
  uint32_t k;
  if (status == LBP_E_STATE) {
    lbp_runner_fail(r->result, status,
                    "log Z: none of %lu chains began, at beta = 0, in a possible state: take more chains, or an "
                    "LBP_BASE closer to the possible states",
                    (unsigned long)r->units);
  } else if (status != LBP_OK) {
    lbp_runner_fail(r->result, status, "log Z: %s", lbp_error(status));
  }
  result->sampler = r->c.plan.sampler->name;
  result->n = r->n;
  result->values = r->c.plan.values;
  result->warnings |= before;
  if ((a->populations > 0 ? a->populations < LBP_AIS_LEAST_POPULATIONS : r->units == 1)) {
    result->warnings |= LBP_WARN_AIS_CHAINS;
  }
  if (lbp_p_ais_is_all_over(r)) result->warnings |= LBP_WARN_AIS_ALL_SITES;
  for (k = 0; k < r->c.count; k++) accept[r->c.first + k] = r->c.moves[k].accept;
  lbp_runner_share(r, lbp_runner_first, accept, sizeof *accept);
  for (k = 0; k < r->units; k++) result->accept += accept[k] / r->units / given->thin / (given->tempering.rungs - 1.0);
}

/* The best state of all chains, of equals that of the first, to all processes. */
LBP_COLD int lbp_p_ais_report_best(lbp_runner *r, const lbp_p_ais *a, lbp_ais_result *result) {
  uint8_t *packed = (uint8_t *)lbp_runner_alloc(r, 1, r->packed);
  uint32_t k, best = 0;
  int owner = 0;
  result->best = (uint8_t *)lbp_runner_alloc(r, r->n, r->item);
  if (lbp_runner_agree(r) == LBP_OK) {
    memcpy(r->excess + r->c.first, r->best_logp, r->c.count * sizeof *r->excess);
    lbp_runner_share(r, lbp_runner_first, r->excess, sizeof *r->excess);
    for (k = 1; k < r->units; k++) best = r->excess[k] > r->excess[best] ? k : best;
    while (lbp_runner_first(r, owner + 1) <= best) owner++;
    if (r->rank == owner) memcpy(packed, r->best + (best - r->c.first) * r->packed, r->packed);
    lbp_runner_pass(r, owner, 0, packed, r->packed);
    lbp_runner_tell(r, packed, r->packed);
    result->best_logp = r->excess[best];
    /* Z is at least pi of one state, at the temperature that log Z is of; a base's share there is not known */
    if ((a->ladder[0] == 1 || !r->c.kernel->base) && a->ladder[0] * result->best_logp > result->log_z +
        3 * result->log_z_se + 1e-6 * (1 + fabs(result->log_z))) {
      result->warnings |= LBP_WARN_AIS_WEIGHTS;
    }
    lbp_runner_unpack(r, packed, result->best);
  }
  free(packed);
  return r->result->status;
}

/* All passes. */
LBP_FN void lbp_p_ais_climb(lbp_runner *r, lbp_p_ais *a, const lbp_run *given, lbp_ais_result *result) {
  lbp_ais_result before;
  memset(&before, 0, sizeof before);
  lbp_p_ais_pass(r, a, given, 1, 0);
  if (given->tempering.adapt) {
    lbp_p_ais_space(a, given->tempering.rungs);
    lbp_p_ais_pass(r, a, given, 1, 1); /* tunes R again, for these temperatures */
  }
  if (r->result->status != LBP_OK) return;
  if (lbp_p_ais_sum(r, a, &before) == LBP_E_STATE) before.warnings |= LBP_WARN_AIS_WEIGHTS;
  memset(r->c.moves, 0, r->c.count * sizeof *r->c.moves);
  lbp_p_ais_pass(r, a, given, 0, given->tempering.adapt ? 2 : 1);
  if (r->result->status == LBP_OK) lbp_p_ais_conclude(r, a, given, before.warnings, result);
  if (lbp_runner_agree(r) == LBP_OK) lbp_p_ais_report_best(r, a, result);
}

/* The sampler that annealing takes if none is chosen: a sweep, or where each of its sites would ask a dense model for
 * log pi, the first of the table; of lbp_ab.h, Gibbs unless there is a curvature for AB. */
LBP_COLD int lbp_p_ais_sampler(const lbp_kernel *kernel, const lbp_run *given) {
  static const int sweep[3] = {LBP_SAMPLER_GIBBS, LBP_SAMPLER_SWAP_SWEEP, LBP_SAMPLER_EXCHANGE};
  const lbp_sampler *first = lbp_kernel_sampler(kernel, LBP_SAMPLER_DEFAULT);
  const int is_ab = first && (first->traits & LBP_TRAIT_CURVED) != 0;
  int k;
  if (given->sampler != LBP_SAMPLER_DEFAULT || (is_ab ? !!given->curvature : !kernel->local && !kernel->conditionals)) {
    return given->sampler;
  }
  for (k = 0; k < 3; k++) {
    if (lbp_kernel_sampler(kernel, sweep[k])) return sweep[k];
  }
  return given->sampler;
}

/* Takes the options of annealing: every chain climbs alone; all share one tuner, because R belongs to the rung. */
LBP_COLD int lbp_p_ais_options(const lbp_run *given, const lbp_kernel *kernel, uint32_t n, lbp_run *run,
                               lbp_run_result *result) {
  const uint32_t rungs = given->tempering.rungs;
  *run = *given;
  run->shared_tuner = 1;
  run->warmup = UINT32_MAX;
  run->columns = 0;
  run->draws = 0;
  run->marginals = run->tempering.adapt_ends = 0;
  run->seconds = 0;
  run->save_states = LBP_STATES_NONE;
  run->sampler = lbp_p_ais_sampler(kernel, given);
  LBP_P_WANT(run->sampler != LBP_SAMPLER_LANES, "sampler: lanes are for NAME_run and NAME_anneal, and NAME_ais takes "
             "chains one by one: take LBP_SAMPLER_METROPOLIS");
  LBP_P_WANT(!given->checkpoint, "checkpoint: NAME_ais writes none and cannot be continued: set it to NULL");
  LBP_P_WANT(!given->prefix, "prefix: NAME_ais writes no files: set it to NULL");
  LBP_P_WANT(!given->metric, "metric: only for NAME_run, not for annealing: set it to NULL");
  LBP_P_WANT(given->best_states == 0, "best_states: only for NAME_run and NAME_anneal: set it to 0");
  LBP_P_WANT(rungs >= 2, "tempering.rungs: at least 2, and better hundreds");
  LBP_P_WANT(!given->tempering.ladder || given->tempering.ladder[rungs - 1] == 0, "tempering.ladder: the last rung "
             "must be beta = 0");
  if (lbp_runner_judge(run, n, kernel, result) != LBP_OK) return result->status;
  run->tempering.rungs = run->tempering.replicas = 1;
  run->tempering.swap_parts = 0;
  run->tempering.ladder = NULL;
  return LBP_OK;
}

/* NAME_ais for any kernel that can be tempered: see there. Also returns LBP_E_NULL, if run, kernel or result is NULL.
 * Free the result by lbp_ais_free. */
LBP_P_DRIVER int lbp_ais_kernel(const lbp_run *given, const lbp_kernel *kernel, const void *model, uint32_t n,
                                lbp_ais_result *result) {
  lbp_run_result made;
  lbp_signals signals;
  lbp_p_ais a;
  lbp_runner r;
  lbp_run run;
  if (!given || !kernel || !result) return LBP_E_NULL;
  if (given->signals) lbp_signals_catch(&signals);
  memset(&made, 0, sizeof made);
  memset(result, 0, sizeof *result);
  memset(&r, 0, sizeof r);
  memset(&a, 0, sizeof a);
  if (lbp_p_ais_options(given, kernel, n, &run, &made) == LBP_OK &&
      lbp_runner_begin(&r, &run, kernel, model, n, &made) == LBP_OK && lbp_p_ais_make(&r, &a, given) == LBP_OK) {
    lbp_p_ais_climb(&r, &a, given, result);
  }
  free(a.ladder), free(a.spaced), free(a.spread), free(a.setting), free(a.log_weight), free(a.room), free(a.weight);
  free(a.copies), free(a.family);
  if (made.status != LBP_OK) { /* no number together with an error */
    lbp_ais_free(result);
    memset(result, 0, sizeof *result);
    result->log_z = result->log_z_se = result->pareto_k = result->best_logp = (double)NAN;
  }
  result->seconds = r.run ? lbp_runner_seconds(&r) : 0;
  lbp_runner_drop(&r);
  result->status = made.status;
  memcpy(result->message, made.message, sizeof made.message);
  if (given->summary && r.rank == 0) lbp_ais_print(result, given->summary);
  if (given->signals) lbp_signals_release(&signals, made.status == LBP_E_TOO_SHORT);
  return made.status;
}

LBP_EXACT_END

#endif /* LBP_AIS_H */
