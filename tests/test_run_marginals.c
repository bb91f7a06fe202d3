/* Marginals of runs by conditional probabilities (lbp/run/marginals.h): conditionals, state by state; that they
 * leave draws alone; means and errors against a plain computation from the states drawn, and against enumeration; that
 * errors are honest, and none where nothing varies; the same bytes however a run is cut into pieces; refused options.
 *
 * Statistical tests: 600 comparisons within six standard errors, of 64 batches or more: false alarms 1e-7 each, 1e-4 in
 * all. The mean square of standardised errors of 400 runs may be 0.75 to 1.35: it has a standard error of 0.07, and is
 * up to 1.15 since batches are few; a false alarm in 300 choices of seeds. Seeds are fixed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "test.h"
#include "../lbp_run.h"
#include "run_files.h"
#include "toy.h"

#if defined _OPENMP
#include <omp.h>
#endif

#ifdef API_QUICK
enum { QUICK = 1, DRAWS = 200, RUNS = 20 };
#else
enum { QUICK = 0, DRAWS = 1200, RUNS = 400 };
#endif
enum { N = 8 };

/* ---- the same model in all ways ---------------------------------------------------------------------------------- */

#define LBP_NAME           walk
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           narrow
#define LBP_MODEL_T        toy
#define LBP_REAL           float
#define LBP_DELTA          (float)toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           (float)toy_logp
#define LBP_N              8
#include "../lbp_run.h"

#define LBP_NAME           root
#define LBP_MODEL_T        toy
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          toy_fields_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_fields_logp
#define LBP_FIELDS_T       toy_fields
#define LBP_FIELDS_INIT    toy_fields_set
#define LBP_FLIP           toy_fields_flip
#include "../lbp_run.h"

#define LBP_NAME    dense
#define LBP_MODEL_T toy
#define LBP_DELTAS  toy_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP toy_logp
#define LBP_TEMPERED
#define LBP_BASE(m, i)   (0.5 * (m)->field[i] + 0.25)
#include "../lbp_run.h"

#define LBP_NAME        asked
#define LBP_MODEL_T     toy
#define LBP_REAL        float
#define LBP_DELTAS      toy_fields_deltas_float
#define LBP_DELTA       (float)toy_fields_delta
#define LBP_LOGP        (float)toy_fields_logp
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_TEMPERED
#include "../lbp_run.h"

static void exact_deltas_many(const toy *t, const uint8_t *const *x, double *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) toy_deltas(t, x[k], out[k]);
}

#define LBP_NAME    many
#define LBP_MODEL_T toy
#define LBP_DELTAS  toy_deltas
#define LBP_DELTAS_EXACT
#define LBP_DELTAS_MANY exact_deltas_many
#define LBP_LOGP        toy_logp
#include "../lbp_run.h"

#define LBP_NAME        guess
#define LBP_MODEL_T     toy
#define LBP_DELTAS      toy_fields_deltas
#define LBP_LOGP        toy_fields_logp
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#include "../lbp_run.h"

