/* lbp_run.h - real runs: many chains on all cores and machines, killed and resumed, with draws that other tools read.
 *
 * Version 0.8.0. MIT licence, see LICENSE. Needs POSIX.1-2008 (with -std=c99 compile with -D_POSIX_C_SOURCE=200809L),
 * lbp.h, lbp_stats.h and libm. With -fopenmp chains use all cores; with -DLBP_RUN_MPI=1, an MPI compiler and mpirun,
 * all machines.
 *
 * The rule, whatever the template: describe the model as for its header, and include this file in the place of that.
 * For lbp.h (LBP_NAME ising, LBP_MODEL_T grid; LBP_LOGP is needed, and where fields need memory LBP_FIELDS_MAKE and
 * LBP_FIELDS_FREE) that generates all that lbp.h does, and
 *
 *   int ising_run (const lbp_run *, const grid *, uint32_t n, lbp_run_result *)              draws from pi
 *   int ising_ais (const lbp_run *, const grid *, uint32_t n, lbp_ais_result *)              log Z (LBP_TEMPERED)
 *   int ising_anneal (const lbp_run *, const grid *, uint32_t n, lbp_run_result *)           best states (LBP_TEMPERED)
 *   lbp_kernel ising_kernel (void)                                                           for drivers of your own
 *
 * and likewise for categorical sites (LBP_CAT_STATES: lbp_cat.h), for lbp_ab.h (LBP_AB_NAME lattice ...) lattice_run,
 * lattice_ais, lattice_anneal and lattice_kernel, and for lbp_perm.h (LBP_PERM_NAME pairing ...) pairing_run and so on.
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
 * A run that finds no checkpoint begins anew, and overwrites the files of draws that are there; those that a run with
 * more chains has left, PREFIX_5.csv, PREFIX_5_states.npy and so on, it removes. One that goes on reads its files
 * first, and is refused if they hold other draws than it had written; what was written after its checkpoint is cut.
 *
 * The draws are a function of the options, the model and the library's version alone: not of the number of threads or
 * processes, and not of whether or when the run was interrupted. Chain k draws from stream (seed, k) wherever it runs.
 * To make that so, every chain forgets now and then all that it keeps but its state: after counted work, that of
 * looking at all sites some 32 times. A run may end, or write a checkpoint, after any step; what it writes is the state
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
 * Chains themselves, their tuners and steps are lbp_chains.h's. In this file's order: what to run and what comes of
 * it; a run in progress; processes; where a run is; steps; lbp_run_ladder.h; draws, lbp_run_marginals.h,
 * lbp_run_columns.h, lbp_run_files.h; the run from its beginning to its end; lbp_ais.h, lbp_anneal.h,
 * lbp_run_options.h, lbp_run_json.h.
 *
 * Sources: [S] Sun, Dai, Schuurmans, NeurIPS 2022, as in lbp.h; [N] Neal, "Annealed Importance Sampling", Statistics
 * and Computing 2001; [T] Syed, Bouchard-Cote, Deligiannidis, Doucet, "Non-Reversible Parallel Tempering", JRSS B 2022;
 * [K] Katzgraber, Trebst, Huse, Troyer, "Feedback-optimized parallel tempering Monte Carlo", J. Stat. Mech. 2006;
 * [M] Meng, Wong, "Simulating Ratios of Normalizing Constants via a Simple Identity", Statistica Sinica 1996.
 */

/* The instance, which makes its kernel, and NAME_run of it. */
#if defined LBP_NAME + defined LBP_AB_NAME + defined LBP_PERM_NAME > 1
#error "lbp_run.h: one instance at a time: LBP_NAME, LBP_AB_NAME or LBP_PERM_NAME"
#endif
#define LBP_P_RUN 1
#if defined LBP_AB_NAME
#include "lbp_ab.h"
#elif defined LBP_PERM_NAME
#include "lbp_perm.h"
#else
#include "lbp.h"
#endif
#undef LBP_P_RUN

/* ==== support: once per translation unit ========================================================================== */

#ifndef LBP_RUN_H
#define LBP_RUN_H

#if defined __STRICT_ANSI__ && !defined _POSIX_C_SOURCE && !defined _XOPEN_SOURCE && !defined _GNU_SOURCE
#error "lbp_run.h: needs POSIX; with -std=c99 and the like, compile with -D_POSIX_C_SOURCE=200809L"
#endif

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined _OPENMP
#include <omp.h>
#endif

#include "lbp_chains.h"
#include "lbp_stats.h"

/* 1: chains are spread over the processes of MPI_COMM_WORLD. */
#ifndef LBP_RUN_MPI
#define LBP_RUN_MPI 0
#endif
#if LBP_RUN_MPI
#include <mpi.h>
#endif

/* Of all chains and columns, the first process keeps up to twice so many draws for R-hat and the like: 8 bytes each, in
 * memory and in checkpoints. */
#ifndef LBP_RUN_KEPT
#define LBP_RUN_KEPT (1u << 23)
#endif

/* ---- what to run ------------------------------------------------------------------------------------------------- */

/* Where states go: nowhere; into the CSV, a column for each site; into PREFIX_K_states.npy, a row for each draw: bits,
 * if sites have two values (numpy.unpackbits(a, axis=1)[:, :n] unpacks them), else whole numbers; to run.take alone. */
enum { LBP_STATES_NONE, LBP_STATES_CSV, LBP_STATES_NPY, LBP_STATES_TAKEN };

/* Marginals of all sites: none; how often they have each value in draws, of all chains; or means over draws of pi(x_i =
 * v | all other sites) (Rao-Blackwell), which have smaller errors, and say what these are. */
enum { LBP_MARGINALS_NONE, LBP_MARGINALS_COUNTED, LBP_MARGINALS_CONDITIONAL };

/* How inverse temperatures rise while a run anneals: by equal steps, or by equal factors. */
enum { LBP_SCHEDULE_LINEAR, LBP_SCHEDULE_GEOMETRIC };

/* A statistic to watch: a column of the CSV and a row of the summary. `value` gets its own column and a state, and may
 * be called for several chains at once; with a checkpoint for other possible states, too, by which it is known again:
 * one that has changed under its old name is refused. (Where a kernel of your own has items of 2 or 4 bytes, here and
 * below x points to these, and `n bytes` are n items.) */
typedef struct lbp_run_column lbp_run_column;
struct lbp_run_column {
  const char *name; /* letters, digits, '_' and '.'; no two the same; no "__" at the end, which is Stan's; with
                       LBP_STATES_CSV no "x." and a digit first, as sites have */
  double (*value)(const lbp_run_column *column, const uint8_t *x, uint32_t n);
  const void *data; /* yours */
  uint32_t site;    /* yours */
};

/* The mean over sites; of zeros and ones the share of ones: a magnetisation. */
LBP_FN double lbp_run_ones(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  uint64_t ones = 0; /* of 256 values and 2^24 sites 32 bits are too few */
  uint32_t i;
  (void)column;
  for (i = 0; i < n; i++) ones += x[i];
  return (double)ones / n;
}

/* One site, column->site. */
LBP_FN double lbp_run_site(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return column->site < n ? x[column->site] : 0;
}

/* The Hamming distance to a state, n bytes at column->data. */
LBP_FN double lbp_run_distance(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  const uint8_t *reference = (const uint8_t *)column->data;
  uint32_t i, distance = 0;
  for (i = 0; i < n; i++) distance += x[i] != reference[i];
  return distance;
}

LBP_FN int lbp_p_run_reads_bytes(const lbp_run_column *column) {
  return column->value == lbp_run_ones || column->value == lbp_run_site || column->value == lbp_run_distance;
}

/* Values of a draw, before those of the columns: log pi; of the steps since the last one the means of acceptance
 * probability, of R (or sigma, s, time), of evaluations and of distances moved. */
enum { LBP_TAKE_LOGP, LBP_TAKE_ACCEPT, LBP_TAKE_R, LBP_TAKE_EVALUATIONS, LBP_TAKE_JUMP, LBP_TAKE_VALUES };

/* What to run. lbp_run_init sets the defaults, in brackets. Options marked * decide what is drawn: a checkpoint with
 * others is refused. Strings and arrays must outlive the run.
 *
 * All callbacks, the model's and those below, must return: a C++ exception or longjmp that leaves NAME_run by one loses
 * the run's memory, and keeps its files open and locked; from a thread of OpenMP it ends the program. To end a run from
 * a callback, catch the exception in it, keep it (std::exception_ptr), set `stop` by lbp_run_stop, and rethrow after
 * NAME_run has returned. */
struct lbp_run {
  /* the sampler */
  int sampler;       /* * of lbp.h: LBP_SAMPLER_LBP [that], _GWG, _RWM, _GIBBS, _METROPOLIS, _SKIP_GIBBS,
                        _SKIP_METROPOLIS, _CLOCK, _PATH; with LBP_GROUP: LBP_SAMPLER_SWAP [that], _SWAP_PATH,
                        _KAWASAKI, _SWAP_SWEEP; of lbp_ab.h: LBP_SAMPLER_AB [that], _DLP, _RWM, _GIBBS; of lbp_perm.h:
                        LBP_SAMPLER_ROW [that], _PAIRS, _EXCHANGE. A step of Gibbs, Metropolis or EXCHANGE is a sweep */
  double R;          /* * sites per step: a whole number, or the mean of a random R; [0: tuned during warm-up; of paths
                        about 4, or n / 16 if that is more, up to a million, swaps half as many] */
  double sigma;      /* * of lbp_ab.h's DLP and RWM: the scale; [0: tuned during warm-up] */
  double time;       /* * of the clock: of a step; [0: tuned during warm-up] */
  double jumps;      /* * of the clock: a step, to tune time to [0: 4, of local models n / 16 if that is more] */
  const void *curvature; /* * of lbp_ab.h's AB: a NAME_curvature that all chains use, maybe of a Hessian [NULL: each
                        estimates its own in its warm-up, for which NAME_adaptive_bytes(n) bytes are needed] */
  double target;     /* * acceptance rate to tune to [0: 0.574 for LBP, GWG and DLP, 0.234 for RWM] */
  const char *metric; /* * of NAME_run: a PREFIX_metric.json of an earlier run, whose chain k, and of fewer the next
                        from the first again, has tuned what chain k takes: R, sigma, time, a shift, a curvature, and
                        the ladder; but R, sigma, time and ladder that are given here come first. Nothing is tuned
                        then: a warm-up, if any, is of the states [NULL: tuned during warm-up] */
  int shared;        /* * whether all chains share one tuner [0: each its own]; then they take warm-up steps in step */
  uint32_t together; /* * of LBP_SAMPLER_LBP or _SWAP with LBP_DELTAS_MANY: chains, with tempering replicas of a chain,
                        that ask the model at the same time, up to 128 [0: each by itself] */
  uint32_t values;   /* * of lbp_ab.h without LBP_AB_STATES: a site is 0 ... values - 1 [0: refused there] */
  uint64_t seed;     /* * [1] */
  uint32_t chains;   /* * [4] */
  uint32_t warmup;   /* * steps before the first draw, while R and the ladder are tuned [1000] */
  uint64_t draws;    /* of each chain [1000]; may be larger when a run is resumed */
  uint32_t thin;     /* * steps per draw [1] */
  uint32_t check;    /* trials of NAME_check before anything else, at the first chain's start [1]; 0: none */
  void (*start)(const void *start_data, uint32_t chain, uint8_t *x, uint32_t n); /* sets x; [NULL: uniform] */
  const void *start_data;
  const uint8_t *clamp; /* * n bytes: sites where they are not 0 never move, in all chains, and the others are drawn
                        given these [NULL: all move]. Needs LBP_CLAMPED, with lbp_ab.h LBP_AB_CLAMPED, and `start`,
                        which gives clamped sites their values, the same in all chains; it finds x at random, and may
                        leave the others so */

  /* parallel tempering, for instances with LBP_TEMPERED */
  uint32_t rungs;      /* * replicas of each chain [1: no swaps]; draws are from the first, at ladder[0], of one too */
  const double *ladder; /* * their inverse temperatures, falling [NULL: 1 to 0, evenly] */
  int adapt_ladder;    /* * whether warm-up spaces them so that all pairs swap equally often [1] */
  uint32_t exchange;   /* * steps between swaps, a divisor of thin [0: thin] */
  int adapt_ends;      /* * for search: whether warm-up finds the ends of the ladder by log-ratios d at its coldest
                          states: beta |d| is log 100 for the smallest that matter, but beta not below ladder[0], or 1;
                          without `ladder` it is log 2 for the largest at the hot end, else that is kept. Draws are
                          then from pi^result.ladder[0], and log Z is of that [0] */
  double resample;     /* of NAME_ais: population annealing, see lbp_ais.h: chains are resampled as soon as their
                          effective number falls below this share of a population, 1: at every rung [0: never] */

