/* The generator against implementations of others: Philox4x32-10 against Random123, the library of its authors (Debian:
 * librandom123-dev; skipped without it), and whole streams, over many blocks, against xoshiro256++ written down plainly.
 * Published known answers are in test_api.c. And with its draws, that chi2.h sees errors of rare cells alone. */
#include <string.h>

#include "../lbp.h"
#include "chi2.h"

/* Random123 stops the compilation where it doesn't know the compiler or the machine. */
#if defined __GNUC__ && (defined __x86_64__ || defined __i386__ || defined __aarch64__ || defined __powerpc__)
#if defined __has_include
#if __has_include(<Random123/philox.h>)
#define HAS_RANDOM123 1
#include <Random123/philox.h>
#endif
#endif
#endif

enum { TRIALS = 100000, STREAMS = 20, WORDS = 20000 };

#ifdef HAS_RANDOM123
static void test_philox(void) {
  lbp_rng rng;
  int trial, k, unlike = 0;
  lbp_rng_init(&rng, 123, 0);
  for (trial = 0; trial < TRIALS; trial++) {
    const uint64_t seed = lbp_rng_u64(&rng), chain = lbp_rng_u64(&rng), position = lbp_rng_u64(&rng);
    philox4x32_ctr_t counter, want;
    philox4x32_key_t key;
    uint64_t got[2];
    for (k = 0; k < 2; k++) {
      key.v[k] = (uint32_t)(seed >> 32 * k);
      counter.v[k] = (uint32_t)(position >> 32 * k);
      counter.v[2 + k] = (uint32_t)(chain >> 32 * k);
    }
    want = philox4x32(counter, key);
    lbp_philox(seed, chain, position, got);
    for (k = 0; k < 4; k++) unlike += (uint32_t)(got[k / 2] >> 32 * (k % 2)) != want.v[k];
  }
  CHECK(unlike == 0);
}
#endif

static uint64_t rotated(uint64_t v, int by) { return v << by | v >> (64 - by); }

/* Blackman and Vigna, ACM TOMS 2021, figure 5: one step of xoshiro256 with the ++ scrambler. */
static uint64_t plain_next(uint64_t *s) {
  const uint64_t result = rotated(s[0] + s[3], 23) + s[0], s1 = s[1];
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= s1 << 17;
  s[3] = rotated(s[3], 45);
  return result;
}

/* Word k of a stream comes from generator k mod 8, whose state is two Philox blocks. */
static void test_streams(void) {
  uint64_t stream;
  for (stream = 0; stream < STREAMS; stream++) {
    const uint64_t seed = stream * 0x123456789abcdef1u, chain = stream % 3 ? stream : UINT64_MAX - stream;
    uint64_t state[8][4];
    lbp_rng rng;
    int k, unlike = 0;
    for (k = 0; k < 16; k++) lbp_philox(seed, chain, (uint64_t)k, state[k / 2] + 2 * (k % 2));
    lbp_rng_init(&rng, seed, chain);
    for (k = 0; k < WORDS; k++) unlike += lbp_rng_u64(&rng) != plain_next(state[k % 8]);
    CHECK(unlike == 0);
  }
}

enum { CELLS = 60, DRAWS = 400, ROUNDS = 2000 };

/* Cell 0 has nearly everything, cell 1 expects 1e-3 of DRAWS draws, the others 0.5 to 6, and the last is impossible. */
static void rare_cells(double *law) {
  uint32_t k;
  law[1] = 1e-3 / DRAWS;
  law[0] = 1 - law[1];
  law[CELLS - 1] = 0;
  for (k = 2; k < CELLS - 1; k++) law[0] -= law[k] = (k % 12 + 1) * 0.5 / DRAWS;
}

static void draw_cells(const double *law, lbp_rng *rng, uint32_t *seen) {
  uint32_t t, k;
  memset(seen, 0, CELLS * sizeof *seen);
  for (t = 0; t < DRAWS; t++) {
    double u = lbp_u01(lbp_rng_u64(rng));
    for (k = 0; k < CELLS - 2 && u >= law[k]; k++) u -= law[k];
    seen[k]++;
  }
}

/* The p-values of draws are uniform. Those from a law in which half of the rare cells are less probable, and the others
 * more so, are seen, though together they expect the same; and so are few counts in cells that ought to have none. */
static void test_chi2(void) {
  double law[CELLS], other[CELLS], even[10];
  uint32_t seen[CELLS], tenth[10] = {0}, k, t;
  chi2_sums right = chi2_begin(), wrong = chi2_begin();
  lbp_rng rng;
  lbp_rng_init(&rng, 124, 0);
  rare_cells(law);
  for (k = 0; k < CELLS; k++) other[k] = k > 1 ? law[k] * (k < CELLS / 2 ? 0.6 : 1.4) : law[k];
  for (k = 1, other[0] = 1; k < CELLS; k++) other[0] -= other[k];
  CHECK_NEAR(other[0], law[0], 0.02);
  for (k = 0; k < 10; k++) even[k] = 0.1;
  for (t = 0; t < ROUNDS; t++) {
    draw_cells(law, &rng, seen);
    tenth[(int)(chi2_counts(seen, law, CELLS, DRAWS) * 9.999999)]++;
    if (t >= 20) continue;
    chi2_row(&right, seen, law, CELLS, DRAWS, 0);
    draw_cells(other, &rng, seen);
    chi2_row(&wrong, seen, law, CELLS, DRAWS, 0);
  }
  CHECK(chi2_counts(tenth, even, 10, ROUNDS) > 1e-4);
  CHECK(chi2_end(&right) > 1e-4 && chi2_end(&wrong) < CHI2_LEVEL);
  draw_cells(law, &rng, seen);
  CHECK(chi2_counts(seen, law, CELLS, DRAWS) > 1e-4);
  seen[1] += 4;
  CHECK(chi2_counts(seen, law, CELLS, DRAWS) < CHI2_LEVEL);
  seen[1] -= 4, seen[CELLS - 1]++;
  CHECK(chi2_counts(seen, law, CELLS, DRAWS) == 0);
}

int main(void) {
  int failed;
  test_streams();
  test_chi2();
#ifdef HAS_RANDOM123
  test_philox();
  failed = test_report();
#else
  printf("Random123 is not here (Debian: librandom123-dev)\n");
  failed = test_failed != 0;
  printf("%ld passed, %ld failed, 1 skipped\n", test_passed, test_failed);
#endif
  return failed;
}
