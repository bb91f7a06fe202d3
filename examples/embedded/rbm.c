/* A dense model in fixed memory, with a small generator: a restricted Boltzmann machine whose weights are bytes in
 * flash. Each hidden unit represents a bar, one of eight rows or of eight columns, and likes its pixels on.
 *
 * Weights and inputs are integers, in 32nds: inputs that are kept up to date flip by flip stay exact for ever. */
#include "program.h"

#include "lbp.h"

#define HIDDEN 16
#define LIT    (-46)  /* a pixel's term of log pi by being on ... */
#define ROUSED (-192) /* ... and the input of a hidden unit when all are off */

/* 1.5 on the bar and nothing next to it, with some dirt; by formula, in place of training. */
#define ON_BAR(i, j) ((j) < 8 ? (i) / 8 == (j) : (i) % 8 == (j) - 8)
#define W(i, j)      (int8_t)((ON_BAR(i, j) ? 48 : 0) + ((i) * 73 + (j) * 151 + (i) * (j) * 29) % 9 - 4)
#define W4(i, j)     W(i, j), W(i, j + 1), W(i, j + 2), W(i, j + 3)
#define ROW(i)       {W4(i, 0), W4(i, 4), W4(i, 8), W4(i, 12)}
#define ROWS8(i)     ROW(i), ROW(i + 1), ROW(i + 2), ROW(i + 3), ROW(i + 4), ROW(i + 5), ROW(i + 6), ROW(i + 7)

typedef struct {
  int8_t weight[PIXELS][HIDDEN];
} bars;

static const bars model = {{ROWS8(0), ROWS8(8), ROWS8(16), ROWS8(24), ROWS8(32), ROWS8(40), ROWS8(48), ROWS8(56)}};

typedef struct {
  int32_t input[HIDDEN];
} inputs;

static void bars_flip(const bars *m, inputs *f, const uint8_t *x, uint32_t i) {
  uint32_t j;
  for (j = 0; j < HIDDEN; j++) f->input[j] += x[i] ? m->weight[i][j] : -m->weight[i][j];
}

static void bars_set(const bars *m, inputs *f, const uint8_t *x) {
  uint32_t i, j;
  for (j = 0; j < HIDDEN; j++) f->input[j] = ROUSED;
  for (i = 0; i < PIXELS; i++) {
    if (x[i]) bars_flip(m, f, x, i);
  }
}

/* e^-|input|, input in 32nds */
static float decay(int32_t input) { return lbp_expf(-0.03125f * (float)(input < 0 ? -input : input)); }

/* A term of each pixel, and log(1 + e^input) of each hidden unit: these are summed out. */
static float bars_logp(const bars *m, inputs *f, const uint8_t *x) {
  int32_t lit = 0;
  float sum;
  uint32_t i, j;
  (void)m;
  for (i = 0; i < PIXELS; i++) lit += x[i] ? LIT : 0;
  sum = (float)lit * 0.03125f;
  for (j = 0; j < HIDDEN; j++) {
    if (f->input[j] > 0) sum += (float)f->input[j] * 0.03125f;
    sum += lbp_logf(1 + decay(f->input[j]));
  }
  return sum;
}

/* Estimates, as log pi decides: its gradient, with the hidden units' means in 1024ths. */
static void bars_deltas(const bars *m, inputs *f, const uint8_t *x, float *out) {
  int32_t mean[HIDDEN], sum;
  uint32_t i, j;
  for (j = 0; j < HIDDEN; j++) {
    const float d = decay(f->input[j]);
    mean[j] = (int32_t)(1024 * (f->input[j] < 0 ? d : 1) / (1 + d));
  }
  for (i = 0; i < PIXELS; i++) {
    for (j = 0, sum = 1024 * LIT; j < HIDDEN; j++) sum += m->weight[i][j] * mean[j];
    out[i] = (float)(x[i] ? -sum : sum) / 32768;
  }
}

/* xorshift64*: 8 bytes of state */
typedef struct {
  uint64_t state;
} small_rng;

static uint64_t small_u64(small_rng *r) {
  r->state ^= r->state >> 12;
  r->state ^= r->state << 25;
  r->state ^= r->state >> 27;
  return r->state * 0x2545F4914F6CDD1Du;
}

#define LBP_NAME        bars
#define LBP_MODEL_T     bars
#define LBP_REAL        float
#define LBP_N           PIXELS
#define LBP_WEIGHT      LBP_SQRT
#define LBP_FIELDS_T    inputs
#define LBP_FIELDS_INIT bars_set
#define LBP_FLIP        bars_flip
#define LBP_DELTAS      bars_deltas
#define LBP_LOGP        bars_logp
#define LBP_RNG_T       small_rng
#define LBP_RNG_U64     small_u64
#include "lbp.h"

static bars_chain chain;
static inputs fields;
static bars_tuner tuner;
static small_rng rng;

const uint8_t *rbm_start(uint64_t seed) {
  rng.state = seed;
  if (bars_init(&chain, NULL, &fields) != LBP_OK) return NULL;
  if (bars_tuner_init(&tuner, PIXELS, 2000, LBP_TARGET_LBP) != LBP_OK) return NULL;
  return chain.x;
}

static outcome told(bars_info it) {
  outcome o;
  o.accept = it.accept;
  o.accepted = it.accepted;
  return o;
}

outcome rbm_step(uint32_t R) { return told(bars_lbp_step(&chain, &model, R, &rng)); }

outcome rbm_adaptive_step(void) { return told(bars_albp_step(&chain, &model, &tuner, &rng)); }
