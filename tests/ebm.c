/* examples/ebm: the network against loops over its definition and finite differences; the model on 4 x 4 pixels against
 * the sum over all 65536 pictures; training, and training runs on disk.
 *
 * Tests with random numbers have fixed seeds, so they pass always or never. Where they ask for a mean to be within five
 * standard errors, fewer than one seed in a million fails. */
#define _POSIX_C_SOURCE 200809L
#define EBM_SIDE 4

#include "../examples/ebm/data.h"
#include "../examples/ebm/store.h"
#include "../examples/ebm/walk.h"
#include "test.h"

enum { STATES = 1 << EBM_N };
#ifdef API_QUICK /* without what takes the sum over all pictures */
enum { TRIALS = 8, LATER = 9973 };
#else
enum { TRIALS = 60, LATER = 997 };
#endif

static float *floats(size_t count) {
  float *a = (float *)calloc(count, sizeof *a);
  if (!a) exit(2);
  return a;
}

static float *random_floats(size_t count, float size, lbp_rng *rng) {
  float *a = floats(count);
  size_t k;
  for (k = 0; k < count; k++) a[k] = size * (2 * (float)lbp_u01(lbp_rng_u64(rng)) - 1);
  return a;
}

/* The largest difference, relative to the largest number of b. */
static double apart(const float *a, const float *b, size_t count) {
  double most = 0, largest = 1e-30;
  size_t k;
  for (k = 0; k < count; k++) {
    if (!(fabs((double)a[k] - (double)b[k]) <= most)) most = fabs((double)a[k] - (double)b[k]);
    if (fabs((double)b[k]) > largest) largest = fabs((double)b[k]);
  }
  return most / largest;
}

/* ---- convolutions ------------------------------------------------------------------------------------------------ */

/* Term by term: y, dx, dtheta += what x, dy and theta give. */
static void by_definition(const net_pass *p, const float *x, const float *dy, float *y, float *dx, float *dtheta) {
  const net_conv *c = p->conv;
  const int side = (int)c->side, small = (int)net_side(c), k = (int)c->k, in = (int)c->in, out = (int)c->out;
  int n, r, q, o, i, ky, kx;
  for (n = 0; n < (int)p->count; n++)
  for (r = 0; r < small; r++) for (q = 0; q < small; q++) for (o = 0; o < out; o++) {
    const size_t to = (size_t)((n * small + r) * small + q) * c->out + (size_t)o;
    for (ky = 0; ky < k; ky++) for (kx = 0; kx < k; kx++) for (i = 0; i < in; i++) {
      const int row = r * (int)c->stride + ky - k / 2, column = q * (int)c->stride + kx - k / 2;
      const size_t w = c->at + (size_t)(((ky * k + kx) * in + i) * out + o);
      const size_t from = (size_t)(((n * side + row) * side + column) * in + i);
      if (row < 0 || row >= side || column < 0 || column >= side) continue;
      y[to] += p->theta[w] * x[from];
      dx[from] += p->theta[w] * dy[to];
      dtheta[w] += x[from] * dy[to];
    }
    dtheta[c->at + net_weights(c) + (size_t)o] += dy[to];
  }
}

static void test_convolution(uint32_t in, uint32_t out, uint32_t side, uint32_t stride, uint32_t k, uint32_t count) {
  const net_conv conv = {in, out, side, stride, k, 3};
  const size_t from = net_in(&conv) * count, to = net_out(&conv) * count, weights = 3 + net_weights(&conv) + out;
  const size_t spread = net_pixels(net_side(&conv)) * net_window(&conv) * NET_GROUP;
  net_pass pass;
  float *theta, *x, *dy, *y, *dx, *dtheta, *y2, *dx2, *dtheta2;
  lbp_rng rng;
  lbp_rng_init(&rng, in * 100 + out, side * 100 + stride * 10 + k);
  theta = random_floats(weights, 1, &rng);
  x = random_floats(from, 1, &rng);
  dy = random_floats(to, 1, &rng);
  y = random_floats(to, 1, &rng);
  dx = random_floats(from, 1, &rng);
  dtheta = random_floats(weights, 1, &rng);
  y2 = (float *)memcpy(floats(to), y, to * sizeof *y);
  dx2 = (float *)memcpy(floats(from), dx, from * sizeof *dx);
  dtheta2 = (float *)memcpy(floats(weights), dtheta, weights * sizeof *dtheta);
  pass.conv = &conv;
  pass.theta = theta;
  pass.count = count;
  pass.spread = floats(spread > NET_SPREAD ? spread : NET_SPREAD);
  pass.turned = floats(net_weights(&conv));
  net_forward(&pass, x, y);
  net_backward(&pass, dy, dx);
  net_learn(&pass, x, dy, dtheta);
  by_definition(&pass, x, dy, y2, dx2, dtheta2);
  CHECK_NEAR(apart(y, y2, to), 0, 1e-5);
  CHECK_NEAR(apart(dx, dx2, from), 0, 1e-5);
  CHECK_NEAR(apart(dtheta, dtheta2, weights), 0, 1e-5);
  free(theta), free(x), free(dy), free(y), free(dx), free(dtheta), free(y2), free(dx2), free(dtheta2);
  free(pass.spread), free(pass.turned);
}

