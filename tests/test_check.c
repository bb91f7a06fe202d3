/* NAME_check: a list that lacks a site is found wherever it is and however many sites there are, lists that name too
 * many pass; what needs LBP_LOGP is found with it, and only with it; models with hard constraints are looked at in
 * states that are possible. The mistakes of sick.h are planted in test_api.c. Seeds are fixed: no check can raise a
 * false alarm by chance. */
#include "models.h"

enum { CASE_MOST = 128 * 128 };

typedef struct {
  int status;
  uint32_t site, other;
  double got, want;
} verdict;

#ifdef API_QUICK
enum { MOST_SEEDS = 3 };
#else
enum { MOST_SEEDS = 100 };
#endif

/* The condition holds for each of so many seeds. */
#define SEEDS(count, condition)                                         \
  do {                                                                  \
    const uint64_t seeds = (count) < MOST_SEEDS ? (count) : MOST_SEEDS; \
    uint64_t seed, right = 0;                                           \
    for (seed = 1; seed <= seeds; seed++) right += !!(condition);       \
    CHECK_NEAR(right, seeds, 0);                                        \
  } while (0)

static int is_found(verdict f, int status, uint32_t site, uint32_t other) {
  return f.status == status && f.site == site && f.other == other;
}

static uint8_t nothing[CASE_MOST], possible[CASE_MOST];

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Spins on a circle, each tied to those `reach[k]` places ahead and behind; two entries of lists are wrong. */
typedef struct {
  uint32_t n, reaches, reach[24];
  uint32_t untold;      /* so many reaches, the last, are in no list */
  uint32_t of, without; /* the list of `of` lacks `without`, ... */
  uint32_t in, extra;   /* ... that of `in` has `extra`, which it could do without */
  double skew;          /* what a site feels of those behind it, and they not of it */
  int both;             /* whether the same holds the other way round */
  const uint32_t *gate; /* ties between `of` and `without` hold where all sites from gate[0] to gate[1] are ones */
} web;

typedef struct {
  double h[CASE_MOST], saved[CASE_MOST];
} web_fields;

static double web_tie(const web *w, const uint8_t *x, uint32_t i, uint32_t j) {
  uint32_t k;
  if (w->gate && ((i == w->of && j == w->without) || (j == w->of && i == w->without))) {
    for (k = w->gate[0]; k < w->gate[1]; k++) {
      if (!x[k]) return 0;
    }
  }
  return ((i + j) % 3 == 0 ? 0.25 : -0.125) + (i < j ? w->skew : 0);
}

static double web_field(const web *w, const uint8_t *x, uint32_t i) {
  double h = 0.5;
  uint32_t k;
  for (k = 0; k < w->reaches; k++) {
    const uint32_t ahead = (i + w->reach[k]) % w->n, behind = (i + w->n - w->reach[k]) % w->n;
    h += x[ahead] ? web_tie(w, x, i, ahead) : -web_tie(w, x, i, ahead);
    if (behind != ahead) h += x[behind] ? web_tie(w, x, i, behind) : -web_tie(w, x, i, behind);
  }
  return h;
}

static double web_delta(const web *w, const uint8_t *x, uint32_t i) { return (x[i] ? -2 : 2) * web_field(w, x, i); }

static void web_deltas(const web *w, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < w->n; i++) out[i] = web_delta(w, x, i);
}

static int web_lacks(const web *w, uint32_t i, uint32_t j) {
  return (i == w->of && j == w->without) || (w->both && j == w->of && i == w->without);
}

static uint32_t web_neighbours(const web *w, uint32_t i, uint32_t *out) {
  uint32_t k, count = 0;
  for (k = 0; k + w->untold < w->reaches; k++) {
    const uint32_t ahead = (i + w->reach[k]) % w->n, behind = (i + w->n - w->reach[k]) % w->n;
    if (!web_lacks(w, i, ahead)) out[count++] = ahead;
    if (behind != ahead && !web_lacks(w, i, behind)) out[count++] = behind;
  }
  if (i == w->in) out[count++] = w->extra;
  if (w->both && i == w->extra) out[count++] = w->in;
  return count;
}

static void web_set(const web *w, web_fields *f, const uint8_t *x) {
  uint32_t i;
  for (i = 0; i < w->n; i++) f->h[i] = web_field(w, x, i);
}

static void web_flip(const web *w, web_fields *f, const uint8_t *x, uint32_t i) {
  uint32_t k;
  for (k = 0; k < w->reaches; k++) {
    const uint32_t ahead = (i + w->reach[k]) % w->n, behind = (i + w->n - w->reach[k]) % w->n;
    f->h[ahead] += (x[i] ? 2 : -2) * web_tie(w, x, i, ahead);
    if (behind != ahead) f->h[behind] += (x[i] ? 2 : -2) * web_tie(w, x, i, behind);
  }
}

static void web_save(const web *w, web_fields *f) { memcpy(f->saved, f->h, w->n * sizeof f->h[0]); }
static void web_restore(const web *w, web_fields *f) { memcpy(f->h, f->saved, w->n * sizeof f->h[0]); }

