/* Part of languages.sh: prints the same as examples/rust/ring.rs and examples/fortran/ring.f90, by C's functions
 * instead of the bridge's. */
#include "../../examples/bridge/qubo.c"

enum { N = 50, CHAINS = 4, DRAWS = 1000 };
static const double J = 0.4;

/* The same ring for a loop of steps. */
static double ring_delta(const double *j, const uint8_t *x, uint32_t i) {
  const int ones = x[(i + 1) % N] + x[(i + N - 1) % N];
  return (x[i] ? -1 : 1) * 4 * *j * (ones - 1);
}
static uint32_t ring_neighbours(const double *j, uint32_t i, uint32_t *out) {
  return (void)j, out[0] = (i + 1) % N, out[1] = (i + N - 1) % N, 2;
}
#define LBP_NAME           ring
#define LBP_MODEL_T        double
#define LBP_REAL           double
#define LBP_DELTA          ring_delta
#define LBP_NEIGHBOURS     ring_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "lbp.h"

typedef struct {
  uint64_t hash, alike, sites;
  double lp;
} sums;

/* Runs pass draw by draw, the programs read chain by chain. */
typedef struct {
  uint8_t x[CHAINS][DRAWS][N];
  double lp[CHAINS][DRAWS];
} kept;
static kept all;

static void begin(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

static void take(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  kept *k = (kept *)data;
  memcpy(k->x[chain][draw], x, N);
  k->lp[chain][draw] = values[0];
}

/* thin = 0: the default of that, and of draws, and of the state at the start. */
static int sample(qubo *q, uint64_t seed, uint32_t thin, sums *s) {
  lbp_run run;
  lbp_run_result result;
  lbp_run_init(&run);
  run.seed = seed;
  run.sampler = LBP_SAMPLER_GIBBS;
  if (thin > 0) {
    run.chains = CHAINS;
    run.draws = DRAWS;
    run.thin = thin;
    run.start = begin;
  }
  run.save_states = LBP_STATES_PASSED;
  run.on_draw = take;
  run.on_draw_data = &all;
  if (run.chains != CHAINS || run.draws != DRAWS || qubo_run(&run, q, N, &result) != LBP_OK) return 0;
  lbp_run_free(&result);
  memset(s, 0, sizeof *s);
  for (uint32_t c = 0; c < CHAINS; c++) {
    for (uint32_t d = 0; d < DRAWS; d++) {
      const uint8_t *x = all.x[c][d];
      s->lp += all.lp[c][d];
      for (uint32_t i = 0; i < N; i++, s->sites++) {
        s->hash = (s->hash * 31 + x[i]) % 1000000007;
        s->alike += x[i] == x[(i + 1) % N];
      }
    }
  }
  s->lp /= CHAINS * DRAWS;
  return 1;
}

static double bond(const sums *s) { return 2.0 * (double)s->alike / (double)s->sites - 1.0; }

/* 20 sweeps of Gibbs from zeros. */
static int steps(qubo *q) {
  static uint8_t x[N];
  static uint64_t ws[LBP_WS_LEN(N)];
  ring_chain chain;
  lbp_rng rng;
  uint32_t flips = 0;
  if (ring_init(&chain, N, x, ws, LBP_WS_LEN(N)) != LBP_OK) return 0;
  lbp_rng_init(&rng, 3, 0);
  for (int t = 0; t < 20; t++) flips += ring_gibbs_sweep(&chain, &J, &rng).jump;
  printf("20 sweeps flip %d sites; log pi %.12f\n", (int)flips, -lbp_qubo_energy(&q->it, x));
  for (uint32_t i = 0; i < N; i++) putchar('0' + x[i]);
  putchar('\n');
  return 1;
}

int main(void) {
  static uint32_t ends[4 * N];
  static double value[2 * N];
  const double t = tanh(J);
  qubo q;
  sums s, other;
  char why[1024] = "";
  memset(&q, 0, sizeof q);
  for (uint32_t i = 0; i < N; i++) {
    const uint32_t of[4] = {i, (i + 1) % N, i, i};
    memcpy(ends + 4 * i, of, sizeof of);
    value[2 * i] = -4 * J;
    value[2 * i + 1] = 4 * J;
  }
  q.n = N;
  q.m = 2 * N;
  q.ends = ends;
  q.value = value;
  if (qubo_build(&q, why) != LBP_OK || !sample(&q, 7, 5, &s)) return 1;
  printf("lbp %d.%d.%d, qubo, %d sites\n", LBP_VERSION / 10000, LBP_VERSION / 100 % 100, LBP_VERSION % 100, (int)N);
  printf("%d chains, %d draws, %d sites\n", (int)CHAINS, (int)DRAWS, (int)N);
  printf("mean log pi %.12f\n", s.lp);
  printf("mean of s_i s_i+1 %.12f, exact %.6f\n", bond(&s), (t + pow(t, N - 1)) / (1 + pow(t, N)));
  printf("draws %lu\n", (unsigned long)s.hash);
  if (!steps(&q) || !sample(&q, 1, 0, &s) || !sample(&q, 2, 0, &other)) return 1;
  printf("two threads %.12f %.12f\n", bond(&s), bond(&other));
  lbp_qubo_free(&q.it);
  return 0;
}
