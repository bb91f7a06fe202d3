/* Clamped sites: every sampler of lbp.h under masks, against the law given the clamped sites.
 *
 * Transitions, not only what is invariant: each step's law is a matrix by enumeration, in plain doubles, in which
 * clamped sites are constants. Masks of none, one, several, all but one and all sites; evidence and masks change on the
 * way. Chi-squared tests at level 1e-8, about 1500 of them: a false alarm of the suite has probability 2e-5. Then what
 * only more sites show: blocks, tuners, evaluations, checked builds. */
#include "../lbp/base/numbers.h"
#include "../lbp_stats.h"

#include "toy.h"
#include "chi2.h"
#include "exact/matrix.h"

#define CLAMPED_LISTED   1
#define CLAMPED_LOCAL    2
#define CLAMPED_PRODUCT  3
#define CLAMPED_LEVEL    4
#define CLAMPED_DENSE    5
#define CLAMPED_KEPT     6
#define CLAMPED_ESTIMATE 7
#define CLAMPED_ASKED    8

#ifndef CLAMPED_TRIALS
#ifdef API_QUICK
#define CLAMPED_TRIALS 200u
#else
#define CLAMPED_TRIALS 2000u
#endif
#endif

enum { CLAMPED_SITES = 5 };

/* Kinds of steps. */
enum {
  CLAMPED_LBP,
  CLAMPED_GWG,
  CLAMPED_RWM,
  CLAMPED_GIBBS,
  CLAMPED_METROPOLIS,
  CLAMPED_SKIP_GIBBS,
  CLAMPED_SKIP_METROPOLIS,
  CLAMPED_CLOCK,
  CLAMPED_MANY,
  CLAMPED_STEPS
};

#define AS_DOUBLE(name) name
#define AS_FLOAT(name)  name##_float

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* A toy as the kind needs it: without couplings, or all alike. */
static toy clamped_toy(int kind, uint32_t n, double spread, int exclusion, uint64_t seed) {
  toy t = toy_make(n, spread, exclusion, seed);
  uint32_t i;
  if (kind == CLAMPED_PRODUCT) t = toy_product(n, spread, exclusion, seed);
  if (kind != CLAMPED_LEVEL) return t;
  memset(t.coupling, 0, sizeof t.coupling);
  for (i = 0; i < n; i++) {
    t.field[i] = -spread / 4;
    t.coupling[i][(i + 1) % n] = t.coupling[(i + 1) % n][i] = spread / 2;
  }
  return t;
}

