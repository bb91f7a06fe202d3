/* lbp_bridge.h: sizes found from lengths, and faults of arrays; runs with the draws of NAME_run, whatever the
 * template; results by name, with their shapes; single steps, whose law is that of the model; options, interruption,
 * resumption. KIND: which template: 0 lbp.h, 1 fixed n, 2 categorical, 3 groups, 4 lbp_ab.h, 5 lbp_perm.h (bridge.sh).
 * Statistical checks allow six standard errors: a false alarm in 10^-7 runs. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LBP_BRIDGE_AT_ONCE 1024u /* so room grows */
#include "../lbp_bridge.h" /* without a model it declares the interface */

#ifndef KIND
#define KIND 0
#endif

/* log pi = sum h_i x_i + sum of value[k] x_i x_j, (i, j) = ends[2 k], ends[2 k + 1]; the other arrays are there to be
 * measured. */
typedef struct {
  uint32_t n, m, k;
  const double *h, *value, *pairs, *grid;
  const uint32_t *ends;
  const float *three;
  const uint8_t *bytes;
  const int64_t *wide;
  double *built;
} toy;

#define ITEM uint8_t
#if KIND == 5
#undef ITEM
#define ITEM uint32_t
#endif

static double toy_logp(const toy *t, const ITEM *x) {
  double sum = 0;
  for (uint32_t i = 0; i < t->n; i++) sum += t->h[i] * x[i] * (KIND == 5 ? i : 1);
  for (uint32_t k = 0; KIND != 5 && k < t->m; k++) sum += t->value[k] * x[t->ends[2 * k]] * x[t->ends[2 * k + 1]];
  return sum;
}

/* log pi gains per unit of x_i. */
static double toy_slope(const toy *t, const ITEM *x, uint32_t i) {
  double sum = t->h[i];
  for (uint32_t k = 0; k < t->m; k++) {
    if (t->ends[2 * k] == i) sum += t->value[k] * x[t->ends[2 * k + 1]];
    if (t->ends[2 * k + 1] == i) sum += t->value[k] * x[t->ends[2 * k]];
  }
  return sum;
}

static inline double toy_delta(const toy *t, const ITEM *x, uint32_t i) { return (1 - 2.0 * x[i]) * toy_slope(t, x, i); }

static inline void toy_row(const toy *t, const ITEM *x, uint32_t i, double *out) {
  for (int v = 0; v < 3; v++) out[v] = (v - (int)x[i]) * toy_slope(t, x, i);
}

static inline uint32_t toy_neighbours(const toy *t, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < t->m; k++) {
    if (t->ends[2 * k] == i) out[count++] = t->ends[2 * k + 1];
    else if (t->ends[2 * k + 1] == i) out[count++] = t->ends[2 * k];
  }
  return count;
}

static inline double toy_gradient(const toy *t, const ITEM *x, double *out) {
  for (uint32_t i = 0; i < t->n; i++) out[i] = toy_slope(t, x, i);
  return toy_logp(t, x);
}

static inline double toy_exchange(const toy *t, const ITEM *s, uint32_t a, uint32_t b) {
  return (t->h[a] * a - t->h[b] * b) * ((double)s[b] - (double)s[a]);
}

static inline uint32_t toy_rows(const toy *t, uint32_t a, uint32_t *out) { return (void)t, (void)a, (void)out, 0; }

static double first_item(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)column, (void)n, ((const ITEM *)(const void *)x)[0];
}

#define N     6
#define EDGES 4
static int built, freed;

static int toy_build(toy *t, char *why) {
  t->built = (double *)calloc(t->n + 1, sizeof(double));
  built++;
  for (uint32_t k = 0; k < 2 * t->m; k++) {
    if (t->ends[k] < t->n) continue;
    snprintf(why, 1024, "ends[%u] is no site", (unsigned)k);
    return LBP_E_STATE;
  }
  return t->h[0] == 77 ? LBP_E_RANGE : LBP_OK; /* without a sentence */
}
static void toy_free(toy *t) {
  free(t->built);
  t->built = NULL;
  freed++;
}

#if KIND == 4
#define LBP_NAME     own
#define LBP_MODEL_T  toy
#define LBP_GRADIENT toy_gradient
#define LBP_AB_TEMPERED
#define LBP_CLAMPED
#elif KIND == 5
#define LBP_NAME           own
#define LBP_MODEL_T        toy
#define LBP_EXCHANGE       toy_exchange
#define LBP_NEIGHBOURS     toy_rows
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           toy_logp
#else
#define LBP_NAME           own
#define LBP_MODEL_T        toy
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS EDGES
#define LBP_LOGP           toy_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#if KIND == 2
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  toy_row
#else
#define LBP_DELTA          toy_delta
#endif
#if KIND == 1
#define LBP_N              N
#endif
#if KIND == 3
#define LBP_GROUP(m, i)    0u
#define LBP_GROUPS         1
#endif
#endif
#define LBP_BRIDGE_SIZES(S) S(n) S(m) S(k)
#define LBP_BRIDGE_ARRAYS(A)                                                                                        \
  A(grid, double, n * k) A(pairs, double, n * (n - 1) / 2) A(h, double, n) A(ends, uint32_t, 2 * m)                \
  A(value, double, m) A(three, float, 3) A(bytes, uint8_t, 2) A(wide, int64_t, m + 1)
#define LBP_BRIDGE_COLUMNS       {"first", first_item, NULL, 0}
#define LBP_BRIDGE_BUILD(t, why) toy_build(t, why)
#define LBP_BRIDGE_FREE(t)       toy_free(t)
#include "../lbp_bridge.h"

#include "run_files.h"
#include "test.h"

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static const double grid[2 * N] = {0}, pairs[N * (N - 1) / 2 + 1] = {0}, h[N] = {0.4, -0.7, 0.2, 1.0, -0.3, 0.1};
static const double value[EDGES] = {0.8, -0.5, 0.3, -0.9};
static const uint32_t ends[2 * EDGES] = {0, 1, 1, 2, 3, 5, 4, 2};
static const float three[4] = {0};
static const uint8_t bytes[N] = {0};
static const int64_t wide[EDGES + 1] = {0};

static lbp_bridge_array array_of(const char *name, int type, uint64_t length, const void *data) {
  lbp_bridge_array a;
  memset(&a, 0, sizeof a);
  a.name = name;
  a.type = type;
  a.dims = 1;
  a.shape[0] = length;
  a.data = data;
  return a;
}

enum { ARRAYS = 8 };
static lbp_bridge_array good[ARRAYS + 1];

static void make_good(void) {
  good[0] = array_of("value", LBP_BRIDGE_DOUBLE, EDGES, value); /* in any order */
  good[1] = array_of("grid", LBP_BRIDGE_DOUBLE, 2 * N, grid);
  good[2] = array_of("ends", LBP_BRIDGE_UINT32, 2 * EDGES, ends);
  good[3] = array_of("pairs", LBP_BRIDGE_DOUBLE, N * (N - 1) / 2, pairs);
  good[4] = array_of("h", LBP_BRIDGE_DOUBLE, N, h);
  good[5] = array_of("three", LBP_BRIDGE_FLOAT, 3, three);
  good[6] = array_of("wide", LBP_BRIDGE_INT64, EDGES + 1, wide);
  good[7] = array_of("bytes", LBP_BRIDGE_UINT8, 2, bytes);
}

