/* Template: two instances of one grid with fields, LIST and LIST_plain, of which the first knows LBP_FLIP_LIST, and a
 * comparison of their steps. Parameters: LIST (a prefix), LBP_WEIGHT, LIST_TEMPERED where they have a temperature, and
 * LIST_CHECKED 1 where the first is a checked build, LIST_SWAPS where steps are swaps. Generates LIST_compare(). */

#define LIST_PASTE2(a, b) a##b
#define LIST_PASTE(a, b)  LIST_PASTE2(a, b)
#define LIST_ID(name)     LIST_PASTE(LIST, name)

#undef LBP_CHECKED
#ifdef LIST_CHECKED
#define LBP_CHECKED 1
#else
#define LBP_CHECKED 0
#endif
#define LBP_NAME           LIST
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_WEIGHT         LIST_WEIGHT
#ifdef LIST_TEMPERED
#define LBP_TEMPERED
#endif
#ifdef LIST_SWAPS
#define LBP_GROUP(m, i) 0u
#define LBP_GROUPS      1
#endif
#define LBP_FIELDS_T       lbp_ising_fields
#define LBP_FIELDS_INIT    lbp_ising_fields_set
#define LBP_FLIP           lbp_ising_flip
#define LBP_FLIP_LIST      lbp_ising_flip_list
#define LBP_DELTA          lbp_ising_fields_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "../../lbp.h"

#undef LBP_CHECKED
#define LBP_CHECKED 0
#define LBP_NAME           LIST_ID(_plain)
#define LBP_MODEL_T        lbp_ising
#define LBP_REAL           lbp_real
#define LBP_WEIGHT         LIST_WEIGHT
#ifdef LIST_TEMPERED
#define LBP_TEMPERED
#endif
#ifdef LIST_SWAPS
#define LBP_GROUP(m, i) 0u
#define LBP_GROUPS      1
#endif
#define LBP_FIELDS_T       lbp_ising_fields
#define LBP_FIELDS_INIT    lbp_ising_fields_set
#define LBP_FLIP           lbp_ising_flip
#define LBP_DELTA          lbp_ising_fields_delta
#define LBP_NEIGHBOURS     lbp_ising_neighbours
#define LBP_MAX_NEIGHBOURS LBP_ISING_MAX_NEIGHBOURS
#include "../../lbp.h"

/* Steps of both, bit by bit: what they say, the states, and the weights and sums that they keep. Adds to seen[]: those
 * that were rejected and accepted, those with no room for a log, those that raised the ceiling, sorted ones, and those
 * that logged. */
LBP_FN void LIST_ID(_compare)(const lbp_ising *m, uint32_t steps, uint64_t seed, uint32_t *seen) {
  static const uint32_t sizes[] = {1, 2, 3, 15, 16, 17, 63, 64, 65, 129};
  const uint32_t n = m->n;
  const size_t len = LIST_ID(_ws_len)(n);
  uint8_t *x[2];
  uint64_t *ws[2];
  lbp_ising_fields f[2];
  LIST_ID(_chain) a;
  LIST_ID(_plain_chain) b;
  lbp_rng rng[2];
  uint32_t list[LBP_ISING_MAX_NEIGHBOURS], t, k, asked, wrong = 0;
  for (k = 0; k < 2; k++) {
    x[k] = (uint8_t *)calloc(n, 1);
    ws[k] = (uint64_t *)calloc(len, sizeof *ws[k]);
    CHECK(x[k] && ws[k] && lbp_ising_fields_init(m, &f[k]) == LBP_OK);
    lbp_rng_init(&rng[k], seed, 0);
  }
#ifdef LIST_SWAPS
  for (k = 0; k < n; k++) x[0][k] = x[1][k] = k % 3 == 0;
#endif
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  CHECK(LIST_ID(_init)(&a, n, x[0], &f[0], ws[0], len) == LBP_OK);
  CHECK(LIST_ID(_plain_init)(&b, n, x[1], &f[1], ws[1], len) == LBP_OK);
  for (t = 0; t < steps; t++) {
    const uint32_t R = t % 7 == 0 ? 1 + t % n : sizes[t % 10], ceiling = b.urn.sums.ceiling;
    const int ready = b.weights_ready, gwg = t % 3 == 2;
    LIST_ID(_info) one;
    LIST_ID(_plain_info) other;
#ifdef LIST_TEMPERED
    if (t % 100 == 50) {
      CHECK(LIST_ID(_temper)(&a, (lbp_real)0.5 + (lbp_real)(t % 200) / 400) == LBP_OK);
      CHECK(LIST_ID(_plain_temper)(&b, (lbp_real)0.5 + (lbp_real)(t % 200) / 400) == LBP_OK);
    }
#endif
#ifdef LIST_SWAPS
    LIST_ID(_set_shift)(&a, gwg ? 0 : 0.3);
    LIST_ID(_plain_set_shift)(&b, gwg ? 0 : 0.3);
    one = LIST_ID(_swap_step)(&a, m, R, &rng[0]);
    other = LIST_ID(_plain_swap_step)(&b, m, R, &rng[1]);
    for (k = 0; k < 2; k++) wrong += a.sum[k] != b.sum[k] || a.top[k] != b.top[k];
#else
    one = gwg ? LIST_ID(_gwg_step)(&a, m, R, &rng[0]) : LIST_ID(_lbp_step)(&a, m, R, &rng[0]);
    other = gwg ? LIST_ID(_plain_gwg_step)(&b, m, R, &rng[1]) : LIST_ID(_plain_lbp_step)(&b, m, R, &rng[1]);
#endif
    wrong += memcmp(&one.accept, &other.accept, sizeof one.accept) != 0 || one.jump != other.jump;
    wrong += one.proposed != other.proposed || one.accepted != other.accepted;
    wrong += memcmp(x[0], x[1], n) != 0 || memcmp(a.weight, b.weight, n * sizeof *a.weight) != 0;
    wrong += a.urn.sums.total != b.urn.sums.total || a.urn.sums.positive != b.urn.sums.positive;
    wrong += a.urn.sums.ceiling != b.urn.sums.ceiling || a.urn.sorted != b.urn.sorted;
    for (k = 0, asked = 2 * one.proposed; k < one.proposed; k++) asked += lbp_ising_neighbours(m, a.touched[k], list);
    wrong += one.evaluations != other.evaluations && one.evaluations != asked; /* of some twice */
    wrong += R == 1 && one.proposed == 1 && other.evaluations != asked;
    seen[one.accepted]++;
    seen[2] += R > 1 && !a.y.along && !a.urn.sorted;
    seen[3] += ready && b.urn.sums.ceiling > ceiling;
    seen[4] += a.urn.sorted != 0;
    seen[5] += R > 1 && a.y.along;
    if (t % 50 == 49) {
      LIST_ID(_touch)(&a);
      LIST_ID(_plain_touch)(&b);
    }
  }
  CHECK_ALIKE(wrong == 0);
#ifdef LIST_CHECKED
  CHECK(LIST_ID(_fault)(&a).status == LBP_OK);
#endif
  CHECK_ALIKE(LIST_ID(_check)(&a, m, 4, &rng[0]).status == LBP_OK); /* it asks for the same log-ratios to the bit */
  for (k = 0; k < 2; k++) {
    lbp_ising_fields_free(&f[k]);
    free(ws[k]);
    free(x[k]);
  }
}

#undef LIST_PASTE2
#undef LIST_PASTE
#undef LIST_ID
#undef LIST
#undef LIST_WEIGHT
#undef LIST_TEMPERED
#undef LIST_CHECKED
#undef LIST_SWAPS
