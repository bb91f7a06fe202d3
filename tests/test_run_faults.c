/* lbp_run.h where the system fails: every allocation and every call on a file, each once. The run must report it and
 * free all back; run again, it must go on and end with the same draws. The clock is this file's own, and goes on a
 * little whenever it is looked at, so that progress is reported and checkpoints are due. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../lbp.h"

/* ---- calls that fail when it is their turn ----------------------------------------------------------------------- */

static long calls_left;   /* until the one that fails; negative: none does */
static int failed_errno;  /* what it says */
static const char *failed; /* which it was, if it has been its turn */
static long held;         /* pieces of memory and files that have not been given back */
static double seconds;    /* the clock */
static int unsynced;      /* whether something was written that is not on the disk yet */
static int hasty;         /* checkpoints that got their name before they were on the disk */

static int fails(const char *what) {
  if (calls_left < 0 || calls_left-- > 0) return 0;
  failed = what;
  errno = failed_errno;
  return 1;
}

static void *faulty_calloc(size_t count, size_t size) {
  if (fails("calloc")) return NULL;
  held++;
  return calloc(count, size);
}

static void *faulty_realloc(void *memory, size_t size) {
  if (fails("realloc")) return NULL;
  held += memory == NULL;
  return realloc(memory, size);
}

static void faulty_free(void *memory) {
  held -= memory != NULL;
  free(memory);
}

static int faulty_open(const char *path, int flags, ...) {
  const int file = fails(path[strlen(path) - 1] == '/' ? "open a folder" : "open") ? -1 : open(path, flags, 0666);
  held += file >= 0;
  return file;
}

static int faulty_close(int file) { /* closed all the same, as on Linux */
  const int status = close(file);
  held--;
  return fails("close") ? -1 : status;
}

/* Some writes, and reads, are cut short. */
static ssize_t faulty_write(int file, const void *data, size_t bytes) {
  static int turn;
  if (fails("write")) return -1;
  unsynced = 1;
  turn = (turn + 1) % 5;
  return write(file, data, turn == 0 && bytes > 3 ? bytes / 2 : bytes);
}

static ssize_t faulty_read(int file, void *data, size_t bytes) {
  static int turn;
  turn = (turn + 1) % 5;
  if (fails("read")) return failed_errno ? -1 : 0; /* 0: the file has ended */
  return read(file, data, turn == 0 && bytes > 3 ? bytes / 2 : bytes);
}

static int faulty_fsync(int file) {
  struct stat info;
  const int is_folder = fstat(file, &info) == 0 && S_ISDIR(info.st_mode);
  if (fails(is_folder ? "fsync a folder" : "fsync")) return -1;
  if (!is_folder) unsynced = 0;
  return fsync(file);
}
static int faulty_fstat(int file, struct stat *info) { return fails("fstat") ? -1 : fstat(file, info); }
static int faulty_stat(const char *path, struct stat *info) { return fails("stat") ? -1 : stat(path, info); }
static int faulty_rename(const char *from, const char *to) {
  hasty += unsynced;
  return fails("rename") ? -1 : rename(from, to);
}
static off_t faulty_lseek(int file, off_t at, int from) { return fails("lseek") ? -1 : lseek(file, at, from); }
static int faulty_ftruncate(int file, off_t size) { return fails("ftruncate") ? -1 : ftruncate(file, size); }

static int own_clock(clockid_t which, struct timespec *t) {
  (void)which;
  seconds += 0.02; /* at a few looks of each pause, so that these are far apart */
  t->tv_sec = (time_t)seconds;
  t->tv_nsec = (long)((seconds - (double)t->tv_sec) * 1e9);
  return 0;
}

#include "../lbp_stats.h" /* not this one */

/* with arguments: some are names of types and members, too */
#define calloc(...)    faulty_calloc(__VA_ARGS__)
#define malloc(...)    malloc_is_not_watched_here(__VA_ARGS__)
#define realloc(...)   faulty_realloc(__VA_ARGS__)
#define free(...)      faulty_free(__VA_ARGS__)
#define open(...)      faulty_open(__VA_ARGS__)
#define close(...)     faulty_close(__VA_ARGS__)
#define write(...)     faulty_write(__VA_ARGS__)
#define read(...)      faulty_read(__VA_ARGS__)
#define fsync(...)     faulty_fsync(__VA_ARGS__)
#define fstat(...)     faulty_fstat(__VA_ARGS__)
#define stat(...)      faulty_stat(__VA_ARGS__)
#define rename(...)    faulty_rename(__VA_ARGS__)
#define lseek(...)     faulty_lseek(__VA_ARGS__)
#define ftruncate(...) faulty_ftruncate(__VA_ARGS__)
#define clock_gettime(...) own_clock(__VA_ARGS__)
#define LBP_RUN_KEPT       64 /* small checkpoints */
#include "../lbp_run.h"

