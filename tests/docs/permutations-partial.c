/* Two files of 5 and 6 records: the mean number of links, by a run and by adding up all matchings. */
#include <math.h>
#include <stdio.h>
#include "lbp_run.h"
#include "top.c"

static double total, links_total;

static void add_up(const files *m, int a, unsigned taken, int links, double log_weight) {
  int b;
  if (a == A) {
    total += exp(log_weight);
    links_total += links * exp(log_weight);
    return;
  }
  add_up(m, a + 1, taken, links, log_weight);
  for (b = 0; b < B; b++) {
    if (!(taken >> b & 1)) add_up(m, a + 1, taken | 1u << b, links + 1, log_weight + m->weight[a][b]);
  }
}

int main(void) {
  files model;
  lbp_run run;
  lbp_run_result result;
  lbp_rng rng;
  double links = 0;
  int a, b;
  lbp_rng_init(&rng, 4, 0);
  for (a = 0; a < A; a++) { /* the mean is 4.69; without D! it is 4.07 */
    for (b = 0; b < B; b++) model.weight[a][b] = (double)(lbp_rng_u64(&rng) % 1000) / 250 - 2 + (a == b) * 3;
  }
  add_up(&model, 0, 0, 0, 0);
  lbp_run_init(&run);
  run.draws = 40000;
#include "run.c"
  for (a = 0; a < A; a++) {
    for (b = 0; b < B; b++) links += result.marginal[a * (A + B) + b];
  }
  lbp_run_free(&result);
  printf("%.3f links, exactly %.3f\n", links, links_total / total);
  return !(fabs(links - links_total / total) < 0.02 && fabs(links_total / total - 4.69) < 0.005);
}
