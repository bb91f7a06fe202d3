/* lbp/run/want.h - what to run, and what comes of it: options, results, what to do about a result that is in warning.
 *
 * Version 0.8.0. MIT licence, see LICENSE. lbp_run.h includes it.
 */

#ifndef LBP_WANT_H
#define LBP_WANT_H

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

#include "../../lbp_stats.h"
#include "chains.h"

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

/* The drivers can be compiled once for a program of several files, since no model is in them; they take most of the
 * time that it takes to compile a model that runs. Define LBP_LINKED in all files that include lbp_run.h
 * (-DLBP_LINKED), and LBP_IMPLEMENTATION in one of them, best in one that has no model:
 *
 *   #define LBP_IMPLEMENTATION
 *   #include "lbp_run.h"
 *
 * Without them each file has drivers of its own, which no other file sees. The file with LBP_IMPLEMENTATION decides on
 * LBP_RUN_KEPT and OpenMP for all; one of another version, or with another LBP_RUN_MPI, is refused by the linker, which
 * then lacks a function whose name says both. C and C++ files can be mixed. */

#if !defined LBP_LINKED && !defined LBP_IMPLEMENTATION
#define LBP_P_DRIVER LBP_FN
#else
#if defined __cplusplus
#define LBP_P_DRIVER extern "C"
#else
#define LBP_P_DRIVER extern
#endif
#define LBP_P_LINK__(function, version, mpi) function##_of_version_##version##_with_mpi_##mpi
#define LBP_P_LINK_(function, version, mpi)  LBP_P_LINK__(function, version, mpi)
#define LBP_P_LINK(function)                 LBP_P_LINK_(function, LBP_VERSION, LBP_RUN_MPI)
#define lbp_run_kernel    LBP_P_LINK(lbp_run_kernel)
#define lbp_ais_kernel    LBP_P_LINK(lbp_ais_kernel)
#define lbp_anneal_kernel LBP_P_LINK(lbp_anneal_kernel)
#define lbp_run_ones      LBP_P_LINK(lbp_run_ones)
#define lbp_run_site      LBP_P_LINK(lbp_run_site)
#define lbp_run_distance  LBP_P_LINK(lbp_run_distance)
#define lbp_run_print     LBP_P_LINK(lbp_run_print)
#define lbp_ais_print     LBP_P_LINK(lbp_ais_print)
#define lbp_anneal_print  LBP_P_LINK(lbp_anneal_print)
#endif

/* Options, what a run has found, and what NAME_ais has. */
typedef struct lbp_run lbp_run;
typedef struct lbp_run_result lbp_run_result;
typedef struct lbp_ais_result lbp_ais_result;

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

/* Runs compare these functions by address, so a program that is linked has each of them once. */

#if defined LBP_LINKED || defined LBP_IMPLEMENTATION
LBP_P_DRIVER double lbp_run_ones(const lbp_run_column *column, const uint8_t *x, uint32_t n);
LBP_P_DRIVER double lbp_run_site(const lbp_run_column *column, const uint8_t *x, uint32_t n);
LBP_P_DRIVER double lbp_run_distance(const lbp_run_column *column, const uint8_t *x, uint32_t n);
#endif
#if !defined LBP_LINKED || defined LBP_IMPLEMENTATION

/* The mean over sites; of zeros and ones the share of ones: a magnetisation. */
LBP_P_DRIVER double lbp_run_ones(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  uint64_t ones = 0; /* of 256 values and 2^24 sites 32 bits are too few */
  uint32_t i;
  (void)column;
  for (i = 0; i < n; i++) ones += x[i];
  return (double)ones / n;
}

/* One site, column->site. */
LBP_P_DRIVER double lbp_run_site(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return column->site < n ? x[column->site] : 0;
}

/* The Hamming distance to a state, n bytes at column->data. */
LBP_P_DRIVER double lbp_run_distance(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  const uint8_t *reference = (const uint8_t *)column->data;
  uint32_t i, distance = 0;
  for (i = 0; i < n; i++) distance += x[i] != reference[i];
  return distance;
}

#endif /* LBP_LINKED */

