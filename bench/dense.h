/* The dense half of `make bench-floor`: an LBP step on the RBM with 784 visible and 400 hidden units, one chain at a time
 * and 100 chains by NAME_lbp_steps, beside the products alone that it can't do without: the matrix with the vector (or
 * with the vectors of all chains), and one row of the matrix added for every flip. */
#ifndef BENCH_DENSE_H
#define BENCH_DENSE_H

#include "harness.h"
#include "instances.h"

#define LBP_NAME        dense
#define LBP_MODEL_T     lbp_rbm
#define LBP_REAL        float
#define LBP_FIELDS_T    lbp_rbm_fields
#define LBP_FIELDS_INIT lbp_rbm_fields_set
#define LBP_FLIP        lbp_rbm_flip
#define LBP_SAVE        lbp_rbm_save
#define LBP_RESTORE     lbp_rbm_restore
#define LBP_DELTAS      lbp_rbm_deltas
#define LBP_DELTAS_MANY lbp_rbm_deltas_many
#define LBP_DELTA       lbp_rbm_delta
#define LBP_LOGP        lbp_rbm_logp
#include "../lbp.h"

enum { DENSE_CHAINS = 100, DENSE_TURNS = 15, DENSE_WARMUP = 400 };

typedef struct {
  lbp_rbm model;
  dense_chain chain[DENSE_CHAINS], *chains[DENSE_CHAINS];
  lbp_rbm_fields fields[DENSE_CHAINS], *all_fields[DENSE_CHAINS];
  lbp_rng rng[DENSE_CHAINS], *generators[DENSE_CHAINS];
  dense_info info[DENSE_CHAINS];
  uint32_t R[DENSE_CHAINS];
  const uint8_t *states[DENSE_CHAINS];
  float *ratios[DENSE_CHAINS];
  dense_tuner tuner;
  double accept; /* sum over the steps of all chains */
} dense_bed;

/* One step of all chains, together or one by one. */
static void dense_step(dense_bed *b, int together) {
  uint32_t k;
  float sum = 0;
  for (k = 0; k < DENSE_CHAINS; k++) b->R[k] = dense_tuner_draw(&b->tuner, &b->rng[k]);
  if (together) dense_lbp_steps(b->chains, &b->model, b->R, b->generators, DENSE_CHAINS, b->info);
  for (k = 0; k < DENSE_CHAINS; k++) {
    if (!together) b->info[k] = dense_lbp_step(&b->chain[k], &b->model, b->R[k], &b->rng[k]);
    sum += b->info[k].accept;
  }
  b->accept += (double)sum;
  dense_tuner_update(&b->tuner, sum / DENSE_CHAINS);
}

/* The log-ratios of all chains, as a step asks for them once. */
static void dense_matrix(dense_bed *b, int together) {
  uint32_t k;
  if (together) {
    lbp_rbm_deltas_many(&b->model, b->all_fields, b->states, b->ratios, DENSE_CHAINS);
    return;
  }
  for (k = 0; k < DENSE_CHAINS; k++) {
    lbp_p_matvec(b->model.n, b->model.hidden, b->model.W, b->fields[k].s, b->ratios[k]);
  }
}

/* The rows that the flips of a step add, to scratch. */
static void dense_rows(dense_bed *b) {
  const uint32_t hidden = b->model.hidden;
  uint32_t k, flip;
  for (k = 0; k < DENSE_CHAINS; k++) {
    for (flip = 0; flip < (uint32_t)b->tuner.r; flip++) {
      lbp_p_add(b->fields[k].h_saved, 1e-9f, b->model.W + (size_t)((flip * 97 + k * 31) % b->model.n) * hidden, hidden);
    }
  }
}

