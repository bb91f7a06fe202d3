/* Runs of lanes, LBP_SAMPLER_LANES. Draws of all numbers of chains and of ladders have the law, state by state;
 * columns, states, marginals and log pi are of the same draw; the number of threads does not matter; runs that are
 * stopped and go on, also in their warm-up, are the same to the bit as in one piece; best states are those that reads
 * have met; options that lanes lack are refused in a sentence. Draws of a chain are 10 sweeps apart, after which 8
 * sites are as good as independent: about 20 chi-squared tests at level 1e-8. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>
#include "chi2.h"
#include "../lbp_run.h"
#ifdef _OPENMP
#include <omp.h>
#endif
#include "run_resumed.h"

#define SITES 8
enum { STATES = 256, EDGES = 14 };

/* Spins, and edges a - b with whole couplings. */
typedef struct {
  uint32_t a[EDGES], b[EDGES];
  double J[EDGES], h[SITES], unit;
} spins;

LBP_FN uint32_t spins_pairs(const spins *m, uint32_t i, uint32_t *site, double *J) {
  uint32_t t, count = 0;
  for (t = 0; t < EDGES; t++) {
    if (m->a[t] != i && m->b[t] != i) continue;
    site[count] = m->a[t] + m->b[t] - i;
    J[count++] = m->J[t] * m->unit;
  }
  return count;
}
LBP_FN uint32_t spins_neighbours(const spins *m, uint32_t i, uint32_t *out) {
  double J[EDGES];
  return spins_pairs(m, i, out, J);
}
LBP_FN double spins_field(const spins *m, uint32_t i) { return m->h[i] * m->unit; }
LBP_FN double spins_logp(const spins *m, const uint8_t *x) {
  double sum = 3;
  uint32_t i, t;
  resume_look();
  for (t = 0; t < EDGES; t++) sum += m->unit * (x[m->a[t]] == x[m->b[t]] ? m->J[t] : -m->J[t]);
  for (i = 0; i < SITES; i++) sum += m->unit * (x[i] ? m->h[i] : -m->h[i]);
  return sum;
}
LBP_FN double spins_delta(const spins *m, const uint8_t *x, uint32_t i) {
  double sum = m->h[i];
  uint32_t t;
  for (t = 0; t < EDGES; t++) {
    if (m->a[t] == i || m->b[t] == i) sum += x[m->a[t] + m->b[t] - i] ? m->J[t] : -m->J[t];
  }
  return (x[i] ? -2 : 2) * sum * m->unit;
}

#define LBP_NAME           wide
#define LBP_MODEL_T        spins
#define LBP_DELTA          spins_delta
#define LBP_NEIGHBOURS     spins_neighbours
#define LBP_MAX_NEIGHBOURS EDGES
#define LBP_LOGP           spins_logp
#define LBP_PAIRS          spins_pairs
#define LBP_FIELD          spins_field
#define LBP_UNIT(m)        (m)->unit
#define LBP_LANES          256
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME           narrow
#define LBP_MODEL_T        spins
#define LBP_DELTA          spins_delta
#define LBP_NEIGHBOURS     spins_neighbours
#define LBP_MAX_NEIGHBOURS EDGES
#define LBP_LOGP           spins_logp
#define LBP_PAIRS          spins_pairs
#define LBP_FIELD          spins_field
#define LBP_UNIT(m)        (m)->unit
#define LBP_LANES          64
#define LBP_N              SITES
#include "../lbp_run.h"

#define LBP_NAME           other
#define LBP_MODEL_T        spins
#define LBP_DELTA          spins_delta
#define LBP_NEIGHBOURS     spins_neighbours
#define LBP_MAX_NEIGHBOURS EDGES
#define LBP_LOGP           spins_logp
#include "../lbp_run.h"

static spins model;

