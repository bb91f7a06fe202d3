/* Long runs of every sampler of lbp.h and lbp_ab.h against laws known in closed form: statistics that can't hide a
 * bias.
 *
 * tests/exact has the laws, one a file, with their sources; judge.h judges a run, binary_case.h and
 * ordinal_case.h how it is made. A row of the output is a group of statistics of one sampler on one law: how many
 * they are, and of the one with the largest t its exact value, what was measured, t, and the bias that would have
 * been detected with probability 0.9, in its units. This program and the same with -DLBP_MODELS_REAL=double (float
 * and double) make fewer than EXACT_TESTS_MOST t-tests each, at level EXACT_LEVEL: a false alarm of both has
 * probability below 1e-4.
 *
 * Each law is first checked itself: exact values against enumeration with the model's log pi, on a small instance,
 * and draws against exact values.
 *
 * -DEXACT_LENGTH=8 makes every run so many times longer, and runs every instance in both precisions (make
 * test-exact). */
#ifndef LBP_AB_WIDTH
#define LBP_AB_WIDTH 8u /* most models of lbp_ab.h here have few coordinates */
#endif
#include "../lbp_models.h"

#include "exact/enumerate.h"
#include "exact/fhmm.h"
#include "exact/judge.h"
#include "exact/path.h"
#include "exact/product.h"
#include "exact/rbm.h"
#include "exact/strip.h"
#include "exact/torus.h"

#ifndef EXACT_SEED
#define EXACT_SEED 2026u
#endif
#ifndef EXACT_LENGTH
#ifdef API_QUICK
#define EXACT_LENGTH 0.02
#else
#define EXACT_LENGTH 1
#endif
#endif

#define EXACT_TESTS_MOST 45000

/* EXACT_MIX, EXACT_AB_MIX: one of those before the ..._MIXED at each step. EXACT_MANY: NAME_lbp_steps. */
enum {
  EXACT_LBP, EXACT_GWG, EXACT_RWM, EXACT_GIBBS, EXACT_MIXED,
  EXACT_LBP_1 = EXACT_MIXED, EXACT_ALBP, EXACT_AGWG, EXACT_ARWM, EXACT_MIX, EXACT_KINDS, EXACT_MANY = EXACT_KINDS
};
static const char *const exact_kinds[] = {"LBP-R", "GWG-R", "RWM-R", "Gibbs", "LBP-1",
                                          "ALBP",  "AGWG",  "ARWM",  "mix",   "many"};

enum {
  EXACT_AB_RWM, EXACT_AB_GIBBS, EXACT_AB_DLP, EXACT_AB_MIXED,
  EXACT_AB_SECOND = EXACT_AB_MIXED, EXACT_AB_FIRST, EXACT_AB_EDGES, EXACT_AB_PRINTED, EXACT_AB_LANGEVIN_D,
  EXACT_AB_ADLP, EXACT_AB_ARWM, EXACT_AB_GIVEN, EXACT_AB_LEARNT, EXACT_AB_MIX, EXACT_AB_KINDS
};
static const char *const exact_ab_kinds[] = {"RWM", "Gibbs", "DLP", "AB", "AB-1st", "AB edges", "AB printed", "DLP-D",
                                             "ADLP", "ARWM", "AB given", "AB learnt", "mix"};

enum { EXACT_WIDTH = 20 }; /* chains of NAME_lbp_steps */
#ifdef API_QUICK
enum { EXACT_WARMUP = 40 }; /* steps of a warm-up */
#else
enum { EXACT_WARMUP = 200 };
#endif

/* Mean R of LBP and GWG, and of RWM; states that a replica looks at, and steps between them. */
typedef struct {
  double r_informed, r_uniform;
  uint32_t visits, stride;
} exact_plan;

/* Scales of first order, and in the metric of D; W, the Hessian of log pi. */
typedef struct {
  double sigma, s;
  uint32_t visits, stride;
  const lbp_symmetric *W;
} exact_ab_plan;

static uint32_t exact_scaled(uint32_t visits) {
  const double scaled = visits * (double)EXACT_LENGTH;
  return scaled < 10 ? 10 : (uint32_t)scaled;
}

