/* Runs of permutations and partial matchings (lbp_perm.h by lbp_run.h): their laws, tempered, clamped and annealed too,
 * against enumeration; log n!, and how many matchings there are; the same draws on any number of threads and wherever a
 * run was cut off; the best permutation; R; refused options.
 *
 * Statistical tests: about 100 comparisons within six of their own standard errors, estimated from 32 chains or 400
 * weights: false alarms 1e-6 each (t with 31 degrees of freedom), 1e-4 in all. Seeds are fixed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "test.h"
#include "../lbp_run.h"
#include "perm_toy.h"
#include "run_files.h"

#ifdef API_QUICK /* for tools that make programs slow: a little of everything, and no statistics */
enum { QUICK = 1, WARMUP = 30, DRAWS = 8 };
#else
enum { QUICK = 0, WARMUP = 90, DRAWS = 20 };
#endif
enum { N = PERM_MOST, CHAINS = 32, SAMPLERS = 3 };
static const int samplers[SAMPLERS] = {LBP_SAMPLER_ROW, LBP_SAMPLER_PAIRS, LBP_SAMPLER_EXCHANGE};

#define LBP_NAME            pairing
#define LBP_MODEL_T         perm_toy
#define LBP_EXCHANGE        perm_exchange
#define LBP_PERM_ROW        perm_row
#define LBP_PERM_ROW_WEIGHT perm_row_weight
#define LBP_NEIGHBOURS      perm_neighbours
#define LBP_MAX_NEIGHBOURS  PERM_MOST
#define LBP_LOGP            perm_logp
#include "../lbp_run.h"

#define LBP_NAME     single
#define LBP_MODEL_T  perm_toy
#define LBP_REAL     float
#define LBP_WEIGHT   LBP_SQRT
#define LBP_EXCHANGE perm_exchange_float
#define LBP_LOGP     perm_logp_float
#include "../lbp_run.h"

#define LBP_NAME                    partial
#define LBP_MODEL_T                 perm_toy
#define LBP_EXCHANGE                perm_exchange
#define LBP_PERM_ROW_WEIGHT         perm_row_weight
#define LBP_NEIGHBOURS              perm_neighbours
#define LBP_MAX_NEIGHBOURS          PERM_MOST
#define LBP_LOGP                    perm_logp
#define LBP_PERM_PARTIAL_ROWS(m)    (m)->rows
#define LBP_PERM_PARTIAL_COLUMNS(m) (m)->columns
#include "../lbp_run.h"

static double flat_exchange(const void *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return (void)m, (void)s, (void)a, (void)b, 0;
}
static double flat_logp(const void *m, const uint32_t *s) { return (void)m, (void)s, 0; }
#define LBP_NAME     flat
#define LBP_EXCHANGE flat_exchange
#define LBP_LOGP     flat_logp
#include "../lbp_run.h"

#define LBP_NAME                    alike
#define LBP_MODEL_T                 perm_toy
#define LBP_EXCHANGE                flat_exchange
#define LBP_LOGP                    flat_logp
#define LBP_PERM_PARTIAL_ROWS(m)    (m)->rows
#define LBP_PERM_PARTIAL_COLUMNS(m) (m)->columns
#include "../lbp_run.h"

typedef int runner(const lbp_run *, const perm_toy *, uint32_t, lbp_run_result *);
typedef int annealer(const lbp_run *, const perm_toy *, uint32_t, lbp_ais_result *);

/* ---- the law ----------------------------------------------------------------------------------------------------- */

/* Shares of images, log Z and the largest log pi, of all states or of those where clamped rows are as in `given`. Of
 * partial matchings Z is the sum over these: states share the weight of theirs with all others that stand for it. */
static double exact[N][N], exact_log_z, exact_best;

static void enumerate(const perm_toy *t, const uint8_t *mask, const uint32_t *given) {
  uint32_t s[N], x, a, spare_rows = 0, spare_columns = 0;
  double sum = 0, fold;
  for (a = 0; t->rows > 0 && a < t->n; a++) {
    spare_rows += a >= t->rows && !(mask && mask[a]);
    spare_columns += (mask ? given[a] : a) >= t->columns && !(mask && mask[a]);
  }
  fold = lgamma(spare_rows + 1.0) + lgamma(spare_columns + 1.0);
  memset(exact, 0, sizeof exact);
  exact_best = -HUGE_VAL;
  for (x = 0; x < perm_count(t->n); x++) {
    const double p = (perm_decode(t->n, x, s), exp(perm_logp(t, s) + perm_base(t, s, mask)));
    int fits = 1;
    for (a = 0; mask && a < t->n; a++) fits &= !mask[a] || s[a] == given[a];
    if (!fits) continue;
    sum += p;
    if (perm_logp(t, s) > exact_best) exact_best = perm_logp(t, s);
    for (a = 0; a < t->n; a++) exact[a][s[a]] += p;
  }
  for (x = 0; x < N * N; x++) exact[x / N][x % N] /= sum;
  exact_log_z = log(sum) - fold;
}

