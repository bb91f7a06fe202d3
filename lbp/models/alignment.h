/* lbp/models/alignment.h - multiple sequence alignments as states of bytes: a reader that takes files in pieces,
 * sequence weights by identity, frequencies of letters and of pairs of letters, and the correlation of two sets of such
 * frequencies.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp/models/local.h, for the type lbp_real of frequencies, and
 * <stdio.h>. lbp/models/potts_train.h trains the lbp_potts_dense of lbp/models/potts.h on an alignment.
 *
 *   lbp_alignment a;
 *   lbp_alignment_fault fault;
 *   int status = lbp_alignment_read(&a, file, LBP_LETTERS_GUESS, 0, &fault);
 *   if (status != LBP_OK) printf("line %llu: %s\n", (unsigned long long)fault.line, fault.what);
 *   else status = lbp_alignment_weigh(a.sequences, a.positions, a.x, 0.8, a.weight);
 *   ...
 *   lbp_alignment_free(&a);
 *
 * The first character decides between two formats:
 *
 *   FASTA     a line that begins with > (the reader ignores the rest of it), then the letters of a sequence on any
 *             number of lines. All sequences have the same length. The letters of proteins are - A C D E F G H I K L M
 *             N P Q R S T V W Y, values 0 to 20 in this order; those of RNA and DNA are - A C G U, values 0 to 4, and T
 *             is read as U. Ambiguous letters (B J O U X Z in proteins, B D H K M N R S V W X Y in nucleotides) and *
 *             are read as gaps and counted in `unknown`. Lower-case letters and points are inserts, as in the a2m
 *             files of Pfam and HMMER: columns that few sequences have. They are left out and counted in `inserts`.
 *             With `keep`, lower-case letters count as upper-case ones, and a point is a gap, as in plmc's files.
 *             Without `keep`, points may only occur in columns of inserts: if other sequences have letters or - in the
 *             same column, the points are gaps, and the reader rejects the file.
 *   numbers   a line with three numbers: the numbers of sequences, positions and letters; then for each sequence a
 *             line of numbers from 0 to letters - 1.
 *
 * The reader ignores blank lines, carriage returns at the ends of lines, and blanks other than those between numbers.
 * Read compressed files through a pipe: popen, or the shell.
 *
 * Source of weights and frequencies: Morcos et al., PNAS 108 (2011), E1293.
 */

#ifndef LBP_ALIGNMENT_H
#define LBP_ALIGNMENT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/support.h"
#include "local.h"

LBP_EXACT_BEGIN

#define LBP_ALIGNMENT_POSITIONS 65536 /* most positions of a sequence; all sequences together: 2^31 - 1 letters */

enum {
  LBP_LETTERS_GUESS,       /* nucleotides if all letters may be, and nine of ten are A C G T U N; else protein */
  LBP_LETTERS_PROTEIN,
  LBP_LETTERS_NUCLEOTIDES  /* rejects letters that are not nucleotides */
};

typedef struct {
  uint32_t sequences, positions, letters; /* letters: 21, 5, or line 1's third number */
  char     alphabet[24];                  /* the letter of value v; "" if the file has numbers */
  uint64_t unknown, inserts;              /* letters read as gaps; letters and points left out */
  uint8_t *x;                             /* [sequences][positions] values */
  double  *weight;                        /* [sequences] 1 each */
} lbp_alignment;

/* The error in a file: its line, and a sentence, which is a string constant. */
typedef struct {
  uint64_t    line;
  const char *what;
} lbp_alignment_fault;

/* Frees the memory of an alignment. A zeroed or freed object and NULL are allowed. */
LBP_FN void lbp_alignment_free(lbp_alignment *a) {
  if (!a) return;
  free(a->x);
  free(a->weight);
  memset(a, 0, sizeof *a);
}

/* ---- the reader -------------------------------------------------------------------------------------------------- */

/* The state of a reader between pieces of a file. It keeps letters, never lines, so the limits on letters bound its
 * memory. */
