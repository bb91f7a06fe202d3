/* compare - which sampler for which model: effective samples per second and per evaluation of the model, of every
 * sampler of lbp.h, of single-site Metropolis and of clusters, on easy, critical and sharp targets, in one run on one
 * machine (see README.md). Run `make bench-compare`, or build/bench/compare --help. Writes compare.csv and a
 * picture. */
#include "../../lbp_models.h"
#include "../common/journal.h"
#include "../common/runner.h"
#include "clusters.h"

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

enum { WEIGHT_BARKER, WEIGHT_SQRT, WEIGHT_COUNT };
enum { PER_STEP, PER_SECOND };

/* Rows behind those of lbp.h in a model's kernels; clusters where there is no field. */
enum { RUN_METROPOLIS = LBP_SAMPLER_DEFAULT + 1, RUN_WOLFF, RUN_SWENDSEN_WANG };

typedef struct {
  const char *name, *shown, *weight; /* shown: name in the weight function's company */
  int row;       /* of the kernel */
  int set;       /* index into target.kernels */
  double R;      /* 0: tuned, unless a step is a sweep */
  int objective; /* R is tuned for jump distance per this */
} sampler;

/* A new one is a row here, and if its step is new, a row of the kernels. */
static const sampler samplers[] = {
  {"RWM-1", "RWM-1", "", LBP_SAMPLER_RWM, WEIGHT_BARKER, 1, PER_STEP},
  {"ARWM", "ARWM", "", LBP_SAMPLER_RWM, WEIGHT_BARKER, 0, PER_STEP},
  {"LBP-1", "LBP-1 t/(1+t)", "t/(1+t)", LBP_SAMPLER_LBP, WEIGHT_BARKER, 1, PER_STEP},
  {"ALBP", "ALBP t/(1+t)", "t/(1+t)", LBP_SAMPLER_LBP, WEIGHT_BARKER, 0, PER_STEP},
  {"ALBP-second", "ALBP t/(1+t) per second", "t/(1+t)", LBP_SAMPLER_LBP, WEIGHT_BARKER, 0, PER_SECOND},
  {"ALBP-sqrt", "ALBP sqrt(t)", "sqrt(t)", LBP_SAMPLER_LBP, WEIGHT_SQRT, 0, PER_STEP},
  {"AGWG", "AGWG t/(1+t)", "t/(1+t)", LBP_SAMPLER_GWG, WEIGHT_BARKER, 0, PER_STEP},
  {"Gibbs", "Gibbs sweep", "", LBP_SAMPLER_GIBBS, WEIGHT_BARKER, 0, PER_STEP},
  {"Metropolis", "Metropolis sweep", "", RUN_METROPOLIS, WEIGHT_BARKER, 0, PER_STEP},
  {"Wolff", "Wolff cluster", "", RUN_WOLFF, WEIGHT_BARKER, 0, PER_STEP},
  {"Swendsen-Wang", "Swendsen-Wang", "", RUN_SWENDSEN_WANG, WEIGHT_BARKER, 0, PER_STEP}};

enum { SAMPLERS = sizeof samplers / sizeof samplers[0] };

static int is_sweep(const sampler *s) { return s->row == LBP_SAMPLER_GIBBS || s->row >= RUN_METROPOLIS; }
static int is_tuned(const sampler *s) { return !is_sweep(s) && !(s->R > 0); }

static int sampler_index(int row) {
  int s = 0;
  while (samplers[s].row != row) s++;
  return s;
}

/* ---- a network: log pi(x) = log-odds . x + third . tanh(second tanh(first x + bias) + shift) --------------------- */

enum { NETWORK_SITES = 256, NETWORK_UNITS = 96 };

typedef struct {
  float first[NETWORK_SITES][NETWORK_UNITS], second[NETWORK_UNITS][NETWORK_UNITS]; /* by input */
  float first_back[NETWORK_UNITS][NETWORK_SITES], second_back[NETWORK_UNITS][NETWORK_UNITS]; /* by output */
  float bias[NETWORK_UNITS], shift[NETWORK_UNITS], third[NETWORK_UNITS], log_odds[NETWORK_SITES];
} network;

/* out += v . matrix [rows][cols], rows a multiple of 4: four at a time, since out is loaded and stored for each. */
LBP_INLINE void add_product(uint32_t rows, uint32_t cols, const float *matrix, const float *v, float *restrict out) {
  for (uint32_t r = 0; r < rows; r += 4) {
    const float *a = matrix + (size_t)r * cols, *b = a + cols, *c = b + cols, *d = c + cols;
    const float va = v[r], vb = v[r + 1], vc = v[r + 2], vd = v[r + 3];
    for (uint32_t k = 0; k < cols; k++) out[k] += va * a[k] + vb * b[k] + vc * c[k] + vd * d[k];
  }
}

LBP_INLINE void tanh_all(float *v) {
  for (uint32_t k = 0; k < NETWORK_UNITS; k++) v[k] = 1 - 2 / (1 + lbp_expf(2 * lbp_clamp(v[k], 40)));
}

/* The values of both hidden layers. */
static void network_forward(const network *m, const uint8_t *x, float *one, float *two) {
  float input[NETWORK_SITES];
  for (uint32_t i = 0; i < NETWORK_SITES; i++) input[i] = x[i];
  memcpy(one, m->bias, sizeof m->bias);
  add_product(NETWORK_SITES, NETWORK_UNITS, m->first[0], input, one);
  tanh_all(one);
  memcpy(two, m->shift, sizeof m->shift);
  add_product(NETWORK_UNITS, NETWORK_UNITS, m->second[0], one, two);
  tanh_all(two);
}

