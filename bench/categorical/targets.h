/* The models of categorical.c, from the files cat_*.txt.gz of the folder DATA, each with a kernel for each weight. */
#ifndef BENCH_CATEGORICAL_TARGETS_H
#define BENCH_CATEGORICAL_TARGETS_H

#include "../../lbp/models/potts.h"
#include "../../lbp_run.h"
#include "../common/packed.h"
#include "../common/study.h"

#define KIND             product4
#define MODEL            lbp_product
#define STATES           4
#define MODEL_NEIGHBOURS LBP_PRODUCT_MAX_NEIGHBOURS
#include "weights.h"

#define KIND             product8
#define MODEL            lbp_product
#define STATES           8
#define MODEL_VALUES
#define MODEL_NEIGHBOURS LBP_PRODUCT_MAX_NEIGHBOURS
#include "weights.h"

#define KIND             potts3
#define MODEL            lbp_potts
#define STATES           3
#define MODEL_FIELDS
#define MODEL_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#include "weights.h"

#define KIND             potts4
#define MODEL            lbp_potts
#define STATES           4
#define MODEL_FIELDS
#define MODEL_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#include "weights.h"

#define KIND   protein
#define MODEL  lbp_potts_dense
#define STATES 21
#define MODEL_FIELDS
#include "weights.h"

enum { BARKER, SQRT, HEAT_BATH, METROPOLISED, WEIGHTS };
static const char *const weight_names[WEIGHTS] = {"t/(1+t)", "sqrt(t)", "heat-bath", "metropolised heat-bath"};

typedef struct target target;

struct target {
  const char *name, *file, *K;     /* name and K as data/categorical.csv has them */
  void (*make)(target *t, char *at);
  lbp_kernel (*const *kernels)(void);
  uint32_t states;                 /* the most that a site has */
  double beta;
  double work;                     /* sites proposed in a batch of the race; 0: it has none */
  /* what make sets */
  void *model;
  uint32_t n;
  uint8_t *x0;                     /* i mod K_i */
  lbp_kernel kernel[WEIGHTS];
};

/* ---- files ------------------------------------------------------------------------------------------------------- */

static const char *instance_folder(void) {
  const char *folder = getenv("DATA");
  return folder && *folder ? folder : "../shared/data/instances";
}

/* Its text in new memory, or NULL, and why, if it can't be read. */
static char *read_instance(const target *t, char *why, size_t size) {
  char path[1100];
  snprintf(path, sizeof path, "%.1000s/%s", instance_folder(), t->file);
  return packed_text(path, why, size);
}

static double next_number(const target *t, char **at) { return packed_number(t->file, at); }

static uint32_t next_count(const target *t, char **at, uint32_t most) {
  const double v = next_number(t, at);
  if (!(v >= 0 && v <= most)) basic_die("%s: %g is no number from 0 to %u", t->file, v, (unsigned)most);
  return (uint32_t)v;
}

/* A line for each site: K_i, and as many numbers, to rows of `states`. */
static double *next_rows(const target *t, char **at, uint32_t *values) {
  double *rows = (double *)basic_alloc((size_t)t->n * t->states, sizeof *rows);
  for (uint32_t i = 0; i < t->n; i++) {
    values[i] = next_count(t, at, t->states);
    for (uint32_t v = 0; v < values[i]; v++) rows[(size_t)i * t->states + v] = next_number(t, at);
  }
  return rows;
}

enum { MOST_SITES = 100000 };

/* "product N", then a site a line. */
static void make_product(target *t, char *at) {
  lbp_product *m = (lbp_product *)basic_alloc(1, sizeof *m);
  t->n = next_count(t, &at, MOST_SITES);
  uint32_t *values = (uint32_t *)basic_alloc(t->n, sizeof *values);
  double *weight = next_rows(t, &at, values);
  bench_expect(lbp_product_init(m, t->n, t->states, values, weight), t->file);
  t->model = m;
  BENCH_FREE(values, weight);
}

