/* bench - table 1 of "Optimal Scaling for Locally Balanced Proposals in Discrete Spaces": four models, expected jump
 * distance, effective sample size and time of every sampler, beside our reference and the paper's figures.
 *
 * Run `make bench`, or build/bench --help. Writes table1.csv and, with gnuplot, table1.svg and table1.png. */
#include "../common/grid.h"
#include "../common/models.h"
#include "../common/samplers.h"

/* Seconds that 100 chains and the paper's steps took on two cores: they only divide the progress bar. */
static double expected_seconds(int model, const sampler *s) {
  static const double informed[MODEL_COUNT] = {2, 24, 45, 45}, single[MODEL_COUNT] = {0.1, 0.4, 0.4, 40};
  static const double uniform[MODEL_COUNT] = {0.1, 0.2, 0.2, 1}, sweep[MODEL_COUNT] = {0.5, 7.5, 10, 30};
  switch (s->mode) {
    case MODE_ONE: return is_weighted(s) ? single[model] : uniform[model];
    case MODE_TUNED: return is_weighted(s) ? informed[model] : 2 * uniform[model];
    case MODE_GRID: return is_weighted(s) ? 1.6 * informed[model] : 4 * uniform[model];
    default: return sweep[model];
  }
}

/* ---- options --------------------------------------------------------------------------------------------------- */

typedef struct {
  int models[MODEL_COUNT], samplers[SAMPLERS], weights[WEIGHT_COUNT];
  int config, quick;
  uint32_t chains, steps; /* 0: the paper's */
  uint64_t seed;
  int threads;
  const char *out, *data;
} options;

static void usage(FILE *to) {
  fprintf(to,
          "usage: bench [option ...]\n"
          "  --model NAMES     of: bernoulli ising fhmm rbm (comma between several; default: all)\n"
          "  --sampler NAMES   of: RWM-1 ARWM GRWM GWG-1 AGWG GGWG LBP-1 ALBP GLBP Gibbs (default: table 1, all but GWG)\n"
          "  --weight NAMES    of: barker sqrt, g(t) = t/(1+t) and sqrt(t) (default: barker, as in table 1)\n"
          "  --config C        1, 2 or 3: smooth, moderate, sharp; for rbm 100, 400, 1000 hidden units (default: 2)\n"
          "  --chains N        number of chains, 1 to 100000 (default: 100)\n"
          "  --steps N         steps per chain, half of them warm-up, 40 to 100000000 (default: the paper's)\n"
          "  --seed N          (default: 1)\n"
          "  --threads N       1 to 1024 (default: all cores)\n"
          "  --quick           a tenth of the steps, 20 chains\n"
          "  --out DIR         where table1.csv and the picture go (default: bench/out)\n"
          "  --data DIR        where the models are (default: bench/data)\n"
          "  --help\n");
}

static const char *model_name(int k) { return model_names[k]; }
static const char *sampler_name(int k) { return samplers[k].name; }
static const char *weight_name(int k) { return k == WEIGHT_BARKER ? "barker" : "sqrt"; }

static options parse(int argc, char **argv) {
  options o;
  const basic_option table[] = {
    {"--model", OPTION_NAMES, o.models, 0, MODEL_COUNT, model_name},
    {"--sampler", OPTION_NAMES, o.samplers, 0, SAMPLERS, sampler_name},
    {"--weight", OPTION_NAMES, o.weights, 0, WEIGHT_COUNT, weight_name},
    {"--config", OPTION_INT, &o.config, 1, 3, NULL},
    {"--chains", OPTION_COUNT, &o.chains, 1, 100000, NULL},
    {"--steps", OPTION_COUNT, &o.steps, 40, 100000000, NULL},
    {"--seed", OPTION_SEED, &o.seed, 0, UINT64_MAX, NULL},
    {"--threads", OPTION_INT, &o.threads, 1, 1024, NULL},
    {"--quick", OPTION_FLAG, &o.quick, 0, 0, NULL},
    {"--out", OPTION_TEXT, &o.out, 0, 0, NULL},
    {"--data", OPTION_TEXT, &o.data, 0, 0, NULL}};
  int k;
  memset(&o, 0, sizeof o);
  for (k = 0; k < MODEL_COUNT; k++) o.models[k] = 1;
  for (k = 0; k < SAMPLERS; k++) o.samplers[k] = samplers[k].in_table;
  o.weights[WEIGHT_BARKER] = 1;
  o.config = 2;
  o.seed = 1;
  o.out = "bench/out";
  o.data = "bench/data";
  basic_parse(argc, argv, table, sizeof table / sizeof table[0], usage);
  if (!o.chains) o.chains = o.quick ? 20 : 100;
  return o;
}

