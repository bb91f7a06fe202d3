/* lbp_run.h: draws follow the law; they are the same with any number of threads, and after interruptions; checkpoints and
 * options that are no good are refused with a sentence; log Z by tempering and by annealing. Statistical checks allow six
 * standard errors: a false alarm in 10^-7 runs. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define LBP_RUN_KEPT (1u << 17)
#include "../lbp_run.h"

#include <locale.h>
#if LBP_P_WINDOWS
#define DECIMAL_COMMAS "German"
#define TWO_BYTES      "Pashto"
static int truncate(const char *path, long size) {
  const int file = lbp_file_open(path, LBP_FILE_WRITE), status = file < 0 ? -1 : lbp_file_cut(file, (uint64_t)size);
  if (file >= 0) lbp_file_close(file);
  return status;
}
#else
#include <sys/resource.h>
#define DECIMAL_COMMAS "de_DE.UTF-8"
#define TWO_BYTES      "ps_AF.UTF-8" /* its decimal point is U+066B */
#endif
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
#define LBP_BASE(m, i)  (0.5f * (float)(m)->field[i] + 0.25f) /* independent sites, not far from the truth */
#include "../lbp_run.h"

#define LBP_NAME           fixed
#define LBP_MODEL_T        toy
#define LBP_N              8
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#include "../lbp_run.h"

static double wrong_delta(const toy *t, const uint8_t *x, uint32_t i) { return toy_delta(t, x, i) + (i == 3 ? 0.25 : 0); }

#define LBP_NAME           wrong
#define LBP_MODEL_T        toy
#define LBP_DELTA          wrong_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#include "../lbp_run.h"

/* Three ones, no more and no fewer. */
static double three_logp(const toy *t, const uint8_t *x) {
  uint32_t i, ones = 0;
  for (i = 0; i < t->n; i++) ones += x[i];
  return ones == 3 ? toy_logp(t, x) : -HUGE_VAL;
}

#define LBP_NAME    three
#define LBP_MODEL_T toy
#define LBP_DELTAS  toy_deltas
#define LBP_LOGP    three_logp
#include "../lbp_run.h"

#ifdef API_QUICK /* for tools that make programs slow: a little of everything */
enum { QUICK = 1, DRAWS = 1000, PLACES = 7, GROWTH = 3, CASES = 2 };
#else
enum { QUICK = 0, DRAWS = 3000, PLACES = 37, GROWTH = 1, CASES = 6 };
#endif
enum { N = 8, SITES = 10 };

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static const char *const site_name[SITES] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10"};

static void site_columns(lbp_run_column *column, uint32_t count) {
  uint32_t i;
  memset(column, 0, count * sizeof *column);
  for (i = 0; i < count; i++) {
    column[i].name = site_name[i];
    column[i].value = lbp_run_site;
    column[i].site = i;
  }
}

/* A column that asks the run to stop after a number of calls. */
static volatile sig_atomic_t asked;
static volatile long calls, calls_left;
static double stopper(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  (void)column, (void)n;
#if defined _OPENMP
#pragma omp atomic
#endif
  calls++;
  if (calls_left >= 0 && calls >= calls_left) asked = 1;
  return x[0];
}

static double constant(const lbp_run_column *column, const uint8_t *x, uint32_t n) { return (void)column, (void)x, n; }
static double no_number(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)column, (void)n, x[0] ? 1 : HUGE_VAL;
}

/* ---- the law ----------------------------------------------------------------------------------------------------- */

typedef int (*runner)(const lbp_run *, const toy *, uint32_t, lbp_run_result *);

static void check_law(runner go, const char *what, const lbp_run *given, const toy *t) {
  lbp_run run = *given;
  lbp_run_column column[SITES];
  lbp_run_result result;
  double law[1 << TOY_MAX], mean[SITES + 1];
  uint32_t x, i;
  int status;
  toy_law(t, law);
  memset(mean, 0, sizeof mean);
  for (x = 0; x < 1u << t->n; x++) {
    uint8_t state[TOY_MAX];
    for (i = 0; i < t->n; i++) state[i] = x >> i & 1;
    if (law[x] > 0) mean[0] += law[x] * toy_logp(t, state);
    for (i = 0; i < t->n; i++) mean[i + 1] += law[x] * state[i];
  }
  site_columns(column, t->n);
  run.column = column;
  run.columns = t->n;
  run.marginals = 1;
  status = go(&run, t, t->n, &result);
  CHECK(status == LBP_OK && result.status == LBP_OK && result.message[0] == 0 && result.rows == t->n + 1);
  CHECK(result.ended == LBP_END_COMPLETE && result.draws == run.draws && !result.resumed);
  if (status != LBP_OK) printf("%s: %s\n", what, result.message);
  for (i = 0; status == LBP_OK && i <= t->n; i++) {
    const lbp_run_row *row = &result.row[i];
    CHECK(row->mean_status == LBP_OK && row->mcse_status == LBP_OK && row->rhat_status == LBP_OK);
    CHECK(row->rhat < 1.05 && row->ess_bulk > DRAWS / 6);
    CHECK_NEAR(row->mean, mean[i], 6 * row->mcse);
    if (fabs(row->mean - mean[i]) > 6 * row->mcse) printf("%s: %s\n", what, row->name);
    if (i > 0) CHECK_NEAR(result.marginal[i - 1], row->mean, 1e-12);
  }
  CHECK(status != LBP_OK || (result.accept > 0 && result.jump > 0 && result.evaluations > 0));
  lbp_run_free(&result);
}

static void test_law(void) {
  const toy t = toy_make(N, 0.75, 0, 5), hard = toy_make(N, 0.75, 1, 6);
  const lbp_kernel kernel = walk_kernel();
  const lbp_kernel dense = deep_kernel();
  lbp_run run;
  uint32_t row;
  for (row = 0; row < kernel.samplers; row++) {
    const int sampler = kernel.sampler[row].sampler, all = !QUICK || row % 4 == 0;
    const int takes_one = (kernel.sampler[row].traits & LBP_TRAIT_GIVEN) != 0;
    lbp_run_init(&run);
    run.sampler = sampler;
    run.draws = DRAWS;
    run.thin = sampler == LBP_SAMPLER_RWM ? 16 : 4;
    run.seed = 100 + (uint64_t)sampler;
    if (sampler != LBP_SAMPLER_RWM) { /* its R goes to n on so few sites, which turns everything over */
      check_law(walk_run, "tuned", &run, &t);
      if (all && lbp_kernel_sampler(&dense, sampler)) check_law(deep_run, "tuned, dense", &run, &t);
      if (all) check_law(fixed_run, "tuned, n fixed", &run, &t);
      run.shared_tuner = 1;
      if (all) check_law(walk_run, "one tuner", &run, &t);
      run.shared_tuner = 0;
    }
    run.thin *= 2;
    run.parameter = !takes_one ? 0 : sampler == LBP_SAMPLER_CLOCK ? 0.4 : 1;
    if (all) check_law(walk_run, "R = 1", &run, &hard);
    run.parameter = !takes_one ? 0 : sampler == LBP_SAMPLER_CLOCK ? 1.5 : 2.5;
    check_law(walk_run, "R = 2.5", &run, &t);
  }
  lbp_run_init(&run);
  run.draws = DRAWS;
  run.thin = 8;
  run.tempering.rungs = 4;
  check_law(walk_run, "tempering", &run, &t);
  run.tempering.swap_every = 2;
  run.sampler = LBP_SAMPLER_GIBBS;
  check_law(deep_run, "tempering, dense", &run, &t);
}

