/* lbp/run/ab_kernel.h - the kernel of lbp_ab.h's instances, NAME_kernel: all its samplers, in the form that drivers use
 * (lbp/run/kernel.h).
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp_ab.h includes it if an instance is for lbp_run.h.
 *
 * Order of this file: chains; a momentum as numbers; the law; tuners; adaptive AB that several chains share; samplers;
 * samplers of your own; the kernel.
 */

#ifndef LBP_NAME_
#error "lbp/run/ab_kernel.h: lbp_ab.h includes it, inside its template: don't include it yourself"
#else

#ifndef LBP_P_OWN_RNG
#error "lbp_run.h: runs are saved with their generators: leave LBP_RNG_T to lbp_ab.h"
#else

typedef struct {
  lbp_unit unit; /* comes first */
  LBP_CHAIN_T chain;
  LBP_INFO_T last;
  lbp_finding fault; /* the first */
} LBP_(unit); /* workspace and x come behind it */

/* ---- chains ------------------------------------------------------------------------------------------------------ */

LBP_FN size_t LBP_(kernel_bytes)(const lbp_plan *plan) {
  const size_t own = (sizeof(LBP_(unit)) + 63) / 64 * 64;
  const size_t room = lbp_size_plus(lbp_size_times(LBP_WS_LEN_AB(plan->n), sizeof(LBP_REAL)), plan->n);
  return lbp_size_plus(own, lbp_size_plus(room, 63) / 64 * 64);
}

LBP_FN int LBP_(kernel_make)(void *chain, const void *model, const lbp_plan *plan) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  LBP_REAL *ws = (LBP_REAL *)(void *)((unsigned char *)chain + (sizeof *u + 63) / 64 * 64);
  (void)model;
  u->unit.x = (uint8_t *)(ws + LBP_WS_LEN_AB(plan->n));
  return LBP_NAME_(init)(&u->chain, plan->n, plan->values, (uint8_t *)u->unit.x, ws, LBP_WS_LEN_AB(plan->n));
}

LBP_FN void LBP_(kernel_drop)(void *chain) { (void)chain; }

LBP_FN void LBP_(kernel_touch)(void *chain) { LBP_NAME_(touch)(&((LBP_(unit) *)chain)->chain); }

#ifdef LBP_CLAMPED
LBP_FN int LBP_(kernel_clamp)(void *chain, const uint8_t *mask) {
  return LBP_NAME_(clamp)(&((LBP_(unit) *)chain)->chain, mask);
}
#endif

LBP_FN void LBP_(kernel_temper)(void *chain, double beta) {
  LBP_NAME_(temper)(&((LBP_(unit) *)chain)->chain, (LBP_REAL)beta);
}

LBP_FN lbp_finding LBP_(kernel_check)(void *chain, const void *model, uint32_t trials, lbp_rng *rng) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const LBP_NAME_(report) report = LBP_NAME_(check)(c, (const LBP_MODEL_T *)model, trials, rng);
  lbp_finding it;
  it.status = report.status;
  it.placed = 1;
  it.site = it.other = report.site;
  it.got = (double)report.got;
  it.want = (double)report.want;
  return it;
}

LBP_FN lbp_finding LBP_(kernel_fault)(void *chain) { return ((LBP_(unit) *)chain)->fault; }

/* ---- a momentum as numbers --------------------------------------------------------------------------------------- */

/* Whether the curvature is given, and which. */
LBP_FN size_t LBP_(kernel_chain_words)(const lbp_plan *plan) {
  return plan->sampler->traits & LBP_TRAIT_MOMENTUM ? 1 + (size_t)plan->n : 0;
}

LBP_FN void LBP_(kernel_chain_save)(void *chain, double *words) {
  const LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  uint32_t i;
  words[0] = c->momentum_of != NULL;
  for (i = 0; i < c->n; i++) words[1 + i] = c->momentum_of ? (double)c->momentum[i] : 0;
}

LBP_FN void LBP_(kernel_chain_load)(void *chain, const lbp_plan *plan, const double *words) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  uint32_t i;
  c->momentum_of = words[0] > 0 ? (const LBP_CURVATURE_T *)plan->curvature : NULL;
  for (i = 0; i < c->n; i++) c->momentum[i] = (LBP_REAL)words[1 + i];
}

/* ---- the law ----------------------------------------------------------------------------------------------------- */

