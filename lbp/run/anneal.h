/* lbp/run/anneal.h - simulated annealing: the best states of a model. Version 1.0.0. MIT licence, see LICENSE.
 * lbp_run.h includes it.
 *
 *   lbp_run run;
 *   lbp_run_result result;
 *   lbp_run_init(&run);
 *   run.sampler = LBP_SAMPLER_METROPOLIS;
 *   run.chains = 100, run.annealing.sweeps = 1000;     // 100 reads of 1000 sweeps
 *   run.summary = stdout;
 *   if (ising_anneal(&run, &model, n, &result) != LBP_OK) fprintf(stderr, "%s\n", result.message);
 *   else ... result.best_logp[0], result.best          // the best state of all, then the other reads'
 *   lbp_run_free(&result);
 *
 * A read is a chain whose inverse temperature rises by a schedule. To the run, all of it is warm-up, so threads,
 * processes, checkpoints, `stop`, groups of chains and tuners work as in any run. Every step reports its change of
 * log pi; so log pi is known after each step, and each read keeps the best state it has seen.
 *
 * Order of this file: the range of temperatures, from the model's log-ratios; the number of sweeps that fit into a
 * time; progress and the summary; NAME_anneal for any kernel. lbp/run/schedule.h has the schedule and steps.
 *
 * Sources: Kirkpatrick, Gelatt, Vecchi, Science 220, 1983. The default range comes from log-ratios, as in
 * dwave-samplers' SimulatedAnnealingSampler, but from those of visited states, where that sampler uses bounds. Both
 * ends of the range, equal steps of beta instead of equal factors, and the quench of the last excitations were chosen
 * by measurements on graphs of the G-set.
 */

#ifndef LBP_ANNEAL_H
#define LBP_ANNEAL_H

#include "../base/numbers.h"
#include "go.h"

LBP_EXACT_BEGIN

/* ---- the range of temperatures ----------------------------------------------------------------------------------- */

enum { LBP_P_ANNEAL_STATES = 8, LBP_P_ANNEAL_QUENCH = 32, LBP_P_ANNEAL_ROUNDS = 3, LBP_P_ANNEAL_SCALES = 40 };

/* The size that 20 % of the differences of log-ratios don't reach, of those beyond rounding, each taken with
 * one half of all further on; 0 if there are none, or no memory. Call it before they are sorted. */
LBP_COLD double lbp_p_anneal_differences(lbp_runner *r, const lbp_runner_sizes *cool) {
  const size_t pairs = cool->count / 2;
  double *gap = (double *)lbp_runner_alloc(r, pairs, sizeof *gap), found = 0;
  size_t k, count = 0;
  for (k = 0; gap && k < pairs; k++) {
    gap[count] = fabs(cool->size[k] - cool->size[k + pairs]);
    count += gap[count] > 1e-12 * cool->most;
  }
  if (count > 0) {
    lbp_sort(gap, count);
    found = lbp_quantile(gap, count, 0.2);
  }
  free(gap);
  return found;
}

/* The size of log-ratios that the cold end goes by: usually `cool`, of states that have been cooled down for a while.
 * Where these are far larger than those of the deepest state, which differ by far less than they are large, they are
 * penalties in log pi, which the former states still paid. Then moves between good states go by way of bad ones, and
 * freeze at the smallest log-ratios there, which 5 % don't reach. But where differences are that much smaller, no such
 * move sees costs, which are in the differences: then a schedule that ends ten times colder than these builds better
 * states at once. Measured by bench/search/ranges.c. */
LBP_COLD double lbp_p_anneal_least(lbp_runner *r, double cool, lbp_runner_sizes *deep) {
  const double fine = lbp_p_anneal_differences(r, deep), usual = lbp_runner_size_quantile(deep, 0.2);
  if (!(fine > 0 && 4 * fine < usual && cool > 1.5 * usual)) return cool;
  if (fine * (double)LBP_P_ANNEAL_SCALES < usual) return fine / 10;
  return lbp_runner_size_quantile(deep, 0.05);
}

