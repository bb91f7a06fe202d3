/* Groups that keep their number of ones: each swap's acceptance, and the law of its proposals, by enumeration of all
 * paths from weights as they are stored; data kept from step to step; groups that are wrong; inclusion probabilities
 * of products in closed form, on both sides of block sizes; the shift that is found.
 *
 * Chi-squared tests at level 1e-8, about 170 of them, and z-tests of 6 standard errors: a false alarm of the suite has
 * probability 2e-6. */
#include "toy.h"
#include "chi2.h"

static unsigned swap_pairs; /* of one group: more swaps are drawn apart */
#define LBP_P_PAIRS swap_pairs
#include "../lbp/base/moves.h"

#define SWAP_LOCAL    1
#define SWAP_LISTED   2
#define SWAP_PRODUCT  3
#define SWAP_DENSE    4
#define SWAP_ESTIMATE 5

#ifdef API_QUICK
#define SWAP_TRIALS 2000u
#else
#define SWAP_TRIALS 8000u
#endif

#define AS_DOUBLE(name) name
#define AS_FLOAT(name)  name##_float

enum { SWAP_LAYOUTS = 4, SWAP_STATES = 64, SWAP_PATHS = 6 * 6 * 6 * 6 };

/* ---- all paths --------------------------------------------------------------------------------------------------- */

static uint32_t swap_group[TOY_MAX];      /* of the toys */
static const uint8_t *swap_mask;          /* what is clamped */
static uint32_t swap_weight[SWAP_STATES][TOY_MAX];
static double swap_value[SWAP_STATES];    /* log pi at the temperature */
static uint32_t swap_seen[SWAP_STATES][SWAP_PATHS], swap_passed[SWAP_STATES][SWAP_STATES];

/* One group; two and a site that is in none; two, of which one never moves, and a site in none; one with clamped sites,
 * and two in none. Returns a state. */
static uint32_t swap_lay_out(uint32_t layout) {
  static const uint32_t group[SWAP_LAYOUTS][6] = {
      {0, 0, 0, 0, 0, 0}, {0, 1, 0, 1, LBP_NO_GROUP, 1}, {2, 2, 0, 0, LBP_NO_GROUP, 2}, {1, 1, 1, 1, 1, LBP_NO_GROUP}};
  static const uint32_t start[SWAP_LAYOUTS] = {0x15, 0x09, 0x2e, 0x0b};
  static const uint8_t mask[6] = {1, 0, 0, 0, 0, 0};
  memcpy(swap_group, group[layout], sizeof group[layout]);
  swap_mask = layout == 3 ? mask : NULL;
  return start[layout];
}

static uint32_t swap_grouped(void) {
  uint32_t bits = 0, i;
  for (i = 0; i < 6; i++) bits |= (uint32_t)(swap_group[i] != LBP_NO_GROUP || (swap_mask && swap_mask[i])) << i;
  return bits;
}

static void swap_begin(const toy *t, double beta, int by_fields) {
  uint32_t code, i;
  uint8_t x[TOY_MAX];
  toy_fields f;
  for (code = 0; code < 1u << t->n; code++) {
    for (i = 0; i < t->n; i++) x[i] = (uint8_t)(code >> i & 1);
    toy_fields_set(t, &f, x);
    swap_value[code] = by_fields ? toy_fields_logp(t, &f, x) : toy_logp(t, x);
    if (swap_value[code] > -1e300) swap_value[code] *= beta;
  }
  memset(swap_seen, 0, sizeof swap_seen);
  memset(swap_passed, 0, sizeof swap_passed);
}

static uint32_t swap_bits(uint32_t v) {
  uint32_t count = 0;
  for (; v; v &= v - 1) count++;
  return count;
}

/* The weights of group g's sites of that value, but for those that are out. */
static uint64_t swap_sum(uint32_t n, uint32_t code, uint32_t out, uint32_t g, uint32_t value) {
  uint64_t sum = 0;
  uint32_t i, ones = 0, size = 0;
  for (i = 0; i < n; i++) {
    if (swap_group[i] != g || (swap_mask && swap_mask[i])) continue;
    ones += code >> i & 1;
    size++;
    if ((out >> i & 1) == 0 && (code >> i & 1) == value) sum += swap_weight[code][i];
  }
  return ones == 0 || ones == size ? 0 : sum; /* a group that never moves */
}

/* What a swap is drawn from: A B of all groups, or for a path A. */
static double swap_all(uint32_t n, uint32_t code, uint32_t out, int path) {
  double all = 0;
  uint32_t g;
  for (g = 0; g < 3; g++) {
    const double ones = (double)(int64_t)swap_sum(n, code, out, g, 1);
    all += path ? ones : ones * (double)(int64_t)swap_sum(n, code, out, g, 0);
  }
  return all;
}

/* The probability of drawing R swaps: way[2 k] and way[2 k + 1], or backwards, as the way back does it from y. */
static double swap_of_swaps(uint32_t n, uint32_t code, const uint32_t *way, uint32_t R, int backwards) {
  double p = 1;
  uint32_t out = 0, k;
  for (k = 0; k < R; k++) {
    const uint32_t *pair = way + 2 * (backwards ? R - 1 - k : k);
    p *= (double)swap_weight[code][pair[0]] * (double)swap_weight[code][pair[1]] / swap_all(n, code, out, 0);
    out |= 1u << pair[0] | 1u << pair[1];
  }
  return p;
}