/* ---- the same draws ---------------------------------------------------------------------------------------------- */

/* A small run that goes through all kinds of boundaries. */
static lbp_run small_run(uint32_t rungs, int shared, int states) {
  lbp_run run;
  lbp_run_init(&run);
  run.seed = 77;
  run.chains = 3;
  run.warmup = QUICK ? 900 : 2500;
  run.draws = 1100;
  run.thin = 6;
  run.tempering.rungs = rungs;
  run.tempering.swap_every = rungs > 1 ? 3 : 0;
  run.shared_tuner = shared;
  run.save_states = states;
  run.checkpoint_seconds = 0;
  return run;
}

static int same_rows(const lbp_run_result *a, const lbp_run_result *b, uint32_t n) {
  uint32_t v;
  if (!a->row || !b->row || a->rows != b->rows || !a->marginal != !b->marginal) return 0;
  if (a->marginal && memcmp(a->marginal, b->marginal, n * sizeof *a->marginal) != 0) return 0;
  for (v = 0; v < a->rows; v++) {
    const lbp_run_row *left = &a->row[v], *right = &b->row[v];
    if (memcmp(&left->mean, &right->mean, sizeof left->mean) || memcmp(&left->rhat, &right->rhat, sizeof left->rhat)) {
      return 0;
    }
    if (memcmp(&left->mcse, &right->mcse, sizeof left->mcse) ||
        memcmp(&left->ess_bulk, &right->ess_bulk, sizeof left->ess_bulk)) {
      return 0;
    }
  }
  return a->draws == b->draws && a->accept == b->accept && a->parameter == b->parameter && a->log_z == b->log_z &&
         a->log_z_se == b->log_z_se && memcmp(a->best_logp, b->best_logp, a->chains * sizeof *a->best_logp) == 0 &&
         memcmp(a->best, b->best, (size_t)a->chains * n) == 0;
}

static void test_threads(void) {
#if defined _OPENMP
  const toy t = toy_make(N, 0.75, 0, 5);
  uint32_t kind;
  for (kind = 0; kind < 3; kind++) {
    lbp_run run = small_run(kind == 2 ? 3 : 1, kind == 1, kind == 1 ? LBP_STATES_NPY : LBP_STATES_CSV);
    lbp_run_result one, many;
    const int before = omp_get_max_threads();
    int threads;
    omp_set_num_threads(1);
    run.prefix = in_folder("one");
    CHECK(walk_run(&run, &t, N, &one) == LBP_OK);
    for (threads = 2; threads <= 3; threads++) {
      omp_set_num_threads(threads);
      run.prefix = in_folder("many");
      CHECK(walk_run(&run, &t, N, &many) == LBP_OK);
      CHECK(same_draws(in_folder("one"), in_folder("many"), 3, kind == 1) && same_rows(&one, &many, N));
      lbp_run_free(&many);
    }
    lbp_run_free(&one);
    omp_set_num_threads(before);
  }
  remove_all(in_folder("one"), 3);
  remove_all(in_folder("many"), 3);
#endif
}

/* Whether the head of a CSV file says that it has so many draws, and it has. */
static int says_draws(const char *prefix, uint64_t draws) {
  char path[300], head[60], *text, *at;
  uint64_t rows = 0;
  long size;
  int good;
  snprintf(path, sizeof path, "%s_1.csv", prefix);
  snprintf(head, sizeof head, "num_samples = %lu ", (unsigned long)draws);
  text = content(path, &size);
  for (at = text; at && *at; at = strchr(at, '\n') + 1) rows += *at != '#' && *at != 'l';
  good = text && strstr(text, head) && rows == draws;
  free(text);
  return good;
}

/* Keeps the checkpoint that is there at the first draws, as a kill would leave it. */
static char *early;
static long early_size;
static void keep_early(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  (void)values, (void)x;
  if (chain == 0 && draw == 0) early = content((const char *)data, &early_size);
}

/* A run that is killed soon after its warm-up continues, though its first checkpoint by the clock is hours away. */
static void test_killed_early(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  char path[256];
  lbp_run run = small_run(1, 0, LBP_STATES_CSV);
  lbp_run_result whole, part;
  snprintf(path, sizeof path, "%s", in_folder("early.ckpt"));
  run.checkpoint_seconds = 1e9;
  run.prefix = in_folder("whole");
  run.checkpoint = path;
  run.on_draw = keep_early, run.on_draw_data = path;
  CHECK(walk_run(&run, &t, N, &whole) == LBP_OK && early);
  if (early) write_file(path, early, early_size);
  run.on_draw = NULL;
  run.prefix = in_folder("whole");
  CHECK(walk_run(&run, &t, N, &part) == LBP_OK && part.resumed && same_rows(&whole, &part, N));
  CHECK(says_draws(run.prefix, part.draws));
  lbp_run_free(&whole), lbp_run_free(&part);
  free(early);
  remove(path);
  remove_all(in_folder("whole"), 3);
}

