/* The targets and cells of `make bench-any-scale`: their parameters and seeds. */
#ifndef BENCH_ANY_SCALE_PLAN_H
#define BENCH_ANY_SCALE_PLAN_H

#include "../../lbp_run.h"
#include "../common/study.h"

#include "matrices.h"

#define AB_NAME      independent
#define AB_MODEL_T   lbp_bernoulli
#define LBP_GRADIENT lbp_bernoulli_gradient
#include "ab_runner.h"

#define AB_NAME         graph
#define AB_MODEL_T      lbp_graph
#define LBP_GRADIENT    lbp_graph_gradient
#define LBP_CONDITIONAL lbp_graph_conditional
#define AB_HESSIAN      graph_hessian
#include "ab_runner.h"

#define AB_NAME         lattice
#define AB_MODEL_T      lbp_lattice
#define LBP_GRADIENT    lbp_lattice_gradient
#define LBP_CONDITIONAL lbp_lattice_conditional
#define AB_HESSIAN      lattice_hessian
#include "ab_runner.h"

#define AB_NAME      logistic
#define AB_MODEL_T   lbp_logistic
#define LBP_GRADIENT lbp_logistic_gradient
#define LBP_LOGP     lbp_logistic_logp
#include "ab_runner.h"

#define AB_NAME      quartic
#define AB_MODEL_T   lbp_quartic
#define LBP_GRADIENT lbp_quartic_gradient
#define LBP_LOGP     lbp_quartic_logp
#include "ab_runner.h"

/* ---- targets ----------------------------------------------------------------------------------------------------- */

typedef enum { TARGET_GRID, TARGET_BA, TARGET_ROTATION, TARGET_SPARSE, TARGET_LOGISTIC, TARGET_QUARTIC, TARGET_INDEPENDENT } family;

typedef struct {
  const char *name;
  family family;
  double parameter; /* coupling, or condition L */
  uint32_t d, states;
  double seconds;   /* of a second-order step, about */
} target;

/* In the order of the table that follows: three of each family, at low, medium and high coupling or condition. */
enum {
  GRID, BA = GRID + 3, ROTATION = BA + 3, SPARSE = ROTATION + 3, LOGISTIC = SPARSE + 3, QUARTIC, INDEPENDENT, GRID_LARGE,
  BA_LARGE, TARGETS
};

enum { MODEL_SEED = 2026 };

static const target targets[TARGETS] = {
  {"grid-0.3", TARGET_GRID, 0.3, 400, 2, 16e-6},         {"grid-0.4407", TARGET_GRID, 0.4407, 400, 2, 16e-6},
  {"grid-0.7071", TARGET_GRID, 0.7071, 400, 2, 16e-6},   {"ba-0.3", TARGET_BA, 0.3, 400, 2, 16e-6},
  {"ba-0.4407", TARGET_BA, 0.4407, 400, 2, 16e-6},       {"ba-0.7071", TARGET_BA, 0.7071, 400, 2, 16e-6},
  {"rotation-2", TARGET_ROTATION, 2, 100, 21, 8e-6},     {"rotation-10", TARGET_ROTATION, 10, 100, 21, 8e-6},
  {"rotation-50", TARGET_ROTATION, 50, 100, 21, 8e-6},   {"sparse-2", TARGET_SPARSE, 2, 100, 21, 8e-6},
  {"sparse-10", TARGET_SPARSE, 10, 100, 21, 8e-6},       {"sparse-50", TARGET_SPARSE, 50, 100, 21, 8e-6},
  {"logistic", TARGET_LOGISTIC, 0, 100, 2, 5e-6},        {"quartic", TARGET_QUARTIC, 0, 50, 21, 8e-6},
  {"independent", TARGET_INDEPENDENT, 0, 100, 2, 2e-6},  {"grid-10000", TARGET_GRID, 0.3, 10000, 2, 250e-6},
  {"ba-10000", TARGET_BA, 0.3, 10000, 2, 300e-6}};

/* ---- other readings of the paper --------------------------------------------------------------------------------- */

/* What the paper may have done that its text does not say: its tables' cells of these families, and of this sampler or
 * of all, once for each variant. */
