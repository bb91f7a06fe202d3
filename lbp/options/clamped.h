/* lbp/options/clamped.h - sites that never move, such as evidence, or the known part of a picture: LBP_CLAMPED.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_CLAMPED is
 * defined. You need it for NAME_clamp, and for run.clamp, and don't include it yourself.
 *
 * LBP_CLAMPED: if defined, each chain has a mask of clamped sites; none are clamped until NAME_clamp sets it. All
 * samplers then draw the other sites, given the clamped ones. They treat the flip of a clamped site as impossible, with
 * log-ratio -infinity, and never ask the model for it. If a clamped site has changed, a checked build
 * reports LBP_E_STALE at site 0.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/clamped.h: lbp.h includes it, inside its template: don't include it yourself"
#else

LBP_INLINE int LBP_(is_clamped)(const LBP_CHAIN_T *c, uint32_t i) { return c->mask && c->mask[i]; }

#ifdef LBP_CAT_STATES
/* All values of one site, but for the one that it has. */
LBP_INLINE void LBP_(clamp_row)(const LBP_CHAIN_T *c, uint32_t i, LBP_REAL *d) {
  uint32_t v;
  for (v = 0; LBP_(is_clamped)(c, i) && v < LBP_P_VALUES; v++) {
    if (v != c->x[i]) d[v] = (LBP_REAL)lbp_impossible();
  }
}
#elif !LBP_P_LOCAL
LBP_FN void LBP_(clamp_ratios)(LBP_CHAIN_T *c) {
  uint32_t i;
  for (i = 0; c->mask && i < LBP_P_COUNT(c); i++) {
    if (c->mask[i]) c->ratio[i] = (LBP_REAL)lbp_impossible();
  }
}
#endif

#ifndef LBP_CAT_STATES
/* Draws R different sites that are free, at most as many as there are, uniformly: touched[0 .. R). By tries, as long as
 * these cost less than a pass through the whole mask; otherwise from a list of the free sites. */
LBP_CALLED uint32_t LBP_(draw_free)(LBP_CHAIN_T *c, uint32_t R, LBP_RNG_T *rng) {
  const uint32_t n = LBP_P_COUNT(c), *list = R > c->free / 8 ? c->again : NULL, sides = list ? c->free : n;
  uint64_t room[LBP_BLOCK];
  uint32_t k = 0, i, count = 0;
  for (i = 0; list && i < n; i++) {
    c->again[count] = i; /* written always, kept where it is free */
    count += !c->mask[i];
    if (count == c->free) break; /* the rest is clamped */
  }
  while (k < R) {
    uint32_t h;
    const uint64_t *word;
    count = R - k < LBP_BLOCK ? R - k : LBP_BLOCK;
    word = LBP_(words)(rng, room, &count);
    for (h = 0; h < count; h++) {
      i = (uint32_t)lbp_mulhi(word[h], sides);
      if (list) i = list[i];
      if (!c->mask[i]) k += lbp_urn_mark(c->weight, c->touched, c->before, i, k);
    }
  }
  return k;
}
#endif

LBP_FN void LBP_NAME_(touch)(LBP_CHAIN_T *c); /* further down in lbp.h */

#if LBP_CHECKED
/* A hash of the values of clamped sites, for checked builds: it must be the same until NAME_touch or NAME_clamp. */
LBP_FN uint64_t LBP_(hash_of_clamped)(const LBP_CHAIN_T *c) {
  const uint8_t *mask = c->mask;
  uint64_t hash = 0;
  uint32_t i;
  LBP_P_GROUPS(mask = c->groups.clamps;)
  for (i = 0; mask && i < LBP_P_COUNT(c); i++) {
    if (mask[i]) hash = (hash ^ c->x[i]) * 0x9e3779b97f4a7c15u + i;
  }
  return hash;
}
#endif

/* Clamps the sites i with mask[i] != 0, instead of those clamped before: they keep their present values in x. mask: n
 * bytes; NULL: all sites are free. The mask stays yours: it must outlive the chain and stay unchanged. To change it,
 * call this again; to give clamped sites other values, write to x and call this or NAME_touch. The next step looks at
 * all sites once. NAME_init sets no mask, and NAME_check ignores it.
 *
 * R is at most the number of free sites, and 1/2 less in steps with a tuner, whatever the tuner learned before. The
 * evaluations that steps report may include clamped sites that they did not evaluate.
 *
 * Returns LBP_OK, or LBP_E_NULL (no chain), LBP_E_CLAMPED (no site is free: steps then do nothing). */
LBP_CALLED int LBP_NAME_(clamp)(LBP_CHAIN_T *c, const uint8_t *mask) {
  uint32_t i;
  if (!c) return LBP_E_NULL;
  c->free = LBP_P_COUNT(c);
  for (i = 0; mask && i < LBP_P_COUNT(c); i++) c->free -= mask[i] != 0;
  c->mask = c->free < LBP_P_COUNT(c) ? mask : NULL;
  LBP_P_GROUPS(c->groups.clamps = c->mask;)
  LBP_NAME_(touch)(c);
  return c->free > 0 ? LBP_OK : LBP_E_CLAMPED;
}

#ifdef LBP_GROUP
#include "groups.h"
#endif

#endif /* LBP_P_INSTANCE */
