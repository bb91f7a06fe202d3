/* lbp/run/json.h - the files of a run besides its draws: options, tuned parameters, best states; and reading the tuned
 * parameters of an earlier run. Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it; you call nothing in it.
 *
 *   PREFIX_config.json     the model's name, sampler, versions of library and compiler, threads, times, and all options
 *                          by their names
 *   PREFIX_metric.json     the parameter (R, sigma, s or time) and shift of every chain, the ladder, and each tuner as
 *                          numbers, all of which run->metric reads
 *   PREFIX_best.csv, .npy  the best states
 *
 * If a run is killed, each of these files is complete, or as it was before the run wrote it.
 *
 * Order of this file: writing JSON; options; tuned parameters; reading JSON; the tuned parameters of an earlier run;
 * best states.
 */

#ifndef LBP_RUN_JSON_H
#define LBP_RUN_JSON_H

#include "files.h"
#include "options.h"

LBP_EXACT_BEGIN

/* ---- JSON written ------------------------------------------------------------------------------------------------ */

/* Length of the UTF-8 sequence there, 1 to 4; 0: none, a stray byte, one too long, a surrogate, or above U+10FFFF. */
LBP_COLD uint32_t lbp_p_utf8_length(const char *at) {
  const unsigned char *byte = (const unsigned char *)at;
  const unsigned char first = byte[0];
  const uint32_t most = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const uint32_t length = first < 0x80 ? 1 : first < 0xc2 || first > 0xf4 ? 0 : most;
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80; /* of the second byte */
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  uint32_t k;
  if (length > 1 && (byte[1] < low || byte[1] > high)) return 0;
  for (k = 2; k < length; k++) {
    if (byte[k] < 0x80 || byte[k] > 0xbf) return 0;
  }
  return length;
}

LBP_COLD int lbp_runner_is_utf8(const char *text) {
  uint32_t length = 1;
  while (*text && length > 0) {
    length = lbp_p_utf8_length(text);
    text += length;
  }
  return length > 0;
}

/* A string, or null. Bytes of a path that are not UTF-8 are written as Python reads them back (os.fsencode): U+DC00 and
 * the byte. */
LBP_COLD void lbp_p_json_string(lbp_runner *r, const char *string) {
  if (!string) {
    lbp_runner_text(r, "null");
    return;
  }
  lbp_runner_text(r, "\"");
  while (*string) {
    const unsigned char c = (unsigned char)*string;
    const uint32_t length = lbp_p_utf8_length(string);
    if (length == 0) lbp_runner_text(r, "\\udc%02x", (unsigned)c);
    else if (c < 32 || c == 127) lbp_runner_text(r, "\\u%04x", (unsigned)c);
    else lbp_runner_text(r, c == '"' || c == '\\' ? "\\%.*s" : "%.*s", (int)length, string);
    string += length > 0 ? length : 1;
  }
  lbp_runner_text(r, "\"");
}

/* A number that reads back the same; null if it is none. */
LBP_COLD void lbp_p_json_number(lbp_runner *r, double v) {
  char text[32];
  lbp_runner_text(r, "%s", lbp_is_finite(v) ? lbp_runner_print_real(v, text) : "null");
}

LBP_COLD void lbp_p_json_numbers(lbp_runner *r, const double *v, size_t count) {
  size_t k;
  lbp_runner_text(r, "[");
  for (k = 0; k < count; k++) {
    if (k > 0) lbp_runner_text(r, ", ");
    lbp_p_json_number(r, v[k]);
  }
  lbp_runner_text(r, "]");
}

/* A member's name, on a new line, so far in. */
LBP_COLD void lbp_p_json_name(lbp_runner *r, int depth, const char *name) {
  const char *behind = r->text_length > 0 && r->text[r->text_length - 1] != '{' ? "," : "";
  lbp_runner_text(r, "%s\n%*s\"%s\": ", behind, 2 * depth, "", name);
}

LBP_COLD void lbp_p_json_text(lbp_runner *r, int depth, const char *name, const char *string) {
  lbp_p_json_name(r, depth, name);
  lbp_p_json_string(r, string);
}

LBP_COLD void lbp_p_json_real(lbp_runner *r, int depth, const char *name, double v) {
  lbp_p_json_name(r, depth, name);
  lbp_p_json_number(r, v);
}

LBP_COLD void lbp_p_json_flag(lbp_runner *r, int depth, const char *name, int v) {
  lbp_p_json_name(r, depth, name);
  lbp_runner_text(r, v ? "true" : "false");
}

