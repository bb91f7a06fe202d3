/* lbp_ais.h - annealed importance sampling: log Z. Version 0.8.0. MIT licence, see LICENSE. lbp_run.h includes it.
 *
 * In this file's order: what annealing finds; a pass up the ladder; NAME_ais for any kernel.
 *
 * Source: [N] Neal, "Annealed Importance Sampling", Statistics and Computing 2001.
 */

#ifndef LBP_RUN_H
#include "lbp_run.h"
#elif !defined LBP_AIS_H
#define LBP_AIS_H

/* What annealing finds. The weights' mean is unbiased for Z; an effective number of weights far below the number of
 * chains says that the error is not to be trusted: more rungs, or more steps on each. */
struct lbp_ais_result {
  int status;
  char message[512];
  double log_z, log_z_se;  /* log of the sum of pi over all states; its standard error */
  double weights;          /* the effective number of weights, (sum w)^2 / sum w^2, of all chains' */
  double accept, seconds;  /* acceptance rate, wall time */
};

/* Fewer effective weights than that, and log Z rests on a few lucky chains. */
#define LBP_AIS_LEAST_WEIGHTS 20.0

/* What annealing found, in a line or two. */
LBP_FN void lbp_ais_print(const lbp_ais_result *result, FILE *to) {
  const int few = result->weights < LBP_AIS_LEAST_WEIGHTS;
  if (result->status != LBP_OK) return;
  fprintf(to, "log Z = %.6g +- %.2g, %.4g%s effective weights, acceptance %.3f, %.1f s\n", result->log_z,
          result->log_z_se, result->weights, few ? "!" : "", result->accept, result->seconds);
  if (few) {
    fprintf(to, "! Log Z rests on a few chains, and its error is a guess: give more rungs, more\n"
                "  steps on each (thin), or more chains.\n");
  }
}

