/* lbp_perm.h: every path of every step against enumeration; draws; data kept from step to step; long permutations
 * against a law in closed form; partial matchings; the tuner; the model check; wrong calls.
 *
 * Path by path: pi(x) q a = pi(y) q' a' to 1e-12 (floats: 1e-5), and one of a and a' is 1, for all permutations of 4
 * and 5, linear, of neighbouring rows and quadratic, with forbidden images, and log-ratios of +-80, where whole weights
 * are far from exact ones.
 *
 * Statistical tests: about 60 chi-squared tests at level 1e-8 each, a false alarm of the suite has probability 6e-7.
 * Seeds are fixed. */
#include "../lbp/base/numbers.h"
#include "../lbp_perm.h"

#include "chi2.h"
#include "perm_toy.h"
#include "reversible.h"

#ifdef API_QUICK
enum { QUICK = 1 };
#else
enum { QUICK = 0 };
#endif

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* A law at an inverse temperature, and rows that are clamped. */
typedef struct {
  const perm_toy *t;
  double beta;
  const uint8_t *mask;
} perm_setup;

enum { PERM_UNIFORM, PERM_BY_ROW, PERM_BY_PAIRS };

/* Of each state and path: how likely it is, how likely it is accepted, where it leads. A path of up to two exchanges is
 * known by their rows. */
enum { PERM_PATHS = 625 };
static double perm_q[PERM_STATES][PERM_PATHS], perm_accept[PERM_STATES][PERM_PATHS];
static uint32_t perm_to[PERM_STATES][PERM_PATHS];

static int is_masked(const perm_setup *p, uint32_t a) { return p->mask && p->mask[a]; }

static uint32_t perm_weight(int weight, double d) {
  return weight == LBP_BARKER ? lbp_weight_barker((float)d)
         : weight == LBP_SQRT ? lbp_weight_log(0.5f * (float)d)
                              : lbp_weight_metropolis((float)d);
}

/* A generator with these words to come, and no more that matter. */
static void feed(lbp_rng *rng, const uint64_t *word, uint32_t count) {
  lbp_rng_init(rng, 1, 1);
  memcpy(rng->word + LBP_RNG_BLOCK - count, word, count * sizeof *word);
  rng->left = count;
}

/* The first word that stands for v among `total` whole numbers. */
static uint64_t word_for(uint64_t v, uint64_t total) {
  uint64_t word = 0, bit;
  if (v == 0) return 0;
  for (bit = (uint64_t)1 << 63; bit > 0; bit >>= 1) {
    if (lbp_mulhi(word | bit, total) < v) word |= bit;
  }
  return word + 1;
}

static uint32_t path_code(const uint32_t *pair, uint32_t R) {
  return R == 1 ? pair[0] * 5 + pair[1] : ((pair[0] * 5 + pair[1]) * 5 + pair[2]) * 5 + pair[3];
}

/* The same exchanges in reversed order. */
static uint32_t path_back(uint32_t code, uint32_t R) { return R == 1 ? code : code % 25 * 25 + code / 25; }

static void perm_note(const perm_setup *p, uint32_t x, const uint32_t *pair, uint32_t R, uint32_t to, double q,
                      double accept) {
  const uint32_t code = path_code(pair, R);
  (void)p;
  perm_q[x][code] = q;
  perm_accept[x][code] = accept;
  perm_to[x][code] = to;
}

/* The law's logarithm. */
static double perm_log_law(const perm_setup *p, const uint32_t *s) {
  return p->beta * perm_logp(p->t, s) + perm_base(p->t, s, p->mask);
}

/* What exchanging a and b adds to log D!. */
static double base_gain(const perm_setup *p, const uint32_t *s, uint32_t a, uint32_t b) {
  const double here = perm_base(p->t, s, p->mask);
  uint32_t y[PERM_MOST], count = 0, k;
  memcpy(y, s, p->t->n * sizeof *y);
  y[a] = s[b];
  y[b] = s[a];
  for (k = p->t->rows; k < p->t->n; k++) count += s[k] >= p->t->columns && !is_masked(p, k);
  return perm_base(p->t, y, p->mask) > here ? lbp_log_fine(count + 1.0)
         : perm_base(p->t, y, p->mask) < here ? -lbp_log_fine(count)
                                              : 0;
}

