/* floor - how close a generated LBP-R step comes to what this machine allows, how it scales with the number of sites,
 * and what a size fixed at compile time buys on small models. `make bench-floor`, or build/bench/floor --help. Writes
 * floor.csv, floor_samplers.csv, floor_scaling.csv, floor_small.csv and, with gnuplot, floor.svg and floor.png.
 *
 * The floor of one proposed flip is put together from primitives, each measured alone, in a loop of independent
 * operations (so throughput, not latency), in the same run as the step:
 *
 *   tries (word + read(n)) + state(n) + update(near) + update(again) + factor + weight + fixed / R
 *   + others (fresh update(n) + (1 - fresh) update(near) + read(near) + update(again) + weight)
 *
 *   tries      candidates per site drawn: a random word each, and a weight to compare it with
 *   word       64 random bits: of lbp_rng_fill in blocks of 64, or of xoshiro256++ in lanes, whichever is cheaper
 *   read(n)    a random access to a table of n weights of 4 bytes
 *   update(n)  a read-modify-write of such a table. A site's weight takes two, one when the site is drawn and one when
 *              the step ends: the first finds its cache line near, where the read has just brought it; the second comes
 *              again to the lines of one step, as to a table of that many
 *   state(n)   a read-modify-write of the state, n bytes
 *   factor     a factor of the acceptance's numerator and denominator
 *   weight     g(t) from log t, in a vectorised loop
 *   fixed      of a step: two unpredictable branches, an exponential, a division, and one random word on its own or a
 *              row of the lanes
 *   others     neighbours whose weights change, per flip: each a read of what its weight depends on, which may share
 *              a line with the weight; two updates; a weight. fresh is the share of them whose cache lines no flipped
 *              site and no other neighbour has brought. Both are counted in the chain's own steps
 *
 * Left out, so that it stays below what a step in portable C can do: log-ratios (the model's own arithmetic and
 * parameters), the candidates' list, duplicates, loops. What it can't see is overlap: a step whose phases run at the
 * same time might get below. Primitives are low quantiles over short blocks, timed by the clock less what reading it
 * takes; steps are thread CPU time. The two take turns, so that noise meets both; ratios are taken turn by turn. */
#include "../../lbp_kernel.h"
#include "../common/harness.h"

#include <math.h>

#include "../../lbp_models.h"

/* ---- chains behind one table ----------------------------------------------------------------------------------- */

enum { LINE_WORDS = 16 }; /* weights on a cache line */

typedef struct {
  double steps, flips, accept; /* flips proposed; sum of acceptance probabilities */
} walk_sum;

typedef struct {
  double tries;   /* candidates per site drawn */
  double touched; /* sites whose weights change per flip, itself included */
  double fresh;   /* cache lines that only neighbours touch, per touched neighbour */
  double lines;   /* cache lines of the weights that a step touches */
} footprint;

typedef struct {
  void *(*open)(const void *model, const uint8_t *start, uint64_t seed);
  void (*close)(void *chain);
  double (*tune)(void *chain, uint32_t warmup, double r);
  void (*walk)(void *chain, int kind, uint32_t steps, walk_sum *sum);
  footprint (*look)(void *chain, uint32_t steps);
} chain_type;

/* 1 for the first visit to k in step t. */
LBP_FN uint32_t visit(uint32_t *last_step, uint32_t k, uint32_t t) {
  const uint32_t first = last_step[k] != t;
  last_step[k] = t;
  return first;
}

#define CASE                bernoulli_barker
#define CASE_MODEL          bernoulli
#define CASE_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "floor_small.h"

#define CASE                bernoulli_sqrt
#define CASE_MODEL          bernoulli
#define CASE_WEIGHT         LBP_SQRT
#define CASE_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "floor_small.h"

#define CASE                ising_barker
#define CASE_MODEL          ising
#define CASE_FIELDS
#define CASE_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "floor_small.h"

#define CASE                ising_sqrt
#define CASE_MODEL          ising
#define CASE_FIELDS
#define CASE_WEIGHT         LBP_SQRT
#define CASE_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "floor_small.h"

#define CASE                fhmm_barker
#define CASE_MODEL          fhmm
#define CASE_FIELDS
#define CASE_MAX_NEIGHBOURS LBP_FHMM_MAX_NEIGHBOURS
#include "floor_small.h"

#define CASE                bernoulli_16
#define CASE_MODEL          bernoulli
#define CASE_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#define CASE_N              16
#include "floor_small.h"

#define CASE                bernoulli_32
#define CASE_MODEL          bernoulli
#define CASE_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#define CASE_N              32
#include "floor_small.h"

#define CASE                bernoulli_64
#define CASE_MODEL          bernoulli
#define CASE_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#define CASE_N              64
#include "floor_small.h"

#define CASE                bernoulli_128
#define CASE_MODEL          bernoulli
#define CASE_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#define CASE_N              128
#include "floor_small.h"

#define CASE                bernoulli_256
#define CASE_MODEL          bernoulli
#define CASE_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#define CASE_N              256
#include "floor_small.h"

#define CASE                ising_16
#define CASE_MODEL          ising
#define CASE_FIELDS
#define CASE_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define CASE_N              16
#include "floor_small.h"

#define CASE                ising_32
#define CASE_MODEL          ising
#define CASE_FIELDS
#define CASE_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define CASE_N              32
#include "floor_small.h"

