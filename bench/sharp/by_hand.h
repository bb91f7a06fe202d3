/* Sweeps of an Ising model on a periodic grid that keeps its log-ratios as small whole numbers, next to one by hand, in
 * turns: ns a site, medians. */
#ifndef BENCH_SHARP_BY_HAND_H
#define BENCH_SHARP_BY_HAND_H

#include "../common/harness.h"

enum { HAND_TURNS = 15, HAND_KINDS = 5 };

typedef struct {
  uint32_t side, n;
  float beta;
} periodic;

LBP_INLINE uint32_t periodic_neighbours(const periodic *m, uint32_t i, uint32_t *out) {
  const uint32_t col = i % m->side;
  out[0] = col + 1 < m->side ? i + 1 : i + 1 - m->side;
  out[1] = col > 0 ? i - 1 : i + m->side - 1;
  out[2] = i + m->side < m->n ? i + m->side : i + m->side - m->n;
  out[3] = i >= m->side ? i - m->side : i + m->n - m->side;
  return 4;
}

/* The level of a site: its spin times the sum of its neighbours, plus 4. */
typedef struct {
  int8_t *level;
} periodic_fields;

LBP_FN void periodic_set(const periodic *m, periodic_fields *f, const uint8_t *x) {
  for (uint32_t i = 0; i < m->n; i++) {
    uint32_t near[4];
    int sum = 0;
    periodic_neighbours(m, i, near);
    for (int k = 0; k < 4; k++) sum += 2 * x[near[k]] - 1;
    f->level[i] = (int8_t)((2 * x[i] - 1) * sum + 4);
  }
}

LBP_INLINE void periodic_flip(const periodic *m, periodic_fields *f, const uint8_t *x, uint32_t i) {
  int8_t *level = f->level;
  uint32_t near[4];
  periodic_neighbours(m, i, near);
  level[i] = (int8_t)(8 - level[i]);
  for (int k = 0; k < 4; k++) level[near[k]] = (int8_t)(level[near[k]] + (x[near[k]] == x[i] ? 2 : -2));
}

#define LBP_NAME               periodic
#define LBP_MODEL_T            periodic
#define LBP_REAL               float
#define LBP_FIELDS_T           periodic_fields
#define LBP_FIELDS_INIT        periodic_set
#define LBP_FLIP               periodic_flip
#define LBP_DELTA(m, f, x, i)  (2 * (m)->beta * (float)(4 - (f)->level[i]))
#define LBP_LEVEL(m, f, x, i)  ((uint32_t)(f)->level[i])
#define LBP_LEVELS             9
#define LBP_NEIGHBOURS         periodic_neighbours
#define LBP_MAX_NEIGHBOURS     4
#include "../../lbp.h"

/* A sweep of Metropolis: a random word a site, from blocks as the library takes them. Returns the number of flips. */
static uint32_t hand_sweep(const periodic *m, int8_t *spin, int8_t *delta, const uint64_t *bar, lbp_rng *rng) {
  uint32_t flips = 0;
  for (uint32_t done = 0, count; done < m->n; done += count) {
    count = m->n - done;
    const uint64_t *word = lbp_rng_take(rng, &count);
    for (uint32_t k = 0; k < count; k++) {
      const uint32_t i = done + k;
      uint32_t near[4];
      if (word[k] >= bar[delta[i] + 4]) continue;
      spin[i] = (int8_t)-spin[i];
      delta[i] = (int8_t)-delta[i];
      periodic_neighbours(m, i, near);
      for (int j = 0; j < 4; j++) delta[near[j]] = (int8_t)(delta[near[j]] + 2 * spin[near[j]] * spin[i]);
      flips++;
    }
  }
  return flips;
}

/* sharp --by-hand [SIDE] */
static int compare_by_hand(uint32_t side) {
  static const double betas[] = {0.2, 0.44, 0.8, 1.2};
  static const char *const names[HAND_KINDS] = {"by hand", "Metropolis", "Gibbs", "skip Metropolis", "skip Gibbs"};
  const uint32_t n = side * side, sweeps = 4000000 / n + 1;
  uint64_t *ws = (uint64_t *)basic_alloc(periodic_ws_len(n), sizeof *ws), bar[9];
  int8_t *spin = (int8_t *)basic_alloc(n, 1), *delta = (int8_t *)basic_alloc(n, 1);
  periodic_fields f = {(int8_t *)basic_alloc(n, 1)};
  uint8_t *x = (uint8_t *)basic_alloc(n, 1);
  printf("%ux%u sites, ns a site; in brackets: flips of 1000 sites\n\n| %5s |", side, side, "beta");
  for (int k = 0; k < HAND_KINDS; k++) printf(" %20s |", names[k]);
  printf(" %-18s |\n|---:|", "Metropolis/by hand");
  for (int k = 0; k < HAND_KINDS; k++) printf("---:|");
  printf("---|\n");
  for (int b = 0; b < 4; b++) {
    const periodic m = {side, n, (float)betas[b]};
    double time[HAND_KINDS][HAND_TURNS], ratio[HAND_TURNS], flips[HAND_KINDS] = {0};
    periodic_chain c;
    lbp_rng rng;
    memset(x, 1, n), memset(spin, 1, n), memset(delta, 4, n);
    bench_expect(periodic_init(&c, n, x, &f, ws, periodic_ws_len(n)), "chain");
    lbp_rng_init(&rng, 1, (uint64_t)b);
    for (int d = -4; d <= 4; d++) bar[d + 4] = d <= 0 ? UINT64_MAX : (uint64_t)ldexp(exp(-2 * betas[b] * d), 64);
    for (int turn = -2; turn < HAND_TURNS; turn++) {
      for (int k = 0; k < HAND_KINDS; k++) {
        const double begin = bench_cpu_now();
        double sum = 0;
        for (uint32_t s = 0; s < sweeps; s++) {
          sum += k == 0   ? hand_sweep(&m, spin, delta, bar, &rng)
                 : k == 1 ? periodic_metropolis_sweep(&c, &m, &rng).jump
                 : k == 2 ? periodic_gibbs_sweep(&c, &m, &rng).jump
                          : periodic_skip_sweep(&c, &m, k == 3 ? LBP_METROPOLIS : LBP_BARKER, &rng).jump;
        }
        if (turn < 0) continue;
        time[k][turn] = (bench_cpu_now() - begin) * 1e9 / sweeps / n;
        flips[k] += sum * 1000 / sweeps / n / HAND_TURNS;
      }
      if (turn >= 0) ratio[turn] = time[1][turn] / time[0][turn];
    }
    printf("| %5g |", betas[b]);
    for (int k = 0; k < HAND_KINDS; k++) {
      lbp_sort(time[k], HAND_TURNS);
      printf(" %10.4f (%7.4g) |", time[k][HAND_TURNS / 2], flips[k]);
    }
    lbp_sort(ratio, HAND_TURNS);
    printf(" %4.2f (%.2f to %.2f) |\n", ratio[HAND_TURNS / 2], ratio[HAND_TURNS / 4], ratio[HAND_TURNS * 3 / 4]);
  }
  BENCH_FREE(ws, spin, delta, f.level, x);
  return 0;
}

#endif