/* The version as text. */
enum { LBP_P_VERSION_TEXT = 32 };
LBP_COLD const char *lbp_p_json_version(char *text) {
  snprintf(text, LBP_P_VERSION_TEXT, "%d.%d.%d", LBP_VERSION / 10000, LBP_VERSION / 100 % 100, LBP_VERSION % 100);
  return text;
}

/* Writes the beginning of both files. */
LBP_COLD void lbp_p_json_begin(lbp_runner *r) {
  char version[LBP_P_VERSION_TEXT];
  const lbp_sampler *sampler = r->c.plan.sampler;
  r->text_length = 0;
  lbp_runner_text(r, "{");
  lbp_p_json_text(r, 1, "lbp_version", lbp_p_json_version(version));
  lbp_p_json_text(r, 1, "model_name", r->run->name);
  lbp_p_json_text(r, 1, "sampler", sampler->algorithm);
  lbp_p_json_real(r, 1, "n", r->n);
  lbp_p_json_real(r, 1, "values", r->c.plan.values);
  lbp_p_json_real(r, 1, "lbp_weight", r->c.kernel->weight);
  lbp_p_json_real(r, 1, "lbp_real_bytes", r->c.kernel->real_bytes);
  lbp_p_json_real(r, 1, "lbp_clock", sampler->traits & LBP_TRAIT_TIME ? r->c.kernel->clock : 0);
}

/* The end of one, which goes to the disk. */
LBP_COLD int lbp_p_json_finish(lbp_runner *r, const char *name) {
  lbp_runner_text(r, "\n}\n");
  return lbp_runner_write_whole(r, r->run->prefix, name, r->text, r->text_length);
}

/* ---- the options ------------------------------------------------------------------------------------------------- */

/* A time as ISO 8601 has it, UTC; null for 0. */
LBP_COLD void lbp_p_json_time(lbp_runner *r, const char *name, time_t at) {
  struct tm parts;
  char text[32];
  const int is_known = at > 0 && lbp_time_parts(at, &parts);
  const int known = is_known && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0;
  lbp_p_json_text(r, 1, name, known ? text : NULL);
}

/* One that the table of names has. */
LBP_COLD void lbp_p_json_option(lbp_runner *r, const lbp_run_option *option) {
  const void *from = (const unsigned char *)r->run + option->at;
  char text[LBP_OPTION_TEXT];
  lbp_p_json_name(r, 2, option->name);
  lbp_run_get(r->run, r->c.kernel, option, text);
  switch (option->kind) {
    case LBP_OPTION_REAL: lbp_p_json_number(r, *(const double *)from); break;
    case LBP_OPTION_STRING: lbp_p_json_string(r, *(const char *const *)from); break;
    case LBP_OPTION_CHOICE:
    case LBP_OPTION_SAMPLER: lbp_p_json_string(r, text); break;
    default: lbp_runner_text(r, "%s", text);
  }
}

/* All of them, then those that are arrays or functions. */
LBP_COLD void lbp_p_json_options(lbp_runner *r) {
  const lbp_run *run = r->run;
  const lbp_run_option *option;
  uint32_t k, count = 0;
  lbp_p_json_name(r, 1, "options");
  lbp_runner_text(r, "{");
  for (k = 0; (option = lbp_run_option_at(k)) != NULL; k++) lbp_p_json_option(r, option);
  lbp_p_json_name(r, 2, "tempering.ladder");
  if (run->tempering.ladder) lbp_p_json_numbers(r, run->tempering.ladder, run->tempering.rungs);
  else lbp_runner_text(r, "null");
  lbp_p_json_name(r, 2, "clamp");
  lbp_runner_text(r, run->clamp ? "[" : "null");
  for (k = 0; run->clamp && k < r->n; k++) {
    if (run->clamp[k]) lbp_runner_text(r, "%s%lu", count++ > 0 ? ", " : "", (unsigned long)k);
  }
  if (run->clamp) lbp_runner_text(r, "]");
  lbp_p_json_name(r, 2, "column");
  lbp_runner_text(r, "[");
  for (k = 0; k < run->columns; k++) lbp_runner_text(r, "%s\"%.200s\"", k > 0 ? ", " : "", run->column[k].name);
  lbp_runner_text(r, "]");
  lbp_p_json_flag(r, 2, "curvature", run->curvature != NULL);
  lbp_p_json_flag(r, 2, "start", run->start != NULL);
  lbp_p_json_flag(r, 2, "stop", run->stop != NULL);
  lbp_p_json_flag(r, 2, "on_draw", run->on_draw != NULL);
  lbp_runner_text(r, "\n  }");
}

