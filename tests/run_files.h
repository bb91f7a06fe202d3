/* The files that runs of lbp_run.h write, in a folder of the test's own, and whether two runs have drawn the same; above
 * all one that is cut off and one that is not. */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static char folder[64];

#if defined _WIN32
#include <direct.h>
#include <io.h>
#include <time.h>
/* In this folder; in memory where that can be, as under Wine. */
LBP_FN int make_folder(void) {
  const char *where = _access("/dev/shm", 2) == 0 ? "/dev/shm/" : "";
  snprintf(folder, sizeof folder, "%slbp-run-%ld-%lld", where, (long)_getpid(), (long long)time(NULL));
  return _mkdir(folder) == 0;
}
#else
/* In memory where that can be: a checkpoint is synced to the disk that it is on. */
LBP_FN int make_folder(void) {
  snprintf(folder, sizeof folder, "%s/lbp-run-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  return mkdtemp(folder) != NULL;
}
#endif

LBP_FN const char *in_folder(const char *name) {
  static char path[8][256];
  static int turn;
  turn = (turn + 1) % 8;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

/* A file's content, ended by a zero byte. */
LBP_FN char *content(const char *path, long *size) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  *size = -1;
  if (!file) return NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (*size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
    text = (char *)calloc((size_t)*size + 1, 1);
    if (text && fread(text, 1, (size_t)*size, file) != (size_t)*size) *size = -1;
  }
  fclose(file);
  return text;
}

LBP_FN void write_file(const char *path, const char *data, long size) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(data, 1, (size_t)size, file) == (size_t)size);
  if (file) fclose(file);
}

/* The same but for the lines that say how long it took. */
LBP_FN int same_text(const char *a, const char *b) {
  while (*a && *b) {
    const char *next_a = strchr(a, '\n'), *next_b = strchr(b, '\n');
    const int timed = strncmp(a, "#  ", 3) == 0 && (strstr(a, "seconds") != NULL);
    if (!next_a || !next_b) return 0;
    if (!timed && (next_a - a != next_b - b || memcmp(a, b, (size_t)(next_a - a)) != 0)) return 0;
    a = next_a + 1;
    b = next_b + 1;
  }
  return !*a && !*b;
}

LBP_FN int same_draws(const char *a, const char *b, uint32_t chains, int npy) {
  int same = 1;
  uint32_t k;
  for (k = 1; k <= chains; k++) {
    char left[300], right[300], *one, *other;
    long size, other_size;
    snprintf(left, sizeof left, "%s_%lu.csv", a, (unsigned long)k);
    snprintf(right, sizeof right, "%s_%lu.csv", b, (unsigned long)k);
    one = content(left, &size);
    other = content(right, &other_size);
    same = same && one && other && size > 1000 && same_text(one, other);
    free(one);
    free(other);
    if (!npy) continue;
    snprintf(left, sizeof left, "%s_%lu_states.npy", a, (unsigned long)k);
    snprintf(right, sizeof right, "%s_%lu_states.npy", b, (unsigned long)k);
    one = content(left, &size);
    other = content(right, &other_size);
    same = same && one && other && size == other_size && size > 128 && memcmp(one, other, (size_t)size) == 0;
    free(one);
    free(other);
  }
  return same;
}

LBP_FN void remove_all(const char *prefix, uint32_t chains) {
  uint32_t k;
  for (k = 1; k <= chains; k++) {
    char path[300];
    snprintf(path, sizeof path, "%s_%lu.csv", prefix, (unsigned long)k);
    remove(path);
    snprintf(path, sizeof path, "%s_%lu_states.npy", prefix, (unsigned long)k);
    remove(path);
  }
  for (k = 0; k < 4; k++) {
    static const char *const name[] = {"config.json", "metric.json", "best.npy", "best.csv"};
    char path[300];
    snprintf(path, sizeof path, "%s_%s", prefix, name[k]);
    remove(path);
  }
}

LBP_FN void threads(int count) {
#if defined _OPENMP
  omp_set_num_threads(count);
#endif
  (void)count;
}

/* Whether chain 1's states have a head that NumPy reads. */
LBP_FN void check_npy(const char *prefix, const lbp_kernel *kernel, uint32_t draws, uint32_t n) {
  const uint32_t width = kernel->values == 2 ? (n + 7) / 8 : n; /* bits of a byte each */
  char path[300], type[16], shape[48], *text;
  long size;
  snprintf(path, sizeof path, "%s_1_states.npy", prefix);
  snprintf(type, sizeof type, "'%cu%lu'", kernel->item_bytes > 1 ? '<' : '|', (unsigned long)kernel->item_bytes);
  snprintf(shape, sizeof shape, "(%lu, %lu)", (unsigned long)draws, (unsigned long)width);
  text = content(path, &size);
  CHECK(text && size == 128 + (long)(draws * width * kernel->item_bytes));
  CHECK(text && strstr(text + 10, type) && strstr(text + 10, shape));
  free(text);
}

/* A run's draws in one piece on one thread, on four, and cut off after every step, in the warm-up too. Returns how often
 * it was cut off. */
LBP_FN uint32_t check_ways(lbp_run run, const lbp_kernel *kernel, const void *model, uint32_t n) {
  lbp_run_result result;
  uint32_t calls = 0;
  int way;
  run.digits = 17;
  run.save_states = LBP_STATES_NPY;
  for (way = 0; way < 3; way++) {
    run.prefix = in_folder(way == 0 ? "whole" : "part");
    run.checkpoint = way == 2 ? in_folder("part.ckpt") : NULL;
    run.seconds = way == 2 ? 1e-9 : 0; /* a step, after those that were done before */
    threads(way == 1 ? 4 : 1);
    do {
      CHECK(lbp_run_kernel(&run, kernel, model, n, &result) == LBP_OK);
      if (result.status != LBP_OK) printf("%s\n", result.message);
      CHECK(result.resumed == (calls > 0));
      lbp_run_free(&result);
    } while (result.ended == LBP_END_OUT_OF_TIME && ++calls < 1000);
    CHECK(result.ended == LBP_END_COMPLETE);
    if (way == 0) check_npy(run.prefix, kernel, (uint32_t)run.draws, n);
    else CHECK(same_draws(in_folder("whole"), run.prefix, run.chains, 1));
    if (way > 0) remove_all(run.prefix, run.chains);
  }
  remove(run.checkpoint);
  remove_all(in_folder("whole"), run.chains);
  threads(1);
  return calls;
}

#endif