LBP_FN double LBP_(kernel_logp)(void *chain, const void *model) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  return (double)(c->logp_ready ? c->logp : LBP_(logp)(c, (const LBP_MODEL_T *)model, c->x));
}

/* The gradient, by which a model is recognised. */
LBP_FN void LBP_(kernel_ratios)(void *chain, const void *model, void (*take)(void *data, uint32_t i, double d),
                                void *data) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  uint32_t i;
  LBP_(call_gradient)((const LBP_MODEL_T *)model, c->x, c->proposed);
  for (i = 0; i < c->n; i++) take(data, i, (double)c->proposed[i]);
}

#ifdef LBP_CONDITIONAL
/* The conditional probabilities of site i's values, in double, in place of their log pi. Gibbs steps round to 2^-31. */
LBP_FN void LBP_(shares)(const LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t i, double *share) {
  const uint32_t states = LBP_P_STATES(c);
  LBP_REAL logp[256];
  double top = 0, total = 0;
  uint32_t v, best = states;
  LBP_P_CLAMP(for (v = 0; v < states; v++) share[v] = v == c->x[i];)
  LBP_P_CLAMP(if (c->mask && c->mask[i]) return;)
  LBP_(call_conditional)(m, c->x, i, logp);
  for (v = 0; v < states; v++) {
    if (lbp_is_finite((double)logp[v]) && (best == states || (double)logp[v] > top)) top = (double)logp[best = v];
  }
  for (v = 0; v < states; v++) {
    const double below = lbp_is_finite((double)logp[v]) ? (double)c->beta * ((double)logp[v] - top) : -800;
    share[v] = best == states ? v == c->x[i] : below > -700 ? lbp_exp(below) : 0; /* with none, x stays */
    total += share[v];
  }
  for (v = 0; v < states; v++) share[v] /= total;
}

LBP_FN void LBP_(kernel_conditionals)(void *chain, const void *model, double *sums) {
  const LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const uint32_t states = LBP_P_STATES(c);
  double share[256];
  uint32_t i, v;
  for (i = 0; i < c->n; i++) {
    LBP_(shares)(c, (const LBP_MODEL_T *)model, i, share);
    if (states == 2) sums[i] += share[1];
    for (v = 0; states > 2 && v < states; v++) sums[(size_t)i * states + v] += share[v];
  }
}
#endif

/* ---- tuners ------------------------------------------------------------------------------------------------------ */

/* One of the two, whatever the sampler is; an adaptive's memory comes behind it. */
typedef struct {
  LBP_NAME_(tuner) sigma;
  LBP_NAME_(adaptive) ab;
  int is_ab;
} LBP_(tune);

LBP_FN int LBP_(estimates)(const lbp_plan *plan) {
  return plan->sampler->sampler == LBP_SAMPLER_AB && !plan->curvature;
}

LBP_FN size_t LBP_(kernel_tuner_bytes)(const lbp_plan *plan) {
  const size_t own = (sizeof(LBP_(tune)) + 63) / 64 * 64;
  return LBP_(estimates)(plan) ? lbp_size_plus(own, LBP_NAME_(adaptive_bytes)(plan->n)) : own;
}

LBP_FN int LBP_(kernel_tuner_init)(void *tuner, const lbp_plan *plan) {
  LBP_(tune) *t = (LBP_(tune) *)tuner;
  const LBP_CURVATURE_T *curvature = (const LBP_CURVATURE_T *)plan->curvature;
  const double target = plan->sampler->parameter_name ? plan->target : 0.5; /* others have nothing to tune */
  int status;
  t->is_ab = plan->sampler->sampler == LBP_SAMPLER_AB;
  if (curvature && curvature->n != plan->n) return LBP_E_SIZE;
  if (!t->is_ab) {
    const double first = plan->setting[0] > 0 ? plan->setting[0] : plan->first > 0 ? plan->first : 0.1;
    return LBP_NAME_(tuner_init)(&t->sigma, (LBP_REAL)first, plan->warmup, (LBP_REAL)target);
  }
  status = curvature ? LBP_NAME_(adaptive_given)(&t->ab, curvature, plan->warmup)
                     : LBP_NAME_(adaptive_init)(&t->ab, plan->n, plan->warmup,
                                                (unsigned char *)tuner + (sizeof *t + 63) / 64 * 64,
                                                LBP_NAME_(adaptive_bytes)(plan->n));
  if (status != LBP_OK) return status;
  if (plan->warmup == UINT32_MAX) { /* for ever: there is no time for the first order, or to look back */
    t->ab.step = LBP_(border)(&t->ab, LBP_PHASE_ADAPT);
    t->ab.compared = 0;
  }
  LBP_(foresee)(&t->ab);
  return LBP_OK;
}

