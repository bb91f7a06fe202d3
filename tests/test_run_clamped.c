/* Runs with clamped sites: all samplers, marginals, tempering, annealing, checkpoints, refused options, warnings;
 * against enumeration of the law given the clamped sites.
 *
 * Statistical tests: about 300 comparisons within 6.5 standard errors, which come from 64 batches or more: 1e-9 each.
 * Seeds are fixed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "test.h"
#include "../lbp_run.h"
#include "run_files.h"
#include "toy.h"

#ifdef API_QUICK
enum { DRAWS = 400 };
#else
enum { DRAWS = 3000 };
#endif
enum { N = 8, FEW = 100 };

/* ---- models ------------------------------------------------------------------------------------------------------ */

#define LBP_NAME           walk
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME    dense
#define LBP_MODEL_T toy
#define LBP_REAL    double
#define LBP_DELTAS  toy_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP toy_logp
#define LBP_TEMPERED
#define LBP_BASE(m, i)   (0.5 * (m)->field[i] + 0.25)
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME        many
#define LBP_MODEL_T     toy
#define LBP_REAL        float
#define LBP_DELTAS      toy_fields_deltas_float
#define LBP_DELTAS_MANY toy_fields_deltas_many_float
#define LBP_DELTA       (float)toy_fields_delta
#define LBP_LOGP        (float)toy_fields_logp
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME           open
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#include "../lbp_run.h"

/* log pi of a toy, as if x were real: its log-ratios are gradients. */
static double toy_gradient(const toy *t, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < t->n; i++) out[i] = x[i] ? -toy_delta(t, x, i) : toy_delta(t, x, i);
  return toy_logp(t, x);
}

static void toy_conditional(const toy *t, const uint8_t *x, uint32_t i, double *out) {
  uint8_t y[TOY_MAX];
  memcpy(y, x, t->n);
  for (y[i] = 0; y[i] < 2; y[i]++) out[y[i]] = toy_logp(t, y);
}

#define LBP_NAME        lattice
#define LBP_MODEL_T     toy
#define LBP_GRADIENT    toy_gradient
#define LBP_CONDITIONAL toy_conditional
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME     open_lattice
#define LBP_MODEL_T  toy
#define LBP_GRADIENT toy_gradient
#include "../lbp_run.h"

/* Many sites without a law: all steps are accepted. */
static double flat_delta(const void *m, const uint8_t *x, uint32_t i) { return (void)m, (void)x, (void)i, 0.0; }
static double flat_logp(const void *m, const uint8_t *x) { return (void)m, (void)x, 0.0; }
static uint32_t nobody(const void *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

#define LBP_NAME           flat
#define LBP_DELTA          flat_delta
#define LBP_NEIGHBOURS     nobody
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           flat_logp
#define LBP_WEIGHT         LBP_METROPOLIS
#define LBP_CLAMPED
#include "../lbp_run.h"

/* ---- laws -------------------------------------------------------------------------------------------------------- */

static const uint8_t mask[N] = {0, 1, 0, 0, 200, 0, 1, 0}, given[N] = {0, 1, 0, 0, 0, 0, 1, 0};

/* The clamped sites' values; the others stay random. */
static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  const uint8_t *values = (const uint8_t *)data;
  uint32_t i;
  (void)chain;
  for (i = 0; i < n; i++) x[i] = mask[i] ? values[i] : x[i];
}

/* A possible state of toys with exclusion. */
static void begin_empty(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  memset(x, 0, n);
  begin(data, chain, x, n);
}

static void begin_apart(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  begin(data, chain, x, n);
  if (chain == 2) x[4] ^= 1;
}

/* pi(x_i = 1 | the clamped sites), and the log of the sum of pi. */
static double enumerate(const toy *t, double *marginal) {
  double sum = 0;
  uint32_t code, i;
  memset(marginal, 0, N * sizeof *marginal);
  for (code = 0; code < 1u << N; code++) {
    uint8_t x[N];
    double p;
    int agrees = 1;
    for (i = 0; i < N; i++) {
      x[i] = (uint8_t)(code >> i & 1);
      agrees &= !mask[i] || x[i] == given[i];
    }
    if (!agrees) continue;
    p = exp(toy_logp(t, x));
    sum += p;
    for (i = 0; i < N; i++) marginal[i] += x[i] * p;
  }
  for (i = 0; i < N; i++) marginal[i] /= sum;
  return log(sum);
}

static lbp_run options(void) {
  lbp_run run;
  lbp_run_init(&run);
  run.clamp = mask;
  run.start = begin;
  run.start_data = given;
  run.draws = DRAWS;
  run.thin = 2;
  run.warmup = 400;
  run.values = 2;
  return run;
}

