/* Template: the exactness tests of one instance of lbp.h. Parameters: CASE (a prefix), CASE_REAL, CASE_WEIGHT,
 * CASE_KIND (EXACT_LOCAL, EXACT_LISTED, EXACT_PRODUCT, EXACT_DENSE, EXACT_ESTIMATE), for n fixed at compile time CASE_N, and CASE_SORT_ABOVE (0: sites
 * are always sorted; 2: sorted and not by turns; default: hardly ever, models being small; CASE_NEVER: never). Generates CASE_test_all(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME    CASE
#define LBP_MODEL_T toy
#define LBP_REAL    CASE_REAL
#define LBP_WEIGHT  CASE_WEIGHT
#if CASE_WEIGHT == LBP_CUSTOM
#define LBP_LOG_WEIGHT(d) ((d) < 0 ? (d) : 0) /* g(t) = min(1, t) */
#endif
#ifdef CASE_N
#define LBP_N CASE_N
#endif
#if CASE_KIND == EXACT_LOCAL
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#elif CASE_KIND == EXACT_LISTED
#define LBP_FIELDS_T       toy_fields
#define LBP_FIELDS_INIT    toy_fields_set
#define LBP_FLIP           toy_fields_flip
#define LBP_FLIP_LIST      CASE_DELTAS(toy_flip_list)
#define LBP_DELTA          toy_listed_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 3
#elif CASE_KIND == EXACT_PRODUCT
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 0
#elif CASE_KIND == EXACT_DENSE
#define LBP_DELTAS CASE_DELTAS(toy_deltas)
#else
#define LBP_FIELDS_T    toy_fields
#define LBP_FIELDS_INIT toy_fields_set
#define LBP_FLIP        toy_fields_flip
#define LBP_DELTAS      CASE_DELTAS(toy_fields_deltas)
#define LBP_DELTAS_MANY CASE_DELTAS(toy_fields_deltas_many)
#define LBP_LOGP        toy_fields_logp
#ifdef CASE_N
#define LBP_SAVE    toy_fields_save /* half of the instances restore a copy, half flip back */
#define LBP_RESTORE toy_fields_restore
#define LBP_DELTA   toy_fields_delta
#endif
#endif
#ifdef CASE_SORT_ABOVE
#define LBP_SORT_ABOVE CASE_SORT_ABOVE
#endif
#ifdef CASE_NEVER
#define LBP_SORT_ABOVE LBP_NEVER
#endif
#if CASE_KIND == EXACT_ESTIMATE || CASE_KIND == EXACT_LISTED
#define CASE_FIELDS
#endif
#include "../../lbp.h"

typedef struct {
  CASE_ID(_chain) chain;
  toy_fields fields;
  uint64_t ws[LBP_WS_LEN_DENSE(TOY_MAX)];
  uint8_t x[TOY_MAX];
} CASE_ID(_bed);

LBP_FN void CASE_ID(_start)(CASE_ID(_bed) *bed, const toy *t, uint32_t code) {
  uint32_t i;
  int status;
  for (i = 0; i < t->n; i++) bed->x[i] = (uint8_t)(code >> i & 1);
#if defined CASE_FIELDS && defined CASE_N
  status = CASE_ID(_init)(&bed->chain, bed->x, &bed->fields);
#elif defined CASE_FIELDS
  status = CASE_ID(_init)(&bed->chain, t->n, bed->x, &bed->fields, bed->ws, CASE_ID(_ws_len)(t->n));
#elif defined CASE_N
  status = CASE_ID(_init)(&bed->chain, bed->x);
#else
  status = CASE_ID(_init)(&bed->chain, t->n, bed->x, bed->ws, CASE_ID(_ws_len)(t->n));
#endif
  if (status != LBP_OK) CHECK(status == LBP_OK);
}

LBP_FN uint32_t CASE_ID(_code)(const CASE_ID(_chain) *c) { return toy_code(c->x, c->n); }

