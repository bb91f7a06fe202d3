/* Clamped sites of lbp_ab.h: every step under masks, against the law given the clamped sites, by enumeration.
 *
 * From states drawn from that law one step must lead to it again, and be as frequent as its reverse: 1e-8 false-alarm
 * probability each, fixed seeds. Two values and three, W exact, wrong, dense and by edges, both precisions. What is
 * proposed, too: first-order steps and the random walk against the same on a model of the free sites alone, whose chain
 * takes the same random numbers. Then more sites than are handled together, among them steps of the second order from the
 * law of a Markov chain; tuning, and W that is estimated. */
#include <stdlib.h>

#ifndef LBP_AB_WIDTH
#define LBP_AB_WIDTH 8u
#endif
#include "../lbp_ab.h"
#include "ab_toy.h"
#include "reversible.h"

enum { MOST_CELLS = 81, MANY = 150 };
#ifdef API_QUICK
enum { TRIALS = 4000 };
#else
enum { TRIALS = 20000 };
#endif

#define LBP_NAME     wide
#define LBP_MODEL_T  ab_toy
#define LBP_GRADIENT ab_toy_gradient
#define LBP_LOGP     ab_toy_logp
#define LBP_CLAMPED
#include "../lbp_ab.h"

#define LBP_NAME     narrow
#define LBP_MODEL_T  ab_toy
#define LBP_REAL     float
#define LBP_GRADIENT ab_toy_gradient_f
#define LBP_CLAMPED
#include "../lbp_ab.h"

#undef LBP_CHECKED
#define LBP_CHECKED     1
#define LBP_NAME        bits
#define LBP_MODEL_T     ab_toy
#define LBP_GRADIENT    ab_toy_gradient
#define LBP_CONDITIONAL ab_toy_conditional
#define LBP_STATES      2
#define LBP_CLAMPED
#include "../lbp_ab.h"
#undef LBP_CHECKED
#define LBP_CHECKED 0

#include "ab_second.h"

/* ---- one kind of step on one model ------------------------------------------------------------------------------- */

typedef enum { STEP_AB, STEP_RWM, STEP_GIBBS } step_kind;

/* pi, given that sites of the mask have the values of `given`. */
static void make_law(const ab_toy *m, const uint8_t *mask, const uint8_t *given, double *law) {
  const uint32_t cells = ab_cells(m->d, m->states);
  double sum = 0;
  uint8_t x[AB_SITES];
  uint32_t k, i;
  for (k = 0; k < cells; k++) {
    int agrees = 1;
    ab_decode(m->d, m->states, k, x);
    for (i = 0; i < m->d; i++) agrees &= !mask[i] || x[i] == given[i];
    sum += law[k] = agrees ? exp(ab_toy_logp(m, x)) : 0;
  }
  for (k = 0; k < cells; k++) law[k] /= sum;
}

