/* floor - how close a generated LBP-R step comes to what this machine allows, how it scales with the number of sites,
 * and what a size fixed at compile time buys on small models. `make bench-floor`, or build/bench/floor --help. Writes
 * floor.csv, floor_samplers.csv, floor_scaling.csv, floor_small.csv and, with gnuplot, floor.svg and floor.png.
 *
 * The floor of one proposed flip is put together from primitives, as README.md beside it says, each measured alone, in
 * a loop of independent operations (so throughput, not latency), in the same run as the step. */
#include "../common/fit.h"
#include "../common/models.h"

enum { LINE_WORDS = 16, MOST_TURNS = 64 }; /* LINE_WORDS: weights on a cache line */

#define SIZED            bernoulli
#define MODEL            lbp_bernoulli
#define MODEL_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "floor_small.h"

#define SIZED            ising
#define MODEL            lbp_ising
#define MODEL_FIELDS
#define MODEL_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "floor_small.h"

/* What an instance is, and what says what its steps touch: candidates per site drawn in the last step, and a site's
 * neighbours. */
typedef struct {
  lbp_kernel (*kernel)(void);
  double (*tries)(void *chain);
  uint32_t (*neighbours)(const void *model, uint32_t i, uint32_t *list);
} chain_type;

#define CHAIN_TYPE(model, weight)                                                                      \
  static double model##_##weight##_tries(void *chain) {                                               \
    const model##_##weight##_chain *c = model##_##weight##_chain_of(chain);                           \
    return (double)c->urn.mass / (double)c->urn.sums.total;                                           \
  }                                                                                                   \
  static uint32_t model##_##weight##_beside(const void *m, uint32_t i, uint32_t *list) {              \
    return lbp_##model##_neighbours((const lbp_##model *)m, i, list);                                 \
  }                                                                                                   \
  static const chain_type model##_##weight##_type = {model##_##weight##_kernel, model##_##weight##_tries, \
                                                     model##_##weight##_beside};
CHAIN_TYPE(bernoulli, barker)
CHAIN_TYPE(bernoulli, sqrt)
CHAIN_TYPE(ising, barker)
CHAIN_TYPE(ising, sqrt)
CHAIN_TYPE(fhmm, barker)

/* ---- options ----------------------------------------------------------------------------------------------------- */

enum { TARGET_BERNOULLI, TARGET_SKEWED, TARGET_ISING, TARGET_FHMM, TARGETS };

static const char *const target_names[TARGETS] = {"bernoulli", "bernoulli-skewed", "ising", "fhmm"};

typedef struct {
  int targets[TARGETS], quick;
  uint32_t most_sites;
  uint64_t seed;
  const char *out;
} options;

static const char *target_name(int k) { return target_names[k]; }

static options parse(int argc, char **argv) {
  options o = {.seed = 1, .out = "bench/out"};
  const basic_option table[] = {
    {"--model NAMES", "(comma between several; default: all)", OPTION_NAMES, o.targets, 0, TARGETS, target_name},
    {"--max-n N", "no more sites than this, 100 to 100000000 (default: 10000000, with --quick 1000000)", OPTION_COUNT,
     &o.most_sites, 100, 100000000, NULL},
    {"--seed N", "(default: 1)", OPTION_SEED, &o.seed, 0, UINT64_MAX, NULL},
    {"--quick", "fewer and shorter turns", OPTION_FLAG, &o.quick, 0, 0, NULL},
    {"--out DIR", "where the results and the picture go (default: bench/out)", OPTION_TEXT, &o.out, 0, 0, NULL}};
  for (int k = 0; k < TARGETS; k++) o.targets[k] = 1;
  basic_parse(argc, argv, "usage: floor [option ...]", table, sizeof table / sizeof table[0]);
  if (!o.most_sites) o.most_sites = o.quick ? 1000000 : 10000000;
  return o;
}

/* Turns, their length, and how long chains warm up. */
typedef struct {
  uint32_t turns, small_turns;
  double seconds, small_seconds; /* of one chain in one turn */
  double warmup_flips;
} effort;

static const effort full = {21, 41, 0.04, 0.01, 2e7}, quicker = {7, 11, 0.015, 0.005, 3e6};

/* ---- primitives -------------------------------------------------------------------------------------------------- */

/* A block's operations. Its arrays stay in the first-level cache together with a table of NEAR_WORDS. */
enum { BLOCK = 2048, ARRAY = 512, FILL = 64, NEAR_WORDS = 2048, TIMED_BLOCKS = 41, ATTEMPTS = 3 };

/* Lanes of independent recurrences: so many that compilers neither unroll them nor spill. */
enum { FACTOR_LANES = 32, WORD_LANES = 16, ROW = 8 };

/* The primitives, whatever the table, at n weights, and near. */
enum {
  WORD, LANES, ALONE, READ, UPDATE, STATE, READ_NEAR, UPDATE_NEAR, STORE, FACTOR, BARKER, SQRT, BRANCH, EXP_DIV,
  PRIMITIVES
};

typedef struct {
  double ns[PRIMITIVES];
} primitives;

