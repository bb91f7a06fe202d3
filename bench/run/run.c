/* The run driver (lbp_run.h): log Z by tempering and by annealing, importance sampling and populations, against exact
 * values, memory of a long run, checkpoints of a large one. Prints a report in Markdown to standard output, progress to
 * standard error; bench/run/run.sh adds how it scales over processes. Usage: build/bench/run FOLDER. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <sys/resource.h>

#include "../../lbp_run.h"

#include "../../lbp_models.h"
#include "../common/harness.h"

#define LBP_NAME         graph
#define MODEL            lbp_graph
#define MODEL_NEIGHBOURS 6
#define LBP_TEMPERED
#include "../common/instance.h"
#undef MODEL
#undef MODEL_NEIGHBOURS

#define LBP_NAME     rbm
#define MODEL        lbp_rbm
#define MODEL_FIELDS
#define LBP_TEMPERED
#include "../common/instance.h"

/* ---- exact log Z ------------------------------------------------------------------------------------------------- */

static double log_add(double a, double b) {
  const double high = a > b ? a : b, low = a > b ? b : a;
  return low == -HUGE_VAL ? high : high + log1p(exp(low - high));
}

/* By enumeration. */
static double exact_graph(const lbp_graph *m) {
  uint8_t *x = (uint8_t *)basic_alloc(m->n, 1);
  double sum = -HUGE_VAL;
  for (uint32_t code = 0; code < 1u << m->n; code++) {
    for (uint32_t i = 0; i < m->n; i++) x[i] = code >> i & 1;
    sum = log_add(sum, lbp_graph_logp(m, x));
  }
  free(x);
  return sum;
}

/* An Ising model on a grid of side x side sites with a free boundary, row by row: the sum over all states of the rows
 * before, for each state of a row. */
static double exact_grid(uint32_t side, double J) {
  const uint32_t states = 1u << side;
  double *sum = (double *)basic_alloc(states, sizeof *sum), *next = (double *)basic_alloc(states, sizeof *next);
  double log_z = -HUGE_VAL;
  for (uint32_t row = 0; row < side; row++) {
    for (uint32_t a = 0; a < states; a++) {
      double within = 0;
      for (uint32_t k = 0; k + 1 < side; k++) within += (a >> k & 1) == (a >> (k + 1) & 1) ? J : -J;
      next[a] = row == 0 ? 0 : -HUGE_VAL;
      for (uint32_t b = 0; row > 0 && b < states; b++) {
        double between = 0;
        for (uint32_t k = 0; k < side; k++) between += (a >> k & 1) == (b >> k & 1) ? J : -J;
        next[a] = log_add(next[a], sum[b] + between);
      }
      next[a] += within;
    }
    memcpy(sum, next, states * sizeof *sum);
  }
  for (uint32_t a = 0; a < states; a++) log_z = log_add(log_z, sum[a]);
  BENCH_FREE(sum, next);
  return log_z;
}

/* Visible units summed out, hidden ones enumerated. */
static double exact_rbm(const lbp_rbm *m) {
  double sum = -HUGE_VAL;
  for (uint32_t code = 0; code < 1u << m->hidden; code++) {
    double v = 0;
    for (uint32_t j = 0; j < m->hidden; j++) v += code >> j & 1 ? (double)m->c[j] : 0;
    for (uint32_t i = 0; i < m->n; i++) {
      double h = (double)m->b[i];
      for (uint32_t j = 0; j < m->hidden; j++) h += code >> j & 1 ? (double)m->W[(size_t)i * m->hidden + j] : 0;
      v += log1p(exp(h));
    }
    sum = log_add(sum, v);
  }
  return sum;
}

/* ---- estimates --------------------------------------------------------------------------------------------------- */

static double within[3], squares[3];

static void judge(int way, double exact, double log_z, double se, double last) {
  const double z = (log_z - exact) / se;
  printf(" %.4f +- %.4f | %+.1f |", log_z, se, z);
  if (way > 0) printf(" %.0f |%s", last, way > 1 ? "\n" : "");
  within[way] += fabs(z) <= 2;
  squares[way] += z * z;
}

