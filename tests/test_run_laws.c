/* lbp_run.h: the claims of runs of many chains, for every chain, rung and pass, not the first alone: each chain's law,
 * how often each pair of rungs swaps, replicas that cross, tuners' targets, summaries against the draws themselves,
 * when a run has converged, that annealing is unbiased. Statistical checks allow six standard errors, of which there
 * are fewer than 400: a false alarm in 10^6 runs, seeds being fixed. */
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

#define LBP_NAME           walk
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME        deep
#define LBP_MODEL_T     toy
#define LBP_REAL        float
#define LBP_WEIGHT      LBP_SQRT
#define LBP_DELTAS      toy_fields_deltas_float
#define LBP_LOGP        toy_fields_logp
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_TEMPERED
#define LBP_BASE(m, i)  deep_odds(m, i)
LBP_FN float deep_odds(const toy *m, uint32_t i) { return 0.5f * (float)m->field[i] + 0.25f; }
#include "../lbp_run.h"

/* Two sites that want to be alike: two modes, `wall` apart. */
typedef struct {
  double wall;
} modes;

static double modes_delta(const modes *m, const uint8_t *x, uint32_t i) {
  (void)i;
  return x[0] != x[1] ? m->wall : -m->wall;
}
static double modes_logp(const modes *m, const uint8_t *x) { return x[0] != x[1] ? -m->wall : 0; }
static uint32_t modes_neighbours(const modes *m, uint32_t i, uint32_t *out) { return (void)m, out[0] = 1 - i, 1; }

#define LBP_NAME           modes
#define LBP_MODEL_T        modes
#define LBP_DELTA          modes_delta
#define LBP_NEIGHBOURS     modes_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           modes_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

/* Many independent sites; what a chain asks for is counted, its state tells it apart. */
enum { WIDE = 400, UNITS = 64 };
typedef struct {
  const uint8_t *x[UNITS];
  long asked[UNITS], before[UNITS]; /* log-ratios; those asked for before the first draw */
  uint32_t rungs;
} counts;
typedef struct {
  counts *of;
} wide;

static double wide_odds(uint32_t i) { return sin(i + 1.0); }

static double wide_delta(const wide *m, const uint8_t *x, uint32_t i) {
  uint32_t k = 0;
  while (k + 1 < UNITS && m->of->x[k] && m->of->x[k] != x) k++;
  m->of->x[k] = x;
  m->of->asked[k]++;
  return x[i] ? -wide_odds(i) : wide_odds(i);
}

static double wide_logp(const wide *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  (void)m;
  for (i = 0; i < WIDE; i++) sum += x[i] * wide_odds(i);
  return sum;
}

static uint32_t wide_neighbours(const wide *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

/* A column that notes each chain's first draw. The first rung's state was seen first of its chain's. */
static double wide_drawn(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  counts *of = ((const wide *)column->data)->of;
  uint32_t k = 0;
  (void)n;
  while (k + 1 < UNITS && of->x[k] != x) k++;
  if (of->before[k] == 0) memcpy(of->before + k, of->asked + k, of->rungs * sizeof *of->before);
  return 0;
}

#define LBP_NAME           wide
#define LBP_MODEL_T        wide
#define LBP_DELTA          wide_delta
#define LBP_NEIGHBOURS     wide_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           wide_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

/* Sites without a law: each step is accepted, so that R grows alike in each run. What is asked for between two
 * log pi is counted: of a step of RWM-R it is R log-ratios. */
enum { FREE = 400, WEIGHED = 64 };
typedef struct {
  uint32_t asked[WEIGHED], weighed;
} asks;
typedef struct {
  asks *of;
} loose;

static double loose_delta(const loose *m, const uint8_t *x, uint32_t i) {
  return (void)x, (void)i, m->of->asked[m->of->weighed]++, 0;
}
static double loose_logp(const loose *m, const uint8_t *x) {
  (void)x;
  if (m->of->weighed + 1 < WEIGHED) m->of->weighed++;
  return 0;
}
static uint32_t loose_neighbours(const loose *m, uint32_t i, uint32_t *out) {
  return (void)m, (void)i, (void)out, 0;
}

#define LBP_NAME           loose
#define LBP_MODEL_T        loose
#define LBP_DELTA          loose_delta
#define LBP_NEIGHBOURS     loose_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           loose_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#ifdef API_QUICK
enum { DRAWS = 500, ANNEALED = 500, TUNED_WARMUP = 1000, SEEDS = 1 };
#else
enum { DRAWS = 4000, ANNEALED = 20000, TUNED_WARMUP = 3000, SEEDS = 4 };
#endif
enum { N = 6, SITES = 10, CHAINS = 8, RUNGS = 5, COLUMNS = 2, ROOM = 16 };

/* ---- draws, read back -------------------------------------------------------------------------------------------- */

/* The numbers of the CSV files of a run, by column, chain and draw; whether there are as many as there should be. */
typedef struct {
  uint32_t chains, columns;
  uint64_t draws;
  double *value;
} draws;

static double *draws_of(const draws *d, uint32_t column, uint32_t chain) {
  return d->value + ((size_t)column * d->chains + chain) * d->draws;
}

enum { LP, ACCEPT, STEPSIZE, EVALUATIONS = 4, STAN = 7 }; /* Stan's columns, which come first */

static int draws_read(draws *d, const char *prefix, uint32_t chains, uint32_t columns, uint64_t count) {
  static char line[4096];
  int good = 1;
  uint32_t chain, k;
  d->chains = chains;
  d->columns = columns;
  d->draws = count;
  d->value = (double *)calloc((size_t)chains * columns * count, sizeof *d->value);
  for (chain = 0; good && d->value && chain < chains; chain++) {
    char path[400];
    uint64_t row = 0;
    FILE *file;
    snprintf(path, sizeof path, "%s_%lu.csv", prefix, (unsigned long)chain + 1);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
      char *at = line;
      if (*line == '#' || *line == 'l' || row == count) {
        good &= *line == '#' || *line == 'l';
        continue;
      }
      for (k = 0; k < columns; k++, at++) draws_of(d, k, chain)[row] = strtod(at, &at);
      good &= at[-1] == '\n';
      row++;
    }
    good &= file && row == count;
    if (file) fclose(file);
    remove(path);
  }
  for (chain = 0; chain < 2; chain++) {
    char path[400];
    snprintf(path, sizeof path, chain ? "%s_metric.json" : "%s_config.json", prefix);
    good &= remove(path) == 0;
  }
  return good && d->value;
}

