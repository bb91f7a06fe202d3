/* Callbacks and types in all the ways to write them: whatever they are, macros with parameters, names that the headers'
 * own parameters and variables have, in C++ methods and templates with a comma, all samplers draw what they draw with
 * plain functions. Built as C and as C++. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "test.h"

static int note;
static void noted(int status) { note = status; }
#define LBP_ON_ERROR(status, site) noted(status)

#include "../lbp_ab.h"
#include "../lbp_run.h"

enum { SITES = 9 };

#ifdef API_QUICK
enum { STEPS = 100 };
#else
enum { STEPS = 1000 };
#endif

/* ---- an Ising ring in a field, with its sums as fields ----------------------------------------------------------- */

typedef struct {
  double bias, bond; /* few bits: all sums are exact */
} ring;

typedef struct {
  int32_t ones, alike, kept_ones, kept_alike;
  void *memory;
} tally;

typedef struct {
  lbp_rng stream;
  uint64_t words;
} counter;

static void counter_init(counter *of) {
  lbp_rng_init(&of->stream, 4, 2);
  of->words = 0;
}

static uint64_t plain_u64(counter *of) {
  of->words++;
  return lbp_rng_u64(&of->stream);
}

static uint32_t plain_neighbours(const ring *of, uint32_t site, uint32_t *to) {
  (void)of;
  to[0] = (site + 1) % SITES;
  to[1] = (site + SITES - 1) % SITES;
  return 2;
}

/* how many neighbours are like this site, less those that are not */
static int plain_like(const uint8_t *at, uint32_t site) {
  const int one = at[site] == at[(site + 1) % SITES], other = at[site] == at[(site + SITES - 1) % SITES];
  return 2 * (one + other) - 2;
}

static double plain_delta(const ring *of, tally *sums, const uint8_t *at, uint32_t site) {
  (void)sums;
  return (at[site] ? -1 : 1) * of->bias - of->bond * plain_like(at, site);
}

static void plain_deltas(const ring *of, tally *sums, const uint8_t *at, double *to) {
  uint32_t site;
  for (site = 0; site < SITES; site++) to[site] = plain_delta(of, sums, at, site);
}

static void plain_deltas_many(const ring *of, tally *const *sums, const uint8_t *const *at, double *const *to,
                              uint32_t many) {
  uint32_t one;
  for (one = 0; one < many; one++) plain_deltas(of, sums[one], at[one], to[one]);
}

static double plain_logp(const ring *of, tally *sums, const uint8_t *at) {
  (void)at;
  return of->bias * sums->ones + of->bond * sums->alike;
}

static void plain_set(const ring *of, tally *sums, const uint8_t *at) {
  uint32_t site;
  (void)of;
  sums->ones = sums->alike = 0;
  for (site = 0; site < SITES; site++) {
    sums->ones += at[site];
    sums->alike += at[site] == at[(site + 1) % SITES];
  }
}

static void plain_flip(const ring *of, tally *sums, const uint8_t *at, uint32_t site) {
  (void)of;
  sums->ones += at[site] ? 1 : -1;
  sums->alike += plain_like(at, site);
}

static uint32_t plain_flip_list(const ring *of, tally *sums, const uint8_t *at, uint32_t site, uint32_t *to,
                                double *ratio) {
  uint32_t one;
  plain_flip(of, sums, at, site);
  for (one = 0; one < plain_neighbours(of, site, to); one++) ratio[one] = plain_delta(of, sums, at, to[one]);
  return one;
}

static void plain_save(const ring *of, tally *sums) {
  (void)of;
  sums->kept_ones = sums->ones;
  sums->kept_alike = sums->alike;
}

static void plain_restore(const ring *of, tally *sums) {
  (void)of;
  sums->ones = sums->kept_ones;
  sums->alike = sums->kept_alike;
}

static double plain_base(const ring *of, uint32_t site) { return (void)of, (void)site, 0.25; }
static double plain_log_weight(double ratio) { return 0.5 * ratio; }
static void plain_free(tally *sums) { free(sums->memory); }

static int plain_make(const ring *of, tally *sums) {
  (void)of;
  sums->memory = malloc(1);
  return sums->memory ? LBP_OK : LBP_E_MEMORY;
}

