/* AB with a momentum, NAME_momentum_step of lbp_ab.h, against enumeration: 6 binary sites, 3 sites of 4 values, dense
 * and sparse W, both precisions, clamped sites, temperatures.
 *
 * From states drawn from pi, five steps must lead to pi again, and leave the momentum distributed as N(0, W + D),
 * independent of the state; so must steps in turns with all others, and with changes of the chain. One step without
 * refreshment must satisfy generalised detailed balance for the state and the signs of the momentum, which is drawn
 * here, by another root than the library's. More sites than are handled together follow their law in closed form. Then
 * refusals of the step. Statistical tests: 1e-8 false-alarm probability each, fixed seeds. */
#include <stdlib.h>

#define LBP_AB_WIDTH 8u
#include "../lbp_ab.h"
#include "chi2.h"

enum { SITES = 6, MOST_CELLS = 64, STEPS = 5 };
#ifndef MOMENTUM_CHAINS
#ifdef API_QUICK
#define MOMENTUM_CHAINS 6000
#else
#define MOMENTUM_CHAINS 100000
#endif
#endif
enum { CHAINS = MOMENTUM_CHAINS };

/* log pi = h.x + x'Jx / 2 + cubic sum_i x_i^3, but `instead` where x_0 is `never`, unless that is 0. */
typedef struct {
  uint32_t n, states, never;
  double instead;
  double J[SITES * SITES], h[SITES], cubic;
} toy;

static double toy_gradient(const toy *m, const uint8_t *x, double *out) {
  double f = 0;
  uint32_t i, j;
  for (i = 0; i < m->n; i++) {
    double field = 0;
    for (j = 0; j < m->n; j++) field += m->J[i * m->n + j] * x[j];
    out[i] = m->h[i] + field + m->cubic * 3 * x[i] * x[i];
    f += x[i] * (m->h[i] + field / 2) + m->cubic * x[i] * x[i] * x[i];
  }
  return m->never && x[0] == m->never ? m->instead : f;
}

static float toy_gradient_f(const toy *m, const uint8_t *x, float *out) {
  double gradient[SITES];
  const double f = toy_gradient(m, x, gradient);
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = (float)gradient[i];
  return (float)f;
}

#define LBP_NAME     wide
#define LBP_MODEL_T  toy
#define LBP_GRADIENT toy_gradient
#define LBP_CLAMPED
#include "../lbp_ab.h"

#define LBP_NAME     narrow
#define LBP_MODEL_T  toy
#define LBP_REAL     float
#define LBP_GRADIENT toy_gradient_f
#include "../lbp_ab.h"

/* ---- models and their second orders ------------------------------------------------------------------------------ */

/* Pairs of neighbours in a row, or all pairs. The diagonal is 0 for two values, whose squares are these themselves. */
static toy toy_make(uint32_t n, uint32_t states, int all, uint64_t seed) {
  toy m;
  lbp_rng rng;
  uint32_t i, j;
  memset(&m, 0, sizeof m);
  m.n = n;
  m.states = states;
  lbp_rng_init(&rng, seed, 7);
  for (i = 0; i < n; i++) {
    m.h[i] = 1.2 * lbp_u01(lbp_rng_u64(&rng)) - 0.6;
    for (j = 0; j <= i; j++) {
      const double u = (all ? 1.6 : 2.4) * lbp_u01(lbp_rng_u64(&rng)) - (all ? 0.8 : 1.2);
      m.J[i * n + j] = m.J[j * n + i] = i != j ? (all || j + 1 == i ? u : 0) : states == 2 ? 0 : -0.9;
    }
  }
  return m;
}

/* W = J, dense with D of least trace, or sparse by rows with a dominant D; `room` more than that. */
typedef struct {
  uint32_t start[SITES + 1], column[SITES * SITES];
  double dense[SITES * SITES], value[SITES * SITES], D[SITES];
  double L[SITES * SITES]; /* L L' = W + D, where that is regular */
  lbp_symmetric W;
} second;

static void second_make(second *s, const toy *m, int sparse, double room) {
  const uint32_t n = m->n;
  double work[4096];
  uint32_t i, j, k, entries = 0;
  memset(s, 0, sizeof *s);
  s->W.n = n;
  for (i = 0; i < n; i++) {
    s->start[i] = entries;
    for (j = 0; j < n; j++) {
      s->dense[i * n + j] = m->J[i * n + j];
      if (m->J[i * n + j] == 0 && j != i) continue;
      s->column[entries] = j;
      s->value[entries++] = m->J[i * n + j];
    }
  }
  s->start[n] = entries;
  if (sparse) {
    s->W.start = s->start;
    s->W.column = s->column;
    s->W.value = s->value;
  } else {
    s->W.dense = s->dense;
  }
  CHECK(lbp_diagonal(sparse ? LBP_DIAGONAL_DOMINANT : LBP_DIAGONAL_TRACE, &s->W, s->D, work, 4096) == LBP_OK);
  for (i = 0; i < n; i++) s->D[i] += room * (i + 1);
  for (i = 0; i < n; i++) {
    for (j = 0; j <= i; j++) {
      double sum = m->J[i * n + j] + (i == j ? s->D[i] : 0);
      for (k = 0; k < j; k++) sum -= s->L[i * n + k] * s->L[j * n + k];
      s->L[i * n + j] = i == j ? sqrt(sum > 0 ? sum : 0) : s->L[j * n + j] > 0 ? sum / s->L[j * n + j] : 0;
    }
  }
}

