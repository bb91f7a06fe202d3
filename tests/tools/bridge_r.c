/* Writes the draws of a run in C, for bridge_r.sh to compare with R: bridge_r FOLDER. "model.c" is
 * examples/bridge/field.c, or with -DQUBO qubo.c, with lbp_run.h in the place of lbp_bridge.h. Into FOLDER go lp,
 * doubles by chain and draw, and x, a byte an item; of qubo best and last of annealing, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LBP_BRIDGE_FN /* of functions that a model adds */
#include "model.c"

enum { N = 40, CHAINS = 3, DRAWS = 200 };

static double lp[CHAINS][DRAWS];
static uint8_t x[CHAINS][DRAWS][N];

static void take(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *state) {
  (void)data;
  lp[chain][draw] = values[LBP_DRAW_LOGP];
  memcpy(x[chain][draw], state, N);
}

static int save(const char *folder, const char *name, const void *data, size_t bytes) {
  char path[1024];
  FILE *file;
  size_t written;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  file = fopen(path, "wb");
  if (!file) return 0;
  written = fwrite(data, 1, bytes, file);
  return fclose(file) == 0 && written == bytes;
}

/* Arrays are what bridge.R makes. */
#ifdef QUBO
static int draws(const lbp_run *run, const char *folder, lbp_run_result *result) {
  static uint32_t ends[4 * N];
  static double value[2 * N];
  char why[1024];
  uint32_t i;
  int status;
  qubo model;
  lbp_run anneal = *run;
  memset(&model, 0, sizeof model);
  for (i = 0; i < N; i++) {
    ends[2 * i] = i, ends[2 * i + 1] = (i + 1) % N, value[i] = -1;
    ends[2 * (N + i)] = ends[2 * (N + i) + 1] = i, value[N + i] = i % 5 * 0.25;
  }
  model.n = N, model.m = 2 * N, model.ends = ends, model.value = value;
  if (qubo_build(&model, why) != LBP_OK) return 1;
  anneal.on_draw = NULL, anneal.save_states = LBP_STATES_NONE, anneal.annealing.sweeps = 20, anneal.sampler = LBP_SAMPLER_GIBBS;
  anneal.tempering.rungs = 1;
  status = qubo_anneal(&anneal, &model, N, result);
  if (status != LBP_OK || !save(folder, "best", result->best, CHAINS * N) ||
      !save(folder, "last", result->last, CHAINS * N)) return 1;
  lbp_run_free(result);
  return qubo_run(run, &model, N, result);
}
#else
static int draws(const lbp_run *run, const char *folder, lbp_run_result *result) {
  static double h[N];
  uint32_t i;
  field model;
  (void)folder;
  for (i = 0; i < N; i++) h[i] = (i % 7 - 3.0) / 4;
  model.n = N, model.h = h;
  return field_run(run, &model, N, result);
}
#endif

int main(int argc, char **argv) {
  lbp_run run;
  lbp_run_result result;
  if (argc < 2) return 2;
  lbp_run_init(&run);
  run.seed = UINT64_C(18446744073709551557);
  run.chains = CHAINS, run.draws = DRAWS, run.warmup = 100, run.thin = 2;
#ifdef QUBO
  run.seed = UINT64_C(9007199254740992);
  run.sampler = LBP_SAMPLER_SKIP_GIBBS, run.tempering.rungs = 3;
#endif
  run.on_draw = take, run.save_states = LBP_STATES_PASSED;
  if (draws(&run, argv[1], &result) != LBP_OK) return 1;
  if (!save(argv[1], "lp", lp, sizeof lp) || !save(argv[1], "x", x, sizeof x)) return 1;
  lbp_run_free(&result);
  return 0;
}
