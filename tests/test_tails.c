/* Rare events, and small errors: the acceptance of the very moves that are made, conditional probabilities
 * down to 2^-60, rare proposals, the tails of the normals, the mean that a tuner ends with. By arithmetic: steps draw
 * from a tape, whose deciding word is set to just below and just above where it should decide, so that a factor of
 * 0.998 shows, and so does an acceptance of e^-30 that is taken for 0. Expected values are computed here, in double
 * and by logarithms, from log pi and the formulas alone. Only rare draws are counted: tests at 1e-8, fixed seeds. */
#ifndef LBP_AB_WIDTH
#define LBP_AB_WIDTH 8u
#endif
#include "../lbp_ab.h"
#include "chi2.h"

#ifdef API_QUICK
enum { QUICK = 1 };
#else
enum { QUICK = 0 };
#endif
enum { MOST = 130, TAPE = 16384 };

/* ---- a generator that is a tape ---------------------------------------------------------------------------------- */

typedef struct {
  lbp_rng *source; /* of what is not yet on it */
  uint32_t used, filled;
  uint64_t word[TAPE];
} tape;

static uint64_t tape_next(tape *t) {
  if (t->used == TAPE) exit(3);
  if (t->used == t->filled) t->word[t->filled++] = lbp_rng_u64(t->source);
  return t->word[t->used++];
}

static void tape_record(tape *t, lbp_rng *source) {
  t->source = source;
  t->used = t->filled = 0;
}

/* From its beginning, as far as the other has been played. */
static void tape_copy(tape *t, const tape *other) {
  t->source = other->source;
  t->used = 0;
  t->filled = other->filled;
  memcpy(t->word, other->word, other->filled * sizeof t->word[0]);
}

/* ---- what was found ---------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t judged, rare, trials, wrong;
  double worst; /* the largest deviation of a logarithm, in parts of what is granted */
  double want, slack;
  double got, wanted; /* the first that was wrong */
} verdict;

static void verdict_wrong(verdict *f, double got, double want) {
  if (f->wrong++ > 0) return;
  f->got = got;
  f->wanted = want;
}

/* More, where the compiler may change formulas. */
static double verdict_slack(double slack) { return TEST_ALIKE ? slack : 8 * slack + 1e-5; }

/* An acceptance probability against the logarithm of the ratio. Returns whether its trial can be judged. */
static int verdict_accept(verdict *f, double want, double got, double slack) {
  double gap;
  f->want = want > 0 ? 0 : want;
  f->slack = slack = verdict_slack(slack);
  if (f->want < -70) {
    if (got > 1e-30) verdict_wrong(f, log(got), want);
    return 0;
  }
  gap = fabs(log(got) - f->want) / slack;
  if (!(gap <= 1)) verdict_wrong(f, log(got), want);
  if (gap > f->worst) f->worst = gap;
  f->judged++;
  f->rare += f->want < -7 && f->want > -35;
  return f->want > -35;
}

/* The deciding word, just below (k = 0) or above (k = 1) where it should decide; its last bit is of use elsewhere. */
static uint64_t verdict_word(const verdict *f, uint32_t k, uint64_t old) {
  const double at = exp(f->want) * 18446744073709551616.0, margin = at * f->slack + 256;
  const double word = k ? at + margin : at - margin;
  const uint64_t whole = word < 0 ? 0 : word >= 18446744073709549568.0 ? UINT64_MAX : (uint64_t)word;
  return (whole & ~(uint64_t)1) | (old & 1);
}

static void verdict_trial(verdict *f, uint32_t k, uint32_t accepted) {
  const double at = exp(f->want);
  f->trials++;
  if (k == 1 && at + at * f->slack > 1 - 1e-15) return; /* no word is above */
  if (accepted != (k == 0)) verdict_wrong(f, k ? -1000 : 1000, f->want);
}

/* So many of 2^64 words, against a logarithm. */
static void verdict_part(verdict *f, double words, double want, double slack) {
  const double got = log(words + 1e-300) - 44.3614195558364998; /* log 2^64 */
  const double gap = fabs(got - want) / (verdict_slack(slack) + 4 * exp(-want - 41.5));
  if (want < -35) return;
  if (!(gap <= 1)) verdict_wrong(f, got, want);
  if (gap > f->worst) f->worst = gap;
  f->judged++;
  f->rare += want < -7;
}

static void verdict_report(const verdict *f, const char *what, uint32_t least, uint32_t least_rare) {
  char text[200];
  snprintf(text, sizeof text, "%.60s: %u judged, %u rare, %u trials, %u wrong (got %g, want %g), worst %.2g", what,
           f->judged, f->rare, f->trials, f->wrong, f->got, f->wanted, f->worst);
  test_count(f->wrong == 0 && f->judged >= least && f->rare >= least_rare, __FILE__, __LINE__, text);
}

/* ---- lbp.h ------------------------------------------------------------------------------------------------------- */

/* log pi = sum_i h_i s_i + J s_i s_{i+1} around a ring, s = 2 x - 1. */
typedef struct {
  uint32_t n;
  double h[MOST], J;
} ring;

