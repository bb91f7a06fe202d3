/* When memory runs out in lbp/models/factors.h: every function that asks for some, with its first, second ... request
 * refused, alone or with all that follow. Each must answer LBP_E_MEMORY, leave what it makes empty or as it was, and keep no block. */
#include <stdio.h>
#include <stdlib.h>

static long blocks, allowed = -1; /* in use; requests until one is refused, never if negative */
static int alone;

static int is_refused(void) {
  const int refused = allowed == 0;
  if (allowed > 0 || (refused && alone)) allowed--;
  return refused;
}

static void *rationed(void *old, size_t size, int clear) {
  void *block;
  if (is_refused()) return NULL;
  block = clear ? calloc(1, size) : realloc(old, size);
  blocks += !old && block;
  return block;
}

static void give_up(void *block) {
  blocks -= block != NULL;
  free(block);
}

#define calloc(count, size) rationed(NULL, (count) * (size), 1)
#define malloc(size)        rationed(NULL, size, 0)
#define realloc(old, size)  rationed(old, size, 0)
#define free                give_up
#include "../lbp/models/factors.h"

#include "models.h"

/* A grid of sites of two and three values, with a table of three sites in each corner of it: no list of tables, sites or
 * cells has room for all from the first, and elimination meets wide clusters. */
enum { SIDE = 5, SITES = SIDE * SIDE, TABLES = 2 * SIDE * (SIDE - 1) + 4 };

static char uai[32768], fg[32768];
static uint32_t values[SITES];
static const char *evidence = "2 0 1 7 0";

static size_t add_text(char *text, size_t at, const char *format, double value) {
  return at + (size_t)snprintf(text + at, sizeof uai - at, format, value);
}

/* Table t of the grid, or one more; returns its number of sites. */
static uint32_t sites_of(uint32_t t, uint32_t *site) {
  const uint32_t across = SIDE * (SIDE - 1), corner = t - 2 * across;
  if (t < 2 * across) {
    const uint32_t k = t % across;
    site[0] = t < across ? k / (SIDE - 1) * SIDE + k % (SIDE - 1) : k;
    site[1] = site[0] + (t < across ? 1 : SIDE);
    return 2;
  }
  site[0] = corner % 2 * (SIDE - 1) + corner / 2 * (SIDE - 1) * SIDE;
  site[1] = corner % 2 ? site[0] - 1 : site[0] + 1;
  site[2] = corner / 2 ? site[0] - SIDE : site[0] + SIDE;
  return 3;
}

static uint32_t cells_of(uint32_t t) {
  uint32_t site[3], cells = 1, a, arity = sites_of(t, site);
  for (a = 0; a < arity; a++) cells *= values[site[a]];
  return cells;
}

static void write_texts(void) {
  size_t u = add_text(uai, 0, "MARKOV %.0f\n", SITES), f = add_text(fg, 0, "%.0f\n", TABLES);
  uint32_t t, a, site[3];
  for (t = 0; t < SITES; t++) u = add_text(uai, u, "%.0f ", values[t] = 2 + t % 2);
  u = add_text(uai, u, "\n%.0f\n", TABLES);
  for (t = 0; t < TABLES; t++) {
    const uint32_t arity = sites_of(t, site);
    u = add_text(uai, u, "%.0f", arity);
    for (a = 0; a < arity; a++) u = add_text(uai, u, " %.0f", site[a]);
    u = add_text(uai, u, "\n", 0);
  }
  for (t = 0; t < TABLES; t++) {
    const uint32_t arity = sites_of(t, site);
    u = add_text(uai, u, "%.0f", cells_of(t));
    for (a = 0; a < cells_of(t); a++) u = add_text(uai, u, " %g", 1 + 0.25 * ((a + t) % 5));
    u = add_text(uai, u, "\n", 0);
    f = add_text(fg, f, "\n%.0f\n", arity);
    for (a = 0; a < arity; a++) f = add_text(fg, f, "%.0f ", site[a]);
    f = add_text(fg, f, "\n", 0);
    for (a = 0; a < arity; a++) f = add_text(fg, f, "%.0f ", values[site[a]]);
    f = add_text(fg, f, "\n%.0f\n", cells_of(t));
    for (a = 0; a < cells_of(t); a++) {
      f = add_text(fg, f, "%.0f ", a);
      f = add_text(fg, f, "%g\n", 1 + 0.25 * ((a + t) % 5));
    }
  }
}

/* ---- who asks for memory: makes an object of its kind from nothing ------------------------------------------------ */

typedef union {
  lbp_factor_graph graph;
  lbp_elimination gone;
  lbp_factors model;
} object;

static object whole, plain; /* graphs, made while there is memory */
static FILE *file;

static int parse(object *o, int format, const char *text) {
  lbp_factors_fault fault;
  const int status = lbp_factor_graph_parse(&o->graph, format, text, strlen(text), &fault);
  CHECK(status != LBP_E_MEMORY || strstr(fault.what, lbp_error(LBP_E_MEMORY)));
  return status;
}

static int parse_uai(object *o) { return parse(o, LBP_FACTORS_UAI, uai); }
static int parse_fg(object *o) { return parse(o, LBP_FACTORS_FG, fg); }

static int read_uai(object *o) {
  lbp_factors_fault fault;
  int status;
  rewind(file);
  status = lbp_factor_graph_read(&o->graph, LBP_FACTORS_UAI, file, &fault);
  CHECK(status != LBP_E_MEMORY || strstr(fault.what, lbp_error(LBP_E_MEMORY)));
  return status;
}

