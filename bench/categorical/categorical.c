/* categorical - samplers of sites of several values (lbp/options/cat.h) on the models of lbp/models/potts.h: are
 * acceptance, jump distance and effective sample sizes those of data/categorical.csv, and which sampler is best (see
 * README.md)? Run `make bench-categorical`, or build/bench/categorical --help. A study (study.h): a cell is a row of
 * that file, or some chains of all samplers on a target, by turns. --speed compares times of steps with those of two
 * values. */
#include "race.h"
#include "reference.h"
#include "speed.h"

enum { CHAINS = 4, PARTS = 4 }; /* of a cell of the race; cells of a target */

typedef struct {
  STUDY_CELL;
  int row, target; /* of the references, or -1; of the race */
  uint32_t part, chains, batches, warmup;
} cell;

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void plan_reference(study *s, int row) {
  const reference *r = &references[row];
  cell c = {.row = row, .target = r->target, .chains = s->quick ? 12 : r->chains};
  snprintf(c.key, sizeof c.key, "reference/%s/%s", targets[r->target].name, r->title);
  snprintf(c.parameters, sizeof c.parameters, "setting=%g chains=%u steps=%u sweeps=%d burn-in=%u", r->setting,
           (unsigned)c.chains, (unsigned)r->steps, BURN_IN_SWEEPS, (unsigned)r->burn_in);
  c.seed = study_seed(c.key, c.parameters);
  c.seconds = 2.0 * c.chains / 100;
  study_add(s, &c);
}

static void plan_race(study *s, int target) {
  for (uint32_t part = 0; part < (s->quick ? 1 : PARTS); part++) {
    cell c = {.row = -1, .target = target, .part = part, .batches = s->quick ? 5 : 30, .warmup = s->quick ? 300 : 2000};
    snprintf(c.key, sizeof c.key, "race/%s/%u", targets[target].name, (unsigned)part + 1);
    snprintf(c.parameters, sizeof c.parameters, "chains=%d batches=%u warmup=%u sweeps=%d proposed=%g rows=%d", CHAINS,
             (unsigned)c.batches, (unsigned)c.warmup, BATCH_SWEEPS, targets[target].work, ROWS);
    c.seed = study_seed(c.key, c.parameters);
    c.seconds = s->quick ? 8 : 60;
    study_add(s, &c);
  }
}

/* Of the targets whose files are there. */
static void plan(study *s) {
  char why[1200];
  int missing = 0;
  read_references(s->data);
  for (int t = 0; t < TARGETS; t++) {
    if (have_target(&targets[t], why, sizeof why)) continue;
    printf("%s is left out: %s%s\n", targets[t].name, why, missing ? "" : " (DATA is the folder of cat_*.txt.gz)");
    missing++;
  }
  if (missing == TARGETS) exit(0);
  for (int k = 0; k < reference_count; k++) {
    if (targets[references[k].target].model) plan_reference(s, k);
  }
  for (int t = 0; t < TARGETS; t++) {
    if (targets[t].model && targets[t].work > 0) plan_race(s, t);
  }
}

static int fits(const void *which, uint32_t count) {
  return count == (uint32_t)(((const cell *)which)->row >= 0 ? 2 * MEASURES : CHAINS * ROWS * OUTCOME);
}

/* Chain k takes all samplers one after the other, so that a slow minute of the machine hits them all. */
static void compute_race(study *s, const cell *c) {
  const target *t = &targets[c->target];
  outcome out[CHAINS * ROWS];
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < CHAINS; k++) {
    const uint32_t stream = (uint32_t)(k * (ROWS + 1));
    uint8_t *start = (uint8_t *)basic_alloc(t->n, 1);
    burn_in(t, c->warmup, c->seed, stream, start);
    for (int r = 0; r < ROWS; r++) {
      out[k * ROWS + r] = run_race(t, &rows[r], start, c->warmup, c->batches, c->seed, stream + 1 + (uint32_t)r);
#pragma omp critical
      basic_progress_add(basic_progress.share / (CHAINS * ROWS));
    }
    free(start);
  }
  study_keep(s, c, out, sizeof out);
}

static void compute(study *s, const void *which) {
  const cell *c = (const cell *)which;
  estimate got[MEASURES];
  if (c->row < 0) {
    compute_race(s, c);
    return;
  }
  run_reference(&references[c->row], &targets[c->target], c->chains, c->seed, got);
  study_keep(s, c, got, sizeof got);
}

