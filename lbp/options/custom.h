/* lbp/options/custom.h - a weight function of your own: LBP_WEIGHT LBP_CUSTOM.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_WEIGHT is
 * LBP_CUSTOM. You need it for that, and don't include it yourself.
 *
 * LBP_LOG_WEIGHT(d) -> LBP_REAL: log g(e^d), for any log-ratio d that is a finite number; must satisfy
 * log g(d) = d + log g(-d), that is g(t) = t g(1/t) [Z of lbp.h].
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/custom.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* Not asked for infinities, which are their own weights' logarithms: out of an impossible state all ways are open. */
LBP_INLINE LBP_REAL LBP_(call_log_weight)(LBP_REAL lbp_d) {
  if (!LBP_(is_finite)(lbp_d)) return lbp_d;
  return (LBP_REAL)(LBP_P_CALL(LBP_LOG_WEIGHT, (lbp_d)));
}

/* Part of NAME_check: the weight function on a grid of log-ratios. */
LBP_FN int LBP_(check_weight)(LBP_REPORT_T *report) {
  int k;
  for (k = 1; k <= 64; k++) {
    const LBP_REAL d = (LBP_REAL)k * (LBP_REAL)0.125, back = -d;
    const LBP_REAL got = LBP_(call_log_weight)(d), want = d + LBP_(call_log_weight)(back);
    if (!LBP_(agree)(got, want, d)) return LBP_(find)(report, LBP_E_BALANCE, 0, 0, got, want);
  }
  return LBP_OK;
}

#endif /* LBP_P_INSTANCE */