/* The same of a path: where one was removed, the zeros of its group are drawn from. A group has both, off the path. */
static double swap_of_path(uint32_t n, uint32_t code, const uint32_t *way, uint32_t R, int backwards) {
  double p = 1;
  uint32_t k, i;
  for (k = 0; k < R; k++) {
    const uint32_t at = 2 * (backwards ? R - 1 - k : k), one = way[at + (uint32_t)backwards];
    const uint32_t zero = way[at + 1 - (uint32_t)backwards];
    double zeros = 0;
    p *= (double)swap_weight[code][one] / swap_all(n, code, 0, 1);
    code ^= 1u << one;
    for (i = 0; i < n; i++) {
      if (swap_group[i] == swap_group[one] && !(code >> i & 1)) zeros += (double)swap_weight[code][i];
    }
    p *= (double)swap_weight[code][zero] / zeros;
    code ^= 1u << zero;
  }
  return p;
}

/* The acceptance probability of a path from a state; *to becomes where it leads. `local`: flips one after another, none
 * through impossible states, those of swaps all ones first. R = 0: a uniform swap. */
static double swap_accept(const toy *t, uint32_t code, const uint32_t *way, uint32_t R, int path, int local,
                          uint32_t *to) {
  uint32_t k, y = code;
  double forth = 1, back = 1, gain;
  int possible = 1;
  for (k = 0; k < (R > 0 ? 2 * R : 2); k++) {
    y ^= 1u << way[path || R == 0 ? k : k < R ? 2 * k : 2 * (k - R) + 1];
    if (local && !(swap_value[y] > -1e300)) possible = 0;
  }
  *to = y;
  if (!possible || !(swap_value[y] > -1e300)) return 0;
  if (R > 0) forth = path ? swap_of_path(t->n, code, way, R, 0) : swap_of_swaps(t->n, code, way, R, 0);
  if (R > 0) back = path ? swap_of_path(t->n, y, way, R, 1) : swap_of_swaps(t->n, y, way, R, 1);
  gain = swap_value[y] - swap_value[code] + log(back) - log(forth);
  return gain < 0 ? exp(gain) : 1;
}

static uint32_t swap_number(const uint32_t *way, uint32_t R) {
  uint32_t number = 0, k;
  for (k = 0; k < (R > 0 ? 2 * R : 2); k++) number = 6 * number + way[k];
  return number;
}

static void swap_count(uint32_t n, uint32_t code, const uint32_t *way, uint32_t R) {
  (void)n;
  swap_seen[code][swap_number(way, R)]++;
}

/* The probability of a uniform swap, in either order. */
static double swap_uniform(uint32_t n, uint32_t code, uint32_t one, uint32_t zero) {
  uint32_t of[3][2] = {{0, 0}, {0, 0}, {0, 0}}, mobile = 0, g, i;
  for (i = 0; i < n; i++) {
    if (swap_group[i] != LBP_NO_GROUP && !(swap_mask && swap_mask[i])) of[swap_group[i]][code >> i & 1]++;
  }
  for (g = 0; g < 3; g++) mobile += of[g][0] > 0 && of[g][1] > 0 ? of[g][0] + of[g][1] : 0;
  g = swap_group[one];
  if (g == LBP_NO_GROUP || g != swap_group[zero] || (swap_mask && (swap_mask[one] || swap_mask[zero]))) return 0;
  if (!(code >> one & 1) || (code >> zero & 1)) return 0;
  return (1.0 / of[g][0] + 1.0 / of[g][1]) / mobile;
}

/* Whether there is a state in which so many swaps can't be drawn. */
static int swap_may_refuse(const toy *t, uint32_t code, uint32_t R, int path) {
  return R > 1 || !(swap_all(t->n, code, 0, path) > 0);
}

static double swap_probability(const toy *t, uint32_t code, uint32_t number, uint32_t R, int path) {
  uint32_t way[4], k, y = code;
  for (k = R > 0 ? 2 * R : 2; k > 0; k--, number /= 6) way[k - 1] = number % 6;
  if (R == 0) return swap_uniform(t->n, code, way[0], way[1]);
  for (k = 0; k < 2 * R; k++) { /* ones and zeros in turn, pairs of one group, none twice but in a path */
    const uint32_t bit = 1u << way[k], g = swap_group[way[k]], now = path ? y : code;
    if (g == LBP_NO_GROUP || (now >> way[k] & 1) != 1u - (k & 1) || (k & 1 && g != swap_group[way[k - 1]])) return 0;
    if (!path && k > 1 && (way[k] == way[0] || way[k] == way[1])) return 0;
    if (!(swap_weight[now][way[k]] > 0) || !(swap_sum(t->n, code, 0, g, 1) > 0)) return 0;
    y ^= bit;
  }
  if (!path && R == 2 && !(swap_all(t->n, code, 1u << way[0] | 1u << way[1], 0) > 0)) return 0;
  if (!(swap_all(t->n, code, 0, path) > 0)) return 0;
  return path ? swap_of_path(t->n, code, way, R, 0) : swap_of_swaps(t->n, code, way, R, 0);
}

