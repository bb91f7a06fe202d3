/* Tests of pairs: alternates every two calls of a family in one chain that is never made again. A call is a step of a
 * sampler, or something that changes the chain from outside (touch, temper, clamp). Works for any template;
 * test_pairs.c has families of binary sites, groups and any-scale samplers.
 *
 * A call may leave something behind that the next call, of another kind, takes for its own: weights, sums, a tree, log
 * pi, a mask. Two calls a and b follow each other as a b b a a b a b, which contains all four orders. The test compares
 *   - after each call, all that the chain keeps with a chain made from scratch in the same state (the audit);
 *   - what a step reports, the changed sites and the gain of log pi, with the states before and after it;
 *   - the transitions of each step with those of chains made from scratch: from each state by a chi-squared test, and
 *     over all states by how often each site changes, and how often none does;
 *   - the transitions of these fresh chains with enumeration: they must leave the law invariant;
 *   - if both calls are steps, the states of chains that start from the law, after each number of calls, with the law
 *     by enumeration: the final ones of each pair, and those of all pairs of a family together.
 * If neither call is a step, a step chosen by the seed follows each of them. pairs_judge_words looks for another thing,
 * sites that share a random word.
 *
 * A family is a set of functions. Its context is a number of up to four bits: everything next to the state that decides
 * what a step does, such as temperature, mask and model. It has three chains: the one that is kept, one made from
 * scratch for each step, and one for the audit.
 *
 * Chi-squared tests have the level CHI2_LEVEL. Means may be off by PAIRS_ERRORS standard errors; an exact step exceeds
 * that with probability 8e-11. */
#ifndef PAIRS_H
#define PAIRS_H

#include <string.h>

#include "../lbp.h"
#include "chi2.h"

enum { PAIRS_CHAIN, PAIRS_NEW, PAIRS_AUDIT, PAIRS_CHAINS };
#ifndef PAIRS_ROOM
#define PAIRS_ROOM 64 /* states of a family are fewer */
#endif
enum { PAIRS_SITES = 10, PAIRS_CELLS = 4096, PAIRS_STATES = PAIRS_ROOM };
enum { PAIRS_CONTEXTS = 16, PAIRS_CALLS = 40, PAIRS_ORDER = 8 };

/* Bits of a context: another temperature, mask and model, and for groups, another shift. */
enum { PAIRS_HOT = 1, PAIRS_MASKED = 2, PAIRS_OTHER_MODEL = 4, PAIRS_SHIFTED = 8 };
#define PAIRS_ERRORS 6.5

/* The amount of work. One pair in PAIRS_SHARE is tested. PAIRS_TRIALS: steps of fresh chains from each state.
 * PAIRS_SEGMENTS: how often the eight calls of a pair are repeated, of which the first PAIRS_AUDITED are audited. */
#if defined PAIRS_LONG
enum { PAIRS_SHARE = 1, PAIRS_TRIALS = 1000, PAIRS_SEGMENTS = 2000, PAIRS_AUDITED = 200 };
#elif defined API_QUICK
enum { PAIRS_SHARE = 12, PAIRS_TRIALS = 40, PAIRS_SEGMENTS = 60, PAIRS_AUDITED = 20 };
#else
enum { PAIRS_SHARE = 3, PAIRS_TRIALS = 100, PAIRS_SEGMENTS = 150, PAIRS_AUDITED = 30 };
#endif

/* What a call reports. */
typedef struct {
  double log_ratio;      /* gain of log pi, at the chain's temperature */
  uint32_t changed;      /* number of sites that changed */
  const uint32_t *sites; /* these sites; NULL: not reported */
} pairs_told;

typedef struct {
  const char *name;
  uint32_t n, values;                                  /* sites, of so many values each */
  const uint32_t *call;                                /* its calls, numbers below PAIRS_CALLS */
  uint32_t calls;
  const char *(*call_name)(uint32_t call);
  int (*is_step)(uint32_t call);                       /* whether the call is a step, which leaves the law invariant */
  void (*begin)(uint32_t k, const uint8_t *x, uint32_t context); /* chain k is made from scratch */
  void (*set)(uint32_t k, const uint8_t *x);           /* the state is changed from outside, then the chain touched */
  pairs_told (*go)(uint32_t k, uint32_t call, lbp_rng *rng);
  const uint8_t *(*state)(uint32_t k);
  uint32_t (*context)(uint32_t k);
  double (*logp)(const uint8_t *x, uint32_t context);  /* log pi, up to a constant; -infinity: no state */
  const uint8_t *(*mask)(uint32_t context);            /* sites that steps never move; NULL: none */
  const char *(*audit)(uint32_t k);                    /* NULL, or which of the things that chain k keeps is wrong */
  double slack;                                        /* rounding error of log_ratio */
  double (*told_logp)(const uint8_t *x, uint32_t context); /* whose gain steps report; NULL: the law's, logp */
} pairs_family;

