/* lbp_models.h - ready-made models for lbp.h and lbp_ab.h. In this file's order, with the interfaces that each has:
 *
 *   lbp_bernoulli   independent sites                                         local, gradient
 *   lbp_ising       Ising model on a grid                                     local, fields, gradient
 *   lbp_graph       Ising model on any graph; grids, Barabasi-Albert graphs   local, fields, gradient, Hessian,
 *                                                                             conditional
 *   lbp_fhmm        factorial hidden Markov model                             local, fields
 *   lbp_rbm         restricted Boltzmann machine; its parameters as bytes;
 *                   its training by contrastive divergence                    dense
 *   lbp_lattice     Gaussian on the lattice {0 ... states - 1}^n              gradient, Hessian, conditional
 *   lbp_logistic    Bayesian logistic regression, coefficients 0 or 1         gradient
 *   lbp_quartic     mixture of quartics on the same lattice                   gradient
 *   lbp_selection   Bayesian variable selection in linear regression          dense, gradient, conditional
 *
 * and in headers that this one does not include, with the same interfaces:
 *
 *   lbp_qubo        quadratic binary optimisation: lbp/models/qubo.h          local, fields, gradient, conditional
 *   lbp_qubo_dense  the same where nearly all pairs have a term               dense
 *   lbp_potts ...   categorical sites: lbp/models/potts.h
 *
 * Copyright (c) 2026 the lbp authors. SPDX-License-Identifier: MIT
 *
 * Version 1.0.0. MIT licence, see LICENSE. The first four, in lbp/models/local.h, need only lbp.h and
 * lbp/base/numbers.h: a program that uses no other model may include that file instead and compile faster. (lbp_graph's
 * Hessian is in this file.) All others also need lbp/base/linear.h; lbp_selection, in lbp/models/selection.h, may be
 * included by itself. Functions that constructors share come before the models, those of dense models before lbp_rbm.
 * This file contains no sampler: include lbp.h or lbp_ab.h with its parameters, as below.
 *
 * Every model is a plain struct of parameters, constant while chains run, with a field n, the number of sites, and
 *
 *   int      lbp_X_init(lbp_X *m, ...)      copies and checks its input; LBP_OK or a status of lbp.h, lbp/base/linear.h
 *   void     lbp_X_free(lbp_X *m)           frees it; a zeroed or freed object and NULL are allowed
 *   int      lbp_X_random(lbp_X *m, ...)    a random instance, a function of its arguments and the seed; lbp_graph and
 *                                           lbp_lattice have several, with names of their own
 *   double   lbp_X_logp(m, x)               log pi(x), up to a constant, summed in double precision
 *
 * (lbp_rbm_logp and lbp_selection_logp take a chain's fields, too). A constructor that fails leaves *m zeroed, with
 * nothing to free. It rejects missing pointers (LBP_E_NULL), empty or oversized models (LBP_E_SIZE), NaN and infinity
 * (LBP_E_NOT_FINITE), values outside their range or beyond 1e12 in magnitude (LBP_E_RANGE), sites that do not exist
 * (LBP_E_INDEX), and values whose rounding to lbp_real would change some log-ratio by more than 1e-3 (LBP_E_PRECISION:
 * a model has large and small terms; define LBP_MODELS_REAL as double). Models with that check have a field `rounding`,
 * the change of log-ratios at inverse temperature 1, which LBP_ROUNDING passes to runs. It is an upper bound. For sums
 * of thousands of errors (lbp_rbm, lbp_potts_dense, lbp_lattice, lbp_logistic, lbp_quartic) it is four standard
 * deviations, if that is less; one log-ratio in 16,000 exceeds these. lbp_bernoulli and lbp_product only round each
 * number, by 2^-24 of it; lbp_selection keeps all numbers in double. Steps that compare log pi in float (AB, whose
 * gradient returns it) also lose digits if log pi itself is large: runs warn about that (LBP_WARN_ROUNDING).
 *
 * All other functions check nothing, as samplers call them in their inner loops. They require a model made by a
 * constructor, a state with values below `states`, sites below n, and room for their output.
 *
 * Interfaces for lbp.h, for states of zeros and ones:
 *
 * local
 *   lbp_real lbp_X_delta(m, x, i)           log pi(x with site i flipped) - log pi(x)       -> LBP_DELTA
 *   uint32_t lbp_X_neighbours(m, i, out)    the other sites whose delta changes with site i -> LBP_NEIGHBOURS
 *
 * and for lbp_ising, lbp_graph and lbp_qubo, whose log pi has pairs and fields of spins 2 x - 1
 *   uint32_t lbp_X_pairs(m, i, site, J)     the couplings of site i                         -> LBP_PAIRS
 *   lbp_real lbp_X_field(m, i)              its field                                       -> LBP_FIELD
 *
 *   lbp_ising grid;                                       with lbp.h:
 *   if (lbp_ising_random(&grid, 50, LBP_C3, 4711)) ...    #define LBP_NAME           ising
 *   ...                                                   #define LBP_MODEL_T        lbp_ising
 *   lbp_ising_free(&grid);                                #define LBP_REAL           lbp_real
 *                                                         #define LBP_DELTA          lbp_ising_delta
 *                                                         #define LBP_NEIGHBOURS     lbp_ising_neighbours
 *                                                         #define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
 *                                                         #include "lbp.h"
 *
 * fields: the same, faster, from fields per chain, which take memory and a few more lines: the type lbp_X_fields and
 * the callbacks lbp_X_fields_set, lbp_X_flip and lbp_X_fields_delta; lbp_ising and lbp_graph also have lbp_X_flip_list
 * and lbp_X_prefetch. (lbp_graph: call lbp_graph_round first.) All kinds of fields have
 *
 *   int      lbp_X_fields_init(m, f)        room for one chain's fields; LBP_OK, LBP_E_NULL or LBP_E_MEMORY
 *   void     lbp_X_fields_free(f)           frees them; zeroed or freed ones and NULL are allowed
 *
 * dense: the RBM has fields per chain (lbp_rbm_fields) and the callbacks lbp_rbm_fields_set, _flip, _save, _restore,
 * _deltas, _logp and _delta instead. lbp_selection has the same except _save and _restore; its log-ratios are exact.
 *
 * Interfaces for lbp_ab.h, for x_i in 0 ... states - 1; a model without a field `states` has zeros and ones:
 *
 * gradient
 *   lbp_real lbp_X_gradient(m, x, out)      d log pi / d x_i, as if x were real, for all i; returns log pi(x), in
 *                                           float to about 1e-7 of it, which is enough      -> LBP_GRADIENT
 * Hessian: W of a quadratic log pi, the same at every x, in the caller's memory
 *   uint32_t      lbp_X_hessian_entries(m)  the number of its entries: all, or of a sparse one those stored
 *   lbp_symmetric lbp_X_hessian(m, ...)
 * conditional
 *   void     lbp_X_conditional(m, x, i, out)   log pi of x with x_i = v, up to a constant, for v = 0 ... states - 1
 *                                              -> LBP_CONDITIONAL
 *
 *   lbp_lattice gauss;                                    with lbp_ab.h:
 *   if (lbp_lattice_random_cycle(&gauss, 100, 21, 10,     #define LBP_NAME           gauss
 *                                4711)) ...               #define LBP_MODEL_T        lbp_lattice
 *   ...                                                   #define LBP_REAL           lbp_real
 *   lbp_lattice_free(&gauss);                             #define LBP_GRADIENT       lbp_lattice_gradient
 *                                                         #define LBP_CONDITIONAL lbp_lattice_conditional
 *                                                         #include "lbp_ab.h"
 *
 * Before including, optionally define LBP_MODELS_REAL and LBP_CBLAS.
 *
 * Sources: lbp_bernoulli to lbp_rbm but lbp_graph, and configurations C1-C3: Sun, Dai, Schuurmans, "Optimal scaling for
 * locally balanced proposals in discrete spaces" (2022), appendix D. The others: [A] Sun, Dai, Sutton, Schuurmans, Dai,
 * "Any-scale Balanced Samplers for Discrete Spaces", ICLR 2023, appendix B. If a paper's text and its tables disagree,
 * the comments name the one that is followed.
 */

#ifndef LBP_MODELS_H
#define LBP_MODELS_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lbp/base/support.h"
#include "lbp/base/linear.h"
#include "lbp/models/local.h"

/* 1: training, and log-ratios of many chains, multiply matrices by CBLAS (link one; its header may include <complex.h>,
 * which defines a macro I); 0: by plain loops. */
#ifndef LBP_CBLAS
#define LBP_CBLAS 0
#endif
#if LBP_CBLAS
#include <cblas.h>
#endif

LBP_EXACT_BEGIN

/* ---- shared by constructors, beyond lbp/models/local.h ----------------------------------------------------------- */

LBP_FN int lbp_p_check_states(uint32_t states) {   /* as many as a uint8_t tells apart */
  return states >= 2 && states <= 256 ? LBP_OK : LBP_E_RANGE;
}

/* i / (count - 1), the i-th of count points from 0 to 1; a single one is 0. */
LBP_FN double lbp_p_spaced(uint32_t i, uint32_t count) { return count > 1 ? (double)i / (count - 1) : 0.0; }

/* ---- the Hessian of lbp_graph ------------------------------------------------------------------------------------ */

LBP_FN uint32_t lbp_graph_hessian_entries(const lbp_graph *m) { return m->start[m->n]; }

/* Returns the Hessian W_ij = 4 J_ij, sparse. column and value have room for lbp_graph_hessian_entries(m) each; W points
 * to them and into m. */
LBP_FN lbp_symmetric lbp_graph_hessian(const lbp_graph *m, uint32_t *column, double *value) {
  lbp_symmetric w;
  uint32_t k;
  for (k = 0; k < m->start[m->n]; k++) {
    column[k] = m->link[k].site;
    value[k] = (double)m->link[k].gain;
  }
  w.n = m->n;
  w.dense = NULL;
  w.start = m->start;
  w.column = column;
  w.value = value;
  return w;
}

/* ---- dense arithmetic -------------------------------------------------------------------------------------------- */

LBP_INLINE lbp_real lbp_p_exp(lbp_real v) {   /* e^v; |v| is cut at 87, where a float ends */
  const double low = (double)v > -87 ? (double)v : -87, t = low < 87 ? low : 87;
  return sizeof(lbp_real) == sizeof(float) ? (lbp_real)lbp_expf(lbp_clamp((float)v, 87.0f)) : (lbp_real)lbp_exp(t);
}

LBP_INLINE lbp_real lbp_p_sigmoid(lbp_real v) { return 1 / (1 + lbp_p_exp(-v)); }

/* v[k] += scale * row[k] */
LBP_INLINE void lbp_add_scaled(lbp_real *v, lbp_real scale, const lbp_real *row, size_t count) {
  size_t k;
  for (k = 0; k < count; k++) v[k] += scale * row[k];
}

enum { LBP_P_LANES = 16, LBP_P_ROWS = 4, LBP_P_ROW_BLOCK = 64 }; /* sums: enough to keep vector units busy */

/* out = matrix . v, for a row-major matrix [rows][cols]. Not by CBLAS: this runs at the speed of the memory, and
 * the order of its sums is fixed. Four rows at a time, each in 16 sums, folded to 8 right away; those are added up for
 * many rows together, which vectorises where a row's own sum does not. */
