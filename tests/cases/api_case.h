/* Template: one instance of lbp.h and the tests of test_api.c for any of them. Parameters: those of lbp.h but for
 * LBP_NAME, and CASE (the prefix), CASE_MODEL, CASE_REAL, CASE_RNG. */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)

#define LBP_NAME    CASE
#define LBP_MODEL_T CASE_MODEL
#define LBP_REAL    CASE_REAL
#include "../../lbp.h"

#include "chain_case.h"

/* The law of the tuner: R_t, the freeze, the random rounding. */
LBP_FN void CASE_ID(_test_tuner)(CASE_RNG *rng) {
  static CASE_REAL r[1000];
  CASE_ID(_tuner) t;
  CASE_REAL expected = 1, mean = 0;
  const double tolerance = sizeof(CASE_REAL) == sizeof(float) ? 1e-4 : 1e-12;
  double sum = 0;
  uint32_t k, warmup;
  int bounds = 1, exact = 1;

  CHECK(CASE_ID(_tuner_init)(NULL, 10, 10, (CASE_REAL)0.5) == LBP_E_NULL);
  CHECK(CASE_ID(_tuner_init)(&t, 0, 10, (CASE_REAL)0.5) == LBP_E_SIZE);
  CHECK(CASE_ID(_tuner_init)(&t, LBP_MAX_SITES + 1, 10, (CASE_REAL)0.5) == LBP_E_SIZE);
  CHECK(CASE_ID(_tuner_init)(&t, 10, 10, 0) == LBP_E_RANGE);
  CHECK(CASE_ID(_tuner_init)(&t, 10, 10, 1) == LBP_E_RANGE);
  CHECK(CASE_ID(_tuner_init)(&t, 10, 10, (CASE_REAL)-0.5) == LBP_E_RANGE);
  CHECK(CASE_ID(_tuner_init)(&t, 10, 10, (CASE_REAL)not_a_number()) == LBP_E_RANGE);

  /* (22) to the letter: growth 0, eta 1; away from the bounds */
  CHECK(CASE_ID(_tuner_init)(&t, 100000, 1000, (CASE_REAL)0.25) == LBP_OK);
  CHECK(t.r == 1 && t.eta == 1 && t.step == 0 && t.warmup == 1000);
  t.growth = 0;
  for (k = 0; k < 999; k++) {
    const CASE_REAL accept = (CASE_REAL)(k % 7) / 8 + (CASE_REAL)0.25;
    expected += accept - t.target;
    CASE_ID(_tuner_update)(&t, accept);
    exact &= t.r == expected;
  }
  CHECK(exact);

  /* with growth: the larger gain; bounds; the mean of the second half; frozen after that */
  for (warmup = 1; warmup <= 1000; warmup = warmup * 3 + 4) {
    CHECK(CASE_ID(_tuner_init)(&t, 50, warmup, (CASE_REAL)0.574) == LBP_OK);
    for (k = 0, sum = 0, exact = 1; k < warmup; k++) {
      const CASE_REAL accept = k % 100 < 60 ? 1 : (CASE_REAL)0.125 * (CASE_REAL)(k % 4);
      const CASE_REAL gain = t.r * t.growth > t.eta ? t.r * t.growth : t.eta;
      r[k] = t.r + gain * (accept - t.target);
      r[k] = r[k] < 1 ? 1 : r[k] > (CASE_REAL)49.5 ? (CASE_REAL)49.5 : r[k];
      CASE_ID(_tuner_update)(&t, accept);
      if (k + 1 < warmup) exact &= fabs((double)(t.r - r[k])) <= tolerance;
      bounds &= t.r >= 1 && t.r <= (CASE_REAL)49.5;
      if (k >= warmup / 2) sum += (double)r[k];
    }
    CHECK(exact);
    CHECK_NEAR(t.r, sum / (double)(warmup - warmup / 2), 50 * tolerance);
    mean = t.r;
    CASE_ID(_tuner_update)(&t, 1);
    CASE_ID(_tuner_update)(&t, 0);
    CHECK(t.r == mean && t.step == warmup);
  }
  CHECK(bounds);

  CHECK(CASE_ID(_tuner_init)(&t, 50, 0, (CASE_REAL)0.5) == LBP_OK); /* no warm-up: R stays what it is set to */
  t.r = 7;
  CASE_ID(_tuner_update)(&t, 1);
  CHECK(t.r == 7);

  /* random rounding: a Bernoulli mean of API_DRAWS draws, 6 standard errors, false alarm 2e-9 */
  for (k = 0; k < 3; k++) {
    static const double at[3] = {1.0, 7.25, 49.4375};
    uint32_t d, least = 1000, most = 0;
    t.r = (CASE_REAL)at[k];
    for (d = 0, sum = 0; d < API_DRAWS; d++) {
      const uint32_t R = CASE_ID(_tuner_draw)(&t, rng);
      sum += R;
      if (R < least) least = R;
      if (R > most) most = R;
    }
    CHECK_NEAR(sum / API_DRAWS, at[k], 6 * 0.5 / sqrt((double)API_DRAWS) * (at[k] > 1));
    CHECK(least == (uint32_t)at[k] && most == least + (at[k] > 1));
  }

  /* random_r: mean (variance at most 1/4 + 1/12 + ... < 1/2; 6 standard errors), range, parities */
  for (k = 0; k < 7; k++) {
    static const double at[7] = {-3, 1, 1.25, 1.5, 2, 7.75, 1000};
    const double want = at[k] < 1 ? 1 : at[k];
    uint32_t d, odd = 0;
    int range = 1;
    for (d = 0, sum = 0; d < API_DRAWS; d++) {
      const uint32_t R = CASE_ID(_random_r)((CASE_REAL)at[k], rng);
      sum += R;
      odd += R % 2;
      range &= R >= 1 && fabs(R - want) < 2;
    }
    CHECK(range);
    CHECK_NEAR(sum / API_DRAWS, want, 6 * sqrt(0.5 / API_DRAWS));
    if (want > 1) CHECK(odd > API_DRAWS / 10 && odd < API_DRAWS - API_DRAWS / 10);
  }
  if (sizeof(CASE_REAL) == sizeof(double)) CHECK(CASE_ID(_random_r)((CASE_REAL)1e30, rng) >= LBP_MAX_SITES - 1);
  for (k = 0; k < 4; k++) { /* even and odd, however large n is */
    static const uint32_t sites[4] = {4194303, 4194304, 20000001, LBP_MAX_SITES};
    uint32_t d, odd = 0, odd_r = 0;
    CHECK(CASE_ID(_tuner_init)(&t, sites[k], 10, (CASE_REAL)0.5) == LBP_OK);
    t.r = t.largest;
    for (d = 0; d < 200; d++) {
      odd += CASE_ID(_tuner_draw)(&t, rng) % 2;
      odd_r += CASE_ID(_random_r)((CASE_REAL)sites[k], rng) % 2;
    }
    CHECK(odd > 50 && odd < 150 && odd_r > 0 && odd_r < 200);
    CHECK(t.largest < (CASE_REAL)sites[k]);
  }
  CHECK(CASE_ID(_random_r)((CASE_REAL)-1e30, rng) == 1);
}

