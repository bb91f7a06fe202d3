/* Template: the tests of test_ab_adaptive.c for one instance of lbp_ab.h. Parameters: CASE (its LBP_NAME),
 * CASE_EPSILON (its rounding), CASE_GRADIENT (its gradient), CASE_LOGP (whether it has LBP_LOGP), CASE_BINARY
 * (whether LBP_STATES is 2). Generates CASE_test_*(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define REAL      CASE_ID(_real)
#define CHAIN     CASE_ID(_chain)
#define INFO      CASE_ID(_info)
#define SCALE     CASE_ID(_scale)
#define CURVATURE CASE_ID(_curvature)
#define ADAPTIVE  CASE_ID(_adaptive)
#define ADAPTER   CASE_ID(_adapter)

/* ---- a chain and what warms it up -------------------------------------------------------------------------------- */

typedef struct {
  REAL ws[LBP_WS_LEN_AB(MOST_SITES)];
  uint8_t x[MOST_SITES];
  CHAIN c;
  lbp_rng rng;
  ADAPTIVE a;
  void *memory; /* the adaptive's, or NULL */
} CASE_ID(_run);

LBP_FN void CASE_ID(_start_chain)(CASE_ID(_run) *r, const model *m, uint64_t seed) {
  memset(r->x, (int)(m->states / 2), sizeof r->x);
  lbp_rng_init(&r->rng, seed, 1);
  CHECK(CASE_ID(_init)(&r->c, m->d, m->states, r->x, r->ws, CASE_ID(_ws_len)(m->d)) == LBP_OK);
}

/* Before its first step, with what nobody may read filled with 0xff: not a number. */
LBP_FN void CASE_ID(_start)(CASE_ID(_run) *r, const model *m, uint32_t warmup, uint64_t seed) {
  const size_t bytes = CASE_ID(_adaptive_bytes)(m->d);
  CASE_ID(_start_chain)(r, m, seed);
  r->memory = memory_of(bytes);
  memset(r->memory, 0xff, bytes);
  memset(&r->a, 0xff, sizeof r->a);
  CHECK(CASE_ID(_adaptive_init)(&r->a, m->d, warmup, r->memory, bytes) == LBP_OK);
}

LBP_FN void CASE_ID(_start_given)(CASE_ID(_run) *r, const model *m, const CURVATURE *given, uint32_t warmup,
                                  uint64_t seed) {
  CASE_ID(_start_chain)(r, m, seed);
  r->memory = NULL;
  memset(&r->a, 0xff, sizeof r->a);
  CHECK(CASE_ID(_adaptive_given)(&r->a, given, warmup) == LBP_OK);
}

LBP_FN uint32_t CASE_ID(_warm_up)(CASE_ID(_run) *r, const model *m) {
  uint32_t t, not_finite = 0;
  for (t = 0; t < r->a.warmup; t++) {
    not_finite += CASE_ID(_adaptive_step)(&r->c, m, &r->a, &r->rng).status == LBP_E_MODEL_NAN;
  }
  return not_finite;
}

LBP_FN int CASE_ID(_same_scale)(const SCALE *a, const SCALE *b) {
  return a->alpha == b->alpha && a->damping == b->damping && a->flat == b->flat && a->along == b->along;
}

LBP_FN void CASE_ID(_check_scale)(const SCALE *got, const SCALE *want) {
  CHECK_NEAR(got->alpha, want->alpha, 8 * CASE_EPSILON);
  CHECK_NEAR(got->damping, want->damping, 8 * CASE_EPSILON * (double)want->damping);
  CHECK_NEAR(got->flat, want->flat, 8 * CASE_EPSILON * (double)want->flat);
  CHECK_NEAR(got->along, want->along, 8 * CASE_EPSILON * (double)want->along);
}

/* How far a frozen setting jumps, as expected before the acceptance trial. */
LBP_FN double CASE_ID(_jump)(CASE_ID(_run) *r, const model *m, const CURVATURE *v, const SCALE *s, uint32_t steps) {
  double sum = 0;
  uint32_t t;
  for (t = 0; t < steps; t++) {
    const INFO info = CASE_ID(_ab_step)(&r->c, m, v, s, &r->rng);
    sum += (double)info.accept * info.proposed / steps;
  }
  return sum;
}

/* ---- scales and what a step says --------------------------------------------------------------------------------- */

LBP_FN void CASE_ID(_test_scales)(void) {
  const model m = make_toy(4, 3, 0, 6);
  CASE_ID(_run) r;
  SCALE s = CASE_ID(_first_order)((REAL)0.5, (REAL)0.7);
  uint32_t t, i;
  CHECK(s.alpha == (REAL)0.7 && s.damping == 0 && s.flat == 2 && s.along == 0);
  s = CASE_ID(_langevin_d)((REAL)0.5);
  CHECK(s.alpha == (REAL)0.5 && s.damping == 0 && s.flat == 0 && s.along == 4);
  s = CASE_ID(_second_order)((REAL)0.5, (REAL)0.7);
  CHECK(s.alpha == (REAL)0.7 && s.damping == 1 && s.flat == 2 && s.along == 0);
  s = CASE_ID(_second_order_d)(2, 3, (REAL)0.25);
  CHECK_NEAR(s.alpha, lbp_alpha(6), CASE_EPSILON);
  CHECK(s.damping == (REAL)0.25 && s.flat == 0 && s.along == (REAL)0.125);
  s = CASE_ID(_first_order)(1, (REAL)0.5);
  CASE_ID(_start_chain)(&r, &m, 1);
  for (t = 0; t < 600; t++) { /* y holds a proposal that was rejected */
    uint8_t before[MOST_SITES];
    uint32_t gap = 0, changed = 0;
    INFO info;
    memcpy(before, r.x, m.d);
    info = t % 3 == 0   ? CASE_ID(_ab_step)(&r.c, &m, NULL, &s, &r.rng)
           : t % 3 == 1 ? CASE_ID(_rwm_step)(&r.c, &m, 1, &r.rng)
                        : CASE_ID(_gibbs_step)(&r.c, &m, &r.rng);
    for (i = 0; i < m.d; i++) {
      const int other = info.accepted ? r.x[i] : r.c.y[i];
      gap += (uint32_t)abs(other - before[i]);
      changed += r.x[i] != before[i];
    }
    CHECK(info.proposed == gap && info.changed == changed && info.jump == (info.accepted ? gap : 0));
  }
}

/* ---- the curvature from W and D ---------------------------------------------------------------------------------- */

/* cov(G), n x n. */
LBP_FN void CASE_ID(_covariance)(const CURVATURE *v, double *cov) {
  const uint32_t n = v->n;
  uint32_t i, j, k;
  memset(cov, 0, (size_t)n * n * sizeof *cov);
  if (v->root) {
    for (k = 0; k < v->rank; k++) {
      const REAL *column = v->root + (size_t)k * n;
      for (i = k; i < n; i++) {
        for (j = k; j < n; j++) cov[v->order[i] * n + v->order[j]] += (double)column[i] * (double)column[j];
      }
    }
    return;
  }
  for (i = 0; i < n; i++) cov[i * n + i] = (double)v->site[i] * (double)v->site[i];
  for (k = 0; k < v->edges; k++) {
    const double w = (double)v->edge[k];
    i = v->ends[2 * k];
    j = v->ends[2 * k + 1];
    CHECK(i < j && j < n);
    cov[i * n + i] += w * w;
    cov[j * n + j] += w * w;
    cov[i * n + j] += fabs(w) * w;
    cov[j * n + i] += fabs(w) * w;
  }
}

