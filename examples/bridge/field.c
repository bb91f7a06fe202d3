/* Independent sites, the smallest model that other languages can call: log pi(x) = sum of h_i x_i.
 *   cc -O3 -march=native -shared -fPIC -I../.. field.c -o field.so -lm */
#include <stdint.h>

typedef struct { uint32_t n; const double *h; } field;

static double field_delta(const field *m, const uint8_t *x, uint32_t i) { return x[i] ? -m->h[i] : m->h[i]; }
static uint32_t field_neighbours(const field *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }
static double field_logp(const field *m, const uint8_t *x) {
  double sum = 0;
  for (uint32_t i = 0; i < m->n; i++) sum += x[i] * m->h[i];
  return sum;
}

#define LBP_NAME           field
#define LBP_MODEL_T        field
#define LBP_DELTA          field_delta
#define LBP_NEIGHBOURS     field_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           field_logp
#define LBP_TEMPERED
#define LBP_BRIDGE_ARRAYS(A) A(h, double, n)
#include "lbp_bridge.h"