/* Every path and its way back. */
static void perm_judge(const perm_setup *p, uint32_t R, double tolerance) {
  uint32_t x, code, apart = 0, slow = 0, moves = 0;
  double worst = 0;
  for (x = 0; x < perm_count(p->t->n); x++) {
    uint32_t s[PERM_MOST];
    double here;
    perm_decode(p->t->n, x, s);
    here = perm_log_law(p, s);
    for (code = 0; code < PERM_PATHS; code++) {
      const double q = perm_q[x][code], accept = perm_accept[x][code];
      const uint32_t y = perm_to[x][code], back = path_back(code, R);
      double there, gap;
      if (q == 0 || accept == 0) continue;
      perm_decode(p->t->n, y, s);
      there = perm_log_law(p, s);
      gap = here + log(q) + log(accept) - there - log(perm_q[y][back]) - log(perm_accept[y][back]);
      if (!(fabs(gap) <= tolerance)) apart++;
      if (fabs(gap) > worst) worst = fabs(gap);

      slow += !(accept >= 1 - tolerance || perm_accept[y][back] >= 1 - tolerance);
      moves++;
    }
  }
  if (apart > 0) printf("n = %u, R = %u: %u of %u paths, worst %g\n", (unsigned)p->t->n, (unsigned)R, (unsigned)apart,
                        (unsigned)moves, worst);
  CHECK(apart == 0 && slow == 0);
  CHECK(moves > 0 || R == 2); /* where there are two pairs to exchange */
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

#define AS_DOUBLE(name) name
#define AS_FLOAT(name)  name##_float

#define CASE           plain
#define CASE_REAL      double
#define CASE_AS        AS_DOUBLE
#define CASE_WEIGHT    LBP_BARKER
#define CASE_TOLERANCE (TEST_ALIKE ? 1e-12 : 1e-5)
#include "cases/perm_case.h"

#define CASE           full
#define CASE_REAL      double
#define CASE_AS        AS_DOUBLE
#define CASE_WEIGHT    LBP_SQRT
#define CASE_TOLERANCE (TEST_ALIKE ? 1e-12 : 1e-5)
#define CASE_ROW
#define CASE_ROW_WEIGHT
#define CASE_NEIGHBOURS
#include "cases/perm_case.h"

#define CASE           small
#define CASE_REAL      float
#define CASE_AS        AS_FLOAT
#define CASE_WEIGHT    LBP_BARKER
#define CASE_TOLERANCE 1e-5
#define CASE_ROW
#define CASE_ROW_WEIGHT
#define CASE_NEIGHBOURS
#include "cases/perm_case.h"

#define CASE           metro
#define CASE_REAL      float
#define CASE_AS        AS_FLOAT
#define CASE_WEIGHT    LBP_METROPOLIS
#define CASE_TOLERANCE 1e-5
#define CASE_NEIGHBOURS
#include "cases/perm_case.h"

#define CASE           part
#define CASE_REAL      double
#define CASE_AS        AS_DOUBLE
#define CASE_WEIGHT    LBP_BARKER
#define CASE_TOLERANCE (TEST_ALIKE ? 1e-12 : 1e-5)
#define CASE_PARTIAL
#include "cases/perm_case.h"

#define CASE           parts
#define CASE_REAL      float
#define CASE_AS        AS_FLOAT
#define CASE_WEIGHT    LBP_SQRT
#define CASE_TOLERANCE 1e-5
#define CASE_ROW
#define CASE_ROW_WEIGHT
#define CASE_NEIGHBOURS
#define CASE_PARTIAL
#include "cases/perm_case.h"

static void all_instances(const perm_toy *t, double beta, const uint8_t *mask) {
  plain_all(t, beta, mask);
  full_all(t, beta, mask);
  small_all(t, beta, mask);
  metro_all(t, beta, mask);
}

static void test_paths(void) {
  static const uint8_t mask[PERM_MOST] = {0, 0, 1, 0, 0};
  uint32_t n;
  int kind;
  for (n = 4; n <= 5; n++) {
    for (kind = PERM_LINEAR; kind <= PERM_QUADRATIC; kind++) {
      perm_toy t = perm_make(n, kind, 3, 0);
      if (QUICK && (n == 5) != (kind == PERM_PATH)) continue;
      all_instances(&t, 1, NULL);
      t = perm_make(n, kind, 80, 1);
      all_instances(&t, 1, NULL);
    }
  }
  {
    perm_toy t = perm_make(5, PERM_QUADRATIC, 2, 0);
    t.cost[0][1] = t.cost[2][2] = t.cost[2][3] = t.cost[4][0] = HUGE_VAL;
    all_instances(&t, 1, NULL);
    all_instances(&t, 0, NULL);
    all_instances(&t, 1.7, mask);
    t = perm_make(4, PERM_LINEAR, 2, 0); /* rows 0 and 1 have images 0 and 1: two exchanges at most are possible */
    t.cost[0][2] = t.cost[0][3] = t.cost[1][2] = t.cost[1][3] = HUGE_VAL;
    t.cost[2][0] = t.cost[2][1] = t.cost[3][0] = t.cost[3][1] = HUGE_VAL;
    all_instances(&t, 1, NULL);
    t.cost[0][0] = HUGE_VAL; /* and now one: R = 2 is refused */
    all_instances(&t, 1, NULL);
  }
}

/* Partial matchings: all of them, those of a link and more, impossible links, temperatures, and rows that are clamped,
 * to a column, to none, and, spare ones, to what there is. */
static void test_partial_paths(void) {
  static const uint8_t mask[4][PERM_MOST] = {{1, 0, 0, 0, 0}, {0, 0, 0, 1, 0}, {0, 1, 0, 0, 1}, {0, 0, 0, 0, 1}};
  static const uint32_t shape[6][3] = {{5, 3, 2}, {5, 2, 3}, {5, 3, 3}, {4, 2, 2}, {4, 3, 1}, {4, 4, 4}};
  uint32_t k;
  for (k = 0; k < 6; k++) {
    perm_toy t = perm_partial(shape[k][0], shape[k][1], shape[k][2], (int)(k % 3), 1.5, 0);
    if (QUICK && k != 1) continue;
    if (k % 2 == 0) part_all(&t, 0.7, NULL);
    else parts_all(&t, 0.3, NULL);
    if (t.n == 5) part_all(&t, 0.7, mask[k]), parts_all(&t, 1, mask[k + 1]);
    t.cost[0][0] = t.cost[t.rows - 1][t.columns - 1] = HUGE_VAL;
    if (k % 2 == 0) parts_all(&t, 1, NULL);
    else part_all(&t, k == 3 ? 0 : 1, NULL);
  }
}

/* All permutations that stand for one matching, each with D!, are as many for all matchings. */
static void test_fold(void) {
  static const uint32_t shape[5][3] = {{5, 3, 2}, {5, 2, 3}, {5, 3, 3}, {5, 4, 4}, {5, 1, 2}};
  uint32_t k;
  for (k = 0; k < 5; k++) {
    const perm_toy t = perm_partial(shape[k][0], shape[k][1], shape[k][2], PERM_LINEAR, 1, 0);
    double all[1 << 15] = {0};
    uint32_t x, matchings = 0;
    for (x = 0; x < perm_count(t.n); x++) {
      uint32_t s[PERM_MOST], code = 0, a;
      perm_decode(t.n, x, s);
      for (a = 0; a < t.rows; a++) code = 6 * code + (s[a] < t.columns ? s[a] : 5);
      all[code] += exp(perm_base(&t, s, NULL));
    }
    for (x = 0; x < 1 << 15; x++) {
      matchings += all[x] > 0;
      if (all[x] > 0) CHECK_NEAR(log(all[x]), perm_fold(&t), 1e-12);
    }
    CHECK(matchings == (k == 0 || k == 1 ? 13 : k == 2 ? 33 : k == 3 ? 120 : 3));
  }
}

static void test_draws(void) {
  const perm_toy four = perm_make(4, PERM_QUADRATIC, 1.5, 0), five = perm_make(5, PERM_PATH, 1, 0);
  const perm_toy two = perm_partial(4, 2, 2, PERM_LINEAR, 1, 0), three = perm_partial(5, 3, 2, PERM_PATH, 1, 0);
  plain_draws(&four, "double, quadratic");
  full_draws(&five, "double, all callbacks, sqrt(t)");
  small_draws(&five, "float, all callbacks");
  metro_draws(&four, "float, min(1, t)");
  part_draws(&two, "partial matchings, double");
  parts_draws(&three, "partial matchings, float, all callbacks, sqrt(t)");
}

/* ---- Mallows' law: pi(s) = e^(-theta inversions) ----------------------------------------------------------------- */

typedef struct {
  uint32_t n;
  double theta, crooked; /* crooked: log-ratios depend so much on the order of rows, as by rounding */
} mallows;

/* How many inversions exchanging a and b adds. */
static double mallows_exchange(const mallows *m, const uint32_t *s, uint32_t a, uint32_t b) {
  const uint32_t i = a < b ? a : b, j = a < b ? b : a;
  const uint32_t low = s[i] < s[j] ? s[i] : s[j], high = s[i] < s[j] ? s[j] : s[i];
  int32_t more = 1;
  uint32_t k;
  for (k = i + 1; k < j; k++) more += 2 * (s[k] > low && s[k] < high);
  return -m->theta * (s[i] < s[j] ? more : -more) * (a < b ? 1 : 1 + m->crooked);
}

static uint32_t inversions(const uint32_t *s, uint32_t n) {
  uint32_t count = 0, a, b;
  for (a = 0; a < n; a++) {
    for (b = a + 1; b < n; b++) count += s[a] > s[b];
  }
  return count;
}

static double mallows_logp(const mallows *m, const uint32_t *s) { return -m->theta * inversions(s, m->n); }

static uint32_t all_rows(const mallows *m, uint32_t a, uint32_t *out) {
  uint32_t b;
  for (b = 0; b < m->n; b++) out[b] = b;
  return (void)a, m->n;
}

enum { LONG = 130 };

#define LBP_NAME           order
#define LBP_MODEL_T        mallows
#define LBP_EXCHANGE       mallows_exchange
#define LBP_NEIGHBOURS     all_rows
#define LBP_MAX_NEIGHBOURS LONG
#define LBP_LOGP           mallows_logp
#include "../lbp_perm.h"

#define LBP_NAME                 order_float
#define LBP_MODEL_T              mallows
#define LBP_REAL                 float
#define LBP_EXCHANGE(m, s, a, b) (float)mallows_exchange(m, s, a, b)
#define LBP_LOGP(m, s)           (float)mallows_logp(m, s)
#define LBP_WEIGHT               LBP_SQRT
#include "../lbp_perm.h"

/* A draw from it: row n - k has j smaller images behind it, j = 0 ... k - 1, with weights e^(-theta j). */
static void mallows_draw(const mallows *m, uint32_t *s, lbp_rng *rng) {
  uint32_t left[LONG], k, j;
  for (k = 0; k < m->n; k++) left[k] = k;
  for (k = m->n; k > 0; k--) {
    const double u = lbp_u01(lbp_rng_u64(rng)), all = -expm1(-m->theta * k);
    j = (uint32_t)(-log1p(-u * all) / m->theta);
    if (j >= k) j = k - 1;
    s[m->n - k] = left[j];
    for (; j + 1 < k; j++) left[j] = left[j + 1];
  }
}

/* P(inversions = k), of all up to most. */
static void mallows_law(const mallows *m, uint32_t most, double *law) {
  uint32_t k, j, i;
  memset(law, 0, (most + 1) * sizeof *law);
  law[0] = 1;
  for (k = 1; k <= m->n; k++) {
    double next[1024];
    memset(next, 0, sizeof next);
    for (i = 0; i <= most; i++) {
      for (j = 0; j < k && i + j <= most; j++) {
        next[i + j] += law[i] * exp(-m->theta * j) * expm1(-m->theta) / expm1(-m->theta * k);
      }
    }
    memcpy(law, next, (most + 1) * sizeof *law);
  }
}

/* From exact draws, some steps of all kinds must lead to exact draws: inversions, and the image of the first row. */
static void check_long(uint32_t n, int in_float) {
  enum { MOST = 1000 };
  static uint32_t seen[MOST + 1], first[LONG];
  static uint64_t ws[LBP_WS_LEN_PAIRS(LONG)];
  const uint32_t trials = QUICK ? 30 : n > 70 ? 300 : 1500;
  const mallows m = {n, 0.6, 0};
  double law[MOST + 1], image[LONG];
  uint32_t s[LONG], trial, k;
  lbp_rng rng;
  lbp_rng_init(&rng, 11, n);
  memset(seen, 0, sizeof seen);
  memset(first, 0, sizeof first);
  mallows_law(&m, MOST, law);
  for (k = 0; k < n; k++) image[k] = exp(-m.theta * k) * expm1(-m.theta) / expm1(-m.theta * n);
  for (trial = 0; trial < trials; trial++) {
    mallows_draw(&m, s, &rng);
    if (in_float) {
      order_float_chain c;
      if (order_float_init(&c, n, s, ws, LBP_WS_LEN_PAIRS(n)) != LBP_OK) abort();
      order_float_pairs_step(&c, &m, 3, &rng);
      order_float_row_step(&c, &m, &rng);
      order_float_pairs_step(&c, &m, 8, &rng);
      order_float_exchange_sweep(&c, &m, &rng);
    } else {
      order_chain c;
      if (order_init(&c, n, s, ws, LBP_WS_LEN_PAIRS(n)) != LBP_OK) abort();
      order_row_step(&c, &m, &rng);
      order_pairs_step(&c, &m, 4, &rng);
      order_pairs_step(&c, &m, 9, &rng);
      order_exchange_sweep(&c, &m, &rng);
    }
    k = inversions(s, n);
    seen[k < MOST ? k : MOST]++;
    first[s[0]]++;
  }
  CHECK(chi2_counts(seen, law, MOST + 1, trials) > CHI2_LEVEL);
  CHECK(chi2_counts(first, image, n, trials) > CHI2_LEVEL);
}

/* A chain that keeps what it can, and one that is touched before each step, go the same way. */
static void check_kept(uint32_t n, double crooked) {
  static uint64_t ws[2][LBP_WS_LEN_PAIRS(LONG)];
  const mallows m = {n, 0.8, crooked};
  uint32_t s[2][LONG], steps = QUICK ? 20 : n > 70 ? 30 : 200, k;
  order_chain c[2];
  lbp_rng rng[2], kinds;
  double gain = 0, start;
  int same = 1;
  lbp_rng_init(&kinds, n, crooked > 0);
  for (k = 0; k < n; k++) s[0][k] = s[1][k] = (k * 17 + 3) % n;
  start = mallows_logp(&m, s[0]);
  for (k = 0; k < 2; k++) {
    lbp_rng_init(&rng[k], 3, n);
    if (order_init(&c[k], n, s[k], ws[k], LBP_WS_LEN_PAIRS(n)) != LBP_OK) abort();
  }
  for (k = 0; k < steps; k++) {
    const uint32_t kind = (uint32_t)(lbp_rng_u64(&kinds) >> 61);
    order_info info[2];
    uint32_t i;
    for (i = 0; i < 2; i++) {
      if (i == 1) order_touch(&c[1]);
      if (k % 8 == 7) order_temper(&c[i], k % 16 == 15 ? 1 : 0.7);
      info[i] = kind == 0   ? order_row_step(&c[i], &m, &rng[i])
                : kind == 1 ? order_exchange_step(&c[i], &m, &rng[i])
                : kind == 2 ? order_exchange_sweep(&c[i], &m, &rng[i])
                            : order_pairs_step(&c[i], &m, kind - 2, &rng[i]);
    }
    same &= memcmp(s[0], s[1], n * sizeof s[0][0]) == 0 && info[0].accept == info[1].accept;
    same &= info[0].evaluations <= info[1].evaluations;
    gain += info[0].log_ratio / c[0].beta;
  }
  CHECK(same);
  if (crooked == 0) CHECK_NEAR(gain, mallows_logp(&m, s[0]) - start, 1e-9 * (1 + fabs(start)));
}

/* The same where a list says which rows a move touches, and where all are. */
static void check_lists(void) {
  static uint64_t ws[2][LBP_WS_LEN_PAIRS(PERM_MOST)];
  uint32_t s[2][PERM_MOST], k;
  int kind, same = 1;
  for (kind = PERM_LINEAR; kind <= PERM_QUADRATIC; kind++) {
    const perm_toy t = perm_make(5, kind, 2, 0);
    full_chain c[2];
    lbp_rng rng[2];
    for (k = 0; k < 2; k++) {
      perm_decode(5, 77, s[k]);
      lbp_rng_init(&rng[k], 5, (uint64_t)kind);
      if (full_init(&c[k], 5, s[k], ws[k], LBP_WS_LEN_PAIRS(5)) != LBP_OK) abort();
    }
    for (k = 0; k < 2000; k++) {
      const uint32_t R = 1 + k % 2;
      full_info info = full_pairs_step(&c[0], &t, R, &rng[0]), other;
      full_touch(&c[1]);
      other = full_pairs_step(&c[1], &t, R, &rng[1]);
      same &= info.accept == other.accept && memcmp(s[0], s[1], sizeof s[0]) == 0;
      if (kind == PERM_LINEAR && R == 1 && k % 7 > 1 && k % 7 != 4) same &= info.evaluations == 1 + 2 * 5 - 3;
      if (k % 7 != 0 && k % 7 != 3) continue;
      info = full_row_step(&c[0], &t, &rng[0]);
      full_touch(&c[1]);
      other = full_row_step(&c[1], &t, &rng[1]);
      same &= info.accept == other.accept && memcmp(s[0], s[1], sizeof s[0]) == 0;
      if (k % 7 != 3) continue;
      info = full_row_step(&c[0], &t, &rng[0]); /* with rows' weights that are kept */
      full_touch(&c[1]);
      other = full_row_step(&c[1], &t, &rng[1]);
      same &= info.accept == other.accept && memcmp(s[0], s[1], sizeof s[0]) == 0;
    }
  }
  CHECK(same);
}

/* ---- partial matchings: two files of records --------------------------------------------------------------------- */

enum { LINK_ROWS = 5, LINK_COLUMNS = 6, LINK_ALL = LINK_ROWS + LINK_COLUMNS };

typedef struct {
  double weight[LINK_ROWS][LINK_COLUMNS];
} records;

static double record_weight(const records *m, uint32_t a, uint32_t v) {
  return a < LINK_ROWS && v < LINK_COLUMNS ? m->weight[a][v] : 0;
}
static double records_exchange(const records *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return record_weight(m, a, s[b]) + record_weight(m, b, s[a]) - record_weight(m, a, s[a]) - record_weight(m, b, s[b]);
}
static double records_logp(const records *m, const uint32_t *s) {
  double sum = 0;
  uint32_t a;
  for (a = 0; a < LINK_ROWS; a++) sum += record_weight(m, a, s[a]);
  return sum;
}
static uint32_t records_alone(const records *m, uint32_t a, uint32_t *out) { return (void)m, (void)a, (void)out, 0; }

#define LBP_NAME                    linkage
#define LBP_MODEL_T                 records
#define LBP_EXCHANGE                records_exchange
#define LBP_NEIGHBOURS              records_alone
#define LBP_MAX_NEIGHBOURS          0
#define LBP_LOGP                    records_logp
#define LBP_PERM_PARTIAL_ROWS(m)    LINK_ROWS
#define LBP_PERM_PARTIAL_COLUMNS(m) LINK_COLUMNS
#include "../lbp_perm.h"

/* Adds up all matchings of rows a, a + 1, ... with the columns that are left. links[k]: those with k links. */
static void add_matchings(const records *m, uint32_t a, uint32_t taken, uint32_t count, double log_weight,
                          double *links, double *corner, int is_corner) {
  uint32_t v;
  if (a == LINK_ROWS) {
    links[count] += exp(log_weight);
    if (is_corner) *corner += exp(log_weight);
    return;
  }
  add_matchings(m, a + 1, taken, count, log_weight, links, corner, is_corner);
  for (v = 0; v < LINK_COLUMNS; v++) {
    if (taken >> v & 1) continue;
    add_matchings(m, a + 1, taken | 1u << v, count + 1, log_weight + m->weight[a][v], links, corner,
                  is_corner || (a == 0 && v == 0));
  }
}

/* How many links there are, and how often row 0 has column 0, by all steps, in chains that keep what they can: within
 * six standard errors of batch means (t with 49 degrees of freedom: 20 false alarms of 3e-7). `shift`: of weights. */
static void check_links(double shift, uint32_t at_least) {
  enum { BATCHES = 50 };
  static uint64_t ws[LBP_WS_LEN_PAIRS(LINK_ALL)];
  const uint32_t steps = QUICK ? 10 : 150, n = LINK_ALL - at_least;
  double links[LINK_ROWS + 1] = {0}, corner = 0, z = 0, want[2] = {0};
  uint32_t s[LINK_ALL], kind, batch, k, a;
  lbp_pairs_tuner tuner;
  linkage_chain c;
  lbp_rng rng;
  records m;
  lbp_rng_init(&rng, 4, at_least);
  for (k = 0; k < LINK_ROWS * LINK_COLUMNS; k++) {
    m.weight[k / LINK_COLUMNS][k % LINK_COLUMNS] = lbp_u01(lbp_rng_u64(&rng)) * 4 - 2 + shift;
  }
  add_matchings(&m, 0, 0, 0, 0, links, &corner, 0);
  for (k = at_least; k <= LINK_ROWS; k++) z += links[k], want[0] += k * links[k];
  want[0] /= z;
  want[1] = at_least == 0 ? corner / z : -1;
  for (kind = 0; kind < 4; kind++) {
    double sum[2] = {0}, square[2] = {0};
    for (k = 0; k < n; k++) s[k] = k;
    CHECK(linkage_init(&c, n, s, ws, LBP_WS_LEN_PAIRS(n)) == LBP_OK);
    CHECK(linkage_check(&c, &m, 5, &rng).status == LBP_OK);
    CHECK(lbp_pairs_tuner_init(&tuner, n, 500, LBP_TARGET_LBP) == LBP_OK);
    for (batch = 0; batch <= BATCHES; batch++) {
      double mean[2] = {0};
      for (k = 0; k < 2 * steps; k++) {
        const uint32_t now = kind < 3 ? kind : k % 3;
        if (now == 0) linkage_row_step(&c, &m, &rng);
        else if (now == 1) linkage_apairs_step(&c, &m, &tuner, &rng);
        else linkage_exchange_sweep(&c, &m, &rng);
        for (a = 0; a < LINK_ROWS; a++) mean[0] += s[a] < LINK_COLUMNS;
        mean[1] += s[0] == 0;
      }
      for (k = 0; k < 2 && batch > 0; k++) { /* the first is warm-up */
        mean[k] /= 2 * steps;
        sum[k] += mean[k] / BATCHES;
        square[k] += mean[k] * mean[k] / BATCHES;
      }
    }
    for (k = 0; k < 2 && !QUICK; k++) {
      const double error = sqrt((square[k] - sum[k] * sum[k]) / (BATCHES - 1));
      if (want[k] >= 0) CHECK_NEAR(sum[k], want[k], 6 * error);
      CHECK(error > 0 && error < 0.08);
    }
  }
}

/* A chain that keeps what it can, and one that is touched before each step, go the same way, also where no spare row
 * has a spare column for a while. */
static void check_links_kept(double shift) {
  static uint64_t ws[2][LBP_WS_LEN_PAIRS(LINK_ALL)];
  uint32_t s[2][LINK_ALL], k, i, none = 0;
  linkage_chain c[2];
  lbp_rng rng[2];
  records m;
  int same = 1;
  lbp_rng_init(&rng[0], 4, 77);
  for (k = 0; k < LINK_ROWS * LINK_COLUMNS; k++) {
    m.weight[k / LINK_COLUMNS][k % LINK_COLUMNS] = lbp_u01(lbp_rng_u64(&rng[0])) * 4 - 2 + shift;
  }
  for (i = 0; i < 2; i++) {
    for (k = 0; k < LINK_ALL; k++) s[i][k] = k;
    CHECK(linkage_init(&c[i], LINK_ALL, s[i], ws[i], LBP_WS_LEN_PAIRS(LINK_ALL)) == LBP_OK);
    lbp_rng_init(&rng[i], 5, 77);
  }
  for (k = 0; k < 3000; k++) {
    const uint32_t kind = k / 3 * 7 % 11; /* mostly pairs, which keep a table */
    linkage_info info[2];
    linkage_touch(&c[1]);
    for (i = 0; i < 2; i++) {
      info[i] = kind == 0   ? linkage_row_step(&c[i], &m, &rng[i])
                : kind == 1 ? linkage_exchange_step(&c[i], &m, &rng[i])
                            : linkage_pairs_step(&c[i], &m, 1 + k % 3, &rng[i]);
    }
    none += c[0].spare == 0;
    same &= info[0].accept == info[1].accept && memcmp(s[0], s[1], sizeof s[0]) == 0;
  }
  CHECK(same && none < 3000 && (shift > 0 || none > 30));
}

/* A model that tells spare columns apart has no law of matchings; and n must have room for all rows and columns. */
static double spare_exchange(const double *m, const uint32_t *s, uint32_t a, uint32_t b) {
  return *m * (((double)a - b) * ((double)s[a] - s[b])); /* log pi is -m sum a s[a] */
}
static double spare_logp(const double *m, const uint32_t *s) {
  double sum = 0;
  uint32_t a;
  for (a = 0; a < 6; a++) sum -= *m * (a * (double)s[a]);
  return sum;
}
#define LBP_NAME                    spare
#define LBP_MODEL_T                 double
#define LBP_EXCHANGE                spare_exchange
#define LBP_LOGP                    spare_logp
#define LBP_PERM_PARTIAL_ROWS(m)    2
#define LBP_PERM_PARTIAL_COLUMNS(m) 4
#include "../lbp_perm.h"

static void test_spare(void) {
  static uint64_t ws[LBP_WS_LEN_PAIRS(6)];
  uint32_t s[6] = {4, 5, 0, 1, 2, 3};
  double m = 0.1;
  spare_chain c;
  spare_report report;
  lbp_rng rng;
  lbp_rng_init(&rng, 2, 8);
  CHECK(spare_init(&c, 6, s, ws, LBP_WS_LEN_PAIRS(6)) == LBP_OK);
  report = spare_check(&c, &m, 1, &rng);
  CHECK(report.status == LBP_E_LOGP && report.site == 0 && report.other == 1 && report.got != 0 && report.want == 0);
  m = 0;
  CHECK(spare_check(&c, &m, 10, &rng).status == LBP_OK);
  s[0] = 3, s[1] = 0, s[2] = 1, s[3] = 2;
  CHECK(spare_init(&c, 4, s, ws, LBP_WS_LEN_PAIRS(4)) == LBP_OK);
  CHECK(spare_check(&c, &m, 10, &rng).status == LBP_OK);
  s[0] = 0, s[1] = 1, s[2] = 2;
  CHECK(spare_init(&c, 3, s, ws, LBP_WS_LEN_PAIRS(3)) == LBP_OK);
  report = spare_check(&c, &m, 10, &rng);
  CHECK(report.status == LBP_E_SIZE && report.got == 4 && report.want == 3);
}

static void test_links(void) {
  check_links(-1, 0);
  check_links(1, 0);
  check_links(-2, 2);
  check_links_kept(1);
  check_links_kept(-2.5);
}

/* ---- the tuner, random R, parity --------------------------------------------------------------------------------- */

static void test_tuner(void) {
  lbp_pairs_tuner t;
  lbp_rng rng;
  double sum = 0, square = 0;
  uint32_t k, odd = 0;
  lbp_rng_init(&rng, 1, 2);
  CHECK(lbp_pairs_tuner_init(NULL, 5, 10, 0.5) == LBP_E_NULL && lbp_pairs_tuner_init(&t, 0, 10, 0.5) == LBP_E_SIZE);
  CHECK(lbp_pairs_tuner_init(&t, 0x80000000u, 10, 0.5) == LBP_E_SIZE);
  CHECK(lbp_pairs_tuner_init(&t, 5, 10, 0) == LBP_E_RANGE && lbp_pairs_tuner_init(&t, 5, 10, 1) == LBP_E_RANGE);
  CHECK(lbp_pairs_tuner_init(&t, 5, 10, (double)NAN) == LBP_E_RANGE);
  CHECK(lbp_pairs_tuner_init(&t, 100, 4000, 0.574) == LBP_OK && t.r == 1 && t.largest == 49.5);
  for (k = 0; k < 5000; k++) { /* as if 1 / (1 + R / 10) were accepted: 0.574 at R = 7.42 */
    lbp_pairs_tuner_update(&t, 1 / (1 + lbp_pairs_tuner_draw(&t, &rng) / 10.0));
    if (k > 100) lbp_pairs_tuner_update(&t, (double)NAN), lbp_pairs_tuner_update(&t, 2);
  }
  CHECK(t.step == 4000 && t.r == t.mean);
  CHECK_NEAR(t.r, 7.42, 0.1);
  for (k = 0; k < 20000; k++) {
    const uint32_t R = lbp_pairs_tuner_draw(&t, &rng);
    CHECK(R == (uint32_t)t.r || R == (uint32_t)t.r + 1);
    sum += R / 20000.0;
  }
  CHECK_NEAR(sum, t.r, 0.025); /* seven standard errors */
  for (k = 0; k < 2; k++) {
    const double mean = k ? 6 : 1.3;
    uint32_t j;
    for (j = 0, sum = square = 0, odd = 0; j < 40000; j++) {
      const uint32_t R = lbp_pairs_random(mean, &rng);
      sum += R / 40000.0;
      odd += R & 1;
    }
    CHECK_NEAR(sum, mean, 0.025);
    CHECK(odd > 0 && odd < 40000);
  }
  CHECK(lbp_pairs_random((double)NAN, &rng) >= 1 && lbp_pairs_random(-3, &rng) >= 1);
  lbp_pairs_tuner_init(&t, 8, UINT32_MAX, 0.5); /* all is accepted: R is the largest but for parity */
  for (k = 0, odd = 0; k < 2000; k++) {
    const uint32_t R = lbp_pairs_tuner_draw(&t, &rng);
    lbp_pairs_tuner_update(&t, 1);
    CHECK(R >= 1 && R <= 4);
    if (k >= 1000) odd += R & 1;
  }
  CHECK(odd > 300 && odd < 700);
}

/* Whether a permutation is even. */
static int is_even(const uint32_t *s, uint32_t n) { return inversions(s, n) % 2 == 0; }

/* An even R never changes that; tuned steps and sweeps do, even where all exchanges are accepted. */
static void test_parity(void) {
  static uint64_t ws[LBP_WS_LEN_PAIRS(8)];
  const mallows flat = {8, 0, 0};
  uint32_t s[8], k, kind;
  lbp_pairs_tuner t;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 3);
  for (kind = 0; kind < 3; kind++) {
    uint32_t even = 0;
    order_chain c;
    for (k = 0; k < 8; k++) s[k] = k;
    CHECK(order_init(&c, 8, s, ws, LBP_WS_LEN_PAIRS(8)) == LBP_OK);
    CHECK(lbp_pairs_tuner_init(&t, 8, UINT32_MAX, 0.574) == LBP_OK);
    for (k = 0; k < 1000; k++) {
      const order_info info = kind == 0   ? order_pairs_step(&c, &flat, 2, &rng)
                              : kind == 1 ? order_apairs_step(&c, &flat, &t, &rng)
                                          : order_exchange_sweep(&c, &flat, &rng);
      CHECK(info.accept > 1 - 1e-12);
      even += (uint32_t)is_even(s, 8);
    }
    CHECK(kind == 0 ? even == 1000 : even > 350 && even < 650);
  }
}

