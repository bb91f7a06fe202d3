/* Utilities of the program: time, memory (or exit), threads, options, gnuplot, progress. */
#ifndef EBM_BASIC_H
#define EBM_BASIC_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../lbp.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#ifndef BASIC_PROGRAM /* the program's name in messages on stderr */
#define BASIC_PROGRAM "ebm"
#endif

LBP_FN double basic_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Prints a sentence and ends the program. */
LBP_FN void basic_die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "\n" BASIC_PROGRAM ": ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(1);
}

/* A new file of this path, for unfinished contents. A file or link of that name is unlinked, and is neither written
 * into nor followed. NULL, and errno. */
LBP_FN FILE *basic_create(const char *path) {
  const int file = unlink(path) == 0 || errno == ENOENT ? open(path, O_WRONLY | O_CREAT | O_EXCL, 0666) : -1;
  FILE *to = file >= 0 ? fdopen(file, "wb") : NULL;
  if (file >= 0 && !to) close(file);
  return to;
}

LBP_FN void *basic_alloc(size_t count, size_t size) {
  void *p = calloc(count, size);
  if (!p) basic_die("out of memory (%zu x %zu bytes)", count, size);
  return p;
}

LBP_FN void basic_threads(int threads) {
#ifdef _OPENMP
  if (threads > 0) omp_set_num_threads(threads);
#else
  if (threads > 1) fprintf(stderr, BASIC_PROGRAM ": built without OpenMP, one thread\n");
#endif
}