static char why[1024];

/* With array k replaced, and maybe one more, the sentence has `word`. */
static void refuses(uint32_t k, lbp_bridge_array a, const lbp_bridge_array *more, const char *word) {
  lbp_bridge_array arrays[ARRAYS + 1];
  lbp_bridge_model *model = (lbp_bridge_model *)(void *)why;
  const int before = built - freed;
  memcpy(arrays, good, sizeof arrays);
  if (k < ARRAYS) arrays[k] = a;
  if (more) arrays[ARRAYS] = *more;
  CHECK(lbp_bridge_model_make(arrays, more ? ARRAYS + 1 : ARRAYS, &model, why) != LBP_OK);
  CHECK(model == NULL && built - freed <= before);
  if (!strstr(why, word)) printf("%s: not %s\n", why, word);
  CHECK(strstr(why, word) != NULL);
  CHECK(lbp_bridge_model_make(arrays, more ? ARRAYS + 1 : ARRAYS, &model, NULL) != LBP_OK);
}

/* Sizes from lengths such as n (m - 1), and where an empty array comes first, which several sizes fit. */
static void odd_lengths(const double *size, double *length) {
  length[0] = size[0] * (size[0] - 1) / 2;
  length[1] = size[0] * (size[1] - 1);
  length[2] = size[1];
  length[3] = size[2] * (size[2] - 1) / 2;
  length[4] = size[2];
}

static void check_sizes(void) {
  static const lbp_p_bridge_field field[5] = {{"J", "n * (n - 1) / 2", LBP_BRIDGE_DOUBLE},
                                              {"K", "n * (m - 1)", LBP_BRIDGE_DOUBLE}, {"b", "m", LBP_BRIDGE_DOUBLE},
                                              {"L", "k * (k - 1) / 2", LBP_BRIDGE_DOUBLE}, {"h", "k", LBP_BRIDGE_DOUBLE}};
  static const char *const name[3] = {"n", "m", "k"};
  const lbp_p_bridge_parts parts = {field, name, 5, 3, odd_lengths};
  lbp_bridge_array a[5];
  const lbp_bridge_array *given[5];
  double size[3] = {-1, -1, -1};
  uint32_t k;
  for (k = 0; k < 5; k++) a[k] = array_of(field[k].name, LBP_BRIDGE_DOUBLE, 0, grid), given[k] = &a[k];
  a[0].shape[0] = 3, a[1].shape[0] = 12, a[2].shape[0] = 5; /* n = 3, m = 5 */
  a[4].shape[0] = 1;                                        /* k = 1, although L is empty */
  CHECK(lbp_p_bridge_measure(&parts, given, size, why) == LBP_OK);
  CHECK(size[0] == 3 && size[1] == 5 && size[2] == 1);
}

static void check_refusals(void) {
  static double bad[N] = {0, 0, 0, NAN, 0, 0}, odd[N] = {77};
  static const uint32_t far[2 * EDGES] = {0, 1, 1, N, 3, 5, 4, 2};
  lbp_bridge_array a = good[4];
  lbp_bridge_model *model;
  a.shape[0] = N - 1;
  refuses(4, a, NULL, "numbers, not");
  a = good[4], a.data = bad;
  refuses(4, a, NULL, "h[3] is not a number");
  a.data = odd;
  refuses(4, a, NULL, lbp_error(LBP_E_RANGE));
  a.data = NULL;
  refuses(4, a, NULL, "h: there is no data");
  a = good[4], a.type = LBP_BRIDGE_FLOAT;
  refuses(4, a, NULL, "h: the type is float64, not float32");
  a.type = 99;
  refuses(4, a, NULL, "h: its type is unknown");
  a.type = -1;
  refuses(4, a, NULL, "h: its type is unknown");
  a = good[4], a.name = "g";
  refuses(4, a, NULL, "g: the model has no such array, but grid (float64, n * k), pairs (float64, n * (n - 1) / 2), h");
  a.name = NULL;
  refuses(4, a, NULL, "no such array");
  a = good[4], a.dims = 3, a.shape[1] = a.shape[2] = UINT64_MAX / 2;
  refuses(4, a, NULL, "h: its shape is invalid");
  a.dims = 4;
  refuses(4, a, NULL, "h: its shape is invalid");
  refuses(ARRAYS, good[4], &good[4], "h: given twice");
  refuses(4, good[0], NULL, "value: given twice");
  a = good[2], a.data = far;
  refuses(2, a, NULL, "ends[3] is no site");
  a = good[2], a.shape[0] = 2 * EDGES - 1;
  refuses(2, a, NULL, "numbers, not");
  a = good[3], a.shape[0]++;
  refuses(3, a, NULL, "pairs: 16 numbers, not n * (n - 1) / 2, where n = ");
  a = good[1], a.shape[0]--;
  refuses(1, a, NULL, "grid: 11 numbers, not n * k, where n = 6, m = 4, k = 2");
  a = good[5], a.shape[0] = 4;
  refuses(5, a, NULL, "three: 4 numbers, not 3");
  {
    const double five = 5, half = 0.5, less = -1, many = 4e9;
    a = array_of("n", LBP_BRIDGE_DOUBLE, 1, &five);
    refuses(ARRAYS, a, &a, "numbers, not");
    a.data = &half;
    refuses(ARRAYS, a, &a, "n: it is a size: one whole number");
    a.data = &less;
    refuses(ARRAYS, a, &a, "n: it is a size: one whole number");
    a.data = &many;
    refuses(ARRAYS, a, &a, "n: it is a size: one whole number");
    a.data = h, a.shape[0] = 2;
    refuses(ARRAYS, a, &a, "n: it is a size: one whole number");
  }
  CHECK(lbp_bridge_model_make(good, ARRAYS - 1, &model, why) != LBP_OK && !model);
  CHECK(strstr(why, "bytes: it is missing; the model needs 2 numbers of type uint8") != NULL);
  CHECK(lbp_bridge_model_make(NULL, 1, &model, why) == LBP_E_NULL);
  CHECK(lbp_bridge_model_make(NULL, 0, &model, why) != LBP_OK && strstr(why, "grid: it is missing"));
  CHECK(lbp_bridge_model_make(good, ARRAYS, NULL, why) == LBP_E_NULL);
  lbp_bridge_model_free(NULL);
}

/* Array k with this shape of as many items; word: what is wrong with it, NULL if nothing. */
static void reshape(uint32_t k, uint32_t dims, uint64_t first, uint64_t second, const char *word) {
  lbp_bridge_array arrays[ARRAYS], a = good[k];
  lbp_bridge_model *model;
  a.dims = dims, a.shape[0] = first, a.shape[1] = second, a.shape[2] = 1;
  memcpy(arrays, good, sizeof arrays);
  arrays[k] = a;
  if (word) {
    refuses(k, a, NULL, word);
  } else {
    CHECK(lbp_bridge_model_make(arrays, ARRAYS, &model, why) == LBP_OK);
    lbp_bridge_model_free(model);
  }
}

