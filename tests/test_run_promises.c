/* Promises of lbp_run.h besides the law: the time is kept to, whatever a step costs, and draws do not depend on where a
 * run was cut off; nobody else writes its files; a checkpoint of another model, a fault of the model, impossible states
 * and chains that have not converged are found and reported. Times are allowed a second and a half more, for a busy
 * machine; statistical checks six standard errors, a false alarm in 10^-7 runs. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "../lbp_run.h"

#if !LBP_P_WINDOWS
#include <sys/wait.h>
#endif
#if defined _OPENMP
#include <omp.h>
#endif

#include "drift.h"
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

static void drift_deltas(const toy *t, drifting *f, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < t->n; i++) out[i] = drift_delta(t, f, x, i);
}

#define LBP_NAME           drift
#define LBP_MODEL_T        toy
#define LBP_DELTA          drift_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           drift_logp
#define LBP_FIELDS_T       drifting
#define LBP_FIELDS_INIT    drift_set
#define LBP_FLIP           drift_flip
#define LBP_TEMPERED
#define LBP_SORT_ABOVE     0 /* and the order of sorted sites depends on their past, too */
#include "../lbp_run.h"

#define LBP_NAME           drift_dense
#define LBP_MODEL_T        toy
#define LBP_DELTAS         drift_deltas
#define LBP_LOGP           drift_logp
#define LBP_FIELDS_T       drifting
#define LBP_FIELDS_INIT    drift_set
#define LBP_FLIP           drift_flip
#define LBP_TEMPERED
#include "../lbp_run.h"

/* Exactly one of n sites is 1: no single flip is possible. */
static void one_hot_deltas(const toy *t, const uint8_t *x, double *out) { (void)x, memset(out, 0, t->n * sizeof *out); }
static double one_hot_logp(const toy *t, const uint8_t *x) {
  uint32_t i, ones = 0;
  for (i = 0; i < t->n; i++) ones += x[i];
  return ones == 1 ? 0 : -HUGE_VAL;
}
static double one_hot_delta(const toy *t, const uint8_t *x, uint32_t i) { return (void)t, (void)x, (void)i, -HUGE_VAL; }

#define LBP_NAME    hot
#define LBP_MODEL_T toy
#define LBP_DELTA   one_hot_delta
#define LBP_DELTAS  one_hot_deltas
#define LBP_LOGP    one_hot_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

/* ---- a grid whose evaluations take as long as they are told ------------------------------------------------------ */

typedef struct {
  uint32_t n, side;
  double beta, seconds; /* per log-ratio */
} slow;

static double now(void) { return lbp_run_now(); }

static uint32_t slow_list(const slow *m, uint32_t i, uint32_t *out) {
  const uint32_t s = m->side, row = i / s, column = i % s;
  out[0] = row * s + (column + 1) % s;
  out[1] = row * s + (column + s - 1) % s;
  out[2] = (row + 1) % s * s + column;
  out[3] = (row + s - 1) % s * s + column;
  return 4;
}

static double slow_delta(const slow *m, const uint8_t *x, uint32_t i) {
  uint32_t list[4];
  const double until = m->seconds > 0 ? now() + m->seconds : 0;
  int up;
  slow_list(m, i, list);
  up = x[list[0]] + x[list[1]] + x[list[2]] + x[list[3]];
  while (m->seconds > 0 && now() < until) {
  }
  return (x[i] ? -4 : 4) * m->beta * (up - 2);
}

static double slow_logp(const slow *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    const uint32_t s = m->side, row = i / s, column = i % s;
    sum += x[i] == x[row * s + (column + 1) % s] ? m->beta : -m->beta;
    sum += x[i] == x[(row + 1) % s * s + column] ? m->beta : -m->beta;
  }
  return sum;
}

#define LBP_NAME           slow
#define LBP_MODEL_T        slow
#define LBP_DELTA          slow_delta
#define LBP_NEIGHBOURS     slow_list
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           slow_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

/* ---- a model that breaks ----------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t n, blind;  /* site 0's list lacks site 1 if blind */
  uint64_t *calls, most; /* NaN after so many log-ratios */
} broken;

static double broken_delta(const broken *m, const uint8_t *x, uint32_t i) {
  const int up = x[(i + 1) % m->n] + x[(i + m->n - 1) % m->n];
  const double nan = (double)HUGE_VAL - (double)HUGE_VAL;
  uint64_t call;
#if defined _OPENMP
#pragma omp atomic capture
#endif
  call = ++*m->calls;
  return call > m->most ? nan : (x[i] ? -1.0 : 1.0) * (up - 1);
}

static uint32_t broken_list(const broken *m, uint32_t i, uint32_t *out) {
  out[0] = (i + m->n - 1) % m->n;
  out[1] = (i + 1) % m->n;
  return m->blind && i == 0 ? 1 : 2;
}

static double broken_logp(const broken *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += x[i] == x[(i + 1) % m->n] ? 0.25 : -0.25;
  return sum;
}

#undef LBP_CHECKED
#define LBP_CHECKED        1
#define LBP_NAME           broken
#define LBP_MODEL_T        broken
#define LBP_DELTA          broken_delta
#define LBP_NEIGHBOURS     broken_list
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           broken_logp
#define LBP_TEMPERED
#include "../lbp_run.h"
#undef LBP_CHECKED
#define LBP_CHECKED 0

#ifdef API_QUICK /* under Valgrind, say */
enum { MORE = 1, SIDE = 100, SLACK = 20 };
#else
enum { MORE = 3, SIDE = 1000, SLACK = 1 };
#endif
enum { N = 8 };

/* ---- where a run is cut off -------------------------------------------------------------------------------------- */

typedef int (*runner)(const lbp_run *, const toy *, uint32_t, lbp_run_result *);

/* A run that gets no time at all takes a step in every call, and goes on from it: so it is cut off after each of its
 * steps, in the middle of draws, of segments and between swaps; the draws are those of one that was left alone. */
