/* Cluster moves, lbp/options/clusters.h: the steps of Swendsen and Wang and of Wolff, by enumeration, one of them and
 * four from states that have the law: a ring with fields, grids of couplings of both signs, tables of pairs of up to
 * four values, terms of three sites, impossible values, sites that differ in their number of values, clamped sites,
 * tempered models with and without a base; couplings that are stated wrong, which change nothing; and one that is
 * stated from one side alone, which does. About 400 tests at level 1e-8: a false alarm has probability 4e-6. */
#include "../lbp_models.h"
#include "../lbp/models/potts.h"
#include "web.h"
#include "chi2.h"

#ifdef API_QUICK
#define CLUSTER_TRIALS 6000u
enum { CLUSTER_MODELS = 3 };
#else
#define CLUSTER_TRIALS 50000u
enum { CLUSTER_MODELS = 10 };
#endif
enum { CLUSTER_SITES = 9, CLUSTER_STATES = 4096 };

static uint64_t cluster_jumps;

/* ---- by terms ---------------------------------------------------------------------------------------------------- */

LBP_FN double web_no_base(const web *m, const uint8_t *x) { return (void)m, (void)x, 0.0; }

#define LBP_NAME          two
#define LBP_MODEL_T       web
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_CLUSTERS
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          web_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  WEB_TERMS
#include "../lbp.h"

#define CASE          two
#define CASE_MODEL    web
#define CASE_STATE    web_state
#define CASE_CODE     web_code
#define CASE_LOGP     web_logp
#define CASE_BASE     web_no_base
#define CASE_SITES(m) (m)->n
#define CASE_TERMS
#include "cases/clusters_case.h"

#define LBP_NAME          many
#define LBP_MODEL_T       web
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_CLUSTERS
#define LBP_CAT_STATES    WEB_VALUES
#define LBP_CAT_STATES_OF web_values
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          web_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  WEB_TERMS
#include "../lbp.h"

#define CASE          many
#define CASE_MODEL    web
#define CASE_STATE    web_state
#define CASE_CODE     web_code
#define CASE_LOGP     web_logp
#define CASE_BASE     web_no_base
#define CASE_SITES(m) (m)->n
#define CASE_TERMS
#include "cases/clusters_case.h"

static void test_terms(void) {
  static const double betas[3] = {1, 0.5, 2};
  static const uint8_t mask[WEB_SITES] = {0, 1, 0, 0, 1};
  static web m;
  uint64_t seed;
  for (seed = 0; seed < CLUSTER_MODELS; seed++) {
    const double beta = betas[seed % 3];
    const uint8_t *clamp = seed % 2 ? mask : NULL;
    web_make(&m, 6, 2, 9, 2, 0, seed);
    two_keep_law(&m, beta, clamp, seed);
    web_make(&m, 6, 2, 9, 2, 1, seed);
    two_keep_law(&m, beta, clamp, seed);
    web_make(&m, 5, 2, 6, 3, (int)(seed % 2), seed);
    two_keep_law(&m, beta, clamp, seed);
    web_make(&m, 5, WEB_VALUES, 8, 2, 0, seed);
    many_keep_law(&m, beta, clamp, seed);
    web_make(&m, 5, WEB_VALUES, 8, 2, 1, seed);
    many_keep_law(&m, beta, clamp, seed);
    web_make(&m, 5, WEB_VALUES, 6, 3, (int)(seed % 2), seed);
    many_keep_law(&m, beta, clamp, seed);
  }
  CHECK(cluster_jumps > 1000);
}

/* Two coupled sites, of which the second can't be 1 while the first is 0, since a term of three sites says so: on the way
 * there and back only one of the orders in which they flip is possible. */
static void test_orders(void) {
  static web m;
  uint32_t v, k;
  web_make(&m, 3, 2, 0, 2, 0, 7);
  m.terms = 2;
  m.arity[0] = 2, m.site[0][0] = 0, m.site[0][1] = 1;
  m.arity[1] = 3, m.site[1][0] = 0, m.site[1][1] = 1, m.site[1][2] = 2;
  for (v = 0; v < 4; v++) m.table[0][v / 2 * WEB_VALUES + v % 2] = v == 0 || v == 3 ? 1 : -1;
  for (k = 0; k < 2; k++) m.table[1][WEB_VALUES + k] = -WEB_INFINITY;
  two_keep_law(&m, 1, NULL, 1);
}

