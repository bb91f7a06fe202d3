/* Runs that are stopped at random places and resumed, also in their warm-up, against the same in one piece: all of
 * lbp_run_result, the draws on disk, the best states, PREFIX_metric.json and PREFIX_config.json must be the same to the
 * bit. Callbacks of the model call resume_look, which stops a run after so many evaluations. */
#ifndef RUN_RESUMED_H
#define RUN_RESUMED_H

#include <math.h>
#include <signal.h>
#include <string.h>

#include "run_files.h"
#include "test.h"

/* Stops a run once it has made so many evaluations; below 0: never. */
static volatile sig_atomic_t asked;
static volatile long asks_left = -1, asks_made;

static inline void resume_look(void) {
  asks_made++;
  if (asks_left > 0 && --asks_left == 0) asked = 1;
}

static int same(const void *a, const void *b, size_t bytes) {
  if (!a || !b) return a == b;
  return memcmp(a, b, bytes) == 0;
}

/* The first thing in which two rows differ; NULL: none. */
static const char *row_differs(const lbp_run_row *a, const lbp_run_row *b) {
  if (strcmp(a->name, b->name) != 0) return "name";
  if (a->mean_status != b->mean_status || a->mean != b->mean) return "mean";
  if (a->mcse_status != b->mcse_status || a->mcse != b->mcse) return "MCSE";
  if (a->sd != b->sd || a->q5 != b->q5 || a->median != b->median || a->q95 != b->q95) return "quantiles";
  if (a->rhat_status != b->rhat_status || a->rhat != b->rhat) return "R-hat";
  if (a->ess_bulk_status != b->ess_bulk_status || a->ess_bulk != b->ess_bulk) return "bulk ESS";
  if (a->ess_tail_status != b->ess_tail_status || a->ess_tail != b->ess_tail) return "tail ESS";
  if (a->discrete_status != b->discrete_status) return "frequencies' status";
  if (a->discrete.values != b->discrete.values || a->discrete.mode != b->discrete.mode) return "mode";
  return a->discrete.share != b->discrete.share || a->discrete.entropy != b->discrete.entropy ? "frequencies" : NULL;
}

/* The same for two results, of n items of so many values each. Not compared: times, and `resumed`, which is of one
 * call. */
static const char *result_differs(const lbp_kernel *kernel, uint32_t n, uint32_t values, const lbp_run_result *a,
                                  const lbp_run_result *b) {
  const size_t chains = a->chains, states = chains * n * kernel->item_bytes, rungs = a->rungs * sizeof(double);
  const size_t shares = (size_t)n * (values > 2 ? values : 1) * sizeof(double);
  const char *what = NULL;
  uint32_t v;
  if (a->status != b->status || a->tuner_status != b->tuner_status) return "status";
  if (a->warnings != b->warnings) return "warnings";
  if (a->ended != b->ended) return "why it ended";
  if (a->blocked != b->blocked) return "blocked steps";
  if (a->draws != b->draws || a->kept != b->kept) return "draws";
  if (a->accept != b->accept) return "accept";
  if (a->jump != b->jump) return "jump";
  if (a->parameter != b->parameter || a->parameter_name != b->parameter_name) return "R";
  if (a->evaluations != b->evaluations) return "evaluations";
  if (a->rows != b->rows || a->chains != b->chains || a->rungs != b->rungs) return "numbers";
  for (v = 0; v < a->rows && !what; v++) what = row_differs(&a->row[v], &b->row[v]);
  if (what) return what;
  if (!same(a->best_logp, b->best_logp, chains * sizeof *a->best_logp)) return "best log pi";
  if (!same(a->best, b->best, states)) return "best states";
  if (!same(a->hits, b->hits, chains * sizeof *a->hits) || a->different != b->different) return "hits";
  if (a->marginal_status != b->marginal_status) return "marginals' status";
  if (!same(a->marginal, b->marginal, shares)) return "marginals";
  if (!same(a->marginal_se, b->marginal_se, shares)) return "marginals' errors";
  if (!same(a->ladder, b->ladder, rungs)) return "ladder";
  if (!same(a->swaps, b->swaps, rungs)) return "swaps";
  if (!same(a->parts, b->parts, 2 * rungs) || !same(a->largest_part, b->largest_part, 2 * rungs)) return "parts";
  if (a->by_parts != b->by_parts || a->replicas != b->replicas) return "replicas";
  if (a->round_trips != b->round_trips || a->round_trip_rate != b->round_trip_rate) return "round trips";
  if (a->round_trip_ideal != b->round_trip_ideal) return "ideal round trips";
  if (a->log_z_status != b->log_z_status || a->possible != b->possible) return "log Z's status";
  if (a->reached != b->reached || a->unreached != b->unreached) return "what is connected";
  if (!same(&a->log_z, &b->log_z, sizeof a->log_z)) return "log Z";
  if (!same(&a->log_z_se, &b->log_z_se, sizeof a->log_z_se)) return "the error of log Z"; /* maybe NaN */
  if (a->sweeps != b->sweeps || a->hot != b->hot || a->cold != b->cold) return "schedule";
  if (!same(a->last_logp, b->last_logp, chains * sizeof *a->last_logp)) return "last log pi";
  return same(a->last, b->last, states) ? NULL : "last states";
}