static void check_cut(runner go, lbp_run run, const char *what) {
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run_result whole, part;
  uint32_t calls = 0;
  int status, same;
  run.check_trials = 0; /* which would find that the fields drift */
  run.chains = 3;
  run.warmup = 2 + 6 * MORE;
  run.draws = 8 + 2 * MORE;
  run.prefix = in_folder("whole");
  status = go(&run, &t, N, &whole);
  CHECK(status == LBP_OK);
  if (status != LBP_OK) printf("%s: %s\n", what, whole.message);
  run.prefix = in_folder("part");
  run.checkpoint = in_folder("part.ckpt");
  run.checkpoint_seconds = 0;
  run.seconds = 1e-9;
  for (;;) {
#if defined _OPENMP
    omp_set_num_threads((int)(calls % 3) + 1);
#endif
    status = go(&run, &t, N, &part);
    if (status != LBP_OK || part.ended == LBP_END_COMPLETE || calls++ > 5000) break;
    CHECK(part.ended == LBP_END_OUT_OF_TIME);
    lbp_run_free(&part);
  }
  CHECK(status == LBP_OK && part.ended == LBP_END_COMPLETE);
  CHECK(calls >= run.draws && calls <= 5000);
  same = status == LBP_OK && same_draws(in_folder("whole"), in_folder("part"), 3, 0) && whole.rows == part.rows &&
         memcmp(&whole.row[0].mean, &part.row[0].mean, sizeof(double)) == 0 && whole.log_z == part.log_z &&
         memcmp(whole.best, part.best, 3 * N) == 0 && whole.accept == part.accept && whole.swaps[0] == part.swaps[0];
  CHECK(same);
  if (!same) printf("%s, sampler %d, R %g, %lu rungs, shared %d: cut off %lu times\n", what, run.sampler, run.parameter,
                    (unsigned long)run.tempering.rungs, run.shared_tuner, (unsigned long)calls);
  lbp_run_free(&whole);
  lbp_run_free(&part);
  remove(run.checkpoint);
  remove_all(in_folder("whole"), 3);
  remove_all(in_folder("part"), 3);
}

static void test_cut(void) {
  const lbp_kernel kernel = drift_kernel(), dense = drift_dense_kernel();
  lbp_run run;
  int k;
  for (k = 0; k < (int)kernel.samplers; k++) {
    lbp_run_init(&run);
    run.sampler = kernel.sampler[k].sampler;
    run.save_states = LBP_STATES_CSV;
    run.thin = 7;
    check_cut(drift_run, run, "each chain by itself");
    if (run.sampler != LBP_SAMPLER_RWM && lbp_kernel_sampler(&dense, run.sampler)) {
      check_cut(drift_dense_run, run, "dense");
    }
  }
  for (k = 0; k < 4; k++) {
    lbp_run_init(&run);
    run.save_states = LBP_STATES_CSV;
    run.thin = 6;
    run.shared_tuner = k % 2;
    run.tempering.rungs = k / 2 ? 3 : 1;
    run.tempering.swap_every = k / 2 ? 3 : 0;
    run.parameter = k == 2 ? 1 : 0;
    check_cut(k == 3 ? drift_dense_run : drift_run, run, "shared tuners, replicas");
  }
#if defined _OPENMP
  omp_set_num_threads(2);
#endif
}

/* ---- the time ---------------------------------------------------------------------------------------------------- */

static double begun, asked_after;
static volatile sig_atomic_t asked;
static double alarm_clock(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  (void)column, (void)n;
  if (now() > begun + asked_after) lbp_run_stop(&asked);
  return x[0];
}

/* `seconds` and `stop` are kept to, whatever n, sampler and cost. */
static void check_time(const char *what, slow m, lbp_run run) {
  const lbp_run_column column = {"alarm", alarm_clock, NULL, 0};
  lbp_run_result result;
  char *text;
  FILE *told;
  double took;
  long size;
  int kind;
  m.n = m.side * m.side;
  run.check_trials = 0;
  run.draws = 1000000000;
  for (kind = 0; kind < 2; kind++) {
    told = fopen(in_folder("told"), "wb");
    begun = now();
    asked_after = 0.3;
    asked = 0;
    run.progress = told;
    run.seconds = kind == 0 ? 0.3 : 0;
    run.stop = kind == 1 ? &asked : NULL;
    run.column = &column;
    run.columns = 1;
    CHECK(slow_run(&run, &m, m.n, &result) == LBP_OK);
    took = now() - begun;
    fclose(told);
    CHECK(result.ended == (kind == 0 ? LBP_END_OUT_OF_TIME : LBP_END_STOPPED));
    CHECK(took > 0.25 && took < 0.3 + 1.5 * SLACK);
    if (!(took < 0.3 + 1.5 * SLACK)) printf("%s: %.1f s\n", what, took);
    text = content(in_folder("told"), &size);
    CHECK(text && strlen(text) > 10);
    free(text);
    lbp_run_free(&result);
    if (run.warmup > 0) break; /* `stop` is set while drawing */
  }
}

/* One that has converged and is called again draws no more, as one that is complete; it does for a higher target. */
static void test_converged_again(void) {
  const toy t = toy_make(N, 0.5, 0, 6);
  lbp_run run;
  lbp_run_result result;
  uint64_t draws = 0;
  uint32_t k;
  lbp_run_init(&run);
  run.checkpoint = in_folder("good.ckpt");
  run.draws = 100000;
  run.rhat = 1.05;
  run.ess = 500;
  for (k = 0; k < 4; k++) {
    if (k == 3) run.ess = 1500;
    CHECK(walk_run(&run, &t, N, &result) == LBP_OK && result.ended == LBP_END_CONVERGED && result.resumed == (k > 0));
    CHECK(result.row && result.row[0].ess_bulk >= run.ess && result.row[0].rhat <= run.rhat);
    CHECK(k == 0 || (k < 3 ? result.draws == draws : result.draws > draws));
    draws = result.draws;
    lbp_run_free(&result);
  }
  CHECK(remove(run.checkpoint) == 0 && draws < run.draws);
}

static void test_time(void) {
  slow m = {0, 5, 0.3, 2e-4};
  lbp_run run;
  lbp_run_init(&run);
  run.parameter = 5;
  run.chains = 2;
  run.warmup = 0;
  check_time("5 ms a step", m, run);
  run.tempering.rungs = 2;
  run.tempering.swap_every = run.thin = 20;
  check_time("5 ms a step, replicas", m, run);
  lbp_run_init(&run);
  m.seconds = 0;
  m.side = 4 * SIDE / 10;
  run.sampler = LBP_SAMPLER_GIBBS;
  run.warmup = 0;
  check_time("Gibbs on many sites", m, run);
  run.sampler = LBP_SAMPLER_LBP;
  run.warmup = 1000;
  m.side = SIDE;
  run.chains = 1;
  check_time("many sites while R is tuned", m, run);
  lbp_run_init(&run);
  m.side = 3;
  run.parameter = 1;
  run.warmup = 0;
  check_time("nine sites", m, run);
}