LBP_FN void LBP_(kernel_tuner_update)(void *tuner, double accept) {
  LBP_(tune) *t = (LBP_(tune) *)tuner;
  LBP_NAME_(adaptive) *a = &t->ab;
  if (!t->is_ab) {
    LBP_NAME_(tuner_update)(&t->sigma, (LBP_REAL)accept);
    return;
  }
  LBP_(take_in)(a, accept, a->told > 0 ? a->jump / a->told : 0);
  a->told = a->jump = 0;
  LBP_(foresee)(a);
}

/* AB's, as a setting: s, rho, damping; in first order sigma. */
LBP_FN void LBP_(kernel_tuner_setting)(const void *tuner, double *setting) {
  const LBP_(tune) *t = (const LBP_(tune) *)tuner;
  uint32_t k;
  setting[0] = (double)(t->is_ab ? t->ab.tuner.sigma : t->sigma.sigma);
  if (!t->is_ab || !LBP_NAME_(adaptive_curvature)(&t->ab)) return;
  for (k = 0; k < 3; k++) setting[k] = (double)t->ab.adapter.value[k];
}

LBP_FN int LBP_(kernel_tuner_status)(const void *tuner) {
  const LBP_(tune) *t = (const LBP_(tune) *)tuner;
  return t->is_ab ? t->ab.status : LBP_OK;
}

/* ---- tuners as numbers ------------------------------------------------------------------------------------------- */

LBP_FN void LBP_(word_real)(lbp_words *w, LBP_REAL *v) {
  double wide = (double)*v;
  lbp_words_double(w, &wide);
  *v = (LBP_REAL)wide;
}

LBP_FN void LBP_(word_int)(lbp_words *w, int *v) {
  uint32_t wide = (uint32_t)*v;
  lbp_words_u32(w, &wide);
  *v = (int)wide;
}

LBP_FN void LBP_(words_of_sigma)(lbp_words *w, LBP_NAME_(tuner) *t) {
  LBP_(word_real)(w, &t->sigma);
  lbp_words_double(w, &t->log_sigma);
  lbp_words_double(w, &t->mean);
  lbp_words_u32(w, &t->step);
}

LBP_FN void LBP_(words_of_adapter)(lbp_words *w, LBP_NAME_(adapter) *a) {
  uint32_t k;
  lbp_words_u32(w, &a->count);
  for (k = 0; k < 3; k++) {
    LBP_(word_real)(w, &a->value[k]);
    LBP_(word_real)(w, &a->most[k]);
    lbp_words_double(w, &a->jump[k]);
  }
  LBP_(word_real)(w, &a->gamma);
  LBP_(word_real)(w, &a->decay);
  lbp_words_u32(w, &a->which);
  lbp_words_u32(w, &a->probe);
  lbp_words_u32(w, &a->step);
  LBP_(word_int)(w, &a->moved);
  if (a->count > 3 || a->which >= 3 || a->probe >= 3) a->count = a->which = a->probe = 0;
}

/* The curvature that was estimated. */
LBP_FN void LBP_(words_of_curvature)(lbp_words *w, LBP_CURVATURE_T *v, void *memory) {
  uint32_t rank = v->rank;
  double *work = LBP_(lay_out)(v, v->n, 0, memory);
  const size_t n = v->n;
  LBP_REAL *D = (LBP_REAL *)(void *)(work + 2 * n), *W = D + n, *root = (LBP_REAL *)memory;
  uint32_t *order = (uint32_t *)(void *)(W + n * n);
  size_t k;
  lbp_words_u32(w, &rank);
  v->rank = rank <= n ? rank : 0;
  for (k = 0; k < n; k++) LBP_(word_real)(w, &D[k]);
  for (k = 0; k < n; k++) {
    lbp_words_u32(w, &order[k]);
    if (order[k] >= n) order[k] = 0;
  }
  for (k = 0; k < n * n; k++) LBP_(word_real)(w, &W[k]);
  for (k = 0; k < n * n; k++) LBP_(word_real)(w, &root[k]);
}

