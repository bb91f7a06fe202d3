/* lbp/run/runner.h - a run in progress: its memory, stored states, processes and position.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it; you call nothing in it.
 */

#ifndef LBP_RUNNER_H
#define LBP_RUNNER_H

#include "want.h"

LBP_EXACT_BEGIN

/* ---- a run in progress ------------------------------------------------------------------------------------------- */

/* Draws of each chain and column that are kept for diagnostics: twice as many at most, and fewer if there are more than
 * LBP_RUN_KEPT of all chains and columns. */
enum { LBP_P_TRACE = 1024, LBP_P_TRACE_LEAST = 64 };

/* Where a replica is on its round trip: on none yet; it was at the hottest rung; then at the coldest, too. */
enum { LBP_P_NO_TRIP, LBP_P_TO_COLD, LBP_P_TO_HOT };

/* Streams from here on are not those of units. */
#define LBP_P_STREAMS (UINT64_C(1) << 63)

/* A chain forgets after work worth so many looks at all sites. Each look costs one more, so steps are up to 3 % slower
 * for it; and a run that goes on has up to so much to do again. */
#define LBP_P_SEGMENT 32.0

/* Exchanges of parts between two units, one after another. */
typedef struct {
  double tries, share;     /* of units that differ: how many; sums of the largest part's share ... */
  double large;            /* ... and how often it was above LBP_MOST_PART */
  double parts, exchanged; /* sums of how many there were */
} lbp_runner_parts;

/* Which units these are: at neighbouring rungs, at the same. */
enum { LBP_P_BETWEEN, LBP_P_WITHIN };

/* An exchange that is due. */
typedef struct {
  uint64_t seed;
  uint32_t with; /* with which unit; LBP_P_NONE: with none */
} lbp_runner_due;
#define LBP_P_NONE UINT32_MAX

/* A unit when it last forgot, but for its state. */
typedef struct {
  lbp_rng rng;
  lbp_moves moves;
  uint32_t blocked; /* whether a step was, in an earlier call or before the checkpoint */
} lbp_runner_memory;

/* The schedule of an annealing run. */
typedef struct {
  lbp_run *run;         /* of the runner */
  int kind, by_seconds; /* LBP_SCHEDULE_LINEAR or _GEOMETRIC; whether a pilot has found the number of sweeps */
  int quench;           /* whether the last steps quench */
  int cut;              /* whether the search for these was given up, in any process: there is nothing to save */
  double hot, cold, span; /* span: log(cold / hot) */
  const double *ladder; /* NULL, or `rungs` inverse temperatures used instead */
  uint32_t rungs;
} lbp_schedule;

