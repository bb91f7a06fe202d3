/* Shared by the benchmarks: CPU time, order statistics, files. Running many chains is in runner.h; time, options and
 * progress, which any program has, in basic.h. */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#ifndef BASIC_PROGRAM
#define BASIC_PROGRAM "bench"
#endif
#include "../../examples/ebm/basic.h"

#include <sys/stat.h>

#include "../../lbp_stats.h"

/* a and b in one word, for templates. */
#define BENCH_PASTE2(a, b) a##b
#define BENCH_PASTE(a, b)  BENCH_PASTE2(a, b)

/* The mean cost of a step with R sites, in seconds or evaluations of the model. */
typedef struct { double r, cost; } step_cost;

typedef struct {
  double mean, se; /* between chains */
} estimate;

/* CPU time of this thread: a busy machine disturbs it less. */
LBP_FN double bench_cpu_now(void) {
#ifdef CLOCK_THREAD_CPUTIME_ID
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
  return basic_now();
#endif
}

/* Before anything is computed. threads: 0 for all cores. */
LBP_FN void bench_start(int threads) {
  basic_threads(threads);
  basic_single_blas();
  setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Ends the program unless a status is LBP_OK. */
LBP_FN void bench_expect(int status, const char *what) {
  if (status != LBP_OK) basic_die("%s: %s", what, lbp_error(status));
}

/* One more in an array that grows. */
LBP_FN void *bench_grow(void *array, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room) return array;
  *room = 2 * *room + 64;
  array = realloc(array, *room * size);
  if (!array) basic_die("out of memory");
  return array;
}

/* Frees all of these. */
#define BENCH_FREE(...) bench_free((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
LBP_FN void bench_free(void **blocks, size_t count) { while (count > 0) free(blocks[--count]); }

/* Says what is being done now, beside the progress bar. */
LBP_FN void bench_label(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(basic_progress.label, sizeof basic_progress.label, format, arguments);
  va_end(arguments);
}

/* ---- order statistics -------------------------------------------------------------------------------------------- */

/* The share-quantile of up to 64 numbers. */
LBP_FN double bench_quantile(const double *values, uint32_t count, double share) {
  double sorted[64];
  memcpy(sorted, values, count * sizeof *sorted);
  lbp_sort(sorted, count);
  return sorted[(uint32_t)(share * (count - 1) + 0.5)];
}

LBP_FN double bench_median(const double *values, uint32_t count) { return bench_quantile(values, count, 0.5); }

LBP_FN estimate bench_estimate(const double *values, uint32_t count) {
  estimate e = {0, 0};
  if (lbp_mean_se(values, count, &e.mean, &e.se) != LBP_OK && count == 1) e.mean = values[0];
  return e;
}

/* A random walk that never comes back has an estimated effective sample size of 6 to 12. */
enum { LEAST_ESS = 20 };

/* The effective sample size of a trace, or -1 if it has none (constant, say). */
LBP_FN double bench_ess(const double *trace, uint32_t steps) {
  const size_t length = lbp_ess_workspace(steps);
  double *work = (double *)basic_alloc(length, sizeof *work), ess = -1;
  if (lbp_ess(LBP_ESS_TFP, trace, steps, work, length, &ess) != LBP_OK) ess = -1;
  free(work);
  return ess;
}

LBP_FN estimate bench_ratio(estimate a, estimate b) {
  const double ratio = a.mean / b.mean;
  return (estimate){ratio, ratio * hypot(a.se / a.mean, b.se / b.mean)};
}

/* Within 3 standard errors, or this share, of a reference. */
LBP_FN int is_near(estimate got, estimate want, double share) {
  const double gap = fabs(got.mean - want.mean);
  return gap <= 3 * sqrt(got.se * got.se + want.se * want.se) || gap <= share * want.mean;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

typedef struct {
  FILE *to;
  char path[1100];
} bench_file;

/* A new file of this path; one that ends in .tmp, for bench_keep, is written into nothing that was there. */
LBP_FN bench_file bench_open(const char *format, ...) {
  bench_file f;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f.path, sizeof f.path, format, arguments);
  va_end(arguments);
  const size_t length = strlen(f.path);
  const int fresh = length > 4 && strcmp(f.path + length - 4, ".tmp") == 0;
  f.to = fresh ? basic_create(f.path) : fopen(f.path, "w");
  if (!f.to) basic_die("cannot write %s: %s", f.path, strerror(errno));
  return f;
}

/* The first line that a command prints, or "unknown". */
LBP_FN void bench_ask(const char *command, char *answer, size_t size) {
  FILE *pipe = popen(command, "r");
  answer[0] = '\0';
  if (pipe && fgets(answer, (int)size, pipe)) answer[strcspn(answer, "\n")] = '\0';
  if (pipe) pclose(pipe);
  if (!answer[0]) snprintf(answer, size, "unknown");
}