/* The jump distance per unit of cost at R, times a constant: acceptance 2 Phi(-scale R^power). */
LBP_FN double CASE_ID(_benefit)(double R, double scale, double power, double site_cost) {
  return R * erfc(scale * pow(R, power) / sqrt(2)) / (1 + site_cost * R);
}

/* Where a tuner that gets the acceptance of its R comes to rest, against the best R by search. */
LBP_FN void CASE_ID(_test_optimum)(double target, double scale, double power, double site_cost) {
  CASE_ID(_tuner) t;
  double best = 0, best_r = 0, R;
  uint32_t k;
  CHECK(CASE_ID(_tuner_init)(&t, 100000, UINT32_MAX, (CASE_REAL)target) == LBP_OK);
  CHECK(CASE_ID(_tuner_cost)(&t, 8, (CASE_REAL)(3 + 24 * site_cost), 64, (CASE_REAL)(3 + 192 * site_cost)) == LBP_OK);
  for (k = 0; k < 5000; k++) {
    CASE_ID(_tuner_update)(&t, (CASE_REAL)erfc(scale * pow((double)t.r, power) / sqrt(2)));
  }
  for (R = 1; R < 1000; R *= 1.001) {
    const double benefit = CASE_ID(_benefit)(R, scale, power, site_cost);
    if (benefit <= best) continue;
    best = benefit;
    best_r = R;
  }
  CHECK_NEAR(CASE_ID(_benefit)((double)t.r, scale, power, site_cost) / best, 1, 0.0002);
  CHECK_NEAR((double)t.r / best_r, 1, 0.01);
}