static double web_fields_delta(const web *w, const web_fields *f, const uint8_t *x, uint32_t i) {
  (void)w;
  return (x[i] ? -2 : 2) * f->h[i];
}

#define CASE               plain
#define CASE_MODEL         web
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS 49
#include "cases/check_case.h"

#define CASE               fixed
#define CASE_MODEL         web
#define CASE_REAL          float
#define LBP_N              1024
#define LBP_DELTA          (float)web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS 6
#include "cases/check_case.h"

#define CASE               kept
#define CASE_MODEL         web
#define CASE_FIELDS        web_fields
#define LBP_DELTA          web_fields_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS 6
#define LBP_FIELDS_INIT    web_set
#define LBP_FLIP           web_flip
#include "cases/check_case.h"

#define CASE               saving
#define CASE_MODEL         web
#define CASE_REAL          float
#define CASE_FIELDS        web_fields
#define LBP_N              1024
#define LBP_DELTA          (float)web_fields_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS 6
#define LBP_FIELDS_INIT    web_set
#define LBP_FLIP           web_flip
#define LBP_SAVE           web_save
#define LBP_RESTORE        web_restore
#include "cases/check_case.h"

#define CASE               lonely
#define CASE_MODEL         web
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "cases/check_case.h"

#define CASE       whole
#define CASE_MODEL web
#define LBP_DELTAS web_deltas
#include "cases/check_case.h"

/* side x side sites, each with four neighbours (the rows of a torus one after the other). */
static web grid(uint32_t side) {
  web w;
  memset(&w, 0, sizeof w);
  w.n = side * side;
  w.reaches = 2;
  w.reach[0] = 1, w.reach[1] = side;
  w.of = w.without = w.in = w.extra = UINT32_MAX;
  return w;
}

/* The list of one site lacks another, whose own list has the first. */
static void test_forgotten(void) {
  static const uint32_t pair[][2] = {{0, 1}, {0, 32}, {1023, 991}, {1023, 0}, {517, 518}};
  web small = grid(32), large = grid(128);
  size_t k;
  for (k = 0; k < sizeof pair / sizeof pair[0]; k++) {
    small.of = pair[k][0], small.without = pair[k][1];
    SEEDS(k ? 5 : 100, is_found(plain_look(&small, nothing, 1024, 1, seed), LBP_E_NEIGHBOUR_MISSING, pair[k][0],
                                pair[k][1]));
    SEEDS(5, is_found(fixed_look(&small, nothing, 1024, 1, seed), LBP_E_NEIGHBOUR_MISSING, pair[k][0], pair[k][1]));
    SEEDS(5, is_found(kept_look(&small, nothing, 1024, 1, seed), LBP_E_NEIGHBOUR_MISSING, pair[k][0], pair[k][1]));
    SEEDS(5, is_found(saving_look(&small, nothing, 1024, 1, seed), LBP_E_NEIGHBOUR_MISSING, pair[k][0], pair[k][1]));
  }
  large.of = 0, large.without = 128;
  SEEDS(20, is_found(plain_look(&large, nothing, large.n, 1, seed), LBP_E_NEIGHBOUR_MISSING, 0, 128));
  SEEDS(5, is_found(kept_look(&large, nothing, large.n, 1, seed), LBP_E_NEIGHBOUR_MISSING, 0, 128));
}

/* The two values are those of the site that is not told, one tie apart: 4 * 0.125 or 4 * 0.25. */
static void test_values(void) {
  web w = grid(32);
  verdict f;
  w.of = 5, w.without = 6;
  f = plain_look(&w, nothing, w.n, 1, 1);
  CHECK_NEAR(fabs(f.got - f.want), 0.5, 1e-12);
  w.of = 7, w.without = 8;
  f = saving_look(&w, nothing, w.n, 1, 1);
  CHECK_NEAR(fabs(f.got - f.want), 1, 1e-6);
}

/* Other degrees: 0, 1, 48; and a site that is missing from both lists, where all sites are tried. */
static void test_degrees(void) {
  web w = grid(32);
  uint32_t k;
  w.reaches = 0;
  SEEDS(3, lonely_look(&w, nothing, w.n, 2, seed).status == LBP_OK);
  w.n = 20;
  w.reaches = 1, w.reach[0] = 10; /* pairs */
  SEEDS(3, plain_look(&w, nothing, w.n, 2, seed).status == LBP_OK);
  w.of = 13, w.without = 3;
  SEEDS(20, is_found(plain_look(&w, nothing, w.n, 1, seed), LBP_E_NEIGHBOUR_MISSING, 13, 3));
  w.both = 1; /* no list has anything of the pair */
  SEEDS(20, is_found(plain_look(&w, nothing, w.n, 1, seed), LBP_E_NEIGHBOUR_MISSING, 3, 13));
  w.both = 0;
  w.n = 5000;
  w.reaches = 24;
  for (k = 0; k < 24; k++) w.reach[k] = 3 * k + 1;
  w.of = w.without = UINT32_MAX;
  CHECK(plain_look(&w, nothing, w.n, 1, 1).status == LBP_OK);
  w.of = 4999, w.without = 0;
  SEEDS(20, is_found(plain_look(&w, nothing, w.n, 1, seed), LBP_E_NEIGHBOUR_MISSING, 4999, 0));
}