static uint32_t cells_of(const toy *m) {
  uint32_t cells = 1, i;
  for (i = 0; i < m->n; i++) cells *= m->states;
  return cells;
}

static void decode(const toy *m, uint32_t cell, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < m->n; i++, cell /= m->states) x[i] = (uint8_t)(cell % m->states);
}

static uint32_t encode(const toy *m, const uint8_t *x) {
  uint32_t cell = 0, i;
  for (i = m->n; i-- > 0;) cell = cell * m->states + x[i];
  return cell;
}

/* pi^beta, given that sites of the mask have the values of `given`. */
static void make_law(const toy *m, double beta, const uint8_t *mask, const uint8_t *given, double *law) {
  const uint32_t cells = cells_of(m);
  double gradient[SITES], sum = 0;
  uint8_t x[SITES];
  uint32_t k, i;
  for (k = 0; k < cells; k++) {
    int agrees = 1;
    decode(m, k, x);
    for (i = 0; mask && i < m->n; i++) agrees &= !mask[i] || x[i] == given[i];
    sum += law[k] = agrees ? exp(beta * toy_gradient(m, x, gradient)) : 0;
  }
  for (k = 0; k < cells; k++) law[k] /= sum;
}

static uint32_t draw(const double *law, uint32_t cells, lbp_rng *rng) {
  double u = lbp_u01(lbp_rng_u64(rng));
  uint32_t k = 0;
  while (k + 1 < cells && (u >= law[k] || law[k] <= 0)) u -= law[k++];
  return k;
}

/* Two standard normals. */
static void normals(lbp_rng *rng, double *a, double *b) {
  const double radius = sqrt(-2 * log(1 - lbp_u01(lbp_rng_u64(rng))));
  const double turn = 6.283185307179586 * lbp_u01(lbp_rng_u64(rng));
  *a = radius * cos(turn);
  *b = radius * sin(turn);
}

/* zeta ~ N(0, W + D), by the root L. */
static void draw_momentum(const second *s, uint32_t n, lbp_rng *rng, double *zeta) {
  double xi[SITES + 1];
  uint32_t i, k;
  for (i = 0; i < n; i += 2) normals(rng, &xi[i], &xi[i + 1]);
  for (i = 0; i < n; i++) {
    for (zeta[i] = 0, k = 0; k <= i; k++) zeta[i] += s->L[i * n + k] * xi[k];
  }
}

/* L^-1 zeta. */
static void whiten(const second *s, uint32_t n, const double *zeta, double *xi) {
  uint32_t i, k;
  for (i = 0; i < n; i++) {
    for (xi[i] = zeta[i], k = 0; k < i; k++) xi[i] -= s->L[i * n + k] * xi[k];
    xi[i] /= s->L[i * n + i];
  }
}

/* ---- five steps from pi ------------------------------------------------------------------------------------------ */

/* Sums over chains of what the momentum is when they end: u = L^-1 zeta is standard normal, independent of x. */
typedef struct {
  double mean[SITES], square[SITES], product[SITES][SITES], with_x[SITES][SITES];
} sums;

static void sums_add(sums *a, const toy *m, const double *u, const uint8_t *x) {
  uint32_t i, j;
  for (i = 0; i < m->n; i++) {
    a->mean[i] += u[i];
    a->square[i] += u[i] * u[i] - 1;
    for (j = 0; j < i; j++) a->product[i][j] += u[i] * u[j];
    for (j = 0; j < m->n; j++) a->with_x[i][j] += u[i] * (x[j] - 0.5 * (m->states - 1));
  }
}

/* Chi-squared of all these, each over its standard deviation; `moment` is E (x_j - middle)^2. */
static double sums_judge(const sums *a, const toy *m, const double *law) {
  double statistic = 0, degrees = 0, moment[SITES] = {0};
  uint8_t x[SITES];
  uint32_t i, j, k;
  for (k = 0; k < cells_of(m); k++) {
    decode(m, k, x);
    for (j = 0; j < m->n; j++) moment[j] += law[k] * pow(x[j] - 0.5 * (m->states - 1), 2);
  }
  for (i = 0; i < m->n; i++) {
    statistic += a->mean[i] * a->mean[i] / CHAINS + a->square[i] * a->square[i] / (2.0 * CHAINS);
    for (j = 0; j < i; j++) statistic += a->product[i][j] * a->product[i][j] / CHAINS;
  }
  degrees = 2 * m->n + m->n * (m->n - 1) / 2.0;
  if (chi2_tail(statistic, degrees) < CHI2_LEVEL) return 0;
  for (i = 0; i < m->n; i++) { /* mean and x's part are not independent: by themselves */
    for (j = 0; j < m->n; j++) {
      const double z = a->with_x[i][j] / sqrt(moment[j] * CHAINS);
      if (0.5 * erfc(fabs(z) / sqrt(2.0)) < CHI2_LEVEL / (m->n * m->n)) return 0;
    }
  }
  return chi2_tail(statistic, degrees);
}