LBP_FN void lbp_matvec(size_t rows, size_t cols, const lbp_real *matrix, const lbp_real *v, lbp_real *out) {
  lbp_real part[LBP_P_ROW_BLOCK][LBP_P_LANES / 2];
  const size_t whole = cols / LBP_P_LANES * LBP_P_LANES;
  size_t first, i, j, k, r;
  for (first = 0; first < rows; first += LBP_P_ROW_BLOCK) {
    const size_t strip = rows - first < LBP_P_ROW_BLOCK ? rows - first : (size_t)LBP_P_ROW_BLOCK;
    for (i = 0; i < strip; i += LBP_P_ROWS) {
      const size_t last = strip - 1 - i;
      const lbp_real *a = matrix + (first + i) * cols, *b = a + (last < 1 ? last : 1) * cols;
      const lbp_real *c = a + (last < 2 ? last : 2) * cols, *d = a + (last < 3 ? last : 3) * cols;
      lbp_real sum[LBP_P_ROWS][LBP_P_LANES] = {{0}};
      for (j = 0; j < whole; j += LBP_P_LANES) {
        for (k = 0; k < LBP_P_LANES; k++) {
          sum[0][k] += a[j + k] * v[j + k];
          sum[1][k] += b[j + k] * v[j + k];
          sum[2][k] += c[j + k] * v[j + k];
          sum[3][k] += d[j + k] * v[j + k];
        }
      }
      for (r = 0; r < LBP_P_ROWS; r++) {
        for (k = 0; k < LBP_P_LANES / 2; k++) part[i + r][k] = sum[r][k] + sum[r][k + LBP_P_LANES / 2];
      }
      for (j = whole; j < cols; j++) {
        part[i][0] += a[j] * v[j];
        part[i + 1][0] += b[j] * v[j];
        part[i + 2][0] += c[j] * v[j];
        part[i + 3][0] += d[j] * v[j];
      }
    }
    for (i = 0; i < strip; i++) {
      lbp_real total = 0;
      for (k = 0; k < LBP_P_LANES / 2; k++) total += part[i][k];
      out[first + i] = total;
    }
  }
}

/* out += x' . matrix, for a state x: the sum of x_i times row i, for rows of cols values that start `stride` apart.
 * Four at a time share the loads and stores of out. */
LBP_INLINE void lbp_p_add_product(size_t rows, size_t cols, size_t stride, const lbp_real *matrix, const uint8_t *x,
                                  lbp_real *out) {
  size_t i, j;
  for (i = 0; i + LBP_P_ROWS <= rows; i += LBP_P_ROWS) {
    const lbp_real *a = matrix + i * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    const lbp_real xa = x[i], xb = x[i + 1], xc = x[i + 2], xd = x[i + 3];
    for (j = 0; j < cols; j++) out[j] += xa * a[j] + xb * b[j] + (xc * c[j] + xd * d[j]);
  }
  for (; i < rows; i++) lbp_add_scaled(out, x[i], matrix + i * stride, cols);
}

/* row . x, for a state x. */
LBP_FN lbp_real lbp_p_row_product(size_t count, const lbp_real *row, const uint8_t *x) {
  lbp_real sum[LBP_P_LANES] = {0};
  size_t i, k;
  for (i = 0; i + LBP_P_LANES <= count; i += LBP_P_LANES) {
    for (k = 0; k < LBP_P_LANES; k++) sum[k] += row[i + k] * (lbp_real)x[i + k];
  }
  for (; i < count; i++) sum[0] += row[i] * (lbp_real)x[i];
  for (k = 1; k < LBP_P_LANES; k++) sum[0] += sum[k];
  return sum[0];
}

/* c += scale a' . b, row-major: c [rows][cols], b [inner][cols]; a' is a [rows][inner], or, transposed, the
 * transpose of a [inner][rows]. */
LBP_FN void lbp_p_matmul(int transposed, size_t rows, size_t inner, size_t cols, lbp_real scale, const lbp_real *a,
                         const lbp_real *b, lbp_real *c) {
#if LBP_CBLAS
  const CBLAS_TRANSPOSE how = transposed ? CblasTrans : CblasNoTrans;
  const int stride = (int)(transposed ? rows : inner);
  if (sizeof(lbp_real) == sizeof(float)) {
    cblas_sgemm(CblasRowMajor, how, CblasNoTrans, (int)rows, (int)cols, (int)inner, (float)scale,
                (const float *)(const void *)a, stride, (const float *)(const void *)b, (int)cols, 1.0f,
                (float *)(void *)c, (int)cols);
  } else {
    cblas_dgemm(CblasRowMajor, how, CblasNoTrans, (int)rows, (int)cols, (int)inner, (double)scale,
                (const double *)(const void *)a, stride, (const double *)(const void *)b, (int)cols, 1.0,
                (double *)(void *)c, (int)cols);
  }
#else
  const size_t row_step = transposed ? 1 : inner, inner_step = transposed ? rows : 1;
  size_t i, k;
  for (i = 0; i < rows; i++) {
    for (k = 0; k < inner; k++) {
      const lbp_real factor = a[i * row_step + k * inner_step];
      if (factor < 0 || factor > 0) lbp_add_scaled(c + i * cols, scale * factor, b + k * cols, cols); /* half are 0 */
    }
  }
#endif
}

/* sum_j log(1 + exp(h_j + scale w_j)), as sum max(., 0) + log prod (1 + exp(-|.|)): one logarithm for every 512
 * factors, none above 2, in eight products side by side. Exponentials are made in a separate loop, which
 * vectorises. The products come right before the sums: both wait for themselves, at the same time. */
LBP_FN double lbp_p_softplus_sum(const lbp_real *h, lbp_real scale, const lbp_real *w, size_t count) {
  enum { lanes = 8, factors = 512 };
  lbp_real term[factors];
  double sum = 0.0;
  size_t begin, j;
  int k;
  for (begin = 0; begin < count; begin += factors) {
    const size_t rest = count - begin, size = rest < factors ? rest : (size_t)factors, whole = size / lanes * lanes;
    const lbp_real *from = h + begin, *add = w + begin;
    double linear[lanes] = {0}, factor[lanes] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (j = 0; j < size; j++) {
      const lbp_real v = from[j] + scale * add[j];
      term[j] = lbp_p_exp(v > 0 ? -v : v);
    }
    for (j = 0; j < whole; j += lanes) {
      for (k = 0; k < lanes; k++) factor[k] *= 1.0 + (double)term[j + (size_t)k];
    }
    for (; j < size; j++) factor[0] *= 1.0 + (double)term[j];
    for (j = 0; j < size; j++) {
      const lbp_real v = from[j] + scale * add[j];
      term[j] = v > 0 ? v : 0;
    }
    for (j = 0; j < whole; j += lanes) {
      for (k = 0; k < lanes; k++) linear[k] += (double)term[j + (size_t)k];
    }
    for (; j < size; j++) linear[0] += (double)term[j];
    for (k = 1; k < lanes; k++) {
      linear[0] += linear[k];
      factor[0] *= factor[k];
    }
    sum += linear[0] + lbp_log_fine(factor[0]);
  }
  return sum;
}

/* Replaces each logit in a by a draw, 0 or 1, with P(1) = sigmoid(logit). */
LBP_FN void lbp_p_draw_bits(lbp_real *a, size_t count, lbp_rng *rng) {
  enum { most_words = 128 };
  uint64_t words[most_words];
  size_t begin, j;
  for (begin = 0; begin < count; begin += 2 * most_words) {
    lbp_real *block = a + begin, uniform[2 * most_words];
    const size_t size = count - begin < 2 * most_words ? count - begin : 2 * most_words;
    lbp_rng_fill(rng, words, most_words);
    for (j = 0; j < most_words; j++) {   /* 31 bits each: signed integers convert fast */
      uniform[j] = (lbp_real)(int32_t)(words[j] & 0x7fffffff);
      uniform[j + most_words] = (lbp_real)(int32_t)(words[j] >> 33);
    }
    for (j = 0; j < size; j++) block[j] = uniform[j] < lbp_p_sigmoid(block[j]) * (lbp_real)2147483648.0 ? 1 : 0;
  }
}

/* A random orthogonal matrix [n][n], row-major, from the uniform (Haar) law; NULL if memory is short. Time O(n^3).
 * After Stewart, "The efficient generation of random orthogonal matrices" (1980): a reflection that turns e_1 into a
 * uniform unit vector, times such a matrix with a row and a column less, which sits in the lower right corner. */
LBP_FN double *lbp_p_random_orthogonal(uint32_t n, lbp_rng *rng) {
  double *q = (double *)calloc((size_t)n * n + 2 * (size_t)n, sizeof *q), *normal, *product;
  size_t size, i;
  if (!q) return NULL;
  normal = q + (size_t)n * n;
  product = normal + n;
  for (size = 1; size <= n; size++) {
    double *corner = q + (n - size) * ((size_t)n + 1), length, sign, scale;
    for (i = 0; i < size; i++) {
      normal[i] = lbp_models_normal(rng);
      product[i] = 0.0;
    }
    length = sqrt(lbp_linear_dot(normal, normal, size));
    sign = normal[0] < 0.0 ? -1.0 : 1.0;
    *corner = -sign;   /* e_1 becomes -sign normal / length, in full precision: undo the sign */
    normal[0] += sign * length;
    scale = 1.0 / (length * fabs(normal[0]));   /* 2 / |normal|^2 */
    for (i = 0; i < size; i++) lbp_linear_add_scaled(product, scale * normal[i], corner + i * n, size);
    for (i = 0; i < size; i++) lbp_linear_add_scaled(corner + i * n, -normal[i], product, size);
  }
  return q;
}

/* ---- restricted Boltzmann machine, hidden units summed out (appendix D.4) -------------------------------------------
 *
 *   log pi(x) = b . x + sum_j log(1 + exp(h_j)),   h = c + sum_i x_i W_i,   W_i = row i of W
 *
 * Each chain keeps h and b . x, and a flip adds or subtracts one row of W. To keep them exact functions of x - no
 * drift, no dependence on the path - the constructor rounds W and c to a grid 2^-g so fine that 2^g max_j (|c_j| +
 * sum_i |W_ij|) just fits the significand of lbp_real: then no sum of rows ever rounds. b . x likewise, in double. */

typedef struct {
  uint32_t  n, hidden;   /* visible and hidden units */
  lbp_real *W;           /* [n][hidden], row i for visible unit i */
  lbp_real *b;           /* [n] visible bias */
  lbp_real *c;           /* [hidden] hidden bias */
  double    rounding;    /* change of log-ratios by rounding -> LBP_ROUNDING: the most, or four standard deviations */
  void     *memory;      /* the memory of all three */
} lbp_rbm;

/* Data of a chain, kept from step to step. */
typedef struct {
  lbp_real *h, *h_saved;   /* [hidden] inputs of the hidden units, but for the rows that wait */
  const lbp_real *row[LBP_P_ROWS];   /* which these are, with their signs: a pass over h adds all of them */
  lbp_real  sign[LBP_P_ROWS];
  uint32_t  waiting;
  lbp_real *s;             /* [hidden] scratch */
  lbp_real *room;          /* scratch for many chains, made when first needed */
  size_t    room_length;
  double    bx, bx_saved;  /* b . x */
  double    softplus;      /* sum_j log(1 + exp(h_j)), if known: shared by several calls at one state */
  int       has_softplus;
  void     *memory;
} lbp_rbm_fields;

LBP_FN void lbp_rbm_free(lbp_rbm *m) {
  if (!m) return;
  free(m->memory);
  memset(m, 0, sizeof *m);
}

/* The largest g with 2^g total + terms / 2 <= 2^bits: `terms` numbers whose magnitudes sum to `total` can be rounded
 * to multiples of 2^-g, and all their partial sums fit `bits` bits. */
