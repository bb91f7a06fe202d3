/* lbp.h - Metropolis-Hastings, Gibbs and rejection-free samplers for binary and categorical distributions, specialised
 * to your model by the compiler.
 *
 * Copyright (c) 2026 the lbp authors. SPDX-License-Identifier: MIT
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs a C99 or C++11 compiler and, from a C library, memcpy and memset of
 * <string.h> (with -nostdlib you supply these, and libgcc supplies operations that the processor lacks, such as
 * dividing 64-bit numbers); no libm, no malloc, no I/O, no globals.
 *
 * Define a few macros that describe the model and include this file to get step functions. The model is log pi as a sum
 * of terms (LBP_TERM, see lbp/options/terms.h), or log-ratios by hand. With
 *
 *   #define LBP_NAME           ising
 *   #define LBP_MODEL_T        grid              // your type: couplings, sizes, data ...
 *   #define LBP_DELTA          grid_delta        // log pi(x with site i flipped) - log pi(x)
 *   #define LBP_NEIGHBOURS     grid_neighbours   // the sites whose delta changes when i flips
 *   #define LBP_MAX_NEIGHBOURS 4
 *   #include "lbp.h"
 *
 * this file generates
 *
 *   ising_chain, ising_info, ising_tuner, ising_report, ising_real             types (ising_real is LBP_REAL)
 *   size_t     ising_ws_len (uint32_t n)                                       workspace, in uint64_t's
 *   int        ising_init   (ising_chain *, uint32_t n, uint8_t *x, uint64_t *ws, size_t ws_len)
 *   void       ising_touch  (ising_chain *)                                    x or the model was changed outside
 *   ising_info ising_lbp_step  (ising_chain *, const grid *, uint32_t R, lbp_rng *)   locally balanced, R sites
 *   ising_info ising_gwg_step  (ising_chain *, const grid *, uint32_t R, lbp_rng *)   the same with replacement
 *   ising_info ising_rwm_step  (ising_chain *, const grid *, uint32_t R, lbp_rng *)   R sites uniformly
 *   void       ising_lbp_steps (ising_chain *const *, const grid *, const uint32_t *R, lbp_rng *const *,
 *                               uint32_t count, ising_info *)                  many chains at once (LBP_DELTAS_MANY)
 *   ising_info ising_albp_step, ising_agwg_step, ising_arwm_step
 *                              (ising_chain *, const grid *, ising_tuner *, lbp_rng *) R tunes itself
 *   ising_info ising_gibbs_sweep (ising_chain *, const grid *, lbp_rng *)      every site once, in order
 *   ising_info ising_metropolis_sweep (ising_chain *, const grid *, lbp_rng *) the same by min(1, ratio) (LBP_SWEEPS)
 *   ising_info ising_skip_sweep (ising_chain *, const grid *, int weight, lbp_rng *)   either, visiting only flips
 *   ising_info ising_clock_step (ising_chain *, const grid *, double time, lbp_rng *)  never rejects (LBP_CLOCK)
 *   ising_info ising_path_step (ising_chain *, const grid *, uint32_t R, lbp_rng *)    R flips in turn (LBP_PATH)
 *   ising_info ising_swendsen_wang_step (ising_chain *, const grid *, lbp_rng *) all clusters (LBP_CLUSTERS)
 *   ising_info ising_wolff_step (ising_chain *, const grid *, lbp_rng *)       the cluster of a random site
 *   ising_parts ising_swap_parts (ising_chain *, ising_chain *, const grid *, lbp_rng *) between chains (LBP_PARTS)
 *   int        ising_tuner_init (ising_tuner *, uint32_t n, uint32_t warmup, ising_real target)
 *   int        ising_tuner_cost (ising_tuner *, ising_real r1, ising_real cost1, ising_real r2, ising_real cost2)
 *   uint32_t   ising_tuner_draw (const ising_tuner *, lbp_rng *)
 *   void       ising_tuner_update (ising_tuner *, ising_real accept)
 *   uint32_t   ising_random_r (ising_real mean, lbp_rng *)                     a random R with the given mean
 *   int        ising_temper (ising_chain *, ising_real beta)                   inverse temperature (LBP_TEMPERED)
 *   int        ising_clamp  (ising_chain *, const uint8_t *mask)               sites that never move (LBP_CLAMPED)
 *   ising_info ising_swap_step (ising_chain *, const grid *, uint32_t R, lbp_rng *)  keeps numbers of ones (LBP_GROUP)
 *   void       ising_lanes_metropolis_sweep (ising_lanes *, lbp_rng *)         up to 256 chains at once (LBP_LANES)
 *   ising_report ising_check (ising_chain *, const grid *, uint32_t trials, lbp_rng *)   is the model right?
 *   ising_report ising_fault (const ising_chain *)                             what a checked build has found
 *
 * and undefines every parameter, so the next include may describe the next model. Order of this file: numbers, random
 * numbers, weights, the urn; then the template: parameters, types, the user's macros, weights, drawing, proposing,
 * accepting, steps, the model check. Functions are documented where they are defined, parameters where they get
 * defaults. Code for an optional parameter is in a header of its own, which is named there and is included if you
 * define the parameter.
 *
 * All parameters, including those of lbp_ab.h and lbp_perm.h. The header on the right describes each of them.
 *
 *   Required
 *     LBP_NAME                     prefix of all generated names                -              lbp.h
 *     LBP_TERM, LBP_TERM_SITES, LBP_TERM_COUNT, LBP_TERM_MAX, LBP_TERMS_OF_MAX
 *                                  log pi, a sum of terms of a few sites each   -              lbp/options/terms.h
 *     LBP_DELTA, LBP_NEIGHBOURS, LBP_MAX_NEIGHBOURS
 *                                  or a local model: log-ratios, who changes    -              lbp.h
 *     LBP_DELTAS                   or a dense model: all log-ratios at once     -              lbp.h
 *     LBP_GRADIENT                 for lbp_ab.h: log pi and its gradient        -              lbp_ab.h
 *     LBP_EXCHANGE                 for lbp_perm.h: log-ratio of an exchange     -              lbp_perm.h
 *   The model
 *     LBP_MODEL_T                  its type                                     void           lbp.h
 *     LBP_REAL                     float or double                              double         lbp.h
 *     LBP_N                        number of sites, where it is fixed           at NAME_init   lbp.h
 *     LBP_SITE_TERM                next to LBP_TERM, terms of single sites      0              lbp/options/terms.h
 *     LBP_LOGP                     log pi(x): estimates and runs need it        none, terms    lbp.h
 *     LBP_DELTAS_EXACT             LBP_DELTAS are no estimates                  estimates      lbp.h
 *     LBP_DELTAS_MANY              of many chains at once                       none           lbp/options/many.h
 *     LBP_CONDITIONAL              log pi for all values of a site              LBP_LOGP       lbp_ab.h
 *     LBP_STATES                   values of a site, where it is fixed          at NAME_init   lbp_ab.h
 *     LBP_ROUNDING                 change of log-ratios by rounding             0              lbp/options/tempered.h
 *     LBP_PAIRS, LBP_FIELD, LBP_CAT_PAIRS, LBP_CAT_PAIR, LBP_CAT_FIELD
 *                                  couplings and fields                         terms, none    lbp/options/pairs.h
 *     LBP_UNIT                     unit of which terms are whole multiples      none           lbp/options/pairs.h
 *     LBP_LANES, LBP_LANES_SCALAR  chains in a word, by multi-spin coding       none           lbp/options/lanes.h
 *     LBP_FIELDS_T, LBP_FIELDS_INIT, LBP_FLIP
 *                                  quantities of each chain, after a flip       none           lbp/options/fields.h
 *     LBP_SAVE, LBP_RESTORE        fields, kept and put back                    a flip back    lbp/options/fields.h
 *     LBP_FLIP_LIST                LBP_FLIP that lists its changes              none           lbp/options/flip_list.h
 *     LBP_FIELDS_MAKE, LBP_FIELDS_FREE
 *                                  memory of fields, for runs                   none           lbp/run/flip_kernel.h
 *   What is sampled, and how
 *     LBP_WEIGHT                   LBP_SQRT, LBP_METROPOLIS, LBP_CUSTOM ...     LBP_BARKER     lbp.h
 *     LBP_LOG_WEIGHT               the function of LBP_CUSTOM                   -              lbp/options/custom.h
 *     LBP_TEMPERED, LBP_BASE       inverse temperature; log-odds at beta = 0    no, 0          lbp/options/tempered.h
 *     LBP_CLAMPED                  sites that never move                        no             lbp/options/clamped.h
 *     LBP_SWEEPS, LBP_LEVEL, LBP_LEVELS
 *                                  sweeps other than Gibbs; by levels of sites  no             lbp/options/sweeps.h
 *     LBP_CLOCK                    rejection-free chain, with this weight       no             lbp/options/clock.h
 *     LBP_PATH                     flips that follow each other                 no             lbp/options/path.h
 *     LBP_CLUSTERS                 clusters of sites that agree, of pairs       no             lbp/options/clusters.h
 *     LBP_PARTS, LBP_SYMMETRIC     exchanges of parts between two chains        no             lbp/options/parts.h
 *     LBP_GROUP, LBP_GROUPS, LBP_GROUP_ONES
 *                                  groups that keep their ones                  none           lbp/options/swap.h
 *     LBP_CAT_STATES, LBP_CAT_STATES_OF
 *                                  values of a site: most, and of each          2              lbp/options/cat.h
 *     LBP_CAT_DELTAS_OF, LBP_CAT_DELTA
 *                                  their log-ratios, in place of LBP_DELTA      -              lbp/options/cat.h
 *     LBP_CAT_POWERS_OF            and their exponentials, for Gibbs sweeps     none           lbp/options/cat.h
 *     LBP_CAT_CHANGE, LBP_CAT_BASE in place of LBP_FLIP, LBP_BASE               -              lbp/options/cat.h
 *     LBP_PERM_ROW, LBP_PERM_ROW_WEIGHT
 *                                  log-ratios of a row; log-chances of rows     LBP_EXCHANGE, 0 lbp_perm.h
 *     LBP_PERM_PARTIAL_ROWS, LBP_PERM_PARTIAL_COLUMNS
 *                                  partial matchings                            no             lbp_perm.h
 *   Speed, memory, numbers
 *     LBP_RNG_T, LBP_RNG_U64       another generator                            lbp_rng        lbp.h
 *     LBP_SORT_ABOVE               tries above which sites are sorted           8              lbp.h
 *     LBP_PREFETCH                 prefetches cache lines                       none           lbp.h
 *     LBP_FN, LBP_CHECKED, LBP_EXACT, LBP_VECTOR
 *                                  before the first include                     see there      lbp.h
 *
 * The state x is n bytes of 0 and 1, yours to read at any time. Call ising_check first: it finds missing neighbours
 * and, if you define LBP_LOGP, a wrong sign or factor, before they cost you a day.
 *
 * Sources: [S] Sun, Dai, Schuurmans, "Optimal Scaling for Locally Balanced Proposals in Discrete Spaces", NeurIPS 2022;
 * [Z] Zanella, JASA 2020; [G] Grathwohl et al., ICML 2021; [B] Blackman, Vigna, "Scrambled Linear Pseudorandom Number
 * Generators", ACM TOMS 2021; [P] Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011. Equation
 * numbers are those of [S].
 */

/* ==== support: once per translation unit ========================================================================== */