static uint32_t nobody(const toy *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

#define LBP_NAME           product
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     nobody
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           toy_logp
#include "../lbp_run.h"

/* Sites of up to three values in a ring; no site has value 2 where the next one has 0. */
enum { RING = 5, RING_STATES = 243 };
typedef struct {
  double pull;
  int exclusion;
} ring;

static double ring_gradient(const ring *m, const uint8_t *x, double *out) {
  double logp = 0;
  uint32_t i;
  for (i = 0; i < RING; i++) {
    const double v = x[i], left = x[(i + RING - 1) % RING], right = x[(i + 1) % RING];
    out[i] = 0.3 * i - v + m->pull * (left + right - 2 * v);
    logp += 0.3 * i * v - v * v / 2 - m->pull * (v - right) * (v - right) / 2;
    if (m->exclusion && x[i] == 2 && x[(i + 1) % RING] == 0) logp = -HUGE_VAL;
  }
  return logp;
}

static void ring_conditional_of(const ring *m, const uint8_t *x, uint32_t i, uint32_t values, double *out) {
  uint8_t y[RING];
  double none[RING];
  uint32_t v;
  memcpy(y, x, RING);
  for (v = 0; v < values; v++) {
    y[i] = (uint8_t)v;
    out[v] = ring_gradient(m, y, none);
  }
}

static void ring_conditional(const ring *m, const uint8_t *x, uint32_t i, double *out) {
  ring_conditional_of(m, x, i, 3, out);
}

static void pair_conditional(const ring *m, const uint8_t *x, uint32_t i, float *out) {
  double wide[2];
  ring_conditional_of(m, x, i, 2, wide);
  out[0] = (float)wide[0];
  out[1] = (float)wide[1];
}

static float pair_gradient(const ring *m, const uint8_t *x, float *out) {
  double wide[RING];
  const double logp = ring_gradient(m, x, wide);
  uint32_t i;
  for (i = 0; i < RING; i++) out[i] = (float)wide[i];
  return (float)logp;
}

#define LBP_NAME        three
#define LBP_MODEL_T     ring
#define LBP_GRADIENT    ring_gradient
#define LBP_CONDITIONAL ring_conditional
#define LBP_STATES      3
#include "../lbp_run.h"

#define LBP_NAME        pairs
#define LBP_MODEL_T     ring
#define LBP_REAL        float
#define LBP_GRADIENT    pair_gradient
#define LBP_CONDITIONAL pair_conditional
#include "../lbp_run.h"

#define LBP_NAME     closed
#define LBP_MODEL_T  ring
#define LBP_GRADIENT ring_gradient
#include "../lbp_run.h"

typedef struct {
  const char *name;
  lbp_kernel kernel;
  const void *model;
  uint32_t n, values;
  double beta, tolerance; /* relative, of a conditional */
} way;

/* log pi(x) of a way, at its temperature. */
static double way_logp(const way *w, const uint8_t *x) {
  const toy *t = (const toy *)w->model;
  double none[RING], logp, base = 0;
  uint32_t i;
  if (w->n == RING) {
    logp = ring_gradient((const ring *)w->model, x, none);
  } else {
    logp = toy_logp(t, x);
    for (i = 0; w->kernel.base && i < N; i++) base += x[i] ? 0.5 * t->field[i] + 0.25 : 0;
  }
  return lbp_is_finite(logp) ? w->beta * logp + (1 - w->beta) * base : logp;
}

/* pi(x_i = v | all others), in e-functions of libm. */
static double way_conditional(const way *w, const uint8_t *x, uint32_t i, uint32_t v) {
  uint8_t y[TOY_MAX];
  double here = 0, total = 0;
  uint32_t k;
  memcpy(y, x, w->n);
  y[i] = (uint8_t)v;
  here = way_logp(w, y);
  if (!lbp_is_finite(here)) return 0;
  for (k = 0; k < w->values; k++) {
    y[i] = (uint8_t)k;
    total += exp(way_logp(w, y) - here);
  }
  return 1 / total;
}

/* The marginals by enumeration, laid out as in results. */
static void way_exact(const way *w, double *out) {
  const uint32_t cells = w->values > 2 ? w->values : 1;
  uint32_t states = 1, code, i;
  double total = 0;
  for (i = 0; i < w->n; i++) states *= w->values;
  memset(out, 0, w->n * cells * sizeof *out);
  for (code = 0; code < states; code++) {
    uint8_t x[TOY_MAX] = {0};
    uint32_t left = code;
    double p;
    for (i = 0; i < w->n; i++, left /= w->values) x[i] = (uint8_t)(left % w->values);
    p = exp(way_logp(w, x));
    total += p;
    for (i = 0; i < w->n; i++) {
      if (cells > 1) out[i * cells + x[i]] += p;
      else out[i] += p * x[i];
    }
  }
  for (i = 0; i < w->n * cells; i++) out[i] /= total;
}

static way way_of(const char *name, lbp_kernel kernel, const void *model, uint32_t n, uint32_t values,
                  double tolerance) {
  way w;
  w.name = name;
  w.kernel = kernel;
  w.model = model;
  w.n = n;
  w.values = values;
  w.beta = 1;
  w.tolerance = tolerance;
  return w;
}

/* All of them, on the models t and m; returns how many. Fields know of no exclusion. */
static uint32_t all_ways(way *to, const toy *t, const ring *m) {
  uint32_t k = 0;
  to[k++] = way_of("local", walk_kernel(), t, N, 2, 6e-6);
  to[k++] = way_of("local, float", narrow_kernel(), t, N, 2, 6e-6);
  to[k++] = way_of("dense", dense_kernel(), t, N, 2, 1e-12);
  to[k++] = way_of("dense, many", many_kernel(), t, N, 2, 1e-12);
  to[k++] = way_of("three values", three_kernel(), m, RING, 3, 1e-12);
  to[k++] = way_of("two values", pairs_kernel(), m, RING, 2, 1e-5);
  if (!t->exclusion) to[k++] = way_of("fields", root_kernel(), t, N, 2, 1e-12);
  if (!t->exclusion) to[k++] = way_of("dense, asked", asked_kernel(), t, N, 2, 2e-6);
  return k;
}
enum { WAYS = 8 };

/* A possible state for all. */
static void zeros(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

/* ---- conditionals, state by state -------------------------------------------------------------------------------- */

/* A sampler that is usable for a way at some temperature, in the order of its table; NULL behind the last. */
static const lbp_sampler *sampler_of(const way *w, uint32_t k) {
  for (; k < w->kernel.samplers; k++) {
    if (!(w->kernel.sampler[k].traits & LBP_TRAIT_CURVED)) return &w->kernel.sampler[k];
    break;
  }
  return k < w->kernel.samplers ? sampler_of(w, k + 1) : NULL;
}

static void set_steps(const way *w, lbp_plan *plan, const lbp_sampler *sampler) {
  CHECK(lbp_plan_init(plan, &w->kernel, sampler->sampler, w->n, w->values) == LBP_OK);
  plan->setting[0] = sampler->traits & LBP_TRAIT_SITES ? 2.5 : sampler->parameter_name ? 0.7 : 0;
}

/* Two chains take the same steps; of one conditionals are asked for in between, which are right and leave no trace. */
static void check_conditionals(const way *w, const lbp_sampler *sampler) {
  const uint32_t cells = w->n * (w->values > 2 ? w->values : 1);
  lbp_chains one, other;
  lbp_plan plan;
  const double most = (TEST_ALIKE ? 3 : 6) * w->tolerance + 1e-11;
  double sums[3 * TOY_MAX], worst = 0;
  uint32_t t, i;
  int same = 1;
  set_steps(w, &plan, sampler);
  CHECK(lbp_chains_init(&one, &w->kernel, w->model, &plan, 0, 1, 0) == LBP_OK);
  CHECK(lbp_chains_init(&other, &w->kernel, w->model, &plan, 0, 1, 0) == LBP_OK);
  CHECK(lbp_chains_make(&one, 0, 3) == LBP_OK && lbp_chains_make(&other, 0, 3) == LBP_OK);
  memset(lbp_chains_unit(&one, 0)->x, 0, w->n);
  memset(lbp_chains_unit(&other, 0)->x, 0, w->n);
  if (w->beta != 1) {
    w->kernel.temper(lbp_chains_unit(&one, 0), w->beta);
    w->kernel.temper(lbp_chains_unit(&other, 0), w->beta);
  }
  for (t = 0; t < 300; t++) {
    lbp_unit *unit = lbp_chains_unit(&one, 0), *twin = lbp_chains_unit(&other, 0);
    const uint8_t *x = (const uint8_t *)unit->x;
    if (t % 50 == 20) w->kernel.touch(unit), w->kernel.touch(twin);
    for (i = 0; i < cells; i++) sums[i] = 3;
    if (t % 3 > 0) {
      w->kernel.conditionals(unit, w->model, sums);
      for (i = 0; i < cells; i++) {
        const double want = w->values > 2 ? way_conditional(w, x, i / w->values, i % w->values)
                                          : way_conditional(w, x, i, 1);
        const double gap = fabs(sums[i] - 3 - want);
        worst = fmax(worst, want > 0 ? gap / fmax(want, 1e-3) : gap);
      }
    }
    lbp_chains_steps(&one, 1, 0, 0);
    lbp_chains_steps(&other, 1, 0, 0);
    same &= memcmp(unit->x, twin->x, w->n) == 0 && memcmp(&unit->rng, &twin->rng, sizeof unit->rng) == 0;
    same &= memcmp(one.moves, other.moves, sizeof *one.moves) == 0;
  }
  CHECK(same);
  CHECK_NEAR(worst, 0, most);
  if (!same || !(worst < most)) printf("%s, %s\n", w->name, sampler->name);
  lbp_chains_free(&one);
  lbp_chains_free(&other);
}

static void test_conditionals(void) {
  const ring m[2] = {{0.4, 0}, {0.4, 1}};
  uint32_t kind, k, s;
  for (kind = 0; kind < 2; kind++) {
    const toy t = toy_make(N, 0.75, kind == 1, 5);
    way ways[WAYS];
    const uint32_t count = all_ways(ways, &t, &m[kind]);
    const lbp_sampler *sampler;
    for (k = 0; k < count; k++) {
      for (s = 0; (sampler = sampler_of(&ways[k], s)) != NULL; s++) {
        ways[k].beta = 1;
        check_conditionals(&ways[k], sampler);
        ways[k].beta = 0.375;
        if (ways[k].kernel.temper) check_conditionals(&ways[k], sampler);
      }
    }
  }
}

/* From one log-ratio, to the last digits, small ones too. */
static void test_conditional(void) {
  const double close = TEST_ALIKE ? 1e-14 : 1e-11;
  const double d[] = {0, 1e-9, 0.5, -0.5, 3, -3, 36, -36, 200, -200, 650, -650};
  uint32_t k;
  for (k = 0; k < sizeof d / sizeof *d; k++) {
    const double want = 1 / (1 + exp(-d[k]));
    CHECK_NEAR(lbp_conditional(d[k], 0), want, close * want);
    CHECK_NEAR(lbp_conditional(-d[k], 1), lbp_conditional(d[k], 0), TEST_ALIKE ? 0 : close * want);
  }
  CHECK(lbp_conditional(-HUGE_VAL, 0) == 0 && lbp_conditional(-HUGE_VAL, 1) == 1);
  CHECK(lbp_conditional(HUGE_VAL, 0) == 1 && lbp_conditional(HUGE_VAL, 1) == 0);
  CHECK(lbp_conditional(NAN, 0) == 0 && lbp_conditional(NAN, 1) == 1);
  CHECK(lbp_conditional(-1e39, 1) == 1 && lbp_conditional(1e39, 1) == 0 && lbp_conditional(1e39, 0) == 1);
}

/* ---- means and errors -------------------------------------------------------------------------------------------- */

/* The states that a run draws, told apart by where its chains have them: in the order of chains. */
enum { SEEN_CHAINS = 3, SEEN_DRAWS = 600 };
typedef struct {
  const uint8_t *at[SEEN_CHAINS];
  uint8_t x[SEEN_CHAINS][SEEN_DRAWS][N];
  uint32_t draws[SEEN_CHAINS];
} seen;

static double see_state(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  seen *s = (seen *)(uintptr_t)column->data;
  uint32_t k = 0;
  while (k + 1 < SEEN_CHAINS && s->at[k] && s->at[k] != x) k++;
  s->at[k] = x;
  if (s->draws[k] < SEEN_DRAWS) memcpy(s->x[k][s->draws[k]++], x, n);
  return x[0];
}

/* The mean and its error by definition: batches of the largest power of two that leaves 16 at most. */
static void plain(const way *w, const seen *s, uint32_t chains, uint32_t i, double *mean, double *se) {
  const uint32_t draws = s->draws[0];
  uint32_t length = 1, full, c, b, k;
  double total = 0, own = 0, shared = 0;
  while (16 * length < draws) length *= 2;
  full = draws / length;
  for (c = 0; c < chains; c++) {
    for (k = 0; k < draws; k++) total += way_conditional(w, s->x[c][k], i, 1);
  }
  *mean = total / draws / chains;
  for (c = 0; c < chains; c++) {
    double last = 0;
    for (b = 0; b < full; b++) {
      double sum = 0;
      for (k = b * length; k < (b + 1) * length; k++) sum += way_conditional(w, s->x[c][k], i, 1);
      sum = sum / length - *mean;
      own += sum * sum;
      if (b > 0) shared += sum * last;
      last = sum;
    }
  }
  *se = sqrt((own + 2 * fmax(shared, 0)) / (full * chains - 1.0) * length / ((double)draws * chains));
}

static void test_batches(void) {
  static const uint32_t lengths[] = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 200, 256, 257, 600};
  const toy t = toy_make(N, 0.75, 0, 5);
  const way w = way_of("fields", root_kernel(), &t, N, 2, 0);
  uint32_t k, i;
#if defined _OPENMP
  const int before = omp_get_max_threads();
  omp_set_num_threads(1); /* states come in the order of chains */
#endif
  for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    static seen s;
    const lbp_run_column column = {"seen", see_state, &s, 0};
    lbp_run_result result;
    lbp_run run;
    memset(&s, 0, sizeof s);
    lbp_run_init(&run);
    run.chains = 1 + k % SEEN_CHAINS;
    run.draws = lengths[k];
    run.warmup = 100;
    run.seed = k;
    run.column = &column;
    run.columns = 1;
    run.parameter = 1;
    run.marginals = LBP_MARGINALS_CONDITIONAL;
    CHECK(lbp_run_kernel(&run, &w.kernel, &t, N, &result) == LBP_OK);
    CHECK(result.marginal && s.draws[0] == run.draws);
    CHECK(result.marginal_status == (run.draws < 16 ? LBP_E_TOO_SHORT : LBP_OK));
    CHECK(!result.marginal_se == (run.draws < 16));
    for (i = 0; result.marginal && i < N; i++) {
      double mean, se;
      plain(&w, &s, run.chains, i, &mean, &se);
      CHECK_NEAR(result.marginal[i], mean, 1e-12);
      if (result.marginal_se) CHECK_NEAR(result.marginal_se[i], se, 1e-11);
    }
    lbp_run_free(&result);
    CHECK(!result.marginal && !result.marginal_se);
  }
#if defined _OPENMP
  omp_set_num_threads(before);
#endif
}