static void start_at(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)chain;
  memcpy(x, data, n * sizeof(uint32_t));
}

/* A start that no law here forbids. */
static const uint32_t good[N] = {1, 3, 4, 0, 2};
static lbp_run good_run(void) {
  lbp_run run;
  lbp_run_init(&run);
  run.start = start_at;
  run.start_data = good;
  return run;
}

static double is_image(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)n, ((const uint32_t *)(const void *)x)[column->site / N] == column->site % N;
}

static void check_law(runner *go, const perm_toy *t, lbp_run run) {
  static const lbp_run_column column[4] = {{"a", is_image, NULL, 0}, {"b", is_image, NULL, 7},
                                           {"c", is_image, NULL, 13}, {"d", is_image, NULL, 24}};
  lbp_run_result result;
  int k, i;
  run.chains = CHAINS;
  run.warmup = QUICK ? 200 : 500;
  run.draws = QUICK ? 40 : 500;
  run.column = column;
  run.columns = 4;
  run.marginals = LBP_MARGINALS_COUNTED;
  CHECK(go(&run, t, N, &result) == LBP_OK);
  if (result.status != LBP_OK) printf("%s\n", result.message);
  CHECK(result.accept > 0.05 && result.accept < 0.999);
  if (run.sampler == LBP_SAMPLER_ROW) CHECK(result.evaluations == 2 * (N - 1));
  if (run.sampler == LBP_SAMPLER_EXCHANGE) CHECK(result.evaluations > N - 2 && result.evaluations < N);
  for (k = 0; k < 4 && result.row; k++) {
    const uint32_t row = column[k].site / N, image = column[k].site % N;
    const int never = exact[row][image] <= 0 || exact[row][image] >= 1;
    CHECK(never || QUICK || result.row[k + 1].mcse_status == LBP_OK);
    if (!QUICK || never) CHECK_NEAR(result.row[k + 1].mean, exact[row][image], never ? 0 : 6 * result.row[k + 1].mcse);
    CHECK_NEAR(result.marginal[column[k].site], result.row[k + 1].mean, 1e-9);
  }
  for (i = 0; i < N && result.marginal; i++) {
    double sum = 0;
    for (k = 0; k < N; k++) sum += result.marginal[k * N + i];
    CHECK_NEAR(sum, 1, 1e-9); /* every image once */
  }
  if (run.tempering.rungs > 1 && !QUICK) {
    CHECK(result.log_z_status == LBP_OK && result.log_z_se < 0.1);
    CHECK_NEAR(result.log_z, exact_log_z, 6 * result.log_z_se);
  }
  lbp_run_free(&result);
}

static void check_ais(annealer *anneal, const perm_toy *t, lbp_run run) {
  lbp_ais_result ais;
  run.chains = QUICK ? 40 : 400;
  run.tempering.rungs = 20;
  CHECK(anneal(&run, t, N, &ais) == LBP_OK);
  if (ais.status != LBP_OK) printf("%s\n", ais.message);
  CHECK(QUICK || (ais.log_z_se > 0 && ais.log_z_se < 0.1));
  if (!QUICK) CHECK_NEAR(ais.log_z, exact_log_z, 6 * ais.log_z_se);
  CHECK(ais.best && ais.best_logp <= exact_best + 1e-6);
  lbp_ais_free(&ais);
}

static void test_laws(runner *go, annealer *anneal, const perm_toy *t) {
  int k, way;
  enumerate(t, NULL, NULL);
  for (k = 0; k < SAMPLERS; k++) {
    for (way = 0; way < 3; way++) { /* by itself, with a shared tuner or a fixed random R, tempered */
      lbp_run run = good_run();
      run.sampler = samplers[k];
      run.shared_tuner = way == 1;
      run.parameter = way == 2 && k == 1 ? 1.5 : 0;
      run.thin = k == 0 ? 6 : 3;
      run.tempering.rungs = way == 2 ? 4 : 1;
      run.seed = (uint64_t)(17 + 3 * k + way);
      if (way != 1 || k == 1) check_law(go, t, run);
      if (way == 2) check_ais(anneal, t, run);
    }
  }
}

