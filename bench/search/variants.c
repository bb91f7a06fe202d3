/* Could anything but annealing by Metropolis sweeps find larger cuts in the same time: other samplers, LBP-R with R
 * tuned or by schedule, and reheating, where a read goes on from the best state that it has found, and is not as hot
 * again as it was.
 *
 *   variants DATA OUT [GRAPH...]: DATA is the folder of G1.txt.gz ..., OUT that of variants.csv: graph; variant; CPU
 *   seconds; steps; reads; their mean cut and its standard error; that less Metropolis' and its error
 *
 * All have the same CPU time on one thread, what about 600 sweeps of each of 64 reads take. */
#define MOST_NEIGHBOURS 512
#include "graphs.h"

enum { READS = 64 };

typedef struct {
  const char *name;
  int sampler;
  double R, R_end; /* shares of the sites; 0: tuned */
  double hot;      /* the hot end, a share of the cold one; 0: what is found */
  double reheat;   /* the same, where reads go on from their best states */
  uint32_t rounds; /* so often do they begin to cool */
} variant;

static const variant variants[] = {{"Metropolis", LBP_SAMPLER_METROPOLIS, 0, 0, 0, 0, 1},
                                   {"Gibbs", LBP_SAMPLER_GIBBS, 0, 0, 0, 0, 1},
                                   {"skip Metropolis", LBP_SAMPLER_SKIP_METROPOLIS, 0, 0, 0, 0, 1},
                                   {"LBP, R tuned", LBP_SAMPLER_LBP, 0, 0, 0, 0, 1},
                                   {"LBP, R from n/16 to 1", LBP_SAMPLER_LBP, 1 / 16.0, 1e-9, 0, 0, 1},
                                   {"LBP, R = 1", LBP_SAMPLER_LBP, 1e-9, 0, 0, 0, 1},
                                   {"Metropolis from 0.2", LBP_SAMPLER_METROPOLIS, 0, 0, 0.2, 0, 1},
                                   {"Gibbs from 0.2", LBP_SAMPLER_GIBBS, 0, 0, 0.2, 0, 1},
                                   {"reheated to 0.1", LBP_SAMPLER_METROPOLIS, 0, 0, 0, 0.1, 2},
                                   {"reheated to 0.2", LBP_SAMPLER_METROPOLIS, 0, 0, 0, 0.2, 2},
                                   {"reheated to 0.3", LBP_SAMPLER_METROPOLIS, 0, 0, 0, 0.3, 2},
                                   {"reheated to 0.5", LBP_SAMPLER_METROPOLIS, 0, 0, 0, 0.5, 2},
                                   {"Gibbs reheated to 0.2", LBP_SAMPLER_GIBBS, 0, 0, 0, 0.2, 2},
                                   {"3 times to 0.2", LBP_SAMPLER_METROPOLIS, 0, 0, 0, 0.2, 4},
                                   {"7 times to 0.2", LBP_SAMPLER_METROPOLIS, 0, 0, 0, 0.2, 8}};

/* Reads go on from the states of this result, in whatever order. */
static void go_on(const void *found, uint32_t chain, uint8_t *x, uint32_t n) {
  memcpy(x, ((const lbp_run_result *)found)->best + (size_t)chain * n, n);
}

/* Reads of so many steps; their best cuts into best[READS], best first. Returns the CPU time. */
static double search(const lbp_qubo *m, uint32_t n, const variant *v, uint64_t steps, double *best) {
  const double begin = bench_cpu_now();
  lbp_run_result found[8];
  lbp_run run;
  lbp_run_init(&run);
  run.chains = READS;
  run.sampler = v->sampler;
  run.parameter = v->R > 0 && v->R * n < 1 ? 1 : v->R * n;
  run.annealing.parameter_end = v->R_end > 0 && v->R_end * n < 1 ? 1 : v->R_end * n;
  run.check_trials = 0;
  if (v->hot > 0) {
    run.annealing.sweeps = 1;
    if (cut_anneal(&run, m, n, &found[0]) != LBP_OK) basic_die("%s", found[0].message);
    run.annealing.hot = v->hot * found[0].cold;
    lbp_run_free(&found[0]);
  }
  run.annealing.sweeps = steps / v->rounds > 0 ? steps / v->rounds : 1;
  for (uint32_t round = 0; round < v->rounds; round++) {
    run.seed = round + 1;
    if (round > 0) {
      run.annealing.hot = v->reheat * found[0].cold;
      run.start = go_on;
      run.start_data = &found[round - 1];
    }
    if (cut_anneal(&run, m, n, &found[round]) != LBP_OK) basic_die("%s", found[round].message);
  }
  memcpy(best, found[v->rounds - 1].best_logp, READS * sizeof *best);
  for (uint32_t round = 0; round < v->rounds; round++) lbp_run_free(&found[round]);
  return bench_cpu_now() - begin;
}

int main(int argc, char **argv) {
  static const char *const usual[] = {"G1", "G22", "G55", "G81"};
  const uint32_t graphs = argc > 3 ? (uint32_t)argc - 3 : 4, count = sizeof variants / sizeof variants[0];
  if (argc < 3) basic_die("variants DATA OUT [GRAPH...]");
  bench_start(1);
  const bench_file csv = bench_create(argv[2], "variants.csv", "graph,variant,cpu,steps,reads,mean,se,beside,beside_se");
  printf("| graph | CPU s | variant | steps | mean cut of %d reads | beside Metropolis |\n|---|---:|---|---:|---:|---:|\n",
         READS);
  for (uint32_t g = 0; g < graphs; g++) {
    const char *graph = argc > 3 ? argv[3 + g] : usual[g];
    estimate plain = {0, 0};
    lbp_qubo m;
    uint32_t n = 0;
    if (!read_graph(argv[1], graph, &m, &n)) {
      printf("%s/%s.txt.gz is not there: left out\n", argv[1], graph);
      continue;
    }
    for (uint32_t k = 0; k < count; k++) {
      const double seconds = 2e-8 * READS * 600 * n; /* what some 600 sweeps take, or more */
      double best[READS], taken = 0;
      uint64_t steps = 16;
      while (taken < seconds / 16) {
        steps *= 2;
        taken = search(&m, n, &variants[k], steps, best);
      }
      for (; taken < 0.9 * seconds || taken > 1.1 * seconds; taken = search(&m, n, &variants[k], steps, best)) {
        steps = (uint64_t)((double)steps * (seconds / taken)) + 1;
      }
      const estimate it = bench_estimate(best, READS);
      if (k == 0) plain = it;
      const estimate beside = {it.mean - plain.mean, k > 0 ? hypot(it.se, plain.se) : 0};
      printf("| %s | %.1f | %s | %llu | %.1f +- %.1f | %+.1f +- %.1f |\n", graph, taken, variants[k].name,
             (unsigned long long)steps, it.mean, it.se, beside.mean, beside.se);
      fprintf(csv.to, "%s,\"%s\",%.2f,%llu,%d,%.2f,%.2f,%.2f,%.2f\n", graph, variants[k].name, taken,
              (unsigned long long)steps, READS, it.mean, it.se, beside.mean, beside.se);
      bench_flush(&csv);
    }
    lbp_qubo_free(&m);
  }
  bench_close(&csv);
  return 0;
}
