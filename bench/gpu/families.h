/* One chain of each family of samplers, on the host or on a GPU: the same draws, as their hashes tell. A plain C++
 * compiler takes it, too. */
#ifndef GPU_FAMILIES_H
#define GPU_FAMILIES_H

#if defined __CUDACC__ && !defined LBP_FN
#define LBP_FN static inline __host__ __device__
#endif
#include "../../lbp.h"

enum { FAMILY_SITES = 96, FAMILY_STEPS = 240, FAMILY_ROWS = 24 };
#define FAMILY_VALUES 5

/* A chain of spins in a field. */
typedef struct { double coupling, field; } line;

LBP_FN int line_near(const uint8_t *x, uint32_t i) { /* how many of the two neighbours are 1; none beyond the ends */
  return (i > 0 ? x[i - 1] : 0) + (i + 1 < FAMILY_SITES ? x[i + 1] : 0);
}
LBP_FN double line_delta(const line *m, const uint8_t *x, uint32_t i) {
  const double up = m->coupling * (2 * line_near(x, i) - 2) + m->field;
  return x[i] ? -up : up;
}
LBP_FN uint32_t line_neighbours(const line *m, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  (void)m;
  if (i > 0) out[count++] = i - 1;
  if (i + 1 < FAMILY_SITES) out[count++] = i + 1;
  return count;
}

#define LBP_NAME            spins
#define LBP_MODEL_T         line
#define LBP_DELTA           line_delta
#define LBP_NEIGHBOURS      line_neighbours
#define LBP_MAX_NEIGHBOURS  2
#define LBP_SWEEPS
#define LBP_LEVEL(m, x, i)  (3 * (x)[i] + line_near(x, i))
#define LBP_LEVELS          6
#define LBP_CLOCK           LBP_BARKER
#define LBP_PATH
#define LBP_TEMPERED
#define LBP_CLAMPED
#include "../../lbp.h"

/* The same in blocks with a fixed number of ones, and no two ones next to each other: often there are fewer swaps than a
 * step asks for. */
LBP_FN double blocks_delta(const line *m, const uint8_t *x, uint32_t i) {
  const uint64_t bits = UINT64_C(0xfff0000000000000);
  double never; /* log 0 */
  memcpy(&never, &bits, sizeof never);
  if (line_near(x, i) > 0) return x[i] ? -never : never;
  return x[i] ? -m->field * (i % 7) : m->field * (i % 7);
}

#define LBP_NAME            blocks
#define LBP_MODEL_T         line
#define LBP_DELTA           blocks_delta
#define LBP_NEIGHBOURS      line_neighbours
#define LBP_MAX_NEIGHBOURS  2
#define LBP_GROUP(m, i)     ((i) / 16)
#define LBP_GROUP_ONES(m, g) (3 + (g) % 2)
#define LBP_TEMPERED
#include "../../lbp.h"

/* The same line of sites with several values: neighbours like to differ by at most one. */
LBP_FN void shades_deltas(const line *m, const uint8_t *x, uint32_t i, double *out) {
  double here = 0;
  for (uint32_t v = 0; v < FAMILY_VALUES; v++) {
    const int before = i > 0 ? (int)v - x[i - 1] : 0, after = i + 1 < FAMILY_SITES ? (int)v - x[i + 1] : 0;
    const int apart = before * before + after * after;
    out[v] = m->field * (double)v - m->coupling * (double)apart;
    if (v == x[i]) here = out[v];
  }
  for (uint32_t v = 0; v < FAMILY_VALUES; v++) out[v] -= here;
}

#define LBP_NAME            shades
#define LBP_MODEL_T         line
#define LBP_CAT_STATES      FAMILY_VALUES
#define LBP_CAT_DELTAS_OF   shades_deltas
#define LBP_NEIGHBOURS      line_neighbours
#define LBP_MAX_NEIGHBOURS  2
#define LBP_TEMPERED
#include "../../lbp.h"

/* Costs of an assignment, by arithmetic instead of a table. */
LBP_FN double order_cost(uint32_t row, uint32_t column) {
  return (double)((row * 37 + column * 101 + row * column) % 23);
}
LBP_FN double order_exchange(const line *m, const uint32_t *s, uint32_t a, uint32_t b) {
  const double before = order_cost(a, s[a]) + order_cost(b, s[b]), after = order_cost(a, s[b]) + order_cost(b, s[a]);
  return m->field * (before - after);
}

#define LBP_NAME            order
#define LBP_MODEL_T         line
#define LBP_EXCHANGE        order_exchange
#include "../../lbp_perm.h"

/* What a chain needs, and a hash of all its states for each family; 0: it could not begin. */
enum { FAMILIES = 4, FAMILY_WS = 8192 };
typedef struct {
  uint64_t hash[FAMILIES], ws[FAMILY_WS];
  uint32_t row[FAMILY_ROWS];
  uint8_t x[FAMILY_SITES], clamp[FAMILY_SITES];
} family;

LBP_FN uint64_t family_mix(uint64_t hash, const void *state, uint32_t bytes) { /* FNV-1a */
  const uint8_t *byte = (const uint8_t *)state;
  for (uint32_t k = 0; k < bytes; k++) hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
  return hash;
}

