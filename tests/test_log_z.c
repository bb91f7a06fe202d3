/* log Z by all drivers. NAME_ais by its default sampler on 24 models whose exact log Z is known: errors are
 * honest, or there is a warning, and warnings are not everywhere; the same by resampling and by samplers of one's own.
 * Flat laws, one chain, equal chains. Constraints whose possible states moves connect, and those where they do not:
 * by enumeration, which states single moves lead to. Chains with the same numbers. Refused options. `test_log_z
 * table` prints the models one by one.
 *
 * Seeds are fixed. With others, if all is right, the mean square of 480 errors would be outside of 0.8 to 1.25 in
 * one of 1000 tries; API_QUICK has 8, and wider bounds for them. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "../lbp_run.h"

#if defined _OPENMP
#include <omp.h>
#endif

#include "run_files.h"
#include "test.h"

enum { CHAINS = 400, RUNGS = 50 };
#ifdef API_QUICK
enum { SEEDS = 1, STEP = 3, THIN = 1 }; /* of every third model */
static const double LEAST = 0.1, MOST = 4;
#else
enum { SEEDS = 20, STEP = 1, THIN = 5 };
static const double LEAST = 0.8, MOST = 1.25;
#endif

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* Pairs of neighbours with couplings, or if `hard` never both 1; groups for `bound`. */
enum { SITES = 60, DEGREE = 15 };
typedef struct {
  uint32_t n, degree[SITES], near[SITES][DEGREE], group[SITES], ones[SITES];
  double J[SITES][DEGREE], h[SITES];
  int hard;
} web;

static void join(web *m, uint32_t a, uint32_t b, double J) {
  m->near[a][m->degree[a]] = b;
  m->J[a][m->degree[a]++] = J;
  m->near[b][m->degree[b]] = a;
  m->J[b][m->degree[b]++] = J;
}

static double web_delta(const web *m, const uint8_t *x, uint32_t i) {
  double field = m->h[i];
  uint32_t k;
  for (k = 0; k < m->degree[i]; k++) {
    if (m->hard && x[m->near[i][k]]) return x[i] ? HUGE_VAL : -HUGE_VAL;
    field += x[m->near[i][k]] ? m->J[i][k] : -m->J[i][k];
  }
  return x[i] ? -2 * field : 2 * field;
}

static double web_logp(const web *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i, k;
  for (i = 0; i < m->n; i++) {
    sum += x[i] ? m->h[i] : -m->h[i];
    for (k = 0; k < m->degree[i]; k++) {
      if (m->near[i][k] > i) continue;
      if (m->hard && x[i] && x[m->near[i][k]]) return -HUGE_VAL;
      sum += x[i] == x[m->near[i][k]] ? m->J[i][k] : -m->J[i][k];
    }
  }
  return sum;
}

static uint32_t web_neighbours(const web *m, uint32_t i, uint32_t *out) {
  memcpy(out, m->near[i], m->degree[i] * sizeof *out);
  return m->degree[i];
}

static uint32_t web_group(const web *m, uint32_t i) { return m->group[i]; }
static uint32_t web_ones(const web *m, uint32_t group) { return m->ones[group]; }

#define LBP_NAME           web
#define LBP_MODEL_T        web
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS DEGREE
#define LBP_LOGP           web_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           bound
#define LBP_MODEL_T        web
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS DEGREE
#define LBP_LOGP           web_logp
#define LBP_GROUP          web_group
#define LBP_GROUP_ONES     web_ones
#define LBP_TEMPERED
#include "../lbp_run.h"

/* All pairs and triples are coupled: log pi = n (J2 m^2 / 2 + J3 m^3 / 3 + h m), m the mean of spins. */
typedef struct {
  uint32_t n;
  double J2, J3, h;
} crowd;

static double crowd_level(const crowd *c, uint32_t ones) {
  const double m = 2.0 * ones / c->n - 1;
  return c->n * (c->J2 / 2 * m * m + c->J3 / 3 * m * m * m + c->h * m);
}

static uint32_t crowd_ones(const crowd *c, const uint8_t *x) {
  uint32_t i, ones = 0;
  for (i = 0; i < c->n; i++) ones += x[i];
  return ones;
}

static double crowd_logp(const crowd *c, const uint8_t *x) { return crowd_level(c, crowd_ones(c, x)); }

static double crowd_delta(const crowd *c, const uint8_t *x, uint32_t i) {
  const uint32_t ones = crowd_ones(c, x);
  return crowd_level(c, x[i] ? ones - 1 : ones + 1) - crowd_level(c, ones);
}

static void crowd_deltas(const crowd *c, const uint8_t *x, double *out) {
  const uint32_t ones = crowd_ones(c, x);
  const double here = crowd_level(c, ones), up = ones < c->n ? crowd_level(c, ones + 1) - here : 0;
  const double down = ones > 0 ? crowd_level(c, ones - 1) - here : 0;
  uint32_t i;
  for (i = 0; i < c->n; i++) out[i] = x[i] ? down : up;
}

#define LBP_NAME    crowd
#define LBP_MODEL_T crowd
#define LBP_DELTAS  crowd_deltas
#define LBP_DELTA   crowd_delta
#define LBP_LOGP    crowd_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

/* A restricted Boltzmann machine, its hidden units summed out: dense, without log-ratios of single sites. */
enum { VISIBLE = 12, HIDDEN = 6 };
typedef struct {
  double b[VISIBLE], c[HIDDEN], W[VISIBLE][HIDDEN];
} machine;

