/* Categorical sites: the law of every sampler, by enumeration; every kind of model with every weight.
 *
 * A scripted generator drives steps through every value. Each path's acceptance is compared with the formula, by the
 * weights of chains made at its two ends, the way back in reversed order; these weights with what they are to be, since
 * wrong ones are exact too; and the sum over paths obeys detailed balance. Sweeps go by cumulative conditional laws, to
 * their last digits. The public steps, by a generator: chi-squared tests at level 1e-8, about 200, so that a false
 * alarm of the suite has probability 2e-6; seeds are fixed. */
#include "test.h"
#include "chi2.h"
#include "cat_toy.h"

#include "../lbp/base/numbers.h"

enum { CAT_ROOM = 8192 };

/* Samplers. */
enum {
  CAT_LBP,
  CAT_GWG,
  CAT_RWM,
  CAT_DLP,
  CAT_ALBP,
  CAT_AGWG,
  CAT_ARWM,
  CAT_ADLP,
  CAT_GIBBS,
  CAT_METROPOLIS,
  CAT_SAMPLERS
};

#define CAT_NAN (double)NAN

#ifdef API_QUICK
#define CAT_SHORT 1
#define CAT_TRIALS 100u
#else
#define CAT_SHORT 0
#ifndef CAT_TRIALS
#define CAT_TRIALS 3000u
#endif
#endif

static double cat_beta = 1;
static uint32_t cat_asked; /* LBP_DELTAS, so many times */
static uint32_t cat_looks; /* at a dense model's log-ratios */
static long cat_wrong;     /* of what is looked at on every path */

static void cat_count(int ok) { cat_wrong += !ok; }

/* ---- a generator that says what it is told ----------------------------------------------------------------------- */

typedef struct {
  const uint64_t *script;
  uint32_t left, beyond; /* words still to come, words asked for behind the last */
  lbp_rng real;          /* without a script */
} cat_rng;

static void cat_rng_script(cat_rng *rng, const uint64_t *script, uint32_t count) {
  rng->script = script;
  rng->left = count;
  rng->beyond = 0;
}

LBP_FN void cat_rng_init(cat_rng *rng, uint64_t seed, uint64_t stream) {
  cat_rng_script(rng, NULL, 0);
  lbp_rng_init(&rng->real, seed, stream);
}

static uint64_t cat_word(cat_rng *rng) {
  if (!rng->script) return lbp_rng_u64(&rng->real);
  if (rng->left == 0) return rng->beyond++, 0;
  rng->left--;
  return *rng->script++;
}

/* ---- weights of all moves, by state ------------------------------------------------------------------------------ */

static uint32_t cat_move[1 << 19], cat_total[CAT_STATES * CAT_SITES], cat_positive[CAT_STATES];
static uint64_t cat_sum[CAT_STATES];

static uint32_t *cat_moves(const cat_toy *t, uint32_t code, uint32_t i) {
  uint32_t j, row = 0, begin = 0;
  for (j = 0; j < t->n; j++) {
    if (j < i) begin += t->K[j];
    row += t->K[j];
  }
  return cat_move + code * row + begin;
}

/* What the weights of a site are to be that has a and log-ratios d[0 .. states), as whole numbers: `one` stands for
 * g = 1. */
static void cat_weights(int weight, const double *d, uint32_t states, uint32_t most, uint32_t a, uint32_t one,
                        double *out) {
  const double unit = 2147400000.0, each = unit / (most > 1 ? most - 1 : 1);
  double top = 0, rest = 0, power[256];
  uint32_t v;
  for (v = 0; v < states; v++) top = d[v] > top ? d[v] : top;
  for (v = 0; v < states; v++) {
    power[v] = d[v] > -1e300 ? exp(d[v] - top) : 0;
    rest += v == a ? 0 : power[v];
  }
  for (v = 0; v < most; v++) {
    const double p = v < states && v != a ? power[v] : 0, here = power[a], others = here + (rest - p);
    out[v] = 0;
    if (!(p > 0)) continue;
    if (weight == LBP_HEAT_BATH) out[v] = unit * p / (here + rest);
    else if (weight == LBP_METROPOLISED) out[v] = unit * p / (p > here ? rest : others);
    else if (weight == LBP_BARKER) out[v] = each * (p / (here + p));
    else if (weight == LBP_SQRT) out[v] = fmin(each, one * exp(d[v] / 2));
    else out[v] = one * exp(d[v] < 0 ? d[v] : 0);
  }
}

/* Whether a weight is that, and at least 1 if it is possible. */
static int cat_is_close(uint32_t w, double want) {
  if (!(want > 0)) return w == 0;
  if (want < 1e-34) return w <= 1; /* too small for a float */
  return w > 0 && fabs(w - want) <= 1 + 1e-5 * want;
}

/* A word for v, in proportion to whole weights: from the middle of the interval that stands for it. */
static uint64_t cat_aim(const uint32_t *w, uint32_t states, uint32_t v) {
  double below = 0, total = 0;
  uint32_t j;
  for (j = 0; j < states; j++) {
    below += j < v ? w[j] : 0;
    total += w[j];
  }
  return (uint64_t)((below + 0.5 * w[v]) / total * 18446744073709551616.0);
}

