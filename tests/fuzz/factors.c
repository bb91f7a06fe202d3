/* Fuzz target: the readers of factor graphs. The first byte says which: UAI, .fg, or .evid, for a small graph; the rest
 * is the file. A refusal has a reason and a line that the file has, and leaves nothing behind. Of what is accepted the
 * numbers of a UAI file are those that strtod reads, written and read again it is the same, and elimination, of all
 * sites and of some, finds the sum over all states that enumeration finds, unless no state is possible. */
#include "fuzz.h"

#include "../../lbp/models/factors.h"

enum { FACTORS_STATES = 4096, FACTORS_SITES = 16 };

/* How many states; FACTORS_STATES + 1 stands for more. */
static uint32_t factors_states(const lbp_factor_graph *g) {
  uint32_t i, states = 1;
  for (i = 0; i < g->n && states <= FACTORS_STATES; i++) states *= g->values[i];
  return g->n <= FACTORS_SITES && states <= FACTORS_STATES ? states : FACTORS_STATES + 1;
}

static void factors_state(const lbp_factor_graph *g, uint32_t number, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < g->n; i++) x[i] = (uint8_t)(number % g->values[i]), number /= g->values[i];
}

/* log of the sum over all states, and how many of them are possible. */
static double factors_log_z(const lbp_factor_graph *g, uint32_t states, uint32_t *possible) {
  double most = -lbp_infinity(), sum = 0;
  uint8_t x[FACTORS_SITES];
  uint32_t s;
  *possible = 0;
  for (s = 0; s < states; s++) {
    factors_state(g, s, x);
    most = fmax(most, lbp_factor_graph_logp(g, x));
  }
  for (s = 0; s < states; s++) {
    double logp;
    factors_state(g, s, x);
    logp = lbp_factor_graph_logp(g, x);
    if (!lbp_is_finite(logp)) continue;
    sum += exp(logp - most);
    ++*possible;
  }
  return most + log(sum);
}

static int factors_near(double a, double b) { return fabs(a - b) <= 1e-9 * (1 + fabs(a)); }

/* Elimination against enumeration, and what the model says. */
static void factors_use(const lbp_factor_graph *g) {
  const uint32_t states = factors_states(g);
  uint32_t possible, left, s;
  uint8_t x[FACTORS_SITES];
  double log_z;
  lbp_elimination e;
  lbp_factors m;
  int status;
  if (states > FACTORS_STATES) return;
  log_z = factors_log_z(g, states, &possible);
  status = lbp_eliminate(&e, g, 1 << 13, 1 << 16, LBP_ELIMINATE_ALL);
  FUZZ_CHECK(status == (possible ? LBP_OK : LBP_E_IMPOSSIBLE));
  if (!possible) return;
  FUZZ_CHECK(e.core.n == 0 && factors_near(e.log_constant, log_z));
  lbp_elimination_complete(&e, NULL, NULL, x);
  FUZZ_CHECK(lbp_is_finite(lbp_factor_graph_logp(g, x)));
  lbp_elimination_free(&e);
  FUZZ_CHECK(lbp_eliminate(&e, g, 6, 1 << 16, 0) == LBP_OK);
  FUZZ_CHECK(e.core.n == 0 || factors_near(e.log_constant + factors_log_z(&e.core, factors_states(&e.core), &left), log_z));
  if (e.core.n > 0) {
    FUZZ_CHECK(lbp_factors_init(&m, &e.core, lbp_factor_graph_states(&e.core), 0) == LBP_OK);
    for (s = 0; s < factors_states(&e.core); s += 1 + s / 7) {
      double got, want;
      factors_state(&e.core, s, x);
      got = lbp_factors_logp(&m, x) + m.log_constant;
      want = lbp_factor_graph_logp(&e.core, x);
      FUZZ_CHECK(lbp_is_finite(want) ? fabs(got - want) <= 1e-5 * (1000 + fabs(want) + fabs(m.log_constant)) : got < -1e300);
    }
    lbp_factors_free(&m);
  }
  lbp_elimination_free(&e);
}

