/* Template: the tests of test_tails.c for one instance of lbp_ab.h. Parameters: CASE (a prefix), CASE_NAME, CASE_REAL,
 * CASE_SLACK (what is granted to an acceptance's
 * logarithm, a coordinate of S values). Generates CASE_test(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

static CASE_REAL CASE_ID(_model_gradient)(const path *m, const uint8_t *x, CASE_REAL *out) {
  double gradient[MOST];
  const double logp = path_gradient(m, x, gradient);
  uint32_t i;
  for (i = 0; i < m->d; i++) out[i] = (CASE_REAL)gradient[i];
  return (CASE_REAL)logp;
}

#define LBP_NAME     CASE
#define LBP_MODEL_T  path
#define LBP_REAL     CASE_REAL
#define LBP_GRADIENT CASE_ID(_model_gradient)
#define LBP_RNG_T    tape
#define LBP_RNG_U64  tape_next
#include "../../lbp_ab.h"

#define REAL      CASE_REAL
#define INFO      CASE_ID(_info)
#define SCALE     CASE_ID(_scale)
#define CURVATURE CASE_ID(_curvature)

typedef struct {
  CASE_ID(_chain) c;
  uint8_t x[MOST];
  REAL ws[LBP_WS_LEN_AB(MOST)];
  tape words;
} CASE_ID(_run);

/* A kind of step. */
typedef struct {
  const char *name;
  SCALE scale; /* alpha = 0: the random walk, sigma = 1 / flat */
  const CURVATURE *v;
  const double *W, *D; /* the curvature's; NULL: none */
} CASE_ID(_kind);

static void CASE_ID(_start)(CASE_ID(_run) *r, const path *m, const uint8_t *x) {
  memcpy(r->x, x, m->d);
  if (CASE_ID(_init)(&r->c, m->d, m->states, r->x, r->ws, CASE_ID(_ws_len)(m->d)) != LBP_OK) CHECK(0);
  r->words.used = 0;
}

static INFO CASE_ID(_step)(CASE_ID(_run) *r, const path *m, const CASE_ID(_kind) *kind) {
  if (!(kind->scale.alpha > 0)) return CASE_ID(_rwm_step)(&r->c, m, 1 / kind->scale.flat, &r->words);
  return CASE_ID(_ab_step)(&r->c, m, kind->v, &kind->scale, &r->words);
}

/* log Q(to) of a proposal from `at` under this force; adds to *slack what whole numbers round. */
static double CASE_ID(_log_q)(const path *m, const CASE_ID(_kind) *kind, const double *force, const uint8_t *at,
                              const uint8_t *to, double *slack) {
  const double alpha = (double)kind->scale.alpha, damping = (double)kind->scale.damping;
  double log_q = 0;
  uint32_t i, v;
  for (i = 0; i < m->d; i++) {
    const double D = kind->D ? kind->D[i] : 0, kernel = (double)kind->scale.flat + (double)kind->scale.along * D;
    const double linear = alpha * force[i] + kernel * at[i], square = kernel + alpha * damping * D;
    double top = -1e300, sum = 0, one;
    for (v = 0; v < m->states; v++) top = test_larger(top, linear * v - square * v * v / 2);
    for (v = 0; v < m->states; v++) sum += exp(linear * v - square * v * v / 2 - top);
    one = linear * to[i] - square * to[i] * to[i] / 2 - top - log(sum);
    *slack += (m->states == 2 ? 1e-7 : m->states * 1e-9) * exp(-one);
    log_q += one;
  }
  return log_q;
}

/* log of the ratio of a step from x to y: (14) of [A] with the kernel's cross term. G is the step's noise. */
static double CASE_ID(_want)(const path *m, const CASE_ID(_kind) *kind, const uint8_t *x, const uint8_t *y,
                             const REAL *G, double *slack) {
  const double damping = (double)kind->scale.damping, root = sqrt(damping);
  double here[MOST], there[MOST], want = -path_gradient(m, x, here);
  uint32_t i, j;
  want += path_gradient(m, y, there);
  if (damping > 0) {
    for (i = 0; i < m->d; i++) {
      const double z = x[i] - (double)y[i], metric = kind->D[i] * x[i];
      double turned = 0;
      for (j = 0; j < m->d; j++) turned += kind->W[i * m->d + j] * (x[j] - (double)y[j]);
      here[i] += root * (double)G[i] + damping * metric;
      there[i] += root * (double)G[i] + damping * (turned + metric);
      want -= z * (root * (double)G[i] + damping / 2 * (turned + kind->D[i] * z));
    }
  }
  want += CASE_ID(_log_q)(m, kind, there, y, x, slack);
  return want - CASE_ID(_log_q)(m, kind, here, x, y, slack);
}