typedef int run_function(const lbp_run *run, const toy *m, uint32_t n, lbp_run_result *result);
typedef int ais_function(const lbp_run *run, const toy *m, uint32_t n, lbp_ais_result *result);

/* ---- what is drawn ----------------------------------------------------------------------------------------------- */

/* One run: marginals, columns, the best states. */
static void check_run(run_function *draw, lbp_run run, const toy *t, const char *what) {
  double want[N];
  lbp_run_result result;
  lbp_run_column column[N];
  uint32_t i, k, off = 0;
  char name[N][8];
  enumerate(t, want);
  memset(column, 0, sizeof column);
  for (i = 0; i < N; i++) {
    snprintf(name[i], sizeof name[i], "x%d", (int)i);
    column[i].name = name[i];
    column[i].value = lbp_run_site;
    column[i].site = i;
  }
  run.column = column;
  run.columns = N;
  CHECK(draw(&run, t, N, &result) == LBP_OK);
  if (result.status != LBP_OK) {
    printf("%s: %s\n", what, result.message);
  } else {
    for (i = 0; i < N; i++) {
      const lbp_run_row *row = &result.row[i + 1];
      if (mask[i] || want[i] == 0) {
        off += row->mean != want[i] || row->rhat_status != LBP_E_CONSTANT || row->sd > 0;
      } else {
        off += row->rhat_status != LBP_OK || !(fabs(row->mean - want[i]) < 6.5 * row->mcse);
      }
      if (run.marginals == LBP_MARGINALS_COUNTED) off += fabs(result.marginal[i] - row->mean) > 1e-9;
      if (run.marginals != LBP_MARGINALS_CONDITIONAL) continue;
      if (mask[i]) off += result.marginal[i] != given[i] || result.marginal_se[i] != 0;
      else off += !(fabs(result.marginal[i] - want[i]) < 6.5 * result.marginal_se[i] + 1e-6);
    }
    for (k = 0; k < result.chains; k++) {
      for (i = 0; i < N; i++) off += mask[i] && result.best[k * N + i] != given[i];
    }
    if (off) printf("%s: %u numbers off\n", what, (unsigned)off);
  }
  CHECK(off == 0);
  CHECK(!result.parameter_name || strcmp(result.parameter_name, "R") != 0 || result.parameter <= N - 3);
  lbp_run_free(&result);
}

/* All samplers of a template. */
static void check_samplers(run_function *draw, lbp_kernel kernel, const toy *t, int marginals) {
  uint32_t k;
  for (k = 0; k < kernel.samplers; k++) {
    lbp_run run = options();
    if (kernel.sampler[k].traits & LBP_TRAIT_MOMENTUM) continue; /* test_run_momentum.c */
    run.sampler = kernel.sampler[k].sampler;
    run.marginals = k % 2 ? marginals : LBP_MARGINALS_COUNTED;
    run.shared_tuner = k % 3 == 1;
    if (run.sampler == LBP_SAMPLER_AB) run.warmup = 2000;
    if (run.sampler == LBP_SAMPLER_RWM && strcmp(kernel.sampler[k].parameter_name, "R") == 0) {
      run.parameter = 1.5; /* not all over */
    }
    check_run(draw, run, t, kernel.sampler[k].name);
  }
}

