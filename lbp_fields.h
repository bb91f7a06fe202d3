/* lbp_fields.h - fields, your own quantities of each chain: LBP_FIELDS_T.
 *
 * Version 0.6.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_FIELDS_T is
 * defined. You need it for models with fields, and don't include it yourself.
 *
 * LBP_FIELDS_T: the type of your own per-chain quantities (an RBM's hidden inputs, say). All callbacks on states get
 * them behind the model: LBP_DELTA(m, fields, x, i). They must be a function of the state alone, or the chain is not
 * exact: no drifting sums.
 *
 * LBP_FIELDS_INIT(m, fields, x): makes them from scratch. Required with LBP_FIELDS_T.
 *
 * LBP_FLIP(m, fields, x, i): brings them up to date after x[i] was flipped (a rejected move is flipped back, last site
 * first). Required with LBP_FIELDS_T.
 *
 * LBP_SAVE(m, fields), LBP_RESTORE(m, fields): optional: keep a copy before a move, return to it on rejection.
 */

#ifdef LBP_P_INSTANCE

LBP_INLINE void LBP_P_PRIV(call_fields_init)(LBP_P_CHAIN *lbp_c, const LBP_MODEL_T *lbp_m) {
  (void)lbp_c, (void)lbp_m;
  LBP_P_CALL(LBP_FIELDS_INIT, (LBP_P_ARGS));
}

LBP_INLINE void LBP_P_PRIV(call_flip)(LBP_P_CHAIN *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i;
  LBP_P_CALL(LBP_FLIP, (LBP_P_ARGS, lbp_i));
}

#ifdef LBP_SAVE
LBP_INLINE void LBP_P_PRIV(call_save)(LBP_P_CHAIN *lbp_c, const LBP_MODEL_T *lbp_m) {
  (void)lbp_c, (void)lbp_m;
  LBP_P_CALL(LBP_SAVE, (lbp_m, lbp_c->fields));
}

LBP_INLINE void LBP_P_PRIV(call_restore)(LBP_P_CHAIN *lbp_c, const LBP_MODEL_T *lbp_m) {
  (void)lbp_c, (void)lbp_m;
  LBP_P_CALL(LBP_RESTORE, (lbp_m, lbp_c->fields));
}
#endif

/* Before a move. */
LBP_INLINE void LBP_P_PRIV(save)(LBP_P_CHAIN *c, const LBP_MODEL_T *m) {
#ifdef LBP_SAVE
  LBP_P_PRIV(call_save)(c, m);
#endif
  (void)c, (void)m;
}

/* What stands further down in lbp.h. */
LBP_INLINE void LBP_P_PRIV(flip_site)(LBP_P_CHAIN *c, const LBP_MODEL_T *m, uint32_t i);
LBP_INLINE LBP_P_REAL LBP_P_PRIV(delta)(LBP_P_CHAIN *c, const LBP_MODEL_T *m, uint32_t i);
LBP_FN int LBP_P_PRIV(agree)(LBP_P_REAL got, LBP_P_REAL want, LBP_P_REAL scale);
LBP_FN LBP_P_REAL LBP_P_PRIV(abs)(LBP_P_REAL v);

/* Part of NAME_check: fields after a move and its rejection, and after a move, against fields from scratch. */
LBP_FN int LBP_P_PRIV(check_fields)(LBP_P_CHAIN *c, const LBP_MODEL_T *m, uint32_t i, LBP_RNG_T *rng,
                                    LBP_P_REPORT *report) {
  int round;
  for (round = 0; round < 2; round++) {
    LBP_P_REAL kept, fresh;
    uint64_t word[8];
    uint32_t k;
    for (k = 0; k < 8; k++) word[k] = LBP_P_PRIV(word)(rng);
    if (round == 0) LBP_P_PRIV(save)(c, m);
    for (k = 0; k < 8; k++) LBP_P_PRIV(flip_site)(c, m, (uint32_t)(word[k] % LBP_P_COUNT(c)));
    if (round == 0) {
#ifdef LBP_RESTORE
      for (k = 0; k < 8; k++) c->x[word[k] % LBP_P_COUNT(c)] ^= 1u;
      LBP_P_PRIV(call_restore)(c, m);
#else
      for (k = 8; k > 0; k--) LBP_P_PRIV(flip_site)(c, m, (uint32_t)(word[k - 1] % LBP_P_COUNT(c)));
#endif
    }
    kept = LBP_P_PRIV(delta)(c, m, i);
    LBP_P_PRIV(call_fields_init)(c, m);
    fresh = LBP_P_PRIV(delta)(c, m, i);
    if (!LBP_P_PRIV(agree)(kept, fresh, LBP_P_PRIV(abs)(fresh))) {
      return LBP_P_PRIV(find)(report, LBP_E_FIELDS, i, i, kept, fresh);
    }
    if (round == 1) { /* to where it came from, which is known to be possible */
      for (k = 0; k < 8; k++) c->x[word[k] % LBP_P_COUNT(c)] ^= 1u;
      LBP_P_PRIV(call_fields_init)(c, m);
    }
  }
  return LBP_OK;
}

#endif /* LBP_P_INSTANCE */
