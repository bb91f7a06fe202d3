/* Part of the templates cat_case.h and pairs_cat_case.h: an instance on a cat_toy. Parameters: CASE (a prefix),
 * CASE_REAL, CASE_WEIGHT, CASE_KIND (CAT_LOCAL, CAT_FIELDS, CAT_PRODUCT, CAT_DENSE, CAT_KEPT, CAT_OF, CAT_ESTIMATE,
 * CAT_MANY), CASE_K; for n fixed at compile time CASE_N; CASE_SORT_ABOVE, or CASE_NEVER; CASE_SAME: all sites have
 * CASE_K values; CASE_ONE: with LBP_CAT_DELTA; CASE_TEMPERED: with temperatures; CASE_BASED: and a base; CASE_CLAMPED:
 * with clamped sites; CASE_OWN_RNG: by the library's own generator; CASE_ASKED: what each call of LBP_DELTAS does. */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#if CASE_KIND == CAT_FIELDS || CASE_KIND == CAT_OF || CASE_KIND == CAT_MANY
#define CASE_FIELDS
#define CASE_ARGS(t, f, x) const cat_toy *t, cat_fields *f, const uint8_t *x
#define CASE_CODE(t, f, x) ((void)(x), (f)->code < (t)->states ? (f)->code : 0)
#else
#define CASE_ARGS(t, f, x) const cat_toy *t, const uint8_t *x
#define CASE_CODE(t, f, x) cat_code(t, x)
#endif
#define CASE_LOCAL (CASE_KIND == CAT_LOCAL || CASE_KIND == CAT_FIELDS || CASE_KIND == CAT_PRODUCT)
#define CASE_ESTIMATES (CASE_KIND == CAT_OF || CASE_KIND == CAT_ESTIMATE || CASE_KIND == CAT_MANY)
#define CASE_BY_LOGP (CASE_ESTIMATES || CASE_KIND == CAT_KEPT)

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

#if CASE_LOCAL || CASE_KIND == CAT_OF
LBP_FN void CASE_ID(_of)(CASE_ARGS(t, f, x), uint32_t i, CASE_REAL *out) {
  const uint32_t code = CASE_CODE(t, f, x);
  uint32_t v;
  for (v = 0; v < t->K[i]; v++) out[v] = (CASE_REAL)cat_ratio(t, code, i, v);
}

#ifdef CASE_ONE
LBP_FN CASE_REAL CASE_ID(_one)(CASE_ARGS(t, f, x), uint32_t i, uint32_t v) {
  return (CASE_REAL)cat_ratio(t, CASE_CODE(t, f, x), i, v);
}
#endif
#endif

#if !CASE_LOCAL
LBP_FN void CASE_ID(_dense)(CASE_ARGS(t, f, x), CASE_REAL *out) {
  const uint32_t code = CASE_CODE(t, f, x);
  uint32_t i, v;
  CASE_ASKED;
  for (i = 0; i < t->n; i++) {
    for (v = 0; v < t->K[i]; v++) {
      const double d = CASE_ESTIMATES ? cat_estimate(t, code, i, v) : cat_ratio(t, code, i, v);
      out[i * CASE_K + v] = (CASE_REAL)d;
    }
  }
}
#endif

#if CASE_KIND == CAT_MANY
LBP_FN void CASE_ID(_dense_many)(const cat_toy *t, cat_fields *const *f, const uint8_t *const *x,
                                 CASE_REAL *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) CASE_ID(_dense)(t, f[k], x[k], out[k]);
}
#endif

LBP_FN CASE_REAL CASE_ID(_log_pi)(CASE_ARGS(t, f, x)) { return (CASE_REAL)t->logp[CASE_CODE(t, f, x)]; }

/* ---- the instance ------------------------------------------------------------------------------------------------ */

#define LBP_NAME       CASE
#define LBP_MODEL_T    cat_toy
#define LBP_REAL       CASE_REAL
#define LBP_WEIGHT     CASE_WEIGHT
#define LBP_CAT_STATES CASE_K
#if CASE_WEIGHT == LBP_CUSTOM
#define LBP_LOG_WEIGHT(d) ((d) < 0 ? (d) : 0) /* g(t) = min(1, t) */
#endif
#ifndef CASE_SAME
#define LBP_CAT_STATES_OF(t, i) (t)->K[i]
#endif
#ifdef CASE_N
#define LBP_N CASE_N
#endif
#if CASE_LOCAL || CASE_KIND == CAT_OF
#define LBP_CAT_DELTAS_OF CASE_ID(_of)
#ifdef CASE_ONE
#define LBP_CAT_DELTA CASE_ID(_one)
#endif
#endif
#if CASE_LOCAL
#define LBP_NEIGHBOURS     cat_neighbours
#define LBP_MAX_NEIGHBOURS (CASE_KIND == CAT_PRODUCT ? 0 : CAT_SITES)
#else
#define LBP_DELTAS CASE_ID(_dense)
#endif
#if CASE_KIND == CAT_KEPT
#define LBP_DELTAS_EXACT
#endif
#if CASE_KIND == CAT_MANY
#define LBP_DELTAS_MANY CASE_ID(_dense_many)
#endif
#if CASE_BY_LOGP
#define LBP_LOGP CASE_ID(_log_pi)
#endif
#ifdef CASE_FIELDS
#define LBP_FIELDS_T                 cat_fields
#define LBP_FIELDS_INIT(t, f, x)     ((f)->code = cat_code(t, x))
#define LBP_CAT_CHANGE(t, f, x, i, old) ((f)->code += ((x)[i] - (uint32_t)(old)) * (t)->stride[i])
#ifdef CASE_N /* half of the instances restore a copy, half flip back */
#define LBP_SAVE(t, f)    ((f)->saved = (f)->code)
#define LBP_RESTORE(t, f) ((f)->code = (f)->saved)
#endif
#endif
#ifdef CASE_TEMPERED
#define LBP_TEMPERED
#ifdef CASE_BASED
#define LBP_CAT_BASE cat_base
#endif
#endif
#ifdef CASE_CLAMPED
#define LBP_CLAMPED
#endif
#ifdef CASE_SORT_ABOVE
#define LBP_SORT_ABOVE CASE_SORT_ABOVE
#endif
#ifdef CASE_NEVER
#define LBP_SORT_ABOVE LBP_NEVER
#endif
#ifndef CASE_OWN_RNG
#define LBP_RNG_T   cat_rng
#define LBP_RNG_U64 cat_word
#endif
#include "../../lbp.h"