static void test_convolutions(void) {
  test_convolution(1, 5, 8, 1, 3, 3);
  test_convolution(16, 16, 28, 1, 3, 5); /* several tiles, the last of them smaller */
  test_convolution(16, 16, 28, 2, 3, 2);
  test_convolution(7, 7, 4, 1, 3, NET_GROUP);
  test_convolution(17, 17, 8, 2, 3, 2);
  test_convolution(6, 6, 8, 2, 1, 3);
  test_convolution(3, 9, 4, 1, 1, 2);
}

/* ---- the network ------------------------------------------------------------------------------------------------- */

typedef struct {
  net shape;
  float *theta, *room;
  net_memory memory;
} network;

static network make(uint32_t side, uint32_t channels, uint32_t deep, float size, uint64_t seed) {
  network n;
  lbp_rng rng;
  size_t i;
  lbp_rng_init(&rng, seed, 0);
  CHECK(net_init(&n.shape, side, channels, deep) == LBP_OK);
  n.theta = floats(n.shape.parameters);
  net_randomise(&n.shape, n.theta, &rng);
  for (i = 0; i < n.shape.parameters; i++) n.theta[i] = size * n.theta[i] + 0.02f * (float)lbp_u01(lbp_rng_u64(&rng));
  n.room = (float *)ebm_room(net_lay(&n.shape, NULL, NULL), sizeof *n.room);
  if (!n.room) exit(2);
  net_lay(&n.shape, &n.memory, n.room);
  return n;
}

static void unmake(network *n) {
  free(n->theta);
  free(n->room);
}

static double length(const double *v, uint32_t count) {
  double sum = 0;
  uint32_t k;
  for (k = 0; k < count; k++) sum += v[k] * v[k];
  return sqrt(sum);
}

/* Gradients against differences of values, to 1e-3 of the gradient's length. Pixels take whole numbers, so the first
 * layer is made smaller and pictures larger, 32 for a one: to add one is a step of 1/32. */
static void test_gradients(uint32_t side, uint32_t channels, uint32_t deep) {
  enum { PICTURES = 3, ONE = 32 };
  const uint32_t pixels = side * side;
  network n = make(side, channels, deep, 3, side + channels);
  uint8_t *x = (uint8_t *)calloc(PICTURES, pixels);
  const uint8_t *at[PICTURES];
  const float weight[PICTURES] = {1, -0.5f, 2};
  float *dtheta = floats(n.shape.parameters), up[PICTURES], down[PICTURES];
  double gap[TRIALS], slope[TRIALS];
  const net_conv *conv;
  lbp_rng rng;
  uint32_t k, t, i;
  lbp_rng_init(&rng, 5, side);
  for (i = 0; i < net_weights(&n.shape.first); i++) n.theta[n.shape.first.at + i] /= ONE;
  for (k = 0; k < PICTURES; k++) {
    at[k] = x + k * pixels;
    for (i = 0; i < pixels; i++) x[k * pixels + i] = (uint8_t)(lbp_rng_u64(&rng) >> 63 ? ONE : 1);
  }
  net_group(&n.shape, n.theta, at, PICTURES, &n.memory, up);
  net_group_back(&n.shape, n.theta, PICTURES, NULL, &n.memory, NULL);
  for (t = 0; t < TRIALS; t++) slope[t] = (double)n.memory.back[pixels + t * 7 % pixels];
  for (t = 0; t < TRIALS; t++) { /* to the second picture */
    uint8_t *one = x + pixels + t * 7 % pixels;
    *one += 1;
    net_group(&n.shape, n.theta, at, PICTURES, &n.memory, up);
    *one -= 2;
    net_group(&n.shape, n.theta, at, PICTURES, &n.memory, down);
    *one += 1;
    gap[t] = ((double)up[1] - (double)down[1]) / 2 - slope[t];
  }
  CHECK(length(slope, TRIALS) > 0);
  CHECK_NEAR(length(gap, TRIALS) / length(slope, TRIALS), 0, 1e-3);
  net_group(&n.shape, n.theta, at, PICTURES, &n.memory, up);
  net_group_back(&n.shape, n.theta, PICTURES, weight, &n.memory, dtheta);
  for (k = 0; k <= 2 * n.shape.blocks + 3; k++) { /* to parameters, of each convolution and of the linear function */
    size_t from, count;
    conv = net_each(&n.shape, k);
    if (!conv && k < 2 * n.shape.blocks + 3) continue;
    from = conv ? conv->at : n.shape.linear;
    count = conv ? net_weights(conv) + conv->out : channels + 1;
    for (t = 0; t < TRIALS; t++) {
      const size_t which = from + (t < 5 ? count - 1 - t % count : lbp_rng_u64(&rng) % count); /* biases, too */
      const int small = k == 0 && which < from + net_weights(&n.shape.first);
      const float keep = n.theta[which], step = small ? 0.01f / ONE : 0.01f;
      double sum = 0;
      uint32_t j;
      n.theta[which] = keep + step;
      net_group(&n.shape, n.theta, at, PICTURES, &n.memory, up);
      n.theta[which] = keep - step;
      net_group(&n.shape, n.theta, at, PICTURES, &n.memory, down);
      n.theta[which] = keep;
      for (j = 0; j < PICTURES; j++) sum += (double)weight[j] * ((double)up[j] - (double)down[j]);
      slope[t] = (double)dtheta[which];
      gap[t] = sum / (2 * (double)step) - slope[t];
      if (k == 0) slope[t] *= step, gap[t] *= step;
    }
    CHECK_NEAR(length(gap, TRIALS) / length(slope, TRIALS), 0, 1e-3);
  }
  unmake(&n);
  free(x);
  free(dtheta);
}

