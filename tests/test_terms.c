/* Terms, lbp/options/terms.h, and pairs and fields, lbp/options/pairs.h: random models of up to 6 sites, with terms of
 * 0 to 5 sites, impossible values, sites that have their own number of values; tempered, clamped, in groups.
 *
 * In all states log-ratios, log pi and neighbours are those of the same model by LBP_DELTA, to the bit; so are the
 * draws of all steps. Laws by enumeration too: about 220 chi-squared tests at level 1e-8, so a false alarm has
 * probability 2e-6. */
#include "web.h"
#include "chi2.h"
#include "../lbp/models/potts.h"
#include "../lbp/models/qubo.h"

#ifdef API_QUICK
enum { TERMS_MODELS = 12, TERMS_STEPS = 300, TERMS_TRIALS = 5000, TERMS_LAWS = 2 };
#else
enum { TERMS_MODELS = 100, TERMS_STEPS = 1000, TERMS_TRIALS = 50000, TERMS_LAWS = 8 };
#endif
enum { TERMS_KINDS = 9 }; /* of steps */

/* What a step says. */
typedef struct {
  uint32_t accepted, jump, evaluations;
  double log_ratio;
} terms_told;

static uint64_t terms_moved;

#define CASE      two
#define CASE_REAL double
#include "cases/terms_case.h"

#define CASE      two_fixed
#define CASE_REAL float
#define CASE_N    5
#define CASE_FEW
#include "cases/terms_case.h"

#define CASE        two_pairs
#define CASE_REAL   double
#define CASE_ARITY  2
#define CASE_WEIGHT LBP_METROPOLIS
#define CASE_FEW
#include "cases/terms_case.h"

#define CASE      many
#define CASE_REAL double
#define CASE_CAT
#include "cases/terms_case.h"

#ifndef API_QUICK
#define CASE         two_groups
#define CASE_REAL    double
#define CASE_GROUPED
#include "cases/terms_case.h"

#define CASE       many_pairs
#define CASE_REAL  float
#define CASE_CAT
#define CASE_ARITY 2
#include "cases/terms_case.h"
#endif

/* ---- the same as by log-ratios ----------------------------------------------------------------------------------- */

#define SAME(name, sites, values, terms, arity, hard, seed)                  \
  do {                                                                       \
    web_make(&model, sites, values, terms, arity, hard, seed);               \
    name##_compare(&model);                                                  \
    name##_approve(&model, seed);                                            \
    name##_draw_alike(&model, betas[(seed) % 4], (seed) % 3 == 0, seed);     \
  } while (0)

static void test_same(void) {
  static const double betas[4] = {1, 0.5, 0, 2};
  static web model;
  uint64_t seed;
  for (seed = 0; seed < TERMS_MODELS; seed++) {
    const uint32_t n = 1 + (uint32_t)(seed * 5 % WEB_SITES), terms = (uint32_t)(seed * 7 % (WEB_TERMS + 1));
    const int hard = seed % 2 == 0;
    SAME(two, n, 2, terms, WEB_ARITY, hard, seed);
    SAME(two_fixed, 5, 2, terms, WEB_ARITY, hard, seed);
    SAME(two_pairs, n, 2, terms, 2, hard, seed);
    SAME(many, n, WEB_VALUES, terms, WEB_ARITY, hard, seed);
#ifndef API_QUICK
    SAME(many_pairs, n, WEB_VALUES, terms, 2, hard, seed);
    web_make(&model, n, 2, terms, 3, hard, seed);
    two_groups_compare(&model);
    two_groups_draw_alike(&model, betas[seed % 4], 0, seed);
#endif
  }
  CHECK(terms_moved > 1000 && web_beyond == 0);
}