typedef enum {
  READING_ATTACH,    /* graphs whose new sites have two edges each: several of them */
  READING_TIE,       /* AB-max with other diagonals of the same largest eigenvalue: in the middle, of largest trace */
  READING_SHARED,    /* one random state for all chains, where here each has its own: AB_SHARED of them in one cell */
  READING_INSTANCE,  /* other graphs and matrices from the same law */
  READINGS
} ab_reading;

typedef struct {
  const char *name, *text;
  int families;         /* a bit each */
  const char *sampler;  /* NULL: all */
  uint32_t variants, chains;
  int ours;             /* is ours a variant, too? */
} ab_reading_of;

static const ab_reading_of ab_readings[READINGS] = {
  {"attach", "two edges for a new site", 1 << TARGET_BA, NULL, 3, 6, 0},
  {"tie", "other D with the same largest eigenvalue", 1 << TARGET_BA | 1 << TARGET_SPARSE, "AB-max", 2, 10, 1},
  {"shared", "one random state for all chains", 1 << TARGET_GRID, NULL, 1, 10, 0},
  {"instance", "other graphs or matrices", 1 << TARGET_BA | 1 << TARGET_SPARSE, NULL, 3, 4, 1}};

/* The weights of LBP_DIAGONAL_TIE in READING_TIE. */
static const double ab_ties[2] = {0, -1e-4};

/* ---- models ------------------------------------------------------------------------------------------------------ */

typedef union {
  lbp_graph graph;
  lbp_lattice lattice;
  lbp_logistic logistic;
  lbp_quartic quartic;
  lbp_bernoulli bernoulli;
} ab_model;

typedef struct {
  const target *target;
  uint64_t seed;
  uint32_t attach; /* edges of a new site */
} ab_instance;

static void ab_model_make(ab_model *m, const ab_instance *i) {
  const target *t = i->target;
  const uint32_t side = (uint32_t)(sqrt(t->d) + 0.5);
  const double L = t->parameter;
  int status = LBP_OK;
  switch (t->family) {
    case TARGET_GRID: status = lbp_graph_grid(&m->graph, side, side, t->parameter); break;
    case TARGET_BA: status = lbp_graph_barabasi_albert(&m->graph, t->d, i->attach, t->parameter, i->seed); break;
    case TARGET_ROTATION: status = lbp_lattice_random_rotation(&m->lattice, t->d, t->states, L, i->seed); break;
    case TARGET_SPARSE: status = lbp_lattice_random_cycle(&m->lattice, t->d, t->states, L, i->seed); break;
    case TARGET_LOGISTIC: status = lbp_logistic_random(&m->logistic, t->d, 50, i->seed); break;
    case TARGET_QUARTIC: status = lbp_quartic_random(&m->quartic, t->d, t->states, 50, i->seed); break;
    default: status = lbp_bernoulli_random(&m->bernoulli, t->d, LBP_C2, i->seed);
  }
  if (status != LBP_OK) basic_die("%s: %s", t->name, lbp_error(status));
}

/* A model; all that have been made stay. */
static const ab_model *ab_model_get(const ab_instance *i) {
  enum { MOST = 64 };
  static ab_model models[MOST];
  static ab_instance of[MOST];
  static int made;
  for (int k = 0; k < made; k++) {
    if (of[k].target == i->target && of[k].seed == i->seed && of[k].attach == i->attach) return &models[k];
  }
  if (made == MOST) basic_die("%s: too many models", i->target->name);
  ab_model_make(&models[made], i);
  of[made] = *i;
  return &models[made++];
}

/* One chain on a target. */
static void ab_measure(const ab_instance *i, const ab_spec *spec, uint32_t k, ab_outcome *out) {
  static void (*const measures[])(const void *, const ab_spec *, uint32_t, ab_outcome *) = {
    graph_measure, graph_measure, lattice_measure, lattice_measure, logistic_measure, quartic_measure,
    independent_measure};
  measures[i->target->family](ab_model_get(i), spec, k, out);
}

enum {
  SAMPLE_GIBBS, SAMPLE_RWM, SAMPLE_DLP, SAMPLE_DLP_TRACE, SAMPLE_FIRST, SAMPLE_SHIFT, SAMPLE_MAX, SAMPLE_TRACE, SAMPLE_PRINTED,
  SAMPLE_SHIFT_DAMPED, SAMPLE_DAMPED, SAMPLE_HESSIAN, SAMPLE_DOMINANT, SAMPLE_MOMENTUM, AB_SAMPLERS
};

