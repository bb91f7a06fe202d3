/* lbp/models/potts_train.h - trains lbp_potts_dense on states, such as aligned sequences ("direct coupling analysis"):
 * the model then draws states with the data's frequencies of values and of pairs of values.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp/models/potts.h, lbp/models/alignment.h and lbp/run/chains.h; uses
 * all cores with OpenMP. Chains need the kernel of an instance whose model is lbp_potts_dense; to generate it, include
 * lbp_run.h instead of lbp.h:
 *
 *   lbp_potts_training how = lbp_potts_training_defaults(1);
 *   const lbp_kernel kernel = protein_kernel();           // LBP_NAME protein, LBP_MODEL_T lbp_potts_dense ...
 *   lbp_potts_dense m;
 *   int status = lbp_potts_train(&m, a.sequences, a.positions, a.letters, a.x, a.weight, &kernel, &how, NULL, NULL);
 *   if (status == LBP_OK) status = lbp_potts_draw(&m, &kernel, how.sampler, 500, 1000, 5, rows, 2, x);
 *
 * Training has two parts. The first is gradient ascent of the pseudo-likelihood, the sum of log P(x_i | all other x)
 * over sites and data; the step of a pair's couplings is the mean of the gradients of its two sites. This takes a tenth
 * of a second. Most correlations are then about right, but collective ones, such as the lengths of gaps, are not. The
 * second part is persistent contrastive divergence: chains keep their states from step to step while the model changes,
 * and parameters follow the difference between the data's frequencies and the chains'. The result is the mean of the
 * parameters over the second half of this part.
 *
 * Three methods make it fast:
 *
 *   centring    The parameters belong to centred indicators, [x_i = v] - p_i(v), where p are the data's frequencies:
 *               their gradients are less correlated. h is computed from them after each step.
 *   scaling     A coupling's gradient is divided by p_i(v) p_j(w) + a constant, or + l2 if that is larger; a field's
 *               by p_i(v) + the constant. This is about the curvature if sites were independent.
 *   step sizes  Rates are in units of 1 / the largest curvature of the data in these parameters, which power iteration
 *               finds. So the same rates suit families with weak and with strong couplings. A rate is halved when the
 *               gradient points against the last step.
 *
 * Chains that need hundreds of sweeps to forget react late, and parameters would oscillate around their values. So the
 * chains see the parameters plus `damping` times the last step, which reacts at once.
 *
 * Sources. Pseudo-likelihood: Ekeberg et al., Phys. Rev. E 87 (2013), but symmetric. Persistent chains: Tieleman, ICML
 * 2008; of proteins: Figliuzzi, Barrat-Charlaix, Weigt, Mol. Biol. Evol. 35 (2018). Centring: Montavon, Mueller, 2012.
 */

#ifndef LBP_POTTS_TRAIN_H
#define LBP_POTTS_TRAIN_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/support.h"
#include "alignment.h"
#include "../run/chains.h"
#include "potts.h"

LBP_EXACT_BEGIN

/* Before a loop of lbp_p_train *t over sites, or over states or couplings: uses all cores if there is enough work. */
#if defined _OPENMP
#define LBP_P_TRAIN_SITES _Pragma("omp parallel for schedule(dynamic) if (t->wide)")
#define LBP_P_TRAIN_ALL   _Pragma("omp parallel for if (t->wide)")
#else
#define LBP_P_TRAIN_SITES
#define LBP_P_TRAIN_ALL
#endif

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Options of a training. lbp_potts_training_defaults sets the defaults, in brackets. */
typedef struct {
  uint32_t start;       /* steps of the pseudo-likelihood [20]; 0: begins with independent sites */
  uint32_t iterations;  /* steps with chains [100]; 0: none */
  uint32_t chains;      /* their number [1000] */
  uint32_t sweeps;      /* of each chain in a step [3] */
  uint32_t batch;       /* most states used for the pseudo-likelihood and the largest curvature [1000] */
  double   start_rate;  /* of the pseudo-likelihood, in units of 1 / the largest curvature [40]; at most 0.5 of 1 */
  double   rate;        /* of steps with chains, in the same units [3.5]; at most 0.05 of 1 */
  double   damping;     /* adds this multiple of the last step to the parameters that chains see [4] */
  double   l2;          /* penalty l2 / 2 J^2 on all couplings, per state [0.001] */
  double   pseudocount; /* number of states with uniform values added to the data, for p and the first parameters [1] */
  int      sampler;     /* of the kernel, for the chains [LBP_SAMPLER_GIBBS] */
  uint64_t seed;
} lbp_potts_training;

/* Progress after a step. */
typedef struct {
  uint32_t done, total; /* steps of both parts */
  int      chains;      /* the part: 0: pseudo-likelihood; 1: chains */
  double   pearson;     /* of connected correlations, data against the mean of some recent steps with chains; or 0 */
  double   gap;         /* root mean square difference of frequencies of values, data and this step's chains; or 0 */
} lbp_potts_progress;

