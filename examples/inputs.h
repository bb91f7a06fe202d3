/* inputs.h - files that examples read: numbers as text, and a trained restricted Boltzmann machine.
 *
 * Every reader returns LBP_OK, or a status with a sentence in why[INPUT_WHY].
 */
#ifndef INPUTS_H
#define INPUTS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lbp_models.h"

enum { INPUT_WHY = 400 };

LBP_FN FILE *input_open(const char *path, char *why) {
  FILE *file;
  errno = 0;
  file = fopen(path, "rb");
  if (!file) snprintf(why, INPUT_WHY, "%.200s: cannot open: %s", path, strerror(errno));
  return file;
}

/* A file's bytes in new memory, or NULL and a status. */
LBP_FN unsigned char *input_bytes(const char *path, size_t *size, int *status, char *why) {
  const size_t limit = (size_t)64 << 20;
  FILE *file = input_open(path, why);
  unsigned char *bytes = NULL;
  size_t room = 0;
  *size = 0;
  *status = LBP_OK;
  if (!file) {
    *status = LBP_E_FILE;
    return NULL;
  }
  while (*status == LBP_OK && *size == room && room < limit) {
    unsigned char *grown = (unsigned char *)realloc(bytes, room = room == 0 ? 1u << 16 : 2 * room);
    if (!grown) *status = LBP_E_MEMORY;
    else *size += fread((bytes = grown) + *size, 1, room - *size, file);
  }
  if (ferror(file)) *status = LBP_E_FILE;
  (void)fclose(file);
  if (*status == LBP_OK) return bytes;
  snprintf(why, INPUT_WHY, "%.200s: %s", path, lbp_error(*status));
  free(bytes);
  return NULL;
}

/* Reads the `count` numbers that make up a text file. */
LBP_FN int input_numbers(const char *path, size_t count, double *out, char *why) {
  FILE *file = input_open(path, why);
  size_t k = 0;
  char extra;
  int status = LBP_OK;
  if (!file) return LBP_E_FILE;
  while (k < count && fscanf(file, "%lf", &out[k]) == 1 && lbp_is_finite(out[k])) k++;
  if (k < count) {
    snprintf(why, INPUT_WHY, "%.200s: number %lu of %lu is missing or no finite number", path,
             (unsigned long)k + 1, (unsigned long)count);
    status = LBP_E_FORMAT;
  } else if (fscanf(file, " %c", &extra) == 1) {
    snprintf(why, INPUT_WHY, "%.200s: goes on after the %lu numbers expected", path, (unsigned long)count);
    status = LBP_E_FORMAT;
  }
  if (ferror(file)) {
    snprintf(why, INPUT_WHY, "%.200s: could not be read", path);
    status = LBP_E_FILE;
  }
  (void)fclose(file);
  return status;
}

/* Says what is wrong with numbers that were read well but make no model. */
LBP_FN int input_judge(int status, const char *path, char *why) {
  if (status != LBP_OK) snprintf(why, INPUT_WHY, "%.200s: %s", path, lbp_error(status));
  return status;
}

/* A trained RBM, as lbp_rbm_write makes it. */
LBP_FN int input_rbm(lbp_rbm *m, const char *path, char *why) {
  size_t size;
  int status;
  unsigned char *bytes = input_bytes(path, &size, &status, why);
  memset(m, 0, sizeof *m);
  if (!bytes) return status;
  status = input_judge(lbp_rbm_read(m, bytes, size), path, why);
  free(bytes);
  return status;
}

#endif /* INPUTS_H */
