/* lbp_bridge.h - a model as a shared library that other languages call. Version 1.0.0. MIT licence, see LICENSE.
 *
 * Copyright (c) 2026 the lbp authors. SPDX-License-Identifier: MIT
 *
 * Needs lbp_run.h and its needs, and threads: on POSIX systems link with -pthread where the C library does not have
 * them. A model file describes its model as for lbp_run.h, lists the arrays that make it, and includes this header at
 * its end instead of lbp_run.h:
 *
 *   #include <stdint.h>
 *   typedef struct { uint32_t n; const double *h; } field;              // log pi = sum of h_i x_i
 *   static double field_delta(const field *m, const uint8_t *x, uint32_t i) { return x[i] ? -m->h[i] : m->h[i]; }
 *   ...
 *   #define LBP_NAME field
 *   ...
 *   #define LBP_BRIDGE_ARRAYS(A) A(h, double, n)
 *   #include "lbp_bridge.h"
 *
 *   cc -O3 -march=native -shared -fPIC field.c -o field.so -lm
 *
 * Parameters, in addition to the template's:
 *
 * LBP_BRIDGE_ARRAYS(A): A(field, type, length) for each array. `field` is a member of the model, a pointer to const
 * `type`: uint8_t, int32_t, uint32_t, int64_t, uint64_t, float or double. `length` is a number, a size, or an
 * expression of sizes that grows with them: n, m * 2, n * n, n * (n - 1) / 2. A product is also the shape: m * 2
 * accepts 2 m numbers in a row or m rows of 2, but not 2 rows of m. Other expressions accept numbers in a row only.
 *
 * LBP_BRIDGE_SIZES(S): S(size) for each size, a uint32_t of the model. By default S(n). Sizes follow from the lengths
 * of arrays; a size that no length determines is given by its name, as an array of one number.
 *
 * LBP_BRIDGE_N(m): the number of sites; by default LBP_N if it is defined, otherwise (m)->n.
 *
 * LBP_BRIDGE_BUILD(m, why) -> status: optional: sets the model's other members, m->..., from its arrays. Arrays keep
 * their addresses as long as the model exists. If the status is not LBP_OK, write a sentence to `why`, which has 1024
 * characters; otherwise the text is that of lbp_error. LBP_BRIDGE_FREE(m): optional: frees what BUILD has made. It is
 * also called if BUILD has failed or was not called; members that are not arrays are zero then.
 *
 * LBP_BRIDGE_COLUMNS: optional: statistics of draws, as for run.column: {"ones", lbp_run_ones, NULL, 0}, ... A column
 * must not have the name of another result of a run, such as "x", "jump" or "best".
 *
 * All such libraries have the same interface, `lbp_bridge_*`, which comes first below. Its functions print nothing,
 * never end the process, and keep all their data in handles. Threads may use different handles at the same time; one
 * handle may be used by one thread at a time, except for lbp_bridge_interrupt. Functions return a status, LBP_OK = 0;
 * the handle has the sentence.
 *
 * In this file's order: the interface; arrays; sizes from lengths; the model; samplers; results; single steps; the
 * functions of the interface; the same with pointers only.
 */

/* ==== template: the instance's name, before lbp_run.h makes it ==================================================== */

#include <stdint.h>

#ifdef LBP_NAME
#ifdef LBP_P_BRIDGE_NAME
#error "lbp_bridge.h: a library has one model"
#endif
#ifndef LBP_BRIDGE_ARRAYS
#error "lbp_bridge.h: list the arrays that the model is made of: #define LBP_BRIDGE_ARRAYS(A) A(h, double, n)"
#endif
#define LBP_P_BRIDGE_NAME LBP_NAME
typedef LBP_MODEL_T lbp_p_bridge_own;
#ifdef LBP_EXCHANGE
#define LBP_P_BRIDGE_PERM 1
#endif
#define LBP_P_BRIDGE_TEXT2(text)   #text
#define LBP_P_BRIDGE_TEXT(text)    LBP_P_BRIDGE_TEXT2(text)
#define LBP_P_BRIDGE_KERNEL2(name) name##_kernel
#define LBP_P_BRIDGE_KERNEL(name)  LBP_P_BRIDGE_KERNEL2(name)
struct lbp_kernel;
#ifdef LBP_P_BRIDGE_PERM
typedef struct lbp_kernel lbp_p_bridge_maker(uint32_t n);
#define LBP_P_BRIDGE_KERNEL_OF(n) lbp_p_bridge_kernel(n)
#else
typedef struct lbp_kernel lbp_p_bridge_maker(void);
#define LBP_P_BRIDGE_KERNEL_OF(n) lbp_p_bridge_kernel()
#endif
static lbp_p_bridge_maker LBP_P_BRIDGE_KERNEL(LBP_P_BRIDGE_NAME);
static lbp_p_bridge_maker *const lbp_p_bridge_kernel = LBP_P_BRIDGE_KERNEL(LBP_P_BRIDGE_NAME);
static const char *const lbp_p_bridge_name = LBP_P_BRIDGE_TEXT(LBP_P_BRIDGE_NAME);
#if defined LBP_N && defined LBP_NAME && !defined LBP_BRIDGE_N
enum { LBP_P_BRIDGE_FIXED = LBP_N };
#define LBP_BRIDGE_N(m) ((void)(m), (uint32_t)LBP_P_BRIDGE_FIXED)
#endif
#endif

#include "lbp_run.h"

/* ==== support: the interface, once per translation unit =========================================================== */

#ifndef LBP_BRIDGE_H
#define LBP_BRIDGE_H

#include <limits.h>

/* Version of the binary interface below. A client calls lbp_bridge_abi() and stops if it returns another number. */
#define LBP_BRIDGE_ABI 4

/* Prefix of the functions that other languages call. */
#if defined _WIN32 && defined LBP_P_BRIDGE_NAME
#define LBP_BRIDGE_FN __declspec(dllexport)
#elif defined __GNUC__ && !defined _WIN32
#define LBP_BRIDGE_FN __attribute__((visibility("default")))
#else
#define LBP_BRIDGE_FN
#endif

/* Types of items. */
enum {
  LBP_BRIDGE_UINT8,
  LBP_BRIDGE_UINT16,
  LBP_BRIDGE_UINT32,
  LBP_BRIDGE_UINT64,
  LBP_BRIDGE_INT32,
  LBP_BRIDGE_INT64,
  LBP_BRIDGE_FLOAT,
  LBP_BRIDGE_DOUBLE,
  LBP_BRIDGE_TYPES
};

/* An array of shape[0] x ... x shape[dims - 1] items, the last index first; dims = 0: one item. */
typedef struct {
  const char *name;
  const char *length; /* of an array that a model requires: the expression of its sizes; NULL elsewhere */
  int32_t type;
  uint32_t dims;      /* up to 3 */
  uint64_t shape[3];
  const void *data;
} lbp_bridge_array;

typedef struct lbp_bridge_model lbp_bridge_model;
typedef struct lbp_bridge_sampler lbp_bridge_sampler;

/* Figures of lbp_bridge_step: the mean acceptance probability; the mean of R or of another parameter; sums of the
 * distances moved and proposed, and of evaluations; the change of log pi. */
enum {
  LBP_BRIDGE_ACCEPT,
  LBP_BRIDGE_PARAMETER,
  LBP_BRIDGE_JUMP,
  LBP_BRIDGE_PROPOSED,
  LBP_BRIDGE_EVALUATIONS,
  LBP_BRIDGE_LOG_RATIO,
  LBP_BRIDGE_INFO
};

