/* One chain of any sampler of lbp_ab.h, or of its paper, on one model: rows of a kernel that lbp/run/chains.h drives.
 * Include once per model, with AB_NAME, AB_MODEL_T, other parameters of lbp_ab.h and, where there is one,
 * AB_HESSIAN(m, memory), which returns W; gives
 *
 *   void AB_NAME_measure(const void *model, const ab_spec *, uint32_t chain, ab_outcome *)
 */
#ifndef BENCH_AB_RUNNER_H
#define BENCH_AB_RUNNER_H

#include "../../lbp_models.h"
#include "../common/harness.h"

/* Rows: Gibbs of a site at a time, discrete Langevin without and with D, what adapts (sigma, alpha) or (s, rho), and steps
 * with a momentum. */
typedef enum { AB_GIBBS, AB_RWM, AB_DLP, AB_DLP_TRACE, AB_FIRST, AB_SECOND, AB_MOMENTUM, AB_KERNELS } ab_kernel;

/* What a scale is fixed to. */
typedef enum {
  AB_ADAPTED,
  AB_FIXED_D,      /* s, rho, damping, in the metric of D */
  AB_FIXED_SIGMA,  /* sigma, alpha, as printed */
  AB_FIXED_EPS     /* eps, relax, of steps with a momentum */
} ab_setting;

typedef struct {
  const char *name;
  ab_kernel kernel;
  int diagonal;    /* LBP_DIAGONAL_TRACE ... */
  int literal;     /* adapted as printed */
  int damped;      /* W's damping adapted too */
  int hessian;     /* W is not estimated but the Hessian */
} ab_sampler;

/* Random states that all chains are compared with, see ab_spec.shared; sites whose values are followed. */
enum { AB_SHARED = 8, AB_SITES_SEEN = 8 };

typedef struct {
  const ab_sampler *sampler;
  ab_setting setting;
  double fixed[3];
  uint32_t d, states, warmup, steps;
  uint64_t seed;   /* chain k draws from the stream (seed, k) */
  int shared;      /* effective samples also of the distances to states that do not depend on seed and chain */
  int more;        /* effective samples also of log pi, and of the worst of some sites */
} ab_spec;

typedef struct {
  double ess, acceptance, jump, seconds; /* of the measured steps, CPU time */
  double shared[AB_SHARED], logp, worst;
  double queries;                        /* evaluations of log pi, by the paper's count */
  double first, alpha, second, damping;  /* sigma or s, alpha, rho, damping of W that they ran with */
  double residual, status;
} ab_outcome;

/* Evaluations of log pi in a step, as the paper counts them. For Gibbs on {0 ... 20} that is 20: with it its effective
 * samples per second are those of a step of 0.5 ms, a round number as for all other samplers; with 21 they are not. */
LBP_FN double ab_queries(ab_kernel kernel, uint32_t states) {
  return kernel == AB_RWM ? 2 : kernel != AB_GIBBS ? 4 : states > 2 ? states - 1 : 2;
}

/* A uniformly random state. */
LBP_FN void ab_random_state(uint8_t *x, uint32_t d, uint32_t states, lbp_rng *rng) {
  for (uint32_t i = 0; i < d; i++) x[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(rng), states);
}

/* sum_i |x_i - y_i| */
LBP_FN double ab_distance(const uint8_t *x, const uint8_t *y, uint32_t d) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < d; i++) sum += x[i] > y[i] ? (uint32_t)(x[i] - y[i]) : (uint32_t)(y[i] - x[i]);
  return sum;
}

#endif

#define AB_ID(name) BENCH_PASTE(AB_NAME, _##name)

#define LBP_NAME    AB_NAME
#define LBP_MODEL_T AB_MODEL_T
#define LBP_REAL    lbp_real
#include "../../lbp_run.h"

#ifdef AB_HESSIAN
/* A curvature from the Hessian; *memory is to be freed. */
static void AB_ID(make_curvature)(const AB_MODEL_T *m, int diagonal, AB_ID(curvature) *curvature, void **memory) {
  void *room = NULL;
  const lbp_symmetric W = AB_HESSIAN(m, &room);
  const size_t len = lbp_diagonal_workspace(diagonal, W.n);
  double *D = (double *)basic_alloc(W.n, sizeof *D), *work = (double *)basic_alloc(len, sizeof *work);
  int status = lbp_diagonal(diagonal, &W, D, work, len);
  if (status == LBP_OK || status == LBP_E_NOT_CONVERGED) {
    const size_t bytes = AB_ID(curvature_bytes)(&W, D, 1);
    *memory = basic_alloc(bytes, 1);
    status = AB_ID(curvature_init)(curvature, &W, D, 1, *memory, bytes);
  }
  if (status != LBP_OK) basic_die("curvature: %s", lbp_error(status));
  BENCH_FREE(room, work, D);
}
#endif

