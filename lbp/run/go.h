/* lbp/run/go.h - a run from its beginning to its end: NAME_run for any kernel.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it; you call nothing in it.
 */

#ifndef LBP_GO_H
#define LBP_GO_H

#include "columns.h"
#include "files.h"
#include "json.h"
#include "steps.h"

LBP_EXACT_BEGIN

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* Makes the plan of a run, the data that all its chains share. */
LBP_COLD int lbp_runner_plan(const lbp_run *run, const lbp_kernel *kernel, uint32_t n, lbp_plan *plan,
                             lbp_run_result *result) {
  char names[256] = "";
  const char *why;
  uint32_t k;
  size_t length = 0;
  if (kernel->values == 0 && run->values == 0) {
    return lbp_runner_fail(result, LBP_E_RANGE, "values: the number of values of a site is unknown: set run.values "
                           "or LBP_STATES (2 if sites are binary)");
  }
  if (lbp_plan_init(plan, kernel, run->sampler, n, run->values) == LBP_OK) {
    const unsigned traits = plan->sampler->traits;
    plan->warmup = run->metric ? 0 : run->warmup; /* a tuner that is given has learned */
    if (run->target > 0) plan->target = run->target;
    plan->setting[0] = traits & LBP_TRAIT_GIVEN ? run->parameter : 0;
    if (traits & LBP_TRAIT_TIME) plan->target = run->clock_jumps;
    plan->curvature = run->curvature;
    plan->eps = run->momentum.eps;
    plan->relax = run->momentum.relax;
    return LBP_OK;
  }
  for (k = 0; k < kernel->samplers; k++) {
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s (%d)", k > 0 ? ", " : "",
                               kernel->sampler[k].name, kernel->sampler[k].sampler);
    if (length >= sizeof names) length = sizeof names - 1;
  }
  why = kernel->lacks ? kernel->lacks(run->sampler) : NULL;
  return lbp_runner_fail(result, LBP_E_RANGE, "sampler: one of %s, not %d%s%s", names, run->sampler, why ? ": " : "",
                         why ? why : "");
}

/* LBP_OK, or the fault in the number of lanes. */
LBP_COLD int lbp_p_run_judge_lanes(const lbp_run *run, const lbp_kernel *kernel, lbp_run_result *result) {
  const unsigned long lanes = run->batch > 0 ? run->batch : kernel->lanes, rungs = run->tempering.rungs;
  LBP_P_WANT(run->batch != 1 && lanes <= kernel->lanes, "batch: lanes take 0 (LBP_LANES) or 2 to %lu chains in a "
             "word, not %lu", (unsigned long)kernel->lanes, lanes);
  LBP_P_WANT(rungs <= lanes, "tempering.rungs: a ladder is in one word, of %lu lanes (LBP_LANES, or batch), not %lu "
             "rungs: take fewer, or another sampler", lanes, rungs);
  LBP_P_WANT(!run->tempering.swap_parts, "tempering.swap_parts: parts of a state can't be taken out of the words that "
             "lanes hold: set it to 0, or take LBP_SAMPLER_METROPOLIS");
  return LBP_OK;
}

/* LBP_OK, or the fault in what a parameter is tuned to. */
LBP_COLD int lbp_p_run_judge_target(const lbp_run *run, const lbp_plan *plan, lbp_run_result *result) {
  const lbp_sampler *it = plan->sampler;
  const int is_path = (it->traits & LBP_TRAIT_SITES) != 0 && !(it->target > 0);
  const double parameter = run->parameter;
  LBP_P_WANT(run->clock_jumps >= 0 && lbp_is_finite(run->clock_jumps),
             "clock_jumps: 0 (the sampler's), or above 0, not %g", run->clock_jumps);
  LBP_P_WANT(run->clock_jumps == 0 || (it->traits & LBP_TRAIT_TIME), "clock_jumps: %s has no clock; leave it 0",
             it->name);
  LBP_P_WANT(run->clock_jumps == 0 || parameter == 0, "clock_jumps: parameter = %g fixes the time, so that nothing is "
             "tuned: leave one of them 0", parameter);
  LBP_P_WANT(run->target == 0 || !(it->traits & LBP_TRAIT_TIME), "target: the clock is tuned to jumps; leave it 0, "
             "and set clock_jumps");
  LBP_P_WANT(run->target == 0 || it->target > 0, "target: %s %s; leave it 0, not %g", it->name, is_path ? "does not "
             "tune R" : it->traits & LBP_TRAIT_MOMENTUM ? "accepts all and tunes nothing" : "has nothing that is tuned",
             run->target);
  LBP_P_WANT(run->target == 0 || parameter == 0, "target: parameter = %g fixes %s, so that nothing is tuned: leave "
             "one of them 0", parameter, it->parameter_name);
  LBP_P_WANT(run->target >= 0 && run->target < 1, "target: 0 (the sampler's), or an acceptance rate below 1, not %g",
             run->target);
  return LBP_OK;
}

/* LBP_OK, or the fault in the sampler and its parameter. */
LBP_COLD int lbp_runner_judge_sampler(const lbp_run *run, const lbp_plan *plan, const lbp_kernel *kernel,
                                      lbp_run_result *result) {
  const lbp_sampler *it = plan->sampler;
  const int is_path = (it->traits & LBP_TRAIT_SITES) != 0 && !(it->target > 0);
  const double parameter = run->parameter, eps = run->momentum.eps, relax = run->momentum.relax;
  const char *why;
  LBP_P_WANT(parameter == 0 || (it->traits & LBP_TRAIT_GIVEN), "parameter: %s %s; leave it 0, not %g", it->name,
             it->parameter_name ? "finds its own" : "has none", parameter);
  if (it->traits & LBP_TRAIT_PATH) {
    LBP_P_WANT(parameter == 0 || (parameter >= 1 && parameter <= LBP_MAX_SITES), "parameter: R is 0 (the sampler's), "
               "or 1 to 2^31 - 1, not %g", parameter);
  } else if (it->traits & LBP_TRAIT_SITES) {
    LBP_P_WANT(parameter == 0 || (parameter >= 1 && parameter <= plan->n), "parameter: R is 0 (tuned), or 1 to n, not "
               "%g", parameter);
    LBP_P_WANT(parameter <= plan->n - plan->clamped, "parameter: R is 0 (tuned), or 1 to %lu, the sites that are not "
               "clamped, not %g", (unsigned long)(plan->n - plan->clamped), parameter);
  }
  LBP_P_WANT(lbp_is_finite(parameter) && parameter >= 0, "parameter: %s is 0 (tuned), or above 0, not %g",
             it->parameter_name, parameter);
  if (lbp_p_run_judge_target(run, plan, result) != LBP_OK) return result->status;
  LBP_P_WANT(!run->curvature || (it->traits & LBP_TRAIT_CURVED), "curvature: %s does not use one; leave it "
             "NULL", it->name);
  LBP_P_WANT(lbp_is_finite(eps) && eps >= 0 && eps < 1, "momentum.eps: how much of a momentum is kept, 0 to below 1, "
             "not %.9g; lbp_run_init sets %g", eps, LBP_MOMENTUM_EPS);
  LBP_P_WANT(lbp_is_finite(relax) && relax >= 0 && relax <= 1, "momentum.relax: the probability with which a site is "
             "over-relaxed, 0 to 1, not %.9g; lbp_run_init sets %g", relax, LBP_MOMENTUM_RELAX);
  LBP_P_WANT((eps == LBP_MOMENTUM_EPS && relax == LBP_MOMENTUM_RELAX) || (it->traits & LBP_TRAIT_MOMENTUM),
             "momentum.eps, momentum.relax: %s has no momentum; leave them at %g and %g, or take LBP_SAMPLER_MOMENTUM",
             it->name, LBP_MOMENTUM_EPS, LBP_MOMENTUM_RELAX);
  LBP_P_WANT(plan->setting[0] > 0 || run->warmup > 0 || run->metric || !it->parameter_name || is_path, "warmup: it "
             "is 0, but %s is tuned there: warm up, or give %sa metric", it->parameter_name,
             it->traits & LBP_TRAIT_CURVED ? "" : "parameter, or ");
  LBP_P_WANT(plan->values >= 1, "values: at least 1");
  LBP_P_WANT(kernel->values == 0 || run->values == 0 || run->values == kernel->values, "values: 0, or the instance's "
             "%lu", (unsigned long)kernel->values);
  LBP_P_WANT(run->batch <= LBP_GROUP_MOST, "batch: 0 (each chain by itself) to %d, not %lu", LBP_GROUP_MOST,
             (unsigned long)run->batch);
  LBP_P_WANT(run->batch <= 1 || it->together, "batch: %s steps one chain at a time here; leave it at 0 (only LBP "
             "of models with LBP_DELTAS_MANY takes several)", it->name);
  if ((it->traits & LBP_TRAIT_LANES) && lbp_p_run_judge_lanes(run, kernel, result) != LBP_OK) return result->status;
  LBP_P_WANT(plan->values - 1 <= UINT32_MAX >> (32 - 8 * kernel->item_bytes), "values: %lu do not fit into items of "
             "%lu bytes", (unsigned long)plan->values, (unsigned long)kernel->item_bytes);
  LBP_P_WANT(!run->marginals || plan->values <= 256, "marginals: only for sites of up to 256 values");
  LBP_P_WANT(run->marginals != LBP_MARGINALS_CONDITIONAL || kernel->conditionals, "marginals: conditional ones need "
             "exact log-ratios: for dense models define LBP_DELTA, or LBP_DELTAS_EXACT if LBP_DELTAS are exact, for "
             "lbp_ab.h LBP_CONDITIONAL; or count them (LBP_MARGINALS_COUNTED)");
  why = kernel->judge ? kernel->judge(plan, lbp_runner_tempers(run)) : NULL;
  LBP_P_WANT(!why, "%s", why);
  return LBP_OK;
}

