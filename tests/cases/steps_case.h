/* Template: one instance of lbp.h on a web (steps_web.h), every step of which is computed again. Parameters: CASE (a
 * prefix), CASE_REAL, CASE_WEIGHT (LBP_BARKER, LBP_SQRT), CASE_KIND (STEPS_LOCAL, STEPS_DENSE, STEPS_ESTIMATE),
 * CASE_SITES, CASE_DEGREE, CASE_BETA (1 unless CASE_TEMPERED; the lowest), CASE_FIXED if n is to be fixed at compile
 * time, CASE_SORT_ABOVE and CASE_TEMPERED if they are wanted. Generates CASE_test(). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#if CASE_WEIGHT != LBP_BARKER && CASE_WEIGHT != LBP_SQRT
#error "steps_case.h: this weight function is not written down here: g and its scale, below"
#endif

#if CASE_KIND != STEPS_LOCAL
LBP_FN void CASE_ID(_deltas_of)(const web *m, const uint8_t *x, CASE_REAL *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    out[i] = (CASE_REAL)(CASE_KIND == STEPS_ESTIMATE ? web_estimate(m, x, i) : web_delta(m, x, i));
  }
}
#endif

#define LBP_NAME    CASE
#define LBP_MODEL_T web
#define LBP_REAL    CASE_REAL
#define LBP_WEIGHT  CASE_WEIGHT
#ifdef CASE_FIXED
#define LBP_N CASE_SITES
#endif
#if CASE_KIND == STEPS_LOCAL
#define LBP_DELTA          web_delta
#define LBP_NEIGHBOURS     web_neighbours
#define LBP_MAX_NEIGHBOURS CASE_DEGREE
#else
#define LBP_DELTAS CASE_ID(_deltas_of)
#if CASE_KIND == STEPS_DENSE
#define LBP_DELTA web_delta
#else
LBP_FN void CASE_ID(_deltas_of_many)(const web *m, const uint8_t *const *x, CASE_REAL *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) CASE_ID(_deltas_of)(m, x[k], out[k]);
}
#define LBP_DELTAS_MANY CASE_ID(_deltas_of_many)
#define LBP_LOGP        web_logp
#endif
#endif
#ifdef CASE_SORT_ABOVE
#define LBP_SORT_ABOVE CASE_SORT_ABOVE
#endif
#ifdef CASE_TEMPERED
#define LBP_TEMPERED
#define LBP_BASE web_base
#endif
#include "../../lbp.h"

typedef struct {
  CASE_ID(_chain) chain;
  double beta;
  lbp_rng rng;
  uint64_t ws[LBP_WS_LEN_DENSE(CASE_SITES)];
  uint8_t own[CASE_SITES], from[CASE_SITES];
  double g[CASE_SITES], back[CASE_SITES];        /* weights, g = 1 for log-ratio 0 of sqrt(t), at x and at y */
  uint32_t site[CASE_SITES + 1];
} CASE_ID(_bed);

LBP_FN void CASE_ID(_start)(CASE_ID(_bed) *bed, double beta, uint64_t stream) {
  uint32_t i;
  lbp_rng_init(&bed->rng, 2027, stream);
  for (i = 0; i < CASE_SITES; i++) bed->own[i] = (uint8_t)(lbp_rng_u64(&bed->rng) >> 63);
#ifdef CASE_FIXED
  CHECK(CASE_ID(_init)(&bed->chain, bed->own) == LBP_OK);
#else
  CHECK(CASE_ID(_init)(&bed->chain, CASE_SITES, bed->own, bed->ws, CASE_ID(_ws_len)(CASE_SITES)) == LBP_OK);
#endif
  bed->beta = beta;
#ifdef CASE_TEMPERED
  CHECK(CASE_ID(_temper)(&bed->chain, (CASE_REAL)beta) == LBP_OK);
#endif
}

/* A log-ratio at the chain's temperature: that of the flip, or what it is drawn by. */
LBP_FN double CASE_ID(_ratio)(const CASE_ID(_bed) *bed, const web *m, const uint8_t *x, uint32_t i, int drawn) {
  const double d = drawn && CASE_KIND == STEPS_ESTIMATE ? web_estimate(m, x, i) : web_delta(m, x, i);
  return bed->beta * d + (1 - bed->beta) * (x[i] ? -web_base(m, i) : web_base(m, i));
}

LBP_FN void CASE_ID(_weigh)(const CASE_ID(_bed) *bed, const web *m, const uint8_t *x, double *g) {
  uint32_t i;
  for (i = 0; i < m->n; i++) {
    const double d = CASE_ID(_ratio)(bed, m, x, i, 1);
    g[i] = CASE_WEIGHT == LBP_BARKER ? 1 / (1 + exp(-d)) : exp(d / 2);
  }
}