/* What a chain keeps from step to step must be what it would make from scratch. */
LBP_FN int CASE_ID(_consistent)(CASE_ID(_bed) *bed, const toy *t) {
  CASE_ID(_chain) *c = &bed->chain;
  uint32_t weight[TOY_MAX], positive = c->urn.sums.positive, i, b = 0;
  uint64_t total = c->urn.sums.total, sum = 0, mass = 0;
  int ok = 1;
  if (!c->weights_ready) return 1;
  for (i = 0; i < c->n; i++) {
    weight[i] = c->weight[i];
    sum += weight[i];
#ifdef CASE_NEVER
    ok &= !c->urn.sorted;
#else
    if (c->urn.sorted) {
      ok &= c->order[c->slot[i]] == i;
      b = lbp_bucket(weight[i]);
      ok &= c->slot[i] >= c->urn.start[b] && c->slot[i] < c->urn.start[b + 1];
      mass += lbp_bucket_ceiling(b);
      continue;
    }
#endif
    ok &= weight[i] <= c->urn.sums.ceiling;
    mass += c->urn.sums.ceiling;
  }
  ok &= sum == total && mass == c->urn.mass;
  exact_ways[c->urn.sorted] = 1;
  CASE_ID(_touch)(c);
  CASE_ID(_priv_prepare)(c, t, 1);
  for (i = 0; i < c->n; i++) ok &= exact_alike(weight[i], c->weight[i]);
  (void)b;
  return ok && exact_alike(total, c->urn.sums.total) && positive == c->urn.sums.positive;
}

/* The acceptance of a path that the library has just proposed, straight from (5): the way back draws the same sites in
 * reversed order (with replacement: the same draws). q is the probability of the way there. */
LBP_FN double CASE_ID(_formula_5)(CASE_ID(_chain) *c, uint32_t draws, int replace, double q, double log_pi) {
  double left = (double)c->y.sums.total, q_back = 1;
  uint32_t k;
  for (k = draws; k > 0; k--) {
    const uint32_t index = k > c->y.flips ? c->again[k - 1 - c->y.flips] : k - 1;
    const double w = CASE_ID(_priv_next_weight)(c, index);
    q_back *= w / left;
    if (!replace) left -= w;
  }
  return fmin(1, exp(log_pi) * q_back / q);
}

/* Detailed balance by enumeration of paths: P(x, y) is summed over all ordered draws of R sites, each with its
 * probability (computed here, from the weights) and the acceptance that the library computes for it. */
