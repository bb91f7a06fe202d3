/* What has a quadratic energy over zeros and ones as a model to be searched: max-cut, QUBO, spin glasses. Of the
 * examples and benchmarks that do. */
#ifndef CUT_H
#define CUT_H

#include "../lbp_models.h"
#include "../lbp_qubo.h"

#ifndef MOST_NEIGHBOURS
#define MOST_NEIGHBOURS 4096 /* of a site */
#endif

#define LBP_NAME           cut
#define LBP_MODEL_T        lbp_qubo
#define LBP_REAL           lbp_real
#define LBP_NEIGHBOURS     lbp_qubo_neighbours
#define LBP_MAX_NEIGHBOURS MOST_NEIGHBOURS
#define LBP_FIELDS_T       lbp_qubo_fields
#define LBP_FIELDS_INIT    lbp_qubo_fields_set
#define LBP_FIELDS_MAKE    lbp_qubo_fields_init
#define LBP_FIELDS_FREE    lbp_qubo_fields_free
#define LBP_FLIP           lbp_qubo_flip
#define LBP_DELTA          lbp_qubo_fields_delta
#define LBP_LOGP(m, f, x)  ((void)(f), lbp_qubo_logp(m, x))
#define LBP_TEMPERED
#include "../lbp_run.h"

#endif /* CUT_H */
