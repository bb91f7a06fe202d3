/* Independent sets of a torus (no two neighbours are both in the set): the hard-core model of lattice gases. Prints
 * densities and the size of the largest sets found.
 *
 *   cc -O3 -march=native -fopenmp -I.. independent_set.c -lm && ./a.out
 *
 * log pi(x) = log fugacity times the number of sites in the set. Steps are paths of flips, which never leave the
 * independent sets; steps that draw all their flips at once would be rejected more and more often. On a small torus the
 * program compares the density with that of a transfer matrix; on a larger one, with odd sides, it searches for the
 * largest sets, whose size is known. It exits with 1 if a result is wrong.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>

#include "lbp.h"

typedef struct { uint32_t side; double log_fugacity; } torus;

/* Edge t joins site t / 2 to the one on its right, or below. */
static uint32_t torus_edge(const torus *m, uint32_t t, uint32_t *out) {
  const uint32_t side = m->side, row = t / 2 / side, column = t / 2 % side;
  out[0] = t / 2;
  out[1] = t % 2 ? (row + 1) % side * side + column : row * side + (column + 1) % side;
  return 2;
}

#define LBP_NAME               torus
#define LBP_MODEL_T            torus
#define LBP_TERM_COUNT(m)      (2 * (m)->side * (m)->side)
#define LBP_TERM_SITES         torus_edge
#define LBP_TERM(m, t, v)      ((v)[0] && (v)[1] ? -HUGE_VAL : 0) /* never both */
#define LBP_SITE_TERM(m, i, v) ((v) ? (m)->log_fugacity : 0)
#define LBP_TERM_MAX           2
#define LBP_TERMS_OF_MAX       4
#define LBP_TEMPERED           /* for torus_anneal */
#include "lbp_run.h"

enum { SMALL = 8, ROWS = 47, LARGE = 31, LARGEST = LARGE * (LARGE - 1) / 2 }; /* ROWS: independent sets of a ring of 8 */

/* log Z of the small torus: the trace of T^8, T between rows. */
static double log_z(double log_fugacity) {
  static double power[ROWS][ROWS], next[ROWS][ROWS];
  uint32_t row[ROWS], rows = 0, s, a, b, c, ones;
  double trace = 0;
  for (s = 0; s < 1u << SMALL; s++) {
    if ((s & (s << 1 | s >> (SMALL - 1))) == 0) row[rows++] = s;
  }
  for (a = 0; a < ROWS; a++) {
    for (b = 0; b < ROWS; b++) power[a][b] = a == b;
  }
  for (s = 0; s < SMALL; s++) {
    for (a = 0; a < ROWS; a++) {
      for (b = 0; b < ROWS; b++) {
        for (ones = 0, c = row[b]; c > 0; c >>= 1) ones += c & 1u;
        for (c = 0, next[a][b] = 0; c < ROWS; c++) next[a][b] += row[c] & row[b] ? 0 : power[a][c];
        next[a][b] *= exp(log_fugacity * ones);
      }
    }
    memcpy(power, next, sizeof power);
  }
  for (a = 0; a < ROWS; a++) trace += power[a][a];
  return log(trace);
}

/* Begins with the empty set. */
static void empty(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

int main(void) {
  const lbp_run_column density = {"density", lbp_run_ones, NULL, 0};
  const double fugacity[2] = {1, 4};
  const torus m = {LARGE, 1};
  lbp_run run;
  lbp_run_result result;
  int k, wrong = 0;
  for (k = 0; k < 2; k++) {
    const torus small = {SMALL, log(fugacity[k])};
    const double step = 1e-4, n = SMALL * SMALL;
    const double exact = (log_z(small.log_fugacity + step) - log_z(small.log_fugacity - step)) / (2 * step) / n;
    lbp_run_init(&run);
    run.sampler = LBP_SAMPLER_PATH;
    run.parameter = 25.5;                                  /* random, of even and odd length */
    run.start = empty;
    run.draws = 10000;
    run.column = &density;
    run.columns = 1;
    run.summary = stdout;
    if (torus_run(&run, &small, SMALL * SMALL, &result) != LBP_OK) {
      fprintf(stderr, "independent_set: %s\n", result.message);
      return 1;
    }
    printf("fugacity %g: density %.5f +- %.5f, exactly %.5f\n\n", fugacity[k], result.row[1].mean, result.row[1].mcse,
           exact);
    wrong |= !(fabs(result.row[1].mean - exact) < 5 * result.row[1].mcse) || result.row[1].mcse > 0.001;
    lbp_run_free(&result);
  }
  lbp_run_init(&run);
  run.sampler = LBP_SAMPLER_PATH;
  run.parameter = LARGE * LARGE / 4 + 0.5;
  run.start = empty;
  run.annealing.sweeps = 2000;
  run.chains = 8;
  if (torus_anneal(&run, &m, LARGE * LARGE, &result) != LBP_OK) {
    fprintf(stderr, "independent_set: %s\n", result.message);
    return 1;
  }
  printf("the largest set found on %d x %d has %g sites, of %d\n", LARGE, LARGE, result.best_logp[0], LARGEST);
  wrong |= result.best_logp[0] != LARGEST;
  lbp_run_free(&result);
  return wrong;
}
