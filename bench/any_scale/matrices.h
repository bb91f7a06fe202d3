/* Five kinds of W, and the diagonal of least trace by CSDP, an interior-point solver for semidefinite programs, where
 * Debian's coinor-csdp is installed: to compare lbp_diagonal_trace with. */
#ifndef BENCH_MATRICES_H
#define BENCH_MATRICES_H

#include "../../lbp_models.h"
#include "../common/harness.h"

enum { MATRIX_DENSE, MATRIX_ROTATION, MATRIX_CYCLE, MATRIX_GRID, MATRIX_BA, MATRICES };

static const char *const matrix_names[MATRICES] = {"dense, Gaussian entries", "rotation, L = 10", "cycle, L = 50", "grid",
                                                   "Barabasi-Albert"};

/* What a matrix points to. */
typedef struct {
  lbp_symmetric W;
  void *memory;
  lbp_graph graph;
  lbp_lattice lattice;
} matrix_of;

/* Hessians in new memory: of a graph, its columns behind its values, and of a lattice. */
LBP_FN lbp_symmetric graph_hessian(const lbp_graph *m, void **memory) {
  const uint32_t entries = lbp_graph_hessian_entries(m);
  double *value = (double *)(*memory = basic_alloc(entries, sizeof(double) + sizeof(uint32_t)));
  return lbp_graph_hessian(m, (uint32_t *)(void *)(value + entries), value);
}

LBP_FN lbp_symmetric lattice_hessian(const lbp_lattice *m, void **memory) {
  *memory = basic_alloc(lbp_lattice_hessian_entries(m), sizeof(double));
  return lbp_lattice_hessian(m, (double *)*memory);
}

/* n is a square for the grid. */
LBP_FN void matrix_make(matrix_of *m, int kind, uint32_t n, uint64_t seed) {
  const uint32_t side = (uint32_t)(sqrt(n) + 0.5);
  int status = LBP_OK;
  memset(m, 0, sizeof *m);
  if (kind == MATRIX_DENSE) {
    lbp_rng rng;
    lbp_rng_init(&rng, seed, 0);
    double *value = (double *)(m->memory = basic_alloc((size_t)n * n, sizeof *value));
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; j <= i; j++)
        value[(size_t)i * n + j] = value[(size_t)j * n + i] = lbp_models_normal(&rng) / sqrt(n);
    m->W.n = n;
    m->W.dense = value;
    return;
  }
  if (kind == MATRIX_ROTATION) status = lbp_lattice_random_rotation(&m->lattice, n, 21, 10, seed);
  if (kind == MATRIX_CYCLE) status = lbp_lattice_random_cycle(&m->lattice, n, 21, 50, seed);
  if (kind == MATRIX_GRID) status = lbp_graph_grid(&m->graph, side, side, 0.44);
  if (kind == MATRIX_BA) status = lbp_graph_barabasi_albert(&m->graph, n, 4, 0.44, seed);
  if (status != LBP_OK) basic_die("%s, n = %u: %s", matrix_names[kind], (unsigned)n, lbp_error(status));
  m->W = kind == MATRIX_GRID || kind == MATRIX_BA ? graph_hessian(&m->graph, &m->memory)
                                                  : lattice_hessian(&m->lattice, &m->memory);
}

LBP_FN void matrix_free(matrix_of *m) {
  free(m->memory);
  lbp_graph_free(&m->graph);
  lbp_lattice_free(&m->lattice);
}

LBP_FN double matrix_trace(const double *D, uint32_t n) {
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += D[i];
  return sum;
}

LBP_FN int matrix_has_solver(void) { return system("command -v csdp > /dev/null 2>&1") == 0; }

/* The least trace (24)-(25) by CSDP, in a folder for its files; negative if it gives none. In SDPA's format: minimise
 * sum x_i with sum x_i F_i - F_0 positive semi-definite, blocks W + diag(x) and diag(x). */
LBP_FN double matrix_solve(const lbp_symmetric *W, const char *folder) {
  char path[1100], command[2400], line[512];
  double value = -1;
  const bench_file problem = bench_open("%s/sdp.dat-s", folder);
  FILE *file = problem.to;
  fprintf(file, "%u\n2\n%u -%u\n", (unsigned)W->n, (unsigned)W->n, (unsigned)W->n);
  for (uint32_t i = 0; i < W->n; i++) fprintf(file, "1 ");
  fprintf(file, "\n");
  for (uint32_t i = 0; i < W->n; i++)
    for (uint32_t j = i; j < W->n; j++) {
      const double w = lbp_symmetric_entry(W, i, j);
      if (w != 0) fprintf(file, "0 1 %u %u %.17g\n", (unsigned)i + 1, (unsigned)j + 1, -w);
    }
  for (uint32_t i = 1; i <= W->n; i++) fprintf(file, "%u 1 %u %u 1\n%u 2 %u %u 1\n", i, i, i, i, i, i);
  bench_close(&problem);
  snprintf(command, sizeof command, "cd '%s' && csdp sdp.dat-s sdp.sol 2>/dev/null", folder);
  file = popen(command, "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "Dual objective value: %lf", &value);
  if (file) pclose(file);
  remove(problem.path);
  snprintf(path, sizeof path, "%s/sdp.sol", folder);
  remove(path);
  return value;
}

#endif
