/* lbp/models/factors.h - factor graphs (Markov networks, Bayesian networks): tables over a few sites each, built by
 * calls or read from UAI and libDAI files; exact elimination of cheap sites; a model for the samplers of those
 * left.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp/models/local.h, whose lbp_real log-ratios have, and <stdio.h>. No
 * sampler is brought along: include lbp.h or lbp_run.h with its parameters for categorical sites. In this file's order:
 *
 *   lbp_factor_graph   n sites with values[i] values each, tables, observations     built, read, written
 *   lbp_elimination    sites summed or maximised out, and how to put them back      exact answers; Rao-Blackwell
 *   lbp_factors        log-ratios of a graph by rows of its tables                  local
 *
 *   log pi(x) = sum over tables t of log w_t(x at the sites of t)
 *
 * By calls, two sites of 2 and 3 values:
 *
 *                                                       #define LBP_NAME           graph
 *                                                       #define LBP_MODEL_T        lbp_factors
 *   lbp_factor_graph g;                                 #define LBP_REAL           lbp_real
 *   const uint32_t values[] = {2, 3}, both[] = {0, 1};  #define LBP_CAT_STATES     3
 *   const double w[] = {1, 2, 0, 4, 5, 6};              #define LBP_CAT_STATES_OF  lbp_factors_values
 *   lbp_factors m;                                      #define LBP_CAT_DELTAS_OF(m, x, i, out) \
 *   lbp_factor_graph_init(&g, 2, values);                         lbp_factors_deltas_of(m, x, i, LBP_CAT_STATES, out)
 *   lbp_factor_graph_add(&g, 2, both, w, 0);            #define LBP_NEIGHBOURS     lbp_factors_neighbours
 *   lbp_factors_init(&m, &g, 3, 0);                     #define LBP_MAX_NEIGHBOURS LBP_FACTORS_NEIGHBOURS
 *   ...                                                 #define LBP_LOGP           lbp_factors_logp
 *   lbp_factors_free(&m);                               #include "lbp_run.h"
 *   lbp_factor_graph_free(&g);
 *
 * and if all sites have two values, LBP_DELTA lbp_factors_delta instead of the three with CAT, which is faster.
 * LBP_CAT_STATES is the `states` of lbp_factors_init. examples/infer.c does all of this for a file.
 *
 * Constructors check and copy; those that fail leave the object zeroed. Functions that samplers call check
 * nothing. Sources. UAI files: the inference competitions' description, uaicompetition.github.io/uci-2022. Elimination:
 * Dechter, "Bucket elimination", Artificial Intelligence 113 (1999). Putting sites back: Bidyuk, Dechter, "Cutset
 * sampling for Bayesian networks", JAIR 28 (2007).
 */

#ifndef LBP_FACTORS_H
#define LBP_FACTORS_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/support.h"
#include "local.h"
#include "words.h"

LBP_EXACT_BEGIN

/* Sites of a table, at most; define a larger number, up to 30, before you include this file. */
#ifndef LBP_FACTORS_ARITY
#define LBP_FACTORS_ARITY 8
#endif

#if LBP_FACTORS_ARITY < 1 || LBP_FACTORS_ARITY > 30
#error "LBP_FACTORS_ARITY is 1 to 30"
#endif

/* Sites of a table that elimination makes: of two values or more, so that 2^30 cells have at most 30. */
enum { LBP_P_FACTORS_WIDEST = 30 };

/* Numbers in rows that are copies for each site of a table, at most; beyond, rows are strided: see lbp_factors. */
#ifndef LBP_FACTORS_COPIES
#define LBP_FACTORS_COPIES (1u << 18)
#endif

#define LBP_FACTORS_VALUES     256           /* values of a site, at most: x_i is a byte */
#define LBP_FACTORS_NEIGHBOURS 4096          /* -> LBP_MAX_NEIGHBOURS; lbp_factors_init refuses sites with more */
#define LBP_FACTORS_CELLS      (SIZE_MAX > 0xffffffffu ? 1u << 30 : 1u << 27) /* of a table or all rows, at most */

/* How lbp_factor_graph_add is to read a table: added up. */
enum {
  LBP_TABLE_LOG = 1,          /* entries are logarithms, -infinity for a weight of 0; else weights */
  LBP_TABLE_FIRST_FASTEST = 2 /* the first site's value changes fastest, as in .fg files; else the last one's, as in C
                                 arrays and UAI files */
};

/* Tables are kept as logarithms, the value of their first site fastest. */
typedef struct {
  uint32_t  n;
  uint32_t *values;    /* [n] K_i */
  int32_t  *observed;  /* [n] the value that was seen, or -1 */
  size_t    tables;
  size_t   *scope_at;  /* [tables + 1] table t has the sites scope[scope_at[t]] ... scope[scope_at[t + 1] - 1] */
  uint32_t *scope;
  size_t   *cell_at;   /* [tables + 1] and these entries */
  double   *cells;
  int       bayes;     /* was read from a file of a Bayesian network */
  size_t    table_room, scope_room, cell_room;
} lbp_factor_graph;

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_factor_graph_free(lbp_factor_graph *g) {
  if (!g) return;
  free(g->values);
  free(g->observed);
  free(g->scope_at);
  free(g->scope);
  free(g->cell_at);
  free(g->cells);
  memset(g, 0, sizeof *g);
}

/* Room for `more` items behind `count`, in memory that doubles; 0: there is none. `pointer` is the address of a pointer
 * to any type, which is read and written as bytes: it has not the type void *. */
LBP_FN int lbp_p_factors_grow(void *pointer, size_t *room, size_t count, size_t more, size_t size) {
  const size_t need = lbp_size_plus(count, more);
  size_t grown = *room < 16 ? 16 : *room;
  void *items, *wider;
  if (need <= *room) return 1;
  while (grown < need && grown < SIZE_MAX / 4) grown *= 2;
  if (grown < need || lbp_size_times(grown, size) == SIZE_MAX) return 0;
  memcpy(&items, pointer, sizeof items);
  wider = realloc(items, grown * size);
  if (!wider) return 0;
  memcpy(pointer, &wider, sizeof wider);
  *room = grown;
  return 1;
}

/* n sites without tables: all states are equally likely. values: [n] K_i. LBP_E_NULL; LBP_E_SIZE; LBP_E_RANGE: K_i is
 * not 1 to LBP_FACTORS_VALUES; LBP_E_MEMORY. */
LBP_FN int lbp_factor_graph_init(lbp_factor_graph *g, uint32_t n, const uint32_t *values) {
  uint32_t i;
  if (!g) return LBP_E_NULL;
  memset(g, 0, sizeof *g);
  if (!values) return LBP_E_NULL;
  if (lbp_models_check_sites(n, 1) != LBP_OK) return LBP_E_SIZE;
  for (i = 0; i < n; i++) {
    if (values[i] < 1 || values[i] > LBP_FACTORS_VALUES) return LBP_E_RANGE;
  }
  g->n = n;
  g->values = (uint32_t *)calloc(n, sizeof *g->values);
  g->observed = (int32_t *)calloc(n, sizeof *g->observed);
  if (!g->values || !g->observed || !lbp_p_factors_grow(&g->scope_at, &g->table_room, 0, 1, sizeof *g->scope_at) ||
      !(g->cell_at = (size_t *)calloc(g->table_room, sizeof *g->cell_at))) {
    lbp_factor_graph_free(g);
    return LBP_E_MEMORY;
  }
  g->scope_at[0] = 0;
  for (i = 0; i < n; i++) g->values[i] = values[i], g->observed[i] = -1;
  return LBP_OK;
}

/* Entries of a table over these sites; 0: more than LBP_FACTORS_CELLS. */
LBP_FN uint64_t lbp_p_factors_cells(const uint32_t *values, uint32_t arity, const uint32_t *sites) {
  uint64_t cells = 1;
  uint32_t k;
  for (k = 0; k < arity; k++) {
    cells *= values[sites[k]];
    if (cells > LBP_FACTORS_CELLS) return 0;
  }
  return cells;
}

/* One more table, of logarithms, the first site fastest. LBP_E_MEMORY. */
LBP_FN int lbp_p_factors_append(lbp_factor_graph *g, uint32_t arity, const uint32_t *sites, size_t cells,
                                const double *logs) {
  const size_t scope = g->scope_at[g->tables], cell = g->cell_at[g->tables];
  size_t room = g->table_room;
  if (!lbp_p_factors_grow(&g->scope_at, &room, g->tables, 2, sizeof *g->scope_at)) return LBP_E_MEMORY;
  if (!lbp_p_factors_grow(&g->cell_at, &g->table_room, g->tables, 2, sizeof *g->cell_at) ||
      !lbp_p_factors_grow(&g->scope, &g->scope_room, scope, (size_t)arity + 1, sizeof *g->scope) ||
      !lbp_p_factors_grow(&g->cells, &g->cell_room, cell, cells, sizeof *g->cells)) {
    return LBP_E_MEMORY;
  }
  if (arity > 0) memcpy(g->scope + scope, sites, arity * sizeof *sites);
  memcpy(g->cells + cell, logs, cells * sizeof *logs);
  g->tables++;
  g->scope_at[g->tables] = scope + arity;
  g->cell_at[g->tables] = cell + cells;
  return LBP_OK;
}

/* A table over `arity` different sites, 0 to LBP_FACTORS_ARITY, with a weight for each state of these: as many as the
 * product of their values[]. flags: 0, or LBP_TABLE_LOG and so on. The same sites may have several tables, which
 * multiply. LBP_E_NULL; LBP_E_SIZE: arity, or more than LBP_FACTORS_CELLS entries; LBP_E_INDEX: a site is not below n,
 * or comes twice; LBP_E_NOT_FINITE: an entry is NaN, a weight infinite, a logarithm +infinity; LBP_E_RANGE: flags, a
 * negative weight, a finite logarithm beyond 1e290 either way; LBP_E_IMPOSSIBLE: all entries are 0; LBP_E_MEMORY. When
 * it fails, g is as it was. */
LBP_FN int lbp_factor_graph_add(lbp_factor_graph *g, uint32_t arity, const uint32_t *sites, const double *table,
                                int flags) {
  uint32_t scope[LBP_FACTORS_ARITY + 1];
  uint64_t cells, k;
  uint32_t a, b;
  int status = LBP_OK, possible = 0;
  double *logs;
  if (!g || !g->values || !table || (arity > 0 && !sites)) return LBP_E_NULL;
  if (flags < 0 || flags > 3) return LBP_E_RANGE;
  if (arity > LBP_FACTORS_ARITY) return LBP_E_SIZE;
  for (a = 0; a < arity; a++) {
    if (sites[a] >= g->n) return LBP_E_INDEX;
    for (b = 0; b < a; b++) {
      if (sites[a] == sites[b]) return LBP_E_INDEX;
    }
    scope[flags & LBP_TABLE_FIRST_FASTEST ? a : arity - 1 - a] = sites[a];
  }
  cells = lbp_p_factors_cells(g->values, arity, scope);
  if (cells == 0) return LBP_E_SIZE;
  logs = (double *)malloc((size_t)cells * sizeof *logs);
  if (!logs) return LBP_E_MEMORY;
  for (k = 0; k < cells && status == LBP_OK; k++) {
    const double v = table[k];
    if (lbp_is_nan(v) || (v > 0 && !lbp_is_finite(v))) status = LBP_E_NOT_FINITE;
    else if (!(flags & LBP_TABLE_LOG) && v < 0) status = lbp_is_finite(v) ? LBP_E_RANGE : LBP_E_NOT_FINITE;
    else if (flags & LBP_TABLE_LOG && lbp_is_finite(v) && fabs(v) > 1e290) status = LBP_E_RANGE; /* sums stay finite */
    else logs[k] = flags & LBP_TABLE_LOG ? v : v > 0 ? log(v) : -lbp_infinity();
    possible |= status == LBP_OK && lbp_is_finite(logs[k]);
  }
  if (status == LBP_OK && !possible) status = LBP_E_IMPOSSIBLE;
  if (status == LBP_OK) status = lbp_p_factors_append(g, arity, scope, (size_t)cells, logs);
  free(logs);
  return status;
}

/* Site i was seen to have this value: lbp_eliminate takes it out. LBP_E_NULL; LBP_E_INDEX; LBP_E_RANGE: it is not below
 * values[i]; LBP_E_STATE: another value was seen before. */
LBP_FN int lbp_factor_graph_observe(lbp_factor_graph *g, uint32_t site, uint32_t value) {
  if (!g) return LBP_E_NULL;
  if (site >= g->n) return LBP_E_INDEX;
  if (value >= g->values[site]) return LBP_E_RANGE;
  if (g->observed[site] >= 0 && (uint32_t)g->observed[site] != value) return LBP_E_STATE;
  g->observed[site] = (int32_t)value;
  return LBP_OK;
}

/* Where the state is in table t. */
LBP_FN size_t lbp_p_factors_cell(const lbp_factor_graph *g, size_t t, const uint8_t *x) {
  size_t at = g->cell_at[t], stride = 1, k;
  for (k = g->scope_at[t]; k < g->scope_at[t + 1]; k++) {
    at += stride * x[g->scope[k]];
    stride *= g->values[g->scope[k]];
  }
  return at;
}

/* Returns log pi(x), in double; -infinity if a table has 0, or a site does not have its observed value. */
LBP_FN double lbp_factor_graph_logp(const lbp_factor_graph *g, const uint8_t *x) {
  double sum = 0.0;
  size_t t;
  uint32_t i;
  for (i = 0; i < g->n; i++) {
    if (g->observed[i] >= 0 && g->observed[i] != x[i]) return -lbp_infinity();
  }
  for (t = 0; t < g->tables; t++) sum += g->cells[lbp_p_factors_cell(g, t, x)];
  return sum;
}

/* The largest K_i: LBP_CAT_STATES is this or more. */
LBP_FN uint32_t lbp_factor_graph_states(const lbp_factor_graph *g) {
  uint32_t i, most = 1;
  for (i = 0; i < g->n; i++) most = g->values[i] > most ? g->values[i] : most;
  return most;
}

