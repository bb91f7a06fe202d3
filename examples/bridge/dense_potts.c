/* A dense Potts model for other languages, such as those of protein families: log pi(x) = sum over pairs of sites i < j
 * of J_ij(x_i, x_j) + sum of h_i(x_i), sites having STATES values each.
 *   cc -O3 -march=native -shared -fPIC -DSTATES=21 -I../.. dense_potts.c -o dense_potts.so -lm */
#include <stdio.h>

#define LBP_MODELS_REAL double
#include "lbp/models/potts.h"

#ifndef STATES
#define STATES 4
#endif

typedef struct {
  uint32_t n;
  const double *h, *J;
  lbp_potts_dense it;
} dense_potts;

static int dense_potts_build(dense_potts *m, char *why) {
  const int status = lbp_potts_dense_init(&m->it, m->n, STATES, m->h, m->J);
  if (status == LBP_E_RANGE) snprintf(why, 1024, "h, J: a number is beyond 1e12 in magnitude");
  if (status == LBP_E_SIZE) snprintf(why, 1024, "n: (n %d)^2 couplings are more than 2^31 - 1", STATES);
  return status;
}

#define LBP_NAME                           dense_potts
#define LBP_MODEL_T                        dense_potts
#define LBP_REAL                           lbp_real
#define LBP_CAT_STATES                     STATES
#define LBP_FIELDS_T                       lbp_potts_dense_fields
#define LBP_FIELDS_INIT(m, f, x)           lbp_potts_dense_fields_set(&(m)->it, f, x)
#define LBP_FIELDS_MAKE(m, f)              lbp_potts_dense_fields_init(&(m)->it, f)
#define LBP_FIELDS_FREE                    lbp_potts_dense_fields_free
#define LBP_CAT_CHANGE(m, f, x, i, v)      lbp_potts_dense_change(&(m)->it, f, x, i, v)
#define LBP_DELTAS(m, f, x, out)           lbp_potts_dense_deltas(&(m)->it, f, x, out)
#define LBP_CAT_DELTAS_OF(m, f, x, i, out) lbp_potts_dense_deltas_of(&(m)->it, f, x, i, out)
#define LBP_CAT_DELTA(m, f, x, i, v)       lbp_potts_dense_delta(&(m)->it, f, x, i, v)
#define LBP_SAVE(m, f)                     lbp_potts_dense_save(&(m)->it, f)
#define LBP_RESTORE(m, f)                  lbp_potts_dense_restore(&(m)->it, f)
#define LBP_LOGP(m, f, x)                  lbp_potts_dense_logp(&(m)->it, f, x)
#define LBP_ROUNDING(m)                    (m)->it.rounding
#define LBP_TEMPERED
#define LBP_BRIDGE_ARRAYS(A)      A(h, double, n * STATES) A(J, double, n * (n - 1) / 2 * STATES * STATES)
#define LBP_BRIDGE_BUILD(m, why)  dense_potts_build(m, why)
#define LBP_BRIDGE_FREE(m)        lbp_potts_dense_free(&(m)->it)
#include "lbp_bridge.h"
