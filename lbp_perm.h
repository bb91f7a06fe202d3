/* lbp_perm.h - samplers for permutations and matchings (assignment problems, record linkage, orderings). A step
 * exchanges the images of two rows, or of several pairs of rows. The compiler specialises all of it to your model.
 *
 * Copyright (c) 2026 the lbp authors. SPDX-License-Identifier: MIT
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, for checked builds lbp/options/checked.h, for partial matchings
 * lbp/base/numbers.h; C99 or C++11; no libm, no malloc, no I/O, no globals.
 *
 * A state is a permutation s of 0 ... n - 1: row a is matched with s[a], or place a has object s[a]. Define a few
 * macros and include this file to get step functions. With
 *
 *   #define LBP_NAME     pairing
 *   #define LBP_MODEL_T  costs             // your type
 *   #define LBP_EXCHANGE costs_exchange    // log pi(s with s[a], s[b] exchanged) - log pi(s)
 *   #include "lbp_perm.h"
 *
 * this file generates
 *
 *   pairing_chain, pairing_info, pairing_report, pairing_real                                              types
 *   int            pairing_init   (pairing_chain *, uint32_t n, uint32_t *s, uint64_t *ws, size_t ws_len)
 *   void           pairing_touch  (pairing_chain *)                       s or the model was changed outside
 *   int            pairing_temper (pairing_chain *, double beta)          inverse temperature
 *   int            pairing_clamp  (pairing_chain *, const uint8_t *mask)  rows that keep their images
 *   pairing_info   pairing_row_step (pairing_chain *, const costs *, lbp_rng *)        a row, then a partner for it
 *   pairing_info   pairing_pairs_step (pairing_chain *, const costs *, uint32_t R, lbp_rng *)  R exchanges at once
 *   pairing_info   pairing_apairs_step (pairing_chain *, const costs *, lbp_pairs_tuner *, lbp_rng *)   R tunes itself
 *   pairing_info   pairing_exchange_step (pairing_chain *, const costs *, lbp_rng *)   two rows uniformly
 *   pairing_info   pairing_exchange_sweep (pairing_chain *, const costs *, lbp_rng *)  n of these
 *   pairing_report pairing_check  (pairing_chain *, const costs *, uint32_t trials, lbp_rng *)  is the model right?
 *   pairing_report pairing_fault  (const pairing_chain *)                 what a checked build found (LBP_CHECKED)
 *
 * and, once per translation unit, lbp_pairs_tuner, lbp_is_permutation and lbp_shuffle. Below, t_ab is pi(s with a, b
 * exchanged) / pi(s), g is the weight function, and w_ab is the whole number to which g(t_ab) is rounded.
 *
 * NAME_row_step draws row a, uniformly or by LBP_PERM_ROW_WEIGHT, then b in proportion to w_ab, and accepts with min(1,
 * A), A = t_ab w_ab(y) / w_ab(x) S_a(x) / S_a(y) q_a(y) / q_a(x): S_a is the sum of w_ab over all b, q_a the chance of
 * row a. The reverse move draws the same row first. A step takes 2n log-ratios and O(n) memory. Begin with this one.
 * (To exchange with certainty in proportion to t_ab, a heat bath over the partners of a row, would be wrong: from y the
 * same row has another sum.)
 *
 * NAME_pairs_step keeps all w_ab in a table. It draws R pairs of rows one after another in proportion to w_ab, each
 * from the rows that are left, and exchanges all. Z_k is the sum over pairs of the rows that are left before draw k.
 * The reverse move draws the same pairs in reversed order, with sums Z'_k over all rows except those of pairs k + 1 ...
 * R:
 *
 *   A = pi(y) / pi(x) prod_k w_k(y) / w_k(x) prod_k Z_k(x) / Z'_k(y)
 *
 * A step takes O(n R) log-ratios if other rows keep theirs (LBP_NEIGHBOURS), otherwise all n (n - 1) / 2.
 *
 * All ratios are those of the whole numbers used in the draws, so rounding affects only the efficiency, not the law.
 *
 * Partial matchings (LBP_PERM_PARTIAL_ROWS, LBP_PERM_PARTIAL_COLUMNS) link some of A rows with some of B columns. Their
 * state is a permutation of n >= A, B: row a < A is linked with column s[a] if s[a] < B, and has no partner otherwise.
 * Columns without a partner take the spare rows A ... n - 1; rows without a partner take the spare columns B ... n - 1.
 * A matching of L links leaves D = n - A - B + L spare rows to spare columns, and (n - A)! (n - B)! / D! permutations
 * stand for it: the rows that are not linked take A - L spare columns in (n - B)! / D! ways, the columns that are not
 * linked take B - L spare rows in (n - A)! / D! ways, and the D spare rows and D spare columns that are left are
 * matched in D! ways. Therefore steps sample pi(s) D!, so that each matching has the weight pi of the callbacks. At
 * inverse temperature beta, steps sample pi(s)^beta D!. The count D! is not tempered: matchings have the law pi^beta,
 * and all of them are equally likely at beta = 0.
 *
 * Order of this file: support (states, the tuner); then the template: parameters, types, the user's macros, weights,
 * faults, making chains, steps, the model check.
 *
 * Sources: Zanella, "Informed Proposals for Local MCMC in Discrete Spaces", JASA 2020 (weights); Sun, Dai, Schuurmans,
 * "Optimal Scaling for Locally Balanced Proposals in Discrete Spaces", NeurIPS 2022 (paths of R moves, their tuning).
 */

/* ==== support: once per translation unit ========================================================================== */

#ifndef LBP_PERM_H
#define LBP_PERM_H

#include "lbp/base/support.h"

/* Length of the workspace of a chain of n rows, in uint64_t's, for all steps except NAME_pairs_step. A constant
 * expression. */
#define LBP_WS_LEN_PERM(n) LBP_WS_HALVES(n, 9)

/* The same for all steps, with room for a table of all pairs, twice. n is at most LBP_MAX_PAIRED; SIZE_MAX if it is
 * more. */
#define LBP_WS_LEN_PAIRS(n) \
  ((size_t)(n) > LBP_MAX_PAIRED ? SIZE_MAX : (size_t)(n) * (size_t)(n) + LBP_WS_HALVES(n, 17))

#define LBP_MAX_PAIRED 30000u /* rows of a chain that keeps a table: sums stay below 2^62 */

LBP_EXACT_BEGIN

/* Returns 1 if s[n] is a permutation of 0 ... n - 1, otherwise 0. seen: scratch space of n bytes. */
LBP_FN int lbp_is_permutation(const uint32_t *s, uint32_t n, uint8_t *seen) {
  uint32_t a;
  memset(seen, 0, n);
  for (a = 0; a < n; a++) {
    if (s[a] >= n || seen[s[a]]) return 0;
    seen[s[a]] = 1;
  }
  return 1;
}

/* Shuffles the n values of s; all orders are equally likely. */
LBP_CALLED void lbp_shuffle(uint32_t *s, uint32_t n, lbp_rng *rng) {
  uint32_t a;
  for (a = n; a > 1; a--) {
    const uint32_t b = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), a), v = s[b];
    s[b] = s[a - 1];
    s[a - 1] = v;
  }
}

/* Tunes R, the number of exchanges of NAME_pairs_step, to an acceptance rate. One chain or many can share a tuner. It
 * follows the rule of NAME_tuner (lbp.h), in double. */
typedef struct {
  double r, mean;        /* R_t, real, in [1, largest]; its mean over the second half of the warm-up */
  double target;
  double largest;        /* n / 2 - 1/2: with R always at its largest, if that is even, parity would never change */
  uint32_t step, warmup; /* updates so far, updates until r is frozen at mean */
} lbp_pairs_tuner;

/* Returns the largest R of a tuner for n free rows. */
LBP_FN double lbp_pairs_most(uint32_t n) { return n > 3 ? n / 2 - 0.5 : 1; }

/* r, cut to [1, largest]; 1 for NaN. */
LBP_FN double lbp_perm_between(double r, double largest) {
  if (lbp_is_nan(r) || !(r > 1)) return 1;
  return r > largest ? largest : r;
}

/* Prepares a tuner for chains of n rows: R starts at 1 and is frozen after `warmup` updates (UINT32_MAX: never). target
 * is the acceptance rate to reach, in (0, 1): LBP_TARGET_LBP is good; with LBP_SQRT, 0.5 is slightly better. Returns
 * LBP_OK, or LBP_E_NULL, LBP_E_SIZE (n), LBP_E_RANGE (target). */
LBP_FN int lbp_pairs_tuner_init(lbp_pairs_tuner *t, uint32_t n, uint32_t warmup, double target) {
  if (!t) return LBP_E_NULL;
  memset(t, 0, sizeof *t);
  if (n < 1 || n > LBP_MAX_SITES) return LBP_E_SIZE;
  if (!lbp_is_finite(target) || !(target > 0 && target < 1)) return LBP_E_RANGE;
  t->r = t->mean = 1;
  t->target = target;
  t->largest = lbp_pairs_most(n);
  t->warmup = warmup;
  return LBP_OK;
}

/* Returns R for one step: the tuner's r, rounded at random up or down so that the mean is r. */
LBP_FN uint32_t lbp_pairs_tuner_draw(const lbp_pairs_tuner *t, lbp_rng *rng) {
  const double r = lbp_perm_between(t->r, t->largest);
  const uint32_t whole = (uint32_t)r;
  return whole + (uint32_t)lbp_bernoulli_trial(lbp_rng_u64(rng), r - whole);
}

/* Updates the tuner with the acceptance probability of a step, or with its mean over the chains that share the tuner.
 * Ignores numbers outside [0, 1]. */