static lbp_run options(uint64_t seed, uint32_t chains, uint32_t rungs, uint32_t thin) {
  lbp_run run;
  lbp_run_init(&run);
  run.seed = seed;
  run.chains = chains;
  run.tempering.rungs = rungs;
  run.thin = thin;
  run.warmup = 4000; /* of tempering, as the draws */
  run.draws = 2000;
  return run;
}

/* Couplings J between neighbours on a grid. */
static lbp_graph grid(uint32_t side, double J) {
  lbp_graph m;
  bench_expect(lbp_graph_grid(&m, side, side, J), "grid");
  return m;
}

/* A circulant graph, each of its 17 sites with its first three neighbours on either side. */
static lbp_graph circulant(double most, uint64_t seed) {
  double J[51], h[17];
  uint32_t ends[102];
  lbp_graph m;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 0);
  for (uint32_t e = 0; e < 17; e++) h[e] = lbp_u01(lbp_rng_u64(&rng)) - 0.5;
  for (uint32_t e = 0; e < 51; e++) {
    ends[2 * e] = e % 17;
    ends[2 * e + 1] = (e % 17 + 1 + e / 17) % 17;
    J[e] = most * (2 * lbp_u01(lbp_rng_u64(&rng)) - 1);
  }
  bench_expect(lbp_graph_init(&m, 17, h, 51, ends, J, 6), "spin glass");
  return m;
}

static void log_z(void) {
  printf("## log Z\n\nParallel tempering (16 chains, 8 rungs, 2000 draws, 10 steps of tuned LBP each), and by Gibbs sweeps "
         "annealed importance\nsampling (400 chains, 100 rungs, 20 sweeps each) and population annealing (the same, resampled "
         "at every rung, in 16\npopulations); z: how many standard errors from the exact value.\n\n"
         "| model | exact | tempering | z | annealing | z | effective weights of 400 | populations | z | effective families |\n"
         "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (uint32_t k = 0; k < 20; k++) {
    static const uint32_t side[7] = {4, 5, 6, 6, 7, 8, 8};
    lbp_run hot = options(100 + k, 16, 8, 10), cold = options(200 + k, 400, 100, 20);
    const lbp_kernel kernel = k < 14 ? graph_kernel() : rbm_kernel();
    const uint32_t hidden = k < 14 ? 0 : 6 + 2 * (k - 14);
    const double most = 0.25 + 0.1 * (k - 7.0);
    lbp_run_result tempered;
    lbp_ais_result annealed[2] = {{0}, {0}};
    lbp_graph m = {0};
    lbp_rbm rbm = {0};
    char name[80];
    double exact;
    if (k < 7) {
      const double J = 0.2 + 0.05 * k;
      snprintf(name, sizeof name, "Ising grid %u x %u, J = %.2f", (unsigned)side[k], (unsigned)side[k], J);
      m = grid(side[k], J);
      exact = exact_grid(side[k], (double)m.link[0].gain / 4);
    } else if (k < 14) {
      snprintf(name, sizeof name, "spin glass, 17 sites, couplings up to %.2f", most);
      m = circulant(most, k);
      exact = exact_graph(&m);
    } else {
      snprintf(name, sizeof name, "RBM, 40 x %u units", (unsigned)hidden);
      bench_expect(lbp_rbm_random(&rbm, 40, hidden, 0.5, k), name);
      exact = exact_rbm(&rbm);
    }
    const void *model = hidden > 0 ? (const void *)&rbm : &m;
    const uint32_t n = hidden > 0 ? rbm.n : m.n;
    int status = lbp_run_kernel(&hot, &kernel, model, n, &tempered);
    for (int way = 0; way < 2 && status == LBP_OK; cold.tempering.resample = ++way) {
      status = lbp_ais_kernel(&cold, &kernel, model, n, &annealed[way]);
    }
    if (status != LBP_OK || tempered.log_z_status != LBP_OK) {
      basic_die("%s: %s%s%s", name, tempered.message, annealed[0].message, annealed[1].message);
    }
    printf("| %s | %.4f |", name, exact);
    judge(0, exact, tempered.log_z, tempered.log_z_se, 0);
    judge(1, exact, annealed[0].log_z, annealed[0].log_z_se, annealed[0].weights);
    judge(2, exact, annealed[1].log_z, annealed[1].log_z_se, annealed[1].effective_families);
    lbp_graph_free(&m);
    lbp_rbm_free(&rbm);
    lbp_run_free(&tempered);
    for (int way = 0; way < 2; way++) lbp_ais_free(&annealed[way]);
    fprintf(stderr, "log Z: %lu of 20 cases\n", (unsigned long)k + 1);
  }
  printf("\nWithin two standard errors: tempering %.0f, annealing %.0f, populations %.0f of 20 (19 are to be expected). Sums of "
         "squares of all\nz: %.1f, %.1f, %.1f (7.43 to 40.0 in 99 of 100 such tables, if errors are exact).\n\n", within[0], within[1],
         within[2], squares[0], squares[1], squares[2]);
}