static float network_logp(const network *m, const uint8_t *x) {
  float one[NETWORK_UNITS], two[NETWORK_UNITS], sum = 0;
  network_forward(m, x, one, two);
  for (uint32_t i = 0; i < NETWORK_SITES; i++) sum += m->log_odds[i] * (float)x[i];
  for (uint32_t i = 0; i < NETWORK_UNITS; i++) sum += m->third[i] * two[i];
  return sum;
}

/* Gradient estimates of all log-ratios: a pass forward and one back. */
static void network_deltas(const network *m, const uint8_t *x, float *out) {
  float one[NETWORK_UNITS], two[NETWORK_UNITS], back[NETWORK_UNITS] = {0};
  network_forward(m, x, one, two);
  for (uint32_t i = 0; i < NETWORK_UNITS; i++) two[i] = m->third[i] * (1 - two[i] * two[i]);
  add_product(NETWORK_UNITS, NETWORK_UNITS, m->second_back[0], two, back);
  for (uint32_t i = 0; i < NETWORK_UNITS; i++) back[i] *= 1 - one[i] * one[i];
  memcpy(out, m->log_odds, sizeof m->log_odds);
  add_product(NETWORK_UNITS, NETWORK_SITES, m->first_back[0], back, out);
  for (uint32_t i = 0; i < NETWORK_SITES; i++) out[i] *= (float)(1 - 2 * x[i]);
}

/* ---- kernels with a row of Metropolis ---------------------------------------------------------------------------- */

enum { METROPOLIS_BLOCK = 64, GRID_SIDE = 64 };
enum { GLASS_SIDE = 12, GLASS_DEGREE = 6, BERNOULLI_SITES = 4096 };

/* Logarithms of uniform random numbers, which log-ratios must exceed: an exponential per site would lengthen the chain
 * of dependences from one site to the next, while these are computed ahead, in a loop that vectorises. */
static void draw_bars(lbp_rng *rng, float *bar) {
  uint64_t word[METROPOLIS_BLOCK];
  lbp_rng_fill(rng, word, METROPOLIS_BLOCK);
  for (uint32_t k = 0; k < METROPOLIS_BLOCK; k++) {
    const float u = (float)(int64_t)(word[k] >> 1 | 1) * 1.08420217e-19f; /* 2^-63 */
    bar[k] = lbp_logf(u);
  }
}

#define PAIR             bernoulli
#define MODEL            lbp_bernoulli
#define MODEL_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "race.h"

#define PAIR             ising
#define MODEL            lbp_ising
#define MODEL_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "race.h"

#define PAIR             glass
#define MODEL            lbp_graph
#define MODEL_NEIGHBOURS GLASS_DEGREE
#include "race.h"

#define PAIR  network
#define MODEL network
#include "race.h"

/* ---- models ------------------------------------------------------------------------------------------------------ */

enum { MOST_ROWS = 16 };

typedef struct {
  lbp_ising ising; /* one of these is the model */
  lbp_graph graph;
  lbp_bernoulli bernoulli;
  network *network;
  uint32_t n;
  const void *model;
  int ordered;   /* chains start from all ones, not from coins */
  int symmetric; /* a ferromagnet without field: its law stays the same when all sites flip */
  lbp_kernel kernels[WEIGHT_COUNT];
  lbp_sampler rows[WEIGHT_COUNT][MOST_ROWS];
} target;

static void add_row(target *t, int row, const char *name, lbp_kernel_steps *steps) {
  const lbp_sampler last = {row, name, name, NULL, 0, "evaluations", 0, steps, NULL};
  for (int k = 0; k < WEIGHT_COUNT; k++) {
    lbp_kernel *kernel = &t->kernels[k];
    if (kernel->samplers >= MOST_ROWS) basic_die("compare: MOST_ROWS is too small");
    memmove(t->rows[k], kernel->sampler, kernel->samplers * sizeof last);
    t->rows[k][kernel->samplers++] = last;
    kernel->sampler = t->rows[k];
  }
}

/* A model of n sites, and its kernels with Metropolis as the last row. */
static void set_target(target *t, const void *model, uint32_t n, lbp_kernel barker, lbp_kernel sqrt_kernel,
                       lbp_kernel_steps *metropolis) {
  t->model = model;
  t->n = n;
  t->kernels[WEIGHT_BARKER] = barker;
  t->kernels[WEIGHT_SQRT] = sqrt_kernel;
  add_row(t, RUN_METROPOLIS, "Metropolis", metropolis);
}

static double uniform(lbp_rng *rng, double low, double high) { return low + (high - low) * lbp_u01(lbp_rng_u64(rng)); }

/* log pi(x) = beta sum s s + sum h s, h normal with standard deviation `field`. */
static void make_grid(target *t, uint32_t side, double beta, double field, lbp_rng *rng) {
  double *alpha = (double *)basic_alloc((size_t)side * side, sizeof *alpha);
  for (uint32_t i = 0; field > 0 && i < side * side; i++) alpha[i] = field * lbp_models_normal(rng);
  bench_expect(lbp_ising_init(&t->ising, side, side, beta, alpha), "grid");
  t->symmetric = !(field > 0);
  t->ordered = t->symmetric && beta > 0.45;
  set_target(t, &t->ising, t->ising.n, ising_barker_kernel(), ising_sqrt_kernel(),
             t->symmetric ? checkerboard_metropolis : ising_metropolis);
  if (t->symmetric) add_row(t, RUN_WOLFF, "Wolff", wolff_steps);
  if (t->symmetric) add_row(t, RUN_SWENDSEN_WANG, "Swendsen-Wang", swendsen_wang_steps);
  free(alpha);
}

