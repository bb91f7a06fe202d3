/* The models of the benchmarks, in the paper's configurations, behind one table: name, size, data file, instance. */
#ifndef BENCH_MODELS_H
#define BENCH_MODELS_H

#include "../../lbp_models.h"
#include "instances.h"
#include "runner.h"

#define PAIRS(name) name
#include "pairs.h"

enum { MODEL_BERNOULLI, MODEL_ISING, MODEL_FHMM, MODEL_RBM, MODEL_COUNT };
enum { WEIGHT_BARKER, WEIGHT_SQRT, WEIGHT_COUNT };

static const char *const model_names[MODEL_COUNT] = {"bernoulli", "ising", "fhmm", "rbm"};
static const char *const weight_names[WEIGHT_COUNT] = {"t/(1+t)", "sqrt(t)"};

/* The sizes of the paper's tables: N sites; p x p sites; L x 5 sites; h hidden units, to 784 sites. */
enum { EXTENTS = 3 };
static const uint32_t model_extents[MODEL_COUNT][EXTENTS] = {
  {100, 800, 6400}, {20, 50, 100}, {200, 1000, 4000}, {100, 400, 1000}};
static const char model_letters[MODEL_COUNT] = {'N', 'p', 'L', 'h'};

/* And the steps behind them, half of them warm-up. */
static const uint32_t model_steps[MODEL_COUNT][EXTENTS] = {
  {4000, 10000, 40000}, {10000, 40000, 100000}, {10000, 20000, 40000}, {40000, 40000, 40000}};