static double machine_logp(const machine *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i, j;
  for (i = 0; i < VISIBLE; i++) sum += x[i] * m->b[i];
  for (j = 0; j < HIDDEN; j++) {
    double field = m->c[j];
    for (i = 0; i < VISIBLE; i++) field += x[i] * m->W[i][j];
    sum += log1p(exp(field));
  }
  return sum;
}

static void machine_deltas(const machine *m, const uint8_t *x, double *out) {
  const double here = machine_logp(m, x);
  uint8_t y[VISIBLE];
  uint32_t i;
  memcpy(y, x, VISIBLE);
  for (i = 0; i < VISIBLE; i++) {
    y[i] ^= 1;
    out[i] = machine_logp(m, y) - here;
    y[i] ^= 1;
  }
}

#define LBP_NAME    machine
#define LBP_MODEL_T machine
#define LBP_DELTAS  machine_deltas
#define LBP_LOGP    machine_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

/* A Potts model. */
#define COLOURS 4
enum { PLACES = 9, TOUCHING = 4 };
typedef struct {
  uint32_t n, colours, degree[PLACES], near[PLACES][TOUCHING];
  double J, h[PLACES][COLOURS];
} map;

static double map_logp(const map *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i, k;
  for (i = 0; i < m->n; i++) {
    sum += m->h[i][x[i]];
    for (k = 0; k < m->degree[i]; k++) sum += m->near[i][k] < i && x[i] == x[m->near[i][k]] ? m->J : 0;
  }
  return sum;
}

static void map_deltas_of(const map *m, const uint8_t *x, uint32_t i, double *out) {
  uint32_t k, v;
  for (v = 0; v < m->colours; v++) {
    out[v] = m->h[i][v] - m->h[i][x[i]];
    for (k = 0; k < m->degree[i]; k++) {
      out[v] += (x[m->near[i][k]] == v ? m->J : 0) - (x[m->near[i][k]] == x[i] ? m->J : 0);
    }
  }
}

static uint32_t map_neighbours(const map *m, uint32_t i, uint32_t *out) {
  memcpy(out, m->near[i], m->degree[i] * sizeof *out);
  return m->degree[i];
}

static uint32_t map_colours(const map *m, uint32_t i) { return (void)i, m->colours; }

#define LBP_NAME           map
#define LBP_MODEL_T        map
#define LBP_CAT_STATES     COLOURS
#define LBP_CAT_STATES_OF  map_colours
#define LBP_CAT_DELTAS_OF  map_deltas_of
#define LBP_NEIGHBOURS     map_neighbours
#define LBP_MAX_NEIGHBOURS TOUCHING
#define LBP_LOGP           map_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

/* Assignments: costs of rows, and of pairs of rows. */
enum { ROWS = 7 };
typedef struct {
  double cost[ROWS][ROWS], flow[ROWS][ROWS], far[ROWS][ROWS];
} task;

static double task_logp(const task *p, const uint32_t *s) {
  double sum = 0;
  uint32_t a, b;
  for (a = 0; a < ROWS; a++) {
    sum -= p->cost[a][s[a]];
    for (b = 0; b < a; b++) sum -= p->flow[a][b] * p->far[s[a]][s[b]];
  }
  return sum;
}

static double task_exchange(const task *p, const uint32_t *s, uint32_t a, uint32_t b) {
  uint32_t y[ROWS];
  memcpy(y, s, sizeof y);
  y[a] = s[b];
  y[b] = s[a];
  return task_logp(p, y) - task_logp(p, s);
}

#define LBP_NAME     task
#define LBP_MODEL_T  task
#define LBP_EXCHANGE task_exchange
#define LBP_LOGP     task_logp
#include "../lbp_run.h"

/* ---- exact log Z, and the list ----------------------------------------------------------------------------------- */

static double add(double a, double b) {
  const double high = a > b ? a : b, low = a > b ? b : a;
  return high == -HUGE_VAL ? high : high + log1p(exp(low - high));
}

static double web_exact(const web *m, int grouped) {
  double sum = -HUGE_VAL;
  uint8_t x[SITES];
  uint32_t code, i;
  for (code = 0; code < 1u << m->n; code++) {
    uint32_t ones[SITES] = {0};
    int admitted = 1;
    for (i = 0; i < m->n; i++) {
      x[i] = code >> i & 1;
      ones[m->group[i]] += x[i];
    }
    for (i = 0; grouped && i < m->n; i++) admitted &= ones[m->group[i]] == m->ones[m->group[i]];
    if (admitted) sum = add(sum, web_logp(m, x));
  }
  return sum;
}

static double crowd_exact(const crowd *c) {
  double sum = -HUGE_VAL;
  uint32_t k;
  for (k = 0; k <= c->n; k++) {
    sum = add(sum, crowd_level(c, k) + lgamma(c->n + 1.0) - lgamma(k + 1.0) - lgamma(c->n - k + 1.0));
  }
  return sum;
}

static double machine_exact(const machine *m) {
  double sum = -HUGE_VAL;
  uint8_t x[VISIBLE];
  uint32_t code, i;
  for (code = 0; code < 1u << VISIBLE; code++) {
    for (i = 0; i < VISIBLE; i++) x[i] = code >> i & 1;
    sum = add(sum, machine_logp(m, x));
  }
  return sum;
}

static double map_exact(const map *m) {
  double sum = -HUGE_VAL;
  uint8_t x[PLACES] = {0};
  uint32_t i;
  do { /* counts, with x as digits */
    sum = add(sum, map_logp(m, x));
    for (i = 0; i < m->n && ++x[i] == m->colours; i++) x[i] = 0;
  } while (i < m->n);
  return sum;
}

