/* Samplers on a trained deep energy-based model, the question of figure 4 of the any-scale paper: how fast chains come
 * from the base to where the model's pictures are, and what a second yields once they are there. The model is a
 * training run of examples/ebm/ebm.c. One network evaluation, value and gradient, is what a step of any sampler costs;
 * none is done twice. Tables are in Markdown. */
#define _POSIX_C_SOURCE 200809L

#include "../../examples/ebm/data.h"
#include "../../examples/ebm/store.h"
#include "../../examples/ebm/walk.h"

#include "../common/harness.h"

static const char *const kind_name[EBM_KINDS] = {"Gibbs", "RWM", "LBP-1", "ALBP", "GWG", "DLP", "AB"};

typedef struct {
  const char *data, *run, *out, *name;
  uint32_t chains, steps, warmup, draws;
  int threads, speed;
  uint64_t seed;
} options;

typedef struct {
  ebm_trainer trainer;
  const ebm_model *model;
  deep_curvature curvature;
  const options *o;
} lab;

/* What chains did, a step's mean; seconds are of all together, on one core each. */
typedef struct {
  double *trace;           /* log pi of each chain after each step, or NULL */
  double accept, jump, sites, evaluations, seconds;
} outcome;

/* All chains from their starts, chains x EBM_N: `warmup` steps that are not looked at and `steps` that are. */
static void walk(const lab *l, const ebm_sampler *s, const uint8_t *start, uint32_t warmup, uint32_t steps,
                 outcome *out) {
  const uint32_t chains = l->o->chains;
  const uint64_t before = ebm_evaluations(l->model);
  double seconds = 0;
  lbp_chains c;
  ebm_walk w;
  int status = ebm_walk_plan(&w, s, l->o->warmup);
  if (status == LBP_OK) status = ebm_walk_init(&c, &w, s, l->model, chains, 0, l->o->seed);
  if (status != LBP_OK) basic_die("chains: %s", lbp_error(status));
  for (uint32_t k = 0; k < chains; k++) memcpy(lbp_chains_unit(&c, k)->x, start + (size_t)k * EBM_N, EBM_N);
  out->accept = out->jump = out->sites = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : seconds)
  for (int64_t k = 0; k < (int64_t)chains; k++) {
    const uint32_t mine = (uint32_t)k;
    lbp_unit *unit = lbp_chains_unit(&c, mine);
    lbp_chains_step(&c, mine, mine + 1, warmup, HUGE_VAL, 1);
    memset(&c.moves[k], 0, sizeof *c.moves);
    const double from = bench_cpu_now();
    for (uint32_t t = 0; t < steps; t++) {
      lbp_chains_step(&c, mine, mine + 1, 1, HUGE_VAL, 1);
      if (out->trace) out->trace[(size_t)k * steps + t] = w.kernel.logp(unit, l->model);
    }
    seconds += bench_cpu_now() - from;
    const lbp_finding fault = w.kernel.fault(unit);
    if (fault.status != LBP_OK) basic_die("%s", lbp_error(fault.status));
#pragma omp critical
    basic_progress_add((double)warmup + steps);
  }
  basic_progress_clear();
  for (int64_t k = 0; k < (int64_t)chains; k++) {
    out->accept += c.moves[k].accept / chains / steps;
    out->jump += c.moves[k].jump / chains / steps;
    out->sites += c.moves[k].proposed / chains / steps;
  }
  out->evaluations = (double)(ebm_evaluations(l->model) - before) / chains / ((double)warmup + steps);
  out->seconds = seconds;
  lbp_chains_free(&c);
}

/* ---- how fast chains come from the base to the model ------------------------------------------------------------- */

enum { SIGMAS = 9, ALPHAS = 5, GRID_CHAINS = 8 };
static const double sigmas[SIGMAS] = {0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.57, 0.8, 1.1};
static const double alphas[ALPHAS] = {0.5, 0.55, 0.6, 0.65, 0.7};

static double average(const double *values, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += values[k];
  return sum / (double)count;
}

