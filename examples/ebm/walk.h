/* A chain of any sampler over the model: single sites from their conditionals (Gibbs), random walk, locally balanced
 * with one site and with a tuned number (LBP-1, ALBP), GWG-R tuned, and those of lbp_ab.h, first (DLP) and second order
 * (AB). A step of each evaluates the network at one state at most: log pi of Gibbs and random walk, and log pi with its
 * gradient of the others. */
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

#define LBP_AB_NAME     deep
#define LBP_AB_MODEL_T  ebm_model
#define LBP_AB_REAL     float
#define LBP_AB_STATES   2
#define LBP_AB_GRADIENT ebm_gradient
#include "../../lbp_ab.h"

typedef enum { EBM_GIBBS, EBM_RWM, EBM_LBP_1, EBM_ALBP, EBM_GWG, EBM_DLP, EBM_AB, EBM_KINDS } ebm_kind;

/* sigma, alpha: of DLP and AB; curvature: of AB, see ebm_curvature. */
typedef struct {
  ebm_kind kind;
  float sigma, alpha;
  const deep_curvature *curvature;
} ebm_sampler;

/* One chain, which has pointers into itself: do not copy it. */
typedef struct {
  const ebm_model *model;
  ebm_sampler sampler;
  ebm_chain lbp;     /* all but DLP and AB */
  ebm_cache cache;
  ebm_tuner tuner;
  uint32_t site;     /* of Gibbs: the next */
  deep_chain ab;     /* DLP and AB */
  uint8_t x[EBM_N];
  float ws[LBP_AB_WS_LEN(EBM_N)];
  lbp_rng rng;
} ebm_walker;

/* Sums over steps: acceptance rate, sites that changed, sites proposed. */
typedef struct {
  double accept, jump, sites;
} ebm_moves;

/* The curvature of the any-scale paper's appendix B.6, the data's variances with the other sign, W_ii = -1/(1 + var_i),
 * of data with these means: a flip is foretold to lose half of that. memory gets what the caller has to free after the
 * last step. LBP_E_MEMORY, or what deep_curvature_init returns. */
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

LBP_FN int ebm_is_ab(const ebm_walker *w) { return w->sampler.kind == EBM_DLP || w->sampler.kind == EBM_AB; }

/* The state, and log pi there. */
LBP_FN const uint8_t *ebm_walker_x(const ebm_walker *w) { return ebm_is_ab(w) ? w->x : w->lbp.x; }
LBP_FN double ebm_walker_logp(ebm_walker *w) {
  return (double)(ebm_is_ab(w) ? w->ab.logp : ebm_logp(w->model, &w->cache, w->lbp.x));
}

/* A chain at x that draws from the stream (seed, stream), and whose tuner, where it has one, learns for `warmup` steps,
 * at least one. Returns what lbp.h's and lbp_ab.h's init return. */
LBP_FN int ebm_walker_init(ebm_walker *w, const ebm_model *m, const ebm_sampler *s, uint32_t warmup, const uint8_t *x,
                           uint64_t seed, uint64_t stream) {
  const float target = s->kind == EBM_RWM ? LBP_TARGET_RWM : LBP_TARGET_LBP;
  int status;
  memset(w, 0, sizeof *w);
  w->model = m;
  w->sampler = *s;
  lbp_rng_init(&w->rng, seed, stream);
  memcpy(w->x, x, EBM_N);
  if (ebm_is_ab(w)) return deep_init(&w->ab, EBM_N, 2, w->x, w->ws, LBP_AB_WS_LEN(EBM_N));
  status = ebm_tuner_init(&w->tuner, EBM_N, warmup > 0 ? warmup : 1, target);
  return status == LBP_OK ? ebm_init(&w->lbp, x, &w->cache) : status;
}

/* The next site from its conditional. */
LBP_FN void ebm_walker_gibbs(ebm_walker *w, ebm_moves *moves) {
  uint8_t *one = &w->lbp.x[w->site];
  const double here = ebm_walker_logp(w);
  double there;
  *one ^= 1;
  there = ebm_walker_logp(w);
  if (lbp_u01(lbp_rng_u64(&w->rng)) * (1 + exp(here - there)) < 1) moves->accept++, moves->jump++;
  else *one ^= 1;
  moves->sites++;
  w->site = (w->site + 1) % EBM_N;
}

/* One step, added to `moves`. Returns deep_ab_step's status, LBP_OK of the others. */
LBP_FN int ebm_walker_step(ebm_walker *w, ebm_moves *moves) {
  const ebm_sampler *s = &w->sampler;
  if (s->kind == EBM_GIBBS) {
    ebm_walker_gibbs(w, moves);
  } else if (ebm_is_ab(w)) {
    const int bent = s->kind == EBM_AB;
    const deep_scale scale = bent ? deep_second_order(s->sigma, s->alpha) : deep_first_order(s->sigma, s->alpha);
    const deep_info info = deep_ab_step(&w->ab, w->model, bent ? s->curvature : NULL, &scale, &w->rng);
    if (info.status != LBP_OK) return info.status;
    moves->accept += (double)info.accept;
    moves->jump += info.jump;
    moves->sites += info.proposed;
  } else {
    const uint32_t R = s->kind == EBM_LBP_1 ? 1 : ebm_tuner_draw(&w->tuner, &w->rng);
    const ebm_info info = s->kind == EBM_RWM   ? ebm_rwm_step(&w->lbp, w->model, R, &w->rng)
                          : s->kind == EBM_GWG ? ebm_gwg_step(&w->lbp, w->model, R, &w->rng)
                                               : ebm_lbp_step(&w->lbp, w->model, R, &w->rng);
    ebm_tuner_update(&w->tuner, info.accept);
    moves->accept += (double)info.accept;
    moves->jump += info.jump;
    moves->sites += info.proposed;
  }
  return LBP_OK;
}

#endif