LBP_FN uint64_t family_spins(family *f, const line *m, lbp_rng *rng) {
  spins_chain c;
  spins_tuner tuner;
  uint64_t hash = 1;
  for (uint32_t i = 0; i < FAMILY_SITES; i++) f->x[i] = i % 3 == 0, f->clamp[i] = i % 11 == 5;
  if (spins_init(&c, FAMILY_SITES, f->x, f->ws, FAMILY_WS) != LBP_OK) return 0;
  if (spins_tuner_init(&tuner, FAMILY_SITES, FAMILY_STEPS / 4, LBP_TARGET_LBP) != LBP_OK) return 0;
  for (uint32_t t = 0; t < FAMILY_STEPS; t++) {
    if (t == FAMILY_STEPS / 3 && spins_temper(&c, 0.6) != LBP_OK) return 0;
    if (t == FAMILY_STEPS / 2 && spins_clamp(&c, f->clamp) != LBP_OK) return 0;
    switch (t % 8) {
      case 0: spins_albp_step(&c, m, &tuner, rng); break;
      case 1: spins_gwg_step(&c, m, 1 + t % 5, rng); break;
      case 2: spins_rwm_step(&c, m, 2, rng); break;
      case 3: spins_gibbs_sweep(&c, m, rng); break;
      case 4: spins_metropolis_sweep(&c, m, rng); break;
      case 5: spins_skip_sweep(&c, m, LBP_BARKER, rng); break;
      case 6: spins_clock_step(&c, m, 0.25, rng); break;
      default: spins_path_step(&c, m, 1 + t % 6, rng);
    }
    hash = family_mix(hash, f->x, FAMILY_SITES);
  }
  return hash;
}

LBP_FN uint64_t family_blocks(family *f, const line *m, lbp_rng *rng) {
  blocks_chain c;
  uint64_t hash = 1;
  for (uint32_t i = 0; i < FAMILY_SITES; i++) f->x[i] = i % 2 == 0 && i % 16 / 2 < 3 + i / 16 % 2;
  if (blocks_init(&c, FAMILY_SITES, f->x, f->ws, FAMILY_WS) != LBP_OK) return 0;
  for (uint32_t t = 0; t < FAMILY_STEPS; t++) {
    if (t == FAMILY_STEPS / 2 && blocks_temper(&c, 0.5) != LBP_OK) return 0;
    if (t % 4 < 2) blocks_swap_step(&c, m, 1 + t % 25, rng);
    else if (t % 4 == 2) blocks_swap_sweep(&c, m, rng);
    else blocks_kawasaki_step(&c, m, rng);
    hash = family_mix(hash, f->x, FAMILY_SITES);
  }
  return hash;
}

LBP_FN uint64_t family_shades(family *f, const line *m, lbp_rng *rng) {
  shades_chain c;
  uint64_t hash = 1;
  for (uint32_t i = 0; i < FAMILY_SITES; i++) f->x[i] = (uint8_t)(i % FAMILY_VALUES);
  if (shades_init(&c, FAMILY_SITES, f->x, f->ws, FAMILY_WS) != LBP_OK) return 0;
  for (uint32_t t = 0; t < FAMILY_STEPS; t++) {
    if (t == FAMILY_STEPS / 2 && shades_temper(&c, 0.5) != LBP_OK) return 0;
    switch (t % 4) {
      case 0: shades_lbp_step(&c, m, 1 + t % 9, rng); break;
      case 1: shades_gwg_step(&c, m, 2, rng); break;
      case 2: shades_rwm_step(&c, m, 2, rng); break;
      default: shades_gibbs_sweep(&c, m, rng);
    }
    hash = family_mix(hash, f->x, FAMILY_SITES);
  }
  return hash;
}

LBP_FN uint64_t family_order(family *f, const line *m, lbp_rng *rng) {
  order_chain c;
  uint64_t hash = 1;
  for (uint32_t a = 0; a < FAMILY_ROWS; a++) f->row[a] = a;
  if (order_init(&c, FAMILY_ROWS, f->row, f->ws, FAMILY_WS) != LBP_OK) return 0;
  for (uint32_t t = 0; t < FAMILY_STEPS; t++) {
    if (t % 3 == 0) order_row_step(&c, m, rng);
    else if (t % 3 == 1) order_pairs_step(&c, m, 1 + t % 4, rng);
    else order_exchange_sweep(&c, m, rng);
    hash = family_mix(hash, f->row, sizeof f->row);
  }
  return hash;
}

/* Runs chain k of all families. */
LBP_FN void family_run(family *f, uint32_t k) {
  const line m = {0.7, 0.15};
  lbp_rng rng;
  lbp_rng_init(&rng, 5, 4 * k);
  f->hash[0] = family_spins(f, &m, &rng);
  lbp_rng_init(&rng, 5, 4 * k + 1);
  f->hash[1] = family_blocks(f, &m, &rng);
  lbp_rng_init(&rng, 5, 4 * k + 2);
  f->hash[2] = family_shades(f, &m, &rng);
  lbp_rng_init(&rng, 5, 4 * k + 3);
  f->hash[3] = family_order(f, &m, &rng);
}

#endif