  /* annealing, NAME_anneal alone */
  uint64_t sweeps;     /* * steps of a chain, which is a read [0: what `seconds` are good for, or 1000 without these] */
  int schedule;        /* * LBP_SCHEDULE_LINEAR [that], _GEOMETRIC: beta from `hot` to `cold`; or `ladder` has its
                          `rungs` values, the last one first, for as many steps each */
  double hot, cold;    /* * [0: found from the model's log-ratios; where `cold` is, the last 32nd of all steps quench,
                          at ten times that] */
  double R_end;        /* * R at the last step, to which it goes from R by equal factors [0: R, which is tuned where it
                          is not given] */

  /* when to stop, beside after `draws` */
  double seconds;    /* of wall time in this call [0: no limit]; one that goes on gets at least a step further, if
                        that takes no longer than this */
  double rhat;       /* as soon as every column has at most this R-hat [0: never], and ... */
  double ess;        /* ... at least this bulk ESS, and tail ESS if there are tails, over all chains [0]. Both are of
                        the draws that are kept, up to 2047 a chain, see LBP_RUN_KEPT; for a target above 1024 a chain
                        they are multiplied by how much more all draws tell of the column's mean, by batch means */
  const volatile sig_atomic_t *stop; /* when it is not 0, say after a signal; other threads set it by lbp_run_stop
                        [NULL] */

  /* what is kept */
  const char *name;   /* * of the model ["lbp"] */
  const char *prefix; /* draws go to PREFIX_1.csv ..., options to PREFIX_config.json, what was tuned to
                        PREFIX_metric.json: see lbp_run_json.h; its folder must be there [NULL: nowhere] */
  const lbp_run_column *column; /* statistics beside lp__ */
  uint32_t columns;   /* * their number, up to 1000 [0] */
  int states;         /* * LBP_STATES_NONE [that], _CSV, _NPY, _TAKEN */
  int marginals;      /* * LBP_MARGINALS_NONE [that]; _COUNTED: 4 n bytes a chain, up to 2^32 - 1 draws; _CONDITIONAL: a
                         look at all sites a draw, 136 n bytes a chain. Where sites have S > 2 values S times these */
  int digits;         /* * significant digits in the CSV, 1 to 17 [8] */
  uint32_t best;      /* of NAME_run, NAME_anneal: up to so many of result.best that differ, at most one a chain, go to
                        PREFIX_best.npy, rows as of LBP_STATES_NPY, and PREFIX_best.csv: rank, log pi, of how many
                        chains it is the best; result.hits and .different are counted, too [0] */
  const char *checkpoint;    /* a file; [NULL: none]. If it is there, the run goes on from it. A symbolic link is
                        replaced by a file, not followed */
  double checkpoint_seconds; /* between checkpoints [600]; there is one at the end, too */
  void (*take)(void *take_data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x); /* gets each
                        draw, in the first process, not in two threads at once; those of a chain in their order, `draw`
                        counting from 0, but those before a resumption. values[]: LBP_TAKE_LOGP and the like, then the
                        columns'; x: the state, n bytes, to be read until it returns, or with LBP_STATES_NONE
                        NULL [NULL] */
  void *take_data;

  /* what is told */
  FILE *progress; /* how far it is, on a terminal in one line, else in lines ever more seldom [NULL]; stderr, say */
  void (*tell)(void *tell_data, const char *line, int last); /* in its place: gets the line up to twice a second, in the
                     first process and the thread that has called; `last`: there will be no other [NULL] */
  void *tell_data;
  FILE *summary;  /* a table at the end, and what to do if it is not to be trusted [NULL]; stdout, say */
};

/* Sets all options to their defaults. */
LBP_FN void lbp_run_init(lbp_run *run) {
  memset(run, 0, sizeof *run);
  run->sampler = LBP_SAMPLER_DEFAULT;
  run->seed = 1;
  run->chains = 4;
  run->warmup = 1000;
  run->draws = 1000;
  run->thin = run->rungs = run->check = 1;
  run->adapt_ladder = 1;
  run->name = "lbp";
  run->digits = 8;
  run->checkpoint_seconds = 600;
}

/* Why a run ended. */
enum {
  LBP_END_COMPLETE,    /* it has all its draws */
  LBP_END_CONVERGED,   /* rhat and ess are what was asked for */
  LBP_END_OUT_OF_TIME, /* `seconds` are over */
  LBP_END_STOPPED      /* *stop is not 0 */
};

/* What is known of a column. Statuses are LBP_OK or why there is no number (lbp_error has the sentence). */
typedef struct {
  const char *name;
  int mean_status, mcse_status, rhat_status, bulk_status, tail_status, discrete_status;
  double mean, mcse;            /* of all draws */
  double sd, q5, median, q95;   /* of the draws kept for diagnostics, as all that follows */
  double rhat, bulk, tail;      /* rank-normalised split R-hat; effective sample sizes over all chains */
  lbp_frequencies discrete;     /* of whole numbers: the most frequent one and the entropy */
} lbp_run_row;

/* What of a run that ended well is not to be trusted: bits of lbp_run_result's doubts. lbp_run_advice has a sentence
 * for each. */
enum {
  LBP_DOUBT_APART = 1,       /* an R-hat above LBP_MOST_RHAT, or none to be had */
  LBP_DOUBT_SHORT = 2,       /* fewer effective samples than LBP_LEAST_ESS a chain */
  LBP_DOUBT_STUCK = 4,       /* hardly a move is accepted */
  LBP_DOUBT_PARITY = 8,      /* R is fixed, and even or all that can move, or thin is even and all is accepted: half of
                                the states are never drawn */
  LBP_DOUBT_SWAPS = 16,      /* a pair of rungs that swaps less often than LBP_LEAST_SWAPS */
  LBP_DOUBT_IMPOSSIBLE = 32, /* draws whose log pi is -infinity */
  LBP_DOUBT_ALL_OVER = 64,   /* R was tuned to nearly n, or Metropolis sweeps flip nearly all: over and back */
  LBP_DOUBT_NO_DRAWS = 128,  /* the run ended before the first draw, though draws were asked for */
  LBP_DOUBT_UNTUNED = 256,   /* a tuner has not found what it was looking for: tuner_status says why */
  LBP_DOUBT_TURNOVER = 512,  /* no round trip of a replica, where LBP_MANY_TRIPS or more should have been */
  LBP_DOUBT_REACH = 1024,    /* log Z is of all possible states, and moves may not lead to all of these */
  LBP_DOUBT_EQUAL = 2048,    /* two chains have the same draws */
  LBP_DOUBT_ROUNDING = 4096  /* steps go by differences of a log pi that is so large that float moves them by more than
                                LBP_MOST_ROUNDING; or of annealing, rounding hides what its cold end tells apart */
};

/* What doubts go by: the R-hat up to which chains are taken to agree; effective samples a chain; a share of swaps;
 * round trips of all chains that should have been. */
#define LBP_MOST_RHAT   1.01
#define LBP_LEAST_ESS   100.0
#define LBP_LEAST_SWAPS 0.02
#define LBP_MANY_TRIPS  10.0

/* How far rounding may move a log-ratio at the chain's temperature. */
#define LBP_MOST_ROUNDING 1e-3

/* What to do about one of them: sentences on lines of up to 78 characters, which begin with two spaces from the second
 * on. */
LBP_FN const char *lbp_run_advice(unsigned doubt) {
  switch (doubt) {
    case LBP_DOUBT_APART:
      return "R-hat above 1.01: the chains do not agree on the law yet, so trust no number\n"
             "  here. Run longer (warmup, draws, thin), or temper (rungs).";
    case LBP_DOUBT_SHORT:
      return "Fewer than 100 effective samples a chain: errors and R-hat are guesses. Run\n"
             "  longer (draws, thin), or try another sampler.";
    case LBP_DOUBT_STUCK:
      return "Hardly a move is accepted. If some states are impossible, a path goes round\n"
             "  them (LBP_SAMPLER_PATH), if single flips connect the others at all; else give\n"
             "  a smaller R, or let it be tuned (R = 0).";
    case LBP_DOUBT_PARITY:
      return "From draw to draw an even number of moves, or all that can be made: half of\n"
             "  the states, of an odd number of ones, say, are never drawn. Let R be tuned\n"
             "  (R = 0), give half of one more, which is random, or an odd R and thin.";
    case LBP_DOUBT_SWAPS:
      return "Rungs that hardly ever swap with the next: hot replicas do not help cold ones,\n"
             "  and log Z is a guess. Use more rungs, or a longer warm-up, which spaces them.";
    case LBP_DOUBT_IMPOSSIBLE:
      return "Impossible states were drawn: begin in a possible one (start), or warm up\n"
             "  longer.";
    case LBP_DOUBT_ALL_OVER:
      return "Moves turn nearly all sites over, and back: R was tuned to that, or sweeps of\n"
             "  Metropolis flip what is free. Give R, a tenth of the sites, say, or use Gibbs.";
    case LBP_DOUBT_NO_DRAWS:
      return "No draws: the run ended in its warm-up. Give it more time (seconds), or with a\n"
             "  checkpoint call it again, and it goes on.";
    case LBP_DOUBT_UNTUNED:
      return "The warm-up has found no curvature that helps, so steps are first order: right,\n"
             "  but maybe slow. Give a longer warm-up, a curvature, or use DLP or Gibbs.";
    case LBP_DOUBT_TURNOVER:
      return "Pairs of rungs swap, but no replica went from the hottest to the coldest and\n"
             "  back: hot ones do not help cold ones. Make the hot end hotter (ladder), or\n"
             "  take more steps between swaps (exchange, thin).";
    case LBP_DOUBT_REACH:
      return "Some states are impossible, and it is not known that moves lead from each of\n"
             "  the others to all of them: log Z is wrong by those that they miss. Take steps\n"
             "  of single moves (R = 1, sweeps, paths), or NAME_ais, which does not need that.";
    case LBP_DOUBT_EQUAL:
      return "Two chains have the same draws, one by one, and count as one: give each numbers\n"
             "  of its own.";
    case LBP_DOUBT_ROUNDING:
      return "Float rounds away small differences of log pi: log pi is large, or the model has\n"
             "  too large and too small terms for a cold end like this one. Use double (LBP_REAL,\n"
             "  LBP_MODELS_REAL), or subtract a constant from log pi.";
    default: return "no doubt";
  }
}

/* What a run has found. */
struct lbp_run_result {
  int status;          /* LBP_OK, or what went wrong ... */
  char message[512];   /* ... in a sentence */
  uint32_t site, other; /* if it is the model, by NAME_check or in a checked build: where ... */
  double got, want;    /* ... and the two values that should agree */
  unsigned doubts;     /* what is not to be trusted though nothing went wrong: LBP_DOUBT_APART and the like, or 0 */
  int ended;           /* LBP_END_COMPLETE and the like */
  int resumed;         /* whether it went on from a checkpoint */
  uint64_t draws;      /* of each chain, those before a resumption too */
  double seconds;      /* of warm-up and sampling, likewise */
  double accept, jump, R, evaluations; /* means per step, over all chains' draws; R: or sigma, or s of AB */
  int blocked;         /* of local models: whether a step of several flips was refused, in this call, since one of them
                          was impossible, which LBP_SAMPLER_PATH goes round; with MPI of the first process's chains */
  const char *parameter; /* what R is: "R", "sigma", "s"; NULL: there is none, as with Gibbs */
  const char *evaluation; /* what an evaluation is, as "gradients" */
  int tuner_status;    /* LBP_OK, or the first chain's reason, see LBP_DOUBT_UNTUNED; lbp_error has the sentence */
  uint64_t kept;       /* draws of each chain kept for diagnostics, evenly spaced */
  lbp_run_row *row;    /* of lp__ and the columns; NULL in all processes but the first */
  uint32_t rows;
  double *best_logp;   /* the largest log pi that each chain has drawn, largest first, and the states, n bytes each;
                          with tempering the largest that its replicas have had at swaps, too, also in warm-up */
  uint8_t *best;
  uint32_t chains;
  double *marginal;    /* with run->marginals: the share of draws in which a site is 1, of all chains, n of them; of
                          sites with S > 2 values n x S shares: site i is v in marginal[i * S + v] */
  double *marginal_se; /* of LBP_MARGINALS_CONDITIONAL: their standard errors, by batch means of all chains, honest once
                          1/16 of a chain's draws outlasts their correlation; 0 where a conditional never varies */
  int marginal_status; /* LBP_OK, or LBP_E_TOO_SHORT: fewer than 16 draws of each chain, marginal_se is NULL */
  double *ladder, *swaps; /* with tempering: inverse temperatures; how often rung k and k + 1 swapped when they tried */
  uint32_t rungs;
  uint64_t round_trips; /* then: how often a replica went from the hottest rung to the coldest and back, in all chains,
                          since the warm-up [K] */
  double round_trip_rate, round_trip_ideal; /* then: round trips a chain and round of swaps; how many they would be if
                          replicas forgot all between swaps: 1 / (2 + 2 sum of r / (1 - r)), r = 1 - swaps[k] [T] */
  int log_z_status;    /* LBP_OK, or why log_z is NaN; LBP_E_TOO_SHORT: there are no draws, or with a log_z whose error
                          is NaN one chain alone */
  uint32_t *hits;      /* of NAME_anneal, and with run->best: how many reads, or chains, have this best state; 0: it
                          stands further up */
  uint32_t different;  /* then: best states that differ from each other */
  /* of NAME_anneal, beside the best states: */
  uint64_t sweeps;     /* of a read, and ... */
  double hot, cold;    /* ... from which inverse temperature to which they went */
  double rounding;     /* how far rounding moves log-ratios at inverse temperature 1, as LBP_ROUNDING says; else 0 */
  double *last_logp;   /* where each read ended: log pi, ... */
  uint8_t *last;       /* ... and the states, n bytes each, in the order of reads */
  double *history;     /* whenever the best log pi of all reads had risen: three numbers, seconds, sweeps, log pi; of
                          this call */
  uint32_t histories;  /* so many times */
  /* with tempering: */
  double log_z, log_z_se; /* with tempering down to beta = 0: log of the sum of pi over all states, by [M] */
  double possible;     /* then: the share of states at beta = 0 that are possible; LBP_E_STATE if none was found */
  uint32_t reached, unreached; /* then, where some are not: of those that were drawn at beta = 0 and of chains' states,
                          those that are connected by single moves with the first chain's, and not; see
                          LBP_DOUBT_REACH */
  const char *sampler; /* the sampler's name ... */
  uint32_t n, values;  /* ... and what it moves: n sites with values 0 ... values - 1, or fewer */
};