/* Sites far away that no list has, so that one trial is enough. */
static void test_untold(void) {
  web small = grid(32), large = grid(128);
  uint64_t seed;
  int k;
  small.reaches = large.reaches = 3, small.reach[2] = large.reach[2] = 300, small.untold = large.untold = 1;
  for (seed = 1; seed <= 10; seed++) {
    const verdict v[2] = {plain_look(&large, nothing, large.n, 1, seed),
                          saving_look(&small, nothing, small.n, 1, seed)};
    for (k = 0; k < 2; k++) {
      const uint32_t n = k == 0 ? large.n : small.n, gap = (v[k].other + n - v[k].site) % n;
      CHECK(v[k].status == LBP_E_NEIGHBOUR_MISSING && (gap == 300 || gap == n - 300));
    }
  }
}

/* Lists may name too many: one way or both, a site twice, the site itself. */
static void test_superfluous(void) {
  web w = grid(32);
  w.in = 3, w.extra = 777;
  SEEDS(5, plain_look(&w, nothing, w.n, 2, seed).status == LBP_OK);
  SEEDS(5, saving_look(&w, nothing, w.n, 2, seed).status == LBP_OK);
  w.both = 1;
  SEEDS(2, plain_look(&w, nothing, w.n, 2, seed).status == LBP_OK);
  w.both = 0;
  w.extra = 4; /* twice */
  SEEDS(2, fixed_look(&w, nothing, w.n, 2, seed).status == LBP_OK);
  w.extra = 3; /* itself */
  SEEDS(2, fixed_look(&w, nothing, w.n, 2, seed).status == LBP_OK);
  w.extra = 777;
  w.of = 500, w.without = 501; /* a list that names too many hides no other */
  SEEDS(5, is_found(plain_look(&w, nothing, w.n, 1, seed), LBP_E_NEIGHBOUR_MISSING, 500, 501));
  w.of = w.without = UINT32_MAX;
  w.extra = 1024; /* no site, in a list that is looked at by no trial */
  SEEDS(20, is_found(plain_look(&w, nothing, w.n, 1, seed), LBP_E_NEIGHBOUR_RANGE, 3, 1024));
}

/* A tie that holds only where other sites are ones: found where a trial, or the state given, has them so. */
static void test_gated(void) {
  static const uint32_t one[2] = {700, 701}, many[2] = {700, 740};
  web w = grid(32);
  uint32_t i;
  w.of = 0, w.without = 1;
  w.gate = one; /* hidden in all of ten random states with probability 2^-10 */
  SEEDS(10, is_found(plain_look(&w, nothing, w.n, 10, seed), LBP_E_NEIGHBOUR_MISSING, 0, 1));
  w.gate = many;
  for (i = 0; i < w.n; i++) possible[i] = 1;
  SEEDS(5, is_found(plain_look(&w, possible, w.n, 1, seed), LBP_E_NEIGHBOUR_MISSING, 0, 1));
  SEEDS(5, is_found(kept_look(&w, possible, w.n, 1, seed), LBP_E_NEIGHBOUR_MISSING, 0, 1));
  SEEDS(5, plain_look(&w, nothing, w.n, 1, seed).status == LBP_OK); /* what no state shows is not found */
}

/* Couplings that are not symmetric belong to no law. */
static void test_skewed(void) {
  web w = grid(32);
  w.skew = 0.0625;
  SEEDS(5, plain_look(&w, nothing, w.n, 1, seed).status == LBP_E_ORDER);
  SEEDS(5, fixed_look(&w, nothing, w.n, 1, seed).status == LBP_E_ORDER);
  w.n = 20;
  w.reach[1] = 6;
  SEEDS(5, whole_look(&w, nothing, w.n, 3, seed).status == LBP_E_ORDER);
  w.skew = 0;
  SEEDS(5, whole_look(&w, nothing, w.n, 3, seed).status == LBP_OK);
}

/* ---- what needs log pi ------------------------------------------------------------------------------------------- */

/* A ring in a field, whose log-ratios are all off by a factor. */
typedef struct {
  uint32_t n;
  double factor;
} ring;

static double ring_delta(const ring *m, const uint8_t *x, uint32_t i) {
  const int up = x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n];
  return m->factor * (x[i] ? -2 : 2) * (0.4 * (2 * up - 2) + 0.1);
}

static uint32_t ring_neighbours(const ring *m, uint32_t i, uint32_t *out) {
  out[0] = (i + 1) % m->n;
  out[1] = (i + m->n - 1) % m->n;
  return 2;
}

static double ring_logp(const ring *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += (x[i] == x[(i + 1) % m->n] ? 0.4 : -0.4) + (x[i] ? 0.1 : -0.1);
  return sum;
}

#define CASE               bare
#define CASE_MODEL         ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "cases/check_case.h"

