/* Samplers of Ising grids without field: clusters of Wolff and of Swendsen-Wang, and a Metropolis sweep by table. */
#ifndef BENCH_COMPARE_CLUSTERS_H
#define BENCH_COMPARE_CLUSTERS_H

#include "../../lbp/run/chains.h"
#include "../../lbp_models.h"

enum { GRID_MOST = 128 }; /* the longest side */

/* What a sweep or a cluster has done, added up; returns its work. These change x alone: who goes on with another row
 * touches the chain. */
LBP_INLINE double tell_sweep(const void *chain, const lbp_plan *plan, uint32_t evaluations, uint32_t flips,
                             lbp_moves *moves) {
  moves->jump += flips;
  moves->evaluations += evaluations;
  if (plan->see) plan->see(plan->see_data, chain, NULL, 0);
  return 1.0 + evaluations;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

/* A bond between equal spins holds with probability 1 - exp(-2 lambda): where a random word is below this. */
LBP_FN uint64_t bond_words(double lambda) { return (uint64_t)ldexp(-expm1(-2 * lambda), 64); }

/* U. Wolff, "Collective Monte Carlo updating for spin systems", Phys. Rev. Lett. 62 (1989): the cluster of a uniform
 * site flips. Sites flip as they join, so that none joins twice. Returns their number. */
LBP_FN uint32_t wolff_step(const lbp_ising *m, uint8_t *x, uint64_t bond, lbp_rng *rng) {
  uint32_t cluster[GRID_MOST * GRID_MOST], count = 1, near[LBP_ISING_MAX_NEIGHBOURS];
  cluster[0] = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), m->n);
  const uint8_t spin = x[cluster[0]];
  x[cluster[0]] ^= 1u;
  for (uint32_t done = 0; done < count; done++) {
    const uint32_t neighbours = lbp_ising_neighbours(m, cluster[done], near);
    for (uint32_t k = 0; k < neighbours; k++) {
      if (x[near[k]] != spin || lbp_rng_u64(rng) >= bond) continue;
      x[near[k]] ^= 1u;
      cluster[count++] = near[k];
    }
  }
  return count;
}

/* The first site of i's cluster; up: a site before i of the same cluster, or i. */
LBP_INLINE uint32_t cluster_root(uint32_t *up, uint32_t i) {
  for (; up[i] != i; i = up[i]) up[i] = up[up[i]];
  return i;
}

LBP_INLINE void cluster_join(uint32_t *up, uint32_t i, uint32_t j) {
  const uint32_t a = cluster_root(up, i), b = cluster_root(up, j);
  if (a < b) up[b] = a;
  else up[a] = b;
}

/* R. H. Swendsen and J.-S. Wang, "Nonuniversal critical dynamics in Monte Carlo simulations", Phys. Rev. Lett. 58
 * (1987): each cluster of the grid flips by a coin. Returns how many sites flip. */
LBP_FN uint32_t swendsen_wang_step(const lbp_ising *m, uint8_t *x, uint64_t bond, lbp_rng *rng) {
  uint32_t up[GRID_MOST * GRID_MOST], flips = 0;
  uint8_t flip[GRID_MOST * GRID_MOST];
  for (uint32_t i = 0; i < m->n; i++) up[i] = i;
  for (uint32_t i = 0; i < m->n; i++) {
    const uint32_t edges = m->site[i].edges, below = i + m->cols;
    if (edges & LBP_P_RIGHT && x[i] == x[i + 1] && lbp_rng_u64(rng) < bond) cluster_join(up, i, i + 1);
    if (edges & LBP_P_DOWN && x[i] == x[below] && lbp_rng_u64(rng) < bond) cluster_join(up, i, below);
  }
  for (uint32_t i = 0; i < m->n; i++) {
    flip[i] = up[i] == i ? (uint8_t)(lbp_rng_u64(rng) >> 63) : flip[up[i]];
    x[i] ^= flip[i];
    flips += flip[i];
  }
  return flips;
}

/* Rows of a kernel. What looks at a site and its bonds counts as one evaluation, as a log-ratio does. */
LBP_INLINE uint32_t cluster_steps(int whole, void *chain, const void *model, const lbp_plan *plan, uint32_t count,
                                  double limit, lbp_moves *moves) {
  const lbp_ising *m = (const lbp_ising *)model;
  const uint64_t bond = bond_words(m->lambda);
  lbp_unit *unit = (lbp_unit *)chain;
  double work = 0;
  uint32_t t;
  for (t = 0; t < count && work < limit; t++) {
    const uint32_t flips = (whole ? swendsen_wang_step : wolff_step)(m, (uint8_t *)unit->x, bond, &unit->rng);
    work += tell_sweep(chain, plan, whole ? m->n : flips, flips, moves);
  }
  return t;
}

#define CLUSTER_ROW(name, whole)                                                                                     \
  LBP_FN uint32_t name(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,            \
                       double limit, int learn, lbp_moves *moves) {                                                  \
    (void)tuner, (void)learn;                                                                                        \
    return cluster_steps(whole, chain, model, plan, count, limit, moves);                                            \
  }