static void make_model(void) {
  lbp_rng rng;
  uint32_t k;
  lbp_rng_init(&rng, 63, 0);
  for (k = 0; k < EDGES; k++) {
    model.a[k] = k % SITES;
    model.b[k] = (k + 1 + k / SITES * 2) % SITES;
    model.J[k] = (double)lbp_mulhi(lbp_rng_u64(&rng), 5) - 2;
  }
  for (k = 0; k < SITES; k++) model.h[k] = (double)lbp_mulhi(lbp_rng_u64(&rng), 3) - 1;
  model.unit = 0.15;
}

static void state_of(uint32_t s, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < SITES; i++) x[i] = (uint8_t)(s >> i & 1);
}

static void law_at(double beta, const uint8_t *mask, double *law) {
  uint8_t x[SITES];
  double sum = 0;
  uint32_t s, i;
  for (s = 0; s < STATES; s++) {
    state_of(s, x);
    law[s] = exp(beta * spins_logp(&model, x));
    for (i = 0; mask && i < SITES; i++) law[s] *= !mask[i] || x[i];
    sum += law[s];
  }
  for (s = 0; s < STATES; s++) law[s] /= sum;
}

/* What draws were: of each state how many; and whether log pi and columns are of the state. */
typedef struct {
  uint32_t seen[STATES];
  double ones, least;
  int wrong;
} tally;

static void take(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  tally *t = (tally *)data;
  uint32_t i, s = 0, ones = 0;
  (void)chain, (void)draw;
  for (i = 0; i < SITES; i++) s |= (uint32_t)x[i] << i, ones += x[i];
  t->seen[s]++;
  t->wrong |= fabs(values[LBP_DRAW_LOGP] - spins_logp(&model, x)) > 1e-12;
  t->wrong |= fabs(values[LBP_DRAW_VALUES] - ones / (double)SITES) > 1e-12;
  t->wrong |= values[LBP_DRAW_ACCEPT] != 1 || values[LBP_DRAW_EVALUATIONS] != 10.0 * SITES;
  t->wrong |= values[LBP_DRAW_JUMP] > SITES;
}

static void take_logp(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  (void)chain, (void)draw;
  ((tally *)data)->wrong |= fabs(values[LBP_DRAW_LOGP] - spins_logp(&model, x)) > 1e-12;
}

static void options(lbp_run *run, uint32_t chains) {
  static const lbp_run_column column = {"ones", lbp_run_ones, NULL, 0};
  lbp_run_init(run);
  run->sampler = LBP_SAMPLER_LANES;
  run->seed = 2031;
  run->chains = chains;
  run->warmup = 60;
  run->thin = 10;
  run->draws = 1 + (chains < 60 ? 2000 : 20000) / chains;
  run->column = &column;
  run->columns = 1;
}

static void check_law(const lbp_kernel *kernel, uint32_t chains, uint32_t rungs, const double *ladder,
                      const uint8_t *mask, void (*start)(const void *, uint32_t, uint8_t *, uint32_t)) {
  static tally t;
  double law[STATES], mean = 0;
  uint32_t s;
  lbp_run run;
  lbp_run_result result;
  memset(&t, 0, sizeof t);
  options(&run, chains);
  run.save_states = LBP_STATES_PASSED;
  run.on_draw = take;
  run.on_draw_data = &t;
  run.tempering.rungs = rungs;
  run.tempering.ladder = ladder;
  run.tempering.swap_every = rungs > 1;
  run.tempering.adapt = 0;
  run.clamp = mask;
  run.start = start;
  run.marginals = LBP_MARGINALS_COUNTED;
  CHECK(lbp_run_kernel(&run, kernel, &model, SITES, &result) == LBP_OK);
  if (result.status != LBP_OK) printf("%s\n", result.message);
  if (result.status != LBP_OK) return;
  law_at(ladder ? ladder[0] : 1, mask, law);
  CHECK(chi2_counts(t.seen, law, STATES, (double)run.draws * chains) > 1e-8);
  CHECK(!t.wrong);
  for (s = 0; s < STATES; s++) mean += s & 1 ? t.seen[s] / ((double)run.draws * chains) : 0;
  CHECK_NEAR(result.marginal[0], mean, 1e-12);
  CHECK(((result.warnings & LBP_WARN_FEW_LANES) != 0) == (chains * rungs < 16));
  CHECK(result.row[1].rhat_status != LBP_OK || result.row[1].rhat < 1.02);
  CHECK(result.row[1].ess_bulk > 800 && result.jump > 1 && result.evaluations == SITES);
  if (rungs > 1 && result.ladder[rungs - 1] <= 0) {
    double z = 0;
    uint8_t x[SITES];
    for (s = 0; s < STATES; s++) {
      state_of(s, x);
      if (law[s] > 0) z += exp(result.ladder[0] * spins_logp(&model, x));
    }
    CHECK_NEAR(result.log_z, log(z), 6 * result.log_z_se + 1e-9);
    CHECK(result.log_z_se < 0.05 && result.swaps[0] > 0.5);
  }
  lbp_run_free(&result);
}