/* A picture's value does not depend on which others go with it, nor do values grow beyond the network's size. */
static void test_groups(void) {
  network n = make(28, 16, 2, 2, 9);
  static uint8_t x[NET_GROUP][784];
  const uint8_t *at[NET_GROUP];
  float together[NET_GROUP], alone;
  static float back[NET_GROUP * 784];
  lbp_rng rng;
  uint32_t k, i;
  lbp_rng_init(&rng, 1, 1);
  for (k = 0; k < NET_GROUP; k++) {
    at[k] = x[k];
    for (i = 0; i < 784; i++) x[k][i] = (uint8_t)(lbp_rng_u64(&rng) >> 63);
  }
  net_group(&n.shape, n.theta, at, NET_GROUP, &n.memory, together);
  net_group_back(&n.shape, n.theta, NET_GROUP, NULL, &n.memory, NULL);
  memcpy(back, n.memory.back, sizeof back);
  for (k = 0; k < NET_GROUP; k += 5) {
    net_group(&n.shape, n.theta, at + k, 1, &n.memory, &alone);
    net_group_back(&n.shape, n.theta, 1, NULL, &n.memory, NULL);
    CHECK_NEAR(alone, together[k], 1e-4 * (1 + fabs((double)together[k])));
    CHECK_NEAR(apart(n.memory.back, back + k * 784, 784), 0, 1e-4);
  }
  CHECK(fabs((double)together[0] - (double)together[1]) > 1e-4);
  unmake(&n);
}

static void test_shapes(void) {
  net m;
  CHECK(net_init(&m, 28, 64, 6) == LBP_OK && m.blocks == 8 && net_each(&m, 18) && !net_each(&m, 19));
  CHECK(m.parameters == 640 + 16 * 36928 + 2 * 4160 + 65);
  CHECK(net_init(&m, 27, 64, 6) == LBP_E_SIZE && net_init(&m, 0, 64, 6) == LBP_E_SIZE);
  CHECK(net_init(&m, 260, 64, 6) == LBP_E_SIZE && net_init(&m, 28, 0, 6) == LBP_E_SIZE);
  CHECK(net_init(&m, 28, 257, 6) == LBP_E_SIZE && net_init(&m, 28, 64, NET_DEEP_MOST + 1) == LBP_E_SIZE);
}

/* ---- the model: all 65536 pictures ------------------------------------------------------------------------------- */

#ifndef API_QUICK
static void picture(uint32_t number, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < EBM_N; i++) x[i] = (uint8_t)(number >> i & 1);
}

/* log pi of all pictures; returns the logarithm of their sum. */
static double enumerate(const ebm_model *m, double *logp) {
  static uint8_t x[NET_GROUP][EBM_N];
  const uint8_t *at[NET_GROUP];
  float value[NET_GROUP];
  double most = -INFINITY, sum = 0;
  uint32_t s, k;
  for (s = 0; s < STATES; s += NET_GROUP) {
    for (k = 0; k < NET_GROUP; k++) picture(s + k, x[k]), at[k] = x[k];
    net_group(&m->shape, m->theta, at, NET_GROUP, &m->worker[0].memory, value);
    for (k = 0; k < NET_GROUP; k++) {
      logp[s + k] = (double)value[k] + ebm_log_base(m, x[k]);
      if (logp[s + k] > most) most = logp[s + k];
    }
  }
  for (s = 0; s < STATES; s++) sum += exp(logp[s] - most);
  return most + log(sum);
}

