/* lbp/run/kernel.h - what a driver knows of a sampler.
 *
 * Version 0.8.0. MIT licence, see LICENSE. Needs lbp.h. lbp/run/flip_kernel.h is lbp.h's side of it, ab_kernel.h and
 * perm_kernel.h are those of the other templates. You need it to write a driver of your own, or to have your own
 * sampler driven by lbp_run.h.
 *
 * A kernel is a struct of functions over chains and tuners of unknown types, with a table of the template's samplers;
 * NAME_kernel() of an instance returns it. Whoever drives chains, lbp_run_kernel of lbp_run.h above all, knows no more
 * of them; so a new sampler of a template is one row of its table, and a new template that has a kernel is born with
 * threads, MPI, checkpoints, tempering, annealing, draws on disk and diagnostics.
 *
 * What a kernel promises: after `touch`, a chain is a function of its state, its generator and its temperature; what
 * `steps` do depends on these, the plan and the tuner alone. So a driver that lets chains forget at fixed steps can go
 * on from a checkpoint as if nothing had happened. What a chain should not forget there, a momentum, it saves as
 * numbers before, and loads again after.
 */

#ifndef LBP_KERNEL_H
#define LBP_KERNEL_H

#include <stdio.h>

#include <string.h>

#include "../base/support.h"

/* Samplers, whatever the template. New ones come behind the last: checkpoints hold these numbers. */
enum {
  LBP_SAMPLER_LBP,           /* of lbp.h: locally balanced, R sites without replacement */
  LBP_SAMPLER_GWG,           /* the same with replacement */
  LBP_SAMPLER_RWM,           /* random walk */
  LBP_SAMPLER_GIBBS,         /* a sweep: every site once, in order */
  LBP_SAMPLER_AB,            /* of lbp_ab.h: any-scale balanced; its curvature is estimated in the warm-up, or given */
  LBP_SAMPLER_DLP,           /* of lbp_ab.h and lbp/options/cat.h: discrete Langevin */
  LBP_SAMPLER_METROPOLIS,    /* of lbp.h: a sweep by min(1, ratio) */
  LBP_SAMPLER_SKIP_GIBBS,    /* sweeps that are these in law, and touch only what flips; local models */
  LBP_SAMPLER_SKIP_METROPOLIS,
  LBP_SAMPLER_CLOCK,         /* a chain that never rejects, cut at fixed times */
  LBP_SAMPLER_SWAP,          /* of lbp.h with groups: R swaps drawn by weights, made together */
  LBP_SAMPLER_KAWASAKI,      /* a uniform swap */
  LBP_SAMPLER_SWAP_PATH,     /* R times, a one is removed and a zero added, by weights that are renewed */
  LBP_SAMPLER_PATH,          /* R flips, each by the weights of the state that it leaves; local models */
  LBP_SAMPLER_SWAP_SWEEP,    /* uniform swaps, as many as can be made at once, one after another */
  LBP_SAMPLER_ROW,           /* of lbp_perm.h: a row of a permutation, and a partner for it */
  LBP_SAMPLER_EXCHANGE,      /* a sweep of uniform exchanges */
  LBP_SAMPLER_PAIRS,         /* R exchanges at once, from a table of all pairs */
  LBP_SAMPLER_MOMENTUM,      /* of lbp_ab.h: AB with a momentum, for quadratic log pi; its Hessian is given */
  LBP_SAMPLER_SWENDSEN_WANG, /* of lbp.h with pairs: all clusters, each by its heat bath */
  LBP_SAMPLER_WOLFF,         /* the cluster of a random site */
  LBP_SAMPLER_LANES,         /* sweeps by Metropolis of up to 256 chains in a word: LBP_LANES */
  LBP_SAMPLER_DEFAULT = 1000 /* the first in an instance's table */
};

/* Sums over steps. */
typedef struct {
  double accept;      /* acceptance probabilities */
  double parameter;   /* what the sampler's parameter was */
  double jump;        /* distances moved */
  double proposed;    /* distances proposed */
  double evaluations; /* of the model, in the sampler's units */
  double log_ratio;   /* what log pi has gained, at the chain's temperature: see NAME_info */
  uint32_t given_up;  /* steps that were not finished, since lbp_plan's `over` said so */
} lbp_moves;

typedef struct lbp_plan lbp_plan;

/* Chains of a group, at most. */
enum { LBP_GROUP_MOST = 256 };