/* The search for the range: a chain that takes steps, with its own tuner, because a process without chains has
 * none; and sizes of log-ratios: in random states, in cooled ones, and in one as deep as possible. */
typedef struct {
  lbp_unit *unit;
  void *tuner;
  lbp_plan plan;
  double limit; /* work of a state to cool down */
  lbp_moves moves;
  lbp_runner_sizes random, cool, deep;
} lbp_p_probe;

/* Its plan and scratch; `size` has room for the sizes of LBP_P_ANNEAL_STATES states. */
LBP_COLD void lbp_p_anneal_make_probe(lbp_runner *r, lbp_p_probe *p, double *size, size_t room) {
  const lbp_runner_sizes none = {r->c.plan.clamp, NULL, 0, 0, 0, 0, 0};
  memset(p, 0, sizeof *p);
  p->unit = r->look;
  p->plan = r->c.plan;
  p->tuner = lbp_runner_alloc(r, 1, r->c.tuner_bytes);
  p->limit = (r->c.kernel->local ? (double)LBP_P_ANNEAL_QUENCH : 1.0) * r->n;
  p->random = p->cool = p->deep = none;
  p->cool.size = size;
  p->cool.room = LBP_P_ANNEAL_STATES * room;
  p->deep.size = size; /* which the cooled states' are no longer needed in then */
  p->deep.room = room;
  if (p->tuner) r->c.kernel->tuner_init(p->tuner, &p->plan);
  if (p->plan.sampler->traits & LBP_TRAIT_SITES) p->plan.setting[0] = 1;
  else if (!(p->plan.setting[0] > 0) && p->plan.sampler->parameter_name) p->plan.setting[0] = 0.2;
  if (p->plan.clamp) r->c.kernel->clamp(p->unit, p->plan.clamp);
}

/* Steps at beta, as far as the limit; then sizes of log-ratios there. */
LBP_COLD void lbp_p_anneal_cool(lbp_runner *r, lbp_p_probe *p, double beta, lbp_runner_sizes *sizes) {
  const int by_sites = (p->plan.sampler->traits & LBP_TRAIT_SITES) != 0;
  const uint32_t quench = by_sites ? UINT32_MAX : (uint32_t)LBP_P_ANNEAL_QUENCH; /* until the limit is reached */
  r->c.kernel->temper(p->unit, beta);
  p->plan.sampler->steps(p->unit, r->c.model, &p->plan, p->tuner, quench, p->limit, 0, &p->moves);
  r->c.kernel->temper(p->unit, 1);
  r->c.kernel->ratios(p->unit, r->c.model, lbp_runner_take_size, sizes);
}

/* Random states, each cooled down; the last one in the end as far down as it goes. Returns the size that 20 % of cooled
 * states' log-ratios don't reach. */
LBP_COLD double lbp_p_anneal_probe(lbp_runner *r, lbp_p_probe *p) {
  double least;
  uint32_t t;
  for (t = 0; t < LBP_P_ANNEAL_STATES; t++) {
    lbp_rng_init(&p->unit->rng, r->run->seed, UINT64_MAX - 2 - t); /* streams that no chain draws from */
    lbp_runner_draw_base(r, &p->unit->rng, p->unit);
    r->c.kernel->temper(p->unit, 1);
    r->c.kernel->touch(p->unit);
    r->c.kernel->ratios(p->unit, r->c.model, lbp_runner_take_size, &p->random);
    lbp_p_anneal_cool(r, p, p->random.count > 0 ? 10 / sqrt(p->random.squares / (double)p->random.count) : 1, &p->cool);
  }
  least = lbp_runner_size_quantile(&p->cool, 0.2);
  for (t = 0; least > 0 && t < LBP_P_ANNEAL_ROUNDS; t++) {
    const double size = t == 0 ? least : sqrt(p->deep.squares / (double)p->deep.count);
    p->deep.count = 0;
    p->deep.most = p->deep.squares = p->deep.fourths = 0;
    lbp_p_anneal_cool(r, p, 10 / size, &p->deep);
    if (p->deep.count == 0) break;
  }
  return least;
}

