/* Many chains at once, as a program with threads runs them: 64 runs on 8 threads, of three models and all kinds of
 * samplers, share their models and one curvature, all const, and nothing else. They must draw what they draw on one
 * thread. And a run is stopped by another thread. `make test-thread` runs this under ThreadSanitizer, and with
 * -DPLANTED_RACE, where all RBM chains share a tuner, or -DPLANTED_STOP: these must be found. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include <pthread.h>
#include <unistd.h>

#include "../lbp_ab.h"
#include "../lbp_models.h"
#include "test.h"

#define LBP_NAME           ising
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           float
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "../lbp.h"

#define LBP_NAME        rbm
#define LBP_MODEL_T     lbp_rbm
#define LBP_REAL        float
#define LBP_WEIGHT      LBP_SQRT
#define LBP_FIELDS_T    lbp_rbm_fields
#define LBP_FIELDS_INIT lbp_rbm_fields_set
#define LBP_FLIP        lbp_rbm_flip
#define LBP_SAVE        lbp_rbm_save
#define LBP_RESTORE     lbp_rbm_restore
#define LBP_DELTAS      lbp_rbm_deltas
#define LBP_DELTAS_MANY lbp_rbm_deltas_many
#define LBP_LOGP        lbp_rbm_logp
#include "../lbp.h"

#define LBP_NAME           runs
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           float
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#include "../lbp_run.h"

#define LBP_NAME     lattice
#define LBP_MODEL_T  lbp_lattice
#define LBP_REAL     float
#define LBP_GRADIENT lbp_lattice_gradient
#include "../lbp_ab.h"

enum { CHAINS = 64, THREADS = 8, KINDS = 5, N = 64, D = 20, STATES = 21, STEPS = 300, WARMUP = 200 };

/* What all threads read and none writes. */
static lbp_ising grid;
static lbp_rbm machine;
static lbp_lattice gauss;
static lattice_curvature curvature;

#ifdef PLANTED_RACE
static rbm_tuner common;
#endif

static uint64_t mix(uint64_t hash, const void *data, size_t size) {
  return lbp_checksum((const unsigned char *)data, size) ^ (hash << 7 | hash >> 57);
}

static uint64_t run_ising(uint64_t stream, uint64_t hash) {
  uint8_t x[N] = {0};
  uint64_t ws[LBP_WS_LEN(N)];
  ising_chain chain;
  ising_tuner tuner;
  lbp_rng rng;
  int t;
  lbp_rng_init(&rng, 5, stream);
  if (ising_init(&chain, N, x, ws, LBP_WS_LEN(N)) || ising_tuner_init(&tuner, N, WARMUP, LBP_TARGET_LBP)) return 0;
  for (t = 0; t < STEPS; t++) {
    ising_albp_step(&chain, &grid, &tuner, &rng);
    if (t % 3 == 0) ising_gibbs_sweep(&chain, &grid, &rng);
    hash = mix(hash, x, N);
  }
  return mix(hash, &tuner.r, sizeof tuner.r);
}

/* Two chains, with a step each in turn and now and then one of both together. */
static uint64_t run_rbm(uint64_t stream, uint64_t hash) {
  uint8_t x[2][N];
  uint64_t ws[2][LBP_WS_LEN_DENSE(N)];
  lbp_rbm_fields fields[2];
  rbm_chain chain[2], *chains[2];
  rbm_tuner tuner[2];
  rbm_info info[2];
  lbp_rng rng[2], *rngs[2];
  const uint32_t r[2] = {3, 4};
  int t, k, good = 1;
  memset(x, 0, sizeof x);
  for (k = 0; k < 2; k++) {
    lbp_rng_init(&rng[k], 6 + (uint64_t)k, stream);
    chains[k] = &chain[k];
    rngs[k] = &rng[k];
    good &= lbp_rbm_fields_init(&machine, &fields[k]) == LBP_OK;
    good &= good && rbm_init(&chain[k], N, x[k], &fields[k], ws[k], LBP_WS_LEN_DENSE(N)) == LBP_OK;
    good &= rbm_tuner_init(&tuner[k], N, WARMUP, LBP_TARGET_LBP) == LBP_OK;
  }
  for (t = 0; good && t < STEPS; t++) {
    for (k = 0; k < 2; k++) {
#ifdef PLANTED_RACE
      rbm_albp_step(&chain[k], &machine, &common, &rng[k]);
#else
      rbm_albp_step(&chain[k], &machine, &tuner[k], &rng[k]);
#endif
    }
    if (t % 4 == 0) rbm_lbp_steps(chains, &machine, r, rngs, 2, info);
    hash = mix(hash, x, sizeof x);
  }
  for (k = 0; k < 2; k++) lbp_rbm_fields_free(&fields[k]);
  return good ? hash : 0;
}

/* The adaptive sampler: with the curvature of all, or with one that it estimates. */
static uint64_t run_lattice(uint64_t stream, uint64_t hash, int given) {
  uint8_t x[D] = {0};
  float ws[LBP_WS_LEN_AB(D)];
  const size_t bytes = lattice_adaptive_bytes(D);
  void *memory = malloc(bytes);
  lattice_chain chain;
  lattice_adaptive sampler;
  lbp_rng rng;
  int t, good = memory != NULL;
  lbp_rng_init(&rng, 9, stream);
  good &= lattice_init(&chain, D, STATES, x, ws, LBP_WS_LEN_AB(D)) == LBP_OK;
  if (given) good &= lattice_adaptive_given(&sampler, &curvature, WARMUP) == LBP_OK;
  else good &= good && lattice_adaptive_init(&sampler, D, WARMUP, memory, bytes) == LBP_OK;
  for (t = 0; good && t < STEPS; t++) {
    lattice_adaptive_step(&chain, &gauss, &sampler, &rng);
    hash = mix(hash, x, D);
  }
  free(memory);
  return good ? hash : 0;
}

