/* floor - how close a generated LBP-R step comes to what this machine allows (see README.md), how it scales with
 * the number of sites, and the gain of a size fixed at compile time on small models. `make bench-floor`, or
 * build/bench/floor --help. Writes floor.csv, floor_samplers.csv, floor_scaling.csv, floor_small.csv, floor_dense.csv,
 * floor_o2.csv and a picture. */
#include "../common/fit.h"
#include "floor_dense.h"
#include "target.h"

enum { LINE_WORDS = 16 }; /* weights on a cache line */

#define SIZED            bernoulli
#define MODEL            lbp_bernoulli
#define MODEL_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "floor_small.h"

#define SIZED            ising
#define MODEL            lbp_ising
#define MODEL_FIELDS
#define MODEL_PREFETCH
#define MODEL_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "floor_small.h"

/* ---- primitives -------------------------------------------------------------------------------------------------- */

/* A block's operations. Its arrays stay in the first-level cache together with a table of NEAR_WORDS. */
enum { BLOCK = 2048, ARRAY = 512, FILL = 64, NEAR_WORDS = 2048, TIMED_BLOCKS = 41, ATTEMPTS = 3 };

/* Lanes of independent recurrences: so many that compilers neither unroll them nor spill. */
enum { FACTOR_LANES = 32, WORD_LANES = 16, ROW = 8 };

/* The primitives: whatever the table, at n weights, and near. */
enum {
  WORD, LANES, ALONE, READ, UPDATE, UPDATE_NEAR, STATE, STORE, FACTOR, BARKER, SQRT, BRANCH, EXP_DIV, READ_NEAR,
  PRIMITIVES
};

typedef struct { double ns[PRIMITIVES]; } primitives;

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

/* Time of a block in ns, on a table of so many words that blocks have been through before: the lower decile, since
 * interrupts, and loads wrongly held back for stores, only ever add to it. */
static double time_block(void (*block)(void), void (*prepare)(uint32_t), uint32_t words) {
  const uint32_t warmup = 32 + 3 * (words / LINE_WORDS / BLOCK);
  double taken[TIMED_BLOCKS];
  for (uint32_t k = 0; k < warmup + TIMED_BLOCKS; k++) {
    if (prepare) prepare(words);
    const double begin = basic_now();
    if (block) block();
    if (k >= warmup) taken[k - warmup] = 1e9 * (basic_now() - begin);
  }
  return bench_quantile(taken, TIMED_BLOCKS, 0.1);
}

/* The time of one operation out of `count` in a block. */
static double time_one(void (*block)(void), void (*prepare)(uint32_t), uint32_t words, uint32_t count) {
  double shortest = 0;
  for (int k = 0; k < ATTEMPTS; k++) {
    const double clock = time_block(NULL, NULL, 1), t = time_block(block, prepare, words) - clock;
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

static const struct {
  const char *name;
  void (*block)(void);
  void (*prepare)(uint32_t);
  uint32_t most_words, count;
} primitive[PRIMITIVES] = {
  {"word", block_word, NULL, 1, BLOCK},                      {"lanes", block_lanes, NULL, 1, ARRAY},
  {"1 word", block_alone, NULL, 1, FILL},                    {"read", block_read, prepare_sites, UINT32_MAX, BLOCK},
  {"update", block_update, prepare_sites, UINT32_MAX, BLOCK}, {"near", block_update, prepare_sites, NEAR_WORDS, BLOCK},
  {"state", block_state, prepare_sites, UINT32_MAX, BLOCK},  {"store", block_store, prepare_bits, 1, BLOCK},
  {"factor", block_factor, NULL, 1, ARRAY},                  {"t/(1+t)", block_barker, NULL, 1, ARRAY},
  {"sqrt(t)", block_sqrt, NULL, 1, ARRAY},                   {"branch", block_branch, prepare_bits, 1, BLOCK},
  {"exp,/", block_exp_div, NULL, 1, ARRAY},                  {"", block_read, prepare_sites, NEAR_WORDS, BLOCK}};

static primitives time_primitives(uint32_t n) {
  primitives p;
  for (int k = 0; k < PRIMITIVES; k++) {
    const uint32_t most = primitive[k].most_words;
    p.ns[k] = time_one(primitive[k].block, primitive[k].prepare, n < most ? n : most, primitive[k].count);
  }
  p.ns[BRANCH] -= (time_one(block_branch, prepare_same, 1, BLOCK) + time_one(block_branch, prepare_same, 0, BLOCK)) / 2;
  return p;
}

static double word_cost(const primitives *p) { return fmin(p->ns[WORD], p->ns[LANES]); }

static double fixed_cost(const primitives *p) {
  return 2 * p->ns[BRANCH] + p->ns[EXP_DIV] + fmin(p->ns[ALONE], ROW * p->ns[LANES]);
}

/* ---- what a step touches ----------------------------------------------------------------------------------------- */

/* What an instance says of it: candidates per site drawn in the last step, and a site's neighbours. */
typedef struct {
  double (*tries)(void *chain);
  uint32_t (*neighbours)(const void *model, uint32_t i, uint32_t *list);
} instance_touch;

#define TOUCH(model, weight)                                                               \
  static double model##_##weight##_tries(void *chain) {                                    \
    const model##_##weight##_chain *c = model##_##weight##_chain_of(chain);                \
    return (double)c->urn.mass / (double)c->urn.sums.total;                                \
  }                                                                                        \
  static uint32_t model##_##weight##_beside(const void *m, uint32_t i, uint32_t *list) {   \
    return lbp_##model##_neighbours((const lbp_##model *)m, i, list);                      \
  }                                                                                        \
  static const instance_touch model##_##weight = {model##_##weight##_tries, model##_##weight##_beside};