/* Writes the compiler, threads and processes. */
LBP_COLD void lbp_p_json_build(lbp_runner *r) {
  int threads = 1, openmp = 0;
#if defined __clang__
  lbp_p_json_text(r, 1, "compiler", "clang: " __VERSION__);
#elif defined __GNUC__
  lbp_p_json_text(r, 1, "compiler", "gcc: " __VERSION__);
#else
  lbp_p_json_text(r, 1, "compiler", NULL);
#endif
#if defined _OPENMP
  threads = omp_get_max_threads();
  openmp = 1;
#endif
  lbp_p_json_flag(r, 1, "openmp", openmp);
  lbp_p_json_real(r, 1, "threads", threads);
  lbp_p_json_flag(r, 1, "mpi", LBP_RUN_MPI);
  lbp_p_json_real(r, 1, "processes", r->ranks);
}

/* Writes PREFIX_config.json, if there are files of draws: where draws begin, and, `ended`, at the end of this call. */
LBP_COLD int lbp_runner_write_config(lbp_runner *r, int ended) {
  static const char *const why[] = {"complete", "converged", "out of time", "stopped"};
  if (r->rank > 0 || !r->run->prefix || !lbp_runner_is_warm(r) || r->result->status != LBP_OK) return r->result->status;
  lbp_p_json_begin(r);
  lbp_p_json_text(r, 1, "method", "sample");
  lbp_p_json_time(r, "start_datetime", r->clock);
  lbp_p_json_time(r, "end_datetime", ended ? time(NULL) : 0);
  lbp_p_json_text(r, 1, "ended", ended ? why[r->result->ended] : NULL);
  lbp_p_json_flag(r, 1, "resumed", r->result->resumed);
  lbp_p_json_real(r, 1, "draws", (double)lbp_runner_drawn(r));
  lbp_p_json_real(r, 1, "seconds", lbp_runner_seconds(r));
  lbp_p_json_build(r);
  lbp_p_json_options(r);
  return lbp_p_json_finish(r, "config.json");
}

/* ---- tuned settings ---------------------------------------------------------------------------------------------- */

/* A hash of numbers, the same on any machine. */
LBP_COLD uint64_t lbp_p_metric_hash(uint64_t hash, const double *v, size_t count) {
  size_t k;
  for (k = 0; k < count; k++) hash = (hash ^ lbp_runner_bits(v[k])) * LBP_P_PRIME;
  return hash;
}

/* A hash as text: JSON's numbers are doubles to many. */
enum { LBP_P_HASH_TEXT = 20 };
LBP_COLD const char *lbp_p_metric_digits(uint64_t hash, char *text) {
  snprintf(text, LBP_P_HASH_TEXT, "%016llx", (unsigned long long)hash);
  return text;
}

/* Returns the hash of the given curvature as text; NULL: there is none. */
LBP_COLD const char *lbp_p_metric_curvature(const lbp_runner *r, char *text) {
  const void *given = r->c.plan.curvature;
  return given ? lbp_p_metric_digits(r->c.kernel->curvature_print(given), text) : NULL;
}

/* Returns the number of tuners in a file: one a unit, or one a rung if they are shared. */
LBP_COLD uint32_t lbp_p_metric_count(const lbp_runner *r) { return r->run->shared_tuner ? r->rungs : r->units; }

/* Entry u, of a tuner with these settings and words. */
LBP_COLD void lbp_p_metric_entry(lbp_runner *r, uint32_t u, const double *setting, const double *words) {
  const double fixed = r->c.plan.setting[0];
  lbp_runner_text(r, "%s\n    {\"id\": %lu, \"rung\": %lu, \"stepsize\": ", u > 0 ? "," : "",
                  (unsigned long)(u / r->rungs) + 1, (unsigned long)(u % r->rungs) + 1);
  lbp_p_json_number(r, fixed > 0 ? fixed : setting[0]);
  lbp_runner_text(r, ", \"metric_type\": \"unit_e\", \"setting\": ");
  lbp_p_json_numbers(r, setting, LBP_SETTINGS);
  lbp_runner_text(r, ", \"tuner\": ");
  lbp_p_json_numbers(r, words, r->tuner_words);
  lbp_runner_text(r, "}");
}

/* Whether the ladder is more than inverse temperature 1. */
LBP_FN int lbp_p_metric_tempers(const lbp_runner *r) { return r->rungs > 1 || r->ladder[0] != 1; }

