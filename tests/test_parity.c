/* Whether chains reach all states. On flat laws, which accept everything, a tuner's R grows as far as it may, and were
 * that an even number for good, half of the states would never be seen: counts of all states of chains with 1 to 6
 * sites, some clamped, at once or only when R is frozen, some of one value, and of runs with tuners of their own and
 * shared ones; chi-squared at level 1e-8, 97 tests of all but independent draws: a false alarm of the suite has
 * probability 1e-6. And LBP_WARN_PARITY: given by just those runs, of all R, that miss states. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <string.h>

#include "../lbp.h"
#include "chi2.h"

enum { PARITY_MOST = 6, PARITY_STATES = 729, PARITY_WARMUP = 2000, PARITY_DRAWS = 8000, PARITY_THIN = 25 };
#ifdef API_QUICK
enum { PARITY_LARGEST = 3 };
#else
enum { PARITY_LARGEST = 4 };
#endif

/* Independent sites. */
typedef struct {
  uint32_t n;
  uint8_t held[PARITY_MOST]; /* not 0: clamped, or of one value */
  uint32_t group;            /* site i is in group i / `group`; 0: there are none */
  uint32_t values;           /* of the first site, where it is categorical; the others have two */
  double tilt;               /* 0: the law is flat; else later sites prefer to be ones more than earlier ones do */
} flat_sites;

static double flat_odds(const flat_sites *m, uint32_t i) { return m->tilt * (i + 1); }
static double flat_delta(const flat_sites *m, const uint8_t *x, uint32_t i) {
  return x[i] ? -flat_odds(m, i) : flat_odds(m, i);
}
static double flat_logp(const flat_sites *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += x[i] ? flat_odds(m, i) : 0;
  return sum;
}
static void flat_deltas(const flat_sites *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = flat_delta(m, x, i);
}
static void flat_values(const flat_sites *m, const uint8_t *x, uint32_t i, double *out) {
  uint32_t v;
  for (v = 0; v < 3; v++) out[v] = (v > 0 ? flat_odds(m, i) : 0) - (x[i] > 0 ? flat_odds(m, i) : 0);
}
static uint32_t flat_neighbours(const flat_sites *m, uint32_t i, uint32_t *out) {
  return (void)m, (void)i, (void)out, 0;
}
static uint32_t flat_values_of(const flat_sites *m, uint32_t i) { return m->held[i] ? 1 : i > 0 ? 2 : m->values; }

#define LBP_NAME           all_free
#define LBP_MODEL_T        flat_sites
#define LBP_DELTA          flat_delta
#define LBP_NEIGHBOURS     flat_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           flat_logp
#define LBP_PATH
#include "../lbp_run.h"

#define LBP_NAME           clamped
#define LBP_MODEL_T        flat_sites
#define LBP_DELTA          flat_delta
#define LBP_NEIGHBOURS     flat_neighbours
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           flat_logp
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME    dense
#define LBP_MODEL_T flat_sites
#define LBP_DELTAS  flat_deltas
#define LBP_LOGP    flat_logp
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME           valued
#define LBP_MODEL_T        flat_sites
#define LBP_CAT_STATES     3
#define LBP_CAT_STATES_OF  flat_values_of
#define LBP_CAT_DELTAS_OF  flat_values
#define LBP_NEIGHBOURS     flat_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           flat_logp
#include "../lbp_run.h"

#define LBP_NAME           grouped
#define LBP_MODEL_T        flat_sites
#define LBP_DELTA          flat_delta
#define LBP_NEIGHBOURS     flat_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           flat_logp
#define LBP_GROUP(m, i)    ((i) / (m)->group)
#define LBP_GROUPS         3
#include "../lbp_run.h"

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* All states that sites which are not held can have, as often as each other. */
static void parity_judge(const uint32_t *seen, const flat_sites *s, const char *what) {
  double law[PARITY_STATES], states = 0, draws = 0, p;
  uint32_t code, i;
  for (code = 0; code < PARITY_STATES; code++) {
    uint32_t rest = code;
    law[code] = 1;
    for (i = 0; i < PARITY_MOST; i++, rest /= 3) {
      if (rest % 3 >= (i < s->n ? flat_values_of(s, i) : 1)) law[code] = 0;
    }
    states += law[code];
    draws += seen[code];
  }
  for (code = 0; code < PARITY_STATES; code++) law[code] /= states;
  p = chi2_counts(seen, law, PARITY_STATES, draws);
  if (!(p > CHI2_LEVEL)) fprintf(stderr, "%s: %.0f states of %u sites are not all alike\n", what, states, (unsigned)s->n);
  CHECK(p > CHI2_LEVEL);
}

