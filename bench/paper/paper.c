/* paper - every table and figure of the experiments in "Optimal Scaling for Locally Balanced Proposals in Discrete
 * Spaces", but for the deep energy-based models: run `make bench-paper`, or build/bench/paper --help.
 *
 * The work is divided into cells (plan.h), each with parameters and a seed that follows from them. A finished cell is
 * kept in journal.txt (journal.h); what is there is not computed again. From it come the CSV files (report.h), report.md
 * (page.h) and the pictures (paper.gp). */
#include "page.h"

/* ---- curves ----------------------------------------------------------------------------------------------------- */

/* The argument of the normal tail in a = 2 Phi(-h), (6) and (20): a power of R on product targets. */
static double tail(double acceptance) { return -lbp_normal_quantile(acceptance / 2); }

/* The R that should give `target`, by a power law through the last two points. */
static double guess_r(const curve_point *last, const curve_point *before, double target, double power) {
  const double reach = tail(target) / tail(last->acceptance);
  if (before && before->r < last->r) {
    const double measured = log(last->r / before->r) / log(tail(last->acceptance) / tail(before->acceptance));
    if (measured > 0.4 && measured < 3) power = measured;
  }
  return last->r * pow(reach, power);
}

static void keep_point(curve_point *point, double target, const run_result *r) {
  point->target = target;
  point->r = r->r;
  point->acceptance = r->acceptance.mean;
  point->acceptance_se = r->acceptance.se;
  point->ejd = r->ejd.mean;
  point->ejd_se = r->ejd.se;
  point->ess = r->ess.mean;
  point->ess_se = r->ess.se;
}

/* The target acceptance rates: of a curve a_max - 0.02 k for as long as they are 0.03 or more, as in the paper; for a
 * peak alone, eleven around it. */
static uint32_t make_targets(const cell *c, double highest, double targets[CURVE_MOST]) {
  uint32_t count = 0, k;
  double a;
  if (c->kind == CELL_CURVE) {
    for (a = highest - c->spacing; a >= 0.03 && count < CURVE_MOST - 1; a -= c->spacing) targets[count++] = a;
    return count;
  }
  for (k = 0; k < 11; k++) {
    a = c->kernel == LBP_SAMPLER_RWM ? 0.5 - 0.04 * k : 0.82 - 0.05 * k;
    if (a < highest) targets[count++] = a;
  }
  return count;
}

/* Chains in equilibrium, brought there by tuned LBP, go through R = 1 and the target acceptance rates one after the
 * other: at each, R is tuned to it and then stays fixed while it is measured. */
static uint32_t run_curve(const cell *c, const bench_model *m, curve_point points[CURVE_MOST]) {
  const double usual = c->kernel == LBP_SAMPLER_RWM ? LBP_TARGET_RWM : LBP_TARGET_LBP;
  const double power = c->kernel == LBP_SAMPLER_RWM ? 2 : c->kernel == LBP_SAMPLER_GWG ? 1 : 2.0 / 3.0;
  const instance *in = &m->instances[c->weight];
  uint8_t *states = (uint8_t *)basic_alloc((size_t)c->chains * m->n, 1);
  double targets[CURVE_MOST], share = basic_progress.share;
  curve_point middle;
  run_spec spec;
  run_result r;
  uint32_t count, k;
  basic_progress.share = 0;
  memset(&spec, 0, sizeof spec);
  spec.chains = c->chains;
  spec.seed = c->seed;
  spec.start = m->start;
  spec.last = states;
  spec.sampler = LBP_SAMPLER_LBP;
  spec.target = LBP_TARGET_LBP;
  spec.warmup = c->model == MODEL_RBM ? 4000 : 1000;
  spec.steps = 100;
  run_chains(in, &spec, &r);

  spec.states = states;
  spec.sampler = c->kernel;
  spec.seed++;
  spec.r = 1;
  spec.warmup = 0;
  spec.steps = c->steps;
  spec.reference = m->reference;
  run_chains(in, &spec, &r);
  keep_point(&points[0], 1, &r);

  spec.seed++;
  spec.r = 0;
  spec.target = usual < r.acceptance.mean ? usual : r.acceptance.mean / 2;
  spec.warmup = 3 * c->warmup;
  spec.steps = c->steps / 4;
  run_chains(in, &spec, &r);
  keep_point(&middle, spec.target, &r);

  count = make_targets(c, points[0].acceptance, targets);
  for (k = 1; k <= count && (k == 1 || points[k - 1].r < 0.99 * m->n); k++) { /* beyond R = N nothing changes */
    spec.seed++;
    spec.target = targets[k - 1];
    spec.first_r = guess_r(k == 1 ? &middle : &points[k - 1], k > 2 ? &points[k - 2] : NULL, spec.target, power);
    spec.warmup = c->warmup;
    spec.steps = c->steps;
    basic_progress.share = share / (count + 1);
    run_chains(in, &spec, &r);
    keep_point(&points[k], spec.target, &r);
  }
  basic_progress.share = share;
  free(states);
  return k;
}

