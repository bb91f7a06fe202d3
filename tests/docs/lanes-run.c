/* A ring with couplings +-1, by terms, in lanes with tempering. */
#include <stdio.h>
#include "lbp_run.h"

enum { N = 64 };
typedef struct { int none; } glass;

LBP_FN uint32_t glass_bond(const glass *m, uint32_t t, uint32_t *out) {
  (void)m;
  out[0] = t, out[1] = (t + 1) % N;
  return 2;
}
#define LBP_NAME          glass
#define LBP_MODEL_T       glass
#define LBP_TERM_COUNT(m) N
#define LBP_TERM_SITES    glass_bond
#define LBP_TERM(m, t, v) (((v)[0] == (v)[1]) == ((t) % 3 > 0) ? 1 : -1)
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  2
#include "top.c"

int main(void) {
  const glass model = {0};
  lbp_run run;
  lbp_run_result result;
  int status;
  lbp_run_init(&run);
  run.warmup = 200, run.draws = 200;
#include "main.c"
  status = glass_run(&run, &model, N, &result);
  if (status != LBP_OK) fprintf(stderr, "%s\n", result.message);
  if (status == LBP_OK && (result.rungs != 32 || result.chains != 8 || strcmp(result.sampler, "lanes") != 0)) status = LBP_E_RANGE;
  lbp_run_free(&result);
  return status != LBP_OK;
}
