/* Sweeps by Metropolis' rule, sweeps that skip, the clock, log-ratios that are kept: their laws, by enumeration.
 *
 * Transitions, not only what is invariant: a sweep that skips must be the plain one in law, and the clock's states
 * after a time those of its matrix exponential, from any state and after steps of any kind. Chi-squared tests at level
 * 1e-8, about 400 of them: a false alarm of the suite has probability 4e-6. */
#include "../lbp/base/numbers.h"
#include "../lbp_stats.h"

#include "toy.h"
#include "chi2.h"
#include "exact/matrix.h"

#define SHARP_LOCAL    1
#define SHARP_LISTED   2
#define SHARP_PRODUCT  3
#define SHARP_DENSE    4
#define SHARP_KEPT     5
#define SHARP_ESTIMATE 6

#ifndef SHARP_TRIALS
#ifdef API_QUICK
#define SHARP_TRIALS 500u
#else
#define SHARP_TRIALS 30000u
#endif
#endif

/* Kinds of steps. */
enum {
  SHARP_LBP,
  SHARP_GWG,
  SHARP_RWM,
  SHARP_GIBBS,
  SHARP_METROPOLIS,
  SHARP_SKIP_GIBBS,
  SHARP_SKIP_METROPOLIS,
  SHARP_CLOCK,
  SHARP_STEPS
};

#define AS_DOUBLE(name) name
#define AS_FLOAT(name)  name##_float

/* Every evaluation of a dense model is counted. */
static uint32_t sharp_asked;

static void sharp_deltas(const toy *t, const uint8_t *x, double *out) {
  sharp_asked++;
  toy_deltas(t, x, out);
}

static void sharp_deltas_float(const toy *t, const uint8_t *x, float *out) {
  sharp_asked++;
  toy_deltas_float(t, x, out);
}

static double sharp_logp(const toy *t, const uint8_t *x) { return toy_logp(t, x); }

/* ---- laws -------------------------------------------------------------------------------------------------------- */

static double sharp_value(const toy *t, uint32_t code) {
  uint8_t x[TOY_MAX];
  uint32_t i;
  for (i = 0; i < t->n; i++) x[i] = (uint8_t)(code >> i & 1);
  return toy_logp(t, x);
}

static int sharp_is_possible(const toy *t, uint32_t code) { return sharp_value(t, code) > -1e300; }

static void sharp_law(const toy *t, double beta, double *law) {
  double sum = 0;
  uint32_t x;
  for (x = 0; x < 1u << t->n; x++) sum += law[x] = sharp_is_possible(t, x) ? exp(beta * sharp_value(t, x)) : 0;
  for (x = 0; x < 1u << t->n; x++) law[x] /= sum;
}

static uint32_t sharp_sample(const double *law, double u) {
  uint32_t code = 0;
  for (; u >= law[code] && code < (1u << TOY_MAX) - 1; code++) u -= law[code];
  return code;
}

/* How often, or with what probability, a site of value v flips whose log-ratio is d. */
static double sharp_rate(int rule, double d, int v) {
  if (rule == LBP_BARKER) return 1 / (1 + exp(-d));
  if (rule == LBP_METROPOLIS) return d < 0 ? exp(d) : 1;
  return v ? 1 : exp(d);
}

static int sharp_rule(int kind) {
  return kind == SHARP_GIBBS || kind == SHARP_SKIP_GIBBS ? LBP_BARKER : LBP_METROPOLIS;
}

/* Rates of single flips of site `site`, or of all. */
static double sharp_flip_rate(const toy *t, int rule, double beta, uint32_t x, uint32_t i) {
  const uint32_t y = x ^ 1u << i;
  if (!sharp_is_possible(t, x) || !sharp_is_possible(t, y)) return 0;
  return sharp_rate(rule, beta * (sharp_value(t, y) - sharp_value(t, x)), (int)(x >> i & 1));
}

/* The clock's: e^(Q time), Q its rates. */
static void sharp_clock(const toy *t, int rule, double time, double beta, matrix P) {
  static matrix Q;
  const uint32_t states = 1u << t->n;
  uint32_t x, i;
  memset(Q, 0, sizeof Q);
  for (x = 0; x < states; x++) {
    for (i = 0; i < t->n; i++) {
      const double rate = sharp_flip_rate(t, rule, beta, x, i);
      Q[x][x ^ 1u << i] = rate;
      Q[x][x] -= rate;
    }
  }
  matrix_exponential(states, Q, time, P);
}

/* What a step does to all states. */
static void sharp_matrix(const toy *t, int kind, int clock, double time, double beta, matrix P) {
  static matrix site;
  const uint32_t states = 1u << t->n;
  uint32_t x, i;
  if (kind == SHARP_CLOCK) {
    sharp_clock(t, clock, time, beta, P);
    return;
  }
  matrix_identity(states, P);
  for (i = 0; i < t->n; i++) {
    memset(site, 0, sizeof site);
    for (x = 0; x < states; x++) {
      const double p = sharp_flip_rate(t, sharp_rule(kind), beta, x, i);
      site[x][x ^ 1u << i] = p;
      site[x][x] = 1 - p;
    }
    matrix_multiply(states, P, site, P);
  }
}

