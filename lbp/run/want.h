/* lbp/run/want.h - options and results of runs, and advice for their warnings.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it.
 */

#ifndef LBP_WANT_H
#define LBP_WANT_H

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#if defined _OPENMP
#include <omp.h>
#endif

#include "../../lbp_stats.h"
#include "../base/platform.h"
#include "chains.h"

/* 1: chains are spread over the processes of MPI_COMM_WORLD. */
#ifndef LBP_RUN_MPI
#define LBP_RUN_MPI 0
#endif
#if LBP_RUN_MPI
#include <mpi.h>
#endif

/* The first process keeps up to twice this number of draws of all chains and columns together, for R-hat and the like:
 * 8 bytes each, in memory and in checkpoints. */
#ifndef LBP_RUN_KEPT
#define LBP_RUN_KEPT (1u << 23)
#endif

/* A program of several files can compile the drivers once, as they contain no model; they take most of the time of
 * compiling a model with lbp_run.h. Define LBP_LINKED in all files that include lbp_run.h (-DLBP_LINKED), and
 * LBP_IMPLEMENTATION in one of them, preferably one without a model:
 *
 *   #define LBP_IMPLEMENTATION
 *   #include "lbp_run.h"
 *
 * Without them each file has its own drivers, which are static. The file with LBP_IMPLEMENTATION decides on
 * LBP_RUN_KEPT and OpenMP for all. A file of another version, or with another LBP_RUN_MPI, does not link: the linker
 * reports a missing function whose name contains both. C and C++ files can be mixed. */

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

/* Options, results of a run, and results of NAME_ais. */
typedef struct lbp_run lbp_run;
typedef struct lbp_run_result lbp_run_result;
typedef struct lbp_ais_result lbp_ais_result;

/* ---- options of a run -------------------------------------------------------------------------------------------- */

/* Destination of states: none; the CSV, a column for each site; PREFIX_K_states.npy, a row for each draw: bits if sites
 * have two values (numpy.unpackbits(a, axis=1)[:, :n] unpacks them), otherwise whole numbers; only run.on_draw. */
enum { LBP_STATES_NONE, LBP_STATES_CSV, LBP_STATES_NPY, LBP_STATES_PASSED };

/* Marginals of all sites: none; the frequency of each value in the draws of all chains; or means over draws of pi(x_i =
 * v | all other sites) (Rao-Blackwell), which have smaller errors, and come with standard errors. */
enum { LBP_MARGINALS_NONE, LBP_MARGINALS_COUNTED, LBP_MARGINALS_CONDITIONAL };

/* Schedule of inverse temperatures in annealing: equal steps, or equal factors. */
enum { LBP_SCHEDULE_LINEAR, LBP_SCHEDULE_GEOMETRIC };

/* A statistic to record: a column of the CSV and a row of the summary. `value` gets its own column and a state; it may
 * be called for several chains at once. With a checkpoint it is also called for other possible states, by which a
 * resumed run recognises it: a function that has changed under its old name is rejected. (If your own kernel has items
 * of 2 or 4 bytes, here and below x points to these, and `n bytes` are n items.) */
typedef struct lbp_run_column lbp_run_column;
struct lbp_run_column {
  const char *name; /* letters, digits, '_' and '.'; unique; must not end with "__" (reserved for Stan's); with
                       LBP_STATES_CSV must not be "x." and a digit first, which are sites */
  double (*value)(const lbp_run_column *column, const uint8_t *x, uint32_t n);
  const void *data; /* yours */
  uint32_t site;    /* yours */
};

/* Runs compare these functions by address, so a linked program has each of them once. */

#if defined LBP_LINKED || defined LBP_IMPLEMENTATION
LBP_P_DRIVER double lbp_run_ones(const lbp_run_column *column, const uint8_t *x, uint32_t n);
LBP_P_DRIVER double lbp_run_site(const lbp_run_column *column, const uint8_t *x, uint32_t n);
LBP_P_DRIVER double lbp_run_distance(const lbp_run_column *column, const uint8_t *x, uint32_t n);
#endif
#if !defined LBP_LINKED || defined LBP_IMPLEMENTATION