/* However cheap steps are, it is never long until the clock is looked at again. */
static void test_pace(void) {
  lbp_run run;
  lbp_runner r;
  lbp_sampler sampler;
  int k;
  lbp_run_init(&run);
  memset(&r, 0, sizeof r);
  memset(&sampler, 0, sizeof sampler);
  r.run = &run;
  r.c.plan.sampler = &sampler;
  r.rungs = r.stride = 1;
  for (k = 0; k < 100; k++) lbp_runner_pace(&r, r.stride, r.stride * 1e-6);
  CHECK(r.stride > 50000 && r.stride < 200000); /* a tenth of a second */
  lbp_runner_pace(&r, r.stride, 30);
  CHECK(r.stride < 500);
  lbp_runner_pace(&r, 1, 100);
  CHECK(r.stride == 1);
}

/* "time left" knows of `seconds`: it says nothing longer. */
static void test_time_left(void) {
  slow m = {64, 8, 0.3, 0};
  lbp_run run;
  lbp_run_result result;
  char *text, *at;
  long size, lines = 0;
  FILE *told = fopen(in_folder("told"), "wb");
  lbp_run_init(&run);
  run.draws = 1000000000000;
  run.seconds = 3.5;
  run.warmup = 1000;
  run.progress = told;
  CHECK(slow_run(&run, &m, m.n, &result) == LBP_OK && result.ended == LBP_END_OUT_OF_TIME);
  lbp_run_free(&result);
  fclose(told);
  text = content(in_folder("told"), &size);
  for (at = text; at && *at; at = strchr(at, '\n') + 1) {
    const char *left = strstr(at, " s left"), *end = strchr(at, '\n');
    CHECK(end && end - at < 80 && !strchr(at, '\r'));
    if (!end) break;
    lines++;
    if (left && left < end) {
      while (left > at && left[-1] != ' ') left--;
      CHECK(strtod(left, NULL) <= 3.5);
      CHECK(strstr(at, ", accept 0.") && strstr(at, ", log pi ") && strstr(at, ", R-hat "));
    }
  }
  CHECK(lines >= 2 && lines <= 4); /* after one second and three, and the last one, once */
  free(text);
  remove(in_folder("told"));
}

#if !LBP_P_WINDOWS
/* On a terminal one line is written over; on a dumb one there are lines. */
static void test_terminal(void) {
  const slow m = {64, 8, 0.3, 0};
  const char *kind[2] = {"xterm", "dumb"};
  int k;
  for (k = 0; k < 2; k++) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    char text[4096], *at;
    FILE *terminal;
    lbp_run run;
    lbp_run_result result;
    ssize_t size = 0;
    int over = 0, ends = 0;
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || !(terminal = fopen(ptsname(master), "w"))) {
      printf("no terminals here\n");
      if (master >= 0) close(master);
      return;
    }
    setenv("TERM", kind[k], 1);
    lbp_run_init(&run);
    run.draws = 1000000000000;
    run.seconds = 2.5;
    run.progress = terminal;
    CHECK(slow_run(&run, &m, m.n, &result) == LBP_OK);
    lbp_run_free(&result);
    fclose(terminal); /* then what is left can be read to its end */
    for (at = text; (size = read(master, at, (size_t)(text + sizeof text - 1 - at))) > 0;) at += size;
    *at = 0;
    for (at = text; *at; at++) {
      over += *at == '\r' && at[1] != '\n';
      ends += *at == '\n';
    }
    CHECK(k == 0 ? over > 1 && ends == 1 : over == 0 && ends >= 1 && ends <= 3);
    close(master);
  }
  unsetenv("TERM");
}
#endif

/* ---- who else writes --------------------------------------------------------------------------------------------- */

static int begin_with(const toy *t, const lbp_run *run, const char *word) {
  lbp_run_result result;
  const int status = walk_run(run, t, N, &result);
  if (status != LBP_OK && word) CHECK(strstr(result.message, word) && strlen(result.message) < 400);
  lbp_run_free(&result);
  return status;
}

#if !LBP_P_WINDOWS
/* A second run with the same prefix, or checkpoint, is refused, and leaves all as it is; the death of the first one lets
 * it through. */
static void test_locks(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run run;
  int kind;
  for (kind = 0; kind < 2; kind++) {
    int ready[2], status;
    char byte = 0, *before, *after;
    long size, after_size;
    pid_t child;
    lbp_run_init(&run);
    run.prefix = kind == 0 ? in_folder("locked") : NULL;
    run.checkpoint = in_folder("locked.ckpt");
    CHECK(begin_with(&t, &run, NULL) == LBP_OK); /* there are files now, and no locks */
    CHECK(access(in_folder("locked.lock"), F_OK) != 0 && access(in_folder("locked.ckpt.lock"), F_OK) != 0);
    before = content(run.checkpoint, &size);
    CHECK(pipe(ready) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
      lbp_run_result result;
      lbp_runner r;
      memset(&r, 0, sizeof r);
      memset(&result, 0, sizeof result);
      r.run = &run;
      r.result = &result;
      if (lbp_runner_lock(&r, 0, kind == 0 ? run.prefix : run.checkpoint) == LBP_OK && write(ready[1], "x", 1) == 1) pause();
      _exit(1);
    }
    CHECK(child > 0 && read(ready[0], &byte, 1) == 1);
    run.draws = 2000;
    CHECK(begin_with(&t, &run, "another run") == LBP_E_FILE);
    after = content(run.checkpoint, &after_size);
    CHECK(before && after && size == after_size && memcmp(before, after, (size_t)size) == 0);
    kill(child, SIGKILL);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(access(kind == 0 ? in_folder("locked.lock") : in_folder("locked.ckpt.lock"), F_OK) == 0); /* but nobody's */
    CHECK(begin_with(&t, &run, NULL) == LBP_OK);
    free(before);
    free(after);
    close(ready[0]);
    close(ready[1]);
    remove(run.checkpoint);
    remove_all(in_folder("locked"), 4);
  }
}
#endif

