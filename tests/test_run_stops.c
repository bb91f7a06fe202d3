/* Steps that take long: a run looks at `seconds` and `stop` within those that have no bound, the clock's and paths, and
 * between chains in all others, and gives them up. Its report is then as if they had not begun, and a run that goes on
 * from its checkpoint draws what one draws that was never interrupted. The clock is this file's own, which goes on by
 * looks at it: so nothing here depends on how fast the machine is, and a run that does not look ends by alarm. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined _OPENMP
#include <omp.h>
#endif

#include "../lbp_models.h"
#include "../lbp_stats.h"

/* Seconds a look takes, and every so many looks, at random, `jump` more; after look `stop_at` *run.stop is set. (Runs
 * without `seconds` look at the clock only once it is set.) */
static double seconds, per_look, jump;
static uint64_t every, looks, stop_at;
static lbp_rng jumps;
static volatile sig_atomic_t stop;

static int own_clock(clockid_t which, struct timespec *t) {
  (void)which;
#if defined _OPENMP
#pragma omp critical(own_clock)
#endif
  {
    looks++;
    seconds += per_look;
    if (every > 0 && lbp_rng_u64(&jumps) % every == 0) seconds += jump;
    if (looks == stop_at) stop = 1;
    t->tv_sec = (time_t)seconds;
    t->tv_nsec = (long)((seconds - (double)t->tv_sec) * 1e9);
  }
  return 0;
}

static void set_clock(double look, uint64_t jumps_every, double by) {
  seconds = 0;
  per_look = look;
  every = jumps_every;
  jump = by;
  looks = stop_at = 0;
  stop = 0;
}

#define clock_gettime(...) own_clock(__VA_ARGS__)
#include "../lbp_run.h"

#include "run_files.h"
#include "test.h"

static lbp_ising grid;
static uint64_t evaluations; /* of `slow`, each of which sets the clock forward */
static double per_evaluation;

#define LBP_NAME           ising
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

static uint32_t group_of(const lbp_ising *m, uint32_t i) { return (void)m, i / 16; }
static uint32_t half_of(const lbp_ising *m, uint32_t g) { return (void)m, (void)g, 8; }

#define LBP_NAME           grouped
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#define LBP_TEMPERED
#define LBP_GROUP          group_of
#define LBP_GROUP_ONES     half_of
#include "../lbp_run.h"

static void dense_ratios(const lbp_ising *m, const uint8_t *x, lbp_real *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = lbp_ising_delta(m, x, i);
}

#define LBP_NAME         dense
#define LBP_MODEL_T      lbp_ising
#define LBP_REAL         lbp_real
#define LBP_DELTAS       dense_ratios
#define LBP_DELTAS_EXACT
#define LBP_LOGP         lbp_ising_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

static lbp_real slow_delta(const lbp_ising *m, const uint8_t *x, uint32_t i) {
#if defined _OPENMP
#pragma omp critical(own_clock)
#endif
  {
    evaluations++;
    seconds += per_evaluation;
  }
  return lbp_ising_delta(m, x, i);
}

#define LBP_NAME           slow
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_DELTA          slow_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#define LBP_TEMPERED
#include "../lbp_run.h"
#undef clock_gettime

enum { SIDE = 8, N = SIDE * SIDE, LOOKS = 200 };

/* What a run is like: alone, with replicas, with a tuner for all, with marginals. */
enum { PLAIN, TEMPERED, SHARED, COUNTED, CONDITIONAL, KINDS };

static lbp_run kind_of(int kind) {
  lbp_run run;
  lbp_run_init(&run);
  run.check_trials = 0;
  run.chains = 3;
  run.warmup = 0;
  if (kind == TEMPERED) run.tempering.rungs = 3;
  if (kind == SHARED) run.shared_tuner = 1, run.warmup = 7;
  if (kind == COUNTED) run.marginals = LBP_MARGINALS_COUNTED;
  if (kind == CONDITIONAL) run.marginals = LBP_MARGINALS_CONDITIONAL;
  return run;
}

