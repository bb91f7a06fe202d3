/* The files of runs of lbp_run.h besides draws, written and read again: options, tuned settings, best states. A run
 * that is given the settings of another, without a warm-up, draws the same as chains tuned by hand, of
 * every template; a file that is not whole, not right or of another run is refused with a sentence. readers.sh reads
 * the files by JSON readers of others. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "../lbp_run.h"
#include "../lbp/models/selection.h"

#include <locale.h>
#include <sys/stat.h>
#if !LBP_P_WINDOWS
#include <sys/wait.h>
#endif

#include "odds.h"
#include "run_files.h"

/* Log-odds are multiples of 1/8 here, so that sums are exact in any order. */
enum { SITES = 12, WARMUP = 96, DRAWS = 40, FEW = 8 /* before chains forget */ };

static uint32_t odds_group(const odds *m, uint32_t i) { return (void)m, i % 2; }
static uint32_t odds_ones(const odds *m, uint32_t g) { return (void)m, 2 + g; }
static double odds_gradient(const odds *m, const uint8_t *x, double *out) {
  double logp = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    const double v = x[i], next = x[(i + 1) % m->n], before = x[(i + m->n - 1) % m->n];
    out[i] = m->h[i] - v / 2 + (next + before) / 8;
    logp += m->h[i] * v - v * v / 4 + v * next / 8;
  }
  return logp;
}

#define LBP_NAME           bits
#define LBP_MODEL_T        odds
#define LBP_DELTA          odds_delta
#define LBP_NEIGHBOURS     odds_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           odds_logp
#define LBP_TEMPERED
#define LBP_PATH
#define LBP_CLAMPED

#include "../lbp_run.h"

#define LBP_NAME           ticks
#define LBP_MODEL_T        odds
#define LBP_DELTA          odds_delta
#define LBP_NEIGHBOURS     odds_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           odds_logp
#define LBP_WEIGHT         LBP_BARKER
#define LBP_CLOCK          LBP_BARKER
#define LBP_REAL           double
#include "../lbp_run.h"

#define LBP_NAME           swaps
#define LBP_MODEL_T        odds
#define LBP_DELTA          odds_delta
#define LBP_NEIGHBOURS     odds_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           odds_logp
#define LBP_GROUP          odds_group
#define LBP_GROUP_ONES     odds_ones
#define LBP_WEIGHT         LBP_BARKER
#include "../lbp_run.h"

#define LBP_NAME           loose /* any number of ones, as a run begins */
#define LBP_MODEL_T        odds
#define LBP_DELTA          odds_delta
#define LBP_NEIGHBOURS     odds_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           odds_logp
#define LBP_GROUP          odds_group
#include "../lbp_run.h"

#define LBP_NAME        columns
#define LBP_MODEL_T     lbp_selection
#define LBP_FIELDS_T    lbp_selection_fields
#define LBP_FIELDS_INIT lbp_selection_fields_set
#define LBP_FIELDS_MAKE lbp_selection_fields_init
#define LBP_FIELDS_FREE lbp_selection_fields_free
#define LBP_FLIP        lbp_selection_flip
#define LBP_DELTAS      lbp_selection_deltas
#define LBP_DELTAS_EXACT
#define LBP_LOGP lbp_selection_logp
#include "../lbp_run.h"

#define LBP_NAME           spins
#define LBP_MODEL_T        odds
#define LBP_CAT_STATES     ODDS_SPINS
#define LBP_CAT_DELTAS_OF  odds_spin
#define LBP_NEIGHBOURS     odds_neighbours
#define LBP_MAX_NEIGHBOURS 1
#define LBP_LOGP           odds_logp
#include "../lbp_run.h"

#define LBP_NAME           orders
#define LBP_MODEL_T        odds
#define LBP_EXCHANGE       odds_exchange
#define LBP_NEIGHBOURS     odds_rows
#define LBP_MAX_NEIGHBOURS 0
#define LBP_LOGP           odds_order
#include "../lbp_run.h"

#define LBP_NAME     scale
#define LBP_STATES   2
#define LBP_MODEL_T  odds
#define LBP_GRADIENT odds_gradient
#include "../lbp_run.h"

static odds model;
static lbp_run_result result;

static lbp_run run_of(const char *prefix) {
  lbp_run run;
  lbp_run_init(&run);
  run.chains = 3;
  run.warmup = WARMUP;
  run.draws = DRAWS;
  run.check_trials = 0;
  run.prefix = prefix ? in_folder(prefix) : NULL;
  return run;
}

static int runs(const lbp_run *run, const lbp_kernel *kernel) {
  const int status = lbp_run_kernel(run, kernel, &model, model.n, &result);
  if (status != LBP_OK) printf("%s\n", result.message);
  lbp_run_free(&result);
  return status == LBP_OK;
}

/* ---- what was tuned ---------------------------------------------------------------------------------------------- */

enum { CHAINS = 7 };
static uint32_t drawn[CHAINS][DRAWS][SITES], warmup = FEW; /* enough to move R, with AB more, which does not notice */
static size_t item_bytes;

static void take(void *data, uint32_t chain, uint64_t draw, const double *values, const uint8_t *x) {
  uint32_t i;
  (void)data, (void)values;
  for (i = 0; i < SITES && chain < CHAINS && draw < DRAWS; i++) drawn[chain][draw][i] = lbp_item(x, item_bytes, i);
}