static void check_shapes(void) {
  reshape(4, 2, 2, N / 2, "h: its shape is 2 x 3, not n, where n = 6, m = 4, k = 2");
  reshape(4, 2, 1, N, NULL);
  reshape(4, 3, N, 1, NULL);
  reshape(1, 2, N, 2, NULL);                                          /* n * k */
  reshape(1, 3, N, 2, NULL);
  reshape(1, 2, 2, N, "grid: its shape is 2 x 6, not n * k");
  reshape(1, 2, 4, 3, "grid: its shape is 4 x 3, not n * k");
  reshape(1, 1, 2 * N, 1, NULL);                                      /* all in a row */
  reshape(1, 2, 2 * N, 1, "grid: its shape is 12 x 1, not n * k");
  reshape(1, 2, 1, 2 * N, "grid: its shape is 1 x 12, not n * k");
  reshape(2, 2, 2, EDGES, NULL);                                      /* 2 * m */
  reshape(2, 2, 2 * EDGES, 1, "ends: its shape is 8 x 1, not 2 * m");
  reshape(3, 2, N * (N - 1) / 2, 1, NULL);
  reshape(2, 2, EDGES, 2, "ends: its shape is 4 x 2, not 2 * m");
  reshape(3, 2, 3, 5, "pairs: its shape is 3 x 5, not n * (n - 1) / 2");
}

static void check_wants(void) {
  static const char *const names[] = {"grid", "pairs", "h", "ends", "value", "three", "bytes", "wide", "n", "m", "k"};
  static const char *const lengths[] = {"n * k", "n * (n - 1) / 2", "n", "2 * m", "m", "3", "2", "m + 1", "", "", ""};
  lbp_bridge_array a;
  uint32_t k;
  for (k = 0; lbp_bridge_wants(k, &a) == LBP_OK; k++) {
    CHECK(k < 11 && strcmp(a.name, names[k]) == 0 && strcmp(a.length, lengths[k]) == 0);
    CHECK(a.type == (k == 3 || k > 7 ? LBP_BRIDGE_UINT32 : k == 5 ? LBP_BRIDGE_FLOAT : k == 6 ? LBP_BRIDGE_UINT8 :
                     k == 7 ? LBP_BRIDGE_INT64 : LBP_BRIDGE_DOUBLE));
  }
  CHECK(k == 11 && lbp_bridge_wants(UINT32_MAX, &a) == LBP_E_INDEX);
  CHECK(lbp_bridge_abi() == LBP_BRIDGE_ABI && lbp_bridge_version() == LBP_VERSION);
  CHECK(strcmp(lbp_bridge_name(), "own") == 0 && strcmp(lbp_bridge_error(LBP_E_SIZE), lbp_error(LBP_E_SIZE)) == 0);
}

static void check_arrays(const lbp_bridge_model *model) { /* as they are in the model */
  lbp_bridge_array a, wanted;
  uint32_t k;
  for (k = 0; lbp_bridge_model_array(model, k, &a) == LBP_OK; k++) {
    uint32_t of = 0;
    CHECK(lbp_bridge_wants(k, &wanted) == LBP_OK && strcmp(a.name, wanted.name) == 0 && a.type == wanted.type);
    while (of < ARRAYS && strcmp(good[of].name, a.name) != 0) of++;
    CHECK(of < ARRAYS && a.dims == 1 && a.shape[0] == good[of].shape[0] && a.data != good[of].data);
    CHECK(of < ARRAYS && memcmp(a.data, good[of].data, (size_t)a.shape[0] * lbp_p_bridge_item(a.type)) == 0);
  }
  CHECK(k == ARRAYS && lbp_bridge_model_array(model, k, &a) == LBP_E_INDEX);
  CHECK(lbp_bridge_model_array(NULL, 0, &a) == LBP_E_NULL && lbp_bridge_model_array(model, 0, NULL) == LBP_E_NULL);
}

static lbp_bridge_model *make_model(void) {
  lbp_bridge_model *model = NULL;
  CHECK(lbp_bridge_model_make(good, ARRAYS, &model, why) == LBP_OK && model);
  if (!model) {
    printf("%s\n", why);
    exit(1);
  }
  CHECK(model->own.n == N && model->own.m == EDGES && model->own.k == 2);
  CHECK(model->own.h != h && memcmp(model->own.h, h, sizeof h) == 0); /* a copy */
  CHECK(lbp_bridge_sites(model) == N && lbp_bridge_item_bytes(model) == sizeof(ITEM));
  return model;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* A state that every kind has, and the sampler that steps are to be of. */
static const ITEM start[N] = {KIND == 5 ? 5 : 1, 0, 1, KIND == 5 ? 4 : 0, KIND == 5 ? 3 : 0, KIND == 5 ? 2 : 1};
static const char *const steps_by = KIND == 4 ? "dlp" : KIND == 3 ? "swap" : KIND == 5 ? "pairs" : "lbp";

static lbp_bridge_sampler *make_sampler(lbp_bridge_model *model) {
  lbp_bridge_array a = array_of("start", sizeof(ITEM) == 1 ? LBP_BRIDGE_UINT8 : LBP_BRIDGE_UINT32, N, start);
  lbp_bridge_sampler *s = NULL;
  CHECK(lbp_bridge_sampler_make(model, &s) == LBP_OK && s && lbp_bridge_message(s)[0] == '\0');
  CHECK(lbp_bridge_give(s, &a) == LBP_OK);
  if (KIND == 4) CHECK(lbp_bridge_set(s, "values", "3") == LBP_OK);
  return s;
}

enum { CHAINS = 3, DRAWS = 1500 };
static ITEM want[CHAINS][DRAWS][N];
static double want_values[CHAINS][DRAWS][LBP_DRAW_VALUES + 1];

static void keep(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  (void)data;
  memcpy(want[chain][draw], x, sizeof want[chain][draw]);
  memcpy(want_values[chain][draw], values, sizeof want_values[chain][draw]);
}

static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain, (void)n;
  memcpy(x, start, sizeof start);
}

/* An array of results, with this shape. */
static const void *shaped(lbp_bridge_sampler *s, const char *name, int type, uint32_t dims, uint64_t a, uint64_t b, uint64_t c) {
  lbp_bridge_array got;
  CHECK(lbp_bridge_get(s, name, &got) == LBP_OK);
  CHECK(got.type == type && got.dims == dims && got.data);
  CHECK((dims < 1 || got.shape[0] == a) && (dims < 2 || got.shape[1] == b) && (dims < 3 || got.shape[2] == c));
  return got.data;
}

static const int items = sizeof(ITEM) == 1 ? LBP_BRIDGE_UINT8 : LBP_BRIDGE_UINT32;

