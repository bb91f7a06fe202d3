/* The numbers that runs report. A trace of all steps of a run gives, computed by hand: frozen tuners, the ladder's
 * spacing, the means of steps, and the best states of annealing. Runs that are stopped at random places and resumed
 * must report the same results and write the same files as a run in one piece. Models have groups, and sites in no
 * group, too.
 *
 * Nothing here is statistical: numbers by hand agree up to rounding, those of resumed runs to the bit. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define LBP_RUN_KEPT 256u /* a few hundred draws are more than are kept, so means come from batches */
#include "../lbp_run.h"

#if defined _OPENMP
#include <omp.h>
#endif

#include "run_files.h"
#include "run_resumed.h"
#include "test.h"

enum { SITES = 12, MOST_CHAINS = 12, MOST_STEPS = 2000, MOST_SAMPLERS = 16, CHAINS = 3 };

/* A ring with fields. */
typedef struct {
  double field[SITES], coupling;
  int free; /* whether every fifth site is in no group */
  int hub;  /* no ring: the first site, while it is 1, keeps all others at 0 */
} band;

#define HUB_DEPTH 11.0 /* loss of log pi when the first site flips to 0, or another one to 1 */

static double band_delta(const band *b, const uint8_t *x, uint32_t i) {
  const double h = b->field[i] + b->coupling * (double)(x[(i + 1) % SITES] + x[(i + SITES - 1) % SITES]);
  uint32_t k, ones = 0;
  resume_look();
  if (!b->hub) return x[i] ? -h : h;
  for (k = 1; k < SITES; k++) ones += x[k];
  return (x[i] ? -HUB_DEPTH : HUB_DEPTH) * (i == 0 ? 1 - (double)ones : -(double)x[0]);
}

static uint32_t band_neighbours(const band *b, uint32_t i, uint32_t *out) {
  uint32_t k;
  for (k = 1; k < SITES && b->hub && i == 0; k++) out[k - 1] = k;
  if (b->hub) return i == 0 ? SITES - 1 : (uint32_t)(out[0] = 0, 1);
  out[0] = (i + 1) % SITES;
  out[1] = (i + SITES - 1) % SITES;
  return 2;
}

static double band_logp(const band *b, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 1; i < SITES && b->hub; i++) sum -= HUB_DEPTH * x[0] * x[i];
  if (b->hub) return sum + HUB_DEPTH * x[0];
  for (i = 0; i < SITES; i++) sum += x[i] * (b->field[i] + b->coupling * x[(i + 1) % SITES]);
  return sum;
}

static uint32_t band_group(const band *b, uint32_t i) { return b->free && i % 5 == 4 ? LBP_NO_GROUP : i % 2; }

#define LBP_NAME           plain
#define LBP_MODEL_T        band
#define LBP_DELTA          band_delta
#define LBP_NEIGHBOURS     band_neighbours
#define LBP_MAX_NEIGHBOURS 11
#define LBP_LOGP           band_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           grouped
#define LBP_MODEL_T        band
#define LBP_DELTA          band_delta
#define LBP_NEIGHBOURS     band_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           band_logp
#define LBP_GROUP          band_group
#define LBP_GROUPS         2
#define LBP_TEMPERED
#include "../lbp_run.h"

static band make_band(int free) {
  band b;
  uint32_t i;
  for (i = 0; i < SITES; i++) b.field[i] = ((i * 7 + 3) % 11 - 5.0) / 3 - 0.2;
  b.coupling = 0.6;
  b.free = free;
  b.hub = 0;
  return b;
}

static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  static const uint8_t start[SITES] = {1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0};
  (void)chain;
  memcpy(x, start, n);
  if (data) memset(x + 1, 0, n - 1u); /* of a hub */
}

/* ---- a trace of all steps ---------------------------------------------------------------------------------------- */

/* What a step reported, and log pi of the state after it, by the model. */
typedef struct {
  double accept, parameter, jump, proposed, evaluations, told, logp, beta, lean;
} step;

