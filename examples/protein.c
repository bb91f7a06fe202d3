/* Which positions of a protein or an RNA touch? Trains a Potts model on a family of aligned sequences (direct coupling
 * analysis): its strongest couplings predict contacts, and it draws new sequences.
 *
 *   cc -O3 -march=native -fopenmp -I.. protein.c -lm && ./a.out
 *         makes sequences with known contacts: it exits with 1 if it finds others
 *   ./a.out ALIGNMENT [OUT [WEIGHTS [STEPS [keep]]]]
 *         ALIGNMENT  FASTA, or numbers (lbp/models/alignment.h), also compressed by gzip; -: standard input
 *         OUT        OUT.txt gets the parameters, OUT.fasta new sequences; -: no files
 *         WEIGHTS    a file with a number for each sequence; -: 1 / the number of sequences that are 80 % alike
 *         STEPS      of training with chains; -: 100
 *         keep       lower-case letters are letters and points are gaps, as in plmc's files; otherwise both are
 *                    inserts, which are left out
 *
 * OUT.txt: "potts-dense L q step", L lines of fields h_i(v), and for each pair i < j a line of q^2 whole numbers, the
 * value of i slow: couplings in units of step, in zero-sum gauge. log pi = sum J_ij(x_i, x_j) + sum h_i(x_i).
 *
 * The measure of training is Pearson's correlation of f_ij(v, w) - f_i(v) f_j(w), over all pairs of positions and
 * letters, between the data and sequences that chains draw after training, starting at random ones.
 *
 * Files of numbers have 21 letters, 5, or as many as LETTERS, -DLETTERS=4 to compile for others.
 */
#define _POSIX_C_SOURCE 200809L
#include <time.h>
#include <unistd.h>

#include "inputs.h" /* brings lbp_models.h */
#include "usage.h"
#include "lbp/models/alignment.h"
#include "lbp/models/potts.h"

#ifndef LETTERS
#define LETTERS 4
#endif

#define LBP_NAME       protein
#define LBP_CAT_STATES 21
#include "dense_potts.h"

#define LBP_NAME       rna
#define LBP_CAT_STATES 5
#include "dense_potts.h"

#define LBP_NAME       numbers
#define LBP_CAT_STATES LETTERS
#include "dense_potts.h"

#include "lbp/models/potts_train.h"

enum { DRAWN = 20000, CHAINS = 200, WARMUP = 500, APART = 5, NEW = 1000, PAIRS = 20, NEARBY = 4 };

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int read_alignment(lbp_alignment *a, const char *path, int keep, char *why) {
  const int standard = strcmp(path, "-") == 0;
  lbp_alignment_fault fault;
  int piped = 0, status;
  FILE *file = standard ? stdin : input_open_packed(path, &piped, why);
  memset(a, 0, sizeof *a);
  if (!file) return LBP_E_FILE;
  status = lbp_alignment_read(a, file, LBP_LETTERS_GUESS, keep, &fault);
  if (status != LBP_OK) {
    snprintf(why, INPUT_WHY, "%.200s, line %lu: %s", standard ? "standard input" : path, (unsigned long)fault.line,
             fault.what);
  }
  if (!standard) status = input_close_packed(file, piped, path, status, why);
  if (status != LBP_OK) lbp_alignment_free(a);
  return status;
}

static int weigh(lbp_alignment *a, const char *path, char *why) {
  uint32_t k;
  int status;
  if (!path) {
    status = lbp_alignment_weigh(a->sequences, a->positions, a->x, 0.8, a->weight);
  } else {
    status = input_numbers(path, a->sequences, a->weight, why);
    for (k = 0; k < a->sequences && status == LBP_OK; k++) {
      if (a->weight[k] > 0) continue;
      snprintf(why, INPUT_WHY, "%.200s: weight %lu is not positive", path, (unsigned long)k + 1);
      status = LBP_E_RANGE;
    }
  }
  return status;
}

/* ---- training ---------------------------------------------------------------------------------------------------- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
  double began, shown, chains_began;
  uint32_t before; /* steps before those with chains */
  int is_terminal;
} watch;

