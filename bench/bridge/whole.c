/* The runs of bench/bridge/bridge.py, by a C program: whole TERMS CHAINS DRAWS WARMUP STATES; TERMS has lines
 * i j value, STATES 1 keeps all states. Prints CPU seconds of the run; nanoseconds of a step of LBP-20 in a loop, and
 * of lbp_bridge_step for one step. */
#include "../../examples/bridge/qubo.c"
#include <time.h>

enum { STEPS = 20000 };
static lbp_run run;
static lbp_qubo_terms t;

static void put(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  memcpy((uint8_t *)data + (chain * run.draws + draw) * t.n, ((void)values, x), t.n);
}

int main(int argc, char **argv) {
  FILE *file = argc > 5 ? fopen(argv[1], "r") : NULL;
  if (!file || lbp_qubo_read(&t, file, LBP_QUBO_TERMS, NULL) != LBP_OK) return 2;
  const lbp_bridge_array arrays[3] = {{"n", NULL, LBP_BRIDGE_UINT32, 0, {0}, &t.n},
                                      {"ends", NULL, LBP_BRIDGE_UINT32, 1, {2 * t.count}, t.ends},
                                      {"value", NULL, LBP_BRIDGE_DOUBLE, 1, {t.count}, t.value}};
  lbp_bridge_model *model;
  lbp_bridge_sampler *sampler;
  lbp_run_result result;
  if (lbp_bridge_model_make(arrays, 3, &model, NULL) != LBP_OK) return 2;
  lbp_run_init(&run);
  run.chains = (uint32_t)atol(argv[2]), run.draws = (uint64_t)atoll(argv[3]), run.warmup = (uint32_t)atol(argv[4]);
  clock_t begun = clock(), steps, bridge;
  if (*argv[5] == '1') run.on_draw = put, run.on_draw_data = malloc(run.chains * run.draws * t.n), run.save_states = LBP_STATES_PASSED;
  if (qubo_run(&run, &model->own, t.n, &result) != LBP_OK) return 1;
  printf("%.6f", (double)(clock() - begun) / CLOCKS_PER_SEC);

  uint8_t *x = (uint8_t *)calloc(t.n, 1);
  if (lbp_bridge_sampler_make(model, &sampler) != LBP_OK || lbp_bridge_set(sampler, "parameter", "20") != LBP_OK) return 1;
  if (lbp_bridge_step(sampler, 1, 0, 1, x, NULL) != LBP_OK) return 1;
  begun = clock();
  for (int k = 0; k < STEPS; k++) lbp_chains_steps(&sampler->chain, 1, 0, 0);
  steps = clock();
  for (int k = 0; k < STEPS; k++) lbp_bridge_step(sampler, (uint64_t)k, 0, 1, x, NULL);
  bridge = clock();
  printf(" %.1f %.1f\n", 1e9 / STEPS * (double)(steps - begun) / CLOCKS_PER_SEC,
         1e9 / STEPS * (double)(bridge - steps) / CLOCKS_PER_SEC);
  return 0;
}