#define CASE                ising_64
#define CASE_MODEL          ising
#define CASE_FIELDS
#define CASE_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define CASE_N              64
#include "floor_small.h"

#define CASE                ising_128
#define CASE_MODEL          ising
#define CASE_FIELDS
#define CASE_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define CASE_N              128
#include "floor_small.h"

#define CASE                ising_256
#define CASE_MODEL          ising
#define CASE_FIELDS
#define CASE_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define CASE_N              256
#include "floor_small.h"

/* ---- options --------------------------------------------------------------------------------------------------- */

enum { TARGET_BERNOULLI, TARGET_SKEWED, TARGET_ISING, TARGET_FHMM, TARGETS };

static const char *const target_names[TARGETS] = {"bernoulli", "bernoulli-skewed", "ising", "fhmm"};

enum { BARKER, SQRT, WEIGHTS };

static const char *const weight_names[WEIGHTS] = {"t/(1+t)", "sqrt(t)"};

typedef struct {
  int targets[TARGETS], quick;
  uint32_t most_sites;
  uint64_t seed;
  const char *out;
} options;

static void usage(FILE *to) {
  fprintf(to,
          "usage: floor [option ...]\n"
          "  --model NAMES     of: bernoulli bernoulli-skewed ising fhmm (comma between several; default: all)\n"
          "  --max-n N         no more sites than this, 100 to 100000000 (default: 10000000, with --quick 1000000)\n"
          "  --seed N          (default: 1)\n"
          "  --quick           fewer and shorter turns\n"
          "  --out DIR         where the results and the picture go (default: bench/out)\n"
          "  --help\n");
}

static const char *target_name(int k) { return target_names[k]; }

static options parse(int argc, char **argv) {
  options o;
  const basic_option table[] = {
    {"--model", OPTION_NAMES, o.targets, 0, TARGETS, target_name},
    {"--max-n", OPTION_COUNT, &o.most_sites, 100, 100000000, NULL},
    {"--seed", OPTION_SEED, &o.seed, 0, UINT64_MAX, NULL},
    {"--quick", OPTION_FLAG, &o.quick, 0, 0, NULL},
    {"--out", OPTION_TEXT, &o.out, 0, 0, NULL}};
  int k;
  memset(&o, 0, sizeof o);
  for (k = 0; k < TARGETS; k++) o.targets[k] = 1;
  o.seed = 1;
  o.out = "bench/out";
  basic_parse(argc, argv, table, sizeof table / sizeof table[0], usage);
  if (!o.most_sites) o.most_sites = o.quick ? 1000000 : 10000000;
  return o;
}

/* Turns, their length, and how long chains warm up. */
typedef struct {
  uint32_t turns, small_turns;
  double seconds, small_seconds; /* of one chain in one turn */
  double warmup_flips;
} effort;

enum { MOST_TURNS = 64 };

static effort how_much(int quick) {
  static const effort full = {21, 41, 0.04, 0.01, 2e7}, quicker = {7, 11, 0.015, 0.005, 3e6};
  return quick ? quicker : full;
}

/* ---- statistics ------------------------------------------------------------------------------------------------ */

/* Slope of y against x by least squares, and its standard error. */
static estimate slope(const double *x, const double *y, uint32_t count) {
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, squares = 0;
  estimate e;
  uint32_t k;
  for (k = 0; k < count; k++) {
    mean_x += x[k] / count;
    mean_y += y[k] / count;
  }
  for (k = 0; k < count; k++) {
    xx += (x[k] - mean_x) * (x[k] - mean_x);
    xy += (x[k] - mean_x) * (y[k] - mean_y);
  }
  e.mean = xy / xx;
  for (k = 0; k < count; k++) {
    const double off = y[k] - mean_y - e.mean * (x[k] - mean_x);
    squares += off * off;
  }
  e.se = sqrt(squares / (count - 2) / xx);
  return e;
}

/* ---- primitives ------------------------------------------------------------------------------------------------ */

/* A block's operations. Its arrays stay in the first-level cache together with a table of NEAR_WORDS. */
enum { BLOCK = 2048, ARRAY = 512, FILL = 64, NEAR_WORDS = 2048, TIMED_BLOCKS = 41, ATTEMPTS = 3 };

/* Lanes of independent recurrences: so many that compilers neither unroll them nor spill. */
enum { FACTOR_LANES = 32, WORD_LANES = 16, ROW = 8 };

typedef struct {
  double word, lanes, alone, store, factor, weight[WEIGHTS], branch, exp_div; /* ns, whatever the table */
  double read, update, state, read_near, update_near;                         /* ns, at n weights, and near */
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
  uint32_t k;
  for (k = 0; k < BLOCK; k++) {
    if (k % FILL == 0) lbp_rng_fill(&bed.rng, word, FILL);
    bed.index[k] = words <= BLOCK ? k % words : (uint32_t)((word[k % FILL] >> 32) * words >> 32);
  }
  for (k = words < BLOCK ? words : BLOCK; words <= BLOCK && k-- > 1;) {
    const uint32_t other = (uint32_t)((word[k % FILL] & 0xffffffffu) * (k + 1) >> 32), kept = bed.index[k];
    bed.index[k] = bed.index[other];
    bed.index[other] = kept;
  }
  for (k = words; k < BLOCK; k++) bed.index[k] = bed.index[k - words];
}