/* Pass number `pass` of so many has come so far up the ladder. */
LBP_FN void lbp_p_ais_progress(lbp_runner *r, uint32_t pass, uint32_t passes, uint32_t done, uint32_t rungs) {
  const double now = lbp_runner_now(), share = (pass + (double)done / rungs) / passes;
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

/* What annealing has at hand: by rung, and by chain. */
typedef struct {
  double *ladder, *spaced;                /* inverse temperatures, falling; anew */
  double *spread;                         /* the standard deviation of log pi there */
  double (*setting)[LBP_SETTINGS];        /* what steps there are to take */
  double *log_weight;                     /* of each chain */
} lbp_p_ais;

LBP_FN int lbp_p_ais_make(lbp_runner *r, lbp_p_ais *a, const lbp_run *given) {
  const uint32_t rungs = given->rungs;
  uint32_t k;
  a->ladder = (double *)lbp_runner_alloc(r, rungs, sizeof *a->ladder);
  a->spaced = (double *)lbp_runner_alloc(r, rungs, sizeof *a->spaced);
  a->spread = (double *)lbp_runner_alloc(r, rungs, sizeof *a->spread);
  a->setting = (double(*)[LBP_SETTINGS])lbp_runner_alloc(r, rungs, sizeof *a->setting);
  a->log_weight = (double *)lbp_runner_alloc(r, r->units, sizeof *a->log_weight);
  for (k = 0; a->ladder && k < rungs; k++) a->ladder[k] = given->ladder ? given->ladder[k] : 1 - k / (rungs - 1.0);
  return lbp_runner_agree(r);
}

LBP_FN void lbp_p_ais_drop(lbp_p_ais *a) {
  free(a->ladder), free(a->spaced), free(a->spread), free(a->setting), free(a->log_weight);
}

/* Weighs all chains, which come from this rung, for the next one up, and finds spread[] here. */
LBP_FN void lbp_p_ais_weigh(lbp_runner *r, lbp_p_ais *a, uint32_t rung) {
  double mean = 0, squares = 0;
  uint32_t possible = 0, k;
  lbp_runner_excess(r, 0, r->c.count, 1);
  lbp_runner_share(r, lbp_runner_first, r->excess, sizeof *r->excess);
  for (k = 0; k < r->units; k++) {
    a->log_weight[k] += (a->ladder[rung - 1] - a->ladder[rung]) * r->excess[k];
    possible += lbp_is_finite(r->excess[k]) != 0;
  }
  for (k = 0; k < r->units; k++) mean += lbp_is_finite(r->excess[k]) ? r->excess[k] / possible : 0;
  for (k = 0; k < r->units; k++) { /* an impossible state weighs nothing, however far it is */
    if (lbp_is_finite(r->excess[k])) squares += (r->excess[k] - mean) * (r->excess[k] - mean);
  }
  a->spread[rung] = possible > 0 ? sqrt(squares / possible) : 0;
}

/* Takes all chains from beta = 0, where they are drawn anew, up the ladder. A pass that tunes finds setting[] for each
 * rung; another one only uses it, so that its weights are what [N] asks for. */
LBP_FN void lbp_p_ais_pass(lbp_runner *r, lbp_p_ais *a, const lbp_run *given, int tuning, uint32_t pass) {
  const uint32_t passes = given->adapt_ladder ? 3 : 2;
  const lbp_plan plan = r->c.plan;
  uint32_t rung, k, t;
  for (k = 0; k < r->c.count; k++) {
    lbp_unit *unit = lbp_chains_unit(&r->c, k);
    lbp_runner_draw_base(r, &unit->rng, unit->x);
    r->c.kernel->touch(unit);
  }
  memset(a->log_weight, 0, r->units * sizeof *a->log_weight);
  for (rung = given->rungs - 1; rung > 0; rung--) {
    lbp_p_ais_weigh(r, a, rung);
    for (k = 0; k < r->c.count; k++) r->c.kernel->temper(lbp_chains_unit(&r->c, k), a->ladder[rung - 1]);
    if (tuning) {
      for (t = 0; t < given->thin; t++) lbp_runner_joint_step(r, 1);
      r->c.kernel->tuner_setting(lbp_chains_tuner_at(&r->c, 0), a->setting[rung - 1]);
      if (plan.setting[0] > 0) memcpy(a->setting[rung - 1], plan.setting, sizeof plan.setting);
    } else {
      memcpy(r->c.plan.setting, a->setting[rung - 1], sizeof plan.setting);
      lbp_chains_steps(&r->c, given->thin, 0, 1);
      r->c.plan = plan;
    }
    if (lbp_runner_look_at_faults(r) != LBP_OK) break;
    lbp_p_ais_progress(r, pass, passes, given->rungs - rung, given->rungs - 1);
  }
  lbp_runner_agree(r);
}

/* Spaces the ladder so that log pi (beta' - beta) spreads equally from each rung to the next. */
LBP_FN void lbp_p_ais_space(lbp_p_ais *a, uint32_t rungs) {
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

/* log Z and its error, from the weights of the last pass. */
LBP_FN void lbp_p_ais_conclude(lbp_runner *r, lbp_p_ais *a, const lbp_run *given, lbp_ais_result *result) {
  double *weight = a->log_weight, largest = weight[0], sum = 0, squares = 0;
  uint32_t k;
  for (k = 1; k < r->units; k++) largest = weight[k] > largest ? weight[k] : largest;
  for (k = 0; k < r->units; k++) {
    const double w = exp(weight[k] - largest);
    sum += w;
    squares += w * w;
  }
  result->log_z = lbp_runner_log_base(r) + largest + log(sum / r->units);
  result->weights = sum * sum / squares;
  result->log_z_se = r->units > 1 ? sqrt((squares / sum / sum * r->units - 1) / (r->units - 1.0)) : 0;
  if (!(largest > -HUGE_VAL)) {
    lbp_runner_fail(r->result, LBP_E_STATE,
                    "log Z: none of %lu chains began, at beta = 0, in a possible state: give "
                    "more chains, or an LBP_BASE that is nearer to the possible ones",
                    (unsigned long)r->units);
  } else if (!lbp_result_is_finite(result->log_z)) {
    lbp_runner_fail(r->result, LBP_E_DRAW_NOT_FINITE, "log Z: %s", lbp_error(LBP_E_DRAW_NOT_FINITE));
  }
  for (k = 0; k < r->c.count; k++) weight[r->c.first + k] = r->c.moves[k].accept;
  lbp_runner_share(r, lbp_runner_first, weight, sizeof *weight);
  for (k = 0; k < r->units; k++) result->accept += weight[k] / r->units / given->thin / (given->rungs - 1.0);
}

/* All passes. */
LBP_FN void lbp_p_ais_climb(lbp_runner *r, lbp_p_ais *a, const lbp_run *given, lbp_ais_result *result) {
  lbp_p_ais_pass(r, a, given, 1, 0);
  if (given->adapt_ladder) {
    lbp_p_ais_space(a, given->rungs);
    lbp_p_ais_pass(r, a, given, 1, 1); /* R anew, for these temperatures */
  }
  memset(r->c.moves, 0, r->c.count * sizeof *r->c.moves);
  if (r->result->status == LBP_OK) lbp_p_ais_pass(r, a, given, 0, given->adapt_ladder ? 2 : 1);
  lbp_p_ais_conclude(r, a, given, result);
}

/* What annealing takes of the options: every chain climbs alone, all have one tuner, since R belongs to the rung. */
LBP_FN int lbp_p_ais_options(const lbp_run *given, const lbp_kernel *kernel, uint32_t n, lbp_run *run,
                             lbp_run_result *made) {
  const uint32_t rungs = given->rungs;
  *run = *given;
  run->shared = 1;
  run->warmup = UINT32_MAX;
  run->checkpoint = run->prefix = NULL;
  run->columns = 0;
  run->draws = 0;
  run->marginals = 0;
  run->states = LBP_STATES_NONE;
  if (rungs < 2) return lbp_runner_fail(made, LBP_E_RANGE, "rungs: annealing takes at least 2, and better hundreds");
  if (given->ladder && given->ladder[rungs - 1] != 0) {
    return lbp_runner_fail(made, LBP_E_RANGE, "ladder: annealing begins at beta = 0, the last rung");
  }
  if (lbp_runner_judge(run, n, kernel, made) != LBP_OK) return made->status;
  run->rungs = 1;
  run->ladder = NULL;
  return LBP_OK;
}

/* NAME_ais, for any kernel that can be tempered: see there; LBP_E_NULL without run, kernel or result. */
LBP_FN int lbp_ais_kernel(const lbp_run *given, const lbp_kernel *kernel, const void *model, uint32_t n,
                          lbp_ais_result *result) {
  lbp_run_result made;
  lbp_p_ais a;
  lbp_runner r;
  lbp_run run;
  if (!given || !kernel || !result) return LBP_E_NULL;
  memset(&made, 0, sizeof made);
  memset(result, 0, sizeof *result);
  memset(&r, 0, sizeof r);
  memset(&a, 0, sizeof a);
  if (lbp_p_ais_options(given, kernel, n, &run, &made) == LBP_OK &&
      lbp_runner_begin(&r, &run, kernel, model, n, &made) == LBP_OK && lbp_p_ais_make(&r, &a, given) == LBP_OK) {
    lbp_p_ais_climb(&r, &a, given, result);
  }
  lbp_p_ais_drop(&a);
  result->seconds = r.run ? lbp_runner_seconds(&r) : 0;
  lbp_runner_drop(&r);
  result->status = made.status;
  memcpy(result->message, made.message, sizeof made.message);
  if (given->summary && r.rank == 0) lbp_ais_print(result, given->summary);
  return made.status;
}

#endif /* LBP_AIS_H */