/* A program that knows nothing of locks adds a line. */
static double intruder(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  static long calls;
  long call;
#if defined _OPENMP
#pragma omp atomic capture
#endif
  call = ++calls;
  if (call == 2000) {
    FILE *file = fopen((const char *)column->data, "a");
    if (file) fprintf(file, "1,1,1,0,1,0,1,1\n"), fclose(file);
  }
  return x[0] + 0.0 * n;
}

static void test_intruder(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run_column column = {"intruder", intruder, NULL, 0};
  lbp_run run;
  char path[300];
  lbp_run_init(&run);
  run.prefix = in_folder("shared");
  snprintf(path, sizeof path, "%s_2.csv", run.prefix);
  column.data = path;
  run.column = &column;
  run.columns = 1;
  run.draws = 1000000;
  CHECK(begin_with(&t, &run, "another program") == LBP_E_FILE);
  remove_all(run.prefix, 4);
}

/* A run with fewer chains leaves none of an earlier one's files that it would have, were it larger; others it leaves. */
static void test_fewer_chains(void) {
  static const char *const stays[] = {"fewer_1.csv", "fewer_2.csv", "fewer_2_states.npy", "fewer_7.csv", "fewer_8.csv"};
  static const char *const goes[] = {"fewer_3.csv", "fewer_3_states.npy", "fewer_6.csv", "fewer_6_states.npy"};
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run run;
  uint32_t k;
  lbp_run_init(&run);
  run.prefix = in_folder("fewer");
  run.save_states = LBP_STATES_NPY;
  run.chains = 6;
  run.draws = 10;
  CHECK(begin_with(&t, &run, NULL) == LBP_OK);
  write_file(in_folder("fewer_7.csv"), "a,b\n1,2\n", 8); /* nobody's that is known, */
  write_file(in_folder("fewer_8.csv"), "# lbp_version = 1\n", 18); /* and behind a gap */
  run.prefix = in_folder("fewer");
  run.chains = 2;
  CHECK(begin_with(&t, &run, NULL) == LBP_OK);
  for (k = 0; k < 5; k++) CHECK(access(in_folder(stays[k]), F_OK) == 0);
  for (k = 0; k < 4; k++) CHECK(access(in_folder(goes[k]), F_OK) != 0);
  remove_all(in_folder("fewer"), 8);
}

/* ---- whose draws and whose checkpoint they are ------------------------------------------------------------------- */

/* A run is refused, and a file stays as it is. */
static void check_kept(const toy *t, const lbp_run *run, const char *name) {
  long size, after_size;
  char *before = content(in_folder(name), &size), *after;
  CHECK(begin_with(t, run, "this run had written something else") == LBP_E_FORMAT);
  after = content(in_folder(name), &after_size);
  CHECK(before && after && size == after_size && memcmp(before, after, (size_t)size) == 0);
  free(before);
  free(after);
}

/* A run does not go on in files that hold the draws of another one: of one that has overwritten its own, of one whose prefix
 * is given, of one that had no draws yet; nor if a byte has changed. Its own, longer by now, it cuts and goes on. */
static void test_other_draws(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  char own[300], checkpoint[300];
  lbp_run run, other;
  FILE *file;
  uint32_t draws;
  snprintf(own, sizeof own, "%s/own", folder);
  snprintf(checkpoint, sizeof checkpoint, "%s/own.ckpt", folder);
  for (draws = 0; draws < 600; draws += 500) {
    lbp_run_init(&run);
    run.parameter = 2;
    run.prefix = own;
    run.checkpoint = checkpoint;
    run.save_states = LBP_STATES_NPY;
    run.draws = draws;
    CHECK(begin_with(&t, &run, NULL) == LBP_OK);
    other = run, other.seed = 2, other.draws = 1000, other.checkpoint = NULL;
    CHECK(begin_with(&t, &other, NULL) == LBP_OK); /* over them */
    run.draws = 1000;
    check_kept(&t, &run, "own_1.csv");
    other.prefix = in_folder("other");
    CHECK(begin_with(&t, &other, NULL) == LBP_OK);
    other = run, other.prefix = in_folder("other");
    check_kept(&t, &other, "other_1_states.npy");
    other = run, other.checkpoint = NULL;
    CHECK(begin_with(&t, &other, NULL) == LBP_OK); /* the same draws, and more of them */
    CHECK(begin_with(&t, &run, NULL) == LBP_OK);
    other.prefix = in_folder("whole");
    CHECK(begin_with(&t, &other, NULL) == LBP_OK && same_draws(run.prefix, other.prefix, 4, 1));
    file = fopen(in_folder("own_3_states.npy"), "r+b");
    CHECK(file && fseek(file, 700, SEEK_SET) == 0 && fputc(99, file) == 99 && fclose(file) == 0); /* bits that are 0 */
    run.draws = 1100;
    check_kept(&t, &run, "own_1.csv");
    check_kept(&t, &run, "own_3_states.npy");
    remove(run.checkpoint);
    remove_all(run.prefix, 4);
    remove_all(in_folder("other"), 4);
    remove_all(in_folder("whole"), 4);
  }
}

/* Any one number of the model that is another one is seen, wherever the run is, and nothing is changed on disk. */
static void test_another_model(void) {
  toy t = toy_make(N, 0.75, 0, 5), hard = toy_make(N, 0.75, 1, 6);
  lbp_run run;
  uint32_t i, j, draws, found = 0, tried = 0;
  for (draws = 0; draws < 200; draws += 150) {
    lbp_run_init(&run);
    run.draws = draws;
    run.warmup = 50;
    run.checkpoint = in_folder("model.ckpt");
    CHECK(begin_with(&t, &run, NULL) == LBP_OK);
    for (i = 0; i < N; i++) {
      t.field[i] += 0.0009765625;
      CHECK(begin_with(&t, &run, "another model") == LBP_E_FORMAT);
      t.field[i] -= 0.0009765625;
      for (j = 0; j < i; j++) {
        if (t.coupling[i][j] == 0) continue;
        t.coupling[i][j] = -t.coupling[i][j];
        t.coupling[j][i] = -t.coupling[j][i];
        tried++;
        found += begin_with(&t, &run, "another model") == LBP_E_FORMAT;
        t.coupling[i][j] = -t.coupling[i][j];
        t.coupling[j][i] = -t.coupling[j][i];
      }
    }
    CHECK(found == tried && tried > 0);
    CHECK(begin_with(&t, &run, NULL) == LBP_OK);
    remove(run.checkpoint);
  }
  run.parameter = 1; /* where random states are impossible, the run's own */
  run.draws = 500;
  CHECK(begin_with(&hard, &run, NULL) == LBP_OK);
  hard.field[2] += 0.0009765625;
  CHECK(begin_with(&hard, &run, "another model") == LBP_E_FORMAT);
  hard.field[2] -= 0.0009765625;
  run.draws = 600;
  CHECK(begin_with(&hard, &run, NULL) == LBP_OK);
  remove(run.checkpoint);
}

