/* Graphs of the G-set. Needs MOST_NEIGHBOURS. */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "../common/harness.h"
#include "../../examples/cut.h"

/* DATA/GRAPH.txt.gz; 0 if it is not there. */
LBP_FN int read_graph(const char *data, const char *graph, lbp_qubo *m, uint32_t *n) {
  char path[1100], why[INPUT_WHY] = "";
  lbp_qubo_terms t;
  int is_cut, status;
  snprintf(path, sizeof path, "%.1000s/%s.txt.gz", data, graph);
  if (access(path, R_OK) != 0) return 0;
  status = cut_read(&t, path, LBP_QUBO_MAX_CUT, &is_cut, why);
  if (status == LBP_OK) {
    *n = t.n;
    status = lbp_qubo_init(m, t.n, t.count, t.ends, t.value, t.offset, MOST_NEIGHBOURS);
    lbp_qubo_terms_free(&t);
  }
  if (status != LBP_OK) basic_die("%s: %s", path, *why ? why : lbp_error(status));
  return 1;
}

#endif /* GRAPHS_H */