static void check_run(lbp_bridge_model *model) {
  static const char *const names[LBP_DRAW_VALUES + 1] = {"lp", "accept", "parameter", "evaluations", "jump", "first"};
  static const lbp_run_column column = {"first", first_item, NULL, 0};
  lbp_bridge_sampler *s = make_sampler(model);
  lbp_bridge_array got;
  lbp_run_result result;
  lbp_run run;
  const char *name;
  uint32_t k, v;
  lbp_run_init(&run);
  run.chains = CHAINS;
  run.draws = DRAWS;
  run.seed = 5;
  run.warmup = 300;
  run.start = begin;
  run.on_draw = keep;
  run.save_states = LBP_STATES_PASSED;
  run.name = "own";
  run.column = &column;
  run.columns = 1;
  run.values = KIND == 4 ? 3 : 0;
  CHECK(own_run(&run, &model->own, N, &result) == LBP_OK);
  CHECK(lbp_bridge_get(s, "x", &got) == LBP_E_RANGE && strstr(lbp_bridge_message(s), "x: the last run has no such"));
  CHECK(lbp_bridge_result(s, 0) == NULL && lbp_bridge_warning(s, 0) == NULL && lbp_bridge_sampler_name(s) == NULL);
  CHECK(lbp_bridge_set(s, "chains", "3") == LBP_OK && lbp_bridge_set(s, "draws", "1500") == LBP_OK);
  CHECK(lbp_bridge_set(s, "seed", "5") == LBP_OK && lbp_bridge_set(s, "warmup", "300") == LBP_OK);
  CHECK(lbp_bridge_run(s, "run") == LBP_OK);
  CHECK(memcmp(shaped(s, "x", items, 3, CHAINS, DRAWS, N), want, sizeof want) == 0); /* the same draws */
  for (v = 0; v < LBP_DRAW_VALUES + 1; v++) {
    const double *at = (const double *)shaped(s, names[v], LBP_BRIDGE_DOUBLE, 2, CHAINS, DRAWS, 0);
    int same = 1;
    for (k = 0; k < CHAINS * DRAWS; k++) same &= at[k] == want_values[k / DRAWS][k % DRAWS][v];
    CHECK(same);
  }
  CHECK(*(const uint64_t *)shaped(s, "draws", LBP_BRIDGE_UINT64, 0, 0, 0, 0) == DRAWS);
  CHECK(*(const double *)shaped(s, "mean_accept", LBP_BRIDGE_DOUBLE, 0, 0, 0, 0) == result.accept);
  CHECK(memcmp(shaped(s, "best", items, 2, CHAINS, N, 0), result.best, CHAINS * sizeof start) == 0);
  CHECK(lbp_bridge_get(s, "ladder", &got) == LBP_E_RANGE && lbp_bridge_get(s, "log_z", &got) == LBP_E_RANGE);
  CHECK(lbp_bridge_get(s, "marginal", &got) == LBP_E_RANGE && lbp_bridge_get(s, "sweeps", &got) == LBP_E_RANGE);
  for (k = 0; (name = lbp_bridge_result(s, k)) != NULL; k++) CHECK(lbp_bridge_get(s, name, &got) == LBP_OK);
  CHECK(k == 14 + LBP_DRAW_VALUES + 1 + 1);
  CHECK(strcmp(lbp_bridge_sampler_name(s), result.sampler) == 0 && lbp_bridge_sampler_name(NULL) == NULL);
  for (k = 0; k < 2; k++) { /* of lp and the column */
    const lbp_run_row *row = &result.row[k];
    CHECK(result.rows == 2 && row->rhat_status == LBP_OK && row->ess_tail_status == LBP_OK && row->rhat != row->mcse);
    CHECK(((const double *)shaped(s, "rhat", LBP_BRIDGE_DOUBLE, 1, 2, 0, 0))[k] == row->rhat);
    CHECK(((const double *)shaped(s, "ess_bulk", LBP_BRIDGE_DOUBLE, 1, 2, 0, 0))[k] == row->ess_bulk);
    CHECK(((const double *)shaped(s, "ess_tail", LBP_BRIDGE_DOUBLE, 1, 2, 0, 0))[k] == row->ess_tail);
    CHECK(((const double *)shaped(s, "mcse", LBP_BRIDGE_DOUBLE, 1, 2, 0, 0))[k] == row->mcse);
  }
  lbp_run_free(&result);
  CHECK(lbp_bridge_set(s, "keep", "false") == LBP_OK);
  shaped(s, "x", items, 3, CHAINS, DRAWS, N); /* of the last run still */
  CHECK(lbp_bridge_set(s, "marginals", "counted") == LBP_OK && lbp_bridge_run(s, "run") == LBP_OK);
  CHECK(lbp_bridge_get(s, "x", &got) == LBP_E_RANGE);
  shaped(s, "lp", LBP_BRIDGE_DOUBLE, 2, CHAINS, DRAWS, 0);
  CHECK(KIND != 4 || lbp_bridge_set(s, "values", "5") == LBP_OK); /* of the next run */
  shaped(s, "marginal", LBP_BRIDGE_DOUBLE, KIND == 2 || KIND > 3 ? 2 : 1, N, KIND == 5 ? N : 3, 0);
  lbp_bridge_sampler_free(s);
}

/* A column of a name that another result has is refused: asked for it, a sampler would give the other. */
static void check_column_names(lbp_bridge_model *model) {
  static const char *const taken[] = {"x", "jump", "lp", "best", "marginal", "draws"};
  lbp_run_column column = {"first", first_item, NULL, 0};
  lbp_bridge_sampler *s = make_sampler(model);
  uint32_t k;
  s->run.column = &column;
  s->run.columns = 1;
  CHECK(lbp_bridge_set(s, "warmup", "300") == LBP_OK && lbp_bridge_set(s, "draws", "20") == LBP_OK);
  for (k = 0; k < sizeof taken / sizeof taken[0]; k++) {
    column.name = taken[k];
    CHECK(lbp_bridge_run(s, "run") == LBP_E_RANGE && strstr(lbp_bridge_message(s), "another result of runs"));
    CHECK(lbp_bridge_result(s, 0) == NULL);
  }
  column.name = "first";
  CHECK(lbp_bridge_run(s, "run") == LBP_OK);
  shaped(s, "first", LBP_BRIDGE_DOUBLE, 2, 4, 20, 0);
  lbp_bridge_sampler_free(s);
}

