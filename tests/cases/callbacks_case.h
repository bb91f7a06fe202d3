/* Template: instances whose callbacks are written as FORM says, one of each KIND of callbacks_form.h, and CASE_draws(),
 * what they draw. Parameters: FORM, CASE (the prefix). */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define KIND 1
#include "callbacks_form.h"
typedef LBP_MODEL_T CASE_ID(_model);
typedef LBP_FIELDS_T CASE_ID(_fields);
typedef LBP_RNG_T CASE_ID(_rng);
#include "../../lbp.h"
#undef KIND

#define KIND 2
#include "callbacks_form.h"
#include "../../lbp.h"
#undef KIND

#define KIND 3
#include "callbacks_form.h"
#include "../../lbp_run.h"
#undef KIND

#define KIND 4
#include "callbacks_form.h"
#include "../../lbp_ab.h"
#undef KIND

/* Hashes of the states that each kind's steps go through, with the number of words drawn and what checks and steps say
 * of it. */
static void CASE_ID(_draws)(const CASE_ID(_model) *given, uint64_t *hash) {
  static uint8_t at[SITES];
  static uint64_t ws[LBP_WS_LEN_DENSE(SITES)];
  static double room[LBP_WS_LEN_AB(SITES)];
  CASE_ID(_fields) mine;
  CASE_ID(_rng) source_of;
  counter *words = (counter *)(void *)&source_of;
  uint32_t step, R;
  counter_init(words);
  memset(&mine, 0, sizeof mine);
  {
    CASE_ID(1_chain) chain_of;
    CASE_ID(1_tuner) tuner;
    memset(at, 0, sizeof at);
    CHECK(CASE_ID(1_init)(&chain_of, SITES, at, &mine, ws, LBP_WS_LEN(SITES)) == LBP_OK);
    CHECK(CASE_ID(1_temper)(&chain_of, 0.75) == LBP_OK);
    CHECK(CASE_ID(1_tuner_init)(&tuner, SITES, 100, 0.5) == LBP_OK);
    CHECK(CASE_ID(1_check)(&chain_of, given, 3, &source_of).status == LBP_OK);
    for (step = 0; step < STEPS; step++) {
      R = CASE_ID(1_random_r)(3, &source_of);
      CASE_ID(1_lbp_step)(&chain_of, given, R, &source_of);
      CASE_ID(1_gwg_step)(&chain_of, given, R, &source_of);
      CASE_ID(1_rwm_step)(&chain_of, given, R, &source_of);
      CASE_ID(1_albp_step)(&chain_of, given, &tuner, &source_of);
      hash[0] = hashed(hash[0], at, words);
      CASE_ID(1_gibbs_sweep)(&chain_of, given, &source_of);
      hash[0] = hashed(hash[0], at, words);
    }
    CHECK(CASE_ID(1_fault)(&chain_of).status == LBP_OK);
#if LBP_CHECKED
    note = 0;
    CASE_ID(1_lbp_step)(&chain_of, given, 1, NULL);
    CHECK(note == LBP_E_NULL);
#endif
  }
  {
    CASE_ID(2_chain) chain_of, *chains = &chain_of;
    CASE_ID(_rng) *sources = &source_of;
    memset(at, 0, sizeof at);
    CHECK(CASE_ID(2_init)(&chain_of, SITES, at, &mine, ws, LBP_WS_LEN_DENSE(SITES)) == LBP_OK);
    CHECK(CASE_ID(2_check)(&chain_of, given, 3, &source_of).status == LBP_OK);
    for (step = 0; step < STEPS; step++) {
      CASE_ID(2_info) info_of;
      R = 1 + step % 4;
      CASE_ID(2_lbp_step)(&chain_of, given, R, &source_of);
      CASE_ID(2_lbp_steps)(&chains, given, &R, &sources, 1, &info_of);
      hash[1] = hashed(hash[1], at, words);
      CASE_ID(2_rwm_step)(&chain_of, given, R, &source_of);
      hash[1] = hashed(hash[1], at, words);
    }
  }
  {
    lbp_run run;
    lbp_run_result result;
    lbp_ais_result annealed;
    lbp_run_init(&run);
    run.warmup = 50;
    run.draws = 50;
    run.tempering.rungs = 2;
    CHECK(CASE_ID(3_run)(&run, given, SITES, &result) == LBP_OK);
    hash[2] = hash_of(hash[2], result.best_logp, 4 * sizeof *result.best_logp);
    hash[2] = hash_of(hash[2], &result.accept, sizeof result.accept);
    lbp_run_free(&result);
    CHECK(CASE_ID(3_ais)(&run, given, SITES, &annealed) == LBP_OK);
    hash[2] = hash_of(hash[2], &annealed.log_z, sizeof annealed.log_z);
    lbp_ais_free(&annealed);
  }
  {
    CASE_ID(4_chain) chain_of;
    CASE_ID(4_tuner) tuner;
    memset(at, 0, sizeof at);
    CHECK(CASE_ID(4_init)(&chain_of, SITES, 2, at, room, LBP_WS_LEN_AB(SITES)) == LBP_OK);
    CHECK(CASE_ID(4_tuner_init)(&tuner, 1, 100, 0.574) == LBP_OK);
    CHECK(CASE_ID(4_check)(&chain_of, given, 3, &source_of).status == LBP_OK);
    for (step = 0; step < STEPS; step++) {
      CASE_ID(4_adlp_step)(&chain_of, given, &tuner, &source_of);
      CASE_ID(4_rwm_step)(&chain_of, given, 1, &source_of);
      hash[3] = hashed(hash[3], at, words);
      CASE_ID(4_gibbs_step)(&chain_of, given, &source_of);
      hash[3] = hashed(hash[3], at, words);
    }
#if LBP_CHECKED
    note = 0;
    CASE_ID(4_gibbs_step)(&chain_of, given, NULL);
    CHECK(note == LBP_E_NULL);
#endif
  }
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef FORM
