/* lbp_ab.h - the any-scale balanced (AB) sampler and its relatives, for binary and ordinal states: gradient-informed
 * proposals that move all sites at once, specialised to your model by the compiler.
 *
 * Copyright (c) 2026 the lbp authors. SPDX-License-Identifier: MIT
 *
 * Version 1.0.0. MIT licence, see LICENSE. C99 or C++11, libm; no malloc, no I/O, no globals.
 *
 * Define a few macros and include this file to get step functions. With
 *
 *   #define LBP_NAME     lattice
 *   #define LBP_MODEL_T  gaussian          // your type
 *   #define LBP_GRADIENT gaussian_gradient // log pi(x), and its gradient as if x were real
 *   #include "lbp_ab.h"
 *
 * this file generates
 *
 *   lattice_chain, lattice_info, lattice_scale, lattice_curvature, lattice_adaptive, lattice_tuner, lattice_adapter,
 *   lattice_report, lattice_real                                                                                  types
 *   int            lattice_init (lattice_chain *, uint32_t n, uint32_t states, uint8_t *x, lattice_real *ws,
 *                                size_t ws_len)
 *   lattice_report lattice_check (lattice_chain *, const gaussian *, uint32_t trials, lbp_rng *)    is the model right?
 *   void           lattice_touch (lattice_chain *)                         you have changed x or the model
 *   int            lattice_temper (lattice_chain *, lattice_real beta)                             inverse temperature
 *   int            lattice_clamp (lattice_chain *, const uint8_t *mask)         sites that never move (LBP_CLAMPED)
 *
 *   int            lattice_adaptive_init (lattice_adaptive *, uint32_t n, uint32_t warmup, void *memory, size_t bytes)
 *   lattice_info   lattice_adaptive_step (lattice_chain *, const gaussian *, lattice_adaptive *, lbp_rng *)
 *                                                          algorithm 1: the AB sampler, everything tuned by itself
 *   lattice_info   lattice_adlp_step, lattice_arwm_step (lattice_chain *, const gaussian *, lattice_tuner *, lbp_rng *)
 *                                                          discrete Langevin and random walk, sigma tuned
 *   lattice_info   lattice_gibbs_step (lattice_chain *, const gaussian *, lbp_rng *)                the next site
 *
 *   lattice_info   lattice_ab_step (lattice_chain *, const gaussian *, const lattice_curvature *,
 *                                   const lattice_scale *, lbp_rng *)    algorithm 2 and its relatives: the scale
 *   lattice_info   lattice_momentum_step (lattice_chain *, const gaussian *, const lattice_curvature *,
 *                                         lattice_real eps, lattice_real relax, lbp_rng *)
 *                                                          AB with a momentum, for quadratic log pi: never rejects
 *   lattice_info   lattice_rwm_step (lattice_chain *, const gaussian *, lattice_real sigma, lbp_rng *)
 *   lattice_scale  lattice_first_order, lattice_langevin_d, lattice_second_order, lattice_second_order_d
 *   int            lattice_curvature_init (lattice_curvature *, const lbp_symmetric *W, const double *D, int exact,
 *                                          void *memory, size_t bytes)                 W + D and noise with it
 *   int            lattice_tuner_init;   void lattice_tuner_update                      sigma to an acceptance rate
 *   int            lattice_adapter_init; void lattice_adapter_update          up to three parameters to jump distance
 *
 * and, once per translation unit, lbp_alpha, the weight function's exponent for a proposal of given scale, and
 * lbp_error, the text of a status. The header includes lbp.h and, for the curvature W + D, lbp/base/linear.h; these
 * describe what you may define before (LBP_EXACT, LBP_CHECKED, LBP_LAPACK ...). Checked builds also need
 * lbp/options/checked.h.
 *
 * In this file's order: the support section; the template's parameters, types, random numbers, chains, scales, noise,
 * proposals, steps, the momentum, tuning, the curvature, algorithm 1, the check of a model. To understand a step, begin
 * with the scales; the functions that a step calls come before it.
 *
 * Functions that can fail return LBP_OK or an LBP_E_*; lbp_error() returns its text. Lengths that a size_t cannot hold
 * are SIZE_MAX, so that no workspace is long enough.
 *
 * Source: [A] Sun, Dai, Sutton, Schuurmans, Dai, "Any-scale Balanced Samplers for Discrete Spaces", ICLR 2023, whose
 * equation numbers are used. The idea of the momentum is from Zhou, Tan, arXiv:2507.09807 and arXiv:2507.21982; the
 * step is derived here.
 */

/* ==== support: once per translation unit ========================================================================== */

#ifndef LBP_NOISE_STEPS

#include <float.h>
#include <math.h>

#include "lbp/base/support.h"
#include "lbp/base/linear.h"

LBP_EXACT_BEGIN

/* Returns (6), the exponent alpha of the weight function t^alpha that balances a proposal of r = sigma / sigma_0 >= 0
 * times the target's variance: from 1/2 at r = 0 to 1 at infinity (7). Computed as (6) times its conjugate, since the
 * printed form cancels for small r; for large r, both sides are divided by r to avoid overflow. */
LBP_FN double lbp_alpha(double r) {
  if (r < 2.0) return 0.5 + 0.5 * r / (2.0 + sqrt(r * r + 4.0));
  const double t = 2.0 / r;
  return 0.5 + 0.5 / (t + sqrt(1.0 + t * t));
}

/* The phases of algorithm 1, in the order of a warm-up. */
enum {
  LBP_PHASE_TUNE,    /* first order: sigma is tuned to acceptance 0.574 */
  LBP_PHASE_OBSERVE, /* first order with that sigma: W is estimated (10) from the steps, then D and the root */
  LBP_PHASE_ADAPT,   /* second order: s, rho and the damping of W are adapted to the jump distance, by algorithm 3 */
  LBP_PHASE_AVERAGE, /* the same; the final values are the means over this phase */
  LBP_PHASE_FROZEN   /* nothing changes any more, the chain is a Markov chain: use draws from here on */
};

#define LBP_NOISE_STEPS 16u /* number of steps for which noise is made at a time */

/* Sites that are processed together: loops over them have a fixed length and vectorise. A divisor of 128; with fewer
 * sites, lanes stay empty. (gcc unrolls loops of up to 16 before it can vectorise them.) */
#ifndef LBP_AB_WIDTH
#define LBP_AB_WIDTH 32u
#endif

#define LBP_NOISE_TILE 16u /* sites whose noise is summed in registers, for 8 steps at a time */

/* LBP_FN for functions that clang must not inline. */
#if defined __clang__
#define LBP_P_APART LBP_FN __attribute__((noinline))
#else
#define LBP_P_APART LBP_FN
#endif

/* Length of the workspace of a chain of n sites, in LBP_REALs; SIZE_MAX if a size_t cannot hold it. */
#define LBP_WS_LEN_AB(n) \
  ((size_t)(n) / (SIZE_MAX / (8 + 2 * LBP_NOISE_STEPS)) ? SIZE_MAX : (size_t)(n) * (5 + 2 * LBP_NOISE_STEPS) + 16)

LBP_EXACT_END

#endif /* LBP_NOISE_STEPS */

/* ==== template: once per model ==================================================================================== */

#if !defined LBP_NAME
#if defined LBP_GRADIENT
#error "lbp_ab.h: define LBP_NAME, the prefix of the generated functions"
#endif
#define LBP_P_SKIP 1
#elif !defined LBP_GRADIENT
#error "lbp_ab.h: define LBP_GRADIENT(m, x, out), which writes the gradient of log pi and returns log pi"
#define LBP_P_SKIP 1
#elif defined LBP_STATES && (LBP_STATES < 2 || LBP_STATES > 256)
#error "lbp_ab.h: LBP_STATES, the number of values of a site, is 2 to 256, a literal or a macro"
#define LBP_P_SKIP 1
#elif defined LBP_RNG_T != defined LBP_RNG_U64
#error "lbp_ab.h: define both of LBP_RNG_T and LBP_RNG_U64 or none"
#define LBP_P_SKIP 1
#endif

#ifndef LBP_P_SKIP

/* LBP_NAME: the prefix of all generated names. Required. */

/* Type of the model. Every call takes a const pointer to it; no pointer is stored. */
#ifndef LBP_MODEL_T
#define LBP_MODEL_T void
#endif

/* float or double: the type of gradients, proposals and acceptance probabilities. */
#ifndef LBP_REAL
#define LBP_REAL double
#endif

/* Callbacks, here as in lbp.h: functions of any name, or macros with these parameters.
 *
 * LBP_GRADIENT(m, x, out) -> LBP_REAL: returns log pi(x) up to a constant and writes d log pi / d x_i to out[i], as if
 * x were real, for all n sites. Both must depend on x only. log pi = -infinity: the state is impossible. Chains are
 * exact for any gradient. There are several ways to extend log pi to real x: choose one whose slope predicts log pi at
 * the next value. For binary x, log pi(x, x_i = 1) - log pi(x, x_i = 0) is good (the multilinear extension). */

/* LBP_LOGP(m, x) -> LBP_REAL: log pi(x) alone, for the samplers that need no gradient. By default they call
 * LBP_GRADIENT. */

/* LBP_CONDITIONAL(m, x, i, out): optional, for Gibbs steps: writes log pi of x with x_i = v, up to a constant, to
 * out[v] for v = 0 ... S - 1. By default Gibbs steps call LBP_LOGP S times. */

/* LBP_STATES: S, the number of values of a site, if it is fixed at compile time. By default it is an argument of
 * NAME_init. */

/* LBP_CLAMPED: if defined, NAME_clamp gives a chain a mask of clamped sites. All samplers then draw the other sites
 * from their law given these. */

/* LBP_RNG_T, LBP_RNG_U64(rng) -> uint64_t: optional, another random number generator: its type, and a function or macro
 * that returns 64 uniform bits. */
#ifndef LBP_RNG_T
#define LBP_RNG_T     lbp_rng
#define LBP_P_OWN_RNG 1
#endif

#ifdef LBP_STATES
#define LBP_P_STATES(chain) ((uint32_t)(LBP_STATES))
#else
#define LBP_P_STATES(chain) ((chain)->states)
#endif

/* Only checked builds compile this (LBP_CHECKED of lbp.h). */
#if LBP_CHECKED
#include "lbp/base/checked.h"
#define LBP_P_CHECK(statement) statement
#else
#define LBP_P_CHECK(statement)
#endif

/* Only instances with a mask compile this. */
#ifdef LBP_CLAMPED
#define LBP_P_CLAMP(...) __VA_ARGS__
#else
#define LBP_P_CLAMP(...)
#endif

/* Expands a callback: see lbp.h. */
#define LBP_P_CALL(callback, arguments) callback arguments

#define LBP_P_PASTE2(left, right) left##right
#define LBP_P_PASTE(left, right)  LBP_P_PASTE2(left, right)
#define LBP_NAME_(name)           LBP_P_PASTE(LBP_NAME, _##name)
#define LBP_(name)                LBP_P_PASTE(LBP_NAME, _priv_##name)
#define LBP_CHAIN_T               LBP_NAME_(chain)
#define LBP_INFO_T                LBP_NAME_(info)
#define LBP_CURVATURE_T           LBP_NAME_(curvature)
#define LBP_SCALE_T               LBP_NAME_(scale)

LBP_EXACT_BEGIN

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* If it is defined twice, its name explains the cause in the first of many errors. */
enum { LBP_NAME_(is_the_LBP_NAME_of_another_instance) };

/* Your types, by names that no parameter or variable has. */
typedef LBP_REAL LBP_NAME_(real); /* of gradients, proposals, acceptance */
#undef LBP_REAL
#define LBP_REAL LBP_NAME_(real)

typedef LBP_MODEL_T LBP_(model);
#undef LBP_MODEL_T
#define LBP_MODEL_T LBP_(model)

typedef LBP_RNG_T LBP_(rng);
#undef LBP_RNG_T
#define LBP_RNG_T LBP_(rng)

/* The second-order part of the proposal, W + D = S S', made once and shared by all chains of a model. Arrays belong to
 * the caller. The noise G = S xi comes from a dense root, as lbp_root_dense leaves it, or from the edges of a sparse W
 * whose W + D is diagonally dominant: sum over edges e = (i, j) of |edge[e]| xi_e for i and edge[e] xi_e for j, plus
 * site[i] xi_i. */
typedef struct {
  uint32_t n;
  int exact;                          /* W is log pi's Hessian at every x: W (x - y) is a difference of gradients */
  const LBP_REAL *D;               /* n, not negative */
  const LBP_REAL *W;               /* n x n, symmetric; NULL where exact or by edges */
  const LBP_REAL *root;            /* n x n, row k is S's column k, reordered, zero before entry k; NULL: by edges */
  const uint32_t *order;              /* n: entry j of the root's rows belongs to variable order[j] */
  uint32_t rank;                      /* rows of the root that are in use */
  uint32_t edges;
  const uint32_t *ends;               /* 2 x edges */
  const LBP_REAL *edge;            /* sqrt |W_ij|, with the sign of W_ij */
  const LBP_REAL *site;            /* n: sqrt(D_i + W_ii - sum_j |W_ij|) */
} LBP_CURVATURE_T;

/* The scale of a proposal. The kernel is exp(-z'Kz/2), K_i = flat + along D_i; weights are (pi(y)/pi(x))^alpha; W, D
 * and the noise are multiplied by `damping`. Made by NAME_first_order, NAME_langevin_d, NAME_second_order,
 * NAME_second_order_d. */
typedef struct {
  LBP_REAL alpha, damping, flat, along;
} LBP_SCALE_T;

/* One chain. You may read x, n and logp; all other members belong to the functions below. */
typedef struct {
  uint32_t n, states;
  uint8_t *x;
  int logp_ready, gradient_ready;     /* whether they are those of x */
  LBP_REAL logp;
  LBP_REAL beta;                   /* inverse temperature; logp and gradients are those at 1 */
  LBP_REAL *gradient, *proposed;   /* at x and y */
  LBP_REAL *noise;                 /* LBP_NOISE_STEPS draws of G, of which the last noise_left are still to come */
  LBP_REAL *normals;               /* the xi of that noise; in between, x - y */
  const LBP_CURVATURE_T *noise_of;
  uint32_t noise_left;
  LBP_REAL *momentum;              /* zeta of NAME_momentum_step at inverse temperature 1 ... */
  const LBP_CURVATURE_T *momentum_of; /* ... drawn for this curvature; NULL: not drawn yet */
  LBP_REAL misfit[2];              /* values of NAME_momentum_step if log pi is not quadratic: the change of log pi, and
                                      the one according to its gradients */
  uint32_t site;                      /* of the next Gibbs step */
#ifdef LBP_CLAMPED
  uint32_t free;                      /* how many sites may move ... */
  const uint8_t *mask;                /* ... and which: those that are 0 there; NULL: all */
#endif
  LBP_REAL *shift;                 /* W (x - y) */
  uint8_t *y;                         /* the proposal; after a step, the other state: the old one if it accepted,
                                         otherwise the rejected proposal */
#if LBP_CHECKED
  uint32_t made;                      /* LBP_MADE, once NAME_init has succeeded */
#endif
} LBP_CHAIN_T;

/* The first fault that NAME_check has found; status is LBP_OK if there is none. */
typedef struct {
  int status;                         /* lbp_error(status) returns its text */
  uint32_t site;
  LBP_REAL got, want;              /* the two values that should agree */
} LBP_NAME_(report);