typedef struct {
  double mean[EBM_N + 2]; /* of the pixels, of log pi, of its square */
} moments;

static void see(const uint8_t *x, double logp, double weight, moments *m) {
  uint32_t i;
  for (i = 0; i < EBM_N; i++) m->mean[i] += weight * x[i];
  m->mean[EBM_N] += weight * logp;
  m->mean[EBM_N + 1] += weight * logp * logp;
}
#endif

/* A model far from its base, of independent pixels that are not alike. */
static ebm_model far_model(float **theta) {
  ebm_model m;
  double mean[EBM_N];
  lbp_rng rng;
  size_t k;
  CHECK(ebm_model_init(&m, 6, 1) == LBP_OK);
  *theta = floats(m.shape.parameters);
  lbp_rng_init(&rng, 3, 0);
  net_randomise(&m.shape, *theta, &rng);
  for (k = 0; k < m.shape.parameters; k++) (*theta)[k] *= 3;
  m.theta = *theta;
  for (k = 0; k < EBM_N; k++) mean[k] = 0.1 + 0.05 * (double)k;
  ebm_set_base(&m, mean);
  return m;
}

#ifndef API_QUICK
/* The law of log pi[STATES], by enumeration. */
static moments exact(const double *logp, double log_z) {
  moments law;
  uint8_t x[EBM_N];
  uint32_t s;
  memset(&law, 0, sizeof law);
  for (s = 0; s < STATES; s++) {
    picture(s, x);
    see(x, logp[s], exp(logp[s] - log_z), &law);
  }
  return law;
}

/* Chains against the law, each chain one independent number. */
static void judge(const moments *of, uint32_t chains, const moments *law) {
  uint32_t k, j;
  for (j = 0; j < EBM_N + 2; j++) {
    double mean = 0, square = 0;
    for (k = 0; k < chains; k++) mean += of[k].mean[j] / chains;
    for (k = 0; k < chains; k++) square += (of[k].mean[j] - mean) * (of[k].mean[j] - mean);
    CHECK_NEAR((mean - law->mean[j]) / sqrt(square / (chains - 1) / chains + 1e-30), 0, 5);
  }
}

static void test_law(void) {
  enum { CHAINS = 60, WARMUP = 200, STEPS = 1500 };
  static double logp[STATES];
  static moments of[CHAINS];
  float *theta;
  ebm_model m = far_model(&theta);
  const double log_z = enumerate(&m, logp);
  const moments law = exact(logp, log_z);
  double flips, accept = 0, sites[2] = {3, 0};
  lbp_kernel kernel;
  lbp_chains c;
  lbp_run run;
  lbp_ais_result annealed;
  uint32_t s, k, round;
  CHECK(law.mean[EBM_N + 1] - law.mean[EBM_N] * law.mean[EBM_N] > 0.5);
  for (round = 0; round < 2; round++) { /* R given, as in training; R tuned, and then left alone */
    uint64_t before;
    CHECK(ebm_chains_init(&c, &kernel, &m, CHAINS, sites[round], WARMUP, 8 + round) == LBP_OK);
    for (k = 0; k < CHAINS; k++) ebm_draw_base(&m, &lbp_chains_unit(&c, k)->rng, ebm_chains_x(&c, k));
    ebm_chains_touch(&c);
    memset(of, 0, sizeof of);
    before = ebm_evaluations(&m);
    for (s = 0; s < WARMUP + STEPS; s++) {
      accept += ebm_chains_step(&c, &flips) / (WARMUP + STEPS) / 2;
      for (k = 0; s >= WARMUP && k < CHAINS; k++) {
        see(ebm_chains_x(&c, k), kernel.logp(lbp_chains_unit(&c, k), &m), 1.0 / STEPS, &of[k]);
      }
    }
    /* one evaluation a step, or none where nothing is proposed that is not known */
    CHECK(ebm_evaluations(&m) - before <= (uint64_t)CHAINS * (WARMUP + STEPS));
    CHECK(ebm_evaluations(&m) - before >= (uint64_t)CHAINS * (WARMUP + STEPS) / 2);
    judge(of, CHAINS, &law);
    lbp_chains_free(&c);
  }
  CHECK(accept > 0.2 && accept < 0.95);
  lbp_run_init(&run);
  run.chains = 200;
  run.tempering.rungs = 60;
  CHECK(ebm_ais(&run, &m, EBM_N, &annealed) == LBP_OK);
  CHECK(annealed.weights > 50 && annealed.log_z_se < 0.1);
  CHECK_NEAR((annealed.log_z - log_z) / annealed.log_z_se, 0, 5);
  lbp_ais_free(&annealed);
  for (k = 0; k < m.shape.channels; k++) theta[m.shape.linear + k] = 0; /* a network that sees nothing */
  theta[m.shape.linear + k] = 1.25f;
  ebm_changed(&m);
  CHECK(ebm_ais(&run, &m, EBM_N, &annealed) == LBP_OK);
  CHECK_NEAR(annealed.log_z, ebm_log_base_sum(&m) + 1.25, 1e-5);
  lbp_ais_free(&annealed);
  CHECK_NEAR(enumerate(&m, logp), ebm_log_base_sum(&m) + 1.25, 1e-5);
  free(theta);
  ebm_model_free(&m);
}

