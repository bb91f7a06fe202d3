/* Bayesian variable selection: which of 15 factors explain the crime rate? Runs of samplers of lbp.h and lbp_ab.h;
 * prints inclusion probabilities next to the exact ones.
 *
 *   cc -O3 -march=native -I.. crime.c -lm && ./a.out
 *
 * A linear regression of the crime rate on the factors i with x_i = 1 gives 2^15 models. A sum over all of them gives
 * the exact values: if an estimate is more than five standard errors off, the program reports it and exits with 1.
 *
 * Data: 47 states of the US in 1960, see crime.h. select.c does the same for any table, by lbp/models/selection.h.
 */
#include <math.h>
#include <stdio.h>

#include "crime.h"
#include "lbp_run.h" /* without parameters: the support section only */

enum { MODELS = 1 << FACTORS };
enum { CHAINS = 16, DRAWS = 2000, SETTLE = 1000, LEARN = 10000, BEST = 5 };

enum { YOUNG = 0, POLICE_1960 = 3, POLICE_1959 = 4, PRISON = 13 };

/* y = intercept + sum of b_i X_i over x_i = 1 + noise, all but the indicator as logarithms, standardised. A priori
 * every model is equally likely, b_i is normal with variance SPREAD sigma^2, intercept and log sigma are flat; SPREAD
 * is that of Raftery, Madigan, Hoeting, J. American Statistical Association 92, 1997, who studied these data. With
 * all of these integrated out and Sigma = 1 + SPREAD sum_i x_i X_i X_i',
 *   log pi(x) = -1/2 log det Sigma - (n - 1)/2 log y' Sigma^-1 y. */
static const double SPREAD = 2.85 * 2.85;

typedef struct {
  double gram[FACTORS + 1][FACTORS + 1]; /* Z'Z, Z the factors and the crime rate */
} crime;

/* P = Z' Sigma^-1 Z, by one rank-one update (Sherman and Morrison) per factor in the model. Returns log pi. */
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
  return -0.5 * log_det - 0.5 * (STATES - 1) * log(P[RATE][RATE]);
}

/* Log pi's gain when c X_i X_i' is added to Sigma, by the same formula; c = SPREAD or -SPREAD. */
static double change(double P[FACTORS + 1][FACTORS + 1], uint32_t i, double c) {
  const double growth = 1 + c * P[i][i], explained = c * P[i][RATE] * P[i][RATE] / (growth * P[RATE][RATE]);
  return -0.5 * log(growth) - 0.5 * (STATES - 1) * log(1 - explained);
}

static double crime_logp(const crime *m, const uint8_t *x) {
  double P[FACTORS + 1][FACTORS + 1];
  return fit(m, x, P);
}

/* One fit has all log-ratios, and they are exact. */
static void crime_ratios(const crime *m, const uint8_t *x, double *out) {
  double P[FACTORS + 1][FACTORS + 1];
  fit(m, x, P);
  for (uint32_t i = 0; i < FACTORS; i++) out[i] = change(P, i, x[i] ? -SPREAD : SPREAD);
}

#define LBP_NAME         factors
#define LBP_MODEL_T      crime
#define LBP_LOGP         crime_logp
#define LBP_DELTAS       crime_ratios
#define LBP_DELTAS_EXACT /* so sweeps keep them until a factor comes or goes, and a clock runs */
#include "lbp_run.h"

/* Gradients ask for log pi at real x. Taken from Sigma above they would be no guide: for a factor of no use the slope
 * is -SPREAD (n - 1)/2 = -187 at x_i = 0 and -1/2 at 1, while log pi falls by 3, and chains get stuck. The
 * multilinear extension of log pi is straight in each x_i: its slope is log pi's gain between 0 and 1. */
static double crime_gradient(const crime *m, const uint8_t *x, double *out) {
  double P[FACTORS + 1][FACTORS + 1];
  const double logp = fit(m, x, P);
  for (uint32_t i = 0; i < FACTORS; i++) out[i] = x[i] ? -change(P, i, -SPREAD) : change(P, i, SPREAD);
  return logp;
}

#define LBP_NAME     subset
#define LBP_MODEL_T  crime
#define LBP_GRADIENT crime_gradient
#define LBP_STATES   2
#include "lbp_run.h"

