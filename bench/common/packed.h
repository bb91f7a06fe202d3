/* Numbers in text files, gzipped or not. */
#ifndef BENCH_PACKED_H
#define BENCH_PACKED_H

#include "../../examples/ebm/idx.h"
#include "harness.h"

/* The text of a file in new memory, or NULL, and why, if it can't be read. */
LBP_FN char *packed_text(const char *path, char *why, size_t size) {
  enum { ROOM = 1 << 24 };
  idx_file file = idx_open(path);
  char *text;
  snprintf(why, size, "%s is not there", path);
  if (!file) return NULL;
  text = (char *)basic_alloc(ROOM, 1);
  const int64_t length = idx_read_up_to(file, (uint8_t *)text, ROOM - 1);
  idx_close(file);
  if (length > 0 && (unsigned char)text[0] != 0x1f) return text;
  snprintf(why, size, length > 0 ? "%s is gzipped, which needs zlib" : "%s can't be read", path);
  free(text);
  return NULL;
}

/* The number that *at begins with, of this file, and *at behind it. */
LBP_FN double packed_number(const char *file, char **at) {
  char *end;
  const double v = strtod(*at, &end);
  if (end == *at || !lbp_is_finite(v)) basic_die("%s: a number is missing", file);
  *at = end;
  return v;
}

#endif
