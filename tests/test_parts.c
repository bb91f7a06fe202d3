/* Exchanges of parts between two chains, lbp/options/parts.h: the pair of their states by enumeration, at equal and at
 * different temperatures, one exchange and four, from pairs that have the law. Sites of two values and of up to four,
 * terms of three sites, impossible values, clamped sites, a base, lists that lack neighbours, LBP_SYMMETRIC where it is
 * so and where it is not. About 100 tests at level 1e-8: a false alarm has probability 1e-6. */
#include "web.h"
#include "chi2.h"
#include "../lbp_models.h"

#ifdef API_QUICK
#define PARTS_TRIALS 20000u
enum { PARTS_MODELS = 3 };
#else
#define PARTS_TRIALS 200000u
enum { PARTS_MODELS = 6 };
#endif
enum { PARTS_STATES = 64 };

static uint64_t parts_seen, parts_exchanged;
static uint32_t parts_largest;

#define PARTS_ALL !mask /* whether parts are of all sites that differ */

#define LBP_NAME          two
#define LBP_MODEL_T       web
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_PARTS
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          web_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  WEB_TERMS
#include "../lbp.h"
#define CASE two
#define CASE_TERMS
#include "cases/parts_case.h"

#define LBP_NAME          many
#define LBP_MODEL_T       web
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_PARTS
#define LBP_CAT_STATES    WEB_VALUES
#define LBP_CAT_STATES_OF web_values
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          web_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  WEB_TERMS
#include "../lbp.h"
#define CASE many
#define CASE_TERMS
#include "cases/parts_case.h"

/* By log-ratios, without log pi: with a base, and lists of which every third entry is missing. */
LBP_FN uint32_t short_neighbours(const web *m, uint32_t i, uint32_t *out) {
  uint32_t k, count = 0;
  const uint32_t all = web_neighbours(m, i, out);
  for (k = 0; k < all; k++) {
    if ((i + k) % 3 != 0) out[count++] = out[k];
  }
  return count;
}
LBP_FN double bare_base(const web *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += x[i] ? 0.5 * i - 1 : 0;
  return sum;
}

#define LBP_NAME           bare
#define LBP_MODEL_T        web
#define LBP_TEMPERED
#define LBP_BASE(m, i)     (0.5 * (i) - 1)
#define LBP_CLAMPED
#define LBP_PARTS
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     short_neighbours
#define LBP_MAX_NEIGHBOURS (WEB_TERMS * (WEB_ARITY - 1))
#include "../lbp.h"
#define CASE      bare
#define CASE_SHORT
#define CASE_BASE bare_base
#include "cases/parts_case.h"

#undef PARTS_ALL
#define PARTS_ALL 0
#define LBP_NAME           even
#define LBP_MODEL_T        web
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_PARTS
#define LBP_SYMMETRIC(m)   1
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS (WEB_TERMS * (WEB_ARITY - 1))
#include "../lbp.h"
#define CASE even
#include "cases/parts_case.h"

static void test_laws(void) {
  static const double betas[3][2] = {{1, 1}, {0.5, 1}, {0, 1.5}};
  static const uint8_t mask[WEB_SITES + 1] = {0, 1};
  static web m;
  uint64_t seed;
  for (seed = 0; seed < PARTS_MODELS; seed++) {
    const double *beta = betas[seed % 3];
    const uint8_t *clamp = seed == 1 ? mask : NULL;
    web_make(&m, 6, 2, 7, 2, 0, seed);
    two_keep_law(&m, beta[0], beta[1], clamp, seed);
    even_keep_law(&m, beta[0], beta[1], clamp, seed);
    bare_keep_law(&m, beta[0], beta[1], clamp, seed);
    web_make(&m, 6, 2, 5, 3, 1, seed);
    two_keep_law(&m, beta[0], beta[1], clamp, seed);
    bare_keep_law(&m, beta[0], beta[1], clamp, seed);
    web_make(&m, 3, WEB_VALUES, 4, 3, (int)(seed % 2), seed);
    many_keep_law(&m, beta[0], beta[1], clamp, seed);
  }
  CHECK(parts_seen > 1000 && parts_exchanged > parts_seen / 8 && parts_exchanged < parts_seen && parts_largest > 1);
}

