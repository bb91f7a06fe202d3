/* dense - an LBP step on a dense model, the RBM with 784 visible and 400 hidden units, of one chain and of 100 at once,
 * next to the product that it can't do without, of the matrix with a vector or with those of all chains, timed alone in
 * the same turns. What is left is the step's own; of that, the rows of the matrix that flips add. R = 16, and the best.
 * `make bench-dense`; half a minute. Writes dense.csv. */
#include "../../lbp_run.h"

#include "../../lbp_models.h"
#include "../common/harness.h"
#include "../common/instances.h"

#define LBP_NAME        dense
#define MODEL           lbp_rbm
#define MODEL_FIELDS
#define LBP_DELTAS_MANY lbp_rbm_deltas_many
#include "../common/instance.h"

enum { DENSE_CHAINS = 100, DENSE_TURNS = 61, DENSE_WARMUP = 2000 };

typedef struct {
  lbp_rbm model;
  lbp_kernel kernel;
  lbp_chains chains;
  double r; /* the best */
  float *s, *ratio; /* for the parts alone: hidden units' probabilities and log-ratios, by chain; and fields */
  lbp_rbm_fields fields;
} dense_bed;

/* As many steps as there are chains: one of each, or all of chain 0. */
static void dense_step(dense_bed *b, int together) {
  lbp_chains_together(&b->chains, DENSE_CHAINS, together ? DENSE_CHAINS : 1);
  lbp_chains_step(&b->chains, 0, together ? DENSE_CHAINS : 1, together ? 1 : DENSE_CHAINS, HUGE_VAL, 0);
}

/* The products of as many. */
static void dense_matrix(dense_bed *b, int together) {
  const int n = (int)b->model.n, hidden = (int)b->model.hidden;
#if LBP_CBLAS
  if (together) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, DENSE_CHAINS, n, hidden, 1.0f, b->s, hidden, b->model.W, hidden,
                0.0f, b->ratio, n);
    return;
  }
#endif
  for (int k = 0; k < DENSE_CHAINS; k++) {
    const int own = together ? k : 0;
    lbp_matvec((size_t)n, (size_t)hidden, b->model.W, b->s + own * hidden, b->ratio + own * n);
  }
}

/* The rows that their flips add. */
static void dense_rows(dense_bed *b, int together) {
  const uint8_t *x = (const uint8_t *)lbp_chains_unit(&b->chains, 0)->x;
  (void)together;
  for (uint32_t k = 0; k < DENSE_CHAINS; k++) {
    for (uint32_t flip = 0; flip < (uint32_t)b->chains.plan.setting[0]; flip++) {
      lbp_rbm_flip(&b->model, &b->fields, x, (flip * 97 + k * 31) % b->model.n);
    }
  }
}

static void dense_open(dense_bed *b, const char *path, uint64_t seed) {
  double accept[DENSE_CHAINS];
  char why[INPUT_WHY];
  lbp_plan plan;
  if (input_rbm(&b->model, path, why) != LBP_OK) basic_die("%s", why);
  b->kernel = dense_kernel();
  lbp_plan_init(&plan, &b->kernel, LBP_SAMPLER_LBP, b->model.n, 0);
  plan.warmup = DENSE_WARMUP;
  int status = lbp_chains_init(&b->chains, &b->kernel, &b->model, &plan, 0, DENSE_CHAINS, 1);
  for (uint32_t k = 0; k < DENSE_CHAINS && status == LBP_OK; k++) {
    status = lbp_chains_make(&b->chains, k, seed);
    memset(lbp_chains_unit(&b->chains, k)->x, 0, b->model.n);
  }
  if (status == LBP_OK) status = lbp_rbm_fields_init(&b->model, &b->fields);
  bench_expect(status, "chains");
  for (uint32_t k = 0; k < DENSE_WARMUP; k++) {
    lbp_chains_step_apart(&b->chains, accept, NULL, 0);
    lbp_chains_learn(&b->chains, accept, NULL, DENSE_CHAINS);
  }
  b->r = (double)((const dense_tuner *)lbp_chains_tuner(&b->chains, 0))->r;
  b->s = (float *)basic_alloc((size_t)DENSE_CHAINS * (b->model.hidden + b->model.n), sizeof *b->s);
  b->ratio = b->s + DENSE_CHAINS * b->model.hidden;
  for (uint32_t k = 0; k < DENSE_CHAINS; k++) {
    lbp_rbm_fields_set(&b->model, &b->fields, (const uint8_t *)lbp_chains_unit(&b->chains, k)->x);
    for (uint32_t j = 0; j < b->model.hidden; j++) b->s[k * b->model.hidden + j] = 1 / (1 + expf(-b->fields.h[j]));
  }
}

static void dense_close(dense_bed *b) {
  free(b->s);
  lbp_rbm_fields_free(&b->fields);
  lbp_chains_free(&b->chains);
  lbp_rbm_free(&b->model);
}

enum { STEP, MATRIX, ROWS, OWN, PARTS };
static void (*const dense_part[])(dense_bed *, int) = {dense_step, dense_matrix, dense_rows};

/* Turns, and their row of the table. */
static void dense_row(dense_bed *b, int together, double r, FILE *csv) {
  static double us[PARTS][DENSE_TURNS]; /* microseconds per chain and step */
  b->chains.plan.setting[0] = r;
  for (int turn = 0; turn < DENSE_TURNS; turn++) {
    dense_step(b, together); /* leaves the caches as this way of stepping does */
    for (int part = 0; part < OWN; part++) {
      const double from = bench_cpu_now();
      dense_part[part](b, together);
      us[part][turn] = 1e6 * (bench_cpu_now() - from) / DENSE_CHAINS;
    }
    us[OWN][turn] = us[STEP][turn] - us[MATRIX][turn];
  }
  printf("%3d %6.1f", together ? DENSE_CHAINS : 1, r);
  fprintf(csv, "%d,%.4g", together ? DENSE_CHAINS : 1, r);
  for (int part = 0; part < PARTS; part++) {
    const double middle = bench_median(us[part], DENSE_TURNS), low = bench_quantile(us[part], DENSE_TURNS, 0.25);
    const double high = bench_quantile(us[part], DENSE_TURNS, 0.75);
    printf("  %5.2f (%5.2f-%5.2f)", middle, low, high);
    fprintf(csv, ",%.3f,%.3f,%.3f", middle, low, high);
  }
  printf("\n");
  fprintf(csv, "\n");
}

int main(int argc, char **argv) {
  static dense_bed b;
  basic_parse(argc, argv, "usage: dense", NULL, 0);
  bench_start(1);
  bench_file csv = bench_create("bench/out", "dense.csv",
                                "chains,R,step,low,high,product,low,high,rows,low,high,rest,low,high");
  dense_open(&b, "bench/data/rbm_400.bin", 1);
  printf("RBM %u-%u: us per chain and step, medians (and quartiles) of %d turns of %d steps\n", (unsigned)b.model.n,
         (unsigned)b.model.hidden, DENSE_TURNS, DENSE_CHAINS);
  printf("chains    R  step                 product              rows                 step - product\n");
  for (int k = 0; k < 4; k++) dense_row(&b, k % 2, k < 2 ? 16 : b.r, csv.to);
  bench_close(&csv);
  printf("Rows: %s\n", csv.path);
  dense_close(&b);
  return 0;
}
