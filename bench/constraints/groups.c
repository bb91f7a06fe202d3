/* groups - the cost of a swap among many groups, and in one large group where few weights dominate.
 *
 * Independent sites, `pairs` of two sites each, one of which is 1, or groups of random sizes, or one group; R swaps at
 * once, on a path, uniform ones. Of pairs it is known which sites are ones how often, and checked. CPU time of one
 * thread. `build/bench/groups`; a minute. */
#include "../common/harness.h"
#include "../../lbp.h"

typedef struct {
  uint32_t n, *group, *ones;
  double *field;
} sites;

LBP_INLINE double sites_delta(const sites *m, const uint8_t *x, uint32_t i) {
  return x[i] ? -m->field[i] : m->field[i];
}

LBP_INLINE uint32_t sites_none(const sites *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0u; }

#define LBP_NAME           choice
#define LBP_MODEL_T        sites
#define LBP_DELTA          sites_delta
#define LBP_NEIGHBOURS     sites_none
#define LBP_MAX_NEIGHBOURS 0
#define LBP_GROUP(m, i)    ((m)->group[i])
#define LBP_GROUP_ONES(m, g) ((m)->ones[g])
#include "../../lbp.h"

/* Groups of `least` to `most` sites, one after another, each with at least a one and a zero, or `ones` if that is not 0;
 * log-odds N(0, spread). */
static sites sites_make(uint32_t groups, uint32_t least, uint32_t most, uint32_t ones, double spread) {
  sites m = {0, NULL, NULL, NULL};
  lbp_rng rng;
  lbp_rng_init(&rng, 3, groups);
  m.group = (uint32_t *)basic_alloc((size_t)groups * most, sizeof *m.group);
  m.field = (double *)basic_alloc((size_t)groups * most, sizeof *m.field);
  m.ones = (uint32_t *)basic_alloc(groups, sizeof *m.ones);
  for (uint32_t g = 0; g < groups; g++) {
    const uint32_t size = least + (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), most - least + 1);
    m.ones[g] = ones > 0 ? ones : 1 + (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), size - 1);
    for (uint32_t k = 0; k < size; k++, m.n++) {
      const double angle = 6.283185307179586 * lbp_u01(lbp_rng_u64(&rng));
      m.group[m.n] = g;
      m.field[m.n] = spread * sqrt(-2 * log(1 - lbp_u01(lbp_rng_u64(&rng)))) * cos(angle);
    }
  }
  return m;
}

/* How many standard errors the number of first sites that are 1 is from its mean; of pairs. */
static double gap(const sites *m, const uint8_t *x) {
  double sum = 0, variance = 0;
  for (uint32_t i = 0; i < m->n; i += 2) {
    const double p = 1 / (1 + exp(m->field[i + 1] - m->field[i]));
    sum += x[i] - p;
    variance += p * (1 - p);
  }
  return sum / sqrt(variance);
}

static int keeps_ones(const sites *m, const uint8_t *x, uint32_t groups) {
  uint32_t *ones = (uint32_t *)basic_alloc(groups, sizeof *ones), wrong = 0;
  for (uint32_t i = 0; i < m->n; i++) ones[m->group[i]] += x[i];
  for (uint32_t g = 0; g < groups; g++) wrong += ones[g] != m->ones[g];
  free(ones);
  return wrong == 0;
}

typedef choice_info step(choice_chain *c, const sites *m, uint32_t R, lbp_rng *rng);

LBP_FN choice_info uniform(choice_chain *c, const sites *m, uint32_t R, lbp_rng *rng) {
  return (void)R, choice_kawasaki_step(c, m, rng);
}

/* ns per swap of steps of R, for `seconds` once all is in place. */
static double ns_of(step *take, choice_chain *c, const sites *m, uint32_t R, lbp_rng *rng, double seconds) {
  double begin, taken;
  uint64_t swaps = 0;
  take(c, m, R, rng);
  begin = bench_cpu_now();
  do {
    for (uint32_t k = 0; k < 200; k += R) swaps += take(c, m, R, rng).proposed / 2;
    taken = bench_cpu_now() - begin;
  } while (taken < seconds);
  return 1e9 * taken / (double)swaps;
}