/* Two sites that are coupled by each of three terms. */
static void test_named_twice(void) {
  static web m;
  uint32_t t, v;
  web_make(&m, 3, 2, 0, 2, 0, 8);
  for (m.terms = 3, t = 0; t < 3; t++) {
    m.arity[t] = 2, m.site[t][0] = t / 2, m.site[t][1] = 1 - t / 2;
    for (v = 0; v < 4; v++) m.table[t][v / 2 * WEB_VALUES + v % 2] = v == 0 || v == 3 ? 0.5 : -0.5;
  }
  two_keep_law(&m, 1, NULL, 1);
}

/* Colourings of a ring: neighbours may not have the same value, or may not have another; with fields. All of a step's
 * bonds are certain then. */
static void test_certain_bonds(void) {
  static web m;
  uint64_t seed;
  uint32_t v, w, t;
  for (seed = 0; seed < 3; seed++) {
    web_make(&m, 5, WEB_VALUES, 5, 2, 0, seed);
    m.terms = 0;
    for (t = 0; t < 5; t++) {
      m.K[t] = seed == 2 && t == 3 ? 3 : WEB_VALUES;
      m.arity[m.terms++] = 2;
      m.site[t][0] = t, m.site[t][1] = (t + 1) % 5;
      for (v = 0; v < WEB_VALUES; v++) {
        for (w = 0; w < WEB_VALUES; w++) {
          m.table[t][v * WEB_VALUES + w] *= 3;
          if ((v == w) == (seed != 1)) m.table[t][v * WEB_VALUES + w] = -WEB_INFINITY;
        }
      }
    }
    cluster_jumps = 0;
    many_keep_law(&m, 1, NULL, seed);
    CHECK(cluster_jumps > CLUSTER_TRIALS / 10);
  }
}

/* ---- ready-made models ------------------------------------------------------------------------------------------- */

/* Log pi at beta = 0 of what LBP_BASE says below. */
LBP_FN double glass_base(const lbp_graph *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += x[i] ? 0.25 * i - 1 : 0;
  return sum;
}

LBP_FN int bits_state(const lbp_graph *m, uint32_t code, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < m->n; i++) x[i] = code >> i & 1;
  return code >> m->n == 0;
}

LBP_FN uint32_t bits_code(const lbp_graph *m, const uint8_t *x) {
  uint32_t i, code = 0;
  for (i = 0; i < m->n; i++) code |= (uint32_t)x[i] << i;
  return code;
}

LBP_FN int glass_fields_right(const lbp_graph *m, const lbp_graph_fields *f, const uint8_t *x) {
  uint32_t i;
  int right = 1;
  for (i = 0; i < m->n; i++) right &= f->slope[i] == lbp_p_graph_slope(m, x, i);
  return right;
}

#define LBP_NAME           glass
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_BASE(m, i)     (lbp_real)(0.25 * (i) - 1)
#define LBP_CLUSTERS
#define LBP_PAIRS          lbp_graph_pairs
#define LBP_FIELD          lbp_graph_field
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 8
#define LBP_FIELDS_T       lbp_graph_fields
#define LBP_FIELDS_INIT    lbp_graph_fields_set
#define LBP_FLIP           lbp_graph_flip
#define LBP_DELTA          lbp_graph_fields_delta
#include "../lbp.h"

#define CASE              glass
#define CASE_MODEL        lbp_graph
#define CASE_STATE        bits_state
#define CASE_CODE         bits_code
#define CASE_LOGP         lbp_graph_logp
#define CASE_BASE         glass_base
#define CASE_SITES(m)     (m)->n
#define CASE_FIELDS       lbp_graph_fields
#define CASE_FIELDS_RIGHT glass_fields_right
#include "cases/clusters_case.h"

/* The same by log-ratios alone, with couplings that are stated `factor` times too strong, or from one side of some edges
 * alone; all else is the rest. */
typedef struct {
  lbp_graph graph;
  double factor;
  int lame;
} stated;

LBP_FN uint32_t stated_pairs(const stated *m, uint32_t i, uint32_t *site, double *J) {
  lbp_real gain[8];
  uint32_t all[8], k, count = 0;
  const uint32_t many = lbp_graph_pairs(&m->graph, i, all, gain);
  for (k = 0; k < many; k++) {
    if (m->lame && all[k] == i + 1) continue;
    site[count] = all[k];
    J[count++] = m->factor * (double)gain[k];
  }
  return count;
}

LBP_FN double stated_delta(const stated *m, const uint8_t *x, uint32_t i) { return (double)lbp_graph_delta(&m->graph, x, i); }