static void test_clamped(const perm_toy *t) {
  static const uint8_t mask[N] = {0, 1, 0, 0, 0};
  int k;
  enumerate(t, mask, good);
  for (k = 0; k < SAMPLERS; k++) {
    lbp_run run = good_run();
    run.sampler = samplers[k];
    run.clamp = mask;
    run.thin = 5;
    run.tempering.rungs = 3;
    run.seed = (uint64_t)(5 + k);
    check_law(pairing_run, t, run);
    check_ais(pairing_ais, t, run);
  }
}

/* Partial matchings: all, clamped, those of one link and more; and their number, to the last digit. */
static void test_partial(void) {
  static const uint8_t mask[2][N] = {{0, 1, 0, 0, 0}, {0, 0, 0, 1, 0}};
  static const uint32_t shape[3][2] = {{3, 2}, {2, 3}, {3, 3}};
  uint32_t k, rows, columns, n;
  for (k = 0; k < 3; k++) {
    perm_toy t = perm_partial(N, shape[k][0], shape[k][1], (int)k, 1.5, 0);
    lbp_run run = good_run();
    if (k == 0) t.cost[0][0] = HUGE_VAL;
    run.sampler = samplers[k];
    run.parameter = k == 1 ? 1.5 : 0;
    run.thin = 4;
    run.tempering.rungs = 3;
    run.seed = 31 + k;
    enumerate(&t, NULL, NULL);
    check_law(partial_run, &t, run);
    check_ais(partial_ais, &t, run);
    if (k == 2) continue;
    run.clamp = mask[k];
    enumerate(&t, mask[k], good);
    check_law(partial_run, &t, run);
    check_ais(partial_ais, &t, run);
  }
  for (k = 0; k < 4; k++) {
    perm_toy t;
    lbp_ais_result ais;
    lbp_run run;
    double log_count = -HUGE_VAL, links;
    memset(&t, 0, sizeof t);
    t.rows = rows = k == 0 ? 1 : k == 1 ? 7 : 30;
    t.columns = columns = k == 3 ? 30 : 4 + 17 * k;
    t.n = n = rows + columns - (k == 3 ? 20 : 0);
    for (links = k == 3 ? 20 : 0; links <= rows && links <= columns; links++) {
      const double more = lgamma(rows + 1.0) + lgamma(columns + 1.0) - lgamma(links + 1) - lgamma(rows - links + 1) -
                          lgamma(columns - links + 1);
      log_count = log_count > more ? log_count + log1p(exp(more - log_count)) : more + log1p(exp(log_count - more));
    }
    lbp_run_init(&run);
    run.tempering.rungs = 3;
    run.sampler = samplers[k % 3];
    CHECK(alike_ais(&run, &t, n, &ais) == LBP_OK);
    CHECK_NEAR(ais.log_z, log_count, 1e-9 * (1 + log_count));
    lbp_ais_free(&ais);
  }
}

/* Matchings of 6 rows with 7 columns all alike, in which chains begin: the mean number of links, within six standard
 * errors. And parity: one that is kept keeps nothing from a matching, but where there is one spare row and column. */
static double count_links(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  const uint32_t *s = (const uint32_t *)(const void *)x;
  double sum = 0;
  uint32_t a;
  for (a = 0; a < column->site && a < n; a++) sum += s[a] < column->site + 1;
  return sum;
}

