/* Template: the tests of test_tails.c for one instance of lbp.h. Parameters: CASE (a prefix), CASE_REAL, CASE_WEIGHT,
 * CASE_SORT_ABOVE, CASE_NEIGHBOURS (2; 0: independent sites; -1: dense, by LBP_LOGP). Generates CASE_test(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#if CASE_WEIGHT != LBP_BARKER && CASE_WEIGHT != LBP_SQRT
#error "tails_case.h: the law of this weight function is not written down here"
#endif

#define LBP_NAME       CASE
#define LBP_MODEL_T    ring
#define LBP_REAL       CASE_REAL
#define LBP_WEIGHT     CASE_WEIGHT
#define LBP_SORT_ABOVE CASE_SORT_ABOVE
#define LBP_RNG_T      tape
#define LBP_RNG_U64    tape_next
#if CASE_NEIGHBOURS < 0
static CASE_REAL CASE_ID(_model_logp)(const ring *m, const uint8_t *x) { return (CASE_REAL)ring_logp(m, x); }
static void CASE_ID(_model_deltas)(const ring *m, const uint8_t *x, CASE_REAL *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = (CASE_REAL)ring_delta(m, x, i);
}
#define LBP_DELTAS CASE_ID(_model_deltas)
#define LBP_LOGP   CASE_ID(_model_logp)
#else
static CASE_REAL CASE_ID(_model_delta)(const ring *m, const uint8_t *x, uint32_t i) {
  return (CASE_REAL)ring_delta(m, x, i);
}
#define LBP_DELTA          CASE_ID(_model_delta)
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS CASE_NEIGHBOURS
#endif
#include "../../lbp.h"

#define REAL CASE_REAL
#define INFO CASE_ID(_info)

/* log pi is a sum of so many numbers of some size. */
static double CASE_ID(_slack)(const ring *m) {
  if (sizeof(REAL) == sizeof(double)) return 1e-9;
  return CASE_NEIGHBOURS < 0 ? 2e-6 * (1 + m->n) : 1e-4;
}

typedef struct {
  CASE_ID(_chain) c;
  uint8_t x[MOST];
  uint64_t ws[LBP_WS_LEN_DENSE(MOST)];
  tape words;
} CASE_ID(_run);

static void CASE_ID(_start)(CASE_ID(_run) *r, const ring *m, const uint8_t *x) {
  memcpy(r->x, x, m->n);
  if (CASE_ID(_init)(&r->c, m->n, r->x, r->ws, CASE_ID(_ws_len)(m->n)) != LBP_OK) CHECK(0);
  r->words.used = 0;
}

static INFO CASE_ID(_step)(CASE_ID(_run) *r, const ring *m, step_kind kind, uint32_t R) {
  if (kind == STEP_RWM) return CASE_ID(_rwm_step)(&r->c, m, R, &r->words);
  return kind == STEP_GWG ? CASE_ID(_gwg_step)(&r->c, m, R, &r->words) : CASE_ID(_lbp_step)(&r->c, m, R, &r->words);
}

/* The log-probability of drawing these sites at x, in this order, or from the last to the first. */
static double CASE_ID(_log_draws)(const ring *m, const uint8_t *x, const uint32_t *sites, uint32_t draws, int replace,
                                  int backwards) {
  static CASE_ID(_run) at;
  double sum = 0, left;
  uint32_t k;
  CASE_ID(_start)(&at, m, x);
  CASE_ID(_priv_prepare)(&at.c, m, 1);
  left = (double)at.c.urn.sums.total;
  for (k = 0; k < draws; k++) {
    const double w = at.c.weight[sites[backwards ? draws - 1 - k : k]];
    sum += log(w / left);
    if (!replace) left -= w;
  }
  return sum;
}

/* log of the ratio of the step that was just taken from x, to y: (5) of the paper, which lbp.h cites. */
static double CASE_ID(_want)(const CASE_ID(_run) *r, const ring *m, step_kind kind, const uint8_t *x, const INFO *info,
                             uint32_t R) {
  const uint32_t draws = kind == STEP_GWG ? R : info->proposed;
  uint32_t sites[MOST], k;
  uint8_t y[MOST];
  double want;
  memcpy(y, x, m->n);
  for (k = 0; k < info->proposed; k++) y[info->sites[k]] ^= 1u;
  for (k = 0; k < draws; k++) sites[k] = info->sites[k < info->proposed ? k : r->c.again[k - info->proposed]];
  want = ring_logp(m, y) - ring_logp(m, x);
  if (kind == STEP_RWM) return want;
  want += CASE_ID(_log_draws)(m, y, sites, draws, kind == STEP_GWG, 1);
  return want - CASE_ID(_log_draws)(m, x, sites, draws, kind == STEP_GWG, 0);
}

