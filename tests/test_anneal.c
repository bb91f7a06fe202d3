/* Annealing: each read against the same steps taken by hand, its best state after every one of them; ground states by
 * enumeration; the range of temperatures; the same on any number of threads and wherever it was cut off, with sweeps
 * that were given or found by a pilot; refused options. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#define LBP_MODELS_REAL double
#include "../lbp_run.h"

#if defined _OPENMP
#include <omp.h>
#endif

#include "../lbp/models/qubo.h"
#include "ring.h"
#include "run_files.h"
#include "toy.h"

#define LBP_NAME           local
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           based
#define LBP_REAL           float
#define LBP_MODEL_T        ring
#define LBP_DELTA          (float)ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           (float)ring_logp
#define LBP_TEMPERED
#define LBP_BASE           (float)ring_base
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME    dense
#define LBP_MODEL_T ring
#define LBP_DELTAS  ring_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP ring_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME        many
#define LBP_MODEL_T     ring
#define LBP_DELTAS      ring_deltas
#define LBP_DELTAS_MANY ring_deltas_many
#define LBP_LOGP        ring_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           colours
#define LBP_MODEL_T        ring
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  ring_row
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME     steps
#define LBP_MODEL_T  ring
#define LBP_GRADIENT ring_gradient
#define LBP_STATES   3
#include "../lbp_run.h"

#define LBP_NAME           cold
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#include "../lbp_run.h"

#define LBP_NAME           small
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           tour
#define LBP_MODEL_T        lbp_qubo
#define LBP_REAL           lbp_real
#define LBP_NEIGHBOURS     lbp_qubo_neighbours
#define LBP_MAX_NEIGHBOURS 200
#define LBP_FIELDS_T       lbp_qubo_fields
#define LBP_FIELDS_INIT    lbp_qubo_fields_set
#define LBP_FIELDS_MAKE    lbp_qubo_fields_init
#define LBP_FIELDS_FREE    lbp_qubo_fields_free
#define LBP_FLIP           lbp_qubo_flip
#define LBP_DELTA          lbp_qubo_fields_delta
#define LBP_LOGP(m, f, x)  ((void)(f), lbp_qubo_logp(m, x))
#define LBP_TEMPERED
#include "../lbp_run.h"

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static uint32_t between(uint32_t step, uint32_t steps, uint32_t quench) {
  return step < steps - quench ? step : steps - quench - 1;
}

static double beta_of(const lbp_run *run, const lbp_run_result *it, uint32_t step) {
  const double *ladder = run->tempering.ladder;
  const uint32_t steps = (uint32_t)run->annealing.sweeps, quench = ladder || run->annealing.cold > 0 ? 0 : steps / 32;
  const double way = steps - quench > 1 ? between(step, steps, quench) / (steps - quench - 1.0) : 1;
  if (ladder) return ladder[run->tempering.rungs - 1 - step * run->tempering.rungs / steps];
  if (step >= steps - quench) return 10 * it->cold;
  if (run->annealing.schedule == LBP_SCHEDULE_LINEAR) return it->hot + (it->cold - it->hot) * way;
  return it->hot * lbp_exp(lbp_log_fine(it->cold / it->hot) * way);
}

static int falling(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left < right) - (left > right);
}

/* Where in `best` the state is, from the best log pi on; `chains` if it is not there. */
static uint32_t place_of(const lbp_run_result *it, const uint8_t *x, uint32_t n) {
  uint32_t k = 0;
  while (k < it->chains && memcmp(it->best + k * n, x, n) != 0) k++;
  return k;
}