static void test_scattered(void) {
  enum { STARTS = QUICK ? 40 : 20000 };
  perm_toy t;
  lbp_run run;
  lbp_run_result result;
  const lbp_run_column column = {"links", count_links, NULL, 6};
  double links, ways = 1, all = 0, mean = 0, square = 0, sum = 0;
  lbp_chains chains;
  lbp_plan plan;
  const lbp_kernel kernel = alike_kernel(13);
  uint32_t k;
  memset(&t, 0, sizeof t);
  t.n = 13, t.rows = 6, t.columns = 7;
  for (links = 0; links <= 6; ways *= (6 - links) * (7 - links) / (links + 1), links++) {
    all += ways, mean += links * ways, square += links * links * ways;
  }
  CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_PAIRS, 13, 0) == LBP_OK);
  CHECK(lbp_chains_init(&chains, &kernel, &t, &plan, 0, 1, 0) == LBP_OK && lbp_chains_make(&chains, 0, 1) == LBP_OK);
  for (k = 0; k < STARTS; k++) {
    lbp_unit *unit = lbp_chains_unit(&chains, 0);
    uint8_t seen[13];
    kernel.scatter(unit, &t, &unit->rng);
    CHECK(lbp_is_permutation((const uint32_t *)unit->x, 13, seen));
    sum += count_links(&column, (const uint8_t *)unit->x, 13) / STARTS;
  }
  lbp_chains_free(&chains);
  CHECK_NEAR(sum, mean / all, 6 * sqrt((square / all - mean / all * (mean / all)) / STARTS));
  lbp_run_init(&run);
  run.sampler = LBP_SAMPLER_PAIRS;
  run.parameter = 2;
  run.column = &column;
  run.columns = 1;
  CHECK(alike_run(&run, &t, 13, &result) == LBP_OK && !(result.warnings & LBP_WARN_PARITY));
  if (!QUICK) CHECK_NEAR(result.row[1].mean, mean / all, 6 * result.row[1].mcse);
  lbp_run_free(&result);
  t.n = 8;
  CHECK(alike_run(&run, &t, 8, &result) == LBP_OK && !(result.warnings & LBP_WARN_PARITY)); /* two spare rows */
  lbp_run_free(&result);
  t.n = 7, t.rows = t.columns = 6;
  CHECK(alike_run(&run, &t, 7, &result) == LBP_OK && (result.warnings & LBP_WARN_PARITY));
  lbp_run_free(&result);
  t.n = 8, t.rows = 7;
  CHECK(alike_run(&run, &t, 8, &result) == LBP_OK && !(result.warnings & LBP_WARN_PARITY));
  lbp_run_free(&result);
  CHECK(alike_run(&run, &t, 6, &result) == LBP_E_SIZE);
  lbp_run_free(&result);
  run.check_trials = 0;
  CHECK(alike_run(&run, &t, 6, &result) == LBP_E_SIZE);
  lbp_run_free(&result);
}

/* R as it is given, and tuned, by each chain or by all, where all is accepted. */
static void test_R(void) {
  enum { ROWS = 20 };
  int way;
  for (way = 0; way < 4; way++) {
    lbp_run run;
    lbp_run_result result;
    lbp_run_init(&run);
    run.sampler = LBP_SAMPLER_PAIRS;
    run.parameter = way == 0 ? 3 : way == 1 ? 2.5 : 0;
    run.shared_tuner = way == 3;
    run.warmup = 300;
    run.draws = 200;
    CHECK(flat_run(&run, NULL, ROWS, &result) == LBP_OK);
    if (way == 0) CHECK(result.parameter == 3 && result.jump == 6);
    else if (way == 1) CHECK_NEAR(result.parameter, 2.5, 0.2);
    else CHECK(result.parameter > 7 && result.parameter <= 9.5);
    lbp_run_free(&result);
  }
}

/* What a kernel shows of the model: all pairs of rows, at a temperature, none of a clamped row. */
typedef struct {
  const perm_toy *t;
  const uint32_t *s;
  uint32_t a, b, wrong, count;
} shown;

static void take_ratio(void *data, uint32_t i, double d) {
  shown *it = (shown *)data;
  double want = 0.5 * perm_exchange(it->t, it->s, it->a, it->b);
  if (it->a == 2 || it->b == 2) want = -HUGE_VAL;
  it->wrong += i != it->a || !(d == want || fabs(d - want) < 1e-12);
  it->count++;
  if (++it->b == N) it->a++, it->b = it->a + 1;
}

static void test_ratios(const perm_toy *t) {
  static const uint8_t mask[N] = {0, 0, 1, 0, 0};
  const lbp_kernel kernel = pairing_kernel(N);
  lbp_chains chains;
  lbp_plan plan;
  shown it = {t, NULL, 0, 1, 0, 0};
  CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_PAIRS, N, 0) == LBP_OK && plan.values == N);
  CHECK(lbp_plan_clamp(&plan, mask) == LBP_OK);
  CHECK(lbp_chains_init(&chains, &kernel, t, &plan, 0, 1, 0) == LBP_OK && lbp_chains_make(&chains, 0, 1) == LBP_OK);
  it.s = (const uint32_t *)lbp_chains_unit(&chains, 0)->x;
  memcpy(lbp_chains_unit(&chains, 0)->x, good, sizeof good);
  CHECK(it.s == pairing_chain_of(lbp_chains_unit(&chains, 0))->s);
  kernel.temper(lbp_chains_unit(&chains, 0), 0.5);
  kernel.ratios(lbp_chains_unit(&chains, 0), t, take_ratio, &it);
  CHECK(it.wrong == 0 && it.count == N * (N - 1) / 2);
  CHECK(kernel.rebuild_cost(&plan) >= N * (N - 1) / 2);
  lbp_chains_free(&chains);
}