TOUCH(bernoulli, barker)
TOUCH(bernoulli, sqrt)
TOUCH(ising, barker)
TOUCH(ising, sqrt)
TOUCH(fhmm, barker)

static const instance_touch *const touches[][WEIGHT_COUNT] = {
  {&bernoulli_barker, &bernoulli_sqrt}, {&ising_barker, &ising_sqrt}, {&fhmm_barker, NULL}}; /* NULL: not measured */

typedef struct {
  double tries;   /* candidates per site drawn */
  double touched; /* sites whose weights change per flip, itself included */
  double fresh;   /* cache lines that only neighbours touch, per touched neighbour */
  double lines;   /* cache lines of the weights that a step touches */
} footprint;

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
  const instance_touch *touch = touches[target_kinds[e->target]][e->weight];
  uint32_t *site_step = (uint32_t *)basic_alloc(e->n, sizeof *site_step);
  uint32_t *line_step = (uint32_t *)basic_alloc(e->n / LINE_WORDS + 1, sizeof *line_step);
  uint32_t list[LBP_FHMM_MAX_NEIGHBOURS], accepted = 0;
  double tries = 0, flips = 0, flip_lines = 0, others = 0, other_lines = 0;
  change last = {NULL, 0};
  e->chain.plan.see = note_change;
  e->chain.plan.see_data = &last;
  for (uint32_t t = 1; t <= steps; t++) {
    lbp_chains_step(&e->chain, 0, 1, 1, HUGE_VAL, 0);
    tries += touch->tries(lbp_chains_unit(&e->chain, 0));
    accepted += last.count > 0;
    for (uint32_t k = 0; k < last.count; k++) {
      flip_lines += visit(line_step, last.sites[k] / LINE_WORDS, t);
      flips += visit(site_step, last.sites[k], t);
    }
    for (uint32_t k = 0; k < last.count; k++) {
      const uint32_t count = touch->neighbours(e->chain.model, last.sites[k], list);
      for (uint32_t j = 0; j < count; j++) {
        other_lines += visit(line_step, list[j] / LINE_WORDS, t);
        others += visit(site_step, list[j], t);
      }
    }
  }
  e->chain.plan.see = NULL;
  BENCH_FREE(site_step, line_step);
  if (flips == 0) basic_die("no step of %u was accepted: nothing to count", (unsigned)steps);
  footprint f = {.tries = tries / steps, .touched = (flips + others) / flips,
                 .fresh = others > 0 ? other_lines / others : 0, .lines = (flip_lines + other_lines) / accepted};
  return f;
}

