/* lbp/models/potts.h - models whose sites take one of several values without an order: letters, labels, colours. In
 * this file's order, after shared code:
 *
 *   lbp_product       independent sites
 *   lbp_potts         Potts model on any graph; on grids, free or periodic; a glass      local, fields
 *   lbp_potts_dense   every pair of sites and of their values has a coupling             dense, fields
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp/models/local.h, and has its conventions: constructors check and
 * copy, and leave *m zeroed if they fail; functions that samplers call check nothing. LBP_MODELS_REAL is the type of
 * parameters and log-ratios. This file contains no sampler: include lbp.h or lbp_run.h with its parameters for
 * categorical sites, LBP_CAT_STATES first.
 *
 * A state is a byte a site: x_i is 0 ... K_i - 1. Models keep their numbers in rows of `states`, the largest K_i.
 *
 *   lbp_potts grid;                                       #define LBP_NAME           potts
 *   if (lbp_potts_grid(&grid, 30, 30, 3, 0.8, 0,          #define LBP_MODEL_T        lbp_potts
 *                      NULL)) ...                         #define LBP_REAL           lbp_real
 *   ...                                                   #define LBP_CAT_STATES     3
 *   lbp_potts_free(&grid);                                #define LBP_CAT_DELTAS_OF  lbp_potts_deltas_of
 *                                                         #define LBP_CAT_DELTA      lbp_potts_delta
 *                                                         #define LBP_NEIGHBOURS     lbp_potts_neighbours
 *                                                         #define LBP_MAX_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
 *                                                         #define LBP_LOGP           lbp_potts_logp
 *                                                         #include "lbp_run.h"
 *
 * and LBP_CAT_STATES_OF lbp_potts_values where sites differ in their number of values; LBP_CAT_STATES is the largest
 * then. LBP_CAT_POWERS_OF lbp_potts_powers makes Gibbs sweeps faster. Each model describes its use with fields below.
 *
 * Sources. Potts models: Wu, "The Potts model", Rev. Mod. Phys. 54 (1982). Gauge, and contacts by Frobenius norm with
 * the average product correction: Ekeberg, Lovkvist, Lan, Weigt, Aurell, Phys. Rev. E 87 (2013).
 */

#ifndef LBP_POTTS_H
#define LBP_POTTS_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/support.h"
#include "../base/moves.h"
#include "local.h"

LBP_EXACT_BEGIN

/* ---- shared ------------------------------------------------------------------------------------------------------ */

#define LBP_POTTS_MOST 256 /* values of a site: x_i is a byte */
#define LBP_P_POTTS_PAD 8  /* numbers behind the last row: rows are read by fours, whatever their length */

/* n sites of `states` values, some of fewer: values[n] (NULL: all alike). LBP_E_SIZE, LBP_E_RANGE: states or one of
 * values is not 1 ... LBP_POTTS_MOST, or one is above `states`. */
LBP_FN int lbp_p_potts_check(uint32_t n, uint32_t states, const uint32_t *values) {
  uint32_t i;
  if (states < 1 || states > LBP_POTTS_MOST) return LBP_E_RANGE;
  if (lbp_models_check_sites(n, states) != LBP_OK) return LBP_E_SIZE;
  for (i = 0; i < n && values; i++) {
    if (values[i] < 1 || values[i] > states) return LBP_E_RANGE;
  }
  return LBP_OK;
}

/* Checks those of numbers [n][states] that a site has. Statuses as lbp_models_check_values. */
LBP_FN int lbp_p_potts_check_rows(const double *numbers, uint32_t n, uint32_t states, const uint32_t *values) {
  int status = LBP_OK;
  uint32_t i;
  for (i = 0; i < n && status == LBP_OK; i++) {
    status = lbp_models_check_values(numbers + (size_t)i * states, values ? values[i] : states);
  }
  return status;
}

/* K_i of all sites, to be freed; NULL if there is no memory. */
LBP_FN uint16_t *lbp_p_potts_copy_values(uint32_t n, uint32_t states, const uint32_t *values) {
  uint16_t *copy = (uint16_t *)calloc(n, sizeof *copy);
  uint32_t i;
  for (i = 0; i < n && copy; i++) copy[i] = (uint16_t)(values ? values[i] : states);
  return copy;
}

/* A power of two: its multiples up to 2 reach, and their sums as far as that, are exact in lbp_real. */
LBP_FN double lbp_p_potts_step(double reach) {
  const int bits = lbp_models_bits();
  int exponent;
  (void)frexp(2.0 * reach * (1.0 + 1e-6), &exponent);
  return ldexp(1.0, exponent > bits - 100 ? exponent - bits : -100);
}

/* v as a multiple of step, the nearest or the next to it; no negative zero. */
LBP_INLINE lbp_real lbp_p_potts_round(lbp_real v, lbp_real step, lbp_real inverse) {
  const lbp_real half = v < 0 ? (lbp_real)-0.5 : (lbp_real)0.5;
  if (sizeof v == sizeof(float)) return (lbp_real)(int32_t)(v * inverse + half) * step;
  return (lbp_real)(int64_t)(v * inverse + half) * step;
}

/* out[v] = F[v] - F[value], the log-ratios of a site from its fields; its own is 0. */
LBP_INLINE void lbp_p_potts_ratios(const lbp_real *F, uint32_t value, uint32_t count, lbp_real *out) {
  const lbp_real own = F[value];
  uint32_t v;
  for (v = 0; v < count; v++) out[v] = F[v] - own;
}

/* ---- product: independent sites, P(x_i = v) = p_i(v) ------------------------------------------------------------- */

#define LBP_PRODUCT_MAX_NEIGHBOURS 0 /* -> LBP_MAX_NEIGHBOURS */

typedef struct {
  uint32_t  n, states; /* sites; the most values that one has */
  uint16_t *values;    /* [n] K_i */
  lbp_real *weight;    /* [n][states] log p_i(v) */
} lbp_product;

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_product_free(lbp_product *m) {
  if (!m) return;
  free(m->values);
  free(m->weight);
  memset(m, 0, sizeof *m);
}

/* weight: [n][states] log-weights, each up to a constant of its site; values: [n] K_i, NULL: all are `states`. Beyond
 * K_i weights are not looked at. LBP_E_NULL; LBP_E_SIZE; LBP_E_RANGE: states or K_i is not 1 ... 256, K_i > states, a
 * weight beyond 1e12; LBP_E_NOT_FINITE; LBP_E_MEMORY. */
LBP_FN int lbp_product_init(lbp_product *m, uint32_t n, uint32_t states, const uint32_t *values,
                            const double *weight) {
  uint32_t i, v;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!weight) return LBP_E_NULL;
  status = lbp_p_potts_check(n, states, values);
  if (status == LBP_OK) status = lbp_p_potts_check_rows(weight, n, states, values);
  if (status != LBP_OK) return status;
  m->n = n;
  m->states = states;
  m->values = lbp_p_potts_copy_values(n, states, values);
  m->weight = lbp_models_new_reals((size_t)n * states);
  if (!m->values || !m->weight) {
    lbp_product_free(m);
    return LBP_E_MEMORY;
  }
  for (i = 0; i < n; i++) {
    const double *from = weight + (size_t)i * states;
    double largest = from[0], sum = 0.0;
    for (v = 1; v < m->values[i]; v++) largest = from[v] > largest ? from[v] : largest;
    for (v = 0; v < m->values[i]; v++) sum += from[v] - largest < -700.0 ? 0.0 : lbp_exp(from[v] - largest);
    largest += lbp_log_fine(sum);
    for (v = 0; v < m->values[i]; v++) m->weight[(size_t)i * states + v] = (lbp_real)(from[v] - largest);
  }
  return LBP_OK;
}