static void make_ising(target *t, double beta, lbp_rng *rng) { make_grid(t, GRID_SIDE, beta, 0, rng); }
static void make_field(target *t, double beta, lbp_rng *rng) { make_grid(t, GRID_SIDE, beta, beta < 1 ? 1 : 2, rng); }

/* At the critical point of the infinite grid. */
static void make_critical(target *t, double side, lbp_rng *rng) {
  make_grid(t, (uint32_t)side, log(1 + sqrt(2)) / 2, 0, rng);
}

/* Couplings +-beta by coin between neighbours in three dimensions, periodic. */
static void make_glass(target *t, double beta, lbp_rng *rng) {
  enum { AREA = GLASS_SIDE * GLASS_SIDE, SITES = AREA * GLASS_SIDE };
  uint32_t *ends = (uint32_t *)basic_alloc(6 * SITES, sizeof *ends), i, e = 0;
  double *J = (double *)basic_alloc(3 * SITES, sizeof *J);
  for (i = 0; i < SITES; i++) {
    const uint32_t x = i % GLASS_SIDE, y = i / GLASS_SIDE % GLASS_SIDE, z = i / AREA;
    const uint32_t next[3] = {i - x + (x + 1) % GLASS_SIDE, i + GLASS_SIDE * ((y + 1) % GLASS_SIDE - y),
                              i + AREA * ((z + 1) % GLASS_SIDE - z)};
    for (int d = 0; d < 3; d++, e++) {
      ends[2 * e] = i;
      ends[2 * e + 1] = next[d];
      J[e] = lbp_rng_u64(rng) >> 63 ? beta : -beta;
    }
  }
  bench_expect(lbp_graph_init(&t->graph, SITES, NULL, e, ends, J, GLASS_DEGREE), "glass");
  set_target(t, &t->graph, SITES, glass_barker_kernel(), glass_sqrt_kernel(), glass_metropolis);
  BENCH_FREE(ends, J);
}

enum { BERNOULLI_EASY, BERNOULLI_SKEWED, BERNOULLI_SHARP };

static double bernoulli_logit(int kind, lbp_rng *rng) {
  if (kind == BERNOULLI_SKEWED) return uniform(rng, -13.8, 13.8);
  if (lbp_u01(lbp_rng_u64(rng)) < 0.1) return uniform(rng, -2, 2);
  return (lbp_rng_u64(rng) >> 63 ? 1 : -1) * uniform(rng, 7, 10);
}

static void make_bernoulli(target *t, double kind, lbp_rng *rng) {
  double *p = (double *)basic_alloc(BERNOULLI_SITES, sizeof *p);
  for (int i = 0; i < BERNOULLI_SITES; i++) {
    p[i] = kind <= BERNOULLI_EASY ? uniform(rng, 0.15, 0.85) : 1 / (1 + exp(-bernoulli_logit((int)kind, rng)));
  }
  bench_expect(lbp_bernoulli_init(&t->bernoulli, BERNOULLI_SITES, p), "bernoulli");
  set_target(t, &t->bernoulli, BERNOULLI_SITES, bernoulli_barker_kernel(), bernoulli_sqrt_kernel(),
             bernoulli_metropolis);
  free(p);
}

/* Inputs of hidden units have mean 0 over coin flips, and standard deviations 1 and 1.5; the last layer's weights have
 * standard deviation `scale`, the log-odds 1/2. */
static void make_network(target *t, double scale, lbp_rng *rng) {
  network *m = t->network = (network *)basic_alloc(1, sizeof *m);
  for (uint32_t i = 0; i < NETWORK_SITES; i++) {
    m->log_odds[i] = (float)(0.5 * lbp_models_normal(rng));
    for (uint32_t j = 0; j < NETWORK_UNITS; j++) {
      m->first_back[j][i] = m->first[i][j] = (float)(2.0 / sqrt(NETWORK_SITES) * lbp_models_normal(rng));
      m->bias[j] -= m->first[i][j] / 2;
    }
  }
  for (uint32_t i = 0; i < NETWORK_UNITS; i++) {
    m->third[i] = (float)(scale * lbp_models_normal(rng));
    m->shift[i] = (float)(0.5 * lbp_models_normal(rng));
    for (uint32_t j = 0; j < NETWORK_UNITS; j++) {
      m->second_back[j][i] = m->second[i][j] = (float)(2.4 / sqrt(NETWORK_UNITS) * lbp_models_normal(rng));
    }
  }
  set_target(t, m, NETWORK_SITES, network_barker_kernel(), network_sqrt_kernel(), network_metropolis);
}

static void free_target(target *t) {
  lbp_ising_free(&t->ising);
  lbp_graph_free(&t->graph);
  lbp_bernoulli_free(&t->bernoulli);
  free(t->network);
}

typedef struct {
  const char *name, *text;
  void (*make)(target *, double, lbp_rng *);
  double parameter, patience; /* patience: chains get so many times the seconds */
} recipe;

