/* Marginals, the partition function, or the best state (MAP) of a graphical model in a file: exactly if variable
 * elimination can do it, otherwise by tempered Gibbs sweeps of the sites that remain.
 *
 *   cc -O3 -march=native -fopenmp -I.. infer.c -lm && ./a.out MODEL.uai -evid MODEL.uai.evid -task MAR
 *
 *   MODEL          a UAI file, MARKOV or BAYES; or a libDAI file, if its name ends in .fg
 *   -evid FILE     observed values; -sample N: the sample to use if FILE has several, from 0
 *   -task MAR      marginals of all sites [the default]; PR: log10 of the sum over all states; MPE: the best state
 *   -o FILE        the answer, in the format of the UAI competitions [standard output]
 *   -se FILE       standard errors of marginals, in the same format
 *   -time S        about S seconds of sampling [30]; or -sweeps N, which makes the answer repeatable
 *   -exact CELLS   eliminates all sites if that takes up to CELLS cells of 8 bytes [33554432]; 0: never
 *   -cells CELLS   otherwise eliminates sites whose table has up to CELLS cells [64]
 *   -C X           zeros cost X while the chains move [8]
 *   -chains N, -rungs N, -seed N    [16, or 4 if more than 500 sites are left; 12; 1]
 *
 * Without arguments it answers for a small built-in network in both ways, which must agree.
 *
 * Exit status: 0: an answer, possibly with warnings on standard error, which name the slowest site; 1: no state is
 * possible, or none was found; 2: wrong input.
 */
#define _POSIX_C_SOURCE 200809L
#define LBP_FACTORS_ARITY 20
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "lbp/models/factors.h"
#include "lbp_run.h"

#define LBP_NAME core2
#include "infer_core.h"

#define LBP_NAME       core4
#define LBP_CAT_STATES 4
#include "infer_core.h"

#define LBP_NAME       core8
#define LBP_CAT_STATES 8
#include "infer_core.h"

#define LBP_NAME       core16
#define LBP_CAT_STATES 16
#include "infer_core.h"

#define LBP_NAME       core64
#define LBP_CAT_STATES 64
#include "infer_core.h"

#define LBP_NAME       core256
#define LBP_CAT_STATES 256
#include "infer_core.h"

typedef int run_function(const lbp_run *, const lbp_factors *, uint32_t, lbp_run_result *);

/* The instances, by how many values sites may have. */
static const struct {
  uint32_t states;
  run_function *run, *anneal;
} instances[] = {{2, core2_run, core2_anneal},
                 {4, core4_run, core4_anneal},
                 {8, core8_run, core8_anneal},
                 {16, core16_run, core16_anneal},
                 {64, core64_run, core64_anneal},
                 {256, core256_run, core256_anneal}};

enum { MAR, PR, MPE };

typedef struct {
  const char *model, *evidence, *output, *errors;
  int task;
  int64_t sample;
  double seconds, soft, sweeps, exact, cells;
  uint32_t chains, rungs;
  uint64_t seed;
} options;

/* The answer. */
typedef struct {
  double *marginal, *se; /* [n][states] */
  uint32_t states;
  double log_z, log_z_se;
  uint8_t *best;
  int exact;
} answer;

static void answer_free(answer *a) {
  free(a->marginal);
  free(a->se);
  free(a->best);
  memset(a, 0, sizeof *a);
}

static int say(int status) {
  if (status == LBP_E_IMPOSSIBLE) {
    fprintf(stderr, "infer: no possible state: the tables' zeros contradict each other, or what was observed\n");
  } else if (status != LBP_OK) {
    fprintf(stderr, "infer: %s\n", lbp_error(status));
  }
  return status;
}

static int exit_status(int status) { return status == LBP_OK ? 0 : status == LBP_E_IMPOSSIBLE ? 1 : 2; }

/* ---- sums over draws --------------------------------------------------------------------------------------------- */

enum { BATCHES = 16 };

/* Sums over the draws of all chains: of each chain and batch how many draws, how many of these without a broken
 * zero, and of these the marginals and their squares. */
