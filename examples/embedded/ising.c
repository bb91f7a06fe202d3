/* A local model in fixed memory: a mat of on/off contacts is read with noise (a contact shows the wrong value one time
 * in five), and neighbouring contacts tend to agree. Which are on?
 *
 * Their number is known when compiling, so the chain is one object, and all memory is static. */
#include "program.h"

#include "lbp.h"

typedef struct {
  const uint8_t *read;   /* the mat's readings */
  float evidence, agree; /* log-odds that a reading is right, and that neighbours agree */
} mat;

static uint32_t mat_neighbours(const mat *m, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  (void)m;
  if (i % SIDE > 0) out[count++] = i - 1;
  if (i % SIDE < SIDE - 1) out[count++] = i + 1;
  if (i >= SIDE) out[count++] = i - SIDE;
  if (i < CONTACTS - SIDE) out[count++] = i + SIDE;
  return count;
}

static float mat_delta(const mat *m, const uint8_t *x, uint32_t i) {
  uint32_t list[4], k;
  const uint32_t count = mat_neighbours(m, i, list);
  int32_t gain = 0;
  for (k = 0; k < count; k++) gain += x[i] == x[list[k]] ? -1 : 1;
  return (x[i] == m->read[i] ? -m->evidence : m->evidence) + m->agree * (float)gain;
}

#define LBP_NAME           mat
#define LBP_MODEL_T        mat
#define LBP_REAL           float
#define LBP_N              CONTACTS
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          mat_delta
#define LBP_NEIGHBOURS     mat_neighbours
#define LBP_MAX_NEIGHBOURS 4
#include "lbp.h"

static mat model;
static mat_chain chain;
static mat_tuner tuner;
static lbp_rng rng;

const uint8_t *ising_start(const uint8_t *read, uint64_t seed) {
  model.read = read;
  model.evidence = 1.375f; /* log 0.8 / 0.2 is 1.386 */
  model.agree = 1.0f;
  lbp_rng_init(&rng, seed, 0);
  if (mat_init(&chain, read) != LBP_OK) return NULL;
  if (mat_tuner_init(&tuner, CONTACTS, 2000, LBP_TARGET_LBP) != LBP_OK) return NULL;
  return chain.x;
}

static outcome told(mat_info it) {
  outcome o;
  o.accept = it.accept;
  o.accepted = it.accepted;
  return o;
}

outcome ising_step(uint32_t R) { return told(mat_lbp_step(&chain, &model, R, &rng)); }

outcome ising_adaptive_step(void) { return told(mat_albp_step(&chain, &model, &tuner, &rng)); }
