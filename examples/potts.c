/* Segments a noisy grey picture into a few grey levels: a Potts prior, one Gaussian per level, marginals by lbp_run.h.
 *
 *   cc -O3 -march=native -fopenmp -I.. potts.c -lm && ./a.out
 *         makes a picture of four levels, adds noise, and writes potts.pgm: the picture, the noisy one, the answer. It
 *         exits with 1 if more than one pixel in twenty is wrong
 *   ./a.out IN.pgm OUT.pgm [LEVELS [AGREE]]
 *         IN: -: the picture that it makes; LEVELS: 2 to 8 (4); AGREE: strength of the prior (1)
 *
 * x_i is the level of pixel i, y_i its grey value: log pi(x) = agree * number of neighbours of the same level - sum of
 * (y_i - mean_{x_i})^2 / (2 sigma^2) over pixels. The levels' means and sigma are those of a mixture of Gaussians, by
 * EM on the grey values. The answer shows each pixel at the mean of its likeliest level, by marginals of all chains.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "inputs.h" /* brings lbp_models.h */
#include "usage.h"
#include "lbp/models/potts.h"
#include "pgm.h"

enum { MOST = 8, SIDE = 128, GREYS = 256 };

#define LBP_NAME           picture
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     8 /* MOST */
#define LBP_CAT_STATES_OF  lbp_potts_values
#define LBP_CAT_DELTAS_OF  lbp_potts_deltas_of
#define LBP_CAT_DELTA      lbp_potts_delta
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#define LBP_LOGP           lbp_potts_logp
#include "lbp_run.h"

typedef struct {
  uint32_t rows, columns, levels;
  uint8_t *grey, *truth; /* truth: the levels of the picture that is made here, or NULL */
  double mean[MOST], sigma;
} picture;

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

static int no_memory(void) {
  fprintf(stderr, "potts: %s\n", lbp_error(LBP_E_MEMORY));
  return 0;
}

/* Whether it could be read; prints why not. */
static int read_picture(const char *path, picture *p) {
  char why[PGM_WHY];
  p->grey = pgm_read(path, &p->rows, &p->columns, why);
  if (!p->grey) fprintf(stderr, "potts: %s\n", why);
  return p->grey != NULL;
}