static void print_cell(const study *s, const void *which) { (void)s, printf("%-60s", ((const cell *)which)->key); }

/* The finished numbers of a row of the reference, or NULL. */
static const estimate *got_of(const study *s, int row, uint32_t *chains) {
  for (uint32_t k = 0; k < s->count; k++) {
    const cell *c = (const cell *)(const void *)study_at(s, k);
    const journal_entry *e = c->row == row ? study_find(s, c) : NULL;
    if (c->row == row) *chains = c->chains;
    if (e) return (const estimate *)(const void *)e->values;
  }
  return NULL;
}

/* The results of all samplers on a target; 0 if no cell is finished. */
static int results_of(const study *s, int target, result *results) {
  const outcome *chain[CHAINS * PARTS];
  uint32_t chains = 0, batches = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    const cell *c = (const cell *)(const void *)study_at(s, k);
    const journal_entry *e = c->row < 0 && c->target == target ? study_find(s, c) : NULL;
    for (int i = 0; e && i < CHAINS; i++) chain[chains++] = (const outcome *)(const void *)e->values + i * ROWS;
    batches = e ? c->batches : batches;
  }
  for (int r = 0; chains > 1 && r < ROWS; r++) {
    results[r] = result_of(chain, chains, r, batches);
    results[r].figure[TO_GIBBS] = r ? bench_ratio(results[r].figure[PER_SECOND], results[0].figure[PER_SECOND])
                                    : (estimate){1, 0};
  }
  return chains > 1;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* What is outside of the reference, and how much is within. */
static void print_reference(const study *s, FILE *to, const char *what) {
  int within = 0, compared = 0, exempt = 0, rows_seen = 0;
  (void)what;
  fprintf(to, "\n| %-50s | %-14s | %18s | %18s | %6s | %7s |\n|---|---|---:|---:|---:|---:|\n", "outside", "", "ours",
          "reference", "errors", "percent");
  for (int k = 0; k < reference_count; k++) {
    const reference *r = &references[k];
    uint32_t chains = 0;
    const estimate *got = got_of(s, k, &chains);
    char name[80];
    rows_seen += got != NULL;
    snprintf(name, sizeof name, "%s/%s", targets[r->target].name, r->title);
    for (int m = 0; got && m < MEASURES; m++) {
      const double gap = got[m].mean - r->want[m].mean;
      exempt += is_exempt(r, m);
      compared += !is_exempt(r, m);
      within += !is_exempt(r, m) && is_within(r, got, m);
      if (is_within(r, got, m)) continue;
      fprintf(to, "| %-50s | %-14s | %8.4g +- %6.2g | %8.4g +- %6.2g | %6.1f | %7.1f |\n", name, measure_names[m],
              got[m].mean, got[m].se, r->want[m].mean, r->want[m].se, gap / hypot(got[m].se, r->want[m].se),
              100 * gap / r->want[m].mean);
    }
  }
  fprintf(to, "\n%d of %d within 3 combined standard errors or 3 %%: %d rows by %d measures, less %d effective sample\n"
          "sizes of which the reference is below %d; %d rows of the reference are of no sampler here and left out.\n",
          within, compared, rows_seen, (int)MEASURES, exempt, LEAST_REFERENCE_ESS, reference_left_out);
}

/* The row with the largest figure; less: without sweeps. */
static int best_of(const result *results, int figure, int less) {
  int best = -1;
  for (int r = 0; r < ROWS; r++) {
    if (less && is_sweep(rows[r].sampler)) continue;
    if (best < 0 || results[r].figure[figure].mean > results[best].figure[figure].mean) best = r;
  }
  return best;
}

