/* lbp/run/steps.h - the steps of a run's chains, over threads, and the recording of their draws.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it; you call nothing in it.
 */

#ifndef LBP_STEPS_H
#define LBP_STEPS_H

#include "ladder.h"
#include "marginals.h"
#include "schedule.h"

LBP_EXACT_BEGIN

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Steps that have taken so many seconds, all chains together, may be given up. */
#define LBP_P_LONG 0.5

/* Whether time is up in the middle of steps. A run that goes on takes a step that a whole call would have time for. */
LBP_FN int lbp_runner_is_over(void *runner) {
  const lbp_runner *r = (const lbp_runner *)runner;
  const lbp_run *run = r->run;
  const int stopped = r->rank == 0 && lbp_runner_is_stopped(run);
  double now, begin;
  if (!stopped && !(run->seconds > 0)) return 0;
  now = lbp_run_now();
  if (now - r->off < LBP_P_LONG) return 0;
  begin = lbp_runner_is_behind(r) ? r->off : r->begin;
  return stopped || now - begin >= run->seconds;
}

/* Whether steps may be given up on the way to step `to`: where nothing has been counted by then. A step is counted when
 * all chains have taken it, see lbp_runner_take_steps; several are counted by each chain for itself. */
LBP_FN int lbp_runner_may_give_up(const lbp_runner *r, uint64_t to) {
  return to <= r->step + 1 || (r->members == 1 && !r->run->marginals);
}

/* Whether one of units [from, to) here has given up a step; and one of any process, which all ask together. */
LBP_FN int lbp_runner_has_given_up(const lbp_runner *r, uint32_t from, uint32_t to) {
  uint32_t k;
  for (k = from; k < to; k++) {
    if (r->c.moves[k].given_up > 0) return 1;
  }
  return 0;
}

LBP_FN int lbp_p_run_all_have_given_up(const lbp_runner *r) {
  return lbp_runner_least(r, !lbp_runner_has_given_up(r, 0, r->c.count)) == 0;
}

/* Steps of the group of units [from, to), `count` of each, whose work is counted. */
LBP_FN void lbp_p_run_group_steps(lbp_runner *r, uint32_t from, uint32_t to, uint32_t count, int learn) {
  uint32_t k;
  for (k = from; k < to; k++) r->effort[r->c.first + k] -= r->c.moves[k].evaluations;
  lbp_chains_step(&r->c, from, to, count, lbp_infinity(), learn);
  for (k = from; k < to; k++) r->effort[r->c.first + k] += r->c.moves[k].evaluations + count;
}