/* The result of a step. */
typedef struct {
  LBP_REAL accept;                 /* acceptance probability */
  uint32_t accepted;
  uint32_t changed;                   /* sites that the step changed */
  uint32_t jump;                      /* sum_i |x_i - y_i| of the move; 0 if rejected */
  uint32_t proposed;                  /* that of the proposal: accept * proposed is the expected jump distance */
  uint32_t evaluations;               /* of the gradient, or of log pi if the step needs no gradient */
  LBP_REAL log_ratio;              /* change of log pi(x) by the step, at the chain's temperature */
  int status;                         /* LBP_E_MODEL_NAN: log pi or its gradient is NaN or +infinity at the proposal,
                                         which was therefore rejected, or at a state of yours; LBP_E_NULL, LBP_E_SIZE,
                                         LBP_E_RANGE: see NAME_ab_step; LBP_E_INEXACT, LBP_E_NOT_QUADRATIC: see
                                         NAME_momentum_step; LBP_E_CLAMPED: no site can move; in checked builds also the
                                         statuses of NAME_priv_judge; otherwise LBP_OK */
} LBP_INFO_T;

/* ---- the user's macros, each expanded once ----------------------------------------------------------------------- */

LBP_INLINE LBP_REAL LBP_(call_gradient)(const LBP_MODEL_T *lbp_m, const uint8_t *lbp_x, LBP_REAL *lbp_out) {
  (void)lbp_m, (void)lbp_x, (void)lbp_out;
  return (LBP_REAL)(LBP_P_CALL(LBP_GRADIENT, (lbp_m, lbp_x, lbp_out)));
}

#ifdef LBP_LOGP
LBP_INLINE LBP_REAL LBP_(call_logp)(const LBP_MODEL_T *lbp_m, const uint8_t *lbp_x) {
  (void)lbp_m, (void)lbp_x;
  return (LBP_REAL)(LBP_P_CALL(LBP_LOGP, (lbp_m, lbp_x)));
}
#endif

#ifdef LBP_CONDITIONAL
LBP_INLINE void LBP_(call_conditional)(const LBP_MODEL_T *lbp_m, uint8_t *lbp_x, uint32_t lbp_i,
                                       LBP_REAL *lbp_out) {
  (void)lbp_m, (void)lbp_x, (void)lbp_i, (void)lbp_out;
  LBP_P_CALL(LBP_CONDITIONAL, (lbp_m, lbp_x, lbp_i, lbp_out));
}
#endif

#if LBP_CHECKED
LBP_FN void LBP_(on_error)(int lbp_status, uint32_t lbp_site) {
  (void)lbp_status, (void)lbp_site;
  LBP_P_CALL(LBP_ON_ERROR, (lbp_status, lbp_site));
}
#endif

LBP_FN uint64_t LBP_(word)(LBP_RNG_T *lbp_generator) {
#ifdef LBP_P_OWN_RNG
  return lbp_rng_u64(lbp_generator);
#else
  (void)lbp_generator;
  return LBP_P_CALL(LBP_RNG_U64, (lbp_generator));
#endif
}

/* ---- random numbers ---------------------------------------------------------------------------------------------- */

/* 32 random bits for each of `count` sites, rounded up to even. */
LBP_FN void LBP_(bits)(LBP_RNG_T *rng, uint32_t *out, uint32_t count) {
  const uint64_t *word;
  uint32_t part, i;
  for (; count > 0; count = count > 2 * part ? count - 2 * part : 0, out += 2 * part) {
#ifdef LBP_P_OWN_RNG
    part = (count + 1) / 2;
    word = lbp_rng_take(rng, &part);
#else
    const uint64_t one = LBP_(word)(rng);
    word = &one;
    part = 1;
#endif
    for (i = 0; i < part; i++) {
      out[2 * i] = (uint32_t)word[i];
      out[2 * i + 1] = (uint32_t)(word[i] >> 32);
    }
  }
}

LBP_INLINE LBP_REAL LBP_(exp)(LBP_REAL v) {
  return sizeof(LBP_REAL) == sizeof(float) ? (LBP_REAL)lbp_expf((float)v) : (LBP_REAL)lbp_exp((double)v);
}

LBP_INLINE LBP_REAL LBP_(log)(LBP_REAL v) {
  return sizeof(LBP_REAL) == sizeof(float) ? (LBP_REAL)lbp_logf((float)v) : (LBP_REAL)lbp_log((double)v);
}

LBP_INLINE LBP_REAL LBP_(sqrt)(LBP_REAL v) {
  if (sizeof(LBP_REAL) == sizeof(float)) return (LBP_REAL)sqrtf((float)v);
  return (LBP_REAL)sqrt((double)v);
}

/* Two standard normals from two uniform numbers of 32 bits (Box and Muller); cosine and sine of a quarter turn by their
 * series about 0, the others by symmetry. */
LBP_INLINE void LBP_(box_muller)(uint32_t a, uint32_t b, LBP_REAL *first, LBP_REAL *second) {
  const LBP_REAL u = ((LBP_REAL)(int32_t)(a >> 1) + (LBP_REAL)0.5) * (LBP_REAL)4.656612873077392578125e-10;
  const LBP_REAL radius = LBP_(sqrt)(-2 * LBP_(log)(u));
  const int32_t turn = (int32_t)(b << 2) >> 2;                                              /* a quarter turn about 0 */
  const LBP_REAL angle = (LBP_REAL)turn * (LBP_REAL)1.46291807926715968105e-9;     /* pi / 2^31 */
  const LBP_REAL square = angle * angle;
  const uint32_t quadrant = b >> 30;
  LBP_REAL sine = (LBP_REAL)-1.98412698412698413e-4, cosine = (LBP_REAL)2.48015873015873016e-5;
  if (sizeof(LBP_REAL) > sizeof(float)) {
    sine += square * ((LBP_REAL)2.75573192239858907e-6 + square * ((LBP_REAL)-2.50521083854417188e-8 +
            square * ((LBP_REAL)1.60590438368216146e-10 + square * (LBP_REAL)-7.64716373181981648e-13)));
    cosine += square * ((LBP_REAL)-2.75573192239858907e-7 + square * ((LBP_REAL)2.08767569878680990e-9 +
              square * ((LBP_REAL)-1.14707455977297247e-11 + square * (LBP_REAL)4.77947733238738530e-14)));
  }
  sine = (LBP_REAL)8.33333333333333333e-3 + square * sine;
  cosine = (LBP_REAL)4.16666666666666667e-2 + square * ((LBP_REAL)-1.38888888888888889e-3 + square * cosine);
  sine = angle * (1 + square * ((LBP_REAL)-0.166666666666666667 + square * sine));
  cosine = 1 + square * ((LBP_REAL)-0.5 + square * cosine);
  *first = radius * (quadrant & 1 ? sine : cosine) * (quadrant & 2 ? -1 : 1);
  *second = radius * (quadrant & 1 ? cosine : sine) * ((quadrant & 1) ^ (quadrant >> 1) ? -1 : 1);
}

/* Standard normals, n rounded up to even. */
LBP_FN void LBP_(normals)(LBP_RNG_T *rng, LBP_REAL *out, size_t n) {
  uint32_t bits[2 * LBP_BLOCK], k;
  size_t first;
  for (first = 0; first < n; first += 2 * LBP_BLOCK, out += 2 * LBP_BLOCK) {
    const uint32_t pairs = n - first < 2 * LBP_BLOCK ? (uint32_t)(n - first + 1) / 2 : LBP_BLOCK;
    LBP_(bits)(rng, bits, 2 * pairs);
    for (k = 0; k < pairs; k++) LBP_(box_muller)(bits[k], bits[pairs + k], out + k, out + pairs + k);
  }
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* Returns the length of the workspace of a chain of n sites, in LBP_REALs: LBP_WS_LEN_AB(n). */
LBP_FN size_t LBP_NAME_(ws_len)(uint32_t n) { return LBP_WS_LEN_AB(n); }

/* Makes a chain. x is the initial state, n values below `states`; steps change it in place. ws is the workspace of
 * ws_len LBP_REALs, at least LBP_WS_LEN_AB(n). Both belong to you and must outlive the chain. With LBP_STATES, `states`
 * must equal it. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE (n = 0 or too large: above 2^27 - 1, or n (states - 1) above
 * 2^32 - 1), LBP_E_RANGE (states not in 2 ... 256), LBP_E_WORKSPACE, LBP_E_STATE; the chain is usable only after
 * LBP_OK. */
LBP_FN int LBP_NAME_(init)(LBP_CHAIN_T *c, uint32_t n, uint32_t states, uint8_t *x, LBP_REAL *ws, size_t ws_len) {
  uint32_t i;
  if (!c || !x || !ws) return LBP_E_NULL;
  LBP_P_CHECK(c->made = 0;)
  if (n < 1 || n > LBP_MAX_SITES / LBP_NOISE_STEPS) return LBP_E_SIZE;
  if (states < 2 || states > 256) return LBP_E_RANGE;
  if ((uint64_t)n * (states - 1) > UINT32_MAX) return LBP_E_SIZE; /* a distance may be so much */
#ifdef LBP_STATES
  if (states != (uint32_t)(LBP_STATES)) return LBP_E_RANGE;
#endif
  if (ws_len < LBP_WS_LEN_AB(n)) return LBP_E_WORKSPACE;
  for (i = 0; i < n; i++) {
    if (x[i] >= states) return LBP_E_STATE;
  }
  memset(c, 0, sizeof *c);
  c->n = n;
  c->states = states;
  c->beta = 1;
  LBP_P_CLAMP(c->free = n;)
  c->x = x;
  c->gradient = ws;
  c->proposed = ws + n;
  c->shift = ws + 2 * (size_t)n;
  c->noise = ws + 3 * (size_t)n;
  c->normals = c->noise + LBP_NOISE_STEPS * (size_t)n;
  c->momentum = c->normals + LBP_NOISE_STEPS * (size_t)n + 1;
  c->y = (uint8_t *)(c->momentum + n);
  LBP_P_CHECK(c->made = LBP_MADE;)
  return LBP_OK;
}

/* Tells the chain that you have changed x, the model, or a curvature. A momentum is drawn again, since its law depends
 * on the curvature. */
LBP_FN void LBP_NAME_(touch)(LBP_CHAIN_T *c) {
  c->logp_ready = c->gradient_ready = 0;
  c->noise_left = 0;
  c->momentum_of = NULL;
}

#ifdef LBP_CLAMPED
/* Clamps the sites i with mask[i] != 0 and frees all others. mask has n bytes; NULL frees all sites, as NAME_init does.
 * Clamped sites keep their values in x. The chain keeps the pointer: the mask must outlive the chain and must not
 * change. To change the mask call this again; to change the values of clamped sites write to x and call this or
 * NAME_touch. NAME_check ignores the mask. A curvature always covers all sites.
 *
 * Returns LBP_OK, or LBP_E_NULL (no chain), LBP_E_CLAMPED (no site is free: steps then do nothing and report this
 * status). */
LBP_FN int LBP_NAME_(clamp)(LBP_CHAIN_T *c, const uint8_t *mask) {
  uint32_t i;
  if (!c) return LBP_E_NULL;
  c->free = c->n;
  for (i = 0; mask && i < c->n; i++) c->free -= mask[i] != 0;
  c->mask = c->free < c->n ? mask : NULL;
  LBP_NAME_(touch)(c);
  return c->free > 0 ? LBP_OK : LBP_E_CLAMPED;
}
#endif

/* Sets the chain's inverse temperature: steps then sample pi^beta. W, D and the noise of a curvature scale with beta,
 * as the Hessian of log pi^beta does. Returns LBP_OK, or LBP_E_NULL, LBP_E_RANGE (beta is not a number >= 0). */
LBP_FN int LBP_NAME_(temper)(LBP_CHAIN_T *c, LBP_REAL beta) {
  if (!c) return LBP_E_NULL;
  if (!lbp_is_finite((double)beta) || !(beta >= 0)) return LBP_E_RANGE;
  c->beta = beta;
  return LBP_OK;
}

LBP_INLINE LBP_REAL LBP_(size)(LBP_REAL v) { return v < 0 ? -v : v; }

/* The relative rounding of an LBP_REAL. */
LBP_INLINE LBP_REAL LBP_(epsilon)(void) {
  return (LBP_REAL)(sizeof(LBP_REAL) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON);
}

/* The sum of LBP_AB_WIDTH sums. */
LBP_INLINE LBP_REAL LBP_(fold)(const LBP_REAL *lane) {
  LBP_REAL sum = 0;
  uint32_t l;
  for (l = 0; 2 * l + 1 < LBP_AB_WIDTH; l++) sum += lane[l] + lane[l + LBP_AB_WIDTH / 2];
  return LBP_AB_WIDTH > 1 ? sum : lane[0];
}

/* Whether v is NaN or infinite, by its bits: fast-math compilers remove comparisons. */
LBP_INLINE uint32_t LBP_(is_wild)(LBP_REAL v) {
  if (sizeof v == sizeof(uint32_t)) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (bits & 0x7f800000u) == 0x7f800000u;
  }
  return !lbp_is_finite((double)v);
}

/* Whether log pi and its gradient are numbers; log pi may be -infinity. */
LBP_FN int LBP_(is_usable)(LBP_REAL logp, const LBP_REAL *gradient, uint32_t n) {
  uint32_t wild = 0, i;
  for (i = 0; i < n; i++) wild += LBP_(is_wild)(gradient[i]);
  return wild == 0 && (!LBP_(is_wild)(logp) || logp < 0);
}

/* ---- scales: which sampler a step is ----------------------------------------------------------------------------- */

/* Returns a first-order scale, W = D = 0, kernel exp(-|z|^2 / (2 sigma)), sigma > 0: with alpha = 1/2 the discrete
 * Langevin proposal, with alpha from 1/2 to 1 AB-1st. */
LBP_FN LBP_SCALE_T LBP_NAME_(first_order)(LBP_REAL sigma, LBP_REAL alpha) {
  LBP_SCALE_T s;
  s.alpha = alpha;
  s.damping = 0;
  s.flat = 1 / sigma;
  s.along = 0;
  return s;
}

/* Returns the scale of the discrete Langevin proposal in the metric of D, kernel exp(-z'Dz / sigma). */
LBP_FN LBP_SCALE_T LBP_NAME_(langevin_d)(LBP_REAL sigma) {
  LBP_SCALE_T s = LBP_NAME_(first_order)(1, (LBP_REAL)0.5);
  s.flat = 0;
  s.along = 2 / sigma;
  return s;
}

/* Returns a second-order scale with the kernel of [A], exp(-|z|^2 / (2 sigma)). */
LBP_FN LBP_SCALE_T LBP_NAME_(second_order)(LBP_REAL sigma, LBP_REAL alpha) {
  LBP_SCALE_T s = LBP_NAME_(first_order)(sigma, alpha);
  s.damping = 1;
  return s;
}

/* Returns a second-order scale in the metric of D: kernel exp(-z'Dz / (2 s)), alpha = alpha(s rho) of (6), W and D
 * multiplied by `damping` in (0, 1]. s > 0, rho > 0. */
LBP_FN LBP_SCALE_T LBP_NAME_(second_order_d)(LBP_REAL s, LBP_REAL rho, LBP_REAL damping) {
  LBP_SCALE_T scale;
  scale.alpha = (LBP_REAL)lbp_alpha((double)(s * rho));
  scale.damping = damping;
  scale.flat = 0;
  scale.along = damping / s;
  return scale;
}

