/* The models of constraints.c, from files of the folder DATA, each with a kernel for each weight. */
#ifndef BENCH_CONSTRAINTS_TARGETS_H
#define BENCH_CONSTRAINTS_TARGETS_H

#define MOST_NEIGHBOURS 128
#include "../../lbp/models/selection.h"
#include "../common/hard_core.h"
#include "../common/packed.h"
#include "../common/study.h"
#include "../search/graphs.h"

#define ONE_GROUP(m, i)    0u
#define GROUP_OF_8(m, i)   ((i) / 8)

#define PAIR             whole
#define MODEL            lbp_qubo
#define MODEL_FIELDS
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS MOST_NEIGHBOURS
#define MODEL_GROUP      ONE_GROUP
#define MODEL_GROUPS     1
#include "../common/pair.h"

#define PAIR             eights
#define MODEL            lbp_qubo
#define MODEL_FIELDS
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS MOST_NEIGHBOURS
#define MODEL_GROUP      GROUP_OF_8
#define MODEL_GROUPS     100
#include "../common/pair.h"

#define PAIR             loose
#define MODEL            lbp_qubo
#define MODEL_FIELDS
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS MOST_NEIGHBOURS
#define MODEL_PATH
#include "../common/pair.h"

#define PAIR             hard
#define MODEL            hard_core
#define MODEL_NEIGHBOURS HARD_CORE_NEIGHBOURS
#define MODEL_PATH
#include "../common/pair.h"

#define SELECT_DELTAS lbp_selection_deltas

#define LBP_NAME   exactly_barker
#define LBP_WEIGHT LBP_BARKER
#define LBP_GROUP  ONE_GROUP
#define LBP_GROUPS 1
#include "../sharp/select.h"

#define LBP_NAME   exactly_sqrt
#define LBP_WEIGHT LBP_SQRT
#define LBP_GROUP  ONE_GROUP
#define LBP_GROUPS 1
#include "../sharp/select.h"

/* Row a in column s[a]: log pi is minus the sum of their costs. */
enum { MATCHED = 30 };
typedef struct { double cost[MATCHED][MATCHED]; } matching;

LBP_INLINE double matching_exchange(const matching *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return m->cost[a][s[a]] - m->cost[a][s[b]] + (m->cost[b][s[b]] - m->cost[b][s[a]]);
}

LBP_INLINE uint32_t matching_neighbours(const matching *m, uint32_t a, uint32_t *out) { return (void)m, (void)a, (void)out, 0; }

LBP_FN double matching_logp(const matching *m, const uint32_t *s) {
  double sum = 0;
  for (uint32_t a = 0; a < MATCHED; a++) sum -= m->cost[a][s[a]];
  return sum;
}

#define LBP_NAME   matching_barker
#define LBP_WEIGHT LBP_BARKER
#include "matching.h"

#define LBP_NAME   matching_sqrt
#define LBP_WEIGHT LBP_SQRT
#include "matching.h"

#define MATCHING_ROW_WEIGHT(m, s, a) ((m)->cost[a][(s)[a]] / 2)

#define LBP_NAME   chosen_barker
#define LBP_WEIGHT LBP_BARKER
#include "matching.h"

#define LBP_NAME   chosen_sqrt
#define LBP_WEIGHT LBP_SQRT
#include "matching.h"

static lbp_kernel by_all_barker(void) { return matching_barker_kernel(MATCHED); }
static lbp_kernel by_all_sqrt(void) { return matching_sqrt_kernel(MATCHED); }
static lbp_kernel by_cost_barker(void) { return chosen_barker_kernel(MATCHED); }
static lbp_kernel by_cost_sqrt(void) { return chosen_sqrt_kernel(MATCHED); }

enum { BARKER, SQRT, WEIGHTS };
static const char *const weight_names[WEIGHTS] = {"t/(1+t)", "sqrt(t)"};

typedef struct target target;

struct target {
  const char *name;        /* as data/constraints.csv has it */
  void (*make)(target *t);
  double parameter;        /* of make */
  uint32_t n, ones, group; /* a group's sites and its ones; 0: no groups */
  lbp_kernel (*const kernels[2 * WEIGHTS])(void); /* by weight; of matchings then those that choose rows by their cost */
  /* what make sets */
  void *model;
  lbp_kernel kernel[2 * WEIGHTS];
  uint8_t *x0;             /* traces are distances to it */
};

/* ---- files ------------------------------------------------------------------------------------------------------- */