/* Ones that exclude each other: which pairs do is seen where one of them is alone. */
enum { CROWD = 24 };
#define KINDS 6
typedef struct {
  uint32_t n, near[CROWD]; /* bits of the others */
  double pair[KINDS][KINDS][KINDS]; /* sites 0 ... KINDS - 1 of as many values, in a ring */
} crowd;

static int crowd_meets(const crowd *m, const uint8_t *x, uint32_t i) {
  uint32_t j;
  for (j = 0; j < m->n && !(m->near[i] >> j & x[j]); j++) {
  }
  return j < m->n;
}
static double crowd_delta(const crowd *m, const uint8_t *x, uint32_t i) {
  return crowd_meets(m, x, i) ? (x[i] ? HUGE_VAL : -HUGE_VAL) : x[i] ? -1 : 1;
}
static uint32_t crowd_list(const crowd *m, uint32_t i, uint32_t *out) {
  uint32_t j, count = 0;
  for (j = 0; j < m->n; j++) {
    if (m->near[i] >> j & 1) out[count++] = j;
  }
  return count;
}
static double crowd_logp(const crowd *m, const uint8_t *x) {
  uint32_t i;
  double sum = 0;
  for (i = 0; i < m->n; i++) {
    if (x[i] && crowd_meets(m, x, i)) return -HUGE_VAL;
    sum += x[i];
  }
  return sum;
}
static void crowd_start(const void *m, uint32_t chain, uint8_t *x, uint32_t n) { (void)m, (void)chain, memset(x, 0, n); }

#define LBP_NAME           crowd
#define LBP_MODEL_T        crowd
#define LBP_DELTA          crowd_delta
#define LBP_NEIGHBOURS     crowd_list
#define LBP_MAX_NEIGHBOURS CROWD
#define LBP_LOGP           crowd_logp
#include "../lbp_run.h"

static double kinds_logp(const crowd *m, const uint8_t *x) {
  uint32_t i;
  double sum = 0;
  for (i = 0; i < KINDS; i++) sum += m->pair[i][x[i]][x[(i + 1) % KINDS]];
  return sum;
}
static void kinds_deltas_of(const crowd *m, const uint8_t *x, uint32_t i, double *out) {
  uint8_t y[KINDS];
  uint32_t v;
  memcpy(y, x, KINDS);
  for (v = 0; v < KINDS; v++) y[i] = (uint8_t)v, out[v] = kinds_logp(m, y) - kinds_logp(m, x);
}
static uint32_t kinds_list(const crowd *m, uint32_t i, uint32_t *out) {
  (void)m;
  out[0] = (i + 1) % KINDS;
  out[1] = (i + KINDS - 1) % KINDS;
  return 2;
}

#define LBP_NAME           kinds
#define LBP_MODEL_T        crowd
#define LBP_CAT_STATES     KINDS
#define LBP_CAT_DELTAS_OF  kinds_deltas_of
#define LBP_NEIGHBOURS     kinds_list
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           kinds_logp
#include "../lbp_run.h"

/* Columns are not asked for what they make of states that are impossible. */
static double crowd_column(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  CHECK(crowd_logp((const crowd *)column->data, x) > -HUGE_VAL);
  return lbp_run_site(column, x, n);
}

static int is_refused(int kinds, const lbp_run *run, const crowd *m, const char *word) {
  lbp_run_result result;
  const int status = kinds ? kinds_run(run, m, KINDS, &result) : crowd_run(run, m, m->n, &result);
  const int refused = status == LBP_E_FORMAT && strstr(result.message, word) != NULL;
  CHECK(refused || status == LBP_OK);
  lbp_run_free(&result);
  return refused;
}

/* One pair that excludes each other, or no longer, one entry of a table of 36, one column under an old name are seen. */
static void test_other_pairs(void) {
  lbp_run_column column = {"first", crowd_column, NULL, 1};
  crowd m;
  double *pair = &m.pair[0][0][0];
  lbp_run run;
  uint32_t i, j, k;
  threads(1); /* columns count checks */
  memset(&m, 0, sizeof m);
  m.n = CROWD;
  for (i = 0; i < CROWD; i++) {
    for (k = 1; k <= 5; k += 4) j = (i + k) % CROWD, m.near[i] |= 1u << j, m.near[j] |= 1u << i;
  }
  for (i = 0; i < KINDS * KINDS * KINDS; i++) pair[i] = (double)(i * 37 % 64) / 64;
  lbp_run_init(&run);
  run.warmup = 100;
  run.draws = 100;
  run.checkpoint = in_folder("pairs.ckpt");
  CHECK(!is_refused(1, &run, &m, ""));
  for (i = 0; i < KINDS * KINDS * KINDS; i++) {
    pair[i] += 0.0009765625;
    CHECK(is_refused(1, &run, &m, "another model"));
    pair[i] -= 0.0009765625;
  }
  CHECK(!is_refused(1, &run, &m, "") && remove(run.checkpoint) == 0);
  column.data = &m;
  run.column = &column;
  run.columns = 1;
  run.start = crowd_start;
  CHECK(!is_refused(0, &run, &m, ""));
  for (i = 0; i < CROWD; i++) {
    for (j = 0; j < i; j++) {
      m.near[i] ^= 1u << j, m.near[j] ^= 1u << i;
      CHECK(is_refused(0, &run, &m, "another model"));
      m.near[i] ^= 1u << j, m.near[j] ^= 1u << i;
    }
  }
  column.site = 2;
  CHECK(is_refused(0, &run, &m, "at the same state its column first was"));
  column.value = lbp_run_ones;
  CHECK(is_refused(0, &run, &m, "at the same state its column first was"));
  column.site = 1, column.value = crowd_column;
  CHECK(!is_refused(0, &run, &m, ""));
  remove(run.checkpoint);
  threads(2);
}

