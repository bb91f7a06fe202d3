/* lbp/options/lanes.h - multi-spin coding, 64 to 256 chains in one word: LBP_LANES.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it inside its template where LBP_LANES is
 * defined. You need it for Ising models, glasses and QUBOs with small integer couplings, at many temperatures or in
 * many copies, and don't include it yourself. docs/lanes.md shows it at work.
 *
 * LBP_LANES: 64, 128 or 256: the largest number of chains in a word of bits. Bit l of site i's word is x_i of chain l,
 * its lane; logical operations then sweep all lanes at once (asynchronous multi-spin coding). Each lane has its own
 * inverse temperature and its own random numbers, so that lanes are independent chains, and each is exact.
 *
 *   #define LBP_NAME  ising
 *   ...                                               LBP_TERM, or LBP_PAIRS and LBP_FIELD
 *   #define LBP_UNIT(m) (m)->unit                     terms are whole multiples of it
 *   #define LBP_LANES 256
 *   #include "lbp.h"
 *
 *   size_t         ising_lanes_len         (const ising_chain *, const grid *)           memory, in uint64_t's
 *   int            ising_lanes_init        (ising_lanes *, const ising_chain *, const grid *, uint32_t chains,
 *                                           uint64_t *ws, size_t ws_len)
 *   int            ising_lanes_temper      (ising_lanes *, const double *beta)           of each chain
 *   void           ising_lanes_metropolis_sweep (ising_lanes *, lbp_rng *)               Metropolis, all chains
 *   int            ising_lanes_gibbs_sweep (ising_lanes *, lbp_rng *)                    heat bath, low degrees
 *   void           ising_lanes_put         (ising_lanes *, uint32_t chain, const uint8_t *x)
 *   void           ising_lanes_get         (const ising_lanes *, uint32_t chain, uint8_t *x)
 *   const int64_t *ising_lanes_units       (ising_lanes *)                               log pi in units, of each chain
 *   void           ising_lanes_ones        (const ising_lanes *, uint32_t *ones)         sites that are 1, the same
 *   uint32_t       ising_lanes_swap        (ising_lanes *, uint32_t rungs, uint32_t parity, lbp_rng *)
 *   uint32_t       ising_lanes_record      (ising_lanes *)                               keeps each chain's best state
 *   void           ising_lanes_best        (const ising_lanes *, uint32_t chain, uint8_t *x)
 *
 * Couplings and fields are those of NAME_pairs_of and NAME_field_of (lbp/options/pairs.h), which must be whole
 * multiples of LBP_UNIT / 4, and log pi must have no other part. NAME_check compares them with the log-ratios: call it
 * first. Common factors are taken out: lanes.unit is the largest number with
 *
 *   log pi(x) = constant + lanes.unit (sum over pairs of J_ij s_i s_j + sum over sites of h_i s_i)
 *
 * with integers J_ij and h_i.
 *
 * For each site, |h_i| + sum_j |J_ij| must be at most 511, and at most 15 for heat-bath sweeps. Sweeps update the words
 * in the order of sites. Sites that are clamped in the chain passed to NAME_lanes_init (NAME_clamp) never change.
 *
 * LBP_LANES_SCALAR: if defined, words of more than 64 bits are arrays instead of the compiler's vectors, and ten times
 * slower. This is also so if the compiler has no vectors. Draws are the same.
 *
 * Sources: Bhanot, Duke, Salvador, J. Stat. Phys. 44, 1986 (multi-spin coding); Newman, Barkema, "Monte Carlo
 * Methods in Statistical Physics", 1999 (asynchronous: one system a bit); Isakov, Zintchenko, Ronnow, Troyer, Comput.
 * Phys. Commun. 192, 2015 (annealing).
 *
 * How: D_i = |h_i| + sum_j |J_ij|, and S of it are satisfied. A flip of site i multiplies pi by e^(-2 unit u), u = 2 S
 * - D. Let k = S - ceil(D / 2): then u = 2 k where D is even, and 2 k + 1 where it is odd. Full adders count k for all
 * lanes at once, as planes: plane p has bit p of every lane's k, in two's complement. Metropolis: where k < 0 the flip
 * is certain; else its probability is q^k, q = e^(-4 unit beta), times e^(-2 unit beta) where D is odd: a product over
 * the base-4 digits of k, and a coin for each digit. Random planes are compared with planes of thresholds from the top
 * bit down, until no lane is undecided; of 48 bits that are all equal the answer is no, so that a probability is short
 * by less than 2^-48. How many planes are taken depends on the past alone, and none serves two coins.
 */

#ifndef LBP_P_INSTANCE
#error "lbp/options/lanes.h: lbp.h includes it, inside its template: don't include it yourself"
#else

/* ---- planes ------------------------------------------------------------------------------------------------------ */

/* Whether a word of more than 64 bits is a vector of the compiler. */
#if !defined __GNUC__ || defined __CUDACC__ || LBP_LANES == 64 || defined LBP_LANES_SCALAR
#define LBP_P_BY_VECTOR 0
#else
#define LBP_P_BY_VECTOR 1
#endif

/* Whether it is two vectors of 128 bits, where the processor has no longer ones: gcc keeps those that it has to split
 * in memory, which costs a fifth; clang does not. */
#if LBP_P_BY_VECTOR && LBP_LANES == 256 && !defined __AVX2__ && !defined __clang__
#define LBP_P_HALVES 1
#else
#define LBP_P_HALVES 0
#endif

enum {
  LBP_(lane_words) = LBP_LANES / 64,
  LBP_(lane_bits) = 48,   /* of a threshold */
  LBP_(lane_most) = 511,  /* |h_i| + sum_j |J_ij| */
  LBP_(lane_planes) = 9,  /* of k: 8 and a sign */
  LBP_(lane_small) = 15,  /* of sums over a few sites */
  LBP_(lane_flips) = 6,   /* of counts of them, up to 32 */
  LBP_(lane_tall) = 48,   /* of sums over all */
  LBP_(lane_digits) = 4,  /* of k in base 4 */
  LBP_(lane_levels) = 8,  /* of |k|, by heat bath */
  LBP_(lane_aligned) = 32 /* bytes */
};

/* A word of all lanes. Functions get pointers to it: how vectors are passed depends on the processor. */
#if LBP_P_HALVES
#define LBP_P_VECTOR __attribute__((vector_size(16), may_alias))
typedef uint64_t LBP_P_VECTOR LBP_(half_plane);
typedef struct {
  LBP_(half_plane) low, high;
} LBP_(plane);
#elif LBP_P_BY_VECTOR
#define LBP_P_VECTOR __attribute__((vector_size(LBP_LANES / 8), may_alias))
typedef uint64_t LBP_P_VECTOR LBP_(plane);
#elif LBP_LANES == 64
typedef uint64_t LBP_(plane);
#else
typedef struct {
  uint64_t word[LBP_LANES / 64];
} LBP_(plane);
#endif

#if LBP_P_HALVES
#define LBP_P_BY_HALF(name, sign)                                            \
  LBP_INLINE LBP_(plane) LBP_(name)(LBP_(plane) a, LBP_(plane) b) {          \
    a.low = a.low sign b.low;                                                \
    a.high = a.high sign b.high;                                             \
    return a;                                                                \
  }
