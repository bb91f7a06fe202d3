/* lbp/options/lanes_parameters.h - checks that the parameters of an instance fit LBP_LANES.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp.h includes it before its template. The parameters themselves are
 * described in lbp/options/lanes.h.
 */

#ifndef LBP_LANES
#error "lbp/options/lanes_parameters.h: lbp.h includes it, where LBP_LANES is defined: don't include it yourself"
#elif LBP_LANES != 64 && LBP_LANES != 128 && LBP_LANES != 256
#error "lbp/options/lanes_parameters.h: LBP_LANES, chains in a word, is 64, 128 or 256, a literal or a macro"
#elif defined LBP_CAT_STATES
#error "lbp/options/lanes_parameters.h: lanes are for sites of two values: remove LBP_LANES or LBP_CAT_STATES"
#elif defined LBP_BASE
#error "lbp/options/lanes_parameters.h: lanes at beta = 0 are uniform: remove LBP_LANES or LBP_BASE"
#elif defined LBP_GROUP
#error "lbp/options/lanes_parameters.h: flips change numbers of ones: remove LBP_LANES or LBP_GROUP"
#elif defined LBP_RNG_T
#error "lbp/options/lanes_parameters.h: lanes take their random bits from lbp_rng: remove LBP_LANES or LBP_RNG_T"
#elif !defined LBP_TERM && !(defined LBP_PAIRS && defined LBP_FIELD)
#error "lbp/options/lanes_parameters.h: lanes need couplings and fields: define LBP_TERM, or LBP_PAIRS and LBP_FIELD"
#elif !defined LBP_UNIT
#error "lbp/options/lanes_parameters.h: lanes need LBP_UNIT, what terms are whole numbers of"
#else
#define LBP_P_LANES_RIGHT 1
#endif /* LBP_LANES */