/* Chains that take their steps at the same time. */
typedef struct {
  uint32_t count;
  void *chain[LBP_GROUP_MOST];
  void *tuner[LBP_GROUP_MOST];
  lbp_moves *moves[LBP_GROUP_MOST];
} lbp_group;

/* Up to `count` steps of a chain, but no more once evaluations and steps have reached `limit`, or one was given up;
 * adds to `moves`, and returns how many. `learn`: the tuner learns from each. */
typedef uint32_t lbp_kernel_steps(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                  double limit, int learn, lbp_moves *moves);

/* The same for each of a group, whose chains' work together has the limit. */
typedef uint32_t lbp_kernel_together(const lbp_group *group, const void *model, const lbp_plan *plan, uint32_t count,
                                     double limit, int learn);

/* A sampler: a row of its template's table. */
typedef struct {
  int sampler;            /* LBP_SAMPLER_LBP and the like */
  const char *name;       /* "LBP" */
  const char *algorithm;  /* its name in files of draws: "lbp_r" */
  const char *parameter_name; /* of what is tuned: "R", "sigma"; NULL: nothing */
  double target;          /* the acceptance rate that it is tuned to; 0 if nothing is, or to something else */
  const char *evaluation; /* what an evaluation is, in the plural: "evaluations", "gradients" */
  unsigned traits;        /* LBP_TRAIT_SITES and the like */
  lbp_kernel_steps *steps;
  lbp_kernel_together *together; /* NULL: chains take their steps by themselves */
} lbp_sampler;

/* What momentum steps take unless told otherwise: did well on all targets that were tried. No tuner finds it: the jump
 * distance does not know eps, and always asks for relax = 1. */
#define LBP_MOMENTUM_EPS   0.8
#define LBP_MOMENTUM_RELAX 0.4

/* Traits of samplers. */
enum {
  LBP_TRAIT_SITES = 1,  /* the parameter is a number of sites, R: run.parameter gives it */
  LBP_TRAIT_SCALE = 2,  /* it is the scale of a proposal, sigma: run.parameter gives it */
  LBP_TRAIT_PARITY = 4, /* a fixed number of sites may keep a chain from half of all states: see lbp_kernel's parity */
  LBP_TRAIT_CURVED = 8, /* run.curvature serves it */
  LBP_TRAIT_METROPOLIS = 32, /* a sweep that may flip all sites for certain, every time */
  LBP_TRAIT_TIME = 16,  /* it is a time: run.parameter gives it; plan.target is a number of jumps, or 0 */
  LBP_TRAIT_PATH = 64,  /* it is a number of flips, maybe of more than n: run.parameter gives it, nothing tunes it */
  LBP_TRAIT_MOMENTUM = 128, /* steps have a momentum: run.momentum.eps and run.momentum.relax serve them */
  LBP_TRAIT_LANES = 256, /* groups hold their chains' states: see lbp_kernel's lanes */
  LBP_TRAIT_GIVEN = LBP_TRAIT_SITES | LBP_TRAIT_SCALE | LBP_TRAIT_TIME /* any of these that run.parameter gives */
};

/* What steps of one R do: lead to all states; to half of them; to the halves in turn, if all are accepted. */
enum { LBP_PARITY_FREE, LBP_PARITY_KEPT, LBP_PARITY_TURNED };

/* A setting is what a tuner tunes: the sampler's parameter first, R, sigma, time or, of AB, s. The others are 0, but of
 * AB with a curvature rho and the damping, and of swaps the shift mu, which comes second. */
enum { LBP_SETTINGS = 3 };