/* Counts of transitions against a matrix. */
static void sharp_judge(int kind, uint32_t (*seen)[MATRIX_STATES], matrix P, uint32_t states) {
  chi2_sums sums = chi2_begin();
  uint32_t x;
  double p;
  for (x = 0; x < states; x++) matrix_compare(states, seen[x], P[x], 0, &sums);
  p = chi2_end(&sums);
  if (!(p > CHI2_LEVEL)) printf("kind %d: p = %g of %g degrees\n", kind, p, sums.degrees);
  CHECK(p > CHI2_LEVEL && (sums.degrees > 0 || SHARP_TRIALS < 30000)); /* few trials may say nothing */
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

#define CASE            ld
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_BARKER
#define CASE_CLOCK      LBP_BARKER
#define CASE_KIND       SHARP_LOCAL
#define CASE_SORT_ABOVE 0
#include "cases/sharp_case.h"

#define CASE            lf
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_KIND       SHARP_LOCAL
#include "cases/sharp_case.h"

#define CASE            lf_fixed
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_CLOCK      LBP_BARKER
#define CASE_KIND       SHARP_LOCAL
#define CASE_N          5
#define CASE_NEVER
#include "cases/sharp_case.h"

#define CASE            ld_hot
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_KIND       SHARP_LOCAL
#define CASE_BETA       0.5
#define CASE_SORT_ABOVE 2
#include "cases/sharp_case.h"

#define CASE            sf
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_CLOCK      LBP_BARKER
#define CASE_KIND       SHARP_LISTED
#define CASE_DELTAS     AS_FLOAT
#include "cases/sharp_case.h"

#define CASE            sd_sqrt
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_SQRT
#define CASE_KIND       SHARP_LISTED
#define CASE_DELTAS     AS_DOUBLE
#define CASE_BETA       1.5
#include "cases/sharp_case.h"

#define CASE            pd
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_KIND       SHARP_PRODUCT
#include "cases/sharp_case.h"

#define CASE            pf
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_CLOCK      LBP_BARKER
#define CASE_KIND       SHARP_PRODUCT
#define CASE_NEVER
#include "cases/sharp_case.h"

#define CASE            dd
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_BARKER
#define CASE_CLOCK      LBP_BIRTH_DEATH
#define CASE_KIND       SHARP_DENSE
#define CASE_DELTAS     AS_DOUBLE
#include "cases/sharp_case.h"

#define CASE            df
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_SQRT
#define CASE_CLOCK      LBP_BIRTH_DEATH
#define CASE_KIND       SHARP_DENSE
#define CASE_DELTAS     AS_FLOAT
#define CASE_SORT_ABOVE 0
#include "cases/sharp_case.h"

#define CASE            df_same
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_METROPOLIS
#define CASE_CLOCK      LBP_METROPOLIS
#define CASE_KIND       SHARP_DENSE
#define CASE_DELTAS     AS_FLOAT
#include "cases/sharp_case.h"

#define CASE            kd
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_SQRT
#define CASE_CLOCK      LBP_BARKER
#define CASE_KIND       SHARP_KEPT
#define CASE_DELTAS     AS_DOUBLE
#include "cases/sharp_case.h"

#define CASE            kd_cold
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_BARKER
#define CASE_CLOCK      LBP_BIRTH_DEATH
#define CASE_KIND       SHARP_KEPT
#define CASE_BETA       1.7
#define CASE_N          5
#define CASE_DELTAS     AS_DOUBLE
#include "cases/sharp_case.h"

#define CASE            ed
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_BARKER
#define CASE_KIND       SHARP_ESTIMATE
#define CASE_DELTAS     AS_DOUBLE
#include "cases/sharp_case.h"

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

typedef struct {
  uint32_t n;
  double beta, bend; /* coupling; how the field goes along the ring */
} ring;

static double ring_field(const ring *m, uint32_t i) { return m->bend * (double)(int)(i % 5) - 0.2; }

static double ring_delta(const ring *m, const uint8_t *x, uint32_t i) {
  const int around = 2 * (x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n]) - 2, spin = 2 * x[i] - 1;
  return -2 * m->beta * spin * around - spin * ring_field(m, i);
}

static double ring_logp(const ring *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += x[i] == x[(i + 1) % m->n] ? m->beta : -m->beta;
  for (i = 0; i < m->n; i++) sum += (x[i] ? 0.5 : -0.5) * ring_field(m, i);
  return sum;
}

static uint32_t ring_neighbours(const ring *m, uint32_t i, uint32_t *out) {
  out[0] = (i + 1) % m->n;
  out[1] = (i + m->n - 1) % m->n;
  return 2;
}

