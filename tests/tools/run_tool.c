/* A run of lbp_run.h with the options of its command line, for tests that kill it and for those that read its files:
 *
 *   run_tool prefix=out/x checkpoint=out/x.ckpt draws=1000 side=8 beta=0.4 ...
 *
 * The model is an Ising model on a grid; with model=half the same, half of whose spins are up, by swaps; with
 * model=lattice a string of as many integers, for the samplers of lbp_ab.h (sampler=dlp, say; else adaptive AB); with
 * model=springs one whose log pi is quadratic, by steps with a momentum;
 * model=lanes is the first again, by words of lanes;
 * sampler=lbp is of the first, and learns R where it searches, too. Prints the statistics of all columns in full
 * precision. With LBP_RUN_MPI, under mpirun too. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "../../lbp_run.h"

#include "../../lbp_models.h"

#define LBP_NAME           grid
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           lbp_graph_logp
#define LBP_TEMPERED
#include "../../lbp_run.h"

/* The coupling, which all terms are whole numbers of. */
static double unit_of_lanes;

#define LBP_NAME           lanes
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           lbp_graph_logp
#define LBP_PAIRS          lbp_graph_pairs
#define LBP_FIELD          lbp_graph_field
#define LBP_UNIT(m)        (lbp_real)unit_of_lanes
#define LBP_LANES          64
#define LBP_TEMPERED
#include "../../lbp_run.h"

#define LBP_NAME             half
#define LBP_MODEL_T          lbp_graph
#define LBP_REAL             lbp_real
#define LBP_DELTA            lbp_graph_delta
#define LBP_NEIGHBOURS       lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS   4
#define LBP_LOGP             lbp_graph_logp
#define LBP_GROUP(m, i)      0u
#define LBP_GROUPS           1
#define LBP_GROUP_ONES(m, g) ((m)->n / 2)
#define LBP_TEMPERED
#include "../../lbp_run.h"

/* Integers 0 ... 4 in a ring that stay near their neighbours, by no quadratic law unless `quartic` is 0. */
typedef struct {
  uint32_t n;
  double pull, quartic;
} string;

static double string_gradient(const string *m, const uint8_t *x, double *out) {
  double logp = 0;
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    const double v = x[i], left = x[(i + m->n - 1) % m->n], right = x[(i + 1) % m->n];
    out[i] = 0.5 - 4 * m->quartic * v * v * v + m->pull * (left + right - 2 * v);
    logp += 0.5 * v - m->quartic * v * v * v * v - m->pull * (v - right) * (v - right) / 2;
  }
  return logp;
}

static void string_conditional(const string *m, const uint8_t *x, uint32_t i, double *out) {
  const double left = x[(i + m->n - 1) % m->n], right = x[(i + 1) % m->n];
  uint32_t v;
  for (v = 0; v < 5; v++) {
    const double pulls = (v - left) * (v - left) + (v - right) * (v - right);
    out[v] = 0.5 * v - m->quartic * (v * v * v * v) - m->pull * pulls / 2;
  }
}

#define LBP_NAME        lattice
#define LBP_MODEL_T     string
#define LBP_GRADIENT    string_gradient
#define LBP_CONDITIONAL string_conditional
#define LBP_STATES      5
#include "../../lbp_run.h"

/* The curvature of one that is quadratic, W its Hessian; returns the memory that it needs. */
static void *string_curvature(const string *m, lattice_curvature *curvature) {
  const uint32_t n = m->n;
  double *value = (double *)calloc(4 * (size_t)n, sizeof *value), *D = value + 3 * (size_t)n;
  uint32_t *column = (uint32_t *)calloc(4 * (size_t)n + 1, sizeof *column), *start = column + 3 * (size_t)n, i, k;
  void *memory;
  lbp_symmetric W;
  memset(&W, 0, sizeof W);
  W.n = n;
  W.start = start, W.column = column, W.value = value;
  for (i = 0; i < n; i++) {
    start[i] = 3 * i;
    for (k = 0; k < 3; k++) { /* in a ring the last site's right neighbour is the first column, and so on */
      column[3 * i + k] = i == 0 ? (k < 2 ? k : n - 1) : i == n - 1 ? (k > 0 ? n - 3 + k : 0) : i - 1 + k;
      value[3 * i + k] = column[3 * i + k] == i ? -2 * m->pull : m->pull;
    }
    D[i] = 4.1 * m->pull;
  }
  start[n] = 3 * n;
  memory = malloc(lattice_curvature_bytes(&W, D, 1));
  if (!memory || lattice_curvature_init(curvature, &W, D, 1, memory, lattice_curvature_bytes(&W, D, 1)) != LBP_OK) abort();
  free(value), free(column);
  return memory;
}