static int same_file(const char *name) {
  char left[64], right[64], *a, *b;
  long size, other;
  int alike;
  snprintf(left, sizeof left, "whole_%s", name);
  snprintf(right, sizeof right, "part_%s", name);
  a = content(in_folder(left), &size);
  b = content(in_folder(right), &other);
  alike = size == other && same(a, b, (size_t)(size > 0 ? size : 0));
  free(a);
  free(b);
  return alike;
}

/* A line of PREFIX_config.json that is of one call, or of the two runs. */
static int is_of_call(const char *line) {
  static const char *const name[] = {"start_datetime", "end_datetime", "resumed", "prefix", "checkpoint",
                                     "checkpoint_seconds"};
  char key[40];
  uint32_t k;
  if (strncmp(line, "  \"seconds\": ", 13) == 0) return 1; /* the option of that name stands deeper */
  for (k = 0; k < sizeof name / sizeof name[0]; k++) {
    snprintf(key, sizeof key, "\"%s\":", name[k]);
    if (strncmp(line + strspn(line, " "), key, strlen(key)) == 0) return 1;
  }
  return 0;
}

/* Whether PREFIX_config.json differs otherwise, or says that the second run was not resumed or took less time than
 * its warm-up, or more than its calls. */
static const char *config_differs(int written, double least, double most) {
  long size, other;
  char *whole = content(in_folder("whole_config.json"), &size), *part = content(in_folder("part_config.json"), &other);
  const char *a = whole, *b = part, *differs = written == (a && b) ? NULL : "whether there is a config.json";
  const char *time = part ? strstr(part, "\n  \"seconds\": ") : NULL;
  while (!differs && a && b && *a && *b) {
    const size_t left = strcspn(a, "\n"), right = strcspn(b, "\n");
    if (!is_of_call(a) && (left != right || memcmp(a, b, left) != 0)) differs = "config.json";
    a += left + (a[left] != 0);
    b += right + (b[right] != 0);
  }
  if (!differs && a && b && (*a || *b)) differs = "the length of config.json";
  if (!differs && part && !strstr(part, "\n  \"resumed\": true")) differs = "resumed in config.json";
  if (!differs && time && !(strtod(time + 14, NULL) >= 0.999 * least)) differs = "seconds in config.json, too few";
  if (!differs && time && !(strtod(time + 14, NULL) <= 2 * most + 0.1)) differs = "seconds in config.json, too many";
  free(whole);
  free(part);
  return differs;
}

/* Seconds of the warm-up, from the first file of draws; below 0: there is no such file. */
static double warm_seconds(void) {
  long size;
  char *text = content(in_folder("part_1.csv"), &size), *at = text ? strstr(text, "Elapsed Time: ") : NULL;
  const double v = at ? strtod(at + strlen("Elapsed Time: "), NULL) : -1;
  free(text);
  return v;
}

static double first_site(const lbp_run_column *column, const uint8_t *x, uint32_t n) {
  return (void)column, (void)n, x[0] + 2.0 * x[1] + 3.0 * x[2];
}

