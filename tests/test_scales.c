/* Large and small terms in one model: terms that rounding to float may hide are refused, wherever an inverse
 * temperature above 1 can be set, or warned about; others are not. And the sentence about two values that should agree.
 * */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "../lbp_models.h"
#include "../lbp/models/potts.h"
#include "../lbp/models/qubo.h"

#define LBP_NAME           cut
#define LBP_MODEL_T        lbp_qubo
#define LBP_REAL           lbp_real
#define LBP_NEIGHBOURS     lbp_qubo_neighbours
#define LBP_MAX_NEIGHBOURS 8
#define LBP_DELTA          lbp_qubo_delta
#define LBP_LOGP           lbp_qubo_logp
#define LBP_TEMPERED
#define LBP_ROUNDING(m)    (m)->rounding
#include "../lbp_run.h"

#define LBP_NAME           colours
#define LBP_MODEL_T        lbp_potts
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     3
#define LBP_CAT_DELTAS_OF  lbp_potts_deltas_of
#define LBP_CAT_DELTA      lbp_potts_delta
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS 8
#define LBP_LOGP           lbp_potts_logp
#define LBP_TEMPERED
#define LBP_ROUNDING(m)    (m)->rounding
#include "../lbp_run.h"

#define LBP_NAME        matrix
#define LBP_MODEL_T     lbp_qubo_dense
#define LBP_REAL        lbp_real
#define LBP_FIELDS_T    lbp_qubo_dense_fields
#define LBP_FIELDS_INIT lbp_qubo_dense_fields_set
#define LBP_FIELDS_MAKE lbp_qubo_dense_fields_init
#define LBP_FIELDS_FREE lbp_qubo_dense_fields_free
#define LBP_FLIP        lbp_qubo_dense_flip
#define LBP_SAVE        lbp_qubo_dense_save
#define LBP_RESTORE     lbp_qubo_dense_restore
#define LBP_DELTAS      lbp_qubo_dense_deltas
#define LBP_DELTAS_EXACT
#define LBP_DELTA lbp_qubo_dense_fields_delta
#define LBP_LOGP  lbp_qubo_dense_fields_logp
#include "../lbp_run.h"

#define LBP_NAME        slopes
#define LBP_MODEL_T     lbp_graph
#define LBP_REAL        lbp_real
#define LBP_GRADIENT    lbp_graph_gradient
#define LBP_CONDITIONAL lbp_graph_conditional
#include "../lbp_run.h"

#include "test.h"

#define IS_FLOAT (sizeof(lbp_real) == sizeof(float))

enum { SITES = 8 };

/* ---- inverse temperatures above 1 -------------------------------------------------------------------------------- */

/* All pairs of sites; values that are no multiples of anything, as large as `scale`. */
static lbp_qubo make_cut(double scale) {
  uint32_t ends[SITES * (SITES + 1)], i, j, count = 0;
  double value[SITES * (SITES + 1) / 2];
  lbp_qubo m;
  for (i = 0; i < SITES; i++) {
    for (j = 0; j <= i; j++) {
      ends[2 * count] = i, ends[2 * count + 1] = j;
      value[count++] = scale * sin(1.0 + i + 3.0 * j);
    }
  }
  CHECK(lbp_qubo_init(&m, SITES, count, ends, value, 0, SITES) == LBP_OK);
  return m;
}

static lbp_run make_run(void) {
  lbp_run run;
  lbp_run_init(&run);
  run.chains = 4;
  run.warmup = 400;
  run.draws = 100;
  run.thin = 1;
  return run;
}

/* Whether a status is that of rounding in float, with a sentence that names ways out; in double all is well. */
static void expect_refused(int status, const char *message, const char *what) {
  const int named = strstr(message, "double") && strstr(message, "scales") && strstr(message, "end at");
  test_count(IS_FLOAT ? status == LBP_E_PRECISION && named : status == LBP_OK, __FILE__, __LINE__, what);
  if (IS_FLOAT && !named) printf("%s: %s\n", what, message);
}

