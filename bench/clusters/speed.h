/* Times of a site in cluster steps next to the loops of bench/compare/clusters.h, which do nothing else. */
#ifndef BENCH_CLUSTERS_SPEED_H
#define BENCH_CLUSTERS_SPEED_H

#include "../compare/clusters.h"
#include "targets.h"

enum { SPEED_TURNS = 15 };

/* Medians of turns: ns a site that steps look at, and the ratio of both. */
static int compare_row(uint32_t side, int whole) {
  static uint8_t x[2][GRID_MOST * GRID_MOST];
  double ours[SPEED_TURNS], theirs[SPEED_TURNS], ratio[SPEED_TURNS];
  double *h = (double *)basic_alloc((size_t)side * side, sizeof *h);
  magnet_chain c;
  lbp_ising m;
  lbp_rng rng[2];
  bench_expect(lbp_ising_init(&m, side, side, CRITICAL, h), "grid");
  const size_t words = magnet_ws_len(m.n);
  uint64_t *ws = (uint64_t *)basic_alloc(words, sizeof *ws);
  const uint64_t bond = bond_words(CRITICAL);
  bench_expect(magnet_init(&c, m.n, x[0], ws, words), "chain");
  for (int k = 0; k < 2; k++) lbp_rng_init(&rng[k], 62, (uint64_t)k);
  for (int k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < m.n; i++) x[k][i] = (uint8_t)(lbp_rng_u64(&rng[k]) >> 63);
    for (int step = 0; step < 200; step++) swendsen_wang_step(&m, x[k], bond, &rng[k]);
  }
  for (int turn = -2; turn < SPEED_TURNS; turn++) {
    double sites[2] = {0, 0}, seconds[2];
    for (int k = 0; k < 2; k++) {
      const double begin = bench_cpu_now();
      while (sites[k] < 1e6) {
        if (whole) sites[k] += m.n;
        if (k == 0 && whole) magnet_swendsen_wang_step(&c, &m, &rng[0]);
        else if (k == 0) sites[k] += magnet_wolff_step(&c, &m, &rng[0]).evaluations;
        else if (whole) swendsen_wang_step(&m, x[1], bond, &rng[1]);
        else sites[k] += wolff_step(&m, x[1], bond, &rng[1]);
      }
      seconds[k] = (bench_cpu_now() - begin) / sites[k];
    }
    if (turn < 0) continue;
    ours[turn] = 1e9 * seconds[0], theirs[turn] = 1e9 * seconds[1], ratio[turn] = seconds[0] / seconds[1];
  }
  printf("| %-13s | %3u^2 | %5.1f | %5.1f | %.2f |\n", whole ? "Swendsen-Wang" : "Wolff", (unsigned)side,
         bench_median(ours, SPEED_TURNS), bench_median(theirs, SPEED_TURNS), bench_median(ratio, SPEED_TURNS));
  lbp_ising_free(&m);
  BENCH_FREE(h, ws);
  return 0;
}

static int compare_speed(void) {
  bench_start(1);
  puts("| ns a site | Ising, critical | lbp | by hand | ratio |\n|---|---|---:|---:|---:|");
  for (uint32_t side = 64; side <= GRID_MOST; side *= 2) {
    for (int whole = 1; whole >= 0; whole--) compare_row(side, whole);
  }
  return 0;
}

#endif