static void test_laws(void) {
  static web model;
  uint64_t seed;
  for (seed = 0; seed < TERMS_LAWS; seed++) {
    web_make(&model, 4, 2, 6, 3, 1, 100 + seed);
    two_keep_law(&model, seed % 2 ? 0.5 : 1, seed);
    web_make(&model, 4, 2, 6, 2, 1, 200 + seed);
    two_pairs_keep_law(&model, seed % 2 ? 1 : 0, seed);
    web_make(&model, 4, WEB_VALUES, 6, 3, 1, 300 + seed);
    many_keep_law(&model, seed % 2 ? 0.5 : 1, seed);
  }
}

/* ---- pairs and fields -------------------------------------------------------------------------------------------- */

static int longest(const web *m) {
  uint32_t t, most = 0;
  for (t = 0; t < m->terms; t++) most = m->arity[t] > most ? m->arity[t] : most;
  return (int)most;
}

static int is_hard(const web *m) {
  uint32_t t, j, cell, v[2];
  for (t = 0; t < m->terms; t++) {
    for (j = 0; j < 4 && m->arity[t] > 0; j++) {
      v[0] = j / 2, v[1] = j % 2;
      cell = m->arity[t] == 1 ? v[0] : v[0] * WEB_VALUES + v[1];
      if (m->table[t][cell] < -1e300) return 1;
    }
  }
  return 0;
}

static void test_pairs(void) {
  static web model;
  uint64_t seed;
  for (seed = 0; seed < 2 * TERMS_MODELS; seed++) {
    const uint32_t n = 1 + (uint32_t)(seed * 5 % WEB_SITES), terms = (uint32_t)(seed * 7 % (WEB_TERMS + 1));
    web_make(&model, n, 2, terms, 2, 0, seed);
    two_pairs_sum_pairs(&model, 1);
    two_sum_pairs(&model, 1); /* LBP_TERM_MAX is 5, no term has more than 2 */
    web_make(&model, n, 2, terms, 2, 1, seed);
    two_pairs_sum_pairs(&model, !is_hard(&model));
    web_make(&model, n, 2, terms, 3, 0, seed);
    two_sum_pairs(&model, longest(&model) < 3);
    web_make(&model, n, WEB_VALUES, terms, 2, 0, seed);
    many_sum_pairs(&model, 1);
#ifndef API_QUICK
    many_pairs_sum_pairs(&model, 1);
#endif
    web_make(&model, n, WEB_VALUES, terms, 3, 0, seed);
    many_sum_pairs(&model, longest(&model) < 3);
  }
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

enum { STAR = 201, WIDE = 256 };

/* Site 0 with 200 others; no index of terms is longer. */
LBP_FN uint32_t star_sites(const double *m, uint32_t t, uint32_t *out) {
  (void)m;
  out[0] = t + 1, out[1] = 0;
  return 2;
}

#define LBP_NAME          star
#define LBP_MODEL_T       double
#define LBP_TERM_COUNT(m) (STAR - 1)
#define LBP_TERM_SITES    star_sites
#define LBP_TERM(m, t, v) (*(m) * ((v)[0] == (v)[1]) + ((t) + 1) * (v)[0])
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  (STAR - 1)
#include "../lbp.h"

static void test_star(void) {
  static uint32_t index[LBP_TERMS_LEN(STAR, 2, STAR - 1)];
  static uint64_t ws[LBP_WS_LEN(STAR)];
  static uint8_t x[STAR];
  const double m = 0.25;
  uint32_t site[STAR], i;
  double J[STAR];
  star_terms terms;
  star_chain c;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 1);
  CHECK(star_terms_len(&m, STAR) == STAR + 1 + 2 * 2 * (STAR - 1));
  CHECK(star_terms_init(&terms, &m, STAR, index, star_terms_len(&m, STAR)) == LBP_OK);
  CHECK(star_init(&c, STAR, x, &terms, ws, LBP_WS_LEN(STAR)) == LBP_OK);
  CHECK(star_check(&c, &m, 2, &rng).status == LBP_OK);
  for (i = 1; i <= 60; i++) x[i] = 1;
  CHECK(star_priv_delta(&c, &m, 0) == 0.25 * (60 - 140) && star_priv_delta(&c, &m, 7) == 0.25 - 7);
  CHECK(star_pairs_of(&c, &m, 0, site, J) == STAR - 1 && site[99] == 100 && J[99] == 0.125);
  CHECK(star_pairs_of(&c, &m, 9, site, J) == 1 && site[0] == 0 && J[0] == 0.125);
  CHECK(star_field_of(&c, &m, 0) == 0 && star_field_of(&c, &m, 9) == 4.5);
}