/* What chains and tuners of a run have in common. */
struct lbp_plan {
  const lbp_sampler *sampler;
  uint32_t n, values;           /* items of a state; each is 0 ... values - 1, or less: see lbp_kernel_values */
  const uint8_t *clamp;         /* NULL, or n bytes: items that never move are not 0 there ... */
  uint32_t clamped;             /* ... and how many these are: see lbp_plan_clamp */
  uint32_t warmup;              /* steps that a tuner learns from; UINT32_MAX: all */
  double target;                /* acceptance rate to tune to, or number of jumps */
  double setting[LBP_SETTINGS]; /* what steps are to take; setting[0] = 0: what the tuner says */
  const void *curvature;        /* run.curvature */
  const void *common;           /* what all chains of a model share, such as an index of its terms; NULL: nothing. See
                                   lbp_kernel's make_common; lbp_chains_init sets it */
  double eps, relax;            /* of LBP_TRAIT_MOMENTUM: see NAME_momentum_step */
  double first;                 /* the parameter that tuning begins with; 0: the template's choice */
  uint32_t part;                /* R is tuned to an eighth of what can move, if this is 8; 0: to all, less 1/2 */
  double at[2], cost[2];        /* what a step costs at two values of it, at[0] < at[1], for tuners that count that;
                                   cost[1] = 0: they count steps */
  int told;                     /* whether tuners hear of the step later: lbp_chains_step_apart sets it */
  /* asked now and then within steps that have no bound, those of the clock and paths: whether to give the step up and
   * return. x stays where it has come to, the step does not count, and moves->given_up does. NULL: no step is */
  int (*over)(void *over_data);
  void *over_data;
  /* told after each step which items it has changed; changed = NULL: any may have; or see = NULL */
  void (*see)(void *see_data, const void *chain, const uint32_t *changed, uint32_t count);
  void *see_data;
};

/* Of so many sites, or swaps, that can move, those that plan.part leaves to a tuner; it stays half of one below. */
LBP_FN uint32_t lbp_part_of(uint32_t part, uint32_t mobile) {
  return part > 0 && mobile / part + 1 < mobile ? mobile / part + 1 : mobile;
}

/* Whether differences of log pi, in LBP_REAL, decide about steps, and then whether LBP_LOGP has more digits. */
enum { LBP_BY_LOGP_NOT, LBP_BY_LOGP_ALONE, LBP_BY_LOGP_WIDE };

/* What is wrong with a model: status LBP_OK if nothing. */
typedef struct {
  int status;
  int placed;           /* whether it is known ... */
  uint32_t site, other; /* ... where, ... */
  double got, want;     /* ... and the two values that should agree */
  double rounding;      /* by how much rounding of other values in the model may move them; 0: not known */
} lbp_finding;

enum { LBP_P_FINDING_TEXT = 240 };

/* The two values in words, with as many digits as it takes to tell them apart, and what their gap may come from; one
 * value where none should be another. */
LBP_FN void lbp_finding_text(lbp_finding it, char *text) {
  const double gap = it.got < it.want ? it.want - it.got : it.got - it.want;
  const double size = it.got < 0 ? -it.got : it.got;
  const int opposite = (it.got < 0 && it.want > 0) || (it.got > 0 && it.want < 0);
  const int mirrored = opposite && gap > 1.999 * size && gap < 2.001 * size;
  const int rounded = gap > 0 && lbp_is_finite(gap) && !mirrored && (gap < 1e-3 * size || gap <= it.rounding);
  char got[40], want[40];
  int digits = 6;
  do { /* 17 digits tell all doubles apart */
    snprintf(got, sizeof got, "%.*g", digits, it.got);
    snprintf(want, sizeof want, "%.*g", digits, it.want);
  } while (strcmp(got, want) == 0 && ++digits <= 17);
  if (lbp_is_nan(it.got) || lbp_is_nan(it.want)) snprintf(text, LBP_P_FINDING_TEXT, " (NaN)");
  else if (digits > 17 || it.status == LBP_E_MODEL_NAN) snprintf(text, LBP_P_FINDING_TEXT, " (%s)", got);
  else snprintf(text, LBP_P_FINDING_TEXT, " (%s where %s is expected%s%s)", got, want,
                opposite ? "; the sign differs" : "",
                rounded ? "; by so little that rounding of large terms next to small ones explains: try double" : "");
}

/* Every chain begins with its generator and a pointer to its state. */
typedef struct {
  lbp_rng rng;
  void *x; /* n items of item_bytes bytes */
} lbp_unit;

/* Item i of a state. */
LBP_FN uint32_t lbp_item(const void *x, size_t item_bytes, uint32_t i) {
  if (item_bytes == 1) return ((const uint8_t *)x)[i];
  return item_bytes == 2 ? ((const uint16_t *)x)[i] : ((const uint32_t *)x)[i];
}

/* Sets it to v. */
LBP_FN void lbp_set_item(void *x, size_t item_bytes, uint32_t i, uint32_t v) {
  if (item_bytes == 1) ((uint8_t *)x)[i] = (uint8_t)v;
  else if (item_bytes == 2) ((uint16_t *)x)[i] = (uint16_t)v;
  else ((uint32_t *)x)[i] = v;
}