/* Frees what a result holds; harmless on zeroed and freed ones. */
LBP_FN void lbp_run_free(lbp_run_result *result) {
  free(result->row);
  free(result->best_logp);
  free(result->best);
  free(result->marginal);
  free(result->marginal_se);
  free(result->ladder);
  free(result->swaps);
  free(result->hits);
  free(result->last_logp);
  free(result->last);
  free(result->history);
  result->row = NULL;
  result->best_logp = result->marginal = result->marginal_se = result->ladder = result->swaps = NULL;
  result->last_logp = result->history = NULL;
  result->hits = NULL;
  result->best = result->last = NULL;
}

/* ---- a run in progress ------------------------------------------------------------------------------------------- */

/* Draws of each chain and column that are kept for diagnostics: twice as many at most, and fewer if there are more than
 * LBP_RUN_KEPT of all chains and columns. */
enum { LBP_P_TRACE = 1024, LBP_P_TRACE_LEAST = 64 };

/* Where a replica is on its round trip: on none yet; it was at the hottest rung; then at the coldest, too. */
enum { LBP_P_NO_WAY, LBP_P_TO_COLD, LBP_P_TO_HOT };

/* Streams from here on are not those of units. */
#define LBP_P_STREAMS (UINT64_C(1) << 63)

LBP_EXACT_BEGIN

/* A chain forgets after work worth so many looks at all sites. Each look costs one more, so steps are up to 3 % slower
 * for it; and a run that goes on has up to so much to do again. */
#define LBP_P_SEGMENT 32.0

/* A unit when it last forgot, but for its state. */
typedef struct {
  lbp_rng rng;
  lbp_moves moves;
} lbp_p_memory;

/* How a run anneals. */
typedef struct {
  lbp_run *run;         /* of the runner */
  int kind, by_seconds; /* LBP_SCHEDULE_LINEAR or _GEOMETRIC; whether a pilot has found the number of sweeps */
  int quench;           /* whether the last steps do */
  double hot, cold, span; /* span: log(cold / hot) */
  const double *ladder; /* or these, rungs of them */
  uint32_t rungs;
} lbp_schedule;

typedef struct {
  const lbp_run *run;
  lbp_run_result *result;
  lbp_chains c;                      /* the units of this process: chains, or their replicas, chain * rungs + rung */
  uint32_t n, rungs, units, exchange;
  size_t tuner_words;                /* see lbp_kernel */
  size_t item, packed;               /* bytes: of an item of a state; of a state as it is kept */
  double begin, before, warming;     /* when this call began; seconds of the calls before it; seconds of warm-up */
  time_t clock;                      /* when it began, by the calendar */
  uint64_t metric;                   /* a hash of what was taken from run->metric */

  int rank, ranks;
  int spread;                        /* whether the units of a chain may be in several processes */
  uint32_t first_chain, count_chain; /* the chains whose first rung is one of them */
  double *excess, *effort;           /* of all units in all processes: log pi - log base, as of the last swaps;
                                        work since then: evaluations and steps */
  double *best_logp;                 /* the largest of each unit, at swaps, and if it is a first rung at draws ... */
  uint8_t *best;                     /* ... and the states, packed */
  uint32_t *counts;                  /* draws in which a site was 1, by unit and site; or a value v, by unit, site, v */
  double *conditional;               /* sums of conditionals, by chain: see lbp_run_marginals.h */

  /* Steps are counted from the beginning of the warm-up. All that is counted, kept or written is of `step` steps of
   * every chain; a chain that goes on from a checkpoint is behind, and takes them again. */
  uint64_t step, caught_up;          /* ... and what it was when this call began */
  uint64_t *at, *mark;               /* of each chain: steps taken; steps taken when it last forgot */
  double *work;                      /* of each chain: work since; so much as `budget`, and it forgets again */
  double budget;
  uint8_t *given;                    /* the first chain's start, packed: clamped sites have these values */
  lbp_p_memory *memory;              /* of each unit, when it last forgot ... */
  uint8_t *state;                    /* ... and its state, packed */
  double *words;                     /* of each tuner, when it last forgot; NULL without a checkpoint */
  unsigned char *lessons;            /* of all units in all processes */
  int parity;                        /* LBP_PARITY_FREE and the like, of LBP_TRAIT_PARITY: what steps do */

  /* how steps are spread over cores and time: nothing that is drawn depends on it */
  uint32_t stride;                   /* steps from one look at the clock to the next */
  double off;                        /* when the steps since the last look began */
  int given_up;                      /* whether one of these was given up, in any process: then the run ends */
  int wide;                          /* whether all cores take part in each chain, or each takes chains of its own */
  double pace[2];                    /* seconds per step of either, as measured last; 0: not yet */
  uint32_t turn, patience;           /* looks since the other way was tried, and how many it waits for ... */
  int trial;                         /* ... whether it is being tried ... */
  uint32_t usual;                    /* ... and the stride to come back to */

  /* tempering, the same in all processes once shared */
  lbp_rng *swap_rng, *swap_memory;   /* of each chain, from streams LBP_P_STREAMS on; when it last forgot */
  double *ladder, *refused;          /* refused: of each unit and the next, sums of probabilities ... */
  uint64_t counted;                  /* ... since this step */
  double *bridge;                    /* of each unit but the last rung's: log sums over draws, there and back [M] */
  uint8_t *way, *way_memory;         /* of the replica at each unit, LBP_P_TO_COLD and the like; when it last forgot */
  uint64_t *trips;                   /* of each chain: round trips since the warm-up */

  /* annealing: see lbp_anneal.h; NULL otherwise */
  double *tracked;                   /* log pi of each unit's state, by what its steps say */
  uint8_t *record;                   /* each unit's best state, as it is */
  lbp_unit *look;                    /* a chain to ask for log pi of other states */
  lbp_schedule schedule;

  /* rows of draws */
  size_t state_bytes, row_bytes;
  uint32_t batch;                    /* draws of each chain that fit into `rows` */
  unsigned char *rows, *all;         /* of this process's chains; in the first process, of all */
  uint8_t *taken;                    /* a state for run->take */

  /* the first process only */
  double *trace;                     /* by column, chain and kept draw, up to 2 * traced of them */
  double logp_error;                 /* how far log pi of these is off where steps go by it, see lbp_kernel's by_logp */
  uint32_t traced;
  uint64_t every, kept;              /* every so many draws one is kept; those that are */
  lbp_stream *stream;                /* by column and chain */
  lbp_moves total;
  double *work_space;                /* for diagnostics */
  uint64_t judged;                   /* draws when convergence was last looked at */
  uint64_t *length, *written;        /* of the files of draws, by chain: CSV, states; hashes of what is in them ... */
  uint64_t number_at;                /* ... but of the number of draws, here in the head of a CSV file */
  double *print;                     /* what the model is known by again, see lbp_runner_fingerprint: numbers ... */
  uint32_t seeded, known;            /* ... of so many states that are anybody's, and of the run's own ... */
  uint8_t *known_state;              /* ... which are these, packed */
  int locks[2];                      /* files that hold locks, of the prefix and the checkpoint, or -1 */
  char *text;
  size_t text_room, text_length;
  double told, gap, saved;           /* when progress was told; until it is told again; when a checkpoint was written */
  double since;                      /* for the time left: when, ... */
  uint64_t since_step;               /* ... and at which step this phase began */
} lbp_runner;

LBP_FN uint32_t lbp_anneal_steps(lbp_runner *r, uint32_t from, uint32_t to, uint64_t at, uint32_t count, double limit,
                                 int learn, int fresh); /* stand in lbp_anneal.h */
LBP_FN void lbp_anneal_look(lbp_runner *r, uint32_t k);
LBP_FN void lbp_anneal_pack(lbp_runner *r);
LBP_FN void lbp_anneal_unpack(lbp_runner *r);
LBP_FN void lbp_anneal_note(lbp_runner *r);
LBP_FN lbp_unit *lbp_runner_spare(lbp_runner *r); /* stand in lbp_run_files.h */
LBP_FN void lbp_runner_drop_spare(lbp_runner *r, lbp_unit *unit);
LBP_FN int lbp_runner_write_config(lbp_runner *r, int ended); /* stand in lbp_run_json.h */
LBP_FN int lbp_runner_is_utf8(const char *text);
LBP_FN int lbp_runner_write_metric(lbp_runner *r);
LBP_FN int lbp_runner_read_metric(lbp_runner *r);
LBP_FN int lbp_runner_judge_best(const lbp_run *run, lbp_run_result *result);
LBP_FN int lbp_runner_write_best(lbp_runner *r, const lbp_run *given);

/* Sets *stop, the one that run.stop points to, to 1. Another thread may do so while the run goes on, for which a plain
 * assignment would be a data race; so may a signal handler. */
LBP_FN void lbp_run_stop(volatile sig_atomic_t *stop) {
#if defined __GNUC__
  __atomic_store_n(stop, 1, __ATOMIC_RELAXED);
#else
  *stop = 1;
#endif
}

/* Whether a run was asked to stop. */
LBP_FN int lbp_runner_is_stopped(const lbp_run *run) {
#if defined __GNUC__
  return run->stop && __atomic_load_n(run->stop, __ATOMIC_RELAXED) != 0;
#else
  return run->stop && *run->stop;
#endif
}

LBP_FN double lbp_runner_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Keeps the first thing that went wrong, and says it in a sentence. */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
LBP_FN int lbp_runner_fail(lbp_run_result *result, int status, const char *format, ...) {
  if (result->status == LBP_OK) {
    va_list arguments;
    va_start(arguments, format);
    result->status = status;
    vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
  }
  return result->status;
}

/* The same where the model is wrong, with what NAME_check or a step says. */
LBP_FN int lbp_runner_blame(lbp_run_result *result, const char *sampler, lbp_finding it) {
  char text[LBP_P_FINDING_TEXT];
  if (it.status == LBP_OK || result->status != LBP_OK) return result->status;
  result->site = it.site;
  result->other = it.other;
  result->got = it.got;
  result->want = it.want;
  if (it.status == LBP_E_ISOLATED) {
    return lbp_runner_fail(result, it.status, "%s: %s", sampler, lbp_error(it.status));
  }
  if (it.status == LBP_E_DELTA_NAN && it.placed) {
    return lbp_runner_fail(result, it.status, "the model is wrong: the log-ratio of a move of item %lu is NaN at a "
                           "possible state; return a number, or -infinity if the move is impossible",
                           (unsigned long)it.site);
  }
  if (it.status == LBP_E_MODEL_NAN && it.placed) {
    return lbp_runner_fail(result, it.status, "the model is wrong: log pi of a state that %s proposed is %s; return a "
                           "number, or -infinity if the state is impossible", sampler,
                           lbp_is_nan(it.got) ? "NaN" : "+infinity");
  }
  if (!it.placed) return lbp_runner_fail(result, it.status, "the model is wrong: %s", lbp_error(it.status));
  lbp_finding_text(it, text);
  return lbp_runner_fail(result, it.status, "the model is wrong at sites %lu and %lu%s: %s", (unsigned long)it.site,
                         (unsigned long)it.other, text, lbp_error(it.status));
}

/* Zeroed memory; NULL, and the status, if there is none. */
LBP_FN void *lbp_runner_alloc(lbp_runner *r, size_t count, size_t size) {
  const size_t bytes = lbp_size_times(count, size);
  void *memory = bytes < SIZE_MAX ? calloc(bytes + 1, 1) : NULL;
  if (!memory) {
    lbp_runner_fail(r->result, LBP_E_MEMORY, "out of memory: %.3g bytes more are needed", (double)count * (double)size);
  }
  return memory;
}

