/* lbp/base/support.h - lbp.h without an instance: numbers, random numbers, statuses, for headers that need these alone.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Whatever parameters are defined stay so for whom they are meant.
 */

#ifndef LBP_VERSION
#define LBP_P_SUPPORT
#include "../../lbp.h"
#undef LBP_P_SUPPORT
#endif /* LBP_VERSION */