LBP_FN uint32_t stated_neighbours(const stated *m, uint32_t i, uint32_t *out) {
  return lbp_graph_neighbours(&m->graph, i, out);
}

LBP_FN int stated_state(const stated *m, uint32_t code, uint8_t *x) { return bits_state(&m->graph, code, x); }
LBP_FN uint32_t stated_code(const stated *m, const uint8_t *x) { return bits_code(&m->graph, x); }
LBP_FN double stated_logp(const stated *m, const uint8_t *x) { return lbp_graph_logp(&m->graph, x); }
LBP_FN double stated_base(const stated *m, const uint8_t *x) { return (void)m, (void)x, 0.0; }

#define LBP_NAME           rest
#define LBP_MODEL_T        stated
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_CLUSTERS
#define LBP_PAIRS          stated_pairs
#define LBP_DELTA          stated_delta
#define LBP_NEIGHBOURS     stated_neighbours
#define LBP_MAX_NEIGHBOURS 8
#include "../lbp.h"

#define CASE          rest
#define CASE_MODEL    stated
#define CASE_STATE    stated_state
#define CASE_CODE     stated_code
#define CASE_LOGP     stated_logp
#define CASE_BASE     stated_base
#define CASE_SITES(m) (m)->graph.n
#include "cases/clusters_case.h"

/* The same promised to be all: with couplings that are too strong, another law. */
#define LBP_NAME           sure
#define LBP_MODEL_T        stated
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_CLUSTERS
#define LBP_PAIRS          stated_pairs
#define LBP_FIELD(m, i)    (double)(m)->graph.h[i]
#define LBP_DELTA          stated_delta
#define LBP_NEIGHBOURS     stated_neighbours
#define LBP_MAX_NEIGHBOURS 8
#include "../lbp.h"

#define CASE          sure
#define CASE_MODEL    stated
#define CASE_STATE    stated_state
#define CASE_CODE     stated_code
#define CASE_LOGP     stated_logp
#define CASE_BASE     stated_base
#define CASE_SITES(m) (m)->graph.n
#include "cases/clusters_case.h"

/* A torus of 3 x 3, of one sign or of both. */
static void make_grid(lbp_graph *m, double J, int both, double field, uint64_t seed) {
  uint32_t ends[36], i, e = 0;
  double h[9], coupling[18];
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 5);
  for (i = 0; i < 9; i++) {
    ends[2 * e] = i, ends[2 * e + 1] = i / 3 * 3 + (i + 1) % 3, e++;
    ends[2 * e] = i, ends[2 * e + 1] = (i + 3) % 9, e++;
    h[i] = field * web_number(&rng);
  }
  for (e = 0; e < 18; e++) coupling[e] = both && web_below(&rng, 2) ? -J : J;
  CHECK(lbp_graph_edges(m, 9, h, 18, ends, coupling) == LBP_OK && m->max_degree <= 8);
  CHECK(lbp_graph_round(m) == LBP_OK);
}

static void test_graphs(void) {
  static const uint8_t mask[CLUSTER_SITES] = {0, 0, 1, 0, 1};
  static stated m;
  int both, wolff;
  for (both = 0; both < 2; both++) {
    uint64_t seed = (uint64_t)both;
    m.factor = 1;
    m.lame = 0;
    make_grid(&m.graph, 0.375, both, 0, seed);
    CHECK(lbp_graph_fields_init(&m.graph, &glass_fields) == LBP_OK);
    sure_keep_law(&m, 1, NULL, seed);
    sure_keep_law(&m, 0.5, mask, seed);
    sure_keep_law(&m, -0.5, NULL, seed); /* the other sign */
    glass_keep_law(&m.graph, 0.5, NULL, seed);
    lbp_graph_free(&m.graph);
    make_grid(&m.graph, 0.375, both, 0.5, seed);
    sure_keep_law(&m, 1, mask, seed);
    sure_keep_law(&m, 1, NULL, seed);
    glass_keep_law(&m.graph, 1, NULL, seed);
    glass_keep_law(&m.graph, 0.25, mask, seed);
    for (m.factor = -0.5; m.factor < 1.5; m.factor += 0.6) rest_keep_law(&m, 1, m.factor > 0 ? NULL : mask, seed);
    m.factor = 1.15;
    for (wolff = 0; wolff < 2; wolff++) {
      CHECK(rest_odds(&m, wolff, 1, NULL, 4, seed) > CHI2_LEVEL);
      CHECK(sure_odds(&m, wolff, 1, NULL, 4, seed) < CHI2_LEVEL);
    }
    m.factor = 1;
    m.lame = 1;
    for (wolff = 0; wolff < 2; wolff++) CHECK(rest_odds(&m, wolff, 1, NULL, 4, seed) < CHI2_LEVEL);
    lbp_graph_fields_free(&glass_fields);
    lbp_graph_free(&m.graph);
  }
}