typedef struct {
  const lbp_run *run;
  lbp_run_result *result;
  lbp_chains c;                      /* the units of this process: chains, or their replicas: (chain * replicas +
                                        replica) * rungs + rung */
  uint32_t n, rungs, units, exchange;
  uint32_t members;                  /* units of a chain: rungs * replicas */
  size_t tuner_words;                /* see lbp_kernel */
  size_t item, packed;               /* bytes: of an item of a state; of a state as it is kept */
  double begin, before, warming;     /* when this call began; seconds of the calls before it; seconds of warm-up */
  time_t clock;                      /* when it began, by the calendar */
  uint64_t metric;                   /* a hash of the settings from run->metric */

  int rank, ranks;
  int spread;                        /* whether the units of a chain may be in several processes */
  uint32_t first_chain, count_chain; /* the chains whose first rung is one of them */
  double *excess, *effort;           /* of all units in all processes: log pi - log base, as of the last swaps;
                                        work since then: evaluations and steps */
  double *best_logp;                 /* the largest of each unit, at swaps, and if it is a first rung at draws ... */
  uint8_t *best;                     /* ... and the states, packed */
  uint32_t *counts;                  /* draws in which a site was 1, by unit and site; or a value v, by unit, site, v */
  double *conditional;               /* sums of conditionals, by chain: see lbp/run/marginals.h */

  /* Steps are counted from the beginning of the warm-up. All that is counted, kept or written is of `step` steps of
   * every chain; a chain that goes on from a checkpoint is behind, and takes them again. */
  uint64_t step, caught_up;          /* ... and its value when this call began */
  uint64_t *at, *mark;               /* of each chain: steps taken; steps taken when it last forgot */
  double *work;                      /* of each chain: work since; so much as `budget`, and it forgets again */
  double budget;
  uint8_t *given;                    /* the first chain's start, packed: clamped sites have these values */
  lbp_runner_memory *memory;              /* of each unit, when it last forgot ... */
  uint8_t *state;                    /* ... and its state, packed; of a ladder the first process has all at the end */
  double *words;                     /* of each tuner, when it last forgot; NULL without a checkpoint */
  size_t chain_words;                /* see lbp_kernel ... */
  double *carried;                   /* ... and these of each unit, when it last forgot */
  unsigned char *feedback;            /* of all units in all processes */
  int parity, singly;                /* LBP_PARITY_FREE and the like; what lbp_runner_moves_singly returned */

  /* how steps are spread over cores and time: nothing that is drawn depends on it */
  uint32_t stride;                   /* steps from one look at the clock to the next */
  double off;                        /* when the steps since the last look began */
  int given_up;                      /* whether one of these was given up, in any process: then the run ends */
  int wide;                          /* whether all cores take part in each chain, or each takes its own chains */
  double pace[2];                    /* seconds per step of either, as measured last; 0: not yet */
  uint32_t turn, patience;           /* looks since the other way was tried, and how many it waits for ... */
  int trial;                         /* ... whether it is being tried ... */
  uint32_t usual;                    /* ... and the stride to come back to */

  /* tempering, the same in all processes once shared */
  lbp_rng *swap_rng, *swap_memory;   /* of each chain, from streams LBP_P_STREAMS on; when it last forgot */
  double *ladder, *refused;          /* refused: of each unit and the next, sums of probabilities ... */
  uint64_t counted;                  /* ... since this step */
  double *bridge;                    /* of each unit but the last rung's: log sums over draws, there and back [M] */
  uint8_t *trip, *trip_memory;       /* of the replica at each unit, LBP_P_TO_COLD and the like; when it last forgot */
  uint64_t *trips;                   /* of each chain: round trips since the warm-up */

  /* exchanges of parts; NULL without them */
  lbp_runner_parts *parts;           /* of each unit, twice: with the next rung, with another one of its rung */
  uint8_t *whole;                    /* of rung k and the next: whether parts are left out; [rungs + k]: at rung k */
  lbp_runner_due *due;               /* of each unit */
  lbp_unit *guest;                   /* a chain for states of other processes */

  /* annealing: see lbp/run/anneal.h; NULL otherwise */
  double *tracked;                   /* log pi of each unit's state, by the log-ratios of its steps */
  uint8_t *record;                   /* each unit's best state, as it is */
  lbp_unit *look;                    /* a chain to ask for log pi of other states */
  lbp_schedule schedule;

  /* rows of draws */
  size_t state_bytes, row_bytes;
  uint32_t batch;                    /* draws of each chain that fit into `rows` */
  unsigned char *rows, *all;         /* of this process's chains; in the first process, of all */
  uint8_t *taken;                    /* a state for run->on_draw */

  /* the first process only */
  double *trace;                     /* by column, chain and kept draw, up to 2 * traced of them */
  double logp_error;                 /* how far log pi of these is off where steps go by it, see lbp_kernel's by_logp */
  uint32_t traced;
  uint64_t every, kept;              /* every so many draws one is kept; those that are */
  lbp_stream *stream;                /* by column and chain */
  lbp_moves total;
  double *work_space;                /* for diagnostics */
  uint64_t judged;                   /* draws when convergence was last looked at */
  uint64_t *length, *written;        /* of the files of draws, by chain: CSV, states; hashes of their contents ... */
  uint64_t number_at;                /* ... but of the number of draws, here in the head of a CSV file */
  double *print;                     /* the model's fingerprint, see lbp_runner_fingerprint: numbers ... */
  uint32_t seeded, known;            /* ... of so many states that are anybody's, and of the run's own ... */
  uint8_t *known_state;              /* ... which are these, packed */
  int locks[2];                      /* files that hold locks, of the prefix and the checkpoint, or -1; ... */
  const char *locked[2];             /* ... their names */
  char *text;
  size_t text_room, text_length;
  double told, gap, saved;           /* times: of the last report; until the next one; of the last checkpoint */
  double since;                      /* for the time left: when, ... */
  uint64_t since_step;               /* ... and at which step this phase began */
} lbp_runner;

