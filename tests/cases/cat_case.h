/* Template: the tests of one instance of categorical sites. Parameters: those of cat_instance.h; CASE_MOVES: with what
 * knows no weights, random walk, discrete Langevin and sweeps; CASE_STEPS: with the public steps. Generates CASE_test()
 * and its parts. */

#define CASE_ASKED (cat_asked++)
#include "cat_instance.h"

#ifdef CASE_OWN_RNG
#define CASE_RNG lbp_rng
#else
#define CASE_RNG cat_rng
#endif
#define CASE_FLOAT (sizeof(CASE_REAL) == sizeof(float))
/* Tolerances of one acceptance, and of detailed balance; wider where weights need not be alike to the bit. */
#define CASE_ONE_PATH (CASE_FLOAT || !TEST_ALIKE ? 1e-5 : 1e-12)
#define CASE_BALANCE  (CASE_FLOAT || !TEST_ALIKE ? 3e-6 : 1e-13)

typedef struct {
  CASE_ID(_chain) chain;
  cat_fields fields;
  uint64_t ws[CAT_ROOM];
  uint8_t x[CAT_SITES];
} CASE_ID(_bed);

LBP_FN void CASE_ID(_start)(CASE_ID(_bed) *bed, const cat_toy *t, uint32_t code) {
  uint32_t i;
  int status;
  for (i = 0; i < t->n; i++) bed->x[i] = (uint8_t)cat_value(t, code, i);
#if defined CASE_FIELDS && defined CASE_N
  status = CASE_ID(_init)(&bed->chain, bed->x, &bed->fields);
#elif defined CASE_N
  status = CASE_ID(_init)(&bed->chain, bed->x);
#else
  const size_t length = CASE_ID(_ws_len)(t->n);
  if (length >= CAT_ROOM) CHECK(length < CAT_ROOM);
  bed->ws[length] = 0x5a5a5a5a5a5a5a5au;
#ifdef CASE_FIELDS
  status = CASE_ID(_init)(&bed->chain, t->n, bed->x, &bed->fields, bed->ws, length);
#else
  status = CASE_ID(_init)(&bed->chain, t->n, bed->x, bed->ws, length);
#endif
#endif
#ifdef CASE_TEMPERED
  status += CASE_ID(_temper)(&bed->chain, (CASE_REAL)cat_beta);
#endif
  if (status != LBP_OK) CHECK(status == LBP_OK);
}

LBP_FN double CASE_ID(_logp_of)(const cat_toy *t, uint32_t code) {
#ifdef CASE_BASED
  return cat_tempered(t, code, cat_beta, 1);
#else
  return cat_tempered(t, code, cat_beta, 0);
#endif
}

LBP_FN void CASE_ID(_law)(const cat_toy *t, double *law) {
  double sum = 0, top = -CAT_INFINITY;
  uint32_t code;
  for (code = 0; code < t->states; code++) top = fmax(top, CASE_ID(_logp_of)(t, code));
  for (code = 0; code < t->states; code++) sum += law[code] = exp(CASE_ID(_logp_of)(t, code) - top);
  for (code = 0; code < t->states; code++) law[code] /= sum;
}

/* What the log-ratio of site i to v is to be, as proposals go by it. */
LBP_FN double CASE_ID(_wanted_ratio)(const cat_toy *t, uint32_t code, uint32_t i, uint32_t v, int exact) {
  double d = CASE_ESTIMATES && !exact ? cat_estimate(t, code, i, v) : cat_ratio(t, code, i, v);
#ifdef CASE_BASED
  const double base = cat_base(t, i, v) - cat_base(t, i, cat_value(t, code, i));
#else
  const double base = 0;
#endif
#ifdef CASE_TEMPERED
  if (fabs(d) < 1e300) d = cat_beta * d + (1 - cat_beta) * base;
#else
  (void)base;
#endif
  return d;
}

#include "cat_one.h"

