/* Template: the engines of compare.c's four types of models with one weight function. Parameters: SET, the suffix of
 * their names, and SET_WEIGHT. */

#define SET_PASTE2(a, b) a##_##b
#define SET_PASTE(a, b)  SET_PASTE2(a, b)

#define RACE                SET_PASTE(bernoulli, SET)
#define RACE_WEIGHT         SET_WEIGHT
#define RACE_MODEL_T        lbp_bernoulli
#define RACE_LOGP           lbp_bernoulli_logp
#define RACE_DELTA          lbp_bernoulli_delta
#define RACE_NEIGHBOURS     lbp_bernoulli_neighbours
#define RACE_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "race.h"

#define RACE                SET_PASTE(ising, SET)
#define RACE_WEIGHT         SET_WEIGHT
#define RACE_MODEL_T        lbp_ising
#define RACE_LOGP           lbp_ising_logp
#define RACE_DELTA          lbp_ising_delta
#define RACE_NEIGHBOURS     lbp_ising_neighbours
#define RACE_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "race.h"

#define RACE                SET_PASTE(glass, SET)
#define RACE_WEIGHT         SET_WEIGHT
#define RACE_MODEL_T        lbp_graph
#define RACE_LOGP           lbp_graph_logp
#define RACE_DELTA          lbp_graph_delta
#define RACE_NEIGHBOURS     lbp_graph_neighbours
#define RACE_MAX_NEIGHBOURS GLASS_DEGREE
#include "race.h"

#define RACE         SET_PASTE(network, SET)
#define RACE_WEIGHT  SET_WEIGHT
#define RACE_MODEL_T network
#define RACE_LOGP    network_logp
#define RACE_DELTAS  network_deltas
#include "race.h"

#undef SET_PASTE2
#undef SET_PASTE
#undef SET
#undef SET_WEIGHT
