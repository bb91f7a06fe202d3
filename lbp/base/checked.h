/* lbp/base/checked.h - code shared by checked builds of all templates: LBP_CHECKED 1.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h; it, lbp_ab.h and lbp_perm.h include it where LBP_CHECKED is 1.
 */

#ifndef LBP_CHECKED_H
#define LBP_CHECKED_H

#include "support.h"

/* Called with a chain's first fault, and whenever a step has no chain to keep it in: abort(), a trap, a lamp. By
 * default nothing; a debugger may as well break in NAME_priv_fail. */
#ifndef LBP_ON_ERROR
#define LBP_ON_ERROR(status, site) ((void)(status), (void)(site))
#endif

/* The mark of a chain that NAME_init has made. */
#define LBP_MADE 0x6c62702eu

/* Returns whether lbp_rng_init seems to have made it: it is not all zeros, which would give only zeros for ever. */
LBP_FN int lbp_rng_is_made(const lbp_rng *rng) {
  return rng->left <= LBP_RNG_BLOCK && (rng->state[0][0] | rng->state[1][0] | rng->state[2][0] | rng->state[3][0]) != 0;
}

#endif /* LBP_CHECKED_H */