/* The same where rows are clamped, and R is cut to half of the others: all 24 orders of four rows are as likely, if the
 * tuner learns here, or has learned to take larger R where more rows were free. States 10 steps apart, of which a
 * correlation of 2^-10 is left; chi-squared tests at level 1e-8. */
static void test_parity_clamped(void) {
  static uint64_t ws[LBP_WS_LEN_PAIRS(8)];
  static const uint8_t mask[8] = {0, 1, 0, 1, 1, 0, 0, 1};
  const mallows flat = {8, 0, 0};
  uint32_t s[8], k, learned;
  for (learned = 0; learned < 2; learned++) {
    uint32_t seen[24] = {0};
    double law[24];
    lbp_pairs_tuner t;
    order_chain c;
    lbp_rng rng;
    lbp_rng_init(&rng, 1, 5 + learned);
    for (k = 0; k < 8; k++) s[k] = k;
    CHECK(order_init(&c, 8, s, ws, LBP_WS_LEN_PAIRS(8)) == LBP_OK && order_clamp(&c, mask) == LBP_OK);
    CHECK(lbp_pairs_tuner_init(&t, 8, learned ? 0 : 1000, 0.574) == LBP_OK);
    if (learned) t.r = t.mean = 3.2;
    for (k = 0; k < 1000 + 10 * 4800; k++) {
      const uint32_t free[4] = {s[0], s[2], s[5], s[6]};
      uint32_t a, b, code = 0;
      CHECK(order_apairs_step(&c, &flat, &t, &rng).accept > 1 - 1e-12);
      for (a = 0; a < 4; a++) {
        uint32_t less = 0;
        for (b = a + 1; b < 4; b++) less += free[b] < free[a];
        code = code * (4 - a) + less;
      }
      if (k >= 1000 && k % 10 == 0) seen[code]++;
    }
    for (k = 0; k < 24; k++) law[k] = 1.0 / 24;
    CHECK(chi2_counts(seen, law, 24, 4800) > CHI2_LEVEL);
    CHECK(t.largest == 3.5);
  }
}

