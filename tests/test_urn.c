/* The urn of lbp.h by itself: the law of draws against exact probabilities, with and without replacement, sorted and
 * not; its kept sums, through many replaced weights; when it sorts; and that a chain of fixed size, which holds one,
 * may be copied. Counts are tested at 1e-8, with fixed seeds. */
#include "chi2.h"

#include "../lbp.h"

#ifndef EXACT_TRIALS
#define EXACT_TRIALS 20000u
#endif
#ifdef API_QUICK
enum { QUICK = 1 };
#else
enum { QUICK = 0 };
#endif
enum { MOST = 1000, SORTED = 0, UNSORTED = 1000 };

typedef struct {
  lbp_urn u;
  uint32_t n, above; /* tries per item drawn above which items are sorted */
  uint32_t kept;     /* items drawn or replaced, touched[0 .. kept) ... */
  uint32_t removed;  /* ... the first of which were removed */
  uint32_t weight[MOST], order[MOST], slot[MOST], touched[MOST + 1], before[MOST + 1], again[MOST], next[MOST];
} urn;

static urn a;

/* ---- what a template does with one ------------------------------------------------------------------------------- */

static void start(uint32_t n, const uint32_t *weight, uint32_t above) {
  memset(&a.u, 0, sizeof a.u);
  a.n = n;
  a.above = above;
  memcpy(a.weight, weight, n * sizeof *weight);
  lbp_urn_survey(&a.u, a.weight, n);
}

/* Draws R items, without replacement fewer if fewer are positive. */
static void draw(uint32_t R, int replace, lbp_rng *rng) {
  uint32_t candidate[LBP_CANDIDATES], draws = 0, dry = 0;
  uint64_t ends[LBP_BUCKETS - 1];
  a.kept = a.removed = 0;
  if (a.u.sums.positive == 0) return;
  if (!replace && R > a.u.sums.positive) R = a.u.sums.positive;
  lbp_urn_choose_order(&a.u, a.weight, a.order, a.slot, a.n, R, a.above, 1);
  if (a.u.sorted) lbp_urn_ends(&a.u, ends);
  while (draws < R) {
    uint32_t left = lbp_urn_tries(&a.u, draws, R, replace), found = 0, tries;
    dry += left;
    for (; left > 0; left -= tries) {
      const uint64_t *word;
      tries = left < LBP_AT_ONCE ? left : LBP_AT_ONCE;
      word = lbp_rng_take(rng, &tries);
      found = lbp_urn_candidates(&a.u, a.weight, a.before, a.u.sorted ? a.order : NULL, a.n, ends, word, tries,
                                 replace, candidate, found);
    }
    if (found > 0) dry = 0;
    if (replace) {
      if (found > R - draws) found = R - draws;
      a.kept = lbp_urn_keep_all(a.weight, a.touched, a.before, a.again, candidate, found, a.kept, draws);
      draws += found;
    } else {
      draws = a.kept = lbp_urn_keep(a.weight, a.touched, a.before, candidate, found, a.kept, R);
    }
    if (dry >= LBP_BLOCK && !replace) {
      lbp_urn_remove(&a.u, a.weight, a.order, a.slot, a.n, a.touched, a.before, a.removed, a.kept);
      a.removed = a.kept;
      lbp_urn_ends(&a.u, ends);
      dry = 0;
    }
  }
}

/* Weights as they were. */
static void put_back(void) {
  uint32_t k;
  for (k = 0; k < a.kept; k++) a.weight[a.touched[k]] = a.before[k];
  lbp_urn_move_all(&a.u, a.order, a.slot, a.touched, a.before, a.before, a.removed, a.removed);
}

