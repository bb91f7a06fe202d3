/* A deep energy-based model of pictures, log pi(x) = network(x) + sum of x_i logit_i, and its samplers: an instance of
 * lbp_run.h, `ebm`, whose log-ratios are estimates from one gradient [G] and whose acceptance is exact.
 *
 * Each chain has a cache of two states whose value and gradient are known, its own and its proposal, so that no state
 * is evaluated twice; ebm_refresh fills the caches of many chains at once, in groups that go through the network
 * together.
 *
 * EBM_SIDE: pixels in a row, a multiple of 4 (28). EBM_WEIGHT: the locally balanced weight function (LBP_SQRT). */
#ifndef EBM_MODEL_H
#define EBM_MODEL_H

#if defined _OPENMP
#include <omp.h>
#endif

#include "net.h"

#ifndef EBM_SIDE
#define EBM_SIDE 28
#endif
#ifndef EBM_WEIGHT
#define EBM_WEIGHT LBP_SQRT
#endif

enum { EBM_N = EBM_SIDE * EBM_SIDE };

/* Data of one thread. x: the state that memory is of, alone, and its value, if the version is the model's. */
typedef struct {
  net_memory memory;
  float *room;
  uint64_t evaluated; /* states that went through the network */
  uint8_t x[EBM_N];
  uint64_t version;
  float value;
} ebm_worker;

typedef struct {
  net shape;
  const float *theta;   /* the caller's; call ebm_changed after changing it */
  float logit[EBM_N];   /* the base: independent pixels */
  uint64_t version;     /* of theta and the base: a cache of another one is stale */
  ebm_worker *worker;
  int workers;
} ebm_model;

/* A cache's entry: results for one state. */
typedef struct {
  uint8_t x[EBM_N];
  uint64_t version;     /* 0: nothing */
  int has_gradient;
  float logp, delta[EBM_N];
} ebm_known;

/* Two states: known[last] was asked for last. */
typedef struct {
  ebm_known known[2];
  int last;
} ebm_cache;

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* count x size bytes of zeros, aligned to a line of the cache; NULL if there is no memory. */
LBP_FN void *ebm_room(size_t count, size_t size) {
  void *memory = NULL;
  if (posix_memalign(&memory, 64, count * size + 64) != 0) return NULL;
  return memset(memory, 0, count * size + 64);
}

LBP_FN void ebm_model_free(ebm_model *m) {
  int k;
  for (k = 0; m->worker && k < m->workers; k++) free(m->worker[k].room);
  free(m->worker);
  memset(m, 0, sizeof *m);
}

/* A model with workspace for all threads that OpenMP may use now; theta and the base are still to be set. Returns what
 * net_init returns, or LBP_E_MEMORY. */
LBP_FN int ebm_model_init(ebm_model *m, uint32_t channels, uint32_t deep) {
  int status, k;
  memset(m, 0, sizeof *m);
  status = net_init(&m->shape, EBM_SIDE, channels, deep);
  if (status != LBP_OK) return status;
  m->version = m->workers = 1;
#if defined _OPENMP
  m->workers = omp_get_max_threads();
#endif
  m->worker = (ebm_worker *)ebm_room((size_t)m->workers, sizeof *m->worker);
  for (k = 0; m->worker && k < m->workers; k++) {
    ebm_worker *w = &m->worker[k];
    w->room = (float *)ebm_room(net_lay(&m->shape, NULL, NULL), sizeof *w->room);
    if (!w->room) break;
    net_lay(&m->shape, &w->memory, w->room);
  }
  if (k == m->workers) return LBP_OK;
  ebm_model_free(m);
  return LBP_E_MEMORY;
}

/* Empties caches. */
LBP_FN void ebm_changed(ebm_model *m) { m->version++; }

/* The base: independent pixels that are 1 as often as in the data, mean[EBM_N], drawn a little towards one half, so
 * that none is impossible. */
