/* Which of 15 factors go with the crime rate? Bayesian variable selection with the samplers of lbp_ab.h.
 *
 *   cc -O3 -march=native -I.. crime.c -lm && ./a.out
 *
 * A linear regression of the crime rate on the factors i that have x_i = 1: 2^15 models. The chains need no sum over
 * all of them, but it can be had, and shows that they are right: if an estimate lies further than five standard errors
 * from the exact value, the program says so and exits with 1.
 *
 * Data: 47 states of the US in 1960, from the FBI's Uniform Crime Reports, the census and other publications of the US
 * government; collected by Ehrlich, Journal of Political Economy 81, 1973, corrected by Vandaele, in "Deterrence and
 * Incapacitation", National Academy of Sciences, 1978; as in UScrime of the R package MASS. Facts of the public domain.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lbp_ab.h" /* without parameters: the support section only */
#include "lbp_stats.h"

enum { STATES = 47, FACTORS = 15, MODELS = 1 << FACTORS };
enum { CHAINS = 4, LOOKS = 8000, THIN = 2, WARMUP = 20000, BURN_IN = 1000 };

static const char *const code[FACTORS] = {"M",  "So", "Ed", "Po1", "Po2",  "LF",   "M.F", "Pop",
                                          "NW", "U1", "U2", "GDP", "Ineq", "Prob", "Time"};
static const char *const meaning[FACTORS] = {
  "males of 14 to 24 years",     "southern state",             "years of schooling",     "police expenditure 1960",
  "police expenditure 1959",     "young men in labour force",  "males per 1000 females", "population of the state",
  "non-whites",                  "unemployed men of 14 to 24", "unemployed of 35 to 39", "wealth of families",
  "inequality of incomes",       "probability of prison",      "time served in prison"};
enum { YOUNG = 0, SOUTH = 1, POLICE_1960 = 3, POLICE_1959 = 4, PRISON = 13, RATE = FACTORS };

