/* Runs whose replicas exchange parts, run.tempering.swap_parts and .replicas: the law of a chain's draws after one and
 * four rounds from states that have it, at equal and at different temperatures, against enumeration; chains that stay
 * independent of each other; runs that are stopped and go on are the same to the bit as in one piece, and the same on
 * any number of threads; where parts are left out; round trips; refused options. About 20 tests of laws at level 1e-8.
 * */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>
#include "web.h"
#include "chi2.h"
#include "../lbp_run.h"
#ifdef _OPENMP
#include <omp.h>
#endif
#include "run_resumed.h"

#ifdef API_QUICK
enum { SEEDS = 5, RUNS = 300 };
#else
enum { SEEDS = 40, RUNS = 2000 };
#endif
enum { CHAINS = 1000, STATES = 81 };

LBP_FN double counted_term(const web *m, uint32_t t, const uint8_t *v) {
  resume_look();
  return web_term(m, t, v);
}

#define LBP_NAME          two
#define LBP_MODEL_T       web
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          counted_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  WEB_TERMS
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME          many
#define LBP_MODEL_T       web
#define LBP_CAT_STATES    WEB_VALUES
#define LBP_CAT_STATES_OF web_values
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          counted_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  WEB_TERMS
#define LBP_TEMPERED
#include "../lbp_run.h"

/* By log-ratios, with a law of its own at beta = 0. */
#define LBP_NAME           bare
#define LBP_MODEL_T        web
#define LBP_TEMPERED
#define LBP_BASE(m, i)     (0.5 * (i) - 1)
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS (WEB_TERMS * (WEB_ARITY - 1))
#define LBP_LOGP           web_logp
#include "../lbp_run.h"

/* Those that have no parts. */
LBP_FN void web_deltas(const web *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = web_delta(m, x, i);
}
#define LBP_NAME     dense
#define LBP_MODEL_T  web
#define LBP_REAL     double
#define LBP_TEMPERED
#define LBP_DELTAS   web_deltas
#define LBP_LOGP     web_logp
#include "../lbp_run.h"

#define LBP_NAME           banded
#define LBP_MODEL_T        web
#define LBP_TEMPERED
#define LBP_GROUP(m, i)    ((void)(m), (i) / 3)
#define LBP_GROUP_ONES(m, g) ((void)(m), (void)(g), 1u)
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS (WEB_TERMS * (WEB_ARITY - 1))
#define LBP_LOGP           web_logp
#include "../lbp_run.h"

/* ---- the law ----------------------------------------------------------------------------------------------------- */

/* Exact states for each unit in turn: run.start is called for replica after replica, rung after rung. */
typedef struct {
  const web *m;
  double law[3][STATES];
  uint32_t codes, rungs, made;
  lbp_rng rng;
} exact;

/* The laws of three rungs at these temperatures. */
static void exact_make(exact *e, const web *m, const double *ladder, uint32_t rungs, int base, uint64_t seed) {
  uint8_t x[WEB_SITES];
  uint32_t k, code, i;
  memset(e, 0, sizeof *e);
  e->m = m;
  e->rungs = rungs;
  lbp_rng_init(&e->rng, seed, 12345);
  for (k = 0; k < rungs; k++) {
    double sum = 0;
    for (e->codes = 0; web_state(m, e->codes, x); e->codes++) {
      double at_0 = 0;
      for (i = 0; base && i < m->n; i++) at_0 += x[i] ? 0.5 * i - 1 : 0;
      e->law[k][e->codes] = web_logp(m, x) < -1e300 ? 0 : exp(ladder[k] * web_logp(m, x) + (1 - ladder[k]) * at_0);
      sum += e->law[k][e->codes];
    }
    for (code = 0; code < e->codes; code++) e->law[k][code] /= sum;
  }
  CHECK(e->codes <= STATES);
}