/* Of rows a and on, whose images are s[a] ... in any task. */
static double task_exact(const task *p, uint32_t *s, uint32_t a) {
  double sum = -HUGE_VAL;
  uint32_t b, k;
  if (a == ROWS) return task_logp(p, s);
  for (b = a; b < ROWS; b++) {
    for (k = 0; k < 2; k++) { /* there, and back after the rest */
      const uint32_t held = s[a];
      s[a] = s[b];
      s[b] = held;
      if (k == 0) sum = add(sum, task_exact(p, s, a + 1));
    }
  }
  return sum;
}

/* By the eigenvalues of the transfer matrix. */
static double ring_exact(uint32_t n, double J, double h) {
  const double middle = exp(J) * cosh(h), apart = sqrt(exp(2 * J) * sinh(h) * sinh(h) + exp(-2 * J));
  return n * log(middle + apart) + log1p(pow((middle - apart) / (middle + apart), n));
}

typedef struct {
  char name[60];
  double exact;
  lbp_kernel kernel;
  const void *model;
  uint32_t n;
} item;

enum { ITEMS = 24 };
static item items[ITEMS];
static uint32_t listed;
static web webs[16];
static crowd crowds[4];
static machine machines[2];
static map maps[2];
static task tasks[2];
static lbp_rng noise;

static double uniform(void) { return lbp_u01(lbp_rng_u64(&noise)); }
static double normal(void) { return lbp_normal_quantile(0.5 * (uniform() + uniform()) * 0.999 + 0.0005) * 1.5; }

static void list(const char *name, double number, double exact, lbp_kernel kernel, const void *model, uint32_t n) {
  item *it = &items[listed++];
  snprintf(it->name, sizeof it->name, name, number);
  it->exact = exact;
  it->kernel = kernel;
  it->model = model;
  it->n = n;
}

/* A torus of 4 x 4 sites, with a diagonal if it is triangular. */
static void torus(web *m, double J, double h, int triangular) {
  uint32_t r, c;
  m->n = 16;
  for (r = 0; r < 4; r++) {
    for (c = 0; c < 4; c++) {
      m->h[4 * r + c] = h;
      join(m, 4 * r + c, 4 * r + (c + 1) % 4, J);
      join(m, 4 * r + c, (r + 1) % 4 * 4 + c, J);
      if (triangular) join(m, 4 * r + c, (r + 3) % 4 * 4 + (c + 1) % 4, J);
    }
  }
}

static void list_webs(void) {
  static const struct {
    const char *name;
    double J, h;
    int triangular;
  } tori[5] = {{"triangular ferromagnet, J = %g", 0.45, 0.05, 1}, {"triangular antiferromagnet, J = %g", -0.6, 0.2, 1},
               {"square ferromagnet, J = %g", 0.44, 0, 0}, {"square ferromagnet, J = %g", 0.9, 0.03, 0},
               {"square antiferromagnet in a field, J = %g", -0.5, 0.5, 0}};
  web *m = webs;
  uint32_t i, j, k;
  for (k = 0; k < 5; k++, m++) {
    torus(m, tori[k].J, tori[k].h, tori[k].triangular);
    list(tori[k].name, tori[k].J, web_exact(m, 0), web_kernel(), m, m->n);
  }
  for (k = 1; k <= 3; k++, m++) {
    m->n = 16;
    for (i = 0; i < 16; i++) {
      m->h[i] = 0.1 * normal();
      for (j = 1; j <= 5; j += j) join(m, i, (i + j) % 16, 0.6 * k * normal());
    }
    list("spin glass, couplings of %g", 0.6 * k, web_exact(m, 0), web_kernel(), m, 16);
  }
  m->n = 16;
  for (i = 0; i < 16; i++) {
    for (j = 0; j < i; j++) join(m, i, j, 1.5 * normal() / 4);
  }
  list("Sherrington-Kirkpatrick, beta = %g", 1.5, web_exact(m, 0), web_kernel(), m, 16);
  m++;
  m->n = 16;
  for (i = 0; i < 16; i++) m->h[i] = 3 * normal();
  list("independent sites, fields of %g", 3, web_exact(m, 0), web_kernel(), m, 16);
  m++;
  m->n = 60;
  for (i = 0; i < 60; i++) m->h[i] = 0.1, join(m, i, (i + 1) % 60, 0.7);
  list("ring of 60, J = %g", 0.7, ring_exact(60, 0.7, 0.1), web_kernel(), m, 60);
  m++;
  for (k = 0; k < 2; k++, m++) {
    m->n = k ? 8 : 10;
    m->hard = 1;
    for (i = 0; i < m->n; i++) m->h[i] = k ? 1.2 : 0.35, join(m, i, (i + 1) % m->n, 0);
    list("hard core on a ring of %g", m->n, web_exact(m, 0), web_kernel(), m, m->n);
  }
  torus(m, 0.5, 0, 0);
  for (i = 0; i < 16; i++) m->h[i] = 0.5 * normal();
  m->ones[0] = 8;
  list("%g of 16 ones, square ferromagnet", 8, web_exact(m, 1), bound_kernel(), m, 16);
  m++;
  m->n = 16;
  for (i = 0; i < 16; i++) {
    m->group[i] = i / 4;
    m->h[i] = normal();
    for (j = 0; j < i; j++) {
      if (i / 4 != j / 4) join(m, i, j, 0.4 * normal());
    }
  }
  for (i = 0; i < 4; i++) m->ones[i] = 1;
  list("%g one-hot groups", 4, web_exact(m, 1), bound_kernel(), m, 16);
}

