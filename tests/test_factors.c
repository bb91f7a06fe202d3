/* test_factors.c - lbp/models/factors.h: random factor graphs of tables over 0 to 5 sites with zeros, and their own
 * numbers of values, against sums over all states written down plainly: log pi, elimination of all sites and of some,
 * how these are put back, log-ratios with rows that are copied and strided, soft zeros; draws of sweeps, and of the
 * same graph by terms; readers and writers on good and bad text. About 30 chi-squared tests with fixed seeds, at level
 * 1e-8 each. */
#include "models.h"
#include "chi2.h"

/* How many numbers of rows may be copies: tests set it. */
static size_t copies = 1u << 18;
#define LBP_FACTORS_COPIES copies
#include "../lbp/models/factors.h"

#define LBP_NAME           many
#define LBP_MODEL_T        lbp_factors
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     4
#define LBP_CAT_STATES_OF  lbp_factors_values
#define LBP_CAT_DELTAS_OF(m, x, i, out) lbp_factors_deltas_of(m, x, i, LBP_CAT_STATES, out)
#define LBP_NEIGHBOURS     lbp_factors_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FACTORS_NEIGHBOURS
#define LBP_LOGP           lbp_factors_logp
#include "../lbp.h"

#define LBP_NAME           two
#define LBP_MODEL_T        lbp_factors
#define LBP_REAL           lbp_real
#define LBP_DELTA          lbp_factors_delta
#define LBP_NEIGHBOURS     lbp_factors_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FACTORS_NEIGHBOURS
#define LBP_LOGP           lbp_factors_logp
#include "../lbp.h"

enum { SITES = 7, ARITY = 5, TABLES = 12, MOST = 4 }; /* values of a site, at most; all states are at most 4^7 */

/* ---- the same graph, written down plainly ------------------------------------------------------------------------ */

typedef struct {
  uint32_t n, values[SITES], tables, arity[TABLES], site[TABLES][ARITY];
  double weight[TABLES][1024]; /* the last site fastest */
  int32_t observed[SITES];
  uint32_t states;
} plain;

static void plain_state(const plain *p, uint32_t number, uint8_t *x) {
  uint32_t i;
  for (i = 0; i < p->n; i++) x[i] = (uint8_t)(number % p->values[i]), number /= p->values[i];
}

static double plain_weight(const plain *p, const uint8_t *x) {
  double product = 1;
  uint32_t t, a, i;
  for (i = 0; i < p->n; i++) product *= p->observed[i] < 0 || p->observed[i] == x[i];
  for (t = 0; t < p->tables; t++) {
    uint32_t at = 0;
    for (a = 0; a < p->arity[t]; a++) at = at * p->values[p->site[t][a]] + x[p->site[t][a]];
    product *= p->weight[t][at];
  }
  return product;
}

/* A graph in which some state is possible; of some tables the sites are those of the table before, in another order. */
static void make(plain *p, lbp_factor_graph *g, uint32_t n, uint32_t most, double zeros, lbp_rng *rng) {
  uint8_t x[SITES];
  uint32_t t, a, b, k;
  double total;
  do {
    memset(p, 0, sizeof *p);
    p->n = n;
    p->states = 1;
    for (k = 0; k < n; k++) {
      p->values[k] = most == 2 ? 2 : 1 + below(most, rng);
      p->states *= p->values[k];
      p->observed[k] = -1;
    }
    p->tables = 1 + below(TABLES - 1, rng);
    for (t = 0; t < p->tables; t++) {
      uint32_t cells = 1;
      p->arity[t] = below((n < ARITY ? n : ARITY) + 1, rng);
      if (t > 0 && below(4, rng) == 0) {
        p->arity[t] = p->arity[t - 1];
        for (a = 0; a < p->arity[t]; a++) p->site[t][a] = p->site[t - 1][(a + 1) % p->arity[t]];
      } else {
        for (a = 0; a < p->arity[t]; a++) {
          do {
            p->site[t][a] = below(n, rng);
            for (b = 0; b < a && p->site[t][b] != p->site[t][a]; b++) continue;
          } while (b < a);
        }
      }
      for (a = 0; a < p->arity[t]; a++) cells *= p->values[p->site[t][a]];
      for (k = 0; k < cells; k++) p->weight[t][k] = uniform(rng) < zeros && cells > 1 ? 0 : exp(2 * uniform(rng) - 1);
    }
    for (total = 0, k = 0; k < p->states; k++) {
      plain_state(p, k, x);
      total += plain_weight(p, x);
    }
  } while (!(total > 0));
  CHECK(lbp_factor_graph_init(g, n, p->values) == LBP_OK);
  for (t = 0; t < p->tables; t++) {
    double other[1024];
    uint32_t sites[ARITY], cells = 1;
    int flags = (int)below(4, rng);
    for (a = 0; a < p->arity[t]; a++) {
      cells *= p->values[p->site[t][a]];
      sites[flags & LBP_TABLE_FIRST_FASTEST ? p->arity[t] - 1 - a : a] = p->site[t][a];
    }
    for (k = 0; k < cells; k++) {
      other[k] = !(flags & LBP_TABLE_LOG) ? p->weight[t][k] : p->weight[t][k] > 0 ? log(p->weight[t][k]) : -infinity;
    }
    CHECK(lbp_factor_graph_add(g, p->arity[t], sites, other, flags) != LBP_E_NULL);
  }
}

/* Observes a site or two as they are in a possible state. */
static void observe(plain *p, lbp_factor_graph *g, lbp_rng *rng) {
  uint8_t x[SITES];
  uint32_t k, i;
  do plain_state(p, below(p->states, rng), x);
  while (!(plain_weight(p, x) > 0));
  for (k = 0; k < 2; k++) {
    i = below(p->n, rng);
    p->observed[i] = x[i];
    CHECK(lbp_factor_graph_observe(g, i, x[i]) == LBP_OK);
  }
}

/* ---- elimination ------------------------------------------------------------------------------------------------- */

/* log Z, marginals [n][MOST], and the log of the largest weight. */
static void enumerate(const plain *p, double *log_z, double *marginal, double *best) {
  double z = 0;
  uint8_t x[SITES];
  uint32_t s, i;
  *best = 0;
  for (i = 0; i < p->n * MOST; i++) marginal[i] = 0;
  for (s = 0; s < p->states; s++) {
    double w;
    plain_state(p, s, x);
    w = plain_weight(p, x);
    z += w;
    *best = w > *best ? w : *best;
    for (i = 0; i < p->n; i++) marginal[i * MOST + x[i]] += w;
  }
  for (i = 0; i < p->n * MOST; i++) marginal[i] /= z;
  *log_z = log(z);
  *best = log(*best);
}