#define CASE               told
#define CASE_MODEL         ring
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           ring_logp
#include "cases/check_case.h"

static void test_factors(void) {
  static const double factor[] = {1, -1, 2, 0.5};
  size_t k;
  for (k = 0; k < 4; k++) {
    const ring m = {1000, factor[k]};
    SEEDS(5, bare_look(&m, nothing, m.n, 1, seed).status == LBP_OK); /* the log-ratios of pi^factor */
    SEEDS(5, told_look(&m, nothing, m.n, 1, seed).status == (k ? LBP_E_LOGP : LBP_OK));
  }
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

/* Sites with fields, in groups of which each has exactly `ones` ones; mistakes in the log-ratios. */
typedef struct {
  uint32_t n, group, ones;
  int at_most;        /* up to `ones` ones, instead */
  uint32_t wrong;     /* the log-ratio of this site is off by `by`, ... */
  uint32_t if_one;    /* ... where this one is a one */
  double by;
  int finite;         /* it is `by`, even if the flip is impossible */
  int endless;        /* log pi is infinite where the last site is a one */
  uint64_t *moved;    /* counts the possible states without a one at site 0 */
  uint32_t in, extra; /* the list of `in` has `extra`, which it could do without */
} choice;

static double choice_logp(const choice *m, const uint8_t *x) {
  double sum = 0;
  uint32_t g, i;
  if (m->endless && x[m->n - 1]) return HUGE_VAL;
  for (g = 0; g < m->n; g += m->group) {
    uint32_t ones = 0;
    for (i = g; i < g + m->group; i++) {
      ones += x[i];
      if (x[i]) sum += 0.0625 * (double)(i % 16);
    }
    if (m->at_most ? ones > m->ones : ones != m->ones) return -HUGE_VAL;
  }
  if (m->moved) *m->moved += !x[0];
  return sum;
}

/* The difference of two values, as many would write it: NaN between impossible states. */
static double choice_delta(const choice *m, const uint8_t *x, uint32_t i) {
  static uint8_t y[CASE_MOST];
  double here, there;
  memcpy(y, x, m->n);
  y[i] ^= 1u;
  here = choice_logp(m, x);
  there = choice_logp(m, y);
  if (i == m->wrong && x[m->if_one]) {
    if (m->finite) return m->by;
    return there - here + m->by;
  }
  return there - here;
}

static uint32_t choice_neighbours(const choice *m, uint32_t i, uint32_t *out) {
  uint32_t k, count = 0;
  for (k = i - i % m->group; k < i - i % m->group + m->group; k++) {
    if (k != i) out[count++] = k;
  }
  if (i == m->in) out[count++] = m->extra;
  return count;
}

static void choice_deltas(const choice *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = (x[i] ? -0.0625 : 0.0625) * (double)(i % 16); /* estimates */
}

static void choice_deltas_float(const choice *m, const uint8_t *x, float *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = (x[i] ? -0.0625f : 0.0625f) * (float)(i % 16);
}

static void choice_exact_deltas(const choice *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = choice_delta(m, x, i);
}

#define CASE        by_logp
#define CASE_MODEL  choice
#define LBP_DELTAS  choice_deltas
#define LBP_LOGP    choice_logp
#include "cases/check_case.h"

#define CASE        by_logp_fixed
#define CASE_MODEL  choice
#define CASE_REAL   float
#define LBP_N       40
#define LBP_DELTAS  choice_deltas_float
#define LBP_LOGP    (float)choice_logp
#include "cases/check_case.h"

#define CASE        by_both
#define CASE_MODEL  choice
#define LBP_DELTAS  choice_deltas
#define LBP_DELTA   choice_delta
#define LBP_LOGP    choice_logp
#include "cases/check_case.h"

#define CASE        by_ratios
#define CASE_MODEL  choice
#define LBP_DELTAS  choice_exact_deltas
#include "cases/check_case.h"

#define CASE               by_lists
#define CASE_MODEL         choice
#define LBP_DELTA          choice_delta
#define LBP_NEIGHBOURS     choice_neighbours
#define LBP_MAX_NEIGHBOURS CASE_MOST
#define LBP_LOGP           choice_logp
#include "cases/check_case.h"

#define CASE               by_delta
#define CASE_MODEL         choice
#define CASE_REAL          float
#define LBP_DELTA          (float)choice_delta
#define LBP_NEIGHBOURS     choice_neighbours
#define LBP_MAX_NEIGHBOURS CASE_MOST
#include "cases/check_case.h"

#define EVERY(seeds, m, x, want)                                                     \
  do {                                                                               \
    SEEDS(seeds, by_logp_look(&(m), x, (m).n, 3, seed).status == (want));            \
    SEEDS(seeds, by_logp_fixed_look(&(m), x, (m).n, 3, seed).status == (want));      \
    SEEDS(seeds, by_both_look(&(m), x, (m).n, 3, seed).status == (want));            \
    SEEDS(seeds, by_lists_look(&(m), x, (m).n, 3, seed).status == (want));           \
  } while (0)

static choice choose(uint32_t n, uint32_t group, uint32_t ones) {
  choice m;
  uint32_t i;
  memset(&m, 0, sizeof m);
  m.n = n, m.group = group, m.ones = ones;
  m.wrong = m.in = UINT32_MAX;
  for (i = 0; i < n; i++) possible[i] = i % group < ones;
  return m;
}

/* Right models pass: random states are impossible, that given is not. */
static void test_exactly(void) {
  static const uint32_t shape[][3] = {{40, 40, 10}, {40, 40, 1}, {40, 40, 39}, {40, 40, 0}, {40, 5, 1}, {40, 8, 3}};
  choice m;
  size_t k;
  for (k = 0; k < sizeof shape / sizeof shape[0]; k++) {
    m = choose(shape[k][0], shape[k][1], shape[k][2]);
    EVERY(5, m, possible, LBP_OK);
    SEEDS(5, by_ratios_look(&m, possible, m.n, 3, seed).status == LBP_OK);
    SEEDS(5, by_delta_look(&m, possible, m.n, 3, seed).status == LBP_OK);
    m.at_most = 1;
    EVERY(5, m, possible, LBP_OK);
    SEEDS(5, by_ratios_look(&m, possible, m.n, 3, seed).status == LBP_OK);
    SEEDS(5, by_delta_look(&m, possible, m.n, 3, seed).status == LBP_OK);
  }
  m = choose(40, 5, 1);
  m.in = 3, m.extra = 17; /* one-sided, and with nothing but NaN beyond an impossible flip */
  SEEDS(5, by_lists_look(&m, possible, m.n, 3, seed).status == LBP_OK);
  SEEDS(5, by_delta_look(&m, possible, m.n, 3, seed).status == LBP_OK);
  m = choose(1000, 1000, 100);
  CHECK(by_logp_look(&m, possible, m.n, 2, 1).status == LBP_OK);
  CHECK(by_lists_look(&m, possible, m.n, 1, 1).status == LBP_OK);
}

/* A single one among many sites moves, too. */
static void test_single(void) {
  choice m = choose(10000, 10000, 1);
  uint64_t moved = 0;
  m.moved = &moved;
  SEEDS(3, (moved = 0, by_logp_look(&m, possible, m.n, 2, seed).status == LBP_OK) && moved > 0);
}

/* Wrong ones do not: at the state given, and at those that only two flips together reach. */
static void test_exactly_wrong(void) {
  choice m = choose(30, 30, 10);
  m.wrong = 3, m.by = 0.5, m.if_one = 5, m.finite = 1;
  SEEDS(10, is_found(by_both_look(&m, possible, m.n, 1, seed), LBP_E_LOGP, 3, 3));
  SEEDS(10, is_found(by_lists_look(&m, possible, m.n, 1, seed), LBP_E_LOGP, 3, 3));
  m.if_one = 25; /* not there; with probability 1/3 or so in each state reached */
  SEEDS(10, is_found(by_both_look(&m, possible, m.n, 20, seed), LBP_E_LOGP, 3, 3));
  SEEDS(10, is_found(by_lists_look(&m, possible, m.n, 20, seed), LBP_E_LOGP, 3, 3));
  m = choose(30, 3, 1); /* many small groups */
  m.wrong = 7, m.by = 0.5, m.if_one = 28, m.finite = 1;
  SEEDS(10, is_found(by_both_look(&m, possible, m.n, 100, seed), LBP_E_LOGP, 7, 7));
  m = choose(30, 30, 10);
  m.endless = 1; /* one flip away */
  SEEDS(10, by_logp_look(&m, possible, m.n, 1, seed).status == LBP_E_LOGP);
  possible[m.n - 1] = 1; /* there */
  SEEDS(10, by_logp_look(&m, possible, m.n, 1, seed).status == LBP_E_LOGP);
  m = choose(30, 30, 10); /* single flips do, too */
  m.at_most = 1;
  m.wrong = 3, m.by = 0.25, m.if_one = 25;
  SEEDS(10, is_found(by_both_look(&m, nothing, m.n, 100, seed), LBP_E_LOGP, 3, 3));
  SEEDS(10, is_found(by_lists_look(&m, nothing, m.n, 100, seed), LBP_E_LOGP, 3, 3));
  m.if_one = 3; /* the way back has the mistake, the way there not */
  SEEDS(10, is_found(by_delta_look(&m, nothing, m.n, 20, seed), LBP_E_ANTISYMMETRY, 3, 3));
  SEEDS(10, is_found(by_ratios_look(&m, nothing, m.n, 20, seed), LBP_E_ANTISYMMETRY, 3, 3));
  m.wrong = m.if_one = 15, m.by = 0.5, m.finite = 1; /* a finite way back from an impossible state */
  SEEDS(10, is_found(by_delta_look(&m, possible, m.n, 1, seed), LBP_E_ANTISYMMETRY, 15, 15));
  m.wrong = 3, m.if_one = 25, m.finite = 0;
  m.by = not_a_number(); /* at a possible state it is a mistake */
  SEEDS(10, is_found(by_both_look(&m, nothing, m.n, 100, seed), LBP_E_DELTA_NAN, 3, 3));
  SEEDS(10, is_found(by_delta_look(&m, nothing, m.n, 100, seed), LBP_E_DELTA_NAN, 3, 3));
  SEEDS(10, is_found(by_ratios_look(&m, nothing, m.n, 100, seed), LBP_E_DELTA_NAN, 3, 3));
}

/* Any sites, up to `most` of n; with more than a hundred ones log pi has a term that the log-ratios lack. */
typedef struct {
  uint32_t n, most;
} crowd;

static uint32_t crowd_ones(const crowd *m, const uint8_t *x) {
  uint32_t i, ones = 0;
  for (i = 0; i < m->n; i++) ones += x[i];
  return ones;
}

static double crowd_delta(const crowd *m, const uint8_t *x, uint32_t i) {
  if (x[i]) return -0.125;
  return crowd_ones(m, x) < m->most ? 0.125 : -HUGE_VAL;
}

static double crowd_logp(const crowd *m, const uint8_t *x) {
  const uint32_t ones = crowd_ones(m, x);
  if (ones > m->most) return -HUGE_VAL;
  return 0.125 * ones + (ones > 100 ? 0.25 * (ones - 100) : 0);
}

static void crowd_deltas(const crowd *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = x[i] ? -0.125 : 0.125;
}

#define CASE        crowded
#define CASE_MODEL  crowd
#define LBP_DELTAS  crowd_deltas
#define LBP_DELTA   crowd_delta
#define LBP_LOGP    crowd_logp
#include "cases/check_case.h"

/* What is far from the state given is reached in several trials. */
static void test_far(void) {
  const crowd m = {1000, 300};
  SEEDS(5, crowded_look(&m, nothing, m.n, 1, seed).status == LBP_OK);
  SEEDS(5, crowded_look(&m, nothing, m.n, 8, seed).status == LBP_E_LOGP);
}

/* A state that is impossible is nothing to begin with: it has a sentence of its own. */
static void test_impossible_start(void) {
  const choice m = choose(40, 40, 10);
  EVERY(3, m, nothing, LBP_E_IMPOSSIBLE);
  CHECK(strstr(lbp_error(LBP_E_IMPOSSIBLE), "impossible") != NULL);
}

/* ---- independent sets -------------------------------------------------------------------------------------------- */

/* No two neighbours on a grid are ones; what flips between impossible states and from there are said to cost: */
enum { OUT_INFINITE, OUT_IMPOSSIBLE, OUT_NAN, OUT_FINITE };

typedef struct {
  web w;
  int out;
} sets;

static int sets_blocked(const sets *m, const uint8_t *x, uint32_t i) {
  uint32_t k, blocked = 0;
  for (k = 0; k < m->w.reaches; k++) {
    blocked += x[(i + m->w.reach[k]) % m->w.n] + x[(i + m->w.n - m->w.reach[k]) % m->w.n];
  }
  return blocked > 0;
}

static double sets_delta(const sets *m, const uint8_t *x, uint32_t i) {
  const double field = 0.0625 * (double)(i % 32);
  if (!sets_blocked(m, x, i)) return x[i] ? -field : field;
  if (x[i] == 0 || m->out == OUT_IMPOSSIBLE) return -HUGE_VAL;
  return m->out == OUT_INFINITE ? HUGE_VAL : m->out == OUT_NAN ? not_a_number() : -field;
}

static uint32_t sets_neighbours(const sets *m, uint32_t i, uint32_t *out) { return web_neighbours(&m->w, i, out); }

static double sets_logp(const sets *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->w.n; i++) {
    if (x[i] && sets_blocked(m, x, i)) return -HUGE_VAL;
    sum += x[i] ? 0.0625 * (double)(i % 32) : 0;
  }
  return sum;
}

