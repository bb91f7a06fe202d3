/* terms - the cost of LBP_TERM and lbp/models/factors.h: Gibbs sweeps of a model by terms, and of the same as a factor
 * graph, compared with those of the same model whose log-ratios are written by hand, in turns in one run. `make
 * bench-terms`: a minute of one core. Targets: 1.8 on the grid, 1.2 on tables of three sites; of factor graphs, whose
 * numbers are floats, 1.2. */
#include "../../lbp/models/factors.h"
#include "../../lbp/models/potts.h"
#include "../common/turns.h"

enum { SIDE = 100, GRID = SIDE * SIDE, TABLE_SITES = 2000, TABLE_TERMS = 5000, CELLS = 125 };

/* ---- an Ising model on a torus ----------------------------------------------------------------------------------- */

typedef struct {
  double beta;
  uint32_t near[GRID][4];
} grid;

LBP_FN uint32_t grid_beside(uint32_t i, uint32_t down, uint32_t right) {
  return (i / SIDE + down) % SIDE * SIDE + (i + right) % SIDE;
}

LBP_FN uint32_t grid_neighbours(const grid *m, uint32_t i, uint32_t *out) {
  memcpy(out, m->near[i], sizeof m->near[i]);
  return 4;
}

LBP_FN double grid_delta(const grid *m, const uint8_t *x, uint32_t i) {
  const uint32_t *near = m->near[i];
  const int ones = x[near[0]] + x[near[1]] + x[near[2]] + x[near[3]];
  return (x[i] ? -4.0 : 4.0) * m->beta * (ones - 2);
}

LBP_FN double grid_logp(const grid *m, const uint8_t *x) {
  int sum = 0;
  for (uint32_t i = 0; i < GRID; i++) sum += (x[i] == x[m->near[i][0]]) + (x[i] == x[m->near[i][1]]);
  return m->beta * (2 * sum - 2 * GRID);
}

LBP_FN uint32_t grid_bond(const grid *m, uint32_t t, uint32_t *out) {
  out[0] = t / 2;
  out[1] = m->near[t / 2][t % 2];
  return 2;
}

#define LBP_NAME           grid_by_hand
#define LBP_MODEL_T        grid
#define LBP_DELTA          grid_delta
#define LBP_NEIGHBOURS     grid_neighbours
#define LBP_MAX_NEIGHBOURS 4
#define LBP_LOGP           grid_logp
#include "../../lbp_run.h"

#define LBP_NAME          grid_by_terms
#define LBP_MODEL_T       grid
#define LBP_TERM_COUNT(m) (2 * GRID)
#define LBP_TERM_SITES    grid_bond
#define LBP_TERM(m, t, v) ((v)[0] == (v)[1] ? (m)->beta : -(m)->beta)
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  4
#include "../../lbp_run.h"

/* ---- a Potts model of four values on a torus --------------------------------------------------------------------- */

LBP_FN uint32_t potts_bond(const lbp_potts *m, uint32_t t, uint32_t *out) {
  (void)m;
  out[0] = t / 2;
  out[1] = t % 2 ? grid_beside(t / 2, 1, 0) : grid_beside(t / 2, 0, 1);
  return 2;
}

#define LBP_NAME           potts_by_hand
#define LBP_MODEL_T        lbp_potts
#define LBP_CAT_STATES     4
#define LBP_CAT_DELTAS_OF(m, x, i, out) lbp_potts_deltas_k(m, x, i, 4, out)
#define LBP_REAL           lbp_real
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS LBP_POTTS_GRID_NEIGHBOURS
#define LBP_LOGP           lbp_potts_logp
#include "../../lbp_run.h"

#define LBP_NAME          potts_by_terms
#define LBP_MODEL_T       lbp_potts
#define LBP_CAT_STATES    4
#define LBP_REAL          lbp_real
#define LBP_TERM_COUNT(m) (2 * GRID)
#define LBP_TERM_SITES    potts_bond
#define LBP_TERM(m, t, v) ((v)[0] == (v)[1] ? 0.75f : 0.0f)
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  4
#include "../../lbp_run.h"

