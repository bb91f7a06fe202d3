/* The input of static analysis (tests/lint.sh): all headers, with an instance of each kind. */
#include "../../lbp_ab.h"
#include "../../lbp_models.h"
#include "../../lbp_perm.h"
#include "../../lbp/models/potts.h"
#include "../../lbp/models/factors.h"
#include "../../lbp/models/qubo.h"
#include "../../lbp_stats.h"

#define H_NAME   local
#define H_REAL   double
#define H_WEIGHT LBP_BARKER
#define H_KIND   1
#define H_FIXED  0
#include "instance.h"

#define H_NAME   dense
#define H_REAL   float
#define H_WEIGHT LBP_CUSTOM
#define H_KIND   2
#define H_FIXED  1
#include "instance.h"

#define H_NAME   fields
#define H_REAL   double
#define H_WEIGHT LBP_SQRT
#define H_KIND   3
#define H_FIXED  0
#include "instance.h"

#define H_NAME   lists
#define H_REAL   float
#define H_WEIGHT LBP_BARKER
#define H_KIND   4
#define H_FIXED  0
#include "instance.h"

#define H_NAME   summed
#define H_REAL   float
#define H_WEIGHT LBP_BARKER
#define H_KIND   5
#define H_FIXED  0
#include "instance.h"

#define LBP_NAME        lattice
#define LBP_MODEL_T     lbp_lattice
#define LBP_REAL        lbp_real
#define LBP_GRADIENT    lbp_lattice_gradient
#define LBP_CONDITIONAL lbp_lattice_conditional
#include "../../lbp_ab.h"

static lbp_real pair_exchange(const void *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return (void)m, (lbp_real)s[a] * (lbp_real)b - (lbp_real)s[b] * (lbp_real)a;
}

#define LBP_NAME     pairing
#define LBP_REAL     lbp_real
#define LBP_EXCHANGE pair_exchange
#include "../../lbp_perm.h"

int main(void) { return local_use() + dense_use() + fields_use() + lists_use() + summed_use(); }