/* A word for v of so many that are equally likely. */
static uint64_t cat_middle(uint32_t v, uint32_t of) { return (uint64_t)((v + 0.5) / of * 18446744073709551616.0); }

/* The law of a site with a from its log-ratios, in their place; metropolised: another value v with probability
 * p_v / max(1 - p_a, 1 - p_v), else a. */
static void cat_conditional(double *law, uint32_t states, uint32_t a, int metropolised) {
  double top = 0, sum = 0, stay, rest = 0;
  uint32_t v;
  for (v = 0; v < states; v++) top = law[v] > top ? law[v] : top;
  for (v = 0; v < states; v++) {
    law[v] = law[v] > -1e300 ? exp(law[v] - top) : 0;
    sum += law[v];
    rest += v == a ? 0 : law[v];
  }
  stay = law[a];
  for (v = 0; v < states; v++) {
    if (!metropolised) law[v] /= sum;
    else if (v != a && law[v] > 0) law[v] /= law[v] > stay ? rest : stay + (rest - law[v]);
  }
  if (!metropolised) return;
  for (v = 0, law[a] = 1, rest = 0; v < states; v++) rest += v == a ? 0 : law[v];
  law[a] = rest < 1 ? 1 - rest : 0;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t draws, drawn[CAT_SITES];                        /* sites, as they were drawn */
  uint32_t distinct, site[CAT_SITES], value[CAT_SITES];    /* each once, and what becomes of it */
} cat_path;

/* Draws number `number` from x: returns the probability of its sites, 0 if there are no such draws. */
static double cat_sites(const cat_toy *t, uint32_t x, uint32_t number, uint32_t draws, int replace, cat_path *p) {
  double left = (double)cat_sum[x], q = 1;
  uint32_t k, j;
  memset(p, 0, sizeof *p);
  p->draws = draws;
  for (k = 0; k < draws; k++, number /= t->n) {
    const uint32_t i = number % t->n, w = cat_total[x * t->n + i];
    p->drawn[k] = i;
    for (j = 0; j < p->distinct && p->site[j] != i; j++) {
    }
    if (j < p->distinct && !replace) return 0;
    if (j == p->distinct) p->site[p->distinct++] = i;
    q *= w / left;
    if (w == 0) return 0;
    if (!replace) left -= w;
  }
  return q;
}

/* The first values for the sites of a path, and the next ones; of positive weight. Returns whether there are any. */
static int cat_first_values(const cat_toy *t, uint32_t x, cat_path *p) {
  uint32_t k;
  for (k = 0; k < p->distinct; k++) {
    const uint32_t i = p->site[k];
    for (p->value[k] = 0; p->value[k] < t->K[i] && cat_moves(t, x, i)[p->value[k]] == 0; p->value[k]++) {
    }
    if (p->value[k] == t->K[i]) return 0;
  }
  return 1;
}

static int cat_next_values(const cat_toy *t, uint32_t x, cat_path *p) {
  uint32_t k;
  for (k = 0; k < p->distinct; k++) {
    const uint32_t i = p->site[k], *w = cat_moves(t, x, i);
    uint32_t v = p->value[k] + 1;
    while (v < t->K[i] && w[v] == 0) v++;
    if (v < t->K[i]) return p->value[k] = v, 1;
    for (v = 0; w[v] == 0; v++) {
    }
    p->value[k] = v;
  }
  return 0;
}

/* Whether all states on a path are possible. */
LBP_FN int cat_passable(const cat_toy *t, uint32_t code, const cat_path *p) {
  uint32_t k;
  int possible = 1;
  for (k = 0; k < p->distinct; k++) {
    code = cat_moved(t, code, p->site[k], p->value[k]);
    possible &= t->logp[code] > -1e300;
  }
  return possible;
}