static void sets_deltas(const sets *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->w.n; i++) out[i] = sets_delta(m, x, i);
}

#define CASE               hard
#define CASE_MODEL         sets
#define LBP_DELTA          sets_delta
#define LBP_NEIGHBOURS     sets_neighbours
#define LBP_MAX_NEIGHBOURS 5
#include "cases/check_case.h"

#define CASE               hard_told
#define CASE_MODEL         sets
#define CASE_REAL          float
#define LBP_N              1024
#define LBP_DELTA          (float)sets_delta
#define LBP_NEIGHBOURS     sets_neighbours
#define LBP_MAX_NEIGHBOURS 5
#define LBP_LOGP           (float)sets_logp
#include "cases/check_case.h"

#define CASE        hard_dense
#define CASE_MODEL  sets
#define LBP_DELTA   sets_delta
#define LBP_DELTAS  sets_deltas
#include "cases/check_case.h"

/* How many ones there are around every site, saved and restored or not. */
typedef struct {
  uint32_t ones[1024], saved[1024];
} sets_fields;

static void sets_flip(const sets *m, sets_fields *f, const uint8_t *x, uint32_t i) {
  const uint32_t by = x[i] ? 1u : UINT32_MAX;
  uint32_t k;
  for (k = 0; k < m->w.reaches; k++) {
    f->ones[(i + m->w.reach[k]) % m->w.n] += by;
    f->ones[(i + m->w.n - m->w.reach[k]) % m->w.n] += by;
  }
}

