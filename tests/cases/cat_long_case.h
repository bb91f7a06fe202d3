/* Template: many sites, on both sides of all blocks. Each public step again in doubles, from weights that chains made
 * at its two ends have; what is kept against the same from scratch; of a product the law. Parameters: CASE (a prefix),
 * CASE_REAL, CASE_WEIGHT, CASE_KIND (CAT_LOCAL, CAT_PRODUCT, CAT_DENSE, CAT_ESTIMATE), CASE_K, CASE_SORT_ABOVE. */
#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#if CASE_KIND == CAT_LOCAL || CASE_KIND == CAT_PRODUCT
LBP_FN void CASE_ID(_of)(const cat_ring *t, const uint8_t *x, uint32_t i, CASE_REAL *out) {
  uint32_t v;
  for (v = 0; v < cat_ring_states(t, i); v++) out[v] = (CASE_REAL)cat_ring_ratio(t, x, i, v);
}
#else
LBP_FN void CASE_ID(_dense)(const cat_ring *t, const uint8_t *x, CASE_REAL *out) {
  uint32_t i, v;
  for (i = 0; i < t->n; i++) {
    for (v = 0; v < cat_ring_states(t, i); v++) {
      out[i * CASE_K + v] = (CASE_REAL)((CASE_KIND == CAT_DENSE ? 1 : 0.75) * cat_ring_ratio(t, x, i, v));
    }
  }
}
#endif

LBP_FN CASE_REAL CASE_ID(_log_pi)(const cat_ring *t, const uint8_t *x) { return (CASE_REAL)cat_ring_logp(t, x); }

#define LBP_NAME          CASE
#define LBP_MODEL_T       cat_ring
#define LBP_REAL          CASE_REAL
#define LBP_WEIGHT        CASE_WEIGHT
#define LBP_CAT_STATES    CASE_K
#define LBP_CAT_STATES_OF cat_ring_states
#if CASE_KIND == CAT_LOCAL || CASE_KIND == CAT_PRODUCT
#define LBP_CAT_DELTAS_OF  CASE_ID(_of)
#define LBP_NEIGHBOURS     cat_ring_neighbours
#define LBP_MAX_NEIGHBOURS (CASE_KIND == CAT_PRODUCT ? 0 : 2)
#else
#define LBP_DELTAS CASE_ID(_dense)
#endif
#if CASE_KIND == CAT_ESTIMATE
#define LBP_LOGP CASE_ID(_log_pi)
#endif
#ifdef CASE_SORT_ABOVE
#define LBP_SORT_ABOVE CASE_SORT_ABOVE
#endif
#include "../../lbp.h"

#define CASE_FLOAT (sizeof(CASE_REAL) == sizeof(float))

typedef struct {
  CASE_ID(_chain) chain;
  uint64_t ws[CAT_LONG_ROOM];
  uint8_t x[CAT_LONG];
} CASE_ID(_bed);

LBP_FN void CASE_ID(_start)(CASE_ID(_bed) *bed, const cat_ring *t, const uint8_t *x) {
  const size_t length = CASE_ID(_ws_len)(t->n);
  if (length >= CAT_LONG_ROOM) CHECK(length < CAT_LONG_ROOM);
  memcpy(bed->x, x, t->n);
  bed->ws[length] = 0x5a5a5a5a5a5a5a5au;
  if (CASE_ID(_init)(&bed->chain, t->n, bed->x, bed->ws, length) != LBP_OK) CHECK(0);
  CASE_ID(_priv_prepare)(&bed->chain, t, 1);
}

#include "cat_one.h"

/* The weight of taking site i from where it is to v, of a chain that was made there. */
LBP_FN double CASE_ID(_move)(CASE_ID(_chain) *c, const cat_ring *t, uint32_t i, uint32_t v) {
  CASE_REAL d[CASE_K];
  uint32_t w[CASE_K], total[1];
  CASE_ID(_priv_row)(c, t, i, d);
  CASE_ID(_weigh_one)(d, c->x[i], 0, 0, w, total);
  if (v == CASE_K) return (double)total[0];
  return (double)w[v];
}

