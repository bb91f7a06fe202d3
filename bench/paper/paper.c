/* paper - every table and figure of the experiments in "Optimal Scaling for Locally Balanced Proposals in Discrete
 * Spaces", but for the deep energy-based models: run `make bench-paper`, or build/bench/paper --help. A study (study.h):
 * cells are in plan.h, CSV files in report.h, the report in report.in and page.h, pictures in paper.gp. */
#include "page.h"

/* ---- curves ------------------------------------------------------------------------------------------------------ */

/* The argument of the normal tail in a = 2 Phi(-h), (6) and (20): a power of R on product targets. */
static double tail(double acceptance) { return -lbp_normal_quantile(acceptance / 2); }

/* The R that should give `target`, by a power law through the last two points. */
static double guess_r(const curve_point *last, const curve_point *before, double target, double power) {
  const double reach = tail(target) / tail(last->acceptance.mean);
  if (before && before->r < last->r) {
    const double measured = log(last->r / before->r) / log(tail(last->acceptance.mean) / tail(before->acceptance.mean));
    if (measured > 0.4 && measured < 3) power = measured;
  }
  return last->r * pow(reach, power);
}

/* Runs, and keeps what came of it as a point of a curve. */
static void run_point(const instance *in, const run_spec *spec, double target, curve_point *point) {
  run_result r;
  run_chains(in, spec, &r);
  *point = (curve_point){target, r.r, r.acceptance, r.ejd, r.ess};
}

/* The target acceptance rates: of a curve a_max - 0.02 k for as long as they are 0.03 or more, as in the paper; for a
 * peak alone, eleven around it. */
static uint32_t make_targets(const cell *c, double highest, double targets[CURVE_MOST]) {
  uint32_t count = 0;
  double a;
  if (c->kind == CELL_CURVE) {
    for (a = highest - c->spacing; a >= 0.03 && count < CURVE_MOST - 1; a -= c->spacing) targets[count++] = a;
    return count;
  }
  for (uint32_t k = 0; k < 11; k++) {
    a = c->kernel == LBP_SAMPLER_RWM ? 0.5 - 0.04 * k : 0.82 - 0.05 * k;
    if (a < highest) targets[count++] = a;
  }
  return count;
}

/* Chains in equilibrium, brought there by tuned LBP, go through R = 1 and the target acceptance rates one after the
 * other: at each, R is tuned to it and then stays fixed while it is measured. */
static uint32_t run_curve(const cell *c, const bench_model *m, curve_point points[CURVE_MOST], peak_error errors[BYS]) {
  const double usual = c->kernel == LBP_SAMPLER_RWM ? LBP_TARGET_RWM : LBP_TARGET_LBP;
  const double power = c->kernel == LBP_SAMPLER_RWM ? 2 : c->kernel == LBP_SAMPLER_GWG ? 1 : 2.0 / 3.0;
  const instance *in = &m->instances[c->weight];
  uint8_t *states = (uint8_t *)basic_alloc((size_t)c->chains * m->n, 1);
  double *each = (double *)basic_alloc((size_t)CURVE_MOST * c->chains, 2 * sizeof *each);
  double targets[CURVE_MOST], share = basic_progress.share;
  curve_point middle;
  run_spec spec = run_of(LBP_SAMPLER_LBP, c->chains, c->model == MODEL_RBM ? 4000 : 1000, 100, c->seed);
  uint32_t k;
  basic_progress.share = 0;
  spec.start = m->start;
  spec.last = states;
  run_point(in, &spec, 0, &middle);

  spec = (run_spec){.sampler = c->kernel, .chains = c->chains, .steps = c->steps, .r = 1, .seed = c->seed + 1,
                    .states = states, .last = states, .reference = m->reference, .each = each};
  run_point(in, &spec, 1, &points[0]);

  spec.seed++;
  spec.r = 0;
  spec.each = NULL;
  spec.target = usual < points[0].acceptance.mean ? usual : points[0].acceptance.mean / 2;
  spec.warmup = 3 * c->warmup;
  spec.steps = c->steps / 4;
  run_point(in, &spec, spec.target, &middle);

  const uint32_t count = make_targets(c, points[0].acceptance.mean, targets);
  spec.warmup = c->warmup;
  spec.steps = c->steps;
  for (k = 1; k <= count && (k == 1 || points[k - 1].r < 0.99 * m->n); k++) { /* beyond R = N nothing changes */
    spec.seed++;
    spec.target = targets[k - 1];
    spec.first_r = guess_r(k == 1 ? &middle : &points[k - 1], k > 2 ? &points[k - 2] : NULL, spec.target, power);
    spec.each = each + (size_t)2 * c->chains * k;
    basic_progress.share = share / (count + 1);
    run_point(in, &spec, spec.target, &points[k]);
  }
  basic_progress.share = share;
  for (int by = 0; by < BYS; by++) errors[by] = points_peak_error(points, k, by, each, c->chains);
  BENCH_FREE(each, states);
  return k;
}

/* ---- sites that are all alike ------------------------------------------------------------------------------------ */