static const recipe recipes[] = {
  {"ising-0.2", "Ising, 64 x 64, no field, beta 0.2", make_ising, 0.2, 1},
  {"ising-0.35", "Ising, 64 x 64, no field, beta 0.35", make_ising, 0.35, 1},
  {"critical-32", "Ising, 32 x 32, no field, critical", make_critical, 32, 2},
  {"critical-64", "Ising, 64 x 64, no field, critical", make_critical, 64, 6},
  {"critical-128", "Ising, 128 x 128, no field, critical", make_critical, 128, 25},
  {"ising-0.6", "Ising, 64 x 64, no field, beta 0.6, from all ones", make_ising, 0.6, 1},
  {"ising-0.8", "Ising, 64 x 64, no field, beta 0.8, from all ones", make_ising, 0.8, 1},
  {"ising-1.2", "Ising, 64 x 64, no field, beta 1.2, from all ones", make_ising, 1.2, 1},
  {"field-0.4", "Ising, 64 x 64, beta 0.4, random fields of standard deviation 1", make_field, 0.4, 1},
  {"field-1", "Ising, 64 x 64, beta 1, random fields of standard deviation 2", make_field, 1, 1},
  {"glass-0.4", "+-J spin glass, 12 x 12 x 12 periodic, beta 0.4", make_glass, 0.4, 1},
  {"glass-1", "+-J spin glass, 12 x 12 x 12 periodic, beta 1", make_glass, 1, 1},
  {"bernoulli-easy", "Bernoulli, p in [0.15, 0.85]", make_bernoulli, BERNOULLI_EASY, 1},
  {"bernoulli-skewed", "Bernoulli, logits in [-13.8, 13.8]", make_bernoulli, BERNOULLI_SKEWED, 1},
  {"bernoulli-sharp", "Bernoulli, nine in ten logits +-[7, 10], the others in [-2, 2]", make_bernoulli,
   BERNOULLI_SHARP, 1},
  {"network", "neural energy, 256-96-96-1, tanh, by log pi and its gradient", make_network, 1, 1}};

enum { MODELS = sizeof recipes / sizeof recipes[0] };

/* ---- options ----------------------------------------------------------------------------------------------------- */

typedef struct {
  int models[MODELS], samplers[SAMPLERS];
  double seconds;
  uint32_t chains;
  uint64_t seed;
  int threads, quick;
  const char *out;
} options;

static const char *model_name(int k) { return recipes[k].name; }
static const char *sampler_name(int k) { return samplers[k].name; }

static options parse(int argc, char **argv) {
  options o = {.chains = 8, .seed = 1, .out = "bench/out"};
  const basic_option table[] = {
    {"--model NAMES", "or what is before the hyphen (comma between several; default: all)", OPTION_NAMES, o.models, 1,
     MODELS, model_name},
    {"--sampler NAMES", "(default: all)", OPTION_NAMES, o.samplers, 0, SAMPLERS, sampler_name},
    {"--seconds S", "CPU seconds of each chain, 0.01 to 1000 (default: 1.2; more where critical)", OPTION_SECONDS,
     &o.seconds, 0, 0, NULL},
    {"--chains N", "per model and sampler, 2 to 1000 (default: 8)", OPTION_COUNT, &o.chains, 2, 1000, NULL},
    {"--threads N", "1 to 1024 (default: all cores)", OPTION_INT, &o.threads, 1, 1024, NULL},
    {"--seed N", "(default: 1)", OPTION_SEED, &o.seed, 0, UINT64_MAX, NULL},
    {"--quick", "0.08 s per chain", OPTION_FLAG, &o.quick, 0, 0, NULL},
    {"--out DIR", "where compare.csv and the picture go (default: bench/out)", OPTION_TEXT, &o.out, 0, 0, NULL}};
  for (int k = 0; k < MODELS; k++) o.models[k] = 1;
  for (int k = 0; k < SAMPLERS; k++) o.samplers[k] = 1;
  basic_parse(argc, argv, "usage: compare [option ...]", table, sizeof table / sizeof table[0]);
  if (!(o.seconds > 0)) o.seconds = o.quick ? 0.08 : 1.2;
  return o;
}

/* ---- one chain --------------------------------------------------------------------------------------------------- */

enum { ENERGY, OTHER, STATISTICS };
/* records of a full trace; records per effective sample below which a coarser trace would lose some; changes without which
 * a trace says nothing of how long its values last */
enum { CAPACITY = 4096, LEAST_TAU = 8, LEAST_CHANGES = 256 };

/* Shares of the seconds of a chain; the trace has the rest. */
static const double burn_in_share = 0.25, warmup_share = 0.3, timing_share = 0.1;

/* What is measured of every chain. */
enum {
  R_FROZEN, ACCEPTANCE, STEPS, RECORDS, ESS_ENERGY, ESS_OTHER, ESS, LOG_PI, NS_PER_STEP, EVALUATIONS_PER_STEP,
  ESS_PER_SECOND, ESS_PER_1000_EVALUATIONS, CHAIN_FIGURES,
  SECOND_RATIO = CHAIN_FIGURES, EVALUATION_RATIO, FIGURES /* between samplers */
};
static const char *const figure_names[FIGURES] = {
  "R", "acceptance", "steps", "records", "ess_energy", "ess_other", "ess", "log_pi", "ns_per_step",
  "evaluations_per_step", "ess_per_second", "ess_per_1000_evaluations", "second_ratio", "evaluation_ratio"};

typedef struct {
  double trace[STATISTICS][CAPACITY];
  uint32_t records;
  double figure[CHAIN_FIGURES]; /* an ESS of 0: there is none */
} outcome;

