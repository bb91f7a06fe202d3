/* Template: swaps of one instance of lbp.h, against all paths by enumeration. Parameters: CASE (a prefix), CASE_REAL,
 * CASE_WEIGHT, CASE_KIND (SWAP_LOCAL, SWAP_LISTED, SWAP_PRODUCT, SWAP_DENSE, SWAP_ESTIMATE), CASE_DELTAS(name) for
 * callbacks that write CASE_REAL, CASE_N: sites fixed, CASE_BETA: a temperature, CASE_GROUPS: LBP_GROUPS. Generates
 * CASE_test_all(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME    CASE
#define LBP_MODEL_T toy
#define LBP_REAL    CASE_REAL
#define LBP_WEIGHT  CASE_WEIGHT
#define LBP_GROUP(m, i) swap_group[i]
#ifdef CASE_GROUPS
#define LBP_GROUPS CASE_GROUPS
#endif
#ifdef CASE_N
#define LBP_N CASE_N
#endif
#ifdef CASE_BETA
#define LBP_TEMPERED
#define CASE_IS_TEMPERED
#else
#define CASE_BETA 1
#endif
#if CASE_KIND == SWAP_LISTED
#define LBP_FIELDS_T       toy_fields
#define LBP_FIELDS_INIT    toy_fields_set
#define LBP_FLIP           toy_fields_flip
#define LBP_FLIP_LIST      CASE_DELTAS(toy_flip_list)
#define LBP_DELTA          toy_listed_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#define CASE_FIELDS
#elif CASE_KIND == SWAP_LOCAL || CASE_KIND == SWAP_PRODUCT
#define LBP_DELTA          (CASE_REAL)toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS (CASE_KIND == SWAP_PRODUCT ? 0 : 3)
#elif CASE_KIND == SWAP_ESTIMATE
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_SAVE        toy_fields_save
#define LBP_RESTORE     toy_fields_restore
#define LBP_DELTAS      CASE_DELTAS(toy_fields_deltas)
#define LBP_DELTAS_MANY CASE_DELTAS(toy_fields_deltas_many)
#define LBP_LOGP        (CASE_REAL)toy_fields_logp
#define CASE_FIELDS
#else
#define LBP_DELTAS CASE_DELTAS(toy_deltas)
#endif
#include "../../lbp.h"

typedef struct {
  CASE_ID(_chain) c;
  toy_fields fields;
  uint8_t x[TOY_MAX];
  uint64_t ws[300];
} CASE_ID(_bench);

static void CASE_ID(_begin)(CASE_ID(_bench) *b, const toy *t, uint32_t code, double mu) {
  uint32_t i;
  int status;
  for (i = 0; i < t->n; i++) b->x[i] = (uint8_t)(code >> i & 1);
#if defined CASE_N && defined CASE_FIELDS
  status = CASE_ID(_init)(&b->c, b->x, &b->fields);
#elif defined CASE_N
  status = CASE_ID(_init)(&b->c, b->x);
#elif defined CASE_FIELDS
  status = CASE_ID(_init)(&b->c, t->n, b->x, &b->fields, b->ws, CASE_ID(_ws_len)(t->n));
#else
  status = CASE_ID(_init)(&b->c, t->n, b->x, b->ws, CASE_ID(_ws_len)(t->n));
#endif
  CHECK(status == LBP_OK);
  if (swap_mask) CHECK(CASE_ID(_clamp)(&b->c, swap_mask) == LBP_OK);
  CHECK(CASE_ID(_set_shift)(&b->c, mu) == LBP_OK);
  if (CASE_BETA != 1) {
#if defined CASE_IS_TEMPERED
    CHECK(CASE_ID(_temper)(&b->c, (CASE_REAL)CASE_BETA) == LBP_OK);
#endif
  }
}

/* The weights of all states, off the constraint as well, as a chain that begins there has them. */
static void CASE_ID(_weights)(const toy *t, double mu) {
  static CASE_ID(_bench) b;
  uint32_t code;
  for (code = 0; code < 1u << t->n; code++) {
    CASE_ID(_begin)(&b, t, code, mu);
    b.c.groups.mode = LBP_MODE_SWAP;
    CASE_ID(_priv_prepare)(&b.c, t, 0);
    CASE_ID(_priv_weigh_x)(&b.c, t);
    memcpy(swap_weight[code], b.c.next, t->n * sizeof(uint32_t));
#if CASE_KIND == SWAP_LOCAL
    {
      uint32_t i;
      int same = 1;
      for (i = 0; i < t->n; i++) {
        const CASE_REAL odds = (CASE_REAL)(b.x[i] ? -mu : mu), d = (CASE_REAL)(CASE_BETA * toy_delta(t, b.x, i));
        const int free = !(swap_mask && swap_mask[i]);
        if (CASE_WEIGHT != LBP_SQRT) same &= swap_weight[code][i] == (free ? CASE_ID(_priv_weight)(d + odds) : 0);
      }
      CHECK_ALIKE(same);
    }
#endif
  }
}