/* Chains of every sampler against the law; a step evaluates one state at most. */
static void test_walkers(void) {
  enum { CHAINS = 40, WARMUP = 200, STEPS = 1000 };
  static double logp[STATES];
  static moments of[CHAINS];
  float *theta;
  ebm_model m = far_model(&theta);
  const moments law = exact(logp, enumerate(&m, logp));
  double mean[EBM_N];
  deep_curvature curvature;
  ebm_cache cache = {0};
  float slope[EBM_N], delta[EBM_N];
  void *memory;
  uint8_t x[EBM_N], start[CHAINS * EBM_N];
  uint32_t s, k, kind;
  lbp_rng rng;
  for (k = 0; k < EBM_N; k++) mean[k] = law.mean[k];
  CHECK(ebm_curvature(&curvature, mean, &memory) == LBP_OK);
  picture(0x5a5a, x);
  CHECK_NEAR(ebm_gradient(&m, x, slope), ebm_logp(&m, &cache, x), 0);
  ebm_deltas(&m, &cache, x, delta);
  for (k = 0; k < EBM_N; k++) CHECK_NEAR(x[k] ? -slope[k] : slope[k], delta[k], 0);
  lbp_rng_init(&rng, 9, 0);
  for (k = 0; k < CHAINS; k++) ebm_draw_base(&m, &rng, start + k * EBM_N);
  for (kind = 0; kind < EBM_KINDS; kind++) {
    const ebm_sampler sampler = {(ebm_kind)kind, 0.5, 0.6, &curvature, 0};
    const uint64_t before = ebm_evaluations(&m);
    double accept = 0, jump = 0, sites = 0;
    uint32_t taken = 0;
    lbp_chains c;
    ebm_walk w;
    memset(of, 0, sizeof of);
    CHECK(ebm_walk_plan(&w, &sampler, WARMUP) == LBP_OK);
    CHECK(ebm_walk_init(&c, &w, &sampler, &m, CHAINS, 0, 10 + kind) == LBP_OK);
    for (k = 0; k < CHAINS; k++) {
      lbp_unit *unit = lbp_chains_unit(&c, k);
      memcpy(unit->x, start + k * EBM_N, EBM_N);
      lbp_chains_step(&c, k, k + 1, WARMUP, HUGE_VAL, 1);
      memset(&c.moves[k], 0, sizeof *c.moves);
      for (s = 0; s < STEPS; s++) {
        taken += lbp_chains_step(&c, k, k + 1, 1, HUGE_VAL, 1);
        see((const uint8_t *)unit->x, w.kernel.logp(unit, &m), 1.0 / STEPS, &of[k]);
      }
      CHECK(w.kernel.fault(unit).status == LBP_OK);
      accept += c.moves[k].accept;
      jump += c.moves[k].jump;
      sites += c.moves[k].proposed;
    }
    CHECK(taken == CHAINS * STEPS);
    CHECK(ebm_evaluations(&m) - before <= CHAINS * (WARMUP + STEPS + 1));
    CHECK(accept > 0.1 * CHAINS * STEPS && accept < CHAINS * STEPS);
    CHECK(jump > 0 && jump <= sites);
    lbp_chains_free(&c);
    judge(of, CHAINS, &law);
  }
  free(memory);
  free(theta);
  ebm_model_free(&m);
}
#endif