/* ---- tables of three sites, five values each --------------------------------------------------------------------- */

typedef struct {
  uint32_t tables; /* different ones: term t has number t % tables */
  uint32_t site[TABLE_TERMS][3], start[TABLE_SITES + 1], list[3 * TABLE_TERMS]; /* list: which terms a site is in */
  double table[TABLE_TERMS][CELLS];
} tables;

LBP_FN uint32_t tables_sites(const tables *m, uint32_t t, uint32_t *out) {
  memcpy(out, m->site[t], sizeof m->site[t]);
  return 3;
}

/* Without a branch on which of the three i is. */
LBP_FN void tables_deltas_of(const tables *m, const uint8_t *x, uint32_t i, double *out) {
  double own;
  for (int v = 0; v < 5; v++) out[v] = 0;
  for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++) {
    const uint32_t t = m->list[k], *site = m->site[t], step = site[0] == i ? 25 : site[1] == i ? 5 : 1;
    const double *cell = m->table[t % m->tables] + x[site[0]] * 25 + x[site[1]] * 5 + x[site[2]] - x[i] * step;
    for (uint32_t v = 0; v < 5; v++) out[v] += cell[v * step];
  }
  own = out[x[i]];
  for (int v = 0; v < 5; v++) out[v] -= own;
}

LBP_FN uint32_t tables_neighbours(const tables *m, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++) {
    for (int p = 0; p < 3; p++) {
      if (m->site[m->list[k]][p] != i) out[count++] = m->site[m->list[k]][p];
    }
  }
  return count;
}

LBP_FN double tables_term(const tables *m, uint32_t t, const uint8_t *v) {
  return m->table[t % m->tables][v[0] * 25 + v[1] * 5 + v[2]];
}

LBP_FN double tables_logp(const tables *m, const uint8_t *x) {
  double sum = 0;
  for (uint32_t t = 0; t < TABLE_TERMS; t++) {
    const uint8_t v[3] = {x[m->site[t][0]], x[m->site[t][1]], x[m->site[t][2]]};
    sum += tables_term(m, t, v);
  }
  return sum;
}

#define LBP_NAME           tables_by_hand
#define LBP_MODEL_T        tables
#define LBP_CAT_STATES     5
#define LBP_CAT_DELTAS_OF  tables_deltas_of
#define LBP_NEIGHBOURS     tables_neighbours
#define LBP_MAX_NEIGHBOURS 100
#define LBP_LOGP           tables_logp
#include "../../lbp_run.h"

#define LBP_NAME          tables_by_terms
#define LBP_MODEL_T       tables
#define LBP_CAT_STATES    5
#define LBP_TERM_COUNT(m) TABLE_TERMS
#define LBP_TERM_SITES    tables_sites
#define LBP_TERM          tables_term
#define LBP_TERM_MAX      3
#define LBP_TERMS_OF_MAX  50
#include "../../lbp_run.h"

#define LBP_NAME           tables_by_factors
#define LBP_MODEL_T        lbp_factors
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     5
#define LBP_CAT_STATES_OF  lbp_factors_values
#define LBP_CAT_DELTAS_OF(m, x, i, out) lbp_factors_deltas_of(m, x, i, LBP_CAT_STATES, out)
#define LBP_NEIGHBOURS     lbp_factors_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FACTORS_NEIGHBOURS
#define LBP_LOGP           lbp_factors_logp
#include "../../lbp_run.h"

