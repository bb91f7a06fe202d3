/* lbp/models/local.h - the models of lbp_models.h whose sites have few neighbours. In this file's order, after what all
 * constructors share:
 *
 *   lbp_bernoulli   independent sites                                         local, gradient
 *   lbp_ising       Ising model on a grid                                     local, fields, gradient
 *   lbp_graph       Ising model on any graph; grids, Barabasi-Albert graphs   local, fields, gradient, conditional
 *   lbp_fhmm        factorial hidden Markov model                             local, fields
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs only lbp.h and lbp/base/numbers.h: a program that includes this file
 * compiles neither linear algebra nor the dense models. lbp_models.h includes this file; its first page has the
 * conventions of all models, these interfaces, the models' sources, and the macros that you may define before
 * including.
 */

#ifndef LBP_MODELS_LOCAL_H
#define LBP_MODELS_LOCAL_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/support.h"
#include "../base/numbers.h"

/* float or double: the type of parameters, log-ratios and gradients. */
#ifndef LBP_MODELS_REAL
#define LBP_MODELS_REAL float
#endif

LBP_EXACT_BEGIN

typedef LBP_MODELS_REAL lbp_real;   /* of parameters, log-ratios, gradients */

/* lbp_rounded of an lbp_real. The models of this header, of lbp/models/potts.h and of lbp/models/qubo.h return the same
 * to the bit with LBP_EXACT and without: as in lbp.h, a product that rounds goes through lbp_rounded before anything is
 * added. */
LBP_INLINE lbp_real lbp_models_rounded(lbp_real v) {
  if (sizeof v == sizeof(float)) return (lbp_real)lbp_roundedf((float)v);
  return (lbp_real)lbp_rounded((double)v);
}

enum { LBP_C1 = 1, LBP_C2 = 2, LBP_C3 = 3 };   /* the paper's configurations, from smooth to rough */

/* ---- shared by constructors -------------------------------------------------------------------------------------- */

/* Magnitude up to which parameters are accepted: squares and sums of them stay far inside a float's range. */
#define LBP_MODELS_LARGEST 1e12

/* Returns LBP_OK, LBP_E_NOT_FINITE or LBP_E_RANGE (magnitude above LBP_MODELS_LARGEST). */
LBP_FN int lbp_models_check_value(double value) {
  if (!lbp_is_finite(value)) return LBP_E_NOT_FINITE;
  return fabs(value) <= LBP_MODELS_LARGEST ? LBP_OK : LBP_E_RANGE;
}

/* The same for `count` values. Statuses as lbp_models_check_value, of the first wrong value. */
LBP_FN int lbp_models_check_values(const double *values, size_t count) {
  int status = LBP_OK;
  size_t k;
  for (k = 0; k < count && status == LBP_OK; k++) status = lbp_models_check_value(values[k]);
  return status;
}

/* How far rounding to lbp_real may move a log-ratio, at inverse temperature 1. */
#define LBP_MODELS_ROUNDING 1e-3

/* Checks whether log-ratios are precise enough at inverse temperature beta, if rounding changes them by up to
 * `rounding` at beta = 1. Returns LBP_OK, or LBP_E_PRECISION (they change by more than 1e-3). Constructors call it with
 * beta = 1 and keep `rounding` in the model; call it again, with that, before you set a beta above 1. */
LBP_FN int lbp_models_check_rounding(double rounding, double beta) {
  return rounding * fabs(beta) <= LBP_MODELS_ROUNDING ? LBP_OK : LBP_E_PRECISION;
}

/* Returns the digits of lbp_real, in bits. */
LBP_FN int32_t lbp_models_bits(void) { return sizeof(lbp_real) == sizeof(float) ? FLT_MANT_DIG : DBL_MANT_DIG; }

/* Returns LBP_OK if a x b is in 1 ... LBP_MAX_SITES, otherwise LBP_E_SIZE. */
LBP_FN int lbp_models_check_sites(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0 || a > LBP_MAX_SITES || b > LBP_MAX_SITES) return LBP_E_SIZE;
  return a * b <= LBP_MAX_SITES ? LBP_OK : LBP_E_SIZE;
}

/* Allocates zeros, which the caller frees; NULL if there is no memory. */
LBP_FN lbp_real *lbp_models_new_reals(size_t count) { return (lbp_real *)calloc(count, sizeof(lbp_real)); }

/* Allocates zeros aligned to a cache line: a row that straddles two costs a matrix-vector product half its speed. Free
 * *memory; NULL if there is none. */
LBP_FN lbp_real *lbp_models_new_lines(size_t count, void **memory) {
  const size_t line = 64;
  *memory = calloc(lbp_size_plus(count, line / sizeof(lbp_real)), sizeof(lbp_real));
  if (!*memory) return NULL;
  return (lbp_real *)(void *)((unsigned char *)*memory + (line - (uintptr_t)*memory % line) % line);
}

/* Rows of dense models are padded with zeros to whole blocks. */
enum { LBP_MODELS_BLOCK = 16 };

/* Returns the length of a padded row of n numbers. */
LBP_INLINE uint64_t lbp_models_padded(uint64_t n) {
  return (n + LBP_MODELS_BLOCK - 1) / LBP_MODELS_BLOCK * LBP_MODELS_BLOCK;
}

/* to += factor * row, for padded rows. Each block is summed in a local array: so compilers vectorise it, even at -O2
 * and although they must assume that `to` and `row` overlap. */
LBP_INLINE void lbp_models_add_row(lbp_real *to, lbp_real factor, const lbp_real *row, size_t length) {
  size_t k, j;
  for (k = 0; k < length; k += LBP_MODELS_BLOCK) {
    lbp_real sum[LBP_MODELS_BLOCK];
    for (j = 0; j < LBP_MODELS_BLOCK; j++) sum[j] = to[k + j] + factor * row[k + j];
    for (j = 0; j < LBP_MODELS_BLOCK; j++) to[k + j] = sum[j];
  }
}

/* to += in - out, for padded rows. */
LBP_INLINE void lbp_models_exchange_rows(lbp_real *to, const lbp_real *in, const lbp_real *out, size_t length) {
  size_t k, j;
  for (k = 0; k < length; k += LBP_MODELS_BLOCK) {
    lbp_real sum[LBP_MODELS_BLOCK];
    for (j = 0; j < LBP_MODELS_BLOCK; j++) sum[j] = to[k + j] + (in[k + j] - out[k + j]);
    for (j = 0; j < LBP_MODELS_BLOCK; j++) to[k + j] = sum[j];
  }
}

/* Instances draw from a stream which no chain uses, so that one seed can serve the model and its chains. */
LBP_FN lbp_rng lbp_models_instance_rng(uint64_t seed) {
  lbp_rng rng;
  lbp_rng_init(&rng, seed, UINT64_MAX);
  return rng;
}

/* Returns a uniform number in [0, 1). */
LBP_FN double lbp_models_uniform(lbp_rng *rng) { return lbp_u01(lbp_rng_u64(rng)); }

/* cos(2 pi u) for 0 <= u < 1, by its series within half a quarter turn of 0, or the sine's. */
LBP_FN double lbp_p_cosine(double u) {
  const int quarter = (int)(8.0 * u + 1.0) / 2, odd = quarter & 1;
  const double angle = 6.283185307179586 * (u - 0.25 * quarter), square = angle * angle;
  double sum = 1.0;
  int k;
  for (k = 18; k > 0; k -= 2) sum = 1.0 - lbp_rounded(square / ((k + odd) * (k + odd - 1)) * sum);
  return (odd ? angle : 1.0) * (quarter == 1 || quarter == 2 ? -sum : sum);
}

/* Returns a standard normal number: Box-Muller, the cosine half. */
LBP_FN double lbp_models_normal(lbp_rng *rng) {
  const double radius = sqrt(-2.0 * lbp_log_fine(lbp_u01_open(lbp_rng_u64(rng))));
  return radius * lbp_p_cosine(lbp_models_uniform(rng));
}

/* Returns LBP_OK for the paper's LBP_C1 to LBP_C3, otherwise LBP_E_RANGE. */
LBP_FN int lbp_models_check_config(int config) {
  return config >= LBP_C1 && config <= LBP_C3 ? LBP_OK : LBP_E_RANGE;
}

/* Returns v if x is 0, -v if x is 1: the log-ratio of a flip from that of a flip to 1. It works on bits, which is
 * cheaper than a conversion and a product. */
LBP_INLINE lbp_real lbp_models_flipped(lbp_real v, uint8_t x) {
  if (sizeof v == sizeof(uint32_t)) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits ^= (uint32_t)x << 31;
    memcpy(&v, &bits, sizeof bits);
  } else {
    uint64_t bits;
    memcpy(&bits, &v, sizeof v);
    bits ^= (uint64_t)x << 63;
    memcpy(&v, &bits, sizeof v);
  }
  return v;
}

/* ---- Bernoulli: independent sites, P(x_i = 1) = p_i (appendix D.1) ----------------------------------------------- */

#define LBP_BERNOULLI_MAX_NEIGHBOURS 0   /* -> LBP_MAX_NEIGHBOURS */

typedef struct {
  uint32_t  n;           /* sites */
  double    log_empty;   /* log pi(0, ..., 0) = sum_i log(1 - p_i) */
  lbp_real *logit;       /* [n] log(p_i / (1 - p_i)) */
} lbp_bernoulli;

LBP_FN void lbp_bernoulli_free(lbp_bernoulli *m) {
  if (!m) return;
  free(m->logit);
  memset(m, 0, sizeof *m);
}

