/* The answers to misuse that no other test asks for: lengths near 2^31 and 2^32, NaN, infinity and parameters out of
 * range where a status or a clamped value must come back. (Statuses of the constructors are tested next to each; what
 * functions leave undefined, in test_checked.c.) Seeds are fixed and no check is statistical. Meant for sanitizers and
 * for -m32 too, where sizes wrap that are harmless with 64 bits. */
#include "models.h"
#include "../lbp_stats.h"
#include "toy.h"

enum { N = 9 };

/* Where something would wrap in 32 bits or in 64. */
static const uint32_t large[] = {0x20000000u, 0x249249ffu, 0x38e38e39u, 0x55555556u,
                                 0x7fffffffu, 0x80000000u, 0xffffffffu};

/* ---- lengths ----------------------------------------------------------------------------------------------------- */

/* A length is right, or it is SIZE_MAX and nobody has as many elements of 4 bytes or more as is right. */
static int is_length(size_t got, double want) {
  if (got == SIZE_MAX) return 4 * want > (double)SIZE_MAX;
  return fabs((double)got - want) <= 1e-15 * want;
}

#define LBP_NAME           ml
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#include "../lbp.h"

#define LBP_NAME    md
#define LBP_MODEL_T toy
#define LBP_DELTAS  toy_deltas
#include "../lbp.h"

static double ordinal_gradient(const double *slope, const uint8_t *x, double *out) {
  out[0] = *slope;
  return *slope * x[0];
}

#define LBP_NAME     ma
#define LBP_MODEL_T  double
#define LBP_GRADIENT ordinal_gradient
#include "../lbp_ab.h"

static void test_lengths(void) {
  size_t k;
  for (k = 0; k < sizeof large / sizeof large[0]; k++) {
    const uint32_t n = large[k];
    const double v = n;
    const double eigen = 2 * v * v + 11 * v + 4, least = 33 * v + 2 * 32 * 32 + 32 + 2 * 32 * 32 + 11 * 32 + 4;
    const double trace = 64 * v + least, solve = 3 * v * v + 12 * v + 4, diagonal = 3 * v * v + 5 * v;
    CHECK(is_length(ml_ws_len(n), floor(3.5 * v) + 2) && LBP_WS_LEN(n) == ml_ws_len(n));
    CHECK(is_length(md_ws_len(n), floor(4.5 * v) + 2) && LBP_WS_LEN_DENSE(n) == md_ws_len(n));
    CHECK(is_length(ma_ws_len(n), 37 * v + 16) && LBP_WS_LEN_AB(n) == ma_ws_len(n));
    CHECK(is_length(lbp_ess_workspace(n), 5 * v) && LBP_ESS_WORKSPACE(n) == lbp_ess_workspace(n));
    CHECK(is_length(lbp_chains_workspace(n, 9), (2 * v + 3) * 9) && is_length(lbp_chains_workspace(3, n), 9 * v));
    CHECK(is_length(lbp_chains_workspace(n, n), (2 * v + 3) * v));
    CHECK(is_length(lbp_eigen_workspace(n), eigen));
    CHECK(is_length(lbp_least_eigenvalue_workspace(n), least));
    CHECK(is_length(lbp_diagonal_trace_workspace(n), trace));
    CHECK(is_length(lbp_diagonal_workspace(LBP_DIAGONAL_TRACE, n), trace));
    CHECK(is_length(lbp_diagonal_max_workspace(n), diagonal));
    CHECK(is_length(lbp_root_dense_workspace(n), 2 * v) && lbp_noise_dense_workspace(n) == n);
    CHECK(is_length(lbp_estimate_memory(n), 2 * v * v));
    CHECK(is_length(lbp_estimate_solve_workspace(n), solve));
    CHECK(is_length(ma_adaptive_bytes(n), 8 * (2 * v * v + v * v + 3 * v + diagonal) + 16 * v * v + 28 * v) ||
          is_length(ma_adaptive_bytes(n), 8 * (2 * v * v + v * v + 3 * v + solve) + 16 * v * v + 28 * v));
    CHECK(lbp_rbm_bytes(n, 1) == UINT64_MAX && lbp_rbm_bytes(1, n) == UINT64_MAX && lbp_rbm_bytes(n, n) == UINT64_MAX);
  }
  CHECK(lbp_chains_workspace(SIZE_MAX, 1) == SIZE_MAX && lbp_chains_workspace(1, SIZE_MAX) == SIZE_MAX);
  CHECK(lbp_chains_workspace(SIZE_MAX / 2, 1) == SIZE_MAX && lbp_chains_workspace(SIZE_MAX / 4, 4) == SIZE_MAX);
  CHECK(lbp_chains_workspace(0, 0) == 0 && lbp_ess_workspace(0) == 0 && lbp_ess_workspace(SIZE_MAX) == SIZE_MAX);
}