/* Whole numbers R around the best that (6) predicts, from chains in equilibrium; R = 1 and R = N in any case. */
static uint32_t run_epsilon(const cell *c, curve_point points[CURVE_MOST]) {
  const uint32_t n = c->extent;
  double *p = (double *)basic_alloc(n, sizeof *p), best, r, whole = 0;
  run_spec spec = run_of(LBP_SAMPLER_LBP, c->chains, 0, c->steps, c->seed);
  uint32_t count = 0;
  lbp_bernoulli model;
  for (uint32_t k = 0; k < n; k++) p[k] = c->p;
  uint8_t *states = bench_equilibrium(p, n, c->chains, c->seed, 0);
  bench_expect(lbp_bernoulli_init(&model, n, p), c->key);
  lbp_scaling scaling = bench_scaling(p, n, LBP_SAMPLER_LBP, c->weight, LBP_LAMBDA_CORRECTED);
  best = lbp_scaling_best_R(&scaling);
  instance in = {.model = &model, .n = n, .kernel = bernoulli_sqrt_kernel()};
  spec.states = states;
  spec.as_is = 1; /* R = N, which no tuner comes to */
  basic_progress.share = c->seconds / 20;
  for (r = 1; whole < n; r = fmax(1.12 * r, best / 4)) {
    const int last = !(r < n && r < 2.5 * best + 2);
    if (!last && floor(r + 0.5) <= whole) continue;
    spec.r = whole = last ? n : floor(r + 0.5);
    spec.seed = c->seed + ++count;
    run_point(&in, &spec, 0, &points[count - 1]);
  }
  lbp_bernoulli_free(&model);
  BENCH_FREE(states, p);
  return count;
}

static table_result run_row(const study *p, const cell *c, const bench_model *m) {
  instance in = m->instances[c->weight];
  run_spec spec = run_of(c->kernel, c->chains, c->warmup, c->steps, c->seed);
  run_result r;
  if (c->kind == CELL_GRADIENT) in.kernel = gradient_kernels[c->model][c->weight]();
  spec.start = m->start;
  spec.reference = m->reference;
  if (c->sampler->mode == MODE_ONE) spec.r = 1;
  if (c->sampler->mode == MODE_GRID) spec.r = curve_best(p, plan_find(p, CELL_CURVE, c)).r;
  run_chains(&in, &spec, &r);
  table_result t = {.acceptance = r.acceptance, .ejd = r.ejd, .ess = r.ess, .r = r.r, .r_se = r.r_se,
                    .evaluations = r.evaluations, .without_ess = r.without_ess, .step_seconds = r.step_seconds,
                    .pace_se = r.seconds_se / r.seconds};
  return t;
}

/* ---- any cell ---------------------------------------------------------------------------------------------------- */

/* The model of the cell; the last one stays loaded. */
static const bench_model *get_model(const cell *c, const char *data) {
  static bench_model model;
  if (model.kind != c->model || model.config != c->config || model.n != bench_model_sites(c->model, c->extent)) {
    bench_model_free(&model);
    bench_model_load(&model, c->model, c->extent, c->config, data);
  }
  return &model;
}

static void print_cell(const study *p, const void *what) {
  const cell *c = (const cell *)what;
  if (cell_is_row(c)) {
    const table_result *t = find_table(p, c);
    printf("%-46s accept %.3f  R %8.2f  EJD %8.3f +- %.3f  ESS %7.1f +- %.1f", c->key, t->acceptance.mean, t->r,
           t->ejd.mean, t->ejd.se, t->ess.mean, t->ess.se);
  } else {
    const best_point b = curve_best(p, c);
    printf("%-46s peak: accept %.3f +- %.3f  R %8.2f  EJD %8.3f +- %.3f%s", c->key, b.acceptance.mean, b.acceptance.se,
           b.r, b.ejd.mean, b.ejd.se, b.inside ? "" : "  (at the end of the curve)");
  }
}

/* The curve that tells a grid search's R, if the cell is one. */
static study_cell *needed(const study *p, const void *what) {
  const cell *c = (const cell *)what;
  return c->kind == CELL_TABLE && c->sampler->mode == MODE_GRID ? (void *)plan_find(p, CELL_CURVE, c) : NULL;
}

static void compute(study *p, const void *what) {
  const cell *c = (const cell *)what;
  if (cell_is_row(c)) {
    const table_result t = run_row(p, c, get_model(c, p->data));
    study_keep(p, c, &t, sizeof t);
  } else {
    struct {
      peak_error errors[BYS];
      curve_point points[CURVE_MOST];
    } curve;
    const bench_model *m = c->kind == CELL_EPSILON ? NULL : get_model(c, p->data);
    const uint32_t count = m ? run_curve(c, m, curve.points, curve.errors) : run_epsilon(c, curve.points);
    if (m) study_keep(p, c, &curve, sizeof curve.errors + count * sizeof *curve.points);
    else study_keep(p, c, curve.points, count * sizeof *curve.points);
  }
}

static void write_files(const study *p, FILE *const *csv) {
  write_tables(csv[FILE_TABLES], p, CELL_TABLE);
  write_tables(csv[FILE_GRADIENT], p, CELL_GRADIENT);
  write_curves(csv[FILE_CURVES], csv[FILE_PEAKS], p);
  write_scaling(csv[FILE_SCALING], csv[FILE_SLOPES], p);
  write_epsilon(csv[FILE_EPSILON], csv[FILE_REACH], p);
}

int main(int argc, char **argv) {
  static study s = {.name = "paper", .script = "bench/paper/paper.gp",
                    .cell_bytes = sizeof(cell), .journal_room = (size_t)8 << 20, .files = report_names,
                    .file_count = FILES, .plan = plan_make, .fits = cell_fits, .needs = needed, .compute = compute,
                    .print = print_cell, .write = write_files, .text = "bench/paper/report.in", .parts = page_parts,
                    .part_count = sizeof page_parts / sizeof page_parts[0],
                    .quick_text = "4 chains instead of 25 to 100, and two fifths of the points of a curve"};
  return study_main(&s, argc, argv);
}