/* A ladder of so many rungs whose coldest is `beta`, in a run and for log Z. */
static void check_ladders(const lbp_kernel *kernel, const void *m, double beta, int refused) {
  const double ladder[4] = {beta, 0.6 * beta, 0.3 * beta, 0};
  uint32_t rungs;
  for (rungs = 1; rungs <= 4; rungs++) {
    lbp_run run = make_run();
    lbp_run_result found;
    run.tempering.rungs = rungs;
    run.tempering.ladder = ladder;
    lbp_run_kernel(&run, kernel, m, SITES, &found);
    if (refused) expect_refused(found.status, found.message, "tempering.ladder");
    else CHECK(found.status == LBP_OK);
    lbp_run_free(&found);
  }
  {
    lbp_run run = make_run();
    lbp_ais_result found;
    run.tempering.rungs = 4;
    run.tempering.ladder = ladder;
    lbp_ais_kernel(&run, kernel, m, SITES, &found);
    if (refused) expect_refused(found.status, found.message, "log Z");
    else CHECK(found.status == LBP_OK);
    if (found.status != LBP_OK) CHECK(!(found.log_z > -1e300 || found.log_z < 1e300)); /* no number beside it */
    lbp_ais_free(&found);
  }
}

static void test_betas(void) {
  lbp_qubo m = make_cut(1000);
  const lbp_kernel kernel = cut_kernel();
  const double least = IS_FLOAT ? 1e-5 : 0;
  lbp_run run = make_run();
  lbp_run_result found;
  double ladder[2];
  CHECK(m.rounding >= least && m.rounding <= 1e-3);
  check_ladders(&kernel, &m, 1, 0);
  check_ladders(&kernel, &m, IS_FLOAT ? 0.99e-3 / m.rounding : 100, 0);
  check_ladders(&kernel, &m, IS_FLOAT ? 1.01e-3 / m.rounding : 100, 1);
  /* found in the warm-up: as cold as what matters least asks for, at 1 here, and far beyond it below */
  run.tempering.rungs = 3;
  run.tempering.adapt_ends = 1;
  run.warmup = 4000;
  CHECK(cut_run(&run, &m, SITES, &found) == LBP_OK && found.ladder[0] <= 1);
  lbp_run_free(&found);
  lbp_qubo_free(&m);
  m = make_cut(1.0);
  m.rounding = 9e-4; /* as if */
  cut_run(&run, &m, SITES, &found);
  CHECK(found.status == LBP_E_PRECISION && strstr(found.message, "tempering.ladder: at an inverse temperature of "));
  lbp_run_free(&found);
  ladder[0] = 1.2, ladder[1] = 0.5;
  run = make_run();
  run.tempering.rungs = 2, run.tempering.ladder = ladder;
  CHECK(cut_run(&run, &m, SITES, &found) == LBP_E_PRECISION && strstr(found.message, "end at 1.11"));
  CHECK(found.draws == 0);
  lbp_run_free(&found);
  CHECK(lbp_models_check_rounding(m.rounding, 1.2) == LBP_E_PRECISION); /* what to ask before NAME_temper */
  CHECK(lbp_models_check_rounding(m.rounding, 1.1) == LBP_OK);
  lbp_qubo_free(&m);
}

static void test_categorical(void) {
  uint32_t ends[2 * SITES], i;
  double J[SITES], h[3 * SITES];
  const lbp_kernel kernel = colours_kernel();
  lbp_potts m;
  for (i = 0; i < SITES; i++) ends[2 * i] = i, ends[2 * i + 1] = (i + 1) % SITES, J[i] = 900 * cos(1.0 + i);
  for (i = 0; i < 3 * SITES; i++) h[i] = sin(1.0 + i);
  CHECK(lbp_potts_init(&m, SITES, 3, NULL, h, 1, SITES, ends, J) == LBP_OK);
  CHECK(!IS_FLOAT || m.rounding > 1e-5);
  check_ladders(&kernel, &m, 1, 0);
  check_ladders(&kernel, &m, IS_FLOAT ? 1.01e-3 / m.rounding : 100, 1);
  lbp_potts_free(&m);
}

