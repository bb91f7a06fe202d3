/* log pi as a sum of terms: an Ising ring in a field. cc -O3 -march=native -I.. terms.c */
#include <stdio.h>
#include "lbp.h"                                         /* the support section: lbp_rng, LBP_FN ... */

typedef struct { uint32_t n; double beta, field; } ring; /* your model: an Ising ring in a field */

LBP_FN uint32_t ring_pair(const ring *m, uint32_t t, uint32_t *out) { /* the two sites of term t */
  out[0] = t, out[1] = (t + 1) % m->n;
  return 2;
}
#define LBP_NAME               ring
#define LBP_MODEL_T            ring
#define LBP_TERM_COUNT(m)      (m)->n                    /* number of terms; log pi(x) is their sum ... */
#define LBP_TERM_SITES         ring_pair
#define LBP_TERM(m, t, v)      ((v)[0] == (v)[1] ? (m)->beta : -(m)->beta) /* v: what the sites of term t have */
#define LBP_SITE_TERM(m, i, v) ((v) ? (m)->field : -(m)->field)            /* ... plus one for each site */
#define LBP_TERM_MAX           2                         /* sites of a term, at most */
#define LBP_TERMS_OF_MAX       2                         /* terms of a site, at most */
#include "lbp.h"                                         /* -> ring_chain, ring_albp_step() ... */

int main(void) {
  enum { N = 1000 };
  static uint8_t x[N];                                   /* the state, yours */
  static uint64_t ws[LBP_WS_LEN(N)];                     /* the workspace, yours */
  static uint32_t index[LBP_TERMS_LEN(N, 2, 2)];         /* which terms a site is in; all chains share it */
  const ring model = {N, 0.4, 0.1};
  double ones = 0, accepted = 0;
  ring_terms terms;
  ring_chain chain;
  ring_tuner tuner;
  lbp_rng rng;
  int t, i;
  lbp_rng_init(&rng, 2026, 0);                           /* stream 0 of seed 2026 */
  if (ring_terms_init(&terms, &model, N, index, LBP_TERMS_LEN(N, 2, 2)) != LBP_OK) return 1;
  if (ring_init(&chain, N, x, &terms, ws, LBP_WS_LEN(N)) != LBP_OK) return 1;
  if (ring_check(&chain, &model, 10, &rng).status != LBP_OK) return 1; /* is the model right? */
  ring_tuner_init(&tuner, N, 2000, LBP_TARGET_LBP);      /* 2000 steps of warm-up, then R is frozen */
  for (t = 0; t < 12000; t++) {
    const ring_info it = ring_albp_step(&chain, &model, &tuner, &rng);
    if (t < 2000) continue;
    accepted += it.accepted;
    for (i = 0; i < N; i++) ones += x[i];
  }
  printf("R = %.1f, acceptance rate %.3f, mean of x %.4f\n", (double)tuner.r, accepted / 1e4, ones / 1e4 / N);
  return 0;
}