/* Table by table; where one is refused, the graph has the others, and takes it when there is memory again. */
static int add_tables(object *o) {
  static const double row[27] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  uint32_t t, site[3];
  int refused = 0, status = lbp_factor_graph_init(&o->graph, SITES, values);
  if (status != LBP_OK) return status;
  for (t = 0; t < TABLES; t++) {
    const uint32_t arity = sites_of(t, site);
    status = lbp_factor_graph_add(&o->graph, arity, site, row, 0);
    if (status == LBP_OK) continue;
    CHECK(status == LBP_E_MEMORY && o->graph.tables == t && refused == 0);
    refused = 1;
    allowed = -1;
    t--;
  }
  CHECK(o->graph.tables == TABLES);
  if (!refused) return LBP_OK;
  lbp_factor_graph_free(&o->graph);
  return LBP_E_MEMORY;
}

static int eliminate(object *o, int flags) { return lbp_eliminate(&o->gone, &whole.graph, 1 << 20, 1 << 24, flags); }
static int eliminate_all(object *o) { return eliminate(o, LBP_ELIMINATE_ALL); }
static int eliminate_most(object *o) { return lbp_eliminate(&o->gone, &whole.graph, 12, 1 << 24, LBP_ELIMINATE_MAXIMUM); }

static int marginals(object *o) {
  double room[1 << 16], marginal[SITES * 3], sum = 0;
  uint32_t k;
  int status = eliminate(o, 0);
  if (status != LBP_OK) return status;
  CHECK(lbp_elimination_room(&o->gone) <= sizeof room / sizeof *room);
  status = lbp_elimination_marginals(&o->gone, NULL, room, marginal);
  for (k = 0; k < SITES * 3 && status == LBP_OK; k++) sum += marginal[k];
  CHECK(status == LBP_E_MEMORY || fabs(sum - SITES) < 1e-9);
  if (status != LBP_OK) lbp_elimination_free(&o->gone);
  return status;
}

static int model(object *o) { return lbp_factors_init(&o->model, &plain.graph, 3, 8); }

static void free_graph(object *o) { lbp_factor_graph_free(&o->graph); }
static void free_gone(object *o) { lbp_elimination_free(&o->gone); }
static void free_model(object *o) { lbp_factors_free(&o->model); }

static const struct {
  const char *what;
  int (*make)(object *);
  void (*release)(object *);
  size_t size;
  long least; /* requests, at least */
} makers[] = {
    {"a UAI text", parse_uai, free_graph, sizeof(lbp_factor_graph), 8},
    {"a libDAI text", parse_fg, free_graph, sizeof(lbp_factor_graph), 8},
    {"a UAI file", read_uai, free_graph, sizeof(lbp_factor_graph), 9},
    {"tables", add_tables, free_graph, sizeof(lbp_factor_graph), 8 + TABLES},
    {"elimination", eliminate_all, free_gone, sizeof(lbp_elimination), 16},
    {"elimination of some, for a maximum", eliminate_most, free_gone, sizeof(lbp_elimination), 16},
    {"marginals", marginals, free_gone, sizeof(lbp_elimination), 19},
    {"a model", model, free_model, sizeof(lbp_factors), 12}};

/* Evidence that can't be read leaves the graph good for another try. */
static void test_evidence(void) {
  lbp_factors_fault fault;
  FILE *seen = tmpfile();
  long taken = 0, before = blocks;
  int status = LBP_E_MEMORY;
  if (!seen || fputs(evidence, seen) < 0) exit(2);
  for (; status == LBP_E_MEMORY && taken < 20; taken++) {
    rewind(seen);
    allowed = taken;
    status = lbp_factor_graph_read_evidence(&plain.graph, seen, -1, &fault);
    allowed = -1;
    CHECK(blocks == before && (status != LBP_E_MEMORY || plain.graph.observed[0] < 0));
  }
  CHECK(status == LBP_OK && plain.graph.observed[0] == 1 && plain.graph.observed[7] == 0 && taken > 1);
  fclose(seen);
}

int main(void) {
  size_t k;
  write_texts();
  file = tmpfile();
  if (!file || fputs(uai, file) < 0) return 2;
  CHECK(parse_uai(&whole) == LBP_OK && parse_uai(&plain) == LBP_OK);
  CHECK(lbp_factor_graph_observe(&whole.graph, 3, 1) == LBP_OK);
  for (k = 0; k < 2 * (sizeof makers / sizeof *makers); k++) {
    static object made;
    const long before = blocks;
    long taken = 0;
    int status = LBP_E_MEMORY;
    alone = k % 2;
    for (; status == LBP_E_MEMORY && taken < 2000; taken++) {
      memset(&made, 0xa5, sizeof made);
      allowed = taken;
      status = makers[k / 2].make(&made);
      allowed = -1;
      if (status == LBP_E_MEMORY) CHECK(is_zeroed(&made, makers[k / 2].size) && blocks == before);
    }
    if (status != LBP_OK || taken <= makers[k / 2].least) printf("%s: %s, %ld\n", makers[k / 2].what, lbp_error(status), taken - 1);
    CHECK(status == LBP_OK && taken > makers[k / 2].least && blocks > before);
    makers[k / 2].release(&made);
    CHECK(is_zeroed(&made, makers[k / 2].size) && blocks == before);
  }
  test_evidence();
  lbp_factor_graph_free(&whole.graph);
  lbp_factor_graph_free(&plain.graph);
  CHECK(blocks == 0);
  fclose(file);
  return test_report();
}
