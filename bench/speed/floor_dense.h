/* Flips of the dense models with fields, next to plain loops over the same rows: a part of floor.c. */
#ifndef BENCH_FLOOR_DENSE_H
#define BENCH_FLOOR_DENSE_H

#include "../../lbp/models/potts.h"
#include "../../lbp/models/qubo.h"
#include "../common/harness.h"

enum { DENSE_SITES = 1000, DENSE_ROWS = 53, DENSE_STATES = 21, DENSE_FLIPS = 4000, DENSE_TURNS = 21 };

static volatile float dense_sink;

/* What a compiler vectorises by itself: it is told that no two rows overlap. */
__attribute__((noinline)) static void add_by_hand(float *restrict to, const float *restrict row, float sign, size_t n) {
  for (size_t k = 0; k < n; k++) to[k] += sign * row[k];
}

__attribute__((noinline)) static void exchange_by_hand(float *restrict to, const float *restrict in,
                                                       const float *restrict out, size_t n) {
  for (size_t k = 0; k < n; k++) to[k] += in[k] - out[k];
}

/* ns of a flip, sites in a random order. */
static double time_qubo(const lbp_qubo_dense *m, lbp_qubo_dense_fields *f, uint8_t *x, const uint32_t *site, int by_hand) {
  const double begin = bench_cpu_now();
  for (uint32_t k = 0; k < DENSE_FLIPS; k++) {
    const uint32_t i = site[k] % DENSE_SITES;
    x[i] ^= 1;
    if (by_hand) add_by_hand(f->slope, m->row + i * m->stride, x[i] ? 1 : -1, m->stride);
    else lbp_qubo_dense_flip(m, f, x, i);
  }
  dense_sink = f->slope[0];
  return 1e9 * (bench_cpu_now() - begin) / DENSE_FLIPS;
}

static double time_potts(const lbp_potts_dense *m, lbp_potts_dense_fields *f, uint8_t *x, const uint32_t *site,
                         int by_hand) {
  const double begin = bench_cpu_now();
  for (uint32_t k = 0; k < DENSE_FLIPS; k++) {
    const uint32_t i = site[k] % DENSE_ROWS, old = x[i];
    const float *row = m->J + (size_t)i * m->states * m->stride;
    x[i] = (uint8_t)((old + 1 + (site[k] >> 16) % (DENSE_STATES - 1)) % DENSE_STATES);
    if (by_hand) exchange_by_hand(f->F, row + x[i] * m->stride, row + old * m->stride, m->stride);
    else lbp_potts_dense_change(m, f, x, i, old);
  }
  dense_sink = f->F[0];
  return 1e9 * (bench_cpu_now() - begin) / DENSE_FLIPS;
}

LBP_FN void compare_dense(const char *out, uint64_t seed) {
  static uint32_t site[DENSE_FLIPS];
  static uint8_t x[DENSE_SITES], values[DENSE_ROWS];
  static double ns[2][2][DENSE_TURNS], ratio[DENSE_TURNS];
  static const char *const names[2] = {"lbp_qubo_dense_flip", "lbp_potts_dense_change"};
  static const char *const sizes_of[2] = {"1000", "53 x 21"};
  lbp_qubo_dense qubo;
  lbp_qubo_dense_fields slopes;
  lbp_potts_dense potts;
  lbp_potts_dense_fields fields;
  lbp_qubo_terms terms;
  lbp_rng rng;
  bench_expect(lbp_qubo_terms_random(&terms, DENSE_SITES, 1, 100, seed), names[0]);
  bench_expect(lbp_qubo_dense_init(&qubo, terms.n, terms.count, terms.ends, terms.value, terms.offset), names[0]);
  bench_expect(lbp_qubo_dense_fields_init(&qubo, &slopes), names[0]);
  bench_expect(lbp_potts_dense_random(&potts, DENSE_ROWS, DENSE_STATES, 0.5, seed), names[1]);
  bench_expect(lbp_potts_dense_fields_init(&potts, &fields), names[1]);
  lbp_qubo_dense_fields_set(&qubo, &slopes, x);
  lbp_potts_dense_fields_set(&potts, &fields, values);
  lbp_rng_init(&rng, seed, 0);
  for (uint32_t k = 0; k < DENSE_FLIPS; k++) site[k] = (uint32_t)(lbp_rng_u64(&rng) >> 32);
  for (int turn = -2; turn < DENSE_TURNS; turn++) { /* those before 0 are not counted */
    for (int k = 0; k < 2; k++) {
      const int by_hand = (turn + k) & 1;
      ns[0][by_hand][turn < 0 ? 0 : turn] = time_qubo(&qubo, &slopes, x, site, by_hand);
      ns[1][by_hand][turn < 0 ? 0 : turn] = time_potts(&potts, &fields, values, site, by_hand);
    }
  }
  const bench_file csv = bench_create(out, "floor_dense.csv", "flip,size,ns,by_hand_ns,ratio,low,high");
  printf("\ndense flips with fields, next to a plain loop over the same rows, by turns\n%-24s %9s %9s %9s %7s  (quartiles)\n",
         "", "size", "ns", "by hand", "ratio");
  for (int k = 0; k < 2; k++) {
    for (int t = 0; t < DENSE_TURNS; t++) ratio[t] = ns[k][0][t] / ns[k][1][t];
    const double ours = bench_median(ns[k][0], DENSE_TURNS), hand = bench_median(ns[k][1], DENSE_TURNS);
    const double middle = bench_median(ratio, DENSE_TURNS), low = bench_quantile(ratio, DENSE_TURNS, 0.25);
    const double high = bench_quantile(ratio, DENSE_TURNS, 0.75);
    printf("%-24s %9s %9.1f %9.1f %7.2f  (%.2f to %.2f)\n", names[k], sizes_of[k], ours, hand, middle, low, high);
    fprintf(csv.to, "%s,%s,%.4f,%.4f,%.4f,%.4f,%.4f\n", names[k], sizes_of[k], ours, hand, middle, low, high);
  }
  bench_close(&csv);
  lbp_qubo_dense_fields_free(&slopes);
  lbp_qubo_dense_free(&qubo);
  lbp_qubo_terms_free(&terms);
  lbp_potts_dense_fields_free(&fields);
  lbp_potts_dense_free(&potts);
}

#endif