/* log Z is of the sum over the free sites, with possible states only, whatever the base. */
static void check_log_z(run_function *draw, ais_function *anneal, const toy *t, int sampler, int hard) {
  double want[N], log_z = enumerate(t, want);
  lbp_run run = options();
  lbp_run_result result;
  lbp_ais_result annealed;
  run.sampler = sampler;
  run.tempering.rungs = 5;
  if (hard) run.start = begin_empty;
  CHECK(draw(&run, t, N, &result) == LBP_OK && result.log_z_status == LBP_OK);
  CHECK_NEAR(result.log_z, log_z, 6.5 * result.log_z_se + 1e-6);
  CHECK(result.log_z_se < 0.2 && (hard ? result.possible < 1 : result.possible >= 1));
  if (!hard) CHECK(result.log_z_se > 0 && result.log_z_se < 0.05);
  lbp_run_free(&result);
  check_run(draw, run, t, "tempered");
  run.chains = hard ? 600 : 60;
  run.tempering.rungs = 30;
  CHECK(anneal(&run, t, N, &annealed) == LBP_OK);
  CHECK_NEAR(annealed.log_z, log_z, 6.5 * annealed.log_z_se + 1e-6);
  CHECK(annealed.log_z_se < 0.3 && annealed.log_z_se > 0);
  lbp_ais_free(&annealed);
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

static void check_resumed(run_function *draw, const toy *t, int sampler) {
  static const uint8_t other_mask[N] = {0, 1, 0, 0, 1, 0, 0, 0}, other_given[N] = {0, 1, 0, 0, 1, 0, 1, 0};
  static const uint8_t same_mask[N] = {0, 3, 0, 0, 1, 0, 5, 0};
  const char *file = in_folder("clamped.ckpt");
  lbp_run run = options();
  lbp_run_result whole, part, refused;
  run.sampler = sampler;
  run.draws = 50;
  run.checkpoint = NULL;
  CHECK(draw(&run, t, N, &whole) == LBP_OK);
  remove(file);
  run.checkpoint = file;
  run.draws = 20;
  CHECK(draw(&run, t, N, &part) == LBP_OK && !part.resumed);
  lbp_run_free(&part);
  run.draws = 50;
  run.clamp = other_mask;
  CHECK(draw(&run, t, N, &refused) == LBP_E_FORMAT && strstr(refused.message, "its clamp differs"));
  lbp_run_free(&refused);
  run.clamp = NULL;
  CHECK(draw(&run, t, N, &refused) == LBP_E_FORMAT && strstr(refused.message, "its clamp differs"));
  lbp_run_free(&refused);
  run.clamp = same_mask; /* in other numbers */
  run.start_data = other_given;
  CHECK(draw(&run, t, N, &refused) == LBP_E_FORMAT && strstr(refused.message, "its state of clamped sites differs"));
  lbp_run_free(&refused);
  run.start_data = given;
  CHECK(draw(&run, t, N, &part) == LBP_OK && part.resumed);
  CHECK(part.status == LBP_OK && whole.status == LBP_OK && memcmp(part.best, whole.best, part.chains * (size_t)N) == 0 &&
        part.row[0].mean == whole.row[0].mean && part.accept == whole.accept);
  lbp_run_free(&part);
  lbp_run_free(&whole);
  remove(file);
}

/* ---- what is refused, what is doubted ---------------------------------------------------------------------------- */

static void check_refused(const toy *t) {
  static const uint8_t all[N] = {1, 1, 1, 1, 1, 1, 1, 1}, none[N] = {0};
  const lbp_run good = options();
  lbp_run run = good;
  lbp_run_result result;
  lbp_ais_result annealed;
  CHECK(open_run(&run, t, N, &result) == LBP_E_RANGE && strstr(result.message, "LBP_CLAMPED"));
  CHECK(open_lattice_run(&run, t, N, &result) == LBP_E_RANGE && strstr(result.message, "LBP_CLAMPED"));
  run.start = NULL;
  CHECK(walk_run(&run, t, N, &result) == LBP_E_RANGE && strstr(result.message, "start"));
  run.tempering.rungs = 10;
  CHECK(walk_ais(&run, t, N, &annealed) == LBP_E_RANGE && strstr(annealed.message, "start"));
  run = good;
  run.clamp = all;
  CHECK(walk_run(&run, t, N, &result) == LBP_E_CLAMPED && strncmp(result.message, "clamp: all", 10) == 0);
  CHECK(lattice_run(&run, t, N, &result) == LBP_E_CLAMPED);
  run.tempering.rungs = 10;
  CHECK(walk_ais(&run, t, N, &annealed) == LBP_E_CLAMPED && strstr(annealed.message, "clamp"));
  run = good;
  run.start = begin_apart;
  CHECK(walk_run(&run, t, N, &result) == LBP_E_STATE && strstr(result.message, "site 4 is clamped, but chain 3"));
  run = good;
  run.parameter = 6;
  CHECK(walk_run(&run, t, N, &result) == LBP_E_RANGE && strstr(result.message, "1 to 5"));
  run.parameter = 5;
  CHECK(walk_run(&run, t, N, &result) == LBP_OK);
  lbp_run_free(&result);
  run = good; /* a mask of nothing is no mask */
  run.clamp = none;
  run.draws = 20;
  CHECK(walk_run(&run, t, N, &result) == LBP_OK);
  {
    lbp_run_result plain;
    run.clamp = NULL;
    CHECK(walk_run(&run, t, N, &plain) == LBP_OK);
    CHECK(plain.status == LBP_OK && result.status == LBP_OK && plain.row[0].mean == result.row[0].mean);
    lbp_run_free(&plain);
  }
  lbp_run_free(&result);
}

static void begin_flat(const void *data, uint32_t chain, uint8_t *x, uint32_t n) { (void)data, (void)chain, memset(x, 0, n); }

/* Ten free sites of a hundred: what is nearly all of them is judged by ten, and so is what is tuned. */
static void check_warnings(void) {
  uint8_t few[FEW];
  uint32_t i, k;
  const int samplers[3] = {LBP_SAMPLER_LBP, LBP_SAMPLER_METROPOLIS, LBP_SAMPLER_CLOCK};
  for (i = 0; i < FEW; i++) few[i] = i % 10 != 3;
  for (k = 0; k < 3; k++) {
    lbp_run run = options();
    lbp_run_result result;
    run.sampler = samplers[k];
    run.clamp = few;
    run.start = begin_flat;
    run.draws = 200;
    CHECK(flat_run(&run, NULL, FEW, &result) == LBP_OK);
    if (k < 2) CHECK(result.warnings & LBP_WARN_ALL_SITES);
    if (k == 0) CHECK(result.parameter > 9 && result.parameter <= 9.5);
    if (k == 2) CHECK_NEAR(result.parameter, 0.4, 0.1); /* four jumps at a rate of ten */
    lbp_run_free(&result);
  }
  for (i = 0; i < FEW; i++) few[i] = i != 3 && i != 50; /* R is 1 or 2, at random: nothing to warn of */
  for (k = 0; k < 10; k++) {
    lbp_run run = options();
    lbp_run_result result;
    run.sampler = LBP_SAMPLER_LBP;
    run.seed = k;
    run.clamp = few;
    run.start = begin_flat;
    run.draws = 200;
    CHECK(flat_run(&run, NULL, FEW, &result) == LBP_OK && !(result.warnings & LBP_WARN_ALL_SITES));
    CHECK_NEAR(result.parameter, 1.5, 0.1);
    lbp_run_free(&result);
  }
}

/* Chains without a driver. */
static void check_chains(const toy *t) {
  const lbp_kernel kernel = walk_kernel(), bare = open_kernel();
  double setting[LBP_SETTINGS];
  lbp_chains chains;
  lbp_plan plan;
  CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_LBP, N, 0) == LBP_OK && plan.clamped == 0);
  CHECK(lbp_plan_clamp(&plan, mask) == LBP_OK && plan.clamped == 3);
  plan.setting[0] = 1;
  CHECK(lbp_chains_init(&chains, &kernel, t, &plan, 0, 1, 0) == LBP_OK && lbp_chains_make(&chains, 0, 1) == LBP_OK);
  {
    uint8_t *x = (uint8_t *)lbp_chains_unit(&chains, 0)->x, before[N];
    uint32_t i, moved = 0, held = 0;
    memcpy(before, x, N);
    for (i = 0; i < 200; i++) {
      uint32_t k;
      lbp_chains_steps(&chains, 1, 0, 0);
      for (k = 0; k < N; k++) moved += x[k] != before[k], held += mask[k] && x[k] != before[k];
    }
    CHECK(moved > 50 && held == 0);
  }
  lbp_chains_free(&chains);
  plan.setting[0] = 0;
  plan.first = N; /* tuning begins with no more than may move */
  CHECK(lbp_chains_init(&chains, &kernel, t, &plan, 0, 1, 0) == LBP_OK);
  kernel.tuner_setting(lbp_chains_tuner(&chains, 0), setting);
  CHECK(setting[0] >= N - 3 && setting[0] <= N - 3);
  lbp_chains_free(&chains);
  CHECK(lbp_chains_init(&chains, &bare, t, &plan, 0, 1, 0) == LBP_OK && lbp_chains_make(&chains, 0, 1) == LBP_E_RANGE);
  lbp_chains_free(&chains);
}