/* One W, D: memory to the byte, S S' = W + D. */
LBP_FN void CASE_ID(_check_curvature)(const lbp_symmetric *W, const double *D, int exact, int by_edges) {
  static double cov[MOST_SITES * MOST_SITES];
  const uint32_t n = W->n;
  const size_t bytes = CASE_ID(_curvature_bytes)(W, D, exact);
  void *memory = memory_of(bytes);
  CURVATURE v;
  double largest = 0;
  uint32_t i, j;
  memset(memory, 0xff, bytes);
  memset(&v, 0xff, sizeof v);
  CHECK(CASE_ID(_curvature_init)(&v, W, D, exact, memory, bytes - 1) == LBP_E_WORKSPACE);
  CHECK(CASE_ID(_curvature_init)(&v, W, D, exact, memory, bytes) == LBP_OK);
  CHECK(v.n == n && v.exact == exact && (v.root == NULL) == by_edges);
  CASE_ID(_covariance)(&v, cov);
  for (i = 0; i < n; i++) largest = fmax(largest, fabs(lbp_symmetric_entry(W, i, i)) + D[i]);
  for (i = 0; i < n; i++) {
    CHECK(v.D[i] == (REAL)D[i]);
    for (j = 0; j < n; j++) {
      const double w = lbp_symmetric_entry(W, i, j), want = w + (i == j ? D[i] : 0);
      CHECK_NEAR(cov[i * n + j], want, 16 * n * CASE_EPSILON * largest);
      if (!exact && !by_edges) CHECK(v.W[i * n + j] == (REAL)w);
    }
  }
  free(memory);
}

/* Sparse or dense, the same root to the bit, if neither goes by edges. */
LBP_FN void CASE_ID(_check_same)(const lbp_symmetric *one, const lbp_symmetric *other, const double *D) {
  const size_t bytes = CASE_ID(_curvature_bytes)(one, D, 0);
  void *here = memory_of(bytes), *there = memory_of(bytes);
  CURVATURE v, w;
  CHECK(bytes == CASE_ID(_curvature_bytes)(other, D, 0));
  CHECK(CASE_ID(_curvature_init)(&v, one, D, 0, here, bytes) == LBP_OK);
  CHECK(CASE_ID(_curvature_init)(&w, other, D, 0, there, bytes) == LBP_OK);
  CHECK(v.rank == w.rank && memcmp(v.root, w.root, one->n * one->n * sizeof *v.root) == 0);
  CHECK(memcmp(v.order, w.order, one->n * sizeof *v.order) == 0);
  CHECK(memcmp(v.W, w.W, one->n * one->n * sizeof *v.W) == 0);
  free(here);
  free(there);
}

LBP_FN void CASE_ID(_test_curvature_errors)(void) {
  static double a[4] = {0, 1, 1, 0}, asymmetric[4] = {0, 1, 1.01, 0}, nan_in[4] = {0, 1, 1, 0};
  static const double high[4] = {1e39, 0, 0, 1};
  const lbp_symmetric W = dense_of(2, a), far = dense_of(2, high);
  const lbp_symmetric crooked = dense_of(2, asymmetric), unknown = dense_of(2, nan_in);
  const size_t bytes = CASE_ID(_curvature_bytes)(&W, a, 0);
  void *memory = memory_of(bytes);
  double D[2] = {1, 1}, low[2] = {0.99, 0.99}, bad[2] = {1, 1}, large[2] = {1e39, 1e39}, none[2] = {0, 0};
  const int beyond = sizeof(REAL) == sizeof(float) ? LBP_E_RANGE : LBP_OK;
  sparse_matrix s;
  CURVATURE v;
  nan_in[3] = (double)NAN;
  make_sparse(&s, 2, a);
  CHECK(CASE_ID(_curvature_init)(&v, NULL, D, 0, memory, bytes) == LBP_E_NULL);
  CHECK(CASE_ID(_curvature_init)(&v, &W, NULL, 0, memory, bytes) == LBP_E_NULL);
  CHECK(CASE_ID(_curvature_init)(&v, &W, D, 0, NULL, bytes) == LBP_E_NULL);
  CHECK(CASE_ID(_curvature_init)(NULL, &W, D, 0, memory, bytes) == LBP_E_NULL);
  CHECK(CASE_ID(_curvature_init)(&v, &crooked, D, 0, memory, bytes) == LBP_E_NOT_SYMMETRIC);
  CHECK(CASE_ID(_curvature_init)(&v, &unknown, D, 0, memory, bytes) == LBP_E_NOT_FINITE);
  CHECK(CASE_ID(_curvature_init)(&v, &W, low, 0, memory, bytes) == LBP_E_INDEFINITE);
  CHECK(CASE_ID(_curvature_init)(&v, &s.W, low, 0, memory, bytes) == LBP_E_INDEFINITE);
  bad[1] = (double)NAN;
  CHECK(CASE_ID(_curvature_init)(&v, &W, bad, 0, memory, bytes) == LBP_E_RANGE);
  CHECK(CASE_ID(_curvature_init)(&v, &s.W, bad, 1, memory, bytes) == LBP_E_RANGE);
  bad[1] = (double)INFINITY;
  CHECK(CASE_ID(_curvature_init)(&v, &W, bad, 0, memory, bytes) == LBP_E_RANGE);
  bad[1] = 3;
  bad[0] = -1e-30;
  CHECK(CASE_ID(_curvature_init)(&v, &W, bad, 0, memory, bytes) == LBP_E_RANGE);
  CHECK(CASE_ID(_curvature_init)(&v, &W, D, 0, memory, bytes) == LBP_OK);
  CHECK(CASE_ID(_curvature_init)(&v, &W, large, 0, memory, bytes) == beyond);
  CHECK(CASE_ID(_curvature_init)(&v, &s.W, large, 1, memory, bytes) == beyond);
  CHECK(CASE_ID(_curvature_init)(&v, &far, none, 1, memory, bytes) == beyond);
  free(memory);
  a[0] = 5; /* D may be negative for W + D to be definite, and is refused all the same */
  bad[0] = -1;
  memory = memory_of(bytes);
  CHECK(CASE_ID(_curvature_init)(&v, &W, bad, 0, memory, bytes) == LBP_E_RANGE);
  free(memory);
  a[0] = 0;
}