/* Tempered; annealed; log Z, which for these models is known by enumeration in other tests. */
static void check_drivers(lbp_bridge_model *model) {
  static const double ladder[3] = {1, 0.5, 0};
  lbp_bridge_sampler *s = make_sampler(model);
  lbp_bridge_array a = array_of("tempering.ladder", LBP_BRIDGE_DOUBLE, 3, ladder);
  CHECK(lbp_bridge_give(s, &a) == LBP_OK && lbp_bridge_set(s, "warmup", "300") == LBP_OK);
  CHECK(lbp_bridge_set(s, "tempering.adapt", "false") == LBP_OK);
  if (KIND == 4) CHECK(lbp_bridge_set(s, "sampler", "dlp") == LBP_OK);
  CHECK(lbp_bridge_run(s, "run") == LBP_OK || !printf("%s\n", lbp_bridge_message(s)));
  CHECK(memcmp(shaped(s, "ladder", LBP_BRIDGE_DOUBLE, 1, 3, 0, 0), ladder, sizeof ladder) == 0);
  shaped(s, "swaps", LBP_BRIDGE_DOUBLE, 1, 2, 0, 0);
  shaped(s, "log_z_se", LBP_BRIDGE_DOUBLE, 0, 0, 0, 0);
  a.shape[0] = 2; /* which does not end at 0 */
  CHECK(lbp_bridge_give(s, &a) == LBP_OK && lbp_bridge_run(s, "run") == LBP_OK);
  shaped(s, "swaps", LBP_BRIDGE_DOUBLE, 1, 1, 0, 0);
  shaped(s, "round_trips", LBP_BRIDGE_UINT64, 0, 0, 0, 0);
  CHECK(lbp_bridge_get(s, "log_z", &a) == LBP_E_RANGE);
  a = array_of("tempering.ladder", LBP_BRIDGE_DOUBLE, 3, ladder);
  CHECK(lbp_bridge_give(s, &a) == LBP_OK);
  CHECK(lbp_bridge_run(s, "ais") == LBP_OK || !printf("%s\n", lbp_bridge_message(s)));
  shaped(s, "log_z", LBP_BRIDGE_DOUBLE, 0, 0, 0, 0);
  shaped(s, "best", items, 1, N, 0, 0);
  CHECK(lbp_bridge_get(s, "lp", &a) == LBP_E_RANGE);
  CHECK(s->ais.warnings == LBP_WARN_AIS_WEIGHTS && lbp_bridge_warning(s, 0) == lbp_ais_advice(LBP_WARN_AIS_WEIGHTS)); /* of 4 chains */
  CHECK(lbp_bridge_warning(s, 1) == NULL && lbp_bridge_set(s, "chains", "1") == LBP_OK);
  CHECK(lbp_bridge_run(s, "ais") == LBP_OK && strstr(lbp_bridge_warning(s, 1), "cannot measure the error"));
  CHECK(lbp_is_nan(*(const double *)shaped(s, "log_z_se", LBP_BRIDGE_DOUBLE, 0, 0, 0, 0)));
  CHECK(lbp_bridge_set(s, "chains", "100") == LBP_OK && lbp_bridge_set(s, "tempering.rungs", "3") == LBP_OK);
  CHECK(lbp_bridge_run(s, "ais") == LBP_OK && (lbp_bridge_warning(s, 0) == NULL) == (s->ais.weights >= 20));
  CHECK(lbp_bridge_set(s, "chains", "4") == LBP_OK && lbp_bridge_set(s, "tempering.rungs", "4") == LBP_OK);
  CHECK(lbp_bridge_run(s, "ais") == LBP_E_SIZE && strstr(lbp_bridge_message(s), "tempering.ladder: 3 inverse temp"));
  CHECK(lbp_bridge_set(s, "tempering.rungs", "2") == LBP_OK && lbp_bridge_run(s, "run") == LBP_E_SIZE);
  CHECK(lbp_bridge_set(s, "tempering.rungs", "3") == LBP_OK && lbp_bridge_run(s, "run") == LBP_OK);
  a = array_of("tempering.ladder", LBP_BRIDGE_DOUBLE, 0, NULL);
  CHECK(lbp_bridge_give(s, &a) == LBP_OK && lbp_bridge_set(s, "annealing.sweeps", "40") == LBP_OK);
  if (KIND == 4) CHECK(lbp_bridge_set(s, "sampler", "gibbs") == LBP_OK);
  CHECK(lbp_bridge_run(s, "anneal") == LBP_E_RANGE && strstr(lbp_bridge_message(s), "tempering.rungs: reads have no rungs"));
  CHECK(lbp_bridge_set(s, "tempering.rungs", "1") == LBP_OK);
  CHECK(lbp_bridge_run(s, "anneal") == LBP_OK || !printf("%s\n", lbp_bridge_message(s)));
  CHECK(*(const uint64_t *)shaped(s, "sweeps", LBP_BRIDGE_UINT64, 0, 0, 0, 0) == 40);
  shaped(s, "last", items, 2, 4, N, 0);
  shaped(s, "hits", LBP_BRIDGE_UINT32, 1, 4, 0, 0);
  {
    lbp_bridge_array history;
    CHECK(lbp_bridge_get(s, "history", &history) == LBP_OK && history.dims == 2 && history.shape[1] == 3);
  }
  CHECK(lbp_bridge_run(s, "walk") == LBP_E_RANGE && strstr(lbp_bridge_message(s), "walk: unknown driver; they are run"));
  CHECK(lbp_bridge_run(s, NULL) == LBP_E_RANGE && lbp_bridge_result(s, 0) == NULL);
  lbp_bridge_sampler_free(s);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void check_options(lbp_bridge_model *model) {
  lbp_bridge_sampler *s = make_sampler(model), *none = NULL;
  ITEM two[4 * N];
  double real[N], half[N] = {0.5};
  uint8_t mask[N] = {0, 1, 0, 0, 0, 0};
  lbp_bridge_array a;
  char text[LBP_OPTION_TEXT], where[] = "nowhere/at all";
  uint32_t k;
  CHECK(lbp_bridge_set(s, "chians", "4") == LBP_E_RANGE && strstr(lbp_bridge_message(s), "the nearest: chains"));
  CHECK(lbp_bridge_set(s, "ladder", "1") == LBP_E_RANGE);
  CHECK(strstr(lbp_bridge_message(s), "ladder: there is no such option; the nearest: tempering.ladder"));
  CHECK(lbp_bridge_set(s, "tempering", "1") == LBP_E_RANGE);
  CHECK(strstr(lbp_bridge_message(s), "set tempering.rungs, ") && strstr(lbp_bridge_message(s), ", tempering.ladder"));
  CHECK(lbp_bridge_set(s, "parameter", "many") == LBP_E_RANGE && strstr(lbp_bridge_message(s), "parameter: 'many' is not a finite"));
  CHECK(lbp_bridge_set(s, "keep", "maybe") == LBP_E_RANGE && strstr(lbp_bridge_message(s), "keep: 'maybe' is not"));
  CHECK(lbp_bridge_set(s, NULL, "1") == LBP_E_NULL && lbp_bridge_set(s, "parameter", NULL) == LBP_E_NULL);
  CHECK(lbp_bridge_set(NULL, "parameter", "1") == LBP_E_NULL && lbp_bridge_run(NULL, "run") == LBP_E_NULL);
  CHECK(lbp_bridge_sampler_make(NULL, &none) == LBP_E_NULL && lbp_bridge_sampler_make(model, NULL) == LBP_E_NULL);
  CHECK(lbp_bridge_set(s, "thin", "0") == LBP_OK && lbp_bridge_run(s, "run") == LBP_E_RANGE);
  CHECK(strstr(lbp_bridge_message(s), "thin: at least 1") != NULL);
  CHECK(lbp_bridge_set(s, "thin", "1") == LBP_OK && lbp_bridge_message(s)[0] == '\0');
  CHECK(lbp_bridge_set(s, "prefix", where) == LBP_OK); /* strings are copied */
  memset(where, 0, sizeof where);
  for (k = 0; lbp_bridge_option(s, k, text); k++) {
    if (strcmp(lbp_bridge_option(s, k, text), "prefix") == 0) CHECK(strcmp(text, "nowhere/at all") == 0);
    if (strcmp(lbp_bridge_option(s, k, text), "name") == 0) CHECK(strcmp(text, "own") == 0);
  }
  CHECK(!lbp_run_option_at(k) && k > 30 && lbp_bridge_run(s, "run") == LBP_E_FILE);
  CHECK(lbp_bridge_set(s, "prefix", "") == LBP_OK);
  a = array_of("start", items, N - 1, start);
  CHECK(lbp_bridge_give(s, &a) == LBP_E_SIZE && strstr(lbp_bridge_message(s), "start: it needs a state of 6 items"));
  a.shape[0] = 0;
  CHECK(lbp_bridge_give(s, &a) == LBP_E_SIZE);
  a = array_of("start", LBP_BRIDGE_DOUBLE, N, half);
  CHECK(lbp_bridge_give(s, &a) == LBP_E_STATE && strstr(lbp_bridge_message(s), "start: "));
  for (k = 0; k < N; k++) real[k] = start[k];
  real[2] += sizeof(ITEM) == 1 ? 256 : 4294967296.0; /* the same, if it wrapped */
  a.data = real;
  CHECK(lbp_bridge_give(s, &a) == LBP_E_STATE);
  real[2] = 200;
  CHECK(lbp_bridge_give(s, &a) == LBP_OK && lbp_bridge_run(s, "run") == LBP_E_STATE);
  for (k = 0; k < 4 * N; k++) two[k] = start[k % N];
  a = array_of("start", items, 2, two), a.dims = 2, a.shape[1] = N;
  CHECK(lbp_bridge_give(s, &a) == LBP_OK && lbp_bridge_run(s, "run") == LBP_E_SIZE);
  CHECK(strstr(lbp_bridge_message(s), "start: a state, or one for each of 4 chains, not 2") != NULL);
  a.shape[0] = 4;
  CHECK(lbp_bridge_give(s, &a) == LBP_OK);
  a = array_of("clamp", LBP_BRIDGE_UINT8, N + 1, mask);
  CHECK(lbp_bridge_give(s, &a) == LBP_E_SIZE && strstr(lbp_bridge_message(s), "clamp: it needs a number for each of 6"));
  a = array_of("clamp", LBP_BRIDGE_UINT8, N, mask);
  CHECK(lbp_bridge_give(s, &a) == LBP_OK && lbp_bridge_set(s, "draws", "200") == LBP_OK);
  CHECK(lbp_bridge_run(s, "run") == LBP_OK || !printf("%s\n", lbp_bridge_message(s)));
  {
    const ITEM *x = (const ITEM *)shaped(s, "x", items, 3, 4, 200, N);
    int held = 1, moved = 0;
    for (k = 0; k < 800; k++) held &= x[k * N + 1] == start[1], moved |= x[k * N] != start[0];
    CHECK(held && moved);
  }
  a.data = NULL;
  CHECK(lbp_bridge_give(s, &a) == LBP_OK && !s->run.clamp);
  a = array_of("tempering.ladder", LBP_BRIDGE_DOUBLE, 0, h);
  CHECK(lbp_bridge_give(s, &a) == LBP_E_SIZE);
  a = array_of("mask", LBP_BRIDGE_UINT8, N, mask);
  CHECK(lbp_bridge_give(s, &a) == LBP_E_RANGE && strstr(lbp_bridge_message(s), "mask: this is not an array option"));
  CHECK(lbp_bridge_give(s, NULL) == LBP_E_NULL && lbp_bridge_give(NULL, &a) == LBP_E_NULL);
  lbp_bridge_sampler_free(s);
  lbp_bridge_sampler_free(NULL);
}

/* ---- a run that is stopped, and one that goes on ----------------------------------------------------------------- */

typedef struct { lbp_bridge_sampler *s; int lines, last; } listener;

static void hear(void *data, const char *line, int last) {
  listener *l = (listener *)data;
  CHECK(strncmp(line, "own: ", 5) == 0);
  l->lines++;
  l->last += last;
  if (l->lines == 2) lbp_bridge_interrupt(l->s);
  if (l->lines == 40) exit(1); /* it goes on and on */
}

static void check_interrupt(lbp_bridge_model *model) {
  listener l = {make_sampler(model), 0, 0};
  lbp_bridge_array x, lp;
  CHECK(lbp_bridge_set(l.s, "draws", "18446744073709551615") == LBP_OK && lbp_bridge_set(l.s, "warmup", "100") == LBP_OK);
  CHECK(lbp_bridge_set(l.s, "thin", "1000") == LBP_OK && lbp_bridge_set(l.s, "seconds", "3600") == LBP_OK);
  lbp_bridge_listen(l.s, hear, &l);
  CHECK(lbp_bridge_run(l.s, "run") == LBP_OK);
  CHECK(l.lines >= 2 && *(const int32_t *)shaped(l.s, "ended", LBP_BRIDGE_INT32, 0, 0, 0, 0) == LBP_END_STOPPED);
  CHECK(lbp_bridge_get(l.s, "x", &x) == LBP_OK && lbp_bridge_get(l.s, "lp", &lp) == LBP_OK);
  CHECK(x.shape[1] == lp.shape[1] && x.shape[1] == *(const uint64_t *)shaped(l.s, "draws", LBP_BRIDGE_UINT64, 0, 0, 0, 0));
  lbp_bridge_listen(l.s, NULL, NULL);
  lbp_bridge_interrupt(l.s); /* the next one ends at once */
  CHECK(lbp_bridge_run(l.s, "run") == LBP_OK && lbp_bridge_warning(l.s, 0) != NULL);
  lbp_bridge_interrupt(l.s);
  if (KIND == 4) CHECK(lbp_bridge_set(l.s, "sampler", "dlp") == LBP_OK); /* its default needs a curvature there */
  CHECK(lbp_bridge_set(l.s, "tempering.rungs", "5") == LBP_OK && lbp_bridge_run(l.s, "ais") == LBP_E_TOO_SHORT);
  CHECK(strstr(lbp_bridge_message(l.s), "stopped on the way") && lbp_bridge_set(l.s, "tempering.rungs", "1") == LBP_OK);
  CHECK(lbp_bridge_set(l.s, "thin", "1") == LBP_OK);
  CHECK(lbp_bridge_set(l.s, "draws", "10") == LBP_OK && lbp_bridge_run(l.s, "run") == LBP_OK);
  shaped(l.s, "x", items, 3, 4, 10, N); /* and that is over */
  lbp_bridge_sampler_free(l.s);
  lbp_bridge_interrupt(NULL);
}

static void check_resumed(lbp_bridge_model *model) {
  lbp_bridge_sampler *s = make_sampler(model);
  const char *checkpoint = in_folder("bridge.ckpt");
  CHECK(lbp_bridge_set(s, "chains", "3") == LBP_OK && lbp_bridge_set(s, "draws", "700") == LBP_OK);
  CHECK(lbp_bridge_set(s, "seed", "5") == LBP_OK && lbp_bridge_set(s, "warmup", "300") == LBP_OK);
  CHECK(lbp_bridge_set(s, "checkpoint", checkpoint) == LBP_OK);
  CHECK(lbp_bridge_run(s, "run") == LBP_OK && lbp_bridge_set(s, "draws", "1500") == LBP_OK);
  CHECK(lbp_bridge_run(s, "run") == LBP_OK);
  {
    const ITEM *x = (const ITEM *)shaped(s, "x", items, 3, CHAINS, DRAWS - 700, N); /* those that came in this call */
    for (uint32_t k = 0; k < CHAINS; k++) {
      CHECK(memcmp(x + k * (DRAWS - 700) * N, want[k][700], (DRAWS - 700) * sizeof want[k][0]) == 0);
    }
  }
  remove(in_folder("bridge.ckpt"));
  lbp_bridge_sampler_free(s);
}

/* Draws that no memory has room for; steps that are interrupted. */
static void check_limits(lbp_bridge_model *model) {
  lbp_bridge_sampler *s = make_sampler(model);
  lbp_bridge_array a = array_of("start", LBP_BRIDGE_UINT8, N, bytes);
  double info[LBP_BRIDGE_INFO];
  ITEM x[N], again[N];
  CHECK(lbp_bridge_set(s, "draws", "1000000000000") == LBP_OK && lbp_bridge_run(s, "run") == LBP_E_MEMORY);
  CHECK(strstr(lbp_bridge_message(s), "draws: 1000000000000 of ") && strstr(lbp_bridge_message(s), "keep = false"));
  CHECK(lbp_bridge_set(s, "keep", "0") == LBP_OK && lbp_bridge_run(s, "run") == LBP_E_MEMORY);
  CHECK(!strstr(lbp_bridge_message(s), "keep = false"));
  CHECK(lbp_bridge_set(s, "seconds", "0.01") == LBP_OK && lbp_bridge_run(s, "run") == LBP_OK); /* so the clock ends it */
  CHECK(lbp_bridge_set(s, "seconds", "0") == LBP_OK);
  a.dims = 2, a.shape[0] = 2, a.shape[1] = N / 2;
  CHECK(lbp_bridge_give(s, &a) == LBP_E_SIZE || !printf("%s\n", lbp_bridge_message(s)));
  a.name = "clamp";
  CHECK(lbp_bridge_give(s, &a) == LBP_E_SIZE && strstr(lbp_bridge_message(s), "in a row"));
  memcpy(x, start, sizeof x);
  memcpy(again, start, sizeof x);
  CHECK(lbp_bridge_set(s, "sampler", steps_by) == LBP_OK && lbp_bridge_set(s, "parameter", KIND == 4 ? "0.5" : "1") == LBP_OK);
  lbp_bridge_interrupt(s); /* the next one */
  CHECK(lbp_bridge_step(s, 1, 1, 100, x, info) == LBP_E_TOO_SHORT && memcmp(x, start, sizeof x) == 0);
  CHECK(strstr(lbp_bridge_message(s), "steps: interrupted") != NULL);
  CHECK(lbp_bridge_step(s, 1, 1, 100, x, info) == LBP_OK); /* and no other */
  lbp_bridge_interrupt(s);
  CHECK(lbp_bridge_step(s, 1, 1, 0, again, info) == LBP_OK && memcmp(again, start, sizeof x) == 0); /* nothing to interrupt */
  CHECK(lbp_bridge_step(s, 1, 1, 100, again, info) == LBP_OK && memcmp(again, x, sizeof x) == 0);
  lbp_bridge_sampler_free(s);
}

/* ---- single steps ------------------------------------------------------------------------------------------------ */

/* A state as a number, its items being digits. */
static uint32_t code(const ITEM *x) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < N; i++) sum = sum * (KIND == 5 ? N : KIND == 2 || KIND == 4 ? 3 : 2) + x[i];
  return sum;
}