/* Steps without a bound: the clock, a path; of swaps, n / 2 of many sites. */
enum { CLOCK, DENSE_CLOCK, PATH, STEPS };

static int take(int step, lbp_run *run, lbp_run_result *result) {
  run->sampler = step == PATH ? LBP_SAMPLER_PATH : LBP_SAMPLER_CLOCK;
  run->parameter = step == PATH ? 2147483647 : 1e9;
  return step == DENSE_CLOCK ? dense_run(run, &grid, N, result) : ising_run(run, &grid, N, result);
}

/* A step that would take for ever ends soon after *stop is set, or `seconds` are over. */
static void test_endless(void) {
  int step, kind, by_time;
  for (step = 0; step < STEPS; step++) {
    for (kind = 0; kind < KINDS; kind++) {
      for (by_time = 0; by_time < 3; by_time++) {
        lbp_run run = kind_of(kind);
        lbp_run_result result;
        set_clock(by_time ? 0.05 : 0.1, 0, 0);
        run.stop = &stop;
        run.seconds = by_time == 0 ? 1e9 : by_time == 1 ? 1 : 0;
        stop_at = by_time == 0 ? 20 : 0;
        stop = by_time == 2;
        CHECK(take(step, &run, &result) == LBP_OK);
        CHECK(result.ended == (by_time == 1 ? LBP_END_OUT_OF_TIME : LBP_END_STOPPED));
        CHECK(result.draws == 0 && result.warnings == LBP_WARN_NO_DRAWS);
        CHECK(looks >= 20 && looks < LOOKS);
        lbp_run_free(&result);
      }
    }
  }
}

/* So do those of NAME_ais and NAME_anneal, also where it looks for temperatures and counts how many sweeps it has time
 * for; a read ends where its step was given up, and says what log pi is there. */
static void test_endless_others(void) {
  int step, by_time;
  for (step = 0; step < STEPS; step++) {
    lbp_run run = kind_of(PLAIN);
    lbp_ais_result ais;
    run.sampler = step == PATH ? LBP_SAMPLER_PATH : LBP_SAMPLER_CLOCK;
    run.parameter = step == PATH ? 2147483647 : 1e9;
    run.tempering.rungs = 10;
    run.stop = &stop;
    set_clock(0.1, 0, 0);
    stop = 1;
    CHECK((step == DENSE_CLOCK ? dense_ais : ising_ais)(&run, &grid, N, &ais) == LBP_E_TOO_SHORT && looks < LOOKS);
    lbp_ais_free(&ais);
    for (by_time = 0; by_time < 3; by_time++) {
      lbp_run_result result;
      uint32_t k;
      run.tempering.rungs = 1;
      run.annealing.sweeps = by_time == 2 ? 0 : 100;
      run.seconds = by_time > 0 ? 1 : 1e9;
      set_clock(0.1, 0, 0);
      if (by_time == 0) stop_at = 20;
      CHECK((step == DENSE_CLOCK ? dense_anneal : ising_anneal)(&run, &grid, N, &result) == LBP_OK);
      CHECK(result.ended == (by_time > 0 ? LBP_END_OUT_OF_TIME : LBP_END_STOPPED) && looks < 10 * LOOKS);
      for (k = 0; k < run.chains; k++) {
        CHECK_NEAR(result.last_logp[k], lbp_ising_logp(&grid, result.last + (size_t)k * N), 1e-6);
        CHECK(result.best_logp[0] >= result.best_logp[k]);
      }
      lbp_run_free(&result);
    }
  }
}

/* An annealing that is stopped where it looks for temperatures has found none: it leaves no files, or those that there
 * are: a checkpoint, from which it then goes on as if it had not been called, and better states. */