/* From the law and back, at an inverse temperature of 1, which scales that are tempered must not disturb. */
#define EXACT(NAME) \
  static void NAME##_exact(const ab_toy *m, const uint8_t *mask, step_kind kind, const NAME##_curvature *curvature, \
                           NAME##_scale scale, uint64_t seed, const char *what) { \
    static uint32_t passed[MOST_CELLS * MOST_CELLS]; \
    const uint32_t cells = ab_cells(m->d, m->states); \
    NAME##_real ws[LBP_WS_LEN_AB(AB_SITES)]; \
    double law[MOST_CELLS], acceptance = 0; \
    uint8_t x[AB_SITES] = {0}, old[AB_SITES], given[AB_SITES]; \
    NAME##_chain c; \
    lbp_rng rng; \
    uint32_t t, i, k, pairs = 1; \
    int ok = 1; \
    lbp_rng_init(&rng, seed, 0); \
    for (i = 0; i < m->d; i++) given[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(&rng), m->states); \
    for (i = 0; i < m->d; i++) pairs *= mask[i] ? 1 : m->states; \
    make_law(m, mask, given, law); \
    memset(passed, 0, sizeof passed); \
    memset(&c, 0, sizeof c); \
    CHECK(NAME##_init(&c, m->d, m->states, x, ws, LBP_WS_LEN_AB(AB_SITES)) == LBP_OK); \
    CHECK(NAME##_clamp(&c, mask) == LBP_OK); \
    for (t = 0; t < TRIALS; t++) { \
      const uint32_t from = ab_draw(law, cells, &rng); \
      NAME##_info info; \
      ab_decode(m->d, m->states, from, x); \
      ab_decode(m->d, m->states, from, old); \
      c.logp_ready = c.gradient_ready = 0; /* NAME_touch would drop the noise made ahead */ \
      c.site = t % m->d; \
      info = kind == STEP_RWM     ? NAME##_rwm_step(&c, m, (NAME##_real)1.5, &rng) \
             : kind == STEP_GIBBS ? NAME##_gibbs_step(&c, m, &rng) \
                                  : NAME##_ab_step(&c, m, curvature, &scale, &rng); \
      acceptance += (double)info.accept / TRIALS; \
      passed[from * cells + ab_encode(m->d, m->states, x)]++; \
      for (i = k = 0; i < m->d; i++) { \
        ok &= !mask[i] || x[i] == old[i]; \
        k += x[i] != old[i]; \
      } \
      ok &= info.changed == k && info.status == LBP_OK; \
      if (kind == STEP_GIBBS) ok &= k <= 1 && (c.site == 0 || !mask[c.site - 1]); \
    } \
    CHECK(ok); \
    check_reversible(passed, law, cells, TRIALS, pairs > 2 ? 1 : 0, acceptance, what); \
  }
EXACT(wide)
EXACT(narrow)
EXACT(bits)

/* ---- models ------------------------------------------------------------------------------------------------------ */

static void test_model(const ab_toy *m, const uint8_t *mask, uint64_t seed) {
  const int exact = m->cubic == 0;
  ab_second s, wrong;
  wide_curvature dense, edges, wrong_dense, wrong_edges;
  narrow_curvature single;
  ab_second_make(&s, m, 0, 0);
  ab_second_make(&wrong, m, 0.4, 0);
  dense = ab_curvature(&s, m->d, exact, 0);
  edges = ab_curvature(&s, m->d, exact, 1);
  wrong_dense = ab_curvature(&wrong, m->d, 0, 0);
  wrong_edges = ab_curvature(&wrong, m->d, 0, 1);
  single = ab_curvature_f(&s, m->d, exact);
  wide_exact(m, mask, STEP_RWM, NULL, wide_first_order(1, 1), seed, "RWM");
  wide_exact(m, mask, STEP_GIBBS, NULL, wide_first_order(1, 1), seed + 1, "Gibbs");
  wide_exact(m, mask, STEP_AB, NULL, wide_first_order(1.5, 0.5), seed + 2, "DLP");
  wide_exact(m, mask, STEP_AB, NULL, wide_first_order(3, 0.8), seed + 3, "AB-1st");
  wide_exact(m, mask, STEP_AB, &dense, wide_langevin_d(3), seed + 4, "DLP in the metric of D");
  wide_exact(m, mask, STEP_AB, &dense, wide_second_order_d(10, 1, 1), seed + 6, "AB, (s, rho)");
  wide_exact(m, mask, STEP_AB, &edges, wide_second_order_d(3, 0.5, 0.5), seed + 8, "AB, damped, by edges");
  narrow_exact(m, mask, STEP_AB, NULL, narrow_first_order(1.5f, 0.5f), seed + 9, "DLP, float");
  narrow_exact(m, mask, STEP_AB, &single, narrow_second_order_d(10, 1, 0.8f), seed + 10, "AB, float");
  wide_exact(m, mask, STEP_AB, &wrong_dense, wide_second_order_d(10, 1, 1), seed + 11, "AB, W off by 40 %");
  wide_exact(m, mask, STEP_AB, &wrong_edges, wide_second_order_d(3, 0.8, 0.7), seed + 14, "AB, the same by edges");
  if (m->states == 2) {
    const bits_scale none = bits_first_order(1.5, 0.5);
    bits_exact(m, mask, STEP_AB, NULL, none, seed + 12, "DLP, S fixed");
    bits_exact(m, mask, STEP_GIBBS, NULL, none, seed + 13, "Gibbs by conditionals");
  }
}

/* ---- more sites -------------------------------------------------------------------------------------------------- */

/* Pairs of neighbours, log pi = sum_i h_i x_i - c x_i^2 / 2 + w x_i x_{i+1}, in a row. */
typedef struct {
  uint32_t n;
  double w;
} row;

static double row_h(uint32_t i) { return 0.2 * (double)(int)(i % 7) - 0.3; }

static double row_gradient(const row *m, const uint8_t *x, double *out) {
  double f = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    const double before = i > 0 ? x[i - 1] : 0, behind = i + 1 < m->n ? x[i + 1] : 0;
    out[i] = row_h(i) - 0.5 * x[i] + m->w * (before + behind);
    f += x[i] * (row_h(i) - 0.25 * x[i] + m->w * before);
  }
  return f;
}

