/* Sites that are independent of each other, as every template takes them: log-odds h of ones, of values, of the places
 * of a permutation. */
#ifndef ODDS_H
#define ODDS_H

#include "../lbp.h"

#define ODDS_SPINS 3
enum { ODDS_MOST = 80 };

typedef struct { uint32_t n; double h[ODDS_MOST]; } odds;

LBP_FN double odds_delta(const odds *m, const uint8_t *x, uint32_t i) { return x[i] ? -m->h[i] : m->h[i]; }

LBP_FN uint32_t odds_neighbours(const odds *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

LBP_FN double odds_logp(const odds *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += m->h[i] * x[i];
  return sum;
}

LBP_FN void odds_spin(const odds *m, const uint8_t *x, uint32_t i, double *out) {
  uint32_t v;
  for (v = 0; v < ODDS_SPINS; v++) out[v] = m->h[i] * (v - (double)x[i]);
}

/* Of permutations, whose places are many: not as steep. */
LBP_FN double odds_exchange(const odds *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return (m->h[a] - m->h[b]) * ((double)s[b] - (double)s[a]) / 16;
}

LBP_FN uint32_t odds_rows(const odds *m, uint32_t a, uint32_t *out) { return (void)m, (void)a, (void)out, 0; }

LBP_FN double odds_order(const odds *m, const uint32_t *s) {
  double sum = 0;
  uint32_t a;
  for (a = 0; a < m->n; a++) sum += m->h[a] * s[a];
  return sum / 16;
}

#endif /* ODDS_H */
