/* lbp/models/words.h - parses numbers in text files, for the readers of lbp/models/qubo.h and lbp/models/factors.h.
 * Version 1.0.0. MIT licence, see LICENSE. Those files include it; you call nothing in it.
 */

#ifndef LBP_MODELS_WORDS_H
#define LBP_MODELS_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/support.h"

LBP_EXACT_BEGIN

enum { LBP_MODELS_WORD = 64 }; /* characters of a word, including the terminating zero */

/* Reads a whole number, digits only, to *value; a number above 10^12 becomes 10^12. Returns whether the word is one. */
LBP_FN int lbp_models_is_whole(const char *word, uint64_t *value) {
  const uint64_t most = 1000000000000u;
  *value = 0;
  for (; *word >= '0' && *word <= '9'; word++) {
    *value = *value * 10 + (uint64_t)(*word - '0');
    if (*value > most) *value = most;
  }
  return *word == '\0'; /* words are never empty */
}

/* Returns whether the word is NaN or infinity, as programs write them: by its first letters. */
LBP_FN int lbp_models_is_not_finite(const char *word) {
  static const char name[2][4] = {"nan", "inf"};
  size_t k, at = word[0] == '-' || word[0] == '+';
  int which;
  for (which = 0; which < 2; which++) {
    for (k = 0; k < 3 && (word[at + k] | 32) == name[which][k]; k++) continue;
    if (k == 3) return 1;
  }
  return 0;
}

/* Reads a number, digits with at most one point and an exponent, from a word of at most LBP_MODELS_WORD - 1 characters.
 * Returns whether the word is one. strtod's decimal point depends on the locale, so the exponent takes its place. */
LBP_FN int lbp_models_is_number(const char *word, double *value) {
  char plain[LBP_MODELS_WORD + 16];
  const char *at = word;
  size_t length = 0, digits = 0;
  int exponent = 0, behind = 0, point = 0, minus;
  if (*at == '-' || *at == '+') plain[length++] = *at++;
  for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
    if (*at == '.') {
      point = 1;
    } else {
      plain[length++] = *at;
      digits++;
      behind += point;
    }
  }
  if (digits == 0) return 0;
  if (*at == 'e' || *at == 'E') {
    minus = at[1] == '-';
    at += at[1] == '-' || at[1] == '+' ? 2 : 1;
    if (*at < '0' || *at > '9') return 0;
    for (; *at >= '0' && *at <= '9'; at++) exponent = exponent < 10000 ? exponent * 10 + (*at - '0') : exponent;
    if (minus) exponent = -exponent;
  }
  if (*at) return 0;
  (void)snprintf(plain + length, sizeof plain - length, "e%d", exponent - behind);
  *value = strtod(plain, NULL);
  return 1;
}

LBP_EXACT_END

#endif /* LBP_MODELS_WORDS_H */