static void ones_start(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 1, n);
}

/* Best states at swaps are looked at before replicas exchange, draws after: each has its own x. */
static void test_swapped(void) {
  static tally t;
  lbp_run run;
  lbp_run_result result;
  memset(&t, 0, sizeof t);
  options(&run, 60);
  run.warmup = 0;
  run.thin = 1;
  run.draws = 6;
  run.save_states = LBP_STATES_PASSED;
  run.on_draw = take_logp;
  run.on_draw_data = &t;
  run.tempering.rungs = 4;
  CHECK(wide_run(&run, &model, SITES, &result) == LBP_OK && !t.wrong);
  lbp_run_free(&result);
}

static void test_laws(void) {
  static const uint32_t chains[] = {1, 15, 16, 63, 64, 65, 255, 256, 257, 600};
  static const double four[] = {1.3, 0.8, 0.3, 0}, cold = 1.6;
  static const uint8_t mask[SITES] = {0, 0, 1, 0, 0, 1};
  const lbp_kernel wide = wide_kernel(), narrow = narrow_kernel();
  uint32_t k;
  for (k = 0; k < sizeof chains / sizeof chains[0]; k++) {
    check_law(k % 3 ? &wide : &narrow, chains[k], 1, NULL, NULL, NULL);
  }
  check_law(&wide, 20, 1, &cold, NULL, NULL);
  check_law(&wide, 20, 1, NULL, mask, ones_start);
  check_law(&wide, 3, 4, NULL, NULL, NULL);
  check_law(&wide, 70, 4, four, NULL, NULL); /* 64 ladders in the first word, 6 in the next */
  check_law(&wide, 90, 3, NULL, mask, ones_start); /* 85 in the first one, a lane of which is left over */
}

/* All that a run gives, in two numbers. */
static double result_sum(const lbp_run *given, double *best) {
  const lbp_kernel kernel = wide_kernel();
  lbp_run run = *given;
  lbp_run_result result;
  double sum = 0;
  uint32_t k;
  CHECK(lbp_run_kernel(&run, &kernel, &model, SITES, &result) == LBP_OK);
  for (k = 0; result.status == LBP_OK && k < result.rows; k++) sum += result.row[k].mean + 3 * result.row[k].sd;
  *best = result.status == LBP_OK ? result.best_logp[0] : 0;
  lbp_run_free(&result);
  return sum;
}

static void test_threads(void) {
#ifdef _OPENMP
  const int most = omp_get_max_threads();
  double sum[2], best[2];
  lbp_run run;
  uint32_t k, rungs;
  for (rungs = 1; rungs <= 5; rungs += 4) {
    options(&run, 600);
    run.tempering.rungs = rungs;
    run.draws = 20;
    for (k = 0; k < 2; k++) {
      omp_set_num_threads(k ? 4 : 1);
      sum[k] = result_sum(&run, &best[k]);
    }
    CHECK(sum[0] == sum[1] && best[0] == best[1]);
  }
  omp_set_num_threads(most);
#endif
}

/* ---- runs that are stopped and go on ----------------------------------------------------------------------------- */

