/* Two instances of test_terms.c, of one model by terms and by log-ratios, and their comparison. Parameters: CASE,
 * CASE_REAL; optional CASE_CAT (categorical sites), CASE_N (n fixed), CASE_WEIGHT, CASE_ARITY (LBP_TERM_MAX, else
 * WEB_ARITY), CASE_FEW (without clocks, paths and other sweeps), CASE_GROUPED (all sites are one group, moved by
 * swaps). */
#define CASE_2(name, suffix) name##_##suffix
#define CASE_1(name, suffix) CASE_2(name, suffix)
#define CASE_T(suffix)       CASE_1(CASE_1(CASE, terms), suffix)
#define CASE_D(suffix)       CASE_1(CASE_1(CASE, delta), suffix)
#define CASE_(suffix)        CASE_1(CASE, suffix)
#ifndef CASE_ARITY
#define CASE_ARITY WEB_ARITY
#endif

#define CASE_TERMS 1
#include "terms_instance.h"
#undef CASE_TERMS
#define CASE_TERMS 0
#include "terms_instance.h"
#undef CASE_TERMS

#ifndef CASE_N
static uint32_t CASE_(words)[LBP_TERMS_LEN(WEB_SITES, WEB_ARITY, WEB_TERMS)];
static uint64_t CASE_(ws)[2][40 * WEB_SITES];
static uint8_t CASE_(x)[2][WEB_SITES];
#endif
static CASE_T(terms) CASE_(index);
static CASE_T(chain) CASE_(t);
static CASE_D(chain) CASE_(d);

/* Both chains in the state x. */
LBP_FN void CASE_(begin)(const web *m, const uint8_t *x) {
#ifdef CASE_N
  CHECK(CASE_T(terms_init)(&CASE_(index), m) == LBP_OK);
  CHECK(CASE_T(init)(&CASE_(t), x, &CASE_(index)) == LBP_OK && CASE_D(init)(&CASE_(d), x) == LBP_OK);
#else
  const size_t len = CASE_T(terms_len)(m, m->n), room = sizeof CASE_(ws)[0] / sizeof CASE_(ws)[0][0];
  CHECK(len <= sizeof CASE_(words) / sizeof CASE_(words)[0]);
  CHECK(CASE_T(terms_init)(&CASE_(index), m, m->n, CASE_(words), len) == LBP_OK);
  memcpy(CASE_(x)[0], x, m->n);
  memcpy(CASE_(x)[1], x, m->n);
  CHECK(CASE_T(init)(&CASE_(t), m->n, CASE_(x)[0], &CASE_(index), CASE_(ws)[0], room) == LBP_OK);
  CHECK(CASE_D(init)(&CASE_(d), m->n, CASE_(x)[1], CASE_(ws)[1], room) == LBP_OK);
#endif
}

/* ---- what the model says of each state --------------------------------------------------------------------------- */

LBP_FN void CASE_(compare)(const web *m) {
  uint32_t list[WEB_TERMS * WEB_ARITY], want[WEB_TERMS * WEB_ARITY], code, i, wrong = 0, logs = 0, lists = 0;
  uint8_t x[WEB_SITES];
  web_state(m, 0, x);
  CASE_(begin)(m, x);
  for (code = 0; web_state(m, code, CASE_(t).x); code++) {
    const double here = web_logp(m, CASE_(t).x), told = (double)CASE_T(priv_logp)(&CASE_(t), m);
    logs += !(here == told);
    for (i = 0; i < m->n; i++) {
#ifdef CASE_CAT
      CASE_REAL d[WEB_VALUES];
      uint32_t v;
      CASE_T(priv_row)(&CASE_(t), m, i, d);
      for (v = 0; v < m->K[i]; v++) {
        const double move = v == CASE_(t).x[i] ? 0 : web_move(m, CASE_(t).x, i, v);
        wrong += !((double)d[v] == move);
        CASE_(t).other[i] = (uint8_t)v;
        if (v != CASE_(t).x[i]) wrong += !((double)CASE_T(priv_delta)(&CASE_(t), m, i) == move);
      }
#else
      wrong += !((double)CASE_T(priv_delta)(&CASE_(t), m, i) == web_delta(m, CASE_(t).x, i));
#endif
    }
  }
  CHECK(code > 0 && wrong == 0);
  CHECK(logs == 0);
  for (i = 0; i < m->n; i++) {
    const uint32_t count = CASE_T(priv_call_neighbours)(&CASE_(t), m, i, list);
    lists += count != web_neighbours(m, i, want) || memcmp(list, want, count * sizeof *list) != 0;
  }
  CHECK(lists == 0);
}