LBP_FN void CASE_ID(_detailed_balance)(const toy *t, uint32_t R, int replace) {
  static double P[32][32];
  static CASE_ID(_bed) bed;
  double law[32], worst = 0, largest = 0, off = 0;
  uint32_t x, y, number, paths = 1, k;
  CASE_ID(_chain) *c = &bed.chain;
  toy_law(t, law);
  for (k = 0; k < R; k++) paths *= t->n;
  memset(P, 0, sizeof P);
  for (x = 0; x < 1u << t->n; x++) {
    CASE_ID(_start)(&bed, t, x);
    CASE_ID(_priv_prepare)(c, t, 1);
    for (number = 0; number < paths; number++) {
      uint32_t rest = number, distinct = 0, draws = 0;
      uint64_t left = c->urn.sums.total;
      double q = 1, accept = 0;
      for (k = 0; k < R && left > 0; k++, rest /= t->n) {
        const uint32_t i = rest % t->n, repeated = c->weight[i] >> 31;
        const uint32_t w = c->weight[i] & ~LBP_MARK;
        q *= repeated && !replace ? 0 : (double)w / (double)left;
        if (!replace) left -= w;
        if (q == 0) break;
        for (draws = 0; repeated && c->touched[draws] != i; draws++) {
        }
        if (repeated) c->again[k - distinct] = draws;
        if (!repeated) {
          c->before[distinct] = w;
          c->touched[distinct++] = i;
        }
        c->weight[i] |= LBP_MARK;
      }
      /* a path cut short for want of positive weights: count it once */
      if (left == 0 && k < R && rest != 0) q = 0;
      c->y.draws = R;
      c->y.flips = c->y.touched = distinct;
      c->y.removed = 0;
      if (q > 0 && distinct > 0) {
        CASE_ID(_priv_move)(c, t, 0);
        if (!lbp_is_impossible((float)c->y.log_pi)) {
          const int whole = replace || distinct == R;
#if CASE_KIND == EXACT_DENSE || CASE_KIND == EXACT_ESTIMATE
          CASE_ID(_priv_deltas)(c, t);
#endif
          CASE_ID(_priv_reweigh)(c, t);
          if (whole || c->y.sums.positive == distinct) {
            const CASE_ID(_priv_product) back = replace ? CASE_ID(_priv_back_gwg)(c) : CASE_ID(_priv_back_lbp)(c);
            accept = (double)CASE_ID(_priv_probability)(&back, c->y.log_pi);
          }
          y = CASE_ID(_code)(c);
          if (whole || c->y.sums.positive == distinct) {
            const double want = CASE_ID(_formula_5)(c, replace ? R : distinct, replace, q, log(law[y]) - log(law[x]));
            if (law[x] > 0 && fabs(want - accept) > off) off = fabs(want - accept);
          }
        }
        P[x][CASE_ID(_code)(c)] += q * accept;
        CASE_ID(_priv_settle)(c, t, 0);
      }
      for (k = 0; k < t->n; k++) c->weight[k] &= ~LBP_MARK;
    }
    CHECK(CASE_ID(_code)(c) == x);
    CHECK(CASE_ID(_consistent)(&bed, t));
  }
  for (x = 0; x < 1u << t->n; x++) {
    for (y = 0; y < x; y++) {
      const double there = law[x] * P[x][y], back = law[y] * P[y][x];
      if (fabs(there - back) > worst) worst = fabs(there - back);
      if (there > largest) largest = there;
    }
  }
  CHECK_NEAR(off, 0, sizeof(CASE_REAL) == sizeof(float) ? 3e-5 : 1e-11);
  CHECK(largest > 0 || exact_is_stuck(t, R));
  CHECK_NEAR(worst / (largest > 0 ? largest : 1), 0,
             sizeof(CASE_REAL) == sizeof(float) ? 3e-6 : 1e-13 + 10 * EXACT_ROUNDING);
}

#if (CASE_KIND == EXACT_LOCAL || CASE_KIND == EXACT_LISTED || CASE_KIND == EXACT_PRODUCT) && !LBP_SMALL && !LBP_CHECKED
/* Detailed balance of single flips, which have a path of their own where sites are not sorted; and that it leaves behind
 * what it should, whether it accepts or not. */
LBP_FN void CASE_ID(_single_flips)(const toy *t) {
  static double P[32][TOY_MAX];
  static CASE_ID(_bed) bed;
  double law[32], worst = 0, largest = 0;
  uint32_t x, i;
  toy_law(t, law);
  for (x = 0; x < 1u << t->n; x++) {
    for (i = 0; i < t->n; i++) {
      int taken;
      P[x][i] = 0;
      for (taken = 0; taken < 2; taken++) {
        CASE_ID(_chain) *c = &bed.chain;
        CASE_ID(_info) info;
        CASE_ID(_start)(&bed, t, x);
        CASE_ID(_priv_prepare)(c, t, 1);
        if (c->weight[i] == 0) continue;
        P[x][i] = (double)c->weight[i] / (double)c->urn.sums.total;
        info = CASE_ID(_priv_flip_one)(c, t, i, taken ? 0 : UINT64_MAX);
        P[x][i] *= (double)info.accept;
        CHECK(info.proposed == 1 && info.jump == info.accepted && (info.jump == 0 || info.sites[0] == i));
        CHECK(info.accepted == (taken ? info.accept > 0 : info.accept >= 1));
        CHECK(CASE_ID(_code)(c) == (info.accepted ? x ^ 1u << i : x));
        CHECK(CASE_ID(_consistent)(&bed, t));
      }
    }
  }
  for (x = 0; x < 1u << t->n; x++) {
    for (i = 0; i < t->n; i++) {
      const double there = law[x] * P[x][i], back = law[x ^ 1u << i] * P[x ^ 1u << i][i];
      if (fabs(there - back) > worst) worst = fabs(there - back);
      if (there > largest) largest = there;
    }
  }
  CHECK(largest > 0);
  CHECK_NEAR(worst / largest, 0, sizeof(CASE_REAL) == sizeof(float) ? 3e-6 : 1e-13 + 10 * EXACT_ROUNDING);
}
#else
LBP_FN void CASE_ID(_single_flips)(const toy *t) { (void)t; }
#endif