static void CASE_ID(_moves)(const path *m, const CASE_ID(_kind) *kind, uint32_t times, verdict *f) {
  static CASE_ID(_run) r, again;
  uint8_t x[MOST];
  lbp_rng rng;
  uint32_t t, i, k;
  lbp_rng_init(&rng, 37, m->d);
  for (t = 0; t < times; t++) {
    double want, slack = CASE_SLACK(m->states) * sqrt(m->d);
    INFO info;
    for (i = 0; t % 4 == 0 && i < m->d; i++) r.x[i] = (uint8_t)(lbp_rng_u64(&rng) % m->states);
    memcpy(x, r.x, m->d);
    tape_record(&r.words, &rng);
    CASE_ID(_start)(&r, m, x);
    info = CASE_ID(_step)(&r, m, kind);
    want = CASE_ID(_want)(m, kind, x, info.accepted ? r.x : r.c.y, r.c.noise + (size_t)r.c.noise_left * m->d, &slack);
    if (slack > 1e-3) continue; /* improbable moves come from small whole numbers */
    tape_copy(&again.words, &r.words);
    if (!verdict_accept(f, want, (double)info.accept, slack)) continue;
    for (k = 0; k < 2; k++) {
      again.words.word[r.words.used - 1] = verdict_word(f, k, r.words.word[r.words.used - 1]);
      CASE_ID(_start)(&again, m, x);
      verdict_trial(f, k, CASE_ID(_step)(&again, m, kind).accepted);
      CHECK(again.words.used == r.words.used);
    }
  }
}

/* ---- kinds of steps on one model --------------------------------------------------------------------------------- */

/* W dense and by edges, `right` times the Hessian. */
typedef struct {
  double W[MOST * MOST], value[3 * MOST], D[MOST];
  uint32_t start[MOST + 1], column[3 * MOST];
  void *memory[2];
  CURVATURE dense, edges;
} CASE_ID(_bend);

static void CASE_ID(_make_bend)(CASE_ID(_bend) *b, const path *m, double right, int exact) {
  const uint32_t d = m->d;
  lbp_symmetric full, sparse;
  size_t bytes[2];
  uint32_t i, j, k;
  memset(&full, 0, sizeof full);
  memset(&sparse, 0, sizeof sparse);
  path_hessian(m, right, b->W);
  for (b->start[0] = i = k = 0; i < d; i++) {
    for (j = i ? i - 1 : 0; j < d && j <= i + 1; j++) {
      b->column[k] = j;
      b->value[k++] = b->W[i * d + j];
    }
    b->start[i + 1] = k;
  }
  full.n = sparse.n = d;
  full.dense = b->W;
  sparse.start = b->start;
  sparse.column = b->column;
  sparse.value = b->value;
  CHECK(lbp_diagonal_dominant(&full, b->D) == LBP_OK);
  for (i = 0; i < d; i++) b->D[i] += 0.4 / (m->states - 1) / (m->states - 1);
  bytes[0] = CASE_ID(_curvature_bytes)(&full, b->D, exact);
  bytes[1] = CASE_ID(_curvature_bytes)(&sparse, b->D, exact);
  for (k = 0; k < 2; k++) {
    b->memory[k] = malloc(bytes[k]);
    if (!b->memory[k]) exit(2);
  }
  CHECK(CASE_ID(_curvature_init)(&b->dense, &full, b->D, exact, b->memory[0], bytes[0]) == LBP_OK);
  CHECK(CASE_ID(_curvature_init)(&b->edges, &sparse, b->D, exact, b->memory[1], bytes[1]) == LBP_OK);
  CHECK(b->dense.root != NULL && b->edges.root == NULL);
}