/* The same tables as a factor graph. */
static void make_factors(const tables *m, lbp_factors *factors) {
  static uint32_t values[TABLE_SITES];
  lbp_factor_graph g;
  for (uint32_t i = 0; i < TABLE_SITES; i++) values[i] = 5;
  bench_expect(lbp_factor_graph_init(&g, TABLE_SITES, values), "graph");
  for (uint32_t t = 0; t < TABLE_TERMS; t++) {
    bench_expect(lbp_factor_graph_add(&g, 3, m->site[t], m->table[t % m->tables], LBP_TABLE_LOG), "table");
  }
  bench_expect(lbp_factors_init(factors, &g, 5, 0), "factors");
  lbp_factor_graph_free(&g);
}

/* ---- a Potts model of four values with eight neighbours ---------------------------------------------------------- */

#define LBP_NAME           eight_by_hand
#define LBP_MODEL_T        lbp_potts
#define LBP_CAT_STATES     4
#define LBP_CAT_DELTAS_OF(m, x, i, out) lbp_potts_deltas_k(m, x, i, 4, out)
#define LBP_REAL           lbp_real
#define LBP_NEIGHBOURS     lbp_potts_neighbours
#define LBP_MAX_NEIGHBOURS 8
#define LBP_LOGP           lbp_potts_logp
#include "../../lbp_run.h"

#define LBP_NAME           eight_by_factors
#define LBP_MODEL_T        lbp_factors
#define LBP_REAL           lbp_real
#define LBP_CAT_STATES     4
#define LBP_CAT_DELTAS_OF(m, x, i, out) lbp_factors_deltas_of(m, x, i, LBP_CAT_STATES, out)
#define LBP_NEIGHBOURS     lbp_factors_neighbours
#define LBP_MAX_NEIGHBOURS LBP_FACTORS_NEIGHBOURS
#define LBP_LOGP           lbp_factors_logp
#include "../../lbp_run.h"

static void make_eight(lbp_potts *potts, lbp_factors *factors) {
  static uint32_t values[GRID], ends[8 * GRID];
  static double J[4 * GRID], table[16];
  lbp_factor_graph g;
  for (uint32_t v = 0; v < 16; v++) table[v] = v / 4 == v % 4 ? 0.5 : 0;
  for (uint32_t i = 0; i < GRID; i++) values[i] = 4;
  bench_expect(lbp_factor_graph_init(&g, GRID, values), "graph");
  for (uint32_t k = 0; k < 4 * GRID; k++) { /* right, below, and both diagonals */
    static const uint32_t down[4] = {0, 1, 1, 1}, right[4] = {1, 0, 1, SIDE - 1};
    ends[2 * k] = k / 4;
    ends[2 * k + 1] = grid_beside(k / 4, down[k % 4], right[k % 4]);
    J[k] = 0.5;
    bench_expect(lbp_factor_graph_add(&g, 2, ends + 2 * k, table, LBP_TABLE_LOG), "table");
  }
  bench_expect(lbp_potts_init(potts, GRID, 4, NULL, NULL, 1, 4 * GRID, ends, J), "Potts");
  bench_expect(lbp_factors_init(factors, &g, 4, 0), "factors");
  lbp_factor_graph_free(&g);
}

static void make_tables(tables *m) {
  static uint32_t filled[TABLE_SITES];
  lbp_rng rng;
  lbp_rng_init(&rng, 2026, 0);
  memset(m, 0, sizeof *m);
  for (uint32_t t = 0; t < TABLE_TERMS; t++) {
    uint32_t *site = m->site[t];
    do {
      for (int p = 0; p < 3; p++) site[p] = (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), TABLE_SITES);
    } while (site[0] == site[1] || site[0] == site[2] || site[1] == site[2]);
    for (int p = 0; p < 3; p++) m->start[site[p] + 1]++;
    for (int k = 0; k < CELLS; k++) m->table[t][k] = (double)lbp_mulhi(lbp_rng_u64(&rng), 1024) / 1024;
  }
  for (uint32_t i = 0; i < TABLE_SITES; i++) m->start[i + 1] += m->start[i];
  for (uint32_t t = 0; t < TABLE_TERMS; t++) {
    for (int p = 0; p < 3; p++) m->list[m->start[m->site[t][p]] + filled[m->site[t][p]]++] = t;
  }
}