/* Whether somebody may ask a run to stop, and whether somebody has. */
LBP_FN int lbp_runner_listens(const lbp_run *run) { return run->stop || run->signals; }

LBP_FN int lbp_runner_is_stopped(const lbp_run *run) {
  if (run->signals && lbp_signals_met()) return 1;
#if defined __GNUC__
  return run->stop && __atomic_load_n(run->stop, __ATOMIC_RELAXED) != 0;
#else
  return run->stop && *run->stop;
#endif
}

/* Keeps the first fault, and its sentence. */
LBP_PRINTF_LIKE(3, 4)
LBP_COLD int lbp_runner_fail(lbp_run_result *result, int status, const char *format, ...) {
  if (result->status == LBP_OK) {
    va_list arguments;
    va_start(arguments, format);
    result->status = status;
    vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
  }
  return result->status;
}

/* In functions that judge options: returns, with this sentence, unless it is so. */
#define LBP_P_WANT(condition, ...) \
  if (!(condition)) return lbp_runner_fail(result, LBP_E_RANGE, __VA_ARGS__)

/* The same of a model's terms. Returns whether it is about these. */
LBP_COLD int lbp_p_run_blame_term(lbp_run_result *result, lbp_finding it) {
  const unsigned long site = (unsigned long)it.site, term = (unsigned long)it.other;
  const int status = it.status;
  if (status == LBP_E_TERM_SITES) {
    lbp_runner_fail(result, status, "term %lu: LBP_TERM_SITES names site %lu, but there are %.0f sites", term, site,
                    it.want);
  } else if (status == LBP_E_TERM_TWICE) {
    lbp_runner_fail(result, status, "term %lu: LBP_TERM_SITES names site %lu twice; name it once", term, site);
  } else if (status == LBP_E_TERM_MAX) {
    lbp_runner_fail(result, status, "term %lu has %.0f sites; LBP_TERM_MAX is %.0f: define a larger one", term, it.got,
                    it.want);
  } else if (status == LBP_E_TERMS_OF_MAX) {
    lbp_runner_fail(result, status, "site %lu is in %.0f terms; LBP_TERMS_OF_MAX is %.0f: define a larger one", site,
                    it.got, it.want);
  } else if (status == LBP_E_TERM_NAN) {
    lbp_runner_fail(result, status, "LBP_%s %lu is %s; return a number, or -infinity if these values are impossible",
                    it.other == LBP_NO_TERM ? "SITE_TERM of site" : "TERM of term",
                    it.other == LBP_NO_TERM ? site : term, lbp_is_nan(it.got) ? "NaN" : "+infinity");
  } else if (status == LBP_E_UNIT) {
    lbp_runner_fail(result, status, "LBP_UNIT is %.17g, and site %lu has %.17g, which is not a whole number of it",
                    it.want, site, it.got);
  } else {
    return 0;
  }
  return 1;
}

/* The same where lanes can't hold the model. */
LBP_COLD int lbp_runner_blame_lanes(lbp_run_result *result, lbp_finding it) {
  static const char else_[] = "take LBP_SAMPLER_METROPOLIS, or round the model";
  const unsigned long site = (unsigned long)it.site, other = (unsigned long)it.other;
  result->site = it.site;
  result->other = it.other;
  result->got = it.got;
  result->want = it.want;
  if (it.status == LBP_E_UNIT && it.site == it.other) {
    return lbp_runner_fail(result, it.status, "lanes: the field of site %lu is %.17g, which is no whole number of a "
                           "quarter of LBP_UNIT, %.17g; %s", site, it.got, it.want, else_);
  }
  if (it.status == LBP_E_UNIT) {
    return lbp_runner_fail(result, it.status, "lanes: the coupling of sites %lu and %lu is %.17g, which is no whole "
                           "number of a quarter of LBP_UNIT, %.17g; %s", site, other, it.got, it.want, else_);
  }
  if (it.status == LBP_E_PLANES) {
    return lbp_runner_fail(result, it.status, "lanes: couplings and field of site %lu add up to %.0f units, and there "
                           "are planes for %.0f; %s", site, it.got, it.want, else_);
  }
  return lbp_runner_fail(result, it.status, "lanes: site %lu: %s", site, lbp_error(it.status));
}

