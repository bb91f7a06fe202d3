/* Laws of permutations of up to 5 that can be enumerated: a cost for each row and image, and for pairs of rows what
 * flows between them times how far apart their images are. Infinite costs are forbidden images. And laws of partial
 * matchings of `rows` with `columns`, where these are not 0. For test_perm.c and test_run_perm.c. */
#ifndef PERM_TOY_H
#define PERM_TOY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { PERM_MOST = 5, PERM_STATES = 120 };

typedef struct {
  uint32_t n, rows, columns;
  double cost[PERM_MOST][PERM_MOST], flow[PERM_MOST][PERM_MOST], distance[PERM_MOST][PERM_MOST];
} perm_toy;

static double perm_logp(const perm_toy *t, const uint32_t *s) {
  double sum = 0;
  uint32_t a, b;
  for (a = 0; a < t->n; a++) sum -= t->cost[a][s[a]];
  for (a = 0; a < t->n; a++) {
    for (b = 0; b < a; b++) sum -= t->flow[a][b] * t->distance[s[a]][s[b]];
  }
  return sum;
}

static double perm_exchange(const perm_toy *t, const uint32_t *s, uint32_t a, uint32_t b) {
  uint32_t y[PERM_MOST];
  memcpy(y, s, t->n * sizeof *y);
  y[a] = s[b];
  y[b] = s[a];
  return perm_logp(t, y) - perm_logp(t, s);
}

static inline void perm_row(const perm_toy *t, const uint32_t *s, uint32_t a, double *out) {
  uint32_t b;
  for (b = 0; b < t->n; b++) out[b] = b == a ? 77 : perm_exchange(t, s, a, b);
}

static inline double perm_row_weight(const perm_toy *t, const uint32_t *s, uint32_t a) { return t->cost[a][s[a]] / 2; }

static inline uint32_t perm_neighbours(const perm_toy *t, uint32_t a, uint32_t *out) {
  uint32_t b, count = 0;
  for (b = 0; b < t->n; b++) {
    if (b != a && (t->flow[a][b] != 0 || t->flow[b][a] != 0)) out[count++] = b;
  }
  return count;
}

static inline float perm_logp_float(const perm_toy *t, const uint32_t *s) { return (float)perm_logp(t, s); }
static inline float perm_exchange_float(const perm_toy *t, const uint32_t *s, uint32_t a, uint32_t b) {
  return (float)perm_exchange(t, s, a, b);
}
static inline void perm_row_float(const perm_toy *t, const uint32_t *s, uint32_t a, float *out) {
  uint32_t b;
  for (b = 0; b < t->n; b++) out[b] = b == a ? -77 : perm_exchange_float(t, s, a, b);
}
static inline float perm_row_weight_float(const perm_toy *t, const uint32_t *s, uint32_t a) {
  return (float)perm_row_weight(t, s, a);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static uint32_t perm_count(uint32_t n) { return n < 2 ? 1 : n * perm_count(n - 1); }

/* Permutation number `code` of n, and back. */
static void perm_decode(uint32_t n, uint32_t code, uint32_t *s) {
  uint32_t left[PERM_MOST], a, k;
  for (a = 0; a < n; a++) left[a] = a;
  for (a = 0; a < n; a++) {
    const uint32_t at = code % (n - a);
    code /= n - a;
    s[a] = left[at];
    for (k = at; k + 1 < n - a; k++) left[k] = left[k + 1];
  }
}

static inline uint32_t perm_encode(uint32_t n, const uint32_t *s) {
  uint32_t code = 0, factor = 1, a, k;
  for (a = 0; a < n; a++) {
    uint32_t at = s[a];
    for (k = 0; k < a; k++) at -= s[k] < s[a];
    code += factor * at;
    factor *= n - a;
  }
  return code;
}

/* log D! of a partial matching: D spare rows that may move have spare columns. 0 of a permutation. */
static inline double perm_base(const perm_toy *t, const uint32_t *s, const uint8_t *mask) {
  double base = 0;
  uint32_t a, count = 0;
  for (a = t->rows; t->rows > 0 && a < t->n; a++) {
    if (s[a] >= t->columns && !(mask && mask[a])) base += log(++count);
  }
  return base;
}

/* log of how many permutations would stand for a matching that leaves no spare row to a spare column. */
static inline double perm_fold(const perm_toy *t) {
  return t->rows > 0 ? lgamma(t->n - t->rows + 1.0) + lgamma(t->n - t->columns + 1.0) : 0;
}

/* pi^beta of all states, of partial matchings shared by those that stand for one, and log of the sum over matchings. */
static inline double perm_law(const perm_toy *t, double beta, double *law) {
  double top = -HUGE_VAL, sum = 0;
  uint32_t s[PERM_MOST], x;
  for (x = 0; x < perm_count(t->n); x++) {
    perm_decode(t->n, x, s);
    law[x] = perm_logp(t, s);
    law[x] = (lbp_is_finite(law[x]) ? beta * law[x] : law[x]) + perm_base(t, s, NULL);
    top = law[x] > top ? law[x] : top;
  }
  for (x = 0; x < perm_count(t->n); x++) sum += law[x] = exp(law[x] - top);
  for (x = 0; x < perm_count(t->n); x++) law[x] /= sum;
  return log(sum) + top - perm_fold(t);
}

/* Kinds of laws: no flow, between neighbouring rows, between all; costs of some size, or either that or 0. All
 * sums are exact, so that log-ratios that nothing changes stay as they are to the last bit. */
enum { PERM_LINEAR, PERM_PATH, PERM_QUADRATIC };
static inline perm_toy perm_make(uint32_t n, int kind, double size, int whole) {
  perm_toy t;
  uint32_t a, b, noise = 12345 + n;
  memset(&t, 0, sizeof t);
  t.n = n;
  for (a = 0; a < n; a++) {
    for (b = 0; b < n; b++) {
      noise = noise * 1664525u + 1013904223u;
      t.cost[a][b] = whole ? size * (noise >> 31) : size * (noise >> 22) / 1024.0;
      t.distance[a][b] = a > b ? a - b : b - a;
      if (b < a && (kind == PERM_QUADRATIC || (kind == PERM_PATH && a - b == 1))) {
        t.flow[a][b] = whole ? 1 : 0.25 + (noise >> 28) / 32.0;
      }
    }
  }
  return t;
}

/* The same of partial matchings of A rows with B columns: a spare row or column costs nothing by itself, a row or a
 * column without a partner something. */
static inline perm_toy perm_partial(uint32_t n, uint32_t rows, uint32_t columns, int kind, double size, int whole) {
  perm_toy t = perm_make(n, kind, size, whole);
  uint32_t a, b;
  t.rows = rows;
  t.columns = columns;
  for (a = 0; a < n; a++) {
    for (b = 0; b < n; b++) {
      if (a < rows && b > columns) t.cost[a][b] = t.cost[a][columns];
      if (b < columns && a > rows) t.cost[a][b] = t.cost[rows][b];
      if (a >= rows && b >= columns) t.cost[a][b] = 0;
      if (a >= rows || b >= rows) t.flow[a][b] = 0;
      if (a >= columns || b >= columns) t.distance[a][b] = 0;
    }
  }
  return t;
}

#endif
