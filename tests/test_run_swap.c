/* Groups that keep their number of ones in runs: every sampler's law, by marginals against enumeration; log Z by
 * annealing and by tempering; a run that goes on from its checkpoint as if it had not ended, R and shift still being
 * tuned; starts that are no states.
 *
 * Means of 6 standard errors, about 60 of them: a false alarm of the suite has probability 1e-7. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdio.h>
#include <unistd.h>

#include "../lbp_stats.h"
#include "../lbp/run/ais.h"

#include "test.h"
#include "run_files.h"

enum { SITES = 12, WARMUP = 40 };

typedef struct {
  double field[SITES], coupling;
} band;

static double band_delta(const band *b, const uint8_t *x, uint32_t i) {
  const double h = b->field[i] + b->coupling * (double)(x[(i + 1) % SITES] + x[(i + SITES - 1) % SITES]);
  return x[i] ? -h : h;
}

static void band_deltas(const band *b, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < SITES; i++) out[i] = 0.8 * band_delta(b, x, i);
}

static void band_deltas_many(const band *b, const uint8_t *const *x, double *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) band_deltas(b, x[k], out[k]);
}

static uint32_t band_neighbours(const band *b, uint32_t i, uint32_t *out) {
  (void)b;
  out[0] = (i + 1) % SITES;
  out[1] = (i + SITES - 1) % SITES;
  return 2;
}

static double band_logp(const band *b, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < SITES; i++) sum += x[i] * (b->field[i] + b->coupling * x[(i + 1) % SITES]);
  return sum;
}

static uint32_t band_group(const band *b, uint32_t i) { return (void)b, i % 5 == 4 ? LBP_NO_GROUP : i % 2; }

static uint32_t band_ones(const band *b, uint32_t g) { return (void)b, g == 0 ? 2 : 3; }

#define LBP_NAME           local
#define LBP_MODEL_T        band
#define LBP_DELTA          band_delta
#define LBP_NEIGHBOURS     band_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           band_logp
#define LBP_GROUP          band_group
#define LBP_GROUP_ONES     band_ones
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           dense
#define LBP_MODEL_T        band
#define LBP_DELTAS         band_deltas
#define LBP_DELTAS_MANY    band_deltas_many
#define LBP_LOGP           band_logp
#define LBP_GROUP          band_group
#define LBP_TEMPERED
#include "../lbp_run.h"

static double inclusion[SITES], log_z;

static int is_state(const band *b, const uint8_t *x) {
  uint32_t ones[2] = {0, 0}, i;
  for (i = 0; i < SITES; i++) {
    if (band_group(b, i) != LBP_NO_GROUP) ones[band_group(b, i)] += x[i];
  }
  return ones[0] == band_ones(b, 0) && ones[1] == band_ones(b, 1);
}

static void enumerate(const band *b) {
  double total = 0;
  uint32_t code, i;
  uint8_t x[SITES];
  for (code = 0; code < 1u << SITES; code++) {
    double p;
    for (i = 0; i < SITES; i++) x[i] = (uint8_t)(code >> i & 1);
    if (!is_state(b, x)) continue;
    p = exp(band_logp(b, x));
    total += p;
    for (i = 0; i < SITES; i++) inclusion[i] += x[i] * p;
  }
  for (i = 0; i < SITES; i++) inclusion[i] /= total;
  log_z = log(total);
}

static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  static const uint8_t start[SITES] = {1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0};
  (void)chain;
  memcpy(x, start, n);
  if (data) x[0] ^= 1u;
}

static lbp_run defaults(int sampler, int with_start) {
  lbp_run run;
  lbp_run_init(&run);
  run.sampler = sampler;
  run.warmup = 400;
  run.draws = 3000;
  if (with_start) run.start = begin;
  return run;
}

typedef int run_function(const lbp_run *run, const band *b, uint32_t n, lbp_run_result *result);

static void check_law(run_function *run_it, const band *b, lbp_run run) {
  lbp_run_column column[SITES];
  lbp_run_result result;
  char name[SITES][4];
  uint32_t i;
  run.column = column;
  run.columns = SITES;
  for (i = 0; i < SITES; i++) {
    snprintf(name[i], sizeof name[i], "x%u", (unsigned)(i % 100));
    column[i].name = name[i];
    column[i].value = lbp_run_site;
    column[i].data = NULL;
    column[i].site = i;
  }
  CHECK(run_it(&run, b, SITES, &result) == LBP_OK);
  if (result.status != LBP_OK) printf("%s\n", result.message);
  for (i = 0; i < SITES && result.status == LBP_OK; i++) {
    CHECK_NEAR(result.row[i + 1].mean, inclusion[i], 6 * result.row[i + 1].mcse + 1e-12);
  }
  if (run.sampler == LBP_SAMPLER_SWAP_PATH) CHECK(result.parameter == 2);
  if (run.tempering.rungs > 1) CHECK_NEAR(result.log_z, log_z, 6 * result.log_z_se + 0.05);
  lbp_run_free(&result);
}

static void check_log_z(int sampler, const band *b) {
  lbp_run run = defaults(sampler, 0);
  lbp_ais_result result;
  run.chains = 200;
  run.tempering.rungs = 30;
  CHECK(local_ais(&run, b, SITES, &result) == LBP_OK);
  CHECK_NEAR(result.log_z, log_z, 6 * result.log_z_se);
  CHECK(result.log_z_se < 0.1);
  lbp_ais_free(&result);
}

static void check_cut(const lbp_kernel kernel, const band *b, lbp_run run) {
  run.chains = 3;
  run.warmup = WARMUP;
  run.draws = 20;
  run.thin = 2;
  run.check_trials = 0;
  CHECK(check_ways(run, &kernel, b, SITES) > WARMUP / 2);
}

/* The first tuner's R in a metric.json; steps would cut one that is too large, and nobody could tell. */
static double tuned_R(const char *path) {
  long size;
  char *text = content(path, &size), *at = text && size > 0 ? strstr(text, "\"stepsize\": ") : NULL;
  const double R = at ? atof(at + strlen("\"stepsize\": ")) : -1;
  free(text);
  return R;
}