/* LBP_OK, or the fault in the columns. */
LBP_COLD int lbp_p_run_judge_columns(const lbp_run *run, uint32_t n, const lbp_kernel *kernel,
                                     lbp_run_result *result) {
  uint32_t k, other;
  LBP_P_WANT(run->columns <= 1000 && (run->columns == 0 || run->column), "columns: up to 1000, in `column`");
  for (k = 0; k < run->columns; k++) {
    const char *name = run->column[k].name;
    const size_t length = name ? strlen(name) : 0;
    LBP_P_WANT(length > 0 && length < 200 && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
               "UVWXYZ0123456789_.")] == 0, "column %lu: its name must have 1 to 199 letters, digits, '_' or '.'",
               (unsigned long)k);
    LBP_P_WANT(length < 2 || strcmp(name + length - 2, "__") != 0, "column %s: names that end in \"__\" are Stan's: "
               "choose another",
               name);
    LBP_P_WANT(run->save_states != LBP_STATES_CSV || strncmp(name, "x.", 2) != 0 || name[2] < '0' || name[2] > '9',
               "column %s: with LBP_STATES_CSV sites have such names: choose another", name);
    for (other = 0; other < k; other++) {
      LBP_P_WANT(strcmp(name, run->column[other].name) != 0, "column %s: two columns have this name: rename one", name);
    }
    LBP_P_WANT(run->column[k].value, "column %s: its value function is NULL", name);
    LBP_P_WANT(kernel->item_bytes == 1 || !lbp_runner_reads_bytes(&run->column[k]), "column %s: its function reads "
               "items of one byte; write one for items of %lu", name, (unsigned long)kernel->item_bytes);
    LBP_P_WANT(run->column[k].value != lbp_run_site || run->column[k].site < n, "column %s: there is no site %lu, they "
               "are 0 to n - 1 = %lu", name, (unsigned long)run->column[k].site, (unsigned long)n - 1);
    LBP_P_WANT(run->column[k].value != lbp_run_distance || run->column[k].data, "column %s: data is NULL, not the "
               "state to which the distance is", name);
  }
  return LBP_OK;
}

/* LBP_OK, or the fault in the options of exchanges of parts. */
LBP_COLD int lbp_p_run_judge_parts(const lbp_run *run, const lbp_kernel *kernel, lbp_run_result *result) {
  const lbp_run_tempering *how = &run->tempering;
  LBP_P_WANT(how->swap_parts || how->replicas == 1, "tempering.replicas: %lu replicas of a rung meet by exchanges of "
             "parts alone: set tempering.swap_parts, or more chains", (unsigned long)how->replicas);
  if (!how->swap_parts) return LBP_OK;
  LBP_P_WANT(how->replicas > 1 || how->rungs > 1, "tempering.swap_parts: exchanges are between replicas: set "
             "tempering.replicas or tempering.rungs to 2 or more");
  LBP_P_WANT(kernel->swap_parts || !kernel->admits, "tempering.swap_parts: parts of a state with groups of ones, or of "
             "a permutation, can't be exchanged by themselves: leave it 0, and replicas 1");
  LBP_P_WANT(kernel->swap_parts, "tempering.swap_parts: parts are connected by neighbours: only for local models of "
             "lbp.h (LBP_TERM, LBP_NEIGHBOURS), not for dense ones or lbp_ab.h; leave it 0, and replicas 1");
  return LBP_OK;
}

/* LBP_OK, or the fault in the options of tempering. */
LBP_COLD int lbp_p_run_judge_tempering(const lbp_run *run, const lbp_kernel *kernel, lbp_run_result *result) {
  const lbp_run_tempering *how = &run->tempering;
  const double *ladder = how->ladder;
  uint32_t k;
  LBP_P_WANT(how->rungs >= 1 && how->rungs <= 4096, "tempering.rungs: 1 (no tempering) to 4096, not %lu",
             (unsigned long)how->rungs);
  LBP_P_WANT(how->replicas >= 1 && how->replicas <= 64, "tempering.replicas: 1 to 64 at each rung, not %lu",
             (unsigned long)how->replicas);
  LBP_P_WANT((uint64_t)run->chains * how->rungs * how->replicas <= LBP_MAX_SITES, "chains times tempering.rungs times "
             "tempering.replicas: up to 2^31 - 1");
  if (lbp_p_run_judge_parts(run, kernel, result) != LBP_OK) return result->status;
  LBP_P_WANT(!lbp_runner_tempers(run) || kernel->temper, "tempering: this model cannot be tempered; define "
             "LBP_TEMPERED in its C file");
  LBP_P_WANT(how->rungs * how->replicas == 1 || how->swap_every == 0 || run->thin % how->swap_every == 0,
             "tempering.swap_every: 0, or a divisor of thin = %lu, not %lu", (unsigned long)run->thin,
             (unsigned long)how->swap_every);
  LBP_P_WANT(how->resample >= 0 && how->resample <= 1, "tempering.resample: 0 (never), or a share of chains, up to 1, "
             "not %g", how->resample);
  for (k = 0; ladder && k < how->rungs; k++) {
    LBP_P_WANT(lbp_is_finite(ladder[k]) && ladder[k] >= 0 && (k == 0 || ladder[k] < ladder[k - 1]), "tempering.ladder: "
               "inverse temperatures must fall and not be below 0; number %lu is %g", (unsigned long)k, ladder[k]);
  }
  LBP_P_WANT(!how->adapt_ends || how->rungs > 1, "tempering.adapt_ends: only for tempered runs: set tempering.rungs");
  LBP_P_WANT(!how->adapt_ends || !run->metric, "tempering.adapt_ends: with a metric nothing is tuned: leave one of "
             "them out");
  LBP_P_WANT(!how->adapt_ends || (kernel->exact && !kernel->base), "tempering.adapt_ends: needs log-ratios, so "
             "neither lbp_ab.h nor LBP_BASE: set tempering.ladder");
  LBP_P_WANT(!how->adapt_ends || lbp_runner_last_cold(run) <= (uint64_t)run->warmup / 4 * 3, "tempering.adapt_ends: "
             "needs a warm-up of %llu steps or more, not %lu",
             (unsigned long long)(lbp_runner_last_cold(run) + 2) / 3 * 4, (unsigned long)run->warmup);
  return LBP_OK;
}