static void dense_open(dense_bed *b, const char *data, uint64_t seed) {
  char path[1024], why[INSTANCE_WHY];
  uint32_t k;
  snprintf(path, sizeof path, "%s/rbm_400.bin", data);
  if (instance_rbm(&b->model, path, why) != LBP_OK) bench_die("%s", why);
  for (k = 0; k < DENSE_CHAINS; k++) {
    const uint32_t n = b->model.n;
    uint8_t *x = (uint8_t *)bench_alloc(n, 1);
    uint64_t *ws = (uint64_t *)bench_alloc(dense_ws_len(n), sizeof *ws);
    int status = lbp_rbm_fields_init(&b->model, &b->fields[k]);
    if (status == LBP_OK) status = dense_init(&b->chain[k], n, x, &b->fields[k], ws, dense_ws_len(n));
    if (status != LBP_OK) bench_die("%s", lbp_error(status));
    lbp_rng_init(&b->rng[k], seed, k);
    b->chains[k] = &b->chain[k];
    b->all_fields[k] = &b->fields[k];
    b->generators[k] = &b->rng[k];
    b->states[k] = x;
    b->ratios[k] = (float *)bench_alloc(n, sizeof **b->ratios);
  }
  dense_tuner_init(&b->tuner, b->model.n, DENSE_WARMUP, LBP_TARGET_LBP);
  for (k = 0; k < DENSE_WARMUP; k++) dense_step(b, 0);
}

static void dense_close(dense_bed *b) {
  uint32_t k;
  for (k = 0; k < DENSE_CHAINS; k++) {
    free(b->chain[k].x);
    free(b->chain[k].ratio);
    free(b->ratios[k]);
    lbp_rbm_fields_free(&b->fields[k]);
  }
  lbp_rbm_free(&b->model);
}

static int dense_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Prints microseconds per chain and step: the median over turns in which everything is done once. `now` gives seconds. */
static void dense_bench(const char *data, uint64_t seed, double (*now)(void), FILE *csv) {
  enum { STEP, MATRIX, ROWS, PARTS };
  dense_bed *b = (dense_bed *)bench_alloc(1, sizeof *b);
  double spent[2][PARTS][DENSE_TURNS];
  int turn, together, part;
  dense_open(b, data, seed);
  b->accept = 0;
  for (turn = 0; turn < DENSE_TURNS; turn++) {
    for (together = 0; together < 2; together++) {
      double from = now();
      dense_step(b, together); /* caches as this way of stepping leaves them */
      for (part = 0; part < PARTS; part++) {
        from = now();
        if (part == STEP) dense_step(b, together);
        if (part == MATRIX) dense_matrix(b, together);
        if (part == ROWS) dense_rows(b);
        spent[together][part][turn] = 1e6 * (now() - from) / DENSE_CHAINS;
      }
    }
  }
  printf("\ndense: RBM %u-%u, R = %.1f, acceptance %.3f; us per chain and step, median of %d turns of %d chains\n",
         (unsigned)b->model.n, (unsigned)b->model.hidden, (double)b->tuner.r,
         b->accept / (4.0 * DENSE_TURNS * DENSE_CHAINS), DENSE_TURNS, DENSE_CHAINS);
  printf("                       step   products   (matrix     rows)   outside\n");
  for (together = 0; together < 2; together++) {
    const char *name = together ? "100 chains at once" : "one chain at a time";
    double median[PARTS], products;
    for (part = 0; part < PARTS; part++) {
      qsort(spent[together][part], DENSE_TURNS, sizeof(double), dense_ascending);
      median[part] = spent[together][part][DENSE_TURNS / 2];
    }
    products = median[MATRIX] + median[ROWS];
    printf("%-20s %7.2f %10.2f %10.2f %8.2f %8.0f %%\n", name, median[STEP], products, median[MATRIX], median[ROWS],
           100 * (1 - products / median[STEP]));
    fprintf(csv, "%s,%.4f,%.4f,%.4f\n", name, median[STEP], median[MATRIX], median[ROWS]);
  }
  dense_close(b);
  free(b);
}

#endif
