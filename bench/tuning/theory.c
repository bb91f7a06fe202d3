/* theory - the acceptance rate that (6) predicts for LBP-R on product targets, against the measured one.
 *
 * For N = 100 ... 51200, the paper's configurations and both weight functions: R such that the corrected lambda_1
 * predicts 0.574, chains started in equilibrium. `make bench-theory`; some minutes. */
#include "../common/models.h"

int main(int argc, char **argv) {
  static const uint32_t sizes[] = {100, 800, 6400, 51200}, steps[] = {40000, 20000, 15000, 2000};
  double gap_at[4] = {0, 0, 0, 0};
  basic_parse(argc, argv, "usage: theory", NULL, 0);
  bench_start(0);
  printf("acceptance rate of LBP-R on Bernoulli(p_1) x ... x Bernoulli(p_N): measured, and (6) with lambda_1\n"
         "corrected and as printed in (7)\n\n%8s %3s %-8s %6s  %-16s %9s %9s %9s\n",
         "N", "C", "weight", "R", "measured", "corrected", "paper", "gap");
  for (int size = 0; size < 4; size++) {
    const uint32_t n = sizes[size], chains = 40;
    for (int config = 1; config <= 3; config++) {
      lbp_bernoulli model;
      uint8_t *states = (uint8_t *)basic_alloc((size_t)n * chains, 1);
      lbp_rng rng;
      bench_expect(lbp_bernoulli_random(&model, n, config, 7), "model");
      lbp_rng_init(&rng, 99, (uint64_t)config);
      double *p = bench_probabilities(&model);
      for (uint32_t k = 0; k < chains; k++) {
        for (uint32_t i = 0; i < n; i++) states[(size_t)k * n + i] = lbp_u01(lbp_rng_u64(&rng)) < p[i];
      }
      for (int w = 0; w < WEIGHT_COUNT; w++) {
        const instance in = {&model, n, pair_kernels[MODEL_BERNOULLI][w]()};
        const lbp_scaling corrected = bench_scaling(p, n, LBP_SAMPLER_LBP, w, LBP_LAMBDA_CORRECTED);
        const lbp_scaling paper = bench_scaling(p, n, LBP_SAMPLER_LBP, w, LBP_LAMBDA_PAPER);
        const double R = floor(lbp_scaling_best_R(&corrected) + 0.5), expected = lbp_scaling_acceptance(&corrected, R);
        run_spec spec = run_of(LBP_SAMPLER_LBP, chains, 0, steps[size], 5);
        run_result r;
        spec.r = R;
        spec.states = states;
        basic_progress_begin(basic_progress.share = 1);
        bench_label("N = %u C%d %s", n, config, weight_names[w]);
        run_chains(&in, &spec, &r);
        basic_progress_clear();
        const double gap = expected - r.acceptance.mean;
        if (gap > gap_at[size]) gap_at[size] = gap;
        printf("%8u  C%d %-8s %6.0f  %.4f +- %.4f  %9.4f %9.4f %9.4f\n", n, config, weight_names[w], R,
               r.acceptance.mean, r.acceptance.se, expected, lbp_scaling_acceptance(&paper, R), gap);
      }
      BENCH_FREE(p, states);
      lbp_bernoulli_free(&model);
    }
  }
  printf("\nlargest gap at N = 100, 800, 6400, 51200: %.4f %.4f %.4f %.4f\n", gap_at[0], gap_at[1], gap_at[2], gap_at[3]);
  return 0;
}