LBP_FN int lbp_p_grid(double total, double terms, int bits) {
  int exponent, g;
  (void)frexp(total, &exponent);
  g = bits + 1 - exponent;
  while (ldexp(total, g) + terms / 2.0 > ldexp(1.0, bits)) g--;
  return g < 100 ? g : 100;   /* 2^-100 is still a normal float */
}

LBP_FN lbp_real lbp_p_round(lbp_real v, int g) {   /* by way of an integer, which has no negative zero */
  return (lbp_real)ldexp((double)llround(ldexp((double)v, g)), -g);
}

/* Sets m->rounding, where numbers were rounded to multiples of 2^-g. The log-ratio of site i has the errors of b_i and
 * W_i, and those of the inputs h times the change of a sigmoid, at most |W_ij| / 4 and 1. There are n errors for each
 * hidden unit, which point in all directions if they are many: four standard deviations are enough. */
LBP_FN void lbp_p_rbm_judge(lbp_rbm *m, int g) {
  const double variance = ldexp(1.0, -2 * g) / 12.0;
  size_t i, j;
  for (i = 0; i < m->n; i++) {
    double squares = 0.0, slopes = 0.0, error, most;
    for (j = 0; j < m->hidden; j++) {
      const double slope = fabs((double)m->W[i * m->hidden + j]) / 4.0;
      squares += slope < 1.0 ? slope * slope : 1.0;
      slopes += slope < 1.0 ? slope : 1.0;
    }
    error = 4.0 * sqrt(variance * (squares * (m->n + 1.0) + m->hidden));
    most = ldexp(0.5, -g) * (slopes * (m->n + 1.0) + m->hidden);
    error = most < error ? most : error;
    m->rounding = error > m->rounding ? error : m->rounding;
  }
}

LBP_FN void lbp_p_rbm_round(lbp_rbm *m) {
  const size_t n = m->n, hidden = m->hidden;
  double largest = 0.0, total = 0.0, off = 0.0;
  size_t i, j;
  int g, moved = 0;
  for (j = 0; j < hidden; j++) {
    double column = fabs((double)m->c[j]);
    for (i = 0; i < n; i++) column += fabs((double)m->W[i * hidden + j]);
    if (column > largest) largest = column;
  }
  g = lbp_p_grid(largest, (double)n + 1.0, lbp_models_bits());
  for (i = 0; i < (n + 1) * hidden; i++) {
    lbp_real *at = i < n * hidden ? m->W + i : m->c + (i - n * hidden), was = *at;
    *at = lbp_p_round(was, g);
    moved |= *at < was || *at > was;
  }
  m->rounding = 0.0;
  if (moved) lbp_p_rbm_judge(m, g);
  for (i = 0; i < n; i++) total += fabs((double)m->b[i]);
  g = lbp_p_grid(total, (double)n, DBL_MANT_DIG);
  for (i = 0; i < n; i++) {
    const lbp_real was = m->b[i];
    m->b[i] = lbp_p_round(was, g);
    off = fabs((double)m->b[i] - (double)was) > off ? fabs((double)m->b[i] - (double)was) : off;
  }
  m->rounding += off;
}

/* Room for W, b and c, zeroed. At most 2^20 units of either kind and 2^31 - 1 weights. */
LBP_FN int lbp_p_rbm_new(lbp_rbm *m, uint32_t n, uint32_t hidden) {
  if (n > 1u << 20 || hidden > 1u << 20 || lbp_models_check_sites(n, hidden) != LBP_OK) return LBP_E_SIZE;
  if ((uint64_t)n * hidden + n + hidden > SIZE_MAX / sizeof(lbp_real) - 64) return LBP_E_SIZE;
  m->W = lbp_models_new_lines((size_t)n * hidden + n + hidden, &m->memory);
  if (!m->W) return LBP_E_MEMORY;
  m->b = m->W + (size_t)n * hidden;
  m->c = m->b + n;
  m->n = n;
  m->hidden = hidden;
  return LBP_OK;
}

/* Checks the parameters in place and rounds them; frees m if they can't be used. */
LBP_FN int lbp_p_rbm_finish(lbp_rbm *m) {
  const size_t count = (size_t)m->n * m->hidden + m->n + m->hidden;
  int status = LBP_OK;
  size_t k;
  for (k = 0; k < count && status == LBP_OK; k++) status = lbp_models_check_value((double)m->W[k]);
  if (status == LBP_OK) {
    lbp_p_rbm_round(m);
    status = lbp_models_check_rounding(m->rounding, 1.0);
  }
  if (status != LBP_OK) lbp_rbm_free(m);
  return status;
}

/* Makes an RBM from W [n][hidden], row-major, b [n] and c [hidden]; n, hidden <= 2^20. Copies them, and rounds the
 * copies as described above. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_NOT_FINITE, LBP_E_RANGE, LBP_E_MEMORY,
 * LBP_E_PRECISION (rounding changes log-ratios by more than 1e-3). */
LBP_FN int lbp_rbm_init(lbp_rbm *m, uint32_t n, uint32_t hidden, const lbp_real *W, const lbp_real *b,
                        const lbp_real *c) {
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!W || !b || !c) return LBP_E_NULL;
  status = lbp_p_rbm_new(m, n, hidden);
  if (status != LBP_OK) return status;
  memcpy(m->W, W, sizeof(lbp_real) * n * hidden);
  memcpy(m->b, b, sizeof(lbp_real) * n);
  memcpy(m->c, c, sizeof(lbp_real) * hidden);
  return lbp_p_rbm_finish(m);
}

/* Makes an RBM whose W, b and c are normal with standard deviation `scale`. Statuses as lbp_rbm_init. */
LBP_FN int lbp_rbm_random(lbp_rbm *m, uint32_t n, uint32_t hidden, double scale, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  size_t k, count;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  status = lbp_models_check_value(scale);
  if (status == LBP_OK) status = lbp_p_rbm_new(m, n, hidden);
  if (status != LBP_OK) return status;
  count = (size_t)n * hidden + n + hidden;
  for (k = 0; k < count; k++) m->W[k] = (lbp_real)(scale * lbp_models_normal(&rng));
  return lbp_p_rbm_finish(m);
}

/* Allocates one chain's fields; NAME_init or lbp_rbm_fields_set fills them. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_MEMORY. */
LBP_FN int lbp_rbm_fields_init(const lbp_rbm *m, lbp_rbm_fields *f) {
  if (!f) return LBP_E_NULL;
  memset(f, 0, sizeof *f);
  if (!m || !m->W) return LBP_E_NULL;
  f->s = lbp_models_new_lines((size_t)3 * m->hidden, &f->memory);
  if (!f->s) return LBP_E_MEMORY;
  f->h = f->s + m->hidden;
  f->h_saved = f->h + m->hidden;
  return LBP_OK;
}

LBP_FN void lbp_rbm_fields_free(lbp_rbm_fields *f) {
  if (!f) return;
  free(f->memory);
  free(f->room);
  memset(f, 0, sizeof *f);
}

/* h, once all rows that wait are added: up to LBP_P_ROWS in one pass, in which they are fetched side by side. (Sums are
 * exact in any order.) */
LBP_FN const lbp_real *lbp_p_rbm_h(const lbp_rbm *m, lbp_rbm_fields *f) {
  const lbp_real **row = f->row;
  lbp_real *h = f->h, sign[LBP_P_ROWS];
  uint32_t k, j;
  if (f->waiting == 0) return h;
  for (k = 0; k < LBP_P_ROWS; k++) {
    if (k >= f->waiting) row[k] = row[0];
    sign[k] = k < f->waiting ? f->sign[k] : 0;
  }
  for (j = 0; j < m->hidden; j++) {
    h[j] += sign[0] * row[0][j] + sign[1] * row[1][j] + (sign[2] * row[2][j] + sign[3] * row[3][j]);
  }
  f->waiting = 0;
  return h;
}

/* Computes the fields of x from scratch -> LBP_FIELDS_INIT. */
LBP_FN void lbp_rbm_fields_set(const lbp_rbm *m, lbp_rbm_fields *f, const uint8_t *x) {
  uint32_t i;
  memcpy(f->h, m->c, sizeof(lbp_real) * m->hidden);
  f->waiting = 0;
  f->bx = 0.0;
  f->has_softplus = 0;
  for (i = 0; i < m->n; i++) {
    if (!x[i]) continue;
    lbp_add_scaled(f->h, 1, m->W + (size_t)i * m->hidden, m->hidden);
    f->bx += (double)m->b[i];
  }
}

/* Updates the fields after a flip of x[i], O(hidden) -> LBP_FLIP. */
LBP_FN void lbp_rbm_flip(const lbp_rbm *m, lbp_rbm_fields *f, const uint8_t *x, uint32_t i) {
  const lbp_real sign = (lbp_real)(2 * x[i] - 1);
  f->row[f->waiting] = m->W + (size_t)i * m->hidden;
  f->sign[f->waiting] = sign;
  if (++f->waiting == LBP_P_ROWS) (void)lbp_p_rbm_h(m, f);
  f->bx += (double)(sign * m->b[i]);
  f->has_softplus = 0;
}

/* Keeps a copy of the fields -> LBP_SAVE. */
LBP_FN void lbp_rbm_save(const lbp_rbm *m, lbp_rbm_fields *f) {
  memcpy(f->h_saved, lbp_p_rbm_h(m, f), sizeof(lbp_real) * m->hidden);
  f->bx_saved = f->bx;
}

/* Restores that copy, once -> LBP_RESTORE. */
LBP_FN void lbp_rbm_restore(const lbp_rbm *m, lbp_rbm_fields *f) {
  lbp_real *const h = f->h;
  (void)m;
  f->h = f->h_saved;
  f->h_saved = h;
  f->waiting = 0;
  f->bx = f->bx_saved;
  f->has_softplus = 0;
}

LBP_FN double lbp_p_rbm_softplus(const lbp_rbm *m, lbp_rbm_fields *f) {
  const lbp_real *h = lbp_p_rbm_h(m, f);
  if (!f->has_softplus) f->softplus = lbp_p_softplus_sum(h, 0, h, m->hidden);
  f->has_softplus = 1;
  return f->softplus;
}

/* Returns log pi(x) from the fields, O(hidden) -> LBP_LOGP. It depends on x only, to the last bit. */
LBP_FN lbp_real lbp_rbm_logp(const lbp_rbm *m, lbp_rbm_fields *f, const uint8_t *x) {
  (void)x;
  return (lbp_real)(f->bx + lbp_p_rbm_softplus(m, f));
}

/* Returns the exact log-ratio of one flip, O(hidden) -> LBP_DELTA. It is the best choice for sweeps: keeping the
 * log-ratios of all sites, with an exact LBP_DELTAS, would make each flip n times as expensive. */
LBP_FN lbp_real lbp_rbm_delta(const lbp_rbm *m, lbp_rbm_fields *f, const uint8_t *x, uint32_t i) {
  const lbp_real sign = (lbp_real)(1 - 2 * x[i]);
  return (lbp_real)((double)(sign * m->b[i]) +
                    lbp_p_softplus_sum(lbp_p_rbm_h(m, f), sign, m->W + (size_t)i * m->hidden, m->hidden) -
                    lbp_p_rbm_softplus(m, f));
}

/* Writes the gradient estimates of all n log-ratios, (1 - 2 x_i) (b_i + W_i . sigmoid(h)): one matrix-vector product ->
 * LBP_DELTAS. Proposals from estimates need LBP_LOGP for their acceptance. */