typedef struct {
  const lbp_elimination *e;
  const lbp_factors *hard;
  uint32_t chains;
  uint64_t per_batch; /* draws */
  size_t cells;       /* n states */
  double *drawn, *kept, *sum, *square;
  double *room, *now; /* to work in; marginals of this draw */
  int status;
} sums;

static void sums_free(sums *s) {
  free(s->drawn);
  free(s->kept);
  free(s->sum);
  free(s->square);
  free(s->room);
  free(s->now);
}

static int sums_init(sums *s, const lbp_elimination *e, const lbp_factors *hard, uint32_t chains, uint64_t draws) {
  const size_t batches = (size_t)chains * BATCHES;
  memset(s, 0, sizeof *s);
  s->e = e;
  s->hard = hard;
  s->chains = chains;
  s->per_batch = (draws + BATCHES - 1) / BATCHES;
  s->cells = (size_t)e->n * e->states;
  s->drawn = (double *)calloc(batches, sizeof *s->drawn);
  s->kept = (double *)calloc(batches, sizeof *s->kept);
  s->sum = (double *)calloc(batches, s->cells * sizeof *s->sum);
  s->square = (double *)calloc(batches, s->cells * sizeof *s->square);
  s->room = (double *)calloc(lbp_elimination_room(e), sizeof *s->room);
  s->now = (double *)calloc(s->cells, sizeof *s->now);
  if (s->drawn && s->kept && s->sum && s->square && s->room && s->now) return LBP_OK;
  sums_free(s);
  return LBP_E_MEMORY;
}

/* Marginals given a possible state of the core, to s->now: of its sites given all others of it, of the others exact. */
static void look(sums *s, const uint8_t *x) {
  uint32_t i;
  if (lbp_elimination_marginals(s->e, x, s->room, s->now) != LBP_OK) s->status = LBP_E_MEMORY;
  for (i = 0; i < s->hard->n; i++) {
    lbp_factors_conditional(s->hard, x, i, s->now + (size_t)s->e->core_site[i] * s->e->states);
  }
}

/* run.on_draw: a draw of the core. */
static void take(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  sums *s = (sums *)data;
  const uint64_t batch = draw / s->per_batch;
  const size_t at = (size_t)chain * BATCHES + (size_t)(batch < BATCHES ? batch : BATCHES - 1);
  double *sum = s->sum + at * s->cells, *square = s->square + at * s->cells;
  size_t k;
  (void)values;
  s->drawn[at]++;
  if (!lbp_is_finite(lbp_factors_logp(s->hard, x))) return;
  s->kept[at]++;
  look(s, x);
  for (k = 0; k < s->cells; k++) {
    sum[k] += s->now[k];
    square[k] += s->now[k] * s->now[k];
  }
}

/* The mean of top / bottom, sums of both over batches, and its standard error, by how batches differ; where chains
 * differ by more than batches can explain, since these are shorter than draws are correlated, by how chains do. The
 * factor is the 99 % quantile, about, of the ratio of both where all is well. */
static double ratio(const double *top, size_t stride, const double *bottom, uint32_t chains, double *se) {
  double sum = 0, count = 0, own = 0, shared = 0, between = 0, mean;
  uint32_t c, b, batches = 0;
  for (c = 0; c < chains * BATCHES; c++) {
    sum += top[c * stride];
    count += bottom[c];
    batches += bottom[c] > 0;
  }
  mean = sum / count;
  for (c = 0; c < chains; c++) {
    double before = 0, chain = 0;
    for (b = 0; b < BATCHES; b++) {
      const double apart = top[(c * BATCHES + b) * stride] - mean * bottom[c * BATCHES + b];
      own += apart * apart;
      shared += apart * before;
      chain += apart;
      before = apart;
    }
    between += chain * chain;
  }
  own += shared > 0 ? 2 * shared : 0;
  if (batches > 1) own *= batches / (batches - 1.0);
  if (chains > 1) between *= chains / (chains - 1.0);
  *se = sqrt(between > (1 + 4 / sqrt(chains)) * own ? between : own) / count;
  return mean;
}