/* One thread of the linear algebra library per chain: ours are the threads that count. */
#if defined LBP_CBLAS && defined __GNUC__
extern void openblas_set_num_threads(int) __attribute__((weak));
#endif
LBP_FN void basic_single_blas(void) {
#if defined LBP_CBLAS && defined __GNUC__
  if (openblas_set_num_threads) openblas_set_num_threads(1);
#endif
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Reports the fault in an option's value and ends the program. */
LBP_FN void basic_wrong(const char *option, const char *value, const char *possible) {
  fprintf(stderr, BASIC_PROGRAM ": %s %s: %s\n", option, value, possible);
  exit(2);
}

LBP_FN uint64_t basic_number(const char *option, const char *value, uint64_t least, uint64_t most) {
  char *end, range[96];
  unsigned long long v;
  errno = 0;
  v = strtoull(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || errno || v < least || v > most) {
    snprintf(range, sizeof range, "give a whole number from %llu to %llu", (unsigned long long)least,
             (unsigned long long)most);
    basic_wrong(option, value, range);
  }
  return v;
}

LBP_FN void basic_names(FILE *to, const char *(*name)(int), int count) {
  int k;
  for (k = 0; k < count; k++) fprintf(to, "%s%s", k % 7 || !k ? " " : "\n                   ", name(k));
}

/* Sets chosen[k] for every name in a comma-separated list; with `families` also for names that begin like that, up to a
 * hyphen. */
LBP_FN void basic_choose(const char *option, const char *list, const char *(*name)(int), int count, int families,
                         int *chosen) {
  const char *word = list;
  size_t length;
  memset(chosen, 0, (size_t)count * sizeof *chosen);
  do {
    int found = 0, k;
    length = strcspn(word, ",");
    for (k = 0; k < count; k++) {
      const char after = strncmp(name(k), word, length) == 0 ? name(k)[length] : ',';
      if (!length || (after && !(families && after == '-'))) continue;
      chosen[k] = found = 1;
    }
    if (!found) {
      fprintf(stderr, BASIC_PROGRAM ": %s %.*s: possible are", option, (int)(length < 60 ? length : 60), word);
      basic_names(stderr, name, count);
      fprintf(stderr, "\n");
      exit(2);
    }
    word += length + 1;
  } while (word[-1]);
}

/* A duration in seconds. */
LBP_FN double basic_seconds(const char *option, const char *value) {
  char *end;
  const double v = strtod(value, &end);
  if (end == value || *end || !(v >= 0.01 && v <= 1000)) basic_wrong(option, value, "give a number from 0.01 to 1000");
  return v;
}

/* An option, and where its value goes: a flag sets an int to 1, a list of names chooses among `most` ints. */
typedef enum {
  OPTION_FLAG,
  OPTION_INT,     /* int */
  OPTION_COUNT,   /* uint32_t */
  OPTION_SEED,    /* uint64_t */
  OPTION_SECONDS, /* double */
  OPTION_TEXT,    /* const char * */
  OPTION_NAMES    /* int [most] */
} option_kind;

typedef struct {
  const char *name, *help;  /* "--seed N", its text in --help */
  option_kind kind;
  void *to;
  uint64_t least, most;     /* of numbers; of names: whether families are names too, and how many names there are */
  const char *(*item)(int); /* the names */
} basic_option;

LBP_FN void basic_set(const basic_option *o, const char *name, const char *value) {
  const int whole = o->kind >= OPTION_INT && o->kind <= OPTION_SEED;
  const uint64_t v = whole ? basic_number(name, value, o->least, o->most) : 0;
  switch (o->kind) {
    case OPTION_FLAG: *(int *)o->to = 1; break;
    case OPTION_INT: *(int *)o->to = (int)v; break;
    case OPTION_COUNT: *(uint32_t *)o->to = (uint32_t)v; break;
    case OPTION_SEED: *(uint64_t *)o->to = v; break;
    case OPTION_SECONDS: *(double *)o->to = basic_seconds(name, value); break;
    case OPTION_TEXT: *(const char **)o->to = value; break;
    default: basic_choose(name, value, o->item, (int)o->most, (int)o->least, (int *)o->to);
  }
}

LBP_FN void basic_usage(FILE *to, const char *about, const basic_option *options, size_t count) {
  size_t k;
  fprintf(to, "%s\n", about);
  for (k = 0; k < count; k++) {
    fprintf(to, "  %-16s ", options[k].name);
    if (options[k].kind == OPTION_NAMES) {
      fprintf(to, "of:");
      basic_names(to, options[k].item, (int)options[k].most);
      fprintf(to, "\n                   ");
    }
    fprintf(to, "%s\n", options[k].help);
  }
  fprintf(to, "  --help\n");
}

/* Sets the options of the command line, the last value if an option comes again; with --help, or with a sentence about
 * a fault, ends the program. about: the first lines of --help. */
LBP_FN void basic_parse(int argc, char **argv, const char *about, const basic_option *options, size_t count) {
  int a;
  for (a = 1; a < argc; a++) {
    const size_t length = strlen(argv[a]);
    size_t k = 0;
    if (strcmp(argv[a], "--help") == 0) {
      basic_usage(stdout, about, options, count);
      exit(0);
    }
    while (k < count && (strncmp(argv[a], options[k].name, length) != 0 || length != strcspn(options[k].name, " "))) {
      k++;
    }
    if (k == count) {
      fprintf(stderr, BASIC_PROGRAM ": there is no option %s\n", argv[a]);
      basic_usage(stderr, about, options, count);
      exit(2);
    }
    if (options[k].kind == OPTION_FLAG) {
      basic_set(&options[k], argv[a], "");
    } else if (a + 1 < argc) {
      basic_set(&options[k], argv[a], argv[a + 1]);
      a++;
    } else {
      basic_wrong(argv[a], "", "needs a value");
    }
  }
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* Runs a script, whose path is from where the program was started, with these settings; 0 where that did not work. */
LBP_FN int basic_gnuplot(const char *script, const char *settings) {
  char command[4000];
  if (system("command -v gnuplot >/dev/null 2>&1") != 0) {
    printf("No gnuplot here, no picture.\n");
    return 0;
  }
  snprintf(command, sizeof command, "gnuplot -e \"%s\" %s", settings, script);
  if (system(command) == 0) return 1;
  fprintf(stderr, BASIC_PROGRAM ": gnuplot failed; no picture by %s\n", script);
  return 0;
}

/* ---- progress: a line on the terminal, redrawn; nothing where stderr is a file ----------------------------------- */

static struct {
  double work, done, begin, drawn; /* work in any unit, done so far; times */
  double share;                    /* work of the run in progress, of which a runner reports parts */
  char label[80];
} basic_progress;

LBP_FN void basic_progress_begin(double work) {
  basic_progress.work = work;
  basic_progress.done = 0;
  basic_progress.begin = basic_progress.drawn = basic_now();
}

LBP_FN void basic_progress_clear(void) {
  if (isatty(2)) fprintf(stderr, "\r%78s\r", "");
}

LBP_FN void basic_progress_add(double work) {
  const double now = basic_now();
  basic_progress.done += work;
  if (!isatty(2) || now - basic_progress.drawn < 0.25 || basic_progress.work <= 0) return;
  basic_progress.drawn = now;
  {
    const double share = basic_progress.done / basic_progress.work, part = share < 1 ? share : 1;
    const double spent = now - basic_progress.begin, left = part > 0 ? spent * (1 - part) / part : 0;
    char bar[21];
    int k;
    for (k = 0; k < 20; k++) bar[k] = k < part * 20 ? '#' : '.';
    bar[20] = '\0';
    fprintf(stderr, "\r%s %3.0f%%  %-34.34s %4.0f s, %4.0f s left ", bar, 100 * part, basic_progress.label, spent,
            left);
  }
}

#endif
