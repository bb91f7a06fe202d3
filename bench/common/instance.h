/* Template: an instance of lbp.h, with its kernel, of a model whose functions are called as in lbp_models.h.
 * Parameters: LBP_NAME, LBP_REAL, if it is not float, and other parameters of lbp.h that are not set here; MODEL, the
 * model's type, behind whose name are those of its functions, _logp and
 *   of a local model   _neighbours, up to MODEL_NEIGHBOURS of them, and _delta; of a dense one _deltas;
 *   with MODEL_FIELDS  those of its fields; then a dense one has _delta, _save and _restore, too.
 *   with MODEL_PREFETCH _prefetch and, if there are fields, _flip_list.
 * MODEL_LEVEL, MODEL_LEVELS, MODEL_TEMPERED, MODEL_GROUP, MODEL_GROUPS and MODEL_PATH are what lbp.h has behind such
 * names.
 * MODEL and its like stay defined: see pair.h. */

#define MODEL_CALL(name) BENCH_PASTE(MODEL, name)

#define LBP_MODEL_T MODEL
#ifndef LBP_REAL
#define LBP_REAL float
#endif
#ifdef MODEL_FIELDS
#define LBP_FIELDS_T    MODEL_CALL(_fields)
#define LBP_FIELDS_INIT MODEL_CALL(_fields_set)
#define LBP_FIELDS_MAKE MODEL_CALL(_fields_init)
#define LBP_FIELDS_FREE MODEL_CALL(_fields_free)
#define LBP_FLIP        MODEL_CALL(_flip)
#endif
#ifdef MODEL_PREFETCH
#define LBP_PREFETCH MODEL_CALL(_prefetch)
#ifdef MODEL_FIELDS
#define LBP_FLIP_LIST MODEL_CALL(_flip_list)
#endif
#endif
#ifdef MODEL_NEIGHBOURS
#define LBP_NEIGHBOURS     MODEL_CALL(_neighbours)
#define LBP_MAX_NEIGHBOURS MODEL_NEIGHBOURS
#else
#define LBP_DELTAS MODEL_CALL(_deltas)
#endif
#if defined MODEL_FIELDS && defined MODEL_NEIGHBOURS
#define LBP_DELTA         MODEL_CALL(_fields_delta)
#define LBP_LOGP(m, f, x) MODEL_CALL(_logp)(m, x)
#else
#define LBP_LOGP MODEL_CALL(_logp)
#if defined MODEL_FIELDS || defined MODEL_NEIGHBOURS
#define LBP_DELTA MODEL_CALL(_delta)
#endif
#endif
#if defined MODEL_FIELDS && !defined MODEL_NEIGHBOURS
#define LBP_SAVE    MODEL_CALL(_save)
#define LBP_RESTORE MODEL_CALL(_restore)
#endif
#ifdef MODEL_LEVEL
#define LBP_LEVEL  MODEL_LEVEL
#define LBP_LEVELS MODEL_LEVELS
#endif
#ifdef MODEL_TEMPERED
#define LBP_TEMPERED
#endif
#ifdef MODEL_GROUP
#define LBP_GROUP  MODEL_GROUP
#define LBP_GROUPS MODEL_GROUPS
#endif
#ifdef MODEL_PATH
#define LBP_PATH
#endif
#include "../../lbp_run.h"

#undef MODEL_CALL
