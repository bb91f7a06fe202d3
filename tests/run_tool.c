/* A run of lbp_run.h with the options of its command line, for tests that kill it and for those that read its files:
 *
 *   run_tool prefix=out/x checkpoint=out/x.ckpt draws=1000 side=8 beta=0.4 ...
 *
 * The model is an Ising model on a grid. Prints the statistics of all columns in full precision. With LBP_RUN_MPI, under
 * mpirun too. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "../lbp_run.h"

#include "../lbp_models.h"

#define LBP_NAME           grid
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           lbp_graph_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

static double get(int argc, char **argv, const char *name, double otherwise) {
  int k;
  for (k = 1; k < argc; k++) {
    if (strncmp(argv[k], name, strlen(name)) == 0 && argv[k][strlen(name)] == '=') {
      return strtod(argv[k] + strlen(name) + 1, NULL);
    }
  }
  return otherwise;
}

static const char *text(int argc, char **argv, const char *name) {
  int k;
  for (k = 1; k < argc; k++) {
    if (strncmp(argv[k], name, strlen(name)) == 0 && argv[k][strlen(name)] == '=') return argv[k] + strlen(name) + 1;
  }
  return NULL;
}

static double whole_ones(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return lbp_run_ones(column, x, n) * n;
}

static double zero(const lbp_run_column *column, const uint8_t *x, uint32_t n) { return (void)column, (void)x, 0.0 * n; }

static void cell(int status, double v) {
  if (status == LBP_OK) printf(" %.17g", v);
  else printf(" NA");
}

/* With all=1, all that there is beside the rows, each number in full; and log Z by annealing. */
static void print_all(const lbp_run *given, const lbp_graph *m, const lbp_run_result *result) {
  lbp_run run = *given;
  lbp_ais_result annealed;
  uint32_t k, i;
  run.rungs = 10;
  run.check = 0;
  (void)grid_ais(&run, m, m->n, &annealed); /* in all processes */
  if (!result->row) return;
  printf("annealed %d %.17g %.17g %.17g %.17g\n", annealed.status, annealed.log_z, annealed.log_z_se, annealed.weights,
         annealed.accept);
  printf("steps %.17g %.17g %.17g %.17g, %lu of %lu draws\n", result->accept, result->jump, result->R,
         result->evaluations, (unsigned long)result->kept, (unsigned long)result->draws);
  printf("log Z %d %.17g %.17g\n", result->log_z_status, result->log_z, result->log_z_se);
  for (k = 0; k < result->rungs; k++) printf("rung %.17g %.17g\n", result->ladder[k], result->swaps[k]);
  for (k = 0; k < result->chains; k++) {
    printf("best %.17g ", result->best_logp[k]);
    for (i = 0; i < m->n; i++) printf("%d", result->best[(size_t)k * m->n + i]);
    printf("\n");
  }
  for (i = 0; result->marginal && i < m->n; i++) printf("site %lu %.17g\n", (unsigned long)i, result->marginal[i]);
}

int main(int argc, char **argv) {
  static const lbp_run_column column[4] = {
      {"ones", whole_ones, NULL, 0}, {"share", lbp_run_ones, NULL, 0}, {"first", lbp_run_site, NULL, 0},
      {"zero", zero, NULL, 0}};
  const uint32_t side = (uint32_t)get(argc, argv, "side", 8);
  lbp_graph model;
  lbp_run run;
  lbp_run_result result;
  uint32_t v;
  int status;
#if LBP_RUN_MPI
  MPI_Init(&argc, &argv);
#endif
  lbp_run_init(&run);
  run.column = column;
  run.columns = 4;
  run.prefix = text(argc, argv, "prefix");
  run.checkpoint = text(argc, argv, "checkpoint");
  run.checkpoint_seconds = get(argc, argv, "every", 600);
  run.chains = (uint32_t)get(argc, argv, "chains", 4);
  run.draws = (uint64_t)get(argc, argv, "draws", 1000);
  run.warmup = (uint32_t)get(argc, argv, "warmup", 1000);
  run.thin = (uint32_t)get(argc, argv, "thin", 2);
  run.rungs = (uint32_t)get(argc, argv, "rungs", 1);
  run.shared = (int)get(argc, argv, "shared", 0);
  run.states = (int)get(argc, argv, "states", 0);
  run.marginals = (int)get(argc, argv, "marginals", 0);
  run.digits = (int)get(argc, argv, "digits", 17);
  run.seed = (uint64_t)get(argc, argv, "seed", 1);
  run.R = get(argc, argv, "R", 0);
  if (text(argc, argv, "progress")) run.progress = stderr;
  status = lbp_graph_grid(&model, side, side, get(argc, argv, "beta", 0.3));
  if (status == LBP_OK) {
    status = grid_run(&run, &model, model.n, &result);
    if (status != LBP_OK) fprintf(stderr, "run_tool: %s\n", result.message);
    for (v = 0; status == LBP_OK && result.row && v < result.rows; v++) {
      const lbp_run_row *row = &result.row[v];
      printf("%s", row->name);
      cell(row->mean_status, row->mean);
      cell(row->mcse_status, row->mcse);
      cell(row->mean_status, row->sd);
      cell(row->mean_status, row->q5);
      cell(row->mean_status, row->median);
      cell(row->mean_status, row->q95);
      cell(row->rhat_status, row->rhat);
      cell(row->bulk_status, row->bulk);
      cell(row->tail_status, row->tail);
      cell(row->discrete_status, row->discrete.mode);
      cell(row->discrete_status, row->discrete.entropy);
      printf("\n");
    }
    if (status == LBP_OK && result.row && text(argc, argv, "time")) printf("seconds %.3f\n", result.seconds);
    if (status == LBP_OK && text(argc, argv, "all")) print_all(&run, &model, &result);
    lbp_run_free(&result);
    lbp_graph_free(&model);
  }
#if LBP_RUN_MPI
  MPI_Finalize();
#endif
  return status != LBP_OK;
}