/* The law of a draw: priv_draw against the product of weight ratios, all ordered pairs. Each draw is then proposed and
 * rejected, and what the proposal says of y compared with a chain made at y. */
LBP_FN void CASE_ID(_draw_law)(const toy *t, int replace) {
  static CASE_ID(_bed) bed, other;
  double expected[TOY_MAX * TOY_MAX];
  uint32_t seen[TOY_MAX * TOY_MAX], i, j, trial, removed = 0;
  const uint32_t x = 5 % (1u << t->n);
  CASE_ID(_chain) *c = &bed.chain;
  int agree = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, 77, (uint64_t)replace);
  CASE_ID(_start)(&bed, t, x);
  CASE_ID(_priv_prepare)(c, t, 1);
  memset(seen, 0, sizeof seen);
  for (i = 0; i < t->n; i++) {
    for (j = 0; j < t->n; j++) {
      const double first = (double)c->weight[i] / (double)c->urn.sums.total;
      const double left = (double)c->urn.sums.total - (replace ? 0 : (double)c->weight[i]);
      expected[i * t->n + j] = i == j && !replace ? 0 : first * (double)c->weight[j] / left;
    }
  }
  for (trial = 0; trial < EXACT_TRIALS; trial++) {
    CASE_ID(_priv_draw)(c, 2, replace, &rng);
    c->y.touched = c->y.flips;
    seen[c->touched[0] * t->n + c->touched[c->y.flips == 2 ? 1 : c->again[0]]]++;
    removed += c->y.removed;
    CASE_ID(_priv_move)(c, t, 0);
    if (!lbp_is_impossible((float)c->y.log_pi)) {
#if CASE_KIND == EXACT_DENSE || CASE_KIND == EXACT_ESTIMATE
      CASE_ID(_priv_deltas)(c, t);
#endif
      CASE_ID(_priv_reweigh)(c, t);
      CASE_ID(_start)(&other, t, CASE_ID(_code)(c));
      CASE_ID(_priv_prepare)(&other.chain, t, 1);
      agree &= exact_alike(c->y.sums.total, other.chain.urn.sums.total);
      agree &= c->y.sums.positive == other.chain.urn.sums.positive;
    }
    CASE_ID(_priv_settle)(c, t, 0);
    agree &= CASE_ID(_code)(c) == x;
  }
  CHECK(agree);
  CHECK(CASE_ID(_consistent)(&bed, t));
#ifdef CASE_NEVER
  CHECK(removed == 0);
#else
  CHECK(replace || removed > 0); /* sites that hold nearly all the weight were taken out */
#endif
  exact_chi2("draw", seen, expected, t->n * t->n, EXACT_TRIALS);
}

/* The law of a uniform draw: all ordered pairs of different sites. */
LBP_FN void CASE_ID(_uniform_law)(const toy *t) {
  static CASE_ID(_bed) bed;
  double expected[TOY_MAX * TOY_MAX];
  uint32_t seen[TOY_MAX * TOY_MAX], i, trial;
  CASE_ID(_chain) *c = &bed.chain;
  lbp_rng rng;
  lbp_rng_init(&rng, 77, 2);
  CASE_ID(_start)(&bed, t, 0);
  memset(seen, 0, sizeof seen);
  for (i = 0; i < t->n * t->n; i++) expected[i] = i % (t->n + 1) == 0 ? 0 : 1.0 / (t->n * (t->n - 1.0));
  for (trial = 0; trial < EXACT_TRIALS; trial++) {
    CASE_ID(_priv_draw_uniform)(c, 2, &rng);
    seen[c->touched[0] * t->n + c->touched[1]]++;
    for (i = 0; i < 2; i++) c->weight[c->touched[i]] = c->before[i];
  }
  exact_chi2("uniform draw", seen, expected, t->n * t->n, EXACT_TRIALS);
}

