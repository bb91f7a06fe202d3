/* The time of day decides how a run of lbp_run.h spreads its steps over time and cores, and must decide nothing else:
 * with a clock that jumps at random, here this file's own, draws are the same. Their fields drift and their sites are
 * sorted, so that a chain that forgets at another step goes another way. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined _OPENMP
#include <omp.h>
#endif

#include "../lbp_stats.h"

static lbp_rng jumps;
static double seconds;

/* Most looks take next to no time, so that there are many steps to the next; some a second. */
static int own_clock(clockid_t which, struct timespec *t) {
  const uint64_t word = lbp_rng_u64(&jumps);
  (void)which;
  seconds += word % 64 == 0 ? 1 : 1e-11 * (double)(word >> 44);
  t->tv_sec = (time_t)seconds;
  t->tv_nsec = (long)((seconds - (double)t->tv_sec) * 1e9);
  return 0;
}

#define clock_gettime(...) own_clock(__VA_ARGS__)
#include "../lbp_run.h"

#include "drift.h"
#include "run_files.h"
#include "test.h"
#include "toy.h"

#define LBP_NAME           drift
#define LBP_MODEL_T        toy
#define LBP_DELTA          drift_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           drift_logp
#define LBP_FIELDS_T       drifting
#define LBP_FIELDS_INIT    drift_set
#define LBP_FLIP           drift_flip
#define LBP_TEMPERED
#define LBP_SORT_ABOVE     0
#include "../lbp_run.h"

#undef clock_gettime

#ifdef API_QUICK
enum { CLOCKS = 6 };
#else
enum { CLOCKS = 30 };
#endif
enum { N = 8 };

static uint64_t drawn(const char *prefix, uint32_t chains) {
  uint64_t hash = LBP_P_HASH;
  uint32_t k;
  for (k = 1; k <= chains; k++) {
    char path[300], *text, *end;
    long size;
    snprintf(path, sizeof path, "%s_%lu.csv", prefix, (unsigned long)k);
    text = content(path, &size);
    end = text ? strstr(text, "Elapsed Time") : NULL;
    CHECK(end != NULL);
    if (end) hash = lbp_runner_hash(hash, text, (size_t)(end - text));
    free(text);
  }
  return hash;
}

static void check_clocks(const char *what, lbp_run run) {
  const toy t = toy_make(N, 0.75, 0, 5);
  uint64_t first = 0;
  uint32_t k, differ = 0;
  run.check_trials = 0;
  run.warmup = 300;
  run.draws = 150;
  run.thin = 6;
  run.save_states = LBP_STATES_CSV;
  run.prefix = in_folder("clock");
  for (k = 0; k < CLOCKS; k++) {
    lbp_run_result result;
    uint64_t hash;
    lbp_rng_init(&jumps, k, 0);
    seconds = 0;
#if defined _OPENMP
    omp_set_num_threads((int)(k % 4) + 1);
#endif
    CHECK(drift_run(&run, &t, N, &result) == LBP_OK);
    lbp_run_free(&result);
    hash = drawn(run.prefix, run.chains);
    if (k == 0) first = hash;
    differ += hash != first;
  }
  CHECK(differ == 0);
  if (differ > 0) printf("%s: %lu of %d clocks\n", what, (unsigned long)differ, CLOCKS);
  remove_all(run.prefix, run.chains);
}

int main(void) {
  uint32_t kind;
  CHECK(make_folder());
  for (kind = 0; kind < 12; kind++) {
    char what[80];
    lbp_run run;
    lbp_run_init(&run);
    run.shared_tuner = kind % 2;
    run.tempering.rungs = kind / 2 % 3 == 0 ? 1 : 3;
    run.tempering.swap_every = kind / 2 % 3 == 1 ? 3 : 0;
    run.chains = kind < 6 ? 3 : 1;
    snprintf(what, sizeof what, "shared %d, %lu rungs, a swap every %lu, %lu chains", run.shared_tuner,
             (unsigned long)run.tempering.rungs, (unsigned long)run.tempering.swap_every, (unsigned long)run.chains);
    check_clocks(what, run);
  }
  CHECK(rmdir(folder) == 0);
  return test_report();
}