/* ---- lbp.h: what can return a status ----------------------------------------------------------------------------- */

static void test_tuner(void) {
  const double wild[] = {not_a_number(), infinity, -infinity, -5, 0, 1e300, 4294967296.0};
  ml_tuner t;
  lbp_rng rng;
  size_t k;
  lbp_rng_init(&rng, 1, 0);
  CHECK(ml_tuner_init(NULL, N, 10, 0.5) == LBP_E_NULL);
  CHECK(ml_tuner_init(&t, 0, 10, 0.5) == LBP_E_SIZE && ml_tuner_init(&t, 0x80000000u, 10, 0.5) == LBP_E_SIZE);
  CHECK(ml_tuner_init(&t, N, 10, not_a_number()) == LBP_E_RANGE && ml_tuner_init(&t, N, 10, infinity) == LBP_E_RANGE);
  CHECK(ml_tuner_draw(&t, &rng) <= 1); /* of a refused tuner: zeros, but for chance */
  for (k = 0; k < sizeof wild / sizeof wild[0]; k++) {
    uint32_t R;
    CHECK(ml_tuner_init(&t, N, 10, 0.5) == LBP_OK);
    ml_tuner_update(&t, wild[k]);
    CHECK(t.r >= 1 && t.r <= N - 0.5);
    t.r = wild[k];
    R = ml_tuner_draw(&t, &rng);
    CHECK(R >= 1 && R <= N);
    CHECK_ALIKE(wild[k] > N ? R == N || R == N - 1 : R == 1);
    R = ml_random_r(wild[k], &rng);
    CHECK_ALIKE(wild[k] > 2 ? R >= 2147483647u && R <= 2147483649u : R == 1 || R == 2);
  }
}

static double endless_logp(const toy *t, const uint8_t *x) { return toy_logp(t, x) + infinity; }

#define LBP_NAME           mi
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           endless_logp
#include "../lbp.h"

static void test_check(void) {
  static uint64_t ws[LBP_WS_LEN(N)];
  const toy m = toy_make(N, 1.0, 0, 1);
  uint8_t x[N] = {0};
  lbp_rng rng;
  ml_chain c;
  mi_chain i;
  lbp_rng_init(&rng, 1, 0);
  CHECK(ml_init(&c, N, x, ws, LBP_WS_LEN(N)) == LBP_OK);
  CHECK(ml_check(NULL, &m, 1, &rng).status == LBP_E_NULL && ml_check(&c, &m, 1, NULL).status == LBP_E_NULL);
  CHECK(ml_check(&c, &m, 0, &rng).status == LBP_OK && ml_check(&c, &m, 3, &rng).status == LBP_OK);
  CHECK(mi_init(&i, N, x, ws, LBP_WS_LEN(N)) == LBP_OK && mi_check(&i, &m, 1, &rng).status == LBP_E_LOGP);
}

/* ---- lbp_ab.h ---------------------------------------------------------------------------------------------------- */

/* Only the first of d coordinates has a slope. */
static double ordinal_sum(const double *slope, const uint8_t *x, double *out) {
  memset(out, 0, N * sizeof *out);
  return ordinal_gradient(slope, x, out);
}

#define LBP_NAME     mo
#define LBP_MODEL_T  double
#define LBP_GRADIENT ordinal_sum
#include "../lbp_ab.h"

