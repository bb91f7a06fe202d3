/* lbp/base/numbers.h - functions of numbers and random words that the headers around lbp.h share, but lbp.h does not
 * need; and the attribute of functions like printf.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h. lbp/base/moves.h, lbp/base/linear.h,
 * lbp/models/local.h and lbp/run/chains.h include it. No libm, no malloc, no I/O, no globals.
 */

#ifndef LBP_NUMBERS_H
#define LBP_NUMBERS_H

#include "support.h"

/* Attribute of a function whose argument `number` is a format of printf, for the values from argument `first` on:
 * compilers check them. MinGW has two kinds of printf; __MINGW_PRINTF_FORMAT names the one that <stdio.h> declares. */
#if defined __MINGW_PRINTF_FORMAT
#define LBP_PRINTF_LIKE(number, first) __attribute__((format(__MINGW_PRINTF_FORMAT, number, first)))
#elif defined __GNUC__
#define LBP_PRINTF_LIKE(number, first) __attribute__((format(printf, number, first)))
#else
#define LBP_PRINTF_LIKE(number, first)
#endif

/* Returns infinity, also with -ffast-math. There, compilers may replace a known infinity by any number, so the value
 * is hidden from them. */
LBP_INLINE double lbp_infinity(void) {
  const volatile uint64_t unknown = 0x7ff0000000000000u;
  const uint64_t bits = unknown;
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* The same as lbp_clamp, in double. */
LBP_INLINE double lbp_clamp_double(double v, double limit) {
  uint64_t bits, most, size;
  memcpy(&bits, &v, sizeof bits);
  memcpy(&most, &limit, sizeof most);
  size = bits & 0x7fffffffffffffffu;
  bits = (bits & 0x8000000000000000u) | (size < most ? size : most);
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* Returns a uniform number in (0, 1) from a random word, with 52 bits: never 0 or 1, so its logarithm is finite. */
LBP_FN double lbp_u01_open(uint64_t word) { return ((double)(word >> 12) + 0.5) * (1.0 / 4503599627370496.0); }

/* Returns log v for v > 0, also subnormal, with an error of about 1e-15: lbp_log and a Newton step. The libraries' own
 * logarithms round differently. */
LBP_FN double lbp_log_fine(double v) {
  const int tiny = v < 1e-200, large = v > 1e200;
  const double scaled = v * (tiny ? 1e200 : large ? 1e-200 : 1.0), y = lbp_log(scaled);
  return y + (lbp_rounded(scaled * lbp_exp(-y)) - 1.0) + (large - tiny) * 460.51701859880914;
}

/* Returns an exponential time of rate 1 from a random word. Its relative error is below 1e-9, also for tiny times. */
LBP_FN double lbp_exponential(uint64_t word) {
  const double u = ((double)(int64_t)(word >> 2) + 0.5) * (1.0 / 4611686018427387904.0);
  double s;
  if (u > 0.25) return -lbp_log(((double)(int64_t)(~word >> 2) + 0.5) * (1.0 / 4611686018427387904.0));
  s = u / (2.0 - u); /* -log(1 - u) = 2 artanh s, s <= 1/7 */
  return 2.0 * s * lbp_artanh_ratio(lbp_cut(s * s));
}

/* Writes the next n words of the stream to out[n]. */
LBP_FN void lbp_rng_fill(lbp_rng *rng, uint64_t *out, size_t n) {
  while (n > 0) {
    uint32_t part = n < LBP_RNG_BLOCK ? (uint32_t)n : LBP_RNG_BLOCK;
    const uint64_t *word = lbp_rng_take(rng, &part);
    memcpy(out, word, part * sizeof *out);
    out += part;
    n -= part;
  }
}

#endif /* LBP_NUMBERS_H */