/* The least and the largest R of 64 single steps. */
static void look_at_R(lbp_bridge_sampler *s, ITEM *x, double *least, double *most) {
  double info[LBP_BRIDGE_INFO];
  *least = HUGE_VAL, *most = 0;
  for (uint32_t k = 0; k < 64; k++) {
    CHECK(lbp_bridge_step(s, 1, k, 1, x, info) == LBP_OK);
    if (info[LBP_BRIDGE_PARAMETER] < *least) *least = info[LBP_BRIDGE_PARAMETER];
    if (info[LBP_BRIDGE_PARAMETER] > *most) *most = info[LBP_BRIDGE_PARAMETER];
  }
}

/* Single steps by the R of a run before, of which fewer sites, or rows, can move now: not all at once each time. */
static void check_clamped_steps(lbp_bridge_model *model) {
  static const uint8_t mask[N] = {0, 0, 0, 0, 1, 1};
  const lbp_bridge_array clamp = array_of("clamp", LBP_BRIDGE_UINT8, N, mask);
  const double all = KIND == 3 || KIND == 5 ? 2 : 4;
  lbp_bridge_sampler *s = make_sampler(model);
  double least, most;
  ITEM x[N];
  memcpy(x, start, sizeof x);
  CHECK(lbp_bridge_set(s, "sampler", steps_by) == LBP_OK && lbp_bridge_set(s, "parameter", all == 2 ? "3" : "6") == LBP_OK);
  CHECK(lbp_bridge_run(s, "run") == LBP_OK && lbp_bridge_set(s, "parameter", "0") == LBP_OK);
  look_at_R(s, x, &least, &most);
  CHECK(least == (all == 2 ? 2 : 5) && most == least + 1);
  CHECK(lbp_bridge_give(s, &clamp) == LBP_OK);
  memcpy(x, start, sizeof x);
  look_at_R(s, x, &least, &most);
  CHECK(least == all - 1 && most == all);
  lbp_bridge_sampler_free(s);
}