/* A function that lbp_potts_train calls after every step, with its own argument `user`. */
typedef void (*lbp_potts_report)(void *user, const lbp_potts_progress *progress);

/* Returns the default options, with this seed. */
LBP_FN lbp_potts_training lbp_potts_training_defaults(uint64_t seed) {
  lbp_potts_training how;
  memset(&how, 0, sizeof how);
  how.start = 20;
  how.iterations = 100;
  how.chains = 1000;
  how.sweeps = 3;
  how.batch = 1000;
  how.start_rate = 40.0;
  how.rate = 3.5;
  how.damping = 4.0;
  how.l2 = 0.001;
  how.pseudocount = 1.0;
  how.sampler = LBP_SAMPLER_GIBBS;
  how.seed = seed;
  return how;
}

/* Added to p_i(v) p_j(w) in the divisor of gradients: limits the steps of rare pairs of values. */
#define LBP_P_TRAIN_FLOOR 0.05

/* The largest rates, those for independent sites. */
#define LBP_P_TRAIN_START_MOST 0.5
#define LBP_P_TRAIN_MOST       0.05

/* The rate is halved if the cosine between a step and the next gradient is below this. */
#define LBP_P_TRAIN_BACK (-0.2)

enum { LBP_P_TRAIN_POWER = 12, LBP_P_TRAIN_SETTLE = 10, LBP_P_TRAIN_WIDE = 4000 };

typedef struct {
  lbp_potts_training how;
  lbp_potts_dense    model;
  uint32_t n, q, batch;
  int      wide;            /* whether there is enough work for several threads */
  size_t   sites, pairs;    /* n q; couplings */
  lbp_real *p, *p_pair;     /* [sites] and [pairs]: frequencies of the data, p with its pseudocount */
  lbp_real *one;            /* [sites] the same without pseudocount */
  lbp_real *f, *f_pair;     /* frequencies of chains, or the numbers used instead */
  lbp_real *run, *run_pair; /* their mean over recent steps */
  lbp_real *h, *J;          /* parameters */
  lbp_real *dh, *dJ;        /* the last step; dJ is of centred parameters, dh of uncentred fields ... */
  lbp_real *dc;             /* ... and dc of centred fields */
  lbp_real *h_mean, *J_mean;
  uint8_t  *column;         /* [n][batch or chains] */
  uint8_t  *state;          /* [batch][n] */
  lbp_real *share;          /* [batch or chains] weights of columns */
  lbp_real *residual;       /* [batch][stride] */
  lbp_real *product;        /* [sites][stride] */
  double   *part;           /* [n][2] of site i and pairs (i, j > i): gradient times step, and times the last one */
  double    rate, curvature;
  double    floor;          /* of couplings: LBP_P_TRAIN_FLOOR, or l2, whose steps then don't go beyond 0 */
  double    length;         /* of the last step: gradient times step, at rate 1 */
  lbp_chains chains;
} lbp_p_train;

LBP_FN void lbp_p_train_free(lbp_p_train *t) {
  lbp_potts_dense_free(&t->model);
  lbp_chains_free(&t->chains);
  free(t->p);
  free(t->p_pair);
  free(t->column);
  free(t->state);
  free(t->share);
  free(t->residual);
  free(t->product);
  free(t->part);
  memset(t, 0, sizeof *t);
}

/* Allocates everything except the chains; the numbers of sites share one block, those of pairs another. */
LBP_FN int lbp_p_train_init(lbp_p_train *t, uint32_t n, uint32_t q, uint32_t rows, const lbp_potts_training *how) {
  const uint32_t batch = how->batch < rows ? how->batch : rows, columns = how->chains > batch ? how->chains : batch;
  int status;
  memset(t, 0, sizeof *t);
  t->how = *how;
  t->n = n, t->q = q, t->batch = batch;
  t->floor = fmax(LBP_P_TRAIN_FLOOR, how->l2);
  t->sites = (size_t)n * q;
  t->pairs = lbp_potts_dense_couplings(n, q);
  t->wide = t->pairs >= LBP_P_TRAIN_WIDE;
  t->p = lbp_models_new_reals(lbp_size_times(9, t->sites));
  status = t->p ? lbp_potts_dense_init(&t->model, n, q, t->p, NULL) : LBP_E_MEMORY;
  if (status != LBP_OK) {
    lbp_p_train_free(t);
    return status;
  }
  t->p_pair = lbp_models_new_reals(lbp_size_times(6, t->pairs + 1));
  t->column = (uint8_t *)calloc(columns, n);
  t->state = (uint8_t *)calloc(batch, n);
  t->share = lbp_models_new_reals(columns);
  t->part = (double *)calloc(n, 2 * sizeof(double));
  if (how->start > 0) {
    t->residual = (lbp_real *)calloc(batch, lbp_size_times(t->model.stride, sizeof(lbp_real)));
    t->product = (lbp_real *)calloc(t->sites, lbp_size_times(t->model.stride, sizeof(lbp_real)));
    if (!t->residual || !t->product) status = LBP_E_MEMORY;
  }
  if (!t->p_pair || !t->column || !t->state || !t->share || !t->part) status = LBP_E_MEMORY;
  if (status != LBP_OK) {
    lbp_p_train_free(t);
    return status;
  }
  t->one = t->p + t->sites, t->f = t->one + t->sites, t->run = t->f + t->sites;
  t->h = t->run + t->sites, t->dh = t->h + t->sites, t->h_mean = t->dh + t->sites;
  t->dc = t->h_mean + t->sites;
  t->f_pair = t->p_pair + t->pairs, t->run_pair = t->f_pair + t->pairs, t->J = t->run_pair + t->pairs;
  t->dJ = t->J + t->pairs, t->J_mean = t->dJ + t->pairs;
  return LBP_OK;
}