/* ---- files: reading -------------------------------------------------------------------------------------------------
 *
 *   UAI      MARKOV or BAYES; n; values of each site; how many tables; of each how many sites and which; of each how
 *            many entries and the entries, weights, the last site fastest. In a BAYES file the last site of a table is
 *            given the others. Words are separated by blanks and line ends.
 *   .evid    observations for it: how many, and for each a site and its value; or, in older files, how many samples,
 *            and of each how many observations and these.
 *   .fg      libDAI's: # begins a comment; how many tables; of each how many sites, which, their values, how many
 *            entries follow, and for each its place, the first site fastest, and its weight. Others are 0. Sites in no
 *            table have one value.
 */

/* Formats of files. */
enum { LBP_FACTORS_UAI, LBP_FACTORS_FG };

/* An error in a file: its line and a sentence. In addition a warning: the number of rows of a BAYES file whose entries
 * do not add up to 1 within 1e-3, and the line of the first. */
typedef struct {
  uint64_t line;
  char     what[240];
  uint64_t uneven, uneven_line;
} lbp_factors_fault;

/* The words of a file in memory. */
typedef struct {
  const char *at, *end;
  uint64_t line, next_line; /* of the word; behind it */
  int comments;             /* # begins one */
  int status;
  char word[LBP_MODELS_WORD];
  lbp_factors_fault *fault;
} lbp_p_factors_text;

LBP_FN int lbp_p_factors_refuse(lbp_p_factors_text *t, int status, const char *format, ...) LBP_PRINTF_LIKE(3, 4);

LBP_FN int lbp_p_factors_refuse(lbp_p_factors_text *t, int status, const char *format, ...) {
  va_list arguments;
  if (t->status != LBP_OK) return t->status;
  t->status = status;
  t->fault->line = t->line;
  va_start(arguments, format);
  (void)vsnprintf(t->fault->what, sizeof t->fault->what, format, arguments);
  va_end(arguments);
  return status;
}

LBP_FN void lbp_p_factors_begin(lbp_p_factors_text *t, const void *bytes, size_t size, int comments,
                                lbp_factors_fault *fault) {
  memset(t, 0, sizeof *t);
  memset(fault, 0, sizeof *fault);
  t->at = (const char *)bytes;
  t->end = t->at + size;
  t->line = t->next_line = 1;
  t->comments = comments;
  t->fault = fault;
}

/* Takes the next word; 0: there is none, or something is wrong with it. */
LBP_FN int lbp_p_factors_word(lbp_p_factors_text *t) {
  size_t length = 0;
  int comment = 0;
  for (; t->at < t->end; t->at++) {
    if (t->comments && *t->at == '#') comment = 1;
    if (*t->at == '\n') t->next_line++, comment = 0;
    else if (!comment && *t->at != ' ' && *t->at != '\t' && *t->at != '\r') break;
  }
  if (t->at < t->end) t->line = t->next_line;
  for (; t->at < t->end && *t->at != ' ' && *t->at != '\t' && *t->at != '\r' && *t->at != '\n'; t->at++) {
    const unsigned char c = (unsigned char)*t->at;
    if (t->comments && c == '#') break;
    if (c < 33 || c > 126) {
      lbp_p_factors_refuse(t, LBP_E_FORMAT, "a byte is %u, no character of a text file: is the file compressed?",
                           (unsigned)c);
      return 0;
    }
    if (length == sizeof t->word - 1) {
      lbp_p_factors_refuse(t, LBP_E_FORMAT, "a word has more than 63 characters: %.20s...", t->word);
      return 0;
    }
    t->word[length++] = (char)c;
    t->word[length] = '\0';
  }
  return length > 0;
}

/* The next word, a whole number of least ... most. `what` names it; of which table, -1: of none. */
LBP_FN int lbp_p_factors_whole(lbp_p_factors_text *t, uint64_t least, uint64_t most, int status, const char *what,
                               int64_t table, uint64_t *value) {
  char of[48] = "";
  *value = 0;
  if (table >= 0) (void)snprintf(of, sizeof of, " of table %lld", (long long)table);
  if (!lbp_p_factors_word(t)) {
    return lbp_p_factors_refuse(t, LBP_E_FORMAT, "the file ends where %s%s should be: is it cut off?", what, of);
  }
  if (!lbp_models_is_whole(t->word, value)) {
    return lbp_p_factors_refuse(t, LBP_E_FORMAT, "%s%s is %s, not a whole number", what, of, t->word);
  }
  if (*value >= least && *value <= most) return LBP_OK;
  return lbp_p_factors_refuse(t, status, "%s%s is %s, not %llu to %llu", what, of, t->word, (unsigned long long)least,
                              (unsigned long long)most);
}

/* The next word, a weight, as a logarithm. */
LBP_FN int lbp_p_factors_weight(lbp_p_factors_text *t, size_t entry, size_t table, double *value) {
  char which; /* the first digit that is not 0, if it comes before an exponent */
  *value = 0;
  if (!lbp_p_factors_word(t)) {
    return lbp_p_factors_refuse(t, LBP_E_FORMAT, "the file ends where entry %llu of table %llu should be: is it cut "
                                "off?", (unsigned long long)entry, (unsigned long long)table);
  }
  if (lbp_models_is_not_finite(t->word)) {
    return lbp_p_factors_refuse(t, LBP_E_NOT_FINITE, "entry %llu of table %llu is %s: weights are finite numbers",
                                (unsigned long long)entry, (unsigned long long)table, t->word);
  }
  if (!lbp_models_is_number(t->word, value)) {
    return lbp_p_factors_refuse(t, LBP_E_FORMAT, "entry %llu of table %llu is %s, not a number such as 0.25 or 1e-6",
                                (unsigned long long)entry, (unsigned long long)table, t->word);
  }
  if (!lbp_is_finite(*value)) {
    return lbp_p_factors_refuse(t, LBP_E_RANGE, "entry %llu of table %llu is %s, beyond the range of a double",
                                (unsigned long long)entry, (unsigned long long)table, t->word);
  }
  which = t->word[strcspn(t->word, "123456789eE")];
  if (!(*value > 0 || *value < 0) && which >= '1' && which <= '9') {
    return lbp_p_factors_refuse(t, LBP_E_RANGE, "entry %llu of table %llu is %s, too small for a double: multiply the "
                                "table's entries by a constant, or write 0", (unsigned long long)entry,
                                (unsigned long long)table, t->word);
  }
  if (*value < 0) {
    return lbp_p_factors_refuse(t, LBP_E_RANGE, "entry %llu of table %llu is %s: weights are not negative (write "
                                "exp(-energy))", (unsigned long long)entry, (unsigned long long)table, t->word);
  }
  *value = *value > 0 ? log(*value) : -lbp_infinity();
  return LBP_OK;
}

LBP_FN int lbp_p_factors_too_large(lbp_p_factors_text *t, size_t table) {
  return lbp_p_factors_refuse(t, LBP_E_SIZE, "table %llu has more than %lu entries, by its sites' values",
                              (unsigned long long)table, (unsigned long)LBP_FACTORS_CELLS);
}

/* The sites of a table, in the file's order, to sites[]; checks that none comes twice. */
LBP_FN int lbp_p_factors_sites(lbp_p_factors_text *t, uint64_t n, size_t table, uint64_t *arity, uint32_t *sites) {
  uint64_t site;
  uint32_t a, b;
  if (lbp_p_factors_whole(t, 0, UINT64_MAX, LBP_E_SIZE, "the number of sites", (int64_t)table, arity) != LBP_OK) {
    return t->status;
  }
  if (*arity > LBP_FACTORS_ARITY) {
    return lbp_p_factors_refuse(t, LBP_E_SIZE, "table %llu has %s sites, more than %d: define a larger "
                                "LBP_FACTORS_ARITY, up to 30", (unsigned long long)table, t->word, LBP_FACTORS_ARITY);
  }
  for (a = 0; a < *arity; a++) {
    if (lbp_p_factors_whole(t, 0, n - 1, LBP_E_INDEX, "a site", (int64_t)table, &site) != LBP_OK) return t->status;
    sites[a] = (uint32_t)site;
    for (b = 0; b < a; b++) {
      if (sites[b] != sites[a]) continue;
      return lbp_p_factors_refuse(t, LBP_E_INDEX, "site %s comes twice in table %llu: name each site once", t->word,
                                  (unsigned long long)table);
    }
  }
  return LBP_OK;
}

/* No word is left. */
LBP_FN int lbp_p_factors_over(lbp_p_factors_text *t) {
  if (t->status == LBP_OK && lbp_p_factors_word(t)) {
    lbp_p_factors_refuse(t, LBP_E_FORMAT, "there is more than the file's numbers state: %s", t->word);
  }
  return t->status;
}

/* Adds a table that was read; a table all of whose entries are 0 is refused. */
LBP_FN int lbp_p_factors_keep(lbp_p_factors_text *t, lbp_factor_graph *g, uint32_t arity, const uint32_t *scope,
                              size_t cells, const double *logs) {
  size_t k;
  for (k = 0; k < cells && !lbp_is_finite(logs[k]); k++) continue;
  if (k == cells) {
    return lbp_p_factors_refuse(t, LBP_E_IMPOSSIBLE, "all entries of table %llu are 0, so no state is possible",
                                (unsigned long long)g->tables);
  }
  if (lbp_p_factors_append(g, arity, scope, cells, logs) == LBP_OK) return LBP_OK;
  return lbp_p_factors_refuse(t, LBP_E_MEMORY, "table %llu: %s", (unsigned long long)g->tables,
                              lbp_error(LBP_E_MEMORY));
}

/* Counts rows of a Bayesian network's table, each of `row` entries, that do not add up to 1. */
LBP_FN void lbp_p_factors_rows(lbp_factors_fault *fault, uint64_t line, const double *logs, size_t cells, size_t row) {
  size_t k, v;
  for (k = 0; k < cells; k += row) {
    double sum = 0.0;
    for (v = 0; v < row; v++) sum += exp(logs[k + v]);
    if (fabs(sum - 1.0) <= 1e-3) continue;
    if (fault->uneven++ == 0) fault->uneven_line = line;
  }
}

/* The entries of a UAI file's tables, whose scopes, first fastest, are in scope[begin[t] ...). */
LBP_FN int lbp_p_factors_uai_tables(lbp_p_factors_text *t, lbp_factor_graph *g, size_t tables, const size_t *begin,
                                    const uint32_t *scope) {
  double *logs = NULL;
  size_t room = 0, k, entry;
  uint64_t said, line;
  for (k = 0; k < tables && t->status == LBP_OK; k++) {
    const uint32_t arity = (uint32_t)(begin[k + 1] - begin[k]), *sites = scope + begin[k];
    const uint64_t cells = lbp_p_factors_cells(g->values, arity, sites);
    if (cells == 0) {
      lbp_p_factors_too_large(t, k);
      break;
    }
    if (lbp_p_factors_whole(t, 0, UINT64_MAX, LBP_E_SIZE, "the number of entries", (int64_t)k, &said) != LBP_OK) break;
    line = t->line;
    if (said != cells) {
      lbp_p_factors_refuse(t, LBP_E_FORMAT, "table %llu states %s entries, but its sites' values make %llu",
                           (unsigned long long)k, t->word, (unsigned long long)cells);
      break;
    }
    for (entry = 0; entry < cells && t->status == LBP_OK; entry++) {
      if (!lbp_p_factors_grow(&logs, &room, entry, 1, sizeof *logs)) {
        lbp_p_factors_refuse(t, LBP_E_MEMORY, "table %llu: %s", (unsigned long long)k, lbp_error(LBP_E_MEMORY));
        break;
      }
      lbp_p_factors_weight(t, entry, k, &logs[entry]);
    }
    if (t->status != LBP_OK) break;
    if (g->bayes && arity > 0) lbp_p_factors_rows(t->fault, line, logs, (size_t)cells, g->values[sites[0]]);
    lbp_p_factors_keep(t, g, arity, sites, (size_t)cells, logs);
  }
  free(logs);
  return t->status;
}

/* The scopes of a UAI file's tables, then these. */
LBP_FN int lbp_p_factors_uai_scopes(lbp_p_factors_text *t, lbp_factor_graph *g) {
  size_t *begin = NULL, begins = 0, scopes = 0, used = 0, k;
  uint32_t sites[LBP_FACTORS_ARITY + 1], *scope = NULL, a;
  uint64_t tables, arity;
  lbp_p_factors_whole(t, 0, LBP_MAX_SITES, LBP_E_SIZE, "the number of tables", -1, &tables);
  for (k = 0; t->status == LBP_OK && k <= tables; k++) {
    if (!lbp_p_factors_grow(&begin, &begins, k, 1, sizeof *begin)) {
      lbp_p_factors_refuse(t, LBP_E_MEMORY, "table %llu: %s", (unsigned long long)k, lbp_error(LBP_E_MEMORY));
      break;
    }
    begin[k] = used;
    if (k == tables || lbp_p_factors_sites(t, g->n, k, &arity, sites) != LBP_OK) break;
    if (!lbp_p_factors_grow(&scope, &scopes, used, (size_t)arity + 1, sizeof *scope)) {
      lbp_p_factors_refuse(t, LBP_E_MEMORY, "table %llu: %s", (unsigned long long)k, lbp_error(LBP_E_MEMORY));
      break;
    }
    for (a = 0; a < arity; a++) scope[used + a] = sites[arity - 1 - a];
    used += (size_t)arity;
  }
  if (t->status == LBP_OK) lbp_p_factors_uai_tables(t, g, (size_t)tables, begin, scope);
  free(begin);
  free(scope);
  return t->status;
}

