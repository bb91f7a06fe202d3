/* A failure planted on purpose: `make test` ends by proving that this program is counted as failing. */
#include "../test.h"

int main(void) {
  CHECK(1);
  CHECK_NEAR(0.1 + 0.2, 0.3, 1e-9);
  CHECK(2 + 2 == 5);
  return test_report();
}