static void exact_start(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  exact *e = *(exact *const *)data;
  const double *law = e->law[e->made++ % e->rungs];
  double u = lbp_u01(lbp_rng_u64(&e->rng));
  uint32_t code;
  for (code = 0; code + 1 < e->codes && u >= law[code]; code++) u -= law[code];
  web_state(e->m, code, x);
  (void)chain, (void)n;
}

static const web *taken_of;
static uint32_t taken[STATES];
static void take_state(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  (void)data, (void)chain, (void)draw, (void)values;
  taken[web_code(taken_of, x)]++;
}

static void options(lbp_run *run, const double *ladder, uint32_t rungs, uint32_t replicas) {
  lbp_run_init(run);
  run->sampler = LBP_SAMPLER_METROPOLIS;
  run->tempering.swap_parts = 1;
  run->tempering.replicas = replicas;
  run->tempering.rungs = rungs;
  run->tempering.ladder = ladder;
  run->tempering.adapt = 0;
}

/* So many rounds, each a sweep and the exchanges that follow it, of thousands of chains from exact states, whose
 * hundredths find the law of the coldest replicas again. */
static void check_law(const lbp_kernel *kernel, const web *m, uint32_t rungs, uint32_t replicas, uint32_t rounds, int base,
                      uint64_t seed) {
  static const double ladder[3] = {1.25, 0.75, 0};
  static exact e;
  exact *const data = &e;
  lbp_run run;
  lbp_run_result result;
  uint64_t k;
  double odds;
  char text[120];
  exact_make(&e, m, ladder, rungs, base, seed);
  options(&run, ladder, rungs, replicas);
  run.chains = CHAINS;
  run.warmup = 0;
  run.draws = 1;
  run.thin = rounds;
  run.tempering.swap_every = 1;
  run.start = exact_start;
  run.start_data = &data;
  run.save_states = LBP_STATES_PASSED;
  run.on_draw = take_state;
  run.check_trials = 0;
  taken_of = m;
  memset(taken, 0, sizeof taken);
  for (k = 0; k < SEEDS; k++) {
    run.seed = 1000 * seed + k;
    CHECK(lbp_run_kernel(&run, kernel, m, m->n, &result) == LBP_OK);
    if (result.status != LBP_OK) printf("%s\n", result.message);
    CHECK(result.by_parts && result.round_trips == 0);
    lbp_run_free(&result);
  }
  odds = chi2_counts(taken, e.law[0], e.codes, (double)CHAINS * SEEDS);
  snprintf(text, sizeof text, "%lu rungs x %lu replicas, %lu rounds: p = %.2g", (unsigned long)rungs, (unsigned long)replicas,
           (unsigned long)rounds, odds);
  test_count(odds > CHI2_LEVEL, __FILE__, __LINE__, text);
}

static void test_laws(void) {
  const lbp_kernel of_two = two_kernel(), of_many = many_kernel(), by_ratios = bare_kernel();
  static web m;
  web_make(&m, 6, 2, 7, 2, 0, 3);
  check_law(&of_two, &m, 1, 2, 1, 0, 1);
  check_law(&of_two, &m, 1, 3, 4, 0, 2);
  check_law(&of_two, &m, 3, 1, 1, 0, 3);
  check_law(&of_two, &m, 3, 1, 4, 0, 4);
  check_law(&of_two, &m, 3, 2, 4, 0, 5);
  check_law(&by_ratios, &m, 3, 2, 4, 1, 6);
  web_make(&m, 6, 2, 5, 3, 1, 4);
  check_law(&of_two, &m, 3, 2, 4, 0, 7);
  web_make(&m, 4, 3, 4, 2, 0, 5);
  check_law(&of_many, &m, 3, 2, 4, 0, 8);
}

/* Draws of different chains are independent, of replicas of one rung they are not: after an exchange with another one a
 * state of low log pi is one that the other had. So sweeps that hardly move must leave chains uncorrelated. */
static double first_logp[2];
static void take_logp(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  (void)data, (void)draw, (void)x;
  first_logp[chain] = values[LBP_DRAW_LOGP];
}

