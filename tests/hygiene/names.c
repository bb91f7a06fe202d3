/* Instances whose callbacks are all one function, which has no prototype, and whose types are all one: to be read by
 * names.awk. Compiles, but does not run. */
#include "lbp_run.h"
#include "lbp_ab.h"

#undef LBP_CHECKED
#define LBP_CHECKED 1
#undef LBP_ON_ERROR
#define LBP_ON_ERROR CALLED

typedef double TYPE;
double CALLED();

#define LBP_NAME           names_local
#define LBP_MODEL_T        TYPE
#define LBP_REAL           TYPE
#define LBP_RNG_T          TYPE
#define LBP_RNG_U64        CALLED
#define LBP_DELTA          CALLED
#define LBP_NEIGHBOURS     CALLED
#define LBP_MAX_NEIGHBOURS 4
#define LBP_WEIGHT         LBP_CUSTOM
#define LBP_LOG_WEIGHT     CALLED
#define LBP_N              7
#include "lbp.h"

#define LBP_NAME        names_list
#define LBP_MODEL_T     TYPE
#define LBP_REAL        TYPE
#define LBP_FIELDS_T    TYPE
#define LBP_FIELDS_INIT CALLED
#define LBP_FLIP        CALLED
#define LBP_FLIP_LIST   CALLED
#define LBP_LEVEL       CALLED
#define LBP_LEVELS      9
#define LBP_CLOCK       LBP_BARKER
#define LBP_PATH
#define LBP_DELTA          CALLED
#define LBP_NEIGHBOURS     CALLED
#define LBP_MAX_NEIGHBOURS 4
#include "lbp.h"

#define LBP_NAME        names_dense
#define LBP_MODEL_T     TYPE
#define LBP_REAL        TYPE
#define LBP_FIELDS_T    TYPE
#define LBP_FIELDS_MAKE CALLED
#define LBP_FIELDS_FREE CALLED
#define LBP_FIELDS_INIT CALLED
#define LBP_FLIP        CALLED
#define LBP_SAVE        CALLED
#define LBP_RESTORE     CALLED
#define LBP_DELTA       CALLED
#define LBP_DELTAS      CALLED
#define LBP_DELTAS_MANY CALLED
#define LBP_LOGP        CALLED
#define LBP_BASE        CALLED
#define LBP_PREFETCH    CALLED
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "lbp_run.h"

#define LBP_NAME           names_swap
#define LBP_MODEL_T        TYPE
#define LBP_REAL           TYPE
#define LBP_DELTA          CALLED
#define LBP_NEIGHBOURS     CALLED
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           CALLED
#define LBP_GROUP          CALLED
#define LBP_GROUPS         3
#define LBP_GROUP_ONES     CALLED
#include "lbp_run.h"

#define LBP_NAME        names_swaps
#define LBP_MODEL_T     TYPE
#define LBP_REAL        TYPE
#define LBP_DELTAS      CALLED
#define LBP_DELTAS_MANY CALLED
#define LBP_LOGP        CALLED
#define LBP_GROUP       CALLED
#include "lbp.h"

#define LBP_NAME        names_ab
#define LBP_MODEL_T     TYPE
#define LBP_REAL        TYPE
#define LBP_RNG_T       TYPE
#define LBP_RNG_U64     CALLED
#define LBP_GRADIENT    CALLED
#define LBP_LOGP        CALLED
#define LBP_CONDITIONAL CALLED
#define LBP_CLAMPED
#include "lbp_ab.h"

#define LBP_NAME          names_cat
#define LBP_MODEL_T       TYPE
#define LBP_REAL          TYPE
#define LBP_CAT_STATES    4 + 1
#define LBP_CAT_STATES_OF CALLED
#define LBP_CAT_DELTAS_OF CALLED
#define LBP_CAT_DELTA     CALLED
#define LBP_CAT_CHANGE    CALLED
#define LBP_CAT_BASE      CALLED
#define LBP_FIELDS_T      TYPE
#define LBP_FIELDS_INIT   CALLED
#define LBP_DELTAS        CALLED
#define LBP_DELTAS_MANY   CALLED
#define LBP_LOGP          CALLED
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "lbp.h"

enum { NAMES_LOT = 1 / (names_cat_priv_lot_values == 5 * names_cat_priv_lot) };

#define LBP_NAME         names_terms
#define LBP_MODEL_T      TYPE
#define LBP_REAL         TYPE
#define LBP_TERM         CALLED
#define LBP_TERM_SITES   CALLED
#define LBP_TERM_COUNT   CALLED
#define LBP_SITE_TERM    CALLED
#define LBP_TERM_MAX     3
#define LBP_TERMS_OF_MAX 4
#define LBP_UNIT         CALLED
#define LBP_TEMPERED
#include "lbp_run.h"

#define LBP_NAME           names_pairs
#define LBP_MODEL_T        TYPE
#define LBP_REAL           TYPE
#define LBP_DELTA          CALLED
#define LBP_NEIGHBOURS     CALLED
#define LBP_MAX_NEIGHBOURS 4
#define LBP_PAIRS          CALLED
#define LBP_FIELD          CALLED
#define LBP_CLUSTERS
#define LBP_PARTS
#define LBP_SYMMETRIC      CALLED
#define LBP_UNIT           CALLED
#define LBP_LANES          256
#include "lbp.h"

#define LBP_NAME           names_tables
#define LBP_MODEL_T        TYPE
#define LBP_REAL           TYPE
#define LBP_CAT_STATES     5
#define LBP_CAT_DELTAS_OF  CALLED
#define LBP_CAT_POWERS_OF  CALLED
#define LBP_NEIGHBOURS     CALLED
#define LBP_MAX_NEIGHBOURS 4
#define LBP_CAT_PAIRS      CALLED
#define LBP_CAT_PAIR       CALLED
#define LBP_CAT_FIELD      CALLED
#define LBP_CLUSTERS
#define LBP_PARTS
#include "lbp.h"

int main(void) { return 0; }

#define LBP_NAME                 names_perm
#define LBP_MODEL_T              TYPE
#define LBP_REAL                 TYPE
#define LBP_EXCHANGE             CALLED
#define LBP_PERM_ROW             CALLED
#define LBP_PERM_ROW_WEIGHT      CALLED
#define LBP_NEIGHBOURS           CALLED
#define LBP_MAX_NEIGHBOURS       4
#define LBP_LOGP                 CALLED
#define LBP_PERM_PARTIAL_ROWS    CALLED
#define LBP_PERM_PARTIAL_COLUMNS CALLED
#include "lbp_run.h"