LBP_P_BY_HALF(lanes_and, &)
LBP_P_BY_HALF(lanes_or, |)
LBP_P_BY_HALF(lanes_xor, ^)
LBP_P_BY_HALF(lanes_plus, +)
#undef LBP_P_BY_HALF
LBP_INLINE LBP_(plane) LBP_(lanes_not)(LBP_(plane) a) {
  a.low = ~a.low, a.high = ~a.high;
  return a;
}
LBP_INLINE LBP_(plane) LBP_(lanes_left)(LBP_(plane) a, uint64_t k) {
  a.low = a.low << k, a.high = a.high << k;
  return a;
}
LBP_INLINE LBP_(plane) LBP_(lanes_right)(LBP_(plane) a, uint64_t k) {
  a.low = a.low >> k, a.high = a.high >> k;
  return a;
}
LBP_INLINE LBP_(plane) LBP_(lanes_masked)(LBP_(plane) a, uint64_t every, uint64_t flip) {
  a.low = (a.low & flip) ^ every, a.high = (a.high & flip) ^ every;
  return a;
}
#define LBP_P_AND(a, b)   LBP_(lanes_and)(a, b)
#define LBP_P_OR(a, b)    LBP_(lanes_or)(a, b)
#define LBP_P_XOR(a, b)   LBP_(lanes_xor)(a, b)
#define LBP_P_PLUS(a, b)  LBP_(lanes_plus)(a, b)
#define LBP_P_NOT(a)      LBP_(lanes_not)(a)
#define LBP_P_LEFT(a, k)  LBP_(lanes_left)(a, k)
#define LBP_P_RIGHT(a, k) LBP_(lanes_right)(a, k)
#define LBP_P_MASKED(a, every, flip) LBP_(lanes_masked)(a, every, flip)
#elif LBP_P_BY_VECTOR || LBP_LANES == 64
#define LBP_P_AND(a, b)   ((a) & (b))
#define LBP_P_OR(a, b)    ((a) | (b))
#define LBP_P_XOR(a, b)   ((a) ^ (b))
#define LBP_P_NOT(a)      (~(a))
#define LBP_P_PLUS(a, b)  ((a) + (b))
#define LBP_P_LEFT(a, k)  ((a) << (uint64_t)(k))
#define LBP_P_RIGHT(a, k) ((a) >> (uint64_t)(k))
#define LBP_P_MASKED(a, every, flip) (((a) & (flip)) ^ (every))
#else
#if defined __GNUC__ && !defined __CUDACC__ /* it would take half a minute to inline them, and gain little */
#define LBP_P_WORDWISE static __attribute__((unused, noinline))
#else
#define LBP_P_WORDWISE LBP_FN
#endif
#define LBP_P_BY_WORD(name, sign)                                                     \
  LBP_P_WORDWISE LBP_(plane) LBP_(name)(LBP_(plane) a, LBP_(plane) b) {               \
    int w;                                                                            \
    for (w = 0; w < LBP_(lane_words); w++) a.word[w] = a.word[w] sign b.word[w];      \
    return a;                                                                         \
  }
LBP_P_BY_WORD(lanes_and, &)
LBP_P_BY_WORD(lanes_or, |)
LBP_P_BY_WORD(lanes_xor, ^)
LBP_P_BY_WORD(lanes_plus, +)
#undef LBP_P_BY_WORD
/* (a << left >> right & flip) ^ every, of each word. */
LBP_P_WORDWISE LBP_(plane) LBP_(lanes_shape)(LBP_(plane) a, uint64_t every, uint64_t flip, uint32_t left,
                                               uint32_t right) {
  int w;
  for (w = 0; w < LBP_(lane_words); w++) a.word[w] = (a.word[w] << left >> right & flip) ^ every;
  return a;
}
#define LBP_P_AND(a, b)   LBP_(lanes_and)(a, b)
#define LBP_P_OR(a, b)    LBP_(lanes_or)(a, b)
#define LBP_P_XOR(a, b)   LBP_(lanes_xor)(a, b)
#define LBP_P_NOT(a)      LBP_(lanes_shape)(a, UINT64_MAX, UINT64_MAX, 0, 0)
#define LBP_P_PLUS(a, b)  LBP_(lanes_plus)(a, b)
#define LBP_P_LEFT(a, k)  LBP_(lanes_shape)(a, 0, UINT64_MAX, k, 0)
#define LBP_P_RIGHT(a, k) LBP_(lanes_shape)(a, 0, UINT64_MAX, 0, k)
#define LBP_P_MASKED(a, every, flip) LBP_(lanes_shape)(a, every, flip, 0, 0)
#endif

/* Sweeps are compiled for so many planes of k: the fewer, the faster; draws are the same. Without vectors, two of them
 * are enough. */
#if LBP_SMALL || !(LBP_P_BY_VECTOR || LBP_LANES == 64)
#define LBP_P_WIDTHS(...)
#else
#define LBP_P_WIDTHS(...) __VA_ARGS__
#endif

/* STEP(p) for all p from `from` to `to`, both constants once the function is inlined, so that planes are in registers,
 * whatever a compiler makes of loops. */
#define LBP_P_UPWARDS(from, to, STEP)    \
  if ((from) <= 0 && (to) >= 0) STEP(0)  \
  if ((from) <= 1 && (to) >= 1) STEP(1)  \
  if ((from) <= 2 && (to) >= 2) STEP(2)  \
  if ((from) <= 3 && (to) >= 3) STEP(3)  \
  if ((from) <= 4 && (to) >= 4) STEP(4)  \
  if ((from) <= 5 && (to) >= 5) STEP(5)  \
  if ((from) <= 6 && (to) >= 6) STEP(6)  \
  if ((from) <= 7 && (to) >= 7) STEP(7)  \
  if ((from) <= 8 && (to) >= 8) STEP(8)

/* Whether any lane is 1. */
LBP_INLINE int LBP_(lanes_any)(const LBP_(plane) *a) {
#if LBP_P_BY_VECTOR && LBP_LANES == 256 && defined __AVX2__
  typedef long long LBP_P_VECTOR LBP_(signed_plane);
  return !__builtin_ia32_ptestz256((LBP_(signed_plane))*a, (LBP_(signed_plane))*a);
#else
  uint64_t word[LBP_(lane_words)], any = 0;
  int w;
  memcpy(word, a, sizeof word);
  for (w = 0; w < LBP_(lane_words); w++) any |= word[w];
  return any != 0;
#endif
}

LBP_INLINE void LBP_(lanes_clear)(LBP_(plane) *a, uint32_t count) { memset((void *)a, 0, count * sizeof *a); }

/* Adds *b and *c to *a: bit by bit of one plane; *b becomes the carry to the next one. */
LBP_INLINE void LBP_(full_adder)(LBP_(plane) *a, LBP_(plane) *b, const LBP_(plane) *c) {
  const LBP_(plane) half = LBP_P_XOR(*a, *b);
  *b = LBP_P_OR(LBP_P_AND(*a, *b), LBP_P_AND(half, *c));
  *a = LBP_P_XOR(half, *c);
}

/* Adds *b to *a; *b becomes the carry. */
LBP_INLINE void LBP_(half_adder)(LBP_(plane) *a, LBP_(plane) *b) {
  const LBP_(plane) carry = LBP_P_AND(*a, *b);
  *a = LBP_P_XOR(*a, *b);
  *b = carry;
}

/* Exchanges rows and columns of 64 x 64 bits: bit c of row[r] becomes bit r of row[c]. */
LBP_FN void LBP_(lanes_transpose)(uint64_t *row) {
  uint64_t mask = 0xffffffffu;
  uint32_t j, k;
  for (j = 32; j > 0; j >>= 1, mask ^= mask << j) {
    for (k = 0; k < 64; k = (k + j + 1) & ~j) {
      const uint64_t change = ((row[k] >> j) ^ row[k | j]) & mask;
      row[k] ^= change << j;
      row[k | j] ^= change;
    }
  }
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

enum { LBP_(lane_is_odd) = 1, LBP_(lane_is_clamped) = 2, LBP_(lane_is_alone) = 4 };

/* A site, for all lanes. */
typedef struct {
  uint32_t first;        /* where its neighbours begin in entry[]: for each bit of |J| how many fours, and these */
  uint16_t start, carry; /* k begins as start ^ (x_i ? carry : 0), top + 1 bits, without neighbours */
  int32_t field;         /* h_i in units */
  uint32_t kind;         /* whether D is odd ... */
} LBP_(lane_site);

/* Many chains. Read n, chains, unit, units, flips, beta, replica, fault; leave the rest to the functions below. */
typedef struct {
  uint32_t n, chains;
  LBP_REPORT_T fault;                  /* the fault found by NAME_lanes_init, and where: `got` should be `want` */
  double unit;                         /* log pi is a whole number of these, up to a constant */
  double beta[LBP_LANES];              /* inverse temperatures: 1 until NAME_lanes_temper */
  int64_t units[LBP_LANES];            /* log pi in units: see NAME_lanes_units */
  int64_t flips[LBP_LANES];            /* sites flipped by sweeps since units have been kept */
  int64_t best_units[LBP_LANES];       /* the largest that NAME_lanes_record has met */
  uint32_t replica[LBP_LANES];         /* which of the chains' states, by number at first, has come here by swaps */
  int keeps;                           /* whether units[] is of the state, and sweeps are to keep it so */
  int mirrored;                        /* whether words of 1 - x are kept, too: of sites n + 1 ... */
  int coins_ready, levels_ready;       /* whether the thresholds are those of beta[] */
  uint32_t planes, bits;               /* of k without its sign, maybe rounded up; of |J| */
  uint32_t tall;                       /* planes of sums over all sites */
  uint64_t active[LBP_LANES / 64], hot[LBP_LANES / 64]; /* lanes that are chains; those at beta = 0 */
  LBP_(plane) *x, *best;               /* by site; x[n] is 0 */
  LBP_(plane) *odd, *even;             /* thresholds of the lowest digit: lane_bits x 4 and x 3 */
  LBP_(plane) *high;                   /* of the others: of each lane_bits x 3 */
  LBP_(plane) *level[2];               /* of heat bath, D even and odd: lane_bits x 2^planes; NULL if planes > 3 */
  LBP_(lane_site) *site;
  uint64_t *spread;                    /* the planes + 1 bits of each number that has so many, each of them 64 times */
  uint32_t *entry;
} LBP_NAME_(lanes);

/* ---- couplings and fields in units ------------------------------------------------------------------------------- */

/* A model in integers, before there is memory for it. */
typedef struct {
  uint32_t common; /* divisor of all couplings and fields, in LBP_UNIT / 4 */
  uint32_t bits, planes;
  int mirrored;
  uint64_t entries;
} LBP_(lane_plan);

LBP_FN int LBP_(judge_list)(const LBP_CHAIN_T *c, uint32_t i, const uint32_t *list, uint32_t count,
                            LBP_REPORT_T *report);

/* v in LBP_UNIT / 4. */
LBP_FN int LBP_(lane_whole)(const LBP_MODEL_T *m, LBP_REAL v, uint32_t i, uint32_t j, int32_t *whole,
                            LBP_REPORT_T *report) {
  const LBP_REAL unit = LBP_NAME_(unit_of)(m), half = (LBP_REAL)0.5, count = 4 * v / unit;
  if (!LBP_(is_whole)(4 * v, unit)) return LBP_(find)(report, LBP_E_UNIT, i, j, v, unit);
  *whole = (int32_t)(count < 0 ? count - half : count + half);
  return LBP_OK;
}

/* The neighbours of site i that matter, couplings and field in LBP_UNIT / 4. */
LBP_FN int LBP_(lane_pairs)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, uint32_t *site, int32_t *J,
                            uint32_t *count, int32_t *h, LBP_REPORT_T *report) {
  LBP_REAL real[LBP_MAX_NEIGHBOURS + LBP_BLOCK];
  uint32_t k, all = LBP_NAME_(pairs_of)(c, m, i, site, real);
  int status = LBP_(judge_list)(c, i, site, all, report);
  if (status == LBP_OK) status = LBP_(lane_whole)(m, LBP_NAME_(field_of)(c, m, i), i, i, h, report);
  *count = 0;
  for (k = 0; k < all && status == LBP_OK; k++) {
    if (site[k] == i) return LBP_(find)(report, LBP_E_PAIRS, i, i, real[k], 0);
    status = LBP_(lane_whole)(m, real[k], i, site[k], &J[*count], report);
    site[*count] = site[k];
    *count += J[*count] != 0;
  }
  return status;
}