/* Independent trials: x from the law, then `steps` steps of one sampler (0 LBP, 1 GWG, 2 RWM, 3 Gibbs) or of all in
 * turn (4); the end must follow the law, and for one step of a reversible sampler, (x, y) and (y, x) be equally
 * frequent. */
LBP_FN void CASE_ID(_stationary)(const toy *t, uint32_t R, int sampler, uint32_t steps, uint64_t seed) {
  static CASE_ID(_bed) bed;
  static double law[1 << TOY_MAX];
  static uint32_t seen[1 << TOY_MAX], pairs[32][32];
  const uint32_t states = 1u << t->n;
  CASE_ID(_chain) *c = &bed.chain;
  uint32_t trial, moved = 0;
  int consistent = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, R * 8 + (uint32_t)sampler);
  toy_law(t, law);
  memset(seen, 0, sizeof seen);
  memset(pairs, 0, sizeof pairs);
  for (trial = 0; trial < EXACT_TRIALS; trial++) {
    const uint32_t x = exact_sample(law, lbp_u01(lbp_rng_u64(&rng)));
    uint32_t s;
    CASE_ID(_start)(&bed, t, x);
    for (s = 0; s < steps; s++) {
      CASE_ID(_info) info;
      const int kind = sampler < 4 ? sampler : (int)(s % 4);
      const uint32_t r = sampler < 4 ? R : 1 + (uint32_t)(lbp_rng_u64(&rng) % (t->n + 1));
      if (kind == 0) {
        info = CASE_ID(_lbp_step)(c, t, r, &rng);
      } else if (kind == 1) {
        info = CASE_ID(_gwg_step)(c, t, r, &rng);
      } else if (kind == 2) {
        info = CASE_ID(_rwm_step)(c, t, r, &rng);
      } else {
        info = CASE_ID(_gibbs_sweep)(c, t, &rng);
      }
      moved += info.jump > 0;
      if (trial % 64 == 0) consistent &= CASE_ID(_consistent)(&bed, t);
    }
    seen[CASE_ID(_code)(c)]++;
    if (states <= 32) pairs[x][CASE_ID(_code)(c)]++;
  }
  CHECK(consistent);
  CHECK(moved > 0 || exact_is_stuck(t, R));
  exact_chi2("stationary", seen, law, states, EXACT_TRIALS);
  if (states <= 32 && steps == 1 && sampler < 3) exact_symmetric(pairs, law, states);
}

#if CASE_KIND == EXACT_ESTIMATE
/* Many chains at once do what each does alone. */
LBP_FN void CASE_ID(_many)(const toy *t) {
  enum { CHAINS = 2 * LBP_MANY + 3 };
  static CASE_ID(_bed) bed[CHAINS], alone[CHAINS];
  static CASE_ID(_chain) *chain[CHAINS];
  static CASE_ID(_info) info[CHAINS];
  static lbp_rng rng[CHAINS], rng_alone[CHAINS], *generator[CHAINS];
  static uint32_t R[CHAINS];
  uint32_t k, step, moved = 0;
  int same = 1;
  for (k = 0; k < CHAINS; k++) {
    lbp_rng_init(&rng[k], 91, k);
    rng_alone[k] = rng[k];
    generator[k] = &rng[k];
    chain[k] = &bed[k].chain;
    CASE_ID(_start)(&bed[k], t, k % (1u << t->n));
    CASE_ID(_start)(&alone[k], t, k % (1u << t->n));
  }
  for (step = 0; step < 50; step++) {
    for (k = 0; k < CHAINS; k++) R[k] = (k + step) % (t->n + 2);
    CASE_ID(_lbp_steps)(chain, t, R, generator, CHAINS, info);
    for (k = 0; k < CHAINS; k++) {
      const CASE_ID(_info) want = CASE_ID(_lbp_step)(&alone[k].chain, t, R[k], &rng_alone[k]);
      same &= CASE_ID(_code)(&bed[k].chain) == CASE_ID(_code)(&alone[k].chain) && info[k].jump == want.jump;
      same &= memcmp(&info[k].accept, &want.accept, sizeof want.accept) == 0;
      same &= info[k].proposed == want.proposed && info[k].evaluations == want.evaluations;
      same &= info[k].sites == bed[k].chain.touched;
      moved += want.accepted;
    }
    if (step == 20) CASE_ID(_touch)(chain[7]); /* one chain's weights are made anew, the others' kept */
  }
  for (k = 0; k < CHAINS; k += 40) CHECK(CASE_ID(_consistent)(&bed[k], t));
  CHECK(same && moved > 100);
}
#endif