/* By how many neighbours are 1, x and the field. */
static int ring_lies; /* of one level in some states */
static uint32_t ring_level(const ring *m, const uint8_t *x, uint32_t i) {
  const uint32_t around = (uint32_t)x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n];
  if (ring_lies == 1 && around == 2) return 3u * (i % 5) + (uint32_t)x[i] * 15;
  if (ring_lies == 2 && i == 2) return 30;
  return around + 3u * (i % 5) + (uint32_t)x[i] * 15;
}

#define LBP_NAME           plain
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_SWEEPS
#define LBP_CLOCK          LBP_BARKER
#include "../lbp.h"

#define LBP_NAME           level
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_LEVEL          ring_level
#define LBP_LEVELS         30
#define LBP_TEMPERED
#include "../lbp.h"

/* The same once more, with a generator that is the caller's. */
static uint64_t own_word(lbp_rng *rng) { return lbp_rng_u64(rng); }
#define LBP_NAME           own
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_RNG_T          lbp_rng
#define LBP_RNG_U64        own_word
#define LBP_SWEEPS
#include "../lbp.h"

#define LBP_NAME           checked
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_LEVEL          ring_level
#define LBP_LEVELS         30
#define LBP_CLOCK          LBP_BARKER
#undef LBP_CHECKED
#define LBP_CHECKED 1
#include "../lbp.h"
#undef LBP_CHECKED
#define LBP_CHECKED 0

enum { RING_MOST = 200, RING_WS = 1024 };

/* By table, without, and with another generator, Metropolis sweeps make the same draws; and the random numbers that are
 * taken are those of sites whose flips are neither impossible nor certain. */
static void check_same_draws(uint32_t n, double beta) {
  static uint64_t ws[3][RING_WS];
  static uint8_t x[3][RING_MOST];
  const ring m = {n, beta, 0.25};
  plain_chain a;
  level_chain b;
  own_chain c;
  lbp_rng rng[3], count;
  uint32_t k, i, s;
  int same = 1;
  memset(x, 0, sizeof x);
  for (k = 0; k < 3; k++) lbp_rng_init(&rng[k], 5, n);
  count = rng[0];
  if (plain_init(&a, n, x[0], ws[0], RING_WS) != LBP_OK || level_init(&b, n, x[1], ws[1], RING_WS) != LBP_OK ||
      own_init(&c, n, x[2], ws[2], RING_WS) != LBP_OK) {
    abort();
  }
  for (s = 0; s < 300; s++) {
    uint8_t now[RING_MOST];
    memcpy(now, x[0], n);
    for (i = 0; i < n; i++) { /* a sweep, written plainly */
      const double d = ring_delta(&m, now, i);
      now[i] ^= d >= 0 || lbp_u01(lbp_rng_u64(&count)) < exp(d);
    }
    plain_metropolis_sweep(&a, &m, &rng[0]);
    level_metropolis_sweep(&b, &m, &rng[1]);
    own_metropolis_sweep(&c, &m, &rng[2]);
    same &= memcmp(x[0], x[1], n) == 0 && memcmp(x[0], x[2], n) == 0 && memcmp(x[0], now, n) == 0;
  }
  CHECK_ALIKE(same);
  CHECK(lbp_rng_u64(&rng[0]) == lbp_rng_u64(&rng[1]) || !TEST_ALIKE);
}

/* Sums over a sweep from a fixed state, of sites and of pairs: those of a plain and of a skipping sweep are alike. Blocks
 * have 64 sites. Of some 2000 sums none differs by 6.8 standard errors: 2e-8. */
static void check_blocks(uint32_t n, int weight, double beta, int clock) {
  enum { TRIALS = SHARP_TRIALS < 30000 ? 1000 : 20000 };
  static uint64_t ws[2][RING_WS];
  static uint8_t x[2][RING_MOST];
  static double sum[2][2 * RING_MOST];
  const ring m = {n, beta, 0.25};
  uint32_t k, i, trial;
  int apart = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, 17, n * 4 + (uint32_t)weight);
  memset(sum, 0, sizeof sum);
  for (trial = 0; trial < TRIALS; trial++) {
    plain_chain a;
    level_chain b;
    for (k = 0; k < 2; k++) {
      for (i = 0; i < n; i++) x[k][i] = (uint8_t)(i / 3 % 2 + (i % 7 == 0) > 0);
    }
    if (plain_init(&a, n, x[0], ws[0], RING_WS) != LBP_OK || level_init(&b, n, x[1], ws[1], RING_WS) != LBP_OK) abort();
    for (k = 0; k < 2; k++) { /* the second one has hazards that were kept */
      if (weight == LBP_BARKER) plain_gibbs_sweep(&a, &m, &rng);
      else plain_metropolis_sweep(&a, &m, &rng);
      if (clock) plain_skip_sweep(&a, &m, weight, &rng);
      level_skip_sweep(&b, &m, weight, &rng);
      if (clock) level_skip_sweep(&b, &m, weight, &rng);
    }
    for (k = 0; k < 2; k++) {
      for (i = 0; i < n; i++) {
        sum[k][i] += x[k][i];
        sum[k][n + i] += x[k][i] == x[k][(i + 1) % n];
      }
    }
  }
  for (i = 0; i < 2 * n; i++) {
    const double p = (sum[0][i] + sum[1][i]) / (2 * TRIALS), gap = (sum[0][i] - sum[1][i]) / TRIALS;
    apart += fabs(gap) > 6.8 * sqrt(2 * p * (1 - p) / TRIALS) + 1e-9;
  }
  if (apart) printf("n = %lu, weight %d: %d sums apart\n", (unsigned long)n, weight, apart);
  CHECK(apart == 0);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Exponential times: against -log(1 - u), where it is tiny too; and the tail. */
