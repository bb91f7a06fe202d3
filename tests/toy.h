/* A small random model whose law is known by enumeration, given to lbp.h in every way that it accepts: exact local
 * log-ratios, exact dense ones, biased dense estimates with log pi, and incremental fields.
 *
 * log pi(x) = sum_i field_i s_i + sum over edges J_ij s_i s_j, s = 2x - 1, with states of two neighbouring ones
 * impossible if `exclusion`. Parameters are multiples of 2^-10, so that sums are exact in any order. */
#ifndef TOY_H
#define TOY_H

#include <math.h>

#include "../lbp.h"

enum { TOY_MAX = 10 };

typedef struct {
  uint32_t n;
  int exclusion;
  double field[TOY_MAX], coupling[TOY_MAX][TOY_MAX]; /* symmetric, zero where there is no edge */
} toy;

typedef struct {
  double h[TOY_MAX], saved[TOY_MAX]; /* h_i = field_i + sum_j J_ij s_j */
} toy_fields;

#define TOY_INFINITY HUGE_VAL /* 1e308 * 10 is finite where registers have a larger range */

/* A ring of n sites with one chord, random couplings, fields up to `spread`. */
LBP_FN toy toy_make(uint32_t n, double spread, int exclusion, uint64_t seed) {
  toy t;
  lbp_rng rng;
  uint32_t i;
  memset(&t, 0, sizeof t);
  lbp_rng_init(&rng, seed, 0);
  t.n = n;
  t.exclusion = exclusion;
  for (i = 0; i < n; i++) {
    const uint32_t j = (i + 1) % n;
    t.field[i] = (double)(int64_t)(spread * (2 * lbp_u01(lbp_rng_u64(&rng)) - 1) * 1024) / 1024;
    if (j != i) t.coupling[i][j] = t.coupling[j][i] = (double)(int64_t)(lbp_u01(lbp_rng_u64(&rng)) * 900) / 1024 - 0.3125;
  }
  if (n >= 4) t.coupling[0][n / 2] = t.coupling[n / 2][0] = 0.4375;
  return t;
}

/* The same without couplings: independent sites. */
LBP_FN toy toy_product(uint32_t n, double spread, int exclusion, uint64_t seed) {
  toy t = toy_make(n, spread, exclusion, seed);
  memset(t.coupling, 0, sizeof t.coupling);
  return t;
}

LBP_FN double toy_logp(const toy *t, const uint8_t *x) {
  double sum = 0;
  uint32_t i, j;
  for (i = 0; i < t->n; i++) {
    sum += x[i] ? t->field[i] : -t->field[i];
    for (j = 0; j < i; j++) {
      if (t->coupling[i][j] == 0) continue;
      if (t->exclusion && x[i] && x[j]) return -TOY_INFINITY;
      sum += x[i] == x[j] ? t->coupling[i][j] : -t->coupling[i][j];
    }
  }
  return sum;
}

LBP_FN double toy_delta(const toy *t, const uint8_t *x, uint32_t i) {
  double h = t->field[i];
  uint32_t j;
  for (j = 0; j < t->n; j++) {
    if (t->coupling[i][j] == 0) continue;
    if (t->exclusion && x[j]) return x[i] ? TOY_INFINITY : -TOY_INFINITY;
    h += x[j] ? t->coupling[i][j] : -t->coupling[i][j];
  }
  return x[i] ? -2 * h : 2 * h;
}

LBP_FN uint32_t toy_neighbours(const toy *t, uint32_t i, uint32_t *out) {
  uint32_t j, count = 0;
  for (j = 0; j < t->n; j++) {
    if (t->coupling[i][j] != 0) out[count++] = j;
  }
  return count;
}

/* dense, exact */
LBP_FN void toy_deltas(const toy *t, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < t->n; i++) out[i] = toy_delta(t, x, i);
}

LBP_FN void toy_deltas_float(const toy *t, const uint8_t *x, float *out) {
  uint32_t i;
  for (i = 0; i < t->n; i++) out[i] = (float)toy_delta(t, x, i);
}

/* dense estimates, from fields: off by a factor and by a bias, as gradients are */
LBP_FN void toy_fields_set(const toy *t, toy_fields *f, const uint8_t *x) {
  uint32_t i, j;
  for (i = 0; i < t->n; i++) {
    f->h[i] = t->field[i];
    for (j = 0; j < t->n; j++) f->h[i] += x[j] ? t->coupling[i][j] : -t->coupling[i][j];
  }
}

