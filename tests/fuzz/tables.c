/* Fuzz target: what examples read of their users' files next to what `files`, `qubo` and `alignment` look at: tables of
 * numbers (examples/csv.h) and grey pictures (examples/pgm.h). The first byte says which; the rest is the file. What is
 * accepted must be what is in the file, seen in another way; a refusal has a reason. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <unistd.h>

#include "../../examples/csv.h"
#include "../../examples/pgm.h"

enum { TABLES_MOST = 1 << 16 };

/* ---- a file of this process -------------------------------------------------------------------------------------- */

static char tables_path[64];

static void tables_clean(void) { remove(tables_path); }

static void tables_write(const uint8_t *bytes, size_t size) {
  FILE *file;
  if (!*tables_path) {
    const char *top = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(tables_path, sizeof tables_path, "%s/lbp_fuzz_XXXXXX", top);
    const int made = mkstemp(tables_path);
    if (made < 0) fuzz_fail(__FILE__, __LINE__, "no file");
    close(made);
    atexit(tables_clean);
  }
  file = fopen(tables_path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    fuzz_fail(__FILE__, __LINE__, "the file cannot be written");
  }
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* How many lines are not blank, of a text without quotes. */
static uint32_t tables_lines(const char *text) {
  uint32_t lines = 0;
  int blank = 1;
  for (;; text++) {
    if (*text == '\n' || *text == '\r' || *text == '\0') {
      lines += !blank;
      blank = 1;
      if (!*text) return lines;
    } else if (*text != ' ') {
      blank = 0;
    }
  }
}

/* A table that was accepted, written down again and read, is the same. */
static void tables_again(const csv_table *t) {
  size_t room = 16, length = 0, k;
  const size_t cells = (size_t)t->rows * t->columns;
  char *text, why[INPUT_WHY];
  csv_table again;
  uint32_t i;
  for (i = 0; i < t->columns; i++) room += 2 * strlen(t->name[i]) + 4;
  room += 32 * cells;
  text = (char *)malloc(room);
  FUZZ_CHECK(text != NULL);
  for (i = 0; i < t->columns; i++) {
    const char *c;
    text[length++] = '"';
    for (c = t->name[i]; *c; c++) {
      if (*c == '"') text[length++] = '"';
      text[length++] = *c;
    }
    text[length++] = '"';
    text[length++] = i + 1 < t->columns ? ',' : '\n';
  }
  for (k = 0; k < cells; k++) {
    length += (size_t)snprintf(text + length, room - length, "%.17g%c", t->value[k],
                               (k + 1) % t->columns > 0 ? ',' : '\n');
  }
  text[length] = '\0';
  FUZZ_CHECK(csv_parse(&again, text, why) == LBP_OK);
  FUZZ_CHECK(again.rows == t->rows && again.columns == t->columns);
  for (i = 0; i < t->columns; i++) FUZZ_CHECK(strcmp(again.name[i], t->name[i]) == 0);
  for (k = 0; k < cells; k++) FUZZ_CHECK(memcmp(&again.value[k], &t->value[k], sizeof(double)) == 0);
  csv_free(&again);
}

static void tables_csv(const uint8_t *bytes, size_t size) {
  char why[INPUT_WHY] = "", *text = (char *)calloc(size + 1, 1);
  csv_table t;
  uint32_t i;
  size_t k;
  int status;
  FUZZ_CHECK(text != NULL);
  memcpy(text, bytes, size);
  tables_write(bytes, size);
  status = csv_read(&t, tables_path, why);
  if (status != LBP_OK) {
    FUZZ_CHECK(status == LBP_E_FORMAT && !t.value && !t.name && t.rows == 0 && t.columns == 0);
    FUZZ_CHECK(strncmp(why, tables_path, strlen(tables_path)) == 0 && strlen(why) > strlen(tables_path) + 4);
  } else {
    FUZZ_CHECK(strlen(text) == size && t.rows > 0 && t.columns > 0);
    for (i = 0; i < t.columns; i++) FUZZ_CHECK(*t.name[i] && strlen(t.name[i]) <= size);
    for (k = 0; k < (size_t)t.rows * t.columns; k++) FUZZ_CHECK(lbp_is_finite(t.value[k]));
    if (!memchr(bytes, '"', size)) FUZZ_CHECK(tables_lines(text) == t.rows + 1);
    tables_again(&t);
  }
  csv_free(&t);
  free(text);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

static void tables_pgm(const uint8_t *bytes, size_t size) {
  char why[PGM_WHY] = "";
  uint32_t rows = 0, columns = 0;
  uint8_t *grey;
  tables_write(bytes, size);
  grey = pgm_read(tables_path, &rows, &columns, why);
  if (grey) {
    const size_t count = (size_t)rows * columns;
    size_t at = size - count;
    FUZZ_CHECK(count > 0 && count <= size && bytes[0] == 'P' && bytes[1] == '5');
    for (at = 0; at + count <= size && memcmp(bytes + at, grey, count) != 0; at++) continue;
    FUZZ_CHECK(at + count <= size);
  } else {
    FUZZ_CHECK(strncmp(why, tables_path, strlen(tables_path)) == 0 && strlen(why) > strlen(tables_path) + 4);
  }
  free(grey);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
  if (size < 2 || size > TABLES_MOST) return 0;
  fuzz_start(input, size);
  if (fuzz_below(4) < 3) tables_csv(input + 1, size - 1);
  else tables_pgm(input + 1, size - 1);
  return 0;
}
