/* Searches for large cuts of the G-set's graphs: reads that anneal, by NAME_anneal with its defaults, on one thread.
 *
 *   search DATA OUT [GRAPH...]: DATA is the folder of G1.txt.gz ...; OUT gets search.csv, a line for each run, which is
 *   gone on with; graphs are those below unless some are named. search --table OUT prints what the file has.
 *
 * A run has 1 s or 10 s of CPU time, for as many reads of 1000 or 10000 sweeps as fit, at least one, and all that comes
 * before them. All solvers have the same number of sweeps (others.py). */
#define MOST_NEIGHBOURS 512
#include "graphs.h"

enum { GRAPHS = 8, BUDGETS = 2, SEEDS = 20, SOLVERS = 8, NAME = 24 };

/* The largest cuts that are known: Ma, Hao, Computers & Operations Research 78 (2017), and what it cites. */
static const struct {
  const char *name;
  double best;
} graphs[GRAPHS] = {{"G1", 11624}, {"G11", 564}, {"G14", 3064}, {"G22", 13359},
                    {"G32", 1410}, {"G55", 10299}, {"G70", 9595}, {"G81", 14060}};

static const struct {
  double seconds;
  uint32_t sweeps;
} budgets[BUDGETS] = {{1, 1000}, {10, 10000}};

static const double near = 0.999; /* of the largest known cut: what a read has to reach to be counted */

/* A line of search.csv; reached: how many reads came near the largest known cut. */
typedef struct {
  char graph[NAME], solver[NAME];
  double seconds, best, mean, cpu;
  uint32_t seed, reads, sweeps, reached;
} row;

static const char *const head = "graph,solver,seconds,seed,reads,best,mean,sweeps,cpu,reached\n";

static row *read_rows(const char *path, uint32_t *count) {
  FILE *file = fopen(path, "r");
  row *rows = NULL;
  uint32_t room = 0;
  char line[256];
  *count = 0;
  while (file && fgets(line, sizeof line, file)) {
    row it;
    if (sscanf(line, "%23[^,],%23[^,],%lf,%u,%u,%lf,%lf,%u,%lf,%u", it.graph, it.solver, &it.seconds, &it.seed, &it.reads,
               &it.best, &it.mean, &it.sweeps, &it.cpu, &it.reached) != 10) continue;
    rows = (row *)bench_grow(rows, *count, &room, sizeof *rows);
    rows[(*count)++] = it;
  }
  if (file) (void)fclose(file);
  return rows;
}

