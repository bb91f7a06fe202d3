/* Chains whose sites are 2^32 and more together: result.best and .hits of each are its own. The kernel, by hand, has
 * chains that share one state, and say by its first bytes which they are; and memory of more than 64 MB is made of a
 * few pages, but for the page that each chain's state begins with: so 5 chains of 2^30 sites, of which a run keeps 7
 * GB, do with about 20 MB. Skipped, with a line, where a process cannot have so many addresses. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHAINS = 5, PAGE = 1 << 16, MARK = 8 };
#define SITES  (UINT32_C(1) << 30) /* a state as it is has so many bytes, a packed one an eighth */
#define COMMON (UINT32_C(1) << 24)
#define LARGE  (UINT64_C(1) << 26)

static uint64_t largest; /* bytes that were asked for at once */
static int common = -1;  /* a file that has no name: the pages that all share */
static int unmapped;     /* whether there was no room */

/* Bytes whose pages are common but for the first after every SITES / 8 bytes. */
static void *thin_memory(uint64_t bytes) {
  const uint64_t length = (bytes + SITES / 8) / (SITES / 8) * (SITES / 8);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  uint64_t at;
  char *p = (char *)mmap(NULL, length, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (p == MAP_FAILED) return unmapped = 1, NULL;
  for (at = 0; at < length; at += COMMON) {
    const uint64_t own = at % (SITES / 8) == 0 ? PAGE : 0;
    const void *got = mmap(p + at + own, COMMON - own, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, common, (off_t)own);
    if (got == MAP_FAILED) return unmapped = 1, NULL;
  }
  return p;
}

static void *own_calloc(size_t count, size_t size) {
  const uint64_t bytes = (uint64_t)count * size;
  if (bytes > largest) largest = bytes;
  return bytes > LARGE ? thin_memory(bytes) : calloc(count, size);
}

/* What is thin stays until the end; nothing else begins with a page. */
static void own_free(void *p) {
  if ((uintptr_t)p % 4096 != 0) free(p);
}

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "../lbp_stats.h"
#define calloc own_calloc
#define free   own_free
#include "../lbp_run.h"
#undef calloc
#undef free

#include "test.h"

typedef struct {
  lbp_unit unit; /* comes first */
  uint32_t id;   /* which chain it is, from 1 on */
} chain;

static uint8_t *state; /* of all */
static uint32_t ids;

static size_t chain_bytes(const lbp_plan *plan) { return (void)plan, (sizeof(chain) + 63) / 64 * 64; }
static int chain_make(void *c, const void *model, const lbp_plan *plan) {
  (void)model, (void)plan;
  ((chain *)c)->unit.x = state;
  ((chain *)c)->id = ++ids;
  return LBP_OK;
}
static void chain_none(void *c) { (void)c; }
static double chain_logp(void *c, const void *model) { return (void)model, -(double)((chain *)c)->id; }
static void chain_ratios(void *c, const void *model, void (*take)(void *data, uint32_t i, double d), void *data) {
  (void)c, (void)model, (void)take, (void)data;
}
static void chain_scatter(void *c, const void *model, lbp_rng *rng) { (void)c, (void)model, (void)rng; }
static int chain_admits(void *c, const void *model, uint64_t *which) { return (void)c, (void)model, *which = 0, LBP_OK; }
static double chain_log_states(void *c, const void *model) { return (void)c, (void)model, 1; }
static size_t tuner_bytes(const lbp_plan *plan) { return (void)plan, sizeof(double); }
static int tuner_init(void *t, const lbp_plan *plan) { return (void)t, (void)plan, LBP_OK; }
static void tuner_update(void *t, double accept) { (void)t, (void)accept; }
static void tuner_setting(const void *t, double *setting) { (void)t, setting[0] = 1; }
static size_t tuner_words(const lbp_plan *plan) { return (void)plan, 1; }
static void tuner_save(void *t, double *words) { (void)t, words[0] = 0; }
static void tuner_load(void *t, const double *words) { (void)t, (void)words; }

/* A step writes the chain's number into the first sites. */
static uint32_t steps(void *c, const void *model, const lbp_plan *plan, void *tuner, uint32_t count, double limit,
                      int learn, lbp_moves *moves) {
  uint32_t k;
  (void)model, (void)plan, (void)tuner, (void)limit, (void)learn;
  for (k = 0; k < MARK; k++) state[k] = ((chain *)c)->id >> k & 1;
  moves->accept += count;
  moves->jump += count;
  moves->evaluations += count;
  return count;
}

static const lbp_sampler samplers[] = {{2000, "Own", "own", NULL, 0, "evaluations", 0, steps, NULL}};

static lbp_kernel own_kernel(void) {
  lbp_kernel k;
  memset(&k, 0, sizeof k);
  k.sampler = samplers;
  k.samplers = 1;
  k.values = 2;
  k.item_bytes = 1;
  k.real_bytes = 8;
  k.local = 1;
  k.bytes = chain_bytes;
  k.make = chain_make;
  k.drop = k.touch = chain_none;
  k.logp = chain_logp;
  k.ratios = chain_ratios;
  k.admits = chain_admits;
  k.scatter = chain_scatter;
  k.log_states = chain_log_states;
  k.tuner_bytes = tuner_bytes;
  k.tuner_init = tuner_init;
  k.tuner_update = tuner_update;
  k.tuner_setting = tuner_setting;
  k.tuner_words = tuner_words;
  k.tuner_save = tuner_save;
  k.tuner_load = tuner_load;
  return k;
}

static uint32_t number_in(const uint8_t *x) {
  uint32_t k, id = 0;
  for (k = 0; k < MARK; k++) id |= (uint32_t)x[k] << k;
  return id;
}

static void test_best(void) {
  const lbp_kernel kernel = own_kernel();
  lbp_run_result result;
  lbp_run run;
  uint32_t k;
  lbp_run_init(&run);
  run.sampler = 2000;
  run.chains = CHAINS;
  run.warmup = 0;
  run.draws = 1;
  run.check_trials = 0;
  if (lbp_run_kernel(&run, &kernel, state, SITES, &result) == LBP_E_MEMORY && unmapped) {
    printf("skipped: no addresses for %llu bytes\n", (unsigned long long)largest);
    CHECK(unmapped);
    return;
  }
  CHECK(result.status == LBP_OK && result.chains == CHAINS);
  CHECK(largest > UINT32_MAX); /* the best states, one beside the other */
  for (k = 0; k < CHAINS && result.status == LBP_OK; k++) {
    CHECK(result.best_logp[k] == -(double)(k + 1) && number_in(result.best + (size_t)k * SITES) == k + 1);
  }
  lbp_run_free(&result);
}

int main(void) {
  common = memfd_create("common", 0);
  CHECK(common >= 0 && ftruncate(common, COMMON) == 0);
  state = (uint8_t *)thin_memory(SITES);
  if (!state) printf("skipped: no addresses for a state\n");
  CHECK(state || unmapped);
  if (state) test_best();
  return test_report();
}