/* next[0 .. kept) as the weights of touched[]. */
static void put_next(void) {
  lbp_sums sums = a.u.sums;
  uint32_t k;
  sums.ceiling = 0;
  lbp_urn_tally(&sums, a.next, a.before, a.kept);
  for (k = 0; k < a.kept; k++) a.weight[a.touched[k]] = a.next[k];
  lbp_urn_adopt(&a.u, &sums, a.n, a.kept, 0);
  lbp_urn_move_all(&a.u, a.order, a.slot, a.touched, a.before, a.next, a.kept, a.removed);
}

/* ---- whether it is what it should be ----------------------------------------------------------------------------- */

/* Sums are those of the weights, none of which is marked; sorted items are in their buckets, and slot[] is the inverse
 * of order[]. */
static int is_right(void) {
  uint64_t total = 0, mass = 0;
  uint32_t positive = 0, i;
  int ok = 1;
  for (i = 0; i < a.n; i++) {
    const uint32_t w = a.weight[i], b = lbp_bucket(w);
    total += w;
    positive += w > 0;
    mass += a.u.sorted ? lbp_bucket_ceiling(b) : a.u.sums.ceiling;
    ok &= (w & LBP_MARK) == 0;
    if (a.u.sorted) {
      ok &= a.slot[i] < a.n && a.order[a.slot[i]] == i && a.slot[i] >= a.u.start[b] && a.slot[i] < a.u.start[b + 1];
    } else {
      ok &= w <= a.u.sums.ceiling;
    }
  }
  return ok && total == a.u.sums.total && positive == a.u.sums.positive && mass == a.u.mass;
}

/* Different items with the weights that they had, all positive, and marked: with replacement by where they are. */
static int is_drawn(const uint32_t *weight, int replace) {
  static uint8_t seen[MOST];
  uint32_t k;
  int ok = 1;
  memset(seen, 0, sizeof seen);
  for (k = 0; k < a.kept && ok; k++) {
    const uint32_t i = a.touched[k];
    ok &= i < a.n && !seen[i] && weight[i] > 0 && a.before[k] == weight[i];
    ok &= a.weight[i] == ((replace ? k : weight[i]) | LBP_MARK);
    if (ok) seen[i] = 1;
  }
  return ok;
}

/* From nothing to the largest weight, all magnitudes alike. */
static uint32_t any_weight(lbp_rng *rng) {
  const uint64_t word = lbp_rng_u64(rng);
  return (uint32_t)(word >> 33) >> word % 32;
}

static const char *way(uint32_t above) { return above == SORTED ? "sorted" : "not sorted"; }

static void judge(const uint32_t *seen, const double *law, uint32_t cells, double trials, const char *what,
                  uint32_t above) {
  const double p = chi2_counts(seen, law, cells, trials);
  if (p <= CHI2_LEVEL) printf("n = %u, %s, %s: p = %g\n", (unsigned)a.n, what, way(above), p);
  CHECK(p > CHI2_LEVEL);
}

/* ---- few items: all that can be drawn ---------------------------------------------------------------------------- */

enum { FEW = 6, FEW_CELLS = FEW * FEW * FEW * FEW };

/* A draw is a row of items: different ones in the order of their first draw, then draws of items drawn before. */
static uint32_t row_code(const uint32_t *item, uint32_t R) {
  uint32_t code = 0, k;
  for (k = 0; k < R; k++) code = code * FEW + item[k];
  return code;
}

/* The law of rows, from all sequences of R draws. */
static void row_law(const uint32_t *weight, uint32_t R, int replace, double *law) {
  uint32_t sequences = 1, s, k, i;
  double total = 0;
  for (i = 0; i < FEW; i++) total += weight[i];
  for (k = 0; k < R; k++) sequences *= FEW;
  memset(law, 0, FEW_CELLS * sizeof *law);
  for (s = 0; s < sequences; s++) {
    uint32_t first[4], more[4], kept = 0, repeated = 0, rest = s;
    double p = 1, left = total;
    for (k = 0; k < R; k++, rest /= FEW) {
      const uint32_t item = rest % FEW;
      int old = 0;
      for (i = 0; i < kept; i++) old |= first[i] == item;
      if (old) more[repeated++] = item;
      else first[kept++] = item;
      p *= old && !replace ? 0 : weight[item] / left;
      if (!replace) left -= old ? 0 : weight[item];
      if (left <= 0) left = 1; /* nothing is left: what follows has no weight */
    }
    for (i = 0; i < repeated; i++) first[kept + i] = more[i];
    law[row_code(first, R)] += p;
  }
}

