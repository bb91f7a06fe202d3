/* lbp/options/pairs.h - pairs and fields: the couplings of a model whose terms have one or two sites.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_TERM, LBP_PAIRS
 * or LBP_CAT_PAIRS is defined. Cluster moves and integer arithmetic need it; don't include it yourself.
 *
 * Sites of two values, with spins s = 2 x - 1, have couplings J_ij and fields h_i,
 *
 *   log pi(x) = constant + sum over sites of h_i s_i + sum over pairs of J_ij s_i s_j + rest(x),
 *
 * and categorical sites have tables, log pi(x) = sum of h_i(x_i) + sum over pairs of a_ij(x_i, x_j) + rest(x). The rest
 * consists of terms of three and more sites and, for two values, of everything without finite J_ij and h_i. An instance
 * generates
 *
 *   uint32_t ising_pairs_of    (const ising_chain *, const grid *, uint32_t i, uint32_t *site, ising_real *J)
 *   ising_real ising_field_of  (const ising_chain *, const grid *, uint32_t i)
 *   int      ising_is_pairwise (const ising_chain *, const grid *)            whether there is no rest
 *   ising_real ising_unit_of   (const grid *)                                 LBP_UNIT, if it is defined
 *
 * or, with LBP_CAT_STATES, instead of the first two
 *
 *   uint32_t potts_pairs_of    (const potts_chain *, const grid *, uint32_t i, uint32_t *site)
 *   double   potts_pair_at     (const potts_chain *, const grid *, uint32_t i, uint32_t k, uint32_t v, uint32_t w)
 *   void     potts_field_of    (const potts_chain *, const grid *, uint32_t i, potts_real *out)
 *
 * All refer to the law at inverse temperature 1, without LBP_BASE, and none depends on the state. NAME_check compares
 * them with the log-ratios, and each coupling with its value from the other site.
 *
 * With LBP_TERM they come from the terms: J_ij is the part of a term of two sites that depends on whether they agree;
 * the rest of that term goes into the fields. Other local models may define them by the following macros. Ready-made
 * models have functions for these, such as lbp_ising_pairs and lbp_ising_field:
 *
 * LBP_PAIRS(m, i, site, J) -> uint32_t: writes the sites that site i is coupled with and their J_ij, and returns
 * their number, at most LBP_MAX_NEIGHBOURS. A site may be listed twice: its couplings add up.
 *
 * LBP_FIELD(m, i) -> LBP_REAL: h_i. If you define it, you promise that there is no rest.
 *
 * LBP_CAT_PAIRS(m, i, site) -> uint32_t: the same for LBP_CAT_STATES: the sites alone.
 *
 * LBP_CAT_PAIR(m, i, k, v, w) -> LBP_REAL: a_ij(v, w) for x_i = v and x_j = w, where j is the k-th of these sites.
 *
 * LBP_CAT_FIELD(m, i, out): out[v] = h_i(v) for v < K_i. If you define it, you promise that there is no rest.
 *
 * LBP_UNIT(m) -> LBP_REAL: optional, with LBP_TERM or pairs: a positive number, the unit. It promises that all terms,
 * or all a_ij(v, w) and h_i(v), are whole multiples of it; then so are 4 J_ij and 4 h_i, all log-ratios and log pi, up
 * to a constant. It must scale with them, as (m)->beta does.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/pairs.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* ---- units ------------------------------------------------------------------------------------------------------- */

#ifdef LBP_UNIT
/* Returns LBP_UNIT: all terms, and 4 times all couplings and fields, are whole multiples of it. */
LBP_FN LBP_REAL LBP_NAME_(unit_of)(const LBP_MODEL_T *lbp_m) {
  (void)lbp_m;
  return (LBP_REAL)(LBP_P_CALL(LBP_UNIT, (lbp_m)));
}