typedef int (*driver)(const lbp_run *run, const lbp_kernel *kernel, const void *model, uint32_t n,
                      lbp_run_result *result);

/* Compares a run in one piece with one that is stopped and resumed, also in its warm-up: each call ends after a 12th to
 * a quarter of all evaluations, the first three after a few steps. */
static void check_resumed(driver drive, lbp_kernel kernel, const void *model, uint32_t n, lbp_run run,
                          const char *what) {
  const lbp_run_column column = {"first", first_site, NULL, 0};
  const uint32_t values = kernel.values > 0 ? kernel.values : run.values;
  lbp_run_result whole, part;
  const char *differs = NULL;
  double warm = -1;
  uint32_t stops = 0, again, all;
  long asks_begin = 0; /* evaluations of a call before its first step */
  char text[200], whole_prefix[300], part_prefix[300], checkpoint[300];
  lbp_rng rng;
  snprintf(whole_prefix, sizeof whole_prefix, "%s", in_folder("whole"));
  snprintf(part_prefix, sizeof part_prefix, "%s", in_folder("part"));
  snprintf(checkpoint, sizeof checkpoint, "%s", in_folder("part.ckpt"));
  lbp_rng_init(&rng, 3, run.seed);
  run.column = &column;
  run.columns = 1;
  run.stop = &asked;
  run.on_draw = NULL;
  run.best_states = run.chains < 2 ? 1 : 2;
  run.check_trials = 0; /* it takes as many evaluations as a call */
  run.digits = 17;
  run.prefix = whole_prefix;
  asked = 0;
  asks_left = -1;
  asks_made = 0;
  CHECK(drive(&run, &kernel, model, n, &whole) == LBP_OK);
  all = (uint32_t)asks_made;
  run.prefix = part_prefix;
  run.checkpoint = checkpoint;
  run.checkpoint_seconds = 1e9; /* only at the end of a call */
  for (;;) {
    asked = stops < 3; /* after the first few steps */
    asks_left = 2 * asks_begin + 50 + all / 12 + (long)lbp_mulhi(lbp_rng_u64(&rng), all / 6);
    asks_made = 0;
    CHECK(drive(&run, &kernel, model, n, &part) == LBP_OK);
    if (part.status != LBP_OK) printf("%s: %s\n", what, part.message);
    if (part.status != LBP_OK) break;
    if (part.resumed != (stops > 0)) differs = "resumed";
    if (warm >= 0 && warm_seconds() != warm) differs = "seconds of the warm-up";
    if (drive == lbp_run_kernel && part.draws > 0) warm = warm_seconds();
    if (part.seconds < warm) differs = "seconds";
    if (asked && stops < 3) asks_begin = asks_made;
    if (part.ended != LBP_END_STOPPED || stops > 200) break;
    lbp_run_free(&part);
    stops++;
  }
  asks_left = -1;
  asked = 0;
  for (again = 0; part.status == LBP_OK && again < 2; again++) { /* when it is complete it says the same again */
    if (!differs) differs = result_differs(&kernel, n, values, &whole, &part);
    if (!differs && !same_file("best.csv")) differs = "best.csv";
    if (!differs && !same_file("best.npy")) differs = "best.npy";
    if (!differs && !same_file("metric.json")) differs = "metric.json";
    if (!differs) differs = config_differs(drive == lbp_run_kernel, warm, part.seconds);
    if (!differs && drive == lbp_run_kernel &&
        !same_draws(whole_prefix, part_prefix, run.chains, run.save_states == LBP_STATES_NPY)) {
      differs = "draws on disk";
    }
    lbp_run_free(&part);
    CHECK(drive(&run, &kernel, model, n, &part) == LBP_OK);
  }
  lbp_run_free(&part);
  lbp_run_free(&whole);
  snprintf(text, sizeof text, "%s, stopped %u times: %s differs", what, (unsigned)stops, differs ? differs : "nothing");
  test_count(!differs && stops > 2, __FILE__, __LINE__, text);
  remove(checkpoint);
  remove_all(whole_prefix, run.chains);
  remove_all(part_prefix, run.chains);
}

#endif
