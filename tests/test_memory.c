/* When memory runs out: every function of lbp_models.h, lbp/models/potts.h, lbp/models/qubo.h, lbp/models/alignment.h and lbp/models/potts_train.h
 * that asks for some, with its first, second ... allocation refused. Each must answer LBP_E_MEMORY, leave an empty
 * object and keep no block. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdlib.h>

#include "../lbp_run.h" /* what it and chains ask for is refused in test_run_faults */

static long blocks, allowed = -1; /* in use; allocations until one is refused, never if negative */

static void *rationed(size_t count, size_t size) {
  void *block;
  if (allowed == 0) return NULL;
  if (allowed > 0) allowed--;
  block = calloc(count, size);
  blocks += block != NULL;
  return block;
}

static void give_up(void *block) {
  blocks -= block != NULL;
  free(block);
}

#define calloc         rationed
#define malloc(size)   rationed(1, size)
#define realloc(p, n)  lbp_models_reallocates /* would have to be rationed too */
#define free           give_up
#include "models.h"

#include "../lbp/models/alignment.h"
#include "../lbp/models/potts.h"
#include "../lbp/models/qubo.h"

#define LBP_NAME       tiny
#define LBP_CAT_STATES 2
#include "../examples/dense_potts.h"

#include "../lbp/models/potts_train.h"

/* ---- who asks for memory ----------------------------------------------------------------------------------------- */

static const double halves[4] = {0.5, 0.5, 0.5, 0.5};
static const double numbers[8] = {1, 5, 2, 2, 0, 7, 6, 1};
static const lbp_real zeros[4] = {0, 0, 0, 0};
static const uint32_t path_ends[4] = {0, 1, 1, 2};
static const uint8_t bits[8] = {0, 1, 1, 0, 1, 1, 0, 1};
static unsigned char rbm_file[256];

/* What the fields are of, made while there is memory. */
static lbp_ising grid;
static lbp_graph graph;
static lbp_fhmm factorial;
static lbp_rbm machine;
static lbp_selection selection;
static lbp_potts potts;
static lbp_qubo qubo;
static lbp_qubo_dense quadratic;
static lbp_potts_dense dense;

typedef struct {
  const char *what;
  size_t size;
  int (*make)(void *);
  void (*release)(void *);
} maker;

#define MAKES(name, type, free_it, call)            \
  static int make_##name(void *object) {            \
    type *m = (type *)object;                       \
    return call;                                    \
  }                                                 \
  static void release_##name(void *object) {        \
    free_it((type *)object);                        \
  }

static lbp_symmetric diagonal_of_3(void) {
  static const uint32_t start[4] = {0, 1, 2, 3}, column[3] = {0, 1, 2};
  lbp_symmetric P;
  memset(&P, 0, sizeof P);
  P.n = 3;
  P.start = start;
  P.column = column;
  P.value = halves;
  return P;
}

static int make_diagonal(lbp_lattice *m) {
  const lbp_symmetric P = diagonal_of_3();
  return lbp_lattice_init(m, 5, halves, &P);
}

static int make_rounded(lbp_graph *m) {
  int status = lbp_graph_init(m, 3, halves, 2, path_ends, halves, 2);
  if (status == LBP_OK) status = lbp_graph_round(m);
  if (status != LBP_OK) lbp_graph_free(m);
  return status;
}

static int train(lbp_rbm *m) {
  lbp_rbm_training how;
  memset(&how, 0, sizeof how);
  how.epochs = how.gibbs = 1;
  how.batch = 2;
  how.rate = 0.1;
  return lbp_rbm_train(m, 4, 3, bits, 2, &how, NULL, NULL);
}

static int read_alignment(lbp_alignment *a) {
  static const char text[] = ">a\nACGT\n>b\nAC-T\n";
  lbp_alignment_reader r;
  int status = lbp_alignment_begin(&r, LBP_LETTERS_GUESS, 0);
  if (status == LBP_OK) status = lbp_alignment_feed(&r, text, sizeof text - 1);
  (void)status;
  return lbp_alignment_end(&r, a);
}