/* Annealing takes any beta, and says where rounding hides what the cold end tells apart. */
static void test_annealing(void) {
  lbp_qubo m = make_cut(1000);
  const unsigned expected = IS_FLOAT ? LBP_WARN_ROUNDING : 0;
  double ladder[2];
  lbp_run run;
  lbp_run_result found;
  FILE *to = tmpfile();
  char text[4000] = "";
  size_t size;
  lbp_run_init(&run);
  run.chains = 4, run.annealing.sweeps = 100;
  CHECK(cut_anneal(&run, &m, SITES, &found) == LBP_OK && found.warnings == 0);
  CHECK(fabs(found.best_logp[0] + lbp_qubo_energy(&m, found.best)) < 1e-9);
  CHECK(!IS_FLOAT || (found.rounding >= m.rounding && found.rounding <= m.rounding));
  lbp_run_free(&found);
  run.annealing.hot = 1e-3, run.annealing.cold = IS_FLOAT ? 1.01 / m.rounding : 1000;
  run.summary = to;
  CHECK(cut_anneal(&run, &m, SITES, &found) == LBP_OK && found.warnings == expected);
  CHECK(fabs(found.best_logp[0] + lbp_qubo_energy(&m, found.best)) < 1e-9); /* what is reported is right */
  lbp_run_free(&found);
  run.annealing.cold *= 0.98;
  ladder[0] = run.annealing.cold / 0.98, ladder[1] = 1e-3;
  run.summary = NULL;
  CHECK(cut_anneal(&run, &m, SITES, &found) == LBP_OK && found.warnings == 0);
  lbp_run_free(&found);
  run.annealing.cold = run.annealing.hot = 0, run.tempering.rungs = 2, run.tempering.ladder = ladder;
  CHECK(cut_anneal(&run, &m, SITES, &found) == LBP_OK && found.warnings == expected);
  lbp_run_free(&found);
  if (to) {
    rewind(to);
    size = fread(text, 1, sizeof text - 1, to);
    text[size] = 0;
    fclose(to);
  }
  CHECK(!to || (strstr(text, "! Rounding moves log-ratios by up to ") != NULL) == IS_FLOAT);
  lbp_qubo_free(&m);
}

/* ---- a large log pi in float ------------------------------------------------------------------------------------- */

/* Independent sites with small fields; log pi is `offset` beside that. */
static lbp_qubo_dense make_matrix(double offset, double field) {
  uint32_t ends[2 * SITES], i;
  double value[SITES];
  lbp_qubo_dense m;
  for (i = 0; i < SITES; i++) ends[2 * i] = ends[2 * i + 1] = i, value[i] = i % 2 ? field : -field;
  CHECK(lbp_qubo_dense_init(&m, SITES, SITES, ends, value, -offset) == LBP_OK);
  return m;
}

static void check_large(double offset, double field, int sampler, int doubted) {
  lbp_qubo_dense m = make_matrix(offset, field);
  lbp_run run = make_run();
  lbp_run_result found;
  run.sampler = sampler;
  CHECK(matrix_run(&run, &m, SITES, &found) == LBP_OK);
  test_count(((found.warnings & LBP_WARN_ROUNDING) != 0) == (doubted && IS_FLOAT), __FILE__, __LINE__, "a large log pi");
  lbp_run_free(&found);
  lbp_qubo_dense_free(&m);
}

static void test_large(void) {
  const double h[3] = {1048576.0, 0.05, 0.1}; /* each is a float, and so are all log-ratios, but log pi is not */
  lbp_run run = make_run();
  lbp_run_result found;
  lbp_graph m;
  uint32_t k;
  check_large(0, 0.1, LBP_SAMPLER_LBP, 0);
  check_large(-5000, 0.1, LBP_SAMPLER_LBP, 0);
  check_large(-50000, 0.1, LBP_SAMPLER_LBP, 1);
  check_large(1e7, 0.1, LBP_SAMPLER_RWM, 1);
  check_large(1e6, 0.1, LBP_SAMPLER_GIBBS, 0); /* by log-ratios */
  check_large(1e6, 0.25, LBP_SAMPLER_LBP, 0);  /* floats have these */
  check_large(1e7, 1, LBP_SAMPLER_LBP, 0);
  check_large(1e9, 1, LBP_SAMPLER_LBP, 1);
  for (k = 0; k < 2; k++) {
    const double small[3] = {0.5, 0.05, 0.1};
    CHECK(lbp_graph_init(&m, 3, k == 0 ? h : small, 0, NULL, NULL, 1) == LBP_OK);
    run.sampler = LBP_SAMPLER_DLP;
    run.parameter = 0.5;
    run.values = 2;
    CHECK(slopes_run(&run, &m, 3, &found) == LBP_OK);
    CHECK(((found.warnings & LBP_WARN_ROUNDING) != 0) == (k == 0 && IS_FLOAT));
    lbp_run_free(&found);
    lbp_graph_free(&m);
  }
  CHECK(strstr(lbp_run_advice(LBP_WARN_ROUNDING), "double"));
}

