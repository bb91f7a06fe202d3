/* bench - table 1 of "Optimal Scaling for Locally Balanced Proposals in Discrete Spaces": four models, expected jump
 * distance, effective sample size and time of every sampler, beside our reference and the paper's figures. Run
 * `make bench`, or build/bench/bench --help. Writes table1.csv and a picture. */
#include "../common/grid.h"
#include "../common/samplers.h"

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
    {"--out DIR", "where table1.csv and the picture go (default: bench/out)", OPTION_TEXT, &o.out, 0, 0, NULL},
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
  return result;
}

static void print_figure(double v, double se) {
  char error[16] = "";
  if (v < 0) {
    printf(" %8s%7s", "-", "");
    return;
  }
  if (se >= 0) snprintf(error, sizeof error, "+-%.*f", se < 0.1 ? 3 : se < 1 ? 2 : 1, se);
  printf(" %8.*f%-7s", v < 10 ? 3 : v < 100 ? 2 : 1, v, error);
}

/* How a figure stands to the reference: within 3 standard errors or 3 %, within 15 %, which will do for an RBM, since
 * the reference's was trained by itself, or neither. */
enum { NEAR, NEAR_ENOUGH, FAR, GRADES };
static const char grade_marks[GRADES] = " +*";
static int compared, graded[GRADES];

static int grade(const bench_model *m, estimate got, estimate want) {
  const int g = is_near(got, want, 0.03) ? NEAR : m->kind == MODEL_RBM && is_near(got, want, 0.15) ? NEAR_ENOUGH : FAR;
  compared++;
  graded[g]++;
  return g;
}

static void print_paper(double v, int digits, int graded_as) {
  if (v < 0) printf("%8s%c |", "-", grade_marks[graded_as]);
  else printf("%8.*f%c |", digits, v, grade_marks[graded_as]);
}

static void print_head(const bench_model *m, const options *o, uint32_t steps) {
  printf("\n%s %s, C%d: %u chains x %u steps, the second half measured\n", model_names[m->kind], m->size, m->config,
         (unsigned)o->chains, (unsigned)steps);
  printf("%-6s %-8s %6s %7s |%16s%16s%9s |%16s%16s%9s | %7s %9s %8s\n", "", "weight", "accept", "R", "EJD       ",
         "reference  ", "paper", "ESS       ", "reference  ", "paper", "seconds", "ESS/s", "evals");
}

static void print_row(const sampler *what, const char *weight, const run_result *r, const figures *f, int ejd_grade,
                      int ess_grade) {
  char pace[16] = "-";
  if (r->ess.mean >= LEAST_ESS) snprintf(pace, sizeof pace, "%.1f", r->ess_rate);
  printf("%-6s %-8s %6.3f %7.2f |", what->name, weight, r->acceptance.mean, r->r);
  print_figure(r->ejd.mean, r->ejd.se);
  print_figure(f->reference.ejd.mean, f->reference.ejd.se);
  print_paper(f->paper.ejd, f->paper.ejd < 10 ? 2 : 1, ejd_grade);
  print_figure(r->ess.mean, r->ess.se);
  print_figure(f->reference.ess.mean, f->reference.ess.se);
  print_paper(f->paper.ess, 1, ess_grade);
  printf(" %7.1f %9s %8.1f\n", r->seconds, pace, r->evaluations);
}

static int is_chosen(const options *o, int model, int s, int w) {
  return o->models[model] && o->samplers[s] && (is_weighted(&samplers[s]) ? o->weights[w] : w == 0);
}

/* One row of the table: computed, shown, and written. */
static void make_row(const bench_model *m, const sampler *what, int w, const options *o, uint32_t steps,
                     const bench_file *csv) {
  const char *weight = is_weighted(what) ? weight_names[w] : "";
  const uint32_t extent = bench_table1_extent(m->kind, m->config);
  char name[ROW_NAME];
  int ejd_grade = NEAR, ess_grade = NEAR;
  name_row(name, m->kind, m->config, extent, what->name, weight);
  figures f = look_up(o->data, name);
  basic_progress_begin(basic_progress.share = 1); /* a bar for each row */
  bench_label("%s %s %s", model_names[m->kind], what->name, weight);
  run_result r = run_cell(m, w, what, o, steps);
  basic_progress_clear();
  if (f.reference.ejd.mean >= 0 && !o->quick && !o->steps) {
    ejd_grade = grade(m, r.ejd, f.reference.ejd);
    ess_grade = grade(m, r.ess, f.reference.ess);
  }
  print_row(what, weight, &r, &f, ejd_grade, ess_grade);
  write_row(csv->to, name, o->chains, what->mode == MODE_SWEEP ? sweeps(steps) : steps, o->seed, &r, &f);
  bench_flush(csv);
}

int main(int argc, char **argv) {
  const options o = parse(argc, argv);
  const double begin = basic_now();
  bench_start(o.threads);
  bench_file csv = bench_create(o.out, "table1.csv", table_columns);
  for (int model = 0; model < MODEL_COUNT; model++) {
    bench_model m;
    if (!o.models[model]) continue;
    bench_model_load(&m, model, bench_table1_extent(model, o.config), o.config, o.data);
    const uint32_t steps = o.steps ? o.steps : m.steps / (o.quick ? 10 : 1);
    basic_progress_clear();
    print_head(&m, &o, steps);
    for (int s = 0; s < SAMPLERS; s++) {
      for (int w = 0; w < WEIGHT_COUNT; w++) {
        if (is_chosen(&o, model, s, w)) make_row(&m, &samplers[s], w, &o, steps, &csv);
      }
    }
    bench_model_free(&m);
  }
  bench_close(&csv);
  printf("\nEJD: expected jump distance per step. ESS: effective sample size per chain of the Hamming distance to a\n"
         "fixed state, over the second half (Gibbs: steps are sweeps of all sites, a twentieth as many).\n"
         "An ESS below %d is what the estimator gives for chains that hardly move; no ESS/s is printed for it.\n"
         "ESS/s: of all chains, per second of wall time. evals: calls of the model per step.\n", LEAST_ESS);
  if (o.quick) printf("--quick: RWM chains have not reached equilibrium; no comparison with the reference.\n");
  if (compared) {
    printf("%d of %d figures within 3 standard errors or 3 %% of the reference; %d more of the rbm within 15 %%: +; "
           "others: *\n", graded[NEAR], compared, graded[NEAR_ENOUGH]);
  }
  printf("%.0f s. Rows: %s\n", basic_now() - begin, csv.path);
  bench_draw("table1", "table1", o.out);
  return 0;
}
