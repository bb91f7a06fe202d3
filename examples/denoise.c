/* A noisy black-and-white picture in, a clean one out: the Ising prior, marginals by lbp_run.h.
 *
 *   cc -O3 -march=native -fopenmp -I.. denoise.c -lm && ./a.out
 *         makes a picture, spoils it, writes denoise.pgm: the picture, what is left of it, the answer
 *   ./a.out IN.pgm OUT.pgm [AGREE]
 *         grey values below 128 are black; IN: - is the picture that it makes; AGREE: how much neighbours agree (1)
 *
 * x_i is the true pixel, y_i the one that was read, wrong one time in five: log pi(x) = sum over neighbours of
 * agree / 2 s_i s_j + sum over pixels of evidence / 2 s_i y_i, with s, y = +-1 and evidence = log 0.8 / 0.2. The answer
 * shows P(x_i = 1 | y) as grey: what is not known is not made up.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "lbp_models.h"
#include "pgm.h"

#define LBP_NAME           picture
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#include "lbp_run.h"

enum { SIDE = 128 };

static const double evidence = 1.3862943611198906; /* log 0.8 / 0.2 */

/* Reads a picture as zeros and ones; NULL, after saying why, if it is none. */
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
static int write_pictures(const char *path, const double *const *panel, int panels, uint32_t rows, uint32_t columns) {
  FILE *file = fopen(path, "wb");
  uint32_t row, column;
  int good = file != NULL, k;
  if (good) good = fprintf(file, "P5\n%u %u\n255\n", (unsigned)columns * (unsigned)panels, (unsigned)rows) > 0;
  for (row = 0; good && row < rows; row++) {
    for (k = 0; k < panels; k++) {
      for (column = 0; column < columns; column++) {
        good = fputc((int)(255 * panel[k][(size_t)row * columns + column] + 0.5), file) != EOF;
      }
    }
  }
  if (file && fclose(file) != 0) good = 0;
  if (!good) perror(path);
  return good;
}

int main(int argc, char **argv) {
  const int own = argc < 3 || strcmp(argv[1], "-") == 0;
  const char *output = argc < 3 ? "denoise.pgm" : argv[2];
  const double agree = argc > 3 ? strtod(argv[3], NULL) : 1;
  uint32_t rows = SIDE, columns = SIDE, n, i, wrong = 0, left = 0;
  uint8_t *read = own ? draw_picture() : read_picture(argv[1], &rows, &columns);
  double *truth, *noisy, *field;
  lbp_ising model;
  lbp_run run;
  lbp_run_result result;
  lbp_rng rng;
  int status = LBP_E_MEMORY, good = 0;
  if (!read) return 1;
  n = rows * columns;
  truth = (double *)malloc(n * sizeof *truth);
  noisy = (double *)malloc(n * sizeof *noisy);
  field = (double *)malloc(n * sizeof *field);
  if (truth && noisy && field) {
    lbp_rng_init(&rng, 5, 0);
    for (i = 0; i < n; i++) {
      truth[i] = read[i];
      if (own && lbp_u01(lbp_rng_u64(&rng)) < 0.2) read[i] ^= 1u;
      noisy[i] = read[i];
      field[i] = (read[i] ? evidence : -evidence) / 2;
    }
    status = lbp_ising_init(&model, rows, columns, agree / 2, field);
  }
  if (status == LBP_OK) {
    lbp_run_init(&run);
    run.name = "picture";
    run.chains = 4;
    run.warmup = 2000;
    run.draws = 1000;
    run.thin = 10;
    run.marginals = LBP_MARGINALS_CONDITIONAL;
    run.summary = stdout;
    status = picture_run(&run, &model, n, &result);
    if (status != LBP_OK) fprintf(stderr, "denoise: %s\n", result.message);
    if (status == LBP_OK) {
      const double *panel[3];
      panel[0] = own ? truth : result.marginal;
      panel[1] = noisy;
      panel[2] = result.marginal;
      good = write_pictures(output, panel, own ? 3 : 1, rows, columns);
      for (i = 0; own && i < n; i++) {
        wrong += noisy[i] != truth[i];
        left += (result.marginal[i] > 0.5) != (truth[i] > 0.5);
      }
      if (own) printf("wrong pixels: %.1f %% before, %.2f %% after\n", 100.0 * wrong / n, 100.0 * left / n);
      if (good) printf("%s has the picture\n", output);
    }
    lbp_run_free(&result);
    lbp_ising_free(&model);
  } else {
    fprintf(stderr, "denoise: %s\n", lbp_error(status));
  }
  free(truth);
  free(noisy);
  free(field);
  free(read);
  return !good;
}
