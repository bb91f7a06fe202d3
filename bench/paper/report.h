/* The CSV files and the report of `make bench-paper`, from the finished cells. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "../common/fit.h"
#include "gradient.h"
#include "plan.h"

/* ---- what a cell's numbers in the journal are: doubles alone ----------------------------------------------------- */

typedef struct {
  double target, r;
  estimate acceptance, ejd, ess;
} curve_point;

enum { CURVE_MOST = 52, SCALING_MOST = 16 };

/* Standard errors of the place and of the height of a curve's peak, over the acceptance rate and over R. */
typedef struct {
  double at, value;
} peak_error;

enum { BY_ACCEPTANCE, BY_R, BYS };

typedef struct {
  estimate acceptance, ejd, ess;
  double r, r_se, evaluations, without_ess;
  double step_seconds, pace_se; /* CPU time of a step, its relative error */
} table_result;

/* How many numbers stand before a curve's points: its peak_error, by acceptance rate and by R, where they are used. */
static uint32_t curve_errors(const cell *c) {
  return c->kind == CELL_EPSILON ? 0 : BYS * sizeof(peak_error) / sizeof(double);
}

static int cell_fits(const void *c, uint32_t count) {
  const uint32_t point = sizeof(curve_point) / sizeof(double), errors = curve_errors((const cell *)c);
  if (cell_is_row((const cell *)c)) return count == sizeof(table_result) / sizeof(double);
  return count >= point + errors && (count - errors) % point == 0 && count <= CURVE_MOST * point + errors;
}

/* A finished cell's numbers, or NULL. */
static const table_result *find_table(const study *p, const cell *c) {
  const journal_entry *e = study_find(p, c);
  return e ? (const table_result *)(const void *)e->values : NULL;
}

static const curve_point *find_curve(const study *p, const cell *c, uint32_t *count) {
  const journal_entry *e = study_find(p, c);
  *count = e ? (uint32_t)((e->count - curve_errors(c)) * sizeof(double) / sizeof(curve_point)) : 0;
  return e ? (const curve_point *)(const void *)(e->values + curve_errors(c)) : NULL;
}

/* ---- peaks ------------------------------------------------------------------------------------------------------- */

typedef struct {
  int inside;
  estimate acceptance, ejd;
  double r, low, high;
} best_point;

/* Where the jump distance of a curve is largest, as a function of the acceptance rate or of R. */
static peak points_peak(const curve_point *points, uint32_t count, int by) {
  double x[CURVE_MOST] = {0}, ejd[CURVE_MOST] = {0};
  for (uint32_t k = 0; k < count; k++) {
    x[k] = by == BY_R ? points[k].r : points[k].acceptance.mean;
    ejd[k] = points[k].ejd.mean;
  }
  return fit_peak(x, ejd, count, 0.8);
}

/* Its errors. each: acceptance rate and jump distance of every chain at every point. */
static peak_error points_peak_error(const curve_point *points, uint32_t count, int by, const double *each,
                                    uint32_t chains) {
  double *x = (double *)basic_alloc((size_t)count * chains, 2 * sizeof *x), *ejd = x + (size_t)count * chains;
  peak top = points_peak(points, count, by);
  for (uint32_t k = 0; k < count * chains; k++) {
    x[k] = by == BY_R ? points[k / chains].r : each[2 * k];
    ejd[k] = each[2 * k + 1];
  }
  fit_peak_jackknife(&top, x, ejd, count, chains);
  free(x);
  return (peak_error){top.at_se, top.value_se};
}

/* The peak of a finished curve with its errors. */
static peak curve_peak(const study *p, const cell *c, int by) {
  uint32_t count;
  const curve_point *points = find_curve(p, c, &count);
  peak top = points_peak(points, count, by);
  if (curve_errors(c)) {
    const peak_error e = ((const peak_error *)(const void *)study_find(p, c)->values)[by];
    top.at_se = e.at;
    top.value_se = e.value;
  }
  return top;
}

/* The same with the R there. On the curves of the theory the fit is off by 0.0015 (LBP) and 0.0025 (RWM), which the
 * error takes in. */