/* ---- states ------------------------------------------------------------------------------------------------------ */

static uint8_t pairs_state[PAIRS_STATES][PAIRS_SITES]; /* all possible states */
static uint32_t pairs_states;
static uint32_t pairs_index[PAIRS_CELLS];               /* position in pairs_state by code, sum_i x_i values^i */
static double pairs_law[PAIRS_CONTEXTS][PAIRS_STATES];

/* Counts of transitions by call and context: of fresh chains, filled on first use, and of the chain that is kept. */
static uint32_t pairs_fresh[PAIRS_CALLS][PAIRS_CONTEXTS][PAIRS_STATES][PAIRS_STATES];
static uint32_t pairs_seen[PAIRS_CALLS][PAIRS_CONTEXTS][PAIRS_STATES][PAIRS_STATES];
static uint8_t pairs_is_made[PAIRS_CALLS][PAIRS_CONTEXTS], pairs_is_seen[PAIRS_CALLS][PAIRS_CONTEXTS];

/* Of all pairs of steps of a family: states after each number of calls, from the law. */
static uint32_t pairs_after[PAIRS_ORDER][PAIRS_STATES];

static uint32_t pairs_code(const pairs_family *f, const uint8_t *x) {
  uint32_t code = 0, i;
  for (i = f->n; i-- > 0;) code = code * f->values + x[i];
  return code;
}

static uint32_t pairs_number(const pairs_family *f, const uint8_t *x) { return pairs_index[pairs_code(f, x)]; }

/* Lists the states of a family, and their law in each context. The same states are possible in all. */
static void pairs_enumerate(const pairs_family *f) {
  uint32_t cells = 1, code, rest, context, i;
  uint8_t x[PAIRS_SITES];
  for (i = 0; i < f->n; i++) cells *= f->values;
  CHECK(cells <= sizeof pairs_index / sizeof *pairs_index);
  pairs_states = 0;
  for (code = 0; code < cells; code++) {
    for (i = 0, rest = code; i < f->n; i++, rest /= f->values) x[i] = (uint8_t)(rest % f->values);
    pairs_index[code] = PAIRS_STATES;
    if (!(f->logp(x, 0) > -1e300) || pairs_states == PAIRS_STATES) continue;
    memcpy(pairs_state[pairs_states], x, f->n);
    pairs_index[code] = pairs_states++;
  }
  CHECK((pairs_states > 8 || pairs_states == cells) && pairs_states < PAIRS_STATES);
  for (context = 0; context < PAIRS_CONTEXTS; context++) {
    double sum = 0;
    for (i = 0; i < pairs_states; i++) sum += pairs_law[context][i] = exp(f->logp(pairs_state[i], context));
    for (i = 0; i < pairs_states; i++) pairs_law[context][i] /= sum;
  }
  memset(pairs_is_made, 0, sizeof pairs_is_made);
  memset(pairs_after, 0, sizeof pairs_after);
}

static const uint8_t *pairs_draw(uint32_t context, lbp_rng *rng) {
  double u = lbp_u01(lbp_rng_u64(rng));
  uint32_t k = 0;
  while (k + 1 < pairs_states && u >= pairs_law[context][k]) u -= pairs_law[context][k++];
  return pairs_state[k];
}

static const uint8_t *pairs_any(lbp_rng *rng) { return pairs_state[lbp_mulhi(lbp_rng_u64(rng), pairs_states)]; }

/* ---- fresh chains ------------------------------------------------------------------------------------------------ */

/* Checks that steps of fresh chains leave the law invariant: the law times their matrix of frequencies against the
 * law. */