/* ---- the noise --------------------------------------------------------------------------------------------------- */

/* LBP_NOISE_TILE columns of the root's first `rows` rows, n apart, for eight steps: out = sum over k of row_k times
 * xi[8 k + step]. The sums stay in registers if they are written out like this, and if the function stays by itself:
 * once inlined, clang keeps them in memory. */
LBP_P_APART void LBP_(noise_tile)(const LBP_REAL *row, size_t n, size_t rows, const LBP_REAL *xi,
                                  LBP_REAL (*out)[LBP_NOISE_TILE]) {
  LBP_REAL sum[8][LBP_NOISE_TILE] = {{0}};
  size_t k;
  int i;
  for (k = 0; k < rows; k++, row += n, xi += 8) {
    for (i = 0; i < (int)LBP_NOISE_TILE; i++) {
      sum[0][i] += xi[0] * row[i];
      sum[1][i] += xi[1] * row[i];
      sum[2][i] += xi[2] * row[i];
      sum[3][i] += xi[3] * row[i];
      sum[4][i] += xi[4] * row[i];
      sum[5][i] += xi[5] * row[i];
      sum[6][i] += xi[6] * row[i];
      sum[7][i] += xi[7] * row[i];
    }
  }
  memcpy(out, sum, sizeof sum);
}

LBP_FN void LBP_(noise_dense)(LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature, LBP_RNG_T *rng) {
  const size_t n = c->n, rank = curvature->rank;
  const uint32_t *order = curvature->order;
  LBP_REAL tile[8][LBP_NOISE_TILE];
  size_t done, i, k, t;
  LBP_(normals)(rng, c->normals, LBP_NOISE_STEPS * rank);
  for (done = 0; done < n; done += LBP_NOISE_TILE) { /* where columns are left over, the last tile repeats some */
    const size_t first = done + LBP_NOISE_TILE <= n ? done : n < LBP_NOISE_TILE ? 0 : n - LBP_NOISE_TILE;
    const size_t width = n < LBP_NOISE_TILE ? n : LBP_NOISE_TILE, rows = first + width < rank ? first + width : rank;
    const LBP_REAL *root = curvature->root + first;
    for (t = 0; t < LBP_NOISE_STEPS; t += 8) { /* while these columns are in the cache */
      const LBP_REAL *xi = c->normals + t * rank;
      if (width == LBP_NOISE_TILE) {
        LBP_(noise_tile)(root, n, rows, xi, tile);
      } else {
        memset(tile, 0, sizeof tile);
        for (k = 0; k < 8 * rows; k++) {
          for (i = 0; i < width; i++) tile[k % 8][i] += xi[k] * root[k / 8 * n + i];
        }
      }
      for (k = 0; k < 8; k++) {
        for (i = 0; i < width; i++) c->noise[(t + k) * n + order[first + i]] = tile[k][i];
      }
    }
  }
}

/* An edge adds to its ends for all steps at once; sums by site, then by step. */
LBP_FN void LBP_(noise_edges)(LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature, LBP_RNG_T *rng) {
  LBP_REAL xi[LBP_AB_WIDTH * LBP_NOISE_STEPS], *sum = c->normals;
  const size_t n = c->n;
  uint32_t e, t;
  size_t i;
  LBP_(normals)(rng, sum, LBP_NOISE_STEPS * n);
  for (i = 0; i < n; i++) {
    for (t = 0; t < LBP_NOISE_STEPS; t++) sum[i * LBP_NOISE_STEPS + t] *= curvature->site[i];
  }
  for (e = 0; e < curvature->edges; e++) {
    const LBP_REAL w = curvature->edge[e], size = w < 0 ? -w : w;
    const LBP_REAL *z = xi + (size_t)(e % LBP_AB_WIDTH) * LBP_NOISE_STEPS;
    LBP_REAL *one = sum + (size_t)curvature->ends[2 * e] * LBP_NOISE_STEPS;
    LBP_REAL *two = sum + (size_t)curvature->ends[2 * e + 1] * LBP_NOISE_STEPS;
    const uint32_t left = curvature->edges - e;
    const size_t lanes = left < LBP_AB_WIDTH ? left : LBP_AB_WIDTH;
    if (e % LBP_AB_WIDTH == 0) LBP_(normals)(rng, xi, lanes * LBP_NOISE_STEPS);
    for (t = 0; t < LBP_NOISE_STEPS; t++) one[t] += size * z[t];
    for (t = 0; t < LBP_NOISE_STEPS; t++) two[t] += w * z[t];
  }
  for (t = 0; t < LBP_NOISE_STEPS; t++) {
    for (i = 0; i < n; i++) c->noise[t * n + i] = sum[i * LBP_NOISE_STEPS + t];
  }
}

/* G = S xi for LBP_NOISE_STEPS steps ahead: they do not depend on the state, and many products cost little more than
 * one. */
LBP_FN void LBP_(make_noise)(LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature, LBP_RNG_T *rng) {
  if (curvature->root) LBP_(noise_dense)(c, curvature, rng);
  else LBP_(noise_edges)(c, curvature, rng);
  c->noise_of = curvature;
  c->noise_left = LBP_NOISE_STEPS;
}

/* ---- proposals: sites are independent given G -----------------------------------------------------------------------
 *
 * Q(v) ~ exp(c v - a v^2 / 2), v = 0 ... S - 1. Probabilities are whole numbers: draws use those that the acceptance
 * divides by, whatever the exponentials' rounding is; exactly with two values, with more up to 2^-32. */

/* Sites are handled in strips, and the strips LBP_AB_WIDTH at a time. Bytes are converted apart from the
 * arithmetic: in one loop they would make compilers take the shortest vectors. */
#define LBP_P_STRIP (2 * LBP_BLOCK)

/* A strip: c and a, 32 random bits each where values are to be drawn, the values, and Q of each. */
typedef struct {
  LBP_REAL c[LBP_P_STRIP], a[LBP_P_STRIP], q[LBP_P_STRIP];
  uint32_t bits[LBP_P_STRIP], v[LBP_P_STRIP];
} LBP_(strip);

/* v with its magnitude cut to `limit`; NaN becomes +-limit. */
LBP_INLINE LBP_REAL LBP_(clamp)(LBP_REAL v, LBP_REAL limit) {
  if (sizeof(LBP_REAL) == sizeof(float)) return (LBP_REAL)lbp_clamp((float)v, (float)limit);
  return (LBP_REAL)lbp_clamp_double((double)v, (double)limit);
}

/* exp(-t), 1 for t < 0. A comparison would be a branch, see lbp_clamp. */
LBP_INLINE LBP_REAL LBP_(fade)(LBP_REAL t) {
  const LBP_REAL cut = LBP_(clamp)(t, 28);
  const LBP_REAL v = (LBP_REAL)-0.5 * (cut + (LBP_REAL)fabs((double)cut));
  float above, below;
  if (sizeof(LBP_REAL) > sizeof(float)) return LBP_(exp)(v);
  lbp_exp_quotient((float)v, &above, &below);
  return (LBP_REAL)(above / below);
}

/* The weight of 1 among 2^31, 1 to 2^31 - 1, if its log-odds are t. */
LBP_INLINE uint32_t LBP_(odds)(LBP_REAL t) {
  const LBP_REAL v = LBP_(clamp)(-t, 24);
  float above = 0, below = 0;
  uint32_t whole;
  if (sizeof(LBP_REAL) == sizeof(float)) lbp_exp_quotient((float)v, &above, &below);
  whole = sizeof(LBP_REAL) == sizeof(float) ? (uint32_t)(int32_t)(LBP_WEIGHT_MAX * (below / (below + above)))
                                               : (uint32_t)(int32_t)((LBP_REAL)2147483520 / (1 + LBP_(exp)(v)));
  return whole | (whole == 0);
}

/* LBP_AB_WIDTH binary sites from `first` on: drawn, or those of b->v. */
LBP_INLINE void LBP_(propose_bits)(LBP_(strip) *b, size_t first, int draw) {
  const LBP_REAL *c = b->c + first, *a = b->a + first;
  uint32_t *v = b->v + first, weight[LBP_AB_WIDTH], i;
  for (i = 0; i < LBP_AB_WIDTH; i++) weight[i] = LBP_(odds)(c[i] - a[i] * (LBP_REAL)0.5);
  if (draw) {
    for (i = 0; i < LBP_AB_WIDTH; i++) v[i] = b->bits[first + i] >> 1 < weight[i];
  }
  for (i = 0; i < LBP_AB_WIDTH; i++) {
    const uint32_t w = v[i] ? weight[i] : 0x80000000u - weight[i];
    b->q[first + i] = (LBP_REAL)(int32_t)w * (LBP_REAL)4.656612873077392578125e-10;
  }
}

/* Weights of more than two values go outward from the mode, where the ratios of neighbours are at most 1 and shrink by
 * exp(-a) each: no exponential for every value, and none overflows. In whole numbers they are 1 more than what is left
 * of the fraction, so that every value can be reached. A walk is k values away from the mode on either side. */
typedef struct {
  LBP_REAL up[LBP_AB_WIDTH], up_ratio[LBP_AB_WIDTH], down[LBP_AB_WIDTH], down_ratio[LBP_AB_WIDTH],
      fade[LBP_AB_WIDTH];
} LBP_(walk);

#define LBP_P_TINY ((LBP_REAL)1e-12) /* added, so that nothing becomes subnormal, which would be slow */

/* The next value: its weight's excess over 1, 0 where there is no such value. */
LBP_INLINE uint32_t LBP_(further)(LBP_REAL *weight, LBP_REAL *ratio, LBP_REAL fade, int32_t exists) {
  *weight = *weight * *ratio + LBP_P_TINY;
  *ratio = *ratio * fade + LBP_P_TINY;
  return exists ? (uint32_t)(int32_t)*weight : 0;
}

/* Takes a value if the rest of the target is below its weight; once passed, the target is above all weights. */
LBP_INLINE void LBP_(pass)(uint32_t w, int32_t value, uint32_t *rest, int32_t *v, uint32_t *weight) {
  const int hit = *rest < w;
  *v = hit ? value : *v;
  *weight = hit ? w : *weight;
  *rest -= w;
}

/* How far walks go: they end where all weights are 1. k values away from the mode these are below
 * 1 + 2^31 exp(-a k (k - 1) / 2). */
LBP_INLINE int32_t LBP_(reach)(const LBP_REAL *a, int32_t top) {
  LBP_REAL least = a[0];
  int32_t reach = top;
  uint32_t i;
  for (i = 1; i < LBP_AB_WIDTH; i++) least = a[i] < least ? a[i] : least;
  if (least * (LBP_REAL)(top * top) > 44) {
    reach = (int32_t)((LBP_REAL)1.5 + LBP_(sqrt)((LBP_REAL)0.25 + 44 / least));
  }
  return reach < top ? reach : top;
}

/* Where walks begin: at the modes, which have the weight `unit`. */
LBP_INLINE void LBP_(begin_walk)(const LBP_REAL *c, const LBP_REAL *a, int32_t top, uint32_t unit, LBP_(walk) *w,
                                 int32_t *mode) {
  uint32_t i;
  for (i = 0; i < LBP_AB_WIDTH; i++) {
    const LBP_REAL curve = a[i] + LBP_P_TINY, force = LBP_(clamp)(c[i], (LBP_REAL)1e30);
    const int32_t nearest = (int32_t)(LBP_(clamp)(force / curve, 256) + (LBP_REAL)256.5) - 256;
    const int32_t low = nearest > 0 ? nearest : 0;
    LBP_REAL slope;
    mode[i] = low < top ? low : top;
    slope = force - curve * (LBP_REAL)mode[i];
    w->up_ratio[i] = LBP_(fade)(curve * (LBP_REAL)0.5 - slope);
    w->down_ratio[i] = LBP_(fade)(curve * (LBP_REAL)0.5 + slope);
    w->fade[i] = LBP_(fade)(curve);
    w->up[i] = w->down[i] = (LBP_REAL)(int32_t)unit;
  }
}

/* The same for sites of S values. */
LBP_INLINE void LBP_(propose_values)(LBP_(strip) *b, size_t first, uint32_t states, int draw) {
  const uint32_t unit = 0x7f000000u / states;
  const int32_t top = (int32_t)states - 1, reach = LBP_(reach)(b->a + first, top);
  uint32_t total[LBP_AB_WIDTH], rest[LBP_AB_WIDTH], weight[LBP_AB_WIDTH], i;
  int32_t mode[LBP_AB_WIDTH], v[LBP_AB_WIDTH], k;
  LBP_(walk) start, w;
  LBP_(begin_walk)(b->c + first, b->a + first, top, unit, &start, mode);
  for (i = 0; i < LBP_AB_WIDTH; i++) {
    v[i] = draw ? -1 : (int32_t)b->v[first + i];
    weight[i] = v[i] == mode[i] ? unit + 1 : 1;
    total[i] = unit + states;
  }
  w = start;
  for (k = 1; k <= reach; k++) {
    for (i = 0; i < LBP_AB_WIDTH; i++) {
      const uint32_t above = LBP_(further)(&w.up[i], &w.up_ratio[i], w.fade[i], mode[i] + k <= top);
      const uint32_t below = LBP_(further)(&w.down[i], &w.down_ratio[i], w.fade[i], mode[i] >= k);
      total[i] += above + below;
      if (!draw) weight[i] += (v[i] == mode[i] + k ? above : 0) + (v[i] == mode[i] - k ? below : 0);
    }
  }
  if (draw) { /* the same walk, until the target is passed */
    for (i = 0; i < LBP_AB_WIDTH; i++) {
      rest[i] = (uint32_t)((uint64_t)b->bits[first + i] * total[i] >> 32);
      LBP_(pass)(unit + 1, mode[i], &rest[i], &v[i], &weight[i]);
    }
    w = start;
    for (k = 1; k <= reach; k++) {
      for (i = 0; i < LBP_AB_WIDTH; i++) {
        const int32_t high = mode[i] + k <= top, low = mode[i] >= k;
        const uint32_t above = LBP_(further)(&w.up[i], &w.up_ratio[i], w.fade[i], high) + (uint32_t)high;
        const uint32_t below = LBP_(further)(&w.down[i], &w.down_ratio[i], w.fade[i], low) + (uint32_t)low;
        LBP_(pass)(above, mode[i] + k, &rest[i], &v[i], &weight[i]);
        LBP_(pass)(below, mode[i] - k, &rest[i], &v[i], &weight[i]);
      }
    }
    for (i = 0; i < LBP_AB_WIDTH; i++) {
      const int32_t below = mode[i] > reach ? mode[i] - reach : 0, left = (int32_t)rest[i]; /* beyond the walk's ends */
      const int32_t outside = left < below ? left : mode[i] + reach + 1 + left - below;
      b->v[first + i] = (uint32_t)(v[i] < 0 ? outside : v[i]);
    }
  }
  for (i = 0; i < LBP_AB_WIDTH; i++) b->q[first + i] = (LBP_REAL)(int32_t)weight[i] / (LBP_REAL)(int32_t)total[i];
}

#ifdef LBP_CLAMPED
/* Before values are drawn: clamped sites are lanes that take no time. */
LBP_FN void LBP_(rest)(LBP_(strip) *b, const uint8_t *mask, size_t count) {
  size_t i;
  for (i = 0; i < count; i++) {
    b->c[i] = mask[i] ? 0 : b->c[i];
    b->a[i] = mask[i] ? 64 : b->a[i];
  }
}