/* ---- in turns ---------------------------------------------------------------------------------------------------- */

/* by: terms or graph, of which the model is; the loop by hand has by_hand, in memory of its own if that is another one. */
static void compare(FILE *csv, const char *name, const char *by, lbp_kernel terms, lbp_kernel hand, const void *model,
                    const void *by_hand, uint32_t n, double target) {
  double ours[TURNS], theirs[TURNS], ratio[TURNS];
  char title[64];
  contestant a = enter(&terms, model, LBP_SAMPLER_GIBBS, n, 0), b = enter(&hand, by_hand, LBP_SAMPLER_GIBBS, n, 0);
  for (int turn = FIRST_TURN; turn < TURNS; turn++) {
    take_turn(&a);
    take_turn(&b);
    if (turn >= 0) ours[turn] = a.ns, theirs[turn] = b.ns, ratio[turn] = a.ns / b.ns;
  }
  snprintf(title, sizeof title, "%s, by %s", name, by);
  print_turns(terms.real_bytes == 4 ? "float" : "double", title, ours, theirs, target);
  fprintf(csv, "%s,%s,%.2f,%.2f,%.3f,%.3f,%.3f\n", name, by, bench_median(ours, TURNS), bench_median(theirs, TURNS),
          bench_median(ratio, TURNS), bench_quantile(ratio, TURNS, 0.25), bench_quantile(ratio, TURNS, 0.75));
  lbp_chains_free(&a.c);
  lbp_chains_free(&b.c);
}

int main(void) {
  static grid ising;
  static tables many;
  lbp_potts potts;
  lbp_factors factors;
  bench_start(1);
  const bench_file csv = bench_create("bench/out", "terms.csv", "model,by,ns_a_site,by_hand,ratio,low,high");
  ising.beta = 0.3;
  for (uint32_t i = 0; i < GRID; i++) {
    ising.near[i][0] = grid_beside(i, 0, 1), ising.near[i][1] = grid_beside(i, 1, 0);
    ising.near[i][2] = grid_beside(i, 0, SIDE - 1), ising.near[i][3] = grid_beside(i, SIDE - 1, 0);
  }
  bench_expect(lbp_potts_grid(&potts, SIDE, SIDE, 4, 0.75, 1, NULL), "Potts");
  make_tables(&many);
  printf("CPU time of a site of a Gibbs sweep in ns: medians of %d turns.\n", TURNS);
  print_turns_head("real", "ours / by hand");
  compare(csv.to, "Ising torus", "terms", grid_by_terms_kernel(), grid_by_hand_kernel(), &ising, &ising, GRID, 1.8);
  compare(csv.to, "Potts torus of 4 values", "terms", potts_by_terms_kernel(), potts_by_hand_kernel(), &potts, &potts,
          GRID, 1.8);
  for (int all = 1; all >= 0; all--) {
    const char *const name = all ? "5000 tables" : "400 tables";
    many.tables = all ? TABLE_TERMS : 400;
    make_factors(&many, &factors);
    compare(csv.to, name, "graph", tables_by_factors_kernel(), tables_by_hand_kernel(), &factors, &many, TABLE_SITES,
            1.2);
    compare(csv.to, name, "terms", tables_by_terms_kernel(), tables_by_hand_kernel(), &many, &many, TABLE_SITES, 1.2);
    lbp_factors_free(&factors);
  }
  lbp_potts_free(&potts);
  make_eight(&potts, &factors);
  compare(csv.to, "Potts of 8 neighbours", "graph", eight_by_factors_kernel(), eight_by_hand_kernel(), &factors,
          &potts, GRID, 1.2);
  lbp_factors_free(&factors);
  lbp_potts_free(&potts);
  bench_close(&csv);
  printf("Rows: %s\n", csv.path);
  return 0;
}