LBP_FN int lbp_runner_reads_bytes(const lbp_run_column *column) {
  return column->value == lbp_run_ones || column->value == lbp_run_site || column->value == lbp_run_distance;
}

/* Values of a draw, before those of the columns: log pi; of the steps since the last one the means of acceptance
 * probability, of the parameter (R, sigma, s of AB, time), of evaluations and of distances moved. */
enum { LBP_TAKE_LOGP, LBP_TAKE_ACCEPT, LBP_TAKE_PARAMETER, LBP_TAKE_EVALUATIONS, LBP_TAKE_JUMP, LBP_TAKE_VALUES };

/* Parallel tempering (replica exchange), run.tempering, for instances with LBP_TEMPERED. NAME_ais takes rungs, ladder,
 * adapt and resample of it; NAME_anneal takes rungs and ladder. */
typedef struct {
  uint32_t rungs;       /* * replicas of each chain, 1 to 4096 [1: no swaps]; draws are from the first, at ladder[0],
                           also where it is alone */
  const double *ladder; /* * their `rungs` inverse temperatures, falling [NULL: 1 to 0, evenly] */
  int adapt;            /* * whether warm-up spaces them so that all pairs swap equally often [1] */
  int adapt_ends;       /* * for search: whether warm-up finds the ends of the ladder by log-ratios d at its coldest
                           states: beta |d| is log 100 for the smallest that matter, but beta not below ladder[0], or 1;
                           without `ladder` it is log 2 for the largest at the hot end, else that is kept. Draws are
                           then from pi^result.ladder[0], and log Z is of that [0] */
  uint32_t swap_every;  /* * steps between swaps, a divisor of thin [0: thin] */
  double resample;      /* of NAME_ais: population annealing, see lbp/run/ais.h: chains are resampled as soon as their
                           effective number falls below this share of a population, 1: at every rung [0: never] */
} lbp_run_tempering;

/* Simulated annealing, run.annealing, of NAME_anneal alone. */
typedef struct {
  uint64_t sweeps;      /* * steps of a chain, which is a read, up to 2^32 - 2 [0: as many as fit into `seconds`, or
                           1000 without these] */
  int schedule;         /* * LBP_SCHEDULE_LINEAR [that], _GEOMETRIC: beta from `hot` to `cold`; or tempering.ladder has
                           the tempering.rungs values of beta, the last one first, for as many steps each */
  double hot, cold;     /* * inverse temperatures, up to 1e30 [0: found from the model's log-ratios; where `cold` is,
                           the last 32nd of all steps quench, at ten times that] */
  double parameter_end; /* * of samplers that take R sites: R at the last step, to which it goes from run.parameter by
                           equal factors [0: run.parameter, which is tuned where it is not given] */
} lbp_run_annealing;