/* The scale with the largest log pi, averaged over the way: the grid of the paper's appendix B.6. */
static ebm_sampler search(const lab *l, ebm_kind what, const uint8_t *start, uint32_t steps) {
  options fewer = *l->o;
  lab small = *l;
  ebm_sampler best = {what, 0, 0.5, &l->curvature, 0}, s = best;
  double highest = -INFINITY;
  if (fewer.chains > GRID_CHAINS) fewer.chains = GRID_CHAINS;
  small.o = &fewer;
  outcome out = {.trace = (double *)basic_alloc((size_t)fewer.chains * steps, sizeof *out.trace)};
  for (uint32_t b = 0; b < (what == EBM_DLP ? 1 : ALPHAS); b++) {
    for (uint32_t a = 0; a < SIGMAS; a++) {
      s.sigma = sigmas[a];
      s.alpha = alphas[b];
      walk(&small, &s, start, 0, steps, &out);
      const double here = average(out.trace, (size_t)fewer.chains * steps);
      if (here > highest) highest = here, best = s;
    }
  }
  free(out.trace);
  return best;
}

static void print_name(const ebm_sampler *s) {
  char text[64];
  if (s->kind == EBM_DLP) snprintf(text, sizeof text, "DLP, sigma %.2f", s->sigma);
  else if (s->kind == EBM_AB) snprintf(text, sizeof text, "AB, sigma %.2f, alpha %.2f", s->sigma, s->alpha);
  else snprintf(text, sizeof text, "%s", kind_name[s->kind]);
  printf("| %s |", text);
}

/* `level`: where the model's own draws are, less a standard deviation. */
static void mixing(const lab *l, ebm_sampler *s, double level) {
  const options *o = l->o;
  uint8_t *start = (uint8_t *)basic_alloc(o->chains, EBM_N);
  double *trace = (double *)basic_alloc((size_t)o->chains * o->steps, sizeof *trace);
  double *mean = (double *)basic_alloc((size_t)EBM_KINDS * o->steps, sizeof *mean);
  char name[256], head[100] = "step";
  lbp_rng rng;
  uint32_t k, t;
  for (k = 0; k < EBM_KINDS; k++) snprintf(head + strlen(head), sizeof head - strlen(head), ",%s", kind_name[k]);
  snprintf(name, sizeof name, "%.200s_mixing.csv", o->name);
  bench_file csv = bench_create(o->out, name, head);
  lbp_rng_init(&rng, o->seed, 1000000);
  for (k = 0; k < o->chains; k++) ebm_draw_base(l->model, &rng, start + (size_t)k * EBM_N);
  outcome out = {.trace = trace};
  printf("From the base to log pi = %.1f, which the model's own draws exceed five times in six: %lu chains, %lu steps\n"
         "\n", level, (unsigned long)o->chains, (unsigned long)o->steps);
  printf("| sampler | acceptance rate | sites a step | evaluations a step | steps | log pi at the end |\n"
         "|---|---:|---:|---:|---:|---:|\n");
  for (k = 0; k < EBM_KINDS; k++) {
    s[k].kind = (ebm_kind)k;
    if (k == EBM_DLP || k == EBM_AB) s[k] = search(l, s[k].kind, start, o->steps);
    walk(l, &s[k], start, 0, o->steps, &out);
    double *mine = mean + (size_t)k * o->steps; /* over chains, after each step */
    for (size_t i = 0; i < (size_t)o->chains * o->steps; i++) mine[i % o->steps] += trace[i] / o->chains;
    for (t = 0; t < o->steps && mine[t] < level;) t++;
    print_name(&s[k]);
    printf(" %.3f | %.1f | %.2f |", out.accept, out.sites, out.evaluations);
    if (t < o->steps) printf(" %lu |", (unsigned long)t + 1);
    else printf(" > %lu |", (unsigned long)o->steps);
    printf(" %.1f |\n", mine[o->steps - 1]);
  }
  for (t = 0; t < o->steps; t++) {
    fprintf(csv.to, "%lu", (unsigned long)t + 1);
    for (k = 0; k < EBM_KINDS; k++) fprintf(csv.to, ",%.4f", mean[(size_t)k * o->steps + t]);
    fprintf(csv.to, "\n");
  }
  bench_close(&csv);
  BENCH_FREE(start, trace, mean);
}

