/* Whose files they are: two runs never write the same ones, in one process or in two, whatever locks the file system
 * has; and a run overwrites no file but its own, follows no link that somebody has put there, and waits for no pipe. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <errno.h>
#include <fcntl.h>

/* What fcntl does: all it can, locks of processes alone, or none. */
enum { LOCKS_ALL, LOCKS_OLD, LOCKS_NONE };
static int locks;

static int own_fcntl(int file, int command, struct flock *lock) {
  const int old = command == F_SETLK || command == F_GETLK;
  if (locks == LOCKS_NONE || (locks == LOCKS_OLD && !old)) {
    errno = locks == LOCKS_NONE ? ENOLCK : EINVAL;
    return -1;
  }
  return fcntl(file, command, lock);
}

#define fcntl(...) own_fcntl(__VA_ARGS__)
#include "../lbp_run.h"
#undef fcntl

#include <sys/stat.h>
#include <sys/wait.h>
#if defined _OPENMP
#include <omp.h>
#endif

#include "run_files.h"
#include "test.h"
#include "toy.h"

#define LBP_NAME           walk
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

enum { N = 6, DRAWS = 200, CHAINS = 2 };

static toy model;
static char run_prefix[128], run_checkpoint[128];

static lbp_run small_run(const char *prefix, const char *checkpoint) {
  lbp_run run;
  lbp_run_init(&run);
  run.chains = CHAINS;
  run.warmup = 20;
  run.draws = DRAWS;
  run.check_trials = 0;
  run.prefix = prefix;
  run.checkpoint = checkpoint;
  return run;
}

/* A run that ends with this status, and a sentence that has these words. */
static void ends(const lbp_run *run, int status, const char *words) {
  lbp_run_result result;
  CHECK(walk_run(run, &model, N, &result) == status);
  if (words && !strstr(result.message, words)) printf("%s\nis not: %s\n", result.message, words);
  CHECK(!words || strstr(result.message, words));
  lbp_run_free(&result);
}

/* ---- two runs ---------------------------------------------------------------------------------------------------- */

/* A search that is refused so, if it writes its best states. */
static void searches(const lbp_run *like) {
  lbp_run_result result;
  lbp_run run = *like;
  run.annealing.sweeps = 5;
  run.best_states = 1;
  CHECK(walk_anneal(&run, &model, N, &result) == LBP_E_FILE && strstr(result.message, "is being written by another run"));
  lbp_run_free(&result);
}

/* In the midst of a run: others of this process, by any way to a refusal, and then one of another process. */
typedef struct {
  const char *prefix, *checkpoint;
  int forgets;  /* the list, as another shared library would not have it */
  int others;   /* whether another process is refused, too */
  int done;
} second;

