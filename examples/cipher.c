/* Breaks a substitution cipher, 26! keys, by lbp_perm.h: annealing finds the key, and tempered runs tell which of its
 * letters are certain. Prints the text and the key.
 *
 *   cc -O3 -march=native -I.. cipher.c -lm && ./a.out ../docs/trust.md ../docs/recipes.md ../docs/runs.md ../README.md
 *
 * The program enciphers the first LETTERS letters of the first file by a random key. From the other files it counts
 * how often letters follow each other in the language. Spaces stay spaces. A key s maps cipher letter a to s[a]; its
 * likelihood is the product of P(s[b] | s[a]) over all letters b that follow a:
 *
 *   log pi(s) = sum over a, b of count[a][b] log P[s[a]][s[b]]
 *
 * after P. Diaconis, "The Markov chain Monte Carlo revolution", Bull. AMS 46, 2009. The program exits with 1 unless it
 * recovers 19 of 20 letters of the text, and at most one of the letters that it is certain of is wrong.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "lbp_run.h" /* without parameters: the support section only */

enum { KINDS = 26, SPACE = KINDS, ALL = KINDS + 1, LETTERS = 2000 };

typedef struct {
  double count[ALL][ALL];   /* of cipher letters: how often b follows a */
  double log_p[ALL][ALL];   /* of the language: log P(b | a) */
} cipher;

static uint32_t image(const uint32_t *s, uint32_t a) { return a == SPACE ? SPACE : s[a]; }

static double cipher_logp(const cipher *m, const uint32_t *s) {
  double sum = 0;
  for (uint32_t a = 0; a < ALL; a++) {
    for (uint32_t b = 0; b < ALL; b++) sum += m->count[a][b] * m->log_p[image(s, a)][image(s, b)];
  }
  return sum;
}

/* The terms of log pi with letters a and b, and with letters next to them, when a is u and b is v. */
static double part(const cipher *m, const uint32_t *s, uint32_t a, uint32_t b, uint32_t u, uint32_t v) {
  double sum = m->count[a][a] * m->log_p[u][u] + m->count[b][b] * m->log_p[v][v] + m->count[a][b] * m->log_p[u][v] +
               m->count[b][a] * m->log_p[v][u];
  for (uint32_t k = 0; k < ALL; k++) {
    const uint32_t w = image(s, k);
    if (k == a || k == b) continue;
    sum += m->count[a][k] * m->log_p[u][w] + m->count[k][a] * m->log_p[w][u] + m->count[b][k] * m->log_p[v][w] +
           m->count[k][b] * m->log_p[w][v];
  }
  return sum;
}

static double cipher_exchange(const cipher *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return part(m, s, a, b, s[b], s[a]) - part(m, s, a, b, s[a], s[b]);
}

#define LBP_NAME     key
#define LBP_MODEL_T  cipher
#define LBP_EXCHANGE cipher_exchange
#define LBP_LOGP     cipher_logp
#include "lbp_run.h"

/* The next letter of a file; all else is a space, of which there is one between words. -1: its end. */
static int next_letter(FILE *file, int last) {
  int c;
  while ((c = getc(file)) != EOF) {
    if (c < 128 && isalpha(c)) return tolower(c) - 'a';
    if (last != SPACE) return SPACE;
  }
  return -1;
}

/* Opens a text, if it is a regular file: no pipe is waited for. */
static FILE *open_text(const char *path) {
  struct stat info;
  FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "r") : NULL;
  if (!file) printf("%s: cannot be opened, or is no regular file\n", path);
  return file;
}

/* Counts the letters that follow each other in a file. */
static int count_pairs(const char *path, double (*seen)[ALL]) {
  FILE *file = open_text(path);
  int last = SPACE, c;
  if (!file) return 0;
  while ((c = next_letter(file, last)) >= 0) {
    seen[last][c]++;
    last = c;
  }
  fclose(file);
  return 1;
}

/* log P from these, with half a time more for each pair. */
static void learn(cipher *m, double (*seen)[ALL]) {
  for (uint32_t a = 0; a < ALL; a++) {
    double sum = 0;
    for (uint32_t b = 0; b < ALL; b++) sum += seen[a][b] + 0.5;
    for (uint32_t b = 0; b < ALL; b++) m->log_p[a][b] = log((seen[a][b] + 0.5) / sum);
  }
}

