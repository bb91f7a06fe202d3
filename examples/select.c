/* Which columns of a table explain one of them? Bayesian variable selection, by lbp/models/selection.h and a
 * rejection-free chain.
 *
 *   cc -O3 -march=native -fopenmp -I.. select.c -lm && ./a.out
 *         analyses the US crime data (crime.h), and compares the answer with the sum over all 32768 models: it exits
 *         with 1 if an estimate is more than five standard errors off; then the same for models of 5 columns
 *   ./a.out DATA.csv [PICTURE.svg [COLUMN [K]]]
 *         DATA.csv: a line of names, then lines of numbers (csv.h); -: the crime data; PICTURE.svg: -: none; COLUMN:
 *         the name of the column to explain; -: the last one; K: only models of exactly K columns
 *
 * The prior: sizes 0 ... n are equally likely, and so are all models of a size; coefficients have a g-prior that is
 * worth one row of data. An inclusion probability is the mean of P(x_i = 1 | all other x) over the draws. With exactly
 * K columns the others determine x_i, so it is the share of draws with x_i = 1, and swaps by weights exchange columns.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>

#include "csv.h" /* brings lbp_models.h */
#include "usage.h"

#define LBP_NAME         select
#define LBP_MODEL_T      lbp_selection
#define LBP_FIELDS_T     lbp_selection_fields
#define LBP_FIELDS_INIT  lbp_selection_fields_set
#define LBP_FIELDS_MAKE  lbp_selection_fields_init
#define LBP_FIELDS_FREE  lbp_selection_fields_free
#define LBP_FLIP         lbp_selection_flip
#define LBP_DELTAS       lbp_selection_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP         lbp_selection_logp
#define LBP_CLOCK        LBP_BIRTH_DEATH
#include "lbp_run.h"

#define LBP_NAME         exchange /* the same, where all columns are a group, which keeps its number of ones */
#define LBP_MODEL_T      lbp_selection
#define LBP_FIELDS_T     lbp_selection_fields
#define LBP_FIELDS_INIT  lbp_selection_fields_set
#define LBP_FIELDS_MAKE  lbp_selection_fields_init
#define LBP_FIELDS_FREE  lbp_selection_fields_free
#define LBP_FLIP         lbp_selection_flip
#define LBP_DELTAS       lbp_selection_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP         lbp_selection_logp
#define LBP_GROUP(m, i)  0u
#define LBP_GROUPS       1
#include "lbp_run.h"

#include "crime.h"

enum { SAMPLER = LBP_SAMPLER_CLOCK }; /* or LBP_SAMPLER_GIBBS, LBP_SAMPLER_LBP */
enum { CHAINS = 16, WARMUP = 500, DRAWS = 2000, MODELS = 8, BARS = 40, FEW = 5 };

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* The crime data as a table, the rate last. */
static int crime_table(csv_table *t) {
  static char rate[] = "Crime";
  int s, j;
  memset(t, 0, sizeof *t);
  t->rows = STATES;
  t->columns = FACTORS + 1;
  t->name = (char **)calloc(t->columns, sizeof *t->name);
  t->value = (double *)calloc((size_t)t->rows * t->columns, sizeof *t->value);
  if (!t->name || !t->value) return LBP_E_MEMORY;
  for (j = 0; j <= FACTORS; j++) t->name[j] = j == RATE ? rate : (char *)(uintptr_t)code[j];
  for (s = 0; s < STATES; s++) {
    for (j = 0; j <= FACTORS; j++) t->value[s * (FACTORS + 1) + j] = crime_value(s, j);
  }
  return LBP_OK;
}

