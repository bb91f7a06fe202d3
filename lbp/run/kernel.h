/* lbp/run/kernel.h - the interface between drivers and samplers.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h. lbp/run/flip_kernel.h implements it for lbp.h, ab_kernel.h and
 * perm_kernel.h for the other templates. You need it to write your own driver, or to run your own sampler by lbp_run.h.
 *
 * A kernel is a struct of functions over chains and tuners of unknown types, with a table of the template's samplers;
 * NAME_kernel() of an instance returns it. Drivers, mainly lbp_run_kernel of lbp_run.h, use nothing else of chains.
 * Therefore a new sampler of a template is one row of its table, and a new template with a kernel has threads, MPI,
 * checkpoints, tempering, annealing, draws on disk and diagnostics.
 *
 * A kernel guarantees: after `touch`, a chain is a function of its state, its generator and its temperature; `steps`
 * depend only on these, the plan and the tuner. A driver that calls `touch` at fixed steps can therefore resume from a
 * checkpoint as if there had been no interruption. Other data of a chain that must survive `touch`, a momentum, are
 * saved as numbers before and loaded after.
 */

#ifndef LBP_KERNEL_H
#define LBP_KERNEL_H

#include <stdio.h>

#include <string.h>

#include "../base/support.h"

/* Samplers of all templates. New ones are added at the end: checkpoints contain these numbers. */
enum {
  LBP_SAMPLER_LBP,           /* of lbp.h: locally balanced, R sites without replacement */
  LBP_SAMPLER_GWG,           /* the same with replacement */
  LBP_SAMPLER_RWM,           /* random walk */
  LBP_SAMPLER_GIBBS,         /* a sweep: every site once, in order */
  LBP_SAMPLER_AB,            /* of lbp_ab.h: any-scale balanced; its curvature is estimated in the warm-up, or given */
  LBP_SAMPLER_DLP,           /* of lbp_ab.h and lbp/options/cat.h: discrete Langevin */
  LBP_SAMPLER_METROPOLIS,    /* of lbp.h: a sweep by min(1, ratio) */
  LBP_SAMPLER_SKIP_GIBBS,    /* sweeps with the same law, which visit only sites that flip; local models */
  LBP_SAMPLER_SKIP_METROPOLIS,
  LBP_SAMPLER_CLOCK,         /* a rejection-free chain (n-fold way, BKL), cut at fixed times */
  LBP_SAMPLER_SWAP,          /* of lbp.h with groups: R swaps drawn by weights, made together */
  LBP_SAMPLER_KAWASAKI,      /* a uniform swap */
  LBP_SAMPLER_SWAP_PATH,     /* R times, removes a one and adds a zero, by updated weights */
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
  double parameter;   /* values of the sampler's parameter */
  double jump;        /* distances moved */
  double proposed;    /* distances proposed */
  double evaluations; /* of the model, in the sampler's units */
  double log_ratio;   /* changes of log pi, at the chain's temperature: see NAME_info */
  uint32_t given_up;  /* steps abandoned because of lbp_plan's `over` */
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

/* Takes up to `count` steps of a chain, but stops once evaluations plus steps have reached `limit`, or a step was
 * abandoned. Adds to `moves`, and returns the number of steps. learn: each step updates the tuner. */
typedef uint32_t lbp_kernel_steps(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                  double limit, int learn, lbp_moves *moves);

/* One of an instance, `kernel`, that tunes nothing: by `steps`, its loop, and `step`. */
#define LBP_P_SAMPLER(kernel, steps, step)                                                                         \
  LBP_FN uint32_t LBP_(kernel)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,  \
                               double limit, int learn, lbp_moves *moves) {                                        \
    (void)tuner, (void)learn;                                                                                      \
    return LBP_(steps)(step, chain, model, plan, count, limit, moves);                                             \
  }

/* The same for all chains of a group; the limit is for their total work. */
typedef uint32_t lbp_kernel_together(const lbp_group *group, const void *model, const lbp_plan *plan, uint32_t count,
                                     double limit, int learn);

