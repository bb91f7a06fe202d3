/* The cells of `make bench-paper`: their names, parameters and seeds. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "../common/samplers.h"
#include "../common/study.h"

typedef enum {
  CELL_CURVE,   /* jump distance and effective sample size against acceptance rate: figures 1 to 4 and 7 to 10 */
  CELL_TABLE,   /* one number each of tables 5 to 16 */
  CELL_GRADIENT, /* the same where a gradient gives estimates of log-ratios */
  CELL_SCALING, /* a curve around its peak, for figure 5 */
  CELL_EPSILON, /* the same against R, for sites that are all alike: tables 3 and 4 */
  CELL_KINDS
} cell_kind;

static const char *const cell_kind_names[CELL_KINDS] = {"curves", "tables", "gradient", "scaling", "epsilon"};
static const char *const kernel_names[] = {"LBP", "GWG", "RWM"};
static const char *const weight_words[WEIGHT_COUNT] = {"barker", "sqrt"};

/* Part of every cell's parameters: to be raised when cells are computed in another way. */
enum { PLAN_REVISION = 2 };

/* A cell's result depends on what is here, and on the model, alone. */
typedef struct {
  STUDY_CELL;
  cell_kind kind;
  int model, config, weight;
  uint32_t extent;          /* of the model: N, p, L or h */
  int kernel;               /* LBP_SAMPLER_RWM, LBP_SAMPLER_GWG or LBP_SAMPLER_LBP */
  const sampler *sampler;   /* of a row: CELL_TABLE, CELL_GRADIENT */
  double p;                 /* CELL_EPSILON: P(x_i = 1) of all sites */
  uint32_t chains, warmup, steps;
  double spacing;           /* of a curve's acceptance rates */
} cell;

static cell *plan_at(const study *p, uint32_t k) { return (cell *)(void *)study_at(p, k); }
static const char *cell_weight(const cell *c) { return c->kernel == LBP_SAMPLER_RWM ? "" : weight_names[c->weight]; }

static int cell_is_row(const cell *c) { return c->kind == CELL_TABLE || c->kind == CELL_GRADIENT; }

/* The models of a table are its columns. */
static int plan_columns(int model) { return model == MODEL_RBM ? EXTENTS : 3 * EXTENTS; }

/* Model and configuration of column k; nothing else. */
static cell plan_column(int model, int k) {
  cell c = {.model = model, .extent = model_extents[model][model == MODEL_RBM ? k : k / 3], .config = k % 3 + 1};
  return c;
}

/* The cell of this kind for the model, the kernel and the weight function of another, of a row that of its sampler. */
static cell *plan_find(const study *p, cell_kind kind, const cell *like) {
  for (uint32_t k = 0; k < p->count; k++) {
    cell *c = plan_at(p, k);
    if (c->kind == kind && c->model == like->model && c->config == like->config && c->extent == like->extent &&
        c->kernel == like->kernel && c->weight == like->weight && (!cell_is_row(c) || c->sampler == like->sampler)) {
      return c;
    }
  }
  return NULL;
}

/* ---- what a cell takes ------------------------------------------------------------------------------------------- */

/* The R of the paper's tuned samplers, from its jump distances: N^(2/3) between its sizes. */
static double plan_expected_r(const study *p, const cell *c) {
  static const char *const tuned[] = {"ALBP", "AGWG", "ARWM"};
  const uint32_t extent = bench_table1_extent(c->model, c->config);
  const double growth = (double)bench_model_sites(c->model, c->extent) / bench_model_sites(c->model, extent);
  char name[ROW_NAME];
  name_row(name, c->model, c->config, extent, tuned[c->kernel], cell_weight(c));
  const double ejd = look_up(p->data, name).paper.ejd;
  if (ejd < 0) return 1;
  return c->kernel == LBP_SAMPLER_RWM ? ejd / 0.234 : ejd / 0.574 * pow(growth, 2.0 / 3.0);
}

/* Measured on one core of a server of 2023. */
static double plan_step_seconds(const cell *c, double r) {
  static const double flip[MODEL_COUNT] = {12e-9, 32e-9, 38e-9, 0};
  if (c->kernel == LBP_SAMPLER_RWM) return 1e-7 + 6e-9 * r;
  if (c->model == MODEL_RBM) return 1e-6 + 36e-9 * c->extent;
  if (c->kind == CELL_GRADIENT) return 5e-9 * bench_model_sites(c->model, c->extent);
  return 1.5e-7 + flip[c->model] * r;
}

static double plan_seconds(const study *p, const cell *c) {
  const double r = c->kind == CELL_EPSILON ? c->extent / 4.0 : plan_expected_r(p, c);
  const double steps = (double)c->chains * (c->warmup + c->steps) / 2;
  if (cell_is_row(c)) return steps * plan_step_seconds(c, c->sampler->mode == MODE_ONE ? 1 : r);
  const double curve = steps * plan_step_seconds(c, 1.15 * r);
  return c->kind == CELL_CURVE ? curve * 0.95 / c->spacing : c->kind == CELL_SCALING ? curve * 11 : curve * 16;
}

