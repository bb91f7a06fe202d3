/* Figure 5: the graphs of the Ising models, small enough to be drawn: sites with places in the unit square, edges. */
#ifndef BENCH_GRAPHS_H
#define BENCH_GRAPHS_H

#include "../../lbp_models.h"
#include "../common/harness.h"

/* Places of the sites by springs [Fruchterman and Reingold 1991]: all push each other away by side^2 / distance, edges
 * pull by distance^2 / side, and no step is longer than a length that falls to nothing. */
LBP_FN void graph_place(const lbp_graph *m, double (*place)[2]) {
  const double side = 1 / sqrt(m->n), turn = 2 * acos(-1.0) / m->n;
  double (*pull)[2] = (double (*)[2])basic_alloc(m->n, sizeof *pull);
  for (uint32_t i = 0; i < m->n; i++) place[i][0] = cos(turn * i), place[i][1] = sin(turn * i);
  for (double most = 0.1; most > 1e-4; most *= 0.99) {
    for (uint32_t i = 0; i < m->n; i++) {
      pull[i][0] = pull[i][1] = 0;
      for (uint32_t k = 0; k < m->n; k++) {
        const double x = place[i][0] - place[k][0], y = place[i][1] - place[k][1], square = x * x + y * y + 1e-12;
        pull[i][0] += side * side / square * x, pull[i][1] += side * side / square * y;
      }
      for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++) {
        const double x = place[m->link[k].site][0] - place[i][0], y = place[m->link[k].site][1] - place[i][1];
        pull[i][0] += hypot(x, y) / side * x, pull[i][1] += hypot(x, y) / side * y;
      }
    }
    for (uint32_t i = 0; i < m->n; i++) {
      const double length = hypot(pull[i][0], pull[i][1]), step = length > most ? most / length : 1;
      place[i][0] += step * pull[i][0], place[i][1] += step * pull[i][1];
    }
  }
  free(pull);
}

/* A row for each site, from its place to its place, and for each edge, from end to end. */
LBP_FN void graph_write(FILE *csv, const char *name, const lbp_graph *m, double (*place)[2]) {
  for (uint32_t i = 0; i < m->n; i++) {
    const unsigned degree = m->start[i + 1] - m->start[i];
    fprintf(csv, "%s,%u,%u,%u,%.4f,%.4f,0,0\n", name, (unsigned)i, (unsigned)i, degree, place[i][0], place[i][1]);
    for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->link[k].site;
      if (j < i) continue;
      fprintf(csv, "%s,%u,%u,%u,%.4f,%.4f,%.4f,%.4f\n", name, (unsigned)i, (unsigned)j, degree, place[i][0],
              place[i][1], place[j][0] - place[i][0], place[j][1] - place[i][1]);
    }
  }
}

LBP_FN void graphs_write(FILE *csv, uint64_t seed) {
  enum { SIDE = 10, SITES = 50 };
  double place[SIDE * SIDE][2];
  lbp_graph m;
  fprintf(csv, "graph,site,other,degree,x,y,to_x,to_y\n");
  bench_expect(lbp_graph_grid(&m, SIDE, SIDE, 1), "grid");
  for (int i = 0; i < SIDE * SIDE; i++) place[i][0] = i % SIDE, place[i][1] = i / SIDE;
  graph_write(csv, "grid", &m, place);
  lbp_graph_free(&m);
  bench_expect(lbp_graph_barabasi_albert(&m, SITES, 4, 1, seed), "Barabasi-Albert");
  graph_place(&m, place);
  graph_write(csv, "ba", &m, place);
  lbp_graph_free(&m);
}

#endif