/* A sweep says what has changed, and what log pi has gained by it. */
static void test_sweep(void) {
  static uint64_t ws[LBP_WS_LEN_PERM(20)];
  static const uint8_t mask[20] = {0, 1, 1};
  const mallows m = {20, 0.2, 0};
  uint32_t s[20], was[20], k, i;
  order_chain c;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 4);
  for (k = 0; k < 20; k++) s[k] = k;
  CHECK(order_init(&c, 20, s, ws, LBP_WS_LEN_PERM(20)) == LBP_OK && order_clamp(&c, mask) == LBP_OK);
  for (k = 0; k < 200; k++) {
    const double before = mallows_logp(&m, s);
    order_info info;
    uint32_t changed = 0, wrong = 0;
    memcpy(was, s, sizeof was);
    info = order_exchange_sweep(&c, &m, &rng);
    CHECK(info.evaluations == 17 || info.evaluations == 18);
    CHECK(info.proposed == 2 * info.evaluations && info.accepted <= info.evaluations);
    for (i = 0; i < 20; i++) changed += s[i] != was[i];
    for (i = 0; i < info.jump; i++) wrong += s[info.rows[i]] == was[info.rows[i]];
    CHECK(info.jump == changed && wrong == 0);
    CHECK_NEAR(info.log_ratio, mallows_logp(&m, s) - before, 1e-9);
  }
}

