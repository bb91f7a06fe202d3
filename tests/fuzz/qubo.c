/* Fuzz target: the reader of QUBO and max-cut files. The first byte says which format is asked for, the second in
 * pieces of how many bytes the rest, the file, is fed. What is accepted must be what is in the file, seen in another
 * way, by sscanf; in one piece it must be the same; a refusal has a reason and a line that the file has. */
#include "fuzz.h"

#include "../../lbp/models/qubo.h"

static int qubo_parse(lbp_qubo_terms *t, const uint8_t *bytes, size_t size, int format, size_t piece,
                      lbp_qubo_fault *fault, int *guessed, int *spins) {
  lbp_qubo_reader r;
  size_t at;
  int status = lbp_qubo_begin(&r, format);
  FUZZ_CHECK(status == LBP_OK);
  for (at = 0; at < size && status == LBP_OK; at += piece) {
    status = lbp_qubo_feed(&r, bytes + at, size - at < piece ? size - at : piece);
    FUZZ_CHECK(r.list.count <= at + piece && r.list.room <= 2 * (at + piece) + 256);
  }
  status = lbp_qubo_end(&r, t);
  FUZZ_CHECK(!r.list.term);
  *fault = r.fault;
  *guessed = r.format;
  *spins = r.spins > 0;
  return status;
}

enum { QUBO_SITES = 200 };

/* What one line adds to pairs i <= j of sum[n][n], by a slow reading; *n: from the head, or the largest site + 1. */
static void qubo_line(const char *line, int format, int *headed, uint32_t *n, double *sum) {
  unsigned long i, j;
  double value = 1.0;
  int words;
  while (*line == ' ' || *line == '\t' || *line == '\r') line++;
  if (*line == '\0' || *line == 'c' || *line == '#') return;
  if (*line == 'p' || (format != LBP_QUBO_TERMS && !*headed)) {
    FUZZ_CHECK(sscanf(line, *line == 'p' ? "p qubo %*s %u" : "%u", n) == 1 && !*headed);
    *headed = 1;
    return;
  }
  words = sscanf(line, "%lu %lu %lf", &i, &j, &value);
  FUZZ_CHECK(words == 3 || (words == 2 && format == LBP_QUBO_MAX_CUT));
  if (format == LBP_QUBO_MAX_CUT) {
    FUZZ_CHECK(i > 0 && j > 0 && i <= QUBO_SITES && j <= QUBO_SITES && i != j);
    i--, j--;
    sum[i * QUBO_SITES + i] -= value;
    sum[j * QUBO_SITES + j] -= value;
    value *= 2;
  }
  if (format == LBP_QUBO_SPARSE) {
    FUZZ_CHECK(words == 3 && i > 0 && j > 0 && i <= *n && j <= *n);
    if (i != j) value *= 2;
    i--, j--;
  }
  FUZZ_CHECK(i < QUBO_SITES && j < QUBO_SITES);
  sum[i < j ? i * QUBO_SITES + j : j * QUBO_SITES + i] += value;
  if (!*headed && i >= *n) *n = (uint32_t)i + 1;
  if (!*headed && j >= *n) *n = (uint32_t)j + 1;
}

/* Energies of spins, by the lines: where all are 1, and where all are -1; x all 1, and all 0. */
static void qubo_spins(const lbp_qubo_terms *t, const uint8_t *bytes, size_t size) {
  uint8_t x[QUBO_SITES];
  double all = 0, none = 0, room = 1e-9;
  size_t at = 0;
  while (at < size) {
    char line[512];
    unsigned long i, j;
    double value;
    size_t length = 0;
    for (; at < size && bytes[at] != '\n'; at++) {
      if (length < sizeof line - 1) line[length++] = (char)bytes[at];
    }
    at++;
    line[length] = '\0';
    if (sscanf(line, "%lu %lu %lf", &i, &j, &value) != 3) continue;
    all += value;
    none += i == j ? -value : value;
    room += 1e-12 * fabs(value);
  }
  memset(x, 1, sizeof x);
  FUZZ_CHECK(fabs(lbp_qubo_terms_energy(t, x) - all) <= room * 16);
  memset(x, 0, sizeof x);
  FUZZ_CHECK(fabs(lbp_qubo_terms_energy(t, x) - none) <= room * 16);
}

/* Terms are what the lines add up to, in order, each pair once. */
static void qubo_compare(const lbp_qubo_terms *t, const uint8_t *bytes, size_t size, int format) {
  static double sum[QUBO_SITES * QUBO_SITES];
  char *text = (char *)calloc(size + 1, 1), *line, *end;
  uint32_t n = 0, k = 0, i, j;
  int headed = 0;
  FUZZ_CHECK(text != NULL);
  memset(sum, 0, sizeof sum);
  if (size > 0) memcpy(text, bytes, size);
  for (line = text; line <= text + size; line = end + 1) {
    end = (char *)memchr(line, '\n', (size_t)(text + size - line));
    if (!end) end = text + size;
    *end = '\0';
    qubo_line(line, format, &headed, &n, sum);
  }
  free(text);
  FUZZ_CHECK(t->n == n);
  for (i = 0; i < n; i++) {
    for (j = i; j < n; j++) {
      if (!(fabs(sum[i * QUBO_SITES + j]) > 0)) continue;
      FUZZ_CHECK(k < t->count && t->ends[2 * k] == i && t->ends[2 * k + 1] == j);
      FUZZ_CHECK(t->value[k] == sum[i * QUBO_SITES + j]);
      k++;
    }
  }
  FUZZ_CHECK(k == t->count);
}

