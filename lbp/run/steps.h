/* lbp/run/steps.h - how the chains of a run take their steps, over threads, and what becomes of their draws.
 *
 * Version 0.8.0. MIT licence, see LICENSE. lbp_run.h includes it; you call nothing of it.
 */

#ifndef LBP_STEPS_H
#define LBP_STEPS_H

#include "ladder.h"
#include "marginals.h"
#include "schedule.h"

LBP_EXACT_BEGIN

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Steps of the group of units [from, to), `count` of each, whose work is counted. */
LBP_FN void lbp_p_run_group_steps(lbp_runner *r, uint32_t from, uint32_t to, uint32_t count, int learn) {
  uint32_t k;
  for (k = from; k < to; k++) r->effort[r->c.first + k] -= r->c.moves[k].evaluations;
  lbp_chains_step(&r->c, from, to, count, lbp_infinity(), learn);
  for (k = from; k < to; k++) r->effort[r->c.first + k] += r->c.moves[k].evaluations + count;
}

/* A step of all units with a tuner for each rung, which learns from all chains. */
LBP_FN void lbp_runner_joint_step(lbp_runner *r, int wide) {
  double *accept = r->excess; /* free at this time */
  unsigned char *lessons = r->lessons;
  uint32_t k;
  for (k = 0; k < r->c.count; k++) r->effort[r->c.first + k] -= r->c.moves[k].evaluations;
  lbp_chains_step_apart(&r->c, accept + r->c.first, lessons ? lessons + r->c.first * r->c.lesson_bytes : NULL, wide);
  for (k = 0; k < r->c.count; k++) r->effort[r->c.first + k] += r->c.moves[k].evaluations + 1;
  lbp_runner_share(r, lbp_runner_first, accept, sizeof *accept);
  if (lessons) lbp_runner_share(r, lbp_runner_first, lessons, r->c.lesson_bytes);
  lbp_chains_learn(&r->c, accept, lessons, r->units);
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* Row number `draw` of one of this process's chains, whose first rung is its unit k. */
LBP_FN void lbp_p_run_record(lbp_runner *r, uint32_t k, uint32_t chain, uint32_t draw) {
  const lbp_run *run = r->run;
  lbp_unit *unit = lbp_chains_unit(&r->c, k);
  const lbp_moves *moves = &r->c.moves[k];
  double *row = lbp_runner_row(r, r->rows, chain, draw);
  uint32_t c;
  row[LBP_TAKE_LOGP] = r->c.kernel->logp(unit, r->c.model);
  row[LBP_TAKE_ACCEPT] = moves->accept / run->thin;
  row[LBP_TAKE_R] = moves->parameter / run->thin;
  row[LBP_TAKE_EVALUATIONS] = moves->evaluations;
  row[LBP_TAKE_JUMP] = moves->jump / run->thin;
  for (c = 0; c < run->columns; c++) {
    row[LBP_TAKE_VALUES + c] = run->column[c].value(&run->column[c], (const uint8_t *)unit->x, r->n);
  }
  if (run->states == LBP_STATES_TAKEN) {
    memcpy(row + LBP_TAKE_VALUES + run->columns, unit->x, (size_t)r->n * r->item);
  } else if (run->states != LBP_STATES_NONE) {
    lbp_runner_pack(r, unit->x, (uint8_t *)(row + LBP_TAKE_VALUES + run->columns));
  }
  if (run->marginals == LBP_MARGINALS_COUNTED) lbp_runner_count(r, unit->x, r->counts + k * lbp_runner_cells(r));
  if (run->marginals == LBP_MARGINALS_CONDITIONAL) lbp_runner_condition(r, unit, chain, lbp_runner_drawn(r) + draw);
  lbp_runner_keep_best(r, k, row[LBP_TAKE_LOGP]);
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

/* The group of chains [from, to) here, which have no replicas, to step `end`. */
LBP_FN void lbp_p_run_advance_group(lbp_runner *r, uint32_t from, uint32_t to, uint64_t end) {
  const uint32_t thin = r->run->thin, chain = r->c.first + from;
  const int learn = lbp_runner_learns(r, end - 1), warm = end <= r->run->warmup, fresh = end > r->step;
  const double budget = r->budget * (to - from);
  uint64_t at = r->at[chain];
  double work = 0; /* of all; here, since threads that write side by side slow each other down */
  uint32_t k;
  for (k = from; k < to; k++) work += r->work[r->c.first + k], r->work[r->c.first + k] = 0;
  while (at < end) {
    const uint64_t phase = lbp_runner_phase(r, at), whole = warm ? end : phase + ((at - phase) / thin + 1) * thin;
    const uint64_t count = (whole < end ? whole : end) - at;
    const double left = budget - work;
    uint32_t taken;
    for (k = from; k < to; k++) work -= r->c.moves[k].evaluations;
    if (r->tracked) taken = lbp_anneal_steps(r, from, to, at, (uint32_t)count, left, learn, fresh);
    else taken = lbp_chains_step(&r->c, from, to, (uint32_t)count, left, learn);
    at += taken;
    for (k = from; k < to; k++) {
      work += r->c.moves[k].evaluations + taken;
      lbp_p_run_end_draw(r, k, at, fresh);
    }
    if (work < budget) continue;
    for (k = from; k < to; k++) {
      r->at[r->c.first + k] = at;
      lbp_runner_forget(r, r->c.first + k);
    }
    work = 0;
  }
  for (k = from; k < to; k++) r->at[r->c.first + k] = at;
  r->work[chain] = work;
}

/* Chains [begin, end) to step `to`, in step with each other: those that share a tuner, or whose replicas may be in
 * other processes, or one with all its replicas. */
LBP_FN void lbp_p_run_advance(lbp_runner *r, uint32_t begin, uint32_t end, uint64_t to, int wide) {
  const int joint = lbp_runner_is_joint(r, to - 1), learn = !joint && lbp_runner_learns(r, to - 1);
  const int fresh = to > r->step;
  const int shared = r->spread || joint;
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
      lbp_runner_joint_step(r, wide);
    } else {
      const int64_t groups = lbp_chains_groups(&r->c, first, last);
      LBP_P_EACH_UNIT
      for (k = 0; k < groups; k++) {
        uint32_t from, until;
        lbp_chains_group(&r->c, first, last, (uint32_t)k, &from, &until);
        if (r->at[(r->c.first + from) / r->rungs] >= next) continue;
        lbp_p_run_group_steps(r, from, until, (uint32_t)(next - at), learn);
      }
    }
    swaps = r->rungs > 1 && (next - phase) % r->exchange == 0;
    if (swaps) lbp_runner_swap_all(r, begin, end, first, last, next, wide);
    LBP_P_EACH_UNIT
    for (k = first; k < (int64_t)last; k++) {
      if (r->at[(r->c.first + (uint32_t)k) / r->rungs] < next) lbp_p_run_end_draw(r, (uint32_t)k, next, fresh);
    }
    /* chains forget where they swap, all units of a chain at once, all chains that share a tuner at once */
    if (r->rungs > 1 && !swaps) {
      for (chain = begin; chain < end; chain++) r->at[chain] = r->at[chain] > next ? r->at[chain] : next;
      continue;
    }
    if (shared) lbp_runner_share(r, lbp_runner_first, r->effort, sizeof *r->effort);
    for (chain = begin; chain < end; chain++) {
      uint32_t rung;
      if (r->at[chain] >= next) continue;
      r->at[chain] = next;
      for (rung = chain * r->rungs; rung < (chain + 1) * r->rungs; rung++) {
        r->work[chain] += r->effort[rung];
        r->effort[rung] = 0;
      }
      work += r->work[chain];
      if (!joint && r->work[chain] >= r->budget * r->rungs) lbp_runner_forget(r, chain);
    }
    if (joint && work >= r->budget * r->units) lbp_runner_forget_all(r);
  }
}