static const char *data_folder(void) {
  const char *folder = getenv("DATA");
  return folder && *folder ? folder : "../shared/data";
}

/* So many numbers of DATA/instances/constraint_NAME.txt.gz, in new memory, behind the first `skip`; NULL: it is not
 * there. */
static double *read_numbers(const char *name, uint32_t skip, uint32_t count) {
  char path[1100], why[1200];
  snprintf(path, sizeof path, "%.1000s/instances/constraint_%s.txt.gz", data_folder(), name);
  char *text = packed_text(path, why, sizeof why), *at = text;
  if (!text) return NULL;
  double *number = (double *)basic_alloc(count, sizeof *number);
  for (uint32_t k = 0; k < skip; k++) packed_number(path, &at);
  for (uint32_t k = 0; k < count; k++) number[k] = packed_number(path, &at);
  free(text);
  return number;
}

static void make_quadratic(target *t, uint32_t count, const uint32_t *ends, const double *value) {
  lbp_qubo *m = (lbp_qubo *)basic_alloc(1, sizeof *m);
  bench_expect(lbp_qubo_init(m, t->n, count, ends, value, 0, MOST_NEIGHBOURS), t->name);
  t->model = m;
}

/* Independent sites. */
static void make_product(target *t) {
  double *odds = read_numbers("product_theta", 0, t->n);
  uint32_t *ends = (uint32_t *)basic_alloc(2 * (size_t)t->n, sizeof *ends);
  for (uint32_t i = 0; odds && i < t->n; i++) {
    ends[2 * i] = ends[2 * i + 1] = i;
    odds[i] = -odds[i];
  }
  if (odds) make_quadratic(t, t->n, ends, odds);
  BENCH_FREE(odds, ends);
}

/* 50 x 50 spins, a free boundary, coupling `parameter`: J s_i s_j = J (4 x_i x_j - 2 x_i - 2 x_j) + J. */
static void make_ising(target *t) {
  enum { SIDE = 50, TERMS = SIDE * SIDE + 2 * SIDE * (SIDE - 1) };
  static uint32_t ends[2 * TERMS];
  static double value[TERMS];
  uint32_t count = SIDE * SIDE;
  for (uint32_t i = 0; i < SIDE * SIDE; i++) ends[2 * i] = ends[2 * i + 1] = i, value[i] = 0;
  for (uint32_t i = 0; i < SIDE * SIDE; i++) {
    for (int down = 0; down < 2; down++) {
      const uint32_t j = i + (down ? SIDE : 1);
      if (down ? j >= SIDE * SIDE : j % SIDE == 0) continue;
      ends[2 * count] = i, ends[2 * count + 1] = j;
      value[i] += 2 * t->parameter;
      value[j] += 2 * t->parameter;
      value[count++] = -4 * t->parameter;
    }
  }
  make_quadratic(t, count, ends, value);
}

/* log pi = `parameter` times the cut. */
static void make_cut(target *t) {
  char folder[1100];
  uint32_t n;
  lbp_qubo cut;
  snprintf(folder, sizeof folder, "%.1000s/gset", data_folder());
  if (!read_graph(folder, "G1", &cut, &n)) return;
  for (uint32_t k = 0; k < cut.terms.count; k++) cut.terms.value[k] *= t->parameter;
  make_quadratic(t, cut.terms.count, cut.terms.ends, cut.terms.value);
  lbp_qubo_free(&cut);
}

/* Columns of a regression with Zellner's prior, g as large as there are rows, all sets of columns alike. */
static void make_selection(target *t) {
  enum { ROWS = 100 };
  double *numbers = read_numbers("varsel", 2, ROWS * (t->n + 1)), *X, *y;
  lbp_selection *m = (lbp_selection *)basic_alloc(1, sizeof *m);
  lbp_selection_options options;
  if (!numbers) return;
  X = (double *)basic_alloc((size_t)ROWS * t->n, sizeof *X);
  y = (double *)basic_alloc(ROWS, sizeof *y);
  for (uint32_t row = 0; row < ROWS; row++) {
    y[row] = numbers[row * (t->n + 1)];
    memcpy(X + row * t->n, numbers + row * (t->n + 1) + 1, t->n * sizeof *X);
  }
  lbp_selection_options_init(&options);
  options.inclusion = 0.5;
  bench_expect(lbp_selection_init(m, ROWS, t->n, X, y, &options), t->name);
  t->model = m;
  BENCH_FREE(numbers, X, y);
}