/* LBP_OK, or the fault in the options. */
LBP_COLD int lbp_runner_judge(const lbp_run *run, uint32_t n, const lbp_kernel *kernel, lbp_run_result *result) {
  if (n < 1 || n > LBP_MAX_SITES) return lbp_runner_fail(result, LBP_E_SIZE, "n: %s", lbp_error(LBP_E_SIZE));
  LBP_P_WANT(run->chains >= 1 && run->chains <= 1u << 24, "chains: 1 to 2^24, not %lu", (unsigned long)run->chains);
  LBP_P_WANT(run->thin >= 1, "thin: at least 1 step per draw, not 0");
  if (lbp_p_run_judge_tempering(run, kernel, result) != LBP_OK) return result->status;
  LBP_P_WANT(!run->clamp || kernel->clamp, "clamp: define LBP_CLAMPED before including lbp_run.h");
  LBP_P_WANT(!kernel->needs_start || run->start, "start: it is NULL, but this model is constrained; supply a valid "
             "initial state");
  LBP_P_WANT(!run->clamp || run->start, "clamp: clamped sites need values: set them in start");
  if (lbp_p_run_judge_columns(run, n, kernel, result) != LBP_OK) return result->status;
  LBP_P_WANT(run->save_states >= LBP_STATES_NONE && run->save_states <= LBP_STATES_PASSED,
             "save_states: one of LBP_STATES_NONE, _CSV, _NPY, _PASSED, not %d", run->save_states);
  LBP_P_WANT(run->save_states != LBP_STATES_PASSED || run->on_draw,
             "save_states: LBP_STATES_PASSED are passed to `on_draw`, which is NULL: set it");
  LBP_P_WANT(run->save_states == LBP_STATES_NONE || run->prefix || run->on_draw, "save_states: LBP_STATES_%s go to "
             "files of `prefix`, which is NULL: set it, or take LBP_STATES_PASSED and on_draw",
             run->save_states == LBP_STATES_CSV ? "CSV" : "NPY");
  LBP_P_WANT(run->marginals >= LBP_MARGINALS_NONE && run->marginals <= LBP_MARGINALS_CONDITIONAL,
             "marginals: one of LBP_MARGINALS_NONE, _COUNTED, _CONDITIONAL, not %d", run->marginals);
  LBP_P_WANT(run->marginals != LBP_MARGINALS_COUNTED || run->draws <= UINT32_MAX, "marginals: counted ones allow up "
             "to 2^32 - 1 draws");
  LBP_P_WANT(run->digits >= 1 && run->digits <= 17, "digits: 1 to 17, not %d", run->digits);
  LBP_P_WANT(run->name && strlen(run->name) <= 200 && !strchr(run->name, '\n'), "name: a line of up to 200 characters");
  LBP_P_WANT(lbp_runner_is_utf8(run->name), "name: it has bytes that are not UTF-8, which JSON requires");
  if (lbp_runner_judge_files(run, result) != LBP_OK) return result->status;
  LBP_P_WANT(run->seconds >= 0 && run->checkpoint_seconds >= 0 && run->rhat >= 0 && run->ess >= 0,
             "seconds, checkpoint_seconds, rhat and ess must not be negative");
  LBP_P_WANT(run->rhat == 0 || run->rhat >= 1, "rhat: 0 (no limit), or 1 or more, such as 1.01, not %g: R-hat of draws "
             "without a fault is about 1", run->rhat);
  LBP_P_WANT(!(run->ess > 0) || run->rhat > 0, "ess: it ends a run together with rhat: set rhat, too, to 1.01");
  return LBP_OK;
}

/* Memory for statistics of the draws. */
LBP_COLD void lbp_p_run_make_rows(lbp_runner *r) {
  const lbp_run *run = r->run;
  const size_t chains = run->chains, cells = lbp_size_times(chains, lbp_runner_watched(r));
  const uint64_t draws = run->draws > 0 ? run->draws : 1;
  size_t batch, k;
  r->traced = LBP_P_TRACE;
  while (r->traced > LBP_P_TRACE_LEAST && r->traced * cells > LBP_RUN_KEPT) r->traced /= 2;
  r->state_bytes = run->save_states == LBP_STATES_PASSED ? lbp_size_times(r->n, r->item) : r->packed;
  r->state_bytes = run->save_states == LBP_STATES_NONE ? 0 : (r->state_bytes + 7) / 8 * 8;
  r->row_bytes = (LBP_DRAW_VALUES + run->columns) * sizeof(double) + r->state_bytes;
  batch = ((size_t)1 << 25) / r->row_bytes / chains;
  r->batch = batch < 1 ? 1 : batch > 4096 ? 4096 : (uint32_t)batch;
  if (draws < r->batch) r->batch = (uint32_t)draws;
  r->rows = (unsigned char *)lbp_runner_alloc(r, (r->rank ? (size_t)r->count_chain : chains) * r->batch, r->row_bytes);
  r->all = r->rows;
  r->taken = (uint8_t *)lbp_runner_alloc(r, run->on_draw ? r->n : 0, r->item);
  r->length = (uint64_t *)lbp_runner_alloc(r, 2 * chains, sizeof *r->length);
  r->written = (uint64_t *)lbp_runner_alloc(r, 2 * chains, sizeof *r->written);
  if (r->rank == 0 && (run->draws > 0 || run->checkpoint)) { /* a checkpoint may bring draws */
    r->stream = (lbp_stream *)lbp_runner_alloc(r, cells, sizeof *r->stream);
    r->trace = (double *)lbp_runner_alloc(r, lbp_size_times(cells, (size_t)2 * r->traced), sizeof *r->trace);
    r->work_space = (double *)lbp_runner_alloc(r, lbp_size_plus(lbp_size_times(chains, (size_t)2 * r->traced),
                                               LBP_CHAINS_WORKSPACE(chains, 2 * r->traced)), sizeof *r->work_space);
  }
  if (run->checkpoint) lbp_runner_make_print(r);
  for (k = 0; r->stream && k < cells; k++) lbp_stream_init(&r->stream[k]);
}

