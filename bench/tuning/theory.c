/* theory - acceptance rates that (6) predicts for LBP-R, and (20) for RWM-R, on product targets, against measured ones.
 *
 * LBP-R: for N = 100 ... 51200, the paper's configurations and both weight functions, R such that the corrected
 * lambda_1 predicts 0.574. RWM-R, which has no weight function: for the same N, on targets of (19), whose p_i come to
 * 1/2 as N^-beta, R such that theorem 3.8 predicts 0.234. Chains start in equilibrium. `make bench-theory`; some
 * minutes. */
#include "../common/models.h"

enum { SIZES = 4, BETAS = 4, SPREADS = 2 };
static const uint32_t sizes[SIZES] = {100, 800, 6400, 51200};

static estimate measure(const instance *in, const double *p, int sampler, double R, uint32_t steps, uint64_t stream) {
  const uint32_t chains = 40;
  run_spec spec = run_of(sampler, chains, 0, steps, 5);
  run_result r;
  uint8_t *states = bench_equilibrium(p, in->n, chains, 99, stream);
  spec.r = R;
  spec.states = states;
  basic_progress_begin(basic_progress.share = 1);
  run_chains(in, &spec, &r);
  basic_progress_clear();
  free(states);
  return r.acceptance;
}

/* The larger gap, with the error of what was measured. */
static void keep_larger(estimate *largest, double gap, double se) {
  if (fabs(gap) > largest->mean) *largest = (estimate){fabs(gap), se};
}

static void print_gaps(const char *what, const estimate *gap) {
  printf("\nLargest gap%s at N = 100, 800, 6400, 51200:", what);
  for (int k = 0; k < SIZES; k++) printf(" %.4f +- %.4f%s", gap[k].mean, gap[k].se, k < SIZES - 1 ? "," : "\n");
}

/* ---- LBP-R ------------------------------------------------------------------------------------------------------- */

static void theory_lbp(void) {
  static const uint32_t steps[SIZES] = {40000, 20000, 15000, 2000};
  estimate gap_at[SIZES] = {{0, 0}};
  printf("Acceptance rate of LBP-R on Bernoulli(p_1) x ... x Bernoulli(p_N): measured, and (6) with lambda_1\n"
         "corrected and as printed in (7).\n\n| %6s | %2s | %-7s | %6s | %-16s | %9s | %8s | %7s |\n"
         "|---:|---|---|---:|---|---:|---:|---:|\n", "N", "C", "weight", "R", "measured", "corrected", "paper", "gap");
  for (int size = 0; size < SIZES; size++) {
    const uint32_t n = sizes[size];
    for (int config = 1; config <= 3; config++) {
      lbp_bernoulli model;
      bench_expect(lbp_bernoulli_random(&model, n, config, 7), "model");
      double *p = bench_probabilities(&model);
      for (int w = 0; w < WEIGHT_COUNT; w++) {
        const instance in = {&model, n, pair_kernels[MODEL_BERNOULLI][w]()};
        const lbp_scaling corrected = bench_scaling(p, n, LBP_SAMPLER_LBP, w, LBP_LAMBDA_CORRECTED);
        const lbp_scaling paper = bench_scaling(p, n, LBP_SAMPLER_LBP, w, LBP_LAMBDA_PAPER);
        const double R = floor(lbp_scaling_best_R(&corrected) + 0.5), expected = lbp_scaling_acceptance(&corrected, R);
        bench_label("N = %u C%d %s", n, config, weight_names[w]);
        const estimate a = measure(&in, p, LBP_SAMPLER_LBP, R, steps[size], (uint64_t)config);
        const double gap = expected - a.mean;
        keep_larger(&gap_at[size], gap, a.se);
        printf("| %6u | C%d | %-7s | %6.0f | %.4f +- %.4f | %9.4f | %8.4f | %7.4f |\n", n, config, weight_names[w], R,
               a.mean, a.se, expected, lbp_scaling_acceptance(&paper, R), gap);
      }
      free(p);
      lbp_bernoulli_free(&model);
    }
  }
  print_gaps("", gap_at);
}

/* ---- RWM-R ------------------------------------------------------------------------------------------------------- */