static uint64_t draws_left;
static void stop_soon(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  (void)data, (void)chain, (void)draw, (void)values, (void)x;
  if (draws_left > 0 && --draws_left == 0) asked = 1;
}

static void check_goes_on(driver drive, lbp_run run, uint32_t calls, const char *what) {
  const lbp_kernel kernel = wide_kernel();
  const char *differs;
  char text[200], whole_prefix[200], part_prefix[200], checkpoint[200];
  lbp_run_result whole, part;
  uint32_t stops = 0;
  long asks_begin = 0; /* evaluations of a call that takes a step: of these, one a chain come after it */
  snprintf(whole_prefix, sizeof whole_prefix, "%s", in_folder("whole"));
  snprintf(part_prefix, sizeof part_prefix, "%s", in_folder("part"));
  snprintf(checkpoint, sizeof checkpoint, "%s", in_folder("part.ckpt"));
  run.digits = 17;
  run.prefix = whole_prefix;
  run.on_draw = stop_soon;
  run.stop = &asked;
  asked = 0, draws_left = 0, asks_left = -1;
  CHECK(drive(&run, &kernel, &model, SITES, &whole) == LBP_OK);
  run.prefix = part_prefix;
  run.checkpoint = checkpoint;
  for (;;) {
    asked = stops < 3; /* after the first step; then after some draws, or looks at the best state */
    draws_left = 7 * run.chains / 2;
    asks_left = drive == lbp_anneal_kernel ? asks_begin - (long)run.chains + 7 : -1;
    asks_made = 0;
    CHECK(drive(&run, &kernel, &model, SITES, &part) == LBP_OK);
    if (part.status != LBP_OK) printf("%s\n", part.message);
    if (stops < 3) asks_begin = asks_made;
    if (part.status != LBP_OK || part.ended != LBP_END_STOPPED || ++stops > 1000) break; /* a step each, on slow machines */
    lbp_run_free(&part);
  }
  asks_left = -1, draws_left = 0;
  differs = result_differs(&kernel, SITES, 2, &whole, &part);
  if (!differs && drive == lbp_run_kernel &&
      !same_draws(whole_prefix, part_prefix, run.chains, run.save_states == LBP_STATES_NPY)) {
    differs = "draws on disk";
  }
  snprintf(text, sizeof text, "%s, stopped %u times: %s differs", what, (unsigned)stops, differs ? differs : "nothing");
  test_count(!differs && stops >= calls, __FILE__, __LINE__, text);
  lbp_run_free(&whole);
  lbp_run_free(&part);
  remove(checkpoint);
  remove_all(whole_prefix, run.chains);
  remove_all(part_prefix, run.chains);
}

/* What drivers ask of a whole group at once: one temperature, which chains have when they settle, and log pi of all, of
 * which nothing is known where a chain has left its lane. */
static void test_groups(void) {
  enum { COUNT = 70 };
  const lbp_kernel kernel = wide_kernel();
  double logp[COUNT], sums[SITES];
  lbp_chains c;
  lbp_plan plan;
  uint32_t k, i, wrong = 0;
  CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_LANES, SITES, 0) == LBP_OK);
  CHECK(lbp_chains_init(&c, &kernel, &model, &plan, 0, COUNT, 0) == LBP_OK);
  CHECK(lbp_chains_together(&c, COUNT, COUNT) == LBP_OK);
  for (k = 0; k < COUNT; k++) CHECK(lbp_chains_make(&c, k, 63) == LBP_OK);
  CHECK(lbp_chains_join(&c) == LBP_OK);
  CHECK(!kernel.logps(lbp_chains_unit(&c, 0), logp));
  kernel.temper_group(lbp_chains_unit(&c, 0), 0.3);
  lbp_chains_steps(&c, 5, 0, 0);
  CHECK(kernel.logps(lbp_chains_unit(&c, 0), logp));
  for (k = 0; k < COUNT; k++) {
    const uint8_t *x = (const uint8_t *)lbp_chains_settled(&c, k)->x;
    wrong += fabs(logp[k] - spins_logp(&model, x)) > 1e-9;
    memset(sums, 0, sizeof sums);
    kernel.conditionals(lbp_chains_unit(&c, k), &model, sums);
    for (i = 0; i < SITES; i++) {
      const double d = 0.3 * spins_delta(&model, x, i), flips = 1 / (1 + exp(-d));
      wrong += fabs(sums[i] - (x[i] ? 1 - flips : flips)) > 1e-9;
    }
  }
  CHECK(wrong == 0);
  kernel.touch(lbp_chains_unit(&c, 3));
  CHECK(!kernel.logps(lbp_chains_unit(&c, 0), logp));
  lbp_chains_free(&c);
}