static void make_list(void) {
  static const crowd some[4] = {{50, 1.3, 0, 0.02}, {30, 0, 1.8, 0}, {40, 1.6, 0, 0.05}, {40, 0, 2.4, 0}};
  uint32_t i, j, k, s[ROWS] = {0, 1, 2, 3, 4, 5, 6};
  lbp_rng_init(&noise, 77, 0);
  list_webs();
  for (k = 0; k < 4; k++) {
    crowds[k] = some[k];
    list(k % 2 ? "all triples coupled, J = %g" : "all pairs coupled, J = %g", some[k].J2 + some[k].J3,
         crowd_exact(&crowds[k]), crowd_kernel(), &crowds[k], crowds[k].n);
  }
  for (k = 0; k < 2; k++) {
    machine *m = &machines[k];
    for (i = 0; i < VISIBLE; i++) {
      m->b[i] = 0.5 * normal() - 0.5;
      for (j = 0; j < HIDDEN; j++) m->W[i][j] = 0.8 * (k + 1) * normal(), m->c[j] = -0.5 * (k + 1);
    }
    list("restricted Boltzmann machine, W of %g", 0.8 * (k + 1), machine_exact(m), machine_kernel(), m, VISIBLE);
  }
  for (k = 0; k < 2; k++) {
    map *m = &maps[k];
    m->n = PLACES - k;
    m->colours = 3 + k;
    m->J = k ? 1.2 : 0.6;
    for (i = 0; i < m->n; i++) {
      for (j = 0; j < m->colours; j++) m->h[i][j] = 0.2 * normal();
      for (j = 1; j <= 3; j += 2) {
        const uint32_t b = (i + j) % m->n;
        m->near[i][m->degree[i]++] = b;
        m->near[b][m->degree[b]++] = i;
      }
    }
    list("Potts model of %g colours", m->colours, map_exact(m), map_kernel(), m, m->n);
  }
  for (k = 0; k < 1; k++) {
    task *p = &tasks[k];
    for (i = 0; i < ROWS; i++) {
      for (j = 0; j < ROWS; j++) p->cost[i][j] = uniform(), p->flow[i][j] = 2 * uniform(), p->far[i][j] = 3 * uniform();
    }
    list("quadratic assignment of %g", ROWS, task_exact(p, s, 0), task_kernel(ROWS), p, ROWS);
  }
}

/* ---- errors of annealing ----------------------------------------------------------------------------------------- */

typedef struct {
  double squares, sure; /* sums of z^2, of all and of those without a warning */
  uint32_t all, without;
} score;

static void anneal(const item *it, lbp_run run, uint32_t seeds, score *s) {
  for (run.seed = 1; run.seed <= seeds; run.seed++) {
    lbp_ais_result result;
    double z;
    CHECK(lbp_ais_kernel(&run, &it->kernel, it->model, it->n, &result) == LBP_OK);
    if (result.status != LBP_OK) printf("%s: %s\n", it->name, result.message);
    z = (result.log_z - it->exact) / result.log_z_se;
    s->squares += z * z;
    s->all++;
    if (result.warnings == 0) s->sure += z * z, s->without++;
    lbp_ais_free(&result);
  }
}

static lbp_run annealing(uint32_t chains, uint32_t rungs, uint32_t thin) {
  lbp_run run;
  lbp_run_init(&run);
  run.chains = chains;
  run.tempering.rungs = rungs;
  run.thin = thin;
  return run;
}

/* All models; what each says, if it is to be printed. */
static score anneal_all(lbp_run run, uint32_t seeds, int print) {
  score total = {0, 0, 0, 0};
  uint32_t k;
  for (k = 0; k < listed; k += STEP) {
    score one = {0, 0, 0, 0};
    if (!lbp_kernel_sampler(&items[k].kernel, run.sampler)) continue;
    anneal(&items[k], run, seeds, &one);
    if (print) {
      printf("%-44s %6.2f %3u of %3u doubted, the rest %6.2f\n", items[k].name, one.squares / one.all,
             (unsigned)(one.all - one.without), (unsigned)one.all, one.without ? one.sure / one.without : 0);
    }
    total.squares += one.squares;
    total.sure += one.sure;
    total.all += one.all;
    total.without += one.without;
  }
  if (print) {
    printf("all: %.3f; without a warning, %u of %u: %.3f\n\n", total.squares / total.all, (unsigned)total.without,
           (unsigned)total.all, total.sure / total.without);
  }
  return total;
}

/* By default few are doubted, and all others are honest. */
static void test_errors(int print) {
  lbp_run run = annealing(CHAINS, RUNGS, 1);
  score s = anneal_all(run, SEEDS, print);
  CHECK(s.without > 0.75 * s.all);
  CHECK(s.sure > LEAST * s.without && s.sure < MOST * s.without);
#ifndef API_QUICK
  run.tempering.resample = 1; /* of 16 populations, whose errors are by Student's t: 1.15 */
  s = anneal_all(run, 10, print);
  CHECK(s.without > 0.7 * s.all && s.sure > LEAST * s.without && s.sure < 1.5 * s.without);
  run = annealing(CHAINS, RUNGS, 2);
  run.sampler = LBP_SAMPLER_LBP; /* R tuned, which stays small */
  s = anneal_all(run, 10, print);
  CHECK(s.without > 0.3 * s.all && s.sure > LEAST * s.without && s.sure < 1.5 * s.without);
#endif
}

