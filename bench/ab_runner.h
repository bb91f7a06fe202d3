/* One chain of any sampler of lbp_ab.h on one model. Include once per model, with AB_NAME, AB_MODEL_T, AB_GRADIENT and,
 * where there are some, AB_LOGP, AB_CONDITIONAL and AB_HESSIAN(m, memory), which returns W; gives
 *
 *   void AB_NAME_run(const void *model, const ab_spec *, uint32_t chain, ab_outcome *)
 */
#ifndef BENCH_AB_RUNNER_H
#define BENCH_AB_RUNNER_H

#include "../lbp_models.h"
#include "harness.h"

typedef enum { AB_GIBBS, AB_RWM, AB_DLP, AB_DLP_TRACE, AB_FIRST, AB_SECOND } ab_kernel;

/* What a scale is fixed to. */
typedef enum {
  AB_ADAPTED,
  AB_FIXED_D,      /* s, rho, damping, in the metric of D */
  AB_FIXED_SIGMA   /* sigma, alpha, as printed */
} ab_setting;

typedef struct {
  ab_kernel kernel;
  int diagonal;    /* LBP_AB_TRACE ... */
  int literal;     /* adapted as printed */
  int damped;      /* W's damping adapted too */
  int hessian;     /* W is not estimated but the Hessian */
  ab_setting setting;
  double fixed[3];
  uint32_t d, states, warmup, steps;
  uint64_t seed;   /* chain k draws from the stream (seed, k) */
} ab_spec;

typedef struct {
  double ess, acceptance, jump, seconds; /* of the measured steps, CPU time */
  double queries;                        /* evaluations of log pi, by the paper's count */
  double first, alpha, second, damping;  /* sigma or s, alpha, rho, damping of W that they ran with */
  double residual, status;
} ab_outcome;

/* The paper counts two evaluations of log pi for RWM, S for a Gibbs step and four for a gradient step. */
LBP_FN double ab_queries(const ab_spec *spec) {
  return spec->kernel == AB_GIBBS ? spec->states : spec->kernel == AB_RWM ? 2 : 4;
}

/* sum_i |x_i - y_i| */
LBP_FN double ab_distance(const uint8_t *x, const uint8_t *y, uint32_t d) {
  uint32_t sum = 0, i;
  for (i = 0; i < d; i++) sum += x[i] > y[i] ? (uint32_t)(x[i] - y[i]) : (uint32_t)(y[i] - x[i]);
  return sum;
}

/* Effective sample size of the distances to a state, as the paper's. */
LBP_FN double ab_ess(const double *trace, uint32_t steps) {
  double *work = (double *)basic_alloc(lbp_ess_workspace(steps), sizeof *work), ess = 0;
  if (lbp_ess(LBP_ESS_TFP, trace, steps, work, lbp_ess_workspace(steps), &ess) != LBP_OK) ess = 0;
  free(work);
  return ess;
}

#endif

#define AB_PASTE2(left, right) left##right
#define AB_PASTE(left, right)  AB_PASTE2(left, right)
#define AB_ID(name)            AB_PASTE(AB_NAME, _##name)

#define LBP_AB_NAME     AB_NAME
#define LBP_AB_MODEL_T  AB_MODEL_T
#define LBP_AB_REAL     lbp_real
#define LBP_AB_GRADIENT AB_GRADIENT
#ifdef AB_LOGP
#define LBP_AB_LOGP AB_LOGP
#endif
#ifdef AB_CONDITIONAL
#define LBP_AB_CONDITIONAL AB_CONDITIONAL
#endif
#include "../lbp_ab.h"