/* One term of 256 sites, and one that has them the other way round. */
LBP_FN uint32_t wide_sites(const uint32_t *m, uint32_t t, uint32_t *out) {
  uint32_t k;
  for (k = 0; k < WIDE && t < 2; k++) out[k] = t ? WIDE - 1 - k : k;
  return *m > 2 ? 0 : WIDE;
}

LBP_FN double wide_term(const uint32_t *m, uint32_t t, const uint8_t *v) {
  double sum = 0;
  uint32_t k;
  (void)m;
  for (k = 0; k < WIDE; k++) sum += v[k] ? (t ? 1000.0 * (k + 1) : k + 1.0) : 0;
  return sum;
}

#define LBP_NAME          wide
#define LBP_MODEL_T       uint32_t
#define LBP_TERM_COUNT(m) *(m)
#define LBP_TERM_SITES    wide_sites
#define LBP_TERM          wide_term
#define LBP_TERM_MAX      WIDE
#define LBP_TERMS_OF_MAX  2
#include "../lbp.h"

static void test_wide(void) {
  static uint32_t index[LBP_TERMS_LEN(WIDE, WIDE, 2)];
  static uint64_t ws[LBP_WS_LEN(WIDE)];
  static uint8_t x[WIDE];
  uint32_t m = 2;
  wide_terms terms;
  wide_chain c;
  CHECK(wide_terms_len(&m, WIDE) == LBP_TERMS_LEN(WIDE, WIDE, 2));
  CHECK(wide_terms_init(&terms, &m, WIDE, index, LBP_TERMS_LEN(WIDE, WIDE, 2) - 1) == LBP_E_WORKSPACE);
  CHECK(wide_terms_init(&terms, &m, WIDE, index, LBP_TERMS_LEN(WIDE, WIDE, 2)) == LBP_OK);
  CHECK(wide_init(&c, WIDE, x, &terms, ws, LBP_WS_LEN(WIDE)) == LBP_OK);
  x[200] = 1;
  CHECK(wide_priv_delta(&c, &m, 3) == 4 + 253000.0 && wide_priv_delta(&c, &m, 200) == -201 - 56000.0);
  CHECK(wide_priv_delta(&c, &m, 255) == 256 + 1000.0 && wide_priv_logp(&c, &m) == 201 + 56000.0);
  CHECK(wide_is_pairwise(&c, &m) == 0);
  m = (1u << 24) + 1; /* a term's number has 24 bits next to a place of 8 */
  CHECK(wide_terms_init(&terms, &m, WIDE, index, LBP_TERMS_LEN(WIDE, WIDE, 2)) == LBP_E_SIZE);
}