static const double table[STATES][FACTORS + 1] = { /* the factors in this order and, last, the crime rate */
  {151, 1,  91,  58,  56, 510,  950,  33, 301, 108, 41, 394, 261, .084602, 26.2011,  791},
  {143, 0, 113, 103,  95, 583, 1012,  13, 102,  96, 36, 557, 194, .029599, 25.2999, 1635},
  {142, 1,  89,  45,  44, 533,  969,  18, 219,  94, 33, 318, 250, .083401, 24.3006,  578},
  {136, 0, 121, 149, 141, 577,  994, 157,  80, 102, 39, 673, 167, .015801, 29.9012, 1969},
  {141, 0, 121, 109, 101, 591,  985,  18,  30,  91, 20, 578, 174, .041399, 21.2998, 1234},
  {121, 0, 110, 118, 115, 547,  964,  25,  44,  84, 29, 689, 126, .034201, 20.9995,  682},
  {127, 1, 111,  82,  79, 519,  982,   4, 139,  97, 38, 620, 168, .042100, 20.6993,  963},
  {131, 1, 109, 115, 109, 542,  969,  50, 179,  79, 35, 472, 206, .040099, 24.5988, 1555},
  {157, 1,  90,  65,  62, 553,  955,  39, 286,  81, 28, 421, 239, .071697, 29.4001,  856},
  {140, 0, 118,  71,  68, 632, 1029,   7,  15, 100, 24, 526, 174, .044498, 19.5994,  705},
  {124, 0, 105, 121, 116, 580,  966, 101, 106,  77, 35, 657, 170, .016201, 41.6000, 1674},
  {134, 0, 108,  75,  71, 595,  972,  47,  59,  83, 31, 580, 172, .031201, 34.2984,  849},
  {128, 0, 113,  67,  60, 624,  972,  28,  10,  77, 25, 507, 206, .045302, 36.2993,  511},
  {135, 0, 117,  62,  61, 595,  986,  22,  46,  77, 27, 529, 190, .053200, 21.5010,  664},
  {152, 1,  87,  57,  53, 530,  986,  30,  72,  92, 43, 405, 264, .069100, 22.7008,  798},
  {142, 1,  88,  81,  77, 497,  956,  33, 321, 116, 47, 427, 247, .052099, 26.0991,  946},
  {143, 0, 110,  66,  63, 537,  977,  10,   6, 114, 35, 487, 166, .076299, 19.1002,  539},
  {135, 1, 104, 123, 115, 537,  978,  31, 170,  89, 34, 631, 165, .119804, 18.1996,  929},
  {130, 0, 116, 128, 128, 536,  934,  51,  24,  78, 34, 627, 135, .019099, 24.9008,  750},
  {125, 0, 108, 113, 105, 567,  985,  78,  94, 130, 58, 626, 166, .034801, 26.4010, 1225},
  {126, 0, 108,  74,  67, 602,  984,  34,  12, 102, 33, 557, 195, .022800, 37.5998,  742},
  {157, 1,  89,  47,  44, 512,  962,  22, 423,  97, 34, 288, 276, .089502, 37.0994,  439},
  {132, 0,  96,  87,  83, 564,  953,  43,  92,  83, 32, 513, 227, .030700, 25.1989, 1216},
  {131, 0, 116,  78,  73, 574, 1038,   7,  36, 142, 42, 540, 176, .041598, 17.6000,  968},
  {130, 0, 116,  63,  57, 641,  984,  14,  26,  70, 21, 486, 196, .069197, 21.9003,  523},
  {131, 0, 121, 160, 143, 631, 1071,   3,  77, 102, 41, 674, 152, .041698, 22.1005, 1993},
  {135, 0, 109,  69,  71, 540,  965,   6,   4,  80, 22, 564, 139, .036099, 28.4999,  342},
  {152, 0, 112,  82,  76, 571, 1018,  10,  79, 103, 28, 537, 215, .038201, 25.8006, 1216},
  {119, 0, 107, 166, 157, 521,  938, 168,  89,  92, 36, 637, 154, .023400, 36.7009, 1043},
  {166, 1,  89,  58,  54, 521,  973,  46, 254,  72, 26, 396, 237, .075298, 28.3011,  696},
  {140, 0,  93,  55,  54, 535, 1045,   6,  20, 135, 40, 453, 200, .041999, 21.7998,  373},
  {125, 0, 109,  90,  81, 586,  964,  97,  82, 105, 43, 617, 163, .042698, 30.9014,  754},
  {147, 1, 104,  63,  64, 560,  972,  23,  95,  76, 24, 462, 233, .049499, 25.5005, 1072},
  {126, 0, 118,  97,  97, 542,  990,  18,  21, 102, 35, 589, 166, .040799, 21.6997,  923},
  {123, 0, 102,  97,  87, 526,  948, 113,  76, 124, 50, 572, 158, .020700, 37.4011,  653},
  {150, 0, 100, 109,  98, 531,  964,   9,  24,  87, 38, 559, 153, .006900, 44.0004, 1272},
  {177, 1,  87,  58,  56, 638,  974,  24, 349,  76, 28, 382, 254, .045198, 31.6995,  831},
  {133, 0, 104,  51,  47, 599, 1024,   7,  40,  99, 27, 425, 225, .053998, 16.6999,  566},
  {149, 1,  88,  61,  54, 515,  953,  36, 165,  86, 35, 395, 251, .047099, 27.3004,  826},
  {145, 1, 104,  82,  74, 560,  981,  96, 126,  88, 31, 488, 228, .038801, 29.3004, 1151},
  {148, 0, 122,  72,  66, 601,  998,   9,  19,  84, 20, 590, 144, .025100, 30.0001,  880},
  {141, 0, 109,  56,  54, 523,  968,   4,   2, 107, 37, 489, 170, .088904, 12.1996,  542},
  {162, 1,  99,  75,  70, 522,  996,  40, 208,  73, 27, 496, 224, .054902, 31.9989,  823},
  {136, 0, 121,  95,  96, 574, 1012,  29,  36, 111, 37, 622, 162, .028100, 30.0001, 1030},
  {139, 1,  88,  46,  41, 480,  968,  19,  49, 135, 53, 457, 249, .056202, 32.5996,  455},
  {126, 0, 104, 106,  97, 599,  989,  40,  24,  78, 25, 593, 171, .046598, 16.6999,  508},
  {130, 0, 121,  90,  91, 623, 1049,   3,  22, 113, 40, 588, 160, .052802, 16.0997,  849}
};