/* pi(x) P(x, y) = pi(y) P(y, x), in parts of the largest; `stuck`: all are 0. */
static void cat_balance(const cat_toy *t, const double *law, double (*P)[CAT_ALL], double tolerance, int stuck) {
  double worst = 0, largest = 0;
  uint32_t x, y;
  for (x = 0; x < t->states; x++) {
    for (y = 0; y < x; y++) {
      const double there = law[x] * P[x][y], back = law[y] * P[y][x];
      worst = fmax(worst, fabs(there - back));
      largest = fmax(largest, there);
    }
  }
  CHECK((largest > 0) == !stuck);
  CHECK_NEAR(worst / (largest > 0 ? largest : 1), 0, tolerance);
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

static uint32_t cat_sample(const double *law, uint32_t states, double u) {
  uint32_t code = 0;
  for (; u >= law[code] && code < states - 1; code++) u -= law[code];
  return code;
}

static void cat_chi2(const char *what, const uint32_t *seen, const double *law, uint32_t cells) {
  const double p = chi2_counts(seen, law, cells, CAT_TRIALS);
  if (!(p > CHI2_LEVEL)) printf("%s: p = %g\n", what, p);
  CHECK(p > CHI2_LEVEL);
}

static int cat_is_reversible(int sampler) { return sampler < CAT_GIBBS; }

/* (x, y) and (y, x) equally frequent. */
static void cat_symmetric(uint32_t (*seen)[CAT_ALL], const double *law, uint32_t states) {
  uint32_t pairs;
  CHECK(chi2_symmetric(seen[0], CAT_ALL, law, states, &pairs) > CHI2_LEVEL);
}

static const uint32_t cat_mixed[5] = {3, 2, 4, 1, 3};

LBP_FN const uint32_t *cat_same(uint32_t states) {
  static uint32_t K[CAT_SITES];
  uint32_t i;
  for (i = 0; i < CAT_SITES; i++) K[i] = states;
  return K;
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

#define ROW        local
#define ROW_KIND   CAT_LOCAL
#define ROW_NUMBER 0
#include "cases/cat_row.h"

#define ROW        fields
#define ROW_KIND   CAT_FIELDS
#define ROW_NUMBER 1
#include "cases/cat_row.h"

#define ROW        product
#define ROW_KIND   CAT_PRODUCT
#define ROW_NUMBER 2
#include "cases/cat_row.h"

#define ROW        dense
#define ROW_KIND   CAT_DENSE
#define ROW_NUMBER 3
#include "cases/cat_row.h"

#define ROW        kept
#define ROW_KIND   CAT_KEPT
#define ROW_NUMBER 4
#include "cases/cat_row.h"

#define ROW        of
#define ROW_KIND   CAT_OF
#define ROW_NUMBER 5
#include "cases/cat_row.h"

#define ROW        estimate
#define ROW_KIND   CAT_ESTIMATE
#define ROW_NUMBER 6
#include "cases/cat_row.h"

#define ROW        many
#define ROW_KIND   CAT_MANY
#define ROW_NUMBER 7
#include "cases/cat_row.h"

/* float, by the library's own generator */
#define CASE lf_own
#define CASE_REAL float
#define CASE_WEIGHT LBP_HEAT_BATH
#define CASE_KIND CAT_LOCAL
#define CASE_K 4
#define CASE_OWN_RNG
#define CASE_STEPS
#define CASE_ONE
#include "cases/cat_case.h"

/* many values */
#define CASE hd
#define CASE_REAL double
#define CASE_WEIGHT LBP_HEAT_BATH
#define CASE_KIND CAT_LOCAL
#define CASE_K 256
#include "cases/cat_case.h"

#define CASE hf
#define CASE_REAL float
#define CASE_WEIGHT LBP_METROPOLISED
#define CASE_KIND CAT_DENSE
#define CASE_K 256
#include "cases/cat_case.h"

#define CASE td
#define CASE_REAL double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND CAT_FIELDS
#define CASE_K 20
#include "cases/cat_case.h"

#define CASE tf
#define CASE_REAL float
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND CAT_ESTIMATE
#define CASE_K 20
#include "cases/cat_case.h"

/* ---- few values -------------------------------------------------------------------------------------------------- */

#define CASE one
#define CASE_REAL double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND CAT_LOCAL
#define CASE_K 1
#define CASE_SAME
#define CASE_STEPS
#include "cases/cat_case.h"

#define CASE two
#define CASE_REAL double
#define CASE_WEIGHT LBP_HEAT_BATH
#define CASE_KIND CAT_LOCAL
#define CASE_K 2
#define CASE_TEMPERED
#define CASE_BASED
#define CASE_SAME
#define CASE_STEPS
#define CASE_MOVES
#include "cases/cat_case.h"

/* The same two values, to lbp.h's own template. */
static double flip_delta(const cat_toy *t, const uint8_t *x, uint32_t i) {
  return cat_ratio(t, cat_code(t, x), i, 1u - x[i]);
}

#define LBP_NAME           flip
#define LBP_MODEL_T        cat_toy
#define LBP_DELTA          flip_delta
#define LBP_NEIGHBOURS     cat_neighbours
#define LBP_MAX_NEIGHBOURS CAT_SITES
#include "../lbp.h"

/* Nothing moves where there is one value. */
static void cat_test_one(void) {
  static one_bed bed;
  const cat_toy t = cat_make(4, cat_same(1), 0.75, CAT_SOFT, 0, 3);
  uint32_t sampler, R;
  cat_rng rng;
  cat_rng_init(&rng, 5, 5);
  one_start(&bed, &t, 0);
  for (sampler = 0; sampler < CAT_SAMPLERS; sampler++) {
    for (R = 0; R < 6; R++) {
      const one_info info = one_step(&bed.chain, &t, (int)sampler, R, &rng);
      CHECK(info.jump == 0 && info.proposed == 0 && cat_code(&t, bed.x) == 0);
    }
  }
}

/* Of two values the heat bath is t / (1 + t): the acceptance of every path is that of lbp.h. */
static void cat_test_two(void) {
  static two_bed bed;
  const cat_toy t = cat_make(4, cat_same(2), 0.75, CAT_SOFT, 0, 6);
  double off = 0;
  uint32_t x, R, number, paths, k;
  int replace;
  two_tabulate(&t);
  for (R = 1, paths = 4; R <= 3; R++, paths *= 4) {
    for (number = 0; number < 2 * paths * t.states; number++) {
      static flip_chain c;
      static uint64_t ws[LBP_WS_LEN(CAT_SITES)];
      flip_info info;
      uint8_t at[CAT_SITES];
      uint32_t fresh = 0, again = 0;
      cat_path p;
      replace = (int)(number % 2);
      x = number / 2 % t.states;
      if (!(cat_sites(&t, x, number / 2 / t.states, R, replace, &p) > 0)) continue;
      cat_first_values(&t, x, &p);
      for (k = 0; k < t.n; k++) at[k] = (uint8_t)cat_value(&t, x, k);
      CHECK(flip_init(&c, t.n, at, ws, LBP_WS_LEN(CAT_SITES)) == LBP_OK);
      flip_priv_prepare(&c, &t, 1);
      for (k = 0; k < R; k++) {
        const uint32_t i = p.drawn[k];
        uint32_t j = 0;
        while (p.site[j] != i) j++;
        if (j < fresh) c.again[again++] = j;
        if (j < fresh) continue;
        c.touched[fresh] = i;
        c.before[fresh] = c.weight[i];
        c.weight[i] = (replace ? fresh : c.weight[i]) | LBP_MARK;
        fresh++;
      }
      c.y.draws = R;
      c.y.flips = c.y.touched = fresh;
      c.y.removed = 0;
      c.y.word = UINT64_MAX;
      memset(&info, 0, sizeof info);
      info.proposed = fresh;
      flip_priv_move(&c, &t, 0);
      flip_priv_conclude(&c, &t, replace, &info);
      off = fmax(off, fabs(info.accept - two_go(&bed, &t, x, &p, replace, R, UINT64_MAX - 1)));
    }
  }
  CHECK_NEAR(off, 0, 1e-5);
}

/* 256 values, and two sites. */
static void cat_test_many_values(void) {
  static const uint32_t K[2] = {256, 3};
  static cat_toy t;
  const uint32_t step = CAT_SHORT ? 300 : 150; /* from these states */
  uint32_t R;
  t = cat_make(2, K, 0.75, CAT_SOFT, 0, 8);
  for (R = 1; R < 3; R++) {
    hd_paths(&t, R, 0, 5, step);
    hd_paths(&t, R, 1, 6, 2 * step);
    hf_paths(&t, R, 0, 7, step);
    hf_paths(&t, R, 1, 8, 2 * step);
  }
}

/* ---- many sites -------------------------------------------------------------------------------------------------- */

enum { CAT_LONG = 129, CAT_LONG_ROOM = 70000 };

/* A ring of n sites of up to K values; parameters are multiples of 1/8. */
typedef struct {
  uint32_t n, K, alone;
} cat_ring;

static cat_ring cat_ring_make(uint32_t n, uint32_t K, int alone) {
  cat_ring t;
  t.n = n;
  t.K = K;
  t.alone = (uint32_t)alone;
  return t;
}

static uint32_t cat_ring_states(const cat_ring *t, uint32_t i) { return i % 5 ? t->K : 1 + i * 7 % t->K; }

static double cat_ring_field(const cat_ring *t, uint32_t i, uint32_t v) {
  (void)t;
  return ((double)((i * 13 + v * 29 + i * v) % 32) - 16) / 16;
}

static double cat_ring_edge(const cat_ring *t, uint32_t v, uint32_t w) {
  return t->alone || t->n < 2 ? 0 : ((double)((v * 5 + w * 3) % 8) - 4) / 8;
}

static double cat_ring_logp(const cat_ring *t, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < t->n; i++) sum += cat_ring_field(t, i, x[i]) + cat_ring_edge(t, x[i], x[(i + 1) % t->n]);
  return sum;
}

/* log pi at v, of what depends on site i. */
static double cat_ring_part(const cat_ring *t, const uint8_t *x, uint32_t i, uint32_t v) {
  return cat_ring_field(t, i, v) + cat_ring_edge(t, v, x[(i + 1) % t->n]) +
         cat_ring_edge(t, x[(i + t->n - 1) % t->n], v);
}

static double cat_ring_ratio(const cat_ring *t, const uint8_t *x, uint32_t i, uint32_t v) {
  return cat_ring_part(t, x, i, v) - cat_ring_part(t, x, i, x[i]);
}

static uint32_t cat_ring_neighbours(const cat_ring *t, uint32_t i, uint32_t *out) {
  if (t->n < 2) return 0;
  out[0] = (i + 1) % t->n;
  out[1] = (i + t->n - 1) % t->n;
  return 2;
}

/* Of independent sites. */
static void cat_ring_law(const cat_ring *t, uint32_t i, double *law) {
  double sum = 0;
  uint32_t v;
  for (v = 0; v < cat_ring_states(t, i); v++) sum += law[v] = exp(cat_ring_field(t, i, v));
  for (v = 0; v < cat_ring_states(t, i); v++) law[v] /= sum;
}

#define CASE long3
#define CASE_REAL double
#define CASE_WEIGHT LBP_SQRT
#define CASE_KIND CAT_LOCAL
#define CASE_K 3
#define CASE_SORT_ABOVE 0
#include "cases/cat_long_case.h"

#define CASE long20
#define CASE_REAL float
#define CASE_WEIGHT LBP_HEAT_BATH
#define CASE_KIND CAT_LOCAL
#define CASE_K 20
#include "cases/cat_long_case.h"

#define CASE long256
#define CASE_REAL double
#define CASE_WEIGHT LBP_METROPOLISED
#define CASE_KIND CAT_DENSE
#define CASE_K 256
#include "cases/cat_long_case.h"

#define CASE guess20
#define CASE_REAL double
#define CASE_WEIGHT LBP_BARKER
#define CASE_KIND CAT_ESTIMATE
#define CASE_K 20
#define CASE_SORT_ABOVE LBP_NEVER
#include "cases/cat_long_case.h"

#define CASE free20
#define CASE_REAL double
#define CASE_WEIGHT LBP_HEAT_BATH
#define CASE_KIND CAT_PRODUCT
#define CASE_K 20
#include "cases/cat_long_case.h"

#define CASE free3
#define CASE_REAL float
#define CASE_WEIGHT LBP_METROPOLISED
#define CASE_KIND CAT_PRODUCT
#define CASE_K 3
#define CASE_SORT_ABOVE 0
#include "cases/cat_long_case.h"

static void cat_test_long(void) {
  static const uint32_t n[7] = {65, 129, 1, 2, 63, 64, 127};
  const uint32_t steps = CAT_SHORT ? 16 : 32;
  uint32_t k;
  for (k = 0; k < (CAT_SHORT ? 2 : 7); k++) {
    long3_test(n[k], 2 * steps);
    long20_test(n[k], steps);
    if (!CAT_SHORT || k == 0) long256_test(n[k], steps / 4);
    guess20_test(n[k], steps);
    free20_test(n[k], steps);
    free3_test(n[k], 2 * steps);
  }
  free20_marginals(129, CAT_SHORT ? 200 : 1000);
  free3_marginals(127, CAT_SHORT ? 200 : 1000);
}

/* ---- models that lie, and wrong calls ---------------------------------------------------------------------------- */

enum {
  CAT_SICK_SOUND,
  CAT_SICK_STATE,     /* a value that its site has not */
  CAT_SICK_NONE,      /* a site of no value */
  CAT_SICK_MORE,      /* or of more than there are */
  CAT_SICK_NAN,       /* no number */
  CAT_SICK_CURRENT,   /* the value that a site has is not at 0 */
  CAT_SICK_NEIGHBOUR, /* one is missing */
  CAT_SICK_SIGN,      /* a term is not taken back */
  CAT_SICK_ONE,       /* LBP_CAT_DELTA is another than LBP_CAT_DELTAS_OF */
  CAT_SICK_LOGP,      /* log pi lacks what log-ratios have */
  CAT_SICK_CHANGE,    /* fields are not brought up to date */
  CAT_SICK_WEIGHT,    /* a weight that is not balanced */
  CAT_SICK_DENSE,     /* LBP_DELTAS are other than LBP_CAT_DELTAS_OF */
  CAT_SICK_ALL
};

typedef struct {
  cat_toy t;
  int lie;
} cat_sick;

static double cat_sick_power;

static uint32_t cat_sick_states(const cat_sick *m, uint32_t i) {
  return i == 2 && m->lie == CAT_SICK_NONE ? 0 : i == 2 && m->lie == CAT_SICK_MORE ? 5 : m->t.K[i];
}

static void cat_sick_of(const cat_sick *m, uint32_t code, const uint8_t *x, uint32_t i, double *out) {
  uint32_t v;
  for (v = 0; v < m->t.K[i]; v++) {
    out[v] = cat_ratio(&m->t, code < m->t.states ? code : 0, i, v);
    if (i != 2 || (v == x[i] && m->lie != CAT_SICK_CURRENT)) continue;
    if (m->lie == CAT_SICK_NAN && v == 1) out[v] = CAT_NAN;
    if (m->lie == CAT_SICK_CURRENT && v == x[i]) out[v] = 0.5;
    if (m->lie == CAT_SICK_SIGN || (m->lie == CAT_SICK_ONE && v == 3)) out[v] += 0.25;
  }
}

LBP_FN double cat_sick_one(const cat_sick *m, uint32_t code, const uint8_t *x, uint32_t i, uint32_t v) {
  double out[4];
  if (m->lie == CAT_SICK_ONE) return cat_ratio(&m->t, code < m->t.states ? code : 0, i, v);
  cat_sick_of(m, code, x, i, out);
  return out[v];
}

LBP_FN double cat_sick_logp(const cat_sick *m, uint32_t code, const uint8_t *x) {
  return m->t.logp[code < m->t.states ? code : 0] + (m->lie == CAT_SICK_LOGP && x[2] == 1 ? 0.5 : 0);
}

LBP_FN void cat_sick_change(const cat_sick *m, cat_fields *f, const uint8_t *x, uint32_t i, uint32_t old) {
  if (m->lie == CAT_SICK_CHANGE && i == 2 && old == 3) return;
  f->code += (x[i] - old) * m->t.stride[i];
}

LBP_FN void cat_sick_dense(const cat_sick *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->t.n; i++) cat_sick_of(m, cat_code(&m->t, x), x, i, out + 4 * i);
  if (m->lie == CAT_SICK_DENSE && x[2] != 3) out[4 * 2 + 3] += 0.25;
}