static CASE_ID(_kind) CASE_ID(_make_kind)(const char *name, SCALE scale, const CASE_ID(_bend) *b, int by_edges) {
  CASE_ID(_kind) kind;
  kind.name = name;
  kind.scale = scale;
  kind.v = !b ? NULL : by_edges ? &b->edges : &b->dense;
  kind.W = b ? b->W : NULL;
  kind.D = b ? b->D : NULL;
  return kind;
}

enum { CASE_ID(_kinds) = 10 };

static void CASE_ID(_all_moves)(uint32_t d, uint32_t states, verdict *f, const char **names) {
  static CASE_ID(_bend) right, wrong;
  const path m = make_path(d, states, d + states);
  const REAL square = (REAL)((states - 1) / 2.0 * ((states - 1) / 2.0)); /* m's unit of length, squared */
  CASE_ID(_kind) kind[CASE_ID(_kinds)];
  uint32_t k;
  CASE_ID(_make_bend)(&right, &m, 1, 1);
  CASE_ID(_make_bend)(&wrong, &m, d > 64 ? 0.7 : -1, 0);
  kind[0] = CASE_ID(_make_kind)("RWM", CASE_ID(_first_order)(square / 2, 0), NULL, 0);
  kind[1] = CASE_ID(_make_kind)("DLP", CASE_ID(_first_order)(square / 3, (REAL)0.5), NULL, 0);
  kind[2] = CASE_ID(_make_kind)("DLP, far", CASE_ID(_first_order)(3 * square, (REAL)0.5), NULL, 0);
  kind[3] = CASE_ID(_make_kind)("AB-1st", CASE_ID(_first_order)(square, (REAL)0.8), NULL, 0);
  kind[4] = CASE_ID(_make_kind)("DLP-D", CASE_ID(_langevin_d)(4), &right, 0);
  kind[5] = CASE_ID(_make_kind)("AB as printed", CASE_ID(_second_order)(20 * square, (REAL)0.9), &wrong, 0);
  kind[6] = CASE_ID(_make_kind)("AB, exact", CASE_ID(_second_order_d)(10, 1, 1), &right, 0);
  kind[7] = CASE_ID(_make_kind)("AB, exact, edges", CASE_ID(_second_order_d)(1, 1, 1), &right, 1);
  kind[8] = CASE_ID(_make_kind)("AB, damped", CASE_ID(_second_order_d)(3, (REAL)0.5, (REAL)0.6), &wrong, 0);
  kind[9] = CASE_ID(_make_kind)("AB, edges", CASE_ID(_second_order_d)(10, 1, (REAL)0.8), &wrong, 1);
  for (k = 0; k < CASE_ID(_kinds); k++) {
    CASE_ID(_moves)(&m, &kind[k], QUICK ? 4 : d * states > 4000 ? 12 : 60, &f[k]);
    names[k] = kind[k].name;
  }
  for (k = 0; k < 2; k++) {
    free(right.memory[k]);
    free(wrong.memory[k]);
  }
}

/* ---- Gibbs ------------------------------------------------------------------------------------------------------- */

static uint32_t CASE_ID(_gibbs_value)(CASE_ID(_run) *r, const path *m, const uint8_t *x, uint32_t i, uint64_t word) {
  CASE_ID(_start)(r, m, x);
  r->c.site = i;
  r->words.filled = 1;
  r->words.word[0] = word;
  CASE_ID(_gibbs_step)(&r->c, m, &r->words);
  CHECK(r->words.used == 1);
  return r->x[i];
}