typedef struct {
  int      letters, keep;        /* the arguments of lbp_alignment_begin */
  int      status;               /* LBP_OK until the first error */
  int      numbers;              /* the file has numbers; -1: not known yet */
  int      titled;               /* FASTA: within a line that begins with >; numbers: within a number */
  int      fresh;                /* whether at the beginning of a line */
  uint32_t column, heads;        /* letters of this sequence so far; numbers of the first line so far */
  uint64_t head[3], number;      /* the first line's numbers; the number being read */
  uint64_t line, began;          /* the current line, from 1; the line where this sequence began */
  uint64_t place, places[2];     /* position, counting inserts; hashes of its letters' positions, and the first's */
  int      points, loose;        /* whether there are points; whether sequences' letters and - differ in columns */
  uint64_t seen[27];             /* counts of A ... Z, * */
  size_t   count, room;          /* bytes used and allocated in a.x */
  lbp_alignment       a;
  lbp_alignment_fault fault;
} lbp_alignment_reader;

LBP_FN int lbp_p_alignment_refuse(lbp_alignment_reader *r, int status, uint64_t line, const char *what) {
  if (r->status == LBP_OK) {
    r->status = status;
    r->fault.line = line;
    r->fault.what = what;
    lbp_alignment_free(&r->a);
  }
  return r->status;
}

/* Appends a value; the memory grows by doubling. */
LBP_FN int lbp_p_alignment_keep(lbp_alignment_reader *r, uint8_t value) {
  if (r->count == r->room) {
    const size_t room = r->room == 0 ? 4096 : 2 * r->room;
    uint8_t *grown = (uint8_t *)calloc(room, 1);
    if (!grown) return lbp_p_alignment_refuse(r, LBP_E_MEMORY, r->line, lbp_error(LBP_E_MEMORY));
    if (r->a.x) memcpy(grown, r->a.x, r->count);
    free(r->a.x);
    r->a.x = grown;
    r->room = room;
  }
  if (r->count >= LBP_MAX_SITES) {
    return lbp_p_alignment_refuse(r, LBP_E_SIZE, r->line, "there are more than 2^31 - 1 letters");
  }
  r->a.x[r->count++] = value;
  r->column++;
  return LBP_OK;
}

/* Ends a sequence: the next one begins, or the file ends. */
LBP_FN int lbp_p_alignment_row(lbp_alignment_reader *r) {
  if (r->column == 0) {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->began, r->a.inserts > 0
                                  ? "a sequence has no letters: lower case and points are skipped unless keep = 1"
                                  : "a sequence has no letters");
  }
  if (r->a.sequences == 0 && !r->numbers) r->a.positions = r->column;
  if (r->column < r->a.positions) {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->began,
                                  r->numbers ? "a row has fewer numbers than line 1 states"
                                             : "a sequence has fewer letters than the first: lower case and points "
                                               "are skipped; if points are gaps, set keep = 1");
  }
  if (r->a.sequences == 0) r->places[1] = r->places[0];
  r->loose |= r->places[0] != r->places[1];
  r->places[0] = r->place = 0;
  r->a.sequences++;
  r->column = 0;
  return LBP_OK;
}

LBP_FN int lbp_p_alignment_blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Takes a character of a FASTA file outside the lines with >. Letters are kept as 1 ... 26, * as 27. */
LBP_FN int lbp_p_alignment_letter(lbp_alignment_reader *r, int c) {
  static const char nucleotides[] = "ABCDGHKMNRSTUVWXY";
  const int is_small = c >= 'a' && c <= 'z', is_large = c >= 'A' && c <= 'Z';
  int value = c == '*' ? 27 : 0;
  if (lbp_p_alignment_blank(c)) return LBP_OK;
  if (!is_small && !is_large && c != '-' && c != '.' && c != '*') {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "a character is neither a letter nor one of - . *");
  }
  if (r->began == 0) return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "letters before the first line with >");
  r->place++;
  if ((is_small || c == '.') && !r->keep) {
    r->points |= c == '.';
    r->a.inserts++;
    return LBP_OK;
  }
  r->places[0] = (r->places[0] ^ r->place) * UINT64_C(0x9e3779b97f4a7c15);
  r->places[0] ^= r->places[0] >> 29;
  if (is_small) value = c - 'a' + 1;
  else if (is_large) value = c - 'A' + 1;
  if (r->letters == LBP_LETTERS_NUCLEOTIDES && value > 0 && value < 27 && !strchr(nucleotides, 'A' + value - 1)) {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "a letter is not a nucleotide");
  }
  if (r->a.sequences > 0 && r->column == r->a.positions) {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line,
                                  "a sequence has more letters than the first: lower case and points are skipped; if "
                                  "points are gaps, set keep = 1");
  }
  if (r->column == LBP_ALIGNMENT_POSITIONS) {
    return lbp_p_alignment_refuse(r, LBP_E_SIZE, r->line, "a sequence has more than 65536 letters");
  }
  if (value > 0) r->seen[value - 1]++;
  return lbp_p_alignment_keep(r, (uint8_t)value);
}