/* Makes a model from n probabilities p, each strictly between 0 and 1 (otherwise LBP_E_RANGE). */
LBP_FN int lbp_bernoulli_init(lbp_bernoulli *m, uint32_t n, const double *p) {
  uint32_t i;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!p) return LBP_E_NULL;
  if (lbp_models_check_sites(n, 1) != LBP_OK) return LBP_E_SIZE;
  for (i = 0; i < n; i++) {
    if (!lbp_is_finite(p[i])) return LBP_E_NOT_FINITE;
    if (!(p[i] > 0.0 && p[i] < 1.0)) return LBP_E_RANGE;
  }
  m->logit = lbp_models_new_reals(n);
  if (!m->logit) return LBP_E_MEMORY;
  m->n = n;
  for (i = 0; i < n; i++) {
    m->logit[i] = (lbp_real)(lbp_log_fine(p[i]) - lbp_log_fine(1.0 - p[i]));
    m->log_empty += lbp_log_fine(1.0 - p[i]);
  }
  return LBP_OK;
}

/* Makes a random model: p_i uniform on [0.25, 0.75], [0.15, 0.85] or [0.05, 0.95] for LBP_C1, LBP_C2, LBP_C3. Returns
 * LBP_OK, or LBP_E_NULL, LBP_E_RANGE (config), LBP_E_SIZE, LBP_E_MEMORY. */
LBP_FN int lbp_bernoulli_random(lbp_bernoulli *m, uint32_t n, int config, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  const double half_width = 0.15 + lbp_rounded(0.1 * config);
  double *p;
  uint32_t i;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_config(config) != LBP_OK) return LBP_E_RANGE;
  if (lbp_models_check_sites(n, 1) != LBP_OK) return LBP_E_SIZE;
  p = (double *)calloc(n, sizeof *p);
  if (!p) return LBP_E_MEMORY;
  for (i = 0; i < n; i++) p[i] = 0.5 + lbp_rounded(half_width * (2.0 * lbp_models_uniform(&rng) - 1.0));
  status = lbp_bernoulli_init(m, n, p);
  free(p);
  return status;
}

/* Returns log pi(x), normalised: its exponential sums to 1 over all states. */
LBP_FN double lbp_bernoulli_logp(const lbp_bernoulli *m, const uint8_t *x) {
  double sum = m->log_empty;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += x[i] * (double)m->logit[i];
  return sum;
}

LBP_FN lbp_real lbp_bernoulli_delta(const lbp_bernoulli *m, const uint8_t *x, uint32_t i) {
  return lbp_models_flipped(m->logit[i], x[i]);
}

/* Prefetches the cache line that a flip reads -> LBP_PREFETCH. */
LBP_INLINE void lbp_bernoulli_prefetch(const lbp_bernoulli *m, const uint8_t *x, uint32_t i) {
  (void)x;
  lbp_prefetch(m->logit + i);
}

LBP_FN uint32_t lbp_bernoulli_neighbours(const lbp_bernoulli *m, uint32_t i, uint32_t *out) {
  (void)m, (void)i, (void)out;
  return 0;
}

LBP_FN lbp_real lbp_bernoulli_gradient(const lbp_bernoulli *m, const uint8_t *x, lbp_real *out) {
  memcpy(out, m->logit, m->n * sizeof *out);
  return (lbp_real)lbp_bernoulli_logp(m, x);
}

/* ---- Ising model on a grid with free boundary (appendix D.2) --------------------------------------------------------
 *
 *   log pi(x) = sum_i alpha_i s_i + lambda sum_{edges} s_i s_j,   s = 2x - 1,   site i = row * cols + col
 *
 * lambda > 0 is ferromagnetic and every edge counts once: (184) has the other sign, its tables have this one. */

#define LBP_ISING_MAX_NEIGHBOURS 4   /* -> LBP_MAX_NEIGHBOURS */

enum { LBP_P_UP = 1, LBP_P_DOWN = 2, LBP_P_LEFT = 4, LBP_P_RIGHT = 8, LBP_P_INSIDE = 15 };

typedef struct {
  lbp_real bias;             /* 2 (alpha_i - lambda degree_i): log-ratio of site i among zeros */
  uint32_t edges;            /* which of the four neighbours exist */
} lbp_ising_site;            /* data of a flip are together: one cache line */

typedef struct {
  uint32_t        n, rows, cols;   /* n = rows * cols */
  double          lambda;          /* coupling */
  double          rounding;        /* largest change of a log-ratio by rounding -> LBP_ROUNDING */
  lbp_real       *alpha;           /* [n] field per site */
  lbp_real        gain;            /* 4 lambda: the change of a log-ratio by a neighbour that is one */
  lbp_real        term[16];        /* [2 k + x] the change by k of them, of a site x: gain k, or its negative */
  lbp_ising_site *site;            /* [n] */
  uint8_t        *edges;           /* [n] those of the sites, for lists; NULL if the grid is large */
  int32_t         neighbour_offset[4]; /* add it to a site's index: the sites above, below, left and right of it */
  uint64_t        inverse;         /* and then 2^64 / cols, rounded up: i's row is the high half of i times it */
} lbp_ising;

/* Grids of more sites have no table of edges: a cache line that is far costs more than arithmetic. */
#define LBP_ISING_TABLE 200000u

LBP_FN void lbp_ising_free(lbp_ising *m) {
  if (!m) return;
  free(m->alpha);
  free(m->site);
  free(m->edges);
  memset(m, 0, sizeof *m);
}

LBP_FN uint32_t lbp_p_ising_edges(const lbp_ising *m, uint32_t row, uint32_t col) {
  return (uint32_t)((row > 0 ? LBP_P_UP : 0) | (row + 1 < m->rows ? LBP_P_DOWN : 0) |
                    (col > 0 ? LBP_P_LEFT : 0) | (col + 1 < m->cols ? LBP_P_RIGHT : 0));
}

/* The largest error of a log-ratio of site i, which has `degree` neighbours. */
LBP_FN double lbp_p_ising_error(const lbp_ising *m, uint32_t i, double alpha, int degree) {
  double most = 0.0;
  int ones;
  for (ones = 0; ones <= degree; ones++) {
    const lbp_real ratio = m->site[i].bias + m->gain * (lbp_real)ones;
    const double error = fabs((double)ratio - 2.0 * (alpha + m->lambda * (2 * ones - degree)));
    most = error > most ? error : most;
  }
  return most;
}

/* Makes a model from alpha, rows * cols fields, row by row, and the coupling lambda. alpha must not be NULL: give zeros
 * if there is no field. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_NOT_FINITE, LBP_E_RANGE, LBP_E_MEMORY,
 * LBP_E_PRECISION. */
LBP_FN int lbp_ising_init(lbp_ising *m, uint32_t rows, uint32_t cols, double lambda, const double *alpha) {
  uint32_t row, col, i = 0;
  double error;
  uint8_t code;
  int status, table;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!alpha) return LBP_E_NULL;
  if (lbp_models_check_sites(rows, cols) != LBP_OK) return LBP_E_SIZE;
  status = lbp_models_check_value(lambda);
  if (status == LBP_OK) status = lbp_models_check_values(alpha, (size_t)rows * cols);
  if (status != LBP_OK) return status;
  m->rows = rows;
  m->cols = cols;
  m->n = rows * cols;
  m->neighbour_offset[0] = -(int32_t)cols;
  m->neighbour_offset[1] = (int32_t)cols;
  m->neighbour_offset[2] = -1;
  m->neighbour_offset[3] = 1;
  m->inverse = cols > 1 ? UINT64_MAX / cols + 1 : 0;
  m->lambda = lambda;
  m->gain = (lbp_real)(4.0 * lambda);
  for (code = 0; code < 10; code++) m->term[code] = lbp_models_flipped(m->gain * (lbp_real)(code / 2), code % 2);
  m->alpha = lbp_models_new_reals(m->n);
  m->site = (lbp_ising_site *)calloc(m->n, sizeof *m->site);
  table = m->n <= LBP_ISING_TABLE || cols == 1; /* 2^64 / 1 would not fit */
  if (table) m->edges = (uint8_t *)calloc(m->n, sizeof *m->edges);
  if (!m->alpha || !m->site || (table && !m->edges)) {
    lbp_ising_free(m);
    return LBP_E_MEMORY;
  }
  for (row = 0; row < rows; row++) {
    for (col = 0; col < cols; col++, i++) {
      const int degree = (row > 0) + (row + 1 < rows) + (col > 0) + (col + 1 < cols);
      m->alpha[i] = (lbp_real)alpha[i];
      m->site[i].edges = lbp_p_ising_edges(m, row, col);
      if (table) m->edges[i] = (uint8_t)m->site[i].edges;
      m->site[i].bias = (lbp_real)(2.0 * (alpha[i] - lbp_rounded(lambda * degree)));
      error = lbp_p_ising_error(m, i, alpha[i], degree);
      m->rounding = error > m->rounding ? error : m->rounding;
    }
  }
  status = lbp_models_check_rounding(m->rounding, 1.0);
  if (status != LBP_OK) lbp_ising_free(m);
  return status;
}

/* Returns the paper's lambda: 0.1, 0.15, 0.2 for LBP_C1, LBP_C2, LBP_C3. */
LBP_FN double lbp_ising_coupling(int config) { return 0.05 + lbp_rounded(0.05 * config); }

/* Makes a random model of side x side sites; lambda as above and alpha_i = -(mu_i + 3 lambda v_i), v_i uniform on [-1,
 * 1), mu_i = lambda inside the circle about the centre that covers half the area (the paper's "p^2/2" would cover
 * everything), -lambda outside. Statuses as lbp_bernoulli_random. */