/* ---- one cell -------------------------------------------------------------------------------------------------- */

/* Steps of a Gibbs run are sweeps, far more work than steps of the other samplers. */
static uint32_t sweeps(uint32_t steps) { return steps >= 800 ? steps / 20 : 40; }

/* A random walk that never comes back has an estimated ESS of 6 to 12. */
enum { LEAST_ESS = 20 };

static run_result run_cell(const bench_model *model, int weight, const sampler *s, const options *o, uint32_t steps) {
  const instance *in = &model->instances[weight];
  run_spec spec;
  run_result result;
  memset(&spec, 0, sizeof spec);
  spec.sampler = s->kernel;
  spec.chains = o->chains;
  spec.steps = s->mode == MODE_SWEEP ? sweeps(steps) : steps;
  spec.warmup = spec.steps / 2;
  spec.steps -= spec.warmup;
  spec.r = s->mode == MODE_ONE ? 1 : 0;
  spec.target = s->kernel == LBP_SAMPLER_RWM ? LBP_TARGET_RWM : LBP_TARGET_LBP;
  spec.seed = o->seed;
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
  if (v < 0) {
    printf(" %8s       ", "-");
  } else if (se < 0) {
    printf(" %8.*f       ", v < 10 ? 3 : v < 100 ? 2 : 1, v);
  } else {
    char error[16];
    snprintf(error, sizeof error, "+-%.*f", se < 0.1 ? 3 : se < 1 ? 2 : 1, se);
    printf(" %8.*f%-7s", v < 10 ? 3 : v < 100 ? 2 : 1, v, error);
  }
}

static void print_paper(double v, int digits, int near) {
  if (v < 0) printf("%8s%c |", "-", near ? ' ' : '*');
  else printf("%8.*f%c |", digits, v, near ? ' ' : '*');
}

static void print_head(const bench_model *m, const options *o, uint32_t steps) {
  printf("\n%s %s, C%d: %u chains x %u steps, the second half measured\n", model_names[m->kind], m->size, m->config,
         (unsigned)o->chains, (unsigned)steps);
  printf("%-6s %-8s %6s %7s |%16s%16s%9s |%16s%16s%9s | %7s %9s %8s\n", "", "weight", "accept", "R", "EJD       ",
         "reference  ", "paper", "ESS       ", "reference  ", "paper", "seconds", "ESS/s", "evals");
}

