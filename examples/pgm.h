/* pgm.h - reads grey pictures: binary PGM files.
 *
 *   uint32_t rows, columns;
 *   char why[PGM_WHY];
 *   uint8_t *grey = pgm_read("picture.pgm", &rows, &columns, why);
 *   if (!grey) fprintf(stderr, "%s\n", why);
 *   ...
 *   free(grey);
 */
#ifndef PGM_H
#define PGM_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PGM_LARGEST = 8192, PGM_WHY = 400 };

/* The next number of a head, behind blanks and comments; the one character after it is read, too. -1 if there is none.
 * It ends at six digits, which are too many for any picture here. */
static long pgm_number(FILE *file) {
  int c = fgetc(file);
  long v = 0;
  while (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '#') {
    if (c == '#') {
      while (c != '\n' && c != EOF) c = fgetc(file);
    }
    c = fgetc(file);
  }
  if (c < '0' || c > '9') return -1;
  for (; c >= '0' && c <= '9' && v < 100000; c = fgetc(file)) v = 10 * v + c - '0';
  return v;
}

/* The grey values, 0 to 255, row by row from the top, in new memory, which is the caller's to free.
 *
 * NULL, with a sentence in why[PGM_WHY], if there is no such file or not enough memory; if it is no binary PGM, which
 * begins with P5 (P2 has numbers as text); if its white is not 255; if a side is longer than PGM_LARGEST; if it ends
 * too early. What comes after the picture does not matter. */
static uint8_t *pgm_read(const char *path, uint32_t *rows, uint32_t *columns, char *why) {
  struct stat info;
  const int odd = stat(path, &info) == 0 && !S_ISREG(info.st_mode); /* a pipe would be waited for */
  FILE *file = odd ? NULL : fopen(path, "rb");
  uint8_t *grey = NULL;
  long width, height;
  if (!file) {
    snprintf(why, PGM_WHY, "%.200s: %s", path, odd ? "no regular file" : strerror(errno));
    return NULL;
  }
  if (fgetc(file) != 'P' || fgetc(file) != '5' || (width = pgm_number(file)) < 1 || (height = pgm_number(file)) < 1 ||
      pgm_number(file) != 255 || width > PGM_LARGEST || height > PGM_LARGEST) {
    snprintf(why, PGM_WHY, "%.200s: give a binary PGM (P5) with 255 grey values, up to %d x %d pixels", path,
             PGM_LARGEST, PGM_LARGEST);
  } else {
    const size_t count = (size_t)width * (size_t)height;
    grey = (uint8_t *)malloc(count);
    if (!grey || fread(grey, 1, count, file) != count) {
      snprintf(why, PGM_WHY, "%.200s: %s", path, grey ? "the file ends too early" : "out of memory");
      free(grey);
      grey = NULL;
    }
    *rows = (uint32_t)height;
    *columns = (uint32_t)width;
  }
  fclose(file);
  return grey;
}

#endif /* PGM_H */