/* A step of all units with a tuner for each rung, which learns from all chains. Returns whether it was given up. */
LBP_FN int lbp_runner_joint_step(lbp_runner *r, int wide) {
  double *accept = r->excess; /* free at this time */
  unsigned char *feedback = r->feedback;
  uint32_t k;
  for (k = 0; k < r->c.count; k++) r->effort[r->c.first + k] -= r->c.moves[k].evaluations;
  lbp_chains_step_apart(&r->c, accept + r->c.first, feedback ? feedback + r->c.first * r->c.feedback_bytes : NULL,
                        wide);
  if (lbp_p_run_all_have_given_up(r)) return 1;
  for (k = 0; k < r->c.count; k++) r->effort[r->c.first + k] += r->c.moves[k].evaluations + 1;
  lbp_runner_share(r, lbp_runner_first, accept, sizeof *accept);
  if (feedback) lbp_runner_share(r, lbp_runner_first, feedback, r->c.feedback_bytes);
  lbp_chains_learn(&r->c, accept, feedback, r->units);
  return 0;
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* Row number `draw` of one of this process's chains, whose first rung is its unit k. */
LBP_FN void lbp_p_run_record(lbp_runner *r, uint32_t k, uint32_t chain, uint32_t draw) {
  const lbp_run *run = r->run;
  lbp_unit *unit = lbp_chains_unit(&r->c, k);
  const lbp_moves *moves = &r->c.moves[k];
  double *row = lbp_runner_row(r, r->rows, chain, draw);
  uint32_t c;
  row[LBP_DRAW_LOGP] = r->c.kernel->logp(unit, r->c.model);
  if (run->columns > 0 || run->save_states != LBP_STATES_NONE || run->marginals) lbp_chains_settled(&r->c, k);
  row[LBP_DRAW_ACCEPT] = moves->accept / run->thin;
  row[LBP_DRAW_PARAMETER] = moves->parameter / run->thin;
  row[LBP_DRAW_EVALUATIONS] = moves->evaluations;
  row[LBP_DRAW_JUMP] = moves->jump / run->thin;
  for (c = 0; c < run->columns; c++) {
    row[LBP_DRAW_VALUES + c] = run->column[c].value(&run->column[c], (const uint8_t *)unit->x, r->n);
  }
  if (run->save_states == LBP_STATES_PASSED) {
    memcpy(row + LBP_DRAW_VALUES + run->columns, unit->x, (size_t)r->n * r->item);
  } else if (run->save_states != LBP_STATES_NONE) {
    lbp_runner_pack(r, unit->x, (uint8_t *)(row + LBP_DRAW_VALUES + run->columns));
  }
  if (run->marginals == LBP_MARGINALS_COUNTED) lbp_runner_count(r, unit->x, r->counts + k * lbp_runner_cells(r));
  if (run->marginals == LBP_MARGINALS_CONDITIONAL) lbp_runner_condition(r, unit, chain, lbp_runner_drawn(r) + draw);
  lbp_runner_keep_best(r, k, row[LBP_DRAW_LOGP]);
}

/* Ends a draw of unit k, if `step` does: records it if it is new. */
LBP_FN void lbp_p_run_end_draw(lbp_runner *r, uint32_t k, uint64_t step, int fresh) {
  const int64_t chain = lbp_runner_chain(r, k);
  const uint64_t begin = r->run->warmup;
  if (step <= begin || (step - begin) % r->run->thin != 0) return;
  if (fresh && chain >= 0) {
    lbp_p_run_record(r, k, (uint32_t)chain, (uint32_t)((step - begin) / r->run->thin - lbp_runner_drawn(r) - 1));
  }
  memset(&r->c.moves[k], 0, sizeof r->c.moves[k]);
}

/* Ends step `at` of a group of chains: may take a draw; after enough work the group forgets. Returns the work since. */
LBP_FN double lbp_p_run_settle_group(lbp_runner *r, uint32_t from, uint32_t to, uint64_t at, double work, int fresh) {
  uint32_t k;
  for (k = from; k < to; k++) lbp_p_run_end_draw(r, k, at, fresh);
  if (work < r->budget * (to - from)) return work;
  for (k = from; k < to; k++) {
    r->at[r->c.first + k] = at;
    lbp_runner_forget(r, r->c.first + k);
  }
  return 0;
}

/* The group of chains [from, to) here, which have no replicas, to step `end`. alone: that is one step, which may be
 * given up, and counts when all chains have taken it. */
LBP_FN void lbp_p_run_advance_group(lbp_runner *r, uint32_t from, uint32_t to, uint64_t end, int alone) {
  const uint32_t thin = r->run->thin, chain = r->c.first + from;
  const int learn = lbp_runner_learns(r, end - 1), warm = end <= r->run->warmup, fresh = end > r->step;
  const double budget = r->budget * (to - from);
  uint64_t at = r->at[chain];
  double work = 0; /* of all; here, since threads that write side by side slow each other down */
  uint32_t k;
  if (alone && r->c.plan.over && r->c.plan.over(r->c.plan.over_data)) r->c.moves[from].given_up++;
  for (k = from; k < to; k++) work += r->work[r->c.first + k], r->work[r->c.first + k] = 0;
  while (at < end && !lbp_runner_has_given_up(r, from, to)) {
    const uint64_t phase = lbp_runner_phase(r, at), whole = warm ? end : phase + ((at - phase) / thin + 1) * thin;
    const uint64_t count = (whole < end ? whole : end) - at;
    const double left = budget - work;
    uint32_t taken;
    for (k = from; k < to; k++) work -= r->c.moves[k].evaluations;
    if (r->tracked) taken = lbp_runner_anneal_steps(r, from, to, at, (uint32_t)count, left, learn, fresh);
    else taken = lbp_chains_step(&r->c, from, to, (uint32_t)count, left, learn);
    at += taken;
    for (k = from; k < to; k++) work += r->c.moves[k].evaluations + taken;
    if (!alone && !lbp_runner_has_given_up(r, from, to)) work = lbp_p_run_settle_group(r, from, to, at, work, fresh);
  }
  for (k = from; k < to; k++) r->at[r->c.first + k] = at;
  r->work[chain] = work;
}

/* Chains [begin, end) to step `to`, in step with each other: those that share a tuner, or whose replicas may be in
 * other processes, or one with all its replicas. Less far where a step is given up. */
LBP_FN void lbp_p_run_advance(lbp_runner *r, uint32_t begin, uint32_t end, uint64_t to, int wide) {
  const int joint = lbp_runner_is_joint(r, to - 1), learn = !joint && lbp_runner_learns(r, to - 1);
  const int fresh = to > r->step;
  const int shared = r->spread || joint, alone = fresh && r->c.plan.over; /* a step that all take, or none */
  const uint32_t grid = joint ? 1 : r->exchange;
  for (;;) {
    uint64_t at = to, next, phase;
    uint32_t first, last, none, chain;
    double work = 0;
    int64_t k;
    int swaps;
    for (chain = begin; chain < end; chain++) at = r->at[chain] < at ? r->at[chain] : at;
    if (at == to) return;
    phase = lbp_runner_phase(r, at);
    next = phase + ((at - phase) / grid + 1) * grid;
    next = next < to ? next : to;
    lbp_runner_units_here(r, begin, &first, &none);
    lbp_runner_units_here(r, end - 1, &none, &last);
    if (joint) {
      if (lbp_runner_joint_step(r, wide)) return;
    } else {
      const int64_t groups = lbp_chains_groups(&r->c, first, last);
      LBP_P_EACH_UNIT
      for (k = 0; k < groups; k++) {
        uint32_t from, until;
        lbp_chains_group(&r->c, first, last, (uint32_t)k, &from, &until);
        if (r->at[(r->c.first + from) / r->members] >= next) continue;
        if (wide && r->c.plan.over && r->c.plan.over(r->c.plan.over_data)) r->c.moves[from].given_up++;
        else lbp_p_run_group_steps(r, from, until, (uint32_t)(next - at), learn);
      }
      if (shared || alone ? lbp_p_run_all_have_given_up(r) : lbp_runner_has_given_up(r, first, last)) return;
    }
    swaps = r->members > 1 && (next - phase) % r->exchange == 0;
    if (swaps) lbp_runner_swap_all(r, begin, end, first, last, next, wide);
    LBP_P_EACH_UNITS(&r->c)
    for (k = first; k < (int64_t)last; k++) {
      if (r->at[(r->c.first + (uint32_t)k) / r->members] < next) lbp_p_run_end_draw(r, (uint32_t)k, next, fresh);
    }
    /* chains forget where they swap, all units of a chain at once, all chains that share a tuner at once */
    if (r->members > 1 && !swaps) {
      for (chain = begin; chain < end; chain++) r->at[chain] = r->at[chain] > next ? r->at[chain] : next;
      continue;
    }
    if (shared) lbp_runner_share(r, lbp_runner_first, r->effort, sizeof *r->effort);
    for (chain = begin; chain < end; chain++) {
      uint32_t unit;
      if (r->at[chain] >= next) continue;
      r->at[chain] = next;
      for (unit = chain * r->members; unit < (chain + 1) * r->members; unit++) {
        r->work[chain] += r->effort[unit];
        r->effort[unit] = 0;
      }
      work += r->work[chain];
      if (!joint && r->work[chain] >= r->budget * r->members) lbp_runner_forget(r, chain);
    }
    if (joint && work >= r->budget * r->units) lbp_runner_forget_all(r);
  }
}

/* Takes all chains of this process to step `to`, unless a step is given up: counts, and the chains' data for a
 * checkpoint, stay then as they were, if `to` is the next step. Where each core can have its own chains, they need not
 * wait for each other; else all cores take part in each, or one does it all, whichever is faster just now: where other
 * programs use the cores too, waiting for them at every swap costs more than it brings. */
LBP_FN void lbp_runner_take_steps(lbp_runner *r, uint64_t to) {
  const int joint = lbp_runner_is_joint(r, to - 1), in_step = r->spread || joint;
  const uint32_t begin = in_step ? 0 : r->first_chain, end = in_step ? r->run->chains : begin + r->count_chain;
  const int asks = !lbp_runner_least(r, !lbp_runner_listens(r->run) && !(r->run->seconds > 0)); /* any process */
  const int alone = asks && to == r->step + 1;
  int64_t k, groups;
  r->off = lbp_run_now();
  r->c.plan.over = asks && lbp_runner_may_give_up(r, to) ? lbp_runner_is_over : NULL;
  r->c.plan.over_data = r;
  if (in_step || (r->members > 1 && (r->wide || alone))) {
    if (begin < end) lbp_p_run_advance(r, begin, end, to, r->wide || !in_step);
    else if (alone) lbp_p_run_all_have_given_up(r); /* the others ask before they count */
    r->given_up = lbp_p_run_all_have_given_up(r);
    return;
  }
  if (r->members > 1) {
    const int64_t teams = (end - begin + lbp_runner_team(r) - 1) / lbp_runner_team(r);
    LBP_P_EACH
    for (k = 0; k < teams; k++) {
      const uint32_t first = begin + (uint32_t)k * lbp_runner_team(r), left = end - first;
      lbp_p_run_advance(r, first, first + (left < lbp_runner_team(r) ? left : lbp_runner_team(r)), to, 0);
    }
    r->given_up = lbp_p_run_all_have_given_up(r);
    return;
  }
  groups = lbp_chains_groups(&r->c, 0, r->c.count);
  LBP_P_EACH
  for (k = 0; k < groups; k++) {
    uint32_t from, until;
    lbp_chains_group(&r->c, 0, r->c.count, (uint32_t)k, &from, &until);
    lbp_p_run_advance_group(r, from, until, to, alone);
  }
  r->given_up = lbp_p_run_all_have_given_up(r);
  LBP_P_EACH
  for (k = 0; k < (alone && !r->given_up ? groups : 0); k++) {
    uint32_t from, until;
    lbp_chains_group(&r->c, 0, r->c.count, (uint32_t)k, &from, &until);
    r->work[r->c.first + from] = lbp_p_run_settle_group(r, from, until, to, r->work[r->c.first + from], 1);
  }
}

LBP_EXACT_END

#endif /* LBP_STEPS_H */
