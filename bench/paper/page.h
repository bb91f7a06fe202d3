/* report.md of `make bench-paper`: our tables and pictures beside the paper's numbers, and where they differ and why. */
#ifndef BENCH_PAGE_H
#define BENCH_PAGE_H

#include "report.h"

/* ---- what a table shows ------------------------------------------------------------------------------------------- */

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

static void print_table(FILE *md, const study *p, int model, int number, quantity what) {
  fprintf(md, "\n**Table %d. %s%s**\n\n| |", number, quantity_names[what],
          what == SHOW_TIME ? ", 100 chains: seconds of one core here, *of the paper's GPU there*" : "");
  for (int k = 0; k < plan_columns(model); k++) {
    const cell c = plan_column(model, k);
    fprintf(md, " %c=%u", model_letters[model], (unsigned)c.extent);
    if (model != MODEL_RBM) fprintf(md, " C%d", c.config);
    fprintf(md, " |");
  }
  print_rule(md, plan_columns(model));
  for (int w = 0; w < WEIGHT_COUNT; w++) {
    for (int s = 0; s < SAMPLERS; s++) {
      if (samplers[s].kernel == LBP_RUN_GIBBS || (w && !is_weighted(&samplers[s]))) continue;
      fprintf(md, "\n| %s%s%s |", samplers[s].name, is_weighted(&samplers[s]) ? " " : "",
              is_weighted(&samplers[s]) ? weight_names[w] : "");
      for (int k = 0; k < plan_columns(model); k++) {
        cell like = plan_column(model, k);
        shown text;
        like.sampler = &samplers[s];
        like.kernel = samplers[s].kernel;
        like.weight = w;
        const cell *c = plan_find(p, CELL_TABLE, &like);
        if (c && find_shown(p, c, what, &text)) print_cell_text(md, &text, what);
        else fprintf(md, " – |");
      }
    }
  }
  fprintf(md, "\n");
}

/* ---- the paper's numbers as a share of ours -------------------------------------------------------------------------- */

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

/* One row of samplers: with R = 1 all together, else by kernel. coded: against the emulation of the paper's code. */
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

static void print_shares(FILE *md, const study *p, int model) {
  static const char *const names[4] = {"R = 1, all samplers", "ARWM, GRWM", "AGWG, GGWG", "ALBP, GLBP"};
  fprintf(md, "\nThe paper's numbers divided by ours, geometric mean and range over the tables:\n\n"
              "| | jump distance | effective sample size | time |\n|---|---:|---:|---:|\n");
  for (int row = 0; row < 4; row++) {
    const int kind = row == 3 ? LBP_RUN_LBP : row == 2 ? LBP_RUN_GWG : LBP_RUN_RWM;
    fprintf(md, "| %s |", names[row]);
    for (int what = 0; what < SHOWN; what++) print_share(md, find_share(p, model, row == 0, kind, (quantity)what, 0));
    fprintf(md, "\n");
  }
}

/* ---- peaks ------------------------------------------------------------------------------------------------------------ */

/* The peak of the curve of a kernel and weight function on a model; 0 if it is not finished. */
static int find_peak(const study *p, cell like, int kernel, int weight, best_point *best) {
  like.kernel = kernel;
  like.weight = weight;
  const cell *c = plan_find(p, CELL_CURVE, &like);
  if (!c || !study_find(p, c)) return 0;
  *best = curve_best(p, c);
  return 1;
}