/* Returns the mean over sites; of zeros and ones the share of ones, a magnetisation. */
LBP_P_DRIVER double lbp_run_ones(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  uint64_t ones = 0; /* of 256 values and 2^24 sites 32 bits are too few */
  uint32_t i;
  (void)column;
  for (i = 0; i < n; i++) ones += x[i];
  return (double)ones / n;
}

/* Returns the value of one site, column->site, below n. */
LBP_P_DRIVER double lbp_run_site(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return column->site < n ? x[column->site] : 0;
}

/* Returns the Hamming distance to a state, n bytes at column->data. */
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

/* Values of a draw, before those of the columns: log pi; of the steps since the last draw the means of acceptance
 * probability and parameter (R, sigma, s of AB, time), all evaluations, and the mean of distances moved. */
enum { LBP_DRAW_LOGP, LBP_DRAW_ACCEPT, LBP_DRAW_PARAMETER, LBP_DRAW_EVALUATIONS, LBP_DRAW_JUMP, LBP_DRAW_VALUES };

/* Parallel tempering (replica exchange), run.tempering, for instances with LBP_TEMPERED. NAME_ais uses rungs, ladder,
 * adapt and resample; NAME_anneal uses rungs and ladder. */
typedef struct {
  uint32_t rungs;       /* * replicas of each chain, 1 to 4096 [1: no swaps]; draws are those of the first, at
                           ladder[0], even if it is the only one */
  const double *ladder; /* * their `rungs` inverse temperatures, falling [NULL: 1 to 0, evenly] */
  int adapt;            /* * whether warm-up spaces them so that all pairs swap equally often [1] */
  int adapt_ends;       /* * for search: 1: warm-up finds the ends of the ladder from log-ratios d at its coldest
                           states. The cold end makes beta |d| = log 100 for the smallest that matter, but not below
                           ladder[0], or 1. Without `ladder` the hot end makes it log 2 for the largest, otherwise it is
                           kept. Draws are then from pi^result.ladder[0], and log Z is that of this law [0] */
  uint32_t swap_every;  /* * steps between swaps, a divisor of thin [0: thin] */
  int swap_parts;       /* * of NAME_run, for local models of lbp.h: 1: replicas exchange connected parts of their
                           states, each by itself, as NAME_swap_parts does: replicas of one rung two by two, those of
                           neighbouring rungs every other time, in turn with whole states. Needs rungs or replicas above
                           1. If the warm-up shows that one part is nearly all of a difference, only whole states are
                           swapped [0] */
  uint32_t replicas;    /* * of NAME_run: replicas at each rung, 1 to 64; more than one need swap_parts. Together they
                           are one chain, whose draws are those of the first: they are not independent, so no R-hat or
                           error may compare them [1] */
  double resample;      /* of NAME_ais: population annealing, see lbp/run/ais.h: resamples chains as soon as their
                           effective number falls below this share of a population; 1: at every rung [0: never] */
} lbp_run_tempering;

/* Simulated annealing, run.annealing, for NAME_anneal only. */
typedef struct {
  uint64_t sweeps;      /* * steps of a chain (a read), up to 2^32 - 2 [0: as many as fit into `seconds`, or 1000
                           without these] */
  int schedule;         /* * LBP_SCHEDULE_LINEAR [that], _GEOMETRIC: beta from `hot` to `cold`. Or tempering.ladder has
                           the tempering.rungs values of beta, in reverse order, for equally many steps each */
  double hot, cold;     /* * inverse temperatures, up to 1e30 [0: found from the model's log-ratios; if `cold` is, the
                           last 32nd of all steps quenches, at ten times that] */
  double parameter_end; /* * of samplers of R sites: R at the last step, reached from run.parameter by equal factors [0:
                           run.parameter, which is tuned if it is not given] */
} lbp_run_annealing;

