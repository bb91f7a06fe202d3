/* Lanes of one width, LBP_LANES = CASE_LANES: included once per instance by test_lanes. CASE is its name; CASE_PLAIN:
 * without vectors; CASE_PAIRS: couplings by LBP_PAIRS, not by terms. */
#define CASE_PASTE2(left, right) left##_##right
#define CASE_PASTE(left, right)  CASE_PASTE2(left, right)
#define CASE_(name)              CASE_PASTE(CASE, name)

#define LBP_NAME    CASE
#define LBP_MODEL_T web_of_spins
#ifdef CASE_PAIRS
#define LBP_DELTA          spins_delta
#define LBP_NEIGHBOURS     spins_neighbours
#define LBP_MAX_NEIGHBOURS SPINS_DEGREE
#define LBP_LOGP           spins_logp
#define LBP_PAIRS          spins_pairs
#define LBP_FIELD          spins_field
#else
#define LBP_TERM_COUNT(m)      (m)->edges
#define LBP_TERM_SITES         spins_sites
#define LBP_TERM               spins_term
#define LBP_SITE_TERM(m, i, v) ((v) ? (m)->h[i] * (m)->unit : -(m)->h[i] * (m)->unit)
#define LBP_TERM_MAX           3
#define LBP_TERMS_OF_MAX       SPINS_DEGREE
#endif
#define LBP_UNIT(m) (m)->unit
#define LBP_CLAMPED
#define LBP_LANES   CASE_LANES
#ifdef CASE_PLAIN
#define LBP_LANES_SCALAR
#endif
#include "../../lbp.h"

static CASE_(chain) CASE_(one);
static CASE_(lanes) CASE_(all);
static uint64_t *CASE_(memory);

/* Makes lanes of a model; returns the status of NAME_lanes_init, after its fault has been compared with it. */
LBP_FN int CASE_(make)(web_of_spins *m, uint32_t chains, const uint8_t *mask) {
  static uint8_t x[SPINS_SITES];
  static uint64_t ws[LBP_WS_LEN(SPINS_SITES)];
  size_t len;
  int status;
#ifndef CASE_PAIRS
  static CASE_(terms) terms;
  static uint32_t index[LBP_TERMS_LEN(SPINS_SITES, 3, SPINS_DEGREE)];
  status = CASE_(terms_init)(&terms, m, m->n, index, sizeof index / sizeof index[0]);
  if (status != LBP_OK) return status;
#endif
  memset(x, 0, sizeof x);
#ifdef CASE_PAIRS
  status = CASE_(init)(&CASE_(one), m->n, x, ws, sizeof ws / sizeof ws[0]);
#else
  status = CASE_(init)(&CASE_(one), m->n, x, &terms, ws, sizeof ws / sizeof ws[0]);
#endif
  CHECK(status == LBP_OK);
  if (mask) CASE_(clamp)(&CASE_(one), mask);
  free(CASE_(memory));
  len = CASE_(lanes_len)(&CASE_(one), m);
  CASE_(memory) = (uint64_t *)malloc((len + 2) * sizeof(uint64_t)); /* exactly, for valgrind; some at an odd place */
  if (!CASE_(memory)) abort();
  status = CASE_(lanes_init)(&CASE_(all), &CASE_(one), m, chains, CASE_(memory) + chains % 2, len);
  CHECK(CASE_(all).fault.status == status);
  return status;
}

/* Lane l has beta number l % SPINS_BETAS, after it was used at another one. */
LBP_FN void CASE_(temper)(void) {
  double beta[CASE_LANES];
  uint32_t l;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 1);
  for (l = 0; l < CASE_LANES; l++) beta[l] = 3;
  CHECK(CASE_(lanes_temper)(&CASE_(all), beta) == LBP_OK);
  CASE_(lanes_metropolis_sweep)(&CASE_(all), &rng);
  CASE_(lanes_gibbs_sweep)(&CASE_(all), &rng);
  for (l = 0; l < CASE_LANES; l++) beta[l] = spins_betas[l % SPINS_BETAS];
  CHECK(CASE_(lanes_temper)(&CASE_(all), beta) == LBP_OK);
}