LBP_FN int lbp_ising_random(lbp_ising *m, uint32_t side, int config, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  const double lambda = lbp_ising_coupling(config), radius2 = 1.0 / 6.283185307179586;
  double *alpha;
  uint32_t row, col, i = 0;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_config(config) != LBP_OK) return LBP_E_RANGE;
  if (lbp_models_check_sites(side, side) != LBP_OK) return LBP_E_SIZE;
  alpha = (double *)calloc((size_t)side * side, sizeof *alpha);
  if (!alpha) return LBP_E_MEMORY;
  for (row = 0; row < side; row++) {
    for (col = 0; col < side; col++, i++) {
      const double down = (double)row / side - 0.5, right = (double)col / side - 0.5;
      const double mu = lbp_rounded(down * down) + lbp_rounded(right * right) < radius2 ? lambda : -lambda;
      alpha[i] = -(mu + lbp_rounded(3.0 * lambda * (2.0 * lbp_models_uniform(&rng) - 1.0)));
    }
  }
  status = lbp_ising_init(m, side, side, lambda, alpha);
  free(alpha);
  return status;
}

LBP_FN double lbp_ising_logp(const lbp_ising *m, const uint8_t *x) {
  double field = 0.0;
  int64_t aligned = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    const int spin = 2 * x[i] - 1;
    field += spin * (double)m->alpha[i];
    if (m->site[i].edges & LBP_P_RIGHT) aligned += x[i] == x[i + 1] ? 1 : -1;
    if (m->site[i].edges & LBP_P_DOWN) aligned += x[i] == x[i + m->cols] ? 1 : -1;
  }
  return field + lbp_rounded(m->lambda * (double)aligned);
}

/* How many of the neighbours at the border are ones. */
LBP_FN uint32_t lbp_p_ising_border(const lbp_ising *m, const uint8_t *x, uint32_t i, uint32_t edges) {
  uint32_t ones = 0;
  if (edges & LBP_P_UP) ones += x[i - m->cols];
  if (edges & LBP_P_DOWN) ones += x[i + m->cols];
  if (edges & LBP_P_LEFT) ones += x[i - 1];
  if (edges & LBP_P_RIGHT) ones += x[i + 1];
  return ones;
}

/* Returns the log-ratio of a flip of site i. (Most sites are inside: one branch, which is predicted well.) */
LBP_INLINE lbp_real lbp_ising_delta(const lbp_ising *m, const uint8_t *x, uint32_t i) {
  const lbp_ising_site site = m->site[i];
  const uint8_t *at = x + i;
  const size_t cols = m->cols;
  const int ones = site.edges == LBP_P_INSIDE ? *(at - cols) + at[cols] + *(at - 1) + at[1]
                                              : (int)lbp_p_ising_border(m, x, i, site.edges);
  return lbp_models_flipped(site.bias + lbp_models_rounded(m->gain * (lbp_real)ones), *at);
}

/* A site's edges without a table. */
LBP_INLINE uint32_t lbp_p_ising_far_edges(const lbp_ising *m, uint32_t i) {
  const uint32_t col = i - m->cols * (uint32_t)lbp_mulhi(i, m->inverse);
  return (uint32_t)(i >= m->cols) | (uint32_t)(i < m->n - m->cols) << 1 | (uint32_t)(col > 0) << 2 |
         (uint32_t)(col + 1 < m->cols) << 3;
}

LBP_INLINE uint32_t lbp_ising_neighbours(const lbp_ising *m, uint32_t i, uint32_t *out) {
  const uint32_t edges = m->edges ? m->edges[i] : lbp_p_ising_far_edges(m, i);
  uint32_t count = 0;                     /* always written, kept if the neighbour exists */
  out[count] = i - m->cols, count += edges & 1;
  out[count] = i + m->cols, count += edges >> 1 & 1;
  out[count] = i - 1, count += edges >> 2 & 1;
  out[count] = i + 1, count += edges >> 3 & 1;
  return count;
}

/* Writes the neighbours of site i, and lambda for each; returns their number -> LBP_PAIRS. */
LBP_INLINE uint32_t lbp_ising_pairs(const lbp_ising *m, uint32_t i, uint32_t *site, lbp_real *J) {
  J[0] = J[1] = J[2] = J[3] = m->gain / 4;
  return lbp_ising_neighbours(m, i, site);
}

/* Returns alpha_i -> LBP_FIELD. */
LBP_INLINE lbp_real lbp_ising_field(const lbp_ising *m, uint32_t i) { return m->alpha[i]; }

/* Writes the gradient and returns log pi(x). log pi is linear in each x_i, so that its slope is the log-ratio of a flip
 * from 0 to 1. */
LBP_FN lbp_real lbp_ising_gradient(const lbp_ising *m, const uint8_t *x, lbp_real *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = lbp_models_flipped(lbp_ising_delta(m, x, i), x[i]);
  return (lbp_real)lbp_ising_logp(m, x);
}

/* The same log-ratios from fields, 8 bytes per site and chain, updated at each flip:
 *
 *   #define LBP_FIELDS_T    lbp_ising_fields
 *   #define LBP_FIELDS_INIT lbp_ising_fields_set
 *   #define LBP_FLIP        lbp_ising_flip
 *   #define LBP_FLIP_LIST   lbp_ising_flip_list
 *   #define LBP_DELTA       lbp_ising_fields_delta
 *   #define LBP_PREFETCH    lbp_ising_prefetch
 */
typedef struct {
  lbp_real bias;             /* the model's; negated if the site is one */
  uint8_t  code;             /* 2 k + x for a site x with k neighbours that are ones: its place in term[] */
  uint8_t  edges;            /* the model's */
} lbp_ising_cell;

typedef struct {
  lbp_ising_cell *cell;      /* [n], with a row to spare before and after */
  void           *memory;    /* the memory of these */
} lbp_ising_fields;

/* Allocates one chain's fields; NAME_init or lbp_ising_fields_set fills them. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_MEMORY. */
LBP_FN int lbp_ising_fields_init(const lbp_ising *m, lbp_ising_fields *f) {
  if (!f) return LBP_E_NULL;
  memset(f, 0, sizeof *f);
  if (!m || !m->site) return LBP_E_NULL;
  f->memory = calloc((size_t)m->n + 2 * (size_t)m->cols, sizeof *f->cell);
  if (!f->memory) return LBP_E_MEMORY;
  f->cell = (lbp_ising_cell *)f->memory + m->cols;
  return LBP_OK;
}

LBP_FN void lbp_ising_fields_free(lbp_ising_fields *f) {
  if (!f) return;
  free(f->memory);
  memset(f, 0, sizeof *f);
}

/* Computes the fields of x from scratch -> LBP_FIELDS_INIT. */
LBP_FN void lbp_ising_fields_set(const lbp_ising *m, lbp_ising_fields *f, const uint8_t *x) {
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    const lbp_ising_site site = m->site[i];
    f->cell[i].bias = lbp_models_flipped(site.bias, x[i]);
    f->cell[i].code = (uint8_t)(2 * lbp_p_ising_border(m, x, i, site.edges) + x[i]);
    f->cell[i].edges = (uint8_t)site.edges;
  }
}

/* Updates the fields after a flip of x[i] -> LBP_FLIP. At the border, spare cells or those of other rows represent
 * neighbours that do not exist, and get zero added: a branch would be mispredicted too often. */
LBP_INLINE void lbp_ising_flip(const lbp_ising *m, lbp_ising_fields *f, const uint8_t *x, uint32_t i) {
  lbp_ising_cell *cell = f->cell + i, *up = cell - m->cols, *down = cell + m->cols, *left = cell - 1, *right = cell + 1;
  const uint32_t bytes = cell->edges * 0x204081u & 0x01010101u;   /* an edge a byte */
  const uint32_t change = bytes * (x[i] ? 2u : 254u);             /* 2 or -2 each */
  cell->bias = lbp_models_flipped(cell->bias, 1);
  cell->code ^= 1;
  up->code = (uint8_t)(up->code + change);
  down->code = (uint8_t)(down->code + (change >> 8));
  left->code = (uint8_t)(left->code + (change >> 16));
  right->code = (uint8_t)(right->code + (change >> 24));
}

/* The neighbour `there`, if it exists (0 or 1): its code changes by `step`. Returns the new count. */
LBP_INLINE uint32_t lbp_p_ising_update(const lbp_ising *m, lbp_ising_cell *there, uint32_t j, uint32_t exists,
                                       uint32_t step, uint32_t *site, lbp_real *ratio, uint32_t count) {
  const uint8_t code = (uint8_t)(there->code + (step & (0u - exists)));
  there->code = code;
  site[count] = j;
  ratio[count] = there->bias + m->term[code];
  return count + exists;
}

#if LBP_VECTOR
#if LBP_AVX512
/* term[] of four codes, by their lowest four bits. */
LBP_INLINE __m128 lbp_p_ising_terms(const float *term, __m128i code) {
  return _mm256_castps256_ps128(_mm256_permutex2var_ps(_mm256_loadu_ps(term), _mm256_castsi128_si256(code),
                                                       _mm256_loadu_ps(term + 8)));
}