/* A sweep costs n times what a step does, and brings more: a quarter as many, each looked at. */
static exact_plan exact_of_kind(const exact_plan *plan, int kind) {
  exact_plan p = *plan;
  if (kind == EXACT_GIBBS) {
    p.visits = plan->visits * plan->stride / 4;
    p.stride = 1;
  }
  p.visits = exact_scaled(p.visits);
  return p;
}

/* What judge_finish expects: 2 with both parities; nothing where runs are cut short. */
static int exact_wanders(int parities) { return (double)EXACT_LENGTH < 1 ? 0 : 1 + parities; }

/* ---- instances: both weight functions, sites sorted always, by turns and hardly ever ----------------------------- */

static void graph_deltas(const lbp_graph *m, const uint8_t *x, lbp_real *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = lbp_graph_delta(m, x, i);
}

#define LBP_NAME           graph_barker
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_FIELDS_T       lbp_graph_fields
#define LBP_FIELDS_INIT    lbp_graph_fields_set
#define LBP_FLIP           lbp_graph_flip
#define LBP_FLIP_LIST      lbp_graph_flip_list
#define LBP_DELTA          lbp_graph_fields_delta
#define LBP_PREFETCH       lbp_graph_prefetch
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS EXACT_DEGREE
enum { EXACT_DEGREE = 6 };
#include "../lbp.h"
#define CASE         graph_barker
#define CASE_MODEL_T lbp_graph
#define CASE_FIELDS  lbp_graph_fields
#include "exact/binary_case.h"

#define LBP_NAME           graph_sqrt
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_WEIGHT         LBP_SQRT
#define LBP_SORT_ABOVE     0
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS EXACT_DEGREE
#include "../lbp.h"
#define CASE         graph_sqrt
#define CASE_MODEL_T lbp_graph
#include "exact/binary_case.h"

#define LBP_NAME       dense_barker
#define LBP_MODEL_T    lbp_graph
#define LBP_REAL       lbp_real
#define LBP_SORT_ABOVE 2
#define LBP_DELTAS     graph_deltas
#define LBP_DELTA      lbp_graph_delta
#include "../lbp.h"
#define CASE         dense_barker
#define CASE_MODEL_T lbp_graph
#include "exact/binary_case.h"

#define LBP_NAME    dense_sqrt
#define LBP_MODEL_T lbp_graph
#define LBP_REAL    lbp_real
#define LBP_WEIGHT  LBP_SQRT
#define LBP_DELTAS  graph_deltas
#define LBP_DELTA   lbp_graph_delta
#include "../lbp.h"
#define CASE         dense_sqrt
#define CASE_MODEL_T lbp_graph
#include "exact/binary_case.h"

#define LBP_NAME           grid_barker
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_SORT_ABOVE     2
#define LBP_FIELDS_T       lbp_ising_fields
#define LBP_FIELDS_INIT    lbp_ising_fields_set
#define LBP_FLIP           lbp_ising_flip
#define LBP_FLIP_LIST      lbp_ising_flip_list
#define LBP_DELTA          lbp_ising_fields_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "../lbp.h"
#define CASE         grid_barker
#define CASE_MODEL_T lbp_ising
#define CASE_FIELDS  lbp_ising_fields
#include "exact/binary_case.h"

#define LBP_NAME           grid_sqrt
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "../lbp.h"
#define CASE         grid_sqrt
#define CASE_MODEL_T lbp_ising
#include "exact/binary_case.h"

#define LBP_NAME           fhmm_barker
#define LBP_MODEL_T        lbp_fhmm
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_fhmm_delta
#define LBP_NEIGHBOURS     lbp_fhmm_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FHMM_MAX_NEIGHBOURS
#include "../lbp.h"
#define CASE         fhmm_barker
#define CASE_MODEL_T lbp_fhmm
#include "exact/binary_case.h"

#define LBP_NAME           fhmm_sqrt
#define LBP_MODEL_T        lbp_fhmm
#define LBP_REAL           lbp_real
#define LBP_WEIGHT         LBP_SQRT
#define LBP_SORT_ABOVE     1
#define LBP_FIELDS_T       lbp_fhmm_fields
#define LBP_FIELDS_INIT    lbp_fhmm_fields_set
#define LBP_FLIP           lbp_fhmm_flip
#define LBP_DELTA          lbp_fhmm_fields_delta
#define LBP_NEIGHBOURS     lbp_fhmm_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FHMM_MAX_NEIGHBOURS
#include "../lbp.h"
#define CASE         fhmm_sqrt
#define CASE_MODEL_T lbp_fhmm
#define CASE_FIELDS  lbp_fhmm_fields
#include "exact/binary_case.h"