/* K_i uniform on least ... states, log-weights normal with standard deviation `spread`. LBP_E_NULL; LBP_E_SIZE;
 * LBP_E_RANGE: least, states or spread; LBP_E_NOT_FINITE; LBP_E_MEMORY. */
LBP_FN int lbp_product_random(lbp_product *m, uint32_t n, uint32_t least, uint32_t states, double spread,
                              uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  uint32_t *values, i;
  double *weight;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  status = lbp_p_potts_check(n, states, NULL);
  if (status == LBP_OK) status = lbp_models_check_value(spread);
  if (status == LBP_OK && (least < 1 || least > states)) status = LBP_E_RANGE;
  if (status != LBP_OK) return status;
  values = (uint32_t *)calloc(n, sizeof *values);
  weight = (double *)calloc(n, lbp_size_times(states, sizeof *weight));
  if (!values || !weight) status = LBP_E_MEMORY;
  for (i = 0; i < n && status == LBP_OK; i++) {
    values[i] = least + (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), (uint64_t)(states - least) + 1);
  }
  for (i = 0; i < n * states && status == LBP_OK; i++) weight[i] = spread * lbp_models_normal(&rng);
  if (status == LBP_OK) status = lbp_product_init(m, n, states, values, weight);
  free(values);
  free(weight);
  return status;
}

/* K_i -> LBP_CAT_STATES_OF. */
LBP_INLINE uint32_t lbp_product_values(const lbp_product *m, uint32_t i) { return m->values[i]; }

/* Normalised, but for rounding: exp of it sums to 1 over all states. */
LBP_FN double lbp_product_logp(const lbp_product *m, const uint8_t *x) {
  double sum = 0.0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += (double)m->weight[(size_t)i * m->states + x[i]];
  return sum;
}

/* The log-ratios of site i, which has K values: faster where that is a constant, as in #define LBP_CAT_DELTAS_OF(m, x,
 * i, out) lbp_product_deltas_k(m, x, i, 4, out). */
LBP_INLINE void lbp_product_deltas_k(const lbp_product *m, const uint8_t *x, uint32_t i, uint32_t K, lbp_real *out) {
  lbp_p_potts_ratios(m->weight + (size_t)i * m->states, x[i], K, out);
}

/* The log-ratios of all values of site i, K_i of them -> LBP_CAT_DELTAS_OF. */
LBP_INLINE void lbp_product_deltas_of(const lbp_product *m, const uint8_t *x, uint32_t i, lbp_real *out) {
  lbp_product_deltas_k(m, x, i, m->values[i], out);
}

/* One of them -> LBP_CAT_DELTA. */
LBP_INLINE lbp_real lbp_product_delta(const lbp_product *m, const uint8_t *x, uint32_t i, uint32_t v) {
  const lbp_real *weight = m->weight + (size_t)i * m->states;
  return weight[v] - weight[x[i]];
}

/* There are none -> LBP_NEIGHBOURS. */
LBP_FN uint32_t lbp_product_neighbours(const lbp_product *m, uint32_t i, uint32_t *out) {
  (void)m, (void)i, (void)out;
  return 0;
}

/* ---- Potts model on a graph -----------------------------------------------------------------------------------------
 *
 *   log pi(x) = beta sum over edges of J_ij [x_i = x_j] + sum_i h_i(x_i)
 *
 * Where K_i and K_j differ, a value of i that j lacks is never equal to x_j. */

#define LBP_POTTS_GRID_NEIGHBOURS 4 /* -> LBP_MAX_NEIGHBOURS, for grids */

typedef struct {
  uint32_t site;
  lbp_real J;                  /* beta is in it */
} lbp_potts_link;

typedef struct {
  uint32_t  n, states;         /* sites; the most values that one has */
  uint32_t  max_degree;
  uint16_t *values;            /* [n] K_i */
  uint32_t *start;             /* [n + 1] site i's links are start[i] ... start[i + 1] - 1 */
  lbp_potts_link *link;        /* by site, in increasing order */
  lbp_real *h;                 /* [n][states] */
  double    rounding;          /* largest change of a log-ratio by rounding -> LBP_ROUNDING */
  float    *link_power;        /* by link: e^J, ... */
  float    *power;             /* ... [n][states] e^h; NULL where some product of these may be too large or too small */
} lbp_potts;

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_potts_free(lbp_potts *m) {
  if (!m) return;
  free(m->values);
  free(m->start);
  free(m->link);
  free(m->h);
  free(m->link_power);
  free(m->power);
  memset(m, 0, sizeof *m);
}

LBP_FN int lbp_p_potts_compare(const void *left, const void *right) {
  const lbp_potts_link *a = (const lbp_potts_link *)left, *b = (const lbp_potts_link *)right;
  if (a->site != b->site) return a->site < b->site ? -1 : 1;
  return (a->J > b->J) - (a->J < b->J); /* whatever qsort does: both ends add parallel edges up in one order */
}

/* Both ends of every edge have a link. */
LBP_FN void lbp_p_potts_fill(lbp_potts *m, double beta, uint32_t edges, const uint32_t *ends, const double *J) {
  uint32_t e, i, side;
  for (e = 0; e < 2 * edges; e++) m->start[ends[e]]++;
  for (i = 1; i <= m->n; i++) m->start[i] += m->start[i - 1];
  for (e = 0; e < edges; e++) {
    for (side = 0; side < 2; side++) { /* begins are counted down */
      lbp_potts_link *link = &m->link[--m->start[ends[2 * e + side]]];
      link->site = ends[2 * e + 1 - side];
      link->J = (lbp_real)(beta * J[e]);
    }
  }
}

/* Sorts each site's links, merges parallel edges (their couplings add) and sets max_degree. */
LBP_FN void lbp_p_potts_merge(lbp_potts *m) {
  uint32_t i, k, kept = 0, begin = 0;
  for (i = 0; i < m->n; i++) {
    const uint32_t end = m->start[i + 1], first = kept;
    qsort(m->link + begin, end - begin, sizeof *m->link, lbp_p_potts_compare);
    for (k = begin; k < end; k++) {
      if (kept > first && m->link[kept - 1].site == m->link[k].site) m->link[kept - 1].J += m->link[k].J;
      else m->link[kept++] = m->link[k];
    }
    if (kept - first > m->max_degree) m->max_degree = kept - first;
    begin = end;
    m->start[i + 1] = kept;
  }
}

/* Fields of site i lie within max |h_i| + sum of its |J|, its reach. Couplings are rounded to multiples of the coarser
 * step of their two sites, h to those of its own; so sums of them are exact whatever their order. LBP_E_MEMORY. */
LBP_FN int lbp_p_potts_exact(lbp_potts *m) {
  double *step = (double *)calloc(m->n, sizeof *step);
  uint32_t i, k, v;
  if (!step) return LBP_E_MEMORY;
  for (i = 0; i < m->n; i++) {
    double reach = 0.0;
    for (v = 0; v < m->values[i]; v++) {
      const double size = fabs((double)m->h[(size_t)i * m->states + v]);
      reach = size > reach ? size : reach;
    }
    for (k = m->start[i]; k < m->start[i + 1]; k++) reach += fabs((double)m->link[k].J);
    step[i] = lbp_p_potts_step(reach);
  }
  for (i = 0; i < m->n; i++) {
    lbp_real *h = m->h + (size_t)i * m->states;
    for (k = m->start[i]; k < m->start[i + 1]; k++) {
      lbp_potts_link *link = &m->link[k];
      const double coarser = step[i] > step[link->site] ? step[i] : step[link->site];
      link->J = lbp_p_potts_round(link->J, (lbp_real)coarser, (lbp_real)(1.0 / coarser));
    }
    for (v = 0; v < m->values[i]; v++) h[v] = lbp_p_potts_round(h[v], (lbp_real)step[i], (lbp_real)(1.0 / step[i]));
  }
  free(step);
  return LBP_OK;
}

