/* Runs of steps with a momentum (LBP_SAMPLER_MOMENTUM of lbp_ab.h): their laws, tempered and annealed too, against
 * enumeration; the same draws on any number of threads and wherever a run was cut off; what a chain keeps where it
 * forgets the rest; refusals, and a run's sentence about a model that is not quadratic.
 *
 * Statistical tests: 60 comparisons within six of their own standard errors, from 32 chains or 400 weights: false
 * alarms 1e-6 each (t with 31 degrees of freedom), 1e-4 in all. Seeds are fixed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "test.h"
#include "../lbp_run.h"
#include "run_resumed.h"

enum { N = 4, VALUES = 3, STATES = 81, CHAINS = 32 };
#ifdef API_QUICK
enum { QUICK = 1, DRAWS = 80 };
#else
enum { QUICK = 0, DRAWS = 400 };
#endif

/* Coordinates in a ring that like 1.1 and their neighbours' values; a little quartic, if asked for, and with something
 * added where x[0] = 2. */
typedef struct {
  double force, pull, quartic, wall;
} ring;

static double ring_gradient(const ring *m, const uint8_t *x, double *out) {
  double logp = 0;
  int i;
  resume_look();
  for (i = 0; i < N; i++) {
    const double v = x[i] - 1.1, left = x[(i + N - 1) % N] - 1.1, right = x[(i + 1) % N] - 1.1;
    out[i] = m->force * (1 + i) * 0.3 - 0.7 * v + m->pull * (left + right - 2 * v) - 4 * m->quartic * v * v * v;
    logp += m->force * (1 + i) * 0.3 * v - 0.35 * v * v - m->pull * (v - right) * (v - right) / 2 -
            m->quartic * v * v * v * v;
  }
  return x[0] == 2 ? logp + m->wall : logp;
}

#define LBP_NAME     wide
#define LBP_MODEL_T  ring
#define LBP_GRADIENT ring_gradient
#define LBP_CLAMPED
#include "../lbp_run.h"

static float ring_float(const ring *m, const uint8_t *x, float *out) {
  double gradient[N];
  const double logp = ring_gradient(m, x, gradient);
  int i;
  for (i = 0; i < N; i++) out[i] = (float)gradient[i];
  return (float)logp;
}

#define LBP_NAME     narrow
#define LBP_MODEL_T  ring
#define LBP_REAL     float
#define LBP_STATES   3
#define LBP_GRADIENT ring_float
#include "../lbp_run.h"

static wide_curvature hessian, estimate;
static narrow_curvature narrow_hessian;
static double room[3][512];

static void make_curvatures(double pull) {
  double W[N * N], D[N];
  lbp_symmetric dense;
  int i;
  memset(W, 0, sizeof W);
  memset(&dense, 0, sizeof dense);
  for (i = 0; i < N; i++) {
    W[i * N + i] = -0.7 - 2 * pull;
    W[i * N + (i + 1) % N] = W[(i + 1) % N * N + i] = pull;
    D[i] = 0.8 + 4 * pull;
  }
  dense.n = N;
  dense.dense = W;
  CHECK(wide_curvature_init(&hessian, &dense, D, 1, room[0], sizeof room[0]) == LBP_OK);
  CHECK(wide_curvature_init(&estimate, &dense, D, 0, room[1], sizeof room[1]) == LBP_OK);
  CHECK(narrow_curvature_init(&narrow_hessian, &dense, D, 1, room[2], sizeof room[2]) == LBP_OK);
}

static lbp_run options(const void *curvature) {
  lbp_run run;
  lbp_run_init(&run);
  run.sampler = LBP_SAMPLER_MOMENTUM;
  run.values = VALUES;
  run.curvature = curvature;
  run.warmup = 20;
  return run;
}

/* ---- the law ----------------------------------------------------------------------------------------------------- */

static double exact[N * VALUES], exact_log_z;

/* Where sites of the mask are 0. */
static void enumerate(const ring *m, const uint8_t *mask) {
  double unused[N], sum = 0;
  int state, i;
  memset(exact, 0, sizeof exact);
  for (state = 0; state < STATES; state++) {
    uint8_t x[N];
    int rest = state, held = 1;
    double p;
    for (i = 0; i < N; i++, rest /= VALUES) x[i] = (uint8_t)(rest % VALUES);
    for (i = 0; mask && i < N; i++) held &= !mask[i] || x[i] == 0;
    if (!held) continue;
    p = exp(ring_gradient(m, x, unused));
    sum += p;
    for (i = 0; i < N; i++) exact[i * VALUES + x[i]] += p;
  }
  for (i = 0; i < N * VALUES; i++) exact[i] /= sum;
  exact_log_z = log(sum);
}