/* A model of the paper: smooth, moderate or sharp (C1 to C3; of an RBM, which of the three sizes). */
typedef struct {
  int kind, config;
  char size[16];                   /* as reference.csv and paper.csv name it */
  uint32_t n, steps;               /* sites; the paper's number of steps, 0 if the paper has no such size */
  uint64_t fingerprint;            /* of the file that the model came from, or of its seed */
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

/* Table 1 has the middle size, and of the RBMs one for every configuration. */
LBP_FN uint32_t bench_table1_extent(int kind, int config) {
  return model_extents[kind][kind == MODEL_RBM ? config - 1 : 1];
}

LBP_FN uint32_t bench_model_steps(int kind, uint32_t extent) {
  for (int k = 0; k < EXTENTS; k++) {
    if (model_extents[kind][k] == extent) return model_steps[kind][k];
  }
  return 0;
}

/* Sites of a model of this extent. */
LBP_FN uint32_t bench_model_sites(int kind, uint32_t extent) {
  return kind == MODEL_BERNOULLI ? extent : kind == MODEL_ISING ? extent * extent : kind == MODEL_FHMM ? 5 * extent : 784;
}

/* The file of a model behind the reference numbers, or of a trained RBM; 0 if there is none, and the model is made from
 * a seed. */
LBP_FN int bench_model_file(int kind, uint32_t extent, int config, const char *data, char *path, size_t size) {
  const uint32_t largest_read[MODEL_COUNT] = {6400, 50, 1000, 1000};
  if (bench_model_steps(kind, extent) == 0 || extent > largest_read[kind]) return 0;
  if (kind == MODEL_RBM) snprintf(path, size, "%s/rbm_%u.bin", data, (unsigned)extent);
  else snprintf(path, size, "%s/%s_%c%u_C%d.txt", data, model_names[kind], model_letters[kind], (unsigned)extent, config);
  return 1;
}

/* Whether the x0 behind the reference's effective sample sizes is there. */
LBP_FN int bench_model_has_x0(int kind, uint32_t extent) {
  return (kind == MODEL_ISING && extent == 50) || (kind == MODEL_FHMM && extent == 1000);
}

/* The state that the trace is the distance to: that x0, one in the folder `data` that is none of the reference's, or
 * fair coins. */
LBP_FN int bench_model_reference(bench_model *b, uint32_t extent, const char *data, char *why) {
  char path[1024];
  lbp_rng coins;
  b->reference = (uint8_t *)basic_alloc(b->n, 1);
  if (b->kind == MODEL_RBM) return LBP_OK; /* the number of ones */
  snprintf(path, sizeof path, "%s/%s_%c%u_x0.txt", data, model_names[b->kind], model_letters[b->kind], (unsigned)extent);
  if (bench_model_has_x0(b->kind, extent) || access(path, F_OK) == 0) {
    return instance_state(path, b->n, b->reference, why);
  }
  lbp_rng_init(&coins, 1, 0);
  for (uint32_t i = 0; i < b->n; i++) b->reference[i] = (uint8_t)(lbp_rng_u64(&coins) >> 63);
  return LBP_OK;
}

LBP_FN int bench_model_read(bench_model *b, uint32_t extent, const char *path, const char *data, char *why) {
  int status = instance_fingerprint(path, &b->fingerprint, why);
  if (status != LBP_OK) return status;
  switch (b->kind) {
    case MODEL_BERNOULLI: return instance_bernoulli(&b->as.bernoulli, path, extent, why);
    case MODEL_ISING: return instance_ising(&b->as.ising, path, extent, b->config, why);
    case MODEL_FHMM: return instance_fhmm(&b->as.fhmm, path, extent, 5, b->config, LBP_FHMM_AS_RUN, why);
    default: {
      char mean[1024];
      status = input_rbm(&b->as.rbm, path, why);
      if (status != LBP_OK) return status;
      if (b->as.rbm.n != b->n) basic_die("%s: an RBM of %u visible units, not 784", path, b->as.rbm.n);
      snprintf(mean, sizeof mean, "%s/mnist_mean.txt", data);
      b->start = (double *)basic_alloc(b->n, sizeof *b->start);
      return input_numbers(mean, b->n, b->start, why);
    }
  }
}

/* One of the paper's law, from a seed. */
LBP_FN int bench_model_make(bench_model *b, uint32_t extent, uint64_t seed) {
  double W[LBP_FHMM_MAX_K], offset;
  b->fingerprint = seed;
  switch (b->kind) {
    case MODEL_BERNOULLI: return lbp_bernoulli_random(&b->as.bernoulli, extent, b->config, b->fingerprint);
    case MODEL_ISING: return lbp_ising_random(&b->as.ising, extent, b->config, b->fingerprint);
    case MODEL_FHMM:
      lbp_fhmm_paper_weights(W, &offset);
      return lbp_fhmm_random(&b->as.fhmm, extent, 5, W, offset, b->config, LBP_FHMM_AS_RUN, b->fingerprint);
    default: basic_die("there is no RBM of %u hidden units: `make rbm` trains one", (unsigned)extent); return LBP_E_SIZE;
  }
}

/* Reads a model from the folder `data`, or makes one; ends the program with a sentence if a file is missing or wrong. */
LBP_FN void bench_model_load(bench_model *b, int kind, uint32_t extent, int config, const char *data) {
  char path[1024], why[INPUT_WHY];
  int status;
  *b = (bench_model){.kind = kind, .config = config, .n = bench_model_sites(kind, extent),
                     .steps = bench_model_steps(kind, extent)};
  snprintf(b->size, sizeof b->size, "%c=%u", model_letters[kind], (unsigned)extent);
  if (bench_model_file(kind, extent, config, data, path, sizeof path)) {
    status = bench_model_read(b, extent, path, data, why);
  } else {
    status = bench_model_make(b, extent, 1);
    if (status != LBP_OK) snprintf(why, sizeof why, "%s %s: %s", model_names[kind], b->size, lbp_error(status));
  }
  if (status == LBP_OK) status = bench_model_reference(b, extent, data, why);
  if (status != LBP_OK) basic_die("%s", why);
  for (int w = 0; w < WEIGHT_COUNT; w++) b->instances[w] = (instance){&b->as, b->n, pair_kernels[kind][w]()};
}

LBP_FN void bench_model_free(bench_model *b) {
  if (b->kind == MODEL_BERNOULLI) lbp_bernoulli_free(&b->as.bernoulli);
  if (b->kind == MODEL_ISING) lbp_ising_free(&b->as.ising);
  if (b->kind == MODEL_FHMM) lbp_fhmm_free(&b->as.fhmm);
  if (b->kind == MODEL_RBM) lbp_rbm_free(&b->as.rbm);
  BENCH_FREE(b->start, b->reference);
}

/* P(x_i = 1) of a product, in new memory. */
LBP_FN double *bench_probabilities(const lbp_bernoulli *m) {
  double *p = (double *)basic_alloc(m->n, sizeof *p);
  for (uint32_t i = 0; i < m->n; i++) p[i] = 1 / (1 + exp(-(double)m->logit[i]));
  return p;
}

/* Chains' states drawn from that product, chains x n, in new memory. */
LBP_FN uint8_t *bench_equilibrium(const double *p, uint32_t n, uint32_t chains, uint64_t seed, uint64_t stream) {
  uint8_t *states = (uint8_t *)basic_alloc((size_t)chains * n, 1);
  lbp_rng rng;
  lbp_rng_init(&rng, seed, stream);
  for (size_t i = 0; i < (size_t)chains * n; i++) states[i] = lbp_u01(lbp_rng_u64(&rng)) < p[i % n];
  return states;
}

/* What theory says of LBP-R, (6), with lambda_1 in one of its forms, or RWM-R, (20), on a product. */
LBP_FN lbp_scaling bench_scaling(const double *p, uint32_t n, int sampler, int weight, int form) {
  static const lbp_g weights[WEIGHT_COUNT] = {lbp_g_barker, lbp_g_sqrt};
  const int rwm = sampler == LBP_SAMPLER_RWM;
  lbp_scaling s = {0};
  double lambda;
  int status = rwm ? lbp_lambda2(p, n, &lambda) : lbp_lambda1(p, n, weights[weight], form, &lambda);
  if (status == LBP_OK) status = rwm ? lbp_scaling_rwm(&s, lambda, n) : lbp_scaling_lbp(&s, lambda, n);
  if (status != LBP_OK) basic_die("lambda: %s", lbp_error(status));
  return s;
}

#endif