static void check_exponential(void) {
  uint32_t k;
  for (k = 0; k < 62; k++) {
    const uint64_t word = (uint64_t)5 << k;
    const double u = ((double)(word >> 2) + 0.5) / 4611686018427387904.0, got = lbp_exponential(word);
    if (k < 60) CHECK_NEAR(got / -log1p(-u), 1, 2e-9);
    if (k > 1 && k < 60) CHECK_NEAR(lbp_exponential(~word) / -log(u), 1, 2e-9);
  }
  for (k = 0; k < 61; k++) { /* and the weight that the clock has by Metropolis' rule */
    const float d = (float)k / 4 - 12;
    CHECK_NEAR(lbp_weight_metropolis(d) / (lbp_g_metropolis(exp((double)d)) * (double)LBP_WEIGHT_MAX), 1, 1e-4);
  }
  CHECK(lbp_weight_metropolis(-1e4f) == 1 && lbp_weight_metropolis(-HUGE_VALF) == 0);
  CHECK(lbp_exponential(0) > 0 && lbp_exponential(UINT64_MAX) < 44 && lbp_exponential(UINT64_MAX) > 43);
}

/* The hazard of a flip with probability w. */
static double sharp_hazard(double w) {
  const double hazard = w < 1 ? -log1p(-w) / LBP_HAZARD_UNIT : LBP_HAZARD_MOST;
  return hazard < LBP_HAZARD_MOST ? hazard : LBP_HAZARD_MOST;
}

/* Hazards are never too small, or sites would flip too seldom, and hardly too large. */
static void check_hazards(void) {
  uint32_t too_small = 0, too_large = 0, k;
  for (k = 0; k < 60000; k++) {
    const float d = (float)k * 1e-3f - 20;
    const double t = exp((double)d), w[2] = {1 / (1 + 1 / t), t};
    const uint32_t got[2] = {lbp_hazard_barker(d), lbp_hazard_metropolis(d)};
    int rule;
    for (rule = 0; rule < 2; rule++) {
      if (rule == 0 && d > 12) continue; /* 1 - w is rounded here */
      too_small += got[rule] < sharp_hazard(w[rule]);
      too_large += got[rule] > sharp_hazard(w[rule] * 1.00002) * 1.00002 + 4;
    }
  }
  if (too_small + too_large > 0) printf("hazards: %u too small, %u too large\n", (unsigned)too_small, (unsigned)too_large);
  CHECK(too_small == 0 && too_large == 0);
  CHECK(lbp_hazard_barker(-HUGE_VALF) == 0 && lbp_hazard_metropolis(-HUGE_VALF) == 0);
}

/* A time in one piece, and in many small ones, is the same; 0, negative ones, NaN and infinity are none. */
static void check_cuts(void) {
  enum { N = 5, TRIALS = SHARP_TRIALS < 30000 ? 2000 : 20000 };
  static uint64_t ws[RING_WS];
  static uint32_t seen[MATRIX_STATES][MATRIX_STATES];
  static matrix P;
  const toy t = toy_make(N, 0.75, 0, 11);
  const double bad[4] = {0, -1, HUGE_VAL, 0 * HUGE_VAL};
  uint8_t x[N];
  uint32_t trial, k, i;
  lbp_rng rng, kept;
  ld_chain c;
  lbp_rng_init(&rng, 3, 9);
  memset(seen, 0, sizeof seen);
  for (trial = 0; trial < TRIALS; trial++) {
    for (i = 0; i < N; i++) x[i] = (uint8_t)(trial >> i & 1);
    ld_init(&c, N, x, ws, RING_WS);
    for (k = 0; k < 100; k++) ld_clock_step(&c, &t, 1e-2, &rng);
    seen[trial % MATRIX_STATES][toy_code(x, N)]++;
  }
  sharp_clock(&t, LBP_BARKER, 1, 1, P);
  sharp_judge(SHARP_CLOCK, seen, P, MATRIX_STATES);
  for (k = 0; k < 4; k++) {
    ld_info info;
    kept = rng;
    info = ld_clock_step(&c, &t, bad[k], &rng);
    CHECK(info.jump == 0 && info.proposed == 0 && kept.left == rng.left);
    CHECK(memcmp(kept.state, rng.state, sizeof rng.state) == 0);
  }
  CHECK(ld_clock_step(&c, &t, 1e-300, &rng).proposed == 0);
  CHECK(ld_clock_step(&c, &t, 1e5, &rng).proposed > 1e5 / 2);
}