static double mean_of(const double *x, uint64_t n) {
  double sum = 0;
  uint64_t k;
  for (k = 0; k < n; k++) sum += x[k] / (double)n;
  return sum;
}

/* The mean of each chain's draws, six standard errors from `want` at most. */
static void check_chains(const draws *d, uint32_t column, double want, const char *what) {
  const size_t room = LBP_CHAINS_WORKSPACE(1, d->draws);
  double *work = (double *)malloc(room * sizeof *work);
  uint32_t chain;
  for (chain = 0; chain < d->chains; chain++) {
    double error = 0;
    const double *x = draws_of(d, column, chain), mean = mean_of(x, d->draws);
    const int status = lbp_mcse_mean(x, 1, d->draws, work, room, &error);
    CHECK(status == LBP_OK && error < 0.25);
    CHECK_NEAR(mean, want, 6 * error);
    if (!(fabs(mean - want) <= 6 * error)) printf("%s, chain %u\n", what, (unsigned)chain);
  }
  free(work);
}

/* ---- every chain, every rung ------------------------------------------------------------------------------------- */

typedef int (*runner)(const lbp_run *, const toy *, uint32_t, lbp_run_result *);

/* pi^beta base^(1 - beta) of all states, normalised; base has log-odds odds[] (none: NULL). Returns log of its sum. */
static double rung_law(const toy *t, double beta, const double *odds, double *law, double *excess) {
  double sum = 0;
  uint32_t x, i;
  for (x = 0; x < 1u << t->n; x++) {
    uint8_t state[TOY_MAX];
    double base = 0;
    for (i = 0; i < t->n; i++) state[i] = x >> i & 1;
    for (i = 0; odds && i < t->n; i++) base += state[i] * odds[i];
    excess[x] = toy_logp(t, state) - base;
    sum += law[x] = exp(base + beta * excess[x]);
  }
  for (x = 0; x < 1u << t->n; x++) law[x] /= sum;
  return log(sum);
}

/* How often neighbouring rungs swap when they try. */
static double swap_rate(const toy *t, const double *odds, double cold, double hot) {
  static double law[2][1 << TOY_MAX], excess[1 << TOY_MAX];
  double rate = 0;
  uint32_t x, y;
  rung_law(t, cold, odds, law[0], excess);
  rung_law(t, hot, odds, law[1], excess);
  for (x = 0; x < 1u << t->n; x++) {
    for (y = 0; y < 1u << t->n; y++) {
      rate += law[0][x] * law[1][y] * fmin(1, exp((cold - hot) * (excess[y] - excess[x])));
    }
  }
  return rate;
}

