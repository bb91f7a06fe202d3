/* test_infer.c - examples/infer.c: sampled answers agree with exact ones, also where zeros cost so little that most
 * draws break one; a network without a possible state has status 1; wrong command lines are refused. */
#define main infer_main
#include "../examples/infer.c"
#undef main
#include "run_files.h"
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

/* No cell is surer than the slowest one's draws allow, except where a site doesn't depend on the draws: of one draw a
 * batch, in which site 0 has probability 0 or 1, chain by chain, and all others always the same one. */
static void test_slowest(void) {
  static const uint32_t values[4] = {2, 2, 2, 2}, pair[2][2] = {{0, 1}, {2, 3}};
  static const double table[4] = {1, 2, 3, 5};
  options o;
  lbp_factor_graph g;
  lbp_elimination e;
  lbp_factors hard;
  answer a;
  sums s;
  double se[8] = {0}, marginal[8];
  size_t at;
  uint32_t i;
  memset(&o, 0, sizeof o);
  memset(&a, 0, sizeof a);
  a.marginal = marginal, a.se = se, a.states = 2;
  CHECK(lbp_factor_graph_init(&g, 4, values) == LBP_OK);
  for (i = 0; i < 2; i++) CHECK(lbp_factor_graph_add(&g, 2, pair[i], table, 0) == LBP_OK);
  CHECK(lbp_factor_graph_observe(&g, 3, 1) == LBP_OK);
  CHECK(lbp_eliminate(&e, &g, 2, 2, 0) == LBP_OK && e.core.n == 2); /* site 2 is alone now */
  CHECK(lbp_factors_init(&hard, &e.core, 2, 0) == LBP_OK);
  CHECK(sums_init(&s, &e, &hard, 8, BATCHES) == LBP_OK);
  for (at = 0; at < 8 * BATCHES; at++) {
    s.drawn[at] = s.kept[at] = 1;
    s.sum[at * 8] = at / BATCHES < 4, s.sum[at * 8 + 1] = !(at / BATCHES < 4);
    for (i = 1; i < 4; i++) s.sum[at * 8 + 2 * i] = 0.25, s.sum[at * 8 + 2 * i + 1] = 0.75;
  }
  CHECK(report_marginals(&o, &s, &a) == 1);
  CHECK(marginal[0] == 0.5 && marginal[3] == 0.75);
  CHECK(se[0] > 0.15 && se[0] < 0.25);                  /* about as of 8 draws */
  CHECK(se[2] > 0.04 && se[2] < 0.10 && se[3] == se[2]); /* half of 1/8 */
  CHECK(se[4] == 0 && se[5] == 0 && se[6] == 0 && se[7] == 0);
  sums_free(&s);
  lbp_factors_free(&hard);
  lbp_elimination_free(&e);
  lbp_factor_graph_free(&g);
}

/* Sites hang on each other, and the last one on a core that can't be eliminated: all depend on its draws, in whichever
 * order they went; a pair of their own does not. */
static void test_dependent(void) {
  static const uint32_t values[8] = {3, 3, 3, 2, 2, 2, 2, 2};
  static const uint32_t pair[8][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 4}, {4, 3}, {3, 5}, {6, 7}, {7, 6}};
  static const double table[9] = {1, 2, 3, 5, 8, 13, 21, 34, 55};
  lbp_factor_graph g;
  lbp_elimination e;
  uint8_t depends[8];
  uint32_t k;
  CHECK(lbp_factor_graph_init(&g, 8, values) == LBP_OK);
  for (k = 0; k < 8; k++) CHECK(lbp_factor_graph_add(&g, 2, pair[k], table, 0) == LBP_OK);
  CHECK(lbp_eliminate(&e, &g, 8, UINT64_MAX, 0) == LBP_OK && e.core.n == 3);
  find_dependent(&e, depends);
  for (k = 0; k < 8; k++) CHECK(depends[k] == (k < 6));
  lbp_elimination_free(&e);
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
  /* a site each of whose values a table of its own forbids: sampling finds that before it begins */
  CHECK(lbp_factor_graph_add(&g, 1, pair[0], differ, 0) == LBP_OK);
  CHECK(lbp_factor_graph_add(&g, 1, pair[0], differ + 2, 0) == LBP_OK);
  for (task = MAR; task <= MPE; task++) {
    o.task = task;
    o.exact = 0, o.cells = 1;
    CHECK(infer(&o, &g, &a) == 1);
    answer_free(&a);
  }
  lbp_factor_graph_free(&g);
}

/* What a command line must not have: half a chain, too few, other words, a sample of no evidence, an option without its
 * value, errors of what has none, no such file. */
static void test_refused(void) {
  static char program[] = "infer", none[] = "no.uai", chains[] = "-chains", half[] = "2.5", one[] = "1", word[] = "8x",
              other[] = "-chain", eight[] = "8", output[] = "-o", sample[] = "-sample", errors[] = "-se", task[] = "-task",
              sum[] = "PR";
  char file[300], path[300], *right[6] = {program, file, chains, eight, output, path};
  char *const wrong[6][2] = {{chains, half}, {chains, one}, {chains, word}, {other, eight}, {sample, eight}, {chains, NULL}};
  int k;
  CHECK(make_folder());
  snprintf(file, sizeof file, "%s", in_folder("two.uai"));
  snprintf(path, sizeof path, "%s", in_folder("answer"));
  write_file(file, "MARKOV 2 2 2 1 2 0 1 4 1 2 3 4", 30);
  CHECK(infer_main(6, right) == 0);
  for (k = 0; k < 6; k++) {
    right[2] = wrong[k][0], right[3] = wrong[k][1];
    CHECK(infer_main(k < 5 ? 6 : 3, right) == 2);
  }
  right[2] = errors, right[3] = path, right[4] = task, right[5] = sum;
  CHECK(infer_main(6, right) == 2);
  right[1] = none, right[2] = output, right[3] = path;
  CHECK(infer_main(4, right) == 2);
  remove(file);
  remove(path);
  CHECK(rmdir(folder) == 0);
}

int main(void) {
  test_refused();
  test_soft_zeros(8);
  test_soft_zeros(3);
  test_slowest();
  test_dependent();
  test_impossible();
  return test_report();
}