LBP_FN void lbp_pairs_tuner_update(lbp_pairs_tuner *t, double accept) {
  const double gain = t->r / 32 > 1 ? t->r / 32 : 1;
  uint32_t late;
  if (t->step >= t->warmup || lbp_is_nan(accept) || !(accept >= 0 && accept <= 1)) return;
  t->r = lbp_perm_between(t->r + lbp_rounded(gain * (accept - t->target)), t->largest);
  t->step++;
  late = t->step - t->warmup / 2;
  if (t->step > t->warmup / 2) t->mean += (t->r - t->mean) / late;
  if (t->step == t->warmup) t->r = t->mean;
}

/* Returns a random R with the given mean, which is cut to [1, 2^31]. R is one of three neighbouring whole numbers, so
 * it can be even or odd. */
LBP_FN uint32_t lbp_pairs_random(double mean, lbp_rng *rng) {
  double r;
  mean = lbp_perm_between(mean, 2147483648.0);
  r = mean + lbp_u01(lbp_rng_u64(rng));
  if (mean >= 1.5) r += lbp_u01(lbp_rng_u64(rng)) - 0.5;
  return (uint32_t)r;
}

/* A long product of ratios without logarithms: value 2^exponent; 0 if a ratio was 0. */
typedef struct {
  double value;
  int32_t exponent;
} lbp_p_perm_product;

/* Multiplies the product by back / forth, whole numbers below 2^62; forth is not 0. */
LBP_FN void lbp_p_perm_multiply(lbp_p_perm_product *p, uint64_t back, uint64_t forth) {
  if (back == 0 || !(p->value > 0)) {
    p->value = 0;
    return;
  }
  p->value *= (double)(int64_t)back / (double)(int64_t)forth;
  p->exponent += lbp_split(&p->value);
}

/* min(1, e^log_pi p): log pi is +infinity for a move out of an impossible state, which needs no reverse move. */
LBP_FN double lbp_p_perm_probability(const lbp_p_perm_product *p, double log_pi) {
  const double v = log_pi + lbp_rounded(0.69314718055994530942 * p->exponent);
  double ratio;
  if (!lbp_is_finite(log_pi)) return log_pi > 0 ? 1 : 0;
  if (!(p->value > 0) || v < -700) return 0;
  ratio = p->value * lbp_exp(v < 700 ? v : 700);
  return lbp_rounded(ratio < 1 ? ratio : 1);
}

/* Returns the entry of weight[n] to which `left`, a number below their sum, belongs. */
LBP_FN uint32_t lbp_p_perm_pick(const uint32_t *weight, uint32_t n, uint64_t left) {
  uint32_t k;
  for (k = 0; k + 1 < n; k++) {
    if (left < weight[k]) break;
    left -= weight[k];
  }
  return k;
}

LBP_EXACT_END

#endif /* LBP_PERM_H */

#ifdef LBP_P_RUN
#include "lbp/base/numbers.h"
#endif

/* ==== template: once per model ==================================================================================== */

/* ---- parameters -------------------------------------------------------------------------------------------------- */

#if !defined LBP_NAME
#if defined LBP_EXCHANGE || defined LBP_PERM_ROW
#error "lbp_perm.h: define LBP_NAME, the prefix of the generated functions"
#endif
#define LBP_P_SKIP 1
#elif !defined LBP_EXCHANGE
#error "lbp_perm.h: define LBP_EXCHANGE, log pi(s with s[a] and s[b] exchanged) - log pi(s)"
#define LBP_P_SKIP 1
#elif defined LBP_NEIGHBOURS && !defined LBP_MAX_NEIGHBOURS
#error "lbp_perm.h: LBP_NEIGHBOURS needs LBP_MAX_NEIGHBOURS, the length of the longest list"
#define LBP_P_SKIP 1
#elif defined LBP_PERM_PARTIAL_ROWS != defined LBP_PERM_PARTIAL_COLUMNS
#error "lbp_perm.h: define both of LBP_PERM_PARTIAL_ROWS and LBP_PERM_PARTIAL_COLUMNS (partial matchings) or none"
#define LBP_P_SKIP 1
#elif defined LBP_WEIGHT && LBP_WEIGHT != LBP_BARKER && LBP_WEIGHT != LBP_SQRT && \
  LBP_WEIGHT != LBP_METROPOLIS
#error "lbp_perm.h: LBP_WEIGHT is one of LBP_BARKER, LBP_SQRT, LBP_METROPOLIS"
#define LBP_P_SKIP 1
#endif

#ifndef LBP_P_SKIP

/* LBP_NAME: the prefix of all generated names. Required. */

/* Type of the model. Every call takes a const pointer to it; no pointer is stored. */
#ifndef LBP_MODEL_T
#define LBP_MODEL_T void
#endif

/* float or double: the type of log-ratios and log pi. */
#ifndef LBP_REAL
#define LBP_REAL double
#endif

/* The weight function g, g(t) = t g(1/t): LBP_BARKER, LBP_SQRT or LBP_METROPOLIS. For matchings LBP_BARKER is far
 * better than LBP_SQRT. */
#ifndef LBP_WEIGHT
#define LBP_WEIGHT LBP_BARKER
#endif

/* LBP_EXCHANGE(m, s, a, b) -> LBP_REAL: the exact log pi(s with s[a] and s[b] exchanged) - log pi(s), for two different
 * rows in either order. -infinity: the exchange is impossible; +infinity: it leads out of an impossible state; NaN
 * counts as impossible. Required. */

/* LBP_PERM_ROW(m, s, a, out): optional, for NAME_row_step: writes LBP_EXCHANGE(m, s, a, b) to out[b] for all n rows b
 * at once. out[a] is not read. */

/* LBP_PERM_ROW_WEIGHT(m, s, a) -> LBP_REAL: optional, for NAME_row_step: returns log u_a. A step draws its first row in
 * proportion to u_a, or to u_a^beta at inverse temperature beta. If log pi is minus a sum of costs, half of the present
 * cost of row a is a good choice. All values are correct, including -infinity (never this row), but they may depend on
 * s only. Without it all rows are equally likely. */

/* LBP_NEIGHBOURS(m, a, out) -> uint32_t, LBP_MAX_NEIGHBOURS: optional, for NAME_pairs_step: writes to `out` the rows
 * other than a with an exchange whose log-ratio may change when s[a] changes, and returns their number.
 * LBP_MAX_NEIGHBOURS is the length of the longest list. The log-ratio of exchanging c and d may depend only on s[c],
 * s[d] and the images of rows that list c or d, to the last bit. (A difference of two sums over all rows is not
 * allowed: all images affect its rounding.) If log pi is a sum of one term per row, lists are empty and
 * LBP_MAX_NEIGHBOURS is 0. Without it a move computes all log-ratios again. */

/* LBP_PERM_PARTIAL_ROWS(m) -> uint32_t, LBP_PERM_PARTIAL_COLUMNS(m) -> uint32_t: optional, both or none: return A and
 * B; states are partial matchings of A rows with B columns, see this file's first page. All other callbacks describe
 * the matching: their values depend on s[a] of rows a < A with s[a] < B, and on which rows and columns have no partner.
 * n is at least A and B; n = A + B allows all matchings, n = A + B - k those of k or more links. The law of matchings
 * is exactly pi, however many permutations represent one. With LBP_NEIGHBOURS, a NAME_pairs_step that changes the
 * number of links computes min(A, n - A) n log-ratios again. Clamped rows keep their images, and the matchings that
 * contain these keep their weights pi. Needs lbp/base/numbers.h. */

/* LBP_LOGP(m, s) -> LBP_REAL: log pi(s) up to a constant, for the model check. Only with it does the check find a wrong
 * sign or a wrong factor. Runs need it. */

/* Expands a callback: see lbp.h. */
#define LBP_P_CALL(callback, arguments) callback arguments

/* Only checked builds compile this (LBP_CHECKED of lbp.h). */
#if LBP_CHECKED
#include "lbp/base/checked.h"
#define LBP_P_CHECK(statement) statement
#else
#define LBP_P_CHECK(statement)
#endif

/* Only instances of lbp_run.h in unchecked builds compile this: their steps look for NaN. */
#if defined LBP_P_RUN && !LBP_CHECKED && defined LBP_LOGP
#define LBP_P_WATCHES    1
#define LBP_P_WATCH(...) __VA_ARGS__
#else
#define LBP_P_WATCHES 0
#define LBP_P_WATCH(...)
#endif

/* Only partial matchings compile this. */
#ifdef LBP_PERM_PARTIAL_ROWS
#include "lbp/base/numbers.h"
#define LBP_P_PARTIAL(...) __VA_ARGS__
#else
#define LBP_P_PARTIAL(...)
#endif

#define LBP_P_PASTE2(left, right) left##right
#define LBP_P_PASTE(left, right)  LBP_P_PASTE2(left, right)
#define LBP_NAME_(name)           LBP_P_PASTE(LBP_NAME, _##name)
#define LBP_(name)                LBP_P_PASTE(LBP_NAME, _priv_##name)
#define LBP_CHAIN_T               LBP_NAME_(chain)
#define LBP_INFO_T                LBP_NAME_(info)
#define LBP_REPORT_T              LBP_NAME_(report)

LBP_EXACT_BEGIN

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* If it is defined twice, its name explains the cause in the first of many errors. */
enum { LBP_NAME_(is_the_LBP_NAME_of_another_instance) };

/* Your types, by names that no parameter or variable has. */
typedef LBP_REAL LBP_NAME_(real); /* of log-ratios and log pi */
#undef LBP_REAL
#define LBP_REAL LBP_NAME_(real)

typedef LBP_MODEL_T LBP_(model);
#undef LBP_MODEL_T
#define LBP_MODEL_T LBP_(model)

#ifdef LBP_NEIGHBOURS
enum { LBP_(max_neighbours) = LBP_MAX_NEIGHBOURS };
#undef LBP_MAX_NEIGHBOURS
#define LBP_MAX_NEIGHBOURS LBP_(max_neighbours)
#endif

