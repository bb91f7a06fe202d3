/* bench - table 1 of "Optimal Scaling for Locally Balanced Proposals in Discrete Spaces": four models, expected jump
 * distance, effective sample size and time of every sampler, next to our reference and the paper's figures. Run
 * `make bench`, or build/bench/bench --help. Writes table1.csv, table1.md, the report, and a picture. */
#include "../common/grid.h"
#include "../common/samplers.h"
#include "../common/study.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

typedef struct {
  int models[MODEL_COUNT], samplers[SAMPLERS], weights[WEIGHT_COUNT];
  int config, quick;
  uint32_t chains, steps; /* 0: the paper's */
  uint64_t seed;
  int threads;
  const char *out, *data;
} options;

static const char *model_name(int k) { return model_names[k]; }
static const char *sampler_name(int k) { return samplers[k].name; }
static const char *weight_name(int k) { return k == WEIGHT_BARKER ? "barker" : "sqrt"; }

static options parse(int argc, char **argv) {
  options o = {.config = 2, .seed = 1, .out = "bench/out", .data = "bench/data", .weights = {1}};
  const basic_option table[] = {
    {"--model NAMES", "(comma between several; default: all)", OPTION_NAMES, o.models, 0, MODEL_COUNT, model_name},
    {"--sampler NAMES", "(default: table 1, all but GWG)", OPTION_NAMES, o.samplers, 0, SAMPLERS, sampler_name},
    {"--weight NAMES", "g(t) = t/(1+t) and sqrt(t) (default: barker, as in table 1)", OPTION_NAMES, o.weights, 0,
     WEIGHT_COUNT, weight_name},
    {"--config C", "1, 2 or 3: smooth, moderate, sharp; for rbm 100, 400, 1000 hidden units (default: 2)", OPTION_INT,
     &o.config, 1, 3, NULL},
    {"--chains N", "number of chains, 1 to 100000 (default: 100)", OPTION_COUNT, &o.chains, 1, 100000, NULL},
    {"--steps N", "half of it warm-up, 40 to 10^8 (default: the paper's)", OPTION_COUNT, &o.steps, 40, 100000000, NULL},
    {"--seed N", "(default: 1)", OPTION_SEED, &o.seed, 0, UINT64_MAX, NULL},
    {"--threads N", "1 to 1024 (default: all cores)", OPTION_INT, &o.threads, 1, 1024, NULL},
    {"--quick", "a tenth of the steps, 20 chains", OPTION_FLAG, &o.quick, 0, 0, NULL},
    {"--out DIR", "where table1.csv, table1.md and the picture go (default: bench/out)", OPTION_TEXT, &o.out, 0, 0,
     NULL},
    {"--data DIR", "where the models are (default: bench/data)", OPTION_TEXT, &o.data, 0, 0, NULL}};
  for (int k = 0; k < MODEL_COUNT; k++) o.models[k] = 1;
  for (int k = 0; k < SAMPLERS; k++) o.samplers[k] = samplers[k].in_table;
  basic_parse(argc, argv, "usage: bench [option ...]", table, sizeof table / sizeof table[0]);
  if (!o.chains) o.chains = o.quick ? 20 : 100;
  return o;
}

/* ---- one cell ---------------------------------------------------------------------------------------------------- */

/* Steps of a Gibbs run are sweeps, far more work than steps of the other samplers. */
static uint32_t sweeps(uint32_t steps) { return steps >= 800 ? steps / 20 : 40; }