typedef struct {
  double eps, relax, beta;
  double before;       /* inverse temperature of two steps before, from another state; 0: there are none */
  const uint8_t *mask; /* clamped sites */
} how;

#define INVARIANT(NAME, CLAMP) \
  static void NAME##_invariant(const toy *m, const second *s, how h, uint64_t seed, const char *what) { \
    const uint32_t cells = cells_of(m); \
    const size_t bytes = NAME##_curvature_bytes(&s->W, s->D, 1); \
    uint32_t reached[MOST_CELLS] = {0}, t, k, i, failed = 0, moved = 0; \
    NAME##_real ws[LBP_WS_LEN_AB(SITES)]; \
    double law[MOST_CELLS], old[MOST_CELLS], u[SITES], zeta[SITES], before, p, q; \
    uint8_t x[SITES] = {0}, given[SITES] = {0}; \
    void *memory = malloc(bytes); \
    NAME##_curvature curvature; \
    NAME##_chain c; \
    char text[240]; \
    lbp_rng rng; \
    sums a; \
    if (!memory) abort(); \
    memset(&a, 0, sizeof a); \
    memset(&c, 0, sizeof c); \
    memset(&curvature, 0, sizeof curvature); \
    lbp_rng_init(&rng, seed, 0); \
    for (i = 0; i < m->n; i++) given[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(&rng), m->states); \
    make_law(m, h.beta, h.mask, given, law); \
    make_law(m, h.before, h.mask, given, old); \
    CHECK(NAME##_curvature_init(&curvature, &s->W, s->D, 1, memory, bytes) == LBP_OK); \
    CHECK(NAME##_init(&c, m->n, m->states, x, ws, LBP_WS_LEN_AB(SITES)) == LBP_OK); \
    CLAMP \
    for (t = 0; t < CHAINS; t++) { \
      c.momentum_of = NULL; \
      for (k = h.before > 0 ? 0 : 2; k < STEPS + 2; k++) { \
        NAME##_info info; \
        if (k == 0) decode(m, draw(old, cells, &rng), x), NAME##_temper(&c, (NAME##_real)h.before); \
        if (k == 2) decode(m, draw(law, cells, &rng), x), NAME##_temper(&c, (NAME##_real)h.beta); \
        if (k == 0 || k == 2) c.logp_ready = c.gradient_ready = 0; /* NAME_touch would drop noise and momentum */ \
        before = c.gradient_ready ? (double)c.logp : toy_gradient(m, x, zeta); \
        info = NAME##_momentum_step(&c, m, &curvature, (NAME##_real)h.eps, (NAME##_real)h.relax, &rng); \
        failed += fabs((double)info.log_ratio - (double)c.beta * ((double)c.logp - before)) > 1e-4; \
        failed += info.status != LBP_OK || info.accept < 1 || !info.accepted || info.jump != info.proposed; \
        moved += info.changed; \
      } \
      reached[encode(m, x)]++; \
      for (i = 0; i < m->n; i++) zeta[i] = (double)c.momentum[i]; \
      whiten(s, m->n, zeta, u); \
      sums_add(&a, m, u, x); \
    } \
    p = chi2_counts(reached, law, cells, CHAINS); \
    q = sums_judge(&a, m, law); \
    snprintf(text, sizeof text, "%.40s, eps %g, relax %g, beta %g: law p = %.2g, momentum p = %.2g", what, h.eps, h.relax, \
             h.beta, p, q); \
    CHECK(failed == 0); \
    test_count(p > CHI2_LEVEL && q > CHI2_LEVEL, __FILE__, __LINE__, text); \
    test_count(moved > STEPS * CHAINS / 20, __FILE__, __LINE__, text); \
    free(memory); \
  }
INVARIANT(wide, CHECK(wide_clamp(&c, h.mask) == LBP_OK);)
INVARIANT(narrow, )

/* ---- in turns with other steps ----------------------------------------------------------------------------------- */

enum { TURN_AB, TURN_AB_OTHER, TURN_DLP, TURN_RWM, TURN_GIBBS, TURN_TOUCH, TURN_CLAMP, TURN_OTHER, TURN_TEMPER, TURNS };
static const char *const turn_names[TURNS] = {"AB", "AB of another curvature", "DLP", "RWM", "Gibbs", "touch", "clamp",
                                              "another curvature", "clamping all, at another temperature"};

/* From pi, steps with a momentum before and after whatever else one does with a chain: all of it leaves pi as it is, and
 * what it leaves of the momentum is as it should be. */
static void test_turns(const toy *m, const second *s, uint64_t seed, const char *what) {
  enum { TRIALS = CHAINS };
  static const uint8_t mask[SITES] = {0, 1, 1, 0, 1, 0}, all[SITES] = {1, 1, 1, 1, 1, 1};
  const uint32_t cells = cells_of(m);
  const size_t bytes = wide_curvature_bytes(&s->W, s->D, 1);
  const wide_scale ab = wide_second_order_d(2, 1, 0.8), dlp = wide_first_order(0.7, 0.5);
  double ws[LBP_WS_LEN_AB(SITES)], law[MOST_CELLS], D[SITES], u[SITES], p, q;
  uint8_t x[SITES] = {0};
  char *memory = (char *)malloc(2 * bytes + 64);
  wide_curvature curvature, other;
  wide_chain c;
  char text[200];
  lbp_rng rng;
  sums a;
  uint32_t turn, t, i, k;
  if (!memory) abort();
  make_law(m, 1, NULL, NULL, law);
  for (i = 0; i < m->n; i++) D[i] = s->D[i] + 0.7;
  CHECK(wide_curvature_init(&curvature, &s->W, s->D, 1, memory, bytes) == LBP_OK);
  CHECK(wide_curvature_init(&other, &s->W, D, 1, memory + (bytes + 63) / 64 * 64, bytes) == LBP_OK);
  for (turn = 0; turn < TURNS; turn++) {
    uint32_t reached[MOST_CELLS] = {0}, failed = 0, changed = 0;
    lbp_rng_init(&rng, seed + turn, 6);
    memset(&a, 0, sizeof a);
    CHECK(wide_init(&c, m->n, m->states, x, ws, LBP_WS_LEN_AB(SITES)) == LBP_OK);
    for (t = 0; t < TRIALS; t++) {
      decode(m, draw(law, cells, &rng), x);
      c.momentum_of = NULL;
      c.logp_ready = c.gradient_ready = 0;
      for (k = 0; k < 5; k++) {
        wide_info info;
        memset(&info, 0, sizeof info);
        if (k % 2 == 0) {
          info = wide_momentum_step(&c, m, &curvature, 0.9, 0.4, &rng);
          failed += info.status != LBP_OK || !info.accepted;
          continue;
        }
        if (turn == TURN_AB) info = wide_ab_step(&c, m, &curvature, &ab, &rng);
        if (turn == TURN_AB_OTHER) info = wide_ab_step(&c, m, &other, &ab, &rng);
        if (turn == TURN_DLP) info = wide_ab_step(&c, m, NULL, &dlp, &rng);
        if (turn == TURN_RWM) info = wide_rwm_step(&c, m, 0.7, &rng);
        if (turn == TURN_GIBBS) info = wide_gibbs_step(&c, m, &rng);
        if (turn == TURN_TOUCH) wide_touch(&c);
        if (turn == TURN_OTHER) info = wide_momentum_step(&c, m, &other, 0.5, 1, &rng);
        if (turn == TURN_CLAMP) {
          failed += wide_clamp(&c, mask) != LBP_OK;
          for (i = 0; i < 2; i++) {
            const uint8_t held[3] = {x[1], x[2], m->n > 4 ? x[4] : (uint8_t)0};
            info = wide_momentum_step(&c, m, &curvature, 0.9, 1, &rng);
            failed += info.status != LBP_OK || x[1] != held[0] || x[2] != held[1] || (m->n > 4 && x[4] != held[2]);
          }
          failed += wide_clamp(&c, NULL) != LBP_OK;
        }
        if (turn == TURN_TEMPER) { /* what the chain keeps is zeta at temperature 1 */
          const double before = c.momentum[0];
          failed += wide_temper(&c, 0.2) != LBP_OK || c.momentum[0] != before || wide_clamp(&c, all) != LBP_E_CLAMPED;
          failed += wide_momentum_step(&c, m, &curvature, 0.9, 1, &rng).status != LBP_E_CLAMPED;
          failed += wide_temper(&c, 1) != LBP_OK || c.momentum[0] != before;
          failed += wide_clamp(&c, NULL) != LBP_OK;
        }
        failed += info.status != LBP_OK;
        changed += info.changed;
      }
      reached[encode(m, x)]++;
      whiten(s, m->n, c.momentum, u);
      sums_add(&a, m, u, x);
    }
    p = chi2_counts(reached, law, cells, TRIALS);
    q = sums_judge(&a, m, law);
    snprintf(text, sizeof text, "%.40s, in turns with %s: law p = %.2g, momentum p = %.2g", what, turn_names[turn], p, q);
    test_count(p > CHI2_LEVEL && q > CHI2_LEVEL && failed == 0, __FILE__, __LINE__, text);
    CHECK((turn == TURN_TOUCH || turn == TURN_TEMPER) == (changed == 0));
  }
  free(memory);
}

/* ---- generalised detailed balance -------------------------------------------------------------------------------- */

/* Which of the state and of the signs of the momentum's first two entries: cells x 4. */
static uint32_t joint(const toy *m, const uint8_t *x, const double *zeta) {
  return encode(m, x) * 4 + (zeta[0] < 0) + 2 * (zeta[1] < 0);
}

/* From (x, zeta) to (y, zeta'), which must be as frequent as from (y, -zeta') to (x, -zeta). What is drawn anew of the
 * momentum is too little to see. */
static void test_balance(const toy *m, const second *s, double relax, uint64_t seed, const char *what) {
  enum { CELLS = 4 * MOST_CELLS, TRIALS = 4 * CHAINS };
  static uint32_t passed[CELLS][CELLS];
  const uint32_t cells = cells_of(m);
  const size_t bytes = wide_curvature_bytes(&s->W, s->D, 1);
  double ws[LBP_WS_LEN_AB(SITES)], law[MOST_CELLS], zeta[SITES + 1], statistic = 0, p;
  uint8_t x[SITES] = {0};
  void *memory = malloc(bytes);
  wide_curvature curvature;
  wide_chain c;
  char text[160];
  lbp_rng rng;
  uint32_t t, i, k, pairs = 0;
  if (!memory) abort();
  memset(passed, 0, sizeof passed);
  lbp_rng_init(&rng, seed, 1);
  make_law(m, 1, NULL, NULL, law);
  CHECK(wide_curvature_init(&curvature, &s->W, s->D, 1, memory, bytes) == LBP_OK);
  CHECK(wide_init(&c, m->n, m->states, x, ws, LBP_WS_LEN_AB(SITES)) == LBP_OK);
  for (t = 0; t < TRIALS; t++) {
    uint32_t from;
    decode(m, draw(law, cells, &rng), x);
    draw_momentum(s, m->n, &rng, zeta);
    from = joint(m, x, zeta);
    memcpy(c.momentum, zeta, m->n * sizeof *zeta);
    c.momentum_of = &curvature;
    c.logp_ready = c.gradient_ready = 0;
    wide_momentum_step(&c, m, &curvature, 1 - 1e-15, relax, &rng);
    passed[from][joint(m, x, c.momentum)]++;
  }
  for (k = 0; k < 4 * cells; k++) {
    for (i = 0; i < 4 * cells; i++) { /* the signs are the two lowest bits of a cell */
      const double there = passed[k][i], back = passed[i ^ 3][k ^ 3];
      if (k * 4 * cells + i >= (i ^ 3) * 4 * cells + (k ^ 3) || there + back < 10) continue;
      statistic += (there - back) * (there - back) / (there + back);
      pairs++;
    }
  }
  p = pairs ? chi2_tail(statistic, pairs) : 0;
  snprintf(text, sizeof text, "%.40s, relax %g: generalised detailed balance of %u pairs, p = %.2g", what, relax,
           (unsigned)pairs, p);
  test_count(p > CHI2_LEVEL && pairs > 100, __FILE__, __LINE__, text);
  free(memory);
}

/* ---- where one site goes ----------------------------------------------------------------------------------------- */

/* One site's moves, given its momentum, against the formula: of w uniform on x's part [F(x - 1), F(x)) of its
 * conditional distribution, the value whose part has 1 - w. */
static void test_moves(uint32_t states, double relax, uint64_t seed) {
  enum { TRIALS = 4 * CHAINS, MOST = 64 };
  double ws[LBP_WS_LEN_AB(1)], J = states == 2 ? 0 : -20.0 / (states * states), D = 2.5 * (states == 2 ? 1 : -J);
  double law[MOST], F[MOST + 1], go[MOST];
  toy m;
  lbp_symmetric W;
  wide_curvature curvature;
  wide_chain c;
  const uint32_t start[2] = {0, 0};
  const size_t room = 1024;
  void *memory = malloc(room);
  uint32_t seen[MOST] = {0}, t, k, from, wrong = 0;
  uint8_t x[1] = {0};
  double zeta, total = 0, p;
  char text[160];
  lbp_rng rng;
  if (!memory) abort();
  memset(&m, 0, sizeof m);
  memset(&W, 0, sizeof W);
  memset(&c, 0, sizeof c);
  m.n = W.n = 1;
  m.states = states;
  m.J[0] = J;
  W.dense = &J;
  W.start = start; /* not read: for GCC, which warns of what a sparse W would read of this one */
  lbp_rng_init(&rng, seed, 4);
  m.h[0] = -J * (states * (0.3 + 0.4 * lbp_u01(lbp_rng_u64(&rng))));
  zeta = sqrt(J + D) * (2 * lbp_u01(lbp_rng_u64(&rng)) - 1);
  from = (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), states);
  for (k = 0; k < states; k++) {
    const double field = m.h[0] + J * from + zeta + D * from;
    total += law[k] = exp(field * k - D * k * k / 2 - field * field / (2 * D)); /* all over their maximum */
  }
  for (F[0] = 0, k = 0; k < states; k++) F[k + 1] = F[k] + (law[k] /= total);
  for (k = 0; k < states; k++) { /* 1 - F(from) to 1 - F(from - 1), and what k has of that */
    const double low = test_larger(1 - F[from + 1], F[k]), high = -test_larger(F[from] - 1, -F[k + 1]);
    go[k] = (1 - relax) * law[k] + relax * test_larger(high - low, 0) / law[from];
  }
  CHECK(wide_curvature_init(&curvature, &W, &D, 1, memory, room) == LBP_OK);
  CHECK(wide_init(&c, 1, states, x, ws, LBP_WS_LEN_AB(1)) == LBP_OK);
  for (t = 0; t < TRIALS; t++) {
    x[0] = (uint8_t)from;
    c.logp_ready = c.gradient_ready = 0;
    c.momentum[0] = zeta;
    c.momentum_of = &curvature;
    wrong += wide_momentum_step(&c, &m, &curvature, 1 - 1e-15, relax, &rng).status != LBP_OK;
    seen[x[0]]++;
  }
  p = chi2_counts(seen, go, states, TRIALS);
  snprintf(text, sizeof text, "%u values, relax %g, from %u: p = %.2g", (unsigned)states, relax, (unsigned)from, p);
  test_count(p > CHI2_LEVEL && wrong == 0, __FILE__, __LINE__, text);
  free(memory);
}

