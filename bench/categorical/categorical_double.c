/* categorical_double - what categorical --speed measures, in double. */
#define LBP_MODELS_REAL double
#include "speed.h"

int main(void) { return compare_speed() < 0; }
