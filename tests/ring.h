/* A model whose steps are followed rather than its law: a ring of sites with fields, given to lbp.h and lbp_ab.h in every
 * way that they accept. Of test_log_ratio and test_anneal. */
#ifndef RING_H
#define RING_H

#include "../lbp.h"

enum { RING_SITES = 70 }; /* more than a block has */

/* log pi of a ring: sum h_i x_i + J sum x_i x_(i+1), of values 0 ... 2 at most. */
typedef struct {
  uint32_t n;
  double h[RING_SITES], J;
} ring;

/* Fields of both signs, from -1 to 1, with `spread` taken from all. */
LBP_FN ring ring_make(double J, double spread) {
  ring m;
  uint32_t i;
  m.n = RING_SITES;
  m.J = J;
  for (i = 0; i < RING_SITES; i++) m.h[i] = ((i * 7 + 3) % 11 - 5.0) / 5 - spread;
  return m;
}

LBP_FN double ring_logp(const ring *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += m->h[i] * x[i] + m->J * x[i] * x[(i + 1) % m->n];
  return sum;
}

LBP_FN double ring_slope(const ring *m, const uint8_t *x, uint32_t i) {
  return m->h[i] + m->J * (x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n]);
}

LBP_FN double ring_delta(const ring *m, const uint8_t *x, uint32_t i) {
  return (x[i] ? -1 : 1) * ring_slope(m, x, i);
}

LBP_FN double ring_independent(const ring *m, const uint8_t *x, uint32_t i) {
  return (x[i] ? -1 : 1) * m->h[i];
}

LBP_FN double ring_product(const ring *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += m->h[i] * x[i];
  return sum;
}

LBP_FN uint32_t ring_neighbours(const ring *m, uint32_t i, uint32_t *out) {
  out[0] = (i + 1) % m->n;
  out[1] = (i + m->n - 1) % m->n;
  return 2;
}

/* Where all h are equal. */
LBP_FN uint32_t ring_level(const ring *m, const uint8_t *x, uint32_t i) {
  return x[i] * 3u + x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n];
}

LBP_FN void ring_deltas(const ring *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = ring_delta(m, x, i);
}

LBP_FN void ring_deltas_many(const ring *m, const uint8_t *const *x, double *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) ring_deltas(m, x[k], out[k]);
}

/* Only a guess of the log-ratios. */
LBP_FN void ring_estimates(const ring *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = 0.7 * ring_delta(m, x, i) + 0.1;
}

LBP_FN double ring_base(const ring *m, uint32_t i) { return 0.5 - 0.25 * m->h[i]; }

LBP_FN void ring_row(const ring *m, const uint8_t *x, uint32_t i, double *out) {
  uint32_t v;
  for (v = 0; v < 3; v++) out[v] = ((double)v - x[i]) * ring_slope(m, x, i);
}

LBP_FN void ring_rows(const ring *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) ring_row(m, x, i, out + 3 * i);
}

LBP_FN double ring_gradient(const ring *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = ring_slope(m, x, i);
  return ring_logp(m, x);
}

LBP_FN void ring_conditional(const ring *m, const uint8_t *x, uint32_t i, double *out) {
  uint32_t v;
  for (v = 0; v < 3; v++) out[v] = v * ring_slope(m, x, i);
}

#endif
