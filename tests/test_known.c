/* The same draws everywhere: trajectories of 100,000 steps (Gibbs: 1000 sweeps), as hashes after a hundredth of them and
 * after all, against known.txt, which every compiler, standard, optimisation level and processor must meet to the bit. A
 * hash takes in with what probability each step was accepted, which sites it flipped, and the state it ended in. With
 * API_QUICK trajectories end after the first hash.
 *
 * With LBP_EXACT 1 (default here) all models and samplers; with 0 those whose callbacks leave nothing to fuse, since
 * lbp.h's own arithmetic is the same in any case. Where flags or the processor change what an operation gives, with
 * -ffast-math and the x87's long registers (gcc -m32 without -msse2 -mfpmath=sse), only whether weights add up to the sum
 * that draws go by.
 *
 * Usage: test_known [FILE], by default tests/known.txt; test_known --print writes what FILE should hold. */
#include <float.h>
#include <string.h>

#ifndef LBP_EXACT
#define LBP_EXACT 1
#endif
#include "../lbp_models.h"
#include "../lbp/models/potts.h"
#include "test.h"

#define KNOWN_STEPS 100000u
#define KNOWN_EARLY 100u /* the first hash is of a hundredth */
#define KNOWN_MOST  128u
#define KNOWN_WORDS 8192u /* of a workspace */
#ifdef API_QUICK
#define KNOWN_PARTS 1u
#else
#define KNOWN_PARTS KNOWN_EARLY
#endif
#define KNOWN_SEED  0xcbf29ce484222325u /* FNV-1a, 64 bits */

static char known_text[1 << 16]; /* the file */
static int known_print;

/* The eight bytes of v, least significant first whatever the machine's order is. */
static void known_add(uint64_t *hash, uint64_t v) {
  int k;
  for (k = 0; k < 8; k++, v >>= 8) *hash = (*hash ^ (v & 255)) * 0x100000001b3u;
}

static uint64_t known_bits(lbp_real v) {
  uint64_t bits = 0;
  uint32_t half;
  if (sizeof v == sizeof half) {
    memcpy(&half, &v, sizeof half);
    return half;
  }
  memcpy(&bits, &v, sizeof v);
  return bits;
}

static void known_settle(const char *model, const char *sampler, uint32_t steps, uint64_t hash, const uint8_t *x,
                         uint32_t n) {
  char line[128];
  uint32_t i;
  for (i = 0; i < n; i++) known_add(&hash, x[i]);
  snprintf(line, sizeof line, "%s %s %s %lu %08lx%08lx\n", sizeof(lbp_real) == sizeof(float) ? "float" : "double",
           model, sampler, (unsigned long)steps, (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu));
  if (known_print) fputs(line, stdout);
  else if (TEST_ALIKE) test_count(strstr(known_text, line) != NULL, __FILE__, __LINE__, line);
}

static uint64_t known_sum(const uint32_t *weight, uint32_t n) {
  uint64_t sum = 0;
  uint32_t i;
  for (i = 0; i < n; i++) sum += weight[i];
  return sum;
}

/* ---- lbp.h ------------------------------------------------------------------------------------------------------- */

#define KNOWN              bernoulli
#define KNOWN_EXACT        1
#define KNOWN_MODEL_T      lbp_bernoulli
#define LBP_DELTA          lbp_bernoulli_delta
#define LBP_NEIGHBOURS     lbp_bernoulli_neighbours
#define LBP_MAX_NEIGHBOURS LBP_BERNOULLI_MAX_NEIGHBOURS
#include "cases/known_case.h"

#define KNOWN              ising
#define KNOWN_EXACT        1
#define KNOWN_MODEL_T      lbp_ising
#define LBP_WEIGHT         LBP_SQRT
#define LBP_DELTA          lbp_ising_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "cases/known_case.h"

#define KNOWN              ising_fields
#define KNOWN_EXACT        1
#define KNOWN_MODEL_T      lbp_ising
#define KNOWN_FIELDS_T     lbp_ising_fields
#define KNOWN_FIELDS_INIT  lbp_ising_fields_init
#define KNOWN_FIELDS_FREE  lbp_ising_fields_free
#define LBP_FIELDS_T       lbp_ising_fields
#define LBP_FIELDS_INIT    lbp_ising_fields_set
#define LBP_FLIP           lbp_ising_flip
#define LBP_FLIP_LIST      lbp_ising_flip_list
#define LBP_DELTA          lbp_ising_fields_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "cases/known_case.h"