/* A sampler: a row of its template's table. */
typedef struct {
  int sampler;            /* LBP_SAMPLER_LBP and the like */
  const char *name;       /* "LBP" */
  const char *algorithm;  /* its name in files of draws: "lbp_r" */
  const char *parameter_name; /* of the tuned parameter: "R", "sigma"; NULL: none */
  double target;          /* the acceptance rate to tune to; 0 if nothing is tuned, or by another criterion */
  const char *evaluation; /* the unit of evaluations, in the plural: "evaluations", "gradients" */
  unsigned traits;        /* LBP_TRAIT_SITES and the like */
  lbp_kernel_steps *steps;
  lbp_kernel_together *together; /* NULL: chains take their steps by themselves */
} lbp_sampler;

/* Defaults of momentum steps, good on all targets that were tried. No tuner finds them: the jump distance does not
 * depend on eps, and is always largest at relax = 1. */
#define LBP_MOMENTUM_EPS   0.8
#define LBP_MOMENTUM_RELAX 0.4

/* Traits of samplers. */
enum {
  LBP_TRAIT_SITES = 1,  /* the parameter is a number of sites, R: run.parameter gives it */
  LBP_TRAIT_SCALE = 2,  /* it is the scale of a proposal, sigma: run.parameter gives it */
  LBP_TRAIT_PARITY = 4, /* a fixed number of sites may keep a chain from half of all states: see lbp_kernel's parity */
  LBP_TRAIT_CURVED = 8, /* it uses run.curvature */
  LBP_TRAIT_METROPOLIS = 32, /* a sweep that may flip all sites for certain, every time */
  LBP_TRAIT_TIME = 16,  /* it is a time: run.parameter gives it; plan.target is a number of jumps, or 0 */
  LBP_TRAIT_PATH = 64,  /* it is a number of flips, possibly more than n: run.parameter gives it, nothing tunes it */
  LBP_TRAIT_MOMENTUM = 128, /* steps have a momentum and use run.momentum.eps and run.momentum.relax */
  LBP_TRAIT_LANES = 256, /* groups hold their chains' states: see lbp_kernel's lanes */
  LBP_TRAIT_CLUSTER = 512, /* a step flips one cluster of sites */
  LBP_TRAIT_GIVEN = LBP_TRAIT_SITES | LBP_TRAIT_SCALE | LBP_TRAIT_TIME /* any of these that run.parameter gives */
};

/* Steps of one R lead to all states; to half of them; or to the halves in turn, if all are accepted. */
enum { LBP_PARITY_FREE, LBP_PARITY_KEPT, LBP_PARITY_TURNED };

/* The values that a tuner tunes: first the sampler's parameter, R, sigma, time or, of AB, s. The others are 0, except
 * of AB with a curvature, rho and the damping, and of swaps the shift mu, which comes second. */
enum { LBP_SETTINGS = 3 };

/* The common data of all chains and tuners of a run. */
struct lbp_plan {
  const lbp_sampler *sampler;
  uint32_t n, values;           /* items of a state; each is 0 ... values - 1, or less: see lbp_kernel_values */
  const uint8_t *clamp;         /* NULL, or n bytes: items that never move are not 0 there ... */
  uint32_t clamped;             /* ... and how many these are: see lbp_plan_clamp */
  uint32_t warmup;              /* steps that a tuner learns from; UINT32_MAX: all */
  double target;                /* acceptance rate to tune to, or number of jumps */
  double setting[LBP_SETTINGS]; /* values for steps; setting[0] = 0: those of the tuner */
  const void *curvature;        /* run.curvature */
  const void *common;           /* data shared by a model's chains, such as an index of its terms; NULL: nothing. See
                                   lbp_kernel's make_common; lbp_chains_init sets it */
  double eps, relax;            /* of LBP_TRAIT_MOMENTUM: see NAME_momentum_step */
  double first;                 /* the parameter that tuning begins with; 0: the template's choice */
  uint32_t part;                /* 8: R is tuned to at most an eighth of the sites that can move; 0: to all, less 1/2 */
  double at[2], cost[2];        /* cost of a step at two values of it, at[0] < at[1], for tuners that count that;
                                   cost[1] = 0: they count steps */
  int told;                     /* whether tuners are updated later: lbp_chains_step_apart sets it */
  /* called from time to time within unbounded steps, those of the clock and paths: returns whether to abandon the step.
   * x stays where it is, and the step counts only in moves->given_up. NULL: never */
  int (*over)(void *over_data);
  void *over_data;
  /* gets, after each step, the items that the step has changed; changed = NULL: any may have; or see = NULL */
  void (*see)(void *see_data, const void *chain, const uint32_t *changed, uint32_t count);
  void *see_data;
};