static void check_run(runner go, const char *what, const lbp_run *given, const toy *t, const double *odds) {
  static const char *const name[TOY_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  static double law[1 << TOY_MAX], excess[1 << TOY_MAX], mean[TOY_MAX + 1];
  lbp_run_column column[TOY_MAX];
  lbp_run run = *given;
  lbp_run_result result;
  char prefix[300];
  uint32_t x, i;
  draws d;
  const double log_z = rung_law(t, 1, NULL, law, excess);
  memset(mean, 0, sizeof mean);
  memset(column, 0, sizeof column);
  for (x = 0; x < 1u << t->n; x++) {
    mean[t->n] += law[x] * excess[x];
    for (i = 0; i < t->n; i++) mean[i] += law[x] * (x >> i & 1);
  }
  for (i = 0; i < t->n; i++) {
    column[i].name = name[i];
    column[i].value = lbp_run_site;
    column[i].site = i;
  }
  snprintf(prefix, sizeof prefix, "%s/law", folder);
  run.prefix = prefix;
  run.column = column;
  run.columns = t->n;
  CHECK(go(&run, t, t->n, &result) == LBP_OK && draws_read(&d, prefix, run.chains, STAN + t->n, run.draws));
  if (result.status != LBP_OK) return;
  for (i = 0; i < t->n; i++) check_chains(&d, STAN + i, mean[i], what);
  check_chains(&d, LP, mean[t->n], what);
  for (i = 0; i + 1 < run.tempering.rungs; i++) {
    const double want = swap_rate(t, odds, result.ladder[i], result.ladder[i + 1]);
    CHECK_NEAR(result.swaps[i], want, 6 / sqrt((double)run.draws * run.chains)); /* their variance is below 1/4 */
    if (run.tempering.adapt) CHECK_NEAR(result.swaps[i], result.swaps[0], 0.1);
  }
  if (run.tempering.rungs > 1) CHECK_NEAR(result.log_z, log_z, 8 * result.log_z_se); /* Student's t, 7 degrees of freedom */
  free(d.value);
  lbp_run_free(&result);
}

static void test_chains(void) {
  static const double ladder[RUNGS] = {1, 0.8, 0.5, 0.2, 0};
  const toy t = toy_make(N, 1.5, 0, 5);
  double odds[N];
  lbp_run run;
  uint32_t i;
  for (i = 0; i < N; i++) odds[i] = (double)deep_odds(&t, i);
  lbp_run_init(&run);
  run.chains = CHAINS;
  run.draws = DRAWS;
  run.thin = 4;
  check_run(walk_run, "chains alone", &run, &t, NULL);
  run.tempering.rungs = RUNGS;
  run.tempering.ladder = ladder;
  run.tempering.adapt = 0;
  check_run(walk_run, "tempering", &run, &t, NULL);
  run.thin = 1; /* rungs forget less between swaps: wrong ones show more */
  run.parameter = 1;
  check_run(walk_run, "tempering, a flip at a time", &run, &t, NULL);
  run.thin = 4;
  run.parameter = 0;
  run.seed = 2;
  run.tempering.swap_every = 2;
  run.sampler = LBP_SAMPLER_GIBBS;
  check_run(deep_run, "tempering from a base", &run, &t, odds);
  run.seed = 3;
  run.sampler = LBP_SAMPLER_GWG;
  run.tempering.ladder = NULL;
  run.tempering.adapt = run.shared_tuner = 1;
  check_run(walk_run, "a ladder adapted", &run, &t, NULL);
}

/* ---- replicas cross ---------------------------------------------------------------------------------------------- */

static void at_zero(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

/* Only the hottest rung ever leaves its mode: the first one visits the other if replicas come all the way. */
static void test_crossing(void) {
  static const double ladder[] = {1, 0.9, 0.8, 0.7, 0.6, 0};
  const modes m = {60};
  uint32_t rungs;
  for (rungs = 3; rungs <= 6; rungs++) {
    const double *last = ladder + 6 - rungs;
    const lbp_run_column column = {"first", lbp_run_site, NULL, 0};
    lbp_run run;
    lbp_run_result result;
    char prefix[300];
    draws d;
    lbp_run_init(&run);
    snprintf(prefix, sizeof prefix, "%s/crossing", folder);
    run.prefix = prefix;
    run.chains = CHAINS;
    run.draws = DRAWS;
    run.thin = 2;
    run.tempering.swap_every = 1;
    run.sampler = LBP_SAMPLER_GIBBS; /* of R sites at once, two would do */
    run.tempering.rungs = rungs;
    run.tempering.ladder = last;
    run.tempering.adapt = 0;
    run.start = at_zero;
    run.column = &column;
    run.columns = 1;
    run.seed = rungs;
    CHECK(modes_run(&run, &m, 2, &result) == LBP_OK && draws_read(&d, prefix, CHAINS, STAN + 1, DRAWS));
    if (result.status != LBP_OK) continue;
    check_chains(&d, STAN, 0.5, "crossing");
    CHECK_NEAR(result.swaps[0], 1, 1e-9); /* both are in modes */
    free(d.value);
    lbp_run_free(&result);
    run.prefix = NULL;
    run.draws = 0; /* those of warm-up don't count */
    CHECK(modes_run(&run, &m, 2, &result) == LBP_OK && result.swaps[0] == 0);
    lbp_run_free(&result);
  }
}

/* ---- tuners ------------------------------------------------------------------------------------------------------ */

enum { TUNED_DRAWS = 51, TUNED_THIN = 20 };

static int ascending(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

/* R of a random walk of four chains, of each rung of each chain, ascending, as counted while it draws; returns the
 * first rung's. */
static double tuned(const double *ladder, uint32_t rungs, int shared, double *R) {
  counts of;
  const wide m = {&of};
  const lbp_run_column column = {"drawn", wide_drawn, &m, 0};
  lbp_run run;
  lbp_run_result result;
  uint32_t k;
  double first;
  memset(&of, 0, sizeof of);
  of.rungs = rungs;
  lbp_run_init(&run);
  run.sampler = LBP_SAMPLER_RWM;
  run.shared_tuner = shared;
  run.tempering.rungs = rungs;
  run.tempering.ladder = ladder;
  run.tempering.adapt = 0;
  run.tempering.swap_every = 10;
  run.thin = TUNED_THIN;
  run.warmup = TUNED_WARMUP;
  run.draws = TUNED_DRAWS;
  run.check_trials = 0;
  run.column = &column;
  run.columns = 1;
  CHECK(wide_run(&run, &m, WIDE, &result) == LBP_OK);
  CHECK_NEAR(result.accept, (double)LBP_TARGET_RWM, 0.1); /* runs differ by 0.03 */
  for (k = 0; k < 4 * rungs; k++) {
    R[k] = (double)(of.asked[k] - of.before[k]) / (TUNED_THIN * (TUNED_DRAWS - 1));
  }
  qsort(R, (size_t)4 * rungs, sizeof *R, ascending);
  first = result.parameter;
  lbp_run_free(&result);
  return first;
}

/* Each rung's tuner comes to its target, shared or not: where nothing is refused, at beta = 0, all sites are flipped, or
 * all but one, in between as many as in a run whose first rung is there. */
static void test_tuners(void) {
  static const double ladder[3] = {1, 0.3, 0};
  double R[3 * 4];
  uint32_t k;
  int shared;
  for (shared = 0; shared < 2; shared++) {
    const double cold = tuned(ladder, 3, shared, R), mild = tuned(ladder + 1, 2, shared, R);
    CHECK(cold > 4 && mild > 2 * cold && mild < WIDE / 2.0);
    CHECK_NEAR(tuned(ladder, 3, shared, R), cold, 0);
    for (k = 0; k < 4; k++) {
      CHECK_NEAR(R[k], cold, 0.35 * cold); /* tuners differ by 0.1 of it */
      CHECK_NEAR(R[4 + k], mild, 0.35 * mild);
      CHECK_NEAR(R[8 + k], WIDE - 0.5, 0.1);
    }
  }
}

/* ---- what is said of draws --------------------------------------------------------------------------------------- */

static double quantile(const double *sorted, size_t n, double p) {
  const double at = p * (double)(n - 1), whole = floor(at);
  const size_t k = (size_t)whole;
  return k + 1 < n ? sorted[k] + (at - whole) * (sorted[k + 1] - sorted[k]) : sorted[n - 1];
}

/* A row against all draws of a column. */
static void check_row(const draws *d, uint32_t column, const lbp_run_result *result, uint32_t v) {
  const lbp_run_row *row = &result->row[v];
  const size_t kept = (size_t)result->kept, m = d->chains, all = m * kept, room = LBP_CHAINS_WORKSPACE(m, kept);
  double *x = (double *)calloc(all, sizeof *x), *work = (double *)calloc(room, sizeof *work);
  double mean = 0, mcse = 0, rhat = 0, bulk = 0, tail = 0;
  uint64_t stride = 1;
  lbp_frequencies discrete;
  uint32_t chain, k;
  while (stride < d->draws && (d->draws + stride - 1) / stride > kept) stride *= 2;
  CHECK((d->draws + stride - 1) / stride == kept);
  for (chain = 0; chain < m; chain++) {
    mean += mean_of(draws_of(d, column, chain), d->draws) / (double)m;
    for (k = 0; k < kept && k * stride < d->draws; k++) x[chain * kept + k] = draws_of(d, column, chain)[k * stride];
  }
  CHECK(row->mean_status == LBP_OK && row->mcse_status == LBP_OK);
  CHECK_NEAR(row->mean, mean, 1e-10);
  CHECK(lbp_mcse_mean(x, m, kept, work, room, &mcse) == LBP_OK);
  CHECK_NEAR(row->mcse, mcse, stride == 1 ? 1e-12 : 0.6 * mcse);
  CHECK(lbp_rhat(x, m, kept, work, room, &rhat) == row->rhat_status);
  CHECK(lbp_ess_bulk(x, m, kept, work, room, &bulk) == row->ess_bulk_status);
  CHECK(lbp_ess_tail(x, m, kept, work, room, &tail) == row->ess_tail_status);
  CHECK_NEAR(row->rhat, rhat, 1e-9);
  CHECK_NEAR(row->ess_bulk, bulk, 1e-6 * bulk);
  CHECK_NEAR(row->ess_tail, tail, 1e-6 * tail);
  memset(&discrete, 0, sizeof discrete);
  CHECK(lbp_discrete(x, all, work, room, &discrete) == row->discrete_status);
  CHECK_NEAR(row->discrete.share, discrete.share, 1e-12);
  CHECK_NEAR(row->discrete.entropy, discrete.entropy, 1e-12);
  qsort(x, all, sizeof *x, ascending);
  CHECK_NEAR(row->q5, quantile(x, all, 0.05), 1e-12);
  CHECK_NEAR(row->median, quantile(x, all, 0.5), 1e-12);
  CHECK_NEAR(row->q95, quantile(x, all, 0.95), 1e-12);
  mean = mean_of(x, all);
  for (k = 0; k < all; k++) x[k] = (x[k] - mean) * (x[k] - mean);
  CHECK_NEAR(row->sd, sqrt(mean_of(x, all) * (double)all / ((double)all - 1)), 1e-10);
  free(x);
  free(work);
}

/* The state as a number. */
static double code(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  uint32_t i, sum = 0;
  (void)column;
  for (i = 0; i < n; i++) sum += (uint32_t)x[i] << i;
  return sum;
}

static double mean_of_all(const draws *d, uint32_t column) {
  return mean_of(draws_of(d, column, 0), d->chains * d->draws);
}

/* Sites that change from one draw to the next, in all draws. */
static double distance(const draws *d, uint32_t first) {
  double sum = 0;
  uint32_t chain, i;
  uint64_t k;
  for (i = first; i < d->columns; i++) {
    for (chain = 0; chain < d->chains; chain++) {
      const double *x = draws_of(d, i, chain);
      for (k = 1; k < d->draws; k++) sum += fabs(x[k] - x[k - 1]);
    }
  }
  return sum;
}

static void test_rows(void) {
  static const uint64_t lengths[] = {64, 999, 2047, 2048, 2049, 5000, 6001};
  const toy t = toy_make(SITES, 0.25, 0, 7); /* not all chains draw the mode */
  const lbp_run_column column[COLUMNS] = {{"ones", lbp_run_ones, NULL, 0}, {"code", code, NULL, 0}};
  uint32_t k, v, i;
  for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    lbp_run run;
    lbp_run_result result;
    char prefix[300];
    double most[5];
    draws d;
    int good = 1;
    lbp_run_init(&run);
    snprintf(prefix, sizeof prefix, "%s/rows", folder);
    run.prefix = prefix;
    run.digits = 17;
    run.chains = 5;
    run.seed = k;
    run.draws = lengths[k];
    run.thin = 1 + k % 3;
    run.tempering.rungs = 1 + k % 2;
    run.tempering.swap_every = 1;
    run.parameter = k % 3 == 1 ? 3 : 0;
    run.column = column;
    run.columns = COLUMNS;
    run.save_states = LBP_STATES_CSV;
    run.marginals = 1;
    CHECK(walk_run(&run, &t, SITES, &result) == LBP_OK);
    CHECK(draws_read(&d, prefix, run.chains, STAN + COLUMNS + SITES, run.draws));
    if (result.status != LBP_OK) continue;
    CHECK(result.kept == run.draws || (run.draws > 2000 && result.kept >= 1000));
    for (v = 0; v <= COLUMNS; v++) check_row(&d, v == 0 ? (uint32_t)LP : STAN + v - 1, &result, v);
    CHECK_NEAR(result.accept, mean_of_all(&d, ACCEPT), 1e-10);
    CHECK_NEAR(result.parameter, mean_of_all(&d, STEPSIZE), 1e-10);
    CHECK_NEAR(result.evaluations, mean_of_all(&d, EVALUATIONS) / run.thin, 1e-9);
    for (i = 0; run.parameter > 0 && i < run.chains * run.draws; i++) good &= draws_of(&d, STEPSIZE, 0)[i] == run.parameter;
    CHECK(good); /* so many steps, no fewer */
    if (run.thin == 1 && run.tempering.rungs == 1) { /* but for each chain's first draw, what jumps are can be seen */
      CHECK_NEAR(result.jump, distance(&d, STAN + COLUMNS) / (double)run.draws / run.chains, SITES / (double)run.draws);
    }
    for (i = 0; i < SITES; i++) CHECK_NEAR(result.marginal[i], mean_of_all(&d, STAN + COLUMNS + i), 1e-12);
    for (i = 0; i < run.chains; i++) {
      uint64_t row;
      most[i] = -HUGE_VAL;
      for (row = 0; row < run.draws; row++) most[i] = fmax(most[i], draws_of(&d, LP, i)[row]);
    }
    qsort(most, run.chains, sizeof *most, ascending);
    for (i = 0; i < run.chains; i++) {
      CHECK_NEAR(result.best_logp[i], most[run.chains - 1 - i], 1e-12);
      CHECK_NEAR(toy_logp(&t, result.best + (size_t)i * SITES), result.best_logp[i], 1e-12);
    }
    free(d.value);
    lbp_run_free(&result);
  }
}

/* ---- when a run has converged ------------------------------------------------------------------------------------ */

static void one_elsewhere(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  memset(x, chain == *(const uint32_t *)data, n);
}

static double no_number(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  (void)column, (void)n;
  return x[0] ? 1 : HUGE_VAL;
}

/* Sites 0 and 1 change seldom, the others fast: a column slow in its lower tail, and one slow in between. */
static double slow_tail(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)column, (void)n, x[0] && x[1] ? -10 : x[2] + 2 * x[3] + 4 * x[4];
}

static double slow_bulk(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)column, (void)n, x[2] != x[3] ? x[0] : x[2] ? 10 : -10;
}