static void parity_count(uint32_t *seen, const uint8_t *x, uint32_t n) {
  uint32_t code = 0, i;
  for (i = n; i-- > 0;) code = 3 * code + x[i];
  seen[code]++;
}

/* ---- tuners ------------------------------------------------------------------------------------------------------ */

enum { PARITY_WORDS = 4096 };
static uint64_t ws[PARITY_WORDS];

/* Steps of a loop of one's own. */
#define PARITY_STEPS(NAME, STEP, TARGET, CLAMP, LATER)                                                  \
  do {                                                                                                  \
    uint8_t x[PARITY_MOST] = {0};                                                                       \
    uint32_t seen[PARITY_STATES] = {0}, k;                                                              \
    int bounds = 1;                                                                                     \
    NAME##_chain c;                                                                                     \
    NAME##_tuner t;                                                                                     \
    lbp_rng rng;                                                                                        \
    memset(&c, 0, sizeof c);                                                                            \
    lbp_rng_init(&rng, 7, s->n);                                                                        \
    CHECK(NAME##_ws_len(s->n) <= PARITY_WORDS && NAME##_init(&c, s->n, x, ws, PARITY_WORDS) == LBP_OK); \
    CHECK(NAME##_tuner_init(&t, s->n, PARITY_WARMUP, TARGET) == LBP_OK);                                \
    CLAMP;                                                                                              \
    for (k = 0; k < PARITY_WARMUP; k++) {                                                               \
      STEP(&c, s, &t, &rng);                                                                            \
      bounds &= t.r >= 1 && t.r <= t.largest;                                                           \
    }                                                                                                   \
    CHECK(bounds);                                                                                      \
    LATER;                                                                                              \
    for (k = 0; k < PARITY_DRAWS * PARITY_THIN; k++) {                                                  \
      STEP(&c, s, &t, &rng);                                                                            \
      if (k % PARITY_THIN == 0) parity_count(seen, x, s->n);                                            \
    }                                                                                                   \
    parity_judge(seen, s, #STEP);                                                                       \
  } while (0)

#define PARITY_ALL(NAME, CLAMP, LATER)                                  \
  do {                                                                  \
    PARITY_STEPS(NAME, NAME##_albp_step, LBP_TARGET_LBP, CLAMP, LATER); \
    PARITY_STEPS(NAME, NAME##_agwg_step, LBP_TARGET_LBP, CLAMP, LATER); \
    PARITY_STEPS(NAME, NAME##_arwm_step, LBP_TARGET_RWM, CLAMP, LATER); \
  } while (0)

/* Clamps sites that are held, which begin as zeros; states are then counted as those of the others. */
#define PARITY_CLAMP(NAME) \
  memset(x, 0, sizeof x);  \
  CHECK(NAME##_clamp(&c, s->held) == LBP_OK)

static void check_free(const flat_sites *s) { PARITY_ALL(all_free, (void)0, (void)0); }

static void check_held(const flat_sites *s) {
  PARITY_ALL(clamped, PARITY_CLAMP(clamped), (void)0);
  PARITY_ALL(dense, PARITY_CLAMP(dense), (void)0);
  PARITY_ALL(clamped, (void)0, PARITY_CLAMP(clamped));
  PARITY_ALL(dense, (void)0, PARITY_CLAMP(dense));
  PARITY_ALL(valued, (void)0, (void)0);
}

/* Swaps in three groups of two, of which one is clamped when R is frozen at 5/2. */
static void check_held_group(void) {
  const flat_sites s = {6, {0}, 2, 2, 0};
  const uint8_t held[PARITY_MOST] = {1, 1};
  const double law[4] = {0.25, 0.25, 0.25, 0.25};
  uint8_t x[PARITY_MOST] = {1, 0, 1, 0, 1, 0};
  uint32_t seen[4] = {0}, k;
  grouped_chain c;
  grouped_tuner t;
  lbp_rng rng;
  lbp_rng_init(&rng, 7, 0);
  CHECK(grouped_ws_len(s.n) <= PARITY_WORDS && grouped_init(&c, s.n, x, ws, PARITY_WORDS) == LBP_OK);
  CHECK(grouped_tuner_init(&t, s.n, PARITY_WARMUP, LBP_TARGET_LBP) == LBP_OK);
  for (k = 0; k < PARITY_WARMUP; k++) grouped_aswap_step(&c, &s, &t, &rng);
  CHECK_NEAR(t.r, 2.5, 0.02);
  CHECK(grouped_clamp(&c, held) == LBP_OK);
  for (k = 0; k < PARITY_DRAWS * PARITY_THIN; k++) {
    grouped_aswap_step(&c, &s, &t, &rng);
    if (k % PARITY_THIN == 0) seen[2 * x[2] + x[4]]++;
  }
  CHECK(chi2_counts(seen, law, 4, PARITY_DRAWS) > CHI2_LEVEL);
}

/* Runs take a tuner that has learned where all six sites can move, as that of a file: swaps in groups of two, and three
 * sites of two values among six. */
static void check_told(void) {
  const flat_sites swaps = {6, {0}, 2, 2, 0}, sites = {6, {0, 1, 1, 0, 1, 0}, 0, 2, 0};
  uint32_t k, i, draw;
  for (k = 0; k < 2; k++) {
    const lbp_kernel kernel = k ? grouped_kernel() : valued_kernel();
    const flat_sites *s = k ? &swaps : &sites;
    double words[16] = {5.5, 5.5}, law[8];
    uint32_t seen[8] = {0};
    lbp_chains c;
    lbp_plan plan;
    uint8_t *x;
    CHECK(lbp_plan_init(&plan, &kernel, k ? LBP_SAMPLER_SWAP : LBP_SAMPLER_LBP, 6, 0) == LBP_OK);
    plan.warmup = 0;
    CHECK(lbp_chains_init(&c, &kernel, s, &plan, 0, 1, 0) == LBP_OK && lbp_chains_make(&c, 0, 5) == LBP_OK);
    x = (uint8_t *)lbp_chains_unit(&c, 0)->x;
    for (i = 0; i < 6; i++) x[i] = k && i % 2 == 0;
    kernel.touch(lbp_chains_unit(&c, 0));
    CHECK(kernel.tuner_words(&plan) <= 16);
    kernel.tuner_load(lbp_chains_tuner(&c, 0), words);
    for (draw = 0; draw < PARITY_DRAWS; draw++) {
      lbp_chains_steps(&c, PARITY_THIN, 0, 0);
      seen[k ? x[0] + 2 * x[2] + 4 * x[4] : x[0] + 2 * x[3] + 4 * x[5]]++;
    }
    for (i = 0; i < 8; i++) law[i] = 0.125;
    CHECK(chi2_counts(seen, law, 8, PARITY_DRAWS) > CHI2_LEVEL);
    lbp_chains_free(&c);
  }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t n, seen[PARITY_STATES];
} parity_counts;

static void parity_take(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  parity_counts *to = (parity_counts *)data;
  (void)chain, (void)draw, (void)values;
  parity_count(to->seen, x, to->n);
}

/* All zeros; where there are groups of two, `data`, the first of each is a one. */
static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  uint32_t i;
  (void)chain;
  for (i = 0; i < n; i++) x[i] = data && i % 2 == 0;
}

static lbp_run parity_run(parity_counts *to, uint32_t n) {
  lbp_run run;
  memset(to, 0, sizeof *to);
  to->n = n;
  lbp_run_init(&run);
  run.chains = 1;
  run.start = begin;
  run.warmup = PARITY_WARMUP;
  run.draws = PARITY_DRAWS / 4;
  run.thin = PARITY_THIN;
  run.save_states = LBP_STATES_PASSED;
  run.on_draw = parity_take;
  run.on_draw_data = to;
  return run;
}

typedef int runner(const lbp_run *run, const flat_sites *m, uint32_t n, lbp_run_result *result);

/* The R that chains of one tuner have, as a loop of one's own reads it, or keeps it for chains in which more can move: no
 * larger than what can move in them, where all is accepted. */
static void check_shared(const lbp_kernel *kernel, int sampler, const flat_sites *s, const uint8_t *clamp,
                         uint32_t mobile) {
  enum { CHAINS = 3 };
  double accept[CHAINS], setting[LBP_SETTINGS];
  unsigned char feedback[CHAINS * 2 * sizeof(double)];
  lbp_chains c;
  lbp_plan plan;
  uint32_t k, step;
  int beyond = 0;
  CHECK(lbp_plan_init(&plan, kernel, sampler, s->n, 0) == LBP_OK && lbp_plan_clamp(&plan, clamp) == LBP_OK);
  plan.warmup = PARITY_WARMUP;
  CHECK(lbp_chains_init(&c, kernel, s, &plan, 0, CHAINS, 1) == LBP_OK && c.feedback_bytes <= 2 * sizeof(double));
  for (k = 0; k < CHAINS; k++) {
    CHECK(lbp_chains_make(&c, k, 5) == LBP_OK);
    begin(s->group ? s : NULL, k, (uint8_t *)lbp_chains_unit(&c, k)->x, s->n);
    kernel->touch(lbp_chains_unit(&c, k));
  }
  for (step = 1; step <= PARITY_WARMUP && !beyond; step++) {
    lbp_chains_step_apart(&c, accept, feedback, 0);
    lbp_chains_learn(&c, accept, feedback, CHAINS);
    kernel->tuner_setting(lbp_chains_tuner(&c, 0), setting);
    beyond = setting[0] > mobile - 0.5 + 1e-5;
    if (beyond) fprintf(stderr, "R %g after step %u, where %u can move\n", setting[0], (unsigned)step, (unsigned)mobile);
  }
  CHECK(!beyond);
  CHECK_NEAR(setting[0], mobile - 0.5, 0.02);
  lbp_chains_free(&c);
}

static void check_all_shared(const flat_sites *s) {
  const flat_sites pairs = {6, {0}, 2, 2, 0};
  const lbp_kernel local = clamped_kernel(), model = dense_kernel(), values = valued_kernel(), groups = grouped_kernel();
  uint32_t mobile = 0, i;
  for (i = 0; i < s->n; i++) mobile += !s->held[i];
  check_shared(&local, LBP_SAMPLER_LBP, s, s->held, mobile);
  check_shared(&local, LBP_SAMPLER_RWM, s, s->held, mobile);
  check_shared(&model, LBP_SAMPLER_LBP, s, s->held, mobile);
  check_shared(&values, LBP_SAMPLER_LBP, s, NULL, mobile);
  check_shared(&values, LBP_SAMPLER_RWM, s, NULL, mobile);
  check_shared(&groups, LBP_SAMPLER_SWAP, &pairs, NULL, 3);
}

/* R is all sites that can move, less 1/2; one is just flipped. */
static void check_tuned(runner *go, const flat_sites *s, int clamp, const char *what) {
  uint32_t i, mobile = 0, k;
  for (i = 0; i < s->n; i++) mobile += !s->held[i];
  for (k = 0; k < 4; k++) {
    parity_counts to;
    lbp_run run = parity_run(&to, s->n);
    lbp_run_result result;
    run.sampler = k % 2 ? LBP_SAMPLER_RWM : LBP_SAMPLER_LBP;
    run.draws = PARITY_DRAWS;
    run.shared_tuner = k / 2 != 0;
    run.chains = run.shared_tuner ? 3 : 1;
    run.clamp = clamp ? s->held : NULL;
    CHECK(go(&run, s, s->n, &result) == LBP_OK);
    CHECK_NEAR(result.parameter, mobile > 1 ? mobile - 0.5 : 1, 0.02);
    CHECK(!(result.warnings & LBP_WARN_PARITY));
    parity_judge(to.seen, s, what);
    lbp_run_free(&result);
  }
}

/* How many different states a run draws: counted in `seen`, to which it takes them. */
static uint32_t parity_states(runner *go, const flat_sites *s, const lbp_run *run, uint32_t *seen, unsigned *warnings) {
  lbp_run_result result;
  uint32_t code, states = 0;
  CHECK(go(run, s, s->n, &result) == LBP_OK);
  *warnings = result.warnings;
  lbp_run_free(&result);
  for (code = 0; code < PARITY_STATES; code++) states += seen[code] > 0;
  return states;
}

/* The warning against what is drawn: for R = 0, tuned or a default, and all whole and half R up to R_most, and an odd and
 * an even thin. The sampler `sure`, a sweep that leads everywhere, tells how many states there are. */
static void check_warnings(runner *go, const flat_sites *s, int sampler, int R_most, int sure, const char *what) {
  parity_counts to;
  lbp_run run = parity_run(&to, s->n);
  uint32_t states, got;
  unsigned warnings;
  int twice, thin;
  run.start_data = s->group ? s : NULL;
  run.sampler = sure;
  run.thin = 3;
  states = parity_states(go, s, &run, to.seen, &warnings);
  CHECK(!(warnings & LBP_WARN_PARITY) && states > 1);
  for (thin = 3; thin < 5; thin++) {
    for (twice = 0; twice <= 2 * R_most; twice++) {
      if (twice == 1) continue;
      run = parity_run(&to, s->n);
      run.start_data = s->group ? s : NULL;
      run.sampler = sampler;
      run.parameter = 0.5 * twice;
      run.warmup = 400;
      run.thin = (uint32_t)thin;
      got = parity_states(go, s, &run, to.seen, &warnings);
      if ((got < states) != ((warnings & LBP_WARN_PARITY) != 0)) {
        fprintf(stderr, "%s: R %g, thin %d, tilt %g: %u of %u states, warnings %u\n", what, run.parameter, thin, s->tilt,
                (unsigned)got, (unsigned)states, warnings);
      }
      CHECK((got < states) == ((warnings & LBP_WARN_PARITY) != 0));
    }
  }
}

static void check_all_warnings(void) {
  const double tilt[2] = {0, 0.25};
  uint32_t k, n;
  for (k = 0; k < 2; k++) {
    for (n = 1; n <= PARITY_LARGEST; n++) {
      flat_sites s = {n, {0}, 0, 2, tilt[k]};
      const int most = (int)n;
      check_warnings(all_free_run, &s, LBP_SAMPLER_LBP, most, LBP_SAMPLER_GIBBS, "LBP");
      check_warnings(all_free_run, &s, LBP_SAMPLER_RWM, most, LBP_SAMPLER_GIBBS, "RWM");
      check_warnings(all_free_run, &s, LBP_SAMPLER_GWG, most, LBP_SAMPLER_GIBBS, "GWG");
      check_warnings(all_free_run, &s, LBP_SAMPLER_PATH, most + 2, LBP_SAMPLER_GIBBS, "path");
      check_warnings(valued_run, &s, LBP_SAMPLER_LBP, most, LBP_SAMPLER_GIBBS, "LBP, two values");
      s.values = 3;
      check_warnings(valued_run, &s, LBP_SAMPLER_LBP, most, LBP_SAMPLER_GIBBS, "LBP, three values of the first");
      check_warnings(valued_run, &s, LBP_SAMPLER_RWM, most, LBP_SAMPLER_GIBBS, "RWM, three values of the first");
      s.group = 2;
      if (n < 2) continue;
      check_warnings(grouped_run, &s, LBP_SAMPLER_SWAP, most, LBP_SAMPLER_SWAP_SWEEP, "swaps in groups of two");
      check_warnings(grouped_run, &s, LBP_SAMPLER_SWAP_PATH, most / 2, LBP_SAMPLER_SWAP_SWEEP, "a path of swaps");
      check_warnings(grouped_run, &s, LBP_SAMPLER_KAWASAKI, 0, LBP_SAMPLER_SWAP_SWEEP, "Kawasaki");
    }
    for (n = 4; n <= PARITY_MOST; n++) { /* larger groups, where all swaps at once may turn halves round */
      flat_sites s = {n, {0}, 3, 2, tilt[k]};
      for (s.group = 3; s.group <= n; s.group++) {
        check_warnings(grouped_run, &s, LBP_SAMPLER_SWAP, (int)n / 2 + 1, LBP_SAMPLER_SWAP_SWEEP, "swaps in larger groups");
      }
    }
    for (n = 3; n <= 4; n++) { /* R beyond all sites that can move, which are the first two */
      const flat_sites s = {n, {0, 0, 1, 1}, 0, 2, tilt[k]}, one = {n, {1, 0, 1, 1}, 0, 2, tilt[k]};
      check_warnings(valued_run, &s, LBP_SAMPLER_LBP, (int)n, LBP_SAMPLER_GIBBS, "LBP, some sites of one value");
      check_warnings(valued_run, &s, LBP_SAMPLER_RWM, (int)n, LBP_SAMPLER_GIBBS, "RWM, some sites of one value");
      check_warnings(valued_run, &one, LBP_SAMPLER_LBP, (int)n, LBP_SAMPLER_GIBBS, "LBP, one site of two values");
    }
  }
}

int main(void) {
  const flat_sites some[] = {{6, {0, 1, 0, 0, 1, 0}, 0, 2, 0}, {6, {0, 1, 1, 0, 1, 0}, 0, 2, 0},
                             {6, {1, 0, 0, 1, 1, 1}, 0, 2, 0}, {6, {0}, 0, 2, 0}};
  uint32_t k;
  for (k = 1; k <= PARITY_MOST; k++) {
    const flat_sites s = {k, {0}, 0, 2, 0};
    check_free(&s);
  }
  for (k = 0; k < sizeof some / sizeof *some; k++) {
    check_held(&some[k]);
    check_all_shared(&some[k]);
    check_tuned(clamped_run, &some[k], 1, "a run with clamped sites");
    check_tuned(valued_run, &some[k], 0, "a run with sites of one value");
  }
  check_held_group();
  check_told();
  check_all_warnings();
  return test_report();
}
