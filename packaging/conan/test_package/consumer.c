/* tests/packaging.sh builds this program with each package: a run of independent sites, whose mean is known.
 * PACKAGE_VERSION is the version that the package reports. */
#include <lbp.h>
#include <stdio.h>
#include <string.h>

LBP_FN double coin_delta(const double *m, const uint8_t *x, uint32_t i) { return x[i] ? -*m : *m; }
LBP_FN uint32_t coin_neighbours(const double *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

enum { N = 100 };

LBP_FN double coin_logp(const double *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < N; i++) sum += x[i] ? *m : 0;
  return sum;
}

#define LBP_NAME           coin
#define LBP_MODEL_T        double
#define LBP_DELTA          coin_delta
#define LBP_NEIGHBOURS     coin_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           coin_logp
#include <lbp_run.h>

int main(void) {
  const lbp_run_column ones = {"ones", lbp_run_ones, NULL, 0};
  const double log_odds = 1, exact = 1 / (1 + exp(-log_odds));
  char version[40];
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.column = &ones;
  run.columns = 1;
  if (coin_run(&run, &log_odds, N, &result) != LBP_OK) return fprintf(stderr, "%s\n", result.message), 1;
  printf("mean of x: %.4f +- %.4f, exactly %.4f\n", result.row[1].mean, result.row[1].mcse, exact);
  if (!(fabs(result.row[1].mean - exact) < 5 * result.row[1].mcse) || result.row[1].mcse > 0.01) return 2;
  lbp_run_free(&result);
  sprintf(version, "%d.%d.%d", LBP_VERSION / 10000, LBP_VERSION / 100 % 100, LBP_VERSION % 100);
  printf("lbp.h is version %s, the package %s\n", version, PACKAGE_VERSION);
  return strcmp(version, PACKAGE_VERSION) ? 3 : 0;
}