/* A value's probability is the part of the words that draw it: they lie together, whatever the order of the values. */
static void CASE_ID(_gibbs)(const path *m, uint32_t i, uint64_t seed, verdict *f) {
  static CASE_ID(_run) r;
  static double words[256];
  double law[256], gradient[MOST], sum = 0, top = -1e300;
  uint8_t x[MOST];
  uint64_t first = 0;
  uint32_t v, k;
  int bit;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, m->d);
  for (k = 0; k < m->d; k++) x[k] = (uint8_t)(lbp_rng_u64(&rng) % m->states);
  for (v = 0; v < m->states; v++) {
    const uint8_t old = x[i];
    x[i] = (uint8_t)v;
    law[v] = path_gradient(m, x, gradient);
    x[i] = old;
    top = fmax(top, law[v]);
    words[v] = 0;
  }
  for (v = 0; v < m->states; v++) sum += exp(law[v] - top);
  for (k = 0; k < m->states; k++) { /* one value after another, from the first word on */
    const uint32_t value = CASE_ID(_gibbs_value)(&r, m, x, i, first);
    uint64_t last = first;
    for (bit = 63; bit >= 0; bit--) {
      const uint64_t more = last + ((uint64_t)1 << bit);
      if (more > last && CASE_ID(_gibbs_value)(&r, m, x, i, more) == value) last = more;
    }
    words[value] += (double)(last - first) + 1;
    if (last == UINT64_MAX) break;
    first = last + 1;
  }
  for (v = 0; v < m->states; v++) { /* to 2^-31 of the most probable value */
    const double want = law[v] - top - log(sum), slack = 10 * CASE_SLACK(2) + exp(top - law[v] - 21) + m->states * 1e-9;
    if (law[v] - top > -19) verdict_part(f, words[v], want, slack);
    else if (words[v] > 3e-9 * 18446744073709551616.0) verdict_wrong(f, log(words[v]), want);
  }
}

/* ---- proposals, normals, the tuner ------------------------------------------------------------------------------- */

/* What 32 random bits draw, against the probability that is looked up: every value, however rare. */
static void CASE_ID(_proposals)(uint32_t states, double c, double a, verdict *f) {
  static CASE_ID(_priv_strip) b;
  double words[256] = {0}, probability[256];
  uint64_t first = 0;
  uint32_t v, i, k;
  for (i = 0; i < LBP_AB_WIDTH; i++) {
    b.c[i] = (REAL)c;
    b.a[i] = (REAL)a;
  }
  for (v = 0; v < states; v++) {
    b.v[0] = v;
    if (states == 2) CASE_ID(_priv_propose_bits)(&b, 0, 0);
    else CASE_ID(_priv_propose_values)(&b, 0, states, 0);
    probability[v] = (double)b.q[0];
  }
  for (k = 0; k < states && first < 4294967296u; k++) { /* values lie together: where does each begin? */
    uint64_t last = first;
    int bit;
    for (bit = 31; bit >= 0; bit--) {
      const uint64_t more = last + ((uint64_t)1 << bit);
      b.bits[0] = (uint32_t)more;
      b.bits[1] = (uint32_t)first;
      if (states == 2) CASE_ID(_priv_propose_bits)(&b, 0, 1);
      else CASE_ID(_priv_propose_values)(&b, 0, states, 1);
      if (more < 4294967296u && b.v[0] == b.v[1]) last = more;
      v = b.v[1];
    }
    if (v < states) words[v] += (double)(last - first) + 1;
    first = last + 1;
  }
  for (v = 0; v < states; v++) {
    /* else what is looked up and what is drawn may be rounded apart, twice: sums are up to 1, in floats of 2^-24 */
    const double apart = sizeof(REAL) == sizeof(float) ? 3e-7 : 1e-7;
    const double slack = TEST_ALIKE ? 3e-10 + 1e-6 * probability[v] : apart + 1e-5 * probability[v];
    const double gap = fabs(words[v] / 4294967296.0 - probability[v]) / slack;
    if (!(gap <= 1)) verdict_wrong(f, words[v] / 4294967296.0, probability[v]);
    f->judged++;
    f->rare += probability[v] < 1e-3;
    if (gap > f->worst) f->worst = gap;
  }
}

/* Both normals that two words make: their length is that of its word, and their angle is even over those of the other.
 * Lengths up to 6.5 happen. */
static void CASE_ID(_normals)(void) {
  enum { TURNS = 1024 };
  uint32_t hit[TURNS] = {0}, k, t, wrong = 0;
  for (k = 0; k < 2000; k++) {
    const uint32_t a = k < 1000 ? k * k * k : UINT32_MAX - 4294967u * (k - 1000);
    const double u = ((a >> 1) + 0.5) / 2147483648.0;
    for (t = 0; t < 8; t++) {
      REAL one, two;
      double square;
      CASE_ID(_priv_box_muller)(a, t * 0x2345678fu + k, &one, &two);
      square = (double)one * (double)one + (double)two * (double)two;
      wrong += !(fabs(square + 2 * log(u)) < 2e-6 * (1 + square));
    }
  }
  for (t = 0; t < TURNS; t++) {
    REAL one, two;
    double turn;
    CASE_ID(_priv_box_muller)(77, t << 22 | 1u << 21, &one, &two);
    turn = (atan2((double)two, (double)one) / 6.283185307179586 + 1) * TURNS;
    hit[(uint32_t)turn % TURNS]++;
    wrong += fabs(turn - floor(turn) - 0.5) > 0.01;
  }
  for (t = 0; t < TURNS; t++) wrong += hit[t] != 1;
  CHECK(wrong == 0);
}