/* ---- the model check --------------------------------------------------------------------------------------------- */

/* What is wrong with a model. */
enum {
  SICK_NOT, SICK_NAN, SICK_MOODY, SICK_SIGN, SICK_FACTOR, SICK_BACK, SICK_TURNED, SICK_ROW, SICK_LIST, SICK_LIST_RANGE,
  SICK_LOGP, SICK_LOGP_NAN, SICK_NO_LAW, SICK_U, SICK_INFINITE, SICK_ROW_NAN
};
static int sick;
static uint32_t asked;

static double sick_exchange(const perm_toy *t, const uint32_t *s, uint32_t a, uint32_t b) {
  const double d = perm_exchange(t, s, a, b);
  asked++;
  if (sick == SICK_NAN && a == 1) return (double)NAN;
  if (sick == SICK_MOODY) return d + asked * 1e-3;
  if (sick == SICK_SIGN) return -d;
  if (sick == SICK_FACTOR) return 2 * d;
  if (sick == SICK_BACK) return d + 0.01;
  if (sick == SICK_TURNED) return a < b ? d : 1.01 * d;
  if (sick == SICK_INFINITE && ((a == 1 && s[b] == 0) || (b == 1 && s[a] == 0))) return HUGE_VAL;
  if (sick == SICK_NO_LAW) return d + ((a < b) == (s[a] < s[b]) ? 0.1 : -0.1);
  return d;
}

