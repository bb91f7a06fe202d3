/* Runs of categorical sites, permutations, partial matchings, ordinal sites and groups, with options drawn by a seed:
 * sampler, R or sigma fixed or tuned, shared tuners, ladders, thinning, marginals, clamped items, files of states.
 *
 * Each run is traced: the means of its steps and draws, what log pi gained, distances, the tuners' frozen numbers and
 * the ladder must be those that the trace of all steps gives by hand. Then it is stopped at random places and
 * resumed, and must report the same results and write the same files as in one piece.
 *
 * Nothing here is statistical: numbers by hand agree up to rounding, those of resumed runs to the bit. `make test-long`
 * draws more options (FAMILIES_LONG). */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define LBP_RUN_KEPT 256u /* a few hundred draws are more than are kept, so means come from batches */
#include "../lbp_run.h"
#include "../lbp_ab.h"
#include "../lbp_perm.h"

#if defined _OPENMP
#include <omp.h>
#endif

#include "ab_toy.h"
#include "cat_toy.h"
#include "perm_toy.h"
#include "run_files.h"
#include "run_resumed.h"
#include "test.h"
#include "toy.h"

#ifdef FAMILIES_LONG
enum { RUNS = 12 }; /* of each sampler */
#else
enum { RUNS = 2 };
#endif

enum { ITEMS = 8, MOST_CHAINS = 12, MOST_STEPS = 2048, MOST_SAMPLERS = 16, MOST_RUNGS = 4 };

/* ---- models ------------------------------------------------------------------------------------------------------ */

static void cat_of(const cat_toy *t, const uint8_t *x, uint32_t i, double *out) {
  const uint32_t code = cat_code(t, x);
  uint32_t v;
  resume_look();
  for (v = 0; v < t->K[i]; v++) out[v] = cat_ratio(t, code, i, v);
}

static void cat_deltas(const cat_toy *t, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < t->n; i++) cat_of(t, x, i, out + 4 * i);
}

static void cat_deltas_many(const cat_toy *t, const uint8_t *const *x, double *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) cat_deltas(t, x[k], out[k]);
}

static double cat_logp(const cat_toy *t, const uint8_t *x) {
  resume_look();
  return t->logp[cat_code(t, x)];
}

#define LBP_NAME                local
#define LBP_MODEL_T             cat_toy
#define LBP_CAT_STATES          4
#define LBP_CAT_STATES_OF(t, i) (t)->K[i]
#define LBP_CAT_DELTAS_OF       cat_of
#define LBP_CAT_BASE            cat_base
#define LBP_NEIGHBOURS          cat_neighbours
#define LBP_MAX_NEIGHBOURS      CAT_SITES
#define LBP_LOGP                cat_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME                dense
#define LBP_MODEL_T             cat_toy
#define LBP_CAT_STATES          4
#define LBP_CAT_STATES_OF(t, i) (t)->K[i]
#define LBP_DELTAS              cat_deltas
#define LBP_DELTAS_MANY         cat_deltas_many
#define LBP_LOGP                cat_logp
#define LBP_WEIGHT              LBP_SQRT
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

static double looked_exchange(const perm_toy *t, const uint32_t *s, uint32_t a, uint32_t b) {
  resume_look();
  return perm_exchange(t, s, a, b);
}

#define LBP_NAME            pairing
#define LBP_MODEL_T         perm_toy
#define LBP_EXCHANGE        looked_exchange
#define LBP_PERM_ROW_WEIGHT perm_row_weight
#define LBP_NEIGHBOURS      perm_neighbours
#define LBP_MAX_NEIGHBOURS  PERM_MOST
#define LBP_LOGP            perm_logp
#include "../lbp_run.h"

#define LBP_NAME                    partial
#define LBP_MODEL_T                 perm_toy
#define LBP_EXCHANGE                looked_exchange
#define LBP_LOGP                    perm_logp
#define LBP_PERM_PARTIAL_ROWS(m)    (m)->rows
#define LBP_PERM_PARTIAL_COLUMNS(m) (m)->columns
#include "../lbp_run.h"

static double looked_gradient(const ab_toy *m, const uint8_t *x, double *out) {
  resume_look();
  return ab_toy_gradient(m, x, out);
}

