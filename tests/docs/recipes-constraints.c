/* Recipes of constraints.md: each is checked, walks among possible states, and has the mean that enumeration gives.
 * (The first one's context is constraints.c.) */
#include <math.h>
#include <stdio.h>
#include "lbp.h"
#include "ring_model.h"
enum { N = 12, VERTICES = 7, SETS = 1 << N };
#include "graph.c"
#include "apart.c"
#include "most.c"
#include "least.c"
#include "cap.c"
#include "onehot.c"
#include "wards.c"
#include "match.c"

#define LBP_NAME           set
#define LBP_MODEL_T        graph
#define LBP_DELTA          set_delta
#define LBP_NEIGHBOURS     set_neighbours
#define LBP_MAX_NEIGHBOURS N
#define LBP_PATH
#include "lbp.h"

#define LBP_NAME           apart
#define LBP_MODEL_T        pairs
#define LBP_DELTA          apart_delta
#define LBP_NEIGHBOURS     apart_neighbours
#define LBP_MAX_NEIGHBOURS 3
#define LBP_PATH
#include "lbp.h"

#define LBP_NAME              most
#define LBP_MODEL_T           choice
#define LBP_FIELDS_T          tally
#define LBP_FIELDS_INIT       tally_set
#define LBP_FLIP              tally_flip
#define LBP_DELTA             most_delta
#define LBP_NEIGHBOURS        tally_others
#define LBP_MAX_NEIGHBOURS    N
#define LBP_PATH
#include "lbp.h"

#define LBP_NAME              least
#define LBP_MODEL_T           choice
#define LBP_FIELDS_T          tally
#define LBP_FIELDS_INIT       tally_set
#define LBP_FLIP              tally_flip
#define LBP_DELTA             least_delta
#define LBP_NEIGHBOURS        tally_others
#define LBP_MAX_NEIGHBOURS    N
#define LBP_PATH
#include "lbp.h"

#define LBP_NAME           cap
#define LBP_MODEL_T        network
#define LBP_FIELDS_T       degrees
#define LBP_FIELDS_INIT    cap_set
#define LBP_FLIP           cap_flip
#define LBP_DELTA          cap_delta
#define LBP_NEIGHBOURS     cap_neighbours
#define LBP_MAX_NEIGHBOURS N
#define LBP_PATH
#include "lbp.h"

/* A ring with a chord; sites as edges of a wheel of six spokes; log-odds. */
static const uint32_t start[N + 1] = {0, 3, 5, 7, 9, 11, 13, 16, 18, 20, 22, 24, 26};
static const uint32_t to[26] = {1, 11, 6, 0, 2, 1, 3, 2, 4, 3, 5, 4, 6, 5, 7, 0, 6, 8, 7, 9, 8, 10, 9, 11, 10, 0};
static const uint32_t partner[N] = {6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5};
static const uint32_t spoke_from[N] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6}, spoke_to[N] = {1, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 1};
static const double odds[N] = {0.5, -0.2, 0.1, 0.4, -0.6, 0.3, 0.2, 0, -0.1, 0.7, 0.2, -0.3};
static const graph set_model = {start, to, 0.3};
static const pairs apart_model = {{N, 0.2, 0.1}, partner};
static const choice most_model = {N, 4, odds}, least_model = {N, 9, odds};
static const network cap_model = {N, 2, 0.4, spoke_from, spoke_to};
static const ring onehot_model = {10, 0.3, 0.1};
static const uint32_t ward[N] = {0, 0, 0, 1, 1, 1, 1, LBP_NO_GROUP, 2, 2, 2, 2}, beds[3] = {1, 3, 2};
static const hospital wards_model = {{N, 0.3, 0.1}, ward, beds};
static const double cost[5][5] = {{0.3, 1, 2, 0.5, 1}, {1, 0.2, 1, 2, 0}, {2, 1, 0.4, 1, 1.5}, {0, 1, 0.5, 1, 2}, {1, 2, 0, 0.5, 1}};

/* log pi of possible states; -infinity of others. */
static double set_value(const uint8_t *x) {
  double sum = 0;
  uint32_t i, k;
  for (i = 0; i < N; i++) {
    for (k = start[i]; k < start[i + 1]; k++) sum -= x[i] && x[to[k]] ? INFINITY : 0;
    sum += 0.3 * x[i];
  }
  return sum;
}
static double apart_value(const uint8_t *x) {
  uint32_t i;
  for (i = 0; i < N; i++) {
    if (x[i] && x[partner[i]]) return -INFINITY;
  }
  return ring_logp(&apart_model.own, x);
}
static uint32_t ones_of(const uint8_t *x) {
  uint32_t i, ones = 0;
  for (i = 0; i < N; i++) ones += x[i];
  return ones;
}
static double odds_of(const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < N; i++) sum += x[i] * odds[i];
  return sum;
}
static double most_value(const uint8_t *x) { return ones_of(x) <= 4 ? odds_of(x) : -INFINITY; }
static double least_value(const uint8_t *x) { return ones_of(x) >= 9 ? odds_of(x) : -INFINITY; }
static double cap_value(const uint8_t *x) {
  degrees f;
  uint32_t v;
  cap_set(&cap_model, &f, x);
  for (v = 0; v < VERTICES; v++) {
    if (f.degree[v] > 2) return -INFINITY;
  }
  return 0.4 * ones_of(x);
}