/* A run of conditionals, and how their errors compare with those of counts. */
static void check_law(const way *w, lbp_run run) {
  const uint32_t cells = w->n * (w->values > 2 ? w->values : 1);
  lbp_run_column column[TOY_MAX];
  char name[TOY_MAX][16];
  double exact[3 * TOY_MAX], conditional = 0, counted = 0;
  lbp_run_result result;
  uint32_t i;
  memset(column, 0, sizeof column);
  for (i = 0; i < w->n; i++) {
    snprintf(name[i], sizeof name[i], "site.%lu", (unsigned long)i);
    column[i].name = name[i];
    column[i].value = lbp_run_site;
    column[i].site = i;
  }
  run.chains = 8;
  run.draws = DRAWS;
  run.thin = 2;
  run.values = w->values;
  run.start = zeros;
  run.column = column;
  run.columns = w->n;
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  way_exact(w, exact);
  CHECK(lbp_run_kernel(&run, &w->kernel, w->model, w->n, &result) == LBP_OK);
  if (result.status != LBP_OK) printf("%s: %s\n", w->name, result.message);
  CHECK(result.marginal && result.marginal_se && result.marginal_status == LBP_OK);
  for (i = 0; !QUICK && result.marginal_se && i < cells; i++) {
    CHECK_NEAR(result.marginal[i], exact[i], 6 * result.marginal_se[i] + w->tolerance);
    CHECK(result.marginal_se[i] < 0.02);
    if (w->values == 2) {
      conditional += result.marginal_se[i] * result.marginal_se[i];
      counted += result.row[1 + i].mcse * result.row[1 + i].mcse;
    }
  }
  if (!QUICK && w->values == 2) CHECK(conditional < counted);
  lbp_run_free(&result);
}