/* Where site i's link to site j is. */
LBP_FN uint32_t lbp_p_potts_find(const lbp_potts *m, uint32_t i, uint32_t j) {
  uint32_t low = m->start[i], high = m->start[i + 1];
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (m->link[middle].site <= j) low = middle;
    else high = middle;
  }
  return low;
}

/* The most that log-ratios are off the numbers as they were given, in m->rounding: from one value of a site to another
 * by its h, and by all of its couplings. LBP_E_MEMORY. */
LBP_FN int lbp_p_potts_measure(lbp_potts *m, const double *h, double beta, uint32_t edges, const uint32_t *ends,
                               const double *J) {
  double *error = (double *)calloc((size_t)m->start[m->n] + 1, sizeof *error);
  uint32_t e, i, k, v;
  if (!error) return LBP_E_MEMORY;
  for (k = 0; k < m->start[m->n]; k++) error[k] = (double)m->link[k].J;
  for (e = 0; e < 2 * edges; e++) error[lbp_p_potts_find(m, ends[e], ends[e ^ 1])] -= beta * J[e / 2];
  for (i = 0; i < m->n; i++) {
    double least = lbp_infinity(), most = -lbp_infinity(), sum = 0.0;
    for (v = 0; v < m->values[i]; v++) {
      const size_t at = (size_t)i * m->states + v;
      const double off = (double)m->h[at] - (h ? h[at] : 0.0);
      least = off < least ? off : least;
      most = off > most ? off : most;
    }
    for (k = m->start[i]; k < m->start[i + 1]; k++) sum += fabs(error[k]);
    sum += most - least;
    if (sum > m->rounding) m->rounding = sum;
  }
  free(error);
  return LBP_OK;
}

/* Powers of e for lbp_potts_powers, where products of a site's are accurate floats. LBP_E_MEMORY. */
LBP_FN int lbp_p_potts_raise(lbp_potts *m) {
  const double most = 40.0; /* of exponents; and so many factors have an error below 1e-5 */
  const size_t numbers = (size_t)m->n * m->states;
  uint32_t i, k, v;
  size_t at;
  if (m->max_degree > (uint32_t)most) return LBP_OK;
  for (i = 0; i < m->n; i++) {
    double links = 0.0;
    for (k = m->start[i]; k < m->start[i + 1]; k++) links += fabs((double)m->link[k].J);
    for (v = 0; v < m->values[i]; v++) {
      if (links + fabs((double)m->h[(size_t)i * m->states + v]) > most) return LBP_OK;
    }
  }
  m->link_power = (float *)calloc((size_t)m->start[m->n] + 1, sizeof *m->link_power);
  m->power = (float *)calloc(numbers + LBP_P_POTTS_PAD, sizeof *m->power);
  if (!m->link_power || !m->power) return LBP_E_MEMORY;
  for (k = 0; k < m->start[m->n]; k++) m->link_power[k] = (float)lbp_exp((double)m->link[k].J);
  for (at = 0; at < numbers; at++) m->power[at] = (float)lbp_exp((double)m->h[at]);
  return LBP_OK;
}

/* Makes a Potts model of n sites with values[n] values each (NULL: all `states`) and fields h [n][states] (NULL: 0;
 * those beyond K_i are not read). Edge e joins ends[2e] and ends[2e + 1] with coupling beta J[e]; ends and J may be
 * NULL if edges is 0. The couplings of parallel edges add up. Numbers are rounded so that fields are exact sums: by
 * less than 2^-22 (2^-51 in double) of the reach of a site, max |h_i(v)| + sum_j |J_ij|; if all are multiples of a
 * power of two, such as 1 or 0.25, they do not change. Your LBP_MAX_NEIGHBOURS must be at least m->max_degree: check
 * it. Returns LBP_OK, or LBP_E_NULL; LBP_E_SIZE; LBP_E_RANGE (states or K_i is not in 1 ... 256, K_i > states, a number
 * beyond 1e12); LBP_E_NOT_FINITE; LBP_E_INDEX (an edge from a site to itself or to a site >= n); LBP_E_PRECISION
 * (rounding changes a log-ratio by more than 1e-3); LBP_E_MEMORY. Takes O(n states + edges log degree). */
LBP_FN int lbp_potts_init(lbp_potts *m, uint32_t n, uint32_t states, const uint32_t *values, const double *h,
                          double beta, uint32_t edges, const uint32_t *ends, const double *J) {
  uint32_t e, i, v;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (edges > 0 && (!ends || !J)) return LBP_E_NULL;
  status = edges > LBP_MAX_SITES ? LBP_E_SIZE : lbp_p_potts_check(n, states, values);
  if (status == LBP_OK && h) status = lbp_p_potts_check_rows(h, n, states, values);
  if (status == LBP_OK) status = lbp_models_check_value(beta);
  for (e = 0; e < edges && status == LBP_OK; e++) {
    status = lbp_models_check_value(J[e]);
    if (status == LBP_OK) status = lbp_models_check_value(beta * J[e]);
    if (ends[2 * e] >= n || ends[2 * e + 1] >= n || ends[2 * e] == ends[2 * e + 1]) status = LBP_E_INDEX;
  }
  if (status != LBP_OK) return status;
  m->n = n;
  m->states = states;
  m->values = lbp_p_potts_copy_values(n, states, values);
  m->start = (uint32_t *)calloc((size_t)n + 1, sizeof *m->start);
  m->link = (lbp_potts_link *)calloc((size_t)2 * edges + 1, sizeof *m->link);
  m->h = lbp_models_new_reals((size_t)n * states + LBP_P_POTTS_PAD);
  status = !m->values || !m->start || !m->link || !m->h ? LBP_E_MEMORY : LBP_OK;
  if (status == LBP_OK) {
    lbp_p_potts_fill(m, beta, edges, ends, J);
    lbp_p_potts_merge(m);
    for (i = 0; i < n && h; i++) {
      for (v = 0; v < m->values[i]; v++) m->h[(size_t)i * states + v] = (lbp_real)h[(size_t)i * states + v];
    }
    status = lbp_p_potts_exact(m);
    if (status == LBP_OK) status = lbp_p_potts_measure(m, h, beta, edges, ends, J);
    if (status == LBP_OK) status = lbp_models_check_rounding(m->rounding, 1.0);
    if (status == LBP_OK) status = lbp_p_potts_raise(m);
  }
  if (status != LBP_OK) lbp_potts_free(m);
  return status;
}

/* The ends of a grid's edges, site i = row * cols + col with those right and below, to ends[4 rows cols]; round: the
 * last row meets the first, the last column the first one. Returns how many edges. */
LBP_FN uint32_t lbp_p_potts_edges(uint32_t rows, uint32_t cols, int round, uint32_t *ends) {
  uint32_t row, col, e = 0, i = 0;
  for (row = 0; row < rows; row++) {
    for (col = 0; col < cols; col++, i++) {
      const int last_col = col + 1 == cols, last_row = row + 1 == rows;
      if (!last_col || (round && cols > 1)) ends[2 * e] = i, ends[2 * e + 1] = last_col ? i + 1 - cols : i + 1, e++;
      if (!last_row || (round && rows > 1)) ends[2 * e] = i, ends[2 * e + 1] = last_row ? col : i + cols, e++;
    }
  }
  return e;
}