static void test_few(void) {
  static const uint32_t weights[5][FEW] = {
    {7u << 20, 8u << 20, 9u << 20, 10u << 20, 11u << 20, 12u << 20},
    {2147483647u, 1u << 24, 70000u << 9, 0, 3u << 27, 1u << 29},
    {2147483520u, 5, 7, 0, 9, 11},
    {0, 1, 2147483647u, 1, 2147483647u, 0},
    {0, 1, 2, 3, 0, 1}};
  static const uint32_t aboves[2] = {SORTED, UNSORTED};
  static double law[FEW_CELLS];
  uint32_t w, R, at, trial;
  int replace;
  lbp_rng rng;
  lbp_rng_init(&rng, 31, 0);
  for (w = 0; w < 5; w++) {
    for (R = 1; R <= 4; R++) {
      for (replace = 0; replace < 2; replace++) {
        row_law(weights[w], R, replace, law);
        for (at = 0; at < 2; at++) {
          static uint32_t seen[FEW_CELLS];
          int ok = 1;
          memset(seen, 0, sizeof seen);
          for (trial = 0; trial < EXACT_TRIALS; trial++) {
            uint32_t row[4], k;
            start(FEW, weights[w], aboves[at]);
            draw(R, replace, &rng);
            for (k = 0; k < R; k++) row[k] = k < a.kept ? a.touched[k] : a.touched[a.again[k - a.kept]];
            seen[row_code(row, R)]++;
            ok &= is_drawn(weights[w], replace);
            put_back();
            ok &= is_right() && memcmp(a.weight, weights[w], sizeof weights[w]) == 0;
          }
          CHECK(ok);
          judge(seen, law, FEW_CELLS, EXACT_TRIALS, replace ? "few, with replacement" : "few", aboves[at]);
        }
      }
    }
  }
}

/* ---- many items: heavy and light ones ---------------------------------------------------------------------------- */

static const uint32_t sizes[] = {1, 2, 63, 64, 65, 128, 129, 600};
enum { SIZES = sizeof sizes / sizeof sizes[0], HEAVY = 4u << 20, LIGHT = 1u << 20 };

/* Of n items one in eight is heavy, one in eight weighs nothing. */
static uint32_t many_weight(uint32_t i) { return i % 8 == 0 ? HEAVY : i % 8 == 7 ? 0 : LIGHT; }

/* p[h] = the probability that h of `draws` different items are heavy; returns that of the last one being heavy. */
static double heavy_law(uint32_t heavy, uint32_t light, uint32_t draws, double *p) {
  double last = 0;
  uint32_t k, h;
  memset(p, 0, (MOST + 1) * sizeof *p);
  p[0] = 1;
  for (k = 0; k < draws; k++) {
    last = 0;
    for (h = k + 1; h-- > 0;) {
      const double w = h < heavy ? (double)(heavy - h) * HEAVY : 0;
      const double v = k - h < light ? (double)(light - k + h) * LIGHT : 0;
      const double step = p[h] > 0 ? p[h] * w / (w + v) : 0;
      last += step;
      p[h + 1] += step;
      p[h] -= step;
      if (p[h] < 1e-300) p[h] = 0;
    }
  }
  return last;
}

