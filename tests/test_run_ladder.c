/* The report of a run of lbp_run.h about its ladder: round trips of replicas, compared with a count from their traces
 * and against the law of ladders whose replicas forget; the best states of all rungs; a warning where a ladder does not
 * turn over, and none where it does; ends that the warm-up finds; all the same on any number of threads and after
 * interruptions. The statistical check allows six standard errors: a false alarm in 10^-8 runs. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "../lbp_run.h"

#if defined _OPENMP
#include <omp.h>
#endif

#include "run_files.h"
#include "test.h"
#include "toy.h"

#ifdef API_QUICK /* for tools that make programs slow */
enum { QUICK = 1 };
#else
enum { QUICK = 0 };
#endif

/* ---- replicas that can be told apart ----------------------------------------------------------------------------- */

/* The first sites never flip, and are a number that each replica has from its start; the others are independent. That
 * number, among those of its chain, is worth `worth` of log pi each. */
enum { LABEL = 6, FREE = 6, SITES = LABEL + FREE, MOST_CHAINS = 4, MOST_RUNGS = 8, MOST_ROUNDS = 8192 };

typedef struct {
  uint32_t rungs;
  double worth, field[SITES];
} labels;

static uint32_t label_of(const uint8_t *x) {
  uint32_t i, label = 0;
  for (i = 0; i < LABEL; i++) label |= (uint32_t)x[i] << i;
  return label;
}

static double labels_delta(const labels *m, const uint8_t *x, uint32_t i) {
  return i < LABEL ? -HUGE_VAL : x[i] ? -m->field[i] : m->field[i];
}