/* ---- Potts models ------------------------------------------------------------------------------------------------ */

LBP_FN int potts_state(const lbp_potts *m, uint32_t code, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < m->n; i++, code /= m->values[i - 1]) x[i] = (uint8_t)(code % m->values[i]);
  return code == 0;
}

LBP_FN uint32_t potts_code(const lbp_potts *m, const uint8_t *x) {
  uint32_t i, code = 0;
  for (i = m->n; i-- > 0;) code = code * m->values[i] + x[i];
  return code;
}

LBP_FN double potts_base(const lbp_potts *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += 0.25 * ((x[i] + i) % 3);
  return sum;
}

LBP_FN int potts_fields_right(const lbp_potts *m, const lbp_potts_fields *f, const uint8_t *x) {
  lbp_potts_fields fresh;
  uint32_t i, v;
  int right = lbp_potts_fields_init(m, &fresh) == LBP_OK;
  lbp_potts_fields_set(m, &fresh, x);
  for (i = 0; i < m->n; i++) {
    for (v = 0; v < m->values[i]; v++) right &= f->F[i * m->states + v] == fresh.F[i * m->states + v];
  }
  lbp_potts_fields_free(&fresh);
  return right;
}

#define LBP_NAME              potts
#define LBP_MODEL_T           lbp_potts
#define LBP_REAL              lbp_real
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_CLUSTERS
#define LBP_CAT_STATES        4
#define LBP_CAT_STATES_OF     lbp_potts_values
#define LBP_CAT_BASE(m, i, v) (lbp_real)(0.25 * (((v) + (i)) % 3))
#define LBP_CAT_PAIRS         lbp_potts_pairs
#define LBP_CAT_PAIR          lbp_potts_pair
#define LBP_CAT_FIELD         lbp_potts_field
#define LBP_NEIGHBOURS        lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS    8
#define LBP_FIELDS_T          lbp_potts_fields
#define LBP_FIELDS_INIT       lbp_potts_fields_set
#define LBP_CAT_CHANGE        lbp_potts_change
#define LBP_CAT_DELTAS_OF     lbp_potts_fields_deltas_of
#define LBP_CAT_DELTA         lbp_potts_fields_delta
#include "../lbp.h"

#define CASE              potts
#define CASE_MODEL        lbp_potts
#define CASE_STATE        potts_state
#define CASE_CODE         potts_code
#define CASE_LOGP         lbp_potts_logp
#define CASE_BASE         potts_base
#define CASE_SITES(m)     (m)->n
#define CASE_FIELDS       lbp_potts_fields
#define CASE_FIELDS_RIGHT potts_fields_right
#include "cases/clusters_case.h"

/* Rings of 5 with two chords, couplings of either sign or of both, sites of 4 values or of their own number; where all
 * couplings are positive all values are drawn at once. */
static void test_potts(void) {
  static const uint32_t ends[14] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0, 2, 1, 3}, values[5] = {2, 4, 1, 3, 4};
  static const uint8_t mask[CLUSTER_SITES] = {0, 1};
  uint32_t kind, e;
  double J[7], h[20];
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 6);
  for (kind = 0; kind < 5; kind++) {
    lbp_potts m;
    for (e = 0; e < 7; e++) J[e] = kind == 0 ? 0.75 : kind == 1 ? -0.75 : 2 * web_number(&rng);
    for (e = 0; e < 7 && kind == 4; e++) J[e] = fabs(J[e]);
    for (e = 0; e < 20; e++) h[e] = web_number(&rng);
    CHECK(lbp_potts_init(&m, 5, 4, kind == 3 ? values : NULL, kind > 1 ? h : NULL, 1, 7, ends, J) == LBP_OK);
    CHECK(lbp_potts_fields_init(&m, &potts_fields) == LBP_OK);
    potts_keep_law(&m, 1, kind == 2 || kind == 4 ? mask : NULL, kind);
    potts_keep_law(&m, 0.5, NULL, kind);
    if (kind == 4) potts_keep_law(&m, -0.5, NULL, kind);
    lbp_potts_fields_free(&potts_fields);
    lbp_potts_free(&m);
  }
}