/* The triangular ferromagnet whose errors were up to eight times too small; few chains, few rungs, R of one's own. */
static void test_settings(void) {
  static const struct {
    uint32_t chains, rungs, thin;
    int sampler;
    double R;
    unsigned warning; /* at least one of these; 0: none */
  } t[9] = {{CHAINS, RUNGS, THIN, LBP_SAMPLER_DEFAULT, 0, 0},
            {2, RUNGS, THIN, LBP_SAMPLER_DEFAULT, 0, LBP_WARN_AIS_WEIGHTS},
            {3, RUNGS, THIN, LBP_SAMPLER_DEFAULT, 0, LBP_WARN_AIS_WEIGHTS},
            {7, RUNGS, THIN, LBP_SAMPLER_DEFAULT, 0, LBP_WARN_AIS_WEIGHTS},
            {1, RUNGS, THIN, LBP_SAMPLER_DEFAULT, 0, LBP_WARN_AIS_CHAINS},
            {CHAINS, 5, 1, LBP_SAMPLER_DEFAULT, 0, LBP_WARN_AIS_WEIGHTS},
            {CHAINS, RUNGS, THIN, LBP_SAMPLER_LBP, 4, LBP_WARN_AIS_ALL_SITES},
            {CHAINS, RUNGS, THIN, LBP_SAMPLER_GWG, 15.5, LBP_WARN_AIS_ALL_SITES},
            {CHAINS, RUNGS, THIN, LBP_SAMPLER_RWM, 16, LBP_WARN_AIS_ALL_SITES}};
  uint32_t k;
  for (k = 0; k < 9; k++) {
    lbp_run run = annealing(t[k].chains, t[k].rungs, t[k].thin);
    for (run.seed = 1; run.seed <= (SEEDS < 3 ? 1 : 3); run.seed++) {
      lbp_ais_result result;
      run.sampler = t[k].sampler;
      run.parameter = t[k].R;
      CHECK(web_ais(&run, &webs[0], 16, &result) == LBP_OK);
      CHECK(t[k].warning ? (result.warnings & t[k].warning) != 0 : result.warnings == 0);
      if (t[k].warning == 0) CHECK_NEAR(result.log_z, items[0].exact, 5 * result.log_z_se);
      lbp_ais_free(&result);
    }
  }
  for (k = 0; k < listed; k++) { /* where nearly all comes of a few chains, more than enough families survive */
    static const uint64_t seeds[3] = {7, 3, 6};
    lbp_run run = annealing(CHAINS, RUNGS, 1);
    uint32_t s;
    run.tempering.resample = 1;
    for (s = 0; s < (SEEDS < 3 ? 1 : 3) && strstr(items[k].name, "all triples coupled, J = 2.4"); s++) {
      lbp_ais_result result;
      run.seed = seeds[s];
      CHECK(lbp_ais_kernel(&run, &items[k].kernel, items[k].model, items[k].n, &result) == LBP_OK);
      CHECK((result.warnings & LBP_WARN_AIS_FAMILIES) && result.effective_families > LBP_AIS_LEAST_FAMILIES);
      lbp_ais_free(&result);
    }
  }
  for (k = 16; k <= 80; k += 16) { /* a few populations are no measure of how they differ */
    lbp_run run = annealing(k, RUNGS, THIN);
    lbp_ais_result result;
    run.tempering.resample = 1;
    CHECK(web_ais(&run, &webs[0], 16, &result) == LBP_OK && (result.warnings & LBP_WARN_AIS_CHAINS));
    lbp_ais_free(&result);
  }
}

/* ---- which states moves lead to ---------------------------------------------------------------------------------- */

/* States of six sites that are possible: a bit for each; those of two ones, for groups. */
enum { SIX = 6, PAIRED = 1 << 6 };
typedef struct {
  uint64_t possible;
} table;

static uint32_t table_code(const uint8_t *x) {
  uint32_t i, code = 0;
  for (i = 0; i < SIX; i++) code |= (uint32_t)x[i] << i;
  return code;
}

static double table_logp(const table *t, const uint8_t *x) {
  return t->possible >> table_code(x) & 1 ? 3 * x[0] : -HUGE_VAL;
}

static double table_delta(const table *t, const uint8_t *x, uint32_t i) {
  uint8_t y[SIX];
  memcpy(y, x, SIX);
  y[i] ^= 1;
  if (!lbp_is_finite(table_logp(t, y))) return -HUGE_VAL;
  return lbp_is_finite(table_logp(t, x)) ? table_logp(t, y) - table_logp(t, x) : HUGE_VAL;
}

static void table_deltas(const table *t, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < SIX; i++) out[i] = table_delta(t, x, i);
}

static uint32_t table_neighbours(const table *t, uint32_t i, uint32_t *out) {
  uint32_t k, count = 0;
  (void)t;
  for (k = 0; k < SIX; k++) {
    if (k != i) out[count++] = k;
  }
  return count;
}

static uint32_t table_group(const table *t, uint32_t i) { return (void)t, (void)i, 0; }
static uint32_t table_ones(const table *t, uint32_t group) { return (void)t, (void)group, 2; }

#define LBP_NAME           flips
#define LBP_MODEL_T        table
#define LBP_DELTA          table_delta
#define LBP_NEIGHBOURS     table_neighbours
#define LBP_MAX_NEIGHBOURS SIX
#define LBP_LOGP           table_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME       swaps
#define LBP_MODEL_T    table
#define LBP_DELTAS     table_deltas
#define LBP_LOGP       table_logp
#define LBP_GROUP      table_group
#define LBP_GROUP_ONES table_ones
#define LBP_TEMPERED
#include "../lbp_run.h"

