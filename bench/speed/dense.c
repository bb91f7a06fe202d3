/* dense - an LBP step on a dense model, the RBM with 784 visible and 400 hidden units, one chain at a time and
 * 100 in a group, beside the products alone that it can't do without: the matrix with the vector (or with the vectors of
 * all chains), and a row of the matrix added for every flip. `make bench-dense`; a minute. Writes dense.csv. */
#include "../../lbp_run.h"

#include "../../lbp_models.h"
#include "../common/harness.h"
#include "../common/instances.h"

#define LBP_NAME        dense
#define MODEL           lbp_rbm
#define MODEL_FIELDS
#define LBP_DELTAS_MANY lbp_rbm_deltas_many
#include "../common/instance.h"

enum { DENSE_CHAINS = 100, DENSE_TURNS = 41, DENSE_WARMUP = 2000 };

typedef struct {
  lbp_rbm model;
  lbp_kernel kernel;
  lbp_chains chains;
  const dense_tuner *tuner;
  double accept, steps; /* since the warm-up: sum over all chains, steps */
  /* for the products alone */
  lbp_rbm_fields fields[DENSE_CHAINS], *all_fields[DENSE_CHAINS];
  const uint8_t *states[DENSE_CHAINS];
  float *ratios[DENSE_CHAINS];
} dense_bed;

/* One step of all chains, together or one by one. */
static void dense_step(dense_bed *b, int together) {
  double accept[DENSE_CHAINS];
  lbp_chains_together(&b->chains, DENSE_CHAINS, together ? DENSE_CHAINS : 1);
  lbp_chains_step_apart(&b->chains, accept, NULL, 0);
  lbp_chains_learn(&b->chains, accept, NULL, DENSE_CHAINS);
  for (uint32_t k = 0; k < DENSE_CHAINS; k++) b->accept += accept[k];
  b->steps += 1;
}

/* The log-ratios of all chains, as a step asks for them once. */
static void dense_matrix(dense_bed *b, int together) {
  if (together) {
    lbp_rbm_deltas_many(&b->model, b->all_fields, b->states, b->ratios, DENSE_CHAINS);
    return;
  }
  for (uint32_t k = 0; k < DENSE_CHAINS; k++) {
    lbp_matvec(b->model.n, b->model.hidden, b->model.W, b->fields[k].s, b->ratios[k]);
  }
}

/* The rows that the flips of a step add, to scratch. */
static void dense_rows(dense_bed *b) {
  const uint32_t hidden = b->model.hidden;
  for (uint32_t k = 0; k < DENSE_CHAINS; k++) {
    for (uint32_t flip = 0; flip < (uint32_t)b->tuner->r; flip++) {
      lbp_add_scaled(b->fields[k].h_saved, 1e-9f, b->model.W + (size_t)((flip * 97 + k * 31) % b->model.n) * hidden, hidden);
    }
  }
}

static void dense_open(dense_bed *b, const char *path, uint64_t seed) {
  char why[INPUT_WHY];
  lbp_plan plan;
  if (input_rbm(&b->model, path, why) != LBP_OK) basic_die("%s", why);
  b->kernel = dense_kernel();
  lbp_plan_init(&plan, &b->kernel, LBP_SAMPLER_LBP, b->model.n, 0);
  plan.warmup = DENSE_WARMUP;
  int status = lbp_chains_init(&b->chains, &b->kernel, &b->model, &plan, 0, DENSE_CHAINS, 1);
  b->tuner = (const dense_tuner *)lbp_chains_tuner(&b->chains, 0);
  for (uint32_t k = 0; k < DENSE_CHAINS && status == LBP_OK; k++) {
    status = lbp_chains_make(&b->chains, k, seed);
    if (status == LBP_OK) status = lbp_rbm_fields_init(&b->model, &b->fields[k]);
    b->states[k] = (const uint8_t *)memset(lbp_chains_unit(&b->chains, k)->x, 0, b->model.n);
    b->kernel.touch(lbp_chains_unit(&b->chains, k));
    b->all_fields[k] = &b->fields[k];
    b->ratios[k] = (float *)basic_alloc(b->model.n, sizeof **b->ratios);
  }
  bench_expect(status, "chains");
  for (uint32_t k = 0; k < DENSE_WARMUP; k++) dense_step(b, 0);
  for (uint32_t k = 0; k < DENSE_CHAINS; k++) lbp_rbm_fields_set(&b->model, &b->fields[k], b->states[k]);
  b->accept = b->steps = 0;
}

static void dense_close(dense_bed *b) {
  for (uint32_t k = 0; k < DENSE_CHAINS; k++) {
    free(b->ratios[k]);
    lbp_rbm_fields_free(&b->fields[k]);
  }
  lbp_chains_free(&b->chains);
  lbp_rbm_free(&b->model);
}

enum { STEP, MATRIX, ROWS, PARTS };

/* One turn: microseconds per chain for a step and for its parts, together or one by one. */
static void dense_turn(dense_bed *b, int together, int turn, double (*spent)[DENSE_TURNS]) {
  dense_step(b, together); /* leaves the caches as this way of stepping does */
  for (int part = 0; part < PARTS; part++) {
    const double from = bench_cpu_now();
    if (part == STEP) dense_step(b, together);
    if (part == MATRIX) dense_matrix(b, together);
    if (part == ROWS) dense_rows(b);
    spent[part][turn] = 1e6 * (bench_cpu_now() - from) / DENSE_CHAINS;
  }
}

int main(int argc, char **argv) {
  static dense_bed b;
  static double spent[2][PARTS][DENSE_TURNS];
  basic_parse(argc, argv, "usage: dense", NULL, 0);
  bench_start(1);
  bench_file csv = bench_create("bench/out", "dense.csv", "chains,R,step_us,matrix_us,rows_us");
  dense_open(&b, "bench/data/rbm_400.bin", 1);
  basic_progress_begin(2 * DENSE_TURNS);
  bench_label("turns");
  for (int turn = 0; turn < DENSE_TURNS; turn++) {
    for (int together = 0; together < 2; together++) {
      dense_turn(&b, together, turn, spent[together]);
      basic_progress_add(basic_progress.share = 1);
    }
  }
  basic_progress_clear();
  printf("RBM %u-%u, R = %.1f, acceptance %.3f; us per chain and step, median of %d turns of %d chains\n",
         (unsigned)b.model.n, (unsigned)b.model.hidden, (double)b.tuner->r, b.accept / (b.steps * DENSE_CHAINS), DENSE_TURNS,
         DENSE_CHAINS);
  printf("                       step   products   (matrix     rows)   outside\n");
  for (int together = 0; together < 2; together++) {
    const double step = bench_median(spent[together][STEP], DENSE_TURNS);
    const double matrix = bench_median(spent[together][MATRIX], DENSE_TURNS);
    const double rows = bench_median(spent[together][ROWS], DENSE_TURNS);
    printf("%-20s %7.2f %10.2f %10.2f %8.2f %8.0f %%\n", together ? "100 chains at once" : "one chain at a time", step,
           matrix + rows, matrix, rows, 100 * (1 - (matrix + rows) / step));
    fprintf(csv.to, "%d,%.4g,%.4f,%.4f,%.4f\n", together ? DENSE_CHAINS : 1, (double)b.tuner->r, step, matrix, rows);
  }
  bench_close(&csv);
  printf("Rows: %s\n", csv.path);
  dense_close(&b);
  return 0;
}