#ifdef __cplusplus
extern "C" {
#endif

/* Returns LBP_BRIDGE_ABI of the library. */
LBP_BRIDGE_FN uint32_t lbp_bridge_abi(void);

/* Returns LBP_VERSION of the library's headers. */
LBP_BRIDGE_FN uint32_t lbp_bridge_version(void);

/* Returns the model's name: LBP_NAME, or the prefix of a ready-made model. */
LBP_BRIDGE_FN const char *lbp_bridge_name(void);

/* Returns the text of a status (lbp_error). */
LBP_BRIDGE_FN const char *lbp_bridge_error(int status);

/* Describes array k that a model requires: its name, type and length. After the arrays come the sizes, whose length is
 * ""; they follow from arrays, or are given as one number of any type. Returns LBP_OK, LBP_E_NULL, or LBP_E_INDEX if
 * there is no array k. */
LBP_BRIDGE_FN int lbp_bridge_wants(uint32_t k, lbp_bridge_array *array);

/* Finds array k of a model, in the order of lbp_bridge_wants without the sizes. The data belong to the model. Returns
 * LBP_OK, LBP_E_NULL, or LBP_E_INDEX if there is no array k. */
LBP_BRIDGE_FN int lbp_bridge_model_array(const lbp_bridge_model *model, uint32_t k, lbp_bridge_array *array);

/* Makes a model from `count` arrays, in any order; they are copied. On an error *model is NULL, and why[1024], unless
 * it is NULL, contains the sentence. Returns LBP_OK, or LBP_E_NULL, LBP_E_RANGE, LBP_E_SIZE, LBP_E_MEMORY, or the
 * status of LBP_BRIDGE_BUILD. */
LBP_BRIDGE_FN int lbp_bridge_model_make(const lbp_bridge_array *arrays, uint32_t count, lbp_bridge_model **model,
                                        char *why);

/* Frees a model; free its samplers first. NULL is allowed. */
LBP_BRIDGE_FN void lbp_bridge_model_free(lbp_bridge_model *model);

/* Returns the number of items of a state. */
LBP_BRIDGE_FN uint32_t lbp_bridge_sites(const lbp_bridge_model *model);

/* Returns the bytes of an item: 1, 2 or 4. */
LBP_BRIDGE_FN uint32_t lbp_bridge_item_bytes(const lbp_bridge_model *model);

/* Makes a sampler of a model, with the default options. Returns LBP_OK, or LBP_E_NULL, LBP_E_MEMORY. */
LBP_BRIDGE_FN int lbp_bridge_sampler_make(lbp_bridge_model *model, lbp_bridge_sampler **sampler);

/* Frees a sampler and its results. NULL is allowed. */
LBP_BRIDGE_FN void lbp_bridge_sampler_free(lbp_bridge_sampler *sampler);

/* Returns the sentence of the last error; "" if there was none. */
LBP_BRIDGE_FN const char *lbp_bridge_message(const lbp_bridge_sampler *sampler);

/* Sets an option of lbp_run by its name, as lbp_run_set does; or "keep", whether the states of a run stay in memory
 * [true]. Returns LBP_OK, or LBP_E_NULL, LBP_E_RANGE, LBP_E_MEMORY. */
LBP_BRIDGE_FN int lbp_bridge_set(lbp_bridge_sampler *sampler, const char *name, const char *value);

/* Returns the name of option k, not counting arrays and "keep", and writes its value as text to value[1024]. NULL:
 * there is no option k. */
LBP_BRIDGE_FN const char *lbp_bridge_option(lbp_bridge_sampler *sampler, uint32_t k, char *value);

/* Sets an option that is an array, which is copied: "start", a state, or a row for each chain; "clamp", one number per
 * site, nonzero where the site never moves; "tempering.ladder", inverse temperatures, as many as tempering.rungs if
 * that is set. data = NULL removes it. A run reports LBP_E_SIZE if rows do not fit chains, or the ladder does not fit
 * the rungs. Returns LBP_OK, or LBP_E_NULL, LBP_E_RANGE, LBP_E_SIZE, LBP_E_STATE, LBP_E_MEMORY. */
LBP_BRIDGE_FN int lbp_bridge_give(lbp_bridge_sampler *sampler, const lbp_bridge_array *array);

/* Sets a function that reports progress: a run calls tell(data, line, last) up to twice a second, in the thread that
 * called lbp_bridge_run. NULL: no reports. */
LBP_BRIDGE_FN void lbp_bridge_listen(lbp_bridge_sampler *sampler, void (*tell)(void *, const char *, int),
                                     void *data);

/* Does a whole run with the driver "run", "anneal" or "ais" (NAME_run and the like), and returns its status, for
 * example LBP_E_RANGE for a wrong option, or LBP_E_MEMORY if there is no memory for draws. A run whose draws would take
 * more memory than the machine has is rejected at once, unless `seconds` or `rhat` ends it early. */
LBP_BRIDGE_FN int lbp_bridge_run(lbp_bridge_sampler *sampler, const char *driver);

/* Ends the run in progress soon, with its results so far ("ais" and lbp_bridge_step: with LBP_E_TOO_SHORT); if there is
 * none, the next run ends at once. May be called from any thread and from a signal handler. */
LBP_BRIDGE_FN void lbp_bridge_interrupt(lbp_bridge_sampler *sampler);

/* Finds a result of the last run by name. The data belong to the sampler, until its next run. "x": states by chain,
 * draw and site (only those of this call if it has resumed from a checkpoint); "lp", "accept", "parameter",
 * "evaluations", "jump" and the columns: numbers by chain and draw; "mcse" of the mean, "ess_bulk", "ess_tail" and
 * "rhat": of lp, then of each column, NaN if not known; the others as in lbp_run_result and lbp_ais_result.
 * Returns LBP_OK, or LBP_E_RANGE: there is no such result. */
LBP_BRIDGE_FN int lbp_bridge_get(lbp_bridge_sampler *sampler, const char *name, lbp_bridge_array *array);

/* Returns the name of result k of the last run; NULL: there is no result k. */
LBP_BRIDGE_FN const char *lbp_bridge_result(lbp_bridge_sampler *sampler, uint32_t k);

/* Returns the name of the last run's sampler, also of a default one; NULL: there was no run. */
LBP_BRIDGE_FN const char *lbp_bridge_sampler_name(const lbp_bridge_sampler *sampler);

/* Returns the sentence of warning k of the last run: why a result may be unreliable although there was no error. NULL:
 * there is no warning k. */
LBP_BRIDGE_FN const char *lbp_bridge_warning(const lbp_bridge_sampler *sampler, uint32_t k);

/* Returns the name of warning k, by which programs recognise it: "LBP_WARN_RHAT", or of "ais" "LBP_WARN_AIS_WEIGHTS",
 * and so on. */
LBP_BRIDGE_FN const char *lbp_bridge_warning_name(const lbp_bridge_sampler *sampler, uint32_t k);

/* Takes `steps` steps from the state x, `sites` items, and replaces x by the last state. The random stream is (seed,
 * stream); the result depends only on these, x and the options. Each call first looks at all sites, so take as many
 * steps per call as you can. info: LBP_BRIDGE_INFO numbers, or NULL. Samplers with a parameter need its value as an
 * option, or an earlier run, which tunes it. Returns LBP_OK, or LBP_E_NULL, LBP_E_RANGE, LBP_E_STATE, the status of
 * NAME_check at the first state, or LBP_E_TOO_SHORT if it was interrupted; then x is unchanged. */
LBP_BRIDGE_FN int lbp_bridge_step(lbp_bridge_sampler *sampler, uint64_t seed, uint64_t stream, uint32_t steps,
                                     void *x, double *info);

/* Computes log pi of a state. Returns LBP_OK, or LBP_E_NULL, LBP_E_STATE and so on, as lbp_bridge_step. */
LBP_BRIDGE_FN int lbp_bridge_logp(lbp_bridge_sampler *sampler, const void *x, double *logp);

/* The same functions for callers that can only pass pointers, such as R's .C. A handle is 8 bytes. Texts are char,
 * terminated by 0; those that are returned need room for 1024. States are int, all other arrays double. *status is the
 * status of the function above.
 *
 * Writes LBP_BRIDGE_ABI and the model's name. */
LBP_BRIDGE_FN void lbp_bridge_c_about(int *abi, char *name);

/* Describes array k that a model requires; the name "" means that there is none. */
LBP_BRIDGE_FN void lbp_bridge_c_wants(const int *k, char *name, char *type, char *length);

/* Makes a model from `count` arrays. names holds their names one after another, each with its 0; shape holds three
 * numbers for each, -1 for a dimension that it does not have; data holds their numbers one after another. They are
 * converted to the types that the model requires: rounding to float is allowed, any other change is an error. */
LBP_BRIDGE_FN void lbp_bridge_c_model(unsigned char *model, const int *count, const char *names, const int *shape,
                                         const double *data, int *sites, char *why, int *status);

/* lbp_bridge_model_free by the handle. */
LBP_BRIDGE_FN void lbp_bridge_c_model_free(unsigned char *model);

/* lbp_bridge_sampler_make with handles. */
LBP_BRIDGE_FN void lbp_bridge_c_sampler(const unsigned char *model, unsigned char *sampler, int *status);

/* lbp_bridge_sampler_free by the handle. */
LBP_BRIDGE_FN void lbp_bridge_c_sampler_free(unsigned char *sampler);

/* Writes a text; what = 0: the sentence of the last error; 1: the name of result k; 2, 3: warning k and its name; "" if
 * there is none. */
LBP_BRIDGE_FN void lbp_bridge_c_text(const unsigned char *sampler, const int *what, const int *k, char *text);

/* lbp_bridge_set by the handle. */
LBP_BRIDGE_FN void lbp_bridge_c_set(const unsigned char *sampler, const char *name, const char *value, int *status);

/* lbp_bridge_give by the handle; shape[3] as in lbp_bridge_c_model. */
LBP_BRIDGE_FN void lbp_bridge_c_give(const unsigned char *sampler, const char *name, const int *shape,
                                        const double *data, int *status);

/* Begins a run in its own thread, or continues to wait for it. Returns when the run has ended, or after *seconds at
 * most, so that callers can handle signals and show its progress, `line`. *stop != 0 ends the run soon, with its
 * results so far. *status is set when the run has ended. */
LBP_BRIDGE_FN void lbp_bridge_c_run(const unsigned char *sampler, const char *driver, const double *seconds,
                                       const int *stop, int *ended, char *line, int *status);

/* Writes a result: its shape[3]; `whole`, 1 if its numbers are int, 0 if double; and the numbers, if there are at most
 * `room`. */
LBP_BRIDGE_FN void lbp_bridge_c_get(const unsigned char *sampler, const char *name, const int *room, int *whole,
                                       int *dims, int *shape, void *data, int *status);

/* lbp_bridge_step by the handle, with the seed key[0] 2^32 + key[1] and stream 0. Many steps are taken in a thread of
 * their own, as by lbp_bridge_c_run: call it again, with the same arguments, until *ended is 1. Only then x and info
 * are written to. */
LBP_BRIDGE_FN void lbp_bridge_c_step(const unsigned char *sampler, const double *key, const int *steps,
                                        const double *seconds, const int *stop, int *ended, int *x, double *info,
                                        int *status);

/* lbp_bridge_logp by the handle. */
LBP_BRIDGE_FN void lbp_bridge_c_logp(const unsigned char *sampler, const int *x, double *logp, int *status);

#ifdef __cplusplus
}
#endif

#endif /* LBP_BRIDGE_H */

/* ==== template: the library, where there is an instance =========================================================== */

#if defined LBP_P_BRIDGE_NAME && !defined LBP_P_BRIDGE_MADE && !defined LBP_P_NO_PLATFORM
#define LBP_P_BRIDGE_MADE

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* An array that a model requires. */
typedef struct {
  const char *name, *length;
  int type;
} lbp_p_bridge_field;

enum { LBP_P_BRIDGE_MOST = 32 }; /* arrays, and sizes */

LBP_FN size_t lbp_p_bridge_item(int type) {
  static const size_t bytes[LBP_BRIDGE_TYPES] = {1, 2, 4, 8, 4, 8, 4, 8};
  return type >= 0 && type < LBP_BRIDGE_TYPES ? bytes[type] : 0;
}

LBP_FN const char *lbp_p_bridge_type(int type) {
  static const char *const name[LBP_BRIDGE_TYPES] = {"uint8", "uint16", "uint32", "uint64", "int32", "int64", "float32",
                                                     "float64"};
  return type >= 0 && type < LBP_BRIDGE_TYPES ? name[type] : "an unknown type";
}

/* Items of an array; SIZE_MAX: more than memory has. */
LBP_FN size_t lbp_p_bridge_items(const lbp_bridge_array *a) {
  size_t items = 1;
  uint32_t k;
  for (k = 0; k < a->dims; k++) {
    items = lbp_size_times(items, a->shape[k] < SIZE_MAX ? (size_t)a->shape[k] : SIZE_MAX);
  }
  return items;
}

/* Item k as a number. */
LBP_FN double lbp_p_bridge_number(const lbp_bridge_array *a, size_t k) {
  switch (a->type) {
    case LBP_BRIDGE_UINT8: return ((const uint8_t *)a->data)[k];
    case LBP_BRIDGE_UINT16: return ((const uint16_t *)a->data)[k];
    case LBP_BRIDGE_UINT32: return ((const uint32_t *)a->data)[k];
    case LBP_BRIDGE_UINT64: return (double)((const uint64_t *)a->data)[k];
    case LBP_BRIDGE_INT32: return ((const int32_t *)a->data)[k];
    case LBP_BRIDGE_INT64: return (double)((const int64_t *)a->data)[k];
    case LBP_BRIDGE_FLOAT: return (double)((const float *)a->data)[k];
    default: return ((const double *)a->data)[k];
  }
}

/* Writes a sentence and returns the status. */
LBP_PRINTF_LIKE(3, 4)
LBP_FN int lbp_p_bridge_say(char *why, int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, LBP_OPTION_TEXT, format, arguments);
  va_end(arguments);
  return status;
}

/* Whether an array has a valid type and shape, and no NaN. */
LBP_FN int lbp_p_bridge_sound(const lbp_bridge_array *a, char *why) {
  const size_t items = a->dims <= 3 ? lbp_p_bridge_items(a) : SIZE_MAX;
  size_t k;
  if (lbp_p_bridge_item(a->type) == 0) return lbp_p_bridge_say(why, LBP_E_RANGE, "%.60s: its type is unknown", a->name);
  if (lbp_size_times(items, 8) == SIZE_MAX) {
    return lbp_p_bridge_say(why, LBP_E_SIZE, "%.60s: its shape is invalid", a->name);
  }
  if (!a->data && items > 0) return lbp_p_bridge_say(why, LBP_E_NULL, "%.60s: there is no data", a->name);
  for (k = 0; a->type >= LBP_BRIDGE_FLOAT && k < items; k++) {
    if (lbp_is_nan(lbp_p_bridge_number(a, k))) {
      return lbp_p_bridge_say(why, LBP_E_NOT_FINITE, "%.60s[%llu] is not a number", a->name, (unsigned long long)k);
    }
  }
  return LBP_OK;
}

/* ---- sizes from lengths ------------------------------------------------------------------------------------------ */

/* Computes the lengths of all arrays from the sizes. */
typedef void lbp_p_bridge_lengths(const double *size, double *length);

/* Whether the length of array k depends on size s, others being so large that no factor as m - 1 is 0. */
LBP_FN int lbp_p_bridge_depends(lbp_p_bridge_lengths *lengths, uint32_t k, uint32_t s) {
  double size[LBP_P_BRIDGE_MOST], at_few[LBP_P_BRIDGE_MOST], at_many[LBP_P_BRIDGE_MOST];
  uint32_t j;
  for (j = 0; j < LBP_P_BRIDGE_MOST; j++) size[j] = 1000;
  lengths(size, at_few);
  size[s] = 1048576;
  lengths(size, at_many);
  return at_few[k] != at_many[k];
}

/* Sets size s so that array k has `want` items, or the least possible number above; the other sizes are known. Returns
 * whether the number is exactly `want`. */
LBP_FN int lbp_p_bridge_solve(lbp_p_bridge_lengths *lengths, uint32_t k, uint32_t s, double want, double *size) {
  double length[LBP_P_BRIDGE_MOST], low = 0, high = 4294967295.0;
  while (low < high) { /* lengths grow with sizes */
    size[s] = floor((low + high) / 2);
    lengths(size, length);
    if (length[k] < want) low = size[s] + 1;
    else high = size[s];
  }
  size[s] = low;
  lengths(size, length);
  return length[k] == want;
}

/* The arrays and sizes of a model. */
typedef struct {
  const lbp_p_bridge_field *field; /* arrays, ... */
  const char *const *size;         /* ... sizes, and how many these are */
  uint32_t fields, sizes;
  lbp_p_bridge_lengths *lengths;
} lbp_p_bridge_parts;

/* Index of a name: of an array; fields + k for size k; fields + sizes if it is unknown. */
LBP_FN uint32_t lbp_p_bridge_part(const lbp_p_bridge_parts *parts, const char *name) {
  uint32_t k;
  for (k = 0; k < parts->fields && strcmp(parts->field[k].name, name) != 0; k++) continue;
  for (; k >= parts->fields && k < parts->fields + parts->sizes; k++) {
    if (strcmp(parts->size[k - parts->fields], name) == 0) break;
  }
  return k;
}

/* Reports an unknown name, with all known ones. */
LBP_FN int lbp_p_bridge_unknown(const lbp_p_bridge_parts *parts, const char *name, char *why) {
  size_t length = (size_t)snprintf(why, LBP_OPTION_TEXT, "%.60s: the model has no such array, but ", name);
  uint32_t k;
  for (k = 0; k < parts->fields; k++) {
    length = lbp_runner_say(why, length, k > 0 ? ", " : "", parts->field[k].name);
    length = lbp_runner_say(why, length, " (", lbp_p_bridge_type(parts->field[k].type));
    length = lbp_runner_say(why, length, ", ", parts->field[k].length);
    length = lbp_runner_say(why, length, ")", "");
  }
  return LBP_E_RANGE;
}