/* One chain of one sampler. */
typedef struct {
  const sampler *how;
  lbp_chains chain;
  double steps; /* since its moves were cleared */
} racer;

static uint8_t *state_of(const racer *r) { return (uint8_t *)lbp_chains_unit(&r->chain, 0)->x; }

/* A tuner learns from each step until it is frozen. */
static void advance(racer *r, uint32_t steps) { r->steps += lbp_chains_step(&r->chain, 0, 1, steps, HUGE_VAL, 1); }

static racer start_racer(const target *t, const sampler *s, const uint8_t *from, uint64_t seed, uint32_t stream) {
  racer r = {.how = s};
  run_alone(&r.chain, &t->kernels[s->set], t->model, s->row, t->n, s->R, from, seed, stream);
  return r;
}

/* Steps for some CPU seconds; returns the seconds of a step. Slices are long enough for the clock's own time to be lost
 * in them. */
static double drive(racer *r, double seconds) {
  const double begin = bench_cpu_now();
  double spent = 0, steps = 0;
  uint32_t slice = 1;
  while (spent < seconds) {
    const double before = spent;
    advance(r, slice);
    steps += slice;
    spent = bench_cpu_now() - begin;
    if (spent - before < 1e-4) slice *= 2;
  }
  return spent / steps;
}

/* Costs of a step at the present R and at an eighth of it, at least at 2 and 1. */
static void measure_costs(racer *r, double seconds) {
  lbp_plan *plan = &r->chain.plan;
  const double R = run_r(&r->chain);
  double cost[2];
  plan->at[0] = R > 8 ? R / 8 : 1;
  plan->at[1] = R > 2 ? R : 2;
  for (int k = 0; k < 2; k++) {
    run_retune(&r->chain, plan->at[k], 0);
    cost[k] = drive(r, seconds / 2);
  }
  plan->cost[0] = cost[0];
  plan->cost[1] = fmax(cost[0], cost[1]); /* less only by noise */
}

/* Finds R with a tuner that never stops, then freezes the mean of one that does. */
static void warm_up(racer *r, double seconds) {
  if (!is_tuned(r->how)) {
    drive(r, seconds);
    return;
  }
  run_retune(&r->chain, 1, UINT32_MAX);
  drive(r, seconds / 6);
  if (r->how->objective == PER_SECOND) {
    measure_costs(r, seconds / 6);
    run_retune(&r->chain, r->chain.plan.at[0], UINT32_MAX);
  }
  const double pace = drive(r, seconds / 6);
  double steps = seconds / 2 / pace;
  steps = steps < 400 ? 400 : steps > 1e6 ? 1e6 : steps;
  run_retune(&r->chain, run_r(&r->chain), (uint32_t)steps);
  advance(r, (uint32_t)steps);
}

static void measure_ess(outcome *o, double *work) {
  for (int s = 0; s < STATISTICS; s++) {
    double *ess = &o->figure[ESS_ENERGY + s];
    if (lbp_ess(LBP_ESS_GEYER, o->trace[s], o->records, work, LBP_ESS_WORKSPACE(CAPACITY), ess) != LBP_OK) *ess = 0;
  }
}

static double least_ess(const outcome *o) { return fmin(o->figure[ESS_ENERGY], o->figure[ESS_OTHER]); }

/* Of the statistic that changes less often from record to record. */
static uint32_t changes(const outcome *o) {
  uint32_t least = o->records;
  for (int s = 0; s < STATISTICS; s++) {
    uint32_t count = 0;
    for (uint32_t k = 1; k < o->records; k++) count += o->trace[s][k] != o->trace[s][k - 1];
    least = count < least ? count : least;
  }
  return least;
}

/* Keeps every second record, or fewer if the autocorrelation stays resolved; returns one in how many. */
static uint32_t thin_out(outcome *o) {
  uint32_t factor = 2;
  while (factor < CAPACITY / 128 && least_ess(o) * LEAST_TAU * 2 * factor < CAPACITY) factor *= 2;
  o->records = CAPACITY / factor;
  for (int s = 0; s < STATISTICS; s++) {
    for (uint32_t k = 0; k < o->records; k++) o->trace[s][k] = o->trace[s][factor * (k + 1) - 1];
  }
  return factor;
}

/* symmetric: the reference is all ones. */
static void record_trace(racer *r, const uint8_t *reference, int symmetric, double seconds, outcome *o) {
  const double begin = bench_cpu_now();
  double *work = (double *)basic_alloc(LBP_ESS_WORKSPACE(CAPACITY), sizeof *work);
  const lbp_chains *c = &r->chain;
  const uint8_t *x = state_of(r);
  uint32_t thin = 1;
  while (bench_cpu_now() - begin < seconds) {
    uint32_t distance = 0;
    if (o->records == CAPACITY) {
      measure_ess(o, work);
      if (least_ess(o) * LEAST_TAU > CAPACITY && changes(o) >= LEAST_CHANGES) break;
      thin *= thin_out(o);
    }
    advance(r, thin);
    for (uint32_t i = 0; i < c->plan.n; i++) distance += x[i] != reference[i];
    o->trace[ENERGY][o->records] = c->kernel->logp(lbp_chains_unit(c, 0), c->model);
    const double magnetisation = c->plan.n - 2.0 * distance;
    o->trace[OTHER][o->records++] = symmetric ? magnetisation * magnetisation : distance;
  }
  measure_ess(o, work);
  for (uint32_t i = 0; i < o->records; i++) o->figure[LOG_PI] += o->trace[ENERGY][i] / o->records;
  o->figure[RECORDS] = o->records;
  o->figure[STEPS] = (double)o->records * thin;
  free(work);
}

