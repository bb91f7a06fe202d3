/* any_scale - the experiments of "Any-scale Balanced Samplers for Discrete Spaces" on its synthetic targets (tables 1 to 5,
 * figures 1 to 3 and 5): run `make bench-any-scale`, or build/bench/any_scale --help. A study (study.h): cells are in
 * any_scale_plan.h, CSV files and the report in any_scale_page.h and report.in, pictures in any_scale.gp. */
static double ab_tie = 1e-4; /* READING_TIE takes others */
#define LBP_DIAGONAL_TIE ab_tie
#include "any_scale_page.h"

static void print_cell(const study *p, const void *cell) {
  const ab_cell *c = (const ab_cell *)cell;
  const ab_result *r = ab_find(p, c);
  printf("%-46s ESS_n %8.2f +- %-6.2f %10.1f/s  accept %.3f", c->key, r->ess.mean, r->ess.se, r->ess_rate, r->acceptance);
  if (c->sampler->kernel == AB_MOMENTUM) return;
  printf("  %s %.3g  alpha %.4f", c->sampler->kernel == AB_SECOND && !c->sampler->literal ? "s" : "sigma", r->first, r->alpha);
  if (r->damping > 0 && r->damping < 1) printf("  damping %.2f", r->damping);
  if (r->failed > 0) printf("  (%.0f chains without W)", r->failed);
}

static void compute(study *p, const void *cell) {
  const ab_cell *c = (const ab_cell *)cell;
  ab_outcome *outcomes = (ab_outcome *)basic_alloc(c->chains, sizeof *outcomes);
  basic_progress.share = c->seconds / c->chains;
  ab_model_get(&c->instance); /* not by several threads at once */
  if (c->kind == AB_CELL_READING && c->reading == READING_TIE) ab_tie = ab_ties[c->variant];
#pragma omp parallel for schedule(dynamic, 1)
  for (int k = 0; k < (int)c->chains; k++) {
    ab_measure(&c->instance, &c->spec, (uint32_t)k, &outcomes[k]);
#pragma omp critical
    basic_progress_add(basic_progress.share);
  }
  ab_tie = 1e-4;
  ab_result r = ab_collect(outcomes, c->chains);
  free(outcomes);
  study_keep(p, c, &r, sizeof r);
}

static void write_files(const study *p, FILE *const *csv) {
  ab_write_tables(csv[AB_FILE_TABLES], p);
  ab_write_settings(csv[AB_FILE_SETTINGS], p);
  ab_write_paper(csv[AB_FILE_PAPER], p);
  ab_write_readings(csv[AB_FILE_READINGS], p);
  ab_write_momentum(csv[AB_FILE_MOMENTUM], p);
  graphs_write(csv[AB_FILE_FIGURE5], MODEL_SEED);
}

int main(int argc, char **argv) {
  static study s = {.name = "any-scale", .script = "bench/any_scale/any_scale.gp",
                    .cell_bytes = sizeof(ab_cell), .journal_room = (size_t)4 << 20, .files = ab_file_names,
                    .file_count = AB_FILES, .plan = ab_plan_make, .fits = ab_fits, .compute = compute,
                    .print = print_cell, .write = write_files, .text = "bench/any_scale/report.in", .parts = ab_parts,
                    .part_count = sizeof ab_parts / sizeof ab_parts[0], .quick_text = "4 chains of 36,000 steps"};
  return study_main(&s, argc, argv);
}
