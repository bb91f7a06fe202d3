/* Compares all samplers on one model, an Ising model in a random field: prints a table with a row for each.
 *
 *   cc -O3 -march=native -I.. samplers.c -lm && ./a.out
 *
 * Samplers take very different numbers of steps for the same work, so each records its state every `thin` steps.
 * ESS: effective sample size of log pi over these records; time: processor time of the sampler's steps only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lbp_models.h"
#include "lbp_stats.h"

#define LBP_NAME           ising
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#define LBP_CLOCK          LBP_BARKER
#define LBP_SWEEPS
#include "lbp.h"

enum { SIDE = 50, N = SIDE * SIDE, LOOKS = 2000, WARMUP_LOOKS = 500 };

typedef enum { RWM, ARWM, GWG, LBP1, ALBP, GIBBS, METROPOLIS, SKIP, CLOCK } sampler;

typedef struct {
  const char *name;
  sampler kind;
  int thin;
} contender;

static ising_info one_step(sampler kind, ising_chain *c, const lbp_ising *m, ising_tuner *tuner, lbp_rng *rng) {
  switch (kind) {
    case RWM: return ising_rwm_step(c, m, 1, rng);
    case GWG: return ising_gwg_step(c, m, 9, rng);
    case LBP1: return ising_lbp_step(c, m, 1, rng);
    case ARWM: return ising_arwm_step(c, m, tuner, rng);
    case ALBP: return ising_albp_step(c, m, tuner, rng);
    case METROPOLIS: return ising_metropolis_sweep(c, m, rng);
    case SKIP: return ising_skip_sweep(c, m, LBP_METROPOLIS, rng);
    case CLOCK: return ising_clock_step(c, m, 0.5, rng);
    default: return ising_gibbs_sweep(c, m, rng);
  }
}

/* Runs one sampler and prints its line; returns 0, or 1 after an error message. */
static int run(const contender *who, const lbp_ising *m) {
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN(N)];
  static double trace[LOOKS], work[LBP_ESS_WORKSPACE(LOOKS)];
  const lbp_real target = who->kind == ARWM ? LBP_TARGET_RWM : LBP_TARGET_LBP;
  ising_chain chain;
  ising_tuner tuner;
  lbp_stats stats;
  lbp_rng rng;
  clock_t spent = 0;
  double rate, jump, ess, seconds;
  int status;

  memset(x, 0, sizeof x);
  lbp_rng_init(&rng, 1, (uint64_t)who->kind);
  lbp_stats_init(&stats);
  status = ising_init(&chain, N, x, ws, LBP_WS_LEN(N));
  if (!status) status = ising_tuner_init(&tuner, N, (uint32_t)(WARMUP_LOOKS * who->thin), target);
  if (status) {
    fprintf(stderr, "samplers: %s\n", lbp_error(status));
    return 1;
  }

  for (int look = -WARMUP_LOOKS; look < LOOKS; look++) {
    const clock_t begin = clock();
    for (int t = 0; t < who->thin; t++) {
      const ising_info info = one_step(who->kind, &chain, m, &tuner, &rng);
      if (look >= 0) lbp_stats_push(&stats, info.accept, info.jump);
    }
    if (look < 0) continue;
    spent += clock() - begin;
    trace[look] = lbp_ising_logp(m, x);
  }

  status = lbp_stats_acceptance(&stats, &rate, NULL);
  if (!status) status = lbp_stats_ejd(&stats, &jump, NULL);
  if (!status) status = lbp_ess(LBP_ESS_GEYER, trace, LOOKS, work, LBP_ESS_WORKSPACE(LOOKS), &ess);
  if (status) {
    fprintf(stderr, "samplers: %s: %s\n", who->name, lbp_error(status));
    return 1;
  }
  seconds = (double)spent / CLOCKS_PER_SEC;
  printf("%-10s %9d %11.3f %9.2f %9.0f %8.3f", who->name, who->thin * LOOKS, rate, jump, ess, seconds);
  printf(seconds > 0 ? " %9.0f\n" : "         -\n", ess / seconds); /* too fast for the clock */
  return 0;
}

int main(void) {
  static const contender all[] = {{"RWM-1", RWM, 500}, {"ARWM", ARWM, 500}, {"GWG-9", GWG, 10},
                                  {"LBP-1", LBP1, 200}, {"ALBP", ALBP, 10}, {"Gibbs", GIBBS, 1},
                                  {"Metropolis", METROPOLIS, 1}, {"skip", SKIP, 1}, {"clock", CLOCK, 1}};
  lbp_ising model;
  int failed = 0;
  if (lbp_ising_random(&model, SIDE, LBP_C1, 4711) != LBP_OK) return 1;
  printf("Ising model, %d x %d spins\n", SIDE, SIDE);
  printf("%-10s %9s %11s %9s %9s %8s %9s\n", "", "steps", "acceptance", "EJD", "ESS", "s", "ESS/s");
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) failed |= run(&all[k], &model);
  lbp_ising_free(&model);
  return failed;
}
