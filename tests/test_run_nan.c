/* Models that give NaN on a part of the space: a run reports it, whatever the sampler is. Beyond an impossible flip NaN
 * does not matter, and no run reports it. The model check, which would find it first, is off. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <math.h>
#include <string.h>

#include "../lbp_run.h"
#include "models.h"

enum { SITES = 12, HALF = 6 };

/* What is wrong. */
enum {
  NOTHING,
  REGION,    /* log pi is NaN where five of the first six sites are 1, or six */
  ONE_SITE,  /* a site's log-ratio is NaN, always */
  HARD,      /* not wrong: log pi is -infinity there, and log-ratios between two such states are NaN */
  KINDS,
  RARE,     /* as REGION, and there log pi is lowest, so that cold chains never go there: for tempering */
  WAY_BACK  /* a site's log-ratio is NaN where the site is 1 */
};

enum { SICK = 3 }; /* that site */

typedef struct {
  int kind;
} law;

typedef struct {
  uint32_t unused;
} empty;

static int is_bad(const law *m, const uint8_t *x) {
  uint32_t i, ones = 0;
  for (i = 0; i < HALF; i++) ones += x[i] > 0;
  return (m->kind == REGION || m->kind == RARE || m->kind == HARD) && ones >= 5;
}

static double law_logp(const law *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < SITES; i++) sum += 0.3 * x[i] - 0.2 * (x[i] > 0 && x[(i + 1) % SITES] > 0);
  if (is_bad(m, x)) return m->kind == HARD ? -HUGE_VAL : not_a_number();
  return m->kind == RARE ? -sum : sum;
}

/* The log-ratio of x[i] = v. */
static double law_move(const law *m, const uint8_t *x, uint32_t i, uint32_t v) {
  uint8_t y[SITES];
  if (m->kind == ONE_SITE && i == SICK && v != x[i]) return not_a_number();
  if (m->kind == WAY_BACK && i == SICK && v < x[i]) return not_a_number();
  memcpy(y, x, sizeof y);
  y[i] = (uint8_t)v;
  return v == x[i] ? 0 : law_logp(m, y) - law_logp(m, x);
}

static double law_delta(const law *m, const uint8_t *x, uint32_t i) { return law_move(m, x, i, 1u - x[i]); }

static void law_deltas(const law *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < SITES; i++) out[i] = law_delta(m, x, i);
}

static inline void law_deltas_many(const law *m, const uint8_t *const *x, double *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) law_deltas(m, x[k], out[k]);
}

static void law_row(const law *m, const uint8_t *x, uint32_t i, double *out) {
  uint32_t v;
  for (v = 0; v < 3; v++) out[v] = law_move(m, x, i, v);
}

static void law_rows(const law *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < SITES; i++) law_row(m, x, i, out + (size_t)3 * i);
}

static uint32_t law_neighbours(const law *m, uint32_t i, uint32_t *out) {
  uint32_t j, count = 0;
  (void)m;
  for (j = 0; j < SITES; j++) {
    if (j != i) out[count++] = j;
  }
  return count;
}

/* Levels of the model below. */
enum { LEVELS = 4 };
static uint32_t law_level(const law *m, const uint8_t *x, uint32_t i) {
  (void)m;
  return i % 2 + 2 * x[i];
}

/* Independent sites of two kinds, by whether their number is odd; the log-ratio of one kind may be NaN. */
static double level_delta(const law *m, const uint8_t *x, uint32_t i) {
  if (m->kind == ONE_SITE && i % 2 == 1) return not_a_number();
  if (m->kind == WAY_BACK && i == SICK && x[i]) return not_a_number();
  return (x[i] ? -0.5 : 0.5) * (1 + i % 2);
}

static double level_logp(const law *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  (void)m;
  for (i = 0; i < SITES; i++) sum += x[i] ? 0.5 * (1 + i % 2) : 0;
  return sum;
}