/* Afterwards: they have the value that they had, for certain, there and back. */
LBP_FN void LBP_(hold)(LBP_(strip) *b, const uint8_t *mask, const uint8_t *at, size_t count) {
  size_t i;
  for (i = 0; i < count; i++) {
    b->v[i] = mask[i] ? at[i] : b->v[i];
    b->q[i] = mask[i] ? 1 : b->q[i];
  }
}
#endif

/* Which sites are over-relaxed: each with probability `relax`. */
LBP_FN void LBP_(choose_relaxed)(LBP_RNG_T *rng, LBP_REAL relax, uint32_t *relaxed, size_t count) {
  const uint32_t limit = (uint32_t)(int32_t)(relax * (LBP_REAL)2147483520);
  size_t i;
  if (relax > 0 && relax < 1) LBP_(bits)(rng, relaxed, (uint32_t)count);
  for (i = 0; i < count; i++) relaxed[i] = relax >= 1 || (relax > 0 && relaxed[i] >> 1 < limit);
}

/* LBP_AB_WIDTH binary sites from `first` on, each drawn from Q with probability 1 - relax, else over-relaxed: flipped
 * with probability min(1, Q(1 - x) / Q(x)), which is reversible for Q, too. */
LBP_INLINE void LBP_(relax_bits)(LBP_(strip) *b, size_t first, LBP_REAL relax) {
  const LBP_REAL *c = b->c + first, *a = b->a + first, drawn = 1 - relax, reflected = relax * (LBP_REAL)2147483520;
  uint32_t *v = b->v + first, i;
  for (i = 0; i < LBP_AB_WIDTH; i++) {
    const LBP_REAL up = c[i] - a[i] * (LBP_REAL)0.5;
    const uint32_t other = LBP_(odds)(v[i] ? -up : up);
    const LBP_REAL to = (LBP_REAL)(int32_t)other, from = (LBP_REAL)(int32_t)(0x80000000u - other);
    const LBP_REAL flip = drawn * to + reflected * LBP_(clamp)(to / from, 1);
    v[i] ^= b->bits[first + i] >> 1 < (uint32_t)(int32_t)LBP_(clamp)(flip, (LBP_REAL)2147483520);
  }
}

/* The same of S values, over-relaxed where relaxed[i] is 1: of w, uniform on x's part of the cumulative distribution,
 * the value that has 1 - w in its part. Whole numbers again; values below 2^-31 of the mode's probability have none,
 * since nothing divides by them. */
LBP_INLINE void LBP_(relax_values)(LBP_(strip) *b, size_t first, uint32_t states, const uint32_t *relaxed) {
  const uint32_t unit = 0x7f000000u / states;
  const int32_t top = (int32_t)states - 1, reach = LBP_(reach)(b->a + first, top);
  uint32_t total[LBP_AB_WIDTH], lower[LBP_AB_WIDTH], inner[LBP_AB_WIDTH], own[LBP_AB_WIDTH], rest[LBP_AB_WIDTH], i;
  int32_t mode[LBP_AB_WIDTH], x[LBP_AB_WIDTH], side[LBP_AB_WIDTH], k;
  LBP_(walk) start, w;
  LBP_(begin_walk)(b->c + first, b->a + first, top, unit, &start, mode);
  for (i = 0; i < LBP_AB_WIDTH; i++) {
    x[i] = (int32_t)b->v[first + i];
    own[i] = x[i] == mode[i] ? unit : 0;
    lower[i] = inner[i] = 0;
    total[i] = unit;
  }
  w = start;
  for (k = 1; k <= reach; k++) { /* the weights of all values, of those below the mode, of x, of those before x */
    for (i = 0; i < LBP_AB_WIDTH; i++) {
      const uint32_t above = LBP_(further)(&w.up[i], &w.up_ratio[i], w.fade[i], mode[i] + k <= top);
      const uint32_t below = LBP_(further)(&w.down[i], &w.down_ratio[i], w.fade[i], mode[i] >= k);
      total[i] += above + below;
      lower[i] += below;
      own[i] += (x[i] == mode[i] + k ? above : 0) + (x[i] == mode[i] - k ? below : 0);
      inner[i] += (x[i] > mode[i] + k ? above : 0) + (x[i] < mode[i] - k ? below : 0);
    }
  }
  for (i = 0; i < LBP_AB_WIDTH; i++) { /* where in the cumulative distribution the new value is, seen from the mode */
    const uint32_t word = b->bits[first + i];
    const uint32_t begin = x[i] < mode[i]   ? lower[i] - inner[i] - own[i]
                           : x[i] > mode[i] ? lower[i] + unit + inner[i] : lower[i];
    const uint32_t at = begin + (uint32_t)((uint64_t)word * own[i] >> 32);
    const uint32_t mirrored = at < total[i] ? total[i] - 1 - at : 0;
    const uint32_t drawn = (uint32_t)((uint64_t)word * total[i] >> 32);
    const int32_t target = (int32_t)(relaxed[i] ? mirrored : drawn) - (int32_t)lower[i];
    side[i] = target < 0 ? -1 : target < (int32_t)unit ? 0 : 1;
    rest[i] = side[i] < 0 ? (uint32_t)(-1 - target) : side[i] > 0 ? (uint32_t)target - unit : UINT32_MAX;
    w.up[i] = (LBP_REAL)(int32_t)unit;
    w.up_ratio[i] = side[i] < 0 ? start.down_ratio[i] : start.up_ratio[i];
    x[i] = mode[i];
  }
  for (k = 1; k <= reach; k++) { /* the same walk, on that side, until the target is passed */
    for (i = 0; i < LBP_AB_WIDTH; i++) {
      const int32_t value = mode[i] + side[i] * k;
      const uint32_t weight = LBP_(further)(&w.up[i], &w.up_ratio[i], w.fade[i], value >= 0 && value <= top);
      x[i] = rest[i] < weight ? value : x[i];
      rest[i] -= weight;
    }
  }
  for (i = 0; i < LBP_AB_WIDTH; i++) b->v[first + i] = (uint32_t)x[i];
}

/* All sites of c->x over-relaxed, each with probability `relax`, into c->y: Q(v) ~ exp(force v - K v^2 / 2), with
 * `force` in c->shift and K = beta D. */
LBP_FN void LBP_(relax)(LBP_CHAIN_T *c, const LBP_REAL *D, LBP_REAL relax, LBP_RNG_T *rng) {
  const uint32_t states = LBP_P_STATES(c);
  const LBP_REAL beta = c->beta;
  uint32_t relaxed[LBP_P_STRIP];
  LBP_(strip) b;
  size_t first, count, i;
  for (first = 0; first < c->n; first += count) {
    const uint8_t *x = c->x + first;
    uint8_t *y = c->y + first;
    count = c->n - first < LBP_P_STRIP ? c->n - first : LBP_P_STRIP;
    for (i = count; i % LBP_AB_WIDTH > 0; i++) { /* harmless lanes fill up */
      b.c[i] = 0;
      b.a[i] = 64;
      b.bits[i] = b.v[i] = relaxed[i] = 0;
    }
    for (i = 0; i < count; i++) b.c[i] = c->shift[first + i];
    for (i = 0; i < count; i++) b.a[i] = beta * D[first + i];
    for (i = 0; i < count; i++) b.v[i] = x[i];
    LBP_P_CLAMP(if (c->mask) LBP_(rest)(&b, c->mask + first, count);)
    LBP_(bits)(rng, b.bits, (uint32_t)count);
    if (states > 2) LBP_(choose_relaxed)(rng, relax, relaxed, count);
    for (i = 0; i < count; i += LBP_AB_WIDTH) {
      if (states == 2) LBP_(relax_bits)(&b, i, relax);
      else LBP_(relax_values)(&b, i, states, relaxed + i);
    }
    LBP_P_CLAMP(for (i = 0; c->mask && i < count; i++) b.v[i] = c->mask[first + i] ? x[i] : b.v[i];)
    for (i = 0; i < count; i++) y[i] = (uint8_t)b.v[i];
  }
}

/* All sites of a proposal from `at`, where the gradient, or its substitute, is `force`, `beta` of which
 * counts: drawn into v if rng is given, else those of v. Returns log Q(v). D may be NULL. */
LBP_FN LBP_REAL LBP_(propose)(const LBP_CHAIN_T *c, const LBP_SCALE_T *s, const LBP_REAL *D, const uint8_t *at,
                                 const LBP_REAL *force, LBP_REAL beta, LBP_RNG_T *rng, uint8_t *v) {
  const LBP_REAL push = s->alpha * beta, flat = s->flat, along = s->along, damped = s->alpha * s->damping;
  const uint32_t states = LBP_P_STATES(c);
  LBP_REAL sum[LBP_AB_WIDTH] = {0}, product[LBP_AB_WIDTH];
  LBP_(strip) b;
  size_t left, count, i;
  uint32_t l;
  for (l = 0; l < LBP_AB_WIDTH; l++) product[l] = 1;
  for (left = c->n; left > 0; left -= count, at += count, force += count, v += count) {
    count = left < LBP_P_STRIP ? left : LBP_P_STRIP;
    for (i = count; i % LBP_AB_WIDTH > 0; i++) { /* harmless lanes fill up */
      b.c[i] = 0;
      b.a[i] = 64;
      b.bits[i] = b.v[i] = 0;
    }
    for (i = 0; i < count; i++) b.a[i] = flat;
    if (D) {
      for (i = 0; i < count; i++) b.a[i] += along * D[i];
    }
    for (i = 0; i < count; i++) b.c[i] = push * force[i] + b.a[i] * (LBP_REAL)(int32_t)at[i];
    if (D) {
      for (i = 0; i < count; i++) b.a[i] += damped * D[i];
      D += count;
    }
    LBP_P_CLAMP(if (c->mask) LBP_(rest)(&b, c->mask + (c->n - left), count);)
    if (rng) {
      LBP_(bits)(rng, b.bits, (uint32_t)count);
    } else {
      for (i = 0; i < count; i++) b.v[i] = v[i];
    }
    for (i = 0; i < count; i += LBP_AB_WIDTH) {
      if (states == 2) LBP_(propose_bits)(&b, i, rng != NULL);
      else LBP_(propose_values)(&b, i, states, rng != NULL);
    }
    LBP_P_CLAMP(if (c->mask) LBP_(hold)(&b, c->mask + (c->n - left), at, count);)
    for (i = count; i % LBP_AB_WIDTH > 0; i++) b.q[i] = 1;
    for (i = 0; i < count; i += LBP_AB_WIDTH) { /* one logarithm of four: each is above 2^-31 */
      const int last = i + LBP_AB_WIDTH >= count || i / LBP_AB_WIDTH % 4 == 3;
      for (l = 0; l < LBP_AB_WIDTH; l++) product[l] *= b.q[i + l];
      if (!last) continue;
      for (l = 0; l < LBP_AB_WIDTH; l++) {
        sum[l] += LBP_(log)(product[l]);
        product[l] = 1;
      }
    }
    if (rng) {
      for (i = 0; i < count; i++) v[i] = (uint8_t)b.v[i];
    }
  }
  return LBP_(fold)(sum);
}

/* ---- checks before a step, in checked builds --------------------------------------------------------------------- */

#if LBP_CHECKED
/* Whether log pi and the gradient that the chain keeps are those of x; not to the last bits, since sums may
 * be taken in another order. */
LBP_FN int LBP_(is_fresh)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const LBP_REAL slack = (LBP_REAL)(sizeof(LBP_REAL) == sizeof(float) ? 1e-3 : 1e-8);
  const LBP_REAL logp = LBP_(call_gradient)(m, c->x, c->shift);
  LBP_REAL off = 0, size = 1;
  uint32_t i;
  if (lbp_is_finite((double)c->logp) || lbp_is_finite((double)logp)) {
    if (!(fabs((double)(logp - c->logp)) <= (double)slack * (1 + fabs((double)logp)))) return 0;
  }
  for (i = 0; c->gradient_ready && i < c->n; i++) {
    off += (LBP_REAL)fabs((double)(c->gradient[i] - c->shift[i]));
    size += (LBP_REAL)fabs((double)c->shift[i]);
  }
  return off <= slack * size;
}

/* Returns LBP_E_NULL without a chain, a generator or another argument of the step; LBP_E_NOT_MADE: chain or generator
 * were not made; LBP_E_STATE; LBP_E_STALE: log pi and gradient in the chain are not those at x (takes a gradient).
 * Calls LBP_ON_ERROR. */
LBP_FN int LBP_(judge)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const void *other, const LBP_RNG_T *rng) {
  int status = LBP_OK;
  uint32_t i;
  if (!c || !rng || !other) {
    status = LBP_E_NULL;
  } else if (c->made != LBP_MADE) {
    status = LBP_E_NOT_MADE;
#ifdef LBP_P_OWN_RNG
  } else if (!lbp_rng_is_made(rng)) {
    status = LBP_E_NOT_MADE;
#endif
  } else {
    for (i = 0; i < c->n; i++) {
      if (c->x[i] >= LBP_P_STATES(c)) status = LBP_E_STATE;
    }
    if (status == LBP_OK && c->logp_ready && !LBP_(is_fresh)(c, m)) status = LBP_E_STALE;
  }
  if (status != LBP_OK) LBP_(on_error)(status, 0);
  return status;
}

#endif

#if LBP_CHECKED || defined LBP_CLAMPED
/* The result of a step that does nothing. */
LBP_FN LBP_INFO_T LBP_(nothing)(int status) {
  LBP_INFO_T info;
  memset(&info, 0, sizeof info);
  info.status = status;
  return info;
}
#endif

/* Returns from a step that cannot be taken; checked builds look for all reasons. */
#define LBP_P_ENTER(other) \
  LBP_P_CHECK(const int unfit = LBP_(judge)(c, m, other, rng); if (unfit != LBP_OK) return LBP_(nothing)(unfit);) \
  LBP_P_CLAMP(if (c->free == 0) return LBP_(nothing)(LBP_E_CLAMPED);)

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* shift = W z for z = x - y. */
LBP_FN void LBP_(turn)(LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature, const LBP_REAL *z) {
  const size_t n = c->n;
  LBP_REAL *shift = c->shift;
  uint32_t e;
  size_t i, j;
  if (curvature->exact) {
    for (i = 0; i < n; i++) shift[i] = c->gradient[i] - c->proposed[i];
  } else if (curvature->W) {
    for (i = 0; i < n; i++) shift[i] = 0;
    for (j = 0; j < n; j++) {
      const LBP_REAL *row = curvature->W + j * n, zj = z[j];
      if (c->x[j] == c->y[j]) continue;
      for (i = 0; i < n; i++) shift[i] += row[i] * zj;
    }
  } else { /* S S' z - D z */
    for (i = 0; i < n; i++) shift[i] = (curvature->site[i] * curvature->site[i] - curvature->D[i]) * z[i];
    for (e = 0; e < curvature->edges; e++) {
      const uint32_t one = curvature->ends[2 * e], two = curvature->ends[2 * e + 1];
      const LBP_REAL w = curvature->edge[e], size = w < 0 ? -w : w, along = size * z[one] + w * z[two];
      shift[one] += size * along;
      shift[two] += w * along;
    }
  }
}

