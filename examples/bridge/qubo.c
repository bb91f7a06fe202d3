/* Any quadratic energy over zeros and ones, for other languages: QUBO, max-cut, spin glasses. pi(x) = exp(-E(x)), E the
 * sum of value[k] x_i x_j over all terms, i = ends[2 k], j = ends[2 k + 1], which may be equal.
 *   cc -O3 -march=native -shared -fPIC -I../.. qubo.c -o qubo.so -lm */
#include <stdio.h>

#define LBP_MODELS_REAL double /* large penalties and small costs in one model */
#include "lbp/models/qubo.h"

#ifndef MOST_NEIGHBOURS
#define MOST_NEIGHBOURS 4096 /* of a site */
#endif

typedef struct {
  uint32_t n, m;
  const uint32_t *ends;
  const double *value;
  lbp_qubo it;
} qubo;

static int qubo_build(qubo *q, char *why) {
  const int status = lbp_qubo_init(&q->it, q->n, q->m, q->ends, q->value, 0, MOST_NEIGHBOURS);
  for (uint32_t k = 0; status != LBP_OK && k < 2 * q->m; k++) {
    if (q->ends[k] < q->n) continue;
    snprintf(why, 1024, "ends[%lu]: site %lu of 0 to n - 1 = %ld", (unsigned long)k, (unsigned long)q->ends[k], (long)q->n - 1);
    return status;
  }
  if (status == LBP_E_RANGE) {
    snprintf(why, 1024, "a value beyond 1e12, or a site that has terms with more than %d others (-DMOST_NEIGHBOURS=)",
             MOST_NEIGHBOURS);
  }
  if (status == LBP_E_PRECISION) {
    snprintf(why, 1024, "value: large and small terms in one model: rounding them to double would change log-ratios by more "
             "than 1e-3; make the large ones smaller (a penalty need only exceed what it forbids can gain)");
  }
  return status;
}

#define LBP_NAME                     qubo
#define LBP_MODEL_T                  qubo
#define LBP_REAL                     lbp_real
#define LBP_NEIGHBOURS(q, i, out)    lbp_qubo_neighbours(&(q)->it, i, out)
#define LBP_MAX_NEIGHBOURS           MOST_NEIGHBOURS
#define LBP_FIELDS_T                 lbp_qubo_fields
#define LBP_FIELDS_INIT(q, f, x)     lbp_qubo_fields_set(&(q)->it, f, x)
#define LBP_FIELDS_MAKE(q, f)        lbp_qubo_fields_init(&(q)->it, f)
#define LBP_FIELDS_FREE              lbp_qubo_fields_free
#define LBP_FLIP(q, f, x, i)         lbp_qubo_flip(&(q)->it, f, x, i)
#define LBP_DELTA(q, f, x, i)        lbp_qubo_fields_delta(&(q)->it, f, x, i)
#define LBP_LOGP(q, f, x)            lbp_qubo_fields_logp(&(q)->it, f, x)
#define LBP_TEMPERED
#define LBP_ROUNDING(q)              (q)->it.rounding
#define LBP_CLAMPED
#define LBP_BRIDGE_SIZES(S)          S(n) S(m)
#define LBP_BRIDGE_ARRAYS(A)         A(ends, uint32_t, m * 2) A(value, double, m)
#define LBP_BRIDGE_BUILD(q, why)     qubo_build(q, why)
#define LBP_BRIDGE_FREE(q)           lbp_qubo_free(&(q)->it)
#include "lbp_bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a file's bytes; format: LBP_QUBO_GUESS and so on. *terms: free it by lbp_bridge_qubo_drop. why: 1024 characters
 * for the sentence. Returns a status of lbp_qubo_end; *terms is NULL unless that is LBP_OK. */
LBP_BRIDGE_FN int lbp_bridge_qubo_parse(int format, const void *bytes, size_t size, lbp_qubo_terms **terms, char *why);

/* size[2]: sites, terms; place[3]: where ends, values and the offset are, which belong to the terms. */
LBP_BRIDGE_FN void lbp_bridge_qubo_look(const lbp_qubo_terms *terms, uint64_t *size, const void **place);

LBP_BRIDGE_FN void lbp_bridge_qubo_drop(lbp_qubo_terms *terms);

int lbp_bridge_qubo_parse(int format, const void *bytes, size_t size, lbp_qubo_terms **terms, char *why) {
  lbp_qubo_reader reader;
  int status;
  if (!bytes || !terms || !why) return LBP_E_NULL;
  why[0] = '\0';
  *terms = (lbp_qubo_terms *)malloc(sizeof **terms);
  if (!*terms) return LBP_E_MEMORY;
  status = lbp_qubo_begin(&reader, format);
  if (status == LBP_OK) status = lbp_qubo_feed(&reader, bytes, size);
  if (status == LBP_OK) status = lbp_qubo_end(&reader, *terms);
  if (status == LBP_OK) return LBP_OK;
  snprintf(why, 1024, "line %llu: %s", (unsigned long long)reader.fault.line, reader.fault.what);
  free(*terms);
  *terms = NULL;
  return status;
}

void lbp_bridge_qubo_look(const lbp_qubo_terms *terms, uint64_t *size, const void **place) {
  size[0] = terms->n, size[1] = terms->count;
  place[0] = terms->ends, place[1] = terms->value, place[2] = &terms->offset;
}

void lbp_bridge_qubo_drop(lbp_qubo_terms *terms) {
  lbp_qubo_terms_free(terms);
  free(terms);
}

#ifdef __cplusplus
}
#endif
