/* An exponential random graph model (ERGM) of networks with a fixed number of edges and a cap on the edges of a node:
 *
 *   log pi = star * two-stars + triangle * triangles
 *
 * A site is a pair of nodes, and a one is an edge.
 *
 *   cc -O3 -march=native -fopenmp -I.. ergm.c -lm && ./a.out
 *         6 nodes, with means next to those over all networks: it exits with 1 if one is off by more than five
 *         standard errors; then 30 nodes, 60 edges, at most 8 a node, star -0.1, triangle 0.5
 *   ./a.out NODES EDGES CAP STAR TRIANGLE [PICTURE.svg]
 *         PICTURE.svg gets the most probable network drawn
 *
 * Edges move by LBP_GROUP, with one group of all pairs. A path removes an edge and then adds one between two nodes with
 * fewer than CAP edges; LBP_DELTA makes all others impossible. So a node that has CAP edges can exchange one of them
 * for another. A swap that draws both flips at once would never propose that.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lbp.h"

enum { MOST = 64, PAIRS = MOST * (MOST - 1) / 2, SMALL = 6, CHAINS = 8, WARMUP = 500, DRAWS = 5000 };

typedef struct {
  uint32_t nodes, edges, cap;
  double star, triangle;
} ergm;

/* The counts that give a network's log-ratios: edges of each node, and nodes that both ends of a pair have an edge
 * to. */
typedef struct { uint8_t degree[MOST], shared[PAIRS]; } tallies;

static uint8_t end_of[PAIRS][2]; /* pairs in the order 01, 02, 12, 03, 13 ...: the nodes of each, the lower one first */

static uint32_t pair(uint32_t a, uint32_t b) { return a < b ? b * (b - 1) / 2 + a : a * (a - 1) / 2 + b; }
static uint32_t pairs_of(uint32_t nodes) { return nodes * (nodes - 1) / 2; }

/* Pair i is an edge now, or is none any more. */
static void ergm_flip(const ergm *m, tallies *f, const uint8_t *x, uint32_t i) {
  const uint32_t a = end_of[i][0], b = end_of[i][1];
  const int sign = x[i] ? 1 : -1;
  uint32_t k;
  f->degree[a] = (uint8_t)(f->degree[a] + sign);
  f->degree[b] = (uint8_t)(f->degree[b] + sign);
  for (k = 0; k < m->nodes; k++) {
    uint32_t to_a, to_b;
    if (k == a || k == b) continue;
    to_a = pair(k, a), to_b = pair(k, b);
    f->shared[to_a] = (uint8_t)(f->shared[to_a] + sign * x[to_b]);
    f->shared[to_b] = (uint8_t)(f->shared[to_b] + sign * x[to_a]);
  }
}

static void ergm_set(const ergm *m, tallies *f, const uint8_t *x) {
  uint8_t edges[PAIRS] = {0};
  uint32_t i;
  memset(f, 0, sizeof *f);
  for (i = 0; i < pairs_of(m->nodes); i++) {
    edges[i] = x[i];
    if (x[i]) ergm_flip(m, f, edges, i);
  }
}

static double ergm_delta(const ergm *m, const tallies *f, const uint8_t *x, uint32_t i) {
  const uint32_t a = f->degree[end_of[i][0]], b = f->degree[end_of[i][1]], most = a > b ? a : b;
  const double gain = m->star * (a + b - 2.0 * x[i]) + m->triangle * f->shared[i]; /* by the edge, there or not */
  if (x[i] ? most > m->cap : most >= m->cap) return x[i] ? HUGE_VAL : -HUGE_VAL;
  return x[i] ? -gain : gain;
}

static uint32_t ergm_neighbours(const ergm *m, uint32_t i, uint32_t *out) {
  const uint32_t a = end_of[i][0], b = end_of[i][1];
  uint32_t k, count = 0;
  for (k = 0; k < m->nodes; k++) {
    if (k == a || k == b) continue;
    out[count++] = pair(k, a);
    out[count++] = pair(k, b);
  }
  return count;
}

static double stars_of(const ergm *m, const tallies *f) {
  double sum = 0;
  uint32_t a;
  for (a = 0; a < m->nodes; a++) sum += f->degree[a] * (f->degree[a] - 1.0) / 2;
  return sum;
}

static double triangles_of(const ergm *m, const tallies *f, const uint8_t *x) {
  uint32_t i, sum = 0;
  for (i = 0; i < pairs_of(m->nodes); i++) sum += x[i] ? f->shared[i] : 0u; /* once for each of three edges */
  return sum / 3.0;
}

static double ergm_logp(const ergm *m, const tallies *f, const uint8_t *x) {
  uint32_t a;
  for (a = 0; a < m->nodes; a++) {
    if (f->degree[a] > m->cap) return -HUGE_VAL;
  }
  return m->star * stars_of(m, f) + m->triangle * triangles_of(m, f, x);
}