/* Finds `hot` and `cold`, unless they are given. Hot: by the root mean square of log-ratios in random states, of which
 * large ones count for more, sqrt(sum d^4 / sum d^2), so that few sites that are strongly bound are not cold at once. A
 * mean-field glass, whose log-ratios are normal, freezes at 3.5 over that. Cold: by the size that 20 % of them don't
 * reach in states that some sweeps have cooled down; those that are 0, but for rounding, don't count. Smaller ones, and
 * the last excitations, are left to the quench. See lbp_p_anneal_least for problems with penalties. */
LBP_COLD int lbp_p_anneal_range(lbp_runner *r) {
  lbp_schedule *s = &r->schedule;
  const size_t room = lbp_size_times(r->n, r->c.plan.values - 1);
  double *size = (double *)lbp_runner_alloc(r, lbp_size_times(LBP_P_ANNEAL_STATES, room), sizeof *size);
  double least = 0, usual;
  lbp_p_probe probe;
  lbp_p_anneal_make_probe(r, &probe, size, room);
  if (size && probe.tuner) least = lbp_p_anneal_least(r, lbp_p_anneal_probe(r, &probe), &probe.deep);
  usual = probe.random.squares > 0 ? sqrt(probe.random.fourths / probe.random.squares) : 0;
  if (!lbp_is_finite(usual)) usual = probe.random.most;
  if (!(s->hot > 0)) s->hot = usual > 0 ? 2.0 / usual : 1;
  if (!(s->cold > 0)) s->cold = least > 0 ? 9.210340371976184 / least : s->hot;
  if (s->hot > LBP_P_ANNEAL_COLDEST) s->hot = LBP_P_ANNEAL_COLDEST;
  if (s->cold > LBP_P_ANNEAL_COLDEST) s->cold = LBP_P_ANNEAL_COLDEST;
  if (s->cold < s->hot && r->run->annealing.cold > 0) s->hot = s->cold;
  if (s->cold < s->hot) s->cold = s->hot;
  free(probe.tuner);
  free(size);
  if (lbp_runner_agree(r) == LBP_OK) s->cut = !lbp_runner_least(r, !probe.moves.given_up);
  return r->result->status;
}

/* ---- how many sweeps a time is good for -------------------------------------------------------------------------- */

/* All reads where they begin. */
LBP_COLD void lbp_p_anneal_rewind(lbp_runner *r) {
  uint32_t k;
  for (k = 0; k < r->c.count; k++) {
    lbp_unit *unit = lbp_chains_unit(&r->c, k);
    lbp_runner_rewind(r, k);
    memset(&r->c.moves[k], 0, sizeof r->c.moves[k]);
    r->best_logp[k] = r->tracked[k];
    memcpy(lbp_runner_anneal_record(r, k), unit->x, (size_t)r->n * r->item);
    lbp_runner_anneal_tell_best(r, k);
  }
  lbp_chains_tune(&r->c);
}

/* Runs the whole schedule in a few sweeps, in ever more of them until that takes a fiftieth of the time, and leaves as
 * many as the time is good for in run->warmup. If a sweep is given up there, in any process, time is over, and nothing
 * is saved: it is not known how many there would be. */