/* All that a warm-up changes: sums while W is estimated, then the curvature. */
LBP_FN void LBP_(words_of_adaptive)(lbp_words *w, LBP_NAME_(adaptive) *a) {
  const size_t square = (size_t)a->n * a->n;
  uint32_t learned = a->own.n > 0;
  double pairs = (double)a->estimate.pairs;
  size_t k;
  lbp_words_u32(w, &a->step);
  LBP_(word_int)(w, &a->status);
  lbp_words_double(w, &a->residual);
  LBP_(word_real)(w, &a->scale.alpha);
  LBP_(word_real)(w, &a->scale.damping);
  LBP_(word_real)(w, &a->scale.flat);
  LBP_(word_real)(w, &a->scale.along);
  LBP_(words_of_sigma)(w, &a->tuner);
  LBP_(words_of_adapter)(w, &a->adapter);
  for (k = 0; k < 3; k++) lbp_words_double(w, &a->mean[k]);
  for (k = 0; k < 2; k++) lbp_words_double(w, &a->moved[k]);
  for (k = 0; k < 2; k++) lbp_words_double(w, &a->taken[k]);
  if (a->given) return;
  lbp_words_u32(w, &learned);
  if (learned) {
    a->own.n = a->n;
    LBP_(words_of_curvature)(w, &a->own, a->work + a->work_len);
    return;
  }
  lbp_words_double(w, &pairs);
  a->estimate.pairs = pairs >= 0 && pairs < 1e18 ? (uint64_t)pairs : 0;
  lbp_words_double(w, &a->estimate.square);
  for (k = 0; k < square; k++) lbp_words_double(w, &a->estimate.C[k]);
  for (k = 0; k < square; k++) lbp_words_double(w, &a->estimate.B[k]);
}

LBP_FN void LBP_(words_of_tuner)(lbp_words *w, LBP_(tune) *t) {
  if (t->is_ab) LBP_(words_of_adaptive)(w, &t->ab);
  else LBP_(words_of_sigma)(w, &t->sigma);
}

/* Of the longest form. */
LBP_FN size_t LBP_(kernel_tuner_words)(const lbp_plan *plan) {
  const size_t n = plan->n;
  if (!LBP_(estimates)(plan)) return 64;
  return lbp_size_plus(64 + 2 * n, lbp_size_times(2, lbp_size_times(n, n)));
}

LBP_FN void LBP_(kernel_tuner_save)(void *tuner, double *words) {
  lbp_words w;
  w.out = words;
  w.in = NULL;
  LBP_(words_of_tuner)(&w, (LBP_(tune) *)tuner);
}

LBP_FN void LBP_(kernel_tuner_load)(void *tuner, const double *words) {
  lbp_words w;
  w.out = NULL;
  w.in = words;
  LBP_(words_of_tuner)(&w, (LBP_(tune) *)tuner);
}

/* ---- adaptive AB that several chains share ----------------------------------------------------------------------- */

/* How far a chain was expected to jump, whether it did, and where W is estimated its differences. */
LBP_FN size_t LBP_(kernel_feedback_bytes)(const lbp_plan *plan) {
  if (plan->sampler->sampler != LBP_SAMPLER_AB) return 0;
  return sizeof(double) * (2 + (plan->curvature ? 0 : 2 * (size_t)plan->n));
}

LBP_FN void LBP_(kernel_feedback)(const void *chain, const lbp_plan *plan, void *feedback) {
  const LBP_(unit) *u = (const LBP_(unit) *)chain;
  double *out = (double *)feedback;
  out[0] = (double)u->last.accept * u->last.proposed;
  out[1] = u->last.accepted;
  if (!plan->curvature && u->last.accepted) LBP_(differences)(&u->chain, out + 2, out + 2 + plan->n);
}

LBP_FN void LBP_(kernel_observe)(void *tuner, const void *feedback) {
  LBP_NAME_(adaptive) *a = &((LBP_(tune) *)tuner)->ab;
  const double *in = (const double *)feedback;
  a->told += 1;
  a->jump += in[0];
  if (in[1] > 0 && LBP_(is_estimating)(a)) lbp_estimate_push(&a->estimate, in + 2, in + 2 + a->n);
}

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