#define LBP_NAME        rbm_barker
#define LBP_MODEL_T     lbp_rbm
#define LBP_REAL        lbp_real
#define LBP_SORT_ABOVE  0
#define LBP_FIELDS_T    lbp_rbm_fields
#define LBP_FIELDS_INIT lbp_rbm_fields_set
#define LBP_FLIP        lbp_rbm_flip
#define LBP_SAVE        lbp_rbm_save
#define LBP_RESTORE     lbp_rbm_restore
#define LBP_DELTAS      lbp_rbm_deltas
#define LBP_DELTAS_MANY lbp_rbm_deltas_many
#define LBP_DELTA       lbp_rbm_delta
#define LBP_LOGP        lbp_rbm_logp
#include "../lbp.h"
#define CASE         rbm_barker
#define CASE_MODEL_T lbp_rbm
#define CASE_FIELDS  lbp_rbm_fields
#define CASE_MANY    1
#include "exact/binary_case.h"

#define LBP_NAME        rbm_sqrt
#define LBP_MODEL_T     lbp_rbm
#define LBP_REAL        lbp_real
#define LBP_WEIGHT      LBP_SQRT
#define LBP_FIELDS_T    lbp_rbm_fields
#define LBP_FIELDS_INIT lbp_rbm_fields_set
#define LBP_FLIP        lbp_rbm_flip
#define LBP_DELTAS      lbp_rbm_deltas
#define LBP_DELTAS_MANY lbp_rbm_deltas_many
#define LBP_LOGP        lbp_rbm_logp
#include "../lbp.h"
#define CASE         rbm_sqrt
#define CASE_MODEL_T lbp_rbm
#define CASE_FIELDS  lbp_rbm_fields
#define CASE_MANY    1
#include "exact/binary_case.h"

#define LBP_NAME           product_barker
#define LBP_MODEL_T        lbp_bernoulli
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_bernoulli_delta
#define LBP_NEIGHBOURS     lbp_bernoulli_neighbours
#define LBP_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "../lbp.h"
#define CASE         product_barker
#define CASE_MODEL_T lbp_bernoulli
#include "exact/binary_case.h"

#define LBP_NAME           product_sqrt
#define LBP_MODEL_T        lbp_bernoulli
#define LBP_REAL           lbp_real
#define LBP_WEIGHT         LBP_SQRT
#define LBP_SORT_ABOVE     0
#define LBP_DELTA          lbp_bernoulli_delta
#define LBP_NEIGHBOURS     lbp_bernoulli_neighbours
#define LBP_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "../lbp.h"
#define CASE         product_sqrt
#define CASE_MODEL_T lbp_bernoulli
#include "exact/binary_case.h"

#define LBP_NAME        spins
#define LBP_MODEL_T     lbp_graph
#define LBP_REAL        lbp_real
#define LBP_GRADIENT    lbp_graph_gradient
#define LBP_CONDITIONAL lbp_graph_conditional
#define LBP_STATES      2
#include "../lbp_ab.h"
#define CASE         spins
#define CASE_MODEL_T lbp_graph
#include "exact/ordinal_case.h"

#define LBP_NAME        lattice
#define LBP_MODEL_T     lbp_lattice
#define LBP_REAL        lbp_real
#define LBP_GRADIENT    lbp_lattice_gradient
#define LBP_CONDITIONAL lbp_lattice_conditional
#include "../lbp_ab.h"
#define CASE         lattice
#define CASE_MODEL_T lbp_lattice
#include "exact/ordinal_case.h"

/* ---- models ------------------------------------------------------------------------------------------------------ */

static void must(int status) {
  if (status == LBP_OK) return;
  printf("a model could not be made: %s\n", lbp_error(status));
  exit(3);
}

