/* sharp - where chains that never reject, sweeps that skip and log-ratios that are kept pay: effective samples per 1000
 * evaluations and per second of samplers of lbp.h and lbp_ab.h, on selections of columns in regressions and on local
 * targets that reject nearly all flips (see README.md). Run `make bench-sharp`, or build/bench/sharp --help. A
 * study (study.h): a cell is some chains of all samplers on a target, by turns. --truth [DRAWS] writes
 * data/selection.csv, --export TARGET FOLDER data for millipede.py; --by-hand [SIDE] compares sweeps with one by hand.
 * */
#include "race.h"

#include "by_hand.h"

enum { CHAINS = 4, PARTS = 4, MOST_ROWS = 16 }; /* of a cell; cells of a target */

typedef struct {
  STUDY_CELL;
  int target;
  uint32_t part, batches, warmup;
} cell;

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void plan(study *s) {
  for (int t = 0; t < TARGETS; t++) {
    for (uint32_t part = 0; part < (s->quick ? 1 : PARTS); part++) {
      cell c = {.target = t, .part = part, .batches = s->quick ? 4 : 20, .warmup = s->quick ? 200 : 1000};
      const target *a = &targets[t];
      snprintf(c.key, sizeof c.key, "%s/%u", a->name, (unsigned)part + 1);
      snprintf(c.parameters, sizeof c.parameters,
               "chains=%d batches=%u warmup=%u seed=%u work=%g sweeps=%g %g %g %g %g %g",
               CHAINS, (unsigned)c.batches, (unsigned)c.warmup, (unsigned)a->seed, a->work, a->sweeps, a->parameter[0],
               a->parameter[1], a->parameter[2], a->parameter[3], a->parameter[4]);
      c.seed = study_seed(c.key, c.parameters);
      c.seconds = a->seconds / (s->quick ? 5 : 1);
      study_add(s, &c);
    }
  }
}

static int fits(const void *which, uint32_t count) {
  return count == (uint32_t)(CHAINS * row_count(&targets[((const cell *)which)->target]) * OUTCOME);
}

/* Chain k takes all samplers one after the other, so that a slow minute of the machine hits them all. */
static void compute(study *s, const void *which) {
  const cell *c = (const cell *)which;
  target *t = (target *)(uintptr_t)target_of(c->target);
  const int rows = row_count(t);
  outcome *out = (outcome *)basic_alloc((size_t)CHAINS * rows, sizeof *out);
  if (is_dense(t) && !t->truth) read_truth(t, s->data);
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < CHAINS; k++) {
    uint8_t *start = (uint8_t *)basic_alloc(t->n, 1);
    const uint32_t stream = (uint32_t)(k * (MOST_ROWS + 1));
    burn_in(t, 2 * c->warmup, c->seed, stream, start);
    for (int r = 0; r < rows; r++) {
      out[k * rows + r] = run_race(t, &rows_of(t)[r], start, c->warmup, c->batches, c->seed, stream + 1 + (uint32_t)r);
#pragma omp critical
      basic_progress_add(basic_progress.share / (CHAINS * rows));
    }
    free(start);
  }
  study_keep(s, c, out, (size_t)CHAINS * rows * sizeof *out);
  free(out);
}

static void print_cell(const study *s, const void *which) { (void)s, printf("%-24s", ((const cell *)which)->key); }

/* ---- figures ----------------------------------------------------------------------------------------------------- */

enum { PER_WORK, PER_SECOND, TO_GIBBS, FIGURES };
static const char *const figure_names[FIGURES] = {"ess_per_1000_evaluations,error", "ess_per_second,error_per_second",
                                                  "seconds_to_gibbs,error_to_gibbs"};

typedef struct {
  estimate figure[FIGURES];
  double setting;
  uint32_t chains, batches;
} result;

/* Effective samples per batch, per 1000 units of work and per second, of a row, without chain `without`. */
static void figures_of(const target *t, const outcome *const *chain, uint32_t chains, int r, uint32_t batches,
                       uint32_t without, double *figure) {
  outcome sum = {0};
  double count = 0, variance = t->variance, error;
  for (uint32_t k = 0; k < chains; k++) {
    const double *from = (const double *)(const void *)&chain[k][r];
    for (int f = 0; k != without && f < OUTCOME; f++) ((double *)(void *)&sum)[f] += from[f];
    count += k != without;
  }
  for (int f = 0; f < OUTCOME; f++) ((double *)(void *)&sum)[f] /= count;
  error = sum.squares - t->doubt;
  if (!is_dense(t)) {
    variance = sum.second - sum.mean * sum.mean;
    error = (sum.squares - sum.mean * sum.mean) * count * batches / (count * batches - 1);
  }
  figure[PER_WORK] = 1000 * variance / error / sum.work;
  figure[PER_SECOND] = variance / error / sum.seconds;
}

/* Jackknife over chains. gibbs: the row of the Gibbs sweep with the same marginals. */
static result result_of(const target *t, const outcome *const *chain, uint32_t chains, int r, int gibbs,
                        uint32_t batches) {
  double left[FIGURES][CHAINS * PARTS], all[FIGURES], other[FIGURES];
  result it = {.chains = chains, .batches = batches};
  for (uint32_t k = 0; k <= chains; k++) { /* the last: without none */
    figures_of(t, chain, chains, r, batches, k, all);
    figures_of(t, chain, chains, gibbs, batches, k, other);
    all[TO_GIBBS] = all[PER_SECOND] / other[PER_SECOND];
    for (int f = 0; k < chains && f < FIGURES; f++) left[f][k] = all[f];
  }
  for (int f = 0; f < FIGURES; f++) {
    const estimate e = bench_estimate(left[f], chains);
    it.figure[f] = (estimate){all[f], e.se * (chains - 1)};
  }
  for (uint32_t k = 0; k < chains; k++) it.setting += chain[k][r].setting / chains;
  return it;
}

