/* Part of the templates perm_case.h and pairs_perm_case.h: an instance of lbp_perm.h on a perm_toy. Parameters: CASE,
 * CASE_REAL, CASE_AS, CASE_WEIGHT, CASE_ROW, CASE_ROW_WEIGHT, CASE_NEIGHBOURS and CASE_PARTIAL of these. */

#define LBP_NAME     CASE
#define LBP_MODEL_T  perm_toy
#define LBP_REAL     CASE_REAL
#define LBP_WEIGHT   CASE_WEIGHT
#define LBP_EXCHANGE CASE_AS(perm_exchange)
#define LBP_LOGP     CASE_AS(perm_logp)
#ifdef CASE_ROW
#define LBP_PERM_ROW CASE_AS(perm_row)
#endif
#ifdef CASE_ROW_WEIGHT
#define LBP_PERM_ROW_WEIGHT CASE_AS(perm_row_weight)
#endif
#ifdef CASE_NEIGHBOURS
#define LBP_NEIGHBOURS     perm_neighbours
#define LBP_MAX_NEIGHBOURS PERM_MOST
#endif
#ifdef CASE_PARTIAL
#define LBP_PERM_PARTIAL_ROWS(m)    (m)->rows
#define LBP_PERM_PARTIAL_COLUMNS(m) (m)->columns
#endif
#include "../../lbp_perm.h"