#define LBP_NAME           ergm
#define LBP_MODEL_T        ergm
#define LBP_FIELDS_T       tallies
#define LBP_FIELDS_INIT    ergm_set
#define LBP_FLIP           ergm_flip
#define LBP_DELTA          ergm_delta
#define LBP_NEIGHBOURS     ergm_neighbours
#define LBP_MAX_NEIGHBOURS (2 * MOST)
#define LBP_LOGP           ergm_logp
#define LBP_GROUP(m, i)    0u
#define LBP_GROUPS         1
#include "lbp_run.h"

/* ---- statistics -------------------------------------------------------------------------------------------------- */

enum { STARS, TRIANGLES, DEGREES, STATISTICS = DEGREES + MOST }; /* DEGREES + k: the share of nodes that have k edges */

/* All of a network. */
static void measure(const ergm *m, const uint8_t *x, double *statistic) {
  tallies f;
  uint32_t a;
  ergm_set(m, &f, x);
  memset(statistic, 0, STATISTICS * sizeof *statistic);
  statistic[STARS] = stars_of(m, &f);
  statistic[TRIANGLES] = triangles_of(m, &f, x);
  for (a = 0; a < m->nodes; a++) statistic[DEGREES + f.degree[a]] += 1.0 / m->nodes;
}

static double column(const lbp_run_column *c, const uint8_t *x, uint32_t n) { /* c->site: which */
  double statistic[STATISTICS];
  measure((const ergm *)c->data, x, statistic);
  return (void)n, statistic[c->site];
}

/* Their means over all networks of a few nodes; returns how many of these there are. */
static double enumerate(const ergm *m, double *exact) {
  const uint32_t n = pairs_of(m->nodes);
  double sum = 0, count = 0, statistic[STATISTICS];
  uint32_t s, i, k;
  memset(exact, 0, STATISTICS * sizeof *exact);
  for (s = 0; s < 1u << n; s++) {
    uint8_t x[PAIRS];
    uint32_t edges = 0;
    tallies f;
    double p;
    for (i = 0; i < n; i++) edges += x[i] = (uint8_t)(s >> i & 1);
    if (edges != m->edges) continue;
    ergm_set(m, &f, x);
    p = exp(ergm_logp(m, &f, x));
    if (!(p > 0)) continue;
    measure(m, x, statistic);
    for (k = 0; k < STATISTICS; k++) exact[k] += p * statistic[k];
    sum += p;
    count++;
  }
  for (k = 0; k < STATISTICS; k++) exact[k] /= sum;
  return count;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* Begins with degrees that differ by one at most: whoever lacks most gets an edge to each that lacks most of the others
 * (Havel, Hakimi). */
static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  const ergm *m = (const ergm *)data;
  uint32_t lacks[MOST], a, b, k;
  memset(x, 0, n);
  for (a = 0; a < m->nodes; a++) lacks[a] = 2 * m->edges / m->nodes + (a < 2 * m->edges % m->nodes);
  for (k = 0; k < m->nodes; k++) {
    uint32_t from = 0, wanted;
    for (a = 1; a < m->nodes; a++) from = lacks[a] > lacks[from] ? a : from;
    wanted = lacks[from];
    for (lacks[from] = 0; wanted > 0; wanted--) {
      uint32_t to = m->nodes;
      for (b = 0; b < m->nodes; b++) {
        if (b != from && !x[pair(from, b)] && lacks[b] > 0 && (to == m->nodes || lacks[b] > lacks[to])) to = b;
      }
      x[pair(from, to)] = 1;
      lacks[to]--;
    }
  }
  (void)chain;
}

/* Nodes in a circle, and the edges. */
static int draw(const char *path, const ergm *m, const uint8_t *x) {
  FILE *file = fopen(path, "w");
  double at[MOST][2];
  uint32_t a, i;
  int failed;
  if (!file) return 1;
  for (a = 0; a < m->nodes; a++) {
    at[a][0] = 240 + 220 * sin(6.283185307179586 * a / m->nodes);
    at[a][1] = 240 - 220 * cos(6.283185307179586 * a / m->nodes);
  }
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"480\" height=\"480\">\n"
          "<rect width=\"480\" height=\"480\" fill=\"white\"/>\n<path d=\"");
  for (i = 0; i < pairs_of(m->nodes); i++) {
    const double *from = at[end_of[i][0]], *to = at[end_of[i][1]];
    if (x[i]) fprintf(file, "M%.1f %.1fL%.1f %.1f", from[0], from[1], to[0], to[1]);
  }
  fprintf(file, "\" stroke=\"#4477aa\"/>\n");
  for (a = 0; a < m->nodes; a++) fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\"/>\n", at[a][0], at[a][1]);
  fprintf(file, "</svg>\n");
  failed = ferror(file);
  return fclose(file) != 0 || failed;
}

/* Draws networks and prints their statistics, next to exact means if there are any. Returns whether something is
 * wrong. */
