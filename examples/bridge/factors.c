/* A factor graph for other languages: log pi(x) = sum over tables t of tables' logarithms at the sites of t. Table t has the
 * sites scope[scope_at[t]] ... and the entries cells[cell_at[t]] ..., logarithms, the last site's value fastest; site i
 * has values[i] values, and was observed to have observed[i] unless that is -1.
 *   cc -O3 -march=native -shared -fPIC -I../.. factors.c -o factors.so -lm */
#include <stdio.h>

#define LBP_MODELS_REAL double
#define LBP_FACTORS_ARITY 20
#include "lbp/models/factors.h"

#ifndef STATES
#define STATES 4 /* values of a site, at most; 2: all sites have two */
#endif

typedef struct {
  uint32_t n, tables, scopes, entries;
  const uint32_t *values, *scope;
  const int32_t *observed;
  const uint64_t *scope_at, *cell_at;
  const double *cells;
  lbp_factor_graph graph;
  lbp_factors it;
} factors;

static int factors_say(const factors *f, char *why, uint32_t t, int status) {
  snprintf(why, 1024, "table %lu of 0 to %ld: %s", (unsigned long)t, (long)f->tables - 1,
           status == LBP_E_SIZE ? "more than 20 sites, or 2^30 entries" :
           status == LBP_E_INDEX ? "a site is not one of 0 to n - 1, or comes twice" :
           status == LBP_E_IMPOSSIBLE ? "all entries are 0: no state is possible" :
           status == LBP_E_NOT_FINITE ? "an entry is not a number, or infinite" :
           status == LBP_E_RANGE ? "a finite logarithm is beyond 1e290" : lbp_error(status));
  return status;
}

static int factors_build(factors *f, char *why) {
  int status = lbp_factor_graph_init(&f->graph, f->n, f->values);
  uint32_t t, i;
  if (status == LBP_E_RANGE) snprintf(why, 1024, "values: a site has 1 to %d values", LBP_FACTORS_VALUES);
  for (t = 0; t < f->tables && status == LBP_OK; t++) {
    uint64_t cells = 1, k;
    if (f->scope_at[t] > f->scope_at[t + 1] || f->scope_at[t + 1] > f->scopes) return factors_say(f, why, t, LBP_E_INDEX);
    for (k = f->scope_at[t]; k < f->scope_at[t + 1]; k++) {
      if (f->scope[k] >= f->n) return factors_say(f, why, t, LBP_E_INDEX);
      if (cells <= LBP_FACTORS_CELLS) cells *= f->values[f->scope[k]];
    }
    if (f->cell_at[t + 1] > f->entries || f->cell_at[t] > f->cell_at[t + 1] || f->cell_at[t + 1] - f->cell_at[t] != cells) {
      return snprintf(why, 1024, "table %lu: %llu entries, where its sites have %llu states", (unsigned long)t,
                      (unsigned long long)(f->cell_at[t + 1] - f->cell_at[t]), (unsigned long long)cells), LBP_E_SIZE;
    }
    status = lbp_factor_graph_add(&f->graph, (uint32_t)(f->scope_at[t + 1] - f->scope_at[t]), f->scope + f->scope_at[t],
                                  f->cells + f->cell_at[t], LBP_TABLE_LOG);
    if (status != LBP_OK) return factors_say(f, why, t, status);
  }
  if (status == LBP_OK && lbp_factor_graph_states(&f->graph) > STATES) {
    status = LBP_E_RANGE;
    snprintf(why, 1024, "values: at most %d (-DSTATES=)", STATES);
  }
  for (i = 0; i < f->n && status == LBP_OK && STATES == 2; i++) {
    if (f->values[i] == 2) continue;
    status = LBP_E_RANGE;
    snprintf(why, 1024, "values: site %lu has one; with -DSTATES=2 all have two", (unsigned long)i);
  }
  if (status == LBP_OK) status = lbp_factors_init(&f->it, &f->graph, STATES, 0); /* of all sites: samplers clamp */
  for (i = 0; i < f->n && status == LBP_OK; i++) {
    if (f->observed[i] < 0) continue;
    status = lbp_factor_graph_observe(&f->graph, i, (uint32_t)f->observed[i]);
    if (status != LBP_OK) {
      snprintf(why, 1024, "site %lu has the values 0 to %lu, not %ld", (unsigned long)i, (unsigned long)f->values[i] - 1,
               (long)f->observed[i]);
    }
  }
  return status;
}

