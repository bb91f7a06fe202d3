/* Chains of one sampler in memory (lbp/run/chains.h), and runs whose chains ask the model together (lbp_run.batch):
 * their laws against enumeration; the same draws on any number of threads and wherever a run was cut off, although the
 * model's answers round by the chains that they are for; groups; reports of steps; refused options.
 *
 * Statistical tests: 32 comparisons within six of their own standard errors, estimated from 32 chains: false alarms
 * 1e-6 each (t with 31 degrees of freedom), 4e-5 in all. Seeds are fixed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "test.h"
#include "../lbp_run.h"
#include "run_files.h"

/* Sites in a ring, each with a bias. rounding: how much an answer for several chains depends on which these are. */
enum { N = 6, STATES = 64, CHAINS = 32 };
typedef struct {
  double bias, pull, rounding;
} ring;

static double ring_logp(const ring *m, const uint8_t *x) {
  double sum = 0;
  int i;
  for (i = 0; i < N; i++) sum += m->bias * (i - 2) * x[i] + m->pull * (x[i] == x[(i + 1) % N]);
  return sum;
}

static void ring_deltas(const ring *m, const uint8_t *x, double *out) {
  int i;
  for (i = 0; i < N; i++) {
    const int alike = (x[i] == x[(i + 1) % N]) + (x[i] == x[(i + N - 1) % N]);
    out[i] = m->bias * (i - 2) * (1 - 2 * x[i]) + m->pull * (2 - 2 * alike);
  }
}

static uint32_t asked[8]; /* calls by the number of chains */

static void ring_deltas_many(const ring *m, const uint8_t *const *x, double *const *out, uint32_t count) {
  uint32_t k, i;
#if defined _OPENMP
#pragma omp atomic
#endif
  asked[count % 8]++;
  for (k = 0; k < count; k++) {
    ring_deltas(m, x[k], out[k]);
    for (i = 0; i < N; i++) out[k][i] *= 1 + m->rounding * (k + 2.0 * count);
  }
}

#define LBP_NAME        many
#define LBP_MODEL_T     ring
#define LBP_LOGP        ring_logp
#define LBP_DELTAS      ring_deltas
#define LBP_DELTAS_MANY ring_deltas_many
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME    alone
#define LBP_MODEL_T ring
#define LBP_LOGP    ring_logp
#define LBP_DELTAS  ring_deltas
#include "../lbp_run.h"

/* The same, whose fields wear off: its draws depend on when a chain forgets. */
static void worn_set(const ring *m, double *worn, const uint8_t *x) { (void)m, (void)x, *worn = 0; }
static void worn_flip(const ring *m, double *worn, const uint8_t *x, uint32_t i) {
  (void)m, (void)x, (void)i, *worn += 1e-3;
}
static double worn_logp(const ring *m, double *worn, const uint8_t *x) { return (void)worn, ring_logp(m, x); }
static void worn_deltas(const ring *m, double *worn, const uint8_t *x, double *out) {
  (void)worn, ring_deltas(m, x, out);
}
static void worn_deltas_many(const ring *m, double *const *worn, const uint8_t *const *x, double *const *out,
                             uint32_t count) {
  uint32_t k, i;
  ring_deltas_many(m, x, out, count);
  for (k = 0; k < count; k++) {
    for (i = 0; i < N; i++) out[k][i] *= 1 + *worn[k];
  }
}

#define LBP_NAME        worn
#define LBP_MODEL_T     ring
#define LBP_FIELDS_T    double
#define LBP_FIELDS_INIT worn_set
#define LBP_FLIP        worn_flip
#define LBP_LOGP        worn_logp
#define LBP_DELTAS      worn_deltas
#define LBP_DELTAS_MANY worn_deltas_many
#define LBP_TEMPERED
#include "../lbp_run.h"

typedef int runner(const lbp_run *, const ring *, uint32_t, lbp_run_result *);

/* ---- the law ----------------------------------------------------------------------------------------------------- */

static double exact[N], exact_log_z;

static void enumerate(const ring *m) {
  double sum = 0;
  int state, i;
  memset(exact, 0, sizeof exact);
  for (state = 0; state < STATES; state++) {
    uint8_t x[N];
    double p;
    for (i = 0; i < N; i++) x[i] = (uint8_t)(state >> i & 1);
    p = exp(ring_logp(m, x));
    sum += p;
    for (i = 0; i < N; i++) exact[i] += p * x[i];
  }
  for (i = 0; i < N; i++) exact[i] /= sum;
  exact_log_z = log(sum);
}