static const char *text(int argc, char **argv, const char *name) {
  int k;
  for (k = 1; k < argc; k++) {
    if (strncmp(argv[k], name, strlen(name)) == 0 && argv[k][strlen(name)] == '=') return argv[k] + strlen(name) + 1;
  }
  return NULL;
}

static double get(int argc, char **argv, const char *name, double otherwise) {
  const char *value = text(argc, argv, name);
  return value ? strtod(value, NULL) : otherwise;
}

/* The first word that is no option: what a test asks for and doesn't get is not tested. */
static const char *unknown(int argc, char **argv) {
  static const char *const names[] = {
      "prefix", "checkpoint", "every", "chains", "draws", "warmup", "thin", "rungs", "parts", "replicas", "adapt_ends",
      "shared", "states", "marginals", "digits", "seed", "R", "together", "resample", "sampler", "progress", "model",
      "side", "beta", "time", "signals", "rhat", "ess", "all"};
  int k;
  for (k = 1; k < argc; k++) {
    const size_t length = strcspn(argv[k], "=");
    size_t v;
    for (v = 0; v < sizeof names / sizeof *names; v++) {
      if (argv[k][length] == '=' && strlen(names[v]) == length && strncmp(argv[k], names[v], length) == 0) break;
    }
    if (v == sizeof names / sizeof *names) return argv[k];
  }
  return NULL;
}

static double whole_ones(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return lbp_run_ones(column, x, n) * n;
}

static double zero(const lbp_run_column *column, const uint8_t *x, uint32_t n) { return (void)column, (void)x, 0.0 * n; }

static void cell(int status, double v) {
  if (status == LBP_OK) printf(" %.17g", v);
  else printf(" NA");
}

/* The best states of some reads that anneal; and, where there may be processes without reads, whether a search ends that
 * is given seconds: they agree with the others about the number of sweeps. */
static void print_search(lbp_run run, const lbp_kernel *kernel, const void *model, uint32_t n) {
  lbp_run_result found;
  uint32_t k, i;
  run.checkpoint = NULL;
  run.progress = run.summary = NULL;
  run.seconds = 0;
  run.annealing.sweeps = 50;
  (void)lbp_anneal_kernel(&run, kernel, model, n, &found); /* in all processes */
  for (k = 0; found.last && k < found.chains; k++) {
    printf("found %.17g of %lu, %.17g ", found.best_logp[k], (unsigned long)found.hits[k], found.last_logp[k]);
    for (i = 0; i < n; i++) printf("%d%d", found.best[(size_t)k * n + i], found.last[(size_t)k * n + i]);
    printf("\n");
  }
  if (found.status != LBP_OK && found.status != LBP_E_RANGE) printf("found nothing: %s\n", found.message);
  lbp_run_free(&found);
  if (run.chains > 2) return;
  run.annealing.sweeps = 0;
  run.seconds = 0.05;
  (void)lbp_anneal_kernel(&run, kernel, model, n, &found);
  if (found.status == LBP_OK && found.last) { /* on a busy machine time may be over before the first sweep */
    printf("found in time: %d\n", found.sweeps > 0 || found.ended == LBP_END_OUT_OF_TIME);
  }
  lbp_run_free(&found);
}

