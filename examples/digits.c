/* Draws digits from a restricted Boltzmann machine trained on handwritten ones, into a picture.
 *
 *   cc -O3 -march=native -I.. digits.c -lm && ./a.out      reads ../bench/data/rbm_400.bin, writes digits.pgm
 *   ./a.out RBM PICTURE STEPS
 *
 * A hundred chains start from an empty picture and take tuned LBP steps; each shows the probabilities of its pixels
 * at the end.
 */
#include <math.h>
#include <stdio.h>

#include "inputs.h" /* reads the file; brings lbp_models.h */
#include "usage.h"

#define LBP_NAME        rbm
#define LBP_MODEL_T     lbp_rbm
#define LBP_REAL        lbp_real
#define LBP_WEIGHT      LBP_SQRT
#define LBP_FIELDS_T    lbp_rbm_fields
#define LBP_FIELDS_INIT lbp_rbm_fields_set
#define LBP_FLIP        lbp_rbm_flip
#define LBP_SAVE        lbp_rbm_save
#define LBP_RESTORE     lbp_rbm_restore
#define LBP_DELTAS      lbp_rbm_deltas /* gradients: cheap and not exact, so ... */
#define LBP_LOGP        lbp_rbm_logp   /* ... this decides acceptance */
#include "lbp.h"

enum { SIDE = 28, PIXELS = SIDE * SIDE, ACROSS = 10, DOWN = 10, WIDTH = ACROSS * SIDE };

/* Runs one chain; grey[] gets P(x_i = 1 | all other pixels) in 0 ... 255 at its end. */
static int draw_digit(const lbp_rbm *m, lbp_rbm_fields *fields, uint64_t which, uint32_t steps, uint8_t *grey,
                      double *r, double *rate) {
  static uint8_t x[PIXELS];
  static uint64_t ws[LBP_WS_LEN_DENSE(PIXELS)];
  rbm_chain chain;
  rbm_tuner tuner;
  lbp_rng rng;
  int status = LBP_OK;
  lbp_rng_init(&rng, 28, which);
  memset(x, 0, sizeof x);
  status = rbm_init(&chain, PIXELS, x, fields, ws, LBP_WS_LEN_DENSE(PIXELS));
  if (!status) status = rbm_tuner_init(&tuner, PIXELS, steps / 2, LBP_TARGET_LBP);
  if (status) return status;
  for (uint32_t t = 0; t < steps; t++) *rate += rbm_albp_step(&chain, m, &tuner, &rng).accept / steps;
  *r += tuner.r;
  for (uint32_t i = 0; i < PIXELS; i++) {
    const double d = lbp_rbm_delta(m, fields, x, i), on = 1 / (1 + exp(x[i] ? d : -d));
    grey[i] = (uint8_t)(255 * on + 0.5);
  }
  return LBP_OK;
}

/* A grey-scale picture in the PGM format. */
static int write_picture(const char *path, const uint8_t *picture) {
  FILE *file = fopen(path, "wb");
  int good;
  if (!file) return 0;
  good = fprintf(file, "P5\n%d %d\n255\n", WIDTH, DOWN * SIDE) > 0;
  good = fwrite(picture, WIDTH, (size_t)DOWN * SIDE, file) == (size_t)DOWN * SIDE && good;
  return fclose(file) == 0 && good;
}

int main(int argc, char **argv) {
  static uint8_t picture[DOWN * SIDE * WIDTH];
  const char *input = argc > 1 ? argv[1] : "../bench/data/rbm_400.bin";
  const char *output = argc > 2 ? argv[2] : "digits.pgm";
  const long steps = argc > 3 ? input_whole(argv[3]) : 2000;
  char why[INPUT_WHY];
  lbp_rbm model;
  lbp_rbm_fields fields;
  double r = 0, rate = 0;
  int status = LBP_OK;

  if (argc > 4 || usage_is_asked(argc, argv, 2) || steps < 1 || steps > 1000000000) {
    fprintf(stderr, "usage: %s [RBM [PICTURE, to write [STEPS, 1 to 1000000000]]]\n", argv[0]);
    return 2;
  }
  if (input_rbm(&model, input, why) != LBP_OK) {
    fprintf(stderr, "digits: %s\n", why);
    return 1;
  }
  if (model.n != PIXELS || lbp_rbm_fields_init(&model, &fields) != LBP_OK) {
    fprintf(stderr, "digits: %s: not for pictures of %d x %d pixels, or no memory\n", input, SIDE, SIDE);
    lbp_rbm_free(&model);
    return 1;
  }
  for (int k = 0; k < ACROSS * DOWN && status == LBP_OK; k++) {
    uint8_t grey[PIXELS], *corner = picture + (size_t)(k / ACROSS) * SIDE * WIDTH + (size_t)(k % ACROSS) * SIDE;
    status = draw_digit(&model, &fields, (uint64_t)k, (uint32_t)steps, grey, &r, &rate);
    for (int row = 0; row < SIDE; row++) memcpy(corner + (size_t)row * WIDTH, grey + (size_t)row * SIDE, SIDE);
  }
  lbp_rbm_fields_free(&fields);
  lbp_rbm_free(&model);
  if (status != LBP_OK || !write_picture(output, picture)) {
    fprintf(stderr, "digits: %s\n", status ? lbp_error(status) : "the picture could not be written");
    return 1;
  }
  printf("%s: %d digits, %u LBP steps each, R = %.1f on average, acceptance rate %.3f\n", output, ACROSS * DOWN,
         (unsigned)steps, r / (ACROSS * DOWN), rate / (ACROSS * DOWN));
  return 0;
}