static void sick_row(const perm_toy *t, const uint32_t *s, uint32_t a, double *out) {
  const int kept = sick;
  uint32_t b;
  for (b = 0; b < t->n; b++) out[b] = b == a ? 0 : sick_exchange(t, s, a, b);
  if (kept == SICK_ROW) out[(a + 2) % t->n] += 1e-3;
  if (kept == SICK_ROW_NAN) out[(a + 2) % t->n] = (double)NAN;
}

static double sick_row_weight(const perm_toy *t, const uint32_t *s, uint32_t a) {
  return perm_row_weight(t, s, a) + (sick == SICK_U ? ++asked : 0);
}

static uint32_t sick_neighbours(const perm_toy *t, uint32_t a, uint32_t *out) {
  const uint32_t count = perm_neighbours(t, a, out);
  if (sick == SICK_LIST) return count > 0 ? count - 1 : 0;
  if (sick == SICK_LIST_RANGE) out[0] = t->n;
  return sick == SICK_LIST_RANGE ? 1 : count;
}

static double sick_logp(const perm_toy *t, const uint32_t *s) {
  if (sick == SICK_LOGP_NAN && s[1] == 0) return (double)NAN;
  if (sick == SICK_INFINITE && s[1] == 0) return HUGE_VAL;
  return perm_logp(t, s) + (sick == SICK_LOGP && s[0] == 2 ? 0.3 : 0);
}

#define LBP_NAME            judged
#define LBP_MODEL_T         perm_toy
#define LBP_EXCHANGE        sick_exchange
#define LBP_PERM_ROW        sick_row
#define LBP_PERM_ROW_WEIGHT sick_row_weight
#define LBP_NEIGHBOURS      sick_neighbours
#define LBP_MAX_NEIGHBOURS  PERM_MOST
#define LBP_LOGP            sick_logp
#include "../lbp_perm.h"

#define LBP_NAME     unjudged
#define LBP_MODEL_T  perm_toy
#define LBP_EXCHANGE sick_exchange
#include "../lbp_perm.h"

