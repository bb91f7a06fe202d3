/* main of a fuzz target where there is no fuzzer: runs it on files. Any C compiler will do.
 *
 *   replay FILE...                 each file is one input
 *   replay --packed PACK FILE...   and before them those of a pack
 *   replay --unpack PACK FOLDER    writes a pack's inputs into the folder, one a file
 *   replay --pack PACK FILE...     makes a pack
 *
 * A pack is any number of inputs, each behind its length in two bytes, the higher one first. The last line counts like a
 * test's; an input with a finding ends the program, and is named. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { REPLAY_LONGEST = 1 << 16 };

static char replay_name[1024];

static void replay_die(const char *path, const char *what) {
  fprintf(stderr, "replay: %s: %s\n", path, what);
  exit(2);
}

/* Names the input that the program dies of. */
static void replay_died(int number) {
  fprintf(stderr, "replay: finding in %s\n", replay_name);
  signal(number, SIG_DFL);
  raise(number);
}

/* Runs the target on a copy of just that size, so that a sanitizer sees what reads beyond it. */
static void replay_run(const uint8_t *bytes, size_t size, const char *path, long place) {
  uint8_t *copy = (uint8_t *)malloc(size ? size : 1);
  if (!copy) replay_die(path, "out of memory");
  memcpy(copy, bytes, size);
  snprintf(replay_name, sizeof replay_name, place < 0 ? "%.1000s" : "%.1000s, number %ld", path, place);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static FILE *replay_open(const char *path, const char *mode) {
  FILE *file = fopen(path, mode);
  if (!file) replay_die(path, "cannot open");
  return file;
}

static void replay_close(FILE *file, const char *path) {
  if (ferror(file) | (fclose(file) != 0)) replay_die(path, "cannot be read or written");
}

/* The next input of a pack; 0 at its end. */
static int replay_next(FILE *pack, const char *path, uint8_t *bytes, size_t *size) {
  const int high = getc(pack), low = high == EOF ? EOF : getc(pack);
  if (high == EOF) return 0;
  if (low == EOF) replay_die(path, "truncated");
  *size = (size_t)high << 8 | (size_t)low;
  if (fread(bytes, 1, *size, pack) != *size) replay_die(path, "truncated");
  return 1;
}

static void replay_read(const char *path, uint8_t *bytes, size_t *size) {
  FILE *file = replay_open(path, "rb");
  *size = fread(bytes, 1, REPLAY_LONGEST, file);
  replay_close(file, path);
  if (*size == REPLAY_LONGEST) replay_die(path, "too long");
}

int main(int argc, char **argv) {
  static uint8_t bytes[REPLAY_LONGEST];
  const int option = argc > 2 && strncmp(argv[1], "--", 2) == 0;
  const int packs = option && strcmp(argv[1], "--pack") == 0, unpacks = option && strcmp(argv[1], "--unpack") == 0;
  char path[1200];
  long inputs = 0;
  size_t size;
  FILE *pack, *file;
  int k = option ? 3 : 1;
  if (packs) {
    pack = replay_open(argv[2], "wb");
    for (; k < argc; k++) {
      replay_read(argv[k], bytes, &size);
      putc((int)(size >> 8), pack);
      putc((int)(size & 255), pack);
      fwrite(bytes, 1, size, pack);
    }
    replay_close(pack, argv[2]);
    return 0;
  }
  if (!unpacks) {
    signal(SIGABRT, replay_died);
    signal(SIGSEGV, replay_died);
    signal(SIGFPE, replay_died);
  }
  if (option) {
    pack = replay_open(argv[2], "rb");
    for (; replay_next(pack, argv[2], bytes, &size); inputs++) {
      if (unpacks) {
        snprintf(path, sizeof path, "%.1000s/%05ld", argc > 3 ? argv[3] : ".", inputs);
        file = replay_open(path, "wb");
        fwrite(bytes, 1, size, file);
        replay_close(file, path);
      } else {
        replay_run(bytes, size, argv[2], inputs);
      }
    }
    replay_close(pack, argv[2]);
    if (unpacks) return 0;
  }
  for (; k < argc; k++, inputs++) {
    replay_read(argv[k], bytes, &size);
    replay_run(bytes, size, argv[k], -1);
  }
  printf("%ld passed, 0 failed\n", inputs);
  return inputs == 0;
}