LBP_FN int lbp_p_factors_uai(lbp_p_factors_text *t, lbp_factor_graph *g) {
  uint32_t *values = NULL;
  size_t room = 0;
  uint64_t n, value, i;
  int bayes, status;
  if (!lbp_p_factors_word(t)) return lbp_p_factors_refuse(t, LBP_E_FORMAT, "the file is empty");
  bayes = strcmp(t->word, "BAYES") == 0;
  if (!bayes && strcmp(t->word, "MARKOV") != 0) {
    return lbp_p_factors_refuse(t, LBP_E_FORMAT, "the first word is %s, neither MARKOV nor BAYES: libDAI's .fg files "
                                "are read as LBP_FACTORS_FG, .erg files are to be converted to UAI", t->word);
  }
  lbp_p_factors_whole(t, 1, LBP_MAX_SITES, LBP_E_SIZE, "the number of sites", -1, &n);
  for (i = 0; t->status == LBP_OK && i < n; i++) {
    if (lbp_p_factors_whole(t, 1, LBP_FACTORS_VALUES, LBP_E_RANGE, "a site's number of values", -1, &value) != LBP_OK) {
      break;
    }
    if (!lbp_p_factors_grow(&values, &room, (size_t)i, 1, sizeof *values)) {
      lbp_p_factors_refuse(t, LBP_E_MEMORY, "site %llu: %s", (unsigned long long)i, lbp_error(LBP_E_MEMORY));
      break;
    }
    values[i] = (uint32_t)value;
  }
  if (t->status == LBP_OK) {
    status = lbp_factor_graph_init(g, (uint32_t)n, values);
    if (status != LBP_OK) lbp_p_factors_refuse(t, status, "%llu sites: %s", (unsigned long long)n, lbp_error(status));
    g->bayes = bayes;
  }
  free(values);
  if (t->status == LBP_OK) lbp_p_factors_uai_scopes(t, g);
  return lbp_p_factors_over(t);
}

/* Data of an .fg file while it is read: first the sites' values, then the tables. */
typedef struct {
  uint32_t *values; /* [room], 0: not known yet */
  size_t room;
  uint32_t n;       /* the largest site, and 1 */
} lbp_p_factors_fg_sites;

enum { LBP_P_FG_SITES = 1 << 24 }; /* at most: memory is theirs, whatever the file's length */

/* The sites of one of an .fg file's tables, and their values; checked against those in other tables. */
LBP_FN int lbp_p_factors_fg_scope(lbp_p_factors_text *t, lbp_p_factors_fg_sites *s, size_t table, uint64_t *arity,
                                  uint32_t *sites) {
  uint64_t value;
  uint32_t a;
  if (lbp_p_factors_sites(t, LBP_P_FG_SITES, table, arity, sites) != LBP_OK) return t->status;
  for (a = 0; a < *arity; a++) {
    if (lbp_p_factors_whole(t, 1, LBP_FACTORS_VALUES, LBP_E_RANGE, "a site's number of values", (int64_t)table,
                            &value) != LBP_OK) {
      return t->status;
    }
    if (sites[a] >= s->n) {
      if (!lbp_p_factors_grow(&s->values, &s->room, s->n, sites[a] + 1 - s->n, sizeof *s->values)) {
        return lbp_p_factors_refuse(t, LBP_E_MEMORY, "site %lu: %s", (unsigned long)sites[a], lbp_error(LBP_E_MEMORY));
      }
      memset(s->values + s->n, 0, (sites[a] + 1 - s->n) * sizeof *s->values);
      s->n = sites[a] + 1;
    }
    if (s->values[sites[a]] > 0 && s->values[sites[a]] != value) {
      return lbp_p_factors_refuse(t, LBP_E_FORMAT, "site %lu has %s values in table %llu, but %lu in one before",
                                  (unsigned long)sites[a], t->word, (unsigned long long)table,
                                  (unsigned long)s->values[sites[a]]);
    }
    s->values[sites[a]] = (uint32_t)value;
  }
  return LBP_OK;
}

/* One of an .fg file's tables, of which the scope is known; it goes to g, or with g NULL is passed over. */
LBP_FN int lbp_p_factors_fg_table(lbp_p_factors_text *t, lbp_factor_graph *g, const uint32_t *values, size_t table,
                                  uint32_t arity, const uint32_t *sites) {
  const uint64_t cells = lbp_p_factors_cells(values, arity, sites);
  uint64_t count, k, place;
  double *logs = NULL, value;
  if (cells == 0) {
    return lbp_p_factors_too_large(t, table);
  }
  if (lbp_p_factors_whole(t, 0, cells, LBP_E_FORMAT, "the number of entries", (int64_t)table, &count) != LBP_OK) {
    return t->status;
  }
  if (g) {
    logs = (double *)malloc((size_t)cells * sizeof *logs);
    if (!logs) {
      return lbp_p_factors_refuse(t, LBP_E_MEMORY, "table %llu: %s", (unsigned long long)table,
                                  lbp_error(LBP_E_MEMORY));
    }
    for (k = 0; k < cells; k++) logs[k] = -lbp_infinity();
  }
  for (k = 0; k < count && t->status == LBP_OK; k++) {
    if (lbp_p_factors_whole(t, 0, cells - 1, LBP_E_INDEX, "the place of an entry", (int64_t)table, &place) != LBP_OK) {
      break;
    }
    if (lbp_p_factors_weight(t, (size_t)place, table, &value) == LBP_OK && logs) logs[place] = value;
  }
  if (g && t->status == LBP_OK) lbp_p_factors_keep(t, g, arity, sites, (size_t)cells, logs);
  free(logs);
  return t->status;
}

/* An .fg file is read twice: first for the sites' values, which come table by table. */
LBP_FN int lbp_p_factors_fg(lbp_p_factors_text *t, lbp_factor_graph *g) {
  const lbp_p_factors_text begin = *t;
  lbp_p_factors_fg_sites s;
  uint32_t sites[LBP_FACTORS_ARITY + 1], i;
  uint64_t tables, arity, k;
  int round, status;
  memset(&s, 0, sizeof s);
  for (round = 0; round < 2 && t->status == LBP_OK; round++) {
    *t = begin;
    if (t->end - t->at > 0 && lbp_p_factors_word(t) && t->word[0] == '/' && t->word[1] == '*') {
      lbp_p_factors_refuse(t, LBP_E_FORMAT, "the file begins with a comment of .erg files, which are not read: "
                           "convert it to UAI");
      break;
    }
    *t = begin;
    if (lbp_p_factors_whole(t, 1, LBP_MAX_SITES, LBP_E_SIZE, "the number of tables", -1, &tables) != LBP_OK) break;
    for (k = 0; k < tables && t->status == LBP_OK; k++) {
      if (lbp_p_factors_fg_scope(t, &s, (size_t)k, &arity, sites) != LBP_OK) break;
      lbp_p_factors_fg_table(t, round ? g : NULL, s.values, (size_t)k, (uint32_t)arity, sites);
    }
    lbp_p_factors_over(t);
    if (round || t->status != LBP_OK) break;
    if (s.n == 0) {
      lbp_p_factors_refuse(t, LBP_E_FORMAT, "no table has a site");
      break;
    }
    for (i = 0; i < s.n; i++) s.values[i] = s.values[i] == 0 ? 1 : s.values[i];
    status = lbp_factor_graph_init(g, s.n, s.values);
    if (status != LBP_OK) lbp_p_factors_refuse(t, status, "%lu sites: %s", (unsigned long)s.n, lbp_error(status));
  }
  free(s.values);
  return t->status;
}

/* Makes the graph that a file's bytes describe; format is LBP_FACTORS_UAI or LBP_FACTORS_FG. Free it afterwards. *fault
 * has the line and sentence of an error, and the warning in all cases. Returns LBP_OK, or LBP_E_NULL; LBP_E_RANGE:
 * format, an entry or a number of values; LBP_E_FORMAT, LBP_E_SIZE, LBP_E_INDEX, LBP_E_NOT_FINITE, LBP_E_IMPOSSIBLE (a
 * table of zeros), LBP_E_MEMORY. */
LBP_FN int lbp_factor_graph_parse(lbp_factor_graph *g, int format, const void *bytes, size_t size,
                                  lbp_factors_fault *fault) {
  lbp_p_factors_text t;
  if (g) memset(g, 0, sizeof *g);
  if (!g || !fault || (size > 0 && !bytes)) return LBP_E_NULL;
  lbp_p_factors_begin(&t, size > 0 ? bytes : "", size, format == LBP_FACTORS_FG, fault);
  if (format == LBP_FACTORS_UAI) lbp_p_factors_uai(&t, g);
  else if (format == LBP_FACTORS_FG) lbp_p_factors_fg(&t, g);
  else lbp_p_factors_refuse(&t, LBP_E_RANGE, "format %d is neither LBP_FACTORS_UAI nor LBP_FACTORS_FG", format);
  if (t.status != LBP_OK) lbp_factor_graph_free(g);
  return t.status;
}

/* The next `count` observations, pairs of a site and its value; keep: g gets them, else they are checked only. */
LBP_FN int lbp_p_factors_seen(lbp_p_factors_text *t, lbp_factor_graph *g, uint64_t count, int keep) {
  uint64_t k, site, value;
  for (k = 0; k < count && t->status == LBP_OK; k++) {
    if (lbp_p_factors_whole(t, 0, g->n - 1, LBP_E_INDEX, "an observed site", -1, &site) != LBP_OK) break;
    if (lbp_p_factors_whole(t, 0, g->values[site] - 1, LBP_E_RANGE, "an observed site's value", -1, &value) != LBP_OK) {
      break;
    }
    if (keep && lbp_factor_graph_observe(g, (uint32_t)site, (uint32_t)value) != LBP_OK) {
      lbp_p_factors_refuse(t, LBP_E_STATE, "site %llu was observed to be %ld, and here to be %s",
                           (unsigned long long)site, (long)g->observed[site], t->word);
    }
  }
  return t->status;
}

/* How many words are left; none is. */
LBP_FN uint64_t lbp_p_factors_count(lbp_p_factors_text *t) {
  uint64_t words = 0;
  while (lbp_p_factors_word(t)) words++;
  return words;
}

/* Whether the file's rest is `samples` samples, each with its number of observations; `lines`: each on a line of its
 * own. */
LBP_FN int lbp_p_factors_are_samples(lbp_p_factors_text t, lbp_factor_graph *g, uint64_t samples, int lines) {
  lbp_factors_fault unread;
  uint64_t k, count, line = t.line;
  int apart = 1;
  t.fault = &unread;
  for (k = 0; k < samples && t.status == LBP_OK; k++) {
    lbp_p_factors_whole(&t, 0, g->n, LBP_E_SIZE, "the number of observations", -1, &count);
    apart &= t.line > line;
    line = t.line;
    if (t.status == LBP_OK) lbp_p_factors_seen(&t, g, count, 0);
    apart &= t.line == line;
  }
  return lbp_p_factors_over(&t) == LBP_OK && samples > 0 && (apart || !lines);
}

/* Adds the observations of an .evid file's bytes to g. sample: of a file that has several, which one, from 0; -1: the
 * file must have one. Numbers that could be read both ways are samples if each stands on a line of its own. A fault as
 * for lbp_factor_graph_parse; g then has some of the observations. LBP_E_NULL; LBP_E_FORMAT; LBP_E_INDEX: a site, or
 * there is no such sample; LBP_E_RANGE: a value; LBP_E_STATE: a site with two values. */
LBP_FN int lbp_factor_graph_parse_evidence(lbp_factor_graph *g, const void *bytes, size_t size, int64_t sample,
                                           lbp_factors_fault *fault) {
  lbp_p_factors_text t, ahead;
  uint64_t words, first, count, k;
  if (!g || !g->values || !fault || (size > 0 && !bytes)) return LBP_E_NULL;
  lbp_p_factors_begin(&t, size > 0 ? bytes : "", size, 0, fault);
  ahead = t;
  words = lbp_p_factors_count(&ahead);
  if (ahead.status != LBP_OK) return ahead.status;
  if (words == 0) {
    return lbp_p_factors_refuse(&t, LBP_E_FORMAT, "the file is empty: write 0 where nothing was observed");
  }
  if (lbp_p_factors_whole(&t, 0, LBP_MAX_SITES, LBP_E_SIZE, "the number of observations", -1, &first) != LBP_OK) {
    return t.status;
  }
  if (words == 1 + 2 * first && !lbp_p_factors_are_samples(t, g, first, 1)) { /* the newer kind: how many, pairs */
    if (sample > 0) {
      return lbp_p_factors_refuse(&t, LBP_E_INDEX, "sample %lld was asked for, but the file has one, sample 0",
                                  (long long)sample);
    }
    lbp_p_factors_seen(&t, g, first, 1);
    return lbp_p_factors_over(&t);
  }
  if (words == 2 && first == 1) {
    return lbp_p_factors_refuse(&t, LBP_E_FORMAT, "an observation lacks its value: is the file cut off? Write 0 alone "
                                "where nothing was observed");
  }
  if (sample < 0 && first > 1) { /* are these samples, or a file that is cut off? */
    if (lbp_p_factors_are_samples(t, g, first, 0)) {
      return lbp_p_factors_refuse(&t, LBP_E_FORMAT, "the file has %llu samples: ask for one of them, 0 to %llu",
                                  (unsigned long long)first, (unsigned long long)first - 1);
    }
    return lbp_p_factors_refuse(&t, LBP_E_FORMAT, "the file states %llu observations, which take %llu numbers, and "
                                "has %llu", (unsigned long long)first, 2 * (unsigned long long)first,
                                (unsigned long long)words - 1);
  }
  if (sample >= (int64_t)first) {
    return lbp_p_factors_refuse(&t, LBP_E_INDEX, "sample %lld was asked for, but the file has %llu, from 0",
                                (long long)sample, (unsigned long long)first);
  }
  for (k = 0; k < first && t.status == LBP_OK; k++) { /* the older kind: samples */
    lbp_p_factors_whole(&t, 0, g->n, LBP_E_SIZE, "the number of observations", -1, &count);
    if (t.status == LBP_OK) lbp_p_factors_seen(&t, g, count, (int64_t)k == (sample < 0 ? 0 : sample));
  }
  return lbp_p_factors_over(&t);
}

/* The bytes of a file, to be freed; NULL: out of memory, or reading has failed: see *status. */
LBP_FN void *lbp_p_factors_slurp(FILE *file, size_t *size, int *status) {
  void *bytes = NULL;
  size_t room = 0, got;
  *size = 0;
  do {
    if (!lbp_p_factors_grow(&bytes, &room, *size, 65536, 1)) {
      free(bytes);
      *status = LBP_E_MEMORY;
      return NULL;
    }
    got = fread((char *)bytes + *size, 1, 65536, file);
    *size += got;
  } while (got > 0);
  *status = ferror(file) ? LBP_E_FILE : LBP_OK;
  if (*status != LBP_OK) free(bytes);
  return *status == LBP_OK ? bytes : NULL;
}