static struct {
  lbp_rng rng;
  uint32_t *table;
  uint32_t index[BLOCK], weight[ARRAY];
  uint64_t word[ARRAY], lane[4][WORD_LANES];
  double num[2][ARRAY], den[2][ARRAY];
  float log_ratio[ARRAY], quotient[ARRAY];
  uint8_t bit[BLOCK];
} bed;

static volatile uint64_t sink;
static volatile uint32_t small_sink;

/* What is prepared anew for every block, untimed. */

static void prepare_nothing(uint32_t words) { (void)words; }

/* Sites at random, different ones as far as the table goes: no read-modify-write of a step waits for another. */
static void prepare_sites(uint32_t words) {
  uint64_t word[FILL];
  for (uint32_t k = 0; k < BLOCK; k++) {
    if (k % FILL == 0) lbp_rng_fill(&bed.rng, word, FILL);
    bed.index[k] = words <= BLOCK ? k % words : (uint32_t)((word[k % FILL] >> 32) * words >> 32);
  }
  for (uint32_t k = words < BLOCK ? words : BLOCK; words <= BLOCK && k-- > 1;) {
    const uint32_t other = (uint32_t)((word[k % FILL] & 0xffffffffu) * (k + 1) >> 32), kept = bed.index[k];
    bed.index[k] = bed.index[other];
    bed.index[other] = kept;
  }
  for (uint32_t k = words; k < BLOCK; k++) bed.index[k] = bed.index[k - words];
}

static void prepare_bits(uint32_t words) {
  uint64_t word[FILL];
  (void)words;
  for (uint32_t k = 0; k < BLOCK; k++) {
    if (k % FILL == 0) lbp_rng_fill(&bed.rng, word, FILL);
    bed.bit[k] = (uint8_t)(word[k % FILL] >> 63);
  }
}

static void prepare_same(uint32_t bit) { memset(bed.bit, (int)bit, sizeof bed.bit); }

/* The blocks. */

static void block_nothing(void) {}

static void block_word(void) {
  for (uint32_t k = 0; k < BLOCK; k += FILL) lbp_rng_fill(&bed.rng, bed.word + k % ARRAY, FILL);
}

/* xoshiro256++ of Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", TOMS 2021: in lanes, the
 * cheapest good generator that plain C has. */
static void block_lanes(void) {
  uint64_t s[4][WORD_LANES];
  memcpy(s, bed.lane, sizeof s);
  for (uint32_t k = 0; k < ARRAY; k += WORD_LANES) {
    for (uint32_t j = 0; j < WORD_LANES; j++) {
      const uint64_t sum = s[0][j] + s[3][j], shifted = s[1][j] << 17;
      bed.word[k + j] = (sum << 23 | sum >> 41) + s[0][j];
      s[2][j] ^= s[0][j];
      s[3][j] ^= s[1][j];
      s[1][j] ^= s[2][j];
      s[0][j] ^= s[3][j];
      s[2][j] ^= shifted;
      s[3][j] = s[3][j] << 45 | s[3][j] >> 19;
    }
  }
  memcpy(bed.lane, s, sizeof s);
}

static void block_alone(void) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < FILL; k++) sum += lbp_rng_u64(&bed.rng);
  sink = sum;
}

static void block_read(void) {
  const uint32_t *table = bed.table;
  uint32_t sum = 0;
  for (uint32_t k = 0; k < BLOCK; k++) sum += table[bed.index[k]];
  sink = sum;
}

static void block_update(void) {
  uint32_t *table = bed.table;
  for (uint32_t k = 0; k < BLOCK; k++) table[bed.index[k]] ^= 0x80000000u;
}

static void block_state(void) {
  uint8_t *table = (uint8_t *)(void *)bed.table;
  for (uint32_t k = 0; k < BLOCK; k++) table[bed.index[k]] ^= 1u;
}

/* A list that is made one by one, as candidates are: not a copy that compilers recognise. */
static void block_store(void) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < BLOCK; k++) {
    bed.index[count] = k;
    count += bed.bit[k];
  }
  sink = count;
}

static void block_factor(void) {
  double num[FACTOR_LANES], den[FACTOR_LANES];
  int exponent_num, exponent_den;
  for (uint32_t j = 0; j < FACTOR_LANES; j++) num[j] = den[j] = 1;
  for (uint32_t k = 0; k < ARRAY; k += FACTOR_LANES) {
    for (uint32_t j = 0; j < FACTOR_LANES; j++) {
      num[j] *= bed.num[0][k + j] * bed.num[1][k + j];
      den[j] *= bed.den[0][k + j] * bed.den[1][k + j];
    }
  }
  for (uint32_t k = FACTOR_LANES / 2; k > 0; k /= 2) {
    for (uint32_t j = 0; j < k; j++) {
      num[j] *= num[j + k];
      den[j] *= den[j + k];
    }
  }
  sink = frexp(num[0], &exponent_num) < frexp(den[0], &exponent_den);
  small_sink = (uint32_t)(exponent_num - exponent_den);
}

