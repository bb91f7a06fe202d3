/* Ising models and FHMMs by the gradient approximation of the paper's section 6: the log-ratio of flipping site i is
 * estimated by (1 - 2 x_i) d log pi / d x_i, and log pi decides the acceptance. Each step has both again for all sites.
 *
 * By Taylor a quadratic log pi changes by (1 - 2 x_i) d log pi / d x_i + (d^2 log pi / d x_i^2) / 2, since
 * (1 - 2 x_i)^2 = 1. The estimate is exact where log pi is linear in each site, and else off by a constant. */
#ifndef BENCH_GRADIENT_H
#define BENCH_GRADIENT_H

#include "../common/models.h"

typedef lbp_ising ising_gradient;
typedef lbp_fhmm fhmm_gradient;

LBP_FN double ising_gradient_logp(const lbp_ising *m, const uint8_t *x) { return lbp_ising_logp(m, x); }
LBP_FN double fhmm_gradient_logp(const lbp_fhmm *m, const uint8_t *x) { return lbp_fhmm_logp(m, x); }

LBP_INLINE lbp_real gradient_spin(uint8_t x) { return (lbp_real)(2 * x - 1); }

/* Slopes in spins, edge by edge; a spin is 2 x - 1. */
LBP_FN void ising_gradient_deltas(const lbp_ising *m, const uint8_t *x, lbp_real *out) {
  const lbp_real lambda = (lbp_real)m->lambda;
  memcpy(out, m->alpha, m->n * sizeof *out);
  for (uint32_t i = 0; i + m->cols < m->n; i++) {
    out[i] += lambda * gradient_spin(x[i + m->cols]);
    out[i + m->cols] += lambda * gradient_spin(x[i]);
  }
  for (uint32_t row = 0; row < m->n; row += m->cols) {
    for (uint32_t i = row; i + 1 < row + m->cols; i++) {
      out[i] += lambda * gradient_spin(x[i + 1]);
      out[i + 1] += lambda * gradient_spin(x[i]);
    }
  }
  for (uint32_t i = 0; i < m->n; i++) out[i] *= -2 * gradient_spin(x[i]);
}

/* Whether x and y differ is x (1 - y) + (1 - x) y for other numbers too, linear in each, as in the paper's code. */
LBP_FN void fhmm_gradient_deltas(const lbp_fhmm *m, const uint8_t *x, lbp_real *out) {
  for (uint32_t l = 0, i = 0; l < m->L; l++) {
    lbp_real residual = m->centred[l];
    for (uint32_t k = 0; k < m->K; k++) residual -= m->weight[k] * (lbp_real)x[i + k];
    for (uint32_t k = 0; k < m->K; k++, i++) {
      lbp_real slope = m->precision * m->weight[k] * residual;
      slope -= l > 0 ? m->change * gradient_spin(x[i - m->K]) : -m->start;
      slope -= l + 1 < m->L ? m->change * gradient_spin(x[i + m->K]) : 0;
      out[i] = -gradient_spin(x[i]) * slope;
    }
  }
}

#define PAIR  gradient_ising
#define MODEL ising_gradient
#include "../common/pair.h"

#define PAIR  gradient_fhmm
#define MODEL fhmm_gradient
#include "../common/pair.h"

static lbp_kernel (*const gradient_kernels[MODEL_COUNT][WEIGHT_COUNT])(void) = {
  [MODEL_ISING] = {gradient_ising_barker_kernel, gradient_ising_sqrt_kernel},
  [MODEL_FHMM] = {gradient_fhmm_barker_kernel, gradient_fhmm_sqrt_kernel}};

/* How far the estimates at x0 are from log-ratios at most, and with half the second derivative added. */
LBP_FN void gradient_errors(const bench_model *b, double *plain, double *corrected) {
  lbp_real *estimates = (lbp_real *)basic_alloc(b->n, sizeof *estimates);
  const lbp_fhmm *fhmm = b->kind == MODEL_FHMM ? &b->as.fhmm : NULL;
  const uint8_t *x = b->reference;
  if (fhmm) fhmm_gradient_deltas(fhmm, x, estimates);
  else ising_gradient_deltas(&b->as.ising, x, estimates);
  *plain = *corrected = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    const double w = fhmm ? fhmm->W[i % fhmm->K] : 0, half_second = fhmm ? -w * w / (2 * fhmm->sigma2) : 0;
    const lbp_real exact = fhmm ? lbp_fhmm_delta(fhmm, x, i) : lbp_ising_delta(&b->as.ising, x, i);
    const double off = (double)estimates[i] - (double)exact;
    *plain = fmax(*plain, fabs(off));
    *corrected = fmax(*corrected, fabs(off + half_second));
  }
  free(estimates);
}

#endif
