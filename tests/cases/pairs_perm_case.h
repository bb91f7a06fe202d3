/* A family of test_pairs_perm.c: an instance of lbp_perm.h on a perm_toy, its calls, and its audit. Parameters: CASE,
 * CASE_TITLE, CASE_REAL, CASE_AS (perm_x -> its like in CASE_REAL), CASE_WEIGHT, CASE_COLD and CASE_HOT, the two
 * inverse temperatures; CASE_ROW, CASE_ROW_WEIGHT, CASE_NEIGHBOURS: with these callbacks; CASE_PARTIAL: of partial
 * matchings. */

#define CASE_PASTE2(left, right) left##_##right
#define CASE_PASTE(left, right)  CASE_PASTE2(left, right)
#define CASE_(name)              CASE_PASTE(CASE, name)

#include "perm_instance.h"

static CASE_(chain) CASE_(of)[PAIRS_CHAINS];
static uint32_t CASE_(s)[PAIRS_CHAINS][PERM_MOST];
static uint64_t CASE_(ws)[PAIRS_CHAINS][LBP_WS_LEN_PAIRS(PERM_MOST)];
static uint32_t CASE_(context_of)[PAIRS_CHAINS];

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

static double CASE_(beta)(uint32_t context) { return context & PAIRS_HOT ? CASE_HOT : CASE_COLD; }
static uint32_t CASE_(context)(uint32_t k) { return CASE_(context_of)[k]; }

/* Sets the context of chain k by calls for the bits that differ; `all`: for all bits. */
static void CASE_(tell)(uint32_t k, uint32_t context, int all) {
  CASE_(chain) *c = &CASE_(of)[k];
  const uint32_t differs = all ? PAIRS_CONTEXTS - 1 : CASE_(context_of)[k] ^ context;
  CASE_(context_of)[k] = context;
  if (differs & PAIRS_HOT) CASE_(temper)(c, CASE_(beta)(context));
  if (differs & PAIRS_MASKED) CASE_(clamp)(c, perm_mask_of(context));
  if (differs & PAIRS_OTHER_MODEL) CASE_(touch)(c);
}

static void CASE_(write)(uint32_t k, const uint8_t *x) {
  uint32_t a;
  for (a = 0; a < pairs_model[0].n; a++) CASE_(s)[k][a] = x[a];
}

static void CASE_(begin)(uint32_t k, const uint8_t *x, uint32_t context) {
  CASE_(write)(k, x);
  if (CASE_(init)(&CASE_(of)[k], pairs_model[0].n, CASE_(s)[k], CASE_(ws)[k], LBP_WS_LEN_PAIRS(PERM_MOST)) != LBP_OK) {
    test_count(0, __FILE__, __LINE__, "a chain could not be made");
  }
  CASE_(tell)(k, context, 1);
}

static void CASE_(set)(uint32_t k, const uint8_t *x) {
  CASE_(write)(k, x);
  CASE_(touch)(&CASE_(of)[k]);
}

static const uint8_t *CASE_(state)(uint32_t k) {
  static uint8_t x[PERM_MOST];
  uint32_t a;
  for (a = 0; a < pairs_model[0].n; a++) x[a] = (uint8_t)CASE_(s)[k][a];
  return x;
}

static double CASE_(told_logp)(const uint8_t *x, uint32_t context) {
  const perm_toy *t = perm_model_of(context);
  uint32_t s[PERM_MOST], seen = 0, a;
  double logp;
  for (a = 0; a < t->n; a++) s[a] = x[a], seen |= 1u << x[a];
  if (seen != (1u << t->n) - 1) return -HUGE_VAL;
  logp = perm_logp(t, s);
  return logp > -1e300 ? CASE_(beta)(context) * logp : -HUGE_VAL;
}