static cipher model;
static int text[LETTERS];    /* as it was */
static uint32_t letters;     /* so many */
static uint32_t truth[ALL], secret[ALL]; /* cipher letter a means truth[a]; v was enciphered as secret[v] */

/* Reads the text, enciphers it by a random key, and counts its pairs of letters for the model. Returns whether it has
 * letters. */
static int encipher(const char *path) {
  FILE *file = open_text(path);
  int last = SPACE, c;
  lbp_rng rng;
  if (!file) return 0;
  while (letters < LETTERS && (c = next_letter(file, last)) >= 0) text[letters++] = last = c;
  fclose(file);
  if (letters == 0) return printf("%s: no letters: give English text\n", path), 0;
  lbp_rng_init(&rng, 2026, 1000);
  for (uint32_t a = 0; a < ALL; a++) truth[a] = a;
  lbp_shuffle(truth, KINDS, &rng);
  for (uint32_t a = 0; a < ALL; a++) secret[truth[a]] = a;
  last = SPACE;
  for (uint32_t k = 0; k < letters; k++) {
    model.count[last][secret[text[k]]]++;
    last = (int)secret[text[k]];
  }
  return 1;
}

/* The first letters of the text, enciphered, and read by a key if there is one. */
static void show(const uint32_t *key) {
  for (uint32_t k = 0; k < 70 && k < letters; k++) {
    const uint32_t a = secret[text[k]];
    putchar(a == SPACE ? ' ' : 'a' + (int)(key ? key[a] : a));
  }
  putchar('\n');
}

/* The most probable key. Returns the share of letters that it reads right. */
static double find_key(void) {
  const uint32_t *best;
  uint32_t right = 0;
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.name = "cipher";
  run.chains = 16;
  run.annealing.sweeps = 500;
  if (key_anneal(&run, &model, KINDS, &result) != LBP_OK) return printf("%s\n", result.message), 0;
  best = (const uint32_t *)(const void *)result.best;
  show(NULL);
  show(best);
  for (uint32_t k = 0; k < letters; k++) right += text[k] == (int)image(best, secret[text[k]]);
  printf("%u reads of %u found this key, log pi %.1f (of the true one %.1f); %.1f %% of all letters are right\n",
         (unsigned)result.hits[0], (unsigned)run.chains, result.best_logp[0], cipher_logp(&model, truth),
         100.0 * right / letters);
  lbp_run_free(&result);
  return (double)right / letters;
}

/* How certain the key's letters are. Returns whether there are some, and all but one at most are right. */
static int judge_key(void) {
  uint32_t sure = 0, right = 0;
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.name = "cipher";
  run.tempering.rungs = 12;
  run.warmup = 2000;
  run.draws = 1000;
  run.thin = 5;
  run.marginals = LBP_MARGINALS_COUNTED;
  if (key_run(&run, &model, KINDS, &result) != LBP_OK) return printf("%s\n", result.message), 0;
  printf("uncertain:");
  for (uint32_t a = 0; a < KINDS; a++) {
    const double *share = result.marginal + (size_t)a * KINDS;
    uint32_t likely = 0;
    for (uint32_t v = 1; v < KINDS; v++) likely = share[v] > share[likely] ? v : likely;
    if (share[likely] > 0.99) sure++, right += truth[a] == likely;
    else printf(" %c (%.2f)", 'a' + (int)likely, share[likely]);
  }
  printf("; the other %u are certain, and %u of them right\n", (unsigned)sure, (unsigned)right);
  lbp_run_free(&result);
  return sure >= 15 && right + 1 >= sure;
}

int main(int argc, char **argv) {
  static double seen[ALL][ALL];
  if (argc < 3) return printf("usage: %s TEXT OTHER_TEXT...: files of English; the first is enciphered\n", argv[0]), 1;
  for (int k = 2; k < argc; k++) {
    if (!count_pairs(argv[k], seen)) return 1;
  }
  learn(&model, seen);
  if (!encipher(argv[1])) return 1;
  return !(find_key() >= 0.95 && judge_key());
}