static void check_trace(const lbp_kernel *kernel, const ring *m, lbp_run run, const char *what) {
  lbp_run_result it;
  lbp_chains c;
  lbp_plan plan;
  uint32_t k, t, wrong = 0, hits = 0;
  double top[40];
  char text[100];
  const int status = lbp_anneal_kernel(&run, kernel, m, m->n, &it);
  CHECK(status == LBP_OK);
  if (status != LBP_OK) printf("%s: %s\n", what, it.message);
  CHECK(lbp_plan_init(&plan, kernel, run.sampler, m->n, 0) == LBP_OK);
  plan.warmup = (uint32_t)run.annealing.sweeps;
  plan.setting[0] = run.parameter;
  CHECK(lbp_plan_clamp(&plan, run.clamp) == LBP_OK);
  CHECK(lbp_chains_init(&c, kernel, m, &plan, 0, run.chains, 0) == LBP_OK);
  for (k = 0; k < run.chains && status == LBP_OK; k++) {
    lbp_unit *unit;
    CHECK(lbp_chains_make(&c, k, run.seed) == LBP_OK);
    unit = lbp_chains_unit(&c, k);
    if (run.start) {
      lbp_rng_init(&unit->rng, run.seed, k);
      run.start(run.start_data, k, (uint8_t *)unit->x, m->n);
    }
    top[k] = kernel->logp(unit, m);
    for (t = 0; t < run.annealing.sweeps; t++) {
      kernel->temper(unit, beta_of(&run, &it, t));
      if (run.parameter > 0 && run.annealing.parameter_end > 0) {
        const double steps = (double)run.annealing.sweeps, way = between(t, (uint32_t)run.annealing.sweeps, 0) / (steps - 1);
        c.plan.setting[0] = run.parameter * lbp_exp(lbp_log_fine(run.annealing.parameter_end / run.parameter) * way);
      }
      lbp_chains_step(&c, k, k + 1, 1, HUGE_VAL, 1);
      if (kernel->logp(unit, m) > top[k]) top[k] = kernel->logp(unit, m);
    }
    wrong += memcmp(it.last + k * m->n, unit->x, m->n) != 0;
    wrong += fabs(it.last_logp[k] - kernel->logp(unit, m)) > 1e-9;
  }
  qsort(top, run.chains, sizeof *top, falling);
  for (k = 0; k < run.chains && status == LBP_OK; k++) {
    hits += it.hits[k];
    wrong += k > 0 && it.best_logp[k] > it.best_logp[k - 1];
    wrong += fabs(it.best_logp[k] - top[k]) > 1e-6;
    wrong += fabs(it.best_logp[k] - ring_logp(m, it.best + k * m->n)) > 1e-6;
    wrong += (it.hits[k] > 0) != (place_of(&it, it.best + k * m->n, m->n) == k);
  }
  snprintf(text, sizeof text, "%s, %s: %u wrong", what, plan.sampler->name, (unsigned)wrong);
  test_count(wrong == 0 && hits == run.chains, __FILE__, __LINE__, text);
  CHECK(it.sweeps == run.annealing.sweeps && it.histories > 0 && it.ended == LBP_END_COMPLETE);
  if (it.histories > 0) CHECK(fabs(it.history[3 * it.histories - 1] - it.best_logp[0]) < 1e-4 * fabs(it.best_logp[0]));
  lbp_chains_free(&c);
  lbp_run_free(&it);
}