/* ---- more sites than are handled together ------------------------------------------------------------------------ */

/* Independent sites: log pi = sum_i h_i x_i - curve x_i^2 / 2. Of two values the curve is a field. */
enum { MANY = 300 };

typedef struct {
  uint32_t n;
  float h[MANY], curve;
} product;

static float product_gradient(const product *m, const uint8_t *x, float *out) {
  double f = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    out[i] = m->h[i] - m->curve * x[i];
    f += x[i] * (m->h[i] - 0.5 * m->curve * x[i]);
  }
  return (float)f;
}

#define LBP_NAME     many
#define LBP_MODEL_T  product
#define LBP_REAL     float
#define LBP_GRADIENT product_gradient
#define LBP_CLAMPED
#include "../lbp_ab.h"

static void test_many(uint32_t n, uint32_t states, float relax, uint64_t seed) {
  enum { TRIALS = CHAINS / 6 };
  static float ws[LBP_WS_LEN_AB(MANY)];
  static uint32_t seen[MANY][256], start[MANY + 1], column[MANY];
  static double law[MANY][256], value[MANY], D[MANY];
  const double width = states / 8.0, curve = states == 2 ? 0 : 1 / (width * width);
  uint8_t x[MANY] = {0}, mask[MANY] = {0};
  double least = 1;
  product m;
  lbp_symmetric W;
  many_curvature curvature;
  many_chain c;
  void *memory;
  size_t bytes;
  lbp_rng rng;
  uint32_t t, i, k, held = 0, wrong = 0;
  char text[160];
  memset(&m, 0, sizeof m);
  memset(&W, 0, sizeof W);
  memset(&c, 0, sizeof c);
  memset(seen, 0, sizeof seen);
  m.n = W.n = n;
  m.curve = (float)curve;
  W.start = start, W.column = column, W.value = value;
  lbp_rng_init(&rng, seed, 2);
  for (i = 0; i < n; i++) {
    double sum = 0;
    start[i] = column[i] = i;
    value[i] = -(double)m.curve;
    D[i] = (states == 2 ? 1.2 : 1.7 * (double)m.curve) * (1 + i % 3);
    m.h[i] = (float)(states == 2 ? 0.3 * (i % 5) - 0.5 : curve * (states * (0.2 + 0.15 * (i % 5))));
    for (k = 0; k < states; k++) {
      sum += law[i][k] = exp(k * ((double)m.h[i] - 0.5 * (double)m.curve * k) - 0.5 * (double)m.h[i] * (double)m.h[i] *
                                                                                    (curve > 0 ? 1 / curve : 0));
    }
    for (k = 0; k < states; k++) law[i][k] /= sum;
    mask[i] = i % 11 == 10;
  }
  start[n] = n;
  bytes = many_curvature_bytes(&W, D, 1);
  memory = malloc(bytes);
  if (!memory) abort();
  CHECK(many_curvature_init(&curvature, &W, D, 1, memory, bytes) == LBP_OK && curvature.edges == 0);
  CHECK(many_init(&c, n, states, x, ws, LBP_WS_LEN_AB(MANY)) == LBP_OK && many_clamp(&c, mask) == LBP_OK);
  for (t = 0; t < TRIALS; t++) {
    for (i = 0; i < n; i++) x[i] = mask[i] ? 1 : (uint8_t)draw(law[i], states, &rng);
    c.logp_ready = c.gradient_ready = 0;
    c.momentum_of = NULL;
    for (k = 0; k < 3; k++) wrong += many_momentum_step(&c, &m, &curvature, 0.7f, relax, &rng).status != LBP_OK;
    for (i = 0; i < n; i++) seen[i][x[i]]++, held += mask[i] && x[i] != 1;
  }
  for (i = 0; i < n; i++) {
    const double p = mask[i] ? 1 : chi2_counts(seen[i], law[i], states, TRIALS);
    if (p < least) least = p;
  }
  snprintf(text, sizeof text, "%u sites of %u values, relax %g: least p = %.2g", (unsigned)n, (unsigned)states, (double)relax,
           least);
  test_count(least > CHI2_LEVEL / MANY && held == 0 && wrong == 0, __FILE__, __LINE__, text);
  free(memory);
}