LBP_FN int lbp_p_alignment_fasta(lbp_alignment_reader *r, int c) {
  if (r->titled) {
    r->titled = c != '\n';
  } else if (c == '>' && r->fresh) {
    if (r->began > 0 && lbp_p_alignment_row(r) != LBP_OK) return r->status;
    r->began = r->line;
    r->titled = 1;
  } else {
    return lbp_p_alignment_letter(r, c);
  }
  return LBP_OK;
}

/* Ends the first line: checks the numbers of sequences, positions and letters. */
LBP_FN int lbp_p_alignment_head(lbp_alignment_reader *r) {
  if (r->heads == 0) return LBP_OK; /* it was blank */
  if (r->heads < 3) {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "the first line has fewer than 3 numbers (if this is "
                                  "PHYLIP, write it as FASTA)");
  }
  if (r->head[0] < 1 || r->head[1] < 1 || r->head[1] > LBP_ALIGNMENT_POSITIONS || r->head[0] > LBP_MAX_SITES ||
      r->head[0] * r->head[1] > LBP_MAX_SITES) {
    return lbp_p_alignment_refuse(r, LBP_E_SIZE, r->line, "the first line states no sequence, no position, "
                                  "more than 65536 positions, or more than 2^31 - 1 letters in all");
  }
  if (r->head[2] < 1 || r->head[2] > 256) {
    return lbp_p_alignment_refuse(r, LBP_E_RANGE, r->line, "the number of letters is not 1 to 256");
  }
  r->a.positions = (uint32_t)r->head[1];
  r->a.letters = (uint32_t)r->head[2];
  return LBP_OK;
}

/* Ends a number. */
LBP_FN int lbp_p_alignment_number(lbp_alignment_reader *r) {
  r->titled = 0;
  if (r->a.letters == 0) {
    if (r->heads == 3) {
      return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "the first line has more than 3 numbers");
    }
    r->head[r->heads++] = r->number;
    return LBP_OK;
  }
  if (r->column == 0) r->began = r->line;
  if (r->a.sequences == r->head[0]) {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "there are more rows than the first line states");
  }
  if (r->column == r->a.positions) {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "a row has more numbers than line 1 states");
  }
  if (r->number >= r->a.letters) {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "a number is not below the number of letters");
  }
  return lbp_p_alignment_keep(r, (uint8_t)r->number);
}

LBP_FN int lbp_p_alignment_digit(lbp_alignment_reader *r, int c) {
  if (c >= '0' && c <= '9') {
    r->number = (r->titled ? r->number : 0) * 10 + (uint64_t)(c - '0');
    r->titled = 1;
    if (r->number <= UINT32_MAX) return LBP_OK;
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "a number is too large");
  }
  if (!lbp_p_alignment_blank(c)) {
    return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "a character is neither a digit nor a blank");
  }
  if (r->titled && lbp_p_alignment_number(r) != LBP_OK) return r->status;
  if (c != '\n') return LBP_OK;
  if (r->a.letters == 0) return lbp_p_alignment_head(r);
  return r->column > 0 ? lbp_p_alignment_row(r) : LBP_OK;
}

/* Sets up a reader at the beginning of a file. letters, for FASTA: LBP_LETTERS_GUESS and the like. keep: 1: lower-case
 * letters are letters, and points are gaps; 0: both are inserts, and left out. Returns LBP_OK, or LBP_E_NULL,
 * LBP_E_RANGE. */
LBP_FN int lbp_alignment_begin(lbp_alignment_reader *r, int letters, int keep) {
  if (!r) return LBP_E_NULL;
  memset(r, 0, sizeof *r);
  if (letters < LBP_LETTERS_GUESS || letters > LBP_LETTERS_NUCLEOTIDES || keep < 0 || keep > 1) {
    return lbp_p_alignment_refuse(r, LBP_E_RANGE, 0, lbp_error(LBP_E_RANGE));
  }
  r->letters = letters;
  r->keep = keep;
  r->numbers = -1;
  r->line = 1;
  r->fresh = 1;
  return LBP_OK;
}

