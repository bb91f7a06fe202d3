/* What the long studies share, paper.c and any_scale.c: work in cells that are kept in a journal (journal.h), options,
 * stopping, files that are whole or not there, the machine. */
#ifndef BENCH_STUDY_H
#define BENCH_STUDY_H

#include <fnmatch.h>

#include "journal.h"

/* ---- options ---------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *out, *data, *only;
  int quick, list, report, threads;
} study_options;

/* `name` of the program, which is the folder's too, and a pattern to show. */
LBP_FN void study_usage(FILE *to, const char *name, const char *pattern) {
  fprintf(to,
          "usage: %s [option ...]\n"
          "  --only PATTERN  only the cells of that name, * and ? as in a shell: '%s'\n"
          "  --list          the names of the cells, which are finished, and the time expected for each\n"
          "  --report        no computing: the report of what is finished\n"
          "  --quick         fewer chains and points, in a tenth of the time\n"
          "  --threads N     1 to 1024 (default: all cores); the results do not depend on it\n"
          "  --out DIR       where the journal and the report go (default: bench/out/%s, --quick: .../%s-quick)\n"
          "  --data DIR      where models and figures to compare with are (default: bench/data)\n"
          "  --help\n",
          name, pattern, name, name);
}

LBP_FN study_options study_parse(int argc, char **argv, const char *name, void (*usage)(FILE *)) {
  static char folder[96];
  study_options o;
  const basic_option table[] = {
    {"--only", OPTION_TEXT, &o.only, 0, 0, NULL},
    {"--list", OPTION_FLAG, &o.list, 0, 0, NULL},
    {"--report", OPTION_FLAG, &o.report, 0, 0, NULL},
    {"--quick", OPTION_FLAG, &o.quick, 0, 0, NULL},
    {"--threads", OPTION_INT, &o.threads, 1, 1024, NULL},
    {"--out", OPTION_TEXT, &o.out, 0, 0, NULL},
    {"--data", OPTION_TEXT, &o.data, 0, 0, NULL}};
  memset(&o, 0, sizeof o);
  o.data = "bench/data";
  basic_parse(argc, argv, table, sizeof table / sizeof table[0], usage);
  snprintf(folder, sizeof folder, "bench/out/%s%s", name, o.quick ? "-quick" : "");
  if (!o.out) o.out = folder;
  return o;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* The seed of a cell: a function of its name and parameters. */
LBP_FN uint64_t study_seed(const char *key, const char *parameters) {
  char text[512];
  const int length = snprintf(text, sizeof text, "%s|%s", key, parameters);
  if (length >= (int)sizeof text) basic_die("%s: too long a name", key);
  return lbp_checksum((const unsigned char *)text, (size_t)length);
}

/* What this process has spent on cells, and what it expected to. */
static struct {
  double seconds, expected, left;
} study_pace;

LBP_FN void study_spent(double seconds, double expected) {
  study_pace.seconds += seconds;
  study_pace.expected += expected;
  study_pace.left -= expected;
}

/* "  12.3 s  4 min left", behind a cell's numbers; nothing for a cell finished before (seconds < 0). */
LBP_FN void study_print_time(double seconds) {
  const double left = study_pace.expected > 0 ? study_pace.left * study_pace.seconds / study_pace.expected : -1;
  if (seconds >= 0) {
    printf("  %5.1f s", seconds);
    if (left >= 90) printf("  %.0f min left", left / 60);
    else if (left >= 0) printf("  %.0f s left", left);
  }
  printf("\n");
}

LBP_FN void study_stop(int signal) {
  static const char text[] = "\nStopped. What is finished is kept; the same command goes on from here.\n";
  ssize_t ignored = write(2, text, sizeof text - 1);
  (void)ignored;
  _exit(128 + signal);
}

LBP_FN void study_stoppable(void) {
  signal(SIGINT, study_stop);
  signal(SIGTERM, study_stop);
}

/* ---- files: written under another name and then renamed, so that what is there is whole --------------------------- */

LBP_FN FILE *study_open(const char *folder, const char *name) {
  char path[1100];
  FILE *file;
  snprintf(path, sizeof path, "%s/%s.tmp", folder, name);
  file = fopen(path, "w");
  if (!file) basic_die("cannot write %s: %s", path, strerror(errno));
  return file;
}

LBP_FN void study_close(const char *folder, const char *name, FILE *file) {
  const int bad = fflush(file) != 0 || ferror(file);
  char from[1100], to[1100];
  snprintf(from, sizeof from, "%s/%s.tmp", folder, name);
  snprintf(to, sizeof to, "%s/%s", folder, name);
  if (fclose(file) != 0 || bad || rename(from, to) != 0) {
    basic_die("cannot write %s: %s. The finished cells are kept", to, strerror(errno));
  }
}

/* ---- the machine -------------------------------------------------------------------------------------------------- */

/* The first line that a command prints, or "unknown". */
LBP_FN void study_ask(const char *command, char *answer, size_t size) {
  FILE *pipe = popen(command, "r");
  answer[0] = '\0';
  if (pipe && fgets(answer, (int)size, pipe)) answer[strcspn(answer, "\n")] = '\0';
  if (pipe) pclose(pipe);
  if (!answer[0]) snprintf(answer, size, "unknown");
}

/* "processor, 2 cores; date; lbp 1.2.3, commit abc", without an end. */
LBP_FN void study_machine(FILE *md) {
  char processor[200], cores[32], commit[64], date[32];
  study_ask("sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null", processor, sizeof processor);
  study_ask("getconf _NPROCESSORS_ONLN 2>/dev/null", cores, sizeof cores);
  study_ask("git describe --always --dirty 2>/dev/null", commit, sizeof commit);
  study_ask("date -u +%Y-%m-%d", date, sizeof date);
  fprintf(md, "%s, %s cores; %s; lbp %d.%d.%d, commit %s", processor, cores, date, LBP_VERSION / 10000,
          LBP_VERSION / 100 % 100, LBP_VERSION % 100, commit);
}

#endif