/* The first fault that NAME_check, or a step of a checked build, has found; status is LBP_OK if there is none. */
typedef struct {
  int status;             /* lbp_error(status) returns its text */
  uint32_t site, other;   /* the rows exchanged */
  LBP_REAL got, want; /* the two values that should agree */
} LBP_REPORT_T;

/* One chain. You may read n and s; all other members belong to the functions below. Arrays are in the workspace. */
typedef struct {
  uint32_t n;
  uint32_t *s;
  double beta;                     /* the inverse temperature */
  uint32_t nan[2];                 /* 1 + a row, and another, whose log-ratio was NaN at a possible s; 0: none */
  const uint8_t *mask;             /* rows that are not 0 there never move; NULL: all may */
  uint32_t free, *list;            /* how many may move, and which (length n) */
  int rows_ready, table_ready;     /* whether choice[], and table[], are of s */
  LBP_REAL *ratio;            /* n: of a row, from the model */
  uint32_t *weight, *back;         /* n: weights of a row's exchanges, at x and at y; of pairs, those drawn */
  uint32_t *choice, *choice_back;  /* n: of LBP_PERM_ROW_WEIGHT, at x and at y */
  uint64_t choices, choices_back;  /* their sums */
  uint32_t *rows;                  /* n: rows of the step; of pairs, one pair after another */
  uint32_t *was;                   /* n: a sweep's images before; rows in another order */
  uint32_t *table;                 /* n x n: weights of all pairs, symmetric; NULL: no room for that */
  uint32_t *next;                  /* n x n: row k is the next, or previous, row touched[k] of the table */
  uint64_t *sum;                   /* n: of each row of the table */
  uint64_t total;                  /* of all of it: twice the sum over pairs */
  uint64_t *left;                  /* n: sums over the rows that are left, 0 of those that are not */
  uint64_t *before;                /* n: total over these before each draw */
  uint32_t *touched, *place;       /* n: rows whose weights a move changes; by row, their place in it plus one, or 0 */
#ifdef LBP_PERM_PARTIAL_ROWS
  uint32_t linked_rows, linked_columns; /* A and B: those from there on are spare */
  int spare_ready;                 /* whether spare is of s */
  uint32_t spare;                  /* D: spare rows that may move and have spare columns ... */
  uint32_t table_spare;            /* ... and its value when the table was made */
  uint32_t log_of;                 /* the D that these are of: ... */
  double log_less, log_more;       /* ... log D, and log(D + 1) */
#endif
#if LBP_CHECKED
  uint32_t made;                   /* LBP_MADE, if NAME_init has made it */
  uint32_t wait, turn;             /* steps until a row is examined, and which */
  LBP_REPORT_T fault;              /* the first */
#endif
} LBP_CHAIN_T;

/* The result of a step. */
typedef struct {
  double accept;        /* acceptance probability; 0 if there was no proposal; of a sweep, the mean */
  uint32_t accepted;    /* 1 if the proposal was accepted, else 0; of a sweep, the number accepted */
  uint32_t proposed;    /* rows whose images the proposal changes; of a sweep, two for each exchange */
  uint32_t jump;        /* rows whose images differ from those before the step */
  uint32_t evaluations; /* log-ratios of exchanges computed */
  double log_ratio;     /* change of log pi(s) by the step, at the chain's temperature */
  const uint32_t *rows; /* the `jump` rows that changed; valid until the chain's next step */
} LBP_INFO_T;

/* ---- the user's macros, each expanded once ----------------------------------------------------------------------- */

LBP_INLINE LBP_REAL LBP_(call_exchange)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_a,
                                             uint32_t lbp_b) {
  (void)lbp_c, (void)lbp_m, (void)lbp_a, (void)lbp_b;
  return (LBP_REAL)(LBP_P_CALL(LBP_EXCHANGE, (lbp_m, lbp_c->s, lbp_a, lbp_b)));
}

/* ratio[b] = the log-ratio of exchanging rows a and b, for all b; impossible for a itself. */
LBP_INLINE void LBP_(call_row)(LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m, uint32_t lbp_a) {
#ifdef LBP_PERM_ROW
  LBP_P_CALL(LBP_PERM_ROW, (lbp_m, lbp_c->s, lbp_a, lbp_c->ratio));
#else
  uint32_t lbp_b;
  for (lbp_b = 0; lbp_b < lbp_c->n; lbp_b++) {
    if (lbp_b != lbp_a) lbp_c->ratio[lbp_b] = LBP_(call_exchange)(lbp_c, lbp_m, lbp_a, lbp_b);
  }
#endif
  lbp_c->ratio[lbp_a] = (LBP_REAL)lbp_impossible();
  (void)lbp_m;
}

#ifdef LBP_PERM_ROW_WEIGHT
LBP_INLINE LBP_REAL LBP_(call_row_weight)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m,
                                               uint32_t lbp_a) {
  (void)lbp_c, (void)lbp_m, (void)lbp_a;
  return (LBP_REAL)(LBP_P_CALL(LBP_PERM_ROW_WEIGHT, (lbp_m, lbp_c->s, lbp_a)));
}
#endif

#ifdef LBP_NEIGHBOURS
LBP_INLINE uint32_t LBP_(call_neighbours)(const LBP_MODEL_T *lbp_m, uint32_t lbp_a, uint32_t *lbp_out) {
  (void)lbp_m, (void)lbp_a, (void)lbp_out;
  return LBP_P_CALL(LBP_NEIGHBOURS, (lbp_m, lbp_a, lbp_out));
}
#endif

#ifdef LBP_PERM_PARTIAL_ROWS
LBP_INLINE uint32_t LBP_(call_partial_rows)(const LBP_MODEL_T *lbp_m) {
  (void)lbp_m;
  return (uint32_t)(LBP_P_CALL(LBP_PERM_PARTIAL_ROWS, (lbp_m)));
}
LBP_INLINE uint32_t LBP_(call_partial_columns)(const LBP_MODEL_T *lbp_m) {
  (void)lbp_m;
  return (uint32_t)(LBP_P_CALL(LBP_PERM_PARTIAL_COLUMNS, (lbp_m)));
}
#endif

#ifdef LBP_LOGP
LBP_INLINE LBP_REAL LBP_(call_logp)(const LBP_CHAIN_T *lbp_c, const LBP_MODEL_T *lbp_m) {
  (void)lbp_c, (void)lbp_m;
  return (LBP_REAL)(LBP_P_CALL(LBP_LOGP, (lbp_m, lbp_c->s)));
}
#endif

/* ---- faults ------------------------------------------------------------------------------------------------------ */

#if LBP_CHECKED
LBP_FN void LBP_(on_error)(int lbp_status, uint32_t lbp_site) {
  (void)lbp_status, (void)lbp_site;
  LBP_P_CALL(LBP_ON_ERROR, (lbp_status, lbp_site));
}

LBP_INLINE int LBP_(failed)(const LBP_CHAIN_T *c) { return c->fault.status != LBP_OK; }

/* Every fault is recorded here. */
LBP_FN void LBP_(fail)(LBP_CHAIN_T *c, const LBP_REPORT_T *found) {
  if (c && c->made == LBP_MADE) {
    if (LBP_(failed)(c)) return;
    c->fault = *found;
  }
  LBP_(on_error)(found->status, found->site);
}

LBP_INLINE void LBP_(refuse_nan)(LBP_CHAIN_T *c, uint32_t a, uint32_t b, LBP_REAL d) {
  const LBP_REPORT_T found = {LBP_E_DELTA_NAN, a, b, d, d};
  if (a != b && lbp_is_nan((double)d)) LBP_(fail)(c, &found);
}

#ifdef LBP_NEIGHBOURS
/* Whether a list of neighbours is short enough, and contains only rows. */
LBP_FN int LBP_(fit)(LBP_CHAIN_T *c, uint32_t a, const uint32_t *list, uint32_t count) {
  LBP_REPORT_T found = {LBP_E_NEIGHBOUR_RANGE, a, a, (LBP_REAL)count, LBP_MAX_NEIGHBOURS};
  uint32_t k;
  for (k = 0; count <= LBP_MAX_NEIGHBOURS && k < count && list[k] < c->n; k++) {}
  if (k == count) return 1;
  if (count <= LBP_MAX_NEIGHBOURS) {
    found.other = list[k];
    found.got = (LBP_REAL)list[k];
    found.want = (LBP_REAL)c->n;
  }
  LBP_(fail)(c, &found);
  return 0;
}
#endif

LBP_COLD int LBP_(check_exchange)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t b,
                                  LBP_REPORT_T *report); /* below */
LBP_COLD int LBP_(check_row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, LBP_REPORT_T *report);
LBP_COLD int LBP_(check_kept)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, LBP_REPORT_T *report);

/* Whether the arguments of a step are usable. */
LBP_FN int LBP_(usable)(LBP_CHAIN_T *c, const lbp_rng *rng) {
  LBP_REPORT_T found = {LBP_OK, 0, 0, 0, 0};
  if (!c || !rng) found.status = LBP_E_NULL;
  else if (c->made != LBP_MADE || !lbp_rng_is_made(rng)) found.status = LBP_E_NOT_MADE;
  if (found.status != LBP_OK) LBP_(fail)(c, &found);
  return found.status == LBP_OK && !LBP_(failed)(c);
}

/* The same. In addition, one step of n / 16 checks whether s is a permutation and, for one row in turn, whether the
 * model is consistent and the chain's weights are those of s. Draws no random number. */
