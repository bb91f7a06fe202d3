// Marginals by libDAI of a factor graph in its own format, for others.py:
//
//   libdai GRAPH.fg JTREE | libdai GRAPH.fg GIBBS SECONDS SEED
//
// Prints a line for each site, in the order of its numbers: its marginal; then, of GIBBS, its sweeps and CPU seconds.
// The time of Gibbs is measured here, without reading the file.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cstring>
#include <dai/alldai.h>

static double cpu_now() { return (double)std::clock() / CLOCKS_PER_SEC; }

static void print(const dai::InfAlg &answer, const dai::FactorGraph &graph) {
  for (std::size_t i = 0; i < graph.nrVars(); i++) {
    const dai::Factor belief = answer.belief(graph.var(i));
    std::printf("%lu", (unsigned long)graph.var(i).label());
    for (std::size_t v = 0; v < belief.nrStates(); v++) std::printf(" %.9g", (double)belief[v]);
    std::printf("\n");
  }
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 5) return std::fprintf(stderr, "libdai GRAPH.fg JTREE | GIBBS SECONDS SEED\n"), 2;
  dai::FactorGraph graph;
  graph.ReadFromFile(argv[1]);
  dai::PropertySet options;
  options.set("verbose", (std::size_t)0);
  if (argc == 3) {
    options.set("updates", std::string("HUGIN"));
    dai::JTree tree(graph, options);
    tree.init();
    tree.run();
    print(tree, graph);
    return 0;
  }
  dai::rnd_seed((std::size_t)std::atoi(argv[4]));
  dai::Gibbs trial(graph, options("maxiter", (std::size_t)2000));
  double start = cpu_now();
  trial.run();
  const double sweep = (cpu_now() - start) / 2000; // its own limit is by the clock on the wall
  const std::size_t sweeps = (std::size_t)(std::atof(argv[3]) / sweep);
  dai::Gibbs gibbs(graph, options("maxiter", sweeps)("burnin", sweeps / 10)("restart", sweeps));
  start = cpu_now();
  gibbs.run();
  const double seconds = cpu_now() - start;
  print(gibbs, graph);
  std::printf("sweeps %lu seconds %.4f\n", (unsigned long)sweeps, seconds);
  return 0;
}