static int read_qubo(lbp_qubo_terms *t) {
  static const char text[] = "3 2\n1 2\n2 3\n";
  lbp_qubo_reader r;
  int status = lbp_qubo_begin(&r, LBP_QUBO_GUESS);
  if (status == LBP_OK) status = lbp_qubo_feed(&r, text, sizeof text - 1);
  (void)status;
  return lbp_qubo_end(&r, t);
}

/* With several steps, which ask for no more. */
static int train_potts(lbp_potts_dense *m) {
  const lbp_kernel kernel = tiny_kernel();
  lbp_potts_training how = lbp_potts_training_defaults(1);
  how.start = how.iterations = how.chains = how.sweeps = 2;
  return lbp_potts_train(m, 4, 2, 2, bits, halves, &kernel, &how, NULL, NULL);
}

/* What keeps nothing: a model that stands for its success. */
static int use_alignment(lbp_product *m) {
  lbp_real one[4], two[4];
  int status = lbp_alignment_frequencies(4, 2, 2, bits, NULL, one, two);
  memset(m, 0, sizeof *m);
  return status == LBP_OK ? lbp_product_random(m, 2, 2, 3, 1, 1) : status;
}

static int score(lbp_product *m) {
  double contacts[9];
  int status = lbp_potts_dense_contacts(&dense, 0, contacts);
  memset(m, 0, sizeof *m);
  if (status == LBP_OK) status = lbp_potts_dense_zero_sum(&dense);
  return status == LBP_OK ? lbp_product_random(m, 2, 2, 3, 1, 1) : status;
}

static int draw_potts(lbp_product *m) {
  const lbp_kernel kernel = tiny_kernel();
  uint8_t x[12];
  int status = lbp_potts_draw(&dense, &kernel, LBP_SAMPLER_GIBBS, 2, 2, 1, 4, 1, x);
  memset(m, 0, sizeof *m);
  return status == LBP_OK ? lbp_product_random(m, 2, 2, 3, 1, 1) : status;
}