LBP_FN void ebm_set_base(ebm_model *m, const double *mean) {
  uint32_t i;
  for (i = 0; i < EBM_N; i++) {
    const double p = (mean[i] + 0.01) / 1.02;
    m->logit[i] = (float)log(p / (1 - p));
  }
  ebm_changed(m);
}

/* x drawn from the base. */
LBP_FN void ebm_draw_base(const ebm_model *m, lbp_rng *rng, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < EBM_N; i++) {
    const double odds = exp((double)m->logit[i]);
    x[i] = (uint8_t)lbp_bernoulli_trial(lbp_rng_u64(rng), odds / (1 + odds));
  }
}

/* log of the base at x, but for a constant; and that constant, the logarithm of its sum over all x. */
LBP_FN double ebm_log_base(const ebm_model *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < EBM_N; i++) sum += x[i] ? (double)m->logit[i] : 0;
  return sum;
}

LBP_FN double ebm_log_base_sum(const ebm_model *m) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < EBM_N; i++) {
    const double t = (double)m->logit[i];
    sum += t > 0 ? t + log1p(exp(-t)) : log1p(exp(t));
  }
  return sum;
}

/* The calling thread's. */
LBP_FN ebm_worker *ebm_my_worker(const ebm_model *m) {
#if defined _OPENMP
  return &m->worker[omp_get_thread_num()];
#else
  return m->worker;
#endif
}

/* The network's values of up to NET_GROUP states; returns whose memory a net_group_back may begin with. Who asks for
 * log pi and then for its gradient asks for the same state twice, which goes forward once. */
LBP_FN ebm_worker *ebm_forward(const ebm_model *m, const uint8_t *const *x, uint32_t count, float *value) {
  ebm_worker *w = ebm_my_worker(m);
  if (count == 1 && w->version == m->version && memcmp(w->x, x[0], EBM_N) == 0) {
    value[0] = w->value;
    return w;
  }
  net_group(&m->shape, m->theta, x, count, &w->memory, value);
  w->evaluated += count;
  w->version = count == 1 ? m->version : 0; /* in company it may have been rounded in another way */
  w->value = value[0];
  memcpy(w->x, x[0], EBM_N);
  return w;
}

/* States that went through the network so far, by all threads. */
LBP_FN uint64_t ebm_evaluations(const ebm_model *m) {
  uint64_t sum = 0;
  int k;
  for (k = 0; k < m->workers; k++) sum += m->worker[k].evaluated;
  return sum;
}

/* ---- caches ------------------------------------------------------------------------------------------------------ */

/* The cache's entry of x; NULL if there is none. */
LBP_FN ebm_known *ebm_find(const ebm_model *m, ebm_cache *c, const uint8_t *x) {
  int k;
  for (k = 0; k < 2; k++) {
    ebm_known *known = &c->known[c->last ^ k];
    if (known->version == m->version && memcmp(known->x, x, EBM_N) == 0) {
      c->last ^= k;
      return known;
    }
  }
  return NULL;
}

/* Room for x, in place of an older entry. */
LBP_FN ebm_known *ebm_forget(const ebm_model *m, ebm_cache *c, const uint8_t *x) {
  ebm_known *known = &c->known[c->last ^= 1];
  memcpy(known->x, x, EBM_N);
  known->version = m->version;
  known->has_gradient = 0;
  return known;
}

/* Value, and gradient if asked for, of up to NET_GROUP states. */
LBP_FN void ebm_evaluate(const ebm_model *m, ebm_known *const *known, uint32_t count, int gradient) {
  const uint8_t *x[NET_GROUP] = {known[0]->x};
  float value[NET_GROUP];
  ebm_worker *w;
  uint32_t k, i;
  for (k = 1; k < count; k++) x[k] = known[k]->x;
  w = ebm_forward(m, x, count, value);
  if (gradient) net_group_back(&m->shape, m->theta, count, NULL, &w->memory, NULL);
  for (k = 0; k < count; k++) {
    const float *back = w->memory.back + k * EBM_N;
    known[k]->logp = (float)((double)value[k] + ebm_log_base(m, x[k]));
    known[k]->has_gradient = gradient;
    for (i = 0; gradient && i < EBM_N; i++) {
      const float slope = back[i] + m->logit[i];
      known[k]->delta[i] = x[k][i] ? -slope : slope;
    }
  }
}

