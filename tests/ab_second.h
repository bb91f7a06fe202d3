/* Second orders of ab_toy.h's models, as test_ab.c and test_clamped_ab.c give them to steps. Comes after the instances,
 * which are named wide, in double, and narrow, in float. */
#ifndef AB_SECOND_H
#define AB_SECOND_H

#include "ab_toy.h"
#include "test.h"

enum { AB_ENTRIES = AB_SITES * AB_SITES, AB_EDGES = AB_SITES * (AB_SITES - 1) / 2 };

/* W + D, D diagonally dominant with some room, with a dense root and by edges. */
typedef struct {
  double W[AB_ENTRIES], D[AB_SITES], root[AB_ENTRIES], edge[AB_EDGES], site[AB_SITES];
  float W_f[AB_ENTRIES], D_f[AB_SITES], root_f[AB_ENTRIES];
  uint32_t ends[2 * AB_EDGES], edges, order[AB_SITES], rank;
} ab_second;

/* `off` makes W (1 - off) J, and `missing` leaves out the root's last rows, W following suit. Returns the rank that
 * the root has with these rows. */
LBP_FN uint32_t ab_second_make(ab_second *s, const ab_toy *m, double off, uint32_t missing) {
  const uint32_t d = m->d;
  lbp_symmetric W;
  double work[2 * AB_SITES];
  uint32_t i, j, k, rank;
  memset(s, 0, sizeof *s);
  memset(&W, 0, sizeof W);
  W.n = d;
  W.dense = s->W;
  for (i = 0; i < d * d; i++) s->W[i] = m->J[i] * (1 - off);
  for (i = 0; i < d; i++) {
    double radius = 0;
    for (j = 0; j < d; j++) {
      const double w = s->W[i * d + j];
      if (j == i) continue;
      radius += fabs(w);
      if (j < i) continue;
      s->ends[2 * s->edges] = i;
      s->ends[2 * s->edges + 1] = j;
      s->edge[s->edges++] = w < 0 ? -sqrt(-w) : sqrt(w);
    }
    s->D[i] = radius - s->W[i * d + i] + 0.1 * (i + 1);
    s->site[i] = sqrt(0.1 * (i + 1));
  }
  CHECK(lbp_root_dense(&W, s->D, s->root, s->order, &s->rank, work, 2 * AB_SITES) == LBP_OK);
  rank = s->rank;
  s->rank -= missing;
  for (i = 0; missing && i < d; i++) {
    for (j = 0; j < d; j++) {
      const uint32_t at = s->order[i] * d + s->order[j];
      s->W[at] = i == j ? -s->D[s->order[i]] : 0;
      for (k = 0; k < s->rank; k++) s->W[at] += s->root[k * d + i] * s->root[k * d + j];
    }
  }
  for (i = 0; i < AB_ENTRIES; i++) s->W_f[i] = (float)s->W[i], s->root_f[i] = (float)s->root[i];
  for (i = 0; i < AB_SITES; i++) s->D_f[i] = (float)s->D[i];
  return rank;
}

/* In double: dense, or by edges. */
LBP_FN wide_curvature ab_curvature(const ab_second *s, uint32_t d, int exact, int by_edges) {
  wide_curvature c;
  memset(&c, 0, sizeof c);
  c.n = d;
  c.exact = exact;
  c.D = s->D;
  if (by_edges) {
    c.edges = s->edges;
    c.ends = s->ends;
    c.edge = s->edge;
    c.site = s->site;
  } else {
    c.W = s->W;
    c.root = s->root;
    c.order = s->order;
    c.rank = s->rank;
  }
  return c;
}

/* In float: dense. */
LBP_FN narrow_curvature ab_curvature_f(const ab_second *s, uint32_t d, int exact) {
  narrow_curvature c;
  memset(&c, 0, sizeof c);
  c.n = d;
  c.exact = exact;
  c.D = s->D_f;
  c.W = s->W_f;
  c.root = s->root_f;
  c.order = s->order;
  c.rank = s->rank;
  return c;
}

#endif