static void test_ab_scales(void) {
  static double ws[LBP_WS_LEN_AB(N)], identity[N * N], ones[N], two[4] = {1, 0, 0, 1}, room[1000];
  const double wild[] = {not_a_number(), infinity, -1, 0}, slope = 0.5;
  lbp_symmetric W, other;
  mo_curvature curvature, small;
  mo_adapter adapter;
  mo_tuner tuner;
  uint8_t x[N] = {0}, before[N];
  mo_chain c;
  mo_scale s;
  lbp_rng rng;
  size_t k;
  int j;
  lbp_rng_init(&rng, 1, 0);
  memset(&W, 0, sizeof W);
  other = W;
  for (k = 0; k < N; k++) identity[k * N + k] = ones[k] = 1;
  W.n = N, W.dense = identity;
  other.n = 2, other.dense = two;
  CHECK(mo_curvature_init(&curvature, &W, ones, 0, room, sizeof room) == LBP_OK);
  CHECK(mo_curvature_init(&small, &other, ones, 0, room + 500, sizeof room / 2) == LBP_OK);
  CHECK(mo_init(&c, N, 5, x, ws, LBP_WS_LEN_AB(N)) == LBP_OK);
  memcpy(before, x, N);
  s = mo_second_order(1, 1);
  CHECK(mo_ab_step(&c, &slope, NULL, &s, &rng).status == LBP_E_NULL);
  CHECK(mo_ab_step(&c, &slope, &small, &s, &rng).status == LBP_E_SIZE);
  s = mo_langevin_d(1);
  CHECK(mo_ab_step(&c, &slope, NULL, &s, &rng).status == LBP_E_NULL);
  CHECK(mo_ab_step(&c, &slope, &curvature, &s, &rng).status == LBP_OK);
  s = mo_first_order(1, 0.5);
  CHECK(mo_ab_step(&c, &slope, &small, &s, &rng).status == LBP_E_SIZE);
  memcpy(x, before, N);
  mo_touch(&c);
  for (k = 0; k < 4; k++) {
    mo_info it;
    if (k != 1) { /* sigma = infinity: every state is as near as any */
      CHECK(mo_rwm_step(&c, &slope, wild[k], &rng).status == LBP_E_RANGE);
      s = mo_first_order(wild[k], 0.5);
      CHECK(mo_ab_step(&c, &slope, NULL, &s, &rng).status == LBP_E_RANGE);
      s = mo_second_order_d(wild[k], 1, 1);
      CHECK(mo_ab_step(&c, &slope, &curvature, &s, &rng).status == LBP_E_RANGE);
    }
    for (j = 0; j < 4 && k < 3; j++) {
      s = mo_second_order(1, 1);
      *(j == 0 ? &s.alpha : j == 1 ? &s.damping : j == 2 ? &s.flat : &s.along) = wild[k];
      it = mo_ab_step(&c, &slope, &curvature, &s, &rng);
      if (j > 0 || k < 2) CHECK(it.status == LBP_E_RANGE && it.evaluations == 0 && it.jump == 0);
      memcpy(x, before, N);
      mo_touch(&c);
    }
  }
  CHECK(memcmp(x, before, N) == 0);

  CHECK(mo_check(NULL, &slope, 1, &rng).status == LBP_E_NULL && mo_check(&c, &slope, 1, NULL).status == LBP_E_NULL);
  CHECK(mo_adapter_init(&adapter, 2, ones) == LBP_OK);
  CHECK(mo_adapter_value(&adapter, 1) == 1 && mo_adapter_value(&adapter, 2) == 0);
  CHECK(mo_adapter_value(&adapter, 0xffffffffu) == 0);
  CHECK(mo_tuner_init(&tuner, 1, 10, 0.5) == LBP_OK);
#ifndef __FAST_MATH__ /* there are no such numbers */
  mo_tuner_update(&tuner, not_a_number());
  mo_tuner_update(&tuner, infinity);
#endif
  mo_tuner_update(&tuner, -0.5);
  CHECK(tuner.sigma == 1 && tuner.step == 0);
}

