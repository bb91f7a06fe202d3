/* The CSV files of `make bench-any-scale`, from the finished cells, and the tables of report.md,
 * bench/any_scale/report.in. */
#ifndef BENCH_ANY_SCALE_PAGE_H
#define BENCH_ANY_SCALE_PAGE_H

#include "any_scale_plan.h"
#include "graphs.h"

enum {
  AB_FILE_TABLES, AB_FILE_SETTINGS, AB_FILE_PAPER, AB_FILE_READINGS, AB_FILE_MOMENTUM, AB_FILE_FIGURE5, AB_FILE_REPORT, AB_FILES
};
static const char *const ab_file_names[AB_FILES] = {"tables.csv",   "settings.csv", "paper.csv", "readings.csv",
                                                    "momentum.csv", "figure5.csv",  "report.md"};

typedef struct {
  double paper, paper_rate; /* per 10,000 queries, per second */
  estimate reference;
} ab_figures; /* negative: none */

/* The row of any_scale.csv of a target and sampler. */
static ab_figures ab_look_up(const study *p, const ab_cell *c) {
  static const char *const names[4] = {"paper", "paper_per_second", "reference", "reference_se"};
  char key[96];
  ab_figures f;
  snprintf(key, sizeof key, "%s,%s", c->target->name, c->sampler->name);
  bench_look_up(p->data, "any_scale.csv", key, names, (double *)(void *)&f, 4);
  return f;
}

/* Off by more than 3 standard errors and 10 %. */
static int ab_is_off(const ab_result *r, const ab_figures *f) {
  const estimate reference = {f->reference.mean, fmax(f->reference.se, 0)};
  return f->reference.mean >= 0 && !is_near(r->ess, reference, 0.1);
}

/* ---- CSV files --------------------------------------------------------------------------------------------------- */

static void ab_write_tables(FILE *csv, const study *p) {
  fprintf(csv, "target,sampler,steps,chains,seed,ess_per_10k_queries,se,ess_per_second,acceptance,sigma_or_s,alpha,paper,"
               "reference\n");
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    const ab_result *r = ab_find(p, c);
    const int tuned = c->sampler->kernel != AB_GIBBS, informed = tuned && c->sampler->kernel != AB_RWM;
    if (c->kind != AB_CELL_TABLE || !r) continue;
    const ab_figures f = ab_look_up(p, c);
    const double rest[] = {tuned ? r->first : -1, informed ? r->alpha : -1, f.paper, f.reference.mean};
    fprintf(csv, "%s,%s,%u,%u,%" PRIu64, c->target->name, c->sampler->name, (unsigned)(c->spec.warmup + c->spec.steps),
            (unsigned)c->chains, c->spec.seed);
    write_numbers(csv, r, 4);
    write_last(csv, rest, 4);
  }
}

/* Fixed settings, and what adapting from the same seeds came to. */
static void ab_write_settings(FILE *csv, const study *p) {
  fprintf(csv, "figure,target,sampler,setting,sigma_or_s,alpha,damping,ess_per_10k_queries,se,acceptance,jump\n");
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    const ab_result *r = ab_find(p, c);
    if (c->kind == AB_CELL_TABLE || c->kind == AB_CELL_READING || c->kind == AB_CELL_MOMENTUM || !r) continue;
    fprintf(csv, "%s,%s,%s,%s", ab_kind_names[c->kind], c->target->name, c->sampler->name,
            c->spec.setting == AB_ADAPTED ? "adapted" : "fixed");
    const double row[] = {c->spec.setting == AB_ADAPTED ? r->first : c->spec.fixed[0], r->alpha,
                          c->kind == AB_CELL_ALPHA ? -1 : r->damping};
    write_numbers(csv, row, 3);
    write_numbers(csv, &r->ess, 2);
    write_last(csv, &r->acceptance, 2);
  }
}

/* ---- ours against the paper's ------------------------------------------------------------------------------------ */

/* The k-th cell, if it is one of the paper's and finished, with the figures to compare it with; or NULL. */
static const ab_result *ab_paper_cell(const study *p, uint32_t k, ab_figures *f) {
  const ab_cell *c = ab_cell_at(p, k);
  const ab_result *r = c->kind == AB_CELL_TABLE && ab_is_paper(c->target, c->sampler) ? ab_find(p, c) : NULL;
  if (r) *f = ab_look_up(p, c);
  return r;
}

