/* report.md of `make bench-paper`: our tables and pictures beside the paper's numbers, and where they differ and why. */
#ifndef BENCH_PAGE_H
#define BENCH_PAGE_H

#include "report.h"

/* ---- what a table shows ------------------------------------------------------------------------------------------- */

typedef enum { SHOW_EJD, SHOW_ESS, SHOW_TIME, SHOWN } quantity;

static const char *const quantity_names[SHOWN] = {"Expected jump distance", "Effective sample size", "Running time"};

typedef struct {
  estimate ours;
  double paper, reference, reference_se, coded; /* negative: none */
} shown;

static int find_shown(const plan *p, const journal *j, const cell *c, quantity what, shown *s) {
  const table_result *t = find_table(j, c);
  figures reference, paper;
  if (!t) return 0;
  find_figures(p, c, &reference, &paper);
  s->reference = s->reference_se = s->coded = -1;
  switch (what) {
    case SHOW_EJD:
      s->ours.mean = t->ejd;
      s->ours.se = t->ejd_se;
      s->paper = paper.ejd;
      s->reference = reference.ejd;
      s->reference_se = reference.ejd_se;
      s->coded = reference.coded_ejd;
      return 1;
    case SHOW_ESS:
      s->ours.mean = t->ess;
      s->ours.se = t->ess_se;
      s->paper = paper.ess;
      s->reference = reference.ess;
      s->reference_se = reference.ess_se;
      s->coded = reference.coded_ess;
      return 1;
    default: /* for 100 chains, whatever their number here */
      s->ours.mean = table_seconds(c, t) * 100 / c->chains;
      s->ours.se = s->ours.mean * t->pace_se;
      s->paper = paper.seconds;
      return 1;
  }
}

static int is_off(const shown *s) {
  return s->reference >= 0 && !is_near(s->ours, s->reference, s->reference_se, 0.03);
}

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

/* The tables of one model. */
typedef struct {
  const plan *plan;
  const journal *journal;
  int model;
} tables_of;

static const cell *find_row(const tables_of *t, const sampler *s, int weight, uint32_t extent, int config) {
  uint32_t k;
  for (k = 0; k < t->plan->count; k++) {
    const cell *c = &t->plan->cells[k];
    if (c->kind == CELL_TABLE && c->model == t->model && c->sampler == s && c->weight == weight && c->extent == extent &&
        c->config == config) {
      return c;
    }
  }
  return NULL;
}

