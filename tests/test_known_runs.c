/* The same runs everywhere: hashes of all draws that NAME_run writes, on one thread and on four, in one go and cut off
 * in the middle, of every sampler, by itself, with a shared tuner, tempered; and log Z of NAME_ais. Of swaps, clusters by
 * pairs and by terms, lanes, permutations, matchings and lbp_ab.h by itself, and tempered or with LBP_REAL the other way
 * where that is another way to draw. Against known.txt,
 * as test_known.c does for steps, and where that holds (LBP_EXACT 1). A change of these lines is a change of the random
 * stream of runs, and is in CHANGELOG.md.
 *
 * Usage: test_known_runs [FILE], by default tests/known.txt; test_known_runs --print writes what FILE should hold. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define LBP_EXACT 1
#include "../lbp_models.h"
#include "../lbp/models/potts.h"
#include "../lbp_run.h"

#if defined _OPENMP
#include <omp.h>
#endif

#include "perm_toy.h"
#include "run_files.h"
#include "test.h"
#include "web.h"

#define LBP_NAME           local
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           lbp_graph_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

static void all_deltas(const lbp_graph *m, const uint8_t *x, lbp_real *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = lbp_graph_delta(m, x, i);
}

#define LBP_NAME    dense
#define LBP_MODEL_T lbp_graph
#define LBP_REAL    lbp_real
#define LBP_WEIGHT  LBP_SQRT
#define LBP_DELTA   lbp_graph_delta
#define LBP_DELTAS  all_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP    lbp_graph_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

static lbp_real lean(const lbp_potts *m, uint32_t i, uint32_t v) { return m->h[(size_t)i * m->states + v] / 2; }

#define LBP_NAME           colours
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     4
#define LBP_CAT_STATES_OF  lbp_potts_values
#define LBP_CAT_DELTAS_OF  lbp_potts_fields_deltas_of
#define LBP_CAT_DELTA      lbp_potts_fields_delta
#define LBP_CAT_BASE       lean
#define LBP_FIELDS_T       lbp_potts_fields
#define LBP_FIELDS_INIT    lbp_potts_fields_set
#define LBP_FIELDS_MAKE    lbp_potts_fields_init
#define LBP_FIELDS_FREE    lbp_potts_fields_free
#define LBP_CAT_CHANGE     lbp_potts_change
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#define LBP_LOGP           lbp_potts_fields_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

static uint32_t rows(const lbp_graph *m, uint32_t i) { return (void)m, i % 7 == 0 ? LBP_NO_GROUP : i / 12; }

static uint32_t row_ones(const lbp_graph *m, uint32_t g) { return (void)m, 3 + 2 * g; }

#define LBP_NAME           swaps
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           lbp_graph_logp
#define LBP_GROUP          rows
#define LBP_GROUP_ONES     row_ones
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           dense_swaps
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_DELTAS         all_deltas
#define LBP_LOGP           lbp_graph_logp
#define LBP_GROUP          rows
#define LBP_GROUP_ONES     row_ones
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           pairs
#define LBP_MODEL_T        lbp_graph
#define LBP_REAL           lbp_real
#define LBP_PAIRS          lbp_graph_pairs
#define LBP_FIELD          lbp_graph_field
#define LBP_UNIT(m)        ((void)(m), 0.25)
#define LBP_LANES          128
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           lbp_graph_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME          terms
#define LBP_MODEL_T       web
#define LBP_CAT_STATES    WEB_VALUES
#define LBP_CAT_STATES_OF web_values
#define LBP_TERM_COUNT(m) (m)->terms
#define LBP_TERM_SITES    web_sites
#define LBP_TERM          web_term
#define LBP_SITE_TERM     web_site_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  WEB_TERMS
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME            permutation
#define LBP_MODEL_T         perm_toy
#define LBP_EXCHANGE        perm_exchange
#define LBP_PERM_ROW        perm_row
#define LBP_PERM_ROW_WEIGHT perm_row_weight
#define LBP_NEIGHBOURS      perm_neighbours
#define LBP_MAX_NEIGHBOURS  PERM_MOST
#define LBP_LOGP            perm_logp
#include "../lbp_run.h"

#define LBP_NAME                    matching
#define LBP_MODEL_T                 perm_toy
#define LBP_EXCHANGE                perm_exchange
#define LBP_PERM_ROW_WEIGHT         perm_row_weight
#define LBP_NEIGHBOURS              perm_neighbours
#define LBP_MAX_NEIGHBOURS          PERM_MOST
#define LBP_LOGP                    perm_logp
#define LBP_PERM_PARTIAL_ROWS(m)    (m)->rows
#define LBP_PERM_PARTIAL_COLUMNS(m) (m)->columns
#include "../lbp_run.h"

#define LBP_NAME        ordinal
#define LBP_STATES      2
#define LBP_MODEL_T     lbp_graph
#define LBP_REAL        lbp_real
#define LBP_GRADIENT    lbp_graph_gradient
#define LBP_CONDITIONAL lbp_graph_conditional
#include "../lbp_run.h"

enum { SIDE = 6, CHAINS = 3 };

static char known[1 << 16]; /* the file */
static int printing;

