/* Models with a quadratic energy over zeros and ones, for search: max-cut, QUBO, spin glasses. Shared by examples and
 * benchmarks. With CUT_BALANCED half of all sites are 1, and swaps keep them so. */
#ifndef CUT_H
#define CUT_H

#ifndef LBP_MODELS_REAL /* another model's header may have come first */
#define LBP_MODELS_REAL double /* penalties of 10^6 and costs of 0.05 both count */
#endif
#include "inputs.h"
#include "../lbp/models/qubo.h"

#ifndef MOST_NEIGHBOURS
#define MOST_NEIGHBOURS 4096 /* of a site */
#endif

#define LBP_NAME           cut
#define LBP_MODEL_T        lbp_qubo
#define LBP_REAL           lbp_real
#define LBP_NEIGHBOURS     lbp_qubo_neighbours
#define LBP_MAX_NEIGHBOURS MOST_NEIGHBOURS
#define LBP_FIELDS_T       lbp_qubo_fields
#define LBP_FIELDS_INIT    lbp_qubo_fields_set
#define LBP_FIELDS_MAKE    lbp_qubo_fields_init
#define LBP_FIELDS_FREE    lbp_qubo_fields_free
#define LBP_FLIP           lbp_qubo_flip
#define LBP_DELTA          lbp_qubo_fields_delta
#define LBP_LOGP(m, f, x)  ((void)(f), lbp_qubo_logp(m, x))
#define LBP_TEMPERED
#define LBP_ROUNDING(m)    (m)->rounding
#ifndef CUT_BALANCED
#define LBP_PARTS
#define LBP_SYMMETRIC(m)   (m)->symmetric
#else
#define LBP_GROUP(m, i)      0u
#define LBP_GROUPS           1
#define LBP_GROUP_ONES(m, g) ((m)->n / 2)
#endif
#include "../lbp_run.h"

/* Whether a path ends in this, maybe with .gz behind it. */
LBP_FN int cut_is_called(const char *path, const char *end) {
  size_t length = strlen(path);
  if (length > 3 && strcmp(path + length - 3, ".gz") == 0) length -= 3;
  return length > strlen(end) && strncmp(path + length - strlen(end), end, strlen(end)) == 0;
}

/* Reads a file in a format of lbp/models/qubo.h, maybe compressed; *is_cut: whether it is a graph to be cut. Two
 * formats are known by the file's name: Biq Mac's .sparse is read, and MQLib's .bq, which is to be maximised,
 * refused. */
LBP_FN int cut_read(lbp_qubo_terms *t, const char *path, int format, int *is_cut, char *why) {
  lbp_qubo_reader reader;
  char bytes[4096];
  size_t size;
  int piped = 0, status;
  FILE *file = input_open_packed(path, &piped, why);
  memset(t, 0, sizeof *t);
  if (!file) return LBP_E_FILE;
  if (format == LBP_QUBO_GUESS && cut_is_called(path, ".sparse")) format = LBP_QUBO_SPARSE;
  status = lbp_qubo_begin(&reader, format);
  if (format == LBP_QUBO_GUESS && cut_is_called(path, ".bq")) {
    status = lbp_qubo_wrong(&reader, "MQLib's .bq files are to be maximised: negate all values, and call it "
                              ".sparse");
  }
  while (status == LBP_OK && (size = fread(bytes, 1, sizeof bytes, file)) > 0) {
    status = lbp_qubo_feed(&reader, bytes, size);
  }
  if (status == LBP_OK && ferror(file)) status = lbp_qubo_wrong(&reader, lbp_error(LBP_E_FILE));
  status = lbp_qubo_end(&reader, t);
  *is_cut = reader.format == LBP_QUBO_MAX_CUT;
  if (status != LBP_OK) {
    snprintf(why, INPUT_WHY, "%.200s, line %llu: %s", path, (unsigned long long)reader.fault.line, reader.fault.what);
  }
  return input_close_packed(file, piped, path, status, why);
}

/* The model of such terms, or why there is none. */
LBP_FN int cut_model(lbp_qubo *m, const lbp_qubo_terms *t, char *why) {
  const int status = lbp_qubo_init(m, t->n, t->count, t->ends, t->value, t->offset, MOST_NEIGHBOURS);
  if (status == LBP_E_RANGE) {
    snprintf(why, INPUT_WHY, "a site has more than %d others: compile with a larger MOST_NEIGHBOURS", MOST_NEIGHBOURS);
  } else if (status == LBP_E_PRECISION) {
    snprintf(why, INPUT_WHY, "large and small values in one model: rounding them to double would change energies by "
             "more than 1e-3; make the large ones smaller");
  }
  return status;
}

/* Turns the search for the largest cut into that for the smallest. */
LBP_FN void cut_negate(lbp_qubo_terms *t) {
  uint32_t k;
  for (k = 0; k < t->count; k++) t->value[k] = -t->value[k];
  t->offset = -t->offset;
}

/* A torus whose weights are all 1: a chessboard cuts all 2 CUT_SITES edges, two straight lines 2 CUT_SIDE of them. */
enum { CUT_SIDE = 20, CUT_SITES = CUT_SIDE * CUT_SIDE };

LBP_FN int cut_torus(lbp_qubo_terms *t) {
  uint32_t ends[6 * CUT_SITES], i, k, count = 0;
  double value[3 * CUT_SITES];
  for (i = 0; i < CUT_SITES; i++) {
    const uint32_t to[2] = {i / CUT_SIDE * CUT_SIDE + (i + 1) % CUT_SIDE, (i + CUT_SIDE) % CUT_SITES};
    ends[2 * count] = ends[2 * count + 1] = i;
    value[count++] = -4;
    for (k = 0; k < 2; k++) {
      ends[2 * count] = i;
      ends[2 * count + 1] = to[k];
      value[count++] = 2;
    }
  }
  return lbp_qubo_terms_init(t, CUT_SITES, count, ends, value, 0);
}

#endif /* CUT_H */
