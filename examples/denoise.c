/* Denoises a black-and-white picture with an Ising prior: marginals and the most probable picture (MAP) by lbp_run.h.
 *
 *   cc -O3 -march=native -fopenmp -I.. denoise.c -lm && ./a.out
 *         makes a picture, adds noise, and writes denoise.pgm: the picture, the noisy one, the two answers
 *   ./a.out IN.pgm OUT.pgm [AGREE]
 *         grey values below 128 are black; IN: -: the picture that it makes; AGREE: strength of the prior, 0 to 100
 *         (1); OUT: the two answers side by side
 *
 * x_i is the true pixel, y_i the noisy one, wrong one time in five: log pi(x) = sum over neighbours of
 * agree / 2 s_i s_j + sum over pixels of evidence / 2 s_i y_i, with s, y = +-1 and evidence = log 0.8 / 0.2. The first
 * answer shows P(x_i = 1 | y) as grey, so uncertain pixels look uncertain. Cut at 1/2, it has the smallest expected
 * number of wrong pixels, for pictures that follow the prior. The second answer is the x with the largest log pi that
 * annealing finds.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "inputs.h" /* brings lbp_models.h */
#include "usage.h"
#include "pgm.h"

#define LBP_NAME           picture
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#define LBP_TEMPERED
#define LBP_ROUNDING(m)    (m)->rounding
#include "lbp_run.h"

enum { SIDE = 128 };

static const double evidence = 1.3862943611198906; /* log 0.8 / 0.2 */

/* Reads a picture as zeros and ones; NULL, after an error message, if it is none. */
static uint8_t *read_picture(const char *path, uint32_t *rows, uint32_t *columns) {
  char why[PGM_WHY];
  uint8_t *pixel = pgm_read(path, rows, columns, why);
  size_t k;
  if (!pixel) fprintf(stderr, "denoise: %s\n", why);
  for (k = 0; pixel && k < (size_t)*rows * *columns; k++) pixel[k] = pixel[k] >= 128;
  return pixel;
}

/* A ring, a bar and a triangle. */
static uint8_t *draw_picture(void) {
  uint8_t *pixel = (uint8_t *)calloc(SIDE * SIDE, 1);
  int row, column;
  for (row = 0; pixel && row < SIDE; row++) {
    for (column = 0; column < SIDE; column++) {
      const int y = row - 44, x = column - 44, square = x * x + y * y;
      const int ring = square < 34 * 34 && square > 18 * 18, bar = column > 88 && column < 104 && row > 12 && row < 116;
      const int triangle = row > 84 && row < 120 && column > 20 && column < 20 + 2 * (row - 84);
      pixel[row * SIDE + column] = (uint8_t)(ring | bar | triangle);
    }
  }
  return pixel;
}

/* Writes `panels` pictures of the same size side by side, 0 to 1 as black to white. */
static int write_pictures(const char *path, double *const *panel, int panels, uint32_t rows, uint32_t columns) {
  FILE *file = fopen(path, "wb");
  uint32_t row, column;
  int good = file != NULL, k;
  if (good) good = fprintf(file, "P5\n%u %u\n255\n", (unsigned)columns * (unsigned)panels, (unsigned)rows) > 0;
  for (row = 0; good && row < rows; row++) {
    for (k = 0; k < panels; k++) {
      for (column = 0; column < columns; column++) {
        good &= fputc((int)(255 * panel[k][(size_t)row * columns + column] + 0.5), file) != EOF;
      }
    }
  }
  if (file && fclose(file) != 0) good = 0;
  if (!good) perror(path);
  return good;
}

