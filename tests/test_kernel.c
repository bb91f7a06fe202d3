/* A kernel by hand, as for a sampler of your own: Metropolis on sites of 300 values, in 2 bytes each, and of 70000, in
 * 4, driven by lbp_run.h. Its law, tempered and annealed too, against exact numbers; states in files against columns;
 * the same draws on any number of threads and wherever a run was cut off; refused options.
 *
 * Statistical tests: 60 chi-squared tests, false alarms 1e-8 each (chi2.h); draws are taken for independent, which
 * effective sample sizes support. Three values of log Z within six of their own standard errors, from 10 chains or 400
 * weights: false alarms up to 2e-4 each (t with 9 degrees of freedom), 4e-4 in all. Seeds are fixed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "chi2.h"
#include "../lbp_run.h"
#include "run_files.h"

#ifdef API_QUICK /* for tools that make programs slow: a little of everything, and no statistics */
enum { QUICK = 1, WARMUP = 60, DRAWS = 12 };
#else
enum { QUICK = 0, WARMUP = 200, DRAWS = 40 };
#endif

/* ---- the model: pairs of sites that like to have the same colour ------------------------------------------------- */

enum { N = 4, COLOURS = 7 };

typedef struct {
  uint32_t values;
  double height, pull;
} potts;

static uint32_t colour(uint32_t v) { return v % COLOURS; }

/* A tent, so that steps have a scale, and teeth, so that all digits of a value matter. */
static double log_weight(const potts *m, uint32_t v) {
  return -m->height * fabs(2.0 * v / (m->values - 1) - 1) + (v % 3 == 0 ? 0.4 : 0);
}

/* ---- the sampler: Metropolis, site by site, with moves of up to `width` either way ------------------------------- */

enum { METROPOLIS = 2000 }; /* unlike those of lbp/run/kernel.h */

typedef struct {
  lbp_unit unit; /* comes first: the generator, and the state, which comes behind the chain */
  double beta;
  int wide;      /* whether items have 4 bytes, not 2 */
  uint32_t next; /* the site whose turn it is: what a chain forgets */
} metropolis;

typedef struct {
  double log_width, target;
  uint32_t step, values;
} width_tuner;

static uint32_t item(const void *x, int wide, uint32_t i) {
  return wide ? ((const uint32_t *)x)[i] : ((const uint16_t *)x)[i];
}

static int is_wide(uint32_t values) { return values > 65536; }

static size_t chain_bytes(const lbp_plan *plan) {
  return (sizeof(metropolis) + plan->n * sizeof(uint32_t) + 63) / 64 * 64;
}

static int chain_make(void *chain, const void *model, const lbp_plan *plan) {
  metropolis *c = (metropolis *)chain;
  (void)model;
  c->unit.x = c + 1;
  c->beta = 1;
  c->wide = is_wide(plan->values);
  return plan->n == N ? LBP_OK : LBP_E_SIZE;
}

static void chain_drop(void *chain) { (void)chain; }
static void chain_touch(void *chain) { ((metropolis *)chain)->next = 0; }
static void chain_temper(void *chain, double beta) { ((metropolis *)chain)->beta = beta; }

static double logp_of(const potts *m, const void *x) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < N; i++) sum += log_weight(m, item(x, is_wide(m->values), i));
  for (i = 0; i < N; i += 2) {
    const int alike = colour(item(x, is_wide(m->values), i)) == colour(item(x, is_wide(m->values), i + 1));
    sum += alike ? m->pull : 0;
  }
  return sum;
}

static double chain_logp(void *chain, const void *model) {
  return logp_of((const potts *)model, ((metropolis *)chain)->unit.x);
}

/* log pi(x, item i is v) - log pi(x). */
static double log_ratio(const metropolis *c, const potts *m, uint32_t i, uint32_t v) {
  const uint32_t old = item(c->unit.x, c->wide, i), partner = colour(item(c->unit.x, c->wide, i ^ 1u));
  const int gain = (colour(v) == partner) - (colour(old) == partner);
  return log_weight(m, v) - log_weight(m, old) + m->pull * gain;
}