enum { AB_NUMBERS = 16 };

/* What a reading of the paper gives in the place of a cell: a number for each of its variants; none if it is not a
 * reading of that cell. */
static int ab_reading_numbers(const study *p, const ab_cell *like, ab_reading reading, double numbers[AB_NUMBERS]) {
  int count = 0;
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    const ab_result *r = c->kind == AB_CELL_READING && c->reading == reading ? ab_find(p, c) : NULL;
    if (!r || c->target != like->target || c->sampler != like->sampler) continue;
    if (!c->spec.shared) numbers[count++] = r->ess.mean;
    for (int q = 0; c->spec.shared && q < AB_SHARED; q++) numbers[count++] = r->shared[q];
  }
  if (count && ab_readings[reading].ours) numbers[count++] = ab_find(p, like)->ess.mean;
  return count;
}

static int ab_agrees(double number, double paper) { return fabs(number / paper - 1) <= 0.1; }

/* Is the paper's figure within 10 % of one of a reading's, or between two of them? */
static int ab_reproduces(const double *numbers, int count, double paper) {
  int below = 0, above = 0;
  for (int k = 0; k < count; k++) {
    if (ab_agrees(numbers[k], paper)) return 1;
    below |= numbers[k] < paper;
    above |= numbers[k] > paper;
  }
  return below && above;
}

/* How many cells of a reading agree with the paper's: ours, by that reading, and by its best variant alone. */
typedef struct {
  uint32_t cells, ours, its, best;
} ab_score;

static ab_score ab_reading_score(const study *p, ab_reading reading) {
  ab_score s = {0, 0, 0, 0};
  uint32_t alone[AB_NUMBERS] = {0};
  double numbers[AB_NUMBERS];
  ab_figures f;
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_result *r = ab_paper_cell(p, k, &f);
    const int count = r ? ab_reading_numbers(p, ab_cell_at(p, k), reading, numbers) : 0;
    if (!count) continue;
    s.cells++;
    s.ours += (uint32_t)ab_agrees(r->ess.mean, f.paper);
    s.its += (uint32_t)ab_reproduces(numbers, count, f.paper);
    for (int v = 0; v < count; v++) alone[v] += (uint32_t)ab_agrees(numbers[v], f.paper);
  }
  for (int v = 0; v < AB_NUMBERS; v++) s.best = alone[v] > s.best ? alone[v] : s.best;
  return s;
}

/* Standard errors between ours and the paper's, which are taken to be of 100 chains like ours. */
static double ab_apart(const ab_cell *c, const ab_result *r, double paper) {
  return fabs(r->ess.mean - paper) / (r->ess.se * hypot(1, paper / r->ess.mean * sqrt(c->chains / 100.0)));
}

/* Why a cell is not the paper's, as far as the numbers tell: a row of its own for each. */
enum { AB_WHY_ERRORS = READINGS, AB_WHY_UNKNOWN, AB_WHY_AGREES, AB_WHYS };

static int ab_why(const study *p, const ab_cell *c, const ab_result *r, double paper) {
  double numbers[AB_NUMBERS];
  if (ab_agrees(r->ess.mean, paper)) return AB_WHY_AGREES;
  if (ab_apart(c, r, paper) <= 3) return AB_WHY_ERRORS;
  for (int k = 0; k < READINGS; k++) {
    const int count = ab_reading_numbers(p, c, (ab_reading)k, numbers);
    const ab_score s = ab_reading_score(p, (ab_reading)k);
    if (ab_reproduces(numbers, count, paper) && s.its > s.ours) return k; /* else it fits this one by chance */
  }
  return AB_WHY_UNKNOWN;
}

static void ab_print_why(FILE *to, const study *p, const ab_cell *c, const ab_result *r, double paper) {
  const int why = ab_why(p, c, r, paper);
  double numbers[AB_NUMBERS];
  if (why == AB_WHY_ERRORS) fprintf(to, "%.1f standard errors apart", ab_apart(c, r, paper));
  if (why == AB_WHY_UNKNOWN) fprintf(to, "not known");
  if (why >= READINGS) return;
  const int count = ab_reading_numbers(p, c, (ab_reading)why, numbers);
  lbp_sort(numbers, (uint32_t)count);
  fprintf(to, "%s: %.3g", ab_readings[why].text, numbers[0]);
  if (count > 1) fprintf(to, " to %.3g", numbers[count - 1]);
}

