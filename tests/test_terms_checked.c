/* Checked builds of models by terms: whatever step is taken, NAME_fault reports a model that changes after its index was
 * made, and values that no term may have. */
#define LBP_CHECKED 1
#include "test.h"
#include "web.h"

enum { TERMS_KINDS = 9, CHECKED_STEPS = 200 };

/* What a step says. */
typedef struct {
  uint32_t accepted, jump, evaluations;
  double log_ratio;
} terms_told;

#define CASE_1(name, suffix) CASE_2(name, suffix)
#define CASE_2(name, suffix) name##_##suffix
#define CASE_REAL            double
#define CASE_ARITY           WEB_ARITY

/* The fault after `change`, of a chain that has taken some steps before. */
#define PROVOKED(name)                                                                                  \
  static uint32_t name##_index[LBP_TERMS_LEN(WEB_SITES, WEB_ARITY, WEB_TERMS)];                         \
  static uint64_t name##_ws[40 * WEB_SITES];                                                            \
  static uint8_t name##_x[WEB_SITES];                                                                   \
  static name##_report name##_provoked(web *m, uint32_t kind, void (*change)(web *m)) {                 \
    name##_terms terms;                                                                                 \
    name##_chain c;                                                                                     \
    name##_report r;                                                                                    \
    lbp_rng rng;                                                                                        \
    int t;                                                                                              \
    lbp_rng_init(&rng, 5, kind);                                                                        \
    CHECK(name##_terms_init(&terms, m, m->n, name##_index, name##_terms_len(m, m->n)) == LBP_OK);       \
    CHECK(name##_init(&c, m->n, name##_x, &terms, name##_ws, sizeof name##_ws / sizeof name##_ws[0]) == LBP_OK); \
    for (t = 0; t < CHECKED_STEPS; t++) name##_go(&c, m, kind, 1 + (uint32_t)t % 3, &rng);              \
    r = name##_fault(&c);                                                                               \
    CHECK(r.status == LBP_OK);                                                                          \
    change(m);                                                                                          \
    for (t = 0; t < CHECKED_STEPS; t++) name##_go(&c, m, kind, 1 + (uint32_t)t % 3, &rng);              \
    return name##_fault(&c);                                                                            \
  }

#define CASE       two
#define CASE_TERMS 1
#include "cases/terms_instance.h"
PROVOKED(two_terms)
#undef CASE
#define CASE many
#define CASE_CAT
#include "cases/terms_instance.h"
PROVOKED(many_terms)

/* Term 2 has the sites 4 and 1. */
static void nothing(web *m) { (void)m; }
static void other_site(web *m) { m->site[2][1] = 0; }
static void other_order(web *m) { m->site[2][0] = 1, m->site[2][1] = 4; }
static void one_less(web *m) { m->terms--; }
static void one_shorter(web *m) { m->arity[2] = 1; }
static void no_site(web *m) { m->site[2][1] = 5; }
static void twice(web *m) { m->site[2][1] = 4; }
static void no_numbers(web *m) {
  uint32_t j;
  for (j = 0; j < WEB_CELLS; j++) m->table[2][j] = NAN;
}
static void infinite(web *m) {
  uint32_t j;
  for (j = 0; j < WEB_CELLS; j++) m->table[2][j] = WEB_INFINITY;
}
static void alone_no_number(web *m) { m->own[3][0] = m->own[3][1] = m->own[3][2] = m->own[3][3] = NAN; }
static void half_unit(web *m) {
  uint32_t v;
  for (v = 0; v < WEB_VALUES; v++) m->own[3][v] += 1.0 / 128;
}

static void test_faults(void) {
  static const struct {
    void (*change)(web *m);
    int status;
  } row[] = {{nothing, LBP_OK},
             {other_site, LBP_E_TERMS_STALE},
             {other_order, LBP_E_TERMS_STALE},
             {one_less, LBP_E_TERMS_STALE},
             {one_shorter, LBP_E_TERMS_STALE},
             {no_site, LBP_E_TERM_SITES},
             {twice, LBP_E_TERM_TWICE},
             {no_numbers, LBP_E_TERM_NAN},
             {infinite, LBP_E_TERM_NAN},
             {alone_no_number, LBP_E_TERM_NAN},
             {half_unit, LBP_E_UNIT}};
  static web m;
  uint32_t k, kind, values;
  for (k = 0; k < sizeof row / sizeof row[0]; k++) {
    for (kind = 0; kind < TERMS_KINDS; kind++) {
      for (values = 2; values <= WEB_VALUES; values += 2) {
        int status;
        web_make(&m, 5, values, 8, 3, 0, 11);
        m.arity[2] = 2, m.site[2][0] = 4, m.site[2][1] = 1;
        memset(two_terms_x, 0, sizeof two_terms_x);
        memset(many_terms_x, 0, sizeof many_terms_x);
        status = values == 2 ? two_terms_provoked(&m, kind, row[k].change).status
                             : many_terms_provoked(&m, kind, row[k].change).status;
        if (status != row[k].status) printf("change %u, step %u, %u values: %d\n", k, kind, values, status);
        CHECK(status == row[k].status);
      }
    }
  }
}

int main(void) {
  test_faults();
  return test_report();
}
