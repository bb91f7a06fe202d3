/* The program: four samplers, a line for each. A line's hash is over every step's state, acceptance probability, to the
 * last bit, and decision: two platforms that print the same one computed the same. */
#include "program.h"

#include <stddef.h>
#include <string.h>

enum { STEPS = 12000, ISING_R = 9, RBM_R = 3 };

/* A number in `base`, with at least `digits` digits. */
static void say_number(uint64_t value, uint32_t base, uint32_t digits) {
  char text[24], *end = text + sizeof text - 1, *p = end;
  for (*p = 0; value > 0 || end - p < (ptrdiff_t)digits; value /= base) *--p = "0123456789abcdef"[value % base];
  say(p);
}

/* FNV-1a, 64 bits */
static uint64_t hash_bytes(uint64_t hash, const void *from, uint32_t count) {
  const uint8_t *byte = (const uint8_t *)from;
  uint32_t k;
  for (k = 0; k < count; k++) hash = (hash ^ byte[k]) * 0x100000001b3u;
  return hash;
}

static uint64_t hash_step(uint64_t hash, const uint8_t *x, uint32_t n, outcome o) {
  uint32_t bits, k;
  uint8_t byte[5];
  memcpy(&bits, &o.accept, sizeof bits);
  for (k = 0; k < 4; k++) byte[k] = (uint8_t)(bits >> 8 * k); /* in one order, whatever the processor's */
  byte[4] = (uint8_t)o.accepted;
  return hash_bytes(hash_bytes(hash, x, n), byte, sizeof byte);
}

static void say_line(const char *name, uint32_t accepted, uint64_t hash) {
  say(name);
  say_number(accepted, 10, 1);
  say(" of ");
  say_number(STEPS, 10, 1);
  say(" steps accepted, hash ");
  say_number(hash, 16, 16);
  say("\n");
}

/* A disc, and the mat's readings of it. */
static uint8_t truth[CONTACTS], reading[CONTACTS];

static void read_mat(void) {
  uint32_t i, noise = 1;
  for (i = 0; i < CONTACTS; i++) {
    const int32_t row = (int32_t)(i / SIDE) * 2 - SIDE + 1, column = (int32_t)(i % SIDE) * 2 - SIDE + 1;
    truth[i] = row * row + column * column < CONTACTS / 2;
    noise = noise * 1664525u + 1013904223u;
    reading[i] = truth[i] ^ (noise >> 16 < 65536 / 5);
  }
}

/* Runs one sampler of a model: the adaptive one if R is 0. on[] gets how often each contact was on. */
static uint32_t run_ising(uint32_t R, uint16_t *on) {
  const uint8_t *x = ising_start(reading, 2026);
  uint64_t hash = 0xcbf29ce484222325u;
  uint32_t t, i, accepted = 0;
  for (i = 0; i < CONTACTS; i++) on[i] = 0;
  if (!x) return 0;
  for (t = 0; t < STEPS; t++) {
    const outcome o = R > 0 ? ising_step(R) : ising_adaptive_step();
    hash = hash_step(hash, x, CONTACTS, o);
    accepted += o.accepted;
    for (i = 0; i < CONTACTS; i++) on[i] = (uint16_t)(on[i] + x[i]);
  }
  say_line(R > 0 ? "ising LBP-9: " : "ising ALBP:  ", accepted, hash);
  return accepted;
}

static uint32_t run_rbm(uint32_t R) {
  const uint8_t *x = rbm_start(88172645463325252u);
  uint64_t hash = 0xcbf29ce484222325u;
  uint32_t t, accepted = 0;
  if (!x) return 0;
  for (t = 0; t < STEPS; t++) {
    const outcome o = R > 0 ? rbm_step(R) : rbm_adaptive_step();
    hash = hash_step(hash, x, PIXELS, o);
    accepted += o.accepted;
  }
  say_line(R > 0 ? "rbm LBP-3:   " : "rbm ALBP:    ", accepted, hash);
  return accepted;
}

int program(void) {
  static uint16_t on[CONTACTS];
  uint32_t i, read = 0, sampled = 0;
  int ran;
  read_mat();
  ran = run_ising(ISING_R, on) > 0;
  ran &= run_ising(0, on) > 0;
  for (i = 0; i < CONTACTS; i++) {
    read += reading[i] != truth[i];
    sampled += (on[i] > STEPS / 2) != truth[i];
  }
  ran &= run_rbm(RBM_R) > 0;
  ran &= run_rbm(0) > 0;
  say("wrong contacts: ");
  say_number(read, 10, 1);
  say(" as read, ");
  say_number(sampled, 10, 1);
  say(" after sampling\n");
  return ran && sampled < read ? 0 : 1;
}