static void test_many(uint32_t n, uint32_t R, uint32_t above, lbp_rng *rng) {
  static uint32_t weight[MOST], heavies[MOST + 1], last[MOST], all[MOST];
  static double heavies_law[MOST + 1], last_law[MOST], all_law[MOST];
  const uint32_t trials = EXACT_TRIALS / (n > 200 ? 20 : 4);
  uint32_t heavy = 0, light = 0, one_way = 0, trial, i, k;
  double end, total = 0;
  int ok = 1;
  for (i = 0; i < n; i++) {
    weight[i] = many_weight(i);
    total += weight[i];
    heavy += weight[i] == HEAVY;
    light += weight[i] == LIGHT;
  }
  if (R > heavy + light) R = heavy + light;
  end = heavy_law(heavy, light, R, heavies_law);
  for (i = 0; i < n; i++) {
    last_law[i] = weight[i] == HEAVY ? end / heavy : weight[i] == LIGHT ? (1 - end) / light : 0;
    all_law[i] = weight[i] / total;
  }
  memset(heavies, 0, sizeof heavies);
  memset(last, 0, sizeof last);
  memset(all, 0, sizeof all);
  for (trial = 0; trial < trials; trial++) {
    uint32_t count = 0;
    start(n, weight, above);
    draw(R, 0, rng);
    ok &= a.kept == R && is_drawn(weight, 0);
    for (k = 0; k < R; k++) count += a.before[k] == HEAVY;
    heavies[count]++;
    last[a.touched[R - 1]]++;
    put_back();
    one_way += a.u.sorted == (above == SORTED);
    if (above == UNSORTED) start(n, weight, above);
    draw(R, 1, rng);
    ok &= a.kept <= R && is_drawn(weight, 1) && a.u.sorted == (above == SORTED);
    for (k = 0; k < R; k++) all[k < a.kept ? a.touched[k] : a.touched[a.again[k - a.kept]]]++;
    put_back();
  }
  CHECK(ok && is_right() && memcmp(a.weight, weight, n * sizeof *weight) == 0);
  CHECK(one_way > trials / 2 || R == heavy + light); /* to the end in one of the two ways, unless that is too dear */
  judge(heavies, heavies_law, MOST + 1, trials, "heavy ones", above);
  judge(last, last_law, n, trials, "the last one", above);
  judge(all, all_law, n, (double)trials * R, "with replacement", above);
}

static void test_sizes(void) {
  uint32_t s;
  lbp_rng rng;
  lbp_rng_init(&rng, 32, 0);
  for (s = 0; s < SIZES; s++) {
    const uint32_t n = sizes[s];
    test_many(n, n / 2 + 1, SORTED, &rng);
    test_many(n, n / 2 + 1, UNSORTED, &rng);
    test_many(n, n, SORTED, &rng); /* all that are positive */
    test_many(n, n, UNSORTED, &rng);
  }
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

/* Sums, of any number of weights. */
static void test_sums(void) {
  static uint32_t weight[MOST];
  uint32_t n, i;
  int ok = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, 33, 0);
  for (n = 0; n <= 300; n++) {
    uint64_t total = 0;
    uint32_t positive = 0, ceiling = 0;
    lbp_sums sums;
    for (i = 0; i < n; i++) {
      weight[i] = n % 3 == 0 ? LBP_MARK - 1u : any_weight(&rng);
      total += weight[i];
      positive += weight[i] > 0;
      if (weight[i] > ceiling) ceiling = weight[i];
    }
    memset(&sums, 0, sizeof sums);
    lbp_urn_tally(&sums, weight, NULL, n);
    ok &= sums.total == total && sums.positive == positive && sums.ceiling == ceiling;
    start(n, weight, SORTED);
    ok &= !a.u.sorted && is_right();
    lbp_urn_sort(&a.u, a.weight, a.order, a.slot, n);
    ok &= a.u.sorted && is_right();
  }
  CHECK(ok);
}

