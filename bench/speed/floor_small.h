/* Template: one float32 instance of lbp.h, and its chains behind the function table chain_type of floor.c. Parameters:
 * CASE, the instance's name; CASE_MODEL, its model in lbp_models.h without the lbp_; CASE_FIELDS, defined if the model's
 * fields are to be used; CASE_MAX_NEIGHBOURS; CASE_WEIGHT, t/(1+t) by default; and where the number of sites is fixed at
 * compile time, CASE_N. Generates CASE_type. */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)
#define CASE_MODEL_T      CASE_PASTE(lbp_, CASE_MODEL)
#define CASE_CALL(name)   CASE_PASTE(CASE_MODEL_T, name)

#define LBP_NAME           CASE
#define LBP_MODEL_T        CASE_MODEL_T
#define LBP_REAL           float
#ifdef CASE_FIELDS
#define LBP_FIELDS_T    CASE_CALL(_fields)
#define LBP_FIELDS_INIT CASE_CALL(_fields_set)
#define LBP_FLIP        CASE_CALL(_flip)
#define LBP_DELTA       CASE_CALL(_fields_delta)
#define CASE_GIVEN      , &c->fields
#else
#define LBP_DELTA  CASE_CALL(_delta)
#define CASE_GIVEN
#endif
#define LBP_NEIGHBOURS     CASE_CALL(_neighbours)
#define LBP_MAX_NEIGHBOURS CASE_MAX_NEIGHBOURS
#ifdef CASE_WEIGHT
#define LBP_WEIGHT CASE_WEIGHT
#endif
#ifdef CASE_N
#define LBP_N CASE_N
#endif
#include "../../lbp.h"

/* A chain, the tuner that draws its R, and where it walks. */
typedef struct {
  CASE_ID(_chain) chain;
  CASE_ID(_tuner) tuner;
#ifdef CASE_FIELDS
  CASE_CALL(_fields) fields;
#endif
  const CASE_MODEL_T *model;
  lbp_rng rng;
  uint8_t *x;
  uint64_t *ws;
} CASE_ID(_case);

static void *CASE_ID(_case_open)(const void *model, const uint8_t *start, uint64_t seed) {
  CASE_ID(_case) *c = (CASE_ID(_case) *)basic_alloc(1, sizeof *c);
  const uint32_t n = ((const CASE_MODEL_T *)model)->n;
  int status;
  c->model = (const CASE_MODEL_T *)model;
  lbp_rng_init(&c->rng, seed, n);
#ifdef CASE_FIELDS
  status = CASE_CALL(_fields_init)(c->model, &c->fields);
  if (status != LBP_OK) basic_die("%s", lbp_error(status));
#endif
#ifdef CASE_N
  status = n == CASE_N ? CASE_ID(_init)(&c->chain, start CASE_GIVEN) : LBP_E_SIZE;
#else
  c->x = (uint8_t *)basic_alloc(n, 1);
  c->ws = (uint64_t *)basic_alloc(CASE_ID(_ws_len)(n), sizeof *c->ws);
  memcpy(c->x, start, n);
  status = CASE_ID(_init)(&c->chain, n, c->x CASE_GIVEN, c->ws, CASE_ID(_ws_len)(n));
#endif
  if (status != LBP_OK) basic_die("%s", lbp_error(status));
  return c;
}

static void CASE_ID(_case_close)(void *chain) {
  CASE_ID(_case) *c = (CASE_ID(_case) *)chain;
#ifdef CASE_FIELDS
  CASE_CALL(_fields_free)(&c->fields);
#endif
  free(c->x);
  free(c->ws);
  free(c);
}

/* Freezes R where `warmup` steps from r on take it; 0: at r. */
static double CASE_ID(_case_tune)(void *chain, uint32_t warmup, double r) {
  CASE_ID(_case) *c = (CASE_ID(_case) *)chain;
  uint32_t t;
  const int status = CASE_ID(_tuner_init)(&c->tuner, c->model->n, warmup, LBP_TARGET_LBP);
  if (status != LBP_OK) basic_die("%s", lbp_error(status));
  c->tuner.r = c->tuner.mean = (float)r;
  for (t = 0; t < warmup; t++) {
    const uint32_t R = CASE_ID(_tuner_draw)(&c->tuner, &c->rng);
    CASE_ID(_tuner_update)(&c->tuner, CASE_ID(_lbp_step)(&c->chain, c->model, R, &c->rng).accept);
  }
  return (double)c->tuner.r;
}