/* Whether a file could be read, in the fault as well. */
LBP_FN int lbp_p_factors_told(int status, lbp_factors_fault *fault) {
  memset(fault, 0, sizeof *fault);
  (void)snprintf(fault->what, sizeof fault->what, "%s", lbp_error(status));
  return status;
}

/* lbp_factor_graph_parse of an open file, from its position to its end; also LBP_E_FILE. */
LBP_FN int lbp_factor_graph_read(lbp_factor_graph *g, int format, FILE *file, lbp_factors_fault *fault) {
  size_t size;
  void *bytes;
  int status;
  if (g) memset(g, 0, sizeof *g);
  if (!g || !file || !fault) return LBP_E_NULL;
  bytes = lbp_p_factors_slurp(file, &size, &status);
  if (!bytes) return lbp_p_factors_told(status, fault);
  status = lbp_factor_graph_parse(g, format, bytes, size, fault);
  free(bytes);
  return status;
}

/* lbp_factor_graph_parse_evidence of a file; also LBP_E_FILE. */
LBP_FN int lbp_factor_graph_read_evidence(lbp_factor_graph *g, FILE *file, int64_t sample, lbp_factors_fault *fault) {
  size_t size;
  void *bytes;
  int status;
  if (!g || !file || !fault) return LBP_E_NULL;
  bytes = lbp_p_factors_slurp(file, &size, &status);
  if (!bytes) return lbp_p_factors_told(status, fault);
  status = lbp_factor_graph_parse_evidence(g, bytes, size, sample, fault);
  free(bytes);
  return status;
}

/* ---- files: writing ---------------------------------------------------------------------------------------------- */

/* A number with a point, in any locale. */
LBP_FN void lbp_p_factors_print(FILE *file, double value, int digits, char before) {
  char text[40];
  size_t k;
  (void)snprintf(text, sizeof text, "%.*g", digits, value);
  for (k = 0; text[k]; k++) {
    if (!strchr("0123456789+-einfa", text[k])) text[k] = '.';
  }
  (void)fprintf(file, "%c%s", before, text);
}

/* Whether all that was printed is on its way. */
LBP_FN int lbp_p_factors_written(FILE *file) { return fflush(file) == 0 && !ferror(file) ? LBP_OK : LBP_E_FILE; }

/* Writes the graph as a UAI file without observations, MARKOV, or BAYES if it was read from such a file. Weights have
 * 17 digits. LBP_E_NULL; LBP_E_RANGE: a weight below 3.4e-308 or above 8.2e307, of which a double would keep fewer
 * digits, or none; LBP_E_FILE. */
LBP_FN int lbp_factor_graph_write(const lbp_factor_graph *g, FILE *file) {
  size_t t, k;
  uint32_t i;
  if (!g || !file || !g->values) return LBP_E_NULL;
  for (k = 0; k < g->cell_at[g->tables]; k++) {
    if (lbp_is_finite(g->cells[k]) && !(g->cells[k] > -708.0 && g->cells[k] < 709.0)) return LBP_E_RANGE;
  }
  (void)fprintf(file, "%s\n%lu\n", g->bayes ? "BAYES" : "MARKOV", (unsigned long)g->n);
  for (i = 0; i < g->n; i++) (void)fprintf(file, "%lu%c", (unsigned long)g->values[i], i + 1 < g->n ? ' ' : '\n');
  (void)fprintf(file, "%llu\n", (unsigned long long)g->tables);
  for (t = 0; t < g->tables; t++) {
    (void)fprintf(file, "%llu", (unsigned long long)(g->scope_at[t + 1] - g->scope_at[t]));
    for (k = g->scope_at[t + 1]; k > g->scope_at[t]; k--) (void)fprintf(file, " %lu", (unsigned long)g->scope[k - 1]);
    (void)fputc('\n', file);
  }
  for (t = 0; t < g->tables; t++) {
    (void)fprintf(file, "%llu\n", (unsigned long long)(g->cell_at[t + 1] - g->cell_at[t]));
    for (k = g->cell_at[t]; k < g->cell_at[t + 1]; k++) lbp_p_factors_print(file, exp(g->cells[k]), 17, ' ');
    (void)fputc('\n', file);
  }
  return lbp_p_factors_written(file);
}

/* Writes the answer to the task MAR: marginals [n][states] of all sites, 6 digits. states: the length of a row.
 * LBP_E_NULL; LBP_E_FILE. */
LBP_FN int lbp_factor_graph_write_mar(const lbp_factor_graph *g, const double *marginal, uint32_t states, FILE *file) {
  uint32_t i, v;
  if (!g || !marginal || !file) return LBP_E_NULL;
  (void)fprintf(file, "MAR\n%lu", (unsigned long)g->n);
  for (i = 0; i < g->n; i++) {
    (void)fprintf(file, " %lu", (unsigned long)g->values[i]);
    for (v = 0; v < g->values[i]; v++) lbp_p_factors_print(file, marginal[(size_t)i * states + v], 9, ' ');
  }
  (void)fputc('\n', file);
  return lbp_p_factors_written(file);
}

/* Writes the answer to the task PR: log10 of Z, from log_z, its natural logarithm. LBP_E_NULL; LBP_E_FILE. */
LBP_FN int lbp_factor_graph_write_pr(double log_z, FILE *file) {
  if (!file) return LBP_E_NULL;
  (void)fputs("PR", file);
  lbp_p_factors_print(file, log_z / 2.302585092994045684, 9, '\n');
  (void)fputc('\n', file);
  return lbp_p_factors_written(file);
}

/* Writes the answer to the task MPE: the state x. LBP_E_NULL; LBP_E_FILE. */
LBP_FN int lbp_factor_graph_write_mpe(const lbp_factor_graph *g, const uint8_t *x, FILE *file) {
  uint32_t i;
  if (!g || !x || !file) return LBP_E_NULL;
  (void)fprintf(file, "MPE\n%lu", (unsigned long)g->n);
  for (i = 0; i < g->n; i++) (void)fprintf(file, " %u", (unsigned)x[i]);
  (void)fputc('\n', file);
  return lbp_p_factors_written(file);
}

/* ---- elimination ----------------------------------------------------------------------------------------------------
 *
 * Sites are taken out one by one: the tables that have site i become one over i and its neighbours, its cluster; the
 * sum over x_i, or the maximum, is a new table over the neighbours. The sites that remain, the core, have the same
 * law, or maxima; each eliminated site is put back given its cluster's others, in reverse. If no site remains, all
 * answers are exact. Sites that were observed, or have one value, are left out from the beginning.
 */

/* Flags of lbp_eliminate; add them up. */
enum {
  LBP_ELIMINATE_MAXIMUM = 1, /* maxima, for the best state; else sums */
  LBP_ELIMINATE_ALL = 2      /* all sites, least new neighbours first, or nothing; else, cheapest first, those whose
                                cluster is small enough */
};

/* In core_of: the site is not of the core; in parent: there is none. */
#define LBP_FACTORS_NO_CORE UINT32_MAX

typedef struct {
  uint32_t  n, states;     /* sites of the graph, and their largest number of values */
  int       maximum;
  uint32_t *values;        /* [n] */
  int32_t  *fixed;         /* [n] the value that was observed, 0 where there is only one, or -1 */
  uint32_t  eliminated;
  size_t   *scope_at;      /* [eliminated + 1] cluster k has sites scope[scope_at[k]] ..., first the k-th to go */
  uint32_t *scope;
  size_t   *cell_at;       /* [eliminated + 1] and of these p(its site | the others), its value fastest; relative */
  double   *cells;         /* to the largest, which is 1, where there are maxima */
  uint32_t *parent;        /* [eliminated] the cluster with all its others but core sites; LBP_FACTORS_NO_CORE: none */
  uint32_t *core_of;       /* [n] the number in the core, or LBP_FACTORS_NO_CORE */
  uint32_t *core_site;     /* [core.n] the site in the graph */
  size_t    largest;       /* cells of the largest cluster */
  double    log_constant;  /* log Z of the graph is this and log Z of the core, which is 0 if that has no site; with
                              LBP_ELIMINATE_MAXIMUM the same of the largest log pi */
  lbp_factor_graph core;   /* n is 0 if nothing is left */
} lbp_elimination;

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_elimination_free(lbp_elimination *e) {
  if (!e) return;
  free(e->values);
  free(e->fixed);
  free(e->scope_at);
  free(e->scope);
  free(e->cell_at);
  free(e->cells);
  free(e->parent);
  free(e->core_of);
  free(e->core_site);
  lbp_factor_graph_free(&e->core);
  memset(e, 0, sizeof *e);
}

/* A plan is made first, from the graph alone: who has which neighbours, in increasing order, while sites go. */
typedef struct {
  uint32_t *list;
  uint32_t count;
  size_t room;
} lbp_p_factors_set;

/* The cost of a site, in a heap of all that were ever known: old ones have another `version`. */
typedef struct {
  uint64_t first, second;
  uint32_t site, version;
} lbp_p_factors_cost;

typedef struct {
  uint32_t n;
  const uint32_t *values;
  const int32_t *fixed;
  lbp_p_factors_set *around; /* [n] */
  uint32_t *version;       /* [n] UINT32_MAX: the site is gone */
  uint8_t *stale;          /* [n] its cost is to be found again */
  lbp_p_factors_set stales;
  lbp_p_factors_cost *heap;
  size_t count, room;
  int fill;                /* fewest new neighbours first, then fewest cells; else the other way round */
  uint64_t each;           /* cells that a cluster may have */
  int status;
} lbp_p_factors_plan;

/* Where v is, or should be. */
LBP_FN uint32_t lbp_p_factors_place(const lbp_p_factors_set *s, uint32_t v) {
  uint32_t low = 0, high = s->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (s->list[middle] < v) low = middle + 1;
    else high = middle;
  }
  return low;
}

LBP_FN int lbp_p_factors_has(const lbp_p_factors_set *s, uint32_t v) {
  const uint32_t at = lbp_p_factors_place(s, v);
  return at < s->count && s->list[at] == v;
}

/* Returns 1 where v is new. */
LBP_FN int lbp_p_factors_insert(lbp_p_factors_plan *p, lbp_p_factors_set *s, uint32_t v) {
  const uint32_t at = lbp_p_factors_place(s, v);
  if (at < s->count && s->list[at] == v) return 0;
  if (!lbp_p_factors_grow(&s->list, &s->room, s->count, 1, sizeof *s->list)) {
    p->status = LBP_E_MEMORY;
    return 0;
  }
  memmove(s->list + at + 1, s->list + at, (s->count - at) * sizeof *s->list);
  s->list[at] = v;
  s->count++;
  return 1;
}

LBP_FN void lbp_p_factors_remove(lbp_p_factors_set *s, uint32_t v) {
  const uint32_t at = lbp_p_factors_place(s, v);
  memmove(s->list + at, s->list + at + 1, (s->count - at - 1) * sizeof *s->list);
  s->count--;
}

LBP_FN int lbp_p_factors_less(const lbp_p_factors_cost *a, const lbp_p_factors_cost *b) {
  if (a->first != b->first) return a->first < b->first;
  if (a->second != b->second) return a->second < b->second;
  return a->site < b->site;
}

LBP_FN void lbp_p_factors_push(lbp_p_factors_plan *p, lbp_p_factors_cost cost) {
  size_t at = p->count;
  if (!lbp_p_factors_grow(&p->heap, &p->room, p->count, 1, sizeof *p->heap)) {
    p->status = LBP_E_MEMORY;
    return;
  }
  p->count++;
  for (; at > 0 && lbp_p_factors_less(&cost, &p->heap[(at - 1) / 2]); at = (at - 1) / 2) {
    p->heap[at] = p->heap[(at - 1) / 2];
  }
  p->heap[at] = cost;
}

LBP_FN lbp_p_factors_cost lbp_p_factors_pop(lbp_p_factors_plan *p) {
  const lbp_p_factors_cost top = p->heap[0], last = p->heap[--p->count];
  size_t at = 0, child;
  while ((child = 2 * at + 1) < p->count) {
    if (child + 1 < p->count && lbp_p_factors_less(&p->heap[child + 1], &p->heap[child])) child++;
    if (!lbp_p_factors_less(&p->heap[child], &last)) break;
    p->heap[at] = p->heap[child];
    at = child;
  }
  if (p->count > 0) p->heap[at] = last;
  return top;
}

/* The cells of a site's cluster; 0: more than it may have. */
LBP_FN uint64_t lbp_p_factors_cluster(const lbp_p_factors_plan *p, uint32_t i) {
  uint64_t cells = p->values[i];
  uint32_t k;
  for (k = 0; k < p->around[i].count && cells <= p->each; k++) cells *= p->values[p->around[i].list[k]];
  return cells <= p->each ? cells : 0;
}

/* Finds the cost of a site; one whose cluster is too large gets no entry, until that has changed. */
LBP_FN void lbp_p_factors_judge(lbp_p_factors_plan *p, uint32_t i) {
  const lbp_p_factors_set *around = &p->around[i];
  const uint64_t cells = lbp_p_factors_cluster(p, i);
  lbp_p_factors_cost cost;
  uint64_t fill = 0;
  uint32_t a, b;
  p->version[i]++;
  if (cells == 0) return;
  for (a = 0; a < around->count; a++) {
    for (b = a + 1; b < around->count; b++) fill += !lbp_p_factors_has(&p->around[around->list[a]], around->list[b]);
  }
  cost.first = p->fill ? fill : cells;
  cost.second = p->fill ? cells : fill;
  cost.site = i;
  cost.version = p->version[i];
  lbp_p_factors_push(p, cost);
}

LBP_FN void lbp_p_factors_stale(lbp_p_factors_plan *p, uint32_t i) {
  if (p->stale[i]) return;
  if (!lbp_p_factors_grow(&p->stales.list, &p->stales.room, p->stales.count, 1, sizeof *p->stales.list)) {
    p->status = LBP_E_MEMORY;
    return;
  }
  p->stale[i] = 1;
  p->stales.list[p->stales.count++] = i;
}