LBP_FN uint32_t LBP_(lane_size)(int32_t v) { return v < 0 ? 0u - (uint32_t)v : (uint32_t)v; }

LBP_FN uint32_t LBP_(lane_divisor)(uint32_t a, uint32_t b) {
  while (b > 0) {
    const uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* How many fours of neighbours have bit b in |J|. */
LBP_FN uint32_t LBP_(lane_fours)(const int32_t *J, uint32_t count, uint32_t common, uint32_t b) {
  uint32_t k, ones = 0;
  for (k = 0; k < count; k++) ones += LBP_(lane_size)(J[k]) / common >> b & 1;
  return (ones + 3) / 4;
}

LBP_FN int LBP_(lane_planned)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_(lane_plan) *plan, LBP_REPORT_T *report) {
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], count, i, k, b, most = 0, reach = 0;
  int32_t J[LBP_MAX_NEIGHBOURS + LBP_BLOCK], h;
  int status;
  memset(plan, 0, sizeof *plan);
  LBP_(find)(report, LBP_OK, 0, 0, 0, 0);
  if (!LBP_NAME_(is_pairwise)(c, m)) return LBP_(find)(report, LBP_E_NOT_PAIRWISE, 0, 0, 0, 0);
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    status = LBP_(lane_pairs)(c, m, i, site, J, &count, &h, report);
    if (status != LBP_OK) return status;
    plan->common = LBP_(lane_divisor)(plan->common, LBP_(lane_size)(h));
    for (k = 0; k < count; k++) plan->common = LBP_(lane_divisor)(plan->common, LBP_(lane_size)(J[k]));
  }
  plan->common += plan->common == 0;
  for (i = 0; i < LBP_P_COUNT(c); i++) { /* as in the first loop */
    uint64_t sum;
    LBP_(lane_pairs)(c, m, i, site, J, &count, &h, report);
    sum = LBP_(lane_size)(h) / plan->common;
    for (k = 0; k < count; k++) {
      const uint32_t size = LBP_(lane_size)(J[k]) / plan->common;
      sum += size;
      if (size > most) most = size;
      plan->mirrored |= J[k] < 0;
    }
    if (sum > LBP_(lane_most)) {
      return LBP_(find)(report, LBP_E_PLANES, i, i, (LBP_REAL)sum, (LBP_REAL)LBP_(lane_most));
    }
    if (sum > reach) reach = (uint32_t)sum;
  }
  plan->bits = lbp_bit_length(most);
  /* 2^planes > D / 2 */
  plan->planes = LBP_P_WIDTHS(reach < 8 ? 2 :) reach < 16 ? 3 : LBP_P_WIDTHS(reach < 64 ? 5 :) 8;
  for (i = 0; i < LBP_P_COUNT(c); i++) {
    LBP_(lane_pairs)(c, m, i, site, J, &count, &h, report);
    for (b = 0; b < plan->bits; b++) plan->entries += 1 + 4 * LBP_(lane_fours)(J, count, plan->common, b);
  }
  if (plan->entries >= UINT32_MAX) return LBP_(find)(report, LBP_E_SIZE, 0, 0, 0, 0);
  return LBP_OK;
}

/* Words of memory: planes first, which are aligned, then 64-bit words, sites of two, and entries of half a word. */
LBP_FN size_t LBP_(lanes_memory)(const LBP_(lane_plan) *plan, uint32_t n) {
  const size_t bits = LBP_(lane_bits), states = (size_t)n * (plan->mirrored ? 3 : 2) + 2;
  const size_t levels = plan->planes > 3 ? 0 : 2 * bits << plan->planes;
  const size_t planes = states + bits * (4 + 3 * LBP_(lane_digits)) + levels;
  const size_t spread = ((size_t)plan->planes + 1) << (plan->planes + 1);
  size_t words = lbp_size_times(planes, LBP_(lane_words));
  words = lbp_size_plus(words, LBP_(lane_aligned) / sizeof(uint64_t) - 1 + spread);
  words = lbp_size_plus(words, lbp_size_times(n, sizeof(LBP_(lane_site)) / sizeof(uint64_t)));
  return lbp_size_plus(words, (size_t)(plan->entries + 1) / 2);
}

/* Returns the memory that NAME_lanes_init needs, in uint64_t's, for the model of *c: about LBP_LANES / 32 words a site
 * (1.5 times that if couplings have both signs), and half a word for each neighbour. Calls the model for all couplings.
 * 0: they are invalid, and NAME_lanes_init returns the reason; SIZE_MAX: more than any memory. */
LBP_FN size_t LBP_NAME_(lanes_len)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  LBP_(lane_plan) plan;
  LBP_REPORT_T report;
  if (!c || LBP_(lane_planned)(c, m, &plan, &report) != LBP_OK) return 0;
  return LBP_(lanes_memory)(&plan, LBP_P_COUNT(c));
}

/* Site i and its entries from *used on. */
LBP_FN void LBP_(lane_build)(LBP_NAME_(lanes) *lanes, const LBP_CHAIN_T *c, const LBP_MODEL_T *m,
                             const LBP_(lane_plan) *plan, uint32_t i, uint32_t *used) {
  uint32_t site[LBP_MAX_NEIGHBOURS + LBP_BLOCK], count, k, b, reach;
  int32_t J[LBP_MAX_NEIGHBOURS + LBP_BLOCK], h = 0, begin;
  const uint32_t all = (2u << plan->planes) - 1;
  LBP_(lane_site) *const it = &lanes->site[i];
  LBP_REPORT_T report;
  LBP_(lane_pairs)(c, m, i, site, J, &count, &h, &report);
  it->field = h / (int32_t)plan->common;
  it->first = *used;
  reach = LBP_(lane_size)(it->field);
  for (k = 0; k < count; k++) reach += LBP_(lane_size)(J[k]) / plan->common;
  it->kind = reach % 2 ? LBP_(lane_is_odd) : 0;
  if (reach == 0) it->kind = LBP_(lane_is_alone);
  LBP_P_CLAMP(if (LBP_(is_clamped)(c, i)) it->kind |= LBP_(lane_is_clamped);)
  begin = (it->field > 0 ? it->field : 0) - (int32_t)((reach + 1) / 2) - (reach % 2 == 0);
  it->start = (uint16_t)((uint32_t)begin & all);
  it->carry = (uint16_t)(reach % 2 ? 0 : ((uint32_t)begin ^ (uint32_t)(begin + 1)) & all);
  for (b = 0; b < plan->bits; b++) {
    const uint32_t fours = LBP_(lane_fours)(J, count, plan->common, b);
    uint32_t *const entry = lanes->entry + *used + 1, filled = 0;
    lanes->entry[*used] = fours;
    for (k = 0; k < count; k++) {
      if ((LBP_(lane_size)(J[k]) / plan->common >> b & 1) == 0) continue;
      entry[filled++] = site[k] + (J[k] < 0 ? lanes->n + 1 : 0); /* satisfied where x_j is 1, or 1 - x_j is */
    }
    while (filled < 4 * fours) entry[filled++] = lanes->n;
    *used += 1 + 4 * fours;
  }
}

