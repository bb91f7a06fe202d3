/* Fuzz target: sequences of calls on instances of lbp.h, on models of any numbers. After each step its info and state
 * must agree with a copy kept apart, all sums with sums from scratch, the acceptance probability with the formula. */
#include "fuzz.h"

enum { CHAINS_MOST = 130, CHAINS_REACH = 2, CHAINS_OPERATIONS = 120, API_MAX = CHAINS_MOST };
#ifdef __FP_FAST_FMA
#define API_ROUNDING 1e-6 /* a compiler that fuses may round the same formula in two ways */
#else
#define API_ROUNDING 0
#endif

/* A ring: log pi(x) = sum_i field_i x_i + sum_d coupling_i,d x_i x_{i + d}, all plain numbers but for some fields and
 * couplings. An infinite field makes the value against it impossible, a coupling of -infinity two ones. */
typedef struct {
  uint32_t n, reach;
  double field[CHAINS_MOST], coupling[CHAINS_MOST][CHAINS_REACH];
  double factor, bias, odd; /* what is wrong with estimates of log-ratios; that of site 0 is anything */
  int sound;                /* all fields are plain, and no estimate is NaN */
} chains_model;

/* The sum that flipping x_i adds to log pi, or takes away. */
static double chains_pull(const chains_model *m, const uint8_t *x, uint32_t i) {
  double h = m->field[i];
  uint32_t d;
  for (d = 0; d < m->reach; d++) {
    const uint32_t before = (i + m->n - d - 1) % m->n;
    if (x[(i + d + 1) % m->n]) h += m->coupling[i][d];
    if (x[before]) h += m->coupling[before][d];
  }
  return h;
}

static double chains_delta(const chains_model *m, const uint8_t *x, uint32_t i) {
  const double h = chains_pull(m, x, i);
  return x[i] ? -h : h;
}

static float chains_delta_float(const chains_model *m, const uint8_t *x, uint32_t i) {
  return (float)chains_delta(m, x, i);
}

static uint32_t chains_neighbours(const chains_model *m, uint32_t i, uint32_t *out) {
  uint32_t count = 0, d;
  for (d = 1; d <= m->reach; d++) {
    out[count++] = (i + d) % m->n;
    out[count++] = (i + m->n - d) % m->n;
  }
  return count;
}

static uint32_t chains_alone(const chains_model *m, uint32_t i, uint32_t *out) {
  (void)m, (void)i, (void)out;
  return 0;
}

static double chains_logp(const chains_model *m, const uint8_t *x) {
  double sum = 0;
  uint32_t i, d;
  int impossible = 0;
  for (i = 0; i < m->n; i++) {
    const double field = m->field[i];
    if (lbp_is_finite(field) || lbp_is_nan(field)) sum += x[i] ? field : 0;
    else impossible |= x[i] != (field > 0);
    for (d = 0; d < m->reach; d++) {
      if (!x[i] || !x[(i + d + 1) % m->n]) continue;
      if (lbp_is_finite(m->coupling[i][d])) sum += m->coupling[i][d];
      else impossible = 1;
    }
  }
  return impossible ? fuzz_from_bits(0xfff0000000000000u) : sum;
}

static float chains_logp_float(const chains_model *m, const uint8_t *x) { return (float)chains_logp(m, x); }

static void chains_deltas(const chains_model *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = chains_delta(m, x, i);
}

static void chains_deltas_float(const chains_model *m, const uint8_t *x, float *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = chains_delta_float(m, x, i);
}

/* An estimate, as a gradient might give it. */
static double chains_estimate(const chains_model *m, const uint8_t *x, uint32_t i) {
  return i == 0 ? m->odd : m->factor * chains_delta(m, x, i) + m->bias;
}

static void chains_estimates_float(const chains_model *m, const uint8_t *x, float *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = (float)chains_estimate(m, x, i);
}

/* Fields: the pulls. */
typedef struct {
  double h[CHAINS_MOST], saved[CHAINS_MOST];
} chains_fields;

static void chains_fields_set(const chains_model *m, chains_fields *f, const uint8_t *x) {
  uint32_t i;
  for (i = 0; i < m->n; i++) f->h[i] = chains_pull(m, x, i);
}

