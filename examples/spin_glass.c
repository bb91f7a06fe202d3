/* A three-dimensional Edwards-Anderson spin glass, couplings +-1, by parallel tempering of tuned LBP steps. It shows LBP,
 * MPI and checkpoints; lanes (../docs/lanes.md) find the best energy of such glasses 5 to 38 times as fast as Metropolis.
 *
 *   cc -O3 -march=native -fopenmp -I.. spin_glass.c -lm && ./a.out           one machine, all cores
 *   mpicc -O3 -march=native -DLBP_RUN_MPI=1 -I.. spin_glass.c -lm && mpirun -np 4 ./a.out      many
 *   ./a.out SIDE DRAWS PREFIX        draws go to PREFIX_1.csv ..., a checkpoint to PREFIX.ckpt, from which it resumes;
 *                                    PREFIX.done is there once it has all draws
 *
 * Four chains of twenty replicas each, from beta = 0 to 1.1, beyond the glass transition near 0.9 (Katzgraber, Koerner,
 * Young, Phys. Rev. B 73, 224432, 2006). Prints a summary of the energy per spin and of the magnetisation.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "inputs.h" /* brings lbp_models.h */

#define LBP_NAME           glass
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           double
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 6
#define LBP_LOGP           lbp_graph_logp
#define LBP_TEMPERED
#define LBP_ROUNDING(m)    (m)->rounding
#include "lbp_run.h" /* in place of lbp.h: brings glass_run() too */

/* A cube of side^3 spins with periodic boundary; log pi is minus the energy. */
static int make_glass(lbp_graph *m, uint32_t side, uint64_t seed) {
  const uint32_t n = side * side * side, step[3] = {1, side, side * side};
  uint32_t *ends = (uint32_t *)malloc((size_t)6 * n * sizeof *ends), i, axis, edges = 0;
  double *J = (double *)malloc((size_t)3 * n * sizeof *J);
  int status = ends && J ? LBP_OK : LBP_E_MEMORY;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 0);
  for (i = 0; status == LBP_OK && i < n; i++) {
    for (axis = 0; axis < 3; axis++, edges++) {
      const uint32_t at = i / step[axis] % side;
      ends[2 * edges] = i;
      ends[2 * edges + 1] = at + 1 < side ? i + step[axis] : i - at * step[axis];
      J[edges] = lbp_rng_u64(&rng) >> 63 ? 1 : -1;
    }
  }
  if (status == LBP_OK) status = lbp_graph_init(m, n, NULL, edges, ends, J, 6);
  free(ends);
  free(J);
  return status;
}

static double energy(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return -lbp_graph_logp((const lbp_graph *)column->data, x) / n;
}

static double magnetisation(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return 2 * lbp_run_ones(column, x, n) - 1;
}

/* For scripts that run it again until then. */
static int write_done(const char *prefix) {
  char path[1024];
  FILE *file;
  snprintf(path, sizeof path, "%s.done", prefix);
  file = fopen(path, "w");
  if (!file || fputs("all draws are there\n", file) < 0 || fclose(file) != 0) {
    fprintf(stderr, "spin_glass: %s can't be written\n", path);
    return LBP_E_FILE;
  }
  return LBP_OK;
}

int main(int argc, char **argv) {
  enum { RUNGS = 20 };
  double ladder[RUNGS]; /* warm-up spaces it again */
  lbp_run_column column[2];
  lbp_graph model;
  lbp_run run;
  lbp_run_result result;
  char checkpoint[1024];
  long side, draws;
  uint32_t k;
  int status;
#if LBP_RUN_MPI
  MPI_Init(&argc, &argv);
#endif
  side = argc > 1 ? input_whole(argv[1]) : 5;
  draws = argc > 2 ? input_whole(argv[2]) : 4000;
  if (argc > 4 || side < 2 || side > 100 || draws < 1 || draws > 1000000000) {
    fprintf(stderr, "usage: %s [SIDE, 2 to 100 [DRAWS, 1 to 1000000000 [PREFIX]]]\n", argv[0]);
#if LBP_RUN_MPI
    MPI_Finalize();
#endif
    return 2;
  }
  lbp_run_init(&run);
  memset(column, 0, sizeof column);
  column[0].name = "energy";
  column[0].value = energy;
  column[0].data = &model;
  column[1].name = "magnetisation";
  column[1].value = magnetisation;
  run.name = "spin_glass";
  run.column = column;
  run.columns = 2;
  run.tempering.rungs = RUNGS;
  run.tempering.ladder = ladder;
  for (k = 0; k < RUNGS; k++) ladder[k] = 1.1 * (1 - k / (RUNGS - 1.0));
  run.seed = 3;
  run.warmup = 4000;
  run.draws = (uint64_t)draws;
  run.thin = 20;
  run.tempering.swap_every = 5;
  run.summary = stdout;
  if (argc > 3) {
    snprintf(checkpoint, sizeof checkpoint, "%s.ckpt", argv[3]);
    run.prefix = argv[3];
    run.checkpoint = checkpoint;
    run.progress = stderr;
    run.signals = 1; /* at Ctrl-C it saves all and can go on */
  }
  status = make_glass(&model, (uint32_t)side, 2026);
  if (status != LBP_OK) {
    fprintf(stderr, "spin_glass: %s\n", lbp_error(status));
  } else {
    status = glass_run(&run, &model, model.n, &result);
    if (status != LBP_OK) fprintf(stderr, "spin_glass: %s\n", result.message);
    if (status == LBP_OK && result.best_logp) {
      printf("lowest energy per spin: %.4f\n", -result.best_logp[0] / model.n);
    }
    if (status == LBP_OK && argc > 3 && result.row && result.ended == LBP_END_COMPLETE) status = write_done(argv[3]);
    lbp_run_free(&result);
    lbp_graph_free(&model);
  }
#if LBP_RUN_MPI
  MPI_Finalize();
#endif
  return status != LBP_OK;
}