static uint32_t cat_sick_neighbours(const cat_sick *m, uint32_t i, uint32_t *out) {
  uint32_t j, count = 0;
  for (j = 0; j < m->t.n; j++) {
    if (j != i && !(m->lie == CAT_SICK_NEIGHBOUR && i + j == 3 && i > 0 && j > 0)) out[count++] = j;
  }
  return count;
}

#define CASE sick_all
#define CASE_KIND CAT_FIELDS
#include "cases/cat_sick_case.h"
#define CASE sick_plain
#define CASE_KIND CAT_LOCAL
#include "cases/cat_sick_case.h"
#define CASE sick_dense
#define CASE_KIND CAT_DENSE
#include "cases/cat_sick_case.h"

#undef LBP_CHECKED
#define LBP_CHECKED 1
#define CASE checked_all
#define CASE_KIND CAT_FIELDS
#include "cases/cat_sick_case.h"
#define CASE checked_plain
#define CASE_KIND CAT_LOCAL
#include "cases/cat_sick_case.h"
#define CASE checked_dense
#define CASE_KIND CAT_DENSE
#include "cases/cat_sick_case.h"
#undef LBP_CHECKED
#define LBP_CHECKED 0

/* What each lie is called by the check, and by steps of a checked build; -1: this form does not tell it. */
static void cat_test_lies(void) {
  static const int want[CAT_SICK_ALL][6] = {
    {LBP_OK, LBP_OK, LBP_OK, LBP_OK, LBP_OK, LBP_OK},
    {LBP_E_STATE, LBP_E_STATE, LBP_E_STATE, LBP_E_STATE, LBP_E_STATE, LBP_E_STATE},
    {LBP_E_STATES, LBP_E_STATES, LBP_E_STATES, LBP_E_STATES, LBP_E_STATES, LBP_E_STATES},
    {LBP_E_STATES, LBP_E_STATES, LBP_E_STATES, LBP_E_STATES, LBP_E_STATES, LBP_E_STATES},
    {LBP_E_DELTA_NAN, LBP_E_DELTA_NAN, LBP_E_DELTA_NAN, LBP_E_DELTA_NAN, LBP_E_DELTA_NAN, LBP_E_DELTA_NAN},
    {LBP_E_CURRENT, LBP_E_CURRENT, LBP_E_CURRENT, LBP_E_CURRENT, LBP_E_CURRENT, LBP_E_CURRENT},
    {LBP_E_NEIGHBOUR_MISSING, LBP_E_NEIGHBOUR_MISSING, -1, LBP_E_STALE, LBP_E_STALE, -1},
    {LBP_E_LOGP, LBP_E_ANTISYMMETRY, LBP_E_ANTISYMMETRY, LBP_E_LOGP, LBP_E_ANTISYMMETRY, LBP_E_ANTISYMMETRY},
    {LBP_E_ROW, -1, -1, LBP_E_ROW, -1, -1},
    {LBP_E_LOGP, -1, -1, LBP_E_LOGP, -1, -1},
    {LBP_E_FIELDS, -1, -1, LBP_E_CURRENT, -1, -1}, /* fields of another state */
    {LBP_E_BALANCE, -1, -1, LBP_E_BALANCE, -1, -1},
    {-1, -1, LBP_E_DELTAS, -1, -1, LBP_E_DELTAS}};
  static cat_sick m;
  uint64_t hash[6] = {0, 0, 0, 0, 0, 0};
  m.t = cat_make(5, cat_mixed, 0.75, CAT_SOFT, 0, 64);
  for (m.lie = 0; m.lie < CAT_SICK_ALL; m.lie++) {
    const int *w = want[m.lie];
    if (w[0] >= 0) CHECK(sick_all_look(&m) == w[0] && checked_all_look(&m) == w[0]);
    if (w[1] >= 0) CHECK(sick_plain_look(&m) == w[1] && checked_plain_look(&m) == w[1]);
    if (w[2] >= 0) CHECK(sick_dense_look(&m) == w[2] && checked_dense_look(&m) == w[2]);
    if (w[3] >= 0) CHECK(checked_all_run(&m, &hash[3]) == w[3]);
    if (w[4] >= 0) CHECK(checked_plain_run(&m, &hash[4]) == w[4]);
    if (w[5] >= 0) CHECK(checked_dense_run(&m, &hash[5]) == w[5]);
    if (m.lie > CAT_SICK_SOUND) continue;
    CHECK(sick_all_run(&m, &hash[0]) == LBP_OK);
    CHECK(sick_plain_run(&m, &hash[1]) == LBP_OK);
    CHECK(sick_dense_run(&m, &hash[2]) == LBP_OK);
    CHECK_ALIKE(hash[0] == hash[3] && hash[1] == hash[4] && hash[2] == hash[5]); /* checked builds draw the same */
    CHECK(sick_plain_sigma(&m, 0) == LBP_OK && sick_plain_sigma(&m, CAT_NAN) == LBP_OK);
    CHECK(checked_all_sigma(&m, 0) == LBP_E_RANGE && checked_dense_sigma(&m, -1) == LBP_E_RANGE);
    CHECK(checked_plain_sigma(&m, CAT_NAN) == LBP_E_RANGE);
  }
}