static uint32_t level_neighbours(const law *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

static void empty_init(const law *m, empty *f, const uint8_t *x) { (void)m, (void)x, f->unused = 0; }

static double with_fields(const law *m, const empty *f, const uint8_t *x, uint32_t i) {
  (void)f;
  return law_delta(m, x, i);
}

static double fields_logp(const law *m, const empty *f, const uint8_t *x) { return (void)f, law_logp(m, x); }

static void empty_flip(const law *m, empty *f, const uint8_t *x, uint32_t i) { (void)m, (void)x, (void)i, f->unused++; }

static uint32_t empty_list(const law *m, empty *f, const uint8_t *x, uint32_t i, uint32_t *site, double *ratio) {
  const uint32_t count = law_neighbours(m, i, site);
  uint32_t k;
  f->unused++;
  for (k = 0; k < count; k++) ratio[k] = law_delta(m, x, site[k]);
  return count;
}

static uint32_t one_group(const law *m, uint32_t i) { return (void)m, (void)i, 0; }

static double law_gradient(const law *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < SITES; i++) out[i] = 0.3;
  if (m->kind == ONE_SITE && x[SICK] == 1) out[SICK] = not_a_number();
  return law_logp(m, x);
}

static double perm_logp(const law *m, const uint32_t *s) {
  double sum = 0;
  uint32_t a;
  for (a = 0; a < HALF; a++) sum += 0.2 * s[a] * a;
  if (m->kind == REGION && s[0] == HALF - 1) return not_a_number();
  return m->kind == HARD && s[0] == HALF - 1 ? -HUGE_VAL : sum;
}

static double perm_exchange(const law *m, const uint32_t *s, uint32_t a, uint32_t b) {
  uint32_t t[HALF];
  memcpy(t, s, sizeof t);
  t[a] = s[b];
  t[b] = s[a];
  if (m->kind == ONE_SITE && (a == SICK || b == SICK)) return not_a_number();
  return perm_logp(m, t) - perm_logp(m, s);
}

#define LBP_NAME           local
#define LBP_MODEL_T        law
#define LBP_REAL           double
#define LBP_DELTA          law_delta
#define LBP_NEIGHBOURS     law_neighbours
#define LBP_MAX_NEIGHBOURS (SITES - 1)
#define LBP_LOGP           law_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           plain
#define LBP_MODEL_T        law
#define LBP_REAL           float
#define LBP_DELTA          law_delta
#define LBP_NEIGHBOURS     law_neighbours
#define LBP_MAX_NEIGHBOURS (SITES - 1)
#define LBP_LOGP           law_logp
#define LBP_SORT_ABOVE     LBP_NEVER
#define LBP_N              12
#include "../lbp_run.h"

#define LBP_NAME           listed
#define LBP_MODEL_T        law
#define LBP_REAL           double
#define LBP_FIELDS_T       empty
#define LBP_FIELDS_INIT    empty_init
#define LBP_FLIP           empty_flip
#define LBP_FLIP_LIST      empty_list
#define LBP_DELTA          with_fields
#define LBP_NEIGHBOURS     law_neighbours
#define LBP_MAX_NEIGHBOURS (SITES - 1)
#define LBP_LOGP           fields_logp
#include "../lbp_run.h"

#define LBP_NAME           product
#define LBP_MODEL_T        law
#define LBP_REAL           double
#define LBP_DELTA          level_delta
#define LBP_NEIGHBOURS     level_neighbours
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           level_logp
#include "../lbp_run.h"

#define LBP_NAME           levelled
#define LBP_MODEL_T        law
#define LBP_REAL           double
#define LBP_DELTA          level_delta
#define LBP_NEIGHBOURS     level_neighbours
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           level_logp
#define LBP_LEVEL          law_level
#define LBP_LEVELS         LEVELS
#include "../lbp_run.h"

#define LBP_NAME        estimates
#define LBP_MODEL_T     law
#define LBP_REAL        double
#define LBP_DELTAS      law_deltas
#define LBP_DELTAS_MANY law_deltas_many
#define LBP_LOGP        law_logp
#include "../lbp_run.h"

#define LBP_NAME    dense
#define LBP_MODEL_T law
#define LBP_REAL    double
#define LBP_DELTAS  law_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP law_logp
#include "../lbp_run.h"

#define LBP_NAME           grouped
#define LBP_MODEL_T        law
#define LBP_REAL           double
#define LBP_DELTA          law_delta
#define LBP_NEIGHBOURS     law_neighbours
#define LBP_MAX_NEIGHBOURS (SITES - 1)
#define LBP_LOGP           law_logp
#define LBP_GROUP          one_group
#include "../lbp_run.h"

#define LBP_NAME    dense_grouped
#define LBP_MODEL_T law
#define LBP_REAL    double
#define LBP_DELTAS  law_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP  law_logp
#define LBP_GROUP one_group
#include "../lbp_run.h"