static int answer(const ergm *m, const double *exact, const char *picture) {
  lbp_run_column columns[STATISTICS];
  char name[STATISTICS][24] = {"two-stars", "triangles"}, label[STATISTICS][32];
  const uint32_t count = DEGREES + m->cap + 1;
  lbp_run run;
  lbp_run_result result;
  uint32_t k;
  int wrong = 0;
  for (k = 0; k < count; k++) {
    if (k >= DEGREES) snprintf(name[k], sizeof name[k], "degree %lu", (unsigned long)(k - DEGREES));
    snprintf(label[k], sizeof label[k], "statistic.%lu", (unsigned long)k);
    columns[k].name = label[k];
    columns[k].value = column;
    columns[k].data = m;
    columns[k].site = k;
  }
  lbp_run_init(&run);
  run.name = "ergm";
  run.sampler = LBP_SAMPLER_SWAP_PATH;
  run.parameter = m->edges > 2 ? (m->edges + 1) / 2 : 1; /* half of the edges, between draws */
  run.start = begin;
  run.start_data = m;
  run.chains = CHAINS;
  run.warmup = WARMUP;
  run.draws = DRAWS;
  run.column = columns;
  run.columns = count;
  if (ergm_run(&run, m, pairs_of(m->nodes), &result) != LBP_OK) {
    fprintf(stderr, "ergm: %s\n", result.message);
    return 1;
  }
  printf("%lu nodes, %lu edges, at most %lu of a node; star %g, triangle %g; %d chains x %d draws, %.1f s\n",
         (unsigned long)m->nodes, (unsigned long)m->edges, (unsigned long)m->cap, m->star, m->triangle, CHAINS, DRAWS,
         result.seconds);
  for (k = 0; k < count; k++) {
    const lbp_run_row *row = &result.row[k + 1];
    const double error = row->mcse_status == LBP_OK ? row->mcse : 0;
    printf("%-12s%12.4f +- ", name[k], row->mean);
    if (row->mcse_status == LBP_OK || row->rhat_status == LBP_E_CONSTANT) printf("%.4f", error);
    else printf("unknown"); /* some chain does not vary, and others do, or are elsewhere */
    if (exact) {
      const int off = !(fabs(row->mean - exact[k]) <= 5 * error + 1e-9);
      printf(", exactly %.4f%s", exact[k], off ? "  OFF" : "");
      wrong |= off;
    }
    printf("\n");
  }
  for (k = 1; k <= LBP_WARN_STUCK; k *= 2) {
    if (result.warnings & k) printf("%s\n", lbp_run_advice(k));
  }
  if (picture && draw(picture, m, result.best) != 0) {
    fprintf(stderr, "ergm: %.200s: cannot be written\n", picture);
    wrong = 1;
  }
  lbp_run_free(&result);
  return wrong;
}

/* A whole number, or the end. */
static uint32_t whole(const char *word, const char *what, long least, long most) {
  char *end;
  const long value = strtol(word, &end, 10);
  if (end != word && !*end && value >= least && value <= most) return (uint32_t)value;
  fprintf(stderr, "ergm: %s: give a whole number from %ld to %ld, not %.40s\n", what, least, most, word);
  exit(2);
}

static double number(const char *word, const char *what) {
  char *end;
  const double value = strtod(word, &end);
  if (end != word && !*end && fabs(value) <= 100) return value;
  fprintf(stderr, "ergm: %s: give a number from -100 to 100, not %.40s\n", what, word);
  exit(2);
}

int main(int argc, char **argv) {
  ergm m = {30, 60, 8, -0.1, 0.5};
  uint32_t a, b;
  for (b = 1; b < MOST; b++) {
    for (a = 0; a < b; a++) end_of[pair(a, b)][0] = (uint8_t)a, end_of[pair(a, b)][1] = (uint8_t)b;
  }
  if (argc == 1) {
    const ergm small = {SMALL, 7, 3, 0.2, 0.5};
    double exact[STATISTICS];
    printf("%.0f networks: ", enumerate(&small, exact));
    if (answer(&small, exact, NULL) != 0) return 1;
    printf("\n");
  } else if (argc != 6 && argc != 7) {
    fprintf(stderr, "usage: %s [NODES EDGES CAP STAR TRIANGLE [PICTURE.svg]]\n", argv[0]);
    return 2;
  } else {
    m.nodes = whole(argv[1], "NODES", 3, MOST);
    m.edges = whole(argv[2], "EDGES", 1, (long)pairs_of(m.nodes) - 1);
    m.cap = whole(argv[3], "CAP, which has to leave room for all edges", (2 * (long)m.edges + m.nodes - 1) / m.nodes,
                  m.nodes - 1);
    m.star = number(argv[4], "STAR");
    m.triangle = number(argv[5], "TRIANGLE");
  }
  return answer(&m, NULL, argc == 7 ? argv[6] : NULL);
}