CLUSTER_ROW(wolff_steps, 0)
CLUSTER_ROW(swendsen_wang_steps, 1)

/* ---- Metropolis by table ----------------------------------------------------------------------------------------- */

/* On a square grid whose side is a multiple of 4: a flip's log-ratio is -2 lambda level, level = spin x sum of
 * neighbours, so that four probabilities are all there is. A random number below `count` of them reaches the levels up
 * to that: the look-up turned round, and a loop of integer comparisons. It has no dependences, since it takes one colour
 * of the checkerboard after the other, whose sites don't see each other. Each has its own rows, spins +-1 between
 * borders of zeros. */
typedef struct {
  int32_t below[4]; /* 2^31 exp(-2 lambda level) at levels 1 to 4 */
  int8_t spin[2][(GRID_MOST + 2) * (GRID_MOST / 2 + 2)];
} checkerboard;

LBP_FN void checkerboard_init(checkerboard *b, double lambda) {
  memset(b, 0, sizeof *b);
  for (int level = 1; level <= 4; level++) b->below[level - 1] = (int32_t)(ldexp(exp(-2 * lambda * level), 31));
}

/* Takes spins from a state, or gives them back. */
LBP_FN void checkerboard_copy(checkerboard *b, uint32_t side, uint8_t *restrict x, int back) {
  const uint32_t half = side / 2, stride = half + 2;
  for (uint32_t row = 0; row < side; row++, x += side) {
    int8_t *even = b->spin[row % 2] + (row + 1) * stride + 1, *odd = b->spin[1 - row % 2] + (row + 1) * stride + 1;
    for (uint32_t k = 0; k < half; k++) { /* columns */
      if (back) {
        x[2 * k] = even[k] > 0;
        x[2 * k + 1] = odd[k] > 0;
      } else {
        even[k] = (int8_t)(2 * x[2 * k] - 1);
        odd[k] = (int8_t)(2 * x[2 * k + 1] - 1);
      }
    }
  }
}

/* Updates half a row of spins, given the other colour's rows above, beside and below, and how far on its second
 * neighbour beside it is. */
LBP_INLINE uint32_t checkerboard_update(uint32_t half, int8_t *restrict spin, const int8_t *restrict above, int side,
                                        const int32_t *below, const uint32_t *restrict random) {
  const int8_t *level = above + half + 2, *beside = level + side, *under = level + half + 2;
  const int32_t p1 = below[0], p2 = below[1], p3 = below[2], p4 = below[3];
  uint32_t flips = 0;
  for (uint32_t k = 1; k <= half; k++) {
    const int32_t draw = (int32_t)(random[k - 1] >> 1);
    const int count = (draw < p1) + (draw < p2) + (draw < p3) + (draw < p4);
    const int flip = spin[k] * (above[k] + level[k] + beside[k] + under[k]) <= count;
    spin[k] = (int8_t)(spin[k] * (1 - 2 * flip));
    flips += (uint32_t)flip;
  }
  return flips;
}

LBP_INLINE uint32_t checkerboard_pass(uint32_t side, checkerboard *b, lbp_rng *rng) {
  uint64_t word[GRID_MOST * GRID_MOST / 4]; /* 32 bits a site */
  uint32_t random[GRID_MOST / 2], flips = 0;
  const uint32_t half = side / 2, stride = half + 2;
  for (uint32_t colour = 0; colour < 2; colour++) {
    lbp_rng_fill(rng, word, side * half / 2);
    for (uint32_t row = 0; row < side; row++) {
      memcpy(random, word + row * half / 2, half * sizeof *random);
      flips += checkerboard_update(half, b->spin[colour] + (row + 1) * stride, b->spin[1 - colour] + row * stride,
                                   (row + colour) % 2 ? 1 : -1, b->below, random);
    }
  }
  return flips;
}

/* Loops of a length that the compiler knows are faster. */
LBP_FN uint32_t checkerboard_sweep(checkerboard *b, uint32_t side, lbp_rng *rng) {
  switch (side) {
    case 32: return checkerboard_pass(32, b, rng);
    case 64: return checkerboard_pass(64, b, rng);
    case 128: return checkerboard_pass(128, b, rng);
    default: return checkerboard_pass(side, b, rng);
  }
}

LBP_FN uint32_t checkerboard_metropolis(void *chain, const void *model, const lbp_plan *plan, void *tuner,
                                        uint32_t count, double limit, int learn, lbp_moves *moves) {
  const lbp_ising *m = (const lbp_ising *)model;
  lbp_unit *unit = (lbp_unit *)chain;
  uint8_t *x = (uint8_t *)unit->x;
  checkerboard b;
  double work = 0;
  uint32_t t;
  (void)tuner, (void)learn;
  checkerboard_init(&b, m->lambda);
  checkerboard_copy(&b, m->cols, x, 0);
  for (t = 0; t < count && work < limit; t++) {
    const uint32_t flips = checkerboard_sweep(&b, m->cols, &unit->rng);
    if (plan->see) checkerboard_copy(&b, m->cols, x, 1);
    work += tell_sweep(chain, plan, plan->n, flips, moves);
  }
  checkerboard_copy(&b, m->cols, x, 1);
  return t;
}

#endif
