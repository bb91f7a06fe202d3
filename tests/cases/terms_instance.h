/* One instance of terms_case.h: of terms if CASE_TERMS, else of log-ratios; and a step of it by its number. */
#define INSTANCE_(suffix) CASE_1(INSTANCE, suffix)
#if CASE_TERMS
#define INSTANCE CASE_1(CASE, terms)
#else
#define INSTANCE CASE_1(CASE, delta)
#endif

#define LBP_NAME    INSTANCE
#define LBP_MODEL_T web
#define LBP_REAL    CASE_REAL
#define LBP_TEMPERED
#define LBP_CLAMPED
#ifdef CASE_N
#define LBP_N CASE_N
#endif
#ifdef CASE_WEIGHT
#define LBP_WEIGHT CASE_WEIGHT
#endif
#ifdef CASE_GROUPED
#define LBP_GROUP(m, i) 0u
#endif
#ifdef CASE_CAT
#define LBP_CAT_STATES    WEB_VALUES
#define LBP_CAT_STATES_OF web_values
#elif !defined CASE_FEW
#define LBP_SWEEPS
#define LBP_CLOCK LBP_BARKER
#define LBP_PATH
#endif
#if CASE_TERMS
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          web_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      CASE_ARITY
#define LBP_TERMS_OF_MAX  WEB_TERMS
#define LBP_UNIT(m)       (m)->unit
#else
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS (WEB_TERMS * (WEB_ARITY - 1))
#define LBP_LOGP           web_logp
#ifdef CASE_CAT
#define LBP_CAT_DELTAS_OF(m, x, i, out)                           \
  (sizeof *(out) == sizeof(float) ? web_deltas_of_float(m, x, i, (float *)(void *)(out)) \
                                  : web_deltas_of(m, x, i, (double *)(void *)(out)))
#define LBP_CAT_DELTA web_move
#else
#define LBP_DELTA web_delta
#endif
#endif
#include "../../lbp.h"

/* Step number `kind` of TERMS_KINDS, by R sites where it is of so many. */
LBP_FN terms_told INSTANCE_(go)(CASE_1(INSTANCE, chain) *c, const web *m, uint32_t kind, uint32_t R, lbp_rng *rng) {
  CASE_1(INSTANCE, info) info;
  terms_told told;
  switch (kind) {
#ifdef CASE_GROUPED
    case 0: info = INSTANCE_(swap_sweep)(c, m, rng); break;
    case 1: info = INSTANCE_(swap_path_step)(c, m, R, rng); break;
    default: info = INSTANCE_(swap_step)(c, m, R, rng); break;
#else
    case 0: info = INSTANCE_(lbp_step)(c, m, 1, rng); break;
    case 1: info = INSTANCE_(lbp_step)(c, m, R, rng); break;
    case 2: info = INSTANCE_(gwg_step)(c, m, R, rng); break;
    case 3: info = INSTANCE_(rwm_step)(c, m, R, rng); break;
    case 4: info = INSTANCE_(gibbs_sweep)(c, m, rng); break;
#if defined CASE_CAT
    case 5: info = INSTANCE_(metropolis_sweep)(c, m, rng); break;
    default: info = INSTANCE_(dlp_step)(c, m, (CASE_REAL)0.5, rng); break;
#elif defined CASE_FEW
    default: info = INSTANCE_(lbp_step)(c, m, R, rng); break;
#else
    case 5: info = INSTANCE_(metropolis_sweep)(c, m, rng); break;
    case 6: info = INSTANCE_(skip_sweep)(c, m, LBP_BARKER, rng); break;
    case 7: info = INSTANCE_(clock_step)(c, m, (CASE_REAL)0.5, rng); break;
    default: info = INSTANCE_(path_step)(c, m, R, rng); break;
#endif
#endif
  }
  told.accepted = info.accepted;
  told.jump = info.jump;
  told.evaluations = info.evaluations;
  told.log_ratio = (double)info.log_ratio;
  return told;
}

#undef INSTANCE
#undef INSTANCE_