/* What a cache knows is of one model: not after the parameters have changed. And lbp.h's own check of the instance. */
static void test_cache(void) {
  float *theta;
  ebm_model m = far_model(&theta);
  lbp_kernel kernel;
  lbp_chains c;
  uint8_t x[EBM_N] = {1, 0, 1}, other[EBM_N] = {1, 0, 1};
  float delta[2][EBM_N];
  lbp_unit *unit;
  ebm_cache *cache;
  float before, after;
  CHECK(ebm_chains_init(&c, &kernel, &m, 1, 1, 0, 1) == LBP_OK);
  unit = lbp_chains_unit(&c, 0);
  cache = ebm_chain_of(unit)->fields;
  before = ebm_logp(&m, cache, x);
  CHECK(ebm_evaluations(&m) == 1);
  CHECK(ebm_logp(&m, cache, x) - before == 0 && ebm_evaluations(&m) == 1);
  theta[m.shape.linear + m.shape.channels] += 2;
  CHECK(ebm_logp(&m, cache, x) - before == 0 && ebm_evaluations(&m) == 1);
  ebm_changed(&m);
  after = ebm_logp(&m, cache, x);
  CHECK_NEAR(after - before, 2, 1e-5);
  CHECK(ebm_evaluations(&m) == 2);
  /* the gradient to what was asked for last goes back only; to another one it goes forward first */
  ebm_deltas(&m, cache, x, delta[0]);
  CHECK(ebm_evaluations(&m) == 2);
  memset(cache, 0, sizeof *cache);
  other[3] ^= 1;
  ebm_logp(&m, cache, x);
  CHECK(ebm_evaluations(&m) == 2);
  ebm_logp(&m, cache, other);
  ebm_deltas(&m, cache, x, delta[1]);
  CHECK(ebm_evaluations(&m) == 4 && memcmp(delta[0], delta[1], sizeof delta[0]) == 0);
  CHECK(kernel.check(unit, &m, 20, &unit->rng).status == LBP_OK);
  lbp_chains_free(&c);
  free(theta);
  ebm_model_free(&m);
}

/* ---- training ---------------------------------------------------------------------------------------------------- */

static const ebm_how plan = {6, 0, 10, EBM_ALBP, 0, 0, 0, 0, 50, 0.002, 0.95, EBM_WEIGHT, 0, 4};

/* One of four pictures, a half white or the other, with one pixel in ten wrong: 6.5 nat. */
static void noisy(lbp_rng *rng, uint8_t *x) {
  const uint64_t word = lbp_rng_u64(rng);
  uint32_t i;
  for (i = 0; i < EBM_N; i++) {
    const uint32_t place = word & 1 ? i / EBM_SIDE : i % EBM_SIDE;
    x[i] = (uint8_t)((place < EBM_SIDE / 2) ^ (word >> 1 & 1) ^ (lbp_u01(lbp_rng_u64(rng)) < 0.1));
  }
}

static void iterate(ebm_trainer *t, uint32_t count) {
  static uint8_t x[EBM_BATCH][EBM_N];
  const uint8_t *at[EBM_BATCH];
  uint32_t k;
  for (; count > 0; count--) {
    for (k = 0; k < EBM_BATCH; k++) {
      noisy(&t->rng, x[k]);
      at[k] = x[k];
    }
    ebm_iterate(t, at);
  }
}

static void fresh(ebm_trainer *t, const ebm_how *how) {
  double mean[EBM_N];
  uint32_t i;
  for (i = 0; i < EBM_N; i++) mean[i] = 0.5;
  CHECK(ebm_trainer_init(t, how, mean) == LBP_OK);
}

#ifndef API_QUICK
/* Mean log-likelihood of such pictures, with log Z by enumeration. */
static double likelihood(const ebm_model *m) {
  enum { PICTURES = 400 };
  static double logp[STATES];
  static uint8_t x[PICTURES][EBM_N];
  const uint8_t *at[PICTURES];
  double mean, se, highest, most = -1e9;
  ebm_cache cache = {0};
  lbp_rng rng;
  uint32_t k;
  lbp_rng_init(&rng, 77, 0);
  for (k = 0; k < PICTURES; k++) noisy(&rng, x[k]), at[k] = x[k];
  ebm_mean_logp(m, at, PICTURES, &mean, &se, &highest);
  CHECK(se >= 0 && se < 1);
  for (k = 0; k < PICTURES; k++) most = fmax(most, (double)ebm_logp(m, &cache, x[k]));
  CHECK_NEAR(highest, most, 1e-4);
  return mean - enumerate(m, logp);
}
#endif

/* From the base's 16 log 2 = 11.1 nat a picture to near what the pictures have, by LBP, by AB with a tuned scale, and
 * by AB with a fixed one. */
static void test_learning(uint64_t sampler, double sigma) {
  ebm_how how = plan;
  ebm_trainer t;
  how.sampler = sampler;
  how.sigma = sigma;
  how.alpha = sigma > 0 ? 0.5 : 0;
  fresh(&t, &how);
#ifdef API_QUICK
  iterate(&t, 10);
  CHECK(t.iteration == 10 && t.R > 0 && isfinite(t.gap));
#else
  {
    const double before = likelihood(&t.model);
    double after, mean;
    iterate(&t, 400);
    after = likelihood(&t.model);
    ebm_use_mean(&t);
    mean = likelihood(&t.model);
    CHECK(before < -10.9 && before > -11.3);
    CHECK(after > -8.5 && mean > -7.5 && mean < -6.2);
    CHECK(t.accept > (sigma > 0 ? 0.2 : 0.4) && t.accept < 0.75 && t.R > 1 && fabs(t.gap) < 2);
    if (sampler == EBM_AB && sigma == 0) CHECK(fabs(t.accept - 0.574) < 0.05); /* it has followed the model */
    printf("%.2f nat before training, %.2f after, %.2f with the running means; the data have 6.58; acceptance rate "
           "%.3f, %.1f sites a step\n", -before, -after, -mean, t.accept, t.R);
  }
#endif
  ebm_trainer_free(&t);
}

