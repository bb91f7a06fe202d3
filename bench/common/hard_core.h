/* Particles of one fugacity on a periodic grid, none next to another: a model for instance.h, with LBP_LEVEL's. */
#ifndef BENCH_HARD_CORE_H
#define BENCH_HARD_CORE_H

#include <math.h>

#include "harness.h"

enum { HARD_CORE_NEIGHBOURS = 4 };

typedef struct {
  uint32_t n, (*near)[HARD_CORE_NEIGHBOURS];
  float log_fugacity;
} hard_core;

LBP_FN hard_core *hard_core_make(uint32_t side, double fugacity) {
  hard_core *m = (hard_core *)basic_alloc(1, sizeof *m);
  m->n = side * side;
  m->near = (uint32_t(*)[HARD_CORE_NEIGHBOURS])basic_alloc(m->n, sizeof *m->near);
  m->log_fugacity = (float)log(fugacity);
  for (uint32_t i = 0; i < m->n; i++) {
    const uint32_t row = i / side, col = i % side;
    m->near[i][0] = (row + side - 1) % side * side + col;
    m->near[i][1] = (row + 1) % side * side + col;
    m->near[i][2] = row * side + (col + side - 1) % side;
    m->near[i][3] = row * side + (col + 1) % side;
  }
  return m;
}

LBP_INLINE uint32_t hard_core_level(const hard_core *m, const uint8_t *x, uint32_t i) {
  const uint32_t *j = m->near[i];
  return x[i] ? 2 : x[j[0]] | x[j[1]] | x[j[2]] | x[j[3]];
}

LBP_INLINE float hard_core_delta(const hard_core *m, const uint8_t *x, uint32_t i) {
  const uint32_t level = hard_core_level(m, x, i);
  return level == 1 ? -HUGE_VALF : level ? -m->log_fugacity : m->log_fugacity;
}

LBP_INLINE uint32_t hard_core_neighbours(const hard_core *m, uint32_t i, uint32_t *out) {
  memcpy(out, m->near[i], sizeof m->near[i]);
  return HARD_CORE_NEIGHBOURS;
}

LBP_FN double hard_core_logp(const hard_core *m, const uint8_t *x) {
  uint32_t particles = 0;
  for (uint32_t i = 0; i < m->n; i++) particles += x[i];
  return (double)m->log_fugacity * particles;
}

#endif