#define LBP_NAME     held
#define LBP_MODEL_T  row
#define LBP_GRADIENT row_gradient
#define LBP_CLAMPED
#include "../lbp_ab.h"

#define LBP_NAME     plain
#define LBP_MODEL_T  row
#define LBP_GRADIENT row_gradient
#include "../lbp_ab.h"

/* The last `held` sites are clamped at 0: the others do what a shorter row does, from the same random numbers as long as
 * they are drawn in the same order, that is one strip and an even number of sites. */
static void check_shorter(uint32_t n, uint32_t clamped, uint32_t states, int second_order) {
  static double ws[2][LBP_WS_LEN_AB(MANY)];
  const row all = {n, 0.1}, few = {n - clamped, 0.1};
  uint8_t x[MANY] = {0}, y[MANY] = {0}, mask[MANY] = {0};
  held_chain a;
  plain_chain b;
  uint32_t t, i, moved = 0;
  int same = 1;
  lbp_rng rng[2];
  for (i = n - clamped; i < n; i++) mask[i] = 255;
  memset(&a, 0, sizeof a);
  CHECK(held_init(&a, n, states, x, ws[0], LBP_WS_LEN_AB(MANY)) == LBP_OK && held_clamp(&a, mask) == LBP_OK);
  CHECK(plain_init(&b, n - clamped, states, y, ws[1], LBP_WS_LEN_AB(MANY)) == LBP_OK);
  for (t = 0; t < 300; t++) {
    const held_scale s = held_first_order(1.5, t % 2 ? 0.5 : 0.8);
    const plain_scale r = plain_first_order(1.5, t % 2 ? 0.5 : 0.8);
    held_info info;
    plain_info want;
    lbp_rng_init(&rng[0], 7, t); /* anew: clamped sites take random numbers, too */
    rng[1] = rng[0];
    if (second_order) {
      info = held_rwm_step(&a, &all, 1, &rng[0]);
      want = plain_rwm_step(&b, &few, 1, &rng[1]);
    } else {
      info = held_ab_step(&a, &all, NULL, &s, &rng[0]);
      want = plain_ab_step(&b, &few, NULL, &r, &rng[1]);
    }
    same &= fabs(info.accept - want.accept) < 1e-12 && info.proposed == want.proposed;
    if (info.accepted != want.accepted) { /* by another random word: go on from the same state */
      memcpy(x, y, n - clamped);
      held_touch(&a);
    }
    same &= memcmp(x, y, n - clamped) == 0;
    for (i = n - clamped; i < n; i++) same &= x[i] == 0;
    moved += want.changed;
  }
  CHECK(same && moved > 100);
}

/* All samplers, sizes on both sides of strips and lanes: clamped sites stay, free ones move. */
static void check_moves(uint32_t n, uint32_t period, int most, uint32_t states) {
  static double ws[LBP_WS_LEN_AB(MANY)];
  const row m = {n, 0.1};
  uint8_t x[MANY] = {0}, old[MANY], mask[MANY], seen[MANY] = {0};
  uint32_t left = 0, t, i, restless = 0, far = 0;
  held_tuner tuner, walk;
  held_chain c;
  lbp_rng rng;
  int ok = 1;
  lbp_rng_init(&rng, 9, n);
  for (i = 0; i < n; i++) {
    x[i] = (uint8_t)(i % states);
    mask[i] = (i % period == period / 2) != most;
    left += !mask[i];
  }
  memset(&c, 0, sizeof c);
  CHECK(held_init(&c, n, states, x, ws, LBP_WS_LEN_AB(MANY)) == LBP_OK);
  CHECK(held_clamp(&c, mask) == (left > 0 ? LBP_OK : LBP_E_CLAMPED) && c.free == left);
  CHECK(held_tuner_init(&tuner, 0.5, 1000, 0.5) == LBP_OK && held_tuner_init(&walk, 0.5, 1000, 0.5) == LBP_OK);
  for (t = 0; t < 600 || (t < 600 + 20 * n && left > 0); t++) {
    held_info info;
    uint32_t changed = 0;
    memcpy(old, x, n);
    info = t % 4 == 0 ? held_adlp_step(&c, &m, &tuner, &rng)
           : t % 4 == 1 ? held_arwm_step(&c, &m, &walk, &rng) : held_gibbs_step(&c, &m, &rng);
    for (i = 0; i < n; i++) {
      ok &= x[i] == old[i] || !mask[i];
      seen[i] |= x[i] != old[i];
      changed += x[i] != old[i];
    }
    far += t % 4 < 2 ? changed : 0; /* by steps of all sites at once */
    ok &= info.changed == changed && info.status == (left > 0 ? LBP_OK : LBP_E_CLAMPED);
    if (left == 0) ok &= info.evaluations == 0 && info.accept == 0 && tuner.step == 0;
    if (t % 200 == 0) ok &= held_check(&c, &m, 1, &rng).status == LBP_OK;
  }
  for (i = 0; i < n; i++) restless += seen[i];
  CHECK(ok && restless == left && (far > 20 || left == 0));
  CHECK(held_clamp(&c, NULL) == LBP_OK && c.free == n && held_clamp(NULL, mask) == LBP_E_NULL);
}

