/* A small random model that is a sum of terms, given to lbp.h as such (LBP_TERM) and by log-ratios (LBP_DELTA), which come
 * from log pi of both states. All values are multiples of 2^-6, or -infinity: sums are exact in any order, in float, too.
 *
 * A term's value is in a table with LBP_TERM_MAX digits to the base of 4; terms of no sites are among them. */
#ifndef WEB_H
#define WEB_H

#include <math.h>

#include "../lbp.h"

#define WEB_VALUES 4 /* LBP_CAT_STATES is no enum constant */
enum { WEB_SITES = 6, WEB_TERMS = 12, WEB_ARITY = 5, WEB_CELLS = 1024, WEB_STATES = 4096 };
#define WEB_INFINITY HUGE_VAL

typedef struct {
  uint32_t n, terms, K[WEB_SITES], arity[WEB_TERMS], site[WEB_TERMS][WEB_ARITY];
  double table[WEB_TERMS][WEB_CELLS], own[WEB_SITES][WEB_VALUES];
  double unit;
} web;

LBP_FN uint32_t web_below(lbp_rng *rng, uint32_t n) { return (uint32_t)lbp_mulhi(lbp_rng_u64(rng), n); }

LBP_FN double web_number(lbp_rng *rng) { return ((double)web_below(rng, 129) - 64) / 64; }

/* n sites of 2 values, or of 1 to `values` each; so many terms of 0 to `arity` sites. hard: one value in eight of a term
 * is impossible, but none of those where all sites have the value 0. */
LBP_FN void web_make(web *m, uint32_t n, uint32_t values, uint32_t terms, uint32_t arity, int hard, uint64_t seed) {
  lbp_rng rng;
  uint32_t t, k, j, i, v;
  lbp_rng_init(&rng, seed, 77);
  memset(m, 0, sizeof *m);
  m->n = n;
  m->terms = terms;
  m->unit = 1.0 / 64;
  for (i = 0; i < n; i++) {
    m->K[i] = values > 2 ? 1 + web_below(&rng, values) : 2;
    for (v = 0; v < WEB_VALUES; v++) m->own[i][v] = web_number(&rng);
  }
  for (t = 0; t < terms; t++) {
    m->arity[t] = web_below(&rng, (arity < n ? arity : n) + 1);
    for (k = 0; k < m->arity[t]; k++) {
      do {
        m->site[t][k] = web_below(&rng, n);
        for (j = 0; j < k && m->site[t][j] != m->site[t][k];) j++;
      } while (j < k);
    }
    for (j = 0; j < WEB_CELLS; j++) m->table[t][j] = web_number(&rng);
    for (j = 1; j < WEB_CELLS && hard; j++) {
      if (web_below(&rng, 8) == 0) m->table[t][j] = -WEB_INFINITY;
    }
  }
}

/* ---- by terms ---------------------------------------------------------------------------------------------------- */

LBP_FN uint32_t web_values(const web *m, uint32_t i) { return m->K[i]; }

LBP_FN uint32_t web_sites(const web *m, uint32_t t, uint32_t *out) {
  uint32_t k;
  for (k = 0; k < m->arity[t]; k++) out[k] = m->site[t][k];
  return m->arity[t];
}

LBP_FN double web_term(const web *m, uint32_t t, const uint8_t *v) {
  uint32_t k, cell = 0;
  for (k = 0; k < m->arity[t]; k++) cell = cell * WEB_VALUES + v[k];
  return cell < WEB_CELLS ? m->table[t][cell] : NAN;
}

/* How often a value was asked for that the site has not. */
static uint32_t web_beyond;

LBP_FN double web_site_term(const web *m, uint32_t i, uint32_t v) {
  web_beyond += v >= m->K[i];
  return m->own[i][v % WEB_VALUES];
}

/* ---- by log-ratios ----------------------------------------------------------------------------------------------- */

/* log pi of x where site i has the value v instead. */
LBP_FN double web_logp_with(const web *m, const uint8_t *x, uint32_t i, uint32_t v) {
  double sum = 0;
  uint32_t t, k;
  for (k = 0; k < m->n; k++) sum += m->own[k][k == i ? v : x[k]];
  for (t = 0; t < m->terms; t++) {
    uint32_t cell = 0;
    for (k = 0; k < m->arity[t]; k++) cell = cell * WEB_VALUES + (m->site[t][k] == i ? v : x[m->site[t][k]]);
    if (m->arity[t] > 0) sum += m->table[t][cell];
  }
  return sum;
}

LBP_FN double web_logp(const web *m, const uint8_t *x) { return web_logp_with(m, x, 0, x[0]); }

/* log pi(x with x_i = v) - log pi(x); between two impossible states -infinity. What does not depend on x_i is left out,
 * as the terms do: from an impossible state to another that differs in nothing impossible there is a number. */
LBP_FN double web_move(const web *m, const uint8_t *x, uint32_t i, uint32_t v) {
  double from = m->own[i][x[i]], to = m->own[i][v];
  uint32_t t, k;
  for (t = 0; t < m->terms; t++) {
    uint32_t here = 0, there = 0, touches = 0;
    for (k = 0; k < m->arity[t]; k++) {
      const uint32_t j = m->site[t][k];
      touches |= j == i;
      here = here * WEB_VALUES + x[j];
      there = there * WEB_VALUES + (j == i ? v : x[j]);
    }
    if (touches) from += m->table[t][here], to += m->table[t][there];
  }
  return to < -1e300 ? -WEB_INFINITY : from < -1e300 ? WEB_INFINITY : to - from;
}

LBP_FN double web_delta(const web *m, const uint8_t *x, uint32_t i) { return web_move(m, x, i, 1u - x[i]); }

LBP_FN void web_deltas_of(const web *m, const uint8_t *x, uint32_t i, double *out) {
  uint32_t v;
  for (v = 0; v < m->K[i]; v++) out[v] = v == x[i] ? 0 : web_move(m, x, i, v);
}

LBP_FN void web_deltas_of_float(const web *m, const uint8_t *x, uint32_t i, float *out) {
  uint32_t v;
  for (v = 0; v < m->K[i]; v++) out[v] = v == x[i] ? 0 : (float)web_move(m, x, i, v);
}

/* The other sites of site i's terms, term by term. */
LBP_FN uint32_t web_neighbours(const web *m, uint32_t i, uint32_t *out) {
  uint32_t t, k, count = 0;
  for (t = 0; t < m->terms; t++) {
    for (k = 0; k < m->arity[t] && m->site[t][k] != i;) k++;
    if (k == m->arity[t]) continue;
    for (k = 0; k < m->arity[t]; k++) {
      if (m->site[t][k] != i) out[count++] = m->site[t][k];
    }
  }
  return count;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* State number `code` of all; returns 0 if there are no more. */
LBP_FN int web_state(const web *m, uint32_t code, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < m->n; i++, code /= m->K[i - 1]) x[i] = (uint8_t)(code % m->K[i]);
  return code == 0;
}

LBP_FN uint32_t web_code(const web *m, const uint8_t *x) {
  uint32_t code = 0, i;
  for (i = m->n; i-- > 0;) code = code * m->K[i] + x[i];
  return code;
}

#endif