#include "toy.h"

static int make_fields(const toy *t, toy_fields *fields) {
  if (t->n != 6 || fails("LBP_FIELDS_MAKE")) return LBP_E_MEMORY;
  fields->saved[0] = 1;
  held++;
  return LBP_OK;
}

static void free_fields(toy_fields *fields) { held -= fields->saved[0] == 1; }

#define LBP_NAME          weak
#define LBP_MODEL_T       toy
#define LBP_DELTAS        toy_fields_deltas
#define LBP_DELTA         toy_fields_delta
#define LBP_LOGP          toy_fields_logp
#define LBP_FIELDS_T      toy_fields
#define LBP_FIELDS_INIT   toy_fields_set
#define LBP_FLIP          toy_fields_flip
#define LBP_FIELDS_MAKE   make_fields
#define LBP_FIELDS_FREE   free_fields
#define LBP_TEMPERED
#include "../lbp_run.h"

#undef calloc
#undef malloc
#undef realloc
#undef free
#undef open
#undef close
#undef write
#undef read
#undef fsync
#undef fstat
#undef stat
#undef rename
#undef lseek
#undef ftruncate
#undef clock_gettime

#include "test.h"

/* ---- runs -------------------------------------------------------------------------------------------------------- */

#if defined FAULTS_STEP
enum { STEP = FAULTS_STEP };
#elif defined API_QUICK
enum { STEP = 11 };
#else
enum { STEP = 7 }; /* prime to the 3 reasons below */
#endif
enum { N = 6, MOST = 1 << 20 };

static char folder[64];
static char prefix[80], checkpoint[80], checkpoint_new[80];
static FILE *told;

static lbp_run small_run(int kind) {
  lbp_run run;
  lbp_run_init(&run);
  run.chains = 2;
  run.tempering.rungs = kind % 2 ? 3 : 1;
  run.shared_tuner = kind == 2;
  run.marginals = kind == 0 ? LBP_MARGINALS_NONE : kind == 1 ? LBP_MARGINALS_CONDITIONAL : LBP_MARGINALS_COUNTED;
  run.save_states = kind == 1 ? LBP_STATES_CSV : LBP_STATES_NPY;
  run.warmup = 1100;
  run.draws = 2200; /* two places to be saved at beside the end */
  run.prefix = prefix;
  run.checkpoint = checkpoint;
  run.checkpoint_seconds = 0.5;
  run.progress = told;
  return run;
}

static size_t content(const char *path, char *bytes) {
  FILE *file = fopen(path, "rb");
  size_t size = 0;
  if (file) {
    size = fread(bytes, 1, MOST, file);
    fclose(file);
  }
  return size;
}

/* What a finished run has drawn: a hash of its files, without the lines that say how long it took. */
static uint64_t drawn(const lbp_run *run) {
  static char bytes[MOST + 1];
  uint64_t hash = LBP_P_HASH;
  uint32_t k;
  for (k = 0; k < 2 * run->chains; k++) {
    char path[128], *end;
    size_t size;
    snprintf(path, sizeof path, k % 2 ? "%s_%lu_states.npy" : "%s_%lu.csv", prefix, (unsigned long)k / 2 + 1);
    size = content(path, bytes);
    CHECK(size < MOST && (size > 100 || (k % 2 && run->save_states != LBP_STATES_NPY)));
    bytes[size] = 0;
    end = k % 2 ? NULL : strstr(bytes, "Elapsed Time");
    hash = lbp_runner_hash(hash, bytes, end ? (size_t)(end - bytes) : size);
  }
  return hash;
}

static void clean(const lbp_run *run) {
  uint32_t k;
  for (k = 0; k < 2 * run->chains; k++) {
    char path[128];
    snprintf(path, sizeof path, k % 2 ? "%s_%lu_states.npy" : "%s_%lu.csv", prefix, (unsigned long)k / 2 + 1);
    remove(path);
  }
  for (k = 0; k < 2; k++) {
    char path[128];
    snprintf(path, sizeof path, k ? "%s_metric.json" : "%s_config.json", prefix);
    remove(path);
  }
  remove(checkpoint);
}