LBP_FN int LBP_(ready)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const lbp_rng *rng) {
  LBP_REPORT_T found = {LBP_OK, 0, 0, 0, 0};
  uint32_t a, b;
  if (!LBP_(usable)(c, rng)) return 0;
  if (c->wait > 0) {
    c->wait--;
    return 1;
  }
  c->wait = c->n / 16;
  a = c->turn % c->n;
  b = (a + 1 + c->turn / c->n % (c->n > 1 ? c->n - 1 : 1)) % c->n;
  c->turn++;
  if (!lbp_is_permutation(c->s, c->n, (uint8_t *)(void *)c->was)) found.status = LBP_E_STATE;
#ifdef LBP_LOGP
  if (found.status == LBP_OK && !lbp_is_finite((double)LBP_(call_logp)(c, m))) return 1; /* nothing to compare with */
#endif
  if (found.status == LBP_OK && a != b) LBP_(check_exchange)(c, m, a, b, &found);
  if (found.status == LBP_OK && a != b) LBP_(check_row)(c, m, a, &found);
  if (found.status == LBP_OK) LBP_(check_kept)(c, m, a, &found);
  if (found.status != LBP_OK) LBP_(fail)(c, &found);
  return !LBP_(failed)(c);
}

/* The result of a step that does nothing. */
LBP_FN LBP_INFO_T LBP_(nothing)(void) {
  LBP_INFO_T info;
  memset(&info, 0, sizeof info);
  return info;
}
#endif

/* Returns the first fault of a step of this chain; LBP_OK if there is none. After a fault, steps do nothing until
 * NAME_init makes the chain again. LBP_E_NULL: the chain is NULL; LBP_E_NOT_MADE: NAME_init has not made it. With
 * LBP_E_STALE, got and want are weights.
 *
 * Without LBP_CHECKED the status is LBP_OK, except for instances made by lbp_run.h: their steps look for log-ratios
 * that are NaN at a possible state (LBP_E_DELTA_NAN). */
LBP_FN LBP_REPORT_T LBP_NAME_(fault)(const LBP_CHAIN_T *c) {
  LBP_REPORT_T report = {LBP_OK, 0, 0, 0, 0};
#if LBP_CHECKED
  if (c && c->made == LBP_MADE) return c->fault;
  report.status = c ? LBP_E_NOT_MADE : LBP_E_NULL;
#elif LBP_P_WATCHES
  if (c && c->nan[0] > 0) {
    const LBP_REAL infinite = (LBP_REAL)lbp_impossible();
    report.status = LBP_E_DELTA_NAN;
    report.site = c->nan[0] - 1;
    report.other = c->nan[1];
    report.got = report.want = infinite - infinite;
  }
#endif
  return (void)c, report;
}

#if LBP_P_WATCHES
/* Whether v is NaN, in few instructions: a comparison, if the compiler respects it. */
LBP_INLINE int LBP_(hides_nan)(double v) { return LBP_FAST_MATH ? lbp_is_nan(v) : v != v; }

/* Defined in lbp/run/perm_kernel.h. */
LBP_COLD void LBP_(meet_nan)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t b);
LBP_COLD void LBP_(meet_nan_there)(LBP_CHAIN_T *c, const LBP_MODEL_T *m);
LBP_COLD void LBP_(meet_nans)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a);
#endif

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* A log-ratio at the chain's temperature. */
LBP_INLINE double LBP_(tempered)(const LBP_CHAIN_T *c, LBP_REAL d) {
  return lbp_is_finite((double)d) ? lbp_rounded(c->beta * (double)d) : (double)d;
}

LBP_INLINE int LBP_(is_clamped)(const LBP_CHAIN_T *c, uint32_t a) { return c->mask && c->mask[a]; }

#ifdef LBP_PERM_PARTIAL_ROWS
/* Spare rows that may move and have spare columns. */
LBP_FN uint32_t LBP_(count_spare)(const LBP_CHAIN_T *c) {
  uint32_t a, count = 0;
  for (a = c->linked_rows; a < c->n; a++) count += c->s[a] >= c->linked_columns && !LBP_(is_clamped)(c, a);
  return count;
}

/* Before a step: counts spare rows and columns. */
LBP_INLINE void LBP_(prepare_spare)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  if (c->spare_ready) return;
  c->linked_rows = LBP_(call_partial_rows)(m);
  c->linked_columns = LBP_(call_partial_columns)(m);
  c->spare = LBP_(count_spare)(c);
  c->spare_ready = 1;
}

/* Change of the number of spare rows with spare columns if rows a and b are exchanged: -1, 0 or 1. */
LBP_INLINE int LBP_(spare_gain)(const LBP_CHAIN_T *c, uint32_t a, uint32_t b) {
  const int row = (a >= c->linked_rows) - (b >= c->linked_rows);
  return row * ((c->s[b] >= c->linked_columns) - (c->s[a] >= c->linked_columns));
}

/* The change of log D! by that, for two rows that may move. The reverse exchange gives exactly the opposite number. */
LBP_INLINE double LBP_(base)(LBP_CHAIN_T *c, uint32_t a, uint32_t b) {
  const int gain = LBP_(spare_gain)(c, a, b);
  if (gain == 0) return 0;
  if (c->log_of != c->spare) {
    c->log_of = c->spare;
    c->log_less = c->spare > 0 ? lbp_log_fine(c->spare) : 0;
    c->log_more = lbp_log_fine(c->spare + 1.0);
  }
  return gain > 0 ? c->log_more : -c->log_less;
}
#endif

/* The weight of the exchange of rows a and b, whose log-ratio is d. Adds d to *all, which then is NaN if any d is,
 * where that matters. */
LBP_INLINE uint32_t LBP_(weight)(LBP_CHAIN_T *c, uint32_t a, uint32_t b, LBP_REAL d, float *all) {
  const float v = (float)(LBP_(tempered)(c, d) LBP_P_PARTIAL(+ LBP_(base)(c, a, b)));
  (void)a, (void)b, (void)all;
  LBP_P_WATCH(*all += v;)
#if LBP_WEIGHT == LBP_BARKER
  return lbp_weight_barker(v);
#elif LBP_WEIGHT == LBP_SQRT
  return lbp_weight_log(0.5f * v);
#else
  return lbp_weight_metropolis(v);
#endif
}

/* The same, always called with a and b in one order: a model may round by their order, but weights must depend on s
 * alone. Sets *nan if d is NaN, where that matters. It looks at d only if the weight is 0, as it is for NaN. */
LBP_INLINE uint32_t LBP_(pair_weight)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t b,
                                      uint32_t *nan) {
  LBP_REAL d;
  uint32_t w;
  float unused = 0;
  if (LBP_(is_clamped)(c, a) || LBP_(is_clamped)(c, b)) return 0;
  d = a < b ? LBP_(call_exchange)(c, m, a, b) : LBP_(call_exchange)(c, m, b, a);
  LBP_P_CHECK(LBP_(refuse_nan)(c, a, b, d);)
  w = LBP_(weight)(c, a, b, d, &unused);
  LBP_P_WATCH(if (LBP_SELDOM(w == 0) && lbp_is_nan((double)d)) *nan = 1;)
  (void)nan;
  return w;
}

/* out[b] = the weight of exchanging rows a and b, for all b. Returns their sum. */
LBP_CALLED uint64_t LBP_(weigh_row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t *out) {
  uint64_t sum = 0;
  uint32_t b;
  float all = 0;
  LBP_(call_row)(c, m, a);
  LBP_P_CHECK(for (b = 0; b < c->n; b++) LBP_(refuse_nan)(c, a, b, c->ratio[b]);)
  for (b = 0; b < c->n; b++) out[b] = LBP_(weight)(c, a, b, c->ratio[b], &all);
  LBP_P_WATCH(if (LBP_SELDOM(LBP_(hides_nan)(all))) LBP_(meet_nans)(c, m, a);)
  LBP_SETTLE(out);
  for (b = 0; c->mask && b < c->n; b++) out[b] = c->mask[b] ? 0 : out[b];
  for (b = 0; b < c->n; b++) sum += out[b];
  return sum;
}

#ifdef LBP_PERM_ROW_WEIGHT
/* out[a] = the weight of row a as the first, relative to the largest. Returns their sum. */
LBP_CALLED uint64_t LBP_(weigh_choice)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t *out) {
  double top = 0;
  uint64_t sum = 0;
  uint32_t a;
  int any = 0;
  for (a = 0; a < c->n; a++) {
    double v;
    c->ratio[a] = LBP_(is_clamped)(c, a) ? (LBP_REAL)lbp_impossible() : LBP_(call_row_weight)(c, m, a);
    v = LBP_(tempered)(c, c->ratio[a]);
    if (lbp_is_finite(v) && (!any || v > top)) any = 1, top = v;
  }
  for (a = 0; a < c->n; a++) {
    out[a] = lbp_weight_scaled((float)(LBP_(tempered)(c, c->ratio[a]) - top), LBP_WEIGHT_MAX);
    LBP_SETTLE(&out[a]);
    sum += out[a];
  }
  return sum;
}
#endif

LBP_INLINE void LBP_(exchange)(LBP_CHAIN_T *c, uint32_t a, uint32_t b) {
  const uint32_t v = c->s[a];
  LBP_P_PARTIAL(c->spare += (uint32_t)LBP_(spare_gain)(c, a, b);)
  c->s[a] = c->s[b];
  c->s[b] = v;
}

/* ---- making chains ----------------------------------------------------------------------------------------------- */

/* Marks the weights in the chain as out of date. */
LBP_INLINE void LBP_(forget)(LBP_CHAIN_T *c) {
  c->rows_ready = c->table_ready = 0;
}

/* Tells the chain that you have changed s or the model. The next step computes its weights again. */
LBP_FN void LBP_NAME_(touch)(LBP_CHAIN_T *c) {
  LBP_P_PARTIAL(c->spare_ready = 0;)
  LBP_(forget)(c);
}

/* Sets the chain's inverse temperature (1 after NAME_init): it then samples pi^beta. Impossible exchanges stay
 * impossible, even at beta = 0. Returns LBP_OK, or LBP_E_NULL, LBP_E_NOT_FINITE (beta). */