static void test_lengths(void) {
  CHECK(LBP_TERMS_LEN(10, 3, 4) == 10 * (3 * 4 + 1) + 1);
  CHECK(LBP_TERMS_LEN(SIZE_MAX / 4, 3, 4) == SIZE_MAX);
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

static int init_status(web *m, uint32_t n, two_pairs_terms_terms *terms) {
  return two_pairs_terms_terms_init(terms, m, n, two_pairs_words, sizeof two_pairs_words / sizeof two_pairs_words[0]);
}

static void test_index_errors(void) {
  static web m, good;
  two_pairs_terms_terms terms;
  two_pairs_terms_chain c;
  uint64_t ws[40 * WEB_SITES];
  uint8_t x[WEB_SITES] = {0};
  web_make(&good, 5, 2, 8, 2, 0, 3);
  good.arity[2] = 2, good.site[2][0] = 4, good.site[2][1] = 1;
  m = good;
  CHECK(init_status(&m, 5, &terms) == LBP_OK && terms.n == 5 && terms.fault.status == LBP_OK);
  m.site[2][1] = 5;
  CHECK(init_status(&m, 5, &terms) == LBP_E_TERM_SITES && terms.n == 0 && terms.fault.other == 2);
  CHECK(terms.fault.status == LBP_E_TERM_SITES && terms.fault.site == 5 && terms.fault.want == 5);
  m.site[2][1] = UINT32_MAX;
  CHECK(init_status(&m, 5, &terms) == LBP_E_TERM_SITES);
  m.site[2][1] = 4;
  CHECK(init_status(&m, 5, &terms) == LBP_E_TERM_TWICE && terms.fault.site == 4 && terms.fault.other == 2);
  m.arity[2] = 3;
  CHECK(init_status(&m, 5, &terms) == LBP_E_TERM_MAX && terms.fault.other == 2);
  CHECK(terms.fault.got == 3 && terms.fault.want == 2);
  CHECK(two_pairs_terms_init(&c, 5, x, &terms, ws, 40 * WEB_SITES) == LBP_E_NOT_MADE);
  m = good;
  CHECK(two_pairs_terms_terms_init(NULL, &m, 5, two_pairs_words, 100) == LBP_E_NULL);
  CHECK(two_pairs_terms_terms_init(&terms, &m, 5, NULL, 100) == LBP_E_NULL);
  CHECK(init_status(&m, 0, &terms) == LBP_E_SIZE && init_status(&m, 0x80000000u, &terms) == LBP_E_SIZE);
  CHECK(two_pairs_terms_terms_init(&terms, &m, 5, two_pairs_words, 5) == LBP_E_WORKSPACE);
  CHECK(two_pairs_terms_terms_init(&terms, &m, 5, two_pairs_words, two_pairs_terms_terms_len(&m, 5) - 1) ==
        LBP_E_WORKSPACE);
  CHECK(two_pairs_terms_terms_init(&terms, &m, 5, two_pairs_words, two_pairs_terms_terms_len(&m, 5)) == LBP_OK);
  CHECK(two_pairs_terms_init(&c, 5, x, NULL, ws, 40 * WEB_SITES) == LBP_E_NULL);
  CHECK(two_pairs_terms_init(&c, 4, x, &terms, ws, 40 * WEB_SITES) == LBP_E_SIZE);
  CHECK(two_pairs_terms_init(&c, 5, x, &terms, ws, 40 * WEB_SITES) == LBP_OK);
}

/* Terms of one site are as many as TERMS; LBP_TERMS_OF_MAX is 3. LBP_LOGP has a sign of its own. */
typedef struct {
  uint32_t terms;
  double sign;
} crowd;

LBP_FN uint32_t crowd_sites(const crowd *m, uint32_t t, uint32_t *out) { return (void)m, (void)t, out[0] = 1, 1u; }

LBP_FN double crowd_logp(const crowd *m, const uint8_t *x) { return m->sign * x[1] * m->terms; }

#define LBP_NAME          crowd
#define LBP_MODEL_T       crowd
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    crowd_sites
#define LBP_TERM(m, t, v) ((v)[0])
#define LBP_TERM_MAX      1
#define LBP_TERMS_OF_MAX  3
#define LBP_LOGP          crowd_logp
#define LBP_N             2
#include "../lbp.h"

static void test_crowd(void) {
  crowd m = {4, 1};
  crowd_terms terms;
  crowd_chain c;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 1);
  CHECK(crowd_terms_init(&terms, &m) == LBP_E_TERMS_OF_MAX && terms.fault.site == 1);
  CHECK(terms.fault.got == 4 && terms.fault.want == 3);
  CHECK(crowd_init(&c, NULL, &terms) == LBP_E_NOT_MADE && crowd_init(&c, NULL, NULL) == LBP_E_NULL);
  CHECK(crowd_terms_init(NULL, &m) == LBP_E_NULL);
  m.terms = 3;
  CHECK(crowd_terms_init(&terms, &m) == LBP_OK && crowd_init(&c, NULL, &terms) == LBP_OK);
  CHECK(crowd_check(&c, &m, 3, &rng).status == LBP_OK);
  CHECK(crowd_gibbs_sweep(&c, &m, &rng).evaluations == 2); /* independent sites */
  m.sign = -1;
  CHECK(crowd_check(&c, &m, 3, &rng).status == LBP_E_LOGP);
}