static void factors_free(factors *f) {
  lbp_factors_free(&f->it);
  lbp_factor_graph_free(&f->graph);
}

#define LBP_NAME                  factors
#define LBP_MODEL_T               factors
#define LBP_REAL                  lbp_real
#if STATES > 2
#define LBP_CAT_STATES            STATES
#define LBP_CAT_STATES_OF(f, i)   lbp_factors_values(&(f)->it, i)
#define LBP_CAT_DELTAS_OF(f, x, i, out) lbp_factors_deltas_of(&(f)->it, x, i, STATES, out)
#else
#define LBP_DELTA(f, x, i)        lbp_factors_delta(&(f)->it, x, i)
#endif
#define LBP_NEIGHBOURS(f, i, out) lbp_factors_neighbours(&(f)->it, i, out)
#define LBP_MAX_NEIGHBOURS        LBP_FACTORS_NEIGHBOURS
#define LBP_LOGP(f, x)            (lbp_factors_logp(&(f)->it, x) + (f)->it.log_constant)
#define LBP_TEMPERED
#define LBP_ROUNDING(f)           (f)->it.rounding
#define LBP_CLAMPED
#define LBP_BRIDGE_SIZES(S)       S(n) S(tables) S(scopes) S(entries)
#define LBP_BRIDGE_ARRAYS(A) A(values, uint32_t, n) A(observed, int32_t, n) A(scope_at, uint64_t, tables + 1) \
  A(cell_at, uint64_t, tables + 1) A(scope, uint32_t, scopes) A(cells, double, entries)
#define LBP_BRIDGE_BUILD(f, why)  factors_build(f, why)
#define LBP_BRIDGE_FREE(f)        factors_free(f)
#include "lbp_bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file's graph, from lbp_bridge_factors_parse. Table t has the sites scope[scope_at[t]] ... and the logarithms
 * cells[cell_at[t]] ..., the first site's value fastest. Free it with lbp_bridge_factors_drop. */
typedef lbp_factor_graph lbp_bridge_factors;

/* Reads the bytes of a file: format 0 is UAI, 1 is libDAI's .fg. If evidence is not NULL, it contains the bytes of an
 * .evid file; `sample`: which of its samples, from 0; -1: it must have one. On an error *graph is NULL, and why[1024]
 * contains the sentence, with the line; *of is 0 if it is about the graph, 1 if about the evidence. Otherwise why is
 * empty, or contains a warning about a BAYES file. Returns a status as lbp_factor_graph_parse. */
LBP_BRIDGE_FN int lbp_bridge_factors_parse(int format, const void *bytes, size_t size, const void *evidence,
                                           size_t evidence_size, int64_t sample, lbp_bridge_factors **graph, int *of,
                                           char *why);

/* Finds the numbers of sites, tables, sites of all tables, and entries: size[4]; and where they are, unless it is NULL:
 * place[6], of values, observed, scope_at, cell_at, scope and cells. */
LBP_BRIDGE_FN void lbp_bridge_factors_look(const lbp_bridge_factors *graph, uint64_t *size, const void **place);

LBP_BRIDGE_FN void lbp_bridge_factors_drop(lbp_bridge_factors *graph);

/* Exact answers by elimination, if its clusters have no more than `cells` entries in all: log Z of states with the
 * values observed; marginals, n rows of STATES; and, if `best` is not NULL, the best state, its log pi being *log_z
 * then. LBP_E_NULL; LBP_E_SIZE: more entries are needed; LBP_E_IMPOSSIBLE: no state is possible; LBP_E_MEMORY. */