int main(void) {
  const toy t = toy_make(N, 0.75, 0, 11), hard = toy_make(N, 0.75, 1, 13);
  lbp_run run = options();
  if (!make_folder()) return 1;
  check_samplers(walk_run, walk_kernel(), &t, LBP_MARGINALS_CONDITIONAL);
  check_samplers(dense_run, dense_kernel(), &t, LBP_MARGINALS_CONDITIONAL);
  check_samplers(many_run, many_kernel(), &t, LBP_MARGINALS_CONDITIONAL);
  check_samplers(lattice_run, lattice_kernel(), &t, LBP_MARGINALS_CONDITIONAL);
  run.batch = 3;
  check_run(many_run, run, &t, "LBP together");
  check_log_z(walk_run, walk_ais, &t, LBP_SAMPLER_LBP, 0);
  check_log_z(walk_run, walk_ais, &hard, LBP_SAMPLER_GIBBS, 1);
  check_log_z(dense_run, dense_ais, &t, LBP_SAMPLER_GWG, 0);
  check_log_z(lattice_run, lattice_ais, &t, LBP_SAMPLER_DLP, 0);
  check_resumed(walk_run, &t, LBP_SAMPLER_LBP);
  check_resumed(dense_run, &t, LBP_SAMPLER_GIBBS);
  check_resumed(lattice_run, &t, LBP_SAMPLER_DLP);
  check_refused(&t);
  check_warnings();
  check_chains(&t);
  rmdir(folder);
  return test_report();
}