/* Stopped again and again, the run ends with the same draws, statistics and best states. */
static void test_interrupted(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  uint32_t kind;
  for (kind = 0; kind < 4; kind++) {
    lbp_run run = small_run(kind == 2 ? 3 : 1, kind == 1, kind == 1 ? LBP_STATES_NPY : LBP_STATES_CSV);
    lbp_run_result whole, part;
    lbp_run_column column[2];
    const runner go = kind == 3 ? fixed_run : walk_run;
    int stops = 0, status;
    memset(column, 0, sizeof column);
    column[0].name = "stopper";
    column[0].value = stopper;
    column[1].name = "ones";
    column[1].value = lbp_run_ones;
    run.column = column;
    run.columns = 2;
    run.stop = &asked;
    calls = asked = 0;
    calls_left = -1;
    run.marginals = kind % 2;
    run.prefix = in_folder("whole");
    CHECK(go(&run, &t, N, &whole) == LBP_OK && whole.ended == LBP_END_COMPLETE);
    run.prefix = in_folder("part");
    run.checkpoint = in_folder("part.ckpt");
    remove(run.checkpoint);
    asked = 1; /* at once, in the warm-up */
    for (;;) {
      status = go(&run, &t, N, &part);
      CHECK(status == LBP_OK && part.resumed == (stops > 0));
      if (status != LBP_OK || part.ended != LBP_END_STOPPED || stops > 100) break;
      stops++;
      if (part.draws > 0) CHECK(says_draws(run.prefix, part.draws));
      lbp_run_free(&part);
      calls = 0;
      calls_left = 37 + 211 * (long)(stops % 4); /* some before the next checkpoint, some behind */
      asked = stops == 1 || stops == 2; /* still in the warm-up */
    }
    CHECK(stops > 5 && part.ended == LBP_END_COMPLETE);
    CHECK(same_draws(in_folder("whole"), in_folder("part"), 3, kind == 1) && same_rows(&whole, &part, N));
    if (kind == 2) CHECK(part.log_z_status == LBP_OK);
    lbp_run_free(&part);

    /* a run that is complete has nothing to do, but to say the same again; one with more draws goes on */
    CHECK(go(&run, &t, N, &part) == LBP_OK && part.resumed && same_rows(&whole, &part, N));
    CHECK(same_draws(in_folder("whole"), in_folder("part"), 3, kind == 1));
    lbp_run_free(&part);
    run.draws = 0; /* fewer than there are: the same again */
    CHECK(go(&run, &t, N, &part) == LBP_OK && part.resumed && same_rows(&whole, &part, N));
    lbp_run_free(&part);
    run.draws = whole.draws + 500;
    asked = 0;
    calls_left = -1;
    CHECK(go(&run, &t, N, &part) == LBP_OK && part.resumed && part.draws == run.draws);
    lbp_run_free(&part);
    lbp_run_free(&whole);
    remove(run.checkpoint);
  }
  remove_all(in_folder("whole"), 3);
  remove_all(in_folder("part"), 3);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

/* The run says no, in a sentence, and leaves all files as they are. */
static void check_refused(const lbp_run *run, const toy *t, int want, const char *word) {
  lbp_run_result result;
  long size, after_size, draws_size, draws_after_size;
  char path[300], *before = content(run->checkpoint, &size), *after, *draws, *draws_after;
  snprintf(path, sizeof path, "%s_1.csv", run->prefix);
  draws = content(path, &draws_size);
  CHECK(walk_run(run, t, N, &result) == want && result.status == want && strlen(result.message) > 20 && !result.row);
  CHECK(strstr(result.message, word) != NULL);
  if (!strstr(result.message, word)) printf("%s, not: %s\n", result.message, word);
  after = content(run->checkpoint, &after_size);
  draws_after = content(path, &draws_after_size);
  CHECK(before && after && size == after_size && memcmp(before, after, (size_t)size) == 0);
  CHECK(draws && draws_after && draws_size == draws_after_size && memcmp(draws, draws_after, (size_t)draws_size) == 0);
  lbp_run_free(&result);
  free(before);
  free(after);
  free(draws);
  free(draws_after);
}

static void test_bad_checkpoints(void) {
  static const double half[1] = {0.5};
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run run = small_run(1, 0, LBP_STATES_CSV), other;
  lbp_run_result result;
  lbp_run_column column[1];
  char *good, *bad, path[300];
  long size, at, csv_size;
  int k;
  memset(column, 0, sizeof column);
  column[0].name = "ones";
  column[0].value = lbp_run_ones;
  run.prefix = in_folder("bad");
  run.checkpoint = in_folder("bad.ckpt");
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK);
  lbp_run_free(&result);
  good = content(run.checkpoint, &size);
  CHECK(good && size > 10000);
  bad = (char *)malloc((size_t)size + 16);
  for (at = 0; at < size; at = at < 200 ? at + 13 : at * 2) { /* truncated */
    write_file(run.checkpoint, good, at);
    check_refused(&run, &t, LBP_E_FORMAT, at < 8 ? "not a checkpoint" : "truncated");
  }
  memcpy(bad, good, (size_t)size); /* longer */
  memset(bad + size, 0, 16);
  write_file(run.checkpoint, bad, size + 16);
  check_refused(&run, &t, LBP_E_FORMAT, "damaged");
  for (at = 24; at < size; at += size / PLACES) { /* a bit flipped */
    memcpy(bad, good, (size_t)size);
    bad[at] = (char)(bad[at] ^ 4);
    write_file(run.checkpoint, bad, size);
    check_refused(&run, &t, LBP_E_FORMAT, "damaged");
  }
  for (at = 8; at < 24; at += 8) { /* a newer layout, a newer version, an older one */
    memcpy(bad, good, (size_t)size);
    bad[at + 2] = 1;
    write_file(run.checkpoint, bad, size);
    check_refused(&run, &t, LBP_E_FORMAT, "newer");
  }
  memcpy(bad, good, (size_t)size);
  bad[17] = 0;
  write_file(run.checkpoint, bad, size);
  check_refused(&run, &t, LBP_E_FORMAT, "whose draws differ");
  write_file(run.checkpoint, "lp__,accept_stat__\n1,2\n", 23);
  check_refused(&run, &t, LBP_E_FORMAT, "not a checkpoint");

  for (at = 0; at < 2; at++) { /* rightly signed, but wrong: the size of its parts; steps of warm-up */
    uint64_t hash;
    memcpy(bad, good, (size_t)size);
    bad[LBP_P_HEAD - 8 + 8 * at + 2] ^= 1;
    hash = lbp_runner_hash(LBP_P_HASH, bad, (size_t)size - 8);
    for (k = 0; k < 8; k++) bad[size - 8 + k] = (char)(hash >> 8 * k);
    write_file(run.checkpoint, bad, size);
    check_refused(&run, &t, LBP_E_FORMAT, "damaged");
  }
  write_file(run.checkpoint, good, size); /* of another run */
  other = run, other.seed = 78;
  check_refused(&other, &t, LBP_E_FORMAT, "seed");
  other = run, other.chains = 4;
  check_refused(&other, &t, LBP_E_FORMAT, "chains");
  other = run, other.warmup++;
  check_refused(&other, &t, LBP_E_FORMAT, "warmup");
  other = run, other.thin = 7;
  check_refused(&other, &t, LBP_E_FORMAT, "thin");
  other = run, other.sampler = LBP_SAMPLER_GWG;
  check_refused(&other, &t, LBP_E_FORMAT, "sampler");
  other = run, other.parameter = 3;
  check_refused(&other, &t, LBP_E_FORMAT, "parameter differs");
  other = run, other.target = 0.3;
  check_refused(&other, &t, LBP_E_FORMAT, "target");
  other = run, other.shared_tuner = 1;
  check_refused(&other, &t, LBP_E_FORMAT, "shared_tuner");
  other = run, other.tempering.rungs = 2;
  check_refused(&other, &t, LBP_E_FORMAT, "tempering.rungs differs");
  other = run, other.column = column, other.columns = 1;
  check_refused(&other, &t, LBP_E_FORMAT, "columns");
  other = run, other.tempering.ladder = half;
  check_refused(&other, &t, LBP_E_FORMAT, "tempering.ladder differs");
  other = run, other.tempering.adapt = 0;
  check_refused(&other, &t, LBP_E_FORMAT, "tempering.adapt differs");
  other = run, other.tempering.swap_every = 2;
  check_refused(&other, &t, LBP_E_FORMAT, "tempering.swap_every differs");
  other = run, other.save_states = LBP_STATES_NPY;
  check_refused(&other, &t, LBP_E_FORMAT, "save_states");
  other = run, other.marginals = !run.marginals;
  check_refused(&other, &t, LBP_E_FORMAT, "marginals");
  other = run, other.digits = 9;
  check_refused(&other, &t, LBP_E_FORMAT, "digits");
  other = run, other.name = "another";
  check_refused(&other, &t, LBP_E_FORMAT, "name");

  snprintf(path, sizeof path, "%s_2.csv", run.prefix); /* draws that are not there any more */
  free(content(path, &csv_size));
  CHECK(truncate(path, csv_size / 2) == 0);
  check_refused(&run, &t, LBP_E_FORMAT, "shorter");
  remove(path);
  check_refused(&run, &t, LBP_E_FILE, "cannot find");
  free(good);
  free(bad);
  remove(run.checkpoint);
  remove_all(run.prefix, 4);
}