static void print_table(FILE *md, const tables_of *t, int number, quantity what) {
  int s, w, size, config;
  fprintf(md, "\n**Table %d. %s%s**\n\n| |", number, quantity_names[what],
          what == SHOW_TIME ? ", 100 chains: seconds of one core here, *of the paper's GPU there*" : "");
  for (size = 0; size < EXTENTS; size++) {
    for (config = 1; config <= 3; config++) {
      if (t->model == MODEL_RBM && config != size + 1) continue;
      fprintf(md, " %c=%u%s |", model_letters[t->model], (unsigned)model_extents[t->model][size],
              t->model == MODEL_RBM ? "" : config == 1 ? " C1" : config == 2 ? " C2" : " C3");
    }
  }
  fprintf(md, "\n|---|");
  for (size = 0; size < (t->model == MODEL_RBM ? 3 : 9); size++) fprintf(md, "---:|");
  for (w = 0; w < WEIGHT_COUNT; w++) {
    for (s = 0; s < SAMPLERS; s++) {
      if (samplers[s].kernel == LBP_SAMPLER_GIBBS || (w && !is_weighted(&samplers[s]))) continue;
      fprintf(md, "\n| %s%s%s |", samplers[s].name, is_weighted(&samplers[s]) ? " " : "",
              is_weighted(&samplers[s]) ? weight_names[w] : "");
      for (size = 0; size < EXTENTS; size++) {
        for (config = 1; config <= 3; config++) {
          const cell *c = find_row(t, &samplers[s], w, model_extents[t->model][size], config);
          shown text;
          if (t->model == MODEL_RBM && config != size + 1) continue;
          if (c && find_shown(t->plan, t->journal, c, what, &text)) print_cell_text(md, &text, what);
          else fprintf(md, " – |");
        }
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
static share find_share(const tables_of *t, int single, int kind, quantity what, int coded) {
  share result = {0, 0, 0, 0};
  uint32_t k;
  for (k = 0; k < t->plan->count; k++) {
    const cell *c = &t->plan->cells[k];
    shown s;
    if (c->kind != CELL_TABLE || c->model != t->model || (c->sampler->mode == MODE_ONE) != single) continue;
    if ((!single && c->kernel != kind) || !find_shown(t->plan, t->journal, c, what, &s) || !(s.paper > 0)) continue;
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

static void print_shares(FILE *md, const tables_of *t) {
  static const char *const names[4] = {"R = 1, all samplers", "ARWM, GRWM", "AGWG, GGWG", "ALBP, GLBP"};
  int row;
  fprintf(md, "\nThe paper's numbers divided by ours, geometric mean and range over the tables:\n\n"
              "| | jump distance | effective sample size | time |\n|---|---:|---:|---:|\n");
  for (row = 0; row < 4; row++) {
    const int kind = row == 3 ? LBP_SAMPLER_LBP : row == 2 ? LBP_SAMPLER_GWG : LBP_SAMPLER_RWM;
    int what;
    fprintf(md, "| %s |", names[row]);
    for (what = 0; what < SHOWN; what++) print_share(md, find_share(t, row == 0, kind, (quantity)what, 0));
    fprintf(md, "\n");
  }
}

/* ---- peaks ------------------------------------------------------------------------------------------------------------ */

static void print_peaks(FILE *md, const tables_of *t) {
  static const int kernels[5] = {LBP_SAMPLER_RWM, LBP_SAMPLER_GWG, LBP_SAMPLER_GWG, LBP_SAMPLER_LBP, LBP_SAMPLER_LBP};
  static const int weights[5] = {WEIGHT_BARKER, WEIGHT_BARKER, WEIGHT_SQRT, WEIGHT_BARKER, WEIGHT_SQRT};
  int size, config, k;
  fprintf(md, "\nAcceptance rate at the largest jump distance (a smooth fit through the curve):\n\n"
              "| | RWM | GWG t/(1+t) | GWG sqrt(t) | LBP t/(1+t) | LBP sqrt(t) |\n|---|---:|---:|---:|---:|---:|\n");
  for (size = 0; size < EXTENTS; size++) {
    for (config = 1; config <= 3; config++) {
      cell like;
      if (t->model == MODEL_RBM && config != size + 1) continue;
      memset(&like, 0, sizeof like);
      like.model = t->model;
      like.extent = model_extents[t->model][size];
      like.config = config;
      fprintf(md, "| %c=%u C%d |", model_letters[t->model], (unsigned)like.extent, config);
      for (k = 0; k < 5; k++) {
        const cell *c;
        best_point best;
        like.kernel = kernels[k];
        like.weight = weights[k];
        c = plan_find(t->plan, CELL_CURVE, &like);
        if (!c || !find_cell(t->journal, c)) {
          fprintf(md, " – |");
          continue;
        }
        best = curve_best(t->journal, c);
        if (best.inside) fprintf(md, " %.3f ± %.3f |", best.acceptance, best.acceptance_se);
        else fprintf(md, " R = %.0f: %.3f |", best.r, best.acceptance);
      }
      fprintf(md, "\n");
    }
  }
}

/* ---- where and why ---------------------------------------------------------------------------------------------------- */

static void print_why(FILE *md, const tables_of *t) {
  const share lbp = find_share(t, 0, LBP_SAMPLER_LBP, SHOW_EJD, 0), coded = find_share(t, 0, LBP_SAMPLER_LBP, SHOW_EJD, 1);
  switch (t->model) {
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

static void print_model(FILE *md, const plan *p, const journal *j, int model) {
  static const char *const titles[MODEL_COUNT] = {"Bernoulli product", "Ising model", "Factorial hidden Markov model",
                                                  "Restricted Boltzmann machine"};
  const tables_of t = {p, j, model};
  int what;
  fprintf(md, "\n## %s\n\n![figure %d](figure%d.svg)\n\n*Figure %d: jump distance and effective sample size against acceptance rate, %s.*\n\n"
              "![figure %d, jump distance](figure%d_ejd.svg)\n\n![figure %d, effective sample size](figure%d_ess.svg)\n\n"
              "*Figure %d: the same for all samplers and sizes.*\n",
          titles[model], model + 1, model + 1, model + 1,
          model == MODEL_RBM ? "all sizes" : "the middle size; the line is (6)-(8) or (20)-(21) where it is there",
          model + 7, model + 7, model + 7, model + 7, model + 7);
  print_peaks(md, &t);
  for (what = 0; what < SHOWN; what++) {
    if (what == SHOW_TIME && p->quick) fprintf(md, "\n**Table %d.** Times are measured by the full run only.\n", 5 + 3 * model + what);
    else print_table(md, &t, 5 + 3 * model + what, (quantity)what);
  }
  print_shares(md, &t);
  print_why(md, &t);
}

/* ---- against the reference -------------------------------------------------------------------------------------------- */

static const char *why_off(const cell *c, quantity what, const shown *s) {
  if (c->model == MODEL_RBM) return "another network: every training run gives another one";
  if (what == SHOW_ESS && s->ours.mean < 20) return "chains that hardly move: the estimator's own noise, whose standard error is not normal";
  if (c->chains <= 8) return "few chains, whose standard error is uncertain";
  if (what == SHOW_ESS && !bench_model_has_x0(c->model, c->extent)) {
    return "distance to another random state x0: the reference's is not at hand for this size";
  }
  if (what == SHOW_ESS && s->coded > s->reference) {
    return "the reference is below its own emulation of the paper's code, which moves less far";
  }
  return "chance, or not explained";
}

static void print_reference(FILE *md, const plan *p, const journal *j) {
  uint32_t compared[2] = {0, 0}, off[2] = {0, 0}, k;
  int pass, what;
  for (pass = 0; pass < 2; pass++) {
    if (pass) {
      for (what = 0; what < 2; what++) {
        fprintf(md, "- %s: %u of %u cells within 3 standard errors or 3 %% of the reference simulator's\n", quantity_names[what],
                (unsigned)(compared[what] - off[what]), (unsigned)compared[what]);
      }
      if (off[0] + off[1] == 0) return;
      fprintf(md, "\n| outside | | ours | reference | standard errors apart | reason |\n|---|---|---:|---:|---:|---|\n");
    }
    for (k = 0; k < p->count; k++) {
      for (what = 0; what < 2; what++) {
        const cell *c = &p->cells[k];
        shown s;
        if (c->kind != CELL_TABLE || !find_shown(p, j, c, (quantity)what, &s) || s.reference < 0) continue;
        if (!pass) {
          compared[what]++;
          off[what] += (uint32_t)is_off(&s);
        } else if (is_off(&s)) {
          const estimate reference = {s.reference, s.reference_se};
          fprintf(md, "| %s | %s | ", strchr(c->key, '/') + 1, what ? "ESS" : "EJD");
          print_estimate(md, s.ours);
          fprintf(md, " | ");
          print_estimate(md, reference);
          fprintf(md, " | %.1f | %s |\n",
                  (s.ours.mean - s.reference) / sqrt(s.ours.se * s.ours.se + s.reference_se * s.reference_se),
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
  FILE *csv;
  int row = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  csv = fopen(path, "r");
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
static void print_reach(FILE *md, const plan *p, const journal *j, int table) {
  share s = {0, 0, 0, 0};
  int k;
  for (k = 0; k < EPSILON_ROWS; k++) {
    const reach r = find_reach(p, j, &epsilon_rows[k]);
    if (epsilon_rows[k].half == (table == 3) && r.n > 0) add_share(&s, r.n / epsilon_rows[k].paper_n);
  }
  if (s.count) fprintf(md, "\nTable %d: our N is %.2f (%.2f to %.2f) times the paper's.\n", table, s.mean, s.low, s.high);
}

/* ---- the page ----------------------------------------------------------------------------------------------------------- */

static void print_machine(FILE *md, const plan *p, const journal *j) {
  uint32_t finished = 0, k;
  for (k = 0; k < p->count; k++) finished += find_cell(j, &p->cells[k]) != NULL;
  study_machine(md);
  fprintf(md, "; %u of %u cells finished%s.\n\n", (unsigned)finished, (unsigned)p->count,
          p->quick ? " (--quick: 4 chains instead of 25 to 100, and two fifths of the points of a curve)" : "");
}

/* The acceptance rates and slopes that the theory is about. */
static void print_theory(FILE *md, const plan *p, const journal *j) {
  const int kernels[2] = {LBP_SAMPLER_LBP, LBP_SAMPLER_RWM};
  int k, w, config;
  for (k = 0; k < 2; k++) {
    for (w = 0; w < (k ? 1 : WEIGHT_COUNT); w++) {
      fprintf(md, "- %s%s on Bernoulli N = 6400 is best at acceptance rate", kernel_names[kernels[k]],
              k ? "" : w ? " with sqrt(t)" : " with t/(1+t)");
      for (config = 1; config <= 3; config++) {
        cell like;
        const cell *c;
        memset(&like, 0, sizeof like);
        like.model = MODEL_BERNOULLI;
        like.extent = 6400;
        like.config = config;
        like.kernel = kernels[k];
        like.weight = w;
        c = plan_find(p, CELL_CURVE, &like);
        if (c && find_cell(j, c)) {
          const best_point best = curve_best(j, c);
          fprintf(md, "%s %.3f ± %.3f (C%d)", config > 1 ? "," : "", best.acceptance, best.acceptance_se, config);
        }
      }
      fprintf(md, "; theory: %s\n", k ? "0.234" : "0.574");
    }
  }
}

static void page_write(FILE *md, const plan *p, const journal *j, const char *folder) {
  int model;
  fprintf(md, "# The experiments of \"Optimal Scaling for Locally Balanced Proposals in Discrete Spaces\"\n\n"
              "Written by `make bench-paper`. ");
  print_machine(md, p, j);
  fprintf(md, "Every table has our number with its standard error and, below, *the paper's*; **!** marks those off the reference\n"
              "(listed below). Errors are between chains. C1 to C3: smooth, moderate, sharp.\n\n"
              "![all cells, ours against the paper's](tables.svg)\n\n");
  print_theory(md, p, j);
  print_reference(md, p, j);
  for (model = 0; model < MODEL_COUNT; model++) print_model(md, p, j, model);
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
  print_reach(md, p, j, 3);
  print_reach(md, p, j, 4);
  fprintf(md, "\nFiles: `tables.csv`, `curves.csv`, `peaks.csv`, `scaling.csv`, `slopes.csv`, `epsilon.csv`, `reach.csv`. `seconds` are\n"
              "CPU seconds of all chains of a cell, `ess_per_second` is per second of one core.\n");
}

#endif