/* ---- what the step refuses --------------------------------------------------------------------------------------- */

/* What steps of a model say with a curvature whose W is `claimed`'s: the first status that is not LBP_OK, of up to 200
 * steps. That step must leave x as it was. */
static int first_fault(const toy *m, const toy *claimed, int sparse, uint32_t *steps) {
  double ws[LBP_WS_LEN_AB(SITES)];
  uint8_t x[SITES] = {0}, old[SITES];
  second s;
  wide_curvature curvature;
  wide_chain c;
  wide_info info;
  size_t bytes;
  void *memory;
  lbp_rng rng;
  second_make(&s, claimed, sparse, 0.05);
  bytes = wide_curvature_bytes(&s.W, s.D, 1);
  memory = malloc(bytes);
  if (!memory) abort();
  memset(&info, 0, sizeof info);
  lbp_rng_init(&rng, 17, 3);
  CHECK(wide_curvature_init(&curvature, &s.W, s.D, 1, memory, bytes) == LBP_OK);
  CHECK(wide_init(&c, m->n, m->states, x, ws, LBP_WS_LEN_AB(SITES)) == LBP_OK);
  for (*steps = 0; *steps < 200 && info.status == LBP_OK; ++*steps) {
    memcpy(old, x, m->n);
    info = wide_momentum_step(&c, m, &curvature, 0.8, 0.4, &rng);
  }
  if (info.status != LBP_OK) CHECK(memcmp(x, old, m->n) == 0 && !info.accepted && info.jump == 0);
  CHECK(!m->never || x[0] != m->never);
  free(memory);
  return info.status;
}

