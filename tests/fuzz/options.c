/* Fuzz target: command lines. The input is a list of words, one a line; the benchmarks' parser must do with it what a slow
 * reading of the words says, and train_rbm's must come back with an answer. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>

#include "fuzz.h"

/* Parsers end the program with a sentence: here they come back. */
static jmp_buf options_ended;
static FILE *options_nowhere;

static void options_exit(int status) { longjmp(options_ended, 100 + status); }

#define exit options_exit
#undef stderr
#undef stdout
#define stderr options_nowhere
#define stdout options_nowhere
#include "../../bench/common/study.h"
#undef BASIC_PROGRAM
#define main train_main
#include "../../bench/ebm/train_rbm.c"
#undef main
#undef stdout
#undef stderr
#undef exit

enum { OPTIONS_WORDS = 14, OPTIONS_NAMES = 6 };

static const char *options_item(int k) {
  static const char *const names[OPTIONS_NAMES] = {"grid", "grid-0.4", "gibbs", "rbm-1", "rbm-2", "rbm"};
  return names[k];
}

typedef struct {
  int quick, config, names[OPTIONS_NAMES], families[OPTIONS_NAMES];
  uint32_t chains;
  uint64_t seed;
  double seconds;
  const char *out;
} options_values;

/* ---- the slow reading -------------------------------------------------------------------------------------------- */

/* Digits and nothing else, in the range. */
static int options_number(const char *word, uint64_t least, uint64_t most, uint64_t *v) {
  size_t k;
  *v = 0;
  for (k = 0; word[k]; k++) {
    const uint64_t digit = (uint64_t)(word[k] - '0');
    if (word[k] < '0' || word[k] > '9' || *v > (UINT64_MAX - digit) / 10) return 0;
    *v = 10 * *v + digit;
  }
  return k > 0 && *v >= least && *v <= most;
}

static int options_list(const char *word, int families, int *chosen) {
  char part[1 << 13];
  memset(chosen, 0, OPTIONS_NAMES * sizeof *chosen);
  for (;;) {
    const size_t length = strcspn(word, ",");
    int found = 0, k;
    memcpy(part, word, length);
    part[length] = '\0';
    for (k = 0; k < OPTIONS_NAMES && length > 0; k++) {
      const char *name = options_item(k);
      const size_t family = strcspn(name, "-");
      if (strcmp(part, name) == 0) found = chosen[k] = 1;
      if (families && name[family] == '-' && length == family && strncmp(name, part, family) == 0) found = chosen[k] = 1;
    }
    if (!found) return 0;
    word += length;
    if (!*word++) return 1;
  }
}

/* The status that the program should end with, or -1 where all is well. */
static int options_expect(int count, char **word, options_values *o) {
  uint64_t v;
  int k;
  for (k = 1; k < count; k++) {
    const char *name = word[k], *value = k + 1 < count ? word[k + 1] : NULL;
    if (strcmp(name, "--help") == 0) return 0;
    if (strcmp(name, "--quick") == 0) {
      o->quick = 1;
      continue;
    }
    if (strcmp(name, "--config") && strcmp(name, "--chains") && strcmp(name, "--seed") && strcmp(name, "--seconds") &&
        strcmp(name, "--out") && strcmp(name, "--names") && strcmp(name, "--families")) {
      return 2;
    }
    if (!value) return 2;
    k++;
    if (strcmp(name, "--config") == 0) {
      if (!options_number(value, 1, 3, &v)) return 2;
      o->config = (int)v;
    } else if (strcmp(name, "--chains") == 0) {
      if (!options_number(value, 0, UINT32_MAX, &v)) return 2;
      o->chains = (uint32_t)v;
    } else if (strcmp(name, "--seed") == 0) {
      if (!options_number(value, 0, UINT64_MAX, &o->seed)) return 2;
    } else if (strcmp(name, "--seconds") == 0) {
      char *end;
      o->seconds = strtod(value, &end);
      if (end == value || *end || lbp_is_nan(o->seconds) || o->seconds < 0.01 || o->seconds > 1000) return 2;
    } else if (strcmp(name, "--out") == 0) {
      o->out = value;
    } else if (!options_list(value, strcmp(name, "--families") == 0,
                             strcmp(name, "--families") == 0 ? o->families : o->names)) {
      return 2;
    }
  }
  return -1;
}

/* ---- the parsers ------------------------------------------------------------------------------------------------- */

static void options_table(int count, char **word) {
  static options_values got, want;
  const basic_option table[] = {{"--quick", "", OPTION_FLAG, &got.quick, 0, 0, NULL},
                                {"--config C", "1 to 3", OPTION_INT, &got.config, 1, 3, NULL},
                                {"--chains N", "how many", OPTION_COUNT, &got.chains, 0, UINT32_MAX, NULL},
                                {"--seed S", "any", OPTION_SEED, &got.seed, 0, UINT64_MAX, NULL},
                                {"--seconds S", "0.01 to 1000", OPTION_SECONDS, &got.seconds, 0, 0, NULL},
                                {"--out DIR", "where to", OPTION_TEXT, &got.out, 0, 0, NULL},
                                {"--names LIST", "some", OPTION_NAMES, got.names, 0, OPTIONS_NAMES, options_item},
                                {"--families LIST", "some", OPTION_NAMES, got.families, 1, OPTIONS_NAMES, options_item}};
  int expected, ended;
  memset(&got, 0, sizeof got);
  memset(&want, 0, sizeof want);
  expected = options_expect(count, word, &want);
  ended = setjmp(options_ended);
  if (ended == 0) basic_parse(count, word, "usage", table, sizeof table / sizeof table[0]);
  FUZZ_CHECK(ended == (expected < 0 ? 0 : 100 + expected));
  if (ended == 0) FUZZ_CHECK(memcmp(&got, &want, sizeof got) == 0);
}

static void options_study(int count, char **word) {
  static const study paper = {.name = "paper"};
  if (setjmp(options_ended) == 0) {
    const study_options o = study_parse(count, word, &paper);
    FUZZ_CHECK(o.out && o.data && o.threads >= 0 && o.threads <= 1024 && o.quick <= 1 && o.list <= 1 && o.report <= 1);
  }
}

static void options_train(int count, char **word) {
  if (setjmp(options_ended) == 0) {
    const options o = parse(count, word);
    FUZZ_CHECK(o.data && o.out && o.hidden >= 1 && o.hidden <= 1u << 20 && o.how.epochs >= 1 && o.how.epochs <= 1000000);
    FUZZ_CHECK(o.how.batch >= 1 && o.how.batch <= 1000000 && o.how.gibbs >= 1 && o.how.gibbs <= 1000000);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static char text[1 << 13], program[] = "program";
  char *word[OPTIONS_WORDS + 1], *at = text;
  int count = 1;
  if (size < 1 || size > sizeof text - 1) return 0;
  if (!options_nowhere) options_nowhere = fopen("/dev/null", "w");
  FUZZ_CHECK(options_nowhere != NULL);
  memcpy(text, bytes + 1, size - 1);
  text[size - 1] = '\0';
  for (word[0] = program; *at && count < OPTIONS_WORDS; count++) {
    word[count] = at;
    at += strcspn(at, "\n");
    if (*at) *at++ = '\0';
  }
  word[count] = NULL;
  switch (bytes[0] % 4) {
    case 0: options_study(count, word); break;
    case 1: options_train(count, word); break;
    default: options_table(count, word);
  }
  return 0;
}
