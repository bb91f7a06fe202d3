/* ns a swap over ns a flip of LBP-R on the same model, with as many of them. */
#ifndef BENCH_CONSTRAINTS_SPEED_H
#define BENCH_CONSTRAINTS_SPEED_H

#include "../common/turns.h"
#include "reference.h"

/* Returns how many targets are missed. */
static int compare_speed(void) {
  static const struct { const char *name; uint32_t R; } rows[] = {{"product-k200", 52}, {"ising 0.2", 72},
                                                                  {"ising 0.4", 40}, {"g1 0.2", 25}};
  int missed = 0;
  printf("CPU time of a swap drawn by weights, over a flip's of LBP-R with as many, in ns: medians of %d turns.\n", TURNS);
  print_turns_head("weight", "swap / flip");
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    target *t = &targets[target_of(rows[k].name)];
    if (!have_target(t)) continue;
    for (int w = 0; w < WEIGHTS; w++) {
      const lbp_kernel flips = targets[target_of("product-free")].kernels[w](); /* of any quadratic model */
      contestant ours = enter(&t->kernel[w], t->model, LBP_SAMPLER_SWAP, t->n, rows[k].R);
      contestant theirs = enter(&flips, t->model, LBP_SAMPLER_LBP, t->n, rows[k].R);
      double swap[TURNS], flip[TURNS];
      char name[64];
      lbp_unit *unit = lbp_chains_unit(&ours.c, 0);
      set_start(t, unit->x, &unit->rng);
      t->kernel[w].touch(unit);
      for (int turn = FIRST_TURN; turn < TURNS; turn++) {
        take_turn(&ours);
        take_turn(&theirs);
        if (turn >= 0) swap[turn] = 2 * ours.ns, flip[turn] = theirs.ns; /* a swap proposes two sites */
      }
      snprintf(name, sizeof name, "%s, R = %u", t->name, (unsigned)rows[k].R);
      missed += print_turns(weight_names[w], name, swap, flip, 2.5);
      lbp_chains_free(&ours.c);
      lbp_chains_free(&theirs.c);
    }
  }
  return missed;
}

#endif