/* Chains whose model has changed, and that are joined again: they keep their states and temperatures, also where the
 * model is refused at first, and draw from the new law. */
static void test_joined_again(void) {
  enum { COUNT = 70, DRAWS = 200 };
  const lbp_kernel kernel = wide_kernel();
  double logp[COUNT], sums[SITES], mean = 0, square = 0, want = 0, z = 0;
  spins changing = model;
  uint8_t x[SITES];
  lbp_chains c;
  lbp_plan plan;
  uint32_t k, s, wrong = 0;
  CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_LANES, SITES, 0) == LBP_OK);
  CHECK(lbp_chains_init(&c, &kernel, &changing, &plan, 0, COUNT, 0) == LBP_OK);
  CHECK(lbp_chains_together(&c, COUNT, 40) == LBP_OK);
  for (k = 0; k < COUNT; k++) CHECK(lbp_chains_make(&c, k, 64) == LBP_OK);
  CHECK(lbp_chains_join(&c) == LBP_OK);
  for (k = 0; k < COUNT; k += 40) kernel.temper_group(lbp_chains_unit(&c, k), 0.3);
  lbp_chains_steps(&c, 5, 0, 0);
  for (k = 0; k < COUNT; k += 40) CHECK(kernel.logps(lbp_chains_unit(&c, k), logp + k));
  kernel.conditionals(lbp_chains_settled(&c, 7), &changing, sums);
  for (k = 0; k < EDGES; k++) changing.J[k] = -model.J[k];
  changing.J[3] += 0.1;
  CHECK(lbp_chains_join(&c) == LBP_E_UNIT);
  for (k = 0; k < COUNT; k++) {
    wrong += fabs(logp[k] - spins_logp(&model, (const uint8_t *)lbp_chains_settled(&c, k)->x)) > 1e-9;
  }
  changing.J[3] = -model.J[3];
  CHECK(lbp_chains_join(&c) == LBP_OK);
  memset(sums, 0, sizeof sums);
  kernel.conditionals(lbp_chains_settled(&c, 7), &changing, sums);
  for (k = 0; k < SITES; k++) {
    const uint8_t *now = (const uint8_t *)lbp_chains_unit(&c, 7)->x;
    wrong += fabs(sums[k] - 1 / (1 + exp((now[k] ? 0.3 : -0.3) * spins_delta(&changing, now, k)))) > 1e-9;
  }
  for (k = 0; k < COUNT; k++) {
    const uint8_t *now = (const uint8_t *)lbp_chains_settled(&c, k)->x;
    wrong += fabs(logp[k] - spins_logp(&model, now)) > 1e-9;
    wrong += fabs(kernel.logp(lbp_chains_unit(&c, k), &changing) - spins_logp(&changing, now)) > 1e-9;
  }
  CHECK(wrong == 0);
  for (s = 0; s < STATES; s++) {
    state_of(s, x);
    z += exp(0.3 * spins_logp(&changing, x));
    want += exp(0.3 * spins_logp(&changing, x)) * spins_logp(&changing, x);
  }
  lbp_chains_steps(&c, 50, 0, 0);
  memset(logp, 0, sizeof logp);
  for (s = 0; s < DRAWS; s++) {
    lbp_chains_steps(&c, 1, 0, 0);
    for (k = 0; k < COUNT; k++) logp[k] += spins_logp(&changing, (const uint8_t *)lbp_chains_settled(&c, k)->x) / DRAWS;
  }
  for (k = 0; k < COUNT; k++) { /* chains are independent, so their means tell the error */
    mean += logp[k] / COUNT;
    square += logp[k] * logp[k] / COUNT;
  }
  CHECK_NEAR(mean, want / z, 5 * sqrt((square - mean * mean) / COUNT));
  lbp_chains_free(&c);
}

