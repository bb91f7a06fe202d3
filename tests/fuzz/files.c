/* Fuzz target: everything that reads a file. The first byte says which reader, the rest is the file (with checksums put
 * right where the second byte asks for it, since no fuzzer guesses one). What a reader accepts must be what is in the
 * file, seen in another way; what it refuses comes with a sentence. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>

#include "fuzz.h"

/* The readers of CSV files end the program when something is wrong: here they come back, and the file is closed. */
static jmp_buf files_died;
static FILE *files_opened;

static FILE *files_fopen(const char *path, const char *mode) {
  files_opened = fopen(path, mode);
  return files_opened;
}

static void files_exit(int status) {
  FUZZ_CHECK(status == 1);
  if (files_opened) fclose(files_opened);
  longjmp(files_died, 1);
}

static FILE *files_nowhere; /* takes what they say */

#define exit  files_exit
#define fopen files_fopen
#undef stderr
#define stderr files_nowhere
#include "../../bench/any_scale/any_scale_page.h"
#include "../../bench/paper/page.h"
#include "../../examples/ebm/idx.h"
#undef stderr
#undef fopen
#undef exit

enum { FILES_MOST = 1 << 16 };

/* ---- a folder of this process for the file ----------------------------------------------------------------------- */

static char files_folder[64], files_path[128];

static void files_clean(void) {
  remove(files_path);
  rmdir(files_folder);
}

/* The input's file, under a name that a reader asks for. */
static void files_write(const char *name, const void *bytes, size_t size) {
  FILE *file;
  if (!*files_folder) {
    const char *top = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(files_folder, sizeof files_folder, "%s/lbp_fuzz_XXXXXX", top);
    if (!mkdtemp(files_folder)) fuzz_fail(__FILE__, __LINE__, "no folder for the file");
    atexit(files_clean);
  }
  if (*files_path) remove(files_path);
  snprintf(files_path, sizeof files_path, "%s/%s", files_folder, name);
  file = fopen(files_path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    fuzz_fail(__FILE__, __LINE__, "the file cannot be written");
  }
}

