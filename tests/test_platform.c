/* Differences between POSIX and Windows, lbp/base/platform.h, and runs over it: names in UTF-8, with blanks,
 * and longer than Windows's old limit; new files, links, locks, a file replaced while others read it; bytes as they
 * are; clocks and threads. Also run by windows.sh, under Wine. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "../lbp_run.h"

#include "run_files.h"
#include "test.h"
#include "toy.h"

#define LBP_NAME           walk
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#include "../lbp_run.h"

#if LBP_P_WINDOWS
#include <direct.h>
#define mkdir(path, mode) _mkdir(path)
#define rmdir             _rmdir
#endif

/* "ue 日本 x", letters of one, two and three bytes, and blanks. */
#define NAME "\xc3\xbc \xe6\x97\xa5\xe6\x9c\xac x"
static const char lines[] = "one\ntwo\r\n\x1a three\n"; /* what text mode would change, or end at */

static int put(const char *path, unsigned how, const char *text) {
  const int file = lbp_file_open(path, how);
  const int ok = file >= 0 && lbp_file_write(file, text, strlen(text));
  return file >= 0 && lbp_file_close(file) == 0 && ok;
}

static int holds(const char *path, const char *text) {
  char buffer[256];
  const int file = lbp_file_open(path, LBP_FILE_READ);
  int64_t length = 0, part;
  if (file < 0) return 0;
  while ((part = lbp_file_read(file, buffer + length, sizeof buffer - (size_t)length)) > 0) length += part;
  lbp_file_close(file);
  return part == 0 && (size_t)length == strlen(text) && memcmp(buffer, text, (size_t)length) == 0;
}

static void check_files(const char *path, const char *other) {
  lbp_file_info info, same;
  int file, reader;
  char word[4] = "";
  CHECK(lbp_file_open(path, LBP_FILE_READ) < 0 && errno == ENOENT);
  CHECK(lbp_file_look(path, 0, &info) != 0 && errno == ENOENT);
  CHECK(lbp_file_remove(path) != 0 && errno == ENOENT);
  CHECK(put(path, LBP_FILE_WRITE | LBP_FILE_NEW, lines) && holds(path, lines));
  CHECK(lbp_file_open(path, LBP_FILE_WRITE | LBP_FILE_NEW) < 0 && errno == EEXIST);
  CHECK(put(path, LBP_FILE_APPEND, "end\n"));
  CHECK(lbp_file_look(path, 0, &info) == 0 && info.regular && info.names == 1 && info.bytes == strlen(lines) + 4);
  file = lbp_file_open(path, LBP_FILE_READ | LBP_FILE_WRITE | LBP_FILE_CREATE); /* it is there, and stays */
  CHECK(file >= 0 && lbp_file_describe(file, &same) == 0 && same.bytes == info.bytes);
  CHECK(same.device == info.device && same.number == info.number);
  CHECK(lbp_file_cut(file, 7) == 0 && lbp_file_seek(file, 4) == 0 && lbp_file_write(file, "2", 1));
  CHECK(lbp_file_seek(file, 3) == 0 && lbp_file_read(file, word, 3) == 3 && memcmp(word, "\n2w", 3) == 0);
  CHECK(lbp_file_close(file) == 0 && holds(path, "one\n2wo"));
  file = lbp_file_open(path, LBP_FILE_FLUSH);
  CHECK(file >= 0 && lbp_file_flush(file) == 0 && lbp_file_close(file) == 0);
  CHECK(put(other, LBP_FILE_WRITE | LBP_FILE_NEW, "fresh") && lbp_file_replace(other, path) == 0);
  lbp_file_flush_folder(path);
  CHECK(holds(path, "fresh") && lbp_file_look(other, 0, &info) != 0);
  reader = lbp_file_open(path, LBP_FILE_READ); /* who reads a file does not keep its name from being removed */
  CHECK(reader >= 0 && lbp_file_remove(path) == 0 && lbp_file_read(reader, word, 3) == 3 && word[0] == 'f');
#if !LBP_P_WINDOWS /* Wine does not report it */
  CHECK(lbp_file_describe(reader, &info) == 0 && info.names == 0);
#endif
  lbp_file_close(reader);
  CHECK(lbp_file_look(path, 0, &info) != 0);
}