/* ---- what a second yields ---------------------------------------------------------------------------------------- */

/* Draws of ALBP from the end of training: where to begin, and the mean and standard deviation of log pi. */
static uint8_t *settle(const lab *l, double *mean, double *sd) {
  const uint32_t chains = l->o->chains;
  const ebm_sampler s = {EBM_ALBP, 0, 0, NULL, 0};
  double *trace = (double *)basic_alloc((size_t)chains * l->o->draws, sizeof *trace);
  uint8_t *start = (uint8_t *)basic_alloc(chains, EBM_N);
  outcome out = {.trace = trace};
  memcpy(start, l->trainer.buffer, (size_t)chains * EBM_N);
  walk(l, &s, start, l->o->warmup, l->o->draws, &out);
  *mean = average(trace, (size_t)chains * l->o->draws);
  *sd = 0;
  for (size_t k = 0; k < (size_t)chains * l->o->draws; k++) *sd += (trace[k] - *mean) * (trace[k] - *mean);
  *sd = sqrt(*sd / ((double)chains * l->o->draws));
  free(trace);
  return start;
}

static void yields(const lab *l, const ebm_sampler *s, const uint8_t *start) {
  const options *o = l->o;
  const size_t all = (size_t)o->chains * o->draws, room = LBP_CHAINS_WORKSPACE(o->chains, o->draws);
  double *trace = (double *)basic_alloc(all, sizeof *trace), *work = (double *)basic_alloc(room, sizeof *work);
  double *means = (double *)basic_alloc(o->chains, sizeof *means);
  outcome out = {.trace = trace};
  printf("\nFrom the end of training, %lu chains, %lu steps of warm-up and %lu more; log pi, its error from the\n"
         "chains' means, its bulk ESS and R-hat: where R-hat is above 1.1, chains are still near their starts, and\n"
         "the ESS is theirs\n\n",
         (unsigned long)o->chains, (unsigned long)o->warmup, (unsigned long)o->draws);
  printf("| sampler | acceptance rate | sites a step | jump | us a step | log pi | R-hat | ESS | ESS/s a core |\n"
         "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (uint32_t k = 0; k < EBM_KINDS; k++) {
    double ess = 0, rhat = 0;
    walk(l, &s[k], start, o->warmup, o->draws, &out);
    int status = lbp_ess_bulk(trace, o->chains, o->draws, work, room, &ess);
    if (status == LBP_OK) status = lbp_rhat(trace, o->chains, o->draws, work, room, &rhat);
    print_name(&s[k]);
    for (uint32_t j = 0; j < o->chains; j++) means[j] = average(trace + (size_t)j * o->draws, o->draws);
    const estimate logp = bench_estimate(means, o->chains);
    printf(" %.3f | %.1f | %.2f | %.0f | %.2f +- %.2f |", out.accept, out.sites, out.jump,
           1e6 * out.seconds / (double)all, logp.mean, logp.se);
    if (status == LBP_OK) printf(" %.2f | %.0f | %.2f |\n", rhat, ess, ess / out.seconds);
    else printf(" %s | | |\n", lbp_error(status));
  }
  BENCH_FREE(trace, work, means);
}

/* ---- what a step costs ------------------------------------------------------------------------------------------- */

/* CPU time since `begin`, if that is the least of some repetitions. */
static void lap(double *least, double begin) { *least = fmin(*least, bench_cpu_now() - begin); }

/* Floating-point operations per second of a product of matrices. */
static double product_rate(size_t rows, size_t columns, size_t inner) {
  float *a = (float *)basic_alloc(rows * inner, sizeof *a), *b = (float *)basic_alloc(inner * columns, sizeof *b);
  float *c = (float *)basic_alloc(rows * columns, sizeof *c);
  double least = HUGE_VAL;
  for (int k = 0; k < 20; k++) {
    const double begin = bench_cpu_now();
    net_product(0, rows, columns, inner, a, b, c);
    lap(&least, begin);
  }
  BENCH_FREE(a, b, c);
  return 2.0 * (double)rows * (double)columns * (double)inner / least;
}