/* The clock of dense models weighs in blocks of 64 sites and lanes of 8: sites that are independent, as many as are on both
 * sides of these. A site of odds t forgets by e^-(1 + t) a step; of some 600 means none is off by 6.8 standard errors. */
static void ring_deltas(const ring *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = ring_delta(m, x, i);
}

#define LBP_NAME    wide
#define LBP_MODEL_T ring
#define LBP_DELTAS  ring_deltas
#define LBP_CLOCK   LBP_BIRTH_DEATH
#include "../lbp.h"

static void check_wide(uint32_t n) {
  enum { STEPS = SHARP_TRIALS < 30000 ? 1000 : 6000 };
  static uint64_t ws[RING_WS * 2];
  static double ones[RING_MOST];
  const ring m = {n, 0, 0.9};
  uint8_t x[RING_MOST] = {0};
  uint32_t i, s;
  int off = 0;
  wide_chain c;
  lbp_rng rng;
  lbp_rng_init(&rng, 21, n);
  memset(ones, 0, sizeof ones);
  if (wide_init(&c, n, x, ws, RING_WS * 2) != LBP_OK) abort();
  wide_clock_step(&c, &m, 20, &rng);
  for (s = 0; s < STEPS; s++) {
    wide_clock_step(&c, &m, 1, &rng);
    for (i = 0; i < n; i++) ones[i] += x[i];
  }
  for (i = 0; i < n; i++) {
    const double t = exp(ring_field(&m, i)), p = t / (1 + t), kept = exp(-1 - t);
    off += fabs(ones[i] / STEPS - p) > 6.8 * sqrt(p * (1 - p) * (1 + kept) / (1 - kept) / STEPS);
  }
  CHECK(off == 0);
}

/* Two modes, 00 and 11, between which chains go through states that are e^50 and e^51 times less probable: the rates out
 * of a mode are far below 2^-31. */
static double well_logp(const ring *m, unsigned x) { return (void)m, x == 1 ? -50 : x == 2 ? -51 : 0; }
static double well_delta(const ring *m, const uint8_t *x, uint32_t i) {
  const unsigned here = x[0] + 2u * x[1];
  return well_logp(m, here ^ (1u << i)) - well_logp(m, here);
}
static void well_deltas(const ring *m, const uint8_t *x, double *out) { out[0] = well_delta(m, x, 0), out[1] = well_delta(m, x, 1); }
static uint32_t well_neighbours(const ring *m, uint32_t i, uint32_t *out) { return (void)m, out[0] = 1 - i, 1; }

#define LBP_NAME           well
#define LBP_MODEL_T        ring
#define LBP_DELTA          well_delta
#define LBP_NEIGHBOURS     well_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_CLOCK          LBP_BARKER
#include "../lbp.h"

#define LBP_NAME    well_dense
#define LBP_MODEL_T ring
#define LBP_DELTAS  well_deltas
#define LBP_CLOCK   LBP_METROPOLIS
#include "../lbp.h"

/* From the other of both neighbours half of all ways lead to the other mode: that is where a chain is after t with
 * probability (1 - e^(-(w1 + w2) t)) / 2, after (w1 + w2) t visits to neighbours on average. 5 standard errors. */
static void check_well(void) {
  enum { STEPS = 20000 };
  const double t = exp(50), there = (1 - exp(-1 - exp(-1))) / 2, error = sqrt(there * (1 - there) / STEPS);
  static uint64_t ws[2][RING_WS];
  const ring m = {2, 0, 0};
  uint8_t x[2] = {0, 0}, y[2] = {0, 0};
  double moved = 0, moved_dense = 0, jumps = 0;
  uint32_t s;
  well_chain c;
  well_dense_chain d;
  lbp_rng rng;
  lbp_rng_init(&rng, 31, 4);
  if (well_init(&c, 2, x, ws[0], RING_WS) != LBP_OK || well_dense_init(&d, 2, y, ws[1], RING_WS) != LBP_OK) abort();
  for (s = 0; s < STEPS; s++) {
    const well_info info = well_clock_step(&c, &m, t, &rng);
    moved += info.jump == 2;
    jumps += info.proposed / 2.0;
    moved_dense += well_dense_clock_step(&d, &m, t, &rng).jump == 2;
  }
  CHECK_NEAR(moved / STEPS, there, 5 * error);
  CHECK_NEAR(moved_dense / STEPS, there, 5 * error);
  CHECK_NEAR(jumps / STEPS, 1 + exp(-1), 5 * sqrt((1 + exp(-1)) / STEPS));
}

