/* Options of runs by their names, and a run's calls of functions: its lines of progress, its draws. All that is set
 * reads back; wrong values and unknown options are refused with a sentence and change nothing; draws that are taken are
 * those of the files, whatever the items and wherever the run was cut off. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "../lbp_run.h"

#include <locale.h>

#include "odds.h"
#include "run_files.h"

#define LBP_NAME           bits
#define LBP_MODEL_T        odds
#define LBP_DELTA          odds_delta
#define LBP_NEIGHBOURS     odds_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           odds_logp
#define LBP_TEMPERED
#include "../lbp_run.h"

#define LBP_NAME           spins
#define LBP_MODEL_T        odds
#define LBP_CAT_STATES     ODDS_SPINS
#define LBP_CAT_DELTAS_OF  odds_spin
#define LBP_NEIGHBOURS     odds_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           odds_logp
#include "../lbp_run.h"

#define LBP_NAME           order
#define LBP_MODEL_T        odds
#define LBP_EXCHANGE       odds_exchange
#define LBP_NEIGHBOURS     odds_rows
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           odds_order
#include "../lbp_run.h"

static odds odds_make(uint32_t n) {
  odds m = {n, {0}};
  for (uint32_t i = 0; i < n; i++) m.h[i] = 0.1 * ((int)(i * 7 % 11) - 5);
  return m;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static lbp_run run;
static lbp_kernel kernel;
static char why[LBP_OPTION_TEXT];

/* Sets it, and reads it back as `want`. */
static void sets(const char *name, const char *value, const char *want) {
  char text[LBP_OPTION_TEXT] = "";
  CHECK(lbp_run_set(&run, &kernel, name, value, why) == LBP_OK);
  CHECK(lbp_run_option_of(name) != NULL);
  lbp_run_get(&run, &kernel, lbp_run_option_of(name), text);
  if (strcmp(text, want) != 0) printf("%s = %s reads %s\n", name, value, text);
  CHECK(strcmp(text, want) == 0);
}

/* It is refused: the sentence has `word`, and nothing has changed. */
static void refuses(const char *name, const char *value, const char *word) {
  lbp_run before;
  memcpy(&before, &run, sizeof run);
  why[0] = '\0';
  CHECK(lbp_run_set(&run, &kernel, name, value, why) == LBP_E_RANGE);
  if (!strstr(why, word)) printf("%s = %s: %s\n", name, value, why);
  CHECK(strstr(why, word) != NULL);
  CHECK(strstr(why, name) == why || strlen(name) > 60);
  CHECK(memcmp(&before, &run, sizeof run) == 0);
  CHECK(lbp_run_set(&run, &kernel, name, value, NULL) == LBP_E_RANGE);
}

static void check_values(void) {
  lbp_run_init(&run);
  sets("parameter", "2.5", "2.5");
  CHECK(run.parameter == 2.5);
  sets("parameter", "1e3", "1000");
  sets("parameter", "0.1", "0.1");
  sets("tempering.resample", "0.30000000000000004", "0.30000000000000004");
  CHECK(run.tempering.resample == 0.30000000000000004);
  sets("tempering.rungs", "8", "8");
  sets("tempering.adapt", "false", "false");
  sets("tempering.swap_every", "5", "5");
  CHECK(run.tempering.rungs == 8 && run.tempering.adapt == 0 && run.tempering.swap_every == 5);
  sets("annealing.sweeps", "1e10", "10000000000");
  sets("annealing.parameter_end", "1", "1");
  CHECK(run.annealing.sweeps == UINT64_C(10000000000) && run.annealing.parameter_end == 1);
  sets("chains", "16", "16");
  CHECK(run.chains == 16);
  sets("chains", "4294967295", "4294967295");
  sets("warmup", "1e6", "1000000");
  CHECK(run.warmup == 1000000);
  sets("seed", "18446744073709551615", "18446744073709551615");
  CHECK(run.seed == UINT64_MAX);
  sets("draws", "9007199254740993", "9007199254740993"); /* no double */
  sets("digits", "17", "17");
  sets("shared_tuner", "true", "true");
  CHECK(run.shared_tuner == 1);
  sets("shared_tuner", "0", "false");
  CHECK(run.shared_tuner == 0);
  sets("save_states", "npy", "npy");
  CHECK(run.save_states == LBP_STATES_NPY);
  sets("save_states", "none", "none");
  CHECK(run.save_states == LBP_STATES_NONE);
  sets("marginals", "conditional", "conditional");
  CHECK(run.marginals == LBP_MARGINALS_CONDITIONAL);
  sets("annealing.schedule", "geometric", "geometric");
  CHECK(run.annealing.schedule == LBP_SCHEDULE_GEOMETRIC);
  sets("prefix", "out/it", "out/it");
  CHECK(strcmp(run.prefix, "out/it") == 0);
  sets("prefix", "", "");
  CHECK(run.prefix == NULL);
}

