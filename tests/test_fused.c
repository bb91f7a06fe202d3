/* Without LBP_EXACT, models return the same to the bit whether or not the compiler fuses products and sums: hashes of
 * log-ratios, log pi and gradients of the models of lbp/models/local.h, lbp/models/potts.h and lbp/models/qubo.h, against known.txt.
 * lbp.h's own arithmetic is the same in any case (test_known), so the draws are, too. The Makefile builds this program
 * twice: with the flags of all tests, and as test_fused_native, which may fuse.
 *
 * Usage: test_fused [FILE], by default tests/known.txt; test_fused --print writes the lines that FILE should hold. */
#include <string.h>

#define LBP_EXACT 0
#include "../lbp/models/potts.h"
#include "../lbp/models/qubo.h"
#include "test.h"

enum { FUSED_STATES = 20 }; /* random states of each model that are looked at */

static char fused_text[1 << 16]; /* the file */
static int fused_print;
static uint64_t fused_hash;      /* FNV-1a, 64 bits */
static lbp_rng fused_rng;

static void fused_begin(void) {
  fused_hash = 0xcbf29ce484222325u;
  lbp_rng_init(&fused_rng, 2026, 0);
}

static void fused_add(double v) {
  uint64_t bits;
  int k;
  memcpy(&bits, &v, sizeof bits);
  for (k = 0; k < 8; k++, bits >>= 8) fused_hash = (fused_hash ^ (bits & 255)) * 0x100000001b3u;
}

static void fused_settle(const char *model) {
  char line[128];
  snprintf(line, sizeof line, "%s %s callbacks %d %08lx%08lx\n", sizeof(lbp_real) == sizeof(float) ? "float" : "double",
           model, FUSED_STATES, (unsigned long)(fused_hash >> 32), (unsigned long)(fused_hash & 0xffffffffu));
  if (fused_print) fputs(line, stdout);
  else if (TEST_ALIKE) test_count(strstr(fused_text, line) != NULL, __FILE__, __LINE__, line);
}

/* A random state of n sites of `values` values each. */
static void fused_state(uint8_t *x, uint32_t n, uint32_t values) {
  uint32_t i;
  for (i = 0; i < n; i++) x[i] = (uint8_t)lbp_mulhi(lbp_rng_u64(&fused_rng), values);
}
static uint32_t fused_site(uint32_t n) { return (uint32_t)lbp_mulhi(lbp_rng_u64(&fused_rng), n); }

enum { FUSED_MOST = 512 }; /* sites of a model, at most */

static void fused_bernoulli(int config) {
  static uint8_t x[FUSED_MOST];
  lbp_bernoulli m;
  uint32_t k, i;
  CHECK(lbp_bernoulli_random(&m, 400, config, 1) == LBP_OK);
  for (k = 0; k < FUSED_STATES; k++) {
    fused_state(x, m.n, 2);
    fused_add(lbp_bernoulli_logp(&m, x));
    for (i = 0; i < m.n; i++) fused_add((double)lbp_bernoulli_delta(&m, x, i));
  }
  lbp_bernoulli_free(&m);
}

static void fused_ising(int config) {
  static lbp_real gradient[FUSED_MOST];
  static uint8_t x[FUSED_MOST];
  lbp_ising m;
  lbp_ising_fields f;
  uint32_t k, i;
  CHECK(lbp_ising_random(&m, 20, config, 1) == LBP_OK && lbp_ising_fields_init(&m, &f) == LBP_OK);
  for (k = 0; k < FUSED_STATES; k++) {
    fused_state(x, m.n, 2);
    lbp_ising_fields_set(&m, &f, x);
    x[i = fused_site(m.n)] ^= 1;
    lbp_ising_flip(&m, &f, x, i);
    fused_add(lbp_ising_logp(&m, x));
    fused_add((double)lbp_ising_gradient(&m, x, gradient));
    for (i = 0; i < m.n; i++) {
      fused_add((double)lbp_ising_delta(&m, x, i));
      fused_add((double)lbp_ising_fields_delta(&m, &f, x, i));
      fused_add((double)gradient[i]);
    }
  }
  lbp_ising_fields_free(&f);
  lbp_ising_free(&m);
}