/* Those that have both a and b around them lack one pair less. */
LBP_FN void lbp_p_factors_join(lbp_p_factors_plan *p, uint32_t a, uint32_t b) {
  const lbp_p_factors_set *s = &p->around[a], *t = &p->around[b];
  uint32_t k = 0, l = 0;
  while (k < s->count && l < t->count) {
    if (s->list[k] < t->list[l]) {
      k++;
    } else if (s->list[k] > t->list[l]) {
      l++;
    } else {
      lbp_p_factors_stale(p, s->list[k]);
      k++, l++;
    }
  }
}

/* Site i goes: its neighbours become each other's. */
LBP_FN void lbp_p_factors_take(lbp_p_factors_plan *p, uint32_t i) {
  const lbp_p_factors_set *around = &p->around[i];
  uint32_t a, b;
  for (a = 0; a < around->count; a++) {
    lbp_p_factors_remove(&p->around[around->list[a]], i);
    lbp_p_factors_stale(p, around->list[a]);
  }
  for (a = 0; a < around->count && p->status == LBP_OK; a++) {
    for (b = a + 1; b < around->count; b++) {
      if (!lbp_p_factors_insert(p, &p->around[around->list[a]], around->list[b])) continue;
      lbp_p_factors_insert(p, &p->around[around->list[b]], around->list[a]);
      lbp_p_factors_join(p, around->list[a], around->list[b]);
    }
  }
  p->version[i] = UINT32_MAX;
  for (a = 0; a < p->stales.count; a++) {
    const uint32_t j = p->stales.list[a];
    p->stale[j] = 0;
    if (p->version[j] != UINT32_MAX && p->status == LBP_OK) lbp_p_factors_judge(p, j);
  }
  p->stales.count = 0;
}

LBP_FN void lbp_p_factors_end_plan(lbp_p_factors_plan *p) {
  uint32_t i;
  for (i = 0; p->around && i < p->n; i++) free(p->around[i].list);
  free(p->around);
  free(p->version);
  free(p->stale);
  free(p->stales.list);
  free(p->heap);
}

/* Who is in a table with whom. */
LBP_FN void lbp_p_factors_begin_plan(lbp_p_factors_plan *p, const lbp_elimination *e, const lbp_factor_graph *g,
                                     uint64_t each, int fill) {
  size_t t, a, b;
  uint32_t i;
  memset(p, 0, sizeof *p);
  p->n = g->n;
  p->values = g->values;
  p->fixed = e->fixed;
  p->each = each;
  p->fill = fill;
  p->around = (lbp_p_factors_set *)calloc(g->n, sizeof *p->around);
  p->version = (uint32_t *)calloc(g->n, sizeof *p->version);
  p->stale = (uint8_t *)calloc(g->n, 1);
  p->status = p->around && p->version && p->stale ? LBP_OK : LBP_E_MEMORY;
  for (t = 0; t < g->tables && p->status == LBP_OK; t++) {
    for (a = g->scope_at[t]; a < g->scope_at[t + 1]; a++) {
      for (b = g->scope_at[t]; b < g->scope_at[t + 1]; b++) {
        const uint32_t i_a = g->scope[a], i_b = g->scope[b];
        if (a != b && e->fixed[i_a] < 0 && e->fixed[i_b] < 0) lbp_p_factors_insert(p, &p->around[i_a], i_b);
      }
    }
  }
  for (i = 0; i < g->n && p->status == LBP_OK; i++) {
    if (e->fixed[i] < 0) lbp_p_factors_judge(p, i);
  }
}

/* The order in which sites go, as clusters in e->scope, up to `all` cells of all. Returns whether no site is left. */
LBP_FN int lbp_p_factors_order(lbp_elimination *e, const lbp_factor_graph *g, uint64_t each, uint64_t all, int fill) {
  lbp_p_factors_plan p;
  size_t scopes = 0, clusters = 0, cells = 0;
  uint32_t left = 0, i;
  for (i = 0; i < g->n; i++) left += e->fixed[i] < 0;
  e->eliminated = 0;
  e->largest = 0;
  lbp_p_factors_begin_plan(&p, e, g, each, fill);
  free(e->scope_at), free(e->cell_at), free(e->scope);
  e->scope = NULL;
  e->scope_at = (size_t *)calloc((size_t)left + 1, sizeof *e->scope_at);
  e->cell_at = (size_t *)calloc((size_t)left + 1, sizeof *e->cell_at);
  if (!e->scope_at || !e->cell_at) p.status = LBP_E_MEMORY;
  while (p.count > 0 && p.status == LBP_OK) {
    const lbp_p_factors_cost cost = lbp_p_factors_pop(&p);
    const lbp_p_factors_set *around = &p.around[cost.site];
    const size_t cluster = (size_t)lbp_p_factors_cluster(&p, cost.site);
    if (cost.version != p.version[cost.site]) continue;
    if (cluster > all - cells) break;
    if (!lbp_p_factors_grow(&e->scope, &scopes, e->scope_at[clusters], around->count + 1, sizeof *e->scope)) {
      p.status = LBP_E_MEMORY;
      break;
    }
    e->scope[e->scope_at[clusters]] = cost.site;
    if (around->count > 0) {
      memcpy(e->scope + e->scope_at[clusters] + 1, around->list, around->count * sizeof *around->list);
    }
    cells += cluster;
    e->largest = cluster > e->largest ? cluster : e->largest;
    clusters++;
    e->scope_at[clusters] = e->scope_at[clusters - 1] + around->count + 1;
    e->cell_at[clusters] = cells;
    lbp_p_factors_take(&p, cost.site);
  }
  e->eliminated = (uint32_t)clusters;
  lbp_p_factors_end_plan(&p);
  if (p.status != LBP_OK) return -1;
  return e->eliminated == left;
}

/* A table while sites go, the first site fastest; cells NULL: it has become part of another. */
typedef struct {
  uint32_t *scope;
  uint32_t arity, next; /* next: the next table with the same bucket */
  double *cells;
} lbp_p_factors_live;

typedef struct {
  lbp_p_factors_live *table;
  uint32_t tables;
  size_t room;
  uint32_t *turn;   /* [n] which cluster eliminates a site; UINT32_MAX: none */
  uint32_t *bucket; /* [eliminated + 1] the first table that cluster k takes up; last the core's; or UINT32_MAX */
  uint32_t eliminated;
} lbp_p_factors_work;

/* Strides of a table, first fastest, for the sites of a cluster; 0 where it has not one of them. */
LBP_FN void lbp_p_factors_strides(const uint32_t *cluster, uint32_t sites, const uint32_t *scope, uint32_t arity,
                                  const uint32_t *values, size_t *stride) {
  size_t product = 1;
  uint32_t a, k;
  for (k = 0; k < sites; k++) stride[k] = 0;
  for (a = 0; a < arity; a++) {
    for (k = 0; k < sites; k++) stride[k] = cluster[k] == scope[a] ? product : stride[k];
    product *= values[scope[a]];
  }
}

/* A digit of a cluster's others goes up: brings `at`, which has these strides, to the next of their states. */
LBP_INLINE size_t lbp_p_factors_step(uint32_t sites, const uint32_t *radix, uint32_t *digit, const size_t *stride,
                                     size_t at) {
  uint32_t k;
  for (k = 1; k < sites; k++) {
    at += stride[k];
    if (++digit[k] < radix[k]) break;
    at -= stride[k] * radix[k];
    digit[k] = 0;
  }
  return at;
}

/* Multiplies a table into a cluster's cells. */
LBP_FN void lbp_p_factors_multiply(const uint32_t *cluster, uint32_t sites, const uint32_t *values,
                                   const lbp_p_factors_live *table, double *cells, size_t count) {
  uint32_t radix[LBP_P_FACTORS_WIDEST], digit[LBP_P_FACTORS_WIDEST] = {0}, k, v;
  size_t stride[LBP_P_FACTORS_WIDEST], at = 0, c;
  lbp_p_factors_strides(cluster, sites, table->scope, table->arity, values, stride);
  for (k = 0; k < sites; k++) radix[k] = values[cluster[k]];
  for (c = 0; c < count; c += radix[0]) {
    for (v = 0; v < radix[0]; v++) cells[c + v] += table->cells[at + v * stride[0]];
    at = lbp_p_factors_step(sites, radix, digit, stride, at);
  }
}

/* Logarithms of a cluster's cells become conditionals of its site, and *out the sums, or maxima. */
LBP_FN void lbp_p_factors_sum_out(double *cells, size_t count, uint32_t values, int maximum, double *out) {
  size_t c;
  uint32_t v;
  for (c = 0; c < count; c += values, out++) {
    double most = cells[c], sum = 0.0;
    for (v = 1; v < values; v++) most = cells[c + v] > most ? cells[c + v] : most;
    for (v = 0; v < values; v++) {
      cells[c + v] = lbp_is_finite(most) ? exp(cells[c + v] - most) : 0.0;
      sum += cells[c + v];
    }
    for (v = 0; v < values && !maximum && sum > 0; v++) cells[c + v] /= sum;
    *out = maximum || !(sum > 0) ? most : most + log(sum);
  }
}

/* A table joins the bucket of the first of its sites to go; one without sites is a constant. Takes the memory. */
LBP_FN int lbp_p_factors_file(lbp_p_factors_work *w, double *log_constant, uint32_t *scope, uint32_t arity,
                              double *cells) {
  lbp_p_factors_live *table;
  uint32_t first = w->eliminated, a;
  if (!scope || !cells || !lbp_p_factors_grow(&w->table, &w->room, w->tables, 1, sizeof *w->table)) {
    free(scope);
    free(cells);
    return LBP_E_MEMORY;
  }
  if (arity == 0) {
    *log_constant += cells[0];
    free(scope);
    free(cells);
    return LBP_OK;
  }
  for (a = 0; a < arity; a++) first = w->turn[scope[a]] < first ? w->turn[scope[a]] : first;
  table = &w->table[w->tables];
  table->scope = scope;
  table->arity = arity;
  table->cells = cells;
  table->next = w->bucket[first];
  w->bucket[first] = w->tables++;
  return LBP_OK;
}

/* Table t of the graph, given the fixed sites, without these sites. */
LBP_FN int lbp_p_factors_slice(lbp_p_factors_work *w, lbp_elimination *e, const lbp_factor_graph *g, size_t t) {
  const uint32_t arity = (uint32_t)(g->scope_at[t + 1] - g->scope_at[t]), *from = g->scope + g->scope_at[t];
  uint32_t *scope = (uint32_t *)malloc(((size_t)arity + 1) * sizeof *scope), a, left = 0;
  uint32_t radix[LBP_P_FACTORS_WIDEST + 1] = {0}, digit[LBP_P_FACTORS_WIDEST + 1] = {0};
  size_t stride[LBP_P_FACTORS_WIDEST + 1] = {0}, at = g->cell_at[t], product = 1, count = 1, c;
  double *cells;
  for (a = 0; a < arity && scope; a++) {
    if (e->fixed[from[a]] >= 0) {
      at += product * (size_t)e->fixed[from[a]];
    } else {
      scope[left++] = from[a];
      radix[left] = g->values[from[a]]; /* lbp_p_factors_step begins at 1 */
      stride[left] = product;
      count *= g->values[from[a]];
    }
    product *= g->values[from[a]];
  }
  cells = (double *)malloc(count * sizeof *cells);
  for (c = 0; c < count && scope && cells; c++) {
    cells[c] = g->cells[at];
    at = lbp_p_factors_step(left + 1, radix, digit, stride, at);
  }
  return lbp_p_factors_file(w, &e->log_constant, scope, left, cells);
}

/* Cluster k takes up its tables, and its site goes. */
LBP_FN int lbp_p_factors_eliminate(lbp_p_factors_work *w, lbp_elimination *e, uint32_t k) {
  const uint32_t *cluster = e->scope + e->scope_at[k], sites = (uint32_t)(e->scope_at[k + 1] - e->scope_at[k]);
  const size_t count = e->cell_at[k + 1] - e->cell_at[k];
  double *cells = e->cells + e->cell_at[k], *out = (double *)malloc(count / e->values[cluster[0]] * sizeof *out);
  uint32_t *scope = (uint32_t *)malloc(sites * sizeof *scope), t, a;
  if (!out || !scope) {
    free(out);
    free(scope);
    return LBP_E_MEMORY;
  }
  memset(cells, 0, count * sizeof *cells);
  for (t = w->bucket[k]; t != UINT32_MAX; t = w->table[t].next) {
    lbp_p_factors_multiply(cluster, sites, e->values, &w->table[t], cells, count);
    free(w->table[t].scope);
    free(w->table[t].cells);
    w->table[t].scope = NULL;
    w->table[t].cells = NULL;
  }
  lbp_p_factors_sum_out(cells, count, e->values[cluster[0]], e->maximum, out);
  e->parent[k] = LBP_FACTORS_NO_CORE;
  for (a = 1; a < sites; a++) {
    scope[a - 1] = cluster[a];
    if (w->turn[cluster[a]] < e->parent[k]) e->parent[k] = w->turn[cluster[a]];
  }
  return lbp_p_factors_file(w, &e->log_constant, scope, sites - 1, out);
}

/* The rest, as a separate graph. LBP_E_IMPOSSIBLE: a table of it is all zeros. */
LBP_FN int lbp_p_factors_core(lbp_p_factors_work *w, lbp_elimination *e) {
  uint32_t *values = (uint32_t *)calloc(e->n, sizeof *values), i, t, a, n = 0;
  int status = values ? LBP_OK : LBP_E_MEMORY;
  for (i = 0; i < e->n && values; i++) {
    e->core_of[i] = LBP_FACTORS_NO_CORE;
    if (e->fixed[i] >= 0 || w->turn[i] != UINT32_MAX) continue;
    values[n] = e->values[i];
    e->core_site[n] = i;
    e->core_of[i] = n++;
  }
  if (status == LBP_OK && n > 0) status = lbp_factor_graph_init(&e->core, n, values);
  for (t = w->bucket[e->eliminated]; t != UINT32_MAX && status == LBP_OK; t = w->table[t].next) {
    lbp_p_factors_live *table = &w->table[t];
    size_t count = 1, c;
    int possible = 0;
    for (a = 0; a < table->arity; a++) {
      count *= e->values[table->scope[a]];
      table->scope[a] = e->core_of[table->scope[a]];
    }
    for (c = 0; c < count; c++) possible |= lbp_is_finite(table->cells[c]);
    status = possible ? lbp_p_factors_append(&e->core, table->arity, table->scope, count, table->cells)
                      : LBP_E_IMPOSSIBLE;
  }
  free(values);
  return status;
}