#define LBP_NAME     scale
#define LBP_MODEL_T  ab_toy
#define LBP_GRADIENT looked_gradient
#define LBP_STATES   3
#define LBP_CLAMPED
#include "../lbp_run.h"

static double looked_delta(const toy *t, const uint8_t *x, uint32_t i) {
  resume_look();
  return toy_delta(t, x, i);
}

static uint32_t group_of(const toy *t, uint32_t i) {
  static const uint32_t group[ITEMS] = {0, 1, 0, 0, LBP_NO_GROUP, 0, 1, LBP_NO_GROUP};
  return (void)t, group[i];
}

#define LBP_NAME           grouped
#define LBP_MODEL_T        toy
#define LBP_DELTA          looked_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_GROUP          group_of
#define LBP_GROUPS         2
#define LBP_PATH
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

static double plain_base(const toy *t, uint32_t i) { return 0.25 - t->field[i] / 2; }

#define LBP_NAME           plain
#define LBP_MODEL_T        toy
#define LBP_DELTA          looked_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_SWEEPS
#define LBP_CLOCK          LBP_BARKER
#define LBP_PATH
#define LBP_TEMPERED
#define LBP_BASE           plain_base
#define LBP_CLAMPED
#include "../lbp_run.h"

static cat_toy cat_model;
static perm_toy perm_model;
static ab_toy ab_model;
static toy toy_model;

static void start_at(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)chain;
  memcpy(x, data, n);
}

static void start_perm(const void *data, uint32_t chain, uint8_t *x, uint32_t n) { /* items of 4 bytes */
  uint32_t s[PERM_MOST], a;
  (void)data, (void)chain;
  for (a = 0; a < n; a++) s[a] = n - 1 - a;
  memcpy(x, s, n * sizeof *s);
}

/* A family: a kernel, its model, and log pi and the log base of a state by hand. */
typedef struct {
  const char *name;
  lbp_kernel kernel;
  const void *model;
  uint32_t n;
  double (*logp)(const void *x);
  double (*base)(const void *x); /* NULL: 0 */
  void (*start)(const void *data, uint32_t chain, uint8_t *x, uint32_t n);
  const uint8_t *state;          /* what start writes */
  const void *hessian;           /* for samplers that need one */
} family;

static double cat_law(const void *x) { return cat_model.logp[cat_code(&cat_model, (const uint8_t *)x)]; }
static double cat_law_base(const void *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < cat_model.n; i++) sum += cat_base(&cat_model, i, ((const uint8_t *)x)[i]);
  return sum;
}
/* The Hessian of ab_model, and a dominant D. */
static const void *ab_hessian(void) {
  static scale_curvature curvature;
  static double room[256];
  double D[AB_SITES];
  lbp_symmetric W;
  uint32_t i, j;
  memset(&W, 0, sizeof W);
  W.n = ab_model.d;
  W.dense = ab_model.J;
  for (i = 0; i < W.n; i++) {
    D[i] = 0.1 - ab_model.J[i * W.n + i];
    for (j = 0; j < W.n; j++) D[i] += j == i ? 0 : fabs(ab_model.J[i * W.n + j]);
  }
  CHECK(scale_curvature_init(&curvature, &W, D, 1, room, sizeof room) == LBP_OK);
  return &curvature;
}

static double perm_logs(const void *x) { return perm_logp(&perm_model, (const uint32_t *)x); }
static double ab_law(const void *x) { return ab_toy_logp(&ab_model, (const uint8_t *)x); }
static double toy_logs(const void *x) { return toy_logp(&toy_model, (const uint8_t *)x); }
static double toy_base(const void *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < toy_model.n; i++) sum += ((const uint8_t *)x)[i] ? plain_base(&toy_model, i) : 0;
  return sum;
}

/* ---- a trace of all steps ---------------------------------------------------------------------------------------- */

/* What a step reported, and log pi of the state after it. */
typedef struct {
  double accept, parameter, jump, evaluations, logp;
} step;