static void table_start(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  const table *t = (const table *)data;
  uint32_t code = 0, i;
  (void)chain;
  while (!(t->possible >> code & 1)) code++;
  for (i = 0; i < n; i++) x[i] = code >> i & 1;
}

static uint32_t bits(uint32_t v) {
  uint32_t count = 0;
  for (; v; v &= v - 1) count++;
  return count;
}

/* How many of the possible states single moves lead to, of two sites if they are swaps, from the first one. */
static uint32_t count_reached(const table *t, int swap) {
  uint64_t there = t->possible & (~t->possible + 1), before = 0;
  uint32_t a, b, count = 0;
  while (there != before) {
    before = there;
    for (a = 0; a < 64; a++) {
      for (b = 0; b < 64; b++) {
        if ((there >> a & 1) && (t->possible >> b & 1) && bits(a ^ b) == (swap ? 2u : 1u)) there |= UINT64_C(1) << b;
      }
    }
  }
  for (a = 0; a < 64; a++) count += there >> a & 1;
  return count;
}

/* The warning is there where moves don't lead to all possible states; where they do it is only if straight ways, by moves
 * that set a site right each, lead elsewhere. A complete run that is called again says the same. Annealing is right in
 * either. Returns how far tempering is off. */
static double check_reach(const table *t, int swap, int straight) {
  double z = 0, off;
  lbp_run run;
  lbp_run_result result, again;
  lbp_ais_result annealed;
  uint32_t code, possible = 0, i;
  int connected;
  for (code = 0; code < 64; code++) {
    if (!(t->possible >> code & 1)) continue;
    possible++;
    z += exp(3.0 * (code & 1));
  }
  connected = count_reached(t, swap) == possible;
  lbp_run_init(&run);
  run.tempering.rungs = 4;
  run.draws = 2000;
  run.start = table_start;
  run.start_data = t;
  run.sampler = swap ? LBP_SAMPLER_SWAP_SWEEP : LBP_SAMPLER_GIBBS;
  run.checkpoint = in_folder("reach.ckpt");
  CHECK((swap ? swaps_run : flips_run)(&run, t, SIX, &result) == LBP_OK && result.log_z_status == LBP_OK);
  CHECK(result.reached + result.unreached > 16);
  CHECK((swap ? swaps_run : flips_run)(&run, t, SIX, &again) == LBP_OK && again.resumed);
  CHECK(again.reached == result.reached && again.unreached == result.unreached && again.warnings == result.warnings);
  lbp_run_free(&again);
  remove(run.checkpoint);
  off = fabs(result.log_z - log(z)) / result.log_z_se;
  if (!connected) {
    CHECK((result.warnings & LBP_WARN_REACH) && result.unreached > 0);
  } else {
    if (!(result.warnings & LBP_WARN_REACH)) CHECK_NEAR(result.log_z, log(z), 6 * result.log_z_se);
    CHECK(result.unreached > 0 || !(result.warnings & LBP_WARN_REACH));
    CHECK(!straight || !(result.warnings & LBP_WARN_REACH));
  }
  lbp_run_free(&result);
  run = annealing(400, 20, 1);
  run.start = table_start;
  run.start_data = t;
  for (i = 0; i < 3; i++) {
    run.seed = i + 1;
    run.tempering.resample = i == 2;
    CHECK((swap ? swaps_ais : flips_ais)(&run, t, SIX, &annealed) == LBP_OK);
    CHECK_NEAR(annealed.log_z, log(z), 6 * annealed.log_z_se);
    lbp_ais_free(&annealed);
  }
  return off;
}

static table make_table(const uint32_t *codes, uint32_t count) {
  table t = {0};
  uint32_t k;
  for (k = 0; k < count; k++) t.possible |= UINT64_C(1) << codes[k];
  return t;
}

static void test_reach(void) {
  static const uint32_t apart[6] = {0x03, 0x05, 0x06, 0x30, 0x28, 0x18}; /* two triples, two swaps from each other */
  static const uint32_t star[5] = {0x03, 0x05, 0x09, 0x11, 0x28};
  static const uint32_t chain[6] = {0x03, 0x05, 0x0c, 0x18, 0x30, 0x21}; /* by swaps on a ring */
  table t = make_table(apart, 6);
  uint32_t k, code, i;
  CHECK(count_reached(&t, 1) == 3);
  CHECK(check_reach(&t, 1, 0) > 5); /* what the warning is for */
  t = make_table(chain, 6);
  CHECK(count_reached(&t, 1) == 6);
  check_reach(&t, 1, 0);
  t = make_table(star, 5);
  CHECK(count_reached(&t, 1) == 5);
  check_reach(&t, 1, 0);
  t.possible = 0; /* independent sets of a path */
  for (code = 0; code < 64; code++) t.possible |= (uint64_t)!(code & code >> 1) << code;
  CHECK(count_reached(&t, 0) == 21);
  check_reach(&t, 0, 1);
  t.possible = 0; /* all pairs but two */
  for (code = 0; code < 64; code++) t.possible |= (uint64_t)(bits(code) == 2 && code != 3 && code != 12) << code;
  CHECK(count_reached(&t, 1) == 13);
  check_reach(&t, 1, 1);
  for (k = 0; k < 4; k++) { /* random tables; of single flips few are connected */
    lbp_rng_init(&noise, k, 3);
    t.possible = 0;
    for (i = 0; i < (k < 2 ? 12u : 50u); i++) t.possible |= UINT64_C(1) << (lbp_rng_u64(&noise) >> 58);
    check_reach(&t, 0, 0);
  }
}

