/* Bayesian variable selection for other languages: lbp/models/selection.h with Zellner's g-prior.
 *   cc -O3 -march=native -shared -fPIC -I../.. selection.c -o selection.so -lm */
#include <stdio.h>

#include "lbp/models/selection.h"

typedef struct {
  uint32_t rows, n;
  const double *X, *y, *inclusion;
  lbp_selection it;
} selection;

static int selection_build(selection *s, char *why) {
  lbp_selection_options options;
  uint32_t constant;
  int status;
  lbp_selection_options_init(&options);
  if (!(s->inclusion[0] > 0 && s->inclusion[0] < 1)) { /* 0 would be another prior, see lbp/models/selection.h */
    snprintf(why, 1024, "inclusion: a probability above 0 and below 1, not %g", s->inclusion[0]);
    return LBP_E_RANGE;
  }
  options.inclusion = s->inclusion[0];
  status = lbp_selection_init(&s->it, s->rows, s->n, s->X, s->y, &options);
  constant = status == LBP_E_RANGE ? lbp_selection_constant(s->rows, s->n, s->X, s->y) : s->n + 1;
  if (constant < s->n) {
    snprintf(why, 1024, "X: column %lu of 0 to n - 1 is constant: leave it out", (unsigned long)constant);
  }
  if (constant == s->n) snprintf(why, 1024, "y is constant: there is nothing to explain");
  return status;
}

#define LBP_NAME                 selection
#define LBP_MODEL_T              selection
#define LBP_REAL                 double
#define LBP_FIELDS_T             lbp_selection_fields
#define LBP_FIELDS_INIT(s, f, x) lbp_selection_fields_set(&(s)->it, f, x)
#define LBP_FIELDS_MAKE(s, f)    lbp_selection_fields_init(&(s)->it, f)
#define LBP_FIELDS_FREE          lbp_selection_fields_free
#define LBP_FLIP(s, f, x, i)     lbp_selection_flip(&(s)->it, f, x, i)
#define LBP_DELTAS(s, f, x, out) lbp_selection_deltas(&(s)->it, f, x, out)
#define LBP_DELTAS_EXACT
#define LBP_LOGP(s, f, x)        lbp_selection_logp(&(s)->it, f, x)
#define LBP_TEMPERED
#define LBP_BRIDGE_SIZES(S)      S(rows) S(n)
#define LBP_BRIDGE_ARRAYS(A)     A(y, double, rows) A(X, double, rows * n) A(inclusion, double, 1)
#define LBP_BRIDGE_BUILD(s, why) selection_build(s, why)
#define LBP_BRIDGE_FREE(s)       lbp_selection_free(&(s)->it)
#include "lbp_bridge.h"