/* A spin glass on a ring with chords, couplings and fields from the normal law; rounded: so that fields are exact. */
static void fused_graph(int rounded) {
  enum { N = 100 };
  static lbp_real gradient[N];
  static double h[N], J[2 * N];
  static uint32_t ends[4 * N];
  static uint8_t x[N];
  lbp_rng rng = lbp_models_instance_rng(1);
  lbp_graph m;
  lbp_graph_fields f;
  uint32_t k, i;
  for (i = 0; i < N; i++) {
    h[i] = lbp_models_normal(&rng), J[2 * i] = lbp_models_normal(&rng), J[2 * i + 1] = lbp_models_normal(&rng);
    ends[4 * i] = ends[4 * i + 2] = i;
    ends[4 * i + 1] = (i + 1) % N, ends[4 * i + 3] = (i + 7) % N;
  }
  CHECK(lbp_graph_init(&m, N, h, 2 * N, ends, J, 4) == LBP_OK);
  if (rounded) CHECK(lbp_graph_round(&m) == LBP_OK && lbp_graph_fields_init(&m, &f) == LBP_OK);
  for (k = 0; k < FUSED_STATES; k++) {
    fused_state(x, m.n, 2);
    if (rounded) {
      lbp_graph_fields_set(&m, &f, x);
      x[i = fused_site(m.n)] ^= 1;
      lbp_graph_flip(&m, &f, x, i);
    }
    fused_add(lbp_graph_logp(&m, x));
    fused_add((double)lbp_graph_gradient(&m, x, gradient));
    for (i = 0; i < m.n; i++) {
      fused_add((double)lbp_graph_delta(&m, x, i));
      if (rounded) fused_add((double)lbp_graph_fields_delta(&m, &f, x, i));
      fused_add((double)gradient[i]);
    }
  }
  if (rounded) lbp_graph_fields_free(&f);
  lbp_graph_free(&m);
}

static void fused_fhmm(int config, lbp_fhmm_law law) {
  static uint8_t x[FUSED_MOST];
  double weights[LBP_FHMM_MAX_K], b;
  lbp_fhmm m;
  lbp_fhmm_fields f;
  uint32_t k, i;
  lbp_fhmm_paper_weights(weights, &b);
  CHECK(lbp_fhmm_random(&m, 60, 5, config == LBP_C1 ? NULL : weights, b, config, law, 1) == LBP_OK);
  CHECK(lbp_fhmm_fields_init(&m, &f) == LBP_OK);
  for (k = 0; k < FUSED_STATES; k++) {
    fused_state(x, m.n, 2);
    lbp_fhmm_fields_set(&m, &f, x);
    x[i = fused_site(m.n)] ^= 1;
    lbp_fhmm_flip(&m, &f, x, i);
    fused_add(lbp_fhmm_logp(&m, x));
    for (i = 0; i < m.n; i++) {
      fused_add((double)lbp_fhmm_delta(&m, x, i));
      fused_add((double)lbp_fhmm_fields_delta(&m, &f, x, i));
    }
  }
  lbp_fhmm_fields_free(&f);
  lbp_fhmm_free(&m);
}

static void fused_potts(void) {
  enum { K = 3 };
  static uint8_t x[FUSED_MOST];
  lbp_product product;
  lbp_potts m;
  lbp_potts_fields f;
  uint32_t k, i, v, old;
  CHECK(lbp_product_random(&product, 100, K, K, 1, 1) == LBP_OK);
  CHECK(lbp_potts_random(&m, 10, 12, K, 0.8, 1) == LBP_OK && lbp_potts_fields_init(&m, &f) == LBP_OK);
  for (k = 0; k < FUSED_STATES; k++) {
    fused_state(x, m.n, K);
    fused_add(lbp_product_logp(&product, x));
    for (i = 0; i < product.n; i++) {
      for (v = 0; v < K; v++) fused_add((double)lbp_product_delta(&product, x, i, v));
    }
    lbp_potts_fields_set(&m, &f, x);
    i = fused_site(m.n), old = x[i], x[i] = (uint8_t)((old + 1) % K);
    lbp_potts_change(&m, &f, x, i, old);
    fused_add(lbp_potts_logp(&m, x));
    fused_add(lbp_potts_fields_logp(&m, &f, x));
    for (i = 0; i < m.n; i++) {
      for (v = 0; v < K; v++) {
        fused_add((double)lbp_potts_delta(&m, x, i, v));
        fused_add((double)lbp_potts_fields_delta(&m, &f, x, i, v));
      }
    }
  }
  lbp_product_free(&product);
  lbp_potts_fields_free(&f);
  lbp_potts_free(&m);
}

