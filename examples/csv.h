/* csv.h - tables of numbers as text: a line of names, then a line of numbers for each row, with commas, semicolons or
 * tabs between them, names and numbers maybe in double quotes.
 *
 *   csv_table table;
 *   char why[INPUT_WHY];
 *   if (csv_read(&table, "data.csv", why) != LBP_OK) fprintf(stderr, "%s\n", why);
 *   ...
 *   csv_free(&table);
 */
#ifndef CSV_H
#define CSV_H

#include "inputs.h"

typedef struct {
  uint32_t rows, columns;
  char   **name;    /* [columns] */
  double  *value;   /* [rows][columns] */
  char    *text;    /* what the names are part of */
} csv_table;

LBP_FN void csv_free(csv_table *t) {
  free(t->name);
  free(t->value);
  free(t->text);
  memset(t, 0, sizeof *t);
}

/* The next field, without blanks and quotes around it, which *at is beyond then. Returns what ended it: the separator,
 * '\n', or 0 at the end of the text. */
LBP_FN char csv_field(char **at, char separator, char **field) {
  char *from = *at, *to, *end, stop;
  while (*from == ' ' && *from != separator) from++;
  if (*from == '"') {
    *field = to = ++from;
    while (*from && !(*from == '"' && from[1] != '"')) { /* two of them are one */
      from += *from == '"';
      *to++ = *from++;
    }
    end = to;
    from += *from == '"';
    while (*from && *from != separator && *from != '\n') from++;
  } else {
    *field = from;
    while (*from && *from != separator && *from != '\n') from++;
    for (end = from; end > *field && (end[-1] == ' ' || end[-1] == '\r'); end--) continue;
  }
  stop = *from;
  *at = from + (stop != 0);
  *end = 0;
  return stop;
}

/* The line of names; *at is beyond it then. LBP_OK, LBP_E_MEMORY, LBP_E_FORMAT: no name. */
LBP_FN int csv_names(csv_table *t, char **at, char separator, char *why) {
  const char *end;
  char stop = separator;
  uint32_t i;
  t->columns = 1;
  for (end = *at; *end && *end != '\n'; end++) t->columns += *end == separator; /* at most so many */
  t->name = (char **)calloc(t->columns, sizeof *t->name);
  if (!t->name) return LBP_E_MEMORY;
  for (i = 0; stop == separator; i++) {
    stop = csv_field(at, separator, &t->name[i]);
    if (*t->name[i]) continue;
    snprintf(why, INPUT_WHY, "line 1: column %lu has no name", (unsigned long)i + 1);
    return LBP_E_FORMAT;
  }
  t->columns = i;
  return LBP_OK;
}

/* A row of numbers, to t->value. LBP_OK, or LBP_E_FORMAT. */
LBP_FN int csv_row(csv_table *t, char **at, char separator, unsigned long line, char *why) {
  char stop = separator, *field, *end;
  uint32_t i;
  for (i = 0; i < t->columns && stop == separator; i++) {
    double v;
    stop = csv_field(at, separator, &field);
    v = strtod(field, &end);
    if (end == field || *end || !lbp_is_finite(v)) {
      snprintf(why, INPUT_WHY, "line %lu, column %.60s: \"%.60s\" is no finite number", line, t->name[i], field);
      return LBP_E_FORMAT;
    }
    t->value[(size_t)t->rows * t->columns + i] = v;
  }
  if (i == t->columns && stop != separator) {
    t->rows++;
    return LBP_OK;
  }
  snprintf(why, INPUT_WHY, "line %lu has %s than %lu numbers, one for each name", line,
           i < t->columns ? "fewer" : "more", (unsigned long)t->columns);
  return LBP_E_FORMAT;
}

/* Takes text over, which ends with a 0 and is cut up: csv_free frees it. LBP_OK; LBP_E_FORMAT with a sentence that says
 * in which line; LBP_E_MEMORY. *t is zeroed then. Empty lines don't count. */
LBP_FN int csv_parse(csv_table *t, char *text, char *why) {
  char *at = text, separator = ',';
  unsigned long line = 1;
  size_t lines = 1, head;
  int status;
  memset(t, 0, sizeof *t);
  t->text = text;
  if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; /* a mark that some programs begin with */
  head = strcspn(at, "\n");
  if (!memchr(at, ',', head)) separator = memchr(at, ';', head) ? ';' : memchr(at, '\t', head) ? '\t' : ',';
  status = csv_names(t, &at, separator, why);
  if (status == LBP_OK) {
    const char *c;
    for (c = at; *c; c++) lines += *c == '\n';
    t->value = (double *)calloc(lines, lbp_size_times(t->columns, sizeof *t->value));
    if (!t->value) status = LBP_E_MEMORY;
  }
  while (status == LBP_OK && *at) {
    line++;
    if (strspn(at, " \r") == strcspn(at, "\n")) at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    else status = csv_row(t, &at, separator, line, why);
  }
  if (status == LBP_E_MEMORY) snprintf(why, INPUT_WHY, "%s", lbp_error(status));
  if (status != LBP_OK) csv_free(t);
  return status;
}

/* The same from a file, which LBP_E_FORMAT refuses also for a byte of 0. LBP_E_FILE too. */
LBP_FN int csv_read(csv_table *t, const char *path, char *why) {
  size_t size;
  int status;
  char reason[INPUT_WHY], *text, *bytes = (char *)input_bytes(path, &size, &status, why);
  memset(t, 0, sizeof *t);
  if (!bytes) return status;
  text = (char *)realloc(bytes, size + 1);
  if (!text) {
    free(bytes);
    snprintf(why, INPUT_WHY, "%.200s: %s", path, lbp_error(LBP_E_MEMORY));
    return LBP_E_MEMORY;
  }
  text[size] = 0;
  if (strlen(text) != size) {
    snprintf(why, INPUT_WHY, "%.200s: a byte of 0, so this is no text", path);
    free(text);
    return LBP_E_FORMAT;
  }
  status = csv_parse(t, text, reason);
  if (status != LBP_OK) snprintf(why, INPUT_WHY, "%.150s, %.200s", path, reason);
  return status;
}

/* The column of this name; t->columns if there is none. */
LBP_FN uint32_t csv_find(const csv_table *t, const char *name) {
  uint32_t i = 0;
  while (i < t->columns && strcmp(t->name[i], name) != 0) i++;
  return i;
}

#endif /* CSV_H */
