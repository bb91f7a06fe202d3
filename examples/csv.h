/* csv.h - tables of numbers as text: a line of names, then a line of numbers for each row, with commas, semicolons or
 * tabs between them, names and numbers with or without double quotes. Within quotes a name may have separators and
 * line ends. Lines end with LF, CR LF or CR.
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
  char    *text;    /* the names' characters */
} csv_table;

LBP_FN void csv_free(csv_table *t) {
  free(t->name);
  free(t->value);
  free(t->text);
  memset(t, 0, sizeof *t);
}

/* A table as it is read. */
typedef struct {
  char *at;           /* the next character */
  char separator;
  unsigned long line; /* from 1 */
  int quoted;         /* whether the last field was */
  char *why;          /* a sentence about the error */
} csv_reader;

LBP_FN int csv_is_end(char c) { return c == '\n' || c == '\r' || c == '\0'; }

/* The end of a field: the separator, '\n' for a line's end, 0 at the end of the text; goes beyond it. */
LBP_FN char csv_stop(csv_reader *r) {
  const char stop = *r->at == '\r' ? '\n' : *r->at;
  if (stop) r->at += *r->at == '\r' && r->at[1] == '\n' ? 2 : 1;
  r->line += stop == '\n';
  return stop;
}

/* The next field, without blanks and quotes around it, ended by a 0; *stop gets the character that ended it. LBP_OK,
 * LBP_E_FORMAT. A field never grows: it is written where it was read. */
LBP_FN int csv_field(csv_reader *r, char **field, char *stop) {
  const unsigned long line = r->line;
  char *end;
  while (*r->at == ' ' && r->separator != ' ') r->at++;
  r->quoted = *r->at == '"';
  *field = end = r->at += r->quoted;
  if (r->quoted) {
    while (*r->at && !(*r->at == '"' && r->at[1] != '"')) { /* two of them are one */
      r->at += *r->at == '"';
      r->line += *r->at == '\n' || (*r->at == '\r' && r->at[1] != '\n');
      *end++ = *r->at++;
    }
    if (!*r->at) {
      snprintf(r->why, INPUT_WHY, "line %lu: a quote has no end", line);
      return LBP_E_FORMAT;
    }
    r->at++;
    while (*r->at == ' ') r->at++;
    if (*r->at != r->separator && !csv_is_end(*r->at)) {
      snprintf(r->why, INPUT_WHY, "line %lu: a field goes on behind its quotes", r->line);
      return LBP_E_FORMAT;
    }
  } else {
    while (*r->at != r->separator && !csv_is_end(*r->at)) r->at++;
    for (end = r->at; end > *field && end[-1] == ' '; end--) continue;
  }
  *stop = csv_stop(r);
  *end = '\0'; /* maybe there, where the separator was */
  return LBP_OK;
}

/* Room for twice as many things of so many bytes, at first for 16; NULL, with the old memory as it was, if there is no
 * more. */
LBP_FN void *csv_grow(void *memory, size_t *room, size_t bytes) {
  const size_t more = *room > 0 ? lbp_size_times(*room, 2) : 16;
  void *grown = realloc(memory, lbp_size_times(more, bytes));
  if (grown) *room = more;
  return grown;
}

/* Whether a field may be a number, or mark a missing one. */
LBP_FN int csv_is_value(const char *field) {
  static const char *const missing[] = {"", "NA", "N/A", "null", "NULL", "?", "-", "."};
  char *end;
  size_t k;
  (void)strtod(field, &end);
  if (end != field && !*end) return 1;
  for (k = 0; k < sizeof missing / sizeof *missing; k++) {
    if (strcmp(field, missing[k]) == 0) return 1;
  }
  return 0;
}