/* A run's checkpoint is refused where lanes are of another width, or sites are sorted elsewhere: draws would be others. */
static void test_other_build(void) {
  const char *const checkpoint = in_folder("width.ckpt");
  lbp_kernel kernel = wide_kernel();
  lbp_run_result result;
  lbp_run run;
  options(&run, 12);
  run.batch = 12;
  run.warmup = 10;
  run.draws = 10;
  run.checkpoint = checkpoint;
  CHECK(lbp_run_kernel(&run, &kernel, &model, SITES, &result) == LBP_OK);
  lbp_run_free(&result);
  run.draws = 20;
  kernel = narrow_kernel();
  CHECK(lbp_run_kernel(&run, &kernel, &model, SITES, &result) == LBP_E_FORMAT);
  CHECK(strstr(result.message, "its LBP_LANES differs") != NULL);
  lbp_run_free(&result);
  kernel = wide_kernel();
  kernel.sort_above++;
  CHECK(lbp_run_kernel(&run, &kernel, &model, SITES, &result) == LBP_E_FORMAT);
  CHECK(strstr(result.message, "its LBP_SORT_ABOVE differs") != NULL);
  lbp_run_free(&result);
  kernel.sort_above--;
  CHECK(lbp_run_kernel(&run, &kernel, &model, SITES, &result) == LBP_OK && result.resumed);
  lbp_run_free(&result);
  remove(checkpoint);
}

static void test_resumed(void) {
  lbp_run run;
  (void)check_resumed, (void)first_site;
  options(&run, 14);
  run.batch = 6; /* three words */
  run.warmup = 500;
  run.draws = 100;
  run.save_states = LBP_STATES_CSV;
  run.marginals = LBP_MARGINALS_CONDITIONAL;
  check_goes_on(lbp_run_kernel, run, 6, "lanes");
  options(&run, 11);
  run.batch = 20; /* five ladders in a word */
  run.warmup = 400;
  run.draws = 100;
  run.save_states = LBP_STATES_NPY;
  run.tempering.rungs = 4;
  run.tempering.swap_every = 2;
  check_goes_on(lbp_run_kernel, run, 6, "lanes, tempered");
  options(&run, 13);
  run.batch = 6;
  run.annealing.sweeps = 5000;
  run.columns = 0;
  check_goes_on(lbp_anneal_kernel, run, 4, "lanes, annealed");
}

/* ---- annealing --------------------------------------------------------------------------------------------------- */

static uint32_t best_of_all;
static void best_start(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain, (void)n;
  state_of(best_of_all, x);
}