static const family *traced;
static lbp_sampler table[MOST_SAMPLERS];
static lbp_kernel_steps *inner_steps;
static const void *chain_at[MOST_CHAINS];          /* chains by their numbers, in the order in which they were made */
static uint32_t chains_made, steps_of[MOST_CHAINS], rounds_of[MOST_CHAINS];
static double beta_of[MOST_CHAINS];
static step trace[MOST_CHAINS][MOST_STEPS];
static double swapped[MOST_CHAINS][MOST_STEPS];    /* log pi over the base when replicas were about to swap */
static double apart;                               /* by how much log pi that steps reported is off */
static const char *wrong;                          /* what a step reported wrongly */

static uint32_t chain_number(const void *chain) {
  uint32_t k = 0;
  while (k < chains_made && chain_at[k] != chain) k++;
  return k;
}

static int trace_make(void *chain, const void *model, const lbp_plan *plan) {
  if (chains_made < MOST_CHAINS) chain_at[chains_made++] = chain;
  return traced->kernel.make(chain, model, plan);
}

static void trace_temper(void *chain, double beta) {
  const uint32_t at = chain_number(chain);
  if (at < MOST_CHAINS) beta_of[at] = beta;
  traced->kernel.temper(chain, beta);
}

/* log pi of a state at an inverse temperature. */
static double law_at(const void *x, double beta) {
  return beta * traced->logp(x) + (traced->base ? (1 - beta) * traced->base(x) : 0);
}

/* Only swaps ask for it. */
static double trace_excess(void *chain, const void *model) {
  const uint32_t at = chain_number(chain);
  const void *x = ((const lbp_unit *)chain)->x;
  (void)model;
  if (at < MOST_CHAINS && rounds_of[at] < MOST_STEPS) {
    swapped[at][rounds_of[at]++] = traced->logp(x) - (traced->base ? traced->base(x) : 0);
  }
  return traced->kernel.excess ? traced->kernel.excess(chain, model) : traced->kernel.logp(chain, model);
}

/* How far apart two states are: items that differ, of ordinal sites the sum of their gaps. */
static double distance(const void *a, const void *b, int ordinal) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < traced->n; i++) {
    const double left = lbp_item(a, traced->kernel.item_bytes, i), right = lbp_item(b, traced->kernel.item_bytes, i);
    sum += ordinal ? fabs(left - right) : left != right;
  }
  return sum;
}

/* Items that a step proposes for each unit of R; 0 where they may be fewer, or others besides. */
static double unit_of(int sampler) {
  if (sampler == LBP_SAMPLER_PAIRS) return 2;
  if (traced->model == &ab_model) return 0; /* their random walk has sigma */
  return sampler == LBP_SAMPLER_LBP || sampler == LBP_SAMPLER_RWM ? 1 : 0;
}

/* Takes the steps one by one, and compares what each reports with the change of the state. */
static uint32_t trace_steps(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                            double limit, int learn, lbp_moves *moves) {
  const uint32_t at = chain_number(chain);
  const void *x = ((const lbp_unit *)chain)->x;
  const size_t bytes = traced->n * traced->kernel.item_bytes;
  const int ordinal = traced->model == &ab_model;
  const double unit = unit_of(plan->sampler->sampler);
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    const double beta = at < MOST_CHAINS ? beta_of[at] : 1, before = law_at(x, beta);
    uint32_t was[ITEMS]; /* of items of up to 4 bytes */
    double moved;
    lbp_moves one;
    memcpy(was, x, bytes);
    memset(&one, 0, sizeof one);
    inner_steps(chain, model, plan, tuner, 1, lbp_infinity(), learn, &one);
    moves->accept += one.accept;
    moves->parameter += one.parameter;
    moves->jump += one.jump;
    moves->proposed += one.proposed;
    moves->evaluations += one.evaluations;
    moves->log_ratio += one.log_ratio;
    work += one.evaluations + 1;
    moved = distance(was, x, ordinal);
    if (one.jump != moved) wrong = "distances";
    if (!(one.accept >= 0 && one.accept <= 1)) wrong = "acceptance rates";
    if (one.proposed > 0 && one.parameter > 0 && unit > 0 && one.proposed != unit * one.parameter) wrong = "R";
    if (plan->setting[0] > 0 && plan->sampler->traits & LBP_TRAIT_SCALE && one.parameter != plan->setting[0]) {
      wrong = "sigma";
    }
    apart = test_larger(apart, fabs(one.log_ratio - (law_at(x, beta) - before)));
    if (at < MOST_CHAINS && steps_of[at] < MOST_STEPS) {
      step *s = &trace[at][steps_of[at]++];
      s->accept = one.accept;
      s->parameter = one.parameter;
      s->jump = one.jump;
      s->evaluations = one.evaluations;
      s->logp = traced->logp(x);
    }
  }
  return k;
}

