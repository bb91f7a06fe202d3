/* Template: one instance of lbp_ab.h for any_scale.c, and a run of it that the input directs. Parameters: those of
 * lbp_ab.h but for LBP_NAME, LBP_MODEL_T, LBP_REAL, LBP_GRADIENT; CASE (the prefix), CASE_REAL,
 * CASE_GRADIENT, and CASE_STATES if the number of values is fixed. */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME     CASE
#define LBP_MODEL_T  scale_model
#define LBP_REAL     CASE_REAL
#define LBP_GRADIENT CASE_GRADIENT
#include "../../lbp_ab.h"

/* The acceptance probability of a first-order step of binary coordinates from x to y, by the formula. */
LBP_FN double CASE_ID(_acceptance)(const scale_model *m, const CASE_ID(_scale) *s, const uint8_t *x, const uint8_t *y,
                                   double *slack) {
  const uint8_t *from[2], *to[2];
  CASE_REAL gradient[SCALE_MOST];
  double log_q[2] = {0, 0}, logp[2], sum;
  uint32_t way, i;
  from[0] = to[1] = x;
  from[1] = to[0] = y;
  *slack = sizeof(CASE_REAL) == sizeof(float) ? 1e-5 * (1 + m->d) : 1e-9 * (1 + m->d);
  for (way = 0; way < 2; way++) {
    logp[way] = (double)CASE_GRADIENT(m, from[way], gradient);
    *slack *= 1 + fabs(logp[way]) / 16;
    for (i = 0; i < m->d; i++) {
      double odds = (double)s->alpha * (double)gradient[i] + (double)s->flat * (from[way][i] - 0.5), ones, chosen;
      odds = odds > 24 ? 24 : odds < -24 ? -24 : odds;
      ones = fmax(1, floor(2147483520 / (1 + exp(-odds)))); /* of 2^31, as whole numbers are what is drawn from */
      chosen = to[way][i] ? ones : 2147483648.0 - ones;
      log_q[way] += log(chosen / 2147483648.0);
      *slack += (sizeof(CASE_REAL) == sizeof(float) ? 256 : 2) / chosen;
    }
  }
  if (!lbp_is_finite(logp[1])) return 0; /* and never NaN: that was seen to before */
  sum = logp[1] - logp[0] + log_q[1] - log_q[0];
  return sum > -80 ? exp(fmin(0, sum)) : 0;
}

/* Whether log pi, or its gradient if the step takes that, is something that a step must report. */
LBP_FN int CASE_ID(_is_wild)(const scale_model *m, const uint8_t *x, int with_gradient) {
  CASE_REAL gradient[SCALE_MOST];
  const CASE_REAL logp = CASE_GRADIENT(m, x, gradient);
  uint32_t wild = lbp_is_nan((double)logp) || (!lbp_is_finite((double)logp) && logp > 0), i;
  for (i = 0; i < m->d && with_gradient; i++) wild |= !lbp_is_finite((double)gradient[i]);
  return (int)wild;
}

/* What a step says, against what it did to x; what the chain keeps, against the model. */
LBP_FN void CASE_ID(_judge)(const CASE_ID(_chain) *c, const scale_model *m, const uint8_t *before,
                            const CASE_ID(_info) *info) {
  CASE_REAL gradient[SCALE_MOST], logp = CASE_GRADIENT(m, c->x, gradient);
  uint32_t changed = 0, jump = 0, i;
  for (i = 0; i < m->d; i++) {
    FUZZ_CHECK(c->x[i] < m->states);
    changed += c->x[i] != before[i];
    jump += (uint32_t)abs((int)c->x[i] - (int)before[i]);
  }
  FUZZ_CHECK(info->accept >= 0 && info->accept <= 1 && info->accepted <= 1);
  FUZZ_CHECK(info->accepted ? info->accept > 0 : info->accept < 1);
  FUZZ_CHECK(info->jump == jump && info->changed == changed);
  FUZZ_CHECK(info->accepted ? info->jump == info->proposed : info->jump == 0);
  FUZZ_CHECK(info->status == LBP_OK || info->status == LBP_E_MODEL_NAN);
  FUZZ_CHECK(info->status == LBP_OK || !info->accepted);
  if (c->logp_ready) FUZZ_CHECK(memcmp(&logp, &c->logp, sizeof logp) == 0);
  if (c->gradient_ready) FUZZ_CHECK(memcmp(gradient, c->gradient, m->d * sizeof gradient[0]) == 0);
}

/* A positive number, mostly a usual one. */
LBP_FN CASE_REAL CASE_ID(_positive)(void) {
  CASE_REAL v = (CASE_REAL)fabs(fuzz_double());
  return v > 0 && lbp_is_finite((double)v) ? v : 1;
}