static void fused_potts_dense(void) {
  enum { K = 21 };
  static uint8_t x[FUSED_MOST];
  lbp_potts_dense m;
  lbp_potts_dense_fields f;
  uint32_t k, i, v, old;
  CHECK(lbp_potts_dense_random(&m, 15, K, 0.2, 1) == LBP_OK && lbp_potts_dense_fields_init(&m, &f) == LBP_OK);
  for (k = 0; k < FUSED_STATES; k++) {
    fused_state(x, m.n, K);
    lbp_potts_dense_fields_set(&m, &f, x);
    i = fused_site(m.n), old = x[i], x[i] = (uint8_t)((old + 1) % K);
    lbp_potts_dense_change(&m, &f, x, i, old);
    fused_add(lbp_potts_dense_logp(&m, &f, x));
    for (i = 0; i < m.n; i++) {
      for (v = 0; v < K; v++) fused_add((double)lbp_potts_dense_delta(&m, &f, x, i, v));
    }
  }
  lbp_potts_dense_fields_free(&f);
  lbp_potts_dense_free(&m);
}

/* A QUBO whose terms are from the normal law, sparse or as a matrix. */
static void fused_qubo(void) {
  enum { N = 60 };
  static lbp_real gradient[N];
  static double value[3 * N];
  static uint32_t ends[6 * N];
  static uint8_t x[N];
  lbp_rng rng = lbp_models_instance_rng(1);
  lbp_qubo sparse;
  lbp_qubo_dense dense;
  lbp_qubo_dense_fields f;
  uint32_t k, i;
  for (i = 0; i < N; i++) {
    for (k = 0; k < 3; k++) {
      value[3 * i + k] = lbp_models_normal(&rng);
      ends[6 * i + 2 * k] = i, ends[6 * i + 2 * k + 1] = (i + k * k) % N;
    }
  }
  CHECK(lbp_qubo_init(&sparse, N, 3 * N, ends, value, 0.5, 8) == LBP_OK);
  CHECK(lbp_qubo_dense_init(&dense, N, 3 * N, ends, value, 0.5) == LBP_OK);
  CHECK(lbp_qubo_dense_fields_init(&dense, &f) == LBP_OK);
  for (k = 0; k < FUSED_STATES; k++) {
    fused_state(x, N, 2);
    lbp_qubo_dense_fields_set(&dense, &f, x);
    x[i = fused_site(N)] ^= 1;
    lbp_qubo_dense_flip(&dense, &f, x, i);
    fused_add(lbp_qubo_logp(&sparse, x));
    fused_add(lbp_qubo_dense_logp(&dense, x));
    fused_add(lbp_qubo_dense_fields_logp(&dense, &f, x));
    fused_add((double)lbp_qubo_gradient(&sparse, x, gradient));
    for (i = 0; i < N; i++) {
      fused_add((double)lbp_qubo_delta(&sparse, x, i));
      fused_add((double)lbp_qubo_dense_delta(&dense, x, i));
      fused_add((double)lbp_qubo_dense_fields_delta(&dense, &f, x, i));
      fused_add((double)gradient[i]);
    }
  }
  lbp_qubo_dense_fields_free(&f);
  lbp_qubo_dense_free(&dense);
  lbp_qubo_free(&sparse);
}

#define FUSED(name, ...)                                                                                               \
  do {                                                                                                                 \
    fused_begin();                                                                                                     \
    __VA_ARGS__;                                                                                                       \
    fused_settle(name);                                                                                                \
  } while (0)

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "tests/known.txt";
  int config;
  (void)test_count_near;
  fused_print = strcmp(path, "--print") == 0;
  if (!fused_print) {
    FILE *file = fopen(path, "r");
    if (file) {
      fused_text[fread(fused_text, 1, sizeof fused_text - 1, file)] = 0;
      fclose(file);
    } else {
      printf("test_fused: %s cannot be read: run it where tests/ is, or name the file\n", path);
    }
  }
  FUSED("bernoulli", for (config = LBP_C1; config <= LBP_C3; config++) fused_bernoulli(config));
  FUSED("ising", for (config = LBP_C1; config <= LBP_C3; config++) fused_ising(config));
  FUSED("graph", fused_graph(0), fused_graph(1));
  FUSED("fhmm", for (config = LBP_C1; config <= LBP_C3; config++) {
    fused_fhmm(config, LBP_FHMM_AS_RUN);
    fused_fhmm(config, LBP_FHMM_AS_WRITTEN);
  });
  FUSED("potts", fused_potts());
  FUSED("potts_dense", fused_potts_dense());
  FUSED("qubo", fused_qubo());
  return fused_print ? 0 : test_report();
}
