/* Template: instances PAIR_barker and PAIR_metropolis of a local model, by the weights of their clocks. Parameters:
 * PAIR, and those of ../common/instance.h. */

#define LBP_NAME   BENCH_PASTE(PAIR, _barker)
#define LBP_WEIGHT LBP_BARKER
#include "../common/instance.h"

#define LBP_NAME   BENCH_PASTE(PAIR, _metropolis)
#define LBP_WEIGHT LBP_METROPOLIS
#include "../common/instance.h"

#undef PAIR
#undef MODEL
#undef MODEL_FIELDS
#undef MODEL_PREFETCH
#undef MODEL_NEIGHBOURS
#undef MODEL_LEVEL
#undef MODEL_LEVELS
#undef MODEL_TEMPERED
