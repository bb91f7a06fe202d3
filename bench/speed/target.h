/* The targets of the programs here, of several sizes, and on each a chain in equilibrium with a tuned R, which takes
 * its steps by turns with others; thread CPU time. */
#ifndef BENCH_TARGET_H
#define BENCH_TARGET_H

#include "../common/models.h"

/* FLOORS: those whose step has a floor (floor.c). */
enum { TARGET_BERNOULLI, TARGET_SKEWED, TARGET_ISING, TARGET_FHMM, FLOORS, TARGET_RBM = FLOORS, TARGETS };
enum { SIZES = 5, MOST_TURNS = 64 };

static const char *const target_names[TARGETS] = {"bernoulli", "bernoulli-skewed", "ising", "fhmm", "rbm"};
static const int target_kinds[TARGETS] = {MODEL_BERNOULLI, MODEL_BERNOULLI, MODEL_ISING, MODEL_FHMM, MODEL_RBM};
static const uint32_t sizes[SIZES] = {100, 800, 6400, 100000, 1000000}, sides[SIZES] = {10, 28, 80, 316, 1000};

/* ---- options ----------------------------------------------------------------------------------------------------- */

typedef struct {
  int targets[TARGETS], quick;
  uint32_t most_sites;
  uint64_t seed;
  const char *out, *pace, *o2;
} options;

LBP_FN const char *target_name(int k) { return target_names[k]; }

/* Of so many targets; all but the last two options if there are no pace cars. */
LBP_FN options target_parse(int argc, char **argv, const char *usage, uint32_t targets, int has_pace) {
  options o = {.seed = 1, .out = "bench/out"};
  const basic_option table[] = {
    {"--model NAMES", "(comma between several; default: all)", OPTION_NAMES, o.targets, 0, targets, target_name},
    {"--max-n N", "no more sites than this, 100 to 100000000 (default: 10000000, with --quick 1000000)", OPTION_COUNT,
     &o.most_sites, 100, 100000000, NULL},
    {"--seed N", "(default: 1)", OPTION_SEED, &o.seed, 0, UINT64_MAX, NULL},
    {"--quick", "fewer and shorter turns", OPTION_FLAG, &o.quick, 0, 0, NULL},
    {"--out DIR", "where the results and the picture go (default: bench/out)", OPTION_TEXT, &o.out, 0, 0, NULL},
    {"--pace DIR", "a folder of pace cars (README.md), to give a step's time as a ratio to theirs, too", OPTION_TEXT,
     &o.pace, 0, 0, NULL},
    {"--o2 PROGRAM", "this program, compiled with -O2 alone, to compare a step with its step", OPTION_TEXT, &o.o2, 0, 0,
     NULL}};
  for (uint32_t k = 0; k < targets; k++) o.targets[k] = 1;
  basic_parse(argc, argv, usage, table, sizeof table / sizeof table[0] - 2 * !has_pace);
  if (!o.most_sites) o.most_sites = o.quick ? 1000000 : 10000000;
  return o;
}

/* Turns, seconds of one chain in one turn, and how long chains warm up. */
typedef struct {
  uint32_t turns;
  double seconds, warmup_flips;
} effort;

static const effort efforts[2] = {{21, 0.04, 2e7}, {7, 0.015, 3e6}}; /* --quick: the second */

/* ---- targets ----------------------------------------------------------------------------------------------------- */

LBP_FN int target_is_measured(const options *o, int target, int size) {
  if (!o->targets[target]) return 0;
  switch (target) {
    case TARGET_SKEWED: return size >= 1 && size <= 3 && sizes[size] <= o->most_sites;
    case TARGET_ISING: return sides[size] * sides[size] <= o->most_sites;
    case TARGET_FHMM: return size == 2 && 5000 <= o->most_sites; /* 5000 sites: among tables of 6400 */
    case TARGET_RBM: return size == 1 && 784 <= o->most_sites;
    default: return sizes[size] <= o->most_sites;
  }
}

LBP_FN uint32_t target_extent(int target, int size) {
  return target == TARGET_ISING ? sides[size] : target == TARGET_FHMM ? 1000 : target == TARGET_RBM ? 400 : sizes[size];
}

/* p from 10^-6 to 1 - 10^-6, log-odds uniform. */
LBP_FN void target_make_skewed(lbp_bernoulli *m, uint32_t n, uint64_t seed) {
  double *p = (double *)basic_alloc(n, sizeof *p);
  lbp_rng rng;
  lbp_rng_init(&rng, seed, UINT64_MAX);
  for (uint32_t i = 0; i < n; i++) p[i] = 1 / (1 + exp(27.6 * lbp_u01(lbp_rng_u64(&rng)) - 13.8));
  bench_expect(lbp_bernoulli_init(m, n, p), target_names[TARGET_SKEWED]);
  free(p);
}

LBP_FN void target_make(bench_model *m, int target, uint32_t extent, uint64_t seed) {
  *m = (bench_model){.kind = target_kinds[target], .config = LBP_C2};
  if (target == TARGET_SKEWED) target_make_skewed(&m->as.bernoulli, extent, seed);
  else if (target == TARGET_RBM) bench_model_load(m, m->kind, extent, LBP_C2, "bench/data");
  else bench_expect(bench_model_make(m, extent, seed), target_names[target]);
}