/* R as it is used: at most 4 swaps at once; paths, 6 one after another. Tuners stay half of one below,
 * where all is accepted. */
static void check_R(const band *b) {
  band flat;
  int k;
  memset(&flat, 0, sizeof flat);
  for (k = 0; k < 6; k++) {
    lbp_run run = defaults(k % 3 == 2 ? LBP_SAMPLER_SWAP_PATH : LBP_SAMPLER_SWAP, 1);
    lbp_run_result result;
    run.parameter = k % 3 == 0 ? SITES : k % 3 == 1 ? 4.5 : 9;
    run.draws = 100;
    run.tempering.rungs = k < 3 ? 1 : 2;
    CHECK(local_run(&run, b, SITES, &result) == LBP_OK);
    CHECK(result.parameter == (k % 3 == 2 ? 6 : 4));
    lbp_run_free(&result);
  }
  for (k = 0; k < 4; k++) {
    lbp_run run = defaults(LBP_SAMPLER_SWAP, 1);
    lbp_run_result result;
    run.shared_tuner = k == 1;
    run.tempering.rungs = k == 2 ? 2 : 1;
    run.batch = k == 3 ? 4 : 0;
    run.prefix = in_folder("flat");
    CHECK((k == 3 ? dense_run : local_run)(&run, &flat, SITES, &result) == LBP_OK);
    CHECK(result.parameter > 3 && result.parameter < 3.6);
    CHECK(tuned_R(in_folder("flat_metric.json")) > 3 && tuned_R(in_folder("flat_metric.json")) < 3.6);
    remove_all(in_folder("flat"), run.chains);
    lbp_run_free(&result);
  }
}

static void check_starts(const band *b) {
  lbp_run run = defaults(LBP_SAMPLER_SWAP, 0);
  lbp_run_result result;
  const int data = 1;
  CHECK(dense_run(&run, b, SITES, &result) == LBP_E_RANGE); /* nobody says how many ones */
  lbp_run_free(&result);
  run.start = begin;
  run.start_data = &data;
  run.check_trials = 0;
  CHECK(local_run(&run, b, SITES, &result) == LBP_E_ONES);
  lbp_run_free(&result);
  run = defaults(LBP_SAMPLER_LBP, 0);
  CHECK(local_run(&run, b, SITES, &result) == LBP_E_RANGE && strstr(result.message, "LBP_SAMPLER_SWAP"));
  lbp_run_free(&result);
  run = defaults(LBP_SAMPLER_SWAP_PATH, 1);
  CHECK(dense_run(&run, b, SITES, &result) == LBP_E_RANGE && strstr(result.message, "local"));
  lbp_run_free(&result);
}

int main(void) {
  static const int samplers[] = {LBP_SAMPLER_SWAP, LBP_SAMPLER_SWAP_PATH, LBP_SAMPLER_KAWASAKI,
                                 LBP_SAMPLER_SWAP_SWEEP};
  band b;
  uint32_t i, k;
  lbp_run run;
  for (i = 0; i < SITES; i++) b.field[i] = 0.4 * (double)(i % 7) - 1;
  b.coupling = 0.7;
  enumerate(&b);
  if (!make_folder()) return 1;
  for (k = 0; k < 4; k++) {
    check_law(local_run, &b, defaults(samplers[k], 0));
    check_cut(local_kernel(), &b, defaults(samplers[k], 0));
    if (samplers[k] != LBP_SAMPLER_SWAP_PATH) check_law(dense_run, &b, defaults(samplers[k], 1));
    check_log_z(samplers[k], &b);
  }
  run = defaults(LBP_SAMPLER_SWAP, 1);
  run.tempering.rungs = 4;
  check_law(local_run, &b, run);
  check_cut(local_kernel(), &b, run);
  run.tempering.rungs = 1;
  run.shared_tuner = 1;
  check_cut(local_kernel(), &b, run);
  run.batch = 4;
  check_law(dense_run, &b, run);
  check_cut(dense_kernel(), &b, run);
  check_R(&b);
  check_starts(&b);
  rmdir(folder);
  return test_report();
}