/* Sorts the arrays into given[], in the order of fields, and given sizes into size[]; the others are -1. */
LBP_FN int lbp_p_bridge_sort(const lbp_p_bridge_parts *parts, const lbp_bridge_array *arrays, uint32_t count,
                             const lbp_bridge_array **given, double *size, char *why) {
  uint32_t k, s;
  for (s = 0; s < parts->sizes; s++) size[s] = -1;
  for (k = 0; k < count; k++) {
    const lbp_bridge_array *a = &arrays[k];
    const uint32_t part = a->name ? lbp_p_bridge_part(parts, a->name) : parts->fields + parts->sizes;
    if (part == parts->fields + parts->sizes) return lbp_p_bridge_unknown(parts, a->name ? a->name : "an array", why);
    if (lbp_p_bridge_sound(a, why) != LBP_OK) return LBP_E_RANGE;
    if (part >= parts->fields) {
      double *v = &size[part - parts->fields];
      *v = lbp_p_bridge_items(a) == 1 ? lbp_p_bridge_number(a, 0) : -1;
      if (*v >= 0 && *v <= LBP_MAX_SITES && *v == floor(*v)) continue;
      return lbp_p_bridge_say(why, LBP_E_SIZE, "%.60s: it is a size: one whole number from 0 to 2^31 - 1", a->name);
    }
    if (given[part]) return lbp_p_bridge_say(why, LBP_E_RANGE, "%.60s: given twice", a->name);
    if (a->type != parts->field[part].type) {
      return lbp_p_bridge_say(why, LBP_E_RANGE, "%.60s: the type is %s, not %s", a->name,
                              lbp_p_bridge_type(parts->field[part].type), lbp_p_bridge_type(a->type));
    }
    given[part] = a;
  }
  for (k = 0; k < parts->fields; k++) {
    if (given[k]) continue;
    return lbp_p_bridge_say(why, LBP_E_RANGE, "%.60s: it is missing; the model needs %.60s numbers of type %s",
                            parts->field[k].name, parts->field[k].length, lbp_p_bridge_type(parts->field[k].type));
  }
  return LBP_OK;
}

/* Returns the value of a factor of a length, which is a number or a size; -1: it is another word, such as a macro; -2:
 * it is no single word. */
LBP_FN double lbp_p_bridge_factor(const lbp_p_bridge_parts *parts, const double *size, const char *text,
                                  size_t letters) {
  uint32_t s;
  while (letters > 0 && *text == ' ') text++, letters--;
  while (letters > 0 && text[letters - 1] == ' ') letters--;
  for (s = 0; s < parts->sizes; s++) {
    if (strlen(parts->size[s]) == letters && strncmp(parts->size[s], text, letters) == 0) return size[s];
  }
  if (letters == 0 || strcspn(text, " ()+-/%<>?:,*") < letters) return -2;
  return *text >= '0' && *text <= '9' ? strtod(text, NULL) : -1;
}

/* Returns whether an array of the right length also has the right shape: the factors of its length. Dimensions of 1
 * are ignored. One dimension may hold all factors; a single row or column only where a word's value is unknown. */
LBP_FN int lbp_p_bridge_shaped(const lbp_p_bridge_parts *parts, const double *size, const char *length,
                               const lbp_bridge_array *a) {
  const char *text = length;
  uint32_t k, wide = 0;
  int fits = 1, known = 1;
  size_t letters;
  for (k = 0; k < a->dims; k++) wide += a->shape[k] != 1;
  for (k = 0;; text += letters + 1) {
    double value;
    letters = strcspn(text, "*");
    value = lbp_p_bridge_factor(parts, size, text, letters);
    while (k < a->dims && a->shape[k] == 1) k++;
    if (value < 0) known = 0;
    if (value != 1) { /* another word's value is unknown; the whole length is right */
      if (value == -2 || k == a->dims || (value >= 0 && value != (double)a->shape[k])) fits = 0;
      k += k < a->dims;
    }
    if (text[letters] == '\0') break;
  }
  while (k < a->dims && a->shape[k] == 1) k++;
  return (fits && k == a->dims) || (wide < 2 && (a->dims < 2 || !known));
}

/* Appends ", where n = 3, m = 4" to a sentence. */
LBP_FN void lbp_p_bridge_say_sizes(const lbp_p_bridge_parts *parts, const double *size, char *why) {
  size_t at = strlen(why);
  char text[32];
  uint32_t s;
  for (s = 0; s < parts->sizes; s++) {
    at = lbp_runner_say(why, at, s > 0 ? ", " : ", where ", parts->size[s]);
    snprintf(text, sizeof text, size[s] > LBP_MAX_SITES ? ": none fits" : " = %.0f", size[s]);
    at = lbp_runner_say(why, at, text, "");
  }
}

/* Checks the shape of an array of the right length. */
LBP_FN int lbp_p_bridge_judge_shape(const lbp_p_bridge_parts *parts, uint32_t k, const lbp_bridge_array *a,
                                    const double *size, char *why) {
  char shape[96];
  if (lbp_p_bridge_shaped(parts, size, parts->field[k].length, a)) return LBP_OK;
  snprintf(shape, sizeof shape, a->dims < 3 ? "%llu x %llu" : "%llu x %llu x %llu", (unsigned long long)a->shape[0],
           (unsigned long long)a->shape[1], (unsigned long long)a->shape[2]);
  lbp_p_bridge_say(why, LBP_E_SIZE, "%.60s: its shape is %s, not %.60s", parts->field[k].name, shape,
                   parts->field[k].length);
  lbp_p_bridge_say_sizes(parts, size, why);
  return LBP_E_SIZE;
}

/* Computes all sizes and checks all lengths against them. Arrays that fit no size come last, so that errors of the
 * others are reported first. */
