/* lbp/models/selection.h - Bayesian variable selection in linear regression, a model of lbp_models.h.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, lbp/base/linear.h and lbp/models/local.h. lbp_models.h includes
 * it; a program that describes no other model may include this file instead.
 *
 *   y = intercept + sum of b_i X_i over the columns i that have x_i = 1 + noise of variance sigma^2
 *
 * log pi(x) is the log Bayes factor of these columns against no column plus their log prior, with intercept, b and
 * sigma integrated out: the flat intercept centres y and all columns. So log Z is the log Bayes factor of the averaged
 * model, up to the constant that options.most < n leaves. lbp_selection_options has the priors. Dense, with fields per
 * chain:
 *
 *   lbp_selection_options options;                        #define LBP_NAME        select
 *   lbp_selection model;                                  #define LBP_MODEL_T     lbp_selection
 *   lbp_selection_options_init(&options);                 #define LBP_FIELDS_T    lbp_selection_fields
 *   if (lbp_selection_init(&model, rows, columns, X, y,   #define LBP_FIELDS_INIT lbp_selection_fields_set
 *                          &options)) ...                 #define LBP_FIELDS_MAKE lbp_selection_fields_init
 *   run.start = lbp_selection_start;                      #define LBP_FIELDS_FREE lbp_selection_fields_free
 *   run.start_data = &model;                              #define LBP_FLIP        lbp_selection_flip
 *   if (select_run(&run, &model, model.n, ...)) ...       #define LBP_DELTAS      lbp_selection_deltas
 *   ...                                                   #define LBP_DELTAS_EXACT
 *   lbp_selection_free(&model);                           #define LBP_LOGP        lbp_selection_logp
 *                                                         #include "lbp_run.h"
 *
 * and, optionally, LBP_DELTA lbp_selection_delta. For lbp_ab.h: lbp_selection_gradient, lbp_selection_conditional. All
 * numbers are double, whatever LBP_MODELS_REAL is, as is LBP_REAL by default: log-ratios of hundreds, which differences
 * of log pi have to match, are too much for a float.
 *
 * The work. With A = X_x'X_x + a diagonal, over the k columns of x, fields keep W with W A W' = 1 and U = W X_x'X, a
 * row for each of the k and a column for each of all n. A flip adds a row or, by a reflection, takes one away: O(k n).
 * All n log-ratios then take O(n) logarithms and O(k^2). Updates accumulate rounding errors, so fields are computed
 * from scratch from time to time: see LBP_SELECTION_REFRESH.
 */

#ifndef LBP_SELECTION_H
#define LBP_SELECTION_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/support.h"
#include "../base/linear.h"
#include "local.h"

LBP_EXACT_BEGIN

/* ---- priors and the model ---------------------------------------------------------------------------------------- */

/* Number of flips after which fields are computed from scratch. Measured with up to 60 columns of 300, made by
 * lbp_selection_simulate with rho up to 0.94: until then log-ratios stay within 3e-13 of those from scratch, after
 * 100,000 flips within 2e-12; with rho = 0.999 7e-12 and 2e-11. With columns that are exact linear combinations of
 * others it is 4e-7, as also from scratch. At this interval the cost is negligible. */
#ifndef LBP_SELECTION_REFRESH
#define LBP_SELECTION_REFRESH 1000u
#endif

/* The relative amount that the g-prior adds to the diagonal of X_x'X_x, so that there is an inverse: a column that
 * others determine adds nothing to the fit, and costs as much as any column. Without it log pi would be undefined
 * there, and dominated by rounding nearby. A column of which others determine all but 1 / V loses V times it of its
 * coefficient. */
#define LBP_SELECTION_RIDGE 1e-9

/* The widest slab, for the same reason: variance times a column's sum of squares, at most. */
#define LBP_SELECTION_FLATTEST 1e9

/* Columns that x may have for lbp_selection_gradient and _conditional, whose scratch, 66 KB, is on the stack. */
#define LBP_SELECTION_GRADIENT_MOST 128

enum {
  LBP_SLAB_G,      /* b ~ N(0, g sigma^2 (X_x'X_x)^-1): Zellner's g-prior; whatever the columns' units are */
  LBP_SLAB_NORMAL  /* b_i ~ N(0, variance sigma^2), independent */
};

typedef struct {
  int      slab;         /* LBP_SLAB_G [that] or LBP_SLAB_NORMAL: the prior of b */
  double   g;            /* of LBP_SLAB_G [0: as many as there are rows, a prior worth one row] */
  double   variance;     /* of LBP_SLAB_NORMAL [1] */
  int      standardise;  /* 1: columns have variance 1, sums of squares divided by rows - 1 [1]; 0: they are as given */
  double   inclusion;    /* each column is in with this probability, between 0 and 1 ... [0: a and b instead] */
  double   a, b;         /* ... or it is drawn from Beta(a, b), once for all columns [1, 1: all sizes equally likely] */
  double   nu, lambda;   /* sigma^2 ~ inverse gamma(nu / 2, nu lambda / 2) [0, 0: density 1 / sigma^2] */
  uint32_t most;         /* larger models are impossible: the prior is cut off [0: min(columns, rows - 2)] */
} lbp_selection_options;