#if !LBP_P_WINDOWS /* which has no such limits */
/* A disk that is full, as far as this process can see; afterwards the run goes on as if nothing had been. */
static void test_full_disk(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run run = small_run(1, 0, LBP_STATES_CSV);
  struct rlimit limit, old;
  lbp_run_result whole, part;
  long room;
  int failures = 0;
  run.prefix = in_folder("whole");
  CHECK(walk_run(&run, &t, N, &whole) == LBP_OK);
  run.prefix = in_folder("part");
  run.checkpoint = in_folder("part.ckpt");
  signal(SIGXFSZ, SIG_IGN);
  CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
  limit = old;
  for (room = 300; failures < 1000; room = room * (4 + GROWTH) / 4) {
    int status;
    limit.rlim_cur = (rlim_t)room;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) break;
    status = walk_run(&run, &t, N, &part);
    setrlimit(RLIMIT_FSIZE, &old);
    if (status == LBP_OK) break;
    failures++;
    CHECK(status == LBP_E_FILE && strstr(part.message, "cannot write") && !part.row);
    lbp_run_free(&part);
  }
  CHECK(failures > 2 && part.status == LBP_OK);
  CHECK(same_draws(in_folder("whole"), in_folder("part"), 3, 0) && same_rows(&whole, &part, N));
  lbp_run_free(&whole);
  lbp_run_free(&part);
  run.checkpoint = NULL;
  limit.rlim_cur = 4000;
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK(walk_run(&run, &t, N, &part) == LBP_E_FILE && strstr(part.message, "cannot write"));
  CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
  lbp_run_free(&part);
  run.prefix = in_folder("no-such-folder/x");
  CHECK(walk_run(&run, &t, N, &part) == LBP_E_FILE && strstr(part.message, "no-such-folder"));
  lbp_run_free(&part);
  remove(in_folder("part.ckpt"));
  remove_all(in_folder("whole"), 3);
  remove_all(in_folder("part"), 3);
}
#endif

static void check_option(const lbp_run *run, const toy *t, const char *word) {
  lbp_run_result result;
  CHECK(walk_run(run, t, N, &result) == LBP_E_RANGE && strstr(result.message, word));
  if (!strstr(result.message, word)) printf("%s: %s\n", word, result.message);
  lbp_run_free(&result);
}

/* Checkpoints whose names are like those of the run's files, but others. */
static void check_near_names(const lbp_run *good, const toy *t) {
  static const char *const others[] = {"near", "near.ckp", "near_.csv", "near_1.csv.ckp", "near_x.csv", "near_1_states.csv", "neat.lock", "nea"};
  char prefix[300];
  uint32_t k;
  lbp_run run = *good;
  lbp_run_result result;
  snprintf(prefix, sizeof prefix, "%s", in_folder("near"));
  for (k = 0; k < sizeof others / sizeof *others; k++) {
    run.prefix = prefix;
    run.checkpoint = in_folder(others[k]);
    CHECK(walk_run(&run, t, N, &result) == LBP_OK);
    lbp_run_free(&result);
    CHECK(remove(in_folder(others[k])) == 0);
  }
  remove_all(in_folder("near"), 4);
}