/* Of four words, those with a bit: four times v, and at the front those of v. */
LBP_INLINE __m128i lbp_p_ising_where(uint32_t bits, int32_t v) { return _mm_maskz_set1_epi32((__mmask8)bits, v); }
LBP_INLINE __m128i lbp_p_ising_front(uint32_t bits, __m128i v) { return _mm_maskz_compress_epi32((__mmask8)bits, v); }
#else
LBP_INLINE __m128 lbp_p_ising_terms(const float *term, __m128i code) {
  const __m256i at = _mm256_castsi128_si256(code);
  const __m128 low = _mm256_castps256_ps128(_mm256_permutevar8x32_ps(_mm256_loadu_ps(term), at));
  const __m128 high = _mm256_castps256_ps128(_mm256_permutevar8x32_ps(_mm256_loadu_ps(term + 8), at));
  return _mm_blendv_ps(low, high, _mm_castsi128_ps(_mm_slli_epi32(code, 28)));
}

LBP_INLINE __m128i lbp_p_ising_where(uint32_t bits, int32_t v) {
  const __m128i bit = _mm_setr_epi32(1, 2, 4, 8);
  return _mm_and_si128(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), bit), bit), _mm_set1_epi32(v));
}

LBP_INLINE __m128i lbp_p_ising_front(uint32_t bits, __m128i v) { return _mm_shuffle_epi8(v, lbp_front4(bits)); }
#endif

/* Code and edges of a cell. */
LBP_INLINE void lbp_p_ising_recode(lbp_ising_cell *cell, int32_t code) { memcpy(&cell->code, &code, sizeof code); }

/* Single precision, all four at once. `own` is the site's code and edges; codes lie in the lowest bytes and neither
 * carry nor borrow. In a single column the cells up and down are also those left and right, which don't exist: they are
 * written last. */
LBP_INLINE uint32_t lbp_p_ising_around(const lbp_ising *m, lbp_ising_cell *cell, size_t cols, uint32_t i, uint32_t own,
                                       uint32_t *site, lbp_real *ratio) {
  lbp_ising_cell *up = cell - cols, *down = cell + cols, *left = cell - 1, *right = cell + 1;
  const uint32_t exists = own >> 8 & LBP_P_INSIDE;
  const __m128i column = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)up),
                                            _mm_loadl_epi64((const __m128i *)(const void *)down));
  const __m128i row = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)left),
                                         _mm_loadl_epi64((const __m128i *)(const void *)right));
  const __m128 bias = _mm_shuffle_ps(_mm_castsi128_ps(column), _mm_castsi128_ps(row), 0x88);
  const __m128i was = _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(column), _mm_castsi128_ps(row), 0xdd));
  const __m128i code = _mm_add_epi32(was, lbp_p_ising_where(exists, (int)(4 * (own & 1)) - 2));
  const __m128i offset = _mm_loadu_si128((const __m128i *)(const void *)m->neighbour_offset);
  const __m128i at = _mm_add_epi32(_mm_set1_epi32((int)i), offset);
  const __m128 term = lbp_p_ising_terms((const float *)(const void *)m->term, code);
  lbp_p_ising_recode(left, _mm_extract_epi32(code, 2));
  lbp_p_ising_recode(right, _mm_extract_epi32(code, 3));
  lbp_p_ising_recode(up, _mm_cvtsi128_si32(code));
  lbp_p_ising_recode(down, _mm_extract_epi32(code, 1));
  _mm_storeu_si128((__m128i *)(void *)site, lbp_p_ising_front(exists, at));
  _mm_storeu_si128((__m128i *)(void *)ratio, lbp_p_ising_front(exists, _mm_castps_si128(_mm_add_ps(bias, term))));
  return (uint32_t)__builtin_popcount(exists);
}
#endif

/* The same. In addition, lists the site's neighbours with their new log-ratios -> LBP_FLIP_LIST. */
LBP_INLINE uint32_t lbp_ising_flip_list(const lbp_ising *m, lbp_ising_fields *f, const uint8_t *x, uint32_t i,
                                        uint32_t *site, lbp_real *ratio) {
  const size_t cols = m->cols;
  lbp_ising_cell *cell = f->cell + i;
  const uint32_t edges = cell->edges;
  uint32_t count = 0, step;
  (void)x;
  cell->bias = lbp_models_flipped(cell->bias, 1);
#if LBP_VECTOR
  if (sizeof *ratio == sizeof(float)) { /* stored as wide as the neighbours' next look at it loads */
    uint32_t own;
    memcpy(&own, &cell->code, sizeof own);
    own ^= 1;
    memcpy(&cell->code, &own, sizeof own);
    return lbp_p_ising_around(m, cell, cols, i, own, site, ratio);
  }
#endif
  cell->code ^= 1;
  step = cell->code & 1 ? 2u : 254u;
  count = lbp_p_ising_update(m, cell - cols, i - m->cols, edges & 1, step, site, ratio, count);
  count = lbp_p_ising_update(m, cell + cols, i + m->cols, edges >> 1 & 1, step, site, ratio, count);
  count = lbp_p_ising_update(m, cell - 1, i - 1, edges >> 2 & 1, step, site, ratio, count);
  return lbp_p_ising_update(m, cell + 1, i + 1, edges >> 3 & 1, step, site, ratio, count);
}

/* Prefetches the cache lines that lbp_ising_flip will write to -> LBP_PREFETCH. */
LBP_INLINE void lbp_ising_prefetch(const lbp_ising *m, const lbp_ising_fields *f, const uint8_t *x, uint32_t i) {
  const lbp_ising_cell *cell = f->cell + i;
  (void)x;
  lbp_prefetch(cell - m->cols);
  lbp_prefetch(cell);
  lbp_prefetch(cell + m->cols);
}

/* Returns the log-ratio of one flip -> LBP_DELTA. */
LBP_INLINE lbp_real lbp_ising_fields_delta(const lbp_ising *m, const lbp_ising_fields *f, const uint8_t *x,
                                           uint32_t i) {
  (void)x;
  return f->cell[i].bias + m->term[f->cell[i].code];
}

/* ---- Ising model (spin glass) on any graph --------------------------------------------------------------------------
 *
 *   log pi(x) = sum_i h_i s_i + sum_{edges} J_ij s_i s_j,   s = 2x - 1
 *
 * [A] (40) has the zeros and ones themselves in place of s, its tables are those of spins. Its graphs, without fields
 * and with one J for all edges, are lbp_graph_grid and lbp_graph_barabasi_albert. */

typedef struct {
  uint32_t site;   /* at the other end */
  lbp_real gain;   /* 4 J_ij */
} lbp_graph_link;

typedef struct {
  uint32_t        n, max_degree;   /* max_degree: as given to lbp_graph_init, otherwise the largest degree */
  int             rounded;         /* whether lbp_graph_round was called */
  double          rounding;        /* largest change of a log-ratio by rounding -> LBP_ROUNDING ... */
  double          stored;          /* ... and the part due to numbers, not to their sums */
  lbp_real       *h;               /* [n] field per site */
  lbp_real       *bias;            /* [n] 2 (h_i - sum_j J_ij): log-ratio of site i among zeros */
  uint32_t       *start;           /* [n + 1] the links of site i are link[start[i]] ... link[start[i + 1] - 1] */
  lbp_graph_link *link;            /* both directions of every edge, each site's sorted by the other end */
} lbp_graph;

LBP_FN void lbp_graph_free(lbp_graph *m) {
  if (!m) return;
  free(m->h);
  free(m->bias);
  free(m->start);
  free(m->link);
  memset(m, 0, sizeof *m);
}

LBP_FN int lbp_p_graph_compare(const void *left, const void *right) {
  const lbp_graph_link *a = (const lbp_graph_link *)left, *b = (const lbp_graph_link *)right;
  if (a->site != b->site) return a->site < b->site ? -1 : 1;
  return (a->gain > b->gain) - (a->gain < b->gain);   /* a fixed order: sums of parallel edges are reproducible */
}

/* Puts both directions of every edge behind its site; m->start[i + 1] ends as the end of site i. */
LBP_FN void lbp_p_graph_fill(lbp_graph *m, uint32_t edges, const uint32_t *ends, const double *J) {
  uint32_t e, i;
  for (e = 0; e < 2 * edges; e++) m->start[ends[e] + 1]++;
  for (i = 0; i < m->n; i++) m->start[i + 1] += m->start[i];
  for (e = 2 * edges; e-- > 0;) {
    lbp_graph_link *link = &m->link[--m->start[ends[e] + 1]];
    link->site = ends[e ^ 1];
    link->gain = (lbp_real)(4.0 * J[e / 2]);
  }
  for (i = 0; i < m->n; i++) m->start[i] = m->start[i + 1];   /* start[i + 1] had moved to the front of row i */
  m->start[m->n] = 2 * edges;
}

/* Sorts each site's links, merges parallel edges (their couplings add) and returns the largest degree left. */
LBP_FN uint32_t lbp_p_graph_merge(lbp_graph *m) {
  uint32_t i, k, kept = 0, begin = 0, largest = 0;
  for (i = 0; i < m->n; i++) {
    const uint32_t end = m->start[i + 1], first = kept;
    qsort(m->link + begin, end - begin, sizeof *m->link, lbp_p_graph_compare);
    for (k = begin; k < end; k++) {
      if (kept > first && m->link[kept - 1].site == m->link[k].site) m->link[kept - 1].gain += m->link[k].gain;
      else m->link[kept++] = m->link[k];
    }
    if (kept - first > largest) largest = kept - first;
    begin = end;
    m->start[i + 1] = kept;
  }
  return largest;
}