static best_point curve_best(const study *p, const cell *c) {
  const double off = 0.002;
  uint32_t count;
  const curve_point *point = find_curve(p, c, &count);
  const peak top = curve_peak(p, c, BY_ACCEPTANCE);
  best_point b = {.inside = top.inside, .acceptance = {top.at, sqrt(top.at_se * top.at_se + off * off)},
                  .ejd = {top.value, top.value_se}, .r = point->r, .low = top.low, .high = top.high};
  for (uint32_t k = 0; k < count; k++, point++) {
    const double above = point->acceptance.mean - top.at;
    if (above == 0) b.r = point->r;
    if (k + 1 < count && above > 0 && point[1].acceptance.mean < top.at) {
      b.r = point->r * pow(point[1].r / point->r, above / (point->acceptance.mean - point[1].acceptance.mean));
    }
  }
  return b;
}

enum {
  FILE_TABLES, FILE_GRADIENT, FILE_CURVES, FILE_PEAKS, FILE_SCALING, FILE_SLOPES, FILE_EPSILON, FILE_REACH, FILE_REPORT,
  FILES
};
static const char *const report_names[FILES] = {"tables.csv", "gradient.csv", "curves.csv", "peaks.csv", "scaling.csv",
                                                "slopes.csv", "epsilon.csv", "reach.csv", "report.md"};

static void cell_row(char *name, const cell *c) {
  name_row(name, c->model, c->config, c->extent, cell_is_row(c) ? c->sampler->name : kernel_names[c->kernel],
           cell_weight(c));
}

static figures find_figures(const study *p, const cell *c) {
  char name[ROW_NAME];
  cell_row(name, c);
  return look_up(p->data, name);
}

/* CPU seconds of all chains. */
static double table_seconds(const cell *c, const table_result *t) {
  return t->step_seconds * c->chains * ((double)c->warmup + c->steps);
}

/* Times are measured, and differ from run to run: a quick run, which would measure them badly, leaves them out, so that
 * its files are the same every time. */
static void write_tables(FILE *csv, const study *p, cell_kind kind) {
  fprintf(csv, "%s\n", table_columns);
  for (uint32_t k = 0; k < p->count; k++) {
    const cell *c = plan_at(p, k);
    const table_result *t;
    char name[ROW_NAME];
    if (c->kind != kind || !(t = find_table(p, c))) continue;
    figures f = find_figures(p, c);
    run_result r = {.acceptance = t->acceptance, .ejd = t->ejd, .ess = t->ess, .r = t->r, .r_se = t->r_se,
                    .seconds = p->quick ? -1 : table_seconds(c, t)};
    r.seconds_se = p->quick ? -1 : r.seconds * t->pace_se;
    r.ess_rate = p->quick ? -1 : t->ess.mean * (c->chains - t->without_ess) / (t->step_seconds * c->chains * c->steps);
    r.evaluations = t->evaluations;
    cell_row(name, c);
    write_row(csv, name, c->chains, c->warmup + c->steps, c->seed, &r, &f);
  }
}

/* ---- curves.csv, peaks.csv --------------------------------------------------------------------------------------- */

/* (6) or (20), with the corrected lambda_1, for LBP-R and RWM-R on the product; 0 for all else. */
static int find_theory(const study *p, const cell *c, lbp_scaling *s) {
  bench_model m;
  if (c->model != MODEL_BERNOULLI || c->kernel == LBP_SAMPLER_GWG) return 0;
  bench_model_load(&m, c->model, c->extent, c->config, p->data);
  double *probability = bench_probabilities(&m.as.bernoulli);
  *s = bench_scaling(probability, m.n, c->kernel, c->weight, LBP_LAMBDA_CORRECTED);
  free(probability);
  bench_model_free(&m);
  return 1;
}

static void write_curves(FILE *csv, FILE *peaks, const study *p) {
  uint32_t count;
  fprintf(csv, "model,config,size,sampler,weight,chains,steps,seed,target,acceptance,acceptance_se,ejd,ejd_se,ess,ess_se,R,"
               "theory_acceptance,theory_ejd\n");
  fprintf(peaks, "model,config,size,sampler,weight,acceptance,acceptance_se,ejd,ejd_se,R,inside,fit_low,fit_high,"
                 "theory_power,theory_rate,theory_sites\n");
  for (uint32_t k = 0; k < p->count; k++) {
    const cell *c = plan_at(p, k);
    const curve_point *point;
    char name[ROW_NAME];
    lbp_scaling theory;
    if (c->kind != CELL_CURVE || !(point = find_curve(p, c, &count))) continue;
    const int known = find_theory(p, c, &theory);
    cell_row(name, c);
    for (uint32_t i = 0; i < count; i++, point++) {
      const double last[] = {point->r, known ? lbp_scaling_acceptance(&theory, point->r) : -1,
                             known ? lbp_scaling_ejd(&theory, point->r) : -1};
      fprintf(csv, "%s,%u,%u,%" PRIu64, name, (unsigned)c->chains, (unsigned)c->steps, c->seed);
      write_numbers(csv, &point->target, 1);
      write_numbers(csv, &point->acceptance, 6);
      write_last(csv, last, 3);
    }
    const best_point b = curve_best(p, c);
    const double row[] = {b.acceptance.mean, b.inside ? b.acceptance.se : -1, b.ejd.mean, b.inside ? b.ejd.se : -1, b.r,
                          b.inside, b.low, b.high, known ? theory.power : -1, known ? theory.rate : -1,
                          known ? theory.sites : -1};
    fprintf(peaks, "%s", name);
    write_last(peaks, row, 11);
  }
}

