/* by_hand - multi-spin coding as one writes it for one lattice, next to NAME_lanes_metropolis_sweep of the same, in turns on one
 * core.
 *
 *   by_hand NAME: rows of CSV, ns a site and chain of both, 256 chains, as it is built for NAME
 *
 * The loop by hand knows that sites have four neighbours, that couplings are 1, that there is no field, and
 * one temperature for all chains. Its chains are independent, too. It must come to Kaufman's energy, or there is no
 * figure. */
#include "../common/harness.h"
#include "../../tests/exact/torus.h"

enum { SIDE_MOST = 256, TURNS = 11, CHAINS = 256, WORDS = CHAINS / 64, DIGITS = 32 };

/* ---- by the library ---------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t side;
} square;

LBP_FN uint32_t square_neighbours(const square *m, uint32_t i, uint32_t *out) {
  const uint32_t s = m->side, row = i / s * s, n = s * s;
  out[0] = row + (i + 1) % s, out[1] = row + (i + s - 1) % s, out[2] = (i + s) % n, out[3] = (i + n - s) % n;
  return 4;
}
LBP_FN uint32_t square_pairs(const square *m, uint32_t i, uint32_t *site, double *J) {
  J[0] = J[1] = J[2] = J[3] = 1;
  return square_neighbours(m, i, site);
}
LBP_FN double square_field(const square *m, uint32_t i) { return (void)m, 0.0 * i; }
LBP_FN double square_delta(const square *m, const uint8_t *x, uint32_t i) {
  uint32_t at[4];
  square_neighbours(m, i, at);
  return (x[i] ? -2.0 : 2.0) * (2 * (x[at[0]] + x[at[1]] + x[at[2]] + x[at[3]]) - 4);
}
#define LBP_NAME           square
#define LBP_MODEL_T        square
#define LBP_DELTA          square_delta
#define LBP_NEIGHBOURS     square_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_PAIRS          square_pairs
#define LBP_FIELD          square_field
#define LBP_UNIT(m)        1
#define LBP_TEMPERED
#define LBP_LANES          256
#include "../../lbp.h"

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

typedef uint64_t plane __attribute__((vector_size(CHAINS / 8)));

static plane spin[SIDE_MOST * SIDE_MOST], s0, s1; /* xorshift128+, a generator a word */

static inline plane random_plane(void) {
  const plane a = s0 ^ (s0 << 23), sum = s0 + s1;
  const plane next = a ^ s1 ^ (a >> 18) ^ (s1 >> 5);
  s0 = s1, s1 = next;
  return sum;
}

/* Of the lanes in `open` those whose coin of probability p, 32 digits, comes up: digits are compared with random bits
 * until all are decided, which is asked from the tenth on. */
static inline plane coins(plane open, uint32_t p) {
  plane yes = {0};
  for (int d = DIGITS - 1; d >= 0; d--) {
    const plane r = random_plane();
    if (p >> d & 1) {
      yes |= open & ~r;
      open &= r;
    } else {
      open &= ~r;
    }
    if (d < DIGITS - 9 && !(open[0] | open[1] | open[2] | open[3])) break;
  }
  return yes;
}

/* A Metropolis sweep; p is exp(-4 beta), the chance of a flip that breaks two bonds more than it mends. */
static void sweep_by_hand(uint32_t side, uint32_t p) {
  for (uint32_t y = 0; y < side; y++) {
    const plane *up = spin + (y ? y - 1 : side - 1) * side, *down = spin + (y + 1 < side ? y + 1 : 0) * side;
    plane *row = spin + y * side;
    for (uint32_t x = 0; x < side; x++) {
      const plane s = row[x], a = s ^ row[x ? x - 1 : side - 1], b = s ^ row[x + 1 < side ? x + 1 : 0];
      const plane c = s ^ up[x], d = s ^ down[x], none = ~(a | b | c | d);
      const plane one = (a ^ b ^ c ^ d) & ~(a & b) & ~(c & d), first = coins(one | none, p);
      const plane second = coins(none & first, p); /* a flip that breaks four needs two coins */
      row[x] = s ^ (~(one | none) | (one & first) | second);
    }
  }
}

