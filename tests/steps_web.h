/* A model of many sites with lists of any length, and what steps on it should have done, in plain double arithmetic.
 *
 * log pi(x) = sum_i h_i s_i + sum over pairs J_ij s_i s_j, s = 2x - 1, on a ring where each site is joined to `degree`
 * others. */
#ifndef STEPS_WEB_H
#define STEPS_WEB_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lbp.h"
#include "test.h"

enum { WEB_SITES = 1225, WEB_ENDS = 801 * 300 };

typedef struct {
  uint32_t n, degree;
  uint32_t list[WEB_ENDS];
  double J[WEB_ENDS], h[WEB_SITES];
} web;

/* SplitMix64, as in exact/law.h: in (0, 1). */
static double web_uniform(uint64_t *seed) {
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return ((double)((z ^ z >> 31) >> 12) + 0.5) / 4503599627370496.0;
}

static void web_make(web *m, uint32_t n, uint32_t degree, uint64_t seed) {
  static const uint32_t few[3] = {1, 35, 7};
  uint32_t i, k;
  if (n > WEB_SITES || n * degree > WEB_ENDS) exit(3);
  memset(m, 0, sizeof *m);
  m->n = n;
  m->degree = degree;
  for (i = 0; i < n; i++) m->h[i] = 0.8 * web_uniform(&seed) - 0.4;
  for (i = 0; i < n; i += 9) m->h[i] *= 4;
  for (i = 0; i < n; i++) {
    for (k = 0; k < degree; k += 2) { /* the next ones and those before, in turn; of degree 1: pairs */
      const uint32_t j = degree == 1 ? i ^ 1u : (i + (degree < 7 ? few[k / 2] : k / 2 + 1)) % n;
      const uint32_t at = i * degree + k, back = degree == 1 ? j : j * degree + k + 1;
      m->list[at] = j;
      m->list[back] = i;
      m->J[at] = m->J[back] = (0.9 * web_uniform(&seed) - 0.3) / sqrt((double)degree);
    }
  }
}

LBP_FN double web_delta(const web *m, const uint8_t *x, uint32_t i) {
  double field = m->h[i];
  uint32_t k;
  for (k = i * m->degree; k < (i + 1) * m->degree; k++) field += x[m->list[k]] ? m->J[k] : -m->J[k];
  return x[i] ? -2 * field : 2 * field;
}

LBP_FN double web_logp(const web *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += (x[i] ? 0.5 : -0.5) * m->h[i] - web_delta(m, x, i) / 4;
  return sum;
}

LBP_FN uint32_t web_neighbours(const web *m, uint32_t i, uint32_t *out) {
  memcpy(out, m->list + i * m->degree, m->degree * sizeof *out);
  return m->degree;
}

/* log-odds of site i at beta = 0. */
LBP_FN double web_base(const web *m, uint32_t i) { return i < m->n ? 0.5 - (i % 4) * 0.25 : 0; }

/* An estimate of a log-ratio, as gradients are: off by a factor and a bias. */
LBP_FN double web_estimate(const web *m, const uint8_t *x, uint32_t i) { return 0.75 * web_delta(m, x, i) + 0.125; }

/* ---- sums that are zero but for chance --------------------------------------------------------------------------- */

/* What was drawn less what was to be expected given all before, summed, and the sum of its variances: a martingale, six
 * of whose standard deviations are exceeded with probability 2e-9. */
typedef struct {
  double gap, variance;
} steps_sum;

enum { STEPS_PLACES = 5, STEPS_LOOKS = 3, STEPS_LEAST = 40 };

/* By the place in the order of drawing: first, in the blocks of 64, of 128 and of 256 sites, later. */
typedef struct {
  steps_sum draw[STEPS_PLACES][STEPS_LOOKS], accept;
} steps_sums;

static uint32_t steps_place(uint32_t k) { return k == 0 ? 0 : k < 64 ? 1 : k < 128 ? 2 : k < 256 ? 3 : 4; }

static void steps_add(steps_sum *sum, double gap, double variance) {
  sum->gap += gap;
  sum->variance += variance;
}

static uint32_t steps_tests;

static void steps_judge(const steps_sum *sum, const char *file, int line, const char *what) {
  if (sum->variance < STEPS_LEAST / 4.0) return;
  steps_tests++;
  test_count_near(sum->gap / sqrt(sum->variance), 0, 6, file, line, what);
}

#define STEPS_JUDGE(sums)                                                                                            \
  do {                                                                                                               \
    uint32_t place, look;                                                                                            \
    for (place = 0; place < STEPS_PLACES; place++) {                                                                 \
      for (look = 0; look < STEPS_LOOKS; look++) steps_judge(&(sums)->draw[place][look], __FILE__, __LINE__, #sums); \
    }                                                                                                                \
    steps_judge(&(sums)->accept, __FILE__, __LINE__, #sums);                                                         \
  } while (0)

/* What is looked at in a site that was drawn, of magnitude 1: where it is, whether it is likely, its last bit. */
static double steps_look(const double *g, uint32_t n, uint32_t i, uint32_t look) {
  return look == 0 ? 2.0 * i / n - 1 : look == 1 ? g[i] / (1 + g[i]) : i % 2;
}

/* Sites drawn one after another in proportion to g[], which differ unless `replace`: then they may be in any order. */
static void steps_drawn(steps_sums *sums, const double *g, uint32_t n, const uint32_t *site, uint32_t count,
                        int replace) {
  double left = 0, first[STEPS_LOOKS] = {0}, second[STEPS_LOOKS] = {0};
  uint32_t i, k, look;
  for (i = 0; i < n; i++) {
    left += g[i];
    for (look = 0; look < STEPS_LOOKS; look++) {
      const double f = steps_look(g, n, i, look);
      first[look] += g[i] * f;
      second[look] += g[i] * f * f;
    }
  }
  for (k = 0; k < count && k + 1 < n; k++) {
    const double w = g[site[k]];
    for (look = 0; look < STEPS_LOOKS; look++) {
      const double f = steps_look(g, n, site[k], look), mean = first[look] / left;
      const double variance = second[look] / left - mean * mean;
      steps_add(&sums->draw[steps_place(replace ? count - 1 : k)][look], f - mean, variance > 0 ? variance : 0);
      if (!replace) first[look] -= w * f, second[look] -= w * f * f;
    }
    if (!replace) left -= w;
  }
}

static double steps_total(const double *g, uint32_t n) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < n; i++) sum += g[i];
  return sum;
}

/* log of the probability of drawing these sites, last one first if `backwards`. */
static double steps_log_draw(const double *g, uint32_t n, const uint32_t *site, uint32_t count, int replace,
                             int backwards) {
  double left = steps_total(g, n), sum = 0;
  uint32_t k;
  for (k = 0; k < count; k++) {
    const double w = g[site[backwards ? count - 1 - k : k]];
    sum += log(w / left);
    if (!replace) left -= w;
  }
  return sum;
}

#endif