/* Weights of drawn items, and of others marked beside them, are replaced again and again, or put back. */
static void test_replaced(uint32_t n, uint32_t above, uint32_t times) {
  static uint32_t weight[MOST];
  uint32_t round = 0, replaced = 0, all_removed = 0, k, i;
  int ok = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, 34, n);
  for (i = 0; i < n; i++) weight[i] = any_weight(&rng);
  start(n, weight, above);
  while (replaced < times && ok) {
    const uint64_t word = lbp_rng_u64(&rng);
    const uint32_t R = round++ % 16 == 0 ? n : (uint32_t)(word % (n / 2 + 1));
    memcpy(weight, a.weight, n * sizeof *weight);
    draw(R, (int)(word >> 63), &rng);
    all_removed += a.removed;
    for (k = 0; k < 4; k++) {
      a.kept += lbp_urn_mark(a.weight, a.touched, a.before, (uint32_t)lbp_mulhi(lbp_rng_u64(&rng), n), a.kept);
    }
    if (word >> 60 & 1) {
      put_back();
      ok &= memcmp(a.weight, weight, n * sizeof *weight) == 0;
    } else {
      for (k = 0; k < a.kept; k++) weight[a.touched[k]] = a.next[k] = any_weight(&rng);
      replaced += a.kept;
      put_next();
      ok &= memcmp(a.weight, weight, n * sizeof *weight) == 0;
    }
    if (round % 8 == 0 || replaced >= times) ok &= is_right();
  }
  CHECK(ok && all_removed > 0);
}

/* Other weights for all items, whatever these were: not sorted any more. */
static void test_adopted(void) {
  static uint32_t weight[MOST];
  uint32_t round, i;
  int ok = 1;
  lbp_rng rng;
  lbp_rng_init(&rng, 35, 0);
  for (i = 0; i < 100; i++) weight[i] = any_weight(&rng);
  start(100, weight, SORTED);
  for (round = 0; round < 100; round++) {
    lbp_sums sums;
    draw(10, (int)(round & 1), &rng);
    put_back();
    ok &= a.u.sorted;
    for (i = 0; i < 100; i++) a.weight[i] = any_weight(&rng) >> round % 20;
    memset(&sums, 0, sizeof sums);
    lbp_urn_tally(&sums, a.weight, NULL, 100);
    lbp_urn_adopt(&a.u, &sums, 100, 10, 1);
    ok &= !a.u.sorted && is_right();
  }
  CHECK(ok);
}

static void replace_all(const uint32_t *weight) {
  uint32_t i;
  a.kept = a.removed = 0;
  for (i = 0; i < a.n; i++) a.kept += lbp_urn_mark(a.weight, a.touched, a.before, i, a.kept);
  memcpy(a.next, weight, a.n * sizeof *weight);
  put_next();
}

static int sorts(uint32_t R, int lasting) {
  lbp_urn_choose_order(&a.u, a.weight, a.order, a.slot, a.n, R, a.above, lasting);
  CHECK(is_right());
  return a.u.sorted;
}

/* When items are sorted: where that pays. */
static void test_order(void) {
  enum { N = 100 };
  static uint32_t even[N], one[N], some[N]; /* so many tries draw an item: 1, 100, 5 */
  uint32_t i, round;
  for (i = 0; i < N; i++) {
    even[i] = 3u << 29;
    one[i] = i == 7 ? 1u << 30 : 1u << 10;
    some[i] = i % 5 == 0 ? 1u << 30 : 1u << 10;
  }
  start(N, even, 8);
  CHECK(!sorts(N, 1));
  start(N, some, 8);
  CHECK(!sorts(N, 1));
  start(N, some, 4);
  CHECK(sorts(N, 1));
  start(N, one, 8);
  CHECK(!sorts(1, 0)); /* for one draw, too dear, but not if it lasts, nor for more draws */
  CHECK(sorts(3, 0));
  start(N, one, 8);
  CHECK(sorts(1, 1));
  /* that lasts until 16 n weights are new; then five tries are not enough to stop */
  for (round = 0; round < 16; round++) replace_all(some);
  CHECK(sorts(1, 1) && a.u.since == 16 * N);
  replace_all(some);
  CHECK(sorts(1, 1) && a.u.since == 0);
  for (round = 0; round < 16; round++) replace_all(even);
  CHECK(sorts(1, 1));
  replace_all(even);
  CHECK(!sorts(1, 1));
}

