/* Training of a deep energy-based model by persistent contrastive divergence (Tieleman, ICML 2008) with a replay buffer
 * (Du and Mordatch, NeurIPS 2019): in each iteration some chains of the buffer take a few steps from where they were,
 * and the parameters go up the difference of the network's gradients on data and on these chains, by Adam (Kingma and
 * Ba, ICLR 2015). A second set of parameters is their running mean: the one to use. */
#ifndef EBM_TRAIN_H
#define EBM_TRAIN_H

#include "walk.h"

enum { EBM_BUFFER = 1000, EBM_BATCH = 100 };

/* The settings of a run: one that goes on must have the same. */
typedef struct {
  uint64_t channels, deep; /* of the network */
  uint64_t steps;          /* of each chain, an iteration */
  uint64_t sampler;        /* EBM_ALBP or EBM_AB */
  uint64_t sites;          /* of LBP, a step; 0: tuned */
  double sigma, alpha;     /* of AB; 0: tuned to the acceptance rate ... */
  uint64_t by_jump;        /* ... or by algorithm 3 */
  uint64_t warmup;         /* iterations in which the learning rate grows to ... */
  double rate;             /* ... Adam's */
  double decay;            /* of the running mean, at most */
  uint64_t weight;         /* EBM_WEIGHT */
  uint64_t dynamic;        /* data are drawn from grey values */
  uint64_t seed;
} ebm_how;

typedef struct {
  ebm_how how;
  ebm_model model;         /* its theta is `theta` */
  float *theta, *mean;     /* parameters; their running mean */
  float *moment, *square;  /* Adam's: of the gradient, of its square */
  float *gradient, *parts; /* parts: of each group, added in their order: the same whatever the number of threads */
  uint8_t *buffer;         /* EBM_BUFFER states */
  uint64_t iteration;
  lbp_rng rng;             /* of data and buffer; chain k has the stream (seed, k) */
  ebm_walk walk;           /* the sampler ... */
  deep_curvature curvature;
  void *curved;            /* its memory */
  lbp_chains chains;
  double *words;           /* their tuner as it is saved */
  double gap;              /* of the last iteration: mean network value of data, less that of chains, */
  double accept, R;        /* acceptance rate, sites per step */
} ebm_trainer;

enum { EBM_GROUPS = (2 * EBM_BATCH + NET_GROUP - 1) / NET_GROUP };

LBP_FN void ebm_trainer_free(ebm_trainer *t) {
  ebm_model_free(&t->model);
  lbp_chains_free(&t->chains);
  free(t->theta);
  free(t->mean);
  free(t->moment);
  free(t->square);
  free(t->gradient);
  free(t->parts);
  free(t->buffer);
  free(t->curved);
  free(t->words);
  memset(t, 0, sizeof *t);
}

/* Chains of the sampler that `how` asks for. */
LBP_FN int ebm_trainer_chains(ebm_trainer *t, const double *mean) {
  const ebm_how *how = &t->how;
  const ebm_sampler s = {EBM_AB, how->sigma, how->alpha, &t->curvature, (int)how->by_jump};
  int status;
  if (how->sampler != EBM_AB) {
    return ebm_chains_init(&t->chains, &t->walk.kernel, &t->model, EBM_BATCH, (double)how->sites, UINT32_MAX,
                           how->seed);
  }
  status = ebm_curvature(&t->curvature, mean, &t->curved);
  if (status == LBP_OK) status = ebm_walk_plan(&t->walk, &s, UINT32_MAX);
  return status == LBP_OK ? ebm_walk_init(&t->chains, &t->walk, &s, &t->model, EBM_BATCH, 1, how->seed) : status;
}

/* How many numbers the tuner is saved as. */
LBP_FN size_t ebm_tuner_words(const ebm_trainer *t) { return t->walk.kernel.tuner_words(&t->chains.plan); }

/* A trainer at its beginning, chains drawn from the base, which has the data's means. LBP_E_SIZE if there is no such
 * network, LBP_E_MEMORY. */
LBP_FN int ebm_trainer_init(ebm_trainer *t, const ebm_how *how, const double *mean) {
  size_t count;
  uint32_t k;
  int status;
  memset(t, 0, sizeof *t);
  t->how = *how;
  if (how->channels > 256 || how->deep > NET_DEEP_MOST) return LBP_E_SIZE;
  status = ebm_model_init(&t->model, (uint32_t)how->channels, (uint32_t)how->deep);
  if (status == LBP_OK) status = ebm_trainer_chains(t, mean);
  if (status != LBP_OK) {
    ebm_trainer_free(t);
    return status;
  }
  count = t->model.shape.parameters;
  t->theta = (float *)ebm_room(count, sizeof *t->theta);
  t->mean = (float *)ebm_room(count, sizeof *t->mean);
  t->moment = (float *)ebm_room(count, sizeof *t->moment);
  t->square = (float *)ebm_room(count, sizeof *t->square);
  t->gradient = (float *)ebm_room(count, sizeof *t->gradient);
  t->parts = (float *)ebm_room(count * EBM_GROUPS, sizeof *t->parts);
  t->buffer = (uint8_t *)ebm_room(EBM_BUFFER, EBM_N);
  t->words = (double *)ebm_room(ebm_tuner_words(t), sizeof *t->words);
  if (!t->words || !t->theta || !t->mean || !t->moment || !t->square || !t->gradient || !t->parts || !t->buffer) {
    ebm_trainer_free(t);
    return LBP_E_MEMORY;
  }
  lbp_rng_init(&t->rng, how->seed, EBM_BATCH);
  net_randomise(&t->model.shape, t->theta, &t->rng);
  memcpy(t->mean, t->theta, count * sizeof *t->mean);
  t->model.theta = t->theta;
  ebm_set_base(&t->model, mean);
  for (k = 0; k < EBM_BUFFER; k++) ebm_draw_base(&t->model, &t->rng, t->buffer + (size_t)k * EBM_N);
  return LBP_OK;
}

