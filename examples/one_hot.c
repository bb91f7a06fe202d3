/* A neural energy over sequences, with one-hot input: its gradient proposes moves of many letters at once, its energy
 * decides. cc -O3 -march=native -I.. one_hot.c -lm
 *
 * log pi(x) = sum_k a_k log(1 + e^(b_k + sum_i W_k[i, x_i])), a layer of H hidden units. Prints the efficiency of tuned
 * LBP-R and of discrete Langevin on long sequences, and compares the letters of short ones with the sum over all of
 * them: it exits with 1 if these differ by more than six standard errors. */
#include <math.h>
#include <stdio.h>

#include "lbp.h"

enum { LETTERS = 4, UNITS = 16, LONG = 60, SHORT = 5, MOST = LONG };

typedef struct {
  uint32_t n;
  float W[UNITS][MOST][LETTERS], b[UNITS], a[UNITS];
} network;

static float input_of(const network *m, const uint8_t *x, uint32_t k) {
  float z = m->b[k];
  uint32_t i;
  for (i = 0; i < m->n; i++) z += m->W[k][i][x[i]];
  return z;
}

static float network_logp(const network *m, const uint8_t *x) {
  float sum = 0;
  uint32_t k;
  for (k = 0; k < UNITS; k++) sum += m->a[k] * log1pf(expf(input_of(m, x, k)));
  return sum;
}

/* Estimates of all n x LETTERS log-ratios: the gradient by one-hot codes, less that of the letter that is there. */
static void network_deltas(const network *m, const uint8_t *x, float *out) {
  float back[UNITS];
  uint32_t i, v, k;
  for (k = 0; k < UNITS; k++) back[k] = m->a[k] / (1 + expf(-input_of(m, x, k)));
  for (i = 0; i < m->n; i++) {
    float g[LETTERS] = {0};
    for (k = 0; k < UNITS; k++) {
      for (v = 0; v < LETTERS; v++) g[v] += back[k] * m->W[k][i][v];
    }
    for (v = 0; v < LETTERS; v++) out[i * LETTERS + v] = g[v] - g[x[i]];
  }
}

#define LBP_NAME       words
#define LBP_MODEL_T    network
#define LBP_REAL       float
#define LBP_CAT_STATES 4
#define LBP_DELTAS     network_deltas
#define LBP_LOGP       network_logp
#include "lbp.h"

enum { WORKSPACE = 2048, BATCHES = 50, BATCH = 2000 };

/* The mean of log pi and of x_0 = 0 over batches, each with its standard error. */
typedef struct {
  double logp, logp_error, first, first_error, accept, jump;
} outcome;

static double error_of(const double *batch, double mean) {
  double square = 0;
  int b;
  for (b = 0; b < BATCHES; b++) square += (batch[b] - mean) * (batch[b] - mean);
  return sqrt(square / BATCHES / (BATCHES - 1));
}

static int walk(const network *m, int langevin, outcome *o) {
  static uint64_t ws[WORKSPACE];
  double logp[BATCHES] = {0}, first[BATCHES] = {0};
  uint8_t x[MOST] = {0};
  words_chain chain;
  words_tuner tuner;
  lbp_scale_tuner scale;
  lbp_rng rng;
  int t, status;
  *o = (outcome){0};
  lbp_rng_init(&rng, 2026, (uint64_t)langevin);
  status = words_init(&chain, m->n, x, ws, WORKSPACE);
  if (status == LBP_OK) status = words_check(&chain, m, 5, &rng).status;
  if (status == LBP_OK) status = words_tuner_init(&tuner, m->n, BATCH, LBP_TARGET_LBP);
  if (status == LBP_OK) status = lbp_scale_tuner_init(&scale, 0.2, BATCH, (double)LBP_TARGET_LBP);
  for (t = -BATCH; t < BATCHES * BATCH && status == LBP_OK; t++) {
    const words_info it = langevin ? words_adlp_step(&chain, m, &scale, &rng) : words_albp_step(&chain, m, &tuner, &rng);
    if (t < 0) continue;
    logp[t / BATCH] += (double)network_logp(m, x) / BATCH;
    first[t / BATCH] += (x[0] == 0) / (double)BATCH;
    o->accept += (double)it.accept / (BATCHES * BATCH);
    o->jump += it.jump / (double)(BATCHES * BATCH);
  }
  for (t = 0; t < BATCHES; t++) o->logp += logp[t] / BATCHES, o->first += first[t] / BATCHES;
  o->logp_error = error_of(logp, o->logp);
  o->first_error = error_of(first, o->first);
  if (status != LBP_OK) fprintf(stderr, "%s\n", lbp_error(status));
  return status;
}

/* The same by the sum over all states of a short sequence. */
static void sum_up(const network *m, double *logp, double *first) {
  double Z = 0;
  uint32_t code, states = 1, i;
  uint8_t x[MOST];
  *logp = *first = 0;
  for (i = 0; i < m->n; i++) states *= LETTERS;
  for (code = 0; code < states; code++) {
    uint32_t rest = code;
    double p;
    for (i = 0; i < m->n; i++, rest /= LETTERS) x[i] = (uint8_t)(rest % LETTERS);
    p = exp((double)network_logp(m, x));
    Z += p;
    *logp += p * (double)network_logp(m, x);
    *first += x[0] == 0 ? p : 0;
  }
  *logp /= Z;
  *first /= Z;
}

int main(void) {
  static network m;
  double logp, first;
  uint32_t k, i, v;
  int langevin, right = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
  for (k = 0; k < UNITS; k++) {
    m.b[k] = lbp_u01f(lbp_rng_u64(&rng)) - 0.5f;
    m.a[k] = k % 2 ? 2.0f : -1.0f;
    for (i = 0; i < MOST; i++) {
      for (v = 0; v < LETTERS; v++) m.W[k][i][v] = (lbp_u01f(lbp_rng_u64(&rng)) - 0.5f) * 1.5f;
    }
  }
  for (m.n = SHORT; m.n <= LONG; m.n += LONG - SHORT) {
    if (m.n == SHORT) sum_up(&m, &logp, &first);
    printf("%u letters of %d\n", (unsigned)m.n, LETTERS);
    for (langevin = 0; langevin < 2; langevin++) {
      outcome o;
      if (walk(&m, langevin, &o) != LBP_OK) return 1;
      printf("  %-9s acceptance %.3f, %.2f letters a step; mean log pi %.4f +- %.4f, of x_0 = 0 %.4f +- %.4f\n",
             langevin ? "Langevin" : "LBP", o.accept, o.jump, o.logp, o.logp_error, o.first, o.first_error);
      if (m.n != SHORT) continue;
      right &= fabs(o.logp - logp) < 6 * o.logp_error && fabs(o.first - first) < 6 * o.first_error;
    }
    if (m.n == SHORT) printf("  sum over all states: log pi %.4f, x_0 = 0 %.4f\n", logp, first);
  }
  return !right;
}