LBP_FN uint32_t CASE_(state)(uint32_t l) {
  uint8_t x[SPINS_SITES];
  CASE_(lanes_get)(&CASE_(all), l, x);
  return spins_number(x, CASE_(all).n);
}

/* One sweep from one state, of lanes at all temperatures: transitions by enumeration. And of pairs of lanes that are `gap`
 * apart: their joint law is the product. heat: by heat bath. */
LBP_FN void CASE_(transitions)(web_of_spins *m, uint32_t chains, const uint8_t *mask, int heat, uint32_t rounds,
                               uint32_t gap, lbp_rng *rng) {
  static uint32_t seen[SPINS_BETAS][SPINS_STATES], joint[SPINS_BETAS][SPINS_PAIRS * SPINS_PAIRS];
  static double row[SPINS_BETAS][SPINS_STATES], both[SPINS_PAIRS * SPINS_PAIRS];
  double trials[SPINS_BETAS] = {0}, pairs[SPINS_BETAS] = {0};
  const uint32_t states = 1u << m->n, few = states < SPINS_PAIRS ? states : (uint32_t)SPINS_PAIRS;
  uint32_t l, t, s, b, r;
  uint8_t x[SPINS_SITES];
  CHECK(CASE_(make)(m, chains, mask) == LBP_OK);
  CASE_(temper)();
  memset(seen, 0, sizeof seen);
  memset(joint, 0, sizeof joint);
  s = (uint32_t)(lbp_rng_u64(rng) % states);
  spins_write(x, m->n, s);
  for (b = 0; b < SPINS_BETAS; b++) spins_row(m, s, spins_betas[b], heat, mask, row[b]);
  for (t = 0; t < rounds; t++) {
    uint32_t to[CASE_LANES];
    for (l = 0; l < chains; l++) CASE_(lanes_put)(&CASE_(all), l, x);
    if (heat) CHECK(CASE_(lanes_gibbs_sweep)(&CASE_(all), rng) == LBP_OK);
    else CASE_(lanes_metropolis_sweep)(&CASE_(all), rng);
    for (l = 0; l < chains; l++) {
      b = l % SPINS_BETAS;
      to[l] = CASE_(state)(l);
      seen[b][to[l]]++;
      trials[b]++;
      if (l < gap) continue;
      joint[b][to[l - gap] % few * few + to[l] % few]++;
      pairs[b]++;
    }
  }
  for (b = 0; b < SPINS_BETAS; b++) {
    double left[SPINS_PAIRS] = {0}, right[SPINS_PAIRS] = {0};
    spins_judge(chi2_counts(seen[b], row[b], states, trials[b]));
    for (r = 0; r < states; r++) {
      left[r % few] += row[(b + SPINS_BETAS - gap % SPINS_BETAS) % SPINS_BETAS][r];
      right[r % few] += row[b][r];
    }
    for (r = 0; r < few * few; r++) both[r] = left[r / few] * right[r % few];
    if (pairs[b] > 0) spins_judge(chi2_counts(joint[b], both, few * few, pairs[b]));
  }
}