static void test_options(void) {
  static const double rising[3] = {1, 1, 0}, negative[3] = {1, 0.5, -0.1}, infinite[3] = {HUGE_VAL, 1, 0};
  const toy t = toy_make(N, 0.75, 0, 5);
  const lbp_run_column unnamed = {NULL, lbp_run_ones, NULL, 0}, comma = {"a,b", lbp_run_ones, NULL, 0},
                       empty = {"", lbp_run_ones, NULL, 0}, hollow = {"a", NULL, NULL, 0},
                       stan = {"lp__", lbp_run_ones, NULL, 0}, site = {"x.10", lbp_run_site, NULL, 0},
                       beyond = {"far", lbp_run_site, NULL, N}, no_state = {"apart", lbp_run_distance, NULL, 0},
                       twice[2] = {{"a", lbp_run_ones, NULL, 0}, {"a", lbp_run_site, NULL, 0}};
  static const char *const taken[] = {"x/a.lock", "x/a_config.json", "x/a_metric.json", "x/a_best.csv", "x/a_best.npy",
                                      "x/a_1.csv", "x/a_12_states.npy"};
  static char long_text[1200];
  uint32_t k;
  lbp_run_column lengthy = {NULL, lbp_run_ones, NULL, 0};
  lbp_run good, run;
  lbp_run_result result;
  lbp_ais_result annealed;
  memset(long_text, 'a', sizeof long_text - 1);
  lengthy.name = long_text;
  lbp_run_init(&good);
  good.draws = 10;
  good.warmup = 10;
  check_near_names(&good, &t);
#define WRONG(word, change) run = good, change, check_option(&run, &t, word)
  WRONG("sampler", run.sampler = 4);
  WRONG("sampler", run.sampler = -1);
  WRONG("parameter: Gibbs has none; leave it 0, not 3", (run.sampler = LBP_SAMPLER_GIBBS, run.parameter = 3));
  WRONG("parameter: ", (run.sampler = LBP_SAMPLER_SKIP_METROPOLIS, run.parameter = 1));
  WRONG("clock_jumps", run.clock_jumps = 4);
  WRONG("parameter: time is 0", (run.sampler = LBP_SAMPLER_CLOCK, run.parameter = -1));
  WRONG("parameter: time is 0", (run.sampler = LBP_SAMPLER_CLOCK, run.parameter = HUGE_VAL));
  WRONG("clock_jumps", (run.sampler = LBP_SAMPLER_CLOCK, run.clock_jumps = HUGE_VAL));
  WRONG("target", (run.sampler = LBP_SAMPLER_CLOCK, run.target = 0.5));
  WRONG("warmup: it is 0, but time is tuned there", (run.sampler = LBP_SAMPLER_CLOCK, run.warmup = 0));
  WRONG("clock_jumps: parameter = 2 fixes the time", (run.sampler = LBP_SAMPLER_CLOCK, run.clock_jumps = 3, run.parameter = 2));
  WRONG("target: path does not tune R", (run.sampler = LBP_SAMPLER_PATH, run.target = 0.5));
  WRONG("target: Gibbs has nothing that is tuned", (run.sampler = LBP_SAMPLER_GIBBS, run.target = 0.5));
  WRONG("target: parameter = 3 fixes R", (run.sampler = LBP_SAMPLER_LBP, run.target = 0.5, run.parameter = 3));
  WRONG("parameter: R is 0", (run.sampler = LBP_SAMPLER_PATH, run.parameter = 0.5));
  WRONG("parameter: R is 0", (run.sampler = LBP_SAMPLER_PATH, run.parameter = 2147483648.0));
  WRONG("parameter: R is 0", run.parameter = 0.5);
  WRONG("parameter: R is 0", run.parameter = N + 1);
  WRONG("parameter: R is 0", run.parameter = -HUGE_VAL);
  WRONG("checkpoint: it is empty", run.checkpoint = "");
  WRONG("prefix: it is empty", run.prefix = "");
  for (k = 0; k < sizeof taken / sizeof *taken; k++) WRONG("is a file of prefix x/a:", (run.prefix = "x/a", run.checkpoint = taken[k]));
  WRONG("target", run.target = 1);
  WRONG("target", run.target = -0.1);
  WRONG("chains", run.chains = 0);
  WRONG("chains", run.chains = 1u << 25);
  WRONG("thin", run.thin = 0);
  WRONG("tempering.rungs: ", run.tempering.rungs = 0);
  WRONG("tempering.rungs: ", run.tempering.rungs = 5000);
  WRONG("tempering.swap_every: ", (run.tempering.rungs = 2, run.thin = 10, run.tempering.swap_every = 3));
  WRONG("tempering.ladder: ", (run.tempering.rungs = 3, run.tempering.ladder = rising));
  WRONG("tempering.ladder: ", (run.tempering.rungs = 3, run.tempering.ladder = negative));
  WRONG("tempering.ladder: ", (run.tempering.rungs = 3, run.tempering.ladder = infinite));
  WRONG("columns", run.columns = 1);
  WRONG("columns", run.columns = 1001);
  WRONG("name", (run.column = &unnamed, run.columns = 1));
  WRONG("name", (run.column = &comma, run.columns = 1));
  WRONG("name", (run.column = &empty, run.columns = 1));
  WRONG("value", (run.column = &hollow, run.columns = 1));
  WRONG("column lp__", (run.column = &stan, run.columns = 1));
  WRONG("column far: there is no site", (run.column = &beyond, run.columns = 1));
  WRONG("column apart: data is NULL", (run.column = &no_state, run.columns = 1));
  WRONG("column x.10", (run.column = &site, run.columns = 1, run.save_states = LBP_STATES_CSV));
  WRONG("two columns have this name", (run.column = twice, run.columns = 2));
  WRONG("warmup", run.warmup = 0);
  WRONG("marginals", (run.marginals = 1, run.draws = UINT64_C(1) << 32));
  WRONG("save_states", run.save_states = 3);
  WRONG("digits", run.digits = 0);
  WRONG("digits", run.digits = 18);
  WRONG("name", run.name = NULL);
  WRONG("name", run.name = long_text);
  WRONG("name", (run.column = &lengthy, run.columns = 1));
  WRONG("prefix", run.prefix = long_text);
  WRONG("checkpoint", run.checkpoint = long_text);
  WRONG("chains times tempering.rungs times tempering.replicas: ", (run.chains = 1u << 24, run.tempering.rungs = 4096));
  WRONG("seconds", run.checkpoint_seconds = -1);
  WRONG("seconds", run.ess = -1);
  WRONG("ess: it ends a run together with rhat", run.ess = 100);
  WRONG("save_states", run.save_states = -1);
  WRONG("LBP_STATES_CSV go to files of `prefix`, which is NULL", run.save_states = LBP_STATES_CSV);
  WRONG("LBP_STATES_NPY go to files of `prefix`, which is NULL", run.save_states = LBP_STATES_NPY);
  WRONG("name", run.name = "two\nlines");
  WRONG("seconds", run.seconds = -1);
  WRONG("rhat", run.rhat = -1);
  WRONG("rhat: 0 (no limit), or 1 or more", run.rhat = 0.9);
#undef WRONG
  CHECK(walk_run(&good, &t, 0, &result) == LBP_E_SIZE && strlen(result.message) > 10);
  CHECK(fixed_run(&good, &t, N - 1, &result) == LBP_E_SIZE && strstr(result.message, "not LBP_N"));
  lbp_run_free(&result);
  CHECK(walk_run(NULL, &t, N, &result) == LBP_E_NULL && walk_run(&good, &t, N, NULL) == LBP_E_NULL);
  run = good;
  run.tempering.rungs = 2;
  CHECK(fixed_run(&run, &t, N, &result) == LBP_E_RANGE && strstr(result.message, "LBP_TEMPERED"));
  lbp_run_free(&result);
  CHECK(wrong_run(&good, &t, N, &result) != LBP_OK && strstr(result.message, "the model is wrong at sites"));
  lbp_run_free(&result);
  CHECK(walk_ais(&good, &t, N, &annealed) == LBP_E_RANGE && strstr(annealed.message, "tempering.rungs: "));
  run.tempering.ladder = rising;
  CHECK(walk_ais(&run, &t, N, &annealed) == LBP_E_RANGE && strstr(annealed.message, "tempering.ladder: "));
  CHECK(walk_ais(NULL, &t, N, &annealed) == LBP_E_NULL);
  memset(&result, 0, sizeof result);
  lbp_run_free(&result);
}

/* Chains that start where they are told to. */
static void all_ones(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  memset(x, chain == *(const uint32_t *)data ? 0 : 1, n);
}

static void no_state(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 2, n);
}

static void first_ones(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  uint32_t i;
  (void)chain;
  for (i = 0; i < n; i++) x[i] = i < *(const uint32_t *)data;
}