/* Chains by hand: tuned as those of a run are, then put back to where they began; their draws are those taken. */
static void compare_by_hand(const lbp_kernel *kernel, const lbp_run *run, uint32_t tuned) {
  lbp_chains c;
  lbp_plan plan;
  double accept[CHAINS];
  unsigned char *feedback;
  uint32_t chain, t, i, k, same = 0;
  CHECK(lbp_plan_init(&plan, kernel, run->sampler, SITES, run->values) == LBP_OK);
  plan.warmup = warmup;
  CHECK(lbp_chains_init(&c, kernel, &model, &plan, 0, tuned, run->shared_tuner ? 1 : 0) == LBP_OK);
  feedback = (unsigned char *)calloc(tuned * c.feedback_bytes + 1, 1);
  for (k = 0; k < tuned; k++) CHECK(lbp_chains_make(&c, k, 1) == LBP_OK);
  for (t = 0; t < warmup && run->shared_tuner; t++) {
    lbp_chains_step_apart(&c, accept, feedback, 0);
    lbp_chains_learn(&c, accept, feedback, tuned);
  }
  if (!run->shared_tuner) lbp_chains_steps(&c, warmup, 1, 0);
  for (chain = 0; chain < run->chains; chain++) {
    const uint32_t from = chain % tuned;
    lbp_unit *unit;
    lbp_chains other;
    CHECK(lbp_chains_init(&other, kernel, &model, &plan, chain, 1, 0) == LBP_OK);
    CHECK(lbp_chains_make(&other, 0, run->seed) == LBP_OK);
    unit = lbp_chains_unit(&other, 0);
    kernel->touch(unit);
    for (t = 0; t < FEW; t++) {
      plan.sampler->steps(unit, &model, &plan, lbp_chains_tuner(&c, from), 1, HUGE_VAL, 0, &other.moves[0]);
      kernel->logp(unit, &model);
      for (i = 0; i < SITES; i++) same += drawn[chain][t][i] == lbp_item(unit->x, kernel->item_bytes, i);
    }
    lbp_chains_free(&other);
  }
  if (same != run->chains * FEW * SITES) printf("%s: %lu\n", plan.sampler->algorithm, (unsigned long)same);
  CHECK(same == run->chains * FEW * SITES);
  free(feedback);
  lbp_chains_free(&c);
}

/* A run of `tuned` chains, and one of `chains` with what these have tuned, without a warm-up; its own file has the same. */
static void check_metric(const lbp_kernel *kernel, int sampler, int shared, uint32_t tuned, uint32_t chains) {
  lbp_run run = run_of("first");
  char *first, *second;
  long size;
  run.sampler = sampler;
  run.shared_tuner = shared;
  run.chains = tuned;
  run.warmup = warmup;
  CHECK(runs(&run, kernel));
  run = run_of("second");
  run.metric = in_folder("first_metric.json");
  run.sampler = sampler;
  run.chains = chains;
  run.shared_tuner = shared;
  run.warmup = 0;
  run.seed = 7;
  run.draws = FEW;
  run.on_draw = take;
  run.save_states = LBP_STATES_PASSED;
  item_bytes = kernel->item_bytes;
  memset(drawn, 0xff, sizeof drawn);
  CHECK(runs(&run, kernel));
  compare_by_hand(kernel, &run, tuned);
  first = content(in_folder("first_metric.json"), &size);
  second = content(in_folder("second_metric.json"), &size);
  CHECK(first && second && strstr(first, "\"stepsize\": ") && strstr(second, "\"stepsize\": "));
  if (first && second && strstr(first, "\"stepsize\": ") && strstr(second, "\"stepsize\": ")) {
    const char *a = strstr(first, "\"stepsize\": "), *b = strstr(second, "\"stepsize\": ");
    CHECK(strncmp(a, b, strcspn(a, "]")) == 0);
    a = lbp_p_json_find(first, "chains");
    CHECK(a && (!kernel->sampler->parameter_name || sampler == LBP_SAMPLER_GIBBS || !strstr(a, "\"stepsize\": 1,")));
  }
  free(first);
  free(second);
  run.warmup = 50; /* of the states: tuners stay */
  run.prefix = in_folder("third");
  CHECK(runs(&run, kernel));
  first = content(in_folder("second_metric.json"), &size);
  second = content(in_folder("third_metric.json"), &size);
  CHECK(first && second && strcmp(first, second) == 0);
  free(first);
  free(second);
  remove_all(in_folder("first"), tuned);
  remove_all(in_folder("second"), chains);
  remove_all(in_folder("third"), chains);
}