static void print_peaks(FILE *md, const study *p, int model) {
  static const int kernels[5] = {LBP_RUN_RWM, LBP_RUN_GWG, LBP_RUN_GWG, LBP_RUN_LBP, LBP_RUN_LBP};
  static const int weights[5] = {WEIGHT_BARKER, WEIGHT_BARKER, WEIGHT_SQRT, WEIGHT_BARKER, WEIGHT_SQRT};
  fprintf(md, "\nAcceptance rate at the largest jump distance (a smooth fit through the curve):\n\n"
              "| | RWM | GWG t/(1+t) | GWG sqrt(t) | LBP t/(1+t) | LBP sqrt(t) |\n|---|---:|---:|---:|---:|---:|\n");
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

/* ---- where and why ---------------------------------------------------------------------------------------------------- */

static void print_why(FILE *md, const study *p, int model) {
  const share lbp = find_share(p, model, 0, LBP_RUN_LBP, SHOW_EJD, 0);
  const share coded = find_share(p, model, 0, LBP_RUN_LBP, SHOW_EJD, 1);
  switch (model) {
    case MODEL_BERNOULLI:
      fprintf(md,
              "\nWhere they differ: LBP with R > 1, in jump distance and with it in effective sample size. The paper's code takes\n"
              "the reverse path of (5) in forward order; that raises lambda_1 by sqrt(4/3), and at the same acceptance rate the\n"
              "jump distance falls to (3/4)^(1/3) = 0.909 of (5)'s; the tables give %.3f. ", lbp.mean);
      if (coded.count) {
        fprintf(md, "Against an emulation of that code (reference.csv) the\npaper's numbers are %.3f of what they should be. ",
                coded.mean);
      }
      fprintf(md,
              "The paper's runs are shorter than its\nappendix says: 4000, 10000 and 40000 steps give its effective sample "
              "sizes, and are used here. GWG's best\nacceptance rate is below 0.574: drawing with replacement, a site that comes twice is flipped once.\n");
      break;
    case MODEL_ISING:
      fprintf(md,
              "\nWhere they differ: LBP with R > 1 by the order of the reverse path, here 1 to 3 %% (%.3f). The sign in (184) is\n"
              "the other way round, and the half area of mu lies within p^2/(2 pi); p = 100 is another random field than the paper's.\n"
              "With t/(1+t) the best acceptance rate falls with the size and the coupling, as figure 2 has it (`around 0.5`); with\n"
              "sqrt(t) it stays near 0.574.\n", lbp.mean);
      break;
    case MODEL_FHMM:
      fprintf(md,
              "\nWhere they differ: LBP with R > 1 by the order of the reverse path (%.3f). The paper's tables belong to the law that\n"
              "its code evaluates (a prior of the wrong sign, 0.2 taken for a logit), which is sampled here too; `LBP_FHMM_AS_WRITTEN`\n"
              "is the real posterior. Its table 1 has ESS and time interchanged in the rows of LBP; tables 12 and 13 have not.\n"
              "L = 4000 is another series than the paper's.\n", lbp.mean);
      break;
    default:
      fprintf(md,
              "\nWhere they differ: every training run gives another network, and the effective sample size tells how often chains\n"
              "change between digits: it differs between two trained networks of one size more than between the samplers. The jump\n"
              "distance agrees in order and size (LBP with R > 1: %.3f). RWM's acceptance rate is below 0.234 at R = 1 already, so\n"
              "R = 1 is its best. Effective sample sizes along the curves are not resolved here: their chains of 3000 steps change\n"
              "between digits a few times at most; table 15 has 20000. Peaks have larger errors than they say, since the points of\n"
              "a curve share chains that stay in one digit.\n", lbp.mean);
  }
}

static void print_model(FILE *md, const study *p, int model) {
  static const char *const titles[MODEL_COUNT] = {"Bernoulli product", "Ising model", "Factorial hidden Markov model",
                                                  "Restricted Boltzmann machine"};
  fprintf(md, "\n## %s\n\n![figure %d](figure%d.svg)\n\n*Figure %d: jump distance and effective sample size against acceptance rate, %s.*\n\n"
              "![figure %d, jump distance](figure%d_ejd.svg)\n\n![figure %d, effective sample size](figure%d_ess.svg)\n\n"
              "*Figure %d: the same for all samplers and sizes.*\n",
          titles[model], model + 1, model + 1, model + 1,
          model == MODEL_RBM ? "all sizes" : "the middle size; the line is (6)-(8) or (20)-(21) where it is there",
          model + 7, model + 7, model + 7, model + 7, model + 7);
  print_peaks(md, p, model);
  for (int what = 0; what < SHOWN; what++) {
    if (what == SHOW_TIME && p->quick) fprintf(md, "\n**Table %d.** Times are measured by the full run only.\n", 5 + 3 * model + what);
    else print_table(md, p, model, 5 + 3 * model + what, (quantity)what);
  }
  print_shares(md, p, model);
  print_why(md, p, model);
}

/* ---- against the reference -------------------------------------------------------------------------------------------- */

static const char *why_off(const cell *c, quantity what, const shown *s) {
  if (c->model == MODEL_RBM) return "another network: every training run gives another one";
  if (what == SHOW_ESS && s->ours.mean < 20) return "chains that hardly move: the estimator's own noise, whose standard error is not normal";
  if (c->chains <= 8) return "few chains, whose standard error is uncertain";
  if (what == SHOW_ESS && !bench_model_has_x0(c->model, c->extent)) {
    return "distance to another random state x0: the reference's is not at hand for this size";
  }
  if (what == SHOW_ESS && s->coded > s->reference.mean) {
    return "the reference is below its own emulation of the paper's code, which moves less far";
  }
  return "chance, or not explained";
}

static void print_reference(FILE *md, const study *p) {
  uint32_t compared[2] = {0, 0}, off[2] = {0, 0}, k;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) {
      for (int what = 0; what < 2; what++) {
        fprintf(md, "- %s: %u of %u cells within 3 standard errors or 3 %% of the reference simulator's\n", quantity_names[what],
                (unsigned)(compared[what] - off[what]), (unsigned)compared[what]);
      }
      if (off[0] + off[1] == 0) return;
      fprintf(md, "\n| outside | | ours | reference | standard errors apart | reason |\n|---|---|---:|---:|---:|---|\n");
    }
    for (k = 0; k < p->count; k++) {
      for (int what = 0; what < 2; what++) {
        const cell *c = plan_at(p, k);
        shown s;
        if (c->kind != CELL_TABLE || !find_shown(p, c, (quantity)what, &s) || s.reference.mean < 0) continue;
        if (!pass) {
          compared[what]++;
          off[what] += (uint32_t)is_off(&s);
        } else if (is_off(&s)) {
          fprintf(md, "| %s | %s | ", strchr(c->key, '/') + 1, what ? "ESS" : "EJD");
          print_estimate(md, s.ours);
          fprintf(md, " | ");
          print_estimate(md, s.reference);
          fprintf(md, " | %.1f | %s |\n",
                  (s.ours.mean - s.reference.mean) / hypot(s.ours.se, s.reference.se),
                  why_off(c, (quantity)what, &s));
        }
      }
    }
  }
}

