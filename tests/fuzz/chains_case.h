/* Template: one instance of lbp.h for chains.c, and a run of it that the input directs. Parameters: those of lbp.h but
 * for LBP_NAME, LBP_MODEL_T, LBP_REAL; CASE (the prefix), CASE_REAL, CASE_RNG, CASE_SEED (starts such a generator);
 * CASE_RATIO(m, x, i), the log-ratio behind a weight; CASE_INIT(c, n, x, ws, len); CASE_BY_LOGP and CASE_PRODUCT, which
 * say how log pi(y) - log pi(x) is found. */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)
#define CASE_MODEL        chains_model

#define LBP_NAME    CASE
#define LBP_MODEL_T CASE_MODEL
#define LBP_REAL    CASE_REAL
#if defined LBP_DELTAS && !defined LBP_DELTA && !defined LBP_LOGP
#define CASE_KEEPS 1 /* sweeps keep log-ratios until a flip */
#else
#define CASE_KEEPS 0
#endif
#include "../../lbp.h"

#include "../cases/chain_case.h"

/* The acceptance probability of the step just made from x, by the formulas, and how far rounding may be off. */
LBP_FN double CASE_ID(_acceptance)(const CASE_ID(_chain) *c, const CASE_MODEL *m, const uint8_t *x, int sampler,
                                   const CASE_ID(_info) *info, double *slack) {
  const int replace = sampler == API_GWG || sampler == API_AGWG, uniform = sampler == API_RWM || sampler == API_ARWM;
  const uint32_t *site = info->sites, count = info->proposed, draws = c->y.draws;
  const double epsilon = sizeof(CASE_REAL) == sizeof(float) ? 2e-6 : 1e-12;
  double w[CHAINS_MOST], back[CHAINS_MOST], total = 0, total_back = 0, size = 0, sum = 0;
  uint32_t positive_back = 0, i, k;
  uint8_t y[CHAINS_MOST];
  CASE_REAL log_pi = 0;
  memcpy(y, x, m->n);
  for (k = 0; k < count; k++) { /* the way, in the order that the step went */
    const uint32_t at = site[replace && (c->y.word & 1) ? count - 1 - k : k];
    const CASE_REAL d = (CASE_REAL)chains_delta(m, y, at);
    if (!CASE_PRODUCT) log_pi += d;
    size += fabs((double)d);
    y[at] ^= 1u;
  }
  if (CASE_PRODUCT) {
    for (k = 0; k < count; k++) log_pi -= (CASE_REAL)chains_delta(m, y, site[k]);
  }
  if (CASE_BY_LOGP) {
    const CASE_REAL here = (CASE_REAL)chains_logp(m, x), there = (CASE_REAL)chains_logp(m, y);
    log_pi = there - here;
    size = fabs((double)here) + fabs((double)there);
  }
  *slack = 0;
  if (lbp_is_nan((double)log_pi) || (double)log_pi < -3.4e38) return 0;
  if (!lbp_is_finite((double)log_pi)) return 1;
  *slack = lbp_is_finite(size) ? epsilon * (10 + draws + size) : 1;
  if (uniform) return exp(fmin(0, (double)log_pi));
  for (i = 0; i < m->n; i++) {
    w[i] = CASE_ID(_priv_weight)((CASE_REAL)CASE_RATIO(m, x, i));
    back[i] = CASE_ID(_priv_weight)((CASE_REAL)CASE_RATIO(m, y, i));
    total += w[i];
    total_back += back[i];
    positive_back += back[i] > 0;
  }
  for (k = 0; k < count; k++) {
    if (!(back[site[k]] > 0)) return 0;
  }
  if (replace) {
    for (k = 0; k < draws; k++) {
      const uint32_t drawn = site[k < count ? k : c->again[k - count]];
      sum += log(back[drawn] / total_back) - log(w[drawn] / total);
    }
  } else {
    if (count != draws && count != positive_back) return 0;
    for (k = 0; k < count; k++) total_back -= back[site[k]]; /* whole numbers below 2^53: exact */
    for (k = 0; k < count; k++) {
      total_back += back[site[k]];
      sum += log(back[site[k]] / total_back) - log(w[site[k]] / total);
      total -= w[site[k]];
    }
  }
  return exp(fmin(0, (double)log_pi + sum));
}