static void begin_at(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

#ifdef API_QUICK
enum { TRACED = 2, GLASSES = 2 };
#else
enum { TRACED = 5, GLASSES = 10 };
#endif

static void test_traces(const ring *m) {
  static const double ladder[] = {3, 1, 0.2, 0};
  const lbp_kernel kernels[5] = {local_kernel(), based_kernel(), dense_kernel(), colours_kernel(), steps_kernel()};
  static const char *const names[] = {"local", "with a base", "dense", "categorical", "any-scale"};
  uint8_t mask[RING_SITES];
  lbp_run run;
  uint32_t k, s;
  for (k = 0; k < RING_SITES; k++) mask[k] = k % 4 == 1;
  for (k = 0; k < 5; k++) {
    for (s = 0; s < kernels[k].samplers; s++) {
      const lbp_sampler *sampler = &kernels[k].sampler[s];
      if (sampler->traits & LBP_TRAIT_CURVED) continue; /* AB's tuner and curvatures are other tests' */
      lbp_run_init(&run);
      run.sampler = sampler->sampler;
      run.chains = TRACED;
      run.annealing.sweeps = 120;
      if (sampler->traits & LBP_TRAIT_SITES) run.parameter = 3;
      if (sampler->traits & LBP_TRAIT_SCALE) run.parameter = 0.4;
      if (sampler->traits & LBP_TRAIT_TIME) run.parameter = 0.3;
      check_trace(&kernels[k], m, run, names[k]);
      run.annealing.schedule = LBP_SCHEDULE_GEOMETRIC;
      run.annealing.hot = 0.3, run.annealing.cold = 5;
      if (sampler->traits & LBP_TRAIT_SITES) run.annealing.parameter_end = 1;
      check_trace(&kernels[k], m, run, "geometric");
      run.annealing.hot = run.annealing.cold = 0;
      run.tempering.rungs = 4, run.tempering.ladder = ladder;
      if (sampler->traits & LBP_TRAIT_SITES) run.parameter = run.annealing.parameter_end = 0;
      check_trace(&kernels[k], m, run, "ladder");
    }
  }
  for (k = 0; k < 4; k++) { /* groups of chains: one whole, several, the last one smaller */
    static const uint32_t together[] = {2, 3, 7, 128};
    const lbp_kernel kernel = many_kernel();
    lbp_run_init(&run);
    run.chains = 7;
    run.annealing.sweeps = 120;
    run.batch = together[k];
    run.parameter = k % 2 ? 3 : 0; /* R tuned, too */
    run.sampler = LBP_SAMPLER_LBP;
    check_trace(&kernel, m, run, "together");
  }
  for (k = 0; k < 6; k++) { /* on both sides of a step that quenches */
    static const uint64_t sweeps[] = {1, 2, 31, 32, 33, 64};
    lbp_run_init(&run);
    run.sampler = LBP_SAMPLER_METROPOLIS;
    run.annealing.sweeps = sweeps[k];
    check_trace(&kernels[0], m, run, "few sweeps");
  }
  lbp_run_init(&run);
  run.sampler = LBP_SAMPLER_METROPOLIS;
  run.chains = 40;
  run.annealing.sweeps = 700; /* longer than a chain remembers */
  run.clamp = mask;
  run.start = begin_at;
  check_trace(&kernels[1], m, run, "clamped");
}

/* ---- ground states, and the range -------------------------------------------------------------------------------- */

static void test_ground(void) {
  uint64_t seed;
  for (seed = 1; seed <= GLASSES; seed++) {
    const toy t = toy_make(TOY_MAX, 1, seed % 2 == 0, seed);
    double top = -HUGE_VAL;
    lbp_run run;
    lbp_run_result it;
    uint32_t code, i;
    for (code = 0; code < 1u << TOY_MAX; code++) {
      uint8_t x[TOY_MAX];
      for (i = 0; i < TOY_MAX; i++) x[i] = (uint8_t)(code >> i & 1);
      if (toy_logp(&t, x) > top) top = toy_logp(&t, x);
    }
    lbp_run_init(&run);
    run.chains = 20;
    run.annealing.sweeps = 100;
    run.check_trials = 0;
    run.start = begin_at;
    CHECK(small_anneal(&run, &t, TOY_MAX, &it) == LBP_OK);
    CHECK(it.best_logp[0] >= top && it.best_logp[0] <= top && toy_logp(&t, it.best) >= top);
    lbp_run_free(&it);
  }
}

/* All log-ratios are +-h: hot and cold are known. A model that nothing can move has a range, too. */
static void test_range(void) {
  ring m = ring_make(0, 0);
  lbp_run run;
  lbp_run_result it;
  uint32_t i;
  for (i = 0; i < m.n; i++) m.h[i] = i % 2 ? 0.25 : -0.25;
  lbp_run_init(&run);
  run.annealing.sweeps = 50;
  CHECK(local_anneal(&run, &m, m.n, &it) == LBP_OK);
  CHECK(fabs(it.hot - 2 / 0.25) < 1e-9 && fabs(it.cold - log(10000) / 0.25) < 1e-9);
  CHECK(fabs(it.best_logp[0] - 0.25 * (m.n / 2)) < 1e-9 && it.different == 1 && it.hits[0] == run.chains);
  lbp_run_free(&it);
  for (i = 0; i < m.n; i += 3) m.h[i] = 0; /* those don't count */
  CHECK(local_anneal(&run, &m, m.n, &it) == LBP_OK);
  CHECK(fabs(it.hot - 2 / 0.25) < 1e-9 && fabs(it.cold - log(10000) / 0.25) < 1e-9);
  lbp_run_free(&it);
  run.annealing.cold = 1; /* warmer than what would be the hot end */
  CHECK(local_anneal(&run, &m, m.n, &it) == LBP_OK);
  CHECK(it.hot >= 1 && it.hot <= 1 && it.cold <= 1);
  lbp_run_free(&it);
  run.annealing.cold = 0;
  for (i = 0; i < m.n; i++) m.h[i] = i % 3 ? 0.25 : 1e-12; /* what may be rounding counts as little */
  CHECK(local_anneal(&run, &m, m.n, &it) == LBP_OK && fabs(it.cold - log(10000) / 0.25) < 1e-9);
  lbp_run_free(&it);
  m.h[0] = 2; /* large ones count for more, small ones decide where it ends */
  for (i = 1; i < m.n; i++) m.h[i] = 0.25;
  CHECK(local_anneal(&run, &m, m.n, &it) == LBP_OK && fabs(it.cold - log(10000) / 0.25) < 1e-9);
  CHECK(fabs(it.hot - 2 / sqrt((16 + (m.n - 1) / 256.0) / (4 + (m.n - 1) / 16.0))) < 1e-9);
  lbp_run_free(&it);
  for (i = 0; i < m.n; i++) m.h[i] = 1e-40; /* colder than a float can be */
  CHECK(local_anneal(&run, &m, m.n, &it) == LBP_OK && it.cold <= 1.0000001e30 && it.hot <= it.cold);
  lbp_run_free(&it);
  for (i = 0; i < m.n; i++) m.h[i] = 0;
  CHECK(local_anneal(&run, &m, m.n, &it) == LBP_OK && it.hot > 0 && it.cold >= it.hot && it.best_logp[0] >= 0);
  lbp_run_free(&it);
}

/* ---- penalties --------------------------------------------------------------------------------------------------- */

enum { CITIES = 20, PLACES = CITIES * CITIES, TOUR_SWEEPS = 200 }; /* at most */

/* A tour of n cities at random points of a square, as a QUBO: site i * n + k is 1 where city i comes k-th. The penalty:
 * so many times the longest distance. Not is_tour: an assignment, where each such pair has its own cost, from 0 to 1. */
static lbp_qubo make_tour(uint32_t n, int is_tour, double penalty, uint64_t seed) {
  static uint32_t ends[4 * PLACES * CITIES];
  static double value[2 * PLACES * CITIES];
  double at[CITIES][2], longest = 0;
  uint32_t i, j, k, count = 0;
  lbp_qubo m;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 0);
  for (i = 0; i < n; i++) {
    for (k = 0; k < 2; k++) at[i][k] = lbp_u01(lbp_rng_u64(&rng));
    for (j = 0; j < i; j++) longest = fmax(longest, hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]));
  }