/* Steps of three flips: no single ones, by which it would be known. Tuned, the hottest rung's decide: the cold one's
 * have R = 1 here, those at beta = 0 five. */
static void test_not_single(void) {
  table t = {0};
  lbp_run run;
  lbp_run_result result;
  uint32_t code;
  web m;
  for (code = 0; code < 64; code++) t.possible |= (uint64_t)(bits(code) < 4) << code;
  lbp_run_init(&run);
  run.tempering.rungs = 3;
  run.start = table_start;
  run.start_data = &t;
  run.parameter = 3;
  CHECK(flips_run(&run, &t, SIX, &result) == LBP_OK && (result.warnings & LBP_WARN_REACH));
  lbp_run_free(&result);
  run.parameter = 1;
  CHECK(flips_run(&run, &t, SIX, &result) == LBP_OK && !(result.warnings & LBP_WARN_REACH) && result.reached > 60);
  lbp_run_free(&result);
  memset(&m, 0, sizeof m);
  m.n = 8;
  m.hard = 1;
  join(&m, 0, 1, 0);
  for (code = 0; code < m.n; code++) m.h[code] = 2;
  run.start = NULL;
  run.parameter = 0;
  run.warmup = 4000;
  run.draws = 3000;
  for (run.chains = 1; run.chains <= 2; run.chains++) {
    CHECK(web_run(&run, &m, m.n, &result) == LBP_OK && result.parameter < 1.5);
    CHECK((result.warnings & LBP_WARN_REACH) && result.unreached == 0 && result.reached > 60);
    lbp_run_free(&result);
  }
}

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

/* A flat law is a number, with an error of 0, or that of the share which is possible. One chain has a number, too. */
static void test_flat(void) {
  lbp_run run;
  lbp_run_result result;
  uint32_t k;
  web m;
  memset(&m, 0, sizeof m);
  m.n = SIX;
  for (k = 0; k < SIX; k++) join(&m, k, (k + 1) % SIX, 0);
  lbp_run_init(&run);
  run.tempering.rungs = 4;
  run.draws = 2000;
  run.sampler = LBP_SAMPLER_GIBBS;
  CHECK(web_run(&run, &m, SIX, &result) == LBP_OK && result.log_z_status == LBP_OK);
  CHECK_NEAR(result.log_z, log(64), 1e-9);
  CHECK(result.log_z_se == 0 && !(result.warnings & LBP_WARN_REACH));
  lbp_run_free(&result);
  m.hard = 1;
  for (run.chains = 1; run.chains <= 4; run.chains += 3) {
    CHECK(web_run(&run, &m, SIX, &result) == LBP_OK);
    CHECK(result.log_z_status == (run.chains > 1 ? LBP_OK : LBP_E_TOO_SHORT));
    CHECK_NEAR(result.log_z, log(18), 0.5); /* a uniform law on all 64 is off by 1.27 */
    if (run.chains > 1) CHECK(result.log_z_se > 0.005 && fabs(result.log_z - log(18)) < 5 * result.log_z_se);
    else CHECK(lbp_is_nan(result.log_z_se));
    CHECK(!(result.warnings & LBP_WARN_REACH));
    lbp_run_free(&result);
  }
  run.draws = 0; /* no number beside another status */
  CHECK(web_run(&run, &m, SIX, &result) == LBP_OK);
  CHECK(result.log_z_status == LBP_E_TOO_SHORT && lbp_is_nan(result.log_z));
  lbp_run_free(&result);
}

/* The largest R that steps have taken: an eighth of the sites and half of one, rounded at random. */
static lbp_kernel_steps *lbp;
static double largest;

static uint32_t watched_steps(void *chain, const void *model, const lbp_plan *taken, void *tuner, uint32_t count,
                              double limit, int learn, lbp_moves *moves) {
  const double before = moves->parameter;
  const uint32_t done = lbp(chain, model, taken, tuner, count, limit, learn, moves);
  if (count == 1 && moves->parameter - before > largest) largest = moves->parameter - before;
  return done;
}

static void test_small_R(void) {
  static const struct {
    lbp_kernel (*kernel)(void);
    uint32_t item;
    double R;
  } of[3] = {{web_kernel, 0, 3}, {bound_kernel, 13, 2}, {map_kernel, 21, 2}};
  uint32_t k;
  for (k = 0; k < 3; k++) {
    lbp_kernel kernel = of[k].kernel();
    lbp_sampler first = *lbp_kernel_sampler(&kernel, LBP_SAMPLER_DEFAULT);
    lbp_run run = annealing(20, 100, 1);
    lbp_ais_result result;
    lbp = first.steps;
    first.steps = watched_steps;
    kernel.sampler = &first;
    kernel.samplers = 1;
    largest = 0;
    CHECK(lbp_ais_kernel(&run, &kernel, items[of[k].item].model, items[of[k].item].n, &result) == LBP_OK);
    CHECK(largest == of[k].R);
    lbp_ais_free(&result);
  }
}

/* Chains that begin with the same numbers: each is given those of the first one when it takes its first steps. */
static lbp_kernel_steps *gibbs;
static void *met[4];
static uint32_t meetings;