/* Reads the next `size` bytes of the file; pieces may have any size. Returns LBP_OK, or the first error, which every
 * later call returns as well: LBP_E_FORMAT (after lbp_alignment_end, too), LBP_E_SIZE, LBP_E_RANGE, LBP_E_MEMORY.
 * r->fault then has the sentence and the line, and the reader keeps no memory. */
LBP_FN int lbp_alignment_feed(lbp_alignment_reader *r, const void *bytes, size_t size) {
  const unsigned char *at = (const unsigned char *)bytes, *end = at + size;
  for (; at < end && r->status == LBP_OK; at++) {
    const int c = *at;
    if (r->numbers < 0 && !lbp_p_alignment_blank(c)) {
      if (c != '>' && (c < '0' || c > '9')) {
        return lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "the file begins neither with > nor with a number: "
                                      "write Stockholm, Clustal and the like as FASTA");
      }
      r->numbers = c != '>';
    }
    if (r->numbers == 0) lbp_p_alignment_fasta(r, c);
    else if (r->numbers == 1) lbp_p_alignment_digit(r, c);
    r->fresh = c == '\n' || (r->fresh && lbp_p_alignment_blank(c));
    r->line += c == '\n';
  }
  return r->status;
}

/* Chooses the alphabet by the letters that have been seen, and replaces letters by values. */
LBP_FN void lbp_p_alignment_translate(lbp_alignment_reader *r) {
  static const char protein[] = "-ACDEFGHIKLMNPQRSTVWY", rna[] = "-ACGU", sure[] = "ACGTUN", other[] = "EFIJLOPQZ";
  lbp_alignment *a = &r->a;
  uint64_t all = 0, certain = 0, foreign = 0;
  uint8_t value[28] = {0};
  int is_protein = r->letters == LBP_LETTERS_PROTEIN;
  uint32_t v;
  size_t k;
  for (v = 0; v < 26; v++) {
    all += r->seen[v];
    certain += strchr(sure, (int)('A' + v)) ? r->seen[v] : 0;
    foreign += strchr(other, (int)('A' + v)) ? r->seen[v] : 0;
  }
  if (r->letters == LBP_LETTERS_GUESS) is_protein = foreign > 0 || certain < all - all / 10;
  if (is_protein) {
    memcpy(a->alphabet, protein, sizeof protein);
  } else {
    memcpy(a->alphabet, rna, sizeof rna);
    value['T' - 'A' + 1] = 4;
  }
  a->letters = (uint32_t)strlen(a->alphabet);
  for (v = 1; v < a->letters; v++) value[a->alphabet[v] - 'A' + 1] = (uint8_t)v;
  for (v = 1; v < 28; v++) a->unknown += value[v] == 0 ? r->seen[v - 1] : 0;
  for (k = 0; k < r->count; k++) a->x[k] = value[a->x[k]];
}

/* Ends the file: moves its alignment, with weights of 1, to *a, which you free. Returns LBP_OK, LBP_E_NULL, or a status
 * of lbp_alignment_feed, also for errors at the end of the file; *a is zeroed then. */
LBP_FN int lbp_alignment_end(lbp_alignment_reader *r, lbp_alignment *a) {
  uint32_t k;
  if (a) memset(a, 0, sizeof *a);
  if (!r || !a) return LBP_E_NULL;
  if (r->status != LBP_OK) return r->status;
  if (r->numbers == 1) { /* the last line may lack its line feed */
    if (r->titled) lbp_p_alignment_number(r);
    if (r->status == LBP_OK && r->a.letters == 0) lbp_p_alignment_head(r);
    if (r->status == LBP_OK && r->column > 0) lbp_p_alignment_row(r);
    if (r->status == LBP_OK && r->a.sequences < r->head[0]) {
      lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "there are fewer rows than the first line states");
    }
  } else if (r->numbers == 0) {
    if (lbp_p_alignment_row(r) == LBP_OK && r->points && r->loose) {
      lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "points stand where other sequences have letters: if they are "
                             "gaps, set keep = 1; if they are inserts, write a point in every sequence "
                             "that lacks one");
    }
  } else {
    lbp_p_alignment_refuse(r, LBP_E_FORMAT, r->line, "the file is empty");
  }
  if (r->status != LBP_OK) return r->status;
  r->a.weight = (double *)calloc(r->a.sequences, sizeof(double));
  if (!r->a.weight) return lbp_p_alignment_refuse(r, LBP_E_MEMORY, r->line, lbp_error(LBP_E_MEMORY));
  for (k = 0; k < r->a.sequences; k++) r->a.weight[k] = 1.0;
  if (!r->numbers) lbp_p_alignment_translate(r);
  *a = r->a;
  memset(&r->a, 0, sizeof r->a);
  r->count = r->room = 0;
  r->status = LBP_E_FORMAT; /* it has read its file */
  return LBP_OK;
}

