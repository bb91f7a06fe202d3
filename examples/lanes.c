/* A temperature scan of the Ising model in a second: 256 chains in one word, eight ladders of 32 temperatures, by
 * multi-spin coding (LBP_LANES, ../docs/lanes.md). Prints the energy and the magnetisation per site with their
 * errors, next to Onsager's and Yang's values of the infinite lattice, and draws them.
 *
 *   cc -O3 -march=native -I.. lanes.c -lm && ./a.out scan.svg
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lbp.h"
#include "usage.h"

enum { SIDE = 64, N = SIDE * SIDE, RUNGS = 32, LADDERS = 8, CHAINS = RUNGS * LADDERS, WARMUP = 1000, SWEEPS = 3000 };

typedef struct {
  double J; /* log pi(x) = J * sum over bonds of s_i s_j; each chain has its beta */
} grid;

/* bond t joins site t / 2 to the one on its right, or below */
static uint32_t grid_bond(const grid *g, uint32_t t, uint32_t *out) {
  const uint32_t row = t / 2 / SIDE, column = t / 2 % SIDE;
  (void)g;
  out[0] = t / 2;
  out[1] = t % 2 ? (row + 1) % SIDE * SIDE + column : row * SIDE + (column + 1) % SIDE;
  return 2;
}

#define LBP_NAME          ising
#define LBP_MODEL_T       grid
#define LBP_TERM_COUNT(g) (2 * N)
#define LBP_TERM_SITES    grid_bond
#define LBP_TERM(g, t, v) ((v)[0] == (v)[1] ? (g)->J : -(g)->J)
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  4
#define LBP_UNIT(g)       (g)->J /* terms are whole numbers of it */
#define LBP_LANES         256    /* -> ising_lanes, ising_lanes_metropolis_sweep() ... */
#include "lbp.h"

/* Onsager's energy a site, -J times the sum of s_i s_j for J = 1, its elliptic integral by the arithmetic-geometric
 * mean; Yang's magnetisation. */
static double onsager(double K) {
  const double k = 2 * sinh(2 * K) / pow(cosh(2 * K), 2);
  double a = 1, b = sqrt(1 - k * k);
  int t;
  for (t = 0; t < 30; t++) {
    const double next = (a + b) / 2;
    b = sqrt(a * b);
    a = next;
  }
  return -(1 + (2 * pow(tanh(2 * K), 2) - 1) / a) / tanh(2 * K);
}
static double yang(double K) { return sinh(2 * K) > 1 ? pow(1 - pow(sinh(2 * K), -4), 0.125) : 0; }

/* Mean and standard error over the ladders, which are independent of each other. */
static double mean_of(const double *sum, int rung, double *error) {
  double mean = 0, squares = 0;
  int l;
  for (l = 0; l < LADDERS; l++) mean += sum[l * RUNGS + rung] / SWEEPS / LADDERS;
  for (l = 0; l < LADDERS; l++) squares += pow(sum[l * RUNGS + rung] / SWEEPS - mean, 2);
  *error = sqrt(squares / (LADDERS - 1) / LADDERS);
  return mean;
}

/* Measurements as bars of two standard errors, and the exact curve through them. top: the value at the top. */
static void draw_curve(FILE *f, const double *beta, const double *sum, double (*exact)(double), double top,
                       const char *colour) {
  int r;
  fprintf(f, "<path fill='none' stroke='%s' d='", colour);
  for (r = 0; r <= 400; r++) {
    const double K = beta[0] + (beta[RUNGS - 1] - beta[0]) * r / 400;
    fprintf(f, "%c%.1f %.1f", r ? 'L' : 'M', 60 + 1.3 * r, 330 - 300 * exact(K) / top);
  }
  fprintf(f, "'/>\n");
  for (r = 0; r < RUNGS; r++) {
    double error;
    const double mean = mean_of(sum, r, &error), x = 60 + 520 * (beta[r] - beta[0]) / (beta[RUNGS - 1] - beta[0]);
    fprintf(f, "<circle cx='%.1f' cy='%.1f' r='2.5' fill='%s'/><path stroke='%s' d='M%.1f %.1fV%.1f'/>\n", x,
            330 - 300 * mean / top, colour, colour, x, 330 - 300 * (mean - 2 * error) / top,
            330 - 300 * (mean + 2 * error) / top);
  }
}

