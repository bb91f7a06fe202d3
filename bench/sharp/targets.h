/* The targets of sharp.c: selections of columns in regressions, whose log-ratios are all known after a flip,
 * and local targets that reject nearly all flips. A target is a row of `targets`, a sampler one of `rows`. */
#ifndef BENCH_SHARP_TARGETS_H
#define BENCH_SHARP_TARGETS_H

#include "../../lbp_models.h"
#include "../../lbp/models/selection.h"
#include "../../lbp_run.h"
#include "../common/hard_core.h"
#include "../common/study.h"

/* ---- selections -------------------------------------------------------------------------------------------------- */

/* How often a thread has asked for all log-ratios of a state, or the gradient. */
static uint64_t asked;
#pragma omp threadprivate(asked)

LBP_FN void counted_deltas(const lbp_selection *m, lbp_selection_fields *f, const uint8_t *x, double *out) {
  asked++;
  lbp_selection_deltas(m, f, x, out);
}

LBP_FN double counted_gradient(const lbp_selection *m, const uint8_t *x, double *out) {
  asked++;
  return lbp_selection_gradient(m, x, out);
}

#define SELECT_DELTAS counted_deltas

#define LBP_NAME   select
#define LBP_WEIGHT LBP_BARKER
#define LBP_CLOCK  LBP_BARKER
#include "select.h"

#define LBP_NAME   select_birth_death
#define LBP_WEIGHT LBP_BARKER
#define LBP_CLOCK  LBP_BIRTH_DEATH
#include "select.h"

#define LBP_NAME     select_ab
#define LBP_MODEL_T  lbp_selection
#define LBP_GRADIENT counted_gradient
#define LBP_STATES   2
#include "../../lbp_run.h"

/* ---- local targets ----------------------------------------------------------------------------------------------- */

/* Without field a site's log-ratio depends on its code and its number of edges. */
LBP_INLINE uint32_t ising_level(const lbp_ising *m, const lbp_ising_fields *f, const uint8_t *x, uint32_t i) {
  return (void)m, (void)x, f->cell[i].code * 16u + f->cell[i].edges;
}

#define PAIR             ising
#define MODEL            lbp_ising
#define MODEL_FIELDS
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define MODEL_LEVEL      ising_level
#define MODEL_LEVELS     160
#include "pair.h"

#define PAIR             hard
#define MODEL            hard_core
#define MODEL_NEIGHBOURS HARD_CORE_NEIGHBOURS
#define MODEL_LEVEL      hard_core_level
#define MODEL_LEVELS     3
#include "pair.h"

#define PAIR             product
#define MODEL            lbp_bernoulli
#define MODEL_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "pair.h"

#define PAIR             glass
#define MODEL            lbp_graph
#define MODEL_FIELDS
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS 6
#define MODEL_TEMPERED
#include "pair.h"

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  int kernel, sampler;  /* of the target's kernels; LBP_SAMPLER_LBP and the like */
  double R, jumps;      /* R 0: tuned; jumps of a clock's step */
  int rb;               /* marginals are means of conditionals */
} row;

enum { DENSE_BARKER, DENSE_BIRTH_DEATH, DENSE_AB, LOCAL_BARKER = 0, LOCAL_METROPOLIS };

#define BOTH(...) {__VA_ARGS__, 0}, {__VA_ARGS__, 1}
static const row dense_rows[] = {
  BOTH("Gibbs", DENSE_BARKER, LBP_SAMPLER_GIBBS, 0, 0), BOTH("Metropolis", DENSE_BARKER, LBP_SAMPLER_METROPOLIS, 0, 0),
  BOTH("LBP-1", DENSE_BARKER, LBP_SAMPLER_LBP, 1, 0), BOTH("ALBP", DENSE_BARKER, LBP_SAMPLER_LBP, 0, 0),
  BOTH("AB", DENSE_AB, LBP_SAMPLER_AB, 0, 0),
  BOTH("DLP", DENSE_AB, LBP_SAMPLER_DLP, 0, 0), BOTH("clock t/(1+t)", DENSE_BARKER, LBP_SAMPLER_CLOCK, 0, 4),
  BOTH("clock birth-death", DENSE_BIRTH_DEATH, LBP_SAMPLER_CLOCK, 0, 4)};
static const row local_rows[] = {
  {"Gibbs", LOCAL_BARKER, LBP_SAMPLER_GIBBS, 0, 0, 0}, {"Metropolis", LOCAL_BARKER, LBP_SAMPLER_METROPOLIS, 0, 0, 0},
  {"skip Gibbs", LOCAL_BARKER, LBP_SAMPLER_SKIP_GIBBS, 0, 0, 0},
  {"skip Metropolis", LOCAL_BARKER, LBP_SAMPLER_SKIP_METROPOLIS, 0, 0, 0},
  {"LBP-1", LOCAL_BARKER, LBP_SAMPLER_LBP, 1, 0, 0}, {"ALBP", LOCAL_BARKER, LBP_SAMPLER_LBP, 0, 0, 0},
  {"clock t/(1+t)", LOCAL_BARKER, LBP_SAMPLER_CLOCK, 0, 1, 0},
  {"clock min", LOCAL_METROPOLIS, LBP_SAMPLER_CLOCK, 0, 1, 0}};

