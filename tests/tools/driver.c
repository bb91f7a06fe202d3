/* The drivers, compiled once for all tests and examples that need no way around them: LBP_LINKED, lbp/run/want.h. */
#define _POSIX_C_SOURCE 200809L
#define LBP_IMPLEMENTATION
#include "../../lbp_run.h"