static void check_samplers(void) {
  uint32_t k;
  lbp_run_init(&run);
  sets("sampler", "default", "default");
  CHECK(run.sampler == LBP_SAMPLER_DEFAULT);
  sets("sampler", "LBP", "lbp_r");
  CHECK(run.sampler == LBP_SAMPLER_LBP);
  sets("sampler", "skip gibbs", "skip_gibbs");
  sets("sampler", "skip_metropolis", "skip_metropolis");
  CHECK(run.sampler == LBP_SAMPLER_SKIP_METROPOLIS);
  for (k = 0; k < kernel.samplers; k++) sets("sampler", kernel.sampler[k].algorithm, kernel.sampler[k].algorithm);
  refuses("sampler", "lbpr", "default, LBP, ");
  refuses("sampler", "lb", "skip_Gibbs");
  refuses("sampler", "", "one of");
  refuses("sampler", "swap", "one of"); /* of other kernels */
}

/* The sentence ends so: nothing else is suggested. */
static void suggests(const char *name, const char *end) {
  refuses(name, "4", end);
  if (strlen(why) < strlen(end) || strcmp(why + strlen(why) - strlen(end), end) != 0) printf("%s\n", why);
  CHECK(strlen(why) >= strlen(end) && strcmp(why + strlen(why) - strlen(end), end) == 0);
}

/* Names of other programs and of earlier versions. */
static void check_other_names(void) {
  static const char *const others[] = {"start", "progress", NULL};
  suggests("num_reads", "option; the nearest: chains");
  suggests("Reads", "option; the nearest: chains");
  suggests("num_sweeps", "option; the nearest: annealing.sweeps");
  suggests("sweeps", "option; the nearest: annealing.sweeps");
  suggests("beta_range", "option; the nearest: annealing.hot, annealing.cold");
  suggests("beta", "option; the nearest: annealing.hot, annealing.cold"); /* no array, here */
  suggests("check", "option; the nearest: check_trials");
  suggests("together", "option; the nearest: batch");
  suggests("jumps", "option; the nearest: clock_jumps");
  suggests("shared", "option; the nearest: shared_tuner");
  suggests("states", "option; the nearest: save_states");
  suggests("best", "option; the nearest: best_states");
  suggests("burn in", "option; the nearest: warmup");
  suggests("iter", "option; the nearest: draws");
  suggests("num_samples", "option; the nearest: draws");
  suggests("swap", "option; the nearest: tempering.swap_every, tempering.swap_parts");
  suggests("warm", "option; the nearest: warmup");
  suggests("take", "option; functions, files and data are set in C only");
  suggests("n_jobs", "compiled with OpenMP (-fopenmp)");
  refuses("verbose", "4", "option; there are sampler, "); /* without "progress" */
  CHECK(lbp_runner_no_option(&kernel, "verbose", others, why) == LBP_E_RANGE);
  CHECK(strcmp(why, "verbose: there is no such option; the nearest: progress") == 0);
  CHECK(lbp_runner_no_option(&kernel, "init", others, why) == LBP_E_RANGE);
  CHECK(strcmp(why, "init: there is no such option; the nearest: start") == 0);
}