/* The paper's network with this many channels, random parameters, on one core: its rate against that of products of
 * matrices, and what a step of the sampler takes beside it. That is a step from the same state with the same draws as
 * the one before, both of whose states the caches still know, after the network has been through with another group. */
static void speed(uint32_t channels) {
  enum { CHAINS = NET_GROUP, ROUNDS = 20 };
  double network = HUGE_VAL, sampler = HUGE_VAL, flips;
  ebm_model m;
  lbp_kernel kernel;
  lbp_chains c;
  ebm_chain before[CHAINS];
  ebm_known *other = (ebm_known *)ebm_room(CHAINS, sizeof *other), *group[CHAINS];
  lbp_rng rng;
  uint64_t evaluations;
  if (!other || ebm_model_init(&m, channels, 6) != LBP_OK) basic_die("out of memory");
  float *theta = (float *)basic_alloc(m.shape.parameters, sizeof *theta);
  lbp_rng_init(&rng, 1, 0);
  net_randomise(&m.shape, theta, &rng);
  for (uint32_t i = 0; i < m.shape.parameters; i++) theta[i] *= 1.5f;
  m.theta = theta;
  bench_expect(ebm_chains_init(&c, &kernel, &m, CHAINS, 30, 0, 1), "chains");
  for (uint32_t k = 0; k < CHAINS; k++) {
    group[k] = &other[k];
    ebm_draw_base(&m, &rng, other[k].x);
    ebm_draw_base(&m, &rng, ebm_chains_x(&c, k));
  }
  ebm_chains_touch(&c);
  for (uint32_t i = 0; i < ROUNDS; i++) {
    lbp_rng draws[CHAINS];
    for (uint32_t k = 0; k < CHAINS; k++) {
      before[k] = *ebm_chain_of(lbp_chains_unit(&c, k));
      draws[k] = lbp_chains_unit(&c, k)->rng;
    }
    ebm_chains_step(&c, &flips);
    for (uint32_t k = 0; k < CHAINS; k++) {
      *ebm_chain_of(lbp_chains_unit(&c, k)) = before[k];
      lbp_chains_unit(&c, k)->rng = draws[k];
    }
    double begin = bench_cpu_now();
    ebm_evaluate(&m, group, CHAINS, 1);
    lap(&network, begin);
    evaluations = ebm_evaluations(&m);
    begin = bench_cpu_now();
    ebm_chains_step(&c, &flips);
    lap(&sampler, begin);
    if (ebm_evaluations(&m) != evaluations) basic_die("the sampler alone asked the network");
  }
  const double rate = 4 * net_products(&m.shape) * CHAINS / network; /* value and gradient, a product and a sum each */
  const double own = product_rate(784, channels, 9 * channels), best = product_rate(512, 512, 512);
  printf("| %lu | %.3f | %.1f | %.0f %% of %.1f | %.0f %% of %.1f | %.1f | %.1f %% |\n", (unsigned long)channels,
         1e3 * network / CHAINS, rate * 1e-9, 100 * rate / own, own * 1e-9, 100 * rate / best, best * 1e-9,
         1e6 * sampler / CHAINS, 100 * sampler / (sampler + network));
  BENCH_FREE(theta, other);
  lbp_chains_free(&c);
  ebm_model_free(&m);
}

static void speeds(void) {
  static const uint32_t channels[] = {8, 16, 32, 64};
  basic_threads(1);
  printf("| channels | ms a state | GFLOP/s | of its own products | of sgemm at 512 x 512 | sampler, us | of a step |\n"
         "|---|---:|---:|---:|---:|---:|---:|\n");
  for (size_t k = 0; k < sizeof channels / sizeof *channels; k++) speed(channels[k]);
}