static void test_independent(void) {
  static web m;
  const lbp_kernel kernel = two_kernel();
  lbp_run run;
  lbp_run_result result;
  double sum[2] = {0, 0}, square[2] = {0, 0}, product = 0, correlation;
  uint32_t k, c;
  web_make(&m, 6, 2, 7, 2, 0, 3);
  options(&run, NULL, 1, 2);
  run.chains = 2;
  run.sampler = LBP_SAMPLER_RWM;
  run.parameter = 1;
  run.warmup = 0;
  run.draws = 1;
  run.check_trials = 0;
  run.on_draw = take_logp;
  for (k = 0; k < RUNS; k++) {
    run.seed = k;
    CHECK(lbp_run_kernel(&run, &kernel, &m, m.n, &result) == LBP_OK);
    for (c = 0; c < 2; c++) {
      sum[c] += first_logp[c] / RUNS;
      square[c] += first_logp[c] * first_logp[c] / RUNS;
    }
    product += first_logp[0] * first_logp[1] / RUNS;
    CHECK(result.chains == 2 && result.replicas == 2);
    lbp_run_free(&result);
  }
  correlation = (product - sum[0] * sum[1]) / sqrt((square[0] - sum[0] * sum[0]) * (square[1] - sum[1] * sum[1]));
  CHECK_NEAR(correlation, 0, 6 / sqrt((double)RUNS));
}

/* ---- promises ---------------------------------------------------------------------------------------------------- */

static void test_resumed(void) {
  static web m;
  static const double ladder[3] = {1.25, 0.75, 0.25};
  uint32_t k;
  for (k = 0; k < 4; k++) {
    const uint32_t replicas = 1 + k % 3, rungs = k == 1 ? 1 : 3;
    lbp_run run;
    options(&run, rungs > 1 && k != 3 ? ladder : NULL, rungs, replicas);
    run.seed = k;
    run.chains = 2;
    run.tempering.adapt = k == 3;
    run.shared_tuner = k == 2;
    run.warmup = 300;
    run.draws = 200;
    run.thin = 4;
    run.tempering.swap_every = 2;
    run.save_states = LBP_STATES_CSV;
    run.marginals = LBP_MARGINALS_COUNTED;
    web_make(&m, 6, 2, 8, 2, 0, 41 + k);
    check_resumed(lbp_run_kernel, two_kernel(), &m, 6, run, "parts");
    web_make(&m, 5, WEB_VALUES, 6, 3, 0, 42 + k);
    if (k < 2) check_resumed(lbp_run_kernel, many_kernel(), &m, 5, run, "parts, values");
  }
}

static void test_threads(void) {
#ifdef _OPENMP
  static web m;
  static const double ladder[3] = {1.25, 0.75, 0.25};
  const lbp_kernel kernel = two_kernel();
  lbp_run_result result[3];
  lbp_run run;
  int k;
  web_make(&m, 6, 2, 8, 2, 0, 31);
  options(&run, ladder, 3, 4);
  run.chains = 1;
  for (k = 0; k < 3; k++) {
    omp_set_num_threads(1 + 2 * k);
    CHECK(lbp_run_kernel(&run, &kernel, &m, 6, &result[k]) == LBP_OK);
    CHECK(!result_differs(&kernel, 6, 2, &result[0], &result[k]));
  }
  for (k = 0; k < 3; k++) lbp_run_free(&result[k]);
  omp_set_num_threads(1);
#endif
}

/* A ring of n sites that agree, by LBP_TERM: where it is hot replicas differ in many parts; where it is so cold that no
 * two sites ever part, in all sites or none. */
static void make_chain(web *m, uint32_t n, double J) {
  uint32_t t, v;
  web_make(m, n, 2, 0, 2, 0, 1);
  for (t = 0; t < n; t++) {
    m->own[t][0] = m->own[t][1] = 0;
    m->arity[t] = 2;
    m->site[t][0] = t, m->site[t][1] = (t + 1) % n;
    for (v = 0; v < 4; v++) m->table[t][v / 2 * WEB_VALUES + v % 2] = v == 0 || v == 3 ? J : -J;
  }
  m->terms = n;
}