typedef struct {
  uint32_t n, rows, most;  /* columns; rows; columns in a model, at most */
  int      slab;
  double   shrink;         /* g / (1 + g), or 1: how much of the sum of squares that columns explain counts */
  double   exponent;       /* (rows - 1 + nu) / 2 */
  double   total;          /* y'y + nu lambda, with y scaled to y'y = 1 */
  double  *gram;           /* [n][n] Z'Z: correlations, Z the columns centred and scaled to Z_i'Z_i = 1 */
  double  *zy;             /* [n] Z'y */
  double  *ridge;          /* [n] A = Z_x'Z_x + the diagonal that has this */
  double  *weight;         /* [n] 1 / ridge: pivots of A times this multiply up to log det(1 + variance X_x'X_x) */
  double  *term;           /* [n + 2] log pi's term by the number k of columns alone; the last one is for gradients */
} lbp_selection;

/* Sets all options to their defaults. */
LBP_FN void lbp_selection_options_init(lbp_selection_options *options) {
  memset(options, 0, sizeof *options);
  options->slab = LBP_SLAB_G;
  options->variance = options->a = options->b = 1.0;
  options->standardise = 1;
}

LBP_FN void lbp_selection_free(lbp_selection *m) {
  if (!m) return;
  free(m->gram);
  free(m->zy);
  free(m->ridge);
  free(m->weight);
  free(m->term);
  memset(m, 0, sizeof *m);
}

LBP_FN int lbp_p_selection_check(const lbp_selection_options *o, uint32_t rows, uint32_t columns) {
  const double value[7] = {o->g, o->variance, o->inclusion, o->a, o->b, o->nu, o->lambda};
  int status = lbp_models_check_values(value, 7);
  if (status != LBP_OK) return status;
  if (o->slab != LBP_SLAB_G && o->slab != LBP_SLAB_NORMAL) return LBP_E_RANGE;
  if (o->standardise != 0 && o->standardise != 1) return LBP_E_RANGE;
  if (o->slab == LBP_SLAB_G && !(o->g >= 0.0)) return LBP_E_RANGE;
  if (o->slab == LBP_SLAB_NORMAL && !(o->variance > 0.0)) return LBP_E_RANGE;
  if (!(o->inclusion >= 0.0 && o->inclusion < 1.0)) return LBP_E_RANGE;
  if (o->inclusion == 0.0 && !(o->a > 0.0 && o->b > 0.0)) return LBP_E_RANGE;
  if (!(o->nu >= 0.0 && o->lambda >= 0.0)) return LBP_E_RANGE;
  return o->most > columns || (o->slab == LBP_SLAB_G && o->most > rows - 2) ? LBP_E_RANGE : LBP_OK;
}

/* A column from `stride` apart, centred and divided by its length, which *length gets. LBP_E_RANGE: it is constant, but
 * for rounding. */
LBP_FN int lbp_p_selection_centre(const double *from, size_t stride, uint32_t rows, double *to, double *length) {
  double largest = 0.0;
  uint32_t s, pass;
  for (s = 0; s < rows; s++) {
    to[s] = from[s * stride];
    largest = fabs(to[s]) > largest ? fabs(to[s]) : largest;
  }
  for (pass = 0; pass < 2; pass++) { /* the second pass corrects the first mean's rounding */
    double mean = 0.0;
    for (s = 0; s < rows; s++) mean += to[s] / rows;
    for (s = 0; s < rows; s++) to[s] -= mean;
  }
  *length = sqrt(lbp_linear_dot(to, to, rows));
  if (!(*length > 1e-12 * largest * sqrt((double)rows)) || !(*length > 1e-150)) return LBP_E_RANGE;
  for (s = 0; s < rows; s++) to[s] /= *length;
  return LBP_OK;
}

/* Z'Z and Z'y, in tiles of columns that stay in a cache. */
LBP_FN void lbp_p_selection_products(lbp_selection *m, const double *standard, const double *y) {
  enum { tile = 32 };
  const size_t n = m->n, rows = m->rows;
  size_t first, begin, i, j;
  for (i = 0; i < n; i++) m->zy[i] = lbp_linear_dot(standard + i * rows, y, rows);
  for (first = 0; first < n; first += tile) {
    for (begin = 0; begin <= first; begin += tile) {
      for (i = first; i < n && i < first + tile; i++) {
        for (j = begin; j < i && j < begin + tile; j++) {
          m->gram[i * n + j] = m->gram[j * n + i] = lbp_linear_dot(standard + i * rows, standard + j * rows, rows);
        }
        m->gram[i * n + i] = 1.0;
      }
    }
  }
}

/* term[k]: the log prior probability of a set of k columns, and the g-prior's cost. */
LBP_FN void lbp_p_selection_terms(lbp_selection *m, const lbp_selection_options *o) {
  const double n = (double)m->n, h = o->inclusion, g = o->g > 0.0 ? o->g : (double)m->rows;
  const double cost = m->slab == LBP_SLAB_G ? -0.5 * lbp_log_fine(1.0 + g) : 0.0;
  double prior = 0.0;
  uint32_t k;
  for (k = 0; k < m->n; k++) {
    prior += h > 0.0 ? lbp_log_fine(1.0 - h) : lbp_log_fine((o->b + k) / (o->a + o->b + k));
  }
  for (k = 0; k < m->n; k++) {
    m->term[k] = prior + k * cost;
    prior += lbp_log_fine(h > 0.0 ? h / (1.0 - h) : (o->a + k) / (o->b + n - 1.0 - k));
  }
  m->term[m->n] = prior + n * cost;
  m->term[m->n + 1] = m->term[m->n] + (m->term[m->n] - m->term[m->n - 1]);
  m->shrink = m->slab == LBP_SLAB_G ? g / (1.0 + g) : 1.0;
}

