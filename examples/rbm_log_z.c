/* log Z of a trained restricted Boltzmann machine by annealed importance sampling of tuned LBP steps.
 *
 *   cc -O3 -march=native -fopenmp -I.. rbm_log_z.c -lm && ./a.out
 *   ./a.out RBM MEANS CHAINS RUNGS STEPS      ../bench/data/rbm_400.bin ../bench/data/mnist_mean.txt 50 1000 4
 *
 * Annealing begins at independent pixels with the means of the training data, as in Salakhutdinov and Murray (ICML
 * 2008); from uniform pixels it would take many more rungs. With log Z, log pi becomes a log-probability: the program
 * prints log Z and the log-probability of the most probable picture of its chains.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "inputs.h" /* reads the file; brings lbp_models.h */
#include "usage.h"

enum { PIXELS = 28 * 28 };
static double base_odds[PIXELS]; /* of the pixels at beta = 0; never changed once made */

#define LBP_NAME        rbm
#define LBP_MODEL_T     lbp_rbm
#define LBP_REAL        lbp_real
#define LBP_WEIGHT      LBP_SQRT
#define LBP_FIELDS_T    lbp_rbm_fields
#define LBP_FIELDS_MAKE lbp_rbm_fields_init
#define LBP_FIELDS_FREE lbp_rbm_fields_free
#define LBP_FIELDS_INIT lbp_rbm_fields_set
#define LBP_FLIP        lbp_rbm_flip
#define LBP_SAVE        lbp_rbm_save
#define LBP_RESTORE     lbp_rbm_restore
#define LBP_DELTAS      lbp_rbm_deltas
#define LBP_LOGP        lbp_rbm_logp
#define LBP_TEMPERED
#define LBP_ROUNDING(m) (m)->rounding
#define LBP_BASE(m, i)  base_odds[i]
#include "lbp_run.h"

/* The means of pixels, to base_odds, as if one more picture of each kind had been seen among thousands. */
static int read_means(const char *path, char *why) {
  int status = input_numbers(path, PIXELS, base_odds, why);
  uint32_t i;
  for (i = 0; i < PIXELS && status == LBP_OK; i++) {
    const double mean = base_odds[i], p = 0.001 + 0.998 * mean;
    base_odds[i] = log(p / (1 - p));
    if (mean >= 0 && mean <= 1) continue;
    status = LBP_E_RANGE;
    snprintf(why, INPUT_WHY, "%.200s: number %lu is %g: means are from 0 to 1", path, (unsigned long)i + 1, mean);
  }
  return status;
}

int main(int argc, char **argv) {
  const char *input = argc > 1 ? argv[1] : "../bench/data/rbm_400.bin";
  const char *means = argc > 2 ? argv[2] : "../bench/data/mnist_mean.txt";
  const long chains = argc > 3 ? input_whole(argv[3]) : 50, rungs = argc > 4 ? input_whole(argv[4]) : 1000;
  const long steps = argc > 5 ? input_whole(argv[5]) : 4, most = 1000000;
  char why[INPUT_WHY];
  lbp_rbm model;
  lbp_run run;
  lbp_run_result result;
  lbp_ais_result annealed;
  int status;
  if (argc > 6 || usage_is_asked(argc, argv, 2) || chains < 1 || chains > most || rungs < 2 || rungs > most ||
      steps < 1 || steps > most) {
    fprintf(stderr, "usage: %s [RBM [MEANS [CHAINS, 1 to %ld [RUNGS, 2 to %ld [STEPS, 1 to %ld]]]]]\n", argv[0], most,
            most, most);
    return 2;
  }
  memset(&model, 0, sizeof model);
  status = read_means(means, why);
  if (status == LBP_OK) status = input_rbm(&model, input, why);
  if (status == LBP_OK && model.n != PIXELS) {
    status = LBP_E_SIZE;
    snprintf(why, sizeof why, "%.200s: not for pictures of %d pixels", input, PIXELS);
  }
  if (status != LBP_OK) {
    fprintf(stderr, "rbm_log_z: %s\n", why);
    lbp_rbm_free(&model);
    return 1;
  }
  lbp_run_init(&run);
  run.name = "rbm";
  run.chains = (uint32_t)chains;
  run.tempering.rungs = (uint32_t)rungs;
  run.thin = (uint32_t)steps;
  status = rbm_ais(&run, &model, model.n, &annealed);
  if (status != LBP_OK) {
    fprintf(stderr, "rbm_log_z: %s\n", annealed.message);
  } else {
    printf("log Z = %.2f +- %.2f (%.1f effective of %lu weights, acceptance rate %.2f, %.1f s)\n", annealed.log_z,
           annealed.log_z_se, annealed.weights, (unsigned long)run.chains, annealed.accept, annealed.seconds);
    run.tempering.rungs = 1;
    run.warmup = 200;
    run.draws = 100;
    status = rbm_run(&run, &model, model.n, &result);
    if (status != LBP_OK) fprintf(stderr, "rbm_log_z: %s\n", result.message);
    else printf("the likeliest picture seen: log-probability %.1f\n", result.best_logp[0] - annealed.log_z);
    lbp_run_free(&result);
  }
  lbp_ais_free(&annealed);
  lbp_rbm_free(&model);
  return status != LBP_OK;
}