/* A ring with chords to the third site on, couplings up to `strength` of either sign, fields up to half that. */
static lbp_graph make_glass(uint32_t n, double strength, uint64_t seed) {
  double h[ENUMERATE_SITES], J[2 * ENUMERATE_SITES];
  uint32_t ends[4 * ENUMERATE_SITES], i;
  lbp_graph m;
  for (i = 0; i < n; i++) {
    h[i] = strength * (law_uniform(&seed) - 0.5);
    J[i] = strength * (2 * law_uniform(&seed) - 1);
    J[n + i] = strength * (2 * law_uniform(&seed) - 1);
    ends[2 * i] = ends[2 * (n + i)] = i;
    ends[2 * i + 1] = (i + 1) % n;
    ends[2 * (n + i) + 1] = (i + 3) % n;
  }
  must(lbp_graph_init(&m, n, h, 2 * n, ends, J, EXACT_DEGREE));
  must(lbp_graph_round(&m));
  return m;
}

static lbp_graph make_torus(uint32_t side, double K) {
  double *J = law_doubles((size_t)2 * side * side);
  uint32_t *ends = (uint32_t *)law_memory((size_t)4 * side * side, sizeof *ends), r, c, e = 0;
  lbp_graph m;
  for (r = 0; r < side; r++) {
    for (c = 0; c < side; c++) {
      J[e / 2] = K, ends[e++] = r * side + c, ends[e++] = r * side + (c + 1) % side;
      J[e / 2] = K, ends[e++] = r * side + c, ends[e++] = (r + 1) % side * side + c;
    }
  }
  must(lbp_graph_init(&m, side * side, NULL, 2 * side * side, ends, J, EXACT_DEGREE));
  must(lbp_graph_round(&m));
  free(J);
  free(ends);
  return m;
}

static lbp_ising make_strip(uint32_t rows, uint32_t cols) {
  double *alpha = law_doubles((size_t)rows * cols);
  uint64_t seed = 5;
  uint32_t i;
  lbp_ising m;
  for (i = 0; i < rows * cols; i++) alpha[i] = 0.8 * (law_uniform(&seed) - 0.5);
  must(lbp_ising_init(&m, rows, cols, 0.25, alpha));
  free(alpha);
  return m;
}

/* W in value[]: tridiagonal, each coordinate joined to the next by -0.25, on {0 ... states - 1}. */
static lbp_lattice make_path(uint32_t n, uint32_t states) {
  uint32_t *start = (uint32_t *)law_memory(n + 1, sizeof *start);
  uint32_t *column = (uint32_t *)law_memory(3 * n, sizeof *column);
  double *value = law_doubles(3 * n), *centre = law_doubles(n);
  uint32_t i, e = 0;
  lbp_symmetric P;
  lbp_lattice m;
  for (i = 0; i < n; i++) {
    centre[i] = (states - 1) / 2.0 - 0.3;
    if (i > 0) column[e] = i - 1, value[e++] = -0.25;
    column[e] = i, value[e++] = 0.6 + 0.4 * i / n;
    if (i + 1 < n) column[e] = i + 1, value[e++] = -0.25;
    start[i + 1] = e;
  }
  P.n = n;
  P.dense = NULL;
  P.start = start;
  P.column = column;
  P.value = value;
  must(lbp_lattice_init(&m, states, centre, &P));
  free(start);
  free(column);
  free(value);
  free(centre);
  return m;
}

static double graph_logp(const void *m, const uint8_t *x) { return lbp_graph_logp((const lbp_graph *)m, x); }
static double grid_logp(const void *m, const uint8_t *x) { return lbp_ising_logp((const lbp_ising *)m, x); }
static double fhmm_logp(const void *m, const uint8_t *x) { return lbp_fhmm_logp((const lbp_fhmm *)m, x); }
static double lattice_logp(const void *m, const uint8_t *x) { return lbp_lattice_logp((const lbp_lattice *)m, x); }
static double product_logp(const void *m, const uint8_t *x) { return lbp_bernoulli_logp((const lbp_bernoulli *)m, x); }

