/* Contacts of sequences of eight letters, of which two always are the same. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include "top.c"

int main(void) {
  enum { ROWS = 600, LENGTH = 8 };
  lbp_alignment a;
  double score[LENGTH * LENGTH];
  unsigned k, i, best = 1, word = 1;
  memset(&a, 0, sizeof a);
  a.sequences = ROWS, a.positions = LENGTH, a.letters = 21;
  a.x = (uint8_t *)calloc(ROWS, LENGTH);
  a.weight = (double *)calloc(ROWS, sizeof *a.weight);
  if (!a.x || !a.weight) return 1;
  for (k = 0; k < ROWS; k++) {
    for (i = 0; i < LENGTH; i++) {
      word = word * 1664525u + 1013904223u;
      a.x[k * LENGTH + i] = (uint8_t)(1 + (word >> 16) % 4);
    }
    a.x[k * LENGTH + 6] = a.x[k * LENGTH + 1];
  }
  if (contacts(&a, score) != LBP_OK) return 1;
  for (k = 1; k < LENGTH * LENGTH; k++) best = score[k] > score[best] ? k : best;
  printf("%u and %u\n", best / LENGTH, best % LENGTH);
  lbp_alignment_free(&a);
  return best == 1 * LENGTH + 6 ? 0 : 1;
}