/* A table for each target. */
static void print_race(const study *s, FILE *to, const char *what) {
  (void)what;
  for (int k = 0; k < TARGETS; k++) {
    result results[ROWS];
    if (targets[k].work == 0 || !results_of(s, k, results)) continue;
    fprintf(to, "\n| %-18s |    tuned | acceptance | us a step | ESS, batch | away | %19s | %19s | %19s |\n"
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n", targets[k].name, "per second", "per 1000 evaluations",
            "/ Gibbs, per second");
    for (int r = 0; r < ROWS; r++) {
      const result *it = &results[r];
      fprintf(to, "| %-18s | %8.3g | %10.3f | %9.3f | %10.0f | %4.0f |", rows[r].name, it->setting, it->accept,
              it->microseconds, it->worth, it->away);
      print_figure(to, it->figure[PER_SECOND]);
      print_figure(to, it->figure[PER_EVALUATION]);
      print_figure(to, it->figure[TO_GIBBS]);
      fprintf(to, "\n");
    }
    fprintf(to, "\nMost per second: %s, of steps that are no sweeps %s; per evaluation: %s, %s.\n",
            rows[best_of(results, PER_SECOND, 0)].name, rows[best_of(results, PER_SECOND, 1)].name,
            rows[best_of(results, PER_EVALUATION, 0)].name, rows[best_of(results, PER_EVALUATION, 1)].name);
  }
}

/* As data/categorical.csv is. */
static void write_reference(const study *s, FILE *csv) {
  fprintf(csv, "model,size,K,sampler,weight,R,acceptance,acceptance_se,ejd,ejd_se,ess,ess_se,ess_hamming,"
          "ess_hamming_se,chains,steps,burn_in,note\n");
  for (int k = 0; k < reference_count; k++) {
    const reference *r = &references[k];
    uint32_t chains = 0;
    const estimate *got = got_of(s, k, &chains);
    if (!got) continue;
    const target *t = &targets[r->target];
    fprintf(csv, "%s,%u,%s,%s,%s,", t->name, (unsigned)t->n, t->K, r->name, r->weight);
    if (r->setting > 0) fprintf(csv, "%g", r->setting);
    write_numbers(csv, got, 2 * MEASURES);
    fprintf(csv, ",%u,%u,%u,%s\n", (unsigned)chains, (unsigned)r->steps, (unsigned)r->burn_in,
            is_sweep(r->sampler) ? "a step is a sweep in order"
            : r->sampler == LBP_SAMPLER_DLP ? "R is sigma"
            : r->setting > floor(r->setting) ? "R of the reference; rounded at random" : "fixed");
  }
}

static void write_race(const study *s, FILE *csv) {
  fprintf(csv, "target,sampler,ess_per_second,error,ess_per_1000_evaluations,error_per_evaluation,per_second_to_gibbs,"
          "error_to_gibbs,setting,acceptance,microseconds_a_step,ess_of_a_batch,chains_away,energy,energy_error\n");
  for (int k = 0; k < TARGETS; k++) {
    result results[ROWS];
    for (int r = targets[k].work > 0 && results_of(s, k, results) ? 0 : ROWS; r < ROWS; r++) {
      fprintf(csv, "%s,%s", targets[k].name, rows[r].name);
      write_numbers(csv, results[r].figure, 2 * FIGURES);
      write_numbers(csv, &results[r].setting, 5);
      fprintf(csv, ",%.8g,%.3g\n", results[r].energy.mean, results[r].energy.se);
    }
  }
}

static void write_files(const study *s, FILE *const *csv) {
  write_reference(s, csv[0]);
  write_race(s, csv[1]);
  print_reference(s, stdout, "");
  print_race(s, stdout, "");
}

/* In float here, in double by the program beside this one. */
static int compare_both(const char *program) {
  char other[1024];
  printf("CPU time of a site that is drawn or looked at, in ns: medians of %d turns.\n", TURNS);
  print_turns_head("type", "ours / theirs");
  compare_speed();
  snprintf(other, sizeof other, "%.1000s_double", program);
  fflush(stdout);
  if (access(other, X_OK) != 0) printf("%s is not built: no double\n", other);
  else if (system(other) != 0) return 1;
  return 0;
}

int main(int argc, char **argv) {
  static const char *const files[] = {"categorical.csv", "race.csv", "report.md"};
  static const study_part parts[] = {{"reference", print_reference}, {"race", print_race}};
  static study s = {.name = "categorical", .script = "bench/categorical/categorical.gp", .cell_bytes = sizeof(cell),
                    .journal_room = (size_t)4 << 20, .files = files, .file_count = 3, .plan = plan, .fits = fits,
                    .compute = compute, .print = print_cell, .write = write_files,
                    .text = "bench/categorical/report.in", .quick_text = "12 chains; of the race 4 of 5 batches",
                    .parts = parts, .part_count = 2};
  if (argc > 1 && strcmp(argv[1], "--speed") == 0) return compare_both(argv[0]);
  return study_main(&s, argc, argv);
}
