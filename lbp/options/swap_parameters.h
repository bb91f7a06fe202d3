/* lbp/options/swap_parameters.h - the parameters and arrays of an instance that LBP_GROUP sets.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp.h includes it before its template.
 */

#ifndef LBP_GROUP
#error "lbp/options/swap_parameters.h: lbp.h includes it, where LBP_GROUP is defined: don't include it yourself"
#else

#if !defined LBP_CLAMPED /* to samplers that flip, sites in groups are clamped */
#define LBP_CLAMPED
#endif

/* Groups have numbers below LBP_GROUPS, and below n. */
#ifdef LBP_GROUPS
#define LBP_P_MOST_GROUPS(n) ((uint32_t)(LBP_GROUPS) < (n) ? (uint32_t)(LBP_GROUPS) : (n))
#else
#define LBP_P_MOST_GROUPS(n) (n)
#endif

/* Whether there can be no more than one, as the compiler knows: then nobody asks which. */
#define LBP_P_ALONE (LBP_P_MOST_GROUPS(2u) == 1)

/* Arrays of a chain, by site or by group. Members of a group are listed one after another, ones first. */
#define LBP_P_GROUP_ARRAYS \
  LBP_P_ARRAY(uint64_t, sum, 2 * LBP_P_MOST_GROUPS(LBP_N));     /* 2 g + v: weights of group g's sites of value v */ \
  LBP_P_ARRAY(double, node, 2 * LBP_P_MOST_GROUPS(LBP_N));      /* node[k] = node[2 k] + node[2 k + 1]; groups last */ \
  LBP_P_ARRAY(uint32_t, top, 2 * LBP_P_MOST_GROUPS(LBP_N));     /* none of these weights is larger */ \
  LBP_P_ARRAY(uint32_t, start, LBP_P_MOST_GROUPS(LBP_N) + 1);   /* group g is member[start[g] .. start[g + 1]) */ \
  LBP_P_ARRAY(uint32_t, ones, LBP_P_MOST_GROUPS(LBP_N));        /* how many of these are 1 */ \
  LBP_P_ARRAY(uint32_t, member, LBP_N);                         /* sites that swaps can move */ \
  LBP_P_ARRAY(uint32_t, rank, LBP_N);                           /* its inverse: member[rank[i]] == i */ \
  LBP_P_ARRAY(uint32_t, group, LBP_N);                          /* by site; LBP_NO_GROUP: swaps can't move it */ \
  LBP_P_ARRAY(uint8_t, held, LBP_N);                            /* by site: 1: flips can't */

#endif /* LBP_GROUP */