/* All n! permutations alike: log Z is known to the last digit. */
static void test_counting(void) {
  uint32_t n;
  for (n = 1; n <= 64; n = 2 * n + (n < 4)) {
    lbp_run run;
    lbp_ais_result ais;
    lbp_run_init(&run);
    run.tempering.rungs = 3;
    run.sampler = n % 3 == 1 ? LBP_SAMPLER_EXCHANGE : LBP_SAMPLER_ROW;
    CHECK(flat_ais(&run, NULL, n, &ais) == LBP_OK);
    CHECK_NEAR(ais.log_z, lgamma(n + 1.0), 1e-9 * (1 + lgamma(n + 1.0)));
    lbp_ais_free(&ais);
  }
}

static void test_anneal(const perm_toy *t) {
  int k;
  enumerate(t, NULL, NULL);
  for (k = -1; k < SAMPLERS; k++) {
    lbp_run run = good_run();
    lbp_run_result result;
    if (k >= 0) run.sampler = samplers[k];
    run.chains = 8;
    run.annealing.sweeps = 200;
    CHECK(pairing_anneal(&run, t, N, &result) == LBP_OK);
    if (result.status != LBP_OK) printf("%s\n", result.message);
    CHECK(result.best_logp && fabs(result.best_logp[0] - exact_best) < 1e-9);
    if (result.best) CHECK_NEAR(perm_logp(t, (const uint32_t *)(const void *)result.best), exact_best, 1e-9);
    lbp_run_free(&result);
  }
}

/* ---- promises ---------------------------------------------------------------------------------------------------- */

static void test_promises(const lbp_kernel kernel, const perm_toy *t) {
  const lbp_run_column column = {"first", is_image, NULL, 1};
  int k;
  for (k = 0; k < 3 * SAMPLERS; k += QUICK ? 2 : 1) {
    lbp_run run = good_run();
    run.sampler = samplers[k / 3];
    run.shared_tuner = k % 3 == 1;
    run.tempering.rungs = k % 3 == 2 ? 3 : 1;
    run.chains = 3;
    run.warmup = WARMUP;
    run.draws = DRAWS;
    run.thin = 3;
    run.column = &column;
    run.columns = 1;
    CHECK(check_ways(run, &kernel, t, N) > WARMUP / 3);
  }
}

/* A checkpoint of another model, or sampler, is refused. */
static void test_recognised(const perm_toy *t) {
  perm_toy other = *t;
  lbp_run run = good_run();
  lbp_run_result result;
  run.checkpoint = in_folder("known.ckpt");
  run.draws = 20;
  CHECK(pairing_run(&run, t, N, &result) == LBP_OK && !result.resumed);
  lbp_run_free(&result);
  other.cost[3][2] += 0.25;
  CHECK(pairing_run(&run, &other, N, &result) == LBP_E_FORMAT);
  lbp_run_free(&result);
  run.sampler = LBP_SAMPLER_EXCHANGE;
  CHECK(pairing_run(&run, t, N, &result) == LBP_E_FORMAT);
  lbp_run_free(&result);
  run.sampler = LBP_SAMPLER_DEFAULT;
  run.draws = 40;
  CHECK(pairing_run(&run, t, N, &result) == LBP_OK && result.resumed && result.draws == 40);
  lbp_run_free(&result);
  remove(run.checkpoint);
}

/* ---- what is refused, and doubted -------------------------------------------------------------------------------- */

/* Marginals are n x n however few rows there are: two look like sites with two values. */
static void test_few_rows(void) {
  perm_toy t;
  lbp_run run = good_run();
  lbp_run_result result;
  uint32_t n, a, v;
  memset(&t, 0, sizeof t);
  run.start = NULL;
  run.marginals = LBP_MARGINALS_COUNTED;
  for (n = 1; n <= 3; n++) {
    t.n = n;
    CHECK(flat_run(&run, &t, n, &result) == LBP_OK);
    for (a = 0; a < n && result.marginal; a++) {
      double row = 0, column = 0;
      for (v = 0; v < n; v++) row += result.marginal[a * n + v], column += result.marginal[v * n + a];
      CHECK_NEAR(row, 1, 1e-12);
      CHECK_NEAR(column, 1, 1e-12);
      CHECK_NEAR(result.marginal[a * n + a], 1.0 / n, 0.1);
    }
    lbp_run_free(&result);
  }
}

