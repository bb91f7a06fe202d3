/* A torus with couplings +-1, by terms: lanes with tempering, and Gibbs sweeps next to them. */
#include <math.h>
#include <stdio.h>
#include "lbp_run.h"

enum { SIDE = 8, N = SIDE * SIDE };
typedef struct { int none; } glass;

LBP_FN uint32_t glass_bond(const glass *m, uint32_t t, uint32_t *out) {
  const uint32_t i = t / 2;
  (void)m;
  out[0] = i;
  out[1] = t % 2 ? (i + SIDE) % N : i - i % SIDE + (i + 1) % SIDE;
  return 2;
}
#define LBP_NAME          glass
#define LBP_MODEL_T       glass
#define LBP_TERM_COUNT(m) (2 * N)
#define LBP_TERM_SITES    glass_bond
#define LBP_TERM(m, t, v) (((v)[0] == (v)[1]) == ((t) % 3 > 0) ? 1 : -1)
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  4
#include "top.c"

int main(void) {
  const glass model = {0};
  lbp_run run;
  lbp_run_result result, other;
  int status;
  lbp_run_init(&run);
  run.warmup = 500, run.draws = 500;
#include "main.c"
  status = glass_run(&run, &model, N, &result);
  if (status != LBP_OK) fprintf(stderr, "%s\n", result.message);
  if (status == LBP_OK && (result.rungs != 32 || result.chains != 8 || strcmp(result.sampler, "lanes") != 0)) {
    status = LBP_E_RANGE;
  }
  run.sampler = LBP_SAMPLER_GIBBS;
  if (status == LBP_OK) status = glass_run(&run, &model, N, &other);
  if (status == LBP_OK) {
    const double gap = fabs(result.row[0].mean - other.row[0].mean);
    if (!(gap < 6 * hypot(result.row[0].mcse, other.row[0].mcse))) status = LBP_E_RANGE;
    if (status != LBP_OK) fprintf(stderr, "log pi %g and %g\n", result.row[0].mean, other.row[0].mean);
    lbp_run_free(&other);
  }
  lbp_run_free(&result);
  return status != LBP_OK;
}