/* One step: its info, what it did to x, its acceptance probability, and what the chain keeps. */
LBP_FN void CASE_ID(_try)(CASE_ID(_chain) *c, const CASE_MODEL *m, int sampler, uint32_t R, CASE_ID(_tuner) *tuner,
                          CASE_RNG *rng) {
  uint8_t before[CHAINS_MOST];
  CASE_ID(_info) info;
  double want, slack, accept;
  uint32_t i;
  memcpy(before, c->x, m->n);
  FUZZ_CHECK(CASE_ID(_honest)(c, m, sampler, R, tuner, rng, &info));
  accept = (double)info.accept;
  FUZZ_CHECK(info.accepted ? accept > 0 : accept < 1);
  if (c->weights_ready) {
    FUZZ_CHECK(CASE_ID(_kept)(c));
    for (i = 0; i < m->n; i++) {
      const double weight = CASE_ID(_priv_weight)((CASE_REAL)CASE_RATIO(m, c->x, i));
      FUZZ_CHECK(fabs(c->weight[i] - weight) <= API_ROUNDING * weight);
    }
  }
  if (sampler == API_GIBBS) {
    FUZZ_CHECK(info.accepted && (CASE_KEEPS ? info.evaluations <= info.jump + 1 : info.evaluations >= m->n));
    return;
  }
  if (sampler == API_LBP || sampler == API_GWG || sampler == API_RWM) FUZZ_CHECK(info.proposed <= R);
  if (info.proposed == 0) {
    FUZZ_CHECK(!info.accepted);
    return;
  }
  if (sampler != API_RWM && sampler != API_ARWM) {
    FUZZ_CHECK(info.accepted == (lbp_u01(c->y.word) < accept) || fabs(lbp_u01(c->y.word) - accept) < 1e-15);
  }
  want = CASE_ID(_acceptance)(c, m, before, sampler, &info, &slack);
  FUZZ_CHECK(fabs(accept - want) <= slack || slack > 0.05);
}

/* The tuner, with any numbers: what it may answer, and where R stays. */
LBP_FN void CASE_ID(_tune)(CASE_ID(_tuner) *t, uint32_t what, CASE_RNG *rng) {
  const CASE_REAL a = (CASE_REAL)fuzz_double();
  if (what == 0) {
    const uint32_t sites = (uint32_t)fuzz_word(fuzz_below(5)), warmup = (uint32_t)fuzz_word(fuzz_below(5));
    const int sized = sites >= 1 && sites <= LBP_MAX_SITES;
    CASE_ID(_tuner) fresh;
    const int status = CASE_ID(_tuner_init)(&fresh, sites, warmup, a);
    FUZZ_CHECK(status == (!sized ? LBP_E_SIZE : a > 0 && a < 1 ? LBP_OK : LBP_E_RANGE));
    if (status == LBP_OK) *t = fresh;
  } else if (what == 1) {
    const CASE_REAL b = (CASE_REAL)fuzz_double(), d = (CASE_REAL)fuzz_double(), e = (CASE_REAL)fuzz_double();
    const int status = CASE_ID(_tuner_cost)(t, a, b, d, e);
    FUZZ_CHECK(status == LBP_OK || status == LBP_E_RANGE);
    FUZZ_CHECK((status == LBP_OK) == (a > 0 && a < d && b > 0 && b <= e && lbp_is_finite((double)d) &&
                                      lbp_is_finite((double)e)));
  } else if (what == 2) {
    uint32_t times = fuzz_byte();
    do CASE_ID(_tuner_update)(t, a);
    while (times-- > 0);
  } else {
    const uint32_t r = CASE_ID(_random_r)(a, rng);
    const double most = sizeof(CASE_REAL) == sizeof(float) ? 4194304 : LBP_MAX_SITES, least = a > 1 ? (double)a : 1;
    FUZZ_CHECK(r >= 1);
    FUZZ_CHECK(fabs(r - (least < most ? least : most)) <= 2);
  }
  FUZZ_CHECK(t->r >= 1 && t->r <= t->largest && t->site_cost >= 0);
  what = CASE_ID(_tuner_draw)(t, rng);
  FUZZ_CHECK(what >= (uint32_t)t->r && what - (uint32_t)t->r <= 1);
}