/* Split R-hat of a cell of the marginals: of halves of chains; 1 where they hardly differ. */
static double cell_rhat(const sums *s, size_t cell) {
  double within = 0, mean = 0, square = 0, halves = 0, draws = 0;
  uint32_t half, b;
  for (half = 0; half < 2 * s->chains; half++) {
    double count = 0, sum = 0, squares = 0, m;
    for (b = 0; b < BATCHES / 2; b++) {
      const size_t at = (size_t)half * (BATCHES / 2) + b;
      count += s->kept[at];
      sum += s->sum[at * s->cells + cell];
      squares += s->square[at * s->cells + cell];
    }
    if (count < 2) continue;
    m = sum / count;
    within += squares / count - m * m;
    mean += m;
    square += m * m;
    draws += count;
    halves++;
  }
  if (halves < 2) return lbp_infinity();
  mean /= halves;
  square = (square - halves * mean * mean) / (halves - 1);
  within /= halves;
  if (square < 1e-7) return 1; /* means of halves are within 0.0003 */
  if (!(within > 0)) return lbp_infinity();
  return sqrt(1 - halves / draws + square / within);
}

/* depends[i]: whether the marginal of site i differs from draw to draw of the core. */
static void find_dependent(const lbp_elimination *e, uint8_t *depends) {
  uint32_t k, i;
  size_t at;
  for (i = 0; i < e->n; i++) depends[i] = e->core_of[i] != LBP_FACTORS_NO_CORE;
  for (k = e->eliminated; k-- > 0;) { /* the others of its cluster are of the core, or were eliminated later */
    const uint32_t site = e->scope[e->scope_at[k]];
    for (at = e->scope_at[k] + 1; at < e->scope_at[k + 1]; at++) depends[site] |= depends[e->scope[at]];
  }
}

/* Marginals and their errors; warns about the slowest site. Returns whether there is an answer.
 * Draws that are worth N independent ones, by the slowest cell, may have missed states of probability 1/N, in which
 * any site may have another value. Half of that is part of every error: of some cells it is nearly all, of values that
 * no draw found likely. */