/* Writes PREFIX_metric.json, at the end of the warm-up. All processes call it. */
LBP_COLD int lbp_runner_write_metric(lbp_runner *r) {
  const double fixed = r->c.plan.setting[0];
  double *words;
  uint64_t hash = lbp_p_metric_hash(LBP_P_HASH, &fixed, 1);
  char text[LBP_P_HASH_TEXT];
  uint32_t u;
  int owner = 0;
  if (!r->run->prefix) return r->result->status;
  words = (double *)lbp_runner_alloc(r, lbp_size_plus(r->tuner_words, LBP_SETTINGS), sizeof *words);
  if (lbp_runner_agree(r) != LBP_OK) return free(words), r->result->status;
  lbp_p_json_begin(r);
  lbp_p_json_text(r, 1, "parameter_name", r->c.plan.sampler->parameter_name);
  lbp_p_json_text(r, 1, "curvature", lbp_p_metric_curvature(r, text));
  lbp_p_json_flag(r, 1, "shared_tuner", r->run->shared_tuner);
  lbp_p_json_real(r, 1, "rungs", r->rungs);
  lbp_p_json_name(r, 1, "ladder");
  if (lbp_p_metric_tempers(r)) lbp_p_json_numbers(r, r->ladder, r->rungs);
  else lbp_runner_text(r, "null");
  if (lbp_p_metric_tempers(r)) hash = lbp_p_metric_hash(hash, r->ladder, r->rungs);
  lbp_p_json_real(r, 1, "fixed", fixed > 0 ? fixed : (double)NAN);
  lbp_p_json_name(r, 1, "chains");
  lbp_runner_text(r, "[");
  for (u = 0; u < lbp_p_metric_count(r); u++) { /* one at a time: a curvature is large */
    double *setting = words + r->tuner_words;
    while (!r->run->shared_tuner && lbp_runner_first(r, owner + 1) <= u) owner++;
    memset(words, 0, (r->tuner_words + LBP_SETTINGS) * sizeof *words);
    if (r->rank == owner) {
      void *tuner = lbp_chains_tuner_at(&r->c, r->run->shared_tuner ? u : u - r->c.first);
      r->c.kernel->tuner_save(tuner, words);
      r->c.kernel->tuner_setting(tuner, setting);
    }
    lbp_runner_pass(r, owner, 0, words, (r->tuner_words + LBP_SETTINGS) * sizeof *words);
    if (r->rank > 0) continue;
    lbp_p_metric_entry(r, u, setting, words);
    hash = lbp_p_metric_hash(hash, words, r->tuner_words);
  }
  free(words);
  lbp_runner_text(r, "\n  ]");
  lbp_p_json_text(r, 1, "checksum", lbp_p_metric_digits(hash, text));
  if (r->rank == 0) lbp_p_json_finish(r, "metric.json");
  return lbp_runner_agree(r);
}

/* ---- JSON read --------------------------------------------------------------------------------------------------- */

/* The functions below read text that ends with a zero byte, by pointers to its values; NULL: there is no such value. */

LBP_COLD const char *lbp_p_json_space(const char *at) { return at + strspn(at, " \t\r\n"); }

/* Behind a string. */
LBP_COLD const char *lbp_p_json_string_end(const char *at) {
  for (at++; *at && *at != '"'; at++) at += *at == '\\' && at[1] ? 1 : 0;
  return *at ? at + 1 : NULL;
}

/* Behind a value; NULL if it does not end, or is more than so many deep. */
enum { LBP_P_JSON_DEPTH = 32 };
LBP_COLD const char *lbp_p_json_end(const char *at) {
  char open[LBP_P_JSON_DEPTH];
  uint32_t depth = 0;
  if (*at == '"') return lbp_p_json_string_end(at);
  if (*at != '{' && *at != '[') {
    const size_t length = strcspn(at, ",:[]{}\" \t\r\n");
    return length > 0 ? at + length : NULL;
  }
  do {
    at += strcspn(at, "\"[]{}");
    if (*at == '"') {
      at = lbp_p_json_string_end(at);
      if (!at) return NULL;
    } else if (*at == '[' || *at == '{') {
      if (depth == LBP_P_JSON_DEPTH) return NULL;
      open[depth++] = *at++;
    } else {
      if (*at != (open[depth - 1] == '[' ? ']' : '}')) return NULL;
      depth--;
      at++;
    }
  } while (depth > 0);
  return at;
}

/* The first value of an array, or name of an object; the next one behind a value. */
LBP_COLD const char *lbp_p_json_first(const char *at) {
  at = lbp_p_json_space(at + 1);
  return *at == ']' || *at == '}' ? NULL : at;
}
LBP_COLD const char *lbp_p_json_next(const char *at) {
  at = lbp_p_json_end(at);
  if (!at) return NULL;
  at = lbp_p_json_space(at);
  return *at == ',' ? lbp_p_json_space(at + 1) : NULL;
}

/* Whether a value is this string, which has nothing to escape. */
LBP_COLD int lbp_p_json_is(const char *at, const char *string) {
  const size_t length = strlen(string);
  return at && *at == '"' && strncmp(at + 1, string, length) == 0 && at[length + 1] == '"';
}