/* A disc, a ring and a bar, each of its own level, and noise with half a level's height. */
static int draw_picture(picture *p) {
  lbp_rng rng;
  int row, column;
  p->rows = p->columns = SIDE;
  p->grey = (uint8_t *)calloc(SIDE, SIDE);
  p->truth = (uint8_t *)calloc(SIDE, SIDE);
  if (!p->grey || !p->truth) return no_memory();
  lbp_rng_init(&rng, 5, 0);
  for (row = 0; row < SIDE; row++) {
    for (column = 0; column < SIDE; column++) {
      const int y = row - 50, x = column - 50, square = x * x + y * y, i = row * SIDE + column;
      const int bar = column > 88 && column < 112 && row > 12 && row < 116;
      const int level = square < 20 * 20 ? 3 : square < 38 * 38 ? 1 : bar ? 2 : 0;
      const double v = 46 + 54 * level + 27 * lbp_models_normal(&rng);
      p->truth[i] = (uint8_t)level;
      p->grey[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
  }
  return 1;
}

/* Pictures side by side: the truth if it is known, the input, the answer. */
static int write_pictures(const char *path, const picture *p, const uint8_t *level) {
  FILE *file = fopen(path, "wb");
  const unsigned panels = p->truth ? 3 : 2;
  uint32_t row, k;
  size_t column;
  int good = file != NULL;
  if (good) good = fprintf(file, "P5\n%u %u\n255\n", (unsigned)p->columns * panels, (unsigned)p->rows) > 0;
  for (row = 0; good && row < p->rows; row++) {
    for (k = 3 - panels; k < 3; k++) {
      for (column = (size_t)row * p->columns; column < (size_t)(row + 1) * p->columns; column++) {
        const uint8_t shown = k == 0 ? p->truth[column] : level[column];
        const double v = k == 1 ? p->grey[column] : p->mean[shown] + 0.5;
        good &= fputc((int)(v < 0 ? 0 : v > 255 ? 255 : v), file) != EOF;
      }
    }
  }
  if (file && fclose(file) != 0) good = 0;
  if (!good) perror(path);
  return good;
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

/* The means of a mixture of Gaussians with one sigma, by EM, from even ones on that nine in ten grey values span. */
static void find_levels(picture *p) {
  const size_t count = (size_t)p->rows * p->columns;
  double share[MOST], histogram[GREYS] = {0}, seen = 0;
  uint32_t v;
  size_t i;
  int g, round, low = -1, high = -1;
  for (i = 0; i < count; i++) histogram[p->grey[i]] += 1.0 / (double)count;
  for (g = 0; g < GREYS; g++) {
    seen += histogram[g];
    if (low < 0 && seen > 0.05) low = g;
    if (high < 0 && seen > 0.95) high = g;
  }
  p->sigma = (high - low) / (2.0 * p->levels) + 1;
  for (v = 0; v < p->levels; v++) {
    p->mean[v] = low + (v + 0.5) / p->levels * (high - low);
    share[v] = 1.0 / p->levels;
  }
  for (round = 0; round < 200; round++) {
    double weight[MOST] = {0}, sum[MOST] = {0}, square = 0;
    for (g = 0; g < GREYS; g++) {
      double density[MOST], total = 1e-300;
      for (v = 0; v < p->levels; v++) {
        const double z = (g - p->mean[v]) / p->sigma;
        total += density[v] = share[v] * exp(-z * z / 2);
      }
      for (v = 0; v < p->levels; v++) {
        const double part = histogram[g] * density[v] / total;
        weight[v] += part, sum[v] += part * g, square += part * (g - p->mean[v]) * (g - p->mean[v]);
      }
    }
    for (v = 0; v < p->levels; v++) {
      share[v] = weight[v];
      if (weight[v] > 1e-9) p->mean[v] = sum[v] / weight[v];
    }
    p->sigma = square > 1 ? sqrt(square) : 1;
  }
}

/* Chains begin where each pixel is at the level nearest to it. */
static uint8_t nearest(const picture *p, uint8_t grey) {
  uint32_t v, best = 0;
  for (v = 1; v < p->levels; v++) best = fabs(grey - p->mean[v]) < fabs(grey - p->mean[best]) ? v : best;
  return (uint8_t)best;
}

static void start(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  const picture *p = (const picture *)data;
  uint32_t i;
  (void)chain;
  for (i = 0; i < n; i++) x[i] = nearest(p, p->grey[i]);
}

/* The likeliest level of each pixel. */
static int find_labels(const picture *p, double agree, uint8_t *level) {
  const uint32_t n = p->rows * p->columns;
  double *h = (double *)calloc(n, p->levels * sizeof *h);
  lbp_potts model;
  lbp_run run;
  lbp_run_result result;
  uint32_t i, v;
  int status = h ? LBP_OK : LBP_E_MEMORY;
  for (i = 0; i < n * p->levels && h; i++) {
    const double z = (p->grey[i / p->levels] - p->mean[i % p->levels]) / p->sigma;
    h[i] = -z * z / 2;
  }
  if (status == LBP_OK) status = lbp_potts_grid(&model, p->rows, p->columns, p->levels, agree, 0, h);
  free(h);
  if (status != LBP_OK) {
    fprintf(stderr, "potts: %s\n", lbp_error(status));
    return 0;
  }
  lbp_run_init(&run);
  run.name = "picture";
  run.sampler = LBP_SAMPLER_GIBBS;
  run.chains = 4;
  run.warmup = 200;
  run.draws = 300;
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  run.start = start;
  run.start_data = p;
  run.summary = stdout;
  status = picture_run(&run, &model, n, &result);
  if (status != LBP_OK) fprintf(stderr, "potts: %s\n", result.message);
  for (i = 0; i < n && status == LBP_OK; i++) {
    const double *share = result.marginal + (size_t)i * MOST;
    level[i] = 0;
    for (v = 1; v < p->levels; v++) level[i] = (uint8_t)(share[v] > share[level[i]] ? v : level[i]);
  }
  lbp_run_free(&result);
  lbp_potts_free(&model);
  return status == LBP_OK;
}

int main(int argc, char **argv) {
  const int own = argc < 2 || strcmp(argv[1], "-") == 0;
  const char *output = argc > 2 ? argv[2] : "potts.pgm";
  const long levels = argc > 3 ? input_whole(argv[3]) : 4;
  const double agree = argc > 4 ? input_real(argv[4]) : 1;
  picture p;
  uint8_t *level = NULL;
  uint32_t i, n, v, before = 0, after = 0;
  int good;
  memset(&p, 0, sizeof p);
  if (argc > 5 || usage_is_asked(argc, argv, 2) || levels < 2 || levels > MOST || !(agree >= 0 && agree <= 100)) {
    fprintf(stderr, "usage: %s [IN.pgm OUT.pgm [LEVELS, 2 to %d [AGREE, 0 to 100]]]\n", argv[0], MOST);
    return 2;
  }
  p.levels = (uint32_t)levels;
  good = own ? draw_picture(&p) : read_picture(argv[1], &p);
  n = p.rows * p.columns;
  if (good) level = (uint8_t *)calloc(n, 1);
  if (good && !level) good = no_memory();
  if (good) {
    find_levels(&p);
    printf("levels:");
    for (v = 0; v < p.levels; v++) printf(" %.0f", p.mean[v]);
    printf(", sigma %.1f\n", p.sigma);
    good = find_labels(&p, agree, level);
  }
  if (good) good = write_pictures(output, &p, level);
  for (i = 0; i < n && good && p.truth && levels == 4; i++) {
    before += nearest(&p, p.grey[i]) != p.truth[i];
    after += level[i] != p.truth[i];
  }
  if (good && p.truth && levels == 4) {
    printf("wrong pixels: %.1f %% before, %.2f %% after\n", 100.0 * before / n, 100.0 * after / n);
    good = agree < 1 || agree > 1 || after * 20 <= n;
  }
  if (good) printf("%s has the picture\n", output);
  free(level);
  free(p.grey);
  free(p.truth);
  return !good;
}