/* With all=1, all that there is beside the rows, each number in full; log Z by annealing; a search. */
static void print_all(const lbp_run *given, const lbp_kernel *kernel, const void *model, uint32_t n,
                      const lbp_run_result *result) {
  const uint32_t cells = n * (kernel->values > 2 ? kernel->values : 1);
  lbp_run run = *given;
  lbp_ais_result annealed;
  uint32_t k, i;
  run.tempering.rungs = 10;
  run.check_trials = 0;
  if (kernel->judge && !run.curvature) run.sampler = LBP_SAMPLER_DLP; /* adaptive AB learns at one temperature */
  (void)lbp_ais_kernel(&run, kernel, model, n, &annealed); /* in all processes */
  print_search(run, kernel, model, n);
  if (!result->row) { /* not the first process */
    lbp_ais_free(&annealed);
    return;
  }
  printf("annealed %d %.17g %.17g %.17g %.17g %.17g ", annealed.status, annealed.log_z, annealed.log_z_se, annealed.weights,
         annealed.accept, annealed.best_logp);
  for (i = 0; annealed.best && i < n; i++) printf("%d", annealed.best[i]);
  printf("\n%lu populations, %lu families, %.17g\n", (unsigned long)annealed.populations,
         (unsigned long)annealed.families, annealed.effective_families);
  lbp_ais_free(&annealed);
  printf("steps %.17g %.17g %.17g %.17g, %lu of %lu draws\n", result->accept, result->jump, result->parameter,
         result->evaluations, (unsigned long)result->kept, (unsigned long)result->draws);
  printf("log Z %d %.17g %.17g\n", result->log_z_status, result->log_z, result->log_z_se);
  for (k = 0; k < result->rungs; k++) printf("rung %.17g %.17g\n", result->ladder[k], result->swaps[k]);
  for (k = 0; result->parts && k < 2 * result->rungs; k++) {
    printf("parts %.17g %.17g\n", result->parts[k], result->largest_part[k]);
  }
  printf("round trips %llu %.17g %.17g\n", (unsigned long long)result->round_trips, result->round_trip_rate,
         result->round_trip_ideal);
  for (k = 0; k < result->chains; k++) {
    printf("best %.17g ", result->best_logp[k]);
    for (i = 0; i < n; i++) printf("%d", result->best[(size_t)k * n + i]);
    printf("\n");
  }
  for (i = 0; result->marginal && i < cells; i++) {
    printf("site %lu %.17g", (unsigned long)i, result->marginal[i]);
    cell(result->marginal_se ? LBP_OK : LBP_E_RANGE, result->marginal_se ? result->marginal_se[i] : 0);
    printf("\n");
  }
}

static const lbp_run_column columns[4] = {
    {"ones", whole_ones, NULL, 0}, {"share", lbp_run_ones, NULL, 0}, {"first", lbp_run_site, NULL, 0},
    {"zero", zero, NULL, 0}};

static lbp_run options(int argc, char **argv) {
  const char *sampler = text(argc, argv, "sampler");
  lbp_run run;
  lbp_run_init(&run);
  run.column = columns;
  run.columns = 4;
  run.prefix = text(argc, argv, "prefix");
  run.checkpoint = text(argc, argv, "checkpoint");
  run.checkpoint_seconds = get(argc, argv, "every", 600);
  run.chains = (uint32_t)get(argc, argv, "chains", 4);
  run.draws = (uint64_t)get(argc, argv, "draws", 1000);
  run.warmup = (uint32_t)get(argc, argv, "warmup", 1000);
  run.thin = (uint32_t)get(argc, argv, "thin", 2);
  run.tempering.rungs = (uint32_t)get(argc, argv, "rungs", 1);
  run.tempering.swap_parts = (int)get(argc, argv, "parts", 0);
  run.tempering.replicas = (uint32_t)get(argc, argv, "replicas", 1);
  run.tempering.adapt_ends = (int)get(argc, argv, "adapt_ends", 0);
  run.shared_tuner = (int)get(argc, argv, "shared", 0);
  run.save_states = (int)get(argc, argv, "states", 0);
  run.marginals = (int)get(argc, argv, "marginals", 0);
  run.digits = (int)get(argc, argv, "digits", 17);
  run.seed = (uint64_t)get(argc, argv, "seed", 1);
  run.parameter = get(argc, argv, "R", 0);
  run.batch = (uint32_t)get(argc, argv, "together", 0);
  run.tempering.resample = get(argc, argv, "resample", 0);
  run.signals = (int)get(argc, argv, "signals", 0);
  run.rhat = get(argc, argv, "rhat", 0);
  run.ess = get(argc, argv, "ess", 0);
  if (sampler && strcmp(sampler, "dlp") == 0) run.sampler = LBP_SAMPLER_DLP;
  if (sampler && strcmp(sampler, "lbp") == 0) run.sampler = LBP_SAMPLER_LBP;
  if (text(argc, argv, "progress")) run.progress = stderr;
  return run;
}