LBP_FN void CASE_ID(_test_curvature)(void) {
  static const uint32_t sizes[] = {1, 2, 3, 5, 8, 13, 40};
  static double a[MOST_SITES * MOST_SITES];
  double D[MOST_SITES];
  uint32_t filled = 0, k, i, j;
  sparse_matrix s;
  lbp_rng rng;
  lbp_rng_init(&rng, 8, 9);
  for (k = 0; k < (TRIALS < 10000 ? 6 : 7); k++) {
    const uint32_t n = sizes[k];
    const lbp_symmetric W = dense_of(n, a);
    int exact, round;
    for (round = 0; round < 4; round++) { /* full; with D of least trace: singular; a ring; a ring, singular */
      for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++) {
          const int far = round >= 2 && i != j && i != j + 1 && i != j + n - 1;
          a[i * n + j] = a[j * n + i] = far ? 0 : 2 * uniform(&rng) - 1;
        }
      }
      make_sparse(&s, n, a);
      CHECK(lbp_diagonal_dominant(&W, D) == LBP_OK);
      if (round == 0) {
        for (i = 0; i < n; i++) D[i] += uniform(&rng);
      } else if (round % 2 == 1) {
        CHECK(diagonal_of(LBP_DIAGONAL_TRACE, &W, D) == LBP_OK);
      }
      for (exact = 0; exact < 2; exact++) {
        CASE_ID(_check_curvature)(&W, D, exact, 0);
        CASE_ID(_check_curvature)(&s.W, D, exact, lbp_symmetric_is_dominant(&s.W, D));
      }
      CHECK(round % 2 == 1 || lbp_symmetric_is_dominant(&s.W, D));
      if (lbp_symmetric_is_dominant(&s.W, D)) continue;
      CASE_ID(_check_same)(&W, &s.W, D);
      filled++;
    }
  }
  CHECK(filled > 5);
  for (k = 0; k < 2; k++) { /* of rank one, of rank none */
    const double full[9] = {1, -2, 3, -2, 1, -6, 3, -6, 1}, D_full[3] = {0, 3, 8}, empty[9] = {0}, D_empty[3] = {0};
    const lbp_symmetric W = dense_of(3, k ? empty : full);
    make_sparse(&s, 3, W.dense);
    CASE_ID(_check_curvature)(&W, k ? D_empty : D_full, 0, 0);
    CASE_ID(_check_curvature)(&s.W, k ? D_empty : D_full, 0, k == 1);
  }
  CASE_ID(_test_curvature_errors)();
}

/* ---- the adapter ------------------------------------------------------------------------------------------------- */

/* Where a made-up jump distance is largest, all parameters get, but for one that may not. */
LBP_FN void CASE_ID(_test_adapter)(void) {
  static const double best[3] = {30, 0.4, 0.9};
  static const REAL start[3] = {1, 1, (REAL)0.3};
  uint32_t count, k, t;
  ADAPTER a;
  for (count = 1; count <= 3; count++) {
    uint32_t shrunk = 0;
    CHECK(CASE_ID(_adapter_init)(&a, count, start) == LBP_OK);
    CHECK(a.gamma == (REAL)0.2 && a.decay == (REAL)0.9 && a.buffer == 100);
    a.buffer = 3;
    a.most[2] = (REAL)0.5;
    for (t = 0; t < 6000; t++) {
      const REAL gamma = a.gamma;
      double gap = 0;
      for (k = 0; k < count; k++) {
        const REAL v = CASE_ID(_adapter_value)(&a, k);
        CHECK(v > 0 && (k < 2 || v <= (REAL)0.5));
        gap += fabs(log((double)v / best[k]));
      }
      CASE_ID(_adapter_update)(&a, 1 / (1 + gap * gap));
      shrunk += a.gamma < gamma;
      CHECK(t > 150 || a.gamma == (REAL)0.2); /* all on the way */
    }
    CHECK(shrunk > 20 && a.gamma < (REAL)0.03);
    for (k = 0; k < count; k++) CHECK_NEAR(a.value[k] / (REAL)(k == 2 ? 0.5 : best[k]), 1, 0.05);
  }
  /* probe by probe: as it is, larger, smaller; the parameters in turn; gamma after a whole round without a move */
  for (count = 0; count < 4; count++) { /* the winner: 0 as it is, 1 larger, 2 smaller; 3: nothing moves */
    REAL first = 8, second = 2, gamma = (REAL)0.2;
    const REAL pair[2] = {8, 2};
    CHECK(CASE_ID(_adapter_init)(&a, 2, pair) == LBP_OK);
    a.buffer = 2;
    for (t = 0; t < 36; t++) {
      const uint32_t probe = t / 2 % 3, which = t / 6 % 2;
      const REAL factor = probe == 0 ? 1 : probe == 1 ? 1 + gamma : 1 - gamma;
      CHECK_NEAR(CASE_ID(_adapter_value)(&a, 0), which == 0 ? first * factor : first, 8 * CASE_EPSILON * (double)first);
      CHECK_NEAR(CASE_ID(_adapter_value)(&a, 1), which == 1 ? second * factor : second,
                 8 * CASE_EPSILON * (double)second);
      CASE_ID(_adapter_update)(&a, count == 3 ? 0 : probe == count ? 1 : 0.5);
      if (t % 6 < 5) continue;
      if (count == 3 && which == 0) first *= 2;
      if (count < 3 && which == 0) first *= count == 0 ? 1 : count == 1 ? 1 + gamma : 1 - gamma;
      if (count < 3 && which == 1) second *= count == 0 ? 1 : count == 1 ? 1 + gamma : 1 - gamma;
      if (count == 0 && which == 1) gamma *= (REAL)0.9;
      CHECK_NEAR(a.gamma, gamma, 8 * CASE_EPSILON);
    }
  }
  /* at most already, "larger" is the same value tried twice, and its luck is averaged: 1 and 3 lose to 2.5 */
  for (count = 0; count < 2; count++) {
    static const double jump[3] = {1, 3, 2.5};
    const REAL capped = 8, most = count == 0 ? 8 : 10;
    CHECK(CASE_ID(_adapter_init)(&a, 1, &capped) == LBP_OK);
    a.buffer = 1;
    a.most[0] = most;
    for (t = 0; t < 3; t++) CASE_ID(_adapter_update)(&a, jump[t]);
    CHECK_NEAR(a.value[0], count == 0 ? 8 * 0.8 : 8 * 1.2, 64 * CASE_EPSILON);
  }
}

/* ---- the check of a model ---------------------------------------------------------------------------------------- */

LBP_FN CASE_ID(_report) CASE_ID(_look)(const model *m, uint32_t trials, uint64_t seed) {
  CASE_ID(_run) r;
  CASE_ID(_report) report;
  uint8_t before[MOST_SITES];
  SCALE scale = CASE_ID(_first_order)(1, (REAL)0.5);
  INFO info;
  uint32_t sum, i;
  CASE_ID(_start_chain)(&r, m, seed);
  do { /* some models are wrong where the sum is 2, 7, ...: no chain should start there */
    for (sum = 0, i = 0; i < m->d; i++) sum += r.x[i] = (uint8_t)(lbp_rng_u64(&r.rng) % m->states);
  } while (sum % 5 == 2);
  CASE_ID(_ab_step)(&r.c, m, NULL, &scale, &r.rng); /* what the chain knows of x may not outlive the check */
  memcpy(before, r.x, m->d);
  report = CASE_ID(_check)(&r.c, m, trials, &r.rng);
  CHECK(memcmp(r.x, before, m->d) == 0);
  info = CASE_ID(_ab_step)(&r.c, m, NULL, &scale, &r.rng);
  CHECK(info.evaluations == 2);
  if (!m->wrong) CHECK_NEAR(r.c.logp, model_logp(m, r.x), 16 * CASE_EPSILON * (1 + fabs(model_logp(m, r.x))));
  return report;
}