#define LBP_NAME           potts
#define LBP_MODEL_T        law
#define LBP_REAL           double
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  law_row
#define LBP_NEIGHBOURS     law_neighbours
#define LBP_MAX_NEIGHBOURS (SITES - 1)
#define LBP_LOGP           law_logp
#include "../lbp_run.h"

#define LBP_NAME       dense_potts
#define LBP_MODEL_T    law
#define LBP_REAL       float
#define LBP_WEIGHT     LBP_SQRT
#define LBP_CAT_STATES 3
#define LBP_DELTAS     float_rows
#define LBP_DELTAS_EXACT
#define LBP_LOGP law_logp
static void float_rows(const law *m, const uint8_t *x, float *out) {
  double wide[3 * SITES];
  uint32_t k;
  law_rows(m, x, wide);
  for (k = 0; k < 3 * SITES; k++) out[k] = (float)wide[k];
}
#include "../lbp_run.h"

#define LBP_NAME     ordinal
#define LBP_MODEL_T  law
#define LBP_REAL     double
#define LBP_GRADIENT law_gradient
#define LBP_STATES   2
#include "../lbp_run.h"

#define LBP_NAME     pairing
#define LBP_MODEL_T  law
#define LBP_REAL     double
#define LBP_EXCHANGE perm_exchange
#define LBP_LOGP     perm_logp
#include "../lbp_run.h"

/* All zeros; or, where groups keep six ones, the last six sites; or the identity. */
static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  uint32_t i;
  (void)chain;
  if (n == HALF) {
    for (i = 0; i < n; i++) ((uint32_t *)(void *)x)[i] = n - 1 - i;
    ((uint32_t *)(void *)x)[0] = 0, ((uint32_t *)(void *)x)[n - 1] = n - 1;
    return;
  }
  for (i = 0; i < n; i++) x[i] = data && i >= HALF;
}

static lbp_run short_run(int sampler, int grouped) {
  static const int yes = 1;
  lbp_run run;
  lbp_run_init(&run);
  run.sampler = sampler;
  run.check_trials = 0;
  run.chains = 2;
  run.warmup = 100;
  run.draws = 400;
  run.start = begin;
  run.start_data = grouped ? &yes : NULL;
  return run;
}

static int is_nan_status(int status) { return status == LBP_E_DELTA_NAN || status == LBP_E_MODEL_NAN; }

/* Which samplers decide by the log-ratios, or gradients, that ONE_SITE has wrong: all; of dense models, those that
 * don't flip sites blindly and ask for log pi; where log-ratios are estimates, those that draw by them; by gradients. */
enum { ALL, NOT_BLIND, BY_WEIGHTS, BY_GRADIENTS };

static int goes_by_ratios(int which, int sampler) {
  const int weights = sampler == LBP_SAMPLER_LBP || sampler == LBP_SAMPLER_GWG || sampler == LBP_SAMPLER_SWAP;
  const int swaps = sampler == LBP_SAMPLER_KAWASAKI || sampler == LBP_SAMPLER_SWAP_SWEEP;
  if (which == NOT_BLIND) return sampler != LBP_SAMPLER_RWM && !swaps;
  if (which == BY_GRADIENTS) return sampler == LBP_SAMPLER_AB || sampler == LBP_SAMPLER_DLP;
  return which == ALL || weights;
}

/* All samplers of a kernel, with all that may be wrong; region: whether log pi is that with a region. */
static void try_all(const char *name, const lbp_kernel *kernel, uint32_t n, int grouped, int which, int region) {
  uint32_t k;
  law m;
  for (k = 0; k < kernel->samplers; k++) {
    const int sampler = kernel->sampler[k].sampler;
    if (kernel->sampler[k].traits & LBP_TRAIT_MOMENTUM) continue; /* for quadratic models */
    for (m.kind = NOTHING; m.kind < KINDS; m.kind++) {
      lbp_run run = short_run(sampler, grouped);
      const int wrong = (m.kind == REGION && region) || (m.kind == ONE_SITE && goes_by_ratios(which, sampler));
      lbp_run_result result;
      char what[160];
      int status;
      if (kernel->sampler[k].traits & LBP_TRAIT_CURVED) run.warmup = 1000;
      status = lbp_run_kernel(&run, kernel, &m, n, &result);
      snprintf(what, sizeof what, "%s, %s, kind %d: status %d", name, kernel->sampler[k].name, m.kind, status);
      test_count(wrong ? is_nan_status(status) : status == LBP_OK, __FILE__, __LINE__, what);
      if (wrong) CHECK(strstr(result.message, "the model is wrong") && strstr(result.message, "NaN"));
      lbp_run_free(&result);
    }
  }
}

