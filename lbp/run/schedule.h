/* lbp/run/schedule.h - the schedule and steps of simulated annealing, and the best state of each read.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it; you call nothing in it.
 */

#ifndef LBP_SCHEDULE_H
#define LBP_SCHEDULE_H

#include "runner.h"

LBP_EXACT_BEGIN

/* ---- the schedule ------------------------------------------------------------------------------------------------ */

/* Of all steps the last ones, of this share, quench, if any do, at so many times the coldest temperature. */
#define LBP_P_QUENCH_SHARE 32
#define LBP_P_QUENCH_TIMES 10.0

/* Ten times that is a finite float. */
#define LBP_P_ANNEAL_COLDEST 1e30

LBP_FN uint32_t lbp_runner_anneal_slow(const lbp_runner *r) {
  return r->run->warmup - (r->schedule.quench ? r->run->warmup / LBP_P_QUENCH_SHARE : 0);
}

/* How far step `step` is on the progress: 0 at the first one, 1 at the last one that does not quench, and after it. */
LBP_FN double lbp_runner_anneal_progress(const lbp_runner *r, uint64_t step) {
  const uint32_t slow = lbp_runner_anneal_slow(r);
  return step + 1 < slow ? (double)step / (slow - 1.0) : 1;
}

/* The inverse temperature of a step. */
LBP_FN double lbp_runner_anneal_beta(const lbp_runner *r, uint64_t step) {
  const lbp_schedule *s = &r->schedule;
  const double progress = lbp_runner_anneal_progress(r, step);
  if (step >= lbp_runner_anneal_slow(r)) return s->cold * LBP_P_QUENCH_TIMES;
  if (s->ladder) return s->ladder[s->rungs - 1 - (uint32_t)(step * s->rungs / r->run->warmup)];
  if (s->kind == LBP_SCHEDULE_LINEAR) return s->hot + (s->cold - s->hot) * progress;
  return s->hot * lbp_exp(s->span * progress);
}