/* Chains and tuners. They may need much memory, so the run reports how much before. */
LBP_COLD int lbp_p_run_make_chains(lbp_runner *r) {
  const lbp_run *run = r->run;
  const lbp_chains c = r->c;
  const uint32_t shared = run->shared_tuner ? r->rungs : 0, tuners = shared > 0 ? shared : c.count;
  const uint32_t group = lbp_runner_group(r);
  const double words = run->checkpoint ? 8.0 * (double)r->tuner_words : 0;
  const double large = tuners * ((double)c.kernel->tuner_bytes(&c.plan) + words);
  int status;
  if (run->progress && r->rank == 0 && large > 1 << 24) {
    fprintf(run->progress, "%.16s: tuning %s takes %.3g MB\n", run->name, c.plan.sampler->name, large / 1e6);
    fflush(run->progress);
  }
  status = lbp_chains_init(&r->c, c.kernel, c.model, &c.plan, c.first, c.count, shared);
  if (status == LBP_OK) return lbp_chains_together(&r->c, lbp_runner_team(r) * r->members, group);
  if (r->c.finding.status != LBP_OK) return lbp_runner_blame(r->result, c.plan.sampler->name, r->c.finding);
  if (status != LBP_E_MEMORY) return lbp_runner_fail(r->result, status, "a tuner: %s", lbp_error(status));
  return lbp_runner_fail(r->result, status, "out of memory: %.3g bytes more are needed",
                         (double)lbp_chains_bytes(c.kernel, &c.plan, c.count, shared));
}

/* Memory for states, counts and marks of all chains: checkpoints, best states, marginals. */
LBP_COLD int lbp_p_run_make_room(lbp_runner *r) {
  const lbp_run *run = r->run;
  const size_t chains = run->chains, words = run->checkpoint ? r->c.tuners : 0;
  r->words = (double *)lbp_runner_alloc(r, words, lbp_size_times(r->tuner_words, sizeof *r->words));
  r->feedback = (unsigned char *)lbp_runner_alloc(r, run->shared_tuner ? r->units : 0, r->c.feedback_bytes);
  r->excess = (double *)lbp_runner_alloc(r, r->units, sizeof *r->excess);
  r->effort = (double *)lbp_runner_alloc(r, r->units, sizeof *r->effort);
  r->carried = (double *)lbp_runner_alloc(r, r->c.count, lbp_size_times(r->chain_words, sizeof *r->carried));
  r->memory = (lbp_runner_memory *)lbp_runner_alloc(r, r->c.count + 1, sizeof *r->memory);
  r->state = (uint8_t *)lbp_runner_alloc(r, r->rank == 0 && r->rungs > 1 ? r->units : r->c.count, r->packed);
  r->given = (uint8_t *)lbp_runner_alloc(r, 1, r->packed);
  r->at = (uint64_t *)lbp_runner_alloc(r, chains, sizeof *r->at);
  r->mark = (uint64_t *)lbp_runner_alloc(r, chains, sizeof *r->mark);
  r->work = (double *)lbp_runner_alloc(r, chains, sizeof *r->work);
  r->best_logp = (double *)lbp_runner_alloc(r, r->rank ? r->c.count + 1 : r->units, sizeof *r->best_logp);
  r->best = (uint8_t *)lbp_runner_alloc(r, r->rank ? r->c.count : r->units, r->packed);
  r->counts = (uint32_t *)lbp_runner_alloc(r, run->marginals == LBP_MARGINALS_COUNTED ? r->c.count + 1 : 0,
                                           lbp_size_times(lbp_runner_cells(r), sizeof *r->counts));
  r->conditional = (double *)lbp_runner_alloc(r, r->count_chain,
                                              lbp_size_times(lbp_runner_kept_cells(r), sizeof *r->conditional));
  r->swap_rng = (lbp_rng *)lbp_runner_alloc(r, r->members > 1 ? chains : 0, sizeof *r->swap_rng);
  r->swap_memory = (lbp_rng *)lbp_runner_alloc(r, r->members > 1 ? chains : 0, sizeof *r->swap_memory);
  r->ladder = (double *)lbp_runner_alloc(r, r->rungs, sizeof *r->ladder);
  r->refused = (double *)lbp_runner_alloc(r, r->units, sizeof *r->refused);
  r->bridge = (double *)lbp_runner_alloc(r, lbp_size_times(r->units, 2), sizeof *r->bridge);
  r->trip = (uint8_t *)lbp_runner_alloc(r, r->units, 1);
  r->trip_memory = (uint8_t *)lbp_runner_alloc(r, r->units, 1);
  r->trips = (uint64_t *)lbp_runner_alloc(r, chains, sizeof *r->trips);
  if (run->tempering.swap_parts) {
    r->parts = (lbp_runner_parts *)lbp_runner_alloc(r, lbp_size_times(r->units, 2), sizeof *r->parts);
    r->whole = (uint8_t *)lbp_runner_alloc(r, lbp_size_times(r->rungs, 2), 1);
    r->due = (lbp_runner_due *)lbp_runner_alloc(r, r->units, sizeof *r->due);
  }
  if (words == 0) free(r->words), r->words = NULL;
  if (!run->shared_tuner || r->c.feedback_bytes == 0) free(r->feedback), r->feedback = NULL;
  return r->result->status;
}

/* Unit k of this process, where it starts. */
LBP_COLD int lbp_p_run_make_unit(lbp_runner *r, uint32_t k) {
  const lbp_run *run = r->run;
  lbp_unit *unit = lbp_chains_unit(&r->c, k);
  int status = lbp_chains_make(&r->c, k, run->seed);
  uint64_t which;
  uint32_t i;
  if (status != LBP_OK) return lbp_runner_fail(r->result, status, "a chain: %s", lbp_error(status));
  r->best_logp[k] = -lbp_infinity();
  if (!run->start) return LBP_OK;
  lbp_rng_init(&unit->rng, run->seed, r->c.first + k);
  run->start(run->start_data, (r->c.first + k) / r->members, (uint8_t *)unit->x, r->n);
  for (i = 0; i < r->n; i++) {
    if (lbp_item(unit->x, r->item, i) < lbp_runner_values(r, i)) continue;
    return lbp_runner_fail(r->result, LBP_E_STATE, "start: %s", lbp_error(LBP_E_STATE));
  }
  if (r->c.kernel->admits) status = r->c.kernel->admits(unit, r->c.model, &which);
  return status == LBP_OK ? LBP_OK : lbp_runner_fail(r->result, status, "start: %s", lbp_error(status));
}

/* By how much rounding of the first chain's log pi and its largest log-ratio may move others. */
LBP_COLD double lbp_p_run_scale(lbp_runner *r) {
  const double unit = r->c.kernel->real_bytes == sizeof(float) ? 6e-8 : 1.2e-16;
  lbp_runner_sizes sizes = {NULL, NULL, 0, 0, 0, 0, 0};
  double logp = fabs(r->c.kernel->logp(lbp_chains_unit(&r->c, 0), r->c.model));
  r->c.kernel->ratios(lbp_chains_unit(&r->c, 0), r->c.model, lbp_runner_take_size, &sizes);
  if (!lbp_is_finite(logp)) logp = 0;
  return 4 * unit * (sizes.most + logp);
}

/* NAME_check at the first chain's start. */
LBP_COLD int lbp_p_run_check(lbp_runner *r) {
  lbp_finding it;
  lbp_rng rng;
  lbp_rng_init(&rng, r->run->seed, UINT64_MAX); /* a stream that no chain draws from */
  it = r->c.kernel->check(lbp_chains_unit(&r->c, 0), r->c.model, r->run->check_trials, &rng);
  if (it.status != LBP_OK && it.placed) it.rounding = lbp_p_run_scale(r);
  if (it.status == LBP_E_IMPOSSIBLE) {
    return lbp_runner_fail(r->result, it.status, "start: %s", lbp_error(it.status));
  }
  return lbp_runner_blame(r->result, r->c.plan.sampler->name, it);
}

/* Groups' memory, where the sampler has such. */
LBP_COLD int lbp_p_run_join(lbp_runner *r) {
  const int status = lbp_chains_join(&r->c);
  if (status == LBP_OK) return status;
  if (status != LBP_E_MEMORY) return lbp_runner_blame_lanes(r->result, r->c.finding);
  return lbp_runner_fail(r->result, status, "out of memory: lanes need more, of %lu chains a word",
                         (unsigned long)lbp_runner_group(r));
}