static lbp_kernel trace_kernel(const family *f, int sampler) {
  lbp_kernel kernel = f->kernel;
  uint32_t k;
  traced = f;
  chains_made = 0;
  apart = 0;
  wrong = NULL;
  for (k = 0; k < MOST_CHAINS; k++) {
    beta_of[k] = 1;
    steps_of[k] = rounds_of[k] = 0;
  }
  for (k = 0; k < kernel.samplers && k < MOST_SAMPLERS; k++) {
    table[k] = kernel.sampler[k];
    table[k].together = NULL;
    if (table[k].sampler != sampler) continue;
    inner_steps = table[k].steps;
    table[k].steps = trace_steps;
  }
  kernel.sampler = table;
  kernel.make = trace_make;
  kernel.temper = trace_temper;
  kernel.excess = trace_excess;
  return kernel;
}

/* ---- numbers by hand --------------------------------------------------------------------------------------------- */

/* The acceptance rate that a tuner heard of after step t: of chain k, or the mean over those that share it. */
static double heard(const lbp_run *run, uint32_t k, uint32_t t) {
  const uint32_t rungs = run->tempering.rungs;
  double sum = 0;
  uint32_t chain;
  if (!run->shared_tuner) return trace[k][t].accept;
  for (chain = 0; chain < run->chains; chain++) sum += trace[chain * rungs + k % rungs][t].accept;
  return sum / run->chains;
}

/* R after its warm-up: algorithm 2's R_t, with steps of R / 32 if these are more than 1, and the mean of the second
 * half. */
static double R_by_hand(const lbp_run *run, uint32_t k, double target, double largest) {
  double r = 1, sum = 0;
  uint32_t t, half = run->warmup / 2;
  for (t = 0; t < run->warmup; t++) {
    r += (r / 32 > 1 ? r / 32 : 1) * (heard(run, k, t) - target);
    r = r < 1 ? 1 : r > largest ? largest : r;
    if (t >= half) sum += r;
  }
  return sum / (run->warmup - half);
}

/* Sigma after its warm-up: log sigma moves by a tenth of the rate's excess, and ends at its mean over the second
 * half. */
static double sigma_by_hand(const lbp_run *run, uint32_t k, double target) {
  double log_sigma = log(0.1), sum = 0;
  uint32_t t, half = run->warmup / 2;
  for (t = 0; t < run->warmup; t++) {
    log_sigma += 0.1 * (heard(run, k, t) - target);
    if (t >= half) sum += log_sigma;
  }
  return exp(sum / (run->warmup - half));
}

/* How many items can move, and as R counts them: rows in pairs. */
static double largest_R(const family *f, const lbp_run *run) {
  uint32_t free = 0, i;
  for (i = 0; i < f->n; i++) {
    if (run->clamp && run->clamp[i]) continue;
    free += f->model != &cat_model || cat_model.K[i] > 1;
  }
  if (f->model != &perm_model) return free > 1 ? free - 0.5 : 1;
  return free > 3 ? free / 2 - 0.5 : 1;
}

/* The first setting of the tuner of chain k, from PREFIX_metric.json. */
static double metric_setting(uint32_t k) {
  long size;
  char *text = content(in_folder("traced_metric.json"), &size), *at = text;
  double v = NAN;
  uint32_t j;
  for (j = 0; at && j <= k; j++) at = strstr(at + (j > 0), "\"setting\": [");
  if (at) v = strtod(strchr(at, '[') + 1, NULL);
  free(text);
  return v;
}

static double handed[MOST_CHAINS][MOST_STEPS][LBP_DRAW_VALUES];
static void hand(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  (void)data, (void)x;
  if (chain < MOST_CHAINS && draw < MOST_STEPS) memcpy(handed[chain][draw], values, sizeof handed[chain][draw]);
}