/* One mode of log pi m->beta above 00, another 3 below it, and their union as much: birth-death weights from 00 are so
 * large that only their quotient counts. In time 1 most is forgotten; 5 standard errors of draws that are worth a third. */
static double tall_logp(const ring *m, unsigned x) { return x == 0 ? 0 : x == 1 ? m->beta : m->beta - 3; }
static void tall_deltas(const ring *m, const uint8_t *x, double *out) {
  const unsigned here = x[0] + 2u * x[1];
  out[0] = tall_logp(m, here ^ 1u) - tall_logp(m, here);
  out[1] = tall_logp(m, here ^ 2u) - tall_logp(m, here);
}
static void tall_floats(const ring *m, const uint8_t *x, float *out) {
  double d[2];
  tall_deltas(m, x, d);
  out[0] = (float)d[0], out[1] = (float)d[1];
}

#define LBP_NAME    tall
#define LBP_MODEL_T ring
#define LBP_DELTAS  tall_deltas
#define LBP_CLOCK   LBP_BIRTH_DEATH
#include "../lbp.h"

#define LBP_NAME    tall_float
#define LBP_MODEL_T ring
#define LBP_REAL    float
#define LBP_DELTAS  tall_floats
#define LBP_CLOCK   LBP_BIRTH_DEATH
#include "../lbp.h"

static void check_tall(double top) {
  enum { STEPS = 60000 };
  const double p = (1 + exp(-3)) / (1 + 2 * exp(-3)), error = sqrt(3 * p * (1 - p) / STEPS);
  static uint64_t ws[2][RING_WS];
  const ring m = {2, top, 0};
  uint8_t x[2] = {1, 0}, y[2] = {1, 0};
  double first = 0, first_float = 0;
  uint32_t s;
  tall_chain c;
  tall_float_chain d;
  lbp_rng rng;
  lbp_rng_init(&rng, 41, 7);
  if (tall_init(&c, 2, x, ws[0], RING_WS) != LBP_OK || tall_float_init(&d, 2, y, ws[1], RING_WS) != LBP_OK) abort();
  for (s = 0; s < STEPS; s++) {
    tall_clock_step(&c, &m, 1, &rng);
    tall_float_clock_step(&d, &m, 1, &rng);
    first += x[0];
    first_float += y[0];
  }
  CHECK_NEAR(first / STEPS, p, 5 * error);
  CHECK_NEAR(first_float / STEPS, p, 5 * error);
}

/* Times that tune themselves: to the jumps wanted, from far off; frozen after the warm-up; bad arguments. */
static void check_tuner(void) {
  enum { N = 100 };
  static uint64_t ws[RING_WS];
  const ring m = {N, 0.8, 0.1};
  const double from[3] = {1e-6, 1, 1e4};
  uint8_t x[N] = {0};
  uint32_t k, s;
  for (k = 0; k < 3; k++) {
    lbp_clock_tuner t;
    plain_chain c;
    double jumps = 0, frozen;
    lbp_rng rng;
    lbp_rng_init(&rng, 8, k);
    if (plain_init(&c, N, x, ws, RING_WS) != LBP_OK) abort();
    CHECK(lbp_clock_tuner_init(&t, 5, from[k], 4000) == LBP_OK && t.time == from[k]);
    for (s = 0; s < 4000; s++) {
      const double time = t.time;
      lbp_clock_tuner_observe(&t, time, plain_clock_step(&c, &m, time, &rng).proposed);
      lbp_clock_tuner_update(&t);
    }
    frozen = t.time;
    for (s = 0; s < 40000; s++) {
      const double now = plain_clock_step(&c, &m, frozen, &rng).proposed;
      jumps += now / 40000;
      lbp_clock_tuner_observe(&t, frozen, now);
      lbp_clock_tuner_update(&t);
    }
    CHECK_NEAR(jumps, 5, 0.6);
    CHECK(t.time == frozen);
  }
  {
    lbp_clock_tuner t;
    CHECK(lbp_clock_tuner_init(NULL, 5, 1, 10) == LBP_E_NULL && lbp_clock_tuner_init(&t, 0, 1, 10) == LBP_E_RANGE);
    CHECK(lbp_clock_tuner_init(&t, HUGE_VAL, 1, 10) == LBP_E_RANGE && lbp_clock_tuner_init(&t, 1, 0, 10) == LBP_E_RANGE);
    CHECK(lbp_clock_tuner_init(&t, 1, 0 * HUGE_VAL, 10) == LBP_E_RANGE);
    CHECK(lbp_clock_tuner_init(&t, 5, 1, 10000) == LBP_OK && lbp_clock_tuner_most(&t) >= 5);
    for (s = 0; s < 9000; s++) { /* nothing moves: sums stay finite, and what moves at last is learned from */
      lbp_clock_tuner_observe(&t, t.time, 0);
      lbp_clock_tuner_update(&t);
    }
    CHECK(lbp_is_finite(t.time) && lbp_is_finite(t.spent) && lbp_is_finite(t.spent_before));
    for (; s < 10000; s++) {
      lbp_clock_tuner_observe(&t, t.time, t.time);
      lbp_clock_tuner_update(&t);
    }
    CHECK(t.time < 1e100 && lbp_clock_tuner_most(&t) == 0);
  }
}