/* What NAME_check finds after the index was made. */
static two_terms_report check_after(web *m, void (*change)(web *m)) {
  uint8_t x[WEB_SITES];
  lbp_rng rng;
  lbp_rng_init(&rng, 5, 5);
  web_make(m, 5, 2, 8, 3, 0, 11);
  m->arity[2] = 2, m->site[2][0] = 4, m->site[2][1] = 1;
  web_state(m, 0, x);
  two_begin(m, x);
  change(m);
  return two_terms_check(&two_t, m, 3, &rng);
}

static void nothing(web *m) { (void)m; }
static void other_site(web *m) { m->site[2][1] = 0; }
static void other_order(web *m) { m->site[2][0] = 1, m->site[2][1] = 4; }
static void one_less(web *m) { m->terms--; }
static void one_shorter(web *m) { m->arity[2] = 1; }
static void no_site(web *m) { m->site[2][1] = 5; }
static void no_number(web *m) { m->table[2][1] = NAN; }
static void infinite(web *m) { m->table[2][5] = WEB_INFINITY; }
static void alone_no_number(web *m) { m->own[3][1] = NAN; }
static void no_unit(web *m) { m->unit = 1.0 / 32; }
static void negative_unit(web *m) { m->unit = -m->unit; }
static void half_unit(web *m) { m->own[3][0] += 1.0 / 128; }

static void test_check(void) {
  static web m;
  two_terms_report r;
  CHECK(check_after(&m, nothing).status == LBP_OK);
  r = check_after(&m, other_site);
  CHECK(r.status == LBP_E_TERMS_STALE && r.other == 2);
  CHECK(check_after(&m, other_order).status == LBP_E_TERMS_STALE);
  CHECK(check_after(&m, one_less).status == LBP_E_TERMS_STALE);
  CHECK(check_after(&m, one_shorter).status == LBP_E_TERMS_STALE);
  r = check_after(&m, no_site);
  CHECK(r.status == LBP_E_TERM_SITES && r.site == 5 && r.other == 2);
  r = check_after(&m, no_number);
  CHECK(r.status == LBP_E_TERM_NAN && r.other == 2 && r.site == 4 && lbp_is_nan(r.got));
  r = check_after(&m, infinite);
  CHECK(r.status == LBP_E_TERM_NAN && r.other == 2 && r.got > 1e300);
  r = check_after(&m, alone_no_number);
  CHECK(r.status == LBP_E_TERM_NAN && r.other == LBP_NO_TERM && r.site == 3);
  CHECK(check_after(&m, no_unit).status == LBP_E_UNIT && check_after(&m, negative_unit).status == LBP_E_UNIT);
  r = check_after(&m, half_unit);
  CHECK(r.status == LBP_E_UNIT && r.other == LBP_NO_TERM && r.site == 3);
}

/* ---- pairs that are said by hand --------------------------------------------------------------------------------- */

/* Three spins on a line, and what is wrong with what is said of them. */
typedef struct {
  double J, field, extra, back;
  uint32_t twice;
} line;

LBP_FN uint32_t line_list(const line *m, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  (void)m;
  if (i > 0) out[count++] = i - 1;
  if (i < 2) out[count++] = i + 1;
  return count;
}

LBP_FN double line_delta(const line *m, const uint8_t *x, uint32_t i) {
  double sum = m->field;
  if (i > 0) sum += x[i - 1] ? m->J : -m->J;
  if (i < 2) sum += x[i + 1] ? m->J : -m->J;
  return x[i] ? -2 * sum : 2 * sum;
}