/* By how much the means of steps are off, in the result, in all draws, and in the row of log pi. */
static double means_by_hand(const lbp_run *run, const lbp_run_result *result) {
  double sum[5] = {0, 0, 0, 0, 0}, worst = 0;
  const double draws = (double)run->draws * run->chains, steps = draws * run->thin;
  uint32_t k, t, d;
  for (k = 0; k < run->chains; k++) {
    const step *s = trace[k * run->tempering.rungs] + run->warmup;
    for (d = 0; d < run->draws; d++) {
      double own[4] = {0, 0, 0, 0};
      for (t = 0; t < run->thin; t++, s++) {
        own[0] += s->accept / run->thin;
        own[1] += s->parameter / run->thin;
        own[2] += s->evaluations;
        own[3] += s->jump / run->thin;
      }
      for (t = 0; t < 4; t++) {
        worst = test_larger(worst, fabs(own[t] - handed[k][d][LBP_DRAW_ACCEPT + t]));
        sum[t] += own[t];
      }
      if (run->tempering.rungs == 1) worst = test_larger(worst, fabs(s[-1].logp - handed[k][d][LBP_DRAW_LOGP]));
      sum[4] += handed[k][d][LBP_DRAW_LOGP];
    }
  }
  worst = test_larger(worst, fabs(sum[0] / draws - result->accept));
  worst = test_larger(worst, fabs(sum[1] / draws - result->parameter));
  worst = test_larger(worst, fabs(sum[2] / steps - result->evaluations));
  worst = test_larger(worst, fabs(sum[3] / draws - result->jump));
  return test_larger(worst, fabs(sum[4] / draws - result->row[0].mean));
}

/* Sum of the probabilities that rung k and the next do not swap, over chains and the rounds [from, to). */
static double refused_by_hand(const lbp_run *run, const double *ladder, uint32_t k, uint32_t from, uint32_t to) {
  double sum = 0;
  uint32_t chain, t;
  for (chain = 0; chain < run->chains; chain++) {
    const uint32_t cold = chain * run->tempering.rungs + k;
    for (t = from; t < to; t++) {
      const double gain = (ladder[k] - ladder[k + 1]) * (swapped[cold + 1][t] - swapped[cold][t]);
      sum += gain < 0 ? 1 - exp(gain) : 0;
    }
  }
  return sum;
}

/* By how much the ladder is off, and shares of swaps after the warm-up. After rounds 32, 64 ... in the first three
 * quarters of the warm-up, rungs move to where the sum of refusals, plus one in a thousand tries, is cut into equal
 * parts. */
static double ladder_by_hand(const lbp_run *run, const lbp_run_result *result) {
  const uint32_t each = run->tempering.swap_every > 0 ? run->tempering.swap_every : run->thin;
  const uint32_t rungs = run->tempering.rungs;
  const uint32_t first = run->warmup / each, rounds = (uint32_t)run->draws * (run->thin / each);
  const double tries = (double)rounds * run->chains;
  double ladder[MOST_RUNGS], worst = 0;
  uint32_t begin = 0, end, k, j;
  for (k = 0; k < rungs; k++) ladder[k] = 1 - (double)k / (rungs - 1);
  for (end = 32; end * each <= run->warmup / 4 * 3; begin = end, end *= 2) {
    double sum[MOST_RUNGS] = {0}, spaced[MOST_RUNGS]; /* of refusals from rung 0 to rung k */
    memcpy(spaced, ladder, sizeof spaced);
    for (k = 0; k + 1 < rungs; k++) {
      sum[k + 1] = sum[k] + refused_by_hand(run, ladder, k, begin, end) + 1e-3 * (end - begin) * run->chains;
    }
    for (j = 1; j + 1 < rungs; j++) {
      const double goal = sum[rungs - 1] * j / (rungs - 1);
      for (k = 0; sum[k + 1] < goal; k++) continue;
      spaced[j] = ladder[k] + (ladder[k + 1] - ladder[k]) * (goal - sum[k]) / (sum[k + 1] - sum[k]);
    }
    memcpy(ladder, spaced, sizeof ladder);
  }
  for (k = 0; k < rungs; k++) {
    double share;
    worst = test_larger(worst, fabs(result->ladder[k] - ladder[k]));
    if (k + 1 == rungs) continue;
    share = 1 - refused_by_hand(run, ladder, k, first, first + rounds) / tries;
    worst = test_larger(worst, fabs(result->swaps[k] - share));
  }
  return test_larger(worst, fabs(result->round_trip_rate - (double)result->round_trips / tries));
}

