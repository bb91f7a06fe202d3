/* An instance of lbp_run.h for cores of factor graphs: infer.c includes this once for each LBP_CAT_STATES, with
 * LBP_NAME; where all sites have two values, without LBP_CAT_STATES. */
#define LBP_MODEL_T        lbp_factors
#define LBP_REAL           lbp_real
#ifdef LBP_CAT_STATES
#define LBP_CAT_STATES_OF  lbp_factors_values
#define LBP_CAT_DELTAS_OF(m, x, i, out) lbp_factors_deltas_of(m, x, i, LBP_CAT_STATES, out)
#else
#define LBP_DELTA          lbp_factors_delta
#endif
#define LBP_NEIGHBOURS     lbp_factors_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FACTORS_NEIGHBOURS
#define LBP_LOGP           lbp_factors_logp
#define LBP_TEMPERED
#define LBP_ROUNDING(m)    (m)->rounding
#include "lbp_run.h"