LBP_COLD void lbp_p_anneal_pilot(lbp_runner *r, lbp_run *run, double seconds) {
  const double begin = lbp_run_now();
  const int64_t groups = lbp_chains_groups(&r->c, 0, r->c.count);
  double taken = 0, sweeps;
  int given_up = 0;
  for (run->warmup = 2; taken < seconds / 50 && run->warmup < 1u << 24 && !given_up; ) {
    const double before = lbp_run_now();
    int64_t k;
    run->warmup *= taken < seconds / 1000 ? 4 : 2;
    LBP_P_EACH
    for (k = 0; k < groups; k++) {
      uint32_t from, to;
      lbp_chains_group(&r->c, 0, r->c.count, (uint32_t)k, &from, &to);
      lbp_runner_anneal_steps(r, from, to, 0, run->warmup, lbp_infinity(), 1, 0);
    }
    taken = lbp_run_now() - before;
    given_up = lbp_runner_has_given_up(r, 0, r->c.count);
    lbp_p_anneal_rewind(r);
  }
  /* a process without reads finds that it has time for any number */
  sweeps = (seconds - (lbp_run_now() - begin)) / (taken > 1e-9 ? taken : 1e-9) * run->warmup;
  run->warmup = sweeps < 1 ? 1 : sweeps < 4e9 ? (uint32_t)sweeps : 4000000000u;
  run->warmup = (uint32_t)lbp_runner_least(r, run->warmup);
  lbp_runner_anneal_tune(r);
  /* all processes agree: in one that goes on alone, time would end at another step, or never */
  r->schedule.cut = !lbp_runner_least(r, !given_up);
  run->seconds = r->schedule.cut ? 1e-9 : 0;
}

/* ---- progress and the summary ------------------------------------------------------------------------------------ */

/* Prints the result of NAME_anneal, in a few lines. */
LBP_P_DRIVER void lbp_anneal_print(const lbp_run_result *result, FILE *to) {
  static const char *const why[] = {"complete", "converged", "out of time", "stopped"};
  double mean = 0, squares = 0;
  uint32_t k;
  if (!result->best_logp) return;
  for (k = 0; k < result->chains; k++) mean += result->best_logp[k] / result->chains;
  for (k = 0; k < result->chains; k++) squares += (result->best_logp[k] - mean) * (result->best_logp[k] - mean);
  lbp_runner_print_sampler(to, result->sampler, result->n, result->values);
  fprintf(to, "%lu reads of %llu sweeps, %s%s, %.1f s; beta from %.4g to %.4g\n", (unsigned long)result->chains,
          (unsigned long long)result->sweeps, why[result->ended], result->resumed ? " (resumed)" : "", result->seconds,
          result->hot, result->cold);
  fprintf(to, "best log pi %.10g, of %lu read%s; of a read %.8g +- %.2g (SD %.3g); %lu different states\n",
          result->best_logp[0], (unsigned long)result->hits[0], result->hits[0] == 1 ? "" : "s", mean,
          result->chains > 1 ? sqrt(squares / (result->chains - 1.0) / result->chains) : 0,
          result->chains > 1 ? sqrt(squares / (result->chains - 1.0)) : 0, (unsigned long)result->different);
  if (result->warnings & LBP_WARN_IMPOSSIBLE) {
    fprintf(to, "! No read came to a possible state: begin in one (start), or take more sweeps.\n");
  }
  if (result->warnings & LBP_WARN_ROUNDING) {
    fprintf(to, "! Rounding moves log-ratios by up to %.2g, but smaller differences matter at the cold end:\n"
            "  let LBP_MODELS_REAL be double.\n", result->rounding);
  }
  if (result->warnings & LBP_WARN_FEW_LANES) fprintf(to, "! %s\n", lbp_run_advice(LBP_WARN_FEW_LANES));
}

/* ---- the driver -------------------------------------------------------------------------------------------------- */

/* Sweeps of a read, at most. */
#define LBP_P_ANNEAL_SWEEPS (UINT32_MAX - 1)