static double plain_log_pi(const ring *of, const uint8_t *at) {
  tally sums;
  plain_set(of, &sums, at);
  return plain_logp(of, &sums, at);
}

static double plain_gradient(const ring *of, const uint8_t *at, double *to) {
  uint32_t site;
  for (site = 0; site < SITES; site++) to[site] = (at[site] ? -1 : 1) * plain_delta(of, NULL, at, site);
  return plain_log_pi(of, at);
}

static void plain_conditional(const ring *of, const uint8_t *at, uint32_t site, double *to) {
  to[at[site]] = 0;
  to[1 - at[site]] = plain_delta(of, NULL, at, site);
}

static uint64_t hash_of(uint64_t hash, const void *data, size_t bytes) { /* FNV-1a */
  const uint8_t *byte = (const uint8_t *)data;
  for (; bytes > 0; bytes--) hash = (hash ^ *byte++) * 0x100000001b3u;
  return hash;
}

static uint64_t hashed(uint64_t hash, const uint8_t *at, const counter *of) {
  return hash_of(hash_of(hash, at, SITES), &of->words, sizeof of->words);
}

/* ---- macros that reach into the model ---------------------------------------------------------------------------- */

typedef struct {
  ring data;
  double (*delta)(const ring *, tally *, const uint8_t *, uint32_t);
  uint32_t (*neighbours)(const ring *, uint32_t, uint32_t *);
} desk;

/* ---- names that the headers use themselves ----------------------------------------------------------------------- */

typedef ring m;
typedef tally fields;
typedef counter rng;
typedef double real;
enum { count = 2 };

static real d(const m *a, fields *b, const uint8_t *at, uint32_t site) { return plain_delta(a, b, at, site); }
static uint32_t c(const m *a, uint32_t site, uint32_t *to) { return plain_neighbours(a, site, to); }
static void out(const m *a, fields *b, const uint8_t *at, real *to) { plain_deltas(a, b, at, to); }
static void chain(const m *a, fields *const *b, const uint8_t *const *at, real *const *to, uint32_t many) {
  plain_deltas_many(a, b, at, to, many);
}
static real k(const m *a, fields *b, const uint8_t *at) { return plain_logp(a, b, at); }
static void x(const m *a, fields *b, const uint8_t *at) { plain_set(a, b, at); }
static void i(const m *a, fields *b, const uint8_t *at, uint32_t site) { plain_flip(a, b, at, site); }
static uint32_t tries(const m *a, fields *b, const uint8_t *at, uint32_t site, uint32_t *to, real *ratio) {
  return plain_flip_list(a, b, at, site, to, ratio);
}
static void list(const m *a, fields *b) { plain_save(a, b); }
static void touched(const m *a, fields *b) { plain_restore(a, b); }
static real n(const m *a, uint32_t site) { return plain_base(a, site); }
static real report(real ratio) { return plain_log_weight(ratio); }
static uint64_t room(rng *of) { return plain_u64(of); }
static int u(const m *a, fields *b) { return plain_make(a, b); }
static void unit(fields *b) { plain_free(b); }
static real gradient(const m *a, const uint8_t *at, real *to) { return plain_gradient(a, at, to); }
static real logp(const m *a, const uint8_t *at) { return plain_log_pi(a, at); }
static void info(const m *a, const uint8_t *at, uint32_t site, real *to) { plain_conditional(a, at, site, to); }
static void status(int what, uint32_t site) { (void)site, noted(what); }

/* ---- C++ --------------------------------------------------------------------------------------------------------- */