/* Milliseconds of a step behind the paper's two columns. */
static double ab_paper_step(const ab_cell *c, const ab_figures *f) {
  return 1e3 * f->paper * ab_queries(c->sampler->kernel, c->target->states) / (1e4 * f->paper_rate);
}

static void ab_write_paper(FILE *csv, const study *p) {
  ab_figures f;
  fprintf(csv, "target,sampler,chains,ess_per_10k_queries,se,paper,reference,reference_se,ess_per_second,"
               "paper_per_second,step_us,paper_step_us,within_10_percent,why\n");
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    const ab_result *r = ab_paper_cell(p, k, &f);
    if (!r) continue;
    const double row[] = {r->ess.mean, r->ess.se, f.paper, f.reference.mean, f.reference.se, r->ess_rate, f.paper_rate,
                          1e6 * r->step_seconds / c->spec.steps, 1e3 * ab_paper_step(c, &f)};
    fprintf(csv, "%s,%s,%u", c->target->name, c->sampler->name, (unsigned)c->chains);
    write_numbers(csv, row, 9);
    fprintf(csv, ",%d,", ab_agrees(r->ess.mean, f.paper));
    ab_print_why(csv, p, c, r, f.paper);
    fprintf(csv, "\n");
  }
}

/* A row for each cell, or each state that all its chains are compared with. */
static void ab_write_readings(FILE *csv, const study *p) {
  fprintf(csv, "reading,variant,target,sampler,chains,ess_per_10k_queries,se\n");
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    const ab_result *r = c->kind == AB_CELL_READING ? ab_find(p, c) : NULL;
    for (int q = 0; r && q < (c->spec.shared ? AB_SHARED : 1); q++) {
      const estimate e = c->spec.shared ? (estimate){r->shared[q], -1} : r->ess;
      fprintf(csv, "%s,%u,%s,%s,%u", ab_readings[c->reading].name, c->spec.shared ? (unsigned)q : (unsigned)c->variant,
              c->target->name, c->sampler->name, (unsigned)c->chains);
      write_last(csv, &e, 2);
    }
  }
}

/* Effective samples of three statistics: a chain may mix in one and not in another. */
static void ab_write_momentum(FILE *csv, const study *p) {
  fprintf(csv, "target,sampler,chains,steps,eps,relax,distance_per_10k_queries,distance_se,logp_per_10k_queries,logp_se,"
               "worst_site_per_10k_queries,worst_site_se,acceptance,jump,step_us,distance_per_second,logp_per_second,"
               "worst_site_per_second\n");
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    const ab_result *r = c->kind == AB_CELL_MOMENTUM ? ab_find(p, c) : NULL;
    if (!r) continue;
    const int fixed = c->spec.setting == AB_FIXED_EPS;
    const double row[] = {fixed ? c->spec.fixed[0] : -1, fixed ? c->spec.fixed[1] : -1, r->ess.mean, r->ess.se,
                          r->logp.mean, r->logp.se, r->worst.mean, r->worst.se, r->acceptance, r->jump,
                          1e6 * r->step_seconds / c->spec.steps, r->ess_rate, r->logp_rate, r->worst_rate};
    fprintf(csv, "%s,%s,%u,%u", c->target->name, c->sampler->name, (unsigned)c->chains, (unsigned)c->spec.steps);
    write_last(csv, row, 14);
  }
}

/* ---- report.md --------------------------------------------------------------------------------------------------- */

/* The finished cell of a row and column, or NULL; *cell, unless NULL, gets what was asked of it. */
static const ab_result *ab_row(const study *p, int t, int s, const ab_cell **cell) {
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    if (c->kind != AB_CELL_TABLE || c->target != &targets[t] || c->sampler != &ab_samplers[s]) continue;
    if (cell) *cell = c;
    return ab_find(p, c);
  }
  return NULL;
}

/* A number with as many digits as its error is worth. */
static void ab_print(FILE *md, estimate e) {
  const double v = e.mean, se = e.se;
  const int digits = se >= 10 || v >= 1000 ? 0 : se >= 1 || v >= 100 ? 1 : se >= 0.1 ? 1 : 2;
  if (se > 0) fprintf(md, "%.*f ± %.*f", digits, v, digits, se);
  else fprintf(md, "%.*f", digits, v);
}