static void print_rows(const lbp_run_result *result) {
  uint32_t v;
  for (v = 0; result->row && v < result->rows; v++) {
    const lbp_run_row *row = &result->row[v];
    printf("%s", row->name);
    cell(row->mean_status, row->mean);
    cell(row->mcse_status, row->mcse);
    cell(row->mean_status, row->sd);
    cell(row->mean_status, row->q5);
    cell(row->mean_status, row->median);
    cell(row->mean_status, row->q95);
    cell(row->rhat_status, row->rhat);
    cell(row->ess_bulk_status, row->ess_bulk);
    cell(row->ess_tail_status, row->ess_tail);
    cell(row->discrete_status, row->discrete.mode);
    cell(row->discrete_status, row->discrete.entropy);
    printf("\n");
  }
}

int main(int argc, char **argv) {
  const char *name = text(argc, argv, "model");
  const int is_springs = name && strcmp(name, "springs") == 0, is_half = name && strcmp(name, "half") == 0;
  const int is_lattice = is_springs || (name && strcmp(name, "lattice") == 0);
  const int is_lanes = name && strcmp(name, "lanes") == 0;
  const lbp_kernel kernel = is_lattice ? lattice_kernel() : is_half ? half_kernel()
                            : is_lanes ? lanes_kernel() : grid_kernel();
  const uint32_t side = (uint32_t)get(argc, argv, "side", 8), n = side * side;
  lbp_run run = options(argc, argv);
  lattice_curvature curvature;
  void *memory = NULL;
  string integers;
  lbp_graph spins;
  lbp_run_result result;
  int status;
  if (unknown(argc, argv)) {
    fprintf(stderr, "run_tool: no option: %s\n", unknown(argc, argv));
    return 2;
  }
#if LBP_RUN_MPI
  MPI_Init(&argc, &argv);
#endif
  integers.n = n;
  integers.pull = get(argc, argv, "beta", 0.3);
  integers.quartic = is_springs ? 0 : 1.0 / 80;
  if (is_springs) {
    memory = string_curvature(&integers, &curvature);
    run.sampler = LBP_SAMPLER_MOMENTUM;
    run.curvature = &curvature;
  }
  unit_of_lanes = get(argc, argv, "beta", 0.3);
  if (is_lanes) run.sampler = LBP_SAMPLER_LANES;
  status = lbp_graph_grid(&spins, side, side, get(argc, argv, "beta", 0.3));
  if (status == LBP_OK) {
    const void *model = is_lattice ? (const void *)&integers : &spins;
    status = lbp_run_kernel(&run, &kernel, model, n, &result);
    if (status != LBP_OK) fprintf(stderr, "run_tool: %s\n", result.message);
    if (status == LBP_OK) print_rows(&result);
    if (status == LBP_OK && result.row && text(argc, argv, "time")) printf("seconds %.3f\n", result.seconds);
    if (status == LBP_OK && text(argc, argv, "all")) print_all(&run, &kernel, model, n, &result);
    lbp_run_free(&result);
    lbp_graph_free(&spins);
  }
  free(memory);
#if LBP_RUN_MPI
  MPI_Finalize();
#endif
  return status != LBP_OK;
}