/* The grid's model, with couplings beta, or beta times standard normal ones. */
LBP_FN int lbp_p_potts_grid(lbp_potts *m, uint32_t rows, uint32_t cols, uint32_t states, double beta, int round,
                            const double *h, lbp_rng *rng) {
  uint32_t *ends, edges, e;
  double *J;
  int status = LBP_E_MEMORY;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_models_check_sites(rows, cols) != LBP_OK || lbp_models_check_sites(2 * (uint64_t)rows, cols) != LBP_OK) {
    return LBP_E_SIZE;
  }
  if (round != 0 && round != 1) return LBP_E_RANGE;
  ends = (uint32_t *)calloc(4 * (size_t)rows, lbp_size_times(cols, sizeof *ends));
  J = (double *)calloc(2 * (size_t)rows, lbp_size_times(cols, sizeof *J));
  if (ends && J) {
    edges = lbp_p_potts_edges(rows, cols, round, ends);
    for (e = 0; e < edges; e++) J[e] = rng ? lbp_models_normal(rng) : 1.0;
    status = lbp_potts_init(m, rows * cols, states, NULL, h, beta, edges, ends, J);
  }
  free(ends);
  free(J);
  return status;
}

/* rows x cols sites of `states` values, site i = row * cols + col; those side by side have coupling beta, and with
 * round = 1 those at opposite ends of a row or column, too: a torus. (A grid of two columns has their coupling twice
 * then.) h: [rows cols][states], NULL: 0. Statuses as lbp_potts_init; LBP_E_RANGE: round is not 0 or 1. */
LBP_FN int lbp_potts_grid(lbp_potts *m, uint32_t rows, uint32_t cols, uint32_t states, double beta, int round,
                          const double *h) {
  return lbp_p_potts_grid(m, rows, cols, states, beta, round, h, NULL);
}

/* A glass: a torus with couplings beta J_ij, J_ij standard normal, no fields. Statuses as lbp_potts_grid. */
LBP_FN int lbp_potts_random(lbp_potts *m, uint32_t rows, uint32_t cols, uint32_t states, double beta, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  return lbp_p_potts_grid(m, rows, cols, states, beta, 1, NULL, &rng);
}

/* K_i -> LBP_CAT_STATES_OF. */
LBP_INLINE uint32_t lbp_potts_values(const lbp_potts *m, uint32_t i) { return m->values[i]; }

/* log pi(x), O(edges) -> LBP_LOGP. */
LBP_FN double lbp_potts_logp(const lbp_potts *m, const uint8_t *x) {
  double sum = 0.0;
  uint32_t i, k;
  for (i = 0; i < m->n; i++) {
    sum += (double)m->h[(size_t)i * m->states + x[i]];
    for (k = m->start[i]; k < m->start[i + 1]; k++) {
      const lbp_potts_link *link = &m->link[k];
      if (link->site > i && x[link->site] == x[i]) sum += (double)link->J;
    }
  }
  return sum;
}

/* out needs room for max_degree sites -> LBP_NEIGHBOURS. */
LBP_FN uint32_t lbp_potts_neighbours(const lbp_potts *m, uint32_t i, uint32_t *out) {
  const uint32_t first = m->start[i], count = m->start[i + 1] - first;
  uint32_t k;
  for (k = 0; k < count; k++) out[k] = m->link[first + k].site;
  return count;
}

/* The neighbours of site i; returns how many -> LBP_CAT_PAIRS. */
LBP_FN uint32_t lbp_potts_pairs(const lbp_potts *m, uint32_t i, uint32_t *site) {
  return lbp_potts_neighbours(m, i, site);
}

/* beta J_ij [v = w], j the k-th of these -> LBP_CAT_PAIR. */
LBP_INLINE lbp_real lbp_potts_pair(const lbp_potts *m, uint32_t i, uint32_t k, uint32_t v, uint32_t w) {
  return v == w ? m->link[m->start[i] + k].J : 0;
}

/* out[v] = h_i(v) for all values of site i -> LBP_CAT_FIELD. */
LBP_INLINE void lbp_potts_field(const lbp_potts *m, uint32_t i, lbp_real *out) {
  memcpy(out, m->h + (size_t)i * m->states, m->values[i] * sizeof *out);
}

#if LBP_P_FOURS
/* Reads numbers first ... first + 3 of a row of K; 0 from K on. LBP_P_POTTS_PAD numbers stand behind the last row. */
LBP_INLINE void lbp_p_potts_read(const void *row, uint32_t first, uint32_t K, lbp_floats *to) {
  const lbp_ints within = {-(int32_t)(first < K), -(int32_t)(first + 1 < K), -(int32_t)(first + 2 < K),
                           -(int32_t)(first + 3 < K)};
  memcpy(to, (const float *)row + first, sizeof *to);
  *to = (lbp_floats)((lbp_ints)*to & within);
}

/* Multiplies by a factor the numbers that `where` marks by -1. Multiplies before it selects: a sweep waits for `where`,
 * the value just drawn. */
LBP_INLINE void lbp_p_times_where(lbp_floats *v, float factor, const lbp_ints *where) {
#if defined __SSE4_1__ /* with AVX-512 gcc makes slower operations of the other form */
  *v = __builtin_ia32_blendvps(*v, *v * factor, (lbp_floats)*where);
#else
  const lbp_ints old = (lbp_ints)*v, product = (lbp_ints)(*v * factor);
  *v = (lbp_floats)(((old ^ product) & *where) ^ old);
#endif
}

/* lbp_potts_deltas_k for floats of K <= 8 values: sums stay in registers, since a sum just stored is waited for. Unless
 * power is NULL the model has powers, which go to power[4], or power[8] if K > 4. From the last link to the first: of
 * sites drawn in order those before i come last, and the one just before it has only just been drawn. */
LBP_INLINE void lbp_p_potts_fours(const lbp_potts *m, const uint8_t *x, uint32_t i, uint32_t K, lbp_real *out,
                                  float *power) {
  const uint32_t first = m->start[i];
  const size_t row = (size_t)i * K;
  const lbp_ints values = {0, 1, 2, 3}, none = {0, 0, 0, 0}, value = none + (int32_t)x[i];
  lbp_floats low = {0, 0, 0, 0}, high = low, low_power = low, high_power = low;
  lbp_floats own = (lbp_floats)none + (float)m->h[row + x[i]]; /* the present value's */
  uint32_t k, v;
  lbp_p_potts_read(m->h + row, 0, K, &low);
  if (K > 4) lbp_p_potts_read(m->h + row, 4, K, &high);
  if (power) lbp_p_potts_read(m->power + row, 0, K, &low_power);
  if (power && K > 4) lbp_p_potts_read(m->power + row, 4, K, &high_power);
  for (k = m->start[i + 1]; k-- > first;) {
    const float J = (float)m->link[k].J;
    const lbp_ints other = none + (int32_t)x[m->link[k].site], here = values == other, there = values + 4 == other;
    int32_t bits;
    memcpy(&bits, &J, sizeof bits);
    low += (lbp_floats)(here & bits);
    if (K > 4) high += (lbp_floats)(there & bits);
    if (!power) own += (lbp_floats)((other == value) & bits); /* a comparison of two numbers would be a branch */
    if (power) lbp_p_times_where(&low_power, m->link_power[k], &here);
    if (power && K > 4) lbp_p_times_where(&high_power, m->link_power[k], &there);
  }
  if (power) { /* log-ratios are not waited for: the same sum from memory */
    float sum[8];
    memcpy(sum, &low, sizeof low);
    if (K > 4) memcpy(sum + 4, &high, sizeof high);
    own = (lbp_floats)none + sum[x[i]];
  }
  low -= own;
  high -= own;
  for (v = 0; v < K && v < 4; v++) out[v] = (lbp_real)low[v];
  for (; v < K; v++) out[v] = (lbp_real)high[v - 4];
  if (power) memcpy(power, &low_power, sizeof low_power);
  if (power && K > 4) memcpy(power + 4, &high_power, sizeof high_power);
}
#endif