static void check_odd(const char *path) {
  lbp_file_info info;
  const int file = lbp_file_open(folder, LBP_FILE_READ);
  CHECK(lbp_file_look(folder, 0, &info) == 0 && !info.regular);
  CHECK(file >= 0 && lbp_file_describe(file, &info) == 0 && !info.regular);
  if (file >= 0) lbp_file_close(file);
  CHECK(lbp_file_remove(folder) != 0);
#if LBP_P_WINDOWS
  CHECK(lbp_file_open("bad \xff name", LBP_FILE_WRITE | LBP_FILE_NEW) < 0 && errno == EILSEQ);
  CHECK(lbp_file_look("NUL", 0, &info) != 0 || !info.regular);
  (void)path;
#else
  CHECK(put(in_folder("aim"), LBP_FILE_WRITE | LBP_FILE_NEW, "aim") && symlink(in_folder("aim"), path) == 0);
  CHECK(lbp_file_open(path, LBP_FILE_READ) < 0 && errno == ELOOP);
  CHECK(lbp_file_open(path, LBP_FILE_WRITE | LBP_FILE_NEW) < 0 && errno == EEXIST);
  CHECK(lbp_file_look(path, 0, &info) == 0 && !info.regular);
  CHECK(lbp_file_look(path, LBP_FILE_FOLLOW, &info) == 0 && info.regular && info.bytes == 3);
  CHECK(lbp_file_remove(path) == 0 && holds(in_folder("aim"), "aim") && lbp_file_remove(in_folder("aim")) == 0);
#endif
}

static void check_locks(const char *path) {
  const int one = lbp_file_open(path, LBP_FILE_READ | LBP_FILE_WRITE | LBP_FILE_CREATE);
  const int two = lbp_file_open(path, LBP_FILE_READ | LBP_FILE_WRITE | LBP_FILE_CREATE);
  char word[4];
  CHECK(one >= 0 && two >= 0 && lbp_file_write(one, "me", 2));
  CHECK(!lbp_file_lock(one));
#if LBP_P_WINDOWS || defined __linux__ /* locks of descriptors, not of processes */
  CHECK(lbp_file_lock(two));
  CHECK(lbp_file_read(two, word, 3) == 2); /* others read whose it is */
  lbp_file_unlock(one);
  CHECK(!lbp_file_lock(two));
#else
  (void)word;
#endif
  lbp_file_close(one);
  lbp_file_close(two);
  CHECK(lbp_file_remove(path) == 0);
}

/* A thread counts, under its lock, until it is told to end. */
typedef struct {
  lbp_thread thread;
  int count, end;
} counting;

static void count(void *data) {
  counting *c = (counting *)data;
  int end = 0;
  while (!end) {
    lbp_thread_lock(&c->thread);
    c->count++;
    end = c->end;
    lbp_thread_unlock(&c->thread);
  }
}

static void check_threads(void) {
  static counting c;
  int k;
  lbp_thread_init(&c.thread);
  for (k = 0; k < 2; k++) {
    const double begin = lbp_run_now();
    c.count = c.end = 0;
    CHECK(lbp_thread_begin(&c.thread, count, &c) == 0);
    CHECK(!lbp_thread_await(&c.thread, 0.05));
    CHECK(lbp_run_now() - begin > 0.04 && lbp_run_now() - begin < 30);
    lbp_thread_lock(&c.thread);
    CHECK(c.count > 0);
    c.end = 1;
    lbp_thread_unlock(&c.thread);
    CHECK(lbp_thread_await(&c.thread, 30));
    lbp_thread_end(&c.thread);
    lbp_thread_end(&c.thread); /* nothing more */
  }
  lbp_thread_free(&c.thread);
}

static void check_time(void) {
  struct tm parts;
  lbp_process owner = 0;
  CHECK(lbp_time_parts(86400 * 365, &parts) && parts.tm_year == 71 && parts.tm_mon == 0 && parts.tm_hour == 0);
  lbp_turn_take(&owner);
  CHECK(owner == lbp_process_own() && owner > 0);
  lbp_turn_end(&owner);
  CHECK(owner == 0);
}

/* What is in a file, ended by a zero byte; its length, or -1. */
static int64_t load(const char *prefix, const char *rest, char *text, size_t room) {
  char path[1100];
  int64_t length = 0, part;
  int file;
  snprintf(path, sizeof path, "%s%s", prefix, rest);
  file = lbp_file_open(path, LBP_FILE_READ);
  if (file < 0) return -1;
  while ((part = lbp_file_read(file, text + length, room - 1 - (size_t)length)) > 0) length += part;
  text[length] = '\0';
  lbp_file_close(file);
  return length;
}