/* lbp_graph_init without a check of the rounding; lbp_qubo uses it, too. Statuses as lbp_graph_init. */
LBP_FN int lbp_models_graph_make(lbp_graph *m, uint32_t n, const double *h, uint32_t edges, const uint32_t *ends,
                            const double *J, uint32_t max_degree) {
  uint32_t e, i, k;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (edges > 0 && (!ends || !J)) return LBP_E_NULL;
  if (lbp_models_check_sites(n, 1) != LBP_OK || edges > LBP_MAX_SITES) return LBP_E_SIZE;
  status = lbp_models_check_values(J, edges);
  if (status == LBP_OK && h) status = lbp_models_check_values(h, n);
  if (status != LBP_OK) return status;
  for (e = 0; e < edges; e++) {
    if (ends[2 * e] >= n || ends[2 * e + 1] >= n || ends[2 * e] == ends[2 * e + 1]) return LBP_E_INDEX;
  }
  m->n = n;
  m->max_degree = max_degree;
  m->h = lbp_models_new_reals(n);
  m->bias = lbp_models_new_reals(n);
  m->start = (uint32_t *)calloc((size_t)n + 1, sizeof *m->start);
  m->link = (lbp_graph_link *)calloc((size_t)2 * edges + 1, sizeof *m->link);
  if (!m->h || !m->bias || !m->start || !m->link) {
    lbp_graph_free(m);
    return LBP_E_MEMORY;
  }
  lbp_p_graph_fill(m, edges, ends, J);
  if (lbp_p_graph_merge(m) > max_degree) {
    lbp_graph_free(m);
    return LBP_E_RANGE;
  }
  for (i = 0; i < n; i++) {
    double bias = h ? 2.0 * h[i] : 0.0;
    m->h[i] = (lbp_real)(bias / 2.0);
    for (k = m->start[i]; k < m->start[i + 1]; k++) bias -= (double)m->link[k].gain / 2.0;
    m->bias[i] = (lbp_real)bias;
  }
  return LBP_OK;
}

/* A site's slopes lie within 2 (|h_i| + sum_j |J_ij|), its reach. A power of two of which that is less than 2^24, or
 * 2^53 in double; sums of doubles may lack a little of it, and smaller terms than 2^-100 become zero. */
LBP_FN double lbp_p_graph_step(const lbp_graph *m, uint32_t i) {
  const int bits = lbp_models_bits();
  double middle = (double)m->bias[i], reach = 0.0;
  uint32_t k;
  int exponent;
  for (k = m->start[i]; k < m->start[i + 1]; k++) {
    middle += (double)m->link[k].gain / 2.0;
    reach += fabs((double)m->link[k].gain / 2.0);
  }
  reach += fabs(middle);
  (void)frexp(reach + lbp_rounded(reach * DBL_EPSILON * (4.0 + 4.0 * (m->start[i + 1] - m->start[i]))), &exponent);
  return ldexp(1.0, exponent > bits - 100 ? exponent - bits : -100);
}

/* The error of sums of a site's numbers, which round in lbp_real: none if all are multiples of its step, otherwise the
 * sum of independent errors of half a unit in the last place. */
LBP_FN double lbp_p_graph_sum_error(const lbp_graph *m, uint32_t i) {
  const double step = lbp_p_graph_step(m, i), unit = ldexp(1.0, -lbp_models_bits());
  double reach = fabs((double)m->bias[i]), squares = 0.0;
  int exact = (double)(int64_t)(reach / step) * step >= reach;
  uint32_t k;
  for (k = m->start[i]; k < m->start[i + 1]; k++) {
    const double size = fabs((double)m->link[k].gain);
    exact = exact && (double)(int64_t)(size / step) * step >= size;
    reach += size;
    squares += unit * reach * (unit * reach);
  }
  return exact ? 0.0 : sqrt(squares);
}

/* Where site i's link to site j is. */
LBP_FN uint32_t lbp_p_graph_find(const lbp_graph *m, uint32_t i, uint32_t j) {
  uint32_t low = m->start[i], high = m->start[i + 1];
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (m->link[middle].site <= j) low = middle;
    else high = middle;
  }
  return low;
}

/* Sets m->stored: the largest error of a site's slope, in any state, if it is summed exactly. bias[n] and the edges
 * have the numbers as given. The error of a slope is its error in the middle, where all spins are 0, plus half the
 * errors of the gains. Returns LBP_OK, or LBP_E_MEMORY. */
LBP_FN int lbp_models_graph_measure(lbp_graph *m, const double *bias, uint32_t edges, const uint32_t *ends,
                               const double *J) {
  double *error = (double *)calloc((size_t)m->start[m->n] + 1, sizeof *error);
  uint32_t e, i, k;
  if (!error) return LBP_E_MEMORY;
  for (k = 0; k < m->start[m->n]; k++) error[k] = (double)m->link[k].gain;
  for (e = 0; e < 2 * edges; e++) error[lbp_p_graph_find(m, ends[e], ends[e ^ 1])] -= 4.0 * J[e / 2];
  m->stored = 0.0;
  for (i = 0; i < m->n; i++) {
    double middle = (double)m->bias[i] - bias[i], spread = 0.0;
    for (k = m->start[i]; k < m->start[i + 1]; k++) {
      middle += error[k] / 2.0;
      spread += fabs(error[k]) / 2.0;
    }
    spread += fabs(middle);
    if (spread > m->stored) m->stored = spread;
  }
  free(error);
  return LBP_OK;
}

/* Makes an Ising model of n sites with fields h[n] (NULL: all zero). Edge e joins ends[2e] and ends[2e + 1] with
 * coupling J[e]; ends and J may be NULL if edges is 0. The couplings of parallel edges add up. max_degree is the value
 * of your LBP_MAX_NEIGHBOURS. Returns LBP_OK, or LBP_E_INDEX (an edge from a site to itself or to a site >= n),
 * LBP_E_RANGE (a site has more than max_degree neighbours), LBP_E_PRECISION (rounding to lbp_real changes log-ratios by
 * more than 1e-3), or as all models LBP_E_NULL, LBP_E_SIZE, LBP_E_NOT_FINITE, LBP_E_MEMORY. Takes O(n + edges log
 * max_degree). */
LBP_FN int lbp_graph_init(lbp_graph *m, uint32_t n, const double *h, uint32_t edges, const uint32_t *ends,
                          const double *J, uint32_t max_degree) {
  double *bias;
  uint32_t e, i;
  int status = lbp_models_graph_make(m, n, h, edges, ends, J, max_degree);
  if (status != LBP_OK) return status;
  bias = (double *)calloc(n, sizeof *bias);
  status = LBP_E_MEMORY;
  if (bias) {
    for (i = 0; i < n && h; i++) bias[i] = 2.0 * h[i];
    for (e = 0; e < 2 * edges; e++) bias[ends[e]] -= 2.0 * J[e / 2];
    status = lbp_models_graph_measure(m, bias, edges, ends, J);
    for (i = 0; i < n; i++) {
      const double error = lbp_p_graph_sum_error(m, i);
      m->rounding = error > m->rounding ? error : m->rounding;
    }
    m->rounding += m->stored;
  }
  free(bias);
  if (status == LBP_OK) status = lbp_models_check_rounding(m->rounding, 1.0);
  if (status != LBP_OK) lbp_graph_free(m);
  return status;
}

/* lbp_graph_init if you do not know the largest degree: it sets m->max_degree, and LBP_MAX_NEIGHBOURS must be at least
 * that. Statuses as lbp_graph_init. */
LBP_FN int lbp_graph_edges(lbp_graph *m, uint32_t n, const double *h, uint32_t edges, const uint32_t *ends,
                           const double *J) {
  const int status = lbp_graph_init(m, n, h, edges, ends, J, n);
  uint32_t i;
  if (status != LBP_OK) return status;
  m->max_degree = 0;
  for (i = 0; i < n; i++) {
    const uint32_t degree = m->start[i + 1] - m->start[i];
    if (degree > m->max_degree) m->max_degree = degree;
  }
  return LBP_OK;
}

/* Coupling J on all edges, no fields, max_degree as it is. */
LBP_FN int lbp_p_graph_uniform(lbp_graph *m, uint32_t n, uint32_t edges, const uint32_t *ends, double J) {
  double *couplings = (double *)calloc((size_t)edges + 1, sizeof *couplings);
  uint32_t e;
  int status;
  if (!couplings) return LBP_E_MEMORY;
  for (e = 0; e < edges; e++) couplings[e] = J;
  status = lbp_graph_edges(m, n, NULL, edges, ends, couplings);
  free(couplings);
  return status;
}

/* Makes a grid of rows x cols sites, site i = row * cols + col, joined to those right and below; free boundary.
 * Statuses as lbp_graph_init. */
LBP_FN int lbp_graph_grid(lbp_graph *m, uint32_t rows, uint32_t cols, double J) {
  uint32_t *ends, row, col, e = 0, i = 0;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_sites(rows, cols) != LBP_OK || lbp_models_check_sites(2 * (uint64_t)rows, cols) != LBP_OK) {
    return LBP_E_SIZE;
  }
  ends = (uint32_t *)calloc(4 * (size_t)rows * cols, sizeof *ends);
  if (!ends) return LBP_E_MEMORY;
  for (row = 0; row < rows; row++) {
    for (col = 0; col < cols; col++, i++) {
      if (col + 1 < cols) ends[2 * e] = i, ends[2 * e + 1] = i + 1, e++;
      if (row + 1 < rows) ends[2 * e] = i, ends[2 * e + 1] = i + cols, e++;
    }
  }
  status = lbp_p_graph_uniform(m, rows * cols, e, ends, J);
  free(ends);
  return status;
}

