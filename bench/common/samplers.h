/* The samplers of the paper's tables, the columns of their rows, and the figures to compare theirs with. */
#ifndef BENCH_SAMPLERS_H
#define BENCH_SAMPLERS_H

#include <inttypes.h>

#include "models.h"

typedef enum { MODE_ONE, MODE_TUNED, MODE_GRID, MODE_SWEEP } mode;

typedef struct {
  const char *name;
  int kernel;   /* LBP_SAMPLER_RWM and the like */
  mode mode;
  int in_table; /* a row of table 1 */
} sampler;

static const sampler samplers[] = {
  {"RWM-1", LBP_SAMPLER_RWM, MODE_ONE, 1},  {"ARWM", LBP_SAMPLER_RWM, MODE_TUNED, 1}, {"GRWM", LBP_SAMPLER_RWM, MODE_GRID, 1},
  {"GWG-1", LBP_SAMPLER_GWG, MODE_ONE, 0},  {"AGWG", LBP_SAMPLER_GWG, MODE_TUNED, 0}, {"GGWG", LBP_SAMPLER_GWG, MODE_GRID, 0},
  {"LBP-1", LBP_SAMPLER_LBP, MODE_ONE, 1},  {"ALBP", LBP_SAMPLER_LBP, MODE_TUNED, 1}, {"GLBP", LBP_SAMPLER_LBP, MODE_GRID, 1},
  {"Gibbs", LBP_SAMPLER_GIBBS, MODE_SWEEP, 1}};

enum { SAMPLERS = sizeof samplers / sizeof samplers[0] };

LBP_FN int is_weighted(const sampler *s) { return s->kernel == LBP_SAMPLER_LBP || s->kernel == LBP_SAMPLER_GWG; }

/* ---- figures to compare with ------------------------------------------------------------------------------------- */

/* Of reference.csv and paper.csv; negative: none. coded: of a simulation that takes the reverse path in forward order, with
 * which the paper's tables agree (its published code does not do so). */
typedef struct {
  struct {
    estimate ejd, ess;
    double coded_ejd, coded_ess;
  } reference;
  struct {
    double ejd, ess, seconds;
  } paper;
} figures;

enum { ROW_NAME = 96 };

/* What a row of any table begins with: "bernoulli,C2,N=800,ALBP,t/(1+t)". */
LBP_FN void name_row(char *text, int model, int config, uint32_t extent, const char *name, const char *weight) {
  snprintf(text, ROW_NAME, "%s,C%d,%c=%u,%s,%s", model_names[model], config, model_letters[model], (unsigned)extent,
           name, weight);
}

LBP_FN figures look_up(const char *data, const char *row) {
  static const char *const reference[] = {"ejd", "ejd_se", "ess", "ess_se", "ejd_as_in_paper_code",
                                          "ess_as_in_paper_code"};
  static const char *const paper[] = {"paper_ejd", "paper_ess", "paper_seconds"};
  figures f;
  bench_look_up(data, "reference.csv", row, reference, (double *)(void *)&f.reference, 6);
  bench_look_up(data, "paper.csv", row, paper, (double *)(void *)&f.paper, 3);
  return f;
}

/* The least and the largest figure that networks gave which were trained alike, but from other seeds (`make
 * bench-spread`); negative: not measured, or no network. */
typedef struct { double count, ejd[2], ess[2]; } networks;

LBP_FN networks look_up_networks(const char *data, const char *row) {
  static const char *const columns[] = {"networks", "ejd_least", "ejd_largest", "ess_least", "ess_largest"};
  networks n;
  bench_look_up(data, "networks.csv", row, columns, (double *)(void *)&n, 5);
  return n;
}

/* What tables are written with. */
static const char table_columns[] =
  "model,config,size,sampler,weight,chains,steps,seed,acceptance,acceptance_se,ejd,ejd_se,ess,ess_se,R,R_se,seconds,"
  "seconds_se,ess_per_second,evaluations_per_step,reference_ejd,reference_ejd_se,reference_ess,reference_ess_se,paper_ejd,"
  "paper_ess,paper_seconds";

LBP_FN void write_row(FILE *csv, const char *name, uint32_t chains, uint32_t steps, uint64_t seed, const run_result *r,
                      const figures *f) {
  fprintf(csv, "%s,%u,%u,%" PRIu64, name, (unsigned)chains, (unsigned)steps, seed);
  write_numbers(csv, r, 12); /* up to the evaluations */
  write_numbers(csv, &f->reference, 4);
  write_last(csv, &f->paper, 3);
}

#endif