/* With nothing left over, and with small tables only: the core's law, and what is put back, average to the graph's. */
static void check_elimination(const plain *p, const lbp_factor_graph *g, uint64_t each, int flags) {
  double log_z, want[SITES * MOST], best, got[SITES * MOST] = {0}, one[SITES * MOST], found = -infinity, sum = 0;
  double room[8192];
  uint8_t core[SITES] = {0}, x[SITES];
  uint32_t s, i, v, states = 1, wrong = 0;
  lbp_elimination e;
  int status = lbp_eliminate(&e, g, each, UINT64_MAX, flags);
  CHECK(status == LBP_OK);
  if (status != LBP_OK) return;
  enumerate(p, &log_z, want, &best);
  CHECK(!(flags & LBP_ELIMINATE_ALL) || e.core.n == 0);
  CHECK(lbp_elimination_room(&e) <= sizeof room / sizeof *room);
  for (i = 0; i < e.core.n; i++) states *= e.core.values[i];
  for (s = 0; s < states; s++) {
    double w, core_logp;
    uint32_t rest = s;
    for (i = 0; i < e.core.n; i++) core[i] = (uint8_t)(rest % e.core.values[i]), rest /= e.core.values[i];
    core_logp = e.core.n > 0 ? lbp_factor_graph_logp(&e.core, core) : 0;
    if (core_logp < -1e300) continue;
    w = exp(core_logp + e.log_constant);
    sum += w;
    if (flags & LBP_ELIMINATE_MAXIMUM) {
      lbp_elimination_complete(&e, core, NULL, x);
      wrong += !(fabs(log(plain_weight(p, x)) - log(w)) < 1e-9); /* the best completion has the core's weight */
      found = log(w) > found ? log(w) : found;
      continue;
    }
    CHECK(lbp_elimination_marginals(&e, core, room, one) == LBP_OK);
    for (i = 0; i < p->n; i++) {
      for (v = 0; v < p->values[i]; v++) got[i * MOST + v] += w * one[i * e.states + v];
    }
  }
  CHECK(wrong == 0);
  if (flags & LBP_ELIMINATE_MAXIMUM) {
    CHECK_NEAR(found, best, 1e-9);
    CHECK(lbp_elimination_marginals(&e, core, room, one) == LBP_E_RANGE);
  } else {
    CHECK_NEAR(log(sum), log_z, 1e-9);
    for (i = 0; i < p->n * MOST; i++) wrong += !(fabs(got[i] / sum - want[i]) < 1e-9);
    CHECK(wrong == 0);
  }
  lbp_elimination_free(&e);
}

static void test_elimination(void) {
  plain p;
  lbp_factor_graph g;
  lbp_rng rng;
  uint8_t x[SITES];
  uint32_t trial, s, wrong = 0;
  lbp_rng_init(&rng, 1, 0);
  for (trial = 0; trial < 200; trial++) {
    make(&p, &g, 1 + trial % SITES, trial % 3 ? MOST : 2, trial % 2 ? 0.3 : 0, &rng);
    if (trial % 4 == 3) observe(&p, &g, &rng);
    for (s = 0; s < p.states; s++) {
      double w;
      plain_state(&p, s, x);
      w = plain_weight(&p, x);
      wrong += w > 0 ? !(fabs(lbp_factor_graph_logp(&g, x) - log(w)) < 1e-12) : !(lbp_factor_graph_logp(&g, x) < -1e300);
    }
    check_elimination(&p, &g, 1 << 14, LBP_ELIMINATE_ALL);
    check_elimination(&p, &g, 1 << 14, LBP_ELIMINATE_ALL | LBP_ELIMINATE_MAXIMUM);
    check_elimination(&p, &g, 4 + trial % 40, 0);
    check_elimination(&p, &g, 4 + trial % 40, LBP_ELIMINATE_MAXIMUM);
    check_elimination(&p, &g, 0, 0);
    lbp_factor_graph_free(&g);
  }
  CHECK(wrong == 0);
}

/* States that are drawn backwards have the graph's law, where all is eliminated. */
static void test_completion(void) {
  enum { TRIALS = 40000 };
  static uint32_t seen[16384];
  static double law[16384];
  plain p;
  lbp_factor_graph g;
  lbp_elimination e;
  lbp_rng rng;
  uint8_t x[SITES];
  uint32_t trial, k, s, i;
  double z;
  lbp_rng_init(&rng, 2, 0);
  for (trial = 0; trial < 6; trial++) {
    make(&p, &g, 5, MOST, 0.3, &rng);
    if (trial % 2) observe(&p, &g, &rng);
    for (z = 0, s = 0; s < p.states; s++) {
      plain_state(&p, s, x);
      seen[s] = 0;
      z += law[s] = plain_weight(&p, x);
    }
    for (s = 0; s < p.states; s++) law[s] /= z;
    CHECK(lbp_eliminate(&e, &g, 1 << 14, 1 << 20, LBP_ELIMINATE_ALL) == LBP_OK);
    for (k = 0; k < TRIALS; k++) {
      lbp_elimination_complete(&e, NULL, &rng, x);
      for (s = 0, i = p.n; i-- > 0;) s = s * p.values[i] + x[i];
      seen[s]++;
    }
    CHECK(chi2_counts(seen, law, p.states, TRIALS) > CHI2_LEVEL);
    lbp_elimination_free(&e);
    lbp_factor_graph_free(&g);
  }
}