/* ---- shared by both parts ---------------------------------------------------------------------------------------- */

/* Chooses `count` states of the data. It divides the weight into equal parts, and takes the middle state of each, or
 * with rng a random one. */
LBP_FN void lbp_p_train_choose(uint32_t rows, uint32_t n, const uint8_t *x, const double *weight, uint32_t count,
                               lbp_rng *rng, uint8_t *state) {
  double total = 0.0, sum = 0.0;
  uint32_t k, row = 0;
  for (k = 0; k < rows; k++) total += weight ? weight[k] : 1.0;
  for (k = 0; k < count; k++) {
    const double at = (k + (rng ? lbp_models_uniform(rng) : 0.5)) / count * total;
    for (; row + 1 < rows && sum + (weight ? weight[row] : 1.0) <= at; row++) sum += weight ? weight[row] : 1.0;
    memcpy(state + (size_t)k * n, x + (size_t)row * n, n);
  }
}

/* Computes f and f_pair from `rows` columns with their shares. */
LBP_FN void lbp_p_train_count(lbp_p_train *t, uint32_t rows) {
  const uint32_t n = t->n, q = t->q;
  int64_t i;
  memset(t->f, 0, t->sites * sizeof *t->f);
  memset(t->f_pair, 0, t->pairs * sizeof *t->f_pair);
  LBP_P_TRAIN_SITES
  for (i = 0; i < (int64_t)n; i++) {
    const uint8_t *a = t->column + (size_t)i * rows;
    uint32_t j, k;
    for (k = 0; k < rows; k++) t->f[(size_t)i * q + a[k]] += t->share[k];
    for (j = (uint32_t)i + 1; j < n; j++) {
      const uint8_t *b = t->column + (size_t)j * rows;
      lbp_real *pair = t->f_pair + lbp_potts_dense_pair(n, q, (uint32_t)i, j);
      for (k = 0; k < rows; k++) pair[a[k] * q + b[k]] += t->share[k];
    }
  }
}

/* Adds to sum[v] the part of centred couplings J at site i: sum_j sum_w J_ij(v, w) p_j(w). */
LBP_FN void lbp_p_train_centre(const lbp_p_train *t, const lbp_real *J, uint32_t i, lbp_real *sum) {
  const uint32_t q = t->q;
  uint32_t j, v, w;
  for (j = 0; j < t->n; j++) {
    const lbp_real *p = t->p + (size_t)j * q;
    if (j < i) {
      const lbp_real *pair = J + lbp_potts_dense_pair(t->n, q, j, i);
      for (w = 0; w < q; w++) {
        for (v = 0; v < q; v++) sum[v] += pair[w * q + v] * p[w];
      }
    } else if (j > i) {
      const lbp_real *pair = J + lbp_potts_dense_pair(t->n, q, i, j);
      for (v = 0; v < q; v++) {
        lbp_real part = 0;
        for (w = 0; w < q; w++) part += pair[v * q + w] * p[w];
        sum[v] += part;
      }
    }
  }
}