static void start_at_0(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

static double is_value(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)n, x[column->site / VALUES] == column->site % VALUES;
}

/* Shares of values within six of their errors; and log Z of tempered runs. */
static void check_law(const lbp_kernel *kernel, const ring *m, lbp_run run, const char *what) {
  const lbp_run_column column[] = {{"a", is_value, NULL, 0}, {"b", is_value, NULL, 5}, {"c", is_value, NULL, 7},
                                   {"d", is_value, NULL, 11}};
  lbp_run_result result;
  char text[160];
  int k, ok = 1;
  run.chains = CHAINS;
  run.draws = DRAWS;
  run.thin = 3;
  run.column = column, run.columns = 4;
  CHECK(lbp_run_kernel(&run, kernel, m, N, &result) == LBP_OK);
  if (result.status != LBP_OK) printf("%s: %s\n", what, result.message);
  if (result.status != LBP_OK) return;
  for (k = 0; k < 4; k++) {
    const lbp_run_row *row = &result.row[k + 1];
    if (run.clamp && run.clamp[column[k].site / VALUES]) ok &= row->mean == exact[column[k].site];
    else ok &= row->mcse_status == LBP_OK && row->mcse < 0.03 && fabs(row->mean - exact[column[k].site]) <= 6 * row->mcse;
  }
  snprintf(text, sizeof text, "%s: shares of values", what);
  test_count(ok, __FILE__, __LINE__, text);
  CHECK(result.accept == 1 && result.jump > 0.5 && result.parameter_name == NULL && result.tuner_status == LBP_OK);
  if (run.tempering.rungs > 1 && !run.clamp) {
    CHECK(result.log_z_status == LBP_OK && result.log_z_se < 0.1);
    CHECK_NEAR(result.log_z, exact_log_z, 6 * result.log_z_se);
  }
  lbp_run_free(&result);
}

static void test_laws(const lbp_kernel kernel, const void *curvature, const ring *m) {
  static const uint8_t mask[N] = {0, 1, 0, 0};
  lbp_run run = options(curvature);
  lbp_ais_result ais;
  enumerate(m, NULL);
  check_law(&kernel, m, run, "plain");
  if (QUICK && kernel.real_bytes == 4) return;
  run.momentum.eps = 0, run.momentum.relax = 1, run.seed = 2;
  if (!QUICK) check_law(&kernel, m, run, "eps 0, relax 1");
  run.momentum.eps = 0.95, run.momentum.relax = 0.8, run.shared_tuner = 1, run.seed = 3;
  check_law(&kernel, m, run, "eps 0.95, relax 0.8, shared");
  run = options(curvature);
  run.tempering.rungs = 4, run.warmup = 300, run.seed = 4;
  check_law(&kernel, m, run, "tempered");
  run.momentum.relax = 1, run.tempering.swap_every = 1, run.seed = 5;
  if (!QUICK) check_law(&kernel, m, run, "tempered, relax 1");
  run = options(curvature);
  run.chains = 400, run.tempering.rungs = 20, run.tempering.resample = 0.9, run.seed = 6;
  CHECK((kernel.real_bytes == 8 ? wide_ais(&run, m, N, &ais) : narrow_ais(&run, m, N, &ais)) == LBP_OK);
  CHECK(ais.log_z_se > 0 && ais.log_z_se < 0.1);
  CHECK_NEAR(ais.log_z, exact_log_z, 6 * ais.log_z_se);
  lbp_ais_free(&ais);
  if (!kernel.clamp) return;
  enumerate(m, mask);
  run = options(curvature);
  run.clamp = mask, run.start = start_at_0, run.seed = 7;
  check_law(&kernel, m, run, "clamped");
}

/* How far a run's steps jump, and what its log pi is on average. */
static double jump_of(const ring *m, double eps, double relax, double *logp) {
  lbp_run run = options(&hessian);
  lbp_run_result result;
  double jump;
  run.momentum.eps = eps, run.momentum.relax = relax;
  run.chains = 4, run.draws = 500;
  CHECK(wide_run(&run, m, N, &result) == LBP_OK);
  jump = result.jump;
  *logp = result.status == LBP_OK ? result.row[0].mean : 0;
  lbp_run_free(&result);
  return jump;
}