/* Writes the log-ratios of site i if all sites have K values: faster if K is a constant. */
LBP_INLINE void lbp_potts_deltas_k(const lbp_potts *m, const uint8_t *x, uint32_t i, uint32_t K, lbp_real *out) {
  const lbp_potts_link *link = m->link + m->start[i], *end = m->link + m->start[i + 1];
#if LBP_P_FOURS
  if (sizeof(lbp_real) == sizeof(float) && K <= 8) {
    lbp_p_potts_fours(m, x, i, K, out, NULL);
    return;
  }
#endif
  memcpy(out, m->h + (size_t)i * K, K * sizeof *out);
  for (; link < end; link++) out[x[link->site]] += link->J;
  lbp_p_potts_ratios(out, x[i], K, out);
}

/* The log-ratios of all values of site i, O(K_i + degree) -> LBP_CAT_DELTAS_OF. */
LBP_INLINE void lbp_potts_deltas_of(const lbp_potts *m, const uint8_t *x, uint32_t i, lbp_real *out) {
  const lbp_potts_link *link = m->link + m->start[i], *end = m->link + m->start[i + 1];
  const uint32_t count = m->values[i];
  memcpy(out, m->h + (size_t)i * m->states, count * sizeof *out);
  for (; link < end; link++) {
    const uint32_t v = x[link->site];
    if (v < count) out[v] += link->J;
  }
  lbp_p_potts_ratios(out, x[i], count, out);
}

/* Writes power[count] of site i, in proportion to the exponentials of its log-ratios, out[count]. */
LBP_INLINE void lbp_p_potts_powers(const lbp_potts *m, const uint8_t *x, uint32_t i, uint32_t count,
                                   const lbp_real *out, float *power) {
  uint32_t k, v;
  if (!m->power) {
    for (v = 0; v < count; v++) power[v] = lbp_exp_roughly(lbp_clamp((float)out[v], 80.0f));
    return;
  }
  memcpy(power, m->power + (size_t)i * m->states, count * sizeof *power);
  for (k = m->start[i]; k < m->start[i + 1]; k++) {
    v = x[m->link[k].site];
    if (v < count) power[v] *= m->link_power[k];
  }
}

/* lbp_potts_powers if all sites have K values: faster if K is a constant, at most 8. power[8] if K < 8. */
LBP_INLINE void lbp_potts_powers_k(const lbp_potts *m, const uint8_t *x, uint32_t i, uint32_t K, lbp_real *out,
                                   float *power) {
#if LBP_P_FOURS
  if (sizeof(lbp_real) == sizeof(float) && K <= 8 && m->power) {
    lbp_p_potts_fours(m, x, i, K, out, power);
    return;
  }
#endif
  lbp_potts_deltas_k(m, x, i, K, out);
  lbp_p_potts_powers(m, x, i, K, out, power);
}

/* The log-ratios of all values of site i, and powers in proportion to their exponentials, O(K_i + degree): products of
 * numbers that the model keeps, or exponentials where couplings and fields of a site add up to more than 40, or it has
 * more than 40 neighbours -> LBP_CAT_POWERS_OF. */
LBP_INLINE void lbp_potts_powers(const lbp_potts *m, const uint8_t *x, uint32_t i, lbp_real *out, float *power) {
  lbp_potts_deltas_of(m, x, i, out);
  lbp_p_potts_powers(m, x, i, m->values[i], out, power);
}

/* One of them, O(degree) -> LBP_CAT_DELTA. */
LBP_INLINE lbp_real lbp_potts_delta(const lbp_potts *m, const uint8_t *x, uint32_t i, uint32_t v) {
  const lbp_potts_link *link = m->link + m->start[i], *end = m->link + m->start[i + 1];
  const lbp_real *h = m->h + (size_t)i * m->states;
  const uint32_t own = x[i];
  lbp_real sum = h[v] - h[own];
  for (; link < end; link++) { /* no branch */
    const uint32_t value = x[link->site];
    sum += link->J * (lbp_real)((int)(value == v) - (int)(value == own));
  }
  return sum;
}

/* The same log-ratios from fields F_i(v) = h_i(v) + sum_j J_ij [x_j = v]: a change costs two additions a neighbour, a
 * site's log-ratios O(K_i) whatever its degree.
 *
 *   #define LBP_FIELDS_T      lbp_potts_fields
 *   #define LBP_FIELDS_INIT   lbp_potts_fields_set
 *   #define LBP_FIELDS_MAKE   lbp_potts_fields_init
 *   #define LBP_FIELDS_FREE   lbp_potts_fields_free
 *   #define LBP_CAT_CHANGE    lbp_potts_change
 *   #define LBP_CAT_DELTAS_OF lbp_potts_fields_deltas_of
 *   #define LBP_CAT_DELTA     lbp_potts_fields_delta
 *   #define LBP_LOGP          lbp_potts_fields_logp
 */
typedef struct {
  lbp_real *F; /* [n][states]; beyond K_i of no meaning */
} lbp_potts_fields;

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_potts_fields_free(lbp_potts_fields *f) {
  if (!f) return;
  free(f->F);
  memset(f, 0, sizeof *f);
}

/* Allocates one chain's fields; NAME_init or lbp_potts_fields_set fills them. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_MEMORY. */
LBP_FN int lbp_potts_fields_init(const lbp_potts *m, lbp_potts_fields *f) {
  if (!f) return LBP_E_NULL;
  memset(f, 0, sizeof *f);
  if (!m || !m->link) return LBP_E_NULL;
  f->F = lbp_models_new_reals((size_t)m->n * m->states);
  return f->F ? LBP_OK : LBP_E_MEMORY;
}

/* Computes the fields of x from scratch -> LBP_FIELDS_INIT. */
LBP_FN void lbp_potts_fields_set(const lbp_potts *m, lbp_potts_fields *f, const uint8_t *x) {
  uint32_t i, k;
  memcpy(f->F, m->h, (size_t)m->n * m->states * sizeof *f->F);
  for (i = 0; i < m->n; i++) {
    for (k = m->start[i]; k < m->start[i + 1]; k++) f->F[(size_t)i * m->states + x[m->link[k].site]] += m->link[k].J;
  }
}

/* x[i] has changed from `old`: J moves from the old to the new value at each neighbour -> LBP_CAT_CHANGE. */
LBP_INLINE void lbp_potts_change(const lbp_potts *m, lbp_potts_fields *f, const uint8_t *x, uint32_t i, uint32_t old) {
  const lbp_potts_link *link = m->link + m->start[i], *end = m->link + m->start[i + 1];
  const uint32_t value = x[i];
  for (; link < end; link++) {
    lbp_real *F = f->F + (size_t)link->site * m->states;
    F[old] -= link->J;
    F[value] += link->J;
  }
}

/* log pi(x) from the fields, which have each edge twice, O(n) -> LBP_LOGP. */
LBP_FN double lbp_potts_fields_logp(const lbp_potts *m, const lbp_potts_fields *f, const uint8_t *x) {
  double sum = 0.0;
  size_t i;
  for (i = 0; i < m->n; i++) sum += (double)m->h[i * m->states + x[i]] + (double)f->F[i * m->states + x[i]];
  return sum / 2.0;
}

/* Writes those of site i from the fields, if all sites have K values: faster if K is a constant. */
LBP_INLINE void lbp_potts_fields_deltas_k(const lbp_potts *m, const lbp_potts_fields *f, const uint8_t *x, uint32_t i,
                                          uint32_t K, lbp_real *out) {
  (void)m;
  lbp_p_potts_ratios(f->F + (size_t)i * K, x[i], K, out);
}

