/* The critical temperature of the Ising model on square grids, by the crossing of Binder cumulants: cluster steps of
 * Swendsen and Wang, and a picture.
 *
 *   cc -O3 -march=native -fopenmp -I.. binder.c -lm && ./a.out
 *   ./a.out DRAWS OUT.svg        DRAWS of each of 8 chains, for sides 8, 16 and 32 at 9 temperatures
 *
 * U = 1 - <m^4> / (3 <m^2>^2), m the magnetisation, is 2/3 where all spins agree and 0 where none do; at the critical
 * point, beta = log(1 + sqrt 2) / 2 = 0.44069, it is the same at all sizes, 0.6107 with periodic boundaries
 * (Kamieniarz, Bloete, J. Phys. A 26, 1993), up to corrections that decrease with the side. Standard errors come from
 * the spread between chains. The program exits with 1 if U of the largest side differs from that value by more than
 * five of them.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "inputs.h" /* brings lbp_models.h */

#define LBP_NAME           magnet
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           lbp_graph_logp
#define LBP_PAIRS          lbp_graph_pairs
#define LBP_FIELD          lbp_graph_field
#define LBP_TEMPERED
#include "lbp_run.h"

enum { SIDES = 3, BETAS = 9, CHAINS = 8 };
#define CRITICAL 0.44068679350977147

/* Sums of powers of m, of each chain. */
typedef struct {
  uint32_t n;
  double square[CHAINS], fourth[CHAINS];
} sums;

static void take(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  sums *s = (sums *)data;
  const double m = 2 * lbp_run_ones(NULL, x, s->n) - 1;
  s->square[chain] += m * m;
  s->fourth[chain] += m * m * m * m;
  (void)draw, (void)values;
}

/* A torus of side^2 spins, J = 1. */
static int make_torus(lbp_graph *m, uint32_t side) {
  const uint32_t n = side * side;
  uint32_t *ends = (uint32_t *)malloc((size_t)4 * n * sizeof *ends), i, e = 0;
  double *J = (double *)malloc((size_t)2 * n * sizeof *J);
  int status = ends && J ? LBP_OK : LBP_E_MEMORY;
  for (i = 0; status == LBP_OK && i < n; i++) {
    ends[2 * e] = i, ends[2 * e + 1] = i / side * side + (i + 1) % side, J[e++] = 1;
    ends[2 * e] = i, ends[2 * e + 1] = (i + side) % n, J[e++] = 1;
  }
  if (status == LBP_OK) status = lbp_graph_init(m, n, NULL, e, ends, J, 4);
  free(ends);
  free(J);
  return status;
}

/* U of a side at a temperature, and its standard error. */
static int cumulant(uint32_t side, double beta, uint64_t draws, double *U, double *se) {
  lbp_graph model;
  lbp_run run;
  lbp_run_result result;
  sums s;
  double each[CHAINS];
  uint32_t k;
  int status = make_torus(&model, side);
  if (status != LBP_OK) return status;
  memset(&s, 0, sizeof s);
  s.n = side * side;
  lbp_run_init(&run);
  run.name = "binder";
  run.sampler = LBP_SAMPLER_SWENDSEN_WANG;
  run.tempering.ladder = &beta; /* of one rung: the temperature */
  run.seed = side;
  run.chains = CHAINS;
  run.warmup = 500;
  run.draws = draws;
  run.save_states = LBP_STATES_PASSED;
  run.on_draw = take;
  run.on_draw_data = &s;
  status = magnet_run(&run, &model, model.n, &result);
  if (status != LBP_OK) fprintf(stderr, "binder: %s\n", result.message);
  for (k = 0; k < CHAINS; k++) {
    const double square = s.square[k] / (double)draws, fourth = s.fourth[k] / (double)draws;
    each[k] = 1 - fourth / (3 * square * square);
  }
  if (status == LBP_OK) status = lbp_mean_se(each, CHAINS, U, se);
  lbp_run_free(&result);
  lbp_graph_free(&model);
  return status;
}

