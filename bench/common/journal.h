/* A file of finished work: one line a cell, with the parameters that it was computed with and the numbers that came out.
 *
 *   key|parameters|number number ...|checksum
 *
 * A line is written at once and is on the disk before journal_add returns; a line that a killed process left unfinished,
 * or that was damaged, does not count. A later line replaces an earlier one of the same key and parameters. Numbers are
 * written so that they read back as they were. One process at a time may write. */
#ifndef BENCH_JOURNAL_H
#define BENCH_JOURNAL_H

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>

#include "../../lbp_models.h"
#include "harness.h"

typedef struct {
  char *key, *parameters;
  double *values;
  uint32_t count;
} journal_entry;

typedef struct {
  int file;
  char path[1024];
  journal_entry *entries;
  uint32_t count, room;
} journal;

/* The entry of this key with these parameters, or NULL. */
LBP_FN journal_entry *journal_find(const journal *j, const char *key, const char *parameters) {
  for (uint32_t k = 0; k < j->count; k++) {
    journal_entry *e = &j->entries[k];
    if (strcmp(e->key, key) == 0 && strcmp(e->parameters, parameters) == 0) return e;
  }
  return NULL;
}

LBP_FN journal_entry *journal_remember(journal *j, const char *key, const char *parameters, const double *values,
                                       uint32_t count) {
  journal_entry *e = journal_find(j, key, parameters);
  if (e) {
    free(e->values);
  } else {
    j->entries = (journal_entry *)bench_grow(j->entries, j->count, &j->room, sizeof *j->entries);
    e = &j->entries[j->count++];
    e->key = strdup(key);
    e->parameters = strdup(parameters);
    if (!e->key || !e->parameters) basic_die("out of memory");
  }
  e->values = (double *)basic_alloc(count + 1, sizeof *e->values);
  memcpy(e->values, values, count * sizeof *values);
  e->count = count;
  return e;
}

/* Takes one line, without its end, apart; 0 unless it is whole. */
LBP_FN int journal_parse(journal *j, char *line) {
  char *field[4], *end;
  uint32_t count = 0;
  field[0] = line;
  for (int k = 1; k < 4; k++) {
    field[k] = strchr(field[k - 1], '|');
    if (!field[k]) return 0;
    field[k]++;
  }
  if (lbp_checksum((const unsigned char *)line, (size_t)(field[3] - line)) != strtoull(field[3], &end, 16) ||
      end != field[3] + 16 || *end) {
    return 0;
  }
  for (int k = 1; k < 4; k++) field[k][-1] = '\0';
  double *values = (double *)basic_alloc(strlen(field[2]) + 1, sizeof *values);
  for (line = field[2]; *line; line = end) {
    values[count] = strtod(line, &end);
    if (end == line) break;
    count++;
    end += *end == ' ';
  }
  journal_remember(j, field[0], field[1], values, count);
  free(values);
  return 1;
}

/* Writes all of it and waits for the disk; ends the program if that fails. */
LBP_FN void journal_write(const journal *j, int file, const char *text, size_t length) {
  while (length > 0) {
    const ssize_t written = write(file, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      basic_die("cannot write %s: %s. What is finished is kept; put that right and start again", j->path, strerror(errno));
    }
    text += written;
    length -= (size_t)written;
  }
  if (fsync(file) != 0 && errno != EINVAL) basic_die("cannot write %s: %s", j->path, strerror(errno));
}

/* Takes all lines in, and cuts off an unfinished one if the journal is to be written. */
LBP_FN void journal_read(journal *j, int writable) {
  const off_t size = lseek(j->file, 0, SEEK_END);
  char *text = (char *)basic_alloc((size_t)size + 1, 1), *line, *end;
  uint32_t damaged = 0;
  off_t at = 0;
  while (at < size) {
    const ssize_t got = pread(j->file, text + at, (size_t)(size - at), at);
    if (got <= 0) basic_die("cannot read %s: %s", j->path, got ? strerror(errno) : "it became shorter");
    at += got;
  }
  for (line = text; (end = (char *)memchr(line, '\n', (size_t)(text + size - line))); line = end + 1) {
    *end = '\0';
    damaged += !journal_parse(j, line);
  }
  if (writable && line < text + size && ftruncate(j->file, line - text) != 0) {
    basic_die("cannot shorten %s: %s", j->path, strerror(errno));
  }
  if (damaged) fprintf(stderr, "bench: %s: %u damaged lines are left out\n", j->path, (unsigned)damaged);
  free(text);
}