/* ---- models in float or refused ---------------------------------------------------------------------------------- */

/* The log-ratio of a flip is, in every state, that of the numbers as they were given, to 1e-3; or there is no model. */
static double rbm_exact(const double *W, const double *b, const double *c, const uint8_t *x) {
  double sum = 0;
  uint32_t i, j;
  for (i = 0; i < 4; i++) sum += x[i] * b[i];
  for (j = 0; j < 3; j++) {
    double in = c[j];
    for (i = 0; i < 4; i++) in += x[i] * W[3 * i + j];
    sum += in > 0 ? in + log1p(exp(-in)) : log1p(exp(in));
  }
  return sum;
}

static int check_rbm(double large, double small) {
  double W[12], b[4], c[3], worst = 0;
  lbp_real values[19];
  lbp_rbm_fields f;
  lbp_rbm m;
  uint32_t k, i, code;
  for (k = 0; k < 19; k++) values[k] = (lbp_real)((k % 5 == 0 ? large : small) * sin(1.0 + k));
  for (k = 0; k < 12; k++) W[k] = (double)values[k];
  for (k = 0; k < 4; k++) b[k] = (double)values[12 + k];
  for (k = 0; k < 3; k++) c[k] = (double)values[16 + k];
  if (lbp_rbm_init(&m, 4, 3, values, values + 12, values + 16) != LBP_OK) return 0;
  CHECK(lbp_rbm_fields_init(&m, &f) == LBP_OK);
  for (code = 0; code < 16; code++) {
    uint8_t x[4];
    for (i = 0; i < 4; i++) x[i] = (uint8_t)(code >> i & 1);
    for (i = 0; i < 4; i++) {
      double here, there;
      lbp_rbm_fields_set(&m, &f, x);
      here = rbm_exact(W, b, c, x);
      x[i] ^= 1;
      there = rbm_exact(W, b, c, x);
      x[i] ^= 1;
      worst = fmax(worst, fabs((double)lbp_rbm_delta(&m, &f, x, i) - (there - here)) - 1e-6 * fabs(there - here));
    }
  }
  CHECK(worst <= 1e-3);
  lbp_rbm_fields_free(&f);
  lbp_rbm_free(&m);
  return 1;
}

static double fhmm_exact(const double *W, double sigma2, const double *y, const uint8_t *x) {
  double sum = 0;
  uint32_t l, k;
  for (l = 0; l < 3; l++) {
    double left = y[l];
    for (k = 0; k < 2; k++) {
      left -= x[2 * l + k] * W[k];
      if (l == 0) sum += 0.3 * x[k];
      else sum -= 0.2 * (x[2 * l + k] != x[2 * l + k - 2]);
    }
    sum -= left * left / (2 * sigma2);
  }
  return sum;
}

static int check_fhmm(double large, double small) {
  const double W[2] = {large, small}, y[3] = {large / 2 + small / 3, 0.5 * small, large + small};
  double worst = 0;
  lbp_fhmm m;
  uint32_t code, i;
  if (lbp_fhmm_init(&m, 3, 2, W, 0, 1, y, 0.3, -0.2) != LBP_OK) return 0;
  for (code = 0; code < 64; code++) {
    uint8_t x[6];
    for (i = 0; i < 6; i++) x[i] = (uint8_t)(code >> i & 1);
    for (i = 0; i < 6; i++) {
      const double here = fhmm_exact(W, 1, y, x), got = (double)lbp_fhmm_delta(&m, x, i);
      double there;
      x[i] ^= 1;
      there = fhmm_exact(W, 1, y, x);
      x[i] ^= 1;
      worst = fmax(worst, fabs(got - (there - here)));
    }
  }
  CHECK(worst <= 1e-3 && worst <= m.rounding + 1e-9 * large * large);
  lbp_fhmm_free(&m);
  return 1;
}

