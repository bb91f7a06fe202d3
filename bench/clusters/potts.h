/* Template: an instance of lbp_potts whose sites all have VALUES values, by the name POTTS_NAME. */
#define LBP_NAME           POTTS_NAME
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     VALUES
#define LBP_CAT_DELTAS_OF(m, x, i, out) lbp_potts_deltas_k(m, x, i, VALUES, out)
#define LBP_CAT_POWERS_OF(m, x, i, out, power) lbp_potts_powers_k(m, x, i, VALUES, out, power)
#define LBP_CAT_DELTA      lbp_potts_delta
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#define LBP_LOGP           lbp_potts_logp
#define LBP_CAT_PAIRS      lbp_potts_pairs
#define LBP_CAT_PAIR       lbp_potts_pair
#define LBP_CAT_FIELD      lbp_potts_field
#include "../../lbp_run.h"
#undef VALUES
#undef POTTS_NAME
