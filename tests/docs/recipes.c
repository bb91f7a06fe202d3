/* Models of recipes.md, each checked, and a chain of the first page's. */
#include <math.h>
#include <stdio.h>
#include "lbp_stats.h"
#include "ring_model.h"
#include "top.c"

#define LBP_NAME           scattered /* by the page's generator */
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "lbp.h"

#define LBP_NAME           ring
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "lbp.h"

enum { N = 100 };
static const ring field = {N, 0.4, 0.1};

static double any_delta_of(const uint8_t *x, uint32_t i) { return ring_delta(&field, x, i); }
static uint32_t any_neighbours_of(uint32_t i, uint32_t *out) { return ring_neighbours(&field, i, out); }

/* RIGHT(name, model, arguments): whether its check finds nothing, and 100 steps move. */
#define RIGHT(name, m, rng, ...)                                                                                     \
  {                                                                                                                  \
    name##_chain c;                                                                                                  \
    memset(x, 0, N);                                                                                                 \
    if (name##_init(&c, N, x, __VA_ARGS__) != LBP_OK || name##_check(&c, m, 10, rng).status != LBP_OK) return 1;      \
    for (k = 0, jumps = 0; k < 100; k++) jumps += name##_lbp_step(&c, m, 1, rng).jump;                               \
    if (jumps == 0) return 2;                                                                                        \
  }

int main(void) {
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN_DENSE(N)];
  static double trace[10000], work[LBP_ESS_WORKSPACE(10000)];
  const any_model any = {any_delta_of, any_neighbours_of};
  ring model = field;
  static uint8_t ups[N], known[N];
  magnetisation sum;
  counts counted = {ups};
  splitmix other = {7};
  half_chain pairs;
  ring_chain chain;
  ring_tuner tuner;
  lbp_rng rng;
  lbp_stats stats;
  lbp_stream mean;
  double value = 0, error = 0;
  uint32_t k, jumps;
  int status, t;
  lbp_rng_init(&rng, 1, 0);
  RIGHT(spins, &field, &rng, ws, LBP_WS_LEN_DENSE(N))
  RIGHT(guess, &field, &rng, ws, LBP_WS_LEN_DENSE(N))
  RIGHT(summed, &field, &rng, &sum, ws, LBP_WS_LEN_DENSE(N))
  RIGHT(listed, &field, &rng, &counted, ws, LBP_WS_LEN(N))
  RIGHT(capped, &field, &rng, ws, LBP_WS_LEN(N))
  RIGHT(any, &any, &rng, ws, LBP_WS_LEN(N))
  RIGHT(scattered, &field, &other, ws, LBP_WS_LEN(N))
  for (k = 0; k < N; k++) x[k] = k % 2;
  if (half_init(&pairs, N, x, ws, LBP_WS_LEN_DENSE(N)) != LBP_OK) return 4;
  if (half_check(&pairs, &field, 10, &rng).status != LBP_OK) return 5;
  for (k = 0, jumps = 0; k < 100; k++) jumps += half_lbp_step(&pairs, &field, 2, &rng).jump;
  if (jumps < 20) return 6;
  for (k = 0, jumps = 0; k < N; k++) jumps += x[k];
  if (jumps != N / 2) return 7;
  if (ring_init(&chain, N, x, ws, LBP_WS_LEN(N)) != LBP_OK) return 8;
  if (ring_tuner_init(&tuner, N, 100, LBP_TARGET_LBP) != LBP_OK) return 8;
#include "main.c"
  return status != LBP_OK || !(error > 0) || ring_check(&chain, &model, 10, &rng).status != LBP_OK;
}