static void test_law(void) {
  const ring m[2] = {{0.4, 0}, {0.4, 1}};
  uint32_t kind, k, s;
  for (kind = 0; kind < 2; kind++) {
    const toy t = toy_make(N, 0.75, kind == 1, 5);
    way ways[WAYS];
    const uint32_t count = all_ways(ways, &t, &m[kind]);
    const lbp_sampler *sampler;
    for (k = 0; k < count; k++) {
      for (s = 0; (sampler = sampler_of(&ways[k], s)) != NULL; s++) {
        lbp_run run;
        lbp_run_init(&run);
        run.sampler = sampler->sampler;
        run.seed = 1 + 100 * kind + k;
        if (sampler->traits & LBP_TRAIT_SITES) run.parameter = 1.5;
        if (sampler->traits & LBP_TRAIT_SCALE) run.parameter = 1;
        if (strcmp(ways[k].name, "dense, many") == 0 && s == 0) run.batch = 4;
        check_law(&ways[k], run);
        if (!ways[k].kernel.temper || s > 0) continue;
        run.tempering.rungs = 3; /* draws are of the first rung, at beta = 1 */
        check_law(&ways[k], run);
      }
    }
  }
}

/* One rung that is not at 1: conditionals are of what is drawn. */
static void test_cold(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  const double ladder[2] = {0.5, 0.125};
  way w = way_of("dense, tempered", dense_kernel(), &t, N, 2, 1e-9);
  lbp_run run;
  lbp_run_init(&run);
  w.beta = ladder[0];
  run.tempering.rungs = 2;
  run.tempering.ladder = ladder;
  run.parameter = 1;
  check_law(&w, run);
}