/* The weights that the chain keeps are those at x; their sum, and what is sorted by them, fits. */
LBP_FN int CASE_ID(_keeps)(CASE_ID(_bed) *bed, const web *m) {
  const CASE_ID(_chain) *c = &bed->chain;
  const lbp_urn *u = &c->urn;
  const double scale = CASE_WEIGHT == LBP_BARKER ? (double)LBP_WEIGHT_MAX : (double)LBP_WEIGHT_UNIT;
  uint64_t sum = 0, mass = 0;
  uint32_t i, b;
  int good = 1;
  CASE_ID(_weigh)(bed, m, c->x, bed->back);
  for (i = 0; i < m->n; i++) {
    good &= fabs(c->weight[i] / scale - bed->back[i]) <= STEPS_WEIGHT_TOLERANCE * bed->back[i] + 2 / scale;
    sum += c->weight[i];
    b = lbp_bucket(c->weight[i]);
    if (u->sorted) good &= c->order[c->slot[i]] == i && c->slot[i] >= u->start[b] && c->slot[i] < u->start[b + 1];
    if (!u->sorted) good &= c->weight[i] <= u->sums.ceiling;
    mass += u->sorted ? lbp_bucket_ceiling(b) : u->sums.ceiling;
  }
  return good && sum == u->sums.total && mass == u->mass;
}

/* Looks at a step from bed->from, where weights were bed->g: what it proposed and with which probability accepted
 * it, whether it is where it says. */
LBP_FN void CASE_ID(_look)(CASE_ID(_bed) *bed, const web *m, const CASE_ID(_info) *info, uint32_t R, int sampler,
                           steps_sums *sums) {
  const CASE_ID(_chain) *c = &bed->chain;
  const int replace = sampler == STEPS_GWG;
  const double accept = (double)info->accept;
  const uint32_t draws = R < m->n ? R : m->n;
  double log_pi = 0, want;
  uint32_t i, k;
  int good = info->accepted <= 1 && info->jump == (info->accepted ? info->proposed : 0) && info->sites == c->touched;
  good &= replace ? info->proposed > 0 && info->proposed <= draws : info->proposed == draws;
  CHECK(good);
  if (!good) return;
  memcpy(bed->site, info->sites, info->proposed * sizeof *bed->site);
  for (k = 0; k < info->proposed; k++) { /* flips one after another; y remains in from[] */
    log_pi += CASE_ID(_ratio)(bed, m, bed->from, bed->site[k], 0);
    bed->from[bed->site[k]] ^= 1u;
  }
  if (sampler != STEPS_RWM) CASE_ID(_weigh)(bed, m, bed->from, bed->back);
  for (k = info->proposed; k < draws; k++) bed->site[k] = bed->site[c->again[k - info->proposed]];
  for (i = 0; sampler == STEPS_RWM && i < m->n; i++) bed->g[i] = bed->back[i] = 1;
  steps_drawn(sums, bed->g, m->n, bed->site, draws, replace);
  steps_add(&sums->accept, info->accepted - accept, accept * (1 - accept));
  want = log_pi + steps_log_draw(bed->back, m->n, bed->site, draws, replace, 1) -
         steps_log_draw(bed->g, m->n, bed->site, draws, replace, 0);
  if (want > 0) want = 0;
  if (want > (sizeof(CASE_REAL) == sizeof(float) ? -80 : -690)) {
    steps_see(log(accept), want, draws);
  } else {
    CHECK(accept < 1e-33);
  }
  if (!info->accepted) {
    for (k = 0; k < info->proposed; k++) bed->from[bed->site[k]] ^= 1u;
  }
  CHECK(memcmp(bed->from, c->x, m->n) == 0);
}

LBP_FN void CASE_ID(_run)(const web *m, int sampler) {
  static const uint32_t lengths[] = {1, 64, 3, 65, 81, 127, 2, 128, 129, 255, 256, 257, 6, CASE_SITES / 2,
                                     CASE_SITES + 1};
  static CASE_ID(_bed) bed;
  steps_sums sums;
  uint32_t k, t, moved = 0;
  int keeps = 1;
  memset(&sums, 0, sizeof sums);
  CASE_ID(_start)(&bed, CASE_BETA, (uint64_t)sampler);
  for (t = 0; t < (sampler == STEPS_RWM ? 8u : 1u) * STEPS_ROUNDS; t++) { /* of a random walk they cost little */
    for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
      CASE_ID(_info) info;
      uint32_t repeat = lengths[k] < 64 ? 4 : 1;
#ifdef CASE_TEMPERED
      bed.beta = CASE_BETA + k % 3 * 0.125; /* weights, and log pi, are to be those of the new temperature */
      CHECK(CASE_ID(_temper)(&bed.chain, (CASE_REAL)bed.beta) == LBP_OK);
#endif
      while (repeat-- > 0) {
        memcpy(bed.from, bed.chain.x, m->n);
        if (sampler != STEPS_RWM) CASE_ID(_weigh)(&bed, m, bed.from, bed.g);
        info = sampler == STEPS_LBP   ? CASE_ID(_lbp_step)(&bed.chain, m, lengths[k], &bed.rng)
               : sampler == STEPS_GWG ? CASE_ID(_gwg_step)(&bed.chain, m, lengths[k], &bed.rng)
                                      : CASE_ID(_rwm_step)(&bed.chain, m, lengths[k], &bed.rng);
        CASE_ID(_look)(&bed, m, &info, lengths[k], sampler, &sums);
        if (sampler != STEPS_RWM) keeps &= CASE_ID(_keeps)(&bed, m);
        moved += info.accepted;
      }
    }
  }
  CHECK(keeps && moved > STEPS_ROUNDS);
  STEPS_JUDGE(&sums);
}