/* A ring whose pairs are: with these values of equal and of unequal neighbours, ones of sites. */
static void make_ring(web *m, uint32_t n, double equal, double unequal, double both_ones, double field) {
  uint32_t t, v, w;
  web_make(m, n, 2, 0, 2, 0, 1);
  for (t = 0; t < n; t++) {
    m->own[t][0] = 0;
    m->own[t][1] = field;
    m->arity[t] = 2;
    m->site[t][0] = t, m->site[t][1] = (t + 1) % n;
    for (v = 0; v < 2; v++) {
      for (w = 0; w < 2; w++) m->table[t][v * WEB_VALUES + w] = v && w ? both_ones : v == w ? equal : unequal;
    }
  }
  m->terms = n;
}

/* Independent sets of a ring: all parts of two chains at one temperature are exchanged by a coin, whatever the lengths of
 * paths, without log pi. Where all flips are impossible but those of all sites together, log pi says so. */
static void test_constraints(void) {
  const double one[2] = {1, 1};
  static web m;
  uint32_t t, pairs = 0;
  lbp_rng rng;
  make_ring(&m, 6, 0, 0, -WEB_INFINITY, 0.75);
  parts_seen = parts_exchanged = 0;
  even_keep_law(&m, 1, 1, NULL, 1); /* far from symmetric */
  parts_seen = parts_exchanged = 0;
  two_keep_law(&m, 1, 1, NULL, 1);
  CHECK(fabs((double)parts_exchanged / (double)parts_seen - 0.5) < 0.02);
  two_keep_law(&m, 0.25, 2, NULL, 1);
  parts_seen = parts_exchanged = 0;
  bare_keep_law(&m, 1, 1, NULL, 1); /* lacks neighbours, so that some parts are refused */
  CHECK(parts_exchanged > parts_seen / 4);
  make_ring(&m, 4, 0, -WEB_INFINITY, 0, 0.5);
  two_keep_law(&m, 1, 2, NULL, 2);
  two_begin(&m, one, NULL);
  memset(two_x[1], 1, sizeof two_x[1]);
  lbp_rng_init(&rng, 1, 1);
  for (t = 0; t < 1000; t++) {
    const two_parts info = two_swap_parts(&two_c[0], &two_c[1], &m, &rng);
    CHECK(info.sites == 4 && info.parts == 1 && info.largest == 4);
    pairs += info.exchanged;
  }
  CHECK(pairs > 400 && pairs < 600);
}

/* Without fields parts are of half of the sites at most, and all of them go over by a coin at equal temperatures. */
static void test_symmetric(void) {
  static web m;
  const double one[2] = {1, 1};
  uint32_t t, i, more = 0, seen = 0, gone = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 2);
  make_ring(&m, 6, 0.5, -0.5, 0.5, 0);
  even_keep_law(&m, 1, 1, NULL, 3);
  even_keep_law(&m, 0.5, 1, NULL, 3);
  even_begin(&m, one, NULL);
  for (t = 0; t < 4000; t++) {
    even_parts info;
    for (i = 0; i < 12; i++) even_x[i / 6][i % 6] = (uint8_t)(lbp_rng_u64(&rng) >> 63);
    info = even_swap_parts(&even_c[0], &even_c[1], &m, &rng);
    more += info.sites > 3;
    seen += info.parts;
    gone += info.exchanged;
  }
  CHECK(more == 0 && fabs((double)gone / seen - 0.5) < 0.03);
}