LBP_FN int LBP_NAME_(temper)(LBP_CHAIN_T *c, double beta) {
  if (!c) return LBP_E_NULL;
  if (!lbp_is_finite(beta)) return LBP_E_NOT_FINITE;
  c->beta = beta;
  LBP_NAME_(touch)(c);
  return LBP_OK;
}

/* Clamps the rows a with mask[a] != 0 and frees all others. mask has n bytes; NULL frees all rows. Clamped rows keep
 * their images, and steps sample the others given these. The chain keeps the pointer: the mask must outlive the chain
 * and must not change. NAME_check ignores it. Returns LBP_OK, or LBP_E_NULL (no chain), LBP_E_CLAMPED (no row is
 * free). */
LBP_FN int LBP_NAME_(clamp)(LBP_CHAIN_T *c, const uint8_t *mask) {
  uint32_t a;
  if (!c) return LBP_E_NULL;
  c->free = 0;
  for (a = 0; a < c->n; a++) {
    c->list[c->free] = a; /* written always, kept where it is free */
    c->free += !mask || !mask[a];
  }
  c->mask = c->free < c->n ? mask : NULL;
  LBP_NAME_(touch)(c);
  return c->free > 0 ? LBP_OK : LBP_E_CLAMPED;
}

/* Makes a chain of n rows. s is the initial state, a permutation of 0 ... n - 1; steps change it in place. ws is the
 * workspace, ws_len its length in uint64_t's: LBP_WS_LEN_PERM(n) for all steps except NAME_pairs_step, which needs
 * LBP_WS_LEN_PAIRS(n) and does nothing with less. s and ws belong to you and must outlive the chain.
 *
 * Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_WORKSPACE, LBP_E_STATE (s is no permutation); the chain is unusable
 * then. */
LBP_CALLED int LBP_NAME_(init)(LBP_CHAIN_T *c, uint32_t n, uint32_t *s, uint64_t *ws, size_t ws_len) {
  uint32_t *at;
  if (!c || !s || !ws) return LBP_E_NULL;
  memset(c, 0, sizeof *c);
  if (n < 1 || n > LBP_MAX_SITES) return LBP_E_SIZE;
  if (ws_len < LBP_WS_LEN_PERM(n)) return LBP_E_WORKSPACE;
  c->n = n;
  c->s = s;
  c->beta = 1;
  LBP_P_PARTIAL(c->log_of = UINT32_MAX;)
  c->ratio = (LBP_REAL *)(void *)ws;
  at = (uint32_t *)(void *)(ws + n);
  c->weight = at;
  c->back = at + n;
  c->choice = at + 2 * (size_t)n;
  c->choice_back = at + 3 * (size_t)n;
  c->rows = at + 4 * (size_t)n;
  c->was = at + 5 * (size_t)n;
  c->list = at + 6 * (size_t)n;
  if (ws_len >= LBP_WS_LEN_PAIRS(n)) {
    uint64_t *sums = ws + LBP_WS_LEN_PERM(n);
    c->sum = sums;
    c->left = sums + n;
    c->before = sums + 2 * (size_t)n;
    at = (uint32_t *)(void *)(sums + 3 * (size_t)n);
    c->touched = at;
    c->place = at + n;
    c->table = at + 2 * (size_t)n;
    c->next = c->table + (size_t)n * n;
    memset(c->place, 0, n * sizeof *c->place);
  }
  LBP_NAME_(clamp)(c, NULL);
  if (!lbp_is_permutation(s, n, (uint8_t *)(void *)c->was)) return LBP_E_STATE;
  LBP_P_CHECK(c->made = LBP_MADE;)
  return LBP_OK;
}

/* ---- uniform exchanges ------------------------------------------------------------------------------------------- */

/* Proposes to exchange two rows, all pairs equally likely, and accepts with min(1, t). Returns that probability, and
 * the change of log pi in *gain; rows[0] and rows[1] are the two. */
LBP_INLINE double LBP_(try_uniform)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t *rows, int *accepted,
                                    double *gain, lbp_rng *rng) {
  const uint32_t i = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), c->free);
  const uint32_t j = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), c->free - 1), a = c->list[i], b = c->list[j + (j >= i)];
  const lbp_p_perm_product one = {1, 0};
  const LBP_REAL ratio = LBP_(call_exchange)(c, m, a, b);
  const double d = LBP_(tempered)(c, ratio), log_pi = d LBP_P_PARTIAL(+ LBP_(base)(c, a, b));
  const double accept = lbp_p_perm_probability(&one, log_pi);
  LBP_P_CHECK(LBP_(refuse_nan)(c, a, b, ratio);)
  *accepted = lbp_bernoulli_trial(lbp_rng_u64(rng), accept);
  *gain = *accepted ? d : 0;
  rows[0] = a;
  rows[1] = b;
  if (*accepted) LBP_(exchange)(c, a, b);
  LBP_P_WATCH(else if (LBP_SELDOM(LBP_(hides_nan)(d))) LBP_(meet_nan_there)(c, m);)
  return accept;
}

/* Metropolis step: proposes to exchange two rows, all pairs equally likely, and accepts with probability min(1, t). If
 * it accepts, the next weighted step computes its weights again. Does nothing if only one row is free. */
LBP_CALLED LBP_INFO_T LBP_NAME_(exchange_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, lbp_rng *rng) {
  LBP_INFO_T info;
  int accepted;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  memset(&info, 0, sizeof info);
  info.rows = c->rows;
  if (c->free < 2) return info;
  LBP_P_PARTIAL(LBP_(prepare_spare)(c, m);)
  info.accept = LBP_(try_uniform)(c, m, c->rows, &accepted, &info.log_ratio, rng);
  info.accepted = accepted != 0;
  info.proposed = 2;
  info.jump = accepted ? 2 : 0;
  info.evaluations = 1;
  if (accepted) LBP_(forget)(c);
  return info;
}

/* n or n - 1 steps NAME_exchange_step (at random, half and half), where n counts the free rows. The random number lets
 * a sweep reach even and odd permutations, even if all exchanges are accepted. Nothing is faster if at least one
 * uniform exchange in twenty is accepted and log-ratios are cheap. */
LBP_CALLED LBP_INFO_T LBP_NAME_(exchange_sweep)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, lbp_rng *rng) {
  LBP_INFO_T info;
  uint32_t k, tries;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  memset(&info, 0, sizeof info);
  info.rows = c->rows;
  if (c->free < 2) return info;
  LBP_P_PARTIAL(LBP_(prepare_spare)(c, m);)
  tries = c->free - (uint32_t)(lbp_rng_u64(rng) >> 63);
  memcpy(c->was, c->s, c->n * sizeof *c->was);
  for (k = 0; k < tries; k++) {
    double gain;
    int accepted;
    info.accept += LBP_(try_uniform)(c, m, c->rows, &accepted, &gain, rng) / tries;
    info.accepted += accepted != 0;
    info.log_ratio += gain;
  }
  for (k = 0; k < c->n && info.accepted; k++) {
    c->rows[info.jump] = k; /* written always, kept where it has changed */
    info.jump += c->s[k] != c->was[k];
  }
  info.proposed = 2 * tries;
  info.evaluations = tries;
  if (info.accepted) LBP_(forget)(c);
  return info;
}

/* ---- a row and its partner --------------------------------------------------------------------------------------- */

/* Draws the first row; n if there is none. */
LBP_INLINE uint32_t LBP_(draw_row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, lbp_rng *rng) {
#ifdef LBP_PERM_ROW_WEIGHT
  if (!c->rows_ready) c->choices = LBP_(weigh_choice)(c, m, c->choice);
  c->rows_ready = 1;
  if (c->choices == 0) return c->n;
  return lbp_p_perm_pick(c->choice, c->n, lbp_mulhi(lbp_rng_u64(rng), c->choices));
#else
  (void)m;
  return c->list[lbp_mulhi(lbp_rng_u64(rng), c->free)];
#endif
}

/* After an exchange: multiplies by the ratio of the chances to draw row a first, at y and at x. */
LBP_INLINE void LBP_(bring_in_choice)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, lbp_p_perm_product *p) {
#ifdef LBP_PERM_ROW_WEIGHT
  c->choices_back = LBP_(weigh_choice)(c, m, c->choice_back);
  lbp_p_perm_multiply(p, c->choice_back[a], c->choice[a]);
  if (c->choices_back > 0) lbp_p_perm_multiply(p, c->choices, c->choices_back);
#endif
  (void)c, (void)m, (void)a, (void)p;
}

/* The same once it is accepted. */
LBP_INLINE void LBP_(keep_choice)(LBP_CHAIN_T *c) {
  uint32_t *const scratch = c->choice;
  c->choice = c->choice_back;
  c->choice_back = scratch;
  c->choices = c->choices_back;
}

/* Draws a row, uniformly or by LBP_PERM_ROW_WEIGHT, then a partner by the weights of their exchanges, and accepts or
 * rejects; see this file's first page. Does nothing if no exchange of that row is possible. After an accepted exchange
 * NAME_pairs_step computes its table again. */
