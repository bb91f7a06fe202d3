/* Runs of the samplers of lbp_ab.h (lbp_run.h): their laws, tempered and annealed too, against enumeration; the same
 * draws on any number of threads and wherever a run was cut off, warm-up included; refused options.
 *
 * Statistical tests: 180 comparisons within six of their own standard errors, estimated from 32 chains or 400 weights:
 * false alarms 1e-6 each (t with 31 degrees of freedom), 2e-4 in all. Seeds are fixed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "test.h"
#include "../lbp_run.h"
#include "run_files.h"

/* Coordinates in a ring, that like some values and their neighbours' values, by no quadratic law. */
enum { N = 4, VALUES = 3, STATES = 81, CHAINS = 32 };
#ifdef API_QUICK /* for tools that make programs slow: a little of everything, and no statistics */
enum { QUICK = 1, WARMUP = 40, DRAWS = 8 };
#else
enum { QUICK = 0, WARMUP = 120, DRAWS = 20 };
#endif
typedef struct {
  double force, pull;
  int broken; /* where x_0 = x_1 = 2, the gradient is NaN */
} ring;

static double ring_gradient(const ring *m, const uint8_t *x, double *out) {
  double logp = 0;
  int i;
  for (i = 0; i < N; i++) {
    const double v = x[i], left = x[(i + N - 1) % N], right = x[(i + 1) % N];
    out[i] = m->force * (1 + i) * 0.3 - 0.4 * v * v * v + m->pull * (left + right - 2 * v);
    logp += m->force * (1 + i) * 0.3 * v - 0.1 * v * v * v * v - m->pull * (v - right) * (v - right) / 2;
  }
  if (m->broken && x[0] == 2 && x[1] == 2) out[0] = NAN;
  return logp;
}

#define LBP_NAME     open_ring
#define LBP_MODEL_T  ring
#define LBP_GRADIENT ring_gradient
#include "../lbp_run.h"

/* The gradient of another law: of 1 / pi. */
static double other_gradient(const ring *m, const uint8_t *x, double *out) {
  const double logp = ring_gradient(m, x, out);
  int i;
  for (i = 0; i < N; i++) out[i] = -out[i];
  return logp;
}
#define LBP_NAME     other_ring
#define LBP_MODEL_T  ring
#define LBP_GRADIENT other_gradient
#include "../lbp_run.h"

static float ring_float(const ring *m, const uint8_t *x, float *out) {
  double wide[N];
  const double logp = ring_gradient(m, x, wide);
  int i;
  for (i = 0; i < N; i++) out[i] = (float)wide[i];
  return (float)logp;
}

#define LBP_NAME     fixed_ring
#define LBP_MODEL_T  ring
#define LBP_REAL     float
#define LBP_STATES   3
#define LBP_GRADIENT ring_float
#include "../lbp_run.h"

static double flat_delta(const void *m, const uint8_t *x, uint32_t i) { return (void)m, (void)x, (void)i, 0; }
static uint32_t flat_list(const void *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }
static double flat_logp(const void *m, const uint8_t *x) { return (void)m, (void)x, 0; }
#define LBP_NAME           flat
#define LBP_DELTA          flat_delta
#define LBP_NEIGHBOURS     flat_list
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           flat_logp
#include "../lbp_run.h"

typedef int runner(const lbp_run *, const ring *, uint32_t, lbp_run_result *);
typedef int annealer(const lbp_run *, const ring *, uint32_t, lbp_ais_result *);

/* ---- the law ----------------------------------------------------------------------------------------------------- */

static double exact[N][VALUES], exact_log_z;

static void enumerate(const ring *m) {
  double unused[N], sum = 0;
  int state, i;
  memset(exact, 0, sizeof exact);
  for (state = 0; state < STATES; state++) {
    uint8_t x[N];
    int rest = state;
    double p;
    for (i = 0; i < N; i++, rest /= VALUES) x[i] = (uint8_t)(rest % VALUES);
    p = exp(ring_gradient(m, x, unused));
    sum += p;
    for (i = 0; i < N; i++) exact[i][x[i]] += p;
  }
  for (state = 0; state < N * VALUES; state++) exact[state / VALUES][state % VALUES] /= sum;
  exact_log_z = log(sum);
}