LBP_FN void lbp_rbm_deltas(const lbp_rbm *m, lbp_rbm_fields *f, const uint8_t *x, lbp_real *out) {
  const uint32_t hidden = m->hidden;
  const lbp_real *h = lbp_p_rbm_h(m, f);
  lbp_real *s = f->s;
  uint32_t i, j;
  for (j = 0; j < hidden; j++) s[j] = lbp_p_sigmoid(h[j]);
  lbp_matvec(m->n, hidden, m->W, s, out);
  for (i = 0; i < m->n; i++) out[i] = (lbp_real)(1 - 2 * x[i]) * (out[i] + m->b[i]);
}

/* The same for many chains by one product of matrices, with LBP_CBLAS and if there is memory for the operands, which
 * the first chain's fields keep; otherwise one by one -> LBP_DELTAS_MANY. */
LBP_FN void lbp_rbm_deltas_many(const lbp_rbm *m, lbp_rbm_fields *const *f, const uint8_t *const *x,
                                lbp_real *const *out, uint32_t count) {
  uint32_t k;
#if LBP_CBLAS
  const size_t n = m->n, hidden = m->hidden, length = count * (hidden + n);
  if (f[0]->room_length < length) {
    free(f[0]->room);
    f[0]->room = lbp_models_new_reals(length);
    f[0]->room_length = f[0]->room ? length : 0;
  }
  if (f[0]->room) {
    lbp_real *s = f[0]->room, *field = s + count * hidden;
    size_t i;
    for (k = 0; k < count; k++) {
      const lbp_real *h = lbp_p_rbm_h(m, f[k]);
      lbp_real *row = s + k * hidden;
      (void)lbp_p_rbm_softplus(m, f[k]); /* while h is near: lbp_rbm_logp comes next */
      for (i = 0; i < hidden; i++) row[i] = lbp_p_sigmoid(h[i]);
    }
    if (sizeof(lbp_real) == sizeof(float)) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)n, (int)hidden, 1.0f,
                  (const float *)(const void *)s, (int)hidden, (const float *)(const void *)m->W, (int)hidden, 0.0f,
                  (float *)(void *)field, (int)n);
    } else {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)n, (int)hidden, 1.0,
                  (const double *)(const void *)s, (int)hidden, (const double *)(const void *)m->W, (int)hidden, 0.0,
                  (double *)(void *)field, (int)n);
    }
    for (k = 0; k < count; k++) {
      const lbp_real *row = field + k * n, *b = m->b;
      const uint8_t *state = x[k];
      lbp_real *ratio = out[k];
      for (i = 0; i < n; i++) ratio[i] = lbp_models_flipped(row[i] + b[i], state[i]);
    }
    return;
  }
#endif
  for (k = 0; k < count; k++) lbp_rbm_deltas(m, f[k], x[k], out[k]);
}

/* Takes one block Gibbs step, which leaves pi(x) invariant: draws all hidden units given x, then all of x given them,
 * and updates the fields, which must be those of x. `logit` is scratch space for n values. */
LBP_FN void lbp_rbm_gibbs(const lbp_rbm *m, lbp_rbm_fields *f, uint8_t *x, lbp_real *logit, lbp_rng *rng) {
  uint32_t i;
  memcpy(f->s, lbp_p_rbm_h(m, f), sizeof(lbp_real) * m->hidden);
  lbp_p_draw_bits(f->s, m->hidden, rng);
  lbp_matvec(m->n, m->hidden, m->W, f->s, logit);
  for (i = 0; i < m->n; i++) logit[i] += m->b[i];
  lbp_p_draw_bits(logit, m->n, rng);
  for (i = 0; i < m->n; i++) x[i] = logit[i] > 0;
  lbp_rbm_fields_set(m, f, x);
}

/* ---- RBM parameters as bytes, the same on every host ----------------------------------------------------------------
 *
 *   "lbp-rbm\n", then little-endian: uint32 version = 1, n, hidden; int32 g;
 *   int16 W [n][hidden], b [n], c [hidden] in units of 2^-g; uint64 FNV-1a of everything before it */

/* Version of the format. */
enum { LBP_RBM_FILE_VERSION = 1, LBP_P_RBM_HEADER = 24, LBP_P_RBM_CHECKSUM = 8 };

LBP_FN void lbp_p_put(unsigned char *out, uint64_t value, int bytes) {
  int k;
  for (k = 0; k < bytes; k++) out[k] = (unsigned char)(value >> 8 * k);
}

LBP_FN uint64_t lbp_p_get(const unsigned char *in, int bytes) {
  uint64_t value = 0;
  int k;
  for (k = 0; k < bytes; k++) value |= (uint64_t)in[k] << 8 * k;
  return value;
}

/* Returns a checksum of `count` bytes, for files: if a byte differs, the checksum differs, except by chance. */
LBP_FN uint64_t lbp_checksum(const unsigned char *in, size_t count) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  size_t k;
  for (k = 0; k < count; k++) hash = (hash ^ in[k]) * UINT64_C(0x100000001b3);
  return hash;
}

/* Returns the number of bytes of an RBM of this size; UINT64_MAX if the size is not allowed. */
LBP_FN uint64_t lbp_rbm_bytes(uint32_t n, uint32_t hidden) {
  if (n > 1u << 20 || hidden > 1u << 20 || lbp_models_check_sites(n, hidden) != LBP_OK) return UINT64_MAX;
  return LBP_P_RBM_HEADER + 2 * ((uint64_t)n * hidden + n + hidden) + LBP_P_RBM_CHECKSUM;
}

/* Writes lbp_rbm_bytes(n, hidden) bytes, each parameter rounded to 16 bits. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE
 * (`capacity` is less). */
LBP_FN int lbp_rbm_write(const lbp_rbm *m, unsigned char *out, size_t capacity) {
  size_t k, count;
  double largest = 0.0;
  int exponent, g;
  if (!m || !m->W || !out) return LBP_E_NULL;
  if (capacity < lbp_rbm_bytes(m->n, m->hidden)) return LBP_E_SIZE;
  count = (size_t)m->n * m->hidden + m->n + m->hidden;
  for (k = 0; k < count; k++) {
    if (fabs((double)m->W[k]) > largest) largest = fabs((double)m->W[k]);
  }
  (void)frexp(largest, &exponent);
  g = 15 - exponent < 100 ? 15 - exponent : 100;
  if (llround(ldexp(largest, g)) > INT16_MAX) g--;
  memcpy(out, "lbp-rbm\n", 8);
  lbp_p_put(out + 8, LBP_RBM_FILE_VERSION, 4);
  lbp_p_put(out + 12, m->n, 4);
  lbp_p_put(out + 16, m->hidden, 4);
  lbp_p_put(out + 20, (uint64_t)(int64_t)g, 4);
  out += LBP_P_RBM_HEADER;
  for (k = 0; k < count; k++) lbp_p_put(out + 2 * k, (uint64_t)llround(ldexp((double)m->W[k], g)), 2);
  out += 2 * count;
  lbp_p_put(out, lbp_checksum(out - 2 * count - LBP_P_RBM_HEADER, 2 * count + LBP_P_RBM_HEADER), 8);
  return LBP_OK;
}

/* Makes the RBM in exactly these bytes. Returns LBP_OK, or LBP_E_FORMAT (truncated, too long, corrupt, of another
 * format or of a newer version), or a status of lbp_rbm_init. */
LBP_FN int lbp_rbm_read(lbp_rbm *m, const unsigned char *in, size_t bytes) {
  uint32_t n, hidden;
  int32_t g;
  size_t k, count;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!in) return LBP_E_NULL;
  if (bytes < LBP_P_RBM_HEADER || memcmp(in, "lbp-rbm\n", 8) != 0) return LBP_E_FORMAT;
  n = (uint32_t)lbp_p_get(in + 12, 4);
  hidden = (uint32_t)lbp_p_get(in + 16, 4);
  g = (int32_t)lbp_p_get(in + 20, 4);
  if (lbp_p_get(in + 8, 4) != LBP_RBM_FILE_VERSION || g < -25 || g > 100) return LBP_E_FORMAT;
  if (n > 1u << 20 || hidden > 1u << 20 || bytes != lbp_rbm_bytes(n, hidden)) return LBP_E_FORMAT;
  if (lbp_p_get(in + bytes - 8, 8) != lbp_checksum(in, bytes - 8)) return LBP_E_FORMAT;
  status = lbp_p_rbm_new(m, n, hidden);
  if (status != LBP_OK) return status == LBP_E_SIZE ? LBP_E_FORMAT : status;
  count = (size_t)n * hidden + n + hidden;
  for (k = 0; k < count; k++) {
    const int32_t units = (int32_t)(lbp_p_get(in + LBP_P_RBM_HEADER + 2 * k, 2) ^ 0x8000) - 0x8000;
    m->W[k] = (lbp_real)ldexp((double)units, -g);
  }
  return lbp_p_rbm_finish(m);
}

/* ---- RBM training by contrastive divergence (appendix D.4) ----------------------------------------------------------
 *
 * Each batch of data gives one step of Adam (0.9, 0.999, 1e-8) up the gradient of the mean of log pi over the
 * batch, minus its mean over model samples, which block Gibbs steps make from the batch. */

typedef struct {
  uint32_t epochs, batch;   /* passes over the data; rows per step */
  uint32_t gibbs;           /* block Gibbs steps from data to model samples: the k of CD-k */
  double   rate;            /* Adam's step size */
  uint64_t seed;
} lbp_rbm_training;

/* Progress, given to the caller after every step of Adam. */
typedef struct {
  uint64_t done, total;              /* steps */
  double   data_ones, model_ones;    /* fraction of ones in the batch, and in the samples made from it */
} lbp_rbm_progress;

/* Function that lbp_rbm_train calls with its progress; `user` is the argument of lbp_rbm_train. */
typedef void (*lbp_rbm_report)(void *user, const lbp_rbm_progress *progress);

/* Returns the options of the paper's training: one epoch, batches of 100, CD-100, rate 1e-3. */
LBP_FN lbp_rbm_training lbp_rbm_training_defaults(uint64_t seed) {
  lbp_rbm_training how;
  how.epochs = 1;
  how.batch = 100;
  how.gibbs = 100;
  how.rate = 1e-3;
  how.seed = seed;
  return how;
}

typedef struct {
  lbp_rbm   model, gradient, mean, square;   /* parameters; their gradient; Adam's two averages of it */
  lbp_real *Wt;                              /* [hidden][n] the transpose of model.W */
  lbp_real *v, *h;                           /* [batch][n], [batch][hidden] */
  uint32_t *order;                           /* [rows] the order in which an epoch takes the data */
  uint32_t  batch;
  lbp_rng   rng;
} lbp_p_trainer;

LBP_FN void lbp_p_trainer_free(lbp_p_trainer *t) {
  lbp_rbm_free(&t->model);
  lbp_rbm_free(&t->gradient);
  lbp_rbm_free(&t->mean);
  lbp_rbm_free(&t->square);
  free(t->Wt);
  free(t->v);
  free(t->h);
  free(t->order);
  memset(t, 0, sizeof *t);
}

LBP_FN int lbp_p_trainer_init(lbp_p_trainer *t, uint32_t n, uint32_t hidden, uint32_t rows,
                              const lbp_rbm_training *how) {
  uint32_t row;
  int status;
  memset(t, 0, sizeof *t);
  status = lbp_p_rbm_new(&t->model, n, hidden);
  if (status == LBP_OK) status = lbp_p_rbm_new(&t->gradient, n, hidden);
  if (status == LBP_OK) status = lbp_p_rbm_new(&t->mean, n, hidden);
  if (status == LBP_OK) status = lbp_p_rbm_new(&t->square, n, hidden);
  if (status == LBP_OK) {
    t->Wt = lbp_models_new_reals((size_t)hidden * n);
    t->v = lbp_models_new_reals(lbp_size_times(how->batch, n));
    t->h = lbp_models_new_reals(lbp_size_times(how->batch, hidden));
    t->order = (uint32_t *)calloc(rows, sizeof *t->order);
    if (!t->Wt || !t->v || !t->h || !t->order) status = LBP_E_MEMORY;
  }
  if (status != LBP_OK) {
    lbp_p_trainer_free(t);
    return status;
  }
  for (row = 0; row < rows; row++) t->order[row] = row;
  t->batch = how->batch;
  t->rng = lbp_models_instance_rng(how->seed);
  return LBP_OK;
}