static void test_cut_range(void) {
  const char *const file = in_folder("range.ckpt"), *const prefix = in_folder("range");
  const char *const best = in_folder("range_best.csv");
  char *before, *after;
  long size;
  lbp_run run = kind_of(PLAIN);
  lbp_run_result whole, result;
  int there;
  run.sampler = LBP_SAMPLER_CLOCK;
  run.parameter = 2000; /* thousands of jumps a step, so that there are looks within one */
  run.annealing.sweeps = 40;
  run.stop = &stop;
  set_clock(0.01, 0, 0);
  CHECK(ising_anneal(&run, &grid, N, &whole) == LBP_OK && whole.ended == LBP_END_COMPLETE);
  run.checkpoint = file;
  run.prefix = prefix;
  run.best_states = 3;
  for (there = 0; there < 2; there++) {
    FILE *saved;
    if (there) {
      set_clock(0.01, 0, 0);
      stop_at = 20;
      CHECK(ising_anneal(&run, &grid, N, &result) == LBP_OK && result.sweeps > 0 && result.sweeps < 40);
      lbp_run_free(&result);
    }
    before = content(best, &size);
    set_clock(0.3, 0, 0);
    stop = 1;
    CHECK(ising_anneal(&run, &grid, N, &result) == LBP_OK && result.ended == LBP_END_STOPPED && result.sweeps == 0);
    lbp_run_free(&result);
    after = content(best, &size);
    CHECK(!before == !there && !after == !there && (!there || strcmp(before, after) == 0));
    free(before);
    free(after);
    saved = fopen(file, "rb");
    CHECK(!saved == !there);
    if (saved) fclose(saved);
    set_clock(0.01, 0, 0);
    CHECK(ising_anneal(&run, &grid, N, &result) == LBP_OK && result.ended == LBP_END_COMPLETE);
    if (result.status != LBP_OK) printf("%s\n", result.message);
    CHECK(result.hot == whole.hot && result.cold == whole.cold && result.sweeps == 40 && result.resumed == there);
    CHECK(result.best_logp && result.best_logp[0] == whole.best_logp[0]);
    lbp_run_free(&result);
    remove(file);
    remove_all(prefix, run.chains);
  }
  lbp_run_free(&whole);
}

/* A search that is stopped at any time goes on with as many sweeps as its time is good for: the pilot that counts them
 * has counted none where it was stopped itself. */
static void test_cut_pilot(void) {
  const char *const file = in_folder("pilot.ckpt");
  lbp_run run = kind_of(PLAIN);
  lbp_run_result result;
  uint64_t sweeps, first;
  int saved = 0;
  run.sampler = LBP_SAMPLER_CLOCK;
  run.parameter = 2000;
  run.stop = &stop;
  run.seconds = 60;
  set_clock(0.01, 0, 0);
  CHECK(ising_anneal(&run, &grid, N, &result) == LBP_OK && result.ended == LBP_END_COMPLETE);
  sweeps = result.sweeps;
  lbp_run_free(&result);
  run.checkpoint = file;
  for (first = 40; first < 6000; first += first / 2) {
    FILE *there;
    set_clock(0.01, 0, 0);
    stop_at = first;
    CHECK(ising_anneal(&run, &grid, N, &result) == LBP_OK);
    lbp_run_free(&result);
    there = fopen(file, "rb");
    saved += there != NULL;
    if (there) fclose(there);
    set_clock(0.01, 0, 0);
    CHECK(ising_anneal(&run, &grid, N, &result) == LBP_OK && result.resumed == (there != NULL));
    CHECK(result.ended == LBP_END_COMPLETE && result.sweeps > sweeps / 4 && result.sweeps < 4 * sweeps);
    lbp_run_free(&result);
    remove(file);
  }
  CHECK(saved > 1 && saved < 12);
}

/* Paths of swaps are bounded by n, but not short. The state stays one that the groups allow, where the path has come to.
 * The best state of a read is one between steps: here the one that it began with, though paths come to better ones. */
