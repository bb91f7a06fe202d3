/* Is the range of temperatures that NAME_anneal finds a good one? Energies next to those of D-Wave's default range, and
 * of the same schedule with other cold ends, on problems whose scales differ: penalties, weights, sums of squares.
 *
 *   ranges DATA OUT: DATA is the folder of G1.txt.gz ..., without which those graphs are left out; OUT gets ranges.csv,
 *   a line for each run, which is gone on with. ranges --table OUT prints the file as a table.
 *
 * A run is 8 reads of 500 sweeps of Metropolis, in double, on one thread; runs of one problem and seed begin alike.
 * D-Wave's range is that of dwave-samplers 1.8.0, by its formula: betas from ln 2 / 2 over the largest sum of |h| and
 * |J| of a spin to ln(100 k) / 2 over the smallest of them, which k spins have, by equal factors. */
#define MOST_NEIGHBOURS 1024
#include "graphs.h"

enum { READS = 8, SWEEPS = 500, SEEDS = 5, CITIES = 48, NAME = 32, SCANNED = 11, WAYS = 2 + SCANNED };

/* How the cold end is chosen: as NAME_anneal does, by D-Wave's formula, or the first times a factor. */
typedef struct {
  char name[NAME];
  double times; /* 0: not by a factor */
} way;

static way way_of(uint32_t k) {
  way it = {"lbp", 0};
  if (k == 1) snprintf(it.name, sizeof it.name, "dwave");
  if (k < 2) return it;
  it.times = ldexp(1.0, 2 * ((int)k - 2) - SCANNED + 1);
  snprintf(it.name, sizeof it.name, "%g", it.times);
  return it;
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

/* Terms that are being gathered. */
typedef struct {
  uint32_t n, count, room, ends_room, *ends;
  double *value, offset;
} terms;

static void add(terms *t, uint32_t i, uint32_t j, double value) {
  t->ends = (uint32_t *)bench_grow(t->ends, t->count, &t->ends_room, 2 * sizeof *t->ends);
  t->value = (double *)bench_grow(t->value, t->count, &t->room, sizeof *t->value);
  t->ends[2 * t->count] = i;
  t->ends[2 * t->count + 1] = j;
  t->value[t->count++] = value;
}

/* value (sum_k a_k x_k - wanted)^2, of sites site[count]. */
static void add_square(terms *t, uint32_t count, const uint32_t *site, const double *a, double wanted, double value) {
  for (uint32_t k = 0; k < count; k++) {
    const double a_k = a ? a[k] : 1;
    add(t, site[k], site[k], value * a_k * (a_k - 2 * wanted));
    for (uint32_t l = 0; l < k; l++) add(t, site[k], site[l], 2 * value * a_k * (a ? a[l] : 1));
  }
  t->offset += value * wanted * wanted;
}

/* n x n sites (i, j) of which each row and each column has one 1. */
static void add_assignment(terms *t, uint32_t n, double penalty) {
  uint32_t site[CITIES], i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) site[j] = i * n + j;
    add_square(t, n, site, NULL, 1, penalty);
    for (j = 0; j < n; j++) site[j] = j * n + i;
    add_square(t, n, site, NULL, 1, penalty);
  }
}

/* A tour of n cities at random points of a square of side 1000; the penalty: so many times the longest distance. */
static void make_tour(terms *t, lbp_rng *rng, double n_cities, double times) {
  const uint32_t n = (uint32_t)n_cities;
  double at[CITIES][2], longest = 0, far;
  uint32_t i, j, k;
  for (i = 0; i < n; i++) {
    for (k = 0; k < 2; k++) at[i][k] = 1000 * lbp_models_uniform(rng);
    for (j = 0; j < i; j++) longest = fmax(longest, hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]));
  }
  t->n = n * n;
  add_assignment(t, n, times * longest);
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      far = hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]);
      for (k = 0; k < n && i != j; k++) add(t, i * n + k, j * n + (k + 1) % n, far);
    }
  }
}