/* ---- what is kept, what is refused ------------------------------------------------------------------------------- */

/* Sweeps of dense models ask once, and once for each flip but the last site's; a touched chain asks again. */
static void check_evaluations(void) {
  const toy t = toy_make(8, 0.75, 0, 5);
  dd_bed bed;
  kd_bed kept;
  uint32_t s, all = 0;
  int ok = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, 4, 4);
  dd_start(&bed, &t, 0);
  kd_start(&kept, &t, 0);
  for (s = 0; s < 2000; s++) {
    const uint32_t before = sharp_asked;
    dd_info info = s % 3 == 0 ? dd_gibbs_sweep(&bed.chain, &t, &rng) : s % 3 == 1 ? dd_metropolis_sweep(&bed.chain, &t, &rng)
                                                                                  : dd_clock_step(&bed.chain, &t, 0.2, &rng);
    uint32_t asked = sharp_asked - before;
    ok &= info.evaluations == asked && asked <= info.proposed + 1;
    all += asked;
    if (s % 50 == 0) dd_touch(&bed.chain);
  }
  CHECK(ok && all > 1000);
  for (s = 0; s < 2000; s++) {
    const uint32_t before = sharp_asked;
    kd_info info = s % 2 ? kd_gibbs_sweep(&kept.chain, &t, &rng) : kd_metropolis_sweep(&kept.chain, &t, &rng);
    ok &= info.evaluations == sharp_asked - before && info.evaluations <= info.jump + 1;
    if (s % 10 == 0) kd_lbp_step(&kept.chain, &t, 3, &rng);
  }
  CHECK(ok);
  CHECK(kd_check(&kept.chain, &t, 10, &rng).status == LBP_OK && dd_check(&bed.chain, &t, 10, &rng).status == LBP_OK);
}

/* A state without ways out: no sampler that flips single sites leaves it; the clock says so. */
static double alone_delta(const ring *m, const uint8_t *x, uint32_t i) { return (void)m, (void)x, (void)i, -HUGE_VAL; }
static void alone_deltas(const ring *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = alone_delta(m, x, i);
}

#define LBP_NAME           alone
#define LBP_MODEL_T        ring
#define LBP_DELTA          alone_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_SWEEPS
#define LBP_CLOCK          LBP_BARKER
#include "../lbp.h"

#define LBP_NAME    alone_dense
#define LBP_MODEL_T ring
#define LBP_DELTAS  alone_deltas
#define LBP_CLOCK   LBP_BIRTH_DEATH
#undef LBP_CHECKED
#define LBP_CHECKED 1
#include "../lbp.h"
#undef LBP_CHECKED
#define LBP_CHECKED 0

static void check_isolated(void) {
  static uint64_t ws[2][RING_WS];
  const ring m = {7, 0, 0};
  uint8_t x[7] = {0, 1}, y[7] = {0, 1};
  alone_chain c;
  alone_dense_chain d;
  alone_info info;
  alone_dense_info other;
  lbp_rng rng, kept;
  lbp_rng_init(&rng, 2, 2);
  alone_init(&c, 7, x, ws[0], RING_WS);
  alone_dense_init(&d, 7, y, ws[1], RING_WS);
  info = alone_clock_step(&c, &m, 1e6, &rng);
  CHECK(info.accept == 0 && info.proposed == 0 && info.jump == 0);
  other = alone_dense_clock_step(&d, &m, 1e6, &rng);
  CHECK(other.accept == 0 && other.proposed == 0 && alone_dense_fault(&d).status == LBP_E_ISOLATED);
  kept = rng;
  info = alone_metropolis_sweep(&c, &m, &rng); /* no random number for what cannot flip */
  CHECK(info.jump == 0 && lbp_rng_u64(&kept) == lbp_rng_u64(&rng));
  info = alone_skip_sweep(&c, &m, LBP_METROPOLIS, &rng);
  CHECK(info.jump == 0 && x[0] == 0 && x[1] == 1);
}