/* sigma as the comments say, and its geometric mean. */
static void CASE_ID(_tuner_mean)(void) {
  static const uint32_t warmups[] = {1, 2, 3, 4, 7, 100, 101};
  const double slack = sizeof(REAL) == sizeof(float) ? 1e-5 : 1e-12;
  uint32_t k, t;
  lbp_rng rng;
  lbp_rng_init(&rng, 6, 6);
  for (k = 0; k < 7; k++) {
    const uint32_t warmup = warmups[k];
    double at = log(0.3), mean = 0;
    CASE_ID(_tuner) tuner;
    CHECK(CASE_ID(_tuner_init)(&tuner, (REAL)0.3, warmup, (REAL)0.25) == LBP_OK);
    for (t = 1; t <= warmup + 5; t++) {
      const REAL accept = t <= warmup / 3 ? 1 : (REAL)lbp_u01(lbp_rng_u64(&rng));
      CASE_ID(_tuner_update)(&tuner, accept);
      if (t > warmup) continue;
      at += 0.1 * ((double)accept - 0.25);
      if (t > warmup / 2) mean += at / (warmup - warmup / 2);
      if (t < warmup) CHECK_NEAR((double)tuner.sigma / exp(at), 1, slack);
    }
    CHECK_NEAR((double)tuner.sigma / exp(mean), 1, slack);
    CHECK(warmup < 100 || fabs(at - mean) > 1e-3); /* or the last would do as well */
  }
}

static void CASE_ID(_test)(void) {
  static const uint32_t sizes[] = {1, 7, 8, 9, 127, 128, 129}, values[] = {2, 3, 5, 21, 256};
  static const double c[] = {0, 3, -3, 40}, a[] = {0.01, 0.3, 2, 9};
  static const uint32_t rare[CASE_ID(_kinds)] = {10, 0, 10, 10, 0, 10, 0, 0, 10, 10};
  const char *names[CASE_ID(_kinds)];
  verdict moves[CASE_ID(_kinds)], sweeps, proposals;
  char what[80];
  uint32_t s, v, k;
  memset(moves, 0, sizeof moves);
  memset(&sweeps, 0, sizeof sweeps);
  memset(&proposals, 0, sizeof proposals);
  CASE_ID(_normals)();
  CASE_ID(_tuner_mean)();
  for (v = 0; v < 5; v++) {
    for (s = 0; s < 7; s++) {
      if (!QUICK || s < 4 || v == 1) CASE_ID(_all_moves)(sizes[s], values[v], moves, names);
    }
    for (k = 0; k < (QUICK ? 2 : 10); k++) {
      const path m = make_path(5, values[v], k);
      CASE_ID(_gibbs)(&m, k % 5, k, &sweeps);
    }
    for (k = 0; k < 16; k++) {
      if (values[v] < 256 || k % (QUICK ? 16 : 4) == 2) CASE_ID(_proposals)(values[v], c[k / 4], a[k % 4], &proposals);
    }
  }
  for (k = 0; k < CASE_ID(_kinds); k++) {
    snprintf(what, sizeof what, "%s, %s", names[k], CASE_NAME);
    verdict_report(&moves[k], what, QUICK ? 20 : 500, QUICK ? 0 : rare[k]);
  }
  snprintf(what, sizeof what, "Gibbs, %s", CASE_NAME);
  verdict_report(&sweeps, what, 100, 10);
  snprintf(what, sizeof what, "proposals, %s", CASE_NAME);
  verdict_report(&proposals, what, 100, 10);
}

#undef REAL
#undef INFO
#undef SCALE
#undef CURVATURE
#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_NAME
#undef CASE_REAL
#undef CASE_SLACK