static void test_swaps(void) {
  enum { WIDE = 64 };
  const size_t bytes = (size_t)WIDE * WIDE;
  uint32_t moved = 0, better = 0, j;
  lbp_ising wide;
  lbp_run run = kind_of(PLAIN);
  lbp_run_result result, begun;
  uint32_t i, g, k;
  CHECK(lbp_ising_random(&wide, WIDE, LBP_C2, 3) == LBP_OK);
  run.sampler = LBP_SAMPLER_SWAP_PATH;
  run.parameter = WIDE * WIDE / 2;
  run.annealing.sweeps = 1000;
  run.annealing.hot = 0.1, run.annealing.cold = 1;
  run.seconds = 1e9;
  run.stop = &stop;
  set_clock(0.1, 0, 0);
  stop = 1;
#if defined _OPENMP
  omp_set_num_threads(1); /* so that always the same chains move */
#endif
  CHECK(grouped_anneal(&run, &wide, WIDE * WIDE, &begun) == LBP_OK);
  CHECK(begun.ended == LBP_END_STOPPED && begun.sweeps == 0);
  set_clock(0.1, 0, 0);
  stop_at = 10;
  CHECK(grouped_anneal(&run, &wide, WIDE * WIDE, &result) == LBP_OK);
  CHECK(result.ended == LBP_END_STOPPED && result.sweeps == 0 && looks < LOOKS);
  for (k = 0; k < run.chains; k++) {
    const uint8_t *x = result.last + k * bytes;
    uint32_t bad = 0, same = 0;
    for (j = 0; j < run.chains; j++) same += memcmp(x, result.best + j * bytes, bytes) == 0;
    moved += same == 0;
    better += result.last_logp[k] > begun.best_logp[0] + 1;
    CHECK(result.best_logp[k] == begun.best_logp[k]);
    for (g = 0; g < WIDE * WIDE / 16; g++) {
      uint32_t ones = 0;
      for (i = 0; i < 16; i++) ones += x[16 * g + i];
      bad += ones != 8;
    }
    CHECK(bad == 0);
    CHECK_NEAR(result.last_logp[k], lbp_ising_logp(&wide, x), 1e-2);
  }
  CHECK(moved > 0 && better > 0);
#if defined _OPENMP
  omp_set_num_threads(2);
#endif
  lbp_run_free(&begun);
  lbp_run_free(&result);
  lbp_ising_free(&wide);
}

/* Of steps that look at all sites, a run takes no more than one of one chain once time is up. */
static void test_between_chains(void) {
  int kind;
  for (kind = 0; kind < KINDS; kind++) {
    lbp_run run = kind_of(kind);
    lbp_run_result result;
    run.sampler = LBP_SAMPLER_GIBBS;
    run.shared_tuner = 0;
    run.chains = 100;
    run.seconds = 1;
    per_evaluation = 0.05; /* a sweep takes 3.2 s */
    evaluations = 0;
    set_clock(0, 0, 0);
#if defined _OPENMP
    omp_set_num_threads(1);
#endif
    CHECK(slow_run(&run, &grid, N, &result) == LBP_OK);
    CHECK(result.ended == LBP_END_OUT_OF_TIME && result.draws == 0);
    CHECK(evaluations < 4 * N);
    lbp_run_free(&result);
#if defined _OPENMP
    omp_set_num_threads(2);
#endif
  }
  per_evaluation = 0;
}

static int take_draws(int step, const lbp_run *run, lbp_run_result *result) {
  lbp_run own = *run;
  own.sampler = step == PATH ? LBP_SAMPLER_PATH : LBP_SAMPLER_CLOCK;
  own.parameter = step == PATH ? 1001 : 60;
  return step == DENSE_CLOCK ? dense_run(&own, &grid, N, result) : ising_run(&own, &grid, N, result);
}

