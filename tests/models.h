/* Shared by the tests of lbp_models.h. */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include "../lbp_models.h"
#include "test.h"

#define IS_FLOAT (sizeof(lbp_real) == sizeof(float))

static const volatile double infinity = HUGE_VAL; /* so that -ffast-math does not know it */

LBP_FN double not_a_number(void) { return infinity - infinity; }

LBP_FN double uniform(lbp_rng *rng) { return lbp_u01(lbp_rng_u64(rng)); }

LBP_FN uint32_t below(uint32_t n, lbp_rng *rng) { return (uint32_t)(uniform(rng) * n); }

LBP_FN int is_zeroed(const void *object, size_t size) {
  const unsigned char *byte = (const unsigned char *)object;
  size_t k;
  for (k = 0; k < size; k++) {
    if (byte[k] != 0) return 0;
  }
  return 1;
}

/* A constructor must answer `want` and leave a zeroed object behind. */
#define CHECK_REFUSED(model, call, want)       \
  do {                                         \
    memset(&(model), 0xa5, sizeof(model));     \
    CHECK((call) == (want));                   \
    CHECK(is_zeroed(&(model), sizeof(model))); \
  } while (0)

#endif