/* LBP_OK, or the fault in the options of annealing, which goes by steps of `sampler`; NULL: not known. */
LBP_COLD int lbp_p_anneal_judge(const lbp_run *given, const lbp_sampler *sampler, uint32_t n, lbp_run_result *result) {
  const lbp_run_annealing *how = &given->annealing;
  const double *ladder = given->tempering.ladder;
  double most_R = n;
  uint32_t k;
  for (k = 0; given->clamp && k < n; k++) most_R -= given->clamp[k] != 0;
  if (sampler && (sampler->traits & LBP_TRAIT_PATH)) most_R = LBP_MAX_SITES;
  LBP_P_WANT(how->sweeps <= LBP_P_ANNEAL_SWEEPS, "annealing.sweeps: up to 2^32 - 2, not %llu",
             (unsigned long long)how->sweeps);
  LBP_P_WANT(how->hot >= 0 && how->cold >= 0 && lbp_is_finite(how->hot) && lbp_is_finite(how->cold), "annealing.hot, "
             "annealing.cold: inverse temperatures, or 0 (found), not %g, %g", how->hot, how->cold);
  LBP_P_WANT(how->hot <= LBP_P_ANNEAL_COLDEST && how->cold <= LBP_P_ANNEAL_COLDEST, "annealing.hot, annealing.cold: "
             "inverse temperatures up to 1e30");
  LBP_P_WANT(!(how->cold > 0) || how->hot <= how->cold, "annealing.hot, annealing.cold: inverse temperatures must "
             "rise, but %g is above %g", how->hot, how->cold);
  LBP_P_WANT(how->schedule == LBP_SCHEDULE_LINEAR || how->schedule == LBP_SCHEDULE_GEOMETRIC, "annealing.schedule: "
             "LBP_SCHEDULE_LINEAR or _GEOMETRIC, not %d", how->schedule);
  LBP_P_WANT(how->parameter_end == 0 || !sampler || (sampler->traits & LBP_TRAIT_SITES), "annealing.parameter_end: %s "
             "does not take R sites; leave it 0, not %g", sampler->name, how->parameter_end);
  LBP_P_WANT(how->parameter_end == 0 ||
             (how->parameter_end >= 1 && how->parameter_end <= most_R && given->parameter > 0),
             "annealing.parameter_end: 0 (as parameter), or 1 to %s, with parameter: not %g", most_R > n ? "2^31 - 1" :
             most_R < n ? "the number of sites that are not clamped" : "n", how->parameter_end);
  LBP_P_WANT(!ladder || given->tempering.rungs, "tempering.rungs: the length of tempering.ladder, not 0");
  LBP_P_WANT(ladder || given->tempering.rungs <= 1, "tempering.rungs: reads have no rungs; leave it 1, not %lu, or "
             "give inverse temperatures in tempering.ladder", (unsigned long)given->tempering.rungs);
  for (k = 0; ladder && k < given->tempering.rungs; k++) {
    LBP_P_WANT(ladder[k] >= 0 && lbp_is_finite(ladder[k]) && (k == 0 || ladder[k] < ladder[k - 1]), "tempering.ladder: "
               "inverse temperatures must fall, the coldest first; number %lu is %g", (unsigned long)k, ladder[k]);
  }
  return LBP_OK;
}

/* Takes the options of annealing. */
LBP_COLD int lbp_p_anneal_options(const lbp_run *given, const lbp_kernel *kernel, uint32_t n, lbp_run *run,
                                  lbp_run_result *result) {
  const uint64_t sweeps = given->annealing.sweeps;
  *run = *given;
  run->tempering.rungs = run->tempering.replicas = run->thin = 1;
  run->tempering.swap_parts = 0;
  run->tempering.ladder = NULL;
  run->prefix = NULL;
  run->best_states = 0; /* of files, which `given` has */
  run->tempering.swap_every = run->columns = 0;
  run->draws = 0;
  run->rhat = run->ess = 0;
  run->shared_tuner = run->marginals = run->tempering.adapt_ends = 0;
  run->save_states = LBP_STATES_NONE;
  run->warmup = sweeps > 0 && sweeps <= LBP_P_ANNEAL_SWEEPS ? (uint32_t)sweeps : 1000;
  if (run->sampler == LBP_SAMPLER_DEFAULT && lbp_kernel_sampler(kernel, LBP_SAMPLER_GIBBS)) {
    run->sampler = lbp_kernel_sampler(kernel, LBP_SAMPLER_METROPOLIS) ? LBP_SAMPLER_METROPOLIS : LBP_SAMPLER_GIBBS;
  }
  if (run->sampler == LBP_SAMPLER_DEFAULT && lbp_kernel_sampler(kernel, LBP_SAMPLER_EXCHANGE)) {
    run->sampler = LBP_SAMPLER_EXCHANGE;
  }
  if (lbp_runner_judge_files(given, result) != LBP_OK) return result->status;
  if (given->metric) return lbp_runner_fail(result, LBP_E_RANGE, "metric: only for NAME_run, not for annealing: set "
                                            "it to NULL");
  if (!kernel->temper) {
    return lbp_runner_fail(result, LBP_E_RANGE, "annealing: this model cannot be tempered; define LBP_TEMPERED "
                           "in its C file");
  }
  return lbp_p_anneal_judge(given, lbp_kernel_sampler(kernel, run->sampler), n, result);
}