/* Under a constraint the check begins where the chains do, or says that this is no state to begin with. */
static void test_constrained_start(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  uint32_t ones = 3;
  lbp_run_column column;
  lbp_run run;
  lbp_run_result result;
  memset(&column, 0, sizeof column);
  column.name = "ones";
  column.value = lbp_run_ones;
  lbp_run_init(&run);
  run.start = first_ones;
  run.start_data = &ones;
  run.parameter = 2;
  run.warmup = 10;
  run.draws = 100;
  run.check_trials = 5;
  run.column = &column;
  run.columns = 1;
  CHECK(three_run(&run, &t, N, &result) == LBP_OK && result.row[1].mean == 0.375 && result.accept > 0);
  lbp_run_free(&result);
  ones = 4;
  CHECK(three_run(&run, &t, N, &result) == LBP_E_IMPOSSIBLE && strstr(result.message, "start: the state is impossible"));
  lbp_run_free(&result);
  run.start = NULL; /* at random, which here does not give three ones */
  run.seed = 2;
  CHECK(three_run(&run, &t, N, &result) == LBP_E_IMPOSSIBLE && strstr(result.message, "start"));
  lbp_run_free(&result);
}

static void test_start(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  const uint32_t other = 2;
  uint8_t zeros[N];
  lbp_run_column column = {"distance", lbp_run_distance, NULL, 0};
  lbp_run run;
  lbp_run_result result;
  memset(zeros, 0, sizeof zeros);
  column.data = zeros;
  lbp_run_init(&run);
  run.start = all_ones;
  run.start_data = &other;
  run.chains = 3;
  run.warmup = 0;
  run.parameter = 1;
  run.draws = 1; /* a flip from where it started */
  run.column = &column;
  run.columns = 1;
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK);
  CHECK(result.row[1].mean * 3 > 2 * N - 2.5 && result.row[1].mean * 3 < 2 * N + 1.5);
  lbp_run_free(&result);
  run.start = no_state;
  CHECK(walk_run(&run, &t, N, &result) == LBP_E_STATE && strstr(result.message, "start"));
  lbp_run_free(&result);
}

/* Options that no other test here sets; values at the ends of their ranges. */
static void test_corners(void) {
  static const double ladder[4] = {1, 0.5, 0.1, 0};
  toy t = toy_make(N, 0.75, 0, 5);
  lbp_run run;
  lbp_run_result result;
  lbp_ais_result annealed;
  char *text;
  long size;
  int sampler;
  for (sampler = LBP_SAMPLER_LBP; sampler <= LBP_SAMPLER_GIBBS; sampler += LBP_SAMPLER_GIBBS) { /* nothing is tuned */
    lbp_run_init(&run);
    run.sampler = sampler;
    run.parameter = sampler == LBP_SAMPLER_LBP ? 2 : 0;
    run.draws = 10;
    run.chains = 1;
    run.tempering.rungs = 2;
    run.tempering.adapt = 0;
    run.prefix = in_folder("corner");
    CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.ladder[0] == 1 && result.ladder[1] == 0);
    lbp_run_free(&result);
    text = content(in_folder("corner_1.csv"), &size);
    CHECK(text && strstr(text, "engaged = false") && strstr(text, sampler == LBP_SAMPLER_LBP ? "= lbp_r" : "= gibbs"));
    free(text);
    remove_all(run.prefix, 1);
  }
  lbp_run_init(&run);
  run.tempering.rungs = 4;
  run.tempering.ladder = ladder;
  run.tempering.adapt = 0;
  run.chains = 1;
  CHECK(walk_ais(&run, &t, N, &annealed) == LBP_OK && lbp_is_nan(annealed.log_z_se) && annealed.weights == 1);
  lbp_ais_free(&annealed);
  CHECK(walk_ais(&run, &t, N, NULL) == LBP_E_NULL);
  t = toy_product(N, 0.75, 0, 5); /* sites that hardly ever change, and replicas that never swap */
  t.field[0] = 2000;
  t.field[1] = -2000;
  run.chains = 50;
  CHECK(deep_ais(&run, &t, N, &annealed) == LBP_OK && annealed.log_z > 3999 && annealed.log_z < 4100);
  lbp_ais_free(&annealed);
  run.parameter = 2;
  run.draws = 100;
  run.start = all_ones;
  run.start_data = &run.chains;
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.swaps[0] < 1);
  lbp_run_free(&result);
  t.field[0] = 1.7e308; /* log pi overflows */
  t.field[1] = -1.7e308;
  run.parameter = 0; /* by sweeps */
  run.check_trials = 0;
  CHECK(walk_ais(&run, &t, N, &annealed) != LBP_OK && strstr(annealed.message, "log Z"));
}

/* Each warning has advice of its own, of lines that fit. */
static void test_advice(void) {
  enum { WARNINGS = 10, AIS_WARNINGS = 3 };
  const char *said[WARNINGS + AIS_WARNINGS + 1];
  uint32_t k, j;
  for (k = 0; k < WARNINGS + AIS_WARNINGS + 1; k++) {
    said[k] = k < WARNINGS                ? lbp_run_advice(1u << k)
              : k < WARNINGS + AIS_WARNINGS ? lbp_ais_advice(1u << (k - WARNINGS))
                                        : lbp_run_advice(0);
    CHECK(strcspn(said[k], "\n") < 90 && (k == WARNINGS + AIS_WARNINGS || strlen(said[k]) > 40));
    for (j = 0; j < k; j++) CHECK(strcmp(said[j], said[k]) != 0);
  }
  CHECK(strcmp(said[k - 1], "no warning") == 0 && strcmp(lbp_ais_advice(0), "no warning") == 0);
}

