/* any_scale - the experiments of "Any-scale Balanced Samplers for Discrete Spaces" on its synthetic targets (tables 1 to 5,
 * figures 1 to 3): run `make bench-any-scale`, or build/bench/any_scale --help.
 *
 * The work is divided into cells, each with parameters and a seed that follows from them. A finished cell is kept in
 * journal.txt (journal.h); what is there is not computed again. From it come tables.csv, settings.csv, report.md
 * (any_scale_page.h) and the pictures (any_scale.gp). */
#include "any_scale_page.h"

/* ---- computing --------------------------------------------------------------------------------------------------- */

static void print_cell(const ab_cell *c, const ab_result *r, double seconds) {
  printf("%-46s ESS_n %8.2f +- %-6.2f %10.1f/s  accept %.3f  %s %.3g  alpha %.4f", c->key, r->ess, r->ess_se, r->ess_rate,
         r->acceptance, c->sampler->kernel == AB_SECOND && !c->sampler->literal ? "s" : "sigma", r->first, r->alpha);
  if (r->damping > 0 && r->damping < 1) printf("  damping %.2f", r->damping);
  if (r->failed > 0) printf("  (%.0f chains without W)", r->failed);
  study_print_time(seconds);
}

static void finish(journal *j, const ab_cell *c) {
  const double begin = basic_now();
  const ab_model *m = ab_model_get(c->target);
  ab_outcome *outcomes = (ab_outcome *)basic_alloc(c->chains, sizeof *outcomes);
  ab_result r;
  int k;
  basic_progress.share = c->seconds / c->chains;
  snprintf(basic_progress.label, sizeof basic_progress.label, "%.79s", c->key);
#pragma omp parallel for schedule(dynamic, 1)
  for (k = 0; k < (int)c->chains; k++) {
    m->measure(m->model, &c->spec, (uint32_t)k, &outcomes[k]);
#pragma omp critical
    basic_progress_add(basic_progress.share);
  }
  r = ab_collect(outcomes, c->chains);
  free(outcomes);
  journal_add(j, c->key, c->parameters, (const double *)(const void *)&r, sizeof r / sizeof(double));
  study_spent(basic_now() - begin, c->seconds);
  basic_progress_clear();
  print_cell(c, &r, basic_now() - begin);
}

/* CSV files, report and pictures of what is finished. */
static void write_all(const ab_plan *p, const journal *j, const char *folder) {
  char settings[1100];
  FILE *file[AB_FILES];
  int k;
  for (k = 0; k < AB_FILES; k++) file[k] = study_open(folder, ab_file_names[k]);
  ab_write_tables(file[AB_FILE_TABLES], p, j);
  ab_write_settings(file[AB_FILE_SETTINGS], p, j);
  ab_write_page(file[AB_FILE_REPORT], p, j);
  for (k = 0; k < AB_FILES; k++) study_close(folder, ab_file_names[k], file[k]);
  snprintf(settings, sizeof settings, "folder='%s'", folder);
  basic_gnuplot("bench/any_scale/any_scale.gp", settings);
  printf("Report: %s/%s\n", folder, ab_file_names[AB_FILE_REPORT]);
}

static void usage(FILE *to) { study_usage(to, "any-scale", "tables/sparse-50/*"); }

int main(int argc, char **argv) {
  const study_options o = study_parse(argc, argv, "any-scale", usage);
  uint32_t k, chosen = 0, finished = 0;
  ab_plan p;
  journal j;
  basic_threads(o.threads);
  basic_single_blas();
  setvbuf(stdout, NULL, _IOLBF, 0);
  ab_plan_make(&p, o.data, o.quick);
  if (o.list || o.report) {
    journal_look(&j, o.out);
  } else {
    journal_open(&j, o.out, (size_t)4 << 20);
    for (k = 0; k < AB_FILES; k++) fclose(study_open(o.out, ab_file_names[k])); /* fails now, if it must */
  }
  for (k = 0; k < p.count; k++) {
    ab_cell *c = &p.cells[k];
    const int done = ab_find(&j, c) != NULL;
    c->chosen = !o.only || fnmatch(o.only, c->key, 0) == 0;
    if (!c->chosen) continue;
    chosen++;
    finished += (uint32_t)done;
    if (!done) study_pace.left += c->seconds;
    if (o.list) printf("%-50s %8.1f s  %s\n", c->key, c->seconds, done ? "finished" : "");
  }
  if (!chosen) basic_die("no cell is called %s: --list has all names", o.only);
  if (o.list) {
    printf("%u cells, %u finished; %.0f min expected for the others on two cores\n", (unsigned)chosen, (unsigned)finished,
           study_pace.left / 60);
    return 0;
  }
  study_stoppable();
  if (!o.report) {
    printf("%u cells, %u of them finished before, %.0f min expected for the others on two cores; in %s\n",
           (unsigned)chosen, (unsigned)finished, study_pace.left / 60, j.path);
    basic_progress_begin(study_pace.left);
    for (k = 0; k < p.count; k++) {
      const ab_cell *c = &p.cells[k];
      if (!c->chosen) continue;
      if (!ab_find(&j, c)) finish(&j, c);
      else if (o.only) print_cell(c, ab_find(&j, c), -1);
    }
  }
  write_all(&p, &j, o.out);
  journal_close(&j);
  return 0;
}
