/* The tables of report.md of `make bench-paper`, whose text is bench/paper/report.in: our tables next to the paper's
 * numbers, and where they differ. */
#ifndef BENCH_PAGE_H
#define BENCH_PAGE_H

#include "report.h"

static int model_of(const char *text) {
  for (int model = 0; model < MODEL_COUNT; model++) {
    if (strncmp(text, model_names[model], strlen(model_names[model])) == 0) return model;
  }
  basic_die("%s: no such model", text);
  return 0;
}

typedef enum { SHOW_EJD, SHOW_ESS, SHOW_TIME, SHOWN } quantity;

static const char *const quantity_names[SHOWN] = {"Expected jump distance", "Effective sample size", "Running time"};

typedef struct {
  estimate ours, reference;
  double paper, coded; /* negative: none, as of the reference */
} shown;

static int find_shown(const study *p, const cell *c, quantity what, shown *s) {
  const table_result *t = find_table(p, c);
  if (!t) return 0;
  const figures f = find_figures(p, c);
  if (what == SHOW_TIME) { /* for 100 chains, whatever their number here */
    s->ours.mean = table_seconds(c, t) * 100 / c->chains;
    s->ours.se = s->ours.mean * t->pace_se;
    s->reference.mean = s->coded = -1;
    s->paper = f.paper.seconds;
    return 1;
  }
  s->ours = what == SHOW_EJD ? t->ejd : t->ess;
  s->reference = what == SHOW_EJD ? f.reference.ejd : f.reference.ess;
  s->coded = what == SHOW_EJD ? f.reference.coded_ejd : f.reference.coded_ess;
  s->paper = what == SHOW_EJD ? f.paper.ejd : f.paper.ess;
  return 1;
}

static int is_off(const shown *s) { return s->reference.mean >= 0 && !is_near(s->ours, s->reference, 0.03); }

/* As many that two digits of the error show, but for errors below 0.0001. */
static int decimals(estimate e) {
  int d = 0;
  double shown_se = e.se;
  while (d < 4 && shown_se < 9.5) {
    shown_se *= 10;
    d++;
  }
  return d;
}

static void print_estimate(FILE *md, estimate e) {
  const int d = decimals(e);
  fprintf(md, "%.*f ± %.*f", d, e.mean, d, e.se);
}

static void print_cell_text(FILE *md, const shown *s, quantity what) {
  if (what == SHOW_TIME) fprintf(md, " %.*f", s->ours.mean < 10 ? 2 : 1, s->ours.mean);
  else fprintf(md, " "), print_estimate(md, s->ours);
  if (is_off(s)) fprintf(md, " **!**");
  if (s->paper >= 0) fprintf(md, "<br>*%.*f*", s->paper < 100 ? 2 : 1, s->paper);
  fprintf(md, " |");
}

/* "bernoulli ejd", without its title. */
static void print_table(const study *p, FILE *md, const char *text) {
  const quantity what = strstr(text, "ejd") ? SHOW_EJD : strstr(text, "ess") ? SHOW_ESS : SHOW_TIME;
  const int model = model_of(text);
  if (what == SHOW_TIME && p->quick) {
    fprintf(md, "Times are measured by the full run only.\n");
    return;
  }
  fprintf(md, "| |");
  for (int k = 0; k < plan_columns(model); k++) {
    const cell c = plan_column(model, k);
    fprintf(md, " %c=%u", model_letters[model], (unsigned)c.extent);
    if (model != MODEL_RBM) fprintf(md, " C%d", c.config);
    fprintf(md, " |");
  }
  print_rule(md, plan_columns(model));
  for (int w = 0; w < WEIGHT_COUNT; w++) {
    for (int s = 0; s < SAMPLERS; s++) {
      if (samplers[s].kernel == LBP_SAMPLER_GIBBS || (w && !is_weighted(&samplers[s]))) continue;
      fprintf(md, "\n| %s%s%s |", samplers[s].name, is_weighted(&samplers[s]) ? " " : "",
              is_weighted(&samplers[s]) ? weight_names[w] : "");
      for (int k = 0; k < plan_columns(model); k++) {
        cell like = plan_column(model, k);
        shown found;
        like.sampler = &samplers[s];
        like.kernel = samplers[s].kernel;
        like.weight = w;
        const cell *c = plan_find(p, CELL_TABLE, &like);
        if (c && find_shown(p, c, what, &found)) print_cell_text(md, &found, what);
        else fprintf(md, " – |");
      }
    }
  }
  fprintf(md, "\n");
}