static void try_second(const second *it) {
  lbp_run run = small_run(it->prefix, it->checkpoint);
  lbp_p_claim *first = lbp_p_run_claims_2.first;
  int k, status = -1;
  pid_t child;
  for (k = 0; k < 2; k++) {
    if (it->forgets) lbp_p_run_claims_2.first = NULL;
    ends(&run, LBP_E_FILE, "is being written by another run of this process");
    if (it->prefix && !it->forgets) searches(&run);
    lbp_p_run_claims_2.first = first;
  }
  run.metric = in_folder("not there"); /* refused for another reason, too */
  ends(&run, LBP_E_FILE, NULL);
  run.metric = NULL;
  run.chains = 0;
  ends(&run, LBP_E_RANGE, NULL);
  if (!it->others) return;
  run = small_run(it->prefix, it->checkpoint);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    lbp_run_result result;
    int other;
    alarm(10); /* libgomp's threads do not survive a fork: a run that is not refused would hang */
    other = walk_run(&run, &model, N, &result);
    _exit(other == LBP_E_FILE && strstr(result.message, "another run (process ") ? 0 : 1);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static double intrude(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  second *it = (second *)(uintptr_t)column->data;
  int first = 0;
#if defined _OPENMP
#pragma omp critical(second)
#endif
  first = !it->done++;
  if (first) try_second(it);
  return x[0] + 0.0 * n;
}

/* The run is left with its files as if nothing had happened, and its locks are gone. */
static void check_second(int kind, int name, int forgets) {
  second it = {NULL, NULL, 0, 0, 0};
  lbp_run_column column = {"intrude", intrude, NULL, 0};
  char prefix[256], checkpoint[256], *text, path[300];
  lbp_run run;
  long size;
  snprintf(prefix, sizeof prefix, "%s", in_folder("twice"));
  snprintf(checkpoint, sizeof checkpoint, "%s", name == 2 ? prefix : in_folder("twice.ckpt"));
  locks = kind;
  it.prefix = name == 1 ? NULL : prefix;
  it.checkpoint = name == 0 ? NULL : checkpoint;
  it.forgets = forgets;
  it.others = kind != LOCKS_NONE;
  column.data = &it;
  run = small_run(prefix, checkpoint);
  run.column = &column;
  run.columns = 1;
  ends(&run, LBP_OK, NULL);
  CHECK(it.done > DRAWS);
  snprintf(path, sizeof path, "%s_1.csv", prefix);
  text = content(path, &size);
  CHECK(text && strstr(text, "Elapsed Time"));
  free(text);
  snprintf(path, sizeof path, "%s.lock", prefix);
  CHECK(access(path, F_OK) != 0 && !lbp_p_run_claims_2.first && lbp_p_run_claims_2.owner == 0);
  remove(checkpoint);
  remove_all(prefix, CHAINS);
  locks = LOCKS_ALL;
}

/* A process that is forked during a run is refused what that writes; if it outlives the run, it keeps no lock. */
static int refused[2];

static double fork_one(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  pid_t *child = (pid_t *)(uintptr_t)column->data;
#if defined _OPENMP
#pragma omp critical(second)
#endif
  if (*child == 0) {
    char byte = 0;
    fflush(stdout);
    *child = fork();
    if (*child == 0) {
      lbp_run run = small_run(in_folder("forked"), NULL);
      lbp_run_result result;
      alarm(10);
      lbp_p_run_claims_2.owner = getppid(); /* as if forked while a thread looked at the list */
      if (walk_run(&run, &model, N, &result) != LBP_E_FILE || write(refused[1], "x", 1) != 1) _exit(1);
      alarm(0);
      pause();
      _exit(2);
    }
    close(refused[1]);
    CHECK(read(refused[0], &byte, 1) == 1 && byte == 'x');
    close(refused[0]);
  }
  return x[0] + 0.0 * n;
}

static void test_fork(void) {
  pid_t child = 0;
  lbp_run_column column = {"fork", fork_one, NULL, 0};
  lbp_run run = small_run(in_folder("forked"), NULL);
  int status = 0;
  CHECK(pipe(refused) == 0);
  column.data = &child;
  run.column = &column;
  run.columns = 1;
  ends(&run, LBP_OK, NULL);
  CHECK(child > 0 && waitpid(child, &status, WNOHANG) == 0);
  run = small_run(in_folder("forked"), NULL);
  ends(&run, LBP_OK, NULL);
  CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
  remove_all(in_folder("forked"), CHAINS);
}

/* Threads that begin at the same time: what one has written is whole, the other is refused or comes later. */
static void test_threads(int kind) {
#if defined _OPENMP
  int k, refused = 0;
  locks = kind;
  for (k = 0; k < 20 || (refused == 0 && k < 500); k++) { /* on a busy machine they seldom meet */
    int status[2] = {-1, -1};
#pragma omp parallel num_threads(2)
    {
      const int me = omp_get_thread_num();
      lbp_run run = small_run(in_folder("threads"), NULL);
      lbp_run_result result;
      run.seed = (uint64_t)me + 1;
      run.draws = DRAWS * (uint64_t)(me + 1);
#pragma omp barrier
      status[me] = walk_run(&run, &model, N, &result);
      lbp_run_free(&result);
    }
    refused += status[0] == LBP_E_FILE || status[1] == LBP_E_FILE;
    CHECK(status[0] == LBP_OK || status[1] == LBP_OK);
    CHECK(status[0] == LBP_OK || status[0] == LBP_E_FILE);
    CHECK(status[1] == LBP_OK || status[1] == LBP_E_FILE);
    { /* the files are of one run */
      long rows[CHAINS] = {0}, seed[CHAINS] = {0}, chain;
      for (chain = 0; chain < CHAINS; chain++) {
        long size;
        char *text = content(in_folder(chain ? "threads_2.csv" : "threads_1.csv"), &size), *at;
        CHECK(text && strstr(text, "Elapsed Time"));
        for (at = text; at && *at; at = strchr(at, '\n') + 1) {
          rows[chain] += *at != '#' && *at != 'l';
          if (strncmp(at, "#   seed = ", 11) == 0) seed[chain] = atol(at + 11);
        }
        free(text);
        CHECK(rows[chain] == DRAWS * seed[chain]);
      }
      CHECK(seed[0] == seed[1] && status[seed[0] - 1] == LBP_OK);
    }
  }
  CHECK(refused > 0);
  locks = LOCKS_ALL;
  remove_all(in_folder("threads"), CHAINS);
#else
  (void)kind;
#endif
}

/* ---- other files ------------------------------------------------------------------------------------------------- */

enum { LINK, HARD_LINK, PIPE, FOLDER, KINDS };

static void plant(const char *path, int kind) {
  remove(path);
  if (kind == LINK) CHECK(symlink(in_folder("victim"), path) == 0);
  if (kind == HARD_LINK) CHECK(link(in_folder("victim"), path) == 0);
  if (kind == PIPE) CHECK(mkfifo(path, 0666) == 0);
  if (kind == FOLDER) CHECK(mkdir(path, 0777) == 0);
}

static int is_victim_well(void) {
  long size;
  char *text = content(in_folder("victim"), &size);
  const int well = text && size == 6 && memcmp(text, "mine!\n", 6) == 0;
  free(text);
  return well;
}

/* Whatever has the name of a file that a run writes: it is left alone, or the run refuses it. A link may go. */
static void test_planted(void) {
  static const struct {
    const char *name;
    int status[KINDS];
  } planted[] = {
      {"run.ckpt.new", {LBP_OK, LBP_OK, LBP_OK, LBP_E_FILE}},
      {"run_config.json.new", {LBP_OK, LBP_OK, LBP_OK, LBP_E_FILE}},
      {"run_metric.json.new", {LBP_OK, LBP_OK, LBP_OK, LBP_E_FILE}},
      {"run_1.csv", {LBP_E_FILE, LBP_OK, LBP_E_FILE, LBP_E_FILE}},
      {"run_2_states.npy", {LBP_E_FILE, LBP_OK, LBP_E_FILE, LBP_E_FILE}},
      {"run_3.csv", {LBP_OK, LBP_OK, LBP_OK, LBP_OK}}, /* of a chain that this run has not */
      {"run.lock", {LBP_E_FILE, LBP_E_FILE, LBP_E_FILE, LBP_E_FILE}},
      {"run.ckpt.lock", {LBP_E_FILE, LBP_E_FILE, LBP_E_FILE, LBP_E_FILE}},
      {"run.ckpt", {LBP_E_FORMAT, LBP_E_FORMAT, LBP_E_FILE, LBP_E_FILE}},
  };
  lbp_run run = small_run(run_prefix, run_checkpoint);
  size_t k;
  int kind;
  run.save_states = LBP_STATES_NPY;
  write_file(in_folder("victim"), "mine!\n", 6);
  for (k = 0; k < sizeof planted / sizeof planted[0]; k++) {
    for (kind = 0; kind < KINDS; kind++) {
      const char *path = in_folder(planted[k].name);
      struct stat info;
      plant(path, kind);
      alarm(60); /* a pipe that is waited for */
      ends(&run, planted[k].status[kind], planted[k].status[kind] ? planted[k].name : NULL);
      alarm(0);
      CHECK(is_victim_well());
      if (planted[k].status[kind] != LBP_OK) CHECK(lstat(path, &info) == 0); /* it is still there */
      remove(path);
      remove(run_checkpoint);
      remove_all(run_prefix, CHAINS);
    }
  }
}

/* The same where a run goes on: its files of draws have become something else. */
static void test_planted_later(void) {
  static const char *const name[2] = {"run_1.csv", "run_2_states.npy"};
  int k, kind;
  for (k = 0; k < 2; k++) {
    for (kind = 0; kind < KINDS; kind++) {
      lbp_run run = small_run(run_prefix, run_checkpoint);
      run.save_states = LBP_STATES_NPY;
      ends(&run, LBP_OK, NULL);
      plant(in_folder(name[k]), kind);
      run.draws = 2 * DRAWS;
      alarm(60);
      ends(&run, kind == HARD_LINK ? LBP_E_FORMAT : LBP_E_FILE, name[k]);
      alarm(0);
      CHECK(is_victim_well());
      remove(in_folder(name[k]));
      remove(run_checkpoint);
      remove_all(run_prefix, CHAINS);
    }
  }
}

/* A checkpoint or metric may be read by a link, but not from a pipe. A lock file that a run has left is taken over, but
 * not a file of somebody else's that is called so. */
static void test_named(void) {
  lbp_run run = small_run(run_prefix, run_checkpoint);
  ends(&run, LBP_OK, NULL);
  CHECK(rename(run_checkpoint, in_folder("kept")) == 0 && symlink("kept", run_checkpoint) == 0);
  run.draws = 2 * DRAWS;
  ends(&run, LBP_OK, NULL);
  run.checkpoint = NULL;
  CHECK(symlink("run_metric.json", in_folder("link")) == 0);
  run.metric = in_folder("link");
  ends(&run, LBP_OK, NULL);
  run.metric = in_folder("pipe");
  CHECK(mkfifo(run.metric, 0666) == 0);
  alarm(60);
  ends(&run, LBP_E_FILE, "not a regular file");
  alarm(0);
  run.metric = NULL;
  write_file(in_folder("run.lock"), "lbp run, process 1\n", 19);
  ends(&run, LBP_OK, NULL);
  CHECK(access(in_folder("run.lock"), F_OK) != 0);
  write_file(in_folder("run.lock"), "lbp ru", 6); /* a disk that was full */
  ends(&run, LBP_OK, NULL);
  write_file(in_folder("run.lock"), "[[package]]\n", 12);
  ends(&run, LBP_E_FILE, "not a run's lock file");
  CHECK(access(in_folder("run.lock"), F_OK) == 0);
  remove(in_folder("run.lock"));
  remove(in_folder("link"));
  remove(in_folder("pipe"));
  remove(in_folder("kept"));
  remove(run_checkpoint);
  remove_all(run_prefix, CHAINS);
}

int main(void) {
  int name, kind;
  CHECK(make_folder());
  snprintf(run_prefix, sizeof run_prefix, "%s/run", folder);
  snprintf(run_checkpoint, sizeof run_checkpoint, "%s/run.ckpt", folder);
  model = toy_make(N, 0.75, 0, 5);
  for (name = 0; name < 3; name++) { /* of prefix, checkpoint, and both, which are the same */
    for (kind = LOCKS_ALL; kind <= LOCKS_NONE; kind++) check_second(kind, name, 0);
#if defined __linux__
    check_second(LOCKS_ALL, name, 1);
#endif
  }
  test_fork();
  for (kind = LOCKS_ALL; kind <= LOCKS_NONE; kind++) test_threads(kind);
  test_planted();
  test_planted_later();
  test_named();
  remove(in_folder("victim"));
  CHECK(rmdir(folder) == 0);
  return test_report();
}