/* Adds the report of a step to `moves`, and keeps the first fault. Returns its work. */
LBP_FN double LBP_(tell)(LBP_(unit) *u, LBP_INFO_T info, double parameter, lbp_moves *moves) {
  u->last = info;
  if (info.status != LBP_OK && u->fault.status == LBP_OK) {
    const int fits = info.status != LBP_E_NOT_QUADRATIC && info.status != LBP_E_INEXACT;
    u->fault.status = info.status;
    u->fault.got = fits ? 0 : (double)u->chain.misfit[0];
    u->fault.want = fits ? 0 : (double)u->chain.misfit[1];
  }
  moves->accept += (double)info.accept;
  moves->parameter += parameter;
  moves->jump += info.jump;
  moves->proposed += info.proposed;
  moves->evaluations += info.evaluations;
  moves->log_ratio += (double)info.log_ratio;
  return 1.0 + info.evaluations;
}

/* The parameter of a scale: s of the second order, sigma of the others. */
LBP_FN double LBP_(parameter)(const LBP_SCALE_T *s) {
  return s->along > 0 ? (double)((s->damping > 0 ? s->damping : 2) / s->along) : 1 / (double)s->flat;
}

LBP_FN uint32_t LBP_(kernel_ab)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  LBP_NAME_(adaptive) *a = &((LBP_(tune) *)tuner)->ab;
  const double *fixed = plan->setting;
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    LBP_SCALE_T scale = a->scale;
    LBP_INFO_T info;
    if (learn && fixed[0] == 0) {
      info = LBP_NAME_(adaptive_step)(&u->chain, m, a, &u->unit.rng);
      scale = a->scale;
    } else {
      if (fixed[0] > 0) {
        scale = LBP_NAME_(second_order_d)((LBP_REAL)fixed[0], (LBP_REAL)fixed[1], (LBP_REAL)fixed[2]);
      }
      info = LBP_NAME_(ab_step)(&u->chain, m, LBP_NAME_(adaptive_curvature)(a), &scale, &u->unit.rng);
    }
    work += LBP_(tell)(u, info, LBP_(parameter)(&scale), moves);
    if (plan->see) plan->see(plan->see_data, chain, NULL, 0);
  }
  return k;
}

/* Steps by sigma, of the tuner or fixed: discrete Langevin or random walk. */
LBP_INLINE uint32_t LBP_(kernel_by_sigma)(int langevin, void *chain, const void *model, const lbp_plan *plan,
                                          void *tuner, uint32_t count, double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  LBP_NAME_(tuner) *t = &((LBP_(tune) *)tuner)->sigma;
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    const LBP_REAL sigma = plan->setting[0] > 0 ? (LBP_REAL)plan->setting[0] : t->sigma;
    const LBP_SCALE_T s = LBP_NAME_(first_order)(sigma, (LBP_REAL)0.5);
    const LBP_INFO_T info = langevin ? LBP_NAME_(ab_step)(&u->chain, m, NULL, &s, &u->unit.rng)
                                     : LBP_NAME_(rwm_step)(&u->chain, m, sigma, &u->unit.rng);
    if (learn) LBP_NAME_(tuner_update)(t, info.accept);
    work += LBP_(tell)(u, info, (double)sigma, moves);
    if (plan->see) plan->see(plan->see_data, chain, NULL, 0);
  }
  return k;
}

LBP_FN uint32_t LBP_(kernel_dlp)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                 double limit, int learn, lbp_moves *moves) {
  return LBP_(kernel_by_sigma)(1, chain, model, plan, tuner, count, limit, learn, moves);
}

LBP_FN uint32_t LBP_(kernel_rwm)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                 double limit, int learn, lbp_moves *moves) {
  return LBP_(kernel_by_sigma)(0, chain, model, plan, tuner, count, limit, learn, moves);
}

LBP_FN uint32_t LBP_(kernel_momentum)(void *chain, const void *model, const lbp_plan *plan, void *tuner,
                                      uint32_t count, double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  const LBP_MODEL_T *m = (const LBP_MODEL_T *)model;
  const LBP_CURVATURE_T *curvature = (const LBP_CURVATURE_T *)plan->curvature;
  const LBP_REAL eps = (LBP_REAL)plan->eps, relax = (LBP_REAL)plan->relax;
  double work = 0;
  uint32_t k;
  (void)tuner, (void)learn;
  for (k = 0; k < count && work < limit; k++) {
    work += LBP_(tell)(u, LBP_NAME_(momentum_step)(&u->chain, m, curvature, eps, relax, &u->unit.rng), 0, moves);
    if (plan->see) plan->see(plan->see_data, chain, NULL, 0);
  }
  return k;
}