/* NaN and infinity in W or D, of all sizes: an answer, and no step outside of the workspace. */
static void test_ab_matrices(void) {
  static const uint32_t sizes[] = {1, 2, 11, 12, 40};
  const double wild[] = {not_a_number(), infinity, -infinity, 1.7e308};
  size_t k, v;
  int place;
  for (k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    const uint32_t n = sizes[k];
    const size_t len = lbp_diagonal_max_workspace(n) + lbp_diagonal_trace_workspace(n);
    double *a = (double *)malloc((size_t)n * n * sizeof *a), *D = (double *)malloc(n * sizeof *D);
    double *bad = (double *)malloc(n * sizeof *bad), bound;
    for (v = 0; v < 4; v++) {
      for (place = 0; place < 2; place++) {
        lbp_symmetric W;
        size_t i;
        int kind;
        memset(&W, 0, sizeof W);
        W.n = n;
        W.dense = a;
        for (i = 0; i < (size_t)n * n; i++) a[i] = i % (n + 1) ? -0.5 : 1;
        for (i = 0; i < n; i++) bad[i] = 1;
        if (place == 0) a[0] = a[(size_t)n * n - 1] = wild[v], a[1 % n] = a[(size_t)(1 % n) * n] = wild[v];
        else bad[n - 1] = wild[v];
        if (n == 1 && v == 3) continue; /* a single large number is no sum */
        for (kind = 0; kind < 3; kind++) {
          const size_t exact = kind == 0 ? lbp_least_eigenvalue_workspace(n) : lbp_diagonal_workspace(kind - 1, n);
          double *work = (double *)malloc(exact * sizeof *work);
          const int status = kind == 0 ? lbp_least_eigenvalue(&W, place ? bad : NULL, 1e-6, work, exact, &bound)
                                       : lbp_diagonal(kind - 1, &W, D, work, exact);
          if (place == 0 || (kind == 0 && v < 3)) CHECK(status == LBP_E_NOT_FINITE);
          free(work);
        }
        if (place == 0) {
          double *work = (double *)malloc(len * sizeof *work);
          CHECK(lbp_diagonal_max(&W, D, NULL, work, len) == LBP_E_NOT_FINITE);
          CHECK(v == 3 || lbp_symmetric_check(&W) == LBP_E_NOT_FINITE);
          free(work);
        }
      }
    }
    free(a), free(D), free(bad);
  }
}

/* ---- lbp_models.h ------------------------------------------------------------------------------------------------ */

/* 2^32 values, which a size_t of 32 bits takes for none; with 64 bits they might be had. */
static void test_training_size(void) {
  enum { ROWS = 4096 };
  static uint8_t data[ROWS];
  lbp_rbm_training how = lbp_rbm_training_defaults(1);
  lbp_rbm m;
  how.batch = ROWS;
  if (SIZE_MAX > UINT32_MAX) return;
  CHECK_REFUSED(m, lbp_rbm_train(&m, 1, 1u << 20, data, ROWS, &how, NULL, NULL), LBP_E_MEMORY);
}

/* ---- lbp_stats.h: numbers outside their domain are NaN ----------------------------------------------------------- */

static void test_stats_domains(void) {
  const double wild[] = {not_a_number(), -1, 2, 0, 1, infinity};
  lbp_scaling s = {0};
  size_t k;
  CHECK_NEAR(lbp_normal_quantile(0.975), 1.959963984540054, 1e-12);
  for (k = 0; k < 6; k++) CHECK(lbp_is_nan(lbp_normal_quantile(wild[k])));
  CHECK(lbp_scaling_lbp(NULL, 1, 1) == LBP_E_NULL && lbp_scaling_rwm(NULL, 1, 1) == LBP_E_NULL);
  CHECK(lbp_scaling_lbp(&s, not_a_number(), 1) == LBP_E_RANGE && lbp_scaling_lbp(&s, 1, 0) == LBP_E_SIZE);
  CHECK(lbp_scaling_lbp(&s, 1, 100) == LBP_OK);
  CHECK(lbp_is_nan(lbp_scaling_acceptance(&s, -1)) && lbp_is_nan(lbp_scaling_ejd(&s, not_a_number())));
}

int main(void) {
  test_lengths();
  test_tuner();
  test_check();
  test_ab_scales();
  test_ab_matrices();
  test_training_size();
  test_stats_domains();
  return test_report();
}
