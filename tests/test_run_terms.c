/* Runs of models that are sums of terms (LBP_TERM): the run makes the index that its chains share. Draws, log Z and
 * best states are those of the same model by LBP_DELTA, to the bit; marginals of categorical sites are those of the
 * law, within 0.04, more than 6.5 standard errors if one in two of the 12,000 draws is effective. Faults of terms are
 * reported in a sentence that names the term. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "web.h"
#include "test.h"
#include "../lbp_run.h"

#define LBP_NAME          terms
#define LBP_MODEL_T       web
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          web_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  8
#define LBP_UNIT(m)       (m)->unit
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

#define LBP_NAME           ratios
#define LBP_MODEL_T        web
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS 16
#define LBP_LOGP           web_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../lbp_run.h"

enum { KEPT = 4 };

#define LBP_NAME          fixed
#define LBP_MODEL_T       web
#define LBP_CAT_STATES    WEB_VALUES
#define LBP_CAT_STATES_OF web_values
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          web_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  8
#define LBP_N             4
#include "../lbp_run.h"

static void options(lbp_run *run, int sampler) {
  lbp_run_init(run);
  run->sampler = sampler;
  run->seed = 2026;
  run->chains = 3;
  run->warmup = 200;
  run->draws = 300;
  run->check_trials = 5;
}

static void zeros(const void *data, uint32_t chain, uint8_t *x, uint32_t n) { (void)data, (void)chain, memset(x, 0, n); }

static int same_rows(const lbp_run_result *a, const lbp_run_result *b) {
  return a->row[0].mean == b->row[0].mean && a->row[0].sd == b->row[0].sd && a->evaluations == b->evaluations &&
         a->accept == b->accept && a->best_logp[0] == b->best_logp[0] && memcmp(a->best, b->best, 6) == 0;
}

static void test_alike(void) {
  static const int samplers[] = {LBP_SAMPLER_LBP,        LBP_SAMPLER_GIBBS, LBP_SAMPLER_METROPOLIS,
                                 LBP_SAMPLER_SKIP_GIBBS, LBP_SAMPLER_CLOCK, LBP_SAMPLER_PATH};
  static const uint8_t mask[6] = {0, 1};
  static web m;
  uint32_t k;
  for (k = 0; k < sizeof samplers / sizeof samplers[0]; k++) {
    lbp_run run;
    lbp_run_result a, b;
    web_make(&m, 6, 2, 8, 3, k % 2 == 0, 40 + k);
    options(&run, samplers[k]);
    run.start = zeros;
    run.tempering.rungs = k % 3 == 0 ? 3 : 1;
    run.clamp = k == 3 ? mask : NULL;
    CHECK(terms_run(&run, &m, 6, &a) == LBP_OK && ratios_run(&run, &m, 6, &b) == LBP_OK);
    CHECK_ALIKE(same_rows(&a, &b));
    lbp_run_free(&a);
    lbp_run_free(&b);
  }
}

static void test_log_z(void) {
  static web m;
  lbp_run run;
  lbp_ais_result a, b;
  lbp_run_result c, d;
  web_make(&m, 6, 2, 8, 3, 1, 50);
  options(&run, LBP_SAMPLER_DEFAULT);
  run.chains = 16;
  run.tempering.rungs = 20;
  run.start = zeros;
  CHECK(terms_ais(&run, &m, 6, &a) == LBP_OK && ratios_ais(&run, &m, 6, &b) == LBP_OK);
  CHECK_ALIKE(a.log_z == b.log_z);
  lbp_ais_free(&a);
  lbp_ais_free(&b);
  options(&run, LBP_SAMPLER_DEFAULT);
  run.annealing.sweeps = 50;
  run.start = zeros;
  CHECK(terms_anneal(&run, &m, 6, &c) == LBP_OK && ratios_anneal(&run, &m, 6, &d) == LBP_OK);
  CHECK_ALIKE(c.best_logp[0] == d.best_logp[0] && memcmp(c.best, d.best, 6) == 0);
  lbp_run_free(&c);
  lbp_run_free(&d);
}

/* Marginals of categorical sites, n fixed. */
static void test_marginals(void) {
  static web m;
  double want[KEPT][WEB_VALUES], sum = 0;
  lbp_run_result result;
  lbp_run run;
  uint8_t x[WEB_SITES];
  uint32_t code, i;
  web_make(&m, KEPT, WEB_VALUES, 8, 3, 0, 60);
  memset(want, 0, sizeof want);
  for (code = 0; web_state(&m, code, x); code++) {
    const double p = exp(web_logp(&m, x));
    sum += p;
    for (i = 0; i < KEPT; i++) want[i][x[i]] += p;
  }
  options(&run, LBP_SAMPLER_GIBBS);
  run.draws = 4000;
  run.marginals = LBP_MARGINALS_COUNTED;
  CHECK(fixed_run(&run, &m, KEPT, &result) == LBP_OK);
  for (i = 0; i < KEPT * WEB_VALUES; i++) {
    const double p = want[i / WEB_VALUES][i % WEB_VALUES] / sum;
    CHECK_NEAR(result.marginal[i], p, 0.04);
  }
  lbp_run_free(&result);
}

/* The sentence of a run that fails. */
static void refuse(web *m, int status, const char *sentence) {
  lbp_run run;
  lbp_run_result result;
  options(&run, LBP_SAMPLER_GIBBS);
  CHECK(terms_run(&run, m, m->n, &result) == status);
  if (!strstr(result.message, sentence)) printf("%s\n", result.message);
  CHECK(strstr(result.message, sentence));
  lbp_run_free(&result);
}

static void make(web *m) {
  web_make(m, 6, 2, 8, 3, 0, 70);
  m->arity[2] = 2, m->site[2][0] = 4, m->site[2][1] = 1;
}

static void test_sentences(void) {
  static web m;
  uint32_t t;
  make(&m), m.site[2][1] = 17;
  refuse(&m, LBP_E_TERM_SITES, "term 2: LBP_TERM_SITES names site 17, but there are 6 sites");
  make(&m), m.site[2][1] = 4;
  refuse(&m, LBP_E_TERM_TWICE, "term 2: LBP_TERM_SITES names site 4 twice");
  make(&m), m.arity[2] = 5;
  refuse(&m, LBP_E_TERM_MAX, "term 2 has 5 sites; LBP_TERM_MAX is 3");
  make(&m), m.terms = 12;
  for (t = 0; t < 12; t++) m.arity[t] = 1, m.site[t][0] = 5;
  refuse(&m, LBP_E_TERMS_OF_MAX, "site 5 is in 12 terms; LBP_TERMS_OF_MAX is 8");
  make(&m), m.table[2][5] = NAN;
  refuse(&m, LBP_E_TERM_NAN, "LBP_TERM of term 2 is NaN");
  make(&m), m.own[3][1] = WEB_INFINITY;
  refuse(&m, LBP_E_TERM_NAN, "LBP_SITE_TERM of site 3 is +infinity");
  make(&m), m.unit = 0.75;
  refuse(&m, LBP_E_UNIT, "LBP_UNIT is 0.75, and site ");
}

int main(void) {
  test_alike();
  test_log_z();
  test_marginals();
  test_sentences();
  return test_report();
}
