/* The Ising model on an L x L torus without fields: Kaufman's partition function (B. Kaufman, "Crystal statistics.
 * II", Physical Review 76, 1949; as in A. Ferdinand and M. Fisher, "Bounded and inhomogeneous Ising models. I",
 * Physical Review 185, 1969)
 *
 *   Z = (2 sinh 2K)^(N/2) / 2 (prod 2 cosh(L g_odd / 2) + prod 2 sinh(L g_odd / 2) +
 *                              prod 2 cosh(L g_even / 2) + prod 2 sinh(L g_even / 2)),
 *   cosh g_l = cosh 2K coth 2K - cos(pi l / L), g_0 = 2K + log tanh K,
 *
 * products over l = 1, 3 ... 2L - 1 and l = 0, 2 ... 2L - 2. States come from coupling from the past (Propp,
 * Wilson, "Exact sampling with coupled Markov chains", Random Structures and Algorithms 9, 1996), heat bath.
 *
 * Statistics: the ones in every row; the sum of s_i s_j over all edges, the square of its deviation from the mean,
 * and the sum over horizontal edges; the magnetisation. */
#ifndef EXACT_TORUS_H
#define EXACT_TORUS_H

#include "../../lbp_models.h"
#include "law.h"

typedef struct {
  uint32_t side;
  double K;
} torus;

/* log Z. All products but that of sinh over even l are positive, and g_0 alone can be negative. */
static double torus_log_z(uint32_t side, double K) {
  const double coth = cosh(2 * K) / sinh(2 * K), g_0 = 2 * K + log(tanh(K)), pi = 3.14159265358979323846;
  double log_product[4] = {0, 0, 0, 0}, largest, sum = 0;
  uint32_t l;
  int k;
  for (l = 0; l < 2 * side; l++) {
    const double even = l % 2 ? 0 : 2, g = l == 0 ? fabs(g_0) : acosh(cosh(2 * K) * coth - cos(pi * l / side));
    const double half = side * g / 2, small = exp(-2 * half);
    log_product[(int)even] += half + log1p(small);      /* 2 cosh */
    log_product[(int)even + 1] += half + log1p(-small); /* 2 sinh */
  }
  largest = log_product[0] > log_product[2] ? log_product[0] : log_product[2];
  for (k = 0; k < 4; k++) sum += (k == 3 && g_0 < 0 ? -1 : 1) * exp(log_product[k] - largest);
  return side * side / 2.0 * log(2 * sinh(2 * K)) + largest + log(sum / 2);
}

/* Sum over the edges of s_i s_j of neighbours to the right (horizontal) and below. */
static void torus_edges(const torus *t, const uint8_t *x, double *horizontal, double *all) {
  const uint32_t L = t->side;
  int right = 0, down = 0;
  uint32_t r, c;
  for (r = 0; r < L; r++) {
    for (c = 0; c < L; c++) {
      right += x[r * L + c] ^ x[r * L + (c + 1) % L];
      down += x[r * L + c] ^ x[(r + 1) % L * L + c];
    }
  }
  *horizontal = (double)(L * L) - 2 * right;
  *all = 2.0 * L * L - 2 * (right + down);
}

static void torus_add(const law *l, const uint8_t *x, double weight, double *sum) {
  const torus *t = (const torus *)l->own;
  const uint32_t L = t->side;
  double horizontal, all, magnetisation = 0;
  uint32_t i;
  torus_edges(t, x, &horizontal, &all);
  for (i = 0; i < l->n; i++) {
    sum[i / L] += weight * x[i];
    magnetisation += 2 * x[i] - 1;
  }
  sum[L] += weight * all;
  sum[L + 1] += weight * (all - l->exact[L]) * (all - l->exact[L]);
  sum[L + 2] += weight * horizontal;
  sum[L + 3] += weight * magnetisation;
}

/* One heat-bath sweep, its random numbers a function of the seed: monotone in x. */
static void torus_sweep(const torus *t, uint64_t seed, uint8_t *x) {
  const uint32_t L = t->side;
  double up[5];
  uint32_t r, c;
  int k;
  for (k = 0; k <= 4; k++) up[k] = law_sigmoid(2 * t->K * (2 * k - 4));
  for (r = 0; r < L; r++) {
    for (c = 0; c < L; c++) {
      const int ones = x[r * L + (c + 1) % L] + x[r * L + (c + L - 1) % L] + x[(r + 1) % L * L + c] +
                       x[(r + L - 1) % L * L + c];
      x[r * L + c] = law_uniform(&seed) < up[ones];
    }
  }
}

/* From all zeros and from all ones, by the same random numbers, ever earlier, until both have come to the same state at
 * time 0. */
static void torus_draw(const law *l, uint64_t *seed, uint8_t *x) {
  const torus *t = (const torus *)l->own;
  const uint64_t base = (uint64_t)(law_uniform(seed) * 4503599627370496.0) << 12;
  uint8_t *high = (uint8_t *)law_memory(l->n, 1);
  uint32_t past, time;
  for (past = 16;; past *= 2) {
    memset(x, 0, l->n);
    memset(high, 1, l->n);
    for (time = past; time > 0; time--) { /* a sweep takes n numbers of the generator: its stream begins elsewhere */
      torus_sweep(t, base + time * UINT64_C(0xd1342543de82ef95), x);
      torus_sweep(t, base + time * UINT64_C(0xd1342543de82ef95), high);
    }
    if (memcmp(x, high, l->n) == 0) break;
  }
  free(high);
}

/* m: an lbp_graph whose edges are those of a torus with coupling K. */
static law torus_law(const char *name, const lbp_graph *m, uint32_t side, double K) {
  const double h = 2e-3; /* central differences of fourth order: good to 1e-5 at these sizes */
  torus *t = (torus *)law_memory(1, sizeof *t);
  double z[5];
  uint32_t i;
  law l;
  memset(&l, 0, sizeof l);
  l.name = name;
  l.model = m;
  l.n = side * side;
  l.values = 2;
  l.own = t;
  l.draw = torus_draw;
  l.add = torus_add;
  t->side = side;
  t->K = K;
  law_declare(&l, "row", side);
  law_declare(&l, "energy", 1);
  law_declare(&l, "its square", 1);
  law_declare(&l, "horizontal", 1);
  law_declare(&l, "magnetisation", 1);
  l.exact = law_doubles(l.count);
  for (i = 0; i < side; i++) l.exact[i] = side / 2.0;
  for (i = 0; i < 5; i++) z[i] = torus_log_z(side, K + (i - 2.0) * h);
  l.exact[side] = (z[0] - 8 * z[1] + 8 * z[3] - z[4]) / (12 * h);
  l.exact[side + 1] = (-z[0] + 16 * z[1] - 30 * z[2] + 16 * z[3] - z[4]) / (12 * h * h);
  l.exact[side + 2] = l.exact[side] / 2;
  return l;
}

static void torus_free(law *l) {
  free(l->own);
  free(l->exact);
}

#endif