/* Groups of 5 chains, the last of 2; with R fixed, own and shared tuners, and 6 rungs, the last of which is alone. */
#ifdef API_QUICK
enum { LAW_DRAWS = 600 };
#else
enum { LAW_DRAWS = 2000 };
#endif

static void test_law(const ring *m) {
  static const lbp_run_column column[N] = {{"a", lbp_run_site, NULL, 0}, {"b", lbp_run_site, NULL, 1},
                                           {"c", lbp_run_site, NULL, 2}, {"d", lbp_run_site, NULL, 3},
                                           {"e", lbp_run_site, NULL, 4}, {"f", lbp_run_site, NULL, 5}};
  int way, k;
  enumerate(m);
  for (way = 0; way < 5; way++) {
    lbp_run_result result;
    lbp_run run;
    lbp_run_init(&run);
    run.batch = 5;
    run.chains = CHAINS;
    run.parameter = way == 0 ? 1.5 : 0;
    run.shared_tuner = way % 2 == 0;
    run.tempering.rungs = way > 2 ? 6 : 1;
    run.warmup = 500;
    run.draws = LAW_DRAWS;
    run.thin = 2;
    run.seed = (uint64_t)(40 + way);
    run.column = column;
    run.columns = N;
    memset(asked, 0, sizeof asked);
    CHECK(many_run(&run, m, N, &result) == LBP_OK);
    if (result.status != LBP_OK) printf("%s\n", result.message);
    for (k = 0; k < N && result.row; k++) CHECK_NEAR(result.row[k + 1].mean, exact[k], 6 * result.row[k + 1].mcse);
    if (way > 2) {
      CHECK(result.log_z_status == LBP_OK && result.log_z_se < 0.1);
      CHECK_NEAR(result.log_z, exact_log_z, 6 * result.log_z_se);
    }
    CHECK(asked[5] > 0 && asked[way > 2 ? 1 : 2] > 0);
    CHECK(asked[0] + asked[3] + asked[4] + asked[6] + asked[7] + asked[way > 2 ? 2 : 1] == 0);
    lbp_run_free(&result);
  }
}

/* ---- promises ---------------------------------------------------------------------------------------------------- */

enum { RUN_CHAINS = 7, WARMUP = 50, DRAWS = 40 };

/* A hash of a file's lines but for comments, which tell how long things took. */
LBP_FN uint64_t hash_lines(uint64_t hash, const char *path) {
  long size;
  char *text = content(path, &size), *at;
  CHECK(text != NULL);
  for (at = text; at && *at; at = strchr(at, '\n') + 1) {
    if (*at != '#') hash = lbp_runner_hash(hash, at, (size_t)(strchr(at, '\n') - at));
  }
  free(text);
  return hash;
}

static uint64_t hash_files(const char *prefix) {
  uint64_t hash = LBP_P_HASH;
  char path[300];
  uint32_t k;
  for (k = 1; k <= RUN_CHAINS; k++) {
    snprintf(path, sizeof path, "%s_%lu.csv", prefix, (unsigned long)k);
    hash = hash_lines(hash, path);
  }
  return hash;
}

/* Draws of a run, on so many threads, in one piece or cut off after every step. */
static uint64_t draw(runner *go, const ring *m, uint32_t together, int way, int count, int cut) {
  lbp_run_result result;
  uint64_t hash;
  lbp_run run;
  int calls = 0;
  lbp_run_init(&run);
  run.batch = together;
  run.chains = RUN_CHAINS;
  run.parameter = way == 0 ? 2.5 : 0;
  run.shared_tuner = way == 2 || way == 4;
  run.tempering.rungs = way > 2 ? 5 : 1;
  run.warmup = WARMUP;
  run.draws = DRAWS;
  run.thin = 3;
  run.digits = 17;
  run.save_states = LBP_STATES_CSV;
  run.prefix = in_folder("together");
  run.checkpoint = cut ? in_folder("together.ckpt") : NULL;
  threads(count);
  do {
    run.seconds = cut ? 1e-9 : 0; /* a step, after those that were done before */
    CHECK(go(&run, m, N, &result) == LBP_OK);
    if (result.status != LBP_OK) printf("%s\n", result.message);
    lbp_run_free(&result);
  } while (result.ended == LBP_END_OUT_OF_TIME && ++calls < 1000);
  CHECK(result.ended == LBP_END_COMPLETE && (!cut || calls > WARMUP / 2));
  hash = hash_files(run.prefix);
  if (run.checkpoint) remove(run.checkpoint);
  threads(1);
  return hash;
}