/* Whether v is a whole number of units, up to rounding; below 2^31 of them. */
LBP_FN int LBP_(is_whole)(LBP_REAL v, LBP_REAL unit) {
  const LBP_REAL epsilon = sizeof v == sizeof(float) ? (LBP_REAL)7.7e-6 : (LBP_REAL)1.5e-14; /* 64 last places */
  const LBP_REAL count = LBP_(abs)(v) / unit, most = (LBP_REAL)2147483000.0, half = (LBP_REAL)0.5;
  if (!(unit > 0) || !LBP_(is_finite)(unit) || !LBP_(is_finite)(count) || !(count < most)) return 0;
  return LBP_(abs)(count - (LBP_REAL)(int32_t)(count + half)) <= epsilon * (1 + count) && epsilon * count < half / 2;
}
#endif

/* ---- pairs and fields -------------------------------------------------------------------------------------------- */

#if defined LBP_TERM

/* Whether the term of a link of site i has two sites. */
LBP_INLINE uint32_t LBP_(has_two_sites)(const uint32_t *link, uint32_t i) {
  return LBP_(term_max) > 1 && link[LBP_(term_max) > 1] != i && (LBP_(term_max) == 2 || link[2 % LBP_(term_max)] == i);
}

/* Whether it has one. */
LBP_INLINE uint32_t LBP_(has_one_site)(const uint32_t *link, uint32_t i) {
  return LBP_(term_max) == 1 || link[LBP_(term_max) > 1] == i;
}

/* The term of a pair where site i has v and the other one w; of a site alone, whatever w. */
LBP_FN LBP_REAL LBP_(pair_at)(const LBP_MODEL_T *m, const uint32_t *link, uint32_t v, uint32_t w) {
  uint8_t others[LBP_(term_max)];
  memset(others, (int)w, sizeof others);
  return LBP_(term_at)(m, link, others, v);
}

/* Whether all terms have one or two sites. */
LBP_FN int LBP_(is_short)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t *link = c->terms->link;
  uint32_t i;
  (void)m;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    const uint32_t *const end = LBP_(end_of_links)(c, i);
    for (; link < end; link += LBP_(term_max)) {
      if (!LBP_(has_two_sites)(link, i) && !LBP_(has_one_site)(link, i)) return 0;
    }
  }
  return 1;
}
#endif

#if !defined LBP_CAT_STATES && defined LBP_TERM

/* Splits a pair's term: its coupling, the same to the bit from both sites, and its share of the own site's field.
 * Returns 0, and both are 0, where one is not finite. */
LBP_FN int LBP_(split_pair)(const LBP_MODEL_T *m, const uint32_t *link, LBP_REAL *J, LBP_REAL *h) {
  const LBP_REAL quarter = (LBP_REAL)0.25;
  const LBP_REAL a00 = LBP_(pair_at)(m, link, 0, 0), a01 = LBP_(pair_at)(m, link, 0, 1);
  const LBP_REAL a10 = LBP_(pair_at)(m, link, 1, 0), a11 = LBP_(pair_at)(m, link, 1, 1);
  *J = quarter * ((a00 + a11) - (a01 + a10));
  *h = quarter * ((a10 + a11) - (a00 + a01));
  if (LBP_(is_finite)(*J) && LBP_(is_finite)(*h)) return 1;
  *J = *h = 0;
  return 0;
}

/* The same of a site's own term. */
LBP_FN int LBP_(split_alone)(LBP_REAL zero, LBP_REAL one, LBP_REAL *h) {
  *h = (LBP_REAL)0.5 * (one - zero);
  if (LBP_(is_finite)(*h)) return 1;
  *h = 0;
  return 0;
}

/* The same of a link's term of one site. */
LBP_FN int LBP_(split_one)(const LBP_MODEL_T *m, const uint32_t *link, LBP_REAL *h) {
  return LBP_(split_alone)(LBP_(pair_at)(m, link, 0, 0), LBP_(pair_at)(m, link, 1, 0), h);
}

/* The sites that site i is coupled with, and the couplings; returns how many, at most LBP_MAX_NEIGHBOURS. One that is
 * in several terms with it is named for each. */