static void sets_set(const sets *m, sets_fields *f, const uint8_t *x) {
  uint32_t i;
  memset(f->ones, 0, sizeof f->ones);
  for (i = 0; i < m->w.n; i++) {
    if (x[i]) sets_flip(m, f, x, i);
  }
}

static void sets_save(const sets *m, sets_fields *f) { (void)m, memcpy(f->saved, f->ones, sizeof f->ones); }
static void sets_restore(const sets *m, sets_fields *f) { (void)m, memcpy(f->ones, f->saved, sizeof f->ones); }

static double sets_fields_delta(const sets *m, const sets_fields *f, const uint8_t *x, uint32_t i) {
  const double field = 0.0625 * (double)(i % 32);
  if (f->ones[i] == 0) return x[i] ? -field : field;
  if (x[i] == 0 || m->out == OUT_IMPOSSIBLE) return -HUGE_VAL;
  return m->out == OUT_INFINITE ? HUGE_VAL : not_a_number();
}

#define CASE               hard_kept
#define CASE_MODEL         sets
#define CASE_FIELDS        sets_fields
#define LBP_DELTA          sets_fields_delta
#define LBP_NEIGHBOURS     sets_neighbours
#define LBP_MAX_NEIGHBOURS 5
#define LBP_FIELDS_INIT    sets_set
#define LBP_FLIP           sets_flip
#include "cases/check_case.h"

