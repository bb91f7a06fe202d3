/* Template: one kind of model with all weights, five instances of cat_case.h. Parameters: ROW (a prefix), ROW_KIND,
 * ROW_NUMBER, which decides what else an instance has, so that all rows together have every pair of options. With
 * API_QUICK one of the five is made. */
#define ROW_PASTE2(a, b) a##b
#define ROW_PASTE(a, b)  ROW_PASTE2(a, b)
#define ROW_ID(name)     ROW_PASTE(ROW, name)

#define CASE        ROW_ID(_heat)
#define CASE_WEIGHT LBP_HEAT_BATH
#define ROW_CELL    0
#include "cat_cell.h"

#define CASE        ROW_ID(_metro)
#define CASE_WEIGHT LBP_METROPOLISED
#define ROW_CELL    1
#include "cat_cell.h"

#define CASE        ROW_ID(_barker)
#define CASE_WEIGHT LBP_BARKER
#define ROW_CELL    2
#include "cat_cell.h"

#define CASE        ROW_ID(_sqrt)
#define CASE_WEIGHT LBP_SQRT
#define ROW_CELL    3
#include "cat_cell.h"

#define CASE        ROW_ID(_custom)
#define CASE_WEIGHT LBP_CUSTOM
#define ROW_CELL    4
#include "cat_cell.h"

static void ROW_ID(_test)(void) {
#if !defined API_QUICK || ROW_NUMBER % 5 == 0
  ROW_ID(_heat_test)(ROW_NUMBER % 5 == 0);
#endif
#if !defined API_QUICK || ROW_NUMBER % 5 == 1
  ROW_ID(_metro_test)(ROW_NUMBER % 5 == 1);
#endif
#if !defined API_QUICK || ROW_NUMBER % 5 == 2
  ROW_ID(_barker_test)(ROW_NUMBER % 5 == 2);
#endif
#if !defined API_QUICK || ROW_NUMBER % 5 == 3
  ROW_ID(_sqrt_test)(ROW_NUMBER % 5 == 3);
#endif
#if !defined API_QUICK || ROW_NUMBER % 5 == 4
  ROW_ID(_custom_test)(ROW_NUMBER % 5 == 4);
#endif
}

#undef ROW_PASTE2
#undef ROW_PASTE
#undef ROW_ID
#undef ROW
#undef ROW_KIND
#undef ROW_NUMBER