/* The log-ratios of all values of site i -> LBP_CAT_DELTAS_OF. */
LBP_INLINE void lbp_potts_fields_deltas_of(const lbp_potts *m, const lbp_potts_fields *f, const uint8_t *x, uint32_t i,
                                        lbp_real *out) {
  lbp_p_potts_ratios(f->F + (size_t)i * m->states, x[i], m->values[i], out);
}

/* One of them -> LBP_CAT_DELTA. */
LBP_INLINE lbp_real lbp_potts_fields_delta(const lbp_potts *m, const lbp_potts_fields *f, const uint8_t *x, uint32_t i,
                                           uint32_t v) {
  const lbp_real *F = f->F + (size_t)i * m->states;
  return F[v] - F[x[i]];
}

/* ---- dense Potts model ----------------------------------------------------------------------------------------------
 *
 *   log pi(x) = sum over i < j of J_ij(x_i, x_j) + sum_i h_i(x_i)
 *
 * n sites of q = `states` values each. Fields per chain, F_i(v) = h_i(v) + sum_j J_ij(v, x_j):
 *
 *   #define LBP_FIELDS_T      lbp_potts_dense_fields
 *   #define LBP_FIELDS_INIT   lbp_potts_dense_fields_set
 *   #define LBP_FIELDS_MAKE   lbp_potts_dense_fields_init
 *   #define LBP_FIELDS_FREE   lbp_potts_dense_fields_free
 *   #define LBP_CAT_STATES    21                        q: rows of what LBP_DELTAS writes have this length
 *   #define LBP_CAT_CHANGE    lbp_potts_dense_change
 *   #define LBP_DELTAS        lbp_potts_dense_deltas
 *   #define LBP_CAT_DELTAS_OF lbp_potts_dense_deltas_of
 *   #define LBP_CAT_DELTA     lbp_potts_dense_delta
 *   #define LBP_SAVE          lbp_potts_dense_save
 *   #define LBP_RESTORE       lbp_potts_dense_restore
 *   #define LBP_LOGP          lbp_potts_dense_logp
 *
 * A row of J for each (j, w) has all that x_j = w adds to fields, so that a change adds one row and takes one away.
 * Parameters are rounded as those of lbp_potts are, to multiples of one step: fields are exact functions of x. */

typedef struct {
  uint32_t  n, states;  /* sites, values */
  size_t    stride;     /* of rows: n * states, and some zeros for their ends to be alike */
  lbp_real *h;          /* [n][states] */
  lbp_real *J;          /* [n][states][stride]: J_ij(v, w) at ((j * states + w) * stride + i * states + v) */
  double    rounding;   /* change of log-ratios by rounding -> LBP_ROUNDING: the most, or four standard deviations */
  void     *memory;     /* the memory of both */
} lbp_potts_dense;

typedef struct {
  lbp_real *F, *saved;  /* [stride] F_i(v) at i * states + v */
  void     *memory;
} lbp_potts_dense_fields;

/* How many couplings there are: those of each pair of sites. */
LBP_FN size_t lbp_potts_dense_couplings(uint32_t n, uint32_t states) {
  return (size_t)n * (n - 1) / 2 * states * states;
}

/* Where the couplings of i < j begin among them: pairs (0, 1), (0, 2) ... (1, 2) ..., the value of i slow. */
LBP_FN size_t lbp_potts_dense_pair(uint32_t n, uint32_t states, uint32_t i, uint32_t j) {
  return ((size_t)i * (2 * (size_t)n - i - 1) / 2 + (j - i - 1)) * states * states;
}

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_potts_dense_free(lbp_potts_dense *m) {
  if (!m) return;
  free(m->memory);
  memset(m, 0, sizeof *m);
}

/* Room for a model's numbers, all 0. LBP_E_SIZE: no site, or more than 2^31 - 1 numbers; LBP_E_RANGE: states is not
 * 1 ... 256; LBP_E_MEMORY. */
LBP_FN int lbp_p_potts_dense_new(lbp_potts_dense *m, uint32_t n, uint32_t states) {
  const uint64_t length = lbp_models_padded((uint64_t)n * states);
  const int status = lbp_p_potts_check(n, states, NULL);
  if (status != LBP_OK) return status;
  if (lbp_models_check_sites(length, (uint64_t)n * states + 1) != LBP_OK) return LBP_E_SIZE;
  m->h = lbp_models_new_lines((size_t)length * ((size_t)n * states + 1), &m->memory);
  if (!m->h) return LBP_E_MEMORY;
  m->J = m->h + length;
  m->n = n;
  m->states = states;
  m->stride = (size_t)length;
  return LBP_OK;
}

/* Row (j, w), whose numbers up to site j are in the rows of others already, gets those from couplings beyond. */
LBP_FN void lbp_p_potts_dense_mirror(lbp_potts_dense *m, uint32_t j) {
  const size_t q = m->states;
  size_t i, v, w;
  for (i = 0; i < j; i++) { /* J_ij(v, w) = J_ji(w, v) */
    for (w = 0; w < q; w++) {
      lbp_real *to = m->J + (j * q + w) * m->stride + i * q;
      const lbp_real *from = m->J + i * q * m->stride + j * q + w;
      for (v = 0; v < q; v++) to[v] = from[v * m->stride];
    }
  }
}

/* The largest reach of a field: max over i, v of |h_i(v)| + sum_j max_w |J_ij(v, w)|. */
LBP_FN double lbp_p_potts_dense_reach(const lbp_potts_dense *m) {
  const size_t q = m->states;
  double reach = 0.0;
  size_t k, j, w;
  for (k = 0; k < m->n * q; k++) { /* row k: the couplings of value k % q of site k / q; J is symmetric */
    const lbp_real *row = m->J + k * m->stride;
    double sum = fabs((double)m->h[k]);
    for (j = 0; j < m->n; j++, row += q) {
      lbp_real largest = 0;
      for (w = 0; w < q; w++) {
        const lbp_real size = row[w] < 0 ? -row[w] : row[w];
        largest = size > largest ? size : largest;
      }
      sum += (double)largest;
    }
    reach = sum > reach ? sum : reach;
  }
  return reach;
}

/* Errors of the fields and couplings of a site's values, by rounding. */
typedef struct {
  double field;            /* the largest of a field */
  double largest, squares; /* of a coupling; the sum of squares of those of one value, of the value with most */
} lbp_p_potts_blur;

/* How far a site's log-ratios are off: by two fields, and two couplings of each other site. Where these are many,
 * errors hardly ever all point the same way: four standard deviations are enough, if no single pair is more. */
LBP_FN double lbp_p_potts_dense_off(const lbp_potts_dense *m, const lbp_p_potts_blur *b) {
  const double most = 2.0 * m->n * b->largest, spread = 4.0 * sqrt(2.0 * b->squares / m->states);
  const double off = spread > 2.0 * b->largest ? spread : 2.0 * b->largest;
  return 2.0 * b->field + (off < most ? off : most);
}

/* Rounds `count` numbers to multiples of step; *largest and *squares grow by their errors. */
LBP_FN void lbp_p_potts_dense_round(lbp_real *v, size_t count, double step, double *largest, double *squares) {
  size_t k;
  for (k = 0; k < count; k++) {
    const lbp_real was = v[k];
    double error;
    v[k] = lbp_p_potts_round(was, (lbp_real)step, (lbp_real)(1.0 / step));
    error = fabs((double)v[k] - (double)was);
    *largest = error > *largest ? error : *largest;
    *squares += error * error;
  }
}