/* Memory, units and their states. */
LBP_COLD int lbp_p_run_make(lbp_runner *r) {
  const lbp_run *run = r->run;
  uint32_t k;
  if (lbp_p_run_make_chains(r) == LBP_OK && lbp_p_run_make_room(r) == LBP_OK) lbp_p_run_make_rows(r);
  if (r->result->status != LBP_OK) return r->result->status;
  for (k = 0; k < r->rungs; k++) {
    r->ladder[k] = run->tempering.ladder ? run->tempering.ladder[k] : r->rungs > 1 ? 1 - k / (r->rungs - 1.0) : 1;
  }
  for (k = 0; r->members > 1 && k < run->chains; k++) lbp_rng_init(&r->swap_rng[k], run->seed, LBP_P_STREAMS + k);
  for (k = 0; k < 2 * r->units; k++) r->bridge[k] = -lbp_infinity();
  for (k = 0; r->parts && k < r->units; k++) r->due[k].with = LBP_P_NONE;
  for (k = 0; k < r->c.count; k++) {
    if (lbp_p_run_make_unit(r, k) != LBP_OK) return r->result->status;
    if (k == 0 && run->check_trials > 0 && r->c.kernel->check && lbp_p_run_check(r) != LBP_OK) return r->result->status;
  }
  if (lbp_p_run_join(r) != LBP_OK) return r->result->status;
  lbp_runner_set_betas(r);
  lbp_runner_forget_all(r);
  return r->result->status;
}

LBP_COLD void lbp_runner_drop(lbp_runner *r) {
  lbp_runner_drop_spare(r, r->look);
  lbp_runner_drop_spare(r, r->guest);
  lbp_chains_free(&r->c);
  free(r->excess), free(r->effort), free(r->best_logp), free(r->best);
  free(r->counts), free(r->conditional), free(r->memory), free(r->state), free(r->words), free(r->feedback);
  free(r->carried);
  free(r->tracked), free(r->record);
  free(r->at), free(r->mark), free(r->work), free(r->given);
  free(r->swap_rng), free(r->swap_memory), free(r->ladder), free(r->refused), free(r->bridge);
  free(r->trip), free(r->trip_memory), free(r->trips);
  free(r->parts), free(r->whole), free(r->due);
  free(r->rows), free(r->taken), free(r->stream), free(r->trace), free(r->work_space), free(r->print);
  free(r->known_state), free(r->length), free(r->written), free(r->text);
}

/* Whether the steps were in order. */
LBP_COLD int lbp_runner_look_at_faults(lbp_runner *r) {
  return lbp_runner_blame(r->result, r->c.plan.sampler->name, lbp_chains_fault(&r->c));
}

/* Collects the draws up to step `to`: of this process's chains, in the first process of all. */
LBP_COLD int lbp_p_run_take_up(lbp_runner *r, uint64_t to) {
  const uint64_t before = lbp_runner_drawn(r);
  uint32_t draws;
  r->step = to;
  draws = (uint32_t)(lbp_runner_drawn(r) - before);
  if (draws > 0) lbp_runner_collect(r, lbp_runner_first_chain, r->rows, r->all, r->batch * r->row_bytes);
  if (r->rank == 0 && r->result->status == LBP_OK && draws > 0) {
    uint32_t chain, d;
    for (chain = 0; chain < r->run->chains; chain++) {
      for (d = 0; d < draws; d++) {
        const double logp = lbp_runner_row(r, r->all, chain, d)[LBP_DRAW_LOGP];
        if (lbp_is_finite(logp) || (!lbp_is_nan(logp) && logp < 0)) continue;
        return lbp_runner_fail(r->result, LBP_E_LOGP,
                               "log pi of draw %llu of chain %lu is %g: LBP_LOGP must be a "
                               "number, or -infinity",
                               (unsigned long long)(before + d + 1), (unsigned long)chain + 1, logp);
      }
    }
    lbp_runner_watch(r, before + draws, draws);
    lbp_runner_hand_out(r, before, draws);
    lbp_runner_write_rows(r, draws);
  }
  return r->result->status;
}

/* Ends the warm-up: counts start from 0 again, and files are made. */
LBP_COLD int lbp_p_run_end_warmup(lbp_runner *r) {
  r->warming = lbp_runner_seconds(r);
  r->since = lbp_run_now();
  r->since_step = r->step;
  memset(r->c.moves, 0, r->c.count * sizeof *r->c.moves);
  lbp_runner_judge_parts(r);
  lbp_runner_count_swaps(r);
  lbp_runner_begin_trips(r);
  lbp_runner_forget_all(r);
  lbp_runner_make_files(r);
  lbp_runner_write_metric(r);
  return lbp_runner_write_config(r, 0);
}

/* The least step that a chain has taken, of all. */
LBP_COLD uint64_t lbp_p_run_front(const lbp_runner *r) {
  const int all = r->spread || lbp_runner_is_joint(r, r->step);
  const uint32_t begin = all ? 0 : r->first_chain, end = all ? r->run->chains : begin + r->count_chain;
  uint64_t front = r->step;
  uint32_t chain;
  for (chain = begin; chain < end; chain++) front = r->at[chain] < front ? r->at[chain] : front;
  return lbp_runner_least(r, front);
}

/* The step to which chains go from `front` before the run looks at them: after about a tenth of a second, or where
 * something is due at a certain step. */
LBP_COLD uint64_t lbp_p_run_next_stop(const lbp_runner *r, uint64_t front, uint64_t end) {
  const uint64_t warmup = r->run->warmup;
  uint64_t to = front + r->stride, most = end;
  if (front < r->step) {
    most = r->step;
  } else if (!lbp_runner_is_warm(r)) {
    const uint64_t ladder = lbp_runner_next_ladder(r, r->step);
    most = ladder < warmup ? ladder : warmup;
  } else {
    const uint64_t drawn = lbp_runner_drawn(r), look = lbp_runner_next_look(r), room = drawn + r->batch;
    const uint64_t draws = look > drawn && look < room ? look : room, last = (end - warmup) / r->run->thin;
    if (draws < last) most = warmup + draws * r->run->thin;
  }
  return to < most ? to : most;
}

/* Whether steps can be spread over cores in two ways: all cores in each chain, or each core with its own chains. */
LBP_COLD int lbp_p_run_has_choice(const lbp_runner *r) {
#if defined _OPENMP
  const uint32_t threads = (uint32_t)omp_get_max_threads();
  if (threads == 1 || r->c.count == 1) return 0;
  return r->spread || lbp_runner_is_joint(r, r->step) || (r->members > 1 && r->count_chain < threads);
#else
  return (void)r, 0;
#endif
}

/* Chooses how many steps come next, and on how many cores, after so many that took so long: as many as take a tenth of
 * a second, if that is not past the end of the time. The number grows slowly, since steps do, while R is tuned. Now and
 * then the other way to spread them is tried for a few steps, more seldom each time that it loses. */
