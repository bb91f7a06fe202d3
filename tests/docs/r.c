/* The model of docs/r.md, as a program; its R is tried by tests/bridge_r.sh. */
#include "model.c"

int main(void) {
  static const double J[4] = {1, -1, 0.5, 2};
  lbp_bridge_array array = {"J", NULL, LBP_BRIDGE_DOUBLE, 1, {4}, J};
  lbp_bridge_model *model;
  const int status = lbp_bridge_model_make(&array, 1, &model, NULL);
  const uint32_t sites = lbp_bridge_sites(model);
  lbp_bridge_model_free(model);
  return status != LBP_OK || sites != 4;
}
