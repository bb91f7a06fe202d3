/* The model of docs/python.md, called as other languages do; the page's Python is run by bridge.sh. */
#include "model.c"

int main(void) {
  enum { DAYS = 30 };
  const double J = 1.2, h[DAYS] = {0};
  const lbp_bridge_array arrays[2] = {{"J", NULL, LBP_BRIDGE_DOUBLE, 1, {1, 0, 0}, &J},
                                      {"h", NULL, LBP_BRIDGE_DOUBLE, 1, {DAYS, 0, 0}, h}};
  char why[1024];
  lbp_bridge_model *model;
  lbp_bridge_sampler *sampler;
  lbp_bridge_array logz;
  if (lbp_bridge_model_make(arrays, 2, &model, why) != LBP_OK) return puts(why), 1;
  if (lbp_bridge_sampler_make(model, &sampler) != LBP_OK) return 1;
  if (lbp_bridge_set(sampler, "tempering.rungs", "20") != LBP_OK || lbp_bridge_set(sampler, "chains", "100") != LBP_OK) return 1;
  if (lbp_bridge_run(sampler, "ais") != LBP_OK || lbp_bridge_get(sampler, "log_z", &logz) != LBP_OK) return 1;
  printf("%g\n", *(const double *)logz.data);
  /* transfer matrix: log Z = log 2 + 29 log(1 + e^J) */
  if (fabs(*(const double *)logz.data - log(2.0) - (DAYS - 1) * log(1 + exp(J))) > 0.5) return 1;
  lbp_bridge_sampler_free(sampler);
  lbp_bridge_model_free(model);
  return 0;
}