int main(int argc, char **argv) {
  options o = {NULL, "bench/out/ebm.run", "bench/out", "ebm", 20, 1000, 500, 20000, 0, 0, 1};
  const basic_option list[] = {
    {"--run FILE", "the training run (default bench/out/ebm.run)", OPTION_TEXT, &o.run, 0, 0, NULL},
    {"--data FILE", "the pictures it was trained on, an IDX file (default: shapes)", OPTION_TEXT, &o.data, 0, 0, NULL},
    {"--out FOLDER", "where NAME_mixing.csv and the picture go (default bench/out)", OPTION_TEXT, &o.out, 0, 0, NULL},
    {"--name NAME", "(default ebm)", OPTION_TEXT, &o.name, 0, 0, NULL},
    {"--chains N", "(default 20)", OPTION_COUNT, &o.chains, 2, EBM_BUFFER, NULL},
    {"--steps N", "from the base (default 1000)", OPTION_COUNT, &o.steps, 1, 10000000, NULL},
    {"--warmup N", "at the model (default 500)", OPTION_COUNT, &o.warmup, 0, 10000000, NULL},
    {"--draws N", "(default 20000)", OPTION_COUNT, &o.draws, 8, 10000000, NULL},
    {"--speed", "only what a step costs, without a model", OPTION_FLAG, &o.speed, 0, 0, NULL},
    {"--seed S", "(default 1)", OPTION_SEED, &o.seed, 0, UINT64_MAX, NULL},
    {"--threads N", "(default: all)", OPTION_INT, &o.threads, 1, 1024, NULL}};
  static lab l;
  static ebm_sampler s[EBM_KINDS];
  ebm_data data;
  ebm_how how;
  char why[EBM_WHY], settings[1600];
  double mean, sd;
  void *memory;
  basic_parse(argc, argv,
              "Usage: ebm [option ...]\n"
              "Compares samplers on a trained deep energy-based model (build/examples/ebm/ebm trains one).\n",
              list, sizeof list / sizeof *list);
  bench_start(o.threads);
  if (o.speed) {
    speeds();
    return 0;
  }
  if (ebm_peek(o.run, &how, why) != LBP_OK) basic_die("%s", why);
  if (ebm_data_read(&data, o.data, EBM_SHAPES, (int)how.dynamic, why) != LBP_OK) basic_die("%s", why);
  if (ebm_trainer_init(&l.trainer, &how, data.mean) != LBP_OK) basic_die("out of memory");
  if (ebm_load(&l.trainer, o.run, why) != LBP_OK) basic_die("%s", why);
  ebm_use_mean(&l.trainer);
  l.model = &l.trainer.model;
  l.o = &o;
  if (ebm_curvature(&l.curvature, data.mean, &memory) != LBP_OK) basic_die("the curvature can't be");
  printf("%s: %lu channels, %lu blocks of stride 1, %lu iterations of %lu steps\n\n", o.run,
         (unsigned long)how.channels, (unsigned long)how.deep, (unsigned long)l.trainer.iteration,
         (unsigned long)how.steps);
  basic_progress_begin((double)o.chains * (1 + EBM_KINDS) * ((double)o.warmup + o.draws) +
                       ((double)o.chains * EBM_KINDS + GRID_CHAINS * (SIGMAS + SIGMAS * ALPHAS)) * o.steps);
  uint8_t *start = settle(&l, &mean, &sd);
  printf("log pi of the model's draws: %.1f, standard deviation %.1f\n", mean, sd);
  mixing(&l, s, mean - sd);
  yields(&l, s, start);
  snprintf(settings, sizeof settings, "folder='%.400s'; name='%.200s_mixing'; level=%.2f; made='%s'", o.out, o.name,
           mean - sd, bench_made());
  if (basic_gnuplot("bench/ebm/ebm.gp", settings)) printf("\nPicture: %s/%s_mixing.svg and .png\n", o.out, o.name);
  BENCH_FREE(start, memory);
  ebm_data_free(&data);
  ebm_trainer_free(&l.trainer);
  return 0;
}
