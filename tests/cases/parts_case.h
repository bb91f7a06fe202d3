/* The law of two chains that exchange parts, by enumeration of the pairs of their states. Parameters: CASE, the prefix of
 * an instance of lbp.h with LBP_PARTS, LBP_TEMPERED and LBP_CLAMPED whose model is a web; optional CASE_TERMS (it has an
 * index of terms), CASE_SHORT (its lists lack neighbours, which LBP needs), CASE_BASE(m, x): log pi at beta = 0, else 0. */
#define CASE_2(name, suffix) name##_##suffix
#define CASE_1(name, suffix) CASE_2(name, suffix)
#define CASE_(suffix)        CASE_1(CASE, suffix)
#ifndef CASE_BASE
#define CASE_BASE(m, x) 0.0
#endif

static uint64_t CASE_(ws)[2][60 * WEB_SITES];
static uint8_t CASE_(x)[2][WEB_SITES];
static CASE_(chain) CASE_(c)[2];
#ifdef CASE_TERMS
static uint32_t CASE_(words)[4096];
static CASE_(terms) CASE_(index);
#endif

/* Of n + 1 numbers of `mask` the first n clamp sites of the one chain, the last n those of the other. */
LBP_FN void CASE_(begin)(const web *m, const double *beta, const uint8_t *mask) {
  const size_t room = sizeof CASE_(ws)[0] / sizeof CASE_(ws)[0][0];
  int k;
#ifdef CASE_TERMS
  CHECK(CASE_(terms_init)(&CASE_(index), m, m->n, CASE_(words), sizeof CASE_(words) / sizeof CASE_(words)[0]) == LBP_OK);
#endif
  for (k = 0; k < 2; k++) {
    web_state(m, 0, CASE_(x)[k]);
#ifdef CASE_TERMS
    CHECK(CASE_(init)(&CASE_(c)[k], m->n, CASE_(x)[k], &CASE_(index), CASE_(ws)[k], room) == LBP_OK);
#else
    CHECK(CASE_(init)(&CASE_(c)[k], m->n, CASE_(x)[k], CASE_(ws)[k], room) == LBP_OK);
#endif
    CHECK(CASE_(temper)(&CASE_(c)[k], (CASE_(real))beta[k]) == LBP_OK && CASE_(clamp)(&CASE_(c)[k], mask ? mask + k : NULL) == LBP_OK);
  }
}

LBP_FN double CASE_(tempered)(const web *m, const uint8_t *x, double beta) {
  const double logp = web_logp(m, x);
  return logp < -1e300 ? logp : beta * logp + (1 - beta) * CASE_BASE(m, x);
}

/* The law at a temperature, of `codes` states. */
LBP_FN uint32_t CASE_(law)(const web *m, double beta, double *law) {
  uint32_t codes, code;
  uint8_t x[WEB_SITES];
  double sum = 0;
  for (codes = 0; web_state(m, codes, x); codes++) {
    const double logp = CASE_(tempered)(m, x, beta);
    sum += law[codes] = logp < -1e300 ? 0 : exp(logp);
  }
  for (code = 0; code < codes; code++) law[code] /= sum;
  return codes;
}

/* Exchanges between two chains that have their laws, with a step of LBP in each, which keeps weights, between them: the pair then has the product's, also if clamped sites stay. Returns
 * the p-value. */
LBP_FN double CASE_(odds)(const web *m, const double *beta, const uint8_t *mask, uint32_t steps, uint64_t seed) {
  static double law[2][PARTS_STATES], joint[PARTS_STATES * PARTS_STATES];
  static uint32_t seen[PARTS_STATES * PARTS_STATES];
  uint32_t codes = 0, code[2] = {0, 0}, trial, t, i, wrong = 0;
  int k;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, 11);
  CASE_(begin)(m, beta, mask);
  for (k = 0; k < 2; k++) codes = CASE_(law)(m, beta[k], law[k]);
  CHECK(codes <= PARTS_STATES);
  for (i = 0; i < codes * codes; i++) joint[i] = law[0][i / codes] * law[1][i % codes];
  memset(seen, 0, sizeof seen);
  for (trial = 0; trial < PARTS_TRIALS; trial++) {
    for (k = 0; k < 2; k++) {
      double u = lbp_u01(lbp_rng_u64(&rng));
      for (code[k] = 0; code[k] + 1 < codes && u >= law[k][code[k]]; code[k]++) u -= law[k][code[k]];
      web_state(m, code[k], CASE_(x)[k]);
      CASE_(touch)(&CASE_(c)[k]);
    }
    for (t = 0; t < steps; t++) {
      uint8_t before[2][WEB_SITES];
      CASE_(parts) info;
      uint32_t moved[2] = {0, 0}, differ = 0;
#ifndef CASE_SHORT
      for (k = 0; t > 0 && k < 2; k++) CASE_(lbp_step)(&CASE_(c)[k], m, 2, &rng);
#endif
      memcpy(before, CASE_(x), sizeof before);
      info = CASE_(swap_parts)(&CASE_(c)[0], &CASE_(c)[1], m, &rng);
      for (k = 0; k < 2; k++) {
        const double gain = CASE_(tempered)(m, CASE_(x)[k], beta[k]) - CASE_(tempered)(m, before[k], beta[k]);
        wrong += !(fabs(gain - (double)info.log_ratio[k]) < 1e-9);
        for (i = 0; i < m->n; i++) moved[k] += CASE_(x)[k][i] != before[k][i];
        for (i = 0; mask && i < m->n; i++) wrong += (mask[i] || mask[i + 1]) && CASE_(x)[k][i] != before[k][i];
      }
      for (i = 0; i < m->n; i++) differ += before[0][i] != before[1][i];
      wrong += moved[0] != info.jump || moved[1] != info.jump || info.exchanged > info.parts || info.parts > info.sites;
      wrong += info.largest > info.sites || info.jump > info.sites || (differ != info.sites && PARTS_ALL);
      parts_seen += info.parts;
      parts_exchanged += info.exchanged;
      parts_largest = info.largest > parts_largest ? info.largest : parts_largest;
    }
    for (k = 0; k < 2; k++) code[k] = web_code(m, CASE_(x)[k]);
    seen[code[0] * codes + code[1]]++;
  }
  CHECK(wrong == 0);
  return chi2_counts(seen, joint, codes * codes, PARTS_TRIALS);
}

LBP_FN void CASE_(keep_law)(const web *m, double warm, double cold, const uint8_t *mask, uint64_t seed) {
  const double beta[2] = {warm, cold};
  CHECK(CASE_(odds)(m, beta, mask, 1, seed) > CHI2_LEVEL);
  CHECK(CASE_(odds)(m, beta, mask, 4, seed + 1000) > CHI2_LEVEL);
}

#undef CASE_2
#undef CASE_1
#undef CASE_
#undef CASE
#undef CASE_TERMS
#undef CASE_SHORT
#undef CASE_BASE
