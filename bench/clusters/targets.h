/* Targets of clusters.c: models, their kernels, the statistics that traces are of, and how many steps a trace has. What
 * is disordered follows from a seed. */
#ifndef BENCH_CLUSTERS_TARGETS_H
#define BENCH_CLUSTERS_TARGETS_H

#include "../../lbp_models.h"
#include "../../lbp/models/potts.h"
#include "../common/study.h"

enum { GRID_DEGREE = 4, GLASS_DEGREE = 6 };

/* A site of a grid without disorder: its log-ratio follows from its degree, its neighbours that are 1, and itself. */
LBP_INLINE uint32_t grid_level(const lbp_ising *m, const uint8_t *x, uint32_t i) {
  const uint32_t edges = m->edges[i], cols = m->cols;
  if (edges == LBP_P_INSIDE) return 2 * ((uint32_t)x[i - cols] + x[i + cols] + x[i - 1] + x[i + 1]) + x[i];
  uint32_t near[GRID_DEGREE], ones = 0, degree = lbp_ising_neighbours(m, i, near);
  for (uint32_t k = 0; k < degree; k++) ones += x[near[k]];
  return 10 * (GRID_DEGREE - degree) + 2 * ones + x[i];
}

#define LBP_NAME           magnet
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#define LBP_PAIRS          lbp_ising_pairs
#define LBP_FIELD          lbp_ising_field
#define LBP_UNIT(m)        (m)->lambda
#define LBP_LEVEL          grid_level
#define LBP_LEVELS         40
#define LBP_LANES          256
#include "../../lbp_run.h"

#define LBP_NAME           disordered
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#define LBP_PAIRS          lbp_ising_pairs
#define LBP_FIELD          lbp_ising_field
#include "../../lbp_run.h"

/* log pi = sum of J s s' with J of both signs, of one size: at beta = 1 of tempering, J has the temperature in it. */
#define LBP_NAME           glass
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_FIELDS_T       lbp_graph_fields
#define LBP_FIELDS_INIT    lbp_graph_fields_set
#define LBP_FIELDS_MAKE    lbp_graph_fields_init
#define LBP_FIELDS_FREE    lbp_graph_fields_free
#define LBP_FLIP           lbp_graph_flip
#define LBP_DELTA          lbp_graph_fields_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS GLASS_DEGREE
#define LBP_LOGP(m, f, x)  lbp_graph_logp(m, x)
#define LBP_PAIRS          lbp_graph_pairs
#define LBP_FIELD          lbp_graph_field
#define LBP_UNIT(m)        fabs((double)(m)->link->gain / 4)
#define LBP_SYMMETRIC(m)   1
#define LBP_TEMPERED
#define LBP_LANES          256
#include "../../lbp_run.h"

#define VALUES     3
#define POTTS_NAME three
#include "potts.h"
#define VALUES     4
#define POTTS_NAME four
#include "potts.h"

#include "communities.h"

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* Kinds: a grid with one field or fields of a standard deviation; a Potts torus; a picture of four grey values, noisy;
 * a glass on a square or cubic torus; communities of a graph. */
enum { ISING, RANDOM_FIELD, POTTS, PICTURE, GLASS_2D, GLASS_3D, COMMUNITIES };

typedef struct {
  const char *name;
  int kind;
  uint32_t side, values;
  double beta, field;      /* field: of a picture the noise's standard deviation */
  uint32_t sweeps, swendsen_wang, wolff; /* steps of a trace, in thousands */
  /* made when it is first asked for */
  lbp_ising ising;
  lbp_graph graph;
  lbp_potts potts;
  communities network;
  const void *model;
  lbp_kernel kernel;
  uint32_t n;
  uint8_t *reference;      /* a picture without noise; a state of a glass that overlaps are with */
} target;

#define CRITICAL 0.44068679350977147
static target targets[] = {
  {.name = "ising-32", ISING, 32, 2, CRITICAL, 0, 50, 20, 50},
  {.name = "ising-64", ISING, 64, 2, CRITICAL, 0, 50, 10, 25},
  {.name = "ising-128", ISING, 128, 2, CRITICAL, 0, 40, 5, 15},
  {.name = "ising-64-hot", ISING, 64, 2, 0.40, 0, 20, 5, 25},
  {.name = "ising-64-cold", ISING, 64, 2, 0.48, 0, 20, 5, 25},
  {.name = "ising-64-h0.001", ISING, 64, 2, CRITICAL, 0.001, 40, 5, 25},
  {.name = "ising-64-h0.01", ISING, 64, 2, CRITICAL, 0.01, 20, 5, 25},
  {.name = "ising-64-h0.1", ISING, 64, 2, CRITICAL, 0.1, 10, 5, 25},
  {.name = "random-field-0.2", RANDOM_FIELD, 64, 2, CRITICAL, 0.2, 30, 5, 30},
  {.name = "random-field-0.5", RANDOM_FIELD, 64, 2, CRITICAL, 0.5, 20, 5, 50},
  {.name = "random-field-1", RANDOM_FIELD, 64, 2, 0.6, 1, 30, 10, 25},
  {.name = "potts3-32", POTTS, 32, 3, 1.0050525, 0, 40, 10, 25},
  {.name = "potts3-64", POTTS, 64, 3, 1.0050525, 0, 30, 10, 15},
  {.name = "potts4-64", POTTS, 64, 4, 1.0986123, 0, 30, 10, 20},
  {.name = "picture-noisy", PICTURE, 64, 4, 1, 0.7, 5, 5, 20},
  {.name = "picture-clear", PICTURE, 64, 4, 1.5, 1, 5, 5, 20},
  {.name = "glass2d-0.5", GLASS_2D, 32, 2, 0.5, 0, 10, 10, 20},
  {.name = "glass2d-1", GLASS_2D, 32, 2, 1, 0, 50, 20, 30},
  {.name = "glass3d-0.5", GLASS_3D, 6, 2, 0.5, 0, 20, 20, 40},
  {.name = "communities", COMMUNITIES, 0, 4, 1, 0, 20, 10, 40}};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static void make_grid(target *t) {
  double *h = (double *)basic_alloc(t->n, sizeof *h);
  lbp_rng rng;
  lbp_rng_init(&rng, 62, (uint64_t)(1000 * t->field));
  for (uint32_t i = 0; i < t->n; i++) {
    h[i] = t->kind == ISING ? t->field : t->beta * t->field * lbp_models_normal(&rng);
  }
  bench_expect(lbp_ising_init(&t->ising, t->side, t->side, t->beta, h), t->name);
  t->model = &t->ising;
  t->kernel = t->kind == ISING ? magnet_kernel() : disordered_kernel();
  free(h);
}