/* Reads where they begin, and the schedule. */
LBP_COLD int lbp_p_anneal_begin(lbp_runner *r, const lbp_run *given, lbp_run *run) {
  lbp_schedule *s = &r->schedule;
  const char *why = r->c.kernel->judge ? r->c.kernel->judge(&r->c.plan, 1) : NULL;
  if (why) return lbp_runner_fail(r->result, LBP_E_RANGE, "%s", why);
  r->tracked = (double *)lbp_runner_alloc(r, r->c.count, sizeof *r->tracked);
  r->record = (uint8_t *)lbp_runner_alloc(r, r->c.count, lbp_size_times(r->n, r->item));
  r->look = lbp_runner_spare(r);
  s->run = run;
  s->kind = given->annealing.schedule;
  s->by_seconds = given->annealing.sweeps == 0 && given->seconds > 0;
  s->hot = given->annealing.hot;
  s->cold = given->annealing.cold;
  s->quench = !given->tempering.ladder && !(given->annealing.cold > 0);
  s->ladder = given->tempering.ladder;
  s->rungs = given->tempering.ladder ? given->tempering.rungs : 0;
  if (s->ladder) s->hot = s->ladder[s->rungs - 1], s->cold = s->ladder[0];
  /* before the first sweep, too */
  r->c.plan.over = lbp_runner_listens(given) || given->seconds > 0 ? lbp_runner_is_over : NULL;
  r->c.plan.over_data = r;
  r->budget *= 8; /* where sites have many neighbours, rebuilding weights costs more than a sweep */
  if (lbp_runner_agree(r) != LBP_OK) return r->result->status;
  if (!s->ladder && lbp_p_anneal_range(r) != LBP_OK) return r->result->status;
  if (s->cut) run->seconds = 1e-9; /* time is over in all processes */
  s->span = s->hot > 0 ? lbp_log_fine(s->cold / s->hot) : 0;
  lbp_p_anneal_rewind(r);
  return LBP_OK;
}

/* Whether it can be log pi of a state. */
LBP_COLD int lbp_p_anneal_is_sound(double logp) { return !lbp_is_nan(logp) && (lbp_is_finite(logp) || logp < 0); }

