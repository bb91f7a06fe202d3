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