/* What a run has drawn: the rows of all its files, without comments. */
static uint64_t drawn(const char *prefix, int npy) {
  uint64_t hash = LBP_P_HASH;
  uint32_t k;
  for (k = 1; k <= CHAINS; k++) {
    char path[300], *text, *at;
    long size;
    snprintf(path, sizeof path, "%s_%lu.csv", prefix, (unsigned long)k);
    text = content(path, &size);
    for (at = text; at && *at; at = strchr(at, '\n') + 1) {
      if (*at != '#') hash = lbp_runner_hash(hash, at, (size_t)(strchr(at, '\n') - at));
    }
    free(text);
    if (!npy) continue;
    snprintf(path, sizeof path, "%s_%lu_states.npy", prefix, (unsigned long)k);
    text = content(path, &size);
    if (text) hash = lbp_runner_hash(hash, text, (size_t)size);
    free(text);
  }
  return hash;
}

static void settle(const char *what, uint64_t hash) {
  char line[160];
  snprintf(line, sizeof line, "%s run %s %08lx%08lx\n", sizeof(lbp_real) == sizeof(float) ? "float" : "double", what,
           (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu));
  if (printing) fputs(line, stdout);
  else test_count(strstr(known, line) != NULL, __FILE__, __LINE__, line);
}

/* Asks the run to stop when it has drawn so often. */
static volatile sig_atomic_t stop;
static long draws_left;
static void countdown(void) {
#if defined _OPENMP
#pragma omp atomic
#endif
  draws_left--;
  if (draws_left < 0) stop = 1;
}
static double ones(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  countdown();
  return lbp_run_ones(column, x, n);
}
/* A number of the whole permutation. */
static double images(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  const uint32_t *s = (const uint32_t *)(const void *)x;
  double code = 0;
  uint32_t a;
  (void)column;
  countdown();
  for (a = 0; a < n; a++) code = code * n + s[a];
  return code;
}

/* One line, whatever way the draws are come by. */
static void check_run(const lbp_kernel *kernel, const char *what, lbp_run run, const void *m, uint32_t n) {
  const lbp_run_column column = {"ones", kernel->item_bytes == sizeof(uint32_t) ? images : ones, NULL, 0};
  const int npy = run.save_states == LBP_STATES_NPY;
  lbp_run_result result;
  uint64_t hash = 0;
  int way, calls = 0;
  run.chains = CHAINS;
  run.seed = 7;
  run.warmup = 400;
  run.draws = 150;
  run.digits = 17;
  run.column = &column;
  run.columns = 1;
  run.stop = &stop;
  run.prefix = in_folder("known");
  for (way = 0; way < 3; way++) {
    threads(way == 1 ? 4 : 1);
    run.checkpoint = way == 2 ? in_folder("known.ckpt") : NULL;
    do {
      stop = 0;
      draws_left = way == 2 && calls < 2 ? 100 : 1000000;
      CHECK(lbp_run_kernel(&run, kernel, m, n, &result) == LBP_OK);
      if (result.status != LBP_OK) printf("%s: %s\n", what, result.message);
      lbp_run_free(&result);
    } while (result.ended == LBP_END_STOPPED && calls++ < 10);
    if (way == 0) hash = drawn(run.prefix, npy);
    else CHECK(drawn(run.prefix, npy) == hash);
  }
  CHECK(calls > 0);
  settle(what, hash);
  remove(run.checkpoint);
  remove_all(run.prefix, CHAINS);
}