/* One of SITES options at costs of 0.05 k, by a penalty; by single flips, sparse and dense. */
static int check_options(double penalty) {
  uint32_t ends[SITES * (SITES + 1)], i, j, count = 0, code;
  double value[SITES * (SITES + 1) / 2], worst = 0;
  lbp_qubo m;
  for (i = 0; i < SITES; i++) {
    for (j = 0; j <= i; j++) {
      ends[2 * count] = i, ends[2 * count + 1] = j;
      value[count++] = i == j ? 0.05 * i - penalty : 2 * penalty;
    }
  }
  if (lbp_qubo_init(&m, SITES, count, ends, value, penalty, SITES) != LBP_OK) return 0;
  for (code = 0; code < 1u << SITES; code++) {
    uint8_t x[SITES], ones = 0;
    for (i = 0; i < SITES; i++) ones = (uint8_t)(ones + (x[i] = (uint8_t)(code >> i & 1)));
    for (i = 0; i < SITES; i++) {
      const double more = penalty * (x[i] ? 2.0 * ones - 3 : 1 - 2.0 * ones) + (x[i] ? 0.05 : -0.05) * i;
      worst = fmax(worst, fabs((double)lbp_qubo_delta(&m, x, i) - more));
    }
  }
  CHECK(worst <= 1e-3 && worst <= m.rounding + 1e-15 * SITES * penalty);
  lbp_qubo_free(&m);
  return 1;
}

static void test_models(void) {
  uint32_t made = 0, refused = 0, k;
  for (k = 0; k < 12; k++) { /* as far as doubles know better */
    const double large = pow(10, k / 2.0);
    const int rbm = check_rbm(large, 0.05), fhmm = check_fhmm(large, 0.05), options = check_options(large);
    CHECK(options == (IS_FLOAT ? k < 5 : 1) || (k >= 5 && k < 8)); /* to 100; from 10^4 on only in double */
    made += (uint32_t)(rbm + fhmm);
    refused += (uint32_t)(2 - rbm - fhmm);
    if (k < 3) CHECK(rbm && fhmm);
  }
  CHECK(made > 8 && (IS_FLOAT ? refused > 6 : refused <= 4));
}

/* ---- what is said of two values ---------------------------------------------------------------------------------- */

/* The two numbers of " (A where B is expected...)"; 0 if it is not of this form. */
static int read_pair(const char *text, char *got, char *want) {
  return sscanf(text, " (%39s where %39s is expected", got, want) == 2;
}

static void test_sentences(void) {
  lbp_rng rng;
  uint32_t k, wrong = 0, told = 0;
  lbp_rng_init(&rng, 7, 0);
  for (k = 0; k < 20000; k++) {
    static const double gaps[] = {2.3e-16, 1e-12, 1e-7, 1e-4, 0.01, 1, 2};
    const double u = lbp_u01(lbp_rng_u64(&rng)) - 0.5, size = pow(10, 40 * (lbp_u01(lbp_rng_u64(&rng)) - 0.5));
    lbp_finding it = {LBP_E_LOGP, 1, 0, 0, 0, 0, 0};
    char text[LBP_P_FINDING_TEXT], got[40] = "", want[40] = "";
    int opposite, rounded;
    it.got = u * size;
    it.want = it.got * (1 + gaps[k % 7] * (lbp_rng_u64(&rng) >> 63 ? 1 : -1));
    if (k % 11 == 0) it.rounding = fabs(it.got - it.want) * (k % 2 ? 2 : 0.5);
    if (k % 13 == 0) it.want = -it.got;
    opposite = (it.got < 0) != (it.want < 0) && fabs(it.want) > 0;
    rounded = fabs(it.got - it.want) < 1e-3 * fabs(it.got) || fabs(it.got - it.want) <= it.rounding;
    if (opposite && fabs(it.got + it.want) < 1e-3 * fabs(it.got)) rounded = 0; /* the sign, and nothing else */
    if (!(it.got < it.want) && !(it.got > it.want)) continue;
    lbp_finding_text(it, text);
    told++;
    wrong += !read_pair(text, got, want) || strcmp(got, want) == 0;
    wrong += fabs(strtod(got, NULL) - it.got) > 1e-5 * fabs(it.got);
    wrong += fabs(strtod(want, NULL) - it.want) > 1e-5 * fabs(it.want);
    wrong += (strtod(got, NULL) < strtod(want, NULL)) != (it.got < it.want); /* nor may they seem the other way round */
    wrong += (strstr(text, "the sign differs") != NULL) != opposite;
    wrong += (strstr(text, "rounding") != NULL) != rounded;
  }
  CHECK(wrong == 0 && told > 15000);
  {
    const double odd[4] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1};
    for (k = 0; k < 16; k++) {
      lbp_finding it = {LBP_E_LOGP, 1, 0, 0, 0, 0, 0};
      char text[LBP_P_FINDING_TEXT];
      it.got = odd[k / 4], it.want = odd[k % 4];
      lbp_finding_text(it, text);
      CHECK(!strstr(text, "nan") && !strstr(text, "rounding"));
      if (k / 4 == 0 || k % 4 == 0) CHECK(strcmp(text, " (NaN)") == 0);
      else CHECK((strstr(text, "expected") != NULL) == (k / 4 != k % 4));
      it.status = LBP_E_MODEL_NAN; /* there is no other value */
      lbp_finding_text(it, text);
      CHECK(!strstr(text, "expected"));
    }
  }
}