/* Standardised errors of many short runs of chains that move slowly. */
static void test_honest(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  const way w = way_of("local", walk_kernel(), &t, N, 2, 0);
  double exact[N], squares = 0;
  uint32_t k, i;
  way_exact(&w, exact);
  for (k = 0; k < RUNS; k++) {
    lbp_run_result result;
    lbp_run run;
    lbp_run_init(&run);
    run.seed = 1000 + k;
    run.draws = 600;
    run.warmup = 100;
    run.parameter = 1;
    run.check_trials = 0;
    run.marginals = LBP_MARGINALS_CONDITIONAL;
    CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.marginal_se);
    for (i = 0; result.marginal_se && i < N; i++) {
      const double z = (result.marginal[i] - exact[i]) / result.marginal_se[i];
      squares += z * z / N / RUNS;
    }
    lbp_run_free(&result);
  }
  if (!QUICK) printf("mean square of standardised errors: %.3f\n", squares);
  if (!QUICK) CHECK(squares > 0.75 && squares < 1.35);
}

/* Independent sites: one draw knows all, and nothing varies. */
static void test_product(void) {
  const toy t = toy_product(N, 2, 0, 9);
  const lbp_kernel kernel = product_kernel();
  uint32_t s, i;
  for (s = 0; s < kernel.samplers; s++) {
    lbp_run_result result;
    lbp_run run;
    lbp_run_init(&run);
    run.sampler = kernel.sampler[s].sampler;
    run.chains = 3;
    run.draws = 333;
    run.marginals = LBP_MARGINALS_CONDITIONAL;
    CHECK(product_run(&run, &t, N, &result) == LBP_OK && result.marginal_se);
    for (i = 0; result.marginal_se && i < N; i++) {
      CHECK_NEAR(result.marginal[i], 1 / (1 + exp(-2 * t.field[i])), 1e-14);
      CHECK(result.marginal_se[i] <= (TEST_ALIKE ? 0 : 1e-15));
    }
    lbp_run_free(&result);
  }
}

