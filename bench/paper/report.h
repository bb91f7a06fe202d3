/* The CSV files and the report of `make bench-paper`, from the finished cells. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "fit.h"
#include "plan.h"

/* ---- what a cell's numbers in the journal are: doubles alone ----------------------------------------------------- */

typedef struct {
  double target, r, acceptance, acceptance_se, ejd, ejd_se, ess, ess_se;
} curve_point;

enum { CURVE_MOST = 52 };

typedef struct {
  double acceptance, acceptance_se, ejd, ejd_se, ess, ess_se, r, r_se, evaluations, without_ess;
  double step_seconds, pace_se; /* CPU time of a step, its relative error */
} table_result;

/* A finished cell's numbers, or NULL. */
static const journal_entry *find_cell(const journal *j, const cell *c) {
  const journal_entry *e = journal_find(j, c->key, c->parameters);
  const uint32_t point = sizeof(curve_point) / sizeof(double);
  if (!e) return NULL;
  if (c->kind == CELL_TABLE) return e->count == sizeof(table_result) / sizeof(double) ? e : NULL;
  return e->count >= point && e->count % point == 0 && e->count <= CURVE_MOST * point ? e : NULL;
}

/* ---- peaks ------------------------------------------------------------------------------------------------------- */

typedef struct {
  int inside;
  double acceptance, acceptance_se, r, ejd, ejd_se, low, high;
} best_point;

/* The largest jump distance of a finished curve, as a function of the acceptance rate. On the curves of the theory the
 * fit is off by 0.0015 (LBP) and 0.0025 (RWM), which the error takes in. */