/* U against beta, a line for each side. */
static int draw(const char *path, const uint32_t *side, const double *beta, double U[SIDES][BETAS]) {
  static const char *const colour[SIDES] = {"#999999", "#0057b7", "#c00000"};
  FILE *file = fopen(path, "w");
  uint32_t s, b;
  int failed;
  if (!file) return LBP_E_FILE;
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"360\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n<rect width=\"640\" height=\"360\" fill=\"white\"/>\n"
          "<path d=\"M60 20V320H620\" fill=\"none\" stroke=\"black\"/>\n<path d=\"M340 20V320\" stroke=\"#cccccc\"/>\n"
          "<text x=\"340\" y=\"340\" text-anchor=\"middle\">beta = 0.44069</text>\n"
          "<text x=\"60\" y=\"340\" text-anchor=\"middle\">%.4f</text>\n"
          "<text x=\"620\" y=\"340\" text-anchor=\"end\">%.4f</text>\n<text x=\"54\" y=\"24\" text-anchor=\"end\">2/3</text>\n"
          "<text x=\"54\" y=\"320\" text-anchor=\"end\">0.4</text>\n<text x=\"54\" y=\"172\" text-anchor=\"end\">U</text>\n",
          beta[0], beta[BETAS - 1]);
  for (s = 0; s < SIDES; s++) {
    fprintf(file, "<path d=\"");
    for (b = 0; b < BETAS; b++) {
      const double y = 320 - 300 * (U[s][b] - 0.4) / (2.0 / 3 - 0.4);
      fprintf(file, "%c%.1f %.1f", b == 0 ? 'M' : 'L', 60 + 560.0 * b / (BETAS - 1), y > 320 ? 320 : y);
    }
    fprintf(file, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n<text x=\"80\" y=\"%lu\" fill=\"%s\">side %lu</text>\n",
            colour[s], 40 + 16ul * s, colour[s], (unsigned long)side[s]);
  }
  fprintf(file, "</svg>\n");
  failed = ferror(file);
  if (fclose(file) != 0) failed = 1;
  return failed ? LBP_E_FILE : LBP_OK;
}

int main(int argc, char **argv) {
  static const uint32_t side[SIDES] = {8, 16, 32};
  const long draws = argc > 1 ? input_whole(argv[1]) : 1000;
  double beta[BETAS], U[SIDES][BETAS], se[SIDES][BETAS];
  uint32_t s, b;
  int status = LBP_OK, right;
  if (argc > 3 || draws < 16 || draws > 1000000000) {
    fprintf(stderr, "usage: %s [DRAWS, 16 to 1000000000 [OUT.svg]]\n", argv[0]);
    return 2;
  }
  for (b = 0; b < BETAS; b++) beta[b] = CRITICAL + 0.005 * ((double)b - (BETAS - 1) / 2);
  printf("%8s", "beta");
  for (s = 0; s < SIDES; s++) printf("      side %-8lu", (unsigned long)side[s]);
  for (b = 0; b < BETAS && status == LBP_OK; b++) {
    printf("\n%8.5f", beta[b]);
    for (s = 0; s < SIDES && status == LBP_OK; s++) {
      status = cumulant(side[s], beta[b], (uint64_t)draws, &U[s][b], &se[s][b]);
      if (status == LBP_OK) printf("  %.4f +- %.4f", U[s][b], se[s][b]);
    }
  }
  printf("\n");
  if (status == LBP_OK && argc > 2) status = draw(argv[2], side, beta, U);
  if (status != LBP_OK) {
    fprintf(stderr, "binder: %s\n", lbp_error(status));
    return 1;
  }
  right = fabs(U[SIDES - 1][BETAS / 2] - 0.6107) <= 5 * se[SIDES - 1][BETAS / 2] + 0.002;
  printf("at the critical point U = %.4f +- %.4f of side %lu; 0.6107 is expected of large ones\n",
         U[SIDES - 1][BETAS / 2], se[SIDES - 1][BETAS / 2], (unsigned long)side[SIDES - 1]);
  return !right;
}
