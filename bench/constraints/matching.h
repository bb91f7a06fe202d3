/* Template: an instance of lbp_perm.h for a matching. Parameters: LBP_PERM_NAME, LBP_PERM_WEIGHT, and
 * MATCHING_ROW_WEIGHT, if rows are chosen by their cost, which stays defined. */
#define LBP_PERM_MODEL_T        matching
#define LBP_PERM_EXCHANGE       matching_exchange
#define LBP_PERM_NEIGHBOURS     matching_neighbours
#define LBP_PERM_MAX_NEIGHBOURS 0
#define LBP_PERM_LOGP           matching_logp
#ifdef MATCHING_ROW_WEIGHT
#define LBP_PERM_ROW_WEIGHT     MATCHING_ROW_WEIGHT
#endif
#include "../../lbp_run.h"