/* The line of names. LBP_OK, LBP_E_MEMORY, LBP_E_FORMAT: a column has none, or they are a row of numbers. */
LBP_FN int csv_names(csv_table *t, csv_reader *r) {
  size_t room = 0;
  int values = 1;
  char stop = r->separator;
  while (stop == r->separator) {
    int status;
    if (t->columns == room) {
      char **grown = (char **)csv_grow(t->name, &room, sizeof *t->name);
      if (!grown) return LBP_E_MEMORY;
      t->name = grown;
    }
    status = csv_field(r, &t->name[t->columns++], &stop);
    if (status != LBP_OK) return status;
    if (!*t->name[t->columns - 1]) {
      snprintf(r->why, INPUT_WHY, "line 1: column %lu has no name", (unsigned long)t->columns);
      return LBP_E_FORMAT;
    }
    values = values && !r->quoted && csv_is_value(t->name[t->columns - 1]);
  }
  if (!values) return LBP_OK;
  snprintf(r->why, INPUT_WHY, "line 1 has numbers, not names of columns: put a line of names before it (a number that "
           "is a name, in double quotes)");
  return LBP_E_FORMAT;
}

/* A row of numbers. LBP_OK, or LBP_E_FORMAT. */
LBP_FN int csv_row(csv_table *t, csv_reader *r) {
  const unsigned long line = r->line;
  char stop = r->separator, *field, *end;
  uint32_t i;
  for (i = 0; i < t->columns && stop == r->separator; i++) {
    const int status = csv_field(r, &field, &stop);
    double v;
    if (status != LBP_OK) return status;
    v = strtod(field, &end);
    if (end == field || *end || !lbp_is_finite(v)) {
      snprintf(r->why, INPUT_WHY, "line %lu, column %.60s: \"%.60s\" is no finite number", line, t->name[i], field);
      return LBP_E_FORMAT;
    }
    t->value[(size_t)t->rows * t->columns + i] = v;
  }
  if (i == t->columns && stop != r->separator) {
    t->rows++;
    return LBP_OK;
  }
  snprintf(r->why, INPUT_WHY, "line %lu has %s than %lu numbers, one for each name", line,
           i < t->columns ? "fewer" : "more", (unsigned long)t->columns);
  return LBP_E_FORMAT;
}

/* Rows until the text ends; empty lines don't count. */
LBP_FN int csv_rows(csv_table *t, csv_reader *r) {
  size_t room = 0;
  int status = LBP_OK;
  while (status == LBP_OK && *r->at) {
    const size_t blanks = strspn(r->at, " ");
    if (csv_is_end(r->at[blanks])) {
      r->at += blanks;
      (void)csv_stop(r);
      continue;
    }
    if (t->rows == LBP_MAX_SITES) return LBP_E_SIZE;
    if (t->rows == room) {
      double *grown = (double *)csv_grow(t->value, &room, lbp_size_times(t->columns, sizeof *t->value));
      if (!grown) return LBP_E_MEMORY;
      t->value = grown;
    }
    status = csv_row(t, r);
  }
  if (status != LBP_OK || t->rows > 0) return status;
  snprintf(r->why, INPUT_WHY, "line %lu: the table ends without a row of numbers", r->line);
  return LBP_E_FORMAT;
}

/* The separator of fields: of comma, semicolon and tab the first that the line of names has, outside quotes. */
LBP_FN char csv_separator(const char *at) {
  static const char all[] = ",;\t";
  int there[3] = {0, 0, 0}, quoted = 0, k;
  for (; *at && (quoted || !csv_is_end(*at)); at++) {
    quoted ^= *at == '"';
    for (k = 0; k < 3 && !quoted; k++) there[k] |= *at == all[k];
  }
  return there[0] ? all[0] : there[1] ? all[1] : there[2] ? all[2] : ',';
}

/* Takes text over, which ends with a 0 and is cut up: csv_free frees it. LBP_OK; LBP_E_FORMAT with a sentence that says
 * in which line; LBP_E_MEMORY, LBP_E_SIZE. *t is zeroed then. Empty lines don't count. */
LBP_FN int csv_parse(csv_table *t, char *text, char *why) {
  csv_reader r;
  int status;
  memset(t, 0, sizeof *t);
  memset(&r, 0, sizeof r);
  t->text = text;
  r.at = text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0); /* a mark that some programs begin with */
  r.separator = csv_separator(r.at);
  r.line = 1;
  r.why = why;
  status = csv_names(t, &r);
  if (status == LBP_OK) status = csv_rows(t, &r);
  if (status != LBP_OK && status != LBP_E_FORMAT) snprintf(why, INPUT_WHY, "%s", lbp_error(status));
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