/* One coupling of a large model. */
static uint32_t odd_one;
static double large_delta(const slow *m, const uint8_t *x, uint32_t i) {
  uint32_t list[4];
  double d = slow_delta(m, x, i);
  slow_list(m, odd_one, list);
  if (m->seconds < 0 && (i == odd_one || i == list[0])) { /* the sign of this one is wrong */
    d += (x[i] == x[i == odd_one ? list[0] : odd_one] ? 4 : -4) * m->beta;
  }
  return d;
}
static double large_logp(const slow *m, const uint8_t *x) {
  uint32_t list[4];
  slow_list(m, odd_one, list);
  return slow_logp(m, x) - (m->seconds < 0 ? (x[odd_one] == x[list[0]] ? 2 : -2) * m->beta : 0);
}

#define LBP_NAME           large
#define LBP_MODEL_T        slow
#define LBP_REAL           float
#define LBP_DELTA          (float)large_delta
#define LBP_NEIGHBOURS     slow_list
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           (float)large_logp
#include "../lbp_run.h"

static void check_large_model(uint32_t side, uint32_t trials) {
  slow m = {side * side, side, 0.4, 0};
  lbp_run run;
  lbp_run_result result;
  uint32_t k, found = 0;
  lbp_run_init(&run);
  run.check_trials = 0;
  run.chains = 1;
  run.warmup = 10;
  run.draws = 0;
  run.checkpoint = in_folder("large.ckpt");
  CHECK(large_run(&run, &m, m.n, &result) == LBP_OK);
  lbp_run_free(&result);
  m.seconds = -1;
  for (k = 0; k < trials; k++) {
    odd_one = (k * 4321 + 17) % m.n;
    found += large_run(&run, &m, m.n, &result) == LBP_E_FORMAT && strstr(result.message, "another model");
    lbp_run_free(&result);
  }
  CHECK(found == trials);
  m.seconds = 0;
  CHECK(large_run(&run, &m, m.n, &result) == LBP_OK);
  lbp_run_free(&result);
  remove(run.checkpoint);
}

/* ---- models that break ------------------------------------------------------------------------------------------- */

static void test_faults(void) {
  uint64_t calls = 0;
  broken m = {30, 0, &calls, 50000};
  lbp_run run;
  lbp_run_result result;
  lbp_ais_result annealed;
  char *text, path[300], said[80];
  long size;
  lbp_run_init(&run);
  run.chains = 2;
  run.draws = 1000000;
  run.prefix = in_folder("broken");
  run.checkpoint = in_folder("broken.ckpt");
  CHECK(broken_run(&run, &m, 30, &result) == LBP_E_DELTA_NAN && result.status == LBP_E_DELTA_NAN && !result.row);
  snprintf(said, sizeof said, "the model is wrong: the log-ratio of a move of item %u is NaN", result.site);
  CHECK(strstr(result.message, said) && result.site < 30 && lbp_is_nan(result.got));
  lbp_run_free(&result);
  snprintf(path, sizeof path, "%s_1.csv", run.prefix); /* no row of a chain that stood still */
  text = content(path, &size);
  CHECK(!text || !strstr(text, ",0,0,0,0,0,"));
  free(text);
  remove(run.checkpoint);
  remove_all(run.prefix, 2);
  m.most = UINT64_MAX;
  m.blind = 1;
  run.check_trials = 0;
  run.prefix = run.checkpoint = NULL;
  CHECK(broken_run(&run, &m, 30, &result) == LBP_E_STALE && strstr(result.message, "the missing neighbour"));
  CHECK(result.site == result.other && result.got != result.want);
  lbp_run_free(&result);
  m.blind = 0;
  calls = 0;
  m.most = 100000;
  run.tempering.rungs = 50;
  run.thin = 4;
  run.chains = 20;
  CHECK(broken_ais(&run, &m, 30, &annealed) == LBP_E_DELTA_NAN && strstr(annealed.message, "the model is wrong"));
}

/* Log pi that is no number, where nothing is checked. */
static double spoilt_logp(const toy *t, const uint8_t *x) { return x[0] && x[1] && x[2] ? HUGE_VAL - HUGE_VAL : toy_logp(t, x); }

#define LBP_NAME           spoilt
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           spoilt_logp
#include "../lbp_run.h"

static void test_no_logp(void) {
  const toy t = toy_make(N, 0.75, 0, 5);
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.check_trials = 0;
  CHECK(spoilt_run(&run, &t, N, &result) == LBP_E_LOGP && strstr(result.message, "log pi of draw"));
  lbp_run_free(&result);
}

/* ---- impossible states ------------------------------------------------------------------------------------------- */

/* What a file holds that has just been written; closes it. */
static const char *told(FILE *file) {
  static char text[4096];
  size_t size;
  rewind(file);
  size = fread(text, 1, sizeof text - 1, file);
  text[size] = 0;
  fclose(file);
  remove(in_folder("told"));
  return text;
}

/* What is said of annealing. */
static const char *annealing(const lbp_ais_result *result) {
  FILE *to = fopen(in_folder("told"), "w+");
  lbp_ais_print(result, to);
  return told(to);
}

/* log Z where some states are impossible, by tempering and by annealing, with a ladder that spaces itself; against
 * enumeration, and a ring of 8 sites of which no two neighbours are 1 at activity e^0.7 by hand: 5.567. */