#define FINDS(wrongs, at, want) CASE_ID(_finds)(m, wrongs, at, want, __LINE__)

LBP_FN CASE_ID(_report) CASE_ID(_finds)(const model *m, flaw wrong, uint32_t where, int want, int line) {
  model bad = *m;
  CASE_ID(_report) report;
  char text[120];
  bad.wrong = wrong;
  bad.where = where;
  report = CASE_ID(_look)(&bad, LOOKS, 5);
  snprintf(text, sizeof text, "d = %u, S = %u, flaw %d: status %d, want %d", m->d, m->states, (int)wrong, report.status,
           want);
  test_count(report.status == want, __FILE__, line, text);
  return report;
}

LBP_FN void CASE_ID(_check_flaws)(const model *m) {
  const uint32_t last = m->d - 1;
  CASE_ID(_report) report = FINDS(RIGHT, 0, LBP_OK);
  CHECK(report.site == 0 && report.got == 0 && report.want == 0);
  FINDS(LOGP_IMPOSSIBLE, 2, LBP_OK);
  FINDS(GRADIENT_SIGN, 0, LBP_E_GRADIENT);
  FINDS(GRADIENT_TWICE, 0, LBP_E_GRADIENT);
  FINDS(GRADIENT_SHIFTED, 0, LBP_E_GRADIENT);
  report = FINDS(GRADIENT_FORGETS, last, LBP_E_GRADIENT);
  CHECK(report.site == last && fabs((double)(report.got - report.want)) > 0);
  report = FINDS(GRADIENT_NAN, 2, LBP_E_MODEL_NAN);
  CHECK(report.site == last && lbp_is_nan((double)report.got));
  FINDS(LOGP_NAN, 2, LBP_E_MODEL_NAN);
  FINDS(LOGP_INFINITE, 2, LBP_E_MODEL_NAN);
  report = FINDS(LOGP_DRIFTS, 0, LBP_E_NOT_REPEATABLE);
  CHECK(report.got != report.want);
  report = FINDS(GRADIENT_DRIFTS, last, LBP_E_NOT_REPEATABLE);
  CHECK(report.site == last && report.got != report.want);
}

LBP_FN void CASE_ID(_check_ways)(const model *m) { /* where LBP_LOGP, LBP_CONDITIONAL are */
  if (sizeof(REAL) == sizeof(float)) return;
  if (CASE_LOGP) FINDS(LOGP_OTHER, m->d - 1, LBP_E_LOGP);
  FINDS(CONDITIONAL_SHIFTED, 0, LBP_E_LOGP);
}

LBP_FN void CASE_ID(_test_check)(void) {
  static const uint32_t sizes[][2] = {{4, 2}, {40, 2}, {1, 2}, {3, 3}, {3, 5}, {40, 4}};
  uint32_t k, i;
  for (k = 0; k < (CASE_BINARY ? 3 : 6); k++) {
    model straight = make_toy(sizes[k][0], sizes[k][1], 0, 30 + k);
    model cubic = make_toy(sizes[k][0], sizes[k][1], -0.04, 40 + k);
    straight.h[straight.d - 1] += 9; /* enough to be missed if forgotten */
    cubic.h[cubic.d - 1] += 9;
    if (straight.d > 1) { /* else there is nothing to shift */
      CASE_ID(_check_flaws)(&straight);
      CASE_ID(_check_flaws)(&cubic);
    }
    CASE_ID(_check_ways)(&straight);
    CASE_ID(_check_ways)(&cubic);
    straight.level = -1e5; /* rounds to 1 / 128 in float */
    CHECK(CASE_ID(_look)(&straight, LOOKS, 6).status == LBP_OK);
    memset(straight.J, 0, sizeof straight.J); /* of a straight line, a tenth is granted and no third */
    straight.level = 0;
    straight.wrong = GRADIENT_TENTH;
    CHECK(CASE_ID(_look)(&straight, LOOKS, 7).status == LBP_OK);
    straight.wrong = GRADIENT_MORE;
    CHECK(CASE_ID(_look)(&straight, LOOKS, 7).status == LBP_E_GRADIENT);
    CHECK(CASE_ID(_look)(&straight, 0, 7).status == LBP_OK); /* not even looked at */
    straight.wrong = RIGHT; /* nearly flat on a high level: log pi is rounding alone */
    straight.level = -1e5;
    for (i = 0; i < straight.d; i++) straight.h[i] = 1e4 * CASE_EPSILON;
    CHECK(CASE_ID(_look)(&straight, LOOKS, 8).status == LBP_OK);
  }
  if (!CASE_BINARY) {
    for (i = 1; i < 20; i += 6) {
      const model m = make_lattice(i, 0, i), quartic = make_lattice(i, 0.001, i);
      CHECK(CASE_ID(_look)(&m, LOOKS, i).status == LBP_OK);
      CHECK(CASE_ID(_look)(&quartic, LOOKS, i).status == LBP_OK);
    }
  }
}

/* ---- algorithm 1, side by side with itself from its parts -------------------------------------------------------- */

typedef struct {
  CASE_ID(_tuner) tuner;
  ADAPTER adapter;
  lbp_estimate estimate;
  CURVATURE curvature;
  double sums[2 * MOST_SITES * MOST_SITES], W[MOST_SITES * MOST_SITES], D[MOST_SITES], residual;
  void *memory;
  int status;
} CASE_ID(_parts);

LBP_FN void CASE_ID(_learn)(CASE_ID(_parts) *p, int kind, uint32_t d) {
  const lbp_symmetric W = dense_of(d, p->W);
  const size_t len = lbp_estimate_solve_workspace(d);
  double *work = (double *)memory_of(len * sizeof *work);
  p->status = lbp_estimate_solve(&p->estimate, p->W, work, len);
  CHECK(p->status == LBP_OK);
  p->residual = lbp_estimate_residual(&p->estimate, p->W, work);
  free(work);
  p->status = diagonal_of(kind, &W, p->D);
  if (p->status != LBP_OK) return;
  p->memory = memory_of(CASE_ID(_curvature_bytes)(&W, p->D, 0));
  p->status = CASE_ID(_curvature_init)(&p->curvature, &W, p->D, 0, p->memory, CASE_ID(_curvature_bytes)(&W, p->D, 0));
  CHECK(p->status == LBP_OK);
}

/* The scale that the parts ask for. */
LBP_FN SCALE CASE_ID(_asked)(const CASE_ID(_parts) *p, int literal, int second) {
  const REAL one = CASE_ID(_adapter_value)(&p->adapter, 0), two = CASE_ID(_adapter_value)(&p->adapter, 1);
  if (literal) return second ? CASE_ID(_second_order)(one, two) : CASE_ID(_first_order)(one, two);
  if (!second) return CASE_ID(_first_order)(p->tuner.sigma, (REAL)0.5);
  return CASE_ID(_second_order_d)(one, two, CASE_ID(_adapter_value)(&p->adapter, 2));
}