static void check_steps(lbp_bridge_model *model) {
  enum { STEPS = 60000, CODES = 46656 };
  static double exact[CODES], found[CODES];
  lbp_bridge_sampler *s = make_sampler(model);
  ITEM x[N], before[N], again[N];
  double info[LBP_BRIDGE_INFO], logp, next, sum = 0, chi = 0, states_found = 0, least, most;
  uint32_t k;
  memcpy(x, start, sizeof x);
  CHECK(lbp_bridge_step(NULL, 1, 1, 1, x, info) == LBP_E_NULL && lbp_bridge_step(s, 1, 1, 1, NULL, info) == LBP_E_NULL);
  if (KIND != 5) { /* of which the default has no parameter */
    CHECK(lbp_bridge_step(s, 1, 1, 1, x, info) == LBP_E_RANGE && strstr(lbp_bridge_message(s), "single steps"));
  }
  CHECK(lbp_bridge_set(s, "sampler", steps_by) == LBP_OK);
  CHECK(lbp_bridge_set(s, "parameter", KIND == 4 ? "1.5" : KIND == 3 ? "1" : "1.5") == LBP_OK);
  CHECK(lbp_bridge_logp(s, x, &logp) == LBP_OK && lbp_bridge_logp(s, NULL, &logp) == LBP_E_NULL);
  CHECK_NEAR(logp, toy_logp(&model->own, x), 1e-12);
  for (k = 0; k < STEPS; k++) {
    memcpy(before, x, sizeof x);
    CHECK(lbp_bridge_step(s, k, 7, 1, x, info) == LBP_OK);
    if (k % 1000 == 0) { /* the state and the key decide; log pi gains what info says */
      lbp_bridge_sampler *other = make_sampler(model);
      memcpy(again, before, sizeof again);
      CHECK(lbp_bridge_set(other, "sampler", steps_by) == LBP_OK);
      CHECK(lbp_bridge_set(other, "parameter", KIND == 4 ? "1.5" : KIND == 3 ? "1" : "1.5") == LBP_OK);
      CHECK(lbp_bridge_step(other, k, 7, 1, again, NULL) == LBP_OK && memcmp(again, x, sizeof x) == 0);
      CHECK(lbp_bridge_logp(other, again, &next) == LBP_OK && lbp_bridge_logp(other, before, &logp) == LBP_OK);
      CHECK_NEAR(info[LBP_BRIDGE_LOG_RATIO], next - logp, 1e-9);
      lbp_bridge_sampler_free(other);
    }
    found[code(x)]++;
  }
  /* by the model, over the states that can be: errors are up to sqrt(2) times those of independent draws */
  for (k = 0; k < CODES; k++) {
    uint32_t rest = k, ones = 0, seen = 0;
    const uint32_t base = KIND == 5 ? N : KIND == 2 || KIND == 4 ? 3 : 2;
    for (uint32_t i = N; i-- > 0; rest /= base) x[i] = (ITEM)(rest % base), ones += x[i], seen |= 1u << x[i];
    if (rest > 0 || (KIND == 3 && ones != 3) || (KIND == 5 && seen != (1u << N) - 1)) continue;
    exact[k] = exp(toy_logp(&model->own, x));
    sum += exact[k];
  }
  for (k = 0; k < CODES; k++) {
    const double mean = STEPS * exact[k] / sum;
    if (exact[k] == 0) CHECK(found[k] == 0);
    else states_found += 1, chi += (found[k] - mean) * (found[k] - mean) / mean;
  }
  CHECK(chi / 2 < states_found + 6 * sqrt(2 * states_found));
  if (getenv("SHOW")) printf("kind %d: chi^2 %g of %g states\n", KIND, chi, states_found);
  x[0] = 200;
  CHECK(lbp_bridge_step(s, 1, 1, 1, x, info) == LBP_E_STATE && lbp_bridge_message(s)[0]);
  memcpy(x, start, sizeof x);
  CHECK(lbp_bridge_step(s, 1, 1, 1, x, info) == LBP_OK);
  memcpy(again, x, sizeof x);
  memcpy(before, x, sizeof x);
  if (KIND < 2) { /* of many steps R and the acceptance rate are means, the others sums */
    double many[LBP_BRIDGE_INFO];
    CHECK(lbp_bridge_set(s, "parameter", "2") == LBP_OK);
    CHECK(lbp_bridge_step(s, 9, 8, 1, memcpy(again, before, sizeof again), info) == LBP_OK);
    CHECK(lbp_bridge_step(s, 9, 8, 50, memcpy(again, before, sizeof again), many) == LBP_OK);
    CHECK(info[LBP_BRIDGE_PARAMETER] == 2 && many[LBP_BRIDGE_PARAMETER] == 2);
    CHECK(many[LBP_BRIDGE_ACCEPT] > 0.02 && many[LBP_BRIDGE_ACCEPT] <= 1);
    CHECK(info[LBP_BRIDGE_PROPOSED] == 2 && many[LBP_BRIDGE_PROPOSED] == 100);
    CHECK(many[LBP_BRIDGE_JUMP] > 2 && many[LBP_BRIDGE_JUMP] <= 100);
    CHECK_NEAR(many[LBP_BRIDGE_LOG_RATIO], toy_logp(&model->own, again) - toy_logp(&model->own, before), 1e-9);
    CHECK(lbp_bridge_set(s, "parameter", "1.5") == LBP_OK);
    CHECK(lbp_bridge_step(s, 9, 8, 50, memcpy(again, before, sizeof again), many) == LBP_OK);
    CHECK_NEAR(many[LBP_BRIDGE_PARAMETER], many[LBP_BRIDGE_PROPOSED] / 50, 1e-12); /* R at random */
    CHECK(many[LBP_BRIDGE_PARAMETER] > 1.1 && many[LBP_BRIDGE_PARAMETER] < 1.9);
  }
  for (k = 0, next = 0; k < 100 && KIND != 3; k++) { /* many steps are these one by one, of one stream: see their work */
    CHECK(lbp_bridge_step(s, 9, 9, k, memcpy(again, before, sizeof again), info) == LBP_OK);
    CHECK(info[LBP_BRIDGE_EVALUATIONS] >= next && (k > 0 || memcmp(again, before, sizeof again) == 0));
    next = info[LBP_BRIDGE_EVALUATIONS];
  }
  if (KIND != 4) { /* a run tunes R */
    CHECK(lbp_bridge_set(s, "parameter", "0") == LBP_OK && lbp_bridge_step(s, 1, 1, 1, x, info) == LBP_E_RANGE);
    CHECK(lbp_bridge_run(s, "run") == LBP_OK && lbp_bridge_step(s, 1, 1, 1, x, info) == LBP_OK);
    CHECK(info[LBP_BRIDGE_PARAMETER] >= 1);
    CHECK(lbp_bridge_set(s, "tempering.rungs", "4") == LBP_OK && lbp_bridge_set(s, "tempering.adapt_ends", "true") == LBP_OK);
    CHECK(lbp_bridge_set(s, "save_states", "passed") == LBP_OK && lbp_bridge_step(s, 1, 1, 1, x, info) == LBP_OK);
    CHECK(lbp_bridge_set(s, "save_states", "npy") == LBP_OK && lbp_bridge_run(s, "run") == LBP_E_RANGE);
    CHECK(strstr(lbp_bridge_message(s), "csv and npy go to files of `prefix`"));
    CHECK(lbp_bridge_set(s, "save_states", "passed") == LBP_OK);
  }
  for (k = 0; k < 2 && KIND < 2; k++) { /* of its sampler alone */
    CHECK(lbp_bridge_set(s, "sampler", k ? "clock" : "rwm") == LBP_OK);
    CHECK(lbp_bridge_step(s, 1, 1, 1, x, info) == LBP_E_RANGE && strstr(lbp_bridge_message(s), "single steps"));
  }
  for (k = 1; k < 20 && KIND < 2; k++) { /* as a fixed R it would keep parities: the mean of one draw; all that can move */
    uint8_t mask[N] = {0, 0, 1, 1, 1, 1};
    const lbp_bridge_array clamp = array_of("clamp", LBP_BRIDGE_UINT8, N, mask);
    char seed[12];
    snprintf(seed, sizeof seed, "%lu", (unsigned long)k);
    lbp_bridge_sampler_free(s);
    s = make_sampler(model);
    CHECK(lbp_bridge_set(s, "sampler", "rwm") == LBP_OK && lbp_bridge_set(s, "target", "0.05") == LBP_OK);
    CHECK(lbp_bridge_set(s, "chains", "1") == LBP_OK && lbp_bridge_set(s, "draws", "1") == LBP_OK);
    CHECK(lbp_bridge_set(s, "seed", seed) == LBP_OK && lbp_bridge_run(s, "run") == LBP_OK);
    look_at_R(s, x, &least, &most);
    CHECK(most == 1 || least < most);
    CHECK(lbp_bridge_give(s, &clamp) == LBP_OK);
    look_at_R(s, x, &least, &most);
    CHECK(least == 1 && most <= 2);
  }
  lbp_bridge_sampler_free(s);
}

int main(void) {
  lbp_bridge_model *model;
  make_good();
  check_wants();
  check_sizes();
  check_refusals();
  check_shapes();
  model = make_model();
  check_arrays(model);
  check_run(model);
  check_column_names(model);
  check_drivers(model);
  check_options(model);
  check_limits(model);
  check_steps(model);
  if (KIND != 4) check_clamped_steps(model);
  CHECK(make_folder());
  check_resumed(model);
  CHECK(rmdir(folder) == 0);
  check_interrupt(model);
  lbp_bridge_model_free(model);
  CHECK(built == freed || built < freed); /* FREE also where BUILD did not come to run */
  return test_report();
}
