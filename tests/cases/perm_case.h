/* An instance of lbp_perm.h on a perm_toy, and each of its steps against enumeration, path by path. For test_perm.c.
 * CASE, CASE_REAL, CASE_AS (perm_x -> its like in CASE_REAL), CASE_WEIGHT, CASE_TOLERANCE; CASE_ROW, CASE_ROW_WEIGHT,
 * CASE_NEIGHBOURS: with these callbacks; CASE_PARTIAL: of partial matchings. */

#define CASE_PASTE2(left, right) left##_##right
#define CASE_PASTE(left, right)  CASE_PASTE2(left, right)
#define CASE_(name)              CASE_PASTE(CASE, name)

#include "perm_instance.h"

/* A chain in state number x. */
static void CASE_(begin)(CASE_(chain) *c, const perm_setup *p, uint32_t x) {
  static uint64_t ws[LBP_WS_LEN_PAIRS(PERM_MOST)];
  static uint32_t s[PERM_MOST];
  perm_decode(p->t->n, x, s);
  if (CASE_(init)(c, p->t->n, s, ws, LBP_WS_LEN_PAIRS(PERM_MOST)) != LBP_OK) abort();
  CASE_(temper)(c, p->beta);
  CASE_(clamp)(c, p->mask);
}

/* The weight of exchanging a and b in s. */
static uint32_t CASE_(weight)(const perm_setup *p, const uint32_t *s, uint32_t a, uint32_t b) {
  const double d = CASE_AS(perm_exchange)(p->t, s, a, b);
  if (a == b || is_masked(p, a) || is_masked(p, b)) return 0;
  return perm_weight(CASE_WEIGHT, (lbp_is_finite(d) ? p->beta * d : d) + base_gain(p, s, a, b));
}

/* Weights of rows as the first, and their sum: all 1, or relative to the largest. */
static uint64_t CASE_(choices)(const perm_setup *p, const uint32_t *s, int kind, uint32_t *out) {
  uint64_t sum = 0;
  uint32_t a;
  for (a = 0; a < p->t->n; a++) out[a] = !is_masked(p, a);
#ifdef CASE_ROW_WEIGHT
  if (kind == PERM_BY_ROW) {
    double v[PERM_MOST], top = -HUGE_VAL;
    for (a = 0; a < p->t->n; a++) {
      v[a] = out[a] ? p->beta * CASE_AS(perm_row_weight)(p->t, s, a) : -HUGE_VAL;
      top = v[a] > top ? v[a] : top;
    }
    for (a = 0; a < p->t->n; a++) out[a] = lbp_weight_scaled((float)(v[a] - top), LBP_WEIGHT_MAX);
  }
#endif
  (void)s, (void)kind;
  for (a = 0; a < p->t->n; a++) sum += out[a];
  return sum;
}

/* Takes one path by the words that lead along it, with a word that rejects what can be, and then with one that accepts;
 * tells what comes of it. The path exchanges pair[0], pair[1], then pair[2], pair[3] and so on. */
