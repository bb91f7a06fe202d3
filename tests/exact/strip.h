/* An Ising strip in fields, free boundary, by its transfer matrix (columns.h); rows is the short side. */
#ifndef EXACT_STRIP_H
#define EXACT_STRIP_H

#include "../../lbp_models.h"
#include "columns.h"

static law strip_law(const lbp_ising *m) {
  law l = columns_begin("strip", m, 2, m->cols, m->rows, 1, m->cols);
  columns *c = (columns *)l.own;
  uint32_t col, s, t, r;
  for (col = 0; col < m->cols; col++) {
    for (s = 0; s < c->states; s++) {
      double sum = 0;
      for (r = 0; r < m->rows; r++) {
        const double spin = s >> r & 1 ? 1 : -1;
        sum += spin * (double)m->alpha[r * m->cols + col];
        if (r > 0) sum += m->lambda * spin * (s >> (r - 1) & 1 ? 1 : -1);
      }
      c->node[col * c->states + s] = sum;
    }
  }
  for (s = 0; s < c->states; s++) {
    for (t = 0; t < c->states; t++) {
      for (r = 0; r < m->rows; r++) c->edge[s * c->states + t] += (s ^ t) >> r & 1 ? -m->lambda : m->lambda;
    }
  }
  columns_finish(&l);
  return l;
}

#endif