/* log of the acceptance ratio of the step that `moved` has just taken, or refused, from x to y. */
LBP_FN double CASE_ID(_log_ratio)(const CASE_ID(_chain) *moved, CASE_ID(_chain) *x, CASE_ID(_chain) *y,
                                  const cat_ring *t, int sampler, double sigma) {
  double sum = cat_ring_logp(t, y->x) - cat_ring_logp(t, x->x), left = (double)x->urn.sums.total;
  double left_back = (double)y->urn.sums.total;
  const uint32_t flips = moved->y.flips;
  uint32_t k, i;
  if (sampler == CAT_DLP) {
    CASE_REAL d[CASE_K];
    uint32_t w[CASE_K], total[1];
    const float cost = 0.5f / (float)sigma;
    for (i = 0; i < t->n; i++) {
      CASE_ID(_priv_row)(x, t, i, d);
      CASE_ID(_weigh_one)(d, x->x[i], 1, cost, w, total);
      sum -= log((double)w[y->x[i]] / total[0]);
      CASE_ID(_priv_row)(y, t, i, d);
      CASE_ID(_weigh_one)(d, y->x[i], 1, cost, w, total);
      sum += log((double)w[x->x[i]] / total[0]);
    }
    return sum;
  }
  if (sampler == CAT_RWM) return sum;
  for (k = 0; k < flips; k++) {
    i = moved->touched[k];
    sum += log(CASE_ID(_move)(y, t, i, x->x[i]) / CASE_ID(_move)(x, t, i, y->x[i]));
    if (sampler == CAT_LBP) left_back -= y->weight[i];
    else sum += log((double)x->weight[i] / y->weight[i]);
  }
  for (k = 0; k < flips && sampler == CAT_LBP; k++) {
    i = moved->touched[k];
    left_back += y->weight[i];
    sum += log(left / left_back);
    left -= x->weight[i];
  }
  for (k = 0; k < moved->y.draws && sampler == CAT_GWG; k++) {
    i = moved->touched[k < flips ? k : moved->again[k - flips]];
    sum += log(y->weight[i] / left_back) - log(x->weight[i] / left);
  }
  return sum;
}