static double rbm_logp(const void *model, const uint8_t *x) {
  const lbp_rbm *m = (const lbp_rbm *)model;
  double sum = 0;
  uint32_t i, j;
  for (i = 0; i < m->n; i++) sum += x[i] * (double)m->b[i];
  for (j = 0; j < m->hidden; j++) {
    double field = (double)m->c[j];
    for (i = 0; i < m->n; i++) field += x[i] * (double)m->W[i * m->hidden + j];
    sum += log1p(exp(field));
  }
  return sum;
}

/* ---- the laws themselves ----------------------------------------------------------------------------------------- */

/* A law's exact values against the sums of its statistics over all states, by the model's log pi. */
static void check_law(const law *l, double (*logp)(const void *, const uint8_t *), double tolerance) {
  law all = enumerate_law("enumeration", l->model, l->n, l->values, logp);
  const enumeration *e = (const enumeration *)all.own;
  double *sum = law_doubles(l->count), worst = 0;
  uint8_t x[ENUMERATE_SITES];
  uint32_t code, k;
  for (code = 0; code < e->states; code++) {
    enumerate_decode(&all, code, x);
    l->add(l, x, e->pi[code], sum);
  }
  for (k = 0; k < l->count; k++) worst = fmax(worst, fabs(sum[k] - l->exact[k]) / (1 + fabs(l->exact[k])));
  CHECK_NEAR(worst, 0, tolerance);
  free(sum);
  enumerate_free(&all);
}

/* Exact draws, judged like a sampler. */
static void check_draws(const law *l) {
  static judge j;
  uint8_t *x = (uint8_t *)law_memory(l->n, 1), *from = (uint8_t *)law_memory(l->n, 1);
  double *sum = law_doubles(l->count);
  const uint32_t visits = exact_scaled(20);
  uint32_t replica, k;
  uint64_t seed;
  judge_start(&j, l, "draws", "", EXACT_SEED);
  j.accept = j.steps = 1;
  seed = j.seed;
  for (replica = 0; replica < EXACT_REPLICAS; replica++) {
    l->draw(l, &seed, from);
    for (k = 0; k < visits; k++) {
      l->draw(l, &seed, x);
      l->add(l, x, 1, sum);
    }
    judge_replica(&j, sum, visits, from, x);
  }
  judge_finish(&j, exact_wanders(1));
  free(x);
  free(from);
  free(sum);
}

