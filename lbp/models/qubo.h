/* lbp/models/qubo.h - models of quadratic unconstrained binary optimisation (QUBO), such as max-cut. They minimise
 *
 *   E(x) = offset + sum_i Q_ii x_i + sum over i < j of Q_ij x_i x_j,   log pi(x) = -E(x),   x_i 0 or 1
 *
 * In this file's order:
 *
 *   lbp_qubo_terms    the numbers, of any kind of model; readers of files
 *   lbp_qubo          each site with few others: an lbp_graph          local, fields, gradient, conditional
 *   lbp_qubo_dense    each site with many others: a matrix             dense, fields
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp/models/local.h and has its conventions: constructors check and
 * copy, and leave *m zeroed if they fail; functions that samplers call check nothing. LBP_MODELS_REAL is the type of
 * log-ratios. This file contains no sampler: include lbp.h or lbp_run.h. At inverse temperature beta (LBP_TEMPERED) the
 * law is exp(-beta E).
 *
 *   lbp_qubo_terms t;                                     #define LBP_NAME           qubo
 *   lbp_qubo_fault fault;                                 #define LBP_MODEL_T        lbp_qubo
 *   lbp_qubo m;                                           #define LBP_REAL           lbp_real
 *   if (lbp_qubo_read(&t, file, LBP_QUBO_GUESS, &fault))  #define LBP_DELTA          lbp_qubo_delta
 *     printf("line %llu: %s\n",                           #define LBP_NEIGHBOURS     lbp_qubo_neighbours
 *            (unsigned long long)fault.line, fault.what); #define LBP_MAX_NEIGHBOURS 100
 *   if (lbp_qubo_init(&m, t.n, t.count, t.ends, t.value,  #define LBP_LOGP           lbp_qubo_logp
 *                     t.offset, 100)) ...                 #define LBP_TEMPERED
 *   ...                                                   #include "lbp.h"
 *   lbp_qubo_free(&m);
 *   lbp_qubo_terms_free(&t);
 *
 * Files have one term or edge per line. There are three formats, given by the caller or guessed:
 *
 *   terms     lines `i j value`, sites from 0; i = j: a linear term. Those of one pair add up, i j and j i alike. n is
 *             the largest site + 1. These are dimod's COO files. Where a comment says vartype=SPIN, in letters of any
 *             case, they are of spins s = 2 x - 1: value s_i s_j, and value s_i where i = j; the resulting terms have
 *             an offset.
 *             qbsolv's .qubo files have a line `p qubo 0 n diagonals elements` first, which must agree: n, and how
 *             many lines have i = j and how many do not.
 *   max-cut   format of the G-set and of rudy: a line `n edges`, then the lines `i j weight`, sites from 1; without a
 *             weight it is 1. E is minus the weight of all edges between zeros and ones: Q_ij = 2 w, and -w for both
 *             Q_ii, Q_jj. A repeated edge is an error.
 *   sparse    Biq Mac's .sparse files: a line `n lines`, then as many lines `i j value`, sites from 1, each pair
 *             once. The value is the entry of a symmetric matrix A for i j and j i, and E = x' A x: 2 value x_i x_j.
 *
 * The guess depends on the first line that is neither blank nor a comment. Two numbers mean a max-cut file, unless a
 * comment states that x' A x, x^T A x or the like is minimised; anything else means terms. A sparse file without i =
 * j looks like a graph: select LBP_QUBO_SPARSE. Ambiguous files are rejected, and the message names them: x' A x that
 * may have to be maximised (MQLib, Beasley's bqp files), matrices of Matrix Market, graphs and formulas of DIMACS.
 *
 * Comments are lines that begin with c or #. Blank lines and blanks in lines are of no meaning, nor are carriage
 * returns at their ends. Numbers have a point, whatever the locale is.
 *
 * Sources. .qubo: Booth, Reinhardt, Roy, "Partitioning optimization problems for hybrid classical/quantum execution",
 * D-Wave 14-1006A-A (2017). The G-set: Helmberg, Rendl, SIAM J. Optim. 10 (2000). .sparse: Wiegele, "Biq Mac Library"
 * (2007).
 */

#ifndef LBP_QUBO_H
#define LBP_QUBO_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/support.h"
#include "local.h"
#include "words.h"

LBP_EXACT_BEGIN

/* ---- terms ------------------------------------------------------------------------------------------------------- */

/* By pair, in increasing order of the lower site, then of the other: each pair once, none with value 0. */
typedef struct {
  uint32_t  n, count;  /* sites; terms */
  uint32_t *ends;      /* [2 count] of term k the sites are ends[2k] <= ends[2k + 1]; a linear term: it twice */
  double   *value;     /* [count] Q_ij, or Q_ii of a linear term */
  double    offset;
} lbp_qubo_terms;

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_qubo_terms_free(lbp_qubo_terms *t) {
  if (!t) return;
  free(t->ends);
  free(t->value);
  memset(t, 0, sizeof *t);
}

/* A term as it comes, and when. */
typedef struct {
  uint32_t i, j;   /* i <= j */
  uint64_t order;  /* of those of a pair they add up in this order; a line, if from a file */
  double   value;
} lbp_p_qubo_term;

/* Terms as they come. */
typedef struct {
  lbp_p_qubo_term *term;
  uint32_t count;
  size_t   room;
} lbp_p_qubo_list;

/* Room for so many. LBP_E_MEMORY. */
LBP_FN int lbp_p_qubo_room(lbp_p_qubo_list *list, size_t room) {
  lbp_p_qubo_term *grown = (lbp_p_qubo_term *)calloc(room, sizeof *grown);
  if (!grown) return LBP_E_MEMORY;
  if (list->term) memcpy(grown, list->term, list->count * sizeof *grown);
  free(list->term);
  list->term = grown;
  list->room = room;
  return LBP_OK;
}

/* One more term, in memory that doubles. LBP_E_SIZE, LBP_E_MEMORY. */
LBP_FN int lbp_p_qubo_add(lbp_p_qubo_list *list, uint32_t i, uint32_t j, double value, uint64_t order) {
  lbp_p_qubo_term *term;
  if (list->count >= LBP_MAX_SITES) return LBP_E_SIZE;
  if (list->count == list->room) {
    const int status = lbp_p_qubo_room(list, list->room == 0 ? 256 : 2 * list->room);
    if (status != LBP_OK) return status;
  }
  term = &list->term[list->count++];
  term->i = i < j ? i : j;
  term->j = i < j ? j : i;
  term->order = order;
  term->value = value;
  return LBP_OK;
}

LBP_FN void lbp_p_qubo_forget(lbp_p_qubo_list *list) {
  free(list->term);
  memset(list, 0, sizeof *list);
}

LBP_FN int lbp_p_qubo_compare(const void *left, const void *right) {
  const lbp_p_qubo_term *a = (const lbp_p_qubo_term *)left, *b = (const lbp_p_qubo_term *)right;
  if (a->i != b->i) return a->i < b->i ? -1 : 1;
  if (a->j != b->j) return a->j < b->j ? -1 : 1;
  return (a->order > b->order) - (a->order < b->order);
}

LBP_FN void lbp_p_qubo_sort(lbp_p_qubo_list *list) {
  if (list->count > 0) qsort(list->term, list->count, sizeof *list->term, lbp_p_qubo_compare);
}

/* The terms of a sorted list, those of a pair added up, in a zeroed *t whose n and offset are the caller's.
 * LBP_E_RANGE: a sum is beyond 1e12, and *order that of the term that brought it there; LBP_E_MEMORY. */