/* Steps with a momentum, run.momentum, for LBP_SAMPLER_MOMENTUM only: see NAME_momentum_step. They are not tuned. */
typedef struct {
  double eps;   /* * the share of the momentum kept from step to step, in [0, 1) [LBP_MOMENTUM_EPS, 0.8] */
  double relax; /* * the probability to over-relax a site, in [0, 1] [LBP_MOMENTUM_RELAX, 0.4] */
} lbp_run_momentum;

/* Options of a run. lbp_run_init sets the defaults, in brackets. Options marked * determine the draws: a run rejects a
 * checkpoint with other values. Strings and arrays must outlive the run.
 *
 * All callbacks, the model's and those below, must return. A C++ exception or longjmp out of a callback leaks the run's
 * memory, and leaves its files open and locked; in a thread of OpenMP it ends the program. To end a run from a
 * callback, catch the exception there, keep it (std::exception_ptr), set `stop` by lbp_run_stop, and rethrow it after
 * NAME_run has returned. */
struct lbp_run {
  /* the sampler */
  int sampler;       /* * of lbp.h: LBP_SAMPLER_LBP [that], _GWG, _RWM, _GIBBS, _METROPOLIS, _SKIP_GIBBS,
                        _SKIP_METROPOLIS, _CLOCK, _PATH; with couplings _SWENDSEN_WANG, _WOLFF; with LBP_LANES _LANES;
                        with LBP_GROUP: LBP_SAMPLER_SWAP [that], _SWAP_PATH, _KAWASAKI, _SWAP_SWEEP; of lbp_ab.h:
                        LBP_SAMPLER_AB [that], _DLP, _RWM, _GIBBS, _MOMENTUM; of lbp_perm.h: LBP_SAMPLER_ROW [that],
                        _PAIRS, _EXCHANGE. A step of Gibbs, Metropolis, LANES or EXCHANGE is a sweep */
  double parameter;  /* * parameter of the sampler: R, sites per step, a whole number, or the mean of a random R; sigma,
                        the scale of DLP and of lbp_ab.h's RWM; or the time of a step of the clock. Samplers without a
                        parameter, and AB, reject it [0: tuned during warm-up; R of paths is about 4, or n / 16 if that
                        is more, up to a million, swaps half as many] */
  double clock_jumps; /* * of the clock: jumps a step, to tune time to [0: 4, of local models n / 16 if that is more] */
  const void *curvature; /* * of lbp_ab.h's AB: a NAME_curvature that all chains use, for example of a Hessian [NULL:
                            each chain estimates its own in its warm-up, which takes NAME_adaptive_bytes(n) bytes]. Its
                            momentum steps require that of the Hessian, made with exact = 1 */
  double target;     /* * acceptance rate to tune to [0: 0.574 for LBP, GWG and DLP, 0.234 for RWM] */
  const char *metric; /* * of NAME_run: a PREFIX_metric.json of an earlier run. Chain k takes the tuned parameter,
                         shift, curvature and ladder of that run's chain k (if it had fewer chains, they are reused in
                         turn; each of tempering.replicas counts as a chain); a parameter and a ladder given here take
                         precedence. Nothing is tuned then: a warm-up, if any, only moves the states [NULL: tuned during
                         warm-up] */
  int shared_tuner;  /* * 1: all chains share one tuner, and take warm-up steps together [0: each has its own] */
  uint32_t batch;    /* * of LBP_SAMPLER_LBP or _SWAP with LBP_DELTAS_MANY: chains, with tempering replicas of a chain,
                        that call the model together, up to 256 [0: each alone]. Of LBP_SAMPLER_LANES: chains, or
                        replicas, in a word [0: LBP_LANES] */
  uint32_t values;   /* * of lbp_ab.h without LBP_STATES, where it is required: a site is 0 ... values - 1 [0] */
  uint64_t seed;     /* * [1] */
  uint32_t chains;   /* * [4] */
  uint32_t warmup;   /* * steps before the first draw, while parameter and ladder are tuned [1000] */
  uint64_t draws;    /* of each chain [1000]; may be larger when a run is resumed; a run that has more keeps them */
  uint32_t thin;     /* * steps per draw [1] */
  uint32_t check_trials; /* trials of NAME_check before anything else, at the first chain's start [1]; 0: none */
  void (*start)(const void *start_data, uint32_t chain, uint8_t *x, uint32_t n); /* sets x; [NULL: uniform] */
  const void *start_data;
  const uint8_t *clamp; /* * n bytes: sites i with clamp[i] != 0 never move, in all chains, and the others are drawn
                           given these [NULL: all move]. Needs LBP_CLAMPED, also with lbp_ab.h, and `start`, which sets
                           the values of clamped sites, the same in all chains; `start` gets a random x, and may leave
                           the other sites unchanged */