/* The results of all rows of a target; returns 0 if no cell is finished. */
static int results_of(const study *s, int which, result *results) {
  const outcome *chain[CHAINS * PARTS];
  target *t = (target *)(uintptr_t)target_of(which);
  uint32_t chains = 0, batches = 0;
  const int rows = row_count(t);
  if (is_dense(t) && !t->truth) read_truth(t, s->data);
  for (uint32_t k = 0; k < s->count; k++) {
    const cell *c = (const cell *)(const void *)study_at(s, k);
    const journal_entry *e = c->target == which ? study_find(s, c) : NULL;
    for (int i = 0; e && i < CHAINS; i++) chain[chains++] = (const outcome *)(const void *)e->values + i * rows;
    batches = c->target == which ? c->batches : batches;
  }
  for (int r = 0; chains > 1 && r < rows; r++) {
    results[r] = result_of(t, chain, chains, r, rows_of(t)[r].rb, batches);
  }
  return chains > 1;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Selections, or with `what` other targets: a table for each. */
static void print_tables(const study *s, FILE *to, const char *what) {
  for (int k = 0; k < TARGETS; k++) {
    result results[MOST_ROWS];
    const target *t = &targets[k];
    if (is_dense(t) == (*what != '\0') || !results_of(s, k, results)) continue;
    fprintf(to, "\n| %-23s | %-9s | %6s | %19s | %19s | %19s |\n|---|---|---:|---:|---:|---:|\n", t->name, "marginals",
            "tuned", is_dense(t) ? "per 1000 evaluations" : "per 1000 updates", "per second", "/ Gibbs, per second");
    for (int r = 0; r < row_count(t); r++) {
      const row *a = &rows_of(t)[r];
      fprintf(to, "| %-23s | %-9s | %6.3g |", a->name, !is_dense(t) ? "-" : a->rb ? "rb" : "plain", results[r].setting);
      for (int f = 0; f < FIGURES; f++) print_figure(to, results[r].figure[f]);
      fprintf(to, "\n");
    }
  }
}

static void write_files(const study *s, FILE *const *csv) {
  fprintf(csv[0], "target,sampler,marginals");
  for (int f = 0; f < FIGURES; f++) fprintf(csv[0], ",%s", figure_names[f]);
  fprintf(csv[0], ",setting,chains,batches,statistic\n");
  for (int k = 0; k < TARGETS; k++) {
    result results[MOST_ROWS];
    const target *t = &targets[k];
    for (int r = results_of(s, k, results) ? 0 : row_count(t); r < row_count(t); r++) {
      const row *a = &rows_of(t)[r];
      fprintf(csv[0], "%s,%s,%s", t->name, a->name, a->rb ? "rb" : "plain");
      write_numbers(csv[0], results[r].figure, 2 * FIGURES);
      fprintf(csv[0], ",%.4g,%u,%u,%s\n", results[r].setting, (unsigned)results[r].chains, (unsigned)results[r].batches,
              is_dense(t) ? "inclusion" : "energy");
    }
  }
  print_tables(s, stdout, "");
  print_tables(s, stdout, "local");
}

/* The data of a selection, for other programs: a column of responses, and those to choose from. */
static int export_data(const char *name, const char *folder) {
  for (int k = 0; k < TARGETS; k++) {
    const target *t = &targets[k];
    if (!is_dense(t) || strcmp(t->name, name) != 0) continue;
    const uint32_t rows = (uint32_t)t->parameter[0];
    double *X = (double *)basic_alloc((size_t)rows * t->n, sizeof *X), *y = (double *)basic_alloc(rows, sizeof *y);
    const bench_file csv = bench_create(folder, "data.csv", "response, then columns");
    make_data(t, X, y);
    for (uint32_t r = 0; r < rows; r++) {
      fprintf(csv.to, "%.17g", y[r]);
      for (uint32_t j = 0; j < t->n; j++) fprintf(csv.to, ",%.17g", X[(size_t)r * t->n + j]);
      fprintf(csv.to, "\n");
    }
    bench_close(&csv);
    BENCH_FREE(X, y);
    return 0;
  }
  basic_die("there is no selection %s", name);
  return 2;
}

int main(int argc, char **argv) {
  static const char *const files[] = {"sharp.csv", "report.md"};
  static const study_part parts[] = {{"tables", print_tables}};
  static study s = {.name = "sharp", .script = "bench/sharp/sharp.gp", .cell_bytes = sizeof(cell),
                    .journal_room = (size_t)4 << 20, .files = files, .file_count = 2, .plan = plan, .fits = fits,
                    .compute = compute, .print = print_cell, .write = write_files, .text = "bench/sharp/report.in",
                    .quick_text = "4 chains of 4 batches", .parts = parts, .part_count = 1};
  if (argc == 4 && strcmp(argv[1], "--export") == 0) return export_data(argv[2], argv[3]);
  if (argc > 1 && strcmp(argv[1], "--by-hand") == 0) {
    return compare_by_hand(argc > 2 ? (uint32_t)basic_number("--by-hand", argv[2], 2, 2000) : 50);
  }
  if (argc > 1 && strcmp(argv[1], "--truth") == 0) {
    bench_start(0);
    write_truth("bench/data", argc > 2 ? (uint32_t)basic_number("--truth", argv[2], 1, 1000000) : 10000);
    return 0;
  }
  return study_main(&s, argc, argv);
}