/* y = intercept + sum of b_i X_i over x_i = 1 + noise, all but the indicator as logarithms, standardised. A priori
 * every model is equally likely, b_i is normal with variance SPREAD sigma^2, intercept and log sigma are flat; SPREAD
 * is that of Raftery, Madigan, Hoeting, J. American Statistical Association 92, 1997, who studied these data. With
 * all of these integrated out and Sigma = 1 + SPREAD sum_i x_i X_i X_i',
 *   log pi(x) = -1/2 log det Sigma - (n - 1)/2 log y' Sigma^-1 y. */
static const double SPREAD = 2.85 * 2.85;

typedef struct {
  double gram[FACTORS + 1][FACTORS + 1]; /* Z'Z, Z the factors and the crime rate */
} crime;

/* P = Z' Sigma^-1 Z, by one rank-one update (Sherman and Morrison) per factor in the model. Returns log det Sigma. */
static double fit(const crime *m, const uint8_t *x, double P[FACTORS + 1][FACTORS + 1]) {
  double log_det = 0, row[FACTORS + 1];
  memcpy(P, m->gram, sizeof m->gram);
  for (int k = 0; k < FACTORS; k++) {
    const double growth = 1 + SPREAD * P[k][k];
    if (!x[k]) continue;
    log_det += log(growth);
    memcpy(row, P[k], sizeof row);
    for (int i = 0; i <= FACTORS; i++) {
      const double factor = SPREAD * row[i] / growth;
      for (int j = 0; j <= FACTORS; j++) P[i][j] -= factor * row[j];
    }
  }
  return log_det;
}

/* What log pi gains when c X_i X_i' is added to Sigma, by the same formula; c = SPREAD or -SPREAD. */
static double change(double P[FACTORS + 1][FACTORS + 1], uint32_t i, double c) {
  const double growth = 1 + c * P[i][i], explained = c * P[i][RATE] * P[i][RATE] / (growth * P[RATE][RATE]);
  return -0.5 * log(growth) - 0.5 * (STATES - 1) * log(1 - explained);
}

/* Gradients ask for log pi at real x. Taken from Sigma above they would be no guide: for a factor of no use the slope
 * is -SPREAD (n - 1)/2 = -187 at x_i = 0 and -1/2 at 1, while log pi falls by 3, and chains get stuck. The
 * multilinear extension of log pi is straight in each x_i: its slope is what log pi gains between 0 and 1. Either needs
 * only P. */
static double crime_gradient(const crime *m, const uint8_t *x, double *out) {
  double P[FACTORS + 1][FACTORS + 1];
  const double log_det = fit(m, x, P);
  for (uint32_t i = 0; i < FACTORS; i++) out[i] = x[i] ? -change(P, i, -SPREAD) : change(P, i, SPREAD);
  return -0.5 * log_det - 0.5 * (STATES - 1) * log(P[RATE][RATE]);
}

/* For Gibbs steps: nearly as much work as the whole gradient. */
static void crime_conditional(const crime *m, const uint8_t *x, uint32_t i, double *out) {
  double P[FACTORS + 1][FACTORS + 1];
  fit(m, x, P);
  out[x[i]] = 0;
  out[!x[i]] = change(P, i, x[i] ? -SPREAD : SPREAD);
}

#define LBP_AB_NAME        subset
#define LBP_AB_MODEL_T     crime
#define LBP_AB_GRADIENT    crime_gradient
#define LBP_AB_CONDITIONAL crime_conditional
#define LBP_AB_STATES      2
#include "lbp_ab.h"

static void crime_init(crime *m) {
  double z[STATES][FACTORS + 1];
  memset(m, 0, sizeof *m);
  for (int j = 0; j <= FACTORS; j++) {
    double mean = 0, square = 0;
    for (int s = 0; s < STATES; s++) mean += (z[s][j] = j == SOUTH ? table[s][j] : log(table[s][j])) / STATES;
    for (int s = 0; s < STATES; s++) square += (z[s][j] - mean) * (z[s][j] - mean) / (STATES - 1);
    for (int s = 0; s < STATES; s++) z[s][j] = (z[s][j] - mean) / sqrt(square);
  }
  for (int s = 0; s < STATES; s++)
    for (int i = 0; i <= FACTORS; i++)
      for (int j = 0; j <= FACTORS; j++) m->gram[i][j] += z[s][i] * z[s][j];
}