static void CASE_(take)(const perm_setup *p, int kind, uint32_t x, const uint32_t *pair, uint32_t R, uint64_t *word,
                        uint32_t words, double q) {
  CASE_(chain) c;
  CASE_(info) info;
  uint32_t y[PERM_MOST], round, k, to;
  lbp_rng rng;
  double first = 0;
  perm_decode(p->t->n, x, y);
  for (k = 0; k < R; k++) {
    const uint32_t v = y[pair[2 * k]];
    y[pair[2 * k]] = y[pair[2 * k + 1]];
    y[pair[2 * k + 1]] = v;
  }
  to = perm_encode(p->t->n, y);
  CASE_(begin)(&c, p, x);
  for (round = 0; round < 2; round++) {
    word[words - 1] = round == 0 ? UINT64_MAX : 0;
    feed(&rng, word, words);
    info = kind == PERM_BY_ROW    ? CASE_(row_step)(&c, p->t, &rng)
           : kind == PERM_BY_PAIRS ? CASE_(pairs_step)(&c, p->t, R, &rng)
                                   : CASE_(exchange_step)(&c, p->t, &rng);
    CHECK(info.proposed == 2 * R && info.accept >= 0 && info.accept <= 1 && info.jump == (info.accepted ? 2 * R : 0));
    CHECK(rng.left == 0 || info.accept == 0); /* not asked where there is nothing to decide */
    CHECK(perm_encode(p->t->n, c.s) == (info.accepted ? to : x));
    if (info.accepted) {
      uint32_t from[PERM_MOST];
      double gain = p->beta * (perm_logp(p->t, y) - (perm_decode(p->t->n, x, from), perm_logp(p->t, from)));
      uint32_t moved = 0;
      for (k = 0; k < info.jump; k++) moved |= 1u << info.rows[k];
      for (k = 0; k < p->t->n; k++) CHECK((moved >> k & 1) == (from[k] != y[k]));
      if (lbp_is_finite(gain)) CHECK_NEAR(info.log_ratio, gain, CASE_TOLERANCE * (1 + fabs(gain)));
    }
    if (round == 0) first = info.accept;
    else CHECK(info.accept == first); /* what was rejected has left no trace */
    if (info.accepted) break;
  }
  perm_note(p, x, pair, R, to, q, first);
}

/* All paths of a row step, or of a uniform exchange, from x. */
static double CASE_(row_paths)(const perm_setup *p, int kind, uint32_t x) {
  uint32_t s[PERM_MOST], choice[PERM_MOST], pair[2], a, b, k;
  uint64_t word[3], sum, before = 0;
  double q = 0;
  perm_decode(p->t->n, x, s);
  sum = CASE_(choices)(p, s, kind, choice);
  for (a = 0; a < p->t->n; before += choice[a++]) {
    const double share = (double)choice[a] / (double)sum;
    uint64_t row = 0, at = 0;
    uint32_t rest = 0;
    for (b = 0; b < p->t->n; b++) row += CASE_(weight)(p, s, a, b), rest += !is_masked(p, b);
    if (choice[a] == 0) continue;
    for (b = 0; b < p->t->n; b++) {
      const uint32_t w = kind == PERM_BY_ROW ? CASE_(weight)(p, s, a, b) : b != a && !is_masked(p, b);
      if (w == 0) continue;
      word[0] = word_for(before + (TEST_ALIKE ? 0 : choice[a] / 2), sum);
      word[1] = word_for(at + (TEST_ALIKE ? 0 : w / 2), kind == PERM_BY_ROW ? row : rest - 1);
      at += w;
      pair[0] = a;
      pair[1] = b;
      CASE_(take)(p, kind, x, pair, 1, word, 3, share * w / (double)(kind == PERM_BY_ROW ? row : rest - 1));
    }
    if (at == 0) q += share; /* nothing can be proposed */
  }
  for (k = 0; k < PERM_PATHS; k++) q += perm_q[x][k];
  return q;
}

/* All ways to draw pair number k of R, and those behind it. */
static double CASE_(pair_paths)(const perm_setup *p, uint32_t x, uint32_t *pair, uint32_t k, uint32_t R, uint64_t *word,
                                double q) {
  uint32_t s[PERM_MOST], a, b, gone[PERM_MOST] = {0}, h;
  uint64_t total = 0, row[PERM_MOST] = {0}, before = 0;
  double all = 0;
  if (k == R) {
    CASE_(take)(p, PERM_BY_PAIRS, x, pair, R, word, R + 1, q);
    return q;
  }
  perm_decode(p->t->n, x, s);
  for (h = 0; h < 2 * k; h++) gone[pair[h]] = 1;
  for (a = 0; a < p->t->n; a++) {
    for (b = 0; b < p->t->n; b++) row[a] += gone[a] || gone[b] ? 0 : CASE_(weight)(p, s, a < b ? a : b, a < b ? b : a);
    total += row[a];
  }
  if (total == 0) { /* the step is refused */
    CASE_(chain) c;
    CASE_(info) info;
    lbp_rng rng;
    CASE_(begin)(&c, p, x);
    feed(&rng, word, k);
    info = CASE_(pairs_step)(&c, p->t, R, &rng);
    CHECK(info.proposed == 0 && info.accept == 0 && info.jump == 0 && perm_encode(p->t->n, c.s) == x && rng.left == 0);
    return q;
  }
  for (a = 0; a < p->t->n; before += row[a++]) {
    uint64_t at = 0;
    for (b = 0; b < p->t->n; b++) {
      const uint32_t w = gone[a] || gone[b] ? 0 : CASE_(weight)(p, s, a < b ? a : b, a < b ? b : a);
      if (w == 0) continue;
      word[k] = word_for(before + at + (TEST_ALIKE ? 0 : w / 2), total);
      at += w;
      pair[2 * k] = a;
      pair[2 * k + 1] = b;
      all += CASE_(pair_paths)(p, x, pair, k + 1, R, word, q * w / (double)total);
    }
  }
  return all;
}