/* The entry of x, evaluated if need be. */
LBP_FN const ebm_known *ebm_ask(const ebm_model *m, ebm_cache *c, const uint8_t *x, int gradient) {
  ebm_known *known = ebm_find(m, c, x);
  if (!known) known = ebm_forget(m, c, x);
  else if (known->has_gradient >= gradient) return known;
  ebm_evaluate(m, &known, 1, gradient);
  return known;
}

/* Makes value and gradient of up to LBP_MANY states known, each in its own cache. */
LBP_FN void ebm_refresh(const ebm_model *m, ebm_cache *const *cache, const uint8_t *const *x, uint32_t count) {
  ebm_known *stale[LBP_MANY];
  uint32_t k, stales = 0, size;
  int64_t group, groups;
  for (k = 0; k < count; k++) {
    ebm_known *known = ebm_find(m, cache[k], x[k]);
    if (!known) known = ebm_forget(m, cache[k], x[k]);
    if (!known->has_gradient) stale[stales++] = known;
  }
  groups = (stales + NET_GROUP - 1) / NET_GROUP;
  groups += groups > 1 && groups % 2; /* as many for either of two cores, whatever their number, as sums depend on it */
  size = groups > 0 ? (stales + (uint32_t)groups - 1) / (uint32_t)groups : 0;
#if defined _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
  for (group = 0; group < groups; group++) {
    const uint32_t at = (uint32_t)group * size;
    if (at < stales) ebm_evaluate(m, stale + at, stales - at < size ? stales - at : size, 1);
  }
}

/* ---- callbacks of lbp.h ------------------------------------------------------------------------------------------ */

LBP_FN void ebm_deltas_many(const ebm_model *m, ebm_cache *const *cache, const uint8_t *const *x, float *const *out,
                            uint32_t count) {
  uint32_t k;
  ebm_refresh(m, cache, x, count);
  for (k = 0; k < count; k++) memcpy(out[k], ebm_find(m, cache[k], x[k])->delta, EBM_N * sizeof **out);
}

LBP_FN void ebm_deltas(const ebm_model *m, ebm_cache *cache, const uint8_t *x, float *out) {
  memcpy(out, ebm_ask(m, cache, x, 1)->delta, EBM_N * sizeof *out);
}

LBP_FN float ebm_logp(const ebm_model *m, ebm_cache *cache, const uint8_t *x) { return ebm_ask(m, cache, x, 0)->logp; }

/* A cache looks at the state itself: nothing to begin with, nothing to keep up to date. */
LBP_FN void ebm_begin(const ebm_model *m, ebm_cache *cache, const uint8_t *x) { (void)m, (void)cache, (void)x; }
LBP_FN void ebm_flipped(const ebm_model *m, ebm_cache *cache, const uint8_t *x, uint32_t i) {
  (void)m, (void)cache, (void)x, (void)i;
}

#define LBP_NAME        ebm
#define LBP_MODEL_T     ebm_model
#define LBP_REAL        float
#define LBP_N           (EBM_SIDE * EBM_SIDE)
#define LBP_WEIGHT      EBM_WEIGHT
#define LBP_DELTAS      ebm_deltas
#define LBP_DELTAS_MANY ebm_deltas_many
#define LBP_LOGP        ebm_logp
#define LBP_FIELDS_T    ebm_cache
#define LBP_FIELDS_INIT ebm_begin
#define LBP_FLIP        ebm_flipped
#define LBP_TEMPERED
#define LBP_BASE(m, i)  ((m)->logit[i])
#include "../../lbp_run.h"

