/* An instance of lbp_potts_dense, with its kernel: define LBP_NAME, LBP_CAT_STATES, and include this file. */
#define LBP_MODEL_T       lbp_potts_dense
#define LBP_REAL          lbp_real
#define LBP_FIELDS_T      lbp_potts_dense_fields
#define LBP_FIELDS_INIT   lbp_potts_dense_fields_set
#define LBP_FIELDS_MAKE   lbp_potts_dense_fields_init
#define LBP_FIELDS_FREE   lbp_potts_dense_fields_free
#define LBP_CAT_CHANGE    lbp_potts_dense_change
#define LBP_DELTAS        lbp_potts_dense_deltas
#define LBP_CAT_DELTAS_OF lbp_potts_dense_deltas_of
#define LBP_CAT_DELTA     lbp_potts_dense_delta
#define LBP_SAVE          lbp_potts_dense_save
#define LBP_RESTORE       lbp_potts_dense_restore
#define LBP_LOGP          lbp_potts_dense_logp
#include "../lbp_run.h"