static void crime_init(crime *m) {
  double z[STATES][FACTORS + 1];
  memset(m, 0, sizeof *m);
  for (int j = 0; j <= FACTORS; j++) {
    double mean = 0, square = 0;
    for (int s = 0; s < STATES; s++) mean += (z[s][j] = crime_value(s, j)) / STATES;
    for (int s = 0; s < STATES; s++) square += (z[s][j] - mean) * (z[s][j] - mean) / (STATES - 1);
    for (int s = 0; s < STATES; s++) z[s][j] = (z[s][j] - mean) / sqrt(square);
  }
  for (int s = 0; s < STATES; s++)
    for (int i = 0; i <= FACTORS; i++)
      for (int j = 0; j <= FACTORS; j++) m->gram[i][j] += z[s][i] * z[s][j];
}

/* ---- exact: a model is a number, whose bit i is x_i -------------------------------------------------------------- */

static double probability[MODELS];

static void enumerate(const crime *m) {
  double most = -HUGE_VAL, sum = 0;
  for (int model = 0; model < MODELS; model++) {
    uint8_t x[FACTORS];
    for (int i = 0; i < FACTORS; i++) x[i] = model >> i & 1;
    probability[model] = crime_logp(m, x);
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

/* ---- sampled ----------------------------------------------------------------------------------------------------- */

/* The samplers that are compared, by the number of fits: one for each state that a chain comes to, or looks at. LBP
 * asks twice about such a state, for log pi and for the log-ratios, and one fit has both. */
enum { SAMPLERS = 7 };
static const struct {
  const char *name;
  int (*run)(const lbp_run *run, const crime *m, uint32_t n, lbp_run_result *result);
  int kind;
  double R;
  int asks;
  uint32_t warmup; /* LEARN: the chains tune together */
} sampler[SAMPLERS] = {
  {"Metropolis sweeps",            factors_run, LBP_SAMPLER_METROPOLIS, 0, 1, SETTLE},
  {"Gibbs sweeps",                 factors_run, LBP_SAMPLER_GIBBS,      0, 1, SETTLE},
  {"LBP, R tuned",                 factors_run, LBP_SAMPLER_LBP,        0, 2, LEARN},
  {"LBP, R = 1",                   factors_run, LBP_SAMPLER_LBP,        1, 2, SETTLE},
  {"clock",                        factors_run, LBP_SAMPLER_CLOCK,      0, 1, LEARN},
  {"any-scale balanced, adaptive", subset_run,  LBP_SAMPLER_AB,         0, 1, LEARN},
  {"discrete Langevin, tuned",     subset_run,  LBP_SAMPLER_DLP,        0, 1, LEARN}};

/* Whether x is the model whose number is the column's. */
static double is_model(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  uint32_t model = 0;
  for (uint32_t i = 0; i < n; i++) model |= (uint32_t)x[i] << i;
  return model == column->site;
}

/* The most probable of the outcomes that are less probable than `below`. */
static int next_below(const double *p, int count, double below) {
  int best = -1;
  for (int k = 0; k < count; k++)
    if (p[k] < below && (best < 0 || p[k] > p[best])) best = k;
  return best;
}

/* Statistics: every factor, and the most probable models. */
static lbp_run_column column[FACTORS + BEST];

static void choose_columns(void) {
  static const char *const name[BEST] = {"first", "second", "third", "fourth", "fifth"};
  double below = 2;
  for (int k = 0; k < FACTORS + BEST; k++) {
    const int best = k < FACTORS ? k : next_below(probability, MODELS, below);
    column[k].name = k < FACTORS ? code[k] : name[k - FACTORS];
    column[k].value = k < FACTORS ? lbp_run_site : is_model;
    column[k].site = (uint32_t)best;
    if (k >= FACTORS) below = probability[best];
  }
}

/* Chains from random states. */
static int run(int k, const crime *m, lbp_run_result *result) {
  lbp_run run;
  lbp_run_init(&run);
  run.sampler = sampler[k].kind;
  run.parameter = sampler[k].R;
  run.shared_tuner = sampler[k].warmup == LEARN;
  run.seed = 1960;
  run.chains = CHAINS;
  run.warmup = sampler[k].warmup;
  run.draws = DRAWS;
  run.check_trials = 10; /* is the model right? */
  run.column = column;
  run.columns = FACTORS + BEST;
  if (sampler[k].run(&run, m, FACTORS, result) != LBP_OK) fprintf(stderr, "crime: %s\n", result->message);
  else if (result->tuner_status != LBP_OK) fprintf(stderr, "crime: %s\n", lbp_error(result->tuner_status));
  return result->status != LBP_OK || result->tuner_status != LBP_OK;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* The rest of a line: estimate, exact value, R-hat. Returns whether the two are too far apart. */
static int compare(const lbp_run_row *row, double truth) {
  const int known = row->mcse_status == LBP_OK && row->rhat_status == LBP_OK;
  const int off = !(known && fabs(row->mean - truth) <= 5 * row->mcse);
  printf("%10.4f +- %.4f %9.4f %8.3f%s\n", row->mean, row->mcse, truth, row->rhat, off ? "  OFF" : "");
  return off;
}

/* Returns how many estimates are off. */
static int print_estimates(const lbp_run_row *row) {
  double included[FACTORS], below = 2;
  int off = 0;
  for (int i = 0; i < FACTORS; i++) included[i] = exact(1 << i, 1 << i);
  printf("Which of %d factors go with the crime rate of a state (US, 1960)?\n", FACTORS);
  printf("%d chains x %d sweeps by Metropolis' rule\n\n", CHAINS, DRAWS);
  printf("%-31s%20s %9s %8s\n", "factor", "P(in the model)", "exact", "R-hat");
  for (int rank = 0; rank < FACTORS; rank++) {
    const int i = next_below(included, FACTORS, below);
    printf("%-4s %-26s", code[i], meaning[i]);
    off += compare(&row[i], included[i]);
    below = included[i];
  }
  printf("\n%-31s%20s %9s %8s\n", "the five most probable models", "probability", "exact", "R-hat");
  for (int k = FACTORS; k < FACTORS + BEST; k++) {
    int width = 0;
    for (int i = 0; i < FACTORS; i++)
      if (column[k].site >> i & 1) width += printf("%s ", code[i]);
    printf("%*s", 31 - width, "");
    off += compare(&row[k], probability[column[k].site]);
  }
  printf("\nInequality, schooling and police expenditure belong to the model (the figures\n"
         "for 1960 and 1959 stand in for each other: P(at least one) = %.4f), the risk\n"
         "of prison and young men most likely do (%.2f, %.2f). Nothing speaks for labour\n"
         "force, sex ratio, unemployment of the young and region; the others are open.\n"
         "With another prior, Clyde et al. (An Introduction to Bayesian Thinking,\n"
         "chapter 8) find above 1/2 just the seven factors of the first model.\n",
         1 - exact(1 << POLICE_1960 | 1 << POLICE_1959, 0), included[PRISON], included[YOUNG]);
  return off;
}

static void print_speed(int k, const lbp_run_result *result) {
  const lbp_run_row *row = result->row + 1; /* rows: lp__, then the columns */
  const double fits = result->evaluations / sampler[k].asks, scale = 1000 / (fits * CHAINS * DRAWS);
  double factors = 0, models = 0, least = HUGE_VAL;
  for (int i = 0; i < FACTORS + BEST; i++) {
    if (i < FACTORS) factors += row[i].ess_bulk / FACTORS;
    else models += row[i].ess_bulk / BEST;
    if (i < FACTORS) least = fmin(least, row[i].ess_bulk);
  }
  printf("%-32s%11.1f%9.0f%11.0f%13.0f\n", sampler[k].name, fits, scale * factors, scale * least, scale * models);
}

int main(void) {
  lbp_run_result result[SAMPLERS];
  crime m;
  int failed = 0;
  crime_init(&m);
  enumerate(&m);
  choose_columns();
  memset(result, 0, sizeof result);
  for (int k = 0; k < SAMPLERS && !failed; k++) failed = run(k, &m, &result[k]);
  if (!failed) {
    failed = print_estimates(result[0].row + 1) > 0;
    printf("\n%-32s%11s%9s%11s%13s\n", "effective samples per 1000 fits", "fits a step", "factors", "the worst",
           "these models");
    for (int k = 0; k < SAMPLERS; k++) print_speed(k, &result[k]);
  }
  for (int k = 0; k < SAMPLERS; k++) lbp_run_free(&result[k]);
  return failed;
}