static void test_log_z(void) {
  uint32_t k;
  for (k = 0; k < (uint32_t)MORE; k++) {
    const uint32_t n = k == 0 ? N : TOY_MAX;
    toy t = toy_make(n, 0.5, 1, 30 + k);
    lbp_run run;
    lbp_run_result result;
    lbp_ais_result annealed;
    double exact = 0;
    uint32_t x, i, possible = 0;
    if (k == 0) {
      for (i = 0; i < n; i++) t.field[i] = 0.35;
      t.coupling[0][n / 2] = t.coupling[n / 2][0] = 0;
    }
    for (x = 0; x < 1u << n; x++) {
      uint8_t state[TOY_MAX];
      for (i = 0; i < n; i++) state[i] = x >> i & 1;
      if (!lbp_is_finite(toy_logp(&t, state))) continue;
      exact += exp(toy_logp(&t, state));
      possible++;
    }
    exact = log(exact);
    lbp_run_init(&run);
    run.chains = 8;
    run.seed = 400 + k;
    run.draws = 2000;
    run.thin = 4;
    run.tempering.rungs = 4;
    run.parameter = 1;
    CHECK(walk_run(&run, &t, n, &result) == LBP_OK && result.log_z_status == LBP_OK);
    CHECK_NEAR(result.log_z, exact, 6 * result.log_z_se);
    CHECK_NEAR(result.possible, possible / (double)(1u << n), 0.05);
    CHECK(result.log_z_se > 0.001 && result.log_z_se < 0.1);
    lbp_run_free(&result);
    run.chains = 400;
    run.parameter = 0; /* by sweeps */
    run.tempering.rungs = 40;
    run.progress = fopen(in_folder("told"), "w+");
    CHECK(walk_ais(&run, &t, n, &annealed) == LBP_OK);
    CHECK(strstr(told(run.progress), "annealing, pass 3 of 3, rung 39/39") != NULL);
    run.progress = NULL;
    CHECK(annealed.log_z_se > 0 && annealed.log_z_se < 0.4);
    CHECK_NEAR(annealed.log_z, exact, 6 * annealed.log_z_se);
    CHECK(annealed.weights > LBP_AIS_LEAST_WEIGHTS && !strchr(annealing(&annealed), '!'));
    lbp_ais_free(&annealed);
    run.chains = 30;
    CHECK(walk_ais(&run, &t, n, &annealed) == LBP_OK && strstr(annealing(&annealed), "! Log Z rests on a few chains"));
    lbp_ais_free(&annealed);
  }
}

