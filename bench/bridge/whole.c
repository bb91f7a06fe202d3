/* The same work as bench/bridge/bridge.py asks of a library, by a C program: whole TERMS CHAINS DRAWS WARMUP STATES, TERMS a
 * file of n, m, then i j value of each term. Prints CPU seconds of the run, its status, nanoseconds of a step of LBP-R in
 * a loop over lbp.h, and of lbp_bridge_step for one step. */
#include "../../examples/bridge/qubo.c"
#include <time.h>

static double cpu(void) { return (double)clock() / CLOCKS_PER_SEC; }

typedef struct { uint8_t *x; uint32_t n; uint64_t draws; } store;

static void put(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  const store *s = (const store *)data;
  (void)values;
  memcpy(s->x + (chain * s->draws + draw) * s->n, x, s->n);
}

int main(int argc, char **argv) {
  enum { STEPS = 20000, R = 20 };
  FILE *file = argc > 5 ? fopen(argv[1], "r") : NULL;
  unsigned long n, m, i, j;
  double value, begun, of_run, of_step, of_bridge;
  if (!file || fscanf(file, "%lu %lu", &n, &m) != 2) return 2;
  uint32_t *ends = (uint32_t *)malloc(2 * m * sizeof *ends), size = (uint32_t)n;
  double *values = (double *)malloc(m * sizeof *values);
  for (unsigned long k = 0; k < m; k++) {
    if (fscanf(file, "%lu %lu %lf", &i, &j, &value) != 3) return 2;
    ends[2 * k] = (uint32_t)i, ends[2 * k + 1] = (uint32_t)j, values[k] = value;
  }
  const lbp_bridge_array arrays[3] = {{"n", NULL, LBP_BRIDGE_UINT32, 0, {0, 0, 0}, &size},
                                      {"ends", NULL, LBP_BRIDGE_UINT32, 1, {2 * m, 0, 0}, ends},
                                      {"value", NULL, LBP_BRIDGE_DOUBLE, 1, {m, 0, 0}, values}};
  lbp_bridge_model *model;
  lbp_bridge_sampler *sampler;
  lbp_run run;
  lbp_run_result result;
  store kept = {NULL, size, strtoull(argv[3], NULL, 10)};
  if (lbp_bridge_model_make(arrays, 3, &model, NULL) != LBP_OK) return 2;
  lbp_run_init(&run);
  run.chains = (uint32_t)strtoul(argv[2], NULL, 10);
  run.draws = kept.draws;
  run.warmup = (uint32_t)strtoul(argv[4], NULL, 10);
  begun = cpu();
  if (*argv[5] == '1') {
    kept.x = (uint8_t *)malloc(run.chains * kept.draws * n);
    run.take = put;
    run.states = LBP_STATES_TAKEN;
    run.take_data = &kept;
  }
  if (qubo_run(&run, &model->own, size, &result) != LBP_OK) return 1;
  of_run = cpu() - begun;

  lbp_plan plan;
  lbp_chains c;
  uint8_t *x = (uint8_t *)calloc(n, 1);
  const lbp_kernel kernel = qubo_kernel();
  if (lbp_plan_init(&plan, &kernel, LBP_SAMPLER_LBP, size, 0) != LBP_OK) return 1;
  plan.setting[0] = R;
  if (lbp_chains_init(&c, &kernel, &model->own, &plan, 0, 1, 0) != LBP_OK || lbp_chains_make(&c, 0, 1) != LBP_OK) return 1;
  lbp_chains_steps(&c, 100, 0, 0);
  begun = cpu();
  for (int k = 0; k < STEPS; k++) lbp_chains_steps(&c, 1, 0, 0);
  of_step = (cpu() - begun) / STEPS;
  if (lbp_bridge_sampler_make(model, &sampler) != LBP_OK || lbp_bridge_set(sampler, "R", "20") != LBP_OK) return 1;
  for (int k = 0; k < 100; k++) lbp_bridge_step(sampler, (uint64_t)k, 0, 1, x, NULL);
  begun = cpu();
  for (int k = 0; k < STEPS; k++) lbp_bridge_step(sampler, (uint64_t)k, 0, 1, x, NULL);
  of_bridge = (cpu() - begun) / STEPS;
  printf("%.6f %d %.1f %.1f\n", of_run, result.status, 1e9 * of_step, 1e9 * of_bridge);
  return 0;
}