/* ---- scaling.csv, slopes.csv ------------------------------------------------------------------------------------- */

/* One line of figure 5: a model and configuration. */
typedef struct {
  uint32_t count;
  double sites[SCALING_MOST], best_r[SCALING_MOST], ratio[SCALING_MOST];
  double best_r_share[SCALING_MOST], ratio_share[SCALING_MOST]; /* errors, as shares of them */
} scaling_line;

/* With two errors: of reruns, and from the scatter about the line, to which that every size is another model adds. */
static void write_slope(FILE *csv, const char *model, int config, const char *what, const double *x, const double *y,
                        const double *share, uint32_t count) {
  const log_slope s = fit_log_slope(x, y, count);
  if (count < 5) return; /* too few for a scatter that means something */
  fprintf(csv, "%s,C%d,%s,%.0f,%.0f,%u,%.4f,%.4f,%.4f\n", model, config, what, x[0], x[count - 1], (unsigned)count,
          s.slope, fit_log_slope_error(x, share, count), s.se);
}

static void collect_line(FILE *csv, const study *p, int model, int config, scaling_line *line) {
  line->count = 0;
  for (uint32_t k = 0; k < p->count && line->count < SCALING_MOST; k++) {
    const cell *c = plan_at(p, k);
    cell other = *c;
    lbp_scaling theory;
    if (c->kind != CELL_SCALING || c->kernel != LBP_SAMPLER_LBP || c->model != model || c->config != config) continue;
    other.kernel = LBP_SAMPLER_RWM;
    const cell *c_rwm = plan_find(p, CELL_SCALING, &other);
    if (!study_find(p, c) || !study_find(p, c_rwm)) continue;
    const peak lbp = curve_peak(p, c, BY_R), rwm = curve_peak(p, c_rwm, BY_R);
    const uint32_t sites = bench_model_sites(c->model, c->extent);
    const int inside = lbp.inside && rwm.inside;
    const double share = hypot(lbp.value_se / lbp.value, rwm.value_se / rwm.value);
    const double ratio = lbp.value / rwm.value, row[] = {
      lbp.at, lbp.inside ? lbp.at_se : -1, lbp.value, lbp.inside ? lbp.value_se : -1,
      rwm.at, rwm.inside ? rwm.at_se : -1, rwm.value, rwm.inside ? rwm.value_se : -1,
      ratio, inside ? ratio * share : -1,
      find_theory(p, c, &theory) ? lbp_scaling_best_R(&theory) : -1};
    if (inside) { /* a peak at the end of its curve counts for no slope */
      line->sites[line->count] = sites;
      line->best_r_share[line->count] = lbp.at_se / lbp.at;
      line->ratio_share[line->count] = share;
      line->best_r[line->count] = lbp.at;
      line->ratio[line->count++] = ratio;
    }
    fprintf(csv, "%s,C%d,%c=%u,%u", model_names[model], config, model_letters[model], c->extent, sites);
    write_last(csv, row, 11);
  }
}

/* Slopes over all sizes and over the larger ones, where they should come to 2/3. */
static void write_scaling(FILE *csv, FILE *slopes, const study *p) {
  fprintf(csv, "model,config,size,sites,best_R,best_R_se,ejd,ejd_se,rwm_R,rwm_R_se,rwm_ejd,rwm_ejd_se,ratio,ratio_se,"
               "theory_R\n");
  fprintf(slopes, "model,config,quantity,from_sites,to_sites,points,slope,slope_se,scatter_se\n");
  for (int model = 0; model < MODEL_RBM; model++) {
    for (int config = 1; config <= 3; config++) {
      const double from[3] = {0, 1000, 10000};
      scaling_line line;
      collect_line(csv, p, model, config, &line);
      for (int k = 0; k < 3; k++) {
        uint32_t first = 0;
        while (first < line.count && line.sites[first] < from[k]) first++;
        const uint32_t count = line.count - first;
        write_slope(slopes, model_names[model], config, "best_R", line.sites + first, line.best_r + first,
                    line.best_r_share + first, count);
        write_slope(slopes, model_names[model], config, "ratio", line.sites + first, line.ratio + first,
                    line.ratio_share + first, count);
      }
    }
  }
}