/* Rounds h and the couplings, of which rows (i, v) have those beyond site i, and mirrors them. */
LBP_FN void lbp_p_potts_dense_finish(lbp_potts_dense *m) {
  const size_t q = m->states;
  double step;
  uint32_t i, v;
  for (i = 1; i < m->n; i++) lbp_p_potts_dense_mirror(m, i);
  step = lbp_p_potts_step(lbp_p_potts_dense_reach(m));
  m->rounding = 0.0;
  for (i = 0; i < m->n; i++) {
    lbp_p_potts_blur b = {0.0, 0.0, 0.0};
    double off, unused = 0.0;
    lbp_p_potts_dense_round(m->h + i * q, q, step, &b.field, &unused);
    for (v = 0; v < q; v++) { /* row (i, v): the couplings of value v */
      double squares = 0.0;
      lbp_p_potts_dense_round(m->J + (i * q + v) * m->stride, m->n * q, step, &b.largest, &squares);
      b.squares = squares > b.squares ? squares : b.squares;
    }
    off = lbp_p_potts_dense_off(m, &b);
    m->rounding = off > m->rounding ? off : m->rounding;
  }
}

/* Gives a model that a constructor made other parameters, as lbp_potts_dense_init takes them, J NULL: 0; chains of it
 * are to be touched. They must be finite and within 1e12, which is not looked at; nor is m->rounding, which becomes
 * theirs: see lbp_models_check_rounding. O((n q)^2). */
LBP_FN void lbp_potts_dense_set(lbp_potts_dense *m, const lbp_real *h, const lbp_real *J) {
  const size_t q = m->states;
  uint32_t i, v, j;
  memcpy(m->h, h, m->n * q * sizeof *h);
  if (!J) memset(m->J, 0, m->n * q * m->stride * sizeof *m->J);
  for (i = 0; i < m->n && J; i++) {
    for (j = i + 1; j < m->n; j++) {
      const lbp_real *from = J + lbp_potts_dense_pair(m->n, m->states, i, j);
      for (v = 0; v < q; v++) memcpy(m->J + (i * q + v) * m->stride + j * q, from + v * q, q * sizeof *from);
    }
  }
  lbp_p_potts_dense_finish(m);
}

/* Whether h[n states] and J, lbp_potts_dense_couplings of them or NULL, may be a model's: LBP_OK, or of the first that
 * may not LBP_E_NOT_FINITE or LBP_E_RANGE, beyond LBP_MODELS_LARGEST. */
LBP_FN int lbp_potts_dense_check_values(uint32_t n, uint32_t states, const lbp_real *h, const lbp_real *J) {
  const size_t sites = (size_t)n * states, count = J ? lbp_potts_dense_couplings(n, states) : 0;
  int status = LBP_OK;
  size_t k;
  for (k = 0; k < sites && status == LBP_OK; k++) status = lbp_models_check_value((double)h[k]);
  for (k = 0; k < count && status == LBP_OK; k++) status = lbp_models_check_value((double)J[k]);
  return status;
}

/* h: [n][states]; J: [n (n - 1) / 2][states][states], the pairs in the order (0, 1), (0, 2) ... (1, 2) ..., the value
 * of the lower site slow; NULL: 0. Numbers are rounded by at most 2^-22 (2^-51 in double) of the largest that a field
 * can be. Memory: (n states)^2 numbers. LBP_E_NULL; LBP_E_SIZE: no site, or (n states)^2 beyond 2^31 - 1; LBP_E_RANGE:
 * states is not 1 ... 256, a number beyond 1e12; LBP_E_NOT_FINITE; LBP_E_PRECISION: rounding moves log-ratios by more
 * than 1e-3; LBP_E_MEMORY. */
LBP_FN int lbp_potts_dense_init(lbp_potts_dense *m, uint32_t n, uint32_t states, const lbp_real *h, const lbp_real *J) {
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!h) return LBP_E_NULL;
  status = lbp_p_potts_dense_new(m, n, states);
  if (status != LBP_OK) return status;
  status = lbp_potts_dense_check_values(n, states, h, J);
  if (status == LBP_OK) {
    lbp_potts_dense_set(m, h, J);
    status = lbp_models_check_rounding(m->rounding, 1.0);
  }
  if (status != LBP_OK) lbp_potts_dense_free(m);
  return status;
}

/* Normal parameters: h with standard deviation 1, J with coupling / sqrt(n). LBP_E_NULL; LBP_E_SIZE; LBP_E_RANGE:
 * states or coupling; LBP_E_NOT_FINITE; LBP_E_PRECISION as lbp_potts_dense_init; LBP_E_MEMORY. */
LBP_FN int lbp_potts_dense_random(lbp_potts_dense *m, uint32_t n, uint32_t states, double coupling, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  size_t i, j, v, w;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  status = lbp_models_check_value(coupling);
  if (status == LBP_OK) status = lbp_p_potts_dense_new(m, n, states);
  if (status != LBP_OK) return status;
  for (i = 0; i < (size_t)n * states; i++) m->h[i] = (lbp_real)lbp_models_normal(&rng);
  for (i = 0; i < n; i++) {
    for (j = i + 1; j < n; j++) {
      for (v = 0; v < states; v++) {
        lbp_real *row = m->J + (i * states + v) * m->stride + j * states;
        for (w = 0; w < states; w++) row[w] = (lbp_real)(coupling / sqrt((double)n) * lbp_models_normal(&rng));
      }
    }
  }
  lbp_p_potts_dense_finish(m);
  status = lbp_models_check_rounding(m->rounding, 1.0);
  if (status != LBP_OK) lbp_potts_dense_free(m);
  return status;
}

/* J_ij(v, w), of different sites. */
LBP_INLINE lbp_real lbp_potts_dense_coupling(const lbp_potts_dense *m, uint32_t i, uint32_t v, uint32_t j, uint32_t w) {
  return m->J[((size_t)j * m->states + w) * m->stride + (size_t)i * m->states + v];
}

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_potts_dense_fields_free(lbp_potts_dense_fields *f) {
  if (!f) return;
  free(f->memory);
  memset(f, 0, sizeof *f);
}

/* Allocates one chain's fields; NAME_init or lbp_potts_dense_fields_set fills them. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_MEMORY. */
LBP_FN int lbp_potts_dense_fields_init(const lbp_potts_dense *m, lbp_potts_dense_fields *f) {
  if (!f) return LBP_E_NULL;
  memset(f, 0, sizeof *f);
  if (!m || !m->J) return LBP_E_NULL;
  f->F = lbp_models_new_lines(2 * m->stride, &f->memory);
  if (!f->F) return LBP_E_MEMORY;
  f->saved = f->F + m->stride;
  return LBP_OK;
}

/* Computes the fields of x from scratch, four rows at a time -> LBP_FIELDS_INIT. */
LBP_FN void lbp_potts_dense_fields_set(const lbp_potts_dense *m, lbp_potts_dense_fields *f, const uint8_t *x) {
  const size_t q = m->states, stride = m->stride;
  lbp_real *F = f->F;
  size_t j, k;
  memcpy(F, m->h, stride * sizeof *F);
  for (j = 0; j + 4 <= m->n; j += 4) {
    const lbp_real *a = m->J + (j * q + x[j]) * stride, *b = m->J + ((j + 1) * q + x[j + 1]) * stride;
    const lbp_real *c = m->J + ((j + 2) * q + x[j + 2]) * stride, *d = m->J + ((j + 3) * q + x[j + 3]) * stride;
    for (k = 0; k < stride; k++) F[k] += (a[k] + b[k]) + (c[k] + d[k]);
  }
  for (; j < m->n; j++) {
    const lbp_real *a = m->J + (j * q + x[j]) * stride;
    for (k = 0; k < stride; k++) F[k] += a[k];
  }
}

/* x[i] has changed from `old`: the fields follow, O(n states) -> LBP_CAT_CHANGE. */
LBP_INLINE void lbp_potts_dense_change(const lbp_potts_dense *m, lbp_potts_dense_fields *f, const uint8_t *x,
                                       uint32_t i, uint32_t old) {
  const lbp_real *in = m->J + ((size_t)i * m->states + x[i]) * m->stride;
  const lbp_real *out = m->J + ((size_t)i * m->states + old) * m->stride;
  lbp_models_exchange_rows(f->F, in, out, m->stride);
}