/* Langevin and Gibbs, which need no curvature. */
static uint64_t run_relatives(uint64_t stream, uint64_t hash) {
  uint8_t x[D] = {0};
  float ws[LBP_WS_LEN_AB(D)];
  lattice_chain chain;
  lattice_tuner tuner;
  lbp_rng rng;
  int t;
  lbp_rng_init(&rng, 10, stream);
  if (lattice_init(&chain, D, STATES, x, ws, LBP_WS_LEN_AB(D))) return 0;
  if (lattice_tuner_init(&tuner, 1, WARMUP, LBP_TARGET_LBP)) return 0;
  for (t = 0; t < STEPS; t++) {
    lattice_adlp_step(&chain, &gauss, &tuner, &rng);
    lattice_gibbs_step(&chain, &gauss, &rng);
    hash = mix(hash, x, D);
  }
  return hash;
}

/* A number that tells the trajectory of chain k; 0 if it could not be made. */
static uint64_t run(uint32_t k) {
  const uint64_t begin = k + 1;
  switch (k % KINDS) {
    case 0: return run_ising(k, begin);
    case 1: return run_rbm(k, begin);
    case 2: return run_lattice(k, begin, 1);
    case 3: return run_lattice(k, begin, 0);
    default: return run_relatives(k, begin);
  }
}

typedef struct {
  uint32_t first;
  uint64_t *hash;
} share;

static void *work(void *argument) {
  const share *mine = (const share *)argument;
  uint32_t k;
  for (k = mine->first; k < CHAINS; k += THREADS) mine->hash[k] = run(k);
  return NULL;
}

static void test_chains(void) {
  uint64_t together[CHAINS] = {0};
  pthread_t thread[THREADS];
  share part[THREADS];
  uint32_t k, j, alike = 0;
  for (k = 0; k < THREADS; k++) {
    part[k].first = k;
    part[k].hash = together;
    if (pthread_create(&thread[k], NULL, work, &part[k]) != 0) {
      CHECK(!"a thread");
      return;
    }
  }
  for (k = 0; k < THREADS; k++) CHECK(pthread_join(thread[k], NULL) == 0);
  for (k = 0; k < CHAINS; k++) {
    CHECK(together[k] != 0 && together[k] == run(k));
    for (j = 0; j < k; j++) alike += together[j] == together[k];
  }
  CHECK(alike == 0);
}

/* A run that another thread stops, which has no other way to end. With -DPLANTED_STOP it sets run.stop by assignment. */
static volatile sig_atomic_t stop;

static void *stop_it(void *argument) {
  (void)argument;
  usleep(50000);
#ifdef PLANTED_STOP
  stop = 1;
#else
  lbp_run_stop(&stop);
#endif
  return NULL;
}

static void test_stop(void) {
  int k;
  for (k = 0; k < 2; k++) { /* between steps; within one that would take for ever */
    lbp_run run;
    lbp_run_result result;
    pthread_t thread;
    lbp_run_init(&run);
    run.warmup = 0;
    run.draws = 1000000000000;
    run.sampler = k == 0 ? LBP_SAMPLER_GIBBS : LBP_SAMPLER_CLOCK;
    run.parameter = k == 0 ? 0 : 1e9;
    run.stop = &stop;
    stop = 0;
    CHECK(pthread_create(&thread, NULL, stop_it, NULL) == 0);
    CHECK(runs_run(&run, &grid, N, &result) == LBP_OK && result.ended == LBP_END_STOPPED);
    CHECK(pthread_join(thread, NULL) == 0);
    lbp_run_free(&result);
  }
}

int main(void) {
  const size_t work_len = lbp_diagonal_trace_workspace(D);
  double diagonal[D], *value, *space = (double *)calloc(work_len, sizeof *space);
  lbp_symmetric W;
  void *memory;
  size_t bytes;
  CHECK(lbp_ising_random(&grid, 8, LBP_C2, 1) == LBP_OK);
  CHECK(lbp_rbm_random(&machine, N, 30, 0.3, 2) == LBP_OK);
  CHECK(lbp_lattice_random_cycle(&gauss, D, STATES, 10, 3) == LBP_OK);
  value = (double *)calloc(lbp_lattice_hessian_entries(&gauss), sizeof *value);
  W = lbp_lattice_hessian(&gauss, value);
  memset(diagonal, 0, sizeof diagonal);
  CHECK(lbp_diagonal_trace(&W, 1e-3, diagonal, NULL, space, work_len) == LBP_OK);
  bytes = lattice_curvature_bytes(&W, diagonal, 1);
  memory = malloc(bytes);
  CHECK(lattice_curvature_init(&curvature, &W, diagonal, 1, memory, bytes) == LBP_OK);
#ifdef PLANTED_RACE
  CHECK(rbm_tuner_init(&common, N, UINT32_MAX, LBP_TARGET_LBP) == LBP_OK);
#endif
  if (test_failed == 0) test_stop();
  if (test_failed == 0) test_chains();
  free(memory);
  free(value);
  free(space);
  lbp_lattice_free(&gauss);
  lbp_rbm_free(&machine);
  lbp_ising_free(&grid);
  return test_report();
}