static uint32_t clamped_level(const toy *t, const uint8_t *x, uint32_t i) {
  return x[i] + 2u * ((uint32_t)x[(i + 1) % t->n] + x[(i + t->n - 1) % t->n]);
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */

/* A model by its states, and what steps on it know. */
typedef struct {
  uint32_t n, states, mask, open; /* open: how many sites are free */
  int clock, by_logp;             /* by_logp: the end of a way alone must be possible, not each state on it */
  double value[MATRIX_STATES];   /* beta log pi; -infinity where it is impossible */
  double weight[MATRIX_STATES][CLAMPED_SITES];
  matrix P;
} clamped_table;

static int clamped_is_possible(const clamped_table *t, uint32_t x) { return t->value[x] > -1e300; }

/* How often, or with what probability, a site of value v flips whose log-ratio is d; the weight of a proposal. */
static double clamped_rate(int rule, double d, int v) {
  if (rule == LBP_BARKER) return 1 / (1 + exp(-d));
  if (rule == LBP_BIRTH_DEATH) return v ? 1 : exp(d);
  if (rule == LBP_SQRT) return exp(d / 2);
  return d < 0 ? exp(d) : 1;
}

static void clamped_make(clamped_table *t, const toy *m, uint32_t mask, int weight, int clock, int kind, double beta) {
  uint32_t x, i;
  t->n = m->n;
  t->states = 1u << m->n;
  t->mask = mask;
  t->clock = clock;
  t->by_logp = kind >= CLAMPED_KEPT;
  for (i = t->open = 0; i < m->n; i++) t->open += !(mask >> i & 1);
  for (x = 0; x < t->states; x++) {
    uint8_t bits[TOY_MAX];
    for (i = 0; i < m->n; i++) bits[i] = (uint8_t)(x >> i & 1);
    t->value[x] = toy_logp(m, bits);
    if (clamped_is_possible(t, x)) t->value[x] *= beta;
  }
  for (x = 0; x < t->states; x++) {
    for (i = 0; i < m->n; i++) {
      const uint32_t y = x ^ 1u << i;
      double d = t->value[y] - t->value[x];
      t->weight[x][i] = 0;
      if (mask >> i & 1 || !clamped_is_possible(t, x) || !clamped_is_possible(t, y)) continue;
      if (kind >= CLAMPED_ESTIMATE) d = 0.75 * d + 0.25 * beta; /* as toy_fields_deltas are off */
      t->weight[x][i] = clamped_rate(weight, d, 0);
    }
  }
}

static double clamped_flip_rate(const clamped_table *t, int rule, uint32_t x, uint32_t i) {
  const uint32_t y = x ^ 1u << i;
  if (t->mask >> i & 1 || !clamped_is_possible(t, x) || !clamped_is_possible(t, y)) return 0;
  return clamped_rate(rule, t->value[y] - t->value[x], (int)(x >> i & 1));
}

/* The clock's: e^(Q time), Q its rates. */
static void clamped_clock(clamped_table *t, double time) {
  static matrix Q;
  uint32_t x, i;
  memset(Q, 0, sizeof Q);
  for (x = 0; x < t->states; x++) {
    for (i = 0; i < t->n; i++) {
      const double rate = clamped_flip_rate(t, t->clock, x, i);
      Q[x][x ^ 1u << i] = rate;
      Q[x][x] -= rate;
    }
  }
  matrix_exponential(t->states, Q, time, t->P);
}

/* Site by site. */
static void clamped_sweep(clamped_table *t, int rule) {
  static matrix site;
  uint32_t x, i;
  for (i = 0; i < t->n; i++) {
    memset(site, 0, sizeof site);
    for (x = 0; x < t->states; x++) {
      const double p = clamped_flip_rate(t, rule, x, i);
      site[x][x ^ 1u << i] = p;
      site[x][x] = 1 - p;
    }
    matrix_multiply(t->states, t->P, site, t->P);
  }
}

/* Whether flips of site[0 .. count), one after another, lead through possible states, or where log pi is known, to one. */
static int clamped_leads(const clamped_table *t, uint32_t x, const uint32_t *site, uint32_t count, int backwards) {
  uint32_t k;
  for (k = 0; k < count; k++) {
    x ^= 1u << site[backwards ? count - 1 - k : k];
    if ((!t->by_logp || k + 1 == count) && !clamped_is_possible(t, x)) return 0;
  }
  return 1;
}

static double clamped_total(const clamped_table *t, uint32_t x, uint32_t *positive) {
  double sum = 0;
  uint32_t i;
  for (i = *positive = 0; i < t->n; i++) {
    sum += t->weight[x][i];
    *positive += t->weight[x][i] > 0;
  }
  return sum;
}

/* One way: draws of sites one after another from x, its probability and its acceptance. Returns what it adds to P, and *end,
 * where it leads; -1 where it is none. */
static double clamped_way(const clamped_table *t, int kind, uint32_t R, uint32_t x, const uint32_t *draw, uint32_t draws,
                          uint32_t *end) {
  uint32_t site[CLAMPED_SITES], count = 0, there, back, k, y = x, used = 0;
  const double all = clamped_total(t, x, &there);
  double left = all, q = 1, ratio, accept;
  for (k = 0; k < draws; k++) {
    const uint32_t i = draw[k], again = used >> i & 1;
    double w = t->weight[x][i];
    if (kind == CLAMPED_RWM) w = t->mask >> i & 1 ? 0 : 1, left = t->open - count;
    if (w == 0 || (again && kind != CLAMPED_GWG)) return -1;
    q *= w / left;
    if (kind == CLAMPED_LBP) left -= w;
    if (!again) site[count++] = i, y ^= 1u << i;
    used |= 1u << i;
  }
  *end = y;
  if (!clamped_is_possible(t, y)) return 0;
  ratio = exp(t->value[y] - t->value[x]) / q;
  left = clamped_total(t, y, &back);
  if (kind == CLAMPED_LBP && draws < R && back != draws) return 0; /* the way back draws more */
  for (k = draws; k > 0; k--) {
    const double w = kind == CLAMPED_RWM ? 1 : t->weight[y][draw[k - 1]];
    ratio *= w / (kind == CLAMPED_RWM ? t->open - (k - 1) : left);
    if (kind == CLAMPED_LBP) left -= w;
  }
  accept = ratio < 1 ? ratio : 1;
  if (kind != CLAMPED_GWG) return q * accept * clamped_leads(t, x, site, count, 0);
  return q * accept * (clamped_leads(t, x, site, count, 0) + clamped_leads(t, x, site, count, 1)) / 2;
}

/* Steps of R sites: all ways. */
static void clamped_ways(clamped_table *t, int kind, uint32_t R) {
  uint32_t x;
  if (R > t->open) R = t->open;
  for (x = 0; x < t->states; x++) {
    uint32_t positive, draws = R, ways = 1, k, way, end = x;
    if (!clamped_is_possible(t, x)) continue;
    clamped_total(t, x, &positive);
    if (kind == CLAMPED_LBP && draws > positive) draws = positive;
    if (kind != CLAMPED_RWM && positive == 0) draws = 0;
    for (k = 0; k < draws; k++) ways *= t->n;
    for (way = 0; way < ways && draws > 0; way++) {
      uint32_t draw[CLAMPED_SITES], rest = way;
      double p;
      for (k = 0; k < draws; k++, rest /= t->n) draw[k] = rest % t->n;
      p = clamped_way(t, kind, R, x, draw, draws, &end);
      if (!(p > 0)) continue;
      t->P[x][end] += p;
      t->P[x][x] -= p;
    }
  }
}

/* What a step does to all states. */
static void clamped_matrix(clamped_table *t, int kind, uint32_t R, double time) {
  matrix_identity(t->states, t->P);
  switch (kind) {
    case CLAMPED_CLOCK: clamped_clock(t, time); break;
    case CLAMPED_GIBBS:
    case CLAMPED_SKIP_GIBBS: clamped_sweep(t, LBP_BARKER); break;
    case CLAMPED_METROPOLIS:
    case CLAMPED_SKIP_METROPOLIS: clamped_sweep(t, LBP_METROPOLIS); break;
    default: clamped_ways(t, kind == CLAMPED_MANY ? CLAMPED_LBP : kind, R);
  }
}

/* Counts of transitions against the matrix; and the matrix against the law given the clamped sites, which it leaves as it
 * is. */
static void clamped_judge(const clamped_table *t, int kind, uint32_t (*seen)[MATRIX_STATES]) {
  chi2_sums sums = chi2_begin();
  double p, off = 0;
  uint32_t x, y;
  for (x = 0; x < t->states; x++) {
    double inflow = 0;
    matrix_compare(t->states, seen[x], t->P[x], 1e-12, &sums);
    if (!clamped_is_possible(t, x)) continue;
    for (y = 0; y < t->states; y++) {
      if (clamped_is_possible(t, y)) inflow += exp(t->value[y] - t->value[x]) * t->P[y][x];
    }
    off = fmax(off, fabs(inflow - 1));
  }
  CHECK_NEAR(off, 0, 1e-8);
  p = chi2_end(&sums);
  if (!(p > CHI2_LEVEL)) {
    printf("kind %d, mask %lu of %lu sites: p = %g\n", kind, (unsigned long)t->mask, (unsigned long)t->n, p);
  }
  CHECK(p > CHI2_LEVEL);
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

#define CASE        lf
#define CASE_REAL   float
#define CASE_WEIGHT LBP_BARKER
#define CASE_CLOCK  LBP_BARKER
#define CASE_KIND   CLAMPED_LOCAL
#include "cases/clamped_case.h"

#define CASE            ld
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_KIND       CLAMPED_LOCAL
#define CASE_SORT_ABOVE 0
#include "cases/clamped_case.h"

#define CASE        ld_fixed
#define CASE_REAL   double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   CLAMPED_LOCAL
#define CASE_N      5
#define CASE_NEVER
#include "cases/clamped_case.h"

#define CASE            lf_hot
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_CUSTOM
#define CASE_KIND       CLAMPED_LOCAL
#define CASE_BETA       0.5
#define CASE_SORT_ABOVE 2
#include "cases/clamped_case.h"

#define CASE        sf
#define CASE_REAL   float
#define CASE_WEIGHT LBP_BARKER
#define CASE_CLOCK  LBP_BARKER
#define CASE_KIND   CLAMPED_LISTED
#define CASE_DELTAS AS_FLOAT
#include "cases/clamped_case.h"

#define CASE        sd_sqrt
#define CASE_REAL   double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   CLAMPED_LISTED
#define CASE_DELTAS AS_DOUBLE
#define CASE_BETA   1.5
#include "cases/clamped_case.h"

#define CASE        pd
#define CASE_REAL   double
#define CASE_WEIGHT LBP_METROPOLIS
#define CASE_CLOCK  LBP_METROPOLIS
#define CASE_KIND   CLAMPED_PRODUCT
#include "cases/clamped_case.h"

#define CASE            pf_fixed
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_CLOCK      LBP_BARKER
#define CASE_KIND       CLAMPED_PRODUCT
#define CASE_N          5
#define CASE_SORT_ABOVE 0
#include "cases/clamped_case.h"

#define CASE        vd
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_CLOCK  LBP_BARKER
#define CASE_KIND   CLAMPED_LEVEL
#include "cases/clamped_case.h"

#define CASE        vf_cold
#define CASE_REAL   float
#define CASE_WEIGHT LBP_METROPOLIS
#define CASE_CLOCK  LBP_METROPOLIS
#define CASE_KIND   CLAMPED_LEVEL
#define CASE_N      5
#define CASE_BETA   1.5
#include "cases/clamped_case.h"

#define CASE        dd
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_CLOCK  LBP_BIRTH_DEATH
#define CASE_KIND   CLAMPED_DENSE
#define CASE_DELTAS AS_DOUBLE
#include "cases/clamped_case.h"

#define CASE            df_fixed
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_SQRT
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_KIND       CLAMPED_DENSE
#define CASE_DELTAS     AS_FLOAT
#define CASE_N          5
#define CASE_SORT_ABOVE 0
#include "cases/clamped_case.h"

#define CASE        kd
#define CASE_REAL   double
#define CASE_WEIGHT LBP_SQRT
#define CASE_CLOCK  LBP_BARKER
#define CASE_KIND   CLAMPED_KEPT
#define CASE_DELTAS AS_DOUBLE
#include "cases/clamped_case.h"

#define CASE        kd_cold
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_CLOCK  LBP_BIRTH_DEATH
#define CASE_KIND   CLAMPED_KEPT
#define CASE_DELTAS AS_DOUBLE
#define CASE_N      5
#define CASE_BETA   1.5
#include "cases/clamped_case.h"

#define CASE        ed
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   CLAMPED_ESTIMATE
#define CASE_DELTAS AS_DOUBLE
#include "cases/clamped_case.h"

#define CASE        ef_fixed
#define CASE_REAL   float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   CLAMPED_ESTIMATE
#define CASE_DELTAS AS_FLOAT
#define CASE_N      5
#include "cases/clamped_case.h"

#define CASE        af
#define CASE_REAL   float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   CLAMPED_ASKED
#define CASE_DELTAS AS_FLOAT
#include "cases/clamped_case.h"

#define CASE            ad_hot
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_KIND       CLAMPED_ASKED
#define CASE_DELTAS     AS_DOUBLE
#define CASE_N          5
#define CASE_BETA       0.5
#define CASE_SORT_ABOVE 0
#include "cases/clamped_case.h"

/* ---- more sites -------------------------------------------------------------------------------------------------- */

enum { RING_MOST = 200, RING_WS = 2048 };

typedef struct {
  uint32_t n;
  double beta;
} ring;

static double ring_field(uint32_t i) { return 0.125 * (double)(int)(i % 5) - 0.25; }

static double ring_delta(const ring *m, const uint8_t *x, uint32_t i) {
  const int around = 2 * (x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n]) - 2, spin = 2 * x[i] - 1;
  return -2 * m->beta * spin * around - 2 * spin * ring_field(i);
}

static double ring_logp(const ring *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += (x[i] == x[(i + 1) % m->n] ? m->beta : -m->beta) + (x[i] ? ring_field(i) : -ring_field(i));
  return sum;
}

static uint32_t ring_neighbours(const ring *m, uint32_t i, uint32_t *out) {
  out[0] = (i + 1) % m->n;
  out[1] = (i + m->n - 1) % m->n;
  return 2;
}

static uint32_t ring_level(const ring *m, const uint8_t *x, uint32_t i) {
  return (uint32_t)x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n] + 3u * (i % 5) + (uint32_t)x[i] * 15;
}