/* The law of a row is that of a Markov chain: P(x_i = v), given what x_{i-1} is, and P(x_i = v). */
typedef struct {
  double next[MANY][3][3], law[MANY][3];
} row_law;

static void row_law_make(const row *m, uint32_t states, row_law *p) {
  double behind[3] = {1, 1, 1}, sums[3];
  uint32_t i, u, v;
  for (i = m->n; i-- > 0;) {
    for (u = 0; u < states; u++) {
      for (v = 0, sums[u] = 0; v < states; v++) {
        sums[u] += p->next[i][u][v] = exp(v * (row_h(i) - 0.25 * v + m->w * (i > 0 ? u : 0))) * behind[v];
      }
      for (v = 0; v < states; v++) p->next[i][u][v] /= sums[u];
    }
    for (u = 0; u < states; u++) behind[u] = sums[u] / sums[0];
  }
  for (i = 0; i < m->n; i++) {
    for (v = 0; v < states; v++) {
      p->law[i][v] = i > 0 ? 0 : p->next[i][0][v];
      for (u = 0; i > 0 && u < states; u++) p->law[i][v] += p->law[i - 1][u] * p->next[i][u][v];
    }
  }
}

/* Steps of the second order from the law, of which some sites stay as drawn: each site must be distributed as before,
 * and move as often one way as the other, and log pi must gain nothing on average. */
static void check_strips(uint32_t n, uint32_t period, uint32_t states, int exact, uint64_t seed) {
  enum { STRIP_TRIALS = 2000, BYTES = 400000 };
  static uint64_t memory[BYTES / sizeof(uint64_t)];
  static double W[MANY * MANY], D[MANY], ws[LBP_WS_LEN_AB(MANY)];
  static uint32_t passed[MANY][9], reached[MANY][3];
  static row_law p;
  const row m = {n, exact ? 0.25 : 0.5};
  const held_scale scale = held_second_order_d(exact ? 10 : 3, 1, exact ? 1 : 0.6);
  double least = 1, acceptance = 0, gain = 0, square = 0;
  uint8_t x[MANY] = {0}, old[MANY], mask[MANY];
  uint32_t t, i, pairs;
  held_curvature curvature;
  lbp_symmetric matrix;
  held_chain c;
  char text[160];
  lbp_rng rng;
  lbp_rng_init(&rng, seed, n);
  row_law_make(&m, states, &p);
  memset(passed, 0, sizeof passed);
  memset(reached, 0, sizeof reached);
  memset(&matrix, 0, sizeof matrix);
  memset(W, 0, sizeof W);
  for (i = 0; i < n; i++) {
    W[i * n + i] = exact ? -0.5 : -0.3;
    if (i > 0) W[i * n + i - 1] = W[(i - 1) * n + i] = exact ? m.w : 0.1;
    D[i] = 1.2 + 0.01 * i;
    mask[i] = i % period == 1;
  }
  matrix.n = n;
  matrix.dense = W;
  CHECK(held_curvature_init(&curvature, &matrix, D, exact, memory, sizeof memory) == LBP_OK);
  CHECK(held_init(&c, n, states, x, ws, LBP_WS_LEN_AB(MANY)) == LBP_OK && held_clamp(&c, mask) == LBP_OK);
  for (t = 0; t < STRIP_TRIALS; t++) {
    held_info info;
    for (i = 0; i < n; i++) old[i] = x[i] = (uint8_t)ab_draw(p.next[i][i > 0 ? x[i - 1] : 0], states, &rng);
    c.logp_ready = c.gradient_ready = 0;
    info = held_ab_step(&c, &m, &curvature, &scale, &rng);
    acceptance += info.accept / STRIP_TRIALS;
    gain += info.log_ratio;
    square += info.log_ratio * info.log_ratio;
    for (i = 0; i < n; i++) passed[i][old[i] * states + x[i]]++, reached[i][x[i]]++;
    for (i = 0; i < n; i++) least = mask[i] && x[i] != old[i] ? 0 : least;
  }
  for (i = 0; i < n; i++) {
    least = fmin(least, chi2_counts(reached[i], p.law[i], states, STRIP_TRIALS));
    least = fmin(least, chi2_symmetric(passed[i], states, p.law[i], states, &pairs));
  }
  gain = fabs(gain) / sqrt(square);
  snprintf(text, sizeof text, "%u sites of %u values, every %uth clamped: least p = %.2g, acceptance %.2f, log pi gains "
           "%.1f errors", (unsigned)n, (unsigned)states, (unsigned)period, least, acceptance, gain);
  test_count(least > CHI2_LEVEL / MANY && acceptance > 0.1 && gain < 6, __FILE__, __LINE__, text);
}

