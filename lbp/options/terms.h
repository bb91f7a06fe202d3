/* lbp/options/terms.h - log pi as a sum of terms, each of a few sites: LBP_TERM.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_TERM is
 * defined. You need it for factor graphs, Ising and Potts models, constraint satisfaction, hidden Markov models and the
 * like, and don't include it yourself.
 *
 *   log pi(x) = sum over terms t of LBP_TERM(t, values of its sites) + sum over sites i of LBP_SITE_TERM(i, x_i)
 *
 * You define nothing else. The library computes the log-ratios (LBP_DELTA), the neighbours (LBP_NEIGHBOURS), log pi
 * (LBP_LOGP), and the pairs and fields of lbp/options/pairs.h, for sites of two values or more (LBP_CAT_STATES).
 *
 *   typedef struct { uint32_t n; double beta, field; } ring;
 *   LBP_FN uint32_t ring_pair(const ring *m, uint32_t t, uint32_t *out) {
 *     out[0] = t, out[1] = (t + 1) % m->n;
 *     return 2;
 *   }
 *   #define LBP_NAME               ring
 *   #define LBP_MODEL_T            ring
 *   #define LBP_TERM_COUNT(m)      (m)->n
 *   #define LBP_TERM_SITES         ring_pair
 *   #define LBP_TERM(m, t, v)      ((v)[0] == (v)[1] ? (m)->beta : -(m)->beta)
 *   #define LBP_SITE_TERM(m, i, v) ((v) ? (m)->field : -(m)->field)
 *   #define LBP_TERM_MAX           2
 *   #define LBP_TERMS_OF_MAX       2
 *   #include "lbp.h"
 *
 * LBP_TERM_COUNT(m) -> uint32_t: number of terms; may be 0.
 *
 * LBP_TERM_SITES(m, t, out) -> uint32_t: writes the sites of term t, 0 <= t < LBP_TERM_COUNT(m), and returns their
 * number: at most LBP_TERM_MAX, all different. 0: there is no such term. The sites must not depend on the state.
 *
 * LBP_TERM(m, t, v) -> LBP_REAL: the value of term t if its sites have the values v[0], v[1] ..., in the order of
 * LBP_TERM_SITES: a number, or -infinity if these values are impossible together; never NaN or +infinity. All values
 * are below LBP_CAT_STATES_OF. v is const uint8_t *.
 *
 * LBP_SITE_TERM(m, i, v) -> LBP_REAL: optional: the term of site i alone, if x_i = v.
 *
 * LBP_TERM_MAX: the largest number of sites of a term, 1 to 256. Keep it small: steps look at so many sites for each
 * term. If LBP_TERM_SITES writes up to 64 more, this is reported; beyond that, it writes past the end of an array.
 *
 * LBP_TERMS_OF_MAX: the largest number of terms that contain a site, at least 1. Memory on the stack grows with it and
 * with LBP_TERM_MAX.
 *
 * You may still define LBP_LOGP. It is then log pi, and NAME_check compares the terms with it: no other check finds a
 * term with the wrong sign.
 *
 * LBP_DELTA, LBP_NEIGHBOURS and the like are not allowed next to LBP_TERM, nor are fields, flip lists and levels.
 * LBP_TEMPERED, LBP_BASE, LBP_CLAMPED, LBP_GROUP, LBP_CLOCK, LBP_PATH, LBP_SWEEPS and weights mean the same as they do
 * elsewhere. Sums are made in LBP_REAL, log pi of runs in double. Draws are the same to the bit as those of LBP_DELTA
 * with the same log-ratios.
 *
 * An index lists the terms of each site. Each model has one, which all of its chains share:
 *
 *   size_t ring_terms_len  (const ring *, uint32_t n)                              memory of the index, in uint32_t's
 *   int    ring_terms_init (ring_terms *, const ring *, uint32_t n, uint32_t *index, size_t index_len)
 *   int    ring_init       (ring_chain *, uint32_t n, uint8_t *x, const ring_terms *, uint64_t *ws, size_t ws_len)
 *
 * It depends on LBP_TERM_COUNT and LBP_TERM_SITES, not on values of terms. After you change the temperature or a
 * coupling, call NAME_touch for each chain; after you change the sites of terms, call NAME_terms_init before that.
 * lbp_run.h makes the index itself.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/terms.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* ---- the index --------------------------------------------------------------------------------------------------- */

