/* lbp/options/cat_parameters.h - the parameters and arrays of an instance that LBP_CAT_STATES sets.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp.h includes it before its template.
 */

#ifndef LBP_CAT_STATES
#error "lbp/options/cat_parameters.h: lbp.h includes it, where LBP_CAT_STATES is defined: don't include it yourself"
#else

/* ---- parameters -------------------------------------------------------------------------------------------------- */

#define LBP_P_STATES (LBP_CAT_STATES) /* it may be a sum */
#if LBP_P_STATES < 1 || LBP_P_STATES > 256
#error "lbp/options/cat_parameters.h: LBP_CAT_STATES, a site's values, is 1 to 256: no enum constant"
#elif defined LBP_DELTA || defined LBP_FLIP || defined LBP_BASE
#error "lbp/options/cat_parameters.h: LBP_CAT_DELTAS_OF, _CHANGE, _BASE replace LBP_DELTA, LBP_FLIP, LBP_BASE"
#elif defined LBP_FLIP_LIST || defined LBP_LEVEL || defined LBP_CLOCK || defined LBP_PATH
#error "lbp/options/cat_parameters.h: LBP_FLIP_LIST, LBP_LEVEL, LBP_CLOCK and LBP_PATH are for sites of two values"
#elif defined LBP_NEIGHBOURS && !defined LBP_CAT_DELTAS_OF
#error "lbp/options/cat_parameters.h: a local model needs LBP_CAT_DELTAS_OF, the log-ratios of all values of a site"
#elif defined LBP_CAT_DELTA && !defined LBP_CAT_DELTAS_OF
#error "lbp/options/cat_parameters.h: LBP_CAT_DELTA is one of LBP_CAT_DELTAS_OF: define that too"
#elif defined LBP_CAT_POWERS_OF && (!defined LBP_CAT_DELTAS_OF || !defined LBP_NEIGHBOURS || defined LBP_FIELDS_T)
#error "lbp/options/cat_parameters.h: LBP_CAT_POWERS_OF is for local models without fields, next to LBP_CAT_DELTAS_OF"
#elif defined LBP_FIELDS_T != defined LBP_CAT_CHANGE
#error "lbp/options/cat_parameters.h: define both of LBP_FIELDS_T and LBP_CAT_CHANGE or none"
#elif defined LBP_CAT_BASE && !defined LBP_TEMPERED
#error "lbp/options/cat_parameters.h: LBP_CAT_BASE is the law at beta = 0: define LBP_TEMPERED"
#elif defined LBP_N && LBP_N > 0x7fffffff / LBP_P_STATES
#error "lbp/options/cat_parameters.h: LBP_N times LBP_CAT_STATES is at most 2^31 - 1"
#elif defined LBP_WEIGHT && LBP_WEIGHT != LBP_HEAT_BATH && LBP_WEIGHT != LBP_METROPOLISED && \
  (LBP_WEIGHT < LBP_BARKER || LBP_WEIGHT > LBP_CUSTOM)
#error "lbp/options/cat_parameters.h: LBP_WEIGHT is LBP_HEAT_BATH, LBP_METROPOLISED, LBP_BARKER, LBP_SQRT or LBP_CUSTOM"
#else
#define LBP_P_CAT_RIGHT 1
#endif

#ifndef LBP_WEIGHT
#define LBP_WEIGHT LBP_HEAT_BATH
#endif

/* lbp.h only asks whether these are defined; it calls none of them by these names. */
#ifdef LBP_CAT_DELTAS_OF
#define LBP_DELTA LBP_CAT_DELTAS_OF
#endif
#ifdef LBP_CAT_CHANGE
#define LBP_FLIP LBP_CAT_CHANGE
#endif
#ifdef LBP_CAT_BASE
#define LBP_BASE LBP_CAT_BASE
#endif

#define LBP_P_CAT(...)    __VA_ARGS__
#define LBP_P_BINARY(...)
#define LBP_P_VALUES      ((uint32_t)LBP_P_STATES)
#define LBP_P_RATIO(c, i) (c)->ratio[(size_t)(i) * LBP_P_VALUES + (c)->other[i]]
#define LBP_P_CHECK_SITE  LBP_(check_row)

/* A chain's members in addition to those of lbp.h. */
#define LBP_P_CAT_ARRAYS \
  LBP_P_DENSE(LBP_P_ARRAY(LBP_REAL, ratio, (size_t)(LBP_N) * LBP_P_VALUES);)   /* as LBP_DELTAS wrote them last ... */ \
  LBP_P_DENSE(LBP_P_ARRAY(LBP_REAL, ratio_x, (size_t)(LBP_N) * LBP_P_VALUES);) /* ... and of x, during a step */ \
  LBP_P_ARRAY(LBP_REAL, share, LBP_N); /* of a move in the weight of its site, there, and then back over there */ \
  LBP_P_ARRAY(uint8_t, other, LBP_N);  /* by site: the value that a flip exchanges for x[i] */ \
  uint32_t mobile;                     /* sites that can move, of more than one value; UINT32_MAX: not known yet */

/* Functions of lbp/options/cat.h that lbp.h calls before it includes it. */
#ifdef LBP_CAT_DELTAS_OF
#define LBP_P_CAT_DELTA \
  LBP_INLINE LBP_REAL LBP_(call_delta)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i);
#else
#define LBP_P_CAT_DELTA
#endif
#ifdef LBP_NEIGHBOURS
#define LBP_P_CAT_WEIGH \
  LBP_FN void LBP_(weigh)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t count); \
  LBP_FN void LBP_(flip_product)(LBP_CHAIN_T *c, const LBP_MODEL_T *m);
#else
#define LBP_P_CAT_WEIGH \
  LBP_FN void LBP_(weigh_all)(LBP_CHAIN_T *c, const LBP_MODEL_T *m); \
  LBP_FN void LBP_(finish_ratios)(LBP_CHAIN_T *c, const LBP_MODEL_T *m); \
  LBP_FN void LBP_(restore_ratios)(LBP_CHAIN_T *c);
#endif
#ifdef LBP_N
#define LBP_P_CAT_MEMORY
#else
#define LBP_P_CAT_MEMORY \
  LBP_FN size_t LBP_(cat_ws_len)(uint32_t n); \
  LBP_FN uint64_t *LBP_(lay_out)(LBP_CHAIN_T *c, uint64_t *ws);
#endif
#define LBP_P_CAT_FUNCTIONS \
  LBP_P_CAT_DELTA LBP_P_CAT_WEIGH LBP_P_CAT_MEMORY \
  LBP_FN void LBP_(choose_values)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng); \
  LBP_FN void LBP_(bring_in_values)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_(product) *back); \
  LBP_FN uint32_t LBP_(cut_to_mobile)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R); \
  LBP_FN void LBP_(draw_uniform)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng);

#endif /* LBP_CAT_STATES */