  lbp_run_tempering tempering; /* of NAME_run; NAME_ais and NAME_anneal use a part */
  lbp_run_annealing annealing; /* only of NAME_anneal */
  lbp_run_momentum momentum;   /* only of LBP_SAMPLER_MOMENTUM */

  /* when to stop, other than after `draws` */
  double seconds;    /* of wall time in this call, not of NAME_ais [0: no limit]; a resumed run advances by at least
                        one step, if that takes no longer than this */
  double rhat;       /* as soon as every column has at most this R-hat [0: never; else 1 or more], and ... */
  double ess;        /* ... at least this bulk ESS, and tail ESS if there are tails, over all chains [0]; it needs rhat.
                        Both are those of the draws kept, up to 2047 a chain, see LBP_RUN_KEPT; for a target above
                        1024 a chain they are scaled up to all draws, by batch means */
  const volatile sig_atomic_t *stop; /* the run stops if it is not 0, for example after a signal; other threads set it
                                        by lbp_run_stop [NULL] */
  int signals;       /* 1: SIGTERM and SIGINT (Ctrl-C) stop the run, too; a second one ends the program. For one run at
                        a time: your own handlers are back in place afterwards [0] */

  /* files */
  const char *name;   /* * of the model ["lbp"] */
  const char *prefix; /* draws go to PREFIX_1.csv ..., options to PREFIX_config.json, tuned parameters to
                         PREFIX_metric.json: see lbp/run/json.h; the folder must exist [NULL: no files] */
  const lbp_run_column *column; /* statistics in addition to lp__ */
  uint32_t columns;   /* * their number, up to 1000 [0] */
  int save_states;    /* * LBP_STATES_NONE [that], _CSV, _NPY: need prefix or on_draw; _PASSED: needs on_draw */
  int marginals;      /* * LBP_MARGINALS_NONE [that]; _COUNTED: takes 4 n bytes a chain, up to 2^32 - 1 draws;
                         _CONDITIONAL: takes a look at all sites per draw, and 136 n bytes a chain. S times as many
                         bytes if sites have S > 2 values */
  int digits;         /* * significant digits in the CSV, 1 to 17 [8] */
  uint32_t best_states; /* of NAME_run, NAME_anneal: up to this number of different states of result.best, at most one a
                         chain, go to PREFIX_best.npy, rows as of LBP_STATES_NPY, and PREFIX_best.csv: rank, log pi,
                         number of chains whose best it is; also counts result.hits and .different [0] */
  const char *checkpoint;    /* a file [NULL: none]. If it exists, the run resumes from it. A symbolic link is replaced
                                by a file, not followed */
  double checkpoint_seconds; /* between checkpoints [600]; there is also one after the warm-up, and one at the end */
  void (*on_draw)(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x); /* gets each
                        draw, in the first process, not in two threads at once; those of a chain in their order, `draw`
                        counting from 0, but those before a resumption. data: on_draw_data; values[]: LBP_DRAW_LOGP and
                        the like, then the columns'; x: the state, n bytes, to be read until it returns, or with
                        LBP_STATES_NONE NULL [NULL] */
  void *on_draw_data;

