/* clusters - where cluster moves gain, and where they lose: effective samples per second of Swendsen and Wang's and
 * Wolff's steps next to sweeps; tempering of glasses by whole swaps next to exchanges of parts (README.md in this
 * folder). Run `make bench-clusters`, or build/bench/clusters --help. A study (study.h). --speed compares times of a
 * site with loops by hand. */
#include "chains.h"

#include "replicas.h"

#include "speed.h"

enum { CHAINS = 4 }; /* of a target: a cell each */

/* A cell of chains, or where `way` is not 0, of replicas. */
typedef struct {
  STUDY_CELL;
  int target, way;
  uint32_t part;
} cell;

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void plan(study *s) {
  for (int t = 0; t < TARGETS; t++) {
    const target *a = &targets[t];
    for (uint32_t part = 0; part < (s->quick ? 2 : CHAINS); part++) {
      cell c = {.target = t, .part = part};
      snprintf(c.key, sizeof c.key, "%s/%u", a->name, (unsigned)part + 1);
      const size_t begun = study_begin(s, c.parameters, sizeof c.parameters, 1);
      snprintf(c.parameters + begun, sizeof c.parameters - begun, " beta=%g field=%g steps=%u %u %u", a->beta, a->field,
               (unsigned)steps_of(a, RUN_GIBBS, s->quick), (unsigned)steps_of(a, RUN_SWENDSEN_WANG, s->quick),
               (unsigned)steps_of(a, RUN_WOLFF, s->quick));
      c.seed = study_seed(c.key, c.parameters);
      c.seconds = (a->kind >= GLASS_2D ? 3 : a->side == 128 ? 20 : a->side == 32 ? 4 : 8) *
                  (s->quick ? 0.01 : 1);
      study_add(s, &c);
    }
  }
  for (int t = 0; t < GLASSES; t++) {
    for (int way = 1; way <= WAYS; way++) {
      cell c = {.target = t, .way = way};
      if (!glass_rounds(t, way, s->quick)) continue;
      snprintf(c.key, sizeof c.key, "replicas/%s/%s", glasses[t].name, way_names[way]);
      const size_t begun = study_begin(s, c.parameters, sizeof c.parameters, 1);
      const int length = snprintf(c.parameters + begun, sizeof c.parameters - begun, " rungs=%u chains=%u rounds=%u",
                                  (unsigned)glasses[t].rungs, REPLICA_CHAINS, (unsigned)glass_rounds(t, way, s->quick));
      if (way == PARTS) {
        snprintf(c.parameters + begun + length, sizeof c.parameters - begun - (size_t)length, " warmup=%u",
                 (unsigned)glass_warmup(t, way, s->quick));
      }
      c.seed = study_seed(c.key, c.parameters);
      c.seconds = glass_seconds(t, way, s->quick);
      study_add(s, &c);
    }
  }
}

static int fits(const void *which, uint32_t count) {
  const cell *c = (const cell *)which;
  return count == (c->way ? sizeof(replica_outcome) / sizeof(double) : (uint32_t)(SAMPLERS * OUTCOME));
}

static void compute(study *s, const void *which) {
  const cell *c = (const cell *)which;
  if (c->way) {
    const replica_outcome out = run_replicas(c->target, c->way, s->quick, c->seed);
    basic_progress_add(basic_progress.share);
    study_keep(s, c, &out, sizeof out);
    return;
  }
  const target *t = target_of(c->target);
  outcome out[SAMPLERS] = {{0}};
  uint8_t *start = (uint8_t *)basic_alloc(t->n, 1);
  burn_in(t, s->quick ? 20 : 1000, c->seed, 0, start);
  for (int k = 0; k < SAMPLERS; k++) {
    if (k == RUN_LANES && is_run(t, k)) out[k] = run_lanes(t, &out[RUN_METROPOLIS], s->quick, c->seed);
    else if (is_run(t, k)) out[k] = run_chain(t, k, start, s->quick, c->seed, 2 + (uint32_t)k);
    basic_progress_add(basic_progress.share / SAMPLERS);
  }
  study_keep(s, c, out, sizeof out);
  free(start);
}

static void print_cell(const study *s, const void *which) { (void)s, printf("%-32s", ((const cell *)which)->key); }

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* What a sampler does on a target; second: effective samples per second of the slower of energy and order; gain: by
 * those of the better sweep of one chain. A cluster that moves nothing has no effective samples: NaN. */
