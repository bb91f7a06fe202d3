/* builds - the cost of a checked build (LBP_CHECKED) and of the same draws of callbacks everywhere (LBP_EXACT): a
 * step's time by that of a plain build, of several models and samplers, by turns in one run (see README.md). `make
 * bench-builds`: a minute and a half of one core. Writes builds.csv. The Makefile compiles this file twice, since
 * LBP_EXACT holds for all of one. */
#include "../../examples/inputs.h"
#include "../../lbp_models.h"
#include "../common/turns.h"

/* The kernel of a model in the build that has LBP_EXACT. */
lbp_kernel exact_kernel(int model);

#if LBP_EXACT
#define BUILD exact
#include "build.h"

lbp_kernel exact_kernel(int model) { return exact_kernels[model](); }
#else
#define BUILD plain
#include "build.h"

#undef LBP_CHECKED
#define LBP_CHECKED 1
#define BUILD checked
#include "build.h"

/* ---- models ------------------------------------------------------------------------------------------------------ */

enum { BERNOULLI, ISING, FHMM, RBM, GRAPH, LATTICE, LOGISTIC, MODELS };
static const char *const model_names[MODELS] = {"Bernoulli", "Ising grid", "factorial HMM", "RBM", "spins", "lattice",
                                                "logistic"};

static struct {
  lbp_bernoulli bernoulli;
  lbp_ising ising;
  lbp_fhmm fhmm;
  lbp_rbm rbm;
  lbp_graph graph;
  lbp_lattice lattice;
  lbp_logistic logistic;
} models;

static const void *const model_of[MODELS] = {&models.bernoulli, &models.ising,   &models.fhmm,    &models.rbm,
                                             &models.graph,     &models.lattice, &models.logistic};
static const uint32_t sites[MODELS] = {800, 784, 1000, 784, 400, 100, 100};

static void make_models(void) {
  double W[LBP_FHMM_MAX_K], offset;
  char why[INPUT_WHY];
  lbp_fhmm_paper_weights(W, &offset);
  bench_expect(lbp_bernoulli_random(&models.bernoulli, 800, LBP_C2, 1), "Bernoulli");
  bench_expect(lbp_ising_random(&models.ising, 28, LBP_C2, 1), "grid");
  bench_expect(lbp_fhmm_random(&models.fhmm, 200, 5, W, offset, LBP_C2, LBP_FHMM_AS_RUN, 1), "factorial HMM");
  if (input_rbm(&models.rbm, "bench/data/rbm_100.bin", why) != LBP_OK) basic_die("%s", why);
  bench_expect(lbp_graph_grid(&models.graph, 20, 20, 0.3), "spins");
  bench_expect(lbp_lattice_random_rotation(&models.lattice, 100, 21, 10, 1), "lattice");
  bench_expect(lbp_logistic_random(&models.logistic, 100, 50, 1), "logistic regression");
}