/* Whole sweeps: each ends with the last site, so that no chain has to know where it stopped. */
LBP_FN uint32_t LBP_(kernel_gibbs)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                   double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  double work = 0;
  uint32_t k, i;
  (void)tuner, (void)learn;
  for (k = 0; k < count && work < limit; k++) {
    double accept = moves->accept;
    for (i = 0; i < plan->n LBP_P_CLAMP(&& i < u->chain.free); i++) {
      const LBP_INFO_T info = LBP_NAME_(gibbs_step)(&u->chain, (const LBP_MODEL_T *)model, &u->unit.rng);
      work += LBP_(tell)(u, info, 0, moves);
    }
    moves->accept = accept + 1;
    if (plan->see) plan->see(plan->see_data, chain, NULL, 0);
  }
  return k;
}

/* ---- your samplers ----------------------------------------------------------------------------------------------- */

/* Returns the chain in a unit of a driver. */
LBP_FN LBP_CHAIN_T *LBP_NAME_(chain_of)(void *chain) { return &((LBP_(unit) *)chain)->chain; }

/* Returns the adaptive AB in a tuner of LBP_SAMPLER_AB, to change its options (see NAME_adaptive_init), or its scale
 * after it has learned. */
LBP_FN LBP_NAME_(adaptive) *LBP_NAME_(adaptive_of)(void *tuner) { return &((LBP_(tune) *)tuner)->ab; }

/* A step of a sampler that is not in the table. It takes its parameter from the plan, or from *a, and updates *a if
 * `learn` is set. If its row of the table has a parameter, the row's sampler is LBP_SAMPLER_AB, and the step writes the
 * parameter it has used to a->scale. */
typedef LBP_INFO_T LBP_NAME_(own_step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, const lbp_plan *plan,
                                       LBP_NAME_(adaptive) *a, int learn, lbp_rng *rng);

/* Takes many such steps, and adds to `moves`: call it from the `steps` of the row. */
LBP_INLINE uint32_t LBP_NAME_(own_steps)(LBP_NAME_(own_step) *step, void *chain, const void *model,
                                         const lbp_plan *plan, void *tuner, uint32_t count, double limit, int learn,
                                         lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  LBP_NAME_(adaptive) *a = LBP_NAME_(adaptive_of)(tuner);
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    const LBP_INFO_T info = step(&u->chain, (const LBP_MODEL_T *)model, plan, a, learn, &u->unit.rng);
    work += LBP_(tell)(u, info, plan->sampler->parameter_name ? LBP_(parameter)(&a->scale) : 0, moves);
    if (plan->see) plan->see(plan->see_data, chain, NULL, 0);
  }
  return k;
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

LBP_FN const char *LBP_(kernel_judge)(const lbp_plan *plan, int tempering) {
  const LBP_CURVATURE_T *curvature = (const LBP_CURVATURE_T *)plan->curvature;
  if (plan->values < 2 || plan->values > 256) return "values: 2 to 256, the number of values of a site";
  if (LBP_(estimates)(plan) && (tempering || plan->warmup == UINT32_MAX)) {
    return "sampler: AB estimates its curvature at one temperature: for tempering and annealing give it one "
           "(curvature), or take DLP, RWM or Gibbs";
  }
  if ((plan->sampler->traits & LBP_TRAIT_MOMENTUM) && !curvature) {
    return "curvature: momentum steps require log pi's Hessian (NAME_curvature_init with exact = 1); or take AB";
  }
  if ((plan->sampler->traits & LBP_TRAIT_MOMENTUM) && !curvature->exact) {
    return "curvature: momentum steps never reject, so it must be log pi's Hessian; make it with exact = 1, or take AB";
  }
  if ((plan->sampler->traits & LBP_TRAIT_MOMENTUM) && !((LBP_REAL)plan->eps < 1)) {
    return "momentum.eps: it rounds to 1 in this instance's numbers (LBP_REAL); give at most 0.9999999";
  }
  if (LBP_(estimates)(plan) && plan->n > 30000) return "sampler: AB estimates curvatures of up to 30000 sites";
  return NULL;
}

