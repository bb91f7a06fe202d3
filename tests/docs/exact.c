/* The switch works where it is set before the first include. */
#include "top.c"
#if !LBP_EXACT
#error "LBP_EXACT is not 1"
#endif
int main(void) { return 0; }