/* How a run ends that may when R-hat is `rhat`. */
static int ends(const lbp_run *given, const modes *m, double rhat, lbp_run_result *result) {
  lbp_run run = *given;
  run.rhat = rhat;
  CHECK(modes_run(&run, m, 2, result) == LBP_OK);
  return result->ended;
}

static void test_converged(void) {
  const modes high = {60}, low = {1.5}, rare = {4};
  const lbp_run_column column[] = {{"first", lbp_run_site, NULL, 0}, {"no.number", no_number, NULL, 0}},
                       slow[] = {{"tail", slow_tail, NULL, 0}, {"bulk", slow_bulk, NULL, 0}};
  const uint32_t last = 3, nobody = 99;
  lbp_run run;
  lbp_run_result result;
  uint32_t k;
  lbp_run_init(&run);
  run.parameter = 1;
  run.draws = 20000;
  run.column = column;
  run.start = one_elsewhere;
  run.start_data = &nobody;
  run.columns = 1;
  CHECK(ends(&run, &high, 1.1, &result) == LBP_END_CONVERGED && result.row[1].rhat_status == LBP_E_CONSTANT);
  lbp_run_free(&result);
  run.start_data = &last; /* the last chain is in the other mode for ever */
  CHECK(ends(&run, &high, 1.1, &result) == LBP_END_COMPLETE && result.row[1].rhat_status == LBP_E_STUCK);
  lbp_run_free(&result);
  run.start_data = &nobody;
  CHECK(ends(&run, &low, 1.1, &result) == LBP_END_CONVERGED && result.draws < run.draws);
  lbp_run_free(&result);
  CHECK(ends(&run, &rare, 1.1, &result) == LBP_END_CONVERGED && result.row[0].ess_tail_status == LBP_E_CONSTANT);
  lbp_run_free(&result); /* one log pi in 60 is the lower one: there are no tails to wait for */
  run.columns = 2; /* no R-hat of the last column */
  CHECK(ends(&run, &low, 1.1, &result) == LBP_END_COMPLETE && result.row[2].rhat_status == LBP_E_DRAW_NOT_FINITE);
  lbp_run_free(&result);
  run.columns = 1; /* nor of a draw or two */
  run.thin = 1000;
  run.draws = 200;
  CHECK(ends(&run, &low, 100, &result) == LBP_END_CONVERGED && result.draws > 3 && result.row[1].rhat_status == LBP_OK);
  lbp_run_free(&result);
  run.thin = 1;
  run.draws = 1000000;
  for (k = 0; k < SEEDS + 2; k++) {
    run.seed = k;
    CHECK(ends(&run, &low, 1.0005, &result) == LBP_END_CONVERGED && result.draws < run.draws);
    CHECK(result.row[0].rhat <= 1.0005 && result.row[1].rhat <= 1.0005);
    lbp_run_free(&result);
  }
  run.sampler = LBP_SAMPLER_GIBBS;
  run.parameter = 0;
  run.start = NULL;
  run.rhat = 2;
  for (k = 0; k < 2; k++) {
    toy t = toy_product(N, 0.5, 0, 1);
    t.coupling[0][1] = t.coupling[1][0] = 2;
    t.field[0] = t.field[1] = k == 0 ? -0.625 : 0; /* one in 13 are both 1 */
    run.column = &slow[k];
    run.ess = k == 0 ? 1000 : 3000;
    CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.ended == LBP_END_CONVERGED);
    CHECK(result.row[1].ess_bulk >= run.ess && result.row[1].ess_tail >= run.ess);
    CHECK(k == 0 ? result.row[1].ess_bulk > 1.5 * result.row[1].ess_tail
                 : result.row[1].ess_tail > 1.5 * result.row[1].ess_bulk);
    lbp_run_free(&result);
  }
}