LBP_FN void toy_fields_flip(const toy *t, toy_fields *f, const uint8_t *x, uint32_t i) {
  uint32_t j;
  for (j = 0; j < t->n; j++) f->h[j] += x[i] ? 2 * t->coupling[i][j] : -2 * t->coupling[i][j];
}

/* local, with flips that list what they change */
LBP_FN double toy_listed_delta(const toy *t, const toy_fields *f, const uint8_t *x, uint32_t i) {
  (void)f;
  return toy_delta(t, x, i);
}

LBP_FN uint32_t toy_flip_list(const toy *t, toy_fields *f, const uint8_t *x, uint32_t i, uint32_t *site, double *ratio) {
  const uint32_t count = toy_neighbours(t, i, site);
  uint32_t k;
  toy_fields_flip(t, f, x, i);
  for (k = 0; k < count; k++) ratio[k] = toy_delta(t, x, site[k]);
  return count;
}

LBP_FN uint32_t toy_flip_list_float(const toy *t, toy_fields *f, const uint8_t *x, uint32_t i, uint32_t *site,
                                    float *ratio) {
  const uint32_t count = toy_neighbours(t, i, site);
  uint32_t k;
  toy_fields_flip(t, f, x, i);
  for (k = 0; k < count; k++) ratio[k] = (float)toy_delta(t, x, site[k]);
  return count;
}

LBP_FN void toy_fields_save(const toy *t, toy_fields *f) { memcpy(f->saved, f->h, t->n * sizeof f->h[0]); }
LBP_FN void toy_fields_restore(const toy *t, toy_fields *f) { memcpy(f->h, f->saved, t->n * sizeof f->h[0]); }

LBP_FN double toy_fields_logp(const toy *t, toy_fields *f, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < t->n; i++) sum += (x[i] ? 0.5 : -0.5) * (f->h[i] + t->field[i]);
  return sum;
}

LBP_FN double toy_fields_delta(const toy *t, toy_fields *f, const uint8_t *x, uint32_t i) {
  (void)t;
  return x[i] ? -2 * f->h[i] : 2 * f->h[i];
}

LBP_FN void toy_fields_deltas(const toy *t, toy_fields *f, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < t->n; i++) out[i] = (x[i] ? -1.5 : 1.5) * f->h[i] + 0.25;
}

LBP_FN void toy_fields_deltas_float(const toy *t, toy_fields *f, const uint8_t *x, float *out) {
  uint32_t i;
  for (i = 0; i < t->n; i++) out[i] = (float)((x[i] ? -1.5 : 1.5) * f->h[i] + 0.25);
}

LBP_FN void toy_fields_deltas_many(const toy *t, toy_fields *const *f, const uint8_t *const *x, double *const *out,
                                   uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) toy_fields_deltas(t, f[k], x[k], out[k]);
}

LBP_FN void toy_fields_deltas_many_float(const toy *t, toy_fields *const *f, const uint8_t *const *x, float *const *out,
                                         uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) toy_fields_deltas_float(t, f[k], x[k], out[k]);
}

/* A state's number, sum_i x_i 2^i. */
LBP_FN uint32_t toy_code(const uint8_t *x, uint32_t n) {
  uint32_t code = 0, i;
  for (i = 0; i < n; i++) code |= (uint32_t)x[i] << i;
  return code;
}

/* Whether sites[0 .. count) are those of the bits, each once. */
LBP_FN int toy_lists(const uint32_t *sites, uint32_t count, uint32_t bits) {
  uint32_t k;
  for (k = 0; k < count; k++) {
    if (!(bits >> sites[k] & 1)) return 0;
    bits ^= 1u << sites[k];
  }
  return bits == 0;
}

/* The law: law[code], normalised. */
LBP_FN void toy_law(const toy *t, double *law) {
  const uint32_t states = 1u << t->n;
  uint8_t x[TOY_MAX];
  double sum = 0, largest = -TOY_INFINITY;
  uint32_t code, i;
  for (code = 0; code < states; code++) {
    for (i = 0; i < t->n; i++) x[i] = (uint8_t)(code >> i & 1);
    law[code] = toy_logp(t, x);
    if (law[code] > largest) largest = law[code];
  }
  for (code = 0; code < states; code++) {
    const double gap = law[code] - largest;
    law[code] = gap > -700 ? lbp_exp(gap) : 0;
    sum += law[code];
  }
  for (code = 0; code < states; code++) law[code] /= sum;
}

#endif