/* Paths that were seen against their probabilities, given that there is one. */
static void swap_judge(const toy *t, uint32_t R, int path) {
  const uint32_t paths = R == 2 ? SWAP_PATHS : 36;
  static double law[SWAP_PATHS];
  chi2_sums sums = chi2_begin();
  uint32_t code, number;
  double p;
  for (code = 0; code < 1u << t->n; code++) {
    double trials = 0, sum = 0;
    for (number = 0; number < paths; number++) trials += swap_seen[code][number];
    if (!(trials > 0)) continue;
    for (number = 0; number < paths; number++) sum += law[number] = swap_probability(t, code, number, R, path);
    for (number = 0; number < paths; number++) law[number] /= sum;
    chi2_row(&sums, swap_seen[code], law, paths, trials, 0);
  }
  p = chi2_end(&sums);
  if (!(p > CHI2_LEVEL)) printf("R = %u, path %d: p = %g of %g degrees\n", (unsigned)R, path, p, sums.degrees);
  CHECK(p > CHI2_LEVEL);
}

/* Sweeps against the matrix of uniform swaps to the power of their number. */
static void swap_judge_sweep(const toy *t, uint32_t start, int local, uint32_t swaps) {
  static double P[SWAP_STATES][SWAP_STATES], row[SWAP_STATES], next[SWAP_STATES];
  uint32_t x, y, i, j, k;
  double least = 1;
  memset(P, 0, sizeof P);
  for (x = 0; x < 1u << t->n; x++) {
    for (i = 0; i < t->n; i++) {
      for (j = 0; j < t->n; j++) {
        const uint32_t way[2] = {i, j};
        const double p = swap_uniform(t->n, x, i, j);
        if (p > 0) P[x][x ^ 1u << i ^ 1u << j] += p * swap_accept(t, x, way, 0, 0, local, &y);
      }
    }
    for (y = 0, P[x][x] = 1; y < 1u << t->n; y++) P[x][x] -= y == x ? 0 : P[x][y];
  }
  for (x = 0; x < 1u << t->n; x++) {
    uint32_t trials = 0;
    double p;
    for (y = 0; y < 1u << t->n; y++) trials += swap_passed[x][y], row[y] = y == x;
    if (trials == 0) continue;
    for (k = 0; k < swaps; k++) {
      memset(next, 0, sizeof next);
      for (i = 0; i < 1u << t->n; i++) {
        for (y = 0; row[i] > 0 && y < 1u << t->n; y++) next[y] += row[i] * P[i][y];
      }
      memcpy(row, next, sizeof row);
    }
    p = chi2_counts(swap_passed[x], row, 1u << t->n, trials);
    if (p < least) least = p;
  }
  (void)start;
  CHECK(least > CHI2_LEVEL);
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

#define CASE        ld
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   SWAP_LOCAL
#include "cases/swap_case.h"

#define CASE        lf
#define CASE_REAL   float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   SWAP_LOCAL
#define CASE_N      6
#include "cases/swap_case.h"

#define CASE        l_hot
#define CASE_REAL   double
#define CASE_WEIGHT LBP_METROPOLIS
#define CASE_KIND   SWAP_LOCAL
#define CASE_BETA   0.5
#include "cases/swap_case.h"

#define CASE        l_one
#define CASE_REAL   double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   SWAP_LOCAL
#define CASE_GROUPS 1
#include "cases/swap_case.h"

#define CASE        sd
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   SWAP_LISTED
#define CASE_DELTAS AS_DOUBLE
#include "cases/swap_case.h"

#define CASE        pf
#define CASE_REAL   float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   SWAP_PRODUCT
#include "cases/swap_case.h"

#define CASE        dd
#define CASE_REAL   double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND   SWAP_DENSE
#define CASE_DELTAS AS_DOUBLE
#include "cases/swap_case.h"

#define CASE        ed
#define CASE_REAL   double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   SWAP_ESTIMATE
#define CASE_DELTAS AS_DOUBLE
#include "cases/swap_case.h"

#define CASE        ef
#define CASE_REAL   float
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND   SWAP_ESTIMATE
#define CASE_DELTAS AS_FLOAT
#define CASE_N      6
#include "cases/swap_case.h"

/* ---- other lengths ----------------------------------------------------------------------------------------------- */

/* A ring with a field of its own at each site; sites i, i + groups, ... are a group, but for the last `apart`, and, if
 * there are holes, every so many. */
enum { RING_MOST = 400 };
typedef struct {
  uint32_t n, groups, apart, ones, holes;
  double coupling, field[RING_MOST];
} band;

static band band_make(uint32_t n, uint32_t groups, uint32_t apart, double coupling, double spread) {
  band b;
  lbp_rng rng;
  uint32_t i;
  memset(&b, 0, sizeof b);
  lbp_rng_init(&rng, 8, n);
  b.n = n;
  b.groups = groups;
  b.apart = apart;
  b.coupling = coupling;
  for (i = 0; i < n; i++) b.field[i] = spread * (2 * lbp_u01(lbp_rng_u64(&rng)) - 1);
  return b;
}

static double band_delta(const band *b, const uint8_t *x, uint32_t i) {
  const double h = b->field[i] + b->coupling * (double)(x[(i + 1) % b->n] + x[(i + b->n - 1) % b->n]);
  return x[i] ? -h : h;
}

static double band_independent(const band *b, const uint8_t *x, uint32_t i) {
  return x[i] ? -b->field[i] : b->field[i];
}

static float band_independent_float(const band *b, const uint8_t *x, uint32_t i) {
  return (float)band_independent(b, x, i);
}

static int band_forgets; /* a neighbour */
static uint32_t band_neighbours(const band *b, uint32_t i, uint32_t *out) {
  out[0] = (i + 1) % b->n;
  out[1] = (i + b->n - 1) % b->n;
  return band_forgets ? 1 : 2;
}

static uint32_t band_none(const band *b, uint32_t i, uint32_t *out) { return (void)b, (void)i, (void)out, 0u; }

static uint32_t band_strict; /* so many ones, but for one more or less, or log pi is no number; 0: any */
static double band_logp(const band *b, const uint8_t *x) {
  double sum = 0;
  uint32_t i, ones = 1;
  for (i = 0; i < b->n; i++) ones += x[i];
  if (band_strict > 0 && ones - band_strict > 2) return NAN;
  for (i = 0; i < b->n; i++) sum += x[i] * (b->field[i] + b->coupling * x[(i + 1) % b->n]);
  return sum;
}

static uint32_t band_group(const band *b, uint32_t i) {
  if (b->holes > 0 && i % b->holes == 0) return LBP_NO_GROUP;
  return i + b->apart < b->n ? i % b->groups : LBP_NO_GROUP;
}

static uint32_t band_ones(const band *b, uint32_t g) { return (void)g, b->ones; }

#define LBP_NAME           chain
#define LBP_MODEL_T        band
#define LBP_DELTA          band_delta
#define LBP_NEIGHBOURS     band_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           band_logp
#define LBP_GROUP          band_group
#include "../lbp.h"

#define LBP_NAME           loose
#define LBP_MODEL_T        band
#define LBP_DELTA          band_independent
#define LBP_NEIGHBOURS     band_none
#define LBP_MAX_NEIGHBOURS 0
#define LBP_GROUP          band_group
#define LBP_GROUP_ONES     band_ones
#include "../lbp.h"

#define LBP_NAME           loose_float
#define LBP_REAL           float
#define LBP_MODEL_T        band
#define LBP_DELTA          band_independent_float
#define LBP_NEIGHBOURS     band_none
#define LBP_MAX_NEIGHBOURS 0
#define LBP_GROUP          band_group
#define LBP_GROUPS         140
#include "../lbp.h"

/* Whether LBP_DELTAS_MANY has been asked for the state; how often LBP_LOGP was, while it had not. */
typedef struct {
  int known;
} answer;
static uint32_t unanswered;

static void answer_begin(const band *b, answer *f, const uint8_t *x) { (void)b, (void)x, f->known = 0; }
static void answer_deltas(const band *b, answer *f, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < b->n; i++) out[i] = 0.9 * band_delta(b, x, i);
  f->known = 1;
}
LBP_INLINE void answer_many(const band *b, answer *const *f, const uint8_t *const *x, double *const *out,
                            uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) answer_deltas(b, f[k], x[k], out[k]);
}
static double answer_logp(const band *b, answer *f, const uint8_t *x) {
  unanswered += !f->known;
  return band_logp(b, x);
}

