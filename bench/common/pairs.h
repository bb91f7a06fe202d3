/* Template: the instances of pair.h of all models, and their kernels by model and weight function, PAIRS(pair_kernels).
 * Parameter: PAIRS(name), which makes a name that of these. */

#define PAIR             PAIRS(bernoulli)
#define MODEL            lbp_bernoulli
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "pair.h"

#define PAIR             PAIRS(ising)
#define MODEL            lbp_ising
#define MODEL_FIELDS
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "pair.h"

#define PAIR             PAIRS(fhmm)
#define MODEL            lbp_fhmm
#define MODEL_FIELDS
#define MODEL_NEIGHBOURS LBP_FHMM_MAX_NEIGHBOURS
#include "pair.h"

#define PAIR         PAIRS(rbm)
#define MODEL        lbp_rbm
#define MODEL_FIELDS
#include "pair.h"

#define PAIR_KERNELS(model) {BENCH_PASTE(PAIRS(model), _barker_kernel), BENCH_PASTE(PAIRS(model), _sqrt_kernel)}
static lbp_kernel (*const PAIRS(pair_kernels)[][2])(void) = {
  PAIR_KERNELS(bernoulli), PAIR_KERNELS(ising), PAIR_KERNELS(fhmm), PAIR_KERNELS(rbm)};
#undef PAIR_KERNELS
#undef PAIRS