#ifdef __cplusplus
class machine {
  ring data;
public:
  enum { most = 2 };
  explicit machine(const ring &given) : data(given) {}
  double delta(tally &b, const uint8_t *at, uint32_t site) const { return plain_delta(&data, &b, at, site); }
  uint32_t neighbours(uint32_t site, uint32_t *to) const { return plain_neighbours(&data, site, to); }
  void deltas(tally &b, const uint8_t *at, double *to) const { plain_deltas(&data, &b, at, to); }
  void deltas_many(tally **b, const uint8_t **at, double **to, uint32_t many) const {
    plain_deltas_many(&data, b, at, to, many);
  }
  double logp(tally &b, const uint8_t *at) const { return plain_logp(&data, &b, at); }
  void set(tally &b, const uint8_t *at) const { plain_set(&data, &b, at); }
  void flip(tally &b, const uint8_t *at, uint32_t site) const { plain_flip(&data, &b, at, site); }
  uint32_t flip_list(tally &b, const uint8_t *at, uint32_t site, uint32_t *to, double *ratio) const {
    return plain_flip_list(&data, &b, at, site, to, ratio);
  }
  void save(tally &b) const { plain_save(&data, &b); }
  void restore(tally &b) const { plain_restore(&data, &b); }
  double base(uint32_t site) const { return plain_base(&data, site); }
  int make(tally &b) const { return plain_make(&data, &b); }
  double gradient(const uint8_t *at, double *to) const { return plain_gradient(&data, at, to); }
  double log_pi(const uint8_t *at) const { return plain_log_pi(&data, at); }
  void conditional(const uint8_t *at, uint32_t site, double *to) const { plain_conditional(&data, at, site, to); }
  static double log_weight(double ratio) { return plain_log_weight(ratio); }
  static void release(tally &b) { plain_free(&b); }
};

struct source : counter {
  uint64_t operator()() { return plain_u64(this); }
};

template <class T, int> struct held : T {};
template <class, class T> struct pick { typedef T second; };

template <int, int> struct of {
  typedef held<ring, 1> model;
  typedef held<tally, 2> sums;
  enum { most = 2 };
  static double delta(const model *a, sums *b, const uint8_t *at, uint32_t site) { return plain_delta(a, b, at, site); }
  static uint32_t neighbours(const model *a, uint32_t site, uint32_t *to) { return plain_neighbours(a, site, to); }
  static void deltas(const model *a, sums *b, const uint8_t *at, double *to) { plain_deltas(a, b, at, to); }
  static void deltas_many(const model *a, sums **b, const uint8_t **at, double **to, uint32_t many) {
    for (uint32_t one = 0; one < many; one++) plain_deltas(a, b[one], at[one], to[one]);
  }
  static double logp(const model *a, sums *b, const uint8_t *at) { return plain_logp(a, b, at); }
  static void set(const model *a, sums *b, const uint8_t *at) { plain_set(a, b, at); }
  static void flip(const model *a, sums *b, const uint8_t *at, uint32_t site) { plain_flip(a, b, at, site); }
  static uint32_t flip_list(const model *a, sums *b, const uint8_t *at, uint32_t site, uint32_t *to, double *ratio) {
    return plain_flip_list(a, b, at, site, to, ratio);
  }
  static void save(const model *a, sums *b) { plain_save(a, b); }
  static void restore(const model *a, sums *b) { plain_restore(a, b); }
  static double base(const model *a, uint32_t site) { return plain_base(a, site); }
  static double log_weight(double ratio) { return plain_log_weight(ratio); }
  static int make(const model *a, sums *b) { return plain_make(a, b); }
  static void release(sums *b) { plain_free(b); }
  static uint64_t u64(held<counter, 3> *g) { return plain_u64(g); }
  static double gradient(const model *a, const uint8_t *at, double *to) { return plain_gradient(a, at, to); }
  static double log_pi(const model *a, const uint8_t *at) { return plain_log_pi(a, at); }
  static void conditional(const model *a, const uint8_t *at, uint32_t site, double *to) {
    plain_conditional(a, at, site, to);
  }
  static void on_error(int what, uint32_t) { noted(what); }
};
#endif

/* ---- instances --------------------------------------------------------------------------------------------------- */

#define PLAIN     0
#define MACROS    1
#define NAMES     2
#define METHODS   3
#define TEMPLATES 4

#define FORM PLAIN
#define CASE plain
#include "cases/callbacks_case.h"

#define FORM MACROS
#define CASE macros
#include "cases/callbacks_case.h"

#define FORM NAMES
#define CASE names
#include "cases/callbacks_case.h"

#ifdef __cplusplus
#define FORM METHODS
#define CASE methods
#include "cases/callbacks_case.h"

#define FORM TEMPLATES
#define CASE templates
#include "cases/callbacks_case.h"
#endif