/* All the numbers, once the order is known. */
LBP_FN int lbp_p_factors_go(lbp_elimination *e, const lbp_factor_graph *g) {
  lbp_p_factors_work w;
  uint32_t i, k;
  size_t t;
  int status = LBP_OK;
  memset(&w, 0, sizeof w);
  w.eliminated = e->eliminated;
  w.turn = (uint32_t *)malloc(e->n * sizeof *w.turn);
  w.bucket = (uint32_t *)malloc(((size_t)e->eliminated + 1) * sizeof *w.bucket);
  e->cells = (double *)malloc((e->cell_at[e->eliminated] + 1) * sizeof *e->cells);
  e->parent = (uint32_t *)malloc(((size_t)e->eliminated + 1) * sizeof *e->parent);
  if (!w.turn || !w.bucket || !e->cells || !e->parent) status = LBP_E_MEMORY;
  for (i = 0; i < e->n && status == LBP_OK; i++) w.turn[i] = UINT32_MAX;
  for (k = 0; k <= e->eliminated && status == LBP_OK; k++) w.bucket[k] = UINT32_MAX;
  for (k = 0; k < e->eliminated && status == LBP_OK; k++) w.turn[e->scope[e->scope_at[k]]] = k;
  for (t = 0; t < g->tables && status == LBP_OK; t++) status = lbp_p_factors_slice(&w, e, g, t);
  for (k = 0; k < e->eliminated && status == LBP_OK; k++) status = lbp_p_factors_eliminate(&w, e, k);
  if (status == LBP_OK) status = lbp_p_factors_core(&w, e);
  if (status == LBP_OK && !lbp_is_finite(e->log_constant)) status = LBP_E_IMPOSSIBLE;
  for (k = 0; k < w.tables; k++) {
    free(w.table[k].scope);
    free(w.table[k].cells);
  }
  free(w.table);
  free(w.turn);
  free(w.bucket);
  return status;
}

/* Eliminates sites of g whose clusters have up to `each` cells, as long as all clusters together have up to `all`, at 8
 * bytes each. flags: 0, or LBP_ELIMINATE_MAXIMUM and so on. LBP_E_NULL; LBP_E_RANGE: flags; LBP_E_SIZE: with
 * LBP_ELIMINATE_ALL, if these limits do not suffice, which is found early; LBP_E_IMPOSSIBLE: no state is possible given
 * the observations; LBP_E_MEMORY. LBP_OK does not guarantee that a state of the core is possible. */
LBP_FN int lbp_eliminate(lbp_elimination *e, const lbp_factor_graph *g, uint64_t each, uint64_t all, int flags) {
  const uint64_t most = SIZE_MAX / 16 < (uint64_t)1 << 36 ? SIZE_MAX / 16 : (uint64_t)1 << 36;
  uint32_t i;
  int status = LBP_OK, over;
  if (!e) return LBP_E_NULL;
  memset(e, 0, sizeof *e);
  if (!g || !g->values) return LBP_E_NULL;
  if (flags < 0 || flags > 3) return LBP_E_RANGE;
  if (each > LBP_FACTORS_CELLS) each = LBP_FACTORS_CELLS;
  if (all > most) all = most;
  e->n = g->n;
  e->states = lbp_factor_graph_states(g);
  e->maximum = (flags & LBP_ELIMINATE_MAXIMUM) != 0;
  e->values = (uint32_t *)malloc(g->n * sizeof *e->values);
  e->fixed = (int32_t *)malloc(g->n * sizeof *e->fixed);
  e->core_of = (uint32_t *)malloc(g->n * sizeof *e->core_of);
  e->core_site = (uint32_t *)malloc(g->n * sizeof *e->core_site);
  if (!e->values || !e->fixed || !e->core_of || !e->core_site) status = LBP_E_MEMORY;
  for (i = 0; i < g->n && status == LBP_OK; i++) {
    e->values[i] = g->values[i];
    e->fixed[i] = g->observed[i] < 0 && g->values[i] == 1 ? 0 : g->observed[i];
  }
  if (status == LBP_OK) {
    over = lbp_p_factors_order(e, g, each, all, (flags & LBP_ELIMINATE_ALL) != 0);
    if (over == 0 && (flags & LBP_ELIMINATE_ALL)) over = lbp_p_factors_order(e, g, each, all, 0);
    if (over < 0) status = LBP_E_MEMORY;
    else if (!over && (flags & LBP_ELIMINATE_ALL)) status = LBP_E_SIZE;
  }
  if (status == LBP_OK) status = lbp_p_factors_go(e, g);
  if (status != LBP_OK) lbp_elimination_free(e);
  return status;
}

/* Where in cluster k the state x [n] of its others is, at the first value of its site. */
LBP_FN size_t lbp_p_factors_row(const lbp_elimination *e, uint32_t k, const uint8_t *x) {
  size_t at = e->cell_at[k], stride = e->values[e->scope[e->scope_at[k]]], s;
  for (s = e->scope_at[k] + 1; s < e->scope_at[k + 1]; s++) {
    at += stride * x[e->scope[s]];
    stride *= e->values[e->scope[s]];
  }
  return at;
}

/* Sites that are fixed or of the core get their values in x [n]. core: [core.n]; not looked at if that is 0. */
LBP_FN void lbp_p_factors_spread(const lbp_elimination *e, const uint8_t *core, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < e->n; i++) x[i] = (uint8_t)(e->fixed[i] >= 0 ? e->fixed[i] : 0);
  for (i = 0; i < e->core.n; i++) x[e->core_site[i]] = core[i];
}

/* A state x [n] of the graph from one of the core, [core.n]: eliminated sites are drawn, exactly, given that; with
 * LBP_ELIMINATE_MAXIMUM they are the best, and rng may be NULL. The core's state must be possible. */
LBP_FN void lbp_elimination_complete(const lbp_elimination *e, const uint8_t *core, lbp_rng *rng, uint8_t *x) {
  uint32_t k, v;
  lbp_p_factors_spread(e, core, x);
  for (k = e->eliminated; k-- > 0;) {
    const uint32_t i = e->scope[e->scope_at[k]];
    const double *p = e->cells + lbp_p_factors_row(e, k, x);
    uint32_t best = 0;
    double left = e->maximum || !rng ? 0.0 : lbp_u01(lbp_rng_u64(rng));
    if (e->maximum || !rng) {
      for (v = 1; v < e->values[i]; v++) best = p[v] > p[best] ? v : best;
    } else {
      for (v = 0; v < e->values[i]; v++) {
        if (!(p[v] > 0)) continue;
        best = v; /* the last possible one where rounding leaves something */
        left -= p[v];
        if (left < 0) break;
      }
    }
    x[i] = (uint8_t)best;
  }
}

/* Room, in numbers, that lbp_elimination_marginals works in. */
LBP_FN size_t lbp_elimination_room(const lbp_elimination *e) {
  size_t room = e->largest, k;
  for (k = 0; k < e->eliminated; k++) {
    room = lbp_size_plus(room, (e->cell_at[k + 1] - e->cell_at[k]) / e->values[e->scope[e->scope_at[k]]]);
  }
  return lbp_size_plus(room, 1);
}

/* Adds a cluster's probabilities up to those of the others of a child. */
LBP_FN void lbp_p_factors_pass(const lbp_elimination *e, uint32_t k, const double *p, uint32_t child, double *to) {
  const uint32_t *cluster = e->scope + e->scope_at[k], sites = (uint32_t)(e->scope_at[k + 1] - e->scope_at[k]);
  const uint32_t *scope = e->scope + e->scope_at[child] + 1;
  const uint32_t arity = (uint32_t)(e->scope_at[child + 1] - e->scope_at[child]) - 1;
  const size_t count = e->cell_at[k + 1] - e->cell_at[k];
  uint32_t radix[LBP_P_FACTORS_WIDEST], digit[LBP_P_FACTORS_WIDEST] = {0}, a, v;
  size_t stride[LBP_P_FACTORS_WIDEST], at = 0, c;
  lbp_p_factors_strides(cluster, sites, scope, arity, e->values, stride);
  for (a = 0; a < sites; a++) radix[a] = e->values[cluster[a]];
  for (c = 0; c < count; c += radix[0]) {
    for (v = 0; v < radix[0]; v++) to[at + v * stride[0]] += p[c + v];
    at = lbp_p_factors_step(sites, radix, digit, stride, at);
  }
}

/* Marginals of all sites, [n][states], of eliminated ones exact given the core's state; if the core is empty these are
 * the graph's. Sites of the core and fixed ones have 1 at their value. room: lbp_elimination_room(e) numbers. Not for
 * LBP_ELIMINATE_MAXIMUM: LBP_E_RANGE. LBP_E_MEMORY. */
LBP_FN int lbp_elimination_marginals(const lbp_elimination *e, const uint8_t *core, double *room, double *marginal) {
  double *belief = room, *separator = room + e->largest;
  uint8_t *x;
  size_t *begin, c;
  uint32_t i, k, v, *child;
  if (e->maximum) return LBP_E_RANGE;
  memset(marginal, 0, (size_t)e->n * e->states * sizeof *marginal);
  x = (uint8_t *)malloc(e->n);
  begin = (size_t *)malloc(((size_t)e->eliminated + 1) * sizeof *begin);
  child = (uint32_t *)malloc(((size_t)e->eliminated + 1) * 2 * sizeof *child); /* the first child; the next sibling */
  if (!x || !begin || !child) {
    free(x), free(begin), free(child);
    return LBP_E_MEMORY;
  }
  lbp_p_factors_spread(e, core, x);
  for (i = 0; i < e->n; i++) {
    if (e->fixed[i] >= 0 || e->core_of[i] != LBP_FACTORS_NO_CORE) marginal[(size_t)i * e->states + x[i]] = 1.0;
  }
  for (k = 0, c = 0; k < e->eliminated; k++) {
    const size_t others = (e->cell_at[k + 1] - e->cell_at[k]) / e->values[e->scope[e->scope_at[k]]];
    begin[k] = c;
    child[2 * k] = LBP_FACTORS_NO_CORE;
    c += others;
    memset(separator + begin[k], 0, others * sizeof *separator);
    if (e->parent[k] == LBP_FACTORS_NO_CORE) { /* all others are of the core, or there are none */
      const size_t row = lbp_p_factors_row(e, k, x) - e->cell_at[k];
      separator[begin[k] + row / e->values[e->scope[e->scope_at[k]]]] = 1.0;
    }
  }
  for (k = 0; k < e->eliminated; k++) {
    if (e->parent[k] == LBP_FACTORS_NO_CORE) continue;
    child[2 * k + 1] = child[2 * e->parent[k]];
    child[2 * e->parent[k]] = k;
  }
  for (k = e->eliminated; k-- > 0;) {
    const uint32_t values = e->values[e->scope[e->scope_at[k]]];
    const size_t count = e->cell_at[k + 1] - e->cell_at[k];
    double *own = marginal + (size_t)e->scope[e->scope_at[k]] * e->states;
    for (c = 0; c < count; c += values) {
      const double weight = separator[begin[k] + c / values];
      for (v = 0; v < values; v++) {
        belief[c + v] = weight * e->cells[e->cell_at[k] + c + v];
        own[v] += belief[c + v];
      }
    }
    for (i = child[2 * k]; i != LBP_FACTORS_NO_CORE; i = child[2 * i + 1]) {
      lbp_p_factors_pass(e, k, belief, i, separator + begin[i]);
    }
  }
  free(x), free(begin), free(child);
  return LBP_OK;
}

/* ---- the model of a graph -------------------------------------------------------------------------------------------
 *
 * Tables over the same sites are multiplied into one, and those of one site into its fields. For each table of a site
 * there is a link: where the row begins that has the site's values while the others have theirs. Rows are copies for
 * each site of a table, so that a site's values lie side by side; equal ones are there once. Where all of these would
 * be more than LBP_FACTORS_COPIES numbers there is one block for each table, whose rows are strided: then less memory
 * is read. A weight of 0 is -infinity; or soft, a logarithm of -C below the largest of its table: then every state is
 * possible, single sites move freely, and draws of states with a zero are to be left out by their user.
 */

typedef struct {
  uint32_t  n, states;    /* sites; LBP_CAT_STATES, to which rows are padded */
  uint32_t  max_degree;   /* neighbours of a site, at most */
  int       strided, hard; /* how rows lie; whether there are zeros */
  int       wide;          /* whether a site's logarithms are so many or large that they are summed in double */
  uint16_t *values;       /* [n] K_i */
  uint16_t *pitch;        /* [n] the length of a row of the site's values */
  lbp_real *h;            /* [n][states] fields */
  size_t   *link_at;      /* [n + 1] site i's links are link[link_at[i]] ...: where the row begins with others 0, its */
  uint32_t *link;         /* stride, how many others, and of each the site and by how much its value moves the row */
  size_t   *owned;        /* [n] the end of those links that count in log pi: of each table one */
  lbp_real *row;
  size_t    rows;         /* numbers in row */
  size_t   *near_at;      /* [n + 1] */
  uint32_t *around;         /* neighbours, in increasing order */
  double    log_constant; /* log pi of the graph is lbp_factors_logp and this: it has the largest entries of tables */
  double    rounding;     /* change of log-ratios by rounding -> LBP_ROUNDING: the most, or four standard deviations */
} lbp_factors;

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_factors_free(lbp_factors *m) {
  if (!m) return;
  free(m->values);
  free(m->pitch);
  free(m->h);
  free(m->link_at);
  free(m->link);
  free(m->owned);
  free(m->row);
  free(m->near_at);
  free(m->around);
  memset(m, 0, sizeof *m);
}

/* A table while tables are merged: its sites in increasing order, and where it is. */
typedef struct {
  uint32_t site[LBP_P_FACTORS_WIDEST];
  uint32_t arity;
  size_t t;
} lbp_p_factors_entry;