#ifdef AB_HESSIAN
/* A curvature from the Hessian; *memory is to be freed. */
static void AB_ID(make_curvature)(const AB_MODEL_T *m, int diagonal, AB_ID(curvature) *curvature, void **memory) {
  void *room = NULL;
  const lbp_symmetric W = AB_HESSIAN(m, &room);
  const size_t len = lbp_ab_d_workspace(diagonal, W.n);
  double *D = (double *)basic_alloc(W.n, sizeof *D), *work = (double *)basic_alloc(len, sizeof *work);
  int status = lbp_ab_d(diagonal, &W, D, work, len);
  if (status == LBP_OK || status == LBP_AB_NOT_CONVERGED) {
    const size_t bytes = AB_ID(curvature_bytes)(&W, D, 1);
    *memory = basic_alloc(bytes, 1);
    status = AB_ID(curvature_init)(curvature, &W, D, 1, *memory, bytes);
  }
  if (status != LBP_OK) basic_die("curvature: %s", lbp_ab_reason(status));
  free(room);
  free(work);
  free(D);
}
#endif

/* The scale that the next step is to have, of a sampler that is not algorithm 1's. */
static AB_ID(scale) AB_ID(next_scale)(const ab_spec *spec, const AB_ID(tuner) *tuner, const AB_ID(adapter) *adapter) {
  if (spec->kernel == AB_DLP_TRACE) return AB_ID(langevin_d)(tuner->sigma);
  if (spec->kernel == AB_FIRST && spec->setting == AB_ADAPTED) {
    return AB_ID(first_order)(AB_ID(adapter_value)(adapter, 0), AB_ID(adapter_value)(adapter, 1));
  }
  if (spec->kernel == AB_FIRST) return AB_ID(first_order)((lbp_real)spec->fixed[0], (lbp_real)spec->fixed[1]);
  return AB_ID(first_order)(tuner->sigma, (lbp_real)0.5);
}