/* W of the quadratic part, for curvatures that are given. */
static open_ring_curvature open_curvature;
static fixed_ring_curvature fixed_curvature;
static double open_room[512], fixed_room[512];

static void make_curvatures(double pull) {
  double W[N * N], D[N];
  lbp_symmetric dense;
  int i;
  memset(W, 0, sizeof W);
  memset(&dense, 0, sizeof dense);
  for (i = 0; i < N; i++) {
    W[i * N + i] = -2 * pull - 1;
    W[i * N + (i + 1) % N] = W[(i + 1) % N * N + i] = pull;
    D[i] = 1 + 4 * pull;
  }
  dense.n = N;
  dense.dense = W;
  CHECK(open_ring_curvature_init(&open_curvature, &dense, D, 0, open_room, sizeof open_room) == LBP_OK);
  CHECK(fixed_ring_curvature_init(&fixed_curvature, &dense, D, 0, fixed_room, sizeof fixed_room) == LBP_OK);
}

static double is_value(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)n, x[column->site / VALUES] == column->site % VALUES;
}

/* Returns how far steps jumped. */
static double check_law(runner *go, const ring *m, lbp_run run) {
  static const lbp_run_column column[4] = {{"a", is_value, NULL, 0}, {"b", is_value, NULL, 4},
                                           {"c", is_value, NULL, 8}, {"d", is_value, NULL, 11}};
  lbp_run_result result;
  double jump;
  int k, i;
  run.chains = CHAINS;
  run.warmup = 2000;
  run.draws = 500;
  run.column = column;
  run.columns = 4;
  run.marginals = 1;
  run.tempering.swap_every = 0;
  CHECK(go(&run, m, N, &result) == LBP_OK);
  if (result.status != LBP_OK) printf("%s\n", result.message);
  for (k = 0; k < 4 && result.row; k++) {
    const uint32_t site = column[k].site;
    CHECK(result.row[k + 1].mcse_status == LBP_OK);
    CHECK_NEAR(result.row[k + 1].mean, exact[site / VALUES][site % VALUES], 6 * result.row[k + 1].mcse);
    CHECK_NEAR(result.marginal[site], result.row[k + 1].mean, 1e-9);
  }
  for (i = 0; i < N && result.marginal; i++) {
    double sum = 0;
    for (k = 0; k < VALUES; k++) sum += result.marginal[i * VALUES + k];
    CHECK_NEAR(sum, 1, 1e-9);
  }
  if (run.tempering.rungs > 1) {
    CHECK(result.log_z_status == LBP_OK && result.log_z_se < 0.1);
    CHECK_NEAR(result.log_z, exact_log_z, 6 * result.log_z_se);
  }
  CHECK(result.tuner_status == LBP_OK);
  jump = result.jump;
  lbp_run_free(&result);
  return jump;
}

static void test_laws(runner *go, annealer *anneal, const void *curvature, const ring *m) {
  static const int sampler[5] = {LBP_SAMPLER_AB, LBP_SAMPLER_AB, LBP_SAMPLER_DLP, LBP_SAMPLER_RWM, LBP_SAMPLER_GIBBS};
  double jump, own = 0;
  int k, way;
  enumerate(m);
  for (k = 0; k < 5; k++) {
    for (way = 0; way < 3; way++) { /* by itself, with a shared tuner, tempered */
      lbp_run run;
      lbp_run_init(&run);
      run.sampler = sampler[k];
      run.values = VALUES;
      run.curvature = k == 1 ? curvature : NULL;
      run.shared_tuner = way == 1;
      run.thin = k == 3 ? 8 : 4;
      run.tempering.rungs = way == 2 ? 4 : 1;
      run.seed = (uint64_t)(17 + 3 * k + way);
      jump = way < 2 || k > 0 ? check_law(go, m, run) : 0;
      if (way == 0) own = jump;
      if (way == 1) CHECK(jump > 0.9 * own && jump < 1.1 * own); /* a shared tuner learns the same */
      if (way == 2 && k > 0) {
        lbp_ais_result ais;
        run.chains = 400;
        run.tempering.rungs = 30;
        CHECK(anneal(&run, m, N, &ais) == LBP_OK);
        CHECK(ais.log_z_se > 0 && ais.log_z_se < 0.1);
        CHECK_NEAR(ais.log_z, exact_log_z, 6 * ais.log_z_se);
        lbp_ais_free(&ais);
      }
    }
  }
}