/* log pi of all draws, by chain. */
enum { DRAWN = 1 << 18 };
static double drawn[4][DRAWN];
static void take_logp(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  (void)data, (void)x;
  if (draw < DRAWN) drawn[chain][draw] = values[LBP_DRAW_LOGP];
}

/* A target of more effective samples than are kept: all draws, independent or not, have them, of ranks and of tails, and
 * not many more. What batch means tell, of some 200 batches, is off by a tenth. */
static void test_converged_far(void) {
  const toy t = toy_product(N, 0.5, 0, 1);
  lbp_run run;
  lbp_run_result result;
  uint32_t k, c;
  lbp_run_init(&run);
  run.rhat = 1.05;
  run.ess = 20000;
  run.draws = DRAWN;
  run.on_draw = take_logp;
  for (k = 0; k < 4; k++) {
    run.seed = k;
    run.sampler = k % 2 ? LBP_SAMPLER_LBP : LBP_SAMPLER_GIBBS;
    run.parameter = k % 2;
    CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.ended == LBP_END_CONVERGED);
    CHECK(result.row[0].rhat <= run.rhat);
    if (result.ended == LBP_END_CONVERGED) {
      const size_t n = (size_t)result.draws, room = LBP_CHAINS_WORKSPACE(4, n);
      double *x = (double *)malloc(4 * n * sizeof *x), *work = (double *)malloc(room * sizeof *work), bulk = 0, tail = 0;
      for (c = 0; c < 4; c++) memcpy(x + c * n, drawn[c], n * sizeof *x);
      CHECK(lbp_ess_bulk(x, 4, n, work, room, &bulk) == LBP_OK && lbp_ess_tail(x, 4, n, work, room, &tail) == LBP_OK);
      CHECK(bulk > 0.8 * run.ess && tail > 0.8 * run.ess && bulk < 3 * run.ess);
      free(x);
      free(work);
    }
    lbp_run_free(&result);
  }
}