/* Costs that do not count: wrong ones change nothing, equal ones leave the tuner as it is without any. */
LBP_FN void CASE_ID(_test_cost)(void) {
  static const double wrong[][4] = {{0, 1, 2, 2}, {-1, 1, 2, 2}, {2, 1, 2, 2}, {3, 1, 2, 2},
                                    {1, 0, 2, 2}, {1, -1, 2, 2}, {1, 3, 2, 2}};
  const CASE_REAL endless[2] = {(CASE_REAL)infinity(), (CASE_REAL)not_a_number()};
  CASE_ID(_tuner) t, before;
  uint32_t k, place;
  int same = 1;
  CHECK(CASE_ID(_tuner_init)(&t, 100, 1000, (CASE_REAL)0.574) == LBP_OK);
  before = t;
  CHECK(CASE_ID(_tuner_cost)(NULL, 1, 1, 2, 2) == LBP_E_NULL);
  for (k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    CHECK(CASE_ID(_tuner_cost)(&t, (CASE_REAL)wrong[k][0], (CASE_REAL)wrong[k][1], (CASE_REAL)wrong[k][2],
                               (CASE_REAL)wrong[k][3]) == LBP_E_RANGE);
  }
  for (k = 0; k < 8; k++) {
    CASE_REAL v[4] = {1, 1, 2, 2};
    place = k % 4;
    v[place] = endless[k / 4];
    CHECK(CASE_ID(_tuner_cost)(&t, v[0], v[1], v[2], v[3]) == LBP_E_RANGE);
  }
  CHECK(memcmp(&t, &before, sizeof t) == 0);
  CHECK(CASE_ID(_tuner_cost)(&t, 3, 7, 50, 7) == LBP_OK);
  for (k = 0; k < 1100; k++) {
    const CASE_REAL accept = (CASE_REAL)0.125 * (CASE_REAL)(k * k % 9);
    CASE_ID(_tuner_update)(&before, accept);
    CASE_ID(_tuner_update)(&t, accept);
    same &= t.r == before.r;
  }
  CHECK_ALIKE(same);
  CHECK(t.r > 1);

  /* nothing but R costs, or next to nothing: no rejection is worth it; also where costs grow faster than R */
  for (place = 0; place < 3; place++) {
    static const double cost[3] = {40, 50, 40 - 0.00000762939453125};
    CHECK(CASE_ID(_tuner_init)(&t, 1000, 4000, (CASE_REAL)0.574) == LBP_OK);
    CHECK(CASE_ID(_tuner_cost)(&t, 2, 4, 20, (CASE_REAL)cost[place]) == LBP_OK);
    CHECK(t.site_cost == 1000000);
    t.r = 100;
    for (k = 0; k < 4000; k++) CASE_ID(_tuner_update)(&t, (CASE_REAL)erfc(0.4e-3 * pow((double)t.r, 1.5)));
    CHECK(t.r < 2);
  }
}

/* The law of a tuner that knows what a site costs. */
LBP_FN void CASE_ID(_test_priced_tuner)(void) {
  static const double site_cost[] = {0, 0.001, 0.01, 0.1, 1};
  uint32_t k;
  CASE_ID(_test_cost)();
  for (k = 0; k < sizeof site_cost / sizeof site_cost[0]; k++) {
    CASE_ID(_test_optimum)(0.574, 0.562e-3, 1.5, site_cost[k]); /* best R per step near 100 */
    CASE_ID(_test_optimum)(0.234, 0.119, 0.5, site_cost[k]);
  }
}

/* Same seed, same chain; another stream, another chain. */
LBP_FN void CASE_ID(_test_repeatable)(CASE_ID(_chain) *c, const CASE_MODEL *m, void (*seed)(CASE_RNG *, uint64_t)) {
  static const uint64_t stream[3] = {5, 5, 6};
  uint8_t start[API_MAX];
  CASE_ID(_tuner) tuner = {0};
  CASE_RNG rng;
  int run, t, s;
  uint32_t i;
  memcpy(start, c->x, c->n);
  for (s = 0; s < API_SAMPLERS; s++) {
    uint64_t trace[3] = {0, 0, 0}; /* a hash of all states */
    for (run = 0; run < 3; run++) {
      memcpy(c->x, start, c->n);
      CASE_ID(_touch)(c);
      seed(&rng, stream[run]);
      CHECK(CASE_ID(_tuner_init)(&tuner, c->n, 50, (CASE_REAL)0.5) == LBP_OK);
      for (t = 0; t < 100; t++) {
        CASE_ID(_any)(c, m, s, 3, &tuner, &rng);
        for (i = 0; i < c->n; i++) trace[run] = trace[run] * 6364136223846793005u + c->x[i] + 1;
      }
    }
    CHECK(trace[0] == trace[1]);
    CHECK(trace[0] != trace[2]);
  }
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_MODEL
#undef CASE_REAL
#undef CASE_RNG