static AB_ID(info) AB_ID(site)(AB_ID(chain) *c, const AB_MODEL_T *m, const lbp_plan *plan, AB_ID(adaptive) *a, int learn,
                               lbp_rng *rng) {
  return (void)plan, (void)a, (void)learn, AB_ID(gibbs_step)(c, m, rng);
}

/* First order by the plan's (sigma, alpha), or adapted. */
static AB_ID(info) AB_ID(first)(AB_ID(chain) *c, const AB_MODEL_T *m, const lbp_plan *plan, AB_ID(adaptive) *a, int learn,
                                lbp_rng *rng) {
  const lbp_real sigma = (lbp_real)plan->setting[0], alpha = (lbp_real)plan->setting[1];
  AB_ID(adapter) *by = &a->adapter;
  AB_ID(info) info;
  if (!learn) by->probe = 0; /* where it is, not where it was looking */
  a->scale = sigma > 0 ? AB_ID(first_order)(sigma, alpha)
                       : AB_ID(first_order)(AB_ID(adapter_value)(by, 0), AB_ID(adapter_value)(by, 1));
  info = AB_ID(ab_step)(c, m, NULL, &a->scale, rng);
  if (learn) AB_ID(adapter_update)(by, (double)info.accept * info.proposed);
  return info;
}

/* Algorithm 1 up to the step of its warm-up that makes D; in the rest of that sigma is tuned. */
static AB_ID(info) AB_ID(trace)(AB_ID(chain) *c, const AB_MODEL_T *m, const lbp_plan *plan, AB_ID(adaptive) *a, int learn,
                                lbp_rng *rng) {
  const uint32_t half = plan->warmup / 2;
  AB_ID(info) info;
  if (learn && a->step <= half) {
    info = AB_ID(adaptive_step)(c, m, a, rng);
    if (a->step > half) AB_ID(tuner_init)(&a->tuner, (lbp_real)0.1, plan->warmup - a->step, (lbp_real)plan->target);
    return info;
  }
  a->scale = AB_ID(langevin_d)(a->tuner.sigma);
  info = AB_ID(ab_step)(c, m, AB_ID(adaptive_curvature)(a), &a->scale, rng);
  if (learn) AB_ID(tuner_update)(&a->tuner, info.accept);
  return info;
}

#define AB_STEPS(step)                                                                                              \
  static uint32_t AB_ID(step##_steps)(void *chain, const void *model, const lbp_plan *plan, void *tuner,             \
                                      uint32_t count, double limit, int learn, lbp_moves *moves) {                   \
    return AB_ID(own_steps)(AB_ID(step), chain, model, plan, tuner, count, limit, learn, moves);                     \
  }
AB_STEPS(site)
AB_STEPS(first)
AB_STEPS(trace)

/* A row: one of the template's, maybe with other steps. */
static lbp_sampler AB_ID(row)(const lbp_kernel *kernel, ab_kernel which) {
  static const int base[] = {LBP_SAMPLER_GIBBS, LBP_SAMPLER_RWM, LBP_SAMPLER_DLP, LBP_SAMPLER_AB, LBP_SAMPLER_AB, LBP_SAMPLER_AB,
                             LBP_SAMPLER_MOMENTUM};
  static lbp_kernel_steps *const own[] = {AB_ID(site_steps), NULL, NULL, AB_ID(trace_steps), AB_ID(first_steps), NULL,
                                           NULL};
  lbp_sampler row = *lbp_kernel_sampler(kernel, base[which]);
  if (own[which]) row.steps = own[which];
  return row;
}