/* Targets, by their names; returns how many. */
static int ab_columns(const char *text, int columns[TARGETS]) {
  int count = 0;
  while (*text) {
    const size_t length = strcspn(text, " ");
    int t = 0;
    while (t < TARGETS && (strncmp(text, targets[t].name, length) != 0 || targets[t].name[length])) t++;
    if (t == TARGETS) basic_die("%s: no such target", text);
    columns[count++] = t;
    text += length + (text[length] == ' ');
  }
  return count;
}

/* All of the paper's cells beside ours, how many agree, and why the others do not. */
static void ab_print_paper(const study *p, FILE *md, const char *none) {
  uint32_t cells = 0, whys[AB_WHYS] = {0}, compared = 0, near = 0;
  char *text;
  size_t size;
  FILE *rows = open_memstream(&text, &size);
  ab_figures f;
  (void)none;
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    const ab_result *r = ab_paper_cell(p, k, &f);
    if (!r) continue;
    const int why = ab_why(p, c, r, f.paper), known = f.reference.mean >= 0 && why != AB_WHY_AGREES;
    cells++;
    whys[why]++;
    compared += (uint32_t)known;
    near += (uint32_t)(known && !ab_is_off(r, &f));
    fprintf(rows, "| %s | %s | ", c->target->name, c->sampler->name);
    ab_print(rows, r->ess);
    fprintf(rows, " | *%g* | %s%.2f | ", f.paper, why == AB_WHY_AGREES ? "" : "**!** ", r->ess.mean / f.paper);
    if (f.reference.mean >= 0) fprintf(rows, "%g%s", f.reference.mean, ab_is_off(r, &f) ? " **!**" : "");
    fprintf(rows, " | ");
    ab_print_why(rows, p, c, r, f.paper);
    fprintf(rows, " |\n");
  }
  fclose(rows);
  fprintf(md, "%u of %u cells are within 10 %% of the paper's. The others:\n\n| why | cells |\n|---|---:|\n",
          (unsigned)whys[AB_WHY_AGREES], (unsigned)cells);
  for (int k = 0; k < READINGS; k++) fprintf(md, "| %s | %u |\n", ab_readings[k].text, (unsigned)whys[k]);
  fprintf(md, "| at most 3 standard errors apart | %u |\n| not known | %u |\n\n"
              "Of these the independent simulator has %u; ours is its number, within 3 standard errors or 10 %%, in "
              "%u.\n\n"
              "| target | sampler | ours | paper | ours / paper | simulator | why |\n"
              "|---|---|---:|---:|---:|---:|---|\n%s",
          (unsigned)whys[AB_WHY_ERRORS], (unsigned)whys[AB_WHY_UNKNOWN], (unsigned)compared, (unsigned)near, text);
  free(text);
}

/* How many cells each reading of the paper explains. */
static void ab_print_readings(const study *p, FILE *md, const char *none) {
  (void)none;
  fprintf(md, "| reading | its cells | ours agree | by the reading | by one of its variants in all |\n"
              "|---|---:|---:|---:|---:|\n");
  for (int k = 0; k < READINGS; k++) {
    const ab_score s = ab_reading_score(p, (ab_reading)k);
    fprintf(md, "| %s | %u | %u | %u | %u |\n", ab_readings[k].text, (unsigned)s.cells, (unsigned)s.ours,
            (unsigned)s.its, (unsigned)s.best);
  }
}

/* The time of a step that the paper's two columns tell, by sampler: the median over the targets of two values or of 21,
 * ours, and cells that are off it by more than a fifth. */
static void ab_print_pace(const study *p, FILE *md, const char *none) {
  ab_figures f;
  (void)none;
  fprintf(md, "| | values | paper, ms | ours, us | paper / ours | cells that are not like that |\n"
              "|---|---:|---:|---:|---:|---|\n");
  for (int row = 0; row < 2 * (SAMPLE_TRACE + 1); row++) {
    const ab_sampler *sampler = &ab_samplers[row / 2];
    const uint32_t states = row % 2 ? 21 : 2;
    const ab_cell *cell[TARGETS];
    double theirs[TARGETS], ours[TARGETS];
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->count; k++) {
      const ab_cell *c = ab_cell_at(p, k);
      const ab_result *r = c->sampler == sampler && c->target->states == states ? ab_paper_cell(p, k, &f) : NULL;
      if (!r) continue;
      cell[count] = c;
      theirs[count] = ab_paper_step(c, &f);
      ours[count++] = 1e6 * r->step_seconds / c->spec.steps;
    }
    if (!count) continue;
    const double middle = bench_median(theirs, count), own = bench_median(ours, count);
    fprintf(md, "| %s | %u | %.2f | %.2f | %.0f | ", sampler->name, (unsigned)states, middle, own, 1e3 * middle / own);
    for (uint32_t k = 0; k < count; k++) {
      f = ab_look_up(p, cell[k]);
      if (fabs(theirs[k] / middle - 1) > 0.2) {
        fprintf(md, "%s: *%g*, %.2f ms; ", cell[k]->target->name, f.paper_rate, theirs[k]);
      }
    }
    fprintf(md, "|\n");
  }
}