/* A link records that a site is in a term, in LBP_TERM_MAX words. The first one is the term's number and, in its lowest
 * bits, the site's own place among the term's sites. The others are these sites in their order, without the own one;
 * where the term has fewer than LBP_TERM_MAX, the own site fills the rest, so that each word is a site to be read. */
enum {
  LBP_(term_max) = LBP_TERM_MAX,
  LBP_(terms_of_max) = LBP_TERMS_OF_MAX,
  LBP_(LBP_TERM_MAX_is_1_to_256) = 1 / (LBP_(term_max) >= 1 && LBP_(term_max) <= 256),
  LBP_(LBP_TERMS_OF_MAX_is_1_or_more) = 1 / (LBP_(terms_of_max) >= 1),
  LBP_(place_bits) = (LBP_(term_max) > 1) + (LBP_(term_max) > 2) + (LBP_(term_max) > 4) + (LBP_(term_max) > 8) +
                     (LBP_(term_max) > 16) + (LBP_(term_max) > 32) + (LBP_(term_max) > 64) + (LBP_(term_max) > 128),
  LBP_(term_room) = LBP_(term_max) + 64 /* for a term that has more sites than it may have */
};

/* The index of a model's terms. Read n and fault; leave the rest to the functions below. One that is of fixed size, by
 * LBP_N, may be copied. */
typedef struct LBP_NAME_(terms) {
  uint32_t n;         /* sites; 0: NAME_terms_init has not made it */
  LBP_REPORT_T fault; /* the fault found by NAME_terms_init: `other` is the term */
#ifdef LBP_N
  uint32_t start[LBP_N + 1]; /* the links of site i are numbers start[i] ... start[i + 1] - 1 */
  uint32_t link[(size_t)(LBP_N) * LBP_(terms_of_max) * LBP_(term_max)];
#else
  uint32_t *start, *link;
#endif
} LBP_NAME_(terms);

LBP_INLINE uint32_t LBP_(term_count)(const LBP_MODEL_T *lbp_m) {
  (void)lbp_m;
  return (uint32_t)(LBP_P_CALL(LBP_TERM_COUNT, (lbp_m)));
}

LBP_INLINE uint32_t LBP_(term_sites)(const LBP_MODEL_T *lbp_m, uint32_t lbp_t, uint32_t *lbp_out) {
  (void)lbp_m, (void)lbp_t, (void)lbp_out;
  return (uint32_t)(LBP_P_CALL(LBP_TERM_SITES, (lbp_m, lbp_t, lbp_out)));
}

/* A product in LBP_TERM is not to be fused with the sum that takes it: see lbp_rounded. */
LBP_INLINE LBP_REAL LBP_(call_term)(const LBP_MODEL_T *lbp_m, uint32_t lbp_t, const uint8_t *lbp_v) {
  const LBP_REAL lbp_value = (LBP_REAL)(LBP_P_CALL(LBP_TERM, (lbp_m, lbp_t, lbp_v)));
  (void)lbp_m, (void)lbp_t, (void)lbp_v;
  return LBP_P_SIZED(LBP_REAL, lbp_roundedf((float)lbp_value), lbp_rounded((double)lbp_value));
}

/* Of log pi, which runs need in double; without them, processors without it are to be spared. */
#ifdef LBP_P_RUN
typedef double LBP_(wide);
#else
typedef LBP_REAL LBP_(wide);
#endif

LBP_INLINE LBP_(wide) LBP_(settled)(LBP_(wide) v) {
  return sizeof v == sizeof(float) ? (LBP_(wide))lbp_roundedf((float)v) : (LBP_(wide))lbp_rounded((double)v);
}

