/* lbp/run/chains.h - many chains of one sampler in memory: states, tuners, steps.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp/run/kernel.h, lbp/base/numbers.h and libm. lbp_run.h and the
 * benchmarks are built on it. Use it for your own loop that looks at chains between steps, changes their model, or
 * times them:
 *
 *   const lbp_kernel kernel = ising_kernel();
 *   lbp_chains chains = {0};
 *   lbp_plan plan;
 *   int status = lbp_plan_init(&plan, &kernel, LBP_SAMPLER_LBP, n, 0);
 *   plan.warmup = 1000;
 *   if (status == LBP_OK) status = lbp_chains_init(&chains, &kernel, &model, &plan, 0, 8, 1);
 *   for (k = 0; k < 8 && status == LBP_OK; k++) status = lbp_chains_make(&chains, k, seed);
 *   for (t = 0; t < 1000 && status == LBP_OK; t++) {
 *     lbp_chains_step_apart(&chains, accept, feedback, 1);
 *     lbp_chains_learn(&chains, accept, feedback, 8);                 // one tuner, from all chains
 *   }
 *   if (status == LBP_OK) lbp_chains_steps(&chains, 10000, 0, 1);    // states: lbp_chains_unit(&chains, k)->x
 *   if (status == LBP_OK) status = lbp_chains_fault(&chains).status; // for example a model that returns NaN
 *   lbp_chains_free(&chains);
 *
 * Chain number k depends on its stream, its group's chains and its tuner, never on the number of threads.
 *
 * Order of this file: chains; making them; groups; steps; updates of tuners from several chains.
 */

#ifndef LBP_CHAINS_H
#define LBP_CHAINS_H

#include <math.h>
#include <stdlib.h>

#include "kernel.h"
#include "../base/numbers.h"

LBP_EXACT_BEGIN

/* Loops over units or groups: on all cores; so if `wide` is true; there cores take as many of `chains` at a time as a
 * group has, since handing them out costs as much as a site of 256 lanes. */
#if defined _OPENMP
#define LBP_P_PRAGMA(...)        _Pragma(#__VA_ARGS__)
#define LBP_P_EACH               LBP_P_PRAGMA(omp parallel for schedule(dynamic))
#define LBP_P_EACH_UNIT          LBP_P_PRAGMA(omp parallel for schedule(dynamic) if (wide))
#define LBP_P_EACH_UNITS(chains) LBP_P_PRAGMA(omp parallel for schedule(dynamic, lbp_chains_chunk(chains)) if (wide))
#else
#define LBP_P_EACH
#define LBP_P_EACH_UNIT
#define LBP_P_EACH_UNITS(chains)
#endif

/* Chains number first, first + 1, ... first + count - 1. */
typedef struct {
  const lbp_kernel *kernel;
  const void *model;
  lbp_plan plan;               /* may be changed between steps */
  uint32_t first, count;
  uint32_t tuners, shared;     /* tuners: their number; shared: chain number c has tuner c % shared; 0: its own */
  uint32_t block, group;       /* see lbp_chains_together */
  size_t unit_bytes, tuner_bytes, feedback_bytes;
  unsigned char *unit, *tuner;
  void *common;                /* their common data: plan.common */
  unsigned char *group_memory; /* of all groups: see lbp_chains_join */
  lbp_finding finding;         /* the model's fault that lbp_chains_init has found */
  lbp_moves *moves;            /* of each chain: sums since you set them to 0 */
} lbp_chains;

/* ---- making them ------------------------------------------------------------------------------------------------- */

/* Returns the row of a sampler in its template's table; NULL if there is none. */
LBP_FN const lbp_sampler *lbp_kernel_sampler(const lbp_kernel *kernel, int sampler) {
  uint32_t k;
  for (k = 0; k < kernel->samplers; k++) {
    if (sampler == LBP_SAMPLER_DEFAULT || sampler == kernel->sampler[k].sampler) return &kernel->sampler[k];
  }
  return NULL;
}

/* Makes a plan for n items of `values` values each (0: the instance's), with the sampler's own target, no warm-up and
 * nothing fixed. LBP_OK, or LBP_E_RANGE (the kernel has no such sampler, or the number of values is not known). */