/* All paths from all states that are possible. */
static void CASE_(enumerate)(const perm_setup *p, int kind, uint32_t R) {
  uint32_t x, s[PERM_MOST], pair[PERM_MOST];
  uint64_t word[2 * PERM_MOST];
  memset(perm_q, 0, sizeof perm_q);
  for (x = 0; x < perm_count(p->t->n); x++) {
    perm_decode(p->t->n, x, s);
    if (!lbp_is_finite(perm_logp(p->t, s))) continue;
    CHECK_NEAR(kind == PERM_BY_PAIRS ? CASE_(pair_paths)(p, x, pair, 0, R, word, 1) : CASE_(row_paths)(p, kind, x), 1,
               1e-12);
  }

  perm_judge(p, R, CASE_TOLERANCE);
}

/* All kinds of steps of one law. */
static void CASE_(all)(const perm_toy *t, double beta, const uint8_t *mask) {
  const perm_setup p = {t, beta, mask};
  CASE_(enumerate)(&p, PERM_UNIFORM, 1);
  CASE_(enumerate)(&p, PERM_BY_ROW, 1);
  CASE_(enumerate)(&p, PERM_BY_PAIRS, 1);
  if (!mask) CASE_(enumerate)(&p, PERM_BY_PAIRS, 2);
}

/* Steps from states drawn from pi: whether they draw their paths as often as they should. */
static void CASE_(draws)(const perm_toy *t, const char *what) {
  static uint32_t passed[PERM_STATES * PERM_STATES];
  const uint32_t states = perm_count(t->n), trials = QUICK ? 3000 : 60000;
  const perm_setup p = {t, 1, NULL};
  double law[PERM_STATES];
  uint32_t step, k;
  lbp_rng rng;
  perm_law(t, 1, law);
  lbp_rng_init(&rng, 7, 1);
  for (step = 0; step < 5; step++) {
    double acceptance = 0;
    memset(passed, 0, sizeof passed);
    for (k = 0; k < trials; k++) {
      CASE_(chain) c;
      CASE_(info) info;
      double u = lbp_u01(lbp_rng_u64(&rng));
      uint32_t x = 0;
      for (; x + 1 < states && u >= law[x]; x++) u -= law[x];
      CASE_(begin)(&c, &p, x);
      info = step == 0   ? CASE_(row_step)(&c, t, &rng)
             : step == 1 ? CASE_(pairs_step)(&c, t, 1, &rng)
             : step == 2 ? CASE_(pairs_step)(&c, t, 2, &rng)
             : step == 3 ? CASE_(exchange_step)(&c, t, &rng)
                         : CASE_(exchange_sweep)(&c, t, &rng);
      passed[x * states + perm_encode(t->n, c.s)]++;
      acceptance += info.accept / trials;
    }
    check_reversible(passed, law, states, trials, QUICK ? 0 : 10, acceptance, what);
  }
}

#undef CASE
#undef CASE_REAL
#undef CASE_AS
#undef CASE_WEIGHT
#undef CASE_TOLERANCE
#undef CASE_ROW
#undef CASE_ROW_WEIGHT
#undef CASE_NEIGHBOURS
#undef CASE_PARTIAL
#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_