static int drop(const char *prefix, const char *rest) {
  char path[1100];
  snprintf(path, sizeof path, "%s%s", prefix, rest);
  return lbp_file_remove(path) == 0;
}

/* A run whose files have this prefix: refused while another one has its lock, then cut off after every step and
 * resumed. Its files are those of one in one piece. */
static void check_run(const char *prefix, const char *whole) {
  static const char *const csv[] = {"_1.csv", "_2.csv"}, *const npy[] = {"_1_states.npy", "_2_states.npy"};
  static char checkpoint[1024], lock[1024], text[2][65536];
  const lbp_kernel kernel = walk_kernel();
  const toy model = toy_make(6, 0.75, 0, 5);
  lbp_run_result result;
  lbp_run run;
  uint32_t calls = 0;
  int file, k;
  lbp_run_init(&run);
  run.chains = 2, run.warmup = 50, run.draws = 200, run.check_trials = 0, run.save_states = LBP_STATES_NPY, run.digits = 17;
  run.prefix = whole;
  CHECK(lbp_run_kernel(&run, &kernel, &model, 6, &result) == LBP_OK);
  lbp_run_free(&result);
  snprintf(checkpoint, sizeof checkpoint, "%s.ckpt", prefix);
  snprintf(lock, sizeof lock, "%s.lock", prefix);
  run.prefix = prefix;
  run.checkpoint = checkpoint;
  run.seconds = 1e-9;
#if LBP_P_WINDOWS || defined __linux__
  file = lbp_file_open(lock, LBP_FILE_READ | LBP_FILE_WRITE | LBP_FILE_CREATE);
  CHECK(file >= 0 && !lbp_file_lock(file) && lbp_file_write(file, "lbp run, process 7\n", 19));
  CHECK(lbp_run_kernel(&run, &kernel, &model, 6, &result) == LBP_E_FILE);
  CHECK(strstr(result.message, "is being written by another run (process 7)") != NULL);
  lbp_run_free(&result);
  lbp_file_close(file);
#endif
  do {
    CHECK(lbp_run_kernel(&run, &kernel, &model, 6, &result) == LBP_OK);
    if (result.status != LBP_OK) printf("%s\n", result.message);
    lbp_run_free(&result);
  } while (result.ended == LBP_END_OUT_OF_TIME && ++calls < 1000);
  CHECK(calls > 20 && result.ended == LBP_END_COMPLETE);
  file = lbp_file_open(lock, LBP_FILE_READ);
  CHECK(file < 0 && errno == ENOENT);
  for (k = 0; k < 2; k++) {
    CHECK(load(prefix, csv[k], text[0], sizeof text[0]) > 1000 && load(whole, csv[k], text[1], sizeof text[1]) > 1000);
    CHECK(same_text(text[0], text[1]) && !strchr(text[0], '\r'));
    CHECK(load(prefix, npy[k], text[0], sizeof text[0]) == 128 + 200);
    CHECK(load(whole, npy[k], text[1], sizeof text[1]) == 128 + 200);
    CHECK(memcmp(text[0], text[1], 328) == 0);
    CHECK(drop(prefix, csv[k]) && drop(whole, csv[k]) && drop(prefix, npy[k]) && drop(whole, npy[k]));
  }
  CHECK(drop(prefix, "_config.json") && drop(whole, "_config.json") && drop(prefix, ".ckpt"));
  CHECK(drop(prefix, "_metric.json") && drop(whole, "_metric.json"));
}

int main(int argc, char **argv) {
  char path[1024];
  if (argc > 1 && strcmp(argv[1], "leave") == 0) return !put(NAME, LBP_FILE_WRITE | LBP_FILE_NEW, "here"); /* a name */
  CHECK(make_folder());
  check_time();
  check_threads();
  check_files(in_folder("a"), in_folder("b"));
  check_files(in_folder(NAME), in_folder(NAME ".new"));
  if (argc > 1) { /* a folder whose path is long */
    snprintf(path, sizeof path, "%s/a", argv[1]);
    check_files(path, in_folder("b"));
  }
  check_odd(in_folder("link"));
  check_locks(in_folder(NAME ".lock"));
  check_run(in_folder(NAME), in_folder("whole"));
  CHECK(rmdir(folder) == 0);
  return test_report();
}