/* Limits, contradictions, wrong calls. */
static void test_elimination_refusals(void) {
  enum { SIDE = 10 };
  static const double same[4] = {1, 0, 0, 1}, other[4] = {0, 1, 1, 0}, table[4] = {2, 1, 1, 2};
  uint32_t values[SIDE * SIDE], i;
  lbp_factor_graph g;
  lbp_elimination e;
  lbp_factors m;
  for (i = 0; i < SIDE * SIDE; i++) values[i] = 2;
  CHECK(lbp_factor_graph_init(&g, SIDE * SIDE, values) == LBP_OK);
  for (i = 0; i < SIDE * SIDE; i++) { /* a grid */
    const uint32_t right[2] = {i, i + 1}, down[2] = {i, i + SIDE};
    if (i % SIDE + 1 < SIDE) CHECK(lbp_factor_graph_add(&g, 2, right, table, 0) == LBP_OK);
    if (i + SIDE < SIDE * SIDE) CHECK(lbp_factor_graph_add(&g, 2, down, table, 0) == LBP_OK);
  }
  CHECK_REFUSED(e, lbp_eliminate(&e, &g, 1 << 8, 1 << 20, LBP_ELIMINATE_ALL), LBP_E_SIZE);
  CHECK_REFUSED(e, lbp_eliminate(&e, &g, 1 << 20, 1 << 8, LBP_ELIMINATE_ALL), LBP_E_SIZE);
  CHECK(lbp_eliminate(&e, &g, 1 << 16, 1 << 21, LBP_ELIMINATE_ALL) == LBP_OK && e.core.n == 0);
  CHECK(e.largest <= 1 << 16 && e.cell_at[e.eliminated] <= 1 << 21);
  lbp_elimination_free(&e);
  CHECK(lbp_eliminate(&e, &g, 64, 1 << 20, 0) == LBP_OK && e.largest <= 64 && e.core.n > 0);
  CHECK(e.core.n + e.eliminated == g.n);
  for (i = 0; i < e.core.n; i++) CHECK(e.core_of[e.core_site[i]] == i);
  lbp_elimination_free(&e);
  CHECK(lbp_eliminate(NULL, &g, 1, 1, 0) == LBP_E_NULL);
  CHECK_REFUSED(e, lbp_eliminate(&e, NULL, 1, 1, 0), LBP_E_NULL);
  CHECK_REFUSED(e, lbp_eliminate(&e, &g, 1, 1, 4), LBP_E_RANGE);
  lbp_factor_graph_free(&g);
  CHECK(lbp_factor_graph_init(&g, 2, values) == LBP_OK); /* no state is possible */
  values[0] = 0, values[1] = 1;
  CHECK(lbp_factor_graph_add(&g, 2, values, same, 0) == LBP_OK && lbp_factor_graph_add(&g, 2, values, other, 0) == LBP_OK);
  CHECK_REFUSED(e, lbp_eliminate(&e, &g, 64, 64, LBP_ELIMINATE_ALL), LBP_E_IMPOSSIBLE);
  CHECK_REFUSED(e, lbp_eliminate(&e, &g, 64, 64, LBP_ELIMINATE_MAXIMUM), LBP_E_IMPOSSIBLE);
  CHECK(lbp_factor_graph_observe(&g, 0, 1) == LBP_OK);
  CHECK(lbp_eliminate(&e, &g, 0, 0, 0) == LBP_OK && e.core.n == 1 && e.core.tables == 2); /* that is not known yet */
  CHECK_REFUSED(m, lbp_factors_init(&m, &e.core, 2, 0), LBP_E_IMPOSSIBLE);
  lbp_elimination_free(&e);
  lbp_factor_graph_free(&g);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* log pi, log-ratios, conditionals and neighbours in all states. states: rows are padded to so many. */
static void check_model(const plain *p, const lbp_factors *m, uint32_t states, double tolerance) {
  uint32_t s, i, v, k, list[SITES], wrong = 0, ratios = 0, conditionals = 0;
  uint8_t x[SITES];
  for (s = 0; s < p->states; s++) {
    double here, logp;
    plain_state(p, s, x);
    here = plain_weight(p, x);
    logp = lbp_factors_logp(m, x) + m->log_constant;
    wrong += here > 0 ? !(fabs(logp - log(here)) < tolerance) : !(logp < -1e300);
    for (i = 0; i < p->n; i++) {
      lbp_real out[MOST];
      double p_v[MOST], sum = 0, weight[MOST];
      const uint8_t own = x[i];
      if (states == 2) out[1 - own] = lbp_factors_delta(m, x, i), out[own] = 0;
      else lbp_factors_deltas_of(m, x, i, MOST, out);
      lbp_factors_conditional(m, x, i, p_v);
      for (v = 0; v < p->values[i]; v++) {
        x[i] = (uint8_t)v;
        weight[v] = plain_weight(p, x);
        sum += weight[v];
      }
      x[i] = own;
      for (v = 0; v < p->values[i]; v++) {
        const double d = (double)out[v];
        ratios += d != d;
        if (v == own) ratios += d != 0;
        else if (!(weight[own] > 0)) ratios += weight[v] > 0 && !(d > 1e300); /* it may be impossible for another table */
        else ratios += weight[v] > 0 ? !(fabs(d - log(weight[v] / weight[own])) < tolerance) : !(d < -1e30);
        if (sum > 0) conditionals += !(fabs(p_v[v] - weight[v] / sum) < tolerance);
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(ratios == 0);
  CHECK(conditionals == 0);
  for (i = 0; i < p->n; i++) { /* neighbours are those of the tables, each once, in order */
    const uint32_t count = lbp_factors_neighbours(m, i, list);
    uint32_t want = 0;
    for (k = 0; k < p->n; k++) {
      uint32_t t, a, b, together = 0;
      for (t = 0; t < p->tables; t++) {
        for (a = 0; a < p->arity[t]; a++) {
          for (b = 0; b < p->arity[t]; b++) together += a != b && p->site[t][a] == i && p->site[t][b] == k;
        }
      }
      if (together == 0) continue;
      CHECK(want < count && list[want] == k);
      want++;
    }
    CHECK(want == count && m->max_degree >= count);
  }
}

static void test_model(void) {
  plain p;
  lbp_factor_graph g;
  lbp_factors m;
  lbp_rng rng;
  uint32_t trial, strided = 0, round;
  lbp_rng_init(&rng, 3, 0);
  for (trial = 0; trial < 120; trial++) {
    const uint32_t most = trial % 3 ? MOST : 2;
    make(&p, &g, 1 + trial % SITES, most, trial % 2 ? 0.3 : 0, &rng);
    for (round = 0; round < 3; round++) { /* strided, either, copied */
      copies = round == 0 ? 0 : round == 1 ? 100 : 1u << 18;
      CHECK(lbp_factors_init(&m, &g, most, 0) == LBP_OK && (m.strided || m.rows <= copies));
      check_model(&p, &m, most, IS_FLOAT ? 2e-5 : 1e-12);
      strided += (uint32_t)m.strided;
      CHECK(!(m.strided && round == 2));
      lbp_factors_free(&m);
    }
    copies = 1u << 18;
    lbp_factor_graph_free(&g);
  }
  CHECK(strided > 50);
}

/* A hub of many tables, whose logarithms a float cannot add up: log-ratios are as exact as m.rounding says. */
static void test_wide(void) {
  enum { LEAVES = 3000, STATES_AT_ONCE = 20 };
  static uint32_t values[LEAVES + 1];
  static double logs[LEAVES][4];
  static uint8_t x[LEAVES + 1];
  lbp_factor_graph g;
  lbp_factors m;
  lbp_rng rng;
  uint32_t i, k, t;
  lbp_rng_init(&rng, 8, 0);
  for (i = 0; i <= LEAVES; i++) values[i] = 2;
  CHECK(lbp_factor_graph_init(&g, LEAVES + 1, values) == LBP_OK);
  for (i = 0; i < LEAVES; i++) {
    const uint32_t both[2] = {0, i + 1};
    for (k = 0; k < 4; k++) logs[i][k] = (double)(float)(-8 * uniform(&rng));
    CHECK(lbp_factor_graph_add(&g, 2, both, logs[i], LBP_TABLE_LOG) == LBP_OK);
  }
  for (t = 0; t < 2; t++) { /* strided, copied */
    double most = 0;
    copies = t == 0 ? 0 : 1u << 18;
    CHECK(lbp_factors_init(&m, &g, 2, 0) == LBP_OK && m.strided == (t == 0));
    CHECK(m.wide == IS_FLOAT && m.rounding > 0 && m.rounding < 1e-3);
    for (k = 0; k < STATES_AT_ONCE; k++) {
      double want = 0, p[2];
      for (i = 0; i <= LEAVES; i++) x[i] = uniform(&rng) < 0.5;
      for (i = 0; i < LEAVES; i++) want += logs[i][2 * !x[0] + x[i + 1]] - logs[i][2 * x[0] + x[i + 1]];
      most = fmax(most, fabs((double)lbp_factors_delta(&m, x, 0) - want) / fmax(1, fabs(want)));
      lbp_factors_conditional(&m, x, 0, p);
      most = fmax(most, fabs(p[!x[0]] - 1 / (1 + exp(-want))));
    }
    CHECK(most <= m.rounding && most < 1e-4);
    lbp_factors_free(&m);
  }
  copies = 1u << 18;
  lbp_factor_graph_free(&g);
}

/* Logarithms so large that rounding decides, or that sums of them are infinite, are refused. */
static void test_large(void) {
  static const uint32_t values[2] = {2, 2}, both[2] = {0, 1}, second[1] = {1};
  static const double far[4] = {0, -1e8, 0, -1e8 - 3}, level[2] = {-1e8, 0}, endless[2] = {0, -1e39}, huge[2] = {1e308, 0};
  static const double close[4] = {0, -700, -1, -0.5};
  lbp_factor_graph g;
  lbp_factors m;
  CHECK(lbp_factor_graph_init(&g, 2, values) == LBP_OK);
  CHECK(lbp_factor_graph_add(&g, 1, second, huge, LBP_TABLE_LOG) == LBP_E_RANGE && g.tables == 0);
  CHECK(lbp_factor_graph_add(&g, 2, both, close, LBP_TABLE_LOG) == LBP_OK);
  CHECK(lbp_factors_init(&m, &g, 2, 0) == LBP_OK && m.rounding < 2e-4 && !m.wide);
  lbp_factors_free(&m);
  CHECK(lbp_factor_graph_add(&g, 2, both, far, LBP_TABLE_LOG) == LBP_OK);
  CHECK(lbp_factor_graph_add(&g, 1, second, level, LBP_TABLE_LOG) == LBP_OK);
  CHECK(lbp_factors_init(&m, &g, 2, 0) == (IS_FLOAT ? LBP_E_PRECISION : LBP_OK));
  lbp_factors_free(&m);
  lbp_factor_graph_free(&g);
  CHECK(lbp_factor_graph_init(&g, 2, values) == LBP_OK);
  CHECK(lbp_factor_graph_add(&g, 1, second, endless, LBP_TABLE_LOG) == LBP_OK);
  CHECK_REFUSED(m, lbp_factors_init(&m, &g, 2, 0), LBP_E_PRECISION);
  lbp_factor_graph_free(&g);
}

/* Soft zeros: a state's log pi is less by C for each table with a zero, and all else is as it was. */
static void test_soft(void) {
  static const uint32_t values[3] = {2, 3, 2}, a[2] = {0, 1}, b[2] = {2, 1}, c[1] = {2};
  static const double first[6] = {0, 1, 4, 2, 0, 2}, second[6] = {1, 0, 3, 6, 0, 2}, third[2] = {5, 0};
  lbp_factor_graph g;
  lbp_factors m, hard;
  uint8_t x[3];
  uint32_t s;
  CHECK(lbp_factor_graph_init(&g, 3, values) == LBP_OK);
  CHECK(lbp_factor_graph_add(&g, 2, a, first, 0) == LBP_OK && lbp_factor_graph_add(&g, 2, b, second, 0) == LBP_OK);
  CHECK(lbp_factor_graph_add(&g, 1, c, third, 0) == LBP_OK);
  CHECK(lbp_factors_init(&m, &g, 3, 8) == LBP_OK && !m.hard && lbp_factors_init(&hard, &g, 3, 0) == LBP_OK && hard.hard);
  CHECK_NEAR(m.log_constant, log(4.0 * 6 * 5), 1e-12);
  for (s = 0; s < 12; s++) {
    double w[3], want = 0;
    uint32_t k;
    x[0] = (uint8_t)(s % 2), x[1] = (uint8_t)(s / 2 % 3), x[2] = (uint8_t)(s / 6);
    w[0] = first[x[0] * 3 + x[1]] / 4, w[1] = second[x[2] * 3 + x[1]] / 6, w[2] = third[x[2]] / 5;
    for (k = 0; k < 3; k++) want += w[k] > 0 ? log(w[k]) : -8;
    CHECK_NEAR(lbp_factors_logp(&m, x), want, 1e-5);
    CHECK((lbp_factors_logp(&hard, x) > -1e300) == (w[0] * w[1] * w[2] > 0));
  }
  lbp_factors_free(&m);
  lbp_factors_free(&hard);
  lbp_factor_graph_free(&g);
}

/* A Potts grid's tables are alike, and so are their rows. */
static void test_sharing(void) {
  enum { SIDE = 10, N = SIDE * SIDE };
  static const double table[16] = {3, 1, 1, 1, 1, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1, 3};
  uint32_t values[N], i;
  lbp_factor_graph g;
  lbp_factors m;
  for (i = 0; i < N; i++) values[i] = 4;
  CHECK(lbp_factor_graph_init(&g, N, values) == LBP_OK);
  for (i = 0; i < N; i++) {
    const uint32_t right[2] = {i, i / SIDE * SIDE + (i + 1) % SIDE}, down[2] = {i, (i + SIDE) % N};
    CHECK(lbp_factor_graph_add(&g, 2, right, table, 0) == LBP_OK && lbp_factor_graph_add(&g, 2, down, table, 0) == LBP_OK);
  }
  CHECK(lbp_factors_init(&m, &g, 4, 0) == LBP_OK && m.rows == 16 && m.max_degree == 4 && !m.strided);
  lbp_factors_free(&m);
  lbp_factor_graph_free(&g);
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* Sweeps keep the law, from draws of it: of soft graphs, whose single sites always move. */
#define CHECK_LAW(NAME, most)                                                                \
  do {                                                                                       \
    enum { TRIALS = 4000 };                                                                  \
    static uint64_t ws[LBP_WS_LEN(SITES) + 4096];                                            \
    static uint8_t x[SITES];                                                                 \
    NAME##_chain c;                                                                          \
    memset(&c, 0, sizeof c);                                                                 \
    CHECK(lbp_factors_init(&m, &g, most, 3) == LBP_OK);                                      \
    for (z = 0, s = 0; s < p.states; s++) {                                                  \
      plain_state(&p, s, x);                                                                 \
      seen[s] = 0;                                                                           \
      z += law[s] = exp(lbp_factors_logp(&m, x));                                            \
    }                                                                                        \
    for (s = 0; s < p.states; s++) law[s] /= z;                                              \
    plain_state(&p, 0, x);                                                                   \
    CHECK(NAME##_init(&c, p.n, x, ws, sizeof ws / sizeof *ws) == LBP_OK);                    \
    CHECK(NAME##_check(&c, &m, 50, &rng).status == LBP_OK);                                  \
    for (k = 0; k < 20 * TRIALS; k++) {                                                      \
      NAME##_gibbs_sweep(&c, &m, &rng);                                                      \
      if (k % 20 > 0) continue;                                                              \
      for (s = 0, i = p.n; i-- > 0;) s = s * p.values[i] + x[i];                             \
      seen[s]++;                                                                             \
    }                                                                                        \
    CHECK(chi2_counts(seen, law, p.states, TRIALS) > CHI2_LEVEL);                            \
    lbp_factors_free(&m);                                                                    \
  } while (0)

static void test_law(void) {
  static uint32_t seen[16384];
  static double law[16384];
  plain p;
  lbp_factor_graph g;
  lbp_factors m;
  lbp_rng rng;
  uint32_t trial, k, s, i;
  double z;
  lbp_rng_init(&rng, 4, 0);
  for (trial = 0; trial < 6; trial++) {
    copies = trial % 2 ? 0 : 1u << 18;
    make(&p, &g, 4, MOST, 0.2, &rng);
    CHECK_LAW(many, MOST);
    lbp_factor_graph_free(&g);
    make(&p, &g, 5, 2, 0.2, &rng);
    CHECK_LAW(two, 2);
    lbp_factor_graph_free(&g);
  }
  copies = 1u << 18;
}

/* ---- the same by terms ------------------------------------------------------------------------------------------- */

LBP_FN uint32_t term_sites(const plain *p, uint32_t t, uint32_t *out) {
  uint32_t a;
  for (a = 0; a < p->arity[t]; a++) out[a] = p->site[t][a];
  return p->arity[t];
}
LBP_FN double term_value(const plain *p, uint32_t t, const uint8_t *v) {
  uint32_t a, at = 0;
  for (a = 0; a < p->arity[t]; a++) at = at * p->values[p->site[t][a]] + v[a];
  return p->weight[t][at] > 0 ? log(p->weight[t][at]) : -infinity;
}
LBP_FN uint32_t term_values(const plain *p, uint32_t i) { return p->values[i]; }

#define LBP_NAME          terms
#define LBP_MODEL_T       plain
#define LBP_REAL          double
#define LBP_CAT_STATES    4
#define LBP_CAT_STATES_OF term_values
#define LBP_TERM_COUNT(m) (m)->tables
#define LBP_TERM_SITES    term_sites
#define LBP_TERM          term_value
#define LBP_TERM_MAX      ARITY
#define LBP_TERMS_OF_MAX  TABLES
#include "../lbp.h"

/* Log-ratios in all possible states. */
static void test_terms(void) {
  static uint32_t words[LBP_TERMS_LEN(SITES, ARITY, TABLES)];
  static uint64_t ws[8192];
  plain p;
  lbp_factor_graph g;
  lbp_factors m;
  terms_terms index;
  terms_chain c;
  lbp_rng rng;
  uint8_t x[SITES];
  uint32_t trial, s, i, v, wrong = 0, looked = 0;
  memset(&c, 0, sizeof c);
  lbp_rng_init(&rng, 5, 0);
  for (trial = 0; trial < 40; trial++) {
    make(&p, &g, 1 + trial % SITES, MOST, trial % 2 ? 0.3 : 0, &rng);
    CHECK(lbp_factors_init(&m, &g, MOST, 0) == LBP_OK);
    plain_state(&p, 0, x);
    CHECK(terms_terms_init(&index, &p, p.n, words, sizeof words / sizeof *words) == LBP_OK);
    CHECK(terms_init(&c, p.n, x, &index, ws, sizeof ws / sizeof *ws) == LBP_OK);
    for (s = 0; s < p.states; s++) {
      plain_state(&p, s, x);
      if (!(plain_weight(&p, x) > 0)) continue;
      for (i = 0; i < p.n; i++) {
        double d[MOST];
        lbp_real out[MOST];
        terms_priv_row(&c, &p, i, d);
        lbp_factors_deltas_of(&m, x, i, MOST, out);
        for (v = 0; v < p.values[i]; v++, looked++) {
          if (d[v] < -1e300) wrong += !((double)out[v] < -1e30);
          else wrong += !(fabs(d[v] - (double)out[v]) < (IS_FLOAT ? 2e-5 : 1e-12));
        }
      }
    }
    lbp_factors_free(&m);
    lbp_factor_graph_free(&g);
  }
  CHECK(wrong == 0 && looked > 10000);
}

/* ---- calls that are refused -------------------------------------------------------------------------------------- */

static void test_refusals(void) {
  static const uint32_t values[3] = {2, 3, 1}, none[1] = {0}, large[1] = {257}, both[2] = {0, 1}, twice[2] = {1, 1};
  static const uint32_t beyond[2] = {0, 3}, nine[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  double table[6] = {1, 2, 3, 4, 5, 6};
  lbp_factor_graph g;
  lbp_factors m;
  lbp_factors_fault fault;
  memset(&g, 0, sizeof g); /* as after a failure */
  CHECK(lbp_factor_graph_add(&g, 0, NULL, table, 0) == LBP_E_NULL);
  CHECK(lbp_factor_graph_parse_evidence(&g, "1 0 1", 5, -1, &fault) == LBP_E_NULL);
  CHECK(lbp_factor_graph_init(NULL, 3, values) == LBP_E_NULL);
  CHECK_REFUSED(g, lbp_factor_graph_init(&g, 3, NULL), LBP_E_NULL);
  CHECK_REFUSED(g, lbp_factor_graph_init(&g, 0, values), LBP_E_SIZE);
  CHECK_REFUSED(g, lbp_factor_graph_init(&g, 1, none), LBP_E_RANGE);
  CHECK_REFUSED(g, lbp_factor_graph_init(&g, 1, large), LBP_E_RANGE);
  CHECK(lbp_factor_graph_init(&g, 3, values) == LBP_OK && lbp_factor_graph_states(&g) == 3);
  CHECK(lbp_factor_graph_add(NULL, 2, both, table, 0) == LBP_E_NULL);
  CHECK(lbp_factor_graph_add(&g, 2, NULL, table, 0) == LBP_E_NULL);
  CHECK(lbp_factor_graph_add(&g, 2, both, NULL, 0) == LBP_E_NULL);
  CHECK(lbp_factor_graph_add(&g, 2, both, table, 4) == LBP_E_RANGE);
  CHECK(lbp_factor_graph_add(&g, 9, nine, table, 0) == LBP_E_SIZE);
  CHECK(lbp_factor_graph_add(&g, 2, twice, table, 0) == LBP_E_INDEX);
  CHECK(lbp_factor_graph_add(&g, 2, beyond, table, 0) == LBP_E_INDEX);
  table[3] = -1;
  CHECK(lbp_factor_graph_add(&g, 2, both, table, 0) == LBP_E_RANGE);
  CHECK(lbp_factor_graph_add(&g, 2, both, table, LBP_TABLE_LOG) == LBP_OK && g.tables == 1);
  table[3] = infinity;
  CHECK(lbp_factor_graph_add(&g, 2, both, table, 0) == LBP_E_NOT_FINITE);
  CHECK(lbp_factor_graph_add(&g, 2, both, table, LBP_TABLE_LOG) == LBP_E_NOT_FINITE);
  table[3] = -infinity;
  CHECK(lbp_factor_graph_add(&g, 2, both, table, 0) == LBP_E_NOT_FINITE);
  table[3] = not_a_number();
  CHECK(lbp_factor_graph_add(&g, 2, both, table, LBP_TABLE_LOG) == LBP_E_NOT_FINITE);
  memset(table, 0, sizeof table);
  CHECK(lbp_factor_graph_add(&g, 2, both, table, 0) == LBP_E_IMPOSSIBLE && g.tables == 1);
  CHECK(lbp_factor_graph_observe(NULL, 0, 1) == LBP_E_NULL && lbp_factor_graph_observe(&g, 3, 0) == LBP_E_INDEX);
  CHECK_REFUSED(m, lbp_factors_init(&m, &g, 2, 0), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_factors_init(&m, &g, 257, 0), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_factors_init(&m, &g, 3, -1), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_factors_init(&m, &g, 3, not_a_number()), LBP_E_RANGE);
  CHECK_REFUSED(m, lbp_factors_init(&m, NULL, 3, 0), LBP_E_NULL);
  CHECK(lbp_factors_init(NULL, &g, 3, 0) == LBP_E_NULL);
  CHECK(lbp_factor_graph_observe(&g, 1, 3) == LBP_E_RANGE && lbp_factor_graph_observe(&g, 1, 2) == LBP_OK);
  CHECK(lbp_factor_graph_observe(&g, 1, 2) == LBP_OK && lbp_factor_graph_observe(&g, 1, 1) == LBP_E_STATE);
  CHECK_REFUSED(m, lbp_factors_init(&m, &g, 3, 0), LBP_E_STATE);
  lbp_factor_graph_free(&g);
  lbp_factor_graph_free(NULL);
  lbp_factors_free(NULL);
  lbp_elimination_free(NULL);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int parse(lbp_factor_graph *g, int format, const char *text, lbp_factors_fault *fault) {
  return lbp_factor_graph_parse(g, format, text, strlen(text), fault);
}

static const char small[] = "MARKOV\n3\n2 3 2\n3\n1 0\n2 0 1\n2 2 1\n2\n.5 1.5\n6\n1 2 3\n4 0 6\n\n6 1 2 3 4 5 6e0\n";

/* Whose digits are whose: in UAI files the last site's value changes fastest, in .fg files the first one's. */
static void test_good_files(void) {
  static const char fg[] = "# a comment\n2\n\n2\n0 2\n2 3\n3\n1 2.5\n# inside\n4 7\n3 .25\n\n1\n1\n2\n2\n0 1\n1 3\n";
  lbp_factor_graph g;
  lbp_factors_fault fault;
  uint8_t x[3];
  double want;
  CHECK(parse(&g, LBP_FACTORS_UAI, small, &fault) == LBP_OK && g.n == 3 && g.tables == 3 && !g.bayes);
  CHECK(fault.line == 0 && fault.what[0] == '\0' && fault.uneven == 0);
  for (x[0] = 0; x[0] < 2; x[0]++) {
    for (x[1] = 0; x[1] < 3; x[1]++) {
      for (x[2] = 0; x[2] < 2; x[2]++) {
        static const double a[2] = {.5, 1.5}, b[2][3] = {{1, 2, 3}, {4, 0, 6}}, c[2][3] = {{1, 2, 3}, {4, 5, 6}};
        want = a[x[0]] * b[x[0]][x[1]] * c[x[2]][x[1]];
        if (want > 0) CHECK_NEAR(lbp_factor_graph_logp(&g, x), log(want), 1e-12);
        else CHECK(lbp_factor_graph_logp(&g, x) < -1e300);
      }
    }
  }
  lbp_factor_graph_free(&g);
  CHECK(parse(&g, LBP_FACTORS_FG, fg, &fault) == LBP_OK && g.n == 3 && g.tables == 2);
  CHECK(g.values[0] == 2 && g.values[1] == 2 && g.values[2] == 3);
  for (x[0] = 0; x[0] < 2; x[0]++) {
    for (x[2] = 0; x[2] < 3; x[2]++) {
      static const double a[6] = {0, 2.5, 0, .25, 7, 0};
      x[1] = 1;
      want = 3 * a[x[0] + 2 * x[2]];
      if (want > 0) CHECK_NEAR(lbp_factor_graph_logp(&g, x), log(want), 1e-12);
      else CHECK(lbp_factor_graph_logp(&g, x) < -1e300);
    }
  }
  lbp_factor_graph_free(&g);
  CHECK(parse(&g, LBP_FACTORS_FG, "1\n1\n3\n2\n2 0 1 1 1", &fault) == LBP_OK && g.n == 4 && g.values[1] == 1);
  lbp_factor_graph_free(&g);
  CHECK(parse(&g, LBP_FACTORS_UAI, "BAYES\r\n2 2 2\r\n2 1 0 2 0 1\r\n2 .25 .75\r\n4 .1 .9 .2 .7", &fault) == LBP_OK);
  CHECK(g.bayes && fault.uneven == 1 && fault.uneven_line == 5);
  lbp_factor_graph_free(&g);
  CHECK(parse(&g, LBP_FACTORS_UAI, "BAYES 2 2 3 1\n2 0 1\n6\n.1 .2 .7 .5 .5 0", &fault) == LBP_OK && fault.uneven == 0);
  lbp_factor_graph_free(&g);
}

static void test_bad_files(void) {
  static const struct {
    int format, status;
    uint64_t line;
    const char *text, *what;
  } bad[] = {
    {0, LBP_E_FORMAT, 1, "", "empty"}, {0, LBP_E_FORMAT, 1, " \n\n", "empty"},
    {0, LBP_E_FORMAT, 1, "hello", "hello, neither MARKOV nor BAYES"},
    {0, LBP_E_FORMAT, 1, "MARKOV", "ends where the number of sites"},
    {0, LBP_E_SIZE, 2, "MARKOV\n4294967297\n2 2", "4294967297, not 1 to 2147483647"},
    {0, LBP_E_SIZE, 2, "MARKOV\n0\n0", "is 0, not 1"},
    {0, LBP_E_FORMAT, 2, "MARKOV\n2.5", "2.5, not a whole number"},
    {0, LBP_E_FORMAT, 2, "MARKOV\n-1", "-1, not a whole number"},
    {0, LBP_E_RANGE, 3, "MARKOV\n2\n2 0\n0", "number of values is 0, not 1 to 256"},
    {0, LBP_E_RANGE, 3, "MARKOV\n1\n300\n0", "300, not 1 to 256"},
    {0, LBP_E_SIZE, 3, "MARKOV 1\n2\n9223372036854775808", "number of tables is 9223372036854775808"},
    {0, LBP_E_SIZE, 4, "MARKOV\n2\n2 2\n1 9 0 1 0 1 0 1 0 1 0", "has 9 sites, more than 8"},
    {0, LBP_E_INDEX, 5, "MARKOV\n2\n2 2\n1\n2 0 2\n4 1 2 3 4", "a site of table 0 is 2, not 0 to 1"},
    {0, LBP_E_INDEX, 5, "MARKOV\n2\n2 2\n1\n2 0 0\n4 1 2 3 4", "site 0 comes twice in table 0"},
    {0, LBP_E_FORMAT, 6, "MARKOV\n2\n2 2\n1\n2 0 1\n3\n1 2 3", "states 3 entries, but its sites' values make 4"},
    {0, LBP_E_FORMAT, 6, "MARKOV\n2\n2 2\n1\n2 0 1\n99999999999999999999\n1", "states 99999999999999999999"},
    {0, LBP_E_FORMAT, 7, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 2 3\n", "ends where entry 3 of table 0"},
    {0, LBP_E_FORMAT, 8, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 2 3\n4 5", "more than the file's numbers state: 5"},
    {0, LBP_E_NOT_FINITE, 7, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 nan 3 4", "entry 1 of table 0 is nan"},
    {0, LBP_E_NOT_FINITE, 7, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 2 inf 4", "entry 2 of table 0 is inf"},
    {0, LBP_E_RANGE, 7, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 -2 3 4", "entry 1 of table 0 is -2"},
    {0, LBP_E_RANGE, 7, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 1e999 3 4", "1e999, beyond"},
    {0, LBP_E_FORMAT, 7, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 1,5 3 4", "1,5, not a number"},
    {0, LBP_E_RANGE, 7, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 0e9 1e-400 4", "entry 2 of table 0 is 1e-400, too small"},
    {0, LBP_E_IMPOSSIBLE, 7, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n0 0 0 0.0", "all entries of table 0 are 0"},
    {0, LBP_E_FORMAT, 2, "MARKOV\n\x1f\x8b", "compressed"},
    {0, LBP_E_FORMAT, 1, "MARKOV 11111111111111111111111111111111111111111111111111111111111111111", "more than 63"},
    {1, LBP_E_FORMAT, 1, "", "ends where the number of tables"},
    {1, LBP_E_FORMAT, 1, "/* an .erg file */ 3", "comment of .erg"},
    {1, LBP_E_FORMAT, 1, "MARKOV\n1", "MARKOV, not a whole number"},
    {1, LBP_E_SIZE, 2, "# a\n0\n", "is 0, not 1"},
    {1, LBP_E_INDEX, 7, "1\n\n2\n0 1\n2 2\n1\n7 3.0", "the place of an entry of table 0 is 7, not 0 to 3"},
    {1, LBP_E_FORMAT, 6, "1\n\n2\n0 1\n2 2\n5\n0 1", "the number of entries of table 0 is 5, not 0 to 4"},
    {1, LBP_E_FORMAT, 8, "2\n1\n0\n2\n1\n0 1\n1 0\n3\n1\n0 1", "site 0 has 3 values in table 1, but 2"},
    {1, LBP_E_INDEX, 3, "1\n1\n16777216\n2", "not 0 to 16777215"},
    {1, LBP_E_IMPOSSIBLE, 5, "1\n1\n0\n2\n0\n", "all entries of table 0 are 0"},
    {1, LBP_E_FORMAT, 2, "1\n0 1 0 2", "no table has a site"},
    {2, LBP_E_RANGE, 1, "1", "format 2"}};
  lbp_factor_graph g;
  lbp_factors_fault fault;
  size_t k;
  for (k = 0; k < sizeof bad / sizeof *bad; k++) {
    const int before = (int)test_failed;
    memset(&g, 0xa5, sizeof g);
    CHECK(parse(&g, bad[k].format, bad[k].text, &fault) == bad[k].status);
    CHECK(is_zeroed(&g, sizeof g));
    CHECK(fault.line == bad[k].line);
    CHECK(strstr(fault.what, bad[k].what) != NULL);
    if (test_failed > before) printf("  case %lu, line %lu: %s\n", (unsigned long)k, (unsigned long)fault.line, fault.what);
  }
  CHECK(lbp_factor_graph_parse(NULL, 0, "", 0, &fault) == LBP_E_NULL);
  CHECK_REFUSED(g, lbp_factor_graph_parse(&g, 0, "", 0, NULL), LBP_E_NULL);
  CHECK_REFUSED(g, lbp_factor_graph_parse(&g, 0, NULL, 1, &fault), LBP_E_NULL);
}

/* Both kinds of .evid files; a cut one is neither. */
static void test_evidence(void) {
  static const struct {
    const char *text;
    int sample, status;
    const char *seen, *what; /* the values of sites 0 to 2, or '.' */
  } files[] = {
    {"0", -1, LBP_OK, "...", ""}, {"2 0 1 2 0", -1, LBP_OK, "1.0", ""}, {"2\n1 2\n1 2\n", -1, LBP_OK, ".2.", ""},
    {"1 2 0 1 1 2", -1, LBP_OK, "12.", ""}, {"1\n1 1 1\n", -1, LBP_OK, ".1.", ""}, {"1 0 1", -1, LBP_OK, "1..", ""},
    {"3\n1 0 1\n0\n2 1 2 2 1\n", 2, LBP_OK, ".21", ""}, {"3\n1 0 1\n0\n2 1 2 2 1\n", 0, LBP_OK, "1..", ""},
    {"3\n1 0 1\n0\n2 1 2 2 1\n", -1, LBP_E_FORMAT, NULL, "3 samples: ask for one of them, 0 to 2"},
    {"3\n1 0 1\n0\n2 1 2 2 1\n", 3, LBP_E_INDEX, NULL, "sample 3 was asked for, but the file has 3"},
    {"1 0 1", 1, LBP_E_INDEX, NULL, "sample 1 was asked for"},
    /* both kinds, by their numbers */
    {"2\n0\n1 2 1\n", -1, LBP_E_FORMAT, NULL, "2 samples: ask for one of them, 0 to 1"},
    {"2\n0\n1 2 1\n", 0, LBP_OK, "...", ""}, {"2\n0\n1 2 1\n", 1, LBP_OK, "..1", ""},
    {"2 0 1 2 1", -1, LBP_OK, "1.1", ""}, {"2\n0 1\n2 1\n", -1, LBP_OK, "1.1", ""},
    {"2\n0 1 2 1\n", 1, LBP_E_INDEX, NULL, "the file has one, sample 0"},
    {"", -1, LBP_E_FORMAT, NULL, "empty"}, {"1 0", -1, LBP_E_FORMAT, NULL, "lacks its value"},
    {"2 0 1 2", -1, LBP_E_FORMAT, NULL, "states 2 observations, which take 4 numbers, and has 3"},
    {"2 0 1 0 0", -1, LBP_E_STATE, NULL, "site 0 was observed to be 1, and here to be 0"},
    {"1 5 0", -1, LBP_E_INDEX, NULL, "an observed site is 5, not 0 to 2"},
    {"1 0 2", -1, LBP_E_RANGE, NULL, "value is 2, not 0 to 1"}, {"x", -1, LBP_E_FORMAT, NULL, "x, not a whole number"},
    {"0 1", -1, LBP_E_FORMAT, NULL, "more than the file's numbers state"},
    {"\x1f\x8b\b", -1, LBP_E_FORMAT, NULL, "compressed"}, {"1 0 1\x80", -1, LBP_E_FORMAT, NULL, "compressed"},
    {"99999999999999999999 1 0", -1, LBP_E_SIZE, NULL, "99999999999999999999"}};
  lbp_factor_graph g;
  lbp_factors_fault fault;
  size_t k;
  uint32_t i;
  for (k = 0; k < sizeof files / sizeof *files; k++) {
    CHECK(parse(&g, LBP_FACTORS_UAI, small, &fault) == LBP_OK);
    CHECK(lbp_factor_graph_parse_evidence(&g, files[k].text, strlen(files[k].text), files[k].sample, &fault) ==
          files[k].status);
    for (i = 0; i < 3 && files[k].seen; i++) {
      CHECK(g.observed[i] == (files[k].seen[i] == '.' ? -1 : files[k].seen[i] - '0'));
    }
    CHECK(strstr(fault.what, files[k].what) != NULL);
    if (!strstr(fault.what, files[k].what)) printf("  case %lu: %s\n", (unsigned long)k, fault.what);
    lbp_factor_graph_free(&g);
  }
}

static void read_back(FILE *file, char *text, size_t size) {
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

/* What is written is read again the same; answers are in the competitions' formats, log10. */
static void test_writers(void) {
  static const double marginal[9] = {0.25, 0.75, 9, 0, 0.125, 0.875, 1e-7, 1, 9};
  static const uint8_t x[3] = {1, 2, 0};
  static char text[65536];
  plain p;
  lbp_factor_graph g, again;
  lbp_factors_fault fault;
  lbp_rng rng;
  FILE *file;
  uint32_t trial, s;
  uint8_t state[SITES];
  lbp_rng_init(&rng, 6, 0);
  for (trial = 0; trial < 20; trial++) {
    uint32_t wrong = 0;
    make(&p, &g, 1 + trial % SITES, MOST, 0.3, &rng);
    file = tmpfile();
    CHECK(file != NULL && lbp_factor_graph_write(&g, file) == LBP_OK);
    rewind(file);
    CHECK(lbp_factor_graph_read(&again, LBP_FACTORS_UAI, file, &fault) == LBP_OK && again.tables == g.tables);
    fclose(file);
    for (s = 0; s < p.states; s++) {
      double a, b;
      plain_state(&p, s, state);
      a = lbp_factor_graph_logp(&g, state), b = lbp_factor_graph_logp(&again, state);
      wrong += a < -1e300 ? !(b < -1e300) : !(fabs(a - b) < 1e-12);
    }
    CHECK(wrong == 0);
    lbp_factor_graph_free(&g);
    lbp_factor_graph_free(&again);
  }
  CHECK(parse(&g, LBP_FACTORS_UAI, small, &fault) == LBP_OK);
  file = tmpfile();
  CHECK(file != NULL && lbp_factor_graph_write_mar(&g, marginal, 3, file) == LBP_OK);
  read_back(file, text, sizeof text);
  CHECK(strcmp(text, "MAR\n3 2 0.25 0.75 3 0 0.125 0.875 2 1e-07 1\n") == 0);
  file = tmpfile();
  CHECK(file != NULL && lbp_factor_graph_write_pr(log(1000.0), file) == LBP_OK);
  read_back(file, text, sizeof text);
  CHECK(strcmp(text, "PR\n3\n") == 0);
  file = tmpfile();
  CHECK(file != NULL && lbp_factor_graph_write_mpe(&g, x, file) == LBP_OK);
  read_back(file, text, sizeof text);
  CHECK(strcmp(text, "MPE\n3 1 2 0\n") == 0);
  file = tmpfile();
  CHECK(file != NULL && fputs("1\n2 0 1 2 1", file) >= 0);
  rewind(file);
  CHECK(lbp_factor_graph_read_evidence(&g, file, -1, &fault) == LBP_OK && g.observed[0] == 1 && g.observed[2] == 1);
  fclose(file);
  CHECK(lbp_factor_graph_write(NULL, stdout) == LBP_E_NULL && lbp_factor_graph_write(&g, NULL) == LBP_E_NULL);
  g.cells[0] = 800; /* exp of it is no double */
  CHECK(lbp_factor_graph_write(&g, stdout) == LBP_E_RANGE);
  lbp_factor_graph_free(&g);
}

/* A network with its published answers: the ring of eight diagnoses that Lauritzen and Spiegelhalter's paper of 1988
 * has, "asia" there, visited, with the marginals that follow from its tables. Sites: visit to Asia, tuberculosis,
 * smoking, lung cancer, bronchitis, either of the two, X-ray, dyspnoea; value 0: yes. */
static void test_published(void) {
  static const char text[] =
    "BAYES\n8\n2 2 2 2 2 2 2 2\n8\n1 0\n2 0 1\n1 2\n2 2 3\n2 2 4\n3 1 3 5\n2 5 6\n3 4 5 7\n"
    "2 .01 .99\n4 .05 .95 .01 .99\n2 .5 .5\n4 .1 .9 .01 .99\n4 .6 .4 .3 .7\n8 1 0 1 0 1 0 0 1\n4 .98 .02 .05 .95\n"
    "8 .9 .1 .8 .2 .7 .3 .1 .9\n";
  static const double yes[8] = {0.01, 0.0104, 0.5, 0.055, 0.45, 0.064828, 0.11029004, 0.4359706};
  double room[512], marginal[16];
  lbp_factor_graph g;
  lbp_factors_fault fault;
  lbp_elimination e;
  uint32_t i;
  CHECK(parse(&g, LBP_FACTORS_UAI, text, &fault) == LBP_OK && fault.uneven == 0);
  CHECK(lbp_eliminate(&e, &g, 64, 512, LBP_ELIMINATE_ALL) == LBP_OK && lbp_elimination_room(&e) <= 512);
  CHECK_NEAR(e.log_constant, 0, 1e-12); /* a Bayesian network without observations */
  CHECK(lbp_elimination_marginals(&e, NULL, room, marginal) == LBP_OK);
  for (i = 0; i < 8; i++) CHECK_NEAR(marginal[2 * i], yes[i], 1e-7);
  lbp_elimination_free(&e);
  lbp_factor_graph_free(&g);
}

int main(void) {
  test_refusals();
  test_good_files();
  test_bad_files();
  test_evidence();
  test_writers();
  test_published();
  test_elimination();
  test_elimination_refusals();
  test_completion();
  test_model();
  test_wide();
  test_large();
  test_soft();
  test_sharing();
  test_law();
  test_terms();
  return test_report();
}