static void chains_fields_flip(const chains_model *m, chains_fields *f, const uint8_t *x, uint32_t i) {
  uint32_t d;
  for (d = 0; d < m->reach; d++) {
    const uint32_t before = (i + m->n - d - 1) % m->n;
    f->h[(i + d + 1) % m->n] += x[i] ? m->coupling[i][d] : -m->coupling[i][d];
    f->h[before] += x[i] ? m->coupling[before][d] : -m->coupling[before][d];
  }
}

static void chains_fields_save(const chains_model *m, chains_fields *f) {
  memcpy(f->saved, f->h, m->n * sizeof f->h[0]);
}

static void chains_fields_restore(const chains_model *m, chains_fields *f) {
  memcpy(f->h, f->saved, m->n * sizeof f->h[0]);
}

static float chains_fields_delta(const chains_model *m, chains_fields *f, const uint8_t *x, uint32_t i) {
  (void)m;
  return (float)(x[i] ? -f->h[i] : f->h[i]);
}

static double chains_fields_logp(const chains_model *m, chains_fields *f, const uint8_t *x) {
  (void)f;
  return chains_logp(m, x);
}

static void chains_fields_estimates(const chains_model *m, chains_fields *f, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = m->factor * (x[i] ? -f->h[i] : f->h[i]) + m->bias;
  out[0] = m->odd;
}

static void chains_fields_many(const chains_model *m, chains_fields *const *f, const uint8_t *const *x,
                               double *const *out, uint32_t count) {
  uint32_t k;
  for (k = 0; k < count; k++) chains_fields_estimates(m, f[k], x[k], out[k]);
}

static chains_fields chains_room; /* of the chain in progress */

/* ---- generators -------------------------------------------------------------------------------------------------- */

/* One whose first words the input chooses, the extreme ones too, which no other comes to. */
typedef struct {
  lbp_rng rng;
  uint32_t chosen;
} chains_rng;

static uint64_t chains_word(chains_rng *rng) {
  uint64_t byte;
  if (rng->chosen == 0) return lbp_rng_u64(&rng->rng);
  rng->chosen--;
  byte = fuzz_byte();
  return byte * 0x0101010101010101u;
}

static void chains_choose(chains_rng *rng, uint64_t seed) {
  lbp_rng_init(&rng->rng, seed, 0);
  rng->chosen = fuzz_byte();
}

static void chains_seed(lbp_rng *rng, uint64_t seed) { lbp_rng_init(rng, seed, 0); }

/* ---- the model, from the input ----------------------------------------------------------------------------------- */

/* A field: plain, or so large that plain ones vanish beside it, or infinite, or NaN. In between, sums would depend on
 * their order, and fields on how they came about. */
static double chains_field(chains_model *m) {
  const double v = fuzz_double(), size = fabs(v);
  if (size < 512) return floor(64 * v) / 64;
  m->sound = 0;
  return size < 1e20 ? (v < 0 ? -1e30 : 1e30) : v;
}

/* A coupling: plain, but for one value that stands for -infinity, where no fields are to be kept up to date. */
static double chains_coupling(chains_model *m, int excludes) {
  const double v = fuzz_plain();
  if (v > -512 || !excludes) return v;
  m->sound = 0;
  return fuzz_from_bits(0xfff0000000000000u);
}

/* A field of another value. */
static void chains_change(chains_model *m) {
  const uint32_t i = fuzz_below(m->n);
  m->field[i] = chains_field(m);
}

