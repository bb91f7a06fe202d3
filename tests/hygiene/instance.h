/* Template: one instance of lbp.h of which everything is used. Parameters: H_NAME, H_REAL, H_WEIGHT, H_KIND (1 local,
 * 2 dense, 3 dense with fields and log pi, 4 local with fields and flips that list what they change, 5 terms), H_FIXED (1: n known
 * at compile time); defined or not: H_RUN (by way of lbp_run.h). */
#define H_PASTE2(a, b) a##b
#define H_PASTE(a, b)  H_PASTE2(a, b)
#define H_ID(name)     H_PASTE(H_NAME, name)

enum { H_ID(_n) = 5 };

typedef struct {
  H_REAL bias;
} H_ID(_model);

typedef struct {
  H_REAL sum, saved;
} H_ID(_fields);

#if H_KIND > 2
#define H_ARGS const H_ID(_model) *m, H_ID(_fields) *f, const uint8_t *x
LBP_FN void H_ID(_set)(H_ARGS) {
  uint32_t i;
  for (i = 0, f->sum = 0; i < H_ID(_n); i++) f->sum += x[i] ? m->bias : 0;
}
LBP_FN void H_ID(_flip)(H_ARGS, uint32_t i) { f->sum += x[i] ? m->bias : -m->bias; }
LBP_FN void H_ID(_save)(const H_ID(_model) *m, H_ID(_fields) *f) { (void)m, f->saved = f->sum; }
LBP_FN void H_ID(_restore)(const H_ID(_model) *m, H_ID(_fields) *f) { (void)m, f->sum = f->saved; }
LBP_FN H_REAL H_ID(_logp)(H_ARGS) { return (void)m, (void)x, f->sum; }
#else
#define H_ARGS const H_ID(_model) *m, const uint8_t *x
LBP_FN H_REAL H_ID(_logp)(H_ARGS) {
  H_REAL sum = 0;
  uint32_t i;
  for (i = 0; i < H_ID(_n); i++) sum += x[i] ? m->bias : 0;
  return sum;
}
#endif
LBP_FN void H_ID(_deltas)(H_ARGS, H_REAL *out) {
  uint32_t i;
  for (i = 0; i < H_ID(_n); i++) out[i] = x[i] ? -m->bias : m->bias;
#if H_KIND > 2
  (void)f;
#endif
}
#if H_KIND == 3
LBP_FN void H_ID(_deltas_many)(const H_ID(_model) *m, H_ID(_fields) *const *f, const uint8_t *const *x, H_REAL *const *out,
                               uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) H_ID(_deltas)(m, f[k], x[k], out[k]);
}
#elif H_KIND == 2
LBP_FN void H_ID(_deltas_many)(const H_ID(_model) *m, const uint8_t *const *x, H_REAL *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) H_ID(_deltas)(m, x[k], out[k]);
}
#endif
LBP_FN H_REAL H_ID(_delta)(H_ARGS, uint32_t i) {
#if H_KIND > 2
  (void)f;
#endif
  return x[i] ? -m->bias : m->bias;
}
LBP_FN uint32_t H_ID(_neighbours)(const H_ID(_model) *m, uint32_t i, uint32_t *out) {
  return (void)m, out[0] = (i + 1) % H_ID(_n), 1;
}
#if H_KIND == 4
LBP_FN uint32_t H_ID(_flip_list)(H_ARGS, uint32_t i, uint32_t *site, H_REAL *ratio) {
  H_ID(_flip)(m, f, x, i);
  ratio[0] = H_ID(_delta)(m, f, x, (i + 1) % H_ID(_n));
  return H_ID(_neighbours)(m, i, site);
}
#endif
LBP_FN H_REAL H_ID(_log_weight)(H_REAL d) { return d < 0 ? d : 0; }
#undef H_ARGS

#define LBP_NAME    H_NAME
#define LBP_MODEL_T H_ID(_model)
#define LBP_REAL    H_REAL
#define LBP_WEIGHT  H_WEIGHT
#if H_WEIGHT == LBP_CUSTOM
#define LBP_LOG_WEIGHT H_ID(_log_weight)
#endif
#if H_FIXED
#define LBP_N 5
#endif
#if H_KIND == 5
#define LBP_TERM_COUNT(m)           4u
#define LBP_TERM_SITES(m, t, out)   ((out)[0] = (t), (out)[1] = (t) + 1, 2u)
#define LBP_TERM(m, t, v)           ((v)[0] == (v)[1] ? (m)->bias : 0)
#define LBP_SITE_TERM(m, i, v)      ((v) ? (m)->bias : 0)
#define LBP_UNIT(m)                 (m)->bias
#define LBP_TERM_MAX                2
#define LBP_TERMS_OF_MAX            2
#else
#define LBP_LOGP  H_ID(_logp)
#define LBP_DELTA H_ID(_delta)
#endif
#if H_KIND == 5
#elif H_KIND == 1 || H_KIND == 4
#define LBP_NEIGHBOURS     H_ID(_neighbours)
#define LBP_MAX_NEIGHBOURS 1
#else
#define LBP_DELTAS      H_ID(_deltas)
#define LBP_DELTAS_MANY H_ID(_deltas_many)
#endif
#if H_KIND == 3 || H_KIND == 4
#define LBP_FIELDS_T    H_ID(_fields)
#define LBP_FIELDS_INIT H_ID(_set)
#define LBP_FLIP        H_ID(_flip)
#define LBP_SAVE        H_ID(_save)
#define LBP_RESTORE     H_ID(_restore)
#endif
#if H_KIND == 4
#define LBP_FLIP_LIST(m, f, x, i, site, ratio) H_ID(_flip_list)(m, f, x, i, site, ratio)
#endif
#ifdef H_RUN
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "lbp_run.h"
#else
#include "lbp.h"
#endif