/* Takes column `target` out of the table, as y: m is of the others, whose names are left. */
static int make_model(lbp_selection *m, csv_table *t, uint32_t target, char *why) {
  const uint32_t rows = t->rows, n = t->columns - 1;
  double *y = (double *)calloc((size_t)rows + 1, sizeof *y), *to = t->value;
  const char *const name = t->name[target];
  uint32_t s, i, constant;
  int status = y ? LBP_OK : LBP_E_MEMORY;
  for (s = 0; s < rows && y; s++) {
    const double *row = t->value + (size_t)s * (n + 1);
    y[s] = row[target];
    for (i = 0; i <= n; i++) {
      if (i != target) *to++ = row[i];
    }
  }
  if (status == LBP_OK) status = lbp_selection_init(m, rows, n, t->value, y, NULL);
  constant = status == LBP_E_RANGE ? lbp_selection_constant(rows, n, t->value, y) : n + 1;
  for (i = target; i < n; i++) t->name[i] = t->name[i + 1];
  t->columns = n;
  if (status == LBP_E_SIZE) snprintf(why, INPUT_WHY, "%lu rows, and %lu columns without %.60s: a model takes 3 rows or "
                                     "more, and 1 to 46340 columns", (unsigned long)rows, (unsigned long)n, name);
  else if (constant < n) snprintf(why, INPUT_WHY, "column %.60s is constant: leave it out", t->name[constant]);
  else if (constant == n) snprintf(why, INPUT_WHY, "column %.60s is constant: there is nothing to explain", name);
  else if (status == LBP_E_RANGE) snprintf(why, INPUT_WHY, "a column has numbers beyond 1e12: divide it");
  else snprintf(why, INPUT_WHY, "%s", lbp_error(status));
  free(y);
  return status;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static const double *sorted_by;

static int falling(const void *a, const void *b) {
  const double p = sorted_by[*(const uint32_t *)a], q = sorted_by[*(const uint32_t *)b];
  return (p < q) - (p > q);
}

static uint32_t size_of(const uint8_t *x, uint32_t n) {
  uint32_t i, size = 0;
  for (i = 0; i < n; i++) size += x[i];
  return size;
}

/* Inclusion probabilities by the sum over all models, or all of so many columns, in the order of Gray's code: one flip
 * from each to the next. */
static int enumerate(const lbp_selection *m, uint32_t wanted, double *exact) {
  lbp_selection_fields f;
  uint8_t x[FACTORS] = {0};
  double sum = 0;
  uint32_t model, i;
  int status = lbp_selection_fields_init(m, &f);
  if (status != LBP_OK) return status;
  memset(exact, 0, FACTORS * sizeof *exact);
  lbp_selection_fields_set(m, &f, x);
  for (model = 0; model < 1u << FACTORS; model++) {
    const double p = wanted == 0 || size_of(x, FACTORS) == wanted ? exp(lbp_selection_logp(m, &f, x)) : 0;
    sum += p;
    for (i = 0; i < FACTORS; i++) exact[i] += x[i] * p;
    for (i = 0; i + 1 < FACTORS && !((model + 1) >> i & 1); i++) continue;
    x[i] ^= 1;
    lbp_selection_flip(m, &f, x, i);
  }
  for (i = 0; i < FACTORS; i++) exact[i] /= sum;
  lbp_selection_fields_free(&f);
  return LBP_OK;
}

/* Inclusion probabilities, likeliest first. Returns how many are off, if exact ones are known. */
static int print_columns(const csv_table *t, const lbp_run_result *result, const uint32_t *order, const double *exact) {
  uint32_t k;
  int off = 0;
  printf("%-24s%20s%s\n", "column", "P(in the model)", exact ? "     exact" : "");
  for (k = 0; k < t->columns && k < BARS; k++) {
    const uint32_t i = order[k];
    printf("%-24.24s%10.4f +- %.4f", t->name[i], result->marginal[i], result->marginal_se[i]);
    if (exact) {
      const int far = !(fabs(result->marginal[i] - exact[i]) <= 5 * result->marginal_se[i] + 1e-9);
      printf("%10.4f%s", exact[i], far ? "  OFF" : "");
      off += far;
    }
    printf("\n");
  }
  if (k < t->columns) printf("... and %lu less likely ones\n", (unsigned long)(t->columns - k));
  return off;
}

/* The best models, best first. */
typedef struct {
  uint32_t n, wanted, count; /* wanted: how many columns; 0: any number */
  double logp[MODELS + 1];
  uint8_t *x; /* [MODELS + 1][n] */
} best_list;

static void offer(best_list *best, const uint8_t *x, double logp) {
  const size_t n = best->n;
  uint32_t k = best->count, j;
  if (!lbp_is_finite(logp)) return; /* more columns than a model takes */
  if (k == MODELS && !(logp > best->logp[k - 1])) return;
  if (best->wanted > 0 && size_of(x, best->n) != best->wanted) return;
  for (j = 0; j < best->count; j++) {
    if (memcmp(best->x + j * n, x, n) == 0) return;
  }
  for (; k > 0 && logp > best->logp[k - 1]; k--) {
    best->logp[k] = best->logp[k - 1];
    memcpy(best->x + k * n, best->x + (k - 1) * n, n);
  }
  best->logp[k] = logp;
  memcpy(best->x + k * n, x, n);
  if (best->count < MODELS) best->count++;
}

/* x with each of its columns out or another one in, as `ratio` has room for the log-ratios. */
static void offer_flips(best_list *best, const lbp_selection *m, lbp_selection_fields *f, uint8_t *x, double *ratio) {
  const double logp = lbp_selection_logp(m, f, x);
  uint32_t i;
  lbp_selection_deltas(m, f, x, ratio);
  for (i = 0; i < m->n; i++) {
    x[i] ^= 1;
    offer(best, x, logp + ratio[i]);
    x[i] ^= 1;
  }
}

/* Each chain has kept the best model that it has drawn: these, all a flip away, and all with one column exchanged. */
static int find_best(best_list *best, const lbp_selection *m, uint32_t wanted, const lbp_run_result *result) {
  const uint32_t n = m->n;
  double *ratio = (double *)calloc(n, sizeof *ratio);
  uint8_t *x = (uint8_t *)calloc(n, 1);
  lbp_selection_fields f;
  uint32_t k, i;
  int status = lbp_selection_fields_init(m, &f);
  memset(best, 0, sizeof *best);
  best->n = n;
  best->wanted = wanted;
  best->x = (uint8_t *)calloc(MODELS + 1, n);
  if (!ratio || !x || !best->x) status = LBP_E_MEMORY;
  for (k = 0; k < result->chains && status == LBP_OK; k++) {
    memcpy(x, result->best + (size_t)k * n, n);
    if (k > 0 && memcmp(x, result->best + (size_t)(k - 1) * n, n) == 0) continue; /* several chains have found it */
    lbp_selection_fields_set(m, &f, x);
    offer(best, x, lbp_selection_logp(m, &f, x));
    offer_flips(best, m, &f, x, ratio);
    for (i = 0; i < n; i++) {
      if (!x[i]) continue;
      x[i] = 0;
      lbp_selection_flip(m, &f, x, i);
      offer_flips(best, m, &f, x, ratio);
      x[i] = 1;
      lbp_selection_flip(m, &f, x, i);
    }
  }
  lbp_selection_fields_free(&f);
  free(ratio);
  free(x);
  return status;
}

static void print_models(const csv_table *t, const best_list *best) {
  uint32_t k, i;
  printf("\n%-15s%s\n", "probability,", "the best models: those that chains have drawn, and theirs with a column");
  printf("%-15s%s\n", "best model = 1", best->wanted > 0 ? "exchanged" : "more, less, or exchanged");
  for (k = 0; k < best->count; k++) {
    uint32_t size = 0;
    printf("%-15.3g", exp(best->logp[k] - best->logp[0]));
    for (i = 0; i < best->n; i++) {
      if (best->x[(size_t)k * best->n + i] && ++size <= 20) printf("%s%s", size > 1 ? " " : "", t->name[i]);
    }
    printf("%s\n", size == 0 ? "no column" : size > 20 ? " ..." : "");
  }
}

/* Whether chains agree, by log pi: of chains that are stuck, each in a model of its own, there is no R-hat. */
static void print_doubt(const lbp_run_result *result) {
  const lbp_run_row *row = &result->row[0];
  if (!(result->warnings & (LBP_WARN_RHAT | LBP_WARN_EQUAL_CHAINS))) return;
  if (row->rhat_status == LBP_OK) printf("\nR-hat of log pi is %.3f, above %.2f", row->rhat, LBP_MOST_RHAT);
  else printf("\nR-hat of log pi: %s", lbp_error(row->rhat_status));
  printf(": the chains do not agree yet, so trust no number here.\nRaise WARMUP and DRAWS in select.c\n");
}

static void print_escaped(FILE *file, const char *text) {
  for (; *text; text++) {
    if (*text == '<' || *text == '&') fprintf(file, *text == '<' ? "&lt;" : "&amp;");
    else fputc(*text, file);
  }
}

/* A bar for each inclusion probability, with its error. */
static int draw(const char *path, const csv_table *t, const lbp_run_result *result, const uint32_t *order) {
  const uint32_t count = t->columns < BARS ? t->columns : BARS;
  FILE *file = fopen(path, "w");
  uint32_t k;
  int failed;
  if (!file) return 1;
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"%lu\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
          "<text x=\"170\" y=\"20\">probability of being in the model</text>\n", (unsigned long)(40 + 18 * count));
  for (k = 0; k < count; k++) {
    const double p = result->marginal[order[k]], se = result->marginal_se[order[k]], y = 30 + 18.0 * k;
    fprintf(file, "<text x=\"160\" y=\"%.0f\" text-anchor=\"end\">", y + 12);
    print_escaped(file, t->name[order[k]]);
    fprintf(file, "</text><rect x=\"170\" y=\"%.0f\" width=\"%.1f\" height=\"14\" fill=\"#4477aa\"/>"
            "<path d=\"M%.1f %.0fH%.1f\" stroke=\"black\"/><text x=\"%.0f\" y=\"%.0f\">%.3f</text>\n", y, 400 * p,
            170 + 400 * (p - se), y + 7, 170 + 400 * (p + se), 182 + 400 * (p + se), y + 12, p);
  }
  fprintf(file, "</svg>\n");
  failed = ferror(file);
  return fclose(file) != 0 || failed;
}