/* standard: room for all columns, Z, one after another, and y. */
LBP_FN int lbp_p_selection_fill(lbp_selection *m, const double *X, const double *y, const lbp_selection_options *o,
                                double *standard) {
  const size_t n = m->n, rows = m->rows;
  double length = 0.0;
  size_t i;
  int status;
  for (i = 0; i < n; i++) {
    status = lbp_p_selection_centre(X + i, n, m->rows, standard + i * rows, &length);
    if (status != LBP_OK) return status;
    if (o->standardise) length = sqrt(m->rows - 1.0);
    m->ridge[i] = m->slab == LBP_SLAB_G ? LBP_SELECTION_RIDGE : 1.0 / (o->variance * length * length);
    if (!(m->ridge[i] >= 1.0 / LBP_SELECTION_FLATTEST && m->ridge[i] <= LBP_MODELS_LARGEST)) return LBP_E_RANGE;
    m->weight[i] = 1.0 / m->ridge[i];
  }
  status = lbp_p_selection_centre(y, 1, m->rows, standard + n * rows, &length);
  if (status != LBP_OK) return status;
  m->total = 1.0 + o->nu * o->lambda / length / length;
  if (!(m->total <= LBP_MODELS_LARGEST)) return LBP_E_RANGE;
  m->exponent = 0.5 * (m->rows - 1.0 + o->nu);
  lbp_p_selection_products(m, standard, standard + n * rows);
  lbp_p_selection_terms(m, o);
  return LBP_OK;
}

/* Returns the first column of X[rows][columns] that is constant up to rounding, so that lbp_selection_init rejects it;
 * `columns` if y is constant; columns + 1 if none is, or there is no memory to check. */
LBP_FN uint32_t lbp_selection_constant(uint32_t rows, uint32_t columns, const double *X, const double *y) {
  double *room = (double *)calloc((size_t)rows + 1, sizeof *room), length;
  uint32_t i = columns + 1;
  if (room) {
    for (i = 0; i < columns && lbp_p_selection_centre(X + i, columns, rows, room, &length) == LBP_OK; i++) continue;
    if (i == columns && lbp_p_selection_centre(y, 1, rows, room, &length) == LBP_OK) i++;
  }
  free(room);
  return i;
}

/* Makes a model from X [rows][columns], row by row, and y [rows]. options NULL: the defaults. Allocates n x n doubles,
 * 8 MB for n = 1000, and temporarily rows x n more. Returns LBP_OK, or LBP_E_NULL; LBP_E_SIZE (fewer than 3 rows, no
 * column, or more than 46340); LBP_E_NOT_FINITE; LBP_E_RANGE (a value beyond 1e12; a constant column or y:
 * lbp_selection_constant returns which, leave it out, as there is an intercept; an option out of its range; most >
 * columns or, with a g-prior, > rows - 2; or a slab so wide that variance times a column's sum of squares exceeds
 * LBP_SELECTION_FLATTEST, where rounding would decide about columns that others nearly determine, or is below 1e-12);
 * LBP_E_MEMORY. */
LBP_FN int lbp_selection_init(lbp_selection *m, uint32_t rows, uint32_t columns, const double *X, const double *y,
                              const lbp_selection_options *options) {
  lbp_selection_options o;
  double *standard;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!X || !y) return LBP_E_NULL;
  if (rows < 3 || lbp_models_check_sites(columns, columns) != LBP_OK) return LBP_E_SIZE;
  if (lbp_models_check_sites(rows, columns) != LBP_OK) return LBP_E_SIZE;
  if (options) o = *options;
  else lbp_selection_options_init(&o);
  status = lbp_p_selection_check(&o, rows, columns);
  if (status == LBP_OK) status = lbp_models_check_values(X, (size_t)rows * columns);
  if (status == LBP_OK) status = lbp_models_check_values(y, rows);
  if (status != LBP_OK) return status;
  m->n = columns;
  m->rows = rows;
  m->most = o.most > 0 ? o.most : columns < rows - 2 ? columns : rows - 2;
  m->slab = o.slab;
  m->gram = (double *)calloc(columns, lbp_size_times(columns, sizeof(double)));
  m->zy = (double *)calloc(columns, sizeof(double));
  m->ridge = (double *)calloc(columns, sizeof(double));
  m->weight = (double *)calloc(columns, sizeof(double));
  m->term = (double *)calloc((size_t)columns + 2, sizeof(double));
  standard = (double *)calloc((size_t)columns + 1, lbp_size_times(rows, sizeof(double)));
  status = !m->gram || !m->zy || !m->ridge || !m->weight || !m->term || !standard ? LBP_E_MEMORY : LBP_OK;
  if (status == LBP_OK) status = lbp_p_selection_fill(m, X, y, &o, standard);
  free(standard);
  if (status != LBP_OK) lbp_selection_free(m);
  return status;
}

/* Makes data to try samplers on: rows of X are normal with variance 1 and correlation rho^|i - j|, y = X b + noise.
 * `active` entries of b, at random places, are 1 or -1, the others 0; signal is the ratio of the variance of X b in
 * these rows to that of the noise. X: [rows][columns], y: [rows], truth: [columns], 1 where b_i is not zero; may be
 * NULL. Returns LBP_OK, or LBP_E_NULL; LBP_E_SIZE (no row or column, or too many); LBP_E_RANGE (active > columns, |rho|
 * >= 1, signal <= 0 or beyond 1e12). */