#define KNOWN              graph /* sorted from the start, and a weight function of its own */
#define KNOWN_EXACT        1
#define KNOWN_MODEL_T      lbp_graph
#define LBP_SORT_ABOVE     0
#define LBP_WEIGHT         LBP_CUSTOM
#define LBP_LOG_WEIGHT(d)  ((d) < 0 ? (d) : 0)
#define LBP_DELTA          lbp_graph_delta
#define LBP_NEIGHBOURS     lbp_graph_neighbours
#define LBP_MAX_NEIGHBOURS KNOWN_MOST
#include "cases/known_case.h"

#define KNOWN              fhmm
#define KNOWN_EXACT        1
#define KNOWN_MODEL_T      lbp_fhmm
#define KNOWN_FIELDS_T     lbp_fhmm_fields
#define KNOWN_FIELDS_INIT  lbp_fhmm_fields_init
#define KNOWN_FIELDS_FREE  lbp_fhmm_fields_free
#define LBP_FIELDS_T       lbp_fhmm_fields
#define LBP_FIELDS_INIT    lbp_fhmm_fields_set
#define LBP_FLIP           lbp_fhmm_flip
#define LBP_DELTA          lbp_fhmm_fields_delta
#define LBP_NEIGHBOURS     lbp_fhmm_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FHMM_MAX_NEIGHBOURS
#include "cases/known_case.h"

#define KNOWN             rbm
#define KNOWN_EXACT       0
#define KNOWN_MODEL_T     lbp_rbm
#define KNOWN_FIELDS_T    lbp_rbm_fields
#define KNOWN_FIELDS_INIT lbp_rbm_fields_init
#define KNOWN_FIELDS_FREE lbp_rbm_fields_free
#define LBP_FIELDS_T    lbp_rbm_fields
#define LBP_FIELDS_INIT lbp_rbm_fields_set
#define LBP_FLIP        lbp_rbm_flip
#define LBP_SAVE        lbp_rbm_save
#define LBP_RESTORE     lbp_rbm_restore
#define LBP_DELTAS      lbp_rbm_deltas
#define LBP_DELTA       lbp_rbm_delta
#define LBP_LOGP        lbp_rbm_logp
#include "cases/known_case.h"

/* Categorical sites. */
#define KNOWN              product
#define KNOWN_EXACT        1
#define KNOWN_MODEL_T      lbp_product
#define KNOWN_VALUES       lbp_product_values
#define LBP_CAT_STATES     8
#define LBP_CAT_STATES_OF  lbp_product_values
#define LBP_CAT_DELTAS_OF  lbp_product_deltas_of
#define LBP_CAT_DELTA      lbp_product_delta
#define LBP_NEIGHBOURS     lbp_product_neighbours
#define LBP_MAX_NEIGHBOURS LBP_PRODUCT_MAX_NEIGHBOURS
#include "cases/known_case.h"

#define KNOWN               potts
#define KNOWN_EXACT         1
#define KNOWN_MODEL_T       lbp_potts
#define KNOWN_VALUES(m, i)  ((void)(i), (m)->states)
#define KNOWN_FIELDS_T      lbp_potts_fields
#define KNOWN_FIELDS_INIT   lbp_potts_fields_init
#define KNOWN_FIELDS_FREE   lbp_potts_fields_free
#define LBP_CAT_STATES     3
#define LBP_WEIGHT         LBP_SQRT
#define LBP_FIELDS_T       lbp_potts_fields
#define LBP_FIELDS_INIT    lbp_potts_fields_set
#define LBP_CAT_CHANGE     lbp_potts_change
#define LBP_CAT_DELTAS_OF  lbp_potts_fields_deltas_of
#define LBP_CAT_DELTA      lbp_potts_fields_delta
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#include "cases/known_case.h"

#define KNOWN               potts_dense
#define KNOWN_EXACT         1
#define KNOWN_MODEL_T       lbp_potts_dense
#define KNOWN_VALUES(m, i)  ((void)(i), (m)->states)
#define KNOWN_FIELDS_T      lbp_potts_dense_fields
#define KNOWN_FIELDS_INIT   lbp_potts_dense_fields_init
#define KNOWN_FIELDS_FREE   lbp_potts_dense_fields_free
#define LBP_CAT_STATES    21
#define LBP_WEIGHT        LBP_METROPOLISED
#define LBP_FIELDS_T      lbp_potts_dense_fields
#define LBP_FIELDS_INIT   lbp_potts_dense_fields_set
#define LBP_CAT_CHANGE    lbp_potts_dense_change
#define LBP_SAVE          lbp_potts_dense_save
#define LBP_RESTORE       lbp_potts_dense_restore
#define LBP_DELTAS        lbp_potts_dense_deltas
#define LBP_CAT_DELTAS_OF lbp_potts_dense_deltas_of
#define LBP_CAT_DELTA     lbp_potts_dense_delta
#define LBP_LOGP          lbp_potts_dense_logp
#include "cases/known_case.h"