  /* output */
  FILE *progress; /* progress: on a terminal in one line, otherwise in lines that become rarer [NULL] */
  void (*on_progress)(void *data, const char *line, int last); /* instead of it: gets the line up to twice a second, in
                                                                  the first process and the calling thread; data:
                                                                  on_progress_data; `last`: no other call follows
                                                                  [NULL] */
  void *on_progress_data;
  FILE *summary;  /* a table at the end, with advice if there are warnings [NULL]; for example stdout */
};

/* Sets all options to their defaults. */
LBP_COLD void lbp_run_init(lbp_run *run) {
  memset(run, 0, sizeof *run);
  run->sampler = LBP_SAMPLER_DEFAULT;
  run->seed = 1;
  run->momentum.eps = LBP_MOMENTUM_EPS;
  run->momentum.relax = LBP_MOMENTUM_RELAX;
  run->chains = 4;
  run->warmup = 1000;
  run->draws = 1000;
  run->thin = run->check_trials = 1;
  run->tempering.rungs = run->tempering.replicas = 1;
  run->tempering.adapt = 1;
  run->name = "lbp";
  run->digits = 8;
  run->checkpoint_seconds = 600;
}

/* Why a run ended. */
enum {
  LBP_END_COMPLETE,    /* all draws are done */
  LBP_END_CONVERGED,   /* rhat and ess have reached the limits of the options */
  LBP_END_OUT_OF_TIME, /* `seconds` are over */
  LBP_END_STOPPED      /* *stop is not 0 */
};

/* Diagnostics of a column. A status is LBP_OK, or the reason why there is no number (lbp_error returns its text). */
typedef struct {
  const char *name;
  int mean_status, mcse_status, rhat_status, ess_bulk_status, ess_tail_status, discrete_status;
  double mean, mcse;            /* of all draws */
  double sd, q5, median, q95;   /* of the draws kept for diagnostics, like all that follows */
  double rhat, ess_bulk, ess_tail; /* rank-normalised split R-hat; effective sample sizes over all chains */
  lbp_frequencies discrete;     /* of whole numbers: the most frequent one and the entropy */
} lbp_run_row;

/* Warnings of a run without an error: bits of lbp_run_result's warnings. lbp_run_advice returns advice for each. */
enum {
  LBP_WARN_RHAT = 1,           /* an R-hat above LBP_MOST_RHAT, or none could be computed though draws vary */
  LBP_WARN_ESS = 2,            /* fewer effective samples than LBP_LEAST_ESS a chain */
  LBP_WARN_STUCK = 4,          /* hardly any move is accepted */
  LBP_WARN_PARITY = 8,         /* R is fixed and even, or equal to the number of sites that can move, or thin is even
                                  and all steps are accepted, for Wolff with clusters that are all single
                                  sites, or all sites: half of the states are never drawn */
  LBP_WARN_SWAPS = 16,         /* a pair of rungs that swaps less often than LBP_LEAST_SWAPS */
  LBP_WARN_IMPOSSIBLE = 32,    /* draws whose log pi is -infinity */
  LBP_WARN_ALL_SITES = 64,     /* R was tuned to nearly n, or Metropolis sweeps flip nearly all sites, back and forth */
  LBP_WARN_NO_DRAWS = 128,     /* the run ended before the first draw, though draws were requested */
  LBP_WARN_UNTUNED = 256,      /* a tuner has not reached its target; tuner_status has the reason */
  LBP_WARN_ROUND_TRIPS = 512,  /* no replica made a round trip, where LBP_MANY_TRIPS or more were expected */
  LBP_WARN_REACH = 1024,       /* log Z is that of all possible states, but moves may not reach all of these */
  LBP_WARN_EQUAL_CHAINS = 2048, /* two chains have the same draws */
  LBP_WARN_ROUNDING = 4096,    /* log pi is so large that rounding changes its differences by more than
                                  LBP_MOST_ROUNDING; in annealing: rounding hides differences that matter at the cold
                                  end */
  LBP_WARN_FEW_LANES = 8192    /* words of LBP_SAMPLER_LANES with fewer than LBP_LEAST_LANES chains */
};