/* n sites, all numbers repeated after some. */
static void chains_make(chains_model *m, uint32_t n, int excludes) {
  const uint32_t period = 1 + fuzz_below(8);
  uint32_t i, d;
  memset(m, 0, sizeof *m);
  m->sound = 1;
  m->n = n;
  m->reach = fuzz_below(CHAINS_REACH + 1);
  if (2 * m->reach >= n) m->reach = (n - 1) / 2;
  m->factor = fuzz_plain() / 256;
  m->bias = fuzz_plain() / 64;
  m->odd = fuzz_double();
  if (lbp_is_nan(m->odd)) m->sound = 0;
  for (i = 0; i < n; i++) {
    m->field[i] = i < period ? chains_field(m) : m->field[i - period];
    for (d = 0; d < m->reach; d++) {
      m->coupling[i][d] = i < period ? chains_coupling(m, excludes) : m->coupling[i - period][d];
    }
  }
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

/* local */
#define CASE                             local
#define CASE_REAL                        double
#define CASE_RNG                         lbp_rng
#define CASE_SEED                        chains_seed
#define CASE_RATIO                       chains_delta
#define CASE_INIT(c, n, x, ws, len)      local_init(c, n, x, ws, len)
#define CASE_BY_LOGP                     0
#define CASE_PRODUCT                     0
#define LBP_DELTA                        chains_delta
#define LBP_NEIGHBOURS                   chains_neighbours
#define LBP_MAX_NEIGHBOURS               (2 * CHAINS_REACH)
#define LBP_LOGP                         chains_logp
#include "chains_case.h"

/* the same in single precision, of fixed size, with the other weight, sorted early */
#define CASE                             tight
#define CASE_REAL                        float
#define CASE_RNG                         chains_rng
#define CASE_SEED                        chains_choose
#define CASE_RATIO                       chains_delta
#define CASE_INIT(c, n, x, ws, len)      tight_init(c, x)
#define CASE_BY_LOGP                     0
#define CASE_PRODUCT                     0
#define CASE_FIXED
#define LBP_N                            37
#define LBP_WEIGHT                       LBP_SQRT
#define LBP_SORT_ABOVE                   0
#define LBP_RNG_T                        chains_rng
#define LBP_RNG_U64                      chains_word
#define LBP_DELTA                        chains_delta_float
#define LBP_NEIGHBOURS                   chains_neighbours
#define LBP_MAX_NEIGHBOURS               (2 * CHAINS_REACH)
#include "chains_case.h"

/* independent sites */
#define CASE                             product
#define CASE_REAL                        double
#define CASE_RNG                         chains_rng
#define CASE_SEED                        chains_choose
#define CASE_RATIO                       chains_delta
#define CASE_INIT(c, n, x, ws, len)      product_init(c, n, x, ws, len)
#define CASE_BY_LOGP                     0
#define CASE_PRODUCT                     1
#define LBP_RNG_T                        chains_rng
#define LBP_RNG_U64                      chains_word
#define LBP_DELTA                        chains_delta
#define LBP_NEIGHBOURS                   chains_alone
#define LBP_MAX_NEIGHBOURS               0
#include "chains_case.h"

/* fields, never sorted */
#define CASE                             drifting
#define CASE_REAL                        float
#define CASE_RNG                         lbp_rng
#define CASE_SEED                        chains_seed
#define CASE_RATIO                       chains_delta
#define CASE_INIT(c, n, x, ws, len)      drifting_init(c, n, x, &chains_room, ws, len)
#define CASE_BY_LOGP                     0
#define CASE_PRODUCT                     0
#define LBP_SORT_ABOVE                   60
#define LBP_FIELDS_T                     chains_fields
#define LBP_FIELDS_INIT                  chains_fields_set
#define LBP_FLIP                         chains_fields_flip
#define LBP_DELTA                        chains_fields_delta
#define LBP_NEIGHBOURS                   chains_neighbours
#define LBP_MAX_NEIGHBOURS               (2 * CHAINS_REACH)
#include "chains_case.h"

/* dense, by exact log-ratios alone, of fixed size, with a weight function of its own */
#define CASE                             dense
#define CASE_REAL                        double
#define CASE_RNG                         chains_rng
#define CASE_SEED                        chains_choose
#define CASE_RATIO                       chains_delta
#define CASE_INIT(c, n, x, ws, len)      dense_init(c, x)
#define CASE_BY_LOGP                     0
#define CASE_PRODUCT                     0
#define CASE_FIXED
#define LBP_N                            7
#define LBP_WEIGHT                       LBP_CUSTOM
#define LBP_LOG_WEIGHT(d)                ((d) < 0 ? (d) : 0)
#define LBP_RNG_T                        chains_rng
#define LBP_RNG_U64                      chains_word
#define LBP_DELTAS                       chains_deltas
#include "chains_case.h"

/* the same with single ones too */
#define CASE                             both
#define CASE_REAL                        float
#define CASE_RNG                         lbp_rng
#define CASE_SEED                        chains_seed
#define CASE_RATIO                       chains_delta
#define CASE_INIT(c, n, x, ws, len)      both_init(c, n, x, ws, len)
#define CASE_BY_LOGP                     0
#define CASE_PRODUCT                     0
#define LBP_DELTAS                       chains_deltas_float
#define LBP_DELTA                        chains_delta_float
#include "chains_case.h"

/* estimates and log pi */
#define CASE                             guess
#define CASE_REAL                        float
#define CASE_RNG                         lbp_rng
#define CASE_SEED                        chains_seed
#define CASE_RATIO                       chains_estimate
#define CASE_INIT(c, n, x, ws, len)      guess_init(c, n, x, ws, len)
#define CASE_BY_LOGP                     1
#define CASE_PRODUCT                     0
#define LBP_DELTAS                       chains_estimates_float
#define LBP_LOGP                         chains_logp_float
#include "chains_case.h"

/* and fields that are restored, and many chains at once */
#define CASE                             fields
#define CASE_REAL                        double
#define CASE_RNG                         lbp_rng
#define CASE_SEED                        chains_seed
#define CASE_RATIO                       chains_estimate
#define CASE_INIT(c, n, x, ws, len)      fields_init(c, n, x, &chains_room, ws, len)
#define CASE_BY_LOGP                     1
#define CASE_PRODUCT                     0
#define LBP_WEIGHT                       LBP_SQRT
#define LBP_FIELDS_T                     chains_fields
#define LBP_FIELDS_INIT                  chains_fields_set
#define LBP_FLIP                         chains_fields_flip
#define LBP_SAVE                         chains_fields_save
#define LBP_RESTORE                      chains_fields_restore
#define LBP_DELTAS                       chains_fields_estimates
#define LBP_DELTAS_MANY                  chains_fields_many
#define LBP_LOGP                         chains_fields_logp
#include "chains_case.h"

/* ---- many chains ------------------------------------------------------------------------------------------------- */

enum { CHAINS_MANY = 3 };

/* Steps of many chains at once are those of each alone. */
static void chains_many(const chains_model *m) {
  static chains_fields room[2][CHAINS_MANY];
  static uint64_t ws[2][CHAINS_MANY][LBP_WS_LEN_DENSE(CHAINS_MOST)];
  static uint8_t x[2][CHAINS_MANY][CHAINS_MOST];
  static lbp_rng rng[2][CHAINS_MANY];
  fields_chain c[2][CHAINS_MANY], *chain[CHAINS_MANY];
  const uint32_t count = 1 + fuzz_below(CHAINS_MANY);
  fields_info info[CHAINS_MANY];
  lbp_rng *rngs[CHAINS_MANY];
  uint32_t R[CHAINS_MANY], left = CHAINS_OPERATIONS / 4, k, i, side;
  for (k = 0; k < count; k++) {
    const uint32_t start = fuzz_byte();
    chain[k] = &c[0][k];
    rngs[k] = &rng[0][k];
    for (side = 0; side < 2; side++) {
      for (i = 0; i < m->n; i++) x[side][k][i] = (uint8_t)(start >> i % 8 & 1);
      lbp_rng_init(&rng[side][k], start, k);
      FUZZ_CHECK(fields_init(&c[side][k], m->n, x[side][k], &room[side][k], ws[side][k], fields_ws_len(m->n)) == LBP_OK);
    }
  }
  while (fuzz_left > 0 && left-- > 0) {
    for (k = 0; k < count; k++) R[k] = fuzz_below(m->n + 2);
    fields_lbp_steps(chain, m, R, rngs, count, info);
    for (k = 0; k < count; k++) {
      const fields_info alone = fields_lbp_step(&c[1][k], m, R[k], &rng[1][k]);
      FUZZ_CHECK(alone.accept == info[k].accept && alone.jump == info[k].jump && alone.proposed == info[k].proposed);
      FUZZ_CHECK(memcmp(x[0][k], x[1][k], m->n) == 0);
      FUZZ_CHECK(fields_kept(&c[0][k]));
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static void (*const run[])(chains_model *) = {local_run, tight_run, product_run, drifting_run,
                                                dense_run, both_run,  guess_run,   fields_run};
  static const char *const name[] = {"local", "tight", "product", "drifting", "dense", "both", "guess", "fields", "many"};
  static chains_model m;
  uint32_t kind, n;
  fuzz_start(bytes, size);
  kind = fuzz_below(9);
  fuzz_doing = name[kind];
  n = 1 + fuzz_byte();
  n = kind == 1 ? 37 : kind == 4 ? 7 : n > CHAINS_MOST ? 1 + n % 12 : n;
  chains_make(&m, n, kind != 3 && kind < 7);
  if (kind == 2) m.reach = 0;
  if (kind == 8) chains_many(&m);
  else run[kind](&m);
  return 0;
}