/* ---- a chain that holds one -------------------------------------------------------------------------------------- */

#define SITES 100

LBP_FN float lonely_delta(const float *odds, const uint8_t *x, uint32_t i) { return x[i] ? -odds[i] : odds[i]; }

LBP_FN uint32_t lonely_neighbours(const float *odds, uint32_t i, uint32_t *out) {
  (void)odds, (void)i, (void)out;
  return 0;
}

#define LBP_NAME           lonely
#define LBP_MODEL_T        float
#define LBP_REAL           float
#define LBP_N              SITES
#define LBP_DELTA          lonely_delta
#define LBP_NEIGHBOURS     lonely_neighbours
#define LBP_MAX_NEIGHBOURS 0
#define LBP_SORT_ABOVE     2
#include "../lbp.h"

static void test_copied(float spread, int sorted) {
  enum { STEPS = 300 };
  static uint8_t x[STEPS][SITES];
  static lonely_chain c, copy;
  float odds[SITES];
  lbp_rng rng, again;
  uint32_t t, i;
  int ok = 1;
  lbp_rng_init(&rng, 36, 0);
  for (i = 0; i < SITES; i++) odds[i] = spread * (2 * lbp_u01f(lbp_rng_u64(&rng)) - 1);
  CHECK(lonely_init(&c, NULL) == LBP_OK);
  for (t = 0; t < 20; t++) lonely_lbp_step(&c, odds, 5, &rng);
  CHECK(c.urn.sorted == sorted);
  copy = c;
  again = rng;
  for (t = 0; t < STEPS; t++) {
    if (t % 2) lonely_gwg_step(&c, odds, 1 + t % 30, &rng);
    else lonely_lbp_step(&c, odds, 1 + t % 30, &rng);
    memcpy(x[t], c.x, SITES);
  }
  memset(&c, 0, sizeof c);
  for (t = 0; t < STEPS; t++) {
    if (t % 2) lonely_gwg_step(&copy, odds, 1 + t % 30, &again);
    else lonely_lbp_step(&copy, odds, 1 + t % 30, &again);
    ok &= memcmp(x[t], copy.x, SITES) == 0;
  }
  CHECK(ok && memcmp(x[0], x[STEPS - 1], SITES) != 0);
}

/* ---- loops that vector instructions may have been written for ---------------------------------------------------- */

/* What `tries` words find in an urn that is not sorted, by the definition. */
static uint32_t find(const uint64_t *word, uint32_t tries, uint32_t *out) {
  uint32_t k, found = 0;
  for (k = 0; k < tries; k++) {
    uint64_t rest;
    const uint32_t item = (uint32_t)lbp_multiply(word[k], a.n, &rest);
    const uint64_t threshold = lbp_mulhi(rest, a.u.sums.ceiling);
    if (a.weight[item] < LBP_MARK && threshold < a.weight[item]) out[found++] = item;
  }
  return found;
}

/* The same of one that is: the buckets in their order, by a search from the first. */
static uint32_t find_sorted(const uint64_t *word, uint32_t tries, uint32_t *out) {
  uint32_t k, b, found = 0;
  for (k = 0; k < tries; k++) {
    uint64_t v = lbp_mulhi(word[k], a.u.mass), size;
    uint32_t item;
    for (b = 0; v >= (size = lbp_urn_bucket_mass(&a.u, b)); b++) v -= size;
    v = size - 1 - v;
    item = a.order[a.u.start[b] + v / lbp_bucket_ceiling(b)];
    if (a.weight[item] < LBP_MARK && v % lbp_bucket_ceiling(b) < a.weight[item]) out[found++] = item;
  }
  return found;
}

