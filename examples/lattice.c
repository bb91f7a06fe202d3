/* The README's second program: cc -O3 -march=native -fno-math-errno -I.. lattice.c -lm && ./a.out */
#include <stdio.h>
#include <stdlib.h>
#include "lbp_ab.h"                                       /* the support section */

typedef struct { uint32_t d; double stiffness; } string;  /* your model: integers 0 ... 20, each near its neighbours */

/* log pi(x) = -(x_i - 10)^2 / 20 - stiffness (x_i - x_{i+1})^2 / 2, summed; and its gradient, as if x were real */
static double string_gradient(const string *m, const uint8_t *x, double *out) {
  double logp = 0;
  uint32_t i;
  for (i = 0; i < m->d; i++) {
    const double pull = 10.0 - x[i], left = i > 0 ? x[i - 1] - (double)x[i] : 0;
    const double right = i + 1 < m->d ? x[i + 1] - (double)x[i] : 0;
    out[i] = pull / 10 + m->stiffness * (left + right);
    logp -= pull * pull / 20 + m->stiffness * right * right / 2;
  }
  return logp;
}
#define LBP_AB_NAME     lattice
#define LBP_AB_MODEL_T  string
#define LBP_AB_GRADIENT string_gradient
#include "lbp_ab.h"                                       /* -> lattice_chain, lattice_adaptive_step() ... */

int main(void) {
  enum { D = 50, STATES = 21, WARMUP = 10000, STEPS = 20000 };
  static uint8_t x[D];
  static double ws[LBP_AB_WS_LEN(D)];
  const string model = {D, 0.5};
  const size_t bytes = lattice_adaptive_bytes(D);
  void *memory = malloc(bytes);                           /* for the warm-up, which estimates a Hessian */
  double accepted = 0, jump = 0, mean = 0, square = 0;
  lattice_chain chain;
  lattice_adaptive sampler;
  lbp_rng rng;
  int t;
  lbp_rng_init(&rng, 2026, 0);                            /* stream 0 of seed 2026 */
  if (!memory || lattice_init(&chain, D, STATES, x, ws, LBP_AB_WS_LEN(D)) != LBP_OK) return 1;
  if (lattice_check(&chain, &model, 10, &rng).status != LBP_OK) return 1; /* does the gradient fit log pi? */
  if (lattice_adaptive_init(&sampler, D, WARMUP, memory, bytes) != LBP_OK) return 1;
  for (t = 0; t < WARMUP + STEPS; t++) {
    const lattice_info it = lattice_adaptive_step(&sampler, &chain, &model, &rng);
    if (t < WARMUP) continue;                             /* everything tunes itself, then is frozen */
    accepted += it.accepted;
    jump += it.jump;
    mean += x[D / 2];
    square += x[D / 2] * x[D / 2];
  }
  mean /= STEPS;
  printf("acceptance rate %.3f, jump distance %.1f; x_25: mean %.3f, variance %.3f\n", accepted / STEPS, jump / STEPS,
         mean, square / STEPS - mean * mean);
  free(memory);
  return sampler.status != LBP_OK;
}