/* A UAI file's numbers are those of its last words. */
static void factors_compare(const lbp_factor_graph *g, const char *text) {
  double *value = (double *)calloc(strlen(text) / 2 + 2, sizeof *value);
  size_t count = 0, at, t, k;
  char *end;
  FUZZ_CHECK(value != NULL);
  for (text += strspn(text, " \t\r\n"), text += strcspn(text, " \t\r\n");; text = end) { /* behind the first word */
    const double v = strtod(text, &end);
    if (end == text) break;
    value[count++] = v;
  }
  at = count;
  for (t = g->tables; t > 0; t--) {
    const size_t cells = g->cell_at[t] - g->cell_at[t - 1];
    FUZZ_CHECK(at >= cells + 1 && value[at - cells - 1] == (double)cells);
    at -= cells;
    for (k = 0; k < cells; k++) {
      const double log_w = g->cells[g->cell_at[t - 1] + k];
      FUZZ_CHECK(value[at + k] > 0 ? log_w == log(value[at + k]) : log_w < -1e300);
    }
    at--;
  }
  free(value);
}

/* Written and read again. */
static void factors_again(const lbp_factor_graph *g) {
  lbp_factor_graph other;
  lbp_factors_fault fault;
  FILE *file = tmpfile();
  size_t k;
  int status;
  if (!file) return;
  status = lbp_factor_graph_write(g, file);
  FUZZ_CHECK(status == LBP_OK || status == LBP_E_RANGE);
  rewind(file);
  if (status == LBP_OK) {
    FUZZ_CHECK(lbp_factor_graph_read(&other, LBP_FACTORS_UAI, file, &fault) == LBP_OK);
    FUZZ_CHECK(other.n == g->n && other.tables == g->tables && other.bayes == g->bayes);
    FUZZ_CHECK(g->tables == 0 || g->scope_at[g->tables] == 0 ||
               memcmp(other.scope, g->scope, g->scope_at[g->tables] * sizeof *g->scope) == 0);
    for (k = 0; k < g->cell_at[g->tables]; k++) {
      FUZZ_CHECK(lbp_is_finite(g->cells[k]) ? factors_near(g->cells[k], other.cells[k]) : other.cells[k] < -1e300);
    }
    lbp_factor_graph_free(&other);
  }
  fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
  static const char small[] = "MARKOV 3 2 3 2 2 2 0 1 2 1 2 6 1 2 0 4 5 6 6 1 0 3 4 5 6";
  lbp_factor_graph g;
  lbp_factors_fault fault;
  uint64_t lines = 1;
  size_t k;
  int kind, status;
  char *text;
  if (size < 1) return 0;
  fuzz_start(input, size);
  kind = (int)fuzz_below(3);
  input++, size--;
  for (k = 0; k < size; k++) lines += input[k] == '\n';
  if (kind == 2) {
    FUZZ_CHECK(lbp_factor_graph_parse(&g, LBP_FACTORS_UAI, small, sizeof small - 1, &fault) == LBP_OK);
    status = lbp_factor_graph_parse_evidence(&g, input, size, size > 0 ? (int64_t)(input[size - 1] % 4) - 1 : -1, &fault);
  } else {
    status = lbp_factor_graph_parse(&g, kind, input, size, &fault);
  }
  if (status != LBP_OK) {
    FUZZ_CHECK(status == LBP_E_FORMAT || status == LBP_E_SIZE || status == LBP_E_RANGE || status == LBP_E_INDEX ||
               status == LBP_E_NOT_FINITE || status == LBP_E_IMPOSSIBLE || status == LBP_E_STATE || status == LBP_E_MEMORY);
    FUZZ_CHECK(strlen(fault.what) > 4 && fault.line >= 1 && fault.line <= lines);
    FUZZ_CHECK(kind == 2 || (!g.values && !g.cells && g.n == 0));
  } else {
    FUZZ_CHECK(fault.what[0] == '\0' && g.n > 0);
    text = (char *)calloc(size + 1, 1);
    FUZZ_CHECK(text != NULL);
    if (size > 0) memcpy(text, input, size);
    if (kind == 0) factors_compare(&g, text);
    free(text);
    if (kind < 2 && g.n <= FACTORS_SITES && g.cell_at[g.tables] <= FACTORS_STATES) factors_again(&g);
    factors_use(&g);
  }
  lbp_factor_graph_free(&g);
  return 0;
}
