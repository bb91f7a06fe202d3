/* constraints - samplers of states that keep numbers of ones, of matchings, and paths of flips: are acceptance, jump
 * distance and effective sample size those of data/constraints.csv, at which acceptance rate is the jump distance
 * largest, which sampler is best per second (see README.md)? Run `make bench-constraints`, or
 * build/bench/constraints --help. A study (study.h): a cell is a row of that file, a curve of the jump distance over R,
 * or some chains of all samplers on a target, by turns. --speed compares times of swaps with those of flips. */
#include "race.h"
#include "speed.h"

enum { RACE_CHAINS = 2, RACE_PARTS = 4, CURVE_CHAINS = 24 };

typedef struct {
  STUDY_CELL;
  int row, curve, target;   /* of the references, of the curves, of the race; the others are -1 */
  uint32_t chains, steps;
  double lasts;             /* CPU seconds of a chain of the race */
} cell;

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void add_cell(study *s, cell *c) {
  c->seed = study_seed(c->key, c->parameters);
  study_add(s, c);
}

static void plan_reference(study *s, int row) {
  const reference *r = &references[row];
  cell c = {.row = row, .curve = -1, .target = -1, .chains = s->quick ? 10 : r->chains};
  snprintf(c.key, sizeof c.key, "reference/%s/%s/%s/%u%s", targets[r->target].name, r->name, r->weight, (unsigned)r->R,
           r->shifted ? "/shift" : "");
  snprintf(c.parameters, sizeof c.parameters, "chains=%u steps=%u warmup=%d", (unsigned)c.chains, (unsigned)r->steps,
           r->shifted ? SHIFT_STEPS : 0);
  c.seconds = 10.0 * c.chains / 100;
  add_cell(s, &c);
}

static void plan_curve(study *s, int curve_number) {
  const curve *v = &curves[curve_number];
  cell c = {.row = -1, .curve = curve_number, .target = -1, .chains = CURVE_CHAINS, .steps = s->quick ? 100 : 1000};
  snprintf(c.key, sizeof c.key, "best/%s/%s%s", targets[v->target].name, v->weight, v->shifted ? "/shift" : "");
  snprintf(c.parameters, sizeof c.parameters, "chains=%u steps=%u warmup=%d points=%d", (unsigned)c.chains,
           (unsigned)c.steps, GRID_WARMUP, GRID);
  c.seconds = s->quick ? 1 : 6;
  add_cell(s, &c);
}

static void plan_race(study *s, int target) {
  for (int part = 1; part <= (s->quick ? 1 : RACE_PARTS); part++) {
    cell c = {.row = -1, .curve = -1, .target = target, .chains = RACE_CHAINS, .lasts = s->quick ? 0.1 : 0.5};
    snprintf(c.key, sizeof c.key, "race/%s/%d", targets[target].name, part);
    snprintf(c.parameters, sizeof c.parameters, "chains=%d seconds=%g looks=%d entrants=%d", RACE_CHAINS, c.lasts, LOOKS,
             ENTRANTS);
    c.seconds = 9 * 2 * c.lasts;
    add_cell(s, &c);
  }
}

/* Of the targets whose files are there. */
static void plan(study *s) {
  int missing = 0;
  read_references(s->data);
  read_curves(s->data);
  for (int t = 0; t < TARGETS; t++) {
    if (have_target(&targets[t])) continue;
    printf("%s is left out: its file is not in %s%s\n", targets[t].name, data_folder(),
           missing ? "" : " (DATA is the folder of instances/constraint_*.txt.gz and gset/G1.txt.gz)");
    missing++;
  }
  if (missing == TARGETS) exit(0);
  for (int k = 0; k < reference_count; k++) {
    if (targets[references[k].target].model) plan_reference(s, k);
  }
  for (int k = 0; k < curve_count; k++) {
    if (targets[curves[k].target].model) plan_curve(s, k);
  }
  for (int t = 0; t < TARGETS; t++) {
    if (targets[t].model) plan_race(s, t);
  }
}

static int fits(const void *which, uint32_t count) {
  const cell *c = (const cell *)which;
  const int want = c->row >= 0 ? 2 * NUMBERS : c->curve >= 0 ? GRID * (int)(sizeof(curve_point) / sizeof(double))
                                                             : RACE_CHAINS * ENTRANTS * (int)OUTCOME;
  return count == (uint32_t)want;
}

/* Chain k takes all samplers one after the other, so that a slow minute of the machine hits them all. */
static void compute_race(study *s, const cell *c) {
  const target *t = &targets[c->target];
  static outcome out[RACE_CHAINS * ENTRANTS];
  memset(out, 0, sizeof out);
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < RACE_CHAINS; k++) {
    for (int e = 0; e < ENTRANTS; e++) {
      if (enters(&entrants[e], t)) {
        out[k * ENTRANTS + e] = run_race(t, &entrants[e], c->lasts, c->seed, (uint32_t)(k * ENTRANTS + e));
      }
#pragma omp critical
      basic_progress_add(basic_progress.share / (RACE_CHAINS * ENTRANTS));
    }
  }
  study_keep(s, c, out, sizeof out);
}