static void check_metrics(void) {
  const lbp_kernel bits = bits_kernel(), ticks = ticks_kernel(), swaps = swaps_kernel(), spins = spins_kernel();
  const lbp_kernel order = orders_kernel(SITES), scale = scale_kernel();
  check_metric(&bits, LBP_SAMPLER_LBP, 0, 3, 3);
  check_metric(&bits, LBP_SAMPLER_LBP, 0, 3, 7);
  check_metric(&bits, LBP_SAMPLER_LBP, 0, 5, 2);
  check_metric(&bits, LBP_SAMPLER_LBP, 1, 3, 5);
  check_metric(&bits, LBP_SAMPLER_GWG, 0, 3, 3);
  check_metric(&bits, LBP_SAMPLER_RWM, 0, 3, 3);
  check_metric(&bits, LBP_SAMPLER_GIBBS, 0, 3, 3);
  check_metric(&bits, LBP_SAMPLER_PATH, 0, 3, 3);
  check_metric(&ticks, LBP_SAMPLER_CLOCK, 0, 3, 4);
  check_metric(&ticks, LBP_SAMPLER_CLOCK, 1, 3, 4);
  check_metric(&swaps, LBP_SAMPLER_SWAP, 0, 3, 4);
  check_metric(&swaps, LBP_SAMPLER_SWAP, 1, 3, 4);
  check_metric(&spins, LBP_SAMPLER_LBP, 0, 3, 4);
  check_metric(&spins, LBP_SAMPLER_DLP, 0, 3, 4);
  check_metric(&order, LBP_SAMPLER_PAIRS, 0, 3, 4);
  check_metric(&order, LBP_SAMPLER_ROW, 0, 3, 4);
  warmup = WARMUP;
  check_metric(&scale, LBP_SAMPLER_AB, 0, 3, 4);
  check_metric(&scale, LBP_SAMPLER_AB, 1, 3, 4);
  check_metric(&scale, LBP_SAMPLER_DLP, 0, 3, 4);
  check_metric(&scale, LBP_SAMPLER_RWM, 0, 3, 4);
}

/* R that was given, and a ladder that was spaced: as if given again; what is given comes first. */
static void check_given(void) {
  const lbp_kernel kernel = bits_kernel();
  lbp_run run = run_of("first");
  double ladder[4];
  uint32_t k;
  run.parameter = 3;
  run.tempering.rungs = 4;
  run.warmup = 400;
  CHECK(lbp_run_kernel(&run, &kernel, &model, model.n, &result) == LBP_OK);
  for (k = 0; k < 4; k++) ladder[k] = result.ladder[k];
  CHECK(fabs(ladder[1] - 2.0 / 3) > 1e-6);
  lbp_run_free(&result);
  run.prefix = in_folder("second");
  run.tempering.ladder = ladder;
  run.warmup = 200; /* in which it would be spaced again */
  run.tempering.adapt = 0;
  CHECK(runs(&run, &kernel));
  run.parameter = 0;
  run.tempering.ladder = NULL;
  run.tempering.adapt = 1;
  run.metric = in_folder("first_metric.json");
  run.prefix = in_folder("third");
  CHECK(runs(&run, &kernel));
  CHECK(same_draws(in_folder("second"), in_folder("third"), 3, 0));
  run.parameter = 2;
  ladder[1] = 0.875;
  run.tempering.ladder = ladder;
  CHECK(lbp_run_kernel(&run, &kernel, &model, model.n, &result) == LBP_OK);
  CHECK(result.parameter == 2 && result.ladder[1] == 0.875);
  CHECK(result.warnings & LBP_WARN_PARITY);
  lbp_run_free(&result);
  run.prefix = in_folder("first"); /* now R = 2 is what the file has */
  CHECK(runs(&run, &kernel));
  run.parameter = 0;
  run.prefix = in_folder("third");
  CHECK(lbp_run_kernel(&run, &kernel, &model, model.n, &result) == LBP_OK);
  CHECK(result.parameter == 2 && (result.warnings & LBP_WARN_PARITY));
  lbp_run_free(&result);
  remove_all(in_folder("first"), 3);
  remove_all(in_folder("second"), 3);
  remove_all(in_folder("third"), 3);
}