/* The rule of the warm-up, and what the result and the summary say. */
static void test_rule(void) {
  static web m;
  static const double ladder[2] = {1, 0.5}, apart[3] = {1, 0.999, 0};
  const lbp_kernel kernel = two_kernel();
  lbp_run run;
  lbp_run_result result;
  char text[4096];
  FILE *to;
  size_t length;
  web_make(&m, 6, 2, 2, 2, 0, 31); /* hardly connected: parts are small */
  options(&run, ladder, 2, 2);
  run.draws = 4000;
  CHECK(lbp_run_kernel(&run, &kernel, &m, 6, &result) == LBP_OK);
  CHECK(result.by_parts && result.parts[0] > 0.2 && result.parts[0] < 0.6 && lbp_is_nan(result.parts[1]));
  CHECK_NEAR(result.parts[2], 0.5, 0.03);
  CHECK_NEAR(result.parts[3], 0.5, 0.03);
  CHECK(result.largest_part[0] > 0.2 && result.largest_part[0] < 0.9);
  CHECK(result.largest_part[2] > 0.2 && result.largest_part[3] < 0.9);
  CHECK(result.round_trips == 0 && result.round_trip_rate == 0 && result.round_trip_ideal == 0);
  CHECK(!(result.warnings & LBP_WARN_ROUND_TRIPS));
  to = tmpfile();
  lbp_run_print(&result, to);
  rewind(to);
  length = fread(text, 1, sizeof text - 1, to);
  text[length] = 0;
  fclose(to);
  CHECK(strstr(text, "parts of states (beta: the share that is exchanged with the next):\n  1: 0.") != NULL);
  CHECK(strstr(text, "parts of states: exchanged between 2 replicas at 2 of 2 rungs") != NULL);
  CHECK(!strstr(text, "round trips") && !strstr(text, "whole"));
  lbp_run_free(&result);
  make_chain(&m, 6, 30); /* differs everywhere, or nowhere */
  options(&run, apart, 3, 2);
  CHECK(lbp_run_kernel(&run, &kernel, &m, 6, &result) == LBP_OK);
  CHECK(lbp_is_nan(result.parts[0]) && lbp_is_nan(result.parts[3]) && result.largest_part[0] > 0.99);
  CHECK(!lbp_is_nan(result.parts[1]) && !lbp_is_nan(result.parts[5]) && result.largest_part[5] < 0.9);
  to = tmpfile();
  lbp_run_print(&result, to);
  rewind(to);
  length = fread(text, 1, sizeof text - 1, to);
  text[length] = 0;
  fclose(to);
  CHECK(strstr(text, "  1: whole  0.999: 0.") != NULL && strstr(text, "at 1 of 3 rungs\nelsewhere nothing differs") != NULL);
  lbp_run_free(&result);
  run.tempering.rungs = 2; /* none is left: whole states go round */
  CHECK(lbp_run_kernel(&run, &kernel, &m, 6, &result) == LBP_OK);
  CHECK(!result.by_parts && result.round_trips > 50 && result.swaps[0] > 0.5);
  lbp_run_free(&result);
}

/* The best states are of all that exchanges lead to, in any replica. */
static lbp_kernel spied;
static double spied_best;
static void spy(void *a, void *b, const void *model, lbp_rng *rng, lbp_parts *it) {
  const web *m = (const web *)model;
  spied.swap_parts(a, b, model, rng, it);
  spied_best = fmax(spied_best, fmax(web_logp(m, (uint8_t *)((lbp_unit *)a)->x), web_logp(m, (uint8_t *)((lbp_unit *)b)->x)));
}