static void prepare_bits(uint32_t words) {
  uint64_t word[FILL];
  uint32_t k;
  (void)words;
  for (k = 0; k < BLOCK; k++) {
    if (k % FILL == 0) lbp_rng_fill(&bed.rng, word, FILL);
    bed.bit[k] = (uint8_t)(word[k % FILL] >> 63);
  }
}

static void prepare_ones(uint32_t words) {
  (void)words;
  memset(bed.bit, 1, sizeof bed.bit);
}

static void prepare_zeros(uint32_t words) {
  (void)words;
  memset(bed.bit, 0, sizeof bed.bit);
}

/* The blocks. */

static void block_nothing(void) {}

static void block_word(void) {
  uint32_t k;
  for (k = 0; k < BLOCK; k += FILL) lbp_rng_fill(&bed.rng, bed.word + k % ARRAY, FILL);
}

/* xoshiro256++ of Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", TOMS 2021: in lanes, the
 * cheapest good generator that plain C has. */
static void block_lanes(void) {
  uint64_t s[4][WORD_LANES];
  uint32_t k, j;
  memcpy(s, bed.lane, sizeof s);
  for (k = 0; k < ARRAY; k += WORD_LANES) {
    for (j = 0; j < WORD_LANES; j++) {
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
  uint32_t k;
  for (k = 0; k < FILL; k++) sum += lbp_rng_u64(&bed.rng);
  sink = sum;
}

static void block_read(void) {
  const uint32_t *table = bed.table;
  uint32_t k, sum = 0;
  for (k = 0; k < BLOCK; k++) sum += table[bed.index[k]];
  sink = sum;
}

static void block_update(void) {
  uint32_t *table = bed.table, k;
  for (k = 0; k < BLOCK; k++) table[bed.index[k]] ^= 0x80000000u;
}

static void block_state(void) {
  uint8_t *table = (uint8_t *)(void *)bed.table;
  uint32_t k;
  for (k = 0; k < BLOCK; k++) table[bed.index[k]] ^= 1u;
}

/* A list that is made one by one, as candidates are: not a copy that compilers recognise. */
static void block_store(void) {
  uint32_t k, count = 0;
  for (k = 0; k < BLOCK; k++) {
    bed.index[count] = k;
    count += bed.bit[k];
  }
  sink = count;
}

static void block_factor(void) {
  double num[FACTOR_LANES], den[FACTOR_LANES];
  int exponent_num, exponent_den;
  uint32_t k, j;
  for (j = 0; j < FACTOR_LANES; j++) num[j] = den[j] = 1;
  for (k = 0; k < ARRAY; k += FACTOR_LANES) {
    for (j = 0; j < FACTOR_LANES; j++) {
      num[j] *= bed.num[0][k + j] * bed.num[1][k + j];
      den[j] *= bed.den[0][k + j] * bed.den[1][k + j];
    }
  }
  for (k = FACTOR_LANES / 2; k > 0; k /= 2) {
    for (j = 0; j < k; j++) {
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
  uint32_t k;
  for (k = 0; k < ARRAY; k++) {
    bed.weight[k] = (uint32_t)(int32_t)(2147483520.0f / (1.0f + power_of_two(-1.442695f * bed.log_ratio[k])));
  }
}

static void block_sqrt(void) {
  uint32_t k;
  for (k = 0; k < ARRAY; k++) {
    bed.weight[k] = (uint32_t)(int32_t)(1048576.0f * power_of_two(0.7213475f * bed.log_ratio[k]));
  }
}

static void block_branch(void) {
  uint32_t k;
  for (k = 0; k < BLOCK; k++) {
    if (bed.bit[k]) small_sink = k; /* volatile: neither moved nor made a conditional move */
  }
}

static void block_exp_div(void) {
  uint32_t k;
  for (k = 0; k < ARRAY; k++) bed.quotient[k] = expf(bed.log_ratio[k]) / (bed.log_ratio[k] + 8.0f);
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
  uint32_t k;
  for (k = 0; k < warmup + TIMED_BLOCKS; k++) {
    double begin;
    prepare(words);
    begin = clock_ns();
    block();
    if (k >= warmup) taken[k - warmup] = clock_ns() - begin;
  }
  return bench_quantile(taken, TIMED_BLOCKS, 0.1);
}

/* The time of one operation out of `count` in a block. */
static double time_one(void (*block)(void), void (*prepare)(uint32_t), uint32_t words, uint32_t count) {
  double shortest = 0;
  int k;
  for (k = 0; k < ATTEMPTS; k++) {
    const double clock = time_block(block_nothing, prepare_nothing, 1), t = time_block(block, prepare, words) - clock;
    if (k == 0 || t < shortest) shortest = t;
  }
  return shortest / count;
}

static void lay_bed(uint32_t most_words, uint64_t seed) {
  uint64_t word[5];
  uint32_t k;
  lbp_rng_init(&bed.rng, seed, 0);
  lbp_rng_fill(&bed.rng, bed.lane[0], sizeof bed.lane / sizeof bed.lane[0][0]);
  bed.table = (uint32_t *)basic_alloc(most_words, sizeof *bed.table);
  for (k = 0; k < ARRAY; k++) {
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
  primitives p;
  p.word = time_one(block_word, prepare_nothing, 1, BLOCK);
  p.lanes = time_one(block_lanes, prepare_nothing, 1, ARRAY);
  p.alone = time_one(block_alone, prepare_nothing, 1, FILL);
  p.read = time_one(block_read, prepare_sites, n, BLOCK);
  p.update = time_update(n);
  p.state = time_one(block_state, prepare_sites, n, BLOCK);
  p.read_near = time_one(block_read, prepare_sites, near, BLOCK);
  p.update_near = time_update(near);
  p.store = time_one(block_store, prepare_bits, 1, BLOCK);
  p.factor = time_one(block_factor, prepare_nothing, 1, ARRAY);
  p.weight[BARKER] = time_one(block_barker, prepare_nothing, 1, ARRAY);
  p.weight[SQRT] = time_one(block_sqrt, prepare_nothing, 1, ARRAY);
  p.branch = time_one(block_branch, prepare_bits, 1, BLOCK) -
             (time_one(block_branch, prepare_ones, 1, BLOCK) + time_one(block_branch, prepare_zeros, 1, BLOCK)) / 2;
  p.exp_div = time_one(block_exp_div, prepare_nothing, 1, ARRAY);
  return p;
}

static double least(double a, double b) { return a < b ? a : b; }

static double word_cost(const primitives *p) { return least(p->word, p->lanes); }

static double fixed_cost(const primitives *p) {
  return 2 * p->branch + p->exp_div + least(p->alone, ROW * p->lanes);
}

/* ---- what is compared ------------------------------------------------------------------------------------------ */

typedef struct {
  int target, weight;
  int kind; /* LBP_SAMPLER_LBP and the like */
  const chain_type *type;
  void *chain;
  uint32_t n, steps; /* steps of a turn */
  double r;
  footprint seen;
  walk_sum sum;      /* of all turns */
  double flip[MOST_TURNS], floor[MOST_TURNS], ratio[MOST_TURNS]; /* by turn, ns */
} entry;

static const chain_type *const types[TARGETS][WEIGHTS] = {
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
    case TARGET_SKEWED: r = weight == BARKER ? 0.43 * pow(sites, 2.0 / 3) : 0.5 * sqrt(sites); break;
    case TARGET_ISING: r = weight == BARKER ? 1.8 * pow(sites, 0.58) : pow(sites, 0.67); break;
    default: r = sites / 11;
  }
  return r < 1 ? 1 : r < sites ? r : sites;
}

static uint32_t warmup_steps(const effort *e, double r) {
  const double steps = e->warmup_flips / r;
  return steps < 600 ? 600 : steps > 20000 ? 20000 : (uint32_t)steps;
}

/* Seconds, for the progress bar alone. */
static double tuning_seconds(const effort *e, int target, int weight, uint32_t n) {
  const double r = likely_r(target, weight, n), flip = target >= TARGET_ISING ? 60e-9 : 20e-9;
  return warmup_steps(e, r) * r * flip + n * (target == TARGET_ISING ? 6e-7 : 1e-7);
}

/* Chooses the steps that take `seconds`. */
static void set_pace(entry *e, double seconds) {
  walk_sum ignored = {0, 0, 0};
  uint32_t steps = 1;
  double taken;
  for (;; steps *= 2) {
    const double begin = bench_cpu_now();
    e->type->walk(e->chain, e->kind, steps, &ignored);
    taken = bench_cpu_now() - begin;
    if (taken > seconds / 8) break;
  }
  e->steps = (uint32_t)(steps * seconds / taken) + 1;
}

/* One turn of a chain, after some steps that bring its data back into the caches. */
static void take_turn(entry *e, uint32_t turn) {
  walk_sum sum = {0, 0, 0}, ignored = {0, 0, 0};
  double begin, taken;
  e->type->walk(e->chain, e->kind, e->steps / 8 + 1, &ignored);
  begin = bench_cpu_now();
  e->type->walk(e->chain, e->kind, e->steps, &sum);
  taken = bench_cpu_now() - begin;
  e->flip[turn] = 1e9 * taken / sum.flips;
  e->sum.steps += sum.steps;
  e->sum.flips += sum.flips;
  e->sum.accept += sum.accept;
}

/* The formula at the top of this file. */
static double flip_floor(const entry *e, const primitives *p) {
  const footprint *f = &e->seen;
  const uint32_t again_words = f->lines * LINE_WORDS < e->n ? (uint32_t)(f->lines * LINE_WORDS) + 1 : e->n;
  const double again = time_update(again_words), weight = p->weight[e->weight];
  const double flip = f->tries * (word_cost(p) + p->read) + p->state + p->update_near + again + p->factor + weight +
                      fixed_cost(p) / e->r;
  const double other = f->fresh * p->update + (1 - f->fresh) * p->update_near + p->read_near + again + weight;
  return flip + (f->touched - 1) * other;
}

/* A random state; for a product its probabilities. */
static uint8_t *random_state(int target, const void *model, uint32_t n, uint64_t seed) {
  const lbp_bernoulli *product = target <= TARGET_SKEWED ? (const lbp_bernoulli *)model : NULL;
  uint8_t *x = (uint8_t *)basic_alloc(n, 1);
  lbp_rng rng;
  uint32_t i;
  lbp_rng_init(&rng, seed, UINT64_MAX - 1);
  for (i = 0; i < n; i++) {
    const double u = lbp_u01(lbp_rng_u64(&rng));
    x[i] = u < (product ? 1 / (1 + exp(-(double)product->logit[i])) : 0.5);
  }
  return x;
}

/* A chain in equilibrium with a tuned R, or the given one. */
static void enter(entry *e, int target, int weight, int kind, const void *model, uint32_t n, double r,
                  const effort *how, uint64_t seed) {
  enum { SWEEPS = 20 };
  walk_sum ignored = {0, 0, 0};
  uint8_t *start = random_state(target, model, n, seed);
  memset(e, 0, sizeof *e);
  e->target = target;
  e->weight = weight;
  e->kind = kind;
  e->type = types[target][weight];
  e->n = n;
  e->chain = e->type->open(model, start, seed);
  if (target >= TARGET_ISING) e->type->walk(e->chain, LBP_SAMPLER_GIBBS, SWEEPS, &ignored);
  e->r = likely_r(target, weight, n);
  e->r = r > 0 ? e->type->tune(e->chain, 0, r) : e->type->tune(e->chain, warmup_steps(how, e->r), e->r);
  set_pace(e, how->seconds);
  free(start);
}

static void leave(entry *e) { e->type->close(e->chain); }

/* ---- results --------------------------------------------------------------------------------------------------- */

typedef struct {
  FILE *stream;
  char path[1024];
} results;

static results create(const char *folder, const char *name, const char *columns) {
  results r;
  r.stream = bench_create(folder, name, r.path, sizeof r.path);
  fprintf(r.stream, "%s\n", columns);
  return r;
}

static void finish(results *r) {
  const int failed = ferror(r->stream);
  if (fclose(r->stream) != 0 || failed) basic_die("cannot write %s", r->path);
}

static double acceptance(const entry *e) { return e->sum.accept / e->sum.steps; }

static void print_head(void) {
  printf("%-17s %-8s %8s %9s %7s %9s %9s %7s  %s\n", "", "weight", "N", "R", "accept", "ns/flip", "floor", "ratio",
         "(quartiles over turns)");
}

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

/* ---- the step against the floor -------------------------------------------------------------------------------- */

enum { SIZES = 5, MOST_ENTRIES = 3 * WEIGHTS + 3 };

static const uint32_t sizes[SIZES] = {100, 800, 6400, 100000, 1000000}, sides[SIZES] = {10, 28, 80, 316, 1000};

static void check(int status, const char *what) {
  if (status != LBP_OK) basic_die("%s: %s", what, lbp_error(status));
}

/* p from 10^-6 to 1 - 10^-6, log-odds uniform. */
static void make_skewed(lbp_bernoulli *m, uint32_t n, uint64_t seed) {
  double *p = (double *)basic_alloc(n, sizeof *p);
  lbp_rng rng;
  uint32_t i;
  lbp_rng_init(&rng, seed, UINT64_MAX);
  for (i = 0; i < n; i++) p[i] = 1 / (1 + exp(27.6 * lbp_u01(lbp_rng_u64(&rng)) - 13.8));
  check(lbp_bernoulli_init(m, n, p), target_names[TARGET_SKEWED]);
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

static uint32_t entries_of(int target) {
  return target == TARGET_BERNOULLI ? WEIGHTS + 2 : target == TARGET_FHMM ? 1 : WEIGHTS;
}

static uint32_t sites_of(int target, int size) {
  return target == TARGET_ISING ? sides[size] * sides[size] : target == TARGET_FHMM ? 5000 : sizes[size];
}

typedef struct {
  lbp_bernoulli bernoulli, skewed;
  lbp_ising ising;
  lbp_fhmm fhmm;
} models;

static const void *make_model(models *m, int target, int size, uint64_t seed) {
  double W[5], b;
  switch (target) {
    case TARGET_BERNOULLI:
      check(lbp_bernoulli_random(&m->bernoulli, sizes[size], LBP_C2, seed), target_names[target]);
      return &m->bernoulli;
    case TARGET_SKEWED:
      make_skewed(&m->skewed, sizes[size], seed);
      return &m->skewed;
    case TARGET_ISING:
      check(lbp_ising_random(&m->ising, sides[size], LBP_C2, seed), target_names[target]);
      return &m->ising;
    default:
      lbp_fhmm_paper_weights(W, &b);
      check(lbp_fhmm_random(&m->fhmm, 1000, 5, W, b, LBP_C2, LBP_FHMM_AS_RUN, seed), target_names[target]);
      return &m->fhmm;
  }
}

static void free_models(models *m) {
  lbp_bernoulli_free(&m->bernoulli);
  lbp_bernoulli_free(&m->skewed);
  lbp_ising_free(&m->ising);
  lbp_fhmm_free(&m->fhmm);
}

/* All chains of about sizes[size] sites. */
static uint32_t enter_all(entry *e, models *m, const options *o, const effort *how, int size) {
  uint32_t count = 0;
  int target, weight;
  for (target = 0; target < TARGETS; target++) {
    const void *model;
    if (!is_measured(o, target, size)) continue;
    model = make_model(m, target, size, o->seed);
    for (weight = 0; weight < WEIGHTS && types[target][weight]; weight++) {
      const uint32_t n = sites_of(target, size);
      snprintf(basic_progress.label, sizeof basic_progress.label, "%s %u: tuning", target_names[target], (unsigned)n);
      enter(&e[count], target, weight, LBP_SAMPLER_LBP, model, n, 0, how, o->seed);
      e[count].seen = e[count].type->look(e[count].chain, n < 10000 ? 400 : 60);
      basic_progress_add(tuning_seconds(how, target, weight, n));
      count++;
    }
    if (target == TARGET_BERNOULLI) {
      const double r = e[count - WEIGHTS].r;
      enter(&e[count++], target, BARKER, LBP_SAMPLER_GWG, model, sizes[size], r, how, o->seed + 1);
      enter(&e[count++], target, BARKER, LBP_SAMPLER_RWM, model, sizes[size], r, how, o->seed + 2);
    }
  }
  return count;
}

/* Median over turns of one field of the primitives. */
static double middle(const primitives *p, uint32_t turns, size_t offset) {
  double values[MOST_TURNS];
  uint32_t k;
  for (k = 0; k < turns; k++) memcpy(&values[k], (const char *)&p[k] + offset, sizeof values[k]);
  return bench_median(values, turns);
}

static primitives middle_primitives(const primitives *p, uint32_t turns) {
  primitives m;
  size_t offset;
  for (offset = 0; offset < sizeof m; offset += sizeof(double)) {
    const double v = middle(p, turns, offset);
    memcpy((char *)&m + offset, &v, sizeof v);
  }
  return m;
}

static primitives compare_size(const options *o, const effort *how, int size, FILE *csv, FILE *samplers_csv) {
  static entry e[MOST_ENTRIES];
  static primitives p[MOST_TURNS];
  models m;
  uint32_t count, turn, k;
  memset(&m, 0, sizeof m);
  count = enter_all(e, &m, o, how, size);
  snprintf(basic_progress.label, sizeof basic_progress.label, "%u sites", (unsigned)sizes[size]);
  basic_progress.share = how->seconds;
  for (turn = 0; turn < how->turns; turn++) {
    p[turn] = time_primitives(sizes[size]);
    for (k = 0; k < count; k++) {
      take_turn(&e[k], turn);
      basic_progress_add(basic_progress.share);
      if (e[k].kind != LBP_SAMPLER_LBP) continue;
      e[k].floor[turn] = flip_floor(&e[k], &p[turn]);
      e[k].ratio[turn] = e[k].flip[turn] / e[k].floor[turn];
    }
  }
  basic_progress_clear();
  for (k = 0; k < count; k++) {
    const char *const names[] = {"LBP", "GWG", "RWM"};
    if (e[k].kind == LBP_SAMPLER_LBP) print_entry(&e[k], how->turns, csv);
    if (e[k].target == TARGET_BERNOULLI && e[k].weight == BARKER) {
      print_sampler(names[e[k].kind], &e[k], how->turns, samplers_csv);
    }
    leave(&e[k]);
  }
  free_models(&m);
  return middle_primitives(p, how->turns);
}

static void print_primitives(const primitives *p, const int *measured) {
  int s;
  printf("\nprimitives, ns: medians over turns; tables of n words of 4 bytes, the state's of n bytes\n"
         "%8s %6s %6s %6s %6s %6s %6s %6s %6s %6s %7s %7s %6s %6s %6s\n", "n", "word", "lanes", "1 word", "read",
         "update", "near", "state", "store", "factor", "t/(1+t)", "sqrt(t)", "branch", "exp,/", "fixed");
  for (s = 0; s < SIZES; s++) {
    if (!measured[s]) continue;
    printf("%8u %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %7.2f %7.2f %6.2f %6.2f %6.1f\n",
           (unsigned)sizes[s], p[s].word, p[s].lanes, p[s].alone, p[s].read, p[s].update, p[s].update_near, p[s].state,
           p[s].store, p[s].factor, p[s].weight[BARKER], p[s].weight[SQRT], p[s].branch, p[s].exp_div,
           fixed_cost(&p[s]));
  }
  printf("word: 64 random bits of lbp_rng_fill; lanes: of xoshiro256++ in %d lanes; 1 word: of lbp_rng_u64.\n"
         "near: update within the first-level cache. store: of a candidates' list, not in the floor. branch: an even\n"
         "coin's. fixed, of a step: 2 branches, exp and /, 1 word or %d of the lanes.\n", WORD_LANES, ROW);
}

static void compare_all(const options *o, const effort *how) {
  results csv = create(o->out, "floor.csv", "model,weight,N,R,acceptance,ns_per_flip,floor_ns,ratio");
  results samplers = create(o->out, "floor_samplers.csv", "sampler,N,R,ns_per_flip");
  primitives p[SIZES];
  int size, target, measured[SIZES];
  lay_bed(sizes[SIZES - 1], o->seed);
  print_head();
  for (size = 0; size < SIZES; size++) {
    for (target = measured[size] = 0; target < TARGETS; target++) measured[size] |= is_measured(o, target, size);
    if (measured[size]) p[size] = compare_size(o, how, size, csv.stream, samplers.stream);
  }
  print_primitives(p, measured);
  free(bed.table);
  finish(&csv);
  finish(&samplers);
}

/* ---- scaling --------------------------------------------------------------------------------------------------- */

/* Half decades from 10^2 to 10^8. */
enum { SCALES = 13, FIT_FIRST = 2, FIT_LAST = 6 };

static uint32_t scale_sites(int k) { return (uint32_t)(100 * pow(10, k / 2.0) + 0.5); }

static double scaling_seconds(const effort *how, uint32_t n) {
  return how->turns * how->seconds + tuning_seconds(how, TARGET_BERNOULLI, BARKER, n);
}

static void print_exponent(const char *what, const double *x, const double *y) {
  const estimate e = slope(x + FIT_FIRST, y + FIT_FIRST, FIT_LAST - FIT_FIRST + 1);
  printf("%s grows as N^(%.3f +- %.3f)\n", what, e.mean, e.se);
}

static void measure_scaling(const options *o, const effort *how) {
  static entry e[SCALES];
  lbp_bernoulli model[SCALES];
  double log_n[SCALES], log_step[SCALES], log_r[SCALES];
  uint32_t turn;
  int count, k;
  results csv = create(o->out, "floor_scaling.csv", "model,N,R,acceptance,ns_per_flip,step_ns");
  for (count = 0; count < SCALES && scale_sites(count) <= o->most_sites; count++) {
    const uint32_t n = scale_sites(count);
    snprintf(basic_progress.label, sizeof basic_progress.label, "scaling, %u sites: tuning", (unsigned)n);
    check(lbp_bernoulli_random(&model[count], n, LBP_C2, o->seed), target_names[TARGET_BERNOULLI]);
    enter(&e[count], TARGET_BERNOULLI, BARKER, LBP_SAMPLER_LBP, &model[count], n, 0, how, o->seed);
    basic_progress_add(tuning_seconds(how, TARGET_BERNOULLI, BARKER, n));
  }
  snprintf(basic_progress.label, sizeof basic_progress.label, "scaling");
  basic_progress.share = how->seconds;
  for (turn = 0; turn < how->turns; turn++) {
    for (k = 0; k < count; k++) {
      take_turn(&e[k], turn);
      basic_progress_add(basic_progress.share);
    }
  }
  basic_progress_clear();
  printf("\nscaling: bernoulli, t/(1+t), tuned R\n%9s %9s %7s %9s %12s\n", "N", "R", "accept", "ns/flip", "us/step");
  for (k = 0; k < count; k++) {
    const double flip = bench_median(e[k].flip, how->turns), step = flip * e[k].sum.flips / e[k].sum.steps;
    printf("%9u %9.1f %7.3f %9.2f %12.3f\n", (unsigned)e[k].n, e[k].r, acceptance(&e[k]), flip, step / 1e3);
    fprintf(csv.stream, "%s,%u,%.6g,%.4f,%.4f,%.6g\n", target_names[TARGET_BERNOULLI], (unsigned)e[k].n, e[k].r,
            acceptance(&e[k]), flip, step);
    log_n[k] = log(e[k].n);
    log_step[k] = log(step);
    log_r[k] = log(e[k].r);
    leave(&e[k]);
    lbp_bernoulli_free(&model[k]);
  }
  if (count > FIT_LAST) {
    printf("from %u to %u sites (2/3 is expected of both):\n", (unsigned)scale_sites(FIT_FIRST),
           (unsigned)scale_sites(FIT_LAST));
    print_exponent("  the time of a step", log_n, log_step);
    print_exponent("  R                 ", log_n, log_r);
  }
  finish(&csv);
}

/* ---- small models ---------------------------------------------------------------------------------------------- */

enum { SMALLS = 5 };

static const uint32_t small_rows[SMALLS] = {4, 4, 8, 8, 16}, small_cols[SMALLS] = {4, 8, 8, 16, 16};

static const chain_type *const fixed_types[2][SMALLS] = {
  {&bernoulli_16_type, &bernoulli_32_type, &bernoulli_64_type, &bernoulli_128_type, &bernoulli_256_type},
  {&ising_16_type, &ising_32_type, &ising_64_type, &ising_128_type, &ising_256_type}};

static void make_small_ising(lbp_ising *m, uint32_t rows, uint32_t cols, uint64_t seed) {
  const double lambda = lbp_ising_coupling(LBP_C2);
  double alpha[256];
  lbp_rng rng;
  uint32_t i;
  lbp_rng_init(&rng, seed, UINT64_MAX);
  for (i = 0; i < rows * cols; i++) alpha[i] = 3 * lambda * (2 * lbp_u01(lbp_rng_u64(&rng)) - 1);
  check(lbp_ising_init(m, rows, cols, lambda, alpha), target_names[TARGET_ISING]);
}

/* The run-time instance with its tuned R, and the instance of fixed size with the same R, by turns. */
static void compare_small(const options *o, const effort *how, int target, int size, FILE *csv) {
  static entry runtime, fixed;
  effort less = *how;
  models m;
  const void *model;
  const uint32_t n = small_rows[size] * small_cols[size];
  uint8_t *start;
  double ratio[MOST_TURNS];
  uint32_t turn;
  less.seconds = how->small_seconds;
  memset(&m, 0, sizeof m);
  if (target == TARGET_BERNOULLI) check(lbp_bernoulli_random(&m.bernoulli, n, LBP_C2, o->seed), target_names[target]);
  else make_small_ising(&m.ising, small_rows[size], small_cols[size], o->seed);
  model = target == TARGET_BERNOULLI ? (const void *)&m.bernoulli : (const void *)&m.ising;
  snprintf(basic_progress.label, sizeof basic_progress.label, "small: %s %u", target_names[target], (unsigned)n);
  enter(&runtime, target, BARKER, LBP_SAMPLER_LBP, model, n, 0, &less, o->seed);
  fixed = runtime;
  fixed.type = fixed_types[target == TARGET_ISING][size];
  start = random_state(target, model, n, o->seed);
  fixed.chain = fixed.type->open(model, start, o->seed);
  free(start);
  fixed.type->tune(fixed.chain, 0, runtime.r);
  basic_progress.share = 2 * how->small_seconds;
  for (turn = 0; turn < how->small_turns; turn++) {
    take_turn(turn % 2 ? &runtime : &fixed, turn);
    take_turn(turn % 2 ? &fixed : &runtime, turn);
    ratio[turn] = runtime.flip[turn] / fixed.flip[turn];
    basic_progress_add(basic_progress.share);
  }
  basic_progress_clear();
  printf("%-17s %8u %9.1f %9.2f %9.2f %7.3f  (%.3f to %.3f)\n", target_names[target], (unsigned)n, runtime.r,
         bench_median(runtime.flip, how->small_turns), bench_median(fixed.flip, how->small_turns), bench_median(ratio, how->small_turns),
         bench_quantile(ratio, how->small_turns, 0.25), bench_quantile(ratio, how->small_turns, 0.75));
  fprintf(csv, "%s,%u,%.6g,%.4f,%.4f,%.4f\n", target_names[target], (unsigned)n, runtime.r,
          bench_median(runtime.flip, how->small_turns), bench_median(fixed.flip, how->small_turns),
          bench_median(ratio, how->small_turns));
  leave(&runtime);
  leave(&fixed);
  free_models(&m);
}

static void compare_all_small(const options *o, const effort *how) {
  results csv = create(o->out, "floor_small.csv", "model,N,R,runtime_ns,fixed_ns,ratio");
  int target, size;
  printf("\nsmall models, t/(1+t): size known at run time, size fixed by LBP_N, the same R; ns per flip\n"
         "%-17s %8s %9s %9s %9s %7s  (quartiles over turns)\n", "", "N", "R", "run time", "fixed", "ratio");
  for (target = 0; target <= TARGET_ISING; target += TARGET_ISING) {
    for (size = 0; size < SMALLS; size++) {
      if (o->targets[target] && small_rows[size] * small_cols[size] <= o->most_sites) {
        compare_small(o, how, target, size, csv.stream);
      }
    }
  }
  finish(&csv);
}

/* ---- the picture ----------------------------------------------------------------------------------------------- */

/* Appends the numbers of sites whose weights fill each data cache, where Linux says how large they are. */
static void find_caches(char *list, size_t capacity) {
  int k;
  *list = '\0';
  for (k = 0; k < 8; k++) {
    char path[128], type[32] = "";
    unsigned long size = 0;
    char unit = ' ';
    FILE *in;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", k);
    in = fopen(path, "r");
    if (!in) continue;
    if (fscanf(in, "%31s", type) != 1) type[0] = '\0';
    fclose(in);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", k);
    in = strcmp(type, "Data") == 0 || strcmp(type, "Unified") == 0 ? fopen(path, "r") : NULL;
    if (!in) continue;
    if (fscanf(in, "%lu%c", &size, &unit) >= 1) {
      const double bytes = (double)size * (unit == 'K' ? 1024 : unit == 'M' ? 1048576 : 1);
      snprintf(list + strlen(list), capacity - strlen(list), "%s%.0f", *list ? " " : "", bytes / 4);
    }
    fclose(in);
  }
}

static void draw(const char *out) {
  char caches[160], settings[2400];
  find_caches(caches, sizeof caches);
  snprintf(settings, sizeof settings, "folder='%s'; caches='%s'", out, caches);
  bench_draw("speed", "floor", settings, out);
}

/* Seconds, for the progress bar. */
static double all_seconds(const options *o, const effort *how) {
  double seconds = 0;
  int size, target, weight, k;
  for (size = 0; size < SIZES; size++) {
    for (target = 0; target < TARGETS; target++) {
      if (!is_measured(o, target, size)) continue;
      seconds += entries_of(target) * how->turns * how->seconds;
      for (weight = 0; weight < WEIGHTS && types[target][weight]; weight++) {
        seconds += tuning_seconds(how, target, weight, sites_of(target, size));
      }
    }
  }
  for (k = 0; o->targets[TARGET_BERNOULLI] && k < SCALES && scale_sites(k) <= o->most_sites; k++) {
    seconds += scaling_seconds(how, scale_sites(k));
  }
  for (k = 0; k < SMALLS; k++) {
    if (small_rows[k] * small_cols[k] > o->most_sites) continue;
    seconds += 2 * (o->targets[TARGET_BERNOULLI] + o->targets[TARGET_ISING]) * how->small_seconds * how->small_turns;
  }
  return seconds;
}

int main(int argc, char **argv) {
  const options o = parse(argc, argv);
  const effort how = how_much(o.quick);
  const double begin = basic_now();
  setvbuf(stdout, NULL, _IOLBF, 0);
  basic_progress_begin(all_seconds(&o, &how));
  compare_all(&o, &how);
  if (o.targets[TARGET_BERNOULLI]) measure_scaling(&o, &how);
  if (o.targets[TARGET_BERNOULLI] || o.targets[TARGET_ISING]) compare_all_small(&o, &how);
  printf("\n%.0f s. Rows: %s/floor*.csv\n", basic_now() - begin, o.out);
  if (o.targets[TARGET_BERNOULLI]) draw(o.out);
  return 0;
}