/* Chains begin with as many columns as are wanted, one after another, elsewhere each. */
static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  const uint32_t wanted = *(const uint32_t *)data, first = chain * n / CHAINS;
  uint32_t k;
  memset(x, 0, n);
  for (k = 0; k < wanted; k++) x[(first + k) % n] = 1;
}

/* Models of any number of columns, or of as many as are wanted. */
static int run_chains(const lbp_selection *m, uint32_t wanted, lbp_run_result *result) {
  lbp_run run;
  lbp_run_init(&run);
  run.sampler = SAMPLER;
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  run.chains = CHAINS;
  run.warmup = WARMUP;
  run.draws = DRAWS;
  if (wanted > 0) { /* one at a time, by weights; four take as long as a sweep of uniform swaps, whose errors are larger
                       unless columns are nearly alike */
    run.sampler = LBP_SAMPLER_SWAP;
    run.parameter = 1;
    run.thin = 4;
    run.start = begin;
    run.start_data = &wanted;
    return exchange_run(&run, m, m->n, result);
  }
  run.start = lbp_selection_start;
  run.start_data = m;
  return select_run(&run, m, m->n, result);
}

/* All of it once there is a table. Returns whether something is wrong. */
static int answer(csv_table *t, const char *target, uint32_t wanted, const char *picture, int known) {
  const uint32_t y = target ? csv_find(t, target) : t->columns - 1;
  uint32_t *order = (uint32_t *)calloc(t->columns, sizeof *order), i;
  lbp_run_result result;
  best_list best;
  lbp_selection m;
  double exact[FACTORS];
  char why[INPUT_WHY] = "";
  int status, off = 0;
  memset(&m, 0, sizeof m);
  memset(&result, 0, sizeof result);
  memset(&best, 0, sizeof best);
  if (!order) status = LBP_E_MEMORY;
  else if (y == t->columns) status = LBP_E_INDEX;
  else status = make_model(&m, t, y, why);
  if (status == LBP_E_INDEX) snprintf(why, sizeof why, "there is no column %.60s", target);
  if (status == LBP_OK && wanted > 0 && (wanted >= m.n || wanted > m.most)) {
    status = LBP_E_RANGE;
    snprintf(why, sizeof why, "K: of %lu columns %lu can be in a model, and one has to stay out: give less than %lu",
             (unsigned long)m.n, (unsigned long)m.most, (unsigned long)(m.most < m.n ? m.most + 1 : m.n));
  }
  if (status == LBP_OK) {
    status = run_chains(&m, wanted, &result);
    snprintf(why, sizeof why, "%.300s", result.message);
  }
  if (status == LBP_OK) status = find_best(&best, &m, wanted, &result);
  if (status == LBP_OK && known) status = enumerate(&m, wanted, exact);
  if (status == LBP_OK) {
    printf("%lu rows; %s %lu of %lu columns; %d chains x %d draws\n", (unsigned long)m.rows, wanted > 0 ? "exactly" :
           "up to", (unsigned long)(wanted > 0 ? wanted : m.most), (unsigned long)m.n, CHAINS, DRAWS);
    for (i = 0; i < m.n; i++) order[i] = i;
    sorted_by = result.marginal;
    qsort(order, m.n, sizeof *order, falling);
    off = print_columns(t, &result, order, known ? exact : NULL);
    print_models(t, &best);
    print_doubt(&result);
    if (picture && draw(picture, t, &result, order) != 0) {
      status = LBP_E_FILE;
      snprintf(why, sizeof why, "%.200s: cannot be written", picture);
    }
  }
  if (status != LBP_OK) fprintf(stderr, "select: %s\n", *why ? why : lbp_error(status));
  lbp_run_free(&result);
  lbp_selection_free(&m);
  free(best.x);
  free(order);
  return status != LBP_OK || off > 0;
}