/* W uniform on +-1/sqrt(n) (1/28 for the paper's 784 pixels), c = 0, b the logit of the data's mean, which is kept
 * in [0.01, 0.99]. */
LBP_FN void lbp_p_trainer_start(lbp_p_trainer *t, const uint8_t *data, uint32_t rows) {
  lbp_rbm *m = &t->model;
  const double range = 1.0 / sqrt((double)m->n);
  size_t k;
  uint32_t row, i;
  for (k = 0; k < (size_t)m->n * m->hidden; k++) {
    m->W[k] = (lbp_real)(range * (2.0 * lbp_models_uniform(&t->rng) - 1.0));
  }
  for (i = 0; i < m->n; i++) {
    uint32_t ones = 0;
    double p;
    for (row = 0; row < rows; row++) ones += data[(size_t)row * m->n + i];
    p = (double)ones / rows;
    p = p < 0.01 ? 0.01 : p > 0.99 ? 0.99 : p;
    m->b[i] = (lbp_real)lbp_log_fine(p / (1.0 - p));
  }
}

LBP_FN void lbp_p_trainer_shuffle(lbp_p_trainer *t, uint32_t rows) {
  uint32_t row;
  for (row = rows - 1; row > 0; row--) {
    const uint32_t other = (uint32_t)lbp_mulhi(lbp_rng_u64(&t->rng), (uint64_t)row + 1), kept = t->order[row];
    t->order[row] = t->order[other];
    t->order[other] = kept;
  }
}

/* Every row of out [batch][cols] = bias + row of in [batch][inner] . matrix [inner][cols]. */
LBP_FN void lbp_p_layer(uint32_t batch, uint32_t inner, uint32_t cols, const lbp_real *in, const lbp_real *matrix,
                        const lbp_real *bias, lbp_real *out) {
  uint32_t row;
  for (row = 0; row < batch; row++) memcpy(out + (size_t)row * cols, bias, sizeof(lbp_real) * cols);
  lbp_p_matmul(0, batch, inner, cols, 1, in, matrix, out);
}

/* Adds scale * (gradient of log pi at t->v, averaged over the batch); returns the fraction of ones in t->v. */
LBP_FN double lbp_p_trainer_gradient(lbp_p_trainer *t, double scale) {
  const uint32_t n = t->model.n, hidden = t->model.hidden;
  const lbp_real share = (lbp_real)(scale / t->batch);
  double ones = 0.0;
  uint32_t row;
  size_t k;
  lbp_p_layer(t->batch, n, hidden, t->v, t->model.W, t->model.c, t->h);
  for (k = 0; k < (size_t)t->batch * hidden; k++) t->h[k] = lbp_p_sigmoid(t->h[k]);
  lbp_p_matmul(1, n, t->batch, hidden, share, t->v, t->h, t->gradient.W);
  for (row = 0; row < t->batch; row++) {
    lbp_add_scaled(t->gradient.b, share, t->v + (size_t)row * n, n);
    lbp_add_scaled(t->gradient.c, share, t->h + (size_t)row * hidden, hidden);
  }
  for (k = 0; k < (size_t)t->batch * n; k++) ones += (double)t->v[k];
  return ones / ((double)t->batch * n);
}

/* Block Gibbs: all hidden units given the visible ones, then the reverse, `steps` times. */
LBP_FN void lbp_p_trainer_sample(lbp_p_trainer *t, uint32_t steps) {
  const uint32_t n = t->model.n, hidden = t->model.hidden;
  uint32_t i, j, step;
  for (i = 0; i < n; i++) {
    for (j = 0; j < hidden; j++) t->Wt[(size_t)j * n + i] = t->model.W[(size_t)i * hidden + j];
  }
  for (step = 0; step < steps; step++) {
    lbp_p_layer(t->batch, n, hidden, t->v, t->model.W, t->model.c, t->h);
    lbp_p_draw_bits(t->h, (size_t)t->batch * hidden, &t->rng);
    lbp_p_layer(t->batch, hidden, n, t->h, t->Wt, t->model.b, t->v);
    lbp_p_draw_bits(t->v, (size_t)t->batch * n, &t->rng);
  }
}

/* Adam's step number `step` (from 1), uphill; clears the gradient. */
LBP_FN void lbp_p_trainer_ascend(lbp_p_trainer *t, double rate, uint64_t step) {
  const size_t count = (size_t)t->model.n * t->model.hidden + t->model.n + t->model.hidden;
  const lbp_real mean_bias = (lbp_real)(1.0 / (1.0 - pow(0.9, (double)step)));
  const lbp_real square_bias = (lbp_real)(1.0 / (1.0 - pow(0.999, (double)step)));
  const lbp_real keep1 = (lbp_real)0.9, keep2 = (lbp_real)0.999, epsilon = (lbp_real)1e-8;
  lbp_real *theta = t->model.W, *gradient = t->gradient.W, *mean = t->mean.W, *square = t->square.W;
  size_t k;
  for (k = 0; k < count; k++) {
    mean[k] = keep1 * mean[k] + (1 - keep1) * gradient[k];
    square[k] = keep2 * square[k] + (1 - keep2) * gradient[k] * gradient[k];
    theta[k] += (lbp_real)rate * mean_bias * mean[k] / ((lbp_real)sqrt((double)(square_bias * square[k])) + epsilon);
    gradient[k] = 0;
  }
}

LBP_FN void lbp_p_trainer_run(lbp_p_trainer *t, const uint8_t *data, uint32_t rows, const lbp_rbm_training *how,
                              lbp_rbm_report report, void *user) {
  const uint32_t n = t->model.n, batches = rows / how->batch;
  lbp_rbm_progress progress;
  uint32_t epoch, begin, row, i;
  progress.done = 0;
  progress.total = (uint64_t)batches * how->epochs;
  for (epoch = 0; epoch < how->epochs; epoch++) {
    lbp_p_trainer_shuffle(t, rows);
    for (begin = 0; rows - begin >= how->batch; begin += how->batch) {
      for (row = 0; row < how->batch; row++) {
        const uint8_t *x = data + (size_t)t->order[begin + row] * n;
        for (i = 0; i < n; i++) t->v[(size_t)row * n + i] = x[i];
      }
      progress.data_ones = lbp_p_trainer_gradient(t, 1.0);
      lbp_p_trainer_sample(t, how->gibbs);
      progress.model_ones = lbp_p_trainer_gradient(t, -1.0);
      lbp_p_trainer_ascend(t, how->rate, ++progress.done);
      if (report) report(user, &progress);
    }
  }
}

/* Trains an RBM with n visible and `hidden` hidden units on data [rows][n] of zeros and ones (otherwise LBP_E_STATE).
 * Each epoch omits other rows, those that fill no whole batch. epochs, gibbs >= 1, 1 <= batch <= rows and 0 < rate <=
 * 1, otherwise LBP_E_RANGE. Calls `report` (NULL: none) after every batch. The same seed gives the same network on one
 * machine; another BLAS, or another number of its threads, rounds sums differently and leads to another network. */
LBP_FN int lbp_rbm_train(lbp_rbm *m, uint32_t n, uint32_t hidden, const uint8_t *data, uint32_t rows,
                         const lbp_rbm_training *how, lbp_rbm_report report, void *user) {
  lbp_p_trainer t;
  size_t k;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!data || !how) return LBP_E_NULL;
  if (lbp_models_check_sites(n, hidden) != LBP_OK || lbp_models_check_sites(rows, 1) != LBP_OK) return LBP_E_SIZE;
  if (how->epochs == 0 || how->gibbs == 0 || how->batch == 0 || how->batch > rows) return LBP_E_RANGE;
  if (!lbp_is_finite(how->rate)) return LBP_E_NOT_FINITE;
  if (!(how->rate > 0.0 && how->rate <= 1.0)) return LBP_E_RANGE;
  if ((uint64_t)rows * n > SIZE_MAX / sizeof(double)) return LBP_E_SIZE;
  for (k = 0; k < (size_t)rows * n; k++) {
    if (data[k] > 1) return LBP_E_STATE;
  }
  status = lbp_p_trainer_init(&t, n, hidden, rows, how);
  if (status != LBP_OK) return status;
  lbp_p_trainer_start(&t, data, rows);
  lbp_p_trainer_run(&t, data, rows, how, report, user);
  *m = t.model;
  memset(&t.model, 0, sizeof t.model);
  lbp_p_trainer_free(&t);
  return lbp_p_rbm_finish(m);
}

/* ---- lattice Gaussian ([A] (21), appendix B.3) ----------------------------------------------------------------------
 *
 *   log pi(x) = -(x - c)' P (x - c) / 2,   x_i in 0 ... states - 1
 *
 * P, symmetric, is dense or sparse. It need not be positive definite: the lattice is finite. The sign before W in
 * B.3 is followed, not that in (21): W = -P. */

typedef struct {
  uint32_t  n, states;
  lbp_real *centre;           /* [n] c, or where that is not of the lattice the nearest value that is */
  lbp_real *tilt;             /* [n] the gradient at centre; NULL: it is 0, as all of c is of the lattice */
  lbp_real *offset;           /* [n] P c, the gradient at zero: elsewhere it is offset + W x */
  lbp_real *diagonal;         /* [n] W_ii */
  lbp_real *value;            /* W: [n][n] if dense, or as in lbp_symmetric, with: */
  uint32_t *start, *column;   /* NULL if dense */
  void     *memory;           /* the memory of value */
  double    rounding;         /* change of log-ratios by rounding -> LBP_ROUNDING */
} lbp_lattice;

LBP_FN void lbp_lattice_free(lbp_lattice *m) {
  if (!m) return;
  free(m->centre);
  free(m->tilt);
  free(m->offset);
  free(m->diagonal);
  free(m->start);
  free(m->column);
  free(m->memory);
  memset(m, 0, sizeof *m);
}

/* d log pi / d x_i. */
LBP_FN lbp_real lbp_p_lattice_slope(const lbp_lattice *m, const uint8_t *x, uint32_t i) {
  lbp_real slope = m->offset[i];
  uint32_t k, end;
  if (!m->start) return slope + lbp_p_row_product(m->n, m->value + (size_t)i * m->n, x);
  end = m->start[i + 1];
  for (k = m->start[i]; k < end; k++) slope += m->value[k] * (lbp_real)x[m->column[k]];
  return slope;
}

/* The same of `count` sites from `first` on. If W is dense, its rows serve as columns. */
LBP_FN void lbp_p_lattice_slopes(const lbp_lattice *m, const uint8_t *x, uint32_t first, uint32_t count,
                                 lbp_real *slope) {
  uint32_t i;
  if (!m->start) {
    memcpy(slope, m->offset + first, count * sizeof *slope);
    lbp_p_add_product(m->n, count, m->n, m->value + first, x, slope);
  } else {
    for (i = 0; i < count; i++) slope[i] = lbp_p_lattice_slope(m, x, first + i);
  }
}

/* The largest move of a site, at most `all`: its conditional has standard deviation P_ii^(-1/2), and moves of more than
 * ten of these do not occur. */
