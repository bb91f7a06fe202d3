/* A small model of categorical sites whose law is a table: log pi of every state, which callbacks look up. Parameters
 * are multiples of 2^-10, so that differences are exact in single precision too. */
#ifndef CAT_TOY_H
#define CAT_TOY_H

#include <math.h>

#include "../lbp.h"

enum { CAT_SITES = 6, CAT_STATES = 1024, CAT_ALL = 128 };

#define CAT_INFINITY HUGE_VAL

/* Kinds of models. */
#define CAT_LOCAL    1
#define CAT_FIELDS   2
#define CAT_PRODUCT  3
#define CAT_DENSE    4 /* LBP_DELTAS alone, exact */
#define CAT_KEPT     5 /* the same, with LBP_LOGP and LBP_DELTAS_EXACT */
#define CAT_OF       6 /* estimates, LBP_LOGP, LBP_CAT_DELTAS_OF, fields */
#define CAT_ESTIMATE 7 /* estimates and LBP_LOGP */
#define CAT_MANY     8 /* the same with fields, for many chains */

/* What is impossible. */
enum {
  CAT_SOFT, /* nothing */
  CAT_HARD, /* a value of site 0; and if sites interact, 0 and 1 agree, unless site 2 has 3: they change together */
  CAT_KNOT  /* one state, half way between two others: a constraint on all sites at once */
};

typedef struct {
  uint32_t n, states, K[CAT_SITES], stride[CAT_SITES];
  uint32_t alone;                         /* whether sites are independent */
  double logp[CAT_STATES];                /* by code */
  double base[CAT_SITES];                 /* scale of the law at beta = 0 */
} cat_toy;

/* Fields: the code of the state, kept up to date. */
typedef struct {
  uint32_t code, saved;
} cat_fields;

LBP_FN uint32_t cat_code(const cat_toy *t, const uint8_t *x) {
  uint32_t code = 0, i;
  for (i = 0; i < t->n; i++) code += x[i] * t->stride[i];
  return code < t->states ? code : 0;
}

LBP_FN uint32_t cat_value(const cat_toy *t, uint32_t code, uint32_t i) { return code / t->stride[i] % t->K[i]; }

/* The code after site i has become v. */
LBP_FN uint32_t cat_moved(const cat_toy *t, uint32_t code, uint32_t i, uint32_t v) {
  return code + (v - cat_value(t, code, i)) * t->stride[i];
}

LBP_FN double cat_number(lbp_rng *rng, double spread) {
  return (double)(int64_t)(spread * (2 * lbp_u01(lbp_rng_u64(rng)) - 1) * 1024) / 1024;
}

LBP_FN int cat_forbids(const cat_toy *t, int kind, uint32_t code) {
  const uint32_t a = cat_value(t, code, 0), b = cat_value(t, code, t->n > 1 ? 1 : 0);
  uint32_t i, knot = t->n > 1;
  if (kind == CAT_SOFT) return 0;
  for (i = 0; i < t->n; i++) knot &= t->K[i] < 2 || cat_value(t, code, i) == (i < t->n / 2);
  if (kind == CAT_KNOT) return (int)knot;
  return a == 2 || (a != b && !t->alone && !(t->n > 2 && cat_value(t, code, 2) == 3));
}

/* n sites of K[i] values, on a ring with random couplings of all pairs of values (none if `alone`). */
LBP_FN cat_toy cat_make(uint32_t n, const uint32_t *K, double spread, int kind, int alone, uint64_t seed) {
  double field[CAT_SITES][256], coupling[CAT_SITES][4][4];
  lbp_rng rng;
  cat_toy t;
  uint32_t i, v, w, code;
  memset(&t, 0, sizeof t);
  lbp_rng_init(&rng, seed, 5);
  t.n = n;
  t.states = 1;
  t.alone = (uint32_t)alone;
  for (i = 0; i < n; i++) {
    t.K[i] = K[i];
    t.stride[i] = t.states;
    t.states *= K[i];
    t.base[i] = cat_number(&rng, 0.5);
    for (v = 0; v < K[i]; v++) field[i][v] = cat_number(&rng, spread);
    for (v = 0; v < 4; v++)
      for (w = 0; w < 4; w++) coupling[i][v][w] = cat_number(&rng, alone ? 0 : 0.75);
  }
  for (code = 0; code < t.states; code++) {
    for (i = 0; i < n; i++) {
      const uint32_t a = cat_value(&t, code, i);
      t.logp[code] += field[i][a] + (n > 1 ? coupling[i][a % 4][cat_value(&t, code, (i + 1) % n) % 4] : 0);
    }
    if (cat_forbids(&t, kind, code)) t.logp[code] = -CAT_INFINITY;
  }
  return t;
}

/* log pi(x with x_i = v) - log pi(x): NaN between two impossible states. */
LBP_FN double cat_ratio(const cat_toy *t, uint32_t code, uint32_t i, uint32_t v) {
  return v == cat_value(t, code, i) ? 0 : t->logp[cat_moved(t, code, i, v)] - t->logp[code];
}

/* An estimate of the same: off by a factor and by a bias, and a number where that is none. */
LBP_FN double cat_estimate(const cat_toy *t, uint32_t code, uint32_t i, uint32_t v) {
  const double d = cat_ratio(t, code, i, v), bias = ((double)v - cat_value(t, code, i)) / 8;
  return fabs(d) < 1e300 ? 0.75 * d + bias : bias;
}

LBP_FN double cat_base(const cat_toy *t, uint32_t i, uint32_t v) { return t->base[i] * v; }

LBP_FN uint32_t cat_neighbours(const cat_toy *t, uint32_t i, uint32_t *out) {
  uint32_t j, count = 0;
  for (j = 0; j < t->n && !t->alone; j++) {
    if (j != i) out[count++] = j;
  }
  return count;
}

/* log of the law at an inverse temperature, with the base there is. */
LBP_FN double cat_tempered(const cat_toy *t, uint32_t code, double beta, int based) {
  double v = t->logp[code];
  uint32_t i;
  if (!(v > -1e300)) return v;
  v *= beta;
  for (i = 0; i < t->n && based; i++) v += (1 - beta) * cat_base(t, i, cat_value(t, code, i));
  return v;
}

#endif