LBP_FN void CASE_ID(_tune)(CASE_ID(_tuner) *t) {
  const CASE_REAL sigma = (CASE_REAL)fuzz_double(), target = (CASE_REAL)fuzz_double();
  const int good = sigma > 0 && lbp_is_finite((double)sigma) && target > 0 && target < 1;
  CASE_ID(_tuner) fresh;
  const int status = CASE_ID(_tuner_init)(&fresh, sigma, fuzz_byte(), target);
  uint32_t times = fuzz_byte();
  FUZZ_CHECK(status == (good ? LBP_OK : LBP_E_RANGE));
  if (status == LBP_OK) *t = fresh;
  for (; times > 0; times--) CASE_ID(_tuner_update)(t, sigma);
  FUZZ_CHECK(t->sigma >= 0);
}

LBP_FN void CASE_ID(_adapt)(void) {
  CASE_REAL start[3];
  CASE_ID(_adapter) a;
  uint32_t count = fuzz_below(5), steps = (uint32_t)fuzz_word(2) % 2000, k;
  int status, good = count >= 1 && count <= 3;
  for (k = 0; k < 3; k++) start[k] = (CASE_REAL)fuzz_double();
  for (k = 0; k < count && k < 3; k++) good &= start[k] > 0 && lbp_is_finite((double)start[k]);
  status = CASE_ID(_adapter_init)(&a, count, start);
  FUZZ_CHECK(good == (status == LBP_OK) && (good || status == LBP_E_RANGE || status == LBP_E_SIZE));
  if (!good) return;
  a.buffer = fuzz_byte();
  for (; steps > 0; steps--) {
    CASE_ID(_adapter_update)(&a, fuzz_left ? fuzz_double() : steps % 3);
    for (k = 0; k < count; k++) FUZZ_CHECK(CASE_ID(_adapter_value)(&a, k) >= 0);
    FUZZ_CHECK(a.which < count && a.probe < 3);
  }
}

/* W + D of the model, if it is a curvature; NULL memory otherwise. */
LBP_FN double *CASE_ID(_bend)(CASE_ID(_curvature) *v, const lbp_symmetric *W, const double *D) {
  const int exact = (int)fuzz_below(2);
  const size_t bytes = CASE_ID(_curvature_bytes)(W, D, exact);
  double *memory = (double *)malloc(bytes);
  FUZZ_CHECK(memory != NULL);
  FUZZ_CHECK(CASE_ID(_curvature_init)(v, W, D, exact, memory, bytes - 1) != LBP_OK);
  if (CASE_ID(_curvature_init)(v, W, D, exact, memory, bytes) == LBP_OK) return memory;
  free(memory);
  return NULL;
}

