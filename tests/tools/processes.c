/* Part of processes.sh: small runs whose result must be the same over any number of processes, which the last line
 * prints. processes KIND DRAWS [CHECKPOINT [SECONDS MILLISECONDS]]: the second process takes so long for a log-ratio.
 *
 *   step    tempering, whose steps may be given up in one process where others have ended them
 *   apart   some states are impossible, and two chains begin in different parts of the others
 *   lanes   all chains are in one word, so that other processes have none */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../lbp.h"

typedef struct {
  uint32_t n;
  int apart;    /* states with fewer than two ones, or than two zeros, alone */
  long slowly;  /* nanoseconds a log-ratio of site 0 takes */
} chain_model;

static double weight(uint32_t i) { return 0.1 * (i * 7 % 5) - 0.2; }

static double logp(const chain_model *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i, ones = 0;
  for (i = 0; i < m->n; i++) {
    sum += weight(i) * x[i] + (x[i] == x[(i + 1) % m->n] ? 0.5 : -0.5);
    ones += x[i];
  }
  return m->apart && ones > 1 && ones + 1 < m->n ? -HUGE_VAL : sum;
}

static double delta(const chain_model *m, const uint8_t *x, uint32_t i) {
  const int left = x[(i + m->n - 1) % m->n], right = x[(i + 1) % m->n];
  const double alike = (double)((left != x[i]) + (right != x[i]) - (left == x[i]) - (right == x[i])) / 2;
  uint32_t j, ones = 0;
  if (i == 0 && m->slowly > 0) {
    struct timespec t;
    t.tv_sec = m->slowly / 1000000000;
    t.tv_nsec = m->slowly % 1000000000;
    nanosleep(&t, NULL);
  }
  for (j = 0; j < m->n; j++) ones += x[j];
  ones += x[i] ? -1u : 1;
  if (m->apart && ones > 1 && ones + 1 < m->n) return -HUGE_VAL;
  return (x[i] ? -weight(i) : weight(i)) + 2 * alike;
}

static uint32_t neighbours(const chain_model *m, uint32_t i, uint32_t *out) {
  uint32_t j, count = 0;
  for (j = 0; j < m->n; j++) {
    if (j != i && (m->apart || j == (i + 1) % m->n || i == (j + 1) % m->n)) out[count++] = j;
  }
  return count;
}

#define LBP_NAME           toy
#define LBP_MODEL_T        chain_model
#define LBP_REAL           double
#define LBP_DELTA          delta
#define LBP_NEIGHBOURS     neighbours
#define LBP_MAX_NEIGHBOURS 15
#define LBP_LOGP           logp
#define LBP_TEMPERED
#include "../../lbp_run.h"

static uint32_t pairs(const chain_model *m, uint32_t i, uint32_t *site, double *J) {
  site[0] = (i + 1) % m->n, site[1] = (i + m->n - 1) % m->n;
  J[0] = J[1] = 0.5;
  return 2;
}
static double no_field(const chain_model *m, uint32_t i) { return (void)m, (void)i, 0; }
static double ring_logp(const chain_model *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += x[i] == x[(i + 1) % m->n] ? 0.5 : -0.5;
  return sum;
}
static double ring_delta(const chain_model *m, const uint8_t *x, uint32_t i) {
  const int left = x[(i + m->n - 1) % m->n], right = x[(i + 1) % m->n];
  return (left != x[i]) + (right != x[i]) - (left == x[i]) - (right == x[i]);
}

#define LBP_NAME           word
#define LBP_MODEL_T        chain_model
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_PAIRS          pairs
#define LBP_FIELD          no_field
#define LBP_UNIT(m)        0.5
#define LBP_LANES          64
#define LBP_LOGP           ring_logp
#include "../../lbp_run.h"

static void start(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data;
  memset(x, chain % 2, n);
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  chain_model m = {8, 0, 0};
  lbp_run_result result;
  lbp_run run;
  int status, rank = 0;
  uint32_t k;
#if LBP_RUN_MPI
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  lbp_run_init(&run);
  run.chains = 2;
  run.warmup = 0;
  run.check_trials = 0;
  run.draws = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
  if (argc > 3) run.checkpoint = argv[3];
  if (argc > 5) run.seconds = atof(argv[4]), m.slowly = rank == 1 ? 1000000 * atol(argv[5]) : 0;
  if (strcmp(kind, "lanes") == 0) {
    run.chains = 20;
    run.sampler = LBP_SAMPLER_LANES;
    status = word_run(&run, &m, m.n, &result);
  } else {
    run.sampler = LBP_SAMPLER_GIBBS;
    run.tempering.rungs = 3;
    run.marginals = LBP_MARGINALS_CONDITIONAL;
    m.apart = strcmp(kind, "apart") == 0;
    if (m.apart) run.start = start, run.chains = 3;
    status = toy_run(&run, &m, m.n, &result);
  }
  if (status != LBP_OK) fprintf(stderr, "process %d: %s\n", rank, result.message);
  if (rank == 0 && status == LBP_OK) {
    fprintf(stderr, "%lu draws, ended %d\n", (unsigned long)result.draws, result.ended);
    printf("%lu draws, mean %.9g, log Z %.9g, swaps %.9g, reached %lu, unreached %lu, warnings %lx,", (unsigned long)result.draws,
           result.row ? result.row[0].mean : 0, result.log_z, result.swaps && result.rungs > 1 ? result.swaps[0] : 0,
           (unsigned long)result.reached, (unsigned long)result.unreached, (unsigned long)result.warnings);
    for (k = 0; result.marginal && k < m.n; k++) printf(" %.9g", result.marginal[k]);
    printf("\n");
  }
  lbp_run_free(&result);
#if LBP_RUN_MPI
  MPI_Finalize();
#endif
  return status != LBP_OK;
}