LBP_COLD void lbp_runner_pace(lbp_runner *r, uint64_t steps, double seconds) {
  const double pace = seconds / (double)steps, left = r->begin + r->run->seconds - lbp_run_now();
  const int fixed = (r->c.plan.sampler->traits & (LBP_TRAIT_TIME | LBP_TRAIT_PATH)) != 0 && r->c.plan.setting[0] > 0;
  double want = 0.1 / (pace > 1e-9 ? pace : 1e-9);
  r->pace[r->wide] = pace;
  if (r->trial) {
    r->trial = 0;
    r->stride = r->usual;
    r->patience = r->pace[r->wide] < r->pace[!r->wide] ? 32 : r->patience < 4096 ? 4 * r->patience + 32 : 4096;
    r->wide ^= r->pace[!r->wide] <= r->pace[r->wide];
    want = 0.1 / (r->pace[r->wide] > 1e-9 ? r->pace[r->wide] : 1e-9);
  }
  if (want > 1.5 * r->stride + 1) want = 1.5 * r->stride + 1;
  if (r->run->seconds > 0 && want * pace > left) want = left / pace;
  r->stride = want < 1 ? 1 : want < 1e9 ? (uint32_t)want : 1000000000u;
  if (fixed && !lbp_runner_may_give_up(r, r->step + r->stride)) r->stride = 1;
  if (!lbp_p_run_has_choice(r)) {
    r->wide = 0;
    r->turn = 0;
  } else if (++r->turn > r->patience) {
    r->trial = 1;
    r->turn = 0;
    r->usual = r->stride;
    r->stride = r->stride / 32 + 1;
    r->wide = !r->wide;
  }
}

/* Whether each chain can begin again at a step that all have taken: not where one has given up a later one of several,
 * and others had forgotten by then. All processes ask. */
LBP_COLD int lbp_p_run_can_save(const lbp_runner *r) {
  uint64_t can = 1;
  uint32_t k;
  for (k = 0; k < r->count_chain; k++) can &= r->mark[r->first_chain + k] <= r->step;
  return lbp_runner_least(r, can) != 0;
}

/* Between steps: decides whether to go on, and writes a checkpoint if it is time. */
LBP_COLD int lbp_p_run_pause(lbp_runner *r, int complete) {
  const lbp_run *run = r->run;
  const double now = lbp_run_now();
  const int late = run->seconds > 0 && now - r->begin >= run->seconds && !lbp_runner_is_behind(r);
  const int can_save = !r->schedule.cut && (!r->given_up || lbp_p_run_can_save(r));
  int word[4]; /* whether to end, why, whether to write a checkpoint, steps until the next pause */
  word[0] = complete;
  word[1] = LBP_END_COMPLETE;
  if (r->rank == 0 && !complete) {
    if (lbp_runner_is_stopped(run)) word[0] = 1, word[1] = LBP_END_STOPPED;
    else if (late || r->given_up) word[0] = 1, word[1] = LBP_END_OUT_OF_TIME;
    else if (lbp_runner_converged(r)) word[0] = 1, word[1] = LBP_END_CONVERGED;
  }
  /* also when the files of draws are new, so that who starts again after a kill does not begin again */
  word[2] = run->checkpoint && can_save &&
            (word[0] || r->step == run->warmup || now - r->saved >= run->checkpoint_seconds);
  word[3] = (int)r->stride;
  lbp_runner_agree(r);
  lbp_runner_tell(r, word, sizeof word);
  if (run->rhat > 0) lbp_runner_tell(r, &r->judged, sizeof r->judged); /* the next look is a stop of all processes */
  r->result->ended = word[1];
  r->stride = (uint32_t)word[3];
  if (r->result->status == LBP_OK && word[2]) lbp_runner_save(r);
  if (!word[0]) lbp_runner_progress(r, 0);
  return r->result->status != LBP_OK || word[0];
}

/* From where the run is to its end. */
LBP_COLD int lbp_runner_go(lbp_runner *r) {
  const lbp_run *run = r->run;
  const uint64_t most = (UINT64_MAX - run->warmup) / run->thin, draws = run->draws < most ? run->draws : most;
  const uint64_t asked = run->warmup + draws * run->thin, end = asked < r->step ? r->step : asked;
  int ended = 0;
  uint32_t k;
  r->since = lbp_run_now();
  r->caught_up = r->since_step = r->step;
  if (run->warmup == 0 && !r->result->resumed) lbp_p_run_end_warmup(r);
  else if (lbp_runner_is_warm(r)) lbp_runner_write_config(r, 0);
  if (r->result->resumed && run->rhat > 0 && r->step < end) ended = lbp_p_run_pause(r, 0);
  while (!ended && r->step < end) {
    const uint64_t front = lbp_p_run_front(r), to = lbp_p_run_next_stop(r, front, end);
    const double begin = lbp_run_now();
    lbp_runner_take_steps(r, to);
    lbp_runner_look_at_faults(r);
    if (lbp_runner_agree(r) != LBP_OK) break;
    if (r->tracked) lbp_runner_anneal_note(r);
    lbp_runner_pace(r, to - front, lbp_run_now() - begin);
    if (r->given_up) {
      ended = lbp_p_run_pause(r, 0);
      continue;
    }
    if (to <= r->step) { /* as far as a run before this one */
      r->since = lbp_run_now();
    } else if (lbp_p_run_take_up(r, to) == LBP_OK) {
      if (r->step == run->warmup) lbp_p_run_end_warmup(r);
      else if (lbp_runner_next_ladder(r, r->step - 1) == r->step) lbp_runner_set_ladder(r);
    }
    ended = lbp_p_run_pause(r, r->step == end);
  }
  if (!ended && r->result->status == LBP_OK) lbp_p_run_pause(r, 1);
  for (k = 0; k < r->c.count; k++) lbp_chains_settled(&r->c, k);
  return lbp_runner_agree(r);
}

/* A chain, its largest log pi, and the unit that has had it; the larger comes first, of equals the earlier chain. */
typedef struct {
  double logp;
  uint32_t chain, unit;
} lbp_p_best;

LBP_COLD int lbp_p_run_better(const void *a, const void *b) {
  const lbp_p_best *left = (const lbp_p_best *)a, *right = (const lbp_p_best *)b;
  if (left->logp != right->logp) return left->logp > right->logp ? -1 : 1;
  return left->chain < right->chain ? -1 : 1;
}

/* The best states, best first. */
LBP_COLD int lbp_p_run_report_best(lbp_runner *r) {
  lbp_run_result *result = r->result;
  const uint32_t chains = r->run->chains;
  lbp_p_best *best = (lbp_p_best *)lbp_runner_alloc(r, chains, sizeof *best);
  lbp_unit *look = r->run->best_states > 0 ? lbp_runner_spare(r) : NULL; /* hits go by log pi, to the bit */
  uint32_t k, unit;
  for (k = 0; best && k < chains; k++) {
    best[k].chain = k;
    best[k].unit = k * r->members;
    for (unit = best[k].unit; unit < (k + 1) * r->members; unit++) { /* of equals the coldest */
      if (r->best_logp[unit] > r->best_logp[best[k].unit]) best[k].unit = unit;
    }
    best[k].logp = r->best_logp[best[k].unit];
    if (!look || !lbp_is_finite(best[k].logp)) continue;
    lbp_runner_unpack(r, r->best + (size_t)best[k].unit * r->packed, look->x);
    r->c.kernel->touch(look);
    best[k].logp = r->c.kernel->logp(look, r->c.model);
  }
  lbp_runner_drop_spare(r, look);
  if (best) qsort(best, chains, sizeof *best, lbp_p_run_better);
  for (k = 0; best && k < chains; k++) {
    result->best_logp[k] = best[k].logp;
    lbp_runner_unpack(r, r->best + (size_t)best[k].unit * r->packed, result->best + (size_t)k * r->n * r->item);
  }
  free(best);
  return result->status;
}

/* Whether draws are from half of the states: R is the same in all steps, and keeps a parity, or turns it in each of an
 * even number of steps; so few that are not accepted don't help, nor so few clusters that are neither single sites nor
 * all `open` ones. */