static void test_anneal(void) {
  double most = -1e300;
  uint8_t x[SITES];
  uint32_t s, k, found = 0;
  lbp_run run;
  lbp_run_result result;
  for (s = 0; s < STATES; s++) {
    state_of(s, x);
    if (spins_logp(&model, x) > most) most = spins_logp(&model, x), best_of_all = s;
  }
  options(&run, 100);
  run.annealing.sweeps = 40;
  CHECK(wide_anneal(&run, &model, SITES, &result) == LBP_OK);
  if (result.status != LBP_OK) printf("%s\n", result.message);
  if (result.status != LBP_OK) return;
  for (k = 0; k < 100; k++) {
    CHECK_NEAR(result.best_logp[k], spins_logp(&model, result.best + k * SITES), 1e-12);
    CHECK_NEAR(result.last_logp[k], spins_logp(&model, result.last + k * SITES), 1e-12);
    CHECK(result.best_logp[k] <= most + 1e-12);
    found += result.best_logp[k] > most - 1e-9;
  }
  CHECK(found > 80 && (result.warnings & LBP_WARN_FEW_LANES) == 0);
  lbp_run_free(&result);
  /* of one sweep: either where it began, or where it ended */
  run.annealing.sweeps = 1;
  run.start = ones_start;
  CHECK(wide_anneal(&run, &model, SITES, &result) == LBP_OK);
  for (k = 0, found = 0; result.status == LBP_OK && k < 100; k++) {
    memset(x, 1, SITES);
    found += memcmp(result.best + k * SITES, x, SITES) != 0;
    CHECK(result.best_logp[k] >= spins_logp(&model, x) - 1e-12);
  }
  for (s = 0, k = 0; result.status == LBP_OK && s < 100; s++) k += result.last_logp[s] > spins_logp(&model, x) + 1e-9;
  CHECK(found == k);
  lbp_run_free(&result);
  /* and where it began, if all else is worse */
  run.annealing.sweeps = 5;
  run.annealing.hot = run.annealing.cold = 0.01;
  run.start = best_start;
  CHECK(wide_anneal(&run, &model, SITES, &result) == LBP_OK);
  for (k = 0; result.status == LBP_OK && k < 100; k++) CHECK_NEAR(result.best_logp[k], most, 1e-12);
  lbp_run_free(&result);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void refuse(lbp_run *run, int (*drive)(const lbp_run *, const spins *, uint32_t, lbp_run_result *), int status,
                   const char *says) {
  lbp_run_result result;
  CHECK(drive(run, &model, SITES, &result) == status);
  if (!strstr(result.message, says)) printf("%s\n", result.message);
  CHECK(strstr(result.message, says) != NULL);
  lbp_run_free(&result);
}

static void test_refused(void) {
  lbp_ais_result ais;
  lbp_run run;
  options(&run, 20);
  refuse(&run, other_run, LBP_E_RANGE, "define LBP_LANES, LBP_UNIT");
  model.J[3] += 0.1;
  refuse(&run, wide_run, LBP_E_UNIT, "LBP_UNIT is 0.1499");
  run.check_trials = 0;
  refuse(&run, wide_run, LBP_E_UNIT, "the coupling of sites");
  model.J[3] -= 0.1;
  model.h[2] += 0.1;
  refuse(&run, wide_run, LBP_E_UNIT, "the field of site 2 is");
  refuse(&run, wide_anneal, LBP_E_UNIT, "LBP_SAMPLER_METROPOLIS");
  model.h[2] = 512.25;
  refuse(&run, wide_run, LBP_E_PLANES, "add up to");
  model.h[2] = 1;
  run.batch = 1;
  refuse(&run, wide_run, LBP_E_RANGE, "batch: lanes take 0 (LBP_LANES) or 2 to 256");
  run.batch = 65;
  refuse(&run, narrow_run, LBP_E_RANGE, "or 2 to 64");
  run.batch = 30;
  run.tempering.rungs = 31;
  refuse(&run, wide_run, LBP_E_RANGE, "a ladder is in one word");
  run.tempering.rungs = 2;
  run.tempering.swap_parts = 1;
  refuse(&run, wide_run, LBP_E_RANGE, "parts of a state can't be taken out of the words that lanes hold");
  run.tempering.swap_parts = 0;
  run.batch = 0;
  run.tempering.rungs = 1;
  run.parameter = 3;
  refuse(&run, wide_run, LBP_E_RANGE, "lanes has none");
  run.parameter = 0;
  CHECK(wide_ais(&run, &model, SITES, &ais) == LBP_E_RANGE && strstr(ais.message, "lanes"));
  lbp_ais_free(&ais);
}

int main(void) {
  if (!make_folder()) return 1;
#ifdef _OPENMP
  omp_set_num_threads(1); /* kills.sh has more */
#endif
  make_model();
  test_laws();
  test_swapped();
  test_threads();
  test_groups();
  test_joined_again();
  test_other_build();
  test_resumed();
  test_anneal();
  test_refused();
  rmdir(folder);
  return test_report();
}
