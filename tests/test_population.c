/* lbp/run/ais.h: population annealing. By hand, of chains that stay where they are drawn: who descends from whom,
 * weights, families, log Z and its error, the best state; against enumeration, of chains that move: the mean of
 * estimates of Z, errors, the law at the end; clamped sites; refused options and warnings.
 *
 * Statistical tests have fixed seeds. Each would raise a false alarm with probability 1e-8 with other ones: chi-squared
 * tests at that level, one or two sides; and up to 400 means within 6.8 standard errors, 1e-11 each. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "../lbp_run.h"

#if defined _OPENMP
#include <omp.h>
#endif

#include "chi2.h"
#include "toy.h"

#define LBP_NAME           walk
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME        deep
#define LBP_MODEL_T     toy
#define LBP_REAL        float
#define LBP_DELTAS      toy_fields_deltas_float
#define LBP_LOGP        toy_fields_logp
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_TEMPERED
#define LBP_BASE(m, i)  (0.5f * (float)(m)->field[i] + 0.25f)
#include "../lbp_run.h"

static double toy_gradient(const toy *t, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < t->n; i++) out[i] = x[i] ? -toy_delta(t, x, i) : toy_delta(t, x, i);
  return toy_logp(t, x);
}

#define LBP_NAME     lattice
#define LBP_MODEL_T  toy
#define LBP_GRADIENT toy_gradient
#define LBP_STATES   2
#include "../lbp_run.h"

/* Independent sites, so many that no two chains are drawn alike; the first `wall` of them must be 0; log pi is NaN
 * where the last `rift` of them are 1. */
enum { WIDE = 40 };
typedef struct {
  double spread;
  uint32_t wall, rift;
} wide;

static double wide_odds(const wide *m, uint32_t i) { return m->spread * sin(3 * i + 1.0); }

static double wide_delta(const wide *m, const uint8_t *x, uint32_t i) { return (x[i] ? -1 : 1) * wide_odds(m, i); }

static double wide_logp(const wide *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i, broken = 0;
  for (i = 0; i < WIDE; i++) sum += x[i] * wide_odds(m, i);
  for (i = 0; i < m->wall; i++) sum = x[i] ? -lbp_infinity() : sum;
  for (i = 0; i < m->rift; i++) broken += x[WIDE - 1 - i];
  return m->rift > 0 && broken == m->rift ? lbp_infinity() - lbp_infinity() : sum;
}

