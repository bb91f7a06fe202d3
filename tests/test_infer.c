/* test_infer.c - examples/infer.c: what it samples is what it finds exactly, also where zeros cost so little that most draws
 * break one; a network without a possible state has status 1. */
#define main infer_main
#include "../examples/infer.c"
#undef main
#include "test.h"

/* Marginals within 0.03, log Z within five errors. */
static void test_soft_zeros(double soft) {
  options o;
  lbp_factor_graph g;
  answer exact, drawn;
  double worst = 0;
  size_t k;
  CHECK(build(&g) == LBP_OK);
  memset(&o, 0, sizeof o);
  o.sample = -1, o.soft = soft, o.sweeps = 4000, o.cells = 12, o.rungs = 8, o.chains = 16, o.seed = 3;
  o.exact = 1 << 20;
  CHECK(infer(&o, &g, &exact) == 0 && exact.exact);
  o.exact = 0;
  CHECK(infer(&o, &g, &drawn) == 0 && !drawn.exact);
  for (k = 0; k < (size_t)g.n * exact.states; k++) {
    if (fabs(exact.marginal[k] - drawn.marginal[k]) > worst) worst = fabs(exact.marginal[k] - drawn.marginal[k]);
  }
  CHECK(worst < 0.03);
  CHECK_NEAR(drawn.log_z, exact.log_z, 5 * drawn.log_z_se);
  CHECK(drawn.log_z_se > 0 && drawn.log_z_se < 0.1);
  answer_free(&exact);
  answer_free(&drawn);
  lbp_factor_graph_free(&g);
}

/* A triangle of sites that must all differ, of two values each: impossible, which elimination proves; sampling, when it
 * may eliminate nothing, sees no possible state, and does not call that an answer. */
static void test_impossible(void) {
  static const uint32_t values[3] = {2, 2, 2}, pair[3][2] = {{0, 1}, {1, 2}, {2, 0}};
  static const double differ[4] = {0, 1, 1, 0};
  options o;
  lbp_factor_graph g;
  answer a;
  int k, task;
  CHECK(lbp_factor_graph_init(&g, 3, values) == LBP_OK);
  for (k = 0; k < 3; k++) CHECK(lbp_factor_graph_add(&g, 2, pair[k], differ, 0) == LBP_OK);
  memset(&o, 0, sizeof o);
  o.sample = -1, o.soft = 8, o.sweeps = 256, o.rungs = 3, o.chains = 2, o.seed = 1;
  for (task = MAR; task <= MPE; task++) {
    o.task = task;
    o.exact = 1 << 20;
    CHECK(infer(&o, &g, &a) == 1);
    answer_free(&a);
    o.exact = 0, o.cells = 0;
    CHECK(infer(&o, &g, &a) == 1);
    answer_free(&a);
  }
  lbp_factor_graph_free(&g);
}

int main(void) {
  test_soft_zeros(8);
  test_soft_zeros(3);
  test_impossible();
  return test_report();
}