/* A row of the table. */
static void measure(const char *name, uint32_t groups, const sites *m, int are_pairs) {
  const size_t length = choice_ws_len(m->n);
  uint64_t *ws = (uint64_t *)basic_alloc(length, sizeof *ws);
  uint8_t *x = (uint8_t *)basic_alloc(m->n, 1);
  choice_chain c;
  choice_tuner t;
  lbp_rng rng;
  double begin, first, accept = 0;
  const uint32_t warmup = groups > 1 ? 300 : 3000; /* one group starts far from where it will be */
  uint64_t swaps = 0;
  uint32_t steps;
  lbp_rng_init(&rng, 1, 0);
  bench_expect(choice_init(&c, m->n, x, ws, length), "chain");
  bench_expect(choice_fill(&c, m), "fill");
  bench_expect(choice_scatter(&c, m, &rng), "scatter");
  bench_expect(choice_tuner_init(&t, m->n, warmup, LBP_TARGET_LBP), "tuner");
  begin = bench_cpu_now();
  choice_swap_step(&c, m, 1, &rng);
  first = bench_cpu_now() - begin;
  for (steps = 0; steps < warmup + 100 || (are_pairs && swaps < 12ull * groups); steps++) {
    const choice_info info = choice_aswap_step(&c, m, &t, &rng);
    if (steps >= warmup) accept += info.accept;
    swaps += info.accepted * info.proposed / 2;
  }
  printf("%-26s %8u %6.0f %7.1f %6.0f %5.2f", name, m->n, 8.0 * (double)length / m->n, 1e3 * first, t.r,
         accept / (steps - warmup));
  if (are_pairs) printf(" %6.1f", gap(m, x));
  else printf(" %6s", "");
  printf(" %7.0f", ns_of(choice_swap_step, &c, m, (uint32_t)t.r, &rng, 1));
  printf(" %7.0f", ns_of(choice_swap_step, &c, m, 1, &rng, 1));
  printf(" %7.0f", ns_of(choice_swap_path_step, &c, m, 100, &rng, 1));
  printf(" %7.0f%s\n", ns_of(uniform, &c, m, 1, &rng, 1), keeps_ones(m, x, groups) ? "" : "  ONES LOST");
  BENCH_FREE(ws, x, m->group, m->ones, m->field);
}

int main(int argc, char **argv) {
  static const double spread[] = {1, 30, 300};
  char name[40];
  sites m;
  basic_parse(argc, argv, "usage: groups", NULL, 0);
  bench_start(1);
  printf("ns per swap by weights, at once with the R that is tuned and with 1, and on a path; of a uniform one. gap: the\n"
         "mean of the ones, in standard errors from what it is; bytes a site; ms: the first step\n\n"
         "%-26s %8s %6s %7s %6s %5s %6s %7s %7s %7s %7s\n", "groups", "sites", "bytes", "ms", "R", "acc", "gap", "R",
         "R = 1", "path", "uniform");
  for (uint32_t groups = 1000; groups <= 1000000; groups *= 10) {
    snprintf(name, sizeof name, "%u of 2", groups);
    m = sites_make(groups, 2, 2, 1, 1);
    measure(name, groups, &m, 1);
  }
  m = sites_make(300000, 2, 12, 0, 1);
  measure("300000 of 2 ... 12", 300000, &m, 0);
  for (uint32_t k = 0; k < 3; k++) {
    snprintf(name, sizeof name, "1 of 100000, odds N(0,%.0f)", spread[k]);
    m = sites_make(1, 100000, 100000, 50000, spread[k]);
    measure(name, 1, &m, 0);
  }
  return 0;
}