MAKES(bernoulli, lbp_bernoulli, lbp_bernoulli_free, lbp_bernoulli_init(m, 4, halves))
MAKES(bernoulli_random, lbp_bernoulli, lbp_bernoulli_free, lbp_bernoulli_random(m, 4, LBP_C1, 1))
MAKES(ising, lbp_ising, lbp_ising_free, lbp_ising_init(m, 2, 2, 0.5, halves))
MAKES(ising_random, lbp_ising, lbp_ising_free, lbp_ising_random(m, 3, LBP_C2, 1))
MAKES(ising_fields, lbp_ising_fields, lbp_ising_fields_free, lbp_ising_fields_init(&grid, m))
MAKES(graph, lbp_graph, lbp_graph_free, lbp_graph_init(m, 3, halves, 2, path_ends, halves, 2))
MAKES(graph_grid, lbp_graph, lbp_graph_free, lbp_graph_grid(m, 3, 2, 0.25))
MAKES(graph_attached, lbp_graph, lbp_graph_free, lbp_graph_barabasi_albert(m, 9, 2, 0.25, 1))
MAKES(graph_rounded, lbp_graph, lbp_graph_free, make_rounded(m))
MAKES(graph_fields, lbp_graph_fields, lbp_graph_fields_free, lbp_graph_fields_init(&graph, m))
MAKES(fhmm, lbp_fhmm, lbp_fhmm_free, lbp_fhmm_init(m, 4, 2, halves, 0, 1, halves, 1, 1))
MAKES(fhmm_random, lbp_fhmm, lbp_fhmm_free, lbp_fhmm_random(m, 4, 2, NULL, 0, LBP_C1, LBP_FHMM_AS_RUN, 1))
MAKES(fhmm_fields, lbp_fhmm_fields, lbp_fhmm_fields_free, lbp_fhmm_fields_init(&factorial, m))
MAKES(rbm, lbp_rbm, lbp_rbm_free, lbp_rbm_init(m, 2, 2, zeros, zeros, zeros))
MAKES(rbm_random, lbp_rbm, lbp_rbm_free, lbp_rbm_random(m, 3, 2, 0.5, 1))
MAKES(rbm_read, lbp_rbm, lbp_rbm_free, lbp_rbm_read(m, rbm_file, lbp_rbm_bytes(machine.n, machine.hidden)))
MAKES(rbm_train, lbp_rbm, lbp_rbm_free, train(m))
MAKES(rbm_fields, lbp_rbm_fields, lbp_rbm_fields_free, lbp_rbm_fields_init(&machine, m))
MAKES(lattice, lbp_lattice, lbp_lattice_free, make_diagonal(m))
MAKES(lattice_rotation, lbp_lattice, lbp_lattice_free, lbp_lattice_random_rotation(m, 4, 5, 10, 1))
MAKES(lattice_cycle, lbp_lattice, lbp_lattice_free, lbp_lattice_random_cycle(m, 4, 5, 10, 1))
MAKES(logistic, lbp_logistic, lbp_logistic_free, lbp_logistic_init(m, 2, 2, halves, bits, NULL))
MAKES(logistic_random, lbp_logistic, lbp_logistic_free, lbp_logistic_random(m, 3, 2, 1))
MAKES(quartic, lbp_quartic, lbp_quartic_free, lbp_quartic_init(m, 2, 5, halves, halves, 2, halves))
MAKES(quartic_random, lbp_quartic, lbp_quartic_free, lbp_quartic_random(m, 3, 5, 2, 1))
MAKES(selection, lbp_selection, lbp_selection_free, lbp_selection_init(m, 4, 2, numbers, numbers + 2, NULL))
MAKES(selection_random, lbp_selection, lbp_selection_free, lbp_selection_random(m, 5, 3, 0.5, 1, 1, NULL, 1))
MAKES(selection_fields, lbp_selection_fields, lbp_selection_fields_free, lbp_selection_fields_init(&selection, m))
MAKES(product, lbp_product, lbp_product_free, lbp_product_init(m, 2, 2, NULL, halves))
MAKES(product_random, lbp_product, lbp_product_free, lbp_product_random(m, 2, 2, 3, 1, 1))
MAKES(potts, lbp_potts, lbp_potts_free, lbp_potts_init(m, 3, 2, NULL, NULL, 1, 2, path_ends, halves))
MAKES(potts_grid, lbp_potts, lbp_potts_free, lbp_potts_grid(m, 3, 2, 3, 1, 1, NULL))
MAKES(potts_random, lbp_potts, lbp_potts_free, lbp_potts_random(m, 3, 3, 3, 1, 1))
MAKES(potts_fields, lbp_potts_fields, lbp_potts_fields_free, lbp_potts_fields_init(&potts, m))
MAKES(qubo_terms, lbp_qubo_terms, lbp_qubo_terms_free, lbp_qubo_terms_init(m, 3, 2, path_ends, halves, 1))
MAKES(qubo_terms_random, lbp_qubo_terms, lbp_qubo_terms_free, lbp_qubo_terms_random(m, 4, 1, 9, 1))
MAKES(qubo_read, lbp_qubo_terms, lbp_qubo_terms_free, read_qubo(m))
MAKES(qubo, lbp_qubo, lbp_qubo_free, lbp_qubo_init(m, 3, 2, path_ends, halves, 1, 2))
MAKES(qubo_random, lbp_qubo, lbp_qubo_free, lbp_qubo_random(m, 4, 1, 9, 1))
MAKES(qubo_fields, lbp_qubo_fields, lbp_qubo_fields_free, lbp_qubo_fields_init(&qubo, m))
MAKES(quadratic, lbp_qubo_dense, lbp_qubo_dense_free, lbp_qubo_dense_init(m, 3, 2, path_ends, halves, 1))
MAKES(quadratic_random, lbp_qubo_dense, lbp_qubo_dense_free, lbp_qubo_dense_random(m, 4, 1, 9, 1))
MAKES(quadratic_fields, lbp_qubo_dense_fields, lbp_qubo_dense_fields_free, lbp_qubo_dense_fields_init(&quadratic, m))
MAKES(dense, lbp_potts_dense, lbp_potts_dense_free, lbp_potts_dense_init(m, 2, 2, zeros, zeros))
MAKES(dense_random, lbp_potts_dense, lbp_potts_dense_free, lbp_potts_dense_random(m, 2, 2, 1, 1))
MAKES(dense_fields, lbp_potts_dense_fields, lbp_potts_dense_fields_free, lbp_potts_dense_fields_init(&dense, m))
MAKES(dense_train, lbp_potts_dense, lbp_potts_dense_free, train_potts(m))
MAKES(dense_score, lbp_product, lbp_product_free, score(m))
MAKES(dense_draw, lbp_product, lbp_product_free, draw_potts(m))
MAKES(alignment, lbp_alignment, lbp_alignment_free, read_alignment(m))
MAKES(alignment_use, lbp_product, lbp_product_free, use_alignment(m))