LBP_BRIDGE_FN int lbp_bridge_factors_exact(const lbp_bridge_model *model, double cells, double *log_z, double *marginal,
                                           uint8_t *best);

int lbp_bridge_factors_parse(int format, const void *bytes, size_t size, const void *evidence, size_t evidence_size,
                             int64_t sample, lbp_bridge_factors **graph, int *of, char *why) {
  lbp_factors_fault fault;
  lbp_factor_graph *g;
  int status;
  if (!graph || !of || !why) return LBP_E_NULL;
  *graph = NULL, *of = 0, why[0] = '\0';
  g = (lbp_factor_graph *)malloc(sizeof *g);
  if (!g) return LBP_E_MEMORY;
  memset(&fault, 0, sizeof fault);
  status = lbp_factor_graph_parse(g, format, bytes, size, &fault);
  if (status == LBP_OK && fault.uneven > 0) {
    snprintf(why, 1024, "%llu rows of a Bayesian network do not add up to 1, the first in line %llu",
             (unsigned long long)fault.uneven, (unsigned long long)fault.uneven_line);
  }
  if (status == LBP_OK && evidence) {
    *of = 1;
    status = lbp_factor_graph_parse_evidence(g, evidence, evidence_size, sample, &fault);
  }
  if (status == LBP_OK) {
    *graph = g;
  } else {
    snprintf(why, 1024, "line %llu: %s", (unsigned long long)fault.line, fault.what);
    lbp_bridge_factors_drop(g);
  }
  return status;
}

void lbp_bridge_factors_look(const lbp_bridge_factors *g, uint64_t *size, const void **place) {
  size[0] = g->n, size[1] = g->tables, size[2] = g->scope_at[g->tables], size[3] = g->cell_at[g->tables];
  if (!place) return;
  place[0] = g->values, place[1] = g->observed, place[2] = g->scope_at, place[3] = g->cell_at, place[4] = g->scope;
  place[5] = g->cells;
}

void lbp_bridge_factors_drop(lbp_bridge_factors *g) {
  lbp_factor_graph_free(g);
  free(g);
}

int lbp_bridge_factors_exact(const lbp_bridge_model *model, double cells, double *log_z, double *marginal, uint8_t *best) {
  const uint64_t most = cells > 0 ? cells < 1e15 ? (uint64_t)cells : UINT64_C(1000000000000000) : 0;
  const lbp_factor_graph *g = model ? &model->own.graph : NULL;
  lbp_elimination e;
  uint32_t i, states;
  double *room = NULL, *rows = NULL;
  int status;
  if (!g || !log_z || (!marginal && !best)) return LBP_E_NULL;
  status = lbp_eliminate(&e, g, most, most, LBP_ELIMINATE_ALL | (best ? LBP_ELIMINATE_MAXIMUM : 0));
  if (status != LBP_OK) return status;
  *log_z = e.log_constant;
  states = e.states;
  if (best) {
    lbp_elimination_complete(&e, NULL, NULL, best);
  } else {
    room = (double *)malloc((lbp_elimination_room(&e) + 1) * sizeof *room);
    rows = (double *)calloc((size_t)g->n * states, sizeof *rows);
    status = room && rows ? lbp_elimination_marginals(&e, NULL, room, rows) : LBP_E_MEMORY;
    for (i = 0; i < g->n && status == LBP_OK; i++) {
      memset(marginal + (size_t)i * STATES, 0, STATES * sizeof *marginal);
      memcpy(marginal + (size_t)i * STATES, rows + (size_t)i * states, states * sizeof *rows);
    }
  }
  free(room);
  free(rows);
  lbp_elimination_free(&e);
  return status;
}

/* The same with pointers only, as lbp_bridge_c_*: handles are 8 bytes, numbers are int or double, why has room for 1024
 * characters. Reads a file; *evidence_size < 0: there is no evidence. */