/* An object's value of that name. */
LBP_COLD const char *lbp_p_json_find(const char *object, const char *name) {
  const char *at = object && *object == '{' ? lbp_p_json_first(object) : NULL;
  while (at && *at == '"') {
    const int found = lbp_p_json_is(at, name);
    at = lbp_p_json_string_end(at);
    if (at) at = lbp_p_json_space(at);
    if (!at || *at != ':') return NULL;
    at = lbp_p_json_space(at + 1);
    if (found) return at;
    at = lbp_p_json_next(at);
  }
  return NULL;
}

/* A finite number; returns whether it is one. */
LBP_COLD int lbp_p_json_get(const char *at, double *v) {
  const char *end = at ? lbp_p_json_end(at) : NULL;
  char text[64];
  if (!end || end - at >= (ptrdiff_t)sizeof text) return 0;
  memcpy(text, at, (size_t)(end - at));
  text[end - at] = '\0';
  return lbp_runner_read_real(text, v);
}

/* Whether an array has just so many numbers, which come to v. */
LBP_COLD int lbp_p_json_get_all(const char *array, double *v, size_t count) {
  const char *at = array && *array == '[' ? lbp_p_json_first(array) : NULL;
  size_t k;
  for (k = 0; at && k < count && lbp_p_json_get(at, &v[k]); k++) at = lbp_p_json_next(at);
  return k == count && !at;
}

/* ---- reading tuned settings -------------------------------------------------------------------------------------- */

LBP_COLD int lbp_p_metric_refuse(lbp_runner *r, const char *why) {
  return lbp_runner_fail(r->result, LBP_E_FORMAT, "the metric %.200s %s", r->run->metric, why);
}

/* The file's text, in the first process; the number of its bytes. */
LBP_COLD char *lbp_p_metric_load(lbp_runner *r, uint64_t *size) {
  const char *path = r->run->metric;
  const int file = lbp_runner_open_input(r, "cannot read the metric", path, 1);
  char *text = NULL;
  lbp_file_info info;
  size_t done = 0;
  *size = 0;
  if (file >= 0 && lbp_file_describe(file, &info) != 0) {
    lbp_runner_file_error(r, "cannot read the metric", path);
  } else if (file >= 0) {
    text = (char *)lbp_runner_alloc(r, (size_t)info.bytes, 1);
    while (text && done < (size_t)info.bytes) {
      const int64_t part = lbp_file_read(file, text + done, (size_t)info.bytes - done);
      if (part < 0) lbp_runner_file_error(r, "cannot read the metric", path);
      if (part <= 0) break;
      done += (size_t)part;
    }
    *size = done;
  }
  if (file >= 0) lbp_file_close(file);
  return text;
}

/* The same in all processes; NULL, and the status, if it can't be read. */
LBP_COLD char *lbp_p_metric_text(lbp_runner *r) {
  uint64_t size = 0;
  char *text = r->rank == 0 ? lbp_p_metric_load(r, &size) : NULL;
  lbp_runner_tell(r, &size, sizeof size);
  if (r->rank > 0) text = (char *)lbp_runner_alloc(r, (size_t)size, 1);
  if (lbp_runner_agree(r) == LBP_OK) {
    const char *end;
    lbp_runner_tell(r, text, (size_t)size);
    end = *lbp_p_json_space(text) == '{' ? lbp_p_json_end(lbp_p_json_space(text)) : NULL;
    if (!end || (uint64_t)(lbp_p_json_space(end) - text) != size) {
      lbp_p_metric_refuse(r, "is truncated or not JSON: give a PREFIX_metric.json of an earlier run");
    }
  }
  if (r->result->status == LBP_OK) return text;
  free(text);
  return NULL;
}