#define CASE               hard_saving
#define CASE_MODEL         sets
#define CASE_FIELDS        sets_fields
#define LBP_DELTA          sets_fields_delta
#define LBP_NEIGHBOURS     sets_neighbours
#define LBP_MAX_NEIGHBOURS 5
#define LBP_FIELDS_INIT    sets_set
#define LBP_FLIP           sets_flip
#define LBP_SAVE           sets_save
#define LBP_RESTORE        sets_restore
#include "cases/check_case.h"

static void test_independent_sets(void) {
  sets m;
  int out;
  for (out = OUT_INFINITE; out <= OUT_FINITE; out++) {
    m.w = grid(32);
    m.out = out;
    SEEDS(5, hard_told_look(&m, nothing, 1024, 2, seed).status == LBP_OK);
    if (out == OUT_FINITE) { /* a finite log-ratio says that both states are possible, and nothing says that not */
      SEEDS(5, hard_look(&m, nothing, 1024, 2, seed).status == LBP_E_ANTISYMMETRY);
      continue;
    }
    SEEDS(5, hard_look(&m, nothing, 1024, 2, seed).status == LBP_OK);
    SEEDS(5, hard_dense_look(&m, nothing, 1024, 1, seed).status == LBP_OK);
    SEEDS(5, hard_kept_look(&m, nothing, 1024, 2, seed).status == LBP_OK);
    SEEDS(5, hard_saving_look(&m, nothing, 1024, 2, seed).status == LBP_OK);
    m.w.of = 0, m.w.without = 1;
    SEEDS(20, is_found(hard_look(&m, nothing, 1024, 10, seed), LBP_E_NEIGHBOUR_MISSING, 0, 1));
    SEEDS(5, is_found(hard_kept_look(&m, nothing, 1024, 10, seed), LBP_E_NEIGHBOUR_MISSING, 0, 1));
    SEEDS(5, is_found(hard_saving_look(&m, nothing, 1024, 10, seed), LBP_E_NEIGHBOUR_MISSING, 0, 1));
    SEEDS(5, is_found(hard_told_look(&m, nothing, 1024, 10, seed), LBP_E_NEIGHBOUR_MISSING, 0, 1));
    m.w = grid(5);
    m.w.of = 12, m.w.without = 13, m.w.both = 1;
    SEEDS(20, hard_look(&m, nothing, m.w.n, 10, seed).status == LBP_E_NEIGHBOUR_MISSING);
  }
  /* all ones: where the way out is there, the check takes it as a chain would */
  m.w = grid(32);
  memset(possible, 1, 1024);
  m.out = OUT_INFINITE;
  SEEDS(5, hard_look(&m, possible, 1024, 2, seed).status == LBP_OK);
  SEEDS(5, hard_told_look(&m, possible, 1024, 2, seed).status == LBP_OK);
  m.out = OUT_IMPOSSIBLE;
  SEEDS(5, hard_told_look(&m, possible, 1024, 2, seed).status == LBP_E_IMPOSSIBLE);
  m.out = OUT_NAN;
  SEEDS(5, hard_look(&m, possible, 1024, 2, seed).status == LBP_E_DELTA_NAN);
}

/* ---- checked builds ---------------------------------------------------------------------------------------------- */

#undef LBP_CHECKED
#define LBP_CHECKED 1

#define CASE               hard_checked
#define CASE_MODEL         sets
#define LBP_DELTA          sets_delta
#define LBP_NEIGHBOURS     sets_neighbours
#define LBP_MAX_NEIGHBOURS 4
#include "cases/check_case.h"