LBP_CALLED LBP_INFO_T LBP_NAME_(row_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, lbp_rng *rng) {
  lbp_p_perm_product p = {1, 0};
  LBP_INFO_T info;
  uint64_t sum, sum_back;
  double log_pi, base;
  uint32_t a, b;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  memset(&info, 0, sizeof info);
  info.rows = c->rows;
  if (c->free < 2) return info;
  LBP_P_PARTIAL(LBP_(prepare_spare)(c, m);)
  a = LBP_(draw_row)(c, m, rng);
  if (a == c->n) return info;
  sum = LBP_(weigh_row)(c, m, a, c->weight);
  info.evaluations = c->n - 1;
  if (sum == 0) return info;
  b = lbp_p_perm_pick(c->weight, c->n, lbp_mulhi(lbp_rng_u64(rng), sum));
  log_pi = LBP_(tempered)(c, c->ratio[b]);
  base = 0 LBP_P_PARTIAL(+ LBP_(base)(c, a, b));
  LBP_(exchange)(c, a, b);
  sum_back = LBP_(weigh_row)(c, m, a, c->back);
  info.evaluations += c->n - 1;
  info.proposed = 2;
  c->rows[0] = a;
  c->rows[1] = b;
  lbp_p_perm_multiply(&p, c->back[b], c->weight[b]);
  if (sum_back > 0) lbp_p_perm_multiply(&p, sum, sum_back);
  LBP_(bring_in_choice)(c, m, a, &p);
  info.accept = lbp_p_perm_probability(&p, log_pi + base);
  LBP_P_CHECK(if (LBP_(failed)(c)) info.accept = 0;)
  info.accepted = (uint32_t)lbp_bernoulli_trial(lbp_rng_u64(rng), info.accept);
  if (!info.accepted) {
    LBP_(exchange)(c, a, b);
    return info;
  }
  info.jump = 2;
  info.log_ratio = log_pi;
  LBP_(keep_choice)(c);
  c->table_ready = 0;
  return info;
}

/* ---- pairs of rows ----------------------------------------------------------------------------------------------- */

/* Makes the table of all weights. Returns how many log-ratios that took. */
LBP_CALLED uint32_t LBP_(fill_table)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t n = c->n;
  uint32_t a, b, nan = 0;
  if (c->table_ready) return 0;
  memset(c->sum, 0, n * sizeof *c->sum);
  c->total = 0;
  for (a = 0; a < n; a++) {
    c->table[(size_t)a * n + a] = 0;
    for (b = a + 1; b < n; b++) {
      const uint32_t w = LBP_(pair_weight)(c, m, a, b, &nan);
      c->table[(size_t)a * n + b] = c->table[(size_t)b * n + a] = w;
      c->sum[a] += w;
      c->sum[b] += w;
      c->total += 2 * (uint64_t)w;
    }
    LBP_P_WATCH(if (LBP_SELDOM(nan != 0)) LBP_(meet_nans)(c, m, a);)
  }
  c->table_ready = 1;
  LBP_P_PARTIAL(c->table_spare = c->spare;)
  return n * (n - 1) / 2;
}

/* Takes rows a and b out of left[], of which *total is the sum. */
LBP_FN void LBP_(take_out)(LBP_CHAIN_T *c, uint32_t a, uint32_t b, uint64_t *total) {
  const uint32_t *row = c->table + (size_t)a * c->n, *other = c->table + (size_t)b * c->n;
  uint32_t k;
  *total -= 2 * (c->left[a] + c->left[b] - row[b]);
  c->left[a] = c->left[b] = 0;
  for (k = 0; k < c->n; k++) {
    if (c->left[k] > 0) c->left[k] -= (uint64_t)row[k] + other[k];
  }
}

/* Draws R pairs, one after another, of different rows: pair k is rows[2k], rows[2k + 1]; weight[k] and before[k] are
 * its weight and the sum it was drawn from. Returns 0 if there are fewer. */
LBP_CALLED int LBP_(draw_pairs)(LBP_CHAIN_T *c, uint32_t R, lbp_rng *rng) {
  const uint32_t n = c->n;
  uint64_t total = c->total;
  uint32_t k;
  memcpy(c->left, c->sum, n * sizeof *c->left);
  for (k = 0; k < R; k++) {
    uint64_t at;
    const uint32_t *row;
    uint32_t a, b;
    if (total == 0) return 0;
    c->before[k] = total;
    at = lbp_mulhi(lbp_rng_u64(rng), total);
    for (a = 0; at >= c->left[a]; a++) at -= c->left[a];
    row = c->table + (size_t)a * n; /* and within the row's sum, which is of rows that are left */
    for (b = 0; c->left[b] == 0 || at >= row[b]; b++) at -= c->left[b] > 0 ? row[b] : 0;
    c->weight[k] = row[b];
    c->rows[2 * k] = a;
    c->rows[2 * k + 1] = b;
    LBP_(take_out)(c, a, b, &total);
  }
  return 1;
}

/* Exchanges R pairs one after another. Returns how many it has exchanged (fewer if one is impossible) and the changes
 * of log pi and of log D!. (The reverse move passes through the same states, so rejecting both keeps detailed
 * balance.) */
LBP_CALLED uint32_t LBP_(exchange_pairs)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, double *log_pi,
                                         double *base) {
  uint32_t k;
  *log_pi = *base = 0;
  for (k = 0; k < R; k++) {
    const uint32_t a = c->rows[2 * k], b = c->rows[2 * k + 1];
    const LBP_REAL ratio = LBP_(call_exchange)(c, m, a, b);
    const double d = LBP_(tempered)(c, ratio);
    LBP_P_CHECK(LBP_(refuse_nan)(c, a, b, ratio);)
    if (lbp_is_impossible((float)d)) {
      LBP_P_WATCH(LBP_(meet_nan)(c, m, a, b);)
      break;
    }
    *log_pi += d;
    LBP_P_PARTIAL(*base += LBP_(base)(c, a, b);)
    LBP_(exchange)(c, a, b);
  }
  return k;
}

/* Puts row a among those whose weights a move changes. */
LBP_INLINE uint32_t LBP_(touch_row)(LBP_CHAIN_T *c, uint32_t a, uint32_t count) {
  if (c->place[a] > 0) return count;
  c->touched[count] = a;
  c->place[a] = count + 1;
  return count + 1;
}

/* touched[] = the rows whose weights the exchange of R pairs changes. Returns how many. */
LBP_CALLED uint32_t LBP_(list_touched)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R) {
  uint32_t count = 0, k;
#ifdef LBP_NEIGHBOURS
  uint32_t list[LBP_MAX_NEIGHBOURS + 1], j;
  for (k = 0; k < 2 * R; k++) count = LBP_(touch_row)(c, c->rows[k], count);
  for (k = 0; k < 2 * R; k++) {
    uint32_t length = LBP_(call_neighbours)(m, c->rows[k], list);
    LBP_P_CHECK(if (!LBP_(fit)(c, c->rows[k], list, length)) length = 0;)
    for (j = 0; j < length; j++) count = LBP_(touch_row)(c, list[j], count);
  }
#ifdef LBP_PERM_PARTIAL_ROWS
  if (c->spare != c->table_spare) { /* pairs of a spare row and another one: all of the fewer rows */
    const uint32_t spare = c->n - c->linked_rows, few = spare < c->linked_rows;
    const uint32_t end = few ? c->n : c->linked_rows;
    for (k = few ? c->linked_rows : 0; k < end; k++) count = LBP_(touch_row)(c, k, count);
  }
#endif
#else
  (void)m, (void)R;
  for (k = 0; k < c->n; k++) count = LBP_(touch_row)(c, k, count);
#endif
  return count;
}

/* next[] = the weights of the touched rows at y. Returns how many log-ratios that took. */
LBP_CALLED uint32_t LBP_(reweigh)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t count) {
  const uint32_t n = c->n;
  uint32_t k, b, evaluations = 0, nan = 0;
  for (k = 0; k < count; k++) {
    const uint32_t a = c->touched[k];
    uint32_t *next = c->next + (size_t)k * n;
    for (b = 0; b < n; b++) {
      const uint32_t place = c->place[b];
      if (place > 0 && place <= k) {
        next[b] = c->next[(size_t)(place - 1) * n + a]; /* computed already */
      } else if (b == a) {
        next[b] = 0;
      } else {
        next[b] = LBP_(pair_weight)(c, m, a, b, &nan);
        evaluations++;
      }
    }
    LBP_P_WATCH(if (LBP_SELDOM(nan != 0)) LBP_(meet_nans)(c, m, a);)
  }
  return evaluations;
}

/* Exchanges row k of next[] and the row of the table that it is for, with all sums; the same again undoes that. */
LBP_FN void LBP_(swap_row)(LBP_CHAIN_T *c, uint32_t k) {
  const uint32_t n = c->n, a = c->touched[k];
  uint32_t *row = c->table + (size_t)a * n, *next = c->next + (size_t)k * n, b;
  uint64_t change = 0; /* modulo 2^64, like all changes of sums here */
  for (b = 0; b < n; b++) {
    const uint32_t old = row[b], now = next[b];
    row[b] = c->table[(size_t)b * n + a] = now;
    next[b] = old;
    c->sum[b] += (uint64_t)now - old;
    change += (uint64_t)now - old;
  }
  c->sum[a] += change;
  c->total += 2 * change;
}

/* The ratio of proposal probabilities, reverse to forward: the same pairs in reversed order, at y, whose weights are in
 * the table. */
LBP_CALLED lbp_p_perm_product LBP_(back_pairs)(LBP_CHAIN_T *c, uint32_t R) {
  lbp_p_perm_product p = {1, 0};
  uint64_t total = c->total;
  uint32_t k;
  memcpy(c->left, c->sum, c->n * sizeof *c->left);
  for (k = R; k > 0; k--) {
    const uint32_t a = c->rows[2 * k - 2], b = c->rows[2 * k - 1];
    lbp_p_perm_multiply(&p, c->table[(size_t)a * c->n + b], c->weight[k - 1]);
    if (!(p.value > 0)) break;
    lbp_p_perm_multiply(&p, c->before[k - 1], total);
    LBP_(take_out)(c, a, b, &total);
  }
  return p;
}

/* Exchanges R disjoint pairs of rows at once, drawn one after another in proportion to their weights; see this file's
 * first page. R is cut to [0, n / 2], where n counts the free rows. The step does nothing if fewer than R pairs with
 * positive weights can be drawn, or if the chain has no table (see NAME_init). From an impossible state, it stops
 * before the first exchange that leads to another impossible state. The first step, and the first after other steps
 * have moved, computes all log-ratios.
 *
 * An exchange turns an even permutation into an odd one and back. A fixed even R therefore never changes the parity of
 * s, nor does an odd R that is cut to an even number. Use an odd R of at most n / 2, a random R (lbp_pairs_random), or
 * a tuner. */
