/* categorical_double - categorical --speed in double. */
#define LBP_MODELS_REAL double
#include "speed.h"

int main(void) { return compare_speed() < 0; }