LBP_FN int lbp_selection_simulate(uint32_t rows, uint32_t columns, double rho, uint32_t active, double signal,
                                  uint64_t seed, double *X, double *y, uint8_t *truth) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  const double fresh = sqrt(1.0 - rho * rho);
  double mean = 0.0, square = 0.0, noise;
  uint32_t i, j, s, left;
  if (!X || !y) return LBP_E_NULL;
  if (lbp_models_check_sites(rows, columns) != LBP_OK) return LBP_E_SIZE;
  if (active > columns || !(fabs(rho) < 1.0) || !(signal > 0.0 && signal <= LBP_MODELS_LARGEST)) return LBP_E_RANGE;
  for (s = 0; s < rows; s++) {
    double *row = X + (size_t)s * columns;
    for (i = 0; i < columns; i++) {
      const double normal = lbp_models_normal(&rng);
      row[i] = i == 0 ? normal : rho * row[i - 1] + fresh * normal;
    }
    y[s] = 0.0;
  }
  for (i = 0, left = active; i < columns; i++) { /* each set of `active` columns is as likely as any other */
    const int in = (columns - i) * lbp_models_uniform(&rng) < left;
    const double b = lbp_models_uniform(&rng) < 0.5 ? -1.0 : 1.0;
    if (truth) truth[i] = (uint8_t)in;
    if (!in) continue;
    for (s = 0; s < rows; s++) y[s] += b * X[(size_t)s * columns + i];
    left--;
  }
  for (j = 0; j < rows; j++) mean += y[j] / rows;
  for (j = 0; j < rows; j++) square += (y[j] - mean) * (y[j] - mean) / rows;
  noise = square > 0.0 ? sqrt(square / signal) : 1.0;
  for (j = 0; j < rows; j++) y[j] += noise * lbp_models_normal(&rng);
  return LBP_OK;
}

/* Makes the model of such data. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_NOT_FINITE, LBP_E_RANGE, LBP_E_MEMORY,
 * as these two. */
LBP_FN int lbp_selection_random(lbp_selection *m, uint32_t rows, uint32_t columns, double rho, uint32_t active,
                                double signal, const lbp_selection_options *options, uint64_t seed) {
  double *X, *y;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_sites(rows, columns) != LBP_OK) return LBP_E_SIZE;
  X = (double *)calloc(rows, lbp_size_times(columns, sizeof(double)));
  y = (double *)calloc(rows, sizeof(double));
  status = !X || !y ? LBP_E_MEMORY : lbp_selection_simulate(rows, columns, rho, active, signal, seed, X, y, NULL);
  if (status == LBP_OK) status = lbp_selection_init(m, rows, columns, X, y, options);
  free(X);
  free(y);
  return status;
}

/* Sets the initial state of a chain -> run.start, with the model as run.start_data: chain 0 with no column, the others
 * with up to 15 at random. A uniformly random state has half of all columns, and with many of them is impossible. */
LBP_FN void lbp_selection_start(const void *model, uint32_t chain, uint8_t *x, uint32_t n) {
  const lbp_selection *m = (const lbp_selection *)model;
  lbp_rng rng = lbp_models_instance_rng(chain);
  uint32_t k, wanted = chain % 16;
  if (wanted > m->most) wanted = m->most;
  memset(x, 0, n);
  for (k = 0; k < wanted; k++) x[(uint32_t)(n * lbp_models_uniform(&rng))] = 1;
}

/* ---- logarithms -------------------------------------------------------------------------------------------------- */

/* log v, v > 0 and normal, error about 4e-16 (1 + |log v|): log-ratios are multiples by rows / 2, too much for lbp_log.
 * Free of branches, so that loops vectorise. */
LBP_INLINE double lbp_p_selection_log(double v) {
  const uint64_t low = 0x3fe6a09e667f3bcdu, one = (uint64_t)1023 << 52;
  uint64_t bits, exponent;
  double shift, s, q, p;
  memcpy(&bits, &v, sizeof bits);
  exponent = (bits - low + one) >> 52; /* mantissas are taken from sqrt(1/2) to sqrt(2) */
  bits = bits - (exponent << 52) + one;
  memcpy(&v, &bits, sizeof v);
  if (LBP_FAST_MATH) { /* it would multiply the difference below out, and lose all digits */
    shift = (double)((int32_t)exponent - 1023);
  } else {
    exponent |= (uint64_t)0x433 << 52; /* 2^52 + it: how conversion vectorises everywhere */
    memcpy(&shift, &exponent, sizeof shift);
    shift -= 4503599627370496.0 + 1023.0;
  }
  s = (v - 1.0) / (v + 1.0);
  q = s * s;
  p = 1.0 / 17 + q * (1.0 / 19);
  p = 1.0 / 15 + q * p;
  p = 1.0 / 13 + q * p;
  p = 1.0 / 11 + q * p;
  p = 1.0 / 9 + q * p;
  p = 1.0 / 7 + q * p;
  p = 1.0 / 5 + q * p;
  p = 1.0 / 3 + q * p;
  return shift * 5.49792301870847e-14 + (2.0 * s + 2.0 * s * q * p) + shift * 0.693147180559890330;
}

/* The unexplained part v, at least 1e-13 of the total: less can only be rounding. */
LBP_INLINE double lbp_p_selection_left(const lbp_selection *m, double v) {
  const double least = 1e-13 * m->total;
  return v > least ? v : least;
}

/* The log-ratios of adding columns first ... first + count - 1, from `more` and the part that each explains: it has
 * pivot and c, `left` is the part that x leaves unexplained. Terms that are the same for all are outside the loops,
 * which vectorise. */
LBP_INLINE void lbp_p_selection_gains(const lbp_selection *m, uint32_t first, uint32_t count, const double *pivot,
                                      const double *c, double left, double more, double *out) {
  const double *ridge = m->ridge + first, *weight = m->weight + first;
  const double least = 1e-13 * m->total, shrink = m->shrink, exponent = m->exponent;
  const double unit = 1.0 / lbp_p_selection_left(m, left);
  uint32_t i;
  for (i = 0; i < count; i++) {
    const double held = pivot[i] > ridge[i] ? pivot[i] : ridge[i], after = left - shrink * c[i] * c[i] / held;
    out[i] = more - exponent * lbp_p_selection_log((after > least ? after : least) * unit);
  }
  if (m->slab == LBP_SLAB_G) return;
  for (i = 0; i < count; i++) {
    const double held = pivot[i] > ridge[i] ? pivot[i] : ridge[i];
    out[i] -= 0.5 * lbp_p_selection_log(held * weight[i]);
  }
}