/* ---- targets ----------------------------------------------------------------------------------------------------- */

enum { MOST_KERNELS = 3, RUNGS = 10 };

typedef struct target target;

struct target {
  const char *name;
  void (*make)(target *t);
  double parameter[5];     /* of make */
  uint32_t n, seed;
  double work;             /* of a batch: evaluations, or weight updates ... */
  double sweeps;           /* ... but so many sweeps, which look at all sites */
  double seconds;          /* what all chains of a cell are expected to take, on two cores */
  double ladder[RUNGS];    /* inverse temperatures; 0, ...: none */
  /* what make sets */
  void *model;
  uint8_t *start;          /* a state to burn in from */
  lbp_kernel kernels[MOST_KERNELS];
  double *truth, variance, doubt; /* inclusion probabilities p; sums over sites: p (1 - p), squares of their errors */
};

static int is_dense(const target *t) { return t->sweeps == 0; }
static const row *rows_of(const target *t) { return is_dense(t) ? dense_rows : local_rows; }
static int row_count(const target *t) {
  return (int)(is_dense(t) ? sizeof dense_rows / sizeof dense_rows[0] : sizeof local_rows / sizeof local_rows[0]);
}

/* ROWS observations of n columns in groups of GROUP, within which they have correlation RHO. SIGNALS columns have
 * coefficients of size SIZE / 2 to 3/2 SIZE and either sign; the noise has variance 1. */
static void make_data(const target *t, double *X, double *y) {
  const uint32_t rows = (uint32_t)t->parameter[0], p = t->n, signals = (uint32_t)t->parameter[2];
  const double rho = t->parameter[1], group = t->parameter[4];
  double common = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, t->seed, 0);
  for (uint32_t r = 0; r < rows; r++) {
    double *x = X + (size_t)r * p;
    for (uint32_t j = 0; j < p; j++) {
      if (j % (uint32_t)group == 0) common = lbp_models_normal(&rng);
      x[j] = sqrt(rho) * common + sqrt(1 - rho) * lbp_models_normal(&rng);
    }
    y[r] = lbp_models_normal(&rng);
  }
  for (uint32_t k = 0; k < signals; k++) {
    const double u = lbp_u01(lbp_rng_u64(&rng)), sign = lbp_rng_u64(&rng) >> 63 ? 1 : -1;
    for (uint32_t r = 0; r < rows; r++) {
      y[r] += sign * t->parameter[3] * (0.5 + u) * X[(size_t)r * p + (2 * k + 1) * p / (2 * signals)];
    }
  }
}

/* g = ROWS; four columns are expected in the model. */
static void make_selection(target *t) {
  const uint32_t rows = (uint32_t)t->parameter[0];
  double *X = (double *)basic_alloc((size_t)rows * t->n, sizeof *X), *y = (double *)basic_alloc(rows, sizeof *y);
  lbp_selection *m = (lbp_selection *)basic_alloc(1, sizeof *m);
  lbp_selection_options o = {0};
  make_data(t, X, y);
  o.g = rows;
  o.inclusion = 4.0 / t->n;
  bench_expect(lbp_selection_init(m, rows, t->n, X, y, &o), t->name);
  t->model = m;
  t->kernels[DENSE_BARKER] = select_kernel();
  t->kernels[DENSE_BIRTH_DEATH] = select_birth_death_kernel();
  t->kernels[DENSE_AB] = select_ab_kernel();
  BENCH_FREE(X, y);
}

/* SIDE x SIDE at BETA, from all ones. */
static void make_ising(target *t) {
  lbp_ising *m = (lbp_ising *)basic_alloc(1, sizeof *m);
  const uint32_t side = (uint32_t)t->parameter[0];
  double *alpha = (double *)basic_alloc(t->n, sizeof *alpha);
  bench_expect(lbp_ising_init(m, side, side, t->parameter[1], alpha), t->name);
  memset(t->start, 1, t->n);
  t->model = m;
  t->kernels[LOCAL_BARKER] = ising_barker_kernel();
  t->kernels[LOCAL_METROPOLIS] = ising_metropolis_kernel();
  free(alpha);
}

/* SIDE x SIDE at this FUGACITY, from one full sublattice. */
static void make_hard(target *t) {
  const uint32_t side = (uint32_t)t->parameter[0];
  t->model = hard_core_make(side, t->parameter[1]);
  for (uint32_t i = 0; i < t->n; i++) t->start[i] = (i / side + i % side) % 2 == 0;
  t->kernels[LOCAL_BARKER] = hard_barker_kernel();
  t->kernels[LOCAL_METROPOLIS] = hard_metropolis_kernel();
}

