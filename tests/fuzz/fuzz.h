/* Shared by fuzz targets: a target takes its decisions from the bytes of an input, in order, and zeros when they are
 * used up. A finding is a failed FUZZ_CHECK, a crash, a report of a sanitizer, or an input that takes seconds. */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lbp.h"

#ifdef __cplusplus
extern "C"
#endif
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The input, from the first byte not yet used. */
static const uint8_t *fuzz_bytes;
static size_t fuzz_left;

LBP_FN void fuzz_start(const uint8_t *bytes, size_t size) {
  fuzz_bytes = bytes;
  fuzz_left = size;
}

LBP_FN uint32_t fuzz_byte(void) {
  if (fuzz_left == 0) return 0;
  fuzz_left--;
  return *fuzz_bytes++;
}

LBP_FN uint64_t fuzz_word(uint32_t bytes) {
  uint64_t word = 0;
  for (; bytes > 0; bytes--) word = word << 8 | fuzz_byte();
  return word;
}

LBP_FN uint32_t fuzz_below(uint32_t count) { return fuzz_byte() % count; }

LBP_FN double fuzz_from_bits(uint64_t bits) {
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* A multiple of 1/64 below 512: sums of some are exact, in float too. */
LBP_FN double fuzz_plain(void) { return (double)(int16_t)(uint16_t)fuzz_word(2) / 64; }

/* Any double: mostly a plain one, else one of those that arithmetic trips over, or any bits. */
LBP_FN double fuzz_double(void) {
  static const uint64_t edge[] = {
    0x7ff0000000000000u, 0xfff0000000000000u, 0x7ff8000000000000u, 0xfff8000000000001u, /* infinities, NaN */
    0x7fefffffffffffffu, 0xffefffffffffffffu, 0x0000000000000001u, 0x8000000000000000u, /* largest, smallest, -0 */
    0x0010000000000000u, 0x47efffffe0000000u, 0xc7efffffe0000000u, 0x47f0000000000000u, /* float's largest, 2^128 */
    0x41dfffffffc00000u, 0x41efffffffe00000u, 0x43e0000000000000u, 0x46293e5939a08ceau, /* 2^31, 2^32, 2^63, 1e30 */
    0x3ff0000000000000u, 0x3ca0000000000000u, 0x3fefffffffffffffu, 0x1fffffffffffffffu};
  const uint32_t kind = fuzz_byte();
  if (kind < 160) return fuzz_plain();
  if (kind < 220) return fuzz_from_bits(edge[kind % (sizeof edge / sizeof edge[0])]);
  if (kind < 236) return fuzz_plain() * 1e-6;
  return fuzz_from_bits(fuzz_word(8));
}

/* The name of what is running, for the message. */
static const char *fuzz_doing = "";

LBP_FN void fuzz_fail(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: %s%s%s\n", file, line, fuzz_doing, *fuzz_doing ? ": " : "", what);
  abort();
}

#define FUZZ_CHECK(condition)                                    \
  do {                                                           \
    if (!(condition)) fuzz_fail(__FILE__, __LINE__, #condition); \
  } while (0)

#endif