/* The term with as many digits. */
LBP_INLINE LBP_(wide) LBP_(call_term_wide)(const LBP_MODEL_T *lbp_m, uint32_t lbp_t, const uint8_t *lbp_v) {
  (void)lbp_m, (void)lbp_t, (void)lbp_v;
  return LBP_(settled)((LBP_(wide))(LBP_P_CALL(LBP_TERM, (lbp_m, lbp_t, lbp_v))));
}

#ifdef LBP_SITE_TERM
LBP_INLINE LBP_REAL LBP_(call_site_term)(const LBP_MODEL_T *lbp_m, uint32_t lbp_i, uint32_t lbp_v) {
  const LBP_REAL lbp_value = (LBP_REAL)(LBP_P_CALL(LBP_SITE_TERM, (lbp_m, lbp_i, lbp_v)));
  (void)lbp_m, (void)lbp_i, (void)lbp_v;
  return LBP_P_SIZED(LBP_REAL, lbp_roundedf((float)lbp_value), lbp_rounded((double)lbp_value));
}

LBP_INLINE LBP_(wide) LBP_(call_site_term_wide)(const LBP_MODEL_T *lbp_m, uint32_t lbp_i, uint32_t lbp_v) {
  (void)lbp_m, (void)lbp_i, (void)lbp_v;
  return LBP_(settled)((LBP_(wide))(LBP_P_CALL(LBP_SITE_TERM, (lbp_m, lbp_i, lbp_v))));
}
#else
LBP_INLINE LBP_REAL LBP_(call_site_term)(const LBP_MODEL_T *m, uint32_t i, uint32_t v) {
  return (void)m, (void)i, (void)v, (LBP_REAL)0;
}

LBP_INLINE LBP_(wide) LBP_(call_site_term_wide)(const LBP_MODEL_T *m, uint32_t i, uint32_t v) {
  return (void)m, (void)i, (void)v, (LBP_(wide))0;
}
#endif

/* How many values site i has: cat.h defines it further down. */
LBP_P_CAT(LBP_INLINE uint32_t LBP_(states_of)(const LBP_MODEL_T *lbp_m, uint32_t lbp_i);)

/* ---- making it --------------------------------------------------------------------------------------------------- */

/* The sites of term t, and how many. Returns LBP_OK, or their fault, which is in t->fault then. */
LBP_FN int LBP_(judge_term)(LBP_REPORT_T *fault, const LBP_MODEL_T *m, uint32_t n, uint32_t t, uint32_t *site,
                            uint32_t *count) {
  const uint32_t most = LBP_(term_max);
  uint32_t k, j;
  *count = LBP_(term_sites)(m, t, site);
  if (*count > most) return LBP_(find)(fault, LBP_E_TERM_MAX, 0, t, (LBP_REAL)*count, (LBP_REAL)most);
  for (k = 0; k < *count; k++) {
    if (site[k] >= n) return LBP_(find)(fault, LBP_E_TERM_SITES, site[k], t, (LBP_REAL)site[k], (LBP_REAL)n);
    for (j = 0; j < k && site[j] != site[k];) j++;
    if (j < k) return LBP_(find)(fault, LBP_E_TERM_TWICE, site[k], t, (LBP_REAL)site[k], (LBP_REAL)site[k]);
  }
  return LBP_OK;
}

/* Terms and links are numbered by 32 bits, some of which hold the place of a site. */
LBP_FN int LBP_(are_too_many)(uint64_t links, uint32_t terms) {
  return links > UINT32_MAX || (terms > 0 && (uint64_t)(terms - 1) >> (32 - LBP_(place_bits)) > 0);
}

#ifndef LBP_N
/* Length in uint32_t's of the memory that an index of this model with n sites takes: for each site 1, for each link
 * LBP_TERM_MAX, and 1. LBP_TERMS_LEN(n, LBP_TERM_MAX, LBP_TERMS_OF_MAX) is enough for all models, and a constant. */
