/* Template: instances of lbp.h and of lbp_ab.h in one build, and their kernels, BUILD_kernels, in the order of
 * builds.c's models. Parameter: BUILD. LBP_CHECKED holds for them. */

#define MODEL            lbp_bernoulli
#define MODEL_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#define LBP_NAME BENCH_PASTE(BUILD, _bernoulli)
#include "../common/instance.h"
#undef MODEL
#undef MODEL_NEIGHBOURS

#define MODEL            lbp_ising
#define MODEL_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define MODEL_FIELDS
#define LBP_NAME BENCH_PASTE(BUILD, _ising)
#include "../common/instance.h"
#undef MODEL
#undef MODEL_NEIGHBOURS

#define MODEL            lbp_fhmm
#define MODEL_NEIGHBOURS LBP_FHMM_MAX_NEIGHBOURS
#define LBP_NAME BENCH_PASTE(BUILD, _fhmm)
#include "../common/instance.h"
#undef MODEL
#undef MODEL_NEIGHBOURS

#define MODEL    lbp_rbm
#define LBP_NAME BENCH_PASTE(BUILD, _rbm)
#include "../common/instance.h"
#undef MODEL
#undef MODEL_FIELDS

#define LBP_NAME        BENCH_PASTE(BUILD, _graph)
#define LBP_MODEL_T     lbp_graph
#define LBP_GRADIENT    lbp_graph_gradient
#define LBP_CONDITIONAL lbp_graph_conditional
#define LBP_REAL        lbp_real
#include "../../lbp_run.h"

#define LBP_NAME        BENCH_PASTE(BUILD, _lattice)
#define LBP_MODEL_T     lbp_lattice
#define LBP_GRADIENT    lbp_lattice_gradient
#define LBP_CONDITIONAL lbp_lattice_conditional
#define LBP_REAL        lbp_real
#include "../../lbp_run.h"

#define LBP_NAME     BENCH_PASTE(BUILD, _logistic)
#define LBP_MODEL_T  lbp_logistic
#define LBP_GRADIENT lbp_logistic_gradient
#define LBP_LOGP     lbp_logistic_logp
#define LBP_REAL     lbp_real
#include "../../lbp_run.h"

static lbp_kernel (*const BENCH_PASTE(BUILD, _kernels)[])(void) = {
  BENCH_PASTE(BUILD, _bernoulli_kernel), BENCH_PASTE(BUILD, _ising_kernel),   BENCH_PASTE(BUILD, _fhmm_kernel),
  BENCH_PASTE(BUILD, _rbm_kernel),       BENCH_PASTE(BUILD, _graph_kernel),   BENCH_PASTE(BUILD, _lattice_kernel),
  BENCH_PASTE(BUILD, _logistic_kernel)};
#undef BUILD