/* What a tuner was when it last forgot. */
LBP_FN double *lbp_runner_words(const lbp_runner *r, uint32_t tuner) { return r->words + tuner * r->tuner_words; }

/* Unit k of this process as one of this process's chains: its index among them, or -1 if it is a hotter replica. */
LBP_FN int64_t lbp_runner_chain(const lbp_runner *r, uint32_t k) {
  const uint32_t unit = r->c.first + k;
  return unit % r->rungs == 0 ? (int64_t)(unit / r->rungs) - r->first_chain : -1;
}

LBP_FN double *lbp_runner_row(const lbp_runner *r, unsigned char *rows, uint32_t chain, uint32_t draw) {
  return (double *)(void *)(rows + ((size_t)chain * r->batch + draw) * r->row_bytes);
}

/* How many values item i has. */
LBP_FN uint32_t lbp_runner_values(const lbp_runner *r, uint32_t i) {
  return lbp_kernel_values(r->c.kernel, r->c.model, &r->c.plan, i);
}

/* A state as it is kept, and in files: bits, if items have two values, the first item in the highest bit; else bytes,
 * the lowest of an item first. And back. */
LBP_FN void lbp_runner_pack(const lbp_runner *r, const void *x, uint8_t *out) {
  const uint8_t *bit = (const uint8_t *)x;
  uint32_t i, k;
  size_t b;
  if (r->c.plan.values == 2 && r->item == 1) {
    for (i = 0; i + 8 <= r->n; i += 8) { /* eight at once: the product has them side by side on top */
      uint64_t w = 0;
      for (k = 0; k < 8; k++) w |= (uint64_t)bit[i + k] << 8 * k;
      *out++ = (uint8_t)(w * UINT64_C(0x8040201008040201) >> 56);
    }
    if (i < r->n) *out = 0;
    for (k = 0; i + k < r->n; k++) *out = (uint8_t)(*out | bit[i + k] << (7 - k));
    return;
  }
  for (i = 0; i < r->n; i++) {
    const uint32_t v = lbp_item(x, r->item, i);
    for (b = 0; b < r->item; b++) *out++ = (uint8_t)(v >> 8 * b & 0xff);
  }
}

/* Item i of a packed state. */
LBP_FN uint32_t lbp_runner_packed_item(const lbp_runner *r, const uint8_t *in, uint32_t i) {
  uint32_t v = 0;
  size_t b;
  if (r->c.plan.values == 2 && r->item == 1) return in[i / 8] >> (7 - i % 8) & 1u;
  for (b = 0; b < r->item; b++) v |= (uint32_t)in[i * r->item + b] << 8 * b;
  return v;
}

