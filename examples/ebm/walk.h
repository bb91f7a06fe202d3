/* Chains of any sampler over the model, rows of the kernels of two instances: single sites from their conditionals
 * (Gibbs), random walk, locally balanced with one site and with a tuned number (LBP-1, ALBP), GWG-R tuned, and those of
 * lbp_ab.h, first (DLP) and second order (AB). A step of each evaluates the network at one state at most: log pi of
 * Gibbs and random walk, and log pi with its gradient of the others. */
#ifndef EBM_WALK_H
#define EBM_WALK_H

#include "model.h"

/* log pi, and its gradient. */
LBP_FN float ebm_gradient(const ebm_model *m, const uint8_t *x, float *out) {
  ebm_known one, *known = &one;
  uint32_t i;
  memcpy(one.x, x, EBM_N);
  ebm_evaluate(m, &known, 1, 1);
  for (i = 0; i < EBM_N; i++) out[i] = x[i] ? -one.delta[i] : one.delta[i];
  return one.logp;
}

#define LBP_NAME     deep
#define LBP_MODEL_T  ebm_model
#define LBP_REAL     float
#define LBP_STATES   2
#define LBP_GRADIENT ebm_gradient
#include "../../lbp_run.h"

typedef enum { EBM_GIBBS, EBM_RWM, EBM_LBP_1, EBM_ALBP, EBM_GWG, EBM_DLP, EBM_AB, EBM_KINDS } ebm_kind;

/* sigma: of DLP and AB; the others: of AB, see ebm_curvature and ebm_ab_begin. */
typedef struct {
  ebm_kind kind;
  double sigma, alpha;
  const deep_curvature *curvature;
  int by_jump;
} ebm_sampler;

/* Its chains and their driver, see lbp/run/chains.h. It has pointers into itself: do not copy it. */
typedef struct {
  lbp_kernel kernel;
  lbp_sampler row;
  lbp_plan plan;
} ebm_walk;

/* The curvature of the any-scale paper's appendix B.6, the data's variances with the other sign, W_ii = -1/(1 + var_i),
 * of data with these means: a flip is predicted to lose half of that. memory gets the block that the caller frees after
 * the last step. LBP_E_MEMORY, or the status of deep_curvature_init. */
LBP_FN int ebm_curvature(deep_curvature *curvature, const double *mean, void **memory) {
  double w[EBM_N], D[EBM_N];
  uint32_t start[EBM_N + 1] = {0}, column[EBM_N], i;
  lbp_symmetric W;
  size_t bytes;
  for (i = 0; i < EBM_N; i++) {
    D[i] = 1 / (1 + mean[i] * (1 - mean[i]));
    w[i] = -D[i];
    start[i + 1] = i + 1;
    column[i] = i;
  }
  memset(&W, 0, sizeof W);
  W.n = EBM_N;
  W.start = start;
  W.column = column;
  W.value = w;
  bytes = deep_curvature_bytes(&W, D, 0);
  *memory = malloc(bytes);
  return *memory ? deep_curvature_init(curvature, &W, D, 0, *memory, bytes) : LBP_E_MEMORY;
}

/* The next site from its conditional; a sweep would be EBM_N evaluations. The tuner, which has nothing to tune, counts
 * sites. */
LBP_FN uint32_t ebm_gibbs(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                          double limit, int learn, lbp_moves *moves) {
  const lbp_kernel ebm = ebm_kernel();
  lbp_unit *unit = (lbp_unit *)chain;
  uint32_t *site = &((ebm_tuner *)tuner)->step, k;
  (void)learn;
  for (k = 0; k < count && 2.0 * k < limit; k++) {
    uint8_t *one = (uint8_t *)unit->x + *site;
    const double here = ebm.logp(chain, model);
    double there;
    int moved;
    *one ^= 1;
    there = ebm.logp(chain, model);
    moved = lbp_u01(lbp_rng_u64(&unit->rng)) * (1 + exp(here - there)) < 1;
    if (!moved) *one ^= 1;
    moves->accept += moved;
    moves->jump += moved;
    moves->proposed++;
    moves->evaluations++;
    if (plan->see) plan->see(plan->see_data, chain, site, (uint32_t)moved);
    *site = (*site + 1) % EBM_N;
  }
  return k;
}

/* ---- AB, fixed or tuned by its acceptance rate ------------------------------------------------------------------- */

LBP_FN deep_info ebm_ab_one(deep_chain *c, const ebm_model *m, const lbp_plan *plan, deep_adaptive *a, int learn,
                            lbp_rng *rng) {
  (void)learn;
  return deep_ab_step(c, m, (const deep_curvature *)plan->curvature, &a->scale, rng);
}