/* Returns the number of the `mobile` sites, or swaps, that plan.part allows a tuner; it stays 1/2 below. */
LBP_FN uint32_t lbp_part_of(uint32_t part, uint32_t mobile) {
  return part > 0 && mobile / part + 1 < mobile ? mobile / part + 1 : mobile;
}

/* Whether steps are decided by differences of log pi, in LBP_REAL, and if so whether LBP_LOGP has more digits. */
enum { LBP_BY_LOGP_NOT, LBP_BY_LOGP_ALONE, LBP_BY_LOGP_WIDE };

/* A fault of a model; status is LBP_OK if there is none. */
typedef struct {
  int status;
  int placed;           /* whether it is known ... */
  uint32_t site, other; /* ... where, ... */
  double got, want;     /* ... and the two values that should agree */
  double rounding;      /* their possible change by rounding of other values in the model; 0: not known */
} lbp_finding;

enum { LBP_P_FINDING_TEXT = 240 };

/* Writes the two values, with enough digits to distinguish them, and the possible cause of their difference; only one
 * value if there is no other. */
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

/* The result of an exchange of parts between two chains. */
typedef struct {
  uint32_t sites, parts;  /* number of sites at which the chains differ; number of their connected parts ... */
  uint32_t exchanged;     /* ... of which so many were exchanged ... */
  uint32_t largest;       /* ... and the number of sites of the largest */
  uint32_t evaluations;   /* of both chains */
  double gain[2];         /* of log pi of each chain, at its temperature */
} lbp_parts;

/* The beginning of every chain: its generator and a pointer to its state. */
typedef struct {
  lbp_rng rng;
  void *x; /* n items of item_bytes bytes */
} lbp_unit;

/* Returns whether marginals are by item and value, not the share of ones: of more than two values, and always of
 * permutations, whose items have more than a byte. */
LBP_FN int lbp_item_is_by_value(uint32_t values, size_t item_bytes) { return values > 2 || item_bytes > 1; }

/* Returns item i of a state. */
LBP_FN uint32_t lbp_item(const void *x, size_t item_bytes, uint32_t i) {
  if (item_bytes == 1) return ((const uint8_t *)x)[i];
  return item_bytes == 2 ? ((const uint16_t *)x)[i] : ((const uint32_t *)x)[i];
}

/* Sets item i of a state to v. */
LBP_FN void lbp_set_item(void *x, size_t item_bytes, uint32_t i, uint32_t v) {
  if (item_bytes == 1) ((uint8_t *)x)[i] = (uint8_t)v;
  else if (item_bytes == 2) ((uint16_t *)x)[i] = (uint16_t)v;
  else ((uint32_t *)x)[i] = v;
}

/* Returns pi(x_i = 1 | all others); x: the value of x_i, which it is if d, the log-ratio of its flip, is -infinity. */
LBP_FN double lbp_conditional(double d, uint32_t x) {
  const double odds = x ? -d : d, size = odds < 0 ? -odds : odds; /* by the odds alone: the same for 0 and 1 */
  const double less = size < 700 ? lbp_exp(-size) : 0;
  if (lbp_is_impossible((float)d)) return x;
  return odds < 0 ? less / (1 + less) : 1 / (1 + less);
}

/* The driver allocates memory for chains and tuners, zeroed, in pieces of bytes() bytes. Functions that may be NULL:
 * judge, lacks, rebuild_cost, common_bytes, make_common, clamp, values_of, check, fault, blocked, parity, excess,
 * conditionals, temper, rounding, base, swap_parts, tuner_most, tuner_status, curvature_print, from admits to
 * log_states, from chain_words to chain_load, from group_bytes to best_get, and from feedback_bytes to observe. */
