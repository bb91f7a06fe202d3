/* Part of bridge.sh: draws of examples/bridge/field.c by a C program, for tools/bridge.py to compare: bridge_field PREFIX
 * writes what its model.run(seed=11, chains=3, draws=500, thin=2) draws. */
#include "../../examples/bridge/field.c"

int main(int argc, char **argv) {
  enum { N = 21 };
  double h[N];
  const field m = {N, h};
  lbp_run run;
  lbp_run_result result;
  for (int i = 0; i < N; i++) h[i] = 0.2 * i - 2;
  lbp_run_init(&run);
  run.seed = 11;
  run.chains = 3;
  run.draws = 500;
  run.thin = 2;
  run.digits = 17;
  run.prefix = argv[1];
  run.save_states = LBP_STATES_NPY;
  if (argc < 2 || field_run(&run, &m, N, &result) != LBP_OK) return 1;
  lbp_run_free(&result);
  return 0;
}