/* Steps with a momentum, run.momentum, of LBP_SAMPLER_MOMENTUM alone: see NAME_momentum_step. Nothing tunes them. */
typedef struct {
  double eps;   /* * how much of the momentum is kept from step to step, 0 to below 1 [LBP_MOMENTUM_EPS, 0.8] */
  double relax; /* * the probability with which a site is over-relaxed, 0 to 1 [LBP_MOMENTUM_RELAX, 0.4] */
} lbp_run_momentum;

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
                        _SKIP_METROPOLIS, _CLOCK, _PATH, with LBP_LANES _LANES; with LBP_GROUP: LBP_SAMPLER_SWAP
                        [that], _SWAP_PATH, _KAWASAKI, _SWAP_SWEEP; of lbp_ab.h: LBP_SAMPLER_AB [that], _DLP, _RWM,
                        _GIBBS, _MOMENTUM; of lbp_perm.h: LBP_SAMPLER_ROW [that], _PAIRS, _EXCHANGE. A step of Gibbs,
                        Metropolis, LANES or EXCHANGE is a sweep */
  double parameter;  /* * the one that the sampler has: R, sites per step, a whole number, or the mean of a random R;
                        sigma, the scale of DLP and of lbp_ab.h's RWM; or the time of a step of the clock. Samplers
                        without one, and AB, refuse it [0: tuned during warm-up; R of paths is about 4, or n / 16 if
                        that is more, up to a million, swaps half as many] */
  double jumps;      /* * of the clock: a step, to tune time to [0: 4, of local models n / 16 if that is more] */
  const void *curvature; /* * of lbp_ab.h's AB: a NAME_curvature that all chains use, maybe of a Hessian [NULL: each
                        estimates its own in its warm-up, for which NAME_adaptive_bytes(n) bytes are needed]; of its
                        momentum steps: the Hessian's, made with exact = 1; required */
  double target;     /* * acceptance rate to tune to [0: 0.574 for LBP, GWG and DLP, 0.234 for RWM] */
  const char *metric; /* * of NAME_run: a PREFIX_metric.json of an earlier run, whose chain k, and of fewer the next
                        from the first again, has tuned what chain k takes: its parameter, a shift, a curvature, and
                        the ladder; but a parameter and a ladder that are given here come first. Nothing is tuned
                        then: a warm-up, if any, is of the states [NULL: tuned during warm-up] */
  int shared;        /* * whether all chains share one tuner [0: each its own]; then they take warm-up steps in step */
  uint32_t together; /* * of LBP_SAMPLER_LBP or _SWAP with LBP_DELTAS_MANY: chains, with tempering replicas of a chain,
                        that ask the model at the same time, up to 256 [0: each by itself]. Of LBP_SAMPLER_LANES:
                        chains, or replicas, in a word [0: LBP_LANES] */
  uint32_t values;   /* * of lbp_ab.h without LBP_STATES: a site is 0 ... values - 1 [0: refused there] */
  uint64_t seed;     /* * [1] */
  uint32_t chains;   /* * [4] */
  uint32_t warmup;   /* * steps before the first draw, while parameter and ladder are tuned [1000] */
  uint64_t draws;    /* of each chain [1000]; may be larger when a run is resumed */
  uint32_t thin;     /* * steps per draw [1] */
  uint32_t check;    /* trials of NAME_check before anything else, at the first chain's start [1]; 0: none */
  void (*start)(const void *start_data, uint32_t chain, uint8_t *x, uint32_t n); /* sets x; [NULL: uniform] */
  const void *start_data;
  const uint8_t *clamp; /* * n bytes: sites where they are not 0 never move, in all chains, and the others are drawn
                        given these [NULL: all move]. Needs LBP_CLAMPED, with lbp_ab.h LBP_CLAMPED, and `start`,
                        which gives clamped sites their values, the same in all chains; it finds x at random, and may
                        leave the others so */

  lbp_run_tempering tempering; /* of NAME_run, and in part of NAME_ais and NAME_anneal */
  lbp_run_annealing annealing; /* of NAME_anneal alone */
  lbp_run_momentum momentum;   /* of LBP_SAMPLER_MOMENTUM alone */

  /* when to stop, besides after `draws` */
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
                        PREFIX_metric.json: see lbp/run/json.h; its folder must be there [NULL: nowhere] */
  const lbp_run_column *column; /* statistics besides lp__ */
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
  run->momentum.eps = LBP_MOMENTUM_EPS;
  run->momentum.relax = LBP_MOMENTUM_RELAX;
  run->chains = 4;
  run->warmup = 1000;
  run->draws = 1000;
  run->thin = run->check = 1;
  run->tempering.rungs = 1;
  run->tempering.adapt = 1;
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

