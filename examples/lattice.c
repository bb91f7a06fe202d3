/* The program of docs/any-scale.md: cc -O3 -march=native -fno-math-errno -I.. lattice.c -lm && ./a.out */
#include <stdio.h>
#include "lbp_run.h"                                      /* the support section */

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
#define LBP_NAME     lattice
#define LBP_MODEL_T  string
#define LBP_GRADIENT string_gradient
#include "lbp_run.h"                                      /* -> lattice_run(), lattice_adaptive_step() ... */

int main(void) {
  enum { D = 50 };
  const string model = {D, 0.5};
  const lbp_run_column middle = {"x_25", lbp_run_site, NULL, D / 2};
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.values = 21;
  run.warmup = 10000;                                     /* everything tunes itself, then is frozen */
  run.draws = 5000;                                       /* of each of four chains */
  run.column = &middle, run.columns = 1;
  run.summary = stdout;
  if (lattice_run(&run, &model, D, &result) != LBP_OK) fprintf(stderr, "%s\n", result.message);
  lbp_run_free(&result);
  return result.status != LBP_OK || result.tuner_status != LBP_OK;
}