static void run_chain(const target *t, const sampler *s, const options *o, const uint8_t *from,
                      const uint8_t *reference, uint32_t stream, outcome *out) {
  const double timing = timing_share * o->seconds;
  racer r = start_racer(t, s, from, o->seed, stream);
  lbp_moves *moves = &r.chain.moves[0];
  warm_up(&r, warmup_share * o->seconds);
  memset(moves, 0, sizeof *moves);
  r.steps = 0;
  double pace = drive(&r, timing) / 2;
  record_trace(&r, reference, t->symmetric, (1 - warmup_share - 2 * timing_share) * o->seconds, out);
  pace += drive(&r, timing) / 2;
  out->figure[NS_PER_STEP] = 1e9 * pace;
  out->figure[R_FROZEN] = is_tuned(s) ? run_r(&r.chain) : 1;
  out->figure[ACCEPTANCE] = (is_sweep(s) ? moves->jump / t->n : moves->accept) / r.steps;
  out->figure[EVALUATIONS_PER_STEP] = moves->evaluations / r.steps;
  lbp_chains_free(&r.chain);
}

/* A state for one chain of every sampler: coins or all ones, then clusters or Gibbs sweeps. */
static void burn_in(const target *t, const options *o, uint32_t stream, uint8_t *x) {
  lbp_rng coins;
  lbp_rng_init(&coins, o->seed, stream + 1);
  for (uint32_t i = 0; i < t->n; i++) x[i] = t->ordered || lbp_rng_u64(&coins) >> 63;
  const int first = sampler_index(t->symmetric ? RUN_SWENDSEN_WANG : LBP_SAMPLER_GIBBS);
  racer r = start_racer(t, &samplers[first], x, o->seed, stream);
  drive(&r, burn_in_share * o->seconds);
  memcpy(x, state_of(&r), t->n);
  lbp_chains_free(&r.chain);
}

/* ---- one model --------------------------------------------------------------------------------------------------- */

enum { RESOLVED, FEW, CONSTANT, DISAGREE, NOT_RUN };
static const char *const verdicts[] = {"yes", "few", "constant", "disagree"};
static const char marks[] = " ?=!";
static const double most_rhat = 1.1;
static const estimate unknown = {-1, -1};

/* A sampler's figures on one model, over its chains; doubles alone, for the journal. */
typedef struct {
  double resolved, statistic, rhat;
  estimate figure[FIGURES];
} cell;

enum { MODEL_NUMBERS = SAMPLERS * sizeof(cell) / sizeof(double) };

/* The larger R-hat of the two statistics; 0 if there is none. */
static double rhat_of(const outcome *out, uint32_t chains) {
  uint32_t least = CAPACITY;
  double value, largest = 0;
  for (uint32_t k = 0; k < chains; k++) least = out[k].records < least ? out[k].records : least;
  if (least < 8) return 0;
  const size_t length = lbp_chains_workspace(chains, least);
  double *all = (double *)basic_alloc((size_t)chains * least, sizeof *all);
  double *work = (double *)basic_alloc(length, sizeof *work);
  for (int s = 0; s < STATISTICS; s++) {
    for (uint32_t k = 0; k < chains; k++) memcpy(all + (size_t)k * least, out[k].trace[s], least * sizeof *all);
    if (lbp_rhat(all, chains, least, work, length, &value) == LBP_OK && value > largest) largest = value;
  }
  BENCH_FREE(all, work);
  return largest;
}

static cell sum_up(outcome *out, uint32_t chains) {
  double *value = (double *)basic_alloc(chains, sizeof *value);
  int constant = 0, few = 0;
  double gap = 0;
  cell c = {0};
  for (uint32_t k = 0; k < chains; k++) {
    few |= changes(&out[k]) < LEAST_ESS;
    gap += out[k].figure[ESS_OTHER] - out[k].figure[ESS_ENERGY];
    constant |= out[k].records >= 4 && !(least_ess(&out[k]) > 0);
  }
  c.statistic = gap < 0 ? OTHER : ENERGY;
  for (uint32_t k = 0; k < chains; k++) {
    double *figure = out[k].figure;
    figure[ESS] = figure[ESS_ENERGY + (int)c.statistic];
    figure[ESS_PER_SECOND] = figure[ESS] / (figure[STEPS] * 1e-9 * figure[NS_PER_STEP]);
    figure[ESS_PER_1000_EVALUATIONS] = 1000 * figure[ESS] / (figure[STEPS] * figure[EVALUATIONS_PER_STEP]);
  }
  for (int f = 0; f < CHAIN_FIGURES; f++) {
    for (uint32_t k = 0; k < chains; k++) value[k] = out[k].figure[f];
    c.figure[f] = bench_estimate(value, chains);
  }
  c.figure[SECOND_RATIO] = c.figure[EVALUATION_RATIO] = unknown;
  c.rhat = rhat_of(out, chains);
  few |= c.figure[ESS].mean < LEAST_ESS;
  c.resolved = constant ? CONSTANT : few ? FEW : c.rhat > most_rhat ? DISAGREE : RESOLVED;
  free(value);
  return c;
}