LBP_FN int lbp_p_factors_alike(const lbp_p_factors_entry *a, const lbp_p_factors_entry *b) {
  return a->arity == b->arity && memcmp(a->site, b->site, a->arity * sizeof *a->site) == 0;
}

LBP_FN int lbp_p_factors_compare(const void *left, const void *right) {
  const lbp_p_factors_entry *a = (const lbp_p_factors_entry *)left, *b = (const lbp_p_factors_entry *)right;
  uint32_t k;
  for (k = 0; k < a->arity && k < b->arity; k++) {
    if (a->site[k] != b->site[k]) return a->site[k] < b->site[k] ? -1 : 1;
  }
  if (a->arity != b->arity) return a->arity < b->arity ? -1 : 1;
  return a->t < b->t ? -1 : a->t > b->t;
}

/* All tables of g, those over the same sites side by side. entry: [tables], zeroed. */
LBP_FN void lbp_p_factors_list(const lbp_factor_graph *g, lbp_p_factors_entry *entry) {
  size_t t, a, b;
  for (t = 0; t < g->tables; t++) {
    entry[t].t = t;
    for (a = g->scope_at[t]; a < g->scope_at[t + 1]; a++) {
      for (b = entry[t].arity++; b > 0 && entry[t].site[b - 1] > g->scope[a]; b--) {
        entry[t].site[b] = entry[t].site[b - 1];
      }
      entry[t].site[b] = g->scope[a];
    }
  }
  qsort(entry, g->tables, sizeof *entry, lbp_p_factors_compare);
}

/* A merged table: over entry->site, the first fastest. */
typedef struct {
  const lbp_p_factors_entry *entry;
  double *cells;
  size_t count;
} lbp_p_factors_merged;

/* Takes the largest of some logarithms off them; zeros become -C, if they are to be soft, and *hard, if not. Returns
 * the largest; -infinity: there are only zeros. */
LBP_FN double lbp_p_factors_level(double *logs, size_t count, double soft, int *hard) {
  double most = logs[0];
  size_t k;
  for (k = 1; k < count; k++) most = logs[k] > most ? logs[k] : most;
  for (k = 0; k < count && lbp_is_finite(most); k++) {
    if (lbp_is_finite(logs[k])) logs[k] -= most;
    else if (soft > 0) logs[k] = -soft;
    else *hard = 1;
  }
  return most;
}

/* What rounding does to the log-ratios of a site: each of its tables adds a number with an error. */
typedef struct {
  double squares, largest; /* of errors: a sum of squares, a sum */
  double reach;            /* the sum of the numbers' mean magnitudes */
  uint32_t numbers;
} lbp_p_factors_blur;

/* These logarithms, as they are kept, may come to a site's sum. */
LBP_FN void lbp_p_factors_blur_by(lbp_p_factors_blur *b, const double *logs, size_t count) {
  double error = 0.0, sum = 0.0;
  size_t k, finite = 0;
  for (k = 0; k < count; k++) {
    double gap = lbp_infinity();
    if (!lbp_is_finite(logs[k])) continue;
    if (fabs(logs[k]) <= LBP_MODELS_LARGEST) gap = fabs((double)(lbp_real)logs[k] - logs[k]);
    error = gap > error ? gap : error;
    sum += fabs(logs[k]);
    finite++;
  }
  if (!(sum > 0)) return;
  b->squares += error * error;
  b->largest += error;
  b->reach += sum / (double)finite;
  b->numbers++;
}

/* Four standard deviations of what additions with this many bits do to the difference of two sums: each rounds a
 * partial sum. */
LBP_FN double lbp_p_factors_sum_blur(const lbp_p_factors_blur *b, int bits) {
  return b->numbers < 2 ? 0.0 : 4.0 * sqrt(2.0 * (b->numbers - 1.0) / 3.0) * ldexp(b->reach, -bits);
}

/* Sets m->wide and m->rounding. blur: [n]. A log-ratio has two numbers of each table. */
LBP_FN void lbp_p_factors_blurred(lbp_factors *m, const lbp_p_factors_blur *blur) {
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    const int wide = lbp_p_factors_sum_blur(&blur[i], lbp_models_bits()) > LBP_MODELS_ROUNDING / 10;
    m->wide |= wide && lbp_models_bits() < DBL_MANT_DIG;
  }
  for (i = 0; i < m->n; i++) {
    const double spread = 4.0 * sqrt(2.0 * blur[i].squares / 3.0), most = 2.0 * blur[i].largest;
    const double sums = lbp_p_factors_sum_blur(&blur[i], m->wide ? DBL_MANT_DIG : lbp_models_bits());
    const double error = (most < spread ? most : spread) + sums;
    m->rounding = error > m->rounding ? error : m->rounding;
  }
}

/* Adds table t of g to cells that are in the order of `entry`. */
LBP_FN void lbp_p_factors_reorder(const lbp_factor_graph *g, const lbp_p_factors_entry *entry, size_t t,
                                  double *cells, size_t count) {
  lbp_p_factors_live table;
  table.scope = g->scope + g->scope_at[t];
  table.arity = (uint32_t)(g->scope_at[t + 1] - g->scope_at[t]);
  table.cells = g->cells + g->cell_at[t];
  lbp_p_factors_multiply(entry->site, entry->arity, g->values, &table, cells, count);
}

/* Rows that are there, by a hash of their numbers, so that equal ones are shared. */
typedef struct {
  uint64_t hash;
  size_t at, count; /* count 0: a free place */
} lbp_p_factors_block;

typedef struct {
  lbp_p_factors_block *block;
  size_t places, used; /* a power of two */
  size_t room;         /* in m->row */
  lbp_real *fresh;     /* a block that is being made */
  size_t fresh_room;
} lbp_p_factors_blocks;

LBP_FN uint64_t lbp_p_factors_hash(const void *bytes, size_t size) {
  const unsigned char *at = (const unsigned char *)bytes;
  uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) ^ size;
  size_t k;
  for (k = 0; k < size; k++) hash = (hash ^ at[k]) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 29;
}

/* More places, each block at a new one. */
LBP_FN int lbp_p_factors_rehash(lbp_p_factors_blocks *b) {
  const size_t places = b->places == 0 ? 64 : 2 * b->places;
  lbp_p_factors_block *wider = (lbp_p_factors_block *)calloc(places, sizeof *wider);
  size_t k, at;
  if (!wider) return LBP_E_MEMORY;
  for (k = 0; k < b->places; k++) {
    if (b->block[k].count == 0) continue;
    at = (size_t)b->block[k].hash & (places - 1);
    while (wider[at].count > 0) at = (at + 1) & (places - 1);
    wider[at] = b->block[k];
  }
  free(b->block);
  b->block = wider;
  b->places = places;
  return LBP_OK;
}

/* Where b->fresh is in m->row, or comes to be. LBP_E_MEMORY; LBP_E_SIZE: beyond `most` numbers. */
LBP_FN int lbp_p_factors_share(lbp_factors *m, lbp_p_factors_blocks *b, size_t count, size_t most, uint32_t *where) {
  const size_t size = count * sizeof *b->fresh;
  const uint64_t hash = lbp_p_factors_hash(b->fresh, size);
  size_t at;
  if (2 * (b->used + 1) > b->places && lbp_p_factors_rehash(b) != LBP_OK) return LBP_E_MEMORY;
  for (at = (size_t)hash & (b->places - 1); b->block[at].count > 0; at = (at + 1) & (b->places - 1)) {
    const lbp_p_factors_block *block = &b->block[at];
    if (block->hash != hash || block->count != count || memcmp(m->row + block->at, b->fresh, size) != 0) continue;
    *where = (uint32_t)block->at;
    return LBP_OK;
  }
  if (count > most || m->rows > most - count) return LBP_E_SIZE;
  if (!lbp_p_factors_grow(&m->row, &b->room, m->rows, count, sizeof *m->row)) return LBP_E_MEMORY;
  memcpy(m->row + m->rows, b->fresh, size);
  b->block[at].hash = hash;
  b->block[at].at = m->rows;
  b->block[at].count = count;
  b->used++;
  *where = (uint32_t)m->rows;
  m->rows += count;
  return LBP_OK;
}

/* The block of a table for its p-th site, whose values are side by side and padded; strided: the table as it is. Writes
 * its link to link[3 + 2 (arity - 1)]. */
LBP_FN int lbp_p_factors_link(lbp_factors *m, lbp_p_factors_blocks *b, const lbp_p_factors_merged *table, uint32_t p,
                              uint32_t *link) {
  const lbp_p_factors_entry *entry = table->entry;
  const uint32_t own = entry->site[p], pitch = m->pitch[own];
  const size_t most = m->strided ? LBP_FACTORS_CELLS : LBP_FACTORS_COPIES;
  const size_t count = m->strided ? table->count : table->count / m->values[own] * pitch;
  size_t product = 1, target = pitch, c;
  uint32_t radix[LBP_P_FACTORS_WIDEST + 1] = {0}, digit[LBP_P_FACTORS_WIDEST + 1] = {0}, k, others = 0;
  size_t stride[LBP_P_FACTORS_WIDEST + 1] = {0}, at = 0; /* in the block, while its cells come in the table's order */
  if (count > most) return LBP_E_SIZE;
  if (!lbp_p_factors_grow(&b->fresh, &b->fresh_room, 0, count, sizeof *b->fresh)) return LBP_E_MEMORY;
  memset(b->fresh, 0, count * sizeof *b->fresh);
  for (k = 0; k < entry->arity; k++) {
    const uint32_t values = m->values[entry->site[k]];
    radix[k + 1] = values;
    stride[k + 1] = m->strided ? product : k == p ? 1 : target;
    if (k == p) {
      link[1] = (uint32_t)stride[k + 1];
    } else {
      link[3 + 2 * others] = entry->site[k];
      link[4 + 2 * others++] = (uint32_t)stride[k + 1];
      target *= values;
    }
    product *= values;
  }
  link[2] = others;
  for (c = 0; c < table->count; c++) {
    b->fresh[at] = (lbp_real)table->cells[c];
    at = lbp_p_factors_step(entry->arity + 1, radix, digit, stride, at);
  }
  return lbp_p_factors_share(m, b, count, most, &link[0]);
}

/* Links of all sites, with their rows; LBP_E_SIZE: too many numbers. */
LBP_FN int lbp_p_factors_links(lbp_factors *m, const lbp_p_factors_merged *table, size_t tables) {
  size_t *end = (size_t *)calloc((size_t)m->n + 1, sizeof *end), t, words = 0;
  lbp_p_factors_blocks b;
  uint32_t i, p;
  int status = end ? LBP_OK : LBP_E_MEMORY, round;
  memset(&b, 0, sizeof b);
  m->rows = 0;
  for (t = 0; t < tables && end; t++) {
    for (p = 0; p < table[t].entry->arity; p++) end[table[t].entry->site[p]] += 1 + 2 * (size_t)table[t].entry->arity;
  }
  for (i = 0; i < m->n && end; i++) {
    m->link_at[i] = words;
    words += end[i];
    end[i] = m->link_at[i];
  }
  m->link_at[m->n] = words;
  m->link = (uint32_t *)malloc((words + 1) * sizeof *m->link);
  if (!m->link) status = LBP_E_MEMORY;
  for (round = 0; round < 2; round++) { /* the links that count in log pi come first: those of a table's first site */
    for (t = 0; t < tables && status == LBP_OK; t++) {
      const uint32_t arity = table[t].entry->arity;
      for (p = (uint32_t)round; p < (round ? arity : 1) && status == LBP_OK; p++) {
        i = table[t].entry->site[p];
        status = lbp_p_factors_link(m, &b, &table[t], p, m->link + end[i]);
        end[i] += 1 + 2 * (size_t)arity;
      }
    }
    for (i = 0; i < m->n && round == 0 && end; i++) m->owned[i] = end[i];
  }
  free(end);
  free(b.block);
  free(b.fresh);
  if (status != LBP_OK) {
    free(m->link), free(m->row);
    m->link = NULL, m->row = NULL;
  }
  return status;
}

