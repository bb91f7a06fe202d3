/* Record linkage: which records of two files belong to the same person? Samples the posterior distribution of partial
 * matchings (lbp_perm.h) and prints the probability of links and their number.
 *
 *   cc -O3 -march=native -I.. linkage.c -lm && ./a.out
 *
 * The program makes the files: A and B records with six fields each; OVERLAP persons are in both; with probability
 * WRONG a field of a record is drawn at random, right or not. The model is that of Fellegi and Sunter. A pair of
 * records has the weight log P(both values | one person) - log P(both values | two persons), summed over fields, so
 * rare names count for more than frequent ones. A link adds the log of its prior odds. A record has one partner or
 * none:
 *
 *   log pi(matching) = sum of weight[a][b] over its links (a, b)
 *
 * A permutation of A + B rows represents this partial matching: see LBP_PERM_PARTIAL_ROWS. The program exits with 1
 * unless the expected number of links is OVERLAP within its posterior spread, and links with probability above 0.95 are
 * right as often as their probabilities promise.
 */
#include <math.h>
#include <stdio.h>

#include "lbp_run.h" /* without parameters: the support section only */

enum { A = 100, B = 120, ALL = A + B, OVERLAP = 70, PEOPLE = A + B - OVERLAP, FIELDS = 6 };
static const double WRONG = 0.12;
/* first name, family name, day, month and year of birth, place; small values of names and places are frequent */
static const uint32_t values[FIELDS] = {40, 60, 28, 12, 30, 15};
static const int uneven[FIELDS] = {1, 1, 0, 0, 0, 1};

typedef struct {
  double weight[A][B];
} files;

static double link_weight(const files *m, uint32_t a, uint32_t b) { return a < A && b < B ? m->weight[a][b] : 0; }

static double files_exchange(const files *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return link_weight(m, a, s[b]) + link_weight(m, b, s[a]) - link_weight(m, a, s[a]) - link_weight(m, b, s[b]);
}
static double files_logp(const files *m, const uint32_t *s) {
  double sum = 0;
  for (uint32_t a = 0; a < A; a++) sum += link_weight(m, a, s[a]);
  return sum;
}

#define LBP_NAME                    linkage
#define LBP_MODEL_T                 files
#define LBP_EXCHANGE                files_exchange
#define LBP_LOGP                    files_logp
#define LBP_PERM_PARTIAL_ROWS(m)    A /* row a < A is linked with column s[a] if s[a] < B, and else has no partner */
#define LBP_PERM_PARTIAL_COLUMNS(m) B
#include "lbp_run.h"

/* How frequent value v of a field is. */
static double frequency(uint32_t field, uint32_t v) {
  double sum = 0;
  if (!uneven[field]) return 1.0 / values[field];
  for (uint32_t k = 0; k < values[field]; k++) sum += 1.0 / (k + 2);
  return 1.0 / (v + 2) / sum;
}

static uint32_t draw_value(uint32_t field, lbp_rng *rng) {
  double u = lbp_u01(lbp_rng_u64(rng));
  uint32_t v = 0;
  while (v + 1 < values[field] && u >= frequency(field, v)) u -= frequency(field, v++);
  return v;
}

/* A record of a person, with errors. */
static void copy_record(const uint32_t *person, uint32_t *record, lbp_rng *rng) {
  for (uint32_t f = 0; f < FIELDS; f++) {
    record[f] = lbp_u01(lbp_rng_u64(rng)) < WRONG ? draw_value(f, rng) : person[f];
  }
}

/* Two files; record a < OVERLAP of the first is of the person of record truth[a] of the second. */
static void make_files(files *m, uint32_t *truth, lbp_rng *rng) {
  static uint32_t person[PEOPLE][FIELDS], left[A][FIELDS], right[B][FIELDS];
  uint32_t place[B];
  for (uint32_t k = 0; k < PEOPLE; k++) {
    for (uint32_t f = 0; f < FIELDS; f++) person[k][f] = draw_value(f, rng);
  }
  for (uint32_t b = 0; b < B; b++) place[b] = b;
  lbp_shuffle(place, B, rng);
  for (uint32_t a = 0; a < A; a++) {
    copy_record(person[a], left[a], rng);
    truth[a] = a < OVERLAP ? place[a] : ALL;
  }
  for (uint32_t b = 0; b < B; b++) copy_record(person[b < OVERLAP ? b : A + b - OVERLAP], right[place[b]], rng);
  for (uint32_t a = 0; a < A; a++) {
    for (uint32_t b = 0; b < B; b++) {
      double sum = log((OVERLAP + 1.0) / ((A - OVERLAP) * (B - OVERLAP))); /* a priori OVERLAP links are likeliest */
      for (uint32_t f = 0; f < FIELDS; f++) {
        const double p = frequency(f, left[a][f]), kept = (1 - WRONG) * (1 - WRONG);
        sum += left[a][f] == right[b][f] ? log((kept + (1 - kept) * p) / p) : log(1 - kept);
      }
      m->weight[a][b] = sum;
    }
  }
}

static double count_links(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  const uint32_t *s = (const uint32_t *)(const void *)x;
  double links = 0;
  (void)column, (void)n;
  for (uint32_t a = 0; a < A; a++) links += s[a] < B;
  return links;
}

int main(void) {
  static files model;
  uint32_t truth[A], likely = 0, right = 0, found = 0;
  const lbp_run_column column = {"links", count_links, NULL, 0};
  double promised = 0, spread, links;
  lbp_run run;
  lbp_run_result result;
  lbp_rng rng;
  lbp_rng_init(&rng, 2026, 0);
  make_files(&model, truth, &rng);
  lbp_run_init(&run);
  run.name = "linkage";
  run.sampler = LBP_SAMPLER_EXCHANGE; /* sweeps of uniform exchanges: many records have no partner, and change hands */
  run.warmup = 1000;
  run.draws = 1000;
  run.thin = 10;
  run.column = &column;
  run.columns = 1;
  run.marginals = LBP_MARGINALS_COUNTED; /* P(a linked with b) is result.marginal[a * ALL + b] */
  if (linkage_run(&run, &model, ALL, &result) != LBP_OK) return printf("%s\n", result.message), 1;
  links = result.row[1].mean;
  spread = result.row[1].sd;
  printf("%.2f links (posterior standard deviation %.2f, error of the mean %.2f); %d persons are in both files\n",
         links, spread, result.row[1].mcse, OVERLAP);
  for (uint32_t a = 0; a < A; a++) {
    for (uint32_t b = 0; b < B; b++) {
      const double p = result.marginal[a * ALL + b];
      if (truth[a] == b) found += p > 0.5;
      if (p <= 0.95) continue;
      likely++;
      promised += p;
      right += truth[a] == b;
    }
  }
  printf("%u links are more probable than 0.95: %.1f should be right, and %u are; of the %d, %u are more probable than "
         "0.5\n", (unsigned)likely, promised, (unsigned)right, OVERLAP, (unsigned)found);
  lbp_run_free(&result);
  return !(fabs(links - OVERLAP) < 4 * spread && likely > OVERLAP / 2 && fabs(promised - right) < 3);
}