/* The run again and again, another call failing each time. */
static void test_faults(int kind) {
  const toy t = toy_make(N, 0.75, 0, 5);
  const lbp_run run = small_run(kind);
  lbp_run_result result;
  uint64_t want;
  long k, failures = 0, passed_by = 0;
  calls_left = -1;
  clean(&run);
  CHECK(weak_run(&run, &t, N, &result) == LBP_OK && result.draws == run.draws);
  lbp_run_free(&result);
  CHECK(held == 0);
  want = drawn(&run);
  for (k = 0; k < 100000; k += STEP) {
    int status;
    clean(&run);
    failed = NULL;
    failed_errno = EIO;
    calls_left = k;
    status = weak_run(&run, &t, N, &result);
    calls_left = -1;
    if (status == LBP_OK && !failed) break; /* past the last call */
    if (status == LBP_OK) { /* no harm: a folder that can't be synced, a file closed that was read, or is on the disk */
      passed_by++;
      CHECK(strstr(failed, "folder") || strcmp(failed, "close") == 0);
      CHECK(drawn(&run) == want);
    } else {
      failures++;
      CHECK(status == result.status && strlen(result.message) > 20);
      CHECK(status == LBP_E_MEMORY || status == LBP_E_FILE);
    }
    lbp_run_free(&result);
    CHECK(access(checkpoint_new, F_OK) != 0);
    CHECK(held == 0);
    if (held != 0) printf("%s: %ld not given back\n", failed, held), held = 0;
    CHECK(weak_run(&run, &t, N, &result) == LBP_OK && result.draws == run.draws);
    lbp_run_free(&result);
    CHECK(drawn(&run) == want);
  }
  lbp_run_free(&result);
  CHECK(k < 100000 && failures > 100 / STEP && passed_by > 0 && passed_by < failures);
  clean(&run);
}

/* The same of a run that goes on: calls that a signal has interrupted, which are made again, disks that fail, and files
 * that end too early. */
static void test_faults_after(int kind) {
  static const int reasons[3] = {EINTR, EIO, 0};
  static char saved[MOST];
  const toy t = toy_make(N, 0.75, 0, 5);
  volatile sig_atomic_t stop = 1;
  lbp_run run = small_run(kind), part;
  lbp_run_result result;
  uint64_t want;
  size_t size;
  long k, interrupted = 0;
  calls_left = -1;
  clean(&run);
  CHECK(weak_run(&run, &t, N, &result) == LBP_OK);
  lbp_run_free(&result);
  want = drawn(&run);
  for (k = 0; k < 100000; k += STEP) {
    int status;
    clean(&run);
    part = run;
    part.warmup = run.warmup;
    part.stop = &stop;
    part.draws = 1100;
    CHECK(weak_run(&part, &t, N, &result) == LBP_OK && result.ended == LBP_END_STOPPED); /* at once */
    lbp_run_free(&result);
    size = content(checkpoint, saved);
    failed = NULL;
    failed_errno = reasons[k % 3];
    calls_left = k / 3;
    status = weak_run(&run, &t, N, &result);
    calls_left = -1;
    if (status == LBP_OK && !failed) break;
    interrupted += status == LBP_OK && result.resumed;
    CHECK(status == LBP_OK || strlen(result.message) > 20);
    if (strcmp(failed, "read") == 0 || strcmp(failed, "write") == 0) {
      CHECK(status == (failed_errno == EINTR                 ? LBP_OK
                       : failed_errno || *failed == 'w' ? LBP_E_FILE
                                                             : LBP_E_FORMAT));
    }
    lbp_run_free(&result);
    CHECK(held == 0 && size > 0);
    CHECK(weak_run(&run, &t, N, &result) == LBP_OK && result.draws == run.draws);
    lbp_run_free(&result);
    CHECK(drawn(&run) == want);
  }
  lbp_run_free(&result);
  CHECK(k < 100000 && interrupted > 20 / STEP);
  clean(&run);
}

/* Annealing needs memory only. */
static void test_annealing(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run run;
  lbp_ais_result result;
  long k;
  lbp_run_init(&run);
  run.chains = 3;
  run.tempering.rungs = 4;
  for (k = 0; k < 1000; k++) {
    int status;
    failed = NULL;
    calls_left = k;
    status = weak_ais(&run, &t, N, &result);
    calls_left = -1;
    lbp_ais_free(&result);
    CHECK(held == 0);
    if (status == LBP_OK) break;
    CHECK(status == LBP_E_MEMORY && result.status == status && strlen(result.message) > 10);
  }
  CHECK(k > 20 && k < 1000 && !failed);
}

int main(void) {
  int kind;
  snprintf(folder, sizeof folder, "%s/lbp-faults-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  CHECK(mkdtemp(folder) != NULL);
  snprintf(prefix, sizeof prefix, "%s/run", folder);
  snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint", folder);
  snprintf(checkpoint_new, sizeof checkpoint_new, "%s/checkpoint.new", folder);
  told = fopen("/dev/null", "w");
  for (kind = 0; kind < 3; kind++) test_faults(kind);
  for (kind = 0; kind < 3; kind++) test_faults_after(kind);
  test_annealing();
  CHECK(hasty == 0);
  fclose(told);
  CHECK(rmdir(folder) == 0);
  return test_report();
}
