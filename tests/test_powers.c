/* test_powers.c - LBP_CAT_POWERS_OF: Gibbs sweeps by powers that a model writes give the draws of those by log-ratios,
 * to the bit, also where the powers are too large, too small or no numbers; powers are used where they may be; the check
 * finds powers and log-ratios that disagree. Models: lbp_potts with its own powers, and where it has none. */
#include <string.h>

#include "models.h"

#include "../lbp/models/potts.h"

enum { SITES = 60, SWEEPS = 12, MOST = 48, ROOM = 12000 };

/* What is done to powers. */
enum { NOTHING, LARGE, SMALL, ROUNDED, TOO_LARGE, TOO_SMALL, NO_NUMBERS, ALL_ZERO, HARMLESS,
       ONE_OFF = HARMLESS, SWAPPED, OTHER_RATIOS, SPOILS };
static int spoilt;
static long called;

static void spoil(lbp_real *out, float *power, uint32_t count) {
  const uint32_t nan = 0x7fc00000;
  const float scale[] = {1, 1e9f, 1e-9f, 1.000001f, 1e24f, 1e-30f, 0, 0};
  uint32_t v;
  called++;
  if (spoilt == NO_NUMBERS) memcpy(power + count - 1, &nan, sizeof nan);
  else if (spoilt == ROUNDED) power[0] *= scale[ROUNDED];
  else if (spoilt == ONE_OFF) power[0] *= 1.01f;
  else if (spoilt == OTHER_RATIOS) out[count - 1] += (lbp_real)0.01, out[0] += (lbp_real)0.01;
  else if (spoilt < HARMLESS) for (v = 0; v < count; v++) power[v] *= scale[spoilt];
  if (spoilt == SWAPPED && count > 1) {
    const float first = power[0];
    power[0] = power[1] + 0.01f * first;
    power[1] = first;
  }
}

/* Models without powers begin at STRONG. */
enum { PLAIN, FIELDS, STAR, STRONG, CROWDED, MODELS };

/* n sites in a ring with chords, or a star of 41 sites, or of 42. */
static void make_model(lbp_potts *m, int kind, uint32_t states, int differ) {
  static uint32_t ends[4 * SITES], values[SITES];
  static double h[SITES * 16], J[2 * SITES];
  const uint32_t n = kind == STAR ? 41 : kind == CROWDED ? 42 : SITES;
  uint32_t i, edges = 0, v;
  lbp_rng rng = lbp_models_instance_rng(7);
  for (i = 0; i < n; i++) {
    values[i] = differ ? 1 + i % states : states;
    for (v = 0; v < states; v++) h[i * states + v] = kind == FIELDS ? lbp_models_normal(&rng) : 0;
    if (kind == STAR || kind == CROWDED) {
      if (i > 0) ends[2 * edges] = 0, ends[2 * edges + 1] = i, J[edges++] = 0.3 * lbp_models_normal(&rng);
    } else {
      ends[2 * edges] = i, ends[2 * edges + 1] = (i + 1) % n, J[edges++] = 0.5;
      ends[2 * edges] = i, ends[2 * edges + 1] = (i + 7) % n, J[edges++] = lbp_models_normal(&rng);
    }
  }
  if (kind == STRONG) J[4] = 60, J[6] = -60;
  CHECK(lbp_potts_init(m, n, states, values, h, 1, edges, ends, J) == LBP_OK);
}

#define CASE   two
#define CASE_K 2
#include "cases/powers_case.h"

#define CASE   three
#define CASE_K 3
#define CASE_MORE
#include "cases/powers_case.h"

#define CASE   five
#define CASE_K 5
#define CASE_OF
#include "cases/powers_case.h"

#define CASE   eight
#define CASE_K 8
#include "cases/powers_case.h"

#define CASE   twelve
#define CASE_K 12
#define CASE_OF
#define CASE_MORE
#include "cases/powers_case.h"

int main(void) {
  two_test();
  three_test();
  five_test();
  eight_test();
  twelve_test();
  return test_report();
}
