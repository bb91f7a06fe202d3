/* The visible units of a restricted Boltzmann machine with few hidden ones: given these, they are independent, and
 * P(h) ~ exp(c.h) prod_i (1 + exp(b_i + W_i.h)) is summed over (Smolensky, "Information processing in dynamical
 * systems", 1986, for the model). Statistics: every site, the products of each with the next, the sum of all and
 * the square of its deviation from the mean. */
#ifndef EXACT_RBM_H
#define EXACT_RBM_H

#include "../../lbp_models.h"
#include "law.h"

typedef struct {
  uint32_t states;   /* of the hidden units */
  double *weight;    /* [states] P(h) */
  double *p;         /* [states][n] P(x_i = 1 | h) */
} rbm_sum;

static void rbm_draw(const law *l, uint64_t *seed, uint8_t *x) {
  const rbm_sum *r = (const rbm_sum *)l->own;
  const double *p = r->p + (size_t)law_pick(r->weight, r->states, seed) * l->n;
  uint32_t i;
  for (i = 0; i < l->n; i++) x[i] = law_uniform(seed) < p[i];
}

static void rbm_add(const law *l, const uint8_t *x, double weight, double *sum) {
  const double *centre = l->exact + 2 * l->n - 1;
  uint32_t total = 0, i;
  for (i = 0; i < l->n; i++) {
    *sum++ += weight * x[i];
    total += x[i];
  }
  for (i = 1; i < l->n; i++) *sum++ += weight * x[i - 1] * x[i];
  sum[0] += weight * total;
  sum[1] += weight * (total - *centre) * (total - *centre);
}

static law rbm_law(const lbp_rbm *m) {
  rbm_sum *r = (rbm_sum *)law_memory(1, sizeof *r);
  const uint32_t n = m->n;
  double all = 0, largest = -HUGE_VAL, *out;
  uint32_t h, i, j;
  law l;
  memset(&l, 0, sizeof l);
  l.name = "rbm";
  l.model = m;
  l.n = n;
  l.values = 2;
  l.own = r;
  l.draw = rbm_draw;
  l.add = rbm_add;
  law_declare(&l, "site", n);
  law_declare(&l, "next", n - 1);
  law_declare(&l, "sum", 1);
  law_declare(&l, "its square", 1);
  l.exact = out = law_doubles(l.count);
  r->states = 1u << m->hidden;
  r->weight = law_doubles(r->states);
  r->p = law_doubles((size_t)r->states * n);
  for (h = 0; h < r->states; h++) {
    for (j = 0; j < m->hidden; j++) r->weight[h] += (h >> j & 1) * (double)m->c[j];
    for (i = 0; i < n; i++) {
      double field = (double)m->b[i];
      for (j = 0; j < m->hidden; j++) field += (h >> j & 1) * (double)m->W[i * m->hidden + j];
      r->p[h * n + i] = law_sigmoid(field);
      r->weight[h] += log1p(exp(field));
    }
    if (r->weight[h] > largest) largest = r->weight[h];
  }
  for (h = 0; h < r->states; h++) all += r->weight[h] = exp(r->weight[h] - largest);
  for (h = 0; h < r->states; h++) {
    const double *p = r->p + (size_t)h * n;
    r->weight[h] /= all;
    for (i = 0; i < n; i++) {
      out[i] += r->weight[h] * p[i];
      if (i > 0) out[n + i - 1] += r->weight[h] * p[i - 1] * p[i];
      out[2 * n - 1] += r->weight[h] * p[i];
    }
  }
  for (h = 0; h < r->states; h++) {
    double mean = 0, variance = 0;
    for (i = 0; i < n; i++) {
      mean += r->p[h * n + i];
      variance += r->p[h * n + i] * (1 - r->p[h * n + i]);
    }
    out[2 * n] += r->weight[h] * (variance + (mean - out[2 * n - 1]) * (mean - out[2 * n - 1]));
  }
  return l;
}

static void rbm_free(law *l) {
  rbm_sum *r = (rbm_sum *)l->own;
  free(r->weight);
  free(r->p);
  free(r);
  free(l->exact);
}

#endif