LBP_FN void lbp_runner_unpack(const lbp_runner *r, const uint8_t *in, void *x) {
  uint8_t *bit = (uint8_t *)x;
  uint32_t i = 0, k;
  const int bits = r->c.plan.values == 2 && r->item == 1;
  for (; bits && i + 8 <= r->n; i += 8) { /* each byte gets its own bit, and 127 more, which moves it to the top */
    uint64_t w = in[i / 8] * UINT64_C(0x0101010101010101) & UINT64_C(0x0102040810204080);
    w = (w + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7;
    for (k = 0; k < 8; k++) bit[i + k] = (uint8_t)(w >> 8 * k & 1);
  }
  for (; i < r->n; i++) lbp_set_item(x, r->item, i, lbp_runner_packed_item(r, in, i));
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* Units that take their steps together: chains with neighbouring numbers, or a chain's neighbouring replicas. */
LBP_FN uint32_t lbp_runner_group(const lbp_runner *r) { return r->run->together > 1 ? r->run->together : 1; }

/* The first unit of a process, and the first chain whose first rung is not a unit of an earlier one. */
LBP_FN uint32_t lbp_runner_first(const lbp_runner *r, int rank) {
  const uint32_t block = r->spread ? 1 : r->rungs > 1 ? r->rungs : lbp_runner_group(r);
  const uint64_t blocks = (r->units - 1) / block + 1, first = blocks * (uint64_t)rank / (uint64_t)r->ranks * block;
  return first < r->units ? (uint32_t)first : r->units;
}

LBP_FN uint32_t lbp_runner_first_chain(const lbp_runner *r, int rank) {
  return (uint32_t)(((uint64_t)lbp_runner_first(r, rank) + r->rungs - 1) / r->rungs);
}

/* MPI counts in ints. */
#define LBP_P_MOST ((size_t)1 << 30)

/* Bytes of one process to another one; the others, and one process alone, do nothing. */
LBP_FN void lbp_runner_pass(const lbp_runner *r, int from, int to, void *data, size_t bytes) {
#if LBP_RUN_MPI
  char *at = (char *)data;
  for (; from != to && (r->rank == from || r->rank == to) && bytes > 0;) {
    const size_t part = bytes < LBP_P_MOST ? bytes : LBP_P_MOST;
    if (r->rank == from) MPI_Send(at, (int)part, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    else MPI_Recv(at, (int)part, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    at += part;
    bytes -= part;
  }
#endif
  (void)r, (void)from, (void)to, (void)data, (void)bytes;
}

/* What the first process has, to all. */
LBP_FN void lbp_runner_tell(const lbp_runner *r, void *data, size_t bytes) {
#if LBP_RUN_MPI
  char *at = (char *)data;
  for (; r->ranks > 1 && bytes > 0;) {
    const size_t part = bytes < LBP_P_MOST ? bytes : LBP_P_MOST;
    MPI_Bcast(at, (int)part, MPI_BYTE, 0, MPI_COMM_WORLD);
    at += part;
    bytes -= part;
  }
#endif
  (void)r, (void)data, (void)bytes;
}

/* Brings every process's part of an array, an item for each unit or chain, to the first process; its own may be in
 * place. */
LBP_FN void lbp_p_run_collect(const lbp_runner *r, uint32_t (*first)(const lbp_runner *, int), void *mine, void *all,
                              size_t item) {
  int rank;
  for (rank = 1; rank < r->ranks; rank++) {
    lbp_runner_pass(r, rank, 0, r->rank > 0 ? mine : (char *)all + first(r, rank) * item,
                    (first(r, rank + 1) - first(r, rank)) * item);
  }
  if (r->rank == 0 && all != mine) memcpy(all, mine, first(r, 1) * item);
}

/* The same to all processes, in place. */
LBP_FN void lbp_runner_share(const lbp_runner *r, uint32_t (*first)(const lbp_runner *, int), void *all, size_t item) {
  char *mine = (char *)all + first(r, r->rank) * item;
  if (r->ranks == 1) return;
  lbp_p_run_collect(r, first, r->rank > 0 ? mine : (char *)all, all, item);
  lbp_runner_tell(r, all, first(r, r->ranks) * item);
}

/* The smallest of a number that each process has. */
LBP_FN uint64_t lbp_runner_least(const lbp_runner *r, uint64_t v) {
#if LBP_RUN_MPI
  if (r->ranks > 1) {
    uint64_t least;
    MPI_Allreduce(&v, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return least;
  }
#endif
  return (void)r, v;
}

/* Whether all is well in all processes; if not, none goes on, and all say what the first that failed says. */
LBP_FN int lbp_runner_agree(const lbp_runner *r) {
#if LBP_RUN_MPI
  if (r->ranks > 1) {
    int mine = r->result->status == LBP_OK ? r->ranks : r->rank, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first < r->ranks) {
      lbp_run_result said = *r->result;
      MPI_Bcast(&said, (int)sizeof said, MPI_BYTE, first, MPI_COMM_WORLD);
      r->result->status = said.status;
      r->result->site = said.site;
      r->result->other = said.other;
      r->result->got = said.got;
      r->result->want = said.want;
      memcpy(r->result->message, said.message, sizeof said.message);
    }
  }
#endif
  return r->result->status;
}

/* ---- where a run is ---------------------------------------------------------------------------------------------- */

LBP_FN int lbp_runner_is_warm(const lbp_runner *r) { return r->step >= r->run->warmup; }

/* Draws of each chain. */
LBP_FN uint64_t lbp_runner_drawn(const lbp_runner *r) {
  return lbp_runner_is_warm(r) ? (r->step - r->run->warmup) / r->run->thin : 0;
}

/* The first step of the phase, warm-up or sampling, in which the step after `step` is. */
LBP_FN uint64_t lbp_runner_phase(const lbp_runner *r, uint64_t step) {
  return step < r->run->warmup ? 0 : r->run->warmup;
}

/* Whether tuners learn in this phase. */
LBP_FN int lbp_p_run_learns(const lbp_runner *r, uint64_t step) { return !r->run->metric && step < r->run->warmup; }

/* Whether chains wait for each other in this phase since they share tuners that learn. */
LBP_FN int lbp_p_run_is_joint(const lbp_runner *r, uint64_t step) {
  return r->run->shared && lbp_p_run_learns(r, step);
}

/* The units [*begin, *end) of a chain that this process has, as indices among its own. */
LBP_FN void lbp_p_run_units_here(const lbp_runner *r, uint32_t chain, uint32_t *begin, uint32_t *end) {
  const uint64_t from = (uint64_t)chain * r->rungs, to = from + r->rungs, last = (uint64_t)r->c.first + r->c.count;
  *begin = from > r->c.first ? (uint32_t)(from - r->c.first) : 0;
  *end = to < last ? (to > r->c.first ? (uint32_t)(to - r->c.first) : 0) : r->c.count;
  if (*begin > *end) *begin = *end;
}

/* A chain forgets all but its states, and these are kept: from here it can be run again. */
LBP_FN void lbp_p_run_forget(lbp_runner *r, uint32_t chain) {
  uint32_t k, end;
  lbp_p_run_units_here(r, chain, &k, &end);
  for (; k < end; k++) {
    lbp_unit *unit = lbp_chains_unit(&r->c, k);
    lbp_p_memory *memory = &r->memory[k];
    r->c.kernel->touch(unit);
    if (r->tracked) lbp_anneal_look(r, k);
    r->effort[r->c.first + k] = 0;
    memory->rng = unit->rng;
    memory->moves = r->c.moves[k];
    if (r->words && !r->run->shared && r->at[chain] <= r->run->warmup) { /* later nothing changes */
      r->c.kernel->tuner_save(lbp_chains_tuner(&r->c, k), lbp_runner_words(r, k));
    }
    lbp_runner_pack(r, unit->x, r->state + k * r->packed);
  }
  if (r->rungs > 1) {
    const size_t first = (size_t)chain * r->rungs;
    r->swap_memory[chain] = r->swap_rng[chain];
    memcpy(r->way_memory + first, r->way + first, r->rungs);
  }
  r->mark[chain] = r->at[chain];
  r->work[chain] = 0;
}

LBP_FN void lbp_runner_forget_all(lbp_runner *r) {
  uint32_t chain, rung;
  for (chain = 0; chain < r->run->chains; chain++) lbp_p_run_forget(r, chain);
  for (rung = 0; r->words && r->run->shared && rung < r->rungs; rung++) {
    r->c.kernel->tuner_save(lbp_chains_tuner_at(&r->c, rung), lbp_runner_words(r, rung));
  }
}

/* Puts all chains back to where they last forgot. */
LBP_FN void lbp_runner_remember(lbp_runner *r) {
  uint32_t k;
  for (k = 0; k < r->c.count; k++) {
    lbp_unit *unit = lbp_chains_unit(&r->c, k);
    unit->rng = r->memory[k].rng;
    r->c.moves[k] = r->memory[k].moves;
    if (!r->run->shared) r->c.kernel->tuner_load(lbp_chains_tuner(&r->c, k), lbp_runner_words(r, k));
    lbp_runner_unpack(r, r->state + k * r->packed, unit->x);
    r->c.kernel->touch(unit);
    if (r->tracked) lbp_anneal_look(r, k);
  }
  for (k = 0; r->run->shared && k < r->rungs; k++) {
    r->c.kernel->tuner_load(lbp_chains_tuner_at(&r->c, k), lbp_runner_words(r, k));
  }
  for (k = 0; k < r->run->chains; k++) {
    r->at[k] = r->mark[k];
    r->work[k] = 0;
    if (r->rungs > 1) r->swap_rng[k] = r->swap_memory[k];
  }
  if (r->rungs > 1) memcpy(r->way, r->way_memory, r->units);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Steps that have taken so many seconds, all chains together, may be given up. */
#define LBP_P_LONG 0.5

/* Whether a run that goes on has done nothing new yet. */
LBP_FN int lbp_runner_is_behind(const lbp_runner *r) { return r->result->resumed && r->step == r->caught_up; }

/* Whether time is up in the middle of steps. A run that goes on takes a step that a whole call would have time for. */
LBP_FN int lbp_runner_is_over(void *runner) {
  const lbp_runner *r = (const lbp_runner *)runner;
  const lbp_run *run = r->run;
  const int stopped = r->rank == 0 && lbp_runner_is_stopped(run);
  double now, begin;
  if (!stopped && !(run->seconds > 0)) return 0;
  now = lbp_runner_now();
  if (now - r->off < LBP_P_LONG) return 0;
  begin = lbp_runner_is_behind(r) ? r->off : r->begin;
  return stopped || now - begin >= run->seconds;
}

/* Whether steps may be given up on the way to step `to`: where nothing has been counted by then. A step is counted when
 * all chains have taken it, see lbp_p_run_take_steps; several are counted by each chain for itself. */
LBP_FN int lbp_p_run_may_give_up(const lbp_runner *r, uint64_t to) {
  return to <= r->step + 1 || (r->rungs == 1 && !r->run->marginals);
}

/* Whether one of units [from, to) here has given up a step; and one of any process, which all ask together. */
LBP_FN int lbp_p_run_has_given_up(const lbp_runner *r, uint32_t from, uint32_t to) {
  uint32_t k;
  for (k = from; k < to; k++) {
    if (r->c.moves[k].given_up > 0) return 1;
  }
  return 0;
}

LBP_FN int lbp_p_run_all_have_given_up(const lbp_runner *r) {
  return lbp_runner_least(r, !lbp_p_run_has_given_up(r, 0, r->c.count)) == 0;
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
  unsigned char *lessons = r->lessons;
  uint32_t k;
  for (k = 0; k < r->c.count; k++) r->effort[r->c.first + k] -= r->c.moves[k].evaluations;
  lbp_chains_step_apart(&r->c, accept + r->c.first, lessons ? lessons + r->c.first * r->c.lesson_bytes : NULL, wide);
  if (lbp_p_run_all_have_given_up(r)) return 1;
  for (k = 0; k < r->c.count; k++) r->effort[r->c.first + k] += r->c.moves[k].evaluations + 1;
  lbp_runner_share(r, lbp_runner_first, accept, sizeof *accept);
  if (lessons) lbp_runner_share(r, lbp_runner_first, lessons, r->c.lesson_bytes);
  lbp_chains_learn(&r->c, accept, lessons, r->units);
  return 0;
}

/* Whether chains, or replicas, have inverse temperatures. */
LBP_FN int lbp_runner_tempers(const lbp_run *run) { return run->rungs > 1 || run->ladder; }

/* Tempering: swaps of replicas, round trips, best states, the ladder. */
#include "lbp_run_ladder.h"

/* ---- draws ------------------------------------------------------------------------------------------------------- */

#include "lbp_run_marginals.h"

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

/* What a group of chains that has come to step `at` does there: it may have a draw, and after so much work it forgets.
 * Returns its work since. */
LBP_FN double lbp_p_run_settle_group(lbp_runner *r, uint32_t from, uint32_t to, uint64_t at, double work, int fresh) {
  uint32_t k;
  for (k = from; k < to; k++) lbp_p_run_end_draw(r, k, at, fresh);
  if (work < r->budget * (to - from)) return work;
  for (k = from; k < to; k++) {
    r->at[r->c.first + k] = at;
    lbp_p_run_forget(r, r->c.first + k);
  }
  return 0;
}

/* The group of chains [from, to) here, which have no replicas, to step `end`. alone: that is one step, which may be
 * given up, and counts when all chains have taken it. */
LBP_FN void lbp_p_run_advance_group(lbp_runner *r, uint32_t from, uint32_t to, uint64_t end, int alone) {
  const uint32_t thin = r->run->thin, chain = r->c.first + from;
  const int learn = lbp_p_run_learns(r, end - 1), warm = end <= r->run->warmup, fresh = end > r->step;
  const double budget = r->budget * (to - from);
  uint64_t at = r->at[chain];
  double work = 0; /* of all; here, since threads that write side by side slow each other down */
  uint32_t k;
  if (alone && r->c.plan.over && r->c.plan.over(r->c.plan.over_data)) r->c.moves[from].given_up++;
  for (k = from; k < to; k++) work += r->work[r->c.first + k], r->work[r->c.first + k] = 0;
  while (at < end && !lbp_p_run_has_given_up(r, from, to)) {
    const uint64_t phase = lbp_runner_phase(r, at), whole = warm ? end : phase + ((at - phase) / thin + 1) * thin;
    const uint64_t count = (whole < end ? whole : end) - at;
    const double left = budget - work;
    uint32_t taken;
    for (k = from; k < to; k++) work -= r->c.moves[k].evaluations;
    if (r->tracked) taken = lbp_anneal_steps(r, from, to, at, (uint32_t)count, left, learn, fresh);
    else taken = lbp_chains_step(&r->c, from, to, (uint32_t)count, left, learn);
    at += taken;
    for (k = from; k < to; k++) work += r->c.moves[k].evaluations + taken;
    if (!alone && !lbp_p_run_has_given_up(r, from, to)) work = lbp_p_run_settle_group(r, from, to, at, work, fresh);
  }
  for (k = from; k < to; k++) r->at[r->c.first + k] = at;
  r->work[chain] = work;
}

/* Chains [begin, end) to step `to`, in step with each other: those that share a tuner, or whose replicas may be in
 * other processes, or one with all its replicas. Less far where a step is given up. */
LBP_FN void lbp_p_run_advance(lbp_runner *r, uint32_t begin, uint32_t end, uint64_t to, int wide) {
  const int joint = lbp_p_run_is_joint(r, to - 1), learn = !joint && lbp_p_run_learns(r, to - 1);
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
    lbp_p_run_units_here(r, begin, &first, &none);
    lbp_p_run_units_here(r, end - 1, &none, &last);
    if (joint) {
      if (lbp_runner_joint_step(r, wide)) return;
    } else {
      const int64_t groups = lbp_chains_groups(&r->c, first, last);
      LBP_P_EACH_UNIT
      for (k = 0; k < groups; k++) {
        uint32_t from, until;
        lbp_chains_group(&r->c, first, last, (uint32_t)k, &from, &until);
        if (r->at[(r->c.first + from) / r->rungs] >= next) continue;
        if (wide && r->c.plan.over && r->c.plan.over(r->c.plan.over_data)) r->c.moves[from].given_up++;
        else lbp_p_run_group_steps(r, from, until, (uint32_t)(next - at), learn);
      }
      if (shared ? lbp_p_run_all_have_given_up(r) : lbp_p_run_has_given_up(r, first, last)) return;
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
      if (!joint && r->work[chain] >= r->budget * r->rungs) lbp_p_run_forget(r, chain);
    }
    if (joint && work >= r->budget * r->units) lbp_runner_forget_all(r);
  }
}

/* All chains of this process to step `to`, unless a step is given up: what is counted, and what chains keep for a
 * checkpoint, stays then as it was, if `to` is the next step. Where each core can have chains of its own, they need not
 * wait for each other; else all cores take part in each, or one core does it all, whichever is faster just now: where
 * other programs use the cores too, waiting for them at every swap costs more than it brings. */
LBP_FN void lbp_p_run_take_steps(lbp_runner *r, uint64_t to) {
  const int joint = lbp_p_run_is_joint(r, to - 1), in_step = r->spread || joint;
  const uint32_t begin = in_step ? 0 : r->first_chain, end = in_step ? r->run->chains : begin + r->count_chain;
  const int asks = r->run->stop || r->run->seconds > 0, alone = asks && to == r->step + 1;
  int64_t k, groups;
  int wide = 1;
  r->off = lbp_runner_now();
  r->c.plan.over = asks && lbp_p_run_may_give_up(r, to) ? lbp_runner_is_over : NULL;
  r->c.plan.over_data = r;
  if (in_step || (r->rungs > 1 && (r->wide || alone))) {
    if (begin < end) lbp_p_run_advance(r, begin, end, to, r->wide || !in_step);
    r->given_up = lbp_p_run_all_have_given_up(r);
    return;
  }
  if (r->rungs > 1) {
    LBP_P_EACH_UNIT
    for (k = begin; k < (int64_t)end; k++) lbp_p_run_advance(r, (uint32_t)k, (uint32_t)k + 1, to, 0);
    r->given_up = lbp_p_run_all_have_given_up(r);
    return;
  }
  groups = lbp_chains_groups(&r->c, 0, r->c.count);
  LBP_P_EACH_UNIT
  for (k = 0; k < groups; k++) {
    uint32_t from, until;
    lbp_chains_group(&r->c, 0, r->c.count, (uint32_t)k, &from, &until);
    lbp_p_run_advance_group(r, from, until, to, alone);
  }
  r->given_up = lbp_p_run_all_have_given_up(r);
  LBP_P_EACH_UNIT
  for (k = 0; k < (alone && !r->given_up ? groups : 0); k++) {
    uint32_t from, until;
    lbp_chains_group(&r->c, 0, r->c.count, (uint32_t)k, &from, &until);
    r->work[r->c.first + from] = lbp_p_run_settle_group(r, from, until, to, r->work[r->c.first + from], 1);
  }
  (void)wide;
}

/* What is known of the columns, in the first process, and progress. */
#include "lbp_run_columns.h"

/* The table at the end, files of draws, fingerprints of models, checkpoints. */
#include "lbp_run_files.h"

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* What all chains of a run have in common. */
LBP_FN int lbp_runner_plan(const lbp_run *run, const lbp_kernel *kernel, uint32_t n, lbp_plan *plan,
                          lbp_run_result *result) {
  char names[256] = "";
  const char *why;
  uint32_t k;
  size_t length = 0;
  if (kernel->values == 0 && run->values == 0) {
    return lbp_runner_fail(result, LBP_E_RANGE, "values: say how many values a site has, by run.values or "
                           "LBP_AB_STATES; 2 if sites are binary");
  }
  if (lbp_plan_init(plan, kernel, run->sampler, n, run->values) == LBP_OK) {
    const unsigned traits = plan->sampler->traits;
    plan->warmup = run->metric ? 0 : run->warmup; /* a tuner that is given has learned */
    if (run->target > 0) plan->target = run->target;
    plan->setting[0] = traits & LBP_TRAIT_SITES ? run->R : traits & LBP_TRAIT_SCALE ? run->sigma : 0;
    if (traits & LBP_TRAIT_TIME) plan->setting[0] = run->time, plan->target = run->jumps;
    plan->curvature = run->curvature;
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

#define LBP_P_WANT(condition, ...) \
  if (!(condition)) return lbp_runner_fail(result, LBP_E_RANGE, __VA_ARGS__)

/* LBP_OK, or what is wrong with the sampler and what it is given. */
LBP_FN int lbp_runner_judge_sampler(const lbp_run *run, const lbp_plan *plan, const lbp_kernel *kernel,
                                   lbp_run_result *result) {
  const lbp_sampler *it = plan->sampler;
  const int is_path = (it->traits & LBP_TRAIT_SITES) != 0 && !(it->target > 0);
  const char *why;
  LBP_P_WANT(lbp_is_finite(run->R), "R: a number, not %g", run->R);
  if (it->traits & LBP_TRAIT_PATH) {
    LBP_P_WANT(run->R == 0 || (run->R >= 1 && run->R <= LBP_MAX_SITES), "R: 0 (the sampler's), or 1 to 2^31 - 1, "
               "not %g", run->R);
  } else {
    LBP_P_WANT(run->R == 0 || (run->R >= 1 && run->R <= plan->n), "R: 0 (tuned), or 1 to n, not %g", run->R);
    LBP_P_WANT(run->R <= plan->n - plan->clamped, "R: 0 (tuned), or 1 to %lu, the sites that are not clamped, not %g",
               (unsigned long)(plan->n - plan->clamped), run->R);
  }
  LBP_P_WANT(run->target == 0 || !is_path, "target: the R of a %s is not tuned", it->name);
  LBP_P_WANT(run->R == 0 || !it->parameter || (it->traits & LBP_TRAIT_SITES), "R: %s does not take a number of sites",
             it->name);
  LBP_P_WANT(lbp_is_finite(run->sigma) && run->sigma >= 0, "sigma: 0 (tuned), or above 0, not %g", run->sigma);
  LBP_P_WANT(run->sigma == 0 || (it->traits & LBP_TRAIT_SCALE), "sigma: %s has no such scale", it->name);
  LBP_P_WANT(run->time >= 0 && run->jumps >= 0 && lbp_is_finite(run->time) && lbp_is_finite(run->jumps), "time, jumps: "
             "0 (tuned, the sampler's), or above 0, not %g, %g", run->time, run->jumps);
  LBP_P_WANT((run->time == 0 && run->jumps == 0) || (it->traits & LBP_TRAIT_TIME), "time, jumps: %s has no clock",
             it->name);
  LBP_P_WANT(run->target == 0 || !(it->traits & LBP_TRAIT_TIME), "target: a clock is tuned to jumps");
  LBP_P_WANT(!run->curvature || (it->traits & LBP_TRAIT_CURVED), "curvature: %s has no use for one", it->name);
  LBP_P_WANT(run->target >= 0 && run->target < 1, "target: 0 (the sampler's), or an acceptance rate below 1, not %g",
             run->target);
  LBP_P_WANT(plan->setting[0] > 0 || run->warmup > 0 || run->metric || !it->parameter || is_path, "warmup: %s is tuned "
             "there; without it, give %s%sa metric", it->parameter, it->traits & LBP_TRAIT_CURVED ? "" : it->parameter,
             it->traits & LBP_TRAIT_CURVED ? "" : ", or ");
  LBP_P_WANT(plan->values >= 1, "values: at least 1");
  LBP_P_WANT(kernel->values == 0 || run->values == 0 || run->values == kernel->values, "values: 0, or the instance's "
             "%lu", (unsigned long)kernel->values);
  LBP_P_WANT(run->together <= LBP_GROUP_MOST, "together: 0 (each chain by itself) to %d, not %lu", LBP_GROUP_MOST,
             (unsigned long)run->together);
  LBP_P_WANT(run->together <= 1 || it->together, "together: of LBP with LBP_DELTAS_MANY, not of %s", it->name);
  LBP_P_WANT(plan->values - 1 <= UINT32_MAX >> (32 - 8 * kernel->item_bytes), "values: %lu do not fit into items of "
             "%lu bytes", (unsigned long)plan->values, (unsigned long)kernel->item_bytes);
  LBP_P_WANT(!run->marginals || plan->values <= 256, "marginals: for sites of up to 256 values");
  LBP_P_WANT(run->marginals != LBP_MARGINALS_CONDITIONAL || kernel->conditionals, "marginals: conditional ones need "
             "exact log-ratios: of dense models define LBP_DELTA, or LBP_DELTAS_EXACT if LBP_DELTAS are no estimates, "
             "with lbp_ab.h LBP_AB_CONDITIONAL; or have them counted (LBP_MARGINALS_COUNTED)");
  why = kernel->judge ? kernel->judge(plan, lbp_runner_tempers(run)) : NULL;
  LBP_P_WANT(!why, "%s", why);
  return LBP_OK;
}

/* LBP_OK, or what is wrong with the columns. */
LBP_FN int lbp_p_run_judge_columns(const lbp_run *run, const lbp_kernel *kernel, lbp_run_result *result) {
  uint32_t k, other;
  LBP_P_WANT(run->columns <= 1000 && (run->columns == 0 || run->column), "columns: up to 1000, in `column`");
  for (k = 0; k < run->columns; k++) {
    const char *name = run->column[k].name;
    const size_t length = name ? strlen(name) : 0;
    LBP_P_WANT(length > 0 && length < 200 && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
               "UVWXYZ0123456789_.")] == 0, "column %lu: its name has letters, digits, '_' and '.' only, up to 199",
               (unsigned long)k);
    LBP_P_WANT(length < 2 || strcmp(name + length - 2, "__") != 0, "column %s: names with \"__\" at the end are Stan's",
               name);
    LBP_P_WANT(run->states != LBP_STATES_CSV || strncmp(name, "x.", 2) != 0 || name[2] < '0' || name[2] > '9',
               "column %s: with LBP_STATES_CSV sites have such names", name);
    for (other = 0; other < k; other++) {
      LBP_P_WANT(strcmp(name, run->column[other].name) != 0, "column %s: two have that name", name);
    }
    LBP_P_WANT(run->column[k].value, "column %s: it needs a value function", name);
    LBP_P_WANT(kernel->item_bytes == 1 || !lbp_p_run_reads_bytes(&run->column[k]), "column %s: its function is for "
               "items of one byte; write one for those of %lu", name, (unsigned long)kernel->item_bytes);
  }
  return LBP_OK;
}

/* LBP_OK, or what is wrong with the options. */
LBP_FN int lbp_runner_judge(const lbp_run *run, uint32_t n, const lbp_kernel *kernel, lbp_run_result *result) {
  uint32_t k;
  if (n < 1 || n > LBP_MAX_SITES) return lbp_runner_fail(result, LBP_E_SIZE, "n: %s", lbp_error(LBP_E_SIZE));
  LBP_P_WANT(run->chains >= 1 && run->chains <= 1u << 24, "chains: 1 to 2^24, not %lu", (unsigned long)run->chains);
  LBP_P_WANT(run->thin >= 1, "thin: at least 1 step per draw");
  LBP_P_WANT(run->rungs >= 1 && run->rungs <= 4096, "rungs: 1 (no tempering) to 4096, not %lu",
             (unsigned long)run->rungs);
  LBP_P_WANT((uint64_t)run->chains * run->rungs <= LBP_MAX_SITES, "chains times rungs: up to 2^31 - 1");
  LBP_P_WANT(!lbp_runner_tempers(run) || kernel->temper, "rungs, ladder: for tempering define LBP_TEMPERED before "
             "including lbp_run.h");
  LBP_P_WANT(run->rungs == 1 || run->exchange == 0 || run->thin % run->exchange == 0,
             "exchange: 0, or a divisor of thin = %lu, not %lu", (unsigned long)run->thin,
             (unsigned long)run->exchange);
  LBP_P_WANT(run->resample >= 0 && run->resample <= 1, "resample: 0 (never), or a share of chains, up to 1, not %g",
             run->resample);
  for (k = 0; run->ladder && k < run->rungs; k++) {
    LBP_P_WANT(lbp_is_finite(run->ladder[k]) && run->ladder[k] >= 0 && (k == 0 || run->ladder[k] < run->ladder[k - 1]),
               "ladder: inverse temperatures fall and are not below 0; number %lu is %g", (unsigned long)k,
               run->ladder[k]);
  }
  LBP_P_WANT(!run->adapt_ends || run->rungs > 1, "adapt_ends: of tempered runs: give rungs");
  LBP_P_WANT(!run->adapt_ends || !run->metric, "adapt_ends: with a metric nothing is tuned");
  LBP_P_WANT(!run->adapt_ends || (kernel->exact && !kernel->base), "adapt_ends: found by log-ratios; not with "
             "lbp_ab.h, nor with LBP_BASE");
  LBP_P_WANT(!run->adapt_ends || lbp_runner_last_cold(run) <= (uint64_t)run->warmup / 4 * 3, "adapt_ends: found in the "
             "first three quarters of a warm-up of %llu steps or more, not %lu",
             (unsigned long long)(lbp_runner_last_cold(run) + 2) / 3 * 4, (unsigned long)run->warmup);
  LBP_P_WANT(!run->clamp || kernel->clamp, "clamp: define LBP_CLAMPED, with lbp_ab.h LBP_AB_CLAMPED, before including "
             "lbp_run.h");
  LBP_P_WANT(!kernel->needs_start || run->start, "start: where sites are bound to each other give a state that is one");
  LBP_P_WANT(!run->clamp || run->start, "clamp: clamped sites need values: give them by start");
  if (lbp_p_run_judge_columns(run, kernel, result) != LBP_OK) return result->status;
  LBP_P_WANT(run->states >= LBP_STATES_NONE && run->states <= LBP_STATES_TAKEN,
             "states: one of LBP_STATES_NONE, _CSV, _NPY, _TAKEN, not %d", run->states);
  LBP_P_WANT(run->states != LBP_STATES_TAKEN || run->take, "states: LBP_STATES_TAKEN go to `take`, which is NULL");
  LBP_P_WANT(run->marginals >= LBP_MARGINALS_NONE && run->marginals <= LBP_MARGINALS_CONDITIONAL,
             "marginals: one of LBP_MARGINALS_NONE, _COUNTED, _CONDITIONAL, not %d", run->marginals);
  LBP_P_WANT(run->marginals != LBP_MARGINALS_COUNTED || run->draws <= UINT32_MAX, "marginals: counted over up to "
             "2^32 - 1 draws");
  LBP_P_WANT(run->digits >= 1 && run->digits <= 17, "digits: 1 to 17, not %d", run->digits);
  LBP_P_WANT(run->name && strlen(run->name) <= 200 && !strchr(run->name, '\n'), "name: a line of up to 200 characters");
  LBP_P_WANT(lbp_runner_is_utf8(run->name), "name: it has bytes that are not UTF-8, which JSON requires");
  LBP_P_WANT(!run->prefix || strlen(run->prefix) < LBP_P_PATH - 64, "prefix: up to %d characters", LBP_P_PATH - 64);
  LBP_P_WANT(!run->checkpoint || strlen(run->checkpoint) < LBP_P_PATH - 64, "checkpoint: a path of up to %d characters",
             LBP_P_PATH - 64);
  if (lbp_runner_judge_best(run, result) != LBP_OK) return result->status;
  LBP_P_WANT(run->seconds >= 0 && run->checkpoint_seconds >= 0 && run->rhat >= 0 && run->ess >= 0,
             "seconds, checkpoint_seconds, rhat and ess are not negative");
  return LBP_OK;
}
#undef LBP_P_WANT

/* Memory of what is known of the draws. */
LBP_FN void lbp_p_run_make_rows(lbp_runner *r) {
  const lbp_run *run = r->run;
  const size_t chains = run->chains, cells = lbp_size_times(chains, lbp_runner_watched(r));
  const uint64_t draws = run->draws > 0 ? run->draws : 1;
  size_t batch, k;
  r->traced = LBP_P_TRACE;
  while (r->traced > LBP_P_TRACE_LEAST && r->traced * cells > LBP_RUN_KEPT) r->traced /= 2;
  r->state_bytes = run->states == LBP_STATES_TAKEN ? lbp_size_times(r->n, r->item) : r->packed;
  r->state_bytes = run->states == LBP_STATES_NONE ? 0 : (r->state_bytes + 7) / 8 * 8;
  r->row_bytes = (LBP_TAKE_VALUES + run->columns) * sizeof(double) + r->state_bytes;
  batch = ((size_t)1 << 25) / r->row_bytes / chains;
  r->batch = batch < 1 ? 1 : batch > 4096 ? 4096 : (uint32_t)batch;
  if (draws < r->batch) r->batch = (uint32_t)draws;
  r->rows = (unsigned char *)lbp_runner_alloc(r, (r->rank ? (size_t)r->count_chain : chains) * r->batch, r->row_bytes);
  r->all = r->rows;
  r->taken = (uint8_t *)lbp_runner_alloc(r, run->take ? r->n : 0, r->item);
  r->length = (uint64_t *)lbp_runner_alloc(r, 2 * chains, sizeof *r->length);
  r->written = (uint64_t *)lbp_runner_alloc(r, 2 * chains, sizeof *r->written);
  if (r->rank == 0 && (run->draws > 0 || run->checkpoint)) { /* a checkpoint may bring draws */
    r->stream = (lbp_stream *)lbp_runner_alloc(r, cells, sizeof *r->stream);
    r->trace = (double *)lbp_runner_alloc(r, lbp_size_times(cells, (size_t)2 * r->traced), sizeof *r->trace);
    r->work_space = (double *)lbp_runner_alloc(r, lbp_runner_work_space(r, 2 * r->traced), sizeof *r->work_space);
  }
  if (run->checkpoint) lbp_runner_make_print(r);
  for (k = 0; r->stream && k < cells; k++) lbp_stream_init(&r->stream[k]);
}

/* Chains and tuners; what these take may be much, and is told before. */
LBP_FN int lbp_p_run_make_chains(lbp_runner *r) {
  const lbp_run *run = r->run;
  const lbp_chains c = r->c;
  const uint32_t shared = run->shared ? r->rungs : 0, tuners = shared > 0 ? shared : c.count;
  const uint32_t group = lbp_runner_group(r);
  const double words = run->checkpoint ? 8.0 * (double)r->tuner_words : 0;
  const double large = tuners * ((double)c.kernel->tuner_bytes(&c.plan) + words);
  int status;
  if (run->progress && r->rank == 0 && large > 1 << 24) {
    fprintf(run->progress, "%.16s: tuning %s takes %.3g MB\n", run->name, c.plan.sampler->name, large / 1e6);
    fflush(run->progress);
  }
  status = lbp_chains_init(&r->c, c.kernel, c.model, &c.plan, c.first, c.count, shared);
  if (status == LBP_OK) return lbp_chains_together(&r->c, r->rungs > 1 ? r->rungs : group, group);
  if (status != LBP_E_MEMORY) return lbp_runner_fail(r->result, status, "a tuner: %s", lbp_error(status));
  return lbp_runner_fail(r->result, status, "out of memory: %.3g bytes more are needed",
                         (double)lbp_chains_bytes(c.kernel, &c.plan, c.count, shared));
}

/* Memory of what is kept of chains. */
LBP_FN int lbp_p_run_make_room(lbp_runner *r) {
  const lbp_run *run = r->run;
  const size_t chains = run->chains, words = run->checkpoint ? r->c.tuners : 0;
  r->words = (double *)lbp_runner_alloc(r, words, lbp_size_times(r->tuner_words, sizeof *r->words));
  r->lessons = (unsigned char *)lbp_runner_alloc(r, run->shared ? r->units : 0, r->c.lesson_bytes);
  r->excess = (double *)lbp_runner_alloc(r, r->units, sizeof *r->excess);
  r->effort = (double *)lbp_runner_alloc(r, r->units, sizeof *r->effort);
  r->memory = (lbp_p_memory *)lbp_runner_alloc(r, r->c.count + 1, sizeof *r->memory);
  r->state = (uint8_t *)lbp_runner_alloc(r, r->c.count, r->packed);
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
  r->swap_rng = (lbp_rng *)lbp_runner_alloc(r, r->rungs > 1 ? chains : 0, sizeof *r->swap_rng);
  r->swap_memory = (lbp_rng *)lbp_runner_alloc(r, r->rungs > 1 ? chains : 0, sizeof *r->swap_memory);
  r->ladder = (double *)lbp_runner_alloc(r, r->rungs, sizeof *r->ladder);
  r->refused = (double *)lbp_runner_alloc(r, r->units, sizeof *r->refused);
  r->bridge = (double *)lbp_runner_alloc(r, lbp_size_times(r->units, 2), sizeof *r->bridge);
  r->way = (uint8_t *)lbp_runner_alloc(r, r->units, 1);
  r->way_memory = (uint8_t *)lbp_runner_alloc(r, r->units, 1);
  r->trips = (uint64_t *)lbp_runner_alloc(r, chains, sizeof *r->trips);
  if (words == 0) free(r->words), r->words = NULL;
  if (!run->shared || r->c.lesson_bytes == 0) free(r->lessons), r->lessons = NULL;
  return r->result->status;
}

/* Unit k of this process, where it starts. */
LBP_FN int lbp_p_run_make_unit(lbp_runner *r, uint32_t k) {
  const lbp_run *run = r->run;
  lbp_unit *unit = lbp_chains_unit(&r->c, k);
  int status = lbp_chains_make(&r->c, k, run->seed);
  uint64_t which;
  uint32_t i;
  if (status != LBP_OK) return lbp_runner_fail(r->result, status, "a chain: %s", lbp_error(status));
  r->best_logp[k] = -lbp_infinity();
  if (!run->start) return LBP_OK;
  lbp_rng_init(&unit->rng, run->seed, r->c.first + k);
  run->start(run->start_data, (r->c.first + k) / r->rungs, (uint8_t *)unit->x, r->n);
  for (i = 0; i < r->n; i++) {
    if (lbp_item(unit->x, r->item, i) < lbp_runner_values(r, i)) continue;
    return lbp_runner_fail(r->result, LBP_E_STATE, "start: %s", lbp_error(LBP_E_STATE));
  }
  if (r->c.kernel->admits) status = r->c.kernel->admits(unit, r->c.model, &which);
  return status == LBP_OK ? LBP_OK : lbp_runner_fail(r->result, status, "start: %s", lbp_error(status));
}

/* By how much rounding of the first chain's log pi and its largest log-ratio may move others. */
LBP_FN double lbp_p_run_scale(lbp_runner *r) {
  const double unit = r->c.kernel->real_bytes == sizeof(float) ? 6e-8 : 1.2e-16;
  lbp_runner_sizes sizes = {NULL, NULL, 0, 0, 0, 0, 0};
  double logp = fabs(r->c.kernel->logp(lbp_chains_unit(&r->c, 0), r->c.model));
  r->c.kernel->ratios(lbp_chains_unit(&r->c, 0), r->c.model, lbp_runner_take_size, &sizes);
  if (!lbp_is_finite(logp)) logp = 0;
  return 4 * unit * (sizes.most + logp);
}

/* NAME_check at the first chain's start. */
LBP_FN int lbp_p_run_check(lbp_runner *r) {
  lbp_finding it;
  lbp_rng rng;
  lbp_rng_init(&rng, r->run->seed, UINT64_MAX); /* a stream that no chain draws from */
  it = r->c.kernel->check(lbp_chains_unit(&r->c, 0), r->c.model, r->run->check, &rng);
  if (it.status != LBP_OK && it.placed) it.rounding = lbp_p_run_scale(r);
  if (it.status == LBP_E_IMPOSSIBLE) {
    return lbp_runner_fail(r->result, it.status, "start: %s", lbp_error(it.status));
  }
  return lbp_runner_blame(r->result, r->c.plan.sampler->name, it);
}

/* Memory, units and their states. */
LBP_FN int lbp_p_run_make(lbp_runner *r) {
  const lbp_run *run = r->run;
  uint32_t k;
  if (lbp_p_run_make_chains(r) == LBP_OK && lbp_p_run_make_room(r) == LBP_OK) lbp_p_run_make_rows(r);
  if (r->result->status != LBP_OK) return r->result->status;
  for (k = 0; k < r->rungs; k++) {
    r->ladder[k] = run->ladder ? run->ladder[k] : r->rungs > 1 ? 1 - k / (r->rungs - 1.0) : 1;
  }
  for (k = 0; r->rungs > 1 && k < run->chains; k++) lbp_rng_init(&r->swap_rng[k], run->seed, LBP_P_STREAMS + k);
  for (k = 0; k < 2 * r->units; k++) r->bridge[k] = -lbp_infinity();
  for (k = 0; k < r->c.count; k++) {
    if (lbp_p_run_make_unit(r, k) != LBP_OK) return r->result->status;
    if (k == 0 && run->check > 0 && r->c.kernel->check && lbp_p_run_check(r) != LBP_OK) return r->result->status;
  }
  lbp_runner_set_betas(r);
  lbp_runner_forget_all(r);
  return r->result->status;
}

LBP_FN void lbp_runner_drop(lbp_runner *r) {
  lbp_runner_drop_spare(r, r->look);
  lbp_chains_free(&r->c);
  free(r->excess), free(r->effort), free(r->best_logp), free(r->best);
  free(r->counts), free(r->conditional), free(r->memory), free(r->state), free(r->words), free(r->lessons);
  free(r->tracked), free(r->record);
  free(r->at), free(r->mark), free(r->work), free(r->given);
  free(r->swap_rng), free(r->swap_memory), free(r->ladder), free(r->refused), free(r->bridge);
  free(r->way), free(r->way_memory), free(r->trips);
  free(r->rows), free(r->taken), free(r->stream), free(r->trace), free(r->work_space), free(r->print);
  free(r->known_state), free(r->length), free(r->written), free(r->text);
}

/* Whether the steps were in order. */
LBP_FN int lbp_runner_look_at_faults(lbp_runner *r) {
  return lbp_runner_blame(r->result, r->c.plan.sampler->name, lbp_chains_fault(&r->c));
}

/* Takes up what this process's chains, and in the first process all, have drawn on the way to step `to`. */
LBP_FN int lbp_p_run_take_up(lbp_runner *r, uint64_t to) {
  const uint64_t before = lbp_runner_drawn(r);
  uint32_t draws;
  r->step = to;
  draws = (uint32_t)(lbp_runner_drawn(r) - before);
  if (draws > 0) lbp_p_run_collect(r, lbp_runner_first_chain, r->rows, r->all, r->batch * r->row_bytes);
  if (r->rank == 0 && r->result->status == LBP_OK && draws > 0) {
    uint32_t chain, d;
    for (chain = 0; chain < r->run->chains; chain++) {
      for (d = 0; d < draws; d++) {
        const double logp = lbp_runner_row(r, r->all, chain, d)[LBP_TAKE_LOGP];
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

/* What happens where warm-up ends: everything is counted anew, and files are begun. */
LBP_FN int lbp_p_run_end_warmup(lbp_runner *r) {
  r->warming = lbp_runner_seconds(r);
  r->since = lbp_runner_now();
  r->since_step = r->step;
  memset(r->c.moves, 0, r->c.count * sizeof *r->c.moves);
  lbp_runner_count_swaps(r);
  lbp_runner_begin_trips(r);
  lbp_runner_forget_all(r);
  lbp_runner_make_files(r);
  lbp_runner_write_metric(r);
  return lbp_runner_write_config(r, 0);
}

/* The least step that a chain has taken, of all. */
LBP_FN uint64_t lbp_p_run_front(const lbp_runner *r) {
  const int all = r->spread || lbp_p_run_is_joint(r, r->step);
  const uint32_t begin = all ? 0 : r->first_chain, end = all ? r->run->chains : begin + r->count_chain;
  uint64_t front = r->step;
  uint32_t chain;
  for (chain = begin; chain < end; chain++) front = r->at[chain] < front ? r->at[chain] : front;
  return lbp_runner_least(r, front);
}

/* To what step chains go from `front` before anything is looked at: about a tenth of a second, but for what has to
 * happen at a step of its own. */
LBP_FN uint64_t lbp_p_run_next_stop(const lbp_runner *r, uint64_t front, uint64_t end) {
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

/* Whether there are two ways to spread steps over cores: all cores in each chain, or each with chains of its own. */
LBP_FN int lbp_p_run_has_choice(const lbp_runner *r) {
#if defined _OPENMP
  const uint32_t threads = (uint32_t)omp_get_max_threads();
  if (threads == 1 || r->c.count == 1) return 0;
  return r->spread || lbp_p_run_is_joint(r, r->step) || (r->rungs > 1 && r->count_chain < threads);
#else
  return (void)r, 0;
#endif
}

/* Chooses how many steps come next, and on how many cores, after so many that took so long: what takes a tenth of a
 * second, if that is not past the end of the time. The number grows slowly, since steps do, while R is tuned. Now and
 * then the other way to spread them is tried for a few steps, more seldom each time that it loses. */
LBP_FN void lbp_runner_pace(lbp_runner *r, uint64_t steps, double seconds) {
  const double pace = seconds / (double)steps, left = r->begin + r->run->seconds - lbp_runner_now();
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
  if (fixed && !lbp_p_run_may_give_up(r, r->step + r->stride)) r->stride = 1;
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
LBP_FN int lbp_p_run_can_save(const lbp_runner *r) {
  uint64_t can = 1;
  uint32_t k;
  for (k = 0; k < r->count_chain; k++) can &= r->mark[r->first_chain + k] <= r->step;
  return lbp_runner_least(r, can) != 0;
}

/* Between steps: decides whether to go on, and writes a checkpoint if it is time. */
LBP_FN int lbp_p_run_pause(lbp_runner *r, int complete) {
  const lbp_run *run = r->run;
  const double now = lbp_runner_now();
  const int late = run->seconds > 0 && now - r->begin >= run->seconds && !lbp_runner_is_behind(r);
  const int can_save = !r->given_up || lbp_p_run_can_save(r);
  int word[4]; /* whether to end, why, whether to write a checkpoint, steps until the next pause */
  word[0] = complete;
  word[1] = LBP_END_COMPLETE;
  if (r->rank == 0 && !complete) {
    if (lbp_runner_is_stopped(run)) word[0] = 1, word[1] = LBP_END_STOPPED;
    else if (late || r->given_up) word[0] = 1, word[1] = LBP_END_OUT_OF_TIME;
    else if (lbp_runner_converged(r)) word[0] = 1, word[1] = LBP_END_CONVERGED;
  }
  word[2] = run->checkpoint && can_save && (word[0] || now - r->saved >= run->checkpoint_seconds);
  word[3] = (int)r->stride;
  lbp_runner_agree(r);
  lbp_runner_tell(r, word, sizeof word);
  r->result->ended = word[1];
  r->stride = (uint32_t)word[3];
  if (r->result->status == LBP_OK && word[2]) lbp_runner_save(r);
  if (!word[0]) lbp_runner_progress(r, 0);
  return r->result->status != LBP_OK || word[0];
}

/* From where the run is to its end. */
LBP_FN int lbp_runner_go(lbp_runner *r) {
  const lbp_run *run = r->run;
  const uint64_t most = (UINT64_MAX - run->warmup) / run->thin, draws = run->draws < most ? run->draws : most;
  const uint64_t asked = run->warmup + draws * run->thin, end = asked < r->step ? r->step : asked;
  int ended = 0;
  r->since = lbp_runner_now();
  r->caught_up = r->since_step = r->step;
  if (run->warmup == 0 && !r->result->resumed) lbp_p_run_end_warmup(r);
  else if (lbp_runner_is_warm(r)) lbp_runner_write_config(r, 0);
  if (r->result->resumed && run->rhat > 0 && r->step < end) ended = lbp_p_run_pause(r, 0);
  while (!ended && r->step < end) {
    const uint64_t front = lbp_p_run_front(r), to = lbp_p_run_next_stop(r, front, end);
    const double begin = lbp_runner_now();
    lbp_p_run_take_steps(r, to);
    lbp_runner_look_at_faults(r);
    if (lbp_runner_agree(r) != LBP_OK) break;
    if (r->tracked) lbp_anneal_note(r);
    lbp_runner_pace(r, to - front, lbp_runner_now() - begin);
    if (r->given_up) {
      ended = lbp_p_run_pause(r, 0);
      continue;
    }
    if (to <= r->step) { /* as far as a run before this one */
      r->since = lbp_runner_now();
    } else if (lbp_p_run_take_up(r, to) == LBP_OK) {
      if (r->step == run->warmup) lbp_p_run_end_warmup(r);
      else if (lbp_runner_next_ladder(r, r->step - 1) == r->step) lbp_runner_set_ladder(r);
    }
    ended = lbp_p_run_pause(r, r->step == end);
  }
  if (!ended && r->result->status == LBP_OK) lbp_p_run_pause(r, 1);
  return lbp_runner_agree(r);
}

/* A chain, its largest log pi, and the unit that has had it; the larger comes first, of equals the earlier chain. */
typedef struct {
  double logp;
  uint32_t chain, unit;
} lbp_p_best;

LBP_FN int lbp_p_run_better(const void *a, const void *b) {
  const lbp_p_best *left = (const lbp_p_best *)a, *right = (const lbp_p_best *)b;
  if (left->logp != right->logp) return left->logp > right->logp ? -1 : 1;
  return left->chain < right->chain ? -1 : 1;
}

/* The best states, best first. */
LBP_FN int lbp_p_run_report_best(lbp_runner *r) {
  lbp_run_result *result = r->result;
  const uint32_t chains = r->run->chains;
  lbp_p_best *best = (lbp_p_best *)lbp_runner_alloc(r, chains, sizeof *best);
  lbp_unit *look = r->run->best > 0 ? lbp_runner_spare(r) : NULL; /* hits go by log pi, to the bit */
  uint32_t k, unit;
  for (k = 0; best && k < chains; k++) {
    best[k].chain = k;
    best[k].unit = k * r->rungs;
    for (unit = best[k].unit; unit < (k + 1) * r->rungs; unit++) { /* of equals the coldest */
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
 * even number of steps; so few that are not accepted don't help. */
LBP_FN int lbp_p_run_has_parity(const lbp_runner *r) {
  const lbp_run_result *result = r->result;
  const double steps = (double)result->draws * r->run->thin;
  if (!(r->c.plan.setting[0] > 0) && result->parameter && result->R != 1) return 0; /* 1 is the least to tune to */
  if (r->parity == LBP_PARITY_TURNED) return r->run->thin % 2 == 0 && (1 - result->accept) * steps < LBP_LEAST_ESS;
  return r->parity == LBP_PARITY_KEPT;
}

/* What is not to be trusted. */
LBP_FN void lbp_p_run_doubt(lbp_runner *r) {
  const lbp_run *run = r->run;
  lbp_run_result *result = r->result;
  const unsigned traits = r->c.plan.sampler->traits;
  const double few = LBP_LEAST_ESS * (double)result->chains, open = r->n - r->c.plan.clamped; /* sites that may move */
  const double fixed = r->c.plan.setting[0];
  uint32_t v, k;
  if (result->draws == 0) {
    result->doubts = run->draws > 0 ? LBP_DOUBT_NO_DRAWS : 0;
    return;
  }
  for (v = 0; v < result->rows; v++) {
    const lbp_run_row *row = &result->row[v];
    if (row->rhat_status == LBP_E_CONSTANT) continue;
    if (row->rhat_status == LBP_E_EQUAL) {
      result->doubts |= LBP_DOUBT_EQUAL;
      continue;
    }
    if (row->rhat_status != LBP_OK || row->rhat > LBP_MOST_RHAT) result->doubts |= LBP_DOUBT_APART;
    if (row->bulk_status != LBP_OK || row->bulk < few) result->doubts |= LBP_DOUBT_SHORT;
    if (row->tail_status == LBP_OK && row->tail < few) result->doubts |= LBP_DOUBT_SHORT;
  }
  if (result->jump == 0 || result->accept < 0.01) result->doubts |= LBP_DOUBT_STUCK;
  if (result->row[0].mean_status == LBP_E_DRAW_NOT_FINITE) result->doubts |= LBP_DOUBT_IMPOSSIBLE;
  if ((traits & LBP_TRAIT_PARITY) && lbp_p_run_has_parity(r)) result->doubts |= LBP_DOUBT_PARITY;
  if ((traits & LBP_TRAIT_SITES) && !(traits & LBP_TRAIT_PATH) && fixed == 0 && open > 1 && result->R > 0.75 * open) {
    result->doubts |= LBP_DOUBT_ALL_OVER;
  }
  if ((traits & LBP_TRAIT_METROPOLIS) && open > 1 && result->jump > 0.9 * open) result->doubts |= LBP_DOUBT_ALL_OVER;
  if (result->tuner_status != LBP_OK) result->doubts |= LBP_DOUBT_UNTUNED;
  for (k = 0; k + 1 < result->rungs; k++) {
    if (result->swaps[k] < LBP_LEAST_SWAPS) result->doubts |= LBP_DOUBT_SWAPS;
  }
  if (lbp_runner_stays(r)) result->doubts |= LBP_DOUBT_TURNOVER;
  if (2 * r->logp_error * r->ladder[0] > LBP_MOST_ROUNDING) result->doubts |= LBP_DOUBT_ROUNDING;
}

/* Puts what `of` says of each unit into excess, which is free at this time, in all processes. */
LBP_FN void lbp_p_run_ask(lbp_runner *r, int (*of)(lbp_runner *r, uint32_t unit)) {
  uint32_t k;
  for (k = 0; k < r->c.count; k++) r->excess[r->c.first + k] = of(r, k);
  lbp_runner_share(r, lbp_runner_first, r->excess, sizeof *r->excess);
}
LBP_FN int lbp_p_run_blocked(lbp_runner *r, uint32_t k) { return r->c.kernel->blocked(lbp_chains_unit(&r->c, k)); }
LBP_FN int lbp_p_run_tuner(lbp_runner *r, uint32_t k) { return r->c.kernel->tuner_status(lbp_chains_tuner(&r->c, k)); }
LBP_FN int lbp_p_run_parity(lbp_runner *r, uint32_t k) { /* of a random R: as of its least; of a tuner's: as if of 1 */
  const double fixed = r->c.plan.setting[0];
  const uint32_t whole = (uint32_t)fixed, R = fixed < 1.5 ? 1 : fixed > whole ? (uint32_t)(fixed - 0.5) : whole;
  if (r->c.kernel->parity) return r->c.kernel->parity(lbp_chains_unit(&r->c, k), r->c.model, &r->c.plan, R);
  return fixed > whole ? LBP_PARITY_FREE : R % 2 == 0 ? LBP_PARITY_KEPT : LBP_PARITY_TURNED;
}

/* Whether steps were refused; what the first tuner says that has not found what it was looking for; and what steps do
 * to the parity of the first chain, which moves what all others do. */
LBP_FN void lbp_p_run_ask_kernel(lbp_runner *r) {
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

/* What the caller gets. */
LBP_FN int lbp_runner_report(lbp_runner *r) {
  lbp_run_result *result = r->result;
  const uint32_t chains = r->run->chains;
  const double draws = (double)lbp_runner_drawn(r) * chains, tries = lbp_runner_tried(r) * chains;
  uint32_t k, v;
  result->draws = lbp_runner_drawn(r);
  result->seconds = lbp_runner_seconds(r);
  lbp_p_run_collect(r, lbp_runner_first, r->best_logp, r->best_logp, sizeof *r->best_logp);
  lbp_p_run_collect(r, lbp_runner_first, r->best, r->best, r->packed);
  lbp_runner_share_all(r);
  lbp_runner_report_marginals(r);
  lbp_p_run_ask_kernel(r);
  if (r->rank > 0 || r->result->status != LBP_OK) return r->result->status;
  result->kept = r->kept;
  result->sampler = r->c.plan.sampler->name;
  result->n = r->n;
  result->values = r->c.plan.values;
  result->parameter = r->c.plan.sampler->parameter;
  result->evaluation = r->c.plan.sampler->evaluation;
  result->chains = chains;
  result->rungs = r->rungs;
  result->rows = lbp_runner_watched(r);
  result->row = (lbp_run_row *)lbp_runner_alloc(r, result->rows, sizeof *result->row);
  result->best_logp = (double *)lbp_runner_alloc(r, chains, sizeof *result->best_logp);
  result->best = (uint8_t *)lbp_runner_alloc(r, chains, lbp_size_times(r->n, r->item));
  result->ladder = (double *)lbp_runner_alloc(r, r->rungs, sizeof *result->ladder);
  result->swaps = (double *)lbp_runner_alloc(r, r->rungs, sizeof *result->swaps);
  if (result->status != LBP_OK) return result->status;
  if (draws > 0) {
    result->accept = r->total.accept / draws;
    result->R = r->total.parameter / draws;
    result->jump = r->total.jump / draws;
    result->evaluations = r->total.evaluations / draws / r->run->thin;
  }
  for (v = 0; v < result->rows; v++) {
    if (draws > 0) {
      lbp_runner_describe(r, v, &result->row[v]);
    } else {
      result->row[v].name = v == 0 ? "lp__" : r->run->column[v - 1].name;
      result->row[v].mean_status = result->row[v].mcse_status = result->row[v].rhat_status = LBP_E_TOO_SHORT;
      result->row[v].bulk_status = result->row[v].tail_status = result->row[v].discrete_status = LBP_E_TOO_SHORT;
    }
  }
  if (lbp_p_run_report_best(r) != LBP_OK) return result->status;
  for (k = 0; k < r->rungs; k++) {
    result->ladder[k] = r->ladder[k];
    result->swaps[k] = tries > 0 ? 1 - lbp_runner_refusals(r, k) / tries : 0;
  }
  lbp_runner_report_trips(r);
  result->log_z_status = lbp_runner_log_z(r);
  lbp_p_run_doubt(r);
  return result->status;
}

/* The beginning of a run: its numbers, its memory, its chains. */
LBP_FN int lbp_runner_begin(lbp_runner *r, const lbp_run *run, const lbp_kernel *kernel, const void *model, uint32_t n,
                            lbp_run_result *result) {
  memset(r, 0, sizeof *r);
  r->result = result;
  r->locks[0] = r->locks[1] = -1;
  r->begin = r->off = r->told = r->saved = lbp_runner_now();
  r->clock = time(NULL);
  if (lbp_runner_plan(run, kernel, n, &r->c.plan, result) != LBP_OK) return result->status;
  if (lbp_runner_judge(run, n, kernel, result) != LBP_OK) return result->status;
  if (lbp_plan_clamp(&r->c.plan, run->clamp) != LBP_OK) {
    return lbp_runner_fail(result, LBP_E_CLAMPED, "clamp: %s", lbp_error(LBP_E_CLAMPED));
  }
  if (lbp_runner_judge_sampler(run, &r->c.plan, kernel, result) != LBP_OK) return result->status;
  r->run = run;
  r->c.kernel = kernel;
  r->c.model = model;
  r->n = n;
  r->rungs = run->rungs;
  r->units = run->chains * run->rungs;
  r->exchange = run->exchange > 0 ? run->exchange : run->thin;
  /* To look at all sites again is n evaluations, or for a dense model one of all log-ratios and one of log pi. */
  r->budget = LBP_P_SEGMENT * (kernel->look ? kernel->look(&r->c.plan) : kernel->local ? (double)n : 3.0);
  r->item = kernel->item_bytes;
  r->packed = r->c.plan.values == 2 && r->item == 1 ? ((size_t)n + 7) / 8 : lbp_size_times(n, r->item);
  r->tuner_words = kernel->tuner_words(&r->c.plan);
  r->every = r->stride = 1;
  r->ranks = 1;
  r->gap = 1;
#if LBP_RUN_MPI
  MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &r->ranks);
#endif
  r->spread = run->rungs > 1 && (uint32_t)r->ranks > run->chains && lbp_runner_group(r) == 1;
  r->c.first = lbp_runner_first(r, r->rank);
  r->c.count = lbp_runner_first(r, r->rank + 1) - r->c.first;
  r->first_chain = lbp_runner_first_chain(r, r->rank);
  r->count_chain = lbp_runner_first_chain(r, r->rank + 1) - r->first_chain;
  if (r->rank == 0 && run->prefix) lbp_runner_lock(r, 0, run->prefix);
  if (r->rank == 0 && run->checkpoint) lbp_runner_lock(r, 1, run->checkpoint);
  if (lbp_runner_agree(r) == LBP_OK) lbp_p_run_make(r);
  if (lbp_runner_agree(r) == LBP_OK && run->metric) lbp_runner_read_metric(r);
  if (lbp_runner_agree(r) == LBP_OK) lbp_runner_tell_given(r);
  if (lbp_runner_agree(r) == LBP_OK && r->rank == 0 && r->print) lbp_runner_fingerprint(r, 0, r->seeded);
  return lbp_runner_agree(r);
}

/* NAME_run, for any kernel: see there; LBP_E_NULL without run, kernel or result. */
LBP_FN int lbp_run_kernel(const lbp_run *run, const lbp_kernel *kernel, const void *model, uint32_t n,
                          lbp_run_result *result) {
  lbp_runner r;
  if (!run || !kernel || !result) return LBP_E_NULL;
  memset(result, 0, sizeof *result);
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
  return result->status;
}

#include "lbp_ais.h"
#include "lbp_anneal.h"
#include "lbp_run_options.h"
#include "lbp_run_json.h"

LBP_EXACT_END

#endif /* LBP_RUN_H */