LBP_FN int lbp_p_qubo_gather(lbp_p_qubo_list *list, lbp_qubo_terms *t, uint64_t *order) {
  lbp_p_qubo_term *term = list->term;
  uint32_t k, kept = 0, count = 0;
  for (k = 0; k < list->count; k++) {
    if (kept > 0 && term[kept - 1].i == term[k].i && term[kept - 1].j == term[k].j) {
      term[kept - 1].value += term[k].value;
    } else {
      term[kept++] = term[k];
    }
    *order = term[k].order;
    if (!(fabs(term[kept - 1].value) <= LBP_MODELS_LARGEST)) return LBP_E_RANGE;
  }
  t->ends = (uint32_t *)calloc((size_t)kept + 1, 2 * sizeof *t->ends);
  t->value = (double *)calloc((size_t)kept + 1, sizeof *t->value);
  if (!t->ends || !t->value) return LBP_E_MEMORY;
  for (k = 0; k < kept; k++) {
    t->ends[2 * count] = term[k].i;
    t->ends[2 * count + 1] = term[k].j;
    t->value[count] = term[k].value;
    count += term[k].value < 0.0 || term[k].value > 0.0;
  }
  t->count = count;
  return LBP_OK;
}

/* Makes terms of n sites from arrays: term k has value[k] and the sites ends[2k] and ends[2k + 1]; a linear term has
 * its site twice. ends and value may be NULL if count is 0. Terms of one pair add up, in either order of its sites.
 * Returns LBP_OK, or LBP_E_NULL; LBP_E_SIZE (no site, or more than 2^31 - 1 sites or terms); LBP_E_NOT_FINITE;
 * LBP_E_RANGE (a value, a sum of those of a pair, or the offset is beyond 1e12); LBP_E_INDEX (a site is not below n);
 * LBP_E_MEMORY. Takes O(count log count). */
LBP_FN int lbp_qubo_terms_init(lbp_qubo_terms *t, uint32_t n, uint32_t count, const uint32_t *ends, const double *value,
                               double offset) {
  lbp_p_qubo_list list;
  uint64_t order;
  uint32_t k;
  int status;
  if (!t) return LBP_E_NULL;
  memset(t, 0, sizeof *t);
  memset(&list, 0, sizeof list);
  if (count > 0 && (!ends || !value)) return LBP_E_NULL;
  if (lbp_models_check_sites(n, 1) != LBP_OK || count > LBP_MAX_SITES) return LBP_E_SIZE;
  status = lbp_models_check_values(value, count);
  if (status == LBP_OK) status = lbp_models_check_value(offset);
  if (status == LBP_OK) status = lbp_p_qubo_room(&list, (size_t)count + 1);
  for (k = 0; k < count && status == LBP_OK; k++) {
    if (ends[2 * (size_t)k] >= n || ends[2 * (size_t)k + 1] >= n) status = LBP_E_INDEX;
    else status = lbp_p_qubo_add(&list, ends[2 * (size_t)k], ends[2 * (size_t)k + 1], value[k], k);
  }
  lbp_p_qubo_sort(&list);
  if (status == LBP_OK) status = lbp_p_qubo_gather(&list, t, &order);
  lbp_p_qubo_forget(&list);
  if (status != LBP_OK) {
    lbp_qubo_terms_free(t);
    return status;
  }
  t->n = n;
  t->offset = offset;
  return LBP_OK;
}

/* Makes the terms of a max-cut problem from edges in memory: edge k joins the sites ends[2k] and ends[2k + 1], from 0,
 * with weight[k]; weight NULL: all 1. E is minus the weight of all edges between zeros and ones. Parallel edges add up.
 * Statuses as lbp_qubo_terms_init, with sites and edges; LBP_E_INDEX also: an edge from a site to itself; LBP_E_SIZE
 * also: more than 715,827,882 edges, of three terms each. */
LBP_FN int lbp_qubo_terms_max_cut(lbp_qubo_terms *t, uint32_t n, uint32_t edges, const uint32_t *ends,
                                  const double *weight) {
  uint32_t *pair, k;
  double *value;
  int status = LBP_OK;
  if (!t) return LBP_E_NULL;
  memset(t, 0, sizeof *t);
  if (edges > 0 && !ends) return LBP_E_NULL;
  if (edges > LBP_MAX_SITES / 3) return LBP_E_SIZE;
  for (k = 0; k < edges; k++) {
    if (ends[2 * (size_t)k] == ends[2 * (size_t)k + 1]) return LBP_E_INDEX;
  }
  pair = (uint32_t *)calloc((size_t)edges + 1, 6 * sizeof *pair);
  value = (double *)calloc((size_t)edges + 1, 3 * sizeof *value);
  if (!pair || !value) status = LBP_E_MEMORY;
  for (k = 0; k < edges && status == LBP_OK; k++) {
    uint32_t *to = pair + 6 * (size_t)k;
    double *of = value + 3 * (size_t)k;
    to[0] = to[1] = to[4] = ends[2 * (size_t)k];
    to[2] = to[3] = to[5] = ends[2 * (size_t)k + 1];
    of[0] = of[1] = weight ? -weight[k] : -1.0;
    of[2] = -2.0 * of[0];
  }
  if (status == LBP_OK) status = lbp_qubo_terms_init(t, n, 3 * edges, pair, value, 0.0);
  free(pair);
  free(value);
  return status;
}

/* Makes random terms: each linear term and each pair exists with probability `density`, and its value is a whole number
 * from -largest to largest, uniformly. Returns LBP_OK, or LBP_E_NULL; LBP_E_SIZE (n, or more than 2^31 - 1 terms);
 * LBP_E_NOT_FINITE; LBP_E_RANGE (density is not in (0, 1], largest is 0 or above 10^9); LBP_E_MEMORY. Takes O(n + terms
 * log terms). */
LBP_FN int lbp_qubo_terms_random(lbp_qubo_terms *t, uint32_t n, double density, uint32_t largest, uint64_t seed) {
  lbp_rng rng = lbp_models_instance_rng(seed);
  const uint64_t values = 2 * (uint64_t)largest + 1;
  const double all = 0.5 * n * (n + 1.0), rate = density < 1e-8 ? -density : lbp_log_fine(1.0 - density);
  lbp_p_qubo_list list;
  uint64_t at = 0, order; /* at: how far behind i the next term's other site is */
  uint32_t i = 0;
  int status;
  if (!t) return LBP_E_NULL;
  memset(t, 0, sizeof *t);
  memset(&list, 0, sizeof list);
  status = lbp_models_check_sites(n, 1);
  if (status == LBP_OK) status = lbp_models_check_value(density);
  if (status == LBP_OK && !(density > 0.0 && density <= 1.0)) status = LBP_E_RANGE;
  if (status == LBP_OK && (largest == 0 || largest > 1000000000u)) status = LBP_E_RANGE;
  while (status == LBP_OK) {
    double skip = 0.0; /* terms that are not there: a geometric number */
    if (density < 1.0) skip = lbp_log_fine(lbp_u01_open(lbp_rng_u64(&rng))) / rate;
    if (!(skip < all)) break;
    at += (uint64_t)skip;
    for (; i < n && at >= n - i; i++) at -= n - i;
    if (i == n) break;
    status = lbp_p_qubo_add(&list, i, i + (uint32_t)at, (double)lbp_mulhi(lbp_rng_u64(&rng), values) - largest, 0);
    at++;
  }
  if (status == LBP_OK) status = lbp_p_qubo_gather(&list, t, &order);
  lbp_p_qubo_forget(&list);
  if (status != LBP_OK) {
    lbp_qubo_terms_free(t);
    return status;
  }
  t->n = n;
  return LBP_OK;
}