/* What init says to wrong calls, and the tuner. */
static void cat_test_calls(void) {
  static sick_plain_bed bed;
  static sick_all_bed fields;
  const size_t length = sick_plain_ws_len(5);
  lbp_scale_tuner tuner;
  uint32_t k;
  double mean = 0, where = log(2);
  memset(bed.x, 0, sizeof bed.x);
  CHECK(sick_plain_init(NULL, 5, bed.x, bed.ws, length) == LBP_E_NULL);
  CHECK(sick_plain_init(&bed.chain, 5, NULL, bed.ws, length) == LBP_E_NULL);
  CHECK(sick_plain_init(&bed.chain, 5, bed.x, NULL, length) == LBP_E_NULL);
  CHECK(sick_plain_init(&bed.chain, 0, bed.x, bed.ws, length) == LBP_E_SIZE);
  CHECK(sick_plain_init(&bed.chain, 0x7fffffffu / 4 + 1, bed.x, bed.ws, SIZE_MAX) == LBP_E_SIZE);
  CHECK(sick_plain_init(&bed.chain, 5, bed.x, bed.ws, length - 1) == LBP_E_WORKSPACE);
  CHECK(sick_plain_init(&bed.chain, 5, bed.x, bed.ws, length) == LBP_OK);
  CHECK(sick_all_init(&fields.chain, 5, bed.x, NULL, bed.ws, length) == LBP_E_NULL);
  bed.x[4] = 4;
  CHECK(sick_plain_init(&bed.chain, 5, bed.x, bed.ws, length) == LBP_E_STATE);
  CHECK(lbp_scale_tuner_init(NULL, 1, 10, 0.5) == LBP_E_NULL);
  CHECK(lbp_scale_tuner_init(&tuner, 0, 10, 0.5) == LBP_E_RANGE);
  CHECK(lbp_scale_tuner_init(&tuner, CAT_INFINITY, 10, 0.5) == LBP_E_RANGE);
  CHECK(lbp_scale_tuner_init(&tuner, 1, 10, 1) == LBP_E_RANGE);
  CHECK(lbp_scale_tuner_init(&tuner, 1, 10, CAT_NAN) == LBP_E_RANGE);
  CHECK(lbp_scale_tuner_init(&tuner, 2, 10, 0.5) == LBP_OK && tuner.sigma == 2);
  for (k = 0; k < 10; k++) { /* by 0.1 (accept - target); in the end the mean over the second half */
    lbp_scale_tuner_update(&tuner, CAT_NAN);
    lbp_scale_tuner_update(&tuner, 1);
    where += 0.05;
    if (k >= 5) mean += where / 5;
    CHECK_NEAR(log(tuner.sigma), k < 9 ? where : mean, 1e-9);
  }
  lbp_scale_tuner_update(&tuner, 0);
  CHECK_NEAR(log(tuner.sigma), mean, 1e-9);
}