LBP_COLD int lbp_p_run_has_parity(const lbp_runner *r, double open) {
  const lbp_run_result *result = r->result;
  const double steps = (double)result->draws * r->run->thin;
  const int tuned = !(r->c.plan.setting[0] > 0) && result->parameter_name;
  double others = 1 - result->accept;
  if (tuned && result->parameter != 1) return 0; /* 1 is the least to tune to */
  if (r->parity != LBP_PARITY_TURNED) return r->parity == LBP_PARITY_KEPT;
  if (r->c.plan.sampler->traits & LBP_TRAIT_CLUSTER) {
    const double larger = result->jump - 1, smaller = 1 - result->jump / open;
    others += larger > 0 && smaller > 0 ? larger < smaller ? larger : smaller : 0;
  }
  return r->run->thin % 2 == 0 && others * steps < LBP_LEAST_ESS;
}

/* Sets the warnings. */
LBP_COLD void lbp_p_run_warn(lbp_runner *r) {
  const lbp_run *run = r->run;
  lbp_run_result *result = r->result;
  const unsigned traits = r->c.plan.sampler->traits;
  const double few = LBP_LEAST_ESS * (double)result->chains, open = r->n - r->c.plan.clamped; /* sites that may move */
  const double fixed = r->c.plan.setting[0];
  uint32_t v, k;
  if (result->draws == 0) {
    result->warnings = run->draws > 0 ? LBP_WARN_NO_DRAWS : lbp_runner_wastes_lanes(r) ? LBP_WARN_FEW_LANES : 0;
    return;
  }
  for (v = 0; v < result->rows; v++) {
    const lbp_run_row *row = &result->row[v];
    if (row->rhat_status == LBP_E_CONSTANT) continue;
    if (row->rhat_status == LBP_E_EQUAL_CHAINS) {
      result->warnings |= LBP_WARN_EQUAL_CHAINS;
      continue;
    }
    if (row->rhat_status != LBP_OK || row->rhat > LBP_MOST_RHAT) result->warnings |= LBP_WARN_RHAT;
    if (row->ess_bulk_status != LBP_OK || row->ess_bulk < few) result->warnings |= LBP_WARN_ESS;
    if (row->ess_tail_status == LBP_OK && row->ess_tail < few) result->warnings |= LBP_WARN_ESS;
  }
  if (result->jump == 0 || result->accept < 0.01) result->warnings |= LBP_WARN_STUCK;
  if (result->row[0].mean_status == LBP_E_DRAW_NOT_FINITE) result->warnings |= LBP_WARN_IMPOSSIBLE;
  if ((traits & LBP_TRAIT_PARITY) && lbp_p_run_has_parity(r, open)) result->warnings |= LBP_WARN_PARITY;
  if ((traits & (LBP_TRAIT_SITES | LBP_TRAIT_PATH)) == LBP_TRAIT_SITES && fixed == 0 && open > 2 &&
      result->parameter > 0.75 * open) {
    result->warnings |= LBP_WARN_ALL_SITES; /* of two sites R is 1.5 at most */
  }
  if ((traits & LBP_TRAIT_METROPOLIS) && open > 1 && result->jump > 0.9 * open) result->warnings |= LBP_WARN_ALL_SITES;
  if (result->tuner_status != LBP_OK) result->warnings |= LBP_WARN_UNTUNED;
  for (k = 0; k + 1 < result->rungs; k++) {
    if (lbp_runner_hardly_swaps(result, k)) result->warnings |= LBP_WARN_SWAPS;
  }
  if (lbp_runner_stays(r)) result->warnings |= LBP_WARN_ROUND_TRIPS;
  if (lbp_runner_wastes_lanes(r)) result->warnings |= LBP_WARN_FEW_LANES;
  if (2 * r->logp_error * r->ladder[0] > LBP_MOST_ROUNDING) result->warnings |= LBP_WARN_ROUNDING;
}

/* Writes the value of `of` for each unit to excess, which is free at this time, in all processes. */
LBP_COLD void lbp_p_run_ask(lbp_runner *r, int (*of)(lbp_runner *r, uint32_t unit)) {
  uint32_t k;
  for (k = 0; k < r->c.count; k++) r->excess[r->c.first + k] = of(r, k);
  lbp_runner_share(r, lbp_runner_first, r->excess, sizeof *r->excess);
}
LBP_COLD int lbp_p_run_blocked(lbp_runner *r, uint32_t k) {
  return r->memory[k].blocked || r->c.kernel->blocked(lbp_chains_unit(&r->c, k));
}
LBP_COLD int lbp_p_run_tuner(lbp_runner *r, uint32_t k) {
  return r->c.kernel->tuner_status(lbp_chains_tuner(&r->c, k));
}
/* of a random R: as of its least; of a tuner's: as if of 1 */
LBP_COLD int lbp_p_run_parity(lbp_runner *r, uint32_t k) {
  const double fixed = r->c.plan.setting[0];
  const uint32_t whole = (uint32_t)fixed, R = fixed < 1.5 ? 1 : fixed > whole ? (uint32_t)(fixed - 0.5) : whole;
  if (r->c.kernel->parity) return r->c.kernel->parity(lbp_chains_unit(&r->c, k), r->c.model, &r->c.plan, R);
  return fixed > whole ? LBP_PARITY_FREE : R % 2 == 0 ? LBP_PARITY_KEPT : LBP_PARITY_TURNED;
}

/* Whether steps were refused; the status of the first tuner that has not converged; and the effect of steps on
 * the parity of the first chain, whose moves are like those of all others. */
LBP_COLD void lbp_p_run_ask_kernel(lbp_runner *r) {
  const lbp_kernel *kernel = r->c.kernel;
  uint32_t k;
  if (kernel->blocked) lbp_p_run_ask(r, lbp_p_run_blocked);
  for (k = 0; kernel->blocked && k < r->units; k++) r->result->blocked |= r->excess[k] > 0;
  if (kernel->tuner_status && lbp_runner_is_warm(r)) {
    lbp_p_run_ask(r, lbp_p_run_tuner);
    for (k = r->units; k > 0; k--) {
      const int status = (int)r->excess[k - 1];
      if (status != LBP_OK) r->result->tuner_status = status;
    }
  }
  if (r->c.plan.sampler->traits & LBP_TRAIT_PARITY) {
    lbp_p_run_ask(r, lbp_p_run_parity);
    r->parity = (int)r->excess[0];
  }
}