/* G.(x - y) + (x - y)'(W + D)(x - y) / 2, damped; leaves W (x - y) in c->shift. */
LBP_FN LBP_REAL LBP_(quadratic)(LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature, const LBP_REAL *noise,
                                   LBP_REAL damping) {
  const LBP_REAL root = LBP_(sqrt)(damping), half = damping * (LBP_REAL)0.5;
  const LBP_REAL *D = curvature->D, *shift = c->shift;
  LBP_REAL sum[LBP_AB_WIDTH] = {0}, *z = c->normals;
  uint32_t i, l;
  for (i = 0; i < c->n; i++) z[i] = (LBP_REAL)(c->x[i] - c->y[i]);
  LBP_(turn)(c, curvature, z);
  for (i = 0; i < c->n; i++) z[i] *= root * noise[i] + half * (shift[i] + D[i] * z[i]);
  for (i = 0; i + LBP_AB_WIDTH <= c->n; i += LBP_AB_WIDTH) {
    for (l = 0; l < LBP_AB_WIDTH; l++) sum[l] += z[i + l];
  }
  for (l = 0; i < c->n; i++, l++) sum[l] += z[i];
  return LBP_(fold)(sum);
}

/* c->shift = gradient + D x + G, damped, plus W (x - y) of c->shift in reverse, all at the chain's temperature. */
LBP_FN void LBP_(drift)(LBP_CHAIN_T *c, const LBP_REAL *D, const LBP_REAL *noise, LBP_REAL damping,
                        int reverse) {
  const LBP_REAL *gradient = reverse ? c->proposed : c->gradient, root = LBP_(sqrt)(damping);
  const LBP_REAL beta = c->beta;
  LBP_REAL *force = c->shift;
  uint32_t i;
  if (!reverse) {
    for (i = 0; i < c->n; i++) force[i] = 0;
  }
  for (i = 0; i < c->n; i++) {
    force[i] = beta * gradient[i] + root * noise[i] + damping * (force[i] + D[i] * (LBP_REAL)(int32_t)c->x[i]);
  }
}

/* How far y is from x; *changed: at how many sites. */
LBP_FN uint32_t LBP_(distance)(const LBP_CHAIN_T *c, uint32_t *changed) {
  const uint8_t *x = c->x, *y = c->y;
  uint32_t jump = 0, i;
  *changed = 0;
  for (i = 0; i < c->n; i++) {
    const uint32_t gap = x[i] > y[i] ? (uint32_t)(x[i] - y[i]) : (uint32_t)(y[i] - x[i]);
    *changed += gap > 0;
    jump += gap;
  }
  return jump;
}

/* x and y change places; log pi of y is logp. */
LBP_FN void LBP_(exchange)(LBP_CHAIN_T *c, LBP_REAL logp) {
  uint8_t *x = c->x, *y = c->y;
  uint32_t i;
  for (i = 0; i < c->n; i++) {
    const uint8_t old = x[i];
    x[i] = y[i];
    y[i] = old;
  }
  c->logp = logp;
  c->logp_ready = 1;
}

/* Accepts y, whose log pi is logp, or not, given log q(y, x) - log q(x, y); on acceptance x and y change places. An
 * impossible x is left at any beta, for 0, too. */
LBP_FN void LBP_(conclude)(LBP_CHAIN_T *c, LBP_INFO_T *info, LBP_REAL log_ratio, LBP_REAL logp,
                           LBP_RNG_T *rng) {
  const uint64_t word = LBP_(word)(rng);
  const uint32_t leaves = LBP_(is_wild)(c->logp);
  uint32_t changed;
  log_ratio = leaves ? -c->logp : log_ratio + c->beta * logp - c->beta * c->logp;
  info->accept = log_ratio >= 0 ? 1 : log_ratio > -80 ? LBP_(exp)(log_ratio) : 0;
  info->accepted = info->accept >= 1 || lbp_bernoulli_trial(word, (double)info->accept);
  info->proposed = LBP_(distance)(c, &changed);
  if (!info->accepted) return;
  info->changed = changed;
  info->jump = info->proposed;
  info->log_ratio = leaves ? -c->logp : c->beta * logp - c->beta * c->logp;
  LBP_(exchange)(c, logp);
}

/* The scale for pi^beta that corresponds to s for pi: W and D are multiplied by beta. */
LBP_FN LBP_SCALE_T LBP_(tempered)(const LBP_CHAIN_T *c, const LBP_SCALE_T *s) {
  LBP_SCALE_T scale = *s;
  scale.damping *= c->beta;
  scale.along *= c->beta;
  return scale;
}

/* The status that forbids a step on this scale, or LBP_OK. */
LBP_FN int LBP_(refusal)(const LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature, const LBP_SCALE_T *s) {
  const uint32_t wild =
      LBP_(is_wild)(s->alpha) + LBP_(is_wild)(s->damping) + LBP_(is_wild)(s->flat) + LBP_(is_wild)(s->along);
  if (wild > 0 || s->damping < 0 || s->flat < 0 || s->along < 0) return LBP_E_RANGE;
  if (!curvature) return s->damping > 0 || s->along > 0 ? LBP_E_NULL : LBP_OK;
  return curvature->n == c->n ? LBP_OK : LBP_E_SIZE;
}

/* Computes log pi and its gradient at x unless they are known. Returns 0, and sets the status, if they are no
 * numbers. */
LBP_FN int LBP_(ready)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_INFO_T *info) {
  if (c->gradient_ready) return 1;
  c->logp = LBP_(call_gradient)(m, c->x, c->gradient);
  info->evaluations++;
  c->logp_ready = c->gradient_ready = LBP_(is_usable)(c->logp, c->gradient, c->n);
  if (!c->gradient_ready) info->status = LBP_E_MODEL_NAN;
  return c->gradient_ready;
}

/* Takes one Metropolis-Hastings step of the any-scale balanced sampler (algorithm 2, corrected) or of one of its
 * relatives, as `scale` selects. curvature may be NULL for first-order scales. The step rejects a proposal whose log pi
 * or gradient is not finite, and reports that in info.status. It does nothing if the scale needs a curvature and there
 * is none (LBP_E_NULL), if the curvature has another size (LBP_E_SIZE), or if the scale has NaN, infinite or, but for
 * alpha, negative numbers, for example from sigma <= 0 (LBP_E_RANGE). One gradient a step. */
LBP_FN LBP_INFO_T LBP_NAME_(ab_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const LBP_CURVATURE_T *curvature,
                                     const LBP_SCALE_T *scale, LBP_RNG_T *rng) {
  LBP_P_ENTER(scale)
  const LBP_REAL *D = curvature ? curvature->D : NULL;
  const LBP_REAL *noise = NULL;
  LBP_REAL logp, log_ratio, beta = c->beta;
  LBP_SCALE_T s;
  LBP_INFO_T info;
  memset(&info, 0, sizeof info);
  info.status = LBP_(refusal)(c, curvature, scale);
  if (info.status != LBP_OK) return info;
  s = LBP_(tempered)(c, scale);
  if (!LBP_(ready)(c, m, &info)) return info;
  if (s.damping > 0) {
    if (c->noise_left == 0 || c->noise_of != curvature) LBP_(make_noise)(c, curvature, rng);
    noise = c->noise + (size_t)--c->noise_left * c->n;
    LBP_(drift)(c, D, noise, s.damping, 0);
    beta = 1; /* the drift has it */
  }
  log_ratio = -LBP_(propose)(c, &s, D, c->x, noise ? c->shift : c->gradient, beta, rng, c->y);
  logp = LBP_(call_gradient)(m, c->y, c->proposed);
  info.evaluations++;
  if (LBP_(is_wild)(logp) && logp < 0) return info; /* impossible; the gradient there does not matter */
  if (!LBP_(is_usable)(logp, c->proposed, c->n)) {
    info.status = LBP_E_MODEL_NAN;
    return info;
  }
  if (noise) {
    log_ratio -= LBP_(quadratic)(c, curvature, noise, s.damping);
    LBP_(drift)(c, D, noise, s.damping, 1);
  }
  log_ratio += LBP_(propose)(c, &s, D, c->y, noise ? c->shift : c->proposed, beta, NULL, c->x);
  LBP_(conclude)(c, &info, log_ratio, logp, rng);
  if (info.accepted) {
    LBP_REAL *swap = c->gradient;
    c->gradient = c->proposed;
    c->proposed = swap;
  }
  return info;
}

/* ---- AB with a momentum ---------------------------------------------------------------------------------------------
 *
 * The noise of ab_step with alpha = 1 and no kernel, kept from step to step: zeta ~ N(0, A), A = W + D, independent of
 * x. Given it all sites are independent, Q(y) ~ prod_i exp(h_i y_i - D_i y_i^2 / 2) with h = gradient + zeta + D x.
 * Where W is the Hessian of log pi at every x, (y, -zeta') has the same h as (x, zeta) if zeta' = A (y - x) - zeta; so
 * that a move that is reversible for Q, followed by the change of zeta's sign, satisfies generalised detailed balance
 * for pi(x) N(zeta; 0, A), and nothing is left to reject. At inverse temperature beta A counts beta times: what the
 * chain keeps is zeta / sqrt(beta), so that a change of temperature scales it. */

/* The status that forbids a momentum step, or LBP_OK. */
LBP_FN int LBP_(momentum_refusal)(const LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature, LBP_REAL eps,
                                  LBP_REAL relax) {
  if (!curvature) return LBP_E_NULL;
  if (curvature->n != c->n) return LBP_E_SIZE;
  if (!curvature->exact) return LBP_E_INEXACT;
  if (LBP_(is_wild)(eps) || !(eps >= 0 && eps < 1)) return LBP_E_RANGE;
  return LBP_(is_wild)(relax) || !(relax >= 0 && relax <= 1) ? LBP_E_RANGE : LBP_OK;
}

/* c->momentum = eps momentum + sqrt(1 - eps^2) G; all of it is G if there is none yet, or one of another curvature.
 * Returns whether noise was made for it, which is once in LBP_NOISE_STEPS steps. */
LBP_FN int LBP_(refresh)(LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature, LBP_REAL eps, LBP_RNG_T *rng) {
  const int made = c->noise_left == 0 || c->noise_of != curvature;
  const LBP_REAL kept = c->momentum_of == curvature ? eps : 0, fresh = LBP_(sqrt)((1 - kept) * (1 + kept));
  const LBP_REAL *noise;
  uint32_t i;
  if (made) LBP_(make_noise)(c, curvature, rng);
  noise = c->noise + (size_t)--c->noise_left * c->n;
  if (c->momentum_of != curvature) memset(c->momentum, 0, c->n * sizeof *c->momentum);
  for (i = 0; i < c->n; i++) c->momentum[i] = kept * c->momentum[i] + fresh * noise[i];
  c->momentum_of = curvature;
  return made;
}

/* Whether log pi rises from x to y, where it is logp, by the mean of its gradients there times y - x, as it does where
 * it is quadratic; but for rounding. */
LBP_FN int LBP_(is_quadratic)(LBP_CHAIN_T *c, LBP_REAL logp) {
  LBP_REAL rise[LBP_AB_WIDTH] = {0}, size[LBP_AB_WIDTH] = {0}, terms, sum;
  uint32_t i, l;
  for (i = 0; i < c->n; i += LBP_AB_WIDTH) {
    const uint32_t lanes = c->n - i < LBP_AB_WIDTH ? c->n - i : LBP_AB_WIDTH;
    for (l = 0; l < lanes; l++) {
      const LBP_REAL half = (LBP_REAL)0.5 * (LBP_REAL)(c->y[i + l] - c->x[i + l]);
      const LBP_REAL here = half * c->gradient[i + l], there = half * c->proposed[i + l];
      rise[l] += here + there;
      size[l] += LBP_(size)(here) + LBP_(size)(there);
    }
  }
  sum = LBP_(fold)(rise);
  terms = LBP_(fold)(size) + LBP_(size)(c->logp) + LBP_(size)(logp) + (LBP_REAL)c->n;
  if (LBP_(size)(logp - c->logp - sum) <= 64 * LBP_(epsilon)() * terms) return 1;
  c->misfit[0] = logp - c->logp;
  c->misfit[1] = sum;
  return 0;
}

/* out = S S' z, of a dense root; z and out are in the root's order. */
LBP_FN void LBP_(curve_dense)(const LBP_CURVATURE_T *curvature, const LBP_REAL *z, LBP_REAL *out) {
  const size_t n = curvature->n;
  size_t i, k, l;
  for (i = 0; i < n; i++) out[i] = 0;
  for (k = 0; k < curvature->rank; k++) {
    const LBP_REAL *row = curvature->root + k * n;
    LBP_REAL sum[LBP_AB_WIDTH] = {0}, along;
    for (i = k - k % LBP_AB_WIDTH; i + LBP_AB_WIDTH <= n; i += LBP_AB_WIDTH) { /* zeros come before entry k */
      for (l = 0; l < LBP_AB_WIDTH; l++) sum[l] += row[i + l] * z[i + l];
    }
    for (l = 0; i < n; i++, l++) sum[l] += row[i] * z[i];
    along = LBP_(fold)(sum);
    for (i = k; i < n; i++) out[i] += row[i] * along;
  }
}

/* The same by edges. */
LBP_FN void LBP_(curve_edges)(const LBP_CURVATURE_T *curvature, const LBP_REAL *z, LBP_REAL *out) {
  uint32_t i, e;
  for (i = 0; i < curvature->n; i++) out[i] = curvature->site[i] * curvature->site[i] * z[i];
  for (e = 0; e < curvature->edges; e++) {
    const uint32_t one = curvature->ends[2 * e], two = curvature->ends[2 * e + 1];
    const LBP_REAL w = curvature->edge[e], size = LBP_(size)(w), along = size * z[one] + w * z[two];
    out[one] += size * along;
    out[two] += w * along;
  }
}

/* Whether (W + D) (y - x) of the curvature agrees with the gradients at x and y, so that W is the Hessian. A relative
 * error of W below `slack` cannot be distinguished from rounding. */
LBP_FN int LBP_(is_hessian)(LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature) {
  const LBP_REAL slack = (LBP_REAL)(sizeof(LBP_REAL) == sizeof(float) ? 1e-4 : 1e-9), fine = 64 * LBP_(epsilon)();
  const uint32_t *order = curvature->root ? curvature->order : NULL;
  LBP_REAL *z = c->normals, *out = c->normals + c->n, off = 0, size = 0, noise = 0, worst = -1;
  uint32_t k, i;
  for (k = 0; k < c->n; k++) {
    i = order ? order[k] : k;
    z[k] = (LBP_REAL)(c->y[i] - c->x[i]);
  }
  if (order) LBP_(curve_dense)(curvature, z, out);
  else LBP_(curve_edges)(curvature, z, out);
  for (k = 0; k < c->n; k++) {
    LBP_REAL along, turn, miss;
    i = order ? order[k] : k;
    along = curvature->D[i] * z[k];
    turn = c->proposed[i] - c->gradient[i];
    miss = LBP_(size)(out[k] - along - turn);
    off += miss * miss;
    size += along * along + turn * turn;
    noise += c->proposed[i] * c->proposed[i] + c->gradient[i] * c->gradient[i];
    if (miss <= worst) continue;
    worst = miss;
    c->misfit[0] = turn;
    c->misfit[1] = out[k] - along;
  }
  return off <= slack * slack * size + fine * fine * noise;
}