LBP_FN uint32_t LBP_NAME_(pairs_of)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t *site,
                                    LBP_REAL *J) {
  const uint32_t *link = LBP_(first_link)(c, i), *const end = LBP_(end_of_links)(c, i);
  uint32_t count = 0;
  LBP_REAL h;
  for (; link < end; link += LBP_(term_max)) {
    if (!LBP_(has_two_sites)(link, i) || !LBP_(split_pair)(m, link, &J[count], &h)) continue;
    site[count++] = link[LBP_(term_max) > 1];
  }
  return count;
}

/* The field of site i, and whether all of its terms of one and two sites could be split. */
LBP_FN int LBP_(field_of)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *sum) {
  const uint32_t *link = LBP_(first_link)(c, i), *const end = LBP_(end_of_links)(c, i);
  int all = LBP_(split_alone)(LBP_(call_site_term)(m, i, 0), LBP_(call_site_term)(m, i, 1), sum);
  for (; link < end; link += LBP_(term_max)) {
    LBP_REAL J, h = 0;
    if (LBP_(has_two_sites)(link, i)) all &= LBP_(split_pair)(m, link, &J, &h);
    else if (LBP_(has_one_site)(link, i)) all &= LBP_(split_one)(m, link, &h);
    *sum += h;
  }
  return all;
}

/* The field h_i of site i. */
LBP_FN LBP_REAL LBP_NAME_(field_of)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  LBP_REAL sum;
  LBP_(field_of)(c, m, i, &sum);
  return sum;
}

/* Whether log pi is these pairs and fields, and nothing else. Looks at all terms. */
LBP_FN int LBP_NAME_(is_pairwise)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  LBP_REAL sum;
  uint32_t i;
  int all = LBP_(is_short)(c, m);
  for (i = 0; i < LBP_P_COUNT(c) && all; i++) all = LBP_(field_of)(c, m, i, &sum);
  return all;
}

#elif !defined LBP_CAT_STATES

/* The sites that site i is coupled with, and the couplings; returns how many, at most LBP_MAX_NEIGHBOURS. */
LBP_FN uint32_t LBP_NAME_(pairs_of)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i,
                                    uint32_t *lbp_site, LBP_REAL *lbp_J) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i, (void)lbp_site, (void)lbp_J;
  return (uint32_t)(LBP_P_CALL(LBP_PAIRS, (lbp_m, lbp_i, lbp_site, lbp_J)));
}

/* The field h_i of site i; 0 without LBP_FIELD. */
LBP_FN LBP_REAL LBP_NAME_(field_of)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i;
#ifdef LBP_FIELD
  return (LBP_REAL)(LBP_P_CALL(LBP_FIELD, (lbp_m, lbp_i)));
#else
  return 0;
#endif
}

#elif defined LBP_TERM

/* The sites that site i is in a term with that has no third one; returns how many, at most LBP_MAX_NEIGHBOURS. */
LBP_FN uint32_t LBP_NAME_(pairs_of)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t *site) {
  const uint32_t *link = LBP_(first_link)(c, i), *const end = LBP_(end_of_links)(c, i);
  uint32_t count = 0;
  (void)m;
  for (; link < end; link += LBP_(term_max)) {
    if (LBP_(has_two_sites)(link, i)) site[count++] = link[LBP_(term_max) > 1];
  }
  return count;
}

/* The term of the k-th of these pairs where site i has v and the other one w; -infinity where that is impossible. */
LBP_FN LBP_REAL LBP_NAME_(pair_at)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t k, uint32_t v,
                                   uint32_t w) {
  const uint32_t *link = LBP_(first_link)(c, i);
  for (; k > 0 || !LBP_(has_two_sites)(link, i); link += LBP_(term_max)) k -= LBP_(has_two_sites)(link, i);
  return LBP_(pair_at)(m, link, v, w);
}

/* out[v] = h_i(v), for all v < K_i. */
LBP_FN void LBP_NAME_(field_of)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *out) {
  const uint32_t *link = LBP_(first_link)(c, i), *const end = LBP_(end_of_links)(c, i);
  uint32_t v;
  for (v = 0; v < LBP_P_STATES_OF(m, i); v++) out[v] = LBP_(call_site_term)(m, i, v);
  for (; link < end; link += LBP_(term_max)) {
    if (!LBP_(has_one_site)(link, i)) continue;
    for (v = 0; v < LBP_P_STATES_OF(m, i); v++) out[v] += LBP_(pair_at)(m, link, v, 0);
  }
}