/* ---- exact: a model is a number, whose bit i is x_i ------------------------------------------------------------- */

static double probability[MODELS];

static void enumerate(const crime *m) {
  double most = -HUGE_VAL, sum = 0, unused[FACTORS];
  for (int model = 0; model < MODELS; model++) {
    uint8_t x[FACTORS];
    for (int i = 0; i < FACTORS; i++) x[i] = model >> i & 1;
    probability[model] = crime_gradient(m, x, unused);
    most = fmax(most, probability[model]);
  }
  for (int model = 0; model < MODELS; model++) sum += probability[model] = exp(probability[model] - most);
  for (int model = 0; model < MODELS; model++) probability[model] /= sum;
}

/* The probability of all models whose bits in `mask` are those of `bits`. */
static double exact(int mask, int bits) {
  double sum = 0;
  for (int model = 0; model < MODELS; model++) sum += (model & mask) == bits ? probability[model] : 0;
  return sum;
}

/* ---- sampled ---------------------------------------------------------------------------------------------------- */

typedef enum { AB, DLP, GIBBS } sampler;

typedef struct {
  double evaluations, acceptance;
  uint16_t model[CHAINS * LOOKS]; /* chain after chain, every THIN steps */
} sample;

typedef struct {
  double mean, error, ess, rhat;
} estimate;

static subset_info one_step(sampler kind, subset_chain *c, const crime *m, subset_adaptive *adaptive,
                            subset_tuner *tuner, lbp_rng *rng) {
  if (kind == AB) return subset_adaptive_step(adaptive, c, m, rng);
  if (kind == GIBBS) return subset_gibbs_step(c, m, rng);
  const subset_scale scale = subset_first_order(tuner->sigma, 0.5);
  const subset_info info = subset_ab_step(c, m, NULL, &scale, rng);
  subset_tuner_update(tuner, info.accept);
  return info;
}

/* Chains from random states; what the first one learns in its warm-up, all use. */
static int run(sampler kind, const crime *m, sample *out) {
  static double ws[LBP_AB_WS_LEN(FACTORS)];
  const size_t bytes = subset_adaptive_bytes(FACTORS);
  void *memory = malloc(bytes);
  subset_adaptive adaptive;
  subset_tuner tuner;
  int status = memory ? LBP_OK : LBP_E_NULL;
  if (!status) status = subset_adaptive_init(&adaptive, FACTORS, WARMUP, memory, bytes);
  if (!status) status = subset_tuner_init(&tuner, 1, (double)LBP_TARGET_LBP, WARMUP);
  out->evaluations = out->acceptance = 0;
  for (int c = 0; c < CHAINS && !status; c++) {
    uint8_t x[FACTORS];
    subset_chain chain;
    lbp_rng rng;
    lbp_rng_init(&rng, 1960, (uint64_t)c);
    for (int i = 0; i < FACTORS; i++) x[i] = lbp_rng_u64(&rng) & 1;
    status = subset_init(&chain, FACTORS, 2, x, ws, LBP_AB_WS_LEN(FACTORS));
    if (!status && c == 0) status = subset_check(&chain, m, 10, &rng).status; /* is the model right? */
    for (int t = -(c == 0 ? WARMUP : BURN_IN); t < THIN * LOOKS && !status; t++) {
      const subset_info info = one_step(kind, &chain, m, &adaptive, &tuner, &rng);
      int model = 0;
      if (t < 0) continue;
      for (int i = 0; i < FACTORS; i++) model |= x[i] << i;
      out->model[c * LOOKS + t / THIN] = (uint16_t)model;
      out->evaluations += info.evaluations;
      out->acceptance += (double)info.accept / (CHAINS * THIN * LOOKS);
    }
    if (!status && kind == AB) status = adaptive.status;
  }
  free(memory);
  if (status) fprintf(stderr, "crime: %s\n", lbp_ab_reason(status));
  return status;
}