/* ---- figure 5, tables 3 and 4: from their CSV files --------------------------------------------------------------------- */

/* Prints the rows of a CSV file as a table of Markdown. */
static void print_csv(FILE *md, const char *folder, const char *name) {
  char path[1100], line[1024];
  int row = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *csv = fopen(path, "r");
  if (!csv) basic_die("cannot read %s: %s", path, strerror(errno));
  while (fgets(line, sizeof line, csv)) {
    char *c;
    int columns = 1;
    line[strcspn(line, "\n")] = '\0';
    fprintf(md, "| ");
    for (c = line; *c; c++) {
      if (*c == ',') {
        fprintf(md, " | ");
        columns++;
      } else {
        fputc(*c == '_' && !row ? ' ' : *c, md);
      }
    }
    fprintf(md, " |\n");
    if (row++ == 0) {
      fprintf(md, "|");
      while (columns--) fprintf(md, "---|");
      fprintf(md, "\n");
    }
  }
  fclose(csv);
}

/* The N of tables 3 or 4 where 0.574 comes within reach, divided by the paper's. */
static void print_reach(FILE *md, const study *p, int table) {
  share s = {0, 0, 0, 0};
  for (int k = 0; k < EPSILON_ROWS; k++) {
    const double n = find_reach(p, &epsilon_rows[k]).mean;
    if (epsilon_rows[k].half == (table == 3) && n > 0) add_share(&s, n / epsilon_rows[k].paper_n);
  }
  if (s.count) fprintf(md, "\nTable %d: our N is %.2f (%.2f to %.2f) times the paper's.\n", table, s.mean, s.low, s.high);
}

/* ---- the page ----------------------------------------------------------------------------------------------------------- */

/* The acceptance rates and slopes that the theory is about. */
static void print_theory(FILE *md, const study *p) {
  const int kernels[2] = {LBP_RUN_LBP, LBP_RUN_RWM};
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

static void page_write(const study *p, FILE *md, const char *folder) {
  fprintf(md, "# The experiments of \"Optimal Scaling for Locally Balanced Proposals in Discrete Spaces\"\n\n"
              "Written by `make bench-paper`. ");
  study_machine(p, md);
  fprintf(md, "%s.\n\n", p->quick ? " (--quick: 4 chains instead of 25 to 100, and two fifths of the points of a curve)" : "");
  fprintf(md, "Every table has our number with its standard error and, below, *the paper's*; **!** marks those off the reference\n"
              "(listed below). Errors are between chains. C1 to C3: smooth, moderate, sharp.\n\n"
              "![all cells, ours against the paper's](tables.svg)\n\n");
  print_theory(md, p);
  print_reference(md, p);
  for (int model = 0; model < MODEL_COUNT; model++) print_model(md, p, model);
  fprintf(md, "\n## Figure 5: how it scales\n\n![best R and efficiency ratio against N](figure5.svg)\n\n"
              "Best R of LBP with t/(1+t), and its jump distance there divided by RWM's at its best R; slopes of straight lines in\n"
              "the logarithms, with standard errors, over all sizes and over the larger ones. Theory: 2/3 for both.\n\n");
  print_csv(md, folder, report_names[FILE_SLOPES]);
  fprintf(md, "\nThe paper shows slopes near 2/3 without numbers.\n"
              "\n## Tables 3 and 4: how large N must be\n\n"
              "All p_i = 1/2 - epsilon (table 3) or epsilon (table 4), g(t) = sqrt(t). The paper gives N without saying by what rule.\n"
              "N here: where acceptance rate 0.574 comes within reach of some R in 1 ... N, that is where R = N is accepted no more\n"
              "often (table 3), or R = 1 as often (table 4), by the argument of its appendix B.2: a constant ratio\n"
              "to the paper's N means its powers, epsilon^-2 and epsilon^-1. Beside it, the acceptance rate at\n"
              "the best R for the paper's N, four and sixteen times that: 0.574 itself is approached more slowly.\n\n");
  print_csv(md, folder, report_names[FILE_REACH]);
  print_reach(md, p, 3);
  print_reach(md, p, 4);
  fprintf(md, "\nFiles: `tables.csv`, `curves.csv`, `peaks.csv`, `scaling.csv`, `slopes.csv`, `epsilon.csv`, `reach.csv`. `seconds` are\n"
              "CPU seconds of all chains of a cell, `ess_per_second` is per second of one core.\n");
}

#endif