static ring make_ring(uint32_t n, double spread, double J, uint64_t seed) {
  ring m;
  lbp_rng rng;
  uint32_t i;
  lbp_rng_init(&rng, seed, 1);
  memset(&m, 0, sizeof m);
  m.n = n;
  m.J = J;
  for (i = 0; i < n; i++) m.h[i] = spread * (2 * lbp_u01(lbp_rng_u64(&rng)) - 1);
  return m;
}

static double ring_logp(const ring *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    const uint32_t next = (i + 1) % m->n;
    sum += x[i] ? m->h[i] : -m->h[i];
    if (next != i) sum += x[i] == x[next] ? m->J : -m->J;
  }
  return sum;
}

static double ring_delta(const ring *m, const uint8_t *x, uint32_t i) {
  const uint32_t left = (i + m->n - 1) % m->n, right = (i + 1) % m->n;
  double field = m->h[i];
  if (left != i) field += m->J * ((x[left] ? 1 : -1) + (x[right] ? 1 : -1));
  return x[i] ? -2 * field : 2 * field;
}

static uint32_t ring_neighbours(const ring *m, uint32_t i, uint32_t *out) {
  const uint32_t left = (i + m->n - 1) % m->n, right = (i + 1) % m->n;
  if (m->J == 0 || left == i) return 0;
  out[0] = left;
  out[1] = right;
  return left == right ? 1 : 2;
}

typedef enum { STEP_LBP, STEP_GWG, STEP_RWM } step_kind;

#define CASE            near_double
#define CASE_NAME       "local, double"
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_BARKER
#define CASE_SORT_ABOVE 8
#define CASE_NEIGHBOURS 2
#include "cases/tails_case.h"

#define CASE            near_float
#define CASE_NAME       "local, float"
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_SQRT
#define CASE_SORT_ABOVE 0
#define CASE_NEIGHBOURS 2
#include "cases/tails_case.h"

#define CASE            alone_float
#define CASE_NAME       "independent, float"
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_SORT_ABOVE 0
#define CASE_NEIGHBOURS 0
#include "cases/tails_case.h"

#define CASE            dense_double
#define CASE_NAME       "dense, double"
#define CASE_REAL       double
#define CASE_WEIGHT     LBP_SQRT
#define CASE_SORT_ABOVE 8
#define CASE_NEIGHBOURS -1
#include "cases/tails_case.h"

#define CASE            dense_float
#define CASE_NAME       "dense, float"
#define CASE_REAL       float
#define CASE_WEIGHT     LBP_BARKER
#define CASE_SORT_ABOVE 0
#define CASE_NEIGHBOURS -1
#include "cases/tails_case.h"

/* ---- lbp_ab.h ---------------------------------------------------------------------------------------------------- */

/* log pi = sum_i h_i u_i - A (u_i - 1)^2 / 2 + C u_i u_{i+1}, where u = 2 x / (S - 1) is in [0, 2]. */
typedef struct {
  uint32_t d, states;
  double h[MOST], A, C;
} path;

static path make_path(uint32_t d, uint32_t states, uint64_t seed) {
  path m;
  lbp_rng rng;
  uint32_t i;
  lbp_rng_init(&rng, seed, 2);
  memset(&m, 0, sizeof m);
  m.d = d;
  m.states = states;
  m.A = 3;
  m.C = 0.7; /* many coordinates as steep as few would make every move improbable */
  for (i = 0; i < d; i++) m.h[i] = (d > 64 ? 5 : 16) * (lbp_u01(lbp_rng_u64(&rng)) - 0.5);
  return m;
}

static double path_gradient(const path *m, const uint8_t *x, double *out) {
  const double unit = 2.0 / (m->states - 1);
  double logp = 0;
  uint32_t i;
  for (i = 0; i < m->d; i++) {
    const double u = unit * x[i], left = i > 0 ? unit * x[i - 1] : 0, right = i + 1 < m->d ? unit * x[i + 1] : 0;
    out[i] = unit * (m->h[i] - m->A * (u - 1) + m->C * (left + right));
    logp += m->h[i] * u - m->A * (u - 1) * (u - 1) / 2 + m->C * u * right;
  }
  return logp;
}

/* W = right times the Hessian. */
static void path_hessian(const path *m, double right, double *W) {
  const double square = right * 4.0 / (m->states - 1) / (m->states - 1);
  uint32_t i;
  memset(W, 0, m->d * m->d * sizeof *W);
  for (i = 0; i < m->d; i++) {
    W[i * m->d + i] = -m->A * square;
    if (i + 1 < m->d) W[i * m->d + i + 1] = W[(i + 1) * m->d + i] = m->C * square;
  }
}

#define CASE       wide
#define CASE_NAME  "double"
#define CASE_REAL  double
#define CASE_SLACK(S) 1e-9
#include "cases/tails_ab_case.h"

#define CASE       narrow
#define CASE_NAME  "float"
#define CASE_REAL  float
#define CASE_SLACK(S) (2e-5 + 6e-8 * (S) * (S)) /* weights come from S products */
#include "cases/tails_ab_case.h"

int main(void) {
  near_double_test();
  near_float_test();
  alone_float_test();
  dense_double_test();
  dense_float_test();
  wide_test();
  narrow_test();
  return test_report();
}