/* ---- memory and checkpoints -------------------------------------------------------------------------------------- */

static void memory(const char *folder) {
  static const uint64_t draws[3] = {10000, 100000, 1000000};
  char prefix[1000], path[LBP_P_PATH + 32];
  struct rusage usage;
  lbp_graph m = grid(16, 0.3);
  snprintf(prefix, sizeof prefix, "%s/memory", folder);
  printf("## Memory of a long run\n\nFour chains of an Ising grid of 256 sites, log pi and all states into CSV files.\n\n"
         "| draws of each chain | largest memory so far, MiB | seconds |\n|---:|---:|---:|\n");
  for (int k = 0; k < 3; k++) {
    lbp_run run;
    lbp_run_result result;
    lbp_run_init(&run);
    run.draws = draws[k];
    run.prefix = prefix;
    run.save_states = k < 2 ? LBP_STATES_CSV : LBP_STATES_NONE; /* a million rows of states would be gigabytes */
    run.progress = stderr;
    if (graph_run(&run, &m, m.n, &result) != LBP_OK) basic_die("%s", result.message);
    getrusage(RUSAGE_SELF, &usage);
    printf("| %llu%s | %.1f | %.1f |\n", (unsigned long long)draws[k], k < 2 ? "" : ", without states",
           (double)usage.ru_maxrss / 1024, result.seconds);
    lbp_run_free(&result);
    for (unsigned chain = 1; chain <= run.chains; chain++) {
      snprintf(path, sizeof path, "%s_%u.csv", prefix, chain);
      remove(path);
    }
  }
  lbp_graph_free(&m);
  printf("\n");
}

static void checkpoint(const char *folder) {
  char path[1000];
  double seconds[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}; /* the least: without one; that writes one; that reads it, too */
  struct stat info;
  lbp_graph m = grid(1000, 0.3);
  lbp_run run;
  lbp_run_result result;
  snprintf(path, sizeof path, "%s/large.ckpt", folder);
  lbp_run_init(&run);
  run.chains = 100;
  run.warmup = 0;
  run.draws = run.check_trials = 0;
  run.parameter = 1001;
  for (int k = 0; k < 15; k++) { /* what else the machine does only adds */
    if (k % 3 == 0) remove(path);
    const double begin = basic_now();
    run.checkpoint = k % 3 > 0 ? path : NULL;
    if (graph_run(&run, &m, m.n, &result) != LBP_OK) basic_die("%s", result.message);
    seconds[k % 3] = fmin(seconds[k % 3], basic_now() - begin);
    lbp_run_free(&result);
    fprintf(stderr, "checkpoints: %d of 15 runs\n", k + 1);
  }
  if (stat(path, &info) != 0) basic_die("%s is not there", path);
  printf("## A large checkpoint\n\n100 chains of 10^6 sites: %.1f MB, %.0f bytes a chain beyond its sites' bits (twice: the state "
         "and the best one seen).\nTo write it took %.2f s, to read it and write it again %.2f s, at best of five times.\n\n",
         (double)info.st_size / 1e6, (double)info.st_size / 100 - 250000, seconds[1] - seconds[0],
         seconds[2] - seconds[0]);
  remove(path);
  lbp_graph_free(&m);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: run FOLDER, a folder for what it writes\n");
    return 2;
  }
  bench_start(0);
  log_z();
  memory(argv[1]);
  checkpoint(argv[1]);
  return 0;
}
