/* Long runs against a law. A replica begins with an exact draw from the law, so that at every step its state is one
 * too, and what it measures has the law's expectation: there is no burn-in, whatever the mixing time. Replicas are
 * independent: the mean of a statistic over a replica is one draw, and EXACT_REPLICAS of them make a t-test. An
 * exact start hides one kind of error, a chain that does not reach all states; so every site must end differently
 * from where it began in some replica, and so must the parity of the sum.
 *
 * Each t-test is at level EXACT_LEVEL, and seeds are fixed. For the mean of so many replicas to be nearly normal, the
 * models have no rare values: every marginal probability is between 0.05 and 0.95. */
#ifndef EXACT_JUDGE_H
#define EXACT_JUDGE_H

#include "../test.h"
#include "law.h"

#define EXACT_LEVEL 1e-9

#ifdef API_QUICK
enum { EXACT_REPLICAS = 40 };
#else
enum { EXACT_REPLICAS = 200 };
#endif
enum { EXACT_MOST = 2048 };

/* P(|T| > t), Student's t with `df` degrees of freedom, by Simpson's rule in u, T = t e^u. */
static double judge_tail(double t, double df) {
  const double front = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * 3.14159265358979323846), h = 1.0 / 1024;
  double sum = 0;
  int k;
  for (k = 0; k <= 8192; k++) {
    const double at = t * exp(k * h), f = at * exp(-(df + 1) / 2 * log1p(at * at / df));
    sum += f * (k == 0 || k == 8192 ? 1 : k % 2 ? 4 : 2);
  }
  return 2 * front * sum * h / 3;
}

/* The t that is exceeded with this probability. */
static double judge_quantile(double tail, double df) {
  double low = 0.1, high = 100;
  int k;
  for (k = 0; k < 60; k++) {
    const double middle = (low + high) / 2;
    if (judge_tail(middle, df) > tail) low = middle;
    else high = middle;
  }
  return low;
}

typedef struct {
  const law *l;
  char sampler[48];
  uint64_t seed;                              /* a function of the law's and the sampler's name */
  double gap[EXACT_MOST], square[EXACT_MOST]; /* sums over replicas of the mean's deviation, and of its square */
  uint32_t moved[EXACT_MOST], odd, replicas;  /* replicas in which a site, and the parity of the sum, has changed */
  uint32_t thawed;                            /* replicas in which what was tuned did not stay as it was */
  double accept, steps;
} judge;

static uint64_t judge_tests, judge_beyond_3, judge_cases;
static double judge_critical, judge_worst;

/* FNV-1a of the text, going on from `hash`. */
static uint64_t judge_hash(uint64_t hash, const char *text) {
  while (*text) hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
  return hash;
}

static void judge_start(judge *j, const law *l, const char *instance, const char *sampler, uint64_t seed) {
  if (l->count > EXACT_MOST || l->n > EXACT_MOST) exit(3);
  memset(j, 0, sizeof *j);
  j->l = l;
  snprintf(j->sampler, sizeof j->sampler, "%s %s", instance, sampler);
  j->seed = judge_hash(judge_hash(seed ^ UINT64_C(0xcbf29ce484222325), l->name), j->sampler);
}

/* Ends a replica: sum over `visits` states, and where it went from where. Clears the sums. */
static void judge_replica(judge *j, double *sum, double visits, const uint8_t *from, const uint8_t *to) {
  const law *l = j->l;
  uint32_t i, parity = 0;
  for (i = 0; i < l->count; i++) {
    const double gap = sum[i] / visits - l->exact[i];
    j->gap[i] += gap;
    j->square[i] += gap * gap;
    sum[i] = 0;
  }
  for (i = 0; i < l->n; i++) {
    j->moved[i] += from[i] != to[i];
    parity ^= (from[i] ^ to[i]) & 1u;
  }
  j->odd += parity;
  j->replicas++;
}

/* A row for each group: its statistic with the largest t, and the bias that would be detected in it with
 * probability 0.9. `wanders`: 0 if runs are too short to be judged (by sanitizers, say), 2 if also both parities are to
 * be reached. */
static void judge_finish(judge *j, int wanders) {
  const law *l = j->l;
  const double K = j->replicas;
  uint32_t g, k, i = 0;
  const double limit = wanders ? judge_critical : HUGE_VAL;
  int all_moved = 1;
  char text[200];
  for (g = 0; g < l->groups; g++) {
    double worst = -1, worst_t = 0, worst_error = 0;
    uint32_t worst_at = 0;
    for (k = 0; k < l->group[g].count; k++, i++) {
      const double mean = j->gap[i] / K, variance = (j->square[i] - K * mean * mean) / (K - 1);
      const double error = sqrt((variance > 0 ? variance : 0) / K);
      const double t = error > 0 ? mean / error : mean == 0 ? 0 : HUGE_VAL;
      judge_tests++;
      judge_beyond_3 += fabs(t) > 3;
      if (fabs(t) <= worst) continue;
      worst = fabs(t);
      worst_t = t;
      worst_error = error;
      worst_at = i;
    }
    snprintf(text, sizeof text, "%-12s %-23s %-13s %5u %13.7g %13.7g %6.2f %9.2g", l->name, j->sampler,
             l->group[g].name, (unsigned)l->group[g].count, l->exact[worst_at],
             l->exact[worst_at] + j->gap[worst_at] / K, worst_t, (judge_critical + 1.2816) * worst_error);
    printf("%s\n", text);
    test_count(worst <= limit, __FILE__, __LINE__, text);
    if (worst > judge_worst) judge_worst = worst;
  }
  for (k = 0; k < l->n; k++) all_moved &= j->moved[k] > 0;
  snprintf(text, sizeof text, "%s %s: acceptance %.3f; every site moves%s", l->name, j->sampler, j->accept / j->steps,
           wanders > 1 ? ", and both parities are reached" : "");
  test_count(j->thawed == 0, __FILE__, __LINE__, "what was tuned is frozen");
  if (wanders) test_count(all_moved && (wanders < 2 || (j->odd > 0 && j->odd < j->replicas)), __FILE__, __LINE__, text);
  printf("%-12s %-23s acceptance %.3f\n", l->name, j->sampler, j->accept / j->steps);
  judge_cases++;
}

static void judge_head(void) {
  judge_critical = judge_quantile(EXACT_LEVEL, EXACT_REPLICAS - 1);
  printf("%-12s %-23s %-13s %5s %13s %13s %6s %9s\n", "law", "sampler", "statistic", "of", "exact", "measured", "t",
         "detects");
}

#endif