static void refuse(const lbp_run *run, const perm_toy *t, uint32_t n, int status, const char *word) {
  lbp_run_result result;
  const int got = pairing_run(run, t, n, &result);
  if (got != status || !strstr(result.message, word)) printf("%d %s\n", result.status, result.message);
  CHECK(got == status && strstr(result.message, word) != NULL);
  lbp_run_free(&result);
}

static void test_refused(const perm_toy *t) {
  static const uint32_t twice[N] = {0, 1, 2, 2, 4}, far[N] = {0, 1, 2, 3, 5}, barred[N] = {3, 1, 2, 0, 4};
  static const uint8_t all[N] = {1, 1, 1, 1, 1}, one[N] = {1, 0, 0, 0, 0};
  const lbp_kernel kernel = pairing_kernel(N + 1);
  lbp_run run, plain = good_run();
  lbp_run_result result;
  plain.draws = 50;
  run = plain, run.sampler = LBP_SAMPLER_LBP;
  refuse(&run, t, N, LBP_E_RANGE, "row (15), pairs (17), exchange (16)");
  run = plain, run.start_data = twice, run.check_trials = 0;
  refuse(&run, t, N, LBP_E_STATE, "not a permutation");
  run.start_data = far;
  refuse(&run, t, N, LBP_E_STATE, "start");
  run.start_data = barred, run.check_trials = 1;
  refuse(&run, t, N, LBP_E_IMPOSSIBLE, "start");
  run = plain, run.clamp = one, run.start = NULL;
  refuse(&run, t, N, LBP_E_RANGE, "clamp");
  run.clamp = all, run.start = start_at, run.start_data = barred;
  refuse(&run, t, N, LBP_E_CLAMPED, "clamp");
  run = plain, run.parameter = 1;
  refuse(&run, t, N, LBP_E_RANGE, "parameter: row has none");
  run.sampler = LBP_SAMPLER_PAIRS, run.parameter = 2.5;
  refuse(&run, t, N, LBP_E_RANGE, "parameter: R is 0");
  run = plain, run.sampler = LBP_SAMPLER_PAIRS, run.check_trials = 0;
  refuse(&run, t, LBP_MAX_PAIRED + 1, LBP_E_RANGE, "table");
  run = plain, run.marginals = LBP_MARGINALS_CONDITIONAL;
  refuse(&run, t, N, LBP_E_RANGE, "marginals");
  run = plain, run.values = 2;
  refuse(&run, t, N, LBP_E_RANGE, "values");
  refuse(&plain, t, 0, LBP_E_SIZE, "n: ");
  CHECK(lbp_run_kernel(&plain, &kernel, t, N, &result) == LBP_E_RANGE && strstr(result.message, "NAME_kernel"));
  lbp_run_free(&result);
  run = plain, run.sampler = LBP_SAMPLER_PAIRS, run.parameter = 2;
  CHECK(pairing_run(&run, t, N, &result) == LBP_OK && (result.warnings & LBP_WARN_PARITY));
  lbp_run_free(&result);
  for (run = plain, run.thin = 1; run.thin < 4; run.thin++) { /* rows are exchanged by each step: all are accepted */
    perm_toy flat;
    memset(&flat, 0, sizeof flat);
    flat.n = N;
    CHECK(single_run(&run, &flat, N, &result) == LBP_OK && result.accept > 0.9999);
    CHECK(((result.warnings & LBP_WARN_PARITY) != 0) == (run.thin == 2));
    lbp_run_free(&result);
  }
}

int main(void) {
  perm_toy t = perm_make(N, PERM_QUADRATIC, 2, 0);
  const perm_toy path = perm_make(N, PERM_PATH, 3, 0);
  if (!make_folder()) return 1;
  threads(1); /* laws of so few rows are no work to share */
  test_laws(single_run, single_ais, &path);
  t.cost[0][3] = t.cost[2][2] = HUGE_VAL; /* forbidden */
  test_laws(pairing_run, pairing_ais, &t);
  test_clamped(&t);
  test_partial();
  test_scattered();
  test_R();
  test_ratios(&t);
  test_counting();
  test_anneal(&t);
  test_promises(pairing_kernel(N), &t);
  test_promises(single_kernel(N), &path);
  test_recognised(&t);
  test_few_rows();
  test_refused(&t);
  rmdir(folder);
  return test_report();
}