/* Thresholds of these warnings: the largest R-hat of chains that agree; effective samples a chain; the share of
 * accepted swaps; expected round trips of all chains. */
#define LBP_MOST_RHAT   1.01
#define LBP_LEAST_ESS   100.0
#define LBP_LEAST_SWAPS 0.02
#define LBP_MANY_TRIPS  10.0

/* The share of one part in the sites at which two replicas differ, above which exchanges of parts do no more than whole
 * swaps. */
#define LBP_MOST_PART 0.9

/* Chains of a word, each replica one, from which on lanes are the faster sweeps. */
#define LBP_LEAST_LANES 16.0

/* Largest accepted change of a log-ratio by rounding, at the chain's temperature. */
#define LBP_MOST_ROUNDING 1e-3

/* Returns advice for one warning: sentences on lines of up to 78 characters; lines after the first begin with two
 * spaces. */
LBP_COLD const char *lbp_run_advice(unsigned warning) {
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

/* The result of a run. */
struct lbp_run_result {
  int status;          /* LBP_OK, or the error ... */
  char message[512];   /* ... in a sentence */
  uint32_t site, other; /* of an error in the model (NAME_check, or a checked build): where ... */
  double got, want;    /* ... and the two values that should agree */
  unsigned warnings;     /* reasons to distrust the result without an error: LBP_WARN_RHAT and the like, or 0 */
  int ended;           /* LBP_END_COMPLETE and the like */
  int resumed;         /* whether it was resumed from a checkpoint */
  uint64_t draws;      /* of each chain, including those before a resumption */
  double seconds;      /* of warm-up and sampling, likewise */
  double accept, jump, parameter, evaluations; /* means per step, over all chains' draws */
  int blocked;         /* of local models: whether a step of several flips was rejected because one of them was
                          impossible (LBP_SAMPLER_PATH and _GIBBS avoid that) */
  const char *parameter_name; /* "R", "sigma", "s" of AB, "time"; NULL: none, for example of Gibbs */
  const char *evaluation; /* the unit of evaluations, for example "gradients" */
  int tuner_status;    /* LBP_OK, or the first chain's reason, see LBP_WARN_UNTUNED; lbp_error returns its text */
  uint64_t kept;       /* draws of each chain kept for diagnostics, evenly spaced */
  lbp_run_row *row;    /* of lp__ and the columns; NULL in all processes but the first */
  uint32_t rows;
  double *best_logp;   /* the largest log pi that each chain has drawn, in descending order, and the states, n bytes
                          each; with tempering also the largest of its replicas at swaps, also in warm-up */
  uint8_t *best;
  uint32_t chains;
  double *marginal;    /* with run->marginals: the share of draws with x_i = 1, over all chains, n numbers; of sites
                          with S > 2 values, and of permutations, S = n, n x S numbers: that of x_i = v is
                          marginal[i * S + v] */
  double *marginal_se; /* of LBP_MARGINALS_CONDITIONAL: their standard errors, by batch means of all chains, reliable if
                          1/16 of a chain's draws is longer than their correlation; 0 where a conditional never
                          varies */
  int marginal_status; /* LBP_OK, or LBP_E_TOO_SHORT: fewer than 16 draws of each chain, marginal_se is NULL */
  uint32_t replicas;   /* of a chain at each rung: run->tempering.replicas */
  double *ladder, *swaps; /* with tempering: inverse temperatures; how often rung k and k + 1 swapped when they tried */
  uint32_t rungs;
  double *parts;       /* with tempering.swap_parts, 2 x rungs: the share of their parts that rung k and k + 1 have
                          exchanged; parts[rungs + k]: that of replicas at rung k; NaN where there were none */
  double *largest_part; /* then, of the same, the mean share of the largest part in the difference; NaN if unknown.
                          Where it was above LBP_MOST_PART in more than half of the tries of the warm-up, parts are left
                          out, and this is the warm-up's */
  int by_parts;        /* whether draws have exchanged parts: then round trips have no meaning; they and rates are 0 */
  uint64_t round_trips; /* then: number of trips of replicas from the hottest rung to the coldest and back, in all
                           chains, since the warm-up [K] */
  double round_trip_rate, round_trip_ideal; /* then: round trips per chain and round of swaps; and their number if
                                               replicas forgot everything between swaps: 1 / (2 + 2 sum of r / (1 - r)),
                                               r = 1 - swaps[k] [T] */
  int log_z_status;    /* LBP_OK, or the reason why log_z is NaN; LBP_E_TOO_SHORT: there are no draws, or the error of
                          log_z is NaN since there is only one chain; LBP_E_RANGE: the last rung is not beta = 0;
                          LBP_E_SIZE: the sum of all weights at beta = 0 is not known, or their logarithms (LBP_BASE)
                          add up to more than 10^12 */
  uint32_t *hits;      /* of NAME_anneal, and with run->best_states: number of reads, or chains, with this best state;
                          0: it is a repetition of one further up */
  uint32_t different;  /* then: best states that differ from each other */
  /* of NAME_anneal, in addition to the best states: */
  uint64_t sweeps;     /* of a read, and ... */
  double hot, cold;    /* ... their first and last inverse temperature */
  double rounding;     /* change of log-ratios by rounding at inverse temperature 1, from LBP_ROUNDING; otherwise 0 */
  double *last_logp;   /* the end of each read (of one that was stopped possibly not at `sweeps`): log pi, ... */
  uint8_t *last;       /* ... and the states, n bytes each, in the order of reads */
  double *history;     /* at each rise of the best log pi of all reads: three numbers, seconds, sweeps, log pi; of this
                          call */
  uint32_t histories;  /* so many times */
  /* with tempering: */
  double log_z, log_z_se; /* with tempering down to beta = 0: log of the sum of pi over all states, by [M] */
  double possible;     /* then: the share of states at beta = 0 that are possible; LBP_E_STATE if none was found */
  uint32_t reached, unreached; /* then, where some are not: of those that were drawn at beta = 0 and of chains' states,
                          those that are connected by single moves with the first chain's, and not; see
                          LBP_WARN_REACH */
  const char *sampler; /* the sampler's name ... */
  uint32_t n, values;  /* ... and its states: n sites with values 0 ... values - 1, or fewer */
};

/* Frees the memory of a result; zeroed and freed results are allowed. */
LBP_COLD void lbp_run_free(lbp_run_result *result) {
  free(result->row);
  free(result->best_logp);
  free(result->best);
  free(result->marginal);
  free(result->marginal_se);
  free(result->ladder);
  free(result->swaps);
  free(result->parts);
  free(result->largest_part);
  free(result->hits);
  free(result->last_logp);
  free(result->last);
  free(result->history);
  result->row = NULL;
  result->best_logp = result->marginal = result->marginal_se = result->ladder = result->swaps = NULL;
  result->parts = result->largest_part = NULL;
  result->last_logp = result->history = NULL;
  result->hits = NULL;
  result->best = result->last = NULL;
}

/* Sets *stop, to which run.stop points, to 1. Another thread or a signal handler may call this during the run; a plain
 * assignment from another thread would be a data race. */
LBP_FN void lbp_run_stop(volatile sig_atomic_t *stop) {
#if defined __GNUC__
  __atomic_store_n(stop, 1, __ATOMIC_RELAXED);
#else
  *stop = 1;
#endif
}

/* ---- results of annealed importance sampling --------------------------------------------------------------------- */

/* Warnings of NAME_ais: bits of lbp_ais_result's warnings. lbp_ais_advice returns advice for each. */
enum {
  LBP_WARN_AIS_WEIGHTS = 1,  /* weights are too uneven, in the last pass or in the one before, which tunes: an effective
                                number below the limit of LBP_AIS_LEAST_WEIGHTS, a Pareto k above LBP_AIS_MOST_PARETO_K,
                                populations that differ more than LBP_AIS_MOST_UNEVEN; or the weight of one state found
                                exceeds Z */
  LBP_WARN_AIS_CHAINS = 2,   /* one chain, or with resampling fewer populations than LBP_AIS_LEAST_POPULATIONS */
  LBP_WARN_AIS_FAMILIES = 4, /* with resampling: fewer effective families than LBP_AIS_LEAST_FAMILIES in either pass, or
                                LBP_AIS_MOST_UNEQUAL times fewer than families: some are far larger than the rest */
  LBP_WARN_AIS_ALL_SITES = 8 /* R is fixed, and above 1 + an eighth of the sites that can move: see LBP_AIS_PART */
};

/* The result of annealed importance sampling, the same in all processes. The mean of the weights is unbiased for Z. If
 * the effective number of weights is far below the number of chains, do not trust the error: use more rungs, or more
 * steps on each. With resampling, weights are always nearly equal at the end: look at the number of effective families
 * instead. It is the number of independent chains that would be worth as much if steps never separated relatives; [W]'s
 * rho is chains / that number. */
struct lbp_ais_result {
  int status;
  char message[512];
  unsigned warnings;         /* bits, LBP_WARN_AIS_WEIGHTS and so on, if there was no error; or 0 */
  double log_z, log_z_se;    /* log of the sum of pi over all states; its standard error, NaN with only one chain or
                                population */
  double weights;            /* the effective number of weights, (sum w)^2 / sum w^2, of all chains' */
  double pareto_k;           /* the weight of their tail, see lbp_pareto_k; NaN if there are too few, or all equal */
  double accept, seconds;    /* acceptance rate, wall time */
  double best_logp;          /* the largest log pi of a state at the end of a rung, of all chains and passes ... */
  uint8_t *best;             /* ... and the state, n items; NULL if status is not LBP_OK */
  uint32_t populations;      /* with resampling: their number (a single one has no error); otherwise 0 */
  uint32_t families;         /* chains at beta = 0 that have descendants at the end; without resampling all */
  double effective_families; /* 1 / sum of squares of each one's share in Z; without resampling `weights` */
  const char *sampler;       /* the sampler's name ... */
  uint32_t n, values;        /* ... and its states: n sites with values 0 ... values - 1, or fewer */
};

/* Frees the memory of a result; zeroed and freed results are allowed. */
LBP_COLD void lbp_ais_free(lbp_ais_result *result) {
  free(result->best);
  result->best = NULL;
}

/* Smallest effective number of weights, divided by the square root of the number of chains whose weight is not 0: with
 * log-normal weights, the mean square of (log Z - exact) / error is 1.25 there, for 50 to 2000 chains. And the Pareto k
 * above which no mean of weights is reliable. */
#define LBP_AIS_LEAST_WEIGHTS 4.0
#define LBP_AIS_MOST_PARETO_K 0.7

/* With resampling: smallest numbers of effective families (two in each of 16 populations) and of populations (with
 * fewer, that mean square is above 1.25 by Student's t); the largest variance of their estimates, relative to Z^2:
 * above it the log of their mean is a guess. */
#define LBP_AIS_LEAST_FAMILIES    32.0
#define LBP_AIS_LEAST_POPULATIONS 12
#define LBP_AIS_MOST_UNEVEN       0.5

/* Largest ratio of families to effective families. Over 24 models with 10 seeds, and six of them with 20 more, it was
 * at most 2.17; if a first-order transition leaves a few chains with all the weight, it was 2.5 and more. Weights that
 * are resampled late differ by up to 1 / `resample` anyway: then the ratio is not checked. */
#define LBP_AIS_MOST_UNEQUAL      2.35

/* R is tuned to at most an eighth of the sites that can move, plus a half. */
#define LBP_AIS_PART 8

/* Returns advice for one of them, in the format of lbp_run_advice. */
LBP_COLD const char *lbp_ais_advice(unsigned warning) {
  switch (warning) {
    case LBP_WARN_AIS_WEIGHTS:
      return "Log Z rests on a few chains, and its error is a guess. Take more rungs, more\n"
             "  steps on each (thin), or more chains; or take log Z of a tempered run.";
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