#define MAKER(name, type) {#name, sizeof(type), make_##name, release_##name}

static const maker makers[] = {
  MAKER(bernoulli, lbp_bernoulli), MAKER(bernoulli_random, lbp_bernoulli), MAKER(ising, lbp_ising),
  MAKER(ising_random, lbp_ising), MAKER(ising_fields, lbp_ising_fields), MAKER(graph, lbp_graph),
  MAKER(graph_grid, lbp_graph), MAKER(graph_attached, lbp_graph),
  MAKER(graph_rounded, lbp_graph), MAKER(graph_fields, lbp_graph_fields), MAKER(fhmm, lbp_fhmm),
  MAKER(fhmm_random, lbp_fhmm),
  MAKER(fhmm_fields, lbp_fhmm_fields), MAKER(rbm, lbp_rbm), MAKER(rbm_random, lbp_rbm), MAKER(rbm_read, lbp_rbm),
  MAKER(rbm_train, lbp_rbm), MAKER(rbm_fields, lbp_rbm_fields), MAKER(lattice, lbp_lattice),
  MAKER(lattice_rotation, lbp_lattice), MAKER(lattice_cycle, lbp_lattice), MAKER(logistic, lbp_logistic),
  MAKER(logistic_random, lbp_logistic), MAKER(quartic, lbp_quartic), MAKER(quartic_random, lbp_quartic),
  MAKER(selection, lbp_selection), MAKER(selection_random, lbp_selection),
  MAKER(selection_fields, lbp_selection_fields), MAKER(product, lbp_product), MAKER(product_random, lbp_product),
  MAKER(potts, lbp_potts), MAKER(potts_grid, lbp_potts), MAKER(potts_random, lbp_potts),
  MAKER(qubo_terms, lbp_qubo_terms), MAKER(qubo_terms_random, lbp_qubo_terms), MAKER(qubo_read, lbp_qubo_terms),
  MAKER(qubo, lbp_qubo), MAKER(qubo_random, lbp_qubo), MAKER(qubo_fields, lbp_qubo_fields),
  MAKER(quadratic, lbp_qubo_dense), MAKER(quadratic_random, lbp_qubo_dense),
  MAKER(quadratic_fields, lbp_qubo_dense_fields),
  MAKER(potts_fields, lbp_potts_fields), MAKER(dense, lbp_potts_dense), MAKER(dense_random, lbp_potts_dense),
  MAKER(dense_fields, lbp_potts_dense_fields), MAKER(dense_train, lbp_potts_dense), MAKER(dense_score, lbp_product),
  MAKER(dense_draw, lbp_product), MAKER(alignment, lbp_alignment), MAKER(alignment_use, lbp_product)
};

/* ---- the tests --------------------------------------------------------------------------------------------------- */

/* Returns how many allocations it takes. */
static long test_maker(const maker *it) {
  void *object = (calloc)(1, it->size);
  const long before = blocks;
  long taken = 0;
  int status = LBP_E_MEMORY;
  if (!object) exit(2);
  for (; status == LBP_E_MEMORY && taken < 100; taken++) {
    memset(object, 0xa5, it->size);
    allowed = taken;
    status = it->make(object);
    allowed = -1;
    if (status == LBP_E_MEMORY) CHECK(is_zeroed(object, it->size) && blocks == before);
  }
  if (status != LBP_OK) printf("%s: %s\n", it->what, lbp_error(status));
  CHECK(status == LBP_OK && blocks > before);
  it->release(object);
  CHECK(blocks == before && is_zeroed(object, it->size));
  (free)(object);
  return taken - 1;
}