static void chain_ratios(void *chain, const void *model, void (*take)(void *data, uint32_t i, double d), void *data) {
  const metropolis *c = (const metropolis *)chain;
  const potts *m = (const potts *)model;
  uint32_t i;
  for (i = 0; i < N; i++) take(data, i, log_ratio(c, m, i, (item(c->unit.x, c->wide, i) + 1) % m->values));
}

static double most_width(uint32_t values) { return (values - 1) / 2; }

static size_t tuner_bytes(const lbp_plan *plan) { return (void)plan, sizeof(width_tuner); }

static int tuner_init(void *tuner, const lbp_plan *plan) {
  width_tuner *t = (width_tuner *)tuner;
  t->target = plan->target;
  t->values = plan->values;
  t->log_width = log(most_width(plan->values));
  return LBP_OK;
}

static void tuner_update(void *tuner, double accept) {
  width_tuner *t = (width_tuner *)tuner;
  const double most = log(most_width(t->values));
  t->step++;
  t->log_width += 2 * (accept - t->target) / sqrt((double)t->step);
  t->log_width = t->log_width < 0 ? 0 : t->log_width > most ? most : t->log_width;
}

static void tuner_setting(const void *tuner, double *setting) {
  setting[0] = exp(((const width_tuner *)tuner)->log_width);
}

/* What updates change. */
static void tuner_numbers(lbp_words *w, width_tuner *t) {
  lbp_words_double(w, &t->log_width);
  lbp_words_u32(w, &t->step);
}

static size_t tuner_words(const lbp_plan *plan) { return (void)plan, 2; }

static void tuner_save(void *tuner, double *words) {
  lbp_words w;
  w.out = words;
  w.in = NULL;
  tuner_numbers(&w, (width_tuner *)tuner);
}

static void tuner_load(void *tuner, const double *words) {
  lbp_words w;
  w.out = NULL;
  w.in = words;
  tuner_numbers(&w, (width_tuner *)tuner);
}

/* Returns the chance that it was taken. */
static double one_step(metropolis *c, const potts *m, double width, lbp_moves *moves) {
  lbp_rng *rng = &c->unit.rng;
  const uint32_t i = c->next, far = 1 + (uint32_t)lbp_mulhi(lbp_rng_u64(rng), (uint64_t)width);
  const uint32_t step = lbp_rng_u64(rng) >> 63 ? far : m->values - far;
  const uint32_t v = (item(c->unit.x, c->wide, i) + step) % m->values;
  const double d = c->beta * log_ratio(c, m, i, v), accept = d < 0 ? exp(d) : 1;
  if (lbp_u01(lbp_rng_u64(rng)) < accept) {
    if (c->wide) ((uint32_t *)c->unit.x)[i] = v;
    else ((uint16_t *)c->unit.x)[i] = (uint16_t)v;
    moves->jump += 1;
  }
  c->next = (i + 1) % N;
  return accept;
}

static uint32_t chain_steps(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                            double limit, int learn, lbp_moves *moves) {
  double work = 0, setting[LBP_SETTINGS];
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    double accept;
    tuner_setting(tuner, setting);
    if (plan->setting[0] > 0) setting[0] = plan->setting[0];
    accept = one_step((metropolis *)chain, (const potts *)model, setting[0], moves);
    if (learn) tuner_update(tuner, accept);
    moves->accept += accept;
    moves->parameter += setting[0];
    moves->evaluations += 2; /* of a site's weight, before and after */
    work += 1 + 2;
  }
  return k;
}

static const char *chain_judge(const lbp_plan *plan, int tempering) {
  (void)tempering;
  return plan->setting[0] > most_width(plan->values) ? "parameter: at most half of the values" : NULL;
}