/* Both models have the terms' energies, but for rounding, and the same log-ratios, with and without fields. */
static void qubo_use(const lbp_qubo_terms *t) {
  uint8_t x[QUBO_SITES] = {0};
  lbp_qubo m;
  lbp_qubo_dense d;
  lbp_qubo_fields f;
  lbp_qubo_dense_fields g;
  double size = 1e-6;
  uint32_t i, k;
  const int status = lbp_qubo_init(&m, t->n, t->count, t->ends, t->value, t->offset, t->n);
  FUZZ_CHECK(lbp_qubo_dense_init(&d, t->n, t->count, t->ends, t->value, t->offset) == status);
  if (status == LBP_E_PRECISION) return; /* large and small terms in one model */
  FUZZ_CHECK(status == LBP_OK);
  FUZZ_CHECK(m.terms.count == t->count && m.max_degree < t->n);
  FUZZ_CHECK(lbp_qubo_fields_init(&m, &f) == LBP_OK && lbp_qubo_dense_fields_init(&d, &g) == LBP_OK);
  for (k = 0; k < t->count; k++) size += fabs(t->value[k]);
  lbp_qubo_fields_set(&m, &f, x);
  lbp_qubo_dense_fields_set(&d, &g, x);
  for (k = 0; k < 2 * t->n; k++) {
    i = (k * 7 + k / t->n) % t->n;
    x[i] ^= 1;
    lbp_qubo_flip(&m, &f, x, i);
    lbp_qubo_dense_flip(&d, &g, x, i);
  }
  FUZZ_CHECK(fabs(lbp_qubo_energy(&m, x) - lbp_qubo_dense_energy(&d, x)) <= 1e-5 * size);
  FUZZ_CHECK(fabs(lbp_qubo_energy(&m, x) + lbp_qubo_fields_logp(&m, &f, x)) <= 1e-5 * size);
  for (i = 0; i < t->n; i++) {
    const lbp_real ratio = lbp_qubo_delta(&m, x, i);
    FUZZ_CHECK(lbp_qubo_fields_delta(&m, &f, x, i) == ratio && lbp_qubo_dense_delta(&d, x, i) == ratio);
    FUZZ_CHECK(lbp_qubo_dense_fields_delta(&d, &g, x, i) == ratio);
  }
  lbp_qubo_fields_free(&f);
  lbp_qubo_dense_fields_free(&g);
  lbp_qubo_free(&m);
  lbp_qubo_dense_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
  lbp_qubo_terms t, whole;
  lbp_qubo_fault fault, other;
  uint64_t lines = 1;
  size_t k, piece;
  int format, guessed, again, status, spins, spins_again;
  if (size < 2) return 0;
  fuzz_start(input, size);
  format = (int)fuzz_below(4);
  piece = 1 + fuzz_byte();
  input += 2, size -= 2;
  for (k = 0; k < size; k++) lines += input[k] == '\n';
  status = qubo_parse(&t, input, size, format, piece, &fault, &guessed, &spins);
  FUZZ_CHECK(status == qubo_parse(&whole, input, size, format, size + 1, &other, &again, &spins_again));
  FUZZ_CHECK(guessed == again && spins == spins_again);
  FUZZ_CHECK(fault.line == other.line && fault.what == other.what);
  if (status != LBP_OK) {
    FUZZ_CHECK(status == LBP_E_FORMAT || status == LBP_E_SIZE || status == LBP_E_RANGE || status == LBP_E_INDEX ||
               status == LBP_E_NOT_FINITE);
    FUZZ_CHECK(fault.what && strlen(fault.what) > 4 && fault.line >= 1 && fault.line <= lines);
    FUZZ_CHECK(!t.ends && !t.value && t.n == 0);
    return 0;
  }
  FUZZ_CHECK(!fault.what && t.n > 0 && t.n == whole.n && t.count == whole.count);
  FUZZ_CHECK(memcmp(t.ends, whole.ends, 2 * t.count * sizeof *t.ends) == 0);
  FUZZ_CHECK(memcmp(t.value, whole.value, t.count * sizeof *t.value) == 0);
  if (t.n <= QUBO_SITES) {
    if (spins) qubo_spins(&t, input, size);
    else qubo_compare(&t, input, size, guessed);
    qubo_use(&t);
  }
  lbp_qubo_terms_free(&t);
  lbp_qubo_terms_free(&whole);
  return 0;
}
