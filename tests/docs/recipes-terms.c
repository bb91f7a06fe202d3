/* Sums of terms of recipes.md: clauses and a hidden Markov model, each checked, and against enumeration. */
#include <math.h>
#include <stdio.h>
#include "lbp.h"
#include "sat.c"
#include "hmm.c"

enum { N = 6, TIMES = 5 };

static const uint32_t site[5][3] = {{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 5}, {0, 4, 5}};
static const uint8_t negated[5][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 1, 0}};

static int check_sat(lbp_rng *rng) {
  static uint32_t index[LBP_TERMS_LEN(N, 3, 20)];
  static uint64_t ws[LBP_WS_LEN(N)];
  uint8_t x[N] = {1, 0, 1, 0, 1, 1};
  const sat m = {5, site, negated};
  uint32_t seen[1 << N] = {0}, code, i, k, possible = 0, reached = 0;
  sat_terms terms;
  sat_chain c;
  if (sat_terms_init(&terms, &m, N, index, LBP_TERMS_LEN(N, 3, 20)) != LBP_OK) return 1;
  if (sat_init(&c, N, x, &terms, ws, LBP_WS_LEN(N)) != LBP_OK || sat_check(&c, &m, 5, rng).status != LBP_OK) return 2;
  for (k = 0; k < 20000; k++) {
    sat_path_step(&c, &m, 1 + k % 2, rng);
    for (i = 0, code = 0; i < N; i++) code |= (uint32_t)x[i] << i;
    seen[code]++;
  }
  for (code = 0; code < 1u << N; code++) {
    uint32_t good = 1, t;
    for (t = 0; t < 5; t++) {
      uint32_t holds = 0;
      for (k = 0; k < 3; k++) holds |= (code >> site[t][k] & 1u) != negated[t][k];
      good &= holds;
    }
    if (!good && seen[code] > 0) return 3;
    possible += good;
    reached += seen[code] > 0;
  }
  return possible != reached || possible < 20;
}

static int check_hmm(lbp_rng *rng) {
  static uint32_t index[LBP_TERMS_LEN(TIMES, 2, 2)];
  static uint64_t ws[40 * TIMES];
  static const uint8_t seen[TIMES] = {0, 3, 1, 1, 2};
  hmm m = {TIMES, {-0.25, -1, -3}, {{-0.5, -1.5, -2}, {-1.5, -0.5, -2}, {-2, -1, -0.625}}, {{0, -1, -2, -3}, {-1, 0, -1, -2}, {-2, -2, 0, 0}}, 0};
  uint8_t x[TIMES] = {0};
  double first = 0, sum = 0, got = 0;
  uint32_t code, k, t;
  hmm_terms terms;
  hmm_chain c;
  m.seen = seen;
  if (hmm_terms_init(&terms, &m, TIMES, index, LBP_TERMS_LEN(TIMES, 2, 2)) != LBP_OK) return 1;
  if (hmm_init(&c, TIMES, x, &terms, ws, sizeof ws / sizeof ws[0]) != LBP_OK) return 2;
  if (hmm_check(&c, &m, 5, rng).status != LBP_OK) return 3;
  for (code = 0; code < 243; code++) {
    uint32_t rest = code, v[TIMES];
    double logp;
    for (t = 0; t < TIMES; t++, rest /= 3) v[t] = rest % 3;
    logp = m.first[v[0]];
    for (t = 0; t < TIMES; t++) logp += m.emit[v[t]][seen[t]] + (t > 0 ? m.move[v[t - 1]][v[t]] : 0);
    sum += exp(logp);
    first += v[1] == 2 ? exp(logp) : 0;
  }
  for (k = 0; k < 40000; k++) {
    hmm_gibbs_sweep(&c, &m, rng);
    got += x[1] == 2;
  }
  return fabs(got / 40000 - first / sum) > 0.02; /* over 6 standard errors */
}

int main(void) {
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
  if (check_sat(&rng) != 0) return printf("sat: %d\n", check_sat(&rng)), 1;
  return check_hmm(&rng);
}
