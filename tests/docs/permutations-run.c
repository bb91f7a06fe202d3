/* A run of a law on permutations of 5, in which the first image is known. */
#include <stdio.h>
#include "lbp_run.h"

static double gain(const void *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return (void)m, (a == 0 || b == 0) && s[a] != s[b] ? (a == 0 ? (double)s[b] - s[a] : (double)s[a] - s[b]) : 0;
}
static double logp(const void *m, const uint32_t *s) { return (void)m, (double)s[0]; }
#define LBP_NAME     law
#define LBP_EXCHANGE gain
#define LBP_LOGP     logp
#include "lbp_run.h"
#include "start.c"

int main(void) {
  static const uint32_t known[5] = {4, 3, 2, 1, 0};
  const lbp_run_column column = {"first", first_image, NULL, 0};
  const double e = 2.718281828459045;
  const double mean = (e + 2 * e * e + 3 * e * e * e + 4 * e * e * e * e) / (1 + e + e * e + e * e * e + e * e * e * e);
  lbp_run run;
  lbp_run_result result;
  double gap;
  lbp_run_init(&run);
  run.start = begin;
  run.start_data = known;
  run.column = &column;
  run.columns = 1;
  run.draws = 4000;
  if (law_run(&run, NULL, 5, &result) != LBP_OK) return printf("%s\n", result.message), 1;
  gap = result.row[1].mean - mean;
  lbp_run_free(&result);
  return !(gap > -0.1 && gap < 0.1);
}