/* A hash of a curvature's numbers. */
LBP_FN uint64_t LBP_(kernel_curvature_print)(const void *curvature) {
  const LBP_CURVATURE_T *v = (const LBP_CURVATURE_T *)curvature;
  const size_t n = v->n, count = v->root ? n * n : v->edges;
  const LBP_REAL *root = v->root ? v->root : v->edge;
  uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ v->n ^ (uint64_t)v->exact << 32;
  size_t k;
  for (k = 0; k < n + count; k++) {
    const double value = (double)(k < n ? v->D[k] : root[k - n]);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x100000001b3);
  }
  for (k = 0; k < (v->root ? n : (size_t)2 * v->edges); k++) { /* and which sites they are of */
    hash = (hash ^ (v->root ? v->order[k] : v->ends[k])) * UINT64_C(0x100000001b3);
  }
  return hash;
}

/* This instance as drivers know it. */
LBP_FN lbp_kernel LBP_NAME_(kernel)(void) {
  static const lbp_sampler rows[] = {
      {LBP_SAMPLER_AB, "AB", "ab", "s", (double)LBP_TARGET_LBP, "gradients", LBP_TRAIT_CURVED, LBP_(kernel_ab), NULL},
      {LBP_SAMPLER_DLP, "DLP", "dlp", "sigma", (double)LBP_TARGET_LBP, "gradients", LBP_TRAIT_SCALE, LBP_(kernel_dlp),
       NULL},
      {LBP_SAMPLER_RWM, "RWM", "rwm", "sigma", (double)LBP_TARGET_RWM, "evaluations", LBP_TRAIT_SCALE, LBP_(kernel_rwm),
       NULL},
      {LBP_SAMPLER_GIBBS, "Gibbs", "gibbs", NULL, 0, "evaluations", 0, LBP_(kernel_gibbs), NULL},
      {LBP_SAMPLER_MOMENTUM, "momentum", "momentum", NULL, 0, "gradients", LBP_TRAIT_CURVED | LBP_TRAIT_MOMENTUM,
       LBP_(kernel_momentum), NULL}};
  lbp_kernel k;
  memset(&k, 0, sizeof k);
  k.sampler = rows;
  k.samplers = sizeof rows / sizeof rows[0];
#ifdef LBP_STATES
  k.values = LBP_STATES;
#endif
  k.item_bytes = 1;
  k.real_bytes = sizeof(LBP_REAL);
  k.by_logp = LBP_BY_LOGP_ALONE;
  k.judge = LBP_(kernel_judge);
  k.bytes = LBP_(kernel_bytes);
  k.make = LBP_(kernel_make);
  k.drop = LBP_(kernel_drop);
#ifdef LBP_CLAMPED
  k.clamp = LBP_(kernel_clamp);
#endif
  k.touch = LBP_(kernel_touch);
  k.check = LBP_(kernel_check);
  k.fault = LBP_(kernel_fault);
  k.chain_words = LBP_(kernel_chain_words);
  k.chain_save = LBP_(kernel_chain_save);
  k.chain_load = LBP_(kernel_chain_load);
  k.logp = LBP_(kernel_logp);
  k.ratios = LBP_(kernel_ratios);
#ifdef LBP_CONDITIONAL
  k.conditionals = LBP_(kernel_conditionals);
#endif
  k.temper = LBP_(kernel_temper);
  k.tuner_bytes = LBP_(kernel_tuner_bytes);
  k.tuner_init = LBP_(kernel_tuner_init);
  k.tuner_update = LBP_(kernel_tuner_update);
  k.tuner_setting = LBP_(kernel_tuner_setting);
  k.tuner_status = LBP_(kernel_tuner_status);
  k.tuner_words = LBP_(kernel_tuner_words);
  k.tuner_save = LBP_(kernel_tuner_save);
  k.tuner_load = LBP_(kernel_tuner_load);
  k.curvature_print = LBP_(kernel_curvature_print);
  k.feedback_bytes = LBP_(kernel_feedback_bytes);
  k.feedback = LBP_(kernel_feedback);
  k.observe = LBP_(kernel_observe);
  return k;
}

#define LBP_P_KERNEL LBP_NAME_(kernel)()

#endif /* no error */

#endif /* LBP_NAME_ */
