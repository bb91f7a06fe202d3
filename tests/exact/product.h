/* Independent sites. Statistics: every site, their sum, the square of its deviation from the mean, and the chi-squared
 * sum of (x_i - p_i)^2 / (p_i (1 - p_i)). */
#ifndef EXACT_PRODUCT_H
#define EXACT_PRODUCT_H

#include "../../lbp_models.h"
#include "law.h"

static void product_draw(const law *l, uint64_t *seed, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < l->n; i++) x[i] = law_uniform(seed) < l->exact[i];
}

static void product_add(const law *l, const uint8_t *x, double weight, double *sum) {
  double total = 0, square = 0;
  uint32_t i;
  for (i = 0; i < l->n; i++) {
    const double p = l->exact[i], gap = x[i] - p;
    sum[i] += weight * x[i];
    total += gap;
    square += gap * gap / (p * (1 - p));
  }
  sum[l->n] += weight * (total + l->exact[l->n]);
  sum[l->n + 1] += weight * total * total;
  sum[l->n + 2] += weight * square;
}

static law product_law(const lbp_bernoulli *m) {
  uint32_t i;
  law l;
  memset(&l, 0, sizeof l);
  l.name = "product";
  l.model = m;
  l.n = m->n;
  l.values = 2;
  l.draw = product_draw;
  l.add = product_add;
  law_declare(&l, "site", m->n);
  law_declare(&l, "sum", 1);
  law_declare(&l, "its square", 1);
  law_declare(&l, "chi squared", 1);
  l.exact = law_doubles(l.count);
  for (i = 0; i < m->n; i++) {
    const double p = law_sigmoid((double)m->logit[i]);
    l.exact[i] = p;
    l.exact[m->n] += p;
    l.exact[m->n + 1] += p * (1 - p);
    l.exact[m->n + 2] += 1;
  }
  return l;
}

static void product_free(law *l) { free(l->exact); }

#endif