/* ---- epsilon.csv, reach.csv -------------------------------------------------------------------------------------- */

/* What a cell of tables 3 and 4 tells: acceptance rates at R = 1, at R = N, and at the best R. */
typedef struct {
  curve_point one, all;
  best_point best;
} epsilon_result;

static int find_epsilon(const study *p, const epsilon_row *row, int k, epsilon_result *result) {
  const uint32_t n = epsilon_n(row, k);
  uint32_t count;
  for (uint32_t i = 0; i < p->count; i++) {
    const cell *c = plan_at(p, i);
    if (c->kind != CELL_EPSILON || c->extent != n || c->p != epsilon_p(row)) continue;
    const curve_point *points = find_curve(p, c, &count);
    if (!points) continue;
    result->one = points[0];
    result->all = points[count - 1];
    result->best = curve_best(p, c);
    return 1;
  }
  return 0;
}

/* The N where an acceptance rate comes to 0.574, by a parabola in log N; negative if not within the sizes computed. */
static estimate find_reach(const study *p, const epsilon_row *row) {
  double t[EPSILON_AROUND], a[EPSILON_AROUND], gradient[FIT_TERMS], low = -1, high = 1;
  const double middle = log(row->paper_n), half = log(2.0);
  estimate r = {-1, -1};
  uint32_t count = 0;
  fit f;
  for (int k = 0; k < EPSILON_AROUND; k++) {
    epsilon_result e;
    if (!find_epsilon(p, row, k, &e)) continue;
    t[count] = (log(epsilon_n(row, k)) - middle) / half;
    a[count++] = (row->half ? e.all.acceptance.mean : e.one.acceptance.mean) - LBP_TARGET_LBP;
  }
  if (!fit_polynomial(&f, t, a, count, 3)) return r;
  if (fit_derivative(&f, low, 0, gradient) * fit_derivative(&f, high, 0, gradient) > 0) return r;
  for (int k = 0; k < 50; k++) {
    const double at = (low + high) / 2;
    if (fit_derivative(&f, low, 0, gradient) * fit_derivative(&f, at, 0, gradient) > 0) low = at;
    else high = at;
  }
  r.mean = exp(middle + half * low);
  fit_derivative(&f, low, 0, gradient);
  r.se = sqrt(fit_variance(&f, gradient));
  r.se *= r.mean * half / fabs(fit_derivative(&f, low, 1, gradient));
  return r;
}

static void write_epsilon(FILE *csv, FILE *summary, const study *p) {
  fprintf(csv, "p,N,acceptance_R_1,acceptance_R_1_se,acceptance_R_N,acceptance_R_N_se,best_R,best_acceptance\n");
  fprintf(summary, "table,epsilon,paper_N,N,N_se,best_acceptance_N,best_acceptance_4N,best_acceptance_16N\n");
  for (int row = 0; row < EPSILON_ROWS; row++) {
    const epsilon_row *e = &epsilon_rows[row];
    const estimate r = find_reach(p, e);
    double best[3] = {-1, -1, -1};
    for (int k = 0; k < EPSILON_AROUND + 2; k++) {
      epsilon_result found;
      if (!find_epsilon(p, e, k, &found)) continue;
      fprintf(csv, "%g,%u", epsilon_p(e), (unsigned)epsilon_n(e, k));
      write_numbers(csv, &found.one.acceptance, 2);
      write_numbers(csv, &found.all.acceptance, 2);
      write_numbers(csv, &found.best.r, 1);
      write_last(csv, &found.best.acceptance.mean, 1);
      if (k == EPSILON_AROUND / 2) best[0] = found.best.acceptance.mean;
      if (k >= EPSILON_AROUND) best[k - EPSILON_AROUND + 1] = found.best.acceptance.mean;
    }
    fprintf(summary, "%d,%g,%u", e->half ? 3 : 4, e->epsilon, (unsigned)e->paper_n);
    write_numbers(summary, &r, 2);
    write_last(summary, best, 3);
  }
}

#endif