/* At most one of 40 sites is 1: 41 states of 2^40. */
static double lone_logp(const slow *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i, ones = 0;
  for (i = 0; i < m->n; i++) ones += x[i], sum += x[i] * 0.25 * (i % 3);
  return ones > 1 ? -HUGE_VAL : sum;
}
static void lone_deltas(const slow *m, const uint8_t *x, double *out) {
  uint32_t i, ones = 0;
  for (i = 0; i < m->n; i++) ones += x[i];
  for (i = 0; i < m->n; i++) out[i] = ones > x[i] ? -HUGE_VAL : (x[i] ? -0.25 : 0.25) * (i % 3);
}
static void lone_start(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

#define LBP_NAME    lone
#define LBP_MODEL_T slow
#define LBP_DELTAS  lone_deltas
#define LBP_LOGP    lone_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

static void test_lone(void) {
  const slow m = {40, 0, 0, 0};
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.tempering.rungs = 3;
  run.thin = 4;
  run.start = lone_start;
  CHECK(lone_run(&run, &m, m.n, &result) == LBP_OK && result.warnings == 0);
  CHECK(result.log_z_status == LBP_E_STATE && result.possible == 0);
  lbp_run_free(&result);
}

static void one_at_0(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
  x[0] = 1;
}

/* So few that none is found: no number rather than a wrong one. And moves that are never accepted are told. */
static void test_hopeless(void) {
  const toy t = toy_make(TOY_MAX, 0.75, 0, 5);
  lbp_run run;
  lbp_run_result result;
  lbp_ais_result annealed;
  lbp_run_init(&run);
  run.check_trials = 0;
  run.tempering.rungs = 3;
  run.chains = 2;
  run.warmup = 64;
  run.start = one_at_0;
  run.draws = 10;
  run.parameter = 1;
  CHECK(hot_run(&run, &t, TOY_MAX, &result) == LBP_OK);
  CHECK(result.jump == 0 && (result.warnings & LBP_WARN_STUCK));
  lbp_run_free(&result);
  run.start = NULL; /* all impossible */
  run.seed = 5;
  CHECK(hot_run(&run, &t, TOY_MAX, &result) == LBP_OK && (result.warnings & LBP_WARN_IMPOSSIBLE));
  lbp_run_free(&result);
  run.seed = 12;
  run.parameter = 0;
  CHECK(hot_ais(&run, &t, TOY_MAX, &annealed) == LBP_E_STATE && strstr(annealed.message, "possible"));
}

/* Nothing but zeros is possible. */
static double shut_delta(const toy *t, const uint8_t *x, uint32_t i) { return (void)t, x[i] ? HUGE_VAL : -HUGE_VAL; }

static double shut_logp(const toy *t, const uint8_t *x) {
  uint32_t i, ones = 0;
  for (i = 0; i < t->n; i++) ones += x[i];
  return ones ? -HUGE_VAL : 0;
}

#define LBP_NAME           shut
#define LBP_MODEL_T        toy
#define LBP_DELTA          shut_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           shut_logp
#include "../lbp_run.h"

/* A clock in a state without ways out fails, and says why; sweeps of Metropolis that turn all over are doubted, though all
 * that is watched looks well; Gibbs sweeps are not. */
static void test_no_way_out(void) {
  static const int sampler[3] = {LBP_SAMPLER_METROPOLIS, LBP_SAMPLER_SKIP_METROPOLIS, LBP_SAMPLER_GIBBS};
  const toy t = toy_product(TOY_MAX, 0, 0, 5);
  lbp_run run;
  lbp_run_result result;
  int k;
  for (k = 0; k < 3; k++) {
    lbp_run_init(&run);
    run.sampler = sampler[k];
    CHECK(walk_run(&run, &t, TOY_MAX, &result) == LBP_OK);
    CHECK(!(result.warnings & LBP_WARN_ALL_SITES) == (k == 2));
    lbp_run_free(&result);
  }
  run.sampler = LBP_SAMPLER_CLOCK;
  CHECK(shut_run(&run, &t, TOY_MAX, &result) == LBP_E_ISOLATED && strstr(result.message, "clock: no single flip"));
  lbp_run_free(&result);
  run.sampler = LBP_SAMPLER_PATH;
  CHECK(shut_run(&run, &t, TOY_MAX, &result) == LBP_E_ISOLATED && strstr(result.message, "path: no single flip"));
  lbp_run_free(&result);
}

/* A path is not tuned: its R is what is given, of more flips than sites, too, or about 4 on so few sites, even and odd,
 * with a warm-up or without. Steps that impossible flips refuse are told of, also when a complete run is called again,
 * where a path goes round these. */
static void test_paths(void) {
  static const int sampler[4] = {LBP_SAMPLER_PATH, LBP_SAMPLER_PATH, LBP_SAMPLER_LBP, LBP_SAMPLER_RWM};
  const toy hard = toy_make(TOY_MAX, 0.75, 1, 5), t = toy_make(TOY_MAX, 0.75, 0, 5), few = toy_make(5, 0.75, 0, 5);
  lbp_run run;
  lbp_run_result result;
  int k;
  lbp_run_init(&run);
  run.start = one_at_0;
  for (k = 0; k < 4; k++) {
    const int path = k < 2;
    FILE *to = fopen(in_folder("summary"), "wb");
    char *text;
    long size;
    run.sampler = sampler[k];
    run.parameter = path ? 0 : 3;
    run.warmup = k > 0 ? 100 : 0; /* so few that a tuner would not get far */
    run.checkpoint = in_folder("blocked.ckpt");
    CHECK(walk_run(&run, &hard, TOY_MAX, &result) == LBP_OK && result.blocked == !path);
    lbp_run_free(&result);
    run.summary = to; /* of the same once more, which has nothing left to do */
    CHECK(walk_run(&run, &hard, TOY_MAX, &result) == LBP_OK && result.resumed && result.blocked == !path);
    remove(run.checkpoint);
    run.checkpoint = NULL;
    run.summary = NULL;
    if (path) CHECK(result.parameter > 4.4 && result.parameter < 4.6 && result.accept > 0.5);
    lbp_run_free(&result);
    fclose(to);
    text = content(in_folder("summary"), &size);
    CHECK(text && (strstr(text, "LBP_SAMPLER_PATH or _GIBBS avoids") == NULL) == path);
    free(text);
  }
  run.summary = NULL;
  CHECK(walk_run(&run, &t, TOY_MAX, &result) == LBP_OK && !result.blocked);
  lbp_run_free(&result);
  run.sampler = LBP_SAMPLER_PATH;
  run.parameter = 0;
  CHECK(walk_run(&run, &few, 5, &result) == LBP_OK && result.parameter > 4.4 && !(result.warnings & LBP_WARN_ALL_SITES));
  lbp_run_free(&result);
  run.parameter = 101;
  CHECK(walk_run(&run, &hard, TOY_MAX, &result) == LBP_OK && result.parameter == 101);
  lbp_run_free(&result);
}

/* ---- what is not to be trusted ----------------------------------------------------------------------------------- */

/* The summary of a run, all of whose lines fit a terminal. */
static char *summary(int (*go)(const lbp_run *, const slow *, uint32_t, lbp_run_result *), lbp_run run, const slow *m,
                     unsigned want) {
  FILE *to = fopen(in_folder("summary"), "wb");
  lbp_run_result result;
  char *text, *at;
  long size;
  unsigned warning;
  run.summary = to;
  CHECK(go(&run, m, m->n, &result) == LBP_OK);
  fclose(to);
  CHECK(result.warnings == want);
  if (result.warnings != want) printf("warnings %u, not %u\n", result.warnings, want);
  text = content(in_folder("summary"), &size);
  for (at = text; at && *at; at = strchr(at, '\n') + 1) CHECK(strchr(at, '\n') && strchr(at, '\n') - at <= 80);
  for (warning = 1; text && warning <= LBP_WARN_NO_DRAWS; warning *= 2) {
    CHECK(!(result.warnings & warning) == !strstr(text, lbp_run_advice(warning)));
  }
  CHECK(text && !strchr(text, '!') == (want == 0));
  lbp_run_free(&result);
  remove(in_folder("summary"));
  return text;
}

static void test_warnings(void) {
  const slow warm = {36, 6, 0.2, 0}, cold = {36, 6, 0.9, 0};
  static const lbp_run_column column[2] = {{"magnetisation", lbp_run_ones, NULL, 0}, {"first", lbp_run_site, NULL, 0}};
  static const double wide[2] = {1, 0};
  lbp_run run;
  char *text;
  lbp_run_init(&run);
  run.column = column;
  run.columns = 2;
  run.draws = 3000;
  run.thin = 4;
  text = summary(slow_run, run, &warm, 0);
  CHECK(text && strstr(text, ", R ") && strstr(text, "acceptance rate"));
  free(text);
  run.sampler = LBP_SAMPLER_GIBBS;
  text = summary(slow_run, run, &warm, 0);
  CHECK(text && !strstr(text, ", R ") && strstr(text, "jump distance"));
  free(text);
  free(summary(slow_run, run, &cold, LBP_WARN_RHAT | LBP_WARN_ESS)); /* up or down, for ever */
  run.sampler = LBP_SAMPLER_RWM;
  run.parameter = 2;
  run.thin = 40;
  free(summary(slow_run, run, &warm, LBP_WARN_PARITY));
  run.parameter = 2.5;
  free(summary(slow_run, run, &warm, 0));
  run.sampler = LBP_SAMPLER_LBP;
  run.parameter = 0;
  run.thin = 4;
  run.tempering.rungs = 2;
  run.tempering.ladder = wide;
  free(summary(slow_run, run, &cold, LBP_WARN_RHAT | LBP_WARN_ESS | LBP_WARN_SWAPS));
  run.tempering.rungs = 1;
  run.tempering.ladder = NULL;
  run.draws = 20;
  text = summary(slow_run, run, &warm, LBP_WARN_RHAT | LBP_WARN_ESS);
  free(text);
  run.seconds = 1e-9;
  free(summary(slow_run, run, &warm, LBP_WARN_NO_DRAWS));
  run.seconds = 0;
  run.draws = 0; /* as asked for */
  free(summary(slow_run, run, &warm, 0));
}

int main(void) {
  CHECK(make_folder());
  test_cut();
  test_converged_again();
  test_time();
  test_pace();
  test_time_left();
#if !LBP_P_WINDOWS /* there windows.sh looks at locks */
  test_terminal();
  test_locks();
#endif
  test_intruder();
  test_fewer_chains();
  test_other_draws();
  test_another_model();
  test_other_pairs();
  check_large_model(300, 3);
  check_large_model(40, 400); /* one pair in 64 would be 0 in two random states and in the run's */
  test_faults();
  test_no_logp();
  test_log_z();
  test_lone();
  test_hopeless();
  test_no_way_out();
  test_paths();
  test_warnings();
  CHECK(rmdir(folder) == 0);
  return test_report();
}