#undef LBP_CHECKED
#define LBP_CHECKED 1

#define FORM MACROS
#define CASE checked_macros
#include "cases/callbacks_case.h"

#undef LBP_ON_ERROR
#define LBP_ON_ERROR status
#define FORM NAMES
#define CASE checked_names
#include "cases/callbacks_case.h"

#ifdef __cplusplus
#define FORM METHODS
#define CASE checked_methods
#include "cases/callbacks_case.h"

#undef LBP_ON_ERROR
#define LBP_ON_ERROR of<1, 2>::on_error
#define FORM TEMPLATES
#define CASE checked_templates
#include "cases/callbacks_case.h"
#endif

/* Numbers, too, may be called like variables. */
enum { most = 2, level = 2 };
static double flat(const ring *of, const uint8_t *at, uint32_t site) { return (void)of, (void)at, (void)site, 0; }
static uint32_t none(const ring *of, uint32_t site, uint32_t *to) { return (void)of, (void)site, (void)to, 0; }

#define LBP_NAME                   grouped
#define LBP_MODEL_T                ring
#define LBP_DELTA                  flat
#define LBP_NEIGHBOURS             none
#define LBP_MAX_NEIGHBOURS         0
#define LBP_GROUP(of, site)        (site) % 2
#define LBP_GROUP_ONES(of, number) 2
#define LBP_GROUPS                 most
#include "../lbp.h"

#define LBP_NAME                levelled
#define LBP_MODEL_T             ring
#define LBP_DELTA               flat
#define LBP_NEIGHBOURS          none
#define LBP_MAX_NEIGHBOURS      0
#define LBP_LEVEL(of, at, site) (at)[site]
#define LBP_LEVELS              level
#include "../lbp.h"

static void check_numbers(const ring *of) {
  static uint64_t space[LBP_WS_LEN(SITES) + LBP_WS_LEN_SWAP(SITES, most)];
  uint8_t at[SITES] = {0};
  grouped_chain some;
  levelled_chain others;
  lbp_rng stream;
  lbp_rng_init(&stream, 4, 3);
  CHECK(grouped_init(&some, SITES, at, space, sizeof space / 8) == LBP_OK && grouped_fill(&some, of) == LBP_OK);
  CHECK(grouped_check_groups(&some, of) == LBP_OK && grouped_max_swaps(&some, of) == 4);
  CHECK(levelled_init(&others, SITES, at, space, sizeof space / 8) == LBP_OK);
  CHECK(levelled_check(&others, of, 3, &stream).status == LBP_OK);
  CHECK(levelled_metropolis_sweep(&others, of, &stream).jump == SITES);
  CHECK(levelled_skip_sweep(&others, of, LBP_BARKER, &stream).accept == 1);
  CHECK(levelled_fault(&others).status == LBP_OK);
}

static uint64_t reference[4];

static void compare(const uint64_t *hash) {
  CHECK(hash[0] == reference[0]);
  CHECK(hash[1] == reference[1]);
  CHECK(hash[2] == reference[2]);
  CHECK(hash[3] == reference[3]);
}

int main(void) {
  const ring model = {0.25, 0.5};
  desk over;
  uint64_t hash[8][4];
  over.data = model;
  over.delta = plain_delta;
  over.neighbours = plain_neighbours;
  memset(hash, 0, sizeof hash);
  plain_draws(&model, reference);
  macros_draws(&over, hash[0]);
  compare(hash[0]);
  names_draws(&model, hash[1]);
  compare(hash[1]);
  checked_macros_draws(&over, hash[2]);
  compare(hash[2]);
  checked_names_draws(&model, hash[3]);
  compare(hash[3]);
  check_numbers(&model);
#ifdef __cplusplus
  {
    const machine built(model);
    held<ring, 1> wrapped;
    static_cast<ring &>(wrapped) = model;
    methods_draws(&built, hash[4]);
    compare(hash[4]);
    templates_draws(&wrapped, hash[5]);
    compare(hash[5]);
    checked_methods_draws(&built, hash[6]);
    compare(hash[6]);
    checked_templates_draws(&wrapped, hash[7]);
    compare(hash[7]);
  }
#endif
  return test_report();
}