/* A right law whose log-ratios lose small terms: the sentence names rounding. One whose sign is wrong: that. */
typedef struct {
  uint32_t n;
  int sign;
} lossy;

static double lossy_logp(const lossy *m, const uint8_t *x) { return (void)m, x[0] * 0.05 + x[1] * 1e6; }

static float lossy_delta(const lossy *m, const uint8_t *x, uint32_t i) {
  float d;
  if (m->sign < 0) return (x[i] ? 1 : -1) * (i ? 1e6f : 0.05f);
  if (i > 0) return x[i] ? -1e6f : 1e6f;
  d = (float)(1e6 + 0.05);
  d -= 1e6f;
  return x[0] ? -d : d;
}

static uint32_t lossy_neighbours(const lossy *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0; }

#define LBP_NAME           loses
#define LBP_MODEL_T        lossy
#define LBP_REAL           float
#define LBP_DELTA          lossy_delta
#define LBP_NEIGHBOURS     lossy_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           lossy_logp
#include "../lbp_run.h"

static double steep_gradient(const lossy *m, const uint8_t *x, double *out) {
  out[0] = m->sign * 0.05, out[1] = m->sign > 1 ? (double)NAN : 1;
  return m->sign > 2 ? (double)INFINITY : x[0] * 0.05 + x[1];
}

#define LBP_NAME     steep
#define LBP_MODEL_T  lossy
#define LBP_GRADIENT steep_gradient
#include "../lbp_run.h"

static void test_runs(void) {
  lossy m = {2, 1};
  lbp_run run = make_run();
  lbp_run_result found;
  int k;
  CHECK(loses_run(&run, &m, 2, &found) == LBP_E_LOGP);
  CHECK(strstr(found.message, "rounding") && strstr(found.message, "double"));
  lbp_run_free(&found);
  m.sign = -1;
  CHECK(loses_run(&run, &m, 2, &found) == LBP_E_LOGP && strstr(found.message, "the sign differs"));
  CHECK(!strstr(found.message, "rounding"));
  lbp_run_free(&found);
  for (k = 1; k < 4; k++) { /* of lbp_ab.h: the gradient has the wrong sign, or is NaN, or log pi is infinite */
    m.sign = k == 1 ? -1 : k;
    run.values = 2;
    CHECK(steep_run(&run, &m, 2, &found) != LBP_OK && !strstr(found.message, "nan"));
    CHECK(k != 1 || (strstr(found.message, "the sign differs") && !strstr(found.message, "rounding")));
    CHECK(k != 2 || strstr(found.message, "is NaN;"));
    CHECK(k != 3 || (strstr(found.message, "is +infinity;") && !strstr(found.message, "expected")));
    lbp_run_free(&found);
  }
}

/* ---- models with gradients --------------------------------------------------------------------------------------- */

enum { OPTIONS = 20 };