/* Returns 0 if everything could be called and did something sane. */
LBP_FN int H_ID(_use)(void) {
  const H_ID(_model) m = {(H_REAL)0.5};
  uint8_t x[H_ID(_n)] = {0, 1, 0, 1, 1};
  H_ID(_chain) c;
  H_ID(_tuner) tuner;
  H_ID(_report) report;
  lbp_rng rng;
  uint32_t jumps = 0;
  int bad = 0, t;
#if H_KIND == 5
  H_ID(_terms) terms;
#define H_ALSO , &terms
#elif H_KIND > 2
  H_ID(_fields) fields;
#define H_ALSO , &fields
#else
#define H_ALSO
#endif
#if !H_FIXED
  uint64_t ws[LBP_WS_LEN_DENSE(5)];
#if H_KIND == 5
  uint32_t index[LBP_TERMS_LEN(5, 2, 2)];
  bad |= H_ID(_terms_init)(&terms, &m, H_ID(_n), index, H_ID(_terms_len)(&m, H_ID(_n)));
#endif
  bad |= H_ID(_init)(&c, H_ID(_n), x H_ALSO, ws, H_ID(_ws_len)(H_ID(_n)));
#else
#if H_KIND == 5
  bad |= H_ID(_terms_init)(&terms, &m);
#endif
  bad |= H_ID(_init)(&c, x H_ALSO);
#endif
  lbp_rng_init(&rng, 1, 2);
  bad |= H_ID(_tuner_init)(&tuner, H_ID(_n), 50, (H_REAL)LBP_TARGET_LBP);
  bad |= H_ID(_tuner_cost)(&tuner, 1, 2, 3, 4);
  if (bad) return 1;
  for (t = 0; t < 100; t++) {
    const uint32_t R = H_ID(_random_r)(2, &rng);
    jumps += H_ID(_lbp_step)(&c, &m, R, &rng).jump;
    jumps += H_ID(_gwg_step)(&c, &m, R, &rng).jump;
    jumps += H_ID(_rwm_step)(&c, &m, R, &rng).jump;
    jumps += H_ID(_albp_step)(&c, &m, &tuner, &rng).jump;
    jumps += H_ID(_agwg_step)(&c, &m, &tuner, &rng).jump;
    jumps += H_ID(_arwm_step)(&c, &m, &tuner, &rng).jump;
    jumps += H_ID(_gibbs_sweep)(&c, &m, &rng).jump;
#ifdef H_RUN
    jumps += H_ID(_metropolis_sweep)(&c, &m, &rng).jump;
#if H_KIND == 1 || H_KIND == 4
    jumps += H_ID(_skip_sweep)(&c, &m, LBP_BARKER, &rng).jump;
#endif
#endif
#if H_KIND == 2 || H_KIND == 3
    {
      H_ID(_chain) *chain = &c;
      lbp_rng *generator = &rng;
      H_ID(_info) info;
      H_ID(_lbp_steps)(&chain, &m, &R, &generator, 1, &info);
      jumps += info.jump;
    }
#endif
  }
  H_ID(_touch)(&c);
  report = H_ID(_check)(&c, &m, 3, &rng);
  H_ID(_tuner_update)(&tuner, 1);
#ifdef H_RUN
  {
    lbp_run run;
    lbp_run_result result;
    lbp_ais_result annealed;
    lbp_run_init(&run);
    run.tempering.rungs = 2;
    bad |= H_ID(_temper)(&c, 1) | H_ID(_run)(&run, &m, H_ID(_n), &result) | H_ID(_ais)(&run, &m, H_ID(_n), &annealed);
    bad |= result.draws != run.draws || !(annealed.log_z_se > 0);
    lbp_run_free(&result);
    lbp_ais_free(&annealed);
  }
#endif
  if (bad) return 1;
  return report.status != LBP_OK || jumps == 0 || H_ID(_tuner_draw)(&tuner, &rng) > H_ID(_n);
}

#undef H_ALSO
#undef H_PASTE2
#undef H_PASTE
#undef H_ID
#undef H_NAME
#undef H_REAL
#undef H_WEIGHT
#undef H_KIND
#undef H_FIXED
