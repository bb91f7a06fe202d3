/* Part of cat_row.h: one instance of a row. */
#if !defined API_QUICK || ROW_NUMBER % 5 == ROW_CELL

#define CASE_KIND ROW_KIND
#if (ROW_NUMBER + ROW_CELL) % 2
#define CASE_REAL float
#else
#define CASE_REAL double
#endif
#if (ROW_NUMBER / 2 + ROW_CELL) % 2
#define CASE_N 5
#endif
#if (ROW_NUMBER + ROW_CELL) % 3 == 0
#define CASE_SORT_ABOVE 0
#elif (ROW_NUMBER + ROW_CELL) % 3 == 1
#define CASE_NEVER
#endif
#if (2 * ROW_NUMBER + ROW_CELL) % 3 > 0
#define CASE_TEMPERED
#endif
#if (2 * ROW_NUMBER + ROW_CELL) % 3 == 2
#define CASE_BASED
#endif
#if (ROW_NUMBER / 2 + ROW_CELL / 2) % 2
#define CASE_ONE
#endif
#if ROW_NUMBER % 5 == ROW_CELL
#define CASE_STEPS
#define CASE_MOVES
#elif (ROW_NUMBER + 1) % 5 == ROW_CELL
#define CASE_MOVES
#endif
#define CASE_K 4
#include "cat_case.h"

#else
#undef CASE
#undef CASE_WEIGHT
#endif
#undef ROW_CELL