static uint32_t labels_neighbours(const labels *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

static double labels_logp(const labels *m, const uint8_t *x) {
  double sum = m->worth * (label_of(x) % m->rungs);
  uint32_t i;
  for (i = LABEL; i < SITES; i++) sum += x[i] ? m->field[i] : 0;
  return sum;
}

#define LBP_NAME           labels
#define LBP_MODEL_T        labels
#define LBP_DELTA          labels_delta
#define LBP_NEIGHBOURS     labels_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           labels_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

static uint32_t begun[MOST_CHAINS]; /* replicas of each chain that have started */

static void start_labels(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  const labels *m = (const labels *)data;
  const uint32_t label = chain * m->rungs + begun[chain]++;
  uint32_t i;
  for (i = 0; i < n; i++) x[i] = (uint8_t)(i < LABEL ? label >> i & 1 : 0);
}

/* Which replica each rung has before each round of swaps: written down by the function that knows log pi there. */
static uint8_t trace[MOST_CHAINS][MOST_ROUNDS][MOST_RUNGS];
static uint32_t traced[MOST_CHAINS]; /* how many in all rounds */
static uint32_t traced_rungs;

static double trace_excess(void *chain, const void *model) {
  const uint8_t *x = (const uint8_t *)((lbp_unit *)chain)->x;
  const uint32_t label = label_of(x), c = label / traced_rungs, k = traced[c]++;
  if (k < MOST_ROUNDS * traced_rungs) trace[c][k / traced_rungs][k % traced_rungs] = (uint8_t)(label % traced_rungs);
  return labels_logp((const labels *)model, x);
}

static labels make_labels(uint32_t rungs, double worth) {
  labels m;
  uint32_t i;
  memset(&m, 0, sizeof m);
  m.rungs = rungs;
  m.worth = worth;
  for (i = LABEL; i < SITES; i++) m.field[i] = 0.75 + 0.5 * (i - LABEL);
  return m;
}

static lbp_run labels_options(const labels *m) {
  lbp_run run;
  lbp_run_init(&run);
  run.sampler = LBP_SAMPLER_GIBBS; /* draws the free sites anew, whatever they were */
  run.check_trials = 0;                   /* log-ratios of the others are no differences of log pi */
  run.chains = 3;
  run.tempering.rungs = m->rungs;
  run.start = start_labels;
  run.start_data = m;
  memset(begun, 0, sizeof begun);
  memset(traced, 0, sizeof traced);
  traced_rungs = m->rungs;
  return run;
}

/* Of the trace of `rounds` rounds of a chain from `begin` on, and where replicas are after the last: visits of a replica to
 * the hottest rung with one to the coldest since the visit before. */
static uint64_t trips_in(uint32_t chain, uint32_t rungs, uint64_t begin, uint64_t rounds) {
  uint64_t trips = 0, t;
  uint32_t replica;
  for (replica = 0; replica < rungs; replica++) {
    char ends[MOST_ROUNDS + 2]; /* what the replica was at, without repetitions: hot, cold */
    size_t length = 0, k, hot = 0;
    for (t = begin; t <= begin + rounds; t++) {
      const uint8_t *at = trace[chain][t];
      const char end = at[rungs - 1] == replica ? 'h' : at[0] == replica ? 'c' : 0;
      if (end && (length == 0 || ends[length - 1] != end)) ends[length++] = end;
    }
    for (k = 0; k < length; k++) hot += ends[k] == 'h';
    trips += hot > 0 ? hot - 1 : 0;
  }
  return trips;
}

static void check_trips(uint32_t rungs, double worth, uint32_t warmup, uint32_t exchange, uint64_t draws) {
  const labels m = make_labels(rungs, worth);
  lbp_kernel kernel = labels_kernel();
  lbp_run run = labels_options(&m);
  lbp_run_result result;
  uint64_t trips = 0, rounds;
  double odds = 0;
  uint32_t k;
  kernel.excess = trace_excess;
  run.warmup = warmup;
  run.thin = 2;
  run.tempering.swap_every = exchange;
  run.draws = draws + 1; /* to see where replicas are after the last swaps of one draw less */
  rounds = draws * 2 / exchange;
#if defined _OPENMP
  omp_set_num_threads(1);
#endif
  CHECK(lbp_run_kernel(&run, &kernel, &m, SITES, &result) == LBP_OK);
  lbp_run_free(&result);
  for (k = 0; k < run.chains; k++) {
    CHECK(traced[k] == (warmup / exchange + rounds + 2 / exchange) * rungs);
    trips += trips_in(k, rungs, warmup / exchange, rounds);
  }
  run = labels_options(&m);
  run.warmup = warmup;
  run.thin = 2;
  run.tempering.swap_every = exchange;
  run.draws = draws;
  CHECK(lbp_run_kernel(&run, &kernel, &m, SITES, &result) == LBP_OK);
  CHECK(result.round_trips == trips);
  if (result.round_trips != trips) printf("%lu rungs: %lu trips, not %lu\n", (unsigned long)rungs,
                                          (unsigned long)result.round_trips, (unsigned long)trips);
  CHECK(worth > 1 || trips > 10);
  CHECK_NEAR(result.round_trip_rate, (double)trips / (double)(rounds * run.chains), 1e-12);
  for (k = 0; k + 1 < rungs; k++) odds += 1 / result.swaps[k] - 1;
  CHECK_NEAR(result.round_trip_ideal, 1 / (2 + 2 * odds), 1e-12);
  lbp_run_free(&result);
#if defined _OPENMP
  omp_set_num_threads(2);
#endif
}

static void test_trips(void) {
  check_trips(2, 0, 100, 2, 700);
  check_trips(3, 0.5, 0, 1, 500);
  check_trips(5, 0, 333, 1, 1500); /* swaps at even steps of the warm-up, and one step without */
  check_trips(8, 0.25, 200, 2, 3000);
  check_trips(5, 8, 200, 2, 500); /* hardly any */
}

/* Replicas that forget all between swaps turn over as often as the rates of pairs say. Round trips come more regularly than
 * by Poisson's law. */
static void test_ideal(void) {
  static const double ladder[5] = {1, 0.9, 0.5, 0.2, 0}; /* rates that differ */
  labels m = make_labels(5, 0);
  lbp_run run;
  lbp_run_result result;
  double due;
  uint32_t i;
  for (i = LABEL; i < SITES; i++) m.field[i] = 3;
  run = labels_options(&m);
  run.warmup = 10;
  run.tempering.ladder = ladder;
  run.draws = 30000;
  CHECK(labels_run(&run, &m, SITES, &result) == LBP_OK);
  due = result.round_trip_ideal * (double)run.draws * run.chains;
  CHECK(due > 5000 && result.round_trip_ideal < 0.24);
  CHECK_NEAR((double)result.round_trips, due, 6 * sqrt(due) + 0.5 * run.chains * run.tempering.rungs);
  lbp_run_free(&result);
}

/* ---- a ladder that does not turn over ---------------------------------------------------------------------------- */

static char *summary(const lbp_run_result *result) {
  FILE *to = fopen(in_folder("summary"), "wb");
  char *text, *at;
  long size;
  lbp_run_print(result, to);
  fclose(to);
  text = content(in_folder("summary"), &size);
  for (at = text; at && *at; at = strchr(at, '\n') + 1) CHECK(strchr(at, '\n') && strchr(at, '\n') - at <= 80);
  remove(in_folder("summary"));
  return text;
}

/* Each replica is worth as much more than the next as is refused every other time. Pairs swap, to and fro; but a replica
 * that went all the way would leave all others in a wrong place. */
static void test_turnover(void) {
  static const struct {
    double worth;
    uint32_t rungs;
    uint64_t draws;
    int warning;
  } row[] = {{7, 8, 2000, 1}, {7, 8, 120, 0}, {0, 8, 2000, 0}, {400, 8, 2000, 0}, {60, 2, 2000, 0}};
  uint32_t k;
  for (k = 0; k < sizeof row / sizeof *row; k++) {
    const labels m = make_labels(row[k].rungs, row[k].worth);
    lbp_run run = labels_options(&m);
    lbp_run_result result;
    char *text, line[100];
    int warning;
    run.draws = row[k].draws;
    run.tempering.adapt = 0;
    CHECK(labels_run(&run, &m, SITES, &result) == LBP_OK);
    warning = (result.warnings & LBP_WARN_ROUND_TRIPS) != 0;
    CHECK(warning == row[k].warning && (row[k].worth == 0) == (result.round_trips > 0));
    if (k == 0) CHECK(!(result.warnings & LBP_WARN_SWAPS) && result.round_trip_ideal * (double)run.draws > 20);
    if (k == 3) CHECK(result.warnings & LBP_WARN_SWAPS); /* another warning says why */
    text = summary(&result);
    snprintf(line, sizeof line, "\nround trips: %lu%s, %.3g a chain and round of swaps; by swaps alone %.3g\n",
             (unsigned long)result.round_trips, warning ? "!" : "", result.round_trip_rate, result.round_trip_ideal);
    CHECK(text && strstr(text, line));
    CHECK(text && !strstr(text, lbp_run_advice(LBP_WARN_ROUND_TRIPS)) == !warning);
    free(text);
    lbp_run_free(&result);
  }
}

/* ---- the best states of all rungs -------------------------------------------------------------------------------- */

enum { N = 10 };

#define LBP_NAME           walk
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME        based
#define LBP_MODEL_T     toy
#define LBP_REAL        float
#define LBP_DELTAS      toy_deltas_float
#define LBP_LOGP        toy_logp
#define LBP_TEMPERED
#define LBP_BASE(m, i)  (0.3f * (float)(m)->field[i] + 0.1f)
#include "../lbp_run.h"

#define LBP_NAME        rounded
#define LBP_MODEL_T     toy
#define LBP_REAL        float
#define LBP_DELTAS      toy_deltas_float
#define LBP_LOGP        toy_logp
#define LBP_TEMPERED
#define LBP_BASE(m, i)  ((void)(m), (i) == 0 ? 67108864.f : -1.5f) /* beside the first the others are lost */
#include "../lbp_run.h"

/* The best that each chain has had where log pi is asked for, and at which rung. Units are known by their addresses, and
 * come in order at first. */
static lbp_kernel inner;
static const void *unit_at[MOST_CHAINS * MOST_RUNGS];
static uint32_t units_seen, units_there, rungs_seen, best_rung[MOST_CHAINS];
static double best_logp[MOST_CHAINS];
static uint8_t best[MOST_CHAINS][N];

static void watch(const void *chain, const toy *t) {
  const uint8_t *x = (const uint8_t *)((const lbp_unit *)chain)->x;
  const double logp = toy_logp(t, x);
  uint32_t unit = 0, c;
  while (unit < units_seen && unit_at[unit] != chain) unit++;
  if (unit == units_there) return; /* none of the run's: for log Z */
  if (unit == units_seen) unit_at[units_seen++] = chain;
  c = unit / rungs_seen;
  if (!(logp > best_logp[c])) return;
  best_logp[c] = logp;
  best_rung[c] = unit % rungs_seen;
  memcpy(best[c], x, N);
}

static double watch_logp(void *chain, const void *model) {
  watch(chain, (const toy *)model);
  return inner.logp(chain, model);
}

static double watch_excess(void *chain, const void *model) {
  watch(chain, (const toy *)model);
  return inner.excess(chain, model);
}

/* Adds how many chains have found their best on a hotter rung first. */
static void check_best(const lbp_kernel *given, const toy *t, const lbp_run *run, uint32_t *hot) {
  lbp_kernel kernel = *given;
  lbp_run_result result;
  uint32_t c, k, found = 0;
  inner = *given;
  units_seen = 0;
  rungs_seen = run->tempering.rungs;
  units_there = run->chains * run->tempering.rungs;
  for (c = 0; c < run->chains; c++) best_logp[c] = -HUGE_VAL;
  if (given->excess) kernel.excess = watch_excess;
  else kernel.logp = watch_logp;
  CHECK(lbp_run_kernel(run, &kernel, t, N, &result) == LBP_OK && units_seen == units_there);
  for (k = 0; k < run->chains; k++) {
    CHECK_NEAR(result.best_logp[k], toy_logp(t, result.best + k * N), 1e-12);
    CHECK(k == 0 || result.best_logp[k] <= result.best_logp[k - 1]);
    for (c = 0; c < run->chains; c++) {
      if (best_logp[c] == result.best_logp[k] && memcmp(best[c], result.best + k * N, N) == 0) break;
    }
    if (c == run->chains) continue;
    found++;
    *hot += best_rung[c] > 0;
    best_logp[c] = HUGE_VAL; /* taken */
  }
  CHECK(found == run->chains);
  lbp_run_free(&result);
}

static void test_best(void) {
  const lbp_kernel plain = walk_kernel(), with_base = based_kernel(), coarse = rounded_kernel();
  const toy t = toy_make(N, 0.25, 0, 7); /* not all chains find the mode */
  lbp_run run;
  uint32_t k, hot[3] = {0, 0, 0};
#if defined _OPENMP
  omp_set_num_threads(1);
#endif
  for (k = 0; k < 12; k++) {
    lbp_run_init(&run);
    run.seed = k;
    run.chains = MOST_CHAINS;
    run.warmup = k % 3 * 7;
    run.parameter = 1 + k % 2;
    run.draws = k % 3 ? 2 : 12; /* what is best of all is in warm-up, or else on any rung */
    run.check_trials = 0;
    run.tempering.rungs = 4;
    run.shared_tuner = k % 4 == 1;
    check_best(&plain, &t, &run, &hot[0]);
    check_best(&with_base, &t, &run, &hot[1]);
    check_best(&coarse, &t, &run, &hot[2]);
  }
  CHECK(hot[0] > 12 && hot[1] > 12);
#if defined _OPENMP
  omp_set_num_threads(2);
#endif
}

/* ---- a ladder of one rung ---------------------------------------------------------------------------------------- */

/* The mean of log pi, and the probability that site 0 is 1, at that inverse temperature. */
static void sum_at(const toy *t, double beta, double *logp, double *first) {
  double total = 0;
  uint8_t x[N];
  uint32_t state, i;
  *logp = *first = 0;
  for (state = 0; state < 1u << N; state++) {
    double v, w;
    for (i = 0; i < N; i++) x[i] = state >> i & 1;
    v = toy_logp(t, x);
    w = exp(beta * v);
    total += w;
    *logp += w * v;
    *first += x[0] * w;
  }
  *logp /= total;
  *first /= total;
}

/* Draws are at ladder[0], by every sampler, also where a run goes on; a model that can't be tempered is refused. Of 2 means
 * by each of some ten samplers, all within six standard errors. */
static void test_one_rung(void) {
  const lbp_run_column column = {"first", lbp_run_site, NULL, 0};
  const double ladder[1] = {0.5};
  const toy t = toy_make(N, 0.75, 0, 3);
  lbp_kernel kernel = walk_kernel();
  double logp, first;
  lbp_run run;
  lbp_run_result result;
  uint32_t k;
  sum_at(&t, 0.5, &logp, &first);
  lbp_run_init(&run);
  run.tempering.ladder = ladder;
  run.column = &column;
  run.columns = 1;
  run.thin = 3;
  run.checkpoint = in_folder("one.ckpt");
  for (k = 0; k < kernel.samplers; k++) {
    run.sampler = kernel.sampler[k].sampler;
    run.parameter = run.sampler == LBP_SAMPLER_RWM ? 3 : 0; /* tuned on so few sites it turns all over */
    for (run.draws = 1500; run.draws <= 3000; run.draws += 1500) {
      CHECK(lbp_run_kernel(&run, &kernel, &t, N, &result) == LBP_OK && result.rungs == 1 && result.ladder[0] == 0.5);
      if (result.status != LBP_OK) printf("%s: %s\n", kernel.sampler[k].name, result.message);
      if (run.draws == 3000 && result.status == LBP_OK) {
        CHECK_NEAR(result.row[0].mean, logp, 6 * result.row[0].mcse);
        CHECK_NEAR(result.row[1].mean, first, 6 * result.row[1].mcse);
        CHECK(result.row[0].mcse < 0.1);
      }
      lbp_run_free(&result);
    }
    CHECK(remove(run.checkpoint) == 0);
  }
  run.checkpoint = NULL;
  kernel.temper = NULL;
  CHECK(lbp_run_kernel(&run, &kernel, &t, N, &result) == LBP_E_RANGE);
  CHECK(strstr(result.message, "tempering: this model cannot be tempered; define LBP_TEMPERED") == result.message);
  lbp_run_free(&result);
}

/* ---- a ladder whose ends are found ------------------------------------------------------------------------------- */

#define LBP_NAME           frozen
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

static int ascending(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

/* The 5 % quantile of |d|, where it is not 0, and the largest, at a state. */
static void sizes_at(const toy *t, const uint8_t *x, const uint8_t *clamp, double *least, double *most) {
  double size[TOY_MAX], at;
  uint32_t i, count = 0, below;
  for (i = 0; i < t->n; i++) {
    const double d = fabs(toy_delta(t, x, i));
    if (d > 0 && d < 1e300 && !(clamp && clamp[i])) size[count++] = d;
  }
  *least = *most = 0;
  if (count == 0) return;
  qsort(size, count, sizeof *size, ascending);
  *most = size[count - 1];
  at = 0.05 * (count - 1);
  below = (uint32_t)at;
  *least = size[below] * (1 - (at - below));
  if (below + 1 < count) *least += size[below + 1] * (at - below);
}

/* The ladder between these ends, without and with one below at 0. */
static void check_ladder(const lbp_run_result *result, double cold, double hot, int zero) {
  const uint32_t last = result->rungs - 1 - (zero != 0);
  uint32_t k;
  CHECK_NEAR(result->ladder[0], cold, 1e-9 * cold);
  for (k = 0; k <= last && last > 0; k++) {
    CHECK_NEAR(result->ladder[k], cold * pow(hot / cold, (double)k / last), 1e-9 * cold);
  }
  CHECK(!zero || result->ladder[last + 1] == 0);
}

static void zeros_everywhere(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

/* Independent sites, whose log-ratios are as large in any state. */
static void test_ends(void) {
  static const double down_to_0[4] = {1, 0.9, 0.1, 0}, colder[4] = {40, 3, 2, 0.25};
  static const uint8_t mask[N] = {0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
  toy t = toy_product(N, 1, 0, 3);
  lbp_run run;
  lbp_run_result result;
  uint8_t x[N];
  double least, most, bound;
  uint32_t k;
  memset(x, 0, sizeof x);
  for (k = 0; k < N; k++) t.field[k] = 0.25 + 0.125 * k; /* all log-ratios from 0.5 to 2.75 */
  t.field[2] = 0.0078125;
  t.field[4] = 0;
  t.field[5] = 3e-9; /* 0 up to rounding */
  t.field[9] = 7;
  for (k = 0; k < 6; k++) {
    lbp_run_init(&run);
    run.tempering.rungs = k == 5 ? 2 : 4;
    run.chains = 3;
    run.draws = 20;
    run.warmup = 100;
    run.parameter = 1;
    run.tempering.adapt = 0;
    run.tempering.adapt_ends = 1;
    run.start = zeros_everywhere;
    run.tempering.ladder = k == 2 || k == 5 ? down_to_0 + (k == 5 ? 2 : 0) : k == 3 ? colder : NULL;
    run.clamp = k == 1 ? mask : NULL;
    if (k == 4) {
      uint32_t i;
      for (i = 0; i < N; i++) t.field[i] = 2.5 + 0.125 * i; /* cold enough at 1 */
    }
    CHECK(frozen_run(&run, &t, N, &result) == LBP_OK);
    sizes_at(&t, x, run.clamp, &least, &most);
    if (k < 4) { /* the sixth is not 0 to that function */
      double sorted[N];
      uint32_t i, count = 0;
      for (i = 0; i < N; i++) {
        if (i != 4 && i != 5 && !(k == 1 && mask[i])) sorted[count++] = 2 * t.field[i];
      }
      qsort(sorted, count, sizeof *sorted, ascending);
      least = sorted[0] + 0.05 * (count - 1) * (sorted[1] - sorted[0]);
    }
    bound = run.tempering.ladder ? run.tempering.ladder[0] : 1;
    CHECK((log(100.0) / least > bound) == (k < 3 || k == 5));
    if (k == 3) check_ladder(&result, 40, 0.25, 0);
    else check_ladder(&result, fmax(log(100.0) / least, bound), log(2.0) / most, k == 2 || k == 5);
    lbp_run_free(&result);
  }
  memset(t.field, 0, sizeof t.field); /* nothing to be found */
  run.tempering.rungs = 4;
  run.tempering.ladder = NULL;
  CHECK(frozen_run(&run, &t, N, &result) == LBP_OK);
  check_ladder(&result, 1, 0.01, 0);
  lbp_run_free(&result);
}

/* States that log-ratios were asked for last, by chain; those of each chain are told as so many times larger. */
static const double larger[MOST_CHAINS] = {1.5, 1, 2.25, 1.25};
static uint8_t looked_at[MOST_CHAINS][N];
static uint32_t looks;
static void (*taken)(void *data, uint32_t i, double d);

static void take_larger(void *data, uint32_t i, double d) { taken(data, i, larger[(looks - 1) % MOST_CHAINS] * d); }

static void watch_ratios(void *chain, const void *model, void (*take)(void *data, uint32_t i, double d), void *data) {
  memcpy(looked_at[looks++ % MOST_CHAINS], ((lbp_unit *)chain)->x, N);
  taken = take;
  inner.ratios(chain, model, take_larger, data);
}

/* Sites that depend on each other, of which some states are impossible: two looks, at each chain's coldest state; the last
 * one decides, and of chains the coldest, and the hottest. At the cold end most draws are the mode. */
static void check_cold(int exclusion) {
  const toy t = toy_make(N, 0.75, exclusion, 7);
  lbp_kernel kernel = frozen_kernel();
  double least = HUGE_VAL, most = 0, all[2];
  lbp_run run;
  lbp_run_result result;
  uint32_t k;
  inner = kernel;
  looks = 0;
  kernel.ratios = watch_ratios;
  lbp_run_init(&run);
  run.chains = MOST_CHAINS;
  run.tempering.rungs = 6;
  run.parameter = 1;
  run.start = zeros_everywhere;
  run.tempering.adapt_ends = 1;
  run.tempering.adapt = 0;
  CHECK(lbp_run_kernel(&run, &kernel, &t, N, &result) == LBP_OK && looks == 2 * MOST_CHAINS);
  for (k = 0; k < MOST_CHAINS; k++) {
    sizes_at(&t, looked_at[k], NULL, &all[0], &all[1]);
    least = fmin(least, all[0] * larger[k]);
    most = fmax(most, all[1] * larger[k]);
  }
  CHECK(log(100.0) / least > 2);
  check_ladder(&result, log(100.0) / least, log(2.0) / most, 0);
  CHECK(result.row[0].median == result.best_logp[0] && result.best_logp[MOST_CHAINS - 1] == result.best_logp[0]);
  lbp_run_free(&result);
  looks = 0;
  run.tempering.adapt = 1; /* then the ends stay, and rungs between them move */
  CHECK(lbp_run_kernel(&run, &kernel, &t, N, &result) == LBP_OK && looks == 2 * MOST_CHAINS);
  CHECK_NEAR(result.ladder[0], log(100.0) / least, 1e-9 * result.ladder[0]);
  CHECK(fabs(result.ladder[1] / result.ladder[0] - pow(log(2.0) / most / result.ladder[0], 0.2)) > 0.01);
  for (k = 0; k + 1 < result.rungs; k++) CHECK(result.swaps[k] > 0.3);
  lbp_run_free(&result);
}

static void test_cold(void) {
#if defined _OPENMP
  omp_set_num_threads(1);
#endif
  check_cold(0);
  check_cold(1);
#if defined _OPENMP
  omp_set_num_threads(2);
#endif
}

static void check_refused(int (*go)(const lbp_run *, const toy *, uint32_t, lbp_run_result *), const lbp_run *run,
                          const char *word) {
  const toy t = toy_make(N, 0.25, 0, 7);
  lbp_run_result result;
  CHECK(go(run, &t, N, &result) != LBP_OK && strstr(result.message, word));
  if (!strstr(result.message, word)) printf("%s: %s\n", word, result.message);
  lbp_run_free(&result);
}

static void test_refused(void) {
  const toy t = toy_make(N, 0.25, 0, 7);
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.tempering.adapt_ends = 1;
  check_refused(walk_run, &run, "set tempering.rungs");
  run.tempering.rungs = 3;
  check_refused(based_run, &run, "LBP_BASE");
  run.thin = 4;
  run.tempering.swap_every = 2;
  run.warmup = 171;
  check_refused(walk_run, &run, "172 steps");
  run.warmup = 172;
  run.draws = 10;
  run.checkpoint = in_folder("cold.ckpt");
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.ladder[0] > 1);
  lbp_run_free(&result);
  run.tempering.adapt_ends = 0;
  check_refused(walk_run, &run, "its tempering.adapt_ends differs");
  remove(run.checkpoint);
}

/* ---- the same everywhere ----------------------------------------------------------------------------------------- */

static int same_ladder(const lbp_run_result *a, const lbp_run_result *b) {
  return a->round_trips == b->round_trips && a->round_trip_rate == b->round_trip_rate &&
         a->round_trip_ideal == b->round_trip_ideal && a->row[0].mean == b->row[0].mean &&
         memcmp(a->ladder, b->ladder, a->rungs * sizeof *a->ladder) == 0 &&
         memcmp(a->best_logp, b->best_logp, a->chains * sizeof *a->best_logp) == 0 &&
         memcmp(a->best, b->best, (size_t)a->chains * N) == 0;
}

static lbp_run small_run(int kind) {
  lbp_run run;
  lbp_run_init(&run);
  run.seed = 5;
  run.chains = kind == 0 ? 1 : 3;
  run.tempering.rungs = 4;
  run.parameter = 1;
  run.warmup = kind == 2 ? 0 : 150;
  run.draws = 60;
  run.thin = 2;
  run.tempering.swap_every = 1;
  run.shared_tuner = kind == 3;
  run.tempering.adapt_ends = kind == 4;
  return run;
}

/* Two checkpoints, but for the times in them and, by these, their hashes. */
static int same_checkpoints(const char *a, const char *b, uint32_t chains) {
  long size, other_size, at, from = LBP_P_HEAD + 8 * (1 + (long)chains + 2);
  char *one = content(a, &size), *other = content(b, &other_size);
  int same = one && other && size == other_size;
  for (at = 0; same && at < size - 8; at++) same = one[at] == other[at] || (at >= from && at < from + 16);
  free(one);
  free(other);
  return same;
}

/* Cut off after every few steps, or on other numbers of threads, the ladder, its round trips and the best states are those
 * of a run that was left alone, and so are their checkpoints. */
static void test_same(void) {
  const toy t = toy_make(N, 0.25, 0, 7);
  int kind;
  for (kind = 0; kind < 5; kind++) {
    lbp_run run = small_run(kind);
    lbp_run_result whole, part;
    int calls = 0, status;
    if (QUICK && (kind == 1 || kind == 2)) continue; /* of several chains are the others, too */
#if defined _OPENMP
    omp_set_num_threads(1);
#endif
    run.checkpoint = in_folder("whole.ckpt");
    CHECK(walk_run(&run, &t, N, &whole) == LBP_OK && whole.round_trips > 0);
    run.checkpoint = in_folder("part.ckpt");
    run.checkpoint_seconds = 0;
    run.seconds = 1e-9;
    for (;;) {
#if defined _OPENMP
      omp_set_num_threads(calls % 3 + 1);
#endif
      status = walk_run(&run, &t, N, &part);
      if (status != LBP_OK || part.ended == LBP_END_COMPLETE || calls++ > 1000) break;
      lbp_run_free(&part);
    }
    CHECK(calls >= 60 && calls <= 1000 && status == LBP_OK && same_ladder(&whole, &part));
    CHECK(same_checkpoints(in_folder("whole.ckpt"), in_folder("part.ckpt"), run.chains));
    lbp_run_free(&part);
    run.seconds = 0;
    run.checkpoint = NULL;
#if defined _OPENMP
    omp_set_num_threads(3);
#endif
    CHECK(walk_run(&run, &t, N, &part) == LBP_OK && same_ladder(&whole, &part));
    lbp_run_free(&part);
    lbp_run_free(&whole);
    remove(in_folder("whole.ckpt"));
    remove(in_folder("part.ckpt"));
  }
#if defined _OPENMP
  omp_set_num_threads(2);
#endif
}

/* Changes a byte of a checkpoint, rightly signed: whether a run goes on from it, or calls it damaged. */
static int goes_on(const lbp_run *run, const toy *t, char *text, long size, long at, int byte) {
  const char before = text[at];
  lbp_run_result result;
  uint64_t hash;
  int k, status;
  text[at] = (char)byte;
  hash = lbp_runner_hash(LBP_P_HASH, text, (size_t)size - 8);
  for (k = 0; k < 8; k++) text[size - 8 + k] = (char)(hash >> 8 * k);
  write_file(run->checkpoint, text, size);
  text[at] = before;
  status = walk_run(run, t, N, &result);
  CHECK(status == LBP_OK || (status == LBP_E_FORMAT && strstr(result.message, "damaged")));
  lbp_run_free(&result);
  return status == LBP_OK;
}

/* A replica that is on no way there is; files of draws in a run without any, files of states in one of CSV alone. */
static void test_damaged(void) {
  const toy t = toy_make(N, 0.25, 0, 7);
  lbp_run run = small_run(1);
  lbp_run_result result;
  const long rng = 8 * (32 + LBP_RNG_BLOCK + 1), chains = (long)run.chains, rungs = (long)run.tempering.rungs;
  const long units = chains * rungs, at = LBP_P_HEAD + 8 * (1 + chains + 4 + rungs + 3 * units + chains) + rng * chains;
  char *text;
  long size, k;
  int files;
  run.checkpoint = in_folder("bad.ckpt");
  for (files = 0; files < 2; files++) {
    run.prefix = files ? in_folder("bad") : NULL;
    CHECK(walk_run(&run, &t, N, &result) == LBP_OK);
    lbp_run_free(&result);
    text = content(run.checkpoint, &size);
    CHECK(text != NULL);
    if (!text) continue;
    for (k = 0; k < units; k++) CHECK(text[at + k] >= 0 && text[at + k] <= 2);
    CHECK(goes_on(&run, &t, text, size, at + 1, 2));
    CHECK(!goes_on(&run, &t, text, size, at + 1, 3));
    for (k = 0; k < 2 * chains; k++) CHECK((text[at + units + 8 * k + 1] != 0) == (files && k % 2 == 0));
    CHECK(!goes_on(&run, &t, text, size, at + units + 8 * files, 1));
    free(text);
    remove(run.checkpoint);
  }
  remove_all(run.prefix, run.chains);
}

int main(void) {
  CHECK(make_folder());
  test_trips();
  test_ideal();
  test_turnover();
  test_best();
  test_one_rung();
  test_ends();
  test_cold();
  test_refused();
  test_same();
  test_damaged();
  CHECK(rmdir(folder) == 0);
  return test_report();
}