/* Makes a traced run, and compares its numbers with those by hand. */
static void check_traced(const family *f, const lbp_sampler *row, lbp_run run, const char *what) {
  const lbp_kernel kernel = trace_kernel(f, row->sampler);
  lbp_run_result result;
  double off = 0, means, ladder = 0;
  char text[500], prefix[300];
  uint32_t k;
  snprintf(prefix, sizeof prefix, "%s", in_folder("traced"));
  run.prefix = prefix;
  run.on_draw = hand;
  CHECK(lbp_run_kernel(&run, &kernel, f->model, f->n, &result) == LBP_OK);
  if (result.status != LBP_OK) {
    printf("%s: %s\n", what, result.message);
    lbp_run_free(&result);
    return;
  }
  for (k = 0; k < run.chains * run.tempering.rungs && row->target > 0; k++) {
    const double target = run.target > 0 ? run.target : row->target;
    const double said = metric_setting(run.shared_tuner ? k % run.tempering.rungs : k);
    double by_hand;
    if (run.parameter > 0 || run.warmup == 0 || row->traits & (LBP_TRAIT_TIME | LBP_TRAIT_CURVED)) break;
    if (f->model == &toy_model && f->kernel.log_states) break; /* of swaps: see test_run_numbers.c */
    by_hand = row->traits & LBP_TRAIT_SITES ? R_by_hand(&run, k, target, largest_R(f, &run))
                                            : sigma_by_hand(&run, k, target);
    off = test_larger(off, fabs(said / by_hand - 1));
    if (!(row->traits & LBP_TRAIT_SCALE)) continue;
    off = test_larger(off, fabs(trace[k][run.warmup].parameter / by_hand - 1)); /* frozen */
  }
  means = means_by_hand(&run, &result);
  if (run.tempering.rungs > 1) ladder = ladder_by_hand(&run, &result);
  snprintf(text, sizeof text, "%s: tuners off by %.2g, means of steps by %.2g, the ladder by %.2g, log pi by %.2g, "
           "wrong: %s", what, off, means, ladder, apart, wrong ? wrong : "nothing");
  test_count(off < 1e-6 && means < 1e-8 && ladder < 1e-8 && apart < 1e-8 && !wrong, __FILE__, __LINE__, text);
  lbp_run_free(&result);
  remove_all(prefix, run.chains);
}

/* ---- options by a seed ------------------------------------------------------------------------------------------- */

static uint32_t pick(lbp_rng *rng, uint32_t count) { return (uint32_t)lbp_mulhi(lbp_rng_u64(rng), count); }

/* Run t of a sampler, with options drawn by the seed: if t is even, tuned; the first one has no clamped sites. What it
 * is, in words. */
static lbp_run draw_run(const family *f, const lbp_sampler *row, uint64_t seed, uint32_t t, char *what, size_t room) {
  static uint8_t mask[ITEMS];
  const double settings[] = {0, 0, 1, 1.5, 2};
  lbp_rng rng;
  lbp_run run;
  lbp_rng_init(&rng, seed, 17);
  lbp_run_init(&run);
  run.sampler = row->sampler;
  run.seed = seed;
  run.chains = 1 + pick(&rng, 3);
  if (row->traits & LBP_TRAIT_MOMENTUM) run.curvature = f->hessian, run.momentum.eps = 0.9;
  run.tempering.rungs = f->kernel.temper && (run.curvature || !(row->traits & LBP_TRAIT_CURVED)) ? 1 + pick(&rng, MOST_RUNGS) : 1;
  run.thin = 1 + pick(&rng, 3);
  run.warmup = run.thin * (20 + pick(&rng, 120));
  run.draws = 40 + pick(&rng, 100);
  if (run.tempering.rungs > 1 && run.thin % 2 == 0 && pick(&rng, 2)) run.tempering.swap_every = run.thin / 2;
  run.shared_tuner = run.chains > 1 && pick(&rng, 2);
  if (row->traits & (LBP_TRAIT_SITES | LBP_TRAIT_PATH)) run.parameter = settings[pick(&rng, 5)];
  if (row->traits & LBP_TRAIT_SCALE) run.parameter = pick(&rng, 2) ? 0.75 : 0;
  if (f->model == &perm_model && run.parameter > 1) run.parameter = 1;
  if (t % 2 == 0) run.parameter = 0;
  run.marginals = (int)pick(&rng, 3);
  if (run.marginals == LBP_MARGINALS_CONDITIONAL && !f->kernel.conditionals) run.marginals = LBP_MARGINALS_COUNTED;
  run.save_states = (int)pick(&rng, 3);
  run.start = f->start;
  run.start_data = f->state;
  if (f->kernel.clamp && pick(&rng, 3) == 0 && t > 0) {
    memset(mask, 0, sizeof mask);
    mask[pick(&rng, f->n)] = 1; /* one or two */
    mask[pick(&rng, f->n)] = 1;
    run.clamp = mask;
  }
  if (pick(&rng, 4) == 0) run.rhat = 1.2;
  snprintf(what, room, "%s, %s, seed %u: %u chains, %u rungs, thin %u, warm-up %u, %s %g%s%s%s", f->name,
           row->name, (unsigned)seed, (unsigned)run.chains, (unsigned)run.tempering.rungs, (unsigned)run.thin,
           (unsigned)run.warmup, row->parameter_name ? row->parameter_name : "no parameter", run.parameter,
           run.shared_tuner ? ", shared" : "", run.clamp ? ", clamped" : "", run.rhat > 0 ? ", R-hat" : "");
  return run;
}

