/* Template: instances PAIR_barker and PAIR_sqrt of a model, by their weight functions. Parameters: PAIR, and those of
 * instance.h. */

#define PAIR_PASTE2(a, b) a##b
#define PAIR_PASTE(a, b)  PAIR_PASTE2(a, b)

#define LBP_NAME   PAIR_PASTE(PAIR, _barker)
#define LBP_WEIGHT LBP_BARKER
#include "instance.h"

#define LBP_NAME   PAIR_PASTE(PAIR, _sqrt)
#define LBP_WEIGHT LBP_SQRT
#include "instance.h"

#undef PAIR_PASTE2
#undef PAIR_PASTE
#undef PAIR
#undef MODEL
#undef MODEL_FIELDS
#undef MODEL_NEIGHBOURS