/* Returns E(x), in double: exact if the values are whole numbers and their sums stay below 2^53. */
LBP_FN double lbp_qubo_terms_energy(const lbp_qubo_terms *t, const uint8_t *x) {
  double sum = t->offset;
  size_t k;
  for (k = 0; k < t->count; k++) sum += x[t->ends[2 * k]] & x[t->ends[2 * k + 1]] ? t->value[k] : 0.0;
  return sum;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

enum {
  LBP_QUBO_GUESS,   /* by the first line that is neither blank nor a comment: see above */
  LBP_QUBO_TERMS,   /* i j value, with a p line or without */
  LBP_QUBO_MAX_CUT, /* the G-set's */
  LBP_QUBO_SPARSE   /* Biq Mac's x' A x */
};

/* An error in a file: its line, and a constant sentence. */
typedef struct {
  uint64_t    line;
  const char *what;
} lbp_qubo_fault;

enum { LBP_P_QUBO_WORDS = 6 };                          /* of a line that is no comment */
enum { LBP_P_QUBO_LETTERS = LBP_MODELS_WORD };          /* of a word, and one more */
enum { LBP_P_QUBO_NOTE = 256 };                         /* characters of a comment that are read, and one more */

/* An incremental reader. It keeps the line's words, and the terms, so that its memory is bounded by the accepted
 * terms. */
typedef struct {
  int      format, status;        /* as given to lbp_qubo_begin, or guessed; LBP_OK until there is an error */
  int      headed, comment;       /* there was a p line, or a line of sites and edges or lines; within a comment */
  int      asked, spins;          /* the format was given; terms: 1 of spins, -1 of zeros and ones, 0 not known */
  int      product;               /* a comment has x' A x: 1; minimised: 2; maximised: 4; or both */
  uint32_t words, letters;        /* of this line, those that are over; letters of the next */
  char     word[LBP_P_QUBO_WORDS][LBP_P_QUBO_LETTERS];
  uint64_t line;                  /* from 1 */
  uint64_t said[3], seen[2];      /* n, and how many lines with i = j, and with i < j; how many there were */
  uint32_t largest, smallest;     /* site */
  uint32_t noted;
  char     note[LBP_P_QUBO_NOTE]; /* letters of this comment, and : = */
  lbp_p_qubo_list list;
  lbp_qubo_fault  fault;
} lbp_qubo_reader;

LBP_FN int lbp_p_qubo_refuse(lbp_qubo_reader *r, int status, uint64_t line, const char *what) {
  if (r->status == LBP_OK) {
    r->status = status;
    r->fault.line = line;
    r->fault.what = what;
    lbp_p_qubo_forget(&r->list);
  }
  return r->status;
}

/* Ends the reading at this line, for a caller that has found an error in it. what: a sentence that outlives the reader.
 * Returns LBP_E_FORMAT, or the status with which reading has ended before. */
LBP_FN int lbp_qubo_wrong(lbp_qubo_reader *r, const char *what) {
  return lbp_p_qubo_refuse(r, LBP_E_FORMAT, r->line, what);
}

/* The number in a word of this line, at most 1e12. */
LBP_FN int lbp_p_qubo_value(lbp_qubo_reader *r, const char *word, double *value) {
  if (lbp_models_is_not_finite(word)) {
    return lbp_p_qubo_refuse(r, LBP_E_NOT_FINITE, r->line, "a value is NaN or infinite");
  }
  if (!lbp_models_is_number(word, value)) return lbp_qubo_wrong(r, "a value is not a number such as -3, 0.25 or 1e6");
  if (fabs(*value) <= LBP_MODELS_LARGEST) return LBP_OK;
  return lbp_p_qubo_refuse(r, LBP_E_RANGE, r->line, "a value is beyond 1e12: divide all of them");
}

/* A term from this line. */
LBP_FN int lbp_p_qubo_keep(lbp_qubo_reader *r, uint32_t i, uint32_t j, double value) {
  const int status = lbp_p_qubo_add(&r->list, i, j, value, r->line);
  if (status == LBP_E_SIZE) return lbp_p_qubo_refuse(r, status, r->line, "there are more than 2^31 - 1 terms");
  return status == LBP_OK ? status : lbp_p_qubo_refuse(r, status, r->line, lbp_error(status));
}

/* Refuses spins, which files with a head don't have, wherever their comment stands. */
LBP_FN int lbp_p_qubo_spinless(lbp_qubo_reader *r) {
  if (r->spins <= 0) return LBP_OK;
  if (r->format == LBP_QUBO_TERMS) {
    return lbp_qubo_wrong(r, "a comment says vartype=SPIN, but .qubo files have no spins");
  }
  return lbp_qubo_wrong(r, "a comment says vartype=SPIN, but the first line has two numbers, as graphs to be cut have: "
                          "for energies of spins leave it out, and number sites from 0");
}

/* p qubo 0 n diagonals elements */
LBP_FN int lbp_p_qubo_head(lbp_qubo_reader *r) {
  uint32_t k;
  if (r->headed) return lbp_qubo_wrong(r, "there is a second p line");
  if (r->list.count > 0) return lbp_qubo_wrong(r, "the p line comes after terms: put it first");
  if (r->words != 6 || strcmp(r->word[1], "qubo") != 0) {
    return lbp_qubo_wrong(r, "the p line must be: p qubo 0 n diagonals elements (p edge, p col, p cnf, p max are "
                            "other problems)");
  }
  if (lbp_p_qubo_spinless(r) != LBP_OK) return r->status;
  if (strcmp(r->word[2], "0") != 0 && strcmp(r->word[2], "unconstrained") != 0) {
    return lbp_qubo_wrong(r, "the p line has a topology: write 0 there, any pairs are allowed");
  }
  for (k = 0; k < 3; k++) {
    if (!lbp_models_is_whole(r->word[3 + k], &r->said[k])) {
      return lbp_qubo_wrong(r, "the p line has no whole number for sites, diagonals or elements");
    }
  }
  if (r->said[0] < 1 || r->said[0] > LBP_MAX_SITES) {
    return lbp_p_qubo_refuse(r, LBP_E_SIZE, r->line, "the number of sites is not 1 to 2^31 - 1");
  }
  r->headed = 1;
  return LBP_OK;
}

/* i j value */
LBP_FN int lbp_p_qubo_line(lbp_qubo_reader *r) {
  uint64_t site[2];
  double value = 0.0;
  uint32_t k;
  int which;
  if (strcmp(r->word[0], "p") == 0) return lbp_p_qubo_head(r);
  if (r->words < 3) return lbp_qubo_wrong(r, "a line has fewer than three numbers: i, j and the value");
  if (r->words > 3) return lbp_qubo_wrong(r, "a line has more than three numbers: i, j and the value");
  for (k = 0; k < 2; k++) {
    if (!lbp_models_is_whole(r->word[k], &site[k])) {
      return lbp_qubo_wrong(r, "a site is not a whole number: sites are 0, 1, 2 ...");
    }
    if (site[k] >= LBP_MAX_SITES) return lbp_p_qubo_refuse(r, LBP_E_SIZE, r->line, "a site is not below 2^31 - 1");
    if (r->headed && site[k] >= r->said[0]) {
      return lbp_p_qubo_refuse(r, LBP_E_INDEX, r->line, "a site is not below the number that the p line says");
    }
    if (site[k] > r->largest) r->largest = (uint32_t)site[k];
    if (site[k] < r->smallest) r->smallest = (uint32_t)site[k];
  }
  if (lbp_p_qubo_value(r, r->word[2], &value) != LBP_OK) return r->status;
  which = site[0] != site[1];
  if (r->headed && r->seen[which] == r->said[1 + which]) {
    return lbp_qubo_wrong(r, which ? "there are more elements, lines with i and another j, than the p line says"
                                     : "there are more diagonals, lines with i = j, than the p line says");
  }
  r->seen[which]++;
  return lbp_p_qubo_keep(r, (uint32_t)site[0], (uint32_t)site[1], value);
}

/* n edges, the first line of a max-cut file, or n lines, that of a sparse one; decides which, if the format is
 * guessed. */
LBP_FN int lbp_p_qubo_cut_head(lbp_qubo_reader *r) {
  if (!r->asked && r->product) {
    r->format = LBP_QUBO_SPARSE;
    if (r->product != 3) {
      return lbp_qubo_wrong(r, "a comment speaks of x' A x, and does not say that it is to be minimised: if so, pass "
                              "LBP_QUBO_SPARSE; if it is to be maximised, negate all values before");
    }
  }
  if (lbp_p_qubo_spinless(r) != LBP_OK) return r->status;
  if (r->words != 2 || !lbp_models_is_whole(r->word[0], &r->said[0]) || !lbp_models_is_whole(r->word[1], &r->said[2])) {
    return lbp_qubo_wrong(r, "the first line is not two whole numbers, of sites and of edges or lines");
  }
  if (r->said[0] < 1 || r->said[0] > LBP_MAX_SITES) {
    return lbp_p_qubo_refuse(r, LBP_E_SIZE, r->line, "the number of sites is not 1 to 2^31 - 1");
  }
  r->headed = 1;
  return LBP_OK;
}

/* i j or i j weight; i j value of a sparse file */
LBP_FN int lbp_p_qubo_edge(lbp_qubo_reader *r) {
  const int sparse = r->format == LBP_QUBO_SPARSE;
  uint64_t site[2];
  double weight = 1.0;
  uint32_t i, j, k;
  if (sparse && r->words != 3) return lbp_qubo_wrong(r, "a line needs three numbers: i, j and the value");
  if (r->words < 2) return lbp_qubo_wrong(r, "a line has one number: an edge has two sites, and maybe a weight");
  if (r->words > 3) return lbp_qubo_wrong(r, "a line has more than two sites and a weight");
  for (k = 0; k < 2; k++) {
    if (!lbp_models_is_whole(r->word[k], &site[k])) {
      return lbp_qubo_wrong(r, "a site is not a whole number: sites are 1, 2, 3 ...");
    }
    if (site[k] < 1 || site[k] > r->said[0]) {
      return lbp_p_qubo_refuse(r, LBP_E_INDEX, r->line, "a site is not 1 to the number that the first line states");
    }
  }
  if (site[0] == site[1] && !sparse) {
    return lbp_p_qubo_refuse(r, LBP_E_INDEX, r->line, r->asked ? "an edge goes from a site to itself" :
                             "an edge goes from a site to itself: if these are entries of x' A x to be minimised, as "
                             "in Biq Mac's .sparse files, pass LBP_QUBO_SPARSE; if to be maximised, as in MQLib's "
                             "and Beasley's, negate all values before");
  }
  if (r->words == 3 && lbp_p_qubo_value(r, r->word[2], &weight) != LBP_OK) return r->status;
  if (r->seen[1] == r->said[2]) return lbp_qubo_wrong(r, "there are more edges or lines than the first line states");
  r->seen[1]++;
  i = (uint32_t)site[0] - 1;
  j = (uint32_t)site[1] - 1;
  if (sparse) return lbp_p_qubo_keep(r, i, j, i == j ? weight : 2.0 * weight);
  if (lbp_p_qubo_keep(r, i, i, -weight) != LBP_OK || lbp_p_qubo_keep(r, j, j, -weight) != LBP_OK) return r->status;
  return lbp_p_qubo_keep(r, i, j, 2.0 * weight);
}

/* A word is over, if there is one. */
LBP_FN void lbp_p_qubo_end_word(lbp_qubo_reader *r) {
  if (r->letters > 0) r->word[r->words++][r->letters] = '\0';
  r->letters = 0;
}

/* What of a note stands after a word in small letters, which it may have in capitals; NULL: it has no such word. */
LBP_FN const char *lbp_p_qubo_after(const char *note, const char *word) {
  size_t k;
  for (; *note; note++) {
    for (k = 0; word[k] && (note[k] | 32) == word[k]; k++) continue;
    if (!word[k]) return note + k;
  }
  return NULL;
}

/* A comment is over: looks whether it gives the meaning of the numbers. */
LBP_FN int lbp_p_qubo_end_note(lbp_qubo_reader *r) {
  const char *vartype, *at;
  int spins;
  r->note[r->noted] = '\0';
  r->noted = 0;
  vartype = lbp_p_qubo_after(r->note, "vartype=");
  if (!vartype) vartype = lbp_p_qubo_after(r->note, "vartype:");
  if (vartype) {
    spins = lbp_p_qubo_after(vartype, "spin") == vartype + 4;
    if (lbp_p_qubo_after(vartype, "binary") == vartype + 6) spins = -1;
    if (!spins) return lbp_qubo_wrong(r, "a comment says a vartype that is neither SPIN nor BINARY");
    if (r->spins == -spins) return lbp_qubo_wrong(r, "comments say both vartype=SPIN and vartype=BINARY");
    r->spins = spins;
    if (r->headed && lbp_p_qubo_spinless(r) != LBP_OK) return r->status;
  }
  for (at = r->note; *at; at++) { /* a product: x' A x, or x^T A x, of any letters */
    const char *matrix = at[1] == 'T' || at[1] == 't' ? at + 2 : at + 1;
    if (*at < 'x' || *at > 'z' || *matrix < 'A' || *matrix > 'Z' || matrix[1] != *at) continue;
    r->product |= 1;
    if (lbp_p_qubo_after(r->note, "min")) r->product |= 2;
    if (lbp_p_qubo_after(r->note, "max")) r->product |= 4;
  }
  return r->status;
}

/* A line is over, and maybe there was nothing on it. */
LBP_FN int lbp_p_qubo_end_line(lbp_qubo_reader *r) {
  lbp_p_qubo_end_word(r);
  if (r->comment) lbp_p_qubo_end_note(r);
  if (r->words > 0) {
    if (r->format == LBP_QUBO_GUESS) {
      r->format = r->words == 2 && r->word[0][0] != 'p' ? LBP_QUBO_MAX_CUT : LBP_QUBO_TERMS;
    }
    if (r->word[0][0] == '%') {
      lbp_qubo_wrong(r, "a line begins with %, as in files of Matrix Market, which are not read: write lines i j "
                       "value with sites from 0, each pair once");
    } else if (r->format == LBP_QUBO_TERMS) {
      lbp_p_qubo_line(r);
    } else if (!r->headed) {
      lbp_p_qubo_cut_head(r);
    } else {
      lbp_p_qubo_edge(r);
    }
  }
  r->words = 0;
  r->comment = 0;
  return r->status;
}

/* A character of a word. */
LBP_FN int lbp_p_qubo_letter(lbp_qubo_reader *r, int c) {
  if (c < 33 || c > 126) return lbp_qubo_wrong(r, "a character is not a letter, digit or sign: is this a text file?");
  if (r->words == LBP_P_QUBO_WORDS) return lbp_qubo_wrong(r, "a line has more than six words");
  if (r->letters == LBP_P_QUBO_LETTERS - 1) return lbp_qubo_wrong(r, "a word has more than 63 characters");
  r->word[r->words][r->letters++] = (char)c;
  return LBP_OK;
}

/* Makes a reader for a new file. format: LBP_QUBO_GUESS, _TERMS, _MAX_CUT or _SPARSE. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_RANGE. */
LBP_FN int lbp_qubo_begin(lbp_qubo_reader *r, int format) {
  if (!r) return LBP_E_NULL;
  memset(r, 0, sizeof *r);
  if (format < LBP_QUBO_GUESS || format > LBP_QUBO_SPARSE) {
    return lbp_p_qubo_refuse(r, LBP_E_RANGE, 0, lbp_error(LBP_E_RANGE));
  }
  r->format = format;
  r->asked = format != LBP_QUBO_GUESS;
  r->smallest = UINT32_MAX;
  r->line = 1;
  return LBP_OK;
}

/* Reads the next `size` bytes of the file, in pieces of any size. After an error each call returns its status:
 * LBP_E_FORMAT, LBP_E_SIZE, LBP_E_INDEX, LBP_E_NOT_FINITE, LBP_E_RANGE, LBP_E_MEMORY; r->fault has its line and text,
 * and the reader keeps no memory. */
LBP_FN int lbp_qubo_feed(lbp_qubo_reader *r, const void *bytes, size_t size) {
  const unsigned char *at = (const unsigned char *)bytes, *end = at + size;
  for (; at < end && r->status == LBP_OK; at++) {
    const int c = *at;
    if (c == '\n') {
      lbp_p_qubo_end_line(r);
      r->line++;
    } else if (r->comment) {
      const int letter = (c | 32) >= 'a' && (c | 32) <= 'z';
      if ((letter || c == ':' || c == '=') && r->noted < LBP_P_QUBO_NOTE - 1) {
        r->note[r->noted++] = (char)c;
      }
    } else if (c == ' ' || c == '\t' || c == '\r') {
      lbp_p_qubo_end_word(r);
    } else if ((c == 'c' || c == '#') && r->words + r->letters == 0) {
      r->comment = 1;
    } else {
      lbp_p_qubo_letter(r, c);
    }
  }
  return r->status;
}

/* Whether there are as many terms as the file states. */
LBP_FN int lbp_p_qubo_count(lbp_qubo_reader *r) {
  if (r->format == LBP_QUBO_TERMS && !r->asked && (r->product & 4)) {
    return lbp_qubo_wrong(r, "a comment speaks of x' A x that is to be maximised, and terms are minimised: negate all "
                            "values; or pass LBP_QUBO_TERMS");
  }
  if (!r->headed) {
    const lbp_p_qubo_term *first = r->list.term;
    if (r->list.count == 0) return lbp_qubo_wrong(r, "the file is empty, but for comments");
    if (r->asked || r->smallest < 1 || first->i != first->j || first->j != r->largest || r->list.count < 2 ||
        fabs(first->value - (r->list.count - 1.0)) > 0) return LBP_OK;
    return lbp_p_qubo_refuse(r, LBP_E_FORMAT, first->order, "this line seems to have rows, columns and lines, as in "
                             "files of Matrix Market: leave it out, and number sites from 0; or pass "
                             "LBP_QUBO_TERMS");
  }
  if (r->format != LBP_QUBO_TERMS) {
    if (r->format == LBP_QUBO_MAX_CUT && !r->asked && r->product) {
      return lbp_qubo_wrong(r, "a comment speaks of x' A x, which is not a max-cut: pass LBP_QUBO_SPARSE if it is to "
                              "be minimised, for LBP_QUBO_MAX_CUT if this is a graph");
    }
    if (r->seen[1] == r->said[2]) return LBP_OK;
    return lbp_qubo_wrong(r, "there are fewer edges or lines than the first line states");
  }
  if (r->seen[0] < r->said[1]) {
    return lbp_qubo_wrong(r, "there are fewer diagonals, lines with i = j, than the p line says");
  }
  if (r->seen[1] == r->said[2]) return LBP_OK;
  return lbp_qubo_wrong(r, "there are fewer elements, lines with i and another j, than the p line says");
}

/* Finds the first repeated pair of a max-cut or sparse file in a sorted list. */
LBP_FN int lbp_p_qubo_twice(lbp_qubo_reader *r) {
  const lbp_p_qubo_term *term = r->list.term;
  uint64_t line = 0;
  uint32_t k;
  for (k = 1; k < r->list.count; k++) {
    const int vertex = term[k].i == term[k].j && r->format == LBP_QUBO_MAX_CUT; /* of an edge, not given */
    if (vertex || term[k].i != term[k - 1].i || term[k].j != term[k - 1].j) continue;
    if (line == 0 || term[k].order < line) line = term[k].order;
  }
  if (line == 0) return LBP_OK;
  return lbp_p_qubo_refuse(r, LBP_E_FORMAT, line, "an edge or entry occurs twice, maybe the other way "
                           "round");
}

/* Terms of spins s = 2 x - 1 become terms of x: s_i s_j = 4 x_i x_j - 2 x_i - 2 x_j + 1, and s_i = 2 x_i - 1. */
LBP_FN int lbp_p_qubo_unspin(lbp_qubo_reader *r, double *offset) {
  const uint32_t count = r->list.count;
  uint32_t k;
  for (k = 0; k < count && r->status == LBP_OK; k++) {
    lbp_p_qubo_term *term = &r->list.term[k];
    const lbp_p_qubo_term spin = *term;
    const int linear = spin.i == spin.j;
    *offset += linear ? -spin.value : spin.value;
    term->value *= linear ? 2.0 : 4.0;
    r->line = spin.order; /* whose terms these are */
    if (!linear && lbp_p_qubo_keep(r, spin.i, spin.i, -2.0 * spin.value) == LBP_OK) {
      lbp_p_qubo_keep(r, spin.j, spin.j, -2.0 * spin.value);
    }
  }
  if (r->status == LBP_OK && !(fabs(*offset) <= LBP_MODELS_LARGEST)) {
    return lbp_p_qubo_refuse(r, LBP_E_RANGE, r->line, "the offset of these spins is beyond 1e12: divide all values");
  }
  lbp_p_qubo_sort(&r->list);
  return r->status;
}

/* Ends the file and moves its terms to *t, which you free. Returns LBP_OK, LBP_E_NULL, or a status of lbp_qubo_feed,
 * which can also concern the end of the file or all lines together; *t is zeroed then. */
LBP_FN int lbp_qubo_end(lbp_qubo_reader *r, lbp_qubo_terms *t) {
  double offset = 0.0;
  uint64_t line = 0;
  int status;
  if (t) memset(t, 0, sizeof *t);
  if (!r || !t) return LBP_E_NULL;
  if (r->status == LBP_OK) lbp_p_qubo_end_line(r); /* the last line may lack its end */
  if (r->status == LBP_OK) lbp_p_qubo_count(r);
  if (r->status == LBP_OK) lbp_p_qubo_sort(&r->list);
  if (r->status == LBP_OK && r->format != LBP_QUBO_TERMS) lbp_p_qubo_twice(r);
  if (r->status == LBP_OK && r->spins > 0) lbp_p_qubo_unspin(r, &offset);
  if (r->status != LBP_OK) return r->status;
  status = lbp_p_qubo_gather(&r->list, t, &line);
  if (status != LBP_OK) {
    lbp_qubo_terms_free(t);
    if (status != LBP_E_RANGE) return lbp_p_qubo_refuse(r, status, r->line, lbp_error(status));
    return lbp_p_qubo_refuse(r, status, line, "here the values of a pair or site add up to more than 1e12");
  }
  lbp_p_qubo_forget(&r->list);
  t->n = r->headed ? (uint32_t)r->said[0] : r->largest + 1;
  t->offset = offset;
  return LBP_OK;
}

/* Reads a whole file, which may be a pipe. format: LBP_QUBO_GUESS, _TERMS, _MAX_CUT or _SPARSE. Writes an error's line
 * and text to *fault, which may be NULL. Statuses as lbp_qubo_end and lbp_qubo_begin; LBP_E_FILE: it cannot be read. */
LBP_FN int lbp_qubo_read(lbp_qubo_terms *t, FILE *file, int format, lbp_qubo_fault *fault) {
  lbp_qubo_reader r;
  unsigned char bytes[4096];
  size_t size;
  int status;
  if (fault) memset(fault, 0, sizeof *fault);
  if (t) memset(t, 0, sizeof *t);
  if (!t || !file) return LBP_E_NULL;
  status = lbp_qubo_begin(&r, format);
  while (status == LBP_OK && (size = fread(bytes, 1, sizeof bytes, file)) > 0) status = lbp_qubo_feed(&r, bytes, size);
  if (status == LBP_OK && ferror(file)) status = lbp_p_qubo_refuse(&r, LBP_E_FILE, r.line, lbp_error(LBP_E_FILE));
  if (status == LBP_OK) status = lbp_qubo_end(&r, t);
  if (fault) *fault = r.fault;
  return status;
}

/* ---- each site with few others --------------------------------------------------------------------------------------
 *
 * lbp_graph of lbp/models/local.h with spins 2 x - 1, J_ij = -Q_ij / 4, rounded by lbp_graph_round, and the terms as
 * they were given. Log-ratios are lbp_graph's: exact where all values are whole numbers, and each site's |Q_ii| + sum_j
 * |Q_ij| is below 2^24 (2^53 in double); else rounded by about 2^-24 (2^-53) of that, and where this moves a log-ratio
 * by more than 1e-3 constructors refuse (LBP_E_PRECISION): penalties of 10^5 next to costs of 0.05 need double.
 * lbp_qubo_energy and lbp_qubo_logp take the terms as they were given.
 *
 * Fields as those of lbp_graph:
 *
 *   #define LBP_FIELDS_T    lbp_qubo_fields
 *   #define LBP_FIELDS_INIT lbp_qubo_fields_set
 *   #define LBP_FIELDS_MAKE lbp_qubo_fields_init
 *   #define LBP_FIELDS_FREE lbp_qubo_fields_free
 *   #define LBP_FLIP        lbp_qubo_flip
 *   #define LBP_FLIP_LIST   lbp_qubo_flip_list
 *   #define LBP_DELTA       lbp_qubo_fields_delta
 *   #define LBP_PREFETCH    lbp_qubo_prefetch
 *   #define LBP_LOGP        lbp_qubo_fields_logp
 *
 * A Hessian for lbp_ab.h is lbp_graph_hessian(&m->graph, ...) of lbp_models.h. */

typedef struct {
  uint32_t       n, max_degree;  /* sites; the largest number of neighbours of a site */
  double         rounding;       /* largest change of a log-ratio by rounding -> LBP_ROUNDING */
  int            symmetric;      /* whether log pi stays when all sites flip, as of max-cut -> LBP_SYMMETRIC */
  lbp_qubo_terms terms;          /* as given */
  lbp_graph      graph;
} lbp_qubo;

typedef lbp_graph_fields lbp_qubo_fields; /* each site's slope: -dE / dx_i */

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_qubo_free(lbp_qubo *m) {
  if (!m) return;
  lbp_qubo_terms_free(&m->terms);
  lbp_graph_free(&m->graph);
  memset(m, 0, sizeof *m);
}

/* Whether all h_i are 0, but for rounding. */
LBP_FN int lbp_p_qubo_is_symmetric(const lbp_graph *graph) {
  const double place = sizeof(lbp_real) == sizeof(float) ? 6e-8 : 1.2e-16;
  uint32_t i, k;
  for (i = 0; i < graph->n; i++) {
    double pull = 0.0;
    for (k = graph->start[i]; k < graph->start[i + 1]; k++) pull += fabs((double)graph->link[k].gain);
    if (fabs((double)graph->h[i]) > place * pull) return 0;
  }
  return 1;
}

/* Makes the graph of m->terms: J has the terms of pairs, and bias is all 0. Statuses as lbp_graph_init. */
LBP_FN int lbp_p_qubo_fill(lbp_qubo *m, uint32_t max_degree, uint32_t *ends, double *J, double *bias) {
  const lbp_qubo_terms *t = &m->terms;
  lbp_graph *graph = &m->graph;
  uint32_t pairs = 0, i, k;
  int status;
  for (k = 0; k < t->count; k++) {
    if (t->ends[2 * (size_t)k] == t->ends[2 * (size_t)k + 1]) {
      bias[t->ends[2 * (size_t)k]] = -t->value[k];
    } else {
      memcpy(ends + 2 * (size_t)pairs, t->ends + 2 * (size_t)k, 2 * sizeof *ends);
      J[pairs++] = -t->value[k] / 4.0;
    }
  }
  status = lbp_models_graph_make(graph, t->n, NULL, pairs, ends, J, max_degree);
  if (status != LBP_OK) return status;
  for (i = 0; i < t->n; i++) { /* bias_i = 2 (h_i - sum_j J_ij), gain_ij = 4 J_ij; the rounding makes h_i of them */
    graph->bias[i] = (lbp_real)bias[i];
    if (graph->start[i + 1] - graph->start[i] > m->max_degree) m->max_degree = graph->start[i + 1] - graph->start[i];
  }
  status = lbp_models_graph_round(graph);
  if (status == LBP_OK) status = lbp_models_graph_measure(graph, bias, pairs, ends, J);
  m->rounding = graph->rounding = graph->stored;
  m->symmetric = lbp_p_qubo_is_symmetric(graph);
  return status == LBP_OK ? lbp_models_check_rounding(m->rounding, 1.0) : status;
}

/* The graph of m->terms, with biases -Q_ii. Statuses as lbp_graph_init. */
LBP_FN int lbp_p_qubo_graph(lbp_qubo *m, uint32_t max_degree) {
  uint32_t *ends = (uint32_t *)calloc((size_t)m->terms.count + 1, 2 * sizeof *ends);
  double *J = (double *)calloc((size_t)m->terms.count + 1, sizeof *J);
  double *bias = (double *)calloc(m->terms.n, sizeof *bias);
  int status = LBP_E_MEMORY;
  if (ends && J && bias) status = lbp_p_qubo_fill(m, max_degree, ends, J, bias);
  free(ends);
  free(J);
  free(bias);
  return status;
}

/* Makes a model of n sites; terms as for lbp_qubo_terms_init, for example those of a lbp_qubo_terms. max_degree is the
 * value of your LBP_MAX_NEIGHBOURS. Statuses as lbp_qubo_terms_init; LBP_E_RANGE also if a site has terms with more
 * than max_degree others (lbp_qubo_dense has no such limit); LBP_E_PRECISION: rounding to lbp_real changes a log-ratio
 * by more than 1e-3, for example with small costs and large penalties in float: define LBP_MODELS_REAL as double. */
LBP_FN int lbp_qubo_init(lbp_qubo *m, uint32_t n, uint32_t count, const uint32_t *ends, const double *value,
                         double offset, uint32_t max_degree) {
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  status = lbp_qubo_terms_init(&m->terms, n, count, ends, value, offset);
  if (status == LBP_OK) status = lbp_p_qubo_graph(m, max_degree);
  if (status != LBP_OK) {
    lbp_qubo_free(m);
    return status;
  }
  m->n = n;
  return LBP_OK;
}

/* Makes the model of m->terms, which a constructor of terms has made with this status; without a limit of
 * neighbours. */
LBP_FN int lbp_p_qubo_of_terms(lbp_qubo *m, int status) {
  if (status == LBP_OK) status = lbp_p_qubo_graph(m, m->terms.n);
  if (status == LBP_OK) m->n = m->terms.n;
  else lbp_qubo_free(m);
  return status;
}

/* Makes the model of lbp_qubo_terms_random. LBP_MAX_NEIGHBOURS must be at least m->max_degree: check it. Statuses as
 * lbp_qubo_terms_random; LBP_E_PRECISION as lbp_qubo_init. */
LBP_FN int lbp_qubo_random(lbp_qubo *m, uint32_t n, double density, uint32_t largest, uint64_t seed) {
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  return lbp_p_qubo_of_terms(m, lbp_qubo_terms_random(&m->terms, n, density, largest, seed));
}

/* Makes the model of lbp_qubo_terms_max_cut: minus its energy is the weight of the cut. LBP_MAX_NEIGHBOURS must be at
 * least m->max_degree, the largest degree. Statuses as lbp_qubo_terms_max_cut; LBP_E_PRECISION as lbp_qubo_init. */
LBP_FN int lbp_qubo_max_cut(lbp_qubo *m, uint32_t n, uint32_t edges, const uint32_t *ends, const double *weight) {
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  return lbp_p_qubo_of_terms(m, lbp_qubo_terms_max_cut(&m->terms, n, edges, ends, weight));
}

/* Returns E(x) of the terms as given, O(terms); as exact as lbp_qubo_terms_energy. */
LBP_FN double lbp_qubo_energy(const lbp_qubo *m, const uint8_t *x) { return lbp_qubo_terms_energy(&m->terms, x); }

/* Returns -E(x) -> LBP_LOGP. */
LBP_FN double lbp_qubo_logp(const lbp_qubo *m, const uint8_t *x) { return -lbp_qubo_energy(m, x); }

/* -E(x) + offset from biases and slopes, which have each pair twice, O(n). */
LBP_FN double lbp_p_qubo_sum(uint32_t n, const lbp_real *bias, const lbp_real *slope, const uint8_t *x) {
  double sum = 0.0;
  uint32_t i;
  for (i = 0; i < n; i++) sum += x[i] ? (double)bias[i] + (double)slope[i] : 0.0;
  return sum / 2.0;
}

/* Returns the log-ratio of one flip, O(degree of i) -> LBP_DELTA. */
LBP_INLINE lbp_real lbp_qubo_delta(const lbp_qubo *m, const uint8_t *x, uint32_t i) {
  return lbp_graph_delta(&m->graph, x, i);
}

/* Writes the sites that have a term with site i, and returns their number; out has room for max_degree ->
 * LBP_NEIGHBOURS. */
LBP_INLINE uint32_t lbp_qubo_neighbours(const lbp_qubo *m, uint32_t i, uint32_t *out) {
  return lbp_graph_neighbours(&m->graph, i, out);
}

/* Writes the sites that have a term with site i, and the couplings J_ij = -Q_ij / 4 of spins; returns their number ->
 * LBP_PAIRS. Room as for lbp_qubo_neighbours. */
LBP_INLINE uint32_t lbp_qubo_pairs(const lbp_qubo *m, uint32_t i, uint32_t *site, lbp_real *J) {
  return lbp_graph_pairs(&m->graph, i, site, J);
}

/* Returns the field of spins, h_i = -Q_ii / 2 - sum_j Q_ij / 4 -> LBP_FIELD. */
LBP_INLINE lbp_real lbp_qubo_field(const lbp_qubo *m, uint32_t i) { return lbp_graph_field(&m->graph, i); }

/* Writes -dE / dx_i for all i and returns -E(x), O(terms) -> LBP_GRADIENT. */
LBP_FN lbp_real lbp_qubo_gradient(const lbp_qubo *m, const uint8_t *x, lbp_real *out) {
  lbp_graph_fields slopes;
  slopes.slope = out;
  lbp_graph_fields_set(&m->graph, &slopes, x);
  return (lbp_real)(lbp_p_qubo_sum(m->n, m->graph.bias, out, x) - m->terms.offset);
}

/* Writes -E with x_i = 0 and with x_i = 1, up to a constant, O(degree of i) -> LBP_CONDITIONAL. */
LBP_INLINE void lbp_qubo_conditional(const lbp_qubo *m, const uint8_t *x, uint32_t i, lbp_real *out) {
  lbp_graph_conditional(&m->graph, x, i, out);
}

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_qubo_fields_free(lbp_qubo_fields *f) { lbp_graph_fields_free(f); }

/* Allocates one chain's fields; NAME_init or lbp_qubo_fields_set fills them. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_MEMORY. */
LBP_FN int lbp_qubo_fields_init(const lbp_qubo *m, lbp_qubo_fields *f) {
  return lbp_graph_fields_init(m ? &m->graph : NULL, f);
}

/* Computes the fields of x from scratch -> LBP_FIELDS_INIT. */
LBP_INLINE void lbp_qubo_fields_set(const lbp_qubo *m, lbp_qubo_fields *f, const uint8_t *x) {
  lbp_graph_fields_set(&m->graph, f, x);
}

/* Updates the fields after a flip of x[i], O(degree of i) -> LBP_FLIP. */
LBP_INLINE void lbp_qubo_flip(const lbp_qubo *m, lbp_qubo_fields *f, const uint8_t *x, uint32_t i) {
  lbp_graph_flip(&m->graph, f, x, i);
}

/* The same. In addition, lists the sites whose log-ratios change, with the new values -> LBP_FLIP_LIST. Room as for
 * lbp_qubo_neighbours. */
LBP_INLINE uint32_t lbp_qubo_flip_list(const lbp_qubo *m, lbp_qubo_fields *f, const uint8_t *x, uint32_t i,
                                       uint32_t *site, lbp_real *ratio) {
  return lbp_graph_flip_list(&m->graph, f, x, i, site, ratio);
}

/* Returns the log-ratio of one flip -> LBP_DELTA. */
LBP_INLINE lbp_real lbp_qubo_fields_delta(const lbp_qubo *m, const lbp_qubo_fields *f, const uint8_t *x, uint32_t i) {
  return lbp_graph_fields_delta(&m->graph, f, x, i);
}

/* Prefetches the cache lines that lbp_qubo_flip will write to -> LBP_PREFETCH. */
LBP_INLINE void lbp_qubo_prefetch(const lbp_qubo *m, const lbp_qubo_fields *f, const uint8_t *x, uint32_t i) {
  lbp_graph_prefetch(&m->graph, f, x, i);
}

/* Returns -E(x) from the fields, O(n), of the rounded values -> LBP_LOGP. */
LBP_FN double lbp_qubo_fields_logp(const lbp_qubo *m, const lbp_qubo_fields *f, const uint8_t *x) {
  return lbp_p_qubo_sum(m->n, m->graph.bias, f->slope, x) - m->terms.offset;
}

/* ---- each site with many others -------------------------------------------------------------------------------------
 *
 * A matrix whose rows have -Q_ij, and lbp_qubo's numbers in it: log-ratios are the same to the last bit. With fields a
 * flip adds a row to them, and all log-ratios are then known in O(n):
 *
 *   #define LBP_MODEL_T     lbp_qubo_dense
 *   #define LBP_REAL        lbp_real
 *   #define LBP_FIELDS_T    lbp_qubo_dense_fields
 *   #define LBP_FIELDS_INIT lbp_qubo_dense_fields_set
 *   #define LBP_FIELDS_MAKE lbp_qubo_dense_fields_init
 *   #define LBP_FIELDS_FREE lbp_qubo_dense_fields_free
 *   #define LBP_FLIP        lbp_qubo_dense_flip
 *   #define LBP_SAVE        lbp_qubo_dense_save
 *   #define LBP_RESTORE     lbp_qubo_dense_restore
 *   #define LBP_DELTAS      lbp_qubo_dense_deltas
 *   #define LBP_DELTA       lbp_qubo_dense_fields_delta
 *
 * and for lbp_run.h LBP_LOGP lbp_qubo_dense_fields_logp, LBP_DELTAS_EXACT: then differences of log pi, in lbp_real,
 * decide about steps, so let LBP_MODELS_REAL be double if |E| is large: runs warn if it is needed (LBP_WARN_ROUNDING).
 * lbp_qubo_dense_delta needs no fields. */

typedef struct {
  uint32_t  n;        /* sites */
  size_t    stride;   /* of rows: n, and some zeros */
  double    offset;
  lbp_real *bias;     /* [stride] -Q_ii */
  lbp_real *row;      /* [n][stride] -Q_ij, symmetric, 0 on the diagonal */
  double    rounding; /* largest change of a log-ratio by rounding -> LBP_ROUNDING */
  void     *memory;   /* the memory of both */
} lbp_qubo_dense;

typedef struct {
  lbp_real *slope, *saved; /* [stride] -dE / dx_i; the copy of lbp_qubo_dense_save */
  void     *memory;
} lbp_qubo_dense_fields;

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_qubo_dense_free(lbp_qubo_dense *m) {
  if (!m) return;
  free(m->memory);
  memset(m, 0, sizeof *m);
}

/* Makes the matrix of `from`, which it always frees. */
LBP_FN int lbp_p_qubo_matrix(lbp_qubo_dense *m, lbp_qubo *from) {
  const size_t n = from->n, stride = (size_t)lbp_models_padded(n);
  const lbp_graph *graph = &from->graph;
  size_t i;
  uint32_t k;
  m->bias = lbp_models_new_lines(stride * (n + 1), &m->memory);
  if (!m->bias) {
    lbp_qubo_free(from);
    return LBP_E_MEMORY;
  }
  m->row = m->bias + stride;
  m->stride = stride;
  m->n = from->n;
  m->offset = from->terms.offset;
  m->rounding = from->rounding;
  memcpy(m->bias, graph->bias, n * sizeof *m->bias);
  for (i = 0; i < n; i++) {
    lbp_real *row = m->row + i * stride;
    for (k = graph->start[i]; k < graph->start[i + 1]; k++) row[graph->link[k].site] = graph->link[k].gain;
  }
  lbp_qubo_free(from);
  return LBP_OK;
}

/* Whether a matrix of n sites is allowed: n^2, with the padding of rows, is at most 2^31 - 1. */
LBP_FN int lbp_p_qubo_matrix_fits(uint32_t n) {
  return lbp_models_check_sites((uint64_t)n + LBP_MODELS_BLOCK - 1, (uint64_t)n + 1);
}

/* As lbp_qubo_init, without a limit on neighbours. Memory: n^2 numbers, and temporarily about 60 bytes a term. Statuses
 * as lbp_qubo_terms_init; LBP_E_SIZE also if n exceeds about 46,000; LBP_E_PRECISION as lbp_qubo_init. */
LBP_FN int lbp_qubo_dense_init(lbp_qubo_dense *m, uint32_t n, uint32_t count, const uint32_t *ends, const double *value,
                               double offset) {
  lbp_qubo from;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_p_qubo_matrix_fits(n) != LBP_OK) return LBP_E_SIZE;
  status = lbp_qubo_init(&from, n, count, ends, value, offset, n);
  return status == LBP_OK ? lbp_p_qubo_matrix(m, &from) : status;
}