/* The formula of README.md. */
static double flip_floor(const entry *e, const footprint *f, const primitives *p) {
  const uint32_t again_words = f->lines * LINE_WORDS < e->n ? (uint32_t)(f->lines * LINE_WORDS) + 1 : e->n;
  const double *ns = p->ns, again = time_update(again_words), weight = ns[e->weight == WEIGHT_BARKER ? BARKER : SQRT];
  const double flip = f->tries * (word_cost(p) + ns[READ]) + ns[STATE] + ns[UPDATE_NEAR] + again + ns[FACTOR] + weight +
                      fixed_cost(p) / e->r;
  const double other = f->fresh * ns[UPDATE] + (1 - f->fresh) * ns[UPDATE_NEAR] + ns[READ_NEAR] + again + weight;
  return flip + (f->touched - 1) * other;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A chain, and what its turns are compared with. */
typedef struct {
  entry is;
  const char *sampler; /* what floor_samplers.csv calls it, or NULL */
  footprint seen;      /* of what has a floor */
  char car[1100];      /* the program of its pace car, or "" */
  double floor[MOST_TURNS], ratio[MOST_TURNS], pace[MOST_TURNS];
  double plain[MOST_TURNS]; /* of a skewed product: ratio to the plain one */
} row;

static int has_floor(const row *c) { return c->seen.lines > 0; }

/* Median and quartiles of what was taken turn by turn; negative: there is none. */
typedef struct { double middle, low, high; } spread;

static const spread no_spread = {-1, -1, -1};

static spread spread_of(const double *v, uint32_t turns) {
  return (spread){bench_median(v, turns), bench_quantile(v, turns, 0.25), bench_quantile(v, turns, 0.75)};
}

static void print_spread(spread s, int digits) {
  char range[40];
  snprintf(range, sizeof range, "(%.*f to %.*f)", digits, s.low, digits, s.high);
  if (s.middle >= 0) printf(" %7.*f  %-16s", digits, s.middle, range);
}

static void print_row(const row *c, uint32_t turns, FILE *csv, FILE *samplers_csv) {
  const char *const model = target_names[c->is.target], *const weight = weight_names[c->is.weight];
  const double flip = bench_median(c->is.flip, turns), accept = entry_acceptance(&c->is);
  const unsigned n = c->is.n;
  char name[40];
  snprintf(name, sizeof name, "%s%s%s", has_floor(c) ? "" : c->sampler, has_floor(c) ? "" : ", ", model);
  printf("%-17s %-8s %8u %9.1f %7.3f %9.2f", name, c->is.kind == LBP_SAMPLER_RWM ? "" : weight, n, c->is.r, accept,
         flip);
  if (has_floor(c)) {
    const double floor_ns = bench_median(c->floor, turns);
    const spread ratio = spread_of(c->ratio, turns), pace = c->car[0] ? spread_of(c->pace, turns) : no_spread;
    printf(" %9.2f", floor_ns);
    print_spread(ratio, 2);
    print_spread(pace, 2);
    fprintf(csv, "%s,%s,%u,%.6g,%.4f,%.4f,%.4f,%.4f", model, weight, n, c->is.r, accept, flip, floor_ns, ratio.middle);
    write_last(csv, &pace, 3);
  }
  if (c->plain[0] > 0) {
    printf("\n%-17s %-8s %8u %37s", "skewed / plain", weight, n, "");
    print_spread(spread_of(c->plain, turns), 2);
  }
  printf("\n");
  if (c->sampler) fprintf(samplers_csv, "%s,%s,%u,%.6g,%.4f\n", model, c->sampler, n, c->is.r, flip);
}

/* ---- pace cars --------------------------------------------------------------------------------------------------- */

/* The ns per flip of a row's pace car, with these arguments. */
static void drive_car(row *c, const char *arguments, uint32_t turn) {
  char command[200], line[512];
  const char *said = NULL;
  setenv("PACE_CAR", c->car, 1); /* not in the command: its name is not for a shell to read */
  setenv("NOHUGE", "1", 1);      /* no huge pages, which the chains here don't ask for either */
  snprintf(command, sizeof command, "exec \"$PACE_CAR\" %s", arguments);
  FILE *out = popen(command, "r");
  while (out && !said && fgets(line, sizeof line, out)) said = strstr(line, "ns/flip=");
  if (out) pclose(out);
  if (said) c->pace[turn] = c->is.flip[turn] / atof(said + strlen("ns/flip="));
  if (said) return;
  fprintf(stderr, "\nfloor: %s prints no ns/flip=: left out\n", c->car);
  c->car[0] = '\0';
}

/* ---- the step against the floor ---------------------------------------------------------------------------------- */

enum { MOST_ROWS = 3 * WEIGHT_COUNT + 5 };

/* All chains of about sizes[size] sites. */
static uint32_t enter_all(row *rows, bench_model *models, const options *o, const effort *how, int size) {
  static const char *const cars[FLOORS] = {"bern", NULL, "ising", NULL};
  static const struct {
    const char *name;
    int kind;
  } others[] = {{"GWG", LBP_SAMPLER_GWG}, {"RWM", LBP_SAMPLER_RWM}, {"LBP-1", LBP_SAMPLER_LBP}};
  uint32_t count = 0;
  memset(rows, 0, MOST_ROWS * sizeof *rows);
  for (int target = 0; target < FLOORS; target++) {
    const void *model = &models[target].as;
    if (!target_is_measured(o, target, size)) continue;
    target_make(&models[target], target, target_extent(target, size), o->seed);
    const uint32_t n = bench_model_sites(target_kinds[target], target_extent(target, size)), first = count;
    for (int weight = 0; weight < WEIGHT_COUNT && touches[target_kinds[target]][weight]; weight++) {
      row *c = &rows[count++];
      entry_make(&c->is, target, weight, LBP_SAMPLER_LBP, model, n, 0, how, o->seed);
      c->seen = look(&c->is, n < 10000 ? 400 : 60);
      if (!o->pace || !cars[target]) continue;
      snprintf(c->car, sizeof c->car, "%s/%s%s-portable", o->pace, cars[target], weight == WEIGHT_SQRT ? "-sqrt" : "");
      entry_tune(&c->is, 0, 2 * floor(c->is.r / 2) + 1); /* its R is whole */
    }
    if (target == TARGET_BERNOULLI) rows[first].sampler = "LBP";
    for (uint64_t k = 0; k < 3; k++) {
      const int one = k == 2; /* LBP-1, at two sizes */
      if (one ? target % TARGET_ISING != 0 || size % 3 != 1 : target != TARGET_BERNOULLI) continue;
      row *c = &rows[count++];
      c->sampler = others[k].name;
      const double r = one ? 1 : rows[first].is.r;
      entry_make(&c->is, target, WEIGHT_BARKER, others[k].kind, model, n, r, how, o->seed + k + 1);
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
  static row rows[MOST_ROWS];
  static primitives p[MOST_TURNS];
  bench_model models[FLOORS];
  memset(models, 0, sizeof models);
  const uint32_t count = enter_all(rows, models, o, how, size), turns = how->turns;
  bench_label("%u sites", (unsigned)sizes[size]);
  basic_progress_begin(turns); /* a bar for each size */
  for (uint32_t turn = 0; turn < turns; turn++) {
    p[turn] = time_primitives(sizes[size]);
    for (row *c = rows; c < rows + count; c++) {
      entry_turn(&c->is, turn);
      if (!has_floor(c)) continue;
      if (c->is.target == TARGET_SKEWED && c->is.weight == WEIGHT_BARKER && rows->is.target == TARGET_BERNOULLI) {
        c->plain[turn] = c->is.flip[turn] / rows->is.flip[turn];
      }
      if (c->car[0]) {
        char arguments[100]; /* the extent, R, nanoseconds */
        snprintf(arguments, sizeof arguments, "%u %.0f %.0f", (unsigned)target_extent(c->is.target, size), c->is.r,
                 1e9 * how->seconds);
        drive_car(c, arguments, turn);
      }
      c->floor[turn] = flip_floor(&c->is, &c->seen, &p[turn]);
      c->ratio[turn] = c->is.flip[turn] / c->floor[turn];
    }
    basic_progress_add(1);
  }
  basic_progress_clear();
  for (row *c = rows; c < rows + count; c++) {
    print_row(c, turns, csv, samplers_csv);
    lbp_chains_free(&c->is.chain);
  }
  for (uint32_t k = 0; k < FLOORS; k++) bench_model_free(&models[k]);
  return middle_primitives(p, turns);
}

static void print_primitives(const primitives *p, const int *measured) {
  printf("\nprimitives, ns: medians over turns; tables of n words of 4 bytes, the state's of n bytes\n%8s", "n");
  for (int k = 0; k < READ_NEAR; k++) printf(" %7s", primitive[k].name);
  printf(" %7s\n", "fixed");
  for (int s = 0; s < SIZES; s++) {
    if (!measured[s]) continue;
    printf("%8u", (unsigned)sizes[s]);
    for (int k = 0; k < READ_NEAR; k++) printf(" %7.2f", p[s].ns[k]);
    printf(" %7.1f\n", fixed_cost(&p[s]));
  }
  printf("word: 64 random bits of lbp_rng_fill; lanes: of xoshiro256++ in %d lanes; 1 word: of lbp_rng_u64.\n"
         "near: update within the first-level cache. store: of a candidates' list, not in the floor. branch: an even\n"
         "coin's. fixed, of a step: 2 branches, exp and /, 1 word or %d of the lanes.\n", WORD_LANES, ROW);
}

static void compare_all(const options *o, const effort *how) {
  const bench_file csv = bench_create(o->out, "floor.csv", "model,weight,N,R,acceptance,ns_per_flip,floor_ns,ratio,"
                                    "pace_ratio,pace_low,pace_high");
  const bench_file samplers = bench_create(o->out, "floor_samplers.csv", "model,sampler,N,R,ns_per_flip");
  primitives p[SIZES];
  int measured[SIZES];
  lay_bed(sizes[SIZES - 1], o->seed);
  printf("%-17s %-8s %8s %9s %7s %9s %9s %7s  %-16s%s\n", "", "weight", "N", "R", "accept", "ns/flip", "floor", "ratio",
         "(quartiles)", o->pace ? " to pace  (quartiles)" : "");
  for (int size = 0; size < SIZES; size++) {
    measured[size] = 0;
    for (int target = 0; target < FLOORS; target++) measured[size] |= target_is_measured(o, target, size);
    if (measured[size]) p[size] = compare_size(o, how, size, csv.to, samplers.to);
  }
  if (o->pace) printf("to pace: step / pace car, by turns, at the same sites and odd R, both without huge pages.\n");
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
    entry_make(&e[count], TARGET_BERNOULLI, WEIGHT_BARKER, LBP_SAMPLER_LBP, &model[count], n, 0, how, o->seed);
  }
  bench_label("scaling");
  basic_progress_begin(how->turns);
  for (uint32_t turn = 0; turn < how->turns; turn++) {
    for (int k = 0; k < count; k++) entry_turn(&e[k], turn);
    basic_progress_add(1);
  }
  basic_progress_clear();
  printf("\nscaling: bernoulli, t/(1+t), tuned R\n%9s %9s %7s %9s %12s\n", "N", "R", "accept", "ns/flip", "us/step");
  for (int k = 0; k < count; k++) {
    const double flip = bench_median(e[k].flip, how->turns), step = flip * e[k].sum.proposed / e[k].all_steps;
    printf("%9u %9.1f %7.3f %9.2f %12.3f\n", (unsigned)e[k].n, e[k].r, entry_acceptance(&e[k]), flip, step / 1e3);
    fprintf(csv.to, "%s,%u,%.6g,%.4f,%.4f,%.6g\n", target_names[TARGET_BERNOULLI], (unsigned)e[k].n, e[k].r,
            entry_acceptance(&e[k]), flip, step);
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
static const effort small_efforts[2] = {{41, 0.01, 2e7}, {11, 0.005, 3e6}};
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
  const uint32_t n = small_rows[size] * small_cols[size], turns = how->turns;
  double ratio[MOST_TURNS];
  bench_model m = {.kind = MODEL_ISING};
  if (target == TARGET_ISING) make_small_ising(&m.as.ising, small_rows[size], small_cols[size], o->seed);
  else target_make(&m, target, n, o->seed);
  entry_make(&runtime, target, WEIGHT_BARKER, LBP_SAMPLER_LBP, &m.as, n, 0, how, o->seed);
  entry_make_twin(&fixed, &runtime, (target == TARGET_ISING ? ising_kernels : bernoulli_kernels)[size](), o->seed);
  basic_progress_begin(turns);
  for (uint32_t turn = 0; turn < turns; turn++) {
    entry_turn(turn % 2 ? &runtime : &fixed, turn);
    entry_turn(turn % 2 ? &fixed : &runtime, turn);
    ratio[turn] = runtime.flip[turn] / fixed.flip[turn];
    basic_progress_add(1);
  }
  basic_progress_clear();
  const double flip = bench_median(runtime.flip, turns), fixed_flip = bench_median(fixed.flip, turns);
  const spread to_fixed = spread_of(ratio, turns);
  printf("%-17s %8u %9.1f %9.2f %9.2f", target_names[target], (unsigned)n, runtime.r, flip, fixed_flip);
  print_spread(to_fixed, 3);
  printf("\n");
  fprintf(csv, "%s,%u,%.6g,%.4f,%.4f,%.4f\n", target_names[target], (unsigned)n, runtime.r, flip, fixed_flip,
          to_fixed.middle);
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

/* ---- at -O2 ------------------------------------------------------------------------------------------------------ */

enum { CAR_TURNS = 7 };

/* `floor --car MODEL EXTENT R`: steps of this build alone, in a pace car's words. */
static int be_a_car(char **argv) {
  const int target = strcmp(argv[2], target_names[TARGET_ISING]) == 0 ? TARGET_ISING : TARGET_BERNOULLI;
  const uint32_t extent = (uint32_t)atol(argv[3]);
  bench_model m;
  entry e;
  target_make(&m, target, extent, 1);
  const uint32_t n = bench_model_sites(target_kinds[target], extent);
  entry_make(&e, target, WEIGHT_BARKER, LBP_SAMPLER_LBP, &m.as, n, atof(argv[4]), &efforts[1], 1);
  for (uint32_t turn = 0; turn < CAR_TURNS; turn++) entry_turn(&e, turn);
  printf("ns/flip=%.4f\n", bench_median(e.flip, CAR_TURNS));
  return 0;
}

/* This build's steps, and by turns those of the program o->o2. */
static void compare_o2(const options *o, const effort *how) {
  const bench_file csv = bench_create(o->out, "floor_o2.csv", "model,N,R,ns_per_flip,o2_ratio,o2_low,o2_high");
  printf("\n%s, next to this build\n%-17s %8s %9s %9s %7s  (quartiles)\n", o->o2, "", "N", "R", "ns/flip", "ratio");
  for (int target = 0; target <= TARGET_ISING; target += TARGET_ISING) {
    for (int size = 1; size <= 3; size++) {
      static row c;
      bench_model m;
      char arguments[100];
      double ratio[MOST_TURNS];
      if (!target_is_measured(o, target, size)) continue;
      const uint32_t extent = target_extent(target, size), n = bench_model_sites(target_kinds[target], extent);
      memset(&c, 0, sizeof c);
      target_make(&m, target, extent, o->seed);
      entry_make(&c.is, target, WEIGHT_BARKER, LBP_SAMPLER_LBP, &m.as, n, 0, how, o->seed);
      entry_tune(&c.is, 0, 2 * floor(c.is.r / 2) + 1);
      snprintf(c.car, sizeof c.car, "%s", o->o2);
      snprintf(arguments, sizeof arguments, "--car %s %u %.0f", target_names[target], (unsigned)extent, c.is.r);
      for (uint32_t turn = 0; turn < CAR_TURNS && c.car[0]; turn++) {
        entry_turn(&c.is, turn);
        drive_car(&c, arguments, turn);
        ratio[turn] = 1 / c.pace[turn];
      }
      if (c.car[0]) {
        const double flip = bench_median(c.is.flip, CAR_TURNS);
        const spread s = spread_of(ratio, CAR_TURNS);
        printf("%-17s %8u %9.1f %9.2f", target_names[target], (unsigned)n, c.is.r, flip);
        print_spread(s, 2);
        printf("\n");
        fprintf(csv.to, "%s,%u,%.6g,%.4f", target_names[target], (unsigned)n, c.is.r, flip);
        write_last(csv.to, &s, 3);
      }
      lbp_chains_free(&c.is.chain);
      bench_model_free(&m);
    }
  }
  bench_close(&csv);
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "--car") == 0) return be_a_car(argv);
  const options o = target_parse(argc, argv, "usage: floor [option ...]", FLOORS, 1);
  const double begin = basic_now();
  bench_start(1);
  if (o.pace && access(o.pace, X_OK) != 0) basic_die("--pace %s: %s", o.pace, strerror(errno));
  if (o.o2 && access(o.o2, X_OK) != 0) basic_die("--o2 %s: %s", o.o2, strerror(errno));
  compare_all(&o, &efforts[o.quick]);
  if (o.targets[TARGET_BERNOULLI]) measure_scaling(&o, &efforts[o.quick]);
  if (o.targets[TARGET_BERNOULLI] || o.targets[TARGET_ISING]) compare_all_small(&o, &small_efforts[o.quick]);
  compare_dense(o.out, o.seed);
  if (o.o2) compare_o2(&o, &efforts[o.quick]);
  printf("\n%.0f s. Rows: %s/floor*.csv\n", basic_now() - begin, o.out);
  if (o.targets[TARGET_BERNOULLI]) bench_draw("speed", "floor", o.out);
  return 0;
}