static void check_ais(const char *what, const lbp_kernel *kernel, int sampler, const void *m, double resample) {
  lbp_run run;
  lbp_ais_result result;
  char text[160];
  uint64_t hash = 0;
  int way;
  lbp_run_init(&run);
  run.sampler = sampler;
  run.tempering.resample = resample;
  run.chains = 20;
  run.tempering.rungs = 30;
  run.thin = 2;
  for (way = 0; way < 2; way++) {
    threads(way ? 4 : 1);
    CHECK(lbp_ais_kernel(&run, kernel, m, SIDE * SIDE, &result) == LBP_OK);
    snprintf(text, sizeof text, "%.9g %.9g", result.log_z, result.accept); /* libraries' log and exp differ in the end */
    if (resample > 0) {
      snprintf(text + strlen(text), sizeof text - strlen(text), " %lu %.6g %.6g %.9g", (unsigned long)result.families,
               result.effective_families, result.log_z_se, result.best_logp);
    }
    lbp_ais_free(&result);
    if (way == 0) hash = lbp_runner_hash(LBP_P_HASH, text, strlen(text));
    else CHECK(hash == lbp_runner_hash(LBP_P_HASH, text, strlen(text)));
  }
  settle(what, hash);
}

/* Sites with one to four values. */
static void check_categorical(void) {
  const lbp_kernel kernel = colours_kernel();
  double h[SIDE * SIDE * 4], J[2 * SIDE * SIDE];
  uint32_t values[SIDE * SIDE], ends[4 * SIDE * SIDE], edges = 0, i, row;
  lbp_potts m;
  lbp_rng rng;
  lbp_rng_init(&rng, 3, 3);
  for (i = 0; i < SIDE * SIDE; i++) {
    values[i] = i % 9 == 0 ? 1 : 2 + i % 3;
    if (i % SIDE > 0) ends[2 * edges] = i - 1, ends[2 * edges++ + 1] = i;
    if (i >= SIDE) ends[2 * edges] = i - SIDE, ends[2 * edges++ + 1] = i;
  }
  for (i = 0; i < edges; i++) J[i] = 1;
  for (i = 0; i < SIDE * SIDE * 4; i++) h[i] = (double)(lbp_rng_u64(&rng) >> 60) / 16;
  CHECK(lbp_potts_init(&m, SIDE * SIDE, 4, values, h, 0.7, edges, ends, J) == LBP_OK);
  for (row = 0; row < kernel.samplers; row++) {
    const int sampler = kernel.sampler[row].sampler;
    const char *name = kernel.sampler[row].name;
    char what[80];
    lbp_run run;
    lbp_run_init(&run);
    run.sampler = sampler;
    run.thin = 3;
    run.save_states = LBP_STATES_CSV;
    snprintf(what, sizeof what, "categorical %s", name);
    check_run(&kernel, what, run, &m, SIDE * SIDE);
    run.shared_tuner = 1;
    run.tempering.rungs = 4;
    run.save_states = LBP_STATES_NPY;
    run.marginals = LBP_MARGINALS_CONDITIONAL;
    snprintf(what, sizeof what, "categorical %s shared tempered", name);
    check_run(&kernel, what, run, &m, SIDE * SIDE);
    snprintf(what, sizeof what, "categorical %s annealed", name);
    check_ais(what, &kernel, sampler, &m, 0);
    strcat(what, " resampled");
    check_ais(what, &kernel, sampler, &m, 0.9);
  }
  lbp_potts_free(&m);
}