static void AB_ID(measure)(const void *model, const ab_spec *spec, uint32_t k, ab_outcome *out) {
  const ab_sampler *s = spec->sampler;
  const double *fixed = spec->fixed;
  const lbp_real f[3] = {(lbp_real)fixed[0], (lbp_real)fixed[1], (lbp_real)fixed[2]};
  const lbp_kernel kernel = AB_ID(kernel)();
  const lbp_sampler row = AB_ID(row)(&kernel, s->kernel);
  const int second = s->kernel == AB_SECOND, adapts = row.sampler == LBP_SAMPLER_AB;
  const int traces = spec->shared ? 1 + AB_SHARED : 1; /* each of the distance to a state of its own */
  const int more = spec->more ? 1 + AB_SITES_SEEN : 0; /* log pi, and sites here and there: 5, 42, 79 ... */
  uint8_t *x0 = (uint8_t *)basic_alloc((size_t)traces * spec->d, 1);
  double *trace = (double *)basic_alloc((size_t)(traces + more) * spec->steps, sizeof *trace), begin;
  AB_ID(adaptive) *a;
  AB_ID(curvature) given;
  void *memory = NULL;
  lbp_chains c;
  lbp_plan plan;
  int status = lbp_plan_init(&plan, &kernel, row.sampler, spec->d, spec->states);
  plan.sampler = &row;
  plan.warmup = spec->warmup;
  if (s->kernel == AB_FIRST) memcpy(plan.setting, fixed, sizeof plan.setting);
  if (s->kernel == AB_MOMENTUM) plan.eps = fixed[0], plan.relax = fixed[1];
#ifdef AB_HESSIAN
  if (s->hessian) AB_ID(make_curvature)((const AB_MODEL_T *)model, s->diagonal, &given, &memory);
#endif
  if (s->hessian) plan.curvature = &given;
  if (status == LBP_OK) status = lbp_chains_init(&c, &kernel, model, &plan, k, 1, 0);
  if (status == LBP_OK) status = lbp_chains_make(&c, 0, spec->seed);
  if (status != LBP_OK) basic_die("chain: %s", lbp_error(status));
  lbp_unit *unit = lbp_chains_unit(&c, 0);
  ab_random_state(x0, spec->d, spec->states, &unit->rng);
  for (int q = 1; q < traces; q++) {
    lbp_rng rng;
    lbp_rng_init(&rng, 0, (uint32_t)q);
    ab_random_state(x0 + (size_t)q * spec->d, spec->d, spec->states, &rng);
  }
  a = AB_ID(adaptive_of)(c.tuner);
  a->diagonal = s->diagonal;
  a->literal = s->literal;
  a->damped = s->damped;
  a->compared = s->damped && spec->setting == AB_ADAPTED; /* else it is the paper's, or stays what it is */
  lbp_chains_step(&c, 0, 1, spec->warmup, HUGE_VAL, 1);
  if (second && spec->setting == AB_FIXED_D) a->scale = AB_ID(second_order_d)(f[0], f[1], f[2]);
  if (second && spec->setting == AB_FIXED_SIGMA) a->scale = AB_ID(second_order)(f[0], f[1]);
  memset(c.moves, 0, sizeof *c.moves);
  begin = bench_cpu_now();
  for (uint32_t t = 0; t < spec->steps; t++) {
    lbp_chains_step(&c, 0, 1, 1, HUGE_VAL, 0);
    for (int q = 0; q < traces; q++) {
      trace[(size_t)q * spec->steps + t] = ab_distance((const uint8_t *)unit->x, x0 + (size_t)q * spec->d, spec->d);
    }
    for (int q = 0; q < more; q++) {
      const uint8_t *x = (const uint8_t *)unit->x;
      trace[(size_t)(traces + q) * spec->steps + t] =
          q == 0 ? kernel.logp(unit, model) : x[(37 * ((uint32_t)q - 1) + 5) % spec->d];
    }
  }
  memset(out, 0, sizeof *out);
  out->seconds = bench_cpu_now() - begin;
  status = lbp_chains_fault(&c).status;
  if (status != LBP_OK) basic_die("%s: %s", s->name, lbp_error(status));
  out->ess = fmax(bench_ess(trace, spec->steps), 0);
  for (int q = 1; q < traces; q++) {
    out->shared[q - 1] = fmax(bench_ess(trace + (size_t)q * spec->steps, spec->steps), 0);
  }
  for (int q = 0; q < more; q++) { /* a site that never moves, as hubs of cold graphs, has no effective samples to compare */
    const double *values = trace + (size_t)(traces + q) * spec->steps;
    uint32_t t = 1;
    while (t < spec->steps && values[t] == values[0]) t++;
    if (t == spec->steps) continue;
    const double ess = fmax(bench_ess(values, spec->steps), 0);
    if (q == 0) out->logp = ess;
    else out->worst = out->worst > 0 ? fmin(out->worst, ess) : ess;
  }
  out->acceptance = c.moves->accept / spec->steps;
  out->jump = c.moves->jump / spec->steps;
  out->queries = ab_queries(s->kernel, spec->states) * spec->steps;
  if (adapts) out->first = c.moves->parameter / spec->steps;
  else if (s->kernel != AB_MOMENTUM) kernel.tuner_setting(c.tuner, &out->first);
  out->alpha = adapts ? (double)a->scale.alpha : 0.5;
  out->damping = (double)a->scale.damping;
  if (second && !s->literal) out->second = spec->setting == AB_ADAPTED ? (double)a->adapter.value[1] : fixed[1];
  out->residual = a->residual;
  out->status = a->status;
  lbp_chains_free(&c);
  BENCH_FREE(memory, trace, x0);
}

#undef AB_ID
#undef AB_STEPS
#undef AB_NAME
#undef AB_MODEL_T
#undef AB_HESSIAN