static void test_samplers(void) {
  const lbp_kernel l = local_kernel(), p = plain_kernel(), f = listed_kernel(), i = product_kernel();
  const lbp_kernel v = levelled_kernel(), e = estimates_kernel(), d = dense_kernel(), g = grouped_kernel();
  const lbp_kernel h = dense_grouped_kernel(), c = potts_kernel(), q = dense_potts_kernel(), a = ordinal_kernel();
  const lbp_kernel s = pairing_kernel(HALF);
  try_all("local", &l, SITES, 0, ALL, 1);
  try_all("float", &p, SITES, 0, ALL, 1);
  try_all("listed", &f, SITES, 0, ALL, 1);
  try_all("product", &i, SITES, 0, ALL, 0);
  try_all("levelled", &v, SITES, 0, ALL, 0);
  try_all("estimates", &e, SITES, 0, BY_WEIGHTS, 1);
  try_all("dense", &d, SITES, 0, NOT_BLIND, 1);
  try_all("grouped", &g, SITES, 1, ALL, 1);
  try_all("dense and grouped", &h, SITES, 1, NOT_BLIND, 1);
  try_all("potts", &c, SITES, 0, ALL, 1);
  try_all("dense potts", &q, SITES, 0, NOT_BLIND, 1);
  try_all("ordinal", &a, SITES, 0, BY_GRADIENTS, 1);
  try_all("pairing", &s, HALF, 0, ALL, 1);
}

/* Chains that take their steps together; annealing; importance sampling; chains of lbp/run/chains.h. */
static void test_drivers(void) {
  const lbp_kernel e = estimates_kernel(), l = local_kernel();
  lbp_run run = short_run(LBP_SAMPLER_LBP, 0);
  law m = {REGION};
  lbp_run_result result;
  lbp_ais_result annealed;
  lbp_chains chains;
  lbp_plan plan;
  uint32_t k;
  for (m.kind = REGION; m.kind < KINDS; m.kind++) {
    const int wrong = m.kind != HARD;
    int status;
    run = short_run(LBP_SAMPLER_LBP, 0);
    run.batch = 2;
    status = lbp_run_kernel(&run, &e, &m, SITES, &result);
    CHECK(wrong ? is_nan_status(status) : status == LBP_OK);
    lbp_run_free(&result);
    run = short_run(LBP_SAMPLER_LBP, 0); /* which has a way of its own for single flips */
    run.parameter = 1;
    status = local_run(&run, &m, SITES, &result);
    CHECK(wrong ? is_nan_status(status) : status == LBP_OK);
    lbp_run_free(&result);
    run = short_run(LBP_SAMPLER_DEFAULT, 0);
    run.annealing.sweeps = 300;
    run.annealing.cold = 2;
    run.annealing.hot = 0.1;
    status = local_anneal(&run, &m, SITES, &result);
    CHECK(wrong ? is_nan_status(status) : status == LBP_OK);
    lbp_run_free(&result);
    run = short_run(LBP_SAMPLER_GIBBS, 0);
    run.start = NULL;
    run.tempering.rungs = 10;
    run.chains = 20;
    status = local_ais(&run, &m, SITES, &annealed);
    CHECK(wrong ? is_nan_status(status) : status == LBP_OK);
    lbp_ais_free(&annealed);
    CHECK(lbp_plan_init(&plan, &l, LBP_SAMPLER_GIBBS, SITES, 0) == LBP_OK);
    CHECK(lbp_chains_init(&chains, &l, &m, &plan, 0, 3, 0) == LBP_OK);
    for (k = 0; k < 3; k++) {
      CHECK(lbp_chains_make(&chains, k, 1) == LBP_OK);
      memset(lbp_chains_unit(&chains, k)->x, 0, SITES);
    }
    CHECK(lbp_chains_fault(&chains).status == LBP_OK);
    lbp_chains_steps(&chains, 500, 0, 0);
    CHECK((lbp_chains_fault(&chains).status == LBP_E_DELTA_NAN) == wrong);
    lbp_chains_free(&chains);
  }
}