/* Makes a Barabasi-Albert graph: `attach` sites without edges, a site joined to all of them, and then site by site,
 * each joined to `attach` different earlier ones, drawn with probabilities in proportion to their degrees (a repeated
 * one is drawn again). It has (n - attach) attach edges. 1 <= attach < n, otherwise LBP_E_RANGE. */
LBP_FN int lbp_graph_barabasi_albert(lbp_graph *m, uint32_t n, uint32_t attach, double J, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  uint32_t *ends, i, k, r, e = 0;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_sites(n, 1) != LBP_OK) return LBP_E_SIZE;
  if (attach == 0 || attach >= n) return LBP_E_RANGE;
  if (lbp_models_check_sites(2 * (uint64_t)(n - attach), attach) != LBP_OK) return LBP_E_SIZE;
  ends = (uint32_t *)calloc(2 * (size_t)(n - attach) * attach, sizeof *ends);
  if (!ends) return LBP_E_MEMORY;
  for (i = attach; i < n; i++) {
    const uint32_t before = e;
    for (k = 0; k < attach; k++, e++) {
      uint32_t other = k;   /* of the first site to have edges */
      while (i > attach) {  /* a random end of the edges before i's has the law wanted */
        other = ends[lbp_mulhi(lbp_rng_u64(&rng), 2 * (uint64_t)before)];
        for (r = before; r < e && ends[2 * r + 1] != other; r++) continue;
        if (r == e) break;
      }
      ends[2 * e] = i;
      ends[2 * e + 1] = other;
    }
  }
  status = lbp_p_graph_uniform(m, n, e, ends, J);
  free(ends);
  return status;
}

LBP_FN double lbp_graph_logp(const lbp_graph *m, const uint8_t *x) {
  double sum = 0.0;
  uint32_t i, k;
  for (i = 0; i < m->n; i++) {
    double pull = 0.0;
    for (k = m->start[i]; k < m->start[i + 1]; k++) {
      if (m->link[k].site > i) pull += (double)m->link[k].gain * (2 * x[m->link[k].site] - 1);
    }
    sum += (2 * x[i] - 1) * ((double)m->h[i] + pull / 4.0);
  }
  return sum;
}

/* d log pi / d x_i, as if x were real, which does not depend on x_i: the log-ratio of a flip from 0 to 1. */
LBP_INLINE lbp_real lbp_p_graph_slope(const lbp_graph *m, const uint8_t *x, uint32_t i) {
  const uint32_t end = m->start[i + 1];
  lbp_real slope = m->bias[i];
  uint32_t k;
  for (k = m->start[i]; k < end; k++) slope += m->link[k].gain * (lbp_real)x[m->link[k].site];
  return slope;
}

LBP_FN lbp_real lbp_graph_delta(const lbp_graph *m, const uint8_t *x, uint32_t i) {
  return lbp_models_flipped(lbp_p_graph_slope(m, x, i), x[i]);
}

/* Writes the neighbours of site i and returns their number; out has room for max_degree. */
LBP_FN uint32_t lbp_graph_neighbours(const lbp_graph *m, uint32_t i, uint32_t *out) {
  const uint32_t first = m->start[i], count = m->start[i + 1] - first;
  uint32_t k;
  for (k = 0; k < count; k++) out[k] = m->link[first + k].site;
  return count;
}

/* Writes the other ends of site i's edges, and their J_ij; returns their number -> LBP_PAIRS. Room as for
 * lbp_graph_neighbours. */
LBP_FN uint32_t lbp_graph_pairs(const lbp_graph *m, uint32_t i, uint32_t *site, lbp_real *J) {
  const uint32_t first = m->start[i], count = m->start[i + 1] - first;
  uint32_t k;
  for (k = 0; k < count; k++) {
    site[k] = m->link[first + k].site;
    J[k] = m->link[first + k].gain / 4;
  }
  return count;
}

/* Returns h_i -> LBP_FIELD. */
LBP_INLINE lbp_real lbp_graph_field(const lbp_graph *m, uint32_t i) { return m->h[i]; }

/* Writes the gradient and returns log pi(x), O(edges). (The slopes 2 (h_i + sum_j J_ij s_j) contain each edge twice,
 * and give log pi.) */
LBP_FN lbp_real lbp_graph_gradient(const lbp_graph *m, const uint8_t *x, lbp_real *out) {
  double sum = 0.0;
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    out[i] = lbp_p_graph_slope(m, x, i);
    sum += (double)((lbp_real)(2 * x[i] - 1) * (2 * m->h[i] + out[i]));
  }
  return (lbp_real)(sum / 4.0);
}

/* Writes log pi of x with x_i = 0 and with x_i = 1, up to a constant, O(degree of i). */
LBP_FN void lbp_graph_conditional(const lbp_graph *m, const uint8_t *x, uint32_t i, lbp_real *out) {
  out[0] = 0;
  out[1] = lbp_p_graph_slope(m, x, i);
}

/* lbp_graph_round without its check; m->rounding becomes the largest change of a slope. Returns LBP_OK, or
 * LBP_E_MEMORY. */
LBP_FN int lbp_models_graph_round(lbp_graph *m) {
  double *step = (double *)calloc(m->n, sizeof *step);
  uint32_t i, k;
  if (!step) return LBP_E_MEMORY;
  m->rounding = 0.0;
  for (i = 0; i < m->n; i++) step[i] = lbp_p_graph_step(m, i);
  for (i = 0; i < m->n; i++) {
    double bias = (double)m->bias[i], middle = 0.0, error = 0.0;
    for (k = m->start[i]; k < m->start[i + 1]; k++) {
      lbp_graph_link *link = &m->link[k];
      const double coarser = step[i] > step[link->site] ? step[i] : step[link->site], gain = (double)link->gain;
      link->gain = (lbp_real)((double)(int64_t)(gain / coarser) * coarser);   /* an integer has no negative zero */
      bias += (gain - (double)link->gain) / 2.0;
      middle += (double)link->gain / 2.0;
      error += fabs(gain - (double)link->gain) / 2.0;
    }
    m->bias[i] = (lbp_real)((double)llround(bias / step[i]) * step[i]);
    m->h[i] = (lbp_real)(((double)m->bias[i] + middle) / 2.0);   /* log pi is of the same law */
    error += fabs(bias - (double)m->bias[i]);
    if (error > m->rounding) m->rounding = error;
  }
  m->rounded = 1;
  free(step);
  return LBP_OK;
}

/* Rounds couplings and biases so that slopes depend only on the state, not on the order of their sums. Each site has a
 * step, a power of two; its bias and gains become multiples of it, gains towards zero, so that no reach grows. h_i and
 * J_ij change by less than 2^-24 (2^-53 in double) of the reach of i, or of i or j; if all are multiples of a power of
 * two, such as 1 or 0.25, they do not change. Log-ratios with and without fields then agree to the last bit. Call it
 * once, before chains begin; fields require it. Returns LBP_OK, or LBP_E_NULL, LBP_E_MEMORY, LBP_E_PRECISION (some
 * log-ratio would change by more than 1e-3 in total; *m is freed). */
LBP_FN int lbp_graph_round(lbp_graph *m) {
  int status;
  if (!m || !m->link) return LBP_E_NULL;
  status = lbp_models_graph_round(m);
  if (status != LBP_OK) return status;
  m->rounding += m->stored;
  m->stored = m->rounding;
  status = lbp_models_check_rounding(m->rounding, 1.0);
  if (status != LBP_OK) lbp_graph_free(m);
  return status;
}

/* The same log-ratios from fields, each site's slope, for a model after lbp_graph_round: one flip costs O(degree), and
 * each log-ratio that changes with it one addition.
 *
 *   #define LBP_FIELDS_T    lbp_graph_fields
 *   #define LBP_FIELDS_INIT lbp_graph_fields_set
 *   #define LBP_FLIP        lbp_graph_flip
 *   #define LBP_FLIP_LIST   lbp_graph_flip_list
 *   #define LBP_DELTA       lbp_graph_fields_delta
 *   #define LBP_PREFETCH    lbp_graph_prefetch
 */
typedef struct {
  lbp_real *slope;           /* [n] */
} lbp_graph_fields;

LBP_FN void lbp_graph_fields_free(lbp_graph_fields *f) {
  if (!f) return;
  free(f->slope);
  memset(f, 0, sizeof *f);
}

/* Allocates one chain's fields; NAME_init or lbp_graph_fields_set fills them. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_MEMORY, LBP_E_FIELDS (call lbp_graph_round first). */
LBP_FN int lbp_graph_fields_init(const lbp_graph *m, lbp_graph_fields *f) {
  if (!f) return LBP_E_NULL;
  memset(f, 0, sizeof *f);
  if (!m || !m->link) return LBP_E_NULL;
  if (!m->rounded) return LBP_E_FIELDS;
  f->slope = lbp_models_new_reals(m->n);
  return f->slope ? LBP_OK : LBP_E_MEMORY;
}

/* Computes the fields of x from scratch -> LBP_FIELDS_INIT. */
LBP_FN void lbp_graph_fields_set(const lbp_graph *m, lbp_graph_fields *f, const uint8_t *x) {
  uint32_t i;
  for (i = 0; i < m->n; i++) f->slope[i] = lbp_p_graph_slope(m, x, i);
}

/* Updates the fields after a flip of x[i] -> LBP_FLIP. */
LBP_INLINE void lbp_graph_flip(const lbp_graph *m, lbp_graph_fields *f, const uint8_t *x, uint32_t i) {
  const lbp_graph_link *link = m->link + m->start[i], *end = m->link + m->start[i + 1];
  lbp_real *slope = f->slope;
  const uint8_t before = x[i] ^ 1;
  for (; link < end; link++) slope[link->site] += lbp_models_flipped(link->gain, before);
}