/* ---- names and seeds --------------------------------------------------------------------------------------------- */

static void plan_name(const study *p, cell *c) {
  char weight[16] = "", path[1024], why[INPUT_WHY];
  uint64_t fingerprint = 1; /* of a model made from a seed: bench_model_make */
  size_t length;
  if (c->kernel != LBP_SAMPLER_RWM) snprintf(weight, sizeof weight, "-%s", weight_words[c->weight]);
  if (c->kind == CELL_EPSILON) {
    snprintf(c->key, sizeof c->key, "%s/p=%g/N=%u/%s%s", cell_kind_names[c->kind], c->p, (unsigned)c->extent,
             kernel_names[c->kernel], weight);
  } else {
    snprintf(c->key, sizeof c->key, "%s/%s/%c=%u/C%d/%s%s", cell_kind_names[c->kind], model_names[c->model],
             model_letters[c->model], (unsigned)c->extent, c->config,
             cell_is_row(c) ? c->sampler->name : kernel_names[c->kernel], weight);
    if (bench_model_file(c->model, c->extent, c->config, p->data, path, sizeof path) &&
        instance_fingerprint(path, &fingerprint, why) != LBP_OK) {
      basic_die("%s", why);
    }
  }
  length = study_begin(p, c->parameters, sizeof c->parameters, PLAN_REVISION);
  length += (size_t)snprintf(c->parameters + length, sizeof c->parameters - length,
                             " model=%" PRIx64 " chains=%u warmup=%u steps=%u", fingerprint, (unsigned)c->chains,
                             (unsigned)c->warmup, (unsigned)c->steps);
  if (c->kind == CELL_CURVE) snprintf(c->parameters + length, sizeof c->parameters - length, " spacing=%g", c->spacing);
  if (c->kind == CELL_EPSILON) snprintf(c->parameters + length, sizeof c->parameters - length, " R=whole");
  if (c->kind == CELL_TABLE && c->sampler->mode == MODE_GRID) { /* R is the curve's best: of another, another cell */
    snprintf(c->parameters + length, sizeof c->parameters - length, " curve=%016" PRIx64,
             plan_find(p, CELL_CURVE, c)->seed);
  }
}

static void plan_add(study *p, cell c) {
  plan_name(p, &c);
  c.seed = study_seed(c.key, c.parameters);
  c.seconds = plan_seconds(p, &c);
  study_add(p, &c);
}

/* ---- all cells --------------------------------------------------------------------------------------------------- */

static int plan_is_large(int model, uint32_t extent) {
  return extent == model_extents[model][2] && model != MODEL_BERNOULLI;
}

/* One curve for every kernel and weight function. */
static void plan_curves(study *p, cell c) {
  const int large = plan_is_large(c.model, c.extent);
  c.kind = CELL_CURVE;
  c.spacing = p->quick ? 0.05 : 0.02;
  for (c.kernel = LBP_SAMPLER_RWM; c.kernel >= LBP_SAMPLER_LBP; c.kernel--) {
    for (c.weight = 0; c.weight < (c.kernel == LBP_SAMPLER_RWM ? 1 : WEIGHT_COUNT); c.weight++) {
      const int rwm = c.kernel == LBP_SAMPLER_RWM;
      c.warmup = 300;
      c.chains = rwm ? (p->quick ? 16 : 64) : large ? 8 : 16;
      c.steps = rwm ? (p->quick ? 5000 : 10000) : p->quick ? 500 : c.model == MODEL_RBM ? 3000 : 4000;
      plan_add(p, c);
    }
  }
}

/* Fifteen rows. The paper's 100 chains, but where that takes minutes a cell: there as many as keep standard errors below
 * a percent. */
static void plan_table(study *p, cell c, uint32_t steps) {
  c.kind = CELL_TABLE;
  for (int s = 0; s < SAMPLERS; s++) {
    c.sampler = &samplers[s];
    c.kernel = c.sampler->kernel;
    if (c.kernel == LBP_SAMPLER_GIBBS) continue;
    c.chains = 100;
    if (plan_is_large(c.model, c.extent) && c.kernel != LBP_SAMPLER_RWM && (c.sampler->mode != MODE_ONE || c.model == MODEL_RBM)) {
      c.chains = 25;
    }
    if (c.model == MODEL_RBM && c.extent == 400 && c.kernel != LBP_SAMPLER_RWM) c.chains = 50;
    if (p->quick) c.chains = 4;
    c.warmup = steps / 2;
    c.steps = steps - c.warmup;
    for (c.weight = 0; c.weight < (c.kernel == LBP_SAMPLER_RWM ? 1 : WEIGHT_COUNT); c.weight++) {
      plan_add(p, c);
    }
  }
}