static void AB_ID(run)(const void *model, const ab_spec *spec, uint32_t k, ab_outcome *out) {
  static const lbp_real printed[2] = {(lbp_real)0.1, (lbp_real)0.5};
  const AB_MODEL_T *m = (const AB_MODEL_T *)model;
  const uint32_t d = spec->d, steps = spec->warmup + spec->steps;
  const int second = spec->kernel == AB_SECOND, learns = (second || spec->kernel == AB_DLP_TRACE) && !spec->hessian;
  const size_t ws_len = AB_ID(ws_len)(d), bytes = learns ? AB_ID(adaptive_bytes)(d) : 0;
  uint8_t *x = (uint8_t *)basic_alloc(2 * (size_t)d, 1), *x0 = x + d;
  lbp_real *ws = (lbp_real *)basic_alloc(ws_len, sizeof *ws);
  double *trace = (double *)basic_alloc(spec->steps, sizeof *trace), begin = 0;
  void *memory = basic_alloc(bytes + 1, 1), *given_memory = NULL;
  AB_ID(chain) chain;
  AB_ID(adaptive) adaptive;
  AB_ID(tuner) tuner;
  AB_ID(adapter) adapter;
  AB_ID(curvature) given;
  AB_ID(scale) scale;
  lbp_rng rng;
  uint32_t t, i;
  int status = LBP_OK;
  memset(&adaptive, 0, sizeof adaptive);
  memset(out, 0, sizeof *out);
  lbp_rng_init(&rng, spec->seed, k);
  for (i = 0; i < 2 * d; i++) x[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(&rng), spec->states);
  if (learns) status = AB_ID(adaptive_init)(&adaptive, d, spec->warmup, memory, bytes);
#ifdef AB_HESSIAN
  if (spec->hessian) {
    AB_ID(make_curvature)(m, spec->diagonal, &given, &given_memory);
    status = AB_ID(adaptive_given)(&adaptive, &given, spec->warmup);
  }
#else
  (void)given;
#endif
  adaptive.diagonal = spec->diagonal;
  adaptive.literal = spec->literal;
  adaptive.damped = spec->damped;
  adaptive.compared = spec->damped && spec->setting == AB_ADAPTED; /* else it is the paper's, or stays what it is */
  if (status == LBP_OK) status = AB_ID(init)(&chain, d, spec->states, x, ws, ws_len);
  if (status == LBP_OK) {
    const int rwm = spec->kernel == AB_RWM;
    status = AB_ID(tuner_init)(&tuner, printed[0], (lbp_real)(rwm ? LBP_TARGET_RWM : LBP_TARGET_LBP),
                               spec->kernel == AB_DLP_TRACE ? spec->warmup / 2 : spec->warmup);
  }
  if (status == LBP_OK) status = AB_ID(adapter_init)(&adapter, 2, printed);
  if (status != LBP_OK) basic_die("chain: %s", lbp_ab_reason(status));
  adapter.most[1] = 1;
  scale = AB_ID(next_scale)(spec, &tuner, &adapter);
  for (t = 0; t < steps; t++) {
    AB_ID(info) info;
    if (t == spec->warmup) {
      begin = bench_cpu_now();
      adapter.probe = 0;
      scale = AB_ID(next_scale)(spec, &tuner, &adapter);
      if (second && spec->setting == AB_FIXED_D) {
        adaptive.scale = AB_ID(second_order_d)((lbp_real)spec->fixed[0], (lbp_real)spec->fixed[1], (lbp_real)spec->fixed[2]);
      }
      if (second && spec->setting == AB_FIXED_SIGMA) {
        adaptive.scale = AB_ID(second_order)((lbp_real)spec->fixed[0], (lbp_real)spec->fixed[1]);
      }
    }
    if (spec->kernel == AB_GIBBS) {
      info = AB_ID(gibbs_step)(&chain, m, &rng);
    } else if (spec->kernel == AB_RWM) {
      info = AB_ID(arwm_step)(&chain, m, &tuner, &rng);
    } else if (spec->kernel == AB_DLP) {
      info = AB_ID(adlp_step)(&chain, m, &tuner, &rng);
    } else if (second || (spec->kernel == AB_DLP_TRACE && t <= spec->warmup / 2)) {
      info = AB_ID(adaptive_step)(&adaptive, &chain, m, &rng); /* the last of these makes D */
    } else {
      if (t < spec->warmup) scale = AB_ID(next_scale)(spec, &tuner, &adapter);
      info = AB_ID(ab_step)(&chain, m, spec->kernel == AB_DLP_TRACE ? AB_ID(adaptive_curvature)(&adaptive) : NULL, &scale, &rng);
      AB_ID(tuner_update)(&tuner, info.accept);
      if (t < spec->warmup) AB_ID(adapter_update)(&adapter, (double)info.accept * info.proposed);
    }
    if (t < spec->warmup) continue;
    trace[t - spec->warmup] = ab_distance(x, x0, d);
    out->acceptance += (double)info.accept / spec->steps;
    out->jump += (double)info.jump / spec->steps;
  }
  out->seconds = bench_cpu_now() - begin;
  out->queries = ab_queries(spec) * spec->steps;
  out->ess = ab_ess(trace, spec->steps);
  if (second) scale = adaptive.scale;
  out->alpha = (double)scale.alpha;
  out->damping = (double)scale.damping;
  if (second && !spec->literal) {
    out->first = spec->setting == AB_ADAPTED ? (double)adaptive.adapter.value[0] : spec->fixed[0];
    out->second = spec->setting == AB_ADAPTED ? (double)adaptive.adapter.value[1] : spec->fixed[1];
  } else {
    out->first = second ? 1 / (double)scale.flat
                 : spec->kernel == AB_FIRST ? 1 / (double)scale.flat
                                            : (double)tuner.sigma;
  }
  out->residual = adaptive.residual;
  out->status = adaptive.status;
  free(given_memory);
  free(memory);
  free(trace);
  free(ws);
  free(x);
}

#undef AB_PASTE2
#undef AB_PASTE
#undef AB_ID
#undef AB_NAME
#undef AB_MODEL_T
#undef AB_GRADIENT
#undef AB_LOGP
#undef AB_CONDITIONAL
#undef AB_HESSIAN