/* The same. In addition, lists the sites whose log-ratios change, with the new values -> LBP_FLIP_LIST. Room as for
 * lbp_graph_neighbours. */
LBP_INLINE uint32_t lbp_graph_flip_list(const lbp_graph *m, lbp_graph_fields *f, const uint8_t *x, uint32_t i,
                                        uint32_t *site, lbp_real *ratio) {
  const uint32_t first = m->start[i], count = m->start[i + 1] - first;
  const lbp_graph_link *link = m->link + first;
  lbp_real *slope = f->slope;
  const uint8_t before = x[i] ^ 1;
  uint32_t k;
  for (k = 0; k < count; k++) {
    const uint32_t j = link[k].site;
    const lbp_real v = slope[j] + lbp_models_flipped(link[k].gain, before);
    slope[j] = v;
    site[k] = j;
    ratio[k] = lbp_models_flipped(v, x[j]);
  }
  return count;
}

/* Returns the log-ratio of one flip -> LBP_DELTA. */
LBP_INLINE lbp_real lbp_graph_fields_delta(const lbp_graph *m, const lbp_graph_fields *f, const uint8_t *x,
                                           uint32_t i) {
  (void)m;
  return lbp_models_flipped(f->slope[i], x[i]);
}

/* Prefetches the cache lines that lbp_graph_flip will write to -> LBP_PREFETCH. */
LBP_INLINE void lbp_graph_prefetch(const lbp_graph *m, const lbp_graph_fields *f, const uint8_t *x, uint32_t i) {
  (void)x;
  lbp_prefetch(m->link + m->start[i]);
  lbp_prefetch(f->slope + i);
}

/* ---- factorial hidden Markov model: K binary chains behind one observed series Y_1 ... Y_L (appendix D.3) -----------
 *
 *   log pi(x) = a0 sum_k x_{1,k} + c #{(l,k): x_{l,k} != x_{l-1,k}} - sum_l r_l^2 / (2 sigma2),
 *   r_l = Y_l - b - W . x_l,   site (l,k) at index l * K + k, counted from 0
 *
 * (185) runs the chains over k; code and data of the paper run them over l, as here. */

#define LBP_FHMM_MAX_K          16                   /* chains, at most */
#define LBP_FHMM_MAX_NEIGHBOURS (LBP_FHMM_MAX_K + 1) /* -> LBP_MAX_NEIGHBOURS */

/* Everything that a site's log-ratio depends on, except the residual, as one number: bit 0 is x_{l,k}; bits 1 and 2
 * count which of x_{l-1,k} and x_{l+1,k} differ from it (zeros beyond the ends); bits 3 and 4 tell whether row l is the
 * first and the last; the others are k. */
enum { LBP_P_FHMM_DIFFER = 1, LBP_P_FHMM_FIRST = 3, LBP_P_FHMM_LAST = 4, LBP_P_FHMM_CHAIN = 5 };

typedef struct {
  lbp_real slope, offset;        /* the log-ratio is slope * r_l + offset */
} lbp_fhmm_term;

typedef enum {
  LBP_FHMM_AS_RUN,     /* a0 = log 9, c = -0.2: behind the paper's tables (a sign and a logit went wrong there) */
  LBP_FHMM_AS_WRITTEN  /* a0 = -log 9, c = log(0.2 / 0.8): the posterior of (185), (186) */
} lbp_fhmm_law;

typedef struct {
  uint32_t  n, L, K;             /* n = L * K */
  double    b, sigma2, a0, c;
  double    rounding;            /* largest change of a log-ratio by rounding -> LBP_ROUNDING */
  double    W[LBP_FHMM_MAX_K];
  lbp_real *centred;             /* [L] Y_l - b */
  lbp_real  weight[LBP_FHMM_MAX_K], precision, start, change;   /* W, 1 / sigma2, a0, c for delta */
  uint64_t  inverse_K;           /* floor(2^32 / K) + 1, so that l = i * inverse_K >> 32 without a division */
  lbp_real  sum[2][256];         /* of the weights of chains 0 to 7, and 8 to 15, that a byte names */
  lbp_fhmm_term term[LBP_FHMM_MAX_K << LBP_P_FHMM_CHAIN];
} lbp_fhmm;

LBP_FN void lbp_fhmm_free(lbp_fhmm *m) {
  if (!m) return;
  free(m->centred);
  memset(m, 0, sizeof *m);
}

/* Writes the parameters of a prior law. */
LBP_FN void lbp_fhmm_law_values(lbp_fhmm_law law, double *a0, double *c) {
  const double log9 = 2.1972245773362196;
  *a0 = law == LBP_FHMM_AS_WRITTEN ? -log9 : log9;
  *c = law == LBP_FHMM_AS_WRITTEN ? -1.3862943611198906 : -0.2;
}

/* Makes the tables of lbp_fhmm_fields. */
LBP_FN void lbp_p_fhmm_tabulate(lbp_fhmm *m) {
  uint32_t code, k, bits;
  for (code = 0; code < m->K << LBP_P_FHMM_CHAIN; code++) {
    const int x = code & 1, first = code >> LBP_P_FHMM_FIRST & 1, last = code >> LBP_P_FHMM_LAST & 1, flip = 1 - 2 * x;
    const int beyond = x * (first + last), differ = (int)(code >> LBP_P_FHMM_DIFFER & 3) - beyond;
    const double w = m->W[code >> LBP_P_FHMM_CHAIN];
    m->term[code].slope = (lbp_real)(flip * w / m->sigma2);
    m->term[code].offset = (lbp_real)(flip * first * m->a0 + m->c * (2 - first - last - 2 * differ) -
                                      w * w / (2.0 * m->sigma2));
  }
  for (k = 0; k < m->K; k++) {
    for (bits = 0; bits < 256; bits++) {
      if (bits >> k % 8 & 1) m->sum[k / 8][bits] += m->weight[k];
    }
  }
}

/* Sets m->rounding: residuals lack up to half a unit in the last place of their reach for each number in their sum, and
 * so do the terms of a log-ratio. */
LBP_FN void lbp_p_fhmm_measure(lbp_fhmm *m, const double *observed) {
  const double unit = ldexp(1.0, -lbp_models_bits());
  double reach = 0.0;
  uint32_t k, l;
  for (l = 0; l < m->L; l++) reach = fabs(observed[l] - m->b) > reach ? fabs(observed[l] - m->b) : reach;
  for (k = 0; k < m->K; k++) reach += fabs(m->W[k]);
  m->rounding = 0.0;
  for (k = 0; k < m->K; k++) {
    const double w = fabs(m->W[k]), terms = w * (reach * (2.0 * m->K + 4.0) + 2.0 * w) / m->sigma2;
    const double error = unit * (terms + 3.0 * (fabs(m->a0) + 2.0 * fabs(m->c)));
    m->rounding = error > m->rounding ? error : m->rounding;
  }
}

/* Makes a model of L steps of K chains (K <= LBP_FHMM_MAX_K, L * K < 2^28) from W[K], observed[L] and the variance of
 * the noise, sigma2 >= 1e-12. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_NOT_FINITE, LBP_E_RANGE, LBP_E_MEMORY,
 * LBP_E_PRECISION (rounding to lbp_real may change a log-ratio by more than 1e-3). */
LBP_FN int lbp_fhmm_init(lbp_fhmm *m, uint32_t L, uint32_t K, const double *W, double b, double sigma2,
                         const double *observed, double a0, double c) {
  double scalars[4];
  uint32_t k, l;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!W || !observed) return LBP_E_NULL;
  if (K == 0 || K > LBP_FHMM_MAX_K || L == 0 || L >= (1u << 28) / K) return LBP_E_SIZE;
  scalars[0] = b, scalars[1] = sigma2, scalars[2] = a0, scalars[3] = c;
  status = lbp_models_check_values(scalars, 4);
  if (status == LBP_OK) status = lbp_models_check_values(W, K);
  if (status == LBP_OK) status = lbp_models_check_values(observed, L);
  if (status == LBP_OK && sigma2 < 1.0 / LBP_MODELS_LARGEST) status = LBP_E_RANGE;
  if (status != LBP_OK) return status;
  m->centred = lbp_models_new_reals(L);
  if (!m->centred) return LBP_E_MEMORY;
  m->L = L;
  m->K = K;
  m->n = L * K;
  m->b = b;
  m->sigma2 = sigma2;
  m->a0 = a0;
  m->c = c;
  m->precision = (lbp_real)(1.0 / sigma2);
  m->start = (lbp_real)a0;
  m->change = (lbp_real)c;
  m->inverse_K = (UINT64_C(1) << 32) / K + 1;
  for (k = 0; k < K; k++) {
    m->W[k] = W[k];
    m->weight[k] = (lbp_real)W[k];
  }
  for (l = 0; l < L; l++) m->centred[l] = (lbp_real)(observed[l] - b);
  lbp_p_fhmm_tabulate(m);
  lbp_p_fhmm_measure(m, observed);
  status = lbp_models_check_rounding(m->rounding, 1.0);
  if (status != LBP_OK) lbp_fhmm_free(m);
  return status;
}

/* Writes the weights of the paper's five chains, as in its tables. */
LBP_FN void lbp_fhmm_paper_weights(double *W, double *b) {
  W[0] = 0.66135216, W[1] = 0.26692411, W[2] = 0.06167726, W[3] = 0.62131733, W[4] = -0.45190597;
  *b = -0.16613023;
}