static best_point curve_best(const journal *j, const cell *c) {
  const double off = 0.002;
  const journal_entry *e = find_cell(j, c);
  const curve_point *points = (const curve_point *)(const void *)e->values;
  const uint32_t count = (uint32_t)(e->count * sizeof(double) / sizeof *points);
  double a[CURVE_MOST] = {0}, ejd[CURVE_MOST] = {0};
  best_point b;
  peak top;
  uint32_t k;
  for (k = 0; k < count; k++) {
    a[k] = points[k].acceptance;
    ejd[k] = points[k].ejd;
  }
  top = fit_peak(a, ejd, count, 0.8);
  b.inside = top.inside;
  b.acceptance = top.at;
  b.acceptance_se = sqrt(top.at_se * top.at_se + off * off);
  b.ejd = top.value;
  b.ejd_se = top.value_se;
  b.low = top.low;
  b.high = top.high;
  b.r = points[0].r;
  for (k = 0; k < count; k++) {
    if (points[k].acceptance == top.at) b.r = points[k].r;
    if (k + 1 < count && points[k].acceptance > top.at && points[k + 1].acceptance < top.at) {
      const double part = (points[k].acceptance - top.at) / (points[k].acceptance - points[k + 1].acceptance);
      b.r = points[k].r * pow(points[k + 1].r / points[k].r, part);
    }
  }
  return b;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

enum { FILE_TABLES, FILE_CURVES, FILE_PEAKS, FILE_SCALING, FILE_SLOPES, FILE_EPSILON, FILE_REACH, FILE_REPORT, FILES };
static const char *const report_names[FILES] = {"tables.csv",  "curves.csv",  "peaks.csv", "scaling.csv",
                                                "slopes.csv", "epsilon.csv", "reach.csv", "report.md"};

static const char *cell_weight(const cell *c) { return c->kernel == LBP_SAMPLER_RWM ? "" : weight_names[c->weight]; }

static void put_names(FILE *csv, const cell *c, const char *sampler) {
  fprintf(csv, "%s,C%d,%c=%u,%s,%s", model_names[c->model], c->config, model_letters[c->model], (unsigned)c->extent, sampler,
          cell_weight(c));
}

/* ---- tables.csv -------------------------------------------------------------------------------------------------- */

static const table_result *find_table(const journal *j, const cell *c) {
  const journal_entry *e = find_cell(j, c);
  return e ? (const table_result *)(const void *)e->values : NULL;
}

static void find_figures(const plan *p, const cell *c, figures *reference, figures *paper) {
  char config[4], size[16];
  const char *key[5];
  snprintf(config, sizeof config, "C%d", c->config);
  snprintf(size, sizeof size, "%c=%u", model_letters[c->model], (unsigned)c->extent);
  key[0] = model_names[c->model];
  key[1] = config;
  key[2] = size;
  key[3] = c->sampler->name;
  key[4] = cell_weight(c);
  *reference = look_up(p->data, "reference.csv", key);
  *paper = look_up(p->data, "paper.csv", key);
}

/* CPU seconds of all chains. */
static double table_seconds(const cell *c, const table_result *t) {
  return t->step_seconds * c->chains * ((double)c->warmup + c->steps);
}

/* Times are measured, and differ from run to run: a quick run, which would measure them badly, leaves them out, so that
 * its files are the same every time. */
static void write_tables(FILE *csv, const plan *p, const journal *j) {
  uint32_t k;
  fputs(table_columns, csv);
  for (k = 0; k < p->count; k++) {
    const cell *c = &p->cells[k];
    const table_result *t;
    figures reference, paper;
    double seconds;
    if (c->kind != CELL_TABLE || !(t = find_table(j, c))) continue;
    find_figures(p, c, &reference, &paper);
    seconds = p->quick ? -1 : table_seconds(c, t);
    put_names(csv, c, c->sampler->name);
    fprintf(csv, ",%u,%u,%" PRIu64, (unsigned)c->chains, (unsigned)(c->warmup + c->steps), c->seed);
    write_number(csv, t->acceptance);
    write_number(csv, t->acceptance_se);
    write_number(csv, t->ejd);
    write_number(csv, t->ejd_se);
    write_number(csv, t->ess);
    write_number(csv, t->ess_se);
    write_number(csv, t->r);
    write_number(csv, t->r_se);
    write_number(csv, seconds);
    write_number(csv, seconds < 0 ? -1 : seconds * t->pace_se);
    write_number(csv, seconds < 0 ? -1 : t->ess * (c->chains - t->without_ess) / (t->step_seconds * c->chains * c->steps));
    write_number(csv, t->evaluations);
    write_number(csv, reference.ejd);
    write_number(csv, reference.ejd_se);
    write_number(csv, reference.ess);
    write_number(csv, reference.ess_se);
    write_number(csv, paper.ejd);
    write_number(csv, paper.ess);
    write_number(csv, paper.seconds);
    fprintf(csv, "\n");
  }
}

/* ---- curves.csv, peaks.csv ----------------------------------------------------------------------------------------- */

/* (6) or (20), with the corrected lambda_1, for LBP-R and RWM-R on the product; 0 for all else. */
static int find_theory(const plan *p, const cell *c, lbp_scaling *s) {
  static const lbp_g weights[WEIGHT_COUNT] = {lbp_g_barker, lbp_g_sqrt};
  bench_model m;
  double *probability, lambda;
  uint32_t i;
  int status;
  if (c->model != MODEL_BERNOULLI || c->kernel == LBP_SAMPLER_GWG) return 0;
  bench_model_load(&m, c->model, c->extent, c->config, p->data);
  probability = (double *)basic_alloc(m.n, sizeof *probability);
  for (i = 0; i < m.n; i++) probability[i] = 1 / (1 + exp(-(double)m.as.bernoulli.logit[i]));
  if (c->kernel == LBP_SAMPLER_RWM) {
    status = lbp_lambda2(probability, m.n, &lambda);
    if (status == LBP_OK) status = lbp_scaling_rwm(s, lambda, m.n);
  } else {
    status = lbp_lambda1(probability, m.n, weights[c->weight], LBP_LAMBDA_CORRECTED, &lambda);
    if (status == LBP_OK) status = lbp_scaling_lbp(s, lambda, m.n);
  }
  if (status != LBP_OK) basic_die("lambda: %s", lbp_error(status));
  free(probability);
  bench_model_free(&m);
  return 1;
}

static const curve_point *find_curve(const journal *j, const cell *c, uint32_t *count) {
  const journal_entry *e = find_cell(j, c);
  *count = e ? (uint32_t)(e->count * sizeof(double) / sizeof(curve_point)) : 0;
  return e ? (const curve_point *)(const void *)e->values : NULL;
}

static void write_curves(FILE *csv, FILE *peaks, const plan *p, const journal *j) {
  uint32_t k, i, count;
  fprintf(csv, "model,config,size,sampler,weight,chains,steps,seed,target,acceptance,acceptance_se,ejd,ejd_se,ess,ess_se,R,"
               "theory_acceptance,theory_ejd\n");
  fprintf(peaks, "model,config,size,sampler,weight,acceptance,acceptance_se,ejd,ejd_se,R,inside,fit_low,fit_high,"
                 "theory_power,theory_rate,theory_sites\n");
  for (k = 0; k < p->count; k++) {
    const cell *c = &p->cells[k];
    const curve_point *points;
    best_point best;
    lbp_scaling theory;
    int has_theory;
    if (c->kind != CELL_CURVE || !(points = find_curve(j, c, &count))) continue;
    has_theory = find_theory(p, c, &theory);
    for (i = 0; i < count; i++) {
      put_names(csv, c, kernel_names[c->kernel]);
      fprintf(csv, ",%u,%u,%" PRIu64, (unsigned)c->chains, (unsigned)c->steps, c->seed);
      write_number(csv, points[i].target);
      write_number(csv, points[i].acceptance);
      write_number(csv, points[i].acceptance_se);
      write_number(csv, points[i].ejd);
      write_number(csv, points[i].ejd_se);
      write_number(csv, points[i].ess);
      write_number(csv, points[i].ess_se);
      write_number(csv, points[i].r);
      write_number(csv, has_theory ? lbp_scaling_acceptance(&theory, points[i].r) : -1);
      write_number(csv, has_theory ? lbp_scaling_ejd(&theory, points[i].r) : -1);
      fprintf(csv, "\n");
    }
    best = curve_best(j, c);
    put_names(peaks, c, kernel_names[c->kernel]);
    write_number(peaks, best.acceptance);
    write_number(peaks, best.inside ? best.acceptance_se : -1);
    write_number(peaks, best.ejd);
    write_number(peaks, best.inside ? best.ejd_se : -1);
    write_number(peaks, best.r);
    write_number(peaks, best.inside);
    write_number(peaks, best.low);
    write_number(peaks, best.high);
    write_number(peaks, has_theory ? theory.power : -1);
    write_number(peaks, has_theory ? theory.rate : -1);
    write_number(peaks, has_theory ? theory.sites : -1);
    fprintf(peaks, "\n");
  }
}

/* ---- scaling.csv, slopes.csv --------------------------------------------------------------------------------------- */

/* The largest jump distance as a function of R; 0 if the cell is not finished. */
static int find_best_r(const journal *j, const cell *c, peak *best) {
  uint32_t count, k;
  const curve_point *points = find_curve(j, c, &count);
  double r[CURVE_MOST] = {0}, ejd[CURVE_MOST] = {0};
  if (!points) return 0;
  for (k = 0; k < count; k++) {
    r[k] = points[k].r;
    ejd[k] = points[k].ejd;
  }
  *best = fit_peak(r, ejd, count, 0.8);
  return 1;
}

enum { SCALING_MOST = 16 };

/* One line of figure 5: a model and configuration. */
typedef struct {
  uint32_t count;
  double sites[SCALING_MOST], best_r[SCALING_MOST], ratio[SCALING_MOST];
} scaling_line;

static void write_slope(FILE *csv, const char *model, int config, const char *what, const double *x, const double *y,
                        uint32_t count) {
  const log_slope s = fit_log_slope(x, y, count);
  if (count < 5) return; /* too few for an error that means something */
  fprintf(csv, "%s,C%d,%s,%.0f,%.0f,%u,%.4f,%.4f\n", model, config, what, x[0], x[count - 1], (unsigned)count, s.slope, s.se);
}

static void collect_line(FILE *csv, const plan *p, const journal *j, int model, int config, scaling_line *line) {
  uint32_t k;
  line->count = 0;
  for (k = 0; k < p->count && line->count < SCALING_MOST; k++) {
    const cell *c = &p->cells[k];
    cell other = *c;
    const cell *rwm_cell;
    lbp_scaling theory;
    peak lbp, rwm;
    double ratio;
    if (c->kind != CELL_SCALING || c->kernel != LBP_SAMPLER_LBP || c->model != model || c->config != config) continue;
    other.kernel = LBP_SAMPLER_RWM;
    rwm_cell = plan_find(p, CELL_SCALING, &other);
    if (!find_best_r(j, c, &lbp) || !find_best_r(j, rwm_cell, &rwm)) continue;
    ratio = lbp.value / rwm.value;
    if (lbp.inside && rwm.inside) { /* a peak at the end of its curve counts for no slope */
      line->sites[line->count] = bench_model_sites(c->model, c->extent);
      line->best_r[line->count] = lbp.at;
      line->ratio[line->count++] = ratio;
    }
    fprintf(csv, "%s,C%d,%c=%u,%u", model_names[c->model], c->config, model_letters[c->model], (unsigned)c->extent,
            (unsigned)bench_model_sites(c->model, c->extent));
    write_number(csv, lbp.at);
    write_number(csv, lbp.inside ? lbp.at_se : -1);
    write_number(csv, lbp.value);
    write_number(csv, lbp.inside ? lbp.value_se : -1);
    write_number(csv, rwm.at);
    write_number(csv, rwm.inside ? rwm.at_se : -1);
    write_number(csv, rwm.value);
    write_number(csv, rwm.inside ? rwm.value_se : -1);
    write_number(csv, ratio);
    write_number(csv, lbp.inside && rwm.inside ? ratio * hypot(lbp.value_se / lbp.value, rwm.value_se / rwm.value) : -1);
    write_number(csv, find_theory(p, c, &theory) ? lbp_scaling_best_R(&theory) : -1);
    fprintf(csv, "\n");
  }
}

/* Slopes over all sizes and over the larger ones, where they should come to 2/3. */
static void write_scaling(FILE *csv, FILE *slopes, const plan *p, const journal *j) {
  int model, config;
  fprintf(csv, "model,config,size,sites,best_R,best_R_se,ejd,ejd_se,rwm_R,rwm_R_se,rwm_ejd,rwm_ejd_se,ratio,ratio_se,"
               "theory_R\n");
  fprintf(slopes, "model,config,quantity,from_sites,to_sites,points,slope,slope_se\n");
  for (model = 0; model < MODEL_RBM; model++) {
    for (config = 1; config <= 3; config++) {
      const double from[3] = {0, 1000, 10000};
      scaling_line line;
      int k;
      collect_line(csv, p, j, model, config, &line);
      for (k = 0; k < 3; k++) {
        uint32_t first = 0;
        while (first < line.count && line.sites[first] < from[k]) first++;
        write_slope(slopes, model_names[model], config, "best_R", line.sites + first, line.best_r + first,
                    line.count - first);
        write_slope(slopes, model_names[model], config, "ratio", line.sites + first, line.ratio + first,
                    line.count - first);
      }
    }
  }
}

/* ---- epsilon.csv, reach.csv ---------------------------------------------------------------------------------------- */

/* What a cell of tables 3 and 4 tells: acceptance rates at R = 1, at R = N, and at the best R. */
typedef struct {
  curve_point one, all;
  best_point best;
} epsilon_result;

static int find_epsilon(const plan *p, const journal *j, const epsilon_row *row, int k, epsilon_result *result) {
  const uint32_t n = epsilon_n(row, k);
  uint32_t i, count;
  for (i = 0; i < p->count; i++) {
    const cell *c = &p->cells[i];
    const curve_point *points;
    if (c->kind != CELL_EPSILON || c->extent != n || c->p != epsilon_p(row) || !(points = find_curve(j, c, &count))) continue;
    result->one = points[0];
    result->all = points[count - 1];
    result->best = curve_best(j, c);
    return 1;
  }
  return 0;
}

/* Where an acceptance rate comes to 0.574: by a parabola in log N. */
typedef struct {
  double n, se; /* n is 0 if it is not within the sizes computed */
} reach;

static reach find_reach(const plan *p, const journal *j, const epsilon_row *row) {
  double t[EPSILON_AROUND], a[EPSILON_AROUND], gradient[FIT_TERMS], low = -1, high = 1;
  const double middle = log(row->paper_n), half = log(2.0);
  reach r = {0, 0};
  uint32_t count = 0;
  fit f;
  int k;
  for (k = 0; k < EPSILON_AROUND; k++) {
    epsilon_result e;
    if (!find_epsilon(p, j, row, k, &e)) continue;
    t[count] = (log(epsilon_n(row, k)) - middle) / half;
    a[count++] = (row->half ? e.all.acceptance : e.one.acceptance) - LBP_TARGET_LBP;
  }
  if (!fit_polynomial(&f, t, a, count, 3)) return r;
  if (fit_derivative(&f, low, 0, gradient) * fit_derivative(&f, high, 0, gradient) > 0) return r;
  for (k = 0; k < 50; k++) {
    const double at = (low + high) / 2;
    if (fit_derivative(&f, low, 0, gradient) * fit_derivative(&f, at, 0, gradient) > 0) low = at;
    else high = at;
  }
  r.n = exp(middle + half * low);
  fit_derivative(&f, low, 0, gradient);
  r.se = sqrt(fit_variance(&f, gradient));
  r.se *= r.n * half / fabs(fit_derivative(&f, low, 1, gradient));
  return r;
}

static void write_epsilon(FILE *csv, FILE *summary, const plan *p, const journal *j) {
  int row, k;
  fprintf(csv, "p,N,acceptance_R_1,acceptance_R_1_se,acceptance_R_N,acceptance_R_N_se,best_R,best_acceptance\n");
  fprintf(summary, "table,epsilon,paper_N,N,N_se,best_acceptance_N,best_acceptance_4N,best_acceptance_16N\n");
  for (row = 0; row < EPSILON_ROWS; row++) {
    const epsilon_row *e = &epsilon_rows[row];
    const reach r = find_reach(p, j, e);
    double best[3] = {-1, -1, -1};
    for (k = 0; k < EPSILON_AROUND + 2; k++) {
      epsilon_result found;
      if (!find_epsilon(p, j, e, k, &found)) continue;
      fprintf(csv, "%g,%u", epsilon_p(e), (unsigned)epsilon_n(e, k));
      write_number(csv, found.one.acceptance);
      write_number(csv, found.one.acceptance_se);
      write_number(csv, found.all.acceptance);
      write_number(csv, found.all.acceptance_se);
      write_number(csv, found.best.r);
      write_number(csv, found.best.acceptance);
      fprintf(csv, "\n");
      if (k == EPSILON_AROUND / 2) best[0] = found.best.acceptance;
      if (k >= EPSILON_AROUND) best[k - EPSILON_AROUND + 1] = found.best.acceptance;
    }
    fprintf(summary, "%d,%g,%u", e->half ? 3 : 4, e->epsilon, (unsigned)e->paper_n);
    write_number(summary, r.n > 0 ? r.n : -1);
    write_number(summary, r.n > 0 ? r.se : -1);
    for (k = 0; k < 3; k++) write_number(summary, best[k]);
    fprintf(summary, "\n");
  }
}

#endif