/* ---- the same bytes ---------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop_now;
static long values_left; /* until a column asks the run to stop; negative: never */

static double stopper(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  (void)column, (void)n;
  if (values_left > 0 && --values_left == 0) stop_now = 1;
  return x[0];
}

static int same_marginals(const lbp_run_result *a, const lbp_run_result *b, uint32_t cells) {
  if (!a->marginal || !b->marginal || !a->marginal_se || !b->marginal_se || a->draws != b->draws) return 0;
  return memcmp(a->marginal, b->marginal, cells * sizeof *a->marginal) == 0 &&
         memcmp(a->marginal_se, b->marginal_se, cells * sizeof *a->marginal_se) == 0;
}

static lbp_run small_run(uint32_t kind) {
  static const lbp_run_column column = {"stopper", stopper, NULL, 0};
  lbp_run run;
  lbp_run_init(&run);
  run.seed = 7 + kind;
  run.chains = 3;
  run.warmup = 400;
  run.draws = 900;
  run.thin = 6;
  run.tempering.rungs = kind == 1 ? 3 : 1;
  run.tempering.swap_every = kind == 1 ? 3 : 0;
  run.shared_tuner = kind == 2;
  run.batch = kind == 3 ? 2 : 0;
  run.sampler = kind == 4 ? LBP_SAMPLER_DLP : LBP_SAMPLER_DEFAULT;
  run.column = &column;
  run.columns = 1;
  run.stop = &stop_now;
  run.checkpoint_seconds = 0;
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  return run;
}