static void test_best(void) {
  static web m;
  static const double ladder[2] = {1, 0.25};
  int base;
  for (base = 0; base < 2; base++) {
    lbp_kernel kernel = spied = base ? bare_kernel() : two_kernel();
    uint32_t k, wrong = 0;
    lbp_run run;
    lbp_run_result result;
    kernel.swap_parts = spy;
    options(&run, ladder, 2, 3);
    run.chains = 1;
    run.warmup = 0;
    run.draws = 1;
    for (k = 0; k < 100; k++) {
      web_make(&m, 6, 2, 8, 2, 0, k);
      run.seed = k;
      spied_best = -HUGE_VAL;
      CHECK(lbp_run_kernel(&run, &kernel, &m, 6, &result) == LBP_OK);
      wrong += !(result.best_logp[0] >= spied_best);
      lbp_run_free(&result);
    }
    CHECK(wrong == 0);
  }
}

/* Log Z is of all replicas of a chain. */
static void test_log_z(void) {
  static web m;
  static const double ladder[3] = {1, 0.5, 0};
  const lbp_kernel kernel = two_kernel();
  uint8_t x[WEB_SITES];
  double sum = 0;
  uint32_t code;
  lbp_run run;
  lbp_run_result result;
  web_make(&m, 6, 2, 8, 2, 0, 31);
  for (code = 0; web_state(&m, code, x); code++) sum += exp(web_logp(&m, x));
  options(&run, ladder, 3, 3);
  run.chains = 16;
  CHECK(lbp_run_kernel(&run, &kernel, &m, 6, &result) == LBP_OK && result.log_z_status == LBP_OK);
  CHECK_NEAR(result.log_z, log(sum), 6 * result.log_z_se);
  CHECK(result.log_z_se < 0.0035); /* 0.0021, of the first replicas alone 0.0050 */
  lbp_run_free(&result);
}

static void check_refused(const lbp_kernel *kernel, const lbp_run *run, const char *why) {
  static web m;
  lbp_run_result result;
  web_make(&m, 6, 2, 8, 2, 0, 51);
  CHECK(lbp_run_kernel(run, kernel, &m, 6, &result) == LBP_E_RANGE);
  CHECK(strstr(result.message, why) != NULL);
  if (!strstr(result.message, why)) printf("%s\n", result.message);
  lbp_run_free(&result);
}

static void test_refused(void) {
  const lbp_kernel local = two_kernel(), deltas = dense_kernel(), groups = banded_kernel();
  lbp_run run;
  char why[LBP_OPTION_TEXT];
  options(&run, NULL, 1, 2);
  check_refused(&deltas, &run, "only for local models of lbp.h (LBP_TERM, LBP_NEIGHBOURS), not for dense ones");
  run.sampler = LBP_SAMPLER_DEFAULT;
  check_refused(&groups, &run, "with groups of ones, or of a permutation, can't be exchanged");
  options(&run, NULL, 1, 1);
  check_refused(&local, &run, "set tempering.replicas or tempering.rungs to 2 or more");
  run.tempering.replicas = 0;
  check_refused(&local, &run, "1 to 64 at each rung, not 0");
  run.tempering.replicas = 65;
  check_refused(&local, &run, "1 to 64 at each rung, not 65");
  run.tempering.replicas = 2;
  run.thin = 3;
  run.tempering.swap_every = 2;
  check_refused(&local, &run, "a divisor of thin = 3");
  run.tempering.swap_parts = 0;
  check_refused(&local, &run, "2 replicas of a rung meet by exchanges of parts alone");
  lbp_run_init(&run);
  CHECK(lbp_run_set(&run, &local, "tempering.replicas", "4", why) == LBP_OK && run.tempering.replicas == 4);
  CHECK(lbp_run_set(&run, &local, "tempering.swap_parts", "true", why) == LBP_OK && run.tempering.swap_parts == 1);
}

int main(void) {
#ifdef _OPENMP
  omp_set_num_threads(1); /* of tiny models and many short runs */
#endif
  if (!make_folder()) return 1;
  test_laws();
  test_independent();
  test_resumed();
  test_threads();
  test_rule();
  test_best();
  test_log_z();
  test_refused();
  rmdir(folder);
  return test_report();
}