/* A cell of a table: effective samples per 10,000 queries and per second, beside other figures. */
static void ab_print_cell(const study *p, FILE *md, const ab_cell *c, const ab_result *r) {
  const ab_figures f = ab_look_up(p, c);
  fprintf(md, " ");
  ab_print(md, r->ess);
  if (ab_is_off(r, &f)) fprintf(md, " **!**");
  if (f.reference.mean >= 0 || f.paper >= 0) fprintf(md, "<br>");
  if (f.reference.mean >= 0) fprintf(md, "(%g", f.reference.mean);
  if (f.reference.mean >= 0 && f.reference.se > 0) fprintf(md, " ± %g", f.reference.se);
  if (f.reference.mean >= 0) fprintf(md, ") ");
  if (f.paper >= 0) fprintf(md, "*%g*", f.paper);
  fprintf(md, " | %.*f", r->ess_rate < 100 ? 1 : 0, r->ess_rate);
  if (f.paper_rate >= 0) fprintf(md, "<br>*%g*", f.paper_rate);
  fprintf(md, " |");
}

/* One of the paper's tables, of these targets; or the microseconds of a step, its gradient and the tracing included,
 * which for ten thousand sites is one of them. */
static void ab_print_rows(const study *p, FILE *md, const char *text, int cost) {
  int columns[TARGETS];
  const int count = ab_columns(text, columns);
  fprintf(md, "| |");
  for (int k = 0; k < count; k++) {
    const target *t = &targets[columns[k]];
    if (cost) fprintf(md, " %s, d = %u |", t->name, t->d);
    else fprintf(md, " %s | per second |", t->name);
  }
  print_rule(md, cost ? count : 2 * count);
  for (int s = 0; s < AB_SAMPLERS; s++) {
    int any = 0;
    for (int k = 0; k < count; k++) any |= ab_row(p, columns[k], s, NULL) != NULL;
    if (any) fprintf(md, "\n| %s |", ab_samplers[s].name);
    for (int k = 0; any && k < count; k++) {
      const ab_cell *c = NULL;
      const ab_result *r = ab_row(p, columns[k], s, &c);
      if (!r) fprintf(md, cost ? " – |" : " – | – |");
      else if (cost) fprintf(md, " %.2f |", 1e6 * r->step_seconds / c->spec.steps);
      else ab_print_cell(p, md, c, r);
    }
  }
  fprintf(md, "\n");
}

static void ab_print_table(const study *p, FILE *md, const char *text) { ab_print_rows(p, md, text, 0); }
static void ab_print_cost(const study *p, FILE *md, const char *text) { ab_print_rows(p, md, text, 1); }

/* Why a target's figures may be off the reference's, by its family. */
static const char *const ab_why_off[] = {
  "", "another graph from the same law", "another matrix from the same law", "another matrix from the same law",
  "other data from the same law", "another rotation from the same law", ""};

static void ab_print_reference(const study *p, FILE *md, const char *none) {
  uint32_t compared = 0, off = 0;
  char *outside;
  size_t size;
  FILE *rows = open_memstream(&outside, &size);
  (void)none;
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    const ab_result *r = ab_find(p, c);
    const ab_figures f = ab_look_up(p, c);
    if (c->kind != AB_CELL_TABLE || !r || f.reference.mean < 0) continue;
    compared++;
    if (!ab_is_off(r, &f)) continue;
    fprintf(rows, "%s| %s | ", off++ ? "" : "\n| cell | ours | reference | why |\n|---|---:|---:|---|\n",
            strchr(c->key, '/') + 1);
    ab_print(rows, r->ess);
    fprintf(rows, " | ");
    ab_print(rows, f.reference);
    fprintf(rows, " | %s |\n", ab_why_off[c->target->family]);
  }
  fclose(rows);
  fprintf(md, "%u of %u cells are within 3 standard errors or 10 %% of an independent simulator of the same samplers.\n%s",
          (unsigned)(compared - off), (unsigned)compared, outside);
  free(outside);
}