/* Reads a table, unless it is the crime data, and answers. */
static int select_columns(const char *path, const char *picture, const char *target, uint32_t wanted) {
  char why[INPUT_WHY];
  csv_table table;
  const int status = path ? csv_read(&table, path, why) : crime_table(&table);
  int failed;
  if (status != LBP_OK) fprintf(stderr, "select: %s\n", path ? why : lbp_error(status));
  failed = status != LBP_OK || answer(&table, target, wanted, picture, !path);
  if (status == LBP_OK || !path) csv_free(&table);
  return failed;
}

/* An argument; NULL if it is not given, or -. */
static const char *given(int argc, char **argv, int k) {
  return argc > k && strcmp(argv[k], "-") != 0 ? argv[k] : NULL;
}

int main(int argc, char **argv) {
  const char *path = given(argc, argv, 1), *column = given(argc, argv, 3), *few = given(argc, argv, 4);
  const long wanted = few ? input_whole(few) : 0;
  int failed;
  if (argc > 5 || usage_is_asked(argc, argv, 2) || (few && (wanted < 1 || wanted > 1000000))) {
    fprintf(stderr, "usage: %s [DATA.csv [PICTURE.svg [COLUMN [K]]]]\n", argv[0]);
    return 2;
  }
  if (!path) {
    printf("Which of %d factors go with %s (US, 1960)?\n", FACTORS, column ? column : "the crime rate of a state");
  }
  failed = select_columns(path, given(argc, argv, 2), column, (uint32_t)wanted);
  if (path || few || failed) return failed;
  printf("\nWhich %d?\n", FEW);
  return select_columns(path, NULL, column, FEW);
}