/* The log-ratio of taking one out, but for the terms: `inverse` is its entry of A^-1's diagonal, b its coefficient. */
LBP_INLINE double lbp_p_selection_loss(const lbp_selection *m, uint32_t i, double inverse, double b, double left) {
  const double after = lbp_p_selection_left(m, left + m->shrink * b * b / inverse);
  const double fit = -m->exponent * lbp_p_selection_log(after / lbp_p_selection_left(m, left));
  return m->slab == LBP_SLAB_G ? fit : fit + 0.5 * lbp_p_selection_log(m->weight[i] / inverse);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

typedef struct {
  uint32_t  k;         /* columns in x */
  uint32_t  flips;     /* since the members below were made from scratch */
  int       ready;     /* whether the members below are those of x; if not they are made when needed */
  uint32_t  stride, width;   /* of U's rows, of W's */
  double   *U;         /* [most][n] W Z_x'Z */
  double   *W;         /* [most][most] W A W' = 1; column a belongs to order[a] */
  double   *z;         /* [most] W Z_x'y */
  double   *pivot;     /* [n] 1 + ridge - the squares of U's column: the pivot that the column would have in A */
  double   *c;         /* [n] Z'y - U'z: the same of y */
  double   *u, *v;     /* [most] scratch */
  double   *spare;     /* [n] scratch */
  double    log_det;   /* log det A times the weights */
  uint32_t *order;     /* [most] the columns in x */
  void     *memory;
} lbp_selection_fields;

enum { LBP_P_SELECTION_BLOCK = 256 };   /* columns that are updated together, in the nearest cache */

LBP_FN void lbp_selection_fields_free(lbp_selection_fields *f) {
  if (!f) return;
  free(f->memory);
  free(f->order);
  memset(f, 0, sizeof *f);
}

/* Room for one chain's fields, most x (most + n) doubles, of which the system provides the used part; NAME_init or
 * lbp_selection_fields_set fills them. Returns LBP_OK, or LBP_E_NULL, LBP_E_MEMORY. */
LBP_FN int lbp_selection_fields_init(const lbp_selection *m, lbp_selection_fields *f) {
  size_t length, doubles;
  if (!f) return LBP_E_NULL;
  memset(f, 0, sizeof *f);
  if (!m || !m->gram) return LBP_E_NULL;
  f->stride = (m->n + 7) / 8 * 8;
  f->width = (m->most + 7) / 8 * 8 + 8;
  length = lbp_size_times(m->most, (size_t)f->stride + f->width);
  doubles = lbp_size_plus(length, 3 * ((size_t)f->stride + f->width) + 8);
  f->memory = calloc(doubles, sizeof(double));
  f->order = (uint32_t *)calloc(m->most, sizeof *f->order);
  if (!f->memory || !f->order) {
    lbp_selection_fields_free(f);
    return LBP_E_MEMORY;
  }
  f->pivot = (double *)(void *)((unsigned char *)f->memory + (64 - (uintptr_t)f->memory % 64) % 64);
  f->c = f->pivot + f->stride;
  f->spare = f->c + f->stride;
  f->z = f->spare + f->stride;
  f->u = f->z + f->width;
  f->v = f->u + f->width;
  f->U = f->v + f->width;
  f->W = f->U + (size_t)m->most * f->stride;
  return LBP_OK;
}

/* out <- out + sum of weight[a] rows[a], over `count` rows, `size` entries of each: four rows in one pass. */
LBP_INLINE void lbp_p_selection_combine(double *out, const double *rows, size_t stride, const double *weight,
                                        uint32_t count, uint32_t size) {
  uint32_t a = 0, j;
  for (; a + 4 <= count; a += 4, rows += 4 * stride, weight += 4) {
    const double *p = rows, *q = rows + stride, *r = q + stride, *s = r + stride;
    const double wp = weight[0], wq = weight[1], wr = weight[2], ws = weight[3];
    for (j = 0; j < size; j++) out[j] += (wp * p[j] + wq * q[j]) + (wr * r[j] + ws * s[j]);
  }
  for (; a < count; a++, rows += stride, weight++) lbp_linear_add_scaled(out, *weight, rows, size);
}

/* Column i joins the factor, which has `k` columns: a row more, O(k n). */
LBP_FN void lbp_p_selection_add(const lbp_selection *m, lbp_selection_fields *f, uint32_t k, uint32_t i) {
  const double pivot = f->pivot[i] > m->ridge[i] ? f->pivot[i] : m->ridge[i], root = 1.0 / sqrt(pivot);
  const double z = f->c[i] * root, *gram = m->gram + (size_t)i * m->n;
  double *row = f->U + (size_t)k * f->stride, *w = f->W + (size_t)k * f->width;
  uint32_t a, j, first;
  for (a = 0; a < k; a++) f->u[a] = -f->U[(size_t)a * f->stride + i];
  for (first = 0; first < m->n; first += LBP_P_SELECTION_BLOCK) {
    const uint32_t left = m->n - first, size = left < LBP_P_SELECTION_BLOCK ? left : (uint32_t)LBP_P_SELECTION_BLOCK;
    double *to = row + first, *own = f->pivot + first, *c = f->c + first;
    memcpy(to, gram + first, size * sizeof *to);
    lbp_p_selection_combine(to, f->U + first, f->stride, f->u, k, size);
    for (j = 0; j < size; j++) {
      const double u = to[j] * root;
      to[j] = u;
      own[j] -= u * u;
      c[j] -= u * z;
    }
  }
  memset(w, 0, k * sizeof *w);
  lbp_p_selection_combine(w, f->W, f->width, f->u, k, k);
  for (a = 0; a < k; a++) w[a] *= root;
  for (a = 0; a < k; a++) f->W[(size_t)a * f->width + k] = 0.0;
  w[k] = root;
  f->z[k] = z;
  f->order[k] = i;
  f->log_det += lbp_log_fine(pivot * m->weight[i]);
}

/* Rows b < last get the reflection 1 - scale v v', which turns W's column of the leaving site into a multiple of the
 * last unit vector; *spare gets the last row then. `size` entries from `rows` on. */
LBP_INLINE void lbp_p_selection_reflect(double *rows, size_t stride, const double *v, double scale, uint32_t last,
                                        uint32_t size, double *spare) {
  const double *end = rows + (size_t)last * stride;
  uint32_t b, j;
  memset(spare, 0, size * sizeof *spare);
  lbp_p_selection_combine(spare, rows, stride, v, last + 1, size);
  for (b = 0; b < last; b++) {
    if (v[b] != 0.0) lbp_linear_add_scaled(rows + (size_t)b * stride, -scale * v[b], spare, size);
  }
  for (j = 0; j < size; j++) spare[j] = end[j] - scale * v[last] * spare[j];
}

/* Column order[a] leaves the factor of `last` + 1 columns, O(k n): a reflection gathers all that depends on it in the
 * last row, and this row goes. */
LBP_FN void lbp_p_selection_remove(const lbp_selection *m, lbp_selection_fields *f, uint32_t last, uint32_t a) {
  const uint32_t i = f->order[a];
  double *v = f->v, square = 0.0, length, scale, b = 0.0, z, part[LBP_P_SELECTION_BLOCK];
  uint32_t r, j, first;
  for (r = 0; r <= last; r++) {
    v[r] = f->W[(size_t)r * f->width + a];
    square += v[r] * v[r];
    b += v[r] * f->z[r];
  }
  length = sqrt(square);
  scale = 1.0 / (length * (length + fabs(v[last])));
  v[last] += v[last] < 0.0 ? -length : length;
  lbp_p_selection_reflect(f->z, 1, v, scale, last, 1, &z);
  for (first = 0; first < m->n; first += LBP_P_SELECTION_BLOCK) {
    const uint32_t left = m->n - first, size = left < LBP_P_SELECTION_BLOCK ? left : (uint32_t)LBP_P_SELECTION_BLOCK;
    double *own = f->pivot + first, *c = f->c + first;
    lbp_p_selection_reflect(f->U + first, f->stride, v, scale, last, size, part);
    for (j = 0; j < size; j++) {
      own[j] += part[j] * part[j];
      c[j] += part[j] * z;
    }
  }
  lbp_p_selection_reflect(f->W, f->width, v, scale, last, last + 1, f->u);
  for (r = 0; r < last; r++) f->W[(size_t)r * f->width + a] = f->W[(size_t)r * f->width + last];
  f->order[a] = f->order[last];
  f->pivot[i] = 1.0 / square; /* known with more digits than as a difference */
  f->c[i] = b / square;
  f->log_det -= lbp_log_fine(m->weight[i] / square);
}

/* The factor of x from scratch. */
LBP_FN void lbp_p_selection_make(const lbp_selection *m, lbp_selection_fields *f, const uint8_t *x) {
  uint32_t i, k = 0;
  for (i = 0; i < m->n; i++) f->pivot[i] = 1.0 + m->ridge[i];
  memcpy(f->c, m->zy, m->n * sizeof *f->c);
  f->log_det = 0.0;
  f->flips = 0;
  f->ready = 1;
  for (i = 0; i < m->n; i++) {
    if (x[i]) lbp_p_selection_add(m, f, k++, i);
  }
}

/* Computes the fields of x from scratch, O(k^2 n) -> LBP_FIELDS_INIT. */
LBP_FN void lbp_selection_fields_set(const lbp_selection *m, lbp_selection_fields *f, const uint8_t *x) {
  uint32_t i;
  f->k = 0;
  for (i = 0; i < m->n; i++) f->k += x[i];
  f->ready = 0;
  if (f->k <= m->most) lbp_p_selection_make(m, f, x);
}

/* Updates the fields after a flip of x[i], O(k n) -> LBP_FLIP. Of impossible states only the size is known; they, and
 * fields that are due to be made afresh, wait for a question. */
LBP_FN void lbp_selection_flip(const lbp_selection *m, lbp_selection_fields *f, const uint8_t *x, uint32_t i) {
  uint32_t a = 0;
  if (x[i]) {
    if (f->k >= m->most) f->ready = 0;
    if (f->ready) lbp_p_selection_add(m, f, f->k, i);
    f->k++;
  } else {
    f->k--;
    if (f->ready) {
      while (f->order[a] != i) a++;
      lbp_p_selection_remove(m, f, f->k, a);
      if (f->pivot[i] < 1e-6) f->ready = 0; /* it was nearly determined by the others, and has left rounding behind */
    }
  }
  if (++f->flips >= LBP_SELECTION_REFRESH) f->ready = 0;
}

/* The part of `total` that x leaves unexplained, and S > 0. The fields must be ready. */
LBP_FN double lbp_p_selection_unexplained(const lbp_selection *m, const lbp_selection_fields *f) {
  return m->total - m->shrink * lbp_linear_dot(f->z, f->z, f->k);
}

/* Returns log pi(x) from the fields, O(k) -> LBP_LOGP. Up to a constant that only `most` < n leaves: without it, priors
 * sum to 1 and the marginal likelihood is relative to that of no column. -infinity beyond `most` columns. */
LBP_FN double lbp_selection_logp(const lbp_selection *m, lbp_selection_fields *f, const uint8_t *x) {
  double left;
  if (f->k > m->most) return -lbp_infinity();
  if (!f->ready) lbp_p_selection_make(m, f, x);
  left = lbp_p_selection_left(m, lbp_p_selection_unexplained(m, f));
  return m->term[f->k] - m->exponent * lbp_log_fine(left / m->total) - (m->slab == LBP_SLAB_G ? 0.0 : 0.5 * f->log_det);
}

/* The log-ratios of columns that are in. */
LBP_FN void lbp_p_selection_losses(const lbp_selection *m, lbp_selection_fields *f, double left, double *out) {
  const uint32_t k = f->k;
  double *inverse = f->u, *b = f->v;
  uint32_t a, r;
  memset(inverse, 0, k * sizeof *inverse);
  memset(b, 0, k * sizeof *b);
  for (r = 0; r < k; r++) {
    const double *w = f->W + (size_t)r * f->width, z = f->z[r];
    for (a = 0; a < k; a++) {
      inverse[a] += w[a] * w[a];
      b[a] += w[a] * z;
    }
  }
  for (a = 0; a < k; a++) {
    const uint32_t i = f->order[a];
    out[i] = m->term[k - 1] - m->term[k] + lbp_p_selection_loss(m, i, inverse[a], b[a], left);
  }
}

/* Writes all n exact log-ratios from the fields, O(n + k^2) -> LBP_DELTAS (LBP_DELTAS_EXACT). Beyond `most` columns it
 * is +infinity to remove any, and -infinity to add one, as also at `most`. */
LBP_FN void lbp_selection_deltas(const lbp_selection *m, lbp_selection_fields *f, const uint8_t *x, double *out) {
  const uint32_t n = m->n, k = f->k;
  double left;
  uint32_t i;
  if (k >= m->most) {
    const double infinity = lbp_infinity();
    for (i = 0; i < n; i++) out[i] = x[i] ? infinity : -infinity;
    if (k > m->most) return;
  }
  if (!f->ready) lbp_p_selection_make(m, f, x);
  left = lbp_p_selection_unexplained(m, f);
  if (k < m->most) lbp_p_selection_gains(m, 0, n, f->pivot, f->c, left, m->term[k + 1] - m->term[k], out);
  lbp_p_selection_losses(m, f, left, out);
}

/* Returns one of them, O(1) for a column that is out, O(k) for one that is in -> LBP_DELTA. */
LBP_FN double lbp_selection_delta(const lbp_selection *m, lbp_selection_fields *f, const uint8_t *x, uint32_t i) {
  const uint32_t k = f->k;
  double left, inverse = 0.0, b = 0.0, out;
  uint32_t a = 0, r;
  if (k > m->most || (k == m->most && !x[i])) return x[i] ? lbp_infinity() : -lbp_infinity();
  if (!f->ready) lbp_p_selection_make(m, f, x);
  left = lbp_p_selection_unexplained(m, f);
  if (!x[i]) {
    lbp_p_selection_gains(m, i, 1, f->pivot + i, f->c + i, left, m->term[k + 1] - m->term[k], &out);
    return out;
  }
  while (f->order[a] != i) a++;
  for (r = 0; r < k; r++) {
    const double w = f->W[(size_t)r * f->width + a];
    inverse += w * w;
    b += w * f->z[r];
  }
  return m->term[k - 1] - m->term[k] + lbp_p_selection_loss(m, i, inverse, b, left);
}

/* Returns the error of the fields after flips: the largest difference of a log-ratio from that with fields from
 * scratch. It leaves the fields computed from scratch. */
LBP_FN double lbp_selection_drift(const lbp_selection *m, lbp_selection_fields *f, const uint8_t *x) {
  double worst = 0.0;
  uint32_t i;
  if (f->k > m->most) return 0.0;
  lbp_selection_deltas(m, f, x, f->spare);
  lbp_selection_fields_set(m, f, x);
  for (i = 0; i < m->n; i++) {
    const double fresh = lbp_selection_delta(m, f, x, i), gap = fabs(f->spare[i] - fresh);
    if (lbp_is_finite(fresh) && !(gap <= worst)) worst = gap;
  }
  return worst;
}

/* ---- without fields: for lbp_ab.h -------------------------------------------------------------------------------- */

/* W as above, its rows one after another without the zeros, and z; for x of at most LBP_SELECTION_GRADIENT_MOST. */
typedef struct {
  uint32_t k, order[LBP_SELECTION_GRADIENT_MOST];
  double   left, log_det, z[LBP_SELECTION_GRADIENT_MOST];
  double   W[LBP_SELECTION_GRADIENT_MOST * (LBP_SELECTION_GRADIENT_MOST + 1) / 2];
} lbp_p_selection_factor;

/* pivot and c of columns first ... first + count - 1, which are as those of fields; count <= LBP_P_SELECTION_BLOCK. */
LBP_FN void lbp_p_selection_project(const lbp_selection *m, const lbp_p_selection_factor *q, uint32_t first,
                                    uint32_t count, double *pivot, double *c) {
  double u[LBP_P_SELECTION_BLOCK];
  const double *w = q->W;
  uint32_t a, b, j;
  for (j = 0; j < count; j++) {
    pivot[j] = 1.0 + m->ridge[first + j];
    c[j] = m->zy[first + j];
  }
  for (a = 0; a < q->k; a++) {
    const double z = q->z[a];
    memset(u, 0, count * sizeof *u);
    for (b = 0; b <= a; b++, w++) lbp_linear_add_scaled(u, *w, m->gram + (size_t)q->order[b] * m->n + first, count);
    for (j = 0; j < count; j++) {
      pivot[j] -= u[j] * u[j];
      c[j] -= u[j] * z;
    }
  }
}

/* The factor of x; 0 if x has too many columns for it. */
LBP_FN int lbp_p_selection_factorise(const lbp_selection *m, const uint8_t *x, lbp_p_selection_factor *q) {
  double *row = q->W;
  uint32_t i, a, b;
  q->k = 0;
  q->log_det = 0.0;
  q->left = m->total;
  for (i = 0; i < m->n; i++) {
    const double *gram = m->gram + (size_t)i * m->n, *w = q->W;
    double pivot = 1.0 + m->ridge[i], c = m->zy[i], root;
    if (!x[i]) continue;
    if (q->k == LBP_SELECTION_GRADIENT_MOST) return 0;
    for (a = 0; a <= q->k; a++) row[a] = 0.0;
    for (a = 0; a < q->k; w += ++a) { /* row a of W has a + 1 entries */
      double u = 0.0;
      for (b = 0; b <= a; b++) u += w[b] * gram[q->order[b]];
      for (b = 0; b <= a; b++) row[b] -= u * w[b];
      pivot -= u * u;
      c -= u * q->z[a];
    }
    if (!(pivot > m->ridge[i])) pivot = m->ridge[i];
    root = 1.0 / sqrt(pivot);
    row[q->k] = 1.0;
    for (a = 0; a <= q->k; a++) row[a] *= root;
    q->z[q->k] = c * root;
    q->left -= m->shrink * q->z[q->k] * q->z[q->k];
    q->log_det += lbp_log_fine(pivot * m->weight[i]);
    q->order[q->k++] = i;
    row += q->k;
  }
  return 1;
}

/* The log-ratio of taking out column order[a]. */
LBP_FN double lbp_p_selection_without(const lbp_selection *m, const lbp_p_selection_factor *q, uint32_t a) {
  double inverse = 0.0, b = 0.0;
  uint32_t r;
  for (r = a; r < q->k; r++) {
    const double w = q->W[r * (r + 1) / 2 + a];
    inverse += w * w;
    b += w * q->z[r];
  }
  return m->term[q->k - 1] - m->term[q->k] + lbp_p_selection_loss(m, q->order[a], inverse, b, q->left);
}

/* Writes the slopes of log pi's multilinear extension, its changes when x_i goes from 0 to 1, and returns log pi, O(k^2
 * n) -> LBP_GRADIENT. (The extension to real x would be steep at 0 and flat at 1, and of no use.) Slopes are finite, as
 * if size `most` + 1 were possible; beyond `most` and LBP_SELECTION_GRADIENT_MOST log pi is -infinity: chains begin
 * below. */
LBP_FN double lbp_selection_gradient(const lbp_selection *m, const uint8_t *x, double *out) {
  double pivot[LBP_P_SELECTION_BLOCK], c[LBP_P_SELECTION_BLOCK], fit;
  lbp_p_selection_factor q;
  uint32_t first, a, i;
  if (!lbp_p_selection_factorise(m, x, &q) || q.k > m->most) {
    for (i = 0; i < m->n; i++) out[i] = -1.0;
    return -lbp_infinity();
  }
  for (first = 0; first < m->n; first += LBP_P_SELECTION_BLOCK) {
    const uint32_t rest = m->n - first, size = rest < LBP_P_SELECTION_BLOCK ? rest : (uint32_t)LBP_P_SELECTION_BLOCK;
    lbp_p_selection_project(m, &q, first, size, pivot, c);
    lbp_p_selection_gains(m, first, size, pivot, c, q.left, m->term[q.k + 1] - m->term[q.k], out + first);
  }
  for (a = 0; a < q.k; a++) out[q.order[a]] = -lbp_p_selection_without(m, &q, a);
  fit = -m->exponent * lbp_log_fine(lbp_p_selection_left(m, q.left) / m->total);
  return m->term[q.k] + fit - (m->slab == LBP_SLAB_G ? 0.0 : 0.5 * q.log_det);
}

/* Writes log pi with x_i = 0 and 1, up to a constant, O(k^3) -> LBP_CONDITIONAL. -infinity with too many columns; if
 * both states have too many, only the smaller is possible. */
LBP_FN void lbp_selection_conditional(const lbp_selection *m, const uint8_t *x, uint32_t i, double *out) {
  const uint32_t room = LBP_SELECTION_GRADIENT_MOST, most = room < m->most ? room : m->most;
  lbp_p_selection_factor q;
  double pivot, c;
  uint32_t a = 0;
  out[0] = out[1] = 0.0;
  if (!lbp_p_selection_factorise(m, x, &q) || q.k > most || (q.k == most && !x[i])) {
    out[1] = -lbp_infinity();
  } else if (x[i]) {
    while (q.order[a] != i) a++;
    out[0] = lbp_p_selection_without(m, &q, a);
  } else {
    lbp_p_selection_project(m, &q, i, 1, &pivot, &c);
    lbp_p_selection_gains(m, i, 1, &pivot, &c, q.left, m->term[q.k + 1] - m->term[q.k], out + 1);
  }
}

LBP_EXACT_END

#endif /* LBP_SELECTION_H */