/* Makes the model of lbp_qubo_terms_random. Statuses as lbp_qubo_terms_random; LBP_E_SIZE also if n exceeds about
 * 46,000. */
LBP_FN int lbp_qubo_dense_random(lbp_qubo_dense *m, uint32_t n, double density, uint32_t largest, uint64_t seed) {
  lbp_qubo from;
  int status;
  if (!m) return LBP_E_NULL;
  memset(m, 0, sizeof *m);
  if (lbp_p_qubo_matrix_fits(n) != LBP_OK) return LBP_E_SIZE;
  status = lbp_qubo_random(&from, n, density, largest, seed);
  return status == LBP_OK ? lbp_p_qubo_matrix(m, &from) : status;
}

/* -dE / dx_i. Sums that begin with the bias are slopes of other states, and so exact; those that do not may be twice as
 * large, and have room in a double if lbp_real is float: side by side then, which vectorises. */
LBP_INLINE lbp_real lbp_p_qubo_slope(const lbp_qubo_dense *m, const uint8_t *x, uint32_t i) {
  enum { width = sizeof(lbp_real) < sizeof(double) ? LBP_MODELS_BLOCK : 1 };
  const lbp_real *row = m->row + i * m->stride;
  double sum[width] = {0};
  size_t j, k;
  sum[0] = (double)m->bias[i];
  for (j = 0; j + width <= m->n; j += width) {
    for (k = 0; k < width; k++) sum[k] += (double)row[j + k] * (double)x[j + k];
  }
  for (; j < m->n; j++) sum[0] += (double)row[j] * (double)x[j];
  for (k = 1; k < width; k++) sum[0] += sum[k];
  return (lbp_real)sum[0];
}