/* Without room for the matrices, many chains' log-ratios are made one chain after the other: the same numbers. */
static void test_deltas_many(void) {
  enum { CHAINS = 3 };
  lbp_rbm_fields fields[CHAINS], *f[CHAINS];
  lbp_real ratio[CHAINS][4], again[CHAINS][4], *out[CHAINS], *out_again[CHAINS];
  uint8_t state[CHAINS][4];
  const uint8_t *x[CHAINS];
  uint32_t k, i;
  double gap = 0;
  for (k = 0; k < CHAINS; k++) {
    CHECK(lbp_rbm_fields_init(&machine, &fields[k]) == LBP_OK);
    for (i = 0; i < machine.n; i++) state[k][i] = (uint8_t)(k >> i & 1);
    f[k] = &fields[k];
    x[k] = state[k];
    out[k] = ratio[k];
    out_again[k] = again[k];
    lbp_rbm_fields_set(&machine, f[k], x[k]);
  }
  allowed = 0;
  lbp_rbm_deltas_many(&machine, f, x, out, CHAINS);
  allowed = -1;
  lbp_rbm_deltas_many(&machine, f, x, out_again, CHAINS);
  for (k = 0; k < CHAINS; k++) {
    lbp_real one[4];
    lbp_rbm_deltas(&machine, f[k], x[k], one);
    for (i = 0; i < machine.n; i++) {
      CHECK(ratio[k][i] == one[i]);
      gap = fmax(gap, fabs((double)(again[k][i] - one[i])));
    }
    lbp_rbm_fields_free(f[k]);
  }
  CHECK_NEAR(gap, 0, 1e-5);
}

int main(void) {
  size_t k;
  long most = 0;
  CHECK(lbp_ising_random(&grid, 3, LBP_C1, 1) == LBP_OK);
  CHECK(lbp_graph_grid(&graph, 3, 2, 0.25) == LBP_OK && lbp_graph_round(&graph) == LBP_OK);
  CHECK(lbp_fhmm_random(&factorial, 4, 2, NULL, 0, LBP_C1, LBP_FHMM_AS_RUN, 1) == LBP_OK);
  CHECK(lbp_selection_random(&selection, 5, 3, 0.5, 1, 1, NULL, 1) == LBP_OK);
  CHECK(lbp_rbm_random(&machine, 4, 3, 0.5, 1) == LBP_OK);
  CHECK(lbp_potts_grid(&potts, 3, 2, 3, 1, 0, NULL) == LBP_OK);
  CHECK(lbp_potts_dense_random(&dense, 3, 2, 1, 1) == LBP_OK);
  CHECK(lbp_qubo_random(&qubo, 4, 1, 9, 1) == LBP_OK && lbp_qubo_dense_random(&quadratic, 4, 1, 9, 1) == LBP_OK);
  CHECK(lbp_rbm_bytes(4, 3) <= sizeof rbm_file && lbp_rbm_write(&machine, rbm_file, sizeof rbm_file) == LBP_OK);
  for (k = 0; k < sizeof makers / sizeof *makers; k++) {
    const long taken = test_maker(&makers[k]);
    CHECK(taken > 0);
    if (taken > most) most = taken;
  }
  CHECK(most >= 8); /* the training's, which are many */
  test_deltas_many();
  lbp_ising_free(&grid);
  lbp_graph_free(&graph);
  lbp_fhmm_free(&factorial);
  lbp_rbm_free(&machine);
  lbp_selection_free(&selection);
  lbp_potts_free(&potts);
  lbp_potts_dense_free(&dense);
  lbp_qubo_free(&qubo);
  lbp_qubo_dense_free(&quadratic);
  CHECK(blocks == 0);
  return test_report();
}