/* The same for a fault of the model, with the report of NAME_check or a step. */
LBP_COLD int lbp_runner_blame(lbp_run_result *result, const char *sampler, lbp_finding it) {
  char text[LBP_P_FINDING_TEXT];
  if (it.status == LBP_OK || result->status != LBP_OK) return result->status;
  result->site = it.site;
  result->other = it.other;
  result->got = it.got;
  result->want = it.want;
  if (it.status == LBP_E_ISOLATED) {
    return lbp_runner_fail(result, it.status, "%s: %s", sampler, lbp_error(it.status));
  }
  if (it.status == LBP_E_DELTA_NAN && it.placed) {
    return lbp_runner_fail(result, it.status, "the model is wrong: the log-ratio of a move of item %lu is NaN at a "
                           "possible state; return a number, or -infinity if the move is impossible",
                           (unsigned long)it.site);
  }
  if (it.status == LBP_E_MODEL_NAN && it.placed) {
    return lbp_runner_fail(result, it.status, "the model is wrong: log pi of a state that %s proposed is %s; return a "
                           "number, or -infinity if the state is impossible", sampler,
                           lbp_is_nan(it.got) ? "NaN" : "+infinity");
  }
  if (it.status == LBP_E_NOT_QUADRATIC || it.status == LBP_E_INEXACT) {
    const char *what = it.status == LBP_E_INEXACT ? "a gradient changes by another amount than the curvature predicts"
                       : lbp_is_finite(it.got)    ? "log pi changes by another amount than its gradients predict"
                                                  : "log pi of a state is -infinity";
    lbp_finding_text(it, text);
    return lbp_runner_fail(result, it.status, "%s: %s%s; %s", sampler, what, lbp_is_finite(it.got) ? text : "",
                           lbp_error(it.status));
  }
  if (!it.placed) return lbp_runner_fail(result, it.status, "the model is wrong: %s", lbp_error(it.status));
  if (lbp_p_run_blame_term(result, it)) return result->status;
  lbp_finding_text(it, text);
  return lbp_runner_fail(result, it.status, "the model is wrong at sites %lu and %lu%s: %s%s", (unsigned long)it.site,
                         (unsigned long)it.other, text, lbp_error(it.status), it.status == LBP_E_GRADIENT ? "; if the "
                         "gradient is meant to be another model's, set check_trials to 0" : "");
}

/* Zeroed memory; NULL, and the status, if there is none. */
LBP_FN void *lbp_runner_alloc(lbp_runner *r, size_t count, size_t size) {
  const size_t bytes = lbp_size_times(count, size);
  void *memory = bytes < SIZE_MAX ? calloc(bytes + 1, 1) : NULL;
  if (!memory) {
    lbp_runner_fail(r->result, LBP_E_MEMORY, "out of memory: %.3g bytes more are needed", (double)count * (double)size);
  }
  return memory;
}

/* The tuner's numbers when it last forgot. */
LBP_FN double *lbp_runner_words(const lbp_runner *r, uint32_t tuner) { return r->words + tuner * r->tuner_words; }

/* Unit k of this process as one of this process's chains: its index among them, or -1 if it is a hotter replica. */
LBP_FN int64_t lbp_runner_chain(const lbp_runner *r, uint32_t k) {
  const uint32_t unit = r->c.first + k;
  return unit % r->members == 0 ? (int64_t)(unit / r->members) - r->first_chain : -1;
}

LBP_FN double *lbp_runner_row(const lbp_runner *r, unsigned char *rows, uint32_t chain, uint32_t draw) {
  return (double *)(void *)(rows + ((size_t)chain * r->batch + draw) * r->row_bytes);
}

/* How many values item i has. */
LBP_FN uint32_t lbp_runner_values(const lbp_runner *r, uint32_t i) {
  return lbp_kernel_values(r->c.kernel, r->c.model, &r->c.plan, i);
}

/* A state as it is kept, and in files: bits, if items have two values, the first item in the highest bit; else bytes,
 * the lowest of an item first. And back. */