static void pairs_judge_fresh(const pairs_family *f, uint32_t call, uint32_t context) {
  const double trials = PAIRS_TRIALS, *law = pairs_law[context];
  double worst = 0;
  uint32_t from, to;
  char text[160];
  for (to = 0; to < pairs_states; to++) {
    double share = -law[to], variance = 0, z;
    for (from = 0; from < pairs_states; from++) {
      const double p = pairs_fresh[call][context][from][to] / trials;
      share += law[from] * p;
      variance += law[from] * law[from] * (p * (1 - p) / trials + 1 / (trials * trials));
    }
    z = fabs(share) / sqrt(variance);
    if (!(z <= worst)) worst = z; /* a NaN stays */
  }
  snprintf(text, sizeof text, "%s, context %u: %s leaves the law: %.2f standard errors", f->name, (unsigned)context,
           f->call_name(call), worst);
  test_count(worst < PAIRS_ERRORS, __FILE__, __LINE__, text);
}

static void pairs_make(const pairs_family *f, uint32_t call, uint32_t context) {
  uint32_t from, to, t;
  lbp_rng rng;
  if (pairs_is_made[call][context]) return;
  pairs_is_made[call][context] = 1;
  memset(pairs_fresh[call][context], 0, sizeof pairs_fresh[call][context]);
  lbp_rng_init(&rng, 1000 + call, context);
  for (from = 0; from < pairs_states; from++) {
    for (t = 0; t < PAIRS_TRIALS; t++) {
      f->begin(PAIRS_NEW, pairs_state[from], context);
      f->go(PAIRS_NEW, call, &rng);
      to = pairs_number(f, f->state(PAIRS_NEW));
      if (to < pairs_states) pairs_fresh[call][context][from][to]++;
    }
  }
  pairs_judge_fresh(f, call, context);
}

/* ---- the chain that is kept -------------------------------------------------------------------------------------- */

/* Compares the transitions from each state with those of fresh chains. Cells for which either is expected fewer than 8
 * times are taken together: where one of two counts is small, a chi-squared law is far from theirs. Returns the
 * p-value. */
static double pairs_compare(uint32_t (*seen)[PAIRS_STATES], uint32_t (*fresh)[PAIRS_STATES]) {
  double statistic = 0, degrees = 0;
  uint32_t from, to;
  for (from = 0; from < pairs_states; from++) {
    double all = 0, rest = 0, rest_fresh = 0, cells = 0, sum = 0, share, smaller;
    for (to = 0; to < pairs_states; to++) all += seen[from][to];
    if (!(all > 0)) continue;
    smaller = all < PAIRS_TRIALS ? all : PAIRS_TRIALS;
    share = sqrt(all / PAIRS_TRIALS);
    for (to = 0; to <= pairs_states; to++) {
      const double a = to < pairs_states ? seen[from][to] : rest, b = to < pairs_states ? fresh[from][to] : rest_fresh;
      const double gap = a / share - b * share, least = (a + b) * smaller / (all + PAIRS_TRIALS);
      if (to < pairs_states && least < 8) rest += a, rest_fresh += b;
      else if (least >= 4) sum += gap * gap / (a + b), cells++;
    }
    if (cells > 1) statistic += sum, degrees += cells - 1;
  }
  return degrees > 0 ? chi2_tail(statistic, degrees) : 1;
}

/* Compares how often each site changes, and how often none does, over all states. Returns the largest gap in standard
 * errors. */
static double pairs_compare_sites(const pairs_family *f, uint32_t (*seen)[PAIRS_STATES],
                                  uint32_t (*fresh)[PAIRS_STATES]) {
  double worst = 0;
  uint32_t from, to, i;
  for (i = 0; i <= f->n; i++) {
    double gap = 0, variance = 0;
    for (from = 0; from < pairs_states; from++) {
      double all = 0, hits = 0, hits_fresh = 0, p;
      for (to = 0; to < pairs_states; to++) {
        const int hit = i < f->n ? pairs_state[from][i] != pairs_state[to][i] : from == to;
        all += seen[from][to];
        hits += hit * (double)seen[from][to];
        hits_fresh += hit * (double)fresh[from][to];
      }
      p = (hits + hits_fresh) / (all + PAIRS_TRIALS);
      gap += hits - all * hits_fresh / PAIRS_TRIALS;
      variance += p * (1 - p) * all * (1 + all / PAIRS_TRIALS);
    }
    if (variance > 9 && !(fabs(gap) <= worst * sqrt(variance))) worst = fabs(gap) / sqrt(variance);
  }
  return worst;
}

/* The first fault of a pair: printing every fault would flood the log. */
typedef struct {
  const char *what;
  uint32_t call;
} pairs_fault;

