/* Laws of the cluster steps of one instance, by enumeration. Parameters: CASE, the prefix of an instance of lbp.h with
 * LBP_CLUSTERS, LBP_TEMPERED and LBP_CLAMPED whose model is a CASE_MODEL; CASE_STATE(m, code, x), CASE_CODE(m, x),
 * CASE_LOGP(m, x), CASE_SITES(m); CASE_BASE(m, x): log pi at beta = 0; optional CASE_TERMS (it has an index of terms),
 * CASE_FIELDS, its type (it has fields). */
#define CASE_2(name, suffix) name##_##suffix
#define CASE_1(name, suffix) CASE_2(name, suffix)
#define CASE_(suffix)        CASE_1(CASE, suffix)

static uint64_t CASE_(ws)[60 * CLUSTER_SITES];
static uint8_t CASE_(x)[CLUSTER_SITES];
static CASE_(chain) CASE_(c);
static uint32_t CASE_(wrong); /* how often steps have said what is not so */
#ifdef CASE_TERMS
static uint32_t CASE_(words)[4096];
static CASE_(terms) CASE_(index);
#endif
#ifdef CASE_FIELDS
static CASE_FIELDS CASE_(fields);
#endif

LBP_FN void CASE_(begin)(const CASE_MODEL *m) {
  const size_t room = sizeof CASE_(ws) / sizeof CASE_(ws)[0];
#if defined CASE_TERMS
  CHECK(CASE_(terms_len)(m, CASE_SITES(m)) <= sizeof CASE_(words) / sizeof CASE_(words)[0]);
  CHECK(CASE_(terms_init)(&CASE_(index), m, CASE_SITES(m), CASE_(words), 4096) == LBP_OK);
  CHECK(CASE_(init)(&CASE_(c), CASE_SITES(m), CASE_(x), &CASE_(index), CASE_(ws), room) == LBP_OK);
#elif defined CASE_FIELDS
  CHECK(CASE_(init)(&CASE_(c), CASE_SITES(m), CASE_(x), &CASE_(fields), CASE_(ws), room) == LBP_OK);
#else
  CHECK(CASE_(init)(&CASE_(c), CASE_SITES(m), CASE_(x), CASE_(ws), room) == LBP_OK);
#endif
}

/* log pi at this temperature. */
LBP_FN double CASE_(tempered)(const CASE_MODEL *m, const uint8_t *x, double beta) {
  const double logp = CASE_LOGP(m, x);
  return logp < -1e300 ? logp : beta * logp + (1 - beta) * CASE_BASE(m, x);
}

/* The t-th step of a kind: 0 and 1: of Swendsen and Wang, of Wolff; 2: these and LBP's, which keeps weights, in turn. */
LBP_FN CASE_(info) CASE_(step)(const CASE_MODEL *m, int kind, uint32_t t, lbp_rng *rng) {
  const uint32_t which = kind == 2 ? (t + 1) % 4 : (uint32_t)kind; /* Wolff, LBP, Wolff, Swendsen and Wang */
  if (kind == 2 && which == 2) return CASE_(lbp_step)(&CASE_(c), m, 2, rng);
  return which % 2 ? CASE_(wolff_step)(&CASE_(c), m, rng) : CASE_(swendsen_wang_step)(&CASE_(c), m, rng);
}

/* One step, or `steps`, from a state that has the law, which is that given the clamped sites of `mask`, if there is one:
 * then the state has it, too. Counts what steps say of themselves that is wrong. Returns the p-value of a chi-squared test. */
LBP_FN double CASE_(odds)(const CASE_MODEL *m, int kind, double beta, const uint8_t *mask, uint32_t steps, uint64_t seed) {
  static double law[CLUSTER_STATES];
  static uint32_t seen[CLUSTER_STATES];
  uint32_t codes, code, trial, t, i;
  uint8_t x[CLUSTER_SITES];
  double sum = 0, gap;
  lbp_rng rng;
  lbp_rng_init(&rng, seed, (uint64_t)kind);
  for (codes = 0; CASE_STATE(m, codes, x); codes++) {
    const double logp = CASE_(tempered)(m, x, beta);
    sum += law[codes] = logp < -1e300 ? 0 : exp(logp);
  }
  for (code = 0; code < codes; code++) law[code] /= sum;
  CASE_STATE(m, 0, CASE_(x));
  CASE_(begin)(m);
  CHECK(CASE_(temper)(&CASE_(c), (CASE_(real))beta) == LBP_OK);
  CHECK(CASE_(clamp)(&CASE_(c), mask) == LBP_OK);
  memset(seen, 0, sizeof seen);
  for (trial = 0; trial < CLUSTER_TRIALS; trial++) {
    double u = lbp_u01(lbp_rng_u64(&rng));
    for (code = 0; code + 1 < codes && u >= law[code]; code++) u -= law[code];
    CASE_STATE(m, code, CASE_(x));
    CASE_(touch)(&CASE_(c));
    for (t = 0; t < steps; t++) {
      const double before = CASE_(tempered)(m, CASE_(x), beta);
      uint32_t moved = 0, told = 0;
      CASE_(info) info;
      memcpy(x, CASE_(x), sizeof x);
      info = CASE_(step)(m, kind, t, &rng);
      for (i = 0; i < CASE_SITES(m); i++) moved += CASE_(x)[i] != x[i];
      for (i = 0; i < info.jump; i++) told += CASE_(x)[info.sites[i]] != x[info.sites[i]];
      for (i = 0; mask && i < CASE_SITES(m); i++) CASE_(wrong) += mask[i] && CASE_(x)[i] != x[i];
      CASE_(wrong) += moved != info.jump || told != info.jump;
      CASE_(wrong) += kind < 2 && info.evaluations > CASE_SITES(m);
      gap = fabs(CASE_(tempered)(m, CASE_(x), beta) - before - (double)info.log_ratio);
      CASE_(wrong) += !(gap <= (sizeof info.log_ratio == 4 ? 1e-4 : 1e-9));
#ifdef CASE_FIELDS
      CASE_(wrong) += !CASE_FIELDS_RIGHT(m, &CASE_(fields), CASE_(x)); /* which users may read after any step */
#endif
      cluster_jumps += info.jump;
    }
    seen[CASE_CODE(m, CASE_(x))]++;
  }
  return chi2_counts(seen, law, codes, CLUSTER_TRIALS);
}

/* Both steps, one and four of them, and steps of all kinds in turn. */
LBP_FN void CASE_(keep_law)(const CASE_MODEL *m, double beta, const uint8_t *mask, uint64_t seed) {
  int wolff;
  CASE_(wrong) = 0;
  for (wolff = 0; wolff < 2; wolff++) {
    CHECK(CASE_(odds)(m, wolff, beta, mask, 1, seed) > CHI2_LEVEL);
    CHECK(CASE_(odds)(m, wolff, beta, mask, 4, seed + 1000) > CHI2_LEVEL);
  }
  CHECK(CASE_(odds)(m, 2, beta, mask, 6, seed + 2000) > CHI2_LEVEL);
  CHECK(CASE_(wrong) == 0);
}

#undef CASE_2
#undef CASE_1
#undef CASE_
#undef CASE
#undef CASE_MODEL
#undef CASE_STATE
#undef CASE_CODE
#undef CASE_LOGP
#undef CASE_BASE
#undef CASE_SITES
#undef CASE_TERMS
#undef CASE_FIELDS
#undef CASE_FIELDS_RIGHT
