/* lbp/run/instance.h - NAME_run, NAME_ais and NAME_anneal of an instance of any template.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp.h, lbp_ab.h and lbp_perm.h include it for an instance of lbp_run.h.
 */

#ifndef LBP_NAME_
#error "lbp/run/instance.h: lbp.h includes it, inside its template: don't include it yourself"
#elif defined LBP_P_KERNEL

/* Runs the chains that `run` describes, from its checkpoint if there is one. n: the number of sites (LBP_N if that is
 * defined), with lbp_perm.h of rows. Chains of permutations start at random permutations or partial matchings, all
 * equally likely, or as set by run.start. Returns LBP_OK for any reason to end, or LBP_E_RANGE, LBP_E_SIZE (options,
 * n); LBP_E_STATE (start); LBP_E_MEMORY; LBP_E_FILE; LBP_E_FORMAT (the checkpoint); LBP_E_LOGP (of a draw);
 * LBP_E_MODEL_NAN (log pi or its gradient is NaN or +infinity at a proposal); or a status of NAME_check.
 * result->message has the sentence. Free the result by lbp_run_free in all cases. */
LBP_FN int LBP_NAME_(run)(const lbp_run *run, const LBP_MODEL_T *m, uint32_t n, lbp_run_result *result) {
  const lbp_kernel kernel = LBP_P_KERNEL;
  return lbp_run_kernel(run, &kernel, m, n, result);
}

#if defined LBP_TEMPERED || defined LBP_GRADIENT || defined LBP_EXCHANGE
/* Estimates log Z by annealed importance sampling ([N] of lbp_run.h): run->chains chains start at beta = 0, where
 * states have the law of LBP_BASE or else are equally likely, and go up run->tempering.rungs rungs, with `thin` steps
 * on each; with tempering.resample by population annealing, see lbp/run/ais.h. The default sampler is a sweep: Gibbs,
 * with groups swap sweeps, of permutations sweeps of exchanges. Exceptions: for dense models without LBP_DELTA and
 * LBP_DELTAS_EXACT, whose sweeps would compute log pi once a site, it is the first of the table; for lbp_ab.h with a
 * curvature it is AB. R is tuned to at most an eighth of the sites that can move. It uses the options sampler,
 * parameter, clock_jumps, curvature, target, values, seed, chains, thin, tempering (rungs, ladder, adapt, resample),
 * check_trials, clamp, start, stop, name, progress and summary, rejects checkpoint and prefix, and ignores the others.
 * Clamped sites have the values of `start`, and Z is the sum of pi over all values of the others. Passes that tune R
 * and space the rungs come first; of their results only the best state and warnings are used. Returns LBP_OK, or a
 * status of NAME_run, or LBP_E_STATE if no chain starts at a possible state; result->message has the sentence. Free the
 * result by lbp_ais_free in all cases. */
LBP_FN int LBP_NAME_(ais)(const lbp_run *run, const LBP_MODEL_T *m, uint32_t n, lbp_ais_result *result) {
  const lbp_kernel kernel = LBP_P_KERNEL;
  return lbp_ais_kernel(run, &kernel, m, n, result);
}

/* Searches for the best states by simulated annealing: run->chains reads, each of run->annealing.sweeps steps of
 * run->sampler while beta rises; see lbp/run/anneal.h, and lbp_run for its options. By default a step is a sweep:
 * Metropolis, with lbp_ab.h Gibbs, of permutations exchanges; AB needs a curvature. It uses the options sampler,
 * parameter, clock_jumps, curvature, target, batch, values, seed, chains, annealing, tempering (rungs, ladder),
 * check_trials, start, clamp, seconds, stop, name, best_states, prefix, checkpoint, checkpoint_seconds, progress and
 * summary, and ignores the others. result->best has the best state of each read at any step, best first;
 * result->best_logp has their log pi. With `sweeps`, the result depends only on the options, the model and the
 * library's version. Otherwise a pilot converts `seconds` to a number of sweeps, which a checkpoint keeps, so that a
 * resumed search ends as an uninterrupted one. A call with a checkpoint that is stopped while it looks for hot and cold
 * leaves that, and PREFIX_best.*, as they are. Returns LBP_OK, or a status of NAME_run: LBP_E_RANGE, LBP_E_SIZE
 * (options); LBP_E_STATE (start); LBP_E_MEMORY; LBP_E_FILE; LBP_E_FORMAT. */
LBP_FN int LBP_NAME_(anneal)(const lbp_run *run, const LBP_MODEL_T *m, uint32_t n, lbp_run_result *result) {
  const lbp_kernel kernel = LBP_P_KERNEL;
  return lbp_anneal_kernel(run, &kernel, m, n, result);
}
#endif

#undef LBP_P_KERNEL
#endif /* LBP_P_KERNEL */