static const ab_sampler ab_samplers[AB_SAMPLERS] = {
  {"Gibbs", AB_GIBBS, 0, 0, 0, 0}, {"RWM", AB_RWM, 0, 0, 0, 0}, {"DLP", AB_DLP, 0, 0, 0, 0},
  {"DLP-trace", AB_DLP_TRACE, LBP_DIAGONAL_TRACE, 0, 0, 0}, {"AB-1st", AB_FIRST, 0, 0, 0, 0},
  {"AB-shift", AB_SECOND, LBP_DIAGONAL_SHIFT, 0, 0, 0}, {"AB-max", AB_SECOND, LBP_DIAGONAL_MAX, 0, 0, 0},
  {"AB-trace", AB_SECOND, LBP_DIAGONAL_TRACE, 0, 0, 0},
  {"AB-trace-as-printed", AB_SECOND, LBP_DIAGONAL_TRACE, 1, 0, 0},
  {"AB-shift-damped", AB_SECOND, LBP_DIAGONAL_SHIFT, 0, 1, 0},
  {"AB-trace-damped", AB_SECOND, LBP_DIAGONAL_TRACE, 0, 1, 0},
  {"AB-trace-Hessian", AB_SECOND, LBP_DIAGONAL_TRACE, 0, 1, 1},
  {"AB-dominant-Hessian", AB_SECOND, LBP_DIAGONAL_DOMINANT, 0, 1, 1},
  {"momentum", AB_MOMENTUM, LBP_DIAGONAL_TRACE, 0, 0, 1}};

/* ---- cells ------------------------------------------------------------------------------------------------------- */

typedef enum {
  AB_CELL_TABLE,  /* tables 1 to 5, bars of figures 2 and 3 */
  AB_CELL_ALPHA,  /* figure 1: effective samples against alpha, for several sigma */
  AB_CELL_BEST,   /* fixed settings in the metric of D: what adapting should reach */
  AB_CELL_MAP,    /* figures 2 and 3: the map over (sigma, alpha) */
  AB_CELL_READING,/* a cell of tables 1 to 5 by another reading of the paper */
  AB_CELL_MOMENTUM, /* steps with a momentum by fixed settings, and what they are compared with */
  AB_CELL_KINDS
} ab_cell_kind;

static const char *const ab_kind_names[AB_CELL_KINDS] = {"tables", "figure1", "best", "maps", "readings", "momentum"};

typedef struct {
  STUDY_CELL;
  ab_cell_kind kind;
  ab_reading reading;
  uint32_t variant;
  ab_instance instance;
  const target *target;
  const ab_sampler *sampler;
  ab_spec spec;
  uint32_t chains;
} ab_cell;

static const ab_cell *ab_cell_at(const study *p, uint32_t k) { return (const ab_cell *)(const void *)study_at(p, k); }

/* A cell's numbers in the journal: doubles alone. ESS per 10,000 queries; the rest means over chains, parameters as
 * geometric means. */
typedef struct {
  estimate ess;
  double ess_rate, acceptance, jump, step_seconds, shared[AB_SHARED];
  double first, alpha, second, damping, residual, failed;
  estimate logp, worst; /* effective samples of log pi, of the worst site, per 10,000 queries; and per second */
  double logp_rate, worst_rate;
} ab_result;

static ab_result ab_collect(const ab_outcome *outcomes, uint32_t chains) {
  double *ess = (double *)basic_alloc((size_t)3 * chains, sizeof *ess), *logp = ess + chains, *worst = logp + chains;
  double seconds = 0, raw = 0;
  ab_result r = {0};
  for (uint32_t k = 0; k < chains; k++) {
    const ab_outcome *o = &outcomes[k];
    ess[k] = o->ess * 1e4 / o->queries;
    logp[k] = o->logp * 1e4 / o->queries;
    worst[k] = o->worst * 1e4 / o->queries;
    r.logp_rate += o->logp;
    r.worst_rate += o->worst;
    raw += o->ess;
    seconds += o->seconds;
    r.acceptance += o->acceptance / chains;
    r.jump += o->jump / chains;
    r.alpha += o->alpha / chains;
    r.residual += o->residual / chains;
    if (o->first > 0) r.first += log(o->first) / chains;
    if (o->second > 0) r.second += log(o->second) / chains;
    if (o->damping > 0) r.damping += log(o->damping) / chains;
    r.failed += o->status != LBP_OK;
    for (int q = 0; q < AB_SHARED; q++) r.shared[q] += o->shared[q] * 1e4 / o->queries / chains;
  }
  r.first = exp(r.first);
  r.second = exp(r.second);
  r.damping = exp(r.damping);
  r.ess = bench_estimate(ess, chains);
  r.logp = bench_estimate(logp, chains);
  r.worst = bench_estimate(worst, chains);
  r.ess_rate = raw / seconds;
  r.logp_rate /= seconds;
  r.worst_rate /= seconds;
  r.step_seconds = seconds / chains;
  free(ess);
  return r;
}