static void test_promises(const ring *m) {
  ring plain = *m;
  int way;
  plain.rounding = 0;
  for (way = 0; way < 5; way++) { /* R given; tuned; shared; tempered; both */
    const uint64_t hash = draw(worn_run, m, 3, way, 1, 0), each = draw(many_run, &plain, 0, way, 1, 0);
    CHECK(draw(worn_run, m, 3, way, 4, 0) == hash);
    CHECK(draw(worn_run, m, 3, way, 1, 1) == hash);
    CHECK(draw(worn_run, m, 4, way, 1, 0) != hash); /* answers do depend on the groups */
    CHECK_ALIKE(draw(many_run, &plain, 1, way, 1, 0) == each);
    CHECK_ALIKE(draw(many_run, &plain, 3, way, 1, 0) == each);
    CHECK_ALIKE(draw(many_run, &plain, 128, way, 1, 0) == each);
  }
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Every chain is in one group; groups don't cross blocks, and are full but for a block's last. */
static void test_groups(void) {
  uint32_t block, group, count, g, next;
  lbp_chains c;
  memset(&c, 0, sizeof c);
  for (block = 1; block <= 9; block++) {
    for (group = 1; group <= block; group++) {
      for (count = 0; count <= 30; count++) {
        c.block = block;
        c.group = group;
        next = 100;
        for (g = 0; g < lbp_chains_groups(&c, 100, 100 + count); g++) {
          uint32_t from, to, end;
          lbp_chains_group(&c, 100, 100 + count, g, &from, &to);
          end = 100 + (from - 100) / block * block + block;
          end = end < 100 + count ? end : 100 + count;
          CHECK(from == next && to > from && (to - from == group || to == end) && to <= end);
          next = to;
        }
        CHECK(next == 100 + count);
      }
    }
  }
  for (c.group = 1; c.group <= 4; c.group++) { /* one block, however large */
    c.block = UINT32_MAX;
    CHECK(lbp_chains_groups(&c, 0, 8) == (8 + c.group - 1) / c.group);
    for (g = 0; g < lbp_chains_groups(&c, 0, 8); g++) {
      uint32_t from, to;
      lbp_chains_group(&c, 0, 8, g, &from, &to);
      CHECK(from == g * c.group && to == (from + c.group < 8 ? from + c.group : 8));
    }
  }
}

/* ---- chains by hand ---------------------------------------------------------------------------------------------- */

/* Each chain's distance to the state of all zeros, kept by what is told of its steps. */
typedef struct {
  const lbp_chains *chains;
  uint32_t ones[4], steps[4];
} watch;

static void see(void *data, const void *chain, const uint32_t *changed, uint32_t count) {
  watch *w = (watch *)data;
  const uint32_t k = (uint32_t)((size_t)((const unsigned char *)chain - w->chains->unit) / w->chains->unit_bytes);
  const uint8_t *x = (const uint8_t *)lbp_chains_unit(w->chains, k)->x;
  uint32_t i;
  for (i = 0; i < count; i++) w->ones[k] += x[changed[i]] ? 1u : ~0u;
  w->steps[k]++;
}

static void test_told(const ring *m) {
  const lbp_kernel kernel = many_kernel();
  uint32_t k, i, s, t;
  for (s = 0; s <= kernel.samplers; s++) { /* the first one a second time, in groups */
    lbp_chains c;
    lbp_plan plan;
    watch w;
    memset(&w, 0, sizeof w);
    w.chains = &c;
    CHECK(lbp_plan_init(&plan, &kernel, kernel.sampler[s % kernel.samplers].sampler, N, 0) == LBP_OK);
    CHECK(plan.values == 2 && plan.target == plan.sampler->target);
    plan.setting[0] = 2.5;
    plan.see = see;
    plan.see_data = &w;
    CHECK(lbp_chains_init(&c, &kernel, m, &plan, 0, 4, 0) == LBP_OK);
    CHECK(lbp_chains_together(&c, 3, s == kernel.samplers ? 3 : 1) == LBP_OK);
    CHECK(lbp_chains_together(&c, 3, 2) == (s % kernel.samplers == 0 ? LBP_OK : LBP_E_RANGE));
    CHECK(lbp_chains_together(&c, 0, 1) == LBP_E_RANGE && lbp_chains_together(&c, 3, 0) == LBP_E_RANGE);
    CHECK(lbp_chains_together(&c, 200, LBP_GROUP_MOST + 1) == LBP_E_RANGE);
    CHECK(lbp_chains_together(&c, 3, s == kernel.samplers ? 3 : 1) == LBP_OK);
    for (k = 0; k < 4; k++) {
      CHECK(lbp_chains_make(&c, k, 3) == LBP_OK);
      for (i = 0; i < N; i++) w.ones[k] += ((const uint8_t *)lbp_chains_unit(&c, k)->x)[i];
    }
    for (t = 1; t <= 200; t++) {
      lbp_chains_steps(&c, 1, 0, 0);
      for (k = 0; k < 4; k++) {
        uint32_t ones = 0;
        for (i = 0; i < N; i++) ones += ((const uint8_t *)lbp_chains_unit(&c, k)->x)[i];
        CHECK(w.ones[k] == ones && w.steps[k] == t);
      }
    }
    for (k = 0; k < 4; k++) CHECK(c.moves[k].jump > 100 && c.moves[k].jump <= c.moves[k].proposed);
    if (plan.sampler->sampler == LBP_SAMPLER_RWM) CHECK(c.moves[0].proposed == c.moves[0].parameter);
    lbp_chains_free(&c);
  }
}

/* One tuner for all, by the page's example; where it begins, and what it is told of costs. */
static void test_tuner(const ring *m) {
  const lbp_kernel kernel = many_kernel();
  double accept[8], setting[LBP_SETTINGS];
  many_tuner by_hand;
  lbp_chains c, none;
  lbp_plan plan;
  uint32_t k, t;
  CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_AB, N, 0) == LBP_E_RANGE);
  CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_LBP, N, 0) == LBP_OK);
  plan.warmup = 1000;
  plan.first = 3;
  CHECK(lbp_chains_init(&c, &kernel, m, &plan, 0, 8, 1) == LBP_OK);
  kernel.tuner_setting(lbp_chains_tuner(&c, 7), setting);
  CHECK(setting[0] == 3 && c.tuners == 1);
  CHECK(many_tuner_init(&by_hand, N, 1000, LBP_TARGET_LBP) == LBP_OK);
  by_hand.r = 3;
  for (k = 0; k < 8; k++) CHECK(lbp_chains_make(&c, k, 9) == LBP_OK);
  for (t = 0; t < 1000; t++) {
    double mean = 0, before[8];
    for (k = 0; k < 8; k++) before[k] = c.moves[k].accept;
    lbp_chains_step_apart(&c, accept, NULL, 1);
    for (k = 0; k < 8; k++) {
      mean += accept[k];
      CHECK(accept[k] >= 0 && accept[k] <= 1);
      CHECK_NEAR(accept[k], c.moves[k].accept - before[k], 1e-9); /* of this step alone */
    }
    many_tuner_update(&by_hand, mean / 8);
    lbp_chains_learn(&c, accept, NULL, 8);
    kernel.tuner_setting(lbp_chains_tuner(&c, 0), setting);
    CHECK_NEAR(setting[0], by_hand.r, 1e-9); /* but for registers of the x87 */
  }
  CHECK(setting[0] > 1 && setting[0] < N);
  c.plan.at[0] = 1, c.plan.cost[0] = 1, c.plan.at[1] = 3, c.plan.cost[1] = 2;
  CHECK(lbp_chains_tune(&c) == LBP_OK);
  CHECK(many_tuner_init(&by_hand, N, 1000, LBP_TARGET_LBP) == LBP_OK);
  CHECK(many_tuner_cost(&by_hand, 1, 1, 3, 2) == LBP_OK && by_hand.site_cost > 0);
  CHECK_NEAR(((const many_tuner *)lbp_chains_tuner(&c, 0))->site_cost, by_hand.site_cost, 1e-12);
  c.plan.at[1] = 1;
  CHECK(lbp_chains_tune(&c) == LBP_E_RANGE);
  lbp_chains_free(&c);
  lbp_chains_free(&c);
  CHECK(lbp_chains_init(&c, &kernel, m, &plan, 0, 8, 0) == LBP_OK && c.tuners == 8); /* each its own, told apart */
  for (k = 0; k < 8; k++) accept[k] = k / 8.0;
  for (t = 0; t < 10; t++) lbp_chains_learn(&c, accept, NULL, 8);
  for (k = 0; k < 8; k++) {
    CHECK(many_tuner_init(&by_hand, N, 1000, LBP_TARGET_LBP) == LBP_OK);
    by_hand.r = 3;
    for (t = 0; t < 10; t++) many_tuner_update(&by_hand, k / 8.0);
    kernel.tuner_setting(lbp_chains_tuner(&c, k), setting);
    CHECK_NEAR(setting[0], by_hand.r, 1e-9);
  }
  lbp_chains_free(&c);
  CHECK(lbp_chains_init(&c, &kernel, m, &plan, 0, 5, 3) == LBP_OK && c.tuners == 3); /* shared by 2, 2 and 1 */
  for (k = 0; k < 5; k++) accept[k] = k / 8.0;
  for (t = 0; t < 10; t++) lbp_chains_learn(&c, accept, NULL, 5);
  for (k = 0; k < 3; k++) {
    CHECK(many_tuner_init(&by_hand, N, 1000, LBP_TARGET_LBP) == LBP_OK);
    by_hand.r = 3;
    for (t = 0; t < 10; t++) many_tuner_update(&by_hand, k < 2 ? (accept[k] + accept[k + 3]) / 2 : accept[k]);
    CHECK_NEAR(((const many_tuner *)lbp_chains_tuner(&c, k))->r, by_hand.r, 1e-9);
  }
  for (t = 0; t < 10; t++) lbp_chains_learn(&c, accept, NULL, 2); /* no chain has the third */
  CHECK(((const many_tuner *)lbp_chains_tuner(&c, 1))->step == 20);
  CHECK(((const many_tuner *)lbp_chains_tuner(&c, 2))->step == 10);
  lbp_chains_free(&c);
  plan.n = LBP_MAX_SITES;
  CHECK(lbp_chains_init(&none, &kernel, m, &plan, 0, UINT32_MAX, 1) == LBP_E_MEMORY);
  lbp_chains_free(&none);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