/* The flags that this program was compiled with, as the Makefile says. */
#ifndef BENCH_FLAGS
#define BENCH_FLAGS ""
#endif

/* "lbp 1.2.3, commit abc; processor, 2 cores; gcc 12.2.0 -O3; 2026-11-25": asked for once, when a program begins. */
LBP_FN const char *bench_made(void) {
  static char text[400];
#ifdef __clang__
  static const char command[] = "sh bench/common/made.sh 'clang " __clang_version__ " " BENCH_FLAGS "'";
#else
  static const char command[] = "sh bench/common/made.sh 'gcc " __VERSION__ " " BENCH_FLAGS "'";
#endif
  if (!text[0]) bench_ask(command, text, sizeof text);
  return text;
}

/* One in a folder, which is made if need be; head: its first line, but for that which says what made it. */
LBP_FN bench_file bench_create(const char *folder, const char *name, const char *head) {
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) basic_die("cannot make the folder %s: %s", folder, strerror(errno));
  const bench_file f = bench_open("%s/%s", folder, name);
  fprintf(f.to, "# %s\n%s\n", bench_made(), head);
  return f;
}

/* What has been written so far is on its way to the disk, or the program ends. */
LBP_FN void bench_flush(const bench_file *f) {
  if (fflush(f->to) != 0 || ferror(f->to)) basic_die("cannot write %s: %s", f->path, strerror(errno));
}

LBP_FN void bench_close(const bench_file *f) {
  bench_flush(f);
  if (fclose(f->to) != 0) basic_die("cannot write %s: %s", f->path, strerror(errno));
}

/* The same of one that was opened as PATH.tmp: becomes PATH, which so is whole or not there. */
LBP_FN void bench_keep(const bench_file *f) {
  char path[1100];
  bench_close(f);
  snprintf(path, sizeof path, "%.*s", (int)(strlen(f->path) - strlen(".tmp")), f->path);
  if (rename(f->path, path) != 0) basic_die("cannot write %s: %s", path, strerror(errno));
}

/* A comma and a number for each of so many doubles, maybe of structs that hold nothing else; an empty field for what is
 * negative or not finite: there is none. write_last: and the line's end. */
LBP_FN void write_numbers(FILE *csv, const void *doubles, size_t count) {
  const double *v = (const double *)doubles;
  for (size_t k = 0; k < count; k++) {
    if (v[k] < 0 || !lbp_is_finite(v[k])) fprintf(csv, ",");
    else fprintf(csv, ",%.6g", v[k]);
  }
}

LBP_FN void write_last(FILE *csv, const void *doubles, size_t count) {
  write_numbers(csv, doubles, count);
  fprintf(csv, "\n");
}

/* Splits a line at its commas; returns the number of cells. */
LBP_FN int bench_split(char *line, char **cell, int most) {
  int count = 0;
  line[strcspn(line, "\r\n")] = '\0';
  for (cell[count++] = line; count < most && (line = strchr(line, ',')); cell[count++] = line) *line++ = '\0';
  return count;
}

/* The numbers in the columns of these names, of the row of folder/file that begins with `key`; -1: there is none. */
LBP_FN void bench_look_up(const char *folder, const char *file, const char *key, const char *const *names,
                          double *values, int count) {
  char path[1024], head[1024], line[1024], *name[32], *cell[32];
  const size_t length = strlen(key);
  for (int k = 0; k < count; k++) values[k] = -1;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE *in = fopen(path, "r");
  if (!in || !fgets(head, sizeof head, in)) basic_die("%s: %s", path, in ? "empty" : strerror(errno));
  const int columns = bench_split(head, name, 32);
  while (fgets(line, sizeof line, in)) {
    if (strncmp(line, key, length) != 0 || line[length] != ',') continue;
    if (bench_split(line, cell, 32) != columns) basic_die("%s: a row that has not %d columns: %s", path, columns, key);
    for (int k = 0; k < count; k++) {
      for (int c = 0; c < columns; c++) {
        if (strcmp(name[c], names[k]) == 0 && cell[c][0]) values[k] = atof(cell[c]);
      }
    }
    break;
  }
  fclose(in);
}

/* Runs bench/QUESTION/NAME.gp, which makes folder/NAME.svg and folder/NAME.png. */
LBP_FN void bench_draw(const char *question, const char *name, const char *folder) {
  char script[100], settings[1600];
  snprintf(settings, sizeof settings, "folder='%s'; made='%s'", folder, bench_made());
  snprintf(script, sizeof script, "bench/%s/%s.gp", question, name);
  if (basic_gnuplot(script, settings)) printf("Picture: %s/%s.svg, %s/%s.png\n", folder, name, folder, name);
}

#endif