LBP_FN uint32_t line_pairs(const line *m, uint32_t i, uint32_t *site, double *J) {
  uint32_t count = line_list(m, i, site), k;
  for (k = 0; k < count; k++) J[k] = m->J + m->extra + (site[k] < i ? m->back : 0);
  for (k = 0; k < m->twice; k++) site[count] = site[0], J[count++] = 0;
  return count;
}

#define LBP_NAME           line
#define LBP_MODEL_T        line
#define LBP_DELTA          line_delta
#define LBP_NEIGHBOURS     line_list
#define LBP_MAX_NEIGHBOURS 3
#define LBP_PAIRS          line_pairs
#define LBP_FIELD(m, i)    (0.25)
#define LBP_UNIT(m)        (0.5)
#define LBP_N              3
#include "../lbp.h"

#define LBP_NAME           open
#define LBP_MODEL_T        line
#define LBP_DELTA          line_delta
#define LBP_NEIGHBOURS     line_list
#define LBP_MAX_NEIGHBOURS 3
#define LBP_PAIRS          line_pairs
#define LBP_N              3
#include "../lbp.h"

static int line_status(double J, double field, double extra, double back, uint32_t twice) {
  line m;
  line_chain c;
  lbp_rng rng;
  m.J = J, m.field = field, m.extra = extra, m.back = back, m.twice = twice;
  lbp_rng_init(&rng, 5, 5);
  CHECK(line_init(&c, NULL) == LBP_OK && line_is_pairwise(&c, &m) == 1);
  return line_check(&c, &m, 3, &rng).status;
}

static void test_by_hand(void) {
  line m = {0.5, 0.25, 0.125, 0, 0};
  open_chain c;
  lbp_rng rng;
  lbp_rng_init(&rng, 5, 5);
  CHECK(line_status(0.5, 0.25, 0, 0, 0) == LBP_OK && line_status(0.5, 0.25, 0, 0, 1) == LBP_OK);
  CHECK(line_status(0.5, 0.25, 0, 0, 3) == LBP_E_NEIGHBOUR_RANGE);
  CHECK(line_status(0.5, 0.25, 0.5, 0, 0) == LBP_E_PAIRS && line_status(0.5, 0.5, 0, 0, 0) == LBP_E_PAIRS);
  CHECK(line_status(0.5, 0.25, 0, 0.5, 0) == LBP_E_PAIRS && line_status(0.5, 0.25, NAN, 0, 0) == LBP_E_PAIRS);
  CHECK(line_status(0.5625, 0.25, 0, 0, 0) == LBP_E_UNIT);
  /* without LBP_FIELD couplings may be a part of log pi, but must be symmetric */
  CHECK(open_init(&c, NULL) == LBP_OK && open_is_pairwise(&c, &m) == 0);
  CHECK(open_check(&c, &m, 3, &rng).status == LBP_OK);
  m.back = 0.25;
  CHECK(open_check(&c, &m, 3, &rng).status == LBP_E_PAIRS);
}

/* ---- pairs of ready-made models ---------------------------------------------------------------------------------- */

#define READY 12 /* LBP_N is no enum constant */
enum { READY_DEGREE = 8 };

#define LBP_NAME           web_of_graph
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS READY_DEGREE
#define LBP_PAIRS          lbp_graph_pairs
#define LBP_FIELD          lbp_graph_field
#define LBP_N              READY
#include "../lbp.h"

#define LBP_NAME           web_of_potts
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     4
#define LBP_CAT_STATES_OF  lbp_potts_values
#define LBP_CAT_DELTAS_OF  lbp_potts_deltas_of
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS READY_DEGREE
#define LBP_CAT_PAIRS      lbp_potts_pairs
#define LBP_CAT_PAIR       lbp_potts_pair
#define LBP_CAT_FIELD      lbp_potts_field
#define LBP_N              READY
#include "../lbp.h"