#define ADD(a, b, v) (ends[2 * count] = (a), ends[2 * count + 1] = (b), value[count++] = (v))
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      ADD(i * n + j, i * n + j, -2 * penalty * longest + (is_tour ? 0 : lbp_u01(lbp_rng_u64(&rng))));
      for (k = 0; k < j; k++) {
        ADD(i * n + j, i * n + k, 2 * penalty * longest);
        ADD(j * n + i, k * n + i, 2 * penalty * longest);
      }
      for (k = 0; k < n && i != j && is_tour; k++) {
        ADD(i * n + k, j * n + (k + 1) % n, hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]));
      }
    }
  }
#undef ADD
  CHECK(lbp_qubo_init(&m, n * n, count, ends, value, 2 * n * penalty * longest, 200) == LBP_OK);
  return m;
}

/* The mean energy of reads; at a cold end `times` the default's, whose schedule it has else. */
static double mean_tour(const lbp_qubo *m, double times, uint64_t seed) {
  double ladder[TOUR_SWEEPS], mean = 0;
  lbp_run run;
  lbp_run_result it;
  uint32_t k;
  lbp_run_init(&run);
  run.seed = seed;
  run.chains = 16;
  run.annealing.sweeps = 1;
  run.check_trials = 0;
  CHECK(tour_anneal(&run, m, m->n, &it) == LBP_OK);
  for (k = 0; k < TOUR_SWEEPS; k++) {
    const uint32_t slow = TOUR_SWEEPS - TOUR_SWEEPS / 32;
    const double cold = times * it.cold, beta = k < slow ? it.hot + (cold - it.hot) * k / (slow - 1) : 10 * cold;
    ladder[TOUR_SWEEPS - 1 - k] = beta * (1 + 1e-9 * k);
  }
  lbp_run_free(&it);
  run.annealing.sweeps = TOUR_SWEEPS;
  if (times > 0) run.tempering.ladder = ladder, run.tempering.rungs = TOUR_SWEEPS;
  CHECK(tour_anneal(&run, m, m->n, &it) == LBP_OK);
  for (k = 0; k < run.chains && it.best_logp; k++) mean -= it.best_logp[k] / run.chains;
  lbp_run_free(&it);
  return mean;
}