/* What the table at the end says of a tempered run. */
static void test_table(void) {
  static const double warm[3] = {1, 0.6, 0.3};
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run run;
  lbp_run_result result;
  walk_chain c;
  char *text;
  long size;
  int k;
  for (k = 0; k < 4; k++) {
    FILE *to = fopen(in_folder("table"), "wb");
    lbp_run_init(&run);
    run.tempering.rungs = 3;
    run.thin = 2;
    run.draws = 2000;
    run.chains = k == 2 ? 1 : 4;
    run.tempering.ladder = k == 1 ? warm : NULL;
    if (k == 3) run.draws = 0;
    run.summary = to;
    CHECK(walk_run(&run, &t, N, &result) == LBP_OK);
    lbp_run_print(&result, to);
    fclose(to);
    text = content(in_folder("table"), &size);
    CHECK(text && strncmp(text, "LBP, n = 8, values 0 to 1\n", 26) == 0);
    CHECK(text && strstr(text, "R-hat") && strstr(text, "lp__") && strstr(text, "rungs (beta"));
    CHECK(text && strstr(text, k == 0   ? ", the spread of 4 chains\n"
                               : k == 1 ? "the last rung is not beta = 0"
                               : k == 2 ? "no error without two chains"
                                        : "log Z: no number: no draws"));
    CHECK(k != 2 || result.log_z_status != LBP_OK);
    free(text);
    lbp_run_free(&result);
    to = fopen(in_folder("table"), "wb");
    lbp_run_print(&result, to); /* nothing, of nothing */
    CHECK(ftell(to) == 0);
    fclose(to);
  }
  remove(in_folder("table"));
  CHECK(walk_temper(NULL, 1) == LBP_E_NULL);
  memset(&c, 0, sizeof c);
  CHECK(walk_temper(&c, HUGE_VAL) == LBP_E_NOT_FINITE && c.beta == 0 && walk_temper(&c, 0.5) == LBP_OK && c.beta == 0.5);
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

static void test_columns(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  const lbp_run_column column[3] = {
      {"constant", constant, NULL, 0}, {"no.number", no_number, NULL, 0}, {"first", lbp_run_site, NULL, 0}};
  uint8_t best[TOY_MAX];
  lbp_run run;
  lbp_run_result result;
  double law[1 << TOY_MAX];
  uint32_t x, mode = 0, i;
  FILE *nowhere = fopen("/dev/null", "w"), *table = fopen(in_folder("table"), "wb");
  char *text;
  long size;
  lbp_run_init(&run);
  run.draws = 6000; /* so that not all are kept */
  run.thin = 2;
  run.column = column;
  run.columns = 3;
  run.summary = table;
  run.progress = nowhere;
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.rows == 4 && result.kept == 1500);
  fclose(table);
  run.summary = nowhere;
  text = content(in_folder("table"), &size);
  CHECK(text && strstr(text, "mean and MCSE are of all draws, whose ESS is about (SD / MCSE)^2; the other\n"
                             "columns, ESS too, are of 1500 evenly spaced draws a chain\n"));
  free(text);
  remove(in_folder("table"));
  CHECK(result.row[1].rhat_status == LBP_E_CONSTANT && result.row[1].mean == N && result.row[1].sd == 0);
  CHECK(result.row[1].discrete_status == LBP_OK && result.row[1].discrete.mode == N && result.row[1].discrete.share == 1);
  CHECK(result.row[2].mean_status == LBP_E_DRAW_NOT_FINITE && result.row[2].rhat_status == LBP_E_DRAW_NOT_FINITE);
  CHECK(result.row[3].rhat_status == LBP_OK && result.row[3].discrete.values == 2 && result.row[3].discrete.share >= 0.5);
  CHECK_NEAR(result.row[3].discrete.mode, result.row[3].mean > 0.5, 0);
  toy_law(&t, law); /* the best states are the mode, in all chains */
  for (x = 1; x < 1u << N; x++) mode = law[x] > law[mode] ? x : mode;
  for (i = 0; i < N; i++) best[i] = mode >> i & 1;
  for (x = 0; x < result.chains; x++) {
    CHECK(memcmp(result.best + (size_t)x * N, best, N) == 0);
    CHECK_NEAR(result.best_logp[x], toy_logp(&t, best), 1e-12);
  }
  lbp_run_free(&result);
  run.draws = 0; /* nothing but a warm-up */
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.draws == 0 && result.row[0].rhat_status == LBP_E_TOO_SHORT);
  lbp_run_free(&result);
  run.draws = 1;
  run.warmup = 0;
  run.parameter = 2;
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.draws == 1 && result.row[0].rhat_status == LBP_E_TOO_SHORT);
  for (x = 0; x < result.chains; x++) { /* chains differ */
    CHECK_NEAR(result.best_logp[x], toy_logp(&t, result.best + (size_t)x * N), 1e-12);
    CHECK(x == 0 || result.best_logp[x] <= result.best_logp[x - 1]);
  }
  CHECK(result.best_logp[0] > result.best_logp[result.chains - 1]);
  lbp_run_free(&result);

  run.draws = 1000000000; /* ends when good enough, or when time is up */
  run.warmup = 1000;
  run.parameter = 2.5;
  run.columns = 1;
  run.rhat = 1.01;
  run.ess = 2000;
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.ended == LBP_END_CONVERGED && result.draws < 1000000);
  CHECK(result.row[0].rhat <= 1.01 && result.row[0].ess_bulk >= 2000 && result.row[0].ess_tail >= 2000);
  lbp_run_free(&result);
  run.rhat = run.ess = 0;
  run.seconds = 0.05;
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.ended == LBP_END_OUT_OF_TIME);
  lbp_run_free(&result);
  if (nowhere) fclose(nowhere);
}

/* With many columns each keeps fewer draws; the last 2 of those kept are the last 2 of every other draw. */
static void test_many_columns(void) {
  enum { COLUMNS = 100 };
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run_column column[COLUMNS];
  char name[COLUMNS][16];
  lbp_run run;
  lbp_run_result result;
  uint32_t k;
  for (k = 0; k < COLUMNS; k++) {
    const lbp_run_column one = {name[k], lbp_run_ones, NULL, 0};
    snprintf(name[k], sizeof name[k], "ones.%lu", (unsigned long)k);
    column[k] = one;
  }
  lbp_run_init(&run);
  run.chains = 3;
  run.column = column;
  run.columns = COLUMNS;
  run.draws = 512;
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.kept == 256);
  lbp_run_free(&result);
  run.draws = 513;
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.kept == 257);
  CHECK_NEAR(result.row[COLUMNS].median, result.row[1].median, 0);
  lbp_run_free(&result);
}

/* The CSV has decimal points, whatever the user's locale, whose point may have two bytes; and options are read so. */
static void check_locale(const char *name, const char *source) {
  const toy t = toy_make(N, 0.75, 0, 5);
  const lbp_kernel kernel = walk_kernel();
  char command[400], why[LBP_OPTION_TEXT], *point, *other, *end;
  lbp_run_result result;
  lbp_run run;
  long size;
  lbp_run_init(&run);
  run.chains = 1;
  run.draws = 10;
  run.prefix = in_folder("locale");
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK);
  lbp_run_free(&result);
  snprintf(command, sizeof command, "%s_1.csv", run.prefix);
  point = content(command, &size);
#if !LBP_P_WINDOWS
  if (!setlocale(LC_NUMERIC, name)) { /* then make it, if its source is there */
    snprintf(command, sizeof command, "localedef -i %s -f UTF-8 %s/%s > %s/log 2>&1", source, folder, name, folder);
    if (system(command) == 0) setenv("LOCPATH", folder, 1);
  }
#endif
  if (setlocale(LC_NUMERIC, name)) {
    CHECK(walk_run(&run, &t, N, &result) == LBP_OK);
    lbp_run_free(&result);
    CHECK(lbp_run_set(&run, &kernel, "seconds", "1.5", why) == LBP_OK && run.seconds == 1.5);
    CHECK(lbp_run_set(&run, &kernel, "seconds", "25e-1", why) == LBP_OK && run.seconds == 2.5);
    CHECK(lbp_run_set(&run, &kernel, "seconds", "1.5.2", why) != LBP_OK);
    CHECK(lbp_run_set(&run, &kernel, "seconds", "1,5", why) != LBP_OK);
    setlocale(LC_NUMERIC, "C");
    snprintf(command, sizeof command, "%s_1.csv", run.prefix);
    other = content(command, &size);
    end = point ? strstr(point, "Elapsed Time") : NULL;
    CHECK(other && end && memcmp(point, other, (size_t)(end - point)) == 0 && !strchr(strstr(other, "Elapsed"), ','));
    free(other);
  } else {
    printf("there is no locale %s here\n", name);
  }
