/* Part of bridge.sh, compiled with AddressSanitizer: calls of lbp_bridge.h whose arguments are mutated at random, or NULL.
 * Each returns a status, and one that is not LBP_OK has a sentence. Prints the sum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t n, k;
  const double *h;
  const uint32_t *table;
} toy;

static double toy_delta(const toy *t, const uint8_t *x, uint32_t i) { return x[i] ? -t->h[i] : t->h[i]; }
static uint32_t toy_neighbours(const toy *t, uint32_t i, uint32_t *out) { return (void)t, (void)i, (void)out, 0; }
static double toy_logp(const toy *t, const uint8_t *x) {
  double sum = 0;
  for (uint32_t i = 0; i < t->n; i++) sum += t->h[i] * x[i];
  return sum;
}
#define LBP_NAME             toy
#define LBP_MODEL_T          toy
#define LBP_DELTA            toy_delta
#define LBP_NEIGHBOURS       toy_neighbours
#define LBP_MAX_NEIGHBOURS   1
#define LBP_LOGP             toy_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#define LBP_BRIDGE_SIZES(S)  S(n) S(k)
#define LBP_BRIDGE_ARRAYS(A) A(h, double, n) A(table, uint32_t, n * k)
#include "../../lbp_bridge.h"

enum { CALLS = 1500, N = 6, BYTES = 8 * N * 3 };

static uint64_t seed = 1;
static uint32_t any(uint32_t below) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(seed >> 33) % below;
}

static int failed, refused, done;

/* A status, and the sentence that belongs to it. */
static void told(const char *what, int status, const char *sentence) {
  done++;
  refused += status != LBP_OK;
  if (status == LBP_OK || (sentence && *sentence && strlen(sentence) < LBP_OPTION_TEXT)) return;
  failed++;
  printf("FAILED: %s: status %d without a sentence\n", what, status);
}

static const char *name_of(void) {
  static const char *const names[] = {
      "h", "table", "n", "k", "start", "clamp", "tempering.ladder", "draws", "chains", "seed", "sampler", "thin", "keep", "x", "lp",
      "best", "marginal", "marginals", "rhat", "", "tempering", "annealing.sweeps", "parameter", "name", "states", "values", "check"};
  static char random[200];
  uint32_t k = any(sizeof names / sizeof names[0] + 3);
  if (k < sizeof names / sizeof names[0]) return names[k];
  if (k == sizeof names / sizeof names[0]) return NULL;
  memset(random, 0, sizeof random);
  for (k = any(199); k > 0; k--) random[k - 1] = (char)(1 + any(255));
  return random;
}

static const char *value_of(void) {
  static const char *const values[] = {"0", "1", "2", "3", "-1", "1e400", "nan", "true", "gibbs", "lbp", "rwm", "clock", "swap", "counted",
                                       "conditional", "18446744073709551616", "0.5", "", " 7", "7 ", "%s%n%s", "none", "taken"};
  const uint32_t k = any(sizeof values / sizeof values[0] + 1);
  return k < sizeof values / sizeof values[0] ? values[k] : any(8) ? name_of() : NULL;
}

/* An array whose shape, if its type is one, is within the memory that its data have. */
static lbp_bridge_array array_of(unsigned char *memory) {
  lbp_bridge_array a;
  uint64_t items = 1;
  uint32_t k;
  memset(&a, 0, sizeof a);
  a.name = name_of();
  a.type = (int32_t)any(11) - 1;
  a.dims = any(5);
  a.data = any(8) ? memory : NULL;
  for (k = 0; k < 3; k++) a.shape[k] = any(12) ? any(N + 1) : UINT64_MAX - any(2);
  for (k = 0; k < BYTES; k++) memory[k] = (unsigned char)(any(3) ? any(2) : any(256));
  for (k = 0; k < 3 * N && a.type == LBP_BRIDGE_DOUBLE; k++) ((double *)(void *)memory)[k] = any(20) ? any(4) / 2.0 : 1e308 * 10;
  for (k = 0; k < 3 && k < a.dims; k++) {
    if (a.shape[k] > N) return a; /* more than memory has: refused before it is read */
    items *= a.shape[k];
  }
  if (items * 8 > BYTES) a.shape[0] = 1;
  if (items * 8 > BYTES) a.shape[1] = 1;
  return a;
}

static lbp_bridge_model *make_model(void) {
  static const double h[N] = {0.3, -0.5, 0.2, 0, 1, -1};
  static const uint32_t table[2 * N] = {0};
  lbp_bridge_array a[2];
  lbp_bridge_model *model = NULL;
  char why[LBP_OPTION_TEXT];
  memset(a, 0, sizeof a);
  a[0].name = "h", a[0].type = LBP_BRIDGE_DOUBLE, a[0].dims = 1, a[0].shape[0] = N, a[0].data = h;
  a[1].name = "table", a[1].type = LBP_BRIDGE_UINT32, a[1].dims = 2, a[1].shape[0] = N, a[1].shape[1] = 2, a[1].data = table;
  if (lbp_bridge_model_make(a, 2, &model, why) != LBP_OK) printf("%s\n", why), exit(1);
  return model;
}