/* What a run that ended well warns about: bits of lbp_run_result's warnings. lbp_run_advice has a sentence for each. */
enum {
  LBP_WARN_RHAT = 1,           /* an R-hat above LBP_MOST_RHAT, or none could be computed */
  LBP_WARN_ESS = 2,            /* fewer effective samples than LBP_LEAST_ESS a chain */
  LBP_WARN_STUCK = 4,          /* hardly any move is accepted */
  LBP_WARN_PARITY = 8,         /* R is fixed, and even or all that can move, or thin is even and all steps are accepted:
                                  half of the states are never drawn */
  LBP_WARN_SWAPS = 16,         /* a pair of rungs that swaps less often than LBP_LEAST_SWAPS */
  LBP_WARN_IMPOSSIBLE = 32,    /* draws whose log pi is -infinity */
  LBP_WARN_ALL_SITES = 64,     /* R was tuned to nearly n, or Metropolis sweeps flip nearly all sites, back and forth */
  LBP_WARN_NO_DRAWS = 128,     /* the run ended before the first draw, though draws were requested */
  LBP_WARN_UNTUNED = 256,      /* a tuner has not reached its target: tuner_status says why */
  LBP_WARN_ROUND_TRIPS = 512,  /* no replica made a round trip, where LBP_MANY_TRIPS or more were expected */
  LBP_WARN_REACH = 1024,       /* log Z is of all possible states, and moves may not reach all of these */
  LBP_WARN_EQUAL_CHAINS = 2048, /* two chains have the same draws */
  LBP_WARN_ROUNDING = 4096,    /* log pi is so large that rounding moves its differences by more than LBP_MOST_ROUNDING;
                                  in annealing: rounding hides differences that the cold end tells apart */
  LBP_WARN_FEW_LANES = 8192    /* words of LBP_SAMPLER_LANES with fewer than LBP_LEAST_LANES chains */
};

/* Thresholds of these warnings: the R-hat up to which chains agree; effective samples a chain; the share of swaps;
 * expected round trips of all chains. */
#define LBP_MOST_RHAT   1.01
#define LBP_LEAST_ESS   100.0
#define LBP_LEAST_SWAPS 0.02
#define LBP_MANY_TRIPS  10.0

/* Chains of a word, each replica one, from which on lanes are the faster sweeps. */
#define LBP_LEAST_LANES 16.0

/* How far rounding may move a log-ratio at the chain's temperature. */
#define LBP_MOST_ROUNDING 1e-3

/* What to do about one of them: sentences on lines of up to 78 characters, which begin with two spaces from the second
 * on. */
LBP_FN const char *lbp_run_advice(unsigned warning) {
  switch (warning) {
    case LBP_WARN_RHAT:
      return "R-hat above 1.01: the chains do not agree yet, so trust no number here. Run\n"
             "  longer (warmup, draws, thin), or temper (tempering.rungs).";
    case LBP_WARN_ESS:
      return "Fewer than 100 effective samples a chain: errors and R-hat are guesses. Run\n"
             "  longer (draws, thin), or try another sampler.";
    case LBP_WARN_STUCK:
      return "Hardly any move is accepted. Set a smaller parameter, or let it be tuned\n"
             "  (parameter = 0). If some states are impossible and single flips connect the\n"
             "  others, take paths (LBP_SAMPLER_PATH).";
    case LBP_WARN_PARITY:
      return "Between draws lie an even number of moves, or all that can be made: half of\n"
             "  the states, such as those with an odd number of ones, are never drawn. Let R\n"
             "  be tuned (parameter = 0), give it a half, as 3.5, which is random, or make\n"
             "  both R and thin odd.";
    case LBP_WARN_SWAPS:
      return "Rungs hardly ever swap with the next: hot replicas do not help cold ones, and\n"
             "  log Z is a guess. Use more rungs, or a longer warm-up, which spaces them.";
    case LBP_WARN_IMPOSSIBLE:
      return "Impossible states were drawn. Begin in a possible one (start), or warm up\n"
             "  longer.";
    case LBP_WARN_ALL_SITES:
      return "Moves flip nearly all sites, and back: R was tuned to that, or sweeps of\n"
             "  Metropolis flip free sites. Set parameter to a tenth of the sites, or use\n"
             "  Gibbs.";
    case LBP_WARN_NO_DRAWS:
      return "No draws: the run ended in its warm-up. Give it more time (seconds); with a\n"
             "  checkpoint, call it again, and it continues.";
    case LBP_WARN_UNTUNED:
      return "The warm-up found no helpful curvature, so steps are first order: right, but\n"
             "  maybe slow. Warm up longer, give a curvature, or use DLP or Gibbs.";
    case LBP_WARN_ROUND_TRIPS:
      return "Pairs of rungs swap, but no replica went from the hottest to the coldest and\n"
             "  back: hot ones do not help cold ones. Make the hot end hotter\n"
             "  (tempering.ladder), or take more steps between swaps (tempering.swap_every,\n"
             "  thin).";
    case LBP_WARN_REACH:
      return "Some states are impossible, and moves may not connect all the others: log Z\n"
             "  is wrong by the states that they miss. Take steps of single moves (R = 1,\n"
             "  sweeps, paths), or NAME_ais, which does not need connected states.";
    case LBP_WARN_EQUAL_CHAINS:
      return "Two chains have the same draws, one by one, and count as one. Give each its\n"
             "  own random numbers.";
    case LBP_WARN_ROUNDING:
      return "Float rounds away small differences of log pi: log pi is large, or the model\n"
             "  has too large and too small terms for a cold end like this one. Use double\n"
             "  (LBP_REAL, LBP_MODELS_REAL), or subtract a constant from log pi.";
    case LBP_WARN_FEW_LANES:
      return "Lanes of few chains: right, but a word of one costs as much as of 256. Take 64\n"
             "  chains or more (chains, tempering.rungs), or sweeps of Metropolis.";
    default: return "no warning";
  }
}