/* The law of permutations: that of matchings, shared by those that stand for one. */
static double CASE_(logp)(const uint8_t *x, uint32_t context) {
  const perm_toy *t = perm_model_of(context);
  uint32_t s[PERM_MOST], a;
  for (a = 0; a < t->n; a++) s[a] = x[a];
  return CASE_(told_logp)(x, context) + perm_base(t, s, perm_mask_of(context));
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static pairs_told CASE_(go)(uint32_t k, uint32_t call, lbp_rng *rng) {
  CASE_(chain) *c = &CASE_(of)[k];
  const uint32_t context = CASE_(context_of)[k];
  const perm_toy *m = perm_model_of(context);
  lbp_pairs_tuner tuner;
  CASE_(info) info;
  pairs_told told;
  memset(&info, 0, sizeof info);
  switch (call) {
    case CALL_ROW: info = CASE_(row_step)(c, m, rng); break;
    case CALL_PAIRS_1: info = CASE_(pairs_step)(c, m, 1, rng); break;
    case CALL_PAIRS_2: info = CASE_(pairs_step)(c, m, 2, rng); break;
    case CALL_EXCHANGE: info = CASE_(exchange_step)(c, m, rng); break;
    case CALL_SWEEP: info = CASE_(exchange_sweep)(c, m, rng); break;
    case CALL_TUNED: /* by a tuner that is frozen */
      lbp_pairs_tuner_init(&tuner, m->n, 0, 0.5);
      tuner.r = 1.5;
      info = CASE_(apairs_step)(c, m, &tuner, rng);
      if (tuner.r != 1.5) test_count(0, __FILE__, __LINE__, "a frozen tuner does not learn");
      break;
    case CALL_TOUCH: CASE_(touch)(c); break;
    case CALL_TEMPER: CASE_(tell)(k, context ^ PAIRS_HOT, 0); break;
    case CALL_CLAMP: CASE_(tell)(k, context ^ PAIRS_MASKED, 0); break;
    case CALL_MODEL: CASE_(tell)(k, context ^ PAIRS_OTHER_MODEL, 0); break;
    case CALL_SET: CASE_(set)(k, pairs_any(rng)); break;
    case CALL_CHECK:
      if (CASE_(check)(c, m, 1, rng).status != LBP_OK) test_count(0, __FILE__, __LINE__, "the model is right");
      break;
    default: test_count(0, __FILE__, __LINE__, "a call of this family"); break;
  }
  told.log_ratio = info.log_ratio;
  told.changed = info.jump;
  told.sites = info.rows;
  return told;
}

/* ---- the audit --------------------------------------------------------------------------------------------------- */

/* Compares all that chain k marks as valid with a chain made from scratch. */
static const char *CASE_(audit)(uint32_t k) {
  CASE_(chain) *c = &CASE_(of)[k], *fresh = &CASE_(of)[PAIRS_AUDIT];
  const uint32_t n = pairs_model[0].n, context = CASE_(context_of)[k];
  const perm_toy *m = perm_model_of(context);
  uint32_t a, b, free = 0;
  CASE_(begin)(PAIRS_AUDIT, CASE_(state)(k), context);
#ifdef CASE_PARTIAL
  CASE_(priv_prepare_spare)(fresh, m);
  if (c->spare_ready && c->spare != fresh->spare) return "how many spare rows have spare columns";
  if (c->table_ready && c->table_spare != fresh->spare) return "how many had when the table was made";
#endif
  for (a = 0; a < n; a++) {
    if (c->place[a] != 0) return "places of rows";
    if (c->mask && c->mask[a]) continue;
    if (free >= c->free || c->list[free++] != a) return "the list of free rows";
  }
  if (c->rows_ready) {
#ifdef CASE_ROW_WEIGHT
    if (c->choices != CASE_(priv_weigh_choice)(fresh, m, fresh->choice)) return "the sum of rows' weights";
    for (a = 0; a < n; a++) {
      if (c->choice[a] != fresh->choice[a]) return "a row's weight";
    }
#endif
  }
  if (!c->table_ready) return NULL;
  CASE_(priv_fill_table)(fresh, m);
  if (!test_same_weight((double)c->total, (double)fresh->total)) return "the sum of the table";
  for (a = 0; a < n; a++) {
    if (!test_same_weight((double)c->sum[a], (double)fresh->sum[a])) return "the sum of a row";
    for (b = 0; b < n; b++) {
      if (!test_same_weight(c->table[a * n + b], fresh->table[a * n + b])) return "a weight of the table";
    }
  }
  return NULL;
}

static void CASE_(run)(uint32_t share, uint64_t seed) {
  static const uint32_t calls[] = {CALL_ROW, CALL_PAIRS_1, CALL_PAIRS_2, CALL_EXCHANGE, CALL_SWEEP, CALL_TUNED,
                                   CALL_TOUCH, CALL_TEMPER, CALL_CLAMP, CALL_MODEL, CALL_SET, CALL_CHECK};
  pairs_family f;
  memset(&f, 0, sizeof f);
  f.name = CASE_TITLE;
  f.n = f.values = pairs_model[0].n;
  f.call = calls;
  f.calls = sizeof calls / sizeof calls[0];
  f.call_name = call_name;
  f.is_step = call_is_step;
  f.begin = CASE_(begin);
  f.set = CASE_(set);
  f.go = CASE_(go);
  f.state = CASE_(state);
  f.context = CASE_(context);
  f.logp = CASE_(logp);
  f.told_logp = CASE_(told_logp);
  f.mask = perm_mask_of;
  f.audit = CASE_(audit);
  f.slack = sizeof(CASE_REAL) == sizeof(float) ? 1e-4 : 1e-9;
  pairs_run(&f, share, seed);
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_
#undef CASE
#undef CASE_TITLE
#undef CASE_REAL
#undef CASE_AS
#undef CASE_WEIGHT
#undef CASE_ROW
#undef CASE_ROW_WEIGHT
#undef CASE_NEIGHBOURS
#undef CASE_PARTIAL
#undef CASE_COLD
#undef CASE_HOT