/* One site in ten has log-odds within 2, the others beyond 7. */
static void make_product(target *t) {
  lbp_bernoulli *m = (lbp_bernoulli *)basic_alloc(1, sizeof *m);
  double *p = (double *)basic_alloc(t->n, sizeof *p);
  lbp_rng rng;
  lbp_rng_init(&rng, t->seed, 0);
  for (uint32_t i = 0; i < t->n; i++) {
    const double u = lbp_u01(lbp_rng_u64(&rng)), sign = lbp_rng_u64(&rng) >> 63 ? 1 : -1;
    p[i] = 1 / (1 + exp(i % 10 == 0 ? 4 * u - 2 : sign * (7 + 3 * u)));
  }
  bench_expect(lbp_bernoulli_init(m, t->n, p), t->name);
  t->model = m;
  t->kernels[LOCAL_BARKER] = product_barker_kernel();
  t->kernels[LOCAL_METROPOLIS] = product_metropolis_kernel();
  free(p);
}

/* Couplings +-BETA by coin between neighbours in three dimensions, SIDE^3 sites, periodic; inverse temperatures are
 * shares of BETA. */
static void make_glass(target *t) {
  lbp_graph *m = (lbp_graph *)basic_alloc(1, sizeof *m);
  const uint32_t side = (uint32_t)t->parameter[0], area = side * side;
  uint32_t *ends = (uint32_t *)basic_alloc(6 * t->n, sizeof *ends), e = 0;
  double *J = (double *)basic_alloc(3 * t->n, sizeof *J);
  lbp_rng rng;
  lbp_rng_init(&rng, t->seed, 0);
  for (uint32_t i = 0; i < t->n; i++) {
    const uint32_t x = i % side, y = i / side % side, z = i / area;
    const uint32_t next[3] = {i - x + (x + 1) % side, i - y * side + (y + 1) % side * side,
                              i - z * area + (z + 1) % side * area};
    t->start[i] = lbp_rng_u64(&rng) >> 63;
    for (int d = 0; d < 3; d++, e++) {
      ends[2 * e] = i;
      ends[2 * e + 1] = next[d];
      J[e] = lbp_rng_u64(&rng) >> 63 ? t->parameter[1] : -t->parameter[1];
    }
  }
  bench_expect(lbp_graph_init(m, t->n, NULL, e, ends, J, 6), t->name);
  bench_expect(lbp_graph_round(m), t->name);
  t->model = m;
  t->kernels[LOCAL_BARKER] = glass_barker_kernel();
  t->kernels[LOCAL_METROPOLIS] = glass_metropolis_kernel();
  BENCH_FREE(ends, J);
}

static target targets[] = {
  {"selection-15-.81", make_selection, {100, 0.81, 5, 0.4, 5}, .n = 15, .seed = 1, .work = 1000, .seconds = 2},
  {"selection-100-.64", make_selection, {100, 0.64, 10, 0.4, 10}, .n = 100, .seed = 1, .work = 4000, .seconds = 15},
  {"selection-100-.94", make_selection, {100, 0.94, 10, 0.3, 10}, .n = 100, .seed = 1, .work = 4000, .seconds = 15},
  {"selection-300-.81", make_selection, {100, 0.81, 10, 0.5, 10}, .n = 300, .seed = 3, .work = 5000, .seconds = 30},
  {"selection-1000-.64", make_selection, {200, 0.64, 10, 0.3, 10}, .n = 1000, .seed = 3, .work = 5000, .seconds = 60},
  {"selection-1000-.64-b", make_selection, {200, 0.64, 10, 0.3, 10}, .n = 1000, .seed = 2, .work = 5000, .seconds = 60},
  {"ising-.8", make_ising, {50, 0.8}, .n = 2500, .work = 2000, .sweeps = 50, .seconds = 10},
  {"ising-1.2", make_ising, {50, 1.2}, .n = 2500, .work = 200, .sweeps = 50, .seconds = 10},
  {"hard-core", make_hard, {30, 30}, .n = 900, .work = 4000, .sweeps = 50, .seconds = 10},
  {"product-800", make_product, {0}, .n = 800, .seed = 1, .work = 2000, .sweeps = 50, .seconds = 10},
  {"product-30", make_product, {0}, .n = 30, .seed = 1, .work = 200, .sweeps = 50, .seconds = 10},
  {"glass-ladder", make_glass, {6, 1.2}, .n = 216, .seed = 1, .work = 100000, .sweeps = 200, .seconds = 60,
   .ladder = {1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1}}};

enum { TARGETS = sizeof targets / sizeof targets[0] };

/* A target that can be used. */
static const target *target_of(int which) {
  target *t = &targets[which];
  if (t->model) return t;
  t->start = (uint8_t *)basic_alloc(t->n, 1);
  t->make(t);
  return t;
}

#endif