LBP_FN void LBP_(lanes_lay_out)(LBP_NAME_(lanes) *lanes, const LBP_(lane_plan) *plan, uint64_t *ws) {
  const size_t bits = LBP_(lane_bits), n = lanes->n;
  const size_t off = (size_t)((uintptr_t)ws % LBP_(lane_aligned));
  LBP_(plane) *next;
  ws += off ? (LBP_(lane_aligned) - off) / sizeof *ws : 0;
  next = (LBP_(plane) *)(void *)ws;
  lanes->x = next, next += (n + 1) * (plan->mirrored ? 2 : 1);
  lanes->best = next, next += n + !plan->mirrored;
  lanes->odd = next, next += 4 * bits;
  lanes->even = next, next += 3 * bits;
  lanes->high = next, next += 3 * bits * (LBP_(lane_digits) - 1);
  lanes->level[0] = lanes->level[1] = NULL;
  if (plan->planes <= 3) {
    lanes->level[0] = next, next += bits << plan->planes;
    lanes->level[1] = next, next += bits << plan->planes;
  }
  lanes->spread = (uint64_t *)(void *)next;
  lanes->site = (LBP_(lane_site) *)(void *)(lanes->spread + ((size_t)(plan->planes + 1) << (plan->planes + 1)));
  lanes->entry = (uint32_t *)(void *)(lanes->site + n);
}

/* Bit `chain` of site i's word. */
LBP_INLINE void LBP_(lane_set)(LBP_NAME_(lanes) *lanes, uint32_t chain, size_t i, int v) {
  uint64_t *const word = (uint64_t *)(void *)lanes->x + i * LBP_(lane_words) + chain / 64;
  const uint64_t bit = (uint64_t)1 << chain % 64;
  *word = v ? *word | bit : *word & ~bit;
}

/* Writes n zeros and ones as the state of a chain, below `chains`. */
LBP_FN void LBP_NAME_(lanes_put)(LBP_NAME_(lanes) *lanes, uint32_t chain, const uint8_t *x) {
  uint32_t i;
  for (i = 0; i < lanes->n; i++) {
    LBP_(lane_set)(lanes, chain, i, x[i] != 0);
    if (lanes->mirrored) LBP_(lane_set)(lanes, chain, (size_t)lanes->n + 1 + i, x[i] == 0);
  }
  lanes->keeps = 0;
}

LBP_FN void LBP_(lane_read)(const LBP_(plane) *from, uint32_t n, uint32_t chain, uint8_t *x) {
  const uint64_t *const word = (const uint64_t *)(const void *)from + chain / 64;
  const uint32_t bit = chain % 64;
  uint32_t i;
  for (i = 0; i < n; i++) x[i] = (uint8_t)(word[(size_t)i * LBP_(lane_words)] >> bit & 1);
}

/* The state of a chain, n bytes. */
LBP_FN void LBP_NAME_(lanes_get)(const LBP_NAME_(lanes) *lanes, uint32_t chain, uint8_t *x) {
  LBP_(lane_read)(lanes->x, lanes->n, chain, x);
}

/* Makes `chains` chains, 1 to LBP_LANES, all in the state of *c and at inverse temperature 1. The couplings of the
 * model are read and kept: after they have changed call this again. Few chains cost as much as many. A random start is
 * a sweep at beta = 0. The workspace is the caller's; neither *c nor the model is needed later.
 *
 * Returns LBP_OK, or with lanes->fault LBP_E_NULL, LBP_E_RANGE (chains), LBP_E_WORKSPACE, LBP_E_CLAMPED (all sites),
 * LBP_E_NOT_PAIRWISE, LBP_E_NEIGHBOUR_RANGE, LBP_E_PAIRS (a site that is coupled with itself), LBP_E_UNIT (a coupling
 * or field that is not a whole number of LBP_UNIT / 4, or not finite), LBP_E_PLANES (they add up to more than 511),
 * LBP_E_SIZE. */
LBP_FN int LBP_NAME_(lanes_init)(LBP_NAME_(lanes) *lanes, const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t chains,
                                 uint64_t *ws, size_t ws_len) {
  LBP_(lane_plan) plan;
  uint32_t i, p, used = 0, moving = 0;
  if (!lanes) return LBP_E_NULL;
  memset(lanes, 0, sizeof *lanes);
  if (!c || !ws) return LBP_(find)(&lanes->fault, LBP_E_NULL, 0, 0, 0, 0);
  if (chains < 1 || chains > LBP_LANES) {
    return LBP_(find)(&lanes->fault, LBP_E_RANGE, 0, 0, (LBP_REAL)chains, LBP_LANES);
  }
  if (LBP_(lane_planned)(c, m, &plan, &lanes->fault) != LBP_OK) return lanes->fault.status;
  if (ws_len < LBP_(lanes_memory)(&plan, LBP_P_COUNT(c))) {
    return LBP_(find)(&lanes->fault, LBP_E_WORKSPACE, 0, 0, (LBP_REAL)ws_len,
                      (LBP_REAL)LBP_(lanes_memory)(&plan, LBP_P_COUNT(c)));
  }
  lanes->n = LBP_P_COUNT(c);
  lanes->chains = chains;
  lanes->unit = (double)LBP_NAME_(unit_of)(m) * plan.common / 4;
  lanes->mirrored = plan.mirrored;
  lanes->planes = plan.planes;
  lanes->bits = plan.bits;
  lanes->tall = plan.planes + 3 + lbp_bit_length(lanes->n);
  LBP_(lanes_lay_out)(lanes, &plan, ws);
  LBP_(lanes_clear)(lanes->x, 1);
  memset((void *)lanes->x, 0, (size_t)(lanes->best - lanes->x) * sizeof *lanes->x);
  memset((void *)lanes->best, 0, (size_t)(lanes->odd - lanes->best) * sizeof *lanes->x);
  for (i = 0; i < 2u << plan.planes; i++) {
    for (p = 0; p <= plan.planes; p++) lanes->spread[i * (plan.planes + 1) + p] = 0 - (uint64_t)(i >> p & 1);
  }
  for (i = 0; i < lanes->n; i++) {
    LBP_(lane_build)(lanes, c, m, &plan, i, &used);
    moving += (lanes->site[i].kind & LBP_(lane_is_clamped)) == 0;
  }
  for (i = 0; i < chains; i++) {
    lanes->active[i / 64] |= (uint64_t)1 << i % 64;
    lanes->beta[i] = 1;
    lanes->replica[i] = i;
    lanes->best_units[i] = INT64_MIN;
  }
  for (i = 0; i < lanes->n; i++) {
    if (c->x[i]) memcpy((void *)&lanes->x[i], lanes->active, sizeof lanes->active);
    else if (lanes->mirrored) memcpy((void *)&lanes->x[(size_t)lanes->n + 1 + i], lanes->active, sizeof lanes->active);
  }
  return moving ? LBP_OK : LBP_(find)(&lanes->fault, LBP_E_CLAMPED, 0, 0, 0, 0);
}

/* Sets all chains' inverse temperatures, beta[0 .. chains). At 0 a sweep draws all spins from scratch. The next
 * sweep makes the thresholds: this costs little if all are equal, otherwise as much as a sweep of about 1000 sites.
 * Returns LBP_OK, or LBP_E_NULL, LBP_E_NOT_FINITE, LBP_E_RANGE (below 0), and then changes nothing. */
