/* Small models of ordinal sites for lbp_ab.h, whose laws are sums over all states: the model of test_ab.c and
 * test_clamped_ab.c, draws from its law; and for test_ab_adaptive.c, too, states by number, and random parameters. */
#ifndef AB_TOY_H
#define AB_TOY_H

#include <math.h>

#include "../lbp.h"

enum { AB_SITES = 4 };

/* f = h.x + x'Jx / 2 + cubic sum_i x_i^3 */
typedef struct {
  uint32_t d, states;
  double J[AB_SITES * AB_SITES], h[AB_SITES], cubic;
  uint32_t nan_at, inf_at, none_at; /* states with this sum have no log pi, no gradient, are impossible; 0: none; for the
                                     * last UINT32_MAX: all */
} ab_toy;

LBP_FN double ab_toy_gradient(const ab_toy *m, const uint8_t *x, double *out) {
  double f = 0;
  uint32_t i, j, sum = 0;
  for (i = 0; i < m->d; i++) {
    double field = 0;
    for (j = 0; j < m->d; j++) field += m->J[i * m->d + j] * x[j];
    out[i] = m->h[i] + field + m->cubic * 3 * x[i] * x[i];
    f += x[i] * (m->h[i] + field / 2) + m->cubic * x[i] * x[i] * x[i];
    sum += x[i];
  }
  if (m->none_at && (sum == m->none_at || m->none_at == UINT32_MAX)) return -(double)INFINITY;
  if (m->inf_at && sum == m->inf_at) out[0] = INFINITY;
  return m->nan_at && sum == m->nan_at ? (double)NAN : f;
}

LBP_FN double ab_toy_logp(const ab_toy *m, const uint8_t *x) {
  double gradient[AB_SITES];
  return ab_toy_gradient(m, x, gradient);
}

LBP_FN float ab_toy_gradient_f(const ab_toy *m, const uint8_t *x, float *out) {
  double gradient[AB_SITES];
  const double f = ab_toy_gradient(m, x, gradient);
  uint32_t i;
  for (i = 0; i < m->d; i++) out[i] = (float)gradient[i];
  return (float)f;
}

LBP_FN void ab_toy_conditional(const ab_toy *m, const uint8_t *x, uint32_t i, double *out) {
  uint8_t y[AB_SITES];
  uint32_t v;
  memcpy(y, x, m->d);
  for (v = 0; v < m->states; v++) {
    y[i] = (uint8_t)v;
    out[v] = ab_toy_logp(m, y);
  }
}

/* J [d][d] and h [d] at random. The diagonal is 0 for two values, whose squares are these themselves, -0.5 for more. */
LBP_FN void ab_parameters(uint32_t d, uint32_t states, uint64_t seed, double *J, double *h) {
  lbp_rng rng;
  uint32_t i, j;
  lbp_rng_init(&rng, seed, 7);
  for (i = 0; i < d; i++) {
    h[i] = lbp_u01(lbp_rng_u64(&rng)) - 0.5;
    for (j = 0; j <= i; j++) {
      const double u = 1.2 * lbp_u01(lbp_rng_u64(&rng)) - 0.6;
      J[i * d + j] = J[j * d + i] = i != j ? u : states == 2 ? 0 : -0.5;
    }
  }
}

LBP_FN ab_toy ab_toy_make(uint32_t d, uint32_t states, double cubic, uint64_t seed) {
  ab_toy m;
  memset(&m, 0, sizeof m);
  m.d = d;
  m.states = states;
  m.cubic = cubic;
  ab_parameters(d, states, seed, m.J, m.h);
  return m;
}

/* States by number, sum_i x_i states^i: how many cells there are, the state of a cell, and the cell of a state. */
LBP_FN uint32_t ab_cells(uint32_t d, uint32_t states) {
  uint32_t cells = 1, i;
  for (i = 0; i < d; i++) cells *= states;
  return cells;
}

LBP_FN void ab_decode(uint32_t d, uint32_t states, uint32_t cell, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < d; i++, cell /= states) x[i] = (uint8_t)(cell % states);
}

LBP_FN uint32_t ab_encode(uint32_t d, uint32_t states, const uint8_t *x) {
  uint32_t cell = 0, i;
  for (i = d; i-- > 0;) cell = cell * states + x[i];
  return cell;
}

/* A cell from law[0 .. cells), never one of probability 0 but the last. */
LBP_FN uint32_t ab_draw(const double *law, uint32_t cells, lbp_rng *rng) {
  double u = lbp_u01(lbp_rng_u64(rng));
  uint32_t k = 0;
  while (k + 1 < cells && (u >= law[k] || law[k] <= 0)) u -= law[k++];
  return k;
}

#endif
