/* The law of any model of up to 2^20 states, by enumeration. Statistics: every coordinate and every product of two (of
 * two spins -1, 1 where there are two values), log pi and the square of its deviation from the mean, and the states in
 * cells of about equal probability, in the order of log pi. */
#ifndef EXACT_ENUMERATE_H
#define EXACT_ENUMERATE_H

#include "law.h"

enum { ENUMERATE_CELLS = 16, ENUMERATE_SITES = 20 };

typedef struct {
  double (*logp)(const void *model, const uint8_t *x);
  uint32_t states;
  double *log_pi, *pi, *cumulative; /* by code, sum_i x_i values^i */
  uint8_t *cell;
  double centre;                    /* mean of log pi */
} enumeration;

static void enumerate_decode(const law *l, uint32_t code, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < l->n; i++, code /= l->values) x[i] = (uint8_t)(code % l->values);
}

static void enumerate_draw(const law *l, uint64_t *seed, uint8_t *x) {
  const enumeration *e = (const enumeration *)l->own;
  const double target = law_uniform(seed) * e->cumulative[e->states - 1];
  uint32_t low = 0, high = e->states - 1;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (e->cumulative[middle] > target) high = middle;
    else low = middle + 1;
  }
  enumerate_decode(l, low, x);
}

static void enumerate_add(const law *l, const uint8_t *x, double weight, double *sum) {
  const enumeration *e = (const enumeration *)l->own;
  const int spins = l->values == 2;
  double v[ENUMERATE_SITES];
  uint32_t code = 0, i, j;
  for (i = l->n; i-- > 0;) {
    code = code * l->values + x[i];
    v[i] = spins ? 2.0 * x[i] - 1 : x[i];
  }
  for (i = 0; i < l->n; i++) *sum++ += weight * x[i];
  for (i = 0; i < l->n; i++) {
    for (j = spins ? i + 1 : i; j < l->n; j++) *sum++ += weight * v[i] * v[j];
  }
  *sum++ += weight * e->log_pi[code];
  *sum++ += weight * (e->log_pi[code] - e->centre) * (e->log_pi[code] - e->centre);
  sum[e->cell[code]] += weight;
}

static int enumerate_compare(const void *left, const void *right) {
  const double *const *a = (const double *const *)left, *const *b = (const double *const *)right;
  if (**a != **b) return **a < **b ? -1 : 1;
  return (*a > *b) - (*a < *b);
}

/* Normalises, and puts states into cells. */
static void enumerate_tabulate(law *l, enumeration *e) {
  const double **order = (const double **)law_memory(e->states, sizeof *order);
  double largest = -HUGE_VAL, total = 0, below = 0;
  uint8_t x[ENUMERATE_SITES];
  uint32_t code;
  for (code = 0; code < e->states; code++) {
    enumerate_decode(l, code, x);
    e->log_pi[code] = e->logp(l->model, x);
    order[code] = &e->log_pi[code];
    if (e->log_pi[code] > largest) largest = e->log_pi[code];
  }
  for (code = 0; code < e->states; code++) total += e->pi[code] = exp(e->log_pi[code] - largest);
  for (code = 0; code < e->states; code++) {
    e->pi[code] /= total;
    e->centre += e->pi[code] * e->log_pi[code];
    e->cumulative[code] = e->pi[code] + (code > 0 ? e->cumulative[code - 1] : 0);
  }
  qsort(order, e->states, sizeof *order, enumerate_compare);
  for (code = 0; code < e->states; code++) {
    const size_t at = (size_t)(order[code] - e->log_pi);
    const double middle = below + e->pi[at] / 2;
    e->cell[at] = (uint8_t)(middle * ENUMERATE_CELLS);
    below += e->pi[at];
  }
  free(order);
}

static law enumerate_law(const char *name, const void *model, uint32_t n, uint32_t values,
                         double (*logp)(const void *, const uint8_t *)) {
  enumeration *e = (enumeration *)law_memory(1, sizeof *e);
  uint8_t x[ENUMERATE_SITES];
  uint32_t code;
  law l;
  memset(&l, 0, sizeof l);
  l.name = name;
  l.model = model;
  l.n = n;
  l.values = values;
  l.own = e;
  l.draw = enumerate_draw;
  l.add = enumerate_add;
  e->logp = logp;
  e->states = (uint32_t)(pow(values, n) + 0.5);
  e->log_pi = law_doubles(e->states);
  e->pi = law_doubles(e->states);
  e->cumulative = law_doubles(e->states);
  e->cell = (uint8_t *)law_memory(e->states, 1);
  enumerate_tabulate(&l, e);
  law_declare(&l, "site", n);
  law_declare(&l, "pair", values == 2 ? n * (n - 1) / 2 : n * (n + 1) / 2);
  law_declare(&l, "log pi", 1);
  law_declare(&l, "its square", 1);
  law_declare(&l, "cell", ENUMERATE_CELLS);
  l.exact = law_doubles(l.count);
  for (code = 0; code < e->states; code++) {
    enumerate_decode(&l, code, x);
    l.add(&l, x, e->pi[code], l.exact);
  }
  return l;
}

static void enumerate_free(law *l) {
  enumeration *e = (enumeration *)l->own;
  free(e->log_pi);
  free(e->pi);
  free(e->cumulative);
  free(e->cell);
  free(e);
  free(l->exact);
}

#endif