/* A line every tenth of the way; on a terminal, one with the time left. */
static void report(void *user, const lbp_potts_progress *p) {
  watch *w = (watch *)user;
  const double time = now();
  if (!p->chains) {
    w->before = p->done;
    w->chains_began = time;
  } else if ((uint64_t)p->done * 10 / p->total != (uint64_t)(p->done - 1) * 10 / p->total) {
    if (w->is_terminal) fprintf(stderr, "\r%60s\r", "");
    printf("%8.1f s%8lu steps%12.4f\n", time - w->began, (unsigned long)p->done, p->pearson);
    fflush(stdout);
  }
  if (!w->is_terminal || time < w->shown + 0.2) return;
  w->shown = time;
  fprintf(stderr, "\r%lu of %lu steps", (unsigned long)p->done, (unsigned long)p->total);
  if (p->chains) {
    fprintf(stderr, ", %.0f s left  ", (time - w->chains_began) / (p->done - w->before) * (p->total - p->done));
  }
  if (p->done == p->total) fprintf(stderr, "\r%60s\r", "");
  fflush(stderr);
}

static int kernel_of(uint32_t letters, lbp_kernel *kernel, char *why) {
  if (letters == 21) *kernel = protein_kernel();
  else if (letters == 5) *kernel = rna_kernel();
  else *kernel = numbers_kernel();
  if (kernel->values == letters) return LBP_OK;
  snprintf(why, INPUT_WHY, "there are %lu letters: compile with -DLETTERS=%lu", (unsigned long)letters,
           (unsigned long)letters);
  return LBP_E_RANGE;
}