static void free_models(void) {
  lbp_bernoulli_free(&models.bernoulli);
  lbp_ising_free(&models.ising);
  lbp_fhmm_free(&models.fhmm);
  lbp_rbm_free(&models.rbm);
  lbp_graph_free(&models.graph);
  lbp_lattice_free(&models.lattice);
  lbp_logistic_free(&models.logistic);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

enum { WARMUP = 4000, WARMUP_SWEEPS = 200 };

static contestant enter_model(const lbp_kernel *kernel, int model, int sampler, double R) {
  contestant it = {.steps = 100};
  lbp_plan plan;
  bench_expect(lbp_plan_init(&plan, kernel, sampler, sites[model], model == LATTICE ? 21 : 2), "sampler");
  plan.warmup = plan.sampler->parameter_name ? WARMUP : WARMUP_SWEEPS;
  plan.setting[0] = R;
  bench_expect(lbp_chains_init(&it.c, kernel, model_of[model], &plan, 0, 1, 0), "chain");
  bench_expect(lbp_chains_make(&it.c, 0, 1), "chain");
  return it;
}

/* The same chain in another build: where it is, with what has been tuned. */
static contestant enter_twin(const contestant *of, const lbp_kernel *kernel, int model) {
  contestant it = enter_model(kernel, model, of->c.plan.sampler->sampler, of->c.plan.setting[0]);
  double *words = (double *)basic_alloc(kernel->tuner_words(&it.c.plan), sizeof *words);
  of->c.kernel->tuner_save(lbp_chains_tuner(&of->c, 0), words);
  kernel->tuner_load(lbp_chains_tuner(&it.c, 0), words);
  memcpy(lbp_chains_unit(&it.c, 0)->x, lbp_chains_unit(&of->c, 0)->x, sites[model]);
  kernel->touch(lbp_chains_unit(&it.c, 0));
  free(words);
  return it;
}

/* ns of a step, in a turn. */
static double turn_step(contestant *it) {
  const double steps = it->steps;
  take_turn(it);
  return it->c.plan.sampler->parameter_name ? it->ns * it->c.moves[0].proposed / steps : it->ns * it->c.plan.n;
}

/* A step's time by that of a plain build: a row. */
static void compare_builds(const char *build, const lbp_kernel *plain, const lbp_kernel *other, int model, int sampler,
                           double R, FILE *csv) {
  double step[TURNS], ratio[TURNS];
  contestant a = enter_model(plain, model, sampler, R);
  lbp_chains_step(&a.c, 0, 1, a.c.plan.warmup, HUGE_VAL, 1);
  contestant b = enter_twin(&a, other, model);
  const char *const name = R > 0 ? "LBP-1" : a.c.plan.sampler->name;
  const char *const header = model < GRAPH ? "lbp.h" : "lbp_ab.h";
  for (int turn = FIRST_TURN; turn < TURNS; turn++) {
    const double by = turn_step(&a), of = turn_step(&b);
    if (turn >= 0) step[turn] = by, ratio[turn] = of / by;
  }
  const double figure[] = {bench_median(step, TURNS), bench_median(ratio, TURNS), bench_quantile(ratio, TURNS, 0.25),
                           bench_quantile(ratio, TURNS, 0.75)};
  printf("| %-11s | %-8s | %-14s | %-10s | %10.0f | %5.2f | %.2f to %.2f |\n", build, header, model_names[model], name,
         figure[0], figure[1], figure[2], figure[3]);
  fprintf(csv, "%s,%s,%s,%s", build, header, model_names[model], name);
  write_last(csv, figure, 4);
  lbp_chains_free(&a.c);
  lbp_chains_free(&b.c);
}

/* All samplers, R tuned or 1. */
static void compare_all(const char *build, lbp_kernel (*kernel_of)(int model), FILE *csv) {
  static const struct {
    int sampler;
    double R;
  } rows[] = {{LBP_SAMPLER_LBP, 0}, {LBP_SAMPLER_LBP, 1}, {LBP_SAMPLER_GWG, 0},   {LBP_SAMPLER_RWM, 0},
              {LBP_SAMPLER_AB, 0},  {LBP_SAMPLER_DLP, 0}, {LBP_SAMPLER_GIBBS, 0}, {LBP_SAMPLER_METROPOLIS, 0}};
  for (int model = 0; model < MODELS; model++) {
    const lbp_kernel plain = plain_kernels[model](), other = kernel_of(model);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
      if (!lbp_kernel_sampler(&plain, rows[k].sampler)) continue;
      compare_builds(build, &plain, &other, model, rows[k].sampler, rows[k].R, csv);
    }
  }
}

static lbp_kernel checked_kernel(int model) { return checked_kernels[model](); }

int main(void) {
  bench_start(1);
  make_models();
  const bench_file csv = bench_create("bench/out", "builds.csv", "build,header,model,sampler,plain_ns,ratio,low,high");
  printf("| build | header | model | sampler | ns a step, plain | ratio | quartiles |\n"
         "|---|---|---|---|---:|---:|---|\n");
  compare_all("LBP_CHECKED", checked_kernel, csv.to);
  compare_all("LBP_EXACT", exact_kernel, csv.to);
  bench_close(&csv);
  free_models();
  return 0;
}
#endif
