/* Template: instances KIND_barker, KIND_sqrt, KIND_heat_bath, KIND_metropolised of a model, by their weights, and
 * KIND_kernels, their kernels in the order of weight_names. Parameters: KIND, and those of instance.h. */

#define LBP_NAME   BENCH_PASTE(KIND, _barker)
#define LBP_WEIGHT LBP_BARKER
#include "instance.h"

#define LBP_NAME   BENCH_PASTE(KIND, _sqrt)
#define LBP_WEIGHT LBP_SQRT
#include "instance.h"

#define LBP_NAME   BENCH_PASTE(KIND, _heat_bath)
#define LBP_WEIGHT LBP_HEAT_BATH
#include "instance.h"

#define LBP_NAME   BENCH_PASTE(KIND, _metropolised)
#define LBP_WEIGHT LBP_METROPOLISED
#include "instance.h"

static lbp_kernel (*const BENCH_PASTE(KIND, _kernels)[])(void) = {
  BENCH_PASTE(KIND, _barker_kernel), BENCH_PASTE(KIND, _sqrt_kernel), BENCH_PASTE(KIND, _heat_bath_kernel),
  BENCH_PASTE(KIND, _metropolised_kernel)};

#undef KIND
#undef MODEL
#undef STATES
#undef MODEL_VALUES
#undef MODEL_NEIGHBOURS
#undef MODEL_FIELDS