static lbp_kernel inner;                           /* the kernel that is traced */
static lbp_sampler table[MOST_SAMPLERS];
static lbp_kernel_steps *inner_steps;
static const band *traced_band;
static const void *chain_at[MOST_CHAINS];          /* chains by their numbers, in the order in which they were made */
static uint32_t chains_made;
static double beta_of[MOST_CHAINS], apart;        /* inverse temperatures; by how much log pi that steps told is off */
static step trace[MOST_CHAINS][MOST_STEPS];
static uint32_t steps_of[MOST_CHAINS];
static double swapped[MOST_CHAINS][MOST_STEPS];    /* log pi when replicas were about to swap */
static uint32_t rounds_of[MOST_CHAINS];
static double best_logp_of[MOST_CHAINS];           /* of the best state of each chain */
static const char *wrong;                          /* what a step reported wrongly */

static uint32_t chain_number(const void *chain) {
  uint32_t k = 0;
  while (k < chains_made && chain_at[k] != chain) k++;
  return k;
}

static int trace_make(void *chain, const void *model, const lbp_plan *plan) {
  if (chains_made < MOST_CHAINS) chain_at[chains_made++] = chain;
  return inner.make(chain, model, plan);
}

/* log(A / B) of the groups' ones and zeros at this shift, by Barker's weights. */
static double lean_at(const uint8_t *x, double shift) {
  double sum[2] = {0, 0};
  uint32_t i;
  for (i = 0; i < SITES; i++) {
    if (band_group(traced_band, i) == LBP_NO_GROUP) continue;
    sum[x[i]] += 1 / (1 + exp(-(band_delta(traced_band, x, i) + (x[i] ? -shift : shift))));
  }
  return log(sum[1] / sum[0]);
}

/* Sites that a step proposes for each unit of R; 0 for samplers whose parameter is no number of sites. */
static double unit_of(int sampler) {
  if (sampler == LBP_SAMPLER_LBP) return 1;
  return sampler == LBP_SAMPLER_SWAP || sampler == LBP_SAMPLER_SWAP_PATH ? 2 : 0;
}

/* Takes the steps one by one, and compares what each reports with the change of the state. */
static uint32_t trace_steps(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                            double limit, int learn, lbp_moves *moves) {
  const uint32_t at = chain_number(chain);
  const uint8_t *x = (const uint8_t *)((const lbp_unit *)chain)->x;
  const double unit = unit_of(plan->sampler->sampler);
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    const double before = band_logp(traced_band, x);
    double moved = 0, setting[LBP_SETTINGS] = {0};
    uint8_t was[SITES];
    uint32_t i;
    lbp_moves one;
    memcpy(was, x, SITES);
    if (at < MOST_CHAINS && steps_of[at] == 0) best_logp_of[at] = before;
    memset(&one, 0, sizeof one);
    inner.tuner_setting(tuner, setting);
    inner_steps(chain, model, plan, tuner, 1, lbp_infinity(), learn, &one);
    moves->accept += one.accept;
    moves->parameter += one.parameter;
    moves->jump += one.jump;
    moves->proposed += one.proposed;
    moves->evaluations += one.evaluations;
    moves->log_ratio += one.log_ratio;
    work += one.evaluations + 1;
    if (at < MOST_CHAINS && steps_of[at] < MOST_STEPS) {
      step *s = &trace[at][steps_of[at]++];
      const double beta = beta_of[at], off = fabs(one.log_ratio - beta * (band_logp(traced_band, x) - before));
      s->accept = one.accept;
      s->parameter = one.parameter;
      s->jump = one.jump;
      s->proposed = one.proposed;
      s->evaluations = one.evaluations;
      s->told = one.log_ratio;
      s->beta = beta;
      s->logp = band_logp(traced_band, x);
      s->lean = lean_at(x, setting[1]);
      if (!(off <= apart)) apart = off;
      if (s->logp > best_logp_of[at]) best_logp_of[at] = s->logp;
      for (i = 0; i < SITES; i++) moved += was[i] != x[i];
      if (one.jump != moved) wrong = "distances";
      if (one.proposed > 0 && unit > 0 && one.proposed != one.parameter * unit) wrong = "R";
      if (traced_band->free && one.evaluations < SITES) wrong = "evaluations";
    }
  }
  return k;
}

static void trace_temper(void *chain, double beta) {
  const uint32_t at = chain_number(chain);
  if (at < MOST_CHAINS) beta_of[at] = beta;
  inner.temper(chain, beta);
}

