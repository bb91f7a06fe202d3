/* A ready-made model in lanes: CASE is its name, as in lbp_CASE; CASE_UNIT its LBP_UNIT. Energies are log pi up to a
 * constant, and weights that are no whole numbers are refused. Included once per model by test_lanes. */
#define READY2(name, part) ready_##name##_##part
#define READY1(name, part) READY2(name, part)
#define READY_(part)       READY1(CASE, part)
#define THEIR2(name, part) lbp_##name##part
#define THEIR1(name, part) THEIR2(name, part)
#define THEIR_(part)       THEIR1(CASE, part)

#define LBP_NAME           READY1(CASE, model)
#define LBP_MODEL_T        THEIR_()
#define LBP_REAL           lbp_real
#define LBP_DELTA          THEIR_(_delta)
#define LBP_NEIGHBOURS     THEIR_(_neighbours)
#define LBP_MAX_NEIGHBOURS 8
#define LBP_LOGP           THEIR_(_logp)
#define LBP_PAIRS          THEIR_(_pairs)
#define LBP_FIELD          THEIR_(_field)
#define LBP_UNIT(m)        CASE_UNIT
#define LBP_LANES          64
#include "../../lbp.h"

/* Returns the status of NAME_lanes_init. */
static int READY_(energies)(const THEIR_() *m, uint32_t n) {
  static uint8_t x[64];
  static uint64_t ws[LBP_WS_LEN(64)];
  static uint64_t memory[4096];
  READY_(model_chain) chain;
  READY_(model_lanes) lanes;
  const int64_t *energy;
  double zero = 0;
  uint32_t l;
  lbp_rng rng;
  int status;
  lbp_rng_init(&rng, 3, n);
  CHECK(READY_(model_init)(&chain, n, x, ws, LBP_WS_LEN(64)) == LBP_OK);
  status = READY_(model_lanes_init)(&lanes, &chain, m, 64, memory, 4096);
  if (status != LBP_OK) return status;
  CHECK(READY_(model_check)(&chain, m, 4, &rng).status == LBP_OK);
  for (l = 0; l < 5; l++) READY_(model_lanes_metropolis_sweep)(&lanes, &rng);
  energy = READY_(model_lanes_units)(&lanes);
  for (l = 0; l < 64; l++) {
    double rest;
    READY_(model_lanes_get)(&lanes, l, x);
    rest = THEIR_(_logp)(m, x) - lanes.unit * (double)energy[l];
    if (l == 0) zero = rest;
    CHECK_NEAR(rest, zero, 1e-4);
  }
  return LBP_OK;
}

#undef READY2
#undef READY1
#undef READY_
#undef THEIR2
#undef THEIR1
#undef THEIR_
#undef CASE
#undef CASE_UNIT