/* With its own file as what it was given, cut off and gone on with; another file is another run. */
static void check_resumed(void) {
  const lbp_kernel kernel = bits_kernel();
  lbp_run run = run_of("whole");
  char *text;
  long size;
  CHECK(runs(&run, &kernel));
  run.seed = 2;
  run.metric = in_folder("whole_metric.json");
  run.chains = 5;
  run.prefix = in_folder("part");
  CHECK(runs(&run, &kernel));
  run.metric = in_folder("part_metric.json");
  run.prefix = in_folder("part");
  run.checkpoint = in_folder("part.ckpt");
  run.draws = DRAWS / 2;
  CHECK(runs(&run, &kernel));
  text = content(in_folder("part_config.json"), &size);
  CHECK(text && strstr(text, "\"resumed\": false") && strstr(text, "\"draws\": 20,"));
  free(text);
  run.draws = DRAWS;
  CHECK(runs(&run, &kernel)); /* of the file that it has written itself */
  text = content(in_folder("part_config.json"), &size);
  CHECK(text && strstr(text, "\"resumed\": true") && strstr(text, "\"draws\": 40,"));
  free(text);
  run.checkpoint = NULL;
  run.prefix = in_folder("other");
  CHECK(runs(&run, &kernel));
  CHECK(same_draws(in_folder("part"), in_folder("other"), 5, 0));
  run.checkpoint = in_folder("part.ckpt");
  run.prefix = in_folder("part");
  run.metric = in_folder("last_metric.json");
  {
    lbp_run last = run_of("last");
    last.chains = 5;
    last.seed = 99;
    CHECK(runs(&last, &kernel));
  }
  CHECK(lbp_run_kernel(&run, &kernel, &model, model.n, &result) == LBP_E_FORMAT);
  CHECK(strstr(result.message, "its metric differs"));
  remove(in_folder("part.ckpt"));
  remove_all(in_folder("whole"), 3);
  remove_all(in_folder("part"), 5);
  remove_all(in_folder("other"), 5);
  remove_all(in_folder("last"), 5);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static lbp_run given;
static lbp_kernel with;

static void refuses(int status, const char *word) {
  const int got = lbp_run_kernel(&given, &with, &model, model.n, &result);
  if (got != status || !strstr(result.message, word)) printf("%s, where there should be: %s\n", result.message, word);
  CHECK(got == status);
  CHECK(strstr(result.message, word) != NULL);
  lbp_run_free(&result);
}

/* One rung at another inverse temperature than 1: a run of its file has to say at which it draws. */
static void check_cooler(void) {
  static const double half = 0.5, one = 1;
  const lbp_run before = given;
  const lbp_kernel kernel = with;
  uint32_t k;
  with = bits_kernel();
  given = run_of("half");
  given.tempering.ladder = &half;
  CHECK(runs(&given, &with));
  given.prefix = NULL;
  given.metric = in_folder("half_metric.json");
  for (k = 0; k < 2; k++) {
    given.tempering.ladder = k ? &one : &half;
    CHECK(lbp_run_kernel(&given, &with, &model, model.n, &result) == LBP_OK && result.ladder[0] == (k ? one : half));
    lbp_run_free(&result);
  }
  given.tempering.ladder = NULL;
  refuses(LBP_E_FORMAT, "is of a run at inverse temperature 0.5: set tempering.ladder to this, or to 1");
  remove_all(in_folder("half"), 3);
  given = before;
  with = kernel;
}

/* The file with `from` changed to `to`. */
static void edited(const char *text, const char *from, const char *to, const char *word) {
  const char *at = strstr(text, from);
  char *copy = (char *)calloc(strlen(text) + strlen(to) + 1, 1);
  if (!at) printf("not there: %s\n", from);
  CHECK(at != NULL && copy != NULL);
  if (at && copy) {
    memcpy(copy, text, (size_t)(at - text));
    strcat(strcat(copy, to), at + strlen(from));
    write_file(given.metric, copy, (long)strlen(copy));
    if (*word) refuses(LBP_E_FORMAT, word);
    else CHECK(runs(&given, &with));
  }
  free(copy);
}

static void check_edited(const char *text) {
  edited(text, "\"lbp_r\"", "\"gwg_r\"", "not of the sampler lbp_r");
  edited(text, "\"n\": 12", "\"n\": 13", "its n is not 12");
  edited(text, "\"values\": 2", "\"values\": 3", "its values is not 2");
  edited(text, "\"lbp_weight\": ", "\"lbp_weight\": 7", "its lbp_weight is not");
  edited(text, "\"lbp_real_bytes\": ", "\"lbp_real_bytes\": 1", "its lbp_real_bytes is not ");
  edited(text, "\"lbp_real_bytes\": ", "\"lbp_real_bytes\": \"4\", \"a\": ", "its lbp_real_bytes is not ");
  edited(text, "\"rungs\": 1", "\"rungs\": 2", "its rungs is not 1");
  edited(text, "\"curvature\": null", "\"curvature\": \"00\"", "another curvature");
  edited(text, "\"lbp_version\": \"1.", "\"lbp_version\": \"9.", "another version");
  edited(text, "\"chains\": [", "\"chains\": [], \"before\": [", "a rung has no tuner");
  edited(text, "\"chains\": [", "\"chains\": 3, \"before\": [", "a rung has no tuner");
  edited(text, "\"chains\": [", "\"before\": [", "has no tuned settings");
  edited(text, "\"checksum\"", "\"checksums\"", "has no tuned settings");
  edited(text, "\"tuner\": [", "\"tuner\": [1, ", "some of its 3 finite numbers");
  edited(text, "\"tuner\": [", "\"tuner\": [], \"a\": [", "some of its 3 finite numbers");
  edited(text, "\"tuner\": [", "\"tuner\": [NaN], \"a\": [", "some of its 3 finite numbers");
  edited(text, "\"tuner\": [", "\"tuner\": [1e999, 2, 3], \"a\": [", "some of its 3 finite numbers");
  edited(text, "\"tuner\": [", "\"tuner\": [1, \"2\", 3], \"a\": [", "some of its 3 finite numbers");
  edited(text, "\"tuner\": [", "\"tuner\": [2, 2, 96], \"a\": [", "is damaged, or was edited");
  edited(text, "\"checksum\": \"", "\"checksum\": \"0", "is damaged, or was edited");
  edited(text, "\"fixed\": null", "\"fixed\": 3", "is damaged, or was edited");
  edited(text, "\"stepsize\": ", "\"stepsize\": 3, \"a\": ", "is damaged, or was edited"); /* told again of each tuner */
  edited(text, "\"setting\": [", "\"setting\": [3, 0, 0], \"a\": [", "is damaged, or was edited");
  edited(text, "\"id\": ", "\"id\": 9, \"a\": ", "is damaged, or was edited");
  edited(text, "\"rung\": ", "\"rung\": 7, \"a\": ", "is damaged, or was edited");
  edited(text, "\"tuner\": [", "\"tuner\": [{], [}, ", "truncated or not JSON");
  edited(text, "\n}", "\n} x", "truncated or not JSON");
  edited(text, "\n}", "", "truncated or not JSON");
  edited(text, "{", "[", "truncated or not JSON");
  edited(text, "\"chains\"", "\"before\": [[[[1, {\"chains\": \"]}\\\"\"}]]]],\t\r\n \"chains\"", ""); /* known well */
  edited(text, "\n}", ", \"after\" : {\"n\": 5}\n}\n \n", "");
}

static void check_refusals(void) {
  const lbp_kernel scale = scale_kernel();
  char deep[200], *text;
  long size, at;
  with = bits_kernel();
  given = run_of("it");
  CHECK(runs(&given, &with));
  text = content(in_folder("it_metric.json"), &size);
  given.prefix = NULL;
  given.metric = in_folder("edited.json");
  given.warmup = 0;
  refuses(LBP_E_FILE, "cannot read the metric");
  given.metric = folder;
  refuses(LBP_E_FILE, "not a regular file");
  given.metric = in_folder("edited.json");
  for (at = 0; text && at < size - 2; at += at < 40 || at > size - 40 ? 1 : 37) {
    write_file(given.metric, text, at);
    refuses(LBP_E_FORMAT, "truncated or not JSON");
  }
  memset(deep, '[', sizeof deep);
  write_file(given.metric, deep, sizeof deep);
  refuses(LBP_E_FORMAT, "truncated or not JSON");
  memset(deep, ']', sizeof deep);
  write_file(given.metric, deep, sizeof deep);
  refuses(LBP_E_FORMAT, "truncated or not JSON");
  if (text) check_edited(text);
  if (text) text[size / 2] = '\0', write_file(given.metric, text, size);
  refuses(LBP_E_FORMAT, "truncated or not JSON");
  free(text);
  given.metric = NULL;
  refuses(LBP_E_RANGE, "warm up, or give parameter, or a metric");
  given = run_of(NULL);
  given.tempering.rungs = 3;
  given.metric = in_folder("it_metric.json");
  refuses(LBP_E_FORMAT, "its rungs is not 3");
  given.tempering.adapt_ends = 1;
  refuses(LBP_E_RANGE, "with a metric nothing is tuned");
  check_cooler();
  given = run_of(NULL);
  given.metric = in_folder("it_metric.json");
  CHECK(lbp_anneal_kernel(&given, &with, &model, model.n, &result) == LBP_E_RANGE && strstr(result.message, "metric: "));
  {
    lbp_ais_result ais;
    given.tempering.rungs = 3;
    CHECK(lbp_ais_kernel(&given, &with, &model, model.n, &ais) == LBP_E_RANGE && strstr(ais.message, "metric: "));
    given.metric = NULL;
    given.best_states = 1;
    CHECK(lbp_ais_kernel(&given, &with, &model, model.n, &ais) == LBP_E_RANGE && strstr(ais.message, "best_states: "));
  }
  with = scale;
  given = run_of(NULL);
  given.metric = in_folder("it_metric.json");
  refuses(LBP_E_FORMAT, "not of the sampler");
  remove(in_folder("edited.json"));
  remove_all(in_folder("it"), 3);
}

/* An R that was fixed, and edited wherever it stands. */
static void check_fixed(void) {
  char *text, *at;
  long size;
  with = bits_kernel();
  given = run_of("it");
  given.parameter = 3;
  CHECK(runs(&given, &with));
  text = content(in_folder("it_metric.json"), &size);
  for (at = text; at && (at = strstr(at, "\"stepsize\": 3")) != NULL;) at[12] = '4';
  given.parameter = 0;
  given.prefix = NULL;
  given.metric = in_folder("edited.json");
  if (text) edited(text, "\"fixed\": 3", "\"fixed\": 4", "is damaged, or was edited");
  free(text);
  remove(in_folder("edited.json"));
  remove_all(in_folder("it"), 3);
}

/* An R that was fixed, where fewer sites may move now. */
static void start(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  (void)data, (void)chain;
  memset(x, 0, n);
}

static void start_in_order(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  uint32_t *s = (uint32_t *)(void *)x;
  (void)data, (void)chain;
  for (uint32_t a = 0; a < n; a++) s[a] = a;
}

static void check_clamped(void) {
  uint8_t mask[SITES] = {0};
  with = bits_kernel();
  given = run_of("it");
  given.parameter = SITES;
  CHECK(runs(&given, &with));
  given.parameter = 0;
  given.metric = in_folder("it_metric.json");
  given.prefix = in_folder("clamped");
  given.start = start;
  given.clamp = mask;
  mask[2] = mask[5] = 1;
  refuses(LBP_E_FORMAT, "has an R above the number of sites");
  given.parameter = 5;
  CHECK(runs(&given, &with));
  {
    long size;
    char *text = content(in_folder("clamped_config.json"), &size);
    CHECK(text && strstr(text, "\"clamp\": [2, 5]") && strstr(text, "\"start\": true") && strstr(text, "\"parameter\": 5,"));
    free(text);
  }
  remove_all(in_folder("it"), 3);
  remove_all(in_folder("clamped"), 3);
  with = orders_kernel(SITES); /* and where fewer pairs of rows do, which an even number of would keep a parity */
  given = run_of("it");
  given.sampler = LBP_SAMPLER_PAIRS;
  given.parameter = SITES / 2;
  CHECK(runs(&given, &with));
  given.parameter = 0;
  given.metric = in_folder("it_metric.json");
  given.prefix = NULL;
  given.start = start_in_order;
  given.clamp = mask;
  refuses(LBP_E_FORMAT, "has a setting that this run rejects: parameter: R is 0 (tuned), or 1 to half of the rows");
  remove_all(in_folder("it"), 3);
}

/* An R that was tuned to more sites than may move now: both files have the R that steps take, and are good for a run in
 * which all move again. */
static void check_cut(const lbp_kernel *kernel, int sampler, void (*begin)(const void *, uint32_t, uint8_t *, uint32_t)) {
  uint8_t mask[SITES];
  char *metric, *draws, *at;
  long size;
  uint32_t entries = 0;
  int as_used = 1;
  memset(mask, 1, sizeof mask);
  mask[2] = mask[3] = mask[5] = mask[7] = 0;
  with = *kernel;
  given = run_of("it");
  given.sampler = sampler;
  given.target = 0.01;
  CHECK(runs(&given, &with));
  given.metric = in_folder("it_metric.json");
  given.prefix = in_folder("cut");
  given.start = begin;
  given.clamp = mask;
  given.warmup = 0;
  CHECK(lbp_run_kernel(&given, &with, &model, model.n, &result) == LBP_OK);
  metric = content(in_folder("cut_metric.json"), &size);
  draws = content(in_folder("cut_1.csv"), &size);
  for (at = metric; at && (at = strstr(at, "\"stepsize\": ")) != NULL; at += 12, entries++) {
    as_used &= strtod(at + 12, NULL) == (sampler == LBP_SAMPLER_PAIRS ? 1.5 : 3.5);
  }
  CHECK(entries == given.chains && as_used);
  CHECK(draws && strstr(draws, sampler == LBP_SAMPLER_PAIRS ? "# Step size = 1.5\n" : "# Step size = 3.5\n"));
  CHECK(fabs(result.parameter - (sampler == LBP_SAMPLER_PAIRS ? 1.5 : 3.5)) < 0.3); /* 0.046 is the standard error */
  lbp_run_free(&result);
  given.metric = in_folder("cut_metric.json");
  given.prefix = NULL;
  CHECK(runs(&given, &with)); /* its own file */
  given.clamp = NULL;
  CHECK(runs(&given, &with));
  free(metric);
  free(draws);
  remove_all(in_folder("it"), 3);
  remove_all(in_folder("cut"), 3);
}

/* Swaps of a file from states with more pairs: the draws' files say the R that steps take; its own file has what was
 * tuned, for states like those. Both groups have six sites, of which `ones` are one. */
static void start_with_ones(const void *data, uint32_t chain, uint8_t *x, uint32_t n) {
  const uint32_t ones = *(const uint32_t *)data;
  uint32_t i;
  (void)chain;
  for (i = 0; i < n; i++) x[i] = i / 2 < ones;
}

static void check_fewer_pairs(void) {
  uint32_t ones = 3;
  char *metric, *draws;
  long size;
  with = loose_kernel();
  given = run_of("it");
  given.sampler = LBP_SAMPLER_SWAP;
  given.target = 0.01;
  given.start = start_with_ones;
  given.start_data = &ones;
  CHECK(runs(&given, &with));
  draws = content(in_folder("it_1.csv"), &size);
  CHECK(draws && strstr(draws, "# Step size = 5.5\n"));
  free(draws);
  ones = 1;
  given.metric = in_folder("it_metric.json");
  given.prefix = in_folder("cut");
  given.warmup = 0;
  CHECK(lbp_run_kernel(&given, &with, &model, model.n, &result) == LBP_OK);
  CHECK(fabs(result.parameter - 1.5) < 0.3);
  lbp_run_free(&result);
  draws = content(in_folder("cut_1.csv"), &size);
  CHECK(draws && strstr(draws, "# Step size = 1.5\n"));
  metric = content(in_folder("cut_metric.json"), &size);
  CHECK(metric && strstr(metric, "\"stepsize\": 5.5,"));
  free(metric);
  free(draws);
  remove_all(in_folder("it"), 3);
  remove_all(in_folder("cut"), 3);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void has(const char *text, const char *what) {
  if (!text || !strstr(text, what)) printf("not there: %s\n", what);
  CHECK(text && strstr(text, what));
}

static void check_config(void) {
  static const double ladder[] = {1, 0.5, 0.1};
  static const lbp_run_column ones = {"ones", lbp_run_ones, NULL, 0};
  const lbp_kernel kernel = bits_kernel();
  lbp_run run = run_of("config");
  char *text;
  const char *options;
  long size;
  uint32_t k;
  run.name = "a \"name\" \\ \t\x7f \xc3\xa9";
  run.tempering.rungs = 3;
  run.tempering.ladder = ladder;
  run.columns = 1;
  run.column = &ones;
  run.seed = UINT64_MAX;
  run.checkpoint = in_folder("config.ckpt");
  run.seconds = HUGE_VAL;
  CHECK(setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "C") != NULL);
  CHECK(runs(&run, &kernel));
  setlocale(LC_ALL, "C");
  text = content(in_folder("config_config.json"), &size);
  CHECK(text && lbp_p_json_end(text) && strcmp(lbp_p_json_end(text), "\n") == 0);
  has(text, "\"model_name\": \"a \\\"name\\\" \\\\ \\u0009\\u007f \xc3\xa9\"");
  has(text, "\"sampler\": \"lbp_r\"");
  has(text, "\"lbp_version\": \"");
  has(text, "\"ended\": \"complete\"");
  has(text, "\"tempering.ladder\": [1, 0.5, 0.1]");
  has(text, "\"clamp\": null");
  has(text, "\"column\": [\"ones\"]");
  has(text, "\"seed\": 18446744073709551615");
  has(text, "\"seconds\": null");
  has(text, "\"tempering.rungs\": 3");
  has(text, "\"tempering.adapt\": true");
  has(text, "\"annealing.schedule\": \"linear\"");
  has(text, "\"save_states\": \"none\"");
  has(text, "\"sampler\": \"default\"");
  has(text, "\"metric\": null");
  options = text ? lbp_p_json_find(text, "options") : NULL;
  for (k = 0; lbp_run_option_at(k); k++) CHECK(lbp_p_json_find(options, lbp_run_option_at(k)->name) != NULL);
  free(text);
  text = content(in_folder("config_metric.json"), &size);
  has(text, "\"ladder\": [1, 0."); /* spaced, so that all decimals are points */
  free(text);
  CHECK(access(in_folder("config_config.json.new"), F_OK) != 0);
  remove(run.checkpoint);
  remove_all(in_folder("config"), 3);
}

/* Bytes that are not UTF-8: a name with them is refused; in a path they become what Python reads back as such bytes. */
static void check_utf8(void) {
  static const char *const bad[] = {"\xff", "a\xc3", "\xc3(", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                                    "\xe2\x82", "\xe2\x82z", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
                                    "\x80"};
  const lbp_kernel kernel = bits_kernel();
  lbp_run run = run_of("utf8");
  char *text;
  long size;
  size_t k;
  for (k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    given = run, with = kernel;
    given.name = bad[k];
    refuses(LBP_E_RANGE, "name: it has bytes that are not UTF-8");
  }
  run.name = "\xc3\xa9 \xe0\xa0\x80 \xed\x9f\xbf \xe2\x82\xac \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf";
#if LBP_P_WINDOWS /* where names are UTF-8 */
  run.checkpoint = in_folder("\xc3\xa9.ckpt");
#else
  run.checkpoint = in_folder("\xc3\xa9\xe9\xe2\x82.ckpt");
#endif
  CHECK(runs(&run, &kernel));
  text = content(in_folder("utf8_config.json"), &size);
  has(text, "\"model_name\": \"\xc3\xa9 \xe0\xa0\x80 \xed\x9f\xbf \xe2\x82\xac \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf\"");
  has(text, LBP_P_WINDOWS ? "/\xc3\xa9.ckpt\"" : "/\xc3\xa9\\udce9\\udce2\\udc82.ckpt\"");
  free(text);
  CHECK(lbp_file_remove(run.checkpoint) == 0);
  remove_all(in_folder("utf8"), 3);
}

/* Where draws begin there is the first form, and after a kill at any time a whole file or none. Its path is in a text of
 * its own: chains on several threads come here at once, and in_folder keeps its texts for one. */
static double look(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  long size;
  char path[256], *text;
  snprintf(path, sizeof path, "%s/killed_config.json", folder);
  text = content(path, &size);
  (void)column, (void)x, (void)n;
  if (text) has(text, "\"end_datetime\": null"), has(text, "\"ended\": null");
  CHECK(text != NULL);
  free(text);
  return 0;
}

#if !LBP_P_WINDOWS /* windows.sh kills runs there */
static void check_killed(void) {
  static const lbp_run_column looks = {"looks", look, NULL, 0};
  const lbp_kernel kernel = bits_kernel();
  lbp_run run = run_of("killed");
  uint32_t k, there = 0;
  char prefix[256];
  run.prefix = strcpy(prefix, run.prefix);
  run.columns = 1;
  run.column = &looks;
  run.draws = 3;
  remove(in_folder("killed_config.json"));
  CHECK(runs(&run, &kernel));
  run.columns = 0;
  run.draws = 2;
  for (k = 0; k < 60; k++) {
    const pid_t child = fork();
    struct timespec wait = {0, 0};
    char *text;
    long size;
    int way;
    if (child == 0) {
      for (;;) lbp_run_kernel(&run, &kernel, &model, model.n, &result);
    }
    wait.tv_nsec = 1000000 + 50000 * (long)k;
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    for (way = 0; way < 2; way++) {
      text = content(in_folder(way ? "killed_metric.json" : "killed_config.json"), &size);
      if (text) {
        there++;
        CHECK(lbp_p_json_end(text) && strcmp(lbp_p_json_end(text), "\n") == 0);
        CHECK(lbp_p_json_find(text, way ? "checksum" : "options") != NULL);
      }
      free(text);
    }
  }
  CHECK(there > 0);
  remove(in_folder("killed_config.json.new"));
  remove(in_folder("killed_metric.json.new"));
  remove(in_folder("killed.lock"));
  remove_all(in_folder("killed"), 3);
}
#endif

/* ---- best states ------------------------------------------------------------------------------------------------- */

/* An item of a file, least significant byte first whatever the machine's order is. */
static uint32_t item_of_file(const uint8_t *row, uint32_t bytes, uint32_t i) {
  uint32_t v = 0, k;
  for (k = bytes; k > 0; k--) v = v << 8 | row[i * bytes + k - 1];
  return v;
}

/* Those of the files, against the result's. */
static void compare_best(const lbp_kernel *kernel, const char *prefix, uint32_t most) {
  char path[300], shape[48], line[96], number[32], *npy, *csv, *at;
  const int bits = kernel->item_bytes == 1 && kernel->values == 2;
  const uint32_t width = bits ? (SITES + 7) / 8 : SITES;
  uint32_t k, rows = 0, i;
  long size;
  snprintf(path, sizeof path, "%s_best.csv", prefix);
  csv = content(path, &size);
  snprintf(path, sizeof path, "%s_best.npy", prefix);
  npy = content(path, &size);
  CHECK(csv && npy && strncmp(csv, "rank,lp__,hits\n", 15) == 0);
  at = csv ? csv + 15 : NULL;
  for (k = 0; csv && npy && k < result.chains && rows < most; k++) {
    const uint8_t *x = result.best + (size_t)k * SITES * kernel->item_bytes;
    if (result.hits[k] == 0) continue;
    snprintf(line, sizeof line, "%lu,%s,%lu\n", (unsigned long)rows + 1,
             lbp_runner_print_real(result.best_logp[k], number), (unsigned long)result.hits[k]);
    CHECK(strncmp(at, line, strlen(line)) == 0);
    at += strlen(line);
    for (i = 0; i < SITES; i++) {
      const uint8_t *row = (const uint8_t *)npy + 128 + (size_t)rows * width * kernel->item_bytes;
      CHECK((bits ? row[i / 8] >> (7 - i % 8) & 1u : item_of_file(row, kernel->item_bytes, i)) ==
            lbp_item(x, kernel->item_bytes, i));
    }
    rows++;
  }
  CHECK(csv && *at == '\0');
  CHECK(rows == (result.different < most ? result.different : most));
  snprintf(shape, sizeof shape, "(%lu, %lu)", (unsigned long)rows, (unsigned long)width);
  CHECK(npy && size == 128 + (long)(rows * width * kernel->item_bytes) && strstr(npy + 10, shape));
  free(npy);
  free(csv);
}

/* One state, though chains come to it with fields that are rounded apart. */
static void check_best_of_fields(void) {
  enum { COLUMNS = 12 };
  lbp_run run = run_of("best");
  lbp_selection m;
  uint32_t k;
  CHECK(lbp_selection_random(&m, 60, COLUMNS, 0.3, 5, 1.0, NULL, 3) == LBP_OK);
  run.chains = run.best_states = 8;
  run.draws = 2000;
  run.start = lbp_selection_start;
  run.start_data = &m;
  CHECK(columns_run(&run, &m, COLUMNS, &result) == LBP_OK);
  for (k = 1; k < 8; k++) CHECK(memcmp(result.best, result.best + k * COLUMNS, COLUMNS) == 0);
  CHECK(result.different == 1 && result.hits[0] == 8);
  lbp_run_free(&result);
  lbp_selection_free(&m);
  remove_all(run.prefix, 8);
}

static void check_best(void) {
  const lbp_kernel kernels[3] = {bits_kernel(), spins_kernel(), orders_kernel(SITES)};
  uint32_t k, most;
  for (k = 0; k < 3; k++) {
    for (most = 1; most <= 9; most += 4) {
      lbp_run run = run_of("best");
      uint32_t sum = 0, c;
      run.chains = 9;
      run.draws = 6;
      run.best_states = most;
      CHECK(lbp_run_kernel(&run, &kernels[k], &model, model.n, &result) == LBP_OK);
      compare_best(&kernels[k], run.prefix, most);
      for (c = 0; c < 9; c++) sum += result.hits[c];
      CHECK(sum == 9);
      lbp_run_free(&result);
      remove_all(run.prefix, 9);
    }
  }
  check_best_of_fields();
  with = bits_kernel();
  given = run_of("best");
  given.best_states = 3;
  given.annealing.sweeps = 20;
  CHECK(lbp_anneal_kernel(&given, &with, &model, model.n, &result) == LBP_OK);
  compare_best(&with, given.prefix, 3);
  CHECK(access(in_folder("best_1.csv"), F_OK) != 0 && access(in_folder("best_config.json"), F_OK) != 0);
  lbp_run_free(&result);
  remove_all(in_folder("best"), 3);
  given.draws = 0; /* no state at all */
  CHECK(lbp_run_kernel(&given, &with, &model, model.n, &result) == LBP_OK);
  {
    long size;
    char *csv = content(in_folder("best_best.csv"), &size);
    CHECK(csv && strcmp(csv, "rank,lp__,hits\n") == 0);
    free(csv);
  }
  lbp_run_free(&result);
  remove_all(in_folder("best"), 3);
  given.best_states = 4;
  refuses(LBP_E_RANGE, "best_states: up to 3, the number of chains");
  CHECK(lbp_anneal_kernel(&given, &with, &model, model.n, &result) == LBP_E_RANGE);
  given.best_states = 1;
  given.prefix = NULL;
  refuses(LBP_E_RANGE, "best_states: set prefix");
  CHECK(lbp_anneal_kernel(&given, &with, &model, model.n, &result) == LBP_E_RANGE);
  CHECK(strstr(result.message, "best_states: set prefix"));
}

int main(void) {
  uint32_t i;
  model.n = SITES;
  for (i = 0; i < SITES; i++) model.h[i] = 0.125 * ((int)(i * 7 % 11) - 4);
  CHECK(make_folder());
  check_metrics();
  check_given();
  check_resumed();
  check_refusals();
  check_fixed();
  check_clamped();
  {
    const lbp_kernel bits = bits_kernel(), orders = orders_kernel(SITES);
    check_cut(&bits, LBP_SAMPLER_LBP, start);
    check_cut(&bits, LBP_SAMPLER_RWM, start);
    check_cut(&orders, LBP_SAMPLER_PAIRS, start_in_order);
    check_fewer_pairs();
  }
  check_config();
  check_utf8();
#if !LBP_P_WINDOWS
  check_killed();
#endif
  check_best();
  CHECK(rmdir(folder) == 0);
  return test_report();
}