/* What is kept of x from step to step, against what begins anew. */
static void CASE_ID(_compare)(CASE_ID(_chain) *c, const toy *t, uint32_t code) {
  uint32_t g, i;
  int same = 1;
  for (i = 0; i < t->n; i++) same &= c->x[i] == (code >> i & 1);
  if (c->weights_ready == LBP_SWAP_READY) {
    double all = 0;
    for (g = 0; g < c->groups.count; g++) {
      const uint64_t zeros = swap_sum(t->n, code, 0, g, 0), ones = swap_sum(t->n, code, 0, g, 1);
      uint64_t own[2] = {0, 0};
      same &= test_same_weight((double)c->sum[2 * g], (double)zeros);
      same &= test_same_weight((double)c->sum[2 * g + 1], (double)ones);
      for (i = 0; i < t->n; i++) {
        if (c->group[i] == g) own[code >> i & 1] += c->weight[i];
      }
      same &= zeros + ones == 0 || (c->sum[2 * g] == own[0] && c->sum[2 * g + 1] == own[1]);
      all += c->groups.by_ones ? (double)(int64_t)ones : (double)(int64_t)ones * (double)(int64_t)zeros;
    }
    for (i = 0; i < t->n; i++) same &= c->group[i] == LBP_NO_GROUP || test_same_weight(c->weight[i], swap_weight[code][i]);
    same &= (c->groups.count == 1 && !c->groups.by_ones) || fabs(c->node[1] - all) <= (TEST_ALIKE ? 1e-14 : 1e-5) * all;
  }
  CHECK(same);
}

/* One of swap_step (R swaps), swap_path_step, kawasaki_step (R = 0): long chains, whose every acceptance is known, and
 * the law of their proposals. */