/* All states are alike but x = 0, a deep hole. A clock that begins there takes ever longer steps until one leaves it, of
 * which as much as that would be left to jump; steps that are learned from end before, and time is soon what it should
 * be. Own tuners, and shared ones. */
enum { HOLE = 24 };
typedef struct {
  double depth;
} hole;
static double hole_logp(const hole *m, const uint8_t *x) {
  uint32_t i, ones = 0;
  for (i = 0; i < HOLE; i++) ones += x[i];
  return ones == 0 ? m->depth : 0;
}
static void hole_deltas(const hole *m, const uint8_t *x, double *out) {
  uint32_t i, ones = 0;
  for (i = 0; i < HOLE; i++) ones += x[i];
  for (i = 0; i < HOLE; i++) out[i] = ones == 0 ? -m->depth : ones == 1 && x[i] ? m->depth : 0;
}
#define LBP_NAME         hole
#define LBP_MODEL_T      hole
#define LBP_LOGP         hole_logp
#define LBP_DELTAS       hole_deltas
#define LBP_DELTAS_EXACT
#define LBP_CLOCK        LBP_METROPOLIS
#include "../lbp_run.h"

static void test_clock_learns(void) {
  enum { WARM = 2000 };
  const hole m = {14}; /* 7 % of all */
  const lbp_kernel kernel = hole_kernel();
  uint32_t k, t, shared;
  for (shared = 0; shared < 2; shared++) {
    double accept[2], spent = 0, jumps = 0;
    unsigned char feedback[2 * 2 * sizeof(double)];
    lbp_chains c;
    lbp_plan plan;
    CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_CLOCK, HOLE, 0) == LBP_OK);
    plan.warmup = WARM;
    CHECK(lbp_chains_init(&c, &kernel, &m, &plan, 0, 2, shared) == LBP_OK);
    for (k = 0; k < 2; k++) {
      CHECK(lbp_chains_make(&c, k, 5) == LBP_OK);
      memset(lbp_chains_unit(&c, k)->x, 0, HOLE);
      kernel.touch(lbp_chains_unit(&c, k));
    }
    for (t = 0; shared && t < WARM; t++) {
      lbp_chains_step_apart(&c, accept, feedback, 1);
      lbp_chains_learn(&c, accept, feedback, 2);
    }
    if (!shared) lbp_chains_steps(&c, WARM, 1, 1);
    for (k = 0; k < 2; k++) CHECK(c.moves[k].proposed < 256 * 5 * 50); /* of 10^6 and more */
    CHECK(c.moves[0].proposed + c.moves[1].proposed > 4 * WARM);
    memset(c.moves, 0, 2 * sizeof *c.moves);
    lbp_chains_steps(&c, 1000, 0, 1);
    for (k = 0; k < 2; k++) jumps += c.moves[k].proposed / 2000, spent += c.moves[k].parameter / 2000;
    if (!shared) CHECK_NEAR(jumps, 4, 0.5); /* five standard errors of the time that the warm-up finds */
    if (!shared) CHECK_NEAR(jumps / spent, HOLE, 0.5);
    lbp_chains_free(&c);
  }
  { /* nothing learns: steps are as long as they are to be, however many jumps that is */
    lbp_chains c;
    lbp_plan plan;
    CHECK(lbp_plan_init(&plan, &kernel, LBP_SAMPLER_CLOCK, HOLE, 0) == LBP_OK);
    plan.warmup = WARM;
    plan.first = 200;
    CHECK(lbp_chains_init(&c, &kernel, &m, &plan, 0, 1, 0) == LBP_OK && lbp_chains_make(&c, 0, 5) == LBP_OK);
    lbp_chains_steps(&c, 20, 0, 1);
    CHECK_NEAR(c.moves[0].parameter / 20, 200, 1e-9);
    CHECK_NEAR(c.moves[0].proposed / 20 / (200.0 * HOLE), 1, 0.02); /* 6 standard errors */
    lbp_chains_free(&c);
  }
}