static lbp_kernel make_kernel(const potts *m) {
  static const lbp_sampler table[] = {
      {METROPOLIS, "Metropolis", "metropolis", "width", 0.44, "evaluations", LBP_TRAIT_SCALE, chain_steps, NULL}};
  lbp_kernel k;
  memset(&k, 0, sizeof k); /* no base, check, fault, feedback: NULL */
  k.sampler = table;
  k.samplers = 1;
  k.values = m->values;
  k.item_bytes = is_wide(m->values) ? 4 : 2;
  k.real_bytes = sizeof(double);
  k.local = 1;
  k.judge = chain_judge;
  k.bytes = chain_bytes;
  k.make = chain_make;
  k.drop = chain_drop;
  k.touch = chain_touch;
  k.logp = chain_logp;
  k.ratios = chain_ratios;
  k.temper = chain_temper;
  k.tuner_bytes = tuner_bytes;
  k.tuner_init = tuner_init;
  k.tuner_update = tuner_update;
  k.tuner_setting = tuner_setting;
  k.tuner_words = tuner_words;
  k.tuner_save = tuner_save;
  k.tuner_load = tuner_load;
  return k;
}

static int run_of(const lbp_run *run, const potts *m, lbp_run_result *result) {
  const lbp_kernel kernel = make_kernel(m);
  return lbp_run_kernel(run, &kernel, m, N, result);
}

/* ---- columns and files ------------------------------------------------------------------------------------------- */

/* column->data: the model. */
static double one_item(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)n, item((const void *)x, is_wide(((const potts *)column->data)->values), column->site);
}

static double sum_of_items(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  double sum = 0;
  uint32_t i;
  for (i = 0; i < n; i++) sum += item((const void *)x, is_wide(((const potts *)column->data)->values), i);
  return sum;
}

enum { COLUMNS = 3 };
static lbp_run_column columns[COLUMNS] = {
    {"first", one_item, NULL, 0}, {"last", one_item, NULL, N - 1}, {"sum", sum_of_items, NULL, 0}};

static lbp_run plain_run(const potts *m) {
  lbp_run run;
  int k;
  for (k = 0; k < COLUMNS; k++) columns[k].data = m;
  lbp_run_init(&run);
  run.column = columns;
  run.columns = COLUMNS;
  run.digits = 17;
  return run;
}

/* The states of a chain from its .npy file, N numbers each; NULL if it is not as long as it should be. */
static uint32_t *read_states(const char *prefix, uint32_t chain, const potts *m, uint32_t draws) {
  const size_t bytes = is_wide(m->values) ? 4 : 2, cells = (size_t)draws * N;
  char path[300], shape[64], *text;
  uint32_t *states = (uint32_t *)calloc(cells, sizeof *states);
  size_t k, b;
  long size;
  snprintf(path, sizeof path, "%s_%lu_states.npy", prefix, (unsigned long)chain);
  snprintf(shape, sizeof shape, "'%s', 'fortran_order': False, 'shape': (%lu, %d), }", bytes == 4 ? "<u4" : "<u2",
           (unsigned long)draws, N);
  text = content(path, &size);
  CHECK(text && size == (long)(128 + cells * bytes) && strstr(text + 10, shape));
  for (k = 0; text && size == (long)(128 + cells * bytes) && k < cells; k++) {
    for (b = 0; b < bytes; b++) states[k] |= (uint32_t)(unsigned char)text[128 + k * bytes + b] << 8 * b;
  }
  free(text);
  return states;
}

/* Reads the next number of a row of a CSV file, and what follows it. */
static double next_number(char **at) {
  char *end;
  const double v = strtod(*at, &end);
  *at = end + (*end == ',');
  return v;
}

/* One row: log pi, columns and, in the CSV too, the state are those of the state in the other file. */
static void check_row(char *at, const uint32_t *state, const potts *m, int in_csv) {
  union {
    uint16_t two[N];
    uint32_t four[N];
  } x;
  double sum = 0, v;
  int i, wrong = 0;
  for (i = 0; i < N; i++) {
    if (is_wide(m->values)) x.four[i] = state[i];
    else x.two[i] = (uint16_t)state[i];
    sum += state[i];
    wrong += state[i] >= m->values;
  }
  v = next_number(&at);
  wrong += !(fabs(v - logp_of(m, &x)) <= 1e-12 * (1 + fabs(v)));
  for (i = 0; i < 6; i++) v = next_number(&at);
  wrong += next_number(&at) != state[0];
  wrong += next_number(&at) != state[N - 1];
  wrong += next_number(&at) != sum;
  for (i = 0; in_csv && i < N; i++) wrong += next_number(&at) != state[i];
  CHECK(wrong == 0 && *at == '\n');
}