/* Returns E(x) of the rounded values, O(n^2), in double; lbp_qubo_terms_energy uses the values as given. */
LBP_FN double lbp_qubo_dense_energy(const lbp_qubo_dense *m, const uint8_t *x) {
  double sum = 0.0;
  uint32_t i;
  for (i = 0; i < m->n; i++) sum += x[i] ? (double)m->bias[i] + (double)lbp_p_qubo_slope(m, x, i) : 0.0;
  return m->offset - sum / 2.0;
}

/* Returns log pi(x) = -E(x) without fields, O(n^2). */
LBP_FN double lbp_qubo_dense_logp(const lbp_qubo_dense *m, const uint8_t *x) { return -lbp_qubo_dense_energy(m, x); }

/* Returns the log-ratio of one flip, O(n). */
LBP_FN lbp_real lbp_qubo_dense_delta(const lbp_qubo_dense *m, const uint8_t *x, uint32_t i) {
  return lbp_models_flipped(lbp_p_qubo_slope(m, x, i), x[i]);
}

/* Frees it. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_qubo_dense_fields_free(lbp_qubo_dense_fields *f) {
  if (!f) return;
  free(f->memory);
  memset(f, 0, sizeof *f);
}

/* Allocates one chain's fields; NAME_init or lbp_qubo_dense_fields_set fills them. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_MEMORY. */
LBP_FN int lbp_qubo_dense_fields_init(const lbp_qubo_dense *m, lbp_qubo_dense_fields *f) {
  if (!f) return LBP_E_NULL;
  memset(f, 0, sizeof *f);
  if (!m || !m->row) return LBP_E_NULL;
  f->slope = lbp_models_new_lines(2 * m->stride, &f->memory);
  if (!f->slope) return LBP_E_MEMORY;
  f->saved = f->slope + m->stride;
  return LBP_OK;
}