LBP_CALLED LBP_INFO_T LBP_NAME_(pairs_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t R, lbp_rng *rng) {
  LBP_INFO_T info;
  lbp_p_perm_product p;
  double log_pi, base;
  uint32_t k, count, done;
  LBP_P_CHECK(if (!LBP_(ready)(c, m, rng)) return LBP_(nothing)();)
  memset(&info, 0, sizeof info);
  info.rows = c->rows;
  if (R > c->free / 2) R = c->free / 2;
  if (R == 0 || !c->table) return info;
  LBP_P_PARTIAL(LBP_(prepare_spare)(c, m);)
  info.evaluations = LBP_(fill_table)(c, m);
  if (!LBP_(draw_pairs)(c, R, rng)) return info;
  done = LBP_(exchange_pairs)(c, m, R, &log_pi, &base);
  info.evaluations += done < R ? done + 1 : R;
  if (done < R && !lbp_is_finite(log_pi) && log_pi > 0) R = done; /* out of an impossible state, and no further */
  info.proposed = 2 * R;
  if (done == R) {
    count = LBP_(list_touched)(c, m, R);
    info.evaluations += LBP_(reweigh)(c, m, count);
    for (k = 0; k < count; k++) LBP_(swap_row)(c, k);
    p = LBP_(back_pairs)(c, R);
    info.accept = lbp_p_perm_probability(&p, log_pi + base);
    LBP_P_CHECK(if (LBP_(failed)(c)) info.accept = 0;)
    info.accepted = (uint32_t)lbp_bernoulli_trial(lbp_rng_u64(rng), info.accept);
    for (k = count; k > 0 && !info.accepted; k--) LBP_(swap_row)(c, k - 1);
    for (k = 0; k < count; k++) c->place[c->touched[k]] = 0;
  }
  if (!info.accepted) {
    while (done > 0) done--, LBP_(exchange)(c, c->rows[2 * done], c->rows[2 * done + 1]);
    return info;
  }
  info.jump = 2 * R;
  info.log_ratio = log_pi;
  LBP_P_PARTIAL(c->table_spare = c->spare;)
  c->rows_ready = 0;
  return info;
}

/* NAME_pairs_step with R drawn from the tuner, followed by an update of the tuner. If rows are clamped, R is limited by
 * the number of free rows. */
LBP_CALLED LBP_INFO_T LBP_NAME_(apairs_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, lbp_pairs_tuner *t, lbp_rng *rng) {
  LBP_INFO_T info;
  double largest, most;
  LBP_P_CHECK(if (!LBP_(usable)(c, t ? rng : NULL)) return LBP_(nothing)();)
  largest = t->largest;
  most = lbp_pairs_most(c->free);
  if (most < largest) t->largest = most;
  info = LBP_NAME_(pairs_step)(c, m, lbp_pairs_tuner_draw(t, rng), rng);
  lbp_pairs_tuner_update(t, info.accept);
  t->largest = largest;
  return info;
}

/* ---- the model check --------------------------------------------------------------------------------------------- */

LBP_FN int LBP_(find)(LBP_REPORT_T *report, int status, uint32_t row, uint32_t other, LBP_REAL got,
                      LBP_REAL want) {
  const LBP_REPORT_T found = {status, row, other, got, want};
  *report = found;
  return status;
}

LBP_FN LBP_REAL LBP_(abs)(LBP_REAL v) { return v < 0 ? -v : v; }

LBP_FN int LBP_(is_finite)(LBP_REAL v) { return lbp_is_finite((double)v); }

/* Whether two values have the same bits. */
LBP_FN int LBP_(same)(LBP_REAL v, LBP_REAL w) {
  uint64_t left = 0, right = 0;
  memcpy(&left, &v, sizeof v);
  memcpy(&right, &w, sizeof w);
  return left == right;
}

/* Whether two values agree up to rounding; equal infinities do. */
LBP_FN int LBP_(agree)(LBP_REAL got, LBP_REAL want, LBP_REAL scale) {
  const LBP_REAL tolerance = (LBP_REAL)(sizeof(LBP_REAL) == sizeof(float) ? 1e-4 : 1e-9);
  if (!LBP_(is_finite)(got) || !LBP_(is_finite)(want)) return LBP_(same)(got, want);
  return LBP_(abs)(got - want) <= tolerance * (1 + scale);
}

/* Makes an exchange, and returns the change of log pi. */
LBP_FN LBP_REAL LBP_(go)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t b) {
  const LBP_REAL d = LBP_(call_exchange)(c, m, a, b);
  LBP_(exchange)(c, a, b);
  return d;
}

#ifdef LBP_PERM_PARTIAL_ROWS
/* Whether the matching is the same after an exchange: of two spare rows, or of rows with two spare columns. */
LBP_FN int LBP_(keeps_links)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t b) {
  const uint32_t rows = LBP_(call_partial_rows)(m), columns = LBP_(call_partial_columns)(m);
  return (a >= rows && b >= rows) || (c->s[a] >= columns && c->s[b] >= columns);
}
#endif

/* One exchange: there, again, in the other order, and back; and the change of log pi. Of partial matchings also whether
 * log pi stays as it is where the matching does. */
LBP_COLD int LBP_(check_exchange)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t b, LBP_REPORT_T *report) {
  const LBP_REAL again = LBP_(call_exchange)(c, m, a, b), d = LBP_(call_exchange)(c, m, a, b);
  const LBP_REAL turned = LBP_(call_exchange)(c, m, b, a);
  LBP_REAL back;
  if (lbp_is_nan((double)d)) return LBP_(find)(report, LBP_E_DELTA_NAN, a, b, d, d);
  if (lbp_is_nan((double)turned)) return LBP_(find)(report, LBP_E_DELTA_NAN, b, a, turned, d);
  if (!LBP_(same)(d, again)) return LBP_(find)(report, LBP_E_NOT_REPEATABLE, a, b, again, d);
  if (!LBP_(agree)(turned, d, LBP_(abs)(d))) return LBP_(find)(report, LBP_E_ORDER, a, b, turned, d);
#ifdef LBP_PERM_PARTIAL_ROWS /* the same matching */
  if (LBP_(keeps_links)(c, m, a, b) && !LBP_(agree)(d, 0, 0)) return LBP_(find)(report, LBP_E_LOGP, a, b, d, 0);
#endif
#ifdef LBP_LOGP
  {
    const LBP_REAL here = LBP_(call_logp)(c, m);
    LBP_REAL there;
    LBP_(exchange)(c, a, b);
    there = LBP_(call_logp)(c, m);
    LBP_(exchange)(c, a, b);
    if (!LBP_(is_finite)(there) && there > 0) return LBP_(find)(report, LBP_E_LOGP, a, b, there, d);
    if (!LBP_(agree)(there - here, d, LBP_(abs)(here) + LBP_(abs)(d))) {
      return LBP_(find)(report, LBP_E_LOGP, a, b, there - here, d);
    }
    if (!LBP_(is_finite)(d)) return LBP_OK; /* log-ratios after an impossible exchange do not matter */
  }
#endif
  LBP_(exchange)(c, a, b);
  back = LBP_(call_exchange)(c, m, a, b);
  LBP_(exchange)(c, a, b);
  if (LBP_(is_finite)(d) ? !LBP_(agree)(back, -d, LBP_(abs)(d)) : LBP_(is_finite)(back)) {
    return LBP_(find)(report, LBP_E_ANTISYMMETRY, a, b, back, -d);
  }
  return LBP_OK;
}

#if LBP_CHECKED
/* Compares the chain's weights of row a, and of all rows' chances, with those at s. */
LBP_COLD int LBP_(check_kept)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, LBP_REPORT_T *report) {
  uint32_t b;
  uint32_t nan = 0;
#ifdef LBP_PERM_PARTIAL_ROWS
  if (c->spare_ready && c->spare != LBP_(count_spare)(c)) {
    return LBP_(find)(report, LBP_E_STALE, a, a, (LBP_REAL)c->spare, (LBP_REAL)LBP_(count_spare)(c));
  }
#endif
  for (b = 0; c->table_ready && b < c->n; b++) {
    const uint32_t kept = c->table[(size_t)a * c->n + b], fresh = b == a ? 0 : LBP_(pair_weight)(c, m, a, b, &nan);
    if (kept != fresh) return LBP_(find)(report, LBP_E_STALE, a, b, (LBP_REAL)kept, (LBP_REAL)fresh);
  }
#ifdef LBP_PERM_ROW_WEIGHT
  if (!c->rows_ready) return LBP_OK;
  LBP_(weigh_choice)(c, m, c->choice_back);
  for (b = 0; b < c->n; b++) {
    const LBP_REAL kept = (LBP_REAL)c->choice[b], fresh = (LBP_REAL)c->choice_back[b];
    if (c->choice[b] != c->choice_back[b]) return LBP_(find)(report, LBP_E_STALE, b, b, kept, fresh);
  }
#endif
  return LBP_OK;
}
#endif

/* Log-ratios along two ways to one state must have the same sum; otherwise no law has them. Exchanging a, b and then b,
 * e is the same as a, e and then a, b; and where e and f are two others, a, b and e, f come in any order. */
