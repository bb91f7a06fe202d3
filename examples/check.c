/* Your own model and the model check: prints the check's report on a model with a missing neighbour, then on the
 * right one.
 *
 *   cc -O3 -march=native -I.. check.c -lm && ./a.out
 */
#include <stdio.h>

#include "lbp.h" /* without parameters: the support section only */

/* A ring of N spins s = 2x - 1 tied to the next ones and, weaker, to those after the next:
 * log pi(x) = sum_i near s_i s_{i+1} + far s_i s_{i+2}. */
enum { N = 40 };

typedef struct {
  double near, far;
} ring;

static double spin(const uint8_t *x, uint32_t i) { return x[i % N] ? 1 : -1; }

static double ring_logp(const ring *r, const uint8_t *x) {
  double sum = 0;
  for (uint32_t i = 0; i < N; i++) sum += spin(x, i) * (r->near * spin(x, i + 1) + r->far * spin(x, i + 2));
  return sum;
}

static double ring_delta(const ring *r, const uint8_t *x, uint32_t i) {
  const double near = spin(x, i + N - 1) + spin(x, i + 1), far = spin(x, i + N - 2) + spin(x, i + 2);
  return -2 * spin(x, i) * (r->near * near + r->far * far);
}

/* a mistake easily made: those after the next are missing, and their weights would go stale */
static uint32_t two_neighbours(const ring *r, uint32_t i, uint32_t *out) {
  (void)r;
  out[0] = (i + 1) % N;
  out[1] = (i + N - 1) % N;
  return 2;
}

static uint32_t four_neighbours(const ring *r, uint32_t i, uint32_t *out) {
  two_neighbours(r, i, out);
  out[2] = (i + 2) % N;
  out[3] = (i + N - 2) % N;
  return 4;
}

#define LBP_NAME           wrong
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_LOGP           ring_logp /* a local model needs it for the check only: it compares the two */
#define LBP_NEIGHBOURS     two_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "lbp.h"

#define LBP_NAME           right
#define LBP_MODEL_T        ring
#define LBP_DELTA          ring_delta
#define LBP_LOGP           ring_logp
#define LBP_NEIGHBOURS     four_neighbours
#define LBP_MAX_NEIGHBOURS 4
#include "lbp.h"

int main(void) {
  static uint64_t ws[LBP_WS_LEN(N)];
  uint8_t x[N] = {0};
  const ring r = {0.5, 0.2};
  wrong_chain first;
  right_chain second;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);

  if (wrong_init(&first, N, x, ws, LBP_WS_LEN(N))) return 1;
  const wrong_report bad = wrong_check(&first, &r, 10, &rng);
  printf("two neighbours:  %s:\n", lbp_error(bad.status));
  printf("                 site %u changes site %u's log-ratio from %g to %g\n", (unsigned)bad.site,
         (unsigned)bad.other, bad.want, bad.got);

  if (right_init(&second, N, x, ws, LBP_WS_LEN(N))) return 1;
  const right_report good = right_check(&second, &r, 10, &rng);
  printf("four neighbours: %s\n", lbp_error(good.status));

  return bad.status == LBP_E_NEIGHBOUR_MISSING && good.status == LBP_OK ? 0 : 1;
}
