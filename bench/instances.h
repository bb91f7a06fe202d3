/* instances.h - reads the models behind the reference numbers from bench/data.
 *
 *   bernoulli_N*_C*.txt     p_i, one a line
 *   ising_p*_C*.txt         alpha_i, one a line, row by row
 *   fhmm_L*_C*.txt          W_1 ... W_5, b, Y_1 ... Y_L, one a line
 *   *_x0.txt                a state, as characters 0 and 1
 *   rbm_*.bin               a trained RBM, as lbp_rbm_write makes it
 *
 * Every reader returns LBP_OK, or a status with a sentence in why[INSTANCE_WHY].
 */
#ifndef INSTANCES_H
#define INSTANCES_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lbp_models.h"

enum { INSTANCE_WHY = 400 };

LBP_FN FILE *instance_open(const char *path, char *why) {
  FILE *file;
  errno = 0;
  file = fopen(path, "rb");
  if (file == NULL) snprintf(why, INSTANCE_WHY, "%.200s: cannot open: %s", path, strerror(errno));
  return file;
}

/* A file's bytes in new memory, or NULL and a status. */
LBP_FN unsigned char *instance_bytes(const char *path, size_t *size, int *status, char *why) {
  const size_t limit = (size_t)64 << 20;
  FILE *file = instance_open(path, why);
  unsigned char *bytes = NULL;
  size_t room = 0;
  *size = 0;
  *status = LBP_OK;
  if (file == NULL) {
    *status = LBP_E_FILE;
    return NULL;
  }
  while (*status == LBP_OK && *size == room && room < limit) {
    unsigned char *grown = (unsigned char *)realloc(bytes, room = room == 0 ? 1u << 16 : 2 * room);
    if (grown == NULL) *status = LBP_E_MEMORY;
    else *size += fread((bytes = grown) + *size, 1, room - *size, file);
  }
  if (ferror(file)) *status = LBP_E_FILE;
  (void)fclose(file);
  if (*status == LBP_OK) return bytes;
  snprintf(why, INSTANCE_WHY, "%.200s: %s", path, lbp_error(*status));
  free(bytes);
  return NULL;
}

/* A hash of a file's bytes: another file has another. */
LBP_FN int instance_fingerprint(const char *path, uint64_t *fingerprint, char *why) {
  size_t size;
  int status;
  unsigned char *bytes = instance_bytes(path, &size, &status, why);
  if (bytes != NULL) *fingerprint = lbp_p_checksum(bytes, size);
  free(bytes);
  return status;
}

/* Reads the `count` numbers that make up a text file. */
LBP_FN int instance_numbers(const char *path, size_t count, double *out, char *why) {
  FILE *file = instance_open(path, why);
  size_t k = 0;
  char extra;
  int status = LBP_OK;
  if (file == NULL) return LBP_E_FILE;
  while (k < count && fscanf(file, "%lf", &out[k]) == 1 && lbp_is_finite(out[k])) k++;
  if (k < count) {
    snprintf(why, INSTANCE_WHY, "%.200s: number %lu of %lu is missing or no finite number", path,
             (unsigned long)k + 1, (unsigned long)count);
    status = LBP_E_FORMAT;
  } else if (fscanf(file, " %c", &extra) == 1) {
    snprintf(why, INSTANCE_WHY, "%.200s: goes on after the %lu numbers expected", path, (unsigned long)count);
    status = LBP_E_FORMAT;
  }
  if (ferror(file)) {
    snprintf(why, INSTANCE_WHY, "%.200s: could not be read", path);
    status = LBP_E_FILE;
  }
  (void)fclose(file);
  return status;
}

/* Reads the `count` zeros and ones that make up a text file; white space between them is skipped. */
LBP_FN int instance_state(const char *path, size_t count, uint8_t *x, char *why) {
  FILE *file = instance_open(path, why);
  size_t k = 0;
  char bit;
  int status = LBP_OK;
  if (file == NULL) return LBP_E_FILE;
  while (fscanf(file, " %c", &bit) == 1 && (bit == '0' || bit == '1') && k < count) x[k++] = bit == '1';
  if (ferror(file)) {
    snprintf(why, INSTANCE_WHY, "%.200s: could not be read", path);
    status = LBP_E_FILE;
  } else if (k < count || !feof(file)) {
    snprintf(why, INSTANCE_WHY, "%.200s: expected exactly %lu zeros and ones, %s %lu", path, (unsigned long)count,
             k < count ? "found" : "there is more after", (unsigned long)k);
    status = LBP_E_FORMAT;
  }
  (void)fclose(file);
  return status;
}

/* Says what is wrong with numbers that were read well but make no model. */
LBP_FN int instance_judge(int status, const char *path, char *why) {
  if (status != LBP_OK) snprintf(why, INSTANCE_WHY, "%.200s: %s", path, lbp_error(status));
  return status;
}

/* The numbers of a file in new memory, or NULL and a status. */
LBP_FN double *instance_new_numbers(const char *path, size_t count, int *status, char *why) {
  double *numbers = (double *)calloc(count, sizeof *numbers);
  if (numbers == NULL) {
    *status = instance_judge(LBP_E_MEMORY, path, why);
    return NULL;
  }
  *status = instance_numbers(path, count, numbers, why);
  if (*status == LBP_OK) return numbers;
  free(numbers);
  return NULL;
}

LBP_FN int instance_bernoulli(lbp_bernoulli *m, const char *path, uint32_t n, char *why) {
  int status;
  double *p = instance_new_numbers(path, n, &status, why);
  memset(m, 0, sizeof *m);
  if (p != NULL) status = instance_judge(lbp_bernoulli_init(m, n, p), path, why);
  free(p);
  return status;
}

/* side x side, with the coupling of the configuration. */
LBP_FN int instance_ising(lbp_ising *m, const char *path, uint32_t side, int config, char *why) {
  int status;
  double *alpha = instance_new_numbers(path, (size_t)side * side, &status, why);
  memset(m, 0, sizeof *m);
  if (alpha != NULL) {
    status = instance_judge(lbp_ising_init(m, side, side, lbp_ising_coupling(config), alpha), path, why);
  }
  free(alpha);
  return status;
}

/* L steps of K chains, with the noise of the configuration. */
LBP_FN int instance_fhmm(lbp_fhmm *m, const char *path, uint32_t L, uint32_t K, int config, lbp_fhmm_law law,
                         char *why) {
  double *numbers, a0, c;
  int status;
  numbers = instance_new_numbers(path, (size_t)K + 1 + L, &status, why);
  memset(m, 0, sizeof *m);
  lbp_fhmm_law_values(law, &a0, &c);
  if (numbers != NULL) {
    status = lbp_fhmm_init(m, L, K, numbers, numbers[K], lbp_fhmm_noise(config), numbers + K + 1, a0, c);
    status = instance_judge(status, path, why);
  }
  free(numbers);
  return status;
}

LBP_FN int instance_rbm(lbp_rbm *m, const char *path, char *why) {
  size_t size;
  int status;
  unsigned char *bytes = instance_bytes(path, &size, &status, why);
  memset(m, 0, sizeof *m);
  if (bytes == NULL) return status;
  status = instance_judge(lbp_rbm_read(m, bytes, size), path, why);
  free(bytes);
  return status;
}

#endif /* INSTANCES_H */