/* The acceptance of moves as they come, and of each the word at which it starts being refused. */
static void CASE_ID(_moves)(const ring *m, step_kind kind, uint32_t R, uint32_t times, verdict *f) {
  static CASE_ID(_run) r, again;
  uint8_t x[MOST];
  lbp_rng rng;
  uint32_t t, i, k;
  lbp_rng_init(&rng, 31 + m->n, R);
  for (t = 0; t < times; t++) {
    INFO info;
    for (i = 0; t % 5 == 0 && i < m->n; i++) r.x[i] = (uint8_t)(lbp_rng_u64(&rng) >> 63); /* else from where it was */
    memcpy(x, r.x, m->n);
    tape_record(&r.words, &rng);
    CASE_ID(_start)(&r, m, x);
    info = CASE_ID(_step)(&r, m, kind, R);
    if (info.proposed == 0) continue;
    tape_copy(&again.words, &r.words);
    if (verdict_accept(f, CASE_ID(_want)(&r, m, kind, x, &info, R), (double)info.accept, CASE_ID(_slack)(m))) {
      for (k = 0; k < 2; k++) {
        again.words.word[r.words.used - 1] = verdict_word(f, k, (uint32_t)r.words.word[r.words.used - 1]);
        CASE_ID(_start)(&again, m, x);
        verdict_trial(f, k, CASE_ID(_step)(&again, m, kind, R).accepted);
        CHECK(again.words.used == r.words.used);
      }
    }
  }
}

/* Whether the sweep from x flips site i if this is its word. */
static int CASE_ID(_flips)(CASE_ID(_run) *r, const ring *m, const uint8_t *x, uint32_t i, uint64_t word) {
  const uint64_t old = r->words.word[i];
  r->words.word[i] = word;
  CASE_ID(_start)(r, m, x);
  CASE_ID(_gibbs_sweep)(&r->c, m, &r->words);
  r->words.word[i] = old;
  return r->x[i] != x[i];
}

/* A site's conditional probability is the part of its word's values that flip it: those below some value. */
static void CASE_ID(_gibbs)(const ring *m, uint64_t seed, verdict *f) {
  static CASE_ID(_run) r;
  const double slack = CASE_NEIGHBOURS < 0 ? CASE_ID(_slack)(m) : sizeof(REAL) == sizeof(float) ? 1e-5 : 1e-9;
  uint8_t x[MOST], y[MOST];
  uint32_t i;
  int bit;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, m->n);
  for (i = 0; i < m->n; i++) x[i] = (uint8_t)(lbp_rng_u64(&rng) >> 63);
  tape_record(&r.words, &rng);
  CASE_ID(_start)(&r, m, x);
  CASE_ID(_gibbs_sweep)(&r.c, m, &r.words);
  memcpy(y, r.x, m->n);
  for (i = 0; i < m->n; i++) {
    uint64_t below = 0;
    double delta;
    uint8_t now[MOST];
    memcpy(now, x, m->n);
    memcpy(now, y, i); /* sites before it are as the sweep leaves them */
    delta = ring_delta(m, now, i);
    for (bit = 63; bit >= 0; bit--) {
      const uint64_t more = below + ((uint64_t)1 << bit);
      if (CASE_ID(_flips)(&r, m, x, i, more - 1)) below = more;
    }
    verdict_part(f, (double)below, delta - log1p(exp(delta)), slack);
    verdict_part(f, (double)(0 - below), -log1p(exp(delta)), slack);
  }
}