static void check_files(const char *csv, const char *npy, const potts *m, uint32_t draws, int in_csv) {
  uint32_t chain, rows = 0;
  for (chain = 1; chain <= 3; chain++) {
    uint32_t *states = read_states(npy, chain, m, draws), row = 0;
    char path[300], *text, *at;
    long size;
    snprintf(path, sizeof path, "%s_%lu.csv", csv, (unsigned long)chain);
    text = content(path, &size);
    CHECK(text != NULL);
    if (in_csv) CHECK(text && strstr(text, ",first,last,sum,x.1,x.2,x.3,x.4\n"));
    for (at = text; at && *at && row < draws; at = strchr(at, '\n') + 1) {
      if (*at == '#' || *at == 'l') continue;
      check_row(at, states + (size_t)row++ * N, m, in_csv);
    }
    rows += row;
    free(text);
    free(states);
  }
  CHECK(rows == 3 * draws);
}

/* States in .npy files, in CSV files, and the best states, which a run hands over. */
static void test_files(const potts *m) {
  lbp_run run = plain_run(m);
  lbp_run_result result;
  uint32_t k;
  run.chains = 3;
  run.warmup = WARMUP;
  run.draws = DRAWS;
  run.thin = 5;
  run.save_states = LBP_STATES_NPY;
  run.prefix = in_folder("npy");
  CHECK(run_of(&run, m, &result) == LBP_OK && result.best_logp);
  for (k = 0; result.best_logp && k < 3; k++) {
    const void *best = result.best + k * N * (is_wide(m->values) ? 4 : 2);
    CHECK_NEAR(result.best_logp[k], logp_of(m, best), 1e-12 * (1 + fabs(result.best_logp[k])));
  }
  CHECK(result.parameter_name && strcmp(result.parameter_name, "width") == 0);
  lbp_run_free(&result);
  check_files(run.prefix, run.prefix, m, DRAWS, 0);
  run.save_states = LBP_STATES_CSV;
  run.prefix = in_folder("csv");
  CHECK(run_of(&run, m, &result) == LBP_OK);
  lbp_run_free(&result);
  check_files(run.prefix, in_folder("npy"), m, DRAWS, 1);
  remove_all(run.prefix, 3);
  remove_all(in_folder("npy"), 3);
}

/* ---- the law ----------------------------------------------------------------------------------------------------- */

enum { CHAINS = 10, LAW_DRAWS = 2000, FINE = 300, COARSE = 21 };

/* Of site 0: the chances of its value's place among FINE, and of its last digits; of a pair, those of its colours. */
static double fine[FINE], coarse[COARSE], pair[COLOURS * COLOURS], exact_log_z;

static uint32_t place(const potts *m, uint32_t v) { return (uint32_t)((uint64_t)v * FINE / m->values); }

static void find_law(const potts *m) {
  double weight[COLOURS] = {0}, all = 0, sum = 0;
  uint32_t v;
  int a, b;
  memset(fine, 0, sizeof fine);
  memset(coarse, 0, sizeof coarse);
  for (v = 0; v < m->values; v++) weight[colour(v)] += exp(log_weight(m, v));
  for (a = 0; a < COLOURS; a++) all += weight[a];
  for (a = 0; a < COLOURS; a++) sum += weight[a] * (all + expm1(m->pull) * weight[a]);
  for (a = 0; a < COLOURS; a++) {
    for (b = 0; b < COLOURS; b++) pair[a * COLOURS + b] = weight[a] * weight[b] * (a == b ? exp(m->pull) : 1) / sum;
  }
  for (v = 0; v < m->values; v++) {
    const double p = exp(log_weight(m, v)) * (all + expm1(m->pull) * weight[colour(v)]) / sum;
    fine[place(m, v)] += p;
    coarse[v % COARSE] += p;
  }
  exact_log_z = N / 2 * log(sum);
}