LBP_FN size_t LBP_NAME_(terms_len)(const LBP_MODEL_T *m, uint32_t n) {
  const uint32_t terms = LBP_(term_count)(m), most = LBP_(term_max);
  uint32_t site[LBP_(term_room)], t;
  size_t links = 0;
  for (t = 0; t < terms; t++) {
    const uint32_t count = LBP_(term_sites)(m, t, site);
    links = lbp_size_plus(links, count < most ? count : most);
  }
  return lbp_size_plus(lbp_size_plus(n, 1), lbp_size_times(links, most));
}
#endif

/* Writes the link of the site at this place of a term. */
LBP_FN void LBP_(write_link)(uint32_t *link, uint32_t t, const uint32_t *site, uint32_t count, uint32_t place) {
  const uint32_t bits = LBP_(place_bits), most = LBP_(term_max);
  uint32_t k;
  link[0] = bits > 0 ? t << bits | place : t;
  for (k = 0; k + 1 < most; k++) link[1 + k] = k + 1 < count ? site[k + (k >= place)] : site[place];
}

/* Counts the links of each site; start[i] becomes where they end. *links: all. */
LBP_FN int LBP_(count_links)(LBP_NAME_(terms) *terms, const LBP_MODEL_T *m, uint32_t n, uint64_t *links) {
  const uint32_t most = LBP_(terms_of_max), all = LBP_(term_count)(m);
  uint32_t site[LBP_(term_room)], *start = terms->start, t, k, i, count;
  *links = 0;
  for (i = 0; i <= n; i++) start[i] = 0;
  for (t = 0; t < all; t++) {
    if (LBP_(judge_term)(&terms->fault, m, n, t, site, &count) != LBP_OK) return terms->fault.status;
    for (k = 0; k < count; k++) start[site[k]]++;
    *links += count;
    if (LBP_(are_too_many)(*links, all)) return LBP_(find)(&terms->fault, LBP_E_SIZE, 0, t, 0, 0);
  }
  for (i = 0; i <= n; i++) {
    if (start[i] > most) {
      return LBP_(find)(&terms->fault, LBP_E_TERMS_OF_MAX, i, i, (LBP_REAL)start[i], (LBP_REAL)most);
    }
    if (i > 0) start[i] += start[i - 1];
  }
  return LBP_OK;
}

/* Writes all links, from the last to the first, so that each site's are by increasing terms and start[i] becomes where
 * they begin. */
LBP_FN void LBP_(write_links)(LBP_NAME_(terms) *terms, const LBP_MODEL_T *m) {
  uint32_t site[LBP_(term_room)], t = LBP_(term_count)(m), k, count;
  while (t-- > 0) {
    count = LBP_(term_sites)(m, t, site);
    for (k = 0; k < count; k++) {
      LBP_(write_link)(terms->link + (size_t)--terms->start[site[k]] * LBP_(term_max), t, site, count, k);
    }
  }
}

/* Makes the index of a model's terms; once a model, all chains share it. n known at run time: NAME_terms_init(terms, m,
 * n, index, index_len); `index` is yours, must outlive the chains, and has NAME_terms_len(m, n) uint32_t's. n fixed by
 * LBP_N: NAME_terms_init(terms, m); the index lies inside.
 *
 * Returns LBP_OK, or LBP_E_NULL; LBP_E_SIZE: n, or more than 2^32 - 1 links; LBP_E_WORKSPACE: the index is too short;
 * LBP_E_TERM_SITES: a term names a site >= n; LBP_E_TERM_TWICE: or one twice; LBP_E_TERM_MAX: it has more sites than
 * that; LBP_E_TERMS_OF_MAX: a site is in more terms. terms->fault has the site, the term (`other`) and the numbers. */