LBP_FN int lbp_plan_init(lbp_plan *plan, const lbp_kernel *kernel, int sampler, uint32_t n, uint32_t values) {
  memset(plan, 0, sizeof *plan);
  plan->sampler = lbp_kernel_sampler(kernel, sampler);
  if (!plan->sampler) return LBP_E_RANGE;
  plan->n = n;
  plan->values = kernel->values > 0 ? kernel->values : values;
  if (plan->values == 0) return LBP_E_RANGE;
  plan->target = plan->sampler->target;
  plan->eps = LBP_MOMENTUM_EPS;
  plan->relax = LBP_MOMENTUM_RELAX;
  return LBP_OK;
}

/* Clamps the items i with mask[i] != 0; NULL: none. mask has n bytes, belongs to you, and must outlive the plan. The
 * kernel must have `clamp`. Returns LBP_OK, or LBP_E_CLAMPED (these are all items). */
LBP_FN int lbp_plan_clamp(lbp_plan *plan, const uint8_t *mask) {
  uint32_t i;
  plan->clamp = mask;
  plan->clamped = 0;
  for (i = 0; mask && i < plan->n; i++) plan->clamped += mask[i] != 0;
  return plan->clamped < plan->n ? LBP_OK : LBP_E_CLAMPED;
}

/* Returns chain k of this process, 0 <= k < count. */
LBP_FN lbp_unit *lbp_chains_unit(const lbp_chains *c, uint32_t k) {
  return (lbp_unit *)(void *)(c->unit + k * c->unit_bytes);
}

/* Returns the number of the tuner of chain k. */
LBP_FN uint32_t lbp_chains_tuner_of(const lbp_chains *c, uint32_t k) {
  return c->shared > 0 ? (c->first + k) % c->shared : k;
}

/* Returns a tuner by its number, 0 <= tuner < tuners: one of the template's, for LBP_SAMPLER_LBP a NAME_tuner. */
LBP_FN void *lbp_chains_tuner_at(const lbp_chains *c, uint32_t tuner) { return c->tuner + tuner * c->tuner_bytes; }

/* Returns the tuner of chain k. */
LBP_FN void *lbp_chains_tuner(const lbp_chains *c, uint32_t k) {
  return lbp_chains_tuner_at(c, lbp_chains_tuner_of(c, k));
}

/* Restarts all tuners, by the plan. Returns LBP_OK, or a status of the tuners: LBP_E_RANGE, LBP_E_SIZE. */
LBP_FN int lbp_chains_tune(lbp_chains *c) {
  uint32_t k;
  int status = LBP_OK;
  memset(c->tuner, 0, c->tuners * c->tuner_bytes);
  for (k = 0; k < c->tuners && status == LBP_OK; k++) {
    status = c->kernel->tuner_init(lbp_chains_tuner_at(c, k), &c->plan);
  }
  return status;
}

/* Returns the number of bytes that lbp_chains_init allocates. */
LBP_FN size_t lbp_chains_bytes(const lbp_kernel *kernel, const lbp_plan *plan, uint32_t count, uint32_t shared) {
  const size_t tuner = lbp_size_plus(kernel->tuner_bytes(plan), 63) / 64 * 64;
  return lbp_size_plus(lbp_size_times(count, lbp_size_plus(kernel->bytes(plan), sizeof(lbp_moves))),
                       lbp_size_times(shared > 0 ? shared : count, tuner));
}

/* Makes data that all chains share, if the kernel has any. Returns LBP_E_MEMORY, or the fault of the model. */
LBP_FN int lbp_p_chains_make_common(lbp_chains *c) {
  const size_t bytes = c->kernel->common_bytes ? c->kernel->common_bytes(c->model, &c->plan) : 0;
  c->plan.common = NULL;
  if (bytes == 0) return LBP_OK;
  c->common = bytes < SIZE_MAX ? calloc(bytes, 1) : NULL;
  if (!c->common) return LBP_E_MEMORY;
  c->finding = c->kernel->make_common(c->common, c->model, &c->plan);
  c->plan.common = c->common;
  return c->finding.status;
}