/* One option of OPTIONS by a penalty, and costs that are small beside it; how far the gradient is off. */
static int make_lattice(double penalty, double *off) {
  double P[OPTIONS * OPTIONS], c[OPTIONS];
  uint8_t x[OPTIONS] = {0};
  lbp_real got[OPTIONS];
  lbp_symmetric W;
  lbp_lattice m;
  uint32_t i, j;
  int status;
  memset(&W, 0, sizeof W);
  W.n = OPTIONS;
  W.dense = P;
  for (i = 0; i < OPTIONS; i++) {
    c[i] = 0.05 + 0.013 * i;
    for (j = 0; j < OPTIONS; j++) P[OPTIONS * i + j] = 2 * penalty + (i == j ? 0.37 : 0);
  }
  *off = 0;
  x[3] = 1;
  status = lbp_lattice_init(&m, 2, c, &W);
  if (status == LBP_OK) lbp_lattice_gradient(&m, x, got);
  else CHECK(m.value == NULL && m.memory == NULL && m.n == 0);
  for (i = 0; i < OPTIONS && status == LBP_OK; i++) {
    double want = 0;
    for (j = 0; j < OPTIONS; j++) want += P[OPTIONS * i + j] * (c[j] - x[j]);
    *off = test_larger(*off, fabs((double)got[i] - want));
  }
  lbp_lattice_free(&m);
  return status;
}

/* Large terms that cancel, and a small one between them; how far log pi is off. `whole`: the large ones are whole
 * numbers, and the small one is 1, so that a float has all sums. */
static int make_logistic(double scale, int whole, double *off) {
  const double large = whole ? scale : 1.1 * scale;
  double X[12], want = 0;
  uint8_t y[4] = {0, 1, 0, 1}, x[4] = {1, 1, 1, 0};
  lbp_logistic m;
  uint32_t i;
  int status;
  for (i = 0; i < 4; i++) {
    const double small = whole ? 1 : 0.3 + 0.1 * i;
    X[3 * i] = large, X[3 * i + 1] = small, X[3 * i + 2] = -large;
    want -= log1p(exp(y[i] ? -small : small));
  }
  status = lbp_logistic_init(&m, 3, 4, X, y, NULL);
  if (status != LBP_OK) CHECK(m.X == NULL && m.memory == NULL && m.n == 0);
  *off = status == LBP_OK ? fabs(lbp_logistic_logp(&m, x) - want) : 0;
  lbp_logistic_free(&m);
  return status;
}

static int make_quartic(double scale, double *off) {
  const double v = 0.3, s[3] = {1, 1, 1}, b[1] = {0};
  double P[9];
  const uint8_t x[4] = {1, 1, 1, 0};
  lbp_quartic m;
  uint32_t e;
  int status;
  for (e = 0; e < 3; e++) P[3 * e] = 1.1 * scale, P[3 * e + 1] = v, P[3 * e + 2] = -1.1 * scale;
  status = lbp_quartic_init(&m, 3, 2, s, P, 1, b);
  if (status != LBP_OK) CHECK(m.A == NULL && m.memory == NULL && m.n == 0);
  *off = status == LBP_OK ? fabs(lbp_quartic_logp(&m, x) + 3 * (v + 1) * (v * v + 0.5) * (v - 2)) : 0;
  lbp_quartic_free(&m);
  return status;
}

/* What is accepted is right to 1e-3. What float would lose is refused, but not in double, and not far below that. */
static void test_gradients(void) {
  double scale, off;
  for (scale = 1; scale < 1e8; scale *= 10) {
    const int refused = IS_FLOAT ? LBP_E_PRECISION : LBP_OK;
    int status = make_lattice(scale, &off);
    CHECK(status == (scale > 5e3 ? refused : LBP_OK) && off < 1e-3);
    status = make_logistic(scale, 0, &off);
    CHECK(status == (scale > 5e3 ? refused : LBP_OK) && off < 1e-3);
    CHECK(scale > 5e6 || (make_logistic(scale, 1, &off) == LBP_OK && off < 1e-3));
    status = make_quartic(scale, &off);
    CHECK(status == (scale > 5e2 ? refused : LBP_OK) && off < 1e-3);
  }
  CHECK(strstr(lbp_error(LBP_E_PRECISION), "double") && strstr(lbp_error(LBP_E_PRECISION), "scales"));
}

int main(void) {
  test_betas();
  test_gradients();
  test_categorical();
  test_annealing();
  test_large();
  test_models();
  test_sentences();
  test_runs();
  return test_report();
}