/* Sites that are hardly ever drawn are drawn as often as they should be. */
static void CASE_ID(_rare_sites)(void) {
  enum { DRAWS = QUICK ? 40000 : 400000, SITES = 5 };
  static const double h[SITES] = {0, 0.4, -3, -4, -0.2}; /* log-ratios are twice that */
  static CASE_ID(_run) r;
  uint32_t seen[SITES] = {0}, t, i;
  double law[SITES];
  uint8_t x[SITES] = {0};
  ring m = make_ring(SITES, 0, 0, 1);
  lbp_rng rng;
  lbp_rng_init(&rng, 3, 5);
  memcpy(m.h, h, sizeof h);
  CASE_ID(_start)(&r, &m, x);
  CASE_ID(_priv_prepare)(&r.c, &m, 1);
  for (i = 0; i < SITES; i++) law[i] = (double)r.c.weight[i] / (double)r.c.urn.sums.total;
  for (i = 0; i < SITES; i++) { /* which are those of the weight function */
    const double t_i = exp(2 * h[i]), t_0 = 1;
    const double want = CASE_WEIGHT == LBP_SQRT ? sqrt(t_i / t_0) : 2 * t_i / (1 + t_i);
    CHECK_NEAR(law[i] / law[0], want, 3e-5 * want);
  }
  for (t = 0; t < DRAWS; t++) {
    tape_record(&r.words, &rng);
    CASE_ID(_priv_draw)(&r.c, 1, (int)(t & 1), &r.words);
    seen[r.c.touched[0]]++;
    r.c.weight[r.c.touched[0]] = r.c.before[0];
  }
  CHECK(chi2_counts(seen, law, SITES, DRAWS) > CHI2_LEVEL);
}

/* R_t as the comments say, and its mean. */
static void CASE_ID(_tuner_mean)(void) {
  static const uint32_t warmups[] = {1, 2, 3, 4, 7, 100, 101};
  uint32_t k, t;
  lbp_rng rng;
  lbp_rng_init(&rng, 6, 6);
  for (k = 0; k < 7; k++) {
    const uint32_t warmup = warmups[k];
    double r = 1, mean = 0, spread = 0;
    CASE_ID(_tuner) tuner;
    CHECK(CASE_ID(_tuner_init)(&tuner, 1000, warmup, (REAL)LBP_TARGET_LBP) == LBP_OK);
    for (t = 1; t <= warmup + 5; t++) {
      const double accept = t <= warmup / 3 ? 1 : lbp_u01(lbp_rng_u64(&rng)), gain = fmax(1, r / 32);
      CASE_ID(_tuner_update)(&tuner, (REAL)accept);
      if (t > warmup) continue;
      r = fmin(1000, fmax(1, r + gain * (accept - (double)LBP_TARGET_LBP)));
      if (t > warmup / 2) mean += r / (warmup - warmup / 2);
      if (t < warmup) CHECK_NEAR(tuner.r, r, 1e-4 * r);
      spread = fabs(mean / r - 1);
    }
    CHECK_NEAR(tuner.r, mean, (sizeof(REAL) == sizeof(float) ? 1e-4 : 1e-9) * mean);
    CHECK(warmup < 100 || spread > 1e-3); /* or the last R_t would do as well */
  }
}

static void CASE_ID(_test)(void) {
  static const uint32_t sizes[] = {1, 2, 5, 63, 64, 65, 130};
  char what[80];
  uint32_t s;
  verdict sweeps, steps[3];
  memset(&sweeps, 0, sizeof sweeps);
  memset(steps, 0, sizeof steps);
  CASE_ID(_rare_sites)();
  CASE_ID(_tuner_mean)();
  for (s = 0; s < 7; s++) {
    const uint32_t n = sizes[s];
    const ring m = make_ring(n, 4, CASE_NEIGHBOURS == 0 ? 0 : 0.9, n);
    uint32_t k;
    if (n < 65 || !QUICK) CASE_ID(_gibbs)(&m, n, &sweeps);
    for (k = 0; k < (QUICK ? 40 : 400); k++) {
      const uint32_t R = k % 40 == 39 ? n : 1 + k % (n < 40 ? n : 40);
      int kind;
      for (kind = STEP_LBP; kind <= STEP_RWM; kind++) {
        const uint32_t few = kind == STEP_RWM && R > 8 ? R % 8 + 1 : R;
        CASE_ID(_moves)(&m, (step_kind)kind, few, 5, &steps[kind]);
      }
    }
  }
  for (s = 0; s < 3; s++) {
    static const char *const names[] = {"LBP", "GWG", "RWM"};
    snprintf(what, sizeof what, "%s, %s", names[s], CASE_NAME);
    verdict_report(&steps[s], what, 1000, 1);
  }
  snprintf(what, sizeof what, "Gibbs, %s", CASE_NAME);
  verdict_report(&sweeps, what, 100, 1);
}

#undef REAL
#undef INFO
#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_NAME
#undef CASE_REAL
#undef CASE_WEIGHT
#undef CASE_SORT_ABOVE
#undef CASE_NEIGHBOURS