/* ---- annealing --------------------------------------------------------------------------------------------------- */

typedef int (*annealer)(const lbp_run *, const void *, uint32_t, lbp_ais_result *);

static int anneal_modes(const lbp_run *run, const void *m, uint32_t n, lbp_ais_result *result) {
  return modes_ais(run, (const modes *)m, n, result);
}

static int anneal_deep(const lbp_run *run, const void *m, uint32_t n, lbp_ais_result *result) {
  return deep_ais(run, (const toy *)m, n, result);
}

/* The mean of weights is Z, however few chains and rungs there are, if R does not learn from what they do; and the
 * standard error is what it is off by. */
static void check_annealing(annealer go, const lbp_run *given, const void *model, uint32_t n, double log_z,
                            uint32_t times) {
  lbp_run run = *given;
  double sum = 0, squares = 0, error = 0;
  uint32_t k;
  int good = 1;
  run.check_trials = 0;
  for (k = 0; k < times; k++) {
    lbp_ais_result result;
    double weight;
    run.seed = given->seed + k;
    good &= go(&run, model, n, &result) == LBP_OK && result.weights <= run.chains * 1.0000001;
    weight = exp(result.log_z - log_z);
    sum += weight;
    squares += weight * weight;
    error += result.log_z_se * result.log_z_se * weight * weight;
    lbp_ais_free(&result);
  }
  sum /= times;
  squares = squares / times - sum * sum;
  CHECK(good);
  CHECK_NEAR(sum, 1, 6 * sqrt(squares / times));
  if (run.chains > 1) CHECK_NEAR(error / times / squares, 1, times < 1000 ? 0.8 : 0.2);
}