static void known_cat(void) {
  lbp_product sites;
  lbp_potts grid;
  lbp_potts_dense protein;
  CHECK(lbp_product_random(&sites, 128, 1, 8, 1, 1) == LBP_OK);
  CHECK(lbp_potts_random(&grid, 10, 12, 3, 0.8, 1) == LBP_OK);
  CHECK(lbp_potts_dense_random(&protein, 20, 21, 0.2, 1) == LBP_OK);
  product_run(&sites);
  potts_run(&grid);
  potts_dense_run(&protein);
  lbp_product_free(&sites);
  lbp_potts_free(&grid);
  lbp_potts_dense_free(&protein);
}

static void known_lbp(void) {
  lbp_bernoulli coins;
  lbp_ising grid;
  lbp_graph graph;
  lbp_fhmm chains;
  lbp_rbm machine;
  CHECK(lbp_bernoulli_random(&coins, 128, LBP_C2, 1) == LBP_OK);
  CHECK(lbp_ising_random(&grid, 11, LBP_C2, 1) == LBP_OK);
  CHECK(lbp_graph_barabasi_albert(&graph, 100, 2, 0.25, 1) == LBP_OK);
  CHECK(lbp_fhmm_random(&chains, 25, 5, NULL, 0, LBP_C2, LBP_FHMM_AS_RUN, 1) == LBP_OK);
  CHECK(lbp_rbm_random(&machine, 50, 20, 0.5, 1) == LBP_OK);
  bernoulli_run(&coins);
  ising_run(&grid);
  ising_fields_run(&grid);
  graph_run(&graph);
  fhmm_run(&chains);
  rbm_run(&machine);
  lbp_bernoulli_free(&coins);
  lbp_ising_free(&grid);
  lbp_graph_free(&graph);
  lbp_fhmm_free(&chains);
  lbp_rbm_free(&machine);
}

/* ---- lbp_ab.h ---------------------------------------------------------------------------------------------------- */

#define KNOWN_AB_MOST 48u

/* Gives NAME_known(const MODEL *m, uint32_t states, const lbp_symmetric *W); W, where there is one, for the step that is
 * told it. */
