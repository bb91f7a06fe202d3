/* The model of examples/ring.c in runs; all options of the page together. */
#include <stdio.h>
#include "ring_model.h"
#include "top.c"

enum { N = 60 };

static int with_options(const ring *model) {
  const lbp_run_column wall = {"walls", walls, NULL, 0};
  lbp_run run;
  lbp_run_result result;
  int status;
  lbp_run_init(&run);
  run.prefix = "out/options", run.draws = 200, run.column = &wall, run.columns = 1, run.start = start;
#include "options.c"
  status = run_until_stopped(&run, model, N, &result);
  if (status != LBP_OK) fprintf(stderr, "%s\n", result.message);
  else if (!result.marginal || result.log_z_status != LBP_OK || !(result.parameter > 30 && result.parameter < 31)) status = LBP_E_RANGE;
  lbp_run_free(&result);
  return status;
}

int main(void) {
  const uint64_t seed = 1;
  const ring model = {N, 0.4, 0.1};
  unsigned bit;
  uint32_t k, ones_at_0 = 0;
#include "main.c"
  if (status != LBP_OK || result.draws != 10000 || ais.status != LBP_OK || ones_at_0 > 8) return 1;
  return with_options(&model) != LBP_OK;
}