static void check_found(const perm_toy *t, int what, int with_logp, int without) {
  static uint64_t ws[LBP_WS_LEN_PAIRS(PERM_MOST)];
  uint32_t s[PERM_MOST], kept[PERM_MOST];
  judged_chain c;
  unjudged_chain d;
  lbp_rng rng;
  int got;
  lbp_rng_init(&rng, 5, (uint64_t)what);
  perm_decode(t->n, 0, s);
  memcpy(kept, s, sizeof kept);
  sick = what;
  CHECK(judged_init(&c, t->n, s, ws, LBP_WS_LEN_PAIRS(t->n)) == LBP_OK);
  got = judged_check(&c, t, 20, &rng).status;
  if (got != with_logp) printf("sick %d: %s\n", what, lbp_error(got));
  CHECK(got == with_logp && memcmp(kept, s, t->n * sizeof *s) == 0);
  CHECK(unjudged_init(&d, t->n, s, ws, LBP_WS_LEN_PAIRS(t->n)) == LBP_OK);
  got = unjudged_check(&d, t, 20, &rng).status;
  if (got != without) printf("sick %d, without log pi: %s\n", what, lbp_error(got));
  CHECK(got == without && memcmp(kept, s, t->n * sizeof *s) == 0);
  sick = SICK_NOT;
}

static void test_check(void) {
  static uint64_t ws[LBP_WS_LEN_PAIRS(LONG)];
  const perm_toy path = perm_make(5, PERM_PATH, 2, 0), quadratic = perm_make(5, PERM_QUADRATIC, 2, 0);
  perm_toy t = quadratic;
  uint32_t s[LONG], n;
  judged_chain c;
  order_chain o;
  lbp_rng rng;
  lbp_rng_init(&rng, 5, 1);
  check_found(&quadratic, SICK_NOT, LBP_OK, LBP_OK);
  check_found(&quadratic, SICK_NAN, LBP_E_DELTA_NAN, LBP_E_DELTA_NAN);
  check_found(&quadratic, SICK_MOODY, LBP_E_NOT_REPEATABLE, LBP_E_NOT_REPEATABLE);
  check_found(&quadratic, SICK_SIGN, LBP_E_LOGP, LBP_OK);
  check_found(&quadratic, SICK_FACTOR, LBP_E_LOGP, LBP_OK);
  check_found(&quadratic, SICK_BACK, LBP_E_LOGP, LBP_E_ANTISYMMETRY);
  check_found(&quadratic, SICK_TURNED, LBP_E_ORDER, LBP_E_ORDER);
  check_found(&quadratic, SICK_ROW, LBP_E_ROW, LBP_OK);
  check_found(&quadratic, SICK_ROW_NAN, LBP_E_DELTA_NAN, LBP_OK);
  check_found(&path, SICK_LIST, LBP_E_NEIGHBOUR_MISSING, LBP_OK);
  check_found(&path, SICK_LIST_RANGE, LBP_E_NEIGHBOUR_RANGE, LBP_OK);
  check_found(&quadratic, SICK_LOGP, LBP_E_LOGP, LBP_OK);
  check_found(&quadratic, SICK_LOGP_NAN, LBP_E_LOGP, LBP_OK);
  check_found(&quadratic, SICK_NO_LAW, LBP_E_LOGP, LBP_E_ORDER);
  check_found(&quadratic, SICK_INFINITE, LBP_E_LOGP, LBP_E_ANTISYMMETRY);
  check_found(&quadratic, SICK_U, LBP_E_NOT_REPEATABLE, LBP_OK);
  t.cost[2][1] = t.cost[4][4] = t.cost[1][0] = HUGE_VAL;
  CHECK(judged_init(&c, 5, s, ws, 2) == LBP_E_WORKSPACE);
  for (n = 0; n < 5; n++) s[n] = n;
  CHECK(judged_init(&c, 5, s, ws, LBP_WS_LEN_PAIRS(5)) == LBP_OK);
  CHECK(judged_check(&c, &t, 20, &rng).status == LBP_E_IMPOSSIBLE);
  s[0] = 1, s[1] = 0, sick = SICK_LOGP_NAN;
  CHECK(judged_check(&c, &quadratic, 20, &rng).status == LBP_E_LOGP);
  s[0] = 0, s[1] = 1, sick = SICK_NOT;
  s[4] = 3, s[3] = 4; /* forbidden images are no mistake */
  CHECK(judged_check(&c, &t, 20, &rng).status == LBP_OK);
  s[4] = 0;
  CHECK(judged_check(&c, &t, 20, &rng).status == LBP_E_STATE);
  CHECK(judged_check(NULL, &t, 20, &rng).status == LBP_E_NULL && judged_check(&c, &t, 20, NULL).status == LBP_E_NULL);
  for (n = 1; n <= LONG; n = n * 2 + 1) { /* all lengths are looked at */
    const mallows m = {n, 0.3, 0}, lame = {n, 0.3, 0.01};
    uint32_t k;
    for (k = 0; k < n; k++) s[k] = n - 1 - k;
    CHECK(order_init(&o, n, s, ws, LBP_WS_LEN_PAIRS(n)) == LBP_OK);
    CHECK(order_check(&o, &m, 5, &rng).status == LBP_OK);
    CHECK(order_check(&o, &lame, 5, &rng).status == (n > 1 ? LBP_E_ORDER : LBP_OK));
  }
}

/* ---- wrong calls, and states without a way out ------------------------------------------------------------------- */

static void test_misuse(void) {
  static uint64_t ws[LBP_WS_LEN_PAIRS(6)];
  static const uint8_t most[6] = {1, 1, 0, 1, 1, 1}, all[6] = {1, 1, 1, 1, 1, 1}, some[6] = {0, 1, 0, 2, 0, 0};
  const mallows m = {6, 0.5, 0};
  uint32_t s[6] = {0, 1, 2, 3, 4, 5}, twice[6] = {0, 1, 2, 3, 4, 4}, far[6] = {0, 1, 2, 3, 4, 6}, k;
  const size_t len = LBP_WS_LEN_PAIRS(6);
  order_chain c;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 1);
  CHECK(order_init(NULL, 6, s, ws, len) == LBP_E_NULL && order_init(&c, 6, NULL, ws, len) == LBP_E_NULL);
  CHECK(order_init(&c, 6, s, NULL, len) == LBP_E_NULL && order_init(&c, 0, s, ws, len) == LBP_E_SIZE);
  CHECK(order_init(&c, 0x80000000u, s, ws, SIZE_MAX) == LBP_E_SIZE);
  CHECK(order_init(&c, 6, s, ws, LBP_WS_LEN_PERM(6) - 1) == LBP_E_WORKSPACE);
  CHECK(order_init(&c, 6, twice, ws, len) == LBP_E_STATE && order_init(&c, 6, far, ws, len) == LBP_E_STATE);
  CHECK(LBP_WS_LEN_PAIRS(LBP_MAX_PAIRED + 1) == SIZE_MAX && LBP_WS_LEN_PAIRS(1000) > 1000 * 1000);
  CHECK(order_init(&c, 6, s, ws, LBP_WS_LEN_PERM(6)) == LBP_OK); /* no table */
  CHECK(order_pairs_step(&c, &m, 1, &rng).proposed == 0 && order_row_step(&c, &m, &rng).proposed == 2);
  CHECK(order_init(&c, 6, s, ws, len) == LBP_OK);
  CHECK(order_pairs_step(&c, &m, 0, &rng).proposed == 0 && order_pairs_step(&c, &m, 99, &rng).proposed == 6);
  CHECK(order_temper(NULL, 1) == LBP_E_NULL && order_temper(&c, (double)NAN) == LBP_E_NOT_FINITE);
  CHECK(order_temper(&c, HUGE_VAL) == LBP_E_NOT_FINITE && c.beta == 1);
  CHECK(order_clamp(NULL, NULL) == LBP_E_NULL && order_clamp(&c, all) == LBP_E_CLAMPED);
  CHECK(order_row_step(&c, &m, &rng).proposed == 0 && order_exchange_sweep(&c, &m, &rng).proposed == 0);
  CHECK(order_clamp(&c, most) == LBP_OK && order_exchange_step(&c, &m, &rng).proposed == 0);
  CHECK(order_row_step(&c, &m, &rng).proposed == 0 && order_pairs_step(&c, &m, 1, &rng).proposed == 0);
  CHECK(order_clamp(&c, some) == LBP_OK);
  for (k = 0; k < 200; k++) {
    const uint32_t one = s[1], three = s[3];
    order_row_step(&c, &m, &rng);
    order_exchange_sweep(&c, &m, &rng);
    CHECK(order_pairs_step(&c, &m, 3, &rng).proposed == 4);
    CHECK(s[1] == one && s[3] == three);
  }
  CHECK(order_clamp(&c, NULL) == LBP_OK && c.free == 6);
  s[0] = 0;
  CHECK(order_init(&c, 1, s, ws, len) == LBP_OK); /* a single row */
  CHECK(order_row_step(&c, &m, &rng).proposed == 0 && order_pairs_step(&c, &m, 1, &rng).proposed == 0);
  CHECK(order_exchange_step(&c, &m, &rng).proposed == 0 && order_exchange_sweep(&c, &m, &rng).proposed == 0);
  CHECK(s[0] == 0);
}