/* pi(x_i = 1 | all others) where x_i is x and its flip has log-ratio d. An impossible flip leaves x as it is. */
LBP_FN double lbp_conditional(double d, uint32_t x) {
  const double odds = x ? -d : d, size = odds < 0 ? -odds : odds; /* by the odds alone: the same for 0 and 1 */
  const double less = size < 700 ? lbp_exp(-size) : 0;
  if (lbp_is_impossible((float)d)) return x;
  return odds < 0 ? less / (1 + less) : 1 / (1 + less);
}

/* Memory for chains and tuners comes from the driver, zeroed, in pieces as long as bytes() says. Functions that may be
 * NULL: judge, lacks, rebuild_cost, common_bytes, make_common, clamp, values_of, check, fault, blocked, parity, excess,
 * conditionals, temper, rounding, base, tuner_status, curvature_print, from admits to log_states, from chain_words to
 * chain_load, from group_bytes to best_get, and from feedback_bytes to observe. */
typedef struct lbp_kernel {
  const lbp_sampler *sampler; /* the template's table */
  uint32_t samplers;          /* its rows */
  uint32_t values;            /* of an item; 0: run.values says */
  uint32_t (*values_of)(const void *model, uint32_t i); /* of item i, at most `values`; NULL: these */
  uint32_t item_bytes;        /* 1, 2 or 4 */
  uint32_t real_bytes;        /* of a log-ratio: 4 (float) or 8 */
  int weight;                 /* LBP_WEIGHT, or what else decides what is drawn */
  int clock;                  /* LBP_CLOCK, if there is a clock */
  int local;                  /* whether an evaluation is of one site */
  int by_logp;                /* whether steps go by differences of log pi: LBP_BY_LOGP_NOT and so on */
  int exact;                  /* whether ratios() are log-ratios of all that a site can do */
  const char *(*judge)(const lbp_plan *plan, int tempering);  /* NULL, or why this plan can't be */
  const char *(*lacks)(int sampler);                          /* NULL, or why the table has no row for this sampler */
  double (*rebuild_cost)(const lbp_plan *plan);               /* evaluations to rebuild a chain after touch();
                                                                 NULL: n if local, or 3 */
  /* what all chains of a model share, which plan->common then points to; NULL: nothing */
  size_t (*common_bytes)(const void *model, const lbp_plan *plan);
  lbp_finding (*make_common)(void *common, const void *model, const lbp_plan *plan); /* what is wrong with the model */
  /* chains */
  size_t (*bytes)(const lbp_plan *plan);                      /* of a chain; a multiple of 64 */
  int (*make)(void *chain, const void *model, const lbp_plan *plan); /* sets x, whose items are 0 */
  void (*drop)(void *chain);                                  /* frees what make made, even if that failed */
  int (*clamp)(void *chain, const uint8_t *mask);             /* items that are not 0 in mask[n] never move from now on;
                                                                 LBP_OK, LBP_E_CLAMPED: that is all; NULL: can't be */
  void (*touch)(void *chain);                                 /* x was changed: forgets all but x, temperature, mask */
  lbp_finding (*check)(void *chain, const void *model, uint32_t trials, lbp_rng *rng); /* NAME_check */
  lbp_finding (*fault)(void *chain);                          /* what steps have found so far */
  int (*blocked)(const void *chain);                          /* whether steps of several flips were refused since one
                                                                 was impossible, which LBP_SAMPLER_PATH goes round */
  int (*parity)(void *chain, const void *model, const lbp_plan *plan, uint32_t R); /* of a sampler of LBP_TRAIT_PARITY,
                                                                 whose steps all are of R, or where plan->setting[0] is
                                                                 no whole number at random of R and more:
                                                                 LBP_PARITY_FREE and the like; NULL: kept if R is even,
                                                                 else turned, and free at random */
  /* what a chain keeps beside its state when it is touched, a momentum, as numbers */
  size_t (*chain_words)(const lbp_plan *plan);                /* doubles that hold it; 0: it keeps nothing */
  void (*chain_save)(void *chain, double *words);
  void (*chain_load)(void *chain, const lbp_plan *plan, const double *words); /* after touch */
  /* of a sampler of LBP_TRAIT_LANES, whose groups have memory that holds their chains' states between steps; of chains
   * in no group, and other samplers, these do nothing. What is called of different chains at once, settle and logp,
   * changes nothing but the chain */
  uint32_t lanes;                                             /* chains of a group, at most; few cost as much as many */
  size_t (*group_bytes)(void *chain, const void *model, const lbp_plan *plan); /* of any group; 0: it needs none */
  lbp_finding (*make_group)(void *memory, const lbp_group *group, const void *model); /* after its chains were made */
  void (*settle)(void *chain);                                /* x is to be read: brings it up to date */
  void (*swap)(void *chain, void *next);                      /* two neighbours of a group are to exchange states ... */
  void (*swapped)(void *chain);                               /* ... as now all told of its group do */
  void (*record)(void *chain);                                /* all of its group keep their best states since ... */
  void (*best_put)(void *chain, const uint8_t *x);            /* ... each chain had this one put in its place; steps
                                                                 come next */
  void (*best_get)(void *chain, uint8_t *x);                  /* the one it has; x stays where it has put in this one */
  /* the law */
  double (*logp)(void *chain, const void *model);             /* log pi(x), at temperature 1 */
  double (*excess)(void *chain, const void *model);           /* log pi(x) - log base(x), see base; NULL: log pi(x) */
  void (*ratios)(void *chain, const void *model, void (*take)(void *data, uint32_t i, double d), void *data);
                                                              /* log-ratios, or what else shows a model, of all sites */
  void (*conditionals)(void *chain, const void *model, double *sums); /* adds pi(x_i = 1 | all others) to sums[i]; of
                                                                 more than two values, that of v to sums[i * values +
                                                                 v]; at the chain's temperature; steps don't notice */
  void (*temper)(void *chain, double beta);                   /* NULL: can't be */
  double (*rounding)(const void *model);                      /* the most that rounding moves a log-ratio; NULL: 0 */
  double (*base)(const void *model, uint32_t i, uint32_t v);  /* log weight of item i = v at beta = 0; NULL: 0 */
  /* where states are not all combinations of their items' values; NULL elsewhere */
  int (*admits)(void *chain, const void *model, uint64_t *which); /* LBP_OK, or why x is no state; which: a hash of what
                                                                 constraints never let change */
  void (*scatter)(void *chain, const void *model, lbp_rng *rng); /* x, a state, becomes one of those with the same
                                                                 `which`, each as likely; clamped items stay */
  double (*log_states)(void *chain, const void *model);       /* log of how many these are; NaN: not known */
  int needs_start;                                            /* whether make sets x to no state: run.start has to */
  /* tuners: one for each chain, or one that several share */
  size_t (*tuner_bytes)(const lbp_plan *plan);
  int (*tuner_init)(void *tuner, const lbp_plan *plan);
  void (*tuner_update)(void *tuner, double accept);           /* after a step without `learn`; the mean if shared */
  void (*tuner_setting)(const void *tuner, double *setting);  /* what it says now */
  int (*tuner_status)(const void *tuner);                     /* LBP_OK, or why it has not found what it looks for */
  size_t (*tuner_words)(const lbp_plan *plan);                /* doubles that hold all that updates change */
  void (*tuner_save)(void *tuner, double *words);
  void (*tuner_load)(void *tuner, const double *words);
  uint64_t (*curvature_print)(const void *curvature);         /* a hash: another curvature is another run */
  /* what tuner_update wants to know beyond the acceptance rate: of each chain's last step, told before it, in order */
  size_t (*feedback_bytes)(const lbp_plan *plan);
  void (*feedback)(const void *chain, const lbp_plan *plan, void *feedback);
  void (*observe)(void *tuner, const void *feedback);
} lbp_kernel;

/* How many values item i has. */
LBP_FN uint32_t lbp_kernel_values(const lbp_kernel *kernel, const void *model, const lbp_plan *plan, uint32_t i) {
  return kernel->values_of ? kernel->values_of(model, i) : plan->values;
}

/* Where tuner_save writes numbers, or tuner_load reads them; the other one is NULL. So one description of a tuner
 * serves both. */
typedef struct {
  double *out;
  const double *in;
} lbp_words;

/* Writes *v, or reads it. */
LBP_FN void lbp_words_double(lbp_words *w, double *v) {
  if (w->in) *v = *w->in++;
  else *w->out++ = *v;
}

/* The same of a whole number; one that is none is read as 0. */
LBP_FN void lbp_words_u32(lbp_words *w, uint32_t *v) {
  double wide = *v;
  lbp_words_double(w, &wide);
  *v = wide >= 0 && wide <= 4294967295.0 ? (uint32_t)wide : 0;
}

#endif /* LBP_KERNEL_H */
