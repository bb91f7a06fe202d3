/* Part of test_checked.c, included once for builds that are checked and once for others: instances of every kind. */

#define CASE               TWIN(local)
#define CASE_MODEL         toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#define LBP_LOGP           toy_logp
#include "checked_case.h"

#define CASE               TWIN(ring)
#define CASE_MODEL         float
#define LBP_REAL           float
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          long_delta
#define LBP_NEIGHBOURS     long_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "checked_case.h"

#define CASE       TWIN(dense)
#define CASE_MODEL toy
#define LBP_DELTA  toy_delta
#define LBP_DELTAS toy_deltas
#include "checked_case.h"

#define CASE            TWIN(estimates)
#define CASE_MODEL      toy
#define CASE_FIELDS     toy_fields
#define LBP_REAL        float
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_DELTAS      toy_fields_deltas_float
#define LBP_DELTAS_MANY toy_fields_deltas_many_float
#define LBP_LOGP        (float)toy_fields_logp
#include "checked_case.h"

#define CASE            TWIN(restoring)
#define CASE_MODEL      toy
#define CASE_FIELDS     toy_fields
#define LBP_FIELDS_INIT    toy_fields_set
#define LBP_FLIP           toy_fields_flip
#define LBP_SAVE           toy_fields_save
#define LBP_RESTORE        toy_fields_restore
#define LBP_DELTA          toy_fields_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS TOY_MAX
#include "checked_case.h"

/* models with a mistake */

#define CASE               TWIN(sick_local)
#define CASE_MODEL         sick
#define LBP_DELTA          sick_delta
#define LBP_NEIGHBOURS     sick_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "checked_case.h"

#define CASE               TWIN(sick_logp)
#define CASE_MODEL         sick
#define LBP_DELTA          sick_delta
#define LBP_NEIGHBOURS     sick_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           sick_logp
#include "checked_case.h"

#define CASE       TWIN(sick_dense)
#define CASE_MODEL sick
#define LBP_DELTA  sick_delta
#define LBP_DELTAS sick_deltas
#include "checked_case.h"

#define CASE       TWIN(sick_estimates)
#define CASE_MODEL sick
#define LBP_DELTAS sick_deltas
#define LBP_LOGP   sick_logp
#include "checked_case.h"

#define CASE            TWIN(sick_fields)
#define CASE_MODEL      sick
#define CASE_FIELDS     sick_fields
#define LBP_FIELDS_INIT sick_fields_set
#define LBP_FLIP        sick_flip
#define LBP_SAVE        sick_save
#define LBP_RESTORE     sick_restore
#define LBP_DELTA       sick_fields_delta
#define LBP_DELTAS      sick_fields_deltas
#include "checked_case.h"

#define CASE               TWIN(sick_weight)
#define CASE_MODEL         sick
#define LBP_WEIGHT         LBP_CUSTOM
#define LBP_LOG_WEIGHT(d)  (0.4 * (d))
#define LBP_DELTA          sick_delta
#define LBP_NEIGHBOURS     sick_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "checked_case.h"

/* lbp_ab.h */

#define LBP_NAME        TWIN(ordinal)
#define LBP_MODEL_T     lbp_lattice
#define LBP_REAL        lbp_real
#define LBP_GRADIENT    lbp_lattice_gradient
#define LBP_CONDITIONAL lbp_lattice_conditional
#include "../../lbp_ab.h"