static void CASE_ID(_case_walk)(void *chain, int kind, uint32_t steps, walk_sum *sum) {
  CASE_ID(_case) *c = (CASE_ID(_case) *)chain;
  uint32_t t;
  for (t = 0; t < steps; t++) {
    CASE_ID(_info) info;
#ifdef CASE_N
    (void)kind;
    info = CASE_ID(_lbp_step)(&c->chain, c->model, CASE_ID(_tuner_draw)(&c->tuner, &c->rng), &c->rng);
#else
    if (kind == LBP_SAMPLER_GIBBS) {
      info = CASE_ID(_gibbs_sweep)(&c->chain, c->model, &c->rng);
    } else {
      const uint32_t R = CASE_ID(_tuner_draw)(&c->tuner, &c->rng);
      info = kind == LBP_SAMPLER_LBP   ? CASE_ID(_lbp_step)(&c->chain, c->model, R, &c->rng)
             : kind == LBP_SAMPLER_GWG ? CASE_ID(_gwg_step)(&c->chain, c->model, R, &c->rng)
                                  : CASE_ID(_rwm_step)(&c->chain, c->model, R, &c->rng);
    }
#endif
    sum->flips += info.proposed;
    sum->accept += (double)info.accept;
  }
  sum->steps += steps;
}

#ifndef CASE_N
/* Counts what accepted steps touch: a step that was refused does not say which sites it proposed. */
static footprint CASE_ID(_case_look)(void *chain, uint32_t steps) {
  CASE_ID(_case) *c = (CASE_ID(_case) *)chain;
  const uint32_t n = c->model->n;
  uint32_t *site_step = (uint32_t *)basic_alloc(n, sizeof *site_step);
  uint32_t *line_step = (uint32_t *)basic_alloc(n / LINE_WORDS + 1, sizeof *line_step);
  uint32_t list[CASE_MAX_NEIGHBOURS + 1], t, k, j, accepted = 0;
  double tries = 0, flips = 0, flip_lines = 0, others = 0, other_lines = 0;
  footprint f;
  for (t = 1; t <= steps; t++) {
    const uint32_t R = CASE_ID(_tuner_draw)(&c->tuner, &c->rng);
    const CASE_ID(_info) info = CASE_ID(_lbp_step)(&c->chain, c->model, R, &c->rng);
    tries += (double)c->chain.urn.mass / (double)c->chain.urn.sums.total;
    accepted += info.accepted;
    for (k = 0; k < info.jump; k++) {
      flip_lines += visit(line_step, info.sites[k] / LINE_WORDS, t);
      flips += visit(site_step, info.sites[k], t);
    }
    for (k = 0; k < info.jump; k++) {
      const uint32_t count = CASE_CALL(_neighbours)(c->model, info.sites[k], list);
      for (j = 0; j < count; j++) {
        other_lines += visit(line_step, list[j] / LINE_WORDS, t);
        others += visit(site_step, list[j], t);
      }
    }
  }
  free(site_step);
  free(line_step);
  if (flips == 0) basic_die("no step of %u was accepted: nothing to count", (unsigned)steps);
  f.tries = tries / steps;
  f.touched = (flips + others) / flips;
  f.fresh = others > 0 ? other_lines / others : 0;
  f.lines = (flip_lines + other_lines) / accepted;
  return f;
}
#endif

static const chain_type CASE_ID(_type) = {
  CASE_ID(_case_open), CASE_ID(_case_close), CASE_ID(_case_tune), CASE_ID(_case_walk),
#ifdef CASE_N
  NULL
#else
  CASE_ID(_case_look)
#endif
};

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE_MODEL_T
#undef CASE_CALL
#undef CASE
#undef CASE_MODEL
#undef CASE_FIELDS
#undef CASE_GIVEN
#undef CASE_WEIGHT
#undef CASE_MAX_NEIGHBOURS
#undef CASE_N