LBP_COLD int LBP_(check_order)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t b, uint32_t e, uint32_t f,
                               LBP_REPORT_T *report) {
  LBP_REAL first, then, other_first, other_then, scale;
  const int triangle = f == a || f == b || f == e;
  first = LBP_(go)(c, m, a, b);
  then = triangle ? LBP_(call_exchange)(c, m, b, e) : LBP_(call_exchange)(c, m, e, f);
  LBP_(exchange)(c, a, b);
  if (triangle) {
    other_first = LBP_(go)(c, m, a, e);
    other_then = LBP_(call_exchange)(c, m, a, b);
    LBP_(exchange)(c, a, e);
  } else {
    other_first = LBP_(go)(c, m, e, f);
    other_then = LBP_(call_exchange)(c, m, a, b);
    LBP_(exchange)(c, e, f);
  }
  if (!LBP_(is_finite)(first) || !LBP_(is_finite)(then)) return LBP_OK;
  if (!LBP_(is_finite)(other_first) || !LBP_(is_finite)(other_then)) return LBP_OK;
  scale = LBP_(abs)(first) + LBP_(abs)(then) + LBP_(abs)(other_first);
  if (LBP_(agree)(first + then, other_first + other_then, scale)) return LBP_OK;
  return LBP_(find)(report, LBP_E_ORDER, a, e, first + then, other_first + other_then);
}

/* Compares LBP_PERM_ROW with LBP_EXCHANGE for one row. */
LBP_COLD int LBP_(check_row)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, LBP_REPORT_T *report) {
#ifdef LBP_PERM_ROW
  uint32_t b;
  LBP_(call_row)(c, m, a);
  for (b = 0; b < c->n; b++) {
    const LBP_REAL got = c->ratio[b], d = b == a ? got : LBP_(call_exchange)(c, m, a, b);
    if (lbp_is_nan((double)got) || lbp_is_nan((double)d)) return LBP_(find)(report, LBP_E_DELTA_NAN, a, b, got, d);
    if (!LBP_(agree)(got, d, LBP_(abs)(d))) return LBP_(find)(report, LBP_E_ROW, a, b, got, d);
  }
#endif
#ifdef LBP_PERM_ROW_WEIGHT
  {
    const LBP_REAL v = LBP_(call_row_weight)(c, m, a), again = LBP_(call_row_weight)(c, m, a);
    if (!LBP_(same)(v, again)) return LBP_(find)(report, LBP_E_NOT_REPEATABLE, a, a, again, v);
  }
#endif
  (void)c, (void)m, (void)a, (void)report;
  return LBP_OK;
}

#ifdef LBP_NEIGHBOURS
/* The exchange of a and b must not change the log-ratio of e and f, unless these are a or b or on their lists. */
LBP_COLD int LBP_(check_neighbours)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t b, uint32_t e,
                                    uint32_t f, LBP_REPORT_T *report) {
  uint32_t list[LBP_MAX_NEIGHBOURS + 1] = {0}, side, k;
  LBP_REAL before, after;
  int named = e == f || e == a || e == b || f == a || f == b;
  for (side = 0; side < 2; side++) {
    const uint32_t row = side ? b : a, count = LBP_(call_neighbours)(m, row, list);
    if (count > LBP_MAX_NEIGHBOURS) {
      return LBP_(find)(report, LBP_E_NEIGHBOUR_RANGE, row, row, (LBP_REAL)count, LBP_MAX_NEIGHBOURS);
    }
    for (k = 0; k < count; k++) {
      if (list[k] >= c->n) {
        return LBP_(find)(report, LBP_E_NEIGHBOUR_RANGE, row, list[k], (LBP_REAL)list[k], (LBP_REAL)c->n);
      }
      named |= list[k] == e || list[k] == f;
    }
  }
  if (named || !LBP_(is_finite)(LBP_(call_exchange)(c, m, a, b))) return LBP_OK;
  before = LBP_(call_exchange)(c, m, e, f);
  LBP_(exchange)(c, a, b);
  after = LBP_(call_exchange)(c, m, e, f);
  LBP_(exchange)(c, a, b);
  if (LBP_(agree)(after, before, LBP_(abs)(before))) return LBP_OK;
  return LBP_(find)(report, LBP_E_NEIGHBOUR_MISSING, a, e, after, before);
}
#endif

/* All checks in one state: all pairs of up to 8 rows, otherwise 32 pairs, with two other rows at random. */
LBP_COLD int LBP_(check_here)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, lbp_rng *rng, LBP_REPORT_T *report) {
  const uint32_t n = c->n, pairs = n <= 8 ? n * (n - 1) / 2 : 32;
  uint32_t k, a = 0, b = 0;
  int status = LBP_OK;
#ifdef LBP_LOGP
  const LBP_REAL here = LBP_(call_logp)(c, m);
  if (lbp_is_nan((double)here)) return LBP_(find)(report, LBP_E_LOGP, 0, 0, here, here);
  if (!LBP_(is_finite)(here)) return LBP_(find)(report, here > 0 ? LBP_E_LOGP : LBP_E_IMPOSSIBLE, 0, 0, here, here);
#endif
  for (k = 0; k < pairs && status == LBP_OK; k++) {
    uint32_t e, f;
    if (n > 8) {
      a = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), n);
      b = (a + 1 + (uint32_t)lbp_mulhi(lbp_rng_u64(rng), n - 1)) % n;
    } else if (++b == n) {
      a++;
      b = a + 1;
    }
    e = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), n);
    f = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), n);
    status = LBP_(check_exchange)(c, m, a, b, report);
    if (status == LBP_OK) status = LBP_(check_row)(c, m, a, report);
    if (status == LBP_OK && e != a && e != b) status = LBP_(check_order)(c, m, a, b, e, f, report);
#ifdef LBP_NEIGHBOURS
    if (status == LBP_OK) status = LBP_(check_neighbours)(c, m, a, b, e, f, report);
#endif
  }
  return status;
}

#ifdef LBP_PERM_PARTIAL_ROWS
/* Whether n is at least A and B. */
LBP_COLD int LBP_(check_partial)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REPORT_T *report) {
  const uint32_t rows = LBP_(call_partial_rows)(m), columns = LBP_(call_partial_columns)(m);
  const uint32_t most = rows > columns ? rows : columns;
  if (most <= c->n) return LBP_OK;
  return LBP_(find)(report, LBP_E_SIZE, 0, 0, (LBP_REAL)most, (LBP_REAL)c->n);
}
#endif

/* Checks the model at s and at `trials` - 1 other permutations, reached from s by possible exchanges of random rows; up
 * to 32 exchanges at each. Log-ratios must be numbers, repeatable, the same for both orders of the rows, the opposite
 * after the exchange, equal to the change of log pi, 0 if a partial matching does not change, and equal in sum along
 * two ways to one state. LBP_PERM_ROW must agree with LBP_EXCHANGE, and lists of neighbours must be complete. A trial
 * takes about 300 log-ratios and 32 rows; afterwards s is unchanged. Returns the first failure: LBP_E_NULL (no chain or
 * generator); LBP_E_STATE (s is no permutation); LBP_E_IMPOSSIBLE (log pi(s) is -infinity); LBP_E_DELTA_NAN,
 * LBP_E_NOT_REPEATABLE, LBP_E_ORDER, LBP_E_ANTISYMMETRY, LBP_E_LOGP; LBP_E_ROW; LBP_E_NEIGHBOUR_RANGE,
 * LBP_E_NEIGHBOUR_MISSING; LBP_E_SIZE (LBP_PERM_PARTIAL_ROWS or _COLUMNS is more than n).
 *
 * Without LBP_LOGP the check only compares log-ratios with each other: if all have the wrong sign, they are those of
 * another law, and the check finds nothing. */
LBP_CALLED LBP_REPORT_T LBP_NAME_(check)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t trials, lbp_rng *rng) {
  LBP_REPORT_T report;
  uint32_t t, k;
  LBP_(find)(&report, c && rng ? LBP_OK : LBP_E_NULL, 0, 0, 0, 0);
  LBP_P_CHECK(if (c && rng && c->made != LBP_MADE) report.status = LBP_E_NOT_MADE;)
  if (report.status != LBP_OK) return report;
  if (!lbp_is_permutation(c->s, c->n, (uint8_t *)(void *)c->was)) report.status = LBP_E_STATE;
  LBP_P_PARTIAL(if (report.status == LBP_OK) LBP_(check_partial)(c, m, &report);)
  memcpy(c->was, c->s, c->n * sizeof *c->was);
  for (t = 0; t < trials && c->n > 1 && report.status == LBP_OK; t++) {
    for (k = 0; t > 0 && k < 2 * c->n; k++) {
      const uint32_t a = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), c->n);
      const uint32_t b = (a + 1 + (uint32_t)lbp_mulhi(lbp_rng_u64(rng), c->n - 1)) % c->n;
      if (LBP_(is_finite)(LBP_(call_exchange)(c, m, a, b))) LBP_(exchange)(c, a, b);
    }
    LBP_(check_here)(c, m, rng, &report);
  }
  memcpy(c->s, c->was, c->n * sizeof *c->s);
  LBP_NAME_(touch)(c);
  return report;
}

#ifdef LBP_P_RUN /* lbp_run.h includes the kernel */
#include "lbp/run/perm_kernel.h"
#include "lbp/run/instance.h"
#endif

LBP_EXACT_END

/* ---- nothing leaks ----------------------------------------------------------------------------------------------- */

#undef LBP_P_CALL
#undef LBP_P_CHECK
#undef LBP_P_WATCHES
#undef LBP_P_WATCH
#undef LBP_P_PARTIAL
#undef LBP_P_PASTE2
#undef LBP_P_PASTE
#undef LBP_NAME_
#undef LBP_
#undef LBP_CHAIN_T
#undef LBP_INFO_T
#undef LBP_REPORT_T

#endif /* LBP_P_SKIP */

#undef LBP_P_SKIP
#undef LBP_NAME
#undef LBP_MODEL_T
#undef LBP_REAL
#undef LBP_WEIGHT
#undef LBP_EXCHANGE
#undef LBP_PERM_ROW
#undef LBP_PERM_ROW_WEIGHT
#undef LBP_NEIGHBOURS
#undef LBP_MAX_NEIGHBOURS
#undef LBP_LOGP
#undef LBP_PERM_PARTIAL_ROWS
#undef LBP_PERM_PARTIAL_COLUMNS