/* Energies kept and from scratch, ones, and best states, against sums over bytes; lanes that are no chains stay 0. */
LBP_FN void CASE_(sums)(web_of_spins *m, uint32_t chains, uint32_t rounds, const uint8_t *mask, lbp_rng *rng) {
  int64_t best[CASE_LANES];
  uint32_t ones[CASE_LANES], l, t, k;
  uint8_t x[SPINS_SITES];
  double beta[CASE_LANES];
  for (l = 0; l < CASE_LANES; l++) best[l] = INT64_MIN;
  CHECK(CASE_(make)(m, chains, mask) == LBP_OK);
  for (l = 0; l < chains; l++) {
    for (k = 0; k < m->n; k++) x[k] = (uint8_t)(lbp_rng_u64(rng) >> 63);
    CASE_(lanes_put)(&CASE_(all), l, x);
  }
  CASE_(lanes_units)(&CASE_(all));
  for (t = 0; t < rounds; t++) {
    int64_t kept[CASE_LANES];
    for (l = 0; l < CASE_LANES; l++) beta[l] = t % 3 == 0 ? 0 : 0.02 * (l % 7) * t;
    CHECK(CASE_(lanes_temper)(&CASE_(all), beta) == LBP_OK);
    if (t % 4 == 3 && CASE_(all).planes <= 3) CHECK(CASE_(lanes_gibbs_sweep)(&CASE_(all), rng) == LBP_OK);
    else CASE_(lanes_metropolis_sweep)(&CASE_(all), rng);
    CASE_(lanes_swap)(&CASE_(all), 7, t, rng);
    CASE_(lanes_record)(&CASE_(all));
    CHECK(CASE_(all).keeps == 1);
    memcpy(kept, CASE_(all).units, sizeof kept);
    CASE_(all).keeps = 0;
    CHECK(memcmp(kept, CASE_(lanes_units)(&CASE_(all)), chains * sizeof kept[0]) == 0);
    CASE_(lanes_ones)(&CASE_(all), ones);
    for (l = 0; l < chains; l++) {
      uint32_t sum = 0;
      CASE_(lanes_get)(&CASE_(all), l, x);
      for (k = 0; k < m->n; k++) sum += x[k];
      CHECK(ones[l] == sum);
      CHECK_NEAR((double)kept[l] * CASE_(all).unit, spins_energy(m, x) * m->unit, 1e-9 * (1 + fabs(spins_energy(m, x))));
      if (kept[l] > best[l]) best[l] = kept[l];
      if (t + 1 < rounds) continue;
      CHECK(CASE_(all).best_units[l] == best[l]);
      CASE_(lanes_best)(&CASE_(all), l, x);
      CHECK_NEAR((double)best[l] * CASE_(all).unit, spins_energy(m, x) * m->unit, 1e-9 * (1 + fabs(spins_energy(m, x))));
    }
    for (l = chains; l < CASE_LANES; l++) {
      CASE_(lanes_get)(&CASE_(all), l, x);
      for (k = 0; k < m->n; k++) CHECK(x[k] == 0);
    }
  }
}

/* The first site of a sweep, whatever its degree: how often it flips. */
LBP_FN void CASE_(first_site)(web_of_spins *m, uint32_t rounds, lbp_rng *rng) {
  uint8_t x[SPINS_SITES], y[SPINS_SITES];
  uint32_t k, l, t, round;
  CHECK(CASE_(make)(m, CASE_LANES, NULL) == LBP_OK);
  CASE_(temper)();
  for (round = 0; round < 6; round++) {
    uint32_t seen[SPINS_BETAS][2] = {{0, 0}};
    double trials[SPINS_BETAS] = {0};
    for (k = 0; k < m->n; k++) x[k] = (uint8_t)(lbp_rng_u64(rng) >> 63);
    for (t = 0; t < rounds; t++) {
      for (l = 0; l < CASE_LANES; l++) CASE_(lanes_put)(&CASE_(all), l, x);
      CASE_(lanes_metropolis_sweep)(&CASE_(all), rng);
      for (l = 0; l < CASE_LANES; l++) {
        CASE_(lanes_get)(&CASE_(all), l, y);
        seen[l % SPINS_BETAS][y[0] != x[0]]++;
        trials[l % SPINS_BETAS]++;
      }
    }
    for (l = 0; l < SPINS_BETAS; l++) {
      double law[2];
      law[1] = spins_flip(m, x, 0, spins_betas[l], 0);
      law[0] = 1 - law[1];
      spins_judge(chi2_counts(seen[l], law, 2, trials[l]));
    }
  }
}

/* The first site of a sweep, by how many of its couplings are satisfied: how often it flips. Lane l begins where all but
 * l / SPINS_BETAS of them are, modulo one more than there are; half of the lanes with that site turned over. */
