/* Fuzz target: a run of lbp_run.h that goes on from a checkpoint which something has changed. The first byte chooses the
 * run; the others say what is changed in its checkpoint, where, and whether the checksum is put right afterwards, since
 * no fuzzer guesses one. The run must refuse it with a sentence and leave it as it is, or go on to its end. */
#define _POSIX_C_SOURCE 200809L
#define LBP_RUN_KEPT    64 /* small checkpoints */
#include "../../lbp_run.h"

#include "../toy.h"
#include "fuzz.h"

#define LBP_NAME           saved
#define LBP_MODEL_T        toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#include "../../lbp_run.h"

enum { CHECKPOINTS_N = 6, CHECKPOINTS_KINDS = 32, CHECKPOINTS_MOST = 1 << 16 };

static char checkpoints_folder[64], checkpoints_path[80];

static void checkpoints_clean(void) {
  remove(checkpoints_path);
  rmdir(checkpoints_folder);
}

static void checkpoints_write(const unsigned char *bytes, size_t size) {
  FILE *file = fopen(checkpoints_path, "wb");
  FUZZ_CHECK(file && fwrite(bytes, 1, size, file) == size);
  FUZZ_CHECK(fclose(file) == 0);
}

static size_t checkpoints_read(unsigned char *bytes) {
  FILE *file = fopen(checkpoints_path, "rb");
  size_t size;
  FUZZ_CHECK(file != NULL);
  size = fread(bytes, 1, CHECKPOINTS_MOST, file);
  fclose(file);
  return size;
}

static double checkpoints_ones(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  FUZZ_CHECK(x[0] <= 1 && x[n - 1] <= 1);
  return lbp_run_ones(column, x, n);
}

static lbp_run checkpoints_run(uint32_t kind) {
  static const lbp_run_column column = {"ones", checkpoints_ones, NULL, 0};
  lbp_run run;
  lbp_run_init(&run);
  run.sampler = kind % 8 == 7 ? LBP_SAMPLER_GIBBS : kind % 8 == 6 ? LBP_SAMPLER_RWM : LBP_SAMPLER_LBP;
  run.chains = 2;
  run.tempering.rungs = kind & 1 ? 3 : 1;
  run.shared_tuner = kind >> 1 & 1;
  run.parameter = run.sampler != LBP_SAMPLER_GIBBS && kind & 4 ? 1.5 : 0;
  run.marginals = kind >> 3 & 1;
  run.warmup = 40; /* the checkpoint is in it, or, without 16, behind it */
  run.draws = 30;
  run.column = &column;
  run.columns = 1;
  run.checkpoint = checkpoints_path;
  return run;
}

/* The checkpoint of an undisturbed run of this kind; returns its size. */
static size_t checkpoints_good(uint32_t kind, const toy *t, unsigned char **bytes) {
  static unsigned char *kept[CHECKPOINTS_KINDS];
  static size_t size[CHECKPOINTS_KINDS];
  if (!kept[kind]) {
    volatile sig_atomic_t stop = 1; /* after the first step */
    lbp_run run = checkpoints_run(kind);
    lbp_run_result result;
    if (kind & 16) run.stop = &stop;
    else run.draws = 20;
    remove(checkpoints_path);
    FUZZ_CHECK(saved_run(&run, t, CHECKPOINTS_N, &result) == LBP_OK && !result.resumed);
    lbp_run_free(&result);
    kept[kind] = (unsigned char *)malloc(CHECKPOINTS_MOST);
    FUZZ_CHECK(kept[kind] != NULL);
    size[kind] = checkpoints_read(kept[kind]);
    FUZZ_CHECK(size[kind] > 1000 && size[kind] < CHECKPOINTS_MOST - 64);
  }
  *bytes = kept[kind];
  return size[kind];
}

/* A number, little-endian, as far as there is room. */
static void checkpoints_put(unsigned char *at, size_t room, double v) {
  uint64_t bits;
  size_t k;
  memcpy(&bits, &v, sizeof bits);
  for (k = 0; k < 8 && k < room; k++) at[k] = (unsigned char)(bits >> 8 * k);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static unsigned char now[CHECKPOINTS_MOST], after[CHECKPOINTS_MOST];
  const toy t = toy_make(CHECKPOINTS_N, 0.75, 0, 5);
  unsigned char *good;
  lbp_run_result result;
  lbp_run run;
  uint32_t kind;
  size_t length;
  int status, repair;
  if (!*checkpoints_folder) {
    snprintf(checkpoints_folder, sizeof checkpoints_folder, "%s/lbp_fuzz_XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    FUZZ_CHECK(mkdtemp(checkpoints_folder) != NULL);
    snprintf(checkpoints_path, sizeof checkpoints_path, "%s/run", checkpoints_folder);
    atexit(checkpoints_clean);
  }
  fuzz_start(bytes, size);
  kind = fuzz_below(CHECKPOINTS_KINDS);
  length = checkpoints_good(kind, &t, &good);
  memset(now, 0, sizeof now);
  memcpy(now, good, length);
  run = checkpoints_run(kind);
  repair = fuzz_below(4) > 0;
  run.draws = fuzz_below(60);
  while (fuzz_left > 0) {
    const uint32_t what = fuzz_byte();
    const size_t at = fuzz_word(2) % length;
    if (what < 96) now[at] = (unsigned char)fuzz_byte();
    else if (what < 192) checkpoints_put(now + at / 8 * 8, length - at / 8 * 8, fuzz_double());
    else if (what < 240) checkpoints_put(now + at / 8 * 8, length - at / 8 * 8, fuzz_from_bits(fuzz_word(2)));
    else if (what < 250) length = at + 9;
    else length += at % 32;
    if (length > CHECKPOINTS_MOST - 64) length = CHECKPOINTS_MOST - 64;
  }
  if (repair && length >= 8) {
    const uint64_t hash = lbp_runner_hash(LBP_P_HASH, now, length - 8);
    uint32_t k;
    for (k = 0; k < 8; k++) now[length - 8 + k] = (unsigned char)(hash >> 8 * k);
  }
  checkpoints_write(now, length);
  status = saved_run(&run, &t, CHECKPOINTS_N, &result);
  if (status != LBP_OK) {
    FUZZ_CHECK((status == LBP_E_FORMAT || status == LBP_E_MEMORY) && status == result.status && !result.row);
    FUZZ_CHECK(strlen(result.message) > 20);
    FUZZ_CHECK(checkpoints_read(after) == length && memcmp(now, after, length) == 0);
  } else {
    FUZZ_CHECK(result.resumed && result.draws >= run.draws && result.rows == 2 && result.ended == LBP_END_COMPLETE);
  }
  lbp_run_free(&result);
  return 0;
}