/* ---- no way in, and a way out of what is impossible -------------------------------------------------------------- */

/* Site 0 has one possible value, 0; site 1 begins with one that is not. */
static void edge_of(const void *m, const uint8_t *x, uint32_t i, double *out) {
  uint32_t v;
  (void)m;
  for (v = 0; v < 3; v++) out[v] = v == x[i] ? 0 : i == 0 || v == 0 ? -CAT_INFINITY : x[i] > 0 ? 0 : 1e300;
  if (i == 1 && x[1] == 0) out[1] = CAT_INFINITY;
}
static uint32_t edge_none(const void *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }
static uint32_t edge_asked; /* for the weight of what is no finite number, as a float */
static double edge_log_weight(double d) { return edge_asked += d > 1e38 || d < -1e38, d / 2; }

#define LBP_NAME           edge
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  edge_of
#define LBP_NEIGHBOURS     edge_none
#define LBP_MAX_NEIGHBOURS 0
#define LBP_WEIGHT         LBP_CUSTOM
#define LBP_LOG_WEIGHT     edge_log_weight
#include "../lbp.h"

#define LBP_NAME           sole
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  edge_of
#define LBP_NEIGHBOURS     edge_none
#define LBP_MAX_NEIGHBOURS 0
#define LBP_WEIGHT         LBP_METROPOLISED
#include "../lbp.h"