LBP_FN void CASE_(counts)(web_of_spins *m, int heat, uint32_t rounds, lbp_rng *rng) {
  static uint32_t seen[CASE_LANES][2];
  static uint8_t x[CASE_LANES][SPINS_SITES];
  uint32_t l, k, t, round, degree = 0;
  chi2_sums sums = chi2_begin();
  for (t = 0; t < m->edges; t++) degree += m->a[t] == 0 || m->b[t] == 0;
  CHECK(CASE_(make)(m, CASE_LANES, NULL) == LBP_OK);
  CASE_(temper)();
  for (round = 0; round <= degree; round += CASE_LANES / (2 * SPINS_BETAS)) {
    memset(seen, 0, sizeof seen);
    for (l = 0; l < CASE_LANES; l++) {
      const uint32_t wrong = (round + l / (2 * SPINS_BETAS)) % (degree + 1), turned = l / SPINS_BETAS % 2;
      uint32_t edge = 0;
      memset(x[l], 0, m->n);
      x[l][0] = (uint8_t)turned;
      for (t = 0; t < m->edges; t++) {
        if (m->a[t] != 0 && m->b[t] != 0) continue;
        k = m->a[t] + m->b[t];
        x[l][k] = (uint8_t)(turned ^ (m->J[t] < 0) ^ (edge++ < wrong));
      }
    }
    for (t = 0; t < rounds; t++) {
      uint8_t y[SPINS_SITES];
      for (l = 0; l < CASE_LANES; l++) CASE_(lanes_put)(&CASE_(all), l, x[l]);
      if (heat) CHECK(CASE_(lanes_gibbs_sweep)(&CASE_(all), rng) == LBP_OK);
      else CASE_(lanes_metropolis_sweep)(&CASE_(all), rng);
      for (l = 0; l < CASE_LANES; l++) {
        CASE_(lanes_get)(&CASE_(all), l, y);
        seen[l][y[0] != x[l][0]]++;
      }
    }
    for (l = 0; l < CASE_LANES; l++) {
      double law[2];
      law[1] = spins_flip(m, x[l], 0, spins_betas[l % SPINS_BETAS], heat);
      law[0] = 1 - law[1];
      chi2_row(&sums, seen[l], law, 2, rounds, 0);
    }
  }
  spins_judge(chi2_end(&sums));
}

/* Thresholds, put together of planes, against probabilities: of each digit's values, and of heat bath. */
LBP_FN void CASE_(thresholds)(web_of_spins *m) {
  static const double some[4] = {0.3, 1e-6, 1, 20};
  double beta[CASE_LANES];
  uint32_t l, v, sub, b, digit, kind;
  CHECK(CASE_(make)(m, CASE_LANES - 1, NULL) == LBP_OK);
  for (l = 0; l < CASE_LANES; l++) beta[l] = some[l % 4] * (1 + l);
  CHECK(CASE_(lanes_temper)(&CASE_(all), beta) == LBP_OK);
  CASE_(priv_lanes_coins)(&CASE_(all));
  if (CASE_(all).level[0]) CASE_(priv_lanes_levels)(&CASE_(all));
  for (kind = 0; kind < 7; kind++) { /* odd, even, three higher digits; heat bath, even and odd */
    const int heat = kind > 4;
    const uint32_t values = heat ? 1u << CASE_(all).planes : 4, rows = heat || kind == 0 ? values : 3;
    const CASE_(priv_plane) *table = kind == 0 ? CASE_(all).odd : kind == 1 ? CASE_(all).even
      : heat ? CASE_(all).level[kind - 5] : CASE_(all).high + (size_t)(kind - 2) * 3 * 48;
    digit = kind > 1 && !heat ? kind - 1 : 0;
    if (2 * digit >= CASE_(all).planes || !table) continue;
    for (l = 0; l < CASE_LANES - 1; l++) {
      for (v = rows < values; v < values; v++) {
        uint64_t got = 0;
        const double scaled = beta[l] * CASE_(all).unit, odd = kind == 0 || kind == 6;
        const double down = exp(-scaled * (4 * v * pow(4, digit) + 2 * odd));
        const double want = heat ? down / (1 + down) : down;
        for (b = 0; b < 48; b++) {
          uint64_t bit = 0;
          for (sub = rows < values; sub < values; sub++) {
            const uint64_t *word = (const uint64_t *)(const void *)&table[b * rows + sub - (values - rows)];
            if ((sub & v) == sub) bit ^= word[l / 64] >> l % 64 & 1;
          }
          got = got << 1 | bit;
        }
        CHECK_NEAR((double)got / 281474976710656.0, want, 1.0 / 281474976710656.0 + 4e-15 * want);
        CHECK((double)got / 281474976710656.0 <= want * (1 + 4e-15));
      }
    }
  }
}