/* Out of an impossible state; and where nothing is possible. */
/* Possible: row 0 has image 0 or row 1 has 1, and not both. Where both do, any exchange of one of them with another row
 * leads out, and two of these together do not. */
static double lone_logp(const void *m, const uint32_t *s) {
  return (void)m, (s[0] == 0) + (s[1] == 1) == 1 ? 0.3 * s[3] : -HUGE_VAL;
}
static double lone_exchange(const void *m, const uint32_t *s, uint32_t a, uint32_t b) {
  const double here = lone_logp(m, s);
  uint32_t y[4];
  double there;
  memcpy(y, s, sizeof y);
  y[a] = s[b];
  y[b] = s[a];
  there = lone_logp(m, y);
  if (!lbp_is_finite(there)) return -HUGE_VAL;
  return lbp_is_finite(here) ? there - here : HUGE_VAL;
}
#define LBP_NAME     lone
#define LBP_EXCHANGE lone_exchange
#define LBP_LOGP     lone_logp
#include "../lbp_perm.h"

static void test_leaving(void) {
  static uint64_t ws[LBP_WS_LEN_PAIRS(4)];
  uint32_t s[4] = {0, 1, 2, 3};
  lone_info info;
  lone_chain c;
  lbp_rng rng;
  lbp_rng_init(&rng, 2, 3);
  CHECK(lone_init(&c, 4, s, ws, LBP_WS_LEN_PAIRS(4)) == LBP_OK);
  info = lone_pairs_step(&c, NULL, 2, &rng);
  CHECK(info.accept == 1 && info.accepted && info.proposed == 2 && info.jump == 2 && info.log_ratio > 1e300);
  CHECK(info.rows[0] != info.rows[1] && s[info.rows[0]] != info.rows[0] && s[info.rows[1]] != info.rows[1]);
  CHECK(lbp_is_finite(lone_logp(NULL, s)) && (s[0] == 0) + (s[1] == 1) + (s[2] == 2) + (s[3] == 3) == 2);
}

static void test_impossible(void) {
  static uint64_t ws[LBP_WS_LEN_PAIRS(4)];
  perm_toy t = perm_make(4, PERM_LINEAR, 1, 0);
  uint32_t s[4], kind, k, b;
  lbp_rng rng;
  lbp_rng_init(&rng, 2, 1);
  t.cost[0][0] = HUGE_VAL;
  for (kind = 0; kind < 4; kind++) {
    plain_chain c;
    uint32_t away = 0;
    for (k = 0; k < 4; k++) s[k] = k;
    CHECK(plain_init(&c, 4, s, ws, LBP_WS_LEN_PAIRS(4)) == LBP_OK);
    for (k = 0; k < 100; k++) {
      const plain_info info = kind == 0   ? plain_row_step(&c, &t, &rng)
                              : kind == 1 ? plain_pairs_step(&c, &t, 1, &rng)
                              : kind == 2 ? plain_pairs_step(&c, &t, 2, &rng)
                                          : plain_exchange_step(&c, &t, &rng);
      if (away) CHECK(s[0] != 0); /* never back */
      away |= s[0] != 0;
      CHECK(info.jump == 0 || away);
    }
    CHECK(away || kind == 2); /* two exchanges lead through other impossible states */
  }
  for (k = 0; k < 4; k++) {
    for (b = 0; b < 4; b++) t.cost[k][b] = k == b ? 0 : HUGE_VAL; /* one state alone */
  }
  for (kind = 0; kind < 4; kind++) {
    full_chain c;
    for (k = 0; k < 4; k++) s[k] = k;
    CHECK(full_init(&c, 4, s, ws, LBP_WS_LEN_PAIRS(4)) == LBP_OK);
    for (k = 0; k < 20; k++) {
      const full_info info = kind == 0   ? full_row_step(&c, &t, &rng)
                             : kind == 1 ? full_pairs_step(&c, &t, 1 + k % 2, &rng)
                             : kind == 2 ? full_exchange_sweep(&c, &t, &rng)
                                         : full_exchange_step(&c, &t, &rng);
      CHECK(info.accept == 0 && info.jump == 0 && (kind > 1 || info.proposed == 0));
    }
    CHECK(perm_encode(4, s) == 0);
  }
}

/* Sets of states and their tools: all permutations are shuffled to equally often. */
static void test_states(void) {
  uint32_t seen[PERM_STATES] = {0}, s[PERM_MOST], x, k;
  const uint32_t trials = QUICK ? 2400 : 120000;
  double law[PERM_STATES];
  uint8_t room[PERM_MOST];
  lbp_rng rng;
  lbp_rng_init(&rng, 9, 9);
  for (x = 0; x < PERM_STATES; x++) {
    law[x] = 1.0 / PERM_STATES;
    perm_decode(5, x, s);
    CHECK(perm_encode(5, s) == x && lbp_is_permutation(s, 5, room));
    s[x % 5] = s[(x + 1) % 5];
    CHECK(!lbp_is_permutation(s, 5, room));
  }
  perm_decode(5, 3, s);
  for (k = 0; k < trials; k++) {
    lbp_shuffle(s, 5, &rng);
    seen[perm_encode(5, s)]++;
  }
  CHECK(chi2_counts(seen, law, PERM_STATES, trials) > CHI2_LEVEL);
}

int main(void) {
  uint32_t n;
  test_states();
  test_paths();
  test_partial_paths();
  test_fold();
  test_draws();
  for (n = 1; n <= LONG; n = n < 7 ? n + 1 : n < 20 ? 20 : n < 63 ? 63 : n < 66 ? n + 1 : n < 128 ? 128 : LONG + n) {
    check_kept(n, 0);
    check_kept(n, 1e-6);
    if (n > 20 && n != 64) check_long(n, n % 2);
  }
  check_lists();
  test_links();
  test_spare();
  test_tuner();
  test_parity();
  test_parity_clamped();
  test_sweep();
  test_check();
  test_misuse();
  test_impossible();
  test_leaving();
  return test_report();
}
