/* Effective samples per second of all samplers on a target, of the distance to x0: a chain of each, by turns, for the same
 * CPU time. */
#ifndef BENCH_CONSTRAINTS_RACE_H
#define BENCH_CONSTRAINTS_RACE_H

#include "best.h"

/* By hand or of the library; which targets they are for; R 0: tuned, where there is one. */
typedef struct {
  const char *name;
  int targets;
  sampler_name sampler;
  int weight;
  double R;
} entrant;

enum { QUADRATIC = 1, EIGHTS = 2, SELECTION = 4, GROUPED = 7, MATCHING = 8, LOOSE = 16 };

static const entrant entrants[] = {
  {"Kawasaki in plain C", QUADRATIC, {"", -1, plain_kawasaki, 0, 0}, BARKER, 0},
  {"Kawasaki", GROUPED, {"", LBP_SAMPLER_KAWASAKI, NULL, 0, 0}, BARKER, 0},
  {"Kawasaki sweep", GROUPED, {"", LBP_SAMPLER_SWAP_SWEEP, NULL, 0, 0}, BARKER, 0},
  {"swap t/(1+t) R = 1", GROUPED, {"", LBP_SAMPLER_SWAP, NULL, 0, 0}, BARKER, 1},
  {"swap sqrt(t) R = 1", GROUPED, {"", LBP_SAMPLER_SWAP, NULL, 0, 0}, SQRT, 1},
  {"swap t/(1+t) tuned", GROUPED, {"", LBP_SAMPLER_SWAP, NULL, 0, 0}, BARKER, 0},
  {"swap sqrt(t) tuned", GROUPED, {"", LBP_SAMPLER_SWAP, NULL, 0, 0}, SQRT, 0},
  {"remove-add t/(1+t) R = 50", QUADRATIC | EIGHTS, {"", LBP_SAMPLER_SWAP_PATH, NULL, 0, 0}, BARKER, 50},
  {"remove-add sqrt(t) R = 50", QUADRATIC | EIGHTS, {"", LBP_SAMPLER_SWAP_PATH, NULL, 0, 0}, SQRT, 50},
  {"exchange in plain C", MATCHING, {"", -1, one_exchange, 1, 0}, BARKER, 0},
  {"exchange sweep", MATCHING, {"", LBP_SAMPLER_EXCHANGE, NULL, 1, 0}, BARKER, 0},
  {"row t/(1+t)", MATCHING, {"", LBP_SAMPLER_ROW, NULL, 1, 0}, BARKER, 0},
  {"row by cost t/(1+t)", MATCHING, {"", LBP_SAMPLER_ROW, NULL, 1, 0}, WEIGHTS + BARKER, 0},
  {"pairs t/(1+t) R = 1", MATCHING, {"", LBP_SAMPLER_PAIRS, NULL, 1, 0}, BARKER, 1},
  {"pairs t/(1+t) tuned", MATCHING, {"", LBP_SAMPLER_PAIRS, NULL, 1, 0}, BARKER, 0},
  {"pairs sqrt(t) tuned", MATCHING, {"", LBP_SAMPLER_PAIRS, NULL, 1, 0}, SQRT, 0},
  {"Gibbs sweep", LOOSE, {"", LBP_SAMPLER_GIBBS, NULL, 0, 0}, BARKER, 0},
  {"LBP t/(1+t) R = 1", LOOSE, {"", LBP_SAMPLER_LBP, NULL, 0, 0}, BARKER, 1},
  {"LBP t/(1+t) tuned", LOOSE, {"", LBP_SAMPLER_LBP, NULL, 0, 0}, BARKER, 0},
  {"LBP sqrt(t) tuned", LOOSE, {"", LBP_SAMPLER_LBP, NULL, 0, 0}, SQRT, 0},
  {"path t/(1+t) R = 31", LOOSE, {"", LBP_SAMPLER_PATH, NULL, 0, 0}, BARKER, 31},
  {"path t/(1+t) R = 301", LOOSE, {"", LBP_SAMPLER_PATH, NULL, 0, 0}, BARKER, 301}};

enum { ENTRANTS = sizeof entrants / sizeof entrants[0], LOOKS = 1 << 20 };

typedef struct { double ess, seconds, steps, accept, evaluations; } outcome; /* ess -1: there is none */
enum { OUTCOME = sizeof(outcome) / sizeof(double) };

static int enters(const entrant *e, const target *t) {
  const int kind = is_matching(t) ? MATCHING : t->make == make_selection ? SELECTION : t->group == 0 ? LOOSE
                   : t->group < t->n ? EIGHTS : QUADRATIC;
  return (e->targets & kind) != 0;
}

/* After a warm-up of as much time, so many seconds of CPU time, with up to LOOKS looks at the distance. */
static outcome run_race(const target *t, const entrant *e, double seconds, uint64_t seed, uint32_t stream) {
  double *trace = (double *)basic_alloc(LOOKS, sizeof *trace), begin, spent;
  outcome out = {.ess = -1};
  uint32_t apart = 1, looks = 0;
  uint64_t steps = 0;
  walker w;
  walker_make(&w, t, &e->sampler, e->weight, e->R, 2048, seed, stream);
  begin = bench_cpu_now();
  for (uint32_t block = 16; (spent = bench_cpu_now() - begin) < seconds; block *= spent < seconds / 4 ? 2 : 1) {
    walker_walk(&w, block, NULL);
    steps += block;
  }
  if ((double)steps > LOOKS) apart = (uint32_t)((double)steps / LOOKS) + 1;
  walker_reset(&w);
  begin = bench_cpu_now();
  while (looks < LOOKS && (looks % 64 || bench_cpu_now() - begin < seconds)) {
    walker_walk(&w, apart, NULL);
    trace[looks++] = w.seen.distance;
  }
  out.seconds = bench_cpu_now() - begin;
  out.steps = (double)looks * apart;
  out.ess = bench_ess(trace, looks);
  out.accept = w.accept / out.steps;
  out.evaluations = w.evaluations;
  walker_free(&w);
  free(trace);
  return out;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

enum { PER_SECOND, PER_1000_EVALUATIONS, NS, RACE_ACCEPTANCE, ENOUGH, FIGURES };

/* Of all chains; ENOUGH: effective samples of a chain. Where there are no evaluations, negative. */
static void figures_of(const outcome *const *chain, uint32_t chains, int row, estimate figure[FIGURES]) {
  double value[FIGURES][REFERENCE_MOST];
  for (uint32_t k = 0; k < chains; k++) {
    const outcome *o = &chain[k][row];
    const double ess = o->ess > 0 ? o->ess : 0;
    value[PER_SECOND][k] = ess / o->seconds;
    value[PER_1000_EVALUATIONS][k] = o->evaluations > 0 ? 1000 * ess / o->evaluations : -1;
    value[NS][k] = 1e9 * o->seconds / o->steps;
    value[RACE_ACCEPTANCE][k] = o->accept;
    value[ENOUGH][k] = ess;
  }
  for (int f = 0; f < FIGURES; f++) figure[f] = bench_estimate(value[f], chains);
}

#endif
