/* Shared by the long studies, paper.c and any_scale.c: work in cells, each with parameters and a seed that follows from
 * them. A finished cell is kept in journal.txt (journal.h) and not computed again. Options, stopping,
 * files that are whole or not there, the machine. */
#ifndef BENCH_STUDY_H
#define BENCH_STUDY_H

#include <fnmatch.h>

#include "journal.h"

/* What every cell begins with: its name and parameters, its seed, which is a function of both, the seconds that it is
 * expected to take on two cores, and whether it is to be computed in this run. */
#define STUDY_CELL                \
  char key[96], parameters[160];  \
  uint64_t seed;                  \
  double seconds;                 \
  int chosen

typedef struct { STUDY_CELL; } study_cell;

typedef struct study study;

/* What a report's text calls by its name, see study_report; what: further words. */
typedef struct {
  const char *name;
  void (*print)(const study *s, FILE *md, const char *what);
} study_part;

struct study {
  const char *name;                /* of the program, which is the folder's too */
  const char *script;              /* of gnuplot */
  size_t cell_bytes, journal_room;
  const char *const *files;        /* what is written of the finished cells: CSV files, and the report as the last */
  int file_count;
  void (*plan)(study *s);          /* adds all cells */
  int (*fits)(const void *cell, uint32_t count);              /* can a result have so many numbers? */
  study_cell *(*needs)(const study *s, const void *cell);     /* the cell that is computed before, or NULL */
  void (*compute)(study *s, const void *cell);                /* and study_keep */
  void (*print)(const study *s, const void *cell);            /* a line of it, without the end */
  void (*write)(const study *s, FILE *const *csv);
  const char *text, *quick_text;   /* of the report, a file; what a quick run has less of */
  const study_part *parts;
  int part_count;
  /* of this run */
  char *cells;
  uint32_t count, room;
  journal journal;
  const char *data, *folder;
  int quick, again;
};

LBP_FN study_cell *study_at(const study *s, uint32_t k) { return (study_cell *)(void *)(s->cells + k * s->cell_bytes); }

/* The seed of a cell: a function of its name and parameters. */
LBP_FN uint64_t study_seed(const char *key, const char *parameters) {
  char text[512];
  const int length = snprintf(text, sizeof text, "%s|%s", key, parameters);
  if (length >= (int)sizeof text) basic_die("%s: too long a name", key);
  return lbp_checksum((const unsigned char *)text, (size_t)length);
}

/* What all cells have in their parameters, so that it changes their seeds; in a rerun its number, too. Not the version of
 * lbp: a version with the same draws gives the same results, which make bench-again relies on. */
LBP_FN size_t study_begin(const study *s, char *parameters, size_t size, int revision) {
  int length = snprintf(parameters, size, "lbp=800 revision=%d", revision);
  if (s->again) length += snprintf(parameters + length, size - (size_t)length, " again=%d", s->again);
  return (size_t)length;
}

LBP_FN void study_add(study *s, const void *cell) {
  s->cells = (char *)bench_grow(s->cells, s->count, &s->room, s->cell_bytes);
  memcpy(study_at(s, s->count++), cell, s->cell_bytes);
}

/* A finished cell's numbers, or NULL. */
LBP_FN const journal_entry *study_find(const study *s, const void *cell) {
  const study_cell *c = (const study_cell *)cell;
  const journal_entry *e = journal_find(&s->journal, c->key, c->parameters);
  return e && s->fits(cell, e->count) ? e : NULL;
}

/* Those of a cell that has been computed: doubles alone, whatever their struct. */
LBP_FN void study_keep(study *s, const void *cell, const void *values, size_t bytes) {
  const study_cell *c = (const study_cell *)cell;
  journal_add(&s->journal, c->key, c->parameters, (const double *)values, (uint32_t)(bytes / sizeof(double)));
}

LBP_FN uint32_t study_finished(const study *s) {
  uint32_t finished = 0;
  for (uint32_t k = 0; k < s->count; k++) finished += study_find(s, study_at(s, k)) != NULL;
  return finished;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *out, *data, *only;
  int quick, list, report, threads, again;
} study_options;