/* A W that is estimated is that of the free sites, as exactly as without a mask where log pi is quadratic, and says nothing
 * of the others; the second order is worth it. */
static void check_estimate(void) {
  enum { N = 12, WARMUP = 4000 };
  static double ws[LBP_WS_LEN_AB(N)];
  const row m = {N, 0.1};
  uint8_t x[N] = {0}, mask[N] = {0};
  const size_t bytes = held_adaptive_bytes(N);
  double *memory = (double *)malloc(bytes), worst = 0, acceptance = 0;
  held_adaptive a;
  held_chain c;
  uint32_t t, i, j;
  lbp_rng rng;
  if (!memory) abort();
  lbp_rng_init(&rng, 11, 0);
  mask[2] = mask[3] = mask[9] = 1;
  x[2] = 3, x[9] = 1;
  memset(&c, 0, sizeof c);
  CHECK(held_init(&c, N, 4, x, ws, LBP_WS_LEN_AB(N)) == LBP_OK && held_clamp(&c, mask) == LBP_OK);
  CHECK(held_adaptive_init(&a, N, WARMUP, memory, bytes) == LBP_OK);
  for (t = 0; t < WARMUP; t++) held_adaptive_step(&c, &m, &a, &rng);
  CHECK(a.status == LBP_OK && a.residual < 1e-9 && held_adaptive_curvature(&a) != NULL);
  for (i = 0; i < N; i++) {
    for (j = 0; j < N; j++) {
      const double want = mask[i] || mask[j] ? 0 : i == j ? -0.5 : i + 1 == j || j + 1 == i ? 0.1 : 0;
      worst = fmax(worst, fabs(a.own.W[i * N + j] - want));
    }
  }
  CHECK_NEAR(worst, 0, 1e-8);
  for (t = 0; t < 1000; t++) acceptance += held_adaptive_step(&c, &m, &a, &rng).accept / 1000;
  CHECK(acceptance > 0.8 && x[2] == 3 && x[3] == 0 && x[9] == 1);
  free(memory);
}

int main(void) {
  static const uint8_t masks[5][AB_SITES] = {{0, 0, 0, 0}, {0, 1, 0, 0}, {9, 0, 0, 255}, {0, 1, 1, 1}, {1, 1, 0, 1}};
  static const uint32_t sizes[7] = {3, 8, 63, 127, 128, 129, 150};
  uint32_t k;
  for (k = 0; k < 5; k++) {
    const ab_toy two = ab_toy_make(4, 2, 0, 3), three = ab_toy_make(4, 3, 0, 4), odd = ab_toy_make(3, 3, 0.05, 5);
    test_model(&two, masks[k], 100 * k);
    test_model(&three, masks[k], 100 * k + 20);
    if (k < 3) test_model(&odd, masks[k], 100 * k + 40);
  }
  for (k = 0; k < 7; k++) {
    check_moves(sizes[k], 3, 0, 2);
    check_moves(sizes[k], 5, 1, 3);
    check_moves(sizes[k], sizes[k], 1, 2);
    check_moves(sizes[k], 2 * sizes[k] + 2, 1, 2);
  }
  for (k = 2; k < 4; k++) {
    check_shorter(12, 6, k, 0);
    check_shorter(40, 2, k, 0);
    check_shorter(12, 6, k, 1);
  }
  for (k = 0; k < 8; k++) check_strips(sizes[3 + k % 4], k < 4 ? 4 : 3, k < 4 ? 2 : 3, k % 3 == 0, 50 + k);
  check_estimate();
  return test_report();
}