/* n workers and n jobs at costs from 0 to 1. */
static void make_assignment(terms *t, lbp_rng *rng, double n_jobs, double penalty) {
  const uint32_t n = (uint32_t)n_jobs;
  t->n = n * n;
  add_assignment(t, n, penalty);
  for (uint32_t i = 0; i < t->n; i++) add(t, i, i, lbp_models_uniform(rng));
}

/* n whole numbers up to `largest` into two heaps: the square of their difference. */
static void make_partition(terms *t, lbp_rng *rng, double n, double largest) {
  uint32_t site[256];
  double a[256], sum = 0;
  t->n = (uint32_t)n;
  for (uint32_t i = 0; i < t->n; i++) {
    site[i] = i;
    a[i] = floor(1 + largest * lbp_models_uniform(rng));
    sum += a[i];
  }
  add_square(t, t->n, site, a, sum / 2, 4);
}

/* n things of values up to 100 and weights up to 50, half of whose weight fits; seven bits are slack. */
static void make_knapsack(terms *t, lbp_rng *rng, double n_things, double penalty) {
  const uint32_t n = (uint32_t)n_things;
  uint32_t site[256], i;
  double a[256], sum = 0;
  for (i = 0; i < n; i++) {
    a[i] = floor(1 + 50 * lbp_models_uniform(rng));
    sum += a[i];
    add(t, i, i, -floor(1 + 100 * lbp_models_uniform(rng)));
  }
  for (; i < n + 7; i++) a[i] = ldexp(1.0, (int)(i - n));
  for (i = 0; i < n + 7; i++) site[i] = i;
  t->n = n + 7;
  add_square(t, t->n, site, a, floor(sum / 2), penalty);
}

/* 150 nodes, each of one of four colours; edges whose ends are alike cost 1. */
static void make_colours(terms *t, lbp_rng *rng, double degree, double penalty) {
  const uint32_t n = 150;
  t->n = 4 * n;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t site[4] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
    add_square(t, 4, site, NULL, 1, penalty);
    for (uint32_t j = 0; j < i; j++) {
      const int joined = lbp_models_uniform(rng) < degree / n;
      for (uint32_t v = 0; v < 4 && joined; v++) add(t, site[v], 4 * j + v, 1);
    }
  }
}

/* The largest weight of nodes of which no two are joined; weights from 1 to 2. */
static void make_independent(terms *t, lbp_rng *rng, double degree, double penalty) {
  t->n = 400;
  for (uint32_t i = 0; i < t->n; i++) {
    add(t, i, i, -1 - lbp_models_uniform(rng));
    for (uint32_t j = 0; j < i; j++) {
      if (lbp_models_uniform(rng) < degree / t->n) add(t, i, j, penalty);
    }
  }
}

/* -J s_i s_j in zeros and ones. */
static void add_coupling(terms *t, uint32_t i, uint32_t j, double J) {
  add(t, i, j, -4 * J);
  add(t, i, i, 2 * J);
  add(t, j, j, 2 * J);
  t->offset -= J;
}

/* A glass on a torus of side^3 sites, with couplings +-1, or, normal: 1, normal ones. */
static void make_glass(terms *t, lbp_rng *rng, double sides, double normal) {
  const uint32_t side = (uint32_t)sides;
  t->n = side * side * side;
  for (uint32_t i = 0; i < t->n; i++) {
    uint32_t step = 1;
    for (uint32_t axis = 0; axis < 3; axis++, step *= side) {
      const uint32_t j = i / step % side + 1 < side ? i + step : i + step - side * step;
      add_coupling(t, i, j, normal > 0 ? lbp_models_normal(rng) : lbp_models_uniform(rng) < 0.5 ? -1 : 1);
    }
  }
}