#ifdef LBP_N
LBP_FN int LBP_NAME_(terms_init)(LBP_NAME_(terms) *terms, const LBP_MODEL_T *m
#else
LBP_FN int LBP_NAME_(terms_init)(LBP_NAME_(terms) *terms, const LBP_MODEL_T *m, uint32_t n, uint32_t *index,
                                 size_t index_len
#endif
) {
#ifdef LBP_N
  const uint32_t n = LBP_N;
#endif
  uint64_t links;
  int status;
  if (!terms) return LBP_E_NULL;
  terms->n = 0;
  LBP_(find)(&terms->fault, LBP_OK, 0, 0, 0, 0);
#ifndef LBP_N
  if (!index) return LBP_(find)(&terms->fault, LBP_E_NULL, 0, 0, 0, 0);
  if (n < 1 || n > LBP_MAX_SITES) return LBP_(find)(&terms->fault, LBP_E_SIZE, 0, 0, 0, 0);
  if (index_len <= n) return LBP_(find)(&terms->fault, LBP_E_WORKSPACE, 0, 0, 0, 0);
  terms->start = index;
  terms->link = index + n + 1;
#endif
  status = LBP_(count_links)(terms, m, n, &links);
  if (status != LBP_OK) return status;
#ifndef LBP_N
  if ((index_len - n - 1) / LBP_(term_max) < links) return LBP_(find)(&terms->fault, LBP_E_WORKSPACE, 0, 0, 0, 0);
#endif
  LBP_(write_links)(terms, m);
  terms->n = n;
  return LBP_OK;
}

/* Gives the chain this index, if it can use it: LBP_OK, LBP_E_NULL, LBP_E_NOT_MADE, LBP_E_SIZE. */
LBP_FN int LBP_(take_terms)(LBP_CHAIN_T *c, const LBP_NAME_(terms) *terms) {
  c->terms = terms;
  if (!terms) return LBP_E_NULL;
  if (terms->n == 0) return LBP_E_NOT_MADE;
  return terms->n == LBP_P_COUNT(c) ? LBP_OK : LBP_E_SIZE;
}

/* ---- callbacks of steps ------------------------------------------------------------------------------------------ */

/* The links of site i: from here ... */
LBP_INLINE const uint32_t *LBP_(first_link)(const LBP_CHAIN_T *c, uint32_t i) {
  return c->terms->link + (size_t)c->terms->start[i] * LBP_(term_max);
}

/* ... to here. */
LBP_INLINE const uint32_t *LBP_(end_of_links)(const LBP_CHAIN_T *c, uint32_t i) {
  return LBP_(first_link)(c, i + 1);
}

LBP_INLINE uint32_t LBP_(term_of)(const uint32_t *link) { return *link >> LBP_(place_bits); }

LBP_INLINE uint32_t LBP_(place_of)(const uint32_t *link) { return *link & ((1u << LBP_(place_bits)) - 1u); }

/* The values of the other sites of a link's term, each at its place; at the own place, and where there is no site, any
 * value. Without branches: sites have their places in no order. */
LBP_INLINE void LBP_(gather)(const uint8_t *x, const uint32_t *link, uint8_t *v) {
  const uint32_t place = LBP_(place_of)(link), most = LBP_(term_max);
  uint8_t other[LBP_(term_max)];
  uint32_t k;
  v[0] = 0;
  if (most == 1) return;
  for (k = 0; k + 1 < most; k++) other[k] = x[link[1 + k]];
  for (k = 0; k < most; k++) v[k] = other[k > 0 && (k + 1 == most || k > place) ? k - 1 : k];
}

/* The term of a link where its own site has this value. */
LBP_INLINE LBP_REAL LBP_(term_at)(const LBP_MODEL_T *m, const uint32_t *link, const uint8_t *v, uint32_t value) {
  const uint32_t place = LBP_(place_of)(link), most = LBP_(term_max);
  uint8_t all[LBP_(term_max)];
  uint32_t k;
  for (k = 0; k < most; k++) all[k] = k == place ? (uint8_t)value : v[k];
  return LBP_(call_term)(m, LBP_(term_of)(link), all);
}

/* to - from, where both may be -infinity: a move between two impossible states is impossible. */
LBP_INLINE LBP_REAL LBP_(change)(LBP_REAL from, LBP_REAL to) {
  const LBP_REAL d = to - from;
  if (LBP_SELDOM(LBP_FAST_MATH ? LBP_(is_nan)(d) : d != d)) {
    if (!LBP_(is_nan)(from) && !LBP_(is_nan)(to) && from < 0) return to;
  }
  return d;
}

#ifndef LBP_CAT_STATES
/* A term of two sites where they have these values. */
LBP_INLINE LBP_REAL LBP_(pair_term)(const LBP_MODEL_T *m, uint32_t t, uint32_t a, uint32_t b) {
  uint8_t v[LBP_(term_max)];
  v[0] = (uint8_t)a;
  v[LBP_(term_max) > 1] = (uint8_t)b;
  return LBP_(call_term)(m, t, v);
}

/* log pi(x with site i flipped) - log pi(x). Terms of two sites are asked for all four pairs of values, which are
 * constants to the compiler, and then looked up: a branch on the other site's value would be mispredicted. */
LBP_INLINE LBP_REAL LBP_(terms_delta)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  const uint32_t *link = LBP_(first_link)(c, i), *const end = LBP_(end_of_links)(c, i);
  LBP_REAL zero = LBP_(call_site_term)(m, i, 0), one = LBP_(call_site_term)(m, i, 1);
  for (; link < end; link += LBP_(term_max)) {
    if (LBP_(term_max) == 2) {
      const uint32_t t = LBP_(term_of)(link), place = LBP_(place_of)(link);
      const uint32_t at = (uint32_t)c->x[link[1 % LBP_(term_max)]] << place; /* 0: the first site is the own one */
      LBP_REAL value[4];
      value[0] = LBP_(pair_term)(m, t, 0, 0);
      value[1] = LBP_(pair_term)(m, t, 0, 1);
      value[2] = LBP_(pair_term)(m, t, 1, 0);
      value[3] = LBP_(pair_term)(m, t, 1, 1);
      zero += value[at];
      one += value[at + (2u >> place)];
    } else {
      uint8_t others[LBP_(term_max)];
      LBP_(gather)(c->x, link, others);
      zero += LBP_(term_at)(m, link, others, 0);
      one += LBP_(term_at)(m, link, others, 1);
    }
  }
  return c->x[i] ? LBP_(change)(one, zero) : LBP_(change)(zero, one);
}
#else
/* log pi(x with x_i = v) - log pi(x). */
LBP_INLINE LBP_REAL LBP_(terms_delta)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t v) {
  const uint32_t *link = LBP_(first_link)(c, i), *const end = LBP_(end_of_links)(c, i), own = c->x[i];
  LBP_REAL from = LBP_(call_site_term)(m, i, own), to = LBP_(call_site_term)(m, i, v);
  for (; link < end; link += LBP_(term_max)) {
    uint8_t others[LBP_(term_max)];
    LBP_(gather)(c->x, link, others);
    from += LBP_(term_at)(m, link, others, own);
    to += LBP_(term_at)(m, link, others, v);
  }
  return LBP_(change)(from, to);
}
#endif

