/* Template: one model of test_known.c under every sampler of lbp.h. Before it, define KNOWN, a name, and lbp.h's
 * parameters but LBP_NAME and LBP_REAL; KNOWN_MODEL_T, and KNOWN_FIELDS_T, _INIT and _FREE where there are fields;
 * KNOWN_VALUES(m, i), the number of values of a site, where that is not 2 (categorical sites, which have two more);
 * KNOWN_EXACT 1 if the callbacks round nothing that could be fused. Gives KNOWN_run(const KNOWN_MODEL_T *m). */
#define KNOWN_PASTE2(a, b) a##_##b
#define KNOWN_PASTE(a, b)  KNOWN_PASTE2(a, b)
#define KNOWN_ID(name)     KNOWN_PASTE(KNOWN, name)
#define KNOWN_TEXT2(name)  #name
#define KNOWN_TEXT(name)   KNOWN_TEXT2(name)

#define LBP_NAME    KNOWN
#define LBP_REAL    lbp_real
#define LBP_MODEL_T KNOWN_MODEL_T
#include "../../lbp.h"

static void KNOWN_ID(one)(const KNOWN_MODEL_T *m, uint32_t sampler) {
  static const char *const name[] = {"LBP-3", "LBP-20", "GWG-4", "RWM-2",      "ALBP",
                                     "AGWG",  "ARWM",   "Gibbs", "Metropolis", "DLP"};
  static uint64_t ws[KNOWN_WORDS];
  const uint32_t steps = sampler >= 7 ? KNOWN_STEPS / 100 : KNOWN_STEPS;
  uint8_t x[KNOWN_MOST];
  uint64_t hash = KNOWN_SEED;
  KNOWN_ID(chain) c;
  KNOWN_ID(tuner) t;
#ifdef KNOWN_VALUES
  lbp_scale_tuner scale;
#endif
  lbp_rng rng;
  uint32_t k, i;
  int add_up = 1;
#ifdef KNOWN_FIELDS_T
  KNOWN_FIELDS_T fields;
  CHECK(KNOWN_FIELDS_INIT(m, &fields) == LBP_OK);
#endif
  lbp_rng_init(&rng, 2026, sampler);
#ifdef KNOWN_VALUES
  CHECK(lbp_scale_tuner_init(&scale, 0.3, KNOWN_STEPS / 200, LBP_TARGET_LBP) == LBP_OK);
  for (i = 0; i < m->n; i++) x[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(&rng), KNOWN_VALUES(m, i));
#else
  for (i = 0; i < m->n; i++) x[i] = (uint8_t)(lbp_rng_u64(&rng) >> 63);
#endif
#ifdef KNOWN_FIELDS_T
  CHECK(KNOWN_ID(init)(&c, m->n, x, &fields, ws, sizeof ws / sizeof ws[0]) == LBP_OK);
#else
  CHECK(KNOWN_ID(init)(&c, m->n, x, ws, sizeof ws / sizeof ws[0]) == LBP_OK);
#endif
  KNOWN_ID(tuner_init)(&t, m->n, KNOWN_STEPS / 10, sampler == 6 ? LBP_TARGET_RWM : LBP_TARGET_LBP);
  for (k = 0; k < steps / KNOWN_EARLY * KNOWN_PARTS; k++) {
    const KNOWN_ID(info) it = sampler == 0   ? KNOWN_ID(lbp_step)(&c, m, 3, &rng)
                              : sampler == 1 ? KNOWN_ID(lbp_step)(&c, m, 20, &rng)
                              : sampler == 2 ? KNOWN_ID(gwg_step)(&c, m, 4, &rng)
                              : sampler == 3 ? KNOWN_ID(rwm_step)(&c, m, 2, &rng)
                              : sampler == 4 ? KNOWN_ID(albp_step)(&c, m, &t, &rng)
                              : sampler == 5 ? KNOWN_ID(agwg_step)(&c, m, &t, &rng)
                              : sampler == 6 ? KNOWN_ID(arwm_step)(&c, m, &t, &rng)
#ifdef KNOWN_VALUES
                              : sampler == 8 ? KNOWN_ID(metropolis_sweep)(&c, m, &rng)
                              : sampler == 9 ? KNOWN_ID(adlp_step)(&c, m, &scale, &rng)
#endif
                                             : KNOWN_ID(gibbs_sweep)(&c, m, &rng);
    if (c.weights_ready == 1) add_up &= known_sum(c.weight, m->n) == c.urn.sums.total;
    known_add(&hash, known_bits(it.accept));
    known_add(&hash, it.jump);
    for (i = 0; i < it.jump; i++) known_add(&hash, it.sites[i]);
    if (k + 1 == steps / KNOWN_EARLY || k + 1 == steps) {
      known_settle(KNOWN_TEXT(KNOWN), name[sampler], k + 1, hash, x, m->n);
    }
  }
  CHECK(add_up); /* the weights to their sum, however the compiler rounds them */
#ifdef KNOWN_FIELDS_T
  KNOWN_FIELDS_FREE(&fields);
#endif
}

static void KNOWN_ID(run)(const KNOWN_MODEL_T *m) {
  uint32_t sampler;
  if (TEST_ALIKE && !LBP_EXACT && !KNOWN_EXACT) return;
#ifdef KNOWN_VALUES
  for (sampler = 0; sampler < 10; sampler++) KNOWN_ID(one)(m, sampler);
#else
  for (sampler = 0; sampler < 8; sampler++) KNOWN_ID(one)(m, sampler);
#endif
}

#undef KNOWN
#undef KNOWN_EXACT
#undef KNOWN_MODEL_T
#undef KNOWN_FIELDS_T
#undef KNOWN_FIELDS_INIT
#undef KNOWN_FIELDS_FREE
#undef KNOWN_VALUES
#undef KNOWN_PASTE2
#undef KNOWN_PASTE
#undef KNOWN_ID
#undef KNOWN_TEXT2
#undef KNOWN_TEXT
