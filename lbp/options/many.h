/* lbp/options/many.h - steps of many dense chains at once: LBP_DELTAS_MANY.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_DELTAS_MANY is
 * defined. You need it for NAME_lbp_steps, and don't include it yourself.
 *
 * LBP_DELTAS_MANY(m, x, out, count): optional, the same as LBP_DELTAS for `count` chains, at most LBP_MANY: x, out and
 * with LBP_FIELDS_T fields are arrays of `count` pointers. Steps of many chains call it before they call LBP_LOGP for
 * the same states, so it may store log pi in the fields; other steps, checks and runs only call LBP_LOGP. Needs
 * LBP_LOGP.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/many.h: lbp.h includes it, inside its template: don't include it yourself"
#else

LBP_INLINE void LBP_(call_deltas_many)(LBP_CHAIN_T *const *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_count) {
  const uint8_t *lbp_x[LBP_MANY];
  LBP_REAL *lbp_out[LBP_MANY];
  uint32_t lbp_k;
#ifdef LBP_FIELDS_T
  LBP_FIELDS_T *lbp_fields[LBP_MANY];
  for (lbp_k = 0; lbp_k < lbp_count; lbp_k++) lbp_fields[lbp_k] = lbp_c[lbp_k]->fields;
#endif
  for (lbp_k = 0; lbp_k < lbp_count; lbp_k++) {
    lbp_x[lbp_k] = lbp_c[lbp_k]->x;
    lbp_out[lbp_k] = lbp_c[lbp_k]->ratio;
  }
#ifdef LBP_FIELDS_T
  LBP_P_CALL(LBP_DELTAS_MANY, (lbp_m, lbp_fields, lbp_x, lbp_out, lbp_count));
#else
  LBP_P_CALL(LBP_DELTAS_MANY, (lbp_m, lbp_x, lbp_out, lbp_count));
#endif
  (void)lbp_m;
}

/* All log-ratios of up to LBP_MANY chains. */
LBP_FN void LBP_(deltas_many)(LBP_CHAIN_T *const *chain, const LBP_MODEL_T *m, uint32_t count) {
  uint32_t k;
  LBP_(call_deltas_many)(chain, m, count);
  for (k = 0; k < count; k++) {
    LBP_(finish_ratios)(chain[k], m);
    LBP_P_CAT(chain[k]->ratio_ready = 1;)
  }
}

#if LBP_CHECKED
/* Whether all chains can take a step, and are different ones; otherwise info reports steps that did nothing. */
LBP_FN int LBP_(all_ready)(LBP_CHAIN_T *const *chain, const LBP_MODEL_T *m, const uint32_t *R, LBP_RNG_T *const *rng,
                           uint32_t count, LBP_INFO_T *info) {
  int ready = chain && R && rng && info;
  uint32_t k, j;
  if (!ready) LBP_(fail)(NULL, LBP_E_NULL, 0, 0, 0, 0);
  for (k = 0; chain && rng && k < count; k++) {
    ready &= LBP_(ready)(chain[k], m, rng[k]);
    for (j = 0; j < k; j++) {
      if (chain[j] == chain[k]) LBP_(fail)(chain[k], LBP_E_RANGE, 0, 0, 0, 0), ready = 0;
    }
  }
  for (k = 0; info && !ready && k < count; k++) info[k] = LBP_(nothing)();
  return ready;
}
#endif

/* One step of LBP-R of each of `count` chains, whose log-ratios come from one call of LBP_DELTAS_MANY for up to
 * LBP_MANY chains: a product of matrices where NAME_lbp_step has a matrix and a vector. chain, R, rng and info have
 * `count` elements; info gets what each step did. Chains, generators and fields are all different ones. Where
 * LBP_DELTAS_MANY rounds in another way than LBP_DELTAS, or by the place among the chains, keep to one of the two and
 * to the chains' order (or call NAME_touch): weights must depend on the state alone. A checked build moves none of
 * them if one can't be. */
LBP_CALLED void LBP_NAME_(lbp_steps)(LBP_CHAIN_T *const *chain, const LBP_MODEL_T *m, const uint32_t *R,
                                     LBP_RNG_T *const *rng, uint32_t count, LBP_INFO_T *info) {
  uint32_t k, first, block;
  LBP_P_CHECK(if (!LBP_(all_ready)(chain, m, R, rng, count, info)) return;)
  for (first = 0; first < count; first += block) {
    int stale = 0;
    block = count - first < LBP_MANY ? count - first : LBP_MANY;
    for (k = first; k < first + block; k++) {
      LBP_(prepare_fields)(chain[k], m);
      stale |= chain[k]->weights_ready != 1 || !chain[k]->logp_ready;
    }
    if (stale) LBP_(deltas_many)(chain + first, m, block);
    for (k = first; k < first + block; k++) {
      LBP_(prepare)(chain[k], m, 0);
      if (chain[k]->weights_ready != 1) {
        LBP_(weigh_all)(chain[k], m);
        LBP_(start_weights)(chain[k]);
      }
      if (!LBP_(propose)(chain[k], R[k], 0, rng[k], &info[k])) continue;
      LBP_P_CAT(LBP_(choose_values)(chain[k], m, rng[k]);)
      LBP_(flip_all)(chain[k], m);
    }
    LBP_(deltas_many)(chain + first, m, block);
    for (k = first; k < first + block; k++) {
      if (info[k].proposed == 0) continue;
      chain[k]->logp_proposed = LBP_(logp)(chain[k], m);
      chain[k]->y.log_pi = chain[k]->logp_proposed - chain[k]->logp;
      info[k].evaluations = 1;
      LBP_(conclude)(chain[k], m, 0, &info[k]);
    }
  }
}

#endif /* LBP_P_INSTANCE */