/* given: a curvature, or NULL to estimate one. */
LBP_FN void CASE_ID(_replay)(const model *m, uint32_t warmup, int kind, int literal, const CURVATURE *given) {
  static const REAL printed[2] = {(REAL)0.1, (REAL)0.5}, begin[3] = {100, 1, 1};
  static CASE_ID(_parts) p;
  static CASE_ID(_run) r, other;
  const uint32_t half = warmup / 2, quarter = warmup / 4, first = literal ? 0 : quarter, mean_of = warmup - quarter;
  const CURVATURE *want = NULL;
  double mean[3] = {0, 0, 0};
  SCALE scale = CASE_ID(_first_order)(printed[0], printed[1]);
  uint32_t t, i, pairs = 0;
  if (given) CASE_ID(_start_given)(&r, m, given, warmup, 77);
  else CASE_ID(_start)(&r, m, warmup, 77);
  r.a.diagonal = kind;
  r.a.literal = literal;
  CASE_ID(_start_chain)(&other, m, 77);
  memset(&p, 0, sizeof p);
  CHECK(CASE_ID(_tuner_init)(&p.tuner, printed[0], quarter, (REAL)LBP_TARGET_LBP) == LBP_OK);
  CHECK(CASE_ID(_adapter_init)(&p.adapter, 2, printed) == LBP_OK);
  p.adapter.most[1] = 1;
  if (literal && warmup < 1000) r.a.adapter.value[1] = p.adapter.value[1] = (REAL)0.9; /* to meet alpha = 1 */
  CHECK(lbp_estimate_init(&p.estimate, m->d, p.sums, 2 * m->d * m->d) == LBP_OK);
  for (t = 0; t < warmup + 300; t++) {
    REAL before[MOST_SITES], after[MOST_SITES];
    double dx[MOST_SITES], dg[MOST_SITES];
    uint8_t from[MOST_SITES];
    INFO got, info;
    if (t < half) CHECK(CASE_ID(_adaptive_curvature)(&r.a) == NULL);
    if (t == half) {
      if (!given) CASE_ID(_learn)(&p, kind, m->d);
      want = p.status != LBP_OK ? NULL : given ? given : &p.curvature;
      if (want && !literal) {
        CHECK(CASE_ID(_adapter_init)(&p.adapter, 3, begin) == LBP_OK);
        p.adapter.most[2] = 1;
      }
    }
    if (t >= half && t < warmup && !literal) p.adapter.gamma = (REAL)(0.4 - 0.3 * (t - half) / (warmup - half));
    if (t < warmup) scale = CASE_ID(_asked)(&p, literal, want != NULL);
    if (t == warmup) { /* the mean of the logarithms over the last quarter; as printed, where it is */
      p.adapter.probe = 0;
      if (!literal && want) {
        for (i = 0; i < 3; i++) p.adapter.value[i] = (REAL)exp(mean[i] / (warmup - mean_of));
      }
      scale = CASE_ID(_asked)(&p, literal, want != NULL);
      CASE_ID(_check_scale)(&r.a.scale, &scale);
      scale = r.a.scale; /* rounded otherwise, maybe */
    }
    memcpy(from, other.x, m->d);
    CASE_GRADIENT(m, from, before);
    info = CASE_ID(_ab_step)(&other.c, m, want, &scale, &other.rng);
    got = CASE_ID(_adaptive_step)(&r.c, m, &r.a, &r.rng);
    if (t != warmup - 1) CHECK(CASE_ID(_same_scale)(&r.a.scale, &scale));
    CHECK(memcmp(r.x, other.x, m->d) == 0);
    CHECK(got.accept == info.accept && got.proposed == info.proposed && got.jump == info.jump);
    if (t >= warmup) continue;
    CASE_GRADIENT(m, other.x, after);
    for (i = 0; i < m->d; i++) {
      dx[i] = (double)other.x[i] - (double)from[i];
      dg[i] = (double)(after[i] - before[i]);
    }
    if (!given && info.accepted && t >= first && t < half) {
      CHECK(lbp_estimate_push(&p.estimate, dx, dg) == LBP_OK);
      pairs += info.jump > 0;
    }
    CASE_ID(_tuner_update)(&p.tuner, info.accept);
    if (literal) CASE_ID(_adapter_update)(&p.adapter, info.jump);
    else if (want) CASE_ID(_adapter_update)(&p.adapter, (double)info.accept * info.proposed);
    for (i = 0; i < 3 && t >= mean_of; i++) mean[i] += log((double)p.adapter.value[i] + (i >= p.adapter.count));
  }
  CHECK(r.a.status == p.status);
  CHECK(r.a.step == warmup);
  CHECK(CASE_ID(_adaptive_curvature)(&r.a) == (p.status != LBP_OK ? NULL : given ? given : &r.a.own));
  if (!given) {
    CHECK(r.a.estimate.pairs == pairs && pairs > 0);
    CHECK_NEAR(r.a.residual, p.residual, 1e-12);
    free(r.memory);
    free(p.memory);
  }
}

LBP_FN void CASE_ID(_test_replay)(void) {
  const uint32_t states = CASE_BINARY ? 2 : 3, sizes[] = {4000, 2003, 401};
  const model quadratic = make_toy(4, states, 0, 8), cubic = make_toy(4, states, -0.04, 9);
  const lbp_symmetric W = dense_of(4, quadratic.J);
  double D[4];
  uint32_t k;
  int kind;
  CURVATURE given;
  void *memory;
  CHECK(diagonal_of(LBP_DIAGONAL_TRACE, &W, D) == LBP_OK);
  memory = memory_of(CASE_ID(_curvature_bytes)(&W, D, 1));
  CHECK(CASE_ID(_curvature_init)(&given, &W, D, 1, memory, CASE_ID(_curvature_bytes)(&W, D, 1)) == LBP_OK);
  for (k = LONG < 10000; k < 3; k++) {
    for (kind = LBP_DIAGONAL_TRACE; kind <= LBP_DIAGONAL_DOMINANT + 1; kind++) { /* the last is none: first order to the end */
      CASE_ID(_replay)(&quadratic, sizes[k], kind, 0, NULL);
      CASE_ID(_replay)(&cubic, sizes[k] + 1, kind, 0, NULL);
      CASE_ID(_replay)(&cubic, sizes[k] + 2, kind, 1, NULL);
    }
    CASE_ID(_replay)(&quadratic, sizes[k], LBP_DIAGONAL_TRACE, 0, &given);
    CASE_ID(_replay)(&quadratic, sizes[k], LBP_DIAGONAL_TRACE, 1, &given);
  }
  free(memory);
}

/* ---- the phases of short warm-ups -------------------------------------------------------------------------------- */

/* What a step does: t tunes sigma, o observes for W, a adapts, m adapts and adds to the mean; A what o and a do. */
LBP_FN char CASE_ID(_deed)(ADAPTIVE *a) {
  const double dx = 1, dg = -1;
  const int observes = CASE_ID(_priv_is_estimating)(a);
  const uint32_t tuned = a->tuner.step, adapted = a->adapter.step;
  const double mean = a->mean[0];
  CASE_ID(_priv_foresee)(a);
  if (observes) CHECK(lbp_estimate_push(&a->estimate, &dx, &dg) == LBP_OK);
  CASE_ID(_priv_take_in)(a, 0.5, 1);
  if (a->tuner.step != tuned) return 't';
  if (a->adapter.step == adapted) return observes ? 'o' : '-';
  return observes ? 'A' : a->mean[0] != mean ? 'm' : 'a';
}

/* Each warm-up up to twice six steps, and each border a step further where four does not divide it. With one step
 * nothing can be learnt first. */