/* Computes a step along the data's frequencies minus f, f_pair: dJ of centred parameters, dh of uncentred fields. */
LBP_FN void lbp_p_train_direction(lbp_p_train *t, double rate) {
  const lbp_real floor = (lbp_real)t->floor, step = (lbp_real)rate, l2 = (lbp_real)t->how.l2;
  const uint32_t n = t->n, q = t->q;
  int64_t i;
  LBP_P_TRAIN_SITES
  for (i = 0; i < (int64_t)n; i++) {
    const size_t at = (size_t)i * q;
    double along = 0.0, back = 0.0;
    uint32_t j, v, w;
    for (v = 0; v < q; v++) {
      const lbp_real up = t->one[at + v] - t->f[at + v], last = t->dc[at + v];
      t->dc[at + v] = t->dh[at + v] = step * up / (t->p[at + v] + (lbp_real)LBP_P_TRAIN_FLOOR);
      along += (double)(up * t->dc[at + v]);
      back += (double)(up * last);
    }
    for (j = (uint32_t)i + 1; j < n; j++) {
      const size_t pair = lbp_potts_dense_pair(n, q, (uint32_t)i, j), to = (size_t)j * q;
      for (v = 0; v < q; v++) {
        const lbp_real p = t->p[at + v], gap = t->one[at + v] - t->f[at + v];
        const size_t k = pair + (size_t)v * q;
        lbp_real squares = 0, products = 0;
        for (w = 0; w < q; w++) {
          const lbp_real other = t->p[to + w], other_gap = t->one[to + w] - t->f[to + w];
          const lbp_real up = t->p_pair[k + w] - t->f_pair[k + w] - p * other_gap - gap * other - l2 * t->J[k + w];
          products += up * t->dJ[k + w];
          t->dJ[k + w] = step * up / (p * other + floor);
          squares += up * t->dJ[k + w];
        }
        along += (double)squares;
        back += (double)products;
      }
    }
    t->part[2 * i] = along;
    t->part[2 * i + 1] = back;
  }
  LBP_P_TRAIN_SITES
  for (i = 0; i < (int64_t)n; i++) {
    lbp_real sum[LBP_POTTS_MOST] = {0};
    uint32_t v;
    lbp_p_train_centre(t, t->dJ, (uint32_t)i, sum);
    for (v = 0; v < q; v++) t->dh[(size_t)i * q + v] -= sum[v];
  }
}

/* Computes a step, and halves the rate if the gradient points back. first: there is no last step. */
LBP_FN void lbp_p_train_aim(lbp_p_train *t, int first) {
  const double rate = t->rate;
  double along = 0.0, back = 0.0;
  uint32_t i;
  size_t k;
  lbp_p_train_direction(t, rate);
  for (i = 0; i < t->n; i++) {
    along += t->part[2 * i] / rate;
    back += t->part[2 * i + 1] / rate;
  }
  if (!first && back < LBP_P_TRAIN_BACK * sqrt(along * t->length)) {
    t->rate = rate / 2.0;
    for (k = 0; k < t->pairs; k++) t->dJ[k] /= 2;
    for (k = 0; k < t->sites; k++) t->dh[k] /= 2, t->dc[k] /= 2;
  }
  t->length = along;
}

/* Sets the model's parameters. Returns LBP_OK, or LBP_E_NOT_CONVERGED (they are not valid). */
LBP_FN int lbp_p_train_set(lbp_p_train *t, const lbp_real *h, const lbp_real *J) {
  if (lbp_potts_dense_check_values(t->n, t->q, h, J) != LBP_OK) return LBP_E_NOT_CONVERGED;
  lbp_potts_dense_set(&t->model, h, J);
  return LBP_OK;
}

/* Takes the step; the model gets it `damping` times more. Means take the new parameters with this weight. Returns the
 * status of lbp_p_train_set. */
LBP_FN int lbp_p_train_step(lbp_p_train *t, double damping, double weight) {
  const lbp_real more = (lbp_real)damping, part = (lbp_real)weight;
  int64_t k;
  LBP_P_TRAIN_ALL
  for (k = 0; k < (int64_t)t->pairs; k++) {
    t->J[k] += t->dJ[k];
    t->f_pair[k] = t->J[k] + more * t->dJ[k];
    t->J_mean[k] += part * (t->J[k] - t->J_mean[k]);
  }
  for (k = 0; k < (int64_t)t->sites; k++) {
    t->h[k] += t->dh[k];
    t->f[k] = t->h[k] + more * t->dh[k];
    t->h_mean[k] += part * (t->h[k] - t->h_mean[k]);
  }
  return lbp_p_train_set(t, t->f, t->f_pair);
}

/* Writes log pi of the batch's states with parameters h, J, minus their mean, to share. Returns their variance. */
LBP_FN double lbp_p_train_gains(lbp_p_train *t, const lbp_real *h, const lbp_real *J) {
  const uint32_t n = t->n, q = t->q;
  double mean = 0.0, variance = 0.0;
  int64_t k;
  LBP_P_TRAIN_ALL
  for (k = 0; k < (int64_t)t->batch; k++) {
    const uint8_t *x = t->state + (size_t)k * n;
    double sum = 0.0;
    uint32_t i, j;
    for (i = 0; i < n; i++) {
      const lbp_real *pair = i + 1 < n ? J + lbp_potts_dense_pair(n, q, i, i + 1) + (size_t)x[i] * q : J;
      lbp_real part = h[(size_t)i * q + x[i]];
      for (j = i + 1; j < n; j++, pair += (size_t)q * q) part += pair[x[j]];
      sum += (double)part;
    }
    t->share[k] = (lbp_real)sum;
  }
  for (k = 0; k < (int64_t)t->batch; k++) mean += (double)t->share[k] / t->batch;
  for (k = 0; k < (int64_t)t->batch; k++) {
    t->share[k] -= (lbp_real)mean;
    variance += (double)t->share[k] * (double)t->share[k] / t->batch;
  }
  return variance;
}

