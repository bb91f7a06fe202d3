/* tables.csv and settings.csv of `make bench-any-scale`, from the finished cells, and what report.md shows beside its
 * text, bench/any_scale/report.in. */
#ifndef BENCH_ANY_SCALE_PAGE_H
#define BENCH_ANY_SCALE_PAGE_H

#include "any_scale_plan.h"

enum { AB_FILE_TABLES, AB_FILE_SETTINGS, AB_FILE_REPORT, AB_FILES };
static const char *const ab_file_names[AB_FILES] = {"tables.csv", "settings.csv", "report.md"};

typedef struct {
  double paper;
  estimate reference;
} ab_figures; /* negative: none */

/* The row of any_scale.csv of a target and sampler. */
static ab_figures ab_look_up(const study *p, const ab_cell *c) {
  static const char *const names[3] = {"paper", "reference", "reference_se"};
  char key[96];
  ab_figures f;
  snprintf(key, sizeof key, "%s,%s", c->target->name, c->sampler->name);
  bench_look_up(p->data, "any_scale.csv", key, names, (double *)(void *)&f, 3);
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
    if (c->kind == AB_CELL_TABLE || !r) continue;
    fprintf(csv, "%s,%s,%s,%s", ab_kind_names[c->kind], c->target->name, c->sampler->name,
            c->spec.setting == AB_ADAPTED ? "adapted" : "fixed");
    const double row[] = {c->spec.setting == AB_ADAPTED ? r->first : c->spec.fixed[0], r->alpha,
                          c->kind == AB_CELL_ALPHA ? -1 : r->damping};
    write_numbers(csv, row, 3);
    write_numbers(csv, &r->ess, 2);
    write_last(csv, &r->acceptance, 2);
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
  fprintf(md, " | %.*f |", r->ess_rate < 100 ? 1 : 0, r->ess_rate);
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

static const study_part ab_parts[] = {{"ratios", ab_print_ratios}, {"reference", ab_print_reference},
                                      {"best", ab_print_best}, {"table", ab_print_table}, {"cost", ab_print_cost}};

#endif