/* Makes a model of arrays that are nearly right. */
static void fuzz_model(void) {
  unsigned char *memory[4];
  lbp_bridge_array a[4];
  lbp_bridge_model *model = NULL;
  char why[LBP_OPTION_TEXT] = "";
  uint32_t k, count = any(4);
  for (k = 0; k < 4; k++) {
    memory[k] = (unsigned char *)malloc(BYTES);
    if (!memory[k]) exit(1);
    a[k] = array_of(memory[k]);
    if (k < 2 && any(3)) a[k].name = k ? "table" : "h", a[k].type = k ? LBP_BRIDGE_UINT32 : LBP_BRIDGE_DOUBLE;
  }
  if (any(2)) count = 2;
  told("model_make", lbp_bridge_model_make(any(20) ? a : NULL, count, any(20) ? &model : NULL, why), why);
  if (model && lbp_bridge_model_array(model, any(3), &a[0]) == LBP_OK) told("arrays", a[0].data ? LBP_OK : LBP_E_NULL, "");
  lbp_bridge_model_free(model);
  for (k = 0; k < 4; k++) free(memory[k]);
}

int main(void) {
  static const char *const drivers[] = {"run", "anneal", "ais", "walk", "", NULL};
  lbp_bridge_model *model = make_model();
  lbp_bridge_sampler *s = NULL;
  unsigned char *memory = (unsigned char *)malloc(BYTES), *x = (unsigned char *)malloc(N);
  double *info = (double *)malloc(LBP_BRIDGE_INFO * sizeof *info), logp;
  char value[LBP_OPTION_TEXT];
  uint32_t call, k;
  if (!memory || !x || !info) return 1;
  for (call = 0; call < CALLS; call++) {
    lbp_bridge_sampler *to;
    lbp_bridge_array a;
    int status;
    if (call % 25 == 0) {
      lbp_bridge_sampler_free(s);
      if (lbp_bridge_sampler_make(model, &s) != LBP_OK || lbp_bridge_set(s, "draws", "5") || lbp_bridge_set(s, "warmup", "5") ||
          lbp_bridge_set(s, "annealing.sweeps", "5")) return 1;
    }
    to = any(20) ? s : NULL;
    for (k = 0; k < N; k++) x[k] = (unsigned char)(any(20) ? any(2) : any(256));
    switch (any(9)) {
      case 0: fuzz_model(); break;
      case 1: {
        const char *name = name_of(), *given = value_of();
        const int file = name && (strcmp(name, "name") == 0); /* and runs that last are not asked for */
        if (!file) told("set", lbp_bridge_set(to, name, given), lbp_bridge_message(to));
        break;
      }
      case 2: a = array_of(memory), told("give", lbp_bridge_give(to, any(20) ? &a : NULL), lbp_bridge_message(to)); break;
      case 3:
        if (to && (lbp_bridge_set(to, "draws", "5") || lbp_bridge_set(to, "seconds", "0.01"))) return 1;
        told("run", lbp_bridge_run(to, drivers[any(6)]), lbp_bridge_message(to));
        break;
      case 4:
        status = lbp_bridge_get(to, name_of(), any(20) ? &a : NULL);
        told("get", status, lbp_bridge_message(to));
        for (k = 0; status == LBP_OK && k < lbp_p_bridge_items(&a); k++) logp = lbp_p_bridge_number(&a, k);
        break;
      case 5:
        for (k = 0; lbp_bridge_result(to, k); k++) told("result", lbp_bridge_get(to, lbp_bridge_result(to, k), &a), "");
        for (k = 0; lbp_bridge_warning(to, k); k++) told("warning", lbp_bridge_warning_name(to, k) ? LBP_OK : LBP_E_NULL, "");
        break;
      case 6:
        status = lbp_bridge_step(to, any(9), any(9), any(50), any(20) ? x : NULL, any(3) ? info : NULL);
        told("step", status, lbp_bridge_message(to));
        break;
      case 7: told("logp", lbp_bridge_logp(to, any(20) ? x : NULL, any(20) ? &logp : NULL), lbp_bridge_message(to)); break;
      default:
        status = lbp_bridge_wants(any(2) ? any(6) : UINT32_MAX, any(20) ? &a : NULL);
        told("wants", status, lbp_bridge_error(status));
        lbp_bridge_option(to, any(60), any(4) ? value : NULL);
        lbp_bridge_interrupt(any(4) ? NULL : to);
    }
  }
  lbp_bridge_sampler_free(s);
  lbp_bridge_model_free(model);
  free(memory);
  free(x);
  free(info);
  if (refused < done / 4 || refused > done) failed++, printf("FAILED: %d of %d calls were refused\n", refused, done);
  printf("%d passed, %d failed\n", done - failed, failed);
  return failed > 0;
}