LBP_FN double lbp_p_lattice_reach(double precision, double all) {
  const double reach = precision > 0.0 ? 1.0 + 10.0 / sqrt(precision) : all;
  return reach < all ? reach : all;
}

/* Brings centre to the lattice: differences to a c far outside would have no digits for x. LBP_E_MEMORY. */
LBP_FN int lbp_p_lattice_clip(lbp_lattice *m) {
  const double most = m->states - 1.0;
  double *moved = (double *)calloc(m->n, sizeof *moved);
  uint32_t i, j, k = 0, row = 0;
  int outside = 0;
  if (!moved) return LBP_E_MEMORY;
  for (i = 0; i < m->n; i++) {
    const double c = (double)m->centre[i], clipped = c < 0.0 ? 0.0 : c > most ? most : c;
    moved[i] = clipped - c;
    outside |= c < 0.0 || c > most;
    m->centre[i] = (lbp_real)clipped;
  }
  if (outside) m->tilt = lbp_models_new_reals(m->n);
  for (i = 0; i < m->n && m->tilt; i++, row = k) {
    const uint32_t end = m->start ? m->start[i + 1] : row + m->n;
    double tilt = 0.0;
    for (j = 0; k < end; k++, j++) tilt += (double)m->value[k] * moved[m->start ? m->column[k] : j];
    m->tilt[i] = (lbp_real)tilt;
  }
  free(moved);
  return outside && !m->tilt ? LBP_E_MEMORY : LBP_OK;
}

/* What sums in lbp_real add to m->rounding, measured at the state next to the centre. LBP_E_PRECISION: it is too much
 * by then; LBP_E_MEMORY. */
LBP_FN int lbp_p_lattice_measure(lbp_lattice *m) {
  lbp_real *slope = lbp_models_new_reals(m->n);
  uint8_t *x = (uint8_t *)malloc(m->n);
  uint32_t i, j, k = 0;
  double most = 0.0;
  for (i = 0; i < m->n && slope && x; i++) x[i] = (uint8_t)lround((double)m->centre[i]);
  if (slope && x) lbp_p_lattice_slopes(m, x, 0, m->n, slope);
  for (i = 0; i < m->n && slope && x; i++) {
    const double reach = lbp_p_lattice_reach(-(double)m->diagonal[i], m->states - 1.0);
    const uint32_t end = m->start ? m->start[i + 1] : k + m->n;
    double sum = (double)m->offset[i], error;
    for (j = 0; k < end; k++, j++) sum += (double)m->value[k] * x[m->start ? m->column[k] : j];
    error = fmax(fabs((double)slope[i] - sum), fabs((double)lbp_p_lattice_slope(m, x, i) - sum)) * reach;
    most = error > most ? error : most;
  }
  m->rounding += most;
  k = slope && x;
  free(slope);
  free(x);
  return k ? lbp_models_check_rounding(m->rounding, 1.0) : LBP_E_MEMORY;
}

/* Makes a model from c [n] and the precision matrix P, which it copies. Returns LBP_OK, or the status of
 * lbp_symmetric_check for P, LBP_E_RANGE (unless 2 <= states <= 256), LBP_E_MEMORY, or LBP_E_PRECISION: rounding P, c,
 * P c and sums of these to lbp_real changes the log-ratio of a move within ten standard deviations of a site's
 * conditional by more than 1e-3. */
LBP_FN int lbp_lattice_init(lbp_lattice *m, uint32_t states, const double *c, const lbp_symmetric *precision) {
  const double middle = (states - 1.0) / 2.0;
  uint32_t entries, i, e, k = 0;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!c || !precision) return LBP_E_NULL;
  if (precision->dense && lbp_models_check_sites(precision->n, precision->n) != LBP_OK) return LBP_E_SIZE;
  status = lbp_symmetric_check(precision);
  if (status != LBP_OK) return status;
  entries = precision->dense ? precision->n * precision->n : precision->start[precision->n];
  status = lbp_models_check_values(precision->dense ? precision->dense : precision->value, entries);
  if (status == LBP_OK) status = lbp_models_check_values(c, precision->n);
  if (status == LBP_OK) status = lbp_p_check_states(states);
  if (status != LBP_OK) return status;
  m->n = precision->n;
  m->states = states;
  m->centre = lbp_models_new_reals(m->n);
  m->offset = lbp_models_new_reals(m->n);
  m->diagonal = lbp_models_new_reals(m->n);
  m->value = lbp_models_new_lines(entries, &m->memory);
  if (!precision->dense) {
    m->start = (uint32_t *)calloc((size_t)m->n + 1, sizeof *m->start);
    m->column = (uint32_t *)calloc((size_t)entries + 1, sizeof *m->column);
  }
  if (!m->centre || !m->offset || !m->diagonal || !m->value ||
      (!precision->dense && (!m->start || !m->column))) {
    lbp_lattice_free(m);
    return LBP_E_MEMORY;
  }
  if (!precision->dense) {
    memcpy(m->start, precision->start, ((size_t)m->n + 1) * sizeof *m->start);
    memcpy(m->column, precision->column, entries * sizeof *m->column);
  }
  for (i = 0; i < m->n; i++) m->centre[i] = (lbp_real)c[i];
  for (i = 0; i < m->n; i++) {   /* P c is made of the values as they are kept, so that the gradient at c is zero */
    const lbp_symmetric_row row = lbp_symmetric_row_of(precision, i);
    double offset = 0.0, given = 0.0, shift = 0.0, sum = 0.0, squares = 0.0, error;
    for (e = 0; e < row.count; e++, k++) {
      const uint32_t j = row.column ? row.column[e] : e;
      const double kept = (double)(lbp_real)-row.value[e], gap = kept + row.value[e];
      m->value[k] = (lbp_real)kept;
      offset -= kept * (double)m->centre[j];
      given += row.value[e] * c[j];
      shift += gap;
      sum += fabs(gap);
      squares += gap * gap;
    }
    m->offset[i] = (lbp_real)offset;
    m->diagonal[i] = (lbp_real)-lbp_symmetric_entry(precision, i, i);
    /* the gradient has a constant error, that of the middle state, and an error from the distance of a state to it */
    error = fabs((double)m->offset[i] - given + shift * middle);
    error += (sum < 4.0 * sqrt(squares) ? sum : 4.0 * sqrt(squares)) * middle;
    error *= lbp_p_lattice_reach(lbp_symmetric_entry(precision, i, i), states - 1.0);
    m->rounding = error > m->rounding ? error : m->rounding;
  }
  status = lbp_p_lattice_clip(m) == LBP_OK ? lbp_p_lattice_measure(m) : LBP_E_MEMORY;
  if (status != LBP_OK) lbp_lattice_free(m);
  return status;
}

/* Common to the paper's two families: 1 / (1 + (L - 1) t) for t from 0 to 1, from 1 down to 1 / L. */
LBP_FN double lbp_p_lattice_decay(uint32_t i, uint32_t n, double L) {
  return 1.0 / (1.0 + (L - 1.0) * lbp_p_spaced(i, n));
}

LBP_FN int lbp_p_check_lattice(uint32_t n, uint32_t smallest, uint32_t states, double L) {
  const int status = lbp_models_check_value(L);
  if (n < smallest) return LBP_E_SIZE;
  if (status != LBP_OK) return status;
  return L > 0.0 ? lbp_p_check_states(states) : LBP_E_RANGE;
}

/* The precision P as given, c = (states - 1) / 2 in every site: 10 for the paper's 21 states. */
LBP_FN int lbp_p_lattice_centred(lbp_lattice *m, uint32_t states, const lbp_symmetric *precision) {
  double *c = (double *)calloc(precision->n, sizeof *c);
  uint32_t i;
  int status;
  if (!c) return LBP_E_MEMORY;
  for (i = 0; i < precision->n; i++) c[i] = (states - 1) / 2.0;
  status = lbp_lattice_init(m, states, c, precision);
  free(c);
  return status;
}

/* Makes a model of the paper's family "rotation": P = Q diag(e) Q', dense, with eigenvalues e_i = sqrt(L) / (1 + (L -
 * 1) (i - 1) / (n - 1)) (41), that is from sqrt(L) to 1 / sqrt(L), and Q uniformly random. L > 0. Time O(n^3).
 * LBP_E_NULL, LBP_E_SIZE, LBP_E_NOT_FINITE, LBP_E_RANGE, LBP_E_MEMORY, LBP_E_PRECISION. */
LBP_FN int lbp_lattice_random_rotation(lbp_lattice *m, uint32_t n, uint32_t states, double L, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  lbp_symmetric w;
  double *q, *precision;
  size_t i, j, k;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_sites(n, n) != LBP_OK) return LBP_E_SIZE;
  status = lbp_p_check_lattice(n, 1, states, L);
  if (status != LBP_OK) return status;
  q = lbp_p_random_orthogonal(n, &rng);
  precision = (double *)calloc((size_t)n * n, sizeof *precision);
  status = !q || !precision ? LBP_E_MEMORY : LBP_OK;
  if (status == LBP_OK) {
    for (k = 0; k < n; k++) {   /* eigenvectors are the columns, here scaled by the roots */
      const double root = sqrt(sqrt(L) * lbp_p_lattice_decay((uint32_t)k, n, L));
      for (i = 0; i < n; i++) q[i * n + k] *= root;
    }
    for (i = 0; i < n; i++) {
      for (j = 0; j <= i; j++) precision[i * n + j] = precision[j * n + i] = lbp_linear_dot(q + i * n, q + j * n, n);
    }
    memset(&w, 0, sizeof w);
    w.n = n;
    w.dense = precision;
    status = lbp_p_lattice_centred(m, states, &w);
  }
  free(q);
  free(precision);
  return status;
}

/* Makes a model of the paper's sparse family: P = Lam M Lam with M_ii = 1 and, between neighbours on a cycle, N(0,
 * 0.2^2); Lam_ii^2 = 1 / (1 + (L - 1) (i - 1) / (n - 1)): (42) is misprinted. n >= 3, L > 0. Statuses as
 * lbp_lattice_random_rotation. */
LBP_FN int lbp_lattice_random_cycle(lbp_lattice *m, uint32_t n, uint32_t states, double L, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  lbp_symmetric w;
  uint32_t *start, *column, i;
  double *value;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_sites(n, 3) != LBP_OK) return LBP_E_SIZE;
  status = lbp_p_check_lattice(n, 3, states, L);
  if (status != LBP_OK) return status;
  start = (uint32_t *)calloc((size_t)n + 1, sizeof *start);
  column = (uint32_t *)calloc((size_t)3 * n, sizeof *column);
  value = (double *)calloc((size_t)3 * n, sizeof *value);
  status = !start || !column || !value ? LBP_E_MEMORY : LBP_OK;
  if (status == LBP_OK) {
    /* Row i has i - 1, i, i + 1; the cycle puts n - 1 at the end of the first row, 0 at the beginning of the last. */
    for (i = 0; i < n; i++) {
      const uint32_t first = i == 0, last = i + 1 == n, next = last ? 0 : i + 1;
      const uint32_t own = 3 * i + 1 - first + last, above = last ? 3 * i : own + 1;
      const uint32_t back = last ? 2 : next + 1 == n ? 3 * next + 1 : 3 * next;
      const double decay = lbp_p_lattice_decay(i, n, L);
      start[i + 1] = 3 * (i + 1);
      column[own] = i;
      value[own] = decay;
      column[above] = next;
      column[back] = i;
      value[above] = value[back] = 0.2 * lbp_models_normal(&rng) * sqrt(decay * lbp_p_lattice_decay(next, n, L));
    }
    w.n = n;
    w.dense = NULL;
    w.start = start;
    w.column = column;
    w.value = value;
    status = lbp_p_lattice_centred(m, states, &w);
  }
  free(start);
  free(column);
  free(value);
  return status;
}