/* What a run has found. */
struct lbp_run_result {
  int status;          /* LBP_OK, or what went wrong ... */
  char message[512];   /* ... in a sentence */
  uint32_t site, other; /* if it is the model, by NAME_check or in a checked build: where ... */
  double got, want;    /* ... and the two values that should agree */
  unsigned warnings;     /* what is not to be trusted though nothing went wrong: LBP_WARN_RHAT and the like, or 0 */
  int ended;           /* LBP_END_COMPLETE and the like */
  int resumed;         /* whether it went on from a checkpoint */
  uint64_t draws;      /* of each chain, those before a resumption too */
  double seconds;      /* of warm-up and sampling, likewise */
  double accept, jump, parameter, evaluations; /* means per step, over all chains' draws */
  int blocked;         /* of local models: whether a step of several flips was refused, in this call, since one of them
                          was impossible; LBP_SAMPLER_PATH and _GIBBS avoid that; with MPI of the first process's
                          chains */
  const char *parameter_name; /* "R", "sigma", "s" of AB, "time"; NULL: there is none, as with Gibbs */
  const char *evaluation; /* what an evaluation is, as "gradients" */
  int tuner_status;    /* LBP_OK, or the first chain's reason, see LBP_WARN_UNTUNED; lbp_error has the sentence */
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
  /* of NAME_anneal, besides the best states: */
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
                          LBP_WARN_REACH */
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

/* Seconds on a clock that is never set back, from whenever it began. */
LBP_FN double lbp_run_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sets *stop, the one that run.stop points to, to 1. Another thread may do so while the run goes on, for which a plain
 * assignment would be a data race; so may a signal handler. */
LBP_FN void lbp_run_stop(volatile sig_atomic_t *stop) {
#if defined __GNUC__
  __atomic_store_n(stop, 1, __ATOMIC_RELAXED);
#else
  *stop = 1;
#endif
}

/* ---- what annealed importance sampling finds --------------------------------------------------------------------- */

/* What a result of NAME_ais warns about: bits of lbp_ais_result's warnings. lbp_ais_advice has a sentence for each. */
enum {
  LBP_WARN_AIS_WEIGHTS = 1,  /* weights are too uneven, in the last pass or in the one before, which tunes: fewer
                                effective ones than LBP_AIS_LEAST_WEIGHTS allows, a Pareto k above
                                LBP_AIS_MOST_PARETO_K, populations that differ more than LBP_AIS_MOST_UNEVEN; or the
                                weight of one state found exceeds Z */
  LBP_WARN_AIS_CHAINS = 2,   /* one chain, or with resampling fewer populations than LBP_AIS_LEAST_POPULATIONS */
  LBP_WARN_AIS_FAMILIES = 4, /* with resampling: fewer effective families than LBP_AIS_LEAST_FAMILIES in either pass, or
                                LBP_AIS_MOST_UNEQUAL times fewer than there are: some are far larger than the rest */
  LBP_WARN_AIS_ALL_SITES = 8 /* R is fixed, and above 1 + an eighth of what can move: see LBP_AIS_PART */
};

/* What annealing finds, the same in all processes. The weights' mean is unbiased for Z; an effective number of weights
 * far below the number of chains says that the error is not to be trusted: more rungs, or more steps on each. With
 * resampling weights are nearly equal at the end whatever went before: there the number of families tells. It is
 * that of chains which would be worth as much if steps never parted relatives; [W]'s rho is chains / that number. */
struct lbp_ais_result {
  int status;
  char message[512];
  unsigned warnings;         /* bits, LBP_WARN_AIS_WEIGHTS and so on, where nothing failed; or 0 */
  double log_z, log_z_se;    /* log of the sum of pi over all states; its standard error, NaN where one chain or
                                population can't tell */
  double weights;            /* the effective number of weights, (sum w)^2 / sum w^2, of all chains' */
  double pareto_k;           /* how heavy their tail is, see lbp_pareto_k; NaN where there are too few, or all alike */
  double accept, seconds;    /* acceptance rate, wall time */
  double best_logp;          /* the largest log pi of a state at the end of a rung, of all chains and passes ... */
  uint8_t *best;             /* ... and the state, n items; NULL where status is not LBP_OK */
  uint32_t populations;      /* with resampling: their number; of one there is no error. Else 0 */
  uint32_t families;         /* chains at beta = 0 that have descendants at the end; without resampling all */
  double effective_families; /* 1 / sum of squares of each one's share in Z; without resampling `weights` */
  const char *sampler;       /* the sampler's name ... */
  uint32_t n, values;        /* ... and what it moves: n sites with values 0 ... values - 1, or fewer */
};

/* Frees what a result holds; harmless on zeroed and freed ones. */
LBP_FN void lbp_ais_free(lbp_ais_result *result) {
  free(result->best);
  result->best = NULL;
}

/* How many effective weights there should be, times the root of the number of chains whose weight is not 0: of weights
 * with a normal logarithm the mean square of (log Z - exact) / error is 1.25 there, for 50 to 2000 chains. And the
 * Pareto k above which no mean of weights can be trusted. */
#define LBP_AIS_LEAST_WEIGHTS 4.0
#define LBP_AIS_MOST_PARETO_K 0.7

/* With resampling: effective families, two in each of 16 populations; populations, with fewer of which that mean
 * square is above 1.25 by Student's t; the variance of what they find, relative to Z^2, above which the log of their
 * mean is a guess. */
#define LBP_AIS_LEAST_FAMILIES    32.0
#define LBP_AIS_LEAST_POPULATIONS 12
#define LBP_AIS_MOST_UNEVEN       0.5

/* How many times more families there may be than effective ones. Of 24 models by 10 seeds, and six of them by 20 more,
 * 2.17 was the most; where a first-order transition leaves a few chains with all the weight, it was 2.5 and more.
 * Weights that are resampled late differ by themselves, by up to 1 / `resample`: then it is not looked at. */
#define LBP_AIS_MOST_UNEQUAL      2.35

/* R is tuned to a part of what can move, an eighth, and half of one more. */
#define LBP_AIS_PART 8

/* What to do about one of them, as lbp_run_advice has it. */
LBP_FN const char *lbp_ais_advice(unsigned warning) {
  switch (warning) {
    case LBP_WARN_AIS_WEIGHTS:
      return "Log Z rests on a few chains, and its error is a guess. Take more rungs, more\n"
             "  steps on each (thin), or more chains.";
    case LBP_WARN_AIS_CHAINS:
      return "One chain, or a few populations, cannot measure the error. Take 96 chains or\n"
             "  more, better 128.";
    case LBP_WARN_AIS_FAMILIES:
      return "A few of the first chains are the ancestors of nearly all that counts. Unless\n"
             "  steps mix well at the end, take more rungs, more steps (thin), or more chains.";
    case LBP_WARN_AIS_ALL_SITES:
      return "R is more than an eighth of the sites that can move: at small beta such steps\n"
             "  flip sites back and forth, and the error is too small. Let R be tuned\n"
             "  (parameter = 0), or use the default sampler.";
    default: return "no warning";
  }
}

#endif /* LBP_WANT_H */