LBP_FN int LBP_NAME_(lanes_temper)(LBP_NAME_(lanes) *lanes, const double *beta) {
  uint32_t l;
  if (!lanes || !beta) return LBP_E_NULL;
  for (l = 0; l < lanes->chains; l++) {
    if (!lbp_is_finite(beta[l])) return LBP_E_NOT_FINITE;
    if (beta[l] < 0) return LBP_E_RANGE;
  }
  memset(lanes->hot, 0, sizeof lanes->hot);
  for (l = 0; l < lanes->chains; l++) {
    if (beta[l] < lanes->beta[l] || beta[l] > lanes->beta[l]) lanes->coins_ready = lanes->levels_ready = 0;
    lanes->beta[l] = beta[l];
    if (!(beta[l] > 0)) lanes->hot[l / 64] |= (uint64_t)1 << l % 64;
  }
  return LBP_OK;
}

/* ---- thresholds -------------------------------------------------------------------------------------------------- */

/* A probability as a number of lane_bits bits; 1 is short of one by the last of them. */
LBP_FN uint64_t LBP_(lane_bar)(double p) {
  const double all = 281474976710656.0; /* 2^48 */
  const double v = p * all;
  return v < all - 1 ? (uint64_t)v : (uint64_t)(all - 1);
}

/* e^-v, v >= 0. */
LBP_FN double LBP_(lane_exp)(double v) { return v < 40 ? lbp_exp(-v) : 0; }

/* The threshold of a value, 0 to 3, of a digit of k, counted from the lowest; D odd: with the coin of the 1 in 2 k +
 * 1. */
LBP_FN uint64_t LBP_(lane_coin)(double unit_beta, uint32_t value, uint32_t digit, int odd) {
  return LBP_(lane_bar)(LBP_(lane_exp)(unit_beta * (4.0 * (double)(value << 2 * digit) + (odd ? 2.0 : 0.0))));
}

/* The threshold of heat bath where |u| is 2 k, or 2 k + 1: how often the less probable value is taken. */
LBP_FN uint64_t LBP_(lane_level)(double unit_beta, uint32_t k, int odd) {
  const double down = LBP_(lane_exp)(unit_beta * (4.0 * k + (odd ? 2.0 : 0.0)));
  return LBP_(lane_bar)(down / (1 + down));
}

/* Whether lanes [from, to) are at one temperature. */
LBP_FN int LBP_(lanes_agree)(const LBP_NAME_(lanes) *lanes, uint32_t from, uint32_t to) {
  const double *const beta = lanes->beta;
  uint32_t l = from + 1;
  while (l < to && !(beta[l] < beta[from] || beta[l] > beta[from])) l++;
  return l >= to;
}

/* The thresholds of a digit's values, `heat` or not, as sums modulo 2 over the subsets of bits of v. */
LBP_FN void LBP_(lane_bars)(double unit_beta, uint32_t values, uint32_t rows, uint32_t digit, int odd, int heat,
                            uint64_t *bar) {
  uint32_t v, b;
  bar[0] = 0;
  for (v = values - rows; v < values; v++) {
    bar[v] = heat ? LBP_(lane_level)(unit_beta, v, odd) : LBP_(lane_coin)(unit_beta, v, digit, odd);
  }
  for (b = 1; b < values; b <<= 1) {
    for (v = 0; v < values; v++) bar[v] ^= v & b ? bar[v ^ b] : 0;
  }
}

/* Thresholds as planes: the plane that a lane is compared with takes one AND and one XOR a subset of bits of its value.
 * Row 0 is the same for all values; it is left out where `rows` is one less than the number of values, and the
 * threshold of 0 then is 0. Where all lanes of a word are at one temperature, as annealing has them at each sweep, each
 * of its planes is all ones or zeros. */
LBP_FN void LBP_(lanes_table)(const LBP_NAME_(lanes) *lanes, LBP_(plane) *table, uint32_t values, uint32_t rows,
                              uint32_t digit, int odd, int heat) {
  uint64_t row[LBP_(lane_levels)][64], bar[LBP_(lane_levels)];
  uint32_t w, l, v, b;
  for (w = 0; w < LBP_(lane_words) && 64 * w < lanes->chains; w++) {
    const uint32_t first = 64 * w, left = lanes->chains - first, count = left < 64 ? left : 64;
    const int same = LBP_(lanes_agree)(lanes, first, first + count);
    if (!same) memset(row, 0, sizeof row);
    for (l = 0; l < (same ? 1 : count); l++) {
      if (l == 0 || !LBP_(lanes_agree)(lanes, first + l - 1, first + l + 1)) {
        LBP_(lane_bars)(lanes->beta[first + l] * lanes->unit, values, rows, digit, odd, heat, bar);
      }
      for (v = 0; v < values; v++) row[v][l] = bar[v];
    }
    for (v = values - rows; v < values; v++) {
      if (!same) LBP_(lanes_transpose)(row[v]);
      for (b = 0; b < LBP_(lane_bits); b++) {
        const uint32_t bit = LBP_(lane_bits) - 1 - b;
        uint64_t *const word = (uint64_t *)(void *)&table[b * rows + v - (values - rows)];
        word[w] = same ? 0 - (bar[v] >> bit & 1) : row[v][bit];
      }
    }
  }
}

LBP_FN void LBP_(lanes_coins)(LBP_NAME_(lanes) *lanes) {
  uint32_t digit;
  if (lanes->coins_ready) return;
  LBP_(lanes_table)(lanes, lanes->odd, 4, 4, 0, 1, 0);
  LBP_(lanes_table)(lanes, lanes->even, 4, 3, 0, 0, 0);
  for (digit = 1; 2 * digit < lanes->planes; digit++) {
    LBP_(lanes_table)(lanes, lanes->high + (size_t)(digit - 1) * 3 * LBP_(lane_bits), 4, 3, digit, 0, 0);
  }
  lanes->coins_ready = 1;
}

