/* Template: an instance of lbp_perm.h for a matching. Parameters: LBP_NAME, LBP_WEIGHT, and
 * MATCHING_ROW_WEIGHT, if rows are chosen by their cost, which stays defined. */
#define LBP_MODEL_T        matching
#define LBP_EXCHANGE       matching_exchange
#define LBP_NEIGHBOURS     matching_neighbours
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           matching_logp
#ifdef MATCHING_ROW_WEIGHT
#define LBP_PERM_ROW_WEIGHT     MATCHING_ROW_WEIGHT
#endif
#include "../../lbp_run.h"