#ifndef LBP_VERSION
#define LBP_VERSION 10000 /* major * 10000 + minor * 100 + patch */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Qualifiers of every function. Define it before the first include to add qualifiers, for CUDA `static inline __host__
 * __device__`. Device code draws the same as the host if your callbacks compute the same: if they add products, compile
 * with -fmad=false, and never with --use_fast_math. A thread with a chain takes 4 kB of local memory, including the
 * generator. */
#ifdef LBP_FN
#define LBP_APART LBP_FN
#elif defined __GNUC__ && defined __OPTIMIZE_SIZE__
#define LBP_FN    static inline __attribute__((unused))
#define LBP_APART static __attribute__((unused, noinline))
#define LBP_COLD  LBP_APART
#elif defined __GNUC__
#define LBP_FN    static inline __attribute__((unused))
#define LBP_APART LBP_FN
#define LBP_COLD  static __attribute__((unused, noinline, cold))
#else
#define LBP_FN    static inline
#define LBP_APART LBP_FN
#endif

/* Device code only: CUDA's compiler copies functions into each other, and rounds of loops, until it takes minutes.
 * LBP_CALLED: qualifiers of functions that do enough for a call. LBP_ROLLED: before a loop over a block. */
#ifdef __CUDA_ARCH__
#define LBP_CALLED LBP_FN __attribute__((noinline))
#define LBP_ROLLED _Pragma("unroll 1")
#else
#define LBP_CALLED LBP_FN
#define LBP_ROLLED
#endif

/* Qualifiers of functions that are hardly ever called, so that their callers stay short, and that the compiler spends
 * no time on making them fast. */
#ifndef LBP_COLD
#define LBP_COLD LBP_CALLED
#endif

/* The same for small functions inside loops, which vectorise only if these are always inlined. */
#if defined __GNUC__ && !defined __OPTIMIZE_SIZE__
#define LBP_INLINE LBP_FN __attribute__((always_inline))
#else
#define LBP_INLINE LBP_FN
#endif

/* The arithmetic of this file, of lbp/models/local.h, lbp/models/potts.h and lbp/models/qubo.h gives the same draws
 * with all compilers, see below. LBP_EXACT 1, defined before the first include, extends this to your inlined callbacks
 * and to all other headers: compilers then do not fuse multiplications and additions. Steps become up to 14 % slower.
 * -ffast-math and the like undo both. (nvcc has flags: -fmad=false, -Xcompiler -ffp-contract=off.) */
#ifndef LBP_EXACT
#define LBP_EXACT 0
#endif
/* Before and after the functions that LBP_EXACT concerns. */
#if LBP_EXACT && defined __NVCC__
#define LBP_EXACT_BEGIN
#define LBP_EXACT_END
#elif LBP_EXACT && defined __clang__
#define LBP_EXACT_BEGIN _Pragma("STDC FP_CONTRACT OFF")
#define LBP_EXACT_END   _Pragma("STDC FP_CONTRACT DEFAULT")
#elif LBP_EXACT && defined __GNUC__
#define LBP_EXACT_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize (\"fp-contract=off\")")
#define LBP_EXACT_END   _Pragma("GCC pop_options")
#else
#define LBP_EXACT_BEGIN
#define LBP_EXACT_END
#endif

/* 1: a checked build, see lbp/options/checked.h: steps verify their arguments and the values of the model, and call
 * LBP_ON_ERROR(status, site) with a chain's first fault. Applies to all instances that follow, until you define it
 * again. */
#ifndef LBP_CHECKED
#define LBP_CHECKED 0
#endif

/* With -Os and on GPUs the code is small and computes the same: one element at a time, without loops shaped for vector
 * instructions. Functions that would grow the code if inlined, LBP_APART, are not inlined, unless you define LBP_FN,
 * whose qualifiers they need. */
#if defined __CUDA_ARCH__
#define LBP_SMALL 1
#define LBP_LEAF  LBP_INLINE
#elif defined __GNUC__ && defined __OPTIMIZE_SIZE__
#define LBP_SMALL 1
#define LBP_LEAF  LBP_APART
#else
#define LBP_SMALL 0
#define LBP_LEAF  LBP_INLINE
#endif

/* A condition that is seldom true: the compiler should use a branch, which is predicted, rather than wait for the
 * values compared. */
#if defined __GNUC__
#define LBP_SELDOM(condition) __builtin_expect(condition, 0)
#else
#define LBP_SELDOM(condition) (condition)
#endif

/* Whether AVX-512 is used, or AVX2: if the compiler may, the header is there, and LBP_VECTOR is not 0. */
#if !(defined LBP_VECTOR && !LBP_VECTOR) && defined __x86_64__ && defined __AVX2__ && defined __POPCNT__ && \
  !defined __CUDACC__ && !LBP_SMALL && defined __GNUC__ && defined __has_include
#if __has_include("lbp/options/vector.h")
#if defined __AVX512F__ && defined __AVX512DQ__ && defined __AVX512VL__ && defined __AVX512CD__
#define LBP_AVX512 1
#define LBP_AVX2 0
#else
#define LBP_AVX512 0
#define LBP_AVX2 1
#endif
#else
#define LBP_AVX512 0
#define LBP_AVX2 0
#endif
#else
#define LBP_AVX512 0
#define LBP_AVX2 0
#endif

/* 1: the few loops that compilers do not vectorise use these instructions (lbp/options/vector.h), with the same draws.
 * 0: they do not; also if that file is missing. Define it before the first include. */
#ifndef LBP_VECTOR
#define LBP_VECTOR (LBP_AVX512 || LBP_AVX2)
#endif

/* For measurements: LBP_TICK(phase) is called at the end of each phase of a step that draws by weights. It does nothing
 * unless you define it before the first include. Phases: candidates, keep, flips, lists, weights, sums, accept,
 * settle. */
#ifndef LBP_TICK
#define LBP_TICK(phase) ((void)0)
#endif

/* Values of LBP_WEIGHT: the locally balanced weight function g, g(t) = t g(1/t) [Z]. */
#define LBP_BARKER 1 /* g(t) = t / (1 + t) */
#define LBP_SQRT   2 /* g(t) = sqrt(t)     */
#define LBP_CUSTOM 3 /* yours: LBP_LOG_WEIGHT */
#define LBP_METROPOLIS 4 /* g(t) = min(1, t)   */

/* A value of LBP_CLOCK, in addition to LBP_BARKER and LBP_METROPOLIS: rate t to switch a site on, 1 to switch it
 * off. */
#define LBP_BIRTH_DEATH 5

/* For categorical sites only, LBP_WEIGHT can also be one of these, in addition to LBP_BARKER, LBP_SQRT and LBP_CUSTOM:
 * lbp/options/cat.h. */
#define LBP_HEAT_BATH 6
#define LBP_METROPOLISED 7

/* Asymptotically optimal acceptance rates, corollaries 3.2 and 3.9 of [S]. */
#define LBP_TARGET_LBP 0.574f
#define LBP_TARGET_RWM 0.234f

/* Lengths that a size_t cannot hold are SIZE_MAX, which no caller has; a wrapped one would pass as enough. (Macros
 * divide, since compilers warn about a comparison that small types always pass.) */
#define LBP_WS_HALVES(n, halves) \
  ((size_t)(n) / (SIZE_MAX / (halves)) ? SIZE_MAX : (size_t)(halves) * (size_t)(n) / 2 + 2)
/* Returns a + b, or SIZE_MAX if a size_t cannot hold that. */
LBP_FN size_t lbp_size_plus(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }
/* Returns a b, or SIZE_MAX if a size_t cannot hold that. */
LBP_FN size_t lbp_size_times(size_t a, size_t b) { return b > 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

/* Length of the workspace of a chain of n sites, in uint64_t's, if n is only known at run time; constant
 * expressions. */
#define LBP_WS_LEN(n)       LBP_WS_HALVES(n, 7) /* local models */
#define LBP_WS_LEN_DENSE(n) LBP_WS_HALVES(n, 9) /* dense models */
#define LBP_WS_LEN_NEVER(n) LBP_WS_HALVES(n, 5) /* local models, LBP_SORT_ABOVE LBP_NEVER; dense ones: LBP_WS_LEN(n) */

/* Length of the index of terms, in uint32_t's, for n sites in up to `of_max` terms of up to `max` sites each: see
 * LBP_TERM. A constant expression; NAME_terms_len returns the length that one model needs. */
#define LBP_TERMS_LEN(n, max, of_max) \
  ((size_t)(n) / ((SIZE_MAX - 1) / ((size_t)(max) * (of_max) + 1)) ? SIZE_MAX \
                                                                   : (size_t)(n) * ((size_t)(max) * (of_max) + 1) + 1)

#define LBP_MAX_SITES 0x7fffffffu /* of a chain */
#define LBP_NO_GROUP  UINT32_MAX /* LBP_GROUP of a site in no group */
#define LBP_NO_TERM   UINT32_MAX /* `other` of a report on LBP_SITE_TERM */

#define LBP_NEVER 61 /* as LBP_SORT_ABOVE: sites are never sorted */

/* Largest number of chains in one call of LBP_DELTAS_MANY. */
#define LBP_MANY 128u

/* S(name, sentence) for each status. */
#define LBP_STATUSES(S) \
  S(LBP_OK, "no error") \
  S(LBP_E_NULL, "a required pointer is NULL") \
  S(LBP_E_SIZE, "a size is 0, too large, or not LBP_N (sites, and sites times LBP_CAT_STATES: 1 to 2^31 - 1)") \
  S(LBP_E_WORKSPACE, "the workspace is too short: see NAME_ws_len, or its _WORKSPACE, _workspace or _bytes") \
  S(LBP_E_STATE, "a value of the state is not 0 or 1, or not below the number of values; or it is not a permutation") \
  S(LBP_E_RANGE, "a parameter is outside its range") \
  S(LBP_E_NOT_FINITE, "a parameter is NaN or infinite") \
  S(LBP_E_INDEX, "an index is out of range, or indices that must increase do not") \
  S(LBP_E_MEMORY, "out of memory") \
  S(LBP_E_FILE, "a file could not be read or written") \
  S(LBP_E_FORMAT, "the data are truncated, corrupt, or of another format") \
  /* what a model check may find */ \
  S(LBP_E_DELTA_NAN, "the log-ratio of a move is NaN: return a number, or -infinity if the move is impossible") \
  S(LBP_E_NOT_REPEATABLE, "the model, called twice with the same arguments, returns two values") \
  S(LBP_E_ANTISYMMETRY, "flipping a site and flipping it back do not have opposite log-ratios") \
  S(LBP_E_NEIGHBOUR_RANGE, "a neighbour list is longer than LBP_MAX_NEIGHBOURS or names a site >= n") \
  S(LBP_E_NEIGHBOUR_MISSING, "flipping a site changes the log-ratio of another that its list lacks") \
  S(LBP_E_DELTAS, "LBP_DELTAS disagrees with LBP_DELTA: compute the same log-ratio of each site in both") \
  S(LBP_E_LOGP, "log pi is NaN or +inf, or its change is not the one that another callback returns") \
  S(LBP_E_FIELDS, "fields updated flip by flip differ from fields made from scratch") \
  S(LBP_E_BALANCE, "the weight function is not locally balanced: g(t) = t g(1/t) fails") \
  S(LBP_E_IMPOSSIBLE, "the state is impossible: begin in one that the constraints allow") \
  S(LBP_E_ORDER, "two moves, taken in either order, do not add up to the same change of log pi") \
  S(LBP_E_MODEL_NAN, "log pi is NaN or +inf, or the gradient at a possible state is not finite") \
  S(LBP_E_GRADIENT, "the gradient and the change of log pi disagree") \
  /* what else a checked build may find */ \
  S(LBP_E_NOT_MADE, "the chain, generator or terms were not made by their init function, or were overwritten") \
  S(LBP_E_STALE, "kept weights are not those of x: list the missing neighbour, or call NAME_touch after a change") \
  /* why there is no estimate: lbp_stats.h */ \
  S(LBP_E_TOO_SHORT, "too few draws for an estimate") \
  S(LBP_E_CONSTANT, "the draws do not vary") \
  S(LBP_E_STUCK, "each chain is stuck at a value of its own") \
  S(LBP_E_DRAW_NOT_FINITE, "a draw, or the variance of the draws, is NaN or infinite") \
  S(LBP_E_NOT_WHOLE, "a draw is not a whole number") \
  /* matrices and adaptive samplers: lbp/base/linear.h, lbp_ab.h */ \
  S(LBP_E_NOT_SYMMETRIC, "the matrix is not symmetric") \
  S(LBP_E_INDEFINITE, "W + D has a negative eigenvalue") \
  S(LBP_E_NOT_DOMINANT, "W + D is not diagonally dominant, so its noise is not a sum over edges") \
  S(LBP_E_NOT_CONVERGED, "an iteration ended before it reached its tolerance") \
  S(LBP_E_NO_DATA, "no state has moved, so there is nothing to estimate from") \
  S(LBP_E_FIRST_ORDER, "second-order steps moved too little in the warm-up: steps continue in first order") \
  /* what else a model check may find */ \
  S(LBP_E_FLIP_LIST, "LBP_FLIP_LIST lacks a site of LBP_NEIGHBOURS, or its log-ratios are not LBP_DELTA's") \
  S(LBP_E_LEVEL, "LBP_LEVEL is not below LBP_LEVELS, or two sites of one level have different log-ratios") \
  /* what else a step may find */ \
  S(LBP_E_ISOLATED, "no single flip is possible from this state: begin elsewhere, or flip several sites at a time") \
  /* of categorical sites: lbp/options/cat.h */ \
  S(LBP_E_STATES, "LBP_CAT_STATES_OF must be 1 to LBP_CAT_STATES") \
  S(LBP_E_CURRENT, "the log-ratio of a site's present value must be 0") \
  /* of clamped sites */ \
  S(LBP_E_CLAMPED, "all sites are clamped: leave at least one free to move") \
  /* of groups: lbp/options/swap.h */ \
  S(LBP_E_GROUP, "LBP_GROUP must be LBP_NO_GROUP, or below n and LBP_GROUPS") \
  S(LBP_E_ONES, "a group does not contain LBP_GROUP_ONES ones, or cannot") \
  /* of models: lbp/models/local.h */ \
  S(LBP_E_PRECISION, "rounding would move log-ratios by over 1e-3: use double (LBP_MODELS_REAL) or closer scales") \
  /* why there is no estimate, either: lbp_stats.h */ \
  S(LBP_E_EQUAL_CHAINS, "two chains have the same draws: give each its own seed, or its own stream of one") \
  /* of terms, pairs and fields: lbp/options/terms.h, lbp/options/pairs.h */ \
  S(LBP_E_TERM_SITES, "LBP_TERM_SITES names a site that is not below n") \
  S(LBP_E_TERM_TWICE, "LBP_TERM_SITES names a site twice in one term: name it once") \
  S(LBP_E_TERM_MAX, "a term has more than LBP_TERM_MAX sites: define a larger LBP_TERM_MAX") \
  S(LBP_E_TERMS_OF_MAX, "a site is in more than LBP_TERMS_OF_MAX terms: define a larger LBP_TERMS_OF_MAX") \
  S(LBP_E_TERM_NAN, "LBP_TERM or LBP_SITE_TERM is NaN or +infinity: return a number, or -infinity if impossible") \
  S(LBP_E_TERMS_STALE, "LBP_TERM_SITES has changed since NAME_terms_init: call it again") \
  S(LBP_E_PAIRS, "pairs and fields do not give the log-ratios, or a coupling differs between its two sites") \
  S(LBP_E_UNIT, "a term, or 4 times a coupling or a field, is not a whole number of LBP_UNIT") \
  /* of NAME_momentum_step: lbp_ab.h */ \
  S(LBP_E_INEXACT, "momentum steps never reject: the curvature must be log pi's Hessian (exact = 1), or use AB") \
  S(LBP_E_NOT_QUADRATIC, "momentum steps never reject: log pi must be quadratic, and is not; use AB") \
  /* of many chains in a word: lbp/options/lanes.h */ \
  S(LBP_E_NOT_PAIRWISE, "log pi has terms of three or more sites, or impossible states: lanes need pairs and fields") \
  S(LBP_E_PLANES, "couplings and field of a site add up to too many units for lanes: take another sampler") \
  /* of exchanges of parts: lbp/options/parts.h */ \
  S(LBP_E_SYMMETRIC, "LBP_SYMMETRIC is not 0, but a log-ratio changes when all sites flip: remove it") \
  /* of powers: lbp/options/cat.h */ \
  S(LBP_E_POWERS, "LBP_CAT_POWERS_OF disagrees with LBP_CAT_DELTAS_OF: write its log-ratios, and C e^ each of them") \
  /* of the log-ratios of one site or row: lbp/options/cat.h, lbp_perm.h */ \
  S(LBP_E_ROW, "LBP_CAT_DELTAS_OF disagrees with LBP_CAT_DELTA, or LBP_PERM_ROW with LBP_EXCHANGE: make them agree")

#define LBP_P_NAME(name, sentence) name,
#define LBP_P_CASE(name, sentence) case name: return sentence;

/* Statuses, which the functions of this file and of all others return. lbp_error returns their texts. */
enum { LBP_STATUSES(LBP_P_NAME) LBP_STATUS_COUNT };

/* Returns the text of a status, a constant string. */
LBP_FN const char *lbp_error(int status) {
  switch (status) {
    LBP_STATUSES(LBP_P_CASE)
    default: return "unknown status";
  }
}

#undef LBP_P_NAME
#undef LBP_P_CASE

/* Prefetches the cache line at p for writing. */
LBP_INLINE void lbp_prefetch(const void *p) {
#if defined __GNUC__ && !defined __CUDA_ARCH__
  __builtin_prefetch(p, 1);
#endif
  (void)p;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Returns 1 if v is finite, otherwise 0. It tests the bits, since -ffast-math deletes the comparison. */
LBP_FN int lbp_is_finite(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return (bits >> 52 & 0x7ff) != 0x7ff;
}

LBP_FN int lbp_is_nan(double v) { /* whether it is NaN, the same way */
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}

/* The same for a float: a conversion would bring double precision in software to processors without it. */
LBP_FN int lbp_is_finitef(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return (bits >> 23 & 0xff) != 0xff;
}

LBP_FN int lbp_is_nanf(float v) { /* whether it is NaN */
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return (bits & 0x7fffffffu) > 0x7f800000u;
}

/* NaN or -infinity: the log-ratio of an impossible flip. */
LBP_INLINE int lbp_is_impossible(float d) {
  uint32_t bits;
  memcpy(&bits, &d, sizeof bits);
  return ((bits & 0x7fffffffu) > 0x7f800000u) | (bits == 0xff800000u);
}

/* Returns 1 if d is -infinity, otherwise 0 (also for NaN). */
LBP_INLINE int lbp_is_below_all(float d) {
  uint32_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits == 0xff800000u;
}

/* Returns -infinity, the log-ratio of an impossible flip, without <math.h>. */
LBP_INLINE float lbp_impossible(void) {
  const uint32_t bits = 0xff800000u;
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* Returns v with its magnitude cut to `limit`; NaN becomes +-limit. It works on integers, since a floating-point
 * minimum is a branch for compilers that respect NaN, and a branch prevents vectorisation. */
LBP_INLINE float lbp_clamp(float v, float limit) {
  uint32_t bits, most, size;
  memcpy(&bits, &v, sizeof bits);
  memcpy(&most, &limit, sizeof most);
  size = bits & 0x7fffffffu;
  bits = (bits & 0x80000000u) | (size < most ? size : most);
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* Returns a uniform number in [0, 1) from a random word, 53 bits. */
LBP_FN double lbp_u01(uint64_t word) { return (double)(word >> 11) * (1.0 / 9007199254740992.0); }

/* Returns a uniform number in [0, 1) from a random word, 24 bits. */
LBP_FN float lbp_u01f(uint64_t word) { return (float)(uint32_t)(word >> 40) * (1.0f / 16777216.0f); }

/* Returns 1 with probability p, exact to 2^-62: a uniform float's 2^-24 can be the whole probability of a rare move. */
LBP_FN int lbp_bernoulli_trial(uint64_t word, double p) {
  return (int64_t)(word >> 2) < (int64_t)(p * 4611686018427387904.0);
}

/* The same threshold by 32-bit integers: small processors convert no others, and libraries use double precision. */
LBP_APART int lbp_bernoulli_trialf(uint64_t word, float p) {
  const float high = p * 1073741824.0f;
  const int32_t whole = (int32_t)high;
  const uint32_t rest = (uint32_t)((high - (float)whole) * 4294967296.0f);
  return (int64_t)(word >> 2) < (int64_t)whole * 4294967296 + (int64_t)rest;
}

/* ---- arithmetic that is the same everywhere -------------------------------------------------------------------------
 *
 * IEEE 754 fixes the result of every operation, but a compiler may fuse a product into the sum that takes it, and round
 * once instead of twice, wherever the processor can. So no product that rounds is added to anything in this file: it is
 * divided, or exact, by a power of two or of factors cut to half their bits, or it goes through lbp_rounded. */

/* Returns v, which the compiler can no longer fuse with an addition. (CUDA's compiler, which fuses across a volatile
 * variable too, leaves additions alone that are named like this; for a GPU it sees the host's macros as well.) */
LBP_INLINE float lbp_roundedf(float v) {
#if defined __CUDA_ARCH__
  v = __fadd_rn(v, -0.0f);
#elif defined __GNUC__ && defined __SSE2_MATH__
  __asm__("" : "+x"(v));
#elif defined __GNUC__ && defined __aarch64__
  __asm__("" : "+w"(v));
#elif defined __GNUC__ && defined __arm__ && defined __ARM_FP
  __asm__("" : "+t"(v));
#else
  volatile float memory = v;
  v = memory;
#endif
  return v;
}

LBP_INLINE double lbp_rounded(double v) { /* the same of a double */
#if defined __CUDA_ARCH__
  v = __dadd_rn(v, -0.0);
#elif defined __GNUC__ && defined __SSE2_MATH__
  __asm__("" : "+x"(v));
#elif defined __GNUC__ && defined __aarch64__
  __asm__("" : "+w"(v));
#else
  volatile double memory = v;
  v = memory;
#endif
  return v;
}

/* v with 12 of its 24 bits. */
LBP_INLINE float lbp_cutf(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  bits &= 0xfffff000u;
  memcpy(&v, &bits, sizeof v);
  return v;
}

LBP_INLINE double lbp_cut(double v) { /* v with 26 of its 53 bits */
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  bits &= 0xfffffffff8000000u;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* 2^k for -126 <= k <= 127. */
LBP_INLINE float lbp_powerf(int32_t k) {
  const uint32_t bits = (uint32_t)(k + 127) << 23;
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* k and f with x = k log 2 + f, |f| <= log(2) / 2, for |x| <= 87. */
LBP_LEAF int32_t lbp_reducef(float x, float *f) {
  const int32_t k = (int32_t)((x + 89.0694127f) * 1.44269504f) - 128; /* 89.07 = 128.5 log 2: to the nearest */
  const float shift = (float)k; /* log 2 in two parts of 17 bits, whose products with k are exact */
  *f = x - shift * 0.693145752f - shift * 1.42860517e-6f;
  return k;
}

/* e^x = *above / *below for |x| <= 84, relative error below 2e-6, good for weights; -x gives the quotient turned over.
 * e^f = (a + f) / (a - f) with a = f coth(f / 2), roughly 2 + f^2 / 6, all times 8/3. No branches: loops vectorise. */
LBP_INLINE void lbp_exp_quotient(float x, float *above, float *below) {
  float f, cut, a;
  const float scale = lbp_powerf(lbp_reducef(x, &f));
  f *= 0.6651f;
  cut = lbp_cutf(f);
  a = 5.320838f + cut * cut;
  *above = scale * (a + 4.0f * f);
  *below = a - 4.0f * f;
}

/* e^x for |x| <= 87, relative error below 3e-7: a as a continued fraction, 2 + f^2 / (6 + f^2 / (10 + ...)). */
LBP_INLINE float lbp_expf(float x) {
  float f;
  const float scale = lbp_powerf(lbp_reducef(x, &f)), square = f * f, a = 2.0f + square * 10.0f / (60.0f + square);
  return scale * ((a + f) / (a - f));
}

/* e^x for |x| <= 708, relative error below 1e-15: the same with more terms. */
LBP_FN double lbp_exp(double x) {
  const int32_t k = (int32_t)((x + 710.129286483663893) * 1.44269504088896341) - 1024;
  const double shift = (double)k; /* parts of 42 bits or fewer */
  const double f = x - shift * 0.693147180559890330 - shift * 5.49792301870847e-14, square = f * f;
  const uint64_t bits = (uint64_t)(k + 1023) << 52;
  double a = 22.0, scale;
  int j;
  for (j = 5; j > 0; j--) a = (double)(4 * j - 2) + square / a;
  memcpy(&scale, &bits, sizeof scale);
  return scale * ((a + f) / (a - f));
}

/* log v of a positive normal number, error below 2e-7 of the result or of 1: with v = 2^k m, log m = 2 artanh s where
 * s = (m - 1) / (m + 1), and that is 2 s / (1 - s^2 / (3 - 4 s^2 / (5 - ...))). Free of branches. */
LBP_INLINE float lbp_logf(float v) {
  const uint32_t low = 0x3f3504f3u; /* sqrt(1/2): mantissas are taken from there to sqrt(2) */
  uint32_t bits;
  int32_t k;
  float s, square, shift;
  memcpy(&bits, &v, sizeof bits);
  k = (int32_t)(bits - low) >> 23;
  bits -= (uint32_t)k << 23;
  memcpy(&v, &bits, sizeof v);
  s = (v - 1.0f) / (v + 1.0f);
  square = s * s;
  shift = (float)k;
  s = 2.0f * s / (1.0f - square * 5.0f / (14.9993f - square * 4.0f));
  return shift * 1.42860517e-6f + s + shift * 0.693145752f;
}

/* artanh(s) / s from s^2 <= 0.03, by its series. */
LBP_INLINE double lbp_artanh_ratio(double square) {
  const double end = 1.0 / 7 + square * lbp_cut(1.0 / 9 + square * lbp_cut(1.0 / 11 + square * lbp_cut(1.0 / 13)));
  return 1.0 + square * lbp_cut(1.0 / 3 + square * lbp_cut(1.0 / 5 + square * lbp_cut(end)));
}

/* The same as lbp_logf, error below 3e-10. Free of branches. */
LBP_INLINE double lbp_log(double v) {
  const uint64_t low = 0x3fe6a09e667f3bcdu;
  uint64_t bits;
  int64_t k;
  double s, shift;
  memcpy(&bits, &v, sizeof bits);
  k = (int64_t)(bits - low) >> 52;
  bits -= (uint64_t)k << 52;
  memcpy(&v, &bits, sizeof v);
  s = (v - 1.0) / (v + 1.0);
  shift = (double)(int32_t)k;
  s = lbp_artanh_ratio(lbp_cut(s * s)) * (v - 1.0) * 2.0 / (v + 1.0);
  return shift * 5.49792301870847e-14 + s + shift * 0.693147180559890330;
}

/* The product's high half, a uniform integer below b when a is a uniform 64-bit word; *low gets the low half, the
 * rest of the uniform number: how far it is between that integer and the next. */
LBP_INLINE uint64_t lbp_multiply(uint64_t a, uint64_t b, uint64_t *low) {
#if defined __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 lbp_uint128;
  *low = a * b;
  return (uint64_t)((lbp_uint128)a * b >> 64);
#else
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  const uint64_t mid = a1 * b0 + (a0 * b0 >> 32), low_mid = a0 * b1 + (uint32_t)mid;
  *low = a * b;
  return a1 * b1 + (mid >> 32) + (low_mid >> 32);
#endif
}

LBP_LEAF uint64_t lbp_mulhi(uint64_t a, uint64_t b) { /* the high half alone */
  uint64_t low;
  return lbp_multiply(a, b, &low);
}

/* Number of significant bits; 0 for 0. */
LBP_INLINE uint32_t lbp_bit_length(uint32_t v) {
#if defined __GNUC__
  return v ? 32u - (uint32_t)__builtin_clz(v) : 0u;
#else
  uint32_t length = 0;
  for (; v; v >>= 1) length++;
  return length;
#endif
}

/* log2 v of a positive normal number to 0.01: its bits, as a number, and a parabola. */
LBP_INLINE float lbp_log2_roughly(float v) {
  uint32_t bits;
  float f;
  memcpy(&bits, &v, sizeof bits);
  f = (float)(int32_t)(bits & 0x7fffffu) * (1.0f / 8388608.0f);
  return (float)((int32_t)(bits >> 23) - 127) + f + 0.344f * f * (1.0f - f);
}

/* Takes the binary exponent out of a positive normal number, leaving its mantissa in [1, 2). */
LBP_INLINE int32_t lbp_split(double *v) {
  uint64_t bits;
  int32_t exponent;
  memcpy(&bits, v, sizeof bits);
  exponent = (int32_t)(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffu) | (uint64_t)1023 << 52;
  memcpy(v, &bits, sizeof bits);
  return exponent;
}

LBP_INLINE int32_t lbp_splitf(float *v) { /* the same of a float */
  uint32_t bits;
  int32_t exponent;
  memcpy(&bits, v, sizeof bits);
  exponent = (int32_t)(bits >> 23) - 127;
  bits = (bits & 0x7fffffu) | (uint32_t)127 << 23;
  memcpy(v, &bits, sizeof bits);
  return exponent;
}

/* ---- random numbers -------------------------------------------------------------------------------------------------
 *
 * Stream (seed, chain) is eight xoshiro256++ generators [B] side by side, word k from generator k mod 8, which
 * compilers turn into vector instructions. Philox4x32-10 [P], a keyed bijection, makes their states from the pair, so
 * that streams are independent whatever the seeds are. To save a stream, copy the lbp_rng. */

#define LBP_RNG_BLOCK 64u /* words made at a time */

typedef struct {
  uint64_t state[4][8];
  uint64_t word[LBP_RNG_BLOCK]; /* the block in use; its last `left` words are still to come */
  uint32_t left;
} lbp_rng;

/* Writes block number `position` of Philox4x32-10 with this key and the counter (position, chain): two words. */
LBP_FN void lbp_philox(uint64_t seed, uint64_t chain, uint64_t position, uint64_t *out) {
  uint32_t c0 = (uint32_t)position, c1 = (uint32_t)(position >> 32), c2 = (uint32_t)chain, c3 = (uint32_t)(chain >> 32);
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32), round;
  for (round = 0; round < 10; round++) {
    const uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)b;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = c0 | (uint64_t)c1 << 32;
  out[1] = c2 | (uint64_t)c3 << 32;
}

/* Starts the random stream (seed, chain) at its beginning. All pairs are allowed; equal pairs give equal streams. */
LBP_CALLED void lbp_rng_init(lbp_rng *rng, uint64_t seed, uint64_t chain) {
  uint32_t k;
  for (k = 0; k < 16; k++) { /* a bijection has at most one zero block: no state is all zero */
    uint64_t half[2];
    lbp_philox(seed, chain, k, half);
    rng->state[2 * (k % 2)][k / 2] = half[0];
    rng->state[2 * (k % 2) + 1][k / 2] = half[1];
  }
  memset(rng->word, 0, sizeof rng->word);
  rng->left = 0;
}

typedef struct {
  uint64_t a, b, c, d; /* the state of one generator */
} lbp_xoshiro;

LBP_INLINE uint64_t lbp_xoshiro_next(lbp_xoshiro *s) { /* a word of it */
  const uint64_t sum = s->a + s->d, out = (sum << 23 | sum >> 41) + s->a, t = s->b << 17;
  s->c ^= s->a;
  s->d ^= s->b;
  s->b ^= s->c;
  s->a ^= s->d;
  s->c ^= t;
  s->d = s->d << 45 | s->d >> 19;
  return out;
}

/* Eight words of each generator, in one straight line where speed counts: loops inside would not let it vectorise. */
LBP_CALLED void lbp_rng_refill(lbp_rng *rng) {
  uint64_t *word = rng->word;
  uint32_t k, j;
  for (k = 0; k < 8; k++) {
    lbp_xoshiro s = {rng->state[0][k], rng->state[1][k], rng->state[2][k], rng->state[3][k]};
    if (LBP_SMALL) {
      for (j = k; j < LBP_RNG_BLOCK; j += 8) word[j] = lbp_xoshiro_next(&s);
    } else {
      word[k] = lbp_xoshiro_next(&s);
      word[k + 8] = lbp_xoshiro_next(&s);
      word[k + 16] = lbp_xoshiro_next(&s);
      word[k + 24] = lbp_xoshiro_next(&s);
      word[k + 32] = lbp_xoshiro_next(&s);
      word[k + 40] = lbp_xoshiro_next(&s);
      word[k + 48] = lbp_xoshiro_next(&s);
      word[k + 56] = lbp_xoshiro_next(&s);
    }
    rng->state[0][k] = s.a;
    rng->state[1][k] = s.b;
    rng->state[2][k] = s.c;
    rng->state[3][k] = s.d;
  }
  rng->left = LBP_RNG_BLOCK;
}

/* Returns the next word of the stream, 64 random bits. lbp_u01(lbp_rng_u64(rng)) is a uniform double in [0, 1). */
LBP_APART uint64_t lbp_rng_u64(lbp_rng *rng) {
  if (rng->left == 0) lbp_rng_refill(rng);
  return rng->word[LBP_RNG_BLOCK - rng->left--];
}

/* Returns a pointer to the next words of the stream: at least one, at most *n, which becomes their number. */
LBP_FN const uint64_t *lbp_rng_take(lbp_rng *rng, uint32_t *n) {
  const uint64_t *word;
  if (rng->left == 0) lbp_rng_refill(rng);
  if (*n > rng->left) *n = rng->left;
  word = rng->word + (LBP_RNG_BLOCK - rng->left);
  rng->left -= *n;
  return word;
}

/* ---- weights --------------------------------------------------------------------------------------------------------
 *
 * A weight is a 31-bit integer: sums of them are exact for ever, and a threshold compare is a Bernoulli trial. Any
 * positive weights that depend on the state alone leave the chain exact, because the acceptance uses the very
 * weights that were drawn from; rounding costs efficiency only. The top bit marks a site that the step in progress
 * has touched; as a signed number, a marked weight is below every threshold. */

#if defined __FAST_MATH__ || defined __RECIPROCAL_MATH__
#define LBP_FAST_MATH 1 /* the compiler may change formulas, and assumes that nothing is NaN */
#else
#define LBP_FAST_MATH 0
#endif
#define LBP_WEIGHT_MAX  (LBP_FAST_MATH ? 2147482624.0f : 2147483520.0f) /* below 2^31; room if quotients exceed 1 */
#define LBP_WEIGHT_UNIT 1482910.0f    /* g = 1 for unbounded g: 2^20.5, the middle of a bucket */
#define LBP_MARK        0x80000000u   /* the top bit */

/* Weights have their stored values: -ffast-math may compute a value twice, with vectors and without, and round
 * differently. */
#if LBP_FAST_MATH && defined __GNUC__ && !defined __CUDA_ARCH__
#define LBP_SETTLE(weight) __asm__ __volatile__("" : : "r"(weight) : "memory")
#else
#define LBP_SETTLE(weight) (void)(weight)
#endif

/* Returns the weight t/(1+t), t = e^d. Impossible flips get 0, all others at least 1. */
LBP_INLINE uint32_t lbp_weight_barker(float d) {
  float above, below;
  uint32_t w;
  lbp_exp_quotient(-lbp_clamp(d, 69.0f), &above, &below);
  w = (uint32_t)(int32_t)(LBP_WEIGHT_MAX * (below / (below + above)));
  return (w | (w == 0)) & ((uint32_t)lbp_is_impossible(d) - 1u);
}

/* Any other g, from log g, where g = 1 has the weight `unit`; saturates at LBP_WEIGHT_MAX. */
LBP_INLINE uint32_t lbp_weight_scaled(float log_g, float unit) {
  float above, below, g;
  uint32_t w;
  lbp_exp_quotient(lbp_clamp(log_g, 69.0f), &above, &below);
  g = above * unit / below;
  w = (uint32_t)(int32_t)(g < LBP_WEIGHT_MAX ? g : LBP_WEIGHT_MAX);
  return (w | (w == 0)) & ((uint32_t)lbp_is_impossible(log_g) - 1u);
}

/* The same of unbounded g, up to 2^31 / LBP_WEIGHT_UNIT = 1448. */
LBP_INLINE uint32_t lbp_weight_log(float log_g) { return lbp_weight_scaled(log_g, LBP_WEIGHT_UNIT); }

/* min(1, t) at t = e^d. */
LBP_INLINE uint32_t lbp_weight_metropolis(float d) { return lbp_weight_scaled(d, LBP_WEIGHT_MAX); }

/* Tries, and touched sites, are handled in blocks of this many. */
#define LBP_BLOCK 64u

/* Largest number of tries before their results are examined. */
#define LBP_TRIES (4 * LBP_BLOCK)

/* Room for the results of so many tries: vectors are written whole. */
#define LBP_CANDIDATES (LBP_TRIES + (LBP_VECTOR ? 15 : 0))

/* A step on more sites than this prefetches the cache lines of later flips. With fewer sites they are near anyway, and
 * prefetching would cost an eighth of the step. This and the next two only affect times; tests define others. */
#ifndef LBP_NEAR
#define LBP_NEAR 50000u
#endif

/* How many flips ahead a step prefetches. */
#ifndef LBP_AHEAD
#define LBP_AHEAD 16u
#endif

/* Up to so many flips that list their changes are not worth a log. */
#ifndef LBP_FEW
#define LBP_FEW 8u
#endif

/* Loops that vectorise continue to a multiple of this number if they may fill up their input: the rest, one by one,
 * would cost as much as several blocks. Fewer items than this are processed one by one. Loops of this or another
 * constant length vectorise at -O2, too. */
#define LBP_PAD (LBP_SMALL ? 1u : 16u)

LBP_INLINE uint32_t lbp_padded(uint32_t count) { /* as far as such a loop goes */
  return count < LBP_PAD ? count : (count + LBP_PAD - 1) / LBP_PAD * LBP_PAD;
}

/* Whether a block of so many is one of those whose loops have constant lengths. */
LBP_INLINE int lbp_is_long(uint32_t count) { return !LBP_SMALL && count >= LBP_PAD; }

/* Within blocks, so many are prepared for a loop that vectorises. */
#define LBP_AT_ONCE (LBP_SMALL ? 1u : LBP_BLOCK)

/* ---- the urn --------------------------------------------------------------------------------------------------------
 *
 * Items 0 to n - 1 with weights, drawn in proportion to them, in one of two ways. By rejection: a uniform item, kept
 * with probability weight / ceiling, where the ceiling is one for all; nothing has to be kept up to date. Where the
 * weights differ so much that this would need many tries, by composition and rejection: items are sorted into buckets
 * by weight, each with its own ceiling, so that about one try in two succeeds whatever the weights are. Bucket b <
 * LBP_BUCKETS - 1 holds weights in [2^29, 2^31) >> 2b, the last one the zeros.
 *
 * An urn's arrays are the caller's, and reach each function that needs them as arguments:
 *   weight[n]             by item; the top bit marks items, and with replacement the rest is then its index in touched
 *   order[n], slot[n]     items sorted by bucket, and the inverse: order[slot[i]] == i
 *   touched[n + 1]        the marked items, first those drawn
 *   before[n + 1]         the weights that they had
 *   again[n]              with replacement, the draws of an item drawn before, as indices into touched
 *
 * lbp_urn_survey makes one of weights. To draw, lbp_urn_choose_order, and as long as draws are missing, lbp_urn_tries
 * random words to lbp_urn_candidates, and what that finds to lbp_urn_keep or, with replacement, lbp_urn_keep_all; where
 * it finds nothing, lbp_urn_remove. Afterwards all marked items get their weights back, or new ones with lbp_urn_adopt;
 * then lbp_urn_move_all. NAME_priv_draw and NAME_priv_settle do all this. */
enum { LBP_BUCKETS = 17 }; /* of an urn: see above */

typedef struct {
  uint64_t total;                  /* the sum of the weights */
  uint32_t positive;               /* how many are positive */
  uint32_t ceiling;                /* none is larger */
} lbp_sums;

typedef struct {
  lbp_sums sums;                   /* over all weights; while items are sorted, the ceiling is not kept up to date */
  uint64_t mass;                   /* the sum of all items' ceilings: mass / total tries draw an item */
  uint64_t since;                  /* items whose weights were replaced since they were sorted */
  int sorted;                      /* whether since, start, order and slot are in use */
  uint32_t start[LBP_BUCKETS + 1]; /* bucket b is order[start[b]] to order[start[b + 1] - 1] */
} lbp_urn;

/* The bucket of a weight. A mark makes no difference: the product loses it. */
LBP_INLINE uint32_t lbp_bucket(uint32_t weight) { return (32u - lbp_bit_length(2u * weight)) / 2u; }

/* The binary logarithm of a bucket's ceiling, but for the last one. */
LBP_INLINE uint32_t lbp_bucket_shift(uint32_t bucket) { return 31u - 2u * bucket; }

LBP_INLINE uint64_t lbp_bucket_ceiling(uint32_t bucket) { /* no weight in it is as large */
  return bucket < LBP_BUCKETS - 1 ? 1u << lbp_bucket_shift(bucket) : 0;
}

/* A part of lbp_urn_tally, which knows whether there is `before`. */
LBP_INLINE void lbp_p_urn_tally(lbp_sums *sums, const uint32_t *next, const uint32_t *before, int replaces,
                                uint32_t count) {
  uint64_t total = sums->total;
  int32_t positive = (int32_t)sums->positive, largest = (int32_t)sums->ceiling; /* signed: SSE2 compares no others */
  uint32_t k;
  for (k = 0; k < count; k++) {
    const int32_t weight = (int32_t)next[k], was = replaces ? (int32_t)before[k] : 0;
    total += (uint64_t)(int64_t)(weight - was);
    positive += (weight > 0) - (was > 0);
    largest = weight > largest ? weight : largest;
  }
  sums->total = total;
  sums->positive = (uint32_t)positive;
  sums->ceiling = (uint32_t)largest;
}

/* Adds new weights to the sums; `before`: the weights that they replace, NULL if none. */
LBP_INLINE void lbp_urn_tally(lbp_sums *sums, const uint32_t *next, const uint32_t *before, uint32_t count) {
  uint32_t k = 0;
  if (!before) {
    lbp_p_urn_tally(sums, next, before, 0, count);
    return;
  }
  for (; !LBP_SMALL && k + LBP_BLOCK <= count; k += LBP_BLOCK) {
    lbp_p_urn_tally(sums, next + k, before + k, 1, LBP_BLOCK);
  }
  if (k < count) lbp_p_urn_tally(sums, next + k, before + k, 1, count - k);
}

/* Stops keeping items sorted: all get the same ceiling, which must be as large as any weight. */
LBP_FN void lbp_urn_level(lbp_urn *u, uint32_t n, uint32_t ceiling) {
  u->sorted = 0;
  u->sums.ceiling = ceiling;
  u->mass = (uint64_t)ceiling * n;
}

/* Makes an urn of n weights, which are not sorted. */
LBP_APART void lbp_urn_survey(lbp_urn *u, const uint32_t *weight, uint32_t n) {
  memset(&u->sums, 0, sizeof u->sums);
  lbp_urn_tally(&u->sums, weight, NULL, n);
  lbp_urn_level(u, n, u->sums.ceiling);
}

/* Sorts all items into buckets. */
LBP_CALLED void lbp_urn_sort(lbp_urn *u, const uint32_t *weight, uint32_t *order, uint32_t *slot, uint32_t n) {
  uint32_t i, b, fill[LBP_BUCKETS];
  for (b = 0; b <= LBP_BUCKETS; b++) u->start[b] = 0;
  for (i = 0; i < n; i++) u->start[lbp_bucket(weight[i]) + 1]++;
  for (b = 0, u->mass = 0; b < LBP_BUCKETS; b++) {
    u->mass += u->start[b + 1] * lbp_bucket_ceiling(b);
    u->start[b + 1] += u->start[b];
    fill[b] = u->start[b];
  }
  for (i = 0; i < n; i++) {
    slot[i] = fill[lbp_bucket(weight[i])]++;
    order[slot[i]] = i;
  }
  u->sorted = 1;
  u->since = 0;
}

/* Moves item i from one bucket to another, past the buckets between them: at each border the item there takes the place
 * left, and the border moves. The direction is no branch: it is as unpredictable as the draw. */
LBP_INLINE void lbp_urn_move(lbp_urn *u, uint32_t *order, uint32_t *slot, uint32_t i, uint32_t from, uint32_t to) {
  const uint32_t down = from < to, step = 2 * down - 1;
  uint32_t hole = slot[i];
  u->mass += lbp_bucket_ceiling(to) - lbp_bucket_ceiling(from);
  for (; from != to; from += step) {
    uint32_t *start = &u->start[from + down];
    const uint32_t border = *start - down, other = order[border];
    *start -= step;
    order[hole] = other;
    slot[other] = hole;
    order[border] = i; /* the next border is the same place, if the bucket between is empty */
    hole = border;
  }
  slot[i] = hole;
}

/* Chooses between the two ways of drawing R items; `above`: the tries per item drawn that call for sorting. Where
 * weights are `lasting`, items stay sorted for long; every 16 n replaced weights it is seen whether that still pays.
 * Where all weights are new after each step, sorting must pay at once. */
LBP_INLINE void lbp_urn_choose_order(lbp_urn *u, const uint32_t *weight, uint32_t *order, uint32_t *slot, uint32_t n,
                                     uint32_t R, uint32_t above, int lasting) {
  uint32_t tries = 1;
  if (u->sorted && u->since > (uint64_t)16 * n) {
    lbp_urn_survey(u, weight, n);
    tries = 2; /* items that are sorted stay so a little longer */
  }
  if (!u->sorted && (u->mass >> 4) * tries > (u->sums.total >> 4) * above) {
    if (lasting || tries == 2 || (uint64_t)u->sums.ceiling * R > u->sums.total * 2) {
      lbp_urn_sort(u, weight, order, slot, n);
    }
  }
}

/* The sum of the ceilings of all items in bucket b. */
LBP_INLINE uint64_t lbp_urn_bucket_mass(const lbp_urn *u, uint32_t b) {
  return (uint64_t)(u->start[b + 1] - u->start[b]) << lbp_bucket_shift(b);
}

/* ends[b] = the same of all buckets up to b. Small code does without. */
LBP_FN void lbp_urn_ends(const lbp_urn *u, uint64_t *ends) {
  uint64_t mass = 0;
  uint32_t b;
  for (b = 0; b < LBP_BUCKETS - 1 && !LBP_SMALL; b++) {
    mass += lbp_urn_bucket_mass(u, b);
    ends[b] = mass;
  }
}

/* The number of tries, at most LBP_TRIES, that should find the R - draws items still missing, repeated hits
 * included. */
LBP_INLINE uint32_t lbp_urn_tries(const lbp_urn *u, uint32_t draws, uint32_t R, int replace) {
  const uint64_t need = R - draws < LBP_TRIES ? R - draws : LBP_TRIES;
  const uint64_t gone = replace ? 0 : (draws + need / 2) * (u->sums.total / u->sums.positive);
  const uint64_t ask = need * (u->mass >> 8) / (((u->sums.total - gone) >> 8) + 1) * 9 / 8 + 2;
  return ask < LBP_TRIES ? (uint32_t)ask : LBP_TRIES;
}

/* Splits a random word into an item and its threshold: word n = item 2^64 + rest, threshold = rest ceiling / 2^64. */
LBP_INLINE uint32_t lbp_urn_aim(uint32_t n, uint32_t ceiling, uint64_t word, uint32_t *threshold) {
  uint64_t rest;
  const uint32_t item = (uint32_t)lbp_multiply(word, n, &rest);
  *threshold = (uint32_t)lbp_mulhi(rest, ceiling);
  return item;
}

/* The same where items are sorted: the word picks the bucket, the item in it and the threshold. */
LBP_INLINE uint32_t lbp_urn_aim_sorted(const lbp_urn *u, const uint32_t *order, const uint64_t *ends, uint64_t word,
                                       uint32_t *threshold) {
  uint64_t v = lbp_mulhi(word, u->mass);
  uint32_t b;
  if (LBP_SMALL) {
    uint64_t size;
    for (b = 0; v >= (size = lbp_urn_bucket_mass(u, b)); b++) v -= size;
    v = size - 1 - v;
  } else {
    b = (uint32_t)(v >= ends[7]) << 3; /* bisection without a branch: buckets are unpredictable */
    b += (uint32_t)(v >= ends[b + 3]) << 2;
    b += (uint32_t)(v >= ends[b + 1]) << 1;
    b += v >= ends[b];
    v = ends[b] - 1 - v;
  }
  *threshold = (uint32_t)v & ((1u << lbp_bucket_shift(b)) - 1u);
  return order[u->start[b] + (uint32_t)(v >> lbp_bucket_shift(b))];
}

#if LBP_VECTOR
#include "lbp/options/vector.h"
#endif

/* Independent candidates, each drawn in proportion to the weights (draws that a threshold rejects are left out), one
 * try for each of up to LBP_AT_ONCE words: appends them to out[count ..), which has room for LBP_CANDIDATES, and
 * returns the new count. Marked items are rejected unless `replace`. order[] has the n items; NULL: 0 to n - 1. An item
 * of weight w is drawn with the right probability to one part in 2^64 w / mass: 2^42 for middling ones among 10^6. */
LBP_INLINE uint32_t lbp_urn_candidates(const lbp_urn *u, const uint32_t *weight, const uint32_t *before,
                                       const uint32_t *order, uint32_t n, const uint64_t *ends, const uint64_t *word,
                                       uint32_t tries, int replace, uint32_t *out, uint32_t count) {
  const uint32_t ceiling = u->sums.ceiling, listed = order && !u->sorted;
  uint32_t k = 0, item, threshold, w, sorted = order && u->sorted; /* without an order there is no code for it */
#if LBP_AVX512
  if (!replace && tries >= (sorted ? 4u : 16u)) {
    return lbp_urn_candidates16(u, weight, order, n, ends, word, tries, out, count);
  }
#elif LBP_AVX2
  if (!replace && !order) k = lbp_urn_candidates4(ceiling, weight, n, word, tries, out, &count);
#endif
  for (; !LBP_SMALL && !replace && !order && k < tries; k++) { /* the most frequent, in a loop that asks no more */
    item = lbp_urn_aim(n, ceiling, word[k], &threshold);
    out[count] = item;
    count += (int32_t)threshold < (int32_t)weight[item];
  }
  for (; k < tries; k++) {
    item = sorted ? lbp_urn_aim_sorted(u, order, ends, word[k], &threshold)
                  : lbp_urn_aim(n, ceiling, word[k], &threshold);
    if (listed) item = order[item];
    w = weight[item];
    if (replace && (w & LBP_MARK)) w = before[w & ~LBP_MARK];
    out[count] = item; /* written always, kept below the threshold: no branch to mispredict */
    count += (int32_t)threshold < (int32_t)w;
  }
  return count;
}

/* Whether tries take longer than a look at all items: an old ceiling, which is lowered here, or a few heavy items. */
LBP_CALLED int lbp_urn_is_thin(lbp_urn *u, const uint32_t *weight, uint32_t n) {
  const uint64_t tries = 16 + n / 4;
  if ((u->mass >> 4) / tries <= u->sums.total >> 4) return 0;
  lbp_urn_survey(u, weight, n);
  return (u->mass >> 4) / tries > u->sums.total >> 4;
}

/* The item that a random word selects, in proportion to the weights, by looking at them all: the first `drawn` of
 * before[], whose items are marked, are gone; without such, marked items have the weight that before[] has. */
LBP_FN uint32_t lbp_urn_pick(const lbp_urn *u, const uint32_t *weight, const uint32_t *before, uint32_t n,
                             uint64_t word, uint32_t drawn) {
  uint64_t left = u->sums.total;
  uint32_t k, i;
  for (k = 0; k < drawn; k++) left -= before[k];
  left = lbp_mulhi(word, left);
  for (i = 0; i + 1 < n; i++) {
    uint32_t w = weight[i];
    if (w & LBP_MARK) w = drawn > 0 ? 0 : before[w & ~LBP_MARK];
    if (left < w) break;
    left -= w;
  }
  return i;
}

/* Marks item i as touched[k] and returns 1; or 0 if it is marked already, and touched[k] is still to come. */
LBP_INLINE uint32_t lbp_urn_mark(uint32_t *weight, uint32_t *touched, uint32_t *before, uint32_t i, uint32_t k) {
  const uint32_t w = weight[i];
  touched[k] = i;
  before[k] = w;
  weight[i] = w | LBP_MARK;
  return 1u - (w >> 31);
}

/* Draws without replacement: candidates, but for marked ones, become touched[k ..), up to R. Returns the new k. */
LBP_INLINE uint32_t lbp_urn_keep(uint32_t *weight, uint32_t *touched, uint32_t *before, const uint32_t *candidate,
                                 uint32_t count, uint32_t k, uint32_t R) {
  uint32_t f, end;
  for (f = 0; f < count && k < R;) {
    end = LBP_SMALL ? f + 1 : count - f < R - k ? count : f + (R - k);
    for (; f < end; f++) k += lbp_urn_mark(weight, touched, before, candidate[f], k);
  }
  return k;
}

/* Draws with replacement, after `draws` others of k different items: new ones become touched[k ..), draws of the others
 * again[draws - k ..). Returns the new k. */
LBP_INLINE uint32_t lbp_urn_keep_all(uint32_t *weight, uint32_t *touched, uint32_t *before, uint32_t *again,
                                  const uint32_t *candidate, uint32_t count, uint32_t k, uint32_t draws) {
  uint32_t f, repeated = draws - k;
  for (f = 0; f < count; f++) {
    const uint32_t i = candidate[f], w = weight[i], old = w >> 31, index = old ? w & ~LBP_MARK : k;
    touched[k] = i; /* a repeated draw is overwritten by the next one, and a new one in again[] */
    before[k] = w;
    again[repeated] = index;
    weight[i] = index | LBP_MARK;
    k += 1u - old;
    repeated += old;
  }
  return k;
}

/* Puts the items touched[from .. to) among the zeros, so that no more tries hit them. */
LBP_CALLED void lbp_urn_remove(lbp_urn *u, const uint32_t *weight, uint32_t *order, uint32_t *slot, uint32_t n,
                               const uint32_t *touched, const uint32_t *before, uint32_t from, uint32_t to) {
  if (!u->sorted) lbp_urn_sort(u, weight, order, slot, n);
  for (; from < to; from++) lbp_urn_move(u, order, slot, touched[from], lbp_bucket(before[from]), LBP_BUCKETS - 1);
}

/* The sums to which new weights will be added, of which the largest is to be known. (Member by member: a processor that
 * reads them in one piece, a moment after the last step has written them in three, waits.) */
LBP_INLINE void lbp_urn_begin(const lbp_urn *u, lbp_sums *sums) {
  sums->total = u->sums.total;
  sums->positive = u->sums.positive;
  sums->ceiling = 0;
}

/* Takes over the sums of new weights: of `count` items, or of all. */
LBP_INLINE void lbp_urn_adopt(lbp_urn *u, const lbp_sums *sums, uint32_t n, uint32_t count, int all) {
  u->sums.total = sums->total;
  u->sums.positive = sums->positive;
  u->since += count;
  if (all || (!u->sorted && sums->ceiling > u->sums.ceiling)) lbp_urn_level(u, n, sums->ceiling);
}

/* If items are sorted, moves touched[0 .. count) to the buckets of `weights`: the first ones, which were removed, from
 * the zeros, the others from the buckets of the weights `before`. */
LBP_CALLED void lbp_urn_move_all(lbp_urn *u, uint32_t *order, uint32_t *slot, const uint32_t *touched,
                                 const uint32_t *before, const uint32_t *weights, uint32_t count, uint32_t removed) {
  uint32_t mover[LBP_AT_ONCE], k, done, block, movers;
  if (!u->sorted) return;
  for (done = 0; done < count; done += block) {
    block = count - done < LBP_AT_ONCE ? count - done : LBP_AT_ONCE;
    k = done, movers = 0;
#if LBP_AVX512
    if (removed == 0) movers = lbp_urn_movers16(before, weights, mover, &k, done + block);
#endif
    for (; k < done + block; k++) { /* no branch: unpredictable */
      const uint32_t from = k < removed ? LBP_BUCKETS - 1 : lbp_bucket(before[k]);
      mover[movers] = k;
      movers += from != lbp_bucket(weights[k]);
    }
    for (k = 0; k < movers; k++) {
      const uint32_t i = mover[k], from = i < removed ? LBP_BUCKETS - 1 : lbp_bucket(before[i]);
      lbp_urn_move(u, order, slot, touched[i], from, lbp_bucket(weights[i]));
    }
  }
}

#elif LBP_VERSION != 10000
#error "lbp.h: one translation unit includes two versions of lbp.h; use the same one everywhere"
#endif /* LBP_VERSION */

/* ==== template: once per model ==================================================================================== */

#ifndef LBP_P_SUPPORT

/* ---- parameters -----------------------------------------------------------------------------------------------------
 *
 * A callback is anything callable: a function of any name, in C++ also f<float, 2>, or a macro with parameters, as
 * for a method: #define LBP_DELTA(m, x, i) (m)->delta(x, i). Its arguments are evaluated wherever it names them.
 *
 * Callbacks get the model first. With LBP_FIELDS_T the chain's fields come second: LBP_DELTA(m, fields, x, i). A
 * model is local (LBP_TERM, or LBP_DELTA and LBP_NEIGHBOURS) or dense (LBP_DELTAS). */

#if defined LBP_CAT_STATES || defined LBP_CLOCK || defined LBP_CLUSTERS || defined LBP_GROUP || defined LBP_LEVEL || \
  defined LBP_PARTS || defined LBP_PATH || defined LBP_SWEEPS || (defined LBP_NAME && defined LBP_P_RUN)
#include "lbp/base/moves.h"
#endif
#if defined LBP_NAME && LBP_CHECKED
#include "lbp/base/checked.h"
#endif
#if defined LBP_TERM && defined __has_include
#if __has_include("lbp/options/terms_parameters.h")
#else
#define LBP_P_NO_TERMS 1
#endif
#endif
#if defined LBP_TERM && !defined LBP_P_NO_TERMS
#include "lbp/options/terms_parameters.h"
#endif
#if defined LBP_CAT_STATES && !(defined LBP_TERM && !defined LBP_P_TERMS_RIGHT)
#include "lbp/options/cat_parameters.h"
#endif
#ifdef LBP_GROUP
#include "lbp/options/swap_parameters.h"
#endif
#ifdef LBP_LANES
#include "lbp/options/lanes_parameters.h"
#endif

#if !defined LBP_NAME
#if defined LBP_DELTA || defined LBP_DELTAS
#error "lbp.h: define LBP_NAME, the prefix of the generated functions"
#endif
#elif defined LBP_GRADIENT || defined LBP_STATES || defined LBP_CONDITIONAL || defined LBP_EXCHANGE
#error "lbp.h: LBP_GRADIENT, LBP_STATES are for lbp_ab.h, LBP_EXCHANGE for lbp_perm.h: include that, or lbp_run.h"
#elif defined LBP_P_NO_TERMS
#error "lbp.h: LBP_TERM needs lbp/options/terms.h: copy the folder lbp/ next to lbp.h, or define LBP_DELTA instead"
#elif defined LBP_TERM && !defined LBP_P_TERMS_RIGHT /* that header reports it */
#elif !defined LBP_TERM && (defined LBP_TERM_SITES || defined LBP_TERM_COUNT || defined LBP_SITE_TERM || \
                            defined LBP_TERM_MAX || defined LBP_TERMS_OF_MAX)
#error "lbp.h: LBP_TERM_SITES, LBP_SITE_TERM and the like describe terms: define LBP_TERM, too"
#elif (defined LBP_FIELD && !defined LBP_PAIRS) || (defined LBP_CAT_FIELD && !defined LBP_CAT_PAIRS) || \
  defined LBP_CAT_PAIRS != defined LBP_CAT_PAIR || (defined LBP_UNIT && !defined LBP_TERM && !defined LBP_PAIRS && \
                                                    !defined LBP_CAT_PAIRS)
#error "lbp.h: LBP_FIELD and LBP_UNIT need LBP_PAIRS or LBP_TERM; LBP_CAT_PAIRS and LBP_CAT_PAIR go together"
#elif (defined LBP_PAIRS && (defined LBP_CAT_STATES || !defined LBP_NEIGHBOURS)) || \
  (defined LBP_CAT_PAIRS && (!defined LBP_CAT_STATES || !defined LBP_NEIGHBOURS))
#error "lbp.h: LBP_PAIRS is for local models of two values, LBP_CAT_PAIRS for those of more: define LBP_NEIGHBOURS, too"
#elif defined LBP_CAT_STATES && !defined LBP_P_CAT_RIGHT /* that header reports it */
#elif defined LBP_LANES && !defined LBP_P_LANES_RIGHT /* the same */
#elif defined LBP_NEIGHBOURS && defined LBP_DELTAS
#error "lbp.h: a model is local (LBP_NEIGHBOURS) or dense (LBP_DELTAS), not both: define one of them"
#elif !defined LBP_NEIGHBOURS && !defined LBP_DELTAS
#error "lbp.h: define LBP_TERM (a sum), LBP_DELTA and LBP_NEIGHBOURS (a local model) or LBP_DELTAS (a dense one)"
#elif defined LBP_NEIGHBOURS && !defined LBP_DELTA
#error "lbp.h: a local model needs LBP_DELTA, log pi(x with site i flipped) - log pi(x)"
#elif defined LBP_NEIGHBOURS && !defined LBP_MAX_NEIGHBOURS
#error "lbp.h: LBP_NEIGHBOURS needs LBP_MAX_NEIGHBOURS, the length of the longest list"
#elif !defined LBP_FIELDS_T && (defined LBP_FIELDS_INIT || defined LBP_FLIP || defined LBP_SAVE || defined LBP_RESTORE)
#error "lbp.h: LBP_FIELDS_INIT, LBP_FLIP, LBP_SAVE and LBP_RESTORE work on fields: define LBP_FIELDS_T"
#elif defined LBP_FLIP_LIST && !(defined LBP_FIELDS_T && defined LBP_NEIGHBOURS)
#error "lbp.h: LBP_FLIP_LIST, flips that list what they change, is for local models with fields: define LBP_FIELDS_T"
#elif defined LBP_FIELDS_T && !(defined LBP_FIELDS_INIT && defined LBP_FLIP)
#error "lbp.h: LBP_FIELDS_T needs LBP_FIELDS_INIT (from scratch) and LBP_FLIP (after one flip)"
#elif defined LBP_DELTAS_EXACT && !defined LBP_DELTAS
#error "lbp.h: LBP_DELTAS_EXACT is a property of LBP_DELTAS: define LBP_DELTAS, or remove LBP_DELTAS_EXACT"
#elif (defined LBP_LEVEL || defined LBP_LEVELS) && \
  !(defined LBP_LEVEL && defined LBP_LEVELS && defined LBP_NEIGHBOURS && !defined LBP_BASE)
#error "lbp.h: LBP_LEVEL is for local models, needs LBP_LEVELS, the number of levels, and goes without LBP_BASE"
#elif defined LBP_CLOCK && LBP_CLOCK != LBP_BARKER && LBP_CLOCK != LBP_METROPOLIS && LBP_CLOCK != LBP_BIRTH_DEATH
#error "lbp.h: LBP_CLOCK is one of LBP_BARKER, LBP_METROPOLIS, LBP_BIRTH_DEATH"
#elif defined LBP_CLOCK && defined LBP_NEIGHBOURS && LBP_CLOCK != (defined LBP_WEIGHT ? LBP_WEIGHT : LBP_BARKER)
#error "lbp.h: of a local model LBP_CLOCK is its LBP_WEIGHT, LBP_BARKER or LBP_METROPOLIS"
#elif defined LBP_CLOCK && defined LBP_LOGP && !defined LBP_NEIGHBOURS && !defined LBP_DELTAS_EXACT
#error "lbp.h: a clock needs exact log-ratios: define LBP_DELTAS_EXACT, if LBP_DELTAS are exact"
#elif defined LBP_PATH && !defined LBP_NEIGHBOURS
#error "lbp.h: LBP_PATH, flips by weights that follow each other, is for local models: define LBP_NEIGHBOURS"
#elif defined LBP_CLUSTERS && !defined LBP_TERM && !defined LBP_PAIRS && !defined LBP_CAT_PAIRS
#error "lbp.h: LBP_CLUSTERS needs to know which sites are coupled: define LBP_TERM, LBP_PAIRS or LBP_CAT_PAIRS"
#elif defined LBP_CLUSTERS && defined LBP_GROUP
#error "lbp.h: clusters change numbers of ones, which LBP_GROUP keeps: remove LBP_CLUSTERS or LBP_GROUP"
#elif defined LBP_PARTS && !defined LBP_NEIGHBOURS
#error "lbp.h: LBP_PARTS, exchanges of parts between chains, is for local models: define LBP_NEIGHBOURS or LBP_TERM"
#elif defined LBP_PARTS && defined LBP_GROUP
#error "lbp.h: parts that are exchanged change numbers of ones, which LBP_GROUP keeps: remove LBP_PARTS or LBP_GROUP"
#elif defined LBP_SYMMETRIC && (defined LBP_CAT_STATES || \
                                !(defined LBP_PARTS || (defined LBP_P_RUN && defined LBP_NEIGHBOURS)))
#error "lbp.h: LBP_SYMMETRIC is used by LBP_PARTS, for binary sites: define LBP_PARTS, or remove LBP_SYMMETRIC"
#elif defined LBP_DELTAS_MANY && !(defined LBP_DELTAS && defined LBP_LOGP)
#error "lbp.h: LBP_DELTAS_MANY goes with LBP_DELTAS, for one chain, and LBP_LOGP: define these too"
#elif (defined LBP_BASE || defined LBP_ROUNDING) && !defined LBP_TEMPERED
#error "lbp.h: LBP_BASE is the law at beta = 0, LBP_ROUNDING limits beta: define LBP_TEMPERED"
#elif !defined LBP_CAT_STATES && (defined LBP_CAT_STATES_OF || defined LBP_CAT_DELTAS_OF || defined LBP_CAT_DELTA || \
                                  defined LBP_CAT_POWERS_OF || defined LBP_CAT_CHANGE || defined LBP_CAT_BASE)
#error "lbp.h: LBP_CAT_CHANGE, LBP_CAT_BASE and the like are for sites of more values: define LBP_CAT_STATES, too"
#elif defined LBP_GROUP && (defined LBP_CAT_STATES || defined LBP_BASE)
#error "lbp.h: LBP_GROUP, groups that keep their number of ones, is for sites of two values, and goes without LBP_BASE"
#elif (defined LBP_GROUP_ONES || defined LBP_GROUPS) && !defined LBP_GROUP
#error "lbp.h: LBP_GROUPS and LBP_GROUP_ONES describe groups: define LBP_GROUP"
#elif defined LBP_SAVE != defined LBP_RESTORE
#error "lbp.h: define both of LBP_SAVE and LBP_RESTORE or none"
#elif defined LBP_WEIGHT && (LBP_WEIGHT < LBP_BARKER || LBP_WEIGHT > LBP_METROPOLIS) && !defined LBP_CAT_STATES
#error "lbp.h: LBP_WEIGHT is one of LBP_BARKER, LBP_SQRT, LBP_METROPOLIS, LBP_CUSTOM"
#elif defined LBP_WEIGHT && LBP_WEIGHT == LBP_CUSTOM && !defined LBP_LOG_WEIGHT
#error "lbp.h: LBP_CUSTOM needs LBP_LOG_WEIGHT, log g(t) as a function of log t"
#elif defined LBP_LOG_WEIGHT && (!defined LBP_WEIGHT || LBP_WEIGHT != LBP_CUSTOM)
#error "lbp.h: LBP_LOG_WEIGHT is used with LBP_WEIGHT LBP_CUSTOM only: define that too"
#elif defined LBP_RNG_T != defined LBP_RNG_U64
#error "lbp.h: define both of LBP_RNG_T and LBP_RNG_U64 or none"
#elif defined LBP_SORT_ABOVE && LBP_SORT_ABOVE != LBP_NEVER && (LBP_SORT_ABOVE < 0 || LBP_SORT_ABOVE > 60)
#error "lbp.h: LBP_SORT_ABOVE, tries per drawn site, is 0 to 60, or LBP_NEVER"
#elif defined LBP_N && (LBP_N < 1 || LBP_N > 0x7fffffff)
#error "lbp.h: LBP_N, the number of sites, is 1 to 2^31 - 1, a literal or a macro (an enum constant is 0 to #if)"
#else
#define LBP_P_INSTANCE 1
#endif

#ifdef LBP_P_INSTANCE

/* LBP_NAME: the prefix of all generated names, an identifier of letters, digits and '_'. Required. */

/* Type of the model. Every call takes a const pointer to it; no pointer is stored. */
#ifndef LBP_MODEL_T
#define LBP_MODEL_T void
#endif

/* float or double: the type of log-ratios, log pi and acceptance probabilities. Weights are always 31-bit integers. */
#ifndef LBP_REAL
#define LBP_REAL double
#endif

/* The locally balanced weight function: LBP_BARKER is 8 % better on products; prefer LBP_SQRT on large interacting
 * systems. */
#ifndef LBP_WEIGHT
#define LBP_WEIGHT LBP_BARKER
#endif

/* LBP_N: the number of sites, if it is fixed at compile time; all data are then inside the chain. Otherwise n is an
 * argument of NAME_init. */

/* LBP_DELTA(m, x, i) -> LBP_REAL: the exact log pi(x with site i flipped) - log pi(x). -infinity: the flip is
 * impossible; +infinity: it leads out of an impossible state. Log-ratios below -3e38 count as impossible. Required for
 * local models without LBP_TERM; optional for dense ones, where Gibbs sweeps and the model check use it. */

/* LBP_NEIGHBOURS(m, i, out) -> uint32_t, LBP_MAX_NEIGHBOURS: writes to `out` the sites other than i whose delta may
 * change when i flips, and returns their number, at most LBP_MAX_NEIGHBOURS. The relation is symmetric: if j is in the
 * list of i, then i is in the list of j. Repeated or unnecessary sites, and i itself, only cost time. */

/* LBP_DELTAS(m, x, out): writes all n log-ratios to out[n]: exact ones, or estimates such as (1 - 2 x_i) d log pi / d
 * x_i [G]. Chains keep them until x changes.
 *
 * LBP_DELTAS_EXACT: if defined, they are exact although you define LBP_LOGP. Sweeps and LBP_CLOCK then need nothing
 * else. */

/* LBP_LOGP(m, x) -> LBP_REAL: log pi(x) up to a constant. For a dense model it decides the acceptance: required if
 * LBP_DELTAS are estimates. Without it they must be exact, and a step of R flips calls LBP_DELTAS R times unless you
 * define LBP_DELTA. Of a local model, steps do not use it: the check does, which finds wrong signs and factors by
 * nothing else, and so do runs and NAME_swap_parts. */

/* LBP_PREFETCH(m, x, i): optional, for steps on more than LBP_NEAR sites: prefetches, by lbp_prefetch, the cache lines
 * that a flip of site i, LBP_AHEAD flips later, will read or write, except that of x[i]. No effect on draws. */

/* LBP_TERM, LBP_TERM_SITES, LBP_TERM_COUNT, LBP_SITE_TERM, LBP_TERM_MAX, LBP_TERMS_OF_MAX: log pi as a sum of terms,
 * instead of LBP_DELTA and LBP_NEIGHBOURS: lbp/options/terms.h. */

/* All others are optional: LBP_LOG_WEIGHT, with LBP_CUSTOM (lbp/options/custom.h); LBP_DELTAS_MANY, for many chains at
 * once (lbp/options/many.h); LBP_PAIRS, LBP_FIELD and LBP_UNIT, couplings and fields (lbp/options/pairs.h);
 * LBP_FIELDS_T, your own quantities of each chain, with callbacks that update them (lbp/options/fields.h);
 * LBP_FLIP_LIST, flips that list their changes (lbp/options/flip_list.h); LBP_TEMPERED, an inverse temperature for each
 * chain, and LBP_BASE (lbp/options/tempered.h); LBP_CLAMPED, sites that never move (lbp/options/clamped.h); LBP_SWEEPS
 * and LBP_LEVEL, sweeps other than Gibbs (lbp/options/sweeps.h); LBP_CLOCK, a rejection-free chain (n-fold way, BKL;
 * lbp/options/clock.h); LBP_PATH, flips that follow each other among possible states (lbp/options/path.h);
 * LBP_CLUSTERS, clusters of sites that agree (lbp/options/clusters.h); LBP_PARTS and LBP_SYMMETRIC, exchanges of parts
 * between two chains (lbp/options/parts.h); LBP_GROUP, LBP_GROUPS, LBP_GROUP_ONES, groups of sites that keep their
 * number of ones (lbp/options/swap.h); LBP_CAT_STATES, sites of more than two values (lbp/options/cat.h); LBP_LANES,
 * many chains in the bits of a word (lbp/options/lanes.h). */

/* Tries per drawn site above which sites are sorted into buckets: a sorted site costs more to draw and to move.
 * LBP_NEVER: sites are never sorted, which saves 8 bytes a site (LBP_WS_LEN_NEVER) and code; but if a few sites have
 * nearly all the weight, each draw then looks at all sites. */
#ifndef LBP_SORT_ABOVE
#define LBP_SORT_ABOVE 8
#endif
#if LBP_SORT_ABOVE == LBP_NEVER
#define LBP_P_SORTS    0
#define LBP_P_ORDER(c) (uint32_t *)NULL, (uint32_t *)NULL
#else
#define LBP_P_SORTS    1
#define LBP_P_ORDER(c) (c)->order, (c)->slot
#endif

/* LBP_RNG_T, LBP_RNG_U64(rng) -> uint64_t: optional, another random number generator: its type, and a function or macro
 * that returns 64 uniform bits. */
#ifndef LBP_RNG_T
#define LBP_RNG_T     lbp_rng
#define LBP_P_OWN_RNG 1
#endif

/* Local models, including products of independent sites; and code that only dense ones compile. */
#ifdef LBP_NEIGHBOURS
#define LBP_P_LOCAL   1
#define LBP_P_PRODUCT (LBP_MAX_NEIGHBOURS == 0) /* not for #if: it may be an enum constant */
#define LBP_P_DENSE(...)
#else
#define LBP_P_LOCAL      0
#define LBP_P_PRODUCT    0
#define LBP_P_DENSE(...) __VA_ARGS__
#endif

#if defined LBP_P_RUN && !defined LBP_CAT_STATES /* options that runs add to yours */
#if !defined LBP_SWEEPS && !defined LBP_LEVEL
#define LBP_SWEEPS
#endif
#if !defined LBP_CLOCK && LBP_P_LOCAL && (LBP_WEIGHT == LBP_BARKER || LBP_WEIGHT == LBP_METROPOLIS)
#define LBP_CLOCK LBP_WEIGHT
#elif !defined LBP_CLOCK && defined LBP_DELTAS_EXACT
#define LBP_CLOCK LBP_BARKER
#endif
#if !defined LBP_PATH && LBP_P_LOCAL
#define LBP_PATH
#endif
#endif

#if defined LBP_P_RUN && (defined LBP_TERM || defined LBP_PAIRS || defined LBP_CAT_PAIRS) && !defined LBP_GROUP && \
  !defined LBP_CLUSTERS
#define LBP_CLUSTERS
#endif
#if defined LBP_P_RUN && LBP_P_LOCAL && !defined LBP_GROUP && !defined LBP_PARTS
#define LBP_PARTS
#endif

/* Whether single flips of local models have their own code. */
#if LBP_P_LOCAL && !LBP_SMALL && !LBP_CHECKED && !defined LBP_CAT_STATES
#define LBP_P_LONE 1
#else
#define LBP_P_LONE 0
#endif
/* CUDA compiles a file for the host and for the device: chains have the same members in both. */
#if LBP_P_LOCAL && !defined LBP_CAT_STATES && (defined __CUDACC__ || defined __CUDA_ARCH__)
#define LBP_P_DEVICE 1
#else
#define LBP_P_DEVICE 0
#endif

/* log pi decides the acceptance, not the sum of the flips' log-ratios; and code that only these compile. */
#if defined LBP_LOGP && !defined LBP_NEIGHBOURS
#define LBP_P_BY_LOGP   1
#define LBP_P_LOGP(...) __VA_ARGS__
#else
#define LBP_P_BY_LOGP 0
#define LBP_P_LOGP(...)
#endif

/* Whether log-ratios come from LBP_DELTAS, which are exact and kept. */
#if !LBP_P_LOCAL && !defined LBP_DELTA && (!defined LBP_LOGP || defined LBP_DELTAS_EXACT)
#define LBP_P_KEEPS 1
#else
#define LBP_P_KEEPS 0
#endif

/* Expands a callback: a function's name, a macro with parameters, or a name with commas, such as f<int, 2>. The
 * arguments come in parentheses. Only functions use it whose parameters and variables begin with lbp_, so that none of
 * these takes the place of a callback called m, say. */
#define LBP_P_CALL(callback, arguments) callback arguments

/* The arguments that all callbacks on a state have; and code that only instances with fields compile. */
#ifdef LBP_FIELDS_T
#define LBP_P_ARGS        lbp_m, lbp_c->fields, lbp_c->x
#define LBP_P_FIELDS(...) __VA_ARGS__
#else
#define LBP_P_ARGS lbp_m, lbp_c->x
#define LBP_P_FIELDS(...)
#endif

/* Only instances whose flips list their changes compile this. */
#ifdef LBP_FLIP_LIST
#define LBP_P_LIST(...) __VA_ARGS__
#else
#define LBP_P_LIST(...)
#endif

/* Only instances with levels of sites compile this: see lbp/options/sweeps.h. */
#ifdef LBP_LEVEL
#define LBP_P_LEVELS(...) __VA_ARGS__
#else
#define LBP_P_LEVELS(...)
#endif

/* Only instances of categorical sites compile this, or only others. A flip takes a categorical site to the value
 * other[i], which then becomes the previous value: code that only flips is the same for both. */
#ifdef LBP_CAT_STATES
#define LBP_P_CAT(...) __VA_ARGS__
#define LBP_P_BINARY(...)
#else
#define LBP_P_CAT(...)
#define LBP_P_BINARY(...) __VA_ARGS__
#define LBP_P_VALUES      2u
#define LBP_P_RATIO(c, i) (c)->ratio[i]
#define LBP_P_CHECK_SITE  LBP_(check_flip)
#endif

/* Only tempered instances compile this. */
#ifdef LBP_TEMPERED
#define LBP_P_TEMPER(...) __VA_ARGS__
#else
#define LBP_P_TEMPER(...)
#endif

/* Only instances with groups, which have a mask, compile this. */
#ifdef LBP_GROUP
#define LBP_P_GROUPS(...) __VA_ARGS__
#else
#define LBP_P_GROUPS(...)
#endif

/* Only instances compile this whose log pi is a sum of terms, see lbp/options/terms.h; those with pairs; those of them
 * with clusters. */
#ifndef LBP_TERM
#define LBP_P_TERMS(...)
#endif
#if defined LBP_TERM || defined LBP_PAIRS || defined LBP_CAT_PAIRS
#define LBP_P_COUPLED(...) __VA_ARGS__
#else
#define LBP_P_COUPLED(...)
#endif
#ifdef LBP_CLUSTERS
#define LBP_P_CLUSTERS(...) __VA_ARGS__
#else
#define LBP_P_CLUSTERS(...)
#endif
#ifdef LBP_UNIT
#define LBP_P_UNITS(...) __VA_ARGS__
#else
#define LBP_P_UNITS(...)
#endif

/* Only instances with a mask compile this: see lbp/options/clamped.h. */
#ifdef LBP_CLAMPED
#define LBP_P_CLAMP(...) __VA_ARGS__
#else
#define LBP_P_CLAMP(...)
#endif

#ifdef LBP_N
#define LBP_P_ARRAY(type, name, length) type name[length]
#define LBP_P_COUNT(chain)              ((uint32_t)(LBP_N))
#else
#define LBP_P_ARRAY(type, name, length) type *name
#define LBP_P_COUNT(chain)              ((chain)->n)
#endif

/* Only checked builds compile this. */
#if LBP_CHECKED
#define LBP_P_CHECK(...) __VA_ARGS__
#else
#define LBP_P_CHECK(...)
#endif

/* Only instances of lbp_run.h in unchecked builds compile this: their steps look for NaN. */
#if defined LBP_P_RUN && !LBP_CHECKED && defined LBP_LOGP && defined LBP_P_OWN_RNG
#define LBP_P_WATCHES    1
#define LBP_P_CAREFUL    LBP_FAST_MATH /* sweeps: compilers that assume no NaN may compare it in any way */
#define LBP_P_WATCH(...) __VA_ARGS__
#else
#define LBP_P_WATCHES 0
#define LBP_P_CAREFUL 1
#define LBP_P_WATCH(...)
#endif

/* Generated names: LBP_NAME_(init) is NAME_init, for you; LBP_(draw) is NAME_priv_draw, private. */
#define LBP_P_PASTE2(left, right) left##right
#define LBP_P_PASTE(left, right)  LBP_P_PASTE2(left, right)
#define LBP_NAME_(name)           LBP_P_PASTE(LBP_NAME, _##name)
#define LBP_(name)                LBP_P_PASTE(LBP_NAME, _priv_##name)
#define LBP_CHAIN_T               LBP_NAME_(chain)
#define LBP_INFO_T                LBP_NAME_(info)
#define LBP_TUNER_T               LBP_NAME_(tuner)
#define LBP_REPORT_T              LBP_NAME_(report)

LBP_EXACT_BEGIN

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* If it is defined twice, its name explains the cause in the first of many errors. */
enum { LBP_NAME_(is_the_LBP_NAME_of_another_instance) };

/* Your types may be called like a parameter or variable: from here on they have names that nothing else has. */
typedef LBP_REAL LBP_NAME_(real); /* of log-ratios, log pi, acceptance */
#undef LBP_REAL
#define LBP_REAL LBP_NAME_(real)
enum { LBP_(LBP_REAL_is_float_or_double) = 1 / (sizeof(LBP_REAL) == 4 || sizeof(LBP_REAL) == sizeof(double)) };

typedef LBP_MODEL_T LBP_(model);
#undef LBP_MODEL_T
#define LBP_MODEL_T LBP_(model)

typedef LBP_RNG_T LBP_(rng);
#undef LBP_RNG_T
#define LBP_RNG_T LBP_(rng)

#ifdef LBP_FIELDS_T
typedef LBP_FIELDS_T LBP_(fields);
#undef LBP_FIELDS_T
#define LBP_FIELDS_T LBP_(fields)
#endif

#if LBP_P_LOCAL
enum { LBP_(max_neighbours) = LBP_MAX_NEIGHBOURS };
#undef LBP_MAX_NEIGHBOURS
#define LBP_MAX_NEIGHBOURS LBP_(max_neighbours)
#endif

/* A proposal y, between drawing and settling. */
typedef struct {
  uint32_t draws;          /* R; without replacement also fewer may be drawn */
  uint32_t flips;          /* touched[0 .. flips) are the sites to flip ... */
  uint32_t touched;        /* ... and touched[flips .. touched) the others whose weights change with them */
  uint32_t removed;        /* touched[0 .. removed) sit in the zero bucket */
  LBP_P_LIST(int along;)   /* whether weight[] has the neighbours' weights at y already ... */
  LBP_P_LIST(uint32_t logged;) /* ... and touched[flips .. logged) log whose were replaced: lbp/options/flip_list.h */
  lbp_sums sums;           /* over the weights at y; the ceiling is that of touched sites (dense: of all) */
  LBP_REAL log_pi;         /* log pi(y) - log pi(x) */
  uint32_t nan;            /* of all steps: the first NaN, see NAME_priv_recall_nan of lbp/run/kernel.h; 0: none */
  uint64_t word;           /* decides whether y is accepted */
} LBP_(proposal);

/* The first fault that NAME_check has found, or that NAME_fault returns; status is LBP_OK if there is none. */
typedef struct {
  int status;           /* lbp_error(status) returns its text */
  uint32_t site, other; /* the site flipped, and the other one if there is one */
  LBP_REAL got, want; /* the two values that should agree */
} LBP_REPORT_T;

LBP_P_TERMS(struct LBP_NAME_(terms);) /* of lbp/options/terms.h */

/* One chain. You may read x, n and fields; all other members belong to the functions below. You may copy it if LBP_N is
 * defined and there are no fields; otherwise it points to your memory and fields. */
typedef struct {
  uint32_t n;
  LBP_P_FIELDS(LBP_FIELDS_T *fields;)
  LBP_P_TERMS(const struct LBP_NAME_(terms) *terms;)
  /* which data are those of x: set by NAME_priv_prepare, cleared by NAME_touch; NAME_temper leaves fields alone */
  int fields_ready, weights_ready; /* weights: 1; or the value of another header of this template */
  LBP_P_LOGP(int logp_ready;)
  LBP_P_DENSE(int ratio_ready;)                  /* whether ratio[] is of x */
  LBP_P_LIST(uint32_t crowded;)                  /* number of flips that list more than there is room for; 0: unknown */
  LBP_P_LOGP(LBP_REAL logp, logp_proposed;)      /* log pi of x and y */
  LBP_P_TEMPER(LBP_REAL beta;)                   /* the inverse temperature */
  LBP_P_CLAMP(uint32_t free;)                    /* how many sites may move ... */
  LBP_P_CLAMP(const uint8_t *mask;)              /* ... and which: those that are 0 there; NULL: all */
  LBP_P_GROUPS(lbp_groups groups;)               /* see lbp/options/swap.h */
  LBP_P_CLUSTERS(int clusters;)                  /* properties of the law: see lbp/options/clusters.h */
  LBP_(proposal) y;                              /* of the step in progress */
  lbp_urn urn;                                   /* the sites, by their weights at x */
#if LBP_P_LONE || LBP_P_DEVICE
  uint32_t asked;                                /* tries of the last single flip, of which the next takes as many */
#endif
  /* arrays by site last: processors address the front of an object in shorter instructions */
  LBP_P_ARRAY(uint8_t, x, LBP_N);
  LBP_P_ARRAY(uint32_t, weight, LBP_N);          /* by site; the top bit marks touched sites during a step, and with
                                                    replacement the rest of a drawn site's is its index in touched */
  LBP_P_ARRAY(uint32_t, touched, LBP_N + 1);     /* this step's distinct sites: flipped ones first, neighbours after */
  LBP_P_ARRAY(uint32_t, before, LBP_N + 1);      /* their weights at x */
  LBP_P_ARRAY(uint32_t, next, LBP_N);            /* weights at y: by index into touched (local), by site (dense) */
#if LBP_P_SORTS
  LBP_P_ARRAY(uint32_t, order, LBP_N);           /* sites sorted by bucket */
  LBP_P_ARRAY(uint32_t, slot, LBP_N);            /* its inverse: order[slot[i]] == i */
#endif
  LBP_P_ARRAY(uint32_t, again, LBP_N);           /* GWG: the draws of a site drawn before, as indices into touched */
  LBP_P_DENSE(LBP_P_BINARY(LBP_P_ARRAY(LBP_REAL, ratio, LBP_N);)) /* the last output of LBP_DELTAS */
  LBP_P_CAT(LBP_P_CAT_ARRAYS)                    /* see lbp/options/cat.h */
  LBP_P_GROUPS(LBP_P_GROUP_ARRAYS)               /* see lbp/options/swap.h */
  LBP_P_LEVELS(uint64_t bar[LBP_LEVELS];)        /* by level, once known: of a Metropolis flip ... */
  LBP_P_LEVELS(LBP_REAL gain[LBP_LEVELS][2];)    /* ... log pi's gain without a flip, 0, and by a flip ... */
  LBP_P_LEVELS(uint32_t hazard[LBP_LEVELS];)     /* ... and of a skip sweep's */
  LBP_P_CHECK(uint32_t made;)                    /* LBP_MADE, once NAME_init has succeeded */
  LBP_P_CHECK(uint32_t wait, turn;)              /* steps until NAME_priv_examine is due; the site whose turn it is */
  LBP_P_CHECK(LBP_REPORT_T fault;)               /* the first */
  LBP_P_CHECK(LBP_P_CLAMP(uint64_t evidence;))   /* a hash of the clamped sites */
} LBP_CHAIN_T;

/* The result of a step. */
typedef struct {
  LBP_REAL accept;       /* acceptance probability, min(1, ratio); 0 if there was no proposal */
  uint32_t accepted;     /* 1 if the proposal was accepted */
  uint32_t proposed;     /* sites that the proposal flipped */
  uint32_t jump;         /* Hamming distance moved: proposed or 0 (for a sweep: number of flips) */
  uint32_t evaluations;  /* calls of LBP_DELTA, LBP_DELTAS and LBP_LOGP by the move */
  LBP_REAL log_ratio;    /* change of log pi(x) by the step, 0 unless x moved; with LBP_TEMPERED of the law at the
                            chain's temperature. A sum of log-ratios, rounded like these; not finite if the step began
                            in an impossible state */
  const uint32_t *sites; /* the `jump` sites that changed; valid until the chain's next step */
} LBP_INFO_T;

/* Tunes R to an acceptance rate. One chain or many can share it. Made by NAME_tuner_init; you may change r, eta,
 * growth. */
typedef struct {
  LBP_REAL r;            /* R_t, real, in [1, largest] */
  LBP_REAL mean;         /* mean of R_t over the second half of the warm-up */
  LBP_REAL target;       /* acceptance rate to reach if a step costs the same for any R */
  LBP_REAL site_cost;    /* a step costs 1 + site_cost R; 0 unless set by NAME_tuner_cost */
  LBP_REAL hazard;       /* the target as a hazard, see NAME_priv_rate */
  LBP_REAL eta;          /* R_{t+1} = R_t + max(eta, growth R_t) (A_t - target); eta = 1 as in (22) */
  LBP_REAL growth;       /* 1/32: large R is reached in few steps; 0 is (22) to the letter */
  LBP_REAL largest;      /* n less 1/2, or 1 */
  uint32_t step, warmup; /* updates so far, updates until r is frozen at mean */
  LBP_P_GROUPS(lbp_shift_tuner shift;) /* see lbp/options/swap.h */
} LBP_TUNER_T;

/* A long product of positive ratios without logarithms: value 2^exponent. */
typedef struct {
  LBP_REAL value;
  int32_t exponent;
} LBP_(product);

LBP_P_CAT(LBP_P_CAT_FUNCTIONS) /* of lbp/options/cat.h: functions defined after their callers */

/* Selects a function of a float or the one of a double, by LBP_REAL. */
#define LBP_P_SIZED(type, single, wide) (sizeof(LBP_REAL) == sizeof(float) ? (type)(single) : (type)(wide))

LBP_FN int LBP_(is_finite)(LBP_REAL v) { return LBP_P_SIZED(int, lbp_is_finitef((float)v), lbp_is_finite((double)v)); }

LBP_FN int LBP_(is_nan)(LBP_REAL v) { return LBP_P_SIZED(int, lbp_is_nanf((float)v), lbp_is_nan((double)v)); }

/* ---- faults ------------------------------------------------------------------------------------------------------ */

LBP_FN int LBP_(find)(LBP_REPORT_T *report, int status, uint32_t site, uint32_t other, LBP_REAL got, LBP_REAL want) {
  const LBP_REPORT_T found = {status, site, other, got, want};
  *report = found;
  return status;
}

#if LBP_CHECKED
#include "lbp/options/checked.h"
#endif

#if LBP_P_WATCHES
/* Whether v is NaN, in few instructions: a comparison, if the compiler respects it. */
LBP_INLINE int LBP_(hides_nan)(LBP_REAL v) { return LBP_FAST_MATH ? LBP_(is_nan)(v) : v != v; }

/* Defined in lbp/run/kernel.h. */
LBP_COLD void LBP_(recall_nan)(const LBP_CHAIN_T *c, LBP_REPORT_T *report);
LBP_COLD void LBP_(note_logp)(LBP_CHAIN_T *c, LBP_REAL logp);
LBP_COLD void LBP_(note_nan)(LBP_CHAIN_T *c, uint32_t i);
LBP_COLD void LBP_(meet_nan)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i);
LBP_COLD void LBP_(seek_nan)(LBP_CHAIN_T *c, const LBP_MODEL_T *m);
LBP_COLD void LBP_(seek_nan_at_y)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t accepted);
LBP_COLD void LBP_(retrace)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int backwards);
#endif

/* Returns the first fault of a step of this chain; LBP_OK if there is none. After a fault, NAME_init makes the chain
 * usable again. LBP_E_NULL: the chain is NULL; LBP_E_NOT_MADE: NAME_init has not made it. With LBP_E_STALE and
 * LBP_E_FIELDS, got and want are weights (2^31 for g = 1).
 *
 * Without LBP_CHECKED the status is LBP_OK, except for instances made by lbp_run.h, whose steps look for NaN: log pi is
 * NaN or +infinity, `got` (LBP_E_MODEL_NAN); the log-ratio of `site` is NaN at a possible state, or of cluster steps a
 * coupling or field of it (LBP_E_DELTA_NAN). */
LBP_FN LBP_REPORT_T LBP_NAME_(fault)(const LBP_CHAIN_T *c) {
  LBP_REPORT_T report;
  LBP_(find)(&report, LBP_OK, 0, 0, 0, 0);
  LBP_P_CHECK(LBP_(recall)(c, &report);)
  LBP_P_WATCH(if (c) LBP_(recall_nan)(c, &report);)
  return (void)c, report;
}

/* ---- the user's macros, each expanded once ----------------------------------------------------------------------- */

#ifdef LBP_TERM
#include "lbp/options/terms.h"
#endif

#if defined LBP_DELTA && !defined LBP_CAT_STATES
LBP_INLINE LBP_REAL LBP_(call_delta)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i;
  return (LBP_REAL)(LBP_P_CALL(LBP_DELTA, (LBP_P_ARGS, lbp_i)));
}
#endif

#if LBP_P_LOCAL
LBP_INLINE uint32_t LBP_(call_neighbours)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i,
                                          uint32_t *lbp_out) {
  (void)lbp_c, (void)lbp_m, (void)lbp_i, (void)lbp_out;
  return LBP_P_CALL(LBP_NEIGHBOURS, (lbp_m, lbp_i, lbp_out));
}
#else
LBP_INLINE void LBP_(call_deltas)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, LBP_REAL *lbp_out) {
  (void)lbp_c, (void)lbp_m, (void)lbp_out;
  LBP_P_CALL(LBP_DELTAS, (LBP_P_ARGS, lbp_out));
}
#endif

#ifdef LBP_LOGP
LBP_INLINE double LBP_(call_logp)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m) {
  (void)lbp_c, (void)lbp_m;
  return (double)(LBP_P_CALL(LBP_LOGP, (LBP_P_ARGS)));
}
/* Whether LBP_LOGP returns more digits than LBP_REAL has. */
LBP_INLINE int LBP_(is_logp_wide)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m) {
  (void)lbp_c, (void)lbp_m;
  return sizeof(LBP_P_CALL(LBP_LOGP, (LBP_P_ARGS))) > sizeof(LBP_REAL);
}
#endif

/* Prefetches the cache lines of a later flip. */
LBP_INLINE void LBP_(prefetch)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_i) {
  lbp_prefetch(lbp_c->x + lbp_i);
  (void)lbp_m;
#ifdef LBP_PREFETCH
  LBP_P_CALL(LBP_PREFETCH, (LBP_P_ARGS, lbp_i));
#endif
}

LBP_INLINE uint64_t LBP_(word)(LBP_RNG_T *lbp_generator) {
#ifdef LBP_P_OWN_RNG
  return lbp_rng_u64(lbp_generator);
#else
  (void)lbp_generator;
  return LBP_P_CALL(LBP_RNG_U64, (lbp_generator));
#endif
}

#ifdef LBP_FIELDS_T
#include "lbp/options/fields.h"
#endif

/* ---- log-ratios and weights -------------------------------------------------------------------------------------- */

/* Random words: at least one, at most *count <= LBP_BLOCK, which becomes their number; in `room` or elsewhere. */
LBP_INLINE const uint64_t *LBP_(words)(LBP_RNG_T *rng, uint64_t *room, uint32_t *count) {
#ifdef LBP_P_OWN_RNG
  (void)room;
  return lbp_rng_take(rng, count);
#else
  uint32_t k;
  for (k = 0; k < *count; k++) room[k] = LBP_(word)(rng);
  return room;
#endif
}

LBP_FN LBP_REAL LBP_(u01)(uint64_t word) { return LBP_P_SIZED(LBP_REAL, lbp_u01f(word), lbp_u01(word)); }

LBP_FN int LBP_(trial)(uint64_t word, LBP_REAL p) {
  return LBP_P_SIZED(int, lbp_bernoulli_trialf(word, (float)p), lbp_bernoulli_trial(word, (double)p));
}

LBP_FN LBP_REAL LBP_(exp)(LBP_REAL v) { return LBP_P_SIZED(LBP_REAL, lbp_expf((float)v), lbp_exp((double)v)); }

LBP_INLINE LBP_REAL LBP_(log)(LBP_REAL v) { return LBP_P_SIZED(LBP_REAL, lbp_logf((float)v), lbp_log((double)v)); }

LBP_INLINE LBP_REAL LBP_(rounded)(LBP_REAL v) {
  return LBP_P_SIZED(LBP_REAL, lbp_roundedf((float)v), lbp_rounded((double)v));
}

/* An integer below 2^62 as a real number, by way of its two halves of 31 bits: compilers vectorise the conversion of no
 * longer ones. */
LBP_INLINE LBP_REAL LBP_(real_of)(uint32_t high, uint32_t low) {
  return (LBP_REAL)(int32_t)high * (LBP_REAL)2147483648.0 + (LBP_REAL)(int32_t)low;
}

LBP_LEAF LBP_REAL LBP_(real)(uint64_t v) {
  return LBP_(real_of)((uint32_t)(v >> 31), (uint32_t)(v & 0x7fffffffu));
}

/* Flips one site, and nothing else. */
LBP_INLINE void LBP_(turn)(LBP_CHAIN_T *c, uint32_t i) {
  LBP_P_CAT(const uint8_t v = c->x[i];)
  LBP_P_CAT(c->x[i] = c->other[i], c->other[i] = v;)
  LBP_P_BINARY(c->x[i] ^= 1u;)
}

/* Flips one site and brings the fields up to date. */
LBP_INLINE void LBP_(flip_site)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  (void)m;
  LBP_(turn)(c, i);
  LBP_P_DENSE(c->ratio_ready = 0;)
  LBP_P_FIELDS(LBP_(call_flip)(c, m, i);)
}

#ifdef LBP_TEMPERED
#include "lbp/options/tempered.h"
#endif

#ifdef LBP_CLAMPED
#include "lbp/options/clamped.h" /* and lbp/options/groups.h where there are groups */
#endif

#ifdef LBP_LOGP
/* NaN or +infinity. */
LBP_FN int LBP_(is_no_logp)(LBP_REAL logp) { return LBP_(is_nan)(logp) || (!LBP_(is_finite)(logp) && logp > 0); }

/* What steps take for log pi, where LBP_LOGP has returned `all` its digits. */
LBP_FN LBP_REAL LBP_(logp_of)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, double all) {
  LBP_REAL logp = LBP_(rounded)((LBP_REAL)all);
  LBP_P_TEMPER(logp = LBP_(tempered)(c, logp, LBP_(base_logp)(c, m));)
  LBP_P_CHECK(if (LBP_(is_no_logp)(logp)) LBP_(fail)(c, LBP_E_LOGP, 0, 0, logp, logp);)
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(is_no_logp)(logp))) LBP_(note_logp)(c, logp);)
  return (void)c, (void)m, logp;
}

LBP_FN LBP_REAL LBP_(logp)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  return LBP_(logp_of)(c, m, LBP_(call_logp)(c, m));
}
#endif

#if !LBP_P_LOCAL
#ifndef LBP_CAT_STATES
/* Completes the log-ratios that the model has written. */
LBP_FN void LBP_(finish_ratios)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  LBP_P_TEMPER(LBP_(temper_ratios)(c, m);)
  LBP_P_CLAMP(LBP_(clamp_ratios)(c);)
  LBP_P_CHECK(LBP_(look_at_ratios)(c);)
  (void)c, (void)m;
}
#endif

/* Where x and out are parts of one static object, GCC 12 may remove the call: so `out` is hidden from it. */
LBP_FN void LBP_(deltas)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  LBP_REAL *out = c->ratio;
#if defined __GNUC__ && !defined __CUDA_ARCH__
  __asm__("" : "+r"(out));
#endif
  LBP_(call_deltas)(c, m, out);
  c->ratio_ready = 1;
  LBP_(finish_ratios)(c, m);
}
#endif

/* The exact log-ratio of one flip, by the cheapest way that the model offers. */
LBP_INLINE LBP_REAL LBP_(delta)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  LBP_P_CLAMP(if (LBP_(is_clamped)(c, i)) return (LBP_REAL)lbp_impossible();)
#if defined LBP_DELTA
  LBP_REAL d = LBP_(call_delta)(c, m, i);
  LBP_P_TEMPER(d = LBP_(tempered)(c, d, LBP_(base_delta)(c, m, i));)
  LBP_P_CHECK(LBP_(refuse_nan)(c, i, d);)
  return d;
#elif LBP_P_KEEPS
  if (!c->ratio_ready) LBP_(deltas)(c, m);
  return LBP_P_RATIO(c, i);
#else
  LBP_REAL flipped;
  LBP_(flip_site)(c, m, i);
  flipped = LBP_(logp)(c, m);
  LBP_(flip_site)(c, m, i);
  return flipped - LBP_(logp)(c, m);
#endif
}

#if LBP_P_LOCAL
/* The status of the list that LBP_NEIGHBOURS has written for site i. */
LBP_FN int LBP_(judge_list)(const LBP_CHAIN_T *c, uint32_t i, const uint32_t *list, uint32_t count,
                            LBP_REPORT_T *report) {
  const LBP_REAL n = (LBP_REAL)LBP_P_COUNT(c);
  uint32_t k;
  (void)c;
  if (count > LBP_MAX_NEIGHBOURS) {
    return LBP_(find)(report, LBP_E_NEIGHBOUR_RANGE, i, i, (LBP_REAL)count, LBP_MAX_NEIGHBOURS);
  }
  for (k = 0; k < count; k++) {
    if (list[k] < LBP_P_COUNT(c)) continue;
    return LBP_(find)(report, LBP_E_NEIGHBOUR_RANGE, i, list[k], (LBP_REAL)list[k], n);
  }
  return LBP_OK;
}

LBP_INLINE uint32_t LBP_(neighbours)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t *list) {
  const uint32_t count = LBP_(call_neighbours)(c, m, i, list);
  (void)c;
  LBP_P_CHECK(return LBP_(fit)(c, i, list, count);)
  return count;
}
#endif

/* Adds, or multiplies, v[half .. 2 half) to v[0 .. half). */
LBP_INLINE void LBP_(fold_half)(LBP_REAL *v, uint32_t half, int multiply) {
  uint32_t k;
  for (k = 0; k < half; k++) v[k] = multiply ? v[k] * v[k + half] : v[k] + v[k + half];
}

/* The sum, or the product, of LBP_BLOCK numbers, by adding the upper half to the lower one again and again: a chain of
 * additions would wait for each of them. Destroys them. Of a few only these are read; of more, the elements behind
 * `count` must be neutral, so that all lengths are constants: see NAME_priv_neutral. */
LBP_INLINE LBP_REAL LBP_(fold)(LBP_REAL *v, uint32_t count, int multiply) {
  uint32_t half, k;
  if (!lbp_is_long(count)) {
    for (half = LBP_SMALL ? LBP_BLOCK / 2 : LBP_PAD / 2; half > 0; half /= 2) {
      LBP_ROLLED for (k = half; k < count; k++) v[k - half] = multiply ? v[k - half] * v[k] : v[k - half] + v[k];
      if (count > half) count = half;
    }
    return v[0];
  }
  LBP_(fold_half)(v, LBP_BLOCK / 2, multiply);
  LBP_(fold_half)(v, LBP_BLOCK / 4, multiply);
  LBP_(fold_half)(v, LBP_BLOCK / 8, multiply);
  LBP_(fold_half)(v, LBP_BLOCK / 16, multiply);
  return multiply ? (v[0] * v[2]) * (v[1] * v[3]) : (v[0] + v[2]) + (v[1] + v[3]);
}

/* Before a block of `count` numbers is written: all become 0 for a sum, 1 for a product, if not all are. */
LBP_INLINE void LBP_(neutral)(LBP_REAL *v, uint32_t count, int multiply) {
  uint32_t k;
  if (!lbp_is_long(count) || count == LBP_BLOCK) return;
  for (k = 0; k < LBP_BLOCK; k++) v[k] = (LBP_REAL)multiply;
}

/* Whether two values have the same bits. (Of the library's functions device code has memcpy and memset.) */
LBP_FN int LBP_(same)(LBP_REAL v, LBP_REAL w) {
  uint64_t left = 0, right = 0;
  memcpy(&left, &v, sizeof v);
  memcpy(&right, &w, sizeof w);
  return left == right;
}

/* Whether two values agree as well as rounding lets them; equal infinities do. */
LBP_FN int LBP_(agree)(LBP_REAL got, LBP_REAL want, LBP_REAL scale) {
  const LBP_REAL tolerance = sizeof(LBP_REAL) == sizeof(float) ? (LBP_REAL)1e-4 : (LBP_REAL)1e-9;
  const LBP_REAL gap = got < want ? want - got : got - want;
  if (!LBP_(is_finite)(got) || !LBP_(is_finite)(want)) return LBP_(same)(got, want);
  return gap <= tolerance * (1 + scale);
}

LBP_FN LBP_REAL LBP_(abs)(LBP_REAL v) { return v < 0 ? -v : v; }

#ifdef LBP_LOGP
/* log pi(x with site i flipped) - log pi(x): `change`, as steps take it, or where LBP_LOGP is in double, by all[1] -
 * all[0], since large values hide small differences in less. */
LBP_FN LBP_REAL LBP_(gain)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, const double *all, LBP_REAL change) {
  LBP_REAL gain;
  if (!LBP_(is_logp_wide)(c, m) || !LBP_(is_finite)(change)) return change;
  gain = (LBP_REAL)(all[1] - all[0]);
  LBP_P_TEMPER(gain = c->beta * gain - (1 - c->beta) * LBP_(base_logp)(c, m);)
  LBP_P_TEMPER(LBP_(flip_site)(c, m, i);)
  LBP_P_TEMPER(gain += (1 - c->beta) * LBP_(base_logp)(c, m);)
  LBP_P_TEMPER(LBP_(flip_site)(c, m, i);)
  return (void)c, (void)m, (void)i, gain;
}

/* Whether a log-ratio and that gain agree: to 1e-3 at most, or a few units in the last place of log pi or the log-ratio
 * where these are larger; sums of a log pi that is no more exact than log-ratios may be off by more. */
LBP_FN int LBP_(agree_with_logp)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REAL gain, LBP_REAL d,
                                 LBP_REAL larger) {
  const int single = sizeof d == sizeof(float);
  const LBP_REAL epsilon = single ? (LBP_REAL)1.2e-7 : (LBP_REAL)2.3e-16;
  const LBP_REAL units = 8 * epsilon * (LBP_(abs)(d) + larger);
  const LBP_REAL loose = (single ? (LBP_REAL)1e-4 : (LBP_REAL)1e-9) * (1 + LBP_(abs)(d) + larger);
  const LBP_REAL gap = LBP_(abs)(gain - d), limit = loose < (LBP_REAL)1e-3 ? loose : (LBP_REAL)1e-3;
  if (!LBP_(is_finite)(gain) || !LBP_(is_finite)(d)) return LBP_(same)(gain, d);
  return gap <= limit || gap <= units || (!LBP_(is_logp_wide)(c, m) && gap <= loose);
}
#endif

/* ---- weights ----------------------------------------------------------------------------------------------------- */

#if LBP_WEIGHT == LBP_CUSTOM
#include "lbp/options/custom.h"
#endif

#ifndef LBP_CAT_STATES
/* The weight of a flip, from its log-ratio. */
LBP_INLINE uint32_t LBP_(weight)(LBP_REAL d) {
#if LBP_WEIGHT == LBP_BARKER
  return lbp_weight_barker((float)d);
#elif LBP_WEIGHT == LBP_SQRT
  return lbp_weight_log(0.5f * (float)d);
#elif LBP_WEIGHT == LBP_METROPOLIS
  return lbp_weight_metropolis((float)d);
#else
  return lbp_is_impossible((float)d) ? 0u : lbp_weight_log((float)LBP_(call_log_weight)(d));
#endif
}

/* Whether a log-ratio is NaN: of the number that the weight looks at, too, so that both are one comparison. */
LBP_INLINE uint32_t LBP_(weighs_nan)(LBP_REAL d) {
  return 0u - (uint32_t)lbp_is_nanf(LBP_WEIGHT == LBP_SQRT ? 0.5f * (float)d : (float)d);
}

#if LBP_P_LOCAL
/* next[k] = the weight of a flip with log-ratio d[k]; behind these, as far as there is room, whatever. Returns whether
 * one is NaN, where that matters. */
LBP_INLINE uint32_t LBP_(weigh_block)(const LBP_REAL *d, uint32_t *next, uint32_t count, uint32_t room) {
  const uint32_t end = lbp_padded(count) <= room ? lbp_padded(count) : count;
  uint32_t k, j, nan = 0;
  for (k = 0; !LBP_VECTOR && !LBP_SMALL && k + LBP_PAD <= end; k += LBP_PAD) { /* for -O2; AVX makes gcc unroll it */
    for (j = 0; j < LBP_PAD; j++) {
      next[k + j] = LBP_(weight)(d[k + j]);
      LBP_P_WATCH(nan |= LBP_(weighs_nan)(d[k + j]);)
    }
  }
  for (; k < end; k++) {
    next[k] = LBP_(weight)(d[k]);
    LBP_P_WATCH(nan |= LBP_(weighs_nan)(d[k]);)
  }
  LBP_SETTLE(next);
  return nan;
}

/* next[k] = the weight of touched[k], for all of them. Log-ratios first, then weights: the second loop vectorises. */
LBP_CALLED void LBP_(weigh)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t count) {
  const uint32_t n = LBP_P_COUNT(c);
  LBP_REAL d[LBP_BLOCK];
  uint32_t k, done, block;
  for (done = 0; done < count; done += block) {
    const uint32_t *site = c->touched + done;
    uint32_t nan;
    block = count - done < LBP_AT_ONCE ? count - done : LBP_AT_ONCE;
    LBP_(neutral)(d, block, 0);
    for (k = 0; k < block; k++) d[k] = LBP_(delta)(c, m, site[k]);
    LBP_P_GROUPS(LBP_(shift_all)(c, site, d, block);)
    nan = LBP_(weigh_block)(d, c->next + done, block, n - done);
    LBP_P_WATCH(if (LBP_SELDOM(nan != 0)) LBP_(seek_nan)(c, m);)
    (void)nan;
  }
}

/* A product's whole proposal: flips the sites drawn, weighs them, and completes y with the sums. Sites are independent,
 * so that the way back has the same log-ratios with the other sign. */
LBP_CALLED void LBP_(flip_product)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t n = LBP_P_COUNT(c), flips = c->y.flips;
  const int distant = n > LBP_NEAR;
  LBP_REAL d[LBP_BLOCK], sum = 0;
  uint32_t k, done, block;
  LBP_P_FIELDS(LBP_(save)(c, m);)
  lbp_urn_begin(&c->urn, &c->y.sums);
  for (done = 0; done < flips; done += block) {
    const uint32_t *site = c->touched + done;
    const uint32_t ahead = flips - done < 2 * LBP_BLOCK ? flips - done : 2 * LBP_BLOCK;
    block = flips - done < LBP_BLOCK ? flips - done : LBP_BLOCK;
    LBP_(neutral)(d, block, 0);
    for (k = LBP_BLOCK; distant && k < ahead; k++) LBP_(prefetch)(c, m, site[k]);
    for (k = 0; k < block; k++) {
      LBP_(flip_site)(c, m, site[k]);
      d[k] = LBP_(delta)(c, m, site[k]) LBP_P_GROUPS(+ LBP_(shift)(c, site[k]));
    }
    LBP_(weigh_block)(d, c->next + done, block, n - done);
    sum += LBP_(fold)(d, block, 0);
    lbp_urn_tally(&c->y.sums, c->next + done, c->before + done, block);
  }
  c->y.log_pi = -sum;
}
#else
/* next[i] = the weight of site i, for all sites, from their log-ratios in ratio[], and their sums. */
LBP_CALLED void LBP_(weigh_all)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t n = LBP_P_COUNT(c), most = 8 * LBP_BLOCK; /* so many are near when they are summed up */
  uint32_t done, block, k;
  LBP_P_WATCH(uint32_t nan = 0;)
  memset(&c->y.sums, 0, sizeof c->y.sums);
  for (done = 0; done < n; done += block) {
    const LBP_REAL *ratio = c->ratio + done; /* without these two, the loop does not vectorise */
    uint32_t *next = c->next + done;
    block = n - done < most ? n - done : most;
    for (k = 0; k < block; k++) {
      const LBP_REAL d = ratio[k] LBP_P_GROUPS(+ LBP_(shift)(c, done + k));
      next[k] = LBP_(weight)(d);
      LBP_P_WATCH(nan |= LBP_(weighs_nan)(d);)
    }
    LBP_SETTLE(next);
    lbp_urn_tally(&c->y.sums, next, NULL, block);
  }
  LBP_P_WATCH(if (LBP_SELDOM(nan != 0)) LBP_(seek_nan)(c, m);)
  (void)m;
}
#endif
#endif

/* The proposed weight of touched[k]. */
LBP_INLINE uint32_t LBP_(next_weight)(const LBP_CHAIN_T *c, uint32_t k) {
  return LBP_P_LOCAL ? c->next[k] : c->next[c->touched[k]];
}

/* Takes next[], by site, as the weights of all sites; `ready` says what they are of. */
LBP_FN void LBP_(take_next)(LBP_CHAIN_T *c, int ready) {
#if LBP_P_LOCAL || defined LBP_N
  memcpy(c->weight, c->next, LBP_P_COUNT(c) * sizeof c->next[0]);
#else
  uint32_t *const scratch = c->weight;
  c->weight = c->next;
  c->next = scratch;
#endif
  c->weights_ready = ready;
}

/* The same of flips (dense: with y.sums). */
LBP_FN void LBP_(start_weights)(LBP_CHAIN_T *c) {
  LBP_(take_next)(c, 1);
#if LBP_P_LOCAL
  lbp_urn_survey(&c->urn, c->weight, LBP_P_COUNT(c));
#else
  lbp_urn_adopt(&c->urn, &c->y.sums, LBP_P_COUNT(c), 0, 1);
#endif
}

/* next[i] = the weight of site i at x, for all sites. */
LBP_INLINE void LBP_(weigh_x)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
#if LBP_P_LOCAL
  uint32_t i;
  for (i = 0; i < LBP_P_COUNT(c); i++) c->touched[i] = i;
  LBP_P_CAT(c->y.flips = 0;)
  LBP_(weigh)(c, m, LBP_P_COUNT(c));
#else
  LBP_(deltas)(c, m);
  LBP_(weigh_all)(c, m);
#endif
}

/* Makes the fields of x, once after NAME_init or NAME_touch. */
LBP_FN void LBP_(prepare_fields)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  LBP_P_GROUPS(LBP_(ready_groups)(c, m);)
  LBP_P_FIELDS(if (!c->fields_ready) LBP_(call_fields_init)(c, m);)
  LBP_P_CHECK(LBP_P_CLAMP(if (!c->fields_ready) c->evidence = LBP_(hash_of_clamped)(c);))
  c->fields_ready = 1;
  (void)m;
}

/* Makes fields and log pi, and if asked the weights, describe x. Touches all sites, once after NAME_init or
 * NAME_touch, and again for the weights after accepted steps of a sampler that does not keep them. */
LBP_CALLED void LBP_(prepare)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int weights) {
  LBP_(prepare_fields)(c, m);
  LBP_P_LOGP(if (!c->logp_ready) c->logp = LBP_(logp)(c, m);)
  LBP_P_LOGP(c->logp_ready = 1;)
  if (weights && c->weights_ready != 1) LBP_(weigh_x)(c, m), LBP_(start_weights)(c);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* Draws R sites in proportion to their weights, with or without replacement; touched[] gets the distinct ones in the
 * order of their first draw, again[] (with replacement) the other draws. y.flips becomes the number of distinct sites:
 * without replacement R, or as many as have a positive weight. */
LBP_INLINE void LBP_(draw)(LBP_CHAIN_T *c, uint32_t R, int replace, LBP_RNG_T *rng) {
  const uint32_t n = LBP_P_COUNT(c);
  uint32_t *weight = c->weight, *touched = c->touched, *before = c->before, *again = c->again;
#if LBP_P_SORTS
  const uint32_t *order = c->order;
#else
  const uint32_t *order = NULL;
#endif
  uint32_t candidate[LBP_CANDIDATES], k = 0, draws = 0, dry = 0;
  uint64_t room[LBP_BLOCK], ends[LBP_BUCKETS - 1];
  int thin = 0;
  c->y.flips = c->y.removed = 0;
  if (c->urn.sums.positive == 0) return;
  if (!replace && R > c->urn.sums.positive) R = c->urn.sums.positive;
  if (LBP_P_SORTS) lbp_urn_choose_order(&c->urn, weight, LBP_P_ORDER(c), n, R, LBP_SORT_ABOVE, LBP_P_LOCAL);
  else thin = lbp_urn_is_thin(&c->urn, weight, n);
  if (!LBP_SMALL) memset(ends, 0, sizeof ends); /* else compilers fear that it is read where items are not sorted */
  if (LBP_P_SORTS && c->urn.sorted) lbp_urn_ends(&c->urn, ends);
  while (draws < R) {
    const uint32_t first = draws, asked = thin ? 0 : lbp_urn_tries(&c->urn, draws, R, replace);
    uint32_t done, tries, found = 0;
    if (thin) candidate[found++] = lbp_urn_pick(&c->urn, weight, before, n, LBP_(word)(rng), replace ? 0 : k);
    for (done = 0; done < asked; done += tries) {
      const uint64_t *word;
      tries = asked - done < LBP_AT_ONCE ? asked - done : LBP_AT_ONCE;
      word = LBP_(words)(rng, room, &tries);
      found = lbp_urn_candidates(&c->urn, weight, before, c->urn.sorted ? order : NULL, n, ends, word, tries, replace,
                                 candidate, found);
    }
    LBP_TICK(candidates);
    if (replace) {
      if (found > R - draws) found = R - draws;
      k = lbp_urn_keep_all(weight, touched, before, again, candidate, found, k, draws);
      draws += found;
    } else {
      draws = k = lbp_urn_keep(weight, touched, before, candidate, found, k, R);
    }
    LBP_TICK(keep);
    dry = draws > first ? 0 : dry + asked;
    if (dry < LBP_BLOCK || replace) continue;
    /* the sites drawn so far hold nearly all the weight */
    thin = !LBP_P_SORTS;
    if (LBP_P_SORTS) {
      lbp_urn_remove(&c->urn, weight, LBP_P_ORDER(c), n, touched, before, c->y.removed, k);
      c->y.removed = k;
      lbp_urn_ends(&c->urn, ends);
      dry = 0;
    }
  }
  c->y.flips = k;
}

#ifndef LBP_CAT_STATES
/* Draws R different sites uniformly. */
LBP_CALLED void LBP_(draw_uniform)(LBP_CHAIN_T *c, uint32_t R, LBP_RNG_T *rng) {
  const uint32_t n = LBP_P_COUNT(c);
  uint32_t *weight = c->weight, *touched = c->touched, *before = c->before;
  uint64_t room[LBP_BLOCK];
  uint32_t k = 0;
  LBP_P_CLAMP(if (c->mask) k = LBP_(draw_free)(c, R, rng);)
  while (k < R) {
    uint32_t count = R - k < LBP_BLOCK ? R - k : LBP_BLOCK, h;
    const uint64_t *word = LBP_(words)(rng, room, &count);
    for (h = 0; h < count; h++) k += lbp_urn_mark(weight, touched, before, (uint32_t)lbp_mulhi(word[h], n), k);
  }
  c->y.flips = k;
  c->y.removed = 0;
}
#endif

/* ---- proposing --------------------------------------------------------------------------------------------------- */

/* Flips the sites drawn. */
LBP_FN void LBP_(flip_all)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t *touched = c->touched, flips = c->y.flips;
  uint32_t k;
  LBP_P_FIELDS(LBP_(save)(c, m);)
  for (k = 0; k < flips; k++) LBP_(flip_site)(c, m, touched[k]);
}

#if !LBP_P_BY_LOGP
/* Flips the sites drawn one after another; returns the sum of their log-ratios. `distant`: prefetches cache lines. */
LBP_INLINE LBP_REAL LBP_(flip_each)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int backwards, int distant) {
  const uint32_t *touched = c->touched, flips = c->y.flips;
  LBP_REAL sum = 0;
  uint32_t k;
  for (k = 0; k < flips; k++) {
    const uint32_t i = touched[backwards ? flips - 1 - k : k], then = k + LBP_AHEAD;
    if (distant && then < flips) LBP_(prefetch)(c, m, touched[backwards ? flips - 1 - then : then]);
    sum += LBP_(rounded)(LBP_(delta)(c, m, i));
    LBP_(flip_site)(c, m, i);
  }
  return sum;
}
#endif

/* The same, last one first if `backwards`, and y.log_pi gets log pi(y) - log pi(x): -infinity or NaN where y can't be
 * reached because log pi(y) is -infinity, or for a model that knows flips only, because the way leads through an
 * impossible state (the way back leads through the same ones, so refusing both keeps detailed balance). */
LBP_CALLED void LBP_(flip)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int backwards) {
#if LBP_P_BY_LOGP
  (void)backwards;
  LBP_(flip_all)(c, m);
  c->logp_proposed = LBP_(logp)(c, m);
  c->y.log_pi = c->logp_proposed - c->logp;
#else
  LBP_P_FIELDS(LBP_(save)(c, m);)
  c->y.log_pi = LBP_P_COUNT(c) > LBP_NEAR ? LBP_(flip_each)(c, m, backwards, 1) : LBP_(flip_each)(c, m, backwards, 0);
#endif
}

/* Undoes NAME_priv_flip. */
LBP_FN void LBP_(unflip)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t *touched = c->touched;
  uint32_t k = c->y.flips;
#ifdef LBP_RESTORE
  while (k > 0) LBP_(turn)(c, touched[--k]);
  LBP_P_DENSE(c->ratio_ready = 0;)
  LBP_(call_restore)(c, m);
#else
  const int distant = LBP_P_COUNT(c) > LBP_NEAR;
  while (k > 0) {
    k--;
#ifdef LBP_FIELDS_T
    if (distant && k >= LBP_AHEAD) LBP_(prefetch)(c, m, touched[k - LBP_AHEAD]);
#else /* a flip needs no more of the model */
    if (distant && k >= LBP_AHEAD) lbp_prefetch(c->x + touched[k - LBP_AHEAD]);
#endif
    LBP_(flip_site)(c, m, touched[k]);
  }
#endif
}

#if LBP_P_LOCAL && !defined LBP_CAT_STATES
/* Weights of a block of sites from their log-ratios, in the place of others, which was[] gets, one after another, since
 * a site may be named twice; marked ones stay marked, and do not count. All arrays have room for LBP_PAD more. Adds up
 * the sums: contributions of a site named twice telescope. Returns whether a log-ratio is NaN, where that matters. */
LBP_INLINE uint32_t LBP_(replace_all)(uint32_t *weight, const uint32_t *site, LBP_REAL *ratio, uint32_t *next,
                                      uint32_t *was, uint32_t count, lbp_sums *sums) {
  const uint32_t end = lbp_padded(count);
  uint32_t k, nan;
  for (k = count; k < end; k++) ratio[k] = 0;
  nan = LBP_(weigh_block)(ratio, next, count, end);
  for (k = 0; !lbp_is_long(count) && k < count; k++) {
    const uint32_t i = site[k], old = weight[i], counts = (old >> 31) - 1u;
    weight[i] = next[k] | (old & LBP_MARK);
    was[k] = old & counts;
    next[k] &= counts;
    lbp_urn_tally(sums, &next[k], &was[k], 1);
  }
  if (!lbp_is_long(count)) return nan;
#if LBP_VECTOR
  k = lbp_exchange4(weight, site, next, was, count);
#else
  k = 0;
#endif
  for (; k < count; k++) {
    const uint32_t i = site[k], old = weight[i];
    was[k] = old;
    weight[i] = next[k] | (old & LBP_MARK);
  }
  for (k = count; k < end; k++) was[k] = LBP_MARK;
  for (k = 0; k < end; k++) {
    const uint32_t counts = (was[k] >> 31) - 1u;
    next[k] &= counts;
    was[k] &= counts;
  }
  lbp_urn_tally(sums, next, was, end);
  return nan;
}
#endif

#ifdef LBP_FLIP_LIST
#include "lbp/options/flip_list.h"
#endif

/* After the flips: completes touched[] and y with the weights that they changed (dense: from ratio[]). */
LBP_CALLED void LBP_(reweigh)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
#if LBP_P_LOCAL
  const uint32_t most = 4 * LBP_BLOCK;
  uint32_t list[4 * LBP_BLOCK + LBP_MAX_NEIGHBOURS], k = 0, j, count, t = c->y.flips;
  uint32_t *weight = c->weight, *touched = c->touched, *before = c->before;
  const int distant = LBP_P_COUNT(c) > LBP_NEAR;
  if (LBP_P_PRODUCT) return; /* see NAME_priv_flip_product */
  LBP_P_LIST(if (c->y.along) LBP_(weigh_flips)(c, m);)
  LBP_P_LIST(if (c->y.along) return;)
  while (k < c->y.flips) {
    for (count = 0; k < c->y.flips && count < most; k++) count += LBP_(neighbours)(c, m, touched[k], list + count);
    for (j = 0; distant && j < count; j++) lbp_prefetch(weight + list[j]);
    for (j = 0; j < count; j++) { /* one loop over many lists: its end is seldom mispredicted */
      t += lbp_urn_mark(weight, touched, before, list[j], t);
    }
  }
  LBP_TICK(lists);
  c->y.touched = t;
  lbp_urn_begin(&c->urn, &c->y.sums);
  LBP_(weigh)(c, m, t);
  LBP_TICK(weights);
  LBP_P_GROUPS(if (c->groups.mode == LBP_MODE_SWAP) return;)
  lbp_urn_tally(&c->y.sums, c->next, before, t);
  LBP_TICK(sums);
#else
  LBP_(weigh_all)(c, m);
#endif
}

/* ---- accepting --------------------------------------------------------------------------------------------------- */

LBP_INLINE int32_t LBP_(split)(LBP_REAL *v) {
  return LBP_P_SIZED(int32_t, lbp_splitf((float *)(void *)v), lbp_split((double *)(void *)v));
}

LBP_INLINE int32_t LBP_(split_all)(LBP_REAL *v, uint32_t count) { /* returns the sum of their exponents */
  int32_t exponent = 0;
  uint32_t k;
  LBP_ROLLED for (k = 0; k < count; k++) exponent += LBP_(split)(&v[k]);
  return exponent;
}

/* Multiplies a block of ratios, whose rest is neutral, into the product. Binary exponents are taken out first: the rest
 * is in [1, 2), and 64 of them can't overflow. Destroys the block. */
LBP_INLINE void LBP_(multiply)(LBP_(product) *p, LBP_REAL *ratio, uint32_t count) {
  const int32_t exponent = lbp_is_long(count) ? LBP_(split_all)(ratio, LBP_BLOCK) : LBP_(split_all)(ratio, count);
  p->value *= LBP_(fold)(ratio, count, 1);
  p->exponent += exponent + LBP_(split)(&p->value);
}

/* min(1, e^log_pi product); the product may be 0. */
LBP_FN LBP_REAL LBP_(probability)(const LBP_(product) *p, LBP_REAL log_pi) {
  const LBP_REAL lowest = sizeof(LBP_REAL) == sizeof(float) ? -85 : -700;
  const LBP_REAL log_2 = (LBP_REAL)0.69314718055994530942;
  const LBP_REAL v = log_pi + LBP_(rounded)(log_2 * (LBP_REAL)p->exponent);
  LBP_REAL ratio;
  if (p->value < 1 || v < lowest) return 0; /* no way back; too seldom */
  ratio = p->value * LBP_(exp)(v < -lowest ? v : -lowest);
  return LBP_(rounded)(ratio < 1 ? ratio : 1); /* hidden: a branch on it would be mispredicted every other step */
}

/* Whether a random word accepts with this probability, which is NAME_priv_probability(p, log_pi). Nearly always two
 * digits of its logarithm tell, long before the exponential is there: a processor that has mispredicted finds out so
 * much the earlier. Cases that they leave open, and the last 2^-23, are decided by the word's 62 bits. */
LBP_INLINE uint32_t LBP_(decide)(const LBP_(product) *p, LBP_REAL log_pi, uint64_t word, LBP_REAL accept) {
  const int32_t top = (int32_t)(word >> 33);
  if (!LBP_SMALL && top >= 256 && p->value > 0) {
    const float change = (float)log_pi, slack = 0.04f + 1e-5f * (change < 0 ? -change : change);
    const float ratio = lbp_log2_roughly((float)p->value) + (float)p->exponent + 1.442695f * change;
    const float u = lbp_log2_roughly((float)top) - 31.0f;
    if (ratio > u + slack) return 1;
    if (ratio < u - slack) return 0;
  }
  return (uint32_t)LBP_(trial)(word, accept);
}

/* ratio[k] = next[k] left[k] / (before[k] left_back[k]). Returns whether a next[k] is 0. */
LBP_INLINE uint32_t LBP_(quotients)(const uint32_t *before, const uint32_t *next, const uint64_t *left,
                                    const uint64_t *left_back, uint32_t count, LBP_REAL *ratio) {
  uint32_t k, lost = 0;
  for (k = 0; k < count; k++) {
    const int32_t w = (int32_t)before[k], w_back = (int32_t)next[k];
    ratio[k] = (LBP_REAL)w_back * LBP_(real)(left[k]) / ((LBP_REAL)w * LBP_(real)(left_back[k]));
    lost |= w_back == 0;
  }
  return lost;
}

/* ratio[k] = next[k] left[k] / (before[k] left_back[k]), where left[k] is *sum less all before[] up to k - 1, and
 * left_back[k] is *sum_back and all next[] up to k; both sums move on. Returns whether a next[k] is 0. */
LBP_INLINE uint32_t LBP_(ratios)(const uint32_t *before, const uint32_t *next, uint32_t count, uint64_t *sum,
                                 uint64_t *sum_back, LBP_REAL *ratio) {
  uint64_t left[LBP_AT_ONCE], left_back[LBP_AT_ONCE];
  uint32_t k, lost = 0;
#if LBP_AVX512
  if (sizeof(LBP_REAL) == sizeof(float) && lbp_is_long(count)) {
    return lbp_ratios16(before, next, count, sum, sum_back, (float *)(void *)ratio);
  }
#elif LBP_AVX2
  if (sizeof(LBP_REAL) == sizeof(float) && lbp_is_long(count)) {
    return lbp_ratios8(before, next, count, sum, sum_back, (float *)(void *)ratio);
  }
#endif
  for (k = 0; k < count; k++) {
    left[k] = *sum;
    *sum -= before[k];
    *sum_back += next[k];
    left_back[k] = *sum_back;
  }
  for (k = 0; !LBP_SMALL && k + LBP_PAD <= count; k += LBP_PAD) {
    lost |= LBP_(quotients)(before + k, next + k, left + k, left_back + k, LBP_PAD, ratio + k);
  }
  return lost | LBP_(quotients)(before + k, next + k, left + k, left_back + k, count - k, ratio + k);
}

/* Multiplies p by how much more probable it is that touched[from .. to) is drawn backwards at y: without replacement,
 * there from sites of this sum at x; back from *sum_back, the sum at y without them, to which they return. So site k is
 * drawn from all but those before it at x, from all but those behind it at y. Returns whether a weight there is 0. */
LBP_INLINE uint32_t LBP_(back_drawn)(const LBP_CHAIN_T *c, uint32_t from, uint32_t to, uint64_t sum, uint64_t *sum_back,
                                     LBP_(product) *p) {
  uint32_t room[LBP_AT_ONCE], k, done, lanes, lost = 0;
  LBP_REAL ratio[LBP_BLOCK];
  for (done = from; done < to; done += lanes) {
    const uint32_t *before = c->before + done, *next = LBP_P_LOCAL ? c->next + done : room;
    const uint32_t at = LBP_SMALL ? (done - from) % LBP_BLOCK : 0;
    lanes = to - done < LBP_AT_ONCE ? to - done : LBP_AT_ONCE;
    LBP_(neutral)(ratio, lanes, 1);
    for (k = 0; !LBP_P_LOCAL && k < lanes; k++) room[k] = LBP_(next_weight)(c, done + k);
    lost |= LBP_(ratios)(before, next, lanes, &sum, sum_back, ratio + at);
    if (at + lanes == LBP_BLOCK || done + lanes == to) LBP_(multiply)(p, ratio, at + lanes);
  }
  return lost;
}

/* How much more probable the way back is, for the acceptance (5) of LBP-R. 0 where it is impossible. */
LBP_APART LBP_(product) LBP_(back_lbp)(const LBP_CHAIN_T *c) {
  LBP_(product) p = {1, 0};
  const uint32_t *next = c->next, *touched = c->touched, flips = c->y.flips;
  uint64_t sum_back = c->y.sums.total;
  uint32_t k;
  for (k = 0; k < flips; k++) sum_back -= next[LBP_P_LOCAL ? k : touched[k]];
  if (LBP_(back_drawn)(c, 0, flips, c->urn.sums.total, &sum_back, &p)) p.value = 0, p.exponent = 0;
  return p;
}

/* The same for GWG-R: all draws, repeated ones too, count on both sides. */
LBP_CALLED LBP_(product) LBP_(back_gwg)(const LBP_CHAIN_T *c) {
  const LBP_REAL shrink = LBP_(real)(c->urn.sums.total) / LBP_(real)(c->y.sums.total);
  const uint32_t flips = c->y.flips, draws = c->y.draws;
  LBP_REAL ratio[LBP_BLOCK];
  LBP_(product) p = {1, 0};
  uint32_t k, first, block, lost = 0;
  for (first = 0; first < draws; first += block) {
    const uint32_t end = first < flips ? flips : draws; /* first draws first, in one piece */
    block = end - first < LBP_BLOCK ? end - first : LBP_BLOCK;
    LBP_(neutral)(ratio, block, 1);
    if (first < flips) {
      const uint32_t *before = c->before + first, *next = c->next + first, *touched = c->touched + first;
      LBP_ROLLED for (k = 0; k < block; k++) {
        const int32_t w = (int32_t)before[k], w_back = (int32_t)(LBP_P_LOCAL ? next[k] : c->next[touched[k]]);
        ratio[k] = (LBP_REAL)w_back / (LBP_REAL)w * shrink;
        lost |= w_back == 0;
      }
    } else {
      LBP_ROLLED for (k = 0; k < block; k++) {
        const uint32_t index = c->again[first - flips + k];
        ratio[k] = (LBP_REAL)LBP_(next_weight)(c, index) / (LBP_REAL)c->before[index] * shrink;
      }
    }
    LBP_(multiply)(&p, ratio, block);
  }
  if (lost) p.value = 0, p.exponent = 0;
  return p;
}

/* Ends a step: takes y over, or goes back to x. */
LBP_CALLED void LBP_(settle)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int accepted) {
  const uint32_t *touched = c->touched, count = c->y.touched;
  const uint32_t *weights = accepted && LBP_P_LOCAL ? c->next : c->before;
  const uint32_t ahead = LBP_P_COUNT(c) > LBP_NEAR && count > LBP_AHEAD ? count - LBP_AHEAD : 0;
  uint32_t *weight = c->weight, k, moved = count;
  LBP_P_LOGP(if (accepted) c->logp = c->logp_proposed;)
  if (accepted && !LBP_P_LOCAL) { /* all weights are new: none is marked, nor sorted */
    LBP_(start_weights)(c);
    return;
  }
  LBP_P_LIST(if (!accepted && c->y.along) LBP_(revert)(c);)
  for (k = 0; k != ahead; k++) {
    lbp_prefetch(weight + touched[k + LBP_AHEAD]);
    weight[touched[k]] = weights[k];
  }
  for (; k < count; k++) weight[touched[k]] = weights[k];
  if (!accepted) {
    LBP_(unflip)(c, m);
    LBP_P_CAT(LBP_P_DENSE(LBP_(restore_ratios)(c);))
    moved = c->y.removed;
  } else {
    lbp_urn_adopt(&c->urn, &c->y.sums, LBP_P_COUNT(c), count, 0);
  }
  if (LBP_P_SORTS) lbp_urn_move_all(&c->urn, LBP_P_ORDER(c), touched, c->before, weights, moved, c->y.removed);
}

/* ---- the generated functions ------------------------------------------------------------------------------------- */

#ifndef LBP_N
/* Returns the length of the workspace of a chain with n sites, in uint64_t's: LBP_WS_LEN(n), or LBP_WS_LEN_DENSE(n) for
 * a dense model; if sites are never sorted, LBP_WS_LEN_NEVER(n) or LBP_WS_LEN(n). */
LBP_FN size_t LBP_NAME_(ws_len)(uint32_t n) {
  LBP_P_CAT(return LBP_(cat_ws_len)(n);)
  LBP_P_GROUPS(return LBP_(ws_len_with_groups)(n);)
  if (LBP_P_SORTS) return LBP_P_LOCAL ? LBP_WS_LEN(n) : LBP_WS_LEN_DENSE(n);
  return LBP_P_LOCAL ? LBP_WS_LEN_NEVER(n) : LBP_WS_LEN(n);
}
#endif

/* Tells the chain that you have changed x or the model. The next step looks at all sites once. */
LBP_FN void LBP_NAME_(touch)(LBP_CHAIN_T *c) {
  c->fields_ready = c->weights_ready = 0;
  LBP_P_LOGP(c->logp_ready = 0;)
  LBP_P_DENSE(c->ratio_ready = 0;)
  LBP_P_LEVELS(memset(c->bar, 255, sizeof c->bar);)
  LBP_P_CAT(c->mobile = UINT32_MAX;)
  LBP_P_GROUPS(c->groups.ready = 0;)
  LBP_P_CLUSTERS(c->clusters = 0;)
}

/* Makes a chain. x, fields, terms and workspace belong to you and must outlive the chain.
 *
 * n known at run time: NAME_init(c, n, x, [terms or fields,] ws, ws_len). x is the initial state, n bytes of 0 and 1;
 * steps change it in place. n fixed by LBP_N: NAME_init(c, x [, terms or fields]). x is copied into c->x; NULL means
 * all zeros. A model with LBP_TERM takes the terms that NAME_terms_init has made.
 *
 * Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE (also: the terms have another n), LBP_E_WORKSPACE, LBP_E_STATE,
 * LBP_E_NOT_MADE (the terms); the chain is unusable then.
 *
 * All functions below assume that NAME_init has made the chain, that tuner and generator were made by their init
 * functions, that x holds zeros and ones, and that the model's macros behave as described. Otherwise behaviour is
 * undefined; checked builds (LBP_CHECKED) report it. */
#ifdef LBP_N
LBP_CALLED int LBP_NAME_(init)(LBP_CHAIN_T *c, const uint8_t *x
#else
LBP_CALLED int LBP_NAME_(init)(LBP_CHAIN_T *c, uint32_t n, uint8_t *x
#endif
                           LBP_P_FIELDS(, LBP_FIELDS_T *fields)
                           LBP_P_TERMS(, const LBP_NAME_(terms) *terms)
#ifndef LBP_N
                           , uint64_t *ws, size_t ws_len
#endif
) {
  uint32_t i;
  if (!c) return LBP_E_NULL;
  LBP_P_CHECK(c->made = 0;)
  LBP_P_FIELDS(c->fields = fields; if (!fields) return LBP_E_NULL;)
#ifdef LBP_N
  c->n = LBP_N;
#else
  if (!x || !ws) return LBP_E_NULL;
  if (n < 1 || n > LBP_MAX_SITES LBP_P_CAT(/ LBP_P_VALUES)) return LBP_E_SIZE;
  if (ws_len < LBP_NAME_(ws_len)(n)) return LBP_E_WORKSPACE;
  c->n = n;
  c->x = x;
  LBP_P_CAT(ws = LBP_(lay_out)(c, ws);)
  LBP_P_BINARY(LBP_P_DENSE(c->ratio = (LBP_REAL *)(void *)ws, ws += n;))
  LBP_P_GROUPS(ws = LBP_(lay_out_groups)(c, ws);)
  c->weight = (uint32_t *)(void *)ws;
  c->again = c->weight + n;
#if LBP_P_SORTS
  c->order = c->again;
  c->slot = c->order + n;
  c->again = c->slot + n;
#endif
  c->next = c->again + n;
  c->before = c->next + n;
  c->touched = c->before + n + 1;
#endif
  LBP_P_TERMS(if (LBP_(take_terms)(c, terms) != LBP_OK) return LBP_(take_terms)(c, terms);)
  for (i = 0; i < LBP_P_COUNT(c); i++) {
#ifdef LBP_N
    c->x[i] = x ? x[i] : 0;
#endif
    if ((uint32_t)c->x[i] + 1 > LBP_P_VALUES) return LBP_E_STATE;
    LBP_P_CAT(c->other[i] = c->x[i];)
    c->weight[i] = 0; /* unmarked */
    c->before[i] = 0;
  }
  LBP_P_LOGP(c->logp = c->logp_proposed = 0;)
  LBP_P_TEMPER(c->beta = 1;)
  LBP_P_CLAMP(c->mask = NULL;)
  LBP_P_CLAMP(c->free = LBP_P_COUNT(c);)
  LBP_P_GROUPS(memset(&c->groups, 0, sizeof c->groups);)
  memset(&c->y, 0, sizeof c->y);
  LBP_P_LIST(c->crowded = 0, c->urn.sorted = 0;)
#if LBP_P_LONE
  c->asked = 0;
#endif
  LBP_NAME_(touch)(c);
  LBP_P_CHECK(LBP_(mark_valid)(c);)
  return LBP_OK;
}

/* First part of a step: draws the sites to flip. Returns whether there are any. */
LBP_INLINE int LBP_(propose)(LBP_CHAIN_T *c, uint32_t R, int replace, LBP_RNG_T *rng, LBP_INFO_T *info) {
  if (R > LBP_P_COUNT(c)) R = LBP_P_COUNT(c);
  LBP_P_CLAMP(if (R > c->free) R = c->free;)
  c->y.draws = R;
  LBP_(draw)(c, R, replace, rng);
  memset(info, 0, sizeof *info);
  info->proposed = c->y.touched = c->y.flips;
  info->sites = c->touched;
  if (info->proposed == 0) return 0;
  c->y.word = LBP_(word)(rng);
  return 1;
}

/* Last part, after the flips, with y.log_pi known and for a dense model ratio[]: accepts or goes back. */
LBP_INLINE void LBP_(conclude)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int replace, LBP_INFO_T *info) {
  LBP_(product) back = {0, 0};
  if (!lbp_is_impossible((float)c->y.log_pi)) {
    LBP_(reweigh)(c, m);
    info->evaluations += LBP_P_LOCAL ? c->y.touched : 1;
    LBP_P_LIST(if (c->y.along) info->evaluations += c->y.logged - c->y.flips;)
    if (!LBP_(is_finite)(c->y.log_pi)) {
      /* out of an impossible state, even if there is no way back; but not where log-ratios stop being numbers */
      back.value = lbp_is_impossible((float)c->y.log_pi) ? 0 : 1;
    } else if (replace) {
      back = LBP_(back_gwg)(c);
    } else if (info->proposed == c->y.draws || c->y.sums.positive == info->proposed) { /* else more */
      back = LBP_(back_lbp)(c);
    }
    LBP_P_CAT(if (LBP_(is_finite)(c->y.log_pi)) LBP_(bring_in_values)(c, m, &back);)
  }
  LBP_P_CHECK(if (LBP_(failed)(c)) back.value = 0;)
  info->accept = LBP_(probability)(&back, c->y.log_pi);
  info->accepted = LBP_(decide)(&back, c->y.log_pi, c->y.word, info->accept);
  LBP_TICK(accept);
  info->jump = info->accepted ? info->proposed : 0;
  info->log_ratio = info->accepted ? c->y.log_pi : 0;
  LBP_(settle)(c, m, (int)info->accepted);
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(c->y.log_pi))) LBP_(retrace)(c, m, replace && (c->y.word & 1));)
  LBP_TICK(settle);
}

/* Moves from x to y by the callbacks that the model has: independent sites, flips that list what they change,
 * others. */
LBP_INLINE void LBP_(move)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int backwards) {
#if LBP_P_LOCAL
  if (LBP_P_PRODUCT) {
    LBP_(flip_product)(c, m);
    return;
  }
#endif
  LBP_P_LIST(c->y.along = !c->urn.sorted && LBP_(flip_along)(c, m, backwards);)
  LBP_P_LIST(if (c->y.along) return;)
  LBP_(flip)(c, m, backwards);
}

#if LBP_P_LONE
/* On large chains a step with R = 1 waits for little but memory, although the generator's block holds the words of the
 * next steps. So each step prefetches the weights that the step after the next will compare its words with, and all
 * lines of the flip that the next one will make, unless this one changes it: steps take `each` words. A wrong guess
 * costs time alone. */
LBP_INLINE void LBP_(look_ahead)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t each, LBP_RNG_T *rng) {
#ifdef LBP_P_OWN_RNG
  const uint32_t n = LBP_P_COUNT(c), ceiling = c->urn.sums.ceiling, *weight = c->weight;
  const uint64_t *word;
  uint32_t list[LBP_MAX_NEIGHBOURS + 1], k, i, site = n, threshold;
  if (rng->left == 0) lbp_rng_refill(rng);
  word = rng->word + (LBP_RNG_BLOCK - rng->left);
  for (k = rng->left < LBP_RNG_BLOCK ? 2 * each : 0; k < 3 * each && k < rng->left; k++) {
    lbp_prefetch(weight + lbp_mulhi(word[k], n));
  }
  for (k = each; k + 1 < 2 * each && k < rng->left && site == n; k++) {
    i = lbp_urn_aim(n, ceiling, word[k], &threshold);
    if ((int32_t)threshold < (int32_t)weight[i]) site = i;
  }
  if (site == n) return;
  LBP_(prefetch)(c, m, site);
  list[0] = site; /* gcc does not see that neighbours writes */
  for (k = LBP_(neighbours)(c, m, site, list); k > 0; k--) lbp_prefetch(weight + list[k - 1]);
#endif
  (void)c, (void)m, (void)each, (void)rng;
}

/* Draws one site, of items that are not sorted; what NAME_priv_draw draws from the same words, which come in the same
 * batches. Returns n, after tries in vain, where the weights are hardly ever hit and items can be sorted. */
LBP_INLINE uint32_t LBP_(draw_one)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  const uint32_t n = LBP_P_COUNT(c), *weight = c->weight;
  const int thin = !LBP_P_SORTS && lbp_urn_is_thin(&c->urn, weight, n); /* may lower the ceiling */
  const uint32_t now = lbp_urn_tries(&c->urn, 0, 1, 0), ceiling = c->urn.sums.ceiling;
  uint64_t room[LBP_BLOCK];
  uint32_t tries, dry, done, k, threshold, asked = c->asked;
  if (LBP_SELDOM(thin)) return lbp_urn_pick(&c->urn, weight, c->before, n, LBP_(word)(rng), 0);
  if (LBP_SELDOM(asked != now)) c->asked = asked = now; /* a branch: words need not wait for the last step's sums */
  if (n > LBP_NEAR && asked < LBP_RNG_BLOCK / 4) LBP_(look_ahead)(c, m, asked + 1, rng);
  for (dry = 0; dry < LBP_BLOCK; dry += asked) {
    uint32_t site = n;
    for (done = 0; done < asked; done += tries) {
      const uint64_t *word;
      tries = asked - done < LBP_AT_ONCE ? asked - done : LBP_AT_ONCE;
      word = LBP_(words)(rng, room, &tries);
      for (k = 0; k < tries && site == n; k++) {
        const uint32_t i = lbp_urn_aim(n, ceiling, word[k], &threshold);
        if ((int32_t)threshold < (int32_t)weight[i]) site = i;
      }
    }
    if (site < n) return site;
  }
  return LBP_P_SORTS ? n : lbp_urn_pick(&c->urn, weight, c->before, n, LBP_(word)(rng), 0);
}
#endif

#if LBP_P_LOCAL && !defined LBP_CAT_STATES
/* Flips site i; site[] gets the others whose log-ratios change, ratio[] these, with LBP_PAD more. Returns how many. */
LBP_INLINE uint32_t LBP_(flip_and_list)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t *site,
                                        LBP_REAL *ratio) {
  uint32_t count;
  memset(site, 0, LBP_PAD * sizeof *site); /* compilers fear that they are read where nothing was written */
  memset(ratio, 0, LBP_PAD * sizeof *ratio);
#ifdef LBP_FLIP_LIST
  count = LBP_(flip_list)(c, m, i, site, ratio);
#else
  uint32_t k;
  LBP_(flip_site)(c, m, i);
  count = LBP_P_PRODUCT ? 0 : LBP_(neighbours)(c, m, i, site);
  for (k = 0; k < count; k++) ratio[k] = LBP_(delta)(c, m, site[k]);
#endif
  return count;
}
#endif

#if LBP_P_LONE
/* The rest of a step that flips site i alone, where items are not sorted: the same numbers, without blocks or marks. */
LBP_CALLED LBP_INFO_T LBP_(flip_one)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint64_t word) {
  enum { LBP_(near) = LBP_MAX_NEIGHBOURS + 2 * LBP_PAD };
  uint32_t site[LBP_(near)], next[LBP_(near)], was[LBP_(near)], *weight = c->weight, count, k, w_back;
  const uint32_t w = weight[i];
  const LBP_REAL there = LBP_P_PRODUCT ? 0 : LBP_(rounded)(LBP_(delta)(c, m, i));
  const LBP_(product) none = {0, 0};
  LBP_REAL ratio[LBP_(near)], back, log_pi;
  LBP_(product) p = {1, 0};
  lbp_sums sums;
  LBP_INFO_T info;
  LBP_P_WATCH(uint32_t nan;)
  memset(&info, 0, sizeof info);
  info.proposed = info.evaluations = 1;
  info.sites = c->touched;
  c->touched[0] = i;
  c->y.draws = c->y.flips = c->y.touched = 1;
  c->y.word = word;
  if (lbp_is_impossible((float)there)) return info;
  weight[i] = w | LBP_MARK;
  LBP_P_FIELDS(LBP_(save)(c, m);)
  count = LBP_(flip_and_list)(c, m, i, site, ratio);
  back = LBP_(delta)(c, m, i);
  log_pi = LBP_P_PRODUCT ? -back : there;
  w_back = LBP_(weight)(back);
  lbp_urn_begin(&c->urn, &sums);
  LBP_P_WATCH(nan =) LBP_(replace_all)(weight, site, ratio, next, was, count, &sums);
  LBP_P_WATCH(nan |= LBP_(weighs_nan)(back);)
  lbp_urn_tally(&sums, &w_back, &w, 1);
  if (!LBP_(is_finite)(log_pi)) {
    if (lbp_is_impossible((float)log_pi)) p = none;
  } else {
    p.value = (LBP_REAL)(int32_t)w_back * LBP_(real)(c->urn.sums.total) /
              ((LBP_REAL)(int32_t)w * LBP_(real)(sums.total));
    p.exponent = LBP_(split)(&p.value);
    if (w_back == 0) p = none;
  }
  info.evaluations += count + 1 - (uint32_t)LBP_P_PRODUCT;
  info.accept = LBP_(probability)(&p, log_pi);
  info.accepted = info.jump = LBP_(decide)(&p, log_pi, word, info.accept);
  if (info.accepted) {
    info.log_ratio = log_pi;
    weight[i] = w_back;
    lbp_urn_adopt(&c->urn, &sums, LBP_P_COUNT(c), count + 1, 0);
  } else {
    for (k = count; k > 0; k--) weight[site[k - 1]] = was[k - 1];
    weight[i] = w;
    LBP_(unflip)(c, m);
  }
  LBP_P_WATCH(if (LBP_SELDOM(nan != 0)) LBP_(seek_nan_at_y)(c, m, info.accepted);)
  return info;
}
#endif

LBP_INLINE LBP_INFO_T LBP_(informed_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, int replace,
                                          LBP_RNG_T *rng) {
  LBP_INFO_T info;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  LBP_(prepare)(c, m, 1);
#if LBP_P_LONE
  if (R == 1 && !replace && c->urn.sums.positive > 0) {
    if (LBP_P_SORTS) lbp_urn_choose_order(&c->urn, c->weight, LBP_P_ORDER(c), LBP_P_COUNT(c), 1, LBP_SORT_ABOVE, 1);
    if (!LBP_P_SORTS || !c->urn.sorted) {
      const uint32_t i = LBP_(draw_one)(c, m, rng);
      if (i < LBP_P_COUNT(c)) return LBP_(flip_one)(c, m, i, LBP_(word)(rng));
      if (LBP_P_SORTS) lbp_urn_sort(&c->urn, c->weight, LBP_P_ORDER(c), LBP_P_COUNT(c));
    }
  }
#endif
  if (!LBP_(propose)(c, R, replace, rng, &info)) return info;
  LBP_P_CAT(LBP_(choose_values)(c, m, rng);)
  /* With replacement the order of first draws and its reverse are equally likely on the way back: toss for it. */
  LBP_(move)(c, m, replace && (c->y.word & 1));
  info.evaluations = LBP_P_PRODUCT ? 0 : LBP_P_BY_LOGP ? 1 : info.proposed;
  LBP_P_CAT(if (LBP_P_LOCAL && !LBP_P_PRODUCT) info.evaluations += info.proposed;) /* their values */
  LBP_TICK(flips);
  LBP_P_DENSE(if (!lbp_is_impossible((float)c->y.log_pi)) LBP_(deltas)(c, m);)
  LBP_(conclude)(c, m, replace, &info);
  return info;
}

/* Takes one step of LBP-R, algorithm 1 of [S]: draws R sites one after another in proportion to their weights, without
 * replacement, flips them together, and accepts with exactly (5). R is cut to [0, n] and to the number of sites with a
 * positive weight; if that is zero the step does nothing.
 *
 * A fixed even R keeps the parity of the number of ones, so the chain is reducible on most targets: use an odd, random
 * or tuned R. */
LBP_CALLED LBP_INFO_T LBP_NAME_(lbp_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng) {
  return LBP_(informed_step)(c, m, R, 0, rng);
}

#ifdef LBP_DELTAS_MANY
#include "lbp/options/many.h"
#endif

/* Takes one step of GWG-R [G]: R draws with replacement; a site drawn twice is flipped once, and the proposal's
 * probability is that of all R draws. R is cut to [0, n]. */
LBP_CALLED LBP_INFO_T LBP_NAME_(gwg_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng) {
  return LBP_(informed_step)(c, m, R, 1, rng);
}

/* Takes one Metropolis step of RWM-R: draws R different sites uniformly and flips them together. R is cut to [0, n];
 * for even R see NAME_lbp_step. It does not update the weights: after accepted RWM steps, the next LBP or GWG step
 * looks at all sites once. */
LBP_CALLED LBP_INFO_T LBP_NAME_(rwm_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, LBP_RNG_T *rng) {
  LBP_INFO_T info;
  LBP_(product) one = {1, 0};
  uint64_t word;
  uint32_t k;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  if (R > LBP_P_COUNT(c)) R = LBP_P_COUNT(c);
  LBP_P_GROUPS(LBP_(ready_groups)(c, m);)
  LBP_P_CLAMP(if (R > c->free) R = c->free;)
  LBP_P_CAT(R = LBP_(cut_to_mobile)(c, m, R);)
  memset(&info, 0, sizeof info);
  info.proposed = R;
  info.sites = c->touched;
  if (R == 0) return info;
  LBP_(prepare)(c, m, 0);
  LBP_(draw_uniform)(c, LBP_P_CAT(m,) R, rng);
  word = LBP_(word)(rng);
  LBP_(flip)(c, m, 0);
  if (lbp_is_impossible((float)c->y.log_pi)) one.value = 0;
  LBP_P_CHECK(if (LBP_(failed)(c)) one.value = 0;)
  info.accept = LBP_(probability)(&one, c->y.log_pi);
  info.accepted = LBP_(decide)(&one, c->y.log_pi, word, info.accept);
  info.evaluations = LBP_P_BY_LOGP ? 1 : R;
  if (info.accepted) {
    info.jump = R;
    info.log_ratio = c->y.log_pi;
    LBP_P_LOGP(c->logp = c->logp_proposed;)
    c->weights_ready = 0;
  } else {
    LBP_(unflip)(c, m);
    LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(c->y.log_pi))) LBP_(retrace)(c, m, 0);)
  }
  for (k = 0; k < R; k++) c->weight[c->touched[k]] = c->before[k];
  if (c->weights_ready != 1) c->weights_ready = 0; /* before[] was its own */
  return info;
}

#ifndef LBP_CAT_STATES
/* logit u for uniform u in (0, 1), 62 bits of it: by the conditional a larger log-ratio means a flip. 1 - u has the
 * opposite bits, so both numbers are made of the same two halves of a word. */
LBP_CALLED uint32_t LBP_(logits)(LBP_RNG_T *rng, uint32_t count, LBP_REAL *out) {
  const LBP_REAL half = (LBP_REAL)0.5;
  const uint32_t all = 0x7fffffffu;
  uint64_t room[LBP_BLOCK];
  const uint64_t *word = LBP_(words)(rng, room, &count);
  uint32_t k;
  for (k = 0; k < count; k++) {
    const uint32_t high = (uint32_t)(word[k] >> 33), low = (uint32_t)(word[k] >> 2) & all;
    out[k] = LBP_(log)((LBP_(real_of)(high, low) + half) / (LBP_(real_of)(high ^ all, low ^ all) + half));
  }
  return count;
}

/* Part of a sweep: sites first, first + 1, ... of a block. Those that flip are appended to touched[0 .. jump). Returns
 * the new jump.
 *
 * A log-ratio that is NaN flips no site. Where steps look for NaN that is so if they are `careful` only: else it flips
 * one, and info->log_ratio becomes NaN, which costs nothing; then the block is done again. */
LBP_INLINE uint32_t LBP_(gibbs_block)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t first, uint32_t count,
                                      const LBP_REAL *logit, uint32_t jump, int careful, LBP_REAL *log_ratio,
                                      uint32_t *evaluations) {
  uint32_t *touched = c->touched, k;
  LBP_REAL gain = *log_ratio; /* stays in a register */
  (void)careful, (void)evaluations;
  for (k = 0; k < count; k++) {
    const uint32_t i = first + k;
    LBP_P_CLAMP(if (LBP_(is_clamped)(c, i)) continue;)
    LBP_P_DENSE(*evaluations += !LBP_P_KEEPS || !c->ratio_ready;)
#if LBP_P_BY_LOGP && !LBP_P_KEEPS && !defined LBP_DELTA
    LBP_(flip_site)(c, m, i);
    c->logp_proposed = LBP_(logp)(c, m);
    if (c->logp_proposed - c->logp > logit[k]) {
      touched[jump++] = i;
      gain += c->logp_proposed - c->logp;
      c->logp = c->logp_proposed;
    } else {
      LBP_(flip_site)(c, m, i);
    }
#else
    const LBP_REAL d = LBP_(delta)(c, m, i);
    const int flips = careful ? d > logit[k] : !(d <= logit[k]); /* false for NaN, true for NaN */
    LBP_P_WATCH(if (careful && LBP_(is_nan)(d)) LBP_(meet_nan)(c, m, i);)
#ifndef LBP_FLIP
    if (LBP_P_PRODUCT) { /* without a branch; where sites interact it would wait for the last site's decision */
      c->x[i] ^= (uint8_t)flips;
      touched[jump] = i;
      jump += (uint32_t)flips;
      gain += flips ? d : 0;
      continue;
    }
#endif
    if (flips) {
      LBP_(flip_site)(c, m, i);
      touched[jump++] = i;
      gain += d;
    }
#endif
  }
  *log_ratio = gain;
  return jump;
}

#if LBP_P_WATCHES
/* The result of a block of a sweep. */
typedef struct {
  uint32_t jump, used; /* used: of a Metropolis sweep, random words */
  LBP_REAL log_ratio;
} LBP_(swept);

/* Such a block again, `before` which there were so many flips. */
LBP_COLD LBP_(swept) LBP_(gibbs_again)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t first, uint32_t count,
                                       const LBP_REAL *logit, uint32_t jump, uint32_t before, LBP_REAL log_ratio) {
  LBP_(swept) it = {0, 0, 0};
  it.log_ratio = log_ratio;
  while (jump > before) LBP_(flip_site)(c, m, c->touched[--jump]);
  it.jump = LBP_(gibbs_block)(c, m, first, count, logit, jump, 1, &it.log_ratio, &it.used);
  return it;
}
#endif

/* Takes one systematic Gibbs sweep (heat bath): draws every site once, in order, from its conditional distribution. It
 * does not update the weights. If a dense model has exact LBP_DELTAS and no LBP_DELTA, the sweep calls LBP_DELTAS again
 * only after flips. */
LBP_CALLED LBP_INFO_T LBP_NAME_(gibbs_sweep)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  const uint32_t n = LBP_P_COUNT(c);
  LBP_REAL logit[LBP_BLOCK];
  LBP_INFO_T info;
  uint32_t first, count, jump = 0;
  memset(&info, 0, sizeof info);
  info.sites = c->touched;
  if (LBP_P_KEEPS) LBP_(prepare_fields)(c, m);
  else LBP_(prepare)(c, m, 0);
  for (first = 0; first < n; first += count) {
    LBP_P_WATCH(const uint32_t before = jump;)
    LBP_P_WATCH(const LBP_REAL gained = info.log_ratio;)
    count = LBP_(logits)(rng, n - first < LBP_BLOCK ? n - first : LBP_BLOCK, logit);
    jump = LBP_(gibbs_block)(c, m, first, count, logit, jump, LBP_P_CAREFUL, &info.log_ratio, &info.evaluations);
#if LBP_P_WATCHES
    if (!LBP_P_CAREFUL && LBP_SELDOM(LBP_(hides_nan)(info.log_ratio))) {
      const LBP_(swept) it = LBP_(gibbs_again)(c, m, first, count, logit, jump, before, gained);
      jump = it.jump;
      info.log_ratio = it.log_ratio;
    }
#endif
  }
#if LBP_P_BY_LOGP && defined LBP_DELTA
  c->logp = LBP_(logp)(c, m);
  info.evaluations++;
#elif LBP_P_BY_LOGP && LBP_P_KEEPS
  c->logp_ready &= jump == 0;
#endif
  info.accept = 1;
  info.accepted = 1;
  info.proposed = info.jump = jump;
  if (LBP_P_LOCAL) info.evaluations = n;
  c->weights_ready = 0;
  return info;
}
#endif

#ifdef LBP_CAT_STATES
#include "lbp/options/cat.h"
#elif defined LBP_SWEEPS || defined LBP_LEVEL
#include "lbp/options/sweeps.h"
#endif

#if defined LBP_CLOCK || defined LBP_PATH
#include "lbp/options/jumps.h"
#endif
#ifdef LBP_CLOCK
#include "lbp/options/clock.h"
#endif

#ifdef LBP_PATH
#include "lbp/options/path.h"
#endif
#ifdef LBP_GROUP
#include "lbp/options/swap.h"
#endif

/* The acceptance rate 2 Phi(-z) as a function of the hazard u = z phi(z) / Phi(-z), u <= 2.3, to 5e-4. With z growing
 * as R^(3/2) (LBP, theorem 3.1 of [S]) the rate falls by 3/2 u percent for one percent of R, with z growing as R^(1/2)
 * (RWM, theorem 3.8) by u / 2 percent; the jump distance per step is best where it falls by one percent. */
LBP_APART LBP_REAL LBP_(rate)(LBP_REAL u) {
  LBP_REAL cubic = LBP_(rounded)(u * (LBP_REAL)0.12195552) + (LBP_REAL)0.15439119;
  cubic = LBP_(rounded)(u * cubic) + (LBP_REAL)1.03235783;
  cubic = LBP_(rounded)(u * cubic) + 1;
  return (1 + LBP_(rounded)((LBP_REAL)0.04438845 * u)) / cubic;
}

/* Beyond, a float has no fraction that decides between R and R + 1. */
#define LBP_P_LARGEST_R (sizeof(LBP_REAL) == sizeof(float) ? (uint32_t)1 << 22 : (uint32_t)1 << 31)

/* Prepares a tuner for chains of n sites: R starts at 1 and is frozen after `warmup` updates (UINT32_MAX: never).
 * target is the acceptance rate to reach, in (0, 1): LBP_TARGET_LBP for LBP and GWG, LBP_TARGET_RWM for RWM. Algorithms
 * 2 and 3 of [S], with two changes that the members eta and growth describe and undo. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_SIZE (n), LBP_E_RANGE (target). */
LBP_APART int LBP_NAME_(tuner_init)(LBP_TUNER_T *t, uint32_t n, uint32_t warmup, LBP_REAL target) {
  LBP_REAL step;
  if (!t) return LBP_E_NULL;
  memset(t, 0, sizeof *t);
  if (n < 1 || n > LBP_MAX_SITES) return LBP_E_SIZE;
  if (!LBP_(is_finite)(target) || !(target > 0 && target < 1)) return LBP_E_RANGE;
  t->r = t->mean = 1;
  t->target = target;
  t->eta = 1;
  t->growth = (LBP_REAL)0.03125;
  /* rounded at random it's even and odd: all is reached */
  t->largest = n > 1 ? (LBP_REAL)(n < LBP_P_LARGEST_R ? n : LBP_P_LARGEST_R) - (LBP_REAL)0.5 : 1;
  t->warmup = warmup;
  LBP_P_GROUPS(t->shift.warmup = warmup;)
  for (step = 8; step > (LBP_REAL)1e-6; step /= 2) { /* bisection */
    if (LBP_(rate)(t->hazard + step) > target) t->hazard += step;
  }
  return LBP_OK;
}

/* Makes the tuner maximise the jump distance per second (or other unit of cost) instead of per step. Call it after
 * NAME_tuner_init with the mean cost of a step at two values of R, r1 < r2. Costs are assumed to be linear in R. R then
 * grows only as long as one percent more of R costs less than it gains: the target becomes the rate whose relative fall
 * is that of the fixed cost's share (0.574 if all costs are fixed, 1 if none are). Returns LBP_OK, or LBP_E_RANGE,
 * without any change, unless 0 < r1 < r2 and 0 < cost1 <= cost2. */
LBP_CALLED int LBP_NAME_(tuner_cost)(LBP_TUNER_T *t, LBP_REAL r1, LBP_REAL cost1, LBP_REAL r2, LBP_REAL cost2) {
  const LBP_REAL most = 1000000;
  LBP_REAL fixed;
  if (!t) return LBP_E_NULL;
  if (!LBP_(is_finite)(r1) || !LBP_(is_finite)(cost1) || !LBP_(is_finite)(r2) || !LBP_(is_finite)(cost2) ||
      !(r1 > 0 && r1 < r2 && cost1 > 0 && cost1 <= cost2)) {
    return LBP_E_RANGE;
  }
  fixed = LBP_(rounded)(cost1 * r2) - LBP_(rounded)(cost2 * r1); /* the line's intercept, times r2 - r1 */
  t->site_cost = fixed > 0 ? (cost2 - cost1) / fixed : most;
  if (t->site_cost > most) t->site_cost = most;
  return LBP_OK;
}

/* r, cut to [1, largest]; 1 for NaN, and where that is less. */
LBP_APART LBP_REAL LBP_(between)(LBP_REAL r, LBP_REAL largest) {
  if (r > largest) r = largest;
  return (LBP_FAST_MATH && LBP_(is_nan)(r)) || !(r > 1) ? 1 : r;
}

/* NAME_tuner_draw, but for `most`, the largest R. */
LBP_CALLED uint32_t LBP_(draw_r)(const LBP_TUNER_T *t, LBP_REAL most, LBP_RNG_T *rng) {
  const LBP_REAL r = LBP_(between)(t->r, most);
  const uint32_t whole = (uint32_t)r;
  return whole + (uint32_t)LBP_(trial)(LBP_(word)(rng), r - (LBP_REAL)whole);
}

/* Returns R for one step: the tuner's real r, cut to [1, largest], rounded at random up or down so that the mean is
 * r. */
LBP_FN uint32_t LBP_NAME_(tuner_draw)(const LBP_TUNER_T *t, LBP_RNG_T *rng) { return LBP_(draw_r)(t, t->largest, rng); }

/* NAME_tuner_update, but for `most`, the largest R. */
LBP_CALLED void LBP_(learn)(LBP_TUNER_T *t, LBP_REAL most, LBP_REAL accept) {
  LBP_REAL gain, target = t->target;
  if (t->step >= t->warmup) return;
  if (t->site_cost > 0) target = LBP_(rate)(t->hazard / (1 + LBP_(rounded)(t->site_cost * t->r)));
  gain = t->r * t->growth;
  if (gain < t->eta) gain = t->eta;
  t->r = LBP_(between)(t->r + LBP_(rounded)(gain * (accept - target)), most);
  t->step++;
  if (t->step > t->warmup / 2) t->mean += (t->r - t->mean) / (LBP_REAL)(t->step - t->warmup / 2);
  if (t->step == t->warmup) t->r = t->mean;
}

/* Moves R towards the target, given the acceptance probability of a step, or its mean over the chains that share the
 * tuner. For any argument, r stays in [1, largest]. After `warmup` calls r is frozen at the mean of R_t over the second
 * half of them, since R_t itself wanders with the noise of single acceptances. */
LBP_FN void LBP_NAME_(tuner_update)(LBP_TUNER_T *t, LBP_REAL accept) { LBP_(learn)(t, t->largest, accept); }

/* The largest R of a tuner where so many sites can move; and in a chain. */
LBP_FN LBP_REAL LBP_(most_of)(const LBP_TUNER_T *t, uint32_t sites) {
  return LBP_(between)((LBP_REAL)sites - (LBP_REAL)0.5, t->largest);
}
LBP_INLINE LBP_REAL LBP_(most)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const LBP_TUNER_T *t) {
  LBP_P_CAT(return LBP_(most_of)(t, LBP_(cut_to_mobile)(c, m, UINT32_MAX));)
  LBP_P_CLAMP(return LBP_(most_of)(t, c->free);)
  return (void)c, (void)m, t->largest;
}

/* Takes one LBP step with R drawn from the tuner, and updates the tuner: algorithm 2 of [S]. */
LBP_CALLED LBP_INFO_T LBP_NAME_(albp_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_TUNER_T *t, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(usable)(c, t ? rng : NULL)) return LBP_(nothing)();)
  const LBP_INFO_T info = LBP_NAME_(lbp_step)(c, m, LBP_(draw_r)(t, LBP_(most)(c, m, t), rng), rng);
  LBP_(learn)(t, LBP_(most)(c, m, t), info.accept);
  return info;
}

/* The same for GWG. */
LBP_CALLED LBP_INFO_T LBP_NAME_(agwg_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_TUNER_T *t, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(usable)(c, t ? rng : NULL)) return LBP_(nothing)();)
  const LBP_INFO_T info = LBP_NAME_(gwg_step)(c, m, LBP_(draw_r)(t, LBP_(most)(c, m, t), rng), rng);
  LBP_(learn)(t, LBP_(most)(c, m, t), info.accept);
  return info;
}

/* The same for RWM: algorithm 3 of [S]. */
LBP_CALLED LBP_INFO_T LBP_NAME_(arwm_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_TUNER_T *t, LBP_RNG_T *rng) {
  LBP_P_CHECK(if (!LBP_(usable)(c, t ? rng : NULL)) return LBP_(nothing)();)
  const LBP_INFO_T info = LBP_NAME_(rwm_step)(c, m, LBP_(draw_r)(t, LBP_(most)(c, m, t), rng), rng);
  LBP_(learn)(t, LBP_(most)(c, m, t), info.accept);
  return info;
}

/* Returns a random R with the given mean, which is cut to [1, 2^31], in float [1, 2^22] (NaN: 1). R is one of three
 * neighbouring integers, so it can be even or odd. */
LBP_CALLED uint32_t LBP_NAME_(random_r)(LBP_REAL mean, LBP_RNG_T *rng) {
  LBP_REAL r;
  mean = LBP_(between)(mean, (LBP_REAL)LBP_P_LARGEST_R);
  r = mean + LBP_(u01)(LBP_(word)(rng));
  if (mean >= (LBP_REAL)1.5) r += LBP_(u01)(LBP_(word)(rng)) - (LBP_REAL)0.5; /* below that, R = 0 would be drawn */
  return (uint32_t)r;
}

#if defined LBP_TERM || defined LBP_PAIRS || defined LBP_CAT_PAIRS
#include "lbp/options/pairs.h"
#endif
#ifdef LBP_CLUSTERS
#include "lbp/options/clusters.h"
#endif
#ifdef LBP_PARTS
#include "lbp/options/parts.h"
#endif
#ifdef LBP_LANES
#include "lbp/options/lanes.h"
#endif

/* ---- the model check --------------------------------------------------------------------------------------------- */

/* The sign of an infinity; 0 for numbers and NaN. */
LBP_FN int LBP_(infinite)(LBP_REAL v) { return LBP_(is_finite)(v) || LBP_(is_nan)(v) ? 0 : v > 0 ? 1 : -1; }

/* A log-ratio from the model again, even if the chain keeps them. */
LBP_COLD LBP_REAL LBP_(delta_anew)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  LBP_P_DENSE(c->ratio_ready = 0;)
  return LBP_(delta)(c, m, i);
}

/* One site at the current state: log-ratio there and back, and the change of log pi. Values of the model after an
 * impossible flip are never used: only a finite log-ratio back contradicts it, unless log pi has confirmed it. */
LBP_COLD int LBP_(check_flip)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REPORT_T *report) {
  const LBP_REAL again = LBP_(delta)(c, m, i), d = LBP_(delta_anew)(c, m, i);
  const int impossible = LBP_(infinite)(d) < 0;
  LBP_REAL back;
  if (LBP_(is_nan)(d)) return LBP_(find)(report, LBP_E_DELTA_NAN, i, i, d, d);
  if (!LBP_(same)(d, again)) return LBP_(find)(report, LBP_E_NOT_REPEATABLE, i, i, again, d);
#ifdef LBP_LOGP
  double all[2];
  LBP_REAL here, there;
  all[0] = LBP_(call_logp)(c, m);
  here = LBP_(logp_of)(c, m, all[0]);
  LBP_(flip_site)(c, m, i);
  all[1] = LBP_(call_logp)(c, m);
  there = LBP_(logp_of)(c, m, all[1]);
  LBP_(flip_site)(c, m, i);
  if (LBP_(is_no_logp)(here)) return LBP_(find)(report, LBP_E_LOGP, i, i, here, d);
  if (LBP_(is_no_logp)(there)) return LBP_(find)(report, LBP_E_LOGP, i, i, there, d);
  if (LBP_(is_finite)(here)) {
    const LBP_REAL gain = LBP_(gain)(c, m, i, all, there - here);
    const LBP_REAL larger = LBP_(abs)(here) < LBP_(abs)(there) ? LBP_(abs)(there) : LBP_(abs)(here);
    if (!LBP_(agree_with_logp)(c, m, gain, d, larger)) return LBP_(find)(report, LBP_E_LOGP, i, i, gain, d);
  }
  if (impossible) return LBP_OK;
#endif
  LBP_(flip_site)(c, m, i);
  back = LBP_(delta)(c, m, i);
  LBP_(flip_site)(c, m, i);
  if (impossible ? LBP_(is_finite)(back) : !LBP_(agree)(back, -d, LBP_(abs)(d))) {
    return LBP_(find)(report, LBP_E_ANTISYMMETRY, i, i, back, -d);
  }
  return LBP_OK;
}

#if LBP_P_LOCAL
LBP_FN int LBP_(names)(const uint32_t *list, uint32_t count, uint32_t i) {
  while (count > 0 && *list != i) list++, count--;
  return count > 0;
}

/* All lists: right sites, not too many. before[0 .. *count) become the sites that name one which does not name them. */
LBP_COLD int LBP_(check_lists)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t *count, LBP_REPORT_T *report) {
  const uint32_t n = LBP_P_COUNT(c);
  uint32_t list[LBP_MAX_NEIGHBOURS + LBP_BLOCK] /* too long, too */, others[LBP_MAX_NEIGHBOURS + 1], i, k, length;
  int status = LBP_OK;
  for (i = 0; i < n && status == LBP_OK; i++) {
    length = LBP_(call_neighbours)(c, m, i, list);
    status = LBP_(judge_list)(c, i, list, length, report);
  }
  for (i = 0; i < n && status == LBP_OK; i++) {
    length = LBP_(call_neighbours)(c, m, i, list);
    for (k = 0; k < length && LBP_(names)(others, LBP_(call_neighbours)(c, m, list[k], others), i);) k++;
    if (k < length) c->before[(*count)++] = i;
  }
  return status;
}

/* Reports that flipping site i changes the log-ratio of site j from `before` to `after`, unless the model is not
 * repeatable. */
LBP_COLD int LBP_(blame_list)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t j, LBP_REAL after,
                              LBP_REAL before, LBP_REPORT_T *report) {
  const LBP_REAL d = LBP_(delta)(c, m, j), again = LBP_(delta)(c, m, j);
  if (!LBP_(same)(d, again)) return LBP_(find)(report, LBP_E_NOT_REPEATABLE, j, j, again, d);
  return LBP_(find)(report, LBP_E_NEIGHBOUR_MISSING, i, j, after, before);
}

/* Where site i names j, but j does not name i: flipping j must leave alone the log-ratio of i. (Whichever of two sites
 * is flipped, the other's log-ratio changes by the same.) */
LBP_COLD int LBP_(check_mirrors)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t count, LBP_REPORT_T *report) {
  uint32_t list[LBP_MAX_NEIGHBOURS + 1], others[LBP_MAX_NEIGHBOURS + 1], s, k;
  for (s = 0; s < count; s++) {
    const uint32_t i = c->before[s], length = LBP_(call_neighbours)(c, m, i, list);
    for (k = 0; k < length; k++) {
      const uint32_t j = list[k];
      LBP_REAL before, after;
      if (LBP_(names)(others, LBP_(call_neighbours)(c, m, j, others), i)) continue;
      if (!LBP_(is_finite)(LBP_(delta)(c, m, j))) continue; /* this flip is never made */
      before = LBP_(delta)(c, m, i);
      LBP_(flip_site)(c, m, j);
      after = LBP_(delta)(c, m, i);
      LBP_(flip_site)(c, m, j);
      if (LBP_(agree)(after, before, LBP_(abs)(before))) continue;
      return LBP_(blame_list)(c, m, j, i, after, before, report);
    }
  }
  return LBP_OK;
}

/* Flipping site i, if it can be flipped, must leave alone the log-ratios of all sites that its list does not name. A
 * block of sites for each flip: fields may make flips dear. */
LBP_COLD int LBP_(check_neighbours)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, LBP_REPORT_T *report) {
  uint32_t list[LBP_MAX_NEIGHBOURS + 1], k, done, block;
  const uint32_t length = LBP_(call_neighbours)(c, m, i, list);
  LBP_REAL before[LBP_BLOCK], after[LBP_BLOCK];
  if (!LBP_(is_finite)(LBP_(delta)(c, m, i))) return LBP_OK;
  for (done = 0; done < LBP_P_COUNT(c); done += block) {
    const uint32_t rest = LBP_P_COUNT(c) - done;
    block = rest < LBP_BLOCK ? rest : LBP_BLOCK;
    LBP_ROLLED for (k = 0; k < block; k++) before[k] = LBP_(delta)(c, m, done + k);
    LBP_(flip_site)(c, m, i);
    LBP_ROLLED for (k = 0; k < block; k++) after[k] = LBP_(delta)(c, m, done + k);
    LBP_(flip_site)(c, m, i);
    LBP_ROLLED for (k = 0; k < block; k++) {
      if (LBP_(agree)(after[k], before[k], LBP_(abs)(before[k])) || done + k == i) continue;
      if (LBP_(names)(list, length, done + k)) continue;
      return LBP_(blame_list)(c, m, i, done + k, after[k], before[k], report);
    }
  }
  return LBP_OK;
}
#else
/* All log-ratios in one call: numbers, and where they decide the acceptance, the exact ones. */
LBP_COLD int LBP_(check_dense)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report) {
  uint32_t i;
  LBP_(deltas)(c, m);
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    const LBP_REAL d = LBP_P_RATIO(c, i);
    if (LBP_(is_nan)(d)) return LBP_(find)(report, LBP_E_DELTA_NAN, i, i, d, d);
#if defined LBP_DELTA && !LBP_P_BY_LOGP
    if (!LBP_(agree)(d, LBP_(delta)(c, m, i), LBP_(abs)(d))) {
      return LBP_(find)(report, LBP_E_DELTAS, i, i, d, LBP_(delta)(c, m, i));
    }
#endif
  }
  return LBP_OK;
}
#endif

/* Flipping i and then j, or j and then i: on the way to the same state log-ratios add up to the same. Otherwise no law
 * has them, for example if couplings are not symmetric. If there is log pi, that decides. */
LBP_COLD int LBP_(check_order)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t j, LBP_REPORT_T *report) {
#ifndef LBP_LOGP
  const LBP_REAL i_first = LBP_(delta)(c, m, i), j_first = LBP_(delta)(c, m, j);
  LBP_REAL i_then, j_then, scale;
  if (i == j || !LBP_(is_finite)(i_first) || !LBP_(is_finite)(j_first)) return LBP_OK;
  LBP_(flip_site)(c, m, i);
  j_then = LBP_(delta)(c, m, j);
  LBP_(flip_site)(c, m, i);
  LBP_(flip_site)(c, m, j);
  i_then = LBP_(delta)(c, m, i);
  LBP_(flip_site)(c, m, j);
  if (LBP_(is_nan)(i_then) || LBP_(is_nan)(j_then)) return LBP_OK; /* another fault, in another state */
  scale = LBP_(abs)(i_first) + LBP_(abs)(j_first) + LBP_(abs)(i_then);
  if (!LBP_(agree)(i_first + j_then, j_first + i_then, scale)) {
    return LBP_(find)(report, LBP_E_ORDER, i, j, i_first + j_then, j_first + i_then);
  }
#endif
  (void)c, (void)m, (void)i, (void)j, (void)report;
  return LBP_OK;
}

/* Whether x is possible: by log pi, or else as far as log-ratios tell, of which none is NaN or +infinity then. In a
 * state that is `given` they are mistakes. *bound becomes 1 where a flip is impossible. */
LBP_COLD int LBP_(check_state)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int given, int *bound, LBP_REPORT_T *report) {
#ifdef LBP_LOGP
  const LBP_REAL here = LBP_(logp)(c, m);
  if (LBP_(is_no_logp)(here)) return LBP_(find)(report, LBP_E_LOGP, 0, 0, here, here);
  if (LBP_(infinite)(here) < 0) return LBP_(find)(report, LBP_E_IMPOSSIBLE, 0, 0, here, here);
  given = 1;
#endif
#if LBP_P_LOCAL || !defined LBP_LOGP
  uint32_t i;
  LBP_P_DENSE(LBP_(deltas)(c, m);)
  for (i = 0; i < LBP_P_COUNT(c); i++) {
#if LBP_P_LOCAL
    const LBP_REAL d = LBP_(delta)(c, m, i);
#else
    const LBP_REAL d = LBP_P_RATIO(c, i);
#endif
    const int nan = LBP_(is_nan)(d);
    if (LBP_(infinite)(d) < 0) *bound = 1;
    if (!nan && LBP_(infinite)(d) <= 0) continue;
    if (given && nan && !LBP_P_LOCAL) return LBP_(find)(report, LBP_E_DELTA_NAN, i, i, d, d);
    if (given && LBP_(check_flip)(c, m, i, report) != LBP_OK) return report->status;
    return LBP_(find)(report, LBP_E_IMPOSSIBLE, i, i, d, d);
  }
#endif
  (void)given, (void)bound;
  return LBP_(find)(report, LBP_OK, 0, 0, 0, 0);
}

/* The same, and the fields of x; from an impossible state it goes to the possible one that log-ratios of +infinity lead
 * to. */
LBP_COLD int LBP_(enter_state)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, int given, int *bound, LBP_REPORT_T *report) {
  int status;
  LBP_NAME_(touch)(c);
  LBP_(prepare)(c, m, 0);
  status = LBP_(check_state)(c, m, given, bound, report);
#ifdef LBP_DELTA
  if (status == LBP_E_IMPOSSIBLE) {
    uint32_t i;
    for (i = 0; i < LBP_P_COUNT(c); i++) {
      if (LBP_(infinite)(LBP_(delta)(c, m, i)) > 0) LBP_(flip_site)(c, m, i);
    }
    status = LBP_(check_state)(c, m, given, bound, report);
  }
#endif
  return status;
}

/* The first site from `from` on, around the end, that has another value than site i; i if there is none. */
LBP_COLD uint32_t LBP_(unlike)(const LBP_CHAIN_T *c, uint32_t i, uint32_t from) {
  const uint32_t n = LBP_P_COUNT(c);
  uint32_t k;
  for (k = 0; k < n; k++) {
    const uint32_t j = (from + k) % n;
    if (c->x[j] != c->x[i]) return j;
  }
  return i;
}

#ifndef LBP_GROUP
/* Goes from a possible state to others by flips of a random site; if log pi tells which states are possible, also by
 * flips of a one and a zero together, near each other or not, which keep a number of ones. */
LBP_CALLED void LBP_(walk)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  const uint32_t n = LBP_P_COUNT(c);
  uint32_t k, i;
#ifdef LBP_LOGP
  for (k = 0; k < 3 * LBP_BLOCK; k++) {
    uint32_t j;
    i = (uint32_t)lbp_mulhi(LBP_(word)(rng), n);
    j = (uint32_t)lbp_mulhi(LBP_(word)(rng), n);
    j = k % 3 == 0 ? i : LBP_(unlike)(c, i, k % 3 == 1 ? i : j);
    LBP_(flip_site)(c, m, i);
    if (j != i) LBP_(flip_site)(c, m, j);
    if (LBP_(is_finite)(LBP_(logp)(c, m))) continue;
    if (j != i) LBP_(flip_site)(c, m, j);
    LBP_(flip_site)(c, m, i);
    LBP_P_CAT(LBP_(aim)(c, m, i, rng);)
  }
#else
  for (k = 0; k < (LBP_P_LOCAL ? n : LBP_BLOCK); k++) {
    i = (uint32_t)lbp_mulhi(LBP_(word)(rng), n);
    if (LBP_(is_finite)(LBP_(delta)(c, m, i))) LBP_(flip_site)(c, m, i);
    LBP_P_CAT(LBP_(aim)(c, m, i, rng);)
  }
#endif
}
#endif

/* All checks in one state: `count` sites whose lists are one-sided, some sites chosen at random. */
LBP_COLD int LBP_(check_here)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t count, LBP_RNG_T *rng,
                              LBP_REPORT_T *report) {
  const uint32_t n = LBP_P_COUNT(c), sites = n < 32 ? n : 32;
  uint32_t k, i;
  LBP_P_COUPLED(const int pairwise = LBP_NAME_(is_pairwise)(c, m);)
#if LBP_P_LOCAL
  uint32_t list[LBP_MAX_NEIGHBOURS + 1], j, length;
  int status = LBP_(check_mirrors)(c, m, count, report);
#else
  int status = LBP_(check_dense)(c, m, report);
  (void)count;
#endif
  for (k = 0; k < sites && status == LBP_OK; k++) {
    i = n <= 32 ? k : (uint32_t)lbp_mulhi(LBP_(word)(rng), n);
    status = LBP_P_CHECK_SITE(c, m, i, report);
#if LBP_P_LOCAL
    if (status == LBP_OK) status = LBP_(check_neighbours)(c, m, i, report);
#endif
    LBP_P_FIELDS(if (status == LBP_OK) status = LBP_(check_fields)(c, m, i, rng, report);)
    LBP_P_LIST(if (status == LBP_OK) status = LBP_(check_flip_list)(c, m, i, report);)
    LBP_P_LEVELS(if (status == LBP_OK) status = LBP_(check_level)(c, m, i, report);)
    LBP_P_COUPLED(if (status == LBP_OK) status = LBP_(check_pairs)(c, m, i, pairwise, report);)
#ifdef LBP_SYMMETRIC
    if (status == LBP_OK) status = LBP_(check_symmetry)(c, m, i, report);
#endif
#if LBP_P_LOCAL
    length = LBP_(call_neighbours)(c, m, i, list);
    for (j = 0; j < length && status == LBP_OK; j++) status = LBP_(check_order)(c, m, i, list[j], report);
#else
    if (status == LBP_OK) status = LBP_(check_order)(c, m, i, (uint32_t)lbp_mulhi(LBP_(word)(rng), n), report);
#endif
  }
  return status;
}

/* Checks the model at x and at `trials` random states, at up to 32 sites of each. Log-ratios must be numbers,
 * repeatable, the opposite after the flip, and equal to the change of log pi (without LBP_LOGP: equal in sum for two
 * flips in either order). Neighbour lists must be complete, terms must be numbers and their index correct, pairs and
 * fields must give the log-ratios, dense and single log-ratios must agree, updated fields must equal fields from
 * scratch, flips must list their changes, LBP_SYMMETRIC must hold, and a custom weight function must be locally
 * balanced. Returns the first failure; LBP_E_NULL without a chain or a generator. In checked builds a failure is not a
 * fault of the chain.
 *
 * With LBP_TERM, log-ratios are compared with the sum of all terms; only LBP_LOGP finds a wrong term. Without either,
 * log-ratios can only be compared with each other. If all of them have the wrong sign, a wrong factor or temperature,
 * or lack the same term, they are those of another law, and the check finds nothing: define LBP_LOGP.
 *
 * The check reads all lists, for any `trials`. If site i lists j but j does not list i, and the log-ratio changes in
 * one of the states tried, it finds the incomplete list. If neither site lists the other, it finds that if one of them
 * is among the sites tried: all of up to 32 sites, a random choice of more.
 *
 * Constraints: x must be possible, otherwise LBP_E_IMPOSSIBLE. A random state is impossible if log pi is -infinity or,
 * without LBP_LOGP, if a log-ratio is NaN or +infinity after all flips with a log-ratio of +infinity. Then, and in
 * addition if flips are impossible, the check uses a state reached from x by possible flips, with LBP_LOGP also by two
 * flips at a time, so that an exact number of ones is allowed. Values of the model beyond an impossible flip do not
 * matter, with one exception: without LBP_LOGP, a finite log-ratio means that both states are possible. Steps of R > 1
 * flips reject them all if one is impossible; for local models, NAME_path_step (LBP_PATH) avoids these.
 *
 * Takes n x LBP_MAX_NEIGHBOURS lists once, then up to 80 n log-ratios a state, one or two states a trial. Afterwards x
 * is unchanged. */
LBP_CALLED LBP_REPORT_T LBP_NAME_(check)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t trials, LBP_RNG_T *rng) {
  LBP_REPORT_T report;
  uint32_t n, t, i, one_sided = 0;
  int status = c && rng ? LBP_OK : LBP_E_NULL;
  LBP_P_CHECK(status = LBP_(judge)(c, rng);)
  LBP_(find)(&report, status, 0, 0, 0, 0);
  if (status != LBP_OK) return report;
  LBP_P_CHECK(const LBP_REPORT_T kept = LBP_(suspend_faults)(c);)
  LBP_P_WATCH(const uint32_t nan = c->y.nan;)
  LBP_P_CLAMP(const uint8_t *const mask = c->mask;)
  LBP_P_CLAMP(c->mask = NULL;)
  n = LBP_P_COUNT(c);
#if LBP_WEIGHT == LBP_CUSTOM
  status = LBP_(check_weight)(&report);
#endif
  LBP_P_GROUPS(if (status == LBP_OK) status = LBP_(begin_check)(c, m, &report);)
  LBP_P_CAT(if (status == LBP_OK) status = LBP_(check_values)(c, m, &report);)
  LBP_P_TERMS(if (trials > 0 && status == LBP_OK) status = LBP_(check_terms)(c, m, rng, &report);)
#if LBP_P_LOCAL
  if (trials > 0 && status == LBP_OK) status = LBP_(check_lists)(c, m, &one_sided, &report);
#endif
  memcpy(c->next, c->x, n);
  memcpy(c->again, c->x, n); /* how far the walk has come */
  for (t = 0; t < trials && status == LBP_OK; t++) {
    int bound = 0;
    LBP_P_BINARY(for (i = 0; i < n; i++) c->x[i] = (uint8_t)(LBP_(word)(rng) >> 63);)
    LBP_P_GROUPS(LBP_(scatter)(c, (const uint8_t *)c->next, rng);)
    LBP_P_CAT(LBP_(scatter)(c, m, rng);)
    status = LBP_(enter_state)(c, m, 0, &bound, &report);
    if (status == LBP_E_IMPOSSIBLE) {
      status = LBP_(find)(&report, LBP_OK, 0, 0, 0, 0);
      bound = 1;
    } else if (status == LBP_OK) {
      status = LBP_(check_here)(c, m, one_sided, rng, &report);
    }
    if (status != LBP_OK || (t > 0 && !bound)) continue;
    memcpy(c->x, c->again, n);
    LBP_P_CAT(for (i = 0; i < n; i++) LBP_(aim)(c, m, i, rng);)
    LBP_NAME_(touch)(c);
    LBP_(prepare)(c, m, 0);
    if (t > 0) LBP_(walk)(c, m, rng);
    status = LBP_(enter_state)(c, m, 1, &bound, &report);
    memcpy(c->again, c->x, n);
    if (status == LBP_OK) status = LBP_(check_here)(c, m, one_sided, rng, &report);
  }
  memcpy(c->x, c->next, n);
  LBP_NAME_(touch)(c);
  LBP_P_CLAMP(c->mask = mask;)
  LBP_P_GROUPS(c->groups.mode = LBP_MODE_FLIP;)
  LBP_P_CHECK(c->fault = kept;)
  LBP_P_WATCH(c->y.nan = nan;) /* NaN met by the check is no fault of the chain */
  return report;
}

#ifdef LBP_P_RUN /* lbp_run.h includes a kernel, and NAME_run */
#include "lbp/run/flip_kernel.h"
#include "lbp/run/instance.h"
#endif

LBP_EXACT_END

/* ---- nothing leaks ----------------------------------------------------------------------------------------------- */

#endif /* LBP_P_INSTANCE */

#undef LBP_P_INSTANCE
#undef LBP_P_OWN_RNG
#undef LBP_P_LOCAL
#undef LBP_P_LONE
#undef LBP_P_DEVICE
#undef LBP_P_SORTS
#undef LBP_P_ORDER
#undef LBP_P_PRODUCT
#undef LBP_P_BY_LOGP
#undef LBP_P_LOGP
#undef LBP_P_DENSE
#undef LBP_P_KEEPS
#undef LBP_P_CALL
#undef LBP_P_ARGS
#undef LBP_P_ARRAY
#undef LBP_P_COUNT
#undef LBP_P_SIZED
#undef LBP_P_CHECK
#undef LBP_P_WATCHES
#undef LBP_P_CAREFUL
#undef LBP_P_WATCH
#undef LBP_P_FIELDS
#undef LBP_P_TEMPER
#undef LBP_P_CLAMP
#undef LBP_P_GROUPS
#undef LBP_P_TERMS
#undef LBP_P_TERMS_LIST
#undef LBP_P_TERMS_LOGP
#undef LBP_P_TERMS_REACH
#undef LBP_P_TERMS_RIGHT
#undef LBP_P_NO_TERMS
#undef LBP_P_LANES_RIGHT
#undef LBP_P_GROUP_ARRAYS
#undef LBP_P_MOST_GROUPS
#undef LBP_P_ALONE
#undef LBP_P_COUPLED
#undef LBP_P_CLUSTERS
#undef LBP_P_UNITS
#undef LBP_P_STATES_OF
#undef LBP_P_LIST
#undef LBP_P_LEVELS
#undef LBP_P_CAT
#undef LBP_P_BINARY
#undef LBP_P_VALUES
#undef LBP_P_STATES
#undef LBP_P_LARGEST_R
#undef LBP_P_RATIO
#undef LBP_P_CHECK_SITE
#undef LBP_P_CAT_RIGHT
#undef LBP_P_CAT_ARRAYS
#undef LBP_P_CAT_FUNCTIONS
#undef LBP_P_CAT_DELTA
#undef LBP_P_CAT_WEIGH
#undef LBP_P_CAT_MEMORY
#undef LBP_P_PASTE2
#undef LBP_P_PASTE
#undef LBP_NAME_
#undef LBP_
#undef LBP_CHAIN_T
#undef LBP_INFO_T
#undef LBP_TUNER_T
#undef LBP_REPORT_T

#undef LBP_NAME
#undef LBP_GRADIENT
#undef LBP_STATES
#undef LBP_CONDITIONAL
#undef LBP_EXCHANGE
#undef LBP_MODEL_T
#undef LBP_REAL
#undef LBP_N
#undef LBP_WEIGHT
#undef LBP_LOG_WEIGHT
#undef LBP_DELTA
#undef LBP_NEIGHBOURS
#undef LBP_MAX_NEIGHBOURS
#undef LBP_DELTAS
#undef LBP_DELTAS_EXACT
#undef LBP_DELTAS_MANY
#undef LBP_LOGP
#undef LBP_FIELDS_T
#undef LBP_FIELDS_INIT
#undef LBP_FIELDS_MAKE
#undef LBP_FIELDS_FREE
#undef LBP_FLIP
#undef LBP_FLIP_LIST
#undef LBP_SWEEPS
#undef LBP_LEVEL
#undef LBP_LEVELS
#undef LBP_CLOCK
#undef LBP_PATH
#undef LBP_CLUSTERS
#undef LBP_PARTS
#undef LBP_SYMMETRIC
#undef LBP_SAVE
#undef LBP_RESTORE
#undef LBP_TEMPERED
#undef LBP_CLAMPED
#undef LBP_GROUP
#undef LBP_GROUPS
#undef LBP_GROUP_ONES
#undef LBP_BASE
#undef LBP_ROUNDING
#undef LBP_CAT_STATES
#undef LBP_CAT_STATES_OF
#undef LBP_CAT_DELTAS_OF
#undef LBP_CAT_DELTA
#undef LBP_CAT_POWERS_OF
#undef LBP_CAT_CHANGE
#undef LBP_CAT_BASE
#undef LBP_TERM
#undef LBP_TERM_SITES
#undef LBP_TERM_COUNT
#undef LBP_SITE_TERM
#undef LBP_TERM_MAX
#undef LBP_TERMS_OF_MAX
#undef LBP_PAIRS
#undef LBP_FIELD
#undef LBP_CAT_PAIRS
#undef LBP_CAT_PAIR
#undef LBP_CAT_FIELD
#undef LBP_UNIT
#undef LBP_LANES
#undef LBP_LANES_SCALAR
#undef LBP_PREFETCH
#undef LBP_SORT_ABOVE
#undef LBP_RNG_T
#undef LBP_RNG_U64

#endif /* LBP_P_SUPPORT */