#if CASE_KIND == EXACT_PRODUCT
#define CASE_TOY toy_product
#else
#define CASE_TOY toy_make
#endif
LBP_FN void CASE_ID(_test_all)(void) {
#ifdef CASE_N
  const uint32_t smallest = CASE_N, largest = CASE_N;
#else
  const uint32_t smallest = 3, largest = 8;
#endif
  uint32_t n, R;
  int sampler;
  for (n = smallest; n <= largest; n += 5) {
    const toy t = CASE_TOY(n, 0.75, 0, 11), sharp = CASE_TOY(n, 3.0, 0, 15);
    for (sampler = 0; sampler < 3; sampler++) {
      for (R = 1; R <= n; R++) {
        CASE_ID(_stationary)(&t, R, sampler, 1, 1000 + n);
        if (R % 2) CASE_ID(_stationary)(&sharp, R, sampler, 1, 2000 + n);
        if (n > 5 && R == 3) break;
      }
    }
    CASE_ID(_stationary)(&t, 1, 3, 1, 3000 + n);
    CASE_ID(_stationary)(&t, 1, 4, 8, 4000 + n);
    CASE_ID(_stationary)(&sharp, 1, 4, 8, 5000 + n);
#if CASE_KIND == EXACT_ESTIMATE
    CASE_ID(_many)(&t);
#endif
#if CASE_KIND == EXACT_LOCAL || CASE_KIND == EXACT_LISTED || CASE_KIND == EXACT_DENSE
    {
      const toy hard = CASE_TOY(n, 0.75, 1, 13);
      for (R = 1; R <= 3; R++) {
        for (sampler = 0; sampler < 4; sampler++) CASE_ID(_stationary)(&hard, R, sampler, 1, 6000 + n);
      }
      CASE_ID(_stationary)(&hard, 1, 4, 8, 7000 + n);
    }
#endif
  }
#if !defined CASE_N || CASE_N <= 5
  n = largest <= 5 ? largest : 5;
  for (R = 1; R <= n; R++) {
    const toy t = CASE_TOY(n, 0.75, 0, 21), sharp = CASE_TOY(n, 6.0, 0, 22), hard = CASE_TOY(n, 0.75, 1, 23);
    if (R == 1) {
      CASE_ID(_single_flips)(&t);
      CASE_ID(_single_flips)(&sharp);
      if (CASE_KIND == EXACT_LOCAL || CASE_KIND == EXACT_LISTED) CASE_ID(_single_flips)(&hard);
    }
    for (sampler = 0; sampler < 2; sampler++) {
      CASE_ID(_detailed_balance)(&t, R, sampler);
      CASE_ID(_detailed_balance)(&sharp, R, sampler);
      if (CASE_KIND != EXACT_PRODUCT && CASE_KIND != EXACT_ESTIMATE && sampler == 0) CASE_ID(_detailed_balance)(&hard, R, sampler);
    }
  }
  {
    toy t = CASE_TOY(n, 1.0, 0, 31);
    for (R = 0; R < n; R++) t.field[R] += 5 >> R & 1 ? 5 : -5;
    t.field[0] -= 13; /* at x = 5 all sites rest but site 0, which has nearly all the weight */
    CASE_ID(_uniform_law)(&t);
    CASE_ID(_draw_law)(&t, 0);
    CASE_ID(_draw_law)(&t, 1);
  }
#endif
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_REAL
#undef CASE_WEIGHT
#undef CASE_KIND
#undef CASE_FIELDS
#undef CASE_NEVER
#undef CASE_DELTAS
#undef CASE_N
#undef CASE_SORT_ABOVE
#undef CASE_TOY