typedef struct {
  estimate iact_energy, iact_order, energy, order, microseconds, second, gain;
  double share;
  uint32_t chains, steps;
} result;

/* The mean of a number over chains; NaN, which is none, of one that has none. */
static estimate over_chains(const double *value, uint32_t chains) {
  for (uint32_t k = 0; k < chains; k++) {
    if (!lbp_is_finite(value[k])) return (estimate){NAN, NAN};
  }
  return bench_estimate(value, chains);
}

/* Returns how many chains are finished. */
static uint32_t results_of(const study *s, int which, result *results) {
  outcome chain[CHAINS][SAMPLERS];
  const target *t = &targets[which];
  uint32_t chains = 0;
  int best = RUN_GIBBS;
  for (uint32_t k = 0; k < s->count; k++) {
    const cell *c = (const cell *)(const void *)study_at(s, k);
    const journal_entry *e = c->target == which && !c->way ? study_find(s, c) : NULL;
    if (e) memcpy(chain[chains++], e->values, sizeof chain[0]);
  }
  if (chains < 2) return 0;
  for (int k = 0; k < SAMPLERS; k++) {
    double energies[CHAINS], orders[CHAINS], energy[CHAINS], order[CHAINS], time[CHAINS], second[CHAINS], share[CHAINS];
    result *r = &results[k];
    for (uint32_t i = 0; i < chains; i++) {
      const outcome *o = &chain[i][k];
      energies[i] = o->iact_energy > 0 ? o->iact_energy : NAN;
      orders[i] = o->iact_order > 0 ? o->iact_order : NAN;
      energy[i] = o->energy, order[i] = o->order, time[i] = o->microseconds, share[i] = o->share;
      second[i] = 1e6 / (fmax(o->iact_energy, o->iact_order) * o->microseconds + 0 * (energies[i] + orders[i]));
    }
    *r = (result){over_chains(energies, chains), over_chains(orders, chains), over_chains(energy, chains),
                  over_chains(order, chains), over_chains(time, chains), over_chains(second, chains), {1, 0},
                  bench_estimate(share, chains).mean, chains, steps_of(t, k, s->quick)};
    if (k == RUN_METROPOLIS && r->second.mean > results[best].second.mean) best = k;
  }
  for (int k = 0; k < SAMPLERS; k++) results[k].gain = bench_ratio(results[k].second, results[best].second);
  results[best].gain.se = 0;
  return chains;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* A column of a table: empty where there is none. */
static void print_estimate(FILE *to, estimate e) {
  if (lbp_is_finite(e.mean) && lbp_is_finite(e.se)) print_figure(to, e);
  else fprintf(to, " %19s |", "");
}

static void print_clusters(const study *s, FILE *to, const char *what) {
  (void)what;
  fprintf(to, "| target | sampler | steps an effective sample: energy | order | us a step | effective samples per "
              "second | / best sweep |");
  print_rule(to, 6);
  fprintf(to, "\n");
  for (int k = 0; k < TARGETS; k++) {
    result results[SAMPLERS];
    if (!results_of(s, k, results)) continue;
    for (int r = 0; r < SAMPLERS; r++) {
      if (!is_run(&targets[k], r)) continue;
      fprintf(to, "| %-16s | %-13s |", targets[k].name, sampler_names[r]);
      print_estimate(to, results[r].iact_energy);
      print_estimate(to, results[r].iact_order);
      print_estimate(to, results[r].microseconds);
      print_estimate(to, results[r].second);
      print_estimate(to, results[r].gain);
      fprintf(to, "\n");
    }
  }
}

/* A comma and an estimate with its error; empty where there is none. Energies and orders may be negative. */
static void write_estimate(FILE *csv, estimate e) {
  if (lbp_is_finite(e.mean) && lbp_is_finite(e.se)) fprintf(csv, ",%.8g,%.4g", e.mean, e.se);
  else fprintf(csv, ",,");
}

static void write_clusters(const study *s, FILE *csv) {
  fprintf(csv, "target,sites,sampler,iact_energy,error,iact_order,error_iact_order,energy_per_site,error_energy,order,"
               "error_order,us_per_step,error_us,ess_per_s,error_ess,to_best_sweep,error_to_best,share,chains,steps\n");
  for (int k = 0; k < TARGETS; k++) {
    result results[SAMPLERS];
    if (!results_of(s, k, results)) continue;
    for (int r = 0; r < SAMPLERS; r++) {
      const result *a = &results[r];
      if (!is_run(&targets[k], r)) continue;
      fprintf(csv, "%s,%u,%s", targets[k].name, (unsigned)target_of(k)->n, sampler_names[r]);
      write_estimate(csv, a->iact_energy);
      write_estimate(csv, a->iact_order);
      write_estimate(csv, a->energy);
      write_estimate(csv, a->order);
      write_estimate(csv, a->microseconds);
      write_estimate(csv, a->second);
      write_estimate(csv, a->gain);
      fprintf(csv, ",%.4g,%u,%u\n", a->share, (unsigned)a->chains, (unsigned)a->steps);
    }
  }
}

/* The finished cell of replicas, or NULL. */
static const replica_outcome *replicas_of(const study *s, int glass, int way) {
  for (uint32_t k = 0; k < s->count; k++) {
    const cell *c = (const cell *)(const void *)study_at(s, k);
    const journal_entry *e = c->target == glass && c->way == way ? study_find(s, c) : NULL;
    if (e) return (const replica_outcome *)(const void *)e->values;
  }
  return NULL;
}

static void print_replicas(const study *s, FILE *to, const char *what) {
  (void)what;
  fprintf(to, "| glass | replicas | energy a site | rounds an effective sample: energy | overlap | us a round | mean "
              "of abs(q) | largest part: cold | hot |");
  print_rule(to, 8);
  fprintf(to, "\n");
  for (int k = 0; k < GLASSES; k++) {
    for (int way = 1; way <= WAYS; way++) {
      const replica_outcome *o = replicas_of(s, k, way);
      if (!o) continue;
      const replica_result r = replicas_result(o);
      fprintf(to, "| %s | %-14s | %.5f +- %.5f |", glasses[k].name, way_names[way], r.energy.mean, r.energy.se);
      print_estimate(to, r.iact_energy);
      print_estimate(to, r.iact_overlap);
      fprintf(to, " %.0f | %.4f +- %.4f |", o->microseconds, r.overlap.mean, r.overlap.se);
      if (o->cold >= 0) fprintf(to, " %.2f | %.2f |\n", o->cold, o->hot);
      else fprintf(to, " | |\n");
    }
  }
}

static void write_replicas(const study *s, FILE *csv) {
  fprintf(csv, "glass,sites,replicas,energy_per_site,error,iact_energy,error_iact_energy,iact_overlap,"
               "error_iact_overlap,us_per_round,overlap,error_overlap,cold,hot,best,chains,rounds\n");
  for (int k = 0; k < GLASSES; k++) {
    for (int way = 1; way <= WAYS; way++) {
      const replica_outcome *o = replicas_of(s, k, way);
      if (!o) continue;
      const replica_result r = replicas_result(o);
      fprintf(csv, "%s,%u,%s", glasses[k].name, (unsigned)glass_sites(k), way_names[way]);
      write_estimate(csv, r.energy);
      write_estimate(csv, r.iact_energy);
      write_estimate(csv, r.iact_overlap);
      fprintf(csv, ",%.5g", o->microseconds);
      write_estimate(csv, r.overlap);
      if (o->cold >= 0) fprintf(csv, ",%.3g,%.3g", o->cold, o->hot);
      else fprintf(csv, ",,");
      fprintf(csv, ",%.8g,%u,%.0f\n", o->best, REPLICA_CHAINS, o->rounds);
    }
  }
}

static void write_files(const study *s, FILE *const *csv) {
  write_clusters(s, csv[0]);
  write_replicas(s, csv[1]);
  print_clusters(s, stdout, "");
  print_replicas(s, stdout, "");
}

int main(int argc, char **argv) {
  static const char *const files[] = {"clusters.csv", "replicas.csv", "report.md"};
  static const study_part parts[] = {{"clusters", print_clusters}, {"replicas", print_replicas}};
  static study s = {.name = "clusters", .script = "bench/clusters/clusters.gp", .cell_bytes = sizeof(cell),
                    .journal_room = (size_t)4 << 20, .files = files, .file_count = 3, .plan = plan, .fits = fits,
                    .compute = compute, .print = print_cell, .write = write_files, .text = "bench/clusters/report.in",
                    .quick_text = "traces of a hundredth", .parts = parts, .part_count = 2};
  if (argc > 1 && strcmp(argv[1], "--speed") == 0) return compare_speed();
  return study_main(&s, argc, argv);
}