static void check_refusals(void) {
  static const char *const reals[] = {"", "x", "1x", "nan", "inf", "1e999", "0x10", "1,5", "1 ", " 1", "--1", "."};
  static const char *const wholes[] = {"", "-1", "1.5", "4294967296", "1e10", "x", "+", "1e-1", "0x1"};
  char longest[200];
  size_t k;
  lbp_run_init(&run);
  for (k = 0; k < sizeof reals / sizeof reals[0]; k++) refuses("parameter", reals[k], "a finite number");
  for (k = 0; k < sizeof wholes / sizeof wholes[0]; k++) refuses("chains", wholes[k], "2^32 - 1");
  refuses("seed", "18446744073709551616", "2^64 - 1");
  refuses("seed", "-1", "2^64 - 1");
  refuses("seed", "1e16", "2^64 - 1"); /* not every whole number is one of these */
  refuses("digits", "2147483648", "2^31 - 1");
  refuses("shared_tuner", "yes", "true or false");
  refuses("shared_tuner", "2", "true or false");
  refuses("save_states", "np", "one of none csv npy passed");
  refuses("save_states", "1", "one of none csv npy passed");
  refuses("", "4", "there is no such option; there are sampler, parameter, "); /* none is near */
  refuses("anything_else", "4", ", annealing.parameter_end, momentum.eps, momentum.relax, seconds, ");
  refuses("eps", "4", "; the nearest: momentum.eps");
  refuses("chians", "4", "there is no such option; the nearest: chains");
  refuses("Chains", "4", "; the nearest: chains");
  refuses("rungs", "4", "; the nearest: tempering.rungs");
  refuses("sweep", "4", "; the nearest: annealing.sweeps");
  refuses("hot", "4", "; the nearest: annealing.hot");
  refuses("annealing.rungs", "4", "; the nearest: tempering.rungs");
  refuses("temperng.rungs", "4", "; the nearest: tempering.rungs");
  refuses("tempering.rungs.rungs", "4", "; the nearest: tempering.rungs");
  refuses("checkpoint_second", "4", "; the nearest: checkpoint_seconds");
  refuses("R", "4", "there is no such option; the nearest: parameter"); /* of LBP; of the clock: */
  refuses("time", "4", "there is no such option; the nearest: parameter");
  refuses("burnin", "4", "; the nearest: warmup");
  refuses("iter", "4", "; the nearest: draws");
  refuses("states", "csv", "; the nearest: save_states");
  refuses("best", "1", "; the nearest: best_states");
  refuses("check", "1", "; the nearest: check_trials");
  refuses("jumps", "1", "; the nearest: clock_jumps");
  refuses("shared", "1", "; the nearest: shared_tuner");
  refuses("together", "4", "; the nearest: batch");
  refuses("tempering", "4", "this is a group of options; set tempering.rungs, tempering.adapt, tempering.adapt_ends, "
          "tempering.swap_every, tempering.swap_parts, tempering.replicas, tempering.resample");
  refuses("annealing", "", "this is a group of options; set annealing.sweeps, ");
  refuses("tempering.", "4", "; the nearest: tempering.rungs, tempering.adapt, tempering.adapt_ends");
  suggests("anneal", "; the nearest: annealing.sweeps, annealing.schedule, annealing.hot");
  check_other_names();
  memset(longest, 'a', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  refuses(longest, longest, "there is no such option");
  refuses("parameter", longest, "a finite number");
  CHECK(lbp_run_set(NULL, &kernel, "parameter", "1", why) == LBP_E_NULL);
  CHECK(lbp_run_set(&run, NULL, "parameter", "1", why) == LBP_E_NULL);
  CHECK(lbp_run_set(&run, &kernel, NULL, "1", why) == LBP_E_NULL);
  CHECK(lbp_run_set(&run, &kernel, "parameter", NULL, why) == LBP_E_NULL);
}

/* Each option is where it should be, next to the others: all are set, the last one first, then read back. */
static void check_table(void) {
  char text[LBP_OPTION_TEXT], value[32];
  const lbp_run_option *option;
  lbp_run other;
  uint32_t k, count = 0;
  lbp_run_init(&run);
  for (; (option = lbp_run_option_at(count)) != NULL; count++) {
    CHECK(lbp_run_option_of(option->name) == option);
    memcpy(&other, &run, sizeof run);
    lbp_run_get(&run, &kernel, option, text); /* defaults are values */
    CHECK(lbp_run_set(&other, &kernel, option->name, text, why) == LBP_OK);
    CHECK(option->kind == LBP_OPTION_STRING || memcmp(&other, &run, sizeof run) == 0);
  }
  CHECK(count == 40);
  for (k = count; k-- > 0;) {
    option = lbp_run_option_at(k);
    snprintf(value, sizeof value, "%u", option->kind <= LBP_OPTION_INT || option->kind == LBP_OPTION_REAL ? 100 + k : 1);
    if (option->kind < LBP_OPTION_CHOICE) CHECK(lbp_run_set(&run, &kernel, option->name, value, why) == LBP_OK);
  }
  for (k = 0; k < count; k++) {
    option = lbp_run_option_at(k);
    lbp_run_get(&run, &kernel, option, text);
    if (option->kind == LBP_OPTION_FLAG) {
      CHECK(strcmp(text, "true") == 0);
      memcpy(&other, &run, sizeof run);
      *(int *)((unsigned char *)&other + option->at) = k % 2 ? 2 : -1; /* as true as 1 */
      lbp_run_get(&other, &kernel, option, text);
      CHECK(strcmp(text, "true") == 0);
    } else if (option->kind == LBP_OPTION_STRING) CHECK(strcmp(text, "1") == 0);
    else if (option->kind < LBP_OPTION_CHOICE) CHECK(strtoul(text, NULL, 10) == 100 + k);
  }
  for (k = 0; k < count; k++) { /* in the order of the table, which is that of lbp_run */
    const double real[] = {run.parameter, run.clock_jumps, run.target, run.tempering.resample, run.annealing.hot,
                           run.annealing.cold, run.annealing.parameter_end, run.momentum.eps, run.momentum.relax,
                           run.seconds, run.rhat, run.ess, run.checkpoint_seconds};
    uint32_t at = 0, j;
    option = lbp_run_option_at(k);
    for (j = 0; j < k; j++) at += lbp_run_option_at(j)->kind == LBP_OPTION_REAL;
    if (option->kind == LBP_OPTION_REAL) CHECK(real[at] == 100 + k);
  }
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

typedef struct { int lines, last; char text[256]; } told;

static void hear(void *data, const char *line, int last) {
  told *t = (told *)data;
  t->lines++;
  t->last += last;
  snprintf(t->text, sizeof t->text, "%s", line);
}

static void check_tell(void) {
  const odds m = odds_make(9);
  told t = {0, 0, ""};
  lbp_run_result result;
  lbp_ais_result ais;
  FILE *nothing = tmpfile();
  lbp_run_init(&run);
  run.name = "bits";
  run.on_progress = hear;
  run.on_progress_data = &t;
  run.progress = nothing;
  CHECK(bits_run(&run, &m, m.n, &result) == LBP_OK);
  lbp_run_free(&result);
  CHECK(t.lines >= 1 && t.last == 1 && strstr(t.text, "bits: draw 1000/1000") == t.text);
  CHECK(nothing && ftell(nothing) == 0); /* in its place */
  run.draws = UINT64_MAX / 4; /* for more than a second: several lines */
  run.seconds = 1.2;
  CHECK(bits_run(&run, &m, m.n, &result) == LBP_OK);
  lbp_run_free(&result);
  CHECK(t.lines >= 3 && t.last == 2);
  run.draws = 1000;
  run.seconds = 0;
  run.annealing.sweeps = 50;
  CHECK(bits_anneal(&run, &m, m.n, &result) == LBP_OK);
  lbp_run_free(&result);
  CHECK(t.last == 3 && strstr(t.text, "bits: sweep 50/50") == t.text);
  run.tempering.rungs = 4;
  CHECK(bits_ais(&run, &m, m.n, &ais) == LBP_OK);
  lbp_ais_free(&ais);
  CHECK(t.last == 4 && strstr(t.text, "annealing, pass"));
  if (nothing) fclose(nothing);
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

enum { CHAINS = 3, DRAWS = 40 };
typedef struct {
  uint32_t n, item;
  uint64_t next[CHAINS], taken;
  double values[CHAINS][DRAWS][LBP_DRAW_VALUES + 1];
  uint8_t x[CHAINS][DRAWS][4 * ODDS_MOST];  /* 255: none came */
} draws;
static draws first_draws, other_draws;

static void keep(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  draws *d = (draws *)data;
  CHECK(chain < CHAINS && draw < DRAWS && draw == d->next[chain]);
  d->next[chain] = draw + 1;
  d->taken++;
  memcpy(d->values[chain][draw], values, sizeof d->values[chain][draw]);
  if (x) memcpy(d->x[chain][draw], x, (size_t)d->n * d->item);
  else d->x[chain][draw][0] = 255;
}

static double first_item(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)n, lbp_item(x, (size_t)column->site, 0);
}

typedef int runner(const lbp_run *, const odds *, uint32_t, lbp_run_result *);

/* What is taken is what the .npy files have, and the CSV. */
static void check_files(const draws *d, uint32_t values) {
  const size_t row = values == 2 ? (d->n + 7) / 8 : d->n * d->item;
  char path[64];
  for (uint32_t chain = 0; chain < CHAINS; chain++) {
    long size = 0;
    snprintf(path, sizeof path, "kept_%u_states.npy", (unsigned)chain + 1);
    uint8_t *npy = (uint8_t *)content(in_folder(path), &size);
    CHECK(npy && size == (long)(128 + DRAWS * row));
    for (uint32_t k = 0; npy && size == (long)(128 + DRAWS * row) && k < DRAWS; k++) {
      const uint8_t *at = npy + 128 + k * row;
      int same = 1;
      for (uint32_t i = 0; i < d->n; i++) {
        const uint32_t want = values == 2 ? at[i / 8] >> (7 - i % 8) & 1u : at[i * d->item];
        same &= lbp_item(d->x[chain][k], d->item, i) == want;
      }
      CHECK(same);
    }
    free(npy);
    snprintf(path, sizeof path, "kept_%u.csv", (unsigned)chain + 1);
    char *csv = content(in_folder(path), &size), *line = csv ? strstr(csv, "\n# Step size") : NULL;
    line = line ? strchr(line + 1, '\n') + 1 : NULL;
    for (uint32_t k = 0; line && k < DRAWS; k++, line = strchr(line, '\n') + 1) {
      double v[8] = {0};
      CHECK(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7) == 8);
      CHECK(v[0] == d->values[chain][k][LBP_DRAW_LOGP] && v[1] == d->values[chain][k][LBP_DRAW_ACCEPT]);
      CHECK(v[2] == d->values[chain][k][LBP_DRAW_PARAMETER] && v[4] == d->values[chain][k][LBP_DRAW_EVALUATIONS]);
      CHECK(v[7] == d->values[chain][k][LBP_DRAW_VALUES] && v[7] == lbp_item(d->x[chain][k], d->item, 0));
    }
    CHECK(line != NULL);
    free(csv);
  }
}

static void check_take(runner *go, uint32_t n, uint32_t item, uint32_t values) {
  const odds m = odds_make(n);
  const lbp_run_column column = {"first", first_item, NULL, item};
  lbp_run_result result;
  memset(&first_draws, 0, sizeof first_draws);
  first_draws.n = n;
  first_draws.item = item;
  memcpy(&other_draws, &first_draws, sizeof first_draws);
  lbp_run_init(&run);
  run.chains = CHAINS;
  run.draws = DRAWS;
  run.warmup = 50;
  run.thin = 2;
  run.on_draw = keep;
  run.on_draw_data = &first_draws;
  run.column = &column;
  run.columns = 1;
  run.digits = 17;
  run.prefix = in_folder("kept");
  run.save_states = LBP_STATES_NPY;
  CHECK(go(&run, &m, n, &result) == LBP_OK && first_draws.taken == CHAINS * DRAWS);
  lbp_run_free(&result);
  check_files(&first_draws, values);
  run.prefix = NULL; /* draws are the same without files */
  run.save_states = LBP_STATES_PASSED;
  run.on_draw_data = &other_draws;
  CHECK(go(&run, &m, n, &result) == LBP_OK);
  lbp_run_free(&result);
  CHECK(memcmp(&first_draws, &other_draws, sizeof first_draws) == 0);
  run.save_states = LBP_STATES_NONE; /* numbers alone */
  memset(other_draws.x, 0, sizeof other_draws.x);
  memset(other_draws.next, 0, sizeof other_draws.next);
  CHECK(go(&run, &m, n, &result) == LBP_OK);
  lbp_run_free(&result);
  CHECK(memcmp(first_draws.values, other_draws.values, sizeof first_draws.values) == 0 && other_draws.x[0][0][0] == 255);
  run.on_draw = NULL;
  run.save_states = LBP_STATES_PASSED;
  CHECK(go(&run, &m, n, &result) == LBP_E_RANGE && strstr(result.message, "which is NULL"));
}

/* A run that goes on hands out what is new. */
static void check_resumed(void) {
  const odds m = odds_make(13);
  lbp_run_result result;
  draws *const d = &other_draws;
  memset(&first_draws, 0, sizeof first_draws);
  first_draws.n = m.n;
  first_draws.item = 1;
  memcpy(d, &first_draws, sizeof *d);
  lbp_run_init(&run);
  run.chains = CHAINS;
  run.warmup = 50;
  run.on_draw = keep;
  run.on_draw_data = &first_draws;
  run.save_states = LBP_STATES_PASSED;
  run.draws = DRAWS;
  CHECK(bits_run(&run, &m, m.n, &result) == LBP_OK && first_draws.taken == CHAINS * DRAWS);
  lbp_run_free(&result);
  run.on_draw_data = d;
  run.checkpoint = in_folder("take.ckpt");
  run.draws = DRAWS / 4;
  CHECK(bits_run(&run, &m, m.n, &result) == LBP_OK && d->taken == CHAINS * (DRAWS / 4));
  lbp_run_free(&result);
  run.draws = DRAWS;
  CHECK(bits_run(&run, &m, m.n, &result) == LBP_OK && result.resumed && d->taken == CHAINS * DRAWS);
  lbp_run_free(&result);
  CHECK(memcmp(d->x, first_draws.x, sizeof d->x) == 0);
}

int main(void) {
  static const uint32_t lengths[] = {1, 7, 8, 9, 15, 16, 17, 63, 64, 65, ODDS_MOST};
  kernel = bits_kernel();
  check_values();
  check_samplers();
  check_refusals();
  check_table();
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "de_DE")) { /* 0,5 there */
    lbp_run_init(&run);
    sets("parameter", "2.5", "2.5");
    refuses("parameter", "2,5", "a finite number");
    setlocale(LC_NUMERIC, "C");
  }
  check_tell();
  CHECK(make_folder());
  for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
    check_take(bits_run, lengths[k], 1, 2);
    check_take(spins_run, lengths[k], 1, ODDS_SPINS);
  }
  check_take(order_run, 5, sizeof(uint32_t), 5);
  check_resumed();
  remove_all(in_folder("kept"), CHAINS);
  remove(in_folder("take.ckpt"));
  CHECK(rmdir(folder) == 0);
  return test_report();
}