/* Penalties as large as costs, some, and far larger: the default cold end is neither far too hot nor far too cold. */
static void test_penalties(void) {
  static const double penalty[3] = {1, 2, 50};
  uint32_t k;
  for (k = 0; k < 3; k++) {
    lbp_qubo m = make_tour(14, 1, penalty[k], 5 + k);
    const double usual = mean_tour(&m, 0, 1), hot = mean_tour(&m, 0.0625, 1), cold = mean_tour(&m, 16, 1);
    CHECK(usual < 0.95 * hot && usual < 0.97 * cold);
    lbp_qubo_free(&m);
  }
  for (k = 0; k < 3; k++) { /* no move sees the costs: it ends far colder than where moves freeze that pay penalties */
    lbp_qubo m = make_tour(20, 0, 50, 5 + k);
    CHECK(mean_tour(&m, 0, 1) < 0.8 * mean_tour(&m, 1.0 / 4096, 1));
    lbp_qubo_free(&m);
  }
}

/* ---- cut off, and on many threads -------------------------------------------------------------------------------- */

static int alike(const lbp_run_result *a, const lbp_run_result *b, uint32_t n) {
  const size_t states = (size_t)a->chains * n, numbers = a->chains * sizeof(double);
  return a->chains == b->chains && a->sweeps == b->sweeps && a->different == b->different &&
         memcmp(a->best, b->best, states) == 0 && memcmp(a->last, b->last, states) == 0 &&
         memcmp(a->best_logp, b->best_logp, numbers) == 0 && memcmp(a->last_logp, b->last_logp, numbers) == 0 &&
         memcmp(a->hits, b->hits, a->chains * sizeof *a->hits) == 0;
}

static void test_cut(lbp_kernel kernel, const ring *m, int sampler, double R, double cold) {
  const char *checkpoint = in_folder("anneal.ckpt");
  lbp_run_result whole, it;
  lbp_run run;
  uint32_t calls = 0;
  lbp_run_init(&run);
  run.sampler = sampler;
  run.chains = cold > 0 ? 32 : 6; /* by rounding, few end elsewhere */
  run.parameter = R;
  run.annealing.cold = cold;
  for (run.annealing.sweeps = 1250;; run.annealing.sweeps *= 2) { /* enough for several parts, however slow all is */
    const double begin = lbp_run_now();
    CHECK(lbp_anneal_kernel(&run, &kernel, m, m->n, &whole) == LBP_OK);
    if (lbp_run_now() - begin > 0.1) break;
    lbp_run_free(&whole);
  }
  run.checkpoint = checkpoint;
  for (run.seconds = 0.01;; run.seconds *= 1.5) {
    threads(calls % 2 ? 3 : 1);
    CHECK(lbp_anneal_kernel(&run, &kernel, m, m->n, &it) == LBP_OK && it.resumed == (calls > 0));
    calls++;
    if (it.status != LBP_OK || it.ended == LBP_END_COMPLETE || calls > 40) break;
    CHECK(it.ended == LBP_END_OUT_OF_TIME && it.best_logp[0] <= whole.best_logp[0]);
    lbp_run_free(&it);
  }
  CHECK(it.ended == LBP_END_COMPLETE && calls > 2 && alike(&it, &whole, m->n));
  lbp_run_free(&it);
  run.annealing.cold = 5;
  CHECK(lbp_anneal_kernel(&run, &kernel, m, m->n, &it) == LBP_E_FORMAT && strstr(it.message, "annealing.cold"));
  lbp_run_free(&it);
  lbp_run_free(&whole);
  remove(checkpoint);
  threads(1);
}

