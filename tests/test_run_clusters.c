/* Runs of cluster moves, LBP_SAMPLER_SWENDSEN_WANG and LBP_SAMPLER_WOLFF: marginals are those of the law, tempered or with
 * a clamped site, of two values and of up to four; runs that are stopped and go on are the same to the bit as in one piece;
 * runs say where impossible flips have refused clusters, and refuse models that do not tell which sites are coupled.
 * Marginals are held to 0.04, more than 6 standard errors if one in two of 12,000 draws is effective. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>
#include "web.h"
#include "../lbp_run.h"
#ifdef _OPENMP
#include <omp.h>
#endif
#include "run_resumed.h"

LBP_FN double counted_term(const web *m, uint32_t t, const uint8_t *v) {
  resume_look();
  return web_term(m, t, v);
}

#define LBP_NAME          two
#define LBP_MODEL_T       web
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          counted_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  8
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME          many
#define LBP_MODEL_T       web
#define LBP_CAT_STATES    WEB_VALUES
#define LBP_CAT_STATES_OF web_values
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          counted_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  8
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME           alone
#define LBP_MODEL_T        web
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS 16
#define LBP_LOGP           web_logp
#include "../lbp_run.h"

/* A ring of equals. */
typedef struct {
  uint32_t n;
  double J;
} ring;

LBP_FN uint32_t ring_sites(const ring *m, uint32_t t, uint32_t *out) {
  out[0] = t;
  out[1] = (t + 1) % m->n;
  return 2;
}

#define LBP_NAME          round
#define LBP_MODEL_T       ring
#define LBP_TERM_COUNT(m) (m)->n
#define LBP_TERM_SITES    ring_sites
#define LBP_TERM(m, t, v) ((v)[0] == (v)[1] ? (m)->J : 0.0)
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  2
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME          round_many
#define LBP_MODEL_T       ring
#define LBP_CAT_STATES    3
#define LBP_TERM_COUNT(m) (m)->n
#define LBP_TERM_SITES    ring_sites
#define LBP_TERM(m, t, v) ((v)[0] == (v)[1] ? (m)->J : 0.0)
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  2
#include "../lbp_run.h"

/* The uniform law of a ring, whose couplings and fields are 0, but for what is NaN. */
enum { SICK_NONE, SICK_COUPLING, SICK_FIELD, SICK_UNLIKE, SICK_KINDS }; /* unlike: values of all tables */
typedef struct {
  uint32_t n;
  int kind;
} sick;

LBP_FN uint32_t sick_neighbours(const sick *m, uint32_t i, uint32_t *out) {
  out[0] = (i + 1) % m->n;
  out[1] = (i + m->n - 1) % m->n;
  return 2;
}
LBP_FN double sick_part(int is_sick) { return is_sick ? lbp_infinity() - lbp_infinity() : 0; }
LBP_FN double sick_coupling(const sick *m, uint32_t i, uint32_t j) { return sick_part(m->kind == SICK_COUPLING && i + j == 1); }
LBP_FN uint32_t sick_pairs(const sick *m, uint32_t i, uint32_t *site, double *J) {
  uint32_t k;
  sick_neighbours(m, i, site);
  for (k = 0; k < 2; k++) J[k] = sick_coupling(m, i, site[k]);
  return 2;
}
/* Of one pair of values alone, which is the same from both sites. */
LBP_FN double sick_pair(const sick *m, uint32_t i, uint32_t k, uint32_t v, uint32_t w) {
  uint32_t site[2];
  sick_neighbours(m, i, site);
  if (m->kind == SICK_UNLIKE) return sick_part(v != w);
  return v + w == 3 ? sick_coupling(m, i, site[k]) : 0;
}
LBP_FN double sick_field(const sick *m, uint32_t i) { return sick_part(m->kind == SICK_FIELD && i == 2); }
LBP_FN void sick_fields(const sick *m, uint32_t i, double *out) { out[0] = out[1] = 0, out[2] = sick_field(m, i); }
LBP_FN void sick_deltas(double *out) { out[0] = out[1] = out[2] = 0; }

#define LBP_NAME             sick_two
#define LBP_MODEL_T          sick
#define LBP_DELTA(m, x, i)   0.0
#define LBP_LOGP(m, x)       0.0
#define LBP_NEIGHBOURS       sick_neighbours
#define LBP_MAX_NEIGHBOURS   2
#define LBP_PAIRS            sick_pairs
#define LBP_FIELD            sick_field
#include "../lbp_run.h"