static double onehot_value(const uint8_t *x) {
  uint32_t g, i, ones;
  for (g = 0; g < 2; g++) {
    for (i = 0, ones = 0; i < 5; i++) ones += x[5 * g + i];
    if (ones != 1) return -INFINITY;
  }
  return x[10] || x[11] ? -INFINITY : ring_logp(&onehot_model, x); /* of ten sites */
}
static double wards_value(const uint8_t *x) {
  uint32_t ones[3] = {0, 0, 0}, i;
  for (i = 0; i < N; i++) {
    if (ward[i] != LBP_NO_GROUP) ones[ward[i]] += x[i];
  }
  return memcmp(ones, beds, sizeof ones) == 0 ? ring_logp(&wards_model.own, x) : -INFINITY;
}

/* The sum of where the ones are, from 0 to 5.5, which feels all of a state; its mean, exactly. */
static double place_of(const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < N; i++) sum += x[i] * (double)i / N;
  return sum;
}
static double mean_of(double (*value)(const uint8_t *)) {
  double sum = 0, place = 0;
  uint32_t s, i;
  for (s = 0; s < SETS; s++) {
    uint8_t x[N];
    for (i = 0; i < N; i++) x[i] = (uint8_t)(s >> i & 1);
    sum += exp(value(x));
    place += exp(value(x)) * place_of(x);
  }
  return place / sum;
}

/* The chain c from its state: the check finds nothing, and 40,000 steps, of which none leaves the possible states, have the
 * mean that enumeration gives, to some ten standard errors. */
#define WALK(name, step)                                                                                             \
  {                                                                                                                  \
    double mean = 0;                                                                                                 \
    if (name##_check(&c, &name##_model, 10, &rng).status != LBP_OK) return 2;                                        \
    for (k = 0; k < 40000; k++) {                                                                                    \
      step;                                                                                                          \
      if (!(name##_value(x) > -1e300)) return 3;                                                                     \
      mean += place_of(x) / 40000.0;                                                                                 \
    }                                                                                                                \
    printf(#name ": %.4f, exactly %.4f\n", mean, mean_of(name##_value));                                             \
    if (!(fabs(mean - mean_of(name##_value)) < 0.03)) return 4;                                                      \
  }
/* By paths, from a state of these ones; in groups, by swaps and flips. */
#define RIGHT(name, value, ...)                                                                                      \
  {                                                                                                                  \
    name##_chain c;                                                                                                  \
    memset(x, value, N);                                                                                             \
    if (name##_init(&c, N, x, __VA_ARGS__) != LBP_OK) return 1;                                                      \
    WALK(name, name##_path_step(&c, &name##_model, 9 + k % 4, &rng))                                                 \
  }
#define GROUPED(name, sites)                                                                                         \
  {                                                                                                                  \
    name##_chain c;                                                                                                  \
    memset(x, 0, N);                                                                                                 \
    if (name##_init(&c, sites, x, ws, sizeof ws / sizeof ws[0]) != LBP_OK) return 1;                                 \
    if (name##_fill(&c, &name##_model) != LBP_OK || name##_max_swaps(&c, &name##_model) == 0) return 6;                  \
    WALK(name, (name##_swap_step(&c, &name##_model, 1, &rng), name##_gibbs_sweep(&c, &name##_model, &rng)))          \
  }

/* The matching: the mean column of row 0, by its step and exactly. */
static int match_right(lbp_rng *rng) {
  static uint64_t ws[LBP_WS_LEN_PERM(5)];
  const assignment model = {cost};
  uint32_t s[5] = {0, 1, 2, 3, 4}, a, all;
  double mean = 0, exact = 0, sum = 0;
  match_chain c;
  if (match_init(&c, 5, s, ws, LBP_WS_LEN_PERM(5)) != LBP_OK || match_check(&c, &model, 10, rng).status != LBP_OK) return 0;
  for (all = 0; all < 40000; all++) {
    match_row_step(&c, &model, rng);
    mean += s[0] / 40000.0;
  }
  for (all = 0; all < 3125; all++) { /* five columns, of which no two may be the same */
    uint32_t used = 0, rest = all, first = all % 5;
    double total = 0;
    for (a = 0; a < 5; a++, rest /= 5) {
      used |= 1u << rest % 5;
      total += cost[a][rest % 5];
    }
    if (used != 31) continue;
    sum += exp(-total);
    exact += exp(-total) * first;
  }
  printf("match: %.4f, exactly %.4f\n", mean, exact / sum);
  return fabs(mean - exact / sum) < 0.03;
}

int main(void) {
  static uint64_t ws[LBP_WS_LEN(N) + LBP_WS_LEN_SWAP(N, N)];
  uint8_t x[N];
  tally count;
  degrees degree;
  uint32_t k;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 1);
  RIGHT(set, 0, ws, LBP_WS_LEN(N))
  RIGHT(apart, 0, ws, LBP_WS_LEN(N))
  RIGHT(most, 0, &count, ws, LBP_WS_LEN(N))
  RIGHT(least, 1, &count, ws, LBP_WS_LEN(N))
  RIGHT(cap, 0, &degree, ws, LBP_WS_LEN(N))
  GROUPED(onehot, 10)
  GROUPED(wards, N)
  return !match_right(&rng);
}