static int report_marginals(const options *o, const sums *s, answer *a) {
  double worst_rhat = 1, worst_se = 0, drawn = 0, kept = 0, missed = 0;
  size_t rhat_at = 0, se_at = 0, k;
  uint8_t *depends;
  for (k = 0; k < (size_t)s->chains * BATCHES; k++) {
    drawn += s->drawn[k];
    kept += s->kept[k];
  }
  if (!(drawn > 0)) {
    fprintf(stderr, "infer: the time ended before the first draw: give more -time\n");
    return 0;
  }
  fprintf(stderr, "infer: draws without a broken zero: %.1f %% of %.0f\n", 100 * kept / drawn, drawn);
  if (!(kept > 0)) {
    fprintf(stderr, "infer: no possible state was visited, so there is no answer: try a larger -C (%g), -time or "
            "-cells\n", o->soft);
    return 0;
  }
  for (k = 0; k < s->cells; k++) {
    const double rhat = cell_rhat(s, k), p = ratio(s->sum + k, s->cells, s->kept, s->chains, &a->se[k]);
    a->marginal[k] = p;
    if (rhat > worst_rhat) worst_rhat = rhat, rhat_at = k;
    if (p > 0 && p < 1 && a->se[k] * a->se[k] > missed * p * (1 - p)) missed = a->se[k] * a->se[k] / (p * (1 - p));
  }
  if (missed > 1) missed = 1;
  depends = (uint8_t *)malloc(s->e->n);
  if (say(depends ? LBP_OK : LBP_E_MEMORY) != LBP_OK) return 0;
  find_dependent(s->e, depends);
  for (k = 0; k < s->cells; k++) {
    const size_t site = k / a->states;
    if (depends[site] && k % a->states < s->e->values[site]) a->se[k] = sqrt(a->se[k] * a->se[k] + missed * missed / 4);
    if (a->se[k] > worst_se) worst_se = a->se[k], se_at = k;
  }
  free(depends);
  fprintf(stderr, "infer: largest R-hat of a site's probability %.3f, largest standard error %.2g\n", worst_rhat,
          worst_se);
  if (worst_rhat > LBP_MOST_RHAT) {
    fprintf(stderr, "infer: warning: chains disagree at site %lu (R-hat %.3f): give more -time, or more -cells\n",
            (unsigned long)(rhat_at / a->states), worst_rhat);
  }
  if (3 * worst_se > 0.01) {
    fprintf(stderr, "infer: warning: the error at site %lu may exceed 0.01 (standard error %.2g): give more -time, or "
            "more -cells\n", (unsigned long)(se_at / a->states), worst_se);
  }
  return 1;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* The model of the core, or what to do where there is none. */
static int make_model(lbp_factors *m, const lbp_factor_graph *core, uint32_t states, double soft) {
  const int status = lbp_factors_init(m, core, states, soft);
  if (status == LBP_E_RANGE) {
    fprintf(stderr, "infer: a site that is left shares tables with more than %d others: give more -cells, which "
            "eliminate them\n", LBP_FACTORS_NEIGHBOURS);
  } else if (status == LBP_E_SIZE) {
    fprintf(stderr, "infer: the tables that are left have more than %lu cells: give fewer -cells, which make smaller "
            "ones\n", (unsigned long)LBP_FACTORS_CELLS);
  } else {
    say(status);
  }
  return status;
}

static run_function *find_run(uint32_t states, int anneal, uint32_t *padded) {
  size_t k = 0;
  while (instances[k].states < states) k++;
  *padded = instances[k].states;
  return anneal ? instances[k].anneal : instances[k].run;
}

/* Draws, and steps for each, that take about as long as was asked for: a short run measures their time. */
static int plan_run(const options *o, lbp_run *run, run_function *go, const lbp_factors *m, sums *s) {
  const double thin = 4;
  double draws = o->sweeps / thin, started;
  lbp_run_result result;
  int status;
  run->thin = 4;
  run->tempering.swap_every = 1;
  if (o->sweeps <= 0) {
    run->warmup = 40;
    run->draws = 10;
    status = go(run, m, m->n, &result);
    if (status != LBP_OK) {
      fprintf(stderr, "infer: %s\n", result.message);
    } else {
      started = lbp_run_now();
      look(s, result.best);
      draws = o->seconds / (thin * 4 / 3 * result.seconds / 80 + run->chains * (lbp_run_now() - started));
    }
    lbp_run_free(&result);
    if (status != LBP_OK) return status;
    run->seconds = 10 * o->seconds + 10; /* where the machine is busier than it was then */
  }
  run->draws = draws < 64 ? 64 : draws > 1e8 ? 100000000 : (uint64_t)draws;
  run->warmup = (uint32_t)(run->draws * 4 / 3 < 1000000 ? run->draws * 4 / 3 : 1000000);
  return LBP_OK;
}

/* MAR and PR by sampling the core. Returns an exit status. */
static int sample(const options *o, const lbp_elimination *e, answer *a) {
  uint32_t states, k;
  run_function *go = find_run(lbp_factor_graph_states(&e->core), 0, &states);
  lbp_factors soft, hard;
  lbp_run run;
  lbp_run_result result;
  double share, share_se;
  sums s, pilot;
  int status, good = 0;
  memset(&soft, 0, sizeof soft);
  memset(&hard, 0, sizeof hard);
  memset(&s, 0, sizeof s);
  memset(&pilot, 0, sizeof pilot);
  memset(&result, 0, sizeof result);
  lbp_run_init(&run);
  run.name = "infer";
  run.sampler = LBP_SAMPLER_GIBBS;
  run.seed = o->seed;
  run.chains = o->chains > 0 ? o->chains : e->core.n <= 500 ? 16 : 4;
  run.tempering.rungs = o->rungs;
  status = make_model(&soft, &e->core, states, o->soft);
  if (status == LBP_OK) status = make_model(&hard, &e->core, states, 0);
  if (status == LBP_OK) status = say(sums_init(&pilot, e, &hard, 1, 1));
  if (status == LBP_OK) status = plan_run(o, &run, go, &soft, &pilot);
  if (status == LBP_OK) status = say(sums_init(&s, e, &hard, run.chains, run.draws));
  if (status == LBP_OK) {
    run.save_states = LBP_STATES_PASSED;
    run.on_draw = take;
    run.on_draw_data = &s;
    status = go(&run, &soft, soft.n, &result);
    if (status != LBP_OK) fprintf(stderr, "infer: %s\n", result.message);
    else status = say(s.status);
  }
  if (status == LBP_OK) {
    good = report_marginals(o, &s, a);
    for (k = 1; k <= result.warnings; k *= 2) {
      if (result.warnings & k & (LBP_WARN_SWAPS | LBP_WARN_ROUND_TRIPS | LBP_WARN_STUCK | LBP_WARN_ROUNDING)) {
        fprintf(stderr, "infer: warning: %s\n", lbp_run_advice(k));
      }
    }
    share = ratio(s.kept, 1, s.drawn, s.chains, &share_se);
    if (good) {
      a->log_z = result.log_z + soft.log_constant + e->log_constant + log(share);
      a->log_z_se = sqrt(result.log_z_se * result.log_z_se + share_se * share_se / (share * share));
      fprintf(stderr, "infer: log10 Z %.6f +- %.2g\n", a->log_z / log(10.0), a->log_z_se / log(10.0));
    }
  }
  lbp_run_free(&result);
  sums_free(&s);
  sums_free(&pilot);
  lbp_factors_free(&soft);
  lbp_factors_free(&hard);
  return status != LBP_OK ? exit_status(status) : good ? 0 : 1;
}

/* The best state that annealing finds in the core, completed by the eliminated sites. Returns an exit status. */
static int search(const options *o, const lbp_factor_graph *g, const lbp_elimination *e, answer *a) {
  uint32_t states, k;
  run_function *go = find_run(lbp_factor_graph_states(&e->core), 1, &states);
  uint8_t *x = (uint8_t *)malloc(g->n);
  double best = -lbp_infinity();
  lbp_factors m;
  lbp_run run;
  lbp_run_result result;
  int status = x ? make_model(&m, &e->core, states, 4 * o->soft) : say(LBP_E_MEMORY);
  if (status != LBP_OK) {
    free(x);
    return exit_status(status);
  }
  lbp_run_init(&run);
  run.name = "infer";
  run.seed = o->seed;
  run.chains = o->chains > 0 ? o->chains : 32;
  run.annealing.sweeps = o->sweeps > 0 ? (uint64_t)o->sweeps : 0;
  if (o->sweeps <= 0) run.seconds = o->seconds;
  status = go(&run, &m, m.n, &result);
  if (status != LBP_OK) fprintf(stderr, "infer: %s\n", result.message);
  for (k = 0; k < result.chains && status == LBP_OK; k++) {
    double logp;
    lbp_elimination_complete(e, result.best + (size_t)k * m.n, NULL, x);
    logp = lbp_factor_graph_logp(g, x);
    if (!(logp > best)) continue;
    best = logp;
    memcpy(a->best, x, g->n);
  }
  lbp_run_free(&result);
  lbp_factors_free(&m);
  free(x);
  if (status != LBP_OK) return exit_status(status);
  if (lbp_is_finite(best)) return 0;
  fprintf(stderr, "infer: no possible state was found: try a larger -C (%g), -time or -cells\n", o->soft);
  return 1;
}

/* Elimination first; the rest is sampled. Returns an exit status. */
static int infer(const options *o, const lbp_factor_graph *g, answer *a) {
  const int flags = o->task == MPE ? LBP_ELIMINATE_MAXIMUM : 0;
  lbp_elimination e;
  double *room;
  int status = LBP_E_SIZE;
  memset(a, 0, sizeof *a);
  a->states = lbp_factor_graph_states(g);
  a->marginal = (double *)calloc(g->n, a->states * sizeof *a->marginal);
  a->se = (double *)calloc(g->n, a->states * sizeof *a->se);
  a->best = (uint8_t *)calloc(g->n, 1);
  if (!a->marginal || !a->se || !a->best) return say(LBP_E_MEMORY), 2;
  if (o->exact > 0) status = lbp_eliminate(&e, g, (uint64_t)o->exact, (uint64_t)o->exact, flags | LBP_ELIMINATE_ALL);
  if (status == LBP_E_SIZE || (status == LBP_E_MEMORY && o->cells > 0)) {
    status = lbp_eliminate(&e, g, (uint64_t)o->cells, UINT64_MAX, flags);
  }
  if (say(status) != LBP_OK) return exit_status(status);
  a->exact = e.core.n == 0;
  fprintf(stderr, "infer: eliminated %lu of %lu sites, up to %lu cells a table; ", (unsigned long)(g->n - e.core.n),
          (unsigned long)g->n, (unsigned long)e.largest);
  if (a->exact) {
    fprintf(stderr, "the answer is exact%s\n", o->task == MPE ? ": proved" : "");
    a->log_z = e.log_constant;
    if (o->task == MPE) {
      lbp_elimination_complete(&e, NULL, NULL, a->best);
    } else if (o->task == MAR) {
      room = (double *)malloc(lbp_elimination_room(&e) * sizeof *room);
      status = room ? lbp_elimination_marginals(&e, NULL, room, a->marginal) : LBP_E_MEMORY;
      free(room);
    }
    status = exit_status(say(status));
  } else {
    fprintf(stderr, "%lu sites with %llu tables are sampled\n", (unsigned long)e.core.n,
            (unsigned long long)e.core.tables);
    status = o->task == MPE ? search(o, g, &e, a) : sample(o, &e, a);
    if (o->task == MPE && status == 0) fprintf(stderr, "infer: best found, not proved\n");
  }
  if (o->task == MPE && status == 0) {
    fprintf(stderr, "infer: log10 of its weight %.9g\n", lbp_factor_graph_logp(g, a->best) / log(10.0));
  }
  lbp_elimination_free(&e);
  return status;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int told(const char *path, int status, const lbp_factors_fault *fault) {
  if (status == LBP_OK) return 1;
  if (fault->line > 0) fprintf(stderr, "infer: %s:%llu: %s\n", path, (unsigned long long)fault->line, fault->what);
  else fprintf(stderr, "infer: %s: %s\n", path, fault->what);
  return 0;
}

/* Whether the files could be read; prints why not. */
static int read_files(const options *o, lbp_factor_graph *g) {
  const size_t length = strlen(o->model);
  const int is_fg = length > 3 && strcmp(o->model + length - 3, ".fg") == 0;
  lbp_factors_fault fault;
  FILE *file = fopen(o->model, "rb");
  int good;
  if (!file) return perror(o->model), 0;
  good = told(o->model, lbp_factor_graph_read(g, is_fg ? LBP_FACTORS_FG : LBP_FACTORS_UAI, file, &fault), &fault);
  fclose(file);
  if (good && fault.uneven > 0) {
    fprintf(stderr, "infer: %s:%llu: warning: %llu rows of a Bayesian network do not add up to 1, the first in this "
            "table: they are used as they are\n", o->model, (unsigned long long)fault.uneven_line,
            (unsigned long long)fault.uneven);
  }
  if (!good || !o->evidence) return good;
  file = fopen(o->evidence, "rb");
  if (!file) return perror(o->evidence), 0;
  good = told(o->evidence, lbp_factor_graph_read_evidence(g, file, o->sample, &fault), &fault);
  fclose(file);
  return good;
}

/* Whether the answer could be written. */
static int write_answer(const options *o, const lbp_factor_graph *g, const answer *a) {
  FILE *file = o->output ? fopen(o->output, "wb") : stdout, *errors = NULL;
  int status;
  if (!file) return perror(o->output), 0;
  if (o->task == MAR) status = lbp_factor_graph_write_mar(g, a->marginal, a->states, file);
  else if (o->task == PR) status = lbp_factor_graph_write_pr(a->log_z, file);
  else status = lbp_factor_graph_write_mpe(g, a->best, file);
  if (o->output && fclose(file) != 0) status = LBP_E_FILE;
  if (status == LBP_OK && o->errors && o->task == MAR) {
    errors = fopen(o->errors, "wb");
    if (!errors) return perror(o->errors), 0;
    status = lbp_factor_graph_write_mar(g, a->se, a->states, errors);
    if (fclose(errors) != 0) status = LBP_E_FILE;
  }
  return say(status) == LBP_OK;
}

/* ---- its own network --------------------------------------------------------------------------------------------- */

/* A ring of 24 sites with 2 to 4 values, each of which is equal to the next or one above it, round, and a few chords
 * that prefer equal values: many zeros, so that hardly a site can move alone. */
static int build(lbp_factor_graph *g) {
  enum { RING = 24 };
  uint32_t values[RING], i, v, w;
  double table[16];
  int status;
  for (i = 0; i < RING; i++) values[i] = 2 + i % 3;
  status = lbp_factor_graph_init(g, RING, values);
  for (i = 0; i < RING && status == LBP_OK; i++) {
    const uint32_t near[2] = {i, (i + 1) % RING}, far[2] = {i, (i + 9) % RING};
    for (v = 0; v < values[near[0]]; v++) {
      for (w = 0; w < values[near[1]]; w++) {
        const double above = (v + 1) % values[near[1]] == w ? 1 + 0.1 * i : 0;
        table[v * values[near[1]] + w] = w % values[near[0]] == v ? 2 : above;
      }
    }
    status = lbp_factor_graph_add(g, 2, near, table, 0);
    if (i % 4 > 0 || status != LBP_OK) continue;
    for (v = 0; v < values[far[0]]; v++) {
      for (w = 0; w < values[far[1]]; w++) table[v * values[far[1]] + w] = v == w ? 1.5 : 1;
    }
    status = lbp_factor_graph_add(g, 2, far, table, 0);
  }
  return say(status);
}

/* Both ways agree: marginals to 0.02, log Z to five errors, the best state's weight. */
static int demonstrate(void) {
  options o;
  lbp_factor_graph g;
  answer exact, drawn;
  double worst = 0, gap;
  uint32_t task;
  size_t k;
  int good = 1;
  if (build(&g) != LBP_OK) return 1;
  memset(&exact, 0, sizeof exact);
  memset(&drawn, 0, sizeof drawn);
  memset(&o, 0, sizeof o);
  o.sample = -1, o.soft = 8, o.sweeps = 2000, o.cells = 12, o.rungs = 8, o.chains = 16, o.seed = 1;
  for (task = 0; task < 2 && good; task++) {
    o.task = task == 0 ? MAR : MPE;
    o.exact = 1 << 25;
    good = infer(&o, &g, &exact) == 0;
    o.exact = 0;
    if (good) good = infer(&o, &g, &drawn) == 0;
    if (good && o.task == MAR) {
      for (k = 0; k < (size_t)g.n * exact.states; k++) {
        if (fabs(exact.marginal[k] - drawn.marginal[k]) > worst) worst = fabs(exact.marginal[k] - drawn.marginal[k]);
      }
      gap = fabs(exact.log_z - drawn.log_z);
      printf("largest error of a marginal %.4f, of log Z %.4f (standard error %.4f)\n", worst, gap, drawn.log_z_se);
      good = worst < 0.02 && gap < 5 * drawn.log_z_se && exact.exact && !drawn.exact;
    } else if (good) {
      gap = lbp_factor_graph_logp(&g, exact.best) - lbp_factor_graph_logp(&g, drawn.best);
      printf("best states: proved is better than found by %.4f\n", gap);
      good = gap >= -1e-9 && gap < 0.1;
    }
    answer_free(&exact);
    answer_free(&drawn);
  }
  lbp_factor_graph_free(&g);
  return !good;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int usage(const char *name) {
  fprintf(stderr, "usage: %s [MODEL.uai|MODEL.fg [-evid FILE [-sample N]] [-task MAR|PR|MPE] [-o FILE] [-se FILE]\n"
          "  [-time S|-sweeps N] [-exact CELLS] [-cells CELLS] [-C X] [-chains N] [-rungs N] [-seed N]]\n", name);
  return 2;
}

/* Whether the word of an option is a number of least ... most, which goes to *to; else this is said, and *to stays. */
static int number(const char *name, const char *word, double least, double most, double *to) {
  const double v = input_real(word);
  if (v >= least && v <= most) return *to = v, 1;
  fprintf(stderr, "infer: %s %s: it takes a number, %.9g to %.9g\n", name, word, least, most);
  return 0;
}

static int whole(const char *name, const char *word, double least, double most, double *to) {
  const double v = input_real(word);
  if (v >= least && v <= most && v == floor(v)) return *to = v, 1;
  fprintf(stderr, "infer: %s %s: it takes a whole number, %.16g to %.16g\n", name, word, least, most);
  return 0;
}

/* Whether an option is one, and its word fits. */
static int take_option(options *o, const char *name, const char *word) {
  double v = 0;
  int good = 1;
  if (strcmp(name, "-evid") == 0) o->evidence = word;
  else if (strcmp(name, "-o") == 0) o->output = word;
  else if (strcmp(name, "-se") == 0) o->errors = word;
  else if (strcmp(name, "-task") == 0) {
    o->task = strcmp(word, "MAR") == 0 ? MAR : strcmp(word, "PR") == 0 ? PR : MPE;
    good = o->task != MPE || strcmp(word, "MPE") == 0;
    if (!good) fprintf(stderr, "infer: -task %s: it is MAR, PR or MPE\n", word);
  } else if (strcmp(name, "-sample") == 0) good = whole(name, word, 0, 1e9, &v), o->sample = (int64_t)v;
  else if (strcmp(name, "-time") == 0) good = number(name, word, 0.01, 1e9, &o->seconds);
  else if (strcmp(name, "-sweeps") == 0) good = whole(name, word, 64, 4e9, &o->sweeps);
  else if (strcmp(name, "-exact") == 0) good = number(name, word, 0, 1e11, &o->exact);
  else if (strcmp(name, "-cells") == 0) good = number(name, word, 0, 1e9, &o->cells);
  else if (strcmp(name, "-C") == 0) good = number(name, word, 0.1, 1000, &o->soft);
  else if (strcmp(name, "-chains") == 0) good = whole(name, word, 2, 4096, &v), o->chains = (uint32_t)v;
  else if (strcmp(name, "-rungs") == 0) good = whole(name, word, 2, 4096, &v), o->rungs = (uint32_t)v;
  else if (strcmp(name, "-seed") == 0) good = whole(name, word, 0, 9e15, &v), o->seed = (uint64_t)v;
  else {
    fprintf(stderr, "infer: %s: there is no such option\n", name);
    return 0;
  }
  return good;
}

int main(int argc, char **argv) {
  options o;
  lbp_factor_graph g;
  answer a;
  int k, status;
  if (argc == 1 || strcmp(argv[1], "-") == 0) return demonstrate();
  if (argv[1][0] == '-') return usage(argv[0]);
  memset(&o, 0, sizeof o);
  o.model = argv[1];
  o.sample = -1, o.seconds = 30, o.soft = 8, o.exact = 1 << 25, o.cells = 64, o.rungs = 12, o.seed = 1;
  for (k = 2; k + 1 < argc; k += 2) {
    if (!take_option(&o, argv[k], argv[k + 1])) return usage(argv[0]);
  }
  if (k != argc) {
    fprintf(stderr, "infer: %s: it takes a word behind it\n", argv[k]);
    return usage(argv[0]);
  }
  if (o.sample >= 0 && !o.evidence) {
    fprintf(stderr, "infer: -sample: samples are of a file of observed values: -evid FILE\n");
    return usage(argv[0]);
  }
  if (o.errors && o.task != MAR) {
    fprintf(stderr, "infer: -se: standard errors are those of marginals: -task MAR\n");
    return usage(argv[0]);
  }
  memset(&g, 0, sizeof g);
  if (!read_files(&o, &g)) {
    lbp_factor_graph_free(&g);
    return 2;
  }
  status = infer(&o, &g, &a);
  if (status == 0 && !write_answer(&o, &g, &a)) status = 2;
  answer_free(&a);
  lbp_factor_graph_free(&g);
  return status;
}
