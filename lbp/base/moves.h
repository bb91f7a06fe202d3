/* lbp/base/moves.h - code that the options of lbp.h share outside its template: lists of sites, hazards, products of
 * weights, groups, and tuners of parameters other than R.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it if an option needs it. No libm, no malloc, no
 * I/O, no globals.
 */

#ifndef LBP_MOVES_H
#define LBP_MOVES_H

#include "numbers.h"

/* ---- sites that differ ------------------------------------------------------------------------------------------- */

/* A function that an unbounded step, for a long time or a large R, calls every LBP_WATCH_MOVES moves: it returns
 * whether to abandon the step, because the run ends. given_up is 1 if the step was abandoned. NULL: never. */
typedef struct {
  int (*over)(void *over_data);
  void *over_data;
  int given_up;
} lbp_watch;

/* Few enough that models of a millisecond an evaluation react within about a second, and enough that the call costs
 * almost nothing. */
#define LBP_WATCH_MOVES 256u

/* Reports the number of moves of a step, and calls the function after every LBP_WATCH_MOVES of them. Returns whether to
 * end. */
LBP_INLINE int lbp_watch_is_over(lbp_watch *w, uint32_t moves) {
  if (!w || !w->over || moves % LBP_WATCH_MOVES != 0) return 0;
  w->given_up = w->over(w->over_data) != 0;
  return w->given_up;
}

/* Adds site i to the list of sites that differ from the state where a step began, list[0 .. count), or removes it.
 * place[i] is the position of i in the list. Returns the new count. */
LBP_INLINE uint32_t lbp_toggle(uint32_t *list, uint32_t *place, uint32_t i, uint32_t count) {
  const uint32_t at = place[i];
  if (at >= count || list[at] != i) {
    place[i] = count;
    list[count] = i;
    return count + 1;
  }
  list[at] = list[count - 1];
  place[list[at]] = at;
  return count - 1;
}

/* ---- hazards, of sweeps that skip -------------------------------------------------------------------------------- */

/* Hazards are whole numbers of this share of 1. A site that flips with probability w has the hazard -log(1 - w),
 * rounded up, and at most LBP_HAZARD_MOST, where 1 - w is 3e-20. Sums over LBP_BLOCK sites fit into 32 bits. */
#define LBP_HAZARD_UNIT (1.0 / 1048576.0)
#define LBP_HAZARD_MOST (45u << 20)

#define LBP_CERTAIN ((uint64_t)1 << 62) /* the probability 1, of 62 bits */

/* The hazard of a flip by t/(1+t) at t = e^d: never too small, too large by about 1e-5 of it and three units. 0 for
 * impossible flips. */
LBP_INLINE uint32_t lbp_hazard_barker(float d) {
  float above, below, h;
  uint32_t v;
  lbp_exp_quotient(lbp_clamp(d, 45.0f), &above, &below);
  h = lbp_logf(1.0f + above / below) * (1048576.0f * 1.00001f); /* -log(1 - t/(1+t)) = log(1 + t) */
  v = (uint32_t)(int32_t)h + 3u;
  return (v < LBP_HAZARD_MOST ? v : LBP_HAZARD_MOST) & ((uint32_t)lbp_is_impossible(d) - 1u);
}

/* The same of a flip by min(1, t). */
LBP_INLINE uint32_t lbp_hazard_metropolis(float d) {
  float above, below, stay;
  uint32_t v;
  lbp_exp_quotient(lbp_clamp(d, 45.0f), &above, &below);
  stay = 1.0f - above * 1.00001f / below;
  stay = stay > 1e-20f ? stay : 1e-20f; /* log 46 units of 1 */
  v = (uint32_t)(int32_t)(lbp_logf(stay) * (-1048576.0f * 1.00001f)) + 3u;
  return (v < LBP_HAZARD_MOST ? v : LBP_HAZARD_MOST) & ((uint32_t)lbp_is_impossible(d) - 1u);
}

/* Whether a site flips at which the time ran out: it does so with probability 1 - e^-hazard, and flips by the rule
 * with probability w, which is less. */
LBP_FN int lbp_hazard_trial(uint64_t word, uint32_t hazard, double d, int weight) {
  const double most = 700, v = d > most ? most : d < -most ? -most : d;
  const double w = weight == LBP_BARKER ? 1.0 / (1.0 + lbp_exp(-v)) : v < 0 ? lbp_exp(v) : 1;
  return lbp_bernoulli_trial(word, w / (1.0 - lbp_exp(-(double)(int32_t)hazard * LBP_HAZARD_UNIT)));
}