/* P(x_i = 1 | y), into marginal[n]. */
static int find_marginals(const lbp_ising *model, uint32_t n, double *marginal) {
  lbp_run run;
  lbp_run_result result;
  int status;
  lbp_run_init(&run);
  run.name = "picture";
  run.warmup = 2000;
  run.thin = 10;
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  run.summary = stdout;
  status = picture_run(&run, model, n, &result);
  if (status != LBP_OK) fprintf(stderr, "denoise: %s\n", result.message);
  else memcpy(marginal, result.marginal, n * sizeof *marginal);
  lbp_run_free(&result);
  return status;
}

/* The most probable picture, into map[n]. */
static int find_map(const lbp_ising *model, uint32_t n, double *map) {
  lbp_run run;
  lbp_run_result result;
  uint32_t i;
  int status;
  lbp_run_init(&run);
  run.name = "picture";
  run.annealing.sweeps = 1000;
  run.summary = stdout;
  status = picture_anneal(&run, model, n, &result);
  if (status != LBP_OK) fprintf(stderr, "denoise: %s\n", result.message);
  for (i = 0; status == LBP_OK && i < n; i++) map[i] = result.best[i];
  lbp_run_free(&result);
  return status;
}

/* The share of pixels that differ, in per cent. */
static double apart(const double *answer, const double *truth, uint32_t n) {
  uint32_t i, wrong = 0;
  for (i = 0; i < n; i++) wrong += (answer[i] > 0.5) != (truth[i] > 0.5);
  return 100.0 * wrong / n;
}

int main(int argc, char **argv) {
  const int own = argc < 3 || strcmp(argv[1], "-") == 0;
  const char *output = argc < 3 ? "denoise.pgm" : argv[2];
  const double agree = argc > 3 ? input_real(argv[3]) : 1;
  uint32_t rows = SIDE, columns = SIDE, n, i;
  uint8_t *read;
  double *panel[4] = {NULL, NULL, NULL, NULL}; /* the picture, the input, the two answers */
  double *field;
  lbp_ising model;
  lbp_rng rng;
  int status = LBP_OK, good = 0, k;
  if (argc == 2 || argc > 4 || usage_is_asked(argc, argv, 2) || !(agree >= 0 && agree <= 100)) {
    fprintf(stderr, "usage: %s [IN.pgm OUT.pgm [AGREE, 0 to 100]]\n", argv[0]);
    return 2;
  }
  read = own ? draw_picture() : read_picture(argv[1], &rows, &columns);
  if (!read) return 1;
  n = rows * columns;
  field = (double *)malloc(n * sizeof *field);
  for (k = 0; k < 4; k++) panel[k] = (double *)malloc(n * sizeof *field);
  if (!field || !panel[0] || !panel[1] || !panel[2] || !panel[3]) status = LBP_E_MEMORY;
  lbp_rng_init(&rng, 5, 0);
  for (i = 0; status == LBP_OK && i < n; i++) {
    panel[0][i] = read[i];
    if (own && lbp_u01(lbp_rng_u64(&rng)) < 0.2) read[i] ^= 1u;
    panel[1][i] = read[i];
    field[i] = (read[i] ? evidence : -evidence) / 2;
  }
  if (status == LBP_OK) status = lbp_ising_init(&model, rows, columns, agree / 2, field);
  if (status != LBP_OK) {
    fprintf(stderr, "denoise: %s\n", lbp_error(status));
  } else {
    status = find_marginals(&model, n, panel[2]);
    if (status == LBP_OK) status = find_map(&model, n, panel[3]);
    if (status == LBP_OK) good = write_pictures(output, own ? panel : panel + 2, own ? 4 : 2, rows, columns);
    if (status == LBP_OK && own) {
      printf("wrong pixels: %.1f %% before, %.2f %% by marginals, %.2f %% in the most probable picture\n",
             apart(panel[1], panel[0], n), apart(panel[2], panel[0], n), apart(panel[3], panel[0], n));
    }
    if (good) printf("%s has the picture\n", output);
    lbp_ising_free(&model);
  }
  free(field);
  for (k = 0; k < 4; k++) free(panel[k]);
  free(read);
  return !good;
}
