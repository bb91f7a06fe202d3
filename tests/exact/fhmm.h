/* The posterior of a factorial hidden Markov model, by forward-backward on the joint state of its chains
 * (columns.h). */
#ifndef EXACT_FHMM_H
#define EXACT_FHMM_H

#include "../../lbp_models.h"
#include "columns.h"

static law fhmm_law(const lbp_fhmm *m) {
  law l = columns_begin("fhmm", m, 2, m->L, m->K, m->K, 1);
  columns *c = (columns *)l.own;
  uint32_t row, s, t, k;
  for (row = 0; row < m->L; row++) {
    for (s = 0; s < c->states; s++) {
      double residual = (double)m->centred[row], start = 0;
      for (k = 0; k < m->K; k++) {
        residual -= (s >> k & 1) * m->W[k];
        start += (s >> k & 1) * m->a0;
      }
      c->node[row * c->states + s] = (row == 0 ? start : 0) - residual * residual / (2 * m->sigma2);
    }
  }
  for (s = 0; s < c->states; s++) {
    for (t = 0; t < c->states; t++) {
      for (k = 0; k < m->K; k++) c->edge[s * c->states + t] += ((s ^ t) >> k & 1) * m->c;
    }
  }
  columns_finish(&l);
  return l;
}

#endif
