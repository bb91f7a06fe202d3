/* Template: an instance of lbp.h for selections of columns. Parameters: LBP_NAME, LBP_WEIGHT, others of lbp.h that
 * are not set here, and SELECT_DELTAS, lbp_selection_deltas or a function that calls it, which stays defined. */
#define LBP_MODEL_T     lbp_selection
#define LBP_REAL        double
#define LBP_FIELDS_T    lbp_selection_fields
#define LBP_FIELDS_INIT lbp_selection_fields_set
#define LBP_FIELDS_MAKE lbp_selection_fields_init
#define LBP_FIELDS_FREE lbp_selection_fields_free
#define LBP_FLIP        lbp_selection_flip
#define LBP_DELTAS      SELECT_DELTAS
#define LBP_DELTAS_EXACT
#define LBP_LOGP        lbp_selection_logp
#include "../../lbp_run.h"