/* zeta' = A (y - x) - zeta, where W is the difference of gradients; at inverse temperature 1. */
LBP_FN void LBP_(reflect)(LBP_CHAIN_T *c, const LBP_REAL *D) {
  const LBP_REAL root = LBP_(sqrt)(c->beta);
  LBP_REAL *momentum = c->momentum;
  uint32_t i;
  for (i = 0; i < c->n; i++) {
    const LBP_REAL along = D[i] * (LBP_REAL)(c->y[i] - c->x[i]);
    momentum[i] = root * (c->proposed[i] - c->gradient[i] + along) - momentum[i];
  }
}

/* The status of log pi and its gradient at the proposal, where log pi is logp: a fault, or LBP_OK. hessian: checks W of
 * the curvature, too. */
LBP_FN int LBP_(misfit)(LBP_CHAIN_T *c, const LBP_CURVATURE_T *curvature, LBP_REAL logp, int hessian) {
  const int possible = !LBP_(is_wild)(c->logp) && !LBP_(is_wild)(logp);
  if (!(LBP_(is_wild)(logp) && logp < 0) && !LBP_(is_usable)(logp, c->proposed, c->n)) return LBP_E_MODEL_NAN;
  c->misfit[0] = logp - c->logp;
  c->misfit[1] = 0;
  if (!possible || !LBP_(is_quadratic)(c, logp)) return LBP_E_NOT_QUADRATIC;
  return hessian && !LBP_(is_hessian)(c, curvature) ? LBP_E_INEXACT : LBP_OK;
}

/* Takes one step with a momentum, which is never rejected. log pi must be quadratic in x (Ising models, pairwise models
 * of any graph, lattice Gaussians), and W of the curvature its Hessian: make it by NAME_curvature_init with exact = 1.
 *
 * eps, in [0, 1): the share of the momentum that stays from step to step. relax, in [0, 1]: the probability to
 * over-relax a site: it moves to the other side of its conditional distribution given the momentum, instead of being
 * drawn from it. 0.8 and 0.4 do well on all targets that were tried; docs/any-scale.md has better values for some. At
 * relax = 1, sites that do not interact may alternate for ever: use less, or mix with other steps. The chain keeps the
 * momentum; it is drawn again after NAME_touch and with another curvature.
 *
 * Draws are exact up to rounding: values less probable than 2^-31 times a site's most probable one are not drawn, or
 * with two values as if they had that probability. As every proposal is accepted, log pi must be quadratic. Otherwise x
 * stays, and info.status is one of:
 *   LBP_E_NULL, LBP_E_SIZE       no curvature; one of another number of sites
 *   LBP_E_RANGE                  eps or relax
 *   LBP_E_INEXACT                the curvature was not made with exact = 1, or W disagrees with gradients at x and at
 *                                the proposal; checked once in LBP_NOISE_STEPS steps
 *   LBP_E_NOT_QUADRATIC          the change of log pi is not that of the mean of its gradients, or log pi is -infinity
 *   LBP_E_MODEL_NAN              log pi or its gradient is no number
 * One gradient a step. */
LBP_FN LBP_INFO_T LBP_NAME_(momentum_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const LBP_CURVATURE_T *curvature,
                                           LBP_REAL eps, LBP_REAL relax, LBP_RNG_T *rng) {
  LBP_P_ENTER(curvature)
  LBP_INFO_T info;
  LBP_REAL logp, *swap;
  uint32_t changed;
  int fresh;
  memset(&info, 0, sizeof info);
  info.status = LBP_(momentum_refusal)(c, curvature, eps, relax);
  if (info.status != LBP_OK || !LBP_(ready)(c, m, &info)) return info;
  fresh = LBP_(refresh)(c, curvature, eps, rng);
  LBP_(drift)(c, curvature->D, c->momentum, c->beta, 0);
  LBP_(relax)(c, curvature->D, c->beta > 0 ? relax : 0, rng); /* at 0 the conditional distribution is the law */
  logp = LBP_(call_gradient)(m, c->y, c->proposed);
  info.evaluations++;
  info.status = LBP_(misfit)(c, curvature, logp, fresh);
  if (info.status != LBP_OK) return info;
  LBP_(reflect)(c, curvature->D);
  info.accept = 1;
  info.accepted = 1;
  info.jump = info.proposed = LBP_(distance)(c, &changed);
  info.changed = changed;
  info.log_ratio = c->beta * logp - c->beta * c->logp;
  LBP_(exchange)(c, logp);
  swap = c->gradient;
  c->gradient = c->proposed;
  c->proposed = swap;
  return info;
}

/* log pi of a state, without its gradient. */
LBP_FN LBP_REAL LBP_(logp)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const uint8_t *x) {
#ifdef LBP_LOGP
  (void)c;
  return LBP_(call_logp)(m, x);
#else
  return LBP_(call_gradient)(m, x, c->proposed);
#endif
}

/* Takes one Metropolis step of the random walk with a heat kernel on every site, exp(-|z|^2 / (2 sigma)). sigma > 0;
 * otherwise the step does nothing and info.status is LBP_E_RANGE. One log pi a step. */
LBP_FN LBP_INFO_T LBP_NAME_(rwm_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REAL sigma, LBP_RNG_T *rng) {
  LBP_P_ENTER(c)
  const LBP_SCALE_T s = LBP_NAME_(first_order)(sigma, 0);
  LBP_REAL logp, log_ratio;
  LBP_INFO_T info;
  memset(&info, 0, sizeof info);
  info.status = LBP_(refusal)(c, NULL, &s);
  if (info.status != LBP_OK) return info;
  if (!c->logp_ready) {
    c->logp = LBP_(logp)(c, m, c->x);
    info.evaluations++;
    c->logp_ready = LBP_(is_usable)(c->logp, NULL, 0);
    if (!c->logp_ready) {
      info.status = LBP_E_MODEL_NAN;
      return info;
    }
  }
  memset(c->shift, 0, c->n * sizeof *c->shift); /* no force */
  log_ratio = -LBP_(propose)(c, &s, NULL, c->x, c->shift, 1, rng, c->y);
  log_ratio += LBP_(propose)(c, &s, NULL, c->y, c->shift, 1, NULL, c->x);
  logp = LBP_(logp)(c, m, c->y);
  info.evaluations++;
  if (LBP_(is_wild)(logp)) {
    info.status = logp < 0 ? LBP_OK : LBP_E_MODEL_NAN;
    return info;
  }
  LBP_(conclude)(c, &info, log_ratio, logp, rng);
  if (info.accepted) c->gradient_ready = 0;
  return info;
}

/* Takes one Gibbs step (heat bath): draws the next free site, in order, from its conditional distribution, to 2^-31 of
 * the most probable value. It takes S evaluations of log pi, or one call of LBP_CONDITIONAL. Values whose log pi is not
 * finite are not drawn. If there is no other value, x stays. If one is NaN or +infinity, x stays and info.status is
 * LBP_E_MODEL_NAN. */
LBP_FN LBP_INFO_T LBP_NAME_(gibbs_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_RNG_T *rng) {
  LBP_P_ENTER(c)
  LBP_P_CLAMP(while (c->mask && c->mask[c->site]) c->site = c->site + 1 < c->n ? c->site + 1 : 0;)
  const uint32_t states = LBP_P_STATES(c), i = c->site;
  const uint8_t old = c->x[i];
  LBP_REAL logp[256], top = 0;
  uint64_t weight[256], total = 0, target;
  uint32_t v, best = states;
  LBP_INFO_T info;
  memset(&info, 0, sizeof info);
  c->site = i + 1 < c->n ? i + 1 : 0;
#ifdef LBP_CONDITIONAL
  LBP_(call_conditional)(m, c->x, i, logp);
  info.evaluations = 1;
#else
  for (v = 0; v < states; v++) {
    c->x[i] = (uint8_t)v;
    logp[v] = LBP_(logp)(c, m, c->x);
  }
  c->x[i] = old;
  info.evaluations = states;
#endif
  for (v = 0; v < states; v++) {
    if (!lbp_is_finite((double)logp[v])) {
      if (!LBP_(is_usable)(logp[v], NULL, 0)) info.status = LBP_E_MODEL_NAN;
    } else if (best == states || logp[v] > top) {
      top = logp[best = v];
    }
  }
  if (best == states || info.status != LBP_OK) return info;
  for (v = 0; v < states; v++) {
    const LBP_REAL below = lbp_is_finite((double)logp[v]) ? c->beta * (logp[v] - top) : -80;
    weight[v] = below > -40 ? (uint64_t)(LBP_(exp)(below) * (LBP_REAL)2147483648.0) : 0;
    total += weight[v];
  }
  target = lbp_mulhi(LBP_(word)(rng), total);
  for (v = 0; target >= weight[v]; v++) target -= weight[v];
  c->x[i] = (uint8_t)v;
  info.log_ratio = v == old ? 0 : LBP_(is_wild)(logp[old]) ? -logp[old] : c->beta * (logp[v] - logp[old]);
  info.accept = 1;
  info.accepted = 1;
  info.changed = v != old;
  info.jump = info.proposed = v > old ? v - old : old - v;
  if (v != old) c->logp_ready = c->gradient_ready = 0;
  return info;
}

/* ---- tuning ------------------------------------------------------------------------------------------------------ */

/* Tunes sigma to an acceptance rate: 0.574 for first-order scales with alpha = 1/2, 0.234 for the random walk. log
 * sigma changes by the excess of the rate; after the warm-up, sigma is the geometric mean over its second half. */
typedef struct {
  LBP_REAL sigma, target;
  double log_sigma, mean;
  uint32_t step, warmup;
} LBP_NAME_(tuner);

/* Prepares a tuner that starts at sigma and freezes after `warmup` updates. target: the acceptance rate, in (0, 1).
 * Returns LBP_OK, or LBP_E_NULL, LBP_E_RANGE (sigma not positive, or target). */
LBP_FN int LBP_NAME_(tuner_init)(LBP_NAME_(tuner) *t, LBP_REAL sigma, uint32_t warmup, LBP_REAL target) {
  if (!t) return LBP_E_NULL;
  if (!lbp_is_finite((double)sigma) || !(sigma > 0) || !(target > 0 && target < 1)) return LBP_E_RANGE;
  t->sigma = sigma;
  t->target = target;
  t->log_sigma = lbp_log_fine((double)sigma);
  t->mean = 0;
  t->step = 0;
  t->warmup = warmup;
  return LBP_OK;
}

/* Updates the tuner with the acceptance probability of a step. Ignores numbers outside [0, 1]. */
LBP_FN void LBP_NAME_(tuner_update)(LBP_NAME_(tuner) *t, LBP_REAL accept) {
  const double most = sizeof(LBP_REAL) == sizeof(float) ? 80 : 700; /* sigma and 1 / sigma are finite */
  if (t->step >= t->warmup || lbp_is_nan((double)accept) || !(accept >= 0 && accept <= 1)) return;
  t->log_sigma += 0.1 * (double)(accept - t->target);
  t->step++;
  if (t->step > t->warmup / 2) t->mean += (t->log_sigma - t->mean) / (t->step - t->warmup / 2);
  t->sigma = (LBP_REAL)lbp_exp(lbp_clamp_double(t->step == t->warmup ? t->mean : t->log_sigma, most));
}

/* Takes one step of the discrete Langevin proposal with the tuner's sigma, and updates the tuner during its warm-up.
 * Use the target 0.574. */
LBP_FN LBP_INFO_T LBP_NAME_(adlp_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_NAME_(tuner) *t,
                                       LBP_RNG_T *rng) {
  LBP_P_ENTER(t)
  const LBP_SCALE_T s = LBP_NAME_(first_order)(t->sigma, (LBP_REAL)0.5);
  const LBP_INFO_T info = LBP_NAME_(ab_step)(c, m, NULL, &s, rng);
  LBP_NAME_(tuner_update)(t, info.accept);
  return info;
}

/* The same for the random walk. Use the target 0.234. */
LBP_FN LBP_INFO_T LBP_NAME_(arwm_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_NAME_(tuner) *t,
                                       LBP_RNG_T *rng) {
  LBP_P_ENTER(t)
  const LBP_INFO_T info = LBP_NAME_(rwm_step)(c, m, t->sigma, rng);
  LBP_NAME_(tuner_update)(t, info.accept);
  return info;
}

/* Algorithm 3 on up to three parameters of any meaning. Use it on (s, rho), and optionally the damping, of
 * NAME_second_order_d. On (sigma, alpha) it stalls on the ridge alpha = alpha(sigma) except for first-order scales. For
 * one parameter after another it tries the present value, that times 1 + gamma, and that times 1 - gamma, for `buffer`
 * steps each; the largest mean jump distance wins. If no parameter has changed, gamma is multiplied by `decay`. */
typedef struct {
  uint32_t count;
  LBP_REAL value[3], most[3];       /* and their upper limits */
  LBP_REAL gamma, decay;
  uint32_t buffer, which, probe, step; /* the probe in progress: 0 as is, 1 larger, 2 smaller */
  int moved;
  double jump[3];
} LBP_NAME_(adapter);

/* Starts from `count` values > 0, 1 to 3 of them, with gamma = 0.2, decay 0.9 and buffer 100, as in the paper. You may
 * change these, and `most`, afterwards. Returns LBP_E_NULL, LBP_E_SIZE (count), LBP_E_RANGE (a value). */
LBP_FN int LBP_NAME_(adapter_init)(LBP_NAME_(adapter) *a, uint32_t count, const LBP_REAL *start) {
  uint32_t k;
  if (!a || !start) return LBP_E_NULL;
  memset(a, 0, sizeof *a);
  if (count < 1 || count > 3) return LBP_E_SIZE;
  for (k = 0; k < count; k++) {
    if (!lbp_is_finite((double)start[k]) || !(start[k] > 0)) return LBP_E_RANGE;
    a->value[k] = start[k];
    a->most[k] = (LBP_REAL)1e6;
  }
  a->count = count;
  a->gamma = (LBP_REAL)0.2;
  a->decay = (LBP_REAL)0.9;
  a->buffer = 100;
  return LBP_OK;
}

/* Returns the value of parameter `which` < count for the next step; 0 for any other `which`. */
LBP_FN LBP_REAL LBP_NAME_(adapter_value)(const LBP_NAME_(adapter) *a, uint32_t which) {
  const LBP_REAL factor = which != a->which || a->probe == 0 ? 1 : a->probe == 1 ? 1 + a->gamma : 1 - a->gamma;
  const LBP_REAL value = which < a->count ? a->value[which] * factor : 0;
  return which >= a->count || value < a->most[which] ? value : a->most[which];
}

/* Updates the adapter with the step's jump distance. Its expectation, accept times proposed, is better, since it varies
 * less. */
LBP_FN void LBP_NAME_(adapter_update)(LBP_NAME_(adapter) *a, double jump) {
  uint32_t best;
  a->jump[a->probe] += jump;
  if (++a->step < a->buffer) return;
  a->step = 0;
  if (++a->probe < 3) return;
  a->probe = 1;
  if (LBP_NAME_(adapter_value)(a, a->which) == a->value[a->which]) { /* at most already: the same value, tried twice */
    a->jump[0] = a->jump[1] = 0.5 * (a->jump[0] + a->jump[1]);
  }
  best = a->jump[1] > a->jump[0] ? 1 : 0;
  if (a->jump[2] > a->jump[best]) best = 2;
  if (a->jump[best] <= 0) {
    const LBP_REAL twice = 2 * a->value[0]; /* nothing moves: too near, in the metric of D */
    if (a->which == 0) a->value[0] = twice < a->most[0] ? twice : a->most[0];
    a->moved = 1;
  } else {
    const LBP_REAL before = a->value[a->which];
    a->probe = best;
    a->value[a->which] = LBP_NAME_(adapter_value)(a, a->which);
    a->moved |= a->value[a->which] != before; /* it may not exceed `most` */
  }
  a->probe = 0;
  a->jump[0] = a->jump[1] = a->jump[2] = 0;
  if (++a->which < a->count) return;
  a->which = 0;
  if (!a->moved) a->gamma *= a->decay;
  a->moved = 0;
}