static void CASE_ID(_test_steps)(const toy *t, uint32_t start, uint32_t R, int path, double mu) {
  static CASE_ID(_bench) b;
  const double tolerance = sizeof(CASE_REAL) == sizeof(float) ? 2e-5 : 1e-12;
  double worst = 0, sum = 0, variance = 0;
  lbp_rng rng;
  uint32_t k, accepted = 0;
  const int local = CASE_KIND != SWAP_ESTIMATE;
  swap_begin(t, CASE_BETA, CASE_KIND == SWAP_ESTIMATE);
  CASE_ID(_weights)(t, mu);
  CASE_ID(_begin)(&b, t, start, mu);
  if (!path && R > CASE_ID(_max_swaps)(&b.c, t)) return;
  lbp_rng_init(&rng, 31, R + 10u * (uint32_t)path);
  for (k = 0; k < SWAP_TRIALS; k++) {
    const uint32_t code = toy_code(b.c.x, t->n);
    CASE_ID(_info) info;
    uint32_t way[4], to, h;
    double accept;
    if (k % 5 == 4 && b.c.free > 0) { /* sites in no group; what is kept of the others is lost, or not */
      if (k % 3 == 0) info = CASE_ID(_gibbs_sweep)(&b.c, t, &rng);
      else info = k % 3 == 1 ? CASE_ID(_lbp_step)(&b.c, t, 1, &rng) : CASE_ID(_rwm_step)(&b.c, t, 1, &rng);
      CHECK(((toy_code(b.c.x, t->n) ^ code) & swap_grouped()) == 0);
      continue;
    }
#if CASE_KIND != SWAP_DENSE && CASE_KIND != SWAP_ESTIMATE
    if (path) info = CASE_ID(_swap_path_step)(&b.c, t, R, &rng);
    else
#endif
    info = R > 0 ? CASE_ID(_swap_step)(&b.c, t, R, &rng) : CASE_ID(_kawasaki_step)(&b.c, t, &rng);
    if (info.proposed == 0) {
      CHECK(toy_code(b.c.x, t->n) == code && info.accept == 0 && swap_may_refuse(t, code, R, path));
      CASE_ID(_compare)(&b.c, t, code);
      continue;
    }
    if (path && info.proposed < 2 * R) { /* a way that ended */
      CHECK(toy_code(b.c.x, t->n) == code && !info.accepted);
      CASE_ID(_compare)(&b.c, t, code);
      continue;
    }
    for (h = 0; h < (R > 0 ? 2 * R : 2); h++) way[h] = path ? b.c.again[h] : b.c.touched[h % 2 * (R > 0 ? R : 1) + h / 2];
    accept = swap_accept(t, code, way, R, path, local, &to);
    if (!(fabs((double)info.accept - accept) <= worst)) worst = fabs((double)info.accept - accept);
    CHECK(toy_code(b.c.x, t->n) == (info.accepted ? to : code));
    CHECK(info.jump == (info.accepted ? swap_bits(to ^ code) : 0));
    CHECK(!info.accepted || toy_lists(info.sites, info.jump, to ^ code));
    CASE_ID(_compare)(&b.c, t, info.accepted ? to : code);
    swap_count(t->n, code, way, R);
    accepted += info.accepted;
    sum += accept;
    variance += accept * (1 - accept);
  }
  if (!(worst <= tolerance)) printf("R = %u, path %d, mu %g: off by %g\n", (unsigned)R, path, mu, worst);
  CHECK_ALIKE(worst <= tolerance);
  CHECK(accepted > SWAP_TRIALS / 50 || t->field[0] == 40 || (t->exclusion && R == 2));
  CHECK(fabs(accepted - sum) < 6 * sqrt(variance) + 1);
  swap_judge(t, R, path);
}

static void CASE_ID(_test_sweep)(const toy *t, uint32_t start) {
  static CASE_ID(_bench) b;
  lbp_rng rng;
  uint32_t k, from;
  swap_begin(t, CASE_BETA, CASE_KIND == SWAP_ESTIMATE);
  CASE_ID(_begin)(&b, t, start, 0);
  lbp_rng_init(&rng, 32, 1);
  for (k = 0; k < SWAP_TRIALS; k++) {
    CASE_ID(_info) info;
    from = toy_code(b.c.x, t->n);
    info = CASE_ID(_swap_sweep)(&b.c, t, &rng);
    swap_passed[from][toy_code(b.c.x, t->n)]++;
    CHECK(toy_lists(info.sites, info.jump, toy_code(b.c.x, t->n) ^ from));
  }
  swap_judge_sweep(t, start, CASE_KIND != SWAP_ESTIMATE, CASE_ID(_max_swaps)(&b.c, t));
}