/* Reads a whole file, which may be a pipe, to *a, which you free. letters, keep: as in lbp_alignment_begin. *fault gets
 * the error's line and sentence (NULL: not wanted). Returns LBP_OK, a status of lbp_alignment_begin or
 * lbp_alignment_end, or LBP_E_FILE (reading failed). */
LBP_FN int lbp_alignment_read(lbp_alignment *a, FILE *file, int letters, int keep, lbp_alignment_fault *fault) {
  lbp_alignment_reader r;
  unsigned char bytes[4096];
  size_t size;
  int status;
  if (fault) memset(fault, 0, sizeof *fault);
  if (a) memset(a, 0, sizeof *a);
  if (!a || !file) return LBP_E_NULL;
  status = lbp_alignment_begin(&r, letters, keep);
  while (status == LBP_OK && (size = fread(bytes, 1, sizeof bytes, file)) > 0) {
    status = lbp_alignment_feed(&r, bytes, size);
  }
  if (status == LBP_OK && ferror(file)) status = lbp_p_alignment_refuse(&r, LBP_E_FILE, r.line, lbp_error(LBP_E_FILE));
  if (status == LBP_OK) status = lbp_alignment_end(&r, a);
  if (fault) *fault = r.fault;
  return status;
}

/* ---- weights and frequencies ------------------------------------------------------------------------------------- */

/* Returns the number of equal bytes among n of two sequences. Bytes count them, in blocks that do not overflow. */
LBP_FN uint32_t lbp_p_alignment_alike(const uint8_t *a, const uint8_t *b, uint32_t n) {
  uint32_t sum = 0, begin, k;
  for (begin = 0; begin < n; begin += 240) {
    const uint32_t end = n - begin < 240 ? n : begin + 240;
    uint8_t part = 0;
    for (k = begin; k < end; k++) part = (uint8_t)(part + (a[k] == b[k]));
    sum += part;
  }
  return sum;
}

/* Writes weight[k] = 1 / the number of sequences, including k, that share at least the fraction `identity` of their n
 * letters with sequence k; 0.8 is usual. The sum of the weights is the effective number of sequences. x: [rows][n].
 * Takes O(rows^2 n), on all cores. Returns LBP_OK, or LBP_E_NULL, LBP_E_SIZE, LBP_E_RANGE (identity is not in
 * (0, 1]). */
LBP_FN int lbp_alignment_weigh(uint32_t rows, uint32_t n, const uint8_t *x, double identity, double *weight) {
  const double least = identity * n * (1.0 - 1e-12);
  int64_t k;
  if (!x || !weight) return LBP_E_NULL;
  if (lbp_models_check_sites(rows, n) != LBP_OK) return LBP_E_SIZE;
  if (!(identity > 0.0 && identity <= 1.0)) return LBP_E_RANGE;
#if defined _OPENMP
#pragma omp parallel for schedule(dynamic, 16)
#endif
  for (k = 0; k < (int64_t)rows; k++) {
    const uint8_t *own = x + (size_t)k * n;
    uint32_t alike = 0, other;
    for (other = 0; other < rows; other++) {
      alike += lbp_p_alignment_alike(own, x + (size_t)other * n, n) >= least;
    }
    weight[k] = 1.0 / alike;
  }
  return LBP_OK;
}

/* Writes the parts of `two` of all pairs of sites i and j > i, from columns [n][rows]; count: room for q^2. */
LBP_FN void lbp_p_alignment_pairs(uint32_t rows, uint32_t n, uint32_t q, const uint8_t *column, const double *weight,
                                  uint32_t i, double total, double *count, lbp_real *two) {
  const uint8_t *a = column + (size_t)i * rows;
  const size_t cells = (size_t)q * q;
  uint32_t j, row;
  size_t k;
  for (j = i + 1; j < n; j++, two += cells) {
    const uint8_t *b = column + (size_t)j * rows;
    memset(count, 0, cells * sizeof *count);
    for (row = 0; row < rows; row++) count[a[row] * q + b[row]] += weight ? weight[row] : 1.0;
    for (k = 0; k < cells; k++) two[k] = (lbp_real)(count[k] / total);
  }
}