/* Only swaps ask for it. */
static double trace_excess(void *chain, const void *model) {
  const uint32_t at = chain_number(chain);
  const double logp = inner.logp(chain, model);
  if (at < MOST_CHAINS && rounds_of[at] < MOST_STEPS) swapped[at][rounds_of[at]++] = logp;
  return logp;
}

/* The kernel, with the steps of `sampler` traced. */
static lbp_kernel traced(lbp_kernel kernel, const band *b, int sampler) {
  uint32_t k;
  inner = kernel;
  traced_band = b;
  chains_made = 0;
  apart = 0;
  wrong = NULL;
  for (k = 0; k < MOST_CHAINS; k++) {
    beta_of[k] = 1;
    steps_of[k] = rounds_of[k] = 0;
    best_logp_of[k] = -HUGE_VAL;
  }
  for (k = 0; k < kernel.samplers && k < MOST_SAMPLERS; k++) {
    table[k] = kernel.sampler[k];
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

/* ---- tuners ------------------------------------------------------------------------------------------------------ */

/* R after its warm-up, from acceptance rates: algorithm 2's R_t, with steps of R / 32 if these are more than 1, and the
 * mean of the second half. */
static double R_by_hand(double (*accept)(uint32_t chain, uint32_t t), uint32_t chain, uint32_t warmup, double largest) {
  double r = 1, sum = 0;
  uint32_t t, half = warmup / 2;
  for (t = 0; t < warmup; t++) {
    r += (r / 32 > 1 ? r / 32 : 1) * (accept(chain, t) - (double)LBP_TARGET_LBP);
    r = r < 1 ? 1 : r > largest ? largest : r;
    if (t >= half) sum += r;
  }
  return sum / (warmup - half);
}

static double own_accept(uint32_t chain, uint32_t t) { return trace[chain][t].accept; }

static double mean_accept(uint32_t chain, uint32_t t) {
  double sum = 0;
  uint32_t k;
  (void)chain;
  for (k = 0; k < CHAINS; k++) sum += trace[k][t].accept;
  return sum / CHAINS;
}

/* The first step that a tuner's sums contain after `steps` steps, if it forgets after steps 1, 2, 4 ...; `kept`: it
 * forgets only what is older than the power of two before the last. */
static uint32_t since(uint32_t steps, int kept) {
  uint32_t power = 1;
  while (2 * power < steps) power *= 2;
  return steps == 1 ? 0 : kept ? power / 2 : power;
}

/* The clock's time, from the jumps of the chains [first, end), which share a tuner. Without a jump it doubles; it
 * changes by a factor of 16 at most. *cut becomes the number of steps that were shorter than the tuner's time. */
static double time_by_hand(uint32_t first, uint32_t end, uint32_t warmup, double wanted, uint32_t *cut) {
  double time = wanted / SITES;
  uint32_t done, k, t;
  for (done = 1, *cut = 0; done <= warmup; done++) {
    double jumps = 0, spent = 0, next;
    for (k = first; k < end; k++) *cut += trace[k][done - 1].parameter < time * (1 - 1e-9);
    for (t = since(done, 1); t < done; t++) {
      for (k = first; k < end; k++) jumps += trace[k][t].proposed, spent += trace[k][t].parameter;
    }
    next = jumps > 0 ? wanted * spent / jumps : 2 * time;
    time = next > 16 * time ? 16 * time : next < time / 16 ? time / 16 : next;
  }
  return time;
}

/* The shift of swaps: after steps 1, 2, 4 ... it moves by half the mean of log(A / B) since then, cut at 8. */
static double shift_by_hand(uint32_t first, uint32_t end, uint32_t warmup) {
  double shift = 0, sum = 0;
  uint32_t t, k, told = 0;
  for (t = 0; t < warmup; t++) {
    for (k = first; k < end; k++) sum += trace[k][t].lean, told++;
    if ((t + 1) & t) continue;
    sum /= told;
    shift += (sum > 8 ? 8 : sum < -8 ? -8 : sum) / 2;
    sum = told = 0;
  }
  return shift;
}

/* A setting of a chain's tuner, from the metric file: 0 is R or the time, 1 the shift. */
static double metric_setting(uint32_t which, uint32_t chain) {
  long size;
  char *text = content(in_folder("numbers_metric.json"), &size), *at = text;
  double v = NAN;
  uint32_t k;
  for (k = 0; at && k <= chain; k++) at = strstr(at + (k > 0), "\"setting\": [");
  if (at) at = strchr(at, '[') + 1;
  for (k = 0; at && k < which; k++) at = strchr(at, ',') + 1;
  if (at) v = strtod(at, NULL);
  free(text);
  return v;
}

/* The values of all draws, from run.on_draw. */
static double handed[CHAINS][MOST_STEPS][LBP_DRAW_VALUES];
static void hand(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  (void)data, (void)x;
  if (draw < MOST_STEPS) memcpy(handed[chain][draw], values, sizeof handed[chain][draw]);
}

/* Compares the means over the steps after the warm-up, of the run and of each draw, with the trace. */
static void check_means(const lbp_run *run, const lbp_run_result *result, const char *what) {
  double sum[4] = {0, 0, 0, 0}, worst = 0;
  const double steps = (double)run->draws * run->thin;
  const uint32_t rungs = run->tempering.rungs;
  uint32_t k, t, d;
  char text[160];
  for (k = 0; k < run->chains; k++) {
    const step *s = trace[k * rungs] + run->warmup;
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
      if (rungs == 1) worst = test_larger(worst, fabs(s[-1].logp - handed[k][d][LBP_DRAW_LOGP]));
    }
  }
  worst = test_larger(worst, fabs(sum[0] * run->thin / steps / run->chains - result->accept));
  worst = test_larger(worst, fabs(sum[1] * run->thin / steps / run->chains - result->parameter));
  worst = test_larger(worst, fabs(sum[2] / steps / run->chains - result->evaluations));
  worst = test_larger(worst, fabs(sum[3] * run->thin / steps / run->chains - result->jump));
  snprintf(text, sizeof text, "%s: means of steps off by %.2g", what, worst);
  test_count(worst < 1e-8, __FILE__, __LINE__, text);
  snprintf(text, sizeof text, "%s: what log pi gained off by %.2g, wrong: %s", what, apart, wrong ? wrong : "nothing");
  test_count(apart < 1e-9 && !wrong, __FILE__, __LINE__, text);
}

static lbp_run numbers_run(int sampler) {
  static char prefix[300];
  lbp_run run;
  snprintf(prefix, sizeof prefix, "%s", in_folder("numbers"));
  lbp_run_init(&run);
  run.sampler = sampler;
  run.chains = CHAINS;
  run.warmup = 300;
  run.draws = 120;
  run.thin = 3;
  run.start = begin;
  run.on_draw = hand;
  run.prefix = prefix;
  run.seed = 11 + (uint64_t)sampler;
  return run;
}

/* Makes a traced run, and compares its numbers with those by hand. */
static void check_numbers(lbp_kernel given, const band *b, lbp_run run, const char *what) {
  const lbp_kernel kernel = traced(given, b, run.sampler);
  lbp_run_result result;
  uint32_t k;
  CHECK(lbp_run_kernel(&run, &kernel, b, SITES, &result) == LBP_OK);
  check_means(&run, &result, what);
  for (k = 0; k < run.chains; k++) {
    const uint32_t first = run.shared_tuner ? 0 : k, end = run.shared_tuner ? run.chains : k + 1;
    if (run.sampler == LBP_SAMPLER_LBP && run.parameter == 0) {
      CHECK_NEAR(metric_setting(0, first), R_by_hand(run.shared_tuner ? mean_accept : own_accept, k, run.warmup, SITES - 0.5),
                 1e-9);
    }
    if (run.sampler == LBP_SAMPLER_CLOCK) {
      const double wanted = run.clock_jumps > 0 ? run.clock_jumps : 4;
      uint32_t cut;
      const double hand_made = time_by_hand(first, end, run.warmup, wanted, &cut);
      CHECK(b->hub ? cut > 0 : cut == 0);
      CHECK_NEAR(metric_setting(0, first), hand_made, 1e-9 * hand_made);
      CHECK_NEAR(trace[k][run.warmup].parameter, hand_made, 1e-9 * hand_made); /* frozen */
    }
    if (run.sampler == LBP_SAMPLER_SWAP && !b->free) {
      CHECK_NEAR(metric_setting(1, first), shift_by_hand(first, end, run.warmup), 1e-4);
    }
  }
  lbp_run_free(&result);
  remove_all(run.prefix, run.chains);
}

static void test_numbers(void) {
  const band plain = make_band(0), free = make_band(1);
  band hub = plain;
  lbp_run run = numbers_run(LBP_SAMPLER_LBP);
  check_numbers(plain_kernel(), &plain, run, "LBP");
  run.shared_tuner = 1;
  run.warmup = 301;
  check_numbers(plain_kernel(), &plain, run, "LBP, a shared tuner");
  run.parameter = 2.5;
  check_numbers(plain_kernel(), &plain, run, "LBP, a random R");
  run = numbers_run(LBP_SAMPLER_CLOCK);
  check_numbers(plain_kernel(), &plain, run, "clock");
  run.shared_tuner = 1;
  run.clock_jumps = 2.5;
  run.warmup = 257;
  check_numbers(plain_kernel(), &plain, run, "clock, a shared tuner");
  hub.hub = 1;
  run.start_data = &hub;
  run.warmup = 30;
  check_numbers(plain_kernel(), &hub, run, "clock, cut steps, a shared tuner");
  run.shared_tuner = 0;
  check_numbers(plain_kernel(), &hub, run, "clock, cut steps");
  run = numbers_run(LBP_SAMPLER_SWAP);
  check_numbers(grouped_kernel(), &plain, run, "swaps");
  run.shared_tuner = 1;
  run.warmup = 270;
  check_numbers(grouped_kernel(), &plain, run, "swaps, a shared tuner");
  run.parameter = 9; /* more than can be made at once */
  check_numbers(grouped_kernel(), &free, run, "swaps, free sites");
  check_numbers(grouped_kernel(), &free, numbers_run(LBP_SAMPLER_SWAP_PATH), "paths of swaps, free sites");
  check_numbers(grouped_kernel(), &free, numbers_run(LBP_SAMPLER_KAWASAKI), "uniform swaps, free sites");
  check_numbers(grouped_kernel(), &free, numbers_run(LBP_SAMPLER_SWAP_SWEEP), "sweeps of swaps, free sites");
}

/* ---- the ladder -------------------------------------------------------------------------------------------------- */

/* Sum of the probabilities that rung k and the next do not swap, over chains and the rounds [from, to). */
static double refused_by_hand(const double *ladder, uint32_t rungs, uint32_t k, uint32_t from, uint32_t to) {
  double sum = 0;
  uint32_t chain, t;
  for (chain = 0; chain < CHAINS; chain++) {
    const uint32_t cold = chain * rungs + k;
    for (t = from; t < to; t++) {
      const double gain = (ladder[k] - ladder[k + 1]) * (swapped[cold + 1][t] - swapped[cold][t]);
      sum += gain < 0 ? 1 - exp(gain) : 0;
    }
  }
  return sum;
}

/* After rounds 32, 64 ... in the first three quarters of the warm-up, rungs move to where the sum of refusals, plus one
 * in a thousand tries, is cut into equal parts. */
static void test_ladder(void) {
  enum { RUNGS = 4 };
  const band b = make_band(0);
  lbp_run run = numbers_run(LBP_SAMPLER_LBP);
  const lbp_kernel kernel = traced(plain_kernel(), &b, LBP_SAMPLER_LBP);
  double ladder[RUNGS] = {1, 2 / 3.0, 1 / 3.0, 0}, worst = 0, least = 1;
  uint32_t begin_at = 0, end, k, j;
  lbp_run_result result;
  run.tempering.rungs = RUNGS;
  run.warmup = 600;
  CHECK(lbp_run_kernel(&run, &kernel, &b, SITES, &result) == LBP_OK);
  check_means(&run, &result, "tempered");
  for (end = 32; end * run.thin <= run.warmup / 4 * 3; begin_at = end, end *= 2) {
    double sum[RUNGS] = {0}, spaced[RUNGS] = {1, 0, 0, 0}; /* of refusals from rung 0 to rung k */
    for (k = 0; k + 1 < RUNGS; k++) {
      sum[k + 1] = sum[k] + refused_by_hand(ladder, RUNGS, k, begin_at, end) + 1e-3 * (end - begin_at) * CHAINS;
    }
    for (j = 1; j + 1 < RUNGS; j++) {
      const double goal = sum[RUNGS - 1] * j / (RUNGS - 1);
      for (k = 0; sum[k + 1] < goal; k++) continue;
      spaced[j] = ladder[k] + (ladder[k + 1] - ladder[k]) * (goal - sum[k]) / (sum[k + 1] - sum[k]);
    }
    memcpy(ladder, spaced, sizeof ladder);
  }
  CHECK(end == 256);
  begin_at = run.warmup / run.thin;
  end = begin_at + (uint32_t)run.draws;
  for (k = 0; k < RUNGS; k++) {
    const double tries = (double)run.draws * CHAINS;
    worst = test_larger(worst, fabs(result.ladder[k] - ladder[k]));
    if (k + 1 == RUNGS) continue;
    worst = test_larger(worst, fabs(result.swaps[k] - 1 + refused_by_hand(ladder, RUNGS, k, begin_at, end) / tries));
    least = result.swaps[k] < least ? result.swaps[k] : least;
  }
  CHECK_NEAR(worst, 0, 1e-9);
  CHECK(least < 0.99 && fabs(ladder[1] - 2 / 3.0) > 0.01); /* the ladder had to be moved */
  CHECK_NEAR(result.round_trip_rate, (double)result.round_trips / ((double)run.draws * CHAINS), 1e-12);
  lbp_run_free(&result);
  remove_all(run.prefix, run.chains);
}

/* ---- annealing --------------------------------------------------------------------------------------------------- */

static int falling(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? 1 : left > right ? -1 : 0;
}

/* Compares the best and last states of reads with the trace, and the summary's mean, error and SD with those by
 * hand. */
static void check_annealing(lbp_kernel given, const band *b, int sampler, const char *what) {
  enum { READS = 6 };
  const lbp_kernel kernel = traced(given, b, sampler);
  lbp_run run = numbers_run(sampler);
  lbp_run_result result;
  double best[READS], mean = 0, squares = 0, said = 0, error = 0, sd = 0, off = 0;
  char path[300], text[160], *all, *at;
  long size;
  uint32_t k;
  run.chains = READS;
  run.annealing.sweeps = 5;
  run.annealing.hot = 0.1;
  run.annealing.cold = 1;
  run.parameter = sampler == LBP_SAMPLER_GIBBS ? 0 : 1;
  if (sampler == LBP_SAMPLER_KAWASAKI || sampler == LBP_SAMPLER_SWAP_SWEEP) run.parameter = 0;
  snprintf(path, sizeof path, "%s", in_folder("summary"));
  run.summary = fopen(path, "wb");
  CHECK(run.summary && lbp_anneal_kernel(&run, &kernel, b, SITES, &result) == LBP_OK);
  if (run.summary) fclose(run.summary);
  if (result.status != LBP_OK) return;
  for (k = 0; k < READS; k++) {
    best[k] = best_logp_of[k];
    off = test_larger(off, fabs(result.last_logp[k] - trace[k][run.annealing.sweeps - 1].logp));
  }
  qsort(best, READS, sizeof *best, falling);
  for (k = 0; k < READS; k++) {
    off = test_larger(off, fabs(result.best_logp[k] - best[k]));
    off = test_larger(off, fabs(result.best_logp[k] - band_logp(b, result.best + k * SITES)));
    mean += best[k] / READS;
  }
  for (k = 0; k < READS; k++) squares += (best[k] - mean) * (best[k] - mean);
  snprintf(text, sizeof text, "annealing by %s: states off by %.2g, what log pi gained by %.2g", what, off, apart);
  test_count(off < 1e-9 && apart < 1e-9, __FILE__, __LINE__, text);
  all = content(path, &size);
  at = all ? strstr(all, "of a read ") : NULL;
  CHECK(at && sscanf(at, "of a read %lf +- %lf (SD %lf)", &said, &error, &sd) == 3);
  CHECK_NEAR(said, mean, 1e-7 * fabs(mean));
  CHECK_NEAR(sd, sqrt(squares / (READS - 1)), 0.006 * sd);
  CHECK_NEAR(error, sqrt(squares / (READS - 1) / READS), 0.06 * error);
  CHECK(squares > 0);
  free(all);
  remove(path);
  lbp_run_free(&result);
}

static void test_annealing(void) {
  band plain = make_band(0), free = make_band(1);
  plain.coupling = free.coupling = -1.25; /* so that reads end in states that differ */
  check_annealing(plain_kernel(), &plain, LBP_SAMPLER_GIBBS, "Gibbs");
  check_annealing(plain_kernel(), &plain, LBP_SAMPLER_LBP, "LBP");
  check_annealing(grouped_kernel(), &free, LBP_SAMPLER_SWAP, "swaps, free sites");
  check_annealing(grouped_kernel(), &free, LBP_SAMPLER_SWAP_PATH, "paths of swaps, free sites");
  check_annealing(grouped_kernel(), &free, LBP_SAMPLER_KAWASAKI, "uniform swaps, free sites");
  check_annealing(grouped_kernel(), &free, LBP_SAMPLER_SWAP_SWEEP, "sweeps of swaps, free sites");
}

/* ---- after interruptions ----------------------------------------------------------------------------------------- */

static void test_resumed(void) {
  const band plain = make_band(0), free = make_band(1);
  lbp_run run = numbers_run(LBP_SAMPLER_LBP);
  run.draws = 500;
  run.save_states = LBP_STATES_NPY;
  run.marginals = LBP_MARGINALS_COUNTED;
  check_resumed(lbp_run_kernel, plain_kernel(), &plain, SITES, run, "LBP");
  run.shared_tuner = 1;
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  run.save_states = LBP_STATES_CSV;
  check_resumed(lbp_run_kernel, plain_kernel(), &plain, SITES, run, "a shared tuner");
  run.rhat = 1.03;
  run.ess = 400; /* more than are kept */
  run.draws = 20000;
  run.marginals = LBP_MARGINALS_NONE;
  check_resumed(lbp_run_kernel, plain_kernel(), &plain, SITES, run, "until it has converged, a shared tuner");
  run.shared_tuner = 0; /* with one it stops where it looks; now in between, too */
  check_resumed(lbp_run_kernel, plain_kernel(), &plain, SITES, run, "until it has converged");
  run = numbers_run(LBP_SAMPLER_CLOCK);
  run.draws = 300;
  run.clock_jumps = 3;
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  check_resumed(lbp_run_kernel, plain_kernel(), &plain, SITES, run, "clock");
  run = numbers_run(LBP_SAMPLER_LBP);
  run.tempering.rungs = 3;
  run.warmup = 400;
  run.draws = 200;
  check_resumed(lbp_run_kernel, plain_kernel(), &plain, SITES, run, "tempered");
  run.shared_tuner = 1;
  check_resumed(lbp_run_kernel, plain_kernel(), &plain, SITES, run, "tempered, shared tuners");
  run = numbers_run(LBP_SAMPLER_SWAP);
  run.draws = 300;
  check_resumed(lbp_run_kernel, grouped_kernel(), &free, SITES, run, "swaps, free sites");
  run.shared_tuner = 1;
  check_resumed(lbp_run_kernel, grouped_kernel(), &free, SITES, run, "swaps, free sites, a shared tuner");
  run = numbers_run(LBP_SAMPLER_SWAP);
  run.parameter = 2;
  run.annealing.sweeps = 3000;
  check_resumed(lbp_anneal_kernel, grouped_kernel(), &free, SITES, run, "annealing by swaps, free sites");
  run = numbers_run(LBP_SAMPLER_METROPOLIS);
  run.annealing.sweeps = 8000;
  check_resumed(lbp_anneal_kernel, plain_kernel(), &plain, SITES, run, "annealing");
}

int main(void) {
  if (!make_folder()) return 1;
  threads(1);
  test_numbers();
  test_ladder();
  test_annealing();
  test_resumed();
  rmdir(folder);
  return test_report();
}