/* Whether the file is of a run like this one. */
LBP_COLD int lbp_p_metric_judge(lbp_runner *r, const char *object) {
  static const char *const name[] = {"n", "values", "lbp_weight", "lbp_real_bytes", "lbp_clock", "rungs"};
  const lbp_sampler *sampler = r->c.plan.sampler;
  double want[6], got;
  char text[LBP_P_VERSION_TEXT], why[160];
  const char *curvature = lbp_p_metric_curvature(r, text);
  uint32_t k;
  want[0] = r->n, want[1] = r->c.plan.values, want[2] = r->c.kernel->weight, want[3] = r->c.kernel->real_bytes;
  want[4] = sampler->traits & LBP_TRAIT_TIME ? r->c.kernel->clock : 0, want[5] = r->rungs;
  if (!lbp_p_json_find(object, "checksum") || !lbp_p_json_find(object, "chains")) {
    return lbp_p_metric_refuse(r, "has no tuned settings: give a PREFIX_metric.json of an earlier run");
  }
  if (!lbp_p_json_is(lbp_p_json_find(object, "sampler"), sampler->algorithm)) {
    snprintf(why, sizeof why, "is not of the sampler %s: give one of a run with that", sampler->algorithm);
    return lbp_p_metric_refuse(r, why);
  }
  for (k = 0; k < 6; k++) {
    if (lbp_p_json_get(lbp_p_json_find(object, name[k]), &got) && got == want[k]) continue;
    snprintf(why, sizeof why, "is of another run: its %s is not %g; give one of a run like this", name[k], want[k]);
    return lbp_p_metric_refuse(r, why);
  }
  if (curvature ? !lbp_p_json_is(lbp_p_json_find(object, "curvature"), curvature)
                : !lbp_p_json_find(object, "curvature") || *lbp_p_json_find(object, "curvature") != 'n') {
    return lbp_p_metric_refuse(r, "is of a run with another curvature, or none: give that curvature, or another "
                               "metric");
  }
  if (!lbp_p_json_is(lbp_p_json_find(object, "lbp_version"), lbp_p_json_version(text))) {
    return lbp_p_metric_refuse(r, "was written by another version of lbp, whose tuners differ: tune again");
  }
  return LBP_OK;
}

/* Takes the parameter that the file's run was given, and its ladder, unless this run has its own. */
LBP_COLD int lbp_p_metric_take_fixed(lbp_runner *r, const char *object, uint64_t *sum) {
  const lbp_sampler *sampler = r->c.plan.sampler;
  const double most = sampler->traits & LBP_TRAIT_PATH ? LBP_MAX_SITES : r->n - r->c.plan.clamped;
  const char *at = lbp_p_json_find(object, "ladder");
  double *ladder = (double *)lbp_runner_alloc(r, r->rungs, sizeof *ladder), fixed = 0;
  const char *why;
  char said[160];
  int has;
  if (!ladder) return r->result->status;
  lbp_p_json_get(lbp_p_json_find(object, "fixed"), &fixed);
  *sum = lbp_p_metric_hash(*sum, &fixed, 1);
  has = r->rungs > 1 || (at && *at == '[');
  if (has && !lbp_p_json_get_all(at, ladder, r->rungs)) lbp_p_metric_refuse(r, "is damaged: its ladder");
  if (has) *sum = lbp_p_metric_hash(*sum, ladder, r->rungs);
  if (r->rungs == 1 && has && !r->run->tempering.ladder) {
    snprintf(said, sizeof said, "is of a run at inverse temperature %g: set tempering.ladder to this, or to 1",
             ladder[0]);
    lbp_p_metric_refuse(r, said);
  }
  if (r->c.plan.setting[0] == 0 && fixed > 0) {
    if ((sampler->traits & LBP_TRAIT_SITES) && fixed > most) {
      lbp_p_metric_refuse(r, "has an R above the number of sites that are not clamped: give parameter");
    }
    r->c.plan.setting[0] = fixed;
    r->metric = lbp_p_metric_hash(r->metric, &fixed, 1);
    why = r->c.kernel->judge ? r->c.kernel->judge(&r->c.plan, lbp_runner_tempers(r->run)) : NULL;
    if (why) {
      snprintf(said, sizeof said, "has a setting that this run rejects: %s", why);
      lbp_p_metric_refuse(r, said);
    }
  }
  if (r->rungs > 1 && !r->run->tempering.ladder) {
    memcpy(r->ladder, ladder, r->rungs * sizeof *ladder);
    r->metric = lbp_p_metric_hash(r->metric, ladder, r->rungs);
  }
  free(ladder);
  return r->result->status;
}

/* Entry e of `count`, with these words, to all tuners that take it; `scratch` is one more. Checkpoints compare the
 * tuners of this run after that, so a metric file that this run wrote itself is accepted, too. */
LBP_COLD void lbp_p_metric_give(lbp_runner *r, uint32_t e, uint32_t count, double *words, void *scratch) {
  const uint32_t first = r->run->shared_tuner ? 0 : r->c.first % count, needed = lbp_p_metric_count(r);
  uint32_t t;
  uint64_t u;
  for (t = (e + count - first) % count; t < r->c.tuners; t += count) {
    r->c.kernel->tuner_load(lbp_chains_tuner_at(&r->c, t), words);
    if (r->c.tuners - t <= count) break;
  }
  r->c.kernel->tuner_load(scratch, words);
  memset(words, 0, r->tuner_words * sizeof *words);
  r->c.kernel->tuner_save(scratch, words);
  for (u = e; u < needed; u += count) {
    r->metric += lbp_p_metric_hash((LBP_P_HASH ^ u) * LBP_P_PRIME, words, r->tuner_words); /* in any order */
  }
}