/* The weights of all moves from all states, from chains made there, into the table; each against its formula. */
LBP_FN void CASE_ID(_tabulate)(const cat_toy *t) {
  static CASE_ID(_bed) bed;
  CASE_ID(_chain) *c = &bed.chain;
  CASE_REAL d[CASE_K];
  uint32_t w[CASE_K], total[1], code, i, v, one;
  uint8_t from = 0;
  int alike = 1, close = 1;
  for (v = 0; v < CASE_K; v++) d[v] = 0;
  CASE_ID(_weigh_one)(d, from, 0, 0, w, total);
  one = w[CASE_K - 1];
  for (code = 0; code < t->states; code++) {
    const int promised = !LBP_FAST_MATH || t->logp[code] > -1e300; /* not of NaN, which impossible states give */
    uint64_t sum = 0, stored = 0;
    uint32_t positive = 0;
    CASE_ID(_start)(&bed, t, code);
    CASE_ID(_priv_prepare)(c, t, 1);
    for (i = 0; i < t->n; i++) {
      uint32_t *moves = cat_moves(t, code, i), adds = 0;
      double row[256], want[256];
      from = c->x[i];
      CASE_ID(_priv_row)(c, t, i, d);
      CASE_ID(_weigh_one)(d, from, 0, 0, w, total);
      for (v = 0; v < t->K[i]; v++) row[v] = CASE_ID(_wanted_ratio)(t, code, i, v, 0);
      cat_weights(CASE_WEIGHT, row, t->K[i], CASE_K, from, one, want);
      for (v = 0; v < CASE_K; v++) {
        adds += w[v];
        if (v >= t->K[i]) {
          alike &= w[v] == 0 || !promised;
          continue;
        }
        moves[v] = w[v];
        if (t->logp[code] > -1e300) close &= cat_is_close(w[v], want[v]);
      }
      alike &= (adds == total[0] && test_same_weight(c->weight[i], adds)) || !promised;
      stored += c->weight[i];
      cat_total[code * t->n + i] = adds;
      sum += adds;
      positive += adds > 0;
    }
    alike &= (stored == c->urn.sums.total && positive == c->urn.sums.positive) || !promised;
    cat_sum[code] = sum;
    cat_positive[code] = positive;
  }
#ifndef CASE_N
  CHECK(bed.ws[CASE_ID(_ws_len)(t->n)] == 0x5a5a5a5a5a5a5a5au);
#endif
  CHECK(alike);
  CHECK(close);
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* What a chain keeps is what chains made there have. */
LBP_FN int CASE_ID(_kept)(const CASE_ID(_chain) *c, const cat_toy *t) {
  const uint32_t code = cat_code(t, c->x);
  uint64_t stored = 0;
  uint32_t i;
  int ok = 1;
#ifdef CASE_FIELDS
  ok &= !c->fields_ready || c->fields->code == code;
#endif
  for (i = 0; i < t->n; i++) {
    stored += c->weight[i];
    if (c->weights_ready == 1) ok &= test_same_weight(c->weight[i], cat_total[code * t->n + i]);
    else ok &= !(c->weight[i] & LBP_MARK);
#if !CASE_LOCAL
    if (c->ratio_ready && cat_looks++ % 16 == 0) { /* weighing one site takes as long as sixteen */
      uint32_t w[CASE_K], total[1], v;
      CASE_ID(_weigh_one)(c->ratio + i * CASE_K, c->x[i], 0, 0, w, total);
      ok &= test_same_weight(total[0], cat_total[code * t->n + i]);
      for (v = 0; v < t->K[i]; v++) ok &= test_same_weight(w[v], cat_moves(t, code, i)[v]);
    }
#endif
  }
  if (c->weights_ready == 1) ok &= stored == c->urn.sums.total && cat_positive[code] == c->urn.sums.positive;
#if CASE_BY_LOGP
  if (c->logp_ready && t->logp[code] > -1e300) {
    ok &= fabs((double)c->logp - CASE_ID(_logp_of)(t, code)) < (CASE_FLOAT ? 1e-4 : 1e-12);
  }
#endif
  return ok;
}

/* Where the sites of a path lead, and whether it can be gone in this order: for models that know log-ratios alone. */
LBP_FN uint32_t CASE_ID(_end)(const cat_toy *t, uint32_t code, const cat_path *p, int backwards, int *passable) {
  uint32_t k;
  *passable = 1;
  for (k = 0; k < p->distinct; k++) {
    const uint32_t at = backwards ? p->distinct - 1 - k : k;
    code = cat_moved(t, code, p->site[at], p->value[at]);
    if (!CASE_BY_LOGP && CASE_KIND != CAT_PRODUCT) *passable &= t->logp[code] > -1e300;
  }
  return code;
}

#ifndef CASE_OWN_RNG
/* The acceptance of a path by the formulas, from the table. */
LBP_FN double CASE_ID(_formula)(const cat_toy *t, uint32_t x, const cat_path *p, int replace, int backwards,
                                uint32_t R) {
  int passable;
  const uint32_t y = CASE_ID(_end)(t, x, p, backwards, &passable);
  double ratio = exp(CASE_ID(_logp_of)(t, y) - CASE_ID(_logp_of)(t, x));
  double left = (double)cat_sum[x], left_back = (double)cat_sum[y];
  uint32_t k;
  if (!passable || !(t->logp[y] > -1e300)) return 0;
  for (k = 0; k < p->distinct; k++) {
    const uint32_t i = p->site[k], back = cat_moves(t, y, i)[cat_value(t, x, i)];
    if (back == 0) return 0;
    ratio *= (double)back / cat_moves(t, x, i)[p->value[k]];
    if (!replace) left_back -= cat_total[y * t->n + i];
  }
  for (k = 0; k < p->distinct && !replace; k++) {
    left_back += cat_total[y * t->n + p->site[k]];
    ratio *= left / left_back;
    left -= cat_total[x * t->n + p->site[k]];
  }
  for (k = 0; k < p->draws && replace; k++) {
    const uint32_t i = p->drawn[k];
    ratio *= ((double)cat_total[y * t->n + i] / left_back) / ((double)cat_total[x * t->n + i] / left);
  }
  for (k = 0; k < p->distinct && replace; k++) { /* a site's values once, however often it was drawn */
    const uint32_t i = p->site[k];
    ratio *= (double)cat_total[x * t->n + i] / cat_total[y * t->n + i];
  }
  if (!replace && p->distinct < R && cat_positive[y] != p->distinct) return 0;
  return fmin(1, ratio);
}

/* The same path by the library, from the values on. */
LBP_FN CASE_REAL CASE_ID(_go)(CASE_ID(_bed) *bed, const cat_toy *t, uint32_t x, const cat_path *p, int replace,
                              uint32_t R, uint64_t word) {
  CASE_ID(_chain) *c = &bed->chain;
  CASE_ID(_info) info;
  cat_rng rng;
  uint64_t script[CAT_SITES];
  uint32_t k, fresh = 0, again = 0;
  int passable;
  CASE_ID(_start)(bed, t, x);
  CASE_ID(_priv_prepare)(c, t, 1);
  for (k = 0; k < p->draws; k++) {
    const uint32_t i = p->drawn[k];
    uint32_t j = 0;
    while (p->site[j] != i) j++;
    if (j < fresh) {
      c->again[again++] = j;
      continue;
    }
    c->touched[fresh] = i;
    c->before[fresh] = c->weight[i];
    c->weight[i] = (replace ? fresh : c->weight[i]) | LBP_MARK;
    script[fresh++] = cat_aim(cat_moves(t, x, i), t->K[i], p->value[j]);
  }
  c->y.draws = R;
  c->y.flips = c->y.touched = fresh;
  c->y.removed = 0;
  c->y.word = word;
  memset(&info, 0, sizeof info);
  info.proposed = fresh;
  cat_rng_script(&rng, script, fresh);
  CASE_ID(_priv_choose_values)(c, t, &rng);
  for (k = 0; k < fresh; k++) cat_count(c->other[p->site[k]] == p->value[k]);
  cat_count(rng.left == 0 && rng.beyond == 0);
  CASE_ID(_priv_move)(c, t, replace && (word & 1));
#if !CASE_LOCAL
  if (!lbp_is_impossible((float)c->y.log_pi)) CASE_ID(_priv_deltas)(c, t);
#endif
  CASE_ID(_priv_conclude)(c, t, replace, &info);
  cat_count(info.jump == (info.accepted ? fresh : 0));
  cat_count(cat_code(t, c->x) == (info.accepted ? CASE_ID(_end)(t, x, p, 0, &passable) : x));
  cat_count(CASE_ID(_kept)(c, t));
  return info.accept;
}

/* All paths of LBP-R or GWG-R from the states x = first, first + step, ...: each one's acceptance against the formula,
 * and if all states are looked at, detailed balance of the sum over paths. */
LBP_FN void CASE_ID(_paths)(const cat_toy *t, uint32_t R, int replace, uint32_t first, uint32_t step) {
  static CASE_ID(_bed) bed;
  static double law[CAT_STATES], P[CAT_ALL][CAT_ALL];
  double off = 0;
  uint32_t x, number, paths, k, toss;
  const int all = step == 1;
  CASE_ID(_law)(t, law);
  CASE_ID(_tabulate)(t);
  memset(P, 0, sizeof P);
  cat_wrong = 0;
  for (x = first; x < t->states; x += step) {
    const uint32_t draws = replace || R < cat_positive[x] ? R : cat_positive[x];
    if (!(t->logp[x] > -1e300) || draws == 0) continue;
    for (k = 0, paths = 1; k < draws; k++) paths *= t->n;
    for (number = 0; number < paths; number++) {
      cat_path p;
      double q = cat_sites(t, x, number, draws, replace, &p);
      if (!(q > 0) || !cat_first_values(t, x, &p)) continue;
      do {
        double chance = q;
        for (k = 0; k < p.distinct; k++) {
          chance *= (double)cat_moves(t, x, p.site[k])[p.value[k]] / cat_total[x * t->n + p.site[k]];
        }
        for (toss = 0; toss < 1u + (uint32_t)replace; toss++) {
          const uint64_t word = toss + (number % 3 == 0 ? 0 : UINT64_MAX - 1); /* accepted if at all; if it must be */
          const double got = (double)CASE_ID(_go)(&bed, t, x, &p, replace, R, word);
          const double want = CASE_ID(_formula)(t, x, &p, replace, (int)toss, R);
          int passable;
          const uint32_t y = CASE_ID(_end)(t, x, &p, 0, &passable);
          off = fmax(off, fabs(got - want));
          if (all) P[x][y] += chance * got / (1 + replace);
        }
      } while (cat_next_values(t, x, &p));
    }
  }
  CHECK_NEAR(off, 0, CASE_ONE_PATH);
  CHECK(cat_wrong == 0);
  if (all) cat_balance(t, law, P, CASE_BALANCE, 0);
}

#ifdef CASE_MOVES

/* ---- random walk ------------------------------------------------------------------------------------------------- */

/* All paths of RWM-R, by a script. */
LBP_FN void CASE_ID(_uniform)(const cat_toy *t, uint32_t R, int stuck) {
  static CASE_ID(_bed) bed;
  static double law[CAT_STATES], P[CAT_ALL][CAT_ALL];
  double off = 0;
  uint32_t x, number, paths = 1, k, i, mobile = 0;
  for (i = 0; i < t->n; i++) mobile += t->K[i] > 1;
  for (k = 0; k < R; k++) paths *= t->n;
  CASE_ID(_law)(t, law);
  CASE_ID(_tabulate)(t);
  memset(P, 0, sizeof P);
  cat_wrong = 0;
  for (x = 0; x < t->states; x++) {
    if (!(t->logp[x] > -1e300)) continue;
    for (number = 0; number < paths; number++) {
      cat_path p;
      uint32_t rest = number, turns = 1, turn;
      double q = 1;
      memset(&p, 0, sizeof p);
      for (k = 0; k < R; k++, rest /= t->n) {
        const uint32_t site = rest % t->n;
        for (i = 0; i < k && p.site[i] != site; i++) {
        }
        if (i < k || t->K[site] < 2) break;
        p.site[k] = site;
        q /= (mobile - k) * (t->K[site] - 1.0);
        turns *= t->K[site] - 1;
      }
      if (k < R) continue;
      p.draws = p.distinct = R;
      for (turn = 0; turn < turns; turn++) {
        uint64_t script[2 * CAT_SITES + 1];
        CASE_ID(_chain) *c = &bed.chain;
        CASE_ID(_info) info;
        cat_rng rng;
        double want;
        int passable;
        uint32_t y;
        CASE_ID(_start)(&bed, t, x);
        if (number % 2) CASE_ID(_priv_prepare)(c, t, 1); /* steps keep the weights, if they move nothing */
        for (k = 0, rest = turn; k < R; k++) {
          const uint32_t others = t->K[p.site[k]] - 1, pick = rest % others;
          rest /= others;
          p.value[k] = pick + (pick >= c->x[p.site[k]]);
          script[k] = cat_middle(p.site[k], t->n);
          script[R + k] = cat_middle(pick, others);
        }
        script[2 * R] = number % 3 == 0 ? 0 : UINT64_MAX;
        cat_rng_script(&rng, script, 2 * R + 1);
        info = CASE_ID(_rwm_step)(c, t, R, &rng);
        y = CASE_ID(_end)(t, x, &p, 0, &passable);
        if (CASE_KIND == CAT_PRODUCT) passable = cat_passable(t, x, &p);
        want = passable ? fmin(1, exp(CASE_ID(_logp_of)(t, y) - CASE_ID(_logp_of)(t, x))) : 0;
        off = fmax(off, fabs((double)info.accept - want));
        cat_count(cat_code(t, c->x) == (info.accepted ? y : x) && info.jump == (info.accepted ? R : 0));
        cat_count(rng.left == 0 && rng.beyond == 0 && info.proposed == R && CASE_ID(_kept)(c, t));
        P[x][y] += q * (double)info.accept;
      }
    }
  }
  CHECK_NEAR(off, 0, CASE_ONE_PATH);
  CHECK(cat_wrong == 0);
  cat_balance(t, law, P, CASE_BALANCE, stuck);
}

/* ---- discrete Langevin ------------------------------------------------------------------------------------------- */

/* All steps of the discrete Langevin proposal, by a script. */
LBP_FN void CASE_ID(_langevin)(const cat_toy *t, double sigma) {
  static CASE_ID(_bed) bed;
  static double law[CAT_STATES], P[CAT_ALL][CAT_ALL];
  static uint32_t weight[CAT_ALL][CAT_SITES][CASE_K], sum[CAT_ALL][CAT_SITES];
  CASE_ID(_chain) *c = &bed.chain;
  const float cost = sigma < 1e-3 ? 500.0f : 0.5f / (float)(CASE_REAL)sigma;
  double off = 0;
  uint32_t x, y, i, v, toss;
  int close = 1;
  CASE_ID(_law)(t, law);
  CASE_ID(_tabulate)(t);
  memset(P, 0, sizeof P);
  for (x = 0; x < t->states; x++) {
    CASE_ID(_start)(&bed, t, x);
    CASE_ID(_priv_prepare)(c, t, 1);
    for (i = 0; i < t->n; i++) {
      double all = 0, power[256];
      CASE_REAL row[CASE_K];
      CASE_ID(_priv_row)(c, t, i, row);
      CASE_ID(_weigh_one)(row, c->x[i], 1, cost, weight[x][i], &sum[x][i]);
      for (v = 0; v < t->K[i]; v++) {
        const double d = CASE_ID(_wanted_ratio)(t, x, i, v, 0);
        power[v] = v == c->x[i] ? 1 : d > -1e300 ? exp(d / 2 - 1 / (2 * fmax(sigma, 1e-3))) : 0;
        all += power[v];
      }
      for (v = 0; v < t->K[i] && t->logp[x] > -1e300; v++) {
        close &= cat_is_close(weight[x][i][v], 2147400000.0 * power[v] / all);
      }
    }
  }
  CHECK(close);
  cat_wrong = 0;
  for (x = 0; x < t->states; x++) {
    if (!(t->logp[x] > -1e300)) continue;
    for (y = 0; y < t->states; y++) {
      double q = 1, want = exp(CASE_ID(_logp_of)(t, y) - CASE_ID(_logp_of)(t, x));
      cat_path p;
      memset(&p, 0, sizeof p);
      for (i = 0; i < t->n; i++) {
        const uint32_t a = cat_value(t, x, i), b = cat_value(t, y, i);
        const double there = (double)weight[x][i][b] / sum[x][i], back = (double)weight[y][i][a] / sum[y][i];
        q *= there;
        want *= there > 0 ? back / there : 0;
        if (a == b) continue;
        p.site[p.distinct] = i;
        p.value[p.distinct++] = b;
      }
      if (!(q > 0)) continue;
      for (toss = 0; toss < 2; toss++) {
        uint64_t script[CAT_SITES + 1];
        CASE_ID(_info) info;
        cat_rng rng;
        int passable = 1;
        CASE_ID(_start)(&bed, t, x);
        if (y % 2) CASE_ID(_priv_prepare)(c, t, 1);
        for (i = 0; i < t->n; i++) script[i] = cat_aim(weight[x][i], t->K[i], cat_value(t, y, i));
        script[t->n] = toss + (y % 3 == 0 ? 0 : UINT64_MAX - 1);
        cat_rng_script(&rng, script, t->n + 1);
        info = CASE_ID(_dlp_step)(c, t, (CASE_REAL)sigma, &rng);
        CASE_ID(_end)(t, x, &p, (int)toss, &passable);
        off = fmax(off, fabs((double)info.accept - (passable ? fmin(1, want) : 0)));
        cat_count(cat_code(t, c->x) == (info.accepted ? y : x) && info.jump == (info.accepted ? p.distinct : 0));
        cat_count(rng.left == 0 && rng.beyond == 0 && info.proposed == p.distinct && CASE_ID(_kept)(c, t));
        P[x][y] += q * (double)info.accept / 2;
      }
    }
  }
  CHECK_NEAR(off, 0, CASE_ONE_PATH);
  CHECK(cat_wrong == 0);
  if (sigma > 0.1) cat_balance(t, law, P, CASE_BALANCE, 0);
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

/* Sweeps by random words, against the same by cumulative conditional laws; words that leave it open are not drawn. */
LBP_FN void CASE_ID(_sweeps)(const cat_toy *t, int metropolised, uint32_t rounds) {
  static CASE_ID(_bed) bed;
  CASE_ID(_chain) *c = &bed.chain;
  const double near = CASE_FLOAT ? 1e-6 : 1e-12;
  uint32_t x, round, i, v;
  lbp_rng dice;
  lbp_rng_init(&dice, 8, (uint64_t)metropolised);
  CASE_ID(_tabulate)(t);
  cat_wrong = 0;
  for (x = 0; x < t->states; x++) {
    if (!(t->logp[x] > -1e300)) continue;
    for (round = 0; round < rounds; round++) {
      uint64_t script[CAT_SITES];
      CASE_ID(_info) info;
      cat_rng rng;
      uint32_t y = x, jump = 0, changed[CAT_SITES];
      const uint32_t asked = cat_asked;
      for (i = 0; i < t->n; i++) {
        double law[256], below, u;
        const uint32_t a = cat_value(t, y, i);
        int open;
        for (v = 0; v < t->K[i]; v++) law[v] = CASE_ID(_wanted_ratio)(t, y, i, v, 1);
        cat_conditional(law, t->K[i], a, metropolised && cat_beta != 0);
        do {
          script[i] = lbp_rng_u64(&dice);
          u = (double)script[i] / 18446744073709551616.0;
          for (v = 0, below = 0, open = 0; v + 1 < t->K[i]; v++) {
            below += law[v];
            if (fabs(u - below) < near) open = 1;
            if (u < below) break;
          }
        } while (open);
        if (v == a) continue;
        y = cat_moved(t, y, i, v);
        changed[jump++] = i;
      }
      CASE_ID(_start)(&bed, t, x);
      if (round % 2) CASE_ID(_priv_prepare)(c, t, 1);
      cat_rng_script(&rng, script, t->n);
      info = metropolised ? CASE_ID(_metropolis_sweep)(c, t, &rng) : CASE_ID(_gibbs_sweep)(c, t, &rng);
      cat_count(cat_code(t, c->x) == y && info.jump == jump && info.proposed == jump && info.accepted);
      cat_count(rng.left == 0 && rng.beyond == 0 && info.accept == 1 && CASE_ID(_kept)(c, t));
      cat_count(memcmp(info.sites, changed, jump * sizeof changed[0]) == 0);
#if CASE_KIND == CAT_DENSE || CASE_KIND == CAT_KEPT
      cat_count(info.evaluations <= 1 + jump && info.evaluations + round % 2 == cat_asked - asked);
#endif
      (void)asked;
    }
  }
  CHECK(cat_wrong == 0);
}

#endif

/* ---- one site ---------------------------------------------------------------------------------------------------- */

/* A row of log-ratios of `states` values, present value a: up to `spread`, and as `odd` asks some far away, impossible,
 * no number. */
LBP_FN void CASE_ID(_draw_row)(lbp_rng *dice, uint32_t states, uint32_t a, double spread, int odd, double *row,
                               CASE_REAL *d) {
  const double far[6] = {200, -200, 1e4, -1e4, -CAT_INFINITY, -75};
  uint32_t v;
  for (v = 0; v < CASE_K; v++) {
    const uint64_t word = lbp_rng_u64(dice);
    row[v] = cat_number(dice, spread);
    if (odd && word % 4 == 0) row[v] = far[word / 4 % 6];
    if (odd == 1 && row[v] > 100) row[v] = 70;
    if (v >= states) row[v] = -CAT_INFINITY;
    if (v == a) row[v] = 0;
    d[v] = (CASE_REAL)row[v];
    if (v != a && v < states && odd && word % 64 == 32) row[v] = -CAT_INFINITY, d[v] = (CASE_REAL)CAT_NAN;
  }
}

/* Weights of rows that no table has. */
LBP_FN void CASE_ID(_far_weights)(uint32_t rows) {
  CASE_REAL d[CASE_K];
  uint32_t w[CASE_K], total[1], one, k, v;
  double row[256], want[256];
  uint8_t from = 0;
  int close = 1, sums = 1;
  lbp_rng dice;
  lbp_rng_init(&dice, 21, CASE_K);
  for (v = 0; v < CASE_K; v++) d[v] = 0;
  CASE_ID(_weigh_one)(d, from, 0, 0, w, total);
  one = w[CASE_K - 1];
  for (k = 0; k < rows; k++) {
    const uint32_t states = k % 3 ? CASE_K : 1 + (uint32_t)(lbp_rng_u64(&dice) % CASE_K);
    uint64_t sum = 0;
    double top = 0;
    from = (uint8_t)(lbp_rng_u64(&dice) % states);
    CASE_ID(_draw_row)(&dice, states, from, k % 5 < 2 ? 1 : 30, k % 2 ? 2 : 0, row, d);
    CASE_ID(_weigh_one)(d, from, 0, 0, w, total);
    for (v = 0; v < CASE_K; v++) top = row[v] > top && row[v] < 1e30 ? row[v] : top;
    for (v = 0; v < CASE_K; v++) { /* powers are cut to e^80, below the likeliest or on both sides of the present one */
      const double most = (LBP_FAST_MATH ? 66 : 80) * (CASE_WEIGHT == LBP_SQRT ? 2 : 1);
      const int relative = CASE_WEIGHT == LBP_HEAT_BATH || CASE_WEIGHT == LBP_METROPOLISED;
      if (row[v] > -1e300) row[v] = relative ? top + fmax(fmin(row[v] - top, most), -most) : fmax(fmin(row[v], most), -most);
    }
    cat_weights(CASE_WEIGHT, row, states, CASE_K, from, one, want);
    for (v = 0; v < CASE_K; v++) {
      close &= cat_is_close(w[v], want[v]);
      sum += w[v];
    }
    sums &= sum == total[0] && sum < LBP_MARK;
  }
  CHECK(close);
  CHECK(sums);
}

/* The words at which the value that is picked changes: out[v] is the first that gives more than v; of many, some. */
#define CASE_STRIDE (CASE_K > 8 ? CASE_K / 6 : 1)
LBP_FN void CASE_ID(_borders)(const CASE_REAL *d, uint32_t states, uint32_t a, int metropolised, uint64_t *out) {
  uint32_t v, bit;
  for (v = 0; v + 1 < CASE_K; v += CASE_STRIDE) {
    uint64_t below = 0; /* the largest known to give at most v, and one more */
    for (bit = 64; bit-- > 0;) {
      const uint64_t word = below + ((uint64_t)1 << bit);
      if (word <= below) continue;
      if (CASE_ID(_priv_pick_value)(NULL, NULL, 0, d, states, a, metropolised, word - 1) <= v) below = word;
    }
    out[v] = below;
  }
  out[CASE_K - 1] = UINT64_MAX;
}

/* One site's law: where the words change what is picked, against cumulative sums; words nearby; and that all present
 * values together leave the conditional law as it is. */
LBP_FN void CASE_ID(_picks)(uint32_t rows) {
  const double near = CASE_FLOAT ? 1e-6 : 1e-12;
  const uint64_t fuzz = CASE_FLOAT ? (uint64_t)1 << 42 : 0; /* a float has no more digits near 1 */
  static uint64_t border[CASE_K];
  double off = 0, drift = 0, row[256], law[256];
  CASE_REAL d[CASE_K];
  uint32_t k, v, j;
  int monotone = 1, possible = 1;
  lbp_rng dice;
  lbp_rng_init(&dice, 22, CASE_K);
  for (k = 0; k < rows; k++) {
    const uint32_t states = k % 3 ? CASE_K : 1 + (uint32_t)(lbp_rng_u64(&dice) % CASE_K);
    const uint32_t a = (uint32_t)(lbp_rng_u64(&dice) % states);
    const int metropolised = k / 2 % 2, odd = LBP_FAST_MATH ? 0 : (int)(k / 4 % 3);
    double below = 0;
    CASE_ID(_draw_row)(&dice, states, a, k % 7 < 4 ? 1 : 30, odd, row, d);
    CASE_ID(_borders)(d, states, a, metropolised, border);
    for (v = 0; v < CASE_K; v++) law[v] = row[v];
    cat_conditional(law, CASE_K, a, metropolised);
    for (v = 0; v < CASE_K; v++) {
      below += law[v];
      if (v % CASE_STRIDE || v + 1 == CASE_K) continue;
      off = fmax(off, fabs((double)border[v] / 18446744073709551616.0 - below));
      monotone &= v == 0 || border[v - CASE_STRIDE] <= border[v];
      if (CASE_STRIDE == 1 && v > 0 && v != a && border[v] > border[v - 1]) possible &= row[v] > -1e300;
      for (j = 0; j < 40 && v + 1 < CASE_K; j++) {
        const uint64_t step = (uint64_t)1 << (20 + j), b = border[v];
        if (b > step) {
          monotone &= CASE_ID(_priv_pick_value)(NULL, NULL, 0, d, states, a, metropolised, b - step) <= v;
        }
        if (b + step < b || b + step >= UINT64_MAX - fuzz) continue;
        monotone &= CASE_ID(_priv_pick_value)(NULL, NULL, 0, d, states, a, metropolised, b + step) > v;
      }
    }
  }
  CHECK(monotone && possible);
  CHECK_NEAR(off, 0, near);
  for (k = 0; k < rows && CASE_STRIDE == 1; k++) { /* from every present value, in proportion to its probability */
    double flow[256], base[256], p[256], sum = 0;
    for (v = 0; v < CASE_K; v++) flow[v] = 0, base[v] = cat_number(&dice, k % 2 ? 1 : 8);
    for (v = 0; v < CASE_K; v++) sum += p[v] = exp(base[v]);
    for (j = 0; j < CASE_K; j++) {
      for (v = 0; v < CASE_K; v++) d[v] = (CASE_REAL)(base[v] - base[j]);
      CASE_ID(_borders)(d, CASE_K, j, k % 4 < 2, border);
      for (v = 0; v < CASE_K; v++) {
        const uint64_t first = v > 0 ? border[v - 1] : 0;
        flow[v] += p[j] / sum * ((double)(border[v] - first) / 18446744073709551616.0);
      }
    }
    for (v = 0; v < CASE_K; v++) drift = fmax(drift, fabs(flow[v] - p[v] / sum));
  }
  CHECK_NEAR(drift, 0, near);
}

/* ---- public steps ------------------------------------------------------------------------------------------------ */

#endif

#ifdef CASE_STEPS

/* One step of a sampler, with R sites or tuned to a mean of R. */
LBP_FN CASE_ID(_info) CASE_ID(_step)(CASE_ID(_chain) *c, const cat_toy *t, int sampler, uint32_t R, CASE_RNG *rng) {
  CASE_ID(_tuner) tuner;
  lbp_scale_tuner scale;
  if (sampler == CAT_LBP) return CASE_ID(_lbp_step)(c, t, R, rng);
  if (sampler == CAT_GWG) return CASE_ID(_gwg_step)(c, t, R, rng);
  if (sampler == CAT_RWM) return CASE_ID(_rwm_step)(c, t, R, rng);
  if (sampler == CAT_GIBBS) return CASE_ID(_gibbs_sweep)(c, t, rng);
  if (sampler == CAT_METROPOLIS) return CASE_ID(_metropolis_sweep)(c, t, rng);
  if (sampler == CAT_DLP) return CASE_ID(_dlp_step)(c, t, (CASE_REAL)(0.2 * R), rng);
  CASE_ID(_tuner_init)(&tuner, t->n, 0, (CASE_REAL)LBP_TARGET_LBP); /* frozen */
  tuner.r = (CASE_REAL)(R + 0.375);
  if (sampler == CAT_ALBP) return CASE_ID(_albp_step)(c, t, &tuner, rng);
  if (sampler == CAT_AGWG) return CASE_ID(_agwg_step)(c, t, &tuner, rng);
  if (sampler == CAT_ARWM) return CASE_ID(_arwm_step)(c, t, &tuner, rng);
  lbp_scale_tuner_init(&scale, 0.2 * R, 0, LBP_TARGET_LBP);
  return CASE_ID(_adlp_step)(c, t, &scale, rng);
}

/* Independent trials: x from the law, then `steps` steps of one sampler, or of all in turn; the end must follow the
 * law, and for one step of a reversible sampler (x, y) and (y, x) be equally frequent. */
LBP_FN void CASE_ID(_stationary)(const cat_toy *t, uint32_t R, int sampler, uint32_t steps, uint64_t seed) {
  static CASE_ID(_bed) bed;
  static double law[CAT_STATES];
  static uint32_t seen[CAT_STATES], pairs[CAT_ALL][CAT_ALL];
  CASE_ID(_chain) *c = &bed.chain;
  uint32_t trial, s, moved = 0;
  CASE_RNG rng;
  lbp_rng dice;
  lbp_rng_init(&dice, seed, (uint64_t)sampler);
#ifdef CASE_OWN_RNG
  lbp_rng_init(&rng, seed, R + 1000);
#else
  cat_rng_init(&rng, seed, R + 1000);
#endif
  CASE_ID(_law)(t, law);
  CASE_ID(_tabulate)(t);
  memset(seen, 0, sizeof seen);
  memset(pairs, 0, sizeof pairs);
  cat_wrong = 0;
  for (trial = 0; trial < CAT_TRIALS; trial++) {
    const uint32_t x = cat_sample(law, t->states, lbp_u01(lbp_rng_u64(&dice)));
    CASE_ID(_start)(&bed, t, x);
    for (s = 0; s < steps; s++) {
      const int kind = sampler < CAT_SAMPLERS ? sampler : (int)(lbp_rng_u64(&dice) % CAT_SAMPLERS);
      const uint32_t r = sampler < CAT_SAMPLERS ? R : (uint32_t)(lbp_rng_u64(&dice) % (t->n + 2));
      const CASE_ID(_info) info = CASE_ID(_step)(c, t, kind, r, &rng);
      moved += info.jump > 0;
      cat_count(info.jump == (info.accepted ? info.proposed : 0) && info.sites == c->touched);
      if (trial % 16 == 0) cat_count(CASE_ID(_kept)(c, t));
    }
    seen[cat_code(t, c->x)]++;
    if (t->states <= CAT_ALL) pairs[x][cat_code(t, c->x)]++;
  }
  CHECK(cat_wrong == 0);
  CHECK(moved > 0 || R == 0);
  cat_chi2("stationary", seen, law, t->states);
  if (t->states <= CAT_ALL && steps == 1 && cat_is_reversible(sampler)) cat_symmetric(pairs, law, t->states);
}

#if CASE_KIND == CAT_MANY
/* Many chains at once do what each does alone. */
LBP_FN void CASE_ID(_many)(const cat_toy *t) {
  enum { CHAINS = LBP_MANY + 3 };
  static CASE_ID(_bed) bed[CHAINS], alone[CHAINS];
  static CASE_ID(_chain) *chain[CHAINS];
  static CASE_ID(_info) info[CHAINS];
  static CASE_RNG rng[CHAINS], rng_alone[CHAINS], *generator[CHAINS];
  static uint32_t R[CHAINS];
  uint32_t k, step, moved = 0;
  int same = 1;
  CASE_ID(_tabulate)(t);
  for (k = 0; k < CHAINS; k++) {
    cat_rng_init(&rng[k], 91, k);
    rng_alone[k] = rng[k];
    generator[k] = &rng[k];
    chain[k] = &bed[k].chain;
    CASE_ID(_start)(&bed[k], t, k % t->states);
    CASE_ID(_start)(&alone[k], t, k % t->states);
  }
  for (step = 0; step < 40; step++) {
    for (k = 0; k < CHAINS; k++) R[k] = (k + step) % (t->n + 2);
    CASE_ID(_lbp_steps)(chain, t, R, generator, CHAINS, info);
    for (k = 0; k < CHAINS; k++) {
      const CASE_ID(_info) want = CASE_ID(_lbp_step)(&alone[k].chain, t, R[k], &rng_alone[k]);
      same &= cat_code(t, bed[k].x) == cat_code(t, alone[k].x) && info[k].jump == want.jump;
      same &= info[k].proposed == want.proposed && info[k].accepted == want.accepted;
      same &= memcmp(&info[k].accept, &want.accept, sizeof want.accept) == 0;
      same &= CASE_ID(_kept)(chain[k], t);
      moved += want.accepted;
    }
    if (step == 20) CASE_ID(_touch)(chain[7]); /* one chain's weights are made anew, the others' kept */
    if (step == 30) { /* and one has moved by other steps */
      CASE_ID(_rwm_step)(chain[9], t, 2, generator[9]);
      CASE_ID(_rwm_step)(&alone[9].chain, t, 2, &rng_alone[9]);
    }
  }
  CHECK(same && moved > 100);
}
#endif

#endif

/* ---- all of them ------------------------------------------------------------------------------------------------- */

LBP_FN cat_toy CASE_ID(_toy)(double spread, int kind, uint64_t seed) {
#ifdef CASE_SAME
  return cat_make(4, cat_same(CASE_K), spread, kind, CASE_KIND == CAT_PRODUCT, seed);
#else
  return cat_make(5, cat_mixed, spread, kind, CASE_KIND == CAT_PRODUCT, seed);
#endif
}

#ifndef CASE_OWN_RNG
/* All samplers on models of every kind. */
LBP_FN void CASE_ID(_test_paths)(int thorough) {
  static cat_toy t;
  uint32_t kind, R;
  for (kind = CAT_SOFT; kind <= CAT_KNOT; kind++) {
    if (CASE_KIND == CAT_PRODUCT && kind == CAT_KNOT) break;
    if (!thorough && cat_beta != 1 && kind != CAT_HARD) continue;
    t = CASE_ID(_toy)(0.75, (int)kind, 3 + kind);
    for (R = 1; R <= t.n; R++) {
      const int few = R == 2 || (R == t.n && kind == CAT_HARD) || (R == 3 && kind == CAT_KNOT);
      if ((!thorough || CAT_SHORT) && !few) continue;
      CASE_ID(_paths)(&t, R, 0, 0, 1);
      if (R < (thorough && !CAT_SHORT ? 4 : 3)) CASE_ID(_paths)(&t, R, 1, 0, 1);
#ifdef CASE_MOVES
      const int stuck = !CASE_BY_LOGP && CASE_KIND != CAT_PRODUCT && kind == CAT_HARD && R == 3 && CASE_K == 2;
      if (R < 4) CASE_ID(_uniform)(&t, R, stuck);
#endif
    }
#ifdef CASE_MOVES
    CASE_ID(_langevin)(&t, 0.4);
    for (R = 0; R < 2; R++) CASE_ID(_sweeps)(&t, (int)R, 10);
#endif
  }
  if (!thorough) return;
  t = CASE_ID(_toy)(6, CAT_SOFT, 7);
  for (R = 1; R < (CAT_SHORT ? 2 : 4); R++) {
    CASE_ID(_paths)(&t, R, 0, 0, 1);
    if (R < 3) CASE_ID(_paths)(&t, R, 1, 0, 1);
  }
#ifdef CASE_MOVES
  CASE_ID(_langevin)(&t, 2);
  CASE_ID(_langevin)(&t, 1e-4);
  for (R = 0; R < 2; R++) CASE_ID(_sweeps)(&t, (int)R, 20);
#endif
}

#endif

#ifdef CASE_STEPS
/* The public steps: each sampler, and all of them in turn. */
LBP_FN void CASE_ID(_test_steps)(void) {
  static cat_toy t;
  int kind, sampler;
  for (kind = CAT_SOFT; kind <= CAT_HARD; kind++) {
    t = CASE_ID(_toy)(0.75, kind, 30 + (uint64_t)kind);
    for (sampler = CAT_SHORT ? CAT_SAMPLERS : 0; sampler <= CAT_SAMPLERS; sampler++) {
      if (kind == CAT_HARD && sampler < CAT_SAMPLERS) continue;
      CASE_ID(_stationary)(&t, 2, sampler, sampler < CAT_SAMPLERS ? 1 : 4, 40 + (uint64_t)kind);
    }
  }
#if CASE_KIND == CAT_MANY
  t = CASE_ID(_toy)(0.75, CAT_SOFT, 50);
  CASE_ID(_many)(&t);
#endif
}
#endif

#ifndef CASE_OWN_RNG
/* All of it. */
LBP_FN void CASE_ID(_test)(int thorough) {
  CASE_ID(_test_paths)(thorough);
  CASE_ID(_far_weights)(CAT_SHORT ? 100 : 500);
#ifdef CASE_STEPS
  CASE_ID(_picks)(CAT_SHORT ? 20 : 100);
  CASE_ID(_test_steps)();
#endif
#ifdef CASE_TEMPERED
  cat_beta = !thorough || (CAT_SHORT && CASE_K > 2) ? 0.5 : 0;
  for (; cat_beta < 1; cat_beta += 0.5) CASE_ID(_test_paths)(0);
#endif
  cat_beta = 1;
}
#endif

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE
#undef CASE_REAL
#undef CASE_WEIGHT
#undef CASE_KIND
#undef CASE_K
#undef CASE_N
#undef CASE_SORT_ABOVE
#undef CASE_NEVER
#undef CASE_SAME
#undef CASE_ONE
#undef CASE_TEMPERED
#undef CASE_BASED
#undef CASE_OWN_RNG
#undef CASE_CLAMPED
#undef CASE_ASKED
#undef CASE_STEPS
#undef CASE_MOVES
#undef CASE_RNG
#undef CASE_FLOAT
#undef CASE_ONE_PATH
#undef CASE_BALANCE
#undef CASE_FIELDS
#undef CASE_ARGS
#undef CASE_CODE
#undef CASE_STRIDE
#undef CASE_LOCAL
#undef CASE_ESTIMATES
#undef CASE_BY_LOGP