LBP_FN void lbp_runner_pack(const lbp_runner *r, const void *x, uint8_t *out) {
  const uint8_t *bit = (const uint8_t *)x;
  uint32_t i, k;
  size_t b;
  if (r->c.plan.values == 2 && r->item == 1) {
    for (i = 0; i + 8 <= r->n; i += 8) { /* eight at once: the product has them side by side on top */
      const uint8_t *b8 = bit + i; /* written out, so that compilers see one word of memory in it */
      const uint64_t w = (uint64_t)b8[0] | (uint64_t)b8[1] << 8 | (uint64_t)b8[2] << 16 | (uint64_t)b8[3] << 24 |
                         (uint64_t)b8[4] << 32 | (uint64_t)b8[5] << 40 | (uint64_t)b8[6] << 48 | (uint64_t)b8[7] << 56;
      *out++ = (uint8_t)(w * UINT64_C(0x8040201008040201) >> 56);
    }
    if (i < r->n) *out = 0;
    for (k = 0; i + k < r->n; k++) *out = (uint8_t)(*out | bit[i + k] << (7 - k));
    return;
  }
  for (i = 0; i < r->n; i++) {
    const uint32_t v = lbp_item(x, r->item, i);
    for (b = 0; b < r->item; b++) *out++ = (uint8_t)(v >> 8 * b & 0xff);
  }
}

/* Item i of a packed state. */
LBP_FN uint32_t lbp_runner_packed_item(const lbp_runner *r, const uint8_t *in, uint32_t i) {
  uint32_t v = 0;
  size_t b;
  if (r->c.plan.values == 2 && r->item == 1) return in[i / 8] >> (7 - i % 8) & 1u;
  for (b = 0; b < r->item; b++) v |= (uint32_t)in[i * r->item + b] << 8 * b;
  return v;
}