/* Returns the squared length of a direction, in the scale by which gradients are divided. */
LBP_FN double lbp_p_train_length(const lbp_p_train *t, const lbp_real *h, const lbp_real *J) {
  const uint32_t n = t->n, q = t->q;
  double sum = 0.0;
  size_t i, j, v, w, k = 0;
  for (i = 0; i < t->sites; i++) sum += (double)(h[i] * h[i]) * ((double)t->p[i] + LBP_P_TRAIN_FLOOR);
  for (i = 0; i < n; i++) {
    for (j = i + 1; j < n; j++) {
      for (v = 0; v < q; v++) {
        const double p = (double)t->p[i * q + v];
        for (w = 0; w < q; w++, k++) sum += (double)(J[k] * J[k]) * (p * (double)t->p[j * q + w] + t->floor);
      }
    }
  }
  return sum;
}

/* Finds the largest curvature of the batch's log-likelihood: the largest variance along a direction of length 1. */
LBP_FN void lbp_p_train_curvature(lbp_p_train *t, lbp_rng *rng) {
  const uint32_t rows = t->batch;
  lbp_real *const one = t->one, *const p_pair = t->p_pair;
  size_t k;
  uint32_t i, r, round;
  for (k = 0; k < t->sites; k++) t->dh[k] = (lbp_real)(lbp_models_uniform(rng) - 0.5);
  for (r = 0; r < rows; r++) {
    for (i = 0; i < t->n; i++) t->column[(size_t)i * rows + r] = t->state[(size_t)r * t->n + i];
  }
  for (round = 0; round < LBP_P_TRAIN_POWER; round++) { /* J is 0, so l2 plays no part: a step is a matrix product */
    double variance, length = lbp_p_train_length(t, t->dh, t->dJ);
    memcpy(t->run, t->dh, t->sites * sizeof *t->run);
    if (round > 0) { /* dh is of uncentred fields: undo that, since lengths are of centred parameters */
      for (i = 0; i < t->n; i++) lbp_p_train_centre(t, t->dJ, i, t->run + (size_t)i * t->q);
      length = lbp_p_train_length(t, t->run, t->dJ);
    }
    variance = lbp_p_train_gains(t, t->dh, t->dJ);
    if (!(variance > 0.0 && length > 0.0)) break;
    t->curvature = variance / length;
    for (r = 0; r < rows; r++) t->share[r] /= -(lbp_real)(rows * sqrt(variance));
    lbp_p_train_count(t, rows);
    t->one = t->run, t->p_pair = t->run_pair; /* zeros instead of the data's frequencies */
    memset(t->run, 0, t->sites * sizeof *t->run);
    lbp_p_train_direction(t, 1.0);
    t->one = one, t->p_pair = p_pair;
  }
}

/* ---- pseudo-likelihood ------------------------------------------------------------------------------------------- */

/* Computes residual, [x_i = v] - P(x_i = v | all other x), of each state of the batch. LBP_OK or LBP_E_MEMORY. */
LBP_FN int lbp_p_train_residuals(lbp_p_train *t) {
  const lbp_potts_dense *m = &t->model;
  const uint32_t n = t->n, q = t->q;
  int failed = 0;
#if defined _OPENMP
#pragma omp parallel reduction(| : failed) if (t->wide)
#endif
  {
    lbp_potts_dense_fields f;
    int64_t k;
    const int status = lbp_potts_dense_fields_init(m, &f);
    failed |= status != LBP_OK;
#if defined _OPENMP
#pragma omp for
#endif
    for (k = 0; k < (int64_t)t->batch; k++) {
      const uint8_t *x = t->state + (size_t)k * n;
      lbp_real *out = t->residual + (size_t)k * m->stride;
      uint32_t i, v;
      if (status != LBP_OK) continue;
      lbp_potts_dense_fields_set(m, &f, x);
      for (i = 0; i < n; i++, out += q) {
        const lbp_real *F = f.F + (size_t)i * q;
        lbp_real most = F[0], sum = 0;
        for (v = 1; v < q; v++) most = F[v] > most ? F[v] : most;
        for (v = 0; v < q; v++) out[v] = (lbp_real)lbp_expf(lbp_clamp((float)(F[v] - most), 80.0f));
        for (v = 0; v < q; v++) sum += out[v];
        for (v = 0; v < q; v++) out[v] /= -sum;
        out[x[i]] += 1;
      }
    }
    lbp_potts_dense_fields_free(&f);
  }
  return failed ? LBP_E_MEMORY : LBP_OK;
}

