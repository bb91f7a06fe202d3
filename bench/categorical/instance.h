/* Template: an instance of lbp.h for categorical sites, float32, of a model of lbp/models/potts.h. Parameters: LBP_NAME,
 * LBP_WEIGHT; MODEL, the model's type, behind whose name are those of its functions; STATES, the most values of a site;
 * MODEL_VALUES, if sites differ in that; MODEL_NEIGHBOURS, of a local model; MODEL_FIELDS, if it keeps fields. */

#define MODEL_CALL(name) BENCH_PASTE(MODEL, name)

#define LBP_MODEL_T    MODEL
#define LBP_REAL       lbp_real
#define LBP_CAT_STATES STATES
#ifdef MODEL_VALUES
#define LBP_CAT_STATES_OF MODEL_CALL(_values)
#endif
#ifdef MODEL_FIELDS
#define LBP_FIELDS_T    MODEL_CALL(_fields)
#define LBP_FIELDS_INIT MODEL_CALL(_fields_set)
#define LBP_FIELDS_MAKE MODEL_CALL(_fields_init)
#define LBP_FIELDS_FREE MODEL_CALL(_fields_free)
#define LBP_CAT_CHANGE  MODEL_CALL(_change)
#endif
#ifdef MODEL_NEIGHBOURS
#define LBP_NEIGHBOURS     MODEL_CALL(_neighbours)
#define LBP_MAX_NEIGHBOURS MODEL_NEIGHBOURS
#endif
#if defined MODEL_FIELDS && defined MODEL_NEIGHBOURS
#define MODEL_LAW(name) MODEL_CALL(_fields##name)
#else
#define MODEL_LAW(name) MODEL_CALL(name)
#endif
#ifdef MODEL_VALUES
#define LBP_CAT_DELTAS_OF MODEL_LAW(_deltas_of)
#elif defined MODEL_FIELDS
#define LBP_CAT_DELTAS_OF(m, f, x, i, out) MODEL_LAW(_deltas_k)(m, f, x, i, STATES, out)
#else
#define LBP_CAT_DELTAS_OF(m, x, i, out) MODEL_LAW(_deltas_k)(m, x, i, STATES, out)
#endif
#define LBP_CAT_DELTA MODEL_LAW(_delta)
#define LBP_LOGP      MODEL_LAW(_logp)
#ifndef MODEL_NEIGHBOURS
#define LBP_DELTAS  MODEL_CALL(_deltas)
#define LBP_SAVE    MODEL_CALL(_save)
#define LBP_RESTORE MODEL_CALL(_restore)
#endif
#include "../../lbp_run.h"

#undef MODEL_CALL
#undef MODEL_LAW
