/* Template: Gibbs sweeps of a Potts grid of SIDE x SIDE sites with STATES values, and the same by hand. Parameters:
 * STATES; GRID(name), names of what is generated. */

#define LBP_NAME           GRID(local)
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     STATES
#define LBP_CAT_DELTAS_OF(m, x, i, out) lbp_potts_deltas_k(m, x, i, STATES, out)
#define LBP_CAT_DELTA      lbp_potts_delta
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#include "../../lbp.h"

#define LBP_NAME           GRID(powers)
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     STATES
#define LBP_CAT_DELTAS_OF(m, x, i, out) lbp_potts_deltas_k(m, x, i, STATES, out)
#define LBP_CAT_POWERS_OF(m, x, i, out, power) lbp_potts_powers_k(m, x, i, STATES, out, power)
#define LBP_CAT_DELTA      lbp_potts_delta
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#include "../../lbp.h"

#define LBP_NAME           GRID(fields)
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     STATES
#define LBP_FIELDS_T       lbp_potts_fields
#define LBP_FIELDS_INIT    lbp_potts_fields_set
#define LBP_CAT_CHANGE     lbp_potts_change
#define LBP_CAT_DELTAS_OF(m, f, x, i, out) lbp_potts_fields_deltas_k(m, f, x, i, STATES, out)
#define LBP_CAT_DELTA      lbp_potts_fields_delta
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#include "../../lbp.h"

/* Numbers of neighbours by value in the bytes of a word, a table of their exponentials, and no branch. */
static void GRID(by_hand)(uint8_t *x, const float *power, lbp_rng *rng) {
  uint64_t word[SIDE];
  for (uint32_t row = 0; row < SIDE; row++) {
    uint8_t *here = x + row * SIDE;
    lbp_rng_fill(rng, word, SIDE);
    for (uint32_t col = 0; col < SIDE; col++) {
      uint64_t count = 0;
      float sums[STATES], sum = 0;
      uint32_t to = 0;
      if (row > 0) count += (uint64_t)1 << 8 * here[(int)col - SIDE];
      if (row + 1 < SIDE) count += (uint64_t)1 << 8 * here[col + SIDE];
      if (col > 0) count += (uint64_t)1 << 8 * here[col - 1];
      if (col + 1 < SIDE) count += (uint64_t)1 << 8 * here[col + 1];
      for (uint32_t v = 0; v < STATES; v++) sums[v] = sum += power[count >> 8 * v & 255];
      sum *= lbp_u01f(word[col]);
      for (uint32_t v = 0; v + 1 < STATES; v++) to += sum >= sums[v];
      here[col] = (uint8_t)to;
    }
  }
}

/* Rows of the table: by powers, by log-ratios, and with fields. */
static void GRID(compare)(FILE *csv, double beta) {
  static GRID(powers_chain) powers;
  static GRID(local_chain) local;
  static GRID(fields_chain) kept;
  static const char *const names[] = {"powers", "log-ratios", "fields"};
  static uint8_t x[4][SITES];
  lbp_potts m;
  lbp_potts_fields fields;
  float power[5];
  double ns[4][TURNS];
  const size_t words = GRID(local_ws_len)(SITES), more = GRID(fields_ws_len)(SITES);
  uint64_t *ws = (uint64_t *)basic_alloc(2 * words + more, sizeof *ws);
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
  for (int k = 0; k < 5; k++) power[k] = expf((float)(beta * k));
  bench_expect(lbp_potts_grid(&m, SIDE, SIDE, STATES, beta, 0, NULL), "Potts");
  bench_expect(lbp_potts_fields_init(&m, &fields), "fields");
  bench_expect(GRID(powers_init)(&powers, SITES, x[0], ws, words), "chain");
  bench_expect(GRID(local_init)(&local, SITES, x[1], ws + words, words), "chain");
  bench_expect(GRID(fields_init)(&kept, SITES, x[2], &fields, ws + 2 * words, more), "chain");
  for (int turn = FIRST_TURN; turn < TURNS; turn++) {
    double at[5];
    at[0] = bench_cpu_now();
    GRID(powers_gibbs_sweep)(&powers, &m, &rng);
    at[1] = bench_cpu_now();
    GRID(local_gibbs_sweep)(&local, &m, &rng);
    at[2] = bench_cpu_now();
    GRID(fields_gibbs_sweep)(&kept, &m, &rng);
    at[3] = bench_cpu_now();
    GRID(by_hand)(x[3], power, &rng);
    at[4] = bench_cpu_now();
    for (int k = 0; k < 4 && turn >= 0; k++) ns[k][turn] = 1e9 * (at[k + 1] - at[k]) / SITES;
  }
  for (int k = 0; k < 3; k++) print_sweeps(csv, "Gibbs", STATES, beta, names[k], ns[k], ns[3], 1.5);
  lbp_potts_fields_free(&fields);
  lbp_potts_free(&m);
  free(ws);
}
#undef STATES
#undef GRID