static void test_annealing(void) {
  const modes m = {4};
  const toy t = toy_make(3, 1.0, 0, 9);
  double law[8], excess[8];
  lbp_run run;
  lbp_run_init(&run);
  run.sampler = LBP_SAMPLER_GWG;
  run.chains = 1;
  run.tempering.rungs = 9;
  run.thin = 2;
  run.target = 0.5;
  check_annealing(anneal_modes, &run, &m, 2, log(2 + 2 * exp(-m.wall)), ANNEALED);
  run.sampler = LBP_SAMPLER_LBP;
  run.target = 0;
  run.chains = 20;
  run.tempering.rungs = 5;
  run.parameter = 1;
  check_annealing(anneal_modes, &run, &m, 2, log(2 + 2 * exp(-m.wall)), ANNEALED / 10);
  run.parameter = 0;
  run.tempering.adapt = 0;
  run.tempering.rungs = 3;
  check_annealing(anneal_deep, &run, &t, 3, rung_law(&t, 1, NULL, law, excess), ANNEALED / 10);
  run.sampler = LBP_SAMPLER_GIBBS;
  check_annealing(anneal_deep, &run, &t, 3, rung_law(&t, 1, NULL, law, excess), ANNEALED / 10);
}

/* What makes it unbiased, as learning would move the weights by less than a test of their mean can tell: at each rung
 * the last pass takes the R that was found there, in all of its steps. */