/* ---- sites that are all alike ------------------------------------------------------------------------------------ */

/* Whole numbers R around the best that (6) predicts, from chains in equilibrium; R = 1 and R = N in any case. */
static uint32_t run_epsilon(const cell *c, curve_point points[CURVE_MOST]) {
  const uint32_t n = c->extent;
  double *p = (double *)basic_alloc(n, sizeof *p), lambda, best, r, whole = 0;
  uint8_t *states = (uint8_t *)basic_alloc((size_t)c->chains * n, 1);
  uint32_t count = 0, k;
  size_t i;
  lbp_bernoulli model;
  lbp_scaling scaling;
  instance in;
  run_spec spec;
  run_result result;
  lbp_rng rng;
  lbp_rng_init(&rng, c->seed, 0);
  for (k = 0; k < n; k++) p[k] = c->p;
  for (i = 0; i < (size_t)c->chains * n; i++) states[i] = lbp_u01(lbp_rng_u64(&rng)) < c->p;
  if (lbp_bernoulli_init(&model, n, p) != LBP_OK || lbp_lambda1(p, n, lbp_g_sqrt, LBP_LAMBDA_CORRECTED, &lambda) != LBP_OK ||
      lbp_scaling_lbp(&scaling, lambda, n) != LBP_OK) {
    basic_die("%s: no such model", c->key);
  }
  best = lbp_scaling_best_R(&scaling);
  in.model = &model;
  in.n = n;
  in.kernel = bernoulli_sqrt_kernel();
  memset(&spec, 0, sizeof spec);
  spec.sampler = LBP_SAMPLER_LBP;
  spec.chains = c->chains;
  spec.steps = c->steps;
  spec.target = LBP_TARGET_LBP; /* R is first_r without a warm-up */
  spec.states = states;
  basic_progress.share = c->seconds / 20;
  for (r = 1; whole < n && r < 2.5 * best + 2; r = fmax(1.12 * r, best / 4)) {
    if (floor(r + 0.5) <= whole) continue;
    whole = r < n ? floor(r + 0.5) : n;
    spec.first_r = whole;
    spec.seed = c->seed + ++count;
    run_chains(&in, &spec, &result);
    keep_point(&points[count - 1], 0, &result);
  }
  if (whole < n) {
    spec.first_r = n;
    spec.seed = c->seed + ++count;
    run_chains(&in, &spec, &result);
    keep_point(&points[count - 1], 0, &result);
  }
  lbp_bernoulli_free(&model);
  free(states);
  free(p);
  return count;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static table_result run_table(const cell *c, const bench_model *m, const journal *j, const plan *p) {
  const instance *in = &m->instances[c->weight];
  table_result t;
  run_spec spec;
  run_result r;
  memset(&spec, 0, sizeof spec);
  spec.sampler = c->kernel;
  spec.chains = c->chains;
  spec.warmup = c->warmup;
  spec.steps = c->steps;
  spec.seed = c->seed;
  spec.start = m->start;
  spec.reference = m->reference;
  spec.target = c->kernel == LBP_SAMPLER_RWM ? LBP_TARGET_RWM : LBP_TARGET_LBP;
  if (c->sampler->mode == MODE_ONE) spec.r = 1;
  if (c->sampler->mode == MODE_GRID) spec.r = curve_best(j, plan_find(p, CELL_CURVE, c)).r;
  run_chains(in, &spec, &r);
  t.acceptance = r.acceptance.mean;
  t.acceptance_se = r.acceptance.se;
  t.ejd = r.ejd.mean;
  t.ejd_se = r.ejd.se;
  t.ess = r.ess.mean;
  t.ess_se = r.ess.se;
  t.r = r.r;
  t.r_se = r.r_se;
  t.evaluations = r.evaluations;
  t.without_ess = r.without_ess;
  t.step_seconds = r.step_seconds;
  t.pace_se = r.seconds_se / r.seconds;
  return t;
}

/* ---- any cell --------------------------------------------------------------------------------------------------- */

/* The model of the cell; the last one stays loaded. */
static const bench_model *get_model(const cell *c, const char *data) {
  static bench_model model;
  static char loaded[96];
  char name[96];
  snprintf(name, sizeof name, "%d %u %d", c->model, (unsigned)c->extent, c->config);
  if (strcmp(name, loaded) != 0) {
    if (loaded[0]) bench_model_free(&model);
    bench_model_load(&model, c->model, c->extent, c->config, data);
    strcpy(loaded, name);
  }
  return &model;
}

static void print_cell(const journal *j, const cell *c, double seconds) {
  const journal_entry *e = find_cell(j, c);
  if (c->kind == CELL_TABLE) {
    const table_result *t = (const table_result *)(const void *)e->values;
    printf("%-46s accept %.3f  R %8.2f  EJD %8.3f +- %.3f  ESS %7.1f +- %.1f", c->key, t->acceptance, t->r, t->ejd,
           t->ejd_se, t->ess, t->ess_se);
  } else {
    const best_point best = curve_best(j, c);
    printf("%-46s peak: accept %.3f +- %.3f  R %8.2f  EJD %8.3f +- %.3f%s", c->key, best.acceptance, best.acceptance_se,
           best.r, best.ejd, best.ejd_se, best.inside ? "" : "  (at the end of the curve)");
  }
  study_print_time(seconds);
}

/* The curve that tells a grid search's R, if the cell is one. */
static const cell *needed(const plan *p, const cell *c) {
  return c->kind == CELL_TABLE && c->sampler->mode == MODE_GRID ? plan_find(p, CELL_CURVE, c) : NULL;
}

/* Computes a cell that is not finished, and before it the one that it needs. */
static void finish(journal *j, const plan *p, const cell *c) {
  const bench_model *m;
  double begin, seconds;
  if (find_cell(j, c)) return;
  if (needed(p, c)) finish(j, p, needed(p, c));
  begin = basic_now();
  m = c->kind == CELL_EPSILON ? NULL : get_model(c, p->data);
  basic_progress.share = c->seconds;
  snprintf(basic_progress.label, sizeof basic_progress.label, "%.79s", c->key);
  if (c->kind == CELL_TABLE) {
    const table_result t = run_table(c, m, j, p);
    journal_add(j, c->key, c->parameters, (const double *)(const void *)&t, sizeof t / sizeof(double));
  } else {
    curve_point points[CURVE_MOST];
    const uint32_t count = c->kind == CELL_EPSILON ? run_epsilon(c, points) : run_curve(c, m, points);
    journal_add(j, c->key, c->parameters, (const double *)(const void *)points,
                (uint32_t)(count * sizeof *points / sizeof(double)));
  }
  seconds = basic_now() - begin;
  study_spent(seconds, c->seconds);
  basic_progress_clear();
  print_cell(j, c, seconds);
}

/* CSV files, report and pictures of what is finished. */
static void write_all(const plan *p, const journal *j, const char *folder) {
  char settings[1100];
  FILE *file[FILES];
  int k;
  for (k = 0; k < FILES; k++) file[k] = study_open(folder, report_names[k]);
  write_tables(file[FILE_TABLES], p, j);
  write_curves(file[FILE_CURVES], file[FILE_PEAKS], p, j);
  write_scaling(file[FILE_SCALING], file[FILE_SLOPES], p, j);
  write_epsilon(file[FILE_EPSILON], file[FILE_REACH], p, j);
  for (k = 0; k < FILE_REPORT; k++) study_close(folder, report_names[k], file[k]);
  page_write(file[FILE_REPORT], p, j, folder);
  study_close(folder, report_names[FILE_REPORT], file[FILE_REPORT]);
  snprintf(settings, sizeof settings, "folder='%s'", folder);
  basic_gnuplot("bench/paper/paper.gp", settings);
  printf("Report: %s/%s\n", folder, report_names[FILE_REPORT]);
}

/* Is the cell asked for, or needed by one that is? */
static int is_chosen(const plan *p, const cell *c, const char *pattern) {
  uint32_t k;
  if (!pattern || fnmatch(pattern, c->key, 0) == 0) return 1;
  if (c->kind != CELL_CURVE) return 0;
  for (k = 0; k < p->count; k++) {
    if (needed(p, &p->cells[k]) == c && fnmatch(pattern, p->cells[k].key, 0) == 0) return 1;
  }
  return 0;
}

static void usage(FILE *to) { study_usage(to, "paper", "tables/ising/p=50/C2/*"); }

int main(int argc, char **argv) {
  const study_options o = study_parse(argc, argv, "paper", usage);
  const int writes = !o.list && !o.report;
  uint32_t k, chosen = 0, finished = 0;
  plan p;
  journal j;
  basic_threads(o.threads);
  basic_single_blas();
  setvbuf(stdout, NULL, _IOLBF, 0);
  plan_make(&p, o.data, o.quick);
  if (writes) {
    journal_open(&j, o.out, (size_t)8 << 20);
    for (k = 0; k < FILES; k++) fclose(study_open(o.out, report_names[k])); /* fails now, if it must */
  } else {
    journal_look(&j, o.out);
  }
  for (k = 0; k < p.count; k++) {
    cell *c = &p.cells[k];
    const int done = find_cell(&j, c) != NULL;
    c->chosen = is_chosen(&p, c, o.only);
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
  if (writes) {
    printf("%u cells, %u of them finished before, %.0f min expected for the others on two cores; in %s\n",
           (unsigned)chosen, (unsigned)finished, study_pace.left / 60, j.path);
    basic_progress_begin(study_pace.left);
    for (k = 0; k < p.count; k++) {
      const cell *c = &p.cells[k];
      if (!c->chosen) continue;
      if (o.only && find_cell(&j, c)) print_cell(&j, c, -1);
      else finish(&j, &p, c);
    }
  }
  write_all(&p, &j, o.out);
  journal_close(&j);
  return 0;
}