#define LBP_NAME                        sick_many
#define LBP_MODEL_T                     sick
#define LBP_CAT_STATES                  3
#define LBP_CAT_DELTAS_OF(m, x, i, out) sick_deltas(out)
#define LBP_LOGP(m, x)                  0.0
#define LBP_NEIGHBOURS                  sick_neighbours
#define LBP_MAX_NEIGHBOURS              2
#define LBP_CAT_PAIRS                   sick_neighbours
#define LBP_CAT_PAIR                    sick_pair
#define LBP_CAT_FIELD                   sick_fields
#include "../lbp_run.h"

static const int samplers[2] = {LBP_SAMPLER_SWENDSEN_WANG, LBP_SAMPLER_WOLFF};

static void zeros(const void *data, uint32_t chain, uint8_t *x, uint32_t n) { (void)data, (void)chain, memset(x, 0, n); }

static void options(lbp_run *run, int sampler) {
  lbp_run_init(run);
  run->sampler = sampler;
  run->seed = 2027;
  run->chains = 3;
  run->warmup = 200;
  run->draws = 4000;
  run->start = zeros;
}

/* pi(x_i = v) given what `mask` holds at 0; returns how many numbers there are of a site. */
static uint32_t law_of(const web *m, const uint8_t *mask, uint32_t values, double *want) {
  uint8_t x[WEB_SITES];
  uint32_t code, i;
  double sum = 0;
  memset(want, 0, WEB_SITES * WEB_VALUES * sizeof *want);
  for (code = 0; web_state(m, code, x); code++) {
    double p = exp(web_logp(m, x));
    for (i = 0; mask && i < m->n; i++) p = mask[i] && x[i] ? 0 : p;
    sum += p;
    for (i = 0; i < m->n; i++) {
      if (values > 2) want[i * values + x[i]] += p;
      else want[i] += x[i] ? p : 0;
    }
  }
  for (i = 0; i < WEB_SITES * WEB_VALUES; i++) want[i] /= sum;
  return values > 2 ? values : 1;
}

static void check_marginals(const lbp_kernel *kernel, const web *m, uint32_t values, int sampler, uint32_t rungs,
                            const uint8_t *mask) {
  double want[WEB_SITES * WEB_VALUES];
  const uint32_t each = law_of(m, mask, values, want);
  uint32_t i;
  lbp_run run;
  lbp_run_result result;
  options(&run, sampler);
  run.tempering.rungs = rungs;
  run.clamp = mask;
  run.marginals = LBP_MARGINALS_COUNTED;
  CHECK(lbp_run_kernel(&run, kernel, m, m->n, &result) == LBP_OK);
  if (result.status != LBP_OK) printf("%s\n", result.message);
  for (i = 0; result.status == LBP_OK && i < m->n * each; i++) CHECK_NEAR(result.marginal[i], want[i], 0.04);
  CHECK(result.jump > 0);
  lbp_run_free(&result);
}

static void test_marginals(void) {
  static const uint8_t mask[WEB_SITES] = {0, 0, 1};
  const lbp_kernel of_two = two_kernel(), of_many = many_kernel();
  static web m;
  int k;
  for (k = 0; k < 2; k++) {
    web_make(&m, 6, 2, 8, 2, 0, 31);
    check_marginals(&of_two, &m, 2, samplers[k], 1, NULL);
    check_marginals(&of_two, &m, 2, samplers[k], 3, mask);
    web_make(&m, 6, 2, 6, 3, 0, 32);
    check_marginals(&of_two, &m, 2, samplers[k], 1, NULL);
    web_make(&m, 4, WEB_VALUES, 6, 2, 0, 33);
    check_marginals(&of_many, &m, WEB_VALUES, samplers[k], 1, NULL);
    check_marginals(&of_many, &m, WEB_VALUES, samplers[k], 3, mask);
  }
}

static void test_resumed(void) {
  static web m;
  int k;
  for (k = 0; k < 2; k++) {
    lbp_run run;
    options(&run, samplers[k]);
    run.draws = 300;
    run.save_states = LBP_STATES_CSV;
    run.tempering.rungs = k == 0 ? 1 : 3;
    web_make(&m, 6, 2, 8, 2 + (uint32_t)k, 0, 41);
    check_resumed(lbp_run_kernel, two_kernel(), &m, 6, run, k == 0 ? "Swendsen-Wang" : "Wolff, tempered");
    run.tempering.rungs = k == 0 ? 3 : 1;
    web_make(&m, 5, WEB_VALUES, 6, 2 + (uint32_t)k, 0, 42);
    check_resumed(lbp_run_kernel, many_kernel(), &m, 5, run, k == 0 ? "Swendsen-Wang, values, tempered" : "Wolff, values");
  }
}