/* The first word that stands for this item and as much as its weight, which rejects it; of a sorted urn, for what keeps
 * it. There the last bit of a product decides. */
static uint64_t edge(uint32_t item, const uint64_t *ends) {
  const uint32_t w = a.weight[item] & ~LBP_MARK, b = lbp_bucket(w);
  uint64_t low = 0, high = UINT64_MAX, from = 0;
  if (a.u.sorted && w > 0) from = ends[b] - (a.slot[item] - a.u.start[b]) * lbp_bucket_ceiling(b) - w;
  while (low < high) {
    const uint64_t word = low + (high - low) / 2;
    uint64_t rest;
    const uint32_t at = (uint32_t)lbp_multiply(word, a.n, &rest);
    const int beyond = at > item || (at == item && lbp_mulhi(rest, a.u.sums.ceiling) >= w);
    if (a.u.sorted ? lbp_mulhi(word, a.u.mass) >= from : beyond) high = word;
    else low = word + 1;
  }
  return low;
}

static void test_found(uint32_t n, uint32_t most, int sorted, lbp_rng *rng) {
  uint32_t weight[MOST], out[LBP_CANDIDATES], want[LBP_CANDIDATES], i, tries;
  uint64_t word[LBP_BLOCK], ends[LBP_BUCKETS - 1];
  for (i = 0; i < n; i++) weight[i] = (uint32_t)lbp_mulhi(lbp_rng_u64(rng), (uint64_t)most + 1) >> (sorted ? i % 33 / 2 : 0);
  weight[n / 2] = most;
  start(n, weight, UNSORTED);
  if (sorted) lbp_urn_sort(&a.u, a.weight, a.order, a.slot, n);
  lbp_urn_ends(&a.u, ends);
  for (i = 1; i < n; i += 3) a.weight[i] |= LBP_MARK;
  for (tries = 0; tries <= LBP_AT_ONCE; tries++) {
    const uint32_t before = tries % 2 ? tries % 7 : LBP_TRIES - tries;
    uint32_t count, expected;
    for (i = 0; i < tries; i++) {
      word[i] = lbp_rng_u64(rng);
      if (i % 5 == 1) word[i] |= 0xffffffffu; /* ends of halves, where a carry could be lost */
      if (i % 5 == 2) word[i] &= 0xffffffff00000000u;
      if (i % 5 == 3) word[i] = UINT64_MAX / n * (word[i] % n) + (word[i] >> 32) % (2 * n); /* between two items */
      if (i % 8 == 6) word[i] = edge((uint32_t)(word[i] % n), ends) - (word[i] >> 40) % 2;
      if (i % 16 == 4) word[i] = i % 32 == 4 ? 0 : UINT64_MAX;
    }
    count = lbp_urn_candidates(&a.u, a.weight, a.before, sorted ? a.order : NULL, n, ends, word, tries, 0, out, before);
    expected = sorted ? find_sorted(word, tries, want) : find(word, tries, want);
    CHECK(count == before + expected);
    CHECK(memcmp(out + before, want, (count - before) * sizeof *want) == 0);
  }
}