/* An iteration moves a hundred states of the buffer, and leaves nothing known of the model before it. */
static void test_iteration(void) {
  static uint8_t before[EBM_BUFFER * EBM_N];
  ebm_trainer t;
  uint32_t k, j, moved = 0;
  size_t linear;
  float was;
  fresh(&t, &plan);
  memcpy(before, t.buffer, sizeof before);
  linear = t.model.shape.linear;
  was = t.theta[linear];
  iterate(&t, 1);
  CHECK_NEAR((t.mean[linear] - was) / (t.theta[linear] - was), 0.9, 0.02); /* a mean that soon forgets the beginning */
  for (k = 0; k < EBM_BUFFER; k++) moved += memcmp(before + k * EBM_N, t.buffer + k * EBM_N, EBM_N) != 0;
  CHECK(moved > EBM_BATCH / 2 && moved <= EBM_BATCH);
  for (k = 0; k < EBM_BATCH; k++) {
    const uint8_t *x = ebm_chains_x(&t.chains, k);
    const float known = ebm_logp(&t.model, ebm_chain_of(lbp_chains_unit(&t.chains, k))->fields, x);
    ebm_cache empty;
    memset(&empty, 0, sizeof empty);
    CHECK_NEAR(known, ebm_logp(&t.model, &empty, x), 1e-6);
    for (j = 0; j < EBM_BUFFER && memcmp(x, t.buffer + j * EBM_N, EBM_N) != 0; j++) {
    }
    CHECK(j < EBM_BUFFER);
  }
  ebm_trainer_free(&t);
}

/* Whether two trainers are where they are for good. */
static int same(ebm_trainer *a, ebm_trainer *b) {
  ebm_piece one[EBM_PIECES], other[EBM_PIECES];
  const uint32_t count = ebm_pieces(a, one);
  uint32_t k;
  ebm_pieces(b, other);
  for (k = 0; k < count; k++) {
    if (one[k].bytes != other[k].bytes || memcmp(one[k].at, other[k].at, one[k].bytes) != 0) return 0;
  }
  return 1;
}

/* A file's bytes, in new memory. */
static unsigned char *load(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  unsigned char *all = (unsigned char *)malloc(1 << 20);
  if (!file || !all) exit(2);
  *bytes = fread(all, 1, 1 << 20, file);
  fclose(file);
  return all;
}

static void store(const char *path, const unsigned char *all, size_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(all, 1, bytes, file) != bytes || fclose(file) != 0) exit(2);
}

/* Refused, with a sentence that has these words, and t is as it was. */
static void refused(ebm_trainer *t, const char *path, const char *words) {
  ebm_trainer other;
  char why[EBM_WHY] = "";
  const int status = ebm_load(t, path, why);
  CHECK(status == LBP_E_FORMAT || (status == LBP_E_FILE && strstr(words, "read")));
  if (!strstr(why, words)) printf("%s\n", why);
  CHECK(strstr(why, words) != NULL && strstr(why, path) == why);
  fresh(&other, &t->how);
  CHECK(same(t, &other));
  ebm_trainer_free(&other);
}

static void test_disk(void) {
  char path[] = "/tmp/lbp-ebm-XXXXXX", why[EBM_WHY];
  const int made = mkstemp(path);
  unsigned char *all;
  ebm_trainer a, b;
  ebm_how how = plan;
  size_t bytes, k;
  if (made < 0) exit(2);
  close(made);
  fresh(&a, &plan);
  iterate(&a, 3);
  CHECK(ebm_save(&a, path, why) == LBP_OK);
  iterate(&a, 4);
  fresh(&b, &plan);
  CHECK(!same(&a, &b));
  CHECK(ebm_load(&b, path, why) == LBP_OK && b.iteration == 3);
  iterate(&b, 4);
  CHECK(same(&a, &b)); /* as if it had never been stopped */
  ebm_trainer_free(&a);
  ebm_trainer_free(&b);
  all = load(path, &bytes);
  fresh(&a, &plan);
  for (k = 0; k < bytes; k += k < 300 ? 7 : LATER) { /* any byte */
    all[k] ^= 0x10;
    store(path, all, bytes);
    refused(&a, path, ": ");
    all[k] ^= 0x10;
  }
  store(path, all, bytes - 1);
  refused(&a, path, "truncated");
  store(path, all, 0);
  refused(&a, path, "no training run");
  all[bytes] = 0;
  store(path, all, bytes + 1);
  refused(&a, path, "longer");
  store(path, all, bytes);
  a.model.logit[3] += 0.5f;
  CHECK(ebm_load(&a, path, why) == LBP_E_FORMAT && strstr(why, "other data"));
  ebm_trainer_free(&a);
  how.steps = 6;
  fresh(&a, &how);
  refused(&a, path, "--steps");
  ebm_trainer_free(&a);
  how.steps = plan.steps;
  how.rate *= 2;
  fresh(&a, &how);
  refused(&a, path, "--rate");
  ebm_trainer_free(&a);
  how.rate = plan.rate;
  how.channels = 5;
  fresh(&a, &how);
  refused(&a, path, "--channels");
  remove(path);
  refused(&a, path, "cannot be read");
  CHECK(ebm_save(&a, "/nowhere/at/all", why) == LBP_E_FILE && strstr(why, "cannot be written"));
  how.channels = 300;
  ebm_trainer_free(&a);
  CHECK(ebm_trainer_init(&a, &how, NULL) == LBP_E_SIZE);
  free(all);
}