/* Writes the weighted frequencies of values in x [rows][n], whose values are below `states`. weight: [rows] positive
 * weights (NULL: all equal). one: [n][states]. two: [n (n - 1) / 2][states][states], of pairs, in the order of the
 * couplings of lbp_potts_dense (NULL: not wanted). Uses all cores. Returns LBP_OK, or LBP_E_NULL; LBP_E_SIZE;
 * LBP_E_RANGE (states exceeds 256); LBP_E_STATE (a value is not below `states`); LBP_E_MEMORY. */
LBP_FN int lbp_alignment_frequencies(uint32_t rows, uint32_t n, uint32_t states, const uint8_t *x,
                                     const double *weight, lbp_real *one, lbp_real *two) {
  const size_t q = states, cells = q * q;
  uint8_t *column;
  double total = 0.0;
  uint32_t row;
  int64_t i;
  int failed = 0;
  if (!x || !one) return LBP_E_NULL;
  if (lbp_models_check_sites(rows, n) != LBP_OK || lbp_models_check_sites(n, states) != LBP_OK) return LBP_E_SIZE;
  if (states > 256) return LBP_E_RANGE;
  column = (uint8_t *)calloc(n, rows);
  if (!column) return LBP_E_MEMORY;
  for (row = 0; row < rows; row++) {
    total += weight ? weight[row] : 1.0;
    for (i = 0; i < (int64_t)n; i++) {
      const uint8_t v = x[(size_t)row * n + (size_t)i];
      failed |= v >= states;
      column[(size_t)i * rows + row] = v;
    }
  }
  if (failed) {
    free(column);
    return LBP_E_STATE;
  }
#if defined _OPENMP
#pragma omp parallel for schedule(dynamic) reduction(| : failed)
#endif
  for (i = 0; i < (int64_t)n; i++) {
    const uint8_t *own = column + (size_t)i * rows;
    double *count = (double *)calloc(cells, sizeof *count);
    uint32_t k;
    size_t v;
    failed |= !count;
    if (!count) continue;
    for (k = 0; k < rows; k++) count[own[k]] += weight ? weight[k] : 1.0;
    for (v = 0; v < q; v++) one[(size_t)i * q + v] = (lbp_real)(count[v] / total);
    if (two) {
      lbp_p_alignment_pairs(rows, n, states, column, weight, (uint32_t)i, total, count,
                            two + (size_t)i * (2 * (size_t)n - (size_t)i - 1) / 2 * cells);
    }
    free(count);
  }
  free(column);
  return failed ? LBP_E_MEMORY : LBP_OK;
}

/* Returns Pearson's correlation, over all pairs of sites and of their values, between the connected correlations
 * two_ij(v, w) - one_i(v) one_j(w) of one, two and those of one_other, two_other. *slope (NULL: not wanted) gets the
 * slope of the line through 0 that predicts the others from the first. NaN if all of either set are 0. */
LBP_FN double lbp_alignment_pearson(uint32_t n, uint32_t states, const lbp_real *one, const lbp_real *two,
                                    const lbp_real *one_other, const lbp_real *two_other, double *slope) {
  const size_t q = states;
  double a = 0.0, b = 0.0, aa = 0.0, bb = 0.0, ab = 0.0, cells = 0.0;
  size_t i, j, v, w, k = 0;
  for (i = 0; i < n; i++) {
    for (j = i + 1; j < n; j++) {
      for (v = 0; v < q; v++) {
        const double f = (double)one[i * q + v], g = (double)one_other[i * q + v];
        for (w = 0; w < q; w++, k++) {
          const double c = (double)two[k] - f * (double)one[j * q + w];
          const double d = (double)two_other[k] - g * (double)one_other[j * q + w];
          a += c, b += d, aa += c * c, bb += d * d, ab += c * d;
        }
      }
    }
  }
  cells = (double)k;
  if (slope) *slope = ab / aa;
  return (cells * ab - a * b) / sqrt((cells * aa - a * a) * (cells * bb - b * b));
}

LBP_EXACT_END

#endif /* LBP_ALIGNMENT_H */