/* Stripes and a disc of grey values 0 to 3, seen with noise; neighbours of one value are more likely. */
static void make_picture(target *t) {
  double *h = (double *)basic_alloc((size_t)4 * t->n, sizeof *h);
  lbp_rng rng;
  lbp_rng_init(&rng, 62, (uint64_t)(10 * t->field));
  for (uint32_t i = 0; i < t->n; i++) {
    const double down = i / t->side + 0.5 - t->side / 2.0, right = i % t->side + 0.5 - t->side / 2.0;
    const uint32_t grey = down * down + right * right < t->n / 9.0 ? 3 - i % t->side / 32 : i / t->side / 16;
    const double seen = grey + t->field * lbp_models_normal(&rng);
    t->reference[i] = (uint8_t)grey;
    for (int v = 0; v < 4; v++) h[4 * i + v] = -(seen - v) * (seen - v) / (2 * t->field * t->field);
  }
  bench_expect(lbp_potts_grid(&t->potts, t->side, t->side, 4, t->beta, 0, h), t->name);
  t->model = &t->potts;
  t->kernel = four_kernel();
  free(h);
}

/* Couplings beta and -beta by coin on a torus of so many dimensions. */
static void make_torus(lbp_graph *m, uint32_t side, int dimensions, double beta, uint64_t seed) {
  uint32_t n = 1, edges = 0, step = 1;
  for (int d = 0; d < dimensions; d++) n *= side;
  uint32_t *ends = (uint32_t *)basic_alloc((size_t)2 * n * dimensions, sizeof *ends);
  double *J = (double *)basic_alloc((size_t)n * dimensions, sizeof *J);
  lbp_rng rng;
  lbp_rng_init(&rng, 62, seed);
  for (int d = 0; d < dimensions; d++, step *= side) {
    for (uint32_t i = 0; i < n; i++, edges++) {
      const uint32_t at = i / step % side;
      ends[2 * edges] = i, ends[2 * edges + 1] = at + 1 < side ? i + step : i - at * step;
      J[edges] = lbp_rng_u64(&rng) >> 63 ? beta : -beta;
    }
  }
  bench_expect(lbp_graph_init(m, n, NULL, edges, ends, J, GLASS_DEGREE), "a glass");
  bench_expect(lbp_graph_round(m), "a glass");
  BENCH_FREE(ends, J);
}

static void make_glass(target *t) {
  lbp_rng rng;
  make_torus(&t->graph, t->side, t->kind == GLASS_2D ? 2 : 3, t->beta, (uint64_t)t->kind);
  lbp_rng_init(&rng, 62, 1000);
  for (uint32_t i = 0; i < t->n; i++) t->reference[i] = (uint8_t)(lbp_rng_u64(&rng) >> 63);
  t->model = &t->graph;
  t->kernel = glass_kernel();
}

static target *target_of(int which) {
  target *t = &targets[which];
  if (t->model) return t;
  t->n = t->kind == COMMUNITIES ? COMMUNITY_SITES : t->side * t->side * (t->kind == GLASS_3D ? t->side : 1);
  t->reference = (uint8_t *)basic_alloc(t->n, 1);
  if (t->kind <= RANDOM_FIELD) make_grid(t);
  if (t->kind == PICTURE) make_picture(t);
  if (t->kind == GLASS_2D || t->kind == GLASS_3D) make_glass(t);
  if (t->kind == POTTS) {
    bench_expect(lbp_potts_grid(&t->potts, t->side, t->side, t->values, t->beta, 1, NULL), t->name);
    t->model = &t->potts;
    t->kernel = t->values == 3 ? three_kernel() : four_kernel();
  }
  if (t->kind == COMMUNITIES) {
    communities_make(&t->network, t->reference);
    t->model = &t->network;
    t->kernel = communities_kernel();
  }
  return t;
}

/* The order of a state: |m| without field, m with one; the largest value's share; the share of sites, or the overlap,
 * that are as in the reference. */
static double order_of(const target *t, const uint8_t *x) {
  uint32_t count[4] = {0}, same = 0, most = 0;
  for (uint32_t i = 0; i < t->n; i++) same += x[i] == t->reference[i];
  for (uint32_t i = 0; i < t->n; i++) count[x[i]]++;
  for (int v = 0; v < 4; v++) most = count[v] > most ? count[v] : most;
  const double m = 2.0 * count[1] / t->n - 1;
  if (t->kind == ISING && t->field == 0) return fabs(m);
  if (t->kind <= RANDOM_FIELD) return m;
  if (t->kind == PICTURE) return (double)same / t->n;
  if (t->kind == POTTS || t->kind == COMMUNITIES) return (double)most / t->n;
  return fabs(2.0 * same / t->n - 1);
}

#endif