static void test_refused(const ring *m) {
  lbp_run_result result;
  lbp_ais_result ais;
  lbp_run run;
  lbp_run_init(&run);
  run.batch = LBP_GROUP_MOST + 1;
  CHECK(many_run(&run, m, N, &result) == LBP_E_RANGE && strstr(result.message, "batch: 0"));
  run.batch = 2;
  CHECK(alone_run(&run, m, N, &result) == LBP_E_RANGE && strstr(result.message, "LBP_DELTAS_MANY"));
  run.sampler = LBP_SAMPLER_RWM;
  CHECK(many_run(&run, m, N, &result) == LBP_E_RANGE && strstr(result.message, "batch: RWM steps one chain at a time"));
  run.batch = 1; /* nothing special */
  run.draws = 10;
  CHECK(many_run(&run, m, N, &result) == LBP_OK);
  lbp_run_free(&result);
  run.sampler = LBP_SAMPLER_LBP;
  run.batch = 3;
  run.checkpoint = in_folder("groups.ckpt");
  CHECK(many_run(&run, m, N, &result) == LBP_OK);
  lbp_run_free(&result);
  run.batch = 4;
  CHECK(many_run(&run, m, N, &result) == LBP_E_FORMAT && strstr(result.message, "batch"));
  lbp_run_free(&result);
  remove(run.checkpoint);
  lbp_run_init(&run); /* annealing, in groups */
  run.batch = 5;
  run.chains = 400;
  run.tempering.rungs = 30;
  CHECK(many_ais(&run, m, N, &ais) == LBP_OK);
  CHECK_NEAR(ais.log_z, exact_log_z, 6 * ais.log_z_se);
  lbp_ais_free(&ais);
}

int main(void) {
  const ring m = {0.375, 0.3125, 1e-3}; /* sums are exact, in registers of the x87 too */
  CHECK(make_folder());
  test_groups();
  test_told(&m);
  test_tuner(&m);
  test_clock_learns();
  test_law(&m);
  test_promises(&m);
  test_refused(&m);
  return test_report();
}