#ifdef LBP_CAT_STATES
/* The same for all values v of site i. */
LBP_INLINE void LBP_(terms_row)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REAL *out) {
  const uint32_t *link = LBP_(first_link)(c, i), *const end = LBP_(end_of_links)(c, i);
  const uint32_t states = LBP_P_STATES_OF(m, i), own = c->x[i];
  LBP_REAL from;
  uint32_t v;
  for (v = 0; v < states; v++) out[v] = LBP_(call_site_term)(m, i, v);
  for (; link < end; link += LBP_(term_max)) {
    uint8_t others[LBP_(term_max)];
    LBP_(gather)(c->x, link, others);
    for (v = 0; v < states; v++) out[v] += LBP_(term_at)(m, link, others, v);
  }
  from = out[own];
  for (v = 0; v < states; v++) out[v] = v == own ? 0 : LBP_(change)(from, out[v]);
}
#endif

/* All other sites of all terms that site i is in, some of them more than once. */
LBP_INLINE uint32_t LBP_(terms_neighbours)(const LBP_CHAIN_T *c, uint32_t i, uint32_t *out) {
  const uint32_t *link = LBP_(first_link)(c, i), *const end = LBP_(end_of_links)(c, i), most = LBP_(term_max);
  uint32_t count = 0, k;
  for (; link < end; link += most) {
    for (k = 1; k < most; k++) { /* written always, kept where it is another site */
      out[count] = link[k];
      count += link[k] != i;
    }
  }
  return count;
}