static uint32_t twin_steps(void *chain, const void *model, const lbp_plan *taken, void *tuner, uint32_t count,
                           double limit, int learn, lbp_moves *moves) {
  uint32_t k = 0;
  while (k < meetings && met[k] != chain) k++;
  if (k == meetings && k < 4) {
    met[meetings++] = chain;
    lbp_rng_init(&((lbp_unit *)chain)->rng, 1, 0);
  }
  return gibbs(chain, model, taken, tuner, count, limit, learn, moves);
}

static void zeros(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

static void test_equal_chains(void) {
  lbp_kernel kernel = web_kernel();
  lbp_sampler twin = *lbp_kernel_sampler(&kernel, LBP_SAMPLER_GIBBS);
  lbp_run run;
  lbp_run_result result;
  gibbs = twin.steps;
  twin.steps = twin_steps;
  kernel.sampler = &twin;
  kernel.samplers = 1;
  lbp_run_init(&run);
  run.start = zeros;
  CHECK(lbp_run_kernel(&run, &kernel, &webs[0], 16, &result) == LBP_OK && meetings == 4);
  CHECK(result.row[0].rhat_status == LBP_E_EQUAL_CHAINS && result.row[0].ess_bulk_status == LBP_E_EQUAL_CHAINS);
  CHECK((result.warnings & LBP_WARN_EQUAL_CHAINS) && strstr(lbp_run_advice(LBP_WARN_EQUAL_CHAINS), "the same draws"));
  lbp_run_free(&result);
  kernel = web_kernel();
  run.sampler = LBP_SAMPLER_GIBBS;
  CHECK(lbp_run_kernel(&run, &kernel, &webs[0], 16, &result) == LBP_OK && !(result.warnings & LBP_WARN_EQUAL_CHAINS));
  lbp_run_free(&result);
}

/* Log-odds at beta = 0 beside which log Z has no digits: those of sites may be large, but of opposite signs. */
static double huge_base(const void *model, uint32_t i, uint32_t v) {
  return (void)model, v ? i % 2 ? -1e30 : 1e30 : 0;
}
static double large_base(const void *model, uint32_t i, uint32_t v) { return (void)model, v && i == 0 ? 1e11 : 0; }

static void test_huge_base(void) {
  lbp_kernel kernel = web_kernel();
  lbp_run run = annealing(16, 10, 1);
  lbp_ais_result annealed;
  lbp_run_result result;
  uint32_t k;
  for (k = 0; k < 2; k++) {
    kernel.base = k ? large_base : huge_base;
    CHECK(lbp_ais_kernel(&run, &kernel, &webs[0], 16, &annealed) == (k ? LBP_OK : LBP_E_RANGE));
    CHECK(k || (strstr(annealed.message, "LBP_BASE") && lbp_is_nan(annealed.log_z)));
    lbp_ais_free(&annealed);
    run.tempering.rungs = 3;
    run.warmup = 100;
    run.draws = 10;
    CHECK(lbp_run_kernel(&run, &kernel, &webs[0], 16, &result) == LBP_OK);
    CHECK(k ? result.log_z_status != LBP_E_SIZE : result.log_z_status == LBP_E_SIZE && lbp_is_nan(result.log_z));
    lbp_run_free(&result);
  }
}

static volatile sig_atomic_t stopped = 1;

static void test_refused(void) {
  lbp_run run = annealing(16, 10, 1);
  lbp_ais_result result;
  run.checkpoint = "nowhere/at_all";
  CHECK(web_ais(&run, &webs[0], 16, &result) == LBP_E_RANGE);
  CHECK(strstr(result.message, "checkpoint: NAME_ais writes none") != NULL);
  run.checkpoint = NULL;
  run.prefix = "nowhere/at_all";
  CHECK(web_ais(&run, &webs[0], 16, &result) == LBP_E_RANGE);
  CHECK(strstr(result.message, "prefix: NAME_ais writes no files") != NULL);
  run.prefix = NULL;
  run.stop = &stopped;
  CHECK(web_ais(&run, &webs[0], 16, &result) == LBP_E_TOO_SHORT && lbp_is_nan(result.log_z));
  CHECK(lbp_is_nan(result.log_z_se) && result.warnings == 0 && !result.best);
}

/* log Z of pi^0.1: a state of large pi is no sign that weights are few. */
static void test_hot(void) {
  double ladder[21];
  machine m;
  lbp_ais_result it;
  lbp_run run;
  uint32_t k;
  memset(&m, 0, sizeof m);
  for (k = 0; k < VISIBLE; k++) m.b[k] = 3;
  for (k = 0; k <= 20; k++) ladder[k] = 0.1 - k / 200.0 + (k == 20 ? 0 : 1e-12);
  ladder[20] = 0;
  lbp_run_init(&run);
  run.chains = 200;
  run.tempering.ladder = ladder;
  run.tempering.rungs = 21;
  CHECK(machine_ais(&run, &m, VISIBLE, &it) == LBP_OK);
  CHECK_NEAR(it.log_z, VISIBLE * log1p(exp(0.3)) + 0.1 * HIDDEN * log(2.0), 0.05);
  CHECK(it.best_logp > it.log_z + 10 && it.warnings == 0);
  lbp_ais_free(&it);
}

int main(int argc, char **argv) {
#if defined _OPENMP
  omp_set_num_threads(1); /* runs are short */
#endif
  make_list();
  CHECK(make_folder() && listed == ITEMS);
  test_errors(argc > 1 && strcmp(argv[1], "table") == 0);
  test_settings();
  test_small_R();
  test_reach();
  test_not_single();
  test_flat();
  test_hot();
  test_equal_chains();
  test_huge_base();
  test_refused();
  CHECK(rmdir(folder) == 0);
  return test_report();
}