/* NAME_check finds nothing, from a possible state. */
LBP_FN void CASE_(approve)(const web *m, uint64_t seed) {
  uint8_t x[WEB_SITES];
  lbp_rng rng;
  int status;
  lbp_rng_init(&rng, seed, 1);
  web_state(m, 0, x);
  CASE_(begin)(m, x);
  status = CASE_T(check)(&CASE_(t), m, 4, &rng).status;
  if (status != LBP_OK) printf("%s\n", lbp_error(status));
  CHECK(status == LBP_OK);
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* Steps of all kinds in turn draw the same to the bit, at this temperature, with site 1 clamped or none. */
LBP_FN void CASE_(draw_alike)(const web *m, double beta, int clamp, uint64_t seed) {
  static const uint8_t mask[WEB_SITES] = {0, 1};
  uint32_t step, apart = 0;
  uint8_t x[WEB_SITES];
  lbp_rng rng[2], any;
  web_state(m, 0, x);
  CASE_(begin)(m, x);
  lbp_rng_init(&any, seed, 2);
  lbp_rng_init(&rng[0], seed, 3);
  rng[1] = rng[0];
  CHECK(CASE_T(temper)(&CASE_(t), (CASE_REAL)beta) == LBP_OK && CASE_D(temper)(&CASE_(d), (CASE_REAL)beta) == LBP_OK);
  if (clamp && m->n > 1) {
    CHECK(CASE_T(clamp)(&CASE_(t), mask) == LBP_OK && CASE_D(clamp)(&CASE_(d), mask) == LBP_OK);
  }
  for (step = 0; step < TERMS_STEPS; step++) {
    const uint32_t kind = web_below(&any, TERMS_KINDS), R = 1 + web_below(&any, m->n);
    const terms_told t = CASE_T(go)(&CASE_(t), m, kind, R, &rng[0]), d = CASE_D(go)(&CASE_(d), m, kind, R, &rng[1]);
    apart += t.accepted != d.accepted || t.jump != d.jump || t.evaluations != d.evaluations;
    apart += !(t.log_ratio == d.log_ratio) || memcmp(CASE_(t).x, CASE_(d).x, m->n) != 0;
    terms_moved += t.jump;
  }
  CHECK_ALIKE(apart == 0);
}

/* The law after a step of each kind from a state that has the law, by a chi-squared test. */
LBP_FN void CASE_(keep_law)(const web *m, double beta, uint64_t seed) {
  static double law[WEB_STATES];
  static uint32_t seen[WEB_STATES];
  uint32_t codes = 0, code, kind, trial;
  double sum = 0;
  uint8_t x[WEB_SITES];
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 4);
  for (codes = 0; web_state(m, codes, x); codes++) {
    const double logp = web_logp(m, x);
    sum += law[codes] = logp < -1e300 ? 0 : exp(beta * logp);
  }
  for (code = 0; code < codes; code++) law[code] /= sum;
  web_state(m, 0, x);
  CASE_(begin)(m, x);
  CASE_T(temper)(&CASE_(t), (CASE_REAL)beta);
  for (kind = 0; kind < TERMS_KINDS; kind++) {
    memset(seen, 0, sizeof seen);
    for (trial = 0; trial < TERMS_TRIALS; trial++) {
      double u = lbp_u01(lbp_rng_u64(&rng));
      for (code = 0; code + 1 < codes && u >= law[code]; code++) u -= law[code];
      web_state(m, code, CASE_(t).x);
      CASE_T(touch)(&CASE_(t));
      CASE_T(go)(&CASE_(t), m, kind, 1 + web_below(&rng, m->n), &rng);
      seen[web_code(m, CASE_(t).x)]++;
    }
    CHECK(chi2_counts(seen, law, codes, TERMS_TRIALS) > CHI2_LEVEL);
  }
}

/* ---- pairs and fields -------------------------------------------------------------------------------------------- */

/* log pi of all states from pairs and fields, up to a constant, where the model is pairwise. */
LBP_FN void CASE_(sum_pairs)(const web *m, int pairwise) {
  uint32_t site[WEB_TERMS * WEB_ARITY], code, i, k, wrong = 0;
  double base = 0;
  uint8_t x[WEB_SITES];
  web_state(m, 0, x);
  CASE_(begin)(m, x);
  CHECK(CASE_T(is_pairwise)(&CASE_(t), m) == pairwise);
  CHECK(CASE_T(unit_of)(m) == (CASE_REAL)m->unit);
  for (code = 0; pairwise && web_state(m, code, x); code++) {
    double sum = 0; /* every pair twice */
    for (i = 0; i < m->n; i++) {
#ifdef CASE_CAT
      CASE_REAL h[WEB_VALUES];
      const uint32_t count = CASE_T(pairs_of)(&CASE_(t), m, i, site);
      CASE_T(field_of)(&CASE_(t), m, i, h);
      sum += 2 * (double)h[x[i]];
      for (k = 0; k < count; k++) sum += (double)CASE_T(pair_at)(&CASE_(t), m, i, k, x[i], x[site[k]]);
#else
      CASE_REAL J[WEB_TERMS * WEB_ARITY];
      const uint32_t count = CASE_T(pairs_of)(&CASE_(t), m, i, site, J);
      sum += (x[i] ? 2 : -2) * (double)CASE_T(field_of)(&CASE_(t), m, i);
      for (k = 0; k < count; k++) sum += x[i] == x[site[k]] ? (double)J[k] : -(double)J[k];
#endif
    }
    if (code == 0) base = web_logp(m, x) - sum / 2;
    wrong += !(web_logp(m, x) == sum / 2 + base);
  }
  CHECK(wrong == 0);
}

#undef CASE
#undef CASE_REAL
#undef CASE_CAT
#undef CASE_N
#undef CASE_WEIGHT
#undef CASE_ARITY
#undef CASE_GROUPED
#undef CASE_FEW
#undef CASE_2
#undef CASE_1
#undef CASE_T
#undef CASE_D
#undef CASE_
