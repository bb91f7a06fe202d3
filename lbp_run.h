/* lbp_run.h - real runs: many chains on all cores and machines, killed and resumed, with draws that other tools read.
 *
 * Version 0.8.0. MIT licence, see LICENSE. Needs POSIX.1-2008 (with -std=c99 compile with -D_POSIX_C_SOURCE=200809L),
 * lbp.h, lbp_stats.h and libm. With -fopenmp chains use all cores; with -DLBP_RUN_MPI=1, an MPI compiler and mpirun,
 * all machines.
 *
 * The rule, whatever the template: describe the model as for its header, and include this file in the place of that.
 * For lbp.h (LBP_NAME ising, LBP_MODEL_T grid; LBP_TERM, or else LBP_LOGP is needed, and where fields need memory
 * LBP_FIELDS_MAKE and LBP_FIELDS_FREE) that generates all that lbp.h does, and
 *
 *   int ising_run (const lbp_run *, const grid *, uint32_t n, lbp_run_result *)              draws from pi
 *   int ising_ais (const lbp_run *, const grid *, uint32_t n, lbp_ais_result *)              log Z (LBP_TEMPERED)
 *   int ising_anneal (const lbp_run *, const grid *, uint32_t n, lbp_run_result *)           best states (LBP_TEMPERED)
 *   lbp_kernel ising_kernel (void)                                                           for drivers of your own
 *
 * and likewise for categorical sites (LBP_CAT_STATES: lbp/options/cat.h), for lbp_ab.h (LBP_GRADIENT)
 * lattice_run, lattice_ais, lattice_anneal and lattice_kernel, and for lbp_perm.h (LBP_EXCHANGE)
 * pairing_run and so on.
 *
 * A run, for example of ALBP, four chains:
 *
 *   lbp_run run;
 *   lbp_run_result result;
 *   lbp_run_init(&run);
 *   run.name = "ising";
 *   run.prefix = "out/ising";             // draws go to out/ising_1.csv ... out/ising_4.csv
 *   run.checkpoint = "out/ising.ckpt";    // killed and started again, it goes on from there
 *   run.warmup = 2000, run.draws = 10000, run.thin = 10;
 *   run.summary = stdout;                 // a table at the end
 *   if (ising_run(&run, &model, n, &result) != LBP_OK) fprintf(stderr, "%s\n", result.message);
 *   lbp_run_free(&result);
 *
 * A run that finds no checkpoint starts afresh, and overwrites the files of draws that are there; those that a run with
 * more chains has left, PREFIX_5.csv, PREFIX_5_states.npy and so on, it removes. One that goes on reads its files
 * first, and is refused if they hold other draws than it had written; what was written after its checkpoint is cut.
 *
 * The draws are a function of the options, the model and the library's version alone: not of the number of threads or
 * processes, and not of whether or when the run was interrupted. Chain k draws from stream (seed, k) wherever it runs.
 * To make that so, every chain forgets now and then all that it keeps but its state: after counted work, that of
 * visiting all sites about 32 times. A run may end, or write a checkpoint, after any step; what it writes is the state
 * in which each chain last forgot, and a run that goes on takes the steps since then again, without writing them. So
 * `seconds`, `stop` and `checkpoint_seconds` are kept to within a fraction of a second, or a step of one chain if that
 * is longer: a run ends with as many steps of every chain as the last one has, and gives up those that others have
 * begun. Steps whose length a setting decides and not n, those of the clock and of paths, are given up in the middle,
 * too. What a step given up has done is lost, and is done again by a run that goes on. (NAME_check, before the first
 * step, cannot be interrupted.)
 *
 * While it runs, PREFIX.lock and CHECKPOINT.lock are locked: a second run that would write the same files is refused,
 * in whatever thread or process. (Locks of open file descriptions on Linux and where else they exist, fcntl's older
 * ones elsewhere; both are advisory, end with the process, however it ends, and work over NFS where its lock service
 * does. Where a file system has none, other threads are refused, and other processes noticed by the lengths of files.)
 *
 * With MPI every process calls ising_run with the same arguments, after MPI_Init and before MPI_Finalize. The first one
 * writes all files and has the result; the others need no file system. What crosses the network is what is written.
 *
 * Chains themselves, their tuners and steps are lbp/run/chains.h's. What a run is made of, in the order to read it:
 * lbp/run/want.h, options and results; runner.h, a run in progress; ladder.h, marginals.h, columns.h, schedule.h, what
 * it knows; steps.h; files.h, options.h, json.h, what it writes and reads; go.h, from the beginning to the end; ais.h
 * and anneal.h, other drivers.
 *
 * Sources: [S] Sun, Dai, Schuurmans, NeurIPS 2022, as in lbp.h; [N] Neal, "Annealed Importance Sampling", Statistics
 * and Computing 2001; [T] Syed, Bouchard-Cote, Deligiannidis, Doucet, "Non-Reversible Parallel Tempering", JRSS B 2022;
 * [K] Katzgraber, Trebst, Huse, Troyer, "Feedback-optimized parallel tempering Monte Carlo", J. Stat. Mech. 2006;
 * [M] Meng, Wong, "Simulating Ratios of Normalizing Constants via a Simple Identity", Statistica Sinica 1996.
 */

/* The instance, which makes its kernel, and NAME_run of it. */
#if defined LBP_GRADIENT && defined LBP_EXCHANGE
#error "lbp_run.h: LBP_GRADIENT is for lbp_ab.h, LBP_EXCHANGE for lbp_perm.h: define one of them"
#endif
#if defined LBP_TERM && (defined LBP_GRADIENT || defined LBP_EXCHANGE)
#error "lbp_run.h: LBP_TERM is for lbp.h: define neither LBP_GRADIENT nor LBP_EXCHANGE next to it"
#endif
#define LBP_P_RUN 1
#include "lbp/run/front.h"
#if defined LBP_GRADIENT
#include "lbp_ab.h"
#elif defined LBP_EXCHANGE
#include "lbp_perm.h"
#else
#include "lbp.h"
#endif
#undef LBP_P_RUN

/* ==== support: once per translation unit ========================================================================== */

#ifndef LBP_RUN_H
#define LBP_RUN_H

#include "lbp/run/options.h"
#if !defined LBP_LINKED || defined LBP_IMPLEMENTATION
#include "lbp/run/ais.h"
#include "lbp/run/anneal.h"
#include "lbp/run/go.h"
#endif

#endif /* LBP_RUN_H */
