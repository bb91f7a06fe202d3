/* The models of the benchmarks, in the paper's configurations, behind one table: name, size, data file, instance. */
#ifndef BENCH_MODELS_H
#define BENCH_MODELS_H

#include "../lbp_models.h"
#include "harness.h"
#include "instances.h"

#define SET        barker
#define SET_WEIGHT LBP_BARKER
#include "model_set.h"

#define SET        sqrt
#define SET_WEIGHT LBP_SQRT
#include "model_set.h"

enum { MODEL_BERNOULLI, MODEL_ISING, MODEL_FHMM, MODEL_RBM, MODEL_COUNT };
enum { WEIGHT_BARKER, WEIGHT_SQRT, WEIGHT_COUNT };

static const char *const model_names[MODEL_COUNT] = {"bernoulli", "ising", "fhmm", "rbm"};
static const char *const weight_names[WEIGHT_COUNT] = {"t/(1+t)", "sqrt(t)"};

/* One model of table 1 of the paper, or its smoother (C1) or sharper (C3) sibling. */
typedef struct {
  int kind, config;
  char size[16];                   /* as reference.csv and paper.csv name it */
  uint32_t n, steps;               /* sites; the paper's number of steps */
  instance instances[WEIGHT_COUNT];
  double *start;                   /* initial P(x_i = 1), or NULL for fair coins */
  uint8_t *reference;              /* the trace is the Hamming distance to this state */
  union {
    lbp_bernoulli bernoulli;
    lbp_ising ising;
    lbp_fhmm fhmm;
    lbp_rbm rbm;
  } as;
} bench_model;

static const uint32_t rbm_hidden[4] = {0, 100, 400, 1000};

/* Loads a model from the folder `data`; ends the program with a sentence if a file is missing or wrong. */
LBP_FN void bench_model_load(bench_model *b, int kind, int config, const char *data) {
  static void (*const runs[MODEL_COUNT][WEIGHT_COUNT])(const instance *, const run_spec *, run_result *) = {
    {bernoulli_barker_run, bernoulli_sqrt_run},
    {ising_barker_run, ising_sqrt_run},
    {fhmm_barker_run, fhmm_sqrt_run},
    {rbm_barker_run, rbm_sqrt_run}};
  char path[1024], x0[1024] = "", why[INSTANCE_WHY];
  int status = LBP_OK, w;
  uint32_t i;
  lbp_rng coins;
  memset(b, 0, sizeof *b);
  b->kind = kind;
  b->config = config;
  switch (kind) {
    case MODEL_BERNOULLI:
      b->steps = 10000;
      b->n = 800;
      snprintf(b->size, sizeof b->size, "N=800");
      snprintf(path, sizeof path, "%s/bernoulli_N800_C%d.txt", data, config);
      status = instance_bernoulli(&b->as.bernoulli, path, b->n, why);
      break;
    case MODEL_ISING:
      b->steps = 40000;
      b->n = 2500;
      snprintf(b->size, sizeof b->size, "p=50");
      snprintf(path, sizeof path, "%s/ising_p50_C%d.txt", data, config);
      snprintf(x0, sizeof x0, "%s/ising_p50_x0.txt", data);
      status = instance_ising(&b->as.ising, path, 50, config, why);
      break;
    case MODEL_FHMM:
      b->steps = 20000;
      b->n = 5000;
      snprintf(b->size, sizeof b->size, "L=1000");
      snprintf(path, sizeof path, "%s/fhmm_L1000_C%d.txt", data, config);
      snprintf(x0, sizeof x0, "%s/fhmm_L1000_x0.txt", data);
      status = instance_fhmm(&b->as.fhmm, path, 1000, 5, config, LBP_FHMM_AS_RUN, why);
      break;
    default:
      b->steps = 40000;
      b->n = 784;
      snprintf(b->size, sizeof b->size, "h=%u", (unsigned)rbm_hidden[config]);
      snprintf(path, sizeof path, "%s/rbm_%u.bin", data, (unsigned)rbm_hidden[config]);
      status = instance_rbm(&b->as.rbm, path, why);
      if (status == LBP_OK && b->as.rbm.n != b->n) bench_die("%s: an RBM of %u visible units, not 784", path, b->as.rbm.n);
      if (status == LBP_OK) {
        snprintf(path, sizeof path, "%s/mnist_mean.txt", data);
        b->start = (double *)bench_alloc(b->n, sizeof *b->start);
        status = instance_numbers(path, b->n, b->start, why);
      }
  }
  b->reference = (uint8_t *)bench_alloc(b->n, 1);
  if (status == LBP_OK && x0[0]) status = instance_state(x0, b->n, b->reference, why);
  if (status != LBP_OK) bench_die("%s", why);
  lbp_rng_init(&coins, 1, 0);
  for (i = 0; kind == MODEL_BERNOULLI && i < b->n; i++) b->reference[i] = (uint8_t)(lbp_rng_u64(&coins) >> 63);
  for (w = 0; w < WEIGHT_COUNT; w++) {
    b->instances[w].model = &b->as;
    b->instances[w].n = b->n;
    b->instances[w].run = runs[kind][w];
  }
}

LBP_FN void bench_model_free(bench_model *b) {
  if (b->kind == MODEL_BERNOULLI) lbp_bernoulli_free(&b->as.bernoulli);
  if (b->kind == MODEL_ISING) lbp_ising_free(&b->as.ising);
  if (b->kind == MODEL_FHMM) lbp_fhmm_free(&b->as.fhmm);
  if (b->kind == MODEL_RBM) lbp_rbm_free(&b->as.rbm);
  free(b->start);
  free(b->reference);
}

#endif
