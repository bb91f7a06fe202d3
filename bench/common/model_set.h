/* Template: the benchmarks' four models with one weight function, float32. Parameters: SET, the suffix of the
 * instances' names, and SET_WEIGHT. */

#define SET_PASTE2(a, b) a##_##b
#define SET_PASTE(a, b)  SET_PASTE2(a, b)

#define LBP_NAME           SET_PASTE(bernoulli, SET)
#define LBP_MODEL_T        lbp_bernoulli
#define LBP_REAL           float
#define LBP_WEIGHT         SET_WEIGHT
#define LBP_DELTA          lbp_bernoulli_delta
#define LBP_NEIGHBOURS     lbp_bernoulli_neighbours
#define LBP_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#define LBP_LOGP           lbp_bernoulli_logp
#include "../../lbp_run.h"

#define LBP_NAME           SET_PASTE(ising, SET)
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           float
#define LBP_WEIGHT         SET_WEIGHT
#define LBP_FIELDS_T       lbp_ising_fields
#define LBP_FIELDS_INIT    lbp_ising_fields_set
#define LBP_FIELDS_MAKE    lbp_ising_fields_init
#define LBP_FIELDS_FREE    lbp_ising_fields_free
#define LBP_FLIP           lbp_ising_flip
#define LBP_DELTA          lbp_ising_fields_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_LOGP(m, f, x)  lbp_ising_logp(m, x)
#include "../../lbp_run.h"

#define LBP_NAME           SET_PASTE(fhmm, SET)
#define LBP_MODEL_T        lbp_fhmm
#define LBP_REAL           float
#define LBP_WEIGHT         SET_WEIGHT
#define LBP_FIELDS_T       lbp_fhmm_fields
#define LBP_FIELDS_INIT    lbp_fhmm_fields_set
#define LBP_FIELDS_MAKE    lbp_fhmm_fields_init
#define LBP_FIELDS_FREE    lbp_fhmm_fields_free
#define LBP_FLIP           lbp_fhmm_flip
#define LBP_DELTA          lbp_fhmm_fields_delta
#define LBP_NEIGHBOURS     lbp_fhmm_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FHMM_MAX_NEIGHBOURS
#define LBP_LOGP(m, f, x)  lbp_fhmm_logp(m, x)
#include "../../lbp_run.h"

#define LBP_NAME        SET_PASTE(rbm, SET)
#define LBP_MODEL_T     lbp_rbm
#define LBP_REAL        float
#define LBP_WEIGHT      SET_WEIGHT
#define LBP_FIELDS_T    lbp_rbm_fields
#define LBP_FIELDS_INIT lbp_rbm_fields_set
#define LBP_FIELDS_MAKE lbp_rbm_fields_init
#define LBP_FIELDS_FREE lbp_rbm_fields_free
#define LBP_FLIP        lbp_rbm_flip
#define LBP_SAVE        lbp_rbm_save
#define LBP_RESTORE     lbp_rbm_restore
#define LBP_DELTAS      lbp_rbm_deltas
#define LBP_DELTA       lbp_rbm_delta
#define LBP_LOGP        lbp_rbm_logp
#include "../../lbp_run.h"

#undef SET
#undef SET_WEIGHT
#undef SET_PASTE2
#undef SET_PASTE