/* log pi(x), from the model's terms, without the index: NAME_check compares the two. */
LBP_FN LBP_(wide) LBP_(terms_logp)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t terms = LBP_(term_count)(m);
  uint32_t site[LBP_(term_room)], t, i, k;
  LBP_(wide) sum = 0;
  for (i = 0; i < LBP_P_COUNT(c); i++) sum += LBP_(call_site_term_wide)(m, i, c->x[i]);
  for (t = 0; t < terms; t++) {
    uint8_t v[LBP_(term_room)];
    const uint32_t count = LBP_(term_sites)(m, t, site);
    if (count == 0) continue;
    for (k = 0; k < LBP_(term_max); k++) v[k] = c->x[site[k < count ? k : 0]];
    sum += LBP_(call_term_wide)(m, t, v);
  }
  return sum;
}

/* ---- parts of the check ------------------------------------------------------------------------------------------ */

/* Defined further down. */
LBP_INLINE uint64_t LBP_(word)(LBP_RNG_T *lbp_generator);
#ifdef LBP_UNIT
LBP_FN LBP_REAL LBP_NAME_(unit_of)(const LBP_MODEL_T *lbp_m);
LBP_FN int LBP_(is_whole)(LBP_REAL v, LBP_REAL unit);
#endif

/* Whether two links are the same. (Of the library's functions device code has memcpy and memset.) */
LBP_FN int LBP_(is_link)(const uint32_t *a, const uint32_t *b) {
  uint32_t k = 0;
  while (k < LBP_(term_max) && a[k] == b[k]) k++;
  return k == LBP_(term_max);
}

/* Checks that the index agrees with the model now: all links of all terms, each site's in turn, and no more. Where a
 * site's next link should be is counted in again[], as before[] may have sums of hazards. */
LBP_COLD int LBP_(check_index)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report) {
  const uint32_t n = LBP_P_COUNT(c), terms = LBP_(term_count)(m), *start = c->terms->start;
  uint32_t site[LBP_(term_room)], link[LBP_(term_max)], t, k, i, count;
  for (i = 0; i < n; i++) c->again[i] = start[i];
  for (t = 0; t < terms; t++) {
    if (LBP_(judge_term)(report, m, n, t, site, &count) != LBP_OK) return report->status;
    for (k = 0; k < count; k++) {
      const uint32_t at = c->again[site[k]]++;
      LBP_(write_link)(link, t, site, count, k);
      if (at < start[site[k] + 1] && LBP_(is_link)(c->terms->link + (size_t)at * LBP_(term_max), link)) continue;
      return LBP_(find)(report, LBP_E_TERMS_STALE, site[k], t, (LBP_REAL)k, (LBP_REAL)k);
    }
  }
  for (i = 0; i < n; i++) {
    if (c->again[i] == start[i + 1]) continue;
    return LBP_(find)(report, LBP_E_TERMS_STALE, i, i, (LBP_REAL)c->again[i], (LBP_REAL)start[i + 1]);
  }
  return LBP_OK;
}