/* Swaps: acceptance, and that the states that move are the right ones. */
LBP_FN void CASE_(swaps)(web_of_spins *m, uint32_t chains, uint32_t rungs, uint32_t rounds, lbp_rng *rng) {
  double beta[CASE_LANES], expected = 0, variance = 0, accepted = 0;
  uint32_t before[CASE_LANES], l, t;
  int64_t energy[CASE_LANES];
  uint8_t x[SPINS_SITES];
  CHECK(CASE_(make)(m, chains, NULL) == LBP_OK);
  for (l = 0; l < CASE_LANES; l++) beta[l] = 0.1 + 0.3 * (l % rungs);
  CHECK(CASE_(lanes_temper)(&CASE_(all), beta) == LBP_OK);
  CHECK(CASE_(lanes_swap)(&CASE_(all), 0, 0, rng) == 0);
  for (t = 0; t < rounds; t++) {
    uint32_t count = 0, got;
    for (l = 0; l < chains; l++) {
      spins_write(x, m->n, (uint32_t)(lbp_rng_u64(rng) % (1u << m->n)));
      CASE_(lanes_put)(&CASE_(all), l, x);
      CASE_(all).replica[l] = l;
    }
    CASE_(lanes_units)(&CASE_(all));
    for (l = 0; l < chains; l++) before[l] = CASE_(state)(l), energy[l] = CASE_(all).units[l];
    got = CASE_(lanes_swap)(&CASE_(all), rungs, t, rng);
    for (l = 0; l < chains; l++) {
      const uint32_t from = CASE_(all).replica[l];
      CHECK(from < chains && before[from] == CASE_(state)(l) && energy[from] == CASE_(all).units[l]);
      CHECK(from == l || (from / rungs == l / rungs && (from < l ? from : l) % rungs % 2 == t % 2));
      CHECK(from == l || (from + 1 == l && CASE_(all).replica[from] == l) || from == l + 1);
      if (from == l + 1) count++;
      if (l + 1 < chains && l % rungs % 2 == t % 2 && l % rungs + 1 < rungs) {
        const double d = CASE_(all).unit * (beta[l] - beta[l + 1]) * (double)(energy[l + 1] - energy[l]);
        const double p = d >= 0 ? 1 : exp(d);
        expected += p;
        variance += p * (1 - p);
        if (d > 0) CHECK(from == l + 1);
      }
    }
    CHECK(got == count);
    accepted += count;
    CASE_(all).keeps = 0;
    CASE_(lanes_units)(&CASE_(all));
    for (l = 0; l < chains; l++) CHECK(energy[CASE_(all).replica[l]] == CASE_(all).units[l]);
  }
  CHECK_NEAR(accepted, expected, 6 * sqrt(variance + 1));
}

/* A hash of what many sweeps come to. */
LBP_FN uint64_t CASE_(hash)(web_of_spins *m, uint32_t chains, uint32_t rounds, int heat, uint64_t seed) {
  double beta[CASE_LANES];
  uint64_t hash = seed;
  uint32_t l, t, i;
  uint8_t x[SPINS_SITES];
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 3);
  CHECK(CASE_(make)(m, chains, NULL) == LBP_OK);
  for (l = 0; l < CASE_LANES; l++) beta[l] = 0.0625 * (l % 32);
  CASE_(lanes_temper)(&CASE_(all), beta);
  for (t = 0; t < rounds; t++) {
    if (heat) CHECK(CASE_(lanes_gibbs_sweep)(&CASE_(all), &rng) == LBP_OK);
    else CASE_(lanes_metropolis_sweep)(&CASE_(all), &rng);
    CASE_(lanes_swap)(&CASE_(all), 32, t, &rng);
  }
  for (l = 0; l < chains; l++) {
    CASE_(lanes_get)(&CASE_(all), l, x);
    for (i = 0; i < m->n; i++) hash = (hash ^ x[i]) * 0x100000001b3u + (hash >> 47);
  }
  return hash;
}

#undef CASE
#undef CASE_
#undef CASE_PASTE
#undef CASE_PASTE2
#undef CASE_LANES
#undef CASE_PLAIN
#undef CASE_PAIRS