LBP_FN int lbp_p_bridge_measure(const lbp_p_bridge_parts *parts, const lbp_bridge_array **given, double *size,
                                char *why) {
  double length[LBP_P_BRIDGE_MOST];
  uint32_t k, s, round;
  int fits;
  for (round = 0; round < 2 * parts->sizes; round++) {
    for (k = 0; k < parts->fields; k++) {
      uint32_t unknown = 0, which = 0;
      for (s = 0; s < parts->sizes; s++) {
        if (size[s] >= 0 || !lbp_p_bridge_depends(parts->lengths, k, s)) continue;
        unknown++;
        which = s;
      }
      /* an empty array may fit several sizes: first, what others say */
      if (unknown != 1 || (round < parts->sizes && lbp_p_bridge_items(given[k]) == 0)) continue;
      fits = lbp_p_bridge_solve(parts->lengths, k, which, (double)lbp_p_bridge_items(given[k]), size);
      if (!fits && round < parts->sizes) size[which] = -1;
    }
  }
  for (s = 0; s < parts->sizes; s++) {
    if (size[s] >= 0 && size[s] <= LBP_MAX_SITES) continue;
    if (size[s] > 0) break; /* none fits: reported with its array */
    return lbp_p_bridge_say(why, LBP_E_SIZE, "%.60s: no array determines this size: give it", parts->size[s]);
  }
  parts->lengths(size, length);
  for (k = 0; k < parts->fields; k++) {
    const unsigned long long got = lbp_p_bridge_items(given[k]);
    if ((double)got == length[k]) {
      if (lbp_p_bridge_judge_shape(parts, k, given[k], size, why) != LBP_OK) return LBP_E_SIZE;
      continue;
    }
    lbp_p_bridge_say(why, LBP_E_SIZE, "%.60s: %llu numbers, not %.60s", parts->field[k].name, got,
                     parts->field[k].length);
    lbp_p_bridge_say_sizes(parts, size, why);
    return LBP_E_SIZE;
  }
  return LBP_OK;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

#ifndef LBP_BRIDGE_SIZES
#define LBP_BRIDGE_SIZES(S) S(n)
#endif
#ifndef LBP_BRIDGE_N
#define LBP_BRIDGE_N(m) ((m)->n)
#endif

#define LBP_P_BRIDGE_TYPE_uint8_t  LBP_BRIDGE_UINT8
#define LBP_P_BRIDGE_TYPE_uint32_t LBP_BRIDGE_UINT32
#define LBP_P_BRIDGE_TYPE_uint64_t LBP_BRIDGE_UINT64
#define LBP_P_BRIDGE_TYPE_int32_t  LBP_BRIDGE_INT32
#define LBP_P_BRIDGE_TYPE_int64_t  LBP_BRIDGE_INT64
#define LBP_P_BRIDGE_TYPE_float    LBP_BRIDGE_FLOAT
#define LBP_P_BRIDGE_TYPE_double   LBP_BRIDGE_DOUBLE

/* LBP_BRIDGE_ARRAYS and LBP_BRIDGE_SIZES as tables, ... */
#define LBP_P_BRIDGE_FIELD(field, type, length) {#field, #length, LBP_P_BRIDGE_TYPE_##type},
#define LBP_P_BRIDGE_SIZE(size)                 #size,
static const lbp_p_bridge_field lbp_p_bridge_fields[] = {LBP_BRIDGE_ARRAYS(LBP_P_BRIDGE_FIELD) {NULL, NULL, 0}};
static const char *const lbp_p_bridge_sizes[] = {LBP_BRIDGE_SIZES(LBP_P_BRIDGE_SIZE) NULL};

/* ... as lengths, the sizes being local variables here, ... */
#define LBP_P_BRIDGE_LOCAL(size)                 const double size = *lbp_size++;
#define LBP_P_BRIDGE_USE(size)                   (void)size;
#define LBP_P_BRIDGE_LENGTH(field, type, length) *lbp_length++ = (double)(length);
LBP_FN void lbp_p_bridge_all_lengths(const double *lbp_size, double *lbp_length) {
  LBP_BRIDGE_SIZES(LBP_P_BRIDGE_LOCAL)
  LBP_BRIDGE_SIZES(LBP_P_BRIDGE_USE)
  LBP_BRIDGE_ARRAYS(LBP_P_BRIDGE_LENGTH)
  (void)lbp_size, (void)lbp_length;
}

/* ... and as members of the model. */
#define LBP_P_BRIDGE_SET_FIELD(field, type, length) lbp_m->field = (const type *)*lbp_data++;
#define LBP_P_BRIDGE_SET_SIZE(size)                 lbp_m->size = (uint32_t)*lbp_size++;
LBP_FN void lbp_p_bridge_fill(lbp_p_bridge_own *lbp_m, const double *lbp_size, void *const *lbp_data) {
  LBP_BRIDGE_SIZES(LBP_P_BRIDGE_SET_SIZE)
  LBP_BRIDGE_ARRAYS(LBP_P_BRIDGE_SET_FIELD)
  (void)lbp_m, (void)lbp_size, (void)lbp_data;
}

enum {
  LBP_P_BRIDGE_FIELDS = sizeof lbp_p_bridge_fields / sizeof lbp_p_bridge_fields[0] - 1,
  LBP_P_BRIDGE_SIZES = sizeof lbp_p_bridge_sizes / sizeof lbp_p_bridge_sizes[0] - 1
};
/* No more than LBP_P_BRIDGE_MOST of either. */
typedef char lbp_p_bridge_few[(int)LBP_P_BRIDGE_FIELDS <= (int)LBP_P_BRIDGE_MOST ? 1 : -1];
typedef char lbp_p_bridge_few_sizes[(int)LBP_P_BRIDGE_SIZES <= (int)LBP_P_BRIDGE_MOST ? 1 : -1];

LBP_FN lbp_p_bridge_parts lbp_p_bridge_all_parts(void) {
  lbp_p_bridge_parts parts;
  parts.field = lbp_p_bridge_fields;
  parts.size = lbp_p_bridge_sizes;
  parts.fields = LBP_P_BRIDGE_FIELDS;
  parts.sizes = LBP_P_BRIDGE_SIZES;
  parts.lengths = lbp_p_bridge_all_lengths;
  return parts;
}

struct lbp_bridge_model {
  lbp_p_bridge_own own;
  lbp_kernel kernel;
  uint32_t n;
  void *data[LBP_P_BRIDGE_MOST]; /* copies of arrays, ... */
  size_t items[LBP_P_BRIDGE_MOST]; /* ... and their lengths */
};

LBP_FN int lbp_p_bridge_build(lbp_p_bridge_own *m, char *why) {
  (void)m, (void)why;
#ifdef LBP_BRIDGE_BUILD
  return LBP_BRIDGE_BUILD(m, why);
#else
  return LBP_OK;
#endif
}

LBP_FN int lbp_p_bridge_make(lbp_bridge_model *model, const lbp_bridge_array *arrays, uint32_t count, char *why) {
  const lbp_p_bridge_parts parts = lbp_p_bridge_all_parts();
  const lbp_bridge_array *given[LBP_P_BRIDGE_MOST] = {NULL};
  double size[LBP_P_BRIDGE_MOST];
  uint32_t k;
  int status = lbp_p_bridge_sort(&parts, arrays, count, given, size, why);
  if (status == LBP_OK) status = lbp_p_bridge_measure(&parts, given, size, why);
  if (status != LBP_OK) return status;
  for (k = 0; k < parts.fields; k++) {
    const size_t bytes = lbp_size_times(lbp_p_bridge_items(given[k]), lbp_p_bridge_item(given[k]->type));
    model->data[k] = bytes < SIZE_MAX ? malloc(bytes + 1) : NULL;
    if (!model->data[k]) return lbp_p_bridge_say(why, LBP_E_MEMORY, "%.60s: out of memory for it", given[k]->name);
    if (bytes > 0) memcpy(model->data[k], given[k]->data, bytes);
    model->items[k] = lbp_p_bridge_items(given[k]);
  }
  lbp_p_bridge_fill(&model->own, size, model->data);
  status = lbp_p_bridge_build(&model->own, why);
  if (status != LBP_OK) return *why ? status : lbp_p_bridge_say(why, status, "%s", lbp_error(status));
  model->n = LBP_BRIDGE_N(&model->own);
  model->kernel = LBP_P_BRIDGE_KERNEL_OF(model->n);
  if (model->n >= 1 && model->n <= LBP_MAX_SITES) return LBP_OK;
  return lbp_p_bridge_say(why, LBP_E_SIZE, "n: %s", lbp_error(LBP_E_SIZE));
}

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

/* The driver of the result. */
enum { LBP_P_BRIDGE_NOTHING, LBP_P_BRIDGE_RUN, LBP_P_BRIDGE_ANNEAL, LBP_P_BRIDGE_AIS };

enum { LBP_P_BRIDGE_STRINGS = 64 }; /* options */

struct lbp_bridge_sampler {
  lbp_bridge_model *model;
  lbp_run run;
  char *string[LBP_P_BRIDGE_STRINGS]; /* copies of options, by their number */
  uint8_t *clamp;
  double *ladder;
  uint32_t steps;                     /* inverse temperatures of it; 0: there is none */
  int rungs;                          /* whether tempering.rungs was set */
  unsigned char *start;               /* states, ... */
  uint32_t starts;                    /* ... and how many */
  int keep;                           /* the option */
  volatile sig_atomic_t stop;
  char message[LBP_OPTION_TEXT];

  /* the last run's driver and results */
  int driver;
  lbp_run_result result;
  lbp_ais_result ais;
  double tuned;                       /* the parameter of its draws; 0: none */
  const lbp_sampler *tuned_of;        /* whose it is */
  uint32_t site_values;               /* run.values */
  double *rows;                       /* by diagnostic, and by row of the result; NULL: there are none */

  /* its draws */
  int kept;                           /* whether with states */
  uint32_t chains, values;            /* values of a draw */
  uint64_t first, drawn, room;        /* draws of a chain: before a resumption; since then; room for so many */
  double *value;                      /* by value, chain, draw */
  unsigned char *x;                   /* by chain, draw */

  /* a chain to take single steps */
  int stepping;
  const char *unready;                /* why it cannot, "%s" is the parameter; NULL: it can */
  lbp_chains chain;
};

LBP_FN int lbp_p_bridge_fail(lbp_bridge_sampler *s, int status, const char *what) {
  return lbp_p_bridge_say(s->message, status, "%s", what);
}

LBP_FN void lbp_p_bridge_end_steps(lbp_bridge_sampler *s) {
  if (s->stepping) lbp_chains_free(&s->chain);
  s->stepping = 0;
}

LBP_FN void lbp_p_bridge_forget(lbp_bridge_sampler *s) {
  lbp_run_free(&s->result);
  lbp_ais_free(&s->ais);
  free(s->rows);
  free(s->value);
  free(s->x);
  s->rows = NULL;
  s->value = NULL;
  s->x = NULL;
  s->first = s->drawn = s->room = 0;
  s->driver = LBP_P_BRIDGE_NOTHING;
}

/* Makes room for so many draws of each chain; returns whether there was memory for it. */
LBP_FN int lbp_p_bridge_resize(lbp_bridge_sampler *s, uint64_t room) {
  const size_t state = s->kept ? lbp_size_times(s->model->n, s->model->kernel.item_bytes) : 0;
  const size_t cells = lbp_size_times(s->chains, room < SIZE_MAX ? (size_t)room : SIZE_MAX);
  const size_t numbers = lbp_size_times(lbp_size_times(cells, s->values), sizeof *s->value);
  const size_t bytes = lbp_size_times(cells, state), was = (size_t)s->room;
  const size_t count = (size_t)(s->drawn < room ? s->drawn : room);
  double *value = numbers < SIZE_MAX ? (double *)malloc(numbers + 1) : NULL;
  unsigned char *x = bytes < SIZE_MAX ? (unsigned char *)malloc(bytes + 1) : NULL;
  size_t k;
  if (!value || !x) {
    free(value);
    free(x);
    return 0;
  }
  s->room = room;
  for (k = 0; count > 0 && k < (size_t)s->values * s->chains; k++) {
    memcpy(value + k * (size_t)room, s->value + k * was, count * sizeof *value);
  }
  for (k = 0; count > 0 && state > 0 && k < s->chains; k++) {
    memcpy(x + k * (size_t)room * state, s->x + k * was * state, count * state);
  }
  free(s->value);
  free(s->x);
  s->value = value;
  s->x = x;
  return 1;
}

/* Bytes of draws that there may be room for before they come. */
#ifndef LBP_BRIDGE_AT_ONCE
#define LBP_BRIDGE_AT_ONCE ((uint64_t)1 << 28)
#endif

/* run.on_draw: the last chain's draws of a batch come last, so all chains have the draws that it has. */
LBP_FN void lbp_p_bridge_take(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  lbp_bridge_sampler *s = (lbp_bridge_sampler *)data;
  const size_t state = (size_t)s->model->n * s->model->kernel.item_bytes;
  uint64_t at;
  uint32_t v;
  if (s->room == UINT64_MAX) return; /* there was no memory for one */
  if (s->drawn == 0 && chain == 0) s->first = draw;
  at = draw - s->first;
  if (chain == 0 && at >= s->room) { /* untouched memory costs nothing: so all at once, up to a limit */
    const uint64_t all = s->run.draws - s->first, each = (s->kept ? state : 0) + s->values * sizeof *s->value;
    const uint64_t some = LBP_BRIDGE_AT_ONCE / each / s->chains;
    const uint64_t next = s->room > 0 ? 2 * s->room : some < 1024 ? 1024 : some;
    if (!lbp_p_bridge_resize(s, all < next ? all : next)) {
      s->room = UINT64_MAX;
      lbp_run_stop(&s->stop);
      return;
    }
  }
  for (v = 0; v < s->values; v++) s->value[((size_t)v * s->chains + chain) * (size_t)s->room + (size_t)at] = values[v];
  if (s->kept) memcpy(s->x + ((size_t)chain * (size_t)s->room + (size_t)at) * state, x, state);
  if (chain == 0) s->drawn = at + 1;
}

/* run.start. */
LBP_FN void lbp_p_bridge_start(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  const lbp_bridge_sampler *s = (const lbp_bridge_sampler *)data;
  const size_t bytes = (size_t)n * s->model->kernel.item_bytes;
  memcpy(x, s->start + chain % s->starts * bytes, bytes);
}

/* Takes an array as states to begin with, or as none. */
LBP_FN int lbp_p_bridge_give_start(lbp_bridge_sampler *s, const lbp_bridge_array *a) {
  const size_t n = s->model->n, item = s->model->kernel.item_bytes, items = a->data ? lbp_p_bridge_items(a) : 0;
  const double most = item == 1 ? 255 : item == 2 ? 65535 : 4294967295.0;
  unsigned char *start = (unsigned char *)malloc(lbp_size_times(items, item) + 1);
  size_t k;
  if (!start) return lbp_p_bridge_fail(s, LBP_E_MEMORY, "start: out of memory for it");
  for (k = 0; k < items; k++) {
    const double v = lbp_p_bridge_number(a, k);
    if (v >= 0 && v <= most && v == floor(v)) lbp_set_item(start, item, (uint32_t)k, (uint32_t)v);
    else break;
  }
  if (k < items || items % n != 0 || items / n > UINT32_MAX || (a->data && items == 0) || a->dims > 2 ||
      (a->dims == 2 && a->shape[1] != n)) {
    free(start);
    if (k < items) return lbp_p_bridge_say(s->message, LBP_E_STATE, "start: %s", lbp_error(LBP_E_STATE));
    return lbp_p_bridge_say(s->message, LBP_E_SIZE, "start: it needs a state of %lu items, or rows of that many, not "
                            "%llu numbers",
                            (unsigned long)n, (unsigned long long)items);
  }
  free(s->start);
  s->start = start;
  s->starts = (uint32_t)(items / n);
  s->run.start = items > 0 ? lbp_p_bridge_start : NULL;
  s->run.start_data = s;
  return LBP_OK;
}

/* The same as sites that never move. */
LBP_FN int lbp_p_bridge_give_clamp(lbp_bridge_sampler *s, const lbp_bridge_array *a) {
  const size_t n = s->model->n;
  uint8_t *clamp = a->data ? (uint8_t *)malloc(n) : NULL;
  size_t k;
  if (a->data && (a->dims > 1 || lbp_p_bridge_items(a) != n)) {
    free(clamp);
    if (a->dims > 1) return lbp_p_bridge_fail(s, LBP_E_SIZE, "clamp: it needs a number for each site, in a row");
    return lbp_p_bridge_say(s->message, LBP_E_SIZE, "clamp: it needs a number for each of %lu sites, not %llu",
                            (unsigned long)n, (unsigned long long)lbp_p_bridge_items(a));
  }
  if (a->data && !clamp) return lbp_p_bridge_fail(s, LBP_E_MEMORY, "clamp: out of memory for it");
  for (k = 0; clamp && k < n; k++) clamp[k] = lbp_p_bridge_number(a, k) != 0;
  free(s->clamp);
  s->run.clamp = s->clamp = clamp;
  return LBP_OK;
}

/* The same as inverse temperatures. */
LBP_FN int lbp_p_bridge_give_ladder(lbp_bridge_sampler *s, const lbp_bridge_array *a) {
  const size_t items = a->data ? lbp_p_bridge_items(a) : 0;
  double *ladder = items > 0 && items <= 4096 && a->dims < 2 ? (double *)malloc(items * sizeof *ladder) : NULL;
  size_t k;
  if (a->data && !ladder) {
    return lbp_p_bridge_fail(s, LBP_E_SIZE, "tempering.ladder: 1 to 4096 inverse temperatures in a row, the coldest "
                             "first");
  }
  for (k = 0; k < items; k++) ladder[k] = lbp_p_bridge_number(a, k);
  free(s->ladder);
  s->run.tempering.ladder = s->ladder = ladder;
  s->steps = (uint32_t)items;
  if (!s->rungs) s->run.tempering.rungs = items > 0 ? (uint32_t)items : 1;
  return LBP_OK;
}

/* LBP_OK, or which array does not fit the other options. */
LBP_FN int lbp_p_bridge_fit(lbp_bridge_sampler *s) {
  if (s->ladder && s->steps != s->run.tempering.rungs) {
    return lbp_p_bridge_say(s->message, LBP_E_SIZE, "tempering.ladder: %lu inverse temperatures, where "
                            "tempering.rungs are %lu", (unsigned long)s->steps, (unsigned long)s->run.tempering.rungs);
  }
  if (s->starts > 1 && s->starts != s->run.chains) {
    return lbp_p_bridge_say(s->message, LBP_E_SIZE, "start: a state, or one for each of %lu chains, not %lu",
                            (unsigned long)s->run.chains, (unsigned long)s->starts);
  }
  return LBP_OK;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Shapes of results. */
enum {
  LBP_P_BRIDGE_ONE,
  LBP_P_BRIDGE_BY_CHAIN,
  LBP_P_BRIDGE_STATES, /* by chain and site */
  LBP_P_BRIDGE_STATE,
  LBP_P_BRIDGE_BY_RUNG,
  LBP_P_BRIDGE_BY_PAIR,
  LBP_P_BRIDGE_BY_PART, /* by pair of rungs, and by rung */
  LBP_P_BRIDGE_BY_SITE, /* or by site and value, where there are more than two */
  LBP_P_BRIDGE_BY_ROW,  /* of lp and the columns; `at` is the place of lbp_p_bridge_rows */
  LBP_P_BRIDGE_HISTORY
};

typedef struct {
  const char *name;
  size_t at; /* of a number, or of a pointer to numbers */
  int type, shape, driver;
} lbp_p_bridge_entry;

#define LBP_P_RUN(name, member, type, shape) \
  {name, offsetof(lbp_run_result, member), LBP_BRIDGE_##type, LBP_P_BRIDGE_##shape, LBP_P_BRIDGE_RUN}
#define LBP_P_ROW(name, at) {name, at, LBP_BRIDGE_DOUBLE, LBP_P_BRIDGE_BY_ROW, LBP_P_BRIDGE_RUN}
#define LBP_P_ANNEAL(member, type, shape) \
  {#member, offsetof(lbp_run_result, member), LBP_BRIDGE_##type, LBP_P_BRIDGE_##shape, LBP_P_BRIDGE_ANNEAL}
#define LBP_P_AIS(member, type, shape) \
  {#member, offsetof(lbp_ais_result, member), LBP_BRIDGE_##type, LBP_P_BRIDGE_##shape, LBP_P_BRIDGE_AIS}
static const lbp_p_bridge_entry lbp_p_bridge_entries[] = {
    LBP_P_RUN("draws", draws, UINT64, ONE),
    LBP_P_RUN("seconds", seconds, DOUBLE, ONE),
    LBP_P_RUN("mean_accept", accept, DOUBLE, ONE),
    LBP_P_RUN("mean_parameter", parameter, DOUBLE, ONE),
    LBP_P_RUN("mean_jump", jump, DOUBLE, ONE),
    LBP_P_RUN("mean_evaluations", evaluations, DOUBLE, ONE),
    LBP_P_RUN("ended", ended, INT32, ONE),
    LBP_P_RUN("resumed", resumed, INT32, ONE),
    LBP_P_RUN("best_logp", best_logp, DOUBLE, BY_CHAIN),
    LBP_P_RUN("best", best, UINT8, STATES),
    LBP_P_RUN("marginal", marginal, DOUBLE, BY_SITE),
    LBP_P_RUN("marginal_se", marginal_se, DOUBLE, BY_SITE),
    LBP_P_RUN("ladder", ladder, DOUBLE, BY_RUNG),
    LBP_P_RUN("swaps", swaps, DOUBLE, BY_PAIR),
    LBP_P_RUN("parts", parts, DOUBLE, BY_PART),
    LBP_P_RUN("largest_part", largest_part, DOUBLE, BY_PART),
    LBP_P_RUN("round_trips", round_trips, UINT64, ONE),
    LBP_P_RUN("round_trip_rate", round_trip_rate, DOUBLE, ONE),
    LBP_P_RUN("round_trip_ideal", round_trip_ideal, DOUBLE, ONE),
    LBP_P_RUN("log_z", log_z, DOUBLE, ONE),
    LBP_P_RUN("log_z_se", log_z_se, DOUBLE, ONE),
    LBP_P_ROW("mcse", 0),
    LBP_P_ROW("ess_bulk", 1),
    LBP_P_ROW("ess_tail", 2),
    LBP_P_ROW("rhat", 3),
    LBP_P_ANNEAL(sweeps, UINT64, ONE),
    LBP_P_ANNEAL(seconds, DOUBLE, ONE),
    LBP_P_ANNEAL(ended, INT32, ONE),
    LBP_P_ANNEAL(resumed, INT32, ONE),
    LBP_P_ANNEAL(hot, DOUBLE, ONE),
    LBP_P_ANNEAL(cold, DOUBLE, ONE),
    LBP_P_ANNEAL(best_logp, DOUBLE, BY_CHAIN),
    LBP_P_ANNEAL(best, UINT8, STATES),
    LBP_P_ANNEAL(hits, UINT32, BY_CHAIN),
    LBP_P_ANNEAL(different, UINT32, ONE),
    LBP_P_ANNEAL(last_logp, DOUBLE, BY_CHAIN),
    LBP_P_ANNEAL(last, UINT8, STATES),
    LBP_P_ANNEAL(history, DOUBLE, HISTORY),
    LBP_P_AIS(log_z, DOUBLE, ONE),
    LBP_P_AIS(log_z_se, DOUBLE, ONE),
    LBP_P_AIS(weights, DOUBLE, ONE),
    LBP_P_AIS(accept, DOUBLE, ONE),
    LBP_P_AIS(seconds, DOUBLE, ONE),
    LBP_P_AIS(best_logp, DOUBLE, ONE),
    LBP_P_AIS(best, UINT8, STATE),
    LBP_P_AIS(populations, UINT32, ONE),
    LBP_P_AIS(families, UINT32, ONE),
    LBP_P_AIS(effective_families, DOUBLE, ONE)};
#undef LBP_P_RUN
#undef LBP_P_ROW
#undef LBP_P_ANNEAL
#undef LBP_P_AIS

/* Entry k of all; NULL: there are no more. */
LBP_FN const lbp_p_bridge_entry *lbp_p_bridge_entry_at(uint32_t k) {
  return k < sizeof lbp_p_bridge_entries / sizeof lbp_p_bridge_entries[0] ? &lbp_p_bridge_entries[k] : NULL;
}

/* An integer type of so many bytes. */
LBP_FN int lbp_p_bridge_item_type(const lbp_bridge_sampler *s) {
  return s->model->kernel.item_bytes == 1 ? LBP_BRIDGE_UINT8 : s->model->kernel.item_bytes == 2 ? LBP_BRIDGE_UINT16 :
         LBP_BRIDGE_UINT32;
}

LBP_FN void lbp_p_bridge_shape(lbp_bridge_array *a, uint32_t dims, uint64_t first, uint64_t second, uint64_t third) {
  a->dims = dims;
  a->shape[0] = first;
  a->shape[1] = second;
  a->shape[2] = third;
}

/* Finds an entry in the last run's result; returns whether it is there. */
LBP_FN int lbp_p_bridge_look_up(lbp_bridge_sampler *s, const lbp_p_bridge_entry *entry, lbp_bridge_array *a) {
  const lbp_run_result *result = &s->result;
  const unsigned char *from = entry->driver == LBP_P_BRIDGE_AIS ? (const unsigned char *)&s->ais :
                              (const unsigned char *)result;
  const uint32_t n = s->model->n, values = s->model->kernel.values ? s->model->kernel.values : s->site_values;
  const int by_value = lbp_item_is_by_value(values, s->model->kernel.item_bytes);
  const size_t from_trips = offsetof(lbp_run_result, round_trips), to_trips = offsetof(lbp_run_result, sweeps);
  const int tempered = entry->at >= from_trips && entry->at < to_trips;
  if (entry->driver != s->driver) return 0;
  if (entry->driver == LBP_P_BRIDGE_RUN && entry->shape == LBP_P_BRIDGE_ONE) {
    const int of_z = entry->at == offsetof(lbp_run_result, log_z) || entry->at == offsetof(lbp_run_result, log_z_se);
    if ((tempered || of_z) && result->rungs < 2) return 0;
    if (of_z && result->log_z_status != LBP_OK) return 0;
  }
  a->type = entry->type;
  lbp_p_bridge_shape(a, 0, 0, 0, 0);
  if (entry->shape == LBP_P_BRIDGE_BY_ROW) {
    a->data = s->rows ? s->rows + entry->at * result->rows : NULL;
    lbp_p_bridge_shape(a, 1, result->rows, 0, 0);
    return s->rows != NULL;
  }
  a->data = from + entry->at;
  if (entry->shape == LBP_P_BRIDGE_ONE) return 1;
  memcpy(&a->data, from + entry->at, sizeof a->data); /* a pointer */
  if (!a->data) return 0;
  if ((entry->shape == LBP_P_BRIDGE_BY_RUNG || entry->shape == LBP_P_BRIDGE_BY_PAIR) && result->rungs < 2) return 0;
  switch (entry->shape) {
    case LBP_P_BRIDGE_BY_CHAIN: lbp_p_bridge_shape(a, 1, result->chains, 0, 0); break;
    case LBP_P_BRIDGE_STATES: lbp_p_bridge_shape(a, 2, result->chains, n, 0); break;
    case LBP_P_BRIDGE_STATE: lbp_p_bridge_shape(a, 1, n, 0, 0); break;
    case LBP_P_BRIDGE_BY_RUNG: lbp_p_bridge_shape(a, 1, result->rungs, 0, 0); break;
    case LBP_P_BRIDGE_BY_PAIR: lbp_p_bridge_shape(a, 1, result->rungs - 1, 0, 0); break;
    case LBP_P_BRIDGE_BY_PART: lbp_p_bridge_shape(a, 2, 2, result->rungs, 0); break;
    case LBP_P_BRIDGE_BY_SITE: lbp_p_bridge_shape(a, by_value ? 2 : 1, n, values, 0); break;
    default: lbp_p_bridge_shape(a, 2, result->histories, 3, 0);
  }
  if (entry->type == LBP_BRIDGE_UINT8) a->type = lbp_p_bridge_item_type(s);
  return 1;
}

/* The name of value v of a draw. */
LBP_FN const char *lbp_p_bridge_value_name(const lbp_bridge_sampler *s, uint32_t v) {
  static const char *const names[LBP_DRAW_VALUES] = {"lp", "accept", "parameter", "evaluations", "jump"};
  return v < LBP_DRAW_VALUES ? names[v] : s->run.column[v - LBP_DRAW_VALUES].name;
}

/* The same of draws. */
LBP_FN int lbp_p_bridge_look_up_draws(lbp_bridge_sampler *s, const char *name, lbp_bridge_array *a) {
  uint32_t v;
  if (s->driver != LBP_P_BRIDGE_RUN) return 0;
  lbp_p_bridge_shape(a, 2, s->chains, s->drawn, s->model->n);
  if (strcmp(name, "x") == 0) {
    a->dims = 3;
    a->type = lbp_p_bridge_item_type(s);
    a->data = s->x;
    return s->kept;
  }
  a->type = LBP_BRIDGE_DOUBLE;
  for (v = 0; v < s->values; v++) {
    a->data = s->value + (size_t)v * s->chains * (size_t)s->drawn;
    if (strcmp(name, lbp_p_bridge_value_name(s, v)) == 0) return 1;
  }
  return 0;
}

/* LBP_OK, or an error about a column that has the name of another result, which would hide it. */
LBP_FN int lbp_p_bridge_judge_columns(lbp_bridge_sampler *s) {
  const lbp_p_bridge_entry *entry;
  uint32_t c, k;
  for (c = 0; c < s->run.columns; c++) {
    const char *name = s->run.column[c].name ? s->run.column[c].name : "";
    int taken = strcmp(name, "x") == 0;
    for (k = 0; k < LBP_DRAW_VALUES; k++) taken |= strcmp(name, lbp_p_bridge_value_name(s, k)) == 0;
    for (k = 0; (entry = lbp_p_bridge_entry_at(k)) != NULL; k++) {
      taken |= entry->driver == LBP_P_BRIDGE_RUN && strcmp(name, entry->name) == 0;
    }
    if (taken) {
      return lbp_p_bridge_say(s->message, LBP_E_RANGE, "column %.60s: another result of runs has this name", name);
    }
  }
  return LBP_OK;
}

/* Copies the diagnostics of the last run's rows, NaN where there is no number; returns whether there was memory. */
LBP_FN int lbp_p_bridge_rows(lbp_bridge_sampler *s) {
  const size_t rows = s->result.row ? s->result.rows : 0;
  size_t k;
  if (rows == 0) return 1;
  s->rows = (double *)malloc(lbp_size_times(rows, 4 * sizeof *s->rows));
  for (k = 0; s->rows && k < rows; k++) {
    const lbp_run_row *row = &s->result.row[k];
    s->rows[k] = row->mcse_status == LBP_OK ? row->mcse : (double)NAN;
    s->rows[rows + k] = row->ess_bulk_status == LBP_OK ? row->ess_bulk : (double)NAN;
    s->rows[2 * rows + k] = row->ess_tail_status == LBP_OK ? row->ess_tail : (double)NAN;
    s->rows[3 * rows + k] = row->rhat_status == LBP_OK ? row->rhat : (double)NAN;
  }
  return s->rows != NULL;
}

/* Ends a run; the draws received so far stay. */
LBP_FN int lbp_p_bridge_settle(lbp_bridge_sampler *s, int status, const char *message) {
  s->stop = 0;
  if (status == LBP_OK && s->driver == LBP_P_BRIDGE_RUN) {
    s->tuned = s->result.parameter_name && s->result.draws > 0 ? s->result.parameter : 0;
    s->tuned_of = lbp_kernel_sampler(&s->model->kernel, s->run.sampler);
    if (s->room == UINT64_MAX || (s->room != s->drawn && !lbp_p_bridge_resize(s, s->drawn))) {
      status = LBP_E_MEMORY;
      message = "out of memory for draws: take fewer (thin), or keep no states (keep = false)";
    } else if (!lbp_p_bridge_rows(s)) {
      status = LBP_E_MEMORY;
      message = lbp_error(LBP_E_MEMORY);
    }
  }
  if (status == LBP_OK) return LBP_OK;
  lbp_p_bridge_fail(s, status, *message ? message : lbp_error(status));
  lbp_p_bridge_forget(s);
  return status;
}

/* Rejects a number of draws that can never fit in memory. Runs that another option may end early are allowed any. */
LBP_FN int lbp_p_bridge_judge_room(lbp_bridge_sampler *s) {
  const double state = s->kept ? (double)s->model->n * s->model->kernel.item_bytes : 0;
  const double each = (double)s->values * (double)sizeof *s->value + state;
  const double all = (double)s->run.draws * s->chains * each, most = lbp_machine_bytes();
  if (s->run.seconds > 0 || s->run.rhat > 0 || most == 0 || !(all > most)) return LBP_OK;
  return lbp_p_bridge_say(s->message, LBP_E_MEMORY, "draws: %llu of %lu chains take %.3g bytes, and this machine has "
                          "%.3g: take fewer (thin)%s, or set seconds or rhat, which end a run early",
                          (unsigned long long)s->run.draws, (unsigned long)s->chains, all, most,
                          s->kept ? ", keep no states (keep = false)" : "");
}

/* ---- single steps ------------------------------------------------------------------------------------------------ */

LBP_FN int lbp_p_bridge_begin_steps(lbp_bridge_sampler *s) {
  const lbp_kernel *kernel = &s->model->kernel;
  lbp_run run = s->run;
  lbp_run_result result;
  lbp_plan plan;
  double tuned;
  int status, tunes;
  if (s->stepping) return LBP_OK;
  if (lbp_p_bridge_fit(s) != LBP_OK) return LBP_E_SIZE;
  if (s->ladder && s->ladder[0] != 1) {
    return lbp_p_bridge_fail(s, LBP_E_RANGE, "tempering.ladder: single steps are at inverse temperature 1, "
                             "not ladder[0]");
  }
  memset(&result, 0, sizeof result);
  run.warmup = 1; /* a warm-up or a parameter that is not given is found below */
  run.tempering.adapt_ends = 0;
  run.save_states = LBP_STATES_NONE;
  run.start = lbp_p_bridge_start;
  status = lbp_run_plan(&run, kernel, s->model->n, &plan, &result);
  if (status != LBP_OK) return lbp_p_bridge_fail(s, status, *result.message ? result.message : lbp_error(status));
  s->unready = NULL;
  if (plan.sampler->traits & LBP_TRAIT_CURVED) {
    s->unready = "%s: it needs a curvature, which whole runs estimate: for single steps take another sampler";
  }
  tuned = plan.sampler == s->tuned_of ? s->tuned : 0;
  tunes = plan.sampler->target > 0 || (plan.sampler->traits & LBP_TRAIT_TIME);
  if (plan.sampler->parameter_name && !(plan.setting[0] > 0) && (tunes || tuned > 0)) {
    if ((plan.sampler->traits & LBP_TRAIT_SITES) && tunes) { /* a tuner's: even and odd, not all that moves */
      plan.first = tuned > 1 && tuned == floor(tuned) ? tuned - 0.5 : tuned;
    } else {
      plan.setting[0] = tuned > 0 ? tuned : 1;
    }
    if (!(tuned > 0) && !s->unready) {
      s->unready = "parameter: single steps need %s: set it, or do a run before, whose warm-up tunes it";
    }
  }
  status = lbp_chains_init(&s->chain, kernel, &s->model->own, &plan, 0, 1, 0);
  if (status == LBP_OK) status = lbp_chains_make(&s->chain, 0, s->run.seed);
  s->stepping = 1;
  if (status == LBP_OK) return LBP_OK;
  lbp_p_bridge_end_steps(s);
  return lbp_p_bridge_fail(s, status, lbp_error(status));
}

/* Puts the chain for single steps at x. */
LBP_FN int lbp_p_bridge_place(lbp_bridge_sampler *s, const void *x) {
  const lbp_kernel *kernel = &s->model->kernel;
  const size_t bytes = (size_t)s->model->n * kernel->item_bytes;
  const int fresh = !s->stepping;
  lbp_run_result result;
  lbp_finding finding;
  lbp_unit *unit;
  lbp_rng rng;
  uint64_t which;
  uint32_t i;
  int status = lbp_p_bridge_begin_steps(s);
  if (status != LBP_OK) return status;
  unit = lbp_chains_unit(&s->chain, 0);
  for (i = 0; i < s->model->n && status == LBP_OK; i++) {
    const uint32_t most = lbp_kernel_values(kernel, &s->model->own, &s->chain.plan, i);
    if (lbp_item(x, kernel->item_bytes, i) >= most) status = LBP_E_STATE;
  }
  if (status == LBP_OK) {
    memcpy(unit->x, x, bytes);
    kernel->touch(unit);
    if (kernel->admits) status = kernel->admits(unit, &s->model->own, &which);
  }
  if (status == LBP_OK && fresh && kernel->check && s->run.check_trials > 0) {
    memset(&result, 0, sizeof result);
    lbp_rng_init(&rng, s->run.seed, UINT64_MAX);
    finding = kernel->check(unit, &s->model->own, s->run.check_trials, &rng);
    status = lbp_runner_blame(&result, s->chain.plan.sampler->name, finding);
    if (status != LBP_OK) lbp_p_bridge_fail(s, status, result.message);
  } else if (status != LBP_OK) {
    lbp_p_bridge_fail(s, status, lbp_error(status));
  }
  if (status != LBP_OK) lbp_p_bridge_end_steps(s);
  return status;
}

/* ---- the functions of the interface ------------------------------------------------------------------------------ */

#ifdef __cplusplus
extern "C" {
#endif

uint32_t lbp_bridge_abi(void) { return LBP_BRIDGE_ABI; }

uint32_t lbp_bridge_version(void) { return LBP_VERSION; }

const char *lbp_bridge_name(void) { return lbp_p_bridge_name; }

const char *lbp_bridge_error(int status) { return lbp_error(status); }

int lbp_bridge_wants(uint32_t k, lbp_bridge_array *array) {
  if (!array) return LBP_E_NULL;
  memset(array, 0, sizeof *array);
  if (k >= LBP_P_BRIDGE_FIELDS + LBP_P_BRIDGE_SIZES) return LBP_E_INDEX;
  if (k >= LBP_P_BRIDGE_FIELDS) {
    array->name = lbp_p_bridge_sizes[k - LBP_P_BRIDGE_FIELDS];
    array->length = "";
    array->type = LBP_BRIDGE_UINT32;
    return LBP_OK;
  }
  array->name = lbp_p_bridge_fields[k].name;
  array->length = lbp_p_bridge_fields[k].length;
  array->type = lbp_p_bridge_fields[k].type;
  array->dims = 1;
  return LBP_OK;
}

int lbp_bridge_model_array(const lbp_bridge_model *model, uint32_t k, lbp_bridge_array *array) {
  if (!model || !array) return LBP_E_NULL;
  if (k >= LBP_P_BRIDGE_FIELDS) return LBP_E_INDEX;
  lbp_bridge_wants(k, array);
  array->shape[0] = model->items[k];
  array->data = model->data[k];
  return LBP_OK;
}

int lbp_bridge_model_make(const lbp_bridge_array *arrays, uint32_t count, lbp_bridge_model **model, char *why) {
  char unread[LBP_OPTION_TEXT];
  int status;
  if (!why) why = unread;
  *why = '\0';
  if (!model || (!arrays && count > 0)) return lbp_p_bridge_say(why, LBP_E_NULL, "%s", lbp_error(LBP_E_NULL));
  *model = (lbp_bridge_model *)calloc(1, sizeof **model);
  if (!*model) return lbp_p_bridge_say(why, LBP_E_MEMORY, "%s", lbp_error(LBP_E_MEMORY));
  status = lbp_p_bridge_make(*model, arrays, count, why);
  if (status == LBP_OK) return LBP_OK;
  lbp_bridge_model_free(*model);
  *model = NULL;
  return status;
}

void lbp_bridge_model_free(lbp_bridge_model *model) {
  uint32_t k;
  if (!model) return;
#ifdef LBP_BRIDGE_FREE
  LBP_BRIDGE_FREE(&model->own);
#endif
  for (k = 0; k < LBP_P_BRIDGE_FIELDS; k++) free(model->data[k]);
  free(model);
}

uint32_t lbp_bridge_sites(const lbp_bridge_model *model) { return model ? model->n : 0; }

uint32_t lbp_bridge_item_bytes(const lbp_bridge_model *model) { return model ? model->kernel.item_bytes : 0; }

int lbp_bridge_sampler_make(lbp_bridge_model *model, lbp_bridge_sampler **sampler) {
  lbp_bridge_sampler *s;
  if (!model || !sampler) return LBP_E_NULL;
  s = *sampler = (lbp_bridge_sampler *)calloc(1, sizeof *s);
  if (!s) return LBP_E_MEMORY;
  s->model = model;
  s->keep = 1;
  lbp_run_init(&s->run);
  s->run.name = lbp_p_bridge_name;
  s->run.stop = &s->stop;
#ifdef LBP_BRIDGE_COLUMNS
  {
    static const lbp_run_column columns[] = {LBP_BRIDGE_COLUMNS};
    s->run.column = columns;
    s->run.columns = sizeof columns / sizeof columns[0];
  }
#endif
  return LBP_OK;
}

void lbp_bridge_sampler_free(lbp_bridge_sampler *s) {
  uint32_t k;
  if (!s) return;
  lbp_p_bridge_end_steps(s);
  lbp_p_bridge_forget(s);
  for (k = 0; k < LBP_P_BRIDGE_STRINGS; k++) free(s->string[k]);
  free(s->clamp);
  free(s->ladder);
  free(s->start);
  free(s);
}

const char *lbp_bridge_message(const lbp_bridge_sampler *s) { return s ? s->message : lbp_error(LBP_E_NULL); }

int lbp_bridge_set(lbp_bridge_sampler *s, const char *name, const char *value) {
  /* progress: of lbp_bridge_listen, as the languages call it */
  static const char *const others[] = {"keep", "start", "clamp", "tempering.ladder", "progress", NULL};
  const lbp_run_option *option;
  char *copy = NULL;
  uint32_t k = 0;
  int status;
  if (!s) return LBP_E_NULL;
  if (!name || !value) return lbp_p_bridge_fail(s, LBP_E_NULL, lbp_error(LBP_E_NULL));
  s->message[0] = '\0';
  lbp_p_bridge_end_steps(s);
  if (strcmp(name, "keep") == 0) {
    int word;
    if (lbp_runner_choice("false true ", value, &word) || lbp_runner_choice("0 1 ", value, &word)) {
      s->keep = word;
      return LBP_OK;
    }
    return lbp_p_bridge_say(s->message, LBP_E_RANGE, "keep: '%.60s' is not true or false", value);
  }
  for (; (option = lbp_run_option_at(k)) != NULL; k++) {
    if (strcmp(option->name, name) == 0) break;
  }
  if (!option) return lbp_runner_no_option(&s->model->kernel, name, others, s->message);
  if (option->kind == LBP_OPTION_STRING) {
    copy = (char *)malloc(strlen(value) + 1);
    if (!copy || k >= LBP_P_BRIDGE_STRINGS) {
      free(copy);
      return lbp_p_bridge_fail(s, LBP_E_MEMORY, lbp_error(LBP_E_MEMORY));
    }
    strcpy(copy, value);
  }
  status = lbp_run_set(&s->run, &s->model->kernel, name, copy ? copy : value, s->message);
  if (copy) {
    free(s->string[k]);
    s->string[k] = copy;
  }
  s->rungs |= status == LBP_OK && strcmp(name, "tempering.rungs") == 0;
  return status;
}

const char *lbp_bridge_option(lbp_bridge_sampler *s, uint32_t k, char *value) {
  const lbp_run_option *option = lbp_run_option_at(k);
  if (s && option && value) lbp_run_get(&s->run, &s->model->kernel, option, value);
  return option ? option->name : NULL;
}

int lbp_bridge_give(lbp_bridge_sampler *s, const lbp_bridge_array *array) {
  if (!s) return LBP_E_NULL;
  if (!array || !array->name) return lbp_p_bridge_fail(s, LBP_E_NULL, lbp_error(LBP_E_NULL));
  s->message[0] = '\0';
  lbp_p_bridge_end_steps(s);
  if (array->data && lbp_p_bridge_sound(array, s->message) != LBP_OK) return LBP_E_RANGE;
  if (strcmp(array->name, "start") == 0) return lbp_p_bridge_give_start(s, array);
  if (strcmp(array->name, "clamp") == 0) return lbp_p_bridge_give_clamp(s, array);
  if (strcmp(array->name, "tempering.ladder") == 0) return lbp_p_bridge_give_ladder(s, array);
  return lbp_p_bridge_say(s->message, LBP_E_RANGE, "%.60s: this is not an array option; they are start, clamp, "
                          "tempering.ladder", array->name);
}

void lbp_bridge_listen(lbp_bridge_sampler *s, void (*tell)(void *, const char *, int), void *data) {
  if (!s) return;
  s->run.on_progress = tell;
  s->run.on_progress_data = data;
}

int lbp_bridge_run(lbp_bridge_sampler *s, const char *driver) {
  const lbp_kernel *kernel;
  const void *own;
  lbp_run run;
  if (!s) return LBP_E_NULL;
  kernel = &s->model->kernel;
  own = &s->model->own;
  s->message[0] = '\0';
  lbp_p_bridge_forget(s);
  lbp_p_bridge_end_steps(s);
  if (lbp_p_bridge_fit(s) != LBP_OK) return LBP_E_SIZE;
  run = s->run;
  run.on_draw = lbp_p_bridge_take;
  run.on_draw_data = s;
  if (run.save_states == LBP_STATES_NONE || run.save_states == LBP_STATES_PASSED) {
    run.save_states = s->keep ? LBP_STATES_PASSED : LBP_STATES_NONE;
  }
  s->kept = s->keep;
  s->chains = s->run.chains;
  s->site_values = s->run.values;
  s->values = LBP_DRAW_VALUES + s->run.columns;
  if (driver && strcmp(driver, "run") == 0) {
    if (!run.prefix && run.save_states != LBP_STATES_NONE && run.save_states != LBP_STATES_PASSED) {
      return lbp_p_bridge_say(s->message, LBP_E_RANGE, "save_states: csv and npy go to files of `prefix`, which is not "
                              "set: set it, or keep states in memory (keep = true)");
    }
    if (lbp_p_bridge_judge_columns(s) != LBP_OK) return LBP_E_RANGE;
    if (lbp_p_bridge_judge_room(s) != LBP_OK) return LBP_E_MEMORY;
    s->driver = LBP_P_BRIDGE_RUN;
    return lbp_p_bridge_settle(s, lbp_run_kernel(&run, kernel, own, s->model->n, &s->result), s->result.message);
  }
  if (driver && strcmp(driver, "anneal") == 0) {
    s->driver = LBP_P_BRIDGE_ANNEAL;
    return lbp_p_bridge_settle(s, lbp_anneal_kernel(&run, kernel, own, s->model->n, &s->result), s->result.message);
  }
  if (driver && strcmp(driver, "ais") == 0) {
    s->driver = LBP_P_BRIDGE_AIS;
    return lbp_p_bridge_settle(s, lbp_ais_kernel(&run, kernel, own, s->model->n, &s->ais), s->ais.message);
  }
  return lbp_p_bridge_say(s->message, LBP_E_RANGE, "%.60s: unknown driver; they are run, anneal, ais",
                          driver ? driver : "NULL");
}

void lbp_bridge_interrupt(lbp_bridge_sampler *s) {
  if (s) lbp_run_stop(&s->stop);
}

int lbp_bridge_get(lbp_bridge_sampler *s, const char *name, lbp_bridge_array *array) {
  const lbp_p_bridge_entry *entry;
  uint32_t k;
  if (!s) return LBP_E_NULL;
  if (!name || !array) return lbp_p_bridge_fail(s, LBP_E_NULL, lbp_error(LBP_E_NULL));
  memset(array, 0, sizeof *array);
  array->name = name;
  for (k = 0; (entry = lbp_p_bridge_entry_at(k)) != NULL; k++) {
    if (strcmp(entry->name, name) == 0 && lbp_p_bridge_look_up(s, entry, array)) return LBP_OK;
  }
  if (lbp_p_bridge_look_up_draws(s, name, array)) return LBP_OK;
  return lbp_p_bridge_say(s->message, LBP_E_RANGE, "%.60s: the last run has no such result", name);
}

const char *lbp_bridge_result(lbp_bridge_sampler *s, uint32_t k) {
  const lbp_p_bridge_entry *entry;
  lbp_bridge_array array;
  uint32_t j;
  if (!s) return NULL;
  for (j = 0; (entry = lbp_p_bridge_entry_at(j)) != NULL; j++) {
    if (lbp_p_bridge_look_up(s, entry, &array) && k-- == 0) return entry->name;
  }
  if (s->driver != LBP_P_BRIDGE_RUN) return NULL;
  if (k < s->values) return lbp_p_bridge_value_name(s, k);
  return s->kept && k == s->values ? "x" : NULL;
}

const char *lbp_bridge_sampler_name(const lbp_bridge_sampler *s) {
  if (!s || s->driver == LBP_P_BRIDGE_NOTHING) return NULL;
  return s->driver == LBP_P_BRIDGE_AIS ? s->ais.sampler : s->result.sampler;
}

/* Warning k, a bit; 0: there are no more. */
LBP_FN unsigned lbp_p_bridge_warning(const lbp_bridge_sampler *s, uint32_t k) {
  unsigned warning, warnings;
  if (!s || s->driver == LBP_P_BRIDGE_NOTHING) return 0;
  warnings = s->driver == LBP_P_BRIDGE_AIS ? s->ais.warnings : s->result.warnings;
  for (warning = 1; warning > 0 && warning <= warnings; warning *= 2) {
    if ((warnings & warning) && k-- == 0) return warning;
  }
  return 0;
}

const char *lbp_bridge_warning(const lbp_bridge_sampler *s, uint32_t k) {
  const unsigned warning = lbp_p_bridge_warning(s, k);
  return warning == 0 ? NULL : s->driver == LBP_P_BRIDGE_AIS ? lbp_ais_advice(warning) : lbp_run_advice(warning);
}

/* The names of the enums; tests/bridge.sh compares them. */
#define LBP_P_NAMED(name) case name: return #name
LBP_FN const char *lbp_p_bridge_run_warning(unsigned warning) {
  switch (warning) {
    LBP_P_NAMED(LBP_WARN_RHAT);
    LBP_P_NAMED(LBP_WARN_ESS);
    LBP_P_NAMED(LBP_WARN_STUCK);
    LBP_P_NAMED(LBP_WARN_PARITY);
    LBP_P_NAMED(LBP_WARN_SWAPS);
    LBP_P_NAMED(LBP_WARN_IMPOSSIBLE);
    LBP_P_NAMED(LBP_WARN_ALL_SITES);
    LBP_P_NAMED(LBP_WARN_NO_DRAWS);
    LBP_P_NAMED(LBP_WARN_UNTUNED);
    LBP_P_NAMED(LBP_WARN_ROUND_TRIPS);
    LBP_P_NAMED(LBP_WARN_REACH);
    LBP_P_NAMED(LBP_WARN_EQUAL_CHAINS);
    LBP_P_NAMED(LBP_WARN_ROUNDING);
    LBP_P_NAMED(LBP_WARN_FEW_LANES);
    default: return NULL;
  }
}

LBP_FN const char *lbp_p_bridge_ais_warning(unsigned warning) {
  switch (warning) {
    LBP_P_NAMED(LBP_WARN_AIS_WEIGHTS);
    LBP_P_NAMED(LBP_WARN_AIS_CHAINS);
    LBP_P_NAMED(LBP_WARN_AIS_FAMILIES);
    LBP_P_NAMED(LBP_WARN_AIS_ALL_SITES);
    default: return NULL;
  }
}
#undef LBP_P_NAMED

const char *lbp_bridge_warning_name(const lbp_bridge_sampler *s, uint32_t k) {
  const unsigned warning = lbp_p_bridge_warning(s, k);
  if (warning == 0) return NULL;
  return s->driver == LBP_P_BRIDGE_AIS ? lbp_p_bridge_ais_warning(warning) : lbp_p_bridge_run_warning(warning);
}

/* Takes steps of the chain for single steps, in pieces of some milliseconds; returns whether it was interrupted. */
LBP_FN int lbp_p_bridge_take_steps(lbp_bridge_sampler *s, uint32_t steps) {
  const uint32_t some = 131072 / s->model->n + 1;
  uint32_t left = steps;
  int stopped;
  while (left > 0 && !s->stop) {
    const uint32_t piece = left < some ? left : some;
    lbp_chains_step(&s->chain, 0, 1, piece, lbp_infinity(), 0);
    left -= piece;
  }
  stopped = left > 0;
  s->stop = 0;
  return stopped;
}

int lbp_bridge_step(lbp_bridge_sampler *s, uint64_t seed, uint64_t stream, uint32_t steps, void *x, double *info) {
  lbp_finding finding;
  lbp_run_result result;
  lbp_moves *moves;
  lbp_unit *unit;
  int status, stopped;
  if (!s) return LBP_E_NULL;
  if (!x) return lbp_p_bridge_fail(s, LBP_E_NULL, lbp_error(LBP_E_NULL));
  status = lbp_p_bridge_place(s, x);
  if (status != LBP_OK) return status;
  if (s->unready) return lbp_p_bridge_say(s->message, LBP_E_RANGE, s->unready, s->chain.plan.sampler->parameter_name);
  unit = lbp_chains_unit(&s->chain, 0);
  moves = &s->chain.moves[0];
  memset(moves, 0, sizeof *moves);
  lbp_rng_init(&unit->rng, seed, stream);
  stopped = lbp_p_bridge_take_steps(s, steps);
  if (s->model->kernel.fault && (finding = s->model->kernel.fault(unit)).status != LBP_OK) {
    memset(&result, 0, sizeof result);
    lbp_runner_blame(&result, s->chain.plan.sampler->name, finding);
    lbp_p_bridge_end_steps(s);
    return lbp_p_bridge_fail(s, result.status, result.message);
  }
  if (stopped) return lbp_p_bridge_fail(s, LBP_E_TOO_SHORT, "steps: interrupted before all of them were taken");
  memcpy(x, unit->x, (size_t)s->model->n * s->model->kernel.item_bytes);
  if (!info) return LBP_OK;
  info[LBP_BRIDGE_ACCEPT] = steps > 0 ? moves->accept / steps : 1;
  info[LBP_BRIDGE_PARAMETER] = steps > 0 ? moves->parameter / steps : 0;
  info[LBP_BRIDGE_JUMP] = moves->jump;
  info[LBP_BRIDGE_PROPOSED] = moves->proposed;
  info[LBP_BRIDGE_EVALUATIONS] = moves->evaluations;
  info[LBP_BRIDGE_LOG_RATIO] = moves->log_ratio;
  return LBP_OK;
}

int lbp_bridge_logp(lbp_bridge_sampler *s, const void *x, double *logp) {
  int status;
  if (!s) return LBP_E_NULL;
  if (!x || !logp) return lbp_p_bridge_fail(s, LBP_E_NULL, lbp_error(LBP_E_NULL));
  status = lbp_p_bridge_place(s, x);
  if (status == LBP_OK) *logp = s->model->kernel.logp(lbp_chains_unit(&s->chain, 0), &s->model->own);
  return status;
}

#ifdef __cplusplus
}
#endif

/* ---- the same by pointers alone ---------------------------------------------------------------------------------- */

/* Sites times steps that take longer than a thread to begin. */
enum { LBP_P_BRIDGE_LONG = 1 << 16 };

/* A sampler and the thread that its run, or its steps from `state`, are in: R and others hear signals in theirs. */
typedef struct {
  lbp_bridge_sampler *sampler;
  lbp_thread thread;
  int status;
  char driver[16], line[256]; /* line: under the thread's lock */
  void *state;
  uint64_t seed;
  uint32_t steps;
  double info[LBP_BRIDGE_INFO];
} lbp_p_bridge_job;

typedef char lbp_p_bridge_handle_fits[sizeof(void *) <= 8 ? 1 : -1];

LBP_FN void lbp_p_bridge_put_handle(unsigned char *handle, const void *pointer) {
  memset(handle, 0, 8);
  memcpy(handle, &pointer, sizeof pointer);
}

LBP_FN lbp_bridge_model *lbp_p_bridge_model_of(const unsigned char *handle) {
  lbp_bridge_model *model;
  memcpy(&model, handle, sizeof model);
  return model;
}

LBP_FN lbp_p_bridge_job *lbp_p_bridge_job_of(const unsigned char *handle) {
  lbp_p_bridge_job *job;
  memcpy(&job, handle, sizeof job);
  return job;
}

LBP_FN lbp_bridge_sampler *lbp_p_bridge_sampler_of(const unsigned char *handle) {
  lbp_p_bridge_job *job = lbp_p_bridge_job_of(handle);
  return job ? job->sampler : NULL;
}

/* Whether v is a number of that type. A float rounds it. */
LBP_FN int lbp_p_bridge_is(int type, double v) {
  switch (type) {
    case LBP_BRIDGE_UINT8: return v >= 0 && v <= 255 && v == floor(v);
    case LBP_BRIDGE_UINT16: return v >= 0 && v <= 65535 && v == floor(v);
    case LBP_BRIDGE_UINT32: return v >= 0 && v <= 4294967295.0 && v == floor(v);
    case LBP_BRIDGE_UINT64: return v >= 0 && v < 18446744073709551616.0 && v == floor(v);
    case LBP_BRIDGE_INT32: return v >= -2147483648.0 && v <= 2147483647.0 && v == floor(v);
    case LBP_BRIDGE_INT64: return v >= -9223372036854775808.0 && v < 9223372036854775808.0 && v == floor(v);
    case LBP_BRIDGE_FLOAT: return !lbp_is_finite(v) || fabs(v) <= (double)FLT_MAX;
    default: return 1;
  }
}

/* Item k becomes v, which is of the array's type. */
LBP_FN void lbp_p_bridge_put(const lbp_bridge_array *a, void *data, size_t k, double v) {
  switch (a->type) {
    case LBP_BRIDGE_UINT8: ((uint8_t *)data)[k] = (uint8_t)v; break;
    case LBP_BRIDGE_UINT16: ((uint16_t *)data)[k] = (uint16_t)v; break;
    case LBP_BRIDGE_UINT32: ((uint32_t *)data)[k] = (uint32_t)v; break;
    case LBP_BRIDGE_UINT64: ((uint64_t *)data)[k] = (uint64_t)v; break;
    case LBP_BRIDGE_INT32: ((int32_t *)data)[k] = (int32_t)v; break;
    case LBP_BRIDGE_INT64: ((int64_t *)data)[k] = (int64_t)v; break;
    case LBP_BRIDGE_FLOAT: ((float *)data)[k] = (float)v; break;
    default: ((double *)data)[k] = v;
  }
}

LBP_FN void lbp_p_bridge_doubles(lbp_bridge_array *a, const char *name, const int *shape, const double *data) {
  memset(a, 0, sizeof *a);
  a->name = name;
  a->type = LBP_BRIDGE_DOUBLE;
  while (a->dims < 3 && shape[a->dims] >= 0) a->shape[a->dims] = (uint64_t)shape[a->dims], a->dims++;
  a->data = data;
}

/* Converts an array of double to the type that the model requires, in new memory, *made. An unknown array stays as it
 * is. */
LBP_FN int lbp_p_bridge_convert(lbp_bridge_array *a, void **made, char *why) {
  const lbp_p_bridge_parts parts = lbp_p_bridge_all_parts();
  const uint32_t which = lbp_p_bridge_part(&parts, a->name);
  const double *from = (const double *)a->data;
  const size_t items = lbp_p_bridge_items(a);
  size_t k;
  if (which >= parts.fields || parts.field[which].type == LBP_BRIDGE_DOUBLE) return LBP_OK;
  *made = malloc(lbp_size_times(items, 8) + 1);
  if (!*made) return lbp_p_bridge_say(why, LBP_E_MEMORY, "%.60s: out of memory for it", a->name);
  a->type = parts.field[which].type;
  for (k = 0; k < items; k++) {
    if (!lbp_p_bridge_is(a->type, from[k])) {
      return lbp_p_bridge_say(why, LBP_E_RANGE, "%.60s: %.17g, which is not of type %s", a->name, from[k],
                              lbp_p_bridge_type(a->type));
    }
    lbp_p_bridge_put(a, *made, k, from[k]);
  }
  a->data = *made;
  return LBP_OK;
}

/* Converts a state to the library's type; the caller frees it. NULL: an error; the sampler has the sentence. */
LBP_FN void *lbp_p_bridge_state(lbp_bridge_sampler *s, const int *x, int *status) {
  const size_t n = s->model->n, item = s->model->kernel.item_bytes;
  void *state = malloc(lbp_size_times(n, item));
  size_t k;
  *status = LBP_OK;
  if (!state) *status = LBP_E_MEMORY;
  for (k = 0; state && k < n && *status == LBP_OK; k++) {
    if (x[k] < 0 || (item < 4 && x[k] >> (8 * item) != 0)) *status = LBP_E_STATE;
    else lbp_set_item(state, item, (uint32_t)k, (uint32_t)x[k]);
  }
  if (*status == LBP_OK) return state;
  free(state);
  lbp_p_bridge_fail(s, *status, lbp_error(*status));
  return NULL;
}

/* run.on_progress. */
LBP_FN void lbp_p_bridge_told(void *data, const char *line, int last) {
  lbp_p_bridge_job *job = (lbp_p_bridge_job *)data;
  (void)last;
  lbp_thread_lock(&job->thread);
  snprintf(job->line, sizeof job->line, "%s", line);
  lbp_thread_unlock(&job->thread);
}

/* The thread's function. */
LBP_FN void lbp_p_bridge_work(void *data) {
  lbp_p_bridge_job *job = (lbp_p_bridge_job *)data;
  job->status = job->state ? lbp_bridge_step(job->sampler, job->seed, 0, job->steps, job->state, job->info) :
                lbp_bridge_run(job->sampler, job->driver);
}

LBP_FN int lbp_p_bridge_begin_thread(lbp_p_bridge_job *job) {
  if (lbp_thread_begin(&job->thread, lbp_p_bridge_work, job) == 0) return LBP_OK;
  return lbp_p_bridge_fail(job->sampler, LBP_E_MEMORY, "no thread for the run");
}

LBP_FN int lbp_p_bridge_begin_job(lbp_p_bridge_job *job, const char *driver) {
  snprintf(job->driver, sizeof job->driver, "%s", driver);
  job->line[0] = '\0';
  lbp_bridge_listen(job->sampler, lbp_p_bridge_told, job);
  return lbp_p_bridge_begin_thread(job);
}

LBP_FN void lbp_p_bridge_end_job(lbp_p_bridge_job *job) {
  lbp_thread_end(&job->thread);
  job->sampler->stop = 0; /* of an interrupt that came too late */
}

/* Waits for the thread; returns whether it has ended. */
LBP_FN int lbp_p_bridge_await(lbp_p_bridge_job *job, double seconds, int stop) {
  if (stop) lbp_bridge_interrupt(job->sampler);
  return lbp_thread_await(&job->thread, seconds > 0 ? seconds < 1e8 ? seconds : 1e8 : 0);
}

#ifdef __cplusplus
extern "C" {
#endif

void lbp_bridge_c_about(int *abi, char *name) {
  *abi = (int)lbp_bridge_abi();
  snprintf(name, LBP_OPTION_TEXT, "%s", lbp_bridge_name());
}

void lbp_bridge_c_wants(const int *k, char *name, char *type, char *length) {
  lbp_bridge_array array;
  const int there = *k >= 0 && lbp_bridge_wants((uint32_t)*k, &array) == LBP_OK;
  snprintf(name, LBP_OPTION_TEXT, "%s", there ? array.name : "");
  snprintf(type, LBP_OPTION_TEXT, "%s", there ? lbp_p_bridge_type(array.type) : "");
  snprintf(length, LBP_OPTION_TEXT, "%s", there ? array.length : "");
}

void lbp_bridge_c_model(unsigned char *handle, const int *count, const char *names, const int *shape,
                        const double *data, int *sites, char *why, int *status) {
  const size_t arrays = *count > 0 ? (size_t)*count : 0;
  lbp_bridge_array *array = (lbp_bridge_array *)calloc(arrays + 1, sizeof *array);
  void **made = (void **)calloc(arrays + 1, sizeof *made);
  lbp_bridge_model *model = NULL;
  size_t k;
  *why = '\0';
  *status = array && made ? LBP_OK : lbp_p_bridge_say(why, LBP_E_MEMORY, "%s", lbp_error(LBP_E_MEMORY));
  for (k = 0; k < arrays && *status == LBP_OK; k++) {
    lbp_p_bridge_doubles(&array[k], names, shape + 3 * k, data);
    data += lbp_p_bridge_items(&array[k]);
    *status = lbp_p_bridge_convert(&array[k], &made[k], why);
    names += strlen(names) + 1;
  }
  if (*status == LBP_OK) *status = lbp_bridge_model_make(array, (uint32_t)arrays, &model, why);
  for (k = 0; made && k < arrays; k++) free(made[k]);
  free(made);
  free(array);
  lbp_p_bridge_put_handle(handle, model);
  *sites = (int)lbp_bridge_sites(model);
}

void lbp_bridge_c_model_free(unsigned char *handle) {
  lbp_bridge_model_free(lbp_p_bridge_model_of(handle));
  lbp_p_bridge_put_handle(handle, NULL);
}

void lbp_bridge_c_sampler(const unsigned char *model, unsigned char *handle, int *status) {
  lbp_p_bridge_job *job = (lbp_p_bridge_job *)calloc(1, sizeof *job);
  *status = job ? lbp_bridge_sampler_make(lbp_p_bridge_model_of(model), &job->sampler) : LBP_E_MEMORY;
  if (*status == LBP_OK) {
    lbp_thread_init(&job->thread);
  } else {
    free(job);
    job = NULL;
  }
  lbp_p_bridge_put_handle(handle, job);
}

void lbp_bridge_c_sampler_free(unsigned char *handle) {
  lbp_p_bridge_job *job = lbp_p_bridge_job_of(handle);
  lbp_p_bridge_put_handle(handle, NULL);
  if (!job) return;
  lbp_bridge_interrupt(job->sampler);
  lbp_p_bridge_end_job(job);
  lbp_bridge_sampler_free(job->sampler);
  lbp_thread_free(&job->thread);
  free(job->state);
  free(job);
}

void lbp_bridge_c_text(const unsigned char *handle, const int *what, const int *k, char *text) {
  lbp_bridge_sampler *s = lbp_p_bridge_sampler_of(handle);
  const char *found = *what == 0 ? lbp_bridge_message(s) : *k < 0 ? NULL :
                      *what == 1 ? lbp_bridge_result(s, (uint32_t)*k) :
                      *what == 2 ? lbp_bridge_warning(s, (uint32_t)*k) : lbp_bridge_warning_name(s, (uint32_t)*k);
  snprintf(text, LBP_OPTION_TEXT, "%s", found ? found : "");
}

void lbp_bridge_c_set(const unsigned char *handle, const char *name, const char *value, int *status) {
  *status = lbp_bridge_set(lbp_p_bridge_sampler_of(handle), name, value);
}

void lbp_bridge_c_give(const unsigned char *handle, const char *name, const int *shape, const double *data,
                       int *status) {
  lbp_bridge_array array;
  lbp_p_bridge_doubles(&array, name, shape, data);
  *status = lbp_bridge_give(lbp_p_bridge_sampler_of(handle), &array);
}

void lbp_bridge_c_run(const unsigned char *handle, const char *driver, const double *seconds, const int *stop,
                      int *ended, char *line, int *status) {
  lbp_p_bridge_job *job = lbp_p_bridge_job_of(handle);
  *line = '\0';
  *ended = 1;
  *status = job ? LBP_OK : LBP_E_NULL;
  if (job && !job->thread.running) *status = lbp_p_bridge_begin_job(job, driver);
  if (*status != LBP_OK) return;
  *ended = lbp_p_bridge_await(job, *seconds, *stop);
  lbp_thread_lock(&job->thread);
  snprintf(line, LBP_OPTION_TEXT, "%s", job->line);
  lbp_thread_unlock(&job->thread);
  if (!*ended) return;
  lbp_p_bridge_end_job(job);
  *status = job->status;
}

void lbp_bridge_c_get(const unsigned char *handle, const char *name, const int *room, int *whole, int *dims, int *shape,
                      void *data, int *status) {
  lbp_bridge_sampler *s = lbp_p_bridge_sampler_of(handle);
  lbp_bridge_array array;
  size_t items, k;
  *status = lbp_bridge_get(s, name, &array);
  if (*status != LBP_OK) return;
  items = lbp_p_bridge_items(&array);
  *whole = array.type == LBP_BRIDGE_UINT8 || array.type == LBP_BRIDGE_UINT16 || array.type == LBP_BRIDGE_INT32;
  *dims = (int)array.dims;
  if (items > INT_MAX) {
    *status = lbp_p_bridge_say(s->message, LBP_E_SIZE, "%.60s: more than 2^31 - 1 numbers", name);
    return;
  }
  for (k = 0; k < array.dims; k++) shape[k] = (int)array.shape[k];
  for (k = 0; *room >= 0 && items <= (size_t)*room && k < items; k++) {
    if (*whole) ((int *)data)[k] = (int)lbp_p_bridge_number(&array, k);
    else ((double *)data)[k] = lbp_p_bridge_number(&array, k);
  }
}

void lbp_bridge_c_step(const unsigned char *handle, const double *key, const int *steps, const double *seconds,
                       const int *stop, int *ended, int *x, double *info, int *status) {
  lbp_p_bridge_job *job = lbp_p_bridge_job_of(handle);
  const uint32_t n = job ? job->sampler->model->n : 0;
  uint32_t k;
  *ended = 1;
  *status = job ? LBP_OK : LBP_E_NULL;
  if (job && !job->thread.running) {
    job->seed = (uint64_t)key[0] << 32 | (uint64_t)key[1];
    job->steps = *steps > 0 ? (uint32_t)*steps : 0;
    job->state = lbp_p_bridge_state(job->sampler, x, status);
    if (job->state && (uint64_t)job->steps * n > LBP_P_BRIDGE_LONG) *status = lbp_p_bridge_begin_thread(job);
    else if (job->state) lbp_p_bridge_work(job);
  }
  if (job && job->thread.running) {
    *ended = lbp_p_bridge_await(job, *seconds, *stop);
    if (!*ended) return;
    lbp_p_bridge_end_job(job);
  }
  if (!job || !job->state) return;
  if (*status == LBP_OK) *status = job->status;
  for (k = 0; *status == LBP_OK && k < n; k++) {
    x[k] = (int)lbp_item(job->state, job->sampler->model->kernel.item_bytes, k);
  }
  memcpy(info, job->info, sizeof job->info);
  free(job->state);
  job->state = NULL;
}

void lbp_bridge_c_logp(const unsigned char *handle, const int *x, double *logp, int *status) {
  lbp_bridge_sampler *s = lbp_p_bridge_sampler_of(handle);
  void *state = s ? lbp_p_bridge_state(s, x, status) : NULL;
  if (!s) *status = LBP_E_NULL;
  if (!state) return;
  *status = lbp_bridge_logp(s, state, logp);
  free(state);
}

#ifdef __cplusplus
}
#endif

#endif /* LBP_P_BRIDGE_NAME */
