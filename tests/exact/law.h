/* A law known in closed form, as the tests of long runs want it: exact draws to start from, statistics of a state, and
 * their exact expectations. Nothing here calls lbp.h or lbp_ab.h: a law takes a model's parameters, and has its own
 * random numbers, exponentials and sums. */
#ifndef EXACT_LAW_H
#define EXACT_LAW_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LAW_GROUPS = 8 };

/* Statistics of one kind, in a row of the table that is printed. */
typedef struct {
  const char *name;
  uint32_t count;
} law_group;

typedef struct law law;
struct law {
  const char *name;
  const void *model;                                                   /* what a sampler's callbacks get */
  uint32_t n, values;                                                  /* sites, and values of each */
  uint32_t count, groups;                                              /* statistics, in groups, one after another */
  law_group group[LAW_GROUPS];
  double *exact;                                                       /* [count] expectations */
  void *own;                                                           /* whatever this kind of law keeps */
  void (*draw)(const law *l, uint64_t *seed, uint8_t *x);              /* x from the law */
  void (*add)(const law *l, const uint8_t *x, double weight, double *sum); /* sum[j] += weight * statistic j of x */
};

static void *law_memory(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) exit(3);
  return memory;
}

static double *law_doubles(size_t count) { return (double *)law_memory(count, sizeof(double)); }

static void law_declare(law *l, const char *name, uint32_t count) {
  l->group[l->groups].name = name;
  l->group[l->groups++].count = count;
  l->count += count;
}

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014), a uniform number in
 * (0, 1) at a time. */
static double law_uniform(uint64_t *seed) {
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return ((double)((z ^ z >> 31) >> 12) + 0.5) / 4503599627370496.0;
}

/* An index in proportion to non-negative weights. */
static uint32_t law_pick(const double *weight, uint32_t count, uint64_t *seed) {
  double total = 0, target;
  uint32_t k;
  for (k = 0; k < count; k++) total += weight[k];
  target = law_uniform(seed) * total;
  for (k = 0; k + 1 < count && target >= weight[k]; k++) target -= weight[k];
  return k;
}

static double law_sigmoid(double v) { return 1 / (1 + exp(-v)); }

#endif