/* ---- the paper's numbers as a share of ours ---------------------------------------------------------------------- */

typedef struct {
  double mean, low, high; /* geometric mean and range */
  uint32_t count;
} share;

static void add_share(share *s, double ratio) {
  if (!s->count || ratio < s->low) s->low = ratio;
  if (!s->count || ratio > s->high) s->high = ratio;
  s->mean = exp((s->count * (s->count ? log(s->mean) : 0) + log(ratio)) / (s->count + 1));
  s->count++;
}

/* One row of samplers: with R = 1 all together, else by kernel. coded: against the simulation in forward order. */
static share find_share(const study *p, int model, int single, int kind, quantity what, int coded) {
  share result = {0, 0, 0, 0};
  for (uint32_t k = 0; k < p->count; k++) {
    const cell *c = plan_at(p, k);
    shown s;
    if (c->kind != CELL_TABLE || c->model != model || (c->sampler->mode == MODE_ONE) != single) continue;
    if ((!single && c->kernel != kind) || !find_shown(p, c, what, &s) || !(s.paper > 0)) continue;
    if (coded && !(s.coded > 0)) continue;
    add_share(&result, s.paper / (coded ? s.coded : s.ours.mean));
  }
  return result;
}

static void print_share(FILE *md, share s) {
  const int d = s.mean < 3 ? 2 : s.mean < 30 ? 1 : 0;
  if (s.count) fprintf(md, " %.*f (%.*f to %.*f) |", d + (d == 2), s.mean, d, s.low, d, s.high);
  else fprintf(md, " – |");
}

/* The paper's numbers divided by ours, geometric mean and range over the tables. */
static void print_shares(const study *p, FILE *md, const char *text) {
  static const char *const names[4] = {"R = 1, all samplers", "ARWM, GRWM", "AGWG, GGWG", "ALBP, GLBP"};
  fprintf(md, "| | jump distance | effective sample size | time |\n|---|---:|---:|---:|\n");
  for (int row = 0; row < 4; row++) {
    const int kind = row == 3 ? LBP_SAMPLER_LBP : row == 2 ? LBP_SAMPLER_GWG : LBP_SAMPLER_RWM;
    fprintf(md, "| %s |", names[row]);
    for (int q = 0; q < SHOWN; q++) print_share(md, find_share(p, model_of(text), row == 0, kind, (quantity)q, 0));
    fprintf(md, "\n");
  }
}

/* ---- peaks ------------------------------------------------------------------------------------------------------- */

/* The peak of the curve of a kernel and weight function on a model; 0 if it is not finished. */
static int find_peak(const study *p, cell like, int kernel, int weight, best_point *best) {
  like.kernel = kernel;
  like.weight = weight;
  const cell *c = plan_find(p, CELL_CURVE, &like);
  if (!c || !study_find(p, c)) return 0;
  *best = curve_best(p, c);
  return 1;
}