/* Both options reach the steps. */
static void test_options(const ring *m) {
  double logp[3];
  const double plain = jump_of(m, 0.8, 0, &logp[0]), relaxed = jump_of(m, 0.8, 1, &logp[1]);
  CHECK(relaxed > 1.1 * plain);
  jump_of(m, 0, 0, &logp[2]);
  CHECK(logp[0] != logp[2]);
}

/* ---- promises ---------------------------------------------------------------------------------------------------- */

static void test_promises(const lbp_kernel kernel, const void *curvature, const ring *m) {
  const lbp_run_column column = {"mean", lbp_run_ones, NULL, 0};
  lbp_run run = options(curvature);
  run.momentum.eps = 0.9;
  run.chains = 3, run.warmup = 30, run.draws = 20, run.thin = 3;
  run.column = &column, run.columns = 1;
  CHECK(check_ways(run, &kernel, m, N) > 15);
  if (QUICK && kernel.real_bytes == 4) return;
  run = options(curvature);
  run.chains = 3, run.warmup = 100, run.draws = QUICK ? 150 : 400, run.save_states = LBP_STATES_NPY;
  check_resumed(lbp_run_kernel, kernel, m, N, run, "plain");
  run.shared_tuner = 1, run.momentum.eps = 0, run.momentum.relax = 1;
  if (!QUICK) check_resumed(lbp_run_kernel, kernel, m, N, run, "a shared tuner");
  run.shared_tuner = 0, run.momentum.eps = 0.95, run.tempering.rungs = 3, run.tempering.swap_every = 1;
  check_resumed(lbp_run_kernel, kernel, m, N, run, "tempered");
  run = options(curvature);
  run.chains = 3, run.annealing.sweeps = 1500, run.annealing.hot = 0.1, run.annealing.cold = 4;
  check_resumed(lbp_anneal_kernel, kernel, m, N, run, "annealing");
}