LBP_BRIDGE_FN void lbp_bridge_c_factors_parse(const int *format, const unsigned char *bytes, const double *size,
                                              const unsigned char *evidence, const double *evidence_size,
                                              const double *sample, unsigned char *graph, int *of, char *why,
                                              int *status);

/* size[4]; if *fill, the arrays too, of so many numbers. */
LBP_BRIDGE_FN void lbp_bridge_c_factors_look(const unsigned char *graph, const int *fill, double *size, double *values,
                                             double *observed, double *scope_at, double *cell_at, double *scope,
                                             double *cells);

LBP_BRIDGE_FN void lbp_bridge_c_factors_drop(unsigned char *graph);

/* *best: state, n of them, is wanted, otherwise marginal. `why` has the sentence of *status. */
LBP_BRIDGE_FN void lbp_bridge_c_factors_exact(const unsigned char *model, const double *cells, const int *best,
                                              double *log_z, double *marginal, int *state, char *why, int *status);

/* A handle of 8 bytes has a pointer in its first ones. */
static void *factors_of(const unsigned char *handle) {
  void *pointer;
  memcpy(&pointer, handle, sizeof pointer);
  return pointer;
}

static void factors_put(unsigned char *handle, const void *pointer) {
  memset(handle, 0, 8);
  memcpy(handle, &pointer, sizeof pointer);
}

void lbp_bridge_c_factors_parse(const int *format, const unsigned char *bytes, const double *size,
                                const unsigned char *evidence, const double *evidence_size, const double *sample,
                                unsigned char *handle, int *of, char *why, int *status) {
  const int has = *evidence_size >= 0;
  lbp_bridge_factors *graph;
  *status = lbp_bridge_factors_parse(*format, bytes, (size_t)*size, has ? evidence : NULL,
                                     has ? (size_t)*evidence_size : 0, (int64_t)*sample, &graph, of, why);
  factors_put(handle, graph);
}

void lbp_bridge_c_factors_look(const unsigned char *handle, const int *fill, double *size, double *values,
                               double *observed, double *scope_at, double *cell_at, double *scope, double *cells) {
  const lbp_bridge_factors *g = (const lbp_bridge_factors *)factors_of(handle);
  uint64_t sizes[4], k;
  lbp_bridge_factors_look(g, sizes, NULL);
  for (k = 0; k < 4; k++) size[k] = (double)sizes[k];
  if (!*fill) return;
  for (k = 0; k < sizes[0]; k++) values[k] = g->values[k], observed[k] = g->observed[k];
  for (k = 0; k <= sizes[1]; k++) scope_at[k] = (double)g->scope_at[k], cell_at[k] = (double)g->cell_at[k];
  for (k = 0; k < sizes[2]; k++) scope[k] = g->scope[k];
  for (k = 0; k < sizes[3]; k++) cells[k] = g->cells[k];
}

void lbp_bridge_c_factors_drop(unsigned char *handle) {
  lbp_bridge_factors_drop((lbp_bridge_factors *)factors_of(handle));
  factors_put(handle, NULL);
}

void lbp_bridge_c_factors_exact(const unsigned char *handle, const double *cells, const int *best, double *log_z,
                                double *marginal, int *state, char *why, int *status) {
  const lbp_bridge_model *model = (const lbp_bridge_model *)factors_of(handle);
  const uint32_t n = lbp_bridge_sites(model);
  uint8_t *x = (uint8_t *)calloc((size_t)n + 1, 1);
  uint32_t i;
  *status = !x ? LBP_E_MEMORY :
            lbp_bridge_factors_exact(model, *cells, log_z, *best ? NULL : marginal, *best ? x : NULL);
  for (i = 0; *status == LBP_OK && *best && i < n; i++) state[i] = x[i];
  free(x);
  snprintf(why, 1024, "%s", *status == LBP_E_IMPOSSIBLE ?
           "no possible state: tables' zeros contradict each other, or what was observed" : lbp_error(*status));
}

#ifdef __cplusplus
}
#endif