#if CASE_KIND == SWAP_ESTIMATE
/* Chains that take their steps together draw what they draw alone. */
static void CASE_ID(_test_many)(const toy *t, uint32_t start) {
  static CASE_ID(_bench) alone[3], together[3];
  CASE_ID(_chain) *chain[3];
  lbp_rng rng[3], other[3], *rngs[3];
  CASE_ID(_info) info[3], single;
  uint32_t R[3] = {1, 2, 0}, k, s;
  for (k = 0; k < 3; k++) {
    CASE_ID(_begin)(&alone[k], t, start, 0.3);
    CASE_ID(_begin)(&together[k], t, start, 0.3);
    lbp_rng_init(&rng[k], 5, k);
    lbp_rng_init(&other[k], 5, k);
    chain[k] = &together[k].c;
    rngs[k] = &rng[k];
  }
  for (s = 0; s < 200; s++) {
    CASE_ID(_swap_steps)(chain, t, R, rngs, 3, info);
    for (k = 0; k < 3; k++) {
      single = CASE_ID(_swap_step)(&alone[k].c, t, R[k], &other[k]);
      CHECK_ALIKE(single.accept == info[k].accept && single.jump == info[k].jump);
      CHECK_ALIKE(memcmp(alone[k].x, together[k].x, t->n) == 0);
    }
  }
}
#endif

static void CASE_ID(_test_all)(void) {
  const int wide = CASE_KIND == SWAP_LOCAL && CASE_BETA == 1;
  uint32_t layout;
  for (layout = 0; layout < SWAP_LAYOUTS; layout++) {
    const uint32_t n = 6, start = swap_lay_out(layout);
    toy t = CASE_KIND == SWAP_PRODUCT ? toy_product(n, 1.5, 0, 3) : toy_make(n, 1.5, 0, 4 + layout);
#ifdef CASE_GROUPS
    if (layout > 0) break;
#endif
    CASE_ID(_test_steps)(&t, start, 1, 0, 0.4);
    CASE_ID(_test_steps)(&t, start, 2, 0, -0.7);
    if (layout == 0) {
      swap_pairs = 2;
      CASE_ID(_test_steps)(&t, start, 1, 0, 0.4);
      CASE_ID(_test_steps)(&t, start, 2, 0, -0.7);
      swap_pairs = 0;
    }
    CASE_ID(_test_steps)(&t, start, 0, 0, 0);
    CASE_ID(_test_sweep)(&t, start);
#if CASE_KIND != SWAP_DENSE && CASE_KIND != SWAP_ESTIMATE
    CASE_ID(_test_steps)(&t, start, 1, 1, 0.4);
    CASE_ID(_test_steps)(&t, start, 2, 1, 0);
#endif
#if CASE_KIND == SWAP_ESTIMATE
    CASE_ID(_test_many)(&t, start);
#endif
    if (wide) { /* weights that are cut at both ends: what holds for exact ones does not */
      t = toy_make(n, 40, 0, 9);
      t.field[0] = t.field[1] = 40;
      t.field[2] = -40;
      t.field[5] = 0;
#if CASE_KIND == SWAP_LOCAL
      CASE_ID(_test_steps)(&t, start, 2, 1, 0);
#endif
      CASE_ID(_test_steps)(&t, start, 1, 0, 0);
    }
    if (CASE_KIND == SWAP_LOCAL && layout == 0) { /* two ones of six, never beside each other */
      t = toy_make(n, 0.6, 1, 6);
      CASE_ID(_test_steps)(&t, 1u << 1 | 1u << 3, 1, 0, 0);
      CASE_ID(_test_steps)(&t, 1u << 1 | 1u << 3, 2, 0, 0);
#if CASE_KIND == SWAP_LOCAL
      CASE_ID(_test_steps)(&t, 1u << 1 | 1u << 3, 1, 1, 0);
      CASE_ID(_test_steps)(&t, 1u << 1 | 1u << 3, 2, 1, 0.2);
#endif
      CASE_ID(_test_steps)(&t, 1u << 1 | 1u << 3, 0, 0, 0);
    }
  }
  swap_mask = NULL;
}

#undef CASE
#undef CASE_REAL
#undef CASE_WEIGHT
#undef CASE_KIND
#undef CASE_DELTAS
#undef CASE_N
#undef CASE_BETA
#undef CASE_IS_TEMPERED
#undef CASE_GROUPS
#undef CASE_FIELDS
#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
