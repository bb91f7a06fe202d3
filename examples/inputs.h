/* inputs.h - input of the examples: numbers as arguments; files of numbers as text, and of a trained restricted
 * Boltzmann machine.
 *
 * Every reader of files returns LBP_OK, or a status with a sentence in why[INPUT_WHY].
 */
#ifndef INPUTS_H
#define INPUTS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../lbp_models.h"

enum { INPUT_WHY = 400 };

/* The whole number that an argument is, all of it; -1 if it is none, or negative. */
LBP_FN long input_whole(const char *word) {
  char *end;
  const long value = strtol(word, &end, 10);
  return end != word && !*end && value >= 0 ? value : -1;
}

/* The number that an argument is, all of it; NaN if it is none. */
LBP_FN double input_real(const char *word) {
  char *end;
  const double value = strtod(word, &end);
  return end != word && !*end ? value : (double)NAN;
}

/* Opens a file to be read: a regular one, maybe by a link, so that no pipe is waited for. NULL, and why. */
LBP_FN FILE *input_open(const char *path, char *why) {
  struct stat info;
  FILE *file = NULL;
  errno = 0;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
    snprintf(why, INPUT_WHY, "%.200s: a folder, a pipe or a device, and no regular file: give a file", path);
    return NULL;
  }
  file = fopen(path, "rb");
  if (!file) snprintf(why, INPUT_WHY, "%.200s: cannot open: %s", path, strerror(errno));
  return file;
}

#if defined _POSIX_C_SOURCE || defined _XOPEN_SOURCE || defined _GNU_SOURCE
/* The file, or, if it begins as gzip's files do, the output of gzip by a pipe; *piped is 1 then. Close it by
 * input_close_packed. */
LBP_FN FILE *input_open_packed(const char *path, int *piped, char *why) {
  FILE *file = input_open(path, why);
  char command[1200];
  size_t k = 0;
  const char *c;
  *piped = 0;
  if (!file || getc(file) != 0x1f || getc(file) != 0x8b) {
    if (file) rewind(file);
    return file;
  }
  (void)fclose(file);
  k = (size_t)snprintf(command, sizeof command, "gzip -dc < '");
  for (c = path; *c && k < sizeof command - 8; c++) { /* a quote ends the quotes, and comes with a backslash */
    k += (size_t)snprintf(command + k, sizeof command - k, *c == '\'' ? "'\\''" : "%c", *c);
  }
  snprintf(command + k, sizeof command - k, "'");
  *piped = !*c;
  file = *piped ? popen(command, "r") : NULL;
  if (!file) snprintf(why, INPUT_WHY, "%.200s: cannot be decompressed", path);
  return file;
}

/* Closes it. status: that of reading it, which is returned, unless it is LBP_OK and gzip failed. */
LBP_FN int input_close_packed(FILE *file, int piped, const char *path, int status, char *why) {
  if (!piped) {
    (void)fclose(file);
  } else if (pclose(file) != 0 && status == LBP_OK) {
    snprintf(why, INPUT_WHY, "%.200s: gzip found something wrong", path);
    status = LBP_E_FILE;
  }
  return status;
}
#endif

/* A file's bytes in new memory, or NULL and a status: LBP_E_SIZE, more than 64 MiB. */
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
  if (*status == LBP_OK && *size == limit && getc(file) != EOF) *status = LBP_E_SIZE;
  if (ferror(file)) *status = LBP_E_FILE;
  (void)fclose(file);
  if (*status == LBP_OK) return bytes;
  if (*status == LBP_E_SIZE) snprintf(why, INPUT_WHY, "%.200s: longer than %lu bytes", path, (unsigned long)limit);
  else snprintf(why, INPUT_WHY, "%.200s: %s", path, lbp_error(*status));
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

/* Reports numbers that were read without error but make no model. */
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