static uint32_t wide_neighbours(const wide *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

#define LBP_NAME           wide
#define LBP_MODEL_T        wide
#define LBP_DELTA          wide_delta
#define LBP_NEIGHBOURS     wide_neighbours
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           wide_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#ifdef API_QUICK
enum { TIMES = 1600, ERRORS = 24, CHAINS = 1600 };
#else
enum { TIMES = 6000, ERRORS = 100, CHAINS = 8000 };
#endif
enum { SMALL = 3, N = 8, RUNGS = 6, MOST = 300, PASSES = 2 };

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

/* What kernels are asked, in order: states when log pi was asked for, and when temperatures were set. */
static uint64_t seen[PASSES * RUNGS * MOST], tempered[PASSES * RUNGS * MOST];
static uint32_t asked, set;
static double highest; /* log pi that was told */
static lbp_kernel real; /* the kernel that is looked at ... */
static uint32_t sites;  /* ... and its states */

static uint64_t code_of(const uint8_t *x) {
  uint64_t code = 0;
  uint32_t i;
  for (i = 0; i < sites; i++) code |= (uint64_t)x[i] << i;
  return code;
}

static double logp_of(const wide *m, uint64_t code) {
  uint8_t x[WIDE];
  uint32_t i;
  for (i = 0; i < WIDE; i++) x[i] = (uint8_t)(code >> i & 1);
  return wide_logp(m, x);
}

static double watched_logp(void *chain, const void *model) {
  if (asked < PASSES * RUNGS * MOST) seen[asked] = code_of((const uint8_t *)((lbp_unit *)chain)->x);
  asked++;
  highest = fmax(highest, real.logp(chain, model));
  return real.logp(chain, model);
}

static void watched_temper(void *chain, double beta) {
  if (set < PASSES * RUNGS * MOST) tempered[set] = code_of((const uint8_t *)((lbp_unit *)chain)->x);
  set++;
  real.temper(chain, beta);
}

/* Steps that go nowhere, half of them accepted. */
static uint32_t no_steps(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                         double limit, int learn, lbp_moves *moves) {
  (void)chain, (void)model, (void)plan, (void)tuner, (void)limit, (void)learn;
  moves->accept += 0.5 * count;
  return count;
}

static const lbp_sampler still = {LBP_SAMPLER_GIBBS, "still", "still", NULL, 0, "evaluations", 0, no_steps, NULL};

static lbp_kernel asked_kernel(lbp_kernel kernel, uint32_t n) {
  real = kernel;
  sites = n;
  kernel.logp = watched_logp;
  asked = set = 0;
  highest = -lbp_infinity();
  return kernel;
}

static lbp_kernel still_kernel(void) {
  lbp_kernel kernel = asked_kernel(wide_kernel(), WIDE);
  kernel.sampler = &still;
  kernel.samplers = 1;
  kernel.temper = watched_temper;
  return kernel;
}

/* What should come of one pass, from the states at its beginning alone. */
typedef struct {
  uint64_t x[MOST];
  double log_weight[MOST];
  uint32_t populations, times; /* how often a population was resampled */
  lbp_rng rng;
} hand;

/* Descendant j of a population that begins at chain `begin` comes from the chain in whose piece (j + u) / count is. */
static void resample_by_hand(hand *h, double share, uint32_t begin, uint32_t end) {
  const uint32_t count = end - begin;
  double w[MOST], largest = -lbp_infinity(), sum = 0, squares = 0, u, mean;
  uint32_t copies[MOST], k, j, from = 0;
  for (k = 0; k < count; k++) largest = fmax(largest, h->log_weight[begin + k]);
  if (largest == -lbp_infinity()) return;
  for (k = 0; k < count; k++) {
    w[k] = exp(h->log_weight[begin + k] - largest);
    sum += w[k];
    squares += w[k] * w[k];
    copies[k] = 0;
  }
  if (share < 1 && sum * sum / squares >= share * count) return;
  h->times++;
  u = lbp_u01(lbp_rng_u64(&h->rng));
  for (j = 0; j < count; j++) {
    double piece = 0;
    for (k = 0; k + 1 < count; k++) {
      piece += w[k];
      if ((j + u) / count < piece / sum) break;
    }
    copies[k]++;
  }
  mean = largest + log(sum / count);
  for (k = 0; k < count; k++) {
    const double means = w[k] / sum * count;
    CHECK(copies[k] >= floor(means - 1e-9) && copies[k] <= ceil(means + 1e-9));
  }
  for (k = 0; k < count; k++) {
    h->log_weight[begin + k] = mean;
    if (copies[k] > 0) continue;
    while (copies[from] < 2) from++;
    copies[from]--;
    h->x[begin + k] = h->x[begin + from];
  }
}

static uint32_t first_of(const hand *h, uint32_t chains, uint32_t p) { return chains * p / h->populations; }

/* Follows a pass from rung to rung; whether chains had these states. */
static int follow(hand *h, const wide *m, const lbp_run *run, const uint64_t *asked_of, const uint64_t *tempered_of) {
  const uint32_t chains = run->chains;
  uint32_t rung, k, p;
  int good = 1;
  memcpy(h->x, asked_of, chains * sizeof *h->x);
  for (k = 0; k < chains; k++) h->log_weight[k] = 0;
  for (rung = 0; rung + 1 < run->tempering.rungs; rung++) {
    for (k = 0; k < chains; k++) h->log_weight[k] += logp_of(m, h->x[k]) / (run->tempering.rungs - 1.0);
    for (p = 0; p < h->populations; p++) {
      resample_by_hand(h, run->tempering.resample, first_of(h, chains, p), first_of(h, chains, p + 1));
    }
    good &= memcmp(h->x, tempered_of + rung * chains, chains * sizeof *h->x) == 0;
    good &= memcmp(h->x, asked_of + (rung + 1) * chains, chains * sizeof *h->x) == 0;
  }
  return good;
}

/* Families, weights, log Z and its error against what the pass ended with. */
static void check_end(const hand *h, const lbp_run *run, const lbp_ais_result *result) {
  const uint32_t chains = run->chains;
  double z[16], sum = 0, spread = 0, squares = 0, shares = 0, largest = -lbp_infinity();
  uint32_t p, k, j, families = 0;
  for (k = 0; k < chains; k++) largest = fmax(largest, h->log_weight[k]);
  for (p = 0; p < h->populations; p++) {
    const uint32_t begin = first_of(h, chains, p), end = first_of(h, chains, p + 1);
    z[p] = 0;
    for (k = begin; k < end; k++) {
      double share = 0;
      int new_one = 1;
      for (j = begin; j < end; j++) {
        if (h->x[j] != h->x[k]) continue;
        share += exp(h->log_weight[j] - largest) / (end - begin);
        new_one &= j >= k;
      }
      z[p] += exp(h->log_weight[k] - largest) / (end - begin);
      squares += pow(exp(h->log_weight[k] - largest) / (end - begin), 2);
      families += (uint32_t)new_one;
      if (new_one) shares += share * share;
    }
    sum += z[p];
  }
  for (p = 0; p < h->populations; p++) spread += (z[p] - sum / h->populations) * (z[p] - sum / h->populations);
  CHECK(result->families == families && result->populations == h->populations);
  CHECK_NEAR(result->effective_families, sum * sum / shares, 1e-9 * chains);
  CHECK_NEAR(result->weights, sum * sum / squares, 1e-9 * chains);
  CHECK_NEAR(result->log_z, WIDE * log(2) + largest + log(sum / h->populations), 1e-9);
  if (h->populations == 1) CHECK(lbp_is_nan(result->log_z_se));
  else CHECK_NEAR(result->log_z_se, sqrt(spread * h->populations / (h->populations - 1.0)) / sum, 1e-9);
  CHECK_NEAR(result->accept, 0.5, 1e-12);
}

/* The best of all states at the end of a rung, in any pass. */
static void check_best(const wide *m, uint32_t count, const lbp_ais_result *result) {
  double best = -lbp_infinity();
  uint32_t k, found = 0;
  for (k = 0; k < count; k++) best = fmax(best, logp_of(m, seen[k]));
  CHECK(result->best && fabs(result->best_logp - best) < 1e-9);
  CHECK_ALIKE(result->best_logp == best && logp_of(m, code_of(result->best)) == best);
  for (k = 0; k < count; k++) found += seen[k] == code_of(result->best);
  CHECK(found > 0);
}

static uint32_t populations_of(uint32_t chains) { return chains < 16 ? 1 : chains < 128 ? chains / 8 : 16; }

static uint32_t check_by_hand(const wide *m, uint32_t chains, double share, uint64_t seed) {
  const lbp_kernel kernel = still_kernel();
  lbp_ais_result result;
  lbp_run run;
  hand h;
  uint32_t pass;
  lbp_run_init(&run);
  run.check_trials = 0;
  run.tempering.adapt = 0;
  run.seed = seed;
  run.chains = chains;
  run.tempering.rungs = RUNGS;
  run.tempering.resample = share;
  run.thin = 2;
  memset(&h, 0, sizeof h);
  h.populations = populations_of(chains);
  lbp_rng_init(&h.rng, seed, UINT64_C(1) << 63);
  CHECK(lbp_ais_kernel(&run, &kernel, m, WIDE, &result) == LBP_OK);
  CHECK(asked == PASSES * RUNGS * chains && set == PASSES * (RUNGS - 1) * chains);
  for (pass = 0; pass < PASSES; pass++) {
    CHECK(follow(&h, m, &run, seen + pass * RUNGS * chains, tempered + pass * (RUNGS - 1) * chains));
  }
  check_end(&h, &run, &result);
  check_best(m, asked, &result);
  lbp_ais_free(&result);
  CHECK(!result.best);
  return h.times;
}

static void test_by_hand(void) {
  static const uint32_t chains[8] = {1, 7, 15, 16, 23, 127, 128, 300};
  static const double share[4] = {1, 0.7, 0.3, 1e-3};
  const wide soft = {1.0, 0, 0}, hard = {0.5, 3, 0}; /* of 8 chains all are impossible in every third population */
  uint32_t k, s, times[4] = {0};
  for (s = 0; s < 4; s++) {
    for (k = 0; k < 8; k++) {
      times[s] += check_by_hand(&soft, chains[k], share[s], 10 * s + k);
      if (k >= 6) check_by_hand(&hard, chains[k], share[s], 10 * s + k); /* some are possible: 1e-7 that none is */
    }
  }
  CHECK(times[0] == 54 * PASSES * (RUNGS - 1)); /* at every rung, in each of 54 populations */
  CHECK(times[0] > times[1] && times[1] > times[2] && times[2] > times[3] && times[2] > 0 && times[3] == 0);
}

/* ---- against enumeration ----------------------------------------------------------------------------------------- */

static double exact_law(const toy *t, double *law) {
  uint8_t x[TOY_MAX];
  double sum = 0;
  uint32_t code, i;
  for (code = 0; code < 1u << t->n; code++) {
    for (i = 0; i < t->n; i++) x[i] = code >> i & 1;
    sum += exp(toy_logp(t, x));
  }
  toy_law(t, law);
  return log(sum);
}

/* States at the end of the last pass, by how often they are: as chains are dropped. */
static uint32_t ended[1 << N];

static void watched_drop(void *chain) {
  ended[code_of((const uint8_t *)((lbp_unit *)chain)->x)]++;
  real.drop(chain);
}

static lbp_kernel watched_kernel(lbp_kernel kernel, uint32_t n) {
  real = kernel;
  kernel.drop = watched_drop;
  sites = n;
  memset(ended, 0, sizeof ended);
  return kernel;
}

static lbp_run plain_run(int sampler, uint32_t chains, uint32_t rungs, double share) {
  lbp_run run;
  lbp_run_init(&run);
  run.check_trials = 0;
  run.sampler = sampler;
  run.chains = chains;
  run.tempering.rungs = rungs;
  run.tempering.resample = share;
  if (sampler == LBP_SAMPLER_LBP || sampler == LBP_SAMPLER_GWG) run.parameter = 1;
  if (sampler == LBP_SAMPLER_DLP) run.parameter = 0.5;
  return run;
}

/* The mean of estimates of Z is Z, however few chains, rungs and steps there are. So is, of one population that is
 * resampled at every rung, the mean of Z times the share of chains which end in a state Z times its probability. Of
 * several the mean square of errors is the variance. */
static void check_means(lbp_kernel kernel, const toy *t, lbp_run run) {
  const uint32_t states = 1u << t->n;
  double law[1 << SMALL], sum[1 << SMALL] = {0}, squares[1 << SMALL] = {0}, z = 0, zz = 0, error = 0, ee = 0, log_z;
  uint32_t k, s, moved = 0;
  int good = 1;
  log_z = exact_law(t, law);
  for (k = 0; k < TIMES; k++) {
    const lbp_kernel it = watched_kernel(kernel, t->n);
    lbp_ais_result result;
    double w, se;
    run.seed = 100 + k;
    good &= lbp_ais_kernel(&run, &it, t, t->n, &result) == LBP_OK;
    w = exp(result.log_z - log_z);
    se = result.log_z_se * w;
    z += w / TIMES;
    zz += w * w / TIMES;
    error += se * se / TIMES;
    ee += se * se * se * se / TIMES;
    moved += result.families < run.chains;
    for (s = 0; s < states; s++) {
      const double share = w * ended[s] / run.chains;
      sum[s] += share / TIMES;
      squares[s] += share * share / TIMES;
    }
    lbp_ais_free(&result);
  }
  CHECK(good && moved > TIMES / 2);
  CHECK_NEAR(z, 1, 6.8 * sqrt((zz - z * z) / TIMES));
  if (run.chains < 16 && run.tempering.resample >= 1) {
    for (s = 0; s < states; s++) {
      CHECK_NEAR(sum[s], law[s], 6.8 * sqrt((squares[s] - sum[s] * sum[s]) / TIMES));
    }
  } else if (run.chains >= 16) { /* the variance is known to a share of 2 / TIMES, or a little more where Z has tails */
    const double variance = zz - z * z, known = sqrt((ee - error * error) / TIMES) + variance * sqrt(4.0 / TIMES);
    CHECK_NEAR(error, variance, 6.8 * known);
    CHECK(known < 0.15 * variance);
  }
}

static void test_means(void) {
  const toy t = toy_make(SMALL, 1.5, 0, 9);
  check_means(walk_kernel(), &t, plain_run(LBP_SAMPLER_LBP, 10, 4, 1));
  check_means(walk_kernel(), &t, plain_run(LBP_SAMPLER_GIBBS, 12, 3, 0.6));
  check_means(deep_kernel(), &t, plain_run(LBP_SAMPLER_GWG, 9, 4, 1));
  check_means(lattice_kernel(), &t, plain_run(LBP_SAMPLER_DLP, 8, 4, 1));
  check_means(walk_kernel(), &t, plain_run(LBP_SAMPLER_LBP, 45, 4, 1));
  check_means(deep_kernel(), &t, plain_run(LBP_SAMPLER_LBP, 24, 3, 0.8));
}

/* P(|T| > t) of Student's t with 15 degrees of freedom. */
static double student_tail(double t) {
  const double angle = atan(t / sqrt(15)), c = cos(angle);
  double term = c, sum = c;
  int k;
  for (k = 3; k < 15; k += 2) sum += term *= c * c * (k - 1) / k;
  return 1 - 2 / acos(-1.0) * (angle + sin(angle) * sum);
}

/* Errors are honest: of 16 populations, log Z is off by as many as Student's t says. By Fisher's method -2 log of the
 * probabilities adds up to chi-squared; in either tail there would be something wrong with errors. */
static void test_errors(void) {
  double sum = 0;
  uint32_t k;
  CHECK_NEAR(student_tail(2.131), 0.05, 1e-4);
  CHECK_NEAR(student_tail(4.073), 0.001, 1e-6);
  for (k = 0; k < ERRORS; k++) {
    const toy t = toy_make(N, k % 2 ? 1.5 : 0.5, 0, 40 + k);
    lbp_run run = plain_run(k % 3 ? LBP_SAMPLER_LBP : LBP_SAMPLER_GIBBS, 800, 12, k % 4 < 2 ? 1 : 0.8);
    lbp_ais_result result;
    double law[1 << N], p;
    run.seed = k;
    CHECK((k % 5 == 0 ? deep_ais : walk_ais)(&run, &t, N, &result) == LBP_OK && result.populations == 16);
    p = student_tail(fabs(result.log_z - exact_law(&t, law)) / result.log_z_se);
    sum += -2 * log(p > 1e-15 ? p : 1e-15);
    lbp_ais_free(&result);
  }
  CHECK(chi2_tail(sum, 2 * ERRORS) > CHI2_LEVEL / 2 && 1 - chi2_tail(sum, 2 * ERRORS) > CHI2_LEVEL / 2);
}

/* States at the end are of the law: they tell as much as so many independent ones as there are effective families. */
static void check_law(lbp_kernel kernel, const toy *t, lbp_run run) {
  const lbp_kernel it = watched_kernel(kernel, t->n);
  const uint32_t states = 1u << t->n;
  double law[1 << N], trials;
  lbp_ais_result result;
  uint32_t s;
  exact_law(t, law);
  CHECK(lbp_ais_kernel(&run, &it, t, t->n, &result) == LBP_OK);
  trials = result.effective_families;
  CHECK(trials > 500 && trials < 0.9 * run.chains);
  for (s = 0; s < states; s++) ended[s] = (uint32_t)(ended[s] * trials / run.chains + 0.5);
  CHECK(chi2_counts(ended, law, states, trials) > CHI2_LEVEL);
  lbp_ais_free(&result);
}

static void test_law(void) {
  const toy t = toy_make(5, 0.75, 0, 12), large = toy_make(N, 0.4, 0, 13);
  check_law(walk_kernel(), &t, plain_run(LBP_SAMPLER_LBP, CHAINS, 6, 1));
  check_law(deep_kernel(), &t, plain_run(LBP_SAMPLER_GWG, CHAINS, 6, 1));
  check_law(lattice_kernel(), &t, plain_run(LBP_SAMPLER_DLP, CHAINS, 6, 1));
  check_law(walk_kernel(), &large, plain_run(LBP_SAMPLER_LBP, CHAINS, 6, 1));
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static const uint8_t mask[N] = {0, 1, 0, 0, 1, 0, 0, 1}, given[N] = {0, 1, 0, 0, 0, 0, 0, 1};

static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  uint32_t i;
  (void)data, (void)chain;
  for (i = 0; i < n; i++) x[i] = mask[i] ? given[i] : x[i];
}

/* Clamped sites stay, in chains that are copied too, and Z is of the others. */
static void test_clamped(void) {
  const toy t = toy_make(N, 1.0, 0, 31);
  const lbp_kernel kernel = watched_kernel(walk_kernel(), N);
  lbp_run run = plain_run(LBP_SAMPLER_LBP, 800, 12, 1);
  lbp_ais_result result;
  double z = 0, best = -lbp_infinity();
  uint32_t code, i, off = 0;
  run.clamp = mask;
  run.start = begin;
  CHECK(lbp_ais_kernel(&run, &kernel, &t, N, &result) == LBP_OK && result.families < run.chains);
  for (code = 0; code < 1u << N; code++) {
    uint8_t x[N];
    int agrees = 1;
    for (i = 0; i < N; i++) {
      x[i] = code >> i & 1;
      agrees &= !mask[i] || x[i] == given[i];
    }
    off += !agrees && ended[code] > 0;
    if (agrees) z += exp(toy_logp(&t, x)), best = fmax(best, toy_logp(&t, x));
  }
  CHECK(off == 0);
  CHECK_NEAR(result.log_z, log(z), 9 * result.log_z_se); /* Student's t with 15 degrees of freedom: 1e-7 */
  CHECK(result.log_z_se > 0 && result.log_z_se < 0.05);
  CHECK(result.best_logp == best && toy_logp(&t, result.best) == best); /* found by 800 chains among 32 states */
  lbp_ais_free(&result);
}

/* The best state is that with the largest log pi, not log pi - log base, at the end of any rung, in any pass. */
static void test_best(void) {
  const toy t = toy_make(N, 0.125, 0, 17);
  uint32_t k;
  for (k = 0; k < 32; k++) { /* the best of 12 or 60 states of 256 that are almost equally likely */
    const lbp_kernel kernel = asked_kernel(k % 2 ? deep_kernel() : walk_kernel(), N);
    lbp_run run = plain_run(LBP_SAMPLER_LBP, k % 4 < 2 ? 1 : 5, RUNGS, k % 8 < 4 ? 0 : 1);
    lbp_ais_result result;
    run.seed = k;
    run.tempering.adapt = 0;
    CHECK(lbp_ais_kernel(&run, &kernel, &t, N, &result) == LBP_OK);
    CHECK(asked == PASSES * RUNGS * run.chains && result.best_logp == highest);
    CHECK_NEAR(result.best_logp, toy_logp(&t, result.best), 1e-5);
    if (run.tempering.resample == 0) {
      CHECK(result.populations == 0 && result.families == run.chains && result.effective_families == result.weights);
    }
    lbp_ais_free(&result);
  }
}

static const char *told(const lbp_ais_result *result) {
  static char text[2048];
  FILE *to = tmpfile();
  size_t size;
  if (!to) return "";
  lbp_ais_print(result, to);
  rewind(to);
  size = fread(text, 1, sizeof text - 1, to);
  text[size] = 0;
  fclose(to);
  return text;
}

static void test_told(void) {
  const wide soft = {0.3, 0, 0}, sharp = {4.0, 0, 0};
  lbp_run run = plain_run(LBP_SAMPLER_GIBBS, 400, 10, 1);
  lbp_ais_result result;
  CHECK(wide_ais(&run, &soft, WIDE, &result) == LBP_OK);
  CHECK(strncmp(told(&result), "Gibbs, n = 40, values 0 to 1\n", 29) == 0);
  CHECK(strstr(told(&result), " +- ") && strstr(told(&result), "populations: 16, families: "));
  CHECK(!strchr(told(&result), '!') && result.warnings == 0);
  lbp_ais_free(&result);
  run.tempering.rungs = 3;
  CHECK(wide_ais(&run, &sharp, WIDE, &result) == LBP_OK && result.effective_families < LBP_AIS_LEAST_FAMILIES);
  CHECK(result.warnings & LBP_WARN_AIS_FAMILIES);
  CHECK(strstr(told(&result), "! A few of the first chains are the ancestors") != NULL);
  lbp_ais_free(&result);
  run.chains = 15;
  CHECK(wide_ais(&run, &soft, WIDE, &result) == LBP_OK && result.populations == 1 && lbp_is_nan(result.log_z_se));
  CHECK(!strstr(told(&result), " +- ") && strstr(told(&result), "! One chain, or a few populations"));
  CHECK(result.families <= LBP_AIS_MOST_UNEQUAL * result.effective_families); /* few, though nearly equal */
  CHECK(result.warnings & LBP_WARN_AIS_FAMILIES);
  lbp_ais_free(&result);
  run.tempering.resample = 0;
  CHECK(wide_ais(&run, &soft, WIDE, &result) == LBP_OK && result.log_z_se > 0);
  CHECK(strstr(told(&result), " +- ") && !strstr(told(&result), "populat"));
  CHECK((result.warnings == LBP_WARN_AIS_WEIGHTS) >= (result.weights < LBP_AIS_LEAST_WEIGHTS * sqrt(run.chains)));
  lbp_ais_free(&result);
  for (run.chains = 40; run.chains < 200; run.chains += 9) { /* equal weights: none, and no rounding makes it no number */
    const wide flat = {0, 0, 0};
    CHECK(wide_ais(&run, &flat, WIDE, &result) == LBP_OK && result.log_z_se >= 0 && result.log_z_se < 1e-12);
    lbp_ais_free(&result);
  }
  run.chains = 15;
  run.check_trials = 0;
  for (run.seed = 1; run.seed < 30; run.seed++) { /* no numbers: the same is said whichever chain has one */
    const wide torn = {0.3, 0, 1};
    CHECK(wide_ais(&run, &torn, WIDE, &result) == LBP_E_DRAW_NOT_FINITE && strstr(result.message, "log Z"));
    lbp_ais_free(&result);
  }
  run.check_trials = 1;
  run.seed = 1;
  run.chains = 1; /* no error by one chain */
  CHECK(wide_ais(&run, &soft, WIDE, &result) == LBP_OK && lbp_is_nan(result.log_z_se));
  CHECK(result.warnings == (LBP_WARN_AIS_WEIGHTS | LBP_WARN_AIS_CHAINS) && !strstr(told(&result), " +- "));
  CHECK(strstr(told(&result), "! One chain, or a few populations") != NULL);
  lbp_ais_free(&result);
}

static void test_refused(void) {
  const double wrong[4] = {-0.1, 1.001, lbp_infinity(), -lbp_infinity()};
  const wide soft = {0.3, 0, 0}, broken = {0.3, 0, 4}, hopeless = {0.3, WIDE, 0};
  lbp_kernel kernel = still_kernel();
  lbp_run run = plain_run(LBP_SAMPLER_GIBBS, 400, 5, 1);
  lbp_ais_result result;
  lbp_run_result drawn;
  uint32_t k;
  for (k = 0; k < 4; k++) {
    run.tempering.resample = wrong[k];
    CHECK(wide_ais(&run, &soft, WIDE, &result) == LBP_E_RANGE);
    CHECK(strstr(result.message, "tempering.resample: 0 (never), or"));
    CHECK(!result.best && told(&result)[0] == 0);
  }
  CHECK(wide_run(&run, &soft, WIDE, &drawn) == LBP_E_RANGE);
  run.tempering.resample = 1; /* log pi that is no number is not weeded out by resampling */
  CHECK(lbp_ais_kernel(&run, &kernel, &broken, WIDE, &result) == LBP_E_DRAW_NOT_FINITE && !result.best);
  CHECK(lbp_ais_kernel(&run, &kernel, &hopeless, WIDE, &result) == LBP_E_STATE && strstr(result.message, "possible"));
  lbp_ais_free(&result);
  lbp_ais_free(&result);
}

int main(void) {
#if defined _OPENMP
  omp_set_num_threads(1); /* kernels are watched in order */
#endif
  test_by_hand();
  test_means();
  test_errors();
  test_law();
  test_clamped();
  test_best();
  test_told();
  test_refused();
  return test_report();
}