/* One value of a term, or of a site's: a number or -infinity, and a whole number of units. */
LBP_COLD int LBP_(check_value)(const LBP_MODEL_T *m, LBP_REAL value, uint32_t i, uint32_t t, LBP_REPORT_T *report) {
  (void)m;
  if (LBP_(is_finite)(value)) {
#ifdef LBP_UNIT
    if (!LBP_(is_whole)(value, LBP_NAME_(unit_of)(m))) {
      return LBP_(find)(report, LBP_E_UNIT, i, t, value, LBP_NAME_(unit_of)(m));
    }
#endif
    return LBP_OK;
  }
  if (!LBP_(is_nan)(value) && value < 0) return LBP_OK;
  return LBP_(find)(report, LBP_E_TERM_NAN, i, t, value, value);
}

#if LBP_CHECKED
/* Of checked builds, at x: the index is still that of the model, and no term's value is NaN or infinity. */
LBP_FN int LBP_(examine_terms)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report) {
  const uint32_t n = LBP_P_COUNT(c), terms = LBP_(term_count)(m);
  uint32_t site[LBP_(term_room)], t, i, k;
  int status = LBP_(check_index)(c, m, report);
  for (t = 0; t < terms && status == LBP_OK; t++) {
    uint8_t v[LBP_(term_room)];
    const uint32_t count = LBP_(term_sites)(m, t, site);
    if (count == 0) continue;
    for (k = 0; k < LBP_(term_max); k++) v[k] = c->x[site[k < count ? k : 0]];
    status = LBP_(check_value)(m, LBP_(call_term)(m, t, v), site[0], t, report);
  }
  for (i = 0; i < n && status == LBP_OK; i++) {
    status = LBP_(check_value)(m, LBP_(call_site_term)(m, i, c->x[i]), i, LBP_NO_TERM, report);
  }
  return status;
}
#endif

/* The next of all values of a term's sites, the first site's fastest. Returns whether there is one. */
LBP_FN int LBP_(next_values)(const LBP_MODEL_T *m, const uint32_t *site, uint32_t count, uint8_t *v) {
  uint32_t k;
  (void)m, (void)site;
  for (k = 0; k < count; k++) {
    if ((uint32_t)v[k] + 1 < LBP_P_STATES_OF(m, site[k])) return v[k]++, 1;
    v[k] = 0;
  }
  return 0;
}

/* Term t: at all values of its sites, or where these are many at some, drawn at random. */
LBP_COLD int LBP_(check_term)(const LBP_MODEL_T *m, uint32_t t, LBP_RNG_T *rng, LBP_REPORT_T *report) {
  const uint32_t many = LBP_BLOCK;
  uint32_t site[LBP_(term_room)], cells = 1, tries, k;
  uint8_t v[LBP_(term_room)];
  const uint32_t count = LBP_(term_sites)(m, t, site);
  int status = LBP_OK;
  memset(v, 0, sizeof v);
  if (count == 0) return LBP_OK;
  for (k = 0; k < count && cells <= many; k++) cells *= LBP_P_STATES_OF(m, site[k]);
  for (tries = 0; tries < many && status == LBP_OK; tries++) {
    for (k = 0; k < count && cells > many; k++) {
      v[k] = (uint8_t)lbp_mulhi(LBP_(word)(rng), LBP_P_STATES_OF(m, site[k]));
    }
    status = LBP_(check_value)(m, LBP_(call_term)(m, t, v), site[0], t, report);
    if (cells <= many && !LBP_(next_values)(m, site, count, v)) break;
  }
  return status;
}

/* All terms: right sites, and values that they may have. */
LBP_COLD int LBP_(check_terms)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng, LBP_REPORT_T *report) {
  uint32_t t, i, v;
  int status = LBP_(check_index)(c, m, report);
  for (t = 0; t < LBP_(term_count)(m) && status == LBP_OK; t++) status = LBP_(check_term)(m, t, rng, report);
  for (i = 0; i < LBP_P_COUNT(c) && status == LBP_OK; i++) {
    for (v = 0; v < LBP_P_STATES_OF(m, i) && status == LBP_OK; v++) {
      status = LBP_(check_value)(m, LBP_(call_site_term)(m, i, v), i, LBP_NO_TERM, report);
    }
  }
  return status;
}

#endif /* LBP_P_INSTANCE */