static double energy_by_hand(uint32_t side, int chain) {
  long sum = 0;
  for (uint32_t y = 0; y < side; y++) {
    for (uint32_t x = 0; x < side; x++) {
#define AT(y, x) (spin[(y) % side * side + (x) % side][chain / 64] >> (chain % 64) & 1)
      sum += 2 - 2 * (long)(AT(y, x) ^ AT(y, x + 1)) - 2 * (long)(AT(y, x) ^ AT(y + 1, x));
    }
  }
  return (double)sum / side / side;
}

static void begin_by_hand(uint32_t side) {
  lbp_rng rng;
  lbp_rng_init(&rng, 3, 0);
  for (int k = 0; k < WORDS; k++) s0[k] = lbp_rng_u64(&rng), s1[k] = lbp_rng_u64(&rng);
  for (uint32_t i = 0; i < side * side; i++) spin[i] = random_plane();
}
static uint32_t broken(double beta) { return (uint32_t)(exp(-4 * beta) * 4294967296.0); }

/* Ends the program if the mean energy of its chains is more than 5 standard errors from Kaufman's. */
static void verify(double beta) {
  const uint32_t side = 64;
  const double d = 1e-5, exact = (torus_log_z(side, beta + d) - torus_log_z(side, beta - d)) / (2 * d) / side / side;
  double sum = 0, squares = 0;
  begin_by_hand(side);
  for (int t = 0; t < 300; t++) sweep_by_hand(side, broken(beta));
  for (int l = 0; l < CHAINS; l++) {
    const double e = energy_by_hand(side, l);
    sum += e / CHAINS, squares += e * e;
  }
  const double error = sqrt((squares - CHAINS * sum * sum) / (CHAINS - 1) / CHAINS);
  if (fabs(sum - exact) > 5 * error) {
    fprintf(stderr, "by_hand: energy %.5f +- %.5f, and not %.5f\n", sum, error, exact);
    exit(1);
  }
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static void compare(const char *name, uint32_t side, double beta) {
  static uint8_t x[SIDE_MOST * SIDE_MOST];
  static uint64_t ws[LBP_WS_LEN(SIDE_MOST * SIDE_MOST)];
  const square m = {side};
  const uint32_t n = side * side;
  const int sweeps = 1 + (int)(500000 / n);
  double betas[CHAINS], ours[TURNS], theirs[TURNS];
  square_chain chain;
  square_lanes lanes;
  uint64_t *memory;
  size_t len;
  lbp_rng rng;
  lbp_rng_init(&rng, 7, 0);
  memset(x, 0, n);
  bench_expect(square_init(&chain, n, x, ws, LBP_WS_LEN(n)), "chain");
  len = square_lanes_len(&chain, &m);
  memory = (uint64_t *)calloc(len, sizeof *memory);
  if (!memory) exit(1);
  bench_expect(square_lanes_init(&lanes, &chain, &m, CHAINS, memory, len), "lanes");
  for (int l = 0; l < CHAINS; l++) betas[l] = 0;
  bench_expect(square_lanes_temper(&lanes, betas), "temperatures");
  square_lanes_metropolis_sweep(&lanes, &rng); /* a random start */
  for (int l = 0; l < CHAINS; l++) betas[l] = beta;
  bench_expect(square_lanes_temper(&lanes, betas), "temperatures");
  begin_by_hand(side);
  for (int t = 0; t < 100; t++) square_lanes_metropolis_sweep(&lanes, &rng), sweep_by_hand(side, broken(beta));
  for (int turn = 0; turn < TURNS; turn++) {
    double start = bench_cpu_now();
    for (int t = 0; t < sweeps; t++) square_lanes_metropolis_sweep(&lanes, &rng);
    ours[turn] = 1e9 * (bench_cpu_now() - start) / sweeps / n / CHAINS;
    start = bench_cpu_now();
    for (int t = 0; t < sweeps; t++) sweep_by_hand(side, broken(beta));
    theirs[turn] = 1e9 * (bench_cpu_now() - start) / sweeps / n / CHAINS;
  }
  printf("%s,%u,%g,%.4g,%.4g\n", name, side, beta, bench_median(ours, TURNS), bench_median(theirs, TURNS));
  fflush(stdout);
  free(memory);
}

int main(int argc, char **argv) {
  (void)torus_law, (void)torus_free, (void)law_pick; /* log Z is all that is needed */
  bench_start(1);
  if (argc != 2) basic_die("by_hand NAME");
  verify(0.2);
  verify(0.3);
  compare(argv[1], 64, 0.44);
  compare(argv[1], 64, 0.8);
  compare(argv[1], 256, 0.44);
  return 0;
}