/* AB-trace over DLP, in effective samples per query and per second. */
static void ab_print_ratios(const study *p, FILE *md, const char *none) {
  static const int chosen[3] = {ROTATION, SPARSE + 1, SPARSE + 2};
  static const double paper[3] = {1244.34 / 222.47, 1227.94 / 71.23, 1417.57 / 32.19};
  (void)none;
  fprintf(md, "| target | per query | *the paper's* | per second |\n|---|---:|---:|---:|\n");
  for (int k = 0; k < 3; k++) {
    const ab_result *ab = ab_row(p, chosen[k], SAMPLE_TRACE, NULL), *dlp = ab_row(p, chosen[k], SAMPLE_DLP, NULL);
    if (ab && dlp) {
      const estimate ratio = bench_ratio(ab->ess, dlp->ess);
      fprintf(md, "| %s | %.1f ± %.1f | *%.1f* | %.1f |\n", targets[chosen[k]].name, ratio.mean, ratio.se,
              paper[k], ab->ess_rate / dlp->ess_rate);
    }
  }
}

/* What adapting comes to, beside the best of the fixed settings, whose chains had the same seeds, W and D. */
static void ab_print_best(const study *p, FILE *md, const char *none) {
  (void)none;
  fprintf(md, "| target | adapted | s, alpha, damping | best fixed | s, damping | adapted / best |\n"
              "|---|---:|---|---:|---|---:|\n");
  for (int t = 0; t < TARGETS; t++) {
    const double *fixed = NULL;
    const ab_result *adapted = NULL, *best = NULL;
    for (uint32_t k = 0; k < p->count; k++) {
      const ab_cell *c = ab_cell_at(p, k);
      const ab_result *r = ab_find(p, c);
      if (c->kind != AB_CELL_BEST || c->target != &targets[t] || !r) continue;
      if (c->spec.setting == AB_ADAPTED) {
        adapted = r;
      } else if (!best || r->ess.mean > best->ess.mean) {
        best = r;
        fixed = c->spec.fixed;
      }
    }
    if (!adapted || !best) continue;
    fprintf(md, "| %s | ", targets[t].name);
    ab_print(md, adapted->ess);
    fprintf(md, " | %.0f, %.4f, %.2f | ", adapted->first, adapted->alpha, adapted->damping);
    ab_print(md, best->ess);
    fprintf(md, " | %g, %g | %.2f |\n", fixed[0], fixed[2], adapted->ess.mean / best->ess.mean);
  }
}

/* Steps with a momentum beside AB-trace told W and AB-1st: three statistics, per 10,000 queries and per second. */
static void ab_print_momentum(const study *p, FILE *md, const char *none) {
  (void)none;
  fprintf(md, "| target | sampler | distance | log pi | worst site | per second: distance | log pi | worst site | us a step |\n"
              "|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
  for (uint32_t k = 0; k < p->count; k++) {
    const ab_cell *c = ab_cell_at(p, k);
    const ab_result *r = c->kind == AB_CELL_MOMENTUM ? ab_find(p, c) : NULL;
    if (!r) continue;
    fprintf(md, "| %s | %s", c->target->name, c->sampler->name);
    if (c->spec.setting == AB_FIXED_EPS) fprintf(md, ", eps %g, relax %g", c->spec.fixed[0], c->spec.fixed[1]);
    fprintf(md, " | ");
    ab_print(md, r->ess);
    fprintf(md, " | ");
    ab_print(md, r->logp);
    fprintf(md, " | ");
    ab_print(md, r->worst);
    fprintf(md, " | %.0f | %.0f | %.0f | %.2f |\n", r->ess_rate, r->logp_rate, r->worst_rate,
            1e6 * r->step_seconds / c->spec.steps);
  }
}

static const study_part ab_parts[] = {
  {"momentum", ab_print_momentum}, {"ratios", ab_print_ratios},     {"reference", ab_print_reference}, {"paper", ab_print_paper},
  {"readings", ab_print_readings}, {"pace", ab_print_pace},           {"best", ab_print_best},
  {"table", ab_print_table},       {"cost", ab_print_cost}};

#endif