/* Writes the result. */
LBP_COLD int lbp_runner_report(lbp_runner *r) {
  lbp_run_result *result = r->result;
  const uint32_t chains = r->run->chains;
  const double draws = (double)lbp_runner_drawn(r) * chains, tries = lbp_runner_tries(r);
  uint32_t k, v;
  result->draws = lbp_runner_drawn(r);
  result->seconds = lbp_runner_seconds(r);
  lbp_runner_collect(r, lbp_runner_first, r->best_logp, r->best_logp, sizeof *r->best_logp);
  lbp_runner_collect(r, lbp_runner_first, r->best, r->best, r->packed);
  lbp_runner_collect(r, lbp_runner_first, r->state, r->state, r->rungs > 1 ? r->packed : 0);
  r->singly = r->rungs > 1 && lbp_runner_moves_singly(r);
  lbp_runner_share_all(r);
  lbp_runner_report_marginals(r);
  lbp_p_run_ask_kernel(r);
  if (r->rank > 0 || r->result->status != LBP_OK) return r->result->status;
  result->kept = r->kept;
  result->sampler = r->c.plan.sampler->name;
  result->n = r->n;
  result->values = r->c.plan.values;
  result->parameter_name = r->c.plan.sampler->parameter_name;
  result->evaluation = r->c.plan.sampler->evaluation;
  result->chains = chains;
  result->rungs = r->rungs;
  result->replicas = r->members / r->rungs;
  result->rows = lbp_runner_watched(r);
  result->row = (lbp_run_row *)lbp_runner_alloc(r, result->rows, sizeof *result->row);
  result->best_logp = (double *)lbp_runner_alloc(r, chains, sizeof *result->best_logp);
  result->best = (uint8_t *)lbp_runner_alloc(r, chains, lbp_size_times(r->n, r->item));
  result->ladder = (double *)lbp_runner_alloc(r, r->rungs, sizeof *result->ladder);
  result->swaps = (double *)lbp_runner_alloc(r, r->rungs, sizeof *result->swaps);
  if (result->status != LBP_OK) return result->status;
  if (draws > 0) {
    result->accept = r->total.accept / draws;
    result->parameter = r->total.parameter / draws;
    result->jump = r->total.jump / draws;
    result->evaluations = r->total.evaluations / draws / r->run->thin;
  }
  for (v = 0; v < result->rows; v++) {
    if (draws > 0) {
      lbp_runner_describe(r, v, &result->row[v]);
    } else {
      result->row[v].name = v == 0 ? "lp__" : r->run->column[v - 1].name;
      result->row[v].mean_status = result->row[v].mcse_status = result->row[v].rhat_status = LBP_E_TOO_SHORT;
      result->row[v].ess_bulk_status = result->row[v].ess_tail_status = LBP_E_TOO_SHORT;
      result->row[v].discrete_status = LBP_E_TOO_SHORT;
    }
  }
  if (lbp_p_run_report_best(r) != LBP_OK) return result->status;
  for (k = 0; k < r->rungs; k++) {
    result->ladder[k] = r->ladder[k];
    result->swaps[k] = tries > 0 ? 1 - lbp_runner_refusals(r, k) / tries : 0;
  }
  lbp_runner_report_parts(r);
  lbp_runner_report_trips(r);
  result->log_z_status = lbp_runner_log_z(r);
  lbp_p_run_warn(r);
  return result->status;
}

/* Writes the plan of `run` to *plan, after the checks of options that NAME_run makes. Returns LBP_OK, or LBP_E_RANGE,
 * LBP_E_SIZE (options, n), LBP_E_CLAMPED (run.clamp); result->message has the sentence. */
LBP_COLD int lbp_run_plan(const lbp_run *run, const lbp_kernel *kernel, uint32_t n, lbp_plan *plan,
                          lbp_run_result *result) {
  if (lbp_runner_judge(run, n, kernel, result) != LBP_OK) return result->status;
  if (lbp_runner_plan(run, kernel, n, plan, result) != LBP_OK) return result->status;
  if (lbp_plan_clamp(plan, run->clamp) != LBP_OK) {
    return lbp_runner_fail(result, LBP_E_CLAMPED, "clamp: %s", lbp_error(LBP_E_CLAMPED));
  }
  return lbp_runner_judge_sampler(run, plan, kernel, result);
}

/* The beginning of a run: its numbers, its memory, its chains. */
LBP_COLD int lbp_runner_begin(lbp_runner *r, const lbp_run *run, const lbp_kernel *kernel, const void *model,
                              uint32_t n, lbp_run_result *result) {
  memset(r, 0, sizeof *r);
  r->result = result;
  r->locks[0] = r->locks[1] = -1;
  r->begin = r->off = r->told = r->saved = lbp_run_now();
  r->clock = time(NULL);
  if (lbp_run_plan(run, kernel, n, &r->c.plan, result) != LBP_OK) return result->status;
  r->run = run;
  r->c.kernel = kernel;
  r->c.model = model;
  r->n = n;
  r->rungs = run->tempering.rungs;
  r->members = run->tempering.rungs * run->tempering.replicas;
  r->units = run->chains * r->members;
  r->exchange = run->tempering.swap_every > 0 ? run->tempering.swap_every : run->thin;
  /* To look at all sites again is n evaluations, or for a dense model one of all log-ratios and one of log pi. */
  r->budget = kernel->rebuild_cost ? kernel->rebuild_cost(&r->c.plan) : kernel->local ? (double)n : 3.0;
  r->budget *= LBP_P_SEGMENT;
  r->item = kernel->item_bytes;
  r->packed = r->c.plan.values == 2 && r->item == 1 ? ((size_t)n + 7) / 8 : lbp_size_times(n, r->item);
  r->tuner_words = kernel->tuner_words(&r->c.plan);
  r->chain_words = kernel->chain_words ? kernel->chain_words(&r->c.plan) : 0;
  r->every = r->stride = 1;
  r->ranks = 1;
  r->gap = 1;
#if LBP_RUN_MPI
  MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &r->ranks);
#endif
  r->spread = r->members > 1 && (uint32_t)r->ranks > run->chains && lbp_runner_group(r) == 1;
  r->c.first = lbp_runner_first(r, r->rank);
  r->c.count = lbp_runner_first(r, r->rank + 1) - r->c.first;
  r->first_chain = lbp_runner_first_chain(r, r->rank);
  r->count_chain = lbp_runner_first_chain(r, r->rank + 1) - r->first_chain;
  if (r->rank == 0 && run->prefix) lbp_runner_lock(r, 0, run->prefix);
  if (r->rank == 0 && run->checkpoint) lbp_runner_lock(r, 1, run->checkpoint);
  if (lbp_runner_agree(r) == LBP_OK) lbp_p_run_make(r);
  if (lbp_runner_agree(r) == LBP_OK && run->metric) lbp_runner_read_metric(r);
  if (lbp_runner_agree(r) == LBP_OK) lbp_runner_tell_given(r);
  if (lbp_runner_agree(r) == LBP_OK && r->spread && r->parts) r->guest = lbp_runner_spare(r);
  if (lbp_runner_agree(r) == LBP_OK && r->rank == 0 && r->print) lbp_runner_fingerprint(r, 0, r->seeded);
  return lbp_runner_agree(r);
}

/* NAME_run for any kernel: see there. Also returns LBP_E_NULL, if run, kernel or result is NULL. */
LBP_P_DRIVER int lbp_run_kernel(const lbp_run *run, const lbp_kernel *kernel, const void *model, uint32_t n,
                                lbp_run_result *result) {
  lbp_signals signals;
  lbp_runner r;
  if (!run || !kernel || !result) return LBP_E_NULL;
  memset(result, 0, sizeof *result);
  if (run->signals) lbp_signals_catch(&signals);
  lbp_runner_begin(&r, run, kernel, model, n, result);
  if (result->status == LBP_OK && run->checkpoint) lbp_runner_load(&r);
  if (result->status == LBP_OK) lbp_runner_go(&r);
  if (result->status == LBP_OK) lbp_runner_report(&r);
  if (result->status == LBP_OK && r.rank == 0 && lbp_runner_settle_files(&r) == LBP_OK) {
    lbp_runner_write_tails(&r, result->seconds);
    lbp_runner_write_best(&r, run);
    lbp_runner_write_config(&r, 1);
  }
  if (r.run) lbp_runner_agree(&r);
  if (result->status == LBP_OK) {
    lbp_runner_progress(&r, 1);
    if (run->summary) lbp_run_print(result, run->summary);
  }
  if (r.run) lbp_runner_unlock(&r);
  lbp_runner_drop(&r);
  if (run->signals) lbp_signals_release(&signals, result->ended == LBP_END_STOPPED);
  return result->status;
}

LBP_EXACT_END

#endif /* LBP_GO_H */
