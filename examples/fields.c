/* Prints the time that a model's fields save: spin glasses on random regular graphs, by lbp_graph without fields and
 * with them. The draws are the same; otherwise the program fails.
 *
 *   cc -O3 -march=native -I.. fields.c -lm && ./a.out
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "inputs.h" /* brings lbp_models.h */

enum { MOST_NEIGHBOURS = 48, TURNS = 11 };

#define LBP_NAME           plain
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS MOST_NEIGHBOURS
#include "lbp.h"

#define LBP_NAME           kept
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_FIELDS_T       lbp_graph_fields
#define LBP_FIELDS_INIT    lbp_graph_fields_set
#define LBP_FLIP           lbp_graph_flip
#define LBP_FLIP_LIST      lbp_graph_flip_list
#define LBP_DELTA          lbp_graph_fields_delta
#define LBP_PREFETCH       lbp_graph_prefetch
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS MOST_NEIGHBOURS
#include "lbp.h"

static void *memory(size_t bytes) {
  void *p = calloc(bytes, 1);
  if (!p) {
    fprintf(stderr, "fields: out of memory\n");
    exit(1);
  }
  return p;
}

static void expect(int status) {
  if (status == LBP_OK) return;
  fprintf(stderr, "fields: %s\n", lbp_error(status));
  exit(1);
}

/* Half as many random cycles through all sites, couplings of either sign, weak random fields; rounded, as fields ask. */
static void make(lbp_graph *m, uint32_t n, uint32_t degree, double coupling) {
  uint32_t *ends = (uint32_t *)memory(sizeof *ends * n * degree), *cycle = (uint32_t *)memory(sizeof *cycle * n);
  double *J = (double *)memory(sizeof *J * n * degree), *h = (double *)memory(sizeof *h * n);
  lbp_rng rng;
  lbp_rng_init(&rng, 2, 0);
  for (uint32_t i = 0; i < n; i++) {
    cycle[i] = i;
    h[i] = 0.3 * (2 * lbp_u01(lbp_rng_u64(&rng)) - 1);
  }
  for (uint32_t c = 0, e = 0; c < degree / 2; c++) {
    for (uint32_t i = n; i > 1; i--) {
      const uint32_t k = (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), i), other = cycle[k];
      cycle[k] = cycle[i - 1];
      cycle[i - 1] = other;
    }
    for (uint32_t i = 0; i < n; i++, e++) {
      ends[2 * e] = cycle[i];
      ends[2 * e + 1] = cycle[(i + 1) % n];
      J[e] = lbp_rng_u64(&rng) >> 63 ? coupling : -coupling;
    }
  }
  expect(lbp_graph_init(m, n, h, n * (degree / 2), ends, J, MOST_NEIGHBOURS));
  expect(lbp_graph_round(m));
  free(ends);
  free(cycle);
  free(J);
  free(h);
}

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int ascending(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Both by turns, from the same state and stream: R flips a step, tuned for R = 0; sweeps of Gibbs for R > n. Returns
 * whether they draw the same. */
static int compare(const lbp_graph *m, uint32_t degree, uint32_t R, double flips) {
  const uint32_t n = m->n;
  const int sweep = R > n;
  const size_t length = plain_ws_len(n);
  uint8_t *x = (uint8_t *)memory(n), *y = (uint8_t *)memory(n);
  uint64_t *ws[2] = {(uint64_t *)memory(8 * length), (uint64_t *)memory(8 * length)};
  double time[2][TURNS];
  plain_chain a;
  plain_tuner tuner;
  kept_chain b;
  lbp_graph_fields f;
  lbp_rng rng[2];
  expect(lbp_graph_fields_init(m, &f));
  expect(plain_init(&a, n, x, ws[0], length));
  expect(kept_init(&b, n, y, &f, ws[1], length));
  expect(plain_tuner_init(&tuner, n, 400, LBP_TARGET_LBP));
  lbp_rng_init(&rng[0], 7, 0);
  for (int t = 0; t < 400; t++) plain_albp_step(&a, m, &tuner, &rng[0]);
  if (R == 0) R = (uint32_t)tuner.r | 1u;
  memcpy(y, x, n);
  rng[1] = rng[0];
  plain_touch(&a);
  const uint32_t steps = (uint32_t)(flips / TURNS / (sweep ? n : R)) + 1;
  for (int t = 0; t < TURNS; t++) {
    const double begin = now();
    for (uint32_t k = 0; k < steps; k++) {
      if (sweep) plain_gibbs_sweep(&a, m, &rng[0]);
      else plain_lbp_step(&a, m, R, &rng[0]);
    }
    const double middle = now();
    for (uint32_t k = 0; k < steps; k++) {
      if (sweep) kept_gibbs_sweep(&b, m, &rng[1]);
      else kept_lbp_step(&b, m, R, &rng[1]);
    }
    const double each = 1e9 / steps / (sweep ? n : R);
    time[0][t] = (middle - begin) * each;
    time[1][t] = (now() - middle) * each;
  }
  qsort(time[0], TURNS, sizeof time[0][0], ascending);
  qsort(time[1], TURNS, sizeof time[1][0], ascending);
  if (sweep) printf("%8u%8u   Gibbs", n, degree);
  else printf("%8u%8u%8u", n, degree, R);
  printf("%12.1f%12.1f\n", time[0][TURNS / 2], time[1][TURNS / 2]);
  const int same = memcmp(x, y, n) == 0;
  lbp_graph_fields_free(&f);
  free(x);
  free(y);
  free(ws[0]);
  free(ws[1]);
  return same;
}

/* The argument: how many flips each is measured by, 2e6 by default. */
int main(int argc, char **argv) {
  const double flips = argc > 1 ? input_real(argv[1]) : 2e6;
  lbp_graph sparse, dense;
  int same = 1;
  if (argc > 2 || !(flips >= 1 && flips <= 1e9)) {
    fprintf(stderr, "usage: %s [FLIPS, 1 to 1e9]\n", argv[0]);
    return 2;
  }
  make(&sparse, 10000, 6, 0.3);
  make(&dense, 2000, 48, 0.1);
  printf("ns per proposed flip, or per site of a sweep; medians of %d turns\n", TURNS);
  printf("   sites  degree       R     without with fields\n");
  same &= compare(&sparse, 6, 0, flips);
  same &= compare(&sparse, 6, 1, flips / 4);
  same &= compare(&sparse, 6, UINT32_MAX, 4 * flips);
  same &= compare(&dense, 48, 0, flips / 4);
  same &= compare(&dense, 48, 1, flips / 20);
  same &= compare(&dense, 48, UINT32_MAX, flips);
  lbp_graph_free(&sparse);
  lbp_graph_free(&dense);
  if (!same) fprintf(stderr, "fields: draws with and without fields differ\n");
  return same ? 0 : 1;
}