/* Acceptance rates at the largest jump distance. */
static void print_peaks(const study *p, FILE *md, const char *text) {
  static const int kernels[5] = {LBP_SAMPLER_RWM, LBP_SAMPLER_GWG, LBP_SAMPLER_GWG, LBP_SAMPLER_LBP, LBP_SAMPLER_LBP};
  static const int weights[5] = {WEIGHT_BARKER, WEIGHT_BARKER, WEIGHT_SQRT, WEIGHT_BARKER, WEIGHT_SQRT};
  const int model = model_of(text);
  fprintf(md, "| | RWM | GWG t/(1+t) | GWG sqrt(t) | LBP t/(1+t) | LBP sqrt(t) |");
  print_rule(md, 5);
  fprintf(md, "\n");
  for (int column = 0; column < plan_columns(model); column++) {
    const cell like = plan_column(model, column);
    fprintf(md, "| %c=%u C%d |", model_letters[model], (unsigned)like.extent, like.config);
    for (int k = 0; k < 5; k++) {
      best_point best;
      if (!find_peak(p, like, kernels[k], weights[k], &best)) fprintf(md, " – |");
      else if (best.inside) fprintf(md, " %.3f ± %.3f |", best.acceptance.mean, best.acceptance.se);
      else fprintf(md, " R = %.0f: %.3f |", best.r, best.acceptance.mean);
    }
    fprintf(md, "\n");
  }
}

/* ---- against the reference --------------------------------------------------------------------------------------- */

static void print_reference(const study *p, FILE *md, const char *none) {
  uint32_t compared[2] = {0, 0}, off[2] = {0, 0};
  char *outside;
  size_t size;
  FILE *rows = open_memstream(&outside, &size);
  (void)none;
  for (uint32_t k = 0; k < 2 * p->count; k++) {
    const quantity what = (quantity)(k % 2);
    const cell *c = plan_at(p, k / 2);
    shown s;
    if (c->kind != CELL_TABLE || !find_shown(p, c, what, &s) || s.reference.mean < 0) continue;
    compared[what]++;
    if (!is_off(&s)) continue;
    off[what]++;
    fprintf(rows, "| %s | %s | ", strchr(c->key, '/') + 1, what ? "ESS" : "EJD");
    print_estimate(rows, s.ours);
    fprintf(rows, " | ");
    print_estimate(rows, s.reference);
    fprintf(rows, " | %.1f |\n", (s.ours.mean - s.reference.mean) / hypot(s.ours.se, s.reference.se));
  }
  fclose(rows);
  for (int what = 0; what < 2; what++) {
    fprintf(md, "- %s: %u of %u cells within 3 standard errors or 3 %% of the reference simulator's\n", quantity_names[what],
            (unsigned)(compared[what] - off[what]), (unsigned)compared[what]);
  }
  if (size) fprintf(md, "\n| outside | | ours | reference | standard errors apart |\n|---|---|---:|---:|---:|\n%s", outside);
  free(outside);
}

/* The N of tables 3 or 4 where 0.574 comes within reach, divided by the paper's. */
static void print_reach(const study *p, FILE *md, const char *text) {
  const int table = atoi(text);
  share s = {0, 0, 0, 0};
  for (int k = 0; k < EPSILON_ROWS; k++) {
    const double n = find_reach(p, &epsilon_rows[k]).mean;
    if (epsilon_rows[k].half == (table == 3) && n > 0) add_share(&s, n / epsilon_rows[k].paper_n);
  }
  if (s.count) fprintf(md, "\nTable %d: our N is %.2f (%.2f to %.2f) times the paper's.\n", table, s.mean, s.low, s.high);
}

/* ---- the gradient approximation ---------------------------------------------------------------------------------- */

/* How far the estimates are from log-ratios at most, plain and with half the second derivative added. */
static void print_errors(const study *p, FILE *md, const char *none) {
  (void)none;
  fprintf(md, "| | C1 | C2 | C3 |");
  print_rule(md, 3);
  for (int k = 0; k < 4; k++) {
    const int model = k < 2 ? MODEL_ISING : MODEL_FHMM;
    fprintf(md, "\n| %s, %s |", model_names[model], k % 2 ? "corrected" : "estimated");
    for (int config = 1; config <= 3; config++) {
      bench_model m;
      double errors[2];
      bench_model_load(&m, model, bench_table1_extent(model, config), config, p->data);
      gradient_errors(&m, &errors[0], &errors[1]);
      fprintf(md, " %.2g |", errors[k % 2]);
      bench_model_free(&m);
    }
  }
  fprintf(md, "\n");
}