/* How many sites a step takes then; 0: the tuner decides. */
LBP_FN double lbp_runner_anneal_sites(const lbp_runner *r, uint64_t step) {
  const double first = r->run->parameter, end = r->run->annealing.parameter_end, last = end > 0 ? end : first;
  return first > 0 ? first * lbp_exp(lbp_log_fine(last / first) * lbp_runner_anneal_progress(r, step)) : 0;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* A read's best state, not packed, since most reads improve it at most sweeps. */
LBP_FN uint8_t *lbp_runner_anneal_record(const lbp_runner *r, uint32_t k) {
  return r->record + k * (size_t)r->n * r->item;
}

/* Where groups keep best states themselves: passes unit k's to its group, and reads it back. */
LBP_COLD void lbp_runner_anneal_tell_best(const lbp_runner *r, uint32_t k) {
  if (r->c.group_memory) r->c.kernel->best_put(lbp_chains_unit(&r->c, k), lbp_runner_anneal_record(r, k));
}
LBP_FN const uint8_t *lbp_runner_anneal_best(const lbp_runner *r, uint32_t k) {
  if (r->c.group_memory) r->c.kernel->best_get(lbp_chains_unit(&r->c, k), lbp_runner_anneal_record(r, k));
  return lbp_runner_anneal_record(r, k);
}

/* After a step of unit k at beta: log pi by what it has gained, unless beta hides that, or a base is mixed with it, or
 * its group knows it. */
LBP_FN void lbp_p_anneal_track(lbp_runner *r, uint32_t k, double beta, int known, int fresh) {
  lbp_moves *moves = &r->c.moves[k];
  const double gain = moves->log_ratio;
  moves->log_ratio = 0;
  if (beta > 0 && !r->c.kernel->base && lbp_is_finite(gain) && !r->c.group_memory) r->tracked[k] += gain / beta;
  else if (!known) lbp_runner_anneal_look(r, k);
  if (!fresh || !(r->tracked[k] > r->best_logp[k])) return;
  r->best_logp[k] = r->tracked[k];
  if (r->c.group_memory) return;
  memcpy(lbp_runner_anneal_record(r, k), lbp_chains_unit(&r->c, k)->x, (size_t)r->n * r->item);
}

/* Steps of the group [from, to), as lbp_chains_step, of which the first has number `at`. */
LBP_FN uint32_t lbp_runner_anneal_steps(lbp_runner *r, uint32_t from, uint32_t to, uint64_t at, uint32_t count,
                                        double limit, int learn, int fresh) {
  lbp_chains here = r->c; /* with its own plan, since threads are at different steps */
  double work = 0;
  uint32_t taken, k;
  int given_up, known;
  for (taken = 0; taken < count && work < limit; taken++) {
    const double beta = lbp_runner_anneal_beta(r, at + taken);
    if (here.plan.sampler->traits & LBP_TRAIT_SITES) here.plan.setting[0] = lbp_runner_anneal_sites(r, at + taken);
    if (here.group_memory) here.kernel->temper_group(lbp_chains_unit(&here, from), beta);
    for (k = from; k < to; k++) {
      if (!here.group_memory) here.kernel->temper(lbp_chains_unit(&here, k), beta);
      work -= here.moves[k].evaluations;
    }
    given_up = lbp_chains_step(&here, from, to, 1, lbp_infinity(), learn) == 0;
    known = here.group_memory && here.kernel->logps(lbp_chains_unit(&here, from), r->tracked + from);
    for (k = from; k < to; k++) {
      work += here.moves[k].evaluations + 1;
      lbp_p_anneal_track(r, k, beta, known, fresh && !given_up);
    }
    if (here.group_memory && fresh) here.kernel->record(lbp_chains_unit(&here, from));
    if (given_up) break;
  }
  return taken;
}

/* The best states to where runs have them, packed. */
LBP_FN void lbp_runner_anneal_pack(lbp_runner *r) {
  uint32_t k;
  for (k = 0; r->record && k < r->c.count; k++) {
    lbp_runner_pack(r, lbp_runner_anneal_best(r, k), r->best + k * r->packed);
  }
}

/* Tuners learn over all of the schedule's steps, from the first. */
LBP_FN void lbp_runner_anneal_tune(lbp_runner *r) {
  r->c.plan.warmup = r->schedule.run->warmup;
  lbp_chains_tune(&r->c);
}

/* The best states from there to where annealing has them; tuners learn over as many steps as there. */
LBP_FN void lbp_runner_anneal_unpack(lbp_runner *r) {
  uint32_t k;
  if (r->record) lbp_runner_anneal_tune(r);
  for (k = 0; r->record && k < r->c.count; k++) {
    lbp_runner_unpack(r, r->best + k * r->packed, lbp_runner_anneal_record(r, k));
    lbp_runner_anneal_tell_best(r, k);
  }
}

/* log pi of the best state of unit k here: as it is, where best_logp is a sum of rounded log-ratios. */
LBP_FN double lbp_runner_anneal_exact(lbp_runner *r, uint32_t k) {
  memcpy(r->look->x, lbp_runner_anneal_best(r, k), (size_t)r->n * r->item);
  r->c.kernel->touch(r->look);
  return r->c.kernel->logp(r->look, r->c.model);
}

/* The best log pi of all reads so far goes into the history, if it is better than all before. All processes call it. */
LBP_FN void lbp_runner_anneal_note(lbp_runner *r) {
  lbp_run_result *result = r->result;
  double best = -lbp_infinity(), *history = result->history;
  uint32_t k, at = 0;
  for (k = 1; k < r->c.count; k++) at = r->best_logp[k] > r->best_logp[at] ? k : at;
  if (r->c.count > 0) best = lbp_runner_anneal_exact(r, at);
#if LBP_RUN_MPI
  if (r->ranks > 1) MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#endif
  k = result->histories;
  if (k > 0 && !(best > history[3 * (size_t)k - 1])) return;
  if ((k & (k - 1)) == 0) { /* full, at powers of two */
    history = (double *)realloc(history, (k > 0 ? 2 * (size_t)k : 1) * 3 * sizeof *history);
    if (!history) return; /* it ends here */
    result->history = history;
  }
  history += 3 * (size_t)k;
  history[0] = lbp_runner_seconds(r);
  history[1] = (double)r->step;
  history[2] = best;
  result->histories++;
}

LBP_EXACT_END

#endif /* LBP_SCHEDULE_H */