static way small_way(uint32_t kind, const toy *t, const ring *m) {
  way ways[WAYS];
  const uint32_t number[] = {0, 2, 7, 3, 4};
  all_ways(ways, t, m);
  return ways[number[kind]];
}

/* Stopped again and again, with other numbers of threads, and told to draw more: the same in the end. */
static void test_interrupted(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  const ring m = {0.4, 0};
  uint32_t kind;
#if defined _OPENMP
  const int before = omp_get_max_threads();
#endif
  for (kind = 0; kind < 5; kind++) {
    const way w = small_way(kind, &t, &m);
    const uint32_t cells = w.n * (w.values > 2 ? w.values : 1);
    lbp_run run = small_run(kind);
    lbp_run_result whole, part;
    int stops = 0;
    values_left = -1, stop_now = 0;
    run.prefix = in_folder("whole");
    CHECK(lbp_run_kernel(&run, &w.kernel, w.model, w.n, &whole) == LBP_OK && whole.marginal_se);
    run.prefix = in_folder("part");
    run.checkpoint = in_folder("part.ckpt");
    remove(run.checkpoint);
    for (;; stops++) {
#if defined _OPENMP
      omp_set_num_threads(1 + stops % 3);
#endif
      values_left = 11 + 300 * (stops % 4), stop_now = stops == 1;
      if (stops == 3) run.draws = 500; /* no more than these for now: it comes to its end, and goes on */
      if (stops == 6) run.draws = 900;
      CHECK(lbp_run_kernel(&run, &w.kernel, w.model, w.n, &part) == LBP_OK);
      if (part.status != LBP_OK || (part.ended == LBP_END_COMPLETE && part.draws == 900) || stops > 60) break;
      lbp_run_free(&part);
    }
    CHECK(stops > 4 && part.resumed);
    CHECK(same_marginals(&whole, &part, cells) && same_draws(in_folder("whole"), in_folder("part"), 3, 0));
    lbp_run_free(&part);
    values_left = -1, stop_now = 0; /* what is complete says the same again */
    CHECK(lbp_run_kernel(&run, &w.kernel, w.model, w.n, &part) == LBP_OK && same_marginals(&whole, &part, cells));
    lbp_run_free(&part);
    run.marginals = LBP_MARGINALS_COUNTED;
    CHECK(lbp_run_kernel(&run, &w.kernel, w.model, w.n, &part) == LBP_E_FORMAT && strstr(part.message, "marginals"));
    lbp_run_free(&part);
    remove(run.checkpoint);
    lbp_run_free(&whole);
  }
#if defined _OPENMP
  omp_set_num_threads(before);
#endif
}