/* log pi = - `parameter` times the sum of costs. */
static void make_matching(target *t) {
  matching *m = (matching *)basic_alloc(1, sizeof *m);
  double *cost = read_numbers("matching_cost", 0, MATCHED * MATCHED);
  for (uint32_t k = 0; cost && k < MATCHED * MATCHED; k++) m->cost[k / MATCHED][k % MATCHED] = t->parameter * cost[k];
  if (cost) t->model = m;
  free(cost);
}

static void make_hard_core(target *t) { t->model = hard_core_make(40, t->parameter); }

/* ---- targets ----------------------------------------------------------------------------------------------------- */

static target targets[] = {
  {"product-k200", make_product, 0, 800, .ones = 200, .group = 800, .kernels = {whole_barker_kernel, whole_sqrt_kernel}},
  {"product-100x8-k2", make_product, 0, 800, .ones = 2, .group = 8, .kernels = {eights_barker_kernel, eights_sqrt_kernel}},
  {"ising 0.2", make_ising, 0.2, 2500, .ones = 1250, .group = 2500, .kernels = {whole_barker_kernel, whole_sqrt_kernel}},
  {"ising 0.4", make_ising, 0.4, 2500, .ones = 1250, .group = 2500, .kernels = {whole_barker_kernel, whole_sqrt_kernel}},
  {"g1 0.2", make_cut, 0.2, 800, .ones = 400, .group = 800, .kernels = {whole_barker_kernel, whole_sqrt_kernel}},
  {"varsel 10", make_selection, 0, 100, .ones = 10, .group = 100, .kernels = {exactly_barker_kernel, exactly_sqrt_kernel}},
  {"matching 10", make_matching, 10, MATCHED, .kernels = {by_all_barker, by_all_sqrt, by_cost_barker, by_cost_sqrt}},
  {"product-free", make_product, 0, 800, .kernels = {loose_barker_kernel, loose_sqrt_kernel}},
  {"ising-free 0.2", make_ising, 0.2, 2500, .kernels = {loose_barker_kernel, loose_sqrt_kernel}},
  {"ising-free 0.4", make_ising, 0.4, 2500, .kernels = {loose_barker_kernel, loose_sqrt_kernel}},
  {"hardcore 1", make_hard_core, 1, 1600, .kernels = {hard_barker_kernel, hard_sqrt_kernel}}};

enum { TARGETS = sizeof targets / sizeof targets[0] };

/* By the name that files have; -1: there is none. */
static int target_of(const char *name) {
  int t = TARGETS - 1;
  while (t >= 0 && strcmp(targets[t].name, name) != 0) t--;
  return t;
}

/* Its kernel; BARKER where a sampler has no weights. */
static int weight_of(const char *name) { return strcmp(name, weight_names[SQRT]) == 0 ? SQRT : BARKER; }

static int is_matching(const target *t) { return t->make == make_matching; }

/* Makes it, unless that is done; 0 if a file is not there. */
static int have_target(target *t) {
  const uint32_t length = is_matching(t) ? MATCHED * MATCHED : t->n;
  if (t->model) return 1;
  double *x0 = read_numbers("x0", 0, length);
  if (x0) t->make(t);
  if (!t->model) return 0;
  t->x0 = (uint8_t *)basic_alloc(length, 1);
  for (uint32_t i = 0; i < length; i++) t->x0[i] = x0[i] > 0;
  for (int w = 0; w < 2 * WEIGHTS; w++) {
    if (t->kernels[w]) t->kernel[w] = t->kernels[w]();
  }
  free(x0);
  return 1;
}

/* A state of the constraint, uniformly; of particles, none. */
static void set_start(const target *t, void *state, lbp_rng *rng) {
  uint8_t *x = (uint8_t *)state;
  if (is_matching(t)) {
    lbp_shuffle((uint32_t *)state, t->n, rng);
    return;
  }
  memset(x, 0, t->n);
  if (t->make == make_hard_core) return;
  for (uint32_t i = 0; t->group == 0 && i < t->n; i++) x[i] = (uint8_t)(lbp_rng_u64(rng) >> 63);
  for (uint32_t first = 0; t->group > 0 && first < t->n; first += t->group) {
    uint32_t left = t->ones;
    for (uint32_t k = 0; k < t->group; k++) { /* each of the sites behind is as likely to be one of those that are left */
      if (lbp_mulhi(lbp_rng_u64(rng), t->group - k) >= left) continue;
      x[first + k] = 1;
      left--;
    }
  }
}

#endif