LBP_FN void CASE_ID(_test_phases)(void) {
  static const char *const want[2][13] = {
    {"", "-", "oa", "oaa", "toam", "toaam", "tooaam", "tooaaam", "ttooaamm", "ttooaaamm", "ttoooaaamm", "ttoooaaaamm",
     "tttoooaaammm"},
    {"", "a", "Aa", "Aaa", "AAaa", "AAaaa", "AAAaaa", "AAAaaaa", "AAAAaaaa", "AAAAaaaaa", "AAAAAaaaaa", "AAAAAaaaaaa",
     "AAAAAAaaaaaa"}};
  const size_t bytes = CASE_ID(_adaptive_bytes)(1);
  void *memory = memory_of(bytes);
  ADAPTIVE a;
  uint32_t warmup, t, literal;
  for (literal = 0; literal < 2; literal++) {
    for (warmup = 0; warmup <= 12; warmup++) {
      char got[16] = {0};
      uint32_t first = 0;
      CHECK(CASE_ID(_adaptive_init)(&a, 1, warmup, memory, bytes) == LBP_OK);
      a.literal = (int)literal;
      for (t = 0; t < warmup + 2; t++) { /* two more, which do nothing */
        got[t] = CASE_ID(_deed)(&a);
        if (t < warmup) first += CASE_ID(_adaptive_curvature)(&a) == NULL;
      }
      CHECK(strlen(got) == warmup + 2 && strcmp(got + warmup, "--") == 0);
      got[warmup] = 0;
      CHECK(strcmp(got, want[literal][warmup]) == 0);
      if (a.status == LBP_OK) CHECK(first + 1 == warmup / 2); /* asked after a step, of the next */
      CHECK(a.step == warmup && a.adapter.probe == 0);
    }
  }
  free(memory);
}

/* ---- exactness of what is frozen --------------------------------------------------------------------------------- */

LBP_FN void CASE_ID(_exact)(const model *m, const CURVATURE *v, const SCALE *scale, uint64_t seed, const char *what) {
  static uint32_t passed[MOST_CELLS * MOST_CELLS];
  static CASE_ID(_run) r;
  const uint32_t cells = ab_cells(m->d, m->states);
  double law[MOST_CELLS], upto[MOST_CELLS], acceptance = 0;
  uint32_t t;
  make_law(m, law, upto);
  memset(passed, 0, sizeof passed);
  CASE_ID(_start_chain)(&r, m, seed);
  for (t = 0; t < TRIALS; t++) {
    const uint32_t from = draw_cell(upto, cells, &r.rng);
    ab_decode(m->d, m->states, from, r.x);
    r.c.logp_ready = r.c.gradient_ready = 0; /* touching it would drop the noise made ahead */
    acceptance += (double)CASE_ID(_ab_step)(&r.c, m, v, scale, &r.rng).accept / TRIALS;
    passed[from * cells + ab_encode(m->d, m->states, r.x)]++;
  }
  check_reversible(passed, law, cells, TRIALS, 3, acceptance, what);
}

LBP_FN void CASE_ID(_exact_run)(CASE_ID(_run) *r, const model *m, uint64_t seed, const char *what) {
  CASE_ID(_warm_up)(r, m);
  CHECK(r->a.status == LBP_OK);
  CHECK(CASE_ID(_adaptive_curvature)(&r->a) != NULL);
  CHECK(r->a.scale.damping > 0);
  CASE_ID(_exact)(m, CASE_ID(_adaptive_curvature)(&r->a), &r->a.scale, seed, what);
  free(r->memory);
}

/* W and the D of a kind, given. */
LBP_FN void CASE_ID(_exact_given)(const model *m, const lbp_symmetric *W, int kind, int exact, uint64_t seed,
                                  const char *what) {
  static CASE_ID(_run) r;
  double D[MOST_SITES];
  CURVATURE v;
  size_t bytes;
  void *memory;
  CHECK(diagonal_of(kind, W, D) == LBP_OK);
  bytes = CASE_ID(_curvature_bytes)(W, D, exact);
  memory = memory_of(bytes);
  CHECK(CASE_ID(_curvature_init)(&v, W, D, exact, memory, bytes) == LBP_OK);
  CHECK((v.root == NULL) == lbp_symmetric_is_dominant(W, D));
  CASE_ID(_start_given)(&r, m, &v, SHORT, seed);
  CASE_ID(_exact_run)(&r, m, seed, what);
  free(memory);
}

LBP_FN void CASE_ID(_test_exact)(const model *m, uint64_t seed) {
  static const char *const names[] = {"AB-trace", "AB-shift", "AB-max", "AB-dominant"};
  static CASE_ID(_run) r;
  const int kinds = sizeof(REAL) == sizeof(float) ? 1 : 4;
  double a[MOST_SITES * MOST_SITES] = {0};
  const lbp_symmetric W = dense_of(m->d, a);
  sparse_matrix s;
  uint32_t i;
  int kind;
  for (kind = 0; kind < kinds; kind++) {
    CASE_ID(_start)(&r, m, SHORT, seed);
    r.a.diagonal = kind;
    CASE_ID(_exact_run)(&r, m, seed + (uint64_t)kind, names[kind]);
  }
  if (kinds > 1) {
    CASE_ID(_start)(&r, m, 20000, seed); /* from sigma = 0.1 it is a long way to steps that move */
    r.a.literal = 1;
    CASE_ID(_exact_run)(&r, m, seed + 5, "AB, literal");
  }
  memcpy(a, m->J, sizeof a);
  if (m->cubic == 0) {
    make_sparse(&s, m->d, a);
    CASE_ID(_exact_given)(m, &W, LBP_DIAGONAL_TRACE, 1, seed + 6, "AB, Hessian given");
    CASE_ID(_exact_given)(m, &s.W, LBP_DIAGONAL_DOMINANT, 1, seed + 7, "AB, sparse Hessian given");
    CASE_ID(_exact_given)(m, &s.W, LBP_DIAGONAL_TRACE, 0, seed + 8, "AB, sparse Hessian given, not said exact");
  } else {
    for (i = 0; i < m->d * m->d; i++) a[i] *= 0.6;
    make_sparse(&s, m->d, a);
    CASE_ID(_exact_given)(m, &W, LBP_DIAGONAL_MAX, 0, seed + 6, "AB, wrong W given");
    CASE_ID(_exact_given)(m, &s.W, LBP_DIAGONAL_SHIFT, 0, seed + 7, "AB, wrong sparse W given");
    memset(a, 0, sizeof a);
    for (i = 0; i < m->d; i++) a[i * m->d + i] = -0.3 * (i + 1);
    CASE_ID(_exact_given)(m, &W, LBP_DIAGONAL_SHIFT, 0, seed + 8, "AB, diagonal W given");
  }
}

/* ---- warm-ups that learn little, none, or nothing ---------------------------------------------------------------- */

