/* Searches for large cuts of the G-set's graphs: reads that anneal, by NAME_anneal with its defaults, on one thread.
 *
 *   search DATA OUT [GRAPH...]: DATA is the folder of G1.txt.gz ...; OUT gets search.csv, a line for each run, which is
 *   gone on with; graphs are those below unless some are named. search --table OUT prints the file as a table.
 *
 * A run has 1 s or 10 s of CPU time, for as many reads of 1000 or 10000 sweeps as fit, at least one, and all that comes
 * before them. All solvers have the same number of sweeps (others.py). */
#define MOST_NEIGHBOURS 512
#include "graphs.h"

enum { GRAPHS = 8, BUDGETS = 2, SEEDS = 20, SOLVERS = 8, NAME = 24 };

/* The largest cuts that are known: G81 by Zick, arXiv 2505.18508 (2025); the others by Ma, Hao, Computers & Operations
 * Research 78 (2017), and what it cites. */
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
  if (ftell(file) == 0) fprintf(file, "# %s\n%s", bench_made(), head);
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
  run.annealing.sweeps = it->sweeps;
  run.seed = seed;
  run.check_trials = 0;
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

/* What a solver has found in runs of a budget; 0 seeds: nothing. */
typedef struct {
  estimate best, mean; /* over seeds: the best cut of a run, and the mean of its reads */
  double near;         /* CPU seconds until a read comes near the largest known cut, on average; 0: none did */
  uint32_t seeds;
} finding;

static finding look(const row *rows, uint32_t count, uint32_t g, const char *solver, uint32_t b) {
  double best[SEEDS], mean[SEEDS], cpu = 0, reached = 0;
  finding it = {{0, 0}, {0, 0}, 0, 0};
  uint32_t k;
  for (k = 0; k < count && it.seeds < SEEDS; k++) {
    if (strcmp(rows[k].graph, graphs[g].name) != 0 || strcmp(rows[k].solver, solver) != 0) continue;
    if (rows[k].sweeps != budgets[b].sweeps) continue;
    best[it.seeds] = rows[k].best;
    mean[it.seeds++] = rows[k].mean;
    cpu += rows[k].cpu;
    reached += rows[k].reached;
  }
  if (it.seeds == 0) return it;
  it.best = bench_estimate(best, it.seeds);
  it.mean = bench_estimate(mean, it.seeds);
  it.near = reached > 0 ? cpu / reached : 0;
  return it;
}

/* On how many graphs the first of these solvers is ahead of another, and behind it by more than the standard error. */
static void compare(const row *rows, uint32_t count, const char *first, const char *other, uint32_t b) {
  uint32_t of = 0, g, k, ahead[2] = {0, 0}, behind[2] = {0, 0};
  for (g = 0; g < GRAPHS; g++) {
    const finding a = look(rows, count, g, first, b), c = look(rows, count, g, other, b);
    if (a.seeds == 0 || c.seeds == 0) continue;
    of++;
    for (k = 0; k < 2; k++) {
      const estimate x = k == 0 ? a.mean : a.best, y = k == 0 ? c.mean : c.best;
      ahead[k] += x.mean > y.mean;
      behind[k] += x.mean < y.mean - hypot(x.se, y.se);
    }
  }
  printf("%s beside %s: reads ahead on %u of %u graphs, behind by more than the standard error on %u; runs' best on %u, "
         "%u\n", first, other, (unsigned)ahead[0], (unsigned)of, (unsigned)behind[0], (unsigned)ahead[1],
         (unsigned)behind[1]);
}

/* The table, also as OUT/table.csv, and a picture of it. */
static void show(const row *rows, uint32_t count, const char *out) {
  char solver[SOLVERS][NAME];
  const bench_file csv = bench_create(out, "table.csv", "graph,known,seconds,solver,best,best_se,mean,mean_se,near,seeds");
  uint32_t solvers = 0, g, b, s, k;
  for (k = 0; k < count; k++) {
    for (s = 0; s < solvers && strcmp(solver[s], rows[k].solver) != 0; s++) continue;
    if (s == solvers && solvers < SOLVERS) memcpy(solver[solvers++], rows[k].solver, NAME);
  }
  for (s = 1; s < solvers; s++) { /* ours first */
    if (strcmp(solver[s], "lbp") != 0) continue;
    memcpy(solver[s], solver[0], NAME);
    memcpy(solver[0], "lbp", 4);
  }
  for (b = 0; b < BUDGETS; b++) {
    printf("\n%g s of CPU time a run, reads of %u sweeps; time to %g of the largest known cut in CPU seconds\n"
           "| graph | known | solver | best cut of a run | mean of its reads | time | seeds |\n"
           "|---|---:|---|---:|---:|---:|---:|\n", budgets[b].seconds, (unsigned)budgets[b].sweeps, near);
    for (g = 0; g < GRAPHS; g++) {
      for (s = 0; s < solvers; s++) {
        const finding it = look(rows, count, g, solver[s], b);
        char time[32] = "";
        if (it.near > 0) snprintf(time, sizeof time, "%.3g", it.near);
        if (it.seeds == 0) continue;
        printf("| %s | %g | %s | %.1f +- %.1f | %.1f +- %.1f | %s | %u |\n", graphs[g].name, graphs[g].best, solver[s],
               it.best.mean, it.best.se, it.mean.mean, it.mean.se, *time ? time : "-", (unsigned)it.seeds);
        fprintf(csv.to, "%s,%g,%g,%s,%.8g,%.3g,%.8g,%.3g,%s,%u\n", graphs[g].name, graphs[g].best, budgets[b].seconds,
                solver[s], it.best.mean, it.best.se, it.mean.mean, it.mean.se, time, (unsigned)it.seeds);
      }
    }
    for (s = 1; s < solvers; s++) compare(rows, count, solver[0], solver[s], b);
  }
  bench_close(&csv);
  bench_draw("search", "search", out);
}

int main(int argc, char **argv) {
  const char *data = argc > 1 ? argv[1] : "", *out = argc > 2 ? argv[2] : "";
  const double begin = basic_now();
  char path[1100];
  uint32_t g, b, seed, count;
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
    for (seed = 1; seed <= SEEDS; seed++) {
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
  show(rows, count, out);
  free(rows);
  return 0;
}