/* One more line; the file is made if it is not there. */
static void write_row(const char *path, const row *it) {
  FILE *file = fopen(path, "a");
  if (!file) basic_die("%s: cannot be written", path);
  if (ftell(file) == 0) fputs(head, file);
  fprintf(file, "%s,%s,%g,%u,%u,%.10g,%.10g,%u,%.3f,%u\n", it->graph, it->solver, it->seconds, it->seed, it->reads, it->best,
          it->mean, it->sweeps, it->cpu, it->reached);
  if (fclose(file) != 0) basic_die("%s: cannot be written", path);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Reads of one call, into *it; known: the graph's largest cut. */
static void anneal(const lbp_qubo *m, uint32_t n, double known, uint32_t reads, uint64_t seed, row *it) {
  lbp_run run;
  lbp_run_result found;
  uint32_t k;
  lbp_run_init(&run);
  run.chains = reads;
  run.sweeps = it->sweeps;
  run.seed = seed;
  run.check = 0;
  if (cut_anneal(&run, m, n, &found) != LBP_OK) basic_die("%s: %s", it->graph, found.message);
  for (k = 0; k < reads; k++) {
    it->mean += found.best_logp[k];
    it->reached += found.best_logp[k] >= near * known;
  }
  if (it->reads == 0 || found.best_logp[0] > it->best) it->best = found.best_logp[0];
  it->reads += reads;
  lbp_run_free(&found);
}

static row search(const lbp_qubo *m, uint32_t n, uint32_t g, uint32_t budget, uint32_t seed) {
  const double begin = bench_cpu_now();
  uint32_t call;
  row it;
  memset(&it, 0, sizeof it);
  snprintf(it.graph, sizeof it.graph, "%s", graphs[g].name);
  snprintf(it.solver, sizeof it.solver, "lbp");
  it.seconds = budgets[budget].seconds;
  it.sweeps = budgets[budget].sweeps;
  it.seed = seed;
  anneal(m, n, graphs[g].best, 1, 8 * (uint64_t)seed, &it);
  for (call = 1; call < 4; call++) { /* what a read takes is known better each time */
    const double taken = bench_cpu_now() - begin, more = (it.seconds - taken) / (taken / it.reads);
    if (more >= 1) anneal(m, n, graphs[g].best, (uint32_t)more, 8 * (uint64_t)seed + call, &it);
  }
  it.cpu = bench_cpu_now() - begin;
  it.mean /= it.reads;
  return it;
}

static int has(const row *rows, uint32_t count, const char *graph, uint32_t budget, uint32_t seed) {
  uint32_t k;
  for (k = 0; k < count; k++) {
    if (strcmp(rows[k].graph, graph) == 0 && strcmp(rows[k].solver, "lbp") == 0 && rows[k].seed == seed &&
        rows[k].sweeps == budgets[budget].sweeps) return 1;
  }
  return 0;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The mean over seeds of a solver's best cuts, or of its reads', and its standard error; 0 seeds: none. */
static estimate of_solver(const row *rows, uint32_t count, const char *graph, const char *solver, uint32_t budget,
                          int of_reads, uint32_t *seeds) {
  double sum = 0, squares = 0;
  estimate it = {0, 0};
  uint32_t k;
  *seeds = 0;
  for (k = 0; k < count; k++) {
    const double v = of_reads ? rows[k].mean : rows[k].best;
    if (strcmp(rows[k].graph, graph) != 0 || strcmp(rows[k].solver, solver) != 0) continue;
    if (rows[k].sweeps != budgets[budget].sweeps) continue;
    sum += v;
    squares += v * v;
    ++*seeds;
  }
  if (*seeds == 0) return it;
  it.mean = sum / *seeds;
  it.se = *seeds > 1 ? sqrt(fabs(squares / *seeds - it.mean * it.mean) / (*seeds - 1)) : 0;
  return it;
}

static void print_table(const row *rows, uint32_t count) {
  char solver[SOLVERS][NAME];
  uint32_t solvers = 0, g, b, s, k, seeds;
  for (k = 0; k < count; k++) {
    for (s = 0; s < solvers && strcmp(solver[s], rows[k].solver) != 0; s++) continue;
    if (s == solvers && solvers < SOLVERS) memcpy(solver[solvers++], rows[k].solver, NAME);
  }
  for (b = 0; b < BUDGETS; b++) {
    printf("\n%g s of CPU time a run, reads of %u sweeps: the best cut of a run, and the mean of its reads\n| graph | known |",
           budgets[b].seconds, (unsigned)budgets[b].sweeps);
    for (s = 0; s < solvers; s++) printf(" %s: best | reads | seeds |", solver[s]);
    printf("\n|---|---:|");
    for (s = 0; s < solvers; s++) printf("---:|---:|---:|");
    for (g = 0; g < GRAPHS; g++) {
      printf("\n| %s | %g |", graphs[g].name, graphs[g].best);
      for (s = 0; s < solvers; s++) {
        const estimate best = of_solver(rows, count, graphs[g].name, solver[s], b, 0, &seeds);
        const estimate mean = of_solver(rows, count, graphs[g].name, solver[s], b, 1, &seeds);
        if (seeds == 0) printf(" - | - | 0 |");
        else printf(" %.1f +- %.1f | %.1f +- %.1f | %u |", best.mean, best.se, mean.mean, mean.se, (unsigned)seeds);
      }
    }
    printf("\n");
  }
}

int main(int argc, char **argv) {
  const char *data = argc > 1 ? argv[1] : "", *out = argc > 2 ? argv[2] : "";
  const double begin = basic_now();
  char path[1100];
  uint32_t g, b, seed, count, done = 0, all = 0;
  row *rows;
  if (argc < 3) basic_die("search DATA OUT [GRAPH...], or search --table OUT");
  bench_start(1);
  snprintf(path, sizeof path, "%.1000s/search.csv", out);
  rows = read_rows(path, &count);
  for (g = 0; strcmp(data, "--table") != 0 && g < GRAPHS; g++) {
    lbp_qubo m;
    uint32_t n = 0;
    int k, wanted = argc == 3;
    for (k = 3; k < argc; k++) wanted |= strcmp(argv[k], graphs[g].name) == 0;
    if (!wanted) continue;
    if (!read_graph(data, graphs[g].name, &m, &n)) {
      printf("%s/%s.txt.gz is not there: left out\n", data, graphs[g].name);
      continue;
    }
    all += SEEDS;
    for (seed = 1; seed <= SEEDS; seed++, done++) {
      for (b = 0; b < BUDGETS; b++) {
        row it;
        if (has(rows, count, graphs[g].name, b, seed)) continue;
        it = search(&m, n, g, b, seed);
        write_row(path, &it);
        printf("%-4s %4g s  seed %2u: best %g, mean %.1f of %u reads, %.2f s; %.0f s so far\n", it.graph, it.seconds,
               (unsigned)seed, it.best, it.mean, (unsigned)it.reads, it.cpu, basic_now() - begin);
      }
    }
    lbp_qubo_free(&m);
  }
  free(rows);
  rows = read_rows(path, &count);
  print_table(rows, count);
  free(rows);
  return 0;
}
