/* The samplers of the paper's tables, and the figures of reference.csv and paper.csv to compare theirs with. */
#ifndef BENCH_SAMPLERS_H
#define BENCH_SAMPLERS_H

#include "../../lbp_kernel.h"
#include "harness.h"

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

/* ---- figures to compare with ----------------------------------------------------------------------------------- */

typedef struct {
  double ejd, ejd_se, ess, ess_se, seconds; /* negative: none */
  double coded_ejd, coded_ess;              /* of the paper's code, emulated: the reverse path in forward order */
} figures;

/* What tables are written with: columns, and a number or an empty field. */
static const char table_columns[] =
  "model,config,size,sampler,weight,chains,steps,seed,acceptance,acceptance_se,ejd,ejd_se,ess,ess_se,R,R_se,seconds,"
  "seconds_se,ess_per_second,evaluations_per_step,reference_ejd,reference_ejd_se,reference_ess,reference_ess_se,paper_ejd,"
  "paper_ess,paper_seconds\n";

LBP_FN void write_number(FILE *csv, double v) {
  if (v < 0 || !lbp_is_finite(v)) fprintf(csv, ",");
  else fprintf(csv, ",%.6g", v);
}

/* The row of a CSV file (reference.csv or paper.csv) for one cell; columns are found by their names. */
LBP_FN figures look_up(const char *folder, const char *file, const char *const key[5]) {
  static const char *const names[5] = {"model", "config", "size", "sampler", "weight"};
  figures f = {-1, -1, -1, -1, -1, -1, -1};
  char path[1024], line[1024];
  char *header[32], *cell[32], head[1024];
  int columns = 0, k, c;
  FILE *in;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  in = fopen(path, "r");
  if (!in || !fgets(head, sizeof head, in)) basic_die("%s: %s", path, in ? "empty" : strerror(errno));
  head[strcspn(head, "\r\n")] = '\0';
  for (header[columns++] = head; columns < 32 && (header[columns] = strchr(header[columns - 1], ',')); columns++) {
    *header[columns]++ = '\0';
  }
  while (fgets(line, sizeof line, in)) {
    int match = 1;
    line[strcspn(line, "\r\n")] = '\0';
    cell[0] = line;
    for (c = 1; c < columns && cell[c - 1] && (cell[c] = strchr(cell[c - 1], ',')); c++) *cell[c]++ = '\0';
    if (c < columns) basic_die("%s: a row with %d instead of %d columns", path, c, columns);
    for (c = 0; c < columns; c++) {
      for (k = 0; k < 5; k++) match &= strcmp(header[c], names[k]) != 0 || strcmp(cell[c], key[k]) == 0;
    }
    if (!match) continue;
    for (c = 0; c < columns; c++) {
      const double v = cell[c][0] ? atof(cell[c]) : -1;
      if (!strcmp(header[c], "ejd") || !strcmp(header[c], "paper_ejd")) f.ejd = f.ejd < 0 ? v : f.ejd;
      if (!strcmp(header[c], "ejd_se")) f.ejd_se = v;
      if (!strcmp(header[c], "ess") || !strcmp(header[c], "paper_ess")) f.ess = f.ess < 0 ? v : f.ess;
      if (!strcmp(header[c], "ess_se")) f.ess_se = v;
      if (!strcmp(header[c], "paper_seconds")) f.seconds = v;
      if (!strcmp(header[c], "ejd_as_in_paper_code")) f.coded_ejd = v;
      if (!strcmp(header[c], "ess_as_in_paper_code")) f.coded_ess = v;
    }
    break;
  }
  fclose(in);
  return f;
}

/* Within 3 standard errors, or 3 % (a trained network: 15 %), of the reference. */
LBP_FN int is_near(estimate got, double want, double want_se, double share) {
  const double gap = fabs(got.mean - want);
  return gap <= 3 * sqrt(got.se * got.se + want_se * want_se) || gap <= share * want;
}

#endif