/* What a chain keeps where it forgets all but its state: the momentum, and nothing of the noise that was made ahead. */
static void test_kept(const ring *m) {
  const lbp_kernel kernel = wide_kernel();
  double before[N], words[N + 1];
  lbp_run run = options(&hessian);
  lbp_run_result result;
  lbp_runner r;
  wide_chain *c;
  memset(&result, 0, sizeof result);
  memset(&r, 0, sizeof r);
  run.chains = 1;
  CHECK(lbp_runner_begin(&r, &run, &kernel, m, N, &result) == LBP_OK && r.chain_words == N + 1);
  if (result.status != LBP_OK) return;
  c = wide_chain_of(lbp_chains_unit(&r.c, 0));
  CHECK(c->momentum_of == NULL && r.carried[0] == 0);
  lbp_chains_step(&r.c, 0, 1, 5, HUGE_VAL, 0);
  CHECK(c->momentum_of == &hessian && c->noise_left == LBP_NOISE_STEPS - 5);
  memcpy(before, c->momentum, sizeof before);
  lbp_runner_forget(&r, 0);
  CHECK(c->momentum_of == &hessian && memcmp(before, c->momentum, sizeof before) == 0 && c->noise_left == 0);
  lbp_chains_step(&r.c, 0, 1, 7, HUGE_VAL, 0);
  CHECK(memcmp(before, c->momentum, sizeof before) != 0);
  lbp_runner_rewind(&r, 0); /* to where it last forgot */
  CHECK(c->momentum_of == &hessian && memcmp(before, c->momentum, sizeof before) == 0 && c->noise_left == 0);
  kernel.touch(lbp_chains_unit(&r.c, 0)); /* whoever changes x by himself begins with another momentum */
  kernel.chain_save(lbp_chains_unit(&r.c, 0), words);
  CHECK(c->momentum_of == NULL && words[0] == 0);
  lbp_runner_drop(&r);
  lbp_run_free(&result);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

/* A run that ends with that status and that message; with both numbers, where it is one that has them. */
static void refuse(const lbp_run *run, const ring *m, int status, const char *word) {
  lbp_run_result result;
  const int told = wide_run(run, m, N, &result) == status && strstr(result.message, word) != NULL;
  const int numbers = (status == LBP_E_NOT_QUADRATIC || status == LBP_E_INEXACT) && m->wall == 0;
  CHECK(told);
  if (!told) printf("%s: %d, %s\n", word, result.status, result.message);
  if (numbers) CHECK(result.got != 0 && result.want != 0 && result.got != result.want);
  else if (status == LBP_E_MODEL_NAN) CHECK(result.got == 0 && result.want == 0);
  lbp_run_free(&result);
}

static void test_refused(const ring *m) {
  const lbp_run plain = options(&hessian);
  wide_curvature other = hessian;
  ring bent = *m;
  lbp_run run;
  run = plain, run.curvature = NULL, refuse(&run, m, LBP_E_RANGE, "curvature: momentum steps require log pi's Hessian");
  run = plain, run.curvature = &estimate, refuse(&run, m, LBP_E_RANGE, "exact = 1");
  other.n = N + 1;
  run = plain, run.curvature = &other, refuse(&run, m, LBP_E_SIZE, "tuner");
  run = plain, run.momentum.eps = 1, refuse(&run, m, LBP_E_RANGE, "momentum.eps: how much of a momentum is kept");
  run = plain, run.momentum.eps = -0.5, refuse(&run, m, LBP_E_RANGE, "eps");
  run = plain, run.momentum.eps = NAN, refuse(&run, m, LBP_E_RANGE, "eps");
  run = plain, run.momentum.relax = 1.5, refuse(&run, m, LBP_E_RANGE, "momentum.relax: the probability");
  run = plain, run.momentum.relax = NAN, refuse(&run, m, LBP_E_RANGE, "relax");
  run = plain, run.parameter = 1, refuse(&run, m, LBP_E_RANGE, "parameter");
  run = plain, run.target = 0.5, refuse(&run, m, LBP_E_RANGE, "target: momentum accepts all");
  run = plain, run.sampler = LBP_SAMPLER_DLP, run.curvature = NULL, run.momentum.eps = 0.5;
  refuse(&run, m, LBP_E_RANGE, "momentum.eps, momentum.relax: DLP has no momentum");
  run = plain, run.sampler = LBP_SAMPLER_AB, run.momentum.relax = 0, refuse(&run, m, LBP_E_RANGE, "AB has no momentum");
  /* nothing rejects: what is not quadratic, or has another Hessian, ends the run, with both numbers */
  bent.quartic = 0.01;
  refuse(&plain, &bent, LBP_E_NOT_QUADRATIC, "momentum: log pi changes by another amount than its gradients predict (");
  refuse(&plain, &bent, LBP_E_NOT_QUADRATIC, " where ");
  bent = *m, bent.wall = -INFINITY;
  refuse(&plain, &bent, LBP_E_NOT_QUADRATIC, "momentum: log pi of a state is -infinity; momentum steps");
  bent.wall = NAN;
  for (run = plain, run.check_trials = 0, run.start = start_at_0; run.seed < 6; run.seed++) { /* at the first step, and later */
    refuse(&run, &bent, LBP_E_MODEL_NAN, "the model is wrong: log pi");
  }
  bent = *m, bent.pull *= 1.001;
  refuse(&plain, &bent, LBP_E_INEXACT, "a gradient changes by another amount than the curvature predicts (");
  run = options(&narrow_hessian), run.momentum.eps = 1 - 1e-9; /* 1, as a float */
  {
    lbp_run_result result;
    CHECK(narrow_run(&run, m, N, &result) == LBP_E_RANGE && strstr(result.message, "momentum.eps: it rounds to 1"));
    lbp_run_free(&result);
    run.curvature = &hessian;
    CHECK(wide_run(&run, m, N, &result) == LBP_OK);
    lbp_run_free(&result);
  }
  /* a checkpoint of another run */
  run = plain, run.draws = 10, run.checkpoint = in_folder("other.ckpt");
  {
    lbp_run_result result;
    CHECK(wide_run(&run, m, N, &result) == LBP_OK);
    lbp_run_free(&result);
  }
  run.momentum.eps = 0.7, refuse(&run, m, LBP_E_FORMAT, "its momentum.eps differs");
  run.momentum.eps = plain.momentum.eps, run.momentum.relax = 0.5, refuse(&run, m, LBP_E_FORMAT, "its momentum.relax differs");
  make_curvatures(0.31);
  run.momentum.relax = plain.momentum.relax, refuse(&run, m, LBP_E_FORMAT, "its curvature differs");
  make_curvatures(0.3);
  remove(run.checkpoint);
}

int main(void) {
  const ring m = {0.5, 0.3, 0, 0};
  CHECK(make_folder());
  make_curvatures(0.3);
  test_laws(wide_kernel(), &hessian, &m);
  test_laws(narrow_kernel(), &narrow_hessian, &m);
  test_promises(wide_kernel(), &hessian, &m);
  test_promises(narrow_kernel(), &narrow_hessian, &m);
  test_options(&m);
  test_kept(&m);
  test_refused(&m);
  rmdir(folder);
  return test_report();
}