/* ---- the curvature, from W and D --------------------------------------------------------------------------------- */

/* count doubles, at the same place as LBP_REALs: from the front, none is overwritten before it is read */
LBP_FN LBP_REAL *LBP_(rounded)(double *values, size_t count) {
  char *bytes = (char *)values;
  size_t i;
  for (i = 0; i < count; i++) {
    double value;
    LBP_REAL real;
    memcpy(&value, bytes + i * sizeof value, sizeof value);
    real = (LBP_REAL)value;
    memcpy(bytes + i * sizeof real, &real, sizeof real);
  }
  return (LBP_REAL *)(void *)bytes;
}

/* Whether D >= 0, and all of D and W are in the range of LBP_REAL. */
LBP_FN int LBP_(fits)(const lbp_symmetric *W, const double *D) {
  const double most = sizeof(LBP_REAL) == sizeof(float) ? (double)FLT_MAX : DBL_MAX;
  uint32_t i, e;
  for (i = 0; i < W->n; i++) {
    const lbp_symmetric_row row = lbp_symmetric_row_of(W, i);
    if (!(D[i] >= 0 && D[i] <= most)) return 0;
    for (e = 0; e < row.count; e++) {
      if (!(fabs(row.value[e]) <= most)) return 0;
    }
  }
  return 1;
}

/* Returns the bytes of memory for NAME_curvature_init: about 16 n^2, or 20 per entry of a sparse W if W + D is
 * diagonally dominant. */
LBP_FN size_t LBP_NAME_(curvature_bytes)(const lbp_symmetric *W, const double *D, int exact) {
  const uint32_t wide = sizeof(double), real = sizeof(LBP_REAL), index = sizeof(uint32_t), n = W->n;
  if (!lbp_symmetric_is_dominant(W, D)) {
    return lbp_linear_length(n, exact ? wide : wide + real, 2 * wide + real + index, 0);
  }
  return lbp_linear_length(n, 0, wide + real, lbp_size_times(lbp_root_edges_count(W) - n, wide + 2 * index));
}

/* The layout of the memory of a curvature with a dense root. Returns the doubles of scratch behind the root. */
LBP_FN double *LBP_(lay_out)(LBP_CURVATURE_T *v, uint32_t n, int exact, void *memory) {
  double *root = (double *)memory, *work = root + (size_t)n * n;
  LBP_REAL *diagonal = (LBP_REAL *)(void *)(work + 2 * (size_t)n), *dense = diagonal + n;
  memset(v, 0, sizeof *v);
  v->n = n;
  v->exact = exact;
  v->D = diagonal;
  v->W = exact ? NULL : dense;
  v->root = (LBP_REAL *)memory;
  v->order = (uint32_t *)(void *)(exact ? dense : dense + (size_t)n * n);
  return work;
}

/* Makes the second-order part of proposals from W and D >= 0. exact: 1 if W is the Hessian of log pi everywhere. W and
 * D are copied, as far as needed, into the memory, which must be aligned for doubles and must outlive the curvature.
 * Chains that used an earlier one in *v need NAME_touch. Returns LBP_OK, or a status of lbp_symmetric_check,
 * LBP_E_NULL, LBP_E_WORKSPACE (bytes < NAME_curvature_bytes), LBP_E_RANGE (a D_i is negative or not finite; a number of
 * W or D exceeds the range of LBP_REAL, 3.4e38 in float), LBP_E_INDEFINITE (W + D has a negative eigenvalue beyond
 * rounding). Takes O(n^3), or O(entries) if W is sparse and W + D diagonally dominant. */
LBP_FN int LBP_NAME_(curvature_init)(LBP_CURVATURE_T *v, const lbp_symmetric *W, const double *D, int exact,
                                     void *memory, size_t bytes) {
  double *root = (double *)memory;
  int status = lbp_symmetric_check(W);
  size_t n, k;
  if (status != LBP_OK) return status;
  if (!v || !D || !memory) return LBP_E_NULL;
  n = W->n;
  if (!LBP_(fits)(W, D)) return LBP_E_RANGE;
  if (bytes < LBP_NAME_(curvature_bytes)(W, D, exact)) return LBP_E_WORKSPACE;
  memset(v, 0, sizeof *v);
  v->n = (uint32_t)n;
  v->exact = exact;
  if (lbp_symmetric_is_dominant(W, D)) {
    const size_t count = lbp_root_edges_count(W);
    LBP_REAL *diagonal = (LBP_REAL *)(void *)(root + count);
    uint32_t *ends = (uint32_t *)(void *)(diagonal + n), i, e;
    for (k = 0; k < n; k++) diagonal[k] = (LBP_REAL)D[k];
    for (i = 0, k = 0; i < n; i++) {
      for (e = W->start[i + 1]; e > W->start[i] && W->column[e - 1] > i; e--) {
        ends[k++] = i;
        ends[k++] = W->column[e - 1];
      }
    }
    lbp_root_edges(W, D, root);
    v->D = diagonal;
    v->edges = (uint32_t)(count - n);
    v->ends = ends;
    v->site = LBP_(rounded)(root, count);
    v->edge = v->site + n;
  } else {
    double *work = LBP_(lay_out)(v, (uint32_t)n, exact, memory);
    LBP_REAL *diagonal = (LBP_REAL *)(void *)(work + 2 * n), *dense = diagonal + n;
    uint32_t *order = (uint32_t *)(void *)(exact ? dense : dense + n * n);
    if (!exact) { /* by way of the root's place */
      lbp_symmetric_expand(W, NULL, root);
      for (k = 0; k < n * n; k++) dense[k] = (LBP_REAL)root[k];
    }
    status = lbp_root_dense(W, D, root, order, &v->rank, work, 2 * n);
    if (status != LBP_OK) return status;
    for (k = 0; k < n; k++) diagonal[k] = (LBP_REAL)D[k];
    LBP_(rounded)(root, n * n);
  }
  return LBP_OK;
}

/* ---- algorithm 1: everything by itself --------------------------------------------------------------------------- */

/* Algorithm 1: a warm-up of four phases (LBP_PHASE_TUNE ...), a quarter each. Algorithm 3 begins at s = 100, rho = 1,
 * damping 1, and stays there if log pi is quadratic. Warm-ups of 10000 to 20000 steps do well.
 *
 * Check `status` after the warm-up. If it is not LBP_OK it is the reason why steps remain first order, with the tuned
 * sigma; they are as correct as before. LBP_E_FIRST_ORDER: log pi has no curvature that helps (values are labels, not
 * numbers; W is wrong). */
typedef struct {
  uint32_t warmup;                    /* steps */
  int diagonal;                       /* LBP_DIAGONAL_TRACE by default; or _SHIFT, _MAX, _DOMINANT */
  int literal;                        /* 1: as printed in [A]: (sigma, alpha) adapted from (0.1, 0.5) in all parts,
                                         kernel exp(-|z|^2 / (2 sigma)), no damping; W is estimated from the first half,
                                         without averages. It stalls short of the optimum */
  int damped;                         /* 0: no damping of W, as in [A]; default 1 */
  int compared;                       /* 0: always keeps the second order, as in [A] and whenever `literal`; default
                                         1 */
  uint32_t step;                      /* taken so far */
  int status;                         /* LBP_OK, or the reason why steps remain first order: W or D could not be
                                         computed, or LBP_E_FIRST_ORDER, known when the warm-up ends */
  double residual;                    /* the part not explained by W, see lbp_estimate_residual */
  LBP_SCALE_T scale;                  /* of the next step */
  const LBP_CURVATURE_T *given;
  LBP_CURVATURE_T own;
  LBP_NAME_(tuner) tuner;
  LBP_NAME_(adapter) adapter;
  double mean[3];                     /* of the adapter's logarithms, summed while they are averaged */
  double moved[2], taken[2];          /* sums of the expected jump distance and of acceptance over equally many steps:
                                         the last of the first order, and those of the second that are averaged */
  double told, jump;                  /* chains that report this step, and the sum of their jump distances */
  lbp_estimate estimate;
  uint32_t n;
  double *work;                       /* behind the sums: W, D, differences, scratch; then the curvature */
  size_t work_len, own_bytes;
} LBP_NAME_(adaptive);

LBP_FN size_t LBP_(larger)(size_t a, size_t b) { return a > b ? a : b; }

/* Doubles of scratch space of the estimation, for any diagonal. */
LBP_FN size_t LBP_(scratch)(uint32_t n) {
  size_t most = LBP_(larger)(lbp_estimate_solve_workspace(n), lbp_diagonal_trace_workspace(n));
  most = LBP_(larger)(most, lbp_least_eigenvalue_workspace(n));
  return LBP_(larger)(most, lbp_diagonal_max_workspace(n));
}

LBP_FN lbp_symmetric LBP_(dense)(uint32_t n, const double *W) {
  lbp_symmetric it;
  memset(&it, 0, sizeof it);
  it.n = n;
  it.dense = W;
  return it;
}

/* Returns the bytes of memory for NAME_adaptive_init: about 64 n^2. */
LBP_FN size_t LBP_NAME_(adaptive_bytes)(uint32_t n) {
  const double unused = 0;
  const lbp_symmetric W = LBP_(dense)(n, &unused);
  const size_t doubles = lbp_size_plus(lbp_estimate_memory(n), lbp_linear_length(n, 1, 3, LBP_(scratch)(n)));
  return lbp_size_plus(lbp_size_times(doubles, sizeof(double)), LBP_NAME_(curvature_bytes)(&W, NULL, 0));
}

/* The first step of a phase. */
LBP_FN uint32_t LBP_(border)(const LBP_NAME_(adaptive) *a, int phase) {
  switch (phase) {
    case LBP_PHASE_TUNE: return 0;
    case LBP_PHASE_OBSERVE: return a->literal ? 0 : a->warmup / 4;
    case LBP_PHASE_ADAPT: return a->warmup / 2;
    case LBP_PHASE_AVERAGE: return a->literal ? a->warmup : a->warmup - a->warmup / 4;
    default: return a->warmup;
  }
}

/* The phase of the next step: the last that begins no later. */
LBP_FN int LBP_(phase)(const LBP_NAME_(adaptive) *a) {
  int phase = LBP_PHASE_FROZEN;
  while (a->step < LBP_(border)(a, phase)) phase--;
  return phase;
}

LBP_FN int LBP_(adaptive_start)(LBP_NAME_(adaptive) *a, uint32_t n, uint32_t warmup) {
  static const LBP_REAL printed[2] = {(LBP_REAL)0.1, (LBP_REAL)0.5};
  memset(a, 0, sizeof *a);
  if (n < 1 || n > 30000) return LBP_E_SIZE;
  a->n = n;
  a->warmup = warmup;
  a->damped = a->compared = 1;
  a->scale = LBP_NAME_(first_order)(printed[0], printed[1]);
  LBP_NAME_(adapter_init)(&a->adapter, 2, printed);
  a->adapter.most[1] = 1;
  return LBP_NAME_(tuner_init)(&a->tuner, printed[0], LBP_(border)(a, LBP_PHASE_OBSERVE),
                              (LBP_REAL)LBP_TARGET_LBP);
}

/* Prepares algorithm 1 for n sites and `warmup` steps. memory belongs to the caller, is aligned for doubles, and must
 * outlive it and all uses of its curvature. You may change `diagonal`, `literal`, `damped`, `compared` afterwards.
 * Chains that used an earlier curvature of *a need NAME_touch. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE (n is 0 or
 * above 30000), LBP_E_WORKSPACE (bytes < NAME_adaptive_bytes(n)). */
LBP_FN int LBP_NAME_(adaptive_init)(LBP_NAME_(adaptive) *a, uint32_t n, uint32_t warmup, void *memory, size_t bytes) {
  int status;
  if (!a || !memory) return LBP_E_NULL;
  status = LBP_(adaptive_start)(a, n, warmup);
  if (status != LBP_OK) return status;
  if (bytes < LBP_NAME_(adaptive_bytes)(n)) return LBP_E_WORKSPACE;
  if (warmup == 0) a->status = LBP_E_NO_DATA; /* nor will there be */
  a->work = (double *)memory + lbp_estimate_memory(n);
  a->work_len = (size_t)n * n + 3 * (size_t)n + LBP_(scratch)(n);
  a->own_bytes = bytes - (lbp_estimate_memory(n) + a->work_len) * sizeof(double);
  return lbp_estimate_init(&a->estimate, n, (double *)memory, lbp_estimate_memory(n));
}

/* The starting point of algorithm 3 in the second order. */
LBP_FN void LBP_(begin_second_order)(LBP_NAME_(adaptive) *a) {
  static const LBP_REAL start[3] = {100, 1, 1};
  LBP_NAME_(adapter_init)(&a->adapter, a->damped ? 3 : 2, start);
  a->adapter.most[2] = 1;
}

/* The same with your own curvature, for example the Hessian: it estimates nothing and needs no memory. The curvature
 * must outlive it. With warmup = 0, steps use the starting point of algorithm 3. Returns LBP_OK, or LBP_E_NULL. */
LBP_FN int LBP_NAME_(adaptive_given)(LBP_NAME_(adaptive) *a, const LBP_CURVATURE_T *curvature, uint32_t warmup) {
  int status;
  if (!a || !curvature) return LBP_E_NULL;
  status = LBP_(adaptive_start)(a, 1, warmup);
  a->n = curvature->n;
  a->given = curvature;
  if (warmup > 0) return status;
  LBP_(begin_second_order)(a);
  a->scale = LBP_NAME_(second_order_d)(a->adapter.value[0], a->adapter.value[1], a->adapter.value[2]);
  return status;
}

/* Returns the curvature of the next step, which that step may still have to make; NULL if there is none (yet). After
 * the warm-up, any chain of the model can use it and a->scale in NAME_ab_step. */
LBP_FN const LBP_CURVATURE_T *LBP_NAME_(adaptive_curvature)(const LBP_NAME_(adaptive) *a) {
  if (LBP_(phase)(a) < LBP_PHASE_ADAPT || a->status != LBP_OK) return NULL;
  return a->given ? a->given : &a->own;
}

#ifdef LBP_CLAMPED
/* Sites that never moved, for which NAME_priv_differences has no gradients, are no reason for a ridge: each is recorded
 * as one that moved alone, along which log pi is a plane. W is that of the others by themselves. */
LBP_FN void LBP_(leave_out)(lbp_estimate *s) {
  const size_t n = s->n;
  double size = 0;
  size_t i, j;
  for (i = 0; i < n; i++) size = s->C[i * n + i] > size ? s->C[i * n + i] : size;
  for (j = 0; j < n; j++) {
    if (s->C[j * n + j] > 0) continue;
    for (i = 0; i < n && s->B[i * n + j] == 0; i++) { /* whether all are 0 */
    }
    if (i == n) s->C[j * n + j] = size;
  }
}
#endif