/* "potts N E", then a site a line, then an edge a line: i, j, J. */
static void make_potts(target *t, char *at) {
  lbp_potts *m = (lbp_potts *)basic_alloc(1, sizeof *m);
  t->n = next_count(t, &at, MOST_SITES);
  const uint32_t edges = next_count(t, &at, 2 * MOST_SITES);
  uint32_t *values = (uint32_t *)basic_alloc(t->n, sizeof *values), *ends;
  double *h = next_rows(t, &at, values), *J = (double *)basic_alloc(edges, sizeof *J);
  ends = (uint32_t *)basic_alloc(2 * (size_t)edges, sizeof *ends);
  for (uint32_t e = 0; e < edges; e++) {
    for (int side = 0; side < 2; side++) ends[2 * e + side] = next_count(t, &at, t->n - 1);
    J[e] = next_number(t, &at);
  }
  bench_expect(lbp_potts_init(m, t->n, t->states, values, h, t->beta, edges, ends, J), t->file);
  t->model = m;
  BENCH_FREE(values, h, J, ends);
}

/* "potts-dense N STATES STEP", then a site's fields a line, then a pair's couplings, whole numbers of STEP. */
static void make_protein(target *t, char *at) {
  lbp_potts_dense *m = (lbp_potts_dense *)basic_alloc(1, sizeof *m);
  t->n = next_count(t, &at, 1000);
  if (next_count(t, &at, 256) != t->states) basic_die("%s: not of %u values", t->file, (unsigned)t->states);
  const double step = next_number(t, &at);
  const size_t fields = (size_t)t->n * t->states, couplings = lbp_potts_dense_couplings(t->n, t->states);
  lbp_real *h = (lbp_real *)basic_alloc(fields, sizeof *h), *J = (lbp_real *)basic_alloc(couplings, sizeof *J);
  for (size_t k = 0; k < fields; k++) h[k] = (lbp_real)next_number(t, &at);
  for (size_t k = 0; k < couplings; k++) J[k] = (lbp_real)(step * next_number(t, &at));
  bench_expect(lbp_potts_dense_init(m, t->n, t->states, h, J), t->file);
  t->model = m;
  BENCH_FREE(h, J);
}

/* ---- targets ----------------------------------------------------------------------------------------------------- */

static target targets[] = {
  {"product_K4", "cat_product_N800_K4.txt.gz", "4", make_product, product4_kernels, 4, .work = 1e5},
  {"product_K2to8", "cat_product_N800_K2to8.txt.gz", "2-8", make_product, product8_kernels, 8, .work = 0},
  {"potts_b0.5", "cat_potts_30x30_q3.txt.gz", "3", make_potts, potts3_kernels, 3, .beta = 0.5, .work = 0},
  {"potts_b0.8", "cat_potts_30x30_q3.txt.gz", "3", make_potts, potts3_kernels, 3, .beta = 0.8, .work = 2e5},
  {"glass_q4", "cat_glass_20x20_q4.txt.gz", "4", make_potts, potts4_kernels, 4, .beta = 1, .work = 1e5},
  {"protein_PF00014", "cat_PF00014_L53_q21.txt.gz", "21", make_protein, protein_kernels, 21, .work = 5e4}};

enum { TARGETS = sizeof targets / sizeof targets[0] };

/* Makes it, unless that is done; 0, and why, if its file can't be read. */
static int have_target(target *t, char *why, size_t size) {
  if (t->model) return 1;
  char *text = read_instance(t, why, size);
  if (!text) return 0;
  t->make(t, text + strcspn(text, " "));
  free(text);
  t->x0 = (uint8_t *)basic_alloc(t->n, 1);
  for (int w = 0; w < WEIGHTS; w++) t->kernel[w] = t->kernels[w]();
  for (uint32_t i = 0; i < t->n; i++) {
    t->x0[i] = (uint8_t)(i % (t->kernel[0].values_of ? t->kernel[0].values_of(t->model, i) : t->states));
  }
  return 1;
}

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

static int is_sweep(int sampler) { return sampler == LBP_SAMPLER_GIBBS || sampler == LBP_SAMPLER_METROPOLIS; }

/* The sampler that data/categorical.csv calls so; -1: there is none. */
static int sampler_of(const char *name) {
  static const char *const part[] = {"LBP", "GWG", "RWM", "DLP", "Gibbs"};
  static const int sampler[] = {LBP_SAMPLER_LBP, LBP_SAMPLER_GWG, LBP_SAMPLER_RWM, LBP_SAMPLER_DLP, LBP_SAMPLER_GIBBS};
  int k = 4;
  while (k >= 0 && !strstr(name, part[k])) k--;
  return k < 0 ? -1 : sampler[k];
}

/* The weight of this name: where a sampler has none, any; -1: there is none. */
static int weight_of(const char *name) {
  for (int w = 0; w < WEIGHTS; w++) {
    if (strcmp(weight_names[w], name) == 0) return w;
  }
  return *name ? -1 : HEAT_BATH;
}

#endif
