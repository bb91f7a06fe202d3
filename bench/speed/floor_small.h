/* Template: instances of lbp.h of 16, 32, 64, 128 and 256 sites, a number fixed at compile time. Parameters: SIZED, and
 * those of instance.h. Generates SIZED_kernels. */

#define SIZED_ID(name) BENCH_PASTE(SIZED, name)
#define LBP_NAME SIZED_ID(_16)
#define LBP_N    16
#include "../common/instance.h"
#define LBP_NAME SIZED_ID(_32)
#define LBP_N    32
#include "../common/instance.h"
#define LBP_NAME SIZED_ID(_64)
#define LBP_N    64
#include "../common/instance.h"
#define LBP_NAME SIZED_ID(_128)
#define LBP_N    128
#include "../common/instance.h"
#define LBP_NAME SIZED_ID(_256)
#define LBP_N    256
#include "../common/instance.h"

static lbp_kernel (*const SIZED_ID(_kernels)[])(void) = {
  SIZED_ID(_16_kernel), SIZED_ID(_32_kernel), SIZED_ID(_64_kernel), SIZED_ID(_128_kernel), SIZED_ID(_256_kernel)};

#undef SIZED_ID
#undef SIZED
#undef MODEL
#undef MODEL_FIELDS
#undef MODEL_PREFETCH
#undef MODEL_NEIGHBOURS
