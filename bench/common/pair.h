/* Template: instances PAIR_barker and PAIR_sqrt of a model, by their weight functions. Parameters: PAIR, and those of
 * instance.h. */

#define LBP_NAME   BENCH_PASTE(PAIR, _barker)
#define LBP_WEIGHT LBP_BARKER
#include "instance.h"

#define LBP_NAME   BENCH_PASTE(PAIR, _sqrt)
#define LBP_WEIGHT LBP_SQRT
#include "instance.h"

#undef PAIR
#undef MODEL
#undef MODEL_FIELDS
#undef MODEL_PREFETCH
#undef MODEL_NEIGHBOURS
#undef MODEL_GROUP
#undef MODEL_GROUPS
#undef MODEL_PATH