/* Both, in one picture. Returns whether it failed, and says so. */
static int draw(const char *path, const double *beta, const double *energy, const double *magnetisation) {
  FILE *f = fopen(path, "w");
  int failed = !f;
  if (f) {
    fprintf(f, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 640 380' font-family='sans-serif' "
            "font-size='13'>\n<rect width='640' height='380' fill='white'/>"
            "<path fill='none' stroke='black' d='M60 30V330H580'/>\n");
    draw_curve(f, beta, energy, onsager, -2, "#1b6ca8");
    draw_curve(f, beta, magnetisation, yang, 1, "#c0392b");
    fprintf(f, "<text x='280' y='365'>inverse temperature 0.2 to 0.6</text>\n"
            "<text x='80' y='50' fill='#1b6ca8'>energy a site, 0 to -2</text>\n"
            "<text x='80' y='70' fill='#c0392b'>magnetisation a site, 0 to 1</text>\n</svg>\n");
    failed = ferror(f);
    if (fclose(f) != 0) failed = 1;
  }
  if (failed) fprintf(stderr, "lanes: %s: cannot be written\n", path);
  return failed;
}

int main(int argc, char **argv) {
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN(N)];
  static uint32_t index[LBP_TERMS_LEN(N, 2, 4)], ones[CHAINS];
  static double energy[CHAINS], magnetisation[CHAINS], beta[CHAINS];
  static ising_lanes lanes;
  const grid g = {1};
  uint64_t *memory;
  size_t len;
  ising_terms terms;
  ising_chain chain;
  lbp_rng rng;
  int t, l, status;
  if (argc > 2 || usage_is_asked(argc, argv, 1)) {
    fprintf(stderr, "usage: %s [OUT.svg]\n", argv[0]);
    return 2;
  }
  lbp_rng_init(&rng, 2026, 0);
  if (ising_terms_init(&terms, &g, N, index, sizeof index / sizeof index[0]) != LBP_OK ||
      ising_init(&chain, N, x, &terms, ws, LBP_WS_LEN(N)) != LBP_OK) {
    return 1;
  }
  if (ising_check(&chain, &g, 5, &rng).status != LBP_OK) return 1;
  len = ising_lanes_len(&chain, &g);
  memory = (uint64_t *)malloc(len * sizeof memory[0]);
  status = memory ? ising_lanes_init(&lanes, &chain, &g, CHAINS, memory, len) : LBP_E_MEMORY;
  if (status != LBP_OK) {
    fprintf(stderr, "lanes: %s\n", lbp_error(status));
    return 1;
  }
  ising_lanes_temper(&lanes, beta); /* all are 0: a random start */
  ising_lanes_metropolis_sweep(&lanes, &rng);
  for (l = 0; l < CHAINS; l++) beta[l] = 0.2 + 0.4 * (l % RUNGS) / (RUNGS - 1);
  ising_lanes_temper(&lanes, beta);
  for (t = -WARMUP; t < SWEEPS; t++) {
    const int64_t *now; /* log pi in units, up to a constant, here 0 */
    ising_lanes_metropolis_sweep(&lanes, &rng);
    ising_lanes_swap(&lanes, RUNGS, (uint32_t)(t + WARMUP) % 2, &rng);
    if (t < 0) continue;
    now = ising_lanes_units(&lanes);
    ising_lanes_ones(&lanes, ones);
    for (l = 0; l < CHAINS; l++) {
      energy[l] -= lanes.unit * (double)now[l] / N;
      magnetisation[l] += fabs(2.0 * ones[l] / N - 1);
    }
  }
  printf("  beta   energy a site        Onsager    |m|                Yang\n");
  for (l = 0; l < RUNGS; l++) {
    double e_error, m_error;
    const double e = mean_of(energy, l, &e_error), m = mean_of(magnetisation, l, &m_error);
    printf("%.4f  %.5f +- %.5f  %.5f  %.4f +- %.4f  %.4f\n", beta[l], e, e_error, onsager(beta[l]), m, m_error,
           yang(beta[l]));
  }
  free(memory);
  return argc > 1 && draw(argv[1], beta, energy, magnetisation) != 0;
}
