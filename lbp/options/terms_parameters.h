/* lbp/options/terms_parameters.h - the parameters of an instance that LBP_TERM sets.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp.h includes it before its template. The parameters themselves are
 * described in lbp/options/terms.h.
 */

#ifndef LBP_TERM
#error "lbp/options/terms_parameters.h: lbp.h includes it, where LBP_TERM is defined: don't include it yourself"
#else

#if defined LBP_DELTA || defined LBP_DELTAS || defined LBP_DELTAS_EXACT || defined LBP_DELTAS_MANY || \
  defined LBP_NEIGHBOURS || defined LBP_MAX_NEIGHBOURS || defined LBP_CAT_DELTAS_OF || defined LBP_CAT_DELTA || \
  defined LBP_CAT_POWERS_OF
#error "lbp/options/terms_parameters.h: LBP_TERM gives log-ratios and neighbours: remove LBP_DELTA, LBP_NEIGHBOURS ..."
#elif defined LBP_FIELDS_T || defined LBP_FIELDS_INIT || defined LBP_FLIP || defined LBP_CAT_CHANGE || \
  defined LBP_FLIP_LIST || defined LBP_SAVE || defined LBP_RESTORE || defined LBP_LEVEL || defined LBP_LEVELS
#error "lbp/options/terms_parameters.h: fields, flip lists and levels need LBP_DELTA in the place of LBP_TERM"
#elif defined LBP_PAIRS || defined LBP_CAT_PAIRS || defined LBP_CAT_PAIR || defined LBP_FIELD || defined LBP_CAT_FIELD
#error "lbp/options/terms_parameters.h: LBP_TERM gives pairs and fields: remove LBP_PAIRS, LBP_FIELD and the like"
#elif !defined LBP_TERM_SITES || !defined LBP_TERM_COUNT
#error "lbp/options/terms_parameters.h: LBP_TERM needs LBP_TERM_SITES, its sites, and LBP_TERM_COUNT, their number"
#elif !defined LBP_TERM_MAX || !defined LBP_TERMS_OF_MAX
#error "lbp/options/terms_parameters.h: LBP_TERM needs LBP_TERM_MAX, sites a term, and LBP_TERMS_OF_MAX, terms a site"
#else
#define LBP_P_TERMS_RIGHT 1
#endif

/* Code that only instances with terms compile. */
#define LBP_P_TERMS(...) __VA_ARGS__

#ifdef LBP_CAT_STATES
#define LBP_P_STATES_OF(m, i) LBP_(states_of)(m, i)
#else
#define LBP_P_STATES_OF(m, i) 2u
#endif

/* The callbacks that lbp.h asks for. Each is expanded in one function, which has these parameters. */

#ifdef LBP_P_TERMS_RIGHT
#define LBP_P_TERMS_LIST(...) LBP_(terms_neighbours)(lbp_c, lbp_i, lbp_out)
#define LBP_P_TERMS_LOGP(...) LBP_(terms_logp)(lbp_c, lbp_m)
#define LBP_P_TERMS_REACH ((LBP_TERMS_OF_MAX) * ((LBP_TERM_MAX) - 1))
#define LBP_NEIGHBOURS LBP_P_TERMS_LIST
#define LBP_MAX_NEIGHBOURS LBP_P_TERMS_REACH
#ifdef LBP_CAT_STATES
#define LBP_CAT_DELTAS_OF(...) LBP_(terms_row)(lbp_c, lbp_m, lbp_i, lbp_out)
#define LBP_CAT_DELTA(...)     LBP_(terms_delta)(lbp_c, lbp_m, lbp_i, lbp_c->other[lbp_i])
#else
#define LBP_DELTA(...) LBP_(terms_delta)(lbp_c, lbp_m, lbp_i)
#endif
#if !defined LBP_LOGP
#define LBP_LOGP LBP_P_TERMS_LOGP
#endif
#endif

#endif /* LBP_TERM */