/* sum_i (x_i - c_i) slope_i of a model's centre c, in eight sums side by side. */
LBP_FN double lbp_p_lattice_product(size_t count, const uint8_t *x, const lbp_real *c, const lbp_real *slope) {
  enum { lanes = 8 };
  double sum[lanes] = {0};
  size_t i, k;
  for (i = 0; i + lanes <= count; i += lanes) {
    for (k = 0; k < lanes; k++) sum[k] += (double)(((lbp_real)x[i + k] - c[i + k]) * slope[i + k]);
  }
  for (; i < count; i++) sum[0] += (double)(((lbp_real)x[i] - c[i]) * slope[i]);
  for (k = 1; k < lanes; k++) sum[0] += sum[k];
  return sum[0];
}

/* log pi and, unless NULL, its gradient. From the centre d to x, log pi rises by (x - d)' (slope at d + slope at x) /
 * 2. */
LBP_FN double lbp_p_lattice(const lbp_lattice *m, const uint8_t *x, lbp_real *gradient) {
  enum { most_terms = 256 };
  lbp_real room[most_terms];
  double sum = 0.0;
  uint32_t first;
  for (first = 0; first < m->n; first += most_terms) {
    const uint32_t left = m->n - first, count = left < most_terms ? left : (uint32_t)most_terms;
    lbp_real *slope = gradient ? gradient + first : room;
    lbp_p_lattice_slopes(m, x, first, count, slope);
    sum += lbp_p_lattice_product(count, x + first, m->centre + first, slope);
    if (m->tilt) sum += lbp_p_lattice_product(count, x + first, m->centre + first, m->tilt + first);
  }
  return sum / 2.0;
}

LBP_FN double lbp_lattice_logp(const lbp_lattice *m, const uint8_t *x) { return lbp_p_lattice(m, x, NULL); }

/* Writes the gradient and returns log pi(x): O(n^2) if P is dense, otherwise O(entries). */
LBP_FN lbp_real lbp_lattice_gradient(const lbp_lattice *m, const uint8_t *x, lbp_real *out) {
  return (lbp_real)lbp_p_lattice(m, x, out);
}

/* Writes log pi of x with x_i = v, up to a constant, for all v. O(n) if P is dense, otherwise O(entries of row i); plus
 * O(states). */
LBP_FN void lbp_lattice_conditional(const lbp_lattice *m, const uint8_t *x, uint32_t i, lbp_real *out) {
  const lbp_real slope = lbp_p_lattice_slope(m, x, i), bend = m->diagonal[i] / 2;
  int v;
  for (v = 0; v < (int)m->states; v++) {
    const lbp_real z = (lbp_real)(v - x[i]);
    out[v] = (slope + bend * z) * z;
  }
}

LBP_FN uint32_t lbp_lattice_hessian_entries(const lbp_lattice *m) {
  return m->start ? m->start[m->n] : m->n * m->n;
}

/* Returns W = -P, dense or sparse like P. value has room for lbp_lattice_hessian_entries(m); W points to it and into
 * m. */
LBP_FN lbp_symmetric lbp_lattice_hessian(const lbp_lattice *m, double *value) {
  const uint32_t entries = lbp_lattice_hessian_entries(m);
  lbp_symmetric w;
  uint32_t k;
  for (k = 0; k < entries; k++) value[k] = (double)m->value[k];
  w.n = m->n;
  w.dense = m->start ? NULL : value;
  w.start = m->start;
  w.column = m->column;
  w.value = m->start ? value : NULL;
  return w;
}

/* ---- Bayesian logistic regression on coefficients x_j in {0, 1} ([A] (22), appendix B.4) ----------------------------
 *
 *   log pi(x) = sum_j prior_j x_j - sum_i log(1 + exp(-+ X_i . x)),   - where y_i = 1, + where y_i = 0
 *
 * The minus before the sum applies to both terms of (43). */

enum { LBP_P_LOGISTIC_BLOCK = 256 };   /* observations */

typedef struct {
  uint32_t  n, observations;
  lbp_real *prior;    /* [n] log-odds of inclusion */
  lbp_real *X;        /* in blocks of observations, [n][width] each, filled up with zeros. Those of y = 1 are negated,
                       * and y is not needed any more: log pi has -log(1 + exp(X_i . x)) of each. */
  void     *memory;   /* the memory of X */
  double    rounding; /* change of log-ratios by rounding: four standard deviations -> LBP_ROUNDING */
} lbp_logistic;

typedef struct {
  uint32_t count, width;   /* observations in it, and with those that fill it up to whole LBP_P_LANES */
} lbp_p_logistic_block;

/* The block that begins with observation `first`, at X + first * n. */
LBP_FN lbp_p_logistic_block lbp_p_logistic_at(const lbp_logistic *m, uint32_t first) {
  const uint32_t left = m->observations - first, most = LBP_P_LOGISTIC_BLOCK;
  lbp_p_logistic_block block;
  block.count = left < most ? left : most;
  block.width = (block.count + LBP_P_LANES - 1) / LBP_P_LANES * LBP_P_LANES;
  return block;
}

LBP_FN void lbp_logistic_free(lbp_logistic *m) {
  if (!m) return;
  free(m->prior);
  free(m->memory);
  memset(m, 0, sizeof *m);
}

/* The variance of the error that rounding to lbp_real brings into the sum of row[count], added in any order. Each value
 * has the error of the number that is kept. Each addition rounds by up to 2^-24 (in double 2^-53) of the largest value;
 * by nothing where partial sums have few enough digits to be exact. */
LBP_FN double lbp_p_sum_blur(const double *row, uint32_t count) {
  const double unit = ldexp(1.0, -lbp_models_bits());
  double reach = 0.0, largest = 0.0, squares = 0.0, step;
  int exponent, exact = 1;
  uint32_t k;
  for (k = 0; k < count; k++) {
    const double kept = (double)(lbp_real)row[k], gap = kept - row[k];
    squares += gap * gap;
    reach += fabs(kept);
    largest = fabs(kept) > largest ? fabs(kept) : largest;
  }
  frexp(reach, &exponent);
  step = ldexp(unit, exponent);
  for (k = 0; k < count && exact; k++) exact = fmod((double)(lbp_real)row[k], step) == 0.0;
  return squares + (exact ? 0.0 : count * (largest * unit) * (largest * unit) / 3.0);
}

/* Sets m->rounding. When x_j flips, the error of X_ij counts in full, and the error of X_i . x by the change of slope,
 * which is at most |X_ij| / 4 or 1. Errors of thousands of numbers hardly ever all point the same way: four standard
 * deviations are enough. blur: room for `observations` numbers. */
LBP_FN void lbp_p_logistic_judge(lbp_logistic *m, const double *X, const double *prior, double *blur) {
  uint32_t i, j;
  for (i = 0; i < m->observations; i++) blur[i] = lbp_p_sum_blur(X + (size_t)i * m->n, m->n);
  for (j = 0; j < m->n; j++) {
    const double gap = prior ? (double)m->prior[j] - prior[j] : 0.0;
    double squares = gap * gap, error;
    for (i = 0; i < m->observations; i++) {
      const double v = X[(size_t)i * m->n + j], off = (double)(lbp_real)v - v;
      const double slope = fabs(v) < 4.0 ? fabs(v) / 4.0 : 1.0;
      squares += off * off + slope * slope * blur[i];
    }
    error = 4.0 * sqrt(squares);
    m->rounding = error > m->rounding ? error : m->rounding;
  }
}

/* Makes a model of n coefficients from X [observations][n], row-major; y [observations], zeros and ones (otherwise
 * LBP_E_STATE); prior [n], the log-odds of x_j = 1 before any observation (NULL: all 0, as in the paper).
 * LBP_E_PRECISION: rounding to lbp_real would change a log-ratio by more than 1e-3. */
LBP_FN int lbp_logistic_init(lbp_logistic *m, uint32_t n, uint32_t observations, const double *X, const uint8_t *y,
                             const double *prior) {
  double *blur;
  uint32_t i, j;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!X || !y) return LBP_E_NULL;
  if (lbp_models_check_sites(n, observations) != LBP_OK) return LBP_E_SIZE;
  status = lbp_models_check_values(X, (size_t)observations * n);
  if (status == LBP_OK && prior) status = lbp_models_check_values(prior, n);
  if (status != LBP_OK) return status;
  for (i = 0; i < observations; i++) {
    if (y[i] > 1) return LBP_E_STATE;
  }
  m->n = n;
  m->observations = observations;
  m->prior = lbp_models_new_reals(n);
  m->X = lbp_models_new_lines(lbp_size_times((size_t)observations + LBP_P_LANES, n), &m->memory);
  blur = (double *)calloc(observations, sizeof *blur);
  if (!m->prior || !m->X || !blur) {
    free(blur);
    lbp_logistic_free(m);
    return LBP_E_MEMORY;
  }
  for (j = 0; j < n; j++) m->prior[j] = prior ? (lbp_real)prior[j] : 0;
  for (i = 0; i < observations; i++) {
    const uint32_t first = i / LBP_P_LOGISTIC_BLOCK * LBP_P_LOGISTIC_BLOCK, width = lbp_p_logistic_at(m, first).width;
    const double *from = X + (size_t)i * n, sign = y[i] ? -1.0 : 1.0;
    lbp_real *to = m->X + (size_t)first * n + (i - first);
    for (j = 0; j < n; j++) to[(size_t)j * width] = (lbp_real)(sign * from[j]);
  }
  lbp_p_logistic_judge(m, X, prior, blur);
  free(blur);
  status = lbp_models_check_rounding(m->rounding, 1.0);
  if (status != LBP_OK) lbp_logistic_free(m);
  return status;
}

/* Makes a model of data as in the paper (n = 100, 50 observations): rows of X from N(0, 0.25 Lam Sigma Lam), Sigma_jj =
 * 1.25 and otherwise 0.25, Lam_jj = exp(-0.25 + (j - 1) / (n - 1)); y from the model at a truth whose first seven
 * coefficients are one. LBP_E_NULL, LBP_E_SIZE, LBP_E_MEMORY, LBP_E_PRECISION. */
LBP_FN int lbp_logistic_random(lbp_logistic *m, uint32_t n, uint32_t observations, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  double *X;
  uint8_t *y;
  uint32_t i, j;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_sites(n, observations) != LBP_OK) return LBP_E_SIZE;
  X = (double *)calloc((size_t)observations * n, sizeof *X);
  y = (uint8_t *)calloc(observations, sizeof *y);
  status = !X || !y ? LBP_E_MEMORY : LBP_OK;
  if (status == LBP_OK) {
    for (i = 0; i < observations; i++) {
      const double common = 0.5 * lbp_models_normal(&rng);
      double *row = X + (size_t)i * n, logit = 0.0;
      for (j = 0; j < n; j++) {
        row[j] = 0.5 * lbp_exp(-0.25 + lbp_p_spaced(j, n)) * (lbp_models_normal(&rng) + common);
        if (j < 7) logit += row[j];
      }
      y[i] = lbp_models_uniform(&rng) < 1.0 / (1.0 + lbp_exp(-lbp_clamp_double(logit, 700)));
    }
    status = lbp_logistic_init(m, n, observations, X, y, NULL);
  }
  free(X);
  free(y);
  return status;
}