/* The log-ratio of a flip is a number, that of the flip back is NaN: steps of one flip see it, too. */
static void test_way_back(void) {
  const lbp_kernel kernel[4] = {local_kernel(), plain_kernel(), listed_kernel(), product_kernel()};
  const law m = {WAY_BACK};
  uint32_t k, R;
  for (k = 0; k < 4; k++) {
    for (R = 1; R < 4; R++) {
      lbp_run run = short_run(LBP_SAMPLER_LBP, 0);
      lbp_run_result result;
      run.parameter = R;
      CHECK(lbp_run_kernel(&run, &kernel[k], &m, SITES, &result) == LBP_E_DELTA_NAN);
      lbp_run_free(&result);
    }
  }
}

/* With tempering, the replicas of all rungs are asked: at inverse temperature 0 all states are equally likely, so that
 * they meet NaN soon, also where the coldest replica never goes there. */
static void test_rungs(void) {
  static const int sampler[3] = {LBP_SAMPLER_LBP, LBP_SAMPLER_GIBBS, LBP_SAMPLER_METROPOLIS};
  static const double ladder[3] = {30, 5, 0};
  lbp_run_result result;
  int k;
  for (k = 0; k < 3; k++) {
    law m;
    for (m.kind = NOTHING; m.kind <= RARE; m.kind++) {
      lbp_run run = short_run(sampler[k], 0);
      const int wrong = m.kind == REGION || m.kind == ONE_SITE || m.kind == RARE;
      int status;
      run.tempering.rungs = 3;
      run.tempering.ladder = ladder;
      status = local_run(&run, &m, SITES, &result);
      CHECK(wrong ? is_nan_status(status) : status == LBP_OK);
      if (wrong) CHECK(strstr(result.message, "the model is wrong") && strstr(result.message, "NaN"));
      lbp_run_free(&result);
    }
  }
}

/* Without a run: NAME_fault reports it, with the site; NAME_check changes nothing of that; NAME_init ends it. A
 * chain may begin in an impossible state, where log-ratios are NaN. */
static void test_chain(void) {
  static const uint8_t odd[SITES] = {1, 1, 1, 1, 1};
  plain_chain c, untouched;
  lbp_rng rng;
  law m = {ONE_SITE};
  int k;
  lbp_rng_init(&rng, 1, 0);
  CHECK(plain_init(&c, NULL) == LBP_OK && plain_fault(&c).status == LBP_OK);
  CHECK(plain_check(&c, &m, 5, &rng).status == LBP_E_DELTA_NAN && plain_fault(&c).status == LBP_OK);
  plain_lbp_step(&c, &m, 1, &rng);
  CHECK(plain_fault(&c).status == LBP_E_DELTA_NAN && plain_fault(&c).site == SICK && lbp_is_nan(plain_fault(&c).got));
  m.kind = NOTHING;
  CHECK(plain_check(&c, &m, 5, &rng).status == LBP_OK && plain_fault(&c).status == LBP_E_DELTA_NAN);
  CHECK(plain_init(&c, NULL) == LBP_OK && plain_fault(&c).status == LBP_OK);
  m.kind = REGION; /* steps of one flip see it as soon as a flip leads there */
  for (k = 0; k < 1000 && c.x[0] + c.x[1] + c.x[2] + c.x[3] + c.x[4] + c.x[5] < 4; k++) plain_lbp_step(&c, &m, 1, &rng);
  CHECK(k > 1 && k < 1000 && plain_fault(&c).status == LBP_E_DELTA_NAN && plain_fault(&c).site < HALF);
  m.kind = HARD;
  for (k = 0; k < 4; k++) {
    CHECK(plain_init(&untouched, odd) == LBP_OK);
    if (k == 0) plain_lbp_step(&untouched, &m, 1, &rng);
    if (k == 1) plain_gwg_step(&untouched, &m, 2, &rng);
    if (k == 2) plain_rwm_step(&untouched, &m, 3, &rng);
    if (k == 3) plain_gibbs_sweep(&untouched, &m, &rng);
    for (c = untouched, m.kind = HARD; c.n > 0 && lbp_rng_u64(&rng) >> 57 > 0;) plain_lbp_step(&c, &m, 3, &rng);
    CHECK(plain_fault(&c).status == LBP_OK && plain_fault(&untouched).status == LBP_OK);
  }
}

int main(void) {
  test_samplers();
  test_drivers();
  test_way_back();
  test_rungs();
  test_chain();
  return test_report();
}
