/* lbp/options/tempered.h - chains at an inverse temperature: LBP_TEMPERED, LBP_BASE.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_TEMPERED is
 * defined. You need it for NAME_temper, and to temper and anneal runs, and don't include it yourself.
 *
 * LBP_TEMPERED: if defined, each chain has an inverse temperature beta, which is 1 until NAME_temper sets it. The chain
 * samples pi^beta: it multiplies log-ratios and log pi by beta. Impossible flips stay impossible, also at beta = 0.
 *
 * LBP_BASE(m, i) -> LBP_REAL: optional, with LBP_TEMPERED: the log-odds of x_i = 1 at beta = 0, instead of 0. At beta
 * the law is then pi^beta times the law at 0 to the power of 1 - beta.
 *
 * LBP_ROUNDING(m): optional, with LBP_TEMPERED: the largest change of a log-ratio by rounding at beta = 1, such as
 * (m)->rounding of the models that have it. Runs and NAME_ais reject a ladder with a beta at which that change exceeds
 * 1e-3 (LBP_E_PRECISION). NAME_temper does not know the model: call lbp_models_check_rounding((m)->rounding, beta)
 * before it. Annealing searches for states and does not sample a law, so it accepts any beta; it warns by
 * LBP_WARN_ROUNDING if log-ratios change by more than the temperature at its cold end.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/tempered.h: lbp.h includes it, inside its template: don't include it yourself"
#else

#if defined LBP_CAT_BASE
LBP_INLINE LBP_REAL LBP_(call_base)(const LBP_MODEL_T *lbp_m, uint32_t lbp_i, uint32_t lbp_v) {
  (void)lbp_m, (void)lbp_i, (void)lbp_v;
  return (LBP_REAL)(LBP_P_CALL(LBP_CAT_BASE, (lbp_m, lbp_i, lbp_v)));
}
#elif defined LBP_BASE
LBP_INLINE LBP_REAL LBP_(call_base)(const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
  (void)lbp_m, (void)lbp_i;
  return (LBP_REAL)(LBP_P_CALL(LBP_BASE, (lbp_m, lbp_i)));
}
#endif

/* A log-ratio, or log pi, at the chain's temperature; base: its value at beta = 0. */
LBP_INLINE LBP_REAL LBP_(tempered)(const LBP_CHAIN_T *c, LBP_REAL v, LBP_REAL base) {
  if (LBP_(is_finite)(v)) v = LBP_(rounded)(c->beta * v) + LBP_(rounded)((1 - c->beta) * base);
  return v;
}

/* The log-ratio of site i, and log pi, at beta = 0. */
LBP_INLINE LBP_REAL LBP_(base_delta)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
#if defined LBP_CAT_BASE
  return LBP_(call_base)(m, i, c->other[i]) - LBP_(call_base)(m, i, c->x[i]);
#elif defined LBP_BASE
  const LBP_REAL odds = LBP_(call_base)(m, i);
  return c->x[i] ? -odds : odds;
#else
  return (void)c, (void)m, (void)i, (LBP_REAL)0;
#endif
}

LBP_FN LBP_REAL LBP_(base_logp)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  LBP_REAL sum = 0;
#ifdef LBP_BASE
  uint32_t i;
  LBP_P_CAT(for (i = 0; i < LBP_P_COUNT(c); i++) sum += LBP_(call_base)(m, i, c->x[i]);)
  LBP_P_BINARY(for (i = 0; i < LBP_P_COUNT(c); i++) sum += c->x[i] ? LBP_(call_base)(m, i) : 0;)
#endif
  return (void)c, (void)m, sum;
}

#ifdef LBP_CAT_STATES
/* All values of one site. */
LBP_INLINE void LBP_(temper_row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *d) {
  uint32_t v;
  for (v = 0; v < LBP_P_VALUES; v++) {
    LBP_REAL base = 0;
#ifdef LBP_CAT_BASE
    if (LBP_(is_finite)(d[v])) base = LBP_(call_base)(m, i, v) - LBP_(call_base)(m, i, c->x[i]);
#endif
    d[v] = LBP_(tempered)(c, d[v], base);
  }
  (void)m, (void)i;
}
#elif !LBP_P_LOCAL
LBP_INLINE void LBP_(temper_ratios)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  uint32_t i;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    c->ratio[i] = LBP_(tempered)(c, c->ratio[i], LBP_(base_delta)(c, m, i));
  }
}
#endif

/* Sets the chain's inverse temperature. Fields, which depend on the state alone, stay as they are: the next step of LBP
 * or GWG computes all weights again, that of a dense model calls LBP_LOGP once, and RWM steps and Gibbs sweeps of local
 * models do no additional work. Returns LBP_OK, or LBP_E_NULL, LBP_E_NOT_FINITE. */
LBP_FN int LBP_NAME_(temper)(LBP_CHAIN_T *c, LBP_REAL beta) {
  if (!c) return LBP_E_NULL;
  if (!LBP_(is_finite)(beta)) return LBP_E_NOT_FINITE;
  c->beta = beta;
  c->weights_ready = 0;
  LBP_P_LOGP(c->logp_ready = 0;)
  LBP_P_DENSE(c->ratio_ready = 0;)
  LBP_P_LEVELS(memset(c->bar, 255, sizeof c->bar);)
  return LBP_OK;
}

#endif /* LBP_P_INSTANCE */