/* Computes product: row (j, w) is the sum of the residuals of the states with x_j = w. */
LBP_FN void lbp_p_train_products(lbp_p_train *t) {
  const size_t stride = t->model.stride;
  int64_t j;
  LBP_P_TRAIN_SITES
  for (j = 0; j < (int64_t)t->n; j++) {
    lbp_real *rows = t->product + (size_t)j * t->q * stride;
    uint32_t k;
    size_t c;
    memset(rows, 0, t->q * stride * sizeof *rows);
    for (k = 0; k < t->batch; k++) {
      const lbp_real *from = t->residual + (size_t)k * stride;
      lbp_real *to = rows + t->state[(size_t)k * t->n + (size_t)j] * stride;
      for (c = 0; c < stride; c++) to[c] += from[c];
    }
  }
}

/* Sets f and f_pair to the data's frequencies minus the gradient. Returns LBP_OK or LBP_E_MEMORY. */
LBP_FN int lbp_p_train_pseudo(lbp_p_train *t) {
  const size_t stride = t->model.stride, q = t->q;
  const lbp_real share = 1 / (lbp_real)t->batch;
  const int status = lbp_p_train_residuals(t);
  int64_t i;
  if (status != LBP_OK) return status;
  lbp_p_train_products(t);
  LBP_P_TRAIN_SITES
  for (i = 0; i < (int64_t)t->n; i++) {
    const size_t at = (size_t)i * q;
    uint32_t j;
    size_t k, v, w;
    for (v = 0; v < q; v++) t->f[at + v] = t->one[at + v];
    for (k = 0; k < t->batch; k++) {
      for (v = 0; v < q; v++) t->f[at + v] -= share * t->residual[k * stride + at + v];
    }
    for (j = (uint32_t)i + 1; j < t->n; j++) {
      const size_t pair = lbp_potts_dense_pair(t->n, t->q, (uint32_t)i, j), to = j * q;
      for (v = 0; v < q; v++) {
        for (w = 0; w < q; w++) {
          const lbp_real up = t->product[(to + w) * stride + at + v] + t->product[(at + v) * stride + to + w];
          t->f_pair[pair + v * q + w] = t->p_pair[pair + v * q + w] - share / 2 * up;
        }
      }
    }
  }
  return LBP_OK;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* Starts the chains at states of the data, chosen by weight, and lets them settle. */
LBP_FN int lbp_p_train_chains(lbp_p_train *t, const lbp_kernel *kernel, uint32_t rows, const uint8_t *x,
                              const double *weight) {
  const uint32_t count = t->how.chains;
  lbp_plan plan;
  uint32_t k;
  int status = lbp_plan_init(&plan, kernel, t->how.sampler, t->n, t->q);
  plan.warmup = UINT32_MAX;
  if (status == LBP_OK) status = lbp_chains_init(&t->chains, kernel, &t->model, &plan, 0, count, 0);
  for (k = 0; k < count && status == LBP_OK; k++) status = lbp_chains_make(&t->chains, k, t->how.seed);
  if (status != LBP_OK) return status;
  lbp_p_train_choose(rows, t->n, x, weight, count, NULL, t->column);
  for (k = 0; k < count; k++) {
    lbp_unit *unit = lbp_chains_unit(&t->chains, k);
    memcpy(unit->x, t->column + (size_t)k * t->n, t->n);
    kernel->touch(unit);
  }
  lbp_chains_steps(&t->chains, LBP_P_TRAIN_SETTLE, 1, t->wide);
  for (k = 0; k < count; k++) t->share[k] = 1 / (lbp_real)count;
  return LBP_OK;
}

/* Takes sweeps and computes the frequencies after them; their mean takes these with a weight. */
LBP_FN void lbp_p_train_sample(lbp_p_train *t, double weight) {
  const uint32_t count = t->how.chains;
  const lbp_real part = (lbp_real)weight;
  uint32_t k, i;
  int64_t c;
  for (k = 0; k < count; k++) t->chains.kernel->touch(lbp_chains_unit(&t->chains, k));
  lbp_chains_steps(&t->chains, t->how.sweeps, 1, t->wide);
  for (k = 0; k < count; k++) {
    const uint8_t *x = (const uint8_t *)lbp_chains_unit(&t->chains, k)->x;
    for (i = 0; i < t->n; i++) t->column[(size_t)i * count + k] = x[i];
  }
  lbp_p_train_count(t, count);
  for (i = 0; i < t->sites; i++) t->run[i] += part * (t->f[i] - t->run[i]);
  LBP_P_TRAIN_ALL
  for (c = 0; c < (int64_t)t->pairs; c++) t->run_pair[c] += part * (t->f_pair[c] - t->run_pair[c]);
}

LBP_FN double lbp_p_train_gap(const lbp_p_train *t) {
  double sum = 0.0;
  size_t k;
  for (k = 0; k < t->sites; k++) sum += (double)((t->one[k] - t->f[k]) * (t->one[k] - t->f[k])) / (double)t->sites;
  return sqrt(sum);
}

/* ---- training and drawing ---------------------------------------------------------------------------------------- */

/* Sets independent sites with the data's frequencies; those of unseen values may be too small for an lbp_real. */
LBP_FN void lbp_p_train_begin(lbp_p_train *t, uint32_t rows, const double *weight) {
  double effective = 0.0;
  uint32_t k;
  for (k = 0; k < rows; k++) effective += weight ? weight[k] : 1.0;
  for (k = 0; k < t->sites; k++) {
    const double sum = (double)t->one[k] * effective + t->how.pseudocount / t->q;
    const double p = fmax(sum / (effective + t->how.pseudocount), DBL_MIN);
    t->p[k] = (lbp_real)p;
    t->h[k] = (lbp_real)lbp_log_fine(p);
  }
  lbp_potts_dense_set(&t->model, t->h, t->J);
}

/* Returns why the batch shows no curvature, if all its states are the same. */
LBP_FN int lbp_p_train_alike(uint32_t rows, uint32_t n, const uint8_t *x) {
  uint32_t k;
  for (k = 1; k < rows; k++) {
    if (memcmp(x, x + (size_t)k * n, n) != 0) return LBP_E_TOO_SHORT;
  }
  return LBP_E_CONSTANT;
}

LBP_FN int lbp_p_train_run(lbp_p_train *t, const lbp_kernel *kernel, uint32_t rows, const uint8_t *x,
                           const double *weight, lbp_potts_report report, void *user) {
  const lbp_potts_training *how = &t->how;
  const uint32_t half = how->iterations / 2;
  lbp_rng rng = lbp_models_instance_rng(how->seed);
  lbp_potts_progress progress;
  uint32_t k;
  int status = LBP_OK;
  memset(&progress, 0, sizeof progress);
  progress.total = how->start + how->iterations;
  lbp_p_train_begin(t, rows, weight);
  lbp_p_train_choose(rows, t->n, x, weight, t->batch, NULL, t->state);
  lbp_p_train_curvature(t, &rng);
  if (!(t->curvature > 1e-9)) return lbp_p_train_alike(rows, t->n, x); /* rounding aside */
  t->rate = fmin(how->start_rate / t->curvature, LBP_P_TRAIN_START_MOST);
  for (k = 0; k < how->start && status == LBP_OK; k++) {
    lbp_p_train_choose(rows, t->n, x, weight, t->batch, &rng, t->state);
    status = lbp_p_train_pseudo(t);
    if (status != LBP_OK) return status;
    lbp_p_train_aim(t, k == 0);
    status = lbp_p_train_step(t, 0.0, 1.0);
    if (status != LBP_OK) return status;
    progress.done++;
    if (report) report(user, &progress);
  }
  progress.chains = 1;
  t->rate = fmin(how->rate / t->curvature, LBP_P_TRAIN_MOST);
  if (how->iterations > 0) status = lbp_p_train_chains(t, kernel, rows, x, weight);
  for (k = 0; k < how->iterations && status == LBP_OK; k++) {
    const uint32_t since = k < half ? k : k - half; /* means restart halfway */
    lbp_p_train_sample(t, k < half && k >= 10 ? 0.1 : 1.0 / (since + 1));
    progress.gap = lbp_p_train_gap(t);
    lbp_p_train_aim(t, k == 0);
    status = lbp_p_train_step(t, how->damping, k < half ? 1.0 : 1.0 / (since + 1));
    if (status != LBP_OK) return status;
    progress.done++;
    if (!report) continue;
    progress.pearson = lbp_alignment_pearson(t->n, t->q, t->one, t->p_pair, t->run, t->run_pair, NULL);
    report(user, &progress);
  }
  return status == LBP_OK ? lbp_p_train_set(t, t->h_mean, t->J_mean) : status;
}

LBP_FN int lbp_p_train_check(const lbp_potts_training *how) {
  const double value[5] = {how->start_rate, how->rate, how->damping, how->l2, how->pseudocount};
  int status = lbp_models_check_values(value, 5);
  if (status != LBP_OK) return status;
  if (!(how->start_rate > 0.0 && how->rate > 0.0 && how->damping >= 0.0 && how->l2 >= 0.0)) return LBP_E_RANGE;
  if (!(how->pseudocount > 0.0) || how->batch == 0 || how->start > UINT32_MAX / 2) return LBP_E_RANGE;
  if (how->iterations > UINT32_MAX / 2 || how->start + how->iterations == 0) return LBP_E_RANGE;
  return how->iterations > 0 && (how->chains == 0 || how->sweeps == 0) ? LBP_E_RANGE : LBP_OK;
}

/* Trains a model of n sites with `states` values on x [rows][n]; weight: [rows] positive weights of rows (NULL: all
 * equal). kernel: that of an instance whose model is lbp_potts_dense with LBP_CAT_STATES = states; not needed if
 * how->iterations is 0. how: NULL: the defaults, with seed 1. report: NULL, or is called after every step, with `user`.
 * On one machine the same seed gives the same model, whatever the number of threads. Memory: 8 numbers a coupling, 2
 * more if how->start is not 0, and the chains. Returns LBP_OK, or LBP_E_NULL; LBP_E_SIZE (no row, fewer than 2 sites,
 * or too many numbers); LBP_E_RANGE (states is not 2 ... 256, an option is invalid, the kernel lacks the sampler or has
 * another number of values, or a weight is not positive or too large); LBP_E_NOT_FINITE (an option or a weight);
 * LBP_E_STATE (a value of x is not below `states`); LBP_E_CONSTANT (all states are the same); LBP_E_TOO_SHORT (the
 * batch's states are the same: how->batch is 1, or one state has nearly all the weight); LBP_E_NOT_CONVERGED
 * (parameters grew beyond 1e12 or became NaN, for example because how->damping is far too large); LBP_E_MEMORY. */
LBP_FN int lbp_potts_train(lbp_potts_dense *m, uint32_t rows, uint32_t n, uint32_t states, const uint8_t *x,
                           const double *weight, const lbp_kernel *kernel, const lbp_potts_training *how,
                           lbp_potts_report report, void *user) {
  const lbp_potts_training defaults = lbp_potts_training_defaults(1);
  lbp_p_train t;
  uint32_t k;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!how) how = &defaults;
  if (!x || (!kernel && how->iterations > 0)) return LBP_E_NULL;
  if (n < 2 || lbp_models_check_sites(rows, n) != LBP_OK) return LBP_E_SIZE;
  if (states < 2 || states > LBP_POTTS_MOST) return LBP_E_RANGE;
  if (kernel && how->iterations > 0 && (kernel->values != states || kernel->item_bytes != 1)) return LBP_E_RANGE;
  status = lbp_p_train_check(how);
  for (k = 0; k < rows && weight && status == LBP_OK; k++) {
    status = lbp_models_check_value(weight[k]);
    if (status == LBP_OK && !(weight[k] > 0.0)) status = LBP_E_RANGE;
  }
  if (status != LBP_OK) return status;
  status = lbp_p_train_init(&t, n, states, rows, how);
  if (status != LBP_OK) return status;
  status = lbp_alignment_frequencies(rows, n, states, x, weight, t.one, t.p_pair);
  if (status == LBP_OK) status = lbp_p_train_run(&t, kernel, rows, x, weight, report, user);
  if (status == LBP_OK) {
    *m = t.model;
    memset(&t.model, 0, sizeof t.model);
  }
  lbp_p_train_free(&t);
  return status;
}