static int ab_fits(const void *cell, uint32_t count) { return (void)cell, count == sizeof(ab_result) / sizeof(double); }

static const ab_result *ab_find(const study *p, const ab_cell *c) {
  const journal_entry *e = study_find(p, c);
  return e ? (const ab_result *)(const void *)e->values : NULL;
}

static double ab_step_seconds(const ab_cell *c) {
  const double step = c->target->seconds;
  switch (c->sampler->kernel) {
    case AB_GIBBS: return c->target->family >= TARGET_LOGISTIC ? 2 * step : 2e-7;
    case AB_MOMENTUM:
    case AB_SECOND: return c->sampler->hessian || c->target->states > 2 ? step : 2.5 * step;
    default: return step / 2;
  }
}

/* Part of every cell's parameters: to be raised when cells are computed in another way. */
enum { ANY_SCALE_REVISION = 3 };

static void ab_plan_add(study *p, ab_cell c) {
  size_t length;
  char where[64] = "";
  c.spec.sampler = c.sampler;
  c.spec.d = c.target->d;
  c.spec.states = c.target->states;
  if (!c.instance.attach) c.instance = (ab_instance){c.target, MODEL_SEED, 4};
  if (c.kind == AB_CELL_READING) {
    snprintf(where, sizeof where, "/%s-%u", ab_readings[c.reading].name, (unsigned)c.variant);
  } else if (c.kind == AB_CELL_BEST && c.spec.setting == AB_ADAPTED) {
    snprintf(where, sizeof where, "/adapted");
  } else if (c.spec.setting == AB_FIXED_EPS) {
    snprintf(where, sizeof where, "/eps=%g,relax=%g", c.spec.fixed[0], c.spec.fixed[1]);
  } else if (c.kind == AB_CELL_BEST) {
    snprintf(where, sizeof where, "/s=%g,rho=%g,damping=%g", c.spec.fixed[0], c.spec.fixed[1], c.spec.fixed[2]);
  } else if (c.kind != AB_CELL_TABLE && c.kind != AB_CELL_MOMENTUM) {
    snprintf(where, sizeof where, "/sigma=%g,alpha=%g", c.spec.fixed[0], c.spec.fixed[1]);
  }
  length = (size_t)snprintf(c.key, sizeof c.key, "%s/%s/%s%s", ab_kind_names[c.kind], c.target->name, c.sampler->name, where);
  if (length >= sizeof c.key) basic_die("%s: too long a name", c.key);
  length = study_begin(p, c.parameters, sizeof c.parameters, ANY_SCALE_REVISION);
  snprintf(c.parameters + length, sizeof c.parameters - length, " instance=%u attach=%u chains=%u warmup=%u steps=%u",
           (unsigned)c.instance.seed, (unsigned)c.instance.attach, (unsigned)c.chains, (unsigned)c.spec.warmup,
           (unsigned)c.spec.steps);
  /* all settings of a target share their chains' seeds, so that their W and D are the same */
  const int own = c.kind == AB_CELL_TABLE || c.kind == AB_CELL_READING;
  c.spec.seed = c.seed = study_seed(own ? c.key : c.target->name, c.parameters);
  c.seconds = (double)c.chains * (c.spec.warmup + c.spec.steps) * ab_step_seconds(&c) / 2;
  if (c.sampler->diagonal == LBP_DIAGONAL_MAX) c.seconds += c.chains * 3e-8 * pow(c.spec.d, 3); /* Newton's steps */
  study_add(p, &c);
}