static void test_refused(void) {
  static web m;
  lbp_run run;
  lbp_run_result result;
  int k;
  web_make(&m, 6, 2, 8, 2, 0, 51);
  for (k = 0; k < 2; k++) {
    options(&run, samplers[k]);
    CHECK(alone_run(&run, &m, 6, &result) != LBP_OK);
    CHECK(strstr(result.message, "define LBP_TERM, LBP_PAIRS or LBP_CAT_PAIRS"));
    lbp_run_free(&result);
    options(&run, samplers[k]);
    run.parameter = 2;
    CHECK(two_run(&run, &m, 6, &result) != LBP_OK);
    lbp_run_free(&result);
  }
  options(&run, LBP_SAMPLER_DEFAULT);
  {
    const lbp_kernel kernel = two_kernel();
    char why[LBP_OPTION_TEXT];
    CHECK(lbp_run_set(&run, &kernel, "sampler", "swendsen_wang", why) == LBP_OK && run.sampler == samplers[0]);
    CHECK(lbp_run_set(&run, &kernel, "sampler", "wolff", why) == LBP_OK && run.sampler == samplers[1]);
  }
}

/* Where a flip of several is impossible runs say so: clusters may not lead to all states then. */
static void test_blocked(void) {
  static web m;
  lbp_run run;
  lbp_run_result result;
  int k;
  for (k = 0; k < 4; k++) {
    web_make(&m, 6, 2, 6, 3, k / 2, 32);
    options(&run, samplers[k % 2]);
    CHECK(two_run(&run, &m, 6, &result) == LBP_OK && result.blocked == k / 2);
    lbp_run_free(&result);
    web_make(&m, 6, 3, 6, 3, k / 2, 32);
    CHECK(many_run(&run, &m, 6, &result) == LBP_OK && result.blocked == k / 2);
    lbp_run_free(&result);
  }
}

/* Wolff's clusters that are all single sites, or all sites, leave an even number of steps with half of the states, and
 * all chains with the same half where they begin alike, so that R-hat can't see it. */
static void test_parity(void) {
  static const uint8_t mask[8] = {0, 0, 0, 0, 0, 0, 1, 1};
  static const lbp_run_column ones = {"ones", lbp_run_ones, NULL, 0};
  static const struct {
    uint32_t n;
    double J;
    int clamps, half;
  } row[] = {{5, 0, 0, 1}, {5, 12, 0, 1}, {5, 0.7, 0, 0}, {400, 12, 0, 1}, {400, 1, 0, 0}, {8, 0, 1, 1}, {8, 12, 1, 0}};
  uint32_t k, thin;
  for (k = 0; k < sizeof row / sizeof *row; k++) {
    for (thin = 9; thin < 11; thin++) {
      const ring m = {row[k].n, row[k].J};
      lbp_run run;
      lbp_run_result result;
      options(&run, LBP_SAMPLER_WOLFF);
      run.draws = 2000;
      run.thin = thin;
      run.columns = 1;
      run.column = &ones;
      run.clamp = row[k].clamps ? mask : NULL;
      CHECK(round_run(&run, &m, m.n, &result) == LBP_OK);
      CHECK(!(result.warnings & LBP_WARN_PARITY) == !(row[k].half && thin % 2 == 0));
      if (!row[k].clamps && !(result.warnings & LBP_WARN_PARITY)) CHECK_NEAR(result.row[1].mean, 0.5, 0.05);
      lbp_run_free(&result);
    }
  }
  { /* sites of three values turn to any of the others */
    const ring m = {5, 0};
    lbp_run run;
    lbp_run_result result;
    options(&run, LBP_SAMPLER_WOLFF);
    run.thin = 10;
    CHECK(round_many_run(&run, &m, m.n, &result) == LBP_OK && result.jump == 1 && !(result.warnings & LBP_WARN_PARITY));
    lbp_run_free(&result);
  }
}

/* A coupling or field that is NaN keeps its clusters where they are: runs say so, without the check at their start. */
static void test_sick(void) {
  sick m = {8, SICK_NONE};
  int k;
  for (; m.kind < SICK_KINDS; m.kind++) {
    for (k = 0; k < 4; k++) {
      lbp_run run;
      lbp_run_result result;
      options(&run, samplers[k / 2]);
      run.check_trials = 0;
      (k % 2 ? sick_many_run : sick_two_run)(&run, &m, m.n, &result);
      CHECK(result.status == (m.kind == SICK_NONE || (m.kind == SICK_UNLIKE && k % 2 == 0) ? LBP_OK : LBP_E_DELTA_NAN));
      CHECK(m.kind != SICK_FIELD || strstr(result.message, "item 2"));
      lbp_run_free(&result);
    }
  }
}

int main(void) {
  if (!make_folder()) return 1;
  test_sick();
  test_parity();
  test_marginals();
  test_resumed();
  test_refused();
  test_blocked();
  rmdir(folder);
  return test_report();
}
