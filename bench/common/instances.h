/* Reads the models behind the reference numbers from bench/data.
 *   bernoulli_N*_C*.txt     p_i, one a line
 *   ising_p*_C*.txt         alpha_i, one a line, row by row
 *   fhmm_L*_C*.txt          W_1 ... W_5, b, Y_1 ... Y_L, one a line
 *   *_x0.txt                a state, as characters 0 and 1
 *   rbm_*.bin               a trained RBM: input_rbm of examples/inputs.h
 * Every reader returns LBP_OK, or a status with a sentence in why[INPUT_WHY]. */
#ifndef INSTANCES_H
#define INSTANCES_H

#include "../../examples/inputs.h"

/* A hash of a file's bytes: another file has another. */
LBP_FN int instance_fingerprint(const char *path, uint64_t *fingerprint, char *why) {
  size_t size;
  int status;
  unsigned char *bytes = input_bytes(path, &size, &status, why);
  if (bytes) *fingerprint = lbp_checksum(bytes, size);
  free(bytes);
  return status;
}

/* Reads the `count` zeros and ones that make up a text file; white space between them is skipped. */
LBP_FN int instance_state(const char *path, size_t count, uint8_t *x, char *why) {
  FILE *file = input_open(path, why);
  size_t k = 0;
  char bit;
  int status = LBP_OK;
  if (!file) return LBP_E_FILE;
  while (fscanf(file, " %c", &bit) == 1 && (bit == '0' || bit == '1') && k < count) x[k++] = bit == '1';
  if (ferror(file)) {
    snprintf(why, INPUT_WHY, "%.200s: could not be read", path);
    status = LBP_E_FILE;
  } else if (k < count || !feof(file)) {
    snprintf(why, INPUT_WHY, "%.200s: expected exactly %lu zeros and ones, %s %lu", path, (unsigned long)count,
             k < count ? "found" : "there is more after", (unsigned long)k);
    status = LBP_E_FORMAT;
  }
  (void)fclose(file);
  return status;
}

/* The numbers of a file in new memory, which instance_made frees, or NULL and a status. */
LBP_FN double *instance_new_numbers(const char *path, size_t count, int *status, char *why) {
  double *numbers = (double *)calloc(count, sizeof *numbers);
  *status = numbers ? input_numbers(path, count, numbers, why) : input_judge(LBP_E_MEMORY, path, why);
  if (*status == LBP_OK) return numbers;
  free(numbers);
  return NULL;
}

LBP_FN int instance_made(int status, double *numbers, const char *path, char *why) {
  free(numbers);
  return input_judge(status, path, why);
}

LBP_FN int instance_bernoulli(lbp_bernoulli *m, const char *path, uint32_t n, char *why) {
  int status;
  double *p = instance_new_numbers(path, n, &status, why);
  memset(m, 0, sizeof *m);
  return p ? instance_made(lbp_bernoulli_init(m, n, p), p, path, why) : status;
}

/* side x side, with the coupling of the configuration. */
LBP_FN int instance_ising(lbp_ising *m, const char *path, uint32_t side, int config, char *why) {
  int status;
  double *alpha = instance_new_numbers(path, (size_t)side * side, &status, why);
  memset(m, 0, sizeof *m);
  if (!alpha) return status;
  return instance_made(lbp_ising_init(m, side, side, lbp_ising_coupling(config), alpha), alpha, path, why);
}

/* L steps of K chains, with the noise of the configuration. */
LBP_FN int instance_fhmm(lbp_fhmm *m, const char *path, uint32_t L, uint32_t K, int config, lbp_fhmm_law law,
                         char *why) {
  double a0, c;
  int status;
  double *numbers = instance_new_numbers(path, (size_t)K + 1 + L, &status, why);
  memset(m, 0, sizeof *m);
  lbp_fhmm_law_values(law, &a0, &c);
  if (!numbers) return status;
  status = lbp_fhmm_init(m, L, K, numbers, numbers[K], lbp_fhmm_noise(config), numbers + K + 1, a0, c);
  return instance_made(status, numbers, path, why);
}

#endif /* INSTANCES_H */