/* Whatever marginals are asked for, draws and all else are the same, and counts have no errors. */
static void test_apart(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  const ring m = {0.4, 0};
  way ways[WAYS];
  const uint32_t count = all_ways(ways, &t, &m);
  const lbp_sampler *sampler;
  uint32_t k, s, i;
  values_left = -1, stop_now = 0;
  for (k = 0; k < count; k++) {
    for (s = 0; (sampler = sampler_of(&ways[k], s)) != NULL; s++) {
      const uint32_t cells = ways[k].n * (ways[k].values > 2 ? ways[k].values : 1);
      lbp_run_result none, counted, conditional;
      lbp_run run = small_run(ways[k].kernel.temper && s == 0 ? 1 : 0);
      run.sampler = sampler->sampler;
      run.save_states = LBP_STATES_CSV;
      run.chains = 2;
      run.draws = 100;
      run.values = ways[k].values;
      run.prefix = in_folder("none");
      run.marginals = LBP_MARGINALS_NONE;
      CHECK(lbp_run_kernel(&run, &ways[k].kernel, ways[k].model, ways[k].n, &none) == LBP_OK);
      run.prefix = in_folder("counted");
      run.marginals = LBP_MARGINALS_COUNTED;
      CHECK(lbp_run_kernel(&run, &ways[k].kernel, ways[k].model, ways[k].n, &counted) == LBP_OK);
      run.prefix = in_folder("conditional");
      run.marginals = LBP_MARGINALS_CONDITIONAL;
      CHECK(lbp_run_kernel(&run, &ways[k].kernel, ways[k].model, ways[k].n, &conditional) == LBP_OK);
      CHECK(same_draws(in_folder("none"), in_folder("conditional"), 2, 0));
      CHECK(same_draws(in_folder("none"), in_folder("counted"), 2, 0));
      CHECK(none.evaluations == conditional.evaluations && none.evaluations == counted.evaluations);
      CHECK(!none.marginal && !none.marginal_se && none.marginal_status == LBP_OK);
      CHECK(counted.marginal && !counted.marginal_se && counted.marginal_status == LBP_OK);
      for (i = 0; counted.marginal && conditional.marginal && i < cells; i++) {
        CHECK_NEAR(conditional.marginal[i], counted.marginal[i], 0.35);
      }
      lbp_run_free(&none);
      lbp_run_free(&counted);
      lbp_run_free(&conditional);
    }
  }
  remove_all(in_folder("none"), 2);
  remove_all(in_folder("counted"), 2);
  remove_all(in_folder("conditional"), 2);
}

/* ---- what is said, and refused ----------------------------------------------------------------------------------- */

static void check_refused(const lbp_kernel *kernel, const void *model, uint32_t n, lbp_run run, const char *why) {
  lbp_run_result result;
  CHECK(lbp_run_kernel(&run, kernel, model, n, &result) == LBP_E_RANGE && strstr(result.message, why));
  if (!strstr(result.message, why)) printf("not '%s' but: %s\n", why, result.message);
  lbp_run_free(&result);
}

static void test_refused(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  const ring m = {0.4, 0};
  const lbp_kernel guesses = guess_kernel(), without = closed_kernel(), local = walk_kernel();
  lbp_run_result result;
  lbp_run run;
  lbp_run_init(&run);
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  CHECK(!guesses.conditionals && !without.conditionals);
  check_refused(&guesses, &t, N, run, "marginals: conditional ones need exact log-ratios");
  run.values = 2;
  check_refused(&without, &m, RING, run, "LBP_CONDITIONAL");
  run.values = 0;
  run.marginals = 3;
  check_refused(&local, &t, N, run, "marginals: one of LBP_MARGINALS_NONE");
  run.marginals = -1;
  check_refused(&local, &t, N, run, "marginals: one of LBP_MARGINALS_NONE");
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  run.draws = UINT64_C(1) << 40; /* no counter to overflow */
  stop_now = 1, values_left = -1;
  run.stop = &stop_now;
  CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.marginal_status == LBP_E_TOO_SHORT && !result.marginal_se);
  lbp_run_free(&result);
}

/* The summary says in a line why there are no errors. */
static void test_summary(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  uint32_t draws;
  for (draws = 15; draws <= 16; draws++) {
    lbp_run_result result;
    lbp_run run;
    char *text;
    long size;
    lbp_run_init(&run);
    run.draws = draws;
    run.marginals = LBP_MARGINALS_CONDITIONAL;
    run.summary = fopen(in_folder("summary"), "wb");
    CHECK(run.summary && walk_run(&run, &t, N, &result) == LBP_OK);
    if (!run.summary) return;
    fclose(run.summary);
    text = content(in_folder("summary"), &size);
    CHECK(text && !strstr(text, "\nmarginals: no errors: too few draws for an estimate\n") == (draws == 16));
    free(text);
    lbp_run_free(&result);
  }
  remove(in_folder("summary"));
}

int main(void) {
  if (!make_folder()) return 1;
  test_conditional();
  test_conditionals();
  test_batches();
  test_law();
  test_cold();
  test_honest();
  test_product();
  test_interrupted();
  test_apart();
  test_refused();
  test_summary();
  remove_all(in_folder("whole"), 3);
  remove_all(in_folder("part"), 3);
  rmdir(folder);
  return test_report();
}