/* The cells of the paper's tables: its seven samplers on twelve targets, and DLP-trace in table 1, the medium ones. */
static int ab_is_paper(const target *t, const ab_sampler *s) {
  const int k = (int)(s - ab_samplers);
  const int medium = (t - targets) % 3 == 1;
  return t->family <= TARGET_SPARSE && t->d <= 400 && k <= SAMPLE_TRACE && (k != SAMPLE_DLP_TRACE || medium);
}

/* Does the table of this target have a row of this sampler? The two large graphs have only those that need no more than
 * O(edges); the Hessian is constant on quadratic targets, and sparse on some. */
static int ab_has_row(const target *t, const ab_sampler *s) {
  const int sparse = t->family == TARGET_GRID || t->family == TARGET_BA || t->family == TARGET_SPARSE;
  if (t->family == TARGET_INDEPENDENT || s->kernel == AB_MOMENTUM) return 0;
  if (t->d > 1000) return s->kernel == AB_GIBBS || s->kernel == AB_RWM || s->kernel == AB_DLP || s->diagonal == LBP_DIAGONAL_DOMINANT;
  if (s->diagonal == LBP_DIAGONAL_DOMINANT) return sparse;
  return !s->hessian || t->family <= TARGET_SPARSE;
}

static void ab_plan_tables(study *p) {
  ab_cell c = {0};
  c.kind = AB_CELL_TABLE;
  for (c.target = targets; c.target < targets + TARGETS; c.target++) {
    const int large = c.target->d > 1000;
    c.spec.warmup = large ? 4000 : 20000;
    c.spec.steps = large || p->quick ? 16000 : 80000;
    for (int s = 0; s < AB_SAMPLERS; s++) {
      c.sampler = &ab_samplers[s];
      const int slow = s == SAMPLE_MAX && c.target->d == 400;
      c.chains = p->quick || large ? 4 : !ab_is_paper(c.target, c.sampler) ? 10 : slow ? 25 : 100;
      if (ab_has_row(c.target, c.sampler)) ab_plan_add(p, c);
    }
  }
}

/* A cell of settings, on some target. */
static ab_cell ab_plan_settings(const study *p, ab_cell_kind kind, int sampler, ab_setting setting, uint32_t warmup) {
  ab_cell c = {.kind = kind, .sampler = &ab_samplers[sampler], .chains = p->quick ? 4 : 10};
  c.spec.setting = setting;
  c.spec.warmup = warmup;
  c.spec.steps = p->quick ? 8000 : 40000;
  return c;
}

/* All pairs of settings, in a quick run every second one of both. */
static void ab_plan_grid(study *p, ab_cell c, const double *first, int firsts, const double *last, int lasts,
                         int which) {
  const int step = p->quick ? 2 : 1;
  for (int i = 0; i < firsts; i += step) {
    for (int k = 0; k < lasts; k += step) {
      c.spec.fixed[0] = first[i];
      c.spec.fixed[which] = last[k];
      ab_plan_add(p, c);
    }
  }
}

/* Figure 1: fixed (sigma, alpha) of the first-order sampler on independent sites. */
static void ab_plan_alpha(study *p) {
  static const double sigmas[] = {0.25, 0.5, 1, 2, 4, 16};
  ab_cell c = ab_plan_settings(p, AB_CELL_ALPHA, SAMPLE_FIRST, AB_FIXED_SIGMA, 2000);
  double alphas[13];
  c.target = &targets[INDEPENDENT];
  for (int k = 0; k < 13; k++) alphas[k] = 0.4 + 0.05 * k;
  for (int i = 0; i < 6; i++) ab_plan_grid(p, c, &sigmas[i], 1, alphas, 13, 1); /* all sigma, in a quick run too */
}

static void ab_plan_best(study *p) {
  static const int chosen[] = {GRID, BA + 1, ROTATION + 1, SPARSE + 1, SPARSE + 2, LOGISTIC, QUARTIC};
  static const double s[] = {10, 30, 100, 1000}, damping[] = {1, 0.8, 0.6, 0.4};
  ab_cell c = ab_plan_settings(p, AB_CELL_BEST, SAMPLE_DAMPED, AB_ADAPTED, 20000), fixed = c;
  fixed.spec.setting = AB_FIXED_D;
  fixed.spec.fixed[1] = 1;
  for (int t = 0; t < 7; t++) {
    c.target = fixed.target = &targets[chosen[t]];
    ab_plan_add(p, c); /* adapted, from the same seeds */
    ab_plan_grid(p, fixed, s, 4, damping, 4, 2);
  }
}