/* ---- promises ---------------------------------------------------------------------------------------------------- */

/* Whether the first line of a summary says how many values a site has. */
static int says_values(const lbp_run *given, const lbp_kernel *kernel, const ring *m) {
  lbp_run run = *given;
  lbp_run_result result;
  char line[64] = "";
  run.warmup = 0, run.draws = 8, run.sampler = LBP_SAMPLER_GIBBS, run.curvature = NULL;
  run.summary = tmpfile();
  CHECK(run.summary && lbp_run_kernel(&run, kernel, m, N, &result) == LBP_OK && result.values == VALUES);
  rewind(run.summary);
  CHECK(fgets(line, sizeof line, run.summary) != NULL);
  fclose(run.summary);
  lbp_run_free(&result);
  return strncmp(line, "Gibbs, n = ", 11) == 0 && strstr(line, ", values 0 to 2\n") != NULL;
}

static void test_promises(const lbp_kernel kernel, const void *curvature, const ring *m) {
  static const int sampler[5] = {LBP_SAMPLER_AB, LBP_SAMPLER_AB, LBP_SAMPLER_DLP, LBP_SAMPLER_RWM, LBP_SAMPLER_GIBBS};
  const lbp_run_column column = {"mean", lbp_run_ones, NULL, 0};
  int k;
  for (k = 0; k < 10; k += QUICK ? 3 : 1) {
    lbp_run run;
    lbp_run_init(&run);
    run.sampler = sampler[k / 2];
    run.values = VALUES;
    run.curvature = k / 2 == 1 ? curvature : NULL;
    run.shared_tuner = k % 2;
    run.chains = 3;
    run.warmup = WARMUP;
    run.draws = DRAWS;
    run.thin = 3;
    run.column = &column;
    run.columns = 1;
    CHECK(check_ways(run, &kernel, m, N) > WARMUP / 2);
    CHECK(k > 0 || says_values(&run, &kernel, m));
  }
}

/* Steps of a warm-up by a driver of the test's own. `anew`: every 64 steps another tuner takes over, which knows no
 * more than the numbers that the one before it has saved. Returns a hash of the chain's way; `words` gets the last
 * numbers. */
static uint64_t warm_up(const lbp_kernel *kernel, const ring *m, const lbp_plan *plan, int anew, double *words) {
  unsigned char *chain = (unsigned char *)calloc(kernel->bytes(plan), 1), *tuner[2];
  const lbp_unit *unit = (const lbp_unit *)(void *)chain;
  uint64_t hash = LBP_P_HASH;
  lbp_moves moves;
  uint32_t step;
  int now = 0, k;
  memset(&moves, 0, sizeof moves);
  for (k = 0; k < 2; k++) tuner[k] = (unsigned char *)calloc(kernel->tuner_bytes(plan), 1);
  CHECK(kernel->make(chain, m, plan) == LBP_OK && kernel->tuner_init(tuner[0], plan) == LBP_OK);
  lbp_rng_init(&((lbp_unit *)(void *)chain)->rng, 5, 0);
  for (step = 0; step < plan->warmup + 100; step++) {
    CHECK(plan->sampler->steps(chain, m, plan, tuner[now], 1, HUGE_VAL, step < plan->warmup, &moves) == 1);
    hash = lbp_runner_hash(hash, unit->x, N);
    if (step % 64 != 63) continue;
    kernel->touch(chain);
    kernel->tuner_save(tuner[now], words);
    if (!anew) continue;
    now = 1 - now;
    memset(tuner[now], 0, kernel->tuner_bytes(plan));
    CHECK(kernel->tuner_init(tuner[now], plan) == LBP_OK);
    kernel->tuner_load(tuner[now], words);
  }
  kernel->tuner_save(tuner[now], words);
  CHECK(kernel->fault(chain).status == LBP_OK && kernel->tuner_status(tuner[now]) == LBP_OK);
  kernel->drop(chain);
  free(chain);
  for (k = 0; k < 2; k++) free(tuner[k]);
  return hash;
}