static void compute(study *s, const void *which) {
  const cell *c = (const cell *)which;
  if (c->row >= 0) {
    estimate got[NUMBERS];
    run_reference(&references[c->row], c->chains, c->seed, got);
    study_keep(s, c, got, sizeof got);
  } else if (c->curve >= 0) {
    curve_point points[GRID];
    run_curve(&curves[c->curve], c->chains, c->steps, c->seed, points);
    study_keep(s, c, points, sizeof points);
  } else {
    compute_race(s, c);
  }
}

static void print_cell(const study *s, const void *which) { (void)s, printf("%-64s", ((const cell *)which)->key); }

/* The finished numbers of the first cell of this row or of this curve, or NULL. */
static const double *got_of(const study *s, int row, int curve_number, const cell **where) {
  for (uint32_t k = 0; k < s->count; k++) {
    const cell *c = (const cell *)(const void *)study_at(s, k);
    if (c->row != row || c->curve != curve_number) continue;
    const journal_entry *e = study_find(s, c);
    *where = c;
    return e ? e->values : NULL;
  }
  return NULL;
}

static const estimate *row_of(const study *s, int row, const cell **where) {
  return (const estimate *)(const void *)got_of(s, row, -1, where);
}

/* The finished chains of the race on a target; returns how many. */
static uint32_t race_of(const study *s, int target, const outcome **chain) {
  uint32_t chains = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    const cell *c = (const cell *)(const void *)study_at(s, k);
    const journal_entry *e = c->target == target ? study_find(s, c) : NULL;
    for (int i = 0; e && i < RACE_CHAINS; i++) chain[chains++] = (const outcome *)(const void *)e->values + i * ENTRANTS;
  }
  return chains;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* What is outside of the reference, and how much is within. */
static void print_reference(const study *s, FILE *to, const char *what) {
  int within = 0, compared = 0, exempt = 0, rows = 0;
  (void)what;
  fprintf(to, "\n| %-56s | %-13s | %18s | %18s | %6s | %7s |\n|---|---|---:|---:|---:|---:|\n", "outside", "", "ours",
          "reference", "errors", "percent");
  for (int k = 0; k < reference_count; k++) {
    const reference *r = &references[k];
    const cell *c = NULL;
    const estimate *got = row_of(s, k, &c);
    rows += got != NULL;
    for (int m = 0; got && m < MEASURES; m++) {
      const double gap = got[m].mean - r->want[m].mean;
      exempt += is_exempt(r, m);
      compared += !is_exempt(r, m);
      within += !is_exempt(r, m) && is_within(r, got, m);
      if (is_within(r, got, m)) continue;
      fprintf(to, "| %-56s | %-13s | %8.4g +- %6.2g | %8.4g +- %6.2g | %6.1f | %7.1f |\n", c->key + strlen("reference/"),
              measure_names[m], got[m].mean, got[m].se, r->want[m].mean, r->want[m].se,
              gap / hypot(got[m].se, r->want[m].se), 100 * gap / r->want[m].mean);
    }
  }
  fprintf(to, "\n%d of %d within 3 combined standard errors or 3 %%: %d rows by %d measures, less %d effective sample\n"
          "sizes of which the reference is below %d.\n", within, compared, rows, (int)MEASURES, exempt, LEAST_ESS);
}

static void print_best(const study *s, FILE *to, const char *what) {
  (void)what;
  fprintf(to, "\n| %-28s | %-7s | %-5s | best acceptance |        reference |   R | jump distance | lost at %.3f, %% |\n"
          "|---|---|---|---:|---:|---:|---:|---:|\n", "jump distance over R", "weight", "shift", LBP_TARGET_LBP);
  for (int k = 0; k < curve_count; k++) {
    const curve *v = &curves[k];
    const cell *c = NULL;
    const curve_point *points = (const curve_point *)(const void *)got_of(s, -1, k, &c);
    char name[64], want[32];
    if (!points) continue;
    const best it = best_of(points, LBP_TARGET_LBP);
    snprintf(name, sizeof name, "%s, %s", targets[v->target].name, v->name);
    snprintf(want, sizeof want, v->want.se > 0 ? "%.3f +- %.3f" : "%.3f", v->want.mean, v->want.se);
    fprintf(to, "| %-28s | %-7s | %-5s |  %.3f +- %.3f | %16s | %3.0f | %13.2f | %14.1f |\n", name, v->weight,
            v->shifted ? "found" : "0", it.top.at, it.top.at_se, want, it.R, it.top.value, 100 * it.loss);
  }
}