/* 2^t for |t| < 100 to four digits: more than a weight needs. */
LBP_INLINE float power_of_two(float t) {
  const int32_t k = (int32_t)(t + 128.5f) - 128;
  const float f = t - (float)k;
  const uint32_t bits = (uint32_t)(k + 127) << 23;
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale * (1.0f + f * (0.6931472f + f * (0.2402265f + f * (0.05550411f + f * 0.00961813f))));
}

static void block_barker(void) {
  for (uint32_t k = 0; k < ARRAY; k++) {
    bed.weight[k] = (uint32_t)(int32_t)(2147483520.0f / (1.0f + power_of_two(-1.442695f * bed.log_ratio[k])));
  }
}

static void block_sqrt(void) {
  for (uint32_t k = 0; k < ARRAY; k++) {
    bed.weight[k] = (uint32_t)(int32_t)(1048576.0f * power_of_two(0.7213475f * bed.log_ratio[k]));
  }
}

static void block_branch(void) {
  for (uint32_t k = 0; k < BLOCK; k++) {
    if (bed.bit[k]) small_sink = k; /* volatile: neither moved nor made a conditional move */
  }
}

static void block_exp_div(void) {
  for (uint32_t k = 0; k < ARRAY; k++) bed.quotient[k] = expf(bed.log_ratio[k]) / (bed.log_ratio[k] + 8.0f);
}

static double clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Time of a block in ns, on a table of so many words that blocks have been through before: the lower decile, since
 * interrupts, and loads wrongly held back for stores, only ever add to it. */
static double time_block(void (*block)(void), void (*prepare)(uint32_t), uint32_t words) {
  const uint32_t warmup = 32 + 3 * (words / LINE_WORDS / BLOCK);
  double taken[TIMED_BLOCKS];
  for (uint32_t k = 0; k < warmup + TIMED_BLOCKS; k++) {
    prepare(words);
    const double begin = clock_ns();
    block();
    if (k >= warmup) taken[k - warmup] = clock_ns() - begin;
  }
  return bench_quantile(taken, TIMED_BLOCKS, 0.1);
}

/* The time of one operation out of `count` in a block. */
static double time_one(void (*block)(void), void (*prepare)(uint32_t), uint32_t words, uint32_t count) {
  double shortest = 0;
  for (int k = 0; k < ATTEMPTS; k++) {
    const double clock = time_block(block_nothing, prepare_nothing, 1), t = time_block(block, prepare, words) - clock;
    if (k == 0 || t < shortest) shortest = t;
  }
  return shortest / count;
}

static void lay_bed(uint32_t most_words, uint64_t seed) {
  uint64_t word[5];
  lbp_rng_init(&bed.rng, seed, 0);
  lbp_rng_fill(&bed.rng, bed.lane[0], sizeof bed.lane / sizeof bed.lane[0][0]);
  bed.table = (uint32_t *)basic_alloc(most_words, sizeof *bed.table);
  for (uint32_t k = 0; k < ARRAY; k++) {
    lbp_rng_fill(&bed.rng, word, 5);
    bed.num[0][k] = 0.75 + lbp_u01(word[0]) / 2;
    bed.num[1][k] = 0.75 + lbp_u01(word[1]) / 2;
    bed.den[0][k] = 0.75 + lbp_u01(word[2]) / 2;
    bed.den[1][k] = 0.75 + lbp_u01(word[3]) / 2;
    bed.log_ratio[k] = (float)(4 * lbp_u01(word[4]) - 2);
  }
}

static double time_update(uint32_t words) { return time_one(block_update, prepare_sites, words, BLOCK); }

static primitives time_primitives(uint32_t n) {
  const uint32_t near = n < NEAR_WORDS ? n : NEAR_WORDS;
  const struct {
    void (*block)(void);
    void (*prepare)(uint32_t);
    uint32_t words, count;
  } all[PRIMITIVES] = {
    {block_word, prepare_nothing, 1, BLOCK},      {block_lanes, prepare_nothing, 1, ARRAY},
    {block_alone, prepare_nothing, 1, FILL},      {block_read, prepare_sites, n, BLOCK},
    {block_update, prepare_sites, n, BLOCK},      {block_state, prepare_sites, n, BLOCK},
    {block_read, prepare_sites, near, BLOCK},     {block_update, prepare_sites, near, BLOCK},
    {block_store, prepare_bits, 1, BLOCK},        {block_factor, prepare_nothing, 1, ARRAY},
    {block_barker, prepare_nothing, 1, ARRAY},    {block_sqrt, prepare_nothing, 1, ARRAY},
    {block_branch, prepare_bits, 1, BLOCK},       {block_exp_div, prepare_nothing, 1, ARRAY}};
  primitives p;
  for (int k = 0; k < PRIMITIVES; k++) p.ns[k] = time_one(all[k].block, all[k].prepare, all[k].words, all[k].count);
  p.ns[BRANCH] -=
    (time_one(block_branch, prepare_same, 1, BLOCK) + time_one(block_branch, prepare_same, 0, BLOCK)) / 2;
  return p;
}

static double word_cost(const primitives *p) { return fmin(p->ns[WORD], p->ns[LANES]); }

