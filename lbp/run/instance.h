/* lbp/run/instance.h - NAME_run, NAME_ais and NAME_anneal of an instance of any template.
 *
 * Version 0.8.0. MIT licence, see LICENSE. lbp.h, lbp_ab.h and lbp_perm.h include it for an instance that lbp_run.h
 * asks for.
 */

#ifndef LBP_NAME_
#error "lbp/run/instance.h: lbp.h includes it, inside its template: don't include it yourself"
#elif defined LBP_P_KERNEL

/* Runs the chains that `run` describes, from its checkpoint if there is one. n: sites (LBP_N where that is defined), of
 * lbp_perm.h rows. Returns LBP_OK, whatever the reason to end, or what went wrong: LBP_E_RANGE, LBP_E_SIZE: options, n;
 * LBP_E_STATE: start; LBP_E_MEMORY; LBP_E_FILE; LBP_E_FORMAT: the checkpoint; LBP_E_LOGP: of a draw; LBP_E_MODEL_NAN:
 * log pi or its gradient is NaN or +infinity at a proposal; or what NAME_check finds. result->message says it in a
 * sentence. A result is to be freed by lbp_run_free either way. Chains of permutations begin in random ones, or partial
 * matchings, all equally likely, or where run.start says. */
LBP_FN int LBP_NAME_(run)(const lbp_run *run, const LBP_MODEL_T *m, uint32_t n, lbp_run_result *result) {
  const lbp_kernel kernel = LBP_P_KERNEL;
  return lbp_run_kernel(run, &kernel, m, n, result);
}

#if defined LBP_TEMPERED || defined LBP_GRADIENT || defined LBP_EXCHANGE
/* log Z by annealing run->chains chains from beta = 0, where LBP_BASE may say what is left, else all states are equally
 * likely, up run->tempering.rungs rungs, with `thin` steps on each: [N] of lbp_run.h; with tempering.resample by
 * population annealing: lbp/run/ais.h. The default sampler is a sweep: Gibbs, of groups swap sweeps, of permutations
 * sweeps of exchanges; but of dense models without LBP_DELTA and LBP_DELTAS_EXACT, whose sweeps would ask for log pi
 * once a site, the first of the table, and of lbp_ab.h with a curvature AB, which needs one. R is tuned to an eighth of
 * what can move at most. sampler, parameter, jumps, curvature, target, values, seed, chains, thin, tempering (rungs,
 * ladder, adapt, resample), check, clamp, start, stop, name, progress and summary are used, the others not; checkpoint
 * and prefix are refused. Where sites are clamped, which have the values of `start`, Z is the sum of pi over all values
 * of the others. Passes that tune R and space the rungs come first; of what they find only the best state and warnings
 * count. Returns LBP_OK or what went wrong, as NAME_run, and LBP_E_STATE where no chain begins in a possible state:
 * result->message says it in a sentence. A result is to be freed by lbp_ais_free either way. */
LBP_FN int LBP_NAME_(ais)(const lbp_run *run, const LBP_MODEL_T *m, uint32_t n, lbp_ais_result *result) {
  const lbp_kernel kernel = LBP_P_KERNEL;
  return lbp_ais_kernel(run, &kernel, m, n, result);
}

/* The best states that run->chains reads find, each of which anneals by run->annealing.sweeps steps of run->sampler
 * while beta rises: see lbp/run/anneal.h, and lbp_run for its options. By default a step is a sweep: of Metropolis,
 * with lbp_ab.h of Gibbs, of permutations of exchanges; AB needs a curvature. sampler, parameter, jumps, curvature,
 * target, together, values, seed, chains, annealing, tempering (rungs, ladder), check, start, clamp, seconds, stop,
 * name, best, prefix, checkpoint, checkpoint_seconds, progress and summary are used, the others not. result->best has
 * the best state of each read at any step, best first, result->best_logp their log pi. With `sweeps` all is a function
 * of the options, the model and the library's version; without, `seconds` are made a number of sweeps by a pilot, which
 * a checkpoint keeps, so that a search that goes on ends as it would have. Returns LBP_OK or what went wrong, as
 * NAME_run: LBP_E_RANGE, LBP_E_SIZE: options; LBP_E_STATE: start; LBP_E_MEMORY; LBP_E_FILE; LBP_E_FORMAT. */
LBP_FN int LBP_NAME_(anneal)(const lbp_run *run, const LBP_MODEL_T *m, uint32_t n, lbp_run_result *result) {
  const lbp_kernel kernel = LBP_P_KERNEL;
  return lbp_anneal_kernel(run, &kernel, m, n, result);
}
#endif

#undef LBP_P_KERNEL
#endif /* LBP_P_KERNEL */