/* Allocates memory for `count` chains and their tuners; model, kernel and the plan's pointers must outlive them.
 * shared: the number of tuners, each for every shared-th chain; 0: each chain has its own. Returns LBP_OK, or
 * LBP_E_MEMORY, a status of the tuners, or a fault of the model's terms, also in `finding`. Free it in all cases. */
LBP_FN int lbp_chains_init(lbp_chains *c, const lbp_kernel *kernel, const void *model, const lbp_plan *plan,
                           uint32_t first, uint32_t count, uint32_t shared) {
  int status;
  memset(c, 0, sizeof *c);
  c->kernel = kernel;
  c->model = model;
  c->plan = *plan;
  c->first = first;
  c->shared = shared;
  c->tuners = shared > 0 ? shared : count;
  c->block = c->group = 1;
  c->unit_bytes = kernel->bytes(plan);
  c->tuner_bytes = lbp_size_plus(kernel->tuner_bytes(plan), 63) / 64 * 64;
  c->feedback_bytes = kernel->feedback_bytes ? kernel->feedback_bytes(plan) : 0;
  if (lbp_chains_bytes(kernel, plan, count, shared) < SIZE_MAX - 3) {
    c->unit = (unsigned char *)calloc(count * c->unit_bytes + 1, 1);
    c->tuner = (unsigned char *)calloc(c->tuners * c->tuner_bytes + 1, 1);
    c->moves = (lbp_moves *)calloc((size_t)count + 1, sizeof *c->moves);
  }
  if (!c->unit || !c->tuner || !c->moves) return LBP_E_MEMORY;
  c->count = count;
  status = lbp_p_chains_make_common(c);
  return status == LBP_OK ? lbp_chains_tune(c) : status;
}

/* Makes chain k, which draws from the stream (seed, its number), at a uniformly random state. For another state, in
 * particular if items are clamped, set x and call touch. Statuses as NAME_init, or those of LBP_FIELDS_MAKE;
 * LBP_E_RANGE: items cannot be clamped. */
LBP_FN int lbp_chains_make(lbp_chains *c, uint32_t k, uint64_t seed) {
  lbp_unit *unit = lbp_chains_unit(c, k);
  int status = c->kernel->make(unit, c->model, &c->plan);
  uint32_t i;
  if (status == LBP_OK && c->plan.clamp && !c->kernel->clamp) status = LBP_E_RANGE;
  if (status == LBP_OK && c->plan.clamp) status = c->kernel->clamp(unit, c->plan.clamp);
  if (status != LBP_OK) return status;
  lbp_rng_init(&unit->rng, seed, c->first + k);
  if (c->kernel->scatter) {
    c->kernel->scatter(unit, c->model, &unit->rng);
    return LBP_OK;
  }
  if (!c->kernel->values_of && c->kernel->item_bytes == 1) { /* the same, a third faster */
    uint8_t *const x = (uint8_t *)unit->x;
    for (i = 0; i < c->plan.n; i++) x[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(&unit->rng), c->plan.values);
    return LBP_OK;
  }
  for (i = 0; i < c->plan.n; i++) {
    const uint32_t values = lbp_kernel_values(c->kernel, c->model, &c->plan, i);
    lbp_set_item(unit->x, c->kernel->item_bytes, i, (uint32_t)lbp_mulhi(lbp_rng_u64(&unit->rng), values));
  }
  return LBP_OK;
}

