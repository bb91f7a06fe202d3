/* idx.h - reads IDX files of images (unsigned bytes, three dimensions), the format of MNIST and the like.
 *
 * Define IDX_ZLIB to 1 and link with -lz to read gzipped files as well.
 */
#ifndef IDX_H
#define IDX_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../lbp.h"

#ifndef IDX_ZLIB
#define IDX_ZLIB 0
#endif
#if IDX_ZLIB
#include <zlib.h>
#endif

enum { IDX_WHY = 400 };                /* room for the error's sentence */
#define IDX_LARGEST ((uint64_t)1 << 31) /* pixels in one file */

typedef struct {
  uint32_t count, rows, cols;
  uint8_t *pixels;                     /* [count][rows][cols] */
} idx_images;

LBP_FN void idx_free(idx_images *images) {
  free(images->pixels);
  memset(images, 0, sizeof *images);
}

#if IDX_ZLIB
typedef gzFile idx_file;
LBP_FN idx_file idx_open(const char *path) { return gzopen(path, "rb"); }
LBP_FN void idx_close(idx_file file) { (void)gzclose_r(file); }
LBP_FN int idx_read_some(idx_file file, uint8_t *out, unsigned size) { return gzread(file, out, size); }
#else
typedef FILE *idx_file;
LBP_FN idx_file idx_open(const char *path) { return fopen(path, "rb"); }
LBP_FN void idx_close(idx_file file) { (void)fclose(file); }
LBP_FN int idx_read_some(idx_file file, uint8_t *out, unsigned size) {
  const size_t got = fread(out, 1, size, file);
  return got == 0 && ferror(file) ? -1 : (int)got;
}
#endif

/* Reads until `size` bytes are there or the file ends; how many came, or -1 on an error of the file or its gzip. */
LBP_FN int64_t idx_read_up_to(idx_file file, uint8_t *out, uint64_t size) {
  uint64_t got = 0;
  while (got < size) {
    const unsigned wanted = size - got < 1u << 20 ? (unsigned)(size - got) : 1u << 20;
    const int some = idx_read_some(file, out + got, wanted);
    if (some < 0) return -1;
    if (some == 0) break;
    got += (uint64_t)some;
  }
  return (int64_t)got;
}

LBP_FN uint32_t idx_big_endian(const uint8_t *in) {
  return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

/* Checks the 16 bytes of the header and takes the sizes from it. */
LBP_FN int idx_parse_header(idx_images *images, const uint8_t *header, int64_t got, const char *path, char *why) {
  uint64_t pixels;
  if (got >= 2 && header[0] == 0x1f && header[1] == 0x8b) {
    snprintf(why, IDX_WHY, "%.200s: %s", path, IDX_ZLIB ? "gzipped twice; gunzip it once"
             : "this is a gzip file, and this program was built without zlib; gunzip it");
    return LBP_E_FORMAT;
  }
  if (got < 16) {
    snprintf(why, IDX_WHY, "%.200s: ends within the header of an IDX file (%d of 16 bytes)", path, (int)got);
    return LBP_E_FORMAT;
  }
  if (idx_big_endian(header) != 0x803) {
    snprintf(why, IDX_WHY, "%.200s: not an IDX file of images (starts with 0x%08lx instead of 0x00000803)", path,
             (unsigned long)idx_big_endian(header));
    return LBP_E_FORMAT;
  }
  images->count = idx_big_endian(header + 4);
  images->rows = idx_big_endian(header + 8);
  images->cols = idx_big_endian(header + 12);
  pixels = (uint64_t)images->rows * images->cols;
  if (pixels == 0 || images->count == 0 || pixels > IDX_LARGEST || images->count > IDX_LARGEST / pixels) {
    snprintf(why, IDX_WHY, "%.200s: the header claims %lu images of %lu x %lu pixels, which is %s", path,
             (unsigned long)images->count, (unsigned long)images->rows, (unsigned long)images->cols,
             pixels == 0 || images->count == 0 ? "nothing" : "absurd");
    return LBP_E_FORMAT;
  }
  return LBP_OK;
}

/* Reads the pixels in pieces, growing as they come: a header that lies can't claim memory. */
LBP_FN int idx_read_pixels(idx_images *images, idx_file file, const char *path, char *why) {
  const uint64_t size = (uint64_t)images->count * images->rows * images->cols;
  uint64_t have = 0, room = 0;
  uint8_t extra;
  int64_t got;
  while (have < size) {
    uint8_t *grown;
    room = room == 0 ? 1u << 16 : 2 * room;
    if (room > size) room = size;
    grown = (uint8_t *)realloc(images->pixels, (size_t)room);
    if (!grown) {
      snprintf(why, IDX_WHY, "%.200s: out of memory for %lu images", path, (unsigned long)images->count);
      return LBP_E_MEMORY;
    }
    images->pixels = grown;
    got = idx_read_up_to(file, grown + have, room - have);
    if (got < 0) {
      snprintf(why, IDX_WHY, "%.200s: could not be read to its end (damaged, or a failing disk)", path);
      return LBP_E_FILE;
    }
    have += (uint64_t)got;
    if (have < room) {
      snprintf(why, IDX_WHY, "%.200s: ends after %.0f of %.0f pixels (truncated)", path, (double)have, (double)size);
      return LBP_E_FORMAT;
    }
  }
  got = idx_read_up_to(file, &extra, 1);
  if (got != 0) {
    snprintf(why, IDX_WHY, "%.200s: %s the last image", path,
             got < 0 ? "could not be read beyond" : "goes on after");
    return got < 0 ? LBP_E_FILE : LBP_E_FORMAT;
  }
  return LBP_OK;
}

/* Reads all images of a file. LBP_OK, or LBP_E_FILE, LBP_E_FORMAT or LBP_E_MEMORY with a sentence in why[IDX_WHY]
 * and *images zeroed. */
LBP_FN int idx_read(idx_images *images, const char *path, char *why) {
  uint8_t header[16];
  int64_t got;
  int status;
  idx_file file;
  struct stat info;
  memset(images, 0, sizeof *images);
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
    snprintf(why, IDX_WHY, "%.200s: a pipe or a device, and no regular file", path);
    return LBP_E_FILE;
  }
  errno = 0;
  file = idx_open(path);
  if (!file) {
    snprintf(why, IDX_WHY, "%.200s: cannot open: %s", path, errno ? strerror(errno) : "out of memory");
    return LBP_E_FILE;
  }
  got = idx_read_up_to(file, header, sizeof header);
  if (got < 0) {
    snprintf(why, IDX_WHY, "%.200s: cannot be read (a folder, a damaged file, or a failing disk)", path);
    status = LBP_E_FILE;
  } else {
    status = idx_parse_header(images, header, got, path, why);
  }
  if (status == LBP_OK) status = idx_read_pixels(images, file, path, why);
  idx_close(file);
  if (status != LBP_OK) idx_free(images);
  return status;
}

/* One where more than half the ink is (value / 255 > 0.5), zero elsewhere; in place. */
LBP_FN void idx_binarise(idx_images *images) {
  const size_t size = (size_t)images->count * images->rows * images->cols;
  size_t k;
  for (k = 0; k < size; k++) images->pixels[k] = images->pixels[k] > 127;
}

#endif /* IDX_H */
