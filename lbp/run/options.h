/* lbp/run/options.h - options of a run by name, for programs that have them as text: from a command line, a file,
 * another language. Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it.
 *
 *   char why[LBP_OPTION_TEXT];
 *   if (lbp_run_set(&run, &kernel, "sampler", "skip_gibbs", why) != LBP_OK) fprintf(stderr, "%s\n", why);
 *   if (lbp_run_set(&run, &kernel, "chains", "16", why) != LBP_OK) fprintf(stderr, "%s\n", why);
 *
 * One table contains all options of lbp_run that are numbers, words or strings, by their names there; those of a group
 * are "tempering.rungs", "annealing.sweeps" and so on. It does not contain functions, their data, and arrays. As
 * always, the run checks whether a value makes sense.
 */

#ifndef LBP_RUN_OPTIONS_H
#define LBP_RUN_OPTIONS_H

#include <locale.h>

#include "want.h"

LBP_EXACT_BEGIN

/* Types of options. */
enum {
  LBP_OPTION_U32,     /* a whole number from 0 on, uint32_t */
  LBP_OPTION_U64,     /* the same, uint64_t */
  LBP_OPTION_INT,     /* a whole number, int */
  LBP_OPTION_FLAG,    /* int: true or false, or 1 or 0 */
  LBP_OPTION_REAL,    /* double */
  LBP_OPTION_STRING,  /* const char *; "" is NULL */
  LBP_OPTION_CHOICE,  /* int: one of `words`, by its place */
  LBP_OPTION_SAMPLER  /* int: a sampler of the kernel, by its name, or "default" */
};

/* Room for a value, or for an error message, in characters. */
enum { LBP_OPTION_TEXT = 1024 };

typedef struct {
  const char *name;  /* "chains", "tempering.rungs" */
  int kind;
  size_t at;         /* in lbp_run */
  const char *words; /* of a choice, with a space behind each */
} lbp_run_option;

