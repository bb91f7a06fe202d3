/* Compares our samplers with data/constraints.csv: a row is a model, a sampler and its R. */
#ifndef BENCH_CONSTRAINTS_REFERENCE_H
#define BENCH_CONSTRAINTS_REFERENCE_H

#include "by_hand.h"

enum { ACCEPTANCE, EJD, ESS, MEASURES, EVALUATIONS = MEASURES, TRACE, NUMBERS };
static const char *const measure_names[MEASURES] = {"acceptance", "jump distance", "ESS"};

enum { REFERENCE_MOST = 100, SHIFT_STEPS = 1024 };

typedef struct {
  const char *name;    /* in data/constraints.csv */
  int sampler;         /* of the library; -1: */
  hand_step *step;     /* by hand */
  int matching, R;     /* for matchings, or for sites; 0: any R */
} sampler_name;

static const sampler_name sampler_names[] = {
  {"uniform-swap", LBP_SAMPLER_KAWASAKI, NULL, 0, 1}, {"uniform-swap", -1, two_uniform_swaps, 0, 2},
  {"uniform-swap", -1, one_exchange, 1, 1}, {"uniform-swap", -1, two_exchanges, 1, 2},
  {"informed-swap", LBP_SAMPLER_SWAP, NULL, 0, 0}, {"informed-swap-ones-first", -1, ones_first, 0, 1},
  {"remove-add-path", LBP_SAMPLER_SWAP_PATH, NULL, 0, 0}, {"down-up", -1, down_up, 0, 1},
  {"kawasaki-edge", -1, kawasaki_edge, 0, 1}, {"row-exchange", LBP_SAMPLER_ROW, NULL, 1, 1},
  {"row-exchange-informed", LBP_SAMPLER_ROW, NULL, 1, 1}, {"informed-exchange", LBP_SAMPLER_PAIRS, NULL, 1, 0},
  {"LBP", LBP_SAMPLER_LBP, NULL, 0, 0}, {"flip-path", LBP_SAMPLER_PATH, NULL, 0, 0}};

typedef struct {
  char name[32], weight[16], note[80]; /* of the sampler and its weight, as in the file */
  int target, kernel, shifted;
  const sampler_name *sampler;
  uint32_t R, chains, steps;
  estimate want[MEASURES];
} reference;

static reference references[REFERENCE_MOST];
static int reference_count;

static const sampler_name *sampler_of(const char *name, int matching, uint32_t R) {
  for (size_t k = 0; k < sizeof sampler_names / sizeof sampler_names[0]; k++) {
    const sampler_name *s = &sampler_names[k];
    if (strcmp(s->name, name) == 0 && s->matching == matching && (s->R == 0 || (uint32_t)s->R == R)) return s;
  }
  return NULL;
}

static void read_references(const char *folder) {
  char path[1024], line[512], *cell[14];
  snprintf(path, sizeof path, "%s/constraints.csv", folder);
  FILE *csv = fopen(path, "r");
  if (!csv || !fgets(line, sizeof line, csv)) basic_die("cannot read %s", path);
  while (fgets(line, sizeof line, csv)) {
    reference r = {.R = 0};
    if (bench_split(line, cell, 14) != 14) basic_die("%s: a row that has not 14 columns", path);
    if (reference_count == REFERENCE_MOST) basic_die("%s: more than %d rows", path, REFERENCE_MOST);
    r.target = target_of(cell[0]);
    r.R = (uint32_t)atoi(cell[4]);
    r.sampler = r.target < 0 ? NULL : sampler_of(cell[2], is_matching(&targets[r.target]), r.R);
    if (!r.sampler) basic_die("%s: %s, %s, R = %s: there is no such model or sampler", path, cell[0], cell[2], cell[4]);
    r.kernel = weight_of(cell[3]);
    if (strcmp(cell[2], "row-exchange-informed") == 0) r.kernel += WEIGHTS;
    r.shifted = strstr(cell[13], "shift=") != NULL;
    snprintf(r.name, sizeof r.name, "%s", cell[2]);
    snprintf(r.weight, sizeof r.weight, "%s", cell[3]);
    snprintf(r.note, sizeof r.note, "%s", strstr(cell[13], "ess-near-floor") ? "ess-near-floor" : "");
    for (int m = 0; m < MEASURES; m++) r.want[m] = (estimate){atof(cell[5 + 2 * m]), atof(cell[6 + 2 * m])};
    r.chains = (uint32_t)atoi(cell[11]);
    r.steps = (uint32_t)atoi(cell[12]);
    if (r.chains > REFERENCE_MOST) basic_die("%s: more than %d chains", path, REFERENCE_MOST);
    references[reference_count++] = r;
  }
  fclose(csv);
}

/* ---- the distance to x0 ------------------------------------------------------------------------------------------ */

typedef struct {
  const target *t;
  const void *state;
  uint32_t distance;
} tracker;

static void track_all(tracker *w) {
  const target *t = w->t;
  w->distance = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    if (is_matching(t)) w->distance += t->x0[i * MATCHED + ((const uint32_t *)w->state)[i]];
    else w->distance += ((const uint8_t *)w->state)[i] != t->x0[i];
  }
}