/* Tuned scales are at most that. Without an end a scale whose rate stays above the target, as on pixels that are nearly
 * independent, grows on, and is not back in time when the model changes. */
#define EBM_SCALE_MOST 4

/* The tuner's, with a fixed alpha, or one that goes with it. */
LBP_FN deep_scale ebm_ab_scale(const deep_adaptive *a, double alpha) {
  return alpha > 0 ? deep_second_order(a->tuner.sigma, (float)alpha) : deep_second_order_d(a->tuner.sigma, 1, 1);
}

/* The scale follows the acceptance rate, whatever the model has become since the last step. */
LBP_FN void ebm_ab_learn(void *tuner, double accept) {
  deep_adaptive *a = deep_adaptive_of(tuner);
  deep_tuner *t = &a->tuner;
  deep_tuner_update(t, (float)accept);
  if (t->sigma > EBM_SCALE_MOST) deep_tuner_init(t, EBM_SCALE_MOST, t->warmup, t->target);
  a->scale = ebm_ab_scale(a, a->scale.along > 0 ? 0 : (double)a->scale.alpha);
}

/* A tuner at its beginning: sigma and alpha as they are given, with the kernel as printed in [A]; with an alpha alone,
 * its sigma is tuned to the acceptance rate; with none, s of the kernel in the metric of D, exp(-z'Dz / (2 s)), and
 * alpha(s) of (6) with it: one number for two. by_jump: algorithm 3 of [A], as printed. */
LBP_FN void ebm_ab_begin(deep_adaptive *a, const ebm_sampler *s) {
  if (s->sigma > 0) a->scale = deep_second_order((float)s->sigma, (float)s->alpha);
  else a->scale = ebm_ab_scale(a, s->alpha);
  if (!s->by_jump) return;
  deep_adaptive_given(a, s->curvature, UINT32_MAX);
  a->literal = 1;
  a->compared = 0;
  a->step = a->warmup / 2; /* the second order */
}

LBP_FN uint32_t ebm_ab(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count, double limit,
                       int learn, lbp_moves *moves) {
  return deep_own_steps(ebm_ab_one, chain, model, plan, tuner, count, limit, learn, moves);
}

/* A sampler's kernel and plan; tuners, where it has one, learn for `warmup` steps, at least one. */
LBP_FN int ebm_walk_plan(ebm_walk *w, const ebm_sampler *s, uint32_t warmup) {
  static const int base[EBM_KINDS] = {LBP_SAMPLER_GIBBS, LBP_SAMPLER_RWM, LBP_SAMPLER_LBP, LBP_SAMPLER_LBP,
                                      LBP_SAMPLER_GWG,   LBP_SAMPLER_DLP, LBP_SAMPLER_AB};
  const int is_deep = s->kind == EBM_DLP || s->kind == EBM_AB;
  int status;
  w->kernel = is_deep ? deep_kernel() : ebm_kernel();
  status = lbp_plan_init(&w->plan, &w->kernel, base[s->kind], EBM_N, 2);
  if (status != LBP_OK) return status;
  w->row = *w->plan.sampler;
  if (s->kind == EBM_GIBBS) w->row.steps = ebm_gibbs;
  if (s->kind == EBM_AB) w->row.steps = ebm_ab;
  if (s->kind == EBM_AB && !s->by_jump) w->kernel.tuner_update = ebm_ab_learn;
  w->plan.sampler = &w->row;
  w->plan.warmup = warmup > 0 ? warmup : 1;
  w->plan.setting[0] = is_deep ? s->sigma : s->kind == EBM_LBP_1;
  w->plan.setting[1] = s->alpha;
  w->plan.curvature = s->curvature;
  return LBP_OK;
}

/* Its chains, from anywhere, with `shared` tuners for all of them or one for each; chain k draws from the stream
 * (seed, k). Free them either way. */
LBP_FN int ebm_walk_init(lbp_chains *c, const ebm_walk *w, const ebm_sampler *s, const ebm_model *m, uint32_t count,
                         uint32_t shared, uint64_t seed) {
  int status = lbp_chains_init(c, &w->kernel, m, &w->plan, 0, count, shared);
  uint32_t k;
  for (k = 0; k < c->tuners && status == LBP_OK && s->kind == EBM_AB; k++) {
    ebm_ab_begin(deep_adaptive_of(lbp_chains_tuner_at(c, k)), s);
  }
  for (k = 0; k < count && status == LBP_OK; k++) status = lbp_chains_make(c, k, seed);
  return status;
}

#endif