static void test_words(lbp_kernel kernel, const void *curvature, const ring *m) {
  uint32_t k, way;
  for (k = 0; k < kernel.samplers; k++) {
    if (kernel.sampler[k].traits & LBP_TRAIT_MOMENTUM) continue; /* the ring is not quadratic */
    for (way = 0; way < (kernel.sampler[k].traits & LBP_TRAIT_CURVED ? 2u : 1u); way++) {
      double *kept, *loaded;
      uint64_t hash;
      lbp_plan plan;
      size_t words, w, same = 0;
      memset(&plan, 0, sizeof plan);
      plan.sampler = &kernel.sampler[k];
      plan.n = N;
      plan.values = VALUES;
      plan.warmup = QUICK ? 1000 : 8000;
      plan.target = kernel.sampler[k].target;
      plan.curvature = way == 1 ? curvature : NULL;
      words = kernel.tuner_words(&plan);
      kept = (double *)calloc(words, sizeof *kept);
      loaded = (double *)calloc(words, sizeof *loaded);
      hash = warm_up(&kernel, m, &plan, 0, kept);
      CHECK(warm_up(&kernel, m, &plan, 1, loaded) == hash);
      for (w = 0; w < words; w++) same += kept[w] == loaded[w];
      CHECK(same == words);
      free(kept);
      free(loaded);
    }
  }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void refuse(const lbp_run *given, const ring *m, int status, const char *word) {
  lbp_run_result result;
  lbp_run run = *given;
  run.warmup = run.warmup == 1000 ? 200 : run.warmup;
  CHECK(open_ring_run(&run, m, N, &result) == status);
  CHECK(strstr(result.message, word) != NULL);
  if (!strstr(result.message, word)) printf("%d %s\n", result.status, result.message);
  lbp_run_free(&result);
}

/* Checkpoints and metric files know a curvature by its numbers, and by whose they are. */
static void test_print(void) {
  static const uint32_t start[N + 1] = {0, 2, 4, 6, 8};
  static const uint32_t column[2][2 * N] = {{1, 3, 0, 2, 1, 3, 0, 2}, {2, 3, 2, 3, 0, 1, 0, 1}};
  static const double value[2 * N] = {1, 1, 1, 1, 1, 1, 1, 1}, D[N] = {2, 2, 2, 2};
  open_ring_curvature ring[2];
  double room[2][64];
  uint32_t k;
  for (k = 0; k < 2; k++) {
    lbp_symmetric W;
    memset(&W, 0, sizeof W);
    W.n = N, W.start = start, W.column = column[k], W.value = value;
    CHECK(open_ring_curvature_init(&ring[k], &W, D, 0, room[k], sizeof room[k]) == LBP_OK && ring[k].edges == N);
  }
  CHECK(open_ring_kernel().curvature_print(&ring[0]) != open_ring_kernel().curvature_print(&ring[1]));
}

static void test_refused(const ring *m) {
  open_ring_curvature other = open_curvature;
  ring broken = *m, scaled = *m;
  lbp_run plain, run;
  lbp_ais_result ais;
  lbp_run_result result;
  lbp_run_init(&plain);
  plain.values = VALUES;
  run = plain, run.sampler = LBP_SAMPLER_LBP, refuse(&run, m, LBP_E_RANGE, "sampler");
  run = plain, run.parameter = 2, refuse(&run, m, LBP_E_RANGE, "parameter: AB finds its own; leave it 0, not 2");
  run = plain, run.sampler = LBP_SAMPLER_DLP, run.parameter = -1, refuse(&run, m, LBP_E_RANGE, "parameter: sigma is 0");
  run = plain, run.sampler = LBP_SAMPLER_DLP, run.parameter = NAN, refuse(&run, m, LBP_E_RANGE, "sigma is 0");
  run = plain, run.sampler = LBP_SAMPLER_GIBBS, run.parameter = 1, refuse(&run, m, LBP_E_RANGE, "Gibbs has none");
  run = plain, run.sampler = LBP_SAMPLER_DLP, run.curvature = &open_curvature, refuse(&run, m, LBP_E_RANGE, "curvature");
  run = plain, run.values = 0, refuse(&run, m, LBP_E_RANGE, "values: the number of values of a site is unknown");
  run = plain, run.warmup = run.draws = 10;
  CHECK(other_ring_run(&run, m, N, &result) == LBP_E_GRADIENT && strstr(result.message, "set check_trials to 0"));
  run.check_trials = 0;
  CHECK(other_ring_run(&run, m, N, &result) == LBP_OK);
  lbp_run_free(&result);
  run = plain, run.values = 1, refuse(&run, m, LBP_E_RANGE, "values");
  run = plain, run.values = 257, refuse(&run, m, LBP_E_RANGE, "values");
  run = plain, run.tempering.rungs = 3, refuse(&run, m, LBP_E_RANGE, "curvature");
  run = plain, run.warmup = 0, refuse(&run, m, LBP_E_RANGE, "warmup");
  other.n = N + 1;
  run = plain, run.curvature = &other, refuse(&run, m, LBP_E_SIZE, "tuner");
  broken.broken = 1;
  run = plain, run.check_trials = 0, refuse(&run, &broken, LBP_E_MODEL_NAN, "the model is wrong: log pi");
  run.tempering.rungs = 10;
  CHECK(open_ring_ais(&run, m, N, &ais) == LBP_OK); /* by Gibbs */
  lbp_ais_free(&ais);
  run.sampler = LBP_SAMPLER_AB;
  CHECK(open_ring_ais(&run, m, N, &ais) == LBP_E_RANGE && strstr(ais.message, "curvature"));
  run.sampler = LBP_SAMPLER_DLP;
  CHECK(open_ring_ais(&run, &broken, N, &ais) == LBP_E_MODEL_NAN);
  lbp_run_init(&run);
  run.sampler = LBP_SAMPLER_AB;
  CHECK(flat_run(&run, NULL, 3, &result) == LBP_E_RANGE && strstr(result.message, "sampler"));
  run.sampler = LBP_SAMPLER_GIBBS, run.parameter = 1;
  CHECK(flat_run(&run, NULL, 3, &result) == LBP_E_RANGE && strstr(result.message, "parameter: "));
  run.sampler = LBP_SAMPLER_DEFAULT, run.parameter = 0, run.values = 3;
  CHECK(flat_run(&run, NULL, 3, &result) == LBP_E_RANGE && strstr(result.message, "values"));
  /* a checkpoint of something else */
  run = plain;
  run.warmup = 200, run.draws = 10, run.curvature = &open_curvature, run.checkpoint = in_folder("other.ckpt");
  CHECK(open_ring_run(&run, m, N, &result) == LBP_OK);
  lbp_run_free(&result);
  make_curvatures(0.31);
  refuse(&run, m, LBP_E_FORMAT, "curvature");
  make_curvatures(0.3);
  run.values = 4;
  refuse(&run, m, LBP_E_FORMAT, "number of values");
  run.values = VALUES;
  scaled.pull *= 1 + 1.0 / 1024;
  refuse(&run, &scaled, LBP_E_FORMAT, "model");
  remove(run.checkpoint);
  /* too few steps for a curvature: right, and said */
  run = plain;
  run.warmup = 1, run.draws = 200;
  CHECK(open_ring_run(&run, m, N, &result) == LBP_OK);
  CHECK(result.tuner_status == LBP_E_NO_DATA && (result.warnings & LBP_WARN_UNTUNED));
  CHECK(result.parameter_name && strcmp(result.parameter_name, "s") == 0);
  CHECK(strcmp(result.evaluation, "gradients") == 0);
  lbp_run_free(&result);
}

/* ---- samplers of one's own --------------------------------------------------------------------------------------- */

static open_ring_info own_ab(open_ring_chain *c, const ring *m, const lbp_plan *plan, open_ring_adaptive *a, int learn,
                             lbp_rng *rng) {
  const double *to = plan->setting;
  a->scale = to[1] > 0 ? open_ring_second_order_d(to[0], to[1], to[2]) : open_ring_langevin_d(to[0]);
  (void)learn;
  return open_ring_ab_step(c, m, (const open_ring_curvature *)plan->curvature, &a->scale, rng);
}

static uint32_t own_steps(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                          double limit, int learn, lbp_moves *moves) {
  return open_ring_own_steps(own_ab, chain, model, plan, tuner, count, limit, learn, moves);
}

static void count_steps(void *see_data, const void *chain, const uint32_t *changed, uint32_t count) {
  CHECK(chain != NULL && changed == NULL && count == 0);
  ++*(uint32_t *)see_data;
}

/* A row with the steps of the table's AB: the same draws, the same sums; and one that is told its sigma. */
static void test_own(const ring *m) {
  const lbp_kernel kernel = open_ring_kernel();
  lbp_sampler row = *lbp_kernel_sampler(&kernel, LBP_SAMPLER_AB);
  uint32_t k, i, seen[2] = {0, 0};
  lbp_chains c[2];
  lbp_plan plan;
  row.steps = own_steps;
  CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_AB, N, VALUES) == LBP_OK);
  plan.curvature = &open_curvature;
  plan.setting[0] = 2;
  plan.setting[1] = 1;
  plan.setting[2] = 0.7;
  plan.see = count_steps;
  for (k = 0; k < 2; k++) {
    if (k) plan.sampler = &row;
    plan.see_data = &seen[k];
    CHECK(lbp_chains_init(&c[k], &kernel, m, &plan, 0, 1, 0) == LBP_OK && lbp_chains_make(&c[k], 0, 6) == LBP_OK);
    CHECK(open_ring_chain_of(lbp_chains_unit(&c[k], 0))->x == lbp_chains_unit(&c[k], 0)->x);
  }
  for (i = 1; i <= 300; i++) {
    for (k = 0; k < 2; k++) CHECK(lbp_chains_step(&c[k], 0, 1, 5, 1, 0) == 1 && seen[k] == i); /* the limit */
    CHECK(memcmp(lbp_chains_unit(&c[0], 0)->x, lbp_chains_unit(&c[1], 0)->x, N) == 0);
  }
  CHECK(c[0].moves->accept == c[1].moves->accept && c[0].moves->evaluations == c[1].moves->evaluations);
  CHECK(c[0].moves->jump == c[1].moves->jump && c[0].moves->proposed == c[1].moves->proposed);
  CHECK(c[1].moves->jump > 100 && c[1].moves->jump <= c[1].moves->proposed);
  CHECK_NEAR(c[1].moves->parameter, 600, 1e-9);
  c[1].plan.setting[0] = 3;
  c[1].plan.setting[1] = 0;
  CHECK(lbp_chains_step(&c[1], 0, 1, 10, HUGE_VAL, 0) == 10);
  CHECK_NEAR(c[1].moves->parameter, 630, 1e-9);
  for (k = 0; k < 2; k++) lbp_chains_free(&c[k]);
}

