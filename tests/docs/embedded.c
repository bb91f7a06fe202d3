/* A mat of contacts, each of which is read wrongly now and then. */
#include "lbp.h"

#define SITES 64

typedef struct { const uint8_t *reading; float evidence, agree; } mat;

static uint32_t mat_neighbours(const mat *m, uint32_t i, uint32_t *out) {
  (void)m;
  out[0] = (i + 1) % SITES, out[1] = (i + SITES - 1) % SITES;
  out[2] = (i + 8) % SITES, out[3] = (i + SITES - 8) % SITES;
  return 4;
}
static float mat_delta(const mat *m, const uint8_t *x, uint32_t i) {
  uint32_t near[4], k;
  int gain = 0;
  mat_neighbours(m, i, near);
  for (k = 0; k < 4; k++) gain += x[i] == x[near[k]] ? -1 : 1;
  return (x[i] == m->reading[i] ? -m->evidence : m->evidence) + m->agree * (float)gain;
}
#include "top.c"

int main(void) {
  static const uint8_t reading[SITES] = {1, 1, 1};
  const mat model = {reading, 1.375f, 1.0f};
  int t, moved = 0;
  if (!begin(reading) || mat_check(&chain, &model, 10, &rng).status != LBP_OK) return 1;
  for (t = 0; t < 3000; t++) moved += mat_albp_step(&chain, &model, &tuner, &rng).jump > 0;
  return moved == 0 || chain.x[63] > 1;
}
