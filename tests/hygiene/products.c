/* What tests/lint.sh looks for products of 32-bit numbers in, next to lint.c: runs of every template, and what lint.c
 * does not include. */
#define _POSIX_C_SOURCE 200809L
#include "../../lbp/models/alignment.h"
#include "../../lbp/models/potts_train.h"
#include "../../lbp/models/factors.h"
#include "../../lbp/models/qubo.h"
#include "../../lbp_models.h"

#define LBP_NAME           grid
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../../lbp_run.h"

static uint32_t group_of(const lbp_ising *m, uint32_t i) { return (void)m, i % 7; }
static uint32_t two_ones(const lbp_ising *m, uint32_t g) { return (void)m, (void)g, 2; }

#define LBP_NAME           swaps
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_ising_logp
#define LBP_TEMPERED
#define LBP_GROUP          group_of
#define LBP_GROUP_ONES     two_ones
#include "../../lbp_run.h"

#define LBP_NAME        machine
#define LBP_MODEL_T     lbp_rbm
#define LBP_REAL        lbp_real
#define LBP_FIELDS_T    lbp_rbm_fields
#define LBP_FIELDS_INIT lbp_rbm_fields_set
#define LBP_FIELDS_MAKE lbp_rbm_fields_init
#define LBP_FIELDS_FREE lbp_rbm_fields_free
#define LBP_FLIP        lbp_rbm_flip
#define LBP_SAVE        lbp_rbm_save
#define LBP_RESTORE     lbp_rbm_restore
#define LBP_DELTAS      lbp_rbm_deltas
#define LBP_DELTAS_MANY lbp_rbm_deltas_many
#define LBP_LOGP        lbp_rbm_logp
#define LBP_TEMPERED
#include "../../lbp_run.h"

#define LBP_NAME     lattice
#define LBP_MODEL_T  lbp_lattice
#define LBP_REAL     lbp_real
#define LBP_GRADIENT lbp_lattice_gradient
#define LBP_AB_TEMPERED
#define LBP_CLAMPED
#include "../../lbp_run.h"

static double exchange(const void *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return (void)m, (double)s[a] * b - (double)s[b] * a;
}
static double order_logp(const void *m, const uint32_t *s) { return (void)m, (double)s[0]; }

#define LBP_NAME     pairing
#define LBP_EXCHANGE exchange
#define LBP_LOGP     order_logp
#include "../../lbp_run.h"

static void cat_row(const lbp_ising *m, const uint8_t *x, uint32_t i, lbp_real *out) {
  uint32_t v;
  for (v = 0; v < 3; v++) out[v] = (lbp_real)((int)v - x[i]) * m->alpha[i];
}
static lbp_real cat_logp(const lbp_ising *m, const uint8_t *x) {
  lbp_real sum = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += m->alpha[i] * x[i];
  return sum;
}

#define LBP_NAME           colours
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  cat_row
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP           cat_logp
#define LBP_TEMPERED
#include "../../lbp_run.h"

int main(void) { return 0; }