/* All chains of this process to step `to`. Where each core can have chains of its own, they need not wait for each
 * other; else all cores take part in each, or one core does it all, whichever is faster just now: where other programs
 * use the cores too, waiting for them at every swap costs more than it brings. */
LBP_FN void lbp_runner_take_steps(lbp_runner *r, uint64_t to) {
  const int joint = lbp_runner_is_joint(r, to - 1), in_step = r->spread || joint;
  const uint32_t begin = in_step ? 0 : r->first_chain, end = in_step ? r->run->chains : begin + r->count_chain;
  int64_t k, groups;
  int wide = 1;
  if (in_step || (r->rungs > 1 && r->wide)) {
    if (begin < end) lbp_p_run_advance(r, begin, end, to, r->wide);
    return;
  }
  if (r->rungs > 1) {
    LBP_P_EACH_UNIT
    for (k = begin; k < (int64_t)end; k++) lbp_p_run_advance(r, (uint32_t)k, (uint32_t)k + 1, to, 0);
    return;
  }
  groups = lbp_chains_groups(&r->c, 0, r->c.count);
  LBP_P_EACH_UNIT
  for (k = 0; k < groups; k++) {
    uint32_t from, until;
    lbp_chains_group(&r->c, 0, r->c.count, (uint32_t)k, &from, &until);
    lbp_p_run_advance_group(r, from, until, to);
  }
  (void)wide;
}

LBP_EXACT_END

#endif /* LBP_STEPS_H */
