/* Fuzz target: the reader of alignments. The first byte says which letters are asked for and whether inserts are kept,
 * the second in pieces of how many bytes the rest, the file, is fed. What is accepted must be what is in the file, seen
 * in another way; in one piece it must be the same; a refusal has a reason and a line that the file has. */
#include "fuzz.h"

#include "../../lbp/models/alignment.h"

static int alignment_parse(lbp_alignment *a, const uint8_t *bytes, size_t size, int letters, int keep, size_t piece,
                           lbp_alignment_fault *fault) {
  lbp_alignment_reader r;
  size_t at;
  int status = lbp_alignment_begin(&r, letters, keep);
  FUZZ_CHECK(status == LBP_OK);
  for (at = 0; at < size && status == LBP_OK; at += piece) {
    status = lbp_alignment_feed(&r, bytes + at, size - at < piece ? size - at : piece);
    FUZZ_CHECK(r.count <= at + piece && r.room <= 2 * (at + piece) + 8192);
  }
  status = lbp_alignment_end(&r, a);
  FUZZ_CHECK(r.a.x == NULL);
  *fault = r.fault;
  return status;
}

/* Letters of a FASTA file in order, by a slow reading: values of what an alphabet has, else 0. */
static void alignment_letters(const lbp_alignment *a, const uint8_t *bytes, size_t size, int keep) {
  const size_t all = (size_t)a->sequences * a->positions;
  size_t k, count = 0, titles = 0;
  int title = 0, blank = 1; /* blank: nothing but blanks on this line so far */
  for (k = 0; k < size; k++) {
    int c = bytes[k];
    if (c == '\n') {
      title = 0, blank = 1;
      continue;
    }
    if (title) continue;
    if (c == ' ' || c == '\t' || c == '\r') continue;
    if (c == '>' && blank) {
      title = 1, titles++;
      continue;
    }
    blank = 0;
    if (c >= 'a' && c <= 'z' && keep) c -= 'a' - 'A';
    if (c == '.' && keep) c = '-';
    if ((c >= 'A' && c <= 'Z') || c == '-' || c == '*') {
      const char *place;
      if (c == 'T' && a->letters == 5) c = 'U';
      place = strchr(a->alphabet, c);
      FUZZ_CHECK(count < all && a->x[count] == (place ? place - a->alphabet : 0));
      count++;
    }
  }
  FUZZ_CHECK(count == all && titles == a->sequences);
}

/* The numbers of the other format: the first three, then values. */
static void alignment_numbers(const lbp_alignment *a, const uint8_t *bytes, size_t size) {
  const uint32_t head[3] = {a->sequences, a->positions, a->letters};
  const size_t all = (size_t)a->sequences * a->positions;
  size_t k = 0, count = 0;
  while (k < size) {
    uint32_t v = 0;
    if (bytes[k] < '0' || bytes[k] > '9') {
      k++;
      continue;
    }
    for (; k < size && bytes[k] >= '0' && bytes[k] <= '9'; k++) v = v * 10 + (uint32_t)(bytes[k] - '0');
    FUZZ_CHECK(count < 3 + all && v == (count < 3 ? head[count] : a->x[count - 3]));
    count++;
  }
  FUZZ_CHECK(count == 3 + all);
}

static void alignment_use(const lbp_alignment *a) {
  const size_t sites = (size_t)a->positions * a->letters;
  lbp_real *one, *two;
  uint32_t k, v;
  if (a->positions > 8 || a->sequences > 64 || a->letters > 32) return;
  one = lbp_models_new_reals(sites);
  two = lbp_models_new_reals(sites * sites / 2 + 1);
  FUZZ_CHECK(one && two);
  FUZZ_CHECK(lbp_alignment_weigh(a->sequences, a->positions, a->x, 0.8, a->weight) == LBP_OK);
  for (k = 0; k < a->sequences; k++) FUZZ_CHECK(a->weight[k] > 0 && a->weight[k] <= 1);
  FUZZ_CHECK(lbp_alignment_frequencies(a->sequences, a->positions, a->letters, a->x, a->weight, one, two) == LBP_OK);
  for (k = 0; k < a->positions; k++) {
    double sum = 0;
    for (v = 0; v < a->letters; v++) sum += (double)one[k * a->letters + v];
    FUZZ_CHECK(fabs(sum - 1) < 1e-5);
  }
  free(one);
  free(two);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
  lbp_alignment a, whole;
  lbp_alignment_fault fault, other;
  uint64_t lines = 1;
  size_t k, piece;
  int letters, keep, status;
  if (size < 2) return 0;
  fuzz_start(input, size);
  letters = (int)fuzz_below(6);
  keep = letters & 1;
  letters /= 2;
  piece = 1 + fuzz_byte();
  input += 2, size -= 2;
  for (k = 0; k < size; k++) lines += input[k] == '\n';
  status = alignment_parse(&a, input, size, letters, keep, piece, &fault);
  FUZZ_CHECK(status == alignment_parse(&whole, input, size, letters, keep, size + 1, &other));
  FUZZ_CHECK(fault.line == other.line && fault.what == other.what);
  if (status != LBP_OK) {
    FUZZ_CHECK(status == LBP_E_FORMAT || status == LBP_E_SIZE || status == LBP_E_RANGE);
    FUZZ_CHECK(fault.what && strlen(fault.what) > 4 && fault.line >= 1 && fault.line <= lines);
    FUZZ_CHECK(!a.x && !a.weight && a.sequences == 0);
    return 0;
  }
  FUZZ_CHECK(!fault.what && a.sequences > 0 && a.positions > 0 && a.letters > 0 && a.letters <= 256);
  FUZZ_CHECK(a.sequences == whole.sequences && a.positions == whole.positions && a.letters == whole.letters);
  FUZZ_CHECK(memcmp(a.x, whole.x, (size_t)a.sequences * a.positions) == 0);
  for (k = 0; k < (size_t)a.sequences * a.positions; k++) FUZZ_CHECK(a.x[k] < a.letters);
  if (*a.alphabet) alignment_letters(&a, input, size, keep);
  else alignment_numbers(&a, input, size);
  alignment_use(&a);
  lbp_alignment_free(&a);
  lbp_alignment_free(&whole);
  return 0;
}