/* gradient = sum over k of weight[k] times the gradient of the network's value at x[k] to the parameters; returns the
 * sum of weight[k] times that value. parts: room for a gradient of each group. */
LBP_FN double ebm_learn(const ebm_model *m, const uint8_t *const *x, const float *weight, uint32_t count, float *parts,
                        float *gradient) {
  const size_t parameters = m->shape.parameters;
  const int64_t groups = (count + NET_GROUP - 1) / NET_GROUP;
  double sums[EBM_GROUPS], sum = 0;
  int64_t group;
  size_t i;
#if defined _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
  for (group = 0; group < groups; group++) {
    const uint32_t at = (uint32_t)group * NET_GROUP, size = count - at < NET_GROUP ? count - at : NET_GROUP;
    float value[NET_GROUP], *part = parts + (size_t)group * parameters;
    ebm_worker *w = ebm_forward(m, x + at, size, value);
    uint32_t k;
    memset(part, 0, parameters * sizeof *part);
    net_group_back(&m->shape, m->theta, size, weight + at, &w->memory, part);
    sums[group] = 0;
    for (k = 0; k < size; k++) sums[group] += (double)weight[at + k] * (double)value[k];
  }
  memset(gradient, 0, parameters * sizeof *gradient);
  for (group = 0; group < groups; group++) {
    sum += sums[group];
    for (i = 0; i < parameters; i++) gradient[i] += parts[(size_t)group * parameters + i];
  }
  return sum;
}

/* Adam, upwards, with the constants of its authors. */
LBP_FN void ebm_adam(ebm_trainer *t) {
  const double step = (double)t->iteration + 1, grown = t->how.warmup > 0 ? step / (double)t->how.warmup : 1;
  const float rate = (float)(t->how.rate * (grown < 1 ? grown : 1) * sqrt(1 - pow(0.999, step)) / (1 - pow(0.9, step)));
  const double short_run = step / (step + 9); /* the first values are soon forgotten */
  const float decay = (float)(short_run < t->how.decay ? short_run : t->how.decay);
  size_t i;
  for (i = 0; i < t->model.shape.parameters; i++) {
    const float g = t->gradient[i];
    t->moment[i] = 0.9f * t->moment[i] + 0.1f * g;
    t->square[i] = 0.999f * t->square[i] + 0.001f * g * g;
    t->theta[i] += rate * t->moment[i] / (sqrtf(t->square[i]) + 1e-8f);
    t->mean[i] = decay * t->mean[i] + (1 - decay) * t->theta[i];
  }
}

/* One iteration on EBM_BATCH pictures. */
LBP_FN void ebm_iterate(ebm_trainer *t, const uint8_t *const *data) {
  const uint8_t *x[2 * EBM_BATCH];
  float weight[2 * EBM_BATCH];
  uint32_t chosen[EBM_BUFFER], k;
  const double steps = (double)t->how.steps;
  uint64_t s;
  for (k = 0; k < EBM_BUFFER; k++) chosen[k] = k;
  for (k = 0; k < EBM_BATCH; k++) { /* different ones */
    const uint32_t other = k + (uint32_t)(lbp_rng_u64(&t->rng) % (EBM_BUFFER - k)), one = chosen[other];
    chosen[other] = chosen[k];
    chosen[k] = one;
    memcpy(ebm_chains_x(&t->chains, k), t->buffer + (size_t)one * EBM_N, EBM_N);
  }
  ebm_chains_touch(&t->chains);
  t->accept = t->R = 0;
  for (s = 0; s < t->how.steps; s++) {
    double flips;
    t->accept += ebm_chains_step(&t->chains, &flips) / steps;
    t->R += flips / steps;
  }
  for (k = 0; k < EBM_BATCH; k++) {
    x[k] = data[k];
    x[EBM_BATCH + k] = memcpy(t->buffer + (size_t)chosen[k] * EBM_N, ebm_chains_x(&t->chains, k), EBM_N);
    weight[k] = 1.0f / EBM_BATCH;
    weight[EBM_BATCH + k] = -1.0f / EBM_BATCH;
  }
  t->gap = ebm_learn(&t->model, x, weight, 2 * EBM_BATCH, t->parts, t->gradient);
  ebm_adam(t);
  t->iteration++;
  ebm_changed(&t->model);
}

/* From now on the model has the running means of the parameters: training is over. */
LBP_FN void ebm_use_mean(ebm_trainer *t) {
  t->model.theta = t->mean;
  ebm_changed(&t->model);
}

#endif