/* Computes W, D and the root from the observations. */
LBP_FN int LBP_(learn)(LBP_NAME_(adaptive) *a) {
  double *W = a->work, *D = W + (size_t)a->n * a->n, *scratch = D + 3 * (size_t)a->n;
  const size_t len = LBP_(scratch)(a->n);
  const lbp_symmetric matrix = LBP_(dense)(a->n, W);
  LBP_P_CLAMP(LBP_(leave_out)(&a->estimate);)
  int status = lbp_estimate_solve(&a->estimate, W, scratch, len);
  if (status != LBP_OK) return status;
  a->residual = lbp_estimate_residual(&a->estimate, W, scratch);
  status = lbp_symmetric_check(&matrix);
  if (status != LBP_OK) return status;
  status = lbp_diagonal(a->diagonal, &matrix, D, scratch, len);
  if (status != LBP_OK && status != LBP_E_NOT_CONVERGED) return status;
  return LBP_NAME_(curvature_init)(&a->own, &matrix, D, 0, a->work + a->work_len, a->own_bytes);
}

/* W is known from here on. */
LBP_FN void LBP_(begin_adapting)(LBP_NAME_(adaptive) *a) {
  if (!a->given) a->status = LBP_(learn)(a);
  if (a->status != LBP_OK || a->literal) return;
  LBP_(begin_second_order)(a);
}

/* Lowers gamma from 0.4 (a good damping can be far away) to 0.1, whether parameters moved or not: jump distances are
 * noisy, and where they are flat, some parameter nearly always moves. */
LBP_FN void LBP_(narrow)(LBP_NAME_(adaptive) *a) {
  const uint32_t first = LBP_(border)(a, LBP_PHASE_ADAPT);
  if (!a->literal) a->adapter.gamma = (LBP_REAL)(0.4 - 0.3 * (a->step - first) / (a->warmup - first));
}

/* The present scale of tuner and adapter. */
LBP_FN LBP_SCALE_T LBP_(current)(const LBP_NAME_(adaptive) *a) {
  const LBP_REAL first = LBP_NAME_(adapter_value)(&a->adapter, 0), second = LBP_NAME_(adapter_value)(&a->adapter, 1);
  const int ready = LBP_NAME_(adaptive_curvature)(a) != NULL;
  if (a->literal) return ready ? LBP_NAME_(second_order)(first, second) : LBP_NAME_(first_order)(first, second);
  if (!ready) return LBP_NAME_(first_order)(a->tuner.sigma, (LBP_REAL)0.5);
  return LBP_NAME_(second_order_d)(first, second, a->damped ? LBP_NAME_(adapter_value)(&a->adapter, 2) : 1);
}

/* The chain's last move, for estimating W: n differences of states and n of gradients. */
LBP_FN void LBP_(differences)(const LBP_CHAIN_T *c, double *dx, double *dg) {
  uint32_t i;
  for (i = 0; i < c->n; i++) {
    dx[i] = (double)c->x[i] - (double)c->y[i];
    dg[i] = (double)(c->gradient[i] - c->proposed[i]);
    LBP_P_CLAMP(if (c->mask && c->mask[i]) dg[i] = 0;)
  }
}

/* Whether W is being estimated. */
LBP_FN int LBP_(is_estimating)(const LBP_NAME_(adaptive) *a) {
  return !a->given && LBP_(phase)(a) == LBP_PHASE_OBSERVE;
}

/* Updates the adapter with second-order steps only; in the paper, with all. */
LBP_FN void LBP_(adapt)(LBP_NAME_(adaptive) *a, double jump) {
  if (a->literal || LBP_NAME_(adaptive_curvature)(a)) LBP_NAME_(adapter_update)(&a->adapter, jump);
}

/* Steps that are averaged. The adapter wanders where the jump distance is flat, so its final values are means. */
LBP_FN uint32_t LBP_(averaged)(const LBP_NAME_(adaptive) *a) {
  return a->warmup - LBP_(border)(a, LBP_PHASE_AVERAGE);
}

LBP_FN void LBP_(average)(LBP_NAME_(adaptive) *a) {
  uint32_t k;
  for (k = 0; k < a->adapter.count; k++) a->mean[k] += lbp_log_fine((double)a->adapter.value[k]);
}

/* Adds up the figures by which the two orders, 0 and 1, are compared, over equally many steps. */
LBP_FN void LBP_(tally)(LBP_NAME_(adaptive) *a, int order, double accept, double jump) {
  const uint32_t end = LBP_(border)(a, order == 0 ? LBP_PHASE_ADAPT : LBP_PHASE_FROZEN);
  if (!a->compared || a->status != LBP_OK || a->step < end - LBP_(averaged)(a)) return;
  a->moved[order] += jump;
  a->taken[order] += accept;
}

/* Decides whether the second order is worth it: not if a step jumps less than half as far as in the first order, or is
 * accepted less than a tenth as often. (Far jumps that are hardly ever accepted look as good on average, but leave the
 * chain where it is.) Draws nothing, and reports nothing before the warm-up ends, since finding a good damping can take
 * long. */
LBP_FN void LBP_(compare)(LBP_NAME_(adaptive) *a) {
  if (!a->compared || a->status != LBP_OK) return;
  if (a->moved[1] > 0 && a->moved[1] >= 0.5 * a->moved[0] && a->taken[1] >= 0.1 * a->taken[0]) return;
  a->status = LBP_E_FIRST_ORDER;
}

/* The end of the warm-up. */
LBP_FN void LBP_(freeze)(LBP_NAME_(adaptive) *a) {
  const uint32_t count = LBP_(averaged)(a);
  uint32_t k;
  a->adapter.probe = 0; /* where it is, not where it was looking */
  if (count > 0) {
    for (k = 0; k < a->adapter.count; k++) a->adapter.value[k] = (LBP_REAL)lbp_exp(a->mean[k] / count);
    LBP_(compare)(a);
  }
  a->scale = LBP_(current)(a);
}

/* Before a step of the warm-up: chooses its scale and curvature. */
LBP_FN void LBP_(foresee)(LBP_NAME_(adaptive) *a) {
  switch (LBP_(phase)(a)) {
    case LBP_PHASE_TUNE:
    case LBP_PHASE_OBSERVE:
      break;
    case LBP_PHASE_ADAPT:
      if (a->step == LBP_(border)(a, LBP_PHASE_ADAPT)) LBP_(begin_adapting)(a);
      LBP_(narrow)(a);
      break;
    case LBP_PHASE_AVERAGE:
      LBP_(narrow)(a);
      break;
    default: /* LBP_PHASE_FROZEN */
      return;
  }
  a->scale = LBP_(current)(a);
}

/* After it: updates with its acceptance probability and its jump distance (the expected one, or if `literal` the actual
 * one). */
LBP_FN void LBP_(take_in)(LBP_NAME_(adaptive) *a, double accept, double jump) {
  switch (LBP_(phase)(a)) {
    case LBP_PHASE_TUNE:
      LBP_NAME_(tuner_update)(&a->tuner, (LBP_REAL)accept);
      break;
    case LBP_PHASE_OBSERVE:
      LBP_(adapt)(a, jump);
      LBP_(tally)(a, 0, accept, jump);
      break;
    case LBP_PHASE_ADAPT:
      LBP_(adapt)(a, jump);
      break;
    case LBP_PHASE_AVERAGE:
      LBP_(adapt)(a, jump);
      LBP_(average)(a);
      LBP_(tally)(a, 1, accept, jump);
      break;
    default: /* LBP_PHASE_FROZEN */
      return;
  }
  if (++a->step == a->warmup) LBP_(freeze)(a);
}

/* Takes one step of the any-scale balanced sampler (algorithm 1): first the steps of the warm-up, then steps with all
 * parameters frozen. The chain must have a->n sites, otherwise the step does nothing and info.status is LBP_E_SIZE.
 * Only the warm-up needs this function, and one chain can do it for all. */
LBP_FN LBP_INFO_T LBP_NAME_(adaptive_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_NAME_(adaptive) *a,
                                           LBP_RNG_T *rng) {
  LBP_P_ENTER(a)
  LBP_INFO_T info;
  if (c->n != a->n) {
    memset(&info, 0, sizeof info);
    info.status = LBP_E_SIZE;
    return info;
  }
  LBP_(foresee)(a);
  info = LBP_NAME_(ab_step)(c, m, LBP_NAME_(adaptive_curvature)(a), &a->scale, rng);
  if (info.accepted && LBP_(is_estimating)(a)) {
    double *dx = a->work + (size_t)a->n * a->n + a->n, *dg = dx + a->n;
    LBP_(differences)(c, dx, dg);
    lbp_estimate_push(&a->estimate, dx, dg);
  }
  LBP_(take_in)(a, (double)info.accept, a->literal ? info.jump : (double)info.accept * info.proposed);
  return info;
}

/* ---- is the model right? ----------------------------------------------------------------------------------------- */

LBP_FN LBP_NAME_(report) LBP_(found)(int status, uint32_t site, LBP_REAL got, LBP_REAL want) {
  LBP_NAME_(report) report;
  report.status = status;
  report.site = site;
  report.got = got;
  report.want = want;
  return report;
}

/* Equal up to rounding of numbers of that size, and of sums of n such. */
LBP_FN int LBP_(agree)(const LBP_CHAIN_T *c, LBP_REAL a, LBP_REAL b, LBP_REAL size) {
  return a == b || LBP_(size)(a - b) <= 64 * LBP_(epsilon)() * (size + (LBP_REAL)c->n);
}

/* Checks log pi and the gradient at c->x, and whether other ways to compute them agree. */
LBP_FN LBP_NAME_(report) LBP_(check_state)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, LBP_REAL *gradient) {
  const LBP_REAL logp = LBP_(call_gradient)(m, c->x, gradient);
  const LBP_REAL again = LBP_(call_gradient)(m, c->x, c->shift);
  uint32_t i;
  c->logp = logp;
  if (lbp_is_nan((double)logp) || logp > (LBP_REAL)1e37) return LBP_(found)(LBP_E_MODEL_NAN, 0, logp, 0);
  if (!LBP_(agree)(c, logp, again, 0)) return LBP_(found)(LBP_E_NOT_REPEATABLE, 0, again, logp);
  for (i = 0; lbp_is_finite((double)logp) && i < c->n; i++) {
    if (!lbp_is_finite((double)gradient[i])) return LBP_(found)(LBP_E_MODEL_NAN, i, gradient[i], 0);
    if (!LBP_(agree)(c, gradient[i], c->shift[i], 0)) {
      return LBP_(found)(LBP_E_NOT_REPEATABLE, i, c->shift[i], gradient[i]);
    }
  }
#ifdef LBP_LOGP
  {
    const LBP_REAL alone = LBP_(call_logp)(m, c->x);
    if (!LBP_(agree)(c, alone, logp, LBP_(size)(logp))) {
      return LBP_(found)(LBP_E_LOGP, 0, alone, logp);
    }
  }
#endif
  return LBP_(found)(LBP_OK, 0, 0, 0);
}

/* One site one value up. The change of log pi is the gradient's mean on the way: between its two ends if log pi is
 * convex or concave there, as for most models; the others have a tolerance of a tenth. */
LBP_FN LBP_NAME_(report) LBP_(check_slope)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i) {
  LBP_NAME_(report) report = LBP_(check_state)(c, m, c->gradient);
  const LBP_REAL here = c->logp, slope = c->gradient[i];
  LBP_REAL rise, mean, slack;
#ifdef LBP_CONDITIONAL
  LBP_REAL conditional[256];
  if (report.status == LBP_OK) LBP_(call_conditional)(m, c->x, i, conditional);
#endif
  if (report.status != LBP_OK) return report;
  c->x[i]++;
  report = LBP_(check_state)(c, m, c->proposed);
  c->x[i]--;
  if (report.status != LBP_OK || !lbp_is_finite((double)here) || !lbp_is_finite((double)c->logp)) return report;
  rise = c->logp - here;
#ifdef LBP_CONDITIONAL
  {
    const LBP_REAL other = conditional[c->x[i] + 1] - conditional[c->x[i]];
    if (!LBP_(agree)(c, other, rise, LBP_(size)(here))) {
      return LBP_(found)(LBP_E_LOGP, i, other, rise);
    }
  }
#endif
  mean = (slope + c->proposed[i]) / 2;
  slack = LBP_(size)(c->proposed[i] - slope) / 2;
  slack += (LBP_(size)(slope) + LBP_(size)(c->proposed[i])) / 10;
  if (LBP_(size)(rise - mean) <= slack || LBP_(agree)(c, rise, mean, LBP_(size)(here))) return report;
  return LBP_(found)(LBP_E_GRADIENT, i, mean, rise);
}

/* Checks the model at `trials` random states, at up to 32 sites of each. log pi and its gradient must be numbers and
 * repeatable, LBP_LOGP and LBP_CONDITIONAL must agree with them, and the gradient must predict the change of log pi
 * when a site goes up by one value. (A chain is exact for any gradient, but a wrong one makes it slow.) Takes about 130
 * gradients a trial; afterwards x is unchanged. Returns the first failure; LBP_E_NULL without a chain or a
 * generator. */
LBP_FN LBP_NAME_(report) LBP_NAME_(check)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t trials, LBP_RNG_T *rng) {
  LBP_NAME_(report) report = LBP_(found)(c && rng ? LBP_OK : LBP_E_NULL, 0, 0, 0);
  LBP_P_CHECK(if (c && rng && c->made != LBP_MADE) report.status = LBP_E_NOT_MADE;)
  uint32_t states, sites, t, k, i;
  if (report.status != LBP_OK) return report;
  states = LBP_P_STATES(c);
  sites = c->n < 32 ? c->n : 32;
  memcpy(c->y, c->x, c->n);
  for (t = 0; t < trials; t++) {
    for (i = 0; i < c->n; i++) c->x[i] = (uint8_t)lbp_mulhi(LBP_(word)(rng), states);
    for (k = 0; k < sites && report.status == LBP_OK; k++) {
      i = c->n <= 32 ? k : (uint32_t)lbp_mulhi(LBP_(word)(rng), c->n);
      if (c->x[i] + 1u == states) c->x[i]--;
      report = LBP_(check_slope)(c, m, i);
    }
  }
  memcpy(c->x, c->y, c->n);
  LBP_NAME_(touch)(c);
  return report;
}

#ifdef LBP_P_RUN /* lbp_run.h includes the kernel */
#include "lbp/run/ab_kernel.h"
#include "lbp/run/instance.h"
#endif

LBP_EXACT_END

#undef LBP_P_OWN_RNG
#undef LBP_P_STATES
#undef LBP_P_CHECK
#undef LBP_P_CLAMP
#undef LBP_P_CALL
#undef LBP_P_PASTE2
#undef LBP_P_PASTE
#undef LBP_NAME_
#undef LBP_
#undef LBP_CHAIN_T
#undef LBP_INFO_T
#undef LBP_CURVATURE_T
#undef LBP_SCALE_T
#undef LBP_P_STRIP
#undef LBP_P_ENTER
#undef LBP_P_TINY

#endif /* LBP_P_SKIP */

#undef LBP_P_SKIP
#undef LBP_NAME
#undef LBP_MODEL_T
#undef LBP_REAL
#undef LBP_GRADIENT
#undef LBP_LOGP
#undef LBP_CONDITIONAL
#undef LBP_STATES
#undef LBP_CLAMPED
#undef LBP_RNG_T
#undef LBP_RNG_U64