#define CASE               told_checked
#define CASE_MODEL         sets
#define LBP_DELTA          sets_delta
#define LBP_NEIGHBOURS     sets_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           sets_logp
#include "cases/check_case.h"

#define CASE        by_logp_checked
#define CASE_MODEL  choice
#define LBP_DELTAS  choice_deltas
#define LBP_LOGP    choice_logp
#include "cases/check_case.h"

/* Steps that look at their model as the check does take no right one for wrong. */
static void test_checked_steps(void) {
  choice m = choose(40, 40, 10);
  sets s;
  uint32_t moved;
  CHECK(by_logp_checked_steps(&m, possible, m.n, 4000, &moved) == LBP_OK && moved > 0);
  SEEDS(3, by_logp_checked_look(&m, possible, m.n, 3, seed).status == LBP_OK);
  s.w = grid(16);
  for (s.out = OUT_INFINITE; s.out <= OUT_FINITE; s.out++) {
    if (s.out == OUT_NAN) continue; /* a checked build takes no NaN for an answer */
    CHECK(told_checked_steps(&s, nothing, s.w.n, 2000, &moved) == LBP_OK && moved > 50);
    SEEDS(3, told_checked_look(&s, nothing, s.w.n, 2, seed).status == LBP_OK);
    if (s.out == OUT_FINITE) continue;
    CHECK(hard_checked_steps(&s, nothing, s.w.n, 2000, &moved) == LBP_OK && moved > 50);
    SEEDS(3, hard_checked_look(&s, nothing, s.w.n, 2, seed).status == LBP_OK);
  }
}

/* ---- large penalties and small costs ----------------------------------------------------------------------------- */

/* One of n options with costs 0.05 i, by a penalty. Log-ratios are floats of numbers that are rounded to a grid, and
 * log pi is exact. */
enum { OPTIONS = 100 };

typedef struct { uint32_t n; double penalty, grid; } options;

static float options_delta(const options *m, const uint8_t *x, uint32_t i) {
  const double bias = m->grid > 0 ? m->grid * floor((m->penalty - 0.05 * i) / m->grid + 0.5) : m->penalty - 0.05 * i;
  double slope = bias;
  uint32_t j;
  for (j = 0; j < m->n; j++) slope -= j != i && x[j] ? 2 * m->penalty : 0;
  return (float)(x[i] ? -slope : slope);
}

static uint32_t options_neighbours(const options *m, uint32_t i, uint32_t *out) {
  uint32_t j, count = 0;
  for (j = 0; j < m->n; j++) if (j != i) out[count++] = j;
  return count;
}

static double options_logp(const options *m, const uint8_t *x) {
  double ones = 0, cost = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) ones += x[i], cost += 0.05 * i * x[i];
  return -cost - m->penalty * (ones - 1) * (ones - 1);
}

#define LBP_NAME           options
#define LBP_REAL           float
#define LBP_MODEL_T        options
#define LBP_DELTA          options_delta
#define LBP_NEIGHBOURS     options_neighbours
#define LBP_MAX_NEIGHBOURS OPTIONS
#define LBP_LOGP           options_logp
#define LBP_TEMPERED
#include "../lbp.h"

static int options_status(uint32_t n, double penalty, double grid, float beta) {
  options m;
  options_chain c;
  lbp_rng rng;
  uint8_t x[OPTIONS] = {1};
  static uint64_t ws[LBP_WS_LEN(OPTIONS)];
  m.n = n, m.penalty = penalty, m.grid = grid;
  CHECK(options_init(&c, n, x, ws, LBP_WS_LEN(OPTIONS)) == LBP_OK);
  CHECK(options_temper(&c, beta) == LBP_OK);
  lbp_rng_init(&rng, 1, 0);
  return options_check(&c, &m, 10, &rng).status;
}

/* What a float has no room for is no fault of the model; what a grid of the largest sum takes away is one. */
static void test_penalties(void) {
  double penalty;
  for (penalty = 10; penalty < 1e9; penalty *= 10) {
    CHECK(options_status(3, penalty, 0, 1) == LBP_OK && options_status(OPTIONS, penalty, 0, 1) == LBP_OK);
    CHECK(options_status(OPTIONS, penalty, 0, 0.5f) == LBP_OK);
  }
  CHECK(options_status(OPTIONS, 1e3, 0.5, 1) == LBP_E_LOGP);
  CHECK(options_status(OPTIONS, 1e5, 2, 1) == LBP_E_LOGP);
  CHECK(options_status(OPTIONS, 1e6, 16, 1) == LBP_E_LOGP);
}

int main(void) {
  test_forgotten();
  test_values();
  test_degrees();
  test_untold();
  test_superfluous();
  test_gated();
  test_skewed();
  test_factors();
  test_exactly();
  test_single();
  test_exactly_wrong();
  test_far();
  test_impossible_start();
  test_independent_sets();
  test_checked_steps();
  test_penalties();
  return test_report();
}