static double fixed_cost(const primitives *p) {
  return 2 * p->ns[BRANCH] + p->ns[EXP_DIV] + fmin(p->ns[ALONE], ROW * p->ns[LANES]);
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

typedef struct {
  double tries;   /* candidates per site drawn */
  double touched; /* sites whose weights change per flip, itself included */
  double fresh;   /* cache lines that only neighbours touch, per touched neighbour */
  double lines;   /* cache lines of the weights that a step touches */
} footprint;

typedef struct {
  int target, weight;
  int kind; /* LBP_SAMPLER_LBP and the like */
  const chain_type *type;
  lbp_kernel kernel;
  lbp_chains chain;
  uint32_t n, steps; /* steps of a turn */
  double r;
  footprint seen;
  lbp_moves sum;     /* of all turns */
  double all_steps;
  double flip[MOST_TURNS], floor[MOST_TURNS], ratio[MOST_TURNS]; /* by turn, ns */
} entry;

/* One chain, from this state. */
static void open_chain(entry *e, lbp_kernel kernel, const void *model, const uint8_t *start, uint64_t seed) {
  e->kernel = kernel;
  run_alone(&e->chain, &e->kernel, model, e->kind, e->n, 0, start, seed, e->n);
  lbp_rng_init(&lbp_chains_unit(&e->chain, 0)->rng, seed, e->n);
  e->chain.plan.target = LBP_TARGET_LBP;
}

/* Steps, all of whose sums are in the chain's moves; returns CPU seconds. */
static double walk(entry *e, uint32_t steps) {
  const double begin = bench_cpu_now();
  memset(e->chain.moves, 0, sizeof *e->chain.moves);
  lbp_chains_step(&e->chain, 0, 1, steps, HUGE_VAL, 0);
  return bench_cpu_now() - begin;
}

/* Freezes R where `warmup` steps from r on take it; 0: at r. */
static double tune(entry *e, uint32_t warmup, double r) {
  run_retune(&e->chain, r, warmup);
  lbp_chains_step(&e->chain, 0, 1, warmup, HUGE_VAL, 1);
  return run_r(&e->chain);
}

/* The sites that a step has changed. */
typedef struct {
  const uint32_t *sites;
  uint32_t count;
} change;

static void note_change(void *data, const void *chain, const uint32_t *changed, uint32_t count) {
  change *last = (change *)data;
  (void)chain;
  last->sites = changed;
  last->count = count;
}

/* 1 for the first visit to k in step t. */
static uint32_t visit(uint32_t *last_step, uint32_t k, uint32_t t) {
  const uint32_t first = last_step[k] != t;
  last_step[k] = t;
  return first;
}

/* Counts what accepted steps touch: a step that was refused does not say which sites it proposed. */
static footprint look(entry *e, uint32_t steps) {
  uint32_t *site_step = (uint32_t *)basic_alloc(e->n, sizeof *site_step);
  uint32_t *line_step = (uint32_t *)basic_alloc(e->n / LINE_WORDS + 1, sizeof *line_step);
  uint32_t list[LBP_FHMM_MAX_NEIGHBOURS], accepted = 0;
  double tries = 0, flips = 0, flip_lines = 0, others = 0, other_lines = 0;
  change last = {NULL, 0};
  e->chain.plan.see = note_change;
  e->chain.plan.see_data = &last;
  for (uint32_t t = 1; t <= steps; t++) {
    lbp_chains_step(&e->chain, 0, 1, 1, HUGE_VAL, 0);
    tries += e->type->tries(lbp_chains_unit(&e->chain, 0));
    accepted += last.count > 0;
    for (uint32_t k = 0; k < last.count; k++) {
      flip_lines += visit(line_step, last.sites[k] / LINE_WORDS, t);
      flips += visit(site_step, last.sites[k], t);
    }
    for (uint32_t k = 0; k < last.count; k++) {
      const uint32_t count = e->type->neighbours(e->chain.model, last.sites[k], list);
      for (uint32_t j = 0; j < count; j++) {
        other_lines += visit(line_step, list[j] / LINE_WORDS, t);
        others += visit(site_step, list[j], t);
      }
    }
  }
  e->chain.plan.see = NULL;
  free(site_step);
  free(line_step);
  if (flips == 0) basic_die("no step of %u was accepted: nothing to count", (unsigned)steps);
  footprint f = {.tries = tries / steps, .touched = (flips + others) / flips,
                 .fresh = others > 0 ? other_lines / others : 0, .lines = (flip_lines + other_lines) / accepted};
  return f;
}

/* ---- what is compared -------------------------------------------------------------------------------------------- */

static const chain_type *const types[TARGETS][WEIGHT_COUNT] = {
  {&bernoulli_barker_type, &bernoulli_sqrt_type},
  {&bernoulli_barker_type, &bernoulli_sqrt_type},
  {&ising_barker_type, &ising_sqrt_type},
  {&fhmm_barker_type, NULL}};

/* Where tuning starts. */
static double likely_r(int target, int weight, uint32_t n) {
  const double sites = n;
  double r;
  switch (target) {
    case TARGET_BERNOULLI: r = 1.7 * pow(sites, 2.0 / 3); break;
    case TARGET_SKEWED: r = weight == WEIGHT_BARKER ? 0.43 * pow(sites, 2.0 / 3) : 0.5 * sqrt(sites); break;
    case TARGET_ISING: r = weight == WEIGHT_BARKER ? 1.8 * pow(sites, 0.58) : pow(sites, 0.67); break;
    default: r = sites / 11;
  }
  return r < 1 ? 1 : r < sites ? r : sites;
}

static uint32_t warmup_steps(const effort *e, double r) {
  const double steps = e->warmup_flips / r;
  return steps < 600 ? 600 : steps > 20000 ? 20000 : (uint32_t)steps;
}

/* Chooses the steps that take `seconds`. */
static void set_pace(entry *e, double seconds) {
  uint32_t steps = 1;
  double taken;
  while ((taken = walk(e, steps)) <= seconds / 8) steps *= 2;
  e->steps = (uint32_t)(steps * seconds / taken) + 1;
}

/* One turn of a chain, after some steps that bring its data back into the caches. */
static void take_turn(entry *e, uint32_t turn) {
  const lbp_moves *moves = e->chain.moves;
  walk(e, e->steps / 8 + 1);
  const double taken = walk(e, e->steps);
  e->flip[turn] = 1e9 * taken / moves->proposed;
  e->all_steps += e->steps;
  e->sum.proposed += moves->proposed;
  e->sum.accept += moves->accept;
}

/* The formula of README.md. */
static double flip_floor(const entry *e, const primitives *p) {
  const footprint *f = &e->seen;
  const uint32_t again_words = f->lines * LINE_WORDS < e->n ? (uint32_t)(f->lines * LINE_WORDS) + 1 : e->n;
  const double *ns = p->ns, again = time_update(again_words), weight = ns[e->weight == WEIGHT_BARKER ? BARKER : SQRT];
  const double flip = f->tries * (word_cost(p) + ns[READ]) + ns[STATE] + ns[UPDATE_NEAR] + again + ns[FACTOR] + weight +
                      fixed_cost(p) / e->r;
  const double other = f->fresh * ns[UPDATE] + (1 - f->fresh) * ns[UPDATE_NEAR] + ns[READ_NEAR] + again + weight;
  return flip + (f->touched - 1) * other;
}

/* A random state; for a product its probabilities. */
static uint8_t *random_state(int target, const void *model, uint32_t n, uint64_t seed) {
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

/* A chain in equilibrium with a tuned R, or the given one. */
static void enter(entry *e, int target, int weight, int kind, const void *model, uint32_t n, double r,
                  const effort *how, uint64_t seed) {
  enum { SWEEPS = 20 };
  uint8_t *start = random_state(target, model, n, seed);
  bench_label("%s %u: tuning", target_names[target], (unsigned)n);
  basic_progress_begin(1);
  basic_progress_add(0);
  *e = (entry){.target = target, .weight = weight, .kind = kind, .type = types[target][weight], .n = n};
  open_chain(e, e->type->kernel(), model, start, seed);
  if (target >= TARGET_ISING) {
    e->chain.plan.sampler = lbp_kernel_sampler(&e->kernel, LBP_SAMPLER_GIBBS);
    walk(e, SWEEPS);
    e->chain.plan.sampler = lbp_kernel_sampler(&e->kernel, kind);
  }
  e->r = likely_r(target, weight, n);
  e->r = r > 0 ? tune(e, 0, r) : tune(e, warmup_steps(how, e->r), e->r);
  set_pace(e, how->seconds);
  free(start);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static double acceptance(const entry *e) { return e->sum.accept / e->all_steps; }

static void print_entry(const entry *e, uint32_t turns, FILE *csv) {
  const double flip = bench_median(e->flip, turns), floor_ns = bench_median(e->floor, turns), ratio = bench_median(e->ratio, turns);
  printf("%-17s %-8s %8u %9.1f %7.3f %9.2f %9.2f %7.2f  (%.2f to %.2f)\n", target_names[e->target],
         weight_names[e->weight], (unsigned)e->n, e->r, acceptance(e), flip, floor_ns, ratio,
         bench_quantile(e->ratio, turns, 0.25), bench_quantile(e->ratio, turns, 0.75));
  fprintf(csv, "%s,%s,%u,%.6g,%.4f,%.4f,%.4f,%.4f\n", target_names[e->target], weight_names[e->weight],
          (unsigned)e->n, e->r, acceptance(e), flip, floor_ns, ratio);
}

static void print_sampler(const char *name, const entry *e, uint32_t turns, FILE *csv) {
  const double flip = bench_median(e->flip, turns);
  if (e->kind != LBP_SAMPLER_LBP) {
    printf("%-17s %-8s %8u %9.1f %7.3f %9.2f\n", name, e->kind == LBP_SAMPLER_RWM ? "" : weight_names[e->weight],
           (unsigned)e->n, e->r, acceptance(e), flip);
  }
  fprintf(csv, "%s,%u,%.6g,%.4f\n", name, (unsigned)e->n, e->r, flip);
}

/* ---- the step against the floor ---------------------------------------------------------------------------------- */

enum { SIZES = 5, MOST_ENTRIES = 3 * WEIGHT_COUNT + 3 };

static const uint32_t sizes[SIZES] = {100, 800, 6400, 100000, 1000000}, sides[SIZES] = {10, 28, 80, 316, 1000};

/* p from 10^-6 to 1 - 10^-6, log-odds uniform. */
static void make_skewed(lbp_bernoulli *m, uint32_t n, uint64_t seed) {
  double *p = (double *)basic_alloc(n, sizeof *p);
  lbp_rng rng;
  lbp_rng_init(&rng, seed, UINT64_MAX);
  for (uint32_t i = 0; i < n; i++) p[i] = 1 / (1 + exp(27.6 * lbp_u01(lbp_rng_u64(&rng)) - 13.8));
  bench_expect(lbp_bernoulli_init(m, n, p), target_names[TARGET_SKEWED]);
  free(p);
}

static int is_measured(const options *o, int target, int size) {
  if (!o->targets[target]) return 0;
  switch (target) {
    case TARGET_SKEWED: return size >= 1 && size <= 3 && sizes[size] <= o->most_sites;
    case TARGET_ISING: return sides[size] * sides[size] <= o->most_sites;
    case TARGET_FHMM: return size == 2 && 5000 <= o->most_sites; /* 5000 sites: among tables of 6400 */
    default: return sizes[size] <= o->most_sites;
  }
}

static uint32_t extent_of(int target, int size) {
  return target == TARGET_ISING ? sides[size] : target == TARGET_FHMM ? 1000 : sizes[size];
}

static void make_model(bench_model *m, int target, uint32_t extent, uint64_t seed) {
  static const int kinds[TARGETS] = {MODEL_BERNOULLI, MODEL_BERNOULLI, MODEL_ISING, MODEL_FHMM};
  m->kind = kinds[target];
  m->config = LBP_C2;
  if (target == TARGET_SKEWED) make_skewed(&m->as.bernoulli, extent, seed);
  else bench_expect(bench_model_make(m, extent, seed), target_names[target]);
}

/* All chains of about sizes[size] sites. */
static uint32_t enter_all(entry *e, bench_model *models, const options *o, const effort *how, int size) {
  uint32_t count = 0;
  for (int target = 0; target < TARGETS; target++) {
    const void *model = &models[target].as;
    if (!is_measured(o, target, size)) continue;
    make_model(&models[target], target, extent_of(target, size), o->seed);
    const uint32_t n = bench_model_sites(models[target].kind, extent_of(target, size));
    for (int weight = 0; weight < WEIGHT_COUNT && types[target][weight]; weight++) {
      enter(&e[count], target, weight, LBP_SAMPLER_LBP, model, n, 0, how, o->seed);
      e[count].seen = look(&e[count], n < 10000 ? 400 : 60);
      count++;
    }
    if (target == TARGET_BERNOULLI) {
      const double r = e[count - WEIGHT_COUNT].r;
      enter(&e[count++], target, WEIGHT_BARKER, LBP_SAMPLER_GWG, model, sizes[size], r, how, o->seed + 1);
      enter(&e[count++], target, WEIGHT_BARKER, LBP_SAMPLER_RWM, model, sizes[size], r, how, o->seed + 2);
    }
  }
  return count;
}

static primitives middle_primitives(const primitives *p, uint32_t turns) {
  double values[MOST_TURNS];
  primitives m;
  for (int k = 0; k < PRIMITIVES; k++) {
    for (uint32_t turn = 0; turn < turns; turn++) values[turn] = p[turn].ns[k];
    m.ns[k] = bench_median(values, turns);
  }
  return m;
}

static primitives compare_size(const options *o, const effort *how, int size, FILE *csv, FILE *samplers_csv) {
  static entry e[MOST_ENTRIES];
  static primitives p[MOST_TURNS];
  bench_model models[TARGETS];
  memset(models, 0, sizeof models);
  const uint32_t count = enter_all(e, models, o, how, size);
  bench_label("%u sites", (unsigned)sizes[size]);
  basic_progress_begin(how->turns); /* a bar for each size */
  for (uint32_t turn = 0; turn < how->turns; turn++) {
    p[turn] = time_primitives(sizes[size]);
    for (uint32_t k = 0; k < count; k++) {
      take_turn(&e[k], turn);
      if (e[k].kind != LBP_SAMPLER_LBP) continue;
      e[k].floor[turn] = flip_floor(&e[k], &p[turn]);
      e[k].ratio[turn] = e[k].flip[turn] / e[k].floor[turn];
    }
    basic_progress_add(1);
  }
  basic_progress_clear();
  for (uint32_t k = 0; k < count; k++) {
    const char *const names[] = {"LBP", "GWG", "RWM"};
    if (e[k].kind == LBP_SAMPLER_LBP) print_entry(&e[k], how->turns, csv);
    if (e[k].target == TARGET_BERNOULLI && e[k].weight == WEIGHT_BARKER) {
      print_sampler(names[e[k].kind], &e[k], how->turns, samplers_csv);
    }
    lbp_chains_free(&e[k].chain);
  }
  for (uint32_t k = 0; k < TARGETS; k++) bench_model_free(&models[k]);
  return middle_primitives(p, how->turns);
}

static void print_primitives(const primitives *p, const int *measured) {
  static const int shown[] = {WORD, LANES, ALONE, READ, UPDATE, UPDATE_NEAR, STATE, STORE, FACTOR, BARKER, SQRT, BRANCH,
                              EXP_DIV};
  printf("\nprimitives, ns: medians over turns; tables of n words of 4 bytes, the state's of n bytes\n"
         "%8s %6s %6s %6s %6s %6s %6s %6s %6s %6s %7s %7s %6s %6s %6s\n", "n", "word", "lanes", "1 word", "read",
         "update", "near", "state", "store", "factor", "t/(1+t)", "sqrt(t)", "branch", "exp,/", "fixed");
  for (int s = 0; s < SIZES; s++) {
    if (!measured[s]) continue;
    printf("%8u", (unsigned)sizes[s]);
    for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++) {
      printf(" %*.2f", shown[k] == BARKER || shown[k] == SQRT ? 7 : 6, p[s].ns[shown[k]]);
    }
    printf(" %6.1f\n", fixed_cost(&p[s]));
  }
  printf("word: 64 random bits of lbp_rng_fill; lanes: of xoshiro256++ in %d lanes; 1 word: of lbp_rng_u64.\n"
         "near: update within the first-level cache. store: of a candidates' list, not in the floor. branch: an even\n"
         "coin's. fixed, of a step: 2 branches, exp and /, 1 word or %d of the lanes.\n", WORD_LANES, ROW);
}

static void compare_all(const options *o, const effort *how) {
  const bench_file csv = bench_create(o->out, "floor.csv", "model,weight,N,R,acceptance,ns_per_flip,floor_ns,ratio");
  const bench_file samplers = bench_create(o->out, "floor_samplers.csv", "sampler,N,R,ns_per_flip");
  primitives p[SIZES];
  int measured[SIZES];
  lay_bed(sizes[SIZES - 1], o->seed);
  printf("%-17s %-8s %8s %9s %7s %9s %9s %7s  %s\n", "", "weight", "N", "R", "accept", "ns/flip", "floor", "ratio",
         "(quartiles over turns)");
  for (int size = 0; size < SIZES; size++) {
    for (int target = measured[size] = 0; target < TARGETS; target++) measured[size] |= is_measured(o, target, size);
    if (measured[size]) p[size] = compare_size(o, how, size, csv.to, samplers.to);
  }
  print_primitives(p, measured);
  free(bed.table);
  bench_close(&csv);
  bench_close(&samplers);
}

/* ---- scaling ----------------------------------------------------------------------------------------------------- */

/* Half decades from 10^2 to 10^8. */
enum { SCALES = 13, FIT_FIRST = 2, FIT_LAST = 6 };

static uint32_t scale_sites(int k) { return (uint32_t)(100 * pow(10, k / 2.0) + 0.5); }

static void print_exponent(const char *what, const double *n, const double *y) {
  const log_slope e = fit_log_slope(n + FIT_FIRST, y + FIT_FIRST, FIT_LAST - FIT_FIRST + 1);
  printf("%s grows as N^(%.3f +- %.3f)\n", what, e.slope, e.se);
}

static void measure_scaling(const options *o, const effort *how) {
  static entry e[SCALES];
  lbp_bernoulli model[SCALES];
  double sites[SCALES], steps[SCALES], r[SCALES];
  int count;
  const bench_file csv = bench_create(o->out, "floor_scaling.csv", "model,N,R,acceptance,ns_per_flip,step_ns");
  for (count = 0; count < SCALES && scale_sites(count) <= o->most_sites; count++) {
    const uint32_t n = scale_sites(count);
    bench_expect(lbp_bernoulli_random(&model[count], n, LBP_C2, o->seed), target_names[TARGET_BERNOULLI]);
    enter(&e[count], TARGET_BERNOULLI, WEIGHT_BARKER, LBP_SAMPLER_LBP, &model[count], n, 0, how, o->seed);
  }
  bench_label("scaling");
  basic_progress_begin(how->turns);
  for (uint32_t turn = 0; turn < how->turns; turn++) {
    for (int k = 0; k < count; k++) take_turn(&e[k], turn);
    basic_progress_add(1);
  }
  basic_progress_clear();
  printf("\nscaling: bernoulli, t/(1+t), tuned R\n%9s %9s %7s %9s %12s\n", "N", "R", "accept", "ns/flip", "us/step");
  for (int k = 0; k < count; k++) {
    const double flip = bench_median(e[k].flip, how->turns), step = flip * e[k].sum.proposed / e[k].all_steps;
    printf("%9u %9.1f %7.3f %9.2f %12.3f\n", (unsigned)e[k].n, e[k].r, acceptance(&e[k]), flip, step / 1e3);
    fprintf(csv.to, "%s,%u,%.6g,%.4f,%.4f,%.6g\n", target_names[TARGET_BERNOULLI], (unsigned)e[k].n, e[k].r,
            acceptance(&e[k]), flip, step);
    sites[k] = e[k].n;
    steps[k] = step;
    r[k] = e[k].r;
    lbp_chains_free(&e[k].chain);
    lbp_bernoulli_free(&model[k]);
  }
  if (count > FIT_LAST) {
    printf("from %u to %u sites (2/3 is expected of both):\n", (unsigned)scale_sites(FIT_FIRST),
           (unsigned)scale_sites(FIT_LAST));
    print_exponent("  the time of a step", sites, steps);
    print_exponent("  R                 ", sites, r);
  }
  bench_close(&csv);
}

/* ---- small models ------------------------------------------------------------------------------------------------ */

enum { SMALLS = 5 };

static const uint32_t small_rows[SMALLS] = {4, 4, 8, 8, 16}, small_cols[SMALLS] = {4, 8, 8, 16, 16};

static void make_small_ising(lbp_ising *m, uint32_t rows, uint32_t cols, uint64_t seed) {
  const double lambda = lbp_ising_coupling(LBP_C2);
  double alpha[256];
  lbp_rng rng;
  lbp_rng_init(&rng, seed, UINT64_MAX);
  for (uint32_t i = 0; i < rows * cols; i++) alpha[i] = 3 * lambda * (2 * lbp_u01(lbp_rng_u64(&rng)) - 1);
  bench_expect(lbp_ising_init(m, rows, cols, lambda, alpha), target_names[TARGET_ISING]);
}

/* The run-time instance with its tuned R, and the instance of fixed size with the same R, by turns. */
static void compare_small(const options *o, const effort *how, int target, int size, FILE *csv) {
  static entry runtime, fixed;
  effort less = *how;
  const uint32_t n = small_rows[size] * small_cols[size], turns = how->small_turns;
  double ratio[MOST_TURNS];
  less.seconds = how->small_seconds;
  bench_model m = {0};
  m.kind = MODEL_ISING;
  if (target == TARGET_ISING) make_small_ising(&m.as.ising, small_rows[size], small_cols[size], o->seed);
  else make_model(&m, target, n, o->seed);
  enter(&runtime, target, WEIGHT_BARKER, LBP_SAMPLER_LBP, &m.as, n, 0, &less, o->seed);
  fixed = runtime;
  uint8_t *start = random_state(target, &m.as, n, o->seed);
  open_chain(&fixed, (target == TARGET_ISING ? ising_kernels : bernoulli_kernels)[size](), &m.as, start, o->seed);
  free(start);
  tune(&fixed, 0, runtime.r);
  basic_progress_begin(turns);
  for (uint32_t turn = 0; turn < turns; turn++) {
    take_turn(turn % 2 ? &runtime : &fixed, turn);
    take_turn(turn % 2 ? &fixed : &runtime, turn);
    ratio[turn] = runtime.flip[turn] / fixed.flip[turn];
    basic_progress_add(1);
  }
  basic_progress_clear();
  const double flip = bench_median(runtime.flip, turns), fixed_flip = bench_median(fixed.flip, turns);
  const double middle = bench_median(ratio, turns);
  printf("%-17s %8u %9.1f %9.2f %9.2f %7.3f  (%.3f to %.3f)\n", target_names[target], (unsigned)n, runtime.r, flip,
         fixed_flip, middle, bench_quantile(ratio, turns, 0.25), bench_quantile(ratio, turns, 0.75));
  fprintf(csv, "%s,%u,%.6g,%.4f,%.4f,%.4f\n", target_names[target], (unsigned)n, runtime.r, flip, fixed_flip,
          middle);
  lbp_chains_free(&runtime.chain);
  lbp_chains_free(&fixed.chain);
  bench_model_free(&m);
}

static void compare_all_small(const options *o, const effort *how) {
  const bench_file csv = bench_create(o->out, "floor_small.csv", "model,N,R,runtime_ns,fixed_ns,ratio");
  printf("\nsmall models, t/(1+t): size known at run time, size fixed by LBP_N, the same R; ns per flip\n"
         "%-17s %8s %9s %9s %9s %7s  (quartiles over turns)\n", "", "N", "R", "run time", "fixed", "ratio");
  for (int target = 0; target <= TARGET_ISING; target += TARGET_ISING) {
    for (int size = 0; size < SMALLS; size++) {
      if (o->targets[target] && small_rows[size] * small_cols[size] <= o->most_sites) {
        compare_small(o, how, target, size, csv.to);
      }
    }
  }
  bench_close(&csv);
}

int main(int argc, char **argv) {
  const options o = parse(argc, argv);
  const effort how = o.quick ? quicker : full;
  const double begin = basic_now();
  bench_start(1);
  compare_all(&o, &how);
  if (o.targets[TARGET_BERNOULLI]) measure_scaling(&o, &how);
  if (o.targets[TARGET_BERNOULLI] || o.targets[TARGET_ISING]) compare_all_small(&o, &how);
  printf("\n%.0f s. Rows: %s/floor*.csv\n", basic_now() - begin, o.out);
  if (o.targets[TARGET_BERNOULLI]) bench_draw("speed", "floor", o.out);
  return 0;
}