LBP_FN void LBP_(lanes_levels)(LBP_NAME_(lanes) *lanes) {
  const uint32_t values = 1u << lanes->planes;
  if (lanes->levels_ready) return;
  LBP_(lanes_table)(lanes, lanes->level[0], values, values, 0, 0, 1);
  LBP_(lanes_table)(lanes, lanes->level[1], values, values, 0, 1, 1);
  lanes->levels_ready = 1;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* Adds planes x[entry[0 .. 4)] to those of k from plane b on: carries go to the top, as lanes carry at different
 * times. */
LBP_INLINE void LBP_(add_four)(LBP_(plane) *k, const LBP_(plane) *x, const uint32_t *entry, const int b,
                               const int top) {
  LBP_(plane) one = x[entry[0]], two = x[entry[2]];
  LBP_(full_adder)(&k[b], &one, &x[entry[1]]);
  LBP_(full_adder)(&k[b], &two, &x[entry[3]]);
  if (b + 1 <= top) LBP_(full_adder)(&k[b < 8 ? b + 1 : 8], &one, &two);
#define LBP_P_STEP(p) LBP_(half_adder)(&k[p], &one);
  LBP_P_UPWARDS(b + 2, top, LBP_P_STEP)
#undef LBP_P_STEP
}

/* k of site i, top + 1 planes. */
LBP_INLINE void LBP_(count_satisfied)(const LBP_NAME_(lanes) *lanes, const LBP_(lane_site) *site, uint32_t i,
                                      LBP_(plane) *k, const int top) {
  const LBP_(plane) *const x = lanes->x, own = x[i], other = LBP_P_NOT(own);
  const uint64_t *const start = lanes->spread + (size_t)site->start * (size_t)(top + 1);
  const uint64_t *const carry = lanes->spread + (size_t)site->carry * (size_t)(top + 1);
  const uint32_t *entry = lanes->entry + site->first, bits = lanes->bits;
  uint32_t fours;
#define LBP_P_STEP(p) k[p] = LBP_P_MASKED(own, start[p], carry[p]);
  LBP_P_UPWARDS(0, top, LBP_P_STEP)
#undef LBP_P_STEP
#define LBP_P_STEP(b) \
  if ((b) < bits) { for (fours = *entry++; fours > 0; fours--, entry += 4) LBP_(add_four)(k, x, entry, b, top); }
  LBP_P_UPWARDS(0, top, LBP_P_STEP)
#undef LBP_P_STEP
#define LBP_P_STEP(p) k[p] = LBP_P_XOR(k[p], other);
  LBP_P_UPWARDS(0, top, LBP_P_STEP)
#undef LBP_P_STEP
}

/* Sums over sites of planes of numbers, of each lane: a few sites in few planes, which are added to many now and
 * then. */
typedef struct {
  LBP_(plane) few[LBP_(lane_small)], tall[LBP_(lane_tall)];
  LBP_(plane) flips[LBP_(lane_flips)], tall_flips[LBP_(lane_tall)]; /* the same of how many sites flip, if any do */
  uint32_t planes, terms; /* of `few`; how many numbers it has the sum of */
} LBP_(lane_sums);

/* top: numbers are -2^(top + 1) to 2^(top + 1) - 1. */
LBP_FN void LBP_(sums_begin)(LBP_(lane_sums) *sums, uint32_t top) {
  LBP_(lanes_clear)(sums->few, LBP_(lane_small));
  LBP_(lanes_clear)(sums->tall, LBP_(lane_tall));
  LBP_(lanes_clear)(sums->flips, LBP_(lane_flips));
  LBP_(lanes_clear)(sums->tall_flips, LBP_(lane_tall));
  sums->planes = top + 7;
  sums->terms = 0;
}

LBP_APART void LBP_(sums_fold)(LBP_(lane_sums) *sums, uint32_t tall) {
  LBP_(plane) carry;
  uint32_t p;
  LBP_(lanes_clear)(&carry, 1);
  for (p = 0; p < tall; p++) {
    LBP_(full_adder)(&sums->tall[p], &carry, &sums->few[p < sums->planes ? p : sums->planes - 1]); /* its sign */
  }
  LBP_(lanes_clear)(&carry, 1);
  for (p = 0; p < tall; p++) {
    if (p < LBP_(lane_flips)) LBP_(full_adder)(&sums->tall_flips[p], &carry, &sums->flips[p]);
    else LBP_(half_adder)(&sums->tall_flips[p], &carry);
  }
  LBP_(lanes_clear)(sums->few, LBP_(lane_small));
  LBP_(lanes_clear)(sums->flips, LBP_(lane_flips));
  sums->terms = 0;
}

/* Counts sites that flip: before LBP_(sums_add) of theirs. */
LBP_INLINE void LBP_(sums_flip)(LBP_(lane_sums) *sums, const LBP_(plane) *flips) {
  LBP_(plane) carry = *flips;
#define LBP_P_STEP(p) LBP_(half_adder)(&sums->flips[(p) < 6 ? (p) : 0], &carry);
  LBP_P_UPWARDS(0, 5, LBP_P_STEP)
#undef LBP_P_STEP
}

/* Adds the number that has `low` as its lowest plane, 0 if NULL, and v[0 .. top] above it, where `mask` is 1. */
LBP_INLINE void LBP_(sums_add)(LBP_(lane_sums) *sums, const LBP_(plane) *low, const LBP_(plane) *v,
                               const LBP_(plane) *mask, uint32_t tall, const int top) {
  LBP_(plane) carry, in;
  LBP_(lanes_clear)(&carry, 1);
  if (low) {
    carry = LBP_P_AND(*low, *mask);
    LBP_(half_adder)(&sums->few[0], &carry);
  }
#define LBP_P_STEP(p) in = LBP_P_AND(v[p], *mask), LBP_(full_adder)(&sums->few[(p) + 1], &carry, &in);
  LBP_P_UPWARDS(0, top, LBP_P_STEP)
#undef LBP_P_STEP
  in = LBP_P_AND(v[top], *mask); /* the sign, up to the top */
#define LBP_P_STEP(p) LBP_(full_adder)(&sums->few[top + 2 + (p)], &carry, &in);
  LBP_P_UPWARDS(0, 4, LBP_P_STEP)
#undef LBP_P_STEP
  if (++sums->terms == 32) LBP_(sums_fold)(sums, tall);
}

/* The flips of a site that has no energy. */
LBP_INLINE void LBP_(sums_alone)(LBP_(lane_sums) *sums, const LBP_(plane) *flips, uint32_t tall) {
  LBP_(sums_flip)(sums, flips);
  if (++sums->terms == 32) LBP_(sums_fold)(sums, tall);
}

/* Adds `factor` times the number that each lane has in tall[] to out[]. */
LBP_FN void LBP_(tall_read)(const LBP_(plane) *planes, uint32_t tall, int64_t factor, int64_t *out) {
  uint64_t row[64];
  uint32_t w, l;
  for (w = 0; w < LBP_(lane_words); w++) {
    for (l = 0; l < 64; l++) row[l] = ((const uint64_t *)(const void *)&planes[l < tall ? l : tall - 1])[w];
    LBP_(lanes_transpose)(row);
    for (l = 0; l < 64; l++) out[64 * w + l] += factor * (int64_t)row[l];
  }
}

/* The same of sums. */
LBP_FN void LBP_(sums_read)(LBP_(lane_sums) *sums, uint32_t tall, int64_t factor, int64_t *out) {
  LBP_(sums_fold)(sums, tall);
  LBP_(tall_read)(sums->tall, tall, factor, out);
}

/* At the end of a sweep. */
LBP_FN void LBP_(sums_end)(LBP_(lane_sums) *sums, LBP_NAME_(lanes) *lanes) {
  LBP_(sums_read)(sums, lanes->tall, -2, lanes->units);
  LBP_(tall_read)(sums->tall_flips, lanes->tall, 1, lanes->flips);
}

/* ---- coins ------------------------------------------------------------------------------------------------------- */

/* The next plane of random bits: the next word of each of the stream's generators 0 ... lane_words - 1. */
LBP_INLINE void LBP_(next_plane)(LBP_(plane) *g, LBP_(plane) *out) {
  const LBP_(plane) sum = LBP_P_PLUS(g[0], g[3]), shifted = LBP_P_LEFT(g[1], 17);
  *out = LBP_P_PLUS(LBP_P_OR(LBP_P_LEFT(sum, 23), LBP_P_RIGHT(sum, 41)), g[0]);
  g[2] = LBP_P_XOR(g[2], g[0]);
  g[3] = LBP_P_XOR(g[3], g[1]);
  g[1] = LBP_P_XOR(g[1], g[2]);
  g[0] = LBP_P_XOR(g[0], g[3]);
  g[2] = LBP_P_XOR(g[2], shifted);
  g[3] = LBP_P_OR(LBP_P_LEFT(g[3], 45), LBP_P_RIGHT(g[3], 19));
}

LBP_INLINE void LBP_(generators)(const LBP_RNG_T *rng, LBP_(plane) *g) {
  int k;
  for (k = 0; k < 4; k++) memcpy((void *)&g[k], rng->state[k], sizeof g[k]);
}

LBP_INLINE void LBP_(keep_generators)(LBP_RNG_T *rng, const LBP_(plane) *g) {
  int k;
  for (k = 0; k < 4; k++) memcpy(rng->state[k], (const void *)&g[k], sizeof g[k]);
}

/* Tosses a coin for each lane of *open: those whose random number is below their threshold are left in it. A lane's
 * threshold is the one of its digit: bits k0, k1, k2, of which `bits` are there; rows of a bit more than that have no
 * meaning. whole: whether row 0 is there. */
LBP_INLINE void LBP_(toss)(LBP_(plane) *g, const LBP_(plane) *row, const LBP_(plane) *k, LBP_(plane) *open,
                           const int bits, const int whole, const uint32_t rows) {
  /* so many planes before the first look at who is undecided: enough for nearly all, as a branch that is often
   * mispredicted costs as much as three planes */
  const uint32_t first = LBP_LANES == 64 ? 8 : LBP_LANES == 128 ? 9 : 10;
  LBP_(plane) undecided = *open, yes, both, r, bar, differs;
  uint32_t b;
  LBP_(lanes_clear)(&yes, 1);
  both = LBP_P_AND(k[0], k[bits > 1]);
  for (b = 0; b < LBP_(lane_bits); b++, row += rows) {
    LBP_(next_plane)(g, &r);
    bar = LBP_P_AND(k[0], row[whole]);
    if (whole) bar = LBP_P_XOR(bar, row[0]);
    if (bits > 1) bar = LBP_P_XOR(bar, LBP_P_AND(k[bits > 1], row[whole + 1]));
    if (bits > 1) bar = LBP_P_XOR(bar, LBP_P_AND(both, row[whole + 2]));
    if (bits > 2) {
      const LBP_(plane) upper = LBP_P_XOR(
        LBP_P_XOR(row[bits > 2 ? 4 : 0], LBP_P_AND(k[0], row[bits > 2 ? 5 : 0])),
        LBP_P_XOR(LBP_P_AND(k[bits > 1], row[bits > 2 ? 6 : 0]), LBP_P_AND(both, row[bits > 2 ? 7 : 0])));
      bar = LBP_P_XOR(bar, LBP_P_AND(k[bits > 2 ? 2 : 0], upper));
    }
    differs = LBP_P_XOR(r, bar);
    yes = LBP_P_OR(yes, LBP_P_AND(undecided, LBP_P_AND(differs, bar)));
    undecided = LBP_P_AND(undecided, LBP_P_NOT(differs));
    if (b + 1 >= first && !LBP_(lanes_any)(&undecided)) break;
  }
  *open = yes;
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

LBP_INLINE void LBP_(flip_lanes)(LBP_NAME_(lanes) *lanes, uint32_t i, const LBP_(plane) *flips) {
  lanes->x[i] = LBP_P_XOR(lanes->x[i], *flips);
  if (lanes->mirrored) {
    LBP_(plane) *const mirror = &lanes->x[(size_t)lanes->n + 1 + i];
    *mirror = LBP_P_XOR(*mirror, *flips);
  }
}

/* A digit of k, k[0] and k[1], of the lanes that are to flip and have k >= 0: those that lose their coin stay. */
LBP_INLINE void LBP_(toss_digit)(LBP_(plane) *g, const LBP_(plane) *row, const LBP_(plane) *k, LBP_(plane) *flips,
                                 const LBP_(plane) *certain, const int bits, const int odd) {
  LBP_(plane) asked = LBP_P_AND(*flips, LBP_P_NOT(*certain)), open;
  if (!odd) asked = LBP_P_AND(asked, LBP_P_OR(k[0], k[bits > 1]));
  if (!LBP_(lanes_any)(&asked)) return;
  open = asked;
  LBP_(toss)(g, row, k, &open, bits, odd, odd ? 4 : 3);
  *flips = LBP_P_XOR(*flips, LBP_P_XOR(asked, open));
}

LBP_INLINE void LBP_(metropolis_lanes)(LBP_NAME_(lanes) *lanes, LBP_RNG_T *rng, LBP_(lane_sums) *sums, const int top) {
  LBP_(plane) g[4], active, hot, cold, k[LBP_(lane_planes)], flips, random;
  int is_hot;
  uint32_t i;
  const size_t digit = 3 * (size_t)LBP_(lane_bits);
  memcpy((void *)&active, lanes->active, sizeof active);
  memcpy((void *)&hot, lanes->hot, sizeof hot);
  is_hot = LBP_(lanes_any)(&hot);
  cold = LBP_P_AND(active, LBP_P_NOT(hot));
  LBP_(generators)(rng, g);
  for (i = 0; i < lanes->n; i++) {
    const LBP_(lane_site) *const site = &lanes->site[i];
    const int odd = (site->kind & LBP_(lane_is_odd)) != 0;
    if (site->kind & LBP_(lane_is_clamped)) continue;
    if (site->kind & LBP_(lane_is_alone)) {
      LBP_(next_plane)(g, &flips);
      flips = LBP_P_AND(flips, active);
      LBP_(flip_lanes)(lanes, i, &flips);
      if (sums) LBP_(sums_alone)(sums, &flips, lanes->tall);
      continue;
    }
    LBP_(count_satisfied)(lanes, site, i, k, top);
    flips = cold;
    if (odd) LBP_(toss_digit)(g, lanes->odd, k, &flips, &k[top], 2, 1);
    else LBP_(toss_digit)(g, lanes->even, k, &flips, &k[top], 2, 0);
    if (top > 2) LBP_(toss_digit)(g, lanes->high, k + 2, &flips, &k[top], top > 3 ? 2 : 1, 0);
    if (top > 4) LBP_(toss_digit)(g, lanes->high + digit, k + (top > 4 ? 4 : 0), &flips, &k[top], top > 5 ? 2 : 1, 0);
    if (top > 6) LBP_(toss_digit)(g, lanes->high + 2 * digit, k + (top > 6 ? 6 : 0), &flips, &k[top], 2, 0);
    if (is_hot) {
      LBP_(next_plane)(g, &random);
      flips = LBP_P_OR(flips, LBP_P_AND(random, hot));
    }
    LBP_(flip_lanes)(lanes, i, &flips);
    if (sums) LBP_(sums_flip)(sums, &flips);
    if (sums) LBP_(sums_add)(sums, odd ? &flips : NULL, k, &flips, lanes->tall, top);
  }
  LBP_(keep_generators)(rng, g);
}

LBP_INLINE void LBP_(gibbs_lanes)(LBP_NAME_(lanes) *lanes, LBP_RNG_T *rng, LBP_(lane_sums) *sums, const int top) {
  LBP_(plane) g[4], active, k[LBP_(lane_planes)], size[3], carry, flips;
  uint32_t i;
  memcpy((void *)&active, lanes->active, sizeof active);
  LBP_(generators)(rng, g);
  for (i = 0; i < lanes->n; i++) {
    const LBP_(lane_site) *const site = &lanes->site[i];
    const int odd = (site->kind & LBP_(lane_is_odd)) != 0;
    if (site->kind & LBP_(lane_is_clamped)) continue;
    if (site->kind & LBP_(lane_is_alone)) {
      LBP_(next_plane)(g, &flips);
      flips = LBP_P_AND(flips, active);
      LBP_(flip_lanes)(lanes, i, &flips);
      if (sums) LBP_(sums_alone)(sums, &flips, lanes->tall);
      continue;
    }
    LBP_(count_satisfied)(lanes, site, i, k, top);
    carry = k[top]; /* |k|, or, where D is odd, -k - 1 where k < 0 */
#define LBP_P_STEP(p)                                              \
  {                                                                \
    size[(p) < 3 ? (p) : 0] = LBP_P_XOR(k[p], k[top]);               \
    if (!odd) LBP_(half_adder)(&size[(p) < 3 ? (p) : 0], &carry);  \
  }
    LBP_P_UPWARDS(0, top - 1, LBP_P_STEP)
#undef LBP_P_STEP
    flips = active;
    LBP_(toss)(g, lanes->level[odd], size, &flips, top, 1, 1u << top);
    flips = LBP_P_XOR(flips, LBP_P_AND(k[top], active)); /* the more probable value is the other one */
    LBP_(flip_lanes)(lanes, i, &flips);
    if (sums) LBP_(sums_flip)(sums, &flips);
    if (sums) LBP_(sums_add)(sums, odd ? &flips : NULL, k, &flips, lanes->tall, top);
  }
  LBP_(keep_generators)(rng, g);
}

/* One systematic Metropolis sweep of all chains: every site once, in order, flips with probability min(1, e^d), d its
 * log-ratio at the chain's temperature. A chain at beta = 0, and a site without couplings and field, gets random values
 * instead: where all flips are certain, nothing would be random. The planes are of generators 0 to LBP_LANES / 64 - 1
 * of the stream, which are ahead of the others then; words that lbp_rng_u64 has ready stay. Where units are kept
 * (NAME_lanes_units) they are brought up to date, for about 15 % of a sweep. */
LBP_FN void LBP_NAME_(lanes_metropolis_sweep)(LBP_NAME_(lanes) *lanes, LBP_RNG_T *rng) {
  LBP_(lane_sums) memory, *const sums = lanes->keeps ? &memory : NULL;
  LBP_(lanes_coins)(lanes);
  if (sums) LBP_(sums_begin)(sums, lanes->planes);
  if (lanes->planes == 3) LBP_(metropolis_lanes)(lanes, rng, sums, 3);
  LBP_P_WIDTHS(else if (lanes->planes == 2) LBP_(metropolis_lanes)(lanes, rng, sums, 2);)
  LBP_P_WIDTHS(else if (lanes->planes == 5) LBP_(metropolis_lanes)(lanes, rng, sums, 5);)
  else LBP_(metropolis_lanes)(lanes, rng, sums, 8);
  if (sums) LBP_(sums_end)(sums, lanes);
}

/* The same by heat bath: each site's value is drawn given the others. LBP_E_PLANES, with nothing done: couplings and
 * field of some site add up to more than 15, so that there are too many conditionals; Metropolis sweeps serve. */
LBP_FN int LBP_NAME_(lanes_gibbs_sweep)(LBP_NAME_(lanes) *lanes, LBP_RNG_T *rng) {
  LBP_(lane_sums) memory, *const sums = lanes->keeps ? &memory : NULL;
  if (lanes->planes > 3) return LBP_E_PLANES;
  LBP_(lanes_levels)(lanes);
  if (sums) LBP_(sums_begin)(sums, lanes->planes);
  if (lanes->planes == 3) LBP_(gibbs_lanes)(lanes, rng, sums, 3);
  LBP_P_WIDTHS(else LBP_(gibbs_lanes)(lanes, rng, sums, 2);)
  if (sums) LBP_(sums_end)(sums, lanes);
  return LBP_OK;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* Twice the units: u of each site, in which couplings are twice and fields once, and the fields again. */
LBP_INLINE void LBP_(add_up_lanes)(const LBP_NAME_(lanes) *lanes, LBP_(lane_sums) *sums, const int top) {
  LBP_(plane) k[LBP_(lane_planes)], all;
  uint32_t i;
  memset((void *)&all, 255, sizeof all);
  for (i = 0; i < lanes->n; i++) {
    const LBP_(lane_site) *const site = &lanes->site[i];
    const int odd = (site->kind & LBP_(lane_is_odd)) != 0;
    if (site->kind & LBP_(lane_is_alone)) continue;
    LBP_(count_satisfied)(lanes, site, i, k, top);
    LBP_(sums_add)(sums, odd ? &all : NULL, k, &all, lanes->tall, top);
    if (site->field) { /* h or -h: where x_i is 1, the bits of h, else those of -h */
      const LBP_(plane) own = lanes->x[i];
      const uint32_t plus = (uint32_t)site->field, minus = 0u - plus;
#define LBP_P_BIT(p) LBP_P_MASKED(own, 0 - (uint64_t)(minus >> (p) & 1), 0 - (uint64_t)((plus ^ minus) >> (p) & 1))
      const LBP_(plane) low = LBP_P_BIT(0);
#define LBP_P_STEP(p) k[p] = LBP_P_BIT((p) + 1);
      LBP_P_UPWARDS(0, top, LBP_P_STEP)
#undef LBP_P_STEP
#undef LBP_P_BIT
      LBP_(sums_add)(sums, &low, k, &all, lanes->tall, top);
    }
  }
}

/* log pi of each chain in units of lanes->unit, up to a constant, lanes->units: the sum of J_ij s_i s_j and h_i s_i.
 * A model whose log pi is minus the energy has the energy -lanes->unit * lanes->units[l]. From scratch, and from then
 * on kept by sweeps and swaps: until NAME_lanes_put, or you set lanes->keeps to 0. */
LBP_FN const int64_t *LBP_NAME_(lanes_units)(LBP_NAME_(lanes) *lanes) {
  LBP_(lane_sums) sums;
  uint32_t l;
  if (lanes->keeps) return lanes->units;
  LBP_(sums_begin)(&sums, lanes->planes);
  memset(lanes->units, 0, sizeof lanes->units);
  memset(lanes->flips, 0, sizeof lanes->flips);
  if (lanes->planes == 3) LBP_(add_up_lanes)(lanes, &sums, 3);
  LBP_P_WIDTHS(else if (lanes->planes == 2) LBP_(add_up_lanes)(lanes, &sums, 2);)
  LBP_P_WIDTHS(else if (lanes->planes == 5) LBP_(add_up_lanes)(lanes, &sums, 5);)
  else LBP_(add_up_lanes)(lanes, &sums, 8);
  LBP_(sums_read)(&sums, lanes->tall, 1, lanes->units);
  for (l = 0; l < LBP_LANES; l++) lanes->units[l] /= 2;
  lanes->keeps = 1;
  return lanes->units;
}

/* How many sites of each chain are 1: ones[0 .. chains). */
LBP_FN void LBP_NAME_(lanes_ones)(const LBP_NAME_(lanes) *lanes, uint32_t *ones) {
  int64_t sum[LBP_LANES];
  LBP_(lane_sums) sums;
  LBP_(plane) none[3], all;
  uint32_t i, l;
  memset(sum, 0, sizeof sum);
  memset((void *)&all, 255, sizeof all);
  LBP_(lanes_clear)(none, 3);
  LBP_(sums_begin)(&sums, 2);
  for (i = 0; i < lanes->n; i++) LBP_(sums_add)(&sums, &lanes->x[i], none, &all, lanes->tall, 2);
  LBP_(sums_read)(&sums, lanes->tall, 1, sum);
  for (l = 0; l < lanes->chains; l++) ones[l] = (uint32_t)sum[l];
}

/* Exchanges the states of lanes l and l + 1 wherever bit l of mask is 1. */
LBP_FN void LBP_(exchange_lanes)(LBP_NAME_(lanes) *lanes, const uint64_t *mask) {
  const size_t words = ((size_t)lanes->n + 1) * (lanes->mirrored ? 2 : 1);
  uint64_t *word = (uint64_t *)(void *)lanes->x, across = 0;
  LBP_(plane) swaps;
  size_t i;
  int w;
  memcpy((void *)&swaps, mask, sizeof swaps);
  for (w = 0; w < LBP_(lane_words); w++) across |= mask[w] >> 63;
  for (i = 0; i < words && !across; i++) { /* none from one 64-bit word to the next */
    const LBP_(plane) x = lanes->x[i], differs = LBP_P_AND(LBP_P_XOR(LBP_P_RIGHT(x, 1), x), swaps);
    lanes->x[i] = LBP_P_XOR(x, LBP_P_OR(differs, LBP_P_LEFT(differs, 1)));
  }
  for (i = 0; i < words && across; i++, word += LBP_(lane_words)) {
    uint64_t before = 0; /* of the word below, whose highest lane goes into the next word */
    for (w = 0; w < LBP_(lane_words); w++) {
      const uint64_t next = w + 1 < LBP_(lane_words) ? word[w + 1 < LBP_(lane_words) ? w + 1 : 0] << 63 : 0;
      const uint64_t differs = ((word[w] >> 1 | next) ^ word[w]) & mask[w];
      word[w] ^= differs | differs << 1 | before;
      before = differs >> 63;
    }
  }
}

/* Replica exchange: chains are ladders of `rungs` each, one after the other; rungs r and r + 1 of each, r even or odd
 * as parity is, exchange their states with the probability min(1, e^((beta_l - beta_l+1) (log pi_l+1 - log pi_l))).
 * Temperatures stay; replica[] and units go with the states. Call it with parity 0 and 1 in turn. Returns how many
 * exchanges were accepted; 0 if rungs is. */
LBP_FN uint32_t LBP_NAME_(lanes_swap)(LBP_NAME_(lanes) *lanes, uint32_t rungs, uint32_t parity, LBP_RNG_T *rng) {
  uint64_t mask[LBP_(lane_words)];
  uint32_t l, accepted = 0;
  int64_t *const units = lanes->units;
  if (rungs == 0) return 0;
  LBP_NAME_(lanes_units)(lanes);
  memset(mask, 0, sizeof mask);
  for (l = 0; l + 1 < lanes->chains; l++) {
    const uint32_t rung = l % rungs, replica = lanes->replica[l];
    const int64_t here = units[l];
    double d;
    if (rung % 2 != parity % 2 || rung + 1 == rungs) continue;
    d = lanes->unit * (lanes->beta[l] - lanes->beta[l + 1]) * (double)(units[l + 1] - here);
    if (d < 0 && !(d > -700 && lbp_bernoulli_trial(lbp_rng_u64(rng), lbp_exp(d)))) continue;
    mask[l / 64] |= (uint64_t)1 << l % 64;
    accepted++;
    units[l] = units[l + 1];
    units[l + 1] = here;
    lanes->replica[l] = lanes->replica[l + 1];
    lanes->replica[l + 1] = replica;
  }
  if (accepted) LBP_(exchange_lanes)(lanes, mask);
  return accepted;
}

/* Keeps the state of each chain whose log pi is larger than all that this function has met in its lane: annealing calls
 * it after each sweep. Returns how many chains these are. */
LBP_FN uint32_t LBP_NAME_(lanes_record)(LBP_NAME_(lanes) *lanes) {
  uint64_t mask[LBP_(lane_words)];
  LBP_(plane) better;
  uint32_t i, l, count = 0;
  LBP_NAME_(lanes_units)(lanes);
  memset(mask, 0, sizeof mask);
  for (l = 0; l < lanes->chains; l++) {
    if (lanes->units[l] <= lanes->best_units[l]) continue;
    lanes->best_units[l] = lanes->units[l];
    mask[l / 64] |= (uint64_t)1 << l % 64;
    count++;
  }
  memcpy((void *)&better, mask, sizeof better);
  for (i = 0; count > 0 && i < lanes->n; i++) {
    const LBP_(plane) differs = LBP_P_XOR(lanes->x[i], lanes->best[i]);
    lanes->best[i] = LBP_P_XOR(lanes->best[i], LBP_P_AND(differs, better));
  }
  return count;
}

/* The state that NAME_lanes_record has kept of a chain, n bytes: its log pi in units is best_units[chain]. */
LBP_FN void LBP_NAME_(lanes_best)(const LBP_NAME_(lanes) *lanes, uint32_t chain, uint8_t *x) {
  LBP_(lane_read)(lanes->best, lanes->n, chain, x);
}

#undef LBP_P_VECTOR
#undef LBP_P_BY_VECTOR
#undef LBP_P_HALVES
#undef LBP_P_AND
#undef LBP_P_OR
#undef LBP_P_XOR
#undef LBP_P_NOT
#undef LBP_P_PLUS
#undef LBP_P_LEFT
#undef LBP_P_RIGHT
#undef LBP_P_MASKED
#undef LBP_P_UPWARDS
#undef LBP_P_WIDTHS
#undef LBP_P_WORDWISE

#endif /* LBP_P_INSTANCE */