/* A random state; of a product, by its probabilities. */
LBP_FN uint8_t *target_state(int target, const void *model, uint32_t n, uint64_t seed) {
  const lbp_bernoulli *product = target <= TARGET_SKEWED ? (const lbp_bernoulli *)model : NULL;
  uint8_t *x = (uint8_t *)basic_alloc(n, 1);
  lbp_rng rng;
  lbp_rng_init(&rng, seed, UINT64_MAX - 1);
  for (uint32_t i = 0; i < n; i++) {
    const double u = lbp_u01(lbp_rng_u64(&rng));
    x[i] = u < (product ? 1 / (1 + exp(-(double)product->logit[i])) : 0.5);
  }
  return x;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

typedef struct {
  int target, weight;
  int kind; /* LBP_SAMPLER_LBP and the like */
  lbp_kernel kernel;
  lbp_chains chain;
  uint32_t n, steps; /* steps of a turn */
  double r;
  lbp_moves sum;     /* of all turns */
  double all_steps;
  double flip[MOST_TURNS]; /* by turn, ns */
} entry;

/* One chain, from this state. */
LBP_FN void entry_open(entry *e, lbp_kernel kernel, const void *model, const uint8_t *start, uint64_t seed) {
  e->kernel = kernel;
  run_alone(&e->chain, &e->kernel, model, e->kind, e->n, 0, start, seed, e->n);
  lbp_rng_init(&lbp_chains_unit(&e->chain, 0)->rng, seed, e->n);
  e->chain.plan.target = LBP_TARGET_LBP;
}

/* Steps, all of whose sums are in the chain's moves; returns CPU seconds. */
LBP_FN double entry_walk(entry *e, uint32_t steps) {
  const double begin = bench_cpu_now();
  memset(e->chain.moves, 0, sizeof *e->chain.moves);
  lbp_chains_step(&e->chain, 0, 1, steps, HUGE_VAL, 0);
  return bench_cpu_now() - begin;
}

/* Freezes R where `warmup` steps from r on take it; 0: at r. */
LBP_FN void entry_tune(entry *e, uint32_t warmup, double r) {
  run_retune(&e->chain, r, warmup);
  lbp_chains_step(&e->chain, 0, 1, warmup, HUGE_VAL, 1);
  e->r = run_r(&e->chain);
}

/* Where tuning starts. */
LBP_FN double entry_likely_r(int target, int weight, uint32_t n) {
  const double sites = n;
  double r;
  switch (target) {
    case TARGET_BERNOULLI: r = 1.7 * pow(sites, 2.0 / 3); break;
    case TARGET_SKEWED: r = weight == WEIGHT_BARKER ? 0.43 * pow(sites, 2.0 / 3) : 0.5 * sqrt(sites); break;
    case TARGET_ISING: r = weight == WEIGHT_BARKER ? 1.8 * pow(sites, 0.58) : pow(sites, 0.67); break;
    case TARGET_RBM: r = 40; break;
    default: r = sites / 11;
  }
  return r < 1 ? 1 : r < sites ? r : sites;
}

/* A chain in equilibrium with a tuned R, or the given one. */
LBP_FN void entry_make(entry *e, int target, int weight, int kind, const void *model, uint32_t n, double r,
                       const effort *how, uint64_t seed) {
  enum { SWEEPS = 20 };
  const double first = entry_likely_r(target, weight, n);
  double taken;
  uint8_t *start = target_state(target, model, n, seed);
  bench_label("%s %u: tuning", target_names[target], (unsigned)n);
  basic_progress_begin(1);
  basic_progress_add(0);
  *e = (entry){.target = target, .weight = weight, .kind = kind, .n = n};
  entry_open(e, pair_kernels[target_kinds[target]][weight](), model, start, seed);
  if (target >= TARGET_ISING) {
    e->chain.plan.sampler = lbp_kernel_sampler(&e->kernel, LBP_SAMPLER_GIBBS);
    entry_walk(e, SWEEPS);
    e->chain.plan.sampler = lbp_kernel_sampler(&e->kernel, kind);
  }
  if (r > 0) entry_tune(e, 0, r);
  else entry_tune(e, (uint32_t)fmin(fmax(how->warmup_flips / first, 600), 20000), first);
  for (e->steps = 1; (taken = entry_walk(e, e->steps)) <= how->seconds / 8;) e->steps *= 2;
  e->steps = (uint32_t)(e->steps * how->seconds / taken) + 1;
  free(start);
}

/* The same by another kernel: goes on from where that chain is, with its R, by turns with it. */
LBP_FN void entry_make_twin(entry *e, const entry *of, lbp_kernel kernel, uint64_t seed) {
  *e = *of;
  entry_open(e, kernel, of->chain.model, (const uint8_t *)lbp_chains_unit(&of->chain, 0)->x, seed);
  entry_tune(e, 0, of->r);
}

/* One turn of a chain, after some steps that bring its data back into the caches; returns its CPU seconds. */
LBP_FN double entry_turn(entry *e, uint32_t turn) {
  const lbp_moves *moves = e->chain.moves;
  if (e->r <= 1) e->kernel.touch(lbp_chains_unit(&e->chain, 0)); /* so few flips would not: looks at all sites */
  entry_walk(e, e->steps / 8 + 1);
  const double taken = entry_walk(e, e->steps);
  e->flip[turn] = 1e9 * taken / moves->proposed;
  e->all_steps += e->steps;
  e->sum.proposed += moves->proposed;
  e->sum.accept += moves->accept;
  return taken;
}

LBP_FN double entry_acceptance(const entry *e) { return e->sum.accept / e->all_steps; }

#endif
