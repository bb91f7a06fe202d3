/* examples.c - what no command line brings about in an example: memory that runs out, a file that can't be written on,
 * chains that are stuck. tests/examples.sh compiles it with -DOF_DENOISE and the like, and runs it with a name for
 * files; it exits with 0 if the example does what it should. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long calls, failing, blocks; /* of the functions below; which one fails, from 1; in use */

static void *own_calloc(size_t count, size_t size) {
  void *block = ++calls == failing ? NULL : calloc(count, size);
  blocks += block != NULL;
  return block;
}

static void *own_realloc(void *block, size_t size) {
  void *other = ++calls == failing ? NULL : realloc(block, size);
  blocks += !block && other;
  return other;
}

static void own_free(void *block) {
  blocks -= block != NULL;
  free(block);
}

static int own_fputc(int c, FILE *file) { return ++calls == failing ? EOF : fputc(c, file); }

#define calloc               own_calloc
#define malloc(size)         own_calloc(1, size)
#define realloc(block, size) own_realloc(block, size)
#define free                 own_free
#define fputc                own_fputc
#define main                 example

#if defined OF_SELECT
#include "../../examples/select.c"
#undef main
/* Chains that are stuck have no R-hat, which is 0 then; equal ones neither. Impossible models are not listed. */
int main(void) {
  best_list best;
  uint8_t x[2] = {0, 0}, found[2 * (MODELS + 1)];
  lbp_run_row row;
  lbp_run_result result;
  memset(&row, 0, sizeof row);
  memset(&result, 0, sizeof result);
  result.row = &row;
  row.rhat_status = LBP_E_STUCK;
  result.warnings = LBP_WARN_RHAT;
  print_doubt(&result);
  row.rhat_status = LBP_E_EQUAL_CHAINS;
  result.warnings = LBP_WARN_EQUAL_CHAINS;
  print_doubt(&result);
  memset(&best, 0, sizeof best);
  best.n = 2;
  best.x = found;
  offer(&best, x, -1);
  x[0] = x[1] = 1;
  offer(&best, x, -lbp_infinity());
  return best.count != 1;
}

#elif defined OF_MAXCUT
#include "../../examples/maxcut.c"
#undef main
/* The last place is for the last improvement. */
int main(void) {
  static findings f;
  int k;
  for (k = 0; k <= 2 * MOMENTS; k++) note(&f, k, k, -1);
  return f.moments != MOMENTS || f.value[MOMENTS - 1] < 2 * MOMENTS || f.value[MOMENTS - 2] > MOMENTS;
}

#elif defined OF_DENOISE
#include "../../examples/denoise.c"
#undef main
/* A pixel within a row. */
int main(int argc, char **argv) {
  double grey[64] = {0}, *const panel[1] = {grey};
  failing = 13;
  return write_pictures(argv[argc - 1], panel, 1, 8, 8) || calls < failing;
}

#elif defined OF_POTTS
#include "../../examples/potts.c"
#undef main
/* Memory for a picture of its own, for the truth, for the levels. */
int main(int argc, char **argv) {
  char name[] = "potts", own[] = "-", *word[] = {name, own, argv[argc - 1], NULL};
  int wrong = 0;
  for (failing = 1; failing <= 3; failing++) {
    calls = 0;
    wrong |= example(3, word) != 1 || calls < failing || blocks != 0;
  }
  return wrong;
}

#elif defined OF_LANES
#include "../../examples/lanes.c"
#undef main
int main(int argc, char **argv) {
  failing = 1;
  return example(argc, argv) != 1;
}

#elif defined OF_RBM_LOG_Z
#include "../../examples/rbm_log_z.c"
#undef main
/* Whatever is wrong, no memory is kept. */
int main(int argc, char **argv) {
  char name[] = "rbm_log_z", model[] = "bench/data/rbm_100.bin", *word[] = {name, model, argv[argc - 1], NULL};
  return example(3, word) != 1 || blocks != 0;
}

#elif defined OF_INFER
#define LBP_FACTORS_ARITY 20 /* as there */
#include "../../examples/inputs.h"
#include "../../lbp/models/factors.h"
static int no_model(lbp_factors *m, const lbp_factor_graph *g, uint32_t states, double soft) {
  (void)g, (void)states, (void)soft;
  memset(m, 0, sizeof *m);
  return LBP_E_SIZE;
}
#define lbp_factors_init no_model
#include "../../examples/infer.c"
#undef main
static void dirty(void) {
  volatile char stack[8192];
  size_t k;
  for (k = 0; k < sizeof stack; k++) stack[k] = 85;
}

/* Its own network, when its tables are too large; when there is no memory for the first answer. */
int main(void) {
  lbp_factor_graph g;
  if (demonstrate() != 1 || blocks != 0) return 1;
  calls = 0;
  if (build(&g) != LBP_OK) return 1;
  lbp_factor_graph_free(&g);
  failing = calls + 1;
  calls = 0;
  dirty();
  return demonstrate() != 1 || calls < failing || blocks != 0;
}
#endif