/* ---- what else steps promise ------------------------------------------------------------------------------------- */

#define LBP_NAME           fixed
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_N              16
#define LBP_CLUSTERS
#define LBP_SWEEPS
#define LBP_PAIRS          lbp_ising_pairs
#define LBP_FIELD          lbp_ising_field
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "../lbp.h"

/* Without fields no cluster is refused; other steps in between do no harm to what is kept from step to step, nor does a
 * field that is there after NAME_touch; at large couplings all sites are one cluster, at none each is one. */
static void test_steps(void) {
  double alpha[16] = {0};
  uint32_t t, refused = 0, wrong = 0, clusters = 0, flips = 0;
  fixed_chain c;
  lbp_ising m;
  lbp_rng rng;
  lbp_rng_init(&rng, 3, 8);
  CHECK(lbp_ising_init(&m, 4, 4, 0.4, alpha) == LBP_OK && fixed_init(&c, NULL) == LBP_OK);
  for (t = 0; t < 3000; t++) {
    fixed_info info;
    if (t % 5 == 1) fixed_gibbs_sweep(&c, &m, &rng);
    if (t % 5 == 2) fixed_lbp_step(&c, &m, 3, &rng);
    if (t % 5 == 3) fixed_swendsen_wang_step(&c, &m, &rng);
    if (t % 5 == 4) fixed_rwm_step(&c, &m, 2, &rng);
    info = fixed_wolff_step(&c, &m, &rng);
    refused += !info.accepted || !(info.accept == 1);
    wrong += info.jump < 1 || info.jump > 16 || info.evaluations != info.jump;
  }
  CHECK(refused == 0 && wrong == 0);
  lbp_ising_free(&m);
  alpha[3] = 3;
  CHECK(lbp_ising_init(&m, 4, 4, 0.4, alpha) == LBP_OK);
  fixed_touch(&c);
  for (t = 0; t < 1000; t++) refused += !fixed_wolff_step(&c, &m, &rng).accepted;
  CHECK(refused > 100);
  lbp_ising_free(&m);
  alpha[3] = 1e-6; /* all but none: about half of all clusters flip, and not all, as by Metropolis' rule */
  CHECK(lbp_ising_init(&m, 4, 4, 0.1, alpha) == LBP_OK && fixed_init(&c, NULL) == LBP_OK);
  for (t = 0; t < 1000; t++) flips += fixed_swendsen_wang_step(&c, &m, &rng).jump;
  CHECK(flips > 7000 && flips < 9000);
  lbp_ising_free(&m);
  alpha[3] = 0;
  CHECK(lbp_ising_init(&m, 4, 4, 20, alpha) == LBP_OK && fixed_init(&c, NULL) == LBP_OK);
  for (t = 0; t < 100; t++) clusters += fixed_wolff_step(&c, &m, &rng).jump != 16;
  CHECK(clusters == 0);
  lbp_ising_free(&m);
  CHECK(lbp_ising_init(&m, 4, 4, 0, alpha) == LBP_OK && fixed_init(&c, NULL) == LBP_OK);
  for (t = 0; t < 100; t++) clusters += fixed_wolff_step(&c, &m, &rng).jump != 1;
  CHECK(clusters == 0);
  lbp_ising_free(&m);
}

/* Bonds hold as often as they should, also those that are nearly certain, or nearly never there. */
static void test_bonds(void) {
  static const double t[5] = {1e-12, 1e-3, 0.4406868, 10, 400};
  int k;
  for (k = 0; k < 5; k++) {
    lbp_bond bond = {0, 0};
    const double p = -expm1(-2 * t[k]);
    lbp_bond_trial(&bond, t[k], 0);
    CHECK_NEAR(ldexp((double)bond.bar, -62), p, 2e-16);
    CHECK(!lbp_bond_trial(&bond, 1e-30, UINT64_MAX) && lbp_bond_trial(&bond, lbp_infinity(), UINT64_MAX));
  }
  CHECK(lbp_heat_bath(0) == 0.5 && lbp_heat_bath(-lbp_infinity()) == 0 && lbp_heat_bath(lbp_infinity()) == 1);
  CHECK(lbp_heat_bath(lbp_infinity() - lbp_infinity()) == 0);
  CHECK_NEAR(lbp_heat_bath(2), 1 / (1 + exp(-2)), 1e-15);
}

int main(void) {
  test_bonds();
  test_terms();
  test_orders();
  test_named_twice();
  test_certain_bonds();
  test_graphs();
  test_potts();
  test_steps();
  return test_report();
}