/* exact(mask, bits) from a sample. */
static int estimate_of(const sample *s, int mask, int bits, estimate *e) {
  static double trace[CHAINS * LOOKS], work[LBP_CHAINS_WORKSPACE(CHAINS, LOOKS)];
  const size_t room = sizeof work / sizeof work[0];
  int status;
  e->mean = 0;
  for (int t = 0; t < CHAINS * LOOKS; t++) e->mean += trace[t] = (s->model[t] & mask) == bits;
  e->mean /= CHAINS * LOOKS;
  status = lbp_ess_bulk(trace, CHAINS, LOOKS, work, room, &e->ess);
  if (!status) status = lbp_rhat_split(trace, CHAINS, LOOKS, work, room, &e->rhat);
  if (status) fprintf(stderr, "crime: %s\n", lbp_stats_reason(status));
  else e->error = sqrt(e->mean * (1 - e->mean) / e->ess);
  return status;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

static int failed;

/* The rest of a line: estimate, exact value, R-hat. */
static void compare(const sample *s, int mask, int bits) {
  const double truth = exact(mask, bits);
  estimate e;
  if (estimate_of(s, mask, bits, &e)) {
    failed = 1;
    return;
  }
  const int off = !(fabs(e.mean - truth) <= 5 * e.error);
  printf("%10.4f +- %.4f %9.4f %8.3f%s\n", e.mean, e.error, truth, e.rhat, off ? "  OFF" : "");
  failed |= off;
}

/* The most probable of the outcomes that are less probable than `below`. */
static int next_below(const double *p, int count, double below) {
  int best = -1;
  for (int k = 0; k < count; k++)
    if (p[k] < below && (best < 0 || p[k] > p[best])) best = k;
  return best;
}

int main(void) {
  static const char *const name[] = {"any-scale balanced, adaptive", "discrete Langevin, tuned", "Gibbs"};
  static sample samples[3];
  const int police = 1 << POLICE_1960 | 1 << POLICE_1959;
  double included[FACTORS], below = 2;
  crime m;
  crime_init(&m);
  enumerate(&m);
  for (int i = 0; i < FACTORS; i++) included[i] = exact(1 << i, 1 << i);
  for (int kind = AB; kind <= GIBBS; kind++)
    if (run((sampler)kind, &m, &samples[kind])) return 1;

  printf("Which of %d factors go with the crime rate of a state (US, 1960)?\n", FACTORS);
  printf("%d chains x %d steps of the any-scale balanced sampler\n\n", CHAINS, THIN * LOOKS);
  printf("%-31s%20s %9s %8s\n", "factor", "P(in the model)", "exact", "R-hat");
  for (int rank = 0; rank < FACTORS; rank++) {
    const int i = next_below(included, FACTORS, below);
    printf("%-4s %-26s", code[i], meaning[i]);
    compare(&samples[AB], 1 << i, 1 << i);
    below = included[i];
  }
  printf("\n%-31s%20s %9s %8s\n", "the five most probable models", "probability", "exact", "R-hat");
  below = 2;
  for (int rank = 0; rank < 5; rank++) {
    const int model = next_below(probability, MODELS, below);
    int width = 0;
    for (int i = 0; i < FACTORS; i++)
      if (model >> i & 1) width += printf("%s ", code[i]);
    printf("%*s", 31 - width, "");
    compare(&samples[AB], MODELS - 1, model);
    below = probability[model];
  }


  printf("\nInequality, schooling and police expenditure belong to the model (the figures\n"
         "for 1960 and 1959 stand in for each other: P(at least one) = %.4f), the risk\n"
         "of prison and young men most likely do (%.2f, %.2f). Nothing speaks for labour\n"
         "force, sex ratio, unemployment of the young and region; the others are open.\n"
         "With another prior, Clyde et al. (An Introduction to Bayesian Thinking,\n"
         "chapter 8) find above 1/2 just the seven factors of the first model.\n",
         1 - exact(police, 0), included[PRISON], included[YOUNG]);

  printf("\n%-31s%-13s%s\n", "effective samples", "acceptance", "per 1000 evaluations");
  for (int kind = AB; kind <= GIBBS; kind++) {
    double mean = 0, least = HUGE_VAL;
    for (int i = 0; i < FACTORS; i++) {
      estimate e;
      if (estimate_of(&samples[kind], 1 << i, 1 << i, &e)) return 1;
      mean += e.ess / FACTORS;
      least = fmin(least, e.ess);
    }
    printf("%-31s%-12.3f%4.0f on average, %.0f for the worst factor\n", name[kind], samples[kind].acceptance,
           1000 * mean / samples[kind].evaluations, 1000 * least / samples[kind].evaluations);
  }
  return failed;
}
