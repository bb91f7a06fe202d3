/* Template: a model of categorical sites that may lie, its check and steps. Parameters: CASE (a prefix), CASE_KIND
 * (CAT_FIELDS: with LBP_LOGP, LBP_CAT_DELTA and a custom weight; CAT_LOCAL: nothing else; CAT_DENSE: with
 * LBP_CAT_DELTAS_OF). */
#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME          CASE
#define LBP_MODEL_T       cat_sick
#define LBP_REAL          double
#define LBP_CAT_STATES    4
#define LBP_CAT_STATES_OF cat_sick_states
#if CASE_KIND == CAT_FIELDS
#define LBP_FIELDS_T       cat_fields
#define LBP_FIELDS_INIT(m, f, x)        ((f)->code = cat_code(&(m)->t, x))
#define LBP_CAT_CHANGE                  cat_sick_change
#define LBP_CAT_DELTAS_OF(m, f, x, i, out) cat_sick_of(m, (f)->code, x, i, out)
#define LBP_CAT_DELTA(m, f, x, i, v)    cat_sick_one(m, (f)->code, x, i, v)
#define LBP_LOGP(m, f, x)               cat_sick_logp(m, (f)->code, x)
#define LBP_WEIGHT         LBP_CUSTOM
#define LBP_LOG_WEIGHT(d)  ((d) * cat_sick_power)
#else
#define LBP_CAT_DELTAS_OF(m, x, i, out) cat_sick_of(m, cat_code(&(m)->t, x), x, i, out)
#endif
#if CASE_KIND == CAT_DENSE
#define LBP_DELTAS         cat_sick_dense
#else
#define LBP_NEIGHBOURS     cat_sick_neighbours
#define LBP_MAX_NEIGHBOURS CAT_SITES
#endif
#include "../../lbp.h"

typedef struct {
  CASE_ID(_chain) chain;
  cat_fields fields;
  uint64_t ws[CAT_ROOM];
  uint8_t x[CAT_SITES];
} CASE_ID(_bed);

LBP_FN CASE_ID(_chain) *CASE_ID(_begin)(CASE_ID(_bed) *bed, const cat_sick *m) {
  uint32_t i;
  cat_sick_power = m->lie == CAT_SICK_WEIGHT ? 0.75 : 0.5;
  for (i = 0; i < m->t.n; i++) bed->x[i] = (uint8_t)(i == 0);
  if (m->lie == CAT_SICK_STATE) bed->x[1] = 3; /* of two values */
#if CASE_KIND == CAT_FIELDS
  CHECK(CASE_ID(_init)(&bed->chain, m->t.n, bed->x, &bed->fields, bed->ws, CASE_ID(_ws_len)(m->t.n)) == LBP_OK);
#else
  CHECK(CASE_ID(_init)(&bed->chain, m->t.n, bed->x, bed->ws, CASE_ID(_ws_len)(m->t.n)) == LBP_OK);
#endif
  return &bed->chain;
}

/* What the model check finds, which leaves x alone. */
LBP_FN int CASE_ID(_look)(const cat_sick *m) {
  static CASE_ID(_bed) bed;
  CASE_ID(_chain) *c = CASE_ID(_begin)(&bed, m);
  CASE_ID(_report) r;
  uint8_t x[CAT_SITES];
  lbp_rng rng;
  lbp_rng_init(&rng, 61, 1);
  memcpy(x, bed.x, sizeof x);
  r = CASE_ID(_check)(c, m, 20, &rng);
  CHECK(memcmp(x, bed.x, sizeof x) == 0);
  return r.status;
}

/* What steps find, in a checked build. `hash` gets what they have drawn. */
LBP_FN int CASE_ID(_run)(const cat_sick *m, uint64_t *hash) {
  static CASE_ID(_bed) bed;
  CASE_ID(_chain) *c = CASE_ID(_begin)(&bed, m);
  uint32_t step;
  lbp_rng rng;
  lbp_rng_init(&rng, 62, 1);
  for (step = 0; step < 200; step++) {
    if (step % 5 == 0) CASE_ID(_lbp_step)(c, m, 1 + step % 2, &rng);
    if (step % 5 == 1) CASE_ID(_gwg_step)(c, m, 3, &rng);
    if (step % 5 == 2) CASE_ID(_rwm_step)(c, m, 1, &rng);
    if (step % 5 == 3) CASE_ID(_dlp_step)(c, m, 0.3, &rng);
    if (step % 5 == 4) CASE_ID(_metropolis_sweep)(c, m, &rng);
    *hash = *hash * 1000003 + cat_code(&m->t, bed.x);
  }
  return CASE_ID(_fault)(c).status;
}

/* Nothing happens unless sigma > 0. */
LBP_FN int CASE_ID(_sigma)(const cat_sick *m, double sigma) {
  static CASE_ID(_bed) bed;
  CASE_ID(_chain) *c = CASE_ID(_begin)(&bed, m);
  CASE_ID(_info) info;
  lbp_rng rng;
  lbp_rng_init(&rng, 63, 1);
  info = CASE_ID(_dlp_step)(c, m, sigma, &rng);
  CHECK(info.jump == 0 && info.proposed == 0 && info.accept == 0);
  return CASE_ID(_fault)(c).status;
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_KIND