/* Steps of all kinds on n sites. */
LBP_FN void CASE_ID(_test)(uint32_t n, uint32_t steps) {
  static CASE_ID(_bed) bed, there, back;
  CASE_ID(_chain) *c = &bed.chain;
  uint8_t x[CAT_LONG], y[CAT_LONG];
  const cat_ring t = cat_ring_make(n, CASE_K, CASE_KIND == CAT_PRODUCT);
  const uint32_t few[6] = {1, 2, 51, 52, 64, 65};
  uint32_t step, i, k, moved = 0, accepted = 0;
  uint64_t stored;
  int ratios = 1, jumps = 1, kept = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, 31, n);
  for (i = 0; i < n; i++) x[i] = (uint8_t)(lbp_rng_u64(&rng) % cat_ring_states(&t, i));
  CASE_ID(_start)(&bed, &t, x);
  for (step = 0; step < steps; step++) {
    const int sampler = step % 8 < 6 ? (int)(step % 4) : step % 8 == 6 ? CAT_GIBBS : CAT_METROPOLIS;
    const uint32_t R = step % 3 ? few[lbp_rng_u64(&rng) % 6] : n;
    const double sigma = (double)(0.15f + 0.1f * (float)(step % 3));
    CASE_ID(_info) info;
    memcpy(x, bed.x, n);
    if (sampler == CAT_LBP) info = CASE_ID(_lbp_step)(c, &t, R, &rng);
    else if (sampler == CAT_GWG) info = CASE_ID(_gwg_step)(c, &t, R, &rng);
    else if (sampler == CAT_RWM) info = CASE_ID(_rwm_step)(c, &t, R % 4 + 1, &rng);
    else if (sampler == CAT_DLP) info = CASE_ID(_dlp_step)(c, &t, (CASE_REAL)sigma, &rng);
    else if (sampler == CAT_GIBBS) info = CASE_ID(_gibbs_sweep)(c, &t, &rng);
    else info = CASE_ID(_metropolis_sweep)(c, &t, &rng);
    for (i = 0, k = 0; i < n; i++) k += bed.x[i] != x[i];
    jumps &= k == info.jump && (!info.accepted || info.jump == info.proposed);
    for (i = 0; i < info.jump; i++) jumps &= bed.x[info.sites[i]] != x[info.sites[i]];
    for (i = 0; i < n; i++) jumps &= bed.x[i] < cat_ring_states(&t, i);
    moved += info.jump;
    accepted += info.accepted;
    if (sampler < CAT_ALBP && info.proposed > 0) {
      double want;
      for (i = 0; i < n; i++) y[i] = x[i];
      for (k = 0; k < info.proposed; k++) {
        i = c->touched[k];
        y[i] = info.accepted ? bed.x[i] : c->other[i];
        jumps &= y[i] != x[i] && y[i] < cat_ring_states(&t, i);
      }
      CASE_ID(_start)(&there, &t, x);
      CASE_ID(_start)(&back, &t, y);
      want = exp(fmin(0, CASE_ID(_log_ratio)(c, &there.chain, &back.chain, &t, sampler, sigma)));
      ratios &= fabs((double)info.accept - want) <= (CASE_FLOAT || !TEST_ALIKE ? 1e-3 * want + 1e-30 : 1e-7 * want + 1e-100);
    }
    if (c->weights_ready != 1) CASE_ID(_priv_prepare)(c, &t, 1);
    CASE_ID(_start)(&there, &t, bed.x);
    for (i = 0, stored = 0; i < n; i++) {
      kept &= test_same_weight(c->weight[i], there.chain.weight[i]);
      stored += c->weight[i];
    }
    kept &= c->urn.sums.total == stored && c->urn.sums.positive == there.chain.urn.sums.positive;
  }
  CHECK(ratios);
  CHECK(jumps);
  CHECK(kept);
  CHECK((moved > 0 && accepted > 0) || n == 1);
  CHECK(bed.ws[CASE_ID(_ws_len)(n)] == 0x5a5a5a5a5a5a5a5au);
}

#if CASE_KIND == CAT_PRODUCT
/* Independent trials: a state from the law, then some steps; the sites' values must follow the law again. */
LBP_FN void CASE_ID(_marginals)(uint32_t n, uint32_t trials) {
  static CASE_ID(_bed) bed;
  static uint32_t seen[CAT_LONG][CASE_K];
  const cat_ring t = cat_ring_make(n, CASE_K, 1);
  chi2_sums sums = chi2_begin();
  double law[CASE_K];
  uint32_t trial, i;
  uint8_t x[CAT_LONG];
  lbp_rng rng;
  lbp_rng_init(&rng, 32, n);
  memset(seen, 0, sizeof seen);
  for (trial = 0; trial < trials; trial++) {
    for (i = 0; i < n; i++) {
      cat_ring_law(&t, i, law);
      x[i] = (uint8_t)cat_sample(law, cat_ring_states(&t, i), lbp_u01(lbp_rng_u64(&rng)));
    }
    CASE_ID(_start)(&bed, &t, x);
    CASE_ID(_lbp_step)(&bed.chain, &t, n / 2 + 1, &rng);
    CASE_ID(_gwg_step)(&bed.chain, &t, 20, &rng);
    CASE_ID(_dlp_step)(&bed.chain, &t, (CASE_REAL)0.2, &rng);
    for (i = 0; i < n; i++) seen[i][bed.x[i]]++;
  }
  for (i = 0; i < n; i++) {
    cat_ring_law(&t, i, law);
    chi2_row(&sums, seen[i], law, cat_ring_states(&t, i), trials, 0);
  }
  CHECK(chi2_end(&sums) > CHI2_LEVEL);
}
#endif

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_REAL
#undef CASE_WEIGHT
#undef CASE_KIND
#undef CASE_K
#undef CASE_SORT_ABOVE
#undef CASE_FLOAT