static void print_pair(FILE *md, estimate exact, estimate estimated) {
  fprintf(md, " "), print_estimate(md, exact), fprintf(md, "<br>*"), print_estimate(md, estimated), fprintf(md, "* |");
}

/* Each row by exact log-ratios, and by estimates. */
static void print_gradient(const study *p, FILE *md, const char *text) {
  fprintf(md, "| | acceptance rate | R | jump distance | the paper's | effective sample size | µs a step |");
  print_rule(md, 6);
  fprintf(md, "\n");
  for (uint32_t k = 0; k < p->count; k++) {
    const cell *c = plan_at(p, k), *exact = c->kind == CELL_GRADIENT ? plan_find(p, CELL_TABLE, c) : NULL;
    if (!exact || c->model != model_of(text) || !find_table(p, c) || !find_table(p, exact)) continue;
    const table_result *a = find_table(p, exact), *b = find_table(p, c);
    fprintf(md, "| C%d %s %s |", c->config, c->sampler->name, cell_weight(c));
    print_pair(md, a->acceptance, b->acceptance);
    fprintf(md, " %.1f<br>*%.1f* |", a->r, b->r);
    print_pair(md, a->ejd, b->ejd);
    fprintf(md, " %.2f |", find_figures(p, exact).paper.ejd);
    print_pair(md, a->ess, b->ess);
    if (p->quick) fprintf(md, " – |\n");
    else fprintf(md, " %.2f<br>*%.2f* |\n", 1e6 * a->step_seconds, 1e6 * b->step_seconds);
  }
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* The acceptance rates and slopes that the theory is about. */
static void print_theory(const study *p, FILE *md, const char *none) {
  (void)none;
  const int kernels[2] = {LBP_SAMPLER_LBP, LBP_SAMPLER_RWM};
  int config;
  for (int k = 0; k < 2; k++) {
    for (int w = 0; w < (k ? 1 : WEIGHT_COUNT); w++) {
      fprintf(md, "- %s%s on Bernoulli N = 6400 is best at acceptance rate", kernel_names[kernels[k]],
              k ? "" : w ? " with sqrt(t)" : " with t/(1+t)");
      for (config = 1; config <= 3; config++) { /* the last of the three sizes */
        best_point best;
        if (!find_peak(p, plan_column(MODEL_BERNOULLI, 5 + config), kernels[k], w, &best)) continue;
        fprintf(md, "%s %.3f ± %.3f (C%d)", config > 1 ? "," : "", best.acceptance.mean, best.acceptance.se, config);
      }
      fprintf(md, "; theory: %s\n", k ? "0.234" : "0.574");
    }
  }
}

/* How far from the tables' jump distances the paper's are, with R > 1. */
static void print_lbp_share(const study *p, FILE *md, const char *what) {
  fprintf(md, "%.3f", find_share(p, model_of(what), 0, LBP_SAMPLER_LBP, SHOW_EJD, 0).mean);
}

static void print_coded_share(const study *p, FILE *md, const char *what) {
  const share coded = find_share(p, model_of(what), 0, LBP_SAMPLER_LBP, SHOW_EJD, 1);
  if (!coded.count) return;
  fprintf(md, "Against that simulation (reference.csv) the\npaper's numbers are %.3f of what they should "
              "be. ", coded.mean);
}

static const study_part page_parts[] = {
  {"theory", print_theory}, {"reference", print_reference}, {"peaks", print_peaks}, {"table", print_table},
  {"shares", print_shares}, {"lbp", print_lbp_share},       {"coded", print_coded_share}, {"reach", print_reach},
  {"errors", print_errors}, {"gradient", print_gradient}};

#endif