/* The states in the files against it. */
static void check_counts(const char *prefix, const potts *m) {
  static uint32_t seen_fine[N][FINE], seen_coarse[N][COARSE], seen_pair[N / 2][COLOURS * COLOURS];
  uint32_t chain, k, i;
  memset(seen_fine, 0, sizeof seen_fine);
  memset(seen_coarse, 0, sizeof seen_coarse);
  memset(seen_pair, 0, sizeof seen_pair);
  for (chain = 1; chain <= CHAINS; chain++) {
    uint32_t *states = read_states(prefix, chain, m, LAW_DRAWS);
    for (k = 0; k < LAW_DRAWS; k++) {
      const uint32_t *x = states + (size_t)k * N;
      for (i = 0; i < N; i++) {
        if (x[i] >= m->values) continue;
        seen_fine[i][place(m, x[i])]++;
        seen_coarse[i][x[i] % COARSE]++;
      }
      for (i = 0; i < N; i += 2) seen_pair[i / 2][colour(x[i]) * COLOURS + colour(x[i + 1])]++;
    }
    free(states);
  }
  for (i = 0; i < N; i++) {
    CHECK(chi2_counts(seen_fine[i], fine, FINE, CHAINS * LAW_DRAWS) > CHI2_LEVEL);
    CHECK(chi2_counts(seen_coarse[i], coarse, COARSE, CHAINS * LAW_DRAWS) > CHI2_LEVEL);
    if (i % 2 == 0) CHECK(chi2_counts(seen_pair[i / 2], pair, COLOURS * COLOURS, CHAINS * LAW_DRAWS) > CHI2_LEVEL);
  }
}

/* With tuners of their own, with a shared one, tempered. */
static void test_law(const potts *m) {
  lbp_run_result result;
  int way, k;
  find_law(m);
  for (way = 0; way < 3; way++) {
    lbp_run run = plain_run(m);
    run.seed = (uint64_t)(7 + way);
    run.chains = CHAINS;
    run.warmup = 4000;
    run.draws = LAW_DRAWS;
    run.thin = 100;
    run.shared_tuner = way == 1;
    run.tempering.rungs = way == 2 ? 3 : 1;
    run.tempering.swap_every = way == 2 ? 20 : 0;
    run.save_states = LBP_STATES_NPY;
    run.prefix = in_folder("law");
    CHECK(run_of(&run, m, &result) == LBP_OK && result.row);
    CHECK_NEAR(result.accept, 0.44, 0.05);
    for (k = 1; result.row && k <= COLUMNS; k++) CHECK(result.row[k].ess_bulk > 0.85 * (double)(CHAINS * LAW_DRAWS));
    check_counts(run.prefix, m);
    if (way == 2) {
      CHECK(result.log_z_status == LBP_OK && result.log_z_se < 0.1);
      CHECK_NEAR(result.log_z, exact_log_z, 6 * result.log_z_se);
    }
    lbp_run_free(&result);
    remove_all(run.prefix, CHAINS);
  }
}

static void test_annealing(const potts *m) {
  const lbp_kernel kernel = make_kernel(m);
  lbp_run run = plain_run(m);
  lbp_ais_result ais;
  find_law(m);
  run.chains = 400;
  run.tempering.rungs = 20;
  run.thin = 40;
  CHECK(lbp_ais_kernel(&run, &kernel, m, N, &ais) == LBP_OK);
  CHECK(ais.log_z_se > 0 && ais.log_z_se < 0.1);
  CHECK_NEAR(ais.log_z, exact_log_z, 6 * ais.log_z_se);
  lbp_ais_free(&ais);
}

/* ---- promises ---------------------------------------------------------------------------------------------------- */

