/* lbp_diagonal_trace against CSDP, an interior-point solver, on five kinds of W: the traces agree to 1e-3. Skipped where there
 * is no CSDP. `make bench-diagonal` goes on to larger ones. */
#include "../bench/any_scale/matrices.h"
#include "test.h"

int main(void) {
#ifdef API_QUICK
  static const uint32_t sizes[] = {25};
#else
  static const uint32_t sizes[] = {100, 196};
#endif
  char folder[] = "/tmp/lbp-sdp-XXXXXX";
  uint32_t k;
  int kind;
  if (!matrix_has_solver()) {
    printf("csdp is not here (Debian: coinor-csdp)\n0 passed, 0 failed, 1 skipped\n");
    return 0;
  }
  if (!mkdtemp(folder)) basic_die("no folder in /tmp");
  for (k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    for (kind = 0; kind < MATRICES; kind++) {
      const uint32_t n = sizes[k];
      const size_t len = lbp_diagonal_trace_workspace(n);
      double *D = (double *)basic_alloc(n, sizeof *D), *work = (double *)basic_alloc(len, sizeof *work), optimum;
      matrix_of m;
      matrix_make(&m, kind, n, 7);
      CHECK(lbp_diagonal_trace(&m.W, 1e-3, D, NULL, work, len) == LBP_OK);
      optimum = matrix_solve(&m.W, folder);
      CHECK(optimum > 0);
      CHECK_NEAR(matrix_trace(D, n) / optimum, 1.0, 1e-3);
      matrix_free(&m);
      free(work);
      free(D);
    }
  }
  rmdir(folder);
  return test_report();
}