/* Whether entry e agrees with its tuner, which has been loaded; `fixed`: the parameter of the file's run; `first`: the
 * tuner's first number, R of samplers that have one: in this run, where fewer sites may move, R may be less. */
LBP_COLD int lbp_p_metric_agrees(lbp_runner *r, const char *entry, uint32_t e, double fixed, double first,
                                 const void *tuner) {
  double setting[LBP_SETTINGS] = {0}, told[LBP_SETTINGS], id, rung, step;
  uint32_t k;
  r->c.kernel->tuner_setting(tuner, setting);
  if ((r->c.plan.sampler->traits & LBP_TRAIT_SITES) && setting[0] < first) setting[0] = first;
  if (!lbp_p_json_get(lbp_p_json_find(entry, "id"), &id) || id != e / r->rungs + 1.0) return 0;
  if (!lbp_p_json_get(lbp_p_json_find(entry, "rung"), &rung) || rung != e % r->rungs + 1.0) return 0;
  if (!lbp_p_json_get(lbp_p_json_find(entry, "stepsize"), &step)) return 0;
  if (step != (fixed > 0 ? fixed : setting[0])) return 0;
  if (!lbp_p_json_get_all(lbp_p_json_find(entry, "setting"), told, LBP_SETTINGS)) return 0;
  for (k = 0; k < LBP_SETTINGS && told[k] == setting[k]; k++) continue;
  return k == LBP_SETTINGS;
}

/* All entries. */
LBP_COLD int lbp_p_metric_take(lbp_runner *r, const char *object, uint64_t sum) {
  const char *chains = lbp_p_json_find(object, "chains"), *at;
  double *words = (double *)lbp_runner_alloc(r, r->tuner_words, sizeof *words);
  void *scratch = lbp_runner_alloc(r, 1, r->c.tuner_bytes);
  char text[LBP_P_HASH_TEXT], why[160];
  double fixed = 0, first;
  uint32_t e = 0, count = 0;
  int agrees = 1;
  lbp_p_json_get(lbp_p_json_find(object, "fixed"), &fixed);
  if (*chains != '[') chains = "[]";
  for (at = lbp_p_json_first(chains); at && count < LBP_MAX_SITES; at = lbp_p_json_next(at)) count++;
  if (count == 0 || at || count % r->rungs != 0) lbp_p_metric_refuse(r, "is damaged: a rung has no tuner");
  if (scratch && r->result->status == LBP_OK) r->c.kernel->tuner_init(scratch, &r->c.plan);
  for (at = lbp_p_json_first(chains); at && r->result->status == LBP_OK; at = lbp_p_json_next(at)) {
    if (!lbp_p_json_get_all(lbp_p_json_find(at, "tuner"), words, r->tuner_words)) {
      snprintf(why, sizeof why, "lacks, for tuner %lu, some of its %lu finite numbers: restore it, or tune again",
               (unsigned long)e + 1, (unsigned long)r->tuner_words);
      lbp_p_metric_refuse(r, why);
      break;
    }
    sum = lbp_p_metric_hash(sum, words, r->tuner_words);
    first = r->tuner_words > 0 ? words[0] : 0;
    lbp_p_metric_give(r, e, count, words, scratch);
    agrees &= lbp_p_metric_agrees(r, at, e++, fixed, first, scratch);
  }
  if (!agrees || !lbp_p_json_is(lbp_p_json_find(object, "checksum"), lbp_p_metric_digits(sum, text))) {
    lbp_p_metric_refuse(r, "is damaged, or was edited: restore it; to change parameter or ladder, set these options");
  }
  free(words);
  free(scratch);
  return r->result->status;
}

/* Tuners and the ladder become those of run->metric. All processes call it. */
LBP_COLD int lbp_runner_read_metric(lbp_runner *r) {
  char *text = lbp_p_metric_text(r);
  const char *object = text ? lbp_p_json_space(text) : NULL;
  uint64_t sum = LBP_P_HASH;
  r->metric = LBP_P_HASH;
  if (object && lbp_p_metric_judge(r, object) == LBP_OK && lbp_p_metric_take_fixed(r, object, &sum) == LBP_OK &&
      lbp_p_metric_take(r, object, sum) == LBP_OK) {
    lbp_runner_set_betas(r);
    lbp_runner_forget_all(r);
  }
  free(text);
  return lbp_runner_agree(r);
}

/* ---- best states ------------------------------------------------------------------------------------------------- */

