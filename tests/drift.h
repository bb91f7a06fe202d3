/* The small model of toy.h with fields that drift: a chain's next draw depends on when it made them last, so that two runs
 * whose chains forget at other steps go other ways. For tests of draws alone: the law is not the model's. */
#ifndef DRIFT_H
#define DRIFT_H

#include "toy.h"

typedef struct {
  double drift;
} drifting;

LBP_FN void drift_set(const toy *t, drifting *f, const uint8_t *x) { (void)t, (void)x, f->drift = 0; }
LBP_FN void drift_flip(const toy *t, drifting *f, const uint8_t *x, uint32_t i) {
  (void)t, (void)x;
  f->drift += 0.001 * (i + 1);
}
LBP_FN double drift_delta(const toy *t, drifting *f, const uint8_t *x, uint32_t i) {
  return toy_delta(t, x, i) + f->drift;
}
LBP_FN double drift_logp(const toy *t, drifting *f, const uint8_t *x) { return (void)f, toy_logp(t, x); }

#endif
