/* train_rbm - trains a restricted Boltzmann machine on images, as the paper's appendix D.4 does (lbp_rbm_train in
 * lbp_models.h), and writes its parameters to a file. */
#define BASIC_PROGRAM "train_rbm"
#include "../../examples/ebm/idx.h"
#include "../../lbp_models.h"
#include "../common/harness.h"

typedef struct {
  const char *data, *out;
  uint32_t hidden;
  lbp_rbm_training how;
} options;

static options parse(int argc, char **argv) {
  options o;
  const basic_option table[] = {
    {"--data FILE", "images, an IDX file (gzipped too, if built with zlib)", OPTION_TEXT, &o.data, 0, 0, NULL},
    {"--hidden H", "hidden units", OPTION_COUNT, &o.hidden, 1, 1u << 20, NULL},
    {"--out FILE", "where the parameters go; an old file is replaced when the new one is complete", OPTION_TEXT, &o.out,
     0, 0, NULL},
    {"--seed S", "0 ... 2^64 - 1 (default 1)", OPTION_SEED, &o.how.seed, 0, UINT64_MAX, NULL},
    {"--epochs E", "passes over the data (default 1)", OPTION_COUNT, &o.how.epochs, 1, 1000000, NULL},
    {"--batch B", "images per gradient step (default 100)", OPTION_COUNT, &o.how.batch, 1, 1000000, NULL},
    {"--cd K", "block Gibbs steps from data to samples (default 100)", OPTION_COUNT, &o.how.gibbs, 1, 1000000, NULL}};
  struct stat old;
  memset(&o, 0, sizeof o);
  o.how = lbp_rbm_training_defaults(1);
  basic_parse(argc, argv,
              "Usage: train_rbm --data FILE --hidden H --out FILE [options]\n"
              "Trains a restricted Boltzmann machine with H hidden units on binarised images by contrastive\n"
              "divergence and writes its parameters, 16 bits each.\n", table, sizeof table / sizeof table[0]);
  if (!o.data) basic_wrong("--data", "FILE", "is missing; see --help");
  if (!o.out) basic_wrong("--out", "FILE", "is missing; see --help");
  if (!o.hidden) basic_wrong("--hidden", "H", "is missing; see --help");
  if (stat(o.out, &old) == 0 && !S_ISREG(old.st_mode)) basic_die("%s: exists and is no regular file", o.out);
  return o;
}

static void show_progress(void *user, const lbp_rbm_progress *p) {
  (void)user;
  basic_progress.work = (double)p->total;
  bench_label("ones: data %.4f, model %.4f", p->data_ones, p->model_ones);
  basic_progress_add(1);
}

int main(int argc, char **argv) {
  const options o = parse(argc, argv);
  idx_images images;
  lbp_rbm rbm;
  char why[IDX_WHY];
  unsigned char *bytes;
  if (idx_read(&images, o.data, why) != LBP_OK) basic_die("%s", why);
  idx_binarise(&images);
  if (o.how.batch > images.count) basic_die("--batch %u: there are only %u images", o.how.batch, images.count);
  bench_file file = bench_open("%s.tmp", o.out); /* fails now, if it must */
  basic_progress_begin(1);
  bench_expect(lbp_rbm_train(&rbm, images.rows * images.cols, o.hidden, images.pixels, images.count, &o.how,
                             show_progress, NULL), o.data);
  basic_progress_clear();
  const size_t size = (size_t)lbp_rbm_bytes(rbm.n, rbm.hidden);
  bytes = (unsigned char *)basic_alloc(size, 1);
  bench_expect(lbp_rbm_write(&rbm, bytes, size), o.out);
  fwrite(bytes, 1, size, file.to);
  bench_keep(&file);
  printf("%s: %u visible and %u hidden units, %lu bytes\n", o.out, rbm.n, rbm.hidden, (unsigned long)size);
  free(bytes);
  idx_free(&images);
  lbp_rbm_free(&rbm);
  return 0;
}