static void test_promises(const potts *m) {
  const lbp_kernel kernel = make_kernel(m);
  int kind;
  for (kind = 0; kind < 3; kind++) {
    lbp_run run = plain_run(m);
    run.chains = 3;
    run.warmup = WARMUP;
    run.draws = DRAWS;
    run.thin = 4;
    run.shared_tuner = kind == 1;
    run.tempering.rungs = kind == 2 ? 3 : 1;
    run.tempering.swap_every = kind == 2 ? 2 : 0;
    CHECK(check_ways(run, &kernel, m, N) > (WARMUP + 4 * DRAWS) / 4);
  }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

typedef struct {
  const potts *m;
  uint32_t last;
} start;

/* All items 0 but the last one. */
static void begin_at(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  const start *s = (const start *)data;
  memset(x, 0, n * (is_wide(s->m->values) ? 4u : 2u));
  if (is_wide(s->m->values)) ((uint32_t *)(void *)x)[n - 1] = chain == 2 ? s->last : 1;
  else ((uint16_t *)(void *)x)[n - 1] = (uint16_t)(chain == 2 ? s->last : 1);
}

static void refuse(lbp_run run, const potts *m, int status, const char *word) {
  lbp_run_result result;
  CHECK(run_of(&run, m, &result) == status);
  CHECK(strstr(result.message, word) != NULL);
  if (result.status != status || !strstr(result.message, word)) printf("%d %s\n", result.status, result.message);
  lbp_run_free(&result);
}

static void test_refused(const potts *m) {
  const lbp_run_column bytes = {"site", lbp_run_site, NULL, 0};
  lbp_kernel cold = make_kernel(m), narrow = cold;
  lbp_run plain = plain_run(m), run;
  lbp_run_result result;
  potts other = *m;
  start at;
  at.m = m;
  plain.warmup = 20, plain.draws = 10;
  run = plain, run.start = begin_at, run.start_data = &at;
  at.last = m->values, refuse(run, m, LBP_E_STATE, "start");
  at.last = is_wide(m->values) ? UINT32_MAX : UINT16_MAX, refuse(run, m, LBP_E_STATE, "start");
  at.last = m->values - 1, refuse(run, m, LBP_OK, "");
  run = plain, run.values = m->values, refuse(run, m, LBP_OK, "");
  run = plain, run.values = 256, refuse(run, m, LBP_E_RANGE, "values");
  run = plain, run.sampler = LBP_SAMPLER_LBP, refuse(run, m, LBP_E_RANGE, "Metropolis (2000)");
  run = plain, run.marginals = 1, refuse(run, m, LBP_E_RANGE, "marginals");
  run = plain, run.parameter = m->values, refuse(run, m, LBP_E_RANGE, "parameter: at most half");
  run = plain, run.warmup = 0, refuse(run, m, LBP_E_RANGE, "width is tuned there: warm up, or give parameter, or");
  run.parameter = 5;
  CHECK(run_of(&run, m, &result) == LBP_OK && result.parameter == 5);
  lbp_run_free(&result);
  run = plain, run.column = &bytes, run.columns = 1, refuse(run, m, LBP_E_RANGE, "site: its function reads items of one byte");
  narrow.item_bytes = is_wide(m->values) ? 2 : 1;
  CHECK(lbp_run_kernel(&plain, &narrow, m, N, &result) == LBP_E_RANGE && strstr(result.message, "do not fit"));
  lbp_run_free(&result);
  cold.temper = NULL;
  run = plain, run.tempering.rungs = 2, run.thin = 2;
  CHECK(lbp_run_kernel(&run, &cold, m, N, &result) == LBP_E_RANGE && strstr(result.message, "tempering: this model cannot be tempered"));
  lbp_run_free(&result);
  CHECK(lbp_run_kernel(&plain, &cold, m, N + 1, &result) == LBP_E_SIZE && strstr(result.message, "a chain"));
  lbp_run_free(&result);
  run = plain, run.checkpoint = in_folder("refused.ckpt");
  refuse(run, m, LBP_OK, "");
  other.pull *= 1 + 1.0 / 1024;
  refuse(run, &other, LBP_E_FORMAT, "model");
  remove(run.checkpoint);
}

int main(void) {
  const potts model[2] = {{300, 6, 1.5}, {70000, 6, 1.5}};
  int k;
  CHECK(make_folder());
  for (k = 0; k < 2; k++) {
    test_files(&model[k]);
    test_promises(&model[k]);
    test_refused(&model[k]);
    if (!QUICK) test_law(&model[k]);
  }
  if (!QUICK) test_annealing(&model[0]);
  CHECK(rmdir(folder) == 0); /* nothing else was left */
  return test_report();
}