/* ---- products of weights, of paths ------------------------------------------------------------------------------- */

/* The ratio of the probabilities of the reverse path and of the path so far, without the sums of weights at its ends.
 * Always in double: log pi and the product are both large, and nearly cancel. */
typedef struct {
  double log_pi;   /* the change of log pi */
  double value;    /* the weights back over those there: value 2^exponent */
  double exponent;
  uint32_t flips;
  int lost;        /* whether one of the weights back is 0 */
} lbp_path_product;

/* A flip, whose weight was `there`, and at the state behind it is `back`. Each brings at most 31 binary digits, so that
 * the exponent need not be taken out every time. */
LBP_INLINE void lbp_path_add(lbp_path_product *p, double gain, uint32_t there, uint32_t back) {
  p->log_pi += gain;
  p->lost |= back == 0;
  p->value *= (double)(int32_t)(back | (back == 0)) / (double)(int32_t)there;
  p->flips++;
  if (p->flips % 32 == 0) p->exponent += lbp_split(&p->value);
}

/* The acceptance probability of a path from a state whose weights have this sum to one where they have that. */
LBP_FN double lbp_path_accept(lbp_path_product *p, uint64_t from, uint64_t to) {
  const double log_2 = 0.69314718055994530942, most = 700;
  double v, ratio;
  if (!lbp_is_finite(p->log_pi)) return !lbp_is_impossible((float)p->log_pi); /* out of an impossible state */
  if (p->lost) return 0;
  p->exponent += lbp_split(&p->value);
  v = p->log_pi + lbp_rounded(log_2 * p->exponent);
  if (v < -most) return 0;
  ratio = p->value * ((double)(int64_t)from / (double)(int64_t)to) * lbp_exp(v < most ? v : most);
  return ratio < 1 ? ratio : 1;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

/* The probability of a bond, as a number of 62 bits, and the strength t that it is of. */
typedef struct {
  double t;
  uint64_t bar;
} lbp_bond;

/* The probability of a bond, 1 - e^-2t for t > 0, as a number of 62 bits. */
LBP_FN uint64_t lbp_bond_bar(double t) {
  return t < 350 ? (uint64_t)(int64_t)((1 - lbp_exp(-2 * t)) * 4611686018427387904.0) : LBP_CERTAIN;
}

/* Whether a pair of strength t = |J_ij| > 0 gets a bond: with probability 1 - e^-2t. Where it is the same as that of
 * the last pair this is a comparison. */
LBP_INLINE int lbp_bond_trial(lbp_bond *bond, double t, uint64_t word) {
  if (LBP_SELDOM(bond->t != t)) {
    bond->t = t;
    bond->bar = lbp_bond_bar(t);
  }
  return word >> 2 < bond->bar;
}

/* 1 / (1 + e^-v); 0 for -infinity and NaN, 1 for infinity. */
LBP_FN double lbp_heat_bath(double v) {
  const double size = v < 0 ? -v : v, less = size < 700 ? lbp_exp(-size) : 0;
  if (lbp_is_nan(v)) return 0;
  return v < 0 ? less / (1 + less) : 1 / (1 + less);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The workspace that groups add to LBP_WS_LEN(n) or its like; LBP_GROUPS is `groups`, or n. A constant expression. */
#define LBP_WS_LEN_SWAP(n, groups) (LBP_WS_HALVES((n) + 4, 4) + LBP_WS_HALVES(groups, 12))

/* Whose log-ratios a chain's are at the moment. */
enum {
  LBP_MODE_FLIP, /* of samplers that flip: sites in groups are clamped */
  LBP_MODE_SWAP, /* of swaps, with the shift */
  LBP_MODE_CHECK /* the model's */
};

/* Up to so many swaps of one group are drawn pair by pair: fewer than blocks of tries are good for. */
#ifndef LBP_P_PAIRS
#define LBP_P_PAIRS 2u
#endif

/* The value of weights_ready while weights are those of swaps. */
#define LBP_SWAP_READY 3

/* A product of positive numbers: value 2^exponent. */
typedef struct {
  double value;
  int32_t exponent;
} lbp_scaled;

/* A chain's data of its groups, besides arrays. */
typedef struct {
  int ready;                        /* whether lists are those of x */
  int status;                       /* LBP_OK, or the fault of the groups */
  int mode;                         /* LBP_MODE_FLIP and the like */
  int by_ones;                      /* groups are drawn in proportion to: 0: A B, 1: A */
  uint32_t count;                   /* groups: the largest number and one */
  uint32_t mobile;                  /* sites that swaps can move */
  uint32_t pairs;                   /* swaps that can be made at once, at most */
  int twos;                         /* whether all of these sites are in groups of two: a swap turns one round */
  uint32_t halves;                  /* groups of two, and twice larger ones half of ones: all swaps turn each round */
  const uint8_t *clamps;            /* of NAME_clamp */
  double shift;                     /* mu */
  double mu;                        /* the same in steps of swaps, 0 otherwise */
  int apart;                        /* in a step: whether all ones are drawn and then all zeros, of one group */
  uint64_t whole[2];                /* then: sums of the zeros' weights at x, and of the ones' */
  uint64_t tries[2];                /* to draw these, since all were looked at */
  uint64_t gain[2], higher;         /* of flips that list: gains of these sums; whether a weight is above its top[] */
  lbp_scaled there;                 /* else: the product of all sums that were drawn from */
} lbp_groups;

/* p v, for v > 0. */
LBP_INLINE void lbp_scaled_times(lbp_scaled *p, double v) {
  p->value *= v;
  p->exponent += lbp_split(&p->value);
}

/* ---- weights of values ------------------------------------------------------------------------------------------- */

/* The integer of weight 1, for weights whose sum is at most 1: even 256 of them, rounded up, stay below 2^31. */
#define LBP_CAT_UNIT 2147400000.0f

/* Returns e^t for |t| <= 80, with a relative error below 4e-6. Last digits depend on the machine: use it only where
 * another computation decides the cases that they would change. */
LBP_INLINE float lbp_exp_roughly(float t) {
  const float v = t * 1.44269504f;
  const int32_t k = (int32_t)(v + 128.5f) - 128;
  const float f = v - (float)k, square = f * f;
  const float high = 0.00961813f + f * 0.00133336f, middle = 0.2402265f + f * 0.0555041f, low = 1.0f + f * 0.6931472f;
  return lbp_powerf(k) * (low + square * (middle + square * high));
}

/* Whether v is no number between 1e-20 and 1e30: by its bits, as -ffast-math assumes that there is no NaN. */
LBP_INLINE uint32_t lbp_is_unusable(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits - 0x1e3ce508u > 0x7149f2cau - 0x1e3ce508u;
}

/* Operations of sweeps on all values of a site at once, where a site has few: by vectors of the compiler, of four
 * numbers, since shuffles within these are fast on all processors. Functions get pointers: how vectors are passed
 * depends on the processor. Not where floats are evaluated in more digits (x87): ISO C has no vectors of these. */
#if defined __GNUC__ && defined __has_builtin && !defined __CUDACC__ && !LBP_SMALL && \
    (!defined __FLT_EVAL_METHOD__ || __FLT_EVAL_METHOD__ == 0 || __FLT_EVAL_METHOD__ == 16)
#if __has_builtin(__builtin_shufflevector) && __has_builtin(__builtin_convertvector)
#define LBP_P_FOURS 1
#endif
#endif
#ifndef LBP_P_FOURS
#define LBP_P_FOURS 0
#endif

#if LBP_P_FOURS
#define LBP_P_FOUR __attribute__((vector_size(16)))

/* Four floats, a vector of the compiler. */
typedef float LBP_P_FOUR lbp_floats;

/* Four integers, or of comparisons of four floats 0 or -1. */
typedef int32_t LBP_P_FOUR lbp_ints;

/* One bit for each of four numbers that are 0 or -1. */
LBP_INLINE uint32_t lbp_p_bits(const lbp_ints *is) {
#if defined __SSE__
  return (uint32_t)__builtin_ia32_movmskps((lbp_floats)*is);
#else
  return ((uint32_t)(*is)[0] & 1u) | ((uint32_t)(*is)[1] & 2u) | ((uint32_t)(*is)[2] & 4u) | ((uint32_t)(*is)[3] & 8u);
#endif
}

/* lbp_exp_roughly of four numbers, 0 below -80; returns a bit for each above 60, and each NaN, of which it makes 0. */
LBP_INLINE uint32_t lbp_exp_four(lbp_floats *t) {
#if LBP_FAST_MATH /* comparisons assume that there is no NaN */
  const lbp_ints bits = (lbp_ints)*t, open = (bits > 0x42700000) | ((bits & 0x7fffffff) > 0x7f800000);
#else
  const lbp_ints open = ~(*t <= 60.0f);
#endif
  const lbp_ints within = ~open & (*t > -80.0f);
  const lbp_floats v = (lbp_floats)((lbp_ints)*t & within) * 1.44269504f;
  const lbp_ints k = __builtin_convertvector(v + 128.5f, lbp_ints) - 128;
  const lbp_floats f = v - __builtin_convertvector(k, lbp_floats), square = f * f;
  const lbp_floats high = f * 0.00133336f + 0.00961813f, middle = f * 0.0555041f + 0.2402265f;
  const lbp_floats low = f * 0.6931472f + 1.0f, power = low + square * (middle + square * high);
  *t = (lbp_floats)(((lbp_ints)power + k * 0x800000) & within);
  return lbp_p_bits(&open);
}

/* Running sums of four numbers. */
LBP_INLINE void lbp_scan_four(lbp_floats *v) {
  const lbp_floats zero = {0, 0, 0, 0};
  *v += __builtin_shufflevector(*v, zero, 4, 0, 1, 2);
  *v += __builtin_shufflevector(*v, zero, 4, 4, 0, 1);
}

/* A bit for each of four sums that are at most the target; *open gets one for each that is too near it to tell. */
LBP_INLINE uint32_t lbp_four_at_most(const lbp_floats *sum, float target, float slack, uint32_t *open) {
  const lbp_floats gap = target - *sum;
  const lbp_ints below = *sum <= target, unclear = (lbp_floats)((lbp_ints)gap & 0x7fffffff) < slack;
  *open = lbp_p_bits(&unclear);
  return lbp_p_bits(&below);
}
#endif

/* ---- tuner: the time of a clock ---------------------------------------------------------------------------------- */

/* The integer of w = 1, a little below LBP_WEIGHT_MAX: lbp_exp_quotient has errors of 2e-6, which are not to take an
 * integer below its weight. */
#define LBP_CLOCK_UNIT 2147470000.0

/* Tunes the time of a step to a wanted number of jumps; serves one chain, or many that share it. */
typedef struct {
  double time;           /* of the next step */
  double wanted;         /* jumps a step */
  double jumps, spent;   /* of the steps since the last power of two, and of the power before it: jumps, time */
  double jumps_before, spent_before;
  uint32_t step, warmup; /* updates so far; updates until the time is frozen */
} lbp_clock_tuner;

/* Prepares a tuner: so many jumps a step, over 0, and `warmup` updates until the time is frozen (UINT32_MAX: never). It
 * begins with steps of time `time`, over 0. Returns LBP_E_NULL, LBP_E_RANGE. */
LBP_FN int lbp_clock_tuner_init(lbp_clock_tuner *t, double wanted, double time, uint32_t warmup) {
  if (!t) return LBP_E_NULL;
  memset(t, 0, sizeof *t);
  if (!lbp_is_finite(wanted) || !lbp_is_finite(time) || !(wanted > 0) || !(time > 0)) return LBP_E_RANGE;
  t->wanted = wanted;
  t->time = time;
  t->warmup = warmup;
  return LBP_OK;
}

/* Records the result of a step, or of several, before the update that ends the step of all chains that share it. */
LBP_FN void lbp_clock_tuner_observe(lbp_clock_tuner *t, double time, double jumps) {
  if (t->step >= t->warmup) return;
  t->jumps += jumps;
  t->spent += time;
}

/* Sets the time by the jumps per time since the last but one of the updates 1, 2, 4, 8 ...: so the start is soon
 * forgotten. As long as there was no jump the time doubles: where a chain begins deep in a mode that holds little of
 * the mass, the step that leaves it may take very many jumps. In runs it ends after lbp_clock_tuner_most. */
LBP_FN void lbp_clock_tuner_update(lbp_clock_tuner *t) {
  const double jumps = t->jumps_before + t->jumps, spent = t->spent_before + t->spent, most = 16, longest = 1e100;
  double time;
  if (t->step >= t->warmup) return;
  t->step++;
  time = jumps > 0 ? t->wanted * spent / jumps : 2 * t->time;
  if (time > most * t->time) time = most * t->time; /* a few jumps are a poor estimate */
  if (time < t->time / most) time = t->time / most;
  if (lbp_is_finite(time) && time > 0) t->time = time < longest ? time : longest; /* sums of such are finite */
  if ((t->step & (t->step - 1)) != 0) return;
  t->jumps_before = t->jumps;
  t->spent_before = t->spent;
  t->jumps = t->spent = 0;
}

/* Returns the largest number of jumps of a step that it learns from; 0, if it is frozen: any number. */
LBP_FN uint32_t lbp_clock_tuner_most(const lbp_clock_tuner *t) {
  const double most = 256 * (1 + t->wanted);
  return t->step < t->warmup && most < UINT32_MAX ? (uint32_t)most : 0;
}

/* ---- tuner: the shift of swaps ----------------------------------------------------------------------------------- */

/* The largest shift: a larger one takes too many digits from log-ratios. A tuner's changes 32 times by 4 at most. */
#define LBP_SHIFT_MOST 128.0

/* Tunes the shift: by how much the zeros' sum is to grow, in the mean of the steps since the last power of two. */
typedef struct {
  double shift;
  double log_odds_gap, told; /* the sum of log(A / B), and of how many steps, since then */
  uint32_t step, warmup;
} lbp_shift_tuner;

/* Reports the log(A / B) of the state after a step. */
LBP_FN void lbp_shift_tuner_observe(lbp_shift_tuner *t, double log_odds_gap) {
  if (t->step >= t->warmup || !lbp_is_finite(log_odds_gap)) return;
  t->log_odds_gap += log_odds_gap;
  t->told += 1;
}

/* Ends a step of all chains that share it. After the steps 1, 2, 4, 8 ... the shift moves by half of the recorded gap,
 * by 4 at most: all of it where weights are small, log A falling by the shift and log B rising, half where they are
 * large. */
LBP_FN void lbp_shift_tuner_update(lbp_shift_tuner *t) {
  if (t->step >= t->warmup) return;
  t->step++;
  if ((t->step & (t->step - 1)) != 0 || !(t->told > 0)) return;
  t->shift += lbp_clamp_double(t->log_odds_gap / t->told, 8.0) * 0.5;
  t->log_odds_gap = t->told = 0;
}

/* ---- tuner: the scale of a proposal ------------------------------------------------------------------------------ */

/* Tunes the scale of a proposal, sigma, to an acceptance rate; serves one chain, or many that share it. log sigma moves
 * by the rate's excess; after the warm-up sigma is the geometric mean over its second half. */
typedef struct {
  double sigma, target;
  double log_sigma, mean;
  uint32_t step, warmup; /* updates so far; updates until sigma is frozen */
} lbp_scale_tuner;

/* Prepares a tuner that begins with sigma > 0; `warmup` updates until it is frozen (UINT32_MAX: never); target in
 * (0, 1): LBP_TARGET_LBP. Returns LBP_E_NULL, LBP_E_RANGE. */
LBP_FN int lbp_scale_tuner_init(lbp_scale_tuner *t, double sigma, uint32_t warmup, double target) {
  if (!t) return LBP_E_NULL;
  memset(t, 0, sizeof *t);
  if (!lbp_is_finite(sigma) || !lbp_is_finite(target) || !(sigma > 0 && target > 0 && target < 1)) return LBP_E_RANGE;
  t->sigma = sigma;
  t->target = target;
  t->log_sigma = lbp_log_fine(sigma);
  t->warmup = warmup;
  return LBP_OK;
}

/* Tells the acceptance probability of a step, or its mean over chains that share the tuner; any other number is left
 * out. */
LBP_FN void lbp_scale_tuner_update(lbp_scale_tuner *t, double accept) {
  if (t->step >= t->warmup || lbp_is_nan(accept) || !(accept >= 0 && accept <= 1)) return;
  t->log_sigma += lbp_rounded(0.1 * (accept - t->target));
  t->step++;
  if (t->step > t->warmup / 2) t->mean += (t->log_sigma - t->mean) / (t->step - t->warmup / 2);
  t->sigma = lbp_exp(lbp_clamp_double(t->step == t->warmup ? t->mean : t->log_sigma, 700));
}

#endif /* LBP_MOVES_H */