/* Updates the fields after a flip of x[i], O(n) -> LBP_FLIP. */
LBP_INLINE void lbp_qubo_dense_flip(const lbp_qubo_dense *m, lbp_qubo_dense_fields *f, const uint8_t *x, uint32_t i) {
  lbp_models_add_row(f->slope, x[i] ? 1 : -1, m->row + i * m->stride, m->stride);
}

/* Computes the fields of x from scratch, O(n) for each one -> LBP_FIELDS_INIT. */
LBP_FN void lbp_qubo_dense_fields_set(const lbp_qubo_dense *m, lbp_qubo_dense_fields *f, const uint8_t *x) {
  uint32_t i;
  memcpy(f->slope, m->bias, m->stride * sizeof *f->slope);
  for (i = 0; i < m->n; i++) {
    if (x[i]) lbp_qubo_dense_flip(m, f, x, i);
  }
}

/* Keeps the fields for lbp_qubo_dense_restore -> LBP_SAVE. */
LBP_INLINE void lbp_qubo_dense_save(const lbp_qubo_dense *m, lbp_qubo_dense_fields *f) {
  memcpy(f->saved, f->slope, m->stride * sizeof *f->slope);
}

/* Restores the fields of lbp_qubo_dense_save, once -> LBP_RESTORE. */
LBP_INLINE void lbp_qubo_dense_restore(const lbp_qubo_dense *m, lbp_qubo_dense_fields *f) {
  lbp_real *kept = f->saved;
  (void)m;
  f->saved = f->slope;
  f->slope = kept;
}

/* Writes the exact log-ratios of all flips -> LBP_DELTAS. */
LBP_INLINE void lbp_qubo_dense_deltas(const lbp_qubo_dense *m, const lbp_qubo_dense_fields *f, const uint8_t *x,
                                      lbp_real *out) {
  uint32_t i;
  for (i = 0; i < m->n; i++) out[i] = lbp_models_flipped(f->slope[i], x[i]);
}

/* Returns the log-ratio of one flip -> LBP_DELTA. */
LBP_INLINE lbp_real lbp_qubo_dense_fields_delta(const lbp_qubo_dense *m, const lbp_qubo_dense_fields *f,
                                                const uint8_t *x, uint32_t i) {
  (void)m;
  return lbp_models_flipped(f->slope[i], x[i]);
}

/* Returns -E(x) from the fields, O(n) -> LBP_LOGP. */
LBP_FN double lbp_qubo_dense_fields_logp(const lbp_qubo_dense *m, const lbp_qubo_dense_fields *f, const uint8_t *x) {
  return lbp_p_qubo_sum(m->n, m->bias, f->slope, x) - m->offset;
}

LBP_EXACT_END

#endif /* LBP_QUBO_H */
