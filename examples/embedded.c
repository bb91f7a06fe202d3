/* For a microcontroller: no heap, no printf in the sampling loop, no libm, single precision, a generator of one's own.
 * All memory is static, and its size is known when compiling.
 *
 *   cc -Os -I.. embedded.c && ./a.out
 *
 * The task: a sensor line of 96 on/off contacts is read with noise (a contact shows the wrong value one time in five),
 * and neighbouring contacts tend to agree. The chance of each contact being on is the mean over the samples.
 */
#define CONTACTS 96 /* a number that the preprocessor can see: LBP_N needs one */

#include "lbp.h"

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

typedef struct {
  uint8_t read[CONTACTS];  /* what the line shows */
  float evidence, agree;   /* log-odds that a reading is right, and that neighbours agree */
} sensor;

static float sensor_delta(const sensor *s, const uint8_t *x, uint32_t i) {
  float d = x[i] == s->read[i] ? -s->evidence : s->evidence;
  if (i > 0) d += x[i] == x[i - 1] ? -s->agree : s->agree;
  if (i + 1 < CONTACTS) d += x[i] == x[i + 1] ? -s->agree : s->agree;
  return d;
}

static uint32_t sensor_neighbours(const sensor *s, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  (void)s;
  if (i > 0) out[count++] = i - 1;
  if (i + 1 < CONTACTS) out[count++] = i + 1;
  return count;
}

#define LBP_NAME           line
#define LBP_MODEL_T        sensor
#define LBP_REAL           float
#define LBP_N              CONTACTS
#define LBP_DELTA          sensor_delta
#define LBP_NEIGHBOURS     sensor_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_RNG_T          small_rng
#define LBP_RNG_U64        small_u64
#include "lbp.h"

enum { WARMUP = 1000, STEPS = 20000 };

static line_chain chain;
static line_tuner tuner;
static sensor model;
static uint16_t on[CONTACTS]; /* samples in which a contact was on */
static small_rng rng = {88172645463325252u};

/* All that runs on the device. */
static int sample(void) {
  uint32_t i, t;
  if (line_init(&chain, model.read) != LBP_OK) return 0;
  if (line_tuner_init(&tuner, CONTACTS, WARMUP, LBP_TARGET_LBP) != LBP_OK) return 0;
  for (t = 0; t < WARMUP + STEPS; t++) {
    line_albp_step(&chain, &model, &tuner, &rng);
    for (i = 0; i < CONTACTS && t >= WARMUP; i++) on[i] = (uint16_t)(on[i] + chain.x[i]);
  }
  return 1;
}

/* ---- on a host: make a reading, run, show ---- */

#include <stdio.h>

int main(void) {
  uint32_t i, wrong_read = 0, wrong_mean = 0;
  uint8_t truth[CONTACTS];
  for (i = 0; i < CONTACTS; i++) {
    truth[i] = i / 24 % 2;
    model.read[i] = truth[i] ^ (small_u64(&rng) % 5 == 0);
  }
  model.evidence = 1.386f; /* log 0.8 / 0.2 */
  model.agree = 2.0f;
  if (!sample()) return 1;

  fputs("truth    ", stdout);
  for (i = 0; i < CONTACTS; i++) putchar(truth[i] ? '#' : '.');
  fputs("\nread     ", stdout);
  for (i = 0; i < CONTACTS; i++) putchar(model.read[i] ? '#' : '.');
  fputs("\nsampled  ", stdout);
  for (i = 0; i < CONTACTS; i++) {
    putchar(on[i] > STEPS / 2 ? '#' : '.');
    wrong_read += model.read[i] != truth[i];
    wrong_mean += (on[i] > STEPS / 2) != truth[i];
  }
  printf("\nwrong contacts: %u as read, %u after sampling\n", (unsigned)wrong_read, (unsigned)wrong_mean);
  printf("RAM: chain %u + tuner %u + model %u + counts %u + generator %u = %u bytes\n", (unsigned)sizeof chain,
         (unsigned)sizeof tuner, (unsigned)sizeof model, (unsigned)sizeof on, (unsigned)sizeof rng,
         (unsigned)(sizeof chain + sizeof tuner + sizeof model + sizeof on + sizeof rng));
  return wrong_mean < wrong_read ? 0 : 1;
}