/* These items have changed; NULL: any may have. */
static void track(void *data, const void *chain, const uint32_t *changed, uint32_t count) {
  tracker *w = (tracker *)data;
  const uint8_t *x = (const uint8_t *)w->state, *x0 = w->t->x0;
  (void)chain;
  if ((!changed && count > 0) || (is_matching(w->t) && count > 0)) track_all(w);
  else for (uint32_t k = 0; k < count; k++) w->distance += x[changed[k]] != x0[changed[k]] ? 1u : -1u;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* One chain of a row: of the library, or by hand. */
typedef struct {
  tracker seen;
  hand_step *step;
  hand hand;
  lbp_chains c;
  double accept, jump, evaluations; /* sums since walker_reset */
} walker;

/* kernel: which of the target's; R 0: what sampler has none; tuned: steps that R, if it is 0, and the shift are tuned
 * in, if the sampler has that. */
static void walker_make(walker *w, const target *t, const sampler_name *s, int kernel, double R, uint32_t tuned,
                        uint64_t seed, uint32_t stream) {
  const lbp_kernel *k = &t->kernel[kernel];
  lbp_plan plan;
  memset(w, 0, sizeof *w);
  w->seen.t = t;
  w->step = s->step;
  if (w->step) {
    hand_make(&w->hand, t, seed, stream, s->step == down_up);
    w->seen.state = is_matching(t) ? (const void *)w->hand.s : w->hand.x;
  } else {
    bench_expect(lbp_plan_init(&plan, k, s->sampler, t->n, 0), s->name);
    plan.warmup = tuned;
    plan.setting[0] = plan.sampler->parameter_name ? R : 0;
    plan.see = track;
    plan.see_data = &w->seen;
    bench_expect(lbp_chains_init(&w->c, k, t->model, &plan, stream, 1, 0), s->name);
    bench_expect(lbp_chains_make(&w->c, 0, seed), s->name);
    lbp_unit *unit = lbp_chains_unit(&w->c, 0);
    set_start(t, unit->x, &unit->rng);
    k->touch(unit);
    w->seen.state = unit->x;
  }
  track_all(&w->seen);
  if (w->c.kernel) lbp_chains_step(&w->c, 0, 1, tuned, HUGE_VAL, 1);
}

static void walker_free(walker *w) {
  if (w->step) hand_free(&w->hand);
  else lbp_chains_free(&w->c);
}

/* Steps; the distance after each, where trace is not NULL. */
static void walker_walk(walker *w, uint32_t steps, double *trace) {
  for (uint32_t k = 0; k < steps; k++) {
    if (w->step) {
      const hand_info info = w->step(&w->hand);
      w->accept += info.accept;
      w->jump += info.count;
      track(&w->seen, NULL, info.changed, info.count);
    } else {
      lbp_chains_step(&w->c, 0, 1, 1, HUGE_VAL, 0);
    }
    if (trace) trace[k] = w->seen.distance;
  }
  if (w->step) return;
  w->accept += w->c.moves[0].accept;
  w->jump += w->c.moves[0].jump;
  w->evaluations += w->c.moves[0].evaluations;
  memset(w->c.moves, 0, sizeof *w->c.moves);
}

static void walker_reset(walker *w) {
  if (!w->step) memset(w->c.moves, 0, sizeof *w->c.moves);
  w->accept = w->jump = w->evaluations = 0;
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

/* The first half of the steps is dropped, as in the reference. Means over chains; a chain whose trace has no effective
 * sample size does not count in that. */
static void run_reference(const reference *r, uint32_t chains, uint64_t seed, estimate got[NUMBERS]) {
  const target *t = &targets[r->target];
  const uint32_t kept = r->steps / 2;
  double value[NUMBERS][REFERENCE_MOST];
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < (int)chains; k++) {
    double *trace = (double *)basic_alloc(kept, sizeof *trace), sum = 0;
    walker w;
    walker_make(&w, t, r->sampler, r->kernel, r->R, r->shifted ? SHIFT_STEPS : 0, seed, (uint32_t)k);
    walker_walk(&w, r->steps - kept, NULL);
    walker_reset(&w);
    walker_walk(&w, kept, trace);
    for (uint32_t s = 0; s < kept; s++) sum += trace[s];
    value[ACCEPTANCE][k] = w.accept / kept;
    value[EJD][k] = w.jump / kept;
    value[ESS][k] = bench_ess(trace, kept);
    value[EVALUATIONS][k] = w.evaluations / kept;
    value[TRACE][k] = sum / kept;
    walker_free(&w);
    free(trace);
#pragma omp critical
    basic_progress_add(basic_progress.share / chains);
  }
  for (int m = 0; m < NUMBERS; m++) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < chains; k++) {
      if (m != ESS || value[m][k] >= 0) value[m][count++] = value[m][k];
    }
    got[m] = bench_estimate(value[m], count);
  }
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* A walk that hardly moves has an effective sample size that says nothing. */
static int is_exempt(const reference *r, int measure) { return measure == ESS && r->want[ESS].mean < LEAST_ESS; }

static int is_within(const reference *r, const estimate *got, int measure) {
  return is_exempt(r, measure) || is_near(got[measure], r->want[measure], 0.03);
}

#endif
