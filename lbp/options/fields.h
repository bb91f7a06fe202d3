/* lbp/options/fields.h - fields, your own quantities of each chain: LBP_FIELDS_T.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_FIELDS_T is
 * defined. You need it for models with fields, and don't include it yourself.
 *
 * LBP_FIELDS_T: the type of your own quantities of each chain, for example an RBM's hidden inputs. All callbacks on
 * states get them after the model: LBP_DELTA(m, fields, x, i). They must depend on the state alone, or the chain is not
 * exact: sums must not drift.
 *
 * LBP_FIELDS_INIT(m, fields, x): computes them from scratch. Required with LBP_FIELDS_T.
 *
 * LBP_FLIP(m, fields, x, i): updates them after x[i] was flipped (a rejected move is flipped back, last site first).
 * Required with LBP_FIELDS_T.
 *
 * LBP_SAVE(m, fields), LBP_RESTORE(m, fields): optional: save a copy before a move, and restore it on rejection.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/fields.h: lbp.h includes it, inside its template: don't include it yourself"
#else

LBP_INLINE void LBP_(call_fields_init)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m) {
  (void)lbp_c, (void)lbp_m;
  LBP_P_CALL(LBP_FIELDS_INIT, (LBP_P_ARGS));
  LBP_P_DENSE(lbp_c->ratio_ready = 0;)
}

LBP_INLINE void LBP_(call_flip)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i;
  LBP_P_BINARY(LBP_P_CALL(LBP_FLIP, (LBP_P_ARGS, lbp_i));)
  LBP_P_CAT(LBP_P_CALL(LBP_CAT_CHANGE, (LBP_P_ARGS, lbp_i, lbp_c->other[lbp_i]));)
}

#ifdef LBP_SAVE
LBP_INLINE void LBP_(call_save)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m) {
  (void)lbp_c, (void)lbp_m;
  LBP_P_CALL(LBP_SAVE, (lbp_m, lbp_c->fields));
}

LBP_INLINE void LBP_(call_restore)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m) {
  (void)lbp_c, (void)lbp_m;
  LBP_P_CALL(LBP_RESTORE, (lbp_m, lbp_c->fields));
}
#endif

/* Before a move. */
LBP_INLINE void LBP_(save)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
#ifdef LBP_SAVE
  LBP_(call_save)(c, m);
#endif
  (void)c, (void)m;
}

/* Defined further down in lbp.h. */
LBP_INLINE void LBP_(turn)(LBP_CHAIN_T *c, uint32_t i);
LBP_INLINE void LBP_(flip_site)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i);
LBP_INLINE LBP_REAL LBP_(delta)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i);
LBP_FN int LBP_(agree)(LBP_REAL got, LBP_REAL want, LBP_REAL scale);
LBP_FN LBP_REAL LBP_(abs)(LBP_REAL v);

/* Part of NAME_check: fields after a move and its rejection, and after a move, against fields from scratch. */
LBP_COLD int LBP_(check_fields)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_RNG_T *rng,
                                LBP_REPORT_T *report) {
  int round;
  for (round = 0; round < 2; round++) {
    LBP_REAL kept, fresh;
    uint64_t word[8];
    uint32_t k;
    for (k = 0; k < 8; k++) word[k] = LBP_(word)(rng);
    if (round == 0) LBP_(save)(c, m);
    for (k = 0; k < 8; k++) LBP_(flip_site)(c, m, (uint32_t)(word[k] % LBP_P_COUNT(c)));
    if (round == 0) {
#ifdef LBP_RESTORE
      for (k = 0; k < 8; k++) LBP_(turn)(c, (uint32_t)(word[k] % LBP_P_COUNT(c)));
      LBP_(call_restore)(c, m);
      LBP_P_DENSE(c->ratio_ready = 0;)
#else
      for (k = 8; k > 0; k--) LBP_(flip_site)(c, m, (uint32_t)(word[k - 1] % LBP_P_COUNT(c)));
#endif
    }
    kept = LBP_(delta)(c, m, i);
    LBP_(call_fields_init)(c, m);
    fresh = LBP_(delta)(c, m, i);
    if (!LBP_(agree)(kept, fresh, LBP_(abs)(fresh))) {
      return LBP_(find)(report, LBP_E_FIELDS, i, i, kept, fresh);
    }
    if (round == 1) { /* to where it came from, which is known to be possible */
      for (k = 0; k < 8; k++) LBP_(turn)(c, (uint32_t)(word[k] % LBP_P_COUNT(c)));
      LBP_(call_fields_init)(c, m);
    }
  }
  return LBP_OK;
}

#endif /* LBP_P_INSTANCE */