/* LBP-R and GWG-R by estimates on the middle sizes, beside the same rows of the tables. */
static void plan_gradient(study *p, cell c) {
  c.kind = CELL_GRADIENT;
  c.chains = p->quick ? 4 : 25;
  c.warmup = c.steps = bench_model_steps(c.model, c.extent) / 2;
  for (int s = 0; s < SAMPLERS; s++) {
    c.sampler = &samplers[s];
    c.kernel = c.sampler->kernel;
    if (c.sampler->mode != MODE_TUNED && (c.sampler->mode != MODE_ONE || c.kernel != LBP_SAMPLER_LBP)) continue;
    if (!is_weighted(c.sampler)) continue;
    for (c.weight = 0; c.weight < WEIGHT_COUNT; c.weight++) plan_add(p, c);
  }
}

static void plan_scaling(study *p, cell c) {
  static const uint32_t sizes[3][14] = {
    {100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 102400, 204800, 409600},
    {10, 14, 20, 28, 40, 57, 80, 113, 160, 226},
    {25, 50, 100, 200, 400, 800, 1600, 3200, 6400}};
  c.kind = CELL_SCALING;
  for (int k = 0; k < 14 && sizes[c.model][k]; k += p->quick ? 2 : 1) {
    c.extent = sizes[c.model][k];
    for (c.kernel = LBP_SAMPLER_RWM; c.kernel >= LBP_SAMPLER_LBP; c.kernel -= 2) {
      const int large = bench_model_sites(c.model, c.extent) > 20000, rwm = c.kernel == LBP_SAMPLER_RWM;
      c.warmup = 300;
      c.chains = rwm ? (large ? 16 : 64) : large ? 8 : 16;
      c.steps = (rwm ? (large ? 40000 : 10000) : large ? 2000 : 4000) / (p->quick ? 6 : 1);
      plan_add(p, c);
    }
  }
}

/* How the acceptance rate approaches 0.574: with all p_i = 1/2 - epsilon, or all p_i = epsilon. The paper's N, those from
 * half to double of it, to see where 0.574 comes within reach, and two larger ones. Many short chains, each from an
 * independent draw of the target: with R = 2 a chain keeps its number of ones even or odd for ever. */
enum { EPSILON_ROWS = 8, EPSILON_AROUND = 9 };

typedef struct {
  double epsilon;
  int half;         /* p = 1/2 - epsilon, of table 3; else epsilon, of table 4 */
  uint32_t paper_n;
} epsilon_row;

static const epsilon_row epsilon_rows[EPSILON_ROWS] = {
  {0.1, 1, 10},  {0.05, 1, 40},   {0.025, 1, 160},  {0.0125, 1, 640},
  {0.01, 0, 50}, {0.005, 0, 100}, {0.0025, 0, 200}, {0.00125, 0, 400}};

static double epsilon_p(const epsilon_row *row) { return row->half ? 0.5 - row->epsilon : row->epsilon; }

static uint32_t epsilon_n(const epsilon_row *row, int k) {
  if (k >= EPSILON_AROUND) return row->paper_n << (2 * (k - EPSILON_AROUND) + 2);
  return (uint32_t)(row->paper_n * pow(2, (k - EPSILON_AROUND / 2) / 4.0) + 0.5);
}

static void plan_epsilon(study *p, cell c) {
  c.kind = CELL_EPSILON;
  c.model = MODEL_BERNOULLI;
  c.kernel = LBP_SAMPLER_LBP;
  c.weight = WEIGHT_SQRT;
  c.config = 1;
  c.warmup = 0;
  for (int row = 0; row < EPSILON_ROWS; row++) {
    c.p = epsilon_p(&epsilon_rows[row]);
    for (int k = 0; k < EPSILON_AROUND + 2; k++) {
      c.extent = epsilon_n(&epsilon_rows[row], k);
      c.chains = (c.extent > 2000 ? 400 : 2000) / (p->quick ? 4 : 1);
      c.steps = c.extent > 2000 ? 60 : 40;
      plan_add(p, c);
    }
  }
}

static void plan_make(study *p) {
  cell c;
  for (int model = 0; model < MODEL_COUNT; model++) {
    for (int k = 0; k < plan_columns(model); k++) {
      c = plan_column(model, k);
      plan_curves(p, c);
      plan_table(p, c, bench_model_steps(model, c.extent));
      if ((model == MODEL_ISING || model == MODEL_FHMM) && c.extent == model_extents[model][1]) plan_gradient(p, c);
    }
  }
  memset(&c, 0, sizeof c);
  for (c.model = 0; c.model < MODEL_RBM; c.model++) {
    for (c.config = 1; c.config <= 3; c.config++) plan_scaling(p, c);
  }
  plan_epsilon(p, c);
}

#endif