/* Draws sequences, to x [DRAWN][positions], and compares their frequencies with the data's. */
static int judge(const lbp_alignment *a, const lbp_potts_dense *m, const lbp_kernel *kernel, uint8_t *x,
                 double *pearson, double *slope) {
  const size_t sites = (size_t)m->n * m->states, pairs = lbp_potts_dense_couplings(m->n, m->states);
  lbp_real *f = lbp_models_new_reals(2 * (sites + pairs));
  int status = f ? LBP_OK : LBP_E_MEMORY;
  if (status == LBP_OK) {
    status = lbp_potts_draw(m, kernel, LBP_SAMPLER_GIBBS, CHAINS, WARMUP, APART, DRAWN, 2, x);
  }
  if (status == LBP_OK) {
    status = lbp_alignment_frequencies(a->sequences, m->n, m->states, a->x, a->weight, f, f + sites);
  }
  if (status == LBP_OK) {
    status = lbp_alignment_frequencies(DRAWN, m->n, m->states, x, NULL, f + sites + pairs, f + 2 * sites + pairs);
  }
  if (status == LBP_OK) {
    *pearson = lbp_alignment_pearson(m->n, m->states, f, f + sites, f + sites + pairs, f + 2 * sites + pairs, slope);
  }
  free(f);
  return status;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

typedef struct {
  double score;
  uint32_t i, j;
} contact;

static int falling(const void *a, const void *b) {
  const contact *p = (const contact *)a, *q = (const contact *)b;
  if (p->score < q->score || p->score > q->score) return p->score < q->score ? 1 : -1;
  return p->i != q->i ? (p->i > q->i) - (p->i < q->i) : (p->j > q->j) - (p->j < q->j);
}

/* All pairs at least `apart` positions away from each other, strongest first; *count of them, to be freed; NULL: no
 * memory. */
static contact *find_contacts(const lbp_potts_dense *m, uint32_t apart, size_t *count) {
  const size_t n = m->n;
  double *score = (double *)calloc(n, n * sizeof *score);
  contact *list = (contact *)calloc(n * n, sizeof *list);
  uint32_t i, j;
  int status = score && list ? lbp_potts_dense_contacts(m, 0, score) : LBP_E_MEMORY;
  *count = 0;
  for (i = 0; i < m->n && status == LBP_OK; i++) {
    for (j = i + apart; j < m->n; j++) {
      list[*count].score = score[i * n + j];
      list[*count].i = i;
      list[(*count)++].j = j;
    }
  }
  if (list) qsort(list, *count, sizeof *list, falling);
  free(score);
  return list;
}

static int write_parameters(const lbp_potts_dense *m, const char *out, char *why) {
  const double step = 0.001;
  char path[1100];
  FILE *file;
  uint32_t i, j, v, w;
  int failed;
  snprintf(path, sizeof path, "%.1000s.txt", out);
  file = fopen(path, "w");
  if (file) {
    fprintf(file, "potts-dense %lu %lu %g\n", (unsigned long)m->n, (unsigned long)m->states, step);
    for (i = 0; i < m->n; i++) {
      for (v = 0; v < m->states; v++) fprintf(file, "%s%.6g", v ? " " : "", (double)m->h[(size_t)i * m->states + v]);
      fprintf(file, "\n");
    }
    for (i = 0; i < m->n; i++) {
      for (j = i + 1; j < m->n; j++) {
        for (v = 0; v < m->states; v++) {
          for (w = 0; w < m->states; w++) {
            fprintf(file, "%s%ld", v + w ? " " : "", lround((double)lbp_potts_dense_coupling(m, i, v, j, w) / step));
          }
        }
        fprintf(file, "\n");
      }
    }
  }
  failed = !file || ferror(file);
  if (file && fclose(file) != 0) failed = 1;
  if (failed) snprintf(why, INPUT_WHY, "%.200s: cannot be written", path);
  return failed ? LBP_E_FILE : LBP_OK;
}

/* Sequences that are far apart in their chains' order: the last NEW of those drawn. */
static int write_sequences(const lbp_alignment *a, const uint8_t *x, const char *out, char *why) {
  char path[1100];
  FILE *file;
  uint32_t k, i;
  int failed;
  snprintf(path, sizeof path, "%.1000s.fasta", out);
  file = fopen(path, "w");
  for (k = 0; k < NEW && file; k++) {
    const uint8_t *row = x + (size_t)(DRAWN - NEW + k) * a->positions;
    if (*a->alphabet) fprintf(file, ">drawn_%lu\n", (unsigned long)k + 1);
    else if (k == 0) fprintf(file, "%d %lu %lu\n", NEW, (unsigned long)a->positions, (unsigned long)a->letters);
    for (i = 0; i < a->positions; i++) {
      if (*a->alphabet) fputc(a->alphabet[row[i]], file);
      else fprintf(file, "%s%d", i ? " " : "", row[i]);
    }
    fputc('\n', file);
  }
  failed = !file || ferror(file);
  if (file && fclose(file) != 0) failed = 1;
  if (failed) snprintf(why, INPUT_WHY, "%.200s: cannot be written", path);
  return failed ? LBP_E_FILE : LBP_OK;
}

/* Trains, judges, writes, prints. *m is to be freed; *pearson is the correlation that judges it. */
static int answer(const lbp_alignment *a, const char *out, uint32_t steps, lbp_potts_dense *m, double *pearson,
                  char *why) {
  lbp_potts_training how = lbp_potts_training_defaults(1);
  lbp_kernel kernel;
  contact *list = NULL;
  uint8_t *x = NULL;
  double effective = 0, slope, trained;
  size_t count, k;
  watch w;
  int status;
  memset(m, 0, sizeof *m);
  memset(&w, 0, sizeof w);
  for (k = 0; k < a->sequences; k++) effective += a->weight[k];
  printf("%lu sequences (%.0f by weight) of %lu positions, %lu letters\n", (unsigned long)a->sequences, effective,
         (unsigned long)a->positions, (unsigned long)a->letters);
  if (a->unknown > 0) printf("%lu letters stand for doubt: read as gaps\n", (unsigned long)a->unknown);
  if (a->inserts > 0) printf("%lu letters of inserts: left out\n", (unsigned long)a->inserts);
  how.iterations = steps;
  w.is_terminal = isatty(2);
  w.began = w.chains_began = now();
  status = kernel_of(a->letters, &kernel, why);
  if (status != LBP_OK) return status;
  printf("%10s%14s%12s\n", "time", "", "correlation");
  status = lbp_potts_train(m, a->sequences, a->positions, a->letters, a->x, a->weight, &kernel, &how, report, &w);
  trained = now() - w.began;
  if (status == LBP_OK) status = lbp_potts_dense_zero_sum(m);
  if (status == LBP_OK) {
    x = (uint8_t *)calloc(DRAWN, a->positions);
    status = x ? judge(a, m, &kernel, x, pearson, &slope) : LBP_E_MEMORY;
  }
  if (status == LBP_OK) {
    printf("trained in %.1f s; of %d new sequences, drawn in %.1f s: Pearson %.4f, slope %.3f\n", trained, DRAWN,
           now() - w.began - trained, *pearson, slope);
    if (out) status = write_parameters(m, out, why);
    if (status == LBP_OK && out) status = write_sequences(a, x, out, why);
  }
  if (status == LBP_OK) {
    list = find_contacts(m, NEARBY + 1, &count);
    if (!list) status = LBP_E_MEMORY;
  }
  if (status == LBP_OK) {
    printf("strongest couplings of positions more than %d apart, from 1:\n", NEARBY);
    for (k = 0; k < count && k < PAIRS; k++) {
      printf("%5lu %4lu %8.4f%s", (unsigned long)list[k].i + 1, (unsigned long)list[k].j + 1, list[k].score,
             k % 4 == 3 || k + 1 == count || k + 1 == PAIRS ? "\n" : "   ");
    }
  }
  free(list);
  free(x);
  return status;
}

/* ---- sequences with known contacts ------------------------------------------------------------------------------- */

enum { LENGTH = 20, KNOWN = 5, ROWS = 3000 };

static const uint32_t known[KNOWN][2] = {{0, 19}, {2, 17}, {3, 10}, {5, 12}, {8, 15}};

/* Letters that go with each other in five pairs of positions, and with their neighbours in the chain a little. */
static int make_alignment(lbp_alignment *a) {
  const lbp_kernel kernel = rna_kernel();
  lbp_real *h = lbp_models_new_reals(LENGTH * 5), *J = lbp_models_new_reals(lbp_potts_dense_couplings(LENGTH, 5));
  lbp_potts_dense m;
  lbp_rng rng = lbp_models_instance_rng(1);
  uint32_t k, v;
  int status = h && J ? LBP_OK : LBP_E_MEMORY;
  memset(a, 0, sizeof *a);
  memset(&m, 0, sizeof m);
  a->sequences = ROWS, a->positions = LENGTH, a->letters = 5;
  memcpy(a->alphabet, "-ACGU", 6);
  a->x = (uint8_t *)calloc(ROWS, LENGTH);
  a->weight = (double *)calloc(ROWS, sizeof *a->weight);
  if (!a->x || !a->weight) status = LBP_E_MEMORY;
  for (k = 0; k < LENGTH * 5 && status == LBP_OK; k++) h[k] = (lbp_real)(k % 5 == 0 ? -2 : lbp_models_normal(&rng) / 2);
  for (k = 0; k + 1 < LENGTH && status == LBP_OK; k++) {
    for (v = 0; v < 5; v++) J[lbp_potts_dense_pair(LENGTH, 5, k, k + 1) + (size_t)v * 6] = (lbp_real)0.5;
  }
  for (k = 0; k < KNOWN && status == LBP_OK; k++) { /* A with U, C with G */
    lbp_real *pair = J + lbp_potts_dense_pair(LENGTH, 5, known[k][0], known[k][1]);
    for (v = 1; v < 5; v++) pair[v * 5 + 5 - v] = (lbp_real)1.2;
  }
  if (status == LBP_OK) status = lbp_potts_dense_init(&m, LENGTH, 5, h, J);
  if (status == LBP_OK) status = lbp_potts_draw(&m, &kernel, LBP_SAMPLER_GIBBS, 100, 200, 10, ROWS, 1, a->x);
  for (k = 0; k < ROWS && status == LBP_OK; k++) a->weight[k] = 1;
  lbp_potts_dense_free(&m);
  free(h);
  free(J);
  return status;
}

/* How many of the known contacts are not among as many strongest ones. */
static int missed(const lbp_potts_dense *m) {
  size_t count = 0, k;
  contact *list = find_contacts(m, NEARBY + 1, &count);
  int found = 0;
  uint32_t c;
  for (k = 0; k < KNOWN && list && k < count; k++) {
    for (c = 0; c < KNOWN; c++) found += list[k].i == known[c][0] && list[k].j == known[c][1];
  }
  free(list);
  return KNOWN - found;
}

int main(int argc, char **argv) {
  const char *out = argc > 2 && strcmp(argv[2], "-") != 0 ? argv[2] : NULL;
  const char *weights = argc > 3 && strcmp(argv[3], "-") != 0 ? argv[3] : NULL;
  const long steps = argc > 4 && strcmp(argv[4], "-") != 0 ? input_whole(argv[4]) : argc > 1 ? 100 : 40;
  const int keep = argc > 5 && strcmp(argv[5], "keep") == 0;
  char why[INPUT_WHY] = "";
  lbp_alignment a;
  lbp_potts_dense m;
  double pearson = 0;
  int status, wrong = 0;
  if (argc > 5 + keep || usage_is_asked(argc, argv, 3) || steps < 1 || steps > 1000000) {
    fprintf(stderr, "usage: %s [ALIGNMENT [OUT [WEIGHTS [STEPS [keep]]]]]\n", argv[0]);
    return 2;
  }
  memset(&m, 0, sizeof m);
  status = argc > 1 ? read_alignment(&a, argv[1], keep, why) : make_alignment(&a);
  if (status == LBP_OK && argc > 1) status = weigh(&a, weights, why);
  if (status == LBP_OK) status = answer(&a, out, (uint32_t)steps, &m, &pearson, why);
  if (status == LBP_OK && argc == 1) {
    wrong = missed(&m) + (pearson < 0.9);
    printf("%d of %d contacts known are among the %d strongest couplings\n", KNOWN - missed(&m), KNOWN, KNOWN);
  }
  if (status != LBP_OK) fprintf(stderr, "protein: %s\n", *why ? why : lbp_error(status));
  lbp_potts_dense_free(&m);
  lbp_alignment_free(&a);
  return status != LBP_OK || wrong > 0;
}