static const uint32_t ready_ends[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 5, 5, 7, 7, 8, 8, 9, 9, 0, 4, 6, 0, 1, 10, 2};
static const double ready_J[] = {1, -2, 0.5, 3, -1, 0.25, 2, -0.75, 1, 1, 0.5, -4};
enum { READY_EDGES = sizeof ready_J / sizeof ready_J[0] };

/* Pairs and fields of a model of spins give its log-ratios, in random states. */
#define CHECK_SPINS(kind, m)                                                                                    \
  do {                                                                                                          \
    uint32_t round, i, k, site[READY_DEGREE], wrong = 0;                                                        \
    lbp_real J[READY_DEGREE];                                                                                   \
    uint8_t x[READY];                                                                                           \
    for (round = 0; round < 20; round++) {                                                                      \
      for (i = 0; i < READY; i++) x[i] = (uint8_t)web_below(&rng, 2);                                           \
      for (i = 0; i < READY; i++) {                                                                             \
        const uint32_t count = kind##_pairs(m, i, site, J);                                                     \
        double sum = (double)kind##_field(m, i);                                                                \
        for (k = 0; k < count; k++) sum += x[site[k]] ? (double)J[k] : -(double)J[k];                           \
        wrong += fabs((double)kind##_delta(m, x, i) - (x[i] ? -2 * sum : 2 * sum)) > 1e-5 * (1 + fabs(sum));    \
        wrong += count != kind##_neighbours(m, i, site);                                                        \
      }                                                                                                         \
    }                                                                                                           \
    CHECK(wrong == 0);                                                                                          \
  } while (0)

static void test_ready_made(void) {
  static const uint32_t values[READY] = {4, 4, 3, 2, 4, 4, 1, 4, 4, 2, 4, 4};
  double h[READY * 4];
  lbp_qubo_terms t;
  lbp_ising ising;
  lbp_graph graph;
  lbp_qubo qubo;
  lbp_potts potts;
  web_of_graph_chain c;
  web_of_potts_chain p;
  lbp_rng rng;
  uint32_t i;
  lbp_rng_init(&rng, 3, 3);
  for (i = 0; i < READY * 4; i++) h[i] = web_number(&rng);
  CHECK(lbp_ising_init(&ising, 3, 4, 0.375, h) == LBP_OK);
  CHECK_SPINS(lbp_ising, &ising);
  CHECK(lbp_graph_init(&graph, READY, h, READY_EDGES, ready_ends, ready_J, READY_DEGREE) == LBP_OK);
  CHECK_SPINS(lbp_graph, &graph);
  CHECK(lbp_qubo_terms_random(&t, READY, 0.3, 9, 5) == LBP_OK);
  CHECK(lbp_qubo_init(&qubo, t.n, t.count, t.ends, t.value, t.offset, READY_DEGREE) == LBP_OK);
  CHECK_SPINS(lbp_qubo, &qubo);
  CHECK(web_of_graph_init(&c, NULL) == LBP_OK && web_of_graph_is_pairwise(&c, &graph) == 1);
  CHECK(web_of_graph_check(&c, &graph, 5, &rng).status == LBP_OK);
  CHECK(lbp_potts_init(&potts, READY, 4, values, h, 0.5, READY_EDGES, ready_ends, ready_J) == LBP_OK);
  CHECK(web_of_potts_init(&p, NULL) == LBP_OK && web_of_potts_is_pairwise(&p, &potts) == 1);
  CHECK(web_of_potts_check(&p, &potts, 5, &rng).status == LBP_OK);
  lbp_qubo_terms_free(&t);
  lbp_ising_free(&ising);
  lbp_graph_free(&graph);
  lbp_qubo_free(&qubo);
  lbp_potts_free(&potts);
}

int main(void) {
  test_same();
  test_laws();
  test_pairs();
  test_star();
  test_wide();
  test_lengths();
  test_index_errors();
  test_crowd();
  test_check();
  test_by_hand();
  test_ready_made();
  return test_report();
}