/* All pairs of n sites are coupled, by normal numbers of variance 1 / n. */
static void make_mean_field(terms *t, lbp_rng *rng, double n, double spread) {
  t->n = (uint32_t)n;
  for (uint32_t i = 0; i < t->n; i++) {
    for (uint32_t j = 0; j < i; j++) add_coupling(t, i, j, spread * lbp_models_normal(rng) / sqrt(n));
  }
}

/* The largest cut of a graph whose weights differ by e^spread and its like. */
static void make_weighted(terms *t, lbp_rng *rng, double degree, double spread) {
  t->n = 400;
  for (uint32_t i = 0; i < t->n; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (lbp_models_uniform(rng) < degree / t->n) add_coupling(t, i, j, -exp(spread * lbp_models_normal(rng)));
    }
  }
}

static const struct {
  const char *name;
  void (*make)(terms *t, lbp_rng *rng, double a, double b); /* NULL: a graph of the G-set */
  double a, b;
} problems[] = {{"tour of 8, penalty 1", make_tour, 8, 1},
                {"tour of 16, penalty 1", make_tour, 16, 1},
                {"tour of 24, penalty 0.5", make_tour, 24, 0.5},
                {"tour of 24, penalty 4", make_tour, 24, 4},
                {"tour of 24, penalty 100", make_tour, 24, 100},
                {"tour of 32, penalty 2", make_tour, 32, 2},
                {"tour of 32, penalty 10", make_tour, 32, 10},
                {"tour of 48, penalty 1", make_tour, 48, 1},
                {"tour of 48, penalty 4", make_tour, 48, 4},
                {"assignment of 20, penalty 1", make_assignment, 20, 1},
                {"assignment of 20, penalty 50", make_assignment, 20, 50},
                {"assignment of 30, penalty 5", make_assignment, 30, 5},
                {"partition of 40, to 100", make_partition, 40, 100},
                {"partition of 100, to 10000", make_partition, 100, 10000},
                {"knapsack of 60, penalty 5", make_knapsack, 60, 5},
                {"knapsack of 60, penalty 1000", make_knapsack, 60, 1000},
                {"colours, degree 8, penalty 4", make_colours, 8, 4},
                {"colours, degree 8, penalty 100", make_colours, 8, 100},
                {"independent, degree 8, penalty 4", make_independent, 8, 4},
                {"glass +-1, 8^3", make_glass, 8, 0},
                {"glass normal, 8^3", make_glass, 8, 1},
                {"mean-field glass, 256", make_mean_field, 256, 1},
                {"weighted cut, spread 1", make_weighted, 8, 1},
                {"weighted cut, spread 3", make_weighted, 8, 3},
                {"G1", NULL, 0, 0},
                {"G11", NULL, 0, 0},
                {"G14", NULL, 0, 0}};

enum { PROBLEMS = sizeof problems / sizeof problems[0] };