/* Frees all their memory; zeroed and freed ones are allowed. */
LBP_FN void lbp_chains_free(lbp_chains *c) {
  uint32_t k;
  for (k = 0; c->unit && k < c->count; k++) c->kernel->drop(lbp_chains_unit(c, k));
  free(c->unit);
  free(c->tuner);
  free(c->moves);
  free(c->common);
  free(c->group_memory);
  memset(c, 0, sizeof *c);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Makes groups of chains that take every step at the same time, with one call of the model for all of them. Since its
 * values may round differently by the chains in a call, groups depend on chain numbers: blocks of `block` chains, which
 * begin at multiples of it, are cut into groups of up to `group` chains, LBP_GROUP_MOST at most; 1: each chain takes
 * its steps alone. Returns LBP_OK, or LBP_E_RANGE (`first` does not begin a group, or the sampler cannot do that). */
LBP_FN int lbp_chains_together(lbp_chains *c, uint32_t block, uint32_t group) {
  if (block < 1 || group < 1 || group > LBP_GROUP_MOST) return LBP_E_RANGE;
  if (group > 1 && (!c->plan.sampler->together || c->first % block % group != 0)) return LBP_E_RANGE;
  c->block = block;
  c->group = group;
  return LBP_OK;
}

/* Returns the number of groups in chains [begin, end), which must not divide a block. */
LBP_FN uint32_t lbp_chains_groups(const lbp_chains *c, uint32_t begin, uint32_t end) {
  const uint32_t whole = (end - begin) / c->block, rest = (end - begin) % c->block;
  return whole * ((c->block - 1) / c->group + 1) + (rest + c->group - 1) / c->group;
}

/* Writes the chains of group g of these: [*from, *to). */
LBP_FN void lbp_chains_group(const lbp_chains *c, uint32_t begin, uint32_t end, uint32_t g, uint32_t *from,
                             uint32_t *to) {
  const uint32_t per_block = (c->block - 1) / c->group + 1, block = begin + g / per_block * c->block;
  const uint32_t last = end - block < c->block ? end : block + c->block;
  *from = block + g % per_block * c->group;
  *to = last - *from < c->group ? last : *from + c->group;
}

/* Chains [from, to), as their sampler has them. */
LBP_FN void lbp_p_chains_gather(const lbp_chains *c, uint32_t from, uint32_t to, lbp_group *group) {
  uint32_t k;
  group->count = to - from;
  for (k = 0; k < group->count; k++) {
    group->chain[k] = lbp_chains_unit(c, from + k);
    group->tuner[k] = lbp_chains_tuner(c, from + k);
    group->moves[k] = &c->moves[from + k];
  }
}

/* Gives groups the memory that samplers of LBP_TRAIT_LANES hold their states in, and what they keep of the model: call
 * it after lbp_chains_together and lbp_chains_make of all chains, before steps, and again after the model has changed;
 * of other samplers it does nothing. From then on ask lbp_chains_settled for a chain whose x you read. LBP_E_MEMORY, or
 * the fault of the model, described in `finding`. */
LBP_FN int lbp_chains_join(lbp_chains *c) {
  const uint32_t groups = lbp_chains_groups(c, 0, c->count);
  lbp_group group;
  size_t bytes = 0;
  unsigned char *memory = NULL;
  uint32_t g, from, to;
  for (g = 0; c->group_memory && g < c->count; g++) {
    c->kernel->settle(lbp_chains_unit(c, g));
    c->kernel->touch(lbp_chains_unit(c, g));
  }
  if (c->kernel->group_bytes && c->group > 1 && c->count > 0) {
    bytes = c->kernel->group_bytes(lbp_chains_unit(c, 0), c->model, &c->plan);
  }
  if (bytes == 0) return LBP_OK;
  bytes = lbp_size_plus(bytes, 63) / 64 * 64;
  if (lbp_size_times(groups, bytes) < SIZE_MAX) memory = (unsigned char *)calloc(groups, bytes);
  if (!memory) return LBP_E_MEMORY;
  free(c->group_memory);
  c->group_memory = memory;
  for (g = 0; g < groups; g++) { /* all, so that no chain keeps a place in memory that was freed */
    lbp_finding it;
    lbp_chains_group(c, 0, c->count, g, &from, &to);
    lbp_p_chains_gather(c, from, to, &group);
    it = c->kernel->make_group(memory + g * bytes, &group, c->model);
    if (g == 0 || c->finding.status == LBP_OK) c->finding = it;
  }
  return c->finding.status;
}

/* How many chains cores take at a time, of what is to be done with each: of groups that hold their chains' states this
 * is little, so all of one. */
LBP_FN uint32_t lbp_chains_chunk(const lbp_chains *c) { return c->group_memory ? c->group : 1; }

/* Chain k here, whose x is up to date. */
LBP_FN lbp_unit *lbp_chains_settled(const lbp_chains *c, uint32_t k) {
  if (c->group_memory) c->kernel->settle(lbp_chains_unit(c, k));
  return lbp_chains_unit(c, k);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Takes up to `count` steps of each chain of the group [from, to), or until their total work, evaluations plus steps,
 * reaches `limit`. Adds to their moves; returns the number of steps of each. learn: updates their own tuners. */
LBP_FN uint32_t lbp_chains_step(lbp_chains *c, uint32_t from, uint32_t to, uint32_t count, double limit, int learn) {
  lbp_group group;
  if (c->group == 1) {
    return c->plan.sampler->steps(lbp_chains_unit(c, from), c->model, &c->plan, lbp_chains_tuner(c, from), count, limit,
                                  learn, &c->moves[from]);
  }
  lbp_p_chains_gather(c, from, to, &group);
  return c->plan.sampler->together(&group, c->model, &c->plan, count, limit, learn);
}

/* Takes `count` steps of all chains. wide: on all cores. Once the plan's `over` returns true, chains that have not
 * begun do not begin, and record an abandoned step in their moves. */
LBP_FN void lbp_chains_steps(lbp_chains *c, uint32_t count, int learn, int wide) {
  const int64_t groups = lbp_chains_groups(c, 0, c->count);
  int64_t g;
  LBP_P_EACH_UNIT
  for (g = 0; g < groups; g++) {
    uint32_t from, to;
    lbp_chains_group(c, 0, c->count, (uint32_t)g, &from, &to);
    if (c->plan.over && c->plan.over(c->plan.over_data)) c->moves[from].given_up++;
    else lbp_chains_step(c, from, to, count, lbp_infinity(), learn);
  }
  (void)wide;
}

/* Returns the fault of the model that the first chain with one has found in its steps; status LBP_OK if there is none.
 * Steps return no status: call this after some of them, before you use the draws. */
LBP_FN lbp_finding lbp_chains_fault(const lbp_chains *c) {
  lbp_finding it;
  uint32_t k;
  memset(&it, 0, sizeof it);
  for (k = 0; c->kernel->fault && k < c->count && it.status == LBP_OK; k++) {
    it = c->kernel->fault(lbp_chains_unit(c, k));
  }
  return it;
}

/* ---- feedback of several chains to a tuner ----------------------------------------------------------------------- */

/* Takes one step of all chains, for a later update of their tuners by lbp_chains_learn. For chain k, it writes the data
 * of that to accept[k] and, unless feedback_bytes is 0, to feedback + k * feedback_bytes. (A difference of two sums
 * would have a rounding error, and tuners ignore values above 1.) */
LBP_FN void lbp_chains_step_apart(lbp_chains *c, double *accept, unsigned char *feedback, int wide) {
  uint32_t k;
  for (k = 0; k < c->count; k++) {
    accept[k] = c->moves[k].accept;
    c->moves[k].accept = 0;
  }
  c->plan.told = 1;
  lbp_chains_steps(c, 1, 0, wide);
  c->plan.told = 0;
  for (k = 0; k < c->count; k++) {
    const double so_far = accept[k];
    accept[k] = c->moves[k].accept;
    c->moves[k].accept += so_far;
    if (c->feedback_bytes > 0) c->kernel->feedback(lbp_chains_unit(c, k), &c->plan, feedback + k * c->feedback_bytes);
  }
}

/* Updates tuners with the step of chains number 0 ... all - 1, of all processes, in their order: shared tuners, or if
 * all chains are in this process, each chain's own. */
LBP_FN void lbp_chains_learn(lbp_chains *c, const double *accept, const unsigned char *feedback, uint32_t all) {
  uint32_t k, tuner;
  for (tuner = 0; tuner < c->tuners; tuner++) {
    void *at = lbp_chains_tuner_at(c, tuner);
    double sum = 0;
    uint32_t told = 0;
    for (k = tuner; k < all; k += c->tuners, told++) {
      sum += accept[k];
      if (c->feedback_bytes > 0) c->kernel->observe(at, feedback + k * c->feedback_bytes);
    }
    if (told > 0) c->kernel->tuner_update(at, sum / told);
  }
}

LBP_EXACT_END

#endif /* LBP_CHAINS_H */