/* Fields follow, also where parts are refused; other steps in between; one chain with itself, and one of another size. */
#define LBP_NAME           glass
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_TEMPERED
#define LBP_PARTS
#define LBP_SYMMETRIC(m)   1
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_FIELDS_T       lbp_graph_fields
#define LBP_FIELDS_INIT    lbp_graph_fields_set
#define LBP_FLIP           lbp_graph_flip
#define LBP_DELTA          lbp_graph_fields_delta
#include "../lbp.h"

static void test_fields(void) {
  enum { SIDE = 8, SITES = SIDE * SIDE };
  static uint64_t ws[3][LBP_WS_LEN(SITES)];
  static uint8_t x[3][SITES];
  lbp_graph_fields f[3];
  glass_chain c[3];
  glass_parts info;
  lbp_graph m;
  lbp_rng rng;
  uint32_t t, k, i, wrong = 0, gone = 0, stayed = 0;
  lbp_rng_init(&rng, 7, 1);
  CHECK(lbp_graph_grid(&m, SIDE, SIDE, 0.375) == LBP_OK && lbp_graph_round(&m) == LBP_OK);
  for (k = 0; k < 3; k++) {
    CHECK(lbp_graph_fields_init(&m, &f[k]) == LBP_OK);
    CHECK(glass_init(&c[k], k < 2 ? SITES : SITES - 1, x[k], &f[k], ws[k], LBP_WS_LEN(SITES)) == LBP_OK);
  }
  glass_temper(&c[1], (lbp_real)0.5);
  for (t = 0; t < 300; t++) {
    for (k = 0; k < 2; k++) {
      glass_gibbs_sweep(&c[k], &m, &rng);
      glass_lbp_step(&c[k], &m, 3, &rng);
    }
    info = glass_swap_parts(&c[0], &c[1], &m, &rng);
    gone += info.exchanged;
    stayed += info.parts - info.exchanged;
    for (k = 0; k < 2; k++) {
      for (i = 0; i < SITES; i++) wrong += f[k].slope[i] != lbp_p_graph_slope(&m, x[k], i);
    }
  }
  CHECK(wrong == 0 && gone > 100 && stayed > 100);
  info = glass_swap_parts(&c[0], &c[0], &m, &rng);
  CHECK(info.parts == 0 && info.jump == 0);
  info = glass_swap_parts(&c[0], &c[2], &m, &rng);
  CHECK(info.parts == 0 && info.jump == 0);
  for (k = 0; k < 3; k++) lbp_graph_fields_free(&f[k]);
  lbp_graph_free(&m);
}

/* NAME_check finds a field in a model that is said to be symmetric. */
static int symmetry(double field) {
  static const uint32_t ends[] = {0, 1, 1, 2, 2, 3};
  static const double J[] = {0.5, -0.25, 1};
  double h[4] = {0, 0, 0, 0};
  uint64_t ws[LBP_WS_LEN(4)];
  uint8_t x[4] = {1, 0, 0, 1};
  lbp_graph_fields f;
  glass_report report;
  glass_chain c;
  lbp_graph m;
  lbp_rng rng;
  h[2] = field;
  lbp_rng_init(&rng, 8, 1);
  CHECK(lbp_graph_init(&m, 4, h, 3, ends, J, 4) == LBP_OK && lbp_graph_round(&m) == LBP_OK);
  CHECK(lbp_graph_fields_init(&m, &f) == LBP_OK);
  CHECK(glass_init(&c, 4, x, &f, ws, LBP_WS_LEN(4)) == LBP_OK);
  report = glass_check(&c, &m, 10, &rng);
  CHECK(report.status == LBP_OK || report.site == 2);
  CHECK(x[0] == 1 && x[1] == 0 && x[2] == 0 && x[3] == 1);
  lbp_graph_fields_free(&f);
  lbp_graph_free(&m);
  return report.status;
}

int main(void) {
  CHECK(symmetry(0) == LBP_OK && symmetry(0.25) == LBP_E_SYMMETRIC);
  test_laws();
  test_constraints();
  test_symmetric();
  test_fields();
  return test_report();
}