/* A weight function of one's own is asked for finite numbers alone; what leads out of an impossible state has the
 * largest weight. The weight of the value that a site has is a whole number, if all others are impossible, too. */
static void cat_test_edges(void) {
  static uint64_t ws[64];
  const float unit = LBP_CAT_UNIT; /* a float, where constants have more digits, too */
  const uint32_t most = (uint32_t)(int32_t)unit;
  uint8_t x[2] = {0, 0};
  static edge_chain c;
  static sole_chain d;
  lbp_rng rng;
  lbp_rng_init(&rng, 3, 9);
  CHECK(edge_init(&c, 2, x, ws, sizeof ws / 8) == LBP_OK && edge_lbp_step(&c, NULL, 0, &rng).proposed == 0);
  CHECK(edge_asked == 0 && c.weight[0] == 0 && c.weight[1] == most / 2 * 2);
  CHECK(edge_lbp_step(&c, NULL, 1, &rng).accept == 1 && x[0] == 0 && x[1] > 0 && edge_asked == 0);
  CHECK(sole_init(&d, 2, x, ws, sizeof ws / 8) == LBP_OK && sole_lbp_step(&d, NULL, 2, &rng).proposed == 1);
  CHECK(d.weight[0] == 0 && x[0] == 0 && x[1] > 0);
  CHECK(sole_priv_weigh_value(1, 1, 0, 1, 0) == most && sole_priv_weigh_value(1, 1, 1e-30f, 1, 0) == most);
  CHECK(sole_priv_weigh_value(0, 1, 0, 1, 0) == 0 && sole_priv_weigh_value(1, 2, 1, 1, 0) == most);
}

/* Three sites of which one must be 0, no more and no less: where two or none are, two or three sites can mend that,
 * each by itself, and not together. */
