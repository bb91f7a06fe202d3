/* Template: instances PAIR_barker and PAIR_metropolis of a local model, by the weights of their clocks. Parameters: PAIR,
 * those of ../common/instance.h, MODEL_LEVEL and MODEL_LEVELS (LBP_LEVEL), MODEL_TEMPERED. */

#define LBP_NAME   BENCH_PASTE(PAIR, _barker)
#define LBP_WEIGHT LBP_BARKER
#ifdef MODEL_LEVEL
#define LBP_LEVEL  MODEL_LEVEL
#define LBP_LEVELS MODEL_LEVELS
#endif
#ifdef MODEL_TEMPERED
#define LBP_TEMPERED
#endif
#include "../common/instance.h"

#define LBP_NAME   BENCH_PASTE(PAIR, _metropolis)
#define LBP_WEIGHT LBP_METROPOLIS
#ifdef MODEL_LEVEL
#define LBP_LEVEL  MODEL_LEVEL
#define LBP_LEVELS MODEL_LEVELS
#endif
#ifdef MODEL_TEMPERED
#define LBP_TEMPERED
#endif
#include "../common/instance.h"

#undef PAIR
#undef MODEL
#undef MODEL_FIELDS
#undef MODEL_PREFETCH
#undef MODEL_NEIGHBOURS
#undef MODEL_LEVEL
#undef MODEL_LEVELS
#undef MODEL_TEMPERED