/* Makes the ratios; returns for how many other samplers. */
static int relate_to_gibbs(cell *cells) {
  const int gibbs = sampler_index(LBP_SAMPLER_GIBBS);
  int related = 0;
  for (int s = 0; s < SAMPLERS; s++) {
    if (cells[s].resolved != RESOLVED || cells[gibbs].resolved != RESOLVED) continue;
    for (int f = 0; f < 2; f++) {
      estimate *to = &cells[s].figure[SECOND_RATIO + f];
      *to = bench_ratio(cells[s].figure[ESS_PER_SECOND + f], cells[gibbs].figure[ESS_PER_SECOND + f]);
      if (s == gibbs) to->se = 0;
    }
    related += s != gibbs;
  }
  return related;
}

static int takes_part(const target *t, const options *o, int s) {
  return o->samplers[s] && lbp_kernel_sampler(&t->kernels[samplers[s].set], samplers[s].row);
}

/* All chains of all samplers on one model. */
static void run_model(const target *t, const options *o, cell *cells) {
  const int chains = (int)o->chains, runs = chains * SAMPLERS;
  const uint32_t spacing = SAMPLERS + 2; /* streams of a chain: burn-in, coins, samplers */
  uint8_t *from = (uint8_t *)basic_alloc((size_t)o->chains * t->n, 1), *reference = (uint8_t *)basic_alloc(t->n, 1);
  outcome *out = (outcome *)basic_alloc((size_t)runs, sizeof *out);
  lbp_rng coins;
  int racers = 0;
  lbp_rng_init(&coins, o->seed, UINT64_MAX - 1);
  for (uint32_t i = 0; i < t->n; i++) reference[i] = t->symmetric || lbp_rng_u64(&coins) >> 63;
  for (int s = 0; s < SAMPLERS; s++) racers += takes_part(t, o, s);
  basic_progress_begin(chains * (burn_in_share + racers)); /* a bar for each model */
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int k = 0; k < chains; k++) {
      burn_in(t, o, (uint32_t)k * spacing, from + (size_t)k * t->n);
#pragma omp critical
      basic_progress_add(burn_in_share);
    }
#pragma omp for schedule(dynamic)
    for (int run = 0; run < runs; run++) {
      const int chain = run / SAMPLERS, which = run % SAMPLERS;
      if (!takes_part(t, o, which)) continue;
      run_chain(t, &samplers[which], o, from + (size_t)chain * t->n, reference,
                (uint32_t)chain * spacing + 2 + (uint32_t)which, &out[which * chains + chain]);
#pragma omp critical
      basic_progress_add(1);
    }
  }
  for (int s = 0; s < SAMPLERS; s++) {
    memset(&cells[s], 0, sizeof cells[s]);
    cells[s].resolved = NOT_RUN;
    if (takes_part(t, o, s)) cells[s] = sum_up(out + s * chains, o->chains);
  }
  BENCH_FREE(out, from, reference);
}