/* A line for each sampler of a kernel, or for one of them; tempered, another one. */
static void check_family(const lbp_kernel kernel, const char *family, int only, const void *m, uint32_t n,
                         const void *curvature) {
  uint32_t row, rungs;
  for (row = 0; row < kernel.samplers; row++) {
    if (only != LBP_SAMPLER_DEFAULT && kernel.sampler[row].sampler != only) continue;
    if (!curvature && (kernel.sampler[row].traits & LBP_TRAIT_MOMENTUM)) continue;
    for (rungs = 1; rungs <= 3; rungs += 2) {
      if (rungs > 1 && !curvature && (kernel.sampler[row].traits & LBP_TRAIT_CURVED)) continue; /* at one temperature */
      char what[80];
      lbp_run run;
      lbp_run_init(&run);
      run.sampler = kernel.sampler[row].sampler;
      run.tempering.rungs = rungs;
      run.thin = 4;
      run.curvature = curvature;
      snprintf(what, sizeof what, "%s %s%s", family, kernel.sampler[row].name, rungs > 1 ? " tempered" : "");
      check_run(&kernel, what, run, m, n);
    }
  }
}

static void check_graphs(void) {
  lbp_graph m;
  CHECK(lbp_graph_grid(&m, SIDE, SIDE, 0.25) == LBP_OK);
  check_family(swaps_kernel(), "swaps", LBP_SAMPLER_DEFAULT, &m, SIDE * SIDE, NULL);
  check_family(dense_swaps_kernel(), "dense swaps", LBP_SAMPLER_DEFAULT, &m, SIDE * SIDE, NULL);
  check_family(pairs_kernel(), "pairs", LBP_SAMPLER_SWENDSEN_WANG, &m, SIDE * SIDE, NULL);
  check_family(pairs_kernel(), "pairs", LBP_SAMPLER_WOLFF, &m, SIDE * SIDE, NULL);
  check_family(pairs_kernel(), "pairs", LBP_SAMPLER_LANES, &m, SIDE * SIDE, NULL);
  {
    const lbp_kernel kernel = pairs_kernel();
    lbp_run run;
    lbp_run_init(&run);
    run.tempering.rungs = 3;
    run.tempering.swap_parts = 1;
    run.tempering.replicas = 2;
    run.thin = 4;
    check_run(&kernel, "pairs LBP tempered by parts", run, &m, SIDE * SIDE);
  }
  lbp_graph_free(&m);
}

/* Of sites alone, which lbp_ab.h can adapt to, and with a curvature. */
static void check_ordinal(void) {
  static uint32_t column[4 * SIDE * SIDE];
  static double value[4 * SIDE * SIDE], D[SIDE * SIDE], memory[6 * SIDE * SIDE * SIDE * SIDE];
  static double work[6 * SIDE * SIDE * SIDE * SIDE];
  ordinal_curvature curvature;
  lbp_symmetric W;
  lbp_graph m;
  CHECK(lbp_graph_grid(&m, SIDE, SIDE, 0.25) == LBP_OK);
  check_family(ordinal_kernel(), "ordinal", LBP_SAMPLER_DEFAULT, &m, SIDE * SIDE, NULL);
  W = lbp_graph_hessian(&m, column, value);
  CHECK(lbp_diagonal_workspace(LBP_DIAGONAL_TRACE, W.n) <= sizeof work / sizeof work[0]);
  CHECK(lbp_diagonal(LBP_DIAGONAL_TRACE, &W, D, work, sizeof work / sizeof work[0]) == LBP_OK);
  CHECK(ordinal_curvature_init(&curvature, &W, D, 1, memory, sizeof memory) == LBP_OK);
  check_family(ordinal_kernel(), "ordinal curved", LBP_SAMPLER_AB, &m, SIDE * SIDE, &curvature);
  check_family(ordinal_kernel(), "ordinal curved", LBP_SAMPLER_MOMENTUM, &m, SIDE * SIDE, &curvature);
  lbp_graph_free(&m);
}