static void ring_deltas(const ring *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = ring_delta(m, x, i);
}

#define RING        plain
#define RING_REAL   double
#define RING_LOCAL  1
#include "cases/clamped_ring.h"

#define RING        level
#define RING_REAL   float
#define RING_LOCAL  1
#define RING_LEVELS
#include "cases/clamped_ring.h"

#define RING        dense
#define RING_REAL   double
#define RING_LOCAL  0
#include "cases/clamped_ring.h"

#undef LBP_CHECKED
#define LBP_CHECKED 1

#define RING        checked
#define RING_REAL   double
#define RING_LOCAL  1
#include "cases/clamped_ring.h"

#define RING        checked_level
#define RING_REAL   double
#define RING_LOCAL  1
#define RING_LEVELS
#include "cases/clamped_ring.h"

#define RING        checked_dense
#define RING_REAL   double
#define RING_LOCAL  0
#include "cases/clamped_ring.h"

#undef LBP_CHECKED
#define LBP_CHECKED 0

int main(void) {
  lf_test_all();
  ld_test_all();
  ld_fixed_test_all();
  lf_hot_test_all();
  sf_test_all();
  sd_sqrt_test_all();
  pd_test_all();
  pf_fixed_test_all();
  vd_test_all();
  vf_cold_test_all();
  dd_test_all();
  df_fixed_test_all();
  kd_test_all();
  kd_cold_test_all();
  ed_test_all();
  ef_fixed_test_all();
  af_test_all();
  ad_hot_test_all();
  plain_test_all();
  level_test_all();
  dense_test_all();
  checked_test_all();
  checked_level_test_all();
  checked_dense_test_all();
  return test_report();
}