/* Frozen means frozen: the same as the steps with what there is then, also for two chains at a time. */
LBP_FN void CASE_ID(_check_frozen)(CASE_ID(_run) *r, const model *m) {
  static CASE_ID(_run) alone[2], together[2];
  const CURVATURE *v = CASE_ID(_adaptive_curvature)(&r->a);
  const SCALE scale = r->a.scale;
  uint32_t t, k;
  for (k = 0; k < 2; k++) {
    CASE_ID(_start_chain)(&alone[k], m, 50 + k);
    CASE_ID(_start_chain)(&together[k], m, 50 + k);
  }
  for (t = 0; t < 100; t++) CASE_ID(_ab_step)(&alone[0].c, m, v, &scale, &alone[0].rng);
  for (t = 0; t < 100; t++) CASE_ID(_adaptive_step)(&alone[1].c, m, &r->a, &alone[1].rng);
  for (t = 0; t < 100; t++) {
    CASE_ID(_ab_step)(&together[1].c, m, v, &scale, &together[1].rng);
    CASE_ID(_adaptive_step)(&together[0].c, m, &r->a, &together[0].rng);
  }
  for (k = 0; k < 2; k++) CHECK(memcmp(alone[k].x, together[k].x, m->d) == 0);
  CHECK(CASE_ID(_same_scale)(&scale, &r->a.scale));
  CHECK(CASE_ID(_adaptive_curvature)(&r->a) == v);
  CHECK(lbp_is_finite((double)scale.alpha) && lbp_is_finite((double)scale.along) && lbp_is_finite((double)scale.flat));
}

LBP_FN void CASE_ID(_test_warmups)(void) {
  static CASE_ID(_run) r;
  const model m = make_toy(3, 3, 0, 4);
  model steep = m;
  const lbp_symmetric W = dense_of(3, m.J);
  const size_t bytes = CASE_ID(_adaptive_bytes)(3);
  double D[3];
  CURVATURE v;
  void *memory = memory_of(bytes), *room;
  uint32_t warmup, i;
  CHECK(CASE_ID(_adaptive_init)(NULL, 3, 100, memory, bytes) == LBP_E_NULL);
  CHECK(CASE_ID(_adaptive_init)(&r.a, 3, 100, NULL, bytes) == LBP_E_NULL);
  CHECK(CASE_ID(_adaptive_init)(&r.a, 0, 100, memory, bytes) == LBP_E_SIZE);
  CHECK(CASE_ID(_adaptive_init)(&r.a, 30001, 100, memory, bytes) == LBP_E_SIZE);
  CHECK(CASE_ID(_adaptive_init)(&r.a, 3, 100, memory, bytes - 1) == LBP_E_WORKSPACE);
  CHECK(CASE_ID(_adaptive_init)(&r.a, 4, 100, memory, bytes) == LBP_E_WORKSPACE);
  CHECK(CASE_ID(_adaptive_given)(NULL, &v, 100) == LBP_E_NULL);
  CHECK(CASE_ID(_adaptive_given)(&r.a, NULL, 100) == LBP_E_NULL);
  free(memory);
  /* some */
  CHECK(diagonal_of(LBP_DIAGONAL_TRACE, &W, D) == LBP_OK);
  room = memory_of(CASE_ID(_curvature_bytes)(&W, D, 1));
  CHECK(CASE_ID(_curvature_init)(&v, &W, D, 1, room, CASE_ID(_curvature_bytes)(&W, D, 1)) == LBP_OK);
  for (warmup = 0; warmup < 12; warmup++) {
    for (i = 0; i < 4; i++) {
      if (i < 2) CASE_ID(_start)(&r, &m, warmup, warmup);
      else CASE_ID(_start_given)(&r, &m, &v, warmup, warmup);
      r.a.literal = i % 2 == 1;
      CASE_ID(_warm_up)(&r, &m);
      CASE_ID(_check_frozen)(&r, &m);
      CHECK(r.a.step == warmup);
      if (i == 2 && warmup == 0) { /* second order from the first step on, too */
        const SCALE begin = CASE_ID(_second_order_d)(100, 1, 1);
        CHECK(CASE_ID(_adaptive_curvature)(&r.a) == &v && CASE_ID(_same_scale)(&r.a.scale, &begin));
      }
      if (i < 2 && warmup < 2) CHECK(r.a.status == LBP_E_NO_DATA && !CASE_ID(_adaptive_curvature)(&r.a));
      free(r.memory);
    }
  }
  free(room);
  CASE_ID(_start)(&r, &m, SHORT, 3);
  CASE_ID(_warm_up)(&r, &m);
  CHECK(CASE_ID(_adaptive_curvature)(&r.a) == &r.a.own);
  CASE_ID(_check_frozen)(&r, &m);
  free(r.memory);
  CASE_ID(_start)(&r, &m, SHORT, 3); /* W counts in full */
  r.a.damped = 0;
  CASE_ID(_warm_up)(&r, &m);
  CHECK(CASE_ID(_adaptive_curvature)(&r.a) == &r.a.own && r.a.adapter.count == 2);
  CHECK(r.a.scale.damping == 1);
  CASE_ID(_check_frozen)(&r, &m);
  CASE_ID(_exact)(&m, &r.a.own, &r.a.scale, 9, "undamped");
  free(r.memory);
  /* a chain of another size is refused, and left alone */
  CASE_ID(_start)(&r, &m, 400, 3);
  r.a.n = m.d + 1;
  for (i = 0; i < 3; i++) {
    const INFO info = CASE_ID(_adaptive_step)(&r.c, &m, &r.a, &r.rng);
    CHECK(info.status == LBP_E_SIZE && !info.accepted && r.a.step == 0);
  }
  free(r.memory);
  /* nothing: where the model is so steep that no state moves; and where the diagonal is none */
  for (i = 0; i < 3; i++) steep.h[i] = -500;
  CASE_ID(_start)(&r, &steep, 400, 3);
  memset(r.x, 0, sizeof r.x);
  CASE_ID(_warm_up)(&r, &steep);
  CHECK(r.a.status == LBP_E_NO_DATA);
  CHECK(CASE_ID(_adaptive_curvature)(&r.a) == NULL);
  CASE_ID(_check_frozen)(&r, &m);
  CASE_ID(_exact)(&m, NULL, &r.a.scale, 7, "first order for want of data");
  free(r.memory);
  CASE_ID(_start)(&r, &m, 400, 3);
  r.a.diagonal = 9;
  CASE_ID(_warm_up)(&r, &m);
  CHECK(r.a.status == LBP_E_RANGE);
  CHECK(CASE_ID(_adaptive_curvature)(&r.a) == NULL);
  CASE_ID(_check_frozen)(&r, &m);
  CASE_ID(_exact)(&m, NULL, &r.a.scale, 8, "first order for want of a diagonal");
  free(r.memory);
}

/* ---- the second order against the first -------------------------------------------------------------------------- */

/* The status that a curvature given gets after steps of which those of the first order's last quarter have one acceptance and one proposed jump,
 * those of the last quarter of all another, and all others the best there is. */
LBP_FN int CASE_ID(_verdict)(uint32_t warmup, double first, uint32_t first_jump, double second, uint32_t second_jump) {
  const uint32_t half = warmup / 2, quarter = warmup / 4;
  CURVATURE unused;
  ADAPTIVE a;
  uint32_t t;
  memset(&unused, 0, sizeof unused);
  unused.n = 1;
  CHECK(CASE_ID(_adaptive_given)(&a, &unused, warmup) == LBP_OK);
  for (t = 0; t < warmup; t++) {
    const int one = t >= half - quarter && t < half, two = t >= warmup - quarter;
    const double accept = one ? first : two ? second : 1;
    CHECK(a.status == LBP_OK && a.step == t);
    CASE_ID(_priv_take_in)(&a, accept, accept * (one ? first_jump : two ? second_jump : 100000));
  }
  return a.status;
}