/* Problem p; 0 if its file is not there. */
static int make(uint32_t p, const char *data, lbp_qubo *m) {
  lbp_rng rng = lbp_models_instance_rng(p);
  terms t;
  uint32_t n;
  if (!problems[p].make) return read_graph(data, problems[p].name, m, &n);
  memset(&t, 0, sizeof t);
  problems[p].make(&t, &rng, problems[p].a, problems[p].b);
  bench_expect(lbp_qubo_init(m, t.n, t.count, t.ends, t.value, t.offset, MOST_NEIGHBOURS), problems[p].name);
  BENCH_FREE(t.ends, t.value);
  return 1;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* dwave-samplers' default range, of the spins' |h| and |J|. */
static void find_dwave(const lbp_qubo *m, double *hot, double *cold) {
  double *h = (double *)calloc(m->n, sizeof *h), *sum = (double *)calloc(m->n, sizeof *sum);
  double *least = (double *)calloc(m->n, sizeof *least), most = 0, smallest = INFINITY;
  uint32_t i, k, side, same = 0;
  if (!h || !sum || !least) basic_die("out of memory");
  for (i = 0; i < m->n; i++) least[i] = INFINITY;
  for (k = 0; k < m->terms.count; k++) {
    const uint32_t *ends = m->terms.ends + 2 * (size_t)k;
    const double J = m->terms.value[k] / 4;
    for (side = 0; side < 2; side++) h[ends[side]] += J;
    for (side = 0; side < 2 && ends[0] != ends[1]; side++) {
      sum[ends[side]] += fabs(J);
      least[ends[side]] = fmin(least[ends[side]], fabs(J));
    }
  }
  for (i = 0; i < m->n; i++) {
    if (fabs(h[i]) > 1e-9 * sum[i]) least[i] = fmin(least[i], fabs(h[i])); /* else it is 0, but for rounding */
    most = fmax(most, sum[i] + fabs(h[i]));
    smallest = fmin(smallest, least[i]);
  }
  for (i = 0; i < m->n; i++) same += least[i] <= smallest;
  *hot = log(2) / (2 * most);
  *cold = log(same / 0.01) / (2 * smallest);
  BENCH_FREE(h, sum, least);
}

/* The schedule of NAME_anneal's default, the coldest first, as a ladder of SWEEPS rungs. */
static void make_ladder(double hot, double cold, double *ladder) {
  const uint32_t slow = SWEEPS - SWEEPS / 32;
  for (uint32_t t = 0; t < SWEEPS; t++) {
    const double beta = t < slow ? hot + (cold - hot) * t / (slow - 1) : 10 * cold;
    ladder[SWEEPS - 1 - t] = beta * (1 + 1e-9 * t); /* rungs have to differ */
  }
}

typedef struct {
  char problem[NAME + 8], way[NAME];
  uint32_t seed;
  double hot, cold, best, mean; /* energies, of reads */
} row;

/* lbp: the run of the default with the same seed, for where others begin. */
static row run_once(const lbp_qubo *m, uint32_t p, way v, uint32_t seed, const row *lbp) {
  double ladder[SWEEPS];
  lbp_run_result found;
  lbp_run run;
  row it;
  memset(&it, 0, sizeof it);
  snprintf(it.problem, sizeof it.problem, "%s", problems[p].name);
  snprintf(it.way, sizeof it.way, "%s", v.name);
  it.seed = seed;
  lbp_run_init(&run);
  run.chains = READS;
  run.annealing.sweeps = SWEEPS;
  run.seed = seed;
  run.check_trials = 0;
  if (strcmp(v.name, "dwave") == 0) {
    find_dwave(m, &run.annealing.hot, &run.annealing.cold);
    run.annealing.schedule = LBP_SCHEDULE_GEOMETRIC;
  } else if (v.times > 0) {
    make_ladder(fmin(lbp->hot, lbp->cold * v.times), lbp->cold * v.times, ladder);
    run.tempering.rungs = SWEEPS;
    run.tempering.ladder = ladder;
  }
  if (cut_anneal(&run, m, m->n, &found) != LBP_OK) basic_die("%s, %s: %s", it.problem, it.way, found.message);
  for (uint32_t k = 0; k < READS; k++) it.mean -= found.best_logp[k] / READS;
  it.best = -found.best_logp[0];
  it.hot = found.hot;
  it.cold = v.times > 0 ? lbp->cold * v.times : found.cold;
  lbp_run_free(&found);
  return it;
}

/* ---- the file, and the table ------------------------------------------------------------------------------------- */

static row *read_rows(const char *path, uint32_t *count) {
  FILE *file = fopen(path, "r");
  row *rows = NULL;
  uint32_t room = 0;
  char line[256];
  *count = 0;
  while (file && fgets(line, sizeof line, file)) {
    row it;
    if (sscanf(line, "\"%39[^\"]\",%31[^,],%u,%lf,%lf,%lf,%lf", it.problem, it.way, &it.seed, &it.hot, &it.cold,
               &it.best, &it.mean) != 7) continue;
    rows = (row *)bench_grow(rows, *count, &room, sizeof *rows);
    rows[(*count)++] = it;
  }
  if (file) (void)fclose(file);
  return rows;
}

static void write_row(const char *path, const row *it) {
  FILE *file = fopen(path, "a");
  if (!file) basic_die("%s: cannot be written", path);
  if (ftell(file) == 0) fprintf(file, "# %s\nproblem,way,seed,hot,cold,best,mean\n", bench_made());
  fprintf(file, "\"%s\",%s,%u,%.17g,%.17g,%.12g,%.12g\n", it->problem, it->way, it->seed, it->hot, it->cold, it->best,
          it->mean);
  if (fclose(file) != 0) basic_die("%s: cannot be written", path);
}

static const row *find(const row *rows, uint32_t count, uint32_t p, way v, uint32_t seed) {
  for (uint32_t k = 0; k < count; k++) {
    if (rows[k].seed == seed && strcmp(rows[k].problem, problems[p].name) == 0 && strcmp(rows[k].way, v.name) == 0) {
      return &rows[k];
    }
  }
  return NULL;
}

/* The mean energy of reads, over seeds; *all: whether every seed is there. */
static estimate look(const row *rows, uint32_t count, uint32_t p, way v, int *all) {
  double mean[SEEDS] = {0};
  for (uint32_t seed = 1; seed <= SEEDS; seed++) {
    const row *it = find(rows, count, p, v, seed);
    *all = *all && it;
    if (it) mean[seed - 1] = it->mean;
  }
  return bench_estimate(mean, SEEDS);
}

static void print_table(const char *path) {
  uint32_t count, p, k, lost = 0, won = 0;
  row *rows = read_rows(path, &count);
  printf("| problem | E: lbp | by dwave's range | by the best cold end of the scan | which is, times lbp's |\n"
         "|---|---:|---:|---:|---:|\n");
  for (p = 0; p < PROBLEMS; p++) {
    int all = 1;
    const estimate lbp = look(rows, count, p, way_of(0), &all), dwave = look(rows, count, p, way_of(1), &all);
    estimate best = {INFINITY, 0};
    uint32_t at = 0;
    for (k = 2; k < WAYS; k++) {
      const estimate it = look(rows, count, p, way_of(k), &all);
      if (it.mean < best.mean) best = it, at = k;
    }
    if (!all) continue;
    won += lbp.mean < dwave.mean - 2 * hypot(lbp.se, dwave.se);
    lost += lbp.mean > dwave.mean + 2 * hypot(lbp.se, dwave.se);
    printf("| %s | %.6g +- %.2g | %.6g +- %.2g | %.6g +- %.2g | %s |\n", problems[p].name, lbp.mean, lbp.se, dwave.mean,
           dwave.se, best.mean, best.se, way_of(at).name);
  }
  printf("\nBy more than two standard errors lower than by dwave's range: %u, higher: %u.\n", won, lost);
  free(rows);
}

int main(int argc, char **argv) {
  char path[1100];
  uint32_t count, p, k, seed;
  row *rows;
  if (argc != 3) basic_die("ranges DATA OUT, or ranges --table OUT");
  bench_start(1);
  snprintf(path, sizeof path, "%.1000s/ranges.csv", argv[2]);
  rows = read_rows(path, &count);
  for (p = 0; p < PROBLEMS && strcmp(argv[1], "--table") != 0; p++) {
    lbp_qubo m;
    if (!make(p, argv[1], &m)) {
      printf("%s/%s.txt.gz is not there: left out\n", argv[1], problems[p].name);
      continue;
    }
    for (seed = 1; seed <= SEEDS; seed++) {
      row lbp = {"", "", 0, 0, 0, 0, 0};
      for (k = 0; k < WAYS; k++) {
        const row *there = find(rows, count, p, way_of(k), seed);
        row it = there ? *there : run_once(&m, p, way_of(k), seed, &lbp);
        if (k == 0) lbp = it;
        if (!there) write_row(path, &it);
      }
    }
    lbp_qubo_free(&m);
  }
  free(rows);
  print_table(path);
  return 0;
}