static void check_family(const family *f, uint64_t seed) {
  uint32_t k, t;
  char what[300];
  for (k = 0; k < f->kernel.samplers; k++) {
    const lbp_sampler *row = &f->kernel.sampler[k];
    for (t = 0; t < RUNS; t++) {
      lbp_run run = draw_run(f, row, seed + 100 * k + t, t, what, sizeof what);
      const double rhat = run.rhat;
      run.rhat = 0; /* it takes all draws */
      check_traced(f, row, run, what);
      run.rhat = rhat;
      run.draws += 250;
      check_resumed(lbp_run_kernel, f->kernel, f->model, f->n, run, what);
    }
  }
}

static void test_families(void) {
  static const uint32_t K[] = {3, 1, 2, 4, 3};
  static const uint8_t zeros[ITEMS] = {0}, ones[ITEMS] = {1, 1, 1, 0, 0, 0, 0, 1};
  family f;
  memset(&f, 0, sizeof f);
  cat_model = cat_make(5, K, 0.75, CAT_SOFT, 0, 3);
  f.start = start_at;
  f.state = zeros;
  f.name = "categorical";
  f.kernel = local_kernel();
  f.model = &cat_model;
  f.n = 5;
  f.logp = cat_law;
  f.base = cat_law_base;
  check_family(&f, 1000);
  f.name = "categorical, dense";
  f.kernel = dense_kernel();
  f.base = NULL;
  check_family(&f, 2000);
  ab_model = ab_toy_make(4, 3, 0, 5);
  f.name = "ordinal";
  f.kernel = scale_kernel();
  f.model = &ab_model;
  f.hessian = ab_hessian();
  f.n = 4;
  f.logp = ab_law;
  check_family(&f, 3000);
  toy_model = toy_make(8, 0.75, 0, 5);
  f.name = "groups and sites in none";
  f.kernel = grouped_kernel();
  f.model = &toy_model;
  f.n = 8;
  f.logp = toy_logs;
  f.state = ones;
  check_family(&f, 4000);
  f.name = "binary, with a base";
  f.kernel = plain_kernel();
  f.base = toy_base;
  check_family(&f, 5000);
  f.base = NULL;
  perm_model = perm_make(5, PERM_PATH, 1.5, 0);
  f.start = start_perm;
  f.name = "permutations";
  f.kernel = pairing_kernel(5);
  f.model = &perm_model;
  f.n = 5;
  f.logp = perm_logs;
  check_family(&f, 6000);
  perm_model = perm_partial(5, 2, 3, PERM_LINEAR, 1.5, 0);
  f.name = "partial matchings";
  f.kernel = partial_kernel(5);
  check_family(&f, 7000);
}

int main(void) {
  if (!make_folder()) return 1;
  threads(1);
  test_families();
  rmdir(folder);
  return test_report();
}