int main(int argc, char **argv) {
  const options o = parse(argc, argv);
  char path[1024], settings[2400];
  double work = 0;
  const double begin = basic_now();
  int model, s, w, compared = 0, near = 0;
  FILE *csv;
  basic_threads(o.threads);
  basic_single_blas();
  setvbuf(stdout, NULL, _IOLBF, 0);
  csv = bench_create(o.out, "table1.csv", path, sizeof path);
  fputs(table_columns, csv);
  for (model = 0; model < MODEL_COUNT; model++) {
    for (s = 0; s < SAMPLERS; s++) {
      for (w = 0; w < WEIGHT_COUNT; w++) {
        if (o.models[model] && o.samplers[s] && (is_weighted(&samplers[s]) ? o.weights[w] : w == 0)) {
          work += expected_seconds(model, &samplers[s]);
        }
      }
    }
  }
  basic_progress_begin(work);
  for (model = 0; model < MODEL_COUNT; model++) {
    bench_model m;
    uint32_t steps;
    if (!o.models[model]) continue;
    bench_model_load(&m, model, bench_table1_extent(model, o.config), o.config, o.data);
    steps = o.steps ? o.steps : m.steps / (o.quick ? 10 : 1);
    basic_progress_clear();
    print_head(&m, &o, steps);
    for (s = 0; s < SAMPLERS; s++) {
      for (w = 0; w < WEIGHT_COUNT; w++) {
        const sampler *what = &samplers[s];
        const char *weight = is_weighted(what) ? weight_names[w] : "";
        char config[4], pace[16] = "-";
        const char *key[5];
        run_result r;
        figures reference, paper;
        double rate, share = model == MODEL_RBM ? 0.15 : 0.03;
        int ok_ejd = 1, ok_ess = 1;
        if (!o.samplers[s] || !(is_weighted(what) ? o.weights[w] : w == 0)) continue;
        snprintf(config, sizeof config, "C%d", m.config);
        key[0] = model_names[model];
        key[1] = config;
        key[2] = m.size;
        key[3] = what->name;
        key[4] = weight;
        reference = look_up(o.data, "reference.csv", key);
        paper = look_up(o.data, "paper.csv", key);
        basic_progress.share = expected_seconds(model, what);
        snprintf(basic_progress.label, sizeof basic_progress.label, "%s %s %s", key[0], key[3], weight);
        r = run_cell(&m, w, what, &o, steps);
        basic_progress_clear();
        rate = r.ess.mean * (o.chains - r.without_ess) / r.measured_seconds;
        if (reference.ejd >= 0 && !o.quick && !o.steps) {
          ok_ejd = is_near(r.ejd, reference.ejd, reference.ejd_se, share);
          ok_ess = is_near(r.ess, reference.ess, reference.ess_se, share);
          compared += 2;
          near += ok_ejd + ok_ess;
        }
        printf("%-6s %-8s %6.3f %7.2f |", what->name, weight, r.acceptance.mean, r.r);
        print_figure(r.ejd.mean, r.ejd.se);
        print_figure(reference.ejd, reference.ejd_se);
        print_paper(paper.ejd, paper.ejd < 10 ? 2 : 1, ok_ejd);
        print_figure(r.ess.mean, r.ess.se);
        print_figure(reference.ess, reference.ess_se);
        if (r.ess.mean >= LEAST_ESS) snprintf(pace, sizeof pace, "%.1f", rate);
        print_paper(paper.ess, 1, ok_ess);
        printf(" %7.1f %9s %8.1f\n", r.seconds, pace, r.evaluations);
        fprintf(csv, "%s,%s,%s,%s,%s,%u,%u,%llu", key[0], key[1], key[2], key[3], key[4], (unsigned)o.chains,
                (unsigned)(what->mode == MODE_SWEEP ? sweeps(steps) : steps),
                (unsigned long long)o.seed);
        write_number(csv, r.acceptance.mean);
        write_number(csv, r.acceptance.se);
        write_number(csv, r.ejd.mean);
        write_number(csv, r.ejd.se);
        write_number(csv, r.ess.mean);
        write_number(csv, r.ess.se);
        write_number(csv, r.r);
        write_number(csv, r.r_se);
        write_number(csv, r.seconds);
        write_number(csv, r.seconds_se);
        write_number(csv, rate);
        write_number(csv, r.evaluations);
        write_number(csv, reference.ejd);
        write_number(csv, reference.ejd_se);
        write_number(csv, reference.ess);
        write_number(csv, reference.ess_se);
        write_number(csv, paper.ejd);
        write_number(csv, paper.ess);
        write_number(csv, paper.seconds);
        fprintf(csv, "\n");
        if (fflush(csv) != 0 || ferror(csv)) basic_die("cannot write %s: %s", path, strerror(errno));
      }
    }
    bench_model_free(&m);
  }
  if (fclose(csv) != 0) basic_die("cannot write %s: %s", path, strerror(errno));
  printf("\nEJD: expected jump distance per step. ESS: effective sample size per chain of the Hamming distance to a\n"
         "fixed state, over the second half (Gibbs: steps are sweeps of all sites, a twentieth as many).\n"
         "An ESS below %d is what the estimator gives for chains that hardly move; no ESS/s is printed for it.\n"
         "ESS/s: of all chains, per second of wall time. evals: calls of the model per step.\n", LEAST_ESS);
  if (o.quick) printf("--quick: RWM chains have not reached equilibrium; no comparison with the reference.\n");
  if (compared) {
    printf("%d of %d figures within 3 standard errors or 3 %% (rbm 15 %%) of the reference%s\n", near, compared,
           near < compared ? "; the others have a *" : "");
  }
  printf("%.0f s. Rows: %s\n", basic_now() - begin, path);
  snprintf(settings, sizeof settings, "csv='%s'; out='%s/table1'", path, o.out);
  bench_draw("table1", "table1", settings, o.out);
  return 0;
}