/* What is refused, and why. */
LBP_FN void CASE_ID(_refuse)(uint32_t n, uint8_t *x, uint64_t *ws, size_t len) {
  CASE_ID(_chain) c;
  x[n - 1] = (uint8_t)fuzz_byte();
  FUZZ_CHECK(CASE_INIT(&c, n, x, ws, len) == (x[n - 1] > 1 ? LBP_E_STATE : LBP_OK));
  x[n - 1] &= 1u;
#ifdef CASE_FIXED
  (void)ws, (void)len;
#else
  FUZZ_CHECK(CASE_INIT(&c, n, x, ws, len - 1) == LBP_E_WORKSPACE);
  FUZZ_CHECK(CASE_INIT(&c, 0, x, ws, len) == LBP_E_SIZE);
  FUZZ_CHECK(CASE_INIT(&c, LBP_MAX_SITES + 1, x, ws, len) == LBP_E_SIZE);
  FUZZ_CHECK(CASE_INIT(&c, n, NULL, ws, len) == LBP_E_NULL);
  FUZZ_CHECK(CASE_INIT(&c, n, x, NULL, len) == LBP_E_NULL);
#endif
}

LBP_FN void CASE_ID(_run)(chains_model *m) {
#ifdef CASE_FIXED
  const size_t len = 1;
#else
  const size_t len = CASE_ID(_ws_len)(m->n);
#endif
  uint64_t *ws = (uint64_t *)malloc(len * sizeof *ws);
  uint8_t *x = (uint8_t *)calloc(m->n, 1);
  CASE_ID(_chain) c;
  CASE_ID(_tuner) tuner;
  CASE_RNG rng;
  uint32_t left = CHAINS_OPERATIONS, start, i;
  FUZZ_CHECK(ws && x);
  CASE_SEED(&rng, fuzz_byte());
  CASE_ID(_refuse)(m->n, x, ws, len);
  start = fuzz_byte();
  for (i = 0; i < m->n; i++) x[i] = (uint8_t)(start >> i % 8 & 1);
  FUZZ_CHECK(CASE_INIT(&c, m->n, x, ws, len) == LBP_OK);
  FUZZ_CHECK(CASE_ID(_tuner_init)(&tuner, m->n, 1 + fuzz_below(60), (CASE_REAL)0.5) == LBP_OK);
  while (fuzz_left > 0 && left-- > 0) {
    const uint32_t what = fuzz_below(16);
    if (what < API_SAMPLERS || what > 13) {
      const uint32_t kind = fuzz_byte(), R = kind < 250 ? kind % (m->n + 2) : kind < 253 ? m->n : UINT32_MAX;
      CASE_ID(_try)(&c, m, (int)(what % API_SAMPLERS), R, &tuner, &rng);
    } else if (what == 7) {
      for (i = 1 + fuzz_below(4); i > 0; i--) c.x[fuzz_below(m->n)] ^= 1u;
      CASE_ID(_touch)(&c);
    } else if (what == 8) {
      chains_change(m);
      CASE_ID(_touch)(&c);
    } else if (what == 9 && m->n <= 24) {
      uint8_t before[CHAINS_MOST];
      CASE_ID(_report) report;
      memcpy(before, c.x, m->n);
      report = CASE_ID(_check)(&c, m, 1, &rng);
      FUZZ_CHECK(memcmp(before, c.x, m->n) == 0);
      FUZZ_CHECK(!m->sound || report.status == LBP_OK);
      FUZZ_CHECK(strcmp(lbp_error(report.status), "unknown status") != 0);
    } else if (what == 10) {
#ifdef CASE_FIXED /* such a chain may be copied */
      CASE_ID(_chain) copy;
      memcpy(&copy, &c, sizeof c);
      memset(&c, 0xa5, sizeof c);
      c = copy;
#else
      FUZZ_CHECK(CASE_INIT(&c, m->n, x, ws, len) == LBP_OK);
#endif
    } else {
      CASE_ID(_tune)(&tuner, what % 4, &rng);
    }
  }
  if (c.weights_ready) FUZZ_CHECK(CASE_ID(_fresh)(&c, m));
  free(x);
  free(ws);
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE_MODEL
#undef CASE
#undef CASE_REAL
#undef CASE_RNG
#undef CASE_SEED
#undef CASE_RATIO
#undef CASE_INIT
#undef CASE_BY_LOGP
#undef CASE_KEEPS
#undef CASE_PRODUCT
#undef CASE_FIXED