/* Writes the results that annealing has in addition to those of runs. */
LBP_COLD int lbp_p_anneal_report(lbp_runner *r) {
  lbp_run_result *result = r->result;
  const size_t bytes = lbp_size_times(r->n, r->item);
  uint8_t *last = (uint8_t *)lbp_runner_alloc(r, r->units, r->packed);
  double *logp = (double *)lbp_runner_alloc(r, r->units, sizeof *logp);
  uint32_t k;
  for (k = 0; last && logp && k < r->c.count && r->result->status == LBP_OK; k++) {
    r->best_logp[k] = lbp_runner_anneal_exact(r, k);
    logp[r->c.first + k] = r->c.kernel->logp(lbp_chains_unit(&r->c, k), r->c.model);
    lbp_runner_pack(r, lbp_chains_settled(&r->c, k)->x, last + (r->c.first + k) * r->packed);
    if (lbp_p_anneal_is_sound(r->best_logp[k]) && lbp_p_anneal_is_sound(logp[r->c.first + k])) continue;
    lbp_runner_fail(result, LBP_E_LOGP, "log pi of a state of read %lu is %g: LBP_LOGP must be a number, or -infinity",
                    (unsigned long)(r->c.first + k) + 1, lbp_p_anneal_is_sound(r->best_logp[k]) ?
                    logp[r->c.first + k] : r->best_logp[k]);
  }
  lbp_runner_anneal_pack(r);
  if (lbp_runner_agree(r) == LBP_OK) {
    lbp_runner_share(r, lbp_runner_first, logp, sizeof *logp);
    lbp_runner_share(r, lbp_runner_first, last, r->packed);
    lbp_runner_report(r);
  }
  result->sweeps = r->step;
  result->hot = r->schedule.hot;
  result->cold = r->schedule.cold;
  if (r->rank == 0 && result->status == LBP_OK) {
    result->hits = (uint32_t *)lbp_runner_alloc(r, r->units, sizeof *result->hits);
    result->last = (uint8_t *)lbp_runner_alloc(r, r->units, bytes);
    for (k = 0; result->last && k < r->units; k++) lbp_runner_unpack(r, last + k * r->packed, result->last + k * bytes);
    result->last_logp = logp;
    logp = NULL;
    if (result->hits) lbp_runner_count_hits(r);
    if (result->best_logp && !lbp_is_finite(result->best_logp[0])) result->warnings |= LBP_WARN_IMPOSSIBLE;
    if (lbp_runner_rounding(r, result->cold) > 1) result->warnings |= LBP_WARN_ROUNDING;
    result->rounding = lbp_runner_rounding(r, 1);
  }
  free(logp);
  free(last);
  return lbp_runner_agree(r);
}

/* NAME_anneal for any kernel: see there. Also returns LBP_E_NULL, if run, kernel or result is NULL. */
LBP_P_DRIVER int lbp_anneal_kernel(const lbp_run *given, const lbp_kernel *kernel, const void *model, uint32_t n,
                                   lbp_run_result *result) {
  lbp_signals signals;
  lbp_runner r;
  lbp_run run;
  if (!given || !kernel || !result) return LBP_E_NULL;
  if (given->signals) lbp_signals_catch(&signals);
  memset(result, 0, sizeof *result);
  memset(&r, 0, sizeof r);
  if (lbp_p_anneal_options(given, kernel, n, &run, result) == LBP_OK) {
    lbp_runner_begin(&r, &run, kernel, model, n, result);
    if (result->status == LBP_OK && given->best_states > 0 && r.rank == 0) lbp_runner_lock(&r, 0, given->prefix);
    if (r.run && lbp_runner_agree(&r) == LBP_OK) lbp_p_anneal_begin(&r, given, &run);
    if (result->status == LBP_OK && run.checkpoint && !r.schedule.cut) lbp_runner_load(&r);
    if (result->status == LBP_OK && r.schedule.by_seconds && !result->resumed && !r.schedule.cut) {
      lbp_p_anneal_pilot(&r, &run, given->seconds);
    } else if (r.schedule.by_seconds && !r.schedule.cut) {
      run.seconds = 0; /* a search that goes on ends where it would have */
    }
    if (result->status == LBP_OK) lbp_runner_go(&r);
    if (result->status == LBP_OK) lbp_p_anneal_report(&r);
    if (result->status == LBP_OK && r.rank == 0 && !(r.schedule.cut && run.checkpoint)) {
      lbp_runner_write_best(&r, given); /* else a search that goes on has better ones there */
    }
  }
  if (r.run) lbp_runner_agree(&r);
  if (result->status == LBP_OK && r.rank == 0) {
    lbp_runner_progress(&r, 1);
    if (run.summary) lbp_anneal_print(result, run.summary);
  }
  if (r.run) lbp_runner_unlock(&r);
  lbp_runner_drop(&r);
  if (given->signals) lbp_signals_release(&signals, result->ended == LBP_END_STOPPED);
  return result->status;
}

LBP_EXACT_END

#endif /* LBP_ANNEAL_H */