static void test_laws(void) {
  const double W[3] = {1.3, -0.8, 0.6};
  lbp_ising strip = make_strip(3, 4);
  lbp_fhmm fhmm;
  lbp_rbm rbm;
  lbp_bernoulli product;
  lbp_lattice path = make_path(5, 4);
  lbp_graph warm = make_torus(4, 0.3), cold = make_torus(3, 0.6);
  law l = strip_law(&strip);
  check_law(&l, grid_logp, 1e-11);
  columns_free(&l);
  must(lbp_fhmm_random(&fhmm, 4, 3, W, 0.2, LBP_C2, LBP_FHMM_AS_WRITTEN, 3));
  l = fhmm_law(&fhmm);
  check_law(&l, fhmm_logp, 1e-11);
  columns_free(&l);
  l = path_law(&path);
  check_law(&l, lattice_logp, sizeof(lbp_real) == sizeof(float) ? 1e-6 : 1e-11);
  columns_free(&l);
  must(lbp_rbm_random(&rbm, 8, 3, 0.7, 4));
  l = rbm_law(&rbm);
  check_law(&l, rbm_logp, 1e-11);
  rbm_free(&l);
  must(lbp_bernoulli_random(&product, 8, LBP_C3, 5));
  l = product_law(&product);
  check_law(&l, product_logp, 1e-11);
  product_free(&l);
#ifndef API_QUICK
  l = torus_law("torus", &warm, 4, 0.3);
  check_law(&l, graph_logp, 1e-6);
  torus_free(&l);
#endif
  l = torus_law("torus", &cold, 3, 0.6); /* beyond the critical point: the last product of (Z) has the other sign */
  check_law(&l, graph_logp, 1e-6);
  torus_free(&l);
  lbp_ising_free(&strip);
  lbp_fhmm_free(&fhmm);
  lbp_lattice_free(&path);
  lbp_rbm_free(&rbm);
  lbp_bernoulli_free(&product);
  lbp_graph_free(&warm);
  lbp_graph_free(&cold);
  CHECK_NEAR(judge_tail(2.228138852, 10), 0.05, 1e-9); /* tables of Student's t */
  CHECK_NEAR(judge_tail(6, 199) / 9.0e-9, 1, 0.1);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

typedef void (*exact_run)(const law *, const exact_plan *, int);

/* All kinds of samplers, if it is this program's turn: of two instances, each precision takes one where time is
 * short. */
static void run_all(exact_run run, const law *l, const exact_plan *plan, int turn) {
  const int is_double = sizeof(lbp_real) == sizeof(double);
  int kind;
  if ((double)EXACT_LENGTH <= 1 && turn != is_double) return;
  for (kind = 0; kind < EXACT_KINDS; kind++) run(l, plan, kind);
}

/* Eight sites: the cheapest steps, hence the finest figures. */
static void test_small(void) {
  const exact_plan plan = {2.5, 1.5, 2800, 2};
  lbp_graph m = make_glass(8, 0.9, 1);
  law l = enumerate_law("glass 2^8", &m, 8, 2, graph_logp);
  check_draws(&l);
  run_all(graph_barker_run, &l, &plan, 0);
  run_all(graph_sqrt_run, &l, &plan, 1);
  run_all(dense_barker_run, &l, &plan, 1);
  run_all(dense_sqrt_run, &l, &plan, 0);
  enumerate_free(&l);
  lbp_graph_free(&m);
}

static void test_glass(void) {
  const uint32_t n = (double)EXACT_LENGTH < 1 ? 12 : 20;
  const exact_plan plan = {5, 2.5, 350, 4};
  lbp_graph m = make_glass(n, 0.8, 2);
  law l = enumerate_law("glass 2^20", &m, n, 2, graph_logp);
  check_draws(&l);
  run_all(graph_barker_run, &l, &plan, 1);
  run_all(graph_sqrt_run, &l, &plan, 0);
  run_all(dense_sqrt_run, &l, &plan, 1);
  enumerate_free(&l);
  lbp_graph_free(&m);
}

static void run_torus(const char *name, uint32_t side, double K, exact_plan plan) {
  lbp_graph m = make_torus(side, K);
  law l = torus_law(name, &m, side, K);
  check_draws(&l);
  run_all(graph_barker_run, &l, &plan, 0);
  run_all(graph_sqrt_run, &l, &plan, 1);
  torus_free(&l);
  lbp_graph_free(&m);
}

static void test_strip(void) {
  const exact_plan plan = {30, 4, 110, 8};
  lbp_ising m = make_strip(6, 30);
  law l = strip_law(&m);
  check_draws(&l);
  run_all(grid_barker_run, &l, &plan, 1);
  run_all(grid_sqrt_run, &l, &plan, 0);
  columns_free(&l);
  lbp_ising_free(&m);
}

static void test_fhmm(void) {
  const double W[3] = {1, -0.7, 0.5};
  const exact_plan plan = {20, 3, 110, 8};
  lbp_fhmm m;
  law l;
  must(lbp_fhmm_random(&m, 40, 3, W, 0.2, LBP_C1, LBP_FHMM_AS_RUN, 3));
  l = fhmm_law(&m);
  check_draws(&l);
  run_all(fhmm_barker_run, &l, &plan, 0);
  run_all(fhmm_sqrt_run, &l, &plan, 1);
  columns_free(&l);
  lbp_fhmm_free(&m);
}

static void test_rbm(void) {
  const exact_plan plan = {8, 2, 125, 4};
  lbp_rbm m;
  law l;
  must(lbp_rbm_random(&m, 80, 4, 0.25, 6));
  l = rbm_law(&m);
  check_draws(&l);
  run_all(rbm_barker_run, &l, &plan, 1);
  run_all(rbm_sqrt_run, &l, &plan, 0);
  rbm_barker_run(&l, &plan, EXACT_MANY);
  rbm_sqrt_run(&l, &plan, EXACT_MANY);
  rbm_free(&l);
  lbp_rbm_free(&m);
}

static void test_product(void) {
  const exact_plan plan = {70, 5, 80, 8};
  lbp_bernoulli m;
  law l;
  must(lbp_bernoulli_random(&m, 300, LBP_C2, 7));
  l = product_law(&m);
  check_draws(&l);
  run_all(product_barker_run, &l, &plan, 0);
  run_all(product_sqrt_run, &l, &plan, 1);
  product_free(&l);
  lbp_bernoulli_free(&m);
}

static void test_torus(void) {
  const exact_plan plan = {20, 5, 80, 8}, large = {40, 5, 80, 8};
  run_torus("torus 16^2", 16, 0.3, plan);
  if ((double)EXACT_LENGTH <= 1) return;
  run_torus("critical", 16, 0.44, plan);
  run_torus("torus 32^2", 32, 0.4, large);
}

/* More sites at once than the blocks that lbp.h works in, neighbour lists of 1000 entries and more. */
static void test_many(void) {
  const exact_plan plan = {270, 270, 40, 2};
  run_torus("torus 18^2", 18, 0.03, plan);
}

/* Spins, by enumeration. */
static void run_spins(const char *name, uint32_t n, uint32_t visits) {
  exact_ab_plan plan = {0.8, 4, 0, 2, NULL};
  lbp_graph m = make_glass(n, 0.7, 8);
  law l = enumerate_law(name, &m, n, 2, graph_logp);
  uint32_t *column = (uint32_t *)law_memory(lbp_graph_hessian_entries(&m), sizeof *column);
  double *value = law_doubles(lbp_graph_hessian_entries(&m));
  const lbp_symmetric W = lbp_graph_hessian(&m, column, value);
  int kind;
  plan.visits = visits;
  plan.W = &W;
  for (kind = 0; kind < EXACT_AB_KINDS; kind++) spins_run(&l, &plan, kind);
  free(column);
  free(value);
  enumerate_free(&l);
  lbp_graph_free(&m);
}

static void test_spins(void) {
  run_spins("spins 2^6", 6, 600);
  run_spins("spins 2^16", (double)EXACT_LENGTH < 1 ? 8 : 16, 40);
}

/* Ordinal values: few coordinates by enumeration, many by the transfer matrix. */
static void run_lattice(uint32_t n, uint32_t states, uint32_t visits, uint32_t stride, int enumerable) {
  exact_ab_plan plan = {1.5, 4, 0, 0, NULL};
  lbp_lattice m = make_path(n, states);
  law l = enumerable ? enumerate_law("lattice", &m, n, states, lattice_logp) : path_law(&m);
  double *value = law_doubles(lbp_lattice_hessian_entries(&m));
  const lbp_symmetric W = lbp_lattice_hessian(&m, value);
  int kind;
  plan.visits = visits;
  plan.stride = stride;
  plan.W = &W;
  check_draws(&l);
  for (kind = 0; kind < EXACT_AB_KINDS; kind++) lattice_run(&l, &plan, kind);
  free(value);
  if (enumerable) enumerate_free(&l);
  else columns_free(&l);
  lbp_lattice_free(&m);
}

static void test_lattice(void) {
  run_lattice(4, 5, 100, 2, 1);
  run_lattice(20, 7, 20, 4, 0);
}

/* Cheap ones that see most come first: a test of planted bugs stops at the first failure. */
static const struct {
  const char *name;
  void (*run)(void);
} parts[] = {{"laws", test_laws}, {"small", test_small}, {"spins", test_spins}, {"lattice", test_lattice},
             {"rbm", test_rbm}, {"product", test_product}, {"fhmm", test_fhmm}, {"strip", test_strip},
             {"torus", test_torus}, {"many", test_many}, {"glass", test_glass}};

/* Runs the parts named, or all. */
int main(int argc, char **argv) {
  uint32_t p;
  int a;
  judge_head();
  for (p = 0; p < sizeof parts / sizeof *parts; p++) {
    for (a = 1; a < argc && strcmp(argv[a], parts[p].name) != 0; a++) continue;
    if (argc == 1 || a < argc) parts[p].run();
  }
  printf("%lu runs, %lu t-tests at level %g: |t| > 3 in %lu, largest %.2f, critical %.2f\n", (unsigned long)judge_cases,
         (unsigned long)judge_tests, EXACT_LEVEL, (unsigned long)judge_beyond_3, judge_worst, judge_critical);
  CHECK(judge_tests < EXACT_TESTS_MOST);
  return test_report();
}