/* Draws are those of a run that was never interrupted, and so is all that was counted, wherever steps were given up. */
static void test_resume(void) {
  int step, kind;
  uint32_t calls = 0, part;
  for (step = 0; step < STEPS; step++) {
    for (kind = 0; kind < KINDS; kind++) {
      lbp_run run = kind_of(kind);
      lbp_run_result whole, parts;
      uint32_t k;
      run.draws = 8;
      run.thin = kind == TEMPERED ? 2 : 1;
      run.save_states = LBP_STATES_CSV;
      run.prefix = in_folder("whole");
      set_clock(1e-6, 0, 0);
      CHECK(take_draws(step, &run, &whole) == LBP_OK);
      run.prefix = in_folder("parts");
      run.checkpoint = in_folder("parts.ckpt");
      run.seconds = 3;
      lbp_rng_init(&jumps, (uint64_t)(10 * step + kind), 0);
      for (part = 0; part < 1000; part++, calls++) {
        set_clock(1e-9, kind == TEMPERED ? 60 : 12, 1);
        CHECK(take_draws(step, &run, &parts) == LBP_OK);
        if (parts.ended == LBP_END_COMPLETE) break;
        CHECK(parts.ended == LBP_END_OUT_OF_TIME);
        lbp_run_free(&parts);
      }
      CHECK(parts.ended == LBP_END_COMPLETE && same_draws(in_folder("whole"), in_folder("parts"), run.chains, 0));
      for (k = 0; run.marginals && k < N; k++) CHECK(whole.marginal[k] == parts.marginal[k]);
      for (k = 0; k + 1 < run.tempering.rungs; k++) CHECK(whole.swaps[k] == parts.swaps[k]);
      CHECK(run.tempering.rungs == 1 || whole.log_z == parts.log_z);
      CHECK(run.tempering.rungs == 1 || whole.round_trips == parts.round_trips);
      lbp_run_free(&whole);
      lbp_run_free(&parts);
      remove_all(in_folder("whole"), run.chains);
      remove_all(in_folder("parts"), run.chains);
      CHECK(unlink(in_folder("parts.ckpt")) == 0);
    }
  }
  CHECK(calls > 100); /* each was cut off many times */
}

typedef struct {
  uint32_t ones[N];
  uint64_t draws;
} taken;

static void count_draw(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  taken *t = (taken *)data;
  uint32_t i;
  (void)chain, (void)draw, (void)values;
  for (i = 0; i < N; i++) t->ones[i] += x[i];
  t->draws++;
}

/* Nothing of a step that was given up is in what a run reports: marginals are those of the draws that it has given. */
static void test_report_of_whole_steps(void) {
  uint32_t trial, i, some = 0;
  for (trial = 0; trial < 30; trial++) {
    lbp_run run = kind_of(COUNTED);
    lbp_run_result result;
    taken t;
    memset(&t, 0, sizeof t);
    run.draws = 1000000;
    run.seconds = 3;
    run.save_states = LBP_STATES_PASSED;
    run.on_draw = count_draw;
    run.on_draw_data = &t;
    lbp_rng_init(&jumps, trial, 1);
    set_clock(1e-9, 60, 1);
    CHECK(take_draws((int)(trial % STEPS), &run, &result) == LBP_OK && result.ended == LBP_END_OUT_OF_TIME);
    CHECK(t.draws == result.draws * run.chains);
    for (i = 0; t.draws > 0 && i < N; i++) CHECK_NEAR(result.marginal[i], t.ones[i] / (double)t.draws, 1e-12);
    some += t.draws > 0;
    lbp_run_free(&result);
  }
  CHECK(some > 15);
}

/* The bound on one call: where a step takes longer than `seconds`, one that goes on gives it up again. */
static void test_resumed_in_vain(void) {
  lbp_run run = kind_of(PLAIN);
  lbp_run_result result;
  int call;
  run.checkpoint = in_folder("vain.ckpt");
  run.seconds = 1;
  for (call = 0; call < 3; call++) {
    set_clock(0.05, 0, 0);
    CHECK(take(CLOCK, &run, &result) == LBP_OK && result.ended == LBP_END_OUT_OF_TIME);
    CHECK(result.resumed == (call > 0) && looks < 2 * LOOKS);
    lbp_run_free(&result);
  }
  CHECK(unlink(run.checkpoint) == 0);
}

int main(void) {
  alarm(240);
  setvbuf(stdout, NULL, _IOLBF, 0);
#if defined _OPENMP
  omp_set_num_threads(2);
#endif
  CHECK(make_folder() && lbp_ising_random(&grid, SIDE, LBP_C2, 1) == LBP_OK);
  test_endless();
  test_endless_others();
  test_cut_range();
  test_cut_pilot();
  test_swaps();
  test_between_chains();
  test_resumed_in_vain();
  test_report_of_whole_steps();
  test_resume();
  lbp_ising_free(&grid);
  CHECK(rmdir(folder) == 0);
  return test_report();
}
