/* Sites in groups in checked builds: on a right model every step draws the same as unchecked; models that lie and
 * states that are changed behind a chain's back are found. And NAME_check where hardly a state is possible, so that it
 * walks from state to state. Seeds are fixed: no check can raise a false alarm by chance. */
#include <math.h>
#include <string.h>

#include "../lbp.h"
#include "../lbp/base/moves.h"
#include "test.h"

enum { N = 40, STEPS = 600 };
enum { SOUND, ONE_SIDED, NO_NUMBER, FAR, FORGETFUL, LIES };

/* Ones in a ring that shun their neighbours' neighbours; `apart`: and may not stand beside each other. Sites 0 to 29 keep
 * their number of ones, 30 to 35, too, and the others are free. */
typedef struct {
  int lie, apart;
} shy;

static double shy_field(const shy *m, const uint8_t *x, uint32_t i) {
  const int near = x[(i + 1) % N] + x[(i + N - 1) % N], next = x[(i + 2) % N] + x[(i + N - 2) % N];
  if (m->apart && near > 0) return -HUGE_VAL;
  return 0.25 * (double)(i % 3) - 0.5 * near - 0.375 * next;
}

static double shy_delta(const shy *m, const uint8_t *x, uint32_t i) {
  const double h = shy_field(m, x, i);
  if (m->lie == NO_NUMBER && i == 7) return (double)NAN;
  if (m->lie == ONE_SIDED && i == 7 && x[i]) return -h + 0.5;
  if (m->lie == FAR && i == 5 && x[9]) return (x[i] ? -h : h) + (x[i] ? 0.5 : -0.5); /* as log pi doesn't have it */
  return x[i] ? -h : h;
}

static double shy_logp(const shy *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < N; i++) {
    if (!x[i]) continue;
    if (m->apart && x[(i + 1) % N]) return -HUGE_VAL;
    sum += 0.25 * (double)(i % 3) - 0.5 * x[(i + 1) % N] - 0.375 * x[(i + 2) % N];
  }
  return sum;
}

static uint32_t shy_neighbours(const shy *m, uint32_t i, uint32_t *out) {
  out[0] = (i + 1) % N;
  out[1] = (i + N - 1) % N;
  out[2] = (i + 2) % N;
  if (m->lie == FORGETFUL && i == 7) return 3;
  out[3] = (i + N - 2) % N;
  return 4;
}

static void shy_deltas(const shy *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < N; i++) out[i] = shy_delta(m, x, i);
}

static uint32_t shy_group(const shy *m, uint32_t i) { return (void)m, i < 30 ? 0 : i < 36 ? 1 : LBP_NO_GROUP; }

/* Every third site of each group, and none beside another. */
static void shy_start(uint8_t *x) {
  uint32_t i;
  for (i = 0; i < N; i++) x[i] = i < 36 && i % 3 == 1;
}

enum { SHY_WORDS = 4096 };
enum { STEP_SWAP, STEP_TUNED, STEP_KAWASAKI, STEP_SWEEP, STEP_REST, STEP_PATH, STEP_ALL };

#define CASE local_free
#include "cases/swap_checked_case.h"
#define CASE dense_free
#define CASE_DENSE
#include "cases/swap_checked_case.h"
#undef CASE_DENSE

#undef LBP_CHECKED
#define LBP_CHECKED 1
#define CASE local_checked
#include "cases/swap_checked_case.h"
#define CASE dense_checked
#define CASE_DENSE
#include "cases/swap_checked_case.h"

static void test_alike(void) {
  const shy m = {SOUND, 0};
  uint64_t hash[2];
  int kind;
  for (kind = 0; kind < STEP_ALL; kind++) {
    CHECK(local_free_run(&m, kind, -1, &hash[0]) == LBP_OK && local_checked_run(&m, kind, -1, &hash[1]) == LBP_OK);
    CHECK_ALIKE(hash[0] == hash[1]);
    CHECK(dense_free_run(&m, kind, -1, &hash[0]) == LBP_OK && dense_checked_run(&m, kind, -1, &hash[1]) == LBP_OK);
    CHECK_ALIKE(hash[0] == hash[1]);
  }
}

/* By every kind of step. */
static void test_found(void) {
  uint64_t hash;
  int kind;
  for (kind = 0; kind < STEP_ALL; kind++) {
    const shy sound = {SOUND, 0}, one = {ONE_SIDED, 0}, none = {NO_NUMBER, 0}, forgets = {FORGETFUL, 0}, far = {FAR, 0};
    const int weighs = kind == STEP_SWAP || kind == STEP_TUNED || kind == STEP_PATH; /* keeps what neighbours change */
    CHECK(local_checked_run(&one, kind, -1, &hash) == LBP_E_ANTISYMMETRY);
    CHECK(local_checked_run(&none, kind, -1, &hash) == LBP_E_DELTA_NAN);
    CHECK(local_checked_run(&forgets, kind, -1, &hash) == (weighs ? LBP_E_STALE : LBP_OK));
    CHECK(kind >= STEP_REST || dense_checked_run(&far, kind, -1, &hash) == LBP_E_LOGP);
    CHECK(local_checked_run(&sound, kind, 1, &hash) == LBP_E_STALE); /* a clamped site is changed */
    CHECK(local_checked_run(&sound, kind, 10, &hash) != LBP_OK);     /* another number of ones */
  }
}

/* Of the states with those numbers of ones one in 400 has no two beside each other: what is wrong in some of them only,
 * and not near the first, is found on the way from there. */
static void test_walk(void) {
  static uint64_t ws[SHY_WORDS];
  const shy sound = {SOUND, 1}, far = {FAR, 1};
  uint8_t x[N], kept[N];
  uint32_t seed, found[2] = {0};
  for (seed = 0; seed < 20; seed++) {
    local_free_chain c;
    dense_free_chain d;
    lbp_rng rng;
    shy_start(x);
    memcpy(kept, x, sizeof x);
    lbp_rng_init(&rng, 3, seed);
    CHECK(local_free_init(&c, N, x, ws, SHY_WORDS) == LBP_OK && local_free_check(&c, &sound, 20, &rng).status == LBP_OK);
    CHECK(memcmp(x, kept, sizeof x) == 0);
    CHECK(dense_free_init(&d, N, x, ws, SHY_WORDS) == LBP_OK && dense_free_check(&d, &sound, 20, &rng).status == LBP_OK);
    CHECK(memcmp(x, kept, sizeof x) == 0);
    CHECK(dense_free_check(&d, &far, 1, &rng).status == LBP_OK); /* where it begins nothing is wrong */
    found[1] += dense_free_check(&d, &far, 100, &rng).status == LBP_E_LOGP;
    CHECK(memcmp(x, kept, sizeof x) == 0);
  }
  CHECK(found[1] == 20);
}

int main(void) {
  test_alike();
  test_found();
  test_walk();
  return test_report();
}
