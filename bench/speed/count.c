/* count - steps and nothing else, for a program that counts instructions (count.sh): `count MODEL EXTENT R STEPS`, in
 * t/(1+t), on a grid after sweeps. Compiled with -DPACE_CAR='"FILE"', the same of that pace car (README.md), which is
 * made for one model. */
#ifdef PACE_CAR

#define main pace_main
#include PACE_CAR
#undef main

/* A car starts near equilibrium. */
static void walk(const char *model, unsigned extent, unsigned R, unsigned steps) {
  C *c = c_new((int)extent, 7);
  (void)model;
  c_setR(c, R);
  for (unsigned k = 0; k < steps; k++) c_step(c);
}

#else

#include "../../lbp_models.h"
#include "../common/runner.h"

#define LBP_NAME         bernoulli
#define MODEL            lbp_bernoulli
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "../common/instance.h"
#undef MODEL
#undef MODEL_PREFETCH
#undef MODEL_NEIGHBOURS

#define LBP_NAME         ising
#define MODEL            lbp_ising
#define MODEL_FIELDS
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "../common/instance.h"

static void take(lbp_chains *c, int sampler, uint32_t steps) {
  c->plan.sampler = lbp_kernel_sampler(c->kernel, sampler);
  lbp_chains_step(c, 0, 1, steps, HUGE_VAL, 0);
}

/* On the models of floor.c, from a random state. */
static void walk(const char *name, unsigned extent, unsigned R, unsigned steps) {
  enum { SWEEPS = 12 }; /* as many as a car's */
  static lbp_chains chain;
  const int grid = strcmp(name, "ising") == 0;
  const uint32_t n = grid ? extent * extent : extent;
  const lbp_kernel kernel = grid ? ising_kernel() : bernoulli_kernel();
  union { lbp_bernoulli bernoulli; lbp_ising ising; } model;
  uint8_t *x = (uint8_t *)basic_alloc(n, 1);
  lbp_rng rng;
  if (grid) bench_expect(lbp_ising_random(&model.ising, extent, LBP_C2, 1), name);
  else bench_expect(lbp_bernoulli_random(&model.bernoulli, n, LBP_C2, 1), name);
  lbp_rng_init(&rng, 1, UINT64_MAX - 1);
  for (uint32_t i = 0; i < n; i++) {
    x[i] = lbp_u01(lbp_rng_u64(&rng)) < (grid ? 0.5 : 1 / (1 + exp(-(double)model.bernoulli.logit[i])));
  }
  run_alone(&chain, &kernel, &model, LBP_SAMPLER_LBP, n, R, x, 1, n);
  if (grid) take(&chain, LBP_SAMPLER_GIBBS, SWEEPS);
  take(&chain, LBP_SAMPLER_LBP, steps);
}

#endif

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: count bernoulli|ising EXTENT R STEPS\n");
    return 2;
  }
  walk(argv[1], (unsigned)atol(argv[2]), (unsigned)atol(argv[3]), (unsigned)atol(argv[4]));
  return 0;
}