/* log pi and, unless NULL, its gradient prior - sum_i sigmoid(X_i . x) X_i. */
LBP_FN double lbp_p_logistic(const lbp_logistic *m, const uint8_t *x, lbp_real *gradient) {
  lbp_real logit[LBP_P_LOGISTIC_BLOCK], part[LBP_P_ROW_BLOCK];
  double sum = 0.0;
  uint32_t first, i, k;
  for (i = 0; i < m->n; i++) sum += x[i] * (double)m->prior[i];
  if (gradient) memcpy(gradient, m->prior, m->n * sizeof *gradient);
  for (first = 0; first < m->observations; first += LBP_P_LOGISTIC_BLOCK) {
    const lbp_p_logistic_block block = lbp_p_logistic_at(m, first);
    const lbp_real *X = m->X + (size_t)first * m->n;
    memset(logit, 0, block.width * sizeof *logit);
    lbp_p_add_product(m->n, block.width, block.width, X, x, logit);
    sum -= lbp_p_softplus_sum(logit, 0, logit, block.count);
    if (!gradient) continue;
    for (k = 0; k < block.width; k++) logit[k] = lbp_p_sigmoid(logit[k]);
    for (i = 0; i < m->n; i += LBP_P_ROW_BLOCK) {
      const uint32_t left = m->n - i, strip = left < LBP_P_ROW_BLOCK ? left : (uint32_t)LBP_P_ROW_BLOCK;
      lbp_matvec(strip, block.width, X + (size_t)i * block.width, logit, part);
      for (k = 0; k < strip; k++) gradient[i + k] -= part[k];
    }
  }
  return sum;
}

LBP_FN double lbp_logistic_logp(const lbp_logistic *m, const uint8_t *x) { return lbp_p_logistic(m, x, NULL); }

/* Writes the gradient and returns log pi(x), O(n observations) -> LBP_GRADIENT. */
LBP_FN lbp_real lbp_logistic_gradient(const lbp_logistic *m, const uint8_t *x, lbp_real *out) {
  return (lbp_real)lbp_p_logistic(m, x, out);
}

/* ---- quartic mixture ([A] (23), appendix B.5) -----------------------------------------------------------------------
 *
 *   log pi(x) = log sum_k exp(-E(b_k)),   E(t) = sum_e p(u_e - t q_e),   p(v) = (v + 1) (v^2 + 1/2) (v - 2),
 *   u = P (x / s),   q = P (1 / s),   x_i in 0 ... states - 1
 *
 * All components are shifted along (1, ..., 1), so that E is a polynomial of degree 4 in the shift. Its coefficients
 * take O(n), and then a component costs an exponential, not n quartics. The paper's b_k is a vector of equal parts,
 * here a number, and its 20 in (45), (46) is 50 where it is a dimension. */

#define LBP_QUARTIC_MAX_N 1024 /* sites, at most */

typedef struct {
  uint32_t  n, states, components;
  lbp_real *A;        /* [n][n] u = sum_i x_i A_i: A_ie = P_ei / s_i */
  lbp_real *q;        /* [n] sum_i A_i */
  lbp_real *b;        /* [components] */
  void     *memory;   /* the memory of A */
  double    rounding; /* change of log-ratios by rounding of states that matter: four standard deviations */
} lbp_quartic;

LBP_FN void lbp_quartic_free(lbp_quartic *m) {
  if (!m) return;
  free(m->q);
  free(m->b);
  free(m->memory);
  memset(m, 0, sizeof *m);
}

/* Sets m->rounding. u_e has the error of a sum of its numbers times up to states - 1, and t q_e that of one number. log
 * pi has these errors times p', which is at most 13.5 for -1.4 <= v <= 2, where p is within 7 of its minimum: beyond,
 * p rises so fast that states are hardly ever drawn. row: room for n numbers. */
LBP_FN void lbp_p_quartic_judge(lbp_quartic *m, const double *s, const double *precision, const double *b,
                                double *row) {
  const double unit = ldexp(1.0, -lbp_models_bits());
  double squares = 0.0, shift = 0.0;
  uint32_t i, e, k;
  for (k = 0; k < m->components; k++) shift = fabs(b[k]) > shift ? fabs(b[k]) : shift;
  for (e = 0; e < m->n; e++) {
    const double moved = shift * fabs((double)m->q[e]) * unit;
    for (i = 0; i < m->n; i++) row[i] = (m->states - 1.0) * (precision[(size_t)e * m->n + i] / s[i]);
    squares += lbp_p_sum_blur(row, m->n) + 2.0 * moved * moved / 3.0;
  }
  m->rounding = 4.0 * 13.5 * sqrt(2.0 * squares); /* of x, and of y */
}

/* Makes a model of n <= LBP_QUARTIC_MAX_N sites; 2 <= states <= 256 and s [n] at least 1e-12 (otherwise LBP_E_RANGE); P
 * [n][n], row-major, any matrix; b [components]. LBP_E_PRECISION: rounding to lbp_real would change log-ratios by more
 * than 1e-3 where the u_e - t q_e are between -1.4 and 2. */
LBP_FN int lbp_quartic_init(lbp_quartic *m, uint32_t n, uint32_t states, const double *s, const double *precision,
                            uint32_t components, const double *b) {
  double *row;
  uint32_t i, e, k;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!s || !precision || !b) return LBP_E_NULL;
  if (n > LBP_QUARTIC_MAX_N || lbp_models_check_sites(n, components) != LBP_OK) return LBP_E_SIZE;
  status = lbp_models_check_values(s, n);
  if (status == LBP_OK) status = lbp_models_check_values(precision, (size_t)n * n);
  if (status == LBP_OK) status = lbp_models_check_values(b, components);
  if (status == LBP_OK) status = lbp_p_check_states(states);
  for (i = 0; i < n && status == LBP_OK; i++) status = s[i] >= 1.0 / LBP_MODELS_LARGEST ? LBP_OK : LBP_E_RANGE;
  if (status != LBP_OK) return status;
  m->n = n;
  m->states = states;
  m->components = components;
  m->A = lbp_models_new_lines((size_t)n * n, &m->memory);
  m->q = lbp_models_new_reals(n);
  m->b = lbp_models_new_reals(components);
  row = (double *)calloc(n, sizeof *row);
  if (!m->A || !m->q || !m->b || !row) {
    free(row);
    lbp_quartic_free(m);
    return LBP_E_MEMORY;
  }
  for (e = 0; e < n; e++) {
    double sum = 0.0;
    for (i = 0; i < n; i++) {
      const double entry = precision[(size_t)e * n + i] / s[i];
      m->A[(size_t)i * n + e] = (lbp_real)entry;
      sum += entry;
    }
    m->q[e] = (lbp_real)sum;
  }
  for (k = 0; k < components; k++) m->b[k] = (lbp_real)b[k];
  lbp_p_quartic_judge(m, s, precision, b, row);
  free(row);
  status = lbp_models_check_rounding(m->rounding, 1.0);
  if (status != LBP_OK) lbp_quartic_free(m);
  return status;
}

/* Makes the paper's model (n = 50, 21 states, 50 components): s_i = 20 exp(-0.5 + (i - 1) / (n - 1)), P uniformly
 * random, b_k = (k - 1) / (components - 1). LBP_E_NULL, LBP_E_SIZE, LBP_E_RANGE, LBP_E_MEMORY, LBP_E_PRECISION. */
LBP_FN int lbp_quartic_random(lbp_quartic *m, uint32_t n, uint32_t states, uint32_t components, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  double *precision, *s, *b;
  uint32_t i, k;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (n > LBP_QUARTIC_MAX_N || lbp_models_check_sites(n, components) != LBP_OK) return LBP_E_SIZE;
  precision = lbp_p_random_orthogonal(n, &rng);
  s = (double *)calloc(n, sizeof *s);
  b = (double *)calloc(components, sizeof *b);
  status = !precision || !s || !b ? LBP_E_MEMORY : LBP_OK;
  if (status == LBP_OK) {
    for (i = 0; i < n; i++) s[i] = 20.0 * lbp_exp(-0.5 + lbp_p_spaced(i, n));
    for (k = 0; k < components; k++) b[k] = lbp_p_spaced(k, components);
    status = lbp_quartic_init(m, n, states, s, precision, components, b);
  }
  free(precision);
  free(s);
  free(b);
  return status;
}

/* p(v) and its derivatives divided by j!, all that are not constant: p = v^4 - v^3 - 3/2 v^2 - v/2 - 1. */
LBP_INLINE void lbp_p_quartic_taylor(double v, double *p) {
  p[0] = (v + 1.0) * (v * v + 0.5) * (v - 2.0);
  p[1] = ((4.0 * v - 3.0) * v - 3.0) * v - 0.5;
  p[2] = (6.0 * v - 3.0) * v - 1.5;
  p[3] = 4.0 * v - 1.0;
}

/* E(-t), from its coefficients. */
LBP_INLINE double lbp_p_quartic_energy(const double *c, double t) {
  return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])));
}

/* log pi and, unless NULL, its gradient. */
LBP_FN double lbp_p_quartic(const lbp_quartic *m, const uint8_t *x, lbp_real *gradient) {
  enum { room = 64 };
  const uint32_t n = m->n;
  lbp_real u[LBP_QUARTIC_MAX_N];
  double c[5] = {0}, moment[4] = {0}, lowest, p[4];
  uint32_t begin, e, k;
  memset(u, 0, n * sizeof *u);
  lbp_p_add_product(n, n, n, m->A, x, u);
  for (e = 0; e < n; e++) {
    const double q = (double)m->q[e], square = q * q;
    lbp_p_quartic_taylor((double)u[e], p);
    c[0] += p[0];
    c[1] += q * p[1];
    c[2] += square * p[2];
    c[3] += square * q * p[3];
    c[4] += square * square;
  }
  lowest = lbp_p_quartic_energy(c, -(double)m->b[0]);
  for (k = 1; k < m->components; k++) {
    const double energy = lbp_p_quartic_energy(c, -(double)m->b[k]);
    if (energy < lowest) lowest = energy;
  }
  for (begin = 0; begin < m->components; begin += room) {   /* exponentials in a separate loop, which vectorises */
    const uint32_t left = m->components - begin, size = left < room ? left : (uint32_t)room;
    lbp_real weight[room];
    for (k = 0; k < size; k++) {
      weight[k] = (lbp_real)(lowest - lbp_p_quartic_energy(c, -(double)m->b[begin + k]));
    }
    for (k = 0; k < size; k++) weight[k] = lbp_p_exp(weight[k]);
    for (k = 0; k < size; k++) {
      const double t = -(double)m->b[begin + k], w = (double)weight[k];
      moment[0] += w;
      moment[1] += w * t;
      moment[2] += w * t * t;
      moment[3] += w * t * t * t;
    }
  }
  if (gradient) {
    for (k = 1; k < 4; k++) moment[k] /= moment[0];
    for (e = 0; e < n; e++) {   /* d log pi / d u_e: minus the mean of p'(u_e + t q_e) over the components */
      const double q = (double)m->q[e];
      lbp_p_quartic_taylor((double)u[e], p);
      u[e] = (lbp_real)-(p[1] + q * (2.0 * p[2] * moment[1] + q * (3.0 * p[3] * moment[2] + q * 4.0 * moment[3])));
    }
    lbp_matvec(n, n, m->A, u, gradient);
  }
  return lbp_log_fine(moment[0]) - lowest;
}

LBP_FN double lbp_quartic_logp(const lbp_quartic *m, const uint8_t *x) { return lbp_p_quartic(m, x, NULL); }

/* Writes the gradient and returns log pi(x), O(n^2 + components). */
LBP_FN lbp_real lbp_quartic_gradient(const lbp_quartic *m, const uint8_t *x, lbp_real *out) {
  return (lbp_real)lbp_p_quartic(m, x, out);
}

LBP_EXACT_END

#include "lbp/models/selection.h"

#endif /* LBP_MODELS_H */
