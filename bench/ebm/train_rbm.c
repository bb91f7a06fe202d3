/* train_rbm.c - trains a restricted Boltzmann machine on images and writes its parameters to a file.
 *
 * The training of the paper's appendix D.4: see lbp_rbm_train in lbp_models.h.
 */
#define _POSIX_C_SOURCE 200809L /* stat() */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../examples/ebm/idx.h"
#include "../../lbp_models.h"

static const char usage[] =
    "Usage: train_rbm --data FILE --hidden H --out FILE [options]\n"
    "Trains a restricted Boltzmann machine with H hidden units on binarised images by contrastive divergence\n"
    "and writes its parameters, 16 bits each.\n"
    "\n"
    "  --data FILE     images, an IDX file (gzipped too, if built with zlib)\n"
    "  --hidden H      hidden units\n"
    "  --out FILE      where the parameters go; an old file is replaced when the new one is complete\n"
    "  --seed S        0 ... 2^64 - 1 (default 1)\n"
    "  --epochs E      passes over the data (default 1)\n"
    "  --batch B       images per gradient step (default 100)\n"
    "  --cd K          block Gibbs steps from data to model samples (default 100)\n"
    "  --help          this text\n";

typedef struct {
  const char *data, *out;
  uint32_t hidden;
  lbp_rbm_training how;
} options;

/* A number between least and most, or an error message and 0. */
static int parse_number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *value) {
  const char *digit;
  uint64_t v = 0;
  int good = *text != '\0';
  for (digit = text; *digit; digit++) {
    const uint64_t d = (uint64_t)(*digit - '0');
    if (*digit < '0' || *digit > '9' || v > (most - d) / 10) good = 0;
    if (!good) break;
    v = 10 * v + d;
  }
  if (good && v >= least) {
    *value = v;
    return 1;
  }
  fprintf(stderr, "train_rbm: %s %s: expected a whole number from %" PRIu64 " to %" PRIu64 "\n", name, text, least,
          most);
  return 0;
}

static int parse_count(const char *name, const char *text, uint32_t most, uint32_t *value) {
  uint64_t v;
  if (!parse_number(name, text, 1, most, &v)) return 0;
  *value = (uint32_t)v;
  return 1;
}

/* One option and its value; 0 after an error message. */
static int parse_option(options *o, const char *name, const char *value) {
  if (strcmp(name, "--data") == 0) o->data = value;
  else if (strcmp(name, "--out") == 0) o->out = value;
  else if (strcmp(name, "--hidden") == 0) return parse_count(name, value, 1u << 20, &o->hidden);
  else if (strcmp(name, "--seed") == 0) return parse_number(name, value, 0, UINT64_MAX, &o->how.seed);
  else if (strcmp(name, "--epochs") == 0) return parse_count(name, value, 1000000, &o->how.epochs);
  else if (strcmp(name, "--batch") == 0) return parse_count(name, value, 1000000, &o->how.batch);
  else if (strcmp(name, "--cd") == 0) return parse_count(name, value, 1000000, &o->how.gibbs);
  return 1;
}

static int known_option(const char *name) {
  static const char *const known[] = {"--data", "--hidden", "--out", "--seed", "--epochs", "--batch", "--cd"};
  size_t k;
  for (k = 0; k < sizeof known / sizeof *known; k++) {
    if (strcmp(name, known[k]) == 0) return 1;
  }
  return 0;
}

static int parse_options(options *o, int argc, char **argv) {
  int k;
  memset(o, 0, sizeof *o);
  o->how = lbp_rbm_training_defaults(1);
  for (k = 1; k < argc; k += 2) {
    if (!known_option(argv[k])) {
      fprintf(stderr, "train_rbm: unknown option %s; possible are --data, --hidden, --out, --seed, --epochs, --batch, "
                      "--cd, --help\n", argv[k]);
      return 0;
    }
    if (k + 1 == argc) {
      fprintf(stderr, "train_rbm: %s needs a value; see --help\n", argv[k]);
      return 0;
    }
    if (!parse_option(o, argv[k], argv[k + 1])) return 0;
  }
  if (!o->data || !o->out || o->hidden == 0) {
    fprintf(stderr, "train_rbm: %s is missing; see --help\n",
            !o->data ? "--data FILE" : !o->out ? "--out FILE" : "--hidden H");
    return 0;
  }
  return 1;
}

typedef struct {
  time_t started, shown;
} stopwatch;