/* Sweeps by a pilot: of the time that was asked for, and kept; tuners learn as if they had been given. */
static void test_pilot(const ring *m, int sampler) {
  const char *checkpoint = in_folder("pilot.ckpt");
  volatile sig_atomic_t stop = 1;
  lbp_run_result it, whole;
  lbp_run run;
  double begin;
  lbp_run_init(&run);
  run.chains = 3;
  run.sampler = sampler;
  run.seconds = 0.4;
  begin = lbp_run_now();
  CHECK(local_anneal(&run, m, m->n, &it) == LBP_OK && it.ended == LBP_END_COMPLETE);
  CHECK(lbp_run_now() - begin < 20 && it.sweeps > 20);
  lbp_run_free(&it);
  run.checkpoint = checkpoint;
  run.stop = &stop;
  CHECK(local_anneal(&run, m, m->n, &it) == LBP_OK && it.ended == LBP_END_STOPPED);
  lbp_run_free(&it);
  stop = 0;
  run.seconds = 1e-6; /* doesn't count any longer */
  CHECK(local_anneal(&run, m, m->n, &it) == LBP_OK && it.ended == LBP_END_COMPLETE && it.resumed && it.sweeps > 20 && it.sweeps != 1000);
  run.checkpoint = NULL;
  run.seconds = 0;
  run.annealing.sweeps = it.sweeps;
  CHECK(local_anneal(&run, m, m->n, &whole) == LBP_OK && alike(&it, &whole, m->n));
  lbp_run_free(&it);
  lbp_run_free(&whole);
  remove(checkpoint);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void refuse(lbp_run run, const ring *m, const char *word) {
  lbp_run_result it;
  CHECK(local_anneal(&run, m, m->n, &it) == LBP_E_RANGE);
  test_count(strstr(it.message, word) != NULL, __FILE__, __LINE__, word);
  lbp_run_free(&it);
}

static void test_refused(const ring *m) {
  const double rising[] = {0.1, 1}, infinite[] = {HUGE_VAL, 1};
  static double falling[5000];
  uint32_t k;
  const lbp_kernel kernel = cold_kernel();
  lbp_run_result it;
  lbp_run run, bad;
  lbp_run_init(&run);
  bad = run, bad.annealing.hot = -1, refuse(bad, m, "annealing.hot, annealing.cold: ");
  bad = run, bad.annealing.cold = HUGE_VAL, refuse(bad, m, "annealing.hot, annealing.cold: ");
  bad = run, bad.annealing.hot = 2, bad.annealing.cold = 1, refuse(bad, m, "rise");
  bad = run, bad.annealing.schedule = 7, refuse(bad, m, "annealing.schedule: ");
  bad = run, bad.annealing.parameter_end = 2, refuse(bad, m, "annealing.parameter_end: ");
  for (k = 0; k < 3; k++) {
    bad = run, bad.sampler = LBP_SAMPLER_LBP, bad.parameter = 3;
    bad.annealing.parameter_end = k == 0 ? -1 : k == 1 ? m->n + 1.0 : 0.5;
    refuse(bad, m, "annealing.parameter_end: 0 (as parameter), or 1 to n");
  }
  {
    uint8_t mask[RING_SITES] = {1};
    bad = run, bad.sampler = LBP_SAMPLER_LBP, bad.parameter = 1, bad.clamp = mask, bad.annealing.parameter_end = m->n;
    refuse(bad, m, "1 to the number of sites that are not clamped, with parameter: not ");
  }
  bad = run, bad.sampler = LBP_SAMPLER_LBP, bad.annealing.parameter_end = 2; /* from where? */
  refuse(bad, m, "with parameter");
  bad = run, bad.sampler = LBP_SAMPLER_CLOCK, bad.parameter = 1, bad.annealing.parameter_end = 2;
  refuse(bad, m, "annealing.parameter_end: clock does not take R sites");
  bad = run, bad.parameter = 3, refuse(bad, m, "parameter: Metropolis has none"); /* the default here */
  bad = run, bad.tempering.rungs = 2, bad.tempering.ladder = rising, refuse(bad, m, "tempering.ladder: ");
  bad = run, bad.tempering.rungs = 0, bad.tempering.ladder = rising, refuse(bad, m, "not 0");
  bad = run, bad.tempering.rungs = 2, refuse(bad, m, "tempering.rungs: reads have no rungs");
  bad = run, bad.tempering.rungs = 2, bad.tempering.ladder = infinite, refuse(bad, m, "tempering.ladder: ");
  bad = run, bad.annealing.sweeps = UINT64_C(1) << 40, refuse(bad, m, "annealing.sweeps: ");
  bad = run, bad.annealing.cold = 1e31, refuse(bad, m, "1e30");
  for (k = 0; k < 5000; k++) falling[k] = 5000 - k; /* a schedule may have more rungs than tempering */
  bad = run, bad.tempering.rungs = 5000, bad.tempering.ladder = falling;
  CHECK(local_anneal(&bad, m, m->n, &it) == LBP_OK);
  lbp_run_free(&it);
  CHECK(lbp_anneal_kernel(&run, &kernel, m, m->n, &it) == LBP_E_RANGE && strstr(it.message, "LBP_TEMPERED"));
  CHECK(steps_anneal(&run, m, m->n, &it) == LBP_OK && it.best_logp[0] > 0); /* by Gibbs */
  lbp_run_free(&it);
  bad = run, bad.sampler = LBP_SAMPLER_AB;
  CHECK(steps_anneal(&bad, m, m->n, &it) == LBP_E_RANGE && strstr(it.message, "curvature"));
  CHECK(lbp_anneal_kernel(NULL, &kernel, m, m->n, &it) == LBP_E_NULL);
  CHECK(lbp_anneal_kernel(&run, &kernel, m, m->n, NULL) == LBP_E_NULL);
}

/* log pi that is no number, or that no read makes a number. */
static double broken_logp(const ring *m, const uint8_t *x) { return (void)m, x[0] != x[1] ? (double)NAN : 0; }

static double never_logp(const ring *m, const uint8_t *x) { return (void)m, (void)x, -HUGE_VAL; }

static double never_delta(const ring *m, const uint8_t *x, uint32_t i) { return (void)m, (void)x, (void)i, -HUGE_VAL; }

#define LBP_NAME           broken
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           broken_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           never
#define LBP_MODEL_T        ring
#define LBP_DELTA          never_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           never_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

/* Whether the summary has these words. */
static int tells(const lbp_run_result *it, const char *words) {
  FILE *to = fopen(in_folder("told"), "wb");
  char *text;
  long size;
  int there;
  lbp_anneal_print(it, to);
  fclose(to);
  text = content(in_folder("told"), &size);
  there = text && strstr(text, words);
  free(text);
  remove(in_folder("told"));
  return there;
}

static void test_no_number(const ring *m) {
  lbp_run run;
  lbp_run_result it;
  lbp_run_init(&run);
  run.chains = 20;
  run.annealing.sweeps = 10;
  run.check_trials = 0;
  CHECK(broken_anneal(&run, m, m->n, &it) == LBP_E_LOGP && strstr(it.message, "log pi of a state of read"));
  lbp_run_free(&it);
  CHECK(never_anneal(&run, m, m->n, &it) == LBP_OK && it.warnings == LBP_WARN_IMPOSSIBLE && it.best_logp[0] < -1e300);
  CHECK(tells(&it, "! No read came to a possible state"));
  lbp_run_free(&it);
  CHECK(local_anneal(&run, m, m->n, &it) == LBP_OK && it.warnings == 0 && !tells(&it, "!"));
  CHECK(tells(&it, ", n = ") && tells(&it, ", values 0 to 1\n") && it.n == m->n && it.values == 2);
  CHECK(tells(&it, "20 reads of 10 sweeps, complete, ") && tells(&it, "best log pi ") && tells(&it, " different states"));
  lbp_run_free(&it);
  run.chains = 1;
  CHECK(local_anneal(&run, m, m->n, &it) == LBP_OK && tells(&it, "of 1 read; ") && tells(&it, "+- 0 (SD 0); 1 "));
  lbp_run_free(&it);
}

int main(void) {
  const ring m = ring_make(0.3125, 0.1875), glass = ring_make(-0.75, 0.5);
  ring alike_states = ring_make(-0.7, 0); /* odd: many best states, which rounding alone tells apart */
  uint32_t i;
  alike_states.n = 35;
  for (i = 0; i < alike_states.n; i++) alike_states.h[i] = 0.7;
  CHECK(make_folder());
  test_traces(&glass);
  test_ground();
  test_range();
  test_penalties();
  test_cut(local_kernel(), &glass, LBP_SAMPLER_METROPOLIS, 0, 0);
  test_cut(local_kernel(), &m, LBP_SAMPLER_LBP, 3, 0);
  test_cut(based_kernel(), &glass, LBP_SAMPLER_LBP, 0, 0);
  test_cut(local_kernel(), &alike_states, LBP_SAMPLER_GIBBS, 0, 4);
  test_pilot(&glass, LBP_SAMPLER_DEFAULT);
  test_pilot(&glass, LBP_SAMPLER_LBP);
  test_refused(&m);
  test_no_number(&m);
  rmdir(folder);
  return test_report();
}