LBP_FN void CASE_ID(_run)(const scale_model *m, const lbp_symmetric *W, const double *D) {
  const size_t len = CASE_ID(_ws_len)(m->d), bytes = CASE_ID(_adaptive_bytes)(m->d);
  CASE_REAL *ws = (CASE_REAL *)malloc(len * sizeof *ws);
  uint8_t *x = (uint8_t *)calloc(m->d, 1), before[SCALE_MOST];
  double *curved = NULL, *memory = (double *)malloc(bytes);
  CASE_ID(_curvature) curvature;
  CASE_ID(_adaptive) adaptive;
  CASE_ID(_tuner) tuner;
  CASE_ID(_scale) scale;
  CASE_ID(_info) info;
  CASE_ID(_chain) c;
  uint32_t left = SCALE_OPERATIONS, adapted = 0, i;
  lbp_rng rng;
  FUZZ_CHECK(ws && x && memory);
  lbp_rng_init(&rng, fuzz_byte(), 0);
  if (W) curved = CASE_ID(_bend)(&curvature, W, D);
  x[m->d - 1] = (uint8_t)fuzz_byte();
  FUZZ_CHECK(CASE_ID(_init)(&c, m->d, m->states, x, ws, len - 1) == LBP_E_WORKSPACE);
  FUZZ_CHECK(CASE_ID(_init)(&c, m->d, m->states, x, ws, len) == (x[m->d - 1] < m->states ? LBP_OK : LBP_E_STATE));
  x[m->d - 1] = 0;
  FUZZ_CHECK(CASE_ID(_init)(&c, 0, m->states, x, ws, len) == LBP_E_SIZE);
  FUZZ_CHECK(CASE_ID(_init)(&c, m->d, 257, x, ws, len) == LBP_E_RANGE);
  FUZZ_CHECK(CASE_ID(_init)(&c, m->d, m->states, x, ws, len) == LBP_OK);
  FUZZ_CHECK(CASE_ID(_tuner_init)(&tuner, 1, 40, (CASE_REAL)0.5) == LBP_OK);
  FUZZ_CHECK(CASE_ID(_adaptive_init)(&adaptive, m->d, 10, memory, bytes - 1) == LBP_E_WORKSPACE);
  FUZZ_CHECK(CASE_ID(_adaptive_init)(&adaptive, m->d, fuzz_byte(), memory, bytes) == LBP_OK);
  adaptive.diagonal = (int)fuzz_below(5);
  adaptive.literal = (int)fuzz_below(2);
  adaptive.damped = (int)fuzz_below(2);
  while (fuzz_left > 0 && left-- > 0) {
    const uint32_t what = fuzz_below(12);
    int first_order = 0;
    memcpy(before, c.x, m->d);
    scale = CASE_ID(_first_order)(1, (CASE_REAL)0.5);
    switch (what) {
      case 0:
        scale = CASE_ID(_first_order)(CASE_ID(_positive)(), (CASE_REAL)fuzz_plain() / 256);
        info = CASE_ID(_ab_step)(&c, m, NULL, &scale, &rng);
        first_order = 1;
        break;
      case 1:
        if (!curved) continue;
        scale = CASE_ID(_langevin_d)(CASE_ID(_positive)());
        info = CASE_ID(_ab_step)(&c, m, &curvature, &scale, &rng);
        break;
      case 2:
        if (!curved) continue;
        scale = CASE_ID(_second_order)(CASE_ID(_positive)(), (CASE_REAL)fuzz_plain() / 256);
        info = CASE_ID(_ab_step)(&c, m, &curvature, &scale, &rng);
        break;
      case 3:
        if (!curved) continue;
        scale = CASE_ID(_second_order_d)(CASE_ID(_positive)(), CASE_ID(_positive)(), (CASE_REAL)(fuzz_byte() + 1) / 256);
        info = CASE_ID(_ab_step)(&c, m, &curvature, &scale, &rng);
        break;
      case 4: {
        const CASE_REAL sigma = CASE_ID(_positive)();
        scale = CASE_ID(_first_order)(sigma, 0);
        info = CASE_ID(_rwm_step)(&c, m, sigma, &rng);
        break;
      }
      case 5: info = CASE_ID(_gibbs_step)(&c, m, &rng); break;
      case 6:
        scale = CASE_ID(_first_order)(tuner.sigma, (CASE_REAL)0.5);
        info = CASE_ID(_adlp_step)(&c, m, &tuner, &rng);
        break;
      case 7:
        scale = CASE_ID(_first_order)(tuner.sigma, 0);
        info = CASE_ID(_arwm_step)(&c, m, &tuner, &rng);
        break;
      case 8:
        for (i = fuzz_byte(); i > 0 && adapted < SCALE_ADAPTED; i--, adapted++) {
          memcpy(before, c.x, m->d);
          info = CASE_ID(_adaptive_step)(&c, m, &adaptive, &rng);
          CASE_ID(_judge)(&c, m, before, &info);
        }
        continue;
      case 9:
        for (i = fuzz_below(3); i > 0; i--) c.x[fuzz_below(m->d)] = (uint8_t)fuzz_below(m->states);
        CASE_ID(_touch)(&c);
        continue;
      case 10: {
        const CASE_ID(_report) report = CASE_ID(_check)(&c, m, 1, &rng);
        FUZZ_CHECK(memcmp(before, c.x, m->d) == 0);
        FUZZ_CHECK(!m->sound || report.status == LBP_OK);
        continue;
      }
      default:
        if (fuzz_below(2)) CASE_ID(_tune)(&tuner);
        else CASE_ID(_adapt)();
        continue;
    }
    if (info.status == LBP_E_RANGE) { /* sigma so small that 1 / sigma^2 is infinite */
      FUZZ_CHECK(!lbp_is_finite((double)scale.alpha + scale.damping) || !lbp_is_finite((double)scale.flat + scale.along));
      FUZZ_CHECK(memcmp(before, c.x, m->d) == 0 && !info.accepted && info.jump == 0);
      continue;
    }
    CASE_ID(_judge)(&c, m, before, &info);
    if (what == 4 || what == 7) {
      const int wild = CASE_ID(_is_wild)(m, before, 0) || CASE_ID(_is_wild)(m, info.accepted ? c.x : c.y, 0);
      FUZZ_CHECK((info.status != LBP_OK) == wild);
    }
    if (first_order && m->states == 2 && info.status == LBP_OK && info.evaluations > 0) {
      double slack, want;
      const uint8_t *proposal = info.accepted ? c.x : c.y;
      want = CASE_ID(_acceptance)(m, &scale, before, proposal, &slack);
      FUZZ_CHECK(fabs(want - (double)info.accept) <= slack || slack > 0.05 || lbp_is_nan(want));
    }
  }
  free(curved);
  free(memory);
  free(x);
  free(ws);
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_REAL
#undef CASE_GRADIENT
#undef CASE_STATES