/* A table for each target. */
static void print_race(const study *s, FILE *to, const char *what) {
  (void)what;
  for (int k = 0; k < TARGETS; k++) {
    const outcome *chain[RACE_CHAINS * RACE_PARTS];
    const uint32_t chains = race_of(s, k, chain);
    int top = -1;
    double most = 0;
    if (chains == 0) continue;
    fprintf(to, "\n| %-26s | acceptance |   ns a step | ESS a chain | %19s | %19s |\n|---|---:|---:|---:|---:|---:|\n",
            targets[k].name, "ESS per second", "per 1000 evaluations");
    for (int e = 0; e < ENTRANTS; e++) {
      estimate f[FIGURES];
      if (!enters(&entrants[e], &targets[k])) continue;
      figures_of(chain, chains, e, f);
      fprintf(to, "| %-26s | %10.3f | %11.0f | %11.0f |", entrants[e].name, f[RACE_ACCEPTANCE].mean, f[NS].mean,
              f[ENOUGH].mean);
      print_figure(to, f[PER_SECOND]);
      if (f[PER_1000_EVALUATIONS].mean >= 0) print_figure(to, f[PER_1000_EVALUATIONS]);
      else fprintf(to, " %19s |", "");
      fprintf(to, "\n");
      if (f[PER_SECOND].mean > most) most = f[PER_SECOND].mean, top = e;
    }
    if (top >= 0) fprintf(to, "\nMost per second: %s.\n", entrants[top].name);
  }
}

/* As data/constraints.csv is. */
static void write_reference(const study *s, FILE *csv) {
  fprintf(csv, "model,size,sampler,weight,R,acceptance,acceptance_se,ejd,ejd_se,ess,ess_se,chains,steps,note\n");
  for (int k = 0; k < reference_count; k++) {
    const reference *r = &references[k];
    const cell *c = NULL;
    const estimate *got = row_of(s, k, &c);
    if (!got) continue;
    fprintf(csv, "%s,%u,%s,%s,%u", targets[r->target].name, (unsigned)targets[r->target].n, r->name, r->weight,
            (unsigned)r->R);
    write_numbers(csv, got, 2 * MEASURES);
    fprintf(csv, ",%u,%u,trace_mean=%.4f", (unsigned)c->chains, (unsigned)r->steps, got[TRACE].mean);
    if (!r->sampler->step) fprintf(csv, " evals=%.1f", got[EVALUATIONS].mean);
    fprintf(csv, "%s%s\n", r->shifted ? " shift=found" : "", is_exempt(r, ESS) ? " ess-near-floor" : "");
  }
}

static void write_best(const study *s, FILE *csv) {
  fprintf(csv, "model,sampler,weight,shift,R,acceptance,ejd,ejd_se\n");
  for (int k = 0; k < curve_count; k++) {
    const curve *v = &curves[k];
    const cell *c = NULL;
    const curve_point *points = (const curve_point *)(const void *)got_of(s, -1, k, &c);
    for (int p = 0; points && p < GRID; p++) {
      fprintf(csv, "%s,%s,%s,%d", targets[v->target].name, v->name, v->weight, v->shifted);
      write_last(csv, &points[p], 4);
    }
  }
}

static void write_race(const study *s, FILE *csv) {
  fprintf(csv, "model,sampler,ess_per_second,error,ess_per_1000_evaluations,error_per_evaluation,ns_a_step,ns_error,"
          "acceptance,acceptance_error,ess_of_a_chain,ess_error\n");
  for (int k = 0; k < TARGETS; k++) {
    const outcome *chain[RACE_CHAINS * RACE_PARTS];
    const uint32_t chains = race_of(s, k, chain);
    for (int e = 0; chains > 0 && e < ENTRANTS; e++) {
      estimate f[FIGURES];
      if (!enters(&entrants[e], &targets[k])) continue;
      figures_of(chain, chains, e, f);
      fprintf(csv, "%s,%s", targets[k].name, entrants[e].name);
      write_last(csv, f, 2 * FIGURES);
    }
  }
}

static void write_files(const study *s, FILE *const *csv) {
  write_reference(s, csv[0]);
  write_best(s, csv[1]);
  write_race(s, csv[2]);
  print_reference(s, stdout, "");
  print_best(s, stdout, "");
  print_race(s, stdout, "");
}

int main(int argc, char **argv) {
  static const char *const files[] = {"constraints.csv", "best.csv", "race.csv", "report.md"};
  static const study_part parts[] = {{"reference", print_reference}, {"best", print_best}, {"race", print_race}};
  static study s = {.name = "constraints", .script = "bench/constraints/constraints.gp", .cell_bytes = sizeof(cell),
                    .journal_room = (size_t)4 << 20, .files = files, .file_count = 4, .plan = plan, .fits = fits,
                    .compute = compute, .print = print_cell, .write = write_files,
                    .text = "bench/constraints/report.in", .quick_text = "10 chains; of curves a tenth of the steps; "
                    "of the race a quarter of the chains, a fifth of the time", .parts = parts, .part_count = 3};
  if (argc > 1 && strcmp(argv[1], "--speed") == 0) return compare_speed() > 0;
  return study_main(&s, argc, argv);
}