/* Draws states from a model to x [rows][n]. Row r comes from chain r % chains. Each chain starts at a random state and
 * takes `warmup` steps, and then `apart` steps before each of its rows. Returns LBP_OK, or LBP_E_NULL; LBP_E_SIZE (no
 * row); LBP_E_RANGE (chains or apart is 0, or the kernel lacks the sampler or has another number of values);
 * LBP_E_MEMORY. */
LBP_FN int lbp_potts_draw(const lbp_potts_dense *m, const lbp_kernel *kernel, int sampler, uint32_t chains,
                          uint32_t warmup, uint32_t apart, uint32_t rows, uint64_t seed, uint8_t *x) {
  lbp_chains c;
  lbp_plan plan;
  uint32_t k, row;
  int status;
  if (!m || !m->J || !kernel || !x) return LBP_E_NULL;
  if (lbp_models_check_sites(rows, m->n) != LBP_OK) return LBP_E_SIZE;
  if (chains == 0 || apart == 0 || kernel->values != m->states || kernel->item_bytes != 1) return LBP_E_RANGE;
  status = lbp_plan_init(&plan, kernel, sampler, m->n, m->states);
  if (status != LBP_OK) return status;
  plan.warmup = warmup;
  if (chains > rows) chains = rows;
  status = lbp_chains_init(&c, kernel, m, &plan, 0, chains, 0);
  for (k = 0; k < chains && status == LBP_OK; k++) status = lbp_chains_make(&c, k, seed);
  if (status == LBP_OK) lbp_chains_steps(&c, warmup, 1, 1);
  for (row = 0; row < rows && status == LBP_OK; row += chains) {
    const uint32_t left = rows - row < chains ? rows - row : chains;
    lbp_chains_steps(&c, apart, 0, 1);
    for (k = 0; k < left; k++) memcpy(x + (size_t)(row + k) * m->n, lbp_chains_unit(&c, k)->x, m->n);
  }
  lbp_chains_free(&c);
  return status;
}

#undef LBP_P_TRAIN_SITES
#undef LBP_P_TRAIN_ALL

LBP_EXACT_END

#endif /* LBP_POTTS_TRAIN_H */