static void test_annealing_settings(void) {
  enum { RUNGS = 6, THIN = 10, LAST = RUNGS + 1 }; /* a pass asks for log pi at its RUNGS - 1 weights and at its end */
  uint32_t rung, step;
  asks of;
  const loose m = {&of};
  lbp_run run;
  lbp_ais_result result;
  loose_tuner tuner;
  memset(&of, 0, sizeof of);
  lbp_run_init(&run);
  run.check_trials = 0;
  run.sampler = LBP_SAMPLER_RWM;
  run.chains = 1;
  run.tempering.rungs = RUNGS;
  run.tempering.adapt = 0;
  run.thin = THIN;
  CHECK(loose_ais(&run, &m, FREE, &result) == LBP_OK && result.accept == 1);
  lbp_ais_free(&result);
  CHECK(of.weighed == 2 * RUNGS);
  CHECK(loose_tuner_init(&tuner, FREE, UINT32_MAX, LBP_TARGET_RWM) == LBP_OK);
  for (rung = 0; rung < RUNGS - 1; rung++) {
    uint32_t least = 0, most = 0;
    for (step = 0; step < THIN; step++) {
      least += (uint32_t)floor(tuner.r);
      most += (uint32_t)ceil(tuner.r);
      loose_tuner_update(&tuner, 1);
    }
    CHECK(of.asked[1 + rung] >= least && of.asked[1 + rung] <= most);
    CHECK(of.asked[LAST + rung] >= THIN * (uint32_t)floor(tuner.r));
    CHECK(of.asked[LAST + rung] <= THIN * (uint32_t)ceil(tuner.r));
  }
}

/* Rungs spaced by how log pi spreads leave the weights more even: of independent sites with log-odds of +-20 that are
 * drawn anew on each of 30 rungs, log weights have variance 4.0 on even ones, where nearly all comes from the hottest,
 * and 0.85 where each adds the same. */
static void test_annealing_ladder(void) {
  toy t = toy_product(SITES, 0, 0, 1);
  lbp_run run;
  lbp_ais_result result;
  uint32_t k;
  for (k = 0; k < SITES; k++) t.field[k] = k % 2 ? 10 : -10;
  lbp_run_init(&run);
  run.check_trials = 0;
  run.sampler = LBP_SAMPLER_GIBBS;
  run.chains = 1000;
  run.tempering.rungs = 30;
  for (k = 0; k < SEEDS; k++) {
    run.seed = k;
    run.tempering.adapt = 1;
    CHECK(walk_ais(&run, &t, SITES, &result) == LBP_OK && result.weights > 380 && result.weights < 600);
    lbp_ais_free(&result);
    run.tempering.adapt = 0;
    CHECK(walk_ais(&run, &t, SITES, &result) == LBP_OK && result.weights > 20 && result.weights < 200);
    lbp_ais_free(&result);
  }
}

int main(void) {
#if defined _OPENMP
  omp_set_num_threads(1); /* most runs are short, and log-ratios are counted */
#endif
  CHECK(make_folder());
  test_converged();
  test_converged_far();
  test_rows();
  test_tuners();
  test_crossing();
  test_chains();
  test_annealing();
  test_annealing_settings();
  test_annealing_ladder();
  CHECK(rmdir(folder) == 0);
  return test_report();
}