typedef struct lbp_kernel {
  const lbp_sampler *sampler; /* the template's table */
  uint32_t samplers;          /* its rows */
  uint32_t values;            /* of an item; 0: as in run.values */
  uint32_t (*values_of)(const void *model, uint32_t i); /* of item i, at most `values`; NULL: these */
  uint32_t item_bytes;        /* 1, 2 or 4 */
  uint32_t real_bytes;        /* of a log-ratio: 4 (float) or 8 */
  int weight;                 /* LBP_WEIGHT, or another number that determines the draws */
  int clock;                  /* LBP_CLOCK, if there is a clock */
  uint32_t sort_above;        /* LBP_SORT_ABOVE, if there is an urn */
  int local;                  /* whether an evaluation is of one site */
  int by_logp;                /* whether steps use differences of log pi: LBP_BY_LOGP_NOT and so on */
  int exact;                  /* whether ratios() are the log-ratios of all moves of a site */
  const char *(*judge)(const lbp_plan *plan, int tempering);  /* NULL, or why this plan is not possible */
  const char *(*lacks)(int sampler);                          /* NULL, or why the table has no row for this sampler */
  double (*rebuild_cost)(const lbp_plan *plan);               /* evaluations to rebuild a chain after touch();
                                                                 NULL: n if local, or 3 */
  /* data shared by all chains of a model, at plan->common; NULL: none */
  size_t (*common_bytes)(const void *model, const lbp_plan *plan);
  lbp_finding (*make_common)(void *common, const void *model, const lbp_plan *plan); /* returns the model's fault */
  /* chains */
  size_t (*bytes)(const lbp_plan *plan);                      /* of a chain; a multiple of 64 */
  int (*make)(void *chain, const void *model, const lbp_plan *plan); /* sets x, whose items are 0 */
  void (*drop)(void *chain);                                  /* frees the memory of make, even if that failed */
  int (*clamp)(void *chain, const uint8_t *mask);             /* from now on items i with mask[i] != 0 never move;
                                                                 LBP_OK, LBP_E_CLAMPED: these are all items; NULL: not
                                                                 available */
  void (*touch)(void *chain);                                 /* x was changed: forgets all but x, temperature, mask */
  lbp_finding (*check)(void *chain, const void *model, uint32_t trials, lbp_rng *rng); /* NAME_check */
  lbp_finding (*fault)(void *chain);                          /* the first fault of steps so far */
  int (*blocked)(const void *chain);                          /* whether steps of several flips were rejected because
                                                                 one was impossible, which LBP_SAMPLER_PATH avoids */
  int (*parity)(void *chain, const void *model, const lbp_plan *plan, uint32_t R); /* of a sampler of LBP_TRAIT_PARITY,
                                                                 whose steps all are of R, or where plan->setting[0] is
                                                                 no whole number at random of R and more:
                                                                 LBP_PARITY_FREE and the like; NULL: kept if R is even,
                                                                 else turned, and free at random */
  /* data of a chain that survive `touch`, a momentum, as numbers */
  size_t (*chain_words)(const lbp_plan *plan);                /* their number of doubles; 0: none */
  void (*chain_save)(void *chain, double *words);
  void (*chain_load)(void *chain, const lbp_plan *plan, const double *words); /* after touch */
  /* of a sampler of LBP_TRAIT_LANES, whose groups have memory that holds their chains' states between steps; for chains
   * in no group, and for other samplers, these do nothing. settle and logp may be called for different chains at once,
   * and change only their own chain */
  uint32_t lanes;                                             /* chains of a group, at most; few cost as much as many */
  size_t (*group_bytes)(void *chain, const void *model, const lbp_plan *plan); /* of any group; 0: it needs none */
  lbp_finding (*make_group)(void *memory, const lbp_group *group, const void *model); /* after its chains were made */
  void (*settle)(void *chain);                                /* x is to be read: brings it up to date */
  void (*temper_group)(void *chain, double beta);             /* one for all chains of its group: x is to be settled */
  int (*logps)(void *chain, double *logp);                    /* log pi of all chains of its group, in their order; 0:
                                                                 not known, ask for each one's */
  void (*swap)(void *chain, void *next);                      /* announces an exchange between two neighbours ... */
  void (*swapped)(void *chain);                               /* ... and does all that were announced in its group */
  void (*record)(void *chain);                                /* all of its group keep their best states since ... */
  void (*best_put)(void *chain, const uint8_t *x);            /* ... each chain had this one put in its place; steps
                                                                 come next */
  void (*best_get)(void *chain, uint8_t *x);                  /* the one it has; x stays where it has put in this one */
  /* the law */
  double (*logp)(void *chain, const void *model);             /* log pi(x), at temperature 1 */
  double (*excess)(void *chain, const void *model);           /* log pi(x) - log base(x), see base; NULL: log pi(x) */
  void (*ratios)(void *chain, const void *model, void (*take)(void *data, uint32_t i, double d), void *data);
                                                              /* log-ratios of all sites, or other marks of the model */
  void (*conditionals)(void *chain, const void *model, double *sums); /* adds pi(x_i = 1 | all others) to sums[i]; of
                                                                 more than two values, that of v to sums[i * values +
                                                                 v]; at the chain's temperature; steps don't notice */
  void (*temper)(void *chain, double beta);                   /* NULL: not available */
  double (*rounding)(const void *model);                      /* largest change of a log-ratio by rounding; NULL: 0 */
  double (*base)(const void *model, uint32_t i, uint32_t v);  /* log weight of item i = v at beta = 0; NULL: 0 */
  void (*swap_parts)(void *a, void *b, const void *model, lbp_rng *rng, lbp_parts *it); /* exchange of parts between two
                                                                 chains; NULL: can't be */
  /* where states are not all combinations of their items' values; NULL elsewhere */
  int (*admits)(void *chain, const void *model, uint64_t *which); /* LBP_OK, or the reason why x is no state; which: a
                                                                     hash of everything that constraints keep
                                                                     constant */
  void (*scatter)(void *chain, const void *model, lbp_rng *rng); /* replaces x, a state, by one of those with the same
                                                                    `which`, all equally likely; clamped items stay */
  double (*log_states)(void *chain, const void *model);       /* log of how many these are; NaN: not known */
  int needs_start;                                            /* whether make sets no valid state: needs run.start */
  /* tuners: one for each chain, or one that several share */
  size_t (*tuner_bytes)(const lbp_plan *plan);
  int (*tuner_init)(void *tuner, const lbp_plan *plan);
  void (*tuner_update)(void *tuner, double accept);           /* after a step without `learn`; the mean if shared */
  void (*tuner_setting)(const void *tuner, double *setting);  /* its present values */
  double (*tuner_most)(const void *tuner, void *chain, const void *model, const lbp_plan *plan);
                                                              /* the largest setting[0] that a step of this chain takes;
                                                                 NULL: any */
  int (*tuner_status)(const void *tuner);                     /* LBP_OK, or why it is not at its target */
  size_t (*tuner_words)(const lbp_plan *plan);                /* number of doubles of everything that updates change */
  void (*tuner_save)(void *tuner, double *words);
  void (*tuner_load)(void *tuner, const double *words);
  uint64_t (*curvature_print)(const void *curvature);         /* a hash: another curvature is another run */
  /* data for tuner_update in addition to the acceptance rate, of each chain's last step, passed before it, in order */
  size_t (*feedback_bytes)(const lbp_plan *plan);
  void (*feedback)(const void *chain, const lbp_plan *plan, void *feedback);
  void (*observe)(void *tuner, const void *feedback);
} lbp_kernel;

/* Returns the number of values of item i. */
LBP_FN uint32_t lbp_kernel_values(const lbp_kernel *kernel, const void *model, const lbp_plan *plan, uint32_t i) {
  return kernel->values_of ? kernel->values_of(model, i) : plan->values;
}

/* Output of tuner_save, or input of tuner_load; the other one is NULL. One description of a tuner serves both. */
typedef struct {
  double *out;
  const double *in;
} lbp_words;

/* Writes *v to `out`, or reads it from `in`. */
LBP_FN void lbp_words_double(lbp_words *w, double *v) {
  if (w->in) *v = *w->in++;
  else *w->out++ = *v;
}

/* The same for a whole number; other numbers are read as 0. */
LBP_FN void lbp_words_u32(lbp_words *w, uint32_t *v) {
  double wide = *v;
  lbp_words_double(w, &wide);
  *v = wide >= 0 && wide <= 4294967295.0 ? (uint32_t)wide : 0;
}

#endif /* LBP_KERNEL_H */