/* The same, unless it is in the journal; returns how many samplers compare with the Gibbs sweep. */
static int get_model(journal *j, const char *name, const target *t, const options *o, cell *cells) {
  char parameters[200], commit[64];
  bench_ask("git describe --always --dirty 2> /dev/null", commit, sizeof commit);
  int length = snprintf(parameters, sizeof parameters, "commit=%s seed=%llu chains=%u seconds=%g samplers=", commit,
                        (unsigned long long)o->seed, (unsigned)o->chains, o->seconds);
  for (int s = 0; s < SAMPLERS; s++) parameters[length++] = takes_part(t, o, s) ? '1' : '0';
  parameters[length] = '\0';
  const journal_entry *kept = journal_find(j, name, parameters);
  if (kept && kept->count == MODEL_NUMBERS) {
    memcpy(cells, kept->values, sizeof(double) * MODEL_NUMBERS);
  } else {
    run_model(t, o, cells);
    journal_add(j, name, parameters, (const double *)cells, MODEL_NUMBERS);
  }
  return relate_to_gibbs(cells);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Decimals for three digits. */
static int digits(double v) {
  return v < 0.00995 ? 5 : v < 0.0995 ? 4 : v < 0.995 ? 3 : v < 9.95 ? 2 : v < 99.5 ? 1 : 0;
}

static void print_figure(estimate e, double resolved) {
  const int verdict = (int)resolved;
  char error[16] = "";
  if (!(e.mean > 0) || verdict == FEW || verdict == CONSTANT) {
    printf(" %10s%-9s%c", "-", "", marks[verdict]);
    return;
  }
  if (e.se > 0) snprintf(error, sizeof error, "+-%.*f", digits(e.mean), e.se);
  printf(" %10.*f%-9s%c", digits(e.mean), e.mean, error, marks[verdict]);
}

static const char *statistic_name(const target *t, const cell *c) {
  return c->statistic == ENERGY ? "energy" : t->symmetric ? "magnetisation" : "distance";
}

static void print_model(const recipe *m, const target *t, const options *o, const cell *cells) {
  printf("\n%s: %s; n = %u; %g s\n", m->name, m->text, (unsigned)t->n, o->seconds);
  printf("%-23s %7s %7s %10s %9s %-13s%21s%21s%21s%21s\n", "", "R", "accept", "steps", "ns/step", "statistic",
         "ESS per second      ", "/ Gibbs       ", "per 1000 evals     ", "/ Gibbs       ");
  for (int s = 0; s < SAMPLERS; s++) {
    const estimate *figure = cells[s].figure;
    char R[16] = "-";
    if (cells[s].resolved == NOT_RUN) continue;
    if (!is_sweep(&samplers[s])) snprintf(R, sizeof R, "%.2f", figure[R_FROZEN].mean);
    printf("%-23s %7s %7.4f %10.0f %9.0f %-13s", samplers[s].shown, R, figure[ACCEPTANCE].mean, figure[STEPS].mean,
           figure[NS_PER_STEP].mean, statistic_name(t, &cells[s]));
    print_figure(figure[ESS_PER_SECOND], cells[s].resolved);
    print_figure(figure[SECOND_RATIO], RESOLVED);
    print_figure(figure[ESS_PER_1000_EVALUATIONS], cells[s].resolved);
    print_figure(figure[EVALUATION_RATIO], RESOLVED);
    printf("\n");
  }
}

static bench_file open_csv(const char *folder) {
  char head[600] = "model,n,sampler,weight,chains,seconds,seed,statistic,rhat,resolved";
  for (int f = 0; f < FIGURES; f++) {
    snprintf(head + strlen(head), sizeof head - strlen(head), ",%s,%s_se", figure_names[f], figure_names[f]);
  }
  return bench_create(folder, "compare.csv", head);
}

static void write_model(FILE *csv, const char *name, const target *t, const options *o, const cell *cells) {
  for (int s = 0; s < SAMPLERS; s++) {
    const cell *c = &cells[s];
    if (c->resolved == NOT_RUN) continue;
    fprintf(csv, "%s,%u,%s,%s,%u,%g,%llu,%s,%.6g,%s", name, (unsigned)t->n, samplers[s].name, samplers[s].weight,
            (unsigned)o->chains, o->seconds, (unsigned long long)o->seed, statistic_name(t, c), c->rhat,
            verdicts[(int)c->resolved]);
    for (int f = 0; f < FIGURES; f++) {
      if (c->figure[f].se < 0 || (f == R_FROZEN && is_sweep(&samplers[s]))) fprintf(csv, ",,");
      else fprintf(csv, ",%.8g,%.4g", c->figure[f].mean, c->figure[f].se);
    }
    fprintf(csv, "\n");
  }
}

/* The sampler with the largest resolved figure, and how it compares with the Gibbs sweep. */
static void print_best(const cell *cells, int figure, int to_gibbs) {
  int best = -1;
  for (int s = 0; s < SAMPLERS; s++) {
    if (cells[s].resolved != RESOLVED) continue;
    if (best < 0 || cells[s].figure[figure].mean > cells[best].figure[figure].mean) best = s;
  }
  printf("  %-23s", best < 0 ? "none resolved" : samplers[best].shown);
  print_figure(best < 0 ? unknown : cells[best].figure[to_gibbs], RESOLVED);
}

static void print_summary(const options *o, cell (*cells)[SAMPLERS]) {
  printf("\n%-16s  %-23s%21s  %-23s%21s\n", "", "best per second", "/ Gibbs       ", "per evaluation",
         "/ Gibbs       ");
  for (int k = 0; k < MODELS; k++) {
    if (!o->models[k]) continue;
    printf("%-16s", recipes[k].name);
    print_best(cells[k], ESS_PER_SECOND, SECOND_RATIO);
    print_best(cells[k], ESS_PER_1000_EVALUATIONS, EVALUATION_RATIO);
    printf("\n");
  }
  printf("\nESS: of log pi (energy) or of the Hamming distance to a fixed state, on grids without field of the\n"
         "squared magnetisation, whichever is smaller. accept: mean probability of it; of a sweep, or a step by\n"
         "clusters, the share of sites that flip. steps: recorded, per chain; of sweeps: sweeps.\n"
         "+-: one standard error between chains. evals: log-ratios, gradients and log pi asked for. ALBP per second:\n"
         "R tuned for jump distance per second. Metropolis on grids without field: by table.\n"
         "Not ranked: ? ESS below %d per chain; = the statistic does not vary; ! chains disagree, R-hat above %.1f.\n",
         LEAST_ESS, most_rhat);
}

int main(int argc, char **argv) {
  static cell cells[MODELS][SAMPLERS];
  const options o = parse(argc, argv);
  const double begin = basic_now();
  int compared = 0;
  bench_start(o.threads);
  char folder[1000];
  journal j;
  snprintf(folder, sizeof folder, "%.990s/compare", o.out);
  journal_open(&j, folder, 1 << 16);
  bench_file csv = open_csv(o.out);
  printf("%u chains of %g CPU seconds, more where critical, per model and sampler, seed %llu\n", (unsigned)o.chains,
         o.seconds, (unsigned long long)o.seed);
  for (int k = 0; k < MODELS; k++) {
    lbp_rng rng;
    if (!o.models[k]) continue;
    target t = {0};
    options here = o;
    here.seconds *= recipes[k].patience;
    lbp_rng_init(&rng, o.seed, UINT64_MAX);
    recipes[k].make(&t, recipes[k].parameter, &rng);
    bench_label("%s", recipes[k].name);
    compared += get_model(&j, recipes[k].name, &t, &here, cells[k]);
    basic_progress_clear();
    print_model(&recipes[k], &t, &here, cells[k]);
    write_model(csv.to, recipes[k].name, &t, &here, cells[k]);
    bench_flush(&csv);
    free_target(&t);
  }
  bench_close(&csv);
  journal_close(&j);
  print_summary(&o, cells);
  printf("%.0f s. Rows: %s; models that are in %s/journal.txt are not run again\n", basic_now() - begin, csv.path,
         folder);
  if (compared) bench_draw("compare", "compare", o.out);
  else printf("Nothing to draw: no ratio to the Gibbs sweep is known.\n");
  return 0;
}