LBP_FN void lbp_runner_unpack(const lbp_runner *r, const uint8_t *in, void *x) {
  uint8_t *bit = (uint8_t *)x;
  uint32_t i = 0, k;
  const int bits = r->c.plan.values == 2 && r->item == 1;
  for (; bits && i + 8 <= r->n; i += 8) { /* each byte gets its own bit, and 127 more, which moves it to the top */
    uint64_t w = in[i / 8] * UINT64_C(0x0101010101010101) & UINT64_C(0x0102040810204080);
    w = (w + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7;
    for (k = 0; k < 8; k++) bit[i + k] = (uint8_t)(w >> 8 * k & 1);
  }
  for (; i < r->n; i++) lbp_set_item(x, r->item, i, lbp_runner_packed_item(r, in, i));
}

/* Whether chains, or replicas, have inverse temperatures. */
LBP_FN int lbp_runner_tempers(const lbp_run *run) { return run->tempering.rungs > 1 || run->tempering.ladder; }

/* Seconds of warm-up and sampling, in this call and those before. */
LBP_FN double lbp_runner_seconds(const lbp_runner *r) { return r->before + lbp_run_now() - r->begin; }

#define LBP_P_PRIME UINT64_C(0x100000001b3)
LBP_FN uint64_t lbp_runner_hash(uint64_t hash, const void *data, size_t bytes) {
  const unsigned char *in = (const unsigned char *)data;
  size_t k;
  for (k = 0; k < bytes; k++) hash = (hash ^ in[k]) * LBP_P_PRIME; /* FNV-1a */
  return hash;
}
#define LBP_P_HASH UINT64_C(0xcbf29ce484222325)

/* Makes a chain in addition to those of the run, at the first chain's start; NULL, and the status, if that fails. */
LBP_FN lbp_unit *lbp_runner_spare(lbp_runner *r) {
  lbp_unit *unit = (lbp_unit *)lbp_runner_alloc(r, 1, r->c.kernel->bytes(&r->c.plan));
  const uint8_t *clamp = r->c.kernel->scatter ? r->c.plan.clamp : NULL; /* so that scatter knows */
  int status = unit ? r->c.kernel->make(unit, r->c.model, &r->c.plan) : LBP_OK;
  if (clamp && unit && status == LBP_OK) status = r->c.kernel->clamp(unit, clamp);
  if (unit && status == LBP_OK) lbp_runner_unpack(r, r->given, unit->x);
  if (status == LBP_OK) return unit;
  lbp_runner_fail(r->result, status, "a chain: %s", lbp_error(status));
  r->c.kernel->drop(unit);
  free(unit);
  return NULL;
}

LBP_FN void lbp_runner_drop_spare(lbp_runner *r, lbp_unit *unit) {
  if (unit) r->c.kernel->drop(unit);
  free(unit);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* Chains that stay together in one process, and, tempered, take their steps side by side: of lanes those of a group. */
LBP_FN uint32_t lbp_runner_team(const lbp_runner *r) {
  const uint32_t together = r->run->batch;
  if (r->c.plan.sampler->traits & LBP_TRAIT_LANES) return (together > 0 ? together : r->c.kernel->lanes) / r->members;
  return r->members > 1 || together < 1 ? 1 : together;
}

/* Units that step together: chains with neighbouring numbers, a chain's neighbouring replicas, or of lanes, ladders. */
LBP_FN uint32_t lbp_runner_group(const lbp_runner *r) {
  if (r->c.plan.sampler->traits & LBP_TRAIT_LANES) return lbp_runner_team(r) * r->members;
  return r->run->batch > 1 ? r->run->batch : 1;
}

/* Whether there are so few chains that other sweeps are as fast. */
LBP_COLD int lbp_runner_wastes_lanes(const lbp_runner *r) {
  const double group = r->c.plan.sampler->traits & LBP_TRAIT_LANES ? lbp_runner_group(r) : 0;
  return group > 0 && r->units < LBP_LEAST_LANES * ceil(r->units / group);
}

/* The first unit of a process, and the first chain whose first rung is not a unit of an earlier one. */
LBP_FN uint32_t lbp_runner_first(const lbp_runner *r, int rank) {
  const uint32_t block = r->spread ? 1 : lbp_runner_team(r) * r->members;
  const uint64_t blocks = (r->units - 1) / block + 1, first = blocks * (uint64_t)rank / (uint64_t)r->ranks * block;
  return first < r->units ? (uint32_t)first : r->units;
}

LBP_FN uint32_t lbp_runner_first_chain(const lbp_runner *r, int rank) {
  return (uint32_t)(((uint64_t)lbp_runner_first(r, rank) + r->members - 1) / r->members);
}

/* The process that has a unit. */
LBP_FN int lbp_runner_rank_of(const lbp_runner *r, uint32_t unit) {
  int rank = r->rank; /* units that meet are near each other */
  while (lbp_runner_first(r, rank) > unit) rank--;
  while (lbp_runner_first(r, rank + 1) <= unit) rank++;
  return rank;
}

/* Unit number `unit` of all; NULL: it is in another process. */
LBP_FN lbp_unit *lbp_runner_unit(const lbp_runner *r, uint32_t unit) {
  const int here = unit >= r->c.first && unit - r->c.first < r->c.count;
  return here ? lbp_chains_unit(&r->c, unit - r->c.first) : NULL;
}

/* MPI counts in ints. */
#define LBP_P_MOST ((size_t)1 << 30)

/* Bytes of one process to another one; the others, and one process alone, do nothing. */
LBP_FN void lbp_runner_pass(const lbp_runner *r, int from, int to, void *data, size_t bytes) {
#if LBP_RUN_MPI
  char *at = (char *)data;
  for (; from != to && (r->rank == from || r->rank == to) && bytes > 0;) {
    const size_t part = bytes < LBP_P_MOST ? bytes : LBP_P_MOST;
    if (r->rank == from) MPI_Send(at, (int)part, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    else MPI_Recv(at, (int)part, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    at += part;
    bytes -= part;
  }
#endif
  (void)r, (void)from, (void)to, (void)data, (void)bytes;
}

/* Sends data of the first process to all. */
LBP_FN void lbp_runner_tell(const lbp_runner *r, void *data, size_t bytes) {
#if LBP_RUN_MPI
  char *at = (char *)data;
  for (; r->ranks > 1 && bytes > 0;) {
    const size_t part = bytes < LBP_P_MOST ? bytes : LBP_P_MOST;
    MPI_Bcast(at, (int)part, MPI_BYTE, 0, MPI_COMM_WORLD);
    at += part;
    bytes -= part;
  }
#endif
  (void)r, (void)data, (void)bytes;
}

/* Brings every process's part of an array, an item for each unit or chain, to the first, whose own may be in place. */
LBP_FN void lbp_runner_collect(const lbp_runner *r, uint32_t (*first)(const lbp_runner *, int), void *mine, void *all,
                              size_t item) {
  int rank;
  for (rank = 1; rank < r->ranks; rank++) {
    lbp_runner_pass(r, rank, 0, r->rank > 0 ? mine : (char *)all + first(r, rank) * item,
                    (first(r, rank + 1) - first(r, rank)) * item);
  }
  if (r->rank == 0 && all != mine) memcpy(all, mine, first(r, 1) * item);
}

/* The same to all processes, in place. */
LBP_FN void lbp_runner_share(const lbp_runner *r, uint32_t (*first)(const lbp_runner *, int), void *all, size_t item) {
  char *mine = (char *)all + first(r, r->rank) * item;
  if (r->ranks == 1) return;
  lbp_runner_collect(r, first, r->rank > 0 ? mine : (char *)all, all, item);
  lbp_runner_tell(r, all, first(r, r->ranks) * item);
}

/* The smallest of a number that each process has. */
LBP_FN uint64_t lbp_runner_least(const lbp_runner *r, uint64_t v) {
#if LBP_RUN_MPI
  if (r->ranks > 1) {
    uint64_t least;
    MPI_Allreduce(&v, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return least;
  }
#endif
  return (void)r, v;
}

/* Whether no process has failed; otherwise all stop, with the sentence of the first that failed. */
LBP_FN int lbp_runner_agree(const lbp_runner *r) {
#if LBP_RUN_MPI
  if (r->ranks > 1) {
    int mine = r->result->status == LBP_OK ? r->ranks : r->rank, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first < r->ranks) {
      lbp_run_result said = *r->result;
      MPI_Bcast(&said, (int)sizeof said, MPI_BYTE, first, MPI_COMM_WORLD);
      r->result->status = said.status;
      r->result->site = said.site;
      r->result->other = said.other;
      r->result->got = said.got;
      r->result->want = said.want;
      memcpy(r->result->message, said.message, sizeof said.message);
    }
  }
#endif
  return r->result->status;
}

/* ---- where a run is ---------------------------------------------------------------------------------------------- */

LBP_FN int lbp_runner_is_warm(const lbp_runner *r) { return r->step >= r->run->warmup; }

/* Draws of each chain. */
LBP_FN uint64_t lbp_runner_drawn(const lbp_runner *r) {
  return lbp_runner_is_warm(r) ? (r->step - r->run->warmup) / r->run->thin : 0;
}

/* The first step of the phase, warm-up or sampling, in which the step after `step` is. */
LBP_FN uint64_t lbp_runner_phase(const lbp_runner *r, uint64_t step) {
  return step < r->run->warmup ? 0 : r->run->warmup;
}

/* Whether tuners learn in this phase. */
LBP_FN int lbp_runner_learns(const lbp_runner *r, uint64_t step) { return !r->run->metric && step < r->run->warmup; }

/* Whether chains wait for each other in this phase since they share tuners that learn. */
LBP_FN int lbp_runner_is_joint(const lbp_runner *r, uint64_t step) {
  return r->run->shared_tuner && lbp_runner_learns(r, step);
}

/* The units [*begin, *end) of a chain that this process has, as indices among its own. */
LBP_FN void lbp_runner_units_here(const lbp_runner *r, uint32_t chain, uint32_t *begin, uint32_t *end) {
  const uint64_t from = (uint64_t)chain * r->members, to = from + r->members, last = (uint64_t)r->c.first + r->c.count;
  *begin = from > r->c.first ? (uint32_t)(from - r->c.first) : 0;
  *end = to < last ? (to > r->c.first ? (uint32_t)(to - r->c.first) : 0) : r->c.count;
  if (*begin > *end) *begin = *end;
}

/* log pi of unit k here from scratch. */
LBP_FN void lbp_runner_anneal_look(lbp_runner *r, uint32_t k) {
  r->tracked[k] = r->c.kernel->logp(lbp_chains_unit(&r->c, k), r->c.model);
}

/* Unit k here forgets all but its state, and the numbers that the kernel keeps besides it. */
LBP_COLD void lbp_p_run_forget_unit(lbp_runner *r, uint32_t k) {
  lbp_unit *unit = lbp_chains_settled(&r->c, k);
  double *carried = r->carried + k * r->chain_words;
  if (r->chain_words > 0) r->c.kernel->chain_save(unit, carried);
  r->c.kernel->touch(unit);
  if (r->chain_words > 0) r->c.kernel->chain_load(unit, &r->c.plan, carried);
}

/* Puts unit k here back to where it last forgot, but for its tuner. */
LBP_COLD void lbp_runner_rewind(lbp_runner *r, uint32_t k) {
  lbp_unit *unit = lbp_chains_unit(&r->c, k);
  unit->rng = r->memory[k].rng;
  lbp_runner_unpack(r, r->state + k * r->packed, unit->x);
  r->c.kernel->touch(unit);
  if (r->chain_words > 0) r->c.kernel->chain_load(unit, &r->c.plan, r->carried + k * r->chain_words);
  if (r->tracked) lbp_runner_anneal_look(r, k);
}

/* A chain forgets all but its states, and these are kept: from here it can be run again. */
LBP_COLD void lbp_runner_forget(lbp_runner *r, uint32_t chain) {
  uint32_t k, end;
  lbp_runner_units_here(r, chain, &k, &end);
  for (; k < end; k++) {
    lbp_unit *unit = lbp_chains_unit(&r->c, k);
    lbp_runner_memory *memory = &r->memory[k];
    lbp_p_run_forget_unit(r, k);
    if (r->tracked && !r->c.group_memory) lbp_runner_anneal_look(r, k); /* groups tell it after each step */
    r->effort[r->c.first + k] = 0;
    memory->rng = unit->rng;
    memory->moves = r->c.moves[k];
    if (r->words && !r->run->shared_tuner && r->at[chain] <= r->run->warmup) { /* later nothing changes */
      r->c.kernel->tuner_save(lbp_chains_tuner(&r->c, k), lbp_runner_words(r, k));
    }
    lbp_runner_pack(r, unit->x, r->state + k * r->packed);
  }
  if (r->members > 1) {
    const size_t first = (size_t)chain * r->members;
    r->swap_memory[chain] = r->swap_rng[chain];
    memcpy(r->trip_memory + first, r->trip + first, r->members);
  }
  r->mark[chain] = r->at[chain];
  r->work[chain] = 0;
}

LBP_COLD void lbp_runner_forget_all(lbp_runner *r) {
  uint32_t chain, rung;
  for (chain = 0; chain < r->run->chains; chain++) lbp_runner_forget(r, chain);
  for (rung = 0; r->words && r->run->shared_tuner && rung < r->rungs; rung++) {
    r->c.kernel->tuner_save(lbp_chains_tuner_at(&r->c, rung), lbp_runner_words(r, rung));
  }
}

/* Puts all chains back to where they last forgot. */
LBP_FN void lbp_runner_remember(lbp_runner *r) {
  uint32_t k;
  for (k = 0; k < r->c.count; k++) {
    lbp_runner_rewind(r, k);
    r->c.moves[k] = r->memory[k].moves;
    if (!r->run->shared_tuner) r->c.kernel->tuner_load(lbp_chains_tuner(&r->c, k), lbp_runner_words(r, k));
  }
  for (k = 0; r->run->shared_tuner && k < r->rungs; k++) {
    r->c.kernel->tuner_load(lbp_chains_tuner_at(&r->c, k), lbp_runner_words(r, k));
  }
  for (k = 0; k < r->run->chains; k++) {
    r->at[k] = r->mark[k];
    r->work[k] = 0;
    if (r->members > 1) r->swap_rng[k] = r->swap_memory[k];
  }
  if (r->members > 1) memcpy(r->trip, r->trip_memory, r->units);
}

/* Whether a run that goes on has done nothing new yet. */
LBP_FN int lbp_runner_is_behind(const lbp_runner *r) { return r->result->resumed && r->step == r->caught_up; }

LBP_EXACT_END

#endif /* LBP_RUNNER_H */