/* Chains begin where all values are as likely. */
static void test_starts(lbp_kernel kernel, const ring *m) {
  enum { UNITS = 1000 };
  uint32_t counts[N][VALUES], k, i, v;
  lbp_chains c;
  lbp_plan plan;
  memset(counts, 0, sizeof counts);
  CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_DEFAULT, N, VALUES) == LBP_OK);
  CHECK(lbp_chains_init(&c, &kernel, m, &plan, 0, UNITS, 1) == LBP_OK);
  for (k = 0; k < UNITS; k++) {
    CHECK(lbp_chains_make(&c, k, 1) == LBP_OK);
    for (i = 0; i < N; i++) counts[i][((const uint8_t *)lbp_chains_unit(&c, k)->x)[i] % VALUES]++;
  }
  for (i = 0; i < N; i++) {
    for (v = 0; v < VALUES; v++) CHECK_NEAR(counts[i][v], (double)UNITS / VALUES, 6 * sqrt(UNITS * 2.0 / 9));
  }
  lbp_chains_free(&c);
}

int main(void) {
  const ring m = {1.5, 0.3, 0};
  CHECK(make_folder());
  make_curvatures(0.3);
  test_print();
  if (!QUICK) test_laws(open_ring_run, open_ring_ais, &open_curvature, &m);
  if (!QUICK) test_laws(fixed_ring_run, fixed_ring_ais, &fixed_curvature, &m);
  test_promises(open_ring_kernel(), &open_curvature, &m);
  test_promises(fixed_ring_kernel(), &fixed_curvature, &m);
  test_words(open_ring_kernel(), &open_curvature, &m);
  test_words(fixed_ring_kernel(), &fixed_curvature, &m);
  test_starts(open_ring_kernel(), &m);
  test_starts(fixed_ring_kernel(), &m);
  test_own(&m);
  test_refused(&m);
  return test_report();
}
