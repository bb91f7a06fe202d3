/* A restricted Boltzmann machine for other languages, its hidden units summed out: log pi(x) = b . x + sum over hidden
 * units j of log(1 + exp(c_j + sum_i x_i W_ij)), x of zeros and ones.
 *   cc -O3 -march=native -shared -fPIC -I../.. rbm.c -o rbm.so -lm */
#include <stdio.h>

#define LBP_MODELS_REAL double
#include "lbp_models.h"

typedef struct {
  uint32_t n, hidden;
  const double *W, *b, *c;
  lbp_rbm it;
} rbm;

static int rbm_build(rbm *m, char *why) {
  const int status = lbp_rbm_init(&m->it, m->n, m->hidden, m->W, m->b, m->c);
  if (status == LBP_E_RANGE) snprintf(why, 1024, "W, b, c: a number is beyond 1e12 in magnitude");
  return status;
}

#define LBP_NAME                  rbm
#define LBP_MODEL_T               rbm
#define LBP_REAL                  lbp_real
#define LBP_FIELDS_T              lbp_rbm_fields
#define LBP_FIELDS_INIT(m, f, x)  lbp_rbm_fields_set(&(m)->it, f, x)
#define LBP_FIELDS_MAKE(m, f)     lbp_rbm_fields_init(&(m)->it, f)
#define LBP_FIELDS_FREE           lbp_rbm_fields_free
#define LBP_FLIP(m, f, x, i)      lbp_rbm_flip(&(m)->it, f, x, i)
#define LBP_SAVE(m, f)            lbp_rbm_save(&(m)->it, f)
#define LBP_RESTORE(m, f)         lbp_rbm_restore(&(m)->it, f)
#define LBP_DELTAS(m, f, x, out)  lbp_rbm_deltas(&(m)->it, f, x, out) /* by gradients, so ... */
#define LBP_LOGP(m, f, x)         lbp_rbm_logp(&(m)->it, f, x)        /* ... this decides acceptance */
#define LBP_DELTA(m, f, x, i)     lbp_rbm_delta(&(m)->it, f, x, i)    /* for sweeps: exact */
#define LBP_ROUNDING(m)           (m)->it.rounding
#define LBP_TEMPERED
#define LBP_BRIDGE_SIZES(S)       S(n) S(hidden)
#define LBP_BRIDGE_ARRAYS(A)      A(b, double, n) A(c, double, hidden) A(W, double, n * hidden)
#define LBP_BRIDGE_BUILD(m, why)  rbm_build(m, why)
#define LBP_BRIDGE_FREE(m)        lbp_rbm_free(&(m)->it)
#include "lbp_bridge.h"