/* One call of the kept chain, and all checks of that call alone. */
static void pairs_step(const pairs_family *f, uint32_t call, int audited, lbp_rng *rng, pairs_fault *fault) {
  const uint32_t context = f->context(PAIRS_CHAIN), from = pairs_number(f, f->state(PAIRS_CHAIN));
  const int is_step = f->is_step(call);
  const char *what = NULL;
  pairs_told told;
  uint32_t to, i, k, changed = 0;
  told = f->go(PAIRS_CHAIN, call, rng);
  to = pairs_number(f, f->state(PAIRS_CHAIN));
  if (to >= pairs_states) {
    what = "an impossible state";
    to = from;
    f->set(PAIRS_CHAIN, pairs_state[from]);
  }
  if (is_step) {
    const uint8_t *x = pairs_state[from], *y = pairs_state[to], *mask = f->mask(context);
    double (*const logp)(const uint8_t *, uint32_t) = f->told_logp ? f->told_logp : f->logp;
    const double gain = logp(y, context) - logp(x, context);
    for (i = 0; i < f->n; i++) {
      changed += x[i] != y[i];
      if (mask && mask[i] && x[i] != y[i]) what = "a clamped site has moved";
    }
    if (!(fabs(told.log_ratio - gain) <= f->slack)) what = "what log pi gained";
    if (changed != told.changed) what = "how many sites changed";
    for (k = 0; told.sites && k < told.changed; k++) {
      if (told.sites[k] >= f->n || x[told.sites[k]] == y[told.sites[k]]) what = "which sites changed";
    }
    if (!pairs_is_seen[call][context]) {
      memset(pairs_seen[call][context], 0, sizeof pairs_seen[call][context]);
      pairs_is_seen[call][context] = 1;
    }
    pairs_seen[call][context][from][to]++;
  }
  if (audited && !what) what = f->audit(PAIRS_CHAIN);
  if (!what || fault->what) return;
  fault->what = what;
  fault->call = call;
}

/* Alternates two calls; after each of them comes the call `then`, unless that is PAIRS_CALLS. */
static void pairs_alternate(const pairs_family *f, uint32_t a, uint32_t b, uint32_t then, uint64_t seed) {
  static const uint8_t second[PAIRS_ORDER] = {0, 1, 1, 0, 0, 1, 0, 1};
  const int both = f->is_step(a) && f->is_step(b);
  uint32_t ends[PAIRS_STATES] = {0}, segment, k, call, context;
  pairs_fault fault = {NULL, 0};
  double worst = 1, p = 1, apart = 0;
  char text[240];
  lbp_rng rng;
  lbp_rng_init(&rng, seed, (uint64_t)a * PAIRS_CALLS + b);
  memset(pairs_is_seen, 0, sizeof pairs_is_seen);
  f->begin(PAIRS_CHAIN, pairs_any(&rng), 0);
  for (segment = 0; segment < PAIRS_SEGMENTS; segment++) {
    const int audited = segment < PAIRS_AUDITED;
    f->set(PAIRS_CHAIN, pairs_draw(f->context(PAIRS_CHAIN), &rng));
    for (k = 0; k < PAIRS_ORDER; k++) {
      pairs_step(f, second[k] ? b : a, audited, &rng, &fault);
      if (then < PAIRS_CALLS) pairs_step(f, then, audited, &rng, &fault);
      if (both) pairs_after[k][pairs_number(f, f->state(PAIRS_CHAIN))]++;
    }
    if (both) ends[pairs_number(f, f->state(PAIRS_CHAIN))]++;
  }
  for (call = 0; call < PAIRS_CALLS; call++) {
    for (context = 0; context < PAIRS_CONTEXTS; context++) {
      if (!pairs_is_seen[call][context]) continue;
      pairs_make(f, call, context);
      p = pairs_compare(pairs_seen[call][context], pairs_fresh[call][context]);
      if (!(p >= worst)) worst = p;
      p = pairs_compare_sites(f, pairs_seen[call][context], pairs_fresh[call][context]);
      if (!(p <= apart)) apart = p;
    }
  }
  p = both ? chi2_counts(ends, pairs_law[0], pairs_states, PAIRS_SEGMENTS) : 1;
  snprintf(text, sizeof text, "%s, %s and %s%s%s: steps p = %.2g, sites %.1f errors, states p = %.2g%s%s%s%s", f->name,
           f->call_name(a), f->call_name(b), then < PAIRS_CALLS ? ", then " : "",
           then < PAIRS_CALLS ? f->call_name(then) : "", worst, apart, p, fault.what ? "; wrong: " : "",
           fault.what ? fault.what : "", fault.what ? " after " : "", fault.what ? f->call_name(fault.call) : "");
  test_count(!fault.what && worst > CHI2_LEVEL && apart < PAIRS_ERRORS && p > CHI2_LEVEL, __FILE__, __LINE__, text);
}