/* Whether log pi is these pairs and fields, and nothing else. Looks at all links. */
LBP_FN int LBP_NAME_(is_pairwise)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m) { return LBP_(is_short)(c, m); }

#else

/* The sites that site i is coupled with; returns how many, at most LBP_MAX_NEIGHBOURS. */
LBP_FN uint32_t LBP_NAME_(pairs_of)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i,
                                    uint32_t *lbp_site) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i, (void)lbp_site;
  return (uint32_t)(LBP_P_CALL(LBP_CAT_PAIRS, (lbp_m, lbp_i, lbp_site)));
}

/* a_ij(v, w), j the k-th of these sites. */
LBP_FN LBP_REAL LBP_NAME_(pair_at)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i, uint32_t lbp_k,
                                   uint32_t lbp_v, uint32_t lbp_w) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i, (void)lbp_k, (void)lbp_v, (void)lbp_w;
  return (LBP_REAL)(LBP_P_CALL(LBP_CAT_PAIR, (lbp_m, lbp_i, lbp_k, lbp_v, lbp_w)));
}

/* out[v] = h_i(v), for all v < K_i; 0 without LBP_CAT_FIELD. */
LBP_FN void LBP_NAME_(field_of)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i, LBP_REAL *lbp_out) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i;
#ifdef LBP_CAT_FIELD
  LBP_P_CALL(LBP_CAT_FIELD, (lbp_m, lbp_i, lbp_out));
#else
  memset(lbp_out, 0, LBP_P_VALUES * sizeof *lbp_out);
#endif
}
#endif

#ifndef LBP_TERM
/* Whether the model promises that log pi is these pairs and fields, and nothing else. */
LBP_FN int LBP_NAME_(is_pairwise)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  (void)c, (void)m;
#if defined LBP_FIELD || defined LBP_CAT_FIELD
  return 1;
#else
  return 0;
#endif
}
#endif

/* ---- part of the check ------------------------------------------------------------------------------------------- */

LBP_FN int LBP_(judge_list)(const LBP_CHAIN_T *c, uint32_t i, const uint32_t *list, uint32_t count,
                            LBP_REPORT_T *report);

#ifdef LBP_UNIT
/* A number that should be whole in units. */
LBP_COLD int LBP_(check_whole)(const LBP_MODEL_T *m, LBP_REAL v, uint32_t i, uint32_t j, LBP_REPORT_T *report) {
  if (!LBP_(is_finite)(v) || LBP_(is_whole)(v, LBP_NAME_(unit_of)(m))) return LBP_OK;
  return LBP_(find)(report, LBP_E_UNIT, i, j, v, LBP_NAME_(unit_of)(m));
}
#endif

#ifndef LBP_CAT_STATES
/* The sum of site i's couplings with site j. */
LBP_FN LBP_REAL LBP_(coupling)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t j) {
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], count, k;
  LBP_REAL J[LBP_MAX_NEIGHBOURS + LBP_BLOCK], sum = 0;
  count = LBP_NAME_(pairs_of)(c, m, i, site, J);
  for (k = 0; k < count; k++) sum += site[k] == j ? J[k] : 0;
  return sum;
}

/* Site i: its couplings are numbers, and those of the other sites; with its field they give its log-ratio, if the model
 * is pairwise. */
