/* Minimum bisection and balanced maximum cut by annealing: splits a graph into two halves with as few, or as many,
 * edges between them as possible (circuit layout, load balancing). Both halves have n / 2 sites; if n is odd, one of
 * them has one more. Writes the best halves and a picture.
 *
 *   cc -O3 -march=native -fopenmp -I.. bisection.c -lm && ./a.out
 *         bisects a torus, whose best cut is two straight lines: it exits with 1 if it does not find it
 *   ./a.out FILE [min|max [OUT [SECONDS [READS]]]]
 *         FILE: a graph in the format of the G-set (n edges, then i j weight, sites from 1), also compressed by gzip.
 *         OUT: OUT.txt gets the different best halves, a line of zeros and ones each. OUT.pgm gets the matrix of edges,
 *         one half first: cut edges are in the corners off the diagonal. -: no files. SECONDS: 10. READS: 0, which is
 *         16 for each core.
 *
 * Sites change sides two at a time (LBP_GROUP), along paths: one leaves its half, drawn by weight, then another takes
 * its place. docs/constraints.md lists the other samplers that were tried.
 */
#define _POSIX_C_SOURCE 200809L
#define CUT_BALANCED
#include "cut.h"
#include "usage.h"

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* Opens OUT and an ending. */
static FILE *create(const char *out, const char *ending, char *path, char *why) {
  FILE *file;
  snprintf(path, 1100, "%.1000s%s", out, ending);
  file = fopen(path, "wb");
  if (!file) snprintf(why, INPUT_WHY, "%.200s: cannot be written", path);
  return file;
}

/* Closes it; whether all has been written. */
static int finish(FILE *file, const char *path, char *why) {
  const int failed = ferror(file);
  if (fclose(file) == 0 && !failed) return LBP_OK;
  snprintf(why, INPUT_WHY, "%.200s: cannot be written", path);
  return LBP_E_FILE;
}

static int write_halves(const lbp_run_result *found, uint32_t n, const char *out, char *why) {
  char path[1100];
  FILE *file = create(out, ".txt", path, why);
  uint32_t k, i;
  if (!file) return LBP_E_FILE;
  for (k = 0; k < found->chains && !(found->best_logp[k] < found->best_logp[0]); k++) {
    for (i = 0; i < n && found->hits[k] > 0; i++) fputc('0' + found->best[(size_t)k * n + i], file);
    if (found->hits[k] > 0) fputc('\n', file);
  }
  return finish(file, path, why);
}

/* The matrix of edges, where x decides about the order of sites; a pixel shows several sites if there are many. */
static int draw(const lbp_qubo_terms *t, const uint8_t *x, const char *out, char *why) {
  const uint32_t n = t->n, scale = (n + 1023) / 1024, side = (n + scale - 1) / scale;
  uint32_t *row = (uint32_t *)calloc(n, sizeof *row), i, k, next[2] = {0, 0};
  uint8_t *pixel = (uint8_t *)calloc(side, side);
  char path[1100];
  FILE *file = row && pixel ? create(out, ".pgm", path, why) : NULL;
  int status = row && pixel ? LBP_E_FILE : LBP_E_MEMORY;
  if (file) {
    for (i = 0; i < n; i++) next[1] += !x[i];
    for (i = 0; i < n; i++) row[i] = next[x[i]]++;
    memset(pixel, 255, (size_t)side * side);
    for (k = 0; k < t->count; k++) {
      const uint32_t a = row[t->ends[2 * k]] / scale, b = row[t->ends[2 * k + 1]] / scale;
      if (t->ends[2 * k] != t->ends[2 * k + 1]) pixel[(size_t)a * side + b] = pixel[(size_t)b * side + a] = 0;
    }
    fprintf(file, "P5\n%lu %lu\n255\n", (unsigned long)side, (unsigned long)side);
    fwrite(pixel, 1, (size_t)side * side, file);
    status = finish(file, path, why);
  }
  free(row);
  free(pixel);
  return status;
}

/* Anneals, prints, writes; *cut: the best one. */
static int answer(const lbp_qubo_terms *t, int smallest, double seconds, uint32_t reads, const char *out, double *cut,
                  char *why) {
  lbp_run_result found;
  lbp_run run;
  lbp_qubo m;
  uint32_t k, hits = 0, different = 0;
  int status = cut_model(&m, t, why);
  if (status != LBP_OK) return status;
  lbp_run_init(&run);
  run.name = "bisection";
  run.sampler = LBP_SAMPLER_SWAP_PATH;
  run.chains = reads;
  run.seconds = seconds;
  run.annealing.sweeps = seconds > 0 ? 0 : 1000;
  run.progress = stderr;
  status = cut_anneal(&run, &m, m.n, &found);
  if (status != LBP_OK) snprintf(why, INPUT_WHY, "%.390s", found.message);
  for (k = 0; status == LBP_OK && k < found.chains && !(found.best_logp[k] < found.best_logp[0]); k++) {
    hits += found.hits[k];
    different += found.hits[k] > 0;
  }
  if (status == LBP_OK) {
    double mean = 0;
    for (k = 0; k < reads; k++) mean += (smallest ? 0 - found.best_logp[k] : found.best_logp[k]) / reads;
    *cut = smallest ? 0 - found.best_logp[0] : found.best_logp[0]; /* 0 rather than -0 */
    printf("%lu and %lu sites; %s cut %.15g, of %lu of %lu reads, %lu different; mean of reads %.8g\n",
           (unsigned long)(t->n / 2), (unsigned long)(t->n - t->n / 2), smallest ? "smallest" : "largest", *cut,
           (unsigned long)hits, (unsigned long)reads, (unsigned long)different, mean);
    if (out) status = write_halves(&found, m.n, out, why);
    if (status == LBP_OK && out) status = draw(t, found.best, out, why);
  }
  lbp_run_free(&found);
  lbp_qubo_free(&m);
  return status;
}

int main(int argc, char **argv) {
  const int smallest = argc < 3 || strcmp(argv[2], "max") != 0;
  const char *out = argc > 3 && strcmp(argv[3], "-") != 0 ? argv[3] : NULL;
  const double seconds = argc > 4 ? input_real(argv[4]) : argc > 1 ? 10 : 0;
  long reads = argc > 5 ? input_whole(argv[5]) : 0;
  char why[INPUT_WHY] = "";
  lbp_qubo_terms t;
  double cut = 0;
  int is_cut, status;
  if (argc > 6 || usage_is_asked(argc, argv, 3) || (argc > 2 && smallest && strcmp(argv[2], "min") != 0) ||
      !(seconds > 0 || argc == 1) || reads < 0 || reads > 1000000) {
    fprintf(stderr, "usage: %s [FILE [min|max [OUT [SECONDS [READS]]]]]\n", argv[0]);
    return 2;
  }
  if (reads == 0) {
    reads = 16;
#if defined _OPENMP
    reads *= omp_get_max_threads();
#endif
  }
  status = argc > 1 ? cut_read(&t, argv[1], LBP_QUBO_MAX_CUT, &is_cut, why) : cut_torus(&t);
  if (status == LBP_OK && smallest) cut_negate(&t);
  if (status == LBP_OK) status = answer(&t, smallest, seconds, (uint32_t)reads, out, &cut, why);
  if (status != LBP_OK) fprintf(stderr, "bisection: %s\n", *why ? why : lbp_error(status));
  lbp_qubo_terms_free(&t);
  return status != LBP_OK || (argc == 1 && cut > 2 * CUT_SIDE); /* two lines around the torus */
}