static void check_others(void) {
  static web factors;
  perm_toy quadratic = perm_make(PERM_MOST, PERM_QUADRATIC, 2, 0);
  perm_toy links = perm_partial(PERM_MOST, 3, 4, PERM_QUADRATIC, 1.5, 0);
  web_make(&factors, WEB_SITES, WEB_VALUES, WEB_TERMS, 3, 0, 5);
  check_family(terms_kernel(), "terms", LBP_SAMPLER_DEFAULT, &factors, WEB_SITES, NULL);
  check_family(permutation_kernel(PERM_MOST), "permutation", LBP_SAMPLER_DEFAULT, &quadratic, PERM_MOST, NULL);
  check_family(matching_kernel(PERM_MOST), "matching", LBP_SAMPLER_DEFAULT, &links, PERM_MOST, NULL);
}

int main(int argc, char **argv) {
  const lbp_kernel kernel = local_kernel();
  const lbp_kernel dense = dense_kernel();
  const char *path = argc > 1 ? argv[1] : "tests/known.txt";
  lbp_graph m;
  uint32_t row;
  printing = strcmp(path, "--print") == 0;
#if defined __FAST_MATH__
  puts("skipped: -ffast-math changes what operations give");
  puts("0 passed, 0 failed, 1 skipped");
  return 0;
#endif
#if !TEST_ALIKE
  puts("skipped: operations are rounded to more digits here (FLT_EVAL_METHOD)");
  puts("0 passed, 0 failed, 1 skipped");
  return 0;
#endif
  if (!printing) {
    FILE *file = fopen(path, "r");
    if (file) {
      known[fread(known, 1, sizeof known - 1, file)] = 0;
      fclose(file);
    } else {
      printf("test_known_runs: %s cannot be read: run it where tests/ is, or name the file\n", path);
    }
  }
  CHECK(make_folder());
  CHECK(lbp_graph_grid(&m, SIDE, SIDE, (lbp_real)0.3) == LBP_OK);
  for (row = 0; row < kernel.samplers; row++) {
    const int sampler = kernel.sampler[row].sampler;
    const char *name = kernel.sampler[row].name;
    char what[80];
    lbp_run run;
    lbp_run_init(&run);
    run.sampler = sampler;
    run.thin = 3;
    run.save_states = LBP_STATES_CSV;
    snprintf(what, sizeof what, "local %s", name);
    check_run(&kernel, what, run, &m, SIDE * SIDE);
    run.save_states = LBP_STATES_NPY;
    snprintf(what, sizeof what, "dense %s", name);
    if (lbp_kernel_sampler(&dense, sampler)) check_run(&dense, what, run, &m, SIDE * SIDE);
    run.shared_tuner = 1;
    snprintf(what, sizeof what, "local %s shared", name);
    check_run(&kernel, what, run, &m, SIDE * SIDE);
    run.tempering.rungs = 4;
    snprintf(what, sizeof what, "local %s shared tempered", name);
    check_run(&kernel, what, run, &m, SIDE * SIDE);
    run.shared_tuner = 0;
    run.tempering.swap_every = 1;
    snprintf(what, sizeof what, "dense %s tempered", name);
    if (lbp_kernel_sampler(&dense, sampler)) check_run(&dense, what, run, &m, SIDE * SIDE);
    snprintf(what, sizeof what, "local %s annealed", name);
    check_ais(what, &kernel, sampler, &m, 0);
    strcat(what, " resampled");
    check_ais(what, &kernel, sampler, &m, 0.9);
  }
  {
    lbp_run run;
    lbp_run_init(&run);
    run.parameter = 3.5;
    run.thin = 4;
    run.tempering.rungs = 3;
    run.marginals = 1;
    check_run(&kernel, "local LBP R=3.5 tempered", run, &m, SIDE * SIDE);
  }
  lbp_graph_free(&m);
  check_categorical();
  check_graphs();
  check_ordinal();
  check_others();
  CHECK(rmdir(folder) == 0);
  return printing ? 0 : test_report();
}