#define KNOWN_AB(NAME, MODEL)                                                                                          \
  static void NAME##_known(const MODEL *m, uint32_t states, const lbp_symmetric *W) {                                  \
    static const char *const name[] = {"AB-adapted", "DLP", "RWM", "Gibbs", "AB"};                                     \
    static lbp_real ws[LBP_WS_LEN_AB(KNOWN_AB_MOST)];                                                                  \
    const size_t size = NAME##_adaptive_bytes(m->n) + 4096;                                                            \
    void *memory = malloc(size);                                                                                       \
    double *work = (double *)malloc(lbp_diagonal_workspace(LBP_DIAGONAL_TRACE, m->n) * sizeof *work), D[KNOWN_AB_MOST];          \
    uint32_t sampler, k, i;                                                                                            \
    CHECK(memory != NULL && work != NULL);                                                                             \
    for (sampler = 0; sampler < (W ? 5u : 4u); sampler++) {                                                            \
      uint8_t x[KNOWN_AB_MOST];                                                                                        \
      uint64_t hash = KNOWN_SEED;                                                                                      \
      NAME##_chain c;                                                                                                  \
      NAME##_adaptive a;                                                                                               \
      NAME##_tuner t;                                                                                                  \
      NAME##_curvature v;                                                                                              \
      lbp_rng rng;                                                                                                     \
      lbp_rng_init(&rng, 2026, sampler);                                                                               \
      for (i = 0; i < m->n; i++) x[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(&rng), states);                                 \
      CHECK(NAME##_init(&c, m->n, states, x, ws, sizeof ws / sizeof ws[0]) == LBP_OK);                                 \
      CHECK(NAME##_adaptive_init(&a, m->n, KNOWN_STEPS / 2, memory, size) == LBP_OK);                                  \
      CHECK(NAME##_tuner_init(&t, 1, KNOWN_STEPS / 2, sampler == 2 ? LBP_TARGET_RWM : LBP_TARGET_LBP) == LBP_OK);      \
      if (sampler == 4) {                                                                                              \
        CHECK(lbp_diagonal(LBP_DIAGONAL_TRACE, W, D, work, lbp_diagonal_workspace(LBP_DIAGONAL_TRACE, m->n)) == LBP_OK);                   \
        CHECK(NAME##_curvature_bytes(W, D, 1) <= size && NAME##_curvature_init(&v, W, D, 1, memory, size) == LBP_OK);  \
      }                                                                                                                \
      for (k = 0; k < KNOWN_STEPS / KNOWN_EARLY * KNOWN_PARTS; k++) {                                                  \
        const NAME##_scale s = NAME##_second_order_d(2, 1, 1);                                                         \
        const NAME##_info it = sampler == 0   ? NAME##_adaptive_step(&c, m, &a, &rng)                                  \
                               : sampler == 1 ? NAME##_adlp_step(&c, m, &t, &rng)                                      \
                               : sampler == 2 ? NAME##_arwm_step(&c, m, &t, &rng)                                      \
                               : sampler == 3 ? NAME##_gibbs_step(&c, m, &rng)                                         \
                                              : NAME##_ab_step(&c, m, &v, &s, &rng);                                   \
        known_add(&hash, known_bits(it.accept));                                                                       \
        known_add(&hash, it.jump);                                                                                     \
        if (k + 1 == KNOWN_STEPS / KNOWN_EARLY || k + 1 == KNOWN_STEPS)                                                \
          known_settle(#NAME, name[sampler], k + 1, hash, x, m->n);                                                    \
      }                                                                                                                \
    }                                                                                                                  \
    free(memory);                                                                                                      \
    free(work);                                                                                                        \
  }

#define LBP_NAME        ab_graph
#define LBP_MODEL_T     lbp_graph
#define LBP_REAL        lbp_real
#define LBP_GRADIENT    lbp_graph_gradient
#define LBP_CONDITIONAL lbp_graph_conditional
#include "../lbp_ab.h"
KNOWN_AB(ab_graph, lbp_graph)

#define LBP_NAME        ab_lattice
#define LBP_MODEL_T     lbp_lattice
#define LBP_REAL        lbp_real
#define LBP_GRADIENT    lbp_lattice_gradient
#define LBP_CONDITIONAL lbp_lattice_conditional
#include "../lbp_ab.h"
KNOWN_AB(ab_lattice, lbp_lattice)

#define LBP_NAME     ab_logistic
#define LBP_MODEL_T  lbp_logistic
#define LBP_REAL     lbp_real
#define LBP_GRADIENT lbp_logistic_gradient
#include "../lbp_ab.h"
KNOWN_AB(ab_logistic, lbp_logistic)

static void known_ab(void) {
  lbp_graph graph;
  lbp_lattice lattice;
  lbp_logistic regression;
  lbp_symmetric W;
  uint32_t column[KNOWN_AB_MOST * KNOWN_AB_MOST];
  double value[KNOWN_AB_MOST * KNOWN_AB_MOST];
  CHECK(lbp_graph_barabasi_albert(&graph, 40, 2, 0.25, 1) == LBP_OK);
  CHECK(lbp_lattice_random_rotation(&lattice, 20, 5, 10, 1) == LBP_OK);
  CHECK(lbp_logistic_random(&regression, 10, 60, 1) == LBP_OK);
  W = lbp_graph_hessian(&graph, column, value);
  ab_graph_known(&graph, 2, &W);
  W = lbp_lattice_hessian(&lattice, value);
  ab_lattice_known(&lattice, 5, &W);
  ab_logistic_known(&regression, 2, NULL);
  lbp_graph_free(&graph);
  lbp_lattice_free(&lattice);
  lbp_logistic_free(&regression);
}

/* The logarithm that models are made with, against its formula with every step in memory, where nothing is fused. */
static void known_log(void) {
  lbp_rng rng;
  uint32_t k;
  int ok = 1;
  lbp_rng_init(&rng, KNOWN_SEED, 0);
  for (k = 0; k < KNOWN_STEPS; k++) {
    const double v = lbp_u01_open(lbp_rng_u64(&rng));
    volatile double y = lbp_log(v), product = v * lbp_exp(-y), more = product - 1.0;
    ok &= lbp_log_fine(v) == y + more;
  }
  CHECK(ok);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "tests/known.txt";
  (void)test_count_near;
  known_print = strcmp(path, "--print") == 0;
  if (!TEST_ALIKE) puts("sums of weights alone: draws are others here, by -ffast-math or longer registers (FLT_EVAL_METHOD)");
  if (!known_print) {
    FILE *file = fopen(path, "r");
    if (file) {
      known_text[fread(known_text, 1, sizeof known_text - 1, file)] = 0;
      fclose(file);
    } else {
      printf("test_known: %s cannot be read: run it where tests/ is, or name the file\n", path);
    }
  }
  if (!known_print && TEST_ALIKE) known_log();
  known_lbp();
  known_cat();
  if (LBP_EXACT) known_ab();
  return known_print ? 0 : test_report();
}