/* ---- many chains ------------------------------------------------------------------------------------------------- */

/* Up to LBP_MANY chains that take their steps together, with R sites each, or if that is 0 as many as one tuner
 * chooses, which learns for `warmup` steps. *kernel is set, and must outlive them. Free them either way. */
LBP_FN int ebm_chains_init(lbp_chains *c, lbp_kernel *kernel, const ebm_model *m, uint32_t count, double R,
                           uint32_t warmup, uint64_t seed) {
  lbp_plan plan;
  uint32_t k;
  int status;
  *kernel = ebm_kernel();
  status = lbp_plan_init(&plan, kernel, LBP_SAMPLER_LBP, EBM_N, 2);
  plan.setting[0] = R > 1 ? nextafter(R, HUGE_VAL) : R; /* R sites on average, odd and even */
  plan.warmup = warmup;
  if (status == LBP_OK) status = lbp_chains_init(c, kernel, m, &plan, 0, count, 1);
  if (status == LBP_OK) status = lbp_chains_together(c, count, count);
  for (k = 0; k < count && status == LBP_OK; k++) status = lbp_chains_make(c, k, seed);
  return status;
}

LBP_FN uint8_t *ebm_chains_x(const lbp_chains *c, uint32_t k) { return (uint8_t *)lbp_chains_unit(c, k)->x; }

/* After states or the model have changed: chains rebuild their weights, all together if that is how they step. */
LBP_FN void ebm_chains_touch(const lbp_chains *c) {
  ebm_cache *cache[LBP_MANY];
  const uint8_t *x[LBP_MANY];
  uint32_t k;
  for (k = 0; k < c->count; k++) c->kernel->touch(lbp_chains_unit(c, k));
  if (c->group == 1) return;
  for (k = 0; k < c->count; k++) {
    ebm_chain *chain = ebm_chain_of(lbp_chains_unit(c, k));
    cache[k] = chain->fields;
    x[k] = chain->x;
  }
  ebm_refresh((const ebm_model *)c->model, cache, x, c->count);
}

/* One step of every chain. Returns the mean acceptance rate, of which the tuner, if nothing is fixed, learns; flips
 * gets the mean number of sites that were to flip. */
LBP_FN double ebm_chains_step(lbp_chains *c, double *flips) {
  double accept[LBP_MANY], lessons[2 * LBP_MANY], sum = 0;
  uint32_t k;
  memset(c->moves, 0, c->count * sizeof *c->moves);
  lbp_chains_step_apart(c, accept, (unsigned char *)lessons, c->group == 1);
  if (c->plan.setting[0] == 0) lbp_chains_learn(c, accept, (const unsigned char *)lessons, c->count);
  *flips = 0;
  for (k = 0; k < c->count; k++) {
    sum += accept[k];
    *flips += c->moves[k].proposed / c->count;
  }
  return sum / c->count;
}

/* Mean of log pi, up to log Z, over `count` pictures, its standard error between them, and the highest: log Z is above
 * that. */
LBP_FN void ebm_mean_logp(const ebm_model *m, const uint8_t *const *x, uint32_t count, double *mean, double *se,
                          double *highest) {
  double sum = 0, squares = 0, first = 0;
  uint32_t n, k;
  *highest = -HUGE_VAL;
  for (n = 0; n < count; n += NET_GROUP) {
    const uint32_t size = count - n < NET_GROUP ? count - n : NET_GROUP;
    float value[NET_GROUP];
    ebm_forward(m, x + n, size, value);
    for (k = 0; k < size; k++) {
      const double v = (double)value[k] + ebm_log_base(m, x[n + k]);
      if (n + k == 0) first = v;
      if (v > *highest) *highest = v;
      sum += v - first; /* squares of log pi itself would swallow its digits */
      squares += (v - first) * (v - first);
    }
  }
  *mean = first + sum / count;
  *se = count > 1 ? sqrt((squares - sum * sum / count) / (count - 1) / count) : 0;
}

#endif