#define LBP_NAME        shared
#define LBP_MODEL_T     band
#define LBP_DELTAS      answer_deltas
#define LBP_DELTAS_MANY answer_many
#define LBP_LOGP        answer_logp
#define LBP_FIELDS_T    answer
#define LBP_FIELDS_INIT answer_begin
#define LBP_FLIP(m, f, x, i) ((f)->known = 0)
#define LBP_GROUP       band_group
#include "../lbp.h"

static uint8_t x[RING_MOST], y[RING_MOST], other[RING_MOST];
static uint64_t ws[40 * RING_MOST], second_ws[40 * RING_MOST];

/* The probability that site i is a one, of a product whose group has so many ones: t_i e(ones - 1; the others) /
 * e(ones; all), e the elementary symmetric polynomials. */
static double band_inclusion(const band *b, uint32_t i, uint32_t ones) {
  static double e[RING_MOST + 1];
  const uint32_t g = band_group(b, i);
  uint32_t j, k;
  double t = exp(b->field[i]), most;
  memset(e, 0, sizeof e);
  e[0] = 1;
  for (j = 0; j < b->n; j++) {
    if (band_group(b, j) != g || j == i) continue;
    for (k = ones; k > 0; k--) e[k] += exp(b->field[j]) * e[k - 1];
    for (k = 0, most = 0; k <= ones; k++) most = e[k] > most ? e[k] : most;
    for (k = 0; most > 1e100 && k <= ones; k++) e[k] *= 1e-100; /* a common factor */
  }
  return t * e[ones - 1] / (e[ones] + t * e[ones - 1]);
}

