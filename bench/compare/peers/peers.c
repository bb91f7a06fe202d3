/* peers - lbp at the settings of other people's samplers, whose figures peers.py sets next to these.
 *
 *   peers MODEL EXTENT CONFIG CHAINS SECONDS STATES [SAMPLER:R ...]
 *
 * Gibbs sweeps bring the chains to equilibrium; STATES gets the states that they end in, a byte a site, from which
 * all that is measured starts, theirs too. Prints a line `law`: the share of ones and log pi, means over rounds of the
 * sweeps; then, for each sampler, at so many SECONDS of CPU time, its name, R (0: a sweep), microseconds of a step,
 * EJD, acceptance. Behind a mean is its error between chains. Informed proposals have the weight t/(1+t). */
#include "../../common/models.h"

enum { BURN = 1000, ROUNDS = 20, SWEEPS = 20, PILOT = 20 };

/* All chains, from coins or the model's own start, or from these states; R is fixed. */
static lbp_chains peers_begin(const bench_model *m, int sampler, double R, uint32_t chains, const uint8_t *states) {
  const instance *in = &m->instances[WEIGHT_BARKER];
  run_spec spec = run_of(sampler, chains, 0, 0, 1 + (uint64_t)sampler);
  lbp_chains c;
  spec.start = m->start;
  spec.states = states;
  lbp_plan plan = run_plan(in, &spec);
  plan.setting[0] = R;
  bench_expect(lbp_chains_init(&c, &in->kernel, in->model, &plan, 0, chains, 1), "chains");
  for (uint32_t k = 0; k < chains; k++) run_make(&c, &spec, k);
  return c;
}

static void peers_law(const bench_model *m, uint32_t chains, uint8_t *states, double *seconds) {
  lbp_chains c = peers_begin(m, LBP_SAMPLER_GIBBS, 0, chains, NULL);
  double *ones = (double *)basic_alloc(chains, sizeof *ones), *logp = (double *)basic_alloc(chains, sizeof *logp);
  run_all(&c, BURN, NULL, NULL, seconds, 0);
  for (int round = 0; round < ROUNDS; round++) {
    run_all(&c, SWEEPS, NULL, NULL, seconds, 0);
    for (uint32_t k = 0; k < chains; k++) {
      const uint8_t *x = (const uint8_t *)lbp_chains_unit(&c, k)->x;
      uint32_t sum = 0;
      for (uint32_t i = 0; i < m->n; i++) sum += x[i];
      ones[k] += (double)sum / m->n / ROUNDS;
      logp[k] += c.kernel->logp(lbp_chains_unit(&c, k), c.model) / ROUNDS;
      if (round + 1 == ROUNDS) memcpy(states + (size_t)k * m->n, x, m->n);
    }
  }
  const estimate share = bench_estimate(ones, chains), mean = bench_estimate(logp, chains);
  printf("law,%.9g,%.3g,%.9g,%.3g\n", share.mean, share.se, mean.mean, mean.se);
  lbp_chains_free(&c);
  BENCH_FREE(ones, logp);
}

static void peers_sampler(const bench_model *m, const char *name, uint32_t chains, double budget, const uint8_t *states,
                          double *seconds) {
  const lbp_kernel *kernel = &m->instances[WEIGHT_BARKER].kernel;
  const size_t length = strcspn(name, ":");
  const double R = name[length] ? atof(name + length + 1) : 0;
  uint32_t row = 0;
  run_result r = {0};
  while (row < kernel->samplers && (strncmp(kernel->sampler[row].name, name, length) != 0 ||
                                    kernel->sampler[row].name[length])) row++;
  if (row == kernel->samplers) basic_die("there is no sampler %s", name);
  if ((R > 0) != !!kernel->sampler[row].parameter_name) basic_die("%s: R goes with what is no sweep", name);
  lbp_chains c = peers_begin(m, kernel->sampler[row].sampler, R, chains, states);
  run_all(&c, PILOT, NULL, NULL, seconds, 0);
  run_sum(&c, PILOT, seconds, &r);
  const uint32_t steps = (uint32_t)lbp_clamp_double(budget / chains / r.step_seconds, 1e8) + 1;
  run_all(&c, steps, NULL, NULL, seconds, 0);
  run_sum(&c, steps, seconds, &r);
  printf("%.*s,%g,%.6g,%.6g,%.3g,%.6g,%.3g\n", (int)length, name, R, 1e6 * r.step_seconds, r.ejd.mean, r.ejd.se,
         r.acceptance.mean, r.acceptance.se);
  lbp_chains_free(&c);
}

int main(int argc, char **argv) {
  bench_model m;
  int kind = 0;
  if (argc < 7) basic_die("usage: peers MODEL EXTENT CONFIG CHAINS SECONDS STATES [SAMPLER:R ...]");
  while (kind < MODEL_COUNT && strcmp(model_names[kind], argv[1]) != 0) kind++;
  if (kind == MODEL_COUNT) basic_die("there is no model %s", argv[1]);
  const uint32_t extent = (uint32_t)basic_number("EXTENT", argv[2], 1, 100000);
  const uint32_t chains = (uint32_t)basic_number("CHAINS", argv[4], 2, 100000);
  const double budget = basic_seconds("SECONDS", argv[5]);
  bench_start(1);
  bench_model_load(&m, kind, extent, (int)basic_number("CONFIG", argv[3], 1, 3), "bench/data");
  uint8_t *states = (uint8_t *)basic_alloc((size_t)chains * m.n, 1);
  double *seconds = (double *)basic_alloc(chains, sizeof *seconds);
  peers_law(&m, chains, states, seconds);
  for (int a = 7; a < argc; a++) peers_sampler(&m, argv[a], chains, budget, states, seconds);
  const bench_file file = bench_open("%s", argv[6]);
  fwrite(states, 1, (size_t)chains * m.n, file.to);
  bench_close(&file);
  bench_model_free(&m);
  BENCH_FREE(states, seconds);
  return 0;
}