LBP_COLD int LBP_(check_pairs)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, int pairwise, LBP_REPORT_T *report) {
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], k;
  LBP_REAL J[LBP_MAX_NEIGHBOURS + LBP_BLOCK], sum = LBP_NAME_(field_of)(c, m, i), scale = LBP_(abs)(sum), want, got;
  const uint32_t count = LBP_NAME_(pairs_of)(c, m, i, site, J);
  int status = LBP_(judge_list)(c, i, site, count, report);
  LBP_P_UNITS(if (status == LBP_OK) status = LBP_(check_whole)(m, 4 * sum, i, i, report);)
  for (k = 0; k < count && status == LBP_OK; k++) {
    const LBP_REAL here = LBP_(coupling)(c, m, i, site[k]), there = LBP_(coupling)(c, m, site[k], i);
    if (site[k] == i || !LBP_(is_finite)(here) || !LBP_(agree)(there, here, LBP_(abs)(here))) {
      return LBP_(find)(report, LBP_E_PAIRS, i, site[k], there, here);
    }
    LBP_P_UNITS(status = LBP_(check_whole)(m, 4 * J[k], i, site[k], report);)
    sum += c->x[site[k]] ? J[k] : -J[k];
    scale += LBP_(abs)(J[k]);
  }
  if (status != LBP_OK || !pairwise) return status;
  want = c->x[i] ? -2 * sum : 2 * sum;
  got = LBP_(call_delta)(c, m, i);
  if (LBP_(agree)(got, want, 2 * scale)) return LBP_OK;
  return LBP_(find)(report, LBP_E_PAIRS, i, i, got, want);
}

#else
/* The sum of site i's tables with site j, at these values. */
LBP_FN LBP_REAL LBP_(coupling)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t j, uint32_t v,
                               uint32_t w) {
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], k;
  const uint32_t count = LBP_NAME_(pairs_of)(c, m, i, site);
  LBP_REAL sum = 0;
  for (k = 0; k < count; k++) {
    if (site[k] == j) sum += LBP_NAME_(pair_at)(c, m, i, k, v, w);
  }
  return sum;
}

/* Site i's table with its k-th site, all values of the one and the other's own. Adds to want[]. */
LBP_COLD int LBP_(check_pair)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t j, uint32_t k, LBP_REAL *want,
                              LBP_REPORT_T *report) {
  const uint32_t states = LBP_(states_of)(m, i), w = c->x[j];
  uint32_t v;
  int status = LBP_OK;
  for (v = 0; v < states && status == LBP_OK; v++) {
    const LBP_REAL one = LBP_NAME_(pair_at)(c, m, i, k, v, w);
    const LBP_REAL here = LBP_(coupling)(c, m, i, j, v, w), there = LBP_(coupling)(c, m, j, i, w, v);
    if (j == i || LBP_(is_nan)(here) || !LBP_(agree)(there, here, LBP_(abs)(here))) {
      return LBP_(find)(report, LBP_E_PAIRS, i, j, there, here);
    }
    LBP_P_UNITS(status = LBP_(check_whole)(m, one, i, j, report);)
    want[v] += one;
  }
  return status;
}

/* Site i: its tables are those of the other sites; with its field they give its log-ratios, if the model is pairwise.
 */
LBP_COLD int LBP_(check_pairs)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, int pairwise, LBP_REPORT_T *report) {
  const uint32_t states = LBP_(states_of)(m, i), own = c->x[i];
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], k, v;
  const uint32_t count = LBP_NAME_(pairs_of)(c, m, i, site);
  LBP_REAL want[LBP_P_VALUES], got[LBP_P_VALUES];
  int status = LBP_(judge_list)(c, i, site, count, report);
  LBP_NAME_(field_of)(c, m, i, want);
  for (v = 0; v < states && status == LBP_OK; v++) {
    LBP_P_UNITS(status = LBP_(check_whole)(m, want[v], i, i, report);)
  }
  for (k = 0; k < count && status == LBP_OK; k++) status = LBP_(check_pair)(c, m, i, site[k], k, want, report);
  if (status != LBP_OK || !pairwise) return status;
  LBP_(call_deltas_of)(c, m, i, got);
  for (v = 0; v < states; v++) {
    const LBP_REAL gain = want[v] - want[own], scale = LBP_(abs)(want[v]) + LBP_(abs)(want[own]);
    if (v == own || LBP_(agree)(got[v], gain, scale)) continue;
    return LBP_(find)(report, LBP_E_PAIRS, i, i, got[v], gain);
  }
  return LBP_OK;
}
#endif

#endif /* LBP_P_INSTANCE */