/* Keeps the fields for lbp_potts_dense_restore -> LBP_SAVE, LBP_RESTORE. */
LBP_INLINE void lbp_potts_dense_save(const lbp_potts_dense *m, lbp_potts_dense_fields *f) {
  memcpy(f->saved, f->F, m->stride * sizeof *f->F);
}

/* Restores the fields of lbp_potts_dense_save, once. */
LBP_INLINE void lbp_potts_dense_restore(const lbp_potts_dense *m, lbp_potts_dense_fields *f) {
  lbp_real *kept = f->saved;
  (void)m;
  f->saved = f->F;
  f->F = kept;
}

/* log pi(x) from the fields, which have each coupling twice, O(n) -> LBP_LOGP. */
LBP_FN double lbp_potts_dense_logp(const lbp_potts_dense *m, const lbp_potts_dense_fields *f, const uint8_t *x) {
  double sum = 0.0;
  size_t i;
  for (i = 0; i < m->n; i++) sum += (double)m->h[i * m->states + x[i]] + (double)f->F[i * m->states + x[i]];
  return sum / 2.0;
}

/* All n * states log-ratios, exact -> LBP_DELTAS. */
LBP_INLINE void lbp_potts_dense_deltas(const lbp_potts_dense *m, const lbp_potts_dense_fields *f, const uint8_t *x,
                                       lbp_real *out) {
  const size_t q = m->states;
  size_t i;
  for (i = 0; i < m->n; i++) lbp_p_potts_ratios(f->F + i * q, x[i], m->states, out + i * q);
}

/* Writes those of site i, of K = `states` values: faster if K is a constant. */
LBP_INLINE void lbp_potts_dense_deltas_k(const lbp_potts_dense *m, const lbp_potts_dense_fields *f, const uint8_t *x,
                                         uint32_t i, uint32_t K, lbp_real *out) {
  (void)m;
  lbp_p_potts_ratios(f->F + (size_t)i * K, x[i], K, out);
}

/* Those of site i -> LBP_CAT_DELTAS_OF. */
LBP_INLINE void lbp_potts_dense_deltas_of(const lbp_potts_dense *m, const lbp_potts_dense_fields *f, const uint8_t *x,
                                          uint32_t i, lbp_real *out) {
  lbp_p_potts_ratios(f->F + (size_t)i * m->states, x[i], m->states, out);
}

/* One of them -> LBP_CAT_DELTA. */
LBP_INLINE lbp_real lbp_potts_dense_delta(const lbp_potts_dense *m, const lbp_potts_dense_fields *f, const uint8_t *x,
                                          uint32_t i, uint32_t v) {
  const lbp_real *F = f->F + (size_t)i * m->states;
  return F[v] - F[x[i]];
}

/* ---- gauge and contacts ------------------------------------------------------------------------------------------ */

/* The block J_ij(v, w) in zero-sum gauge, to block [states][states]; the parts that belong to the fields of i and j are
 * added to hi[states] and hj[states], which may be NULL. */
LBP_FN void lbp_p_potts_dense_block(const lbp_potts_dense *m, uint32_t i, uint32_t j, double *block, double *hi,
                                    double *hj) {
  const uint32_t q = m->states;
  double row[LBP_POTTS_MOST] = {0}, col[LBP_POTTS_MOST] = {0}, mean = 0.0;
  uint32_t v, w;
  for (v = 0; v < q; v++) {
    for (w = 0; w < q; w++) {
      const double J = (double)lbp_potts_dense_coupling(m, i, v, j, w);
      block[v * q + w] = J;
      row[v] += J / q;
      col[w] += J / q;
    }
    mean += row[v] / q;
  }
  for (v = 0; v < q; v++) {
    for (w = 0; w < q; w++) block[v * q + w] -= row[v] + col[w] - mean;
    if (hi) hi[v] += row[v] - mean;
    if (hj) hj[v] += col[v] - mean;
  }
}

/* Brings the model into zero-sum gauge: couplings of a pair, and fields of a site, sum to 0 over each value. log pi
 * changes by a constant and by rounding, which m->rounding then counts, too: see lbp_models_check_rounding. Returns
 * LBP_OK, or LBP_E_NULL, LBP_E_MEMORY. */
LBP_FN int lbp_potts_dense_zero_sum(lbp_potts_dense *m) {
  double *block, *h, before;
  uint32_t q, i, j, v, w;
  if (!m || !m->J) return LBP_E_NULL;
  q = m->states;
  block = (double *)calloc(q, q * sizeof *block);
  h = (double *)calloc(m->n, q * sizeof *h);
  if (!block || !h) {
    free(block);
    free(h);
    return LBP_E_MEMORY;
  }
  for (i = 0; i < m->n; i++) {
    for (j = i + 1; j < m->n; j++) {
      lbp_p_potts_dense_block(m, i, j, block, h + (size_t)i * q, h + (size_t)j * q);
      for (v = 0; v < q; v++) {
        lbp_real *row = m->J + ((size_t)i * q + v) * m->stride + (size_t)j * q;
        for (w = 0; w < q; w++) row[w] = (lbp_real)block[v * q + w];
      }
    }
  }
  for (i = 0; i < m->n; i++) {
    double *site = h + (size_t)i * q, mean = 0.0;
    lbp_real *to = m->h + (size_t)i * q;
    for (v = 0; v < q; v++) site[v] += (double)to[v];
    for (v = 0; v < q; v++) mean += site[v] / q;
    for (v = 0; v < q; v++) to[v] = (lbp_real)(site[v] - mean);
  }
  before = m->rounding;
  lbp_p_potts_dense_finish(m);
  m->rounding += before;
  free(block);
  free(h);
  return LBP_OK;
}

/* How strongly each pair of sites is coupled, to score[n][n], symmetric with 0 on the diagonal: the Frobenius norm of
 * its couplings in zero-sum gauge, without those of value `without` (the gap's; states or more: with all), less the
 * average product correction, mean_i mean_j / mean. LBP_E_NULL; LBP_E_SIZE: fewer than 3 sites; LBP_E_MEMORY. */
LBP_FN int lbp_potts_dense_contacts(const lbp_potts_dense *m, uint32_t without, double *score) {
  double *block, *mean, all = 0.0;
  uint32_t q, n, i, j, v, w;
  if (!m || !m->J || !score) return LBP_E_NULL;
  q = m->states, n = m->n;
  if (n < 3) return LBP_E_SIZE;
  block = (double *)calloc(q, q * sizeof *block);
  mean = (double *)calloc(n, sizeof *mean);
  if (!block || !mean) {
    free(block);
    free(mean);
    return LBP_E_MEMORY;
  }
  for (i = 0; i < n; i++) {
    score[(size_t)i * n + i] = 0.0;
    for (j = i + 1; j < n; j++) {
      double sum = 0.0;
      lbp_p_potts_dense_block(m, i, j, block, NULL, NULL);
      for (v = 0; v < q; v++) {
        for (w = 0; w < q; w++) sum += v == without || w == without ? 0.0 : block[v * q + w] * block[v * q + w];
      }
      score[(size_t)i * n + j] = score[(size_t)j * n + i] = sqrt(sum);
    }
  }
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) mean[i] += score[(size_t)i * n + j] / (n - 1);
    all += mean[i] / n;
  }
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      if (i != j && all > 0.0) score[(size_t)i * n + j] -= mean[i] * mean[j] / all;
    }
  }
  free(block);
  free(mean);
  return LBP_OK;
}

LBP_EXACT_END

#endif /* LBP_POTTS_H */