/* Levels that lie are found, by NAME_check and by a checked build where they are no levels; wrong weights are refused. */
static void check_levels(void) {
  static uint64_t ws[2][RING_WS];
  const ring m = {40, 0.5, 0.25};
  uint8_t x[40] = {0}, y[40] = {0};
  level_chain c;
  checked_chain d;
  lbp_rng rng;
  uint32_t s;
  lbp_rng_init(&rng, 6, 6);
  if (level_init(&c, 40, x, ws[0], RING_WS) != LBP_OK) abort();
  CHECK(level_check(&c, &m, 10, &rng).status == LBP_OK);
  for (ring_lies = 1; ring_lies < 3; ring_lies++) CHECK(level_check(&c, &m, 10, &rng).status == LBP_E_LEVEL);
  ring_lies = 0;
  CHECK(level_skip_sweep(&c, &m, LBP_SQRT, &rng).accept == 0);
  checked_init(&d, 40, y, ws[1], RING_WS);
  for (s = 0; s < 200; s++) {
    if (s % 4 == 0) checked_metropolis_sweep(&d, &m, &rng);
    else if (s % 4 == 1) checked_clock_step(&d, &m, 0.5, &rng);
    else checked_skip_sweep(&d, &m, s % 4 == 2 ? LBP_BARKER : LBP_METROPOLIS, &rng);
  }
  CHECK(checked_fault(&d).status == LBP_OK);
  ring_lies = 2;
  checked_metropolis_sweep(&d, &m, &rng);
  CHECK(checked_fault(&d).status == LBP_E_LEVEL && checked_fault(&d).site == 2);
  ring_lies = 0;
  checked_init(&d, 40, y, ws[1], RING_WS);
  checked_skip_sweep(&d, &m, LBP_SQRT, &rng);
  CHECK(checked_fault(&d).status == LBP_E_RANGE);
  checked_init(&d, 40, y, ws[1], RING_WS);
  checked_clock_step(&d, &m, HUGE_VAL, &rng);
  CHECK(checked_fault(&d).status == LBP_E_RANGE);
  checked_init(&d, 40, y, ws[1], RING_WS);
  for (s = 0; s < 3; s++) checked_skip_sweep(&d, &m, LBP_BARKER, &rng);
  y[5] ^= 1; /* behind its back */
  for (s = 0; s < 40; s++) checked_skip_sweep(&d, &m, LBP_BARKER, &rng);
  CHECK(checked_fault(&d).status == LBP_E_STALE);
}

/* Tables are forgotten with the temperature, and at beta = 0 Metropolis' sweep, which would turn all over, is Gibbs'. */
static void check_temperatures(void) {
  static uint64_t ws[RING_WS];
  const ring m = {50, 0.5, 0.25};
  uint8_t x[50] = {0};
  level_chain c;
  double ones = 0, walls[2] = {0, 0};
  uint32_t s, i, k;
  lbp_rng rng;
  lbp_rng_init(&rng, 12, 6);
  if (level_init(&c, 50, x, ws, RING_WS) != LBP_OK) abort();
  for (k = 0; k < 2; k++) {
    CHECK(level_temper(&c, 0) == LBP_OK);
    for (s = 0; s < 4000; s++) {
      if (k) level_skip_sweep(&c, &m, LBP_METROPOLIS, &rng);
      else level_metropolis_sweep(&c, &m, &rng);
      for (i = 0; i < 50; i++) ones += x[i] / 400000.0, walls[k] += (x[i] != x[(i + 1) % 50]) / 200000.0;
    }
    CHECK(level_temper(&c, 3) == LBP_OK);
    for (s = 0; s < 10; s++) {
      if (k) level_skip_sweep(&c, &m, LBP_METROPOLIS, &rng);
      else level_metropolis_sweep(&c, &m, &rng);
    }
    for (i = 0, s = 0; i < 50; i++) s += x[i] != x[(i + 1) % 50];
    CHECK(s <= 12); /* by the tables of beta = 0 some 25 */
  }
  CHECK_NEAR(ones, 0.5, 6 * 0.5 / sqrt(400000));
  for (k = 0; k < 2; k++) CHECK_NEAR(walls[k], 0.5, 6 * 0.5 / sqrt(200000));
}

int main(void) {
  static const uint32_t sizes[6] = {3, 63, 64, 65, 128, 193}, wide[6] = {7, 8, 9, 63, 64, 129};
  static const double tops[6] = {10, 79, 82, 699, 702, 1e4};
  uint32_t k;
  check_exponential();
  check_hazards();
  check_cuts();
  check_well();
  for (k = 0; k < 6; k++) check_tall(tops[k]);
  check_tuner();
  check_evaluations();
  check_isolated();
  check_levels();
  check_temperatures();
  for (k = 0; k < 6; k++) {
    check_wide(wide[k]);
    check_same_draws(sizes[k], 0.3);
    check_same_draws(sizes[k], 1.2);
    check_blocks(sizes[k], LBP_BARKER, 0.6, 0);
    check_blocks(sizes[k], LBP_METROPOLIS, 0.6, 0);
    check_blocks(sizes[k], LBP_METROPOLIS, 1.5, k % 2);
  }
  ld_test_all();
  lf_test_all();
  lf_fixed_test_all();
  ld_hot_test_all();
  sf_test_all();
  sd_sqrt_test_all();
  pd_test_all();
  pf_test_all();
  dd_test_all();
  df_test_all();
  df_same_test_all();
  kd_test_all();
  kd_cold_test_all();
  ed_test_all();
  return test_report();
}