/* Returns the variance of the noise: 2, 1, 0.5 for LBP_C1, LBP_C2, LBP_C3. */
LBP_FN double lbp_fhmm_noise(int config) { return ldexp(4.0, -config); }

/* Makes a model of data drawn from it: chains start at 1 with probability 0.1 and stay with probability 0.8. W: K
 * weights, or NULL to draw them and b from the standard normal. Statuses as lbp_fhmm_init; LBP_E_RANGE: config or
 * law. */
LBP_FN int lbp_fhmm_random(lbp_fhmm *m, uint32_t L, uint32_t K, const double *W, double b, int config,
                           lbp_fhmm_law law, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  const double sigma2 = lbp_fhmm_noise(config);
  double weights[LBP_FHMM_MAX_K], a0, c, *observed;
  int hidden[LBP_FHMM_MAX_K];
  uint32_t l, k;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_config(config) != LBP_OK) return LBP_E_RANGE;
  if (law != LBP_FHMM_AS_RUN && law != LBP_FHMM_AS_WRITTEN) return LBP_E_RANGE;
  if (K == 0 || K > LBP_FHMM_MAX_K || L == 0 || L >= (1u << 28) / K) return LBP_E_SIZE;
  observed = (double *)calloc(L, sizeof *observed);
  if (!observed) return LBP_E_MEMORY;
  for (k = 0; k < K; k++) weights[k] = W ? W[k] : lbp_models_normal(&rng);
  if (!W) b = lbp_models_normal(&rng);
  for (l = 0; l < L; l++) {
    observed[l] = b + lbp_rounded(sqrt(sigma2) * lbp_models_normal(&rng));
    for (k = 0; k < K; k++) {
      const double u = lbp_models_uniform(&rng);
      hidden[k] = l == 0 ? u < 0.1 : hidden[k] ^ (u >= 0.8);
      if (hidden[k]) observed[l] += weights[k];
    }
  }
  lbp_fhmm_law_values(law, &a0, &c);
  status = lbp_fhmm_init(m, L, K, weights, b, sigma2, observed, a0, c);
  free(observed);
  return status;
}

LBP_FN double lbp_fhmm_logp(const lbp_fhmm *m, const uint8_t *x) {
  double squares = 0.0;
  int64_t started = 0, changes = 0;
  uint32_t l, k;
  for (l = 0; l < m->L; l++, x += m->K) {
    double residual = (double)m->centred[l];
    for (k = 0; k < m->K; k++) {
      residual -= x[k] * m->W[k];
      if (l == 0) started += x[k];
      else changes += x[k] != *(x + k - m->K);
    }
    squares += lbp_rounded(residual * residual);
  }
  return lbp_rounded(m->a0 * (double)started) + lbp_rounded(m->c * (double)changes) - squares / (2.0 * m->sigma2);
}

/* Returns the log-ratio of a flip, O(K), without branch or division: a step beyond either end is read at i itself and
 * multiplied by zero. */
LBP_FN lbp_real lbp_fhmm_delta(const lbp_fhmm *m, const uint8_t *x, uint32_t i) {
  const uint32_t l = (uint32_t)(i * m->inverse_K >> 32), first = l * m->K;
  const uint32_t before = l > 0, after = l + 1 < m->L;
  const uint32_t previous = i - (m->K & (0u - before)), next = i + (m->K & (0u - after));
  const int new_changes = (int)before * (1 - 2 * (x[i] ^ x[previous])) + (int)after * (1 - 2 * (x[i] ^ x[next]));
  const lbp_real flip = (lbp_real)(1 - 2 * x[i]), w = m->weight[i - first];
  lbp_real residual = m->centred[l];
  uint32_t k;
  for (k = 0; k < m->K; k++) residual -= m->weight[k] * (lbp_real)x[first + k];
  return flip * (m->start * (lbp_real)(1 - (int)before) + lbp_models_rounded(m->precision * w * residual)) -
         m->precision * w * w / 2 + m->change * (lbp_real)new_changes;
}

/* Writes the neighbours of site i and returns their number. out has room for LBP_FHMM_MAX_NEIGHBOURS sites, for any K:
 * a loop of constant length is a store or two. */
LBP_INLINE uint32_t lbp_fhmm_neighbours(const lbp_fhmm *m, uint32_t i, uint32_t *out) {
  const uint32_t l = (uint32_t)(i * m->inverse_K >> 32), first = l * m->K;
  uint32_t k, count = m->K - 1;
  for (k = 0; k < LBP_FHMM_MAX_K; k++) out[k] = first + k;
  out[i - first] = first + count;                /* the last of the row takes the place of i */
  out[count] = i - m->K, count += l > 0;         /* always written, kept if the neighbour exists */
  out[count] = i + m->K, count += l + 1 < m->L;
  return count;
}

/* The same log-ratios, O(1), from fields, 2 bytes per site and 8 per row, updated at each flip:
 *
 *   #define LBP_FIELDS_T    lbp_fhmm_fields
 *   #define LBP_FIELDS_INIT lbp_fhmm_fields_set
 *   #define LBP_FLIP        lbp_fhmm_flip
 *   #define LBP_DELTA       lbp_fhmm_fields_delta
 */
typedef struct {
  lbp_real residual;         /* r_l, always summed in the same order: a function of the state */
  uint32_t bits;             /* x_{l,k} in bit k */
} lbp_fhmm_row;

typedef struct {
  lbp_fhmm_row *row;         /* [L] */
  uint16_t     *code;        /* [n] places in term[], with a row of zeros to spare before and after */
  void         *memory;      /* the memory of the codes */
} lbp_fhmm_fields;

LBP_FN void lbp_fhmm_fields_free(lbp_fhmm_fields *f) {
  if (!f) return;
  free(f->row);
  free(f->memory);
  memset(f, 0, sizeof *f);
}

/* Allocates one chain's fields; NAME_init or lbp_fhmm_fields_set fills them. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_MEMORY. */
LBP_FN int lbp_fhmm_fields_init(const lbp_fhmm *m, lbp_fhmm_fields *f) {
  if (!f) return LBP_E_NULL;
  memset(f, 0, sizeof *f);
  if (!m || !m->centred) return LBP_E_NULL;
  f->row = (lbp_fhmm_row *)calloc(m->L, sizeof *f->row);
  f->memory = calloc((size_t)m->n + 2 * m->K, sizeof *f->code);
  if (!f->row || !f->memory) {
    lbp_fhmm_fields_free(f);
    return LBP_E_MEMORY;
  }
  f->code = (uint16_t *)f->memory + m->K;
  return LBP_OK;
}

LBP_INLINE lbp_real lbp_p_fhmm_residual(const lbp_fhmm *m, uint32_t l, uint32_t bits) {
  return m->centred[l] - (m->sum[0][bits & 255] + m->sum[1][bits >> 8]);
}

/* Computes the fields of x from scratch -> LBP_FIELDS_INIT. */
LBP_FN void lbp_fhmm_fields_set(const lbp_fhmm *m, lbp_fhmm_fields *f, const uint8_t *x) {
  uint32_t l, k, i = 0;
  for (l = 0; l < m->L; l++) {
    const uint32_t first = l == 0, last = l + 1 == m->L;
    uint32_t bits = 0;
    for (k = 0; k < m->K; k++, i++) {
      const uint32_t own = x[i], previous = first ? 0 : x[i - m->K], next = last ? 0 : x[i + m->K];
      f->code[i] = (uint16_t)(own | ((own ^ previous) + (own ^ next)) << LBP_P_FHMM_DIFFER |
                              first << LBP_P_FHMM_FIRST | last << LBP_P_FHMM_LAST | k << LBP_P_FHMM_CHAIN);
      bits |= own << k;
    }
    f->row[l].bits = bits;
    f->row[l].residual = lbp_p_fhmm_residual(m, l, bits);
  }
}

/* Updates the fields after a flip of x[i] -> LBP_FLIP. The spare rows make all rows alike. */
LBP_INLINE void lbp_fhmm_flip(const lbp_fhmm *m, lbp_fhmm_fields *f, const uint8_t *x, uint32_t i) {
  const uint32_t l = (uint32_t)(i * m->inverse_K >> 32);
  lbp_fhmm_row *row = f->row + l;
  uint16_t *code = f->code + i, *previous = code - m->K, *next = code + m->K;
  const uint32_t own = *code ^ 1u, one = 1u << LBP_P_FHMM_DIFFER;
  const uint32_t before = ((own ^ *previous) & 1u) * 2u * one - one, after = ((own ^ *next) & 1u) * 2u * one - one;
  (void)x;
  *code = (uint16_t)(own + before + after);   /* in either direction one more that differs, or one less */
  *previous = (uint16_t)(*previous + before);
  *next = (uint16_t)(*next + after);
  row->bits ^= 1u << (own >> LBP_P_FHMM_CHAIN);
  row->residual = lbp_p_fhmm_residual(m, l, row->bits);
}

/* Returns the log-ratio of one flip -> LBP_DELTA. */
LBP_INLINE lbp_real lbp_fhmm_fields_delta(const lbp_fhmm *m, const lbp_fhmm_fields *f, const uint8_t *x, uint32_t i) {
  const lbp_fhmm_term term = m->term[f->code[i]];
  (void)x;
  return lbp_models_rounded(term.slope * f->row[i * m->inverse_K >> 32].residual) + term.offset;
}

LBP_EXACT_END

#endif /* LBP_MODELS_LOCAL_H */