static double lone_logp(const void *m, const uint8_t *x) {
  return (void)m, (x[0] == 0) + (x[1] == 0) + (x[2] == 0) == 1 ? 0.1 * (x[0] + x[1] + x[2]) : -CAT_INFINITY;
}
static void lone_of(const void *m, const uint8_t *x, uint32_t i, double *out) {
  const double here = lone_logp(m, x);
  uint8_t y[3];
  uint32_t v;
  for (v = 0; v < 3; v++) {
    memcpy(y, x, 3);
    y[i] = (uint8_t)v;
    out[v] = lone_logp(m, y);
    if (v == x[i]) out[v] = 0;
    else if (lbp_is_finite(out[v])) out[v] = lbp_is_finite(here) ? out[v] - here : CAT_INFINITY;
  }
}
static void lone_all(const void *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < 3; i++) lone_of(m, x, i, out + 3 * i);
}
static uint32_t lone_others(const void *m, uint32_t i, uint32_t *out) {
  return (void)m, out[0] = (i + 1) % 3, out[1] = (i + 2) % 3, 2;
}

#define LBP_NAME           lone
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  lone_of
#define LBP_NEIGHBOURS     lone_others
#define LBP_MAX_NEIGHBOURS 2
#include "../lbp.h"

#define LBP_NAME       lones
#define LBP_CAT_STATES 3
#define LBP_DELTAS     lone_all
#define LBP_LOGP       lone_logp
#include "../lbp.h"

/* Discrete Langevin steps leave all impossible states but (0, 0, 0), from which no single change leads out, and from
 * then on sample the law given which site is 0, as no single change makes that another one. One chi-squared test for
 * each instance, at CHI2_LEVEL, of states 5 steps apart. */
static void cat_test_leaving(void) {
  enum { APART = CAT_SHORT ? 1 : 5, DRAWS = CAT_SHORT ? 30 : 6000 };
  static uint64_t ws[200];
  static lone_chain c;
  static lones_chain d;
  uint32_t start, dense, t, k;
  lbp_rng rng;
  lbp_rng_init(&rng, 3, 12);
  for (dense = 0; dense < 2; dense++) {
    uint32_t seen[27] = {0};
    double law[27], sum = 0;
    uint8_t x[3];
    for (start = 1; start < 27; start++) {
      double gain;
      x[0] = (uint8_t)(start % 3), x[1] = (uint8_t)(start / 3 % 3), x[2] = (uint8_t)(start / 9);
      law[start] = exp(lone_logp(NULL, x));
      if (law[start] > 0) continue;
      CHECK((dense ? lones_init(&d, 3, x, ws, 200) : lone_init(&c, 3, x, ws, 200)) == LBP_OK);
      for (t = 0, gain = 0; t < 300 && lone_logp(NULL, x) < -1e300; t++) {
        uint8_t was[3];
        uint32_t moved = 0, jump, proposed;
        memcpy(was, x, 3);
        if (dense) {
          const lones_info info = lones_dlp_step(&d, NULL, 0.5, &rng);
          gain = info.log_ratio, jump = info.jump, proposed = info.proposed;
        } else {
          const lone_info info = lone_dlp_step(&c, NULL, 0.5, &rng);
          gain = info.log_ratio, jump = info.jump, proposed = info.proposed;
        }
        for (k = 0; k < 3; k++) moved += x[k] != was[k];
        CHECK(jump == moved && (jump == 0 || jump == proposed));
      }
      CHECK(t < 300 && gain > 1e300);
    }
    law[0] = 0;
    for (k = 0; k < 27; k++) {
      const uint32_t zero = x[0] == 0 ? k % 3 : x[1] == 0 ? k / 3 % 3 : k / 9;
      law[k] = zero == 0 ? law[k] : 0;
      sum += law[k];
    }
    for (k = 0; k < 27; k++) law[k] /= sum;
    for (t = 0; t < DRAWS * APART; t++) {
      if (dense) lones_dlp_step(&d, NULL, 2, &rng), lones_gibbs_sweep(&d, NULL, &rng);
      else lone_dlp_step(&c, NULL, 2, &rng), lone_gibbs_sweep(&c, NULL, &rng);
      if (t % APART == 0) seen[x[0] + 3 * x[1] + 9 * x[2]]++;
    }
    CHECK(CAT_SHORT || chi2_counts(seen, law, 27, DRAWS) > CHI2_LEVEL);
  }
}

int main(void) {
  local_test();
  fields_test();
  product_test();
  dense_test();
  kept_test();
  of_test();
  estimate_test();
  many_test();
  lf_own_test_steps();
  hd_far_weights(CAT_SHORT ? 5 : 25), hd_picks(CAT_SHORT ? 3 : 10);
  hf_far_weights(CAT_SHORT ? 5 : 25), hf_picks(CAT_SHORT ? 3 : 10);
  td_far_weights(CAT_SHORT ? 40 : 200), td_picks(CAT_SHORT ? 10 : 40);
  tf_far_weights(CAT_SHORT ? 40 : 200), tf_picks(CAT_SHORT ? 10 : 40);
  cat_test_one();
  two_test(1);
  cat_test_two();
  cat_test_many_values();
  cat_test_long();
  cat_test_lies();
  cat_test_calls();
  cat_test_edges();
  cat_test_leaving();
  return test_report();
}