static run_result run_cell(const bench_model *model, int weight, const sampler *s, const options *o, uint32_t steps) {
  const instance *in = &model->instances[weight];
  const uint32_t all = s->mode == MODE_SWEEP ? sweeps(steps) : steps;
  run_spec spec = run_of(s->kernel, o->chains, all / 2, all - all / 2, o->seed);
  run_result result;
  spec.r = s->mode == MODE_ONE ? 1 : 0;
  spec.start = model->start;
  spec.reference = model->reference;
  if (s->mode == MODE_GRID) {
    grid_point points[GRID_MOST];
    int best;
    grid_search(in, &spec, steps / 40 + 1, points, &best);
    spec.r = points[best].r;
  }
  run_chains(in, &spec, &result);
  if (s->mode != MODE_SWEEP) run_rerun_errors(&spec, &result);
  return result;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

typedef struct {
  int model, weight;
  uint32_t steps;   /* of its model's runs */
  const sampler *what;
  run_result result;
  figures known;
  networks others;
} row;

static options chosen;
static row rows[MODEL_COUNT * SAMPLERS * WEIGHT_COUNT];
static int row_count;

static const char *row_weight(const row *r) { return is_weighted(r->what) ? weight_names[r->weight] : ""; }

/* The jump distance or the effective sample size, and the one to compare it with; negative: there is none. */
static estimate row_figure(const row *r, int ess) { return ess ? r->result.ess : r->result.ejd; }
static estimate row_known(const row *r, int ess, int paper) {
  const estimate none = {-1, -1}, printed = {ess ? r->known.paper.ess : r->known.paper.ejd, 0};
  if (chosen.quick || chosen.steps) return none;
  return paper ? printed : ess ? r->known.reference.ess : r->known.reference.ejd;
}

/* Two effective sample sizes that are both below LEAST_ESS are the estimator's noise: nothing to compare. */
static int is_noise(const row *r, int ess, int paper) {
  return ess && row_figure(r, 1).mean < LEAST_ESS && row_known(r, 1, paper).mean < LEAST_ESS;
}

static int is_compared(const row *r, int ess, int paper) {
  return row_known(r, ess, paper).mean > 0 && !is_noise(r, ess, paper);
}

/* By what share a figure is larger than the one to compare it with; 0: there is none. */
static double row_off(const row *r, int ess, int paper) {
  return is_compared(r, ess, paper) ? row_figure(r, ess).mean / row_known(r, ess, paper).mean - 1 : 0;
}

static const double close_share = 0.1;

/* The reference and the paper trained networks of their own: an RBM's figures may differ by more than chance. */
static char row_mark(const row *r, int ess) {
  if (fabs(row_off(r, ess, 0)) <= close_share) return ' ';
  return r->model == MODEL_RBM ? '~' : '*';
}

static void print_figure_of(FILE *to, estimate e) {
  char error[16] = "";
  if (e.mean < 0) {
    fprintf(to, " %8s%7s", "-", "");
    return;
  }
  if (e.se >= 0) snprintf(error, sizeof error, "+-%.*f", e.se < 0.1 ? 3 : e.se < 1 ? 2 : 1, e.se);
  fprintf(to, " %8.*f%-7s", e.mean < 10 ? 3 : e.mean < 100 ? 2 : 1, e.mean, error);
}

/* A figure, the reference's and the paper's, and row_mark. */
static void print_three(FILE *to, const row *r, int ess) {
  const double paper = ess ? r->known.paper.ess : r->known.paper.ejd;
  print_figure_of(to, row_figure(r, ess));
  print_figure_of(to, ess ? r->known.reference.ess : r->known.reference.ejd);
  if (paper < 0) fprintf(to, "%8s", "-");
  else fprintf(to, "%8.*f", !ess && paper < 10 ? 2 : 1, paper);
  fprintf(to, "%c |", row_mark(r, ess));
}

static void print_row(FILE *to, const row *r) {
  char pace[16] = "-", paper[16] = "-";
  if (r == rows || r[-1].model != r->model) {
    fprintf(to, "\n%s %c=%u, C%d: %u chains x %u steps, the second half measured\n", model_names[r->model],
            model_letters[r->model], (unsigned)bench_table1_extent(r->model, chosen.config), chosen.config,
            (unsigned)chosen.chains, (unsigned)r->steps);
    fprintf(to, "%-6s %-8s %6s %7s |%16s%16s%9s |%16s%16s%9s | %7s %7s %9s %8s\n", "", "weight", "accept", "R",
            "EJD       ", "reference  ", "paper", "ESS       ", "reference  ", "paper", "seconds", "paper", "ESS/s",
            "evals");
  }
  if (r->result.ess_rate >= 0) snprintf(pace, sizeof pace, "%.1f", r->result.ess_rate);
  if (r->known.paper.seconds >= 0) snprintf(paper, sizeof paper, "%.1f", r->known.paper.seconds);
  fprintf(to, "%-6s %-8s %6.3f %7.2f |", r->what->name, row_weight(r), r->result.acceptance.mean, r->result.r);
  print_three(to, r, 0);
  print_three(to, r, 1);
  fprintf(to, " %7.1f %7s %9s %8.1f\n", r->result.seconds, paper, pace, r->result.evaluations);
}

static void make_row(const bench_model *m, int s, int w, uint32_t steps, const bench_file *csv) {
  const sampler *what = &samplers[s];
  row *r = &rows[row_count++];
  char name[ROW_NAME];
  *r = (row){.model = m->kind, .weight = w, .steps = steps, .what = what};
  name_row(name, m->kind, m->config, bench_table1_extent(m->kind, m->config), what->name, row_weight(r));
  r->known = look_up(chosen.data, name);
  r->others = look_up_networks(chosen.data, name);
  basic_progress_begin(basic_progress.share = 1); /* a bar for each row */
  bench_label("%s %s %s", model_names[m->kind], what->name, row_weight(r));
  r->result = run_cell(m, w, what, &chosen, steps);
  if (r->result.ess.mean < LEAST_ESS) r->result.ess_rate = -1; /* none: neither the table, the CSV nor the picture has it */
  basic_progress_clear();
  print_row(stdout, r);
  write_row(csv->to, name, chosen.chains, what->mode == MODE_SWEEP ? sweeps(steps) : steps, chosen.seed, &r->result,
            &r->known);
  bench_flush(csv);
}

/* ---- what it comes to -------------------------------------------------------------------------------------------- */

/* A figure that is far from the one to compare it with, and what is known of the reason. */
static void print_far(FILE *to, const row *r, int ess, int paper) {
  const estimate ours = row_figure(r, ess), known = row_known(r, ess, paper);
  const double *range = ess ? r->others.ess : r->others.ejd;
  fprintf(to, "  %-9s %-5s %-7s  %s %8.4g for %8.4g  %+6.1f %%", model_names[r->model], r->what->name, row_weight(r),
          ess ? "ESS" : "EJD", ours.mean, known.mean, 100 * row_off(r, ess, paper));
  if (r->model == MODEL_RBM) {
    fprintf(to, "  another network");
    if (range[0] > 0) fprintf(to, "; %.0f of ours: %.3g to %.3g", r->others.count, range[0], range[1]);
  } else if (!paper) {
    fprintf(to, "  %4.1f standard errors", (ours.mean - known.mean) / hypot(ours.se, known.se));
  }
  fprintf(to, "\n");
}

/* How many figures are within 10 % of the reference's, or the paper's, and which are not. */
static void print_agreement(FILE *to, int paper) {
  int compared = 0, close = 0, noise = 0;
  for (int k = 0; k < 2 * row_count; k++) {
    const row *r = &rows[k / 2];
    noise += row_known(r, k % 2, paper).mean > 0 && is_noise(r, k % 2, paper);
    compared += is_compared(r, k % 2, paper);
    close += is_compared(r, k % 2, paper) && fabs(row_off(r, k % 2, paper)) <= close_share;
  }
  if (!compared) return;
  fprintf(to, "%d of %d figures are within 10 %% of the %s's (%d more are ESS below %d)%s\n", close, compared,
          paper ? "paper" : "reference", noise, LEAST_ESS, close < compared ? "; the others:" : ".");
  for (int k = 0; k < 2 * row_count; k++) {
    if (fabs(row_off(&rows[k / 2], k % 2, paper)) > close_share) print_far(to, &rows[k / 2], k % 2, paper);
  }
}

/* Whether some row has this mark. */
static int has_mark(char mark) {
  int has = 0;
  for (int k = 0; k < 2 * row_count; k++) has |= row_mark(&rows[k / 2], k % 2) == mark;
  return has;
}

static void print_notes(FILE *to) {
  fprintf(to, "\nEJD: expected jump distance, sites changed per step. ESS: effective sample size per chain of the\n"
              "Hamming distance to a fixed state, over the second half. ESS/s: of all chains, per second. evals:\n"
              "evaluations of the model per step. A step of Gibbs is a sweep over all sites, a twentieth as many.\n"
              "ESS below %d is the estimator's own noise: it is neither compared nor drawn, and has no ESS/s.\n"
              "seconds: wall time of all chains and steps; the paper's are those of its tables 7, 10, 13 and 16, on\n"
              "hardware that it does not name.\n",
          LEAST_ESS);
  if (has_mark('*')) fprintf(to, "*: more than 10 %% off the reference, which ran on the same instance.\n");
  if (has_mark('~')) {
    fprintf(to, "~: more than 10 %% off the reference, which trained a network of its own. Networks that differ by\n"
                "their seed alone give figures that differ as much (make bench-spread).\n");
  }
  if (chosen.quick) fprintf(to, "--quick: RWM chains are not in equilibrium, and no figure is compared.\n");
  print_agreement(to, 0);
  print_agreement(to, 1);
}

static void print_report(const study *s, FILE *md, const char *what) {
  (void)s, (void)what;
  for (int k = 0; k < row_count; k++) print_row(md, &rows[k]);
  print_notes(md);
}

int main(int argc, char **argv) {
  static const study_part parts[] = {{"rows", print_report}};
  const study page = {.text = "bench/table1/report.in", .parts = parts, .part_count = 1};
  const double begin = basic_now();
  chosen = parse(argc, argv);
  bench_start(chosen.threads);
  bench_file csv = bench_create(chosen.out, "table1.csv", table_columns);
  for (int model = 0; model < MODEL_COUNT; model++) {
    bench_model m;
    if (!chosen.models[model]) continue;
    bench_model_load(&m, model, bench_table1_extent(model, chosen.config), chosen.config, chosen.data);
    const uint32_t steps = chosen.steps ? chosen.steps : m.steps / (chosen.quick ? 10 : 1);
    for (int s = 0; s < SAMPLERS; s++) {
      for (int w = 0; w < WEIGHT_COUNT; w++) {
        const int wanted = is_weighted(&samplers[s]) ? chosen.weights[w] : w == 0;
        if (chosen.samplers[s] && wanted) make_row(&m, s, w, steps, &csv);
      }
    }
    bench_model_free(&m);
  }
  bench_close(&csv);
  print_notes(stdout);
  const bench_file md = bench_open("%s/table1.md.tmp", chosen.out);
  study_report(&page, md.to);
  bench_keep(&md);
  printf("%.0f s. Rows: %s, report: %s/table1.md\n", basic_now() - begin, csv.path, chosen.out);
  bench_draw("table1", "table1", chosen.out);
  return 0;
}