static void ab_plan_maps(study *p) {
  static const double sigmas[2][6] = {{1, 4, 16, 64, 256, 1024}, {10, 40, 100, 400, 1000, 4000}};
  static const double alphas[7] = {0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 1};
  ab_cell c = ab_plan_settings(p, AB_CELL_MAP, SAMPLE_TRACE, AB_FIXED_SIGMA, 20000);
  for (int t = 0; t < 2; t++) {
    c.target = &targets[t ? QUARTIC : LOGISTIC];
    ab_plan_grid(p, c, sigmas[t], 6, alphas, 7, 1);
  }
}

/* Another reading of the paper's tables; a quick run has but the medium columns. */
static void ab_plan_reading(study *p, ab_reading reading) {
  const ab_reading_of *r = &ab_readings[reading];
  ab_cell c = {.kind = AB_CELL_READING, .reading = reading, .chains = p->quick ? 4 : r->chains};
  c.spec.warmup = 20000;
  c.spec.steps = p->quick ? 16000 : 80000;
  c.spec.shared = reading == READING_SHARED;
  for (int t = p->quick ? 1 : 0; t < LOGISTIC; t += p->quick ? 3 : 1) {
    c.target = &targets[t];
    for (int s = 0; s <= SAMPLE_TRACE; s++) {
      c.sampler = &ab_samplers[s];
      if (!(r->families >> c.target->family & 1) || !ab_is_paper(c.target, c.sampler)) continue;
      if (r->sampler && strcmp(r->sampler, c.sampler->name) != 0) continue;
      for (c.variant = 0; c.variant < r->variants; c.variant++) {
        const int other = reading == READING_INSTANCE || reading == READING_ATTACH;
        c.instance = (ab_instance){c.target, MODEL_SEED + (other ? 1 + c.variant : 0),
                                   reading == READING_ATTACH ? 2 : 4};
        ab_plan_add(p, c);
      }
    }
  }
}

/* Steps with a momentum on the quadratic targets, by fixed settings, and what they are compared with. */
static void ab_plan_momentum(study *p) {
  static const int chosen[] = {GRID, GRID + 1, GRID + 2, BA, BA + 1, ROTATION + 1, ROTATION + 2, SPARSE + 1, SPARSE + 2};
  static const int beside[] = {SAMPLE_DLP, SAMPLE_FIRST, SAMPLE_HESSIAN};
  static const double settings[][2] = {{0, 0},     {0, 1},     {0.7, 0},   {0.7, 1},   {0.9, 0},   {0.9, 1},
                                       {0.5, 0.4}, {0.8, 0.4}, {0.5, 0.6}, {0.8, 0.6}, {0.5, 0.8}, {0.8, 0.8}};
  for (int t = 0; t < 9; t++) {
    ab_cell c = ab_plan_settings(p, AB_CELL_MOMENTUM, SAMPLE_MOMENTUM, AB_FIXED_EPS, 4000);
    c.target = &targets[chosen[t]];
    c.spec.more = 1;
    for (int k = 0; k < 12; k++) {
      if (p->quick && k != 3 && k != 4 && k != 7) continue; /* the default, its neighbours */
      memcpy(c.spec.fixed, settings[k], sizeof settings[k]);
      ab_plan_add(p, c);
    }
    c.spec.setting = AB_ADAPTED;
    c.spec.warmup = 20000;
    memset(c.spec.fixed, 0, sizeof c.spec.fixed);
    for (int k = 0; k < 3; k++) {
      c.sampler = &ab_samplers[beside[k]];
      ab_plan_add(p, c);
    }
  }
}

static void ab_plan_make(study *p) {
  ab_plan_tables(p);
  ab_plan_alpha(p);
  ab_plan_best(p);
  ab_plan_maps(p);
  for (int r = 0; r < READINGS; r++) ab_plan_reading(p, (ab_reading)r);
  ab_plan_momentum(p);
}

#endif