LBP_FN void CASE_ID(_test_compare)(void) {
  static const uint32_t sizes[] = {4, 7, 400, 401, 402, 403};
  static CASE_ID(_run) r;
  const model m = make_lattice(12, 0, 2);
  model nowhere = m;
  double W[12 * 12] = {0}, D[12];
  const lbp_symmetric wrong = dense_of(12, W);
  CURVATURE v;
  size_t bytes;
  void *room;
  uint32_t k, i;
  for (k = 0; k < 6; k++) {
    CHECK(CASE_ID(_verdict)(sizes[k], 0.5, 10, 0.5, 30) == LBP_OK);
    CHECK(CASE_ID(_verdict)(sizes[k], 0.5, 100, 0.9, 28) == LBP_OK); /* half as far */
    CHECK(CASE_ID(_verdict)(sizes[k], 0.5, 100, 0.9, 27) == LBP_E_FIRST_ORDER);
    CHECK(CASE_ID(_verdict)(sizes[k], 0.5, 1, 0.051, 1000) == LBP_OK); /* a tenth as often */
    CHECK(CASE_ID(_verdict)(sizes[k], 0.5, 1, 0.049, 1000) == LBP_E_FIRST_ORDER);
    CHECK(CASE_ID(_verdict)(sizes[k], 0, 1, 1, 1) == LBP_OK);
    CHECK(CASE_ID(_verdict)(sizes[k], 0, 1, 0, 1) == LBP_E_FIRST_ORDER); /* nothing has moved at all */
  }
  for (i = 0; i < 12; i++) W[i * 12 + i] = 40; /* a W that has nothing to do with log pi */
  for (i = 0; i < 11; i++) W[i * 12 + i + 1] = W[i * 12 + 12 + i] = 30;
  CHECK(diagonal_of(LBP_DIAGONAL_TRACE, &wrong, D) == LBP_OK);
  bytes = CASE_ID(_curvature_bytes)(&wrong, D, 0);
  room = memory_of(bytes);
  CHECK(CASE_ID(_curvature_init)(&v, &wrong, D, 0, room, bytes) == LBP_OK);
  for (k = 0; k < 2; k++) {
    CASE_ID(_start_given)(&r, &m, &v, SHORT, 5);
    r.a.damped = (int)k;
    CASE_ID(_warm_up)(&r, &m);
    CHECK(r.a.status == LBP_E_FIRST_ORDER && CASE_ID(_adaptive_curvature)(&r.a) == NULL);
    CHECK(CASE_ID(_jump)(&r, &m, NULL, &r.a.scale, 1000) > 3);
  }
  nowhere.wrong = GRADIENT_NAN; /* where the chain starts: it can't leave, whatever the curvature */
  CASE_ID(_start_given)(&r, &nowhere, &v, 400, 5);
  memset(r.x, 0, sizeof r.x);
  CHECK(CASE_ID(_warm_up)(&r, &nowhere) == 400);
  CHECK(r.a.status == LBP_E_FIRST_ORDER);
  free(room);
}

/* ---- known answers on {0 ... 20}^d ------------------------------------------------------------------------------- */

LBP_FN void CASE_ID(_check_hessian)(const ADAPTIVE *a, const model *m) {
  const CURVATURE *v = CASE_ID(_adaptive_curvature)(a);
  uint32_t i;
  CHECK(v != NULL);
  if (!v) return;
  for (i = 0; i < m->d * m->d; i++) CHECK_NEAR(v->W[i], m->J[i], 1e-3);
  CHECK(a->residual < 1e-6);
}

/* Adapted against the best of a grid, both frozen. On the flat top that the search starts from it may end short of it. */
LBP_FN void CASE_ID(_check_adapted)(CASE_ID(_run) *r, const model *m) {
  static const double s[] = {1, 10, 100, 1000}, rho[] = {0.2, 1, 5}, damping[] = {0.25, 0.5, 1};
  const CURVATURE *v = CASE_ID(_adaptive_curvature)(&r->a);
  double best = 0, got;
  uint32_t k;
  char text[120];
  for (k = 0; k < 36; k++) {
    const SCALE scale = CASE_ID(_second_order_d)((REAL)s[k / 9], (REAL)rho[k / 3 % 3], (REAL)damping[k % 3]);
    const double jump = CASE_ID(_jump)(r, m, v, &scale, LONG / 5);
    if (jump > best) best = jump;
  }
  got = CASE_ID(_jump)(r, m, v, &r->a.scale, LONG);
  snprintf(text, sizeof text, "adapted: jumps %.3g, best of the grid %.3g", got, best);
  test_count(got > (LONG < 10000 ? 0.75 : 0.85) * best, __FILE__, __LINE__, text);
}

LBP_FN void CASE_ID(_test_lattice)(void) {
  static const flaw flaws[] = {GRADIENT_NAN, LOGP_NAN, LOGP_INFINITE, LOGP_IMPOSSIBLE};
  static CASE_ID(_run) r;
  model m = make_lattice(12, 0, 2), quartic = make_lattice(12, 0.004, 2);
  const lbp_symmetric W = dense_of(m.d, m.J);
  double D[12];
  uint32_t k, i;
  for (k = LBP_DIAGONAL_TRACE; k <= LBP_DIAGONAL_DOMINANT; k++) {
    CASE_ID(_start)(&r, &m, k ? SHORT : 2 * LONG, 4);
    r.a.diagonal = (int)k;
    CASE_ID(_warm_up)(&r, &m);
    CASE_ID(_check_hessian)(&r.a, &m);
    CHECK(diagonal_of((int)k, &W, D) == LBP_OK);
    for (i = 0; i < m.d; i++) CHECK_NEAR(CASE_ID(_adaptive_curvature)(&r.a)->D[i], D[i], 2e-3);
    if (k == 0) CASE_ID(_check_adapted)(&r, &m);
    free(r.memory);
  }
  for (k = 0; k < 4; k++) { /* parts of the space without a number */
    m.wrong = flaws[k];
    m.where = 2;
    CASE_ID(_start)(&r, &m, SHORT, 4);
    CHECK(CASE_ID(_warm_up)(&r, &m) > SHORT / 20 || m.wrong == LOGP_IMPOSSIBLE); /* which is no mistake */
    CASE_ID(_check_hessian)(&r.a, &m);
    CASE_ID(_check_frozen)(&r, &m);
    free(r.memory);
  }
  CASE_ID(_start)(&r, &quartic, 2 * LONG, 4);
  CASE_ID(_warm_up)(&r, &quartic);
  CHECK(r.a.status == LBP_OK);
  CHECK(r.a.residual > 0.02 && r.a.residual < 1);
  CASE_ID(_check_adapted)(&r, &quartic);
  free(r.memory);
}

#undef FINDS
#undef REAL
#undef CHAIN
#undef INFO
#undef SCALE
#undef CURVATURE
#undef ADAPTIVE
#undef ADAPTER
#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_EPSILON
#undef CASE_GRADIENT
#undef CASE_LOGP
#undef CASE_BINARY
