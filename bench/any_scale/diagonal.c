/* diagonal - the diagonal of least trace (lbp_diagonal_trace): how long it takes, how far from the optimum it is by its own
 * bound, and by CSDP where that is installed. Run `make bench-diagonal`. */
#include "matrices.h"

typedef struct {
  int kind;
  uint32_t n;
} size;

static const size sizes[] = {
  {MATRIX_DENSE, 100},    {MATRIX_DENSE, 400},     {MATRIX_DENSE, 784},  {MATRIX_ROTATION, 100}, {MATRIX_ROTATION, 400},
  {MATRIX_ROTATION, 784}, {MATRIX_CYCLE, 100},     {MATRIX_CYCLE, 784},  {MATRIX_CYCLE, 2000},   {MATRIX_CYCLE, 10000},
  {MATRIX_GRID, 100},     {MATRIX_GRID, 784},      {MATRIX_GRID, 2025},  {MATRIX_GRID, 10000},   {MATRIX_BA, 100},
  {MATRIX_BA, 784},       {MATRIX_BA, 2000},       {MATRIX_BA, 10000}};

/* The least of a few runs: the machine may be busy. */
static double seconds_of(const lbp_symmetric *W, double *D, double *gap, double *work, size_t len) {
  double least = 1e9;
  for (int round = 0; round < 5; round++) {
    const double begin = basic_now();
    const int status = lbp_diagonal_trace(W, 1e-3, D, gap, work, len);
    const double spent = basic_now() - begin;
    if (status != LBP_OK) basic_die("no diagonal: %s", lbp_error(status));
    if (spent < least) least = spent;
    if (spent > 3) break;
  }
  return least;
}

int main(int argc, char **argv) {
  const int solver = matrix_has_solver();
  basic_parse(argc, argv, "usage: diagonal", NULL, 0);
  bench_start(0);
  bench_file csv = bench_create("bench/out", "diagonal.csv", "matrix,n,seconds,trace,gap,csdp,csdp_seconds");
  if (!solver) printf("csdp (Debian: coinor-csdp) is not here: no comparison.\n");
  printf("%-24s %6s %10s %14s %10s %14s %12s %9s\n", "W", "n", "ms", "trace", "gap bound", "CSDP's trace", "ours/CSDP-1", "CSDP s");
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    matrix_of m;
    double gap = 0, optimum = -1, spent = 0;
    matrix_make(&m, sizes[k].kind, sizes[k].n, 1);
    const size_t len = lbp_diagonal_trace_workspace(sizes[k].n);
    double *D = (double *)basic_alloc(sizes[k].n, sizeof *D), *work = (double *)basic_alloc(len, sizeof *work);
    const double seconds = seconds_of(&m.W, D, &gap, work, len), trace = matrix_trace(D, sizes[k].n);
    if (solver && sizes[k].n <= 784) {
      const double begin = basic_now();
      optimum = matrix_solve(&m.W, "bench/out");
      spent = basic_now() - begin;
    }
    printf("%-24s %6u %10.2f %14.6g %10.1e", matrix_names[sizes[k].kind], (unsigned)sizes[k].n, 1e3 * seconds, trace, gap);
    if (optimum > 0) printf(" %14.6g %12.1e %9.1f", optimum, trace / optimum - 1, spent);
    printf("\n");
    fprintf(csv.to, "\"%s\",%u,%g,%.9g,%g", matrix_names[sizes[k].kind], (unsigned)sizes[k].n, seconds, trace, gap);
    if (optimum > 0) fprintf(csv.to, ",%.9g,%g\n", optimum, spent);
    else fprintf(csv.to, ",,\n");
    BENCH_FREE(work, D);
    matrix_free(&m);
  }
  bench_close(&csv);
  printf("Table: %s\n", csv.path);
  return 0;
}