#ifdef _OPENMP
/* The same, whatever the number of threads. */
static void test_threads(void) {
  const int threads = omp_get_max_threads();
  ebm_trainer a, b;
  omp_set_num_threads(1);
  fresh(&a, &plan);
  iterate(&a, 3);
  omp_set_num_threads(3);
  fresh(&b, &plan);
  iterate(&b, 3);
  CHECK(same(&a, &b));
  omp_set_num_threads(threads);
  ebm_trainer_free(&a);
  ebm_trainer_free(&b);
}
#endif

static void test_data(void) {
  char path[] = "/tmp/lbp-ebm-XXXXXX", why[IDX_WHY];
  const int made = mkstemp(path);
  unsigned char file[16 + 4 * EBM_N] = {0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, EBM_SIDE, 0, 0, 0, EBM_SIDE};
  const uint8_t *at[8];
  uint8_t x[8 * EBM_N];
  ebm_data data;
  lbp_rng rng;
  uint32_t k, ones = 0;
  if (made < 0) exit(2);
  close(made);
  lbp_rng_init(&rng, 1, 1);
  for (k = 0; k < EBM_N; k++) file[16 + k] = 128, file[16 + EBM_N + k] = 127, file[16 + 2 * EBM_N + k] = 255;
  store(path, file, 16 + 3 * EBM_N);
  CHECK(ebm_data_read(&data, path, 0, 0, why) == LBP_OK && data.count == 3);
  CHECK_NEAR(data.mean[5], 2.0 / 3, 1e-12);
  ebm_data_take(&data, 1, &rng, x);
  for (k = 0; k < EBM_N; k++) CHECK(x[k] == 0);
  ebm_data_free(&data);
  CHECK(ebm_data_read(&data, path, 0, 1, why) == LBP_OK);
  CHECK_NEAR(data.mean[5], 2.0 / 3, 1e-12);
  for (k = 0; k < 100; k++) {
    ebm_data_take(&data, 1, &rng, x);
    ones += x[0] + x[7] + x[15];
  }
  CHECK_NEAR(ones / 300.0, 0.5, 0.15);
  ebm_data_batch(&data, 8, &rng, x, at);
  CHECK(at[7] == x + 7 * EBM_N);
  ebm_data_free(&data);
  file[11] = EBM_SIDE + 1;
  store(path, file, 16 + 3 * EBM_N);
  CHECK(ebm_data_read(&data, path, 0, 0, why) == LBP_E_FORMAT && strstr(why, path) == why);
  file[7] = 2, file[11] = 2 * EBM_SIDE;
  store(path, file, 16 + 4 * EBM_N);
  CHECK(ebm_data_read(&data, path, 0, 0, why) != LBP_OK && strstr(why, path) == why);
  file[7] = 1, file[11] = 2 * EBM_SIDE;
  store(path, file, 16 + 2 * EBM_N);
  CHECK(ebm_data_read(&data, path, 0, 0, why) == LBP_E_SIZE && strstr(why, "wanted"));
  remove(path);
  CHECK(ebm_data_read(&data, path, 0, 0, why) == LBP_E_FILE && data.grey == NULL);
}

int main(void) {
  test_convolutions();
  test_gradients(8, 5, 1);
  test_gradients(28, 16, 2);
  test_groups();
  test_shapes();
#ifndef API_QUICK
  test_law();
  test_walkers();
#endif
  test_cache();
  test_learning(EBM_ALBP, 0);
  test_learning(EBM_AB, 0);
  test_learning(EBM_AB, 3);
  test_iteration();
  test_disk();
#ifdef _OPENMP
  test_threads();
#endif
  test_data();
  return test_report();
}