LBP_FN study_options study_parse(int argc, char **argv, const study *s) {
  static char folder[96];
  char usage[64], again[24] = "";
  study_options o = {.data = "bench/data"};
  const basic_option table[] = {
    {"--only PATTERN", "only cells of that name, * and ? as in a shell: 'tables/*'", OPTION_TEXT, &o.only, 0, 0, NULL},
    {"--list", "the names of the cells, which are finished, and the time expected for each", OPTION_FLAG, &o.list, 0, 0,
     NULL},
    {"--report", "no computing: the report of what is finished", OPTION_FLAG, &o.report, 0, 0, NULL},
    {"--quick", "fewer chains and points, in a tenth of the time", OPTION_FLAG, &o.quick, 0, 0, NULL},
    {"--again N", "a rerun: the same with other seeds; reruns.awk says whether its errors are those that were stated",
     OPTION_INT, &o.again, 1, 1000000, NULL},
    {"--threads N", "1 to 1024 (default: all cores); no result depends on it", OPTION_INT, &o.threads, 1, 1024, NULL},
    {"--out DIR", "where the journal and the report go (default: bench/out and this name, with -quick, with -again1)",
     OPTION_TEXT, &o.out, 0, 0, NULL},
    {"--data DIR", "where models and other figures are (default: bench/data)", OPTION_TEXT, &o.data, 0, 0, NULL}};
  snprintf(usage, sizeof usage, "usage: %s [option ...]", s->name);
  basic_parse(argc, argv, usage, table, sizeof table / sizeof table[0]);
  if (o.again) snprintf(again, sizeof again, "-again%d", o.again);
  snprintf(folder, sizeof folder, "bench/out/%s%s%s", s->name, o.quick ? "-quick" : "", again);
  if (!o.out) o.out = folder;
  return o;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

/* The line below the head of a table of Markdown, behind its first column. */
LBP_FN void print_rule(FILE *md, int columns) {
  fprintf(md, "\n|---|");
  while (columns-- > 0) fprintf(md, "---:|");
}

/* A column of it. */
LBP_FN void print_figure(FILE *to, estimate e) {
  const int digits = e.mean < 0.0995 ? 4 : e.mean < 0.995 ? 3 : e.mean < 9.95 ? 2 : e.mean < 99.5 ? 1 : 0;
  char text[64];
  snprintf(text, sizeof text, "%.*f +- %.*f", digits, e.mean, digits, e.se);
  fprintf(to, " %19s |", text);
}

/* What made it; of a study that has cells "3 of 4 cells finished". */
LBP_FN void study_machine(const study *s, FILE *md) {
  fprintf(md, "%s", bench_made());
  if (s->count) fprintf(md, "; %u of %u cells finished", (unsigned)study_finished(s), (unsigned)s->count);
  if (s->quick) fprintf(md, " (--quick: %s)", s->quick_text);
}

/* The rows of a CSV file as a table of Markdown. */
LBP_FN void study_csv(const study *s, FILE *md, const char *name) {
  char path[1100], line[1024], *cell[32];
  int row = 0;
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  FILE *csv = fopen(path, "r");
  if (!csv) basic_die("cannot read %s: %s", path, strerror(errno));
  for (; fgets(line, sizeof line, csv); row++) {
    if (line[0] == '#') {
      row--;
      continue;
    }
    const int columns = bench_split(line, cell, 32);
    for (int c = 0; c < columns; c++) {
      for (char *at = cell[c]; row == 0 && (at = strchr(at, '_'));) *at = ' ';
      fprintf(md, "| %s ", cell[c]);
    }
    fprintf(md, "|\n");
    for (int c = 0; row == 0 && c < columns; c++) fprintf(md, "%s---|%s", c ? "" : "|", c + 1 < columns ? "" : "\n");
  }
  fclose(csv);
}

LBP_FN void study_part_print(const study *s, FILE *md, const char *name, const char *what) {
  int k = 0;
  if (strcmp(name, "machine") == 0) study_machine(s, md);
  else if (strcmp(name, "csv") == 0) study_csv(s, md, what);
  else {
    while (k < s->part_count && strcmp(name, s->parts[k].name) != 0) k++;
    if (k == s->part_count) basic_die("%s: there is no part %s", s->text, name);
    s->parts[k].print(s, md, what);
  }
}

/* The report is a text in which @(NAME WORDS) stands for what a part prints. */
LBP_FN void study_report(const study *s, FILE *md) {
  char line[1024];
  FILE *in = fopen(s->text, "r");
  if (!in) basic_die("cannot read %s: %s", s->text, strerror(errno));
  while (fgets(line, sizeof line, in)) {
    char *from = line, *at, *end;
    while ((at = strstr(from, "@(")) && (end = strchr(at, ')'))) {
      char *what = at + strcspn(at, " )");
      fprintf(md, "%.*s", (int)(at - from), from);
      *end = '\0';
      if (*what) *what++ = '\0';
      study_part_print(s, md, at + 2, what);
      from = end + 1;
    }
    fputs(from, md);
  }
  fclose(in);
}

/* CSV files, report and pictures of what is finished. */
LBP_FN void study_write(const study *s) {
  enum { MOST = 16 };
  const int last = s->file_count - 1;
  char settings[1600];
  bench_file file[MOST];
  FILE *csv[MOST] = {NULL};
  for (int k = 0; k <= last; k++) {
    file[k] = bench_open("%s/%s.tmp", s->folder, s->files[k]);
    csv[k] = file[k].to;
    if (k < last) fprintf(csv[k], "# %s\n", bench_made());
  }
  s->write(s, csv);
  for (int k = 0; k < last; k++) bench_keep(&file[k]);
  study_report(s, file[last].to);
  bench_keep(&file[last]);
  snprintf(settings, sizeof settings, "folder='%s'; made='%s'", s->folder, bench_made());
  basic_gnuplot(s->script, settings);
  printf("Report: %s/%s\n", s->folder, s->files[last]);
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

/* What this process has spent on cells, and what it expected to. */
static struct {
  double seconds, expected, left;
} study_pace;

/* A cell's line, and behind it "  12.3 s  4 min left"; nothing for a cell finished before (seconds < 0). */
LBP_FN void study_print(const study *s, const study_cell *c, double seconds) {
  const double left = study_pace.expected > 0 ? study_pace.left * study_pace.seconds / study_pace.expected : -1;
  s->print(s, c);
  if (seconds >= 0) {
    printf("  %5.1f s", seconds);
    if (left >= 90) printf("  %.0f min left", left / 60);
    else if (left >= 0) printf("  %.0f s left", left);
  }
  printf("\n");
}

/* Computes a cell that is not finished, and before it the one that it needs. */
LBP_FN void study_finish(study *s, const study_cell *c) {
  const study_cell *before = s->needs ? s->needs(s, c) : NULL;
  if (study_find(s, c)) return;
  if (before) study_finish(s, before);
  const double begin = basic_now();
  basic_progress.share = c->seconds;
  bench_label("%.79s", c->key);
  s->compute(s, c);
  const double seconds = basic_now() - begin;
  study_pace.seconds += seconds;
  study_pace.expected += c->seconds;
  study_pace.left -= c->seconds;
  basic_progress_clear();
  study_print(s, c, seconds);
}

LBP_FN void study_stop(int signal) {
  static const char text[] = "\nStopped. What is finished is kept; the same command goes on from here.\n";
  ssize_t ignored = write(2, text, sizeof text - 1);
  (void)ignored;
  _exit(128 + signal);
}

/* Marks the cells that are asked for, or needed by one that is; prints them all with --list. */
LBP_FN void study_choose(study *s, const study_options *o, uint32_t *chosen, uint32_t *finished) {
  for (uint32_t k = 0; k < s->count; k++) {
    study_cell *c = study_at(s, k), *before = s->needs ? s->needs(s, c) : NULL;
    if (o->only && fnmatch(o->only, c->key, 0) != 0) continue;
    c->chosen = 1;
    if (before) before->chosen = 1;
  }
  for (uint32_t k = *chosen = *finished = 0; k < s->count; k++) {
    const study_cell *c = study_at(s, k);
    const int done = study_find(s, c) != NULL;
    if (!c->chosen) continue;
    *chosen += 1;
    *finished += (uint32_t)done;
    if (!done) study_pace.left += c->seconds;
    if (o->list) printf("%-50s %8.1f s  %s\n", c->key, c->seconds, done ? "finished" : "");
  }
  if (!*chosen) basic_die("no cell is called %s: --list has all names", o->only);
}

LBP_FN int study_main(study *s, int argc, char **argv) {
  const study_options o = study_parse(argc, argv, s);
  const int writes = !o.list && !o.report;
  uint32_t chosen, finished;
  signal(SIGINT, study_stop);
  signal(SIGTERM, study_stop);
  bench_start(o.threads);
  s->data = o.data;
  s->folder = o.out;
  s->quick = o.quick;
  s->again = o.again;
  s->plan(s);
  if (writes) journal_open(&s->journal, o.out, s->journal_room);
  else journal_look(&s->journal, o.out);
  if (access(s->text, R_OK) != 0) basic_die("cannot read %s: %s", s->text, strerror(errno));
  for (int file = 0; writes && file < s->file_count; file++) { /* fails now, if it must */
    const bench_file probe = bench_open("%s/%s.tmp", o.out, s->files[file]);
    bench_close(&probe);
  }
  study_choose(s, &o, &chosen, &finished);
  if (o.list || writes) {
    printf("%u cells, %u of them finished before, %.0f min expected for the others on two cores; in %s\n",
           (unsigned)chosen, (unsigned)finished, study_pace.left / 60, s->journal.path);
  }
  if (o.list) return 0;
  basic_progress_begin(study_pace.left);
  for (uint32_t k = 0; writes && k < s->count; k++) {
    const study_cell *c = study_at(s, k);
    if (!c->chosen) continue;
    if (o.only && study_find(s, c)) study_print(s, c, -1);
    else study_finish(s, c);
  }
  study_write(s);
  journal_close(&s->journal);
  free(s->cells);
  return 0;
}

#endif