LBP_FN int lbp_p_factors_order_of(const void *left, const void *right) {
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* Neighbours of all sites, each once. LBP_E_RANGE: a site has more than LBP_FACTORS_NEIGHBOURS. */
LBP_FN int lbp_p_factors_neighbours(lbp_factors *m) {
  uint32_t i, k, *list = NULL;
  size_t room = 0, all = 0, count, at, around = 0;
  m->near_at = (size_t *)calloc((size_t)m->n + 1, sizeof *m->near_at);
  if (!m->near_at) return LBP_E_MEMORY;
  for (i = 0; i < m->n; i++) {
    for (at = m->link_at[i], count = 0; at < m->link_at[i + 1]; at += 3 + 2 * (size_t)m->link[at + 2]) {
      for (k = 0; k < m->link[at + 2]; k++, count++) {
        if (!lbp_p_factors_grow(&list, &room, count, 1, sizeof *list)) {
          free(list);
          return LBP_E_MEMORY;
        }
        list[count] = m->link[at + 3 + 2 * k];
      }
    }
    if (count > 0) qsort(list, count, sizeof *list, lbp_p_factors_order_of);
    for (at = 0, k = 0; at < count; at++) {
      if (k == 0 || list[at] != list[k - 1]) list[k++] = list[at];
    }
    if (k > LBP_FACTORS_NEIGHBOURS || !lbp_p_factors_grow(&m->around, &around, all, (size_t)k + 1, sizeof *list)) {
      free(list);
      return k > LBP_FACTORS_NEIGHBOURS ? LBP_E_RANGE : LBP_E_MEMORY;
    }
    if (k > 0) memcpy(m->around + all, list, k * sizeof *list);
    m->max_degree = k > m->max_degree ? k : m->max_degree;
    all += k;
    m->near_at[i + 1] = all;
  }
  free(list);
  return LBP_OK;
}

/* Merges the graph's tables: `entry` has one for each, sorted; writes tables[] of at least two sites, the fields, and
 * blur [n], zeroed, of all of them. */
LBP_FN int lbp_p_factors_merge(lbp_factors *m, const lbp_factor_graph *g, const lbp_p_factors_entry *entry, double soft,
                               lbp_p_factors_merged *table, size_t *tables, lbp_p_factors_blur *blur) {
  double *field = (double *)calloc(m->n, m->states * sizeof *field), most;
  size_t k, first;
  uint32_t i, v;
  int status = field ? LBP_OK : LBP_E_MEMORY;
  for (k = 0; k < g->tables && status == LBP_OK;) {
    const lbp_p_factors_entry *it = &entry[k];
    if (it->arity == 0) {
      m->log_constant += g->cells[g->cell_at[it->t]];
      k++;
      continue;
    }
    if (it->arity == 1) {
      for (v = 0; v < m->values[it->site[0]]; v++) {
        field[(size_t)it->site[0] * m->states + v] += g->cells[g->cell_at[it->t] + v];
      }
      k++;
      continue;
    }
    table[*tables].entry = it;
    table[*tables].count = g->cell_at[it->t + 1] - g->cell_at[it->t];
    table[*tables].cells = (double *)calloc(table[*tables].count, sizeof(double));
    if (!table[*tables].cells) {
      status = LBP_E_MEMORY;
      break;
    }
    for (first = k; k < g->tables && lbp_p_factors_alike(it, &entry[k]); k++) {
      lbp_p_factors_reorder(g, it, entry[k].t, table[*tables].cells, table[*tables].count);
    }
    most = lbp_p_factors_level(table[*tables].cells, table[*tables].count, soft, &m->hard);
    m->log_constant += most;
    for (i = 0; i < it->arity; i++) {
      lbp_p_factors_blur_by(&blur[it->site[i]], table[*tables].cells, table[*tables].count);
    }
    (*tables)++;
    if (!lbp_is_finite(most) || k == first) status = LBP_E_IMPOSSIBLE;
  }
  for (i = 0; i < m->n && status == LBP_OK; i++) {
    most = lbp_p_factors_level(field + (size_t)i * m->states, m->values[i], soft, &m->hard);
    m->log_constant += most;
    if (!lbp_is_finite(most)) status = LBP_E_IMPOSSIBLE;
    lbp_p_factors_blur_by(&blur[i], field + (size_t)i * m->states, m->values[i]);
    if (!lbp_is_finite(blur[i].largest)) status = LBP_E_PRECISION; /* a number may be beyond lbp_real's */
    for (v = 0; v < m->values[i] && status == LBP_OK; v++) {
      m->h[(size_t)i * m->states + v] = (lbp_real)field[(size_t)i * m->states + v];
    }
  }
  free(field);
  return status;
}

/* The model of a graph. states: LBP_CAT_STATES of the instance, at least lbp_factor_graph_states(g). soft: 0: states
 * with a zero are impossible; C > 0: see above; 8 is good. LBP_E_NULL; LBP_E_RANGE: states, soft, or a site has more
 * than LBP_FACTORS_NEIGHBOURS; LBP_E_STATE: a site was observed: sample the core of lbp_eliminate(&e, g, 1, 0, 0);
 * LBP_E_IMPOSSIBLE: tables over the same sites contradict each other; LBP_E_SIZE: more than LBP_FACTORS_CELLS numbers;
 * LBP_E_PRECISION: logarithms so large that rounding to lbp_real changes log-ratios by more than 1e-3: write -infinity
 * for states that are impossible; LBP_E_MEMORY. */
LBP_FN int lbp_factors_init(lbp_factors *m, const lbp_factor_graph *g, uint32_t states, double soft) {
  lbp_p_factors_entry *entry;
  lbp_p_factors_merged *table;
  lbp_p_factors_blur *blur;
  size_t t, tables = 0;
  uint32_t i;
  int status = LBP_OK;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (!g || !g->values) return LBP_E_NULL;
  if (states < lbp_factor_graph_states(g) || states > LBP_FACTORS_VALUES || !(soft >= 0.0 && soft <= 1e6)) {
    return LBP_E_RANGE;
  }
  if (lbp_models_check_sites(g->n, states) != LBP_OK) return LBP_E_SIZE;
  for (i = 0; i < g->n; i++) {
    if (g->observed[i] >= 0) return LBP_E_STATE;
  }
  m->n = g->n;
  m->states = states;
  m->values = (uint16_t *)calloc(g->n, sizeof *m->values);
  m->pitch = (uint16_t *)calloc(g->n, sizeof *m->pitch);
  m->h = lbp_models_new_reals((size_t)g->n * states);
  m->link_at = (size_t *)calloc((size_t)g->n + 1, sizeof *m->link_at);
  m->owned = (size_t *)calloc(g->n, sizeof *m->owned);
  entry = (lbp_p_factors_entry *)calloc(g->tables + 1, sizeof *entry);
  table = (lbp_p_factors_merged *)calloc(g->tables + 1, sizeof *table);
  blur = (lbp_p_factors_blur *)calloc(g->n, sizeof *blur);
  if (!m->values || !m->pitch || !m->h || !m->link_at || !m->owned || !entry || !table || !blur) status = LBP_E_MEMORY;
  for (i = 0; i < g->n && status == LBP_OK; i++) {
    const uint32_t padded = (g->values[i] + 7) / 8 * 8;
    m->values[i] = (uint16_t)g->values[i];
    m->pitch[i] = (uint16_t)(states <= 8 || padded > states ? states : padded);
  }
  if (status == LBP_OK) {
    lbp_p_factors_list(g, entry);
    status = lbp_p_factors_merge(m, g, entry, soft, table, &tables, blur);
  }
  if (status == LBP_OK) {
    lbp_p_factors_blurred(m, blur);
    status = lbp_models_check_rounding(m->rounding, 1.0);
  }
  if (status == LBP_OK) {
    status = lbp_p_factors_links(m, table, tables);
    if (status == LBP_E_SIZE) {
      m->strided = 1;
      status = lbp_p_factors_links(m, table, tables);
    }
  }
  if (status == LBP_OK) status = lbp_p_factors_neighbours(m);
  for (t = 0; t < tables; t++) free(table[t].cells);
  free(entry);
  free(table);
  free(blur);
  if (status != LBP_OK) lbp_factors_free(m);
  return status;
}

/* Where a link's row begins. */
LBP_INLINE size_t lbp_p_factors_at(const uint32_t *link, const uint8_t *x) {
  size_t at = link[0] + (size_t)link[4] * x[link[3]]; /* there is one other at least */
  uint32_t k;
  if (link[2] == 1) return at;
  at += (size_t)link[6] * x[link[5]];
  for (k = 2; k < link[2]; k++) at += (size_t)link[4 + 2 * k] * x[link[3 + 2 * k]];
  return at;
}

/* Asks for the cache lines of a site's rows, where these are strided: a sweep, which comes to the site next, would wait
 * for each of them. The site before may still change: hardly ever where that matters, and no number depends on it. */
LBP_INLINE void lbp_p_factors_ahead(const lbp_factors *m, const uint8_t *x, uint32_t i) {
  const uint32_t *link = m->link + m->link_at[i], *end = m->link + m->link_at[i + 1];
  const size_t line = 64 / sizeof(lbp_real);
  for (; link < end; link += 3 + 2 * (size_t)link[2]) {
    const lbp_real *row = m->row + lbp_p_factors_at(link, x);
    const size_t span = (size_t)link[1] * (m->values[i] - 1u), step = link[1] > line ? link[1] : line;
    size_t k;
    for (k = 0; k < span; k += step) lbp_prefetch(row + k);
    lbp_prefetch(row + span);
  }
}

/* The same as lbp_p_factors_fields, summed in double, less the largest: what is left has digits enough. */
LBP_FN void lbp_p_factors_wide_fields(const lbp_factors *m, const uint8_t *x, uint32_t i, uint32_t count, lbp_real *F) {
  const uint32_t *link = m->link + m->link_at[i], *end = m->link + m->link_at[i + 1], values = m->values[i];
  double sum[LBP_FACTORS_VALUES], most = -lbp_infinity();
  uint32_t v;
  for (v = 0; v < values; v++) sum[v] = (double)m->h[(size_t)i * m->states + v];
  for (; link < end; link += 3 + 2 * (size_t)link[2]) {
    const lbp_real *row = m->row + lbp_p_factors_at(link, x);
    const size_t stride = link[1];
    for (v = 0; v < values; v++) sum[v] += (double)row[v * stride];
  }
  for (v = 0; v < values; v++) most = sum[v] > most ? sum[v] : most;
  if (!lbp_is_finite(most)) most = 0.0;
  for (v = 0; v < count; v++) F[v] = v < values ? (lbp_real)(sum[v] - most) : 0;
}

/* F[v] = the sum of all logarithms that depend on site i, were it v, or that and any number, the same for all v.
 * `states`: m->states, a constant if it can be. */
LBP_INLINE void lbp_p_factors_fields(const lbp_factors *m, const uint8_t *x, uint32_t i, uint32_t states, lbp_real *F) {
  const uint32_t *link = m->link + m->link_at[i], *end = m->link + m->link_at[i + 1];
  const uint32_t count = states <= 8 ? states : m->pitch[i];
  const lbp_real *h = m->h + (size_t)i * m->states;
  uint32_t v;
  if (m->wide) {
    lbp_p_factors_wide_fields(m, x, i, count, F);
    return;
  }
  if (m->strided) {
    const uint32_t values = m->values[i];
    if (i + 1 < m->n) lbp_p_factors_ahead(m, x, i + 1);
    for (v = 0; v < count; v++) F[v] = h[v];
    for (; link < end; link += 3 + 2 * (size_t)link[2]) {
      const lbp_real *row = m->row + lbp_p_factors_at(link, x);
      const size_t stride = link[1];
      for (v = 0; v < values; v++) F[v] += row[v * stride];
    }
    return;
  }
  if (states <= 8) { /* in registers, if that is a constant */
    lbp_real sum[8] = {0};
    for (v = 0; v < count; v++) sum[v] = h[v];
    for (; link < end; link += 3 + 2 * (size_t)link[2]) {
      const lbp_real *row = m->row + lbp_p_factors_at(link, x);
      for (v = 0; v < count; v++) sum[v] += row[v];
    }
    for (v = 0; v < count; v++) F[v] = sum[v];
    return;
  }
  for (v = 0; v < count; v++) F[v] = h[v];
  for (; link < end; link += 3 + 2 * (size_t)link[2]) {
    const lbp_real *row = m->row + lbp_p_factors_at(link, x);
    for (v = 0; v < count; v++) F[v] += row[v];
  }
}

/* A log-ratio from the logarithm there and here: from an impossible state +infinity if there it is possible. */
LBP_INLINE lbp_real lbp_p_factors_ratio(lbp_real there, lbp_real here) {
  if (lbp_is_finite((double)here)) return there - here;
  return (lbp_real)(lbp_is_finite((double)there) ? lbp_infinity() : -lbp_infinity());
}

/* K_i -> LBP_CAT_STATES_OF. */
LBP_INLINE uint32_t lbp_factors_values(const lbp_factors *m, uint32_t i) { return m->values[i]; }

/* The log-ratios of all values of site i. states: LBP_CAT_STATES -> LBP_CAT_DELTAS_OF(m, x, i, out)
 * lbp_factors_deltas_of(m, x, i, LBP_CAT_STATES, out). */
LBP_INLINE void lbp_factors_deltas_of(const lbp_factors *m, const uint8_t *x, uint32_t i, uint32_t states,
                                   lbp_real *out) {
  const uint32_t count = states <= 8 ? states : m->pitch[i];
  lbp_real own;
  uint32_t v;
  lbp_p_factors_fields(m, x, i, states, out);
  own = out[x[i]];
  if (!m->hard) {
    for (v = 0; v < count; v++) out[v] -= own;
    return;
  }
  for (v = 0; v < count; v++) out[v] = lbp_p_factors_ratio(out[v], own);
  out[x[i]] = 0;
}

/* The log-ratio of flipping site i, where all have two values -> LBP_DELTA. */
LBP_INLINE lbp_real lbp_factors_delta(const lbp_factors *m, const uint8_t *x, uint32_t i) {
  lbp_real F[2];
  lbp_p_factors_fields(m, x, i, 2, F);
  return m->hard ? lbp_p_factors_ratio(F[1 - x[i]], F[x[i]]) : F[1 - x[i]] - F[x[i]];
}

/* P(x_i = v | all other sites), for all v < K_i, 0 where it is impossible; all 0 if no value is possible. */
LBP_FN void lbp_factors_conditional(const lbp_factors *m, const uint8_t *x, uint32_t i, double *out) {
  lbp_real F[LBP_FACTORS_VALUES];
  double most = -lbp_infinity(), sum = 0.0;
  uint32_t v;
  lbp_p_factors_fields(m, x, i, m->states, F);
  for (v = 0; v < m->values[i]; v++) most = (double)F[v] > most ? (double)F[v] : most;
  for (v = 0; v < m->values[i]; v++) {
    out[v] = lbp_is_finite((double)F[v]) ? exp((double)F[v] - most) : 0.0;
    sum += out[v];
  }
  for (v = 0; v < m->values[i] && sum > 0; v++) out[v] /= sum;
}

/* log pi(x) less m->log_constant, in double -> LBP_LOGP; -infinity if x is impossible. */
LBP_FN double lbp_factors_logp(const lbp_factors *m, const uint8_t *x) {
  double sum = 0.0;
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    const uint32_t *link = m->link + m->link_at[i], *end = m->link + m->owned[i];
    sum += (double)m->h[(size_t)i * m->states + x[i]];
    for (; link < end; link += 3 + 2 * (size_t)link[2]) {
      sum += (double)m->row[lbp_p_factors_at(link, x) + (size_t)link[1] * x[i]];
    }
  }
  return sum;
}

/* Whose log-ratios change with site i -> LBP_NEIGHBOURS. */
LBP_INLINE uint32_t lbp_factors_neighbours(const lbp_factors *m, uint32_t i, uint32_t *out) {
  const uint32_t count = (uint32_t)(m->near_at[i + 1] - m->near_at[i]);
  if (count > 0) memcpy(out, m->around + m->near_at[i], count * sizeof *out);
  return count;
}

LBP_EXACT_END

#endif /* LBP_FACTORS_H */