/* A refusal names the file and has a reason. */
static void files_refused(int status, const char *why) {
  FUZZ_CHECK(status == LBP_E_FILE || status == LBP_E_FORMAT || status == LBP_E_MEMORY || status == LBP_E_RANGE ||
             status == LBP_E_NOT_FINITE || status == LBP_E_SIZE);
  FUZZ_CHECK(strncmp(why, files_path, strlen(files_path)) == 0 && strlen(why) > strlen(files_path) + 4);
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

static void files_images(const uint8_t *bytes, size_t size) {
  char why[IDX_WHY] = "";
  idx_images images;
  uint64_t pixels;
  int status;
  files_write("images", bytes, size);
  status = idx_read(&images, files_path, why);
  pixels = (uint64_t)images.count * images.rows * images.cols;
  if (status != LBP_OK) {
    files_refused(status, why);
    FUZZ_CHECK(images.pixels == NULL && pixels == 0);
  } else {
    FUZZ_CHECK(pixels > 0 && pixels <= IDX_LARGEST);
    if (size < 2 || bytes[0] != 0x1f) {
      FUZZ_CHECK(size == 16 + pixels && memcmp(images.pixels, bytes + 16, size - 16) == 0);
    }
    idx_binarise(&images);
    while (pixels-- > 0) FUZZ_CHECK(images.pixels[pixels] <= 1);
  }
  if (status != LBP_OK && size > 16 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 8 && bytes[3] == 3) {
    pixels = (uint64_t)idx_big_endian(bytes + 4);
    if (pixels < FILES_MOST && idx_big_endian(bytes + 8) < FILES_MOST && idx_big_endian(bytes + 12) < FILES_MOST) {
      FUZZ_CHECK(pixels * idx_big_endian(bytes + 8) * idx_big_endian(bytes + 12) != size - 16);
    }
  }
  idx_free(&images);
}

/* ---- machines ---------------------------------------------------------------------------------------------------- */

static void files_machine(uint8_t *bytes, size_t size, int repair) {
  char why[INPUT_WHY] = "";
  uint64_t fingerprint = 0;
  lbp_rbm m, again;
  int status;
  if (repair && size >= 8) lbp_p_put(bytes + size - 8, lbp_checksum(bytes, size - 8), 8);
  files_write("machine", bytes, size);
  status = input_rbm(&m, files_path, why);
  FUZZ_CHECK(instance_fingerprint(files_path, &fingerprint, why) == LBP_OK);
  FUZZ_CHECK(fingerprint == lbp_checksum(bytes, size));
  if (status != LBP_OK) {
    files_refused(status, why);
    FUZZ_CHECK(m.W == NULL && m.n == 0);
    return;
  }
  FUZZ_CHECK(size == lbp_rbm_bytes(m.n, m.hidden) && memcmp(bytes, "lbp-rbm\n", 8) == 0);
  FUZZ_CHECK(lbp_p_get(bytes + size - 8, 8) == lbp_checksum(bytes, size - 8));
  { /* what was read can be written, and read again as the same but for rounding */
    const size_t count = (size_t)m.n * m.hidden + m.n + m.hidden;
    unsigned char *copy = (unsigned char *)malloc(size);
    double largest = 0;
    size_t k;
    FUZZ_CHECK(copy != NULL && lbp_rbm_write(&m, copy, size - 1) == LBP_E_SIZE);
    FUZZ_CHECK(lbp_rbm_write(&m, copy, size) == LBP_OK && lbp_rbm_read(&again, copy, size) == LBP_OK);
    FUZZ_CHECK(again.n == m.n && again.hidden == m.hidden);
    for (k = 0; k < count; k++) largest = fmax(largest, fabs((double)m.W[k]));
    for (k = 0; k < count; k++) {
      FUZZ_CHECK(fabs((double)(m.W[k] - again.W[k])) <= largest * (1 / 32768.0 + (m.n + 1) / 8388608.0));
    }
    lbp_rbm_free(&again);
    free(copy);
  }
  { /* and it is a machine: log-ratios are numbers, of opposite sign after the flip */
    lbp_rbm_fields f;
    uint8_t *x = (uint8_t *)calloc(m.n, 1);
    lbp_real *out = (lbp_real *)calloc(m.n, sizeof *out), there;
    uint32_t i;
    FUZZ_CHECK(x && out && lbp_rbm_fields_init(&m, &f) == LBP_OK);
    lbp_rbm_fields_set(&m, &f, x);
    lbp_rbm_deltas(&m, &f, x, out);
    for (i = 0; i < m.n; i++) {
      FUZZ_CHECK(lbp_is_finite((double)out[i]));
      there = lbp_rbm_delta(&m, &f, x, i);
      x[i] ^= 1u;
      lbp_rbm_flip(&m, &f, x, i);
      FUZZ_CHECK(fabs((double)(there + lbp_rbm_delta(&m, &f, x, i))) <= 1e-3 * (1 + fabs((double)there)));
      x[i] ^= 1u;
      lbp_rbm_flip(&m, &f, x, i);
    }
    lbp_rbm_fields_free(&f);
    free(out);
    free(x);
  }
  lbp_rbm_free(&m);
}

/* ---- numbers and states ------------------------------------------------------------------------------------------ */

static void files_numbers(const uint8_t *bytes, size_t size) {
  const size_t count = fuzz_below(9);
  double *out = (double *)malloc((count + 1) * sizeof *out);
  char why[INPUT_WHY] = "";
  size_t k;
  int status;
  FUZZ_CHECK(out != NULL);
  files_write("numbers", bytes + 1, size - 1);
  status = input_numbers(files_path, count, out, why);
  if (status != LBP_OK) files_refused(status, why);
  for (k = 0; k < count && status == LBP_OK; k++) FUZZ_CHECK(lbp_is_finite(out[k]));
  free(out);
}

static void files_state(const uint8_t *bytes, size_t size) {
  const size_t count = fuzz_below(40);
  uint8_t *x = (uint8_t *)malloc(count + (count == 0));
  char why[INPUT_WHY] = "";
  size_t k, found = 0;
  int status, other = 0;
  FUZZ_CHECK(x != NULL);
  for (k = 1; k < size; k++) {
    const int c = bytes[k];
    if (c == ' ' || (c >= '\t' && c <= '\r')) continue;
    other |= c != '0' && c != '1';
    found++;
  }
  files_write("state", bytes + 1, size - 1);
  status = instance_state(files_path, count, x, why);
  FUZZ_CHECK((status == LBP_OK) == (!other && found == count));
  if (status != LBP_OK) files_refused(status, why);
  for (k = 0; k < count && status == LBP_OK; k++) FUZZ_CHECK(x[k] <= 1);
  free(x);
}

/* A model of any of the three kinds, whose log-ratios must be numbers. */
static void files_model(const uint8_t *bytes, size_t size) {
  const uint32_t kind = fuzz_byte(), extent = kind / 3 % 5;
  char why[INPUT_WHY] = "";
  uint8_t x[25] = {0};
  uint32_t i;
  int status;
  files_write("model", bytes + 1, size - 1);
  if (kind % 3 == 0) {
    lbp_bernoulli m;
    status = instance_bernoulli(&m, files_path, extent, why);
    for (i = 0; i < extent && status == LBP_OK; i++) FUZZ_CHECK(lbp_is_finite((double)lbp_bernoulli_delta(&m, x, i)));
    lbp_bernoulli_free(&m);
  } else if (kind % 3 == 1) {
    lbp_ising m;
    status = instance_ising(&m, files_path, extent, 2, why);
    for (i = 0; i < extent * extent && status == LBP_OK; i++) {
      FUZZ_CHECK(lbp_is_finite((double)lbp_ising_delta(&m, x, i)));
    }
    lbp_ising_free(&m);
  } else {
    lbp_fhmm m;
    status = instance_fhmm(&m, files_path, extent, 5, 2, LBP_FHMM_AS_RUN, why);
    for (i = 0; i < 5 * extent && status == LBP_OK; i++) FUZZ_CHECK(lbp_is_finite((double)lbp_fhmm_delta(&m, x, i)));
    lbp_fhmm_free(&m);
  }
  if (status != LBP_OK) files_refused(status, why);
  else FUZZ_CHECK(extent > 0);
}

/* ---- the journal ------------------------------------------------------------------------------------------------- */

/* Gives each line that has three fields and 16 characters more the checksum that it should have. */
static void files_repair(uint8_t *bytes, size_t size) {
  size_t begin = 0, end, k;
  for (; begin < size; begin = end + 1) {
    int bars = 0;
    for (end = begin; end < size && bytes[end] != '\n'; end++) {
    }
    for (k = begin; k < end && bars < 3; k++) bars += bytes[k] == '|';
    if (bars == 3 && end == k + 16) {
      char digits[17];
      snprintf(digits, sizeof digits, "%016" PRIx64, lbp_checksum(bytes + begin, k - begin));
      memcpy(bytes + k, digits, 16);
    }
  }
}

static int files_same(const journal *a, const journal *b) {
  uint32_t k;
  for (k = 0; k < a->count; k++) {
    const journal_entry *e = &a->entries[k], *f = journal_find(b, e->key, e->parameters);
    if (!f || f->count != e->count || memcmp(e->values, f->values, e->count * sizeof e->values[0]) != 0) return 0;
  }
  return a->count == b->count;
}

static void files_journal(uint8_t *bytes, size_t size, int repair) {
  const double values[3] = {1 / 3.0, -1e-300, 5e300};
  journal first, second, third;
  uint32_t count;
  if (repair) files_repair(bytes, size);
  files_write("journal.txt", bytes, size);
  journal_look(&first, files_folder);
  journal_open(&second, files_folder, 100);
  FUZZ_CHECK(files_same(&first, &second));
  count = second.count + (journal_find(&second, "a key", "of ours") == NULL);
  journal_add(&second, "a key", "of ours", values, 3);
  FUZZ_CHECK(second.count == count);
  journal_look(&third, files_folder);
  FUZZ_CHECK(files_same(&second, &third));
  journal_close(&first);
  journal_close(&second);
  journal_close(&third);
}

/* ---- CSV files --------------------------------------------------------------------------------------------------- */

static void files_csv(const uint8_t *bytes, size_t size, uint32_t which) {
  files_write(which == 1 ? "any_scale.csv" : "reference.csv", bytes, size);
  if (setjmp(files_died)) return;
  if (which == 0) {
    static const char *const names[2] = {"ejd", "ess_se"};
    double values[2];
    bench_look_up(files_folder, "reference.csv", "ising,C2,p=50,ALBP,t/(1+t)", names, values, 2);
  } else if (which == 1) {
    study p;
    ab_cell c;
    memset(&p, 0, sizeof p);
    memset(&c, 0, sizeof c);
    p.data = files_folder;
    c.target = &targets[0];
    c.sampler = &ab_samplers[1];
    ab_look_up(&p, &c);
  } else {
    static char line[FILES_MOST + 1];
    char *cell[8];
    int count, k;
    memcpy(line, bytes, size);
    line[size] = '\0';
    count = bench_split(line, cell, 8);
    FUZZ_CHECK(count >= 1 && count <= 8 && cell[0] == line);
    for (k = 1; k < count; k++) FUZZ_CHECK(cell[k] == cell[k - 1] + strlen(cell[k - 1]) + 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
  static uint8_t bytes[FILES_MOST];
  uint32_t kind;
  if (size < 2 || size > sizeof bytes) return 0;
  if (!files_nowhere) files_nowhere = fopen("/dev/null", "w");
  FUZZ_CHECK(files_nowhere != NULL);
  memcpy(bytes, input, size);
  fuzz_start(bytes, size);
  kind = fuzz_below(10);
  switch (kind) {
    case 0: files_images(bytes + 1, size - 1); break;
    case 1: files_machine(bytes + 1, size - 1, 0); break;
    case 2: files_machine(bytes + 1, size - 1, 1); break;
    case 3: files_numbers(bytes + 1, size - 1); break;
    case 4: files_state(bytes + 1, size - 1); break;
    case 5: files_model(bytes + 1, size - 1); break;
    case 6: files_journal(bytes + 1, size - 1, 1); break;
    default: files_csv(bytes + 1, size - 1, kind - 7);
  }
  return 0;
}
