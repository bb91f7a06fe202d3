/* lbp_run.h - whole runs: many chains on all cores and machines, which can be killed and resumed, with files of draws
 * that other tools read; log Z; search for the best states.
 *
 * Copyright (c) 2026 the lbp authors. SPDX-License-Identifier: MIT
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs POSIX.1-2008 (with -std=c99 compile with -D_POSIX_C_SOURCE=200809L) or
 * Windows 7 (paths are UTF-8 there: lbp/base/platform.h), lbp.h, lbp_stats.h and libm. With -fopenmp chains use all
 * cores; with -DLBP_RUN_MPI=1, an MPI compiler and mpirun, all machines.
 *
 * For each template: describe the model as for its header, and include this file instead of that. For lbp.h (LBP_NAME
 * ising, LBP_MODEL_T grid; it needs LBP_TERM or LBP_LOGP, and LBP_FIELDS_MAKE and LBP_FIELDS_FREE if fields need
 * memory) this generates everything that lbp.h does, and
 *
 *   int ising_run (const lbp_run *, const grid *, uint32_t n, lbp_run_result *)              draws from pi
 *   int ising_ais (const lbp_run *, const grid *, uint32_t n, lbp_ais_result *)              log Z (LBP_TEMPERED)
 *   int ising_anneal (const lbp_run *, const grid *, uint32_t n, lbp_run_result *)           best states (LBP_TEMPERED)
 *   lbp_kernel ising_kernel (void)                                                           for your own drivers
 *
 * and likewise for categorical sites (LBP_CAT_STATES: lbp/options/cat.h), for lbp_ab.h (LBP_GRADIENT) lattice_run,
 * lattice_ais, lattice_anneal and lattice_kernel, and for lbp_perm.h (LBP_EXCHANGE) pairing_run and so on.
 *
 * A run, for example of ALBP, four chains:
 *
 *   lbp_run run;
 *   lbp_run_result result;
 *   lbp_run_init(&run);
 *   run.name = "ising";
 *   run.prefix = "out/ising";             // draws go to out/ising_1.csv ... out/ising_4.csv
 *   run.checkpoint = "out/ising.ckpt";    // killed and started again, it resumes from there
 *   run.warmup = 2000, run.draws = 10000, run.thin = 10;
 *   run.summary = stdout;                 // a table at the end
 *   if (ising_run(&run, &model, n, &result) != LBP_OK) fprintf(stderr, "%s\n", result.message);
 *   lbp_run_free(&result);
 *
 * A run without a checkpoint file starts from scratch, and overwrites existing files of draws; it removes those of a
 * run with more chains, PREFIX_5.csv, PREFIX_5_states.npy and so on. A resumed run reads its files first. It reports an
 * error if they contain other draws than it had written, and cuts everything written after its checkpoint.
 *
 * The draws depend only on the options, the model and the library's version: not on the number of threads or processes,
 * and not on interruptions. Chain k draws from stream (seed, k) wherever it runs. For this purpose every chain discards
 * all data except its state from time to time, after work equal to visiting all sites about 32 times. A run may end, or
 * write a checkpoint, after any step. It writes the state of each chain at its last discard; a resumed run takes the
 * steps since then again, without writing them. Therefore `seconds`, `stop` and `checkpoint_seconds` are exact to a
 * fraction of a second, or to a step of one chain if that is longer. A run ends with equally many steps of all chains,
 * as many as the slowest has, and abandons steps that others have begun. Steps whose length depends on a setting rather
 * than on n, those of the clock and of paths, can be abandoned in the middle. The work of an abandoned step is lost; a
 * resumed run does it again. (NAME_check, before the first step, cannot be interrupted.)
 *
 * A run locks PREFIX.lock and CHECKPOINT.lock: a second run that would write the same files fails, in any thread or
 * process. (Locks are those of open file descriptions on Linux and other systems that have them, otherwise fcntl's
 * older ones, and LockFileEx's on Windows. All are advisory, end with the process in all cases, and work over NFS if
 * its lock service does. On a file system without locks, other threads are rejected, and other processes are noticed by
 * the lengths of files.)
 *
 * With MPI every process calls ising_run with the same arguments, after MPI_Init and before MPI_Finalize. The first one
 * writes all files and has the result; the others need no file system. Only data for files cross the network.
 *
 * Chains, their tuners and steps are in lbp/run/chains.h. The parts of a run, in reading order: lbp/run/want.h, options
 * and results; runner.h, a run in progress; ladder.h, marginals.h, columns.h, schedule.h, its data; steps.h; files.h,
 * options.h, json.h, its input and output; go.h, from the beginning to the end; ais.h and anneal.h, other drivers.
 *
 * Sources: [S] Sun, Dai, Schuurmans, NeurIPS 2022, as in lbp.h; [N] Neal, "Annealed Importance Sampling", Statistics
 * and Computing 2001; [T] Syed, Bouchard-Cote, Deligiannidis, Doucet, "Non-Reversible Parallel Tempering", JRSS B 2022;
 * [K] Katzgraber, Trebst, Huse, Troyer, "Feedback-optimized parallel tempering Monte Carlo", J. Stat. Mech. 2006; [M]
 * Meng, Wong, "Simulating Ratios of Normalizing Constants via a Simple Identity", Statistica Sinica 1996.
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

#ifndef LBP_P_NO_PLATFORM /* which reports it */
#include "lbp/run/options.h"
#if !defined LBP_LINKED || defined LBP_IMPLEMENTATION
#include "lbp/run/ais.h"
#include "lbp/run/anneal.h"
#include "lbp/run/go.h"
#endif
#endif

#endif /* LBP_RUN_H */