/* How many reads found each best state: 0 for a state that is already in the list above. */
LBP_COLD void lbp_runner_count_hits(lbp_runner *r) {
  lbp_run_result *result = r->result;
  const size_t bytes = (size_t)r->n * r->item;
  uint64_t *hash = (uint64_t *)lbp_runner_alloc(r, result->chains, sizeof *hash);
  uint32_t k, other, first = 0;
  for (k = 0; hash && k < result->chains; k++) {
    hash[k] = lbp_runner_hash(LBP_P_HASH, result->best + k * bytes, bytes);
    if (k > 0 && result->best_logp[k] < result->best_logp[k - 1]) first = k;
    for (other = first; other < k; other++) {
      if (hash[other] == hash[k] && memcmp(result->best + other * bytes, result->best + k * bytes, bytes) == 0) break;
    }
    result->hits[other]++;
    result->different += other == k;
  }
  free(hash);
}

/* Whether a run with this prefix writes, or locks, a file of this name: not one that is called as the prefix. */
LBP_COLD int lbp_p_run_takes(const char *prefix, const char *path) {
  static const char *const names[] = {".lock", "_config.json", "_metric.json", "_best.csv", "_best.npy"};
  const size_t length = strlen(prefix);
  size_t k, digits;
  if (strncmp(path, prefix, length) != 0) return 0;
  path += length;
  for (k = 0; k < sizeof names / sizeof *names; k++) {
    if (strcmp(path, names[k]) == 0) return 1;
  }
  if (*path != '_') return 0;
  digits = strspn(path + 1, "0123456789");
  path += 1 + digits;
  return digits > 0 && (strcmp(path, ".csv") == 0 || strcmp(path, "_states.npy") == 0);
}

/* LBP_OK, or the fault in the names of files, or in how many best states go to one. */
LBP_COLD int lbp_runner_judge_files(const lbp_run *run, lbp_run_result *result) {
  const char *prefix = run->prefix, *checkpoint = run->checkpoint;
  LBP_P_WANT(!prefix || strlen(prefix) < LBP_P_PATH - 64, "prefix: up to %d characters", LBP_P_PATH - 64);
  LBP_P_WANT(!checkpoint || strlen(checkpoint) < LBP_P_PATH - 64, "checkpoint: a path of up to %d characters",
             LBP_P_PATH - 64);
  LBP_P_WANT(!prefix || *prefix, "prefix: it is empty; without files it is NULL");
  LBP_P_WANT(!checkpoint || *checkpoint, "checkpoint: it is empty; without one it is NULL");
  LBP_P_WANT(!prefix || !checkpoint || !lbp_p_run_takes(prefix, checkpoint), "checkpoint: %s is a file of prefix %s: "
             "give it another name", checkpoint, prefix);
  LBP_P_WANT(run->best_states <= run->chains, "best_states: up to %lu, the number of chains, each of which keeps its "
             "best state, not %lu", (unsigned long)run->chains, (unsigned long)run->best_states);
  LBP_P_WANT(run->best_states == 0 || prefix, "best_states: set prefix, with which the files' names begin");
  return LBP_OK;
}

/* Writes the best states that differ from each other, as result.best has them: PREFIX_best.npy and PREFIX_best.csv. */
LBP_COLD int lbp_runner_write_best(lbp_runner *r, const lbp_run *given) {
  lbp_run_result *result = r->result;
  const size_t bytes = (size_t)r->n * r->item;
  char *npy, number[32];
  uint32_t k, rows = 0;
  if (given->best_states == 0 || result->status != LBP_OK) return result->status;
  if (!result->hits) {
    result->hits = (uint32_t *)lbp_runner_alloc(r, result->chains, sizeof *result->hits);
    if (result->hits) lbp_runner_count_hits(r);
  }
  npy = (char *)lbp_runner_alloc(r, lbp_size_plus(128, lbp_size_times(given->best_states, r->packed)), 1);
  r->text_length = 0;
  lbp_runner_text(r, "rank,lp__,hits\n");
  for (k = 0; result->status == LBP_OK && k < result->chains && rows < given->best_states; k++) {
    if (result->hits[k] == 0 || !(result->best_logp[k] > -lbp_infinity())) continue;
    lbp_runner_pack(r, result->best + k * bytes, (uint8_t *)npy + 128 + rows * r->packed);
    lbp_runner_text(r, "%lu,%s,%lu\n", (unsigned long)++rows, lbp_runner_print_real(result->best_logp[k], number),
                    (unsigned long)result->hits[k]);
  }
  if (npy) lbp_runner_npy_head(r, npy, rows);
  lbp_runner_write_whole(r, given->prefix, "best.npy", npy, 128 + rows * r->packed);
  lbp_runner_write_whole(r, given->prefix, "best.csv", r->text, r->text_length);
  free(npy);
  return result->status;
}

LBP_EXACT_END

#endif /* LBP_RUN_JSON_H */