/* The mean of a random sum of sites in 24 chains, against what it is; sampler: 0 swaps, 1 a path, 2 a sweep. */
#define BAND_CHAINS(NAME, b, R, sampler) do { \
    double mean[24], sum = 0, squares = 0, want = 0, weight[RING_MOST]; \
    uint32_t ones[RING_MOST], c_, s_, i_; \
    lbp_rng rng; \
    NAME##_chain c; \
    lbp_rng_init(&rng, 77, 0); \
    memset(ones, 0, sizeof ones); \
    for (i_ = 0; i_ < (b)->n; i_++) { \
      weight[i_] = band_group(b, i_) == LBP_NO_GROUP ? 0 : lbp_u01(lbp_rng_u64(&rng)) - 0.5; \
      y[i_] = (i_ / (b)->groups) % 3 == 0; \
      if (y[i_] && weight[i_] != 0) ones[band_group(b, i_)]++; \
    } \
    for (i_ = 0; i_ < (b)->n; i_++) { \
      if (weight[i_] != 0) want += weight[i_] * band_inclusion(b, i_, ones[band_group(b, i_)]); \
    } \
    for (c_ = 0; c_ < 24; c_++) { \
      lbp_rng_init(&rng, 78, c_); \
      memcpy(x, y, sizeof x); \
      CHECK(NAME##_init(&c, (b)->n, x, ws, NAME##_ws_len((b)->n)) == LBP_OK); \
      CHECK(NAME##_scatter(&c, b, &rng) == LBP_OK); \
      NAME##_set_shift(&c, 0.3); \
      for (s_ = 0, mean[c_] = 0; s_ < 200; s_++) { \
        if (sampler == 0) NAME##_swap_step(&c, b, R, &rng); \
        else if (sampler == 1) NAME##_swap_path_step(&c, b, R, &rng); \
        else NAME##_swap_sweep(&c, b, &rng); \
        for (i_ = 0; i_ < (b)->n; i_++) mean[c_] += x[i_] * weight[i_] / 200; \
      } \
      sum += mean[c_] / 24; \
    } \
    for (c_ = 0; c_ < 24; c_++) squares += (mean[c_] - sum) * (mean[c_] - sum) / 23; \
    CHECK_NEAR(sum, want, 7 * sqrt(squares / 24)); \
    CHECK(squares < 0.5 && squares > 0); \
  } while (0)

static void test_products(void) {
  static const uint32_t n[] = {63, 64, 65, 130, 260};
  uint32_t k;
  for (k = 0; k < 5; k++) {
    band b = band_make(n[k], 1, 0, 0, 2);
    BAND_CHAINS(loose_float, &b, n[k] / 10, 0);
    b.groups = n[k] / 9;
    BAND_CHAINS(loose_float, &b, n[k] / 12, 0);
    BAND_CHAINS(loose_float, &b, n[k] / 8, 1);
    if (k == 2) BAND_CHAINS(loose_float, &b, 0, 2);
  }
  { /* few weights of long lists are large: tries in vain, some of which end in a look at all */
    band b = band_make(RING_MOST, 1, 0, 0, 25);
    for (k = 0; k < RING_MOST; k++) b.field[k] -= 25.0 / 3; /* so that a third are likely ones */
    BAND_CHAINS(loose_float, &b, 3, 0);
  }
}

/* What a chain keeps of many groups, long after the last step that made it forget, against one that begins anew. */
static void test_many_groups(void) {
  static const uint32_t groups[] = {1, 2, 3, 64, 65, 130, 1};
  uint32_t k, s, g, i;
  for (k = 0; k < 7; k++) {
    band b = band_make(RING_MOST, groups[k], 37, 0.8, 1);
    chain_chain c, d;
    lbp_rng rng;
    int same = 1;
    b.holes = k == 6 ? 5 : 0;
    lbp_rng_init(&rng, 9, k);
    for (i = 0; i < b.n; i++) x[i] = i / groups[k] % 2 == 0;
    CHECK(chain_init(&c, b.n, x, ws, sizeof ws / 8) == LBP_OK && chain_check_groups(&c, &b) == LBP_OK);
    for (s = 0; s < 440; s++) {
      if (s % 5 == 4) chain_swap_path_step(&c, &b, 20, &rng);
      else if (s % 50 == 47) chain_lbp_step(&c, &b, 5, &rng);
      else if (s % 50 == 22) chain_swap_sweep(&c, &b, &rng);
      else chain_swap_step(&c, &b, s % 7, &rng);
      for (i = 0; s % 5 < 4 && s % 50 != 47 && s % 50 != 22 && i < b.n; i++) { /* no weight is above its ceiling */
        g = c.group[i];
        same &= g == LBP_NO_GROUP || c.weight[i] <= c.top[2 * g + x[i]];
      }
    }
    chain_swap_step(&c, &b, 0, &rng);
    memcpy(other, x, sizeof x);
    CHECK(chain_init(&d, b.n, other, second_ws, sizeof second_ws / 8) == LBP_OK);
    chain_swap_step(&d, &b, 0, &rng);
    for (i = 0; i < b.n; i++) {
      same &= band_group(&b, i) == LBP_NO_GROUP || test_same_weight(c.weight[i], d.weight[i]);
      same &= c.group[i] == LBP_NO_GROUP || c.member[c.rank[i]] == i;
    }
    for (g = 0; g < groups[k]; g++) {
      same &= c.ones[g] == d.ones[g];
      for (i = 2 * g; i < 2 * g + 2; i++) {
        same &= test_same_weight((double)c.sum[i], (double)d.sum[i]);
        same &= c.top[i] >= d.top[i] || test_same_weight(c.top[i], d.top[i]);
      }
    }
    for (g = 1; g < 2 * groups[k]; g++) same &= test_same_weight(c.node[g], d.node[g]);
    CHECK(same);
  }
}

/* ---- what else there is ------------------------------------------------------------------------------------------ */

static void test_scatter(void) {
  static uint32_t seen[SWAP_STATES];
  double law[SWAP_STATES];
  ld_bench b;
  lbp_rng rng;
  uint32_t layout, k, code, states;
  for (layout = 0; layout < SWAP_LAYOUTS; layout++) {
    const uint32_t start = swap_lay_out(layout);
    const toy t = toy_make(6, 1, 0, 1);
    ld_begin(&b, &t, start, 0);
    lbp_rng_init(&rng, 4, layout);
    for (code = states = 0; code < SWAP_STATES; code++) {
      uint32_t g, i;
      int is = !(swap_mask && (code ^ start) & 1);
      for (g = 0; g < 3; g++) {
        int balance = 0;
        for (i = 0; i < 6; i++) balance += swap_group[i] == g ? (int)(code >> i & 1) - (int)(start >> i & 1) : 0;
        is &= balance == 0;
      }
      law[code] = is;
      states += (uint32_t)is;
    }
    CHECK_NEAR(ld_log_states(&b.c, &t), log((double)states), 1e-12);
    for (code = 0; code < SWAP_STATES; code++) law[code] /= states;
    memset(seen, 0, sizeof seen);
    for (k = 0; k < SWAP_TRIALS; k++) {
      CHECK(ld_scatter(&b.c, &t, &rng) == LBP_OK);
      seen[toy_code(b.x, 6)]++;
    }
    CHECK(chi2_counts(seen, law, SWAP_STATES, SWAP_TRIALS) > CHI2_LEVEL);
    CHECK(ld_check(&b.c, &t, 8, &rng).status == LBP_OK);
  }
  swap_mask = NULL;
}

/* Whether arrays of groups end where those of all chains begin, and these in the workspace. */
#define ROOM(NAME) do { \
    NAME##_chain c; \
    uint32_t n; \
    memset(x, 0, sizeof x); \
    for (n = 1; n <= RING_MOST; n++) { \
      CHECK(NAME##_init(&c, n, x, ws, NAME##_ws_len(n)) == LBP_OK && NAME##_ws_len(n) <= sizeof ws / 8); \
      CHECK((const void *)(c.held + n) <= (const void *)c.weight); \
      CHECK((const void *)(c.touched + n + 1) <= (const void *)(ws + NAME##_ws_len(n))); \
    } \
  } while (0)

static void test_room(void) {
  ROOM(chain);
  ROOM(loose_float);
}

static void test_wrong(void) {
  band b = band_make(20, 2, 0, 0, 1);
  loose_chain c;
  chain_chain d;
  loose_tuner t;
  lbp_rng rng;
  loose_info info;
  uint32_t i;
  lbp_rng_init(&rng, 1, 1);
  b.ones = 3;
  memset(x, 0, sizeof x);
  CHECK(loose_init(&c, 20, x, ws, loose_ws_len(20) - 1) == LBP_E_WORKSPACE);
  CHECK(LBP_WS_LEN(20) + LBP_WS_LEN_SWAP(20, 20) == loose_ws_len(20));
  CHECK(loose_init(&c, 20, x, ws, loose_ws_len(20)) == LBP_OK);
  CHECK(loose_check_groups(&c, &b) == LBP_E_ONES && loose_check_groups(NULL, &b) == LBP_E_NULL);
  CHECK(loose_check(&c, &b, 1, &rng).status == LBP_E_ONES && loose_scatter(&c, &b, &rng) == LBP_E_ONES);
  info = loose_swap_step(&c, &b, 1, &rng);
  CHECK(info.proposed == 0 && info.accept == 0 && loose_gibbs_sweep(&c, &b, &rng).jump == 0);
  CHECK(loose_lbp_step(&c, &b, 3, &rng).proposed == 0 && loose_rwm_step(&c, &b, 3, &rng).proposed == 0);
  CHECK(loose_init(&c, 20, x, ws, loose_ws_len(20)) == LBP_OK); /* a checked build lets it go on */
  CHECK(loose_fill(&c, &b) == LBP_OK && loose_fill(NULL, &b) == LBP_E_NULL && loose_max_swaps(&c, &b) == 6);
  CHECK(loose_scatter(&c, &b, NULL) == LBP_E_NULL && loose_scatter(&c, &b, &rng) == LBP_OK);
  CHECK(loose_check(&c, &b, 3, &rng).status == LBP_OK);
  CHECK(loose_set_shift(&c, HUGE_VAL) == LBP_E_NOT_FINITE && loose_set_shift(NULL, 0) == LBP_E_NULL);
  CHECK(loose_set_shift(&c, -1e6) == LBP_E_RANGE && loose_set_shift(&c, LBP_SHIFT_MOST) == LBP_OK);
  CHECK(loose_set_shift(&c, 0) == LBP_OK);
  CHECK(loose_swap_step(&c, &b, 0, &rng).proposed == 0 && loose_swap_path_step(&c, &b, 0, &rng).proposed == 0);
  CHECK(loose_swap_step(&c, &b, 1000, &rng).proposed == 12 && loose_swap_path_step(&c, &b, 1000, &rng).proposed == 20);
  b.groups = 1;
  b.ones = 21;
  CHECK(loose_fill(&c, &b) == LBP_E_ONES && loose_swap_step(&c, &b, 1, &rng).proposed == 0);
  b.ones = 20; /* without a zero it never moves, and that is no error */
  CHECK(loose_fill(&c, &b) == LBP_OK && loose_max_swaps(&c, &b) == 0 && loose_kawasaki_step(&c, &b, &rng).proposed == 0);
  CHECK(loose_swap_sweep(&c, &b, &rng).jump == 0 && loose_tuner_init(&t, 20, 10, 0.5) == LBP_OK);
  CHECK(loose_aswap_step(&c, &b, &t, &rng).proposed == 0);
  b.groups = 21; /* as many groups as sites: all are alone */
  b.ones = 1;
  CHECK(loose_fill(&c, &b) == LBP_OK && loose_max_swaps(&c, &b) == 0);
  b = band_make(20, 2, 3, 1, 1);
  for (i = 0; i < 20; i++) x[i] = i % 4 == 0;
  CHECK(chain_init(&d, 20, x, ws, chain_ws_len(20)) == LBP_OK && chain_check(&d, &b, 5, &rng).status == LBP_OK);
  for (i = 0; i < 20; i++) CHECK(x[i] == (i % 4 == 0));
  band_strict = 5;
  CHECK(chain_check(&d, &b, 20, &rng).status == LBP_E_LOGP);
  b.apart = 0; /* all are in groups: the check keeps to their numbers of ones, but for single flips */
  CHECK(chain_check(&d, &b, 20, &rng).status == LBP_OK);
  band_strict = 0;
  band_forgets = 1;
  CHECK(chain_check(&d, &b, 5, &rng).status == LBP_E_NEIGHBOUR_MISSING);
  band_forgets = 0;
  {
    loose_float_chain f; /* has 140 groups at most */
    b = band_make(RING_MOST, 141, 0, 0, 1);
    CHECK(loose_float_init(&f, RING_MOST, x, ws, loose_float_ws_len(RING_MOST)) == LBP_OK);
    CHECK(loose_float_check_groups(&f, &b) == LBP_E_GROUP && loose_float_check(&f, &b, 1, &rng).status == LBP_E_GROUP);
    CHECK(loose_float_max_swaps(&f, &b) == 0);
  }
}

/* Swaps of three chains at once, of which the last has no ones and never swaps, and now and then flips of those sites
 * that are in no group, as each takes them alone; LBP_LOGP is asked for after LBP_DELTAS_MANY, at the start, too. */
static void test_together(const band *b, int moves) {
  enum { CHAINS = 3, MOST = 20 };
  static uint8_t state[2 * CHAINS][MOST];
  static uint64_t room[2 * CHAINS][40 * MOST];
  shared_chain c[2 * CHAINS], *chain[CHAINS];
  shared_info info[CHAINS];
  answer f[2 * CHAINS];
  lbp_rng rng[2 * CHAINS], *generator[CHAINS];
  uint32_t R[CHAINS], k, t, i, moved = 0, proposed = 0, before = 0;
  for (k = 0; k < 2 * CHAINS; k++) {
    for (i = 0; i < b->n; i++) state[k][i] = k % CHAINS < 2 && i % 5 < 2;
    lbp_rng_init(&rng[k], 41, k % CHAINS);
    CHECK(shared_init(&c[k], b->n, state[k], &f[k], room[k], sizeof room[k] / 8) == LBP_OK);
  }
  for (t = 0; t < 200; t++) {
    const int flips = t % 3 == 2;
    for (k = 0; k < CHAINS; k++) {
      chain[k] = &c[k];
      generator[k] = &rng[k];
      R[k] = (t + k) % 4;
      if (t % 7 == 6) shared_touch(&c[k]), shared_touch(&c[CHAINS + k]);
    }
    unanswered = 0;
    if (flips) shared_lbp_steps(chain, b, R, generator, CHAINS, info);
    else shared_swap_steps(chain, b, R, generator, CHAINS, info);
    before += unanswered;
    for (k = 0; k < CHAINS; k++) moved += flips ? 0 : info[k].jump;
    proposed += flips ? 0 : info[2].proposed;
    for (k = 0; k < CHAINS; k++) {
      if (flips) shared_lbp_step(&c[CHAINS + k], b, R[k], &rng[CHAINS + k]);
      else shared_swap_step(&c[CHAINS + k], b, R[k], &rng[CHAINS + k]);
    }
  }
  CHECK(memcmp(state[0], state[CHAINS], CHAINS * sizeof state[0]) == 0);
  CHECK(proposed == 0 && (moves ? moved > 100 : moved == 0));
  CHECK(LBP_CHECKED || before == 0);
}

/* Where there are groups, and where there are none. */
static void test_swap_steps(void) {
  const band some = band_make(20, 3, 2, 0.5, 1), none = band_make(20, 3, 20, 0.5, 1);
  test_together(&some, 1);
  test_together(&none, 0);
}

/* A tuner finds R, and the shift that makes the conditional probabilities' sum the number of ones. The acceptance rates
 * of single chains are 0.57 with a standard deviation of 0.03 (1000 streams): the mean of eight is further than 0.06 from
 * the target in fewer than 10^-6 of all. */
static void test_tuner(void) {
  enum { STREAMS = 8 };
  band b = band_make(RING_MOST, 1, 0, 0, 3);
  loose_chain c;
  loose_tuner t;
  lbp_rng rng;
  double accept = 0, sum;
  uint32_t s, i, stream;
  b.ones = 60;
  for (stream = 2; stream < 2 + STREAMS; stream++) {
    lbp_rng_init(&rng, 2, stream);
    memset(x, 0, sizeof x);
    CHECK(loose_init(&c, b.n, x, ws, sizeof ws / 8) == LBP_OK);
    CHECK(loose_fill(&c, &b) == LBP_OK && loose_scatter(&c, &b, &rng) == LBP_OK);
    CHECK(loose_tuner_init(&t, b.n, 1000, (double)LBP_TARGET_LBP) == LBP_OK);
    for (s = 0; s < 2000; s++) {
      const loose_info info = loose_aswap_step(&c, &b, &t, &rng);
      if (s >= 1000) accept += info.accept / 1000 / STREAMS;
    }
    for (i = 0, sum = 0; i < b.n; i++) sum += 1 / (1 + exp(-b.field[i] - t.shift.shift));
    CHECK_NEAR(sum, 60, 3);
    CHECK(t.shift.step == 1000 && c.groups.shift == t.shift.shift && t.shift.shift < -0.5);
  }
  CHECK_NEAR(accept, LBP_TARGET_LBP, 0.06);
}

/* Groups of two, or of three of which one is clamped, all states equally likely: every swap is accepted and turns one
 * round, so that of an even number of groups, or with an even R, half of the states might never be reached. Tuned steps
 * and sweeps reach all: states 40 steps apart, of which a correlation of 0.8^40 is left, by chi-squared tests; with a
 * fixed R = 2 none of the others is ever seen. kind: 0 tuned, 1 a sweep, 2 R = 2. */
static void test_turned(uint32_t groups, uint32_t size, uint32_t kind) {
  const uint32_t trials = SWAP_TRIALS / 2, states = 1u << groups;
  static uint32_t seen[SWAP_STATES];
  static uint8_t clamped[SWAP_STATES];
  double law[SWAP_STATES];
  band b = band_make(size * groups, groups, 0, 0, 0);
  loose_chain c;
  loose_tuner t;
  lbp_rng rng;
  uint32_t s, i, others = 0;
  b.ones = 1;
  memset(seen, 0, sizeof seen);
  for (i = 0; i < b.n; i++) clamped[i] = i >= 2 * groups;
  lbp_rng_init(&rng, 5, groups);
  memset(x, 0, sizeof x);
  CHECK(loose_init(&c, b.n, x, ws, sizeof ws / 8) == LBP_OK && loose_fill(&c, &b) == LBP_OK);
  CHECK(loose_clamp(&c, clamped) == LBP_OK && loose_max_swaps(&c, &b) == groups);
  CHECK(loose_tuner_init(&t, b.n, 500, (double)LBP_TARGET_LBP) == LBP_OK);
  for (s = 0; s < 500 + 40 * trials; s++) {
    uint32_t state = 0, turned = 0;
    if (kind == 0) loose_aswap_step(&c, &b, &t, &rng);
    else if (kind == 1) CHECK(loose_swap_sweep(&c, &b, &rng).accept == 1);
    else loose_swap_step(&c, &b, 2, &rng);
    for (i = 0; i < groups; i++) state |= (uint32_t)x[i] << i, turned += 1u - x[i];
    if (s >= 500 && s % 40 == 0) seen[state]++;
    others += turned % 2;
  }
  for (s = 0; s < states; s++) law[s] = 1.0 / states;
  if (kind == 2) CHECK(others == 0);
  else CHECK(chi2_counts(seen, law, states, trials) > CHI2_LEVEL);
}

static void test_parity(void) {
  uint32_t groups, kind;
  for (groups = 2; groups <= 5; groups++) {
    for (kind = 0; kind < 3; kind++) {
      test_turned(groups, 2, kind);
      test_turned(groups, 3, kind);
    }
  }
}

/* Out of states that are impossible, since one or two of their ones may be none: all steps lead out, none back in. */
#define WAY_OUT(NAME, step) do { \
    NAME##_chain c; \
    lbp_rng rng; \
    uint32_t t_, i_, sum, left = 0; \
    lbp_rng_init(&rng, 6, groups); \
    for (i_ = 0; i_ < b.n; i_++) x[i_] = i_ < 2 * groups; \
    CHECK(NAME##_init(&c, b.n, x, ws, NAME##_ws_len(b.n)) == LBP_OK); \
    for (t_ = 0; t_ < 400; t_++) { \
      step; \
      for (i_ = sum = 0; i_ < b.n; i_++) sum += x[i_]; \
      CHECK(sum == 2 * groups && !(left && (x[0] || x[many]))); \
      left = !x[0] && !x[many]; \
    } \
    CHECK(left); \
  } while (0)

static void test_way_out(void) {
  uint32_t groups, many, R;
  for (groups = 1; groups <= 3; groups++) {
    for (many = 0; many < 2; many++) {
      band b = band_make(6 * groups, groups, 0, 0.2, 1);
      b.field[0] = b.field[many] = -HUGE_VAL;
      b.ones = 2;
      for (R = 1; R <= 2; R++) {
        WAY_OUT(chain, chain_swap_path_step(&c, &b, R, &rng));
        WAY_OUT(loose, loose_swap_path_step(&c, &b, R, &rng));
        if (many > 0) continue; /* at once, not one after another */
        WAY_OUT(chain, chain_swap_step(&c, &b, R, &rng));
        WAY_OUT(loose, loose_swap_step(&c, &b, R, &rng));
      }
    }
  }
}

int main(void) {
  test_room();
  test_way_out();
  ld_test_all();
  lf_test_all();
  l_hot_test_all();
  l_one_test_all();
  sd_test_all();
  pf_test_all();
  dd_test_all();
  ed_test_all();
  ef_test_all();
  test_products();
  test_many_groups();
  test_scatter();
  test_wrong();
  test_swap_steps();
  test_tuner();
  test_parity();
  return test_report();
}