/* Returns option k, in the order of lbp_run; NULL: there is no option k. */
LBP_COLD const lbp_run_option *lbp_run_option_at(uint32_t k) {
#define LBP_P_OPTION(name, kind) {#name, LBP_OPTION_##kind, offsetof(lbp_run, name), NULL}
#define LBP_P_CHOICE(name, words) {#name, LBP_OPTION_CHOICE, offsetof(lbp_run, name), words}
#define LBP_P_MEMBER(group, name, kind, words) \
  {#group "." #name, LBP_OPTION_##kind, offsetof(lbp_run, group) + offsetof(lbp_run_##group, name), words}
  static const lbp_run_option options[] = {
      LBP_P_OPTION(sampler, SAMPLER),
      LBP_P_OPTION(parameter, REAL),
      LBP_P_OPTION(clock_jumps, REAL),
      LBP_P_OPTION(target, REAL),
      LBP_P_OPTION(metric, STRING),
      LBP_P_OPTION(shared_tuner, FLAG),
      LBP_P_OPTION(batch, U32),
      LBP_P_OPTION(values, U32),
      LBP_P_OPTION(seed, U64),
      LBP_P_OPTION(chains, U32),
      LBP_P_OPTION(warmup, U32),
      LBP_P_OPTION(draws, U64),
      LBP_P_OPTION(thin, U32),
      LBP_P_OPTION(check_trials, U32),
      LBP_P_MEMBER(tempering, rungs, U32, NULL),
      LBP_P_MEMBER(tempering, adapt, FLAG, NULL),
      LBP_P_MEMBER(tempering, adapt_ends, FLAG, NULL),
      LBP_P_MEMBER(tempering, swap_every, U32, NULL),
      LBP_P_MEMBER(tempering, swap_parts, FLAG, NULL),
      LBP_P_MEMBER(tempering, replicas, U32, NULL),
      LBP_P_MEMBER(tempering, resample, REAL, NULL),
      LBP_P_MEMBER(annealing, sweeps, U64, NULL),
      LBP_P_MEMBER(annealing, schedule, CHOICE, "linear geometric "),
      LBP_P_MEMBER(annealing, hot, REAL, NULL),
      LBP_P_MEMBER(annealing, cold, REAL, NULL),
      LBP_P_MEMBER(annealing, parameter_end, REAL, NULL),
      LBP_P_MEMBER(momentum, eps, REAL, NULL),
      LBP_P_MEMBER(momentum, relax, REAL, NULL),
      LBP_P_OPTION(seconds, REAL),
      LBP_P_OPTION(rhat, REAL),
      LBP_P_OPTION(ess, REAL),
      LBP_P_OPTION(signals, FLAG),
      LBP_P_OPTION(name, STRING),
      LBP_P_OPTION(prefix, STRING),
      LBP_P_CHOICE(save_states, "none csv npy passed "),
      LBP_P_CHOICE(marginals, "none counted conditional "),
      LBP_P_OPTION(digits, INT),
      LBP_P_OPTION(best_states, U32),
      LBP_P_OPTION(checkpoint, STRING),
      LBP_P_OPTION(checkpoint_seconds, REAL)};
#undef LBP_P_OPTION
#undef LBP_P_CHOICE
#undef LBP_P_MEMBER
  return k < sizeof options / sizeof options[0] ? &options[k] : NULL;
}

/* Returns the option of that name; NULL: there is none. */
LBP_COLD const lbp_run_option *lbp_run_option_of(const char *name) {
  const lbp_run_option *option;
  uint32_t k;
  for (k = 0; (option = lbp_run_option_at(k)) != NULL; k++) {
    if (strcmp(option->name, name) == 0) return option;
  }
  return NULL;
}

/* Makes the locale's decimal point, of one byte or more, a point. Returns `text`. */
LBP_FN char *lbp_runner_set_point(char *text) {
  char *to = text, *from;
  for (from = text; *from; from++) {
    if (strchr("0123456789+-einfa", *from)) *to++ = *from;
    else if (to == text || to[-1] != '.') *to++ = '.';
  }
  *to = '\0';
  return text;
}

/* A finite number, whatever the locale's decimal point; returns whether all of the text is one. */
LBP_COLD int lbp_runner_read_real(const char *text, double *value) {
  const int whole = (int)strcspn(text, ".");
  char copy[80], *end;
  if (!*text || strlen(text) >= 64 || text[strspn(text, "0123456789+-.eE")]) return 0;
  snprintf(copy, sizeof copy, "%.*s%.8s%s", whole, text, text[whole] ? localeconv()->decimal_point : "",
           text + whole + (text[whole] != '\0'));
  *value = strtod(copy, &end);
  return *end == '\0' && lbp_is_finite(*value);
}

/* A whole number from 0 to `most`; 1e6 is one, too. */
LBP_COLD int lbp_p_option_whole(const char *text, uint64_t most, uint64_t *value) {
  double real;
  char *end;
  if (*text && text[strspn(text, "0123456789")] == '\0') {
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *value <= most;
  }
  if (!lbp_runner_read_real(text, &real) || real < 0 || real > 9007199254740992.0 || real != floor(real)) return 0;
  *value = (uint64_t)real;
  return *value <= most;
}

/* A small letter for a capital one, '_' for ' '. */
LBP_COLD int lbp_p_option_letter(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c == ' ' ? '_' : c; }

/* Whether `text` is the first `length` characters of a name, but for that. */
LBP_COLD int lbp_p_option_is(const char *text, const char *name, size_t length) {
  size_t k;
  for (k = 0; k < length; k++) {
    if (lbp_p_option_letter(text[k]) != lbp_p_option_letter(name[k])) return 0;
  }
  return text[k] == '\0';
}

/* The sampler of that name in the kernel's table: "swap_sweep", "LBP"; as in files of draws, "lbp_r"; "default". */
LBP_COLD int lbp_p_option_sampler(const lbp_kernel *kernel, const char *text, int *value) {
  uint32_t k;
  *value = LBP_SAMPLER_DEFAULT;
  if (lbp_p_option_is(text, "default", 7)) return 1;
  for (k = 0; k < kernel->samplers; k++) {
    const lbp_sampler *it = &kernel->sampler[k];
    if (!lbp_p_option_is(text, it->name, strlen(it->name)) && strcmp(text, it->algorithm) != 0) continue;
    *value = it->sampler;
    return 1;
  }
  return 0;
}

/* One of the words, by its place. */
LBP_COLD int lbp_runner_choice(const char *words, const char *text, int *value) {
  for (*value = 0; *words; ++*value) {
    const size_t length = strcspn(words, " ");
    if (lbp_p_option_is(text, words, length)) return 1;
    words += length + 1;
  }
  return 0;
}

/* Adds to a sentence; returns its length. */
LBP_COLD size_t lbp_runner_say(char *why, size_t length, const char *before, const char *word) {
  const int added = snprintf(why + length, LBP_OPTION_TEXT - length, "%s%s", before, word);
  const size_t all = length + (size_t)(added > 0 ? added : 0);
  return all < LBP_OPTION_TEXT ? all : LBP_OPTION_TEXT - 1;
}

/* Writes the allowed values of an option to why[length ..). */
LBP_COLD void lbp_p_option_expect(const lbp_run_option *option, const lbp_kernel *kernel, char *why, size_t length) {
  static const char *const what[] = {"a whole number from 0 to 2^32 - 1", "a whole number from 0 to 2^64 - 1",
                                     "a whole number from 0 to 2^31 - 1", "true or false", "a finite number", "text",
                                     "one of ", "one of default"};
  char name[64];
  uint32_t k;
  length = lbp_runner_say(why, length, what[option->kind], option->words ? option->words : "");
  for (k = 0; option->kind == LBP_OPTION_SAMPLER && k < kernel->samplers; k++) {
    size_t at;
    snprintf(name, sizeof name, "%s", kernel->sampler[k].name);
    for (at = 0; name[at]; at++) name[at] = name[at] == ' ' ? '_' : name[at];
    length = lbp_runner_say(why, length, ", ", name);
  }
}

/* Writes a value to its place; returns whether it is valid. */
LBP_COLD int lbp_p_option_put(const lbp_run_option *option, const lbp_kernel *kernel, const char *value, void *to) {
  uint64_t whole;
  double real;
  int word;
  switch (option->kind) {
    case LBP_OPTION_U32:
      if (!lbp_p_option_whole(value, UINT32_MAX, &whole)) return 0;
      *(uint32_t *)to = (uint32_t)whole;
      return 1;
    case LBP_OPTION_U64:
      if (!lbp_p_option_whole(value, UINT64_MAX, &whole)) return 0;
      *(uint64_t *)to = whole;
      return 1;
    case LBP_OPTION_INT:
      if (!lbp_p_option_whole(value, INT32_MAX, &whole)) return 0;
      *(int *)to = (int)whole;
      return 1;
    case LBP_OPTION_REAL:
      if (!lbp_runner_read_real(value, &real)) return 0;
      *(double *)to = real;
      return 1;
    case LBP_OPTION_STRING:
      *(const char **)to = *value ? value : NULL;
      return 1;
    case LBP_OPTION_SAMPLER:
      if (!lbp_p_option_sampler(kernel, value, &word)) return 0;
      break;
    case LBP_OPTION_FLAG:
      if (!lbp_runner_choice("false true ", value, &word) && !lbp_runner_choice("0 1 ", value, &word)) return 0;
      break;
    default:
      if (!lbp_runner_choice(option->words, value, &word)) return 0;
  }
  *(int *)to = word;
  return 1;
}

/* ---- names that are no option's ---------------------------------------------------------------------------------- */

/* An option's name without its group. */
LBP_COLD const char *lbp_p_option_last(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? dot + 1 : name;
}

/* How many letters must be inserted, removed or replaced to make the name an option's, plus one if it has a group that
 * is not the option's. */
LBP_COLD uint32_t lbp_p_option_distance(const char *name, const char *other) {
  enum { LBP_P_NAME_MOST = 60 };
  const char *a = lbp_p_option_last(name), *b = lbp_p_option_last(other);
  const size_t group = (size_t)(a - name), length = strlen(b);
  uint32_t row[LBP_P_NAME_MOST + 1]; /* of the matrix of distances between beginnings of both */
  size_t k;
  if (strlen(a) > LBP_P_NAME_MOST || length > LBP_P_NAME_MOST) return UINT32_MAX;
  for (k = 0; k <= length; k++) row[k] = (uint32_t)k;
  for (; *a; a++) {
    uint32_t corner = row[0]++;
    for (k = 1; k <= length; k++) {
      uint32_t least = corner + (lbp_p_option_letter(*a) != lbp_p_option_letter(b[k - 1]));
      if (row[k] + 1 < least) least = row[k] + 1;
      if (row[k - 1] + 1 < least) least = row[k - 1] + 1;
      corner = row[k];
      row[k] = least;
    }
  }
  return row[length] + (group > 0 && (group != (size_t)(b - other) || strncmp(name, other, group) != 0));
}

/* Name k of all options, after those of the table those of `others`, a list that ends with NULL; NULL: no more. */
LBP_COLD const char *lbp_p_option_name(uint32_t k, const char *const *others) {
  const lbp_run_option *option;
  uint32_t j;
  for (j = 0; (option = lbp_run_option_at(j)) != NULL; j++) {
    if (j == k) return option->name;
  }
  for (; *others && j < k; j++) others++;
  return *others;
}

/* Whether `others` or the table have an option of that name. */
LBP_COLD int lbp_p_option_exists(const char *name, size_t length, const char *const *others) {
  const char *other;
  uint32_t k;
  for (k = 0; (other = lbp_p_option_name(k, others)) != NULL; k++) {
    if (strlen(other) == length && strncmp(other, name, length) == 0) return 1;
  }
  return 0;
}

/* The options, with a comma between two, that other programs, or earlier versions, call by this name; or a sentence,
 * which has a space first; NULL: neither. */
LBP_COLD const char *lbp_p_option_elsewhere(const char *name) {
  static const char in_c[] = " functions, files and data are set in C only";
  static const char cores[] = " chains take all cores if the C is compiled with OpenMP (-fopenmp)";
  static const char *const table[][2] = {
      {"num_reads", "chains"}, {"reads", "chains"}, {"num_chains", "chains"}, {"n_chains", "chains"},
      {"num_sweeps", "annealing.sweeps"}, {"beta", "annealing.hot,annealing.cold,tempering.ladder"},
      {"beta_range", "annealing.hot,annealing.cold"}, {"burnin", "warmup"}, {"burn_in", "warmup"}, {"burn", "warmup"},
      {"nburn", "warmup"}, {"tune", "warmup"}, {"num_warmup", "warmup"}, {"iter_warmup", "warmup"}, {"iter", "draws"},
      {"iterations", "draws"}, {"samples", "draws"}, {"num_samples", "draws"}, {"n_samples", "draws"},
      {"iter_sampling", "draws"}, {"thinning", "thin"}, {"random_state", "seed"}, {"init", "start"}, {"inits", "start"},
      {"initial_state", "start"}, {"initial_states", "start"}, {"timeout", "seconds"}, {"time_limit", "seconds"},
      {"verbose", "progress"}, {"progressbar", "progress"}, {"check", "check_trials"}, {"together", "batch"},
      {"jumps", "clock_jumps"}, {"shared", "shared_tuner"}, {"states", "save_states"}, {"best", "best_states"},
      {"take", in_c}, {"tell", in_c}, {"on_draw", in_c}, {"on_progress", in_c}, {"summary", in_c}, {"column", in_c},
      {"stop", in_c}, {"curvature", in_c}, {"threads", cores}, {"num_threads", cores}, {"n_jobs", cores},
      {"cores", cores}};
  size_t k;
  for (k = 0; k < sizeof table / sizeof table[0]; k++) {
    if (lbp_p_option_is(name, table[k][0], strlen(table[k][0]))) return table[k][1];
  }
  return NULL;
}

/* Whether the name begins a word of an option's, as "best" does of best_states, or "sweep" of annealing.sweeps. */
LBP_COLD int lbp_p_option_begins(const char *name, const char *other) {
  size_t at, k;
  if (strlen(name) < 3) return 0;
  for (at = 0; other[at]; at++) {
    if (at > 0 && other[at - 1] != '.' && other[at - 1] != '_') continue;
    k = 0;
    while (name[k] && lbp_p_option_letter(name[k]) == lbp_p_option_letter(other[at + k])) k++;
    if (!name[k]) return 1;
  }
  return 0;
}

/* Adds the options of the list, with a comma between two, that exist; returns how many these are. */
LBP_COLD uint32_t lbp_p_option_tell_list(const char *list, const char *const *others, char *why, size_t length) {
  char name[64];
  uint32_t named = 0;
  for (; *list; list += *list == ',') {
    const size_t letters = strcspn(list, ",");
    if (letters < sizeof name && lbp_p_option_exists(list, letters, others)) {
      memcpy(name, list, letters);
      name[letters] = '\0';
      length = lbp_runner_say(why, length, named++ > 0 ? ", " : "; the nearest: ", name);
    }
    list += letters;
  }
  return named;
}

/* Writes to why[LBP_OPTION_TEXT] that there is no option `name`, and suggests others: the members of a group;
 * `parameter`, if a sampler's has this name; those that others call so; up to three with this name in a group; or of
 * which it begins a word; or the nearest ones; or all, if none is near. */
LBP_COLD int lbp_runner_no_option(const lbp_kernel *kernel, const char *name, const char *const *others, char *why) {
  const uint32_t within = 1 + (uint32_t)(strlen(lbp_p_option_last(name)) / 3);
  const size_t group = strlen(name);
  const char *other, *before;
  uint32_t k, distance, named = 0;
  size_t length = (size_t)snprintf(why, LBP_OPTION_TEXT, "%.60s: there is no such option", name);
  for (k = 0; (other = lbp_p_option_name(k, others)) != NULL; k++) {
    if (strncmp(other, name, group) != 0 || other[group] != '.') continue;
    if (named == 0) length = (size_t)snprintf(why, LBP_OPTION_TEXT, "%.60s: this is a group of options; set ", name);
    length = lbp_runner_say(why, length, named++ > 0 ? ", " : "", other);
  }
  for (k = 0; k < kernel->samplers && named == 0; k++) {
    const char *parameter = kernel->sampler[k].parameter_name;
    if (parameter && strcmp(parameter, name) == 0) named = lbp_p_option_tell_list("parameter", others, why, length);
  }
  other = named == 0 ? lbp_p_option_elsewhere(name) : NULL;
  if (other && *other == ' ') lbp_runner_say(why, length, ";", other);
  if (other && *other == ' ') return LBP_E_RANGE;
  if (other) named = lbp_p_option_tell_list(other, others, why, length);
  if (named > 0) return LBP_E_RANGE;
  before = "; the nearest: ";
  for (distance = 0; named < 3 && distance <= within; distance++) {
    for (k = 0; named < 3 && (other = lbp_p_option_name(k, others)) != NULL; k++) {
      if (lbp_p_option_distance(name, other) != distance) continue;
      length = lbp_runner_say(why, length, named++ > 0 ? ", " : before, other);
    }
    if (distance == 0 && named > 0) break;
    for (k = 0; distance == 0 && named < 3 && (other = lbp_p_option_name(k, others)) != NULL; k++) {
      if (lbp_p_option_begins(name, other)) length = lbp_runner_say(why, length, named++ > 0 ? ", " : before, other);
    }
    if (distance == 0 && named > 0) break;
  }
  before = "; there are ";
  for (k = 0; named == 0 && (other = lbp_p_option_name(k, others)) != NULL; k++) {
    length = lbp_runner_say(why, length, k > 0 ? ", " : before, other);
  }
  return LBP_E_RANGE;
}

/* ---- options by their names -------------------------------------------------------------------------------------- */

/* Sets an option of `run` by its name. Strings are not copied: they must outlive the run. Returns LBP_OK, or
 * LBP_E_NULL, LBP_E_RANGE (there is no such option, or the value is not allowed): `run` is unchanged then, and
 * why[LBP_OPTION_TEXT], unless it is NULL, has the nearest names or the allowed values. */
LBP_COLD int lbp_run_set(lbp_run *run, const lbp_kernel *kernel, const char *name, const char *value, char *why) {
  static const char *const none[] = {NULL};
  char unread[LBP_OPTION_TEXT];
  const lbp_run_option *option;
  size_t length;
  if (!run || !kernel || !name || !value) return LBP_E_NULL;
  if (!why) why = unread;
  option = lbp_run_option_of(name);
  if (!option) return lbp_runner_no_option(kernel, name, none, why);
  if (lbp_p_option_put(option, kernel, value, (unsigned char *)run + option->at)) return LBP_OK;
  length = (size_t)snprintf(why, LBP_OPTION_TEXT, "%s: '%.60s' is not ", name, value);
  lbp_p_option_expect(option, kernel, why, length);
  return LBP_E_RANGE;
}

/* A number as text that reads back the same, and has a decimal point in any locale; not finite ones as printf has them.
 * Returns `text`, which has room for 32. */
LBP_COLD const char *lbp_runner_print_real(double value, char *text) {
  snprintf(text, 32, "%.15g", value);
  if (strtod(text, NULL) != value) snprintf(text, 32, "%.17g", value);
  return lbp_runner_set_point(text);
}

/* Writes the value of an option to text[LBP_OPTION_TEXT], in the form that lbp_run_set accepts; "" for strings that are
 * NULL. Longer strings are cut. */
LBP_COLD void lbp_run_get(const lbp_run *run, const lbp_kernel *kernel, const lbp_run_option *option, char *text) {
  const void *from = (const unsigned char *)run + option->at;
  const int is_flag = option->kind == LBP_OPTION_FLAG;
  const char *words = is_flag ? "false true " : option->words, *string = NULL;
  int word = is_flag || option->kind >= LBP_OPTION_CHOICE ? *(const int *)from : 0, k;
  if (is_flag) word = word != 0;
  *text = '\0';
  switch (option->kind) {
    case LBP_OPTION_U32: snprintf(text, LBP_OPTION_TEXT, "%lu", (unsigned long)*(const uint32_t *)from); break;
    case LBP_OPTION_U64: snprintf(text, LBP_OPTION_TEXT, "%llu", (unsigned long long)*(const uint64_t *)from); break;
    case LBP_OPTION_INT: snprintf(text, LBP_OPTION_TEXT, "%d", *(const int *)from); break;
    case LBP_OPTION_REAL: lbp_runner_print_real(*(const double *)from, text); break;
    case LBP_OPTION_STRING: string = *(const char *const *)from; break;
    case LBP_OPTION_SAMPLER:
      string = word == LBP_SAMPLER_DEFAULT || !lbp_kernel_sampler(kernel, word) ? "default" :
               lbp_kernel_sampler(kernel, word)->algorithm;
      break;
    default:
      for (k = 0; k < word && *words; k++) words += strcspn(words, " ") + 1;
      snprintf(text, LBP_OPTION_TEXT, "%.*s", (int)strcspn(words, " "), words);
  }
  if (string) snprintf(text, LBP_OPTION_TEXT, "%s", string);
}

LBP_EXACT_END

#endif /* LBP_RUN_OPTIONS_H */