/* Makes the folder, and those above it. */
LBP_FN void journal_folder(const char *folder) {
  char path[1024];
  if (!*folder) basic_die("a folder needs a name");
  if (strlen(folder) + sizeof "/journal.txt" > sizeof path) basic_die("%s: too long a name", folder);
  for (size_t k = 1; k <= strlen(folder); k++) {
    if (folder[k] != '/' && folder[k]) continue;
    snprintf(path, sizeof path, "%.*s", (int)k, folder);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) basic_die("cannot make the folder %s: %s", path, strerror(errno));
  }
}

/* Is there room for `bytes` more? Asked at once, since a long run should not find out at its end. */
LBP_FN void journal_reserve(const journal *j, const char *folder, size_t bytes) {
  char path[1100], *zeros = (char *)basic_alloc(bytes, 1);
  snprintf(path, sizeof path, "%s/room.tmp", folder);
  unlink(path);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (file < 0) basic_die("cannot write in %s: %s", folder, strerror(errno));
  unlink(path); /* gone however this ends */
  journal_write(j, file, zeros, bytes);
  close(file);
  free(zeros);
}

/* Reads what is finished in folder/journal.txt, which need not be there, and which another process may be writing. */
LBP_FN void journal_look(journal *j, const char *folder) {
  memset(j, 0, sizeof *j);
  snprintf(j->path, sizeof j->path, "%.1000s/journal.txt", folder);
  j->file = open(j->path, O_RDONLY);
  if (j->file < 0 && errno != ENOENT) basic_die("cannot read %s: %s", j->path, strerror(errno));
  if (j->file >= 0) journal_read(j, 0);
}

/* Opens folder/journal.txt, or makes it, and reads what is finished. Ends the program with a sentence if it can't be
 * written, another process has it, or `room` bytes do not fit. */
LBP_FN void journal_open(journal *j, const char *folder, size_t room) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  memset(j, 0, sizeof *j);
#ifdef SIGXFSZ
  signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is then an error like others */
#endif
  journal_folder(folder);
  snprintf(j->path, sizeof j->path, "%s/journal.txt", folder);
  j->file = open(j->path, O_RDWR | O_CREAT | O_APPEND, 0666);
  if (j->file < 0) basic_die("cannot write %s: %s", j->path, strerror(errno));
  if (fcntl(j->file, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN)) {
    basic_die("%s is in use by another run: wait for it, stop it, or use another folder", j->path);
  }
  journal_reserve(j, folder, room);
  journal_read(j, 1);
}

LBP_FN const journal_entry *journal_add(journal *j, const char *key, const char *parameters, const double *values,
                                        uint32_t count) {
  const size_t room = strlen(key) + strlen(parameters) + 26 * (size_t)count + 32;
  char *line = (char *)basic_alloc(room, 1);
  size_t at = (size_t)sprintf(line, "%s|%s|", key, parameters);
  for (uint32_t k = 0; k < count; k++) at += (size_t)sprintf(line + at, "%s%.17g", k ? " " : "", values[k]);
  line[at++] = '|';
  at += (size_t)sprintf(line + at, "%016" PRIx64 "\n", lbp_checksum((const unsigned char *)line, at));
  journal_write(j, j->file, line, at);
  free(line);
  return journal_remember(j, key, parameters, values, count);
}

LBP_FN void journal_close(journal *j) {
  for (uint32_t k = 0; k < j->count; k++) {
    BENCH_FREE(j->entries[k].key, j->entries[k].parameters, j->entries[k].values);
  }
  free(j->entries);
  if (j->file >= 0) close(j->file);
  memset(j, 0, sizeof *j);
}

#endif
