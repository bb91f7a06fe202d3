/* A Gaussian on the lattice {0 ... states - 1}^n whose precision matrix joins each coordinate to the next, all by
 * the same entry, by its transfer matrix (columns.h). */
#ifndef EXACT_PATH_H
#define EXACT_PATH_H

#include "../../lbp_models.h"
#include "columns.h"

static law path_law(const lbp_lattice *m) {
  law l = columns_begin("lattice path", m, m->states, m->n, 1, 1, 1);
  columns *c = (columns *)l.own;
  uint32_t i, s, t;
  for (i = 0; i < m->n; i++) {
    for (s = 0; s < m->states; s++) {
      const double gap = s - (double)m->centre[i];
      c->node[i * m->states + s] = (double)m->diagonal[i] * gap * gap / 2;
    }
  }
  for (s = 0; s < m->states; s++) {
    for (t = 0; t < m->states; t++) { /* the second entry of row 0 is W_01 */
      c->edge[s * m->states + t] = (double)m->value[1] * (s - (double)m->centre[0]) * (t - (double)m->centre[0]);
    }
  }
  columns_finish(&l);
  return l;
}

#endif