static void test_guard(void) {
  const toy sound = toy_make(3, 4, 1, 3), bits = toy_make(6, 2, 1, 1), row = toy_make(6, 2, 0, 2);
  toy m;
  uint32_t steps;
  CHECK(first_fault(&sound, &sound, 0, &steps) == LBP_OK && first_fault(&row, &row, 1, &steps) == LBP_OK);
  m = sound, m.cubic = 0.05; /* not quadratic */
  CHECK(first_fault(&m, &sound, 0, &steps) == LBP_E_NOT_QUADRATIC && steps < 10);
  m = sound, m.cubic = 1e-8;
  CHECK(first_fault(&m, &sound, 1, &steps) == LBP_E_NOT_QUADRATIC && steps < 30);
  m = bits, m.cubic = 0.05; /* a slope that does not say what log pi is at the other value */
  CHECK(first_fault(&m, &bits, 0, &steps) == LBP_E_NOT_QUADRATIC && steps < 10);
  m = sound, m.never = 1, m.instead = -INFINITY; /* an impossible state */
  CHECK(first_fault(&m, &sound, 0, &steps) == LBP_E_NOT_QUADRATIC);
  m.instead = NAN;
  CHECK(first_fault(&m, &sound, 0, &steps) == LBP_E_MODEL_NAN);
  m.instead = INFINITY;
  CHECK(first_fault(&m, &sound, 0, &steps) == LBP_E_MODEL_NAN);
  m = bits, m.J[1] = m.J[6] = 1.0001 * m.J[1]; /* another Hessian */
  CHECK(first_fault(&bits, &m, 0, &steps) == LBP_E_INEXACT && first_fault(&bits, &m, 1, &steps) == LBP_E_INEXACT);
  m = sound, m.J[4] -= 1e-6;
  CHECK(first_fault(&sound, &m, 0, &steps) == LBP_E_INEXACT && steps < 100);
}