/* A target of (19): 1/2 - p_i or p_i - 1/2 is uniform between epsilon and 1/2 - epsilon, divided by N^beta. */
static double *draw_target(uint32_t n, double beta, double epsilon) {
  double *p = (double *)basic_alloc(n, sizeof *p);
  lbp_rng rng;
  lbp_rng_init(&rng, 7, 0);
  for (uint32_t i = 0; i < n; i++) {
    const double off = (epsilon + (0.5 - 2 * epsilon) * lbp_u01(lbp_rng_u64(&rng))) * pow(n, -beta);
    p[i] = lbp_rng_u64(&rng) >> 63 ? 0.5 + off : 0.5 - off;
  }
  return p;
}

/* By how much (20) is too large, to the next order. As log pi changes by +-logit p_i at a site, and by the one as often
 * as by the other times its exponential, the acceptance rate is twice the probability that the sum over R sites is
 * positive. With d_i = p_i - 1/2, m_k the mean of d^k and S_k its sum over these sites, the sum has mean
 * -8 S_2 - 32/3 S_4, variance 16 S_2 - 64/3 S_4, third cumulant 256 S_4 and fourth -512 S_4; (20) takes twice the mean
 * for the variance. Edgeworth's series at h = -mean / sqrt(variance) tells the first term below; that S_2 varies with
 * the sites that are drawn, R out of N, the second. Both fall as N^(-2 beta). Left out is that a sum of few terms of
 * much the same size comes in steps. */
static double next_order(const double *p, uint32_t n, double R, double h) {
  double m2 = 0, m4 = 0;
  for (uint32_t i = 0; i < n; i++) {
    const double square = (p[i] - 0.5) * (p[i] - 0.5);
    m2 += square / n;
    m4 += square * square / n;
  }
  return lbp_normal_pdf(h) * (h + 1 / h) * (2.0 / 3.0 * m4 / m2 - (m4 / m2 - m2) * (1 - R / n));
}

static void theory_rwm(void) {
  static const double betas[BETAS] = {0.05, 0.1, 0.2, 0.3}, spreads[SPREADS] = {0.05, 0.2};
  printf("\nAcceptance rate of RWM-R on targets of (19): measured, and (20) with lambda_2 of (21); gap: by how much\n"
         "that is too large; next: what the next order says of the gap.\n");
  for (int b = 0; b < BETAS; b++) {
    estimate gap_at[SIZES] = {{0, 0}};
    char what[32];
    printf("\n| %6s | %4s | %7s | %8s | %6s | %-18s | %9s | %8s | %8s |\n|---:|---|---|---:|---:|---|---:|---:|---:|\n",
           "N", "beta", "epsilon", "lambda_2", "R", "measured", "predicted", "gap", "next");
    for (int k = 0; k < SPREADS * SIZES; k++) {
      const int size = k % SIZES;
      const uint32_t n = sizes[size];
      const double scale = pow(n, betas[b]), epsilon = spreads[k / SIZES];
      lbp_bernoulli model;
      double *p = draw_target(n, betas[b], epsilon), lambda;
      bench_expect(lbp_bernoulli_init(&model, n, p), "model");
      bench_expect(lbp_lambda2(p, n, &lambda), "lambda");
      lambda *= scale; /* lbp_lambda2 has beta = 0 */
      const lbp_scaling scaling = bench_scaling(p, n, LBP_SAMPLER_RWM, 0, 0);
      /* with R = N a chain would know but two states */
      const double R = fmin(floor(lbp_scaling_best_R(&scaling) + 0.5), n / 2), l = R / (scale * scale);
      const double h = lambda * sqrt(l) / 2, expected = 2 * lbp_normal_cdf(-h);
      const instance in = {&model, n, bernoulli_barker_kernel()};
      bench_label("N = %u beta = %g epsilon = %g", n, betas[b], epsilon);
      const estimate a = measure(&in, p, LBP_SAMPLER_RWM, R, (uint32_t)(5e7 / (R + 16)), 0);
      const double gap = expected - a.mean;
      keep_larger(&gap_at[size], gap, a.se);
      printf("| %6u | %4.2f | %7.2f | %8.4f | %6.0f | %.5f +- %.5f | %9.5f | %8.5f | %8.5f |\n", n, betas[b], epsilon,
             lambda, R, a.mean, a.se, expected, gap, next_order(p, n, R, h));
      free(p);
      lbp_bernoulli_free(&model);
    }
    snprintf(what, sizeof what, " of beta = %g", betas[b]);
    print_gaps(what, gap_at);
  }
}

int main(int argc, char **argv) {
  basic_parse(argc, argv, "usage: theory", NULL, 0);
  bench_start(0);
  theory_lbp();
  theory_rwm();
  return 0;
}