#if !LBP_P_WINDOWS
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -rf %s/%s %s/log", folder, name, folder);
  CHECK(system(command) == 0);
#endif
  free(point);
  remove_all(run.prefix, 1);
}

static void test_locale(void) {
  check_locale(DECIMAL_COMMAS, "de_DE");
  check_locale(TWO_BYTES, "ps_AF");
}

/* The CSV's states, its log pi and the .npy file agree. */
static void test_states(void) {
  const toy t = toy_make(SITES, 0.75, 0, 5);
  lbp_run run = small_run(1, 0, LBP_STATES_CSV);
  lbp_run_result result;
  char *csv, *npy, *line, path[300];
  long size, npy_size;
  uint32_t rows = 0, i;
  int good = 1;
  run.digits = 17;
  run.prefix = in_folder("states");
  CHECK(walk_run(&run, &t, SITES, &result) == LBP_OK);
  lbp_run_free(&result);
  run.save_states = LBP_STATES_NPY;
  snprintf(path, sizeof path, "%s_2.csv", run.prefix);
  csv = content(path, &size);
  CHECK(walk_run(&run, &t, SITES, &result) == LBP_OK);
  lbp_run_free(&result);
  snprintf(path, sizeof path, "%s_2_states.npy", run.prefix);
  npy = content(path, &npy_size);
  CHECK(csv && npy && npy_size == 128 + 2 * (long)run.draws && memcmp(npy, "\x93NUMPY\x01\x00\x76\x00", 10) == 0);
  CHECK(npy && strstr(npy + 10, "'descr': '|u1', 'fortran_order': False, 'shape': (1100, 2)"));
  for (line = csv; line && *line; line = strchr(line, '\n') + 1) {
    uint8_t x[SITES];
    char *at = line;
    double logp, accept;
    if (*line == '#' || *line == 'l') continue;
    logp = strtod(at, &at);
    accept = strtod(at + 1, &at);
    good &= accept >= 0 && accept <= 1;
    for (i = 2; i < 7; i++) strtod(at + 1, &at); /* Stan's other columns */
    for (i = 0; i < SITES; i++) x[i] = (uint8_t)strtod(at + 1, &at);
    good &= *at == '\n' && fabs(logp - toy_logp(&t, x)) < 1e-12;
    for (i = 0; i < SITES; i++) {
      good &= ((unsigned char)npy[128 + 2 * rows + i / 8] >> (7 - i % 8) & 1) == x[i];
    }
    rows++;
  }
  CHECK(good && rows == run.draws);
  free(csv);
  free(npy);
  remove_all(run.prefix, 3);
}

/* ---- log Z ------------------------------------------------------------------------------------------------------- */

static void test_log_z(void) {
  uint32_t k;
  for (k = 0; k < CASES; k++) {
    const toy t = toy_make(SITES, k % 2 ? 2.5 : 0.5, 0, 40 + k);
    lbp_run run;
    lbp_run_result result;
    lbp_ais_result annealed;
    double exact = 0;
    uint32_t x, i;
    for (x = 0; x < 1u << SITES; x++) {
      uint8_t state[SITES];
      for (i = 0; i < SITES; i++) state[i] = x >> i & 1;
      exact += exp(toy_logp(&t, state));
    }
    exact = log(exact);
    lbp_run_init(&run);
    run.chains = 8;
    run.seed = 900 + k;
    run.draws = 1000;
    run.thin = 4;
    run.tempering.rungs = 5;
    run.sampler = k % 2 ? LBP_SAMPLER_GIBBS : LBP_SAMPLER_LBP;
    CHECK((k % 3 == 1 ? deep_run : walk_run)(&run, &t, SITES, &result) == LBP_OK && result.log_z_status == LBP_OK);
    CHECK(result.log_z_se > 0 && result.log_z_se < 0.1);
    CHECK_NEAR(result.log_z, exact, 8 * result.log_z_se); /* Student's t with 7 degrees of freedom: 1e-4 */
    CHECK(result.ladder[0] == 1 && result.ladder[4] == 0 && result.ladder[1] > result.ladder[3]);
    for (i = 0; i < 4; i++) CHECK(result.swaps[i] > 0.05 && result.swaps[i] < 1);
    lbp_run_free(&result);
    run.chains = 400;
    run.tempering.rungs = 30;
    run.thin = 8;
    CHECK((k % 4 < 2 ? deep_ais : walk_ais)(&run, &t, SITES, &annealed) == LBP_OK && annealed.message[0] == 0);
    CHECK(annealed.weights > 50 && annealed.weights <= 400.001 && annealed.accept > 0.1 && annealed.log_z_se < 0.2);
    CHECK_NEAR(annealed.log_z, exact, 6 * annealed.log_z_se);
    lbp_ais_free(&annealed);
  }
}

/* The statistics that come with runs, of states by hand. Sums of 256 values and 2^24 sites need more than 32 bits. */
static void test_statistics(void) {
  static const uint8_t few[6] = {0, 1, 1, 0, 1, 1}, values[4] = {7, 0, 255, 2}, other[6] = {1, 1, 0, 0, 1, 2};
  const uint32_t many = 16843010; /* 255 of each are 2^32 + 254 */
  uint8_t *x = (uint8_t *)malloc(many);
  lbp_run_column column = {NULL, NULL, NULL, 0};
  CHECK(lbp_run_ones(&column, few, 6) == 4.0 / 6 && lbp_run_ones(&column, few, 1) == 0);
  CHECK(lbp_run_ones(&column, values, 4) == 66);
  CHECK(x != NULL);
  if (x) {
    memset(x, 255, many);
    CHECK(lbp_run_ones(&column, x, many) == 255);
    free(x);
  }
  column.data = other;
  CHECK(lbp_run_distance(&column, few, 6) == 3 && lbp_run_distance(&column, other, 6) == 0);
  column.site = 2;
  CHECK(lbp_run_site(&column, values, 4) == 255 && lbp_run_site(&column, values, 2) == 0);
}

int main(void) {
  CHECK(make_folder());
  test_statistics();
  test_law();
  test_threads();
  test_killed_early();
  test_interrupted();
  test_bad_checkpoints();
#if !LBP_P_WINDOWS
  test_full_disk();
#endif
  test_options();
  test_start();
  test_constrained_start();
  test_advice();
  test_table();
  test_corners();
  test_columns();
  test_many_columns();
  test_locale();
  test_states();
  test_log_z();
  CHECK(rmdir(folder) == 0);
  return test_report();
}