/* Checks the states that all pairs of steps have led to. */
static void pairs_judge_after(const pairs_family *f) {
  uint32_t k, i;
  char text[160];
  for (k = 0; k < PAIRS_ORDER; k++) {
    double trials = 0, p;
    for (i = 0; i < pairs_states; i++) trials += pairs_after[k][i];
    p = chi2_counts(pairs_after[k], pairs_law[0], pairs_states, trials);
    snprintf(text, sizeof text, "%s: states after %u calls, of all pairs: p = %.2g", f->name, (unsigned)k + 1, p);
    test_count(p > CHI2_LEVEL, __FILE__, __LINE__, text);
  }
}

/* Tests one pair in `share` of a family, chosen by the seed, and each call with itself, so that each step is compared
 * with the law. */
static void pairs_run(const pairs_family *f, uint32_t share, uint64_t seed) {
  uint32_t a, b, then;
  lbp_rng rng;
  pairs_enumerate(f);
  lbp_rng_init(&rng, seed, UINT64_MAX);
  for (a = 0; a < f->calls; a++) {
    for (b = a; b < f->calls; b++) {
      const int changes = !f->is_step(f->call[a]) && !f->is_step(f->call[b]);
      const int chosen = lbp_mulhi(lbp_rng_u64(&rng), share) == 0 || a == b;
      do then = f->call[lbp_mulhi(lbp_rng_u64(&rng), f->calls)];
      while (!f->is_step(then));
      if (chosen) pairs_alternate(f, f->call[a], f->call[b], changes ? then : PAIRS_CALLS, seed);
    }
  }
  pairs_judge_after(f);
}

/* ---- random words ------------------------------------------------------------------------------------------------ */

enum { WORDS_MOST = 160 };

/* Takes `steps` steps of n independent sites, of so many values each, from their law: value 0 has the weight 1, each
 * other one e^field. As steps leave the law invariant, two sites agree with the same probability at every distance, and
 * all together as often as that says; unless a step uses a random word twice. Sites that a step takes in a random order
 * are at no fixed distance: the field is 0 for these, so that the sum over all pairs has little noise. */
static inline void pairs_judge_words(const char *what, uint32_t n, uint32_t values, double field, uint32_t steps,
                                     void (*step)(uint32_t kind, uint8_t *x, lbp_rng *rng), uint32_t kind) {
  static double agree[WORDS_MOST];
  const double p0 = 1 / (1 + (values - 1) * exp(field)), p = (1 - p0) / (values - 1);
  const double q = p0 * p0 + (values - 1) * p * p, all = 0.5 * n * (n - 1.0) * steps;
  double worst = 0, sum = 0, off;
  uint8_t x[WORDS_MOST];
  uint32_t t, i, j;
  char text[160];
  lbp_rng rng;
  memset(agree, 0, sizeof agree);
  lbp_rng_init(&rng, 31, kind + 100 * values);
  for (t = 0; t < steps; t++) {
    for (i = 0; i < n; i++) {
      const double u = lbp_u01(lbp_rng_u64(&rng)), above = (u - p0) / p;
      x[i] = (uint8_t)(u < p0 ? 0 : above < values - 1 ? 1 + (uint32_t)above : values - 1);
    }
    step(kind, x, &rng);
    for (i = 0; i < n; i++) {
      for (j = i + 1; j < n; j++) agree[j - i] += x[i] == x[j];
    }
  }
  for (i = 1; i < n; i++) {
    const double pairs = (double)steps * (n - i);
    worst = test_larger(worst, fabs(agree[i] - q * pairs) / sqrt(2 * pairs * q)); /* pairs have sites in common */
    sum += agree[i];
  }
  off = field == 0 ? fabs(sum - q * all) / sqrt(q * (1 - q) * all) : 0;
  snprintf(text, sizeof text, "%s: how often sites agree, off by %.1f errors at some distance, in all by %.1f", what,
           worst, off);
  test_count(worst < PAIRS_ERRORS && off < PAIRS_ERRORS, __FILE__, __LINE__, text);
}

#endif