static void test_refusals(void) {
  const toy m = toy_make(3, 4, 1, 3);
  double ws[LBP_WS_LEN_AB(SITES)], before[SITES];
  uint8_t x[SITES] = {0};
  second s;
  wide_curvature curvature, other;
  wide_chain c;
  const size_t room = 4096;
  void *memory = malloc(2 * room);
  lbp_rng rng, same;
  wide_info info;
  uint32_t k, differs = 0;
  static const double bad[6][2] = {{1, 0}, {-0.1, 0}, {0.5, 1.001}, {0.5, -0.1}, {1e300, 0}, {0.5, 1e300}};
  if (!memory) abort();
  second_make(&s, &m, 0, 0.05);
  lbp_rng_init(&rng, 5, 5);
  same = rng;
  CHECK(wide_init(&c, m.n, m.states, x, ws, LBP_WS_LEN_AB(SITES)) == LBP_OK);
  CHECK(wide_curvature_init(&curvature, &s.W, s.D, 0, memory, room) == LBP_OK);
  info = wide_momentum_step(&c, &m, &curvature, 0.8, 0.4, &rng);
  CHECK(info.status == LBP_E_INEXACT && info.evaluations == 0 && !info.accepted);
  CHECK(wide_curvature_init(&curvature, &s.W, s.D, 1, memory, room) == LBP_OK);
  other = curvature;
  other.n = 2;
  CHECK(wide_momentum_step(&c, &m, NULL, 0.8, 0.4, &rng).status == LBP_E_NULL);
  CHECK(wide_momentum_step(&c, &m, &other, 0.8, 0.4, &rng).status == LBP_E_SIZE);
  for (k = 0; k < 6; k++) {
    info = wide_momentum_step(&c, &m, &curvature, bad[k][0], bad[k][1], &rng);
    CHECK(info.status == LBP_E_RANGE && info.evaluations == 0);
  }
  CHECK(wide_momentum_step(&c, &m, &curvature, NAN, 0.4, &rng).status == LBP_E_RANGE);
  CHECK(wide_momentum_step(&c, &m, &curvature, 0.4, NAN, &rng).status == LBP_E_RANGE);
  CHECK(lbp_rng_u64(&rng) == lbp_rng_u64(&same)); /* nothing was drawn */
  /* the momentum is kept from step to step; not where the curvature is another one, nor where something was touched */
  info = wide_momentum_step(&c, &m, &curvature, 0.999999, 0, &rng);
  CHECK(info.status == LBP_OK && info.evaluations == 2);
  for (k = 0; k < 3; k++) {
    uint32_t i;
    memcpy(before, c.momentum, sizeof before);
    other = curvature;
    if (k == 1) wide_touch(&c);
    info = wide_momentum_step(&c, &m, k == 2 ? &other : &curvature, 0.999999, 0, &rng);
    CHECK(info.status == LBP_OK && info.evaluations == (k == 1 ? 2 : 1));
    for (i = 0; i < m.n; i++) { /* zeta' + zeta = A (y - x), but for what was drawn */
      double along = s.D[i] * ((double)x[i] - c.y[i]), miss;
      uint32_t j;
      for (j = 0; j < m.n; j++) along += m.J[i * m.n + j] * ((double)x[j] - c.y[j]);
      miss = fabs(c.momentum[i] + before[i] - along);
      if (k == 0) CHECK(miss < 0.02);
      else differs += miss > 0.02;
    }
    CHECK(differs == k * m.n);
  }
  free(memory);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* All settings of one model. */
static void test_settings(const toy *m, const second *s, uint64_t seed, const char *what) {
  static const double eps[3] = {0, 0.7, 0.95}, relax[3] = {0, 0.4, 1};
  static const uint8_t mask[SITES] = {0, 1, 0, 0, 1, 0};
  uint32_t k;
  for (k = 0; k < 9; k++) {
    const how plain = {eps[k / 3], relax[k % 3], 1, 0, NULL};
    if (k % 2) narrow_invariant(m, s, plain, seed + 3 * k + 1, what);
    else wide_invariant(m, s, plain, seed + 3 * k, what);
  }
  {
    const how warm = {0.95, 0.4, 0.5, 0, NULL}, flat = {0.8, 1, 0, 0, NULL}, cooled = {0.95, 0.4, 1.5, 0.3, NULL};
    const how clamped = {0.8, 0.4, 1, 0, mask}, both = {0.8, 1, 1.5, 0.5, mask};
    wide_invariant(m, s, warm, seed + 40, what);
    wide_invariant(m, s, flat, seed + 41, what);
    wide_invariant(m, s, cooled, seed + 42, what);
    narrow_invariant(m, s, cooled, seed + 43, what);
    wide_invariant(m, s, clamped, seed + 44, what);
    wide_invariant(m, s, both, seed + 45, what);
  }
  test_turns(m, s, seed + 60, what);
  test_balance(m, s, 0, seed + 50, what);
  test_balance(m, s, 0.6, seed + 51, what);
}

int main(void) {
  const toy glass = toy_make(6, 2, 1, 1), row = toy_make(6, 2, 0, 2), lattice = toy_make(3, 4, 1, 3);
  second s;
  uint32_t k;
  second_make(&s, &glass, 0, 0.03);
  test_settings(&glass, &s, 100, "6 binary sites, dense");
  second_make(&s, &row, 1, 0.1);
  test_settings(&row, &s, 200, "6 binary sites, sparse");
  second_make(&s, &lattice, 0, 0.03);
  test_settings(&lattice, &s, 300, "3 sites of 4 values, dense");
  second_make(&s, &lattice, 1, 0.1);
  test_settings(&lattice, &s, 400, "3 sites of 4 values, sparse");
  for (k = 0; k < 24; k++) test_moves(k % 4 == 0 ? 2 : k % 4 == 1 ? 3 : k % 4 == 2 ? 12 : 40, k % 3 * 0.4, k);
  test_many(130, 2, 0.4f, 1);
  test_many(300, 3, 1, 2);
  test_many(7, 12, 0.4f, 3);
  test_many(9, 256, 0.4f, 4);
  test_many(5, 256, 1, 5);
  test_guard();
  test_refusals();
  return test_report();
}