/* At most a line a second, and the last. */
static void show_progress(void *user, const lbp_rbm_progress *p) {
  stopwatch *watch = (stopwatch *)user;
  const time_t now = time(NULL);
  const double seconds = difftime(now, watch->started);
  if (now == watch->shown && p->done < p->total) return;
  watch->shown = now;
  fprintf(stderr, "\rstep %.0f of %.0f, ones: data %.4f, model %.4f, %.0f s gone, about %.0f s left  ",
          (double)p->done, (double)p->total, p->data_ones, p->model_ones, seconds,
          seconds / (double)p->done * (double)(p->total - p->done));
  if (p->done == p->total) fputc('\n', stderr);
}

/* Writes under another name first: the file is always either the old or the new one. 0 and errno on failure. */
static int write_file(const char *temporary, const char *path, const unsigned char *bytes, size_t size) {
  FILE *file = fopen(temporary, "wb");
  int good;
  if (!file) return 0;
  good = fwrite(bytes, 1, size, file) == size;
  good = fclose(file) == 0 && good;
  good = good && rename(temporary, path) == 0;
  if (!good) {
    const int reason = errno;
    (void)remove(temporary);
    errno = reason;
  }
  return good;
}

/* path.tmp, in new memory. */
static char *temporary_name(const char *path) {
  const size_t length = strlen(path);
  char *name = (char *)malloc(length + 5);
  if (!name) return NULL;
  memcpy(name, path, length);
  memcpy(name + length, ".tmp", 5);
  return name;
}

/* Says so before the training if the file can't be written after it, or would replace a folder or a device. */
static int can_write(const char *temporary, const char *path) {
  struct stat old;
  FILE *file;
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) {
    fprintf(stderr, "train_rbm: %s: exists and is no regular file\n", path);
    return 0;
  }
  file = fopen(temporary, "wb");
  if (!file) {
    fprintf(stderr, "train_rbm: %s: cannot write: %s\n", temporary, strerror(errno));
    return 0;
  }
  (void)fclose(file);
  (void)remove(temporary);
  return 1;
}

static int write_rbm(const lbp_rbm *m, const char *temporary, const char *path) {
  const size_t size = (size_t)lbp_rbm_bytes(m->n, m->hidden);
  unsigned char *bytes = (unsigned char *)malloc(size);
  const int good = bytes && lbp_rbm_write(m, bytes, size) == LBP_OK &&
                   write_file(temporary, path, bytes, size);
  if (good) {
    printf("%s: %" PRIu32 " visible and %" PRIu32 " hidden units, %.0f bytes\n", path, m->n, m->hidden,
           (double)size);
  } else {
    fprintf(stderr, "train_rbm: %s: cannot write: %s\n", path, strerror(errno));
  }
  free(bytes);
  return good;
}

/* Reads, trains, writes; the exit status. */
static int train(const options *o, const char *temporary) {
  idx_images images;
  lbp_rbm rbm;
  stopwatch watch;
  char why[IDX_WHY];
  int status, good;
  if (idx_read(&images, o->data, why) != LBP_OK) {
    fprintf(stderr, "train_rbm: %s\n", why);
    return 1;
  }
  idx_binarise(&images);
  if (o->how.batch > images.count) {
    fprintf(stderr, "train_rbm: --batch %" PRIu32 ": there are only %" PRIu32 " images\n", o->how.batch,
            images.count);
    idx_free(&images);
    return 2;
  }
  watch.started = watch.shown = time(NULL);
  status = lbp_rbm_train(&rbm, images.rows * images.cols, o->hidden, images.pixels, images.count, &o->how,
                         show_progress, &watch);
  idx_free(&images);
  if (status != LBP_OK) {
    fprintf(stderr, "train_rbm: %s\n", lbp_error(status));
    return 1;
  }
  good = write_rbm(&rbm, temporary, o->out);
  lbp_rbm_free(&rbm);
  return good ? 0 : 1;
}

int main(int argc, char **argv) {
  options o;
  char *temporary;
  int k, status;
  for (k = 1; k < argc; k++) {
    if (strcmp(argv[k], "--help") == 0) {
      fputs(usage, stdout);
      return 0;
    }
  }
  if (!parse_options(&o, argc, argv)) return 2;
  temporary = temporary_name(o.out);
  if (!temporary) {
    fprintf(stderr, "train_rbm: %s\n", lbp_error(LBP_E_MEMORY));
    return 1;
  }
  status = can_write(temporary, o.out) ? train(&o, temporary) : 1;
  free(temporary);
  return status;
}