/* Ratios of a step's acceptance against their definition, one after another, to the bit. */
static void test_ratios(lbp_rng *rng) {
  uint32_t before[LBP_BLOCK], next[LBP_BLOCK], count, k, round;
  float ratio[LBP_BLOCK];
  for (round = 0; round < 4 * (LBP_AT_ONCE + 1); round++) {
    uint64_t sum = lbp_rng_u64(rng) >> 3, sum_back = lbp_rng_u64(rng) >> (3 + round % 25), left = sum, left_back = sum_back;
    uint32_t lost = 0, zero = round % 3 == 0;
    count = round % (LBP_AT_ONCE + 1);
    for (k = 0; k < count; k++) {
      before[k] = (uint32_t)(lbp_rng_u64(rng) >> 33) | 1u;
      next[k] = (uint32_t)(lbp_rng_u64(rng) >> 33) | 1u;
    }
    if (zero && count > 0) next[count * 2 / 3] = 0;
    for (k = 0; k < LBP_BLOCK; k++) ratio[k] = 1; /* what is behind them stays neutral */
    lost = lonely_priv_ratios(before, next, count, &sum, &sum_back, ratio);
    CHECK((lost != 0) == (zero && count > 0));
    for (k = 0; k < count; k++) {
      float want;
      left_back += next[k];
      want = (float)(int32_t)next[k] * lonely_priv_real(left) / ((float)(int32_t)before[k] * lonely_priv_real(left_back));
      /* fast math may take factors in another order */
      CHECK(LBP_FAST_MATH ? fabsf(want - ratio[k]) <= 1e-6f * want : memcmp(&want, &ratio[k], sizeof want) == 0);
      left -= before[k];
    }
    for (; k < LBP_BLOCK; k++) CHECK(ratio[k] >= 1 && ratio[k] <= 1);
    CHECK(sum == left && sum_back == left_back);
  }
}

/* A step is decided as the word's 62 bits and the probability that it reports say, wherever a rough logarithm may: next to
 * what decides, on both sides, and far away. */
static void test_decided(lbp_rng *rng) {
  static const float scales[7] = {300.0f, 20.0f, 3e6f, 0.4f, 0.4f, 0.4f, 0.4f};
  uint32_t t, k, taken = 0, wrong = 0;
  for (t = 0; t < 20000; t++) {
    lonely_priv_product p;
    const float log_pi = (float)(t % 5 - 2.0) * scales[t % 7] * lbp_u01f(lbp_rng_u64(rng));
    float accept;
    p.value = t % 11 == 0 ? 0 : 1 + lbp_u01f(lbp_rng_u64(rng));
    p.exponent = t % 11 == 0 ? 0 : (int32_t)(t % 13) - 6 - (int32_t)(1.442695f * log_pi) * (int32_t)(t % 2);
    accept = lonely_priv_probability(&p, log_pi);
    for (k = 0; k < 16; k++) {
      uint64_t word = lbp_rng_u64(rng) >> (k % 4 == 3 ? 20 + k : 0);
      if (k >= 8 && accept < 1) {
        const double near = (double)accept * (1 + ((double)k - 11.5) * 1e-7 * (k % 3 ? 1 : 1e5));
        word = (uint64_t)((near < 1 ? near : 1) * 18446744073709549568.0);
      }
      if (accept > 0.99f && k >= 8) word = UINT64_MAX - k;
      wrong += lonely_priv_decide(&p, log_pi, word, accept) != (uint32_t)lonely_priv_trial(word, accept);
      taken += lonely_priv_decide(&p, log_pi, word, accept);
    }
  }
  CHECK(wrong == 0 && taken > 50000 && taken < 270000);
}

static void test_vectors(void) {
  static const uint32_t items[] = {1, 2, 5, 64, 1000}, most[] = {1, 2, 1482910u, 0x7fffff80u};
  lbp_rng rng;
  uint32_t s, t;
  lbp_rng_init(&rng, 20, 0);
  for (s = 0; s < 5; s++) {
    for (t = 0; t < 4; t++) {
      test_found(items[s], most[t], 0, &rng);
      test_found(items[s], most[t], 1, &rng);
    }
  }
  test_ratios(&rng);
  test_decided(&rng);
}

int main(void) {
  test_vectors();
  test_few();
  test_sizes();
  test_sums();
  test_replaced(200, SORTED, QUICK ? 10000 : 100000);
  test_replaced(65, UNSORTED, QUICK ? 10000 : 100000);
  test_replaced(MOST, 8, QUICK ? 10000 : 100000);
  test_adopted();
  test_order();
  test_copied(1, 0);
  test_copied(20, 1);
  return test_report();
}