/* Sweeps: each site by its conditional, given those before it. */
LBP_FN void CASE_ID(_sweep)(const web *m) {
  static CASE_ID(_bed) bed;
  steps_sums sums;
  uint32_t t, i;
  memset(&sums, 0, sizeof sums);
  CASE_ID(_start)(&bed, CASE_BETA, 9);
  for (t = 0; t < 8 * STEPS_ROUNDS; t++) {
    CASE_ID(_info) info;
    uint32_t jump = 0;
    memcpy(bed.from, bed.chain.x, m->n);
    info = CASE_ID(_gibbs_sweep)(&bed.chain, m, &bed.rng);
    for (i = 0; i < m->n; i++) {
      const double p = 1 / (1 + exp(-CASE_ID(_ratio)(&bed, m, bed.from, i, 0)));
      const int flips = bed.from[i] != bed.chain.x[i];
      const double look[STEPS_LOOKS] = {1, p, bed.from[i] ? 1.0 : -1.0};
      uint32_t k;
      for (k = 0; k < STEPS_LOOKS; k++) {
        steps_add(&sums.draw[steps_place(i)][k], look[k] * (flips - p), look[k] * look[k] * p * (1 - p));
      }
      bed.from[i] = bed.chain.x[i];
      if (flips) CHECK(info.sites[jump++] == i);
    }
    CHECK(info.jump == jump && info.accepted == 1);
  }
  STEPS_JUDGE(&sums);
}

#if CASE_KIND == STEPS_ESTIMATE
/* Many chains at once, each at a temperature of its own. */
LBP_FN void CASE_ID(_together)(const web *m) {
  enum { CHAINS = LBP_MANY + 3 };
  static CASE_ID(_bed) bed[CHAINS];
  static CASE_ID(_chain) *chain[CHAINS];
  static CASE_ID(_info) info[CHAINS];
  static lbp_rng *rng[CHAINS];
  static uint32_t R[CHAINS];
  steps_sums sums;
  uint32_t k, t;
  int keeps = 1;
  memset(&sums, 0, sizeof sums);
  for (k = 0; k < CHAINS; k++) {
    CASE_ID(_start)(&bed[k], 1.25 - k % 6 * 0.25, 20 + k);
    chain[k] = &bed[k].chain;
    rng[k] = &bed[k].rng;
  }
  for (t = 0; t < 2; t++) {
    for (k = 0; k < CHAINS; k++) {
      memcpy(bed[k].from, chain[k]->x, m->n);
      CASE_ID(_weigh)(&bed[k], m, bed[k].from, bed[k].g);
      R[k] = t > 0 ? 2 * k + 1 : 1 + k % 7;
    }
    CASE_ID(_lbp_steps)(chain, m, R, rng, CHAINS, info);
    for (k = 0; k < CHAINS; k++) {
      CASE_ID(_look)(&bed[k], m, &info[k], R[k], STEPS_LBP, &sums);
      keeps &= CASE_ID(_keeps)(&bed[k], m);
    }
  }
  CHECK(keeps);
  STEPS_JUDGE(&sums);
}
#endif

LBP_FN void CASE_ID(_test)(void) {
  static web m;
  int sampler;
  web_make(&m, CASE_SITES, CASE_DEGREE, CASE_SITES);
  for (sampler = STEPS_LBP; sampler <= STEPS_RWM; sampler++) CASE_ID(_run)(&m, sampler);
  CASE_ID(_sweep)(&m);
#if CASE_KIND == STEPS_ESTIMATE
  CASE_ID(_together)(&m);
#endif
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_REAL
#undef CASE_WEIGHT
#undef CASE_KIND
#undef CASE_SITES
#undef CASE_DEGREE
#undef CASE_FIXED
#undef CASE_SORT_ABOVE
#undef CASE_TEMPERED
#undef CASE_BETA
