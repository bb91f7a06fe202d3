/* Template: long runs of one instance of lbp.h, which has been included before. Parameters: CASE, the instance's
 * LBP_NAME; CASE_MODEL_T; with fields CASE_FIELDS, their type's name, which has functions _init and _free;
 * CASE_MANY if it has NAME_lbp_steps. Generates CASE_run(law, plan, kind): one kind of sampler on one law, judged. */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)
#define CASE_TEXT2(name)  #name
#define CASE_TEXT(name)   CASE_TEXT2(name)

typedef struct {
  CASE_ID(_chain) chain;
  CASE_ID(_tuner) tuner;
  CASE_ID(_real) r; /* what the tuner was frozen at */
#ifdef CASE_FIELDS
  CASE_FIELDS fields;
#endif
  lbp_rng rng;
  uint64_t seed; /* of the law's own draws */
  uint64_t *ws;
  uint8_t *x, *from;
  double *sum;
} CASE_ID(_bed);

static CASE_ID(_info) CASE_ID(_step)(CASE_ID(_bed) *b, const CASE_MODEL_T *m, double R, int kind) {
  switch (kind) {
    case EXACT_LBP: return CASE_ID(_lbp_step)(&b->chain, m, CASE_ID(_random_r)((CASE_ID(_real))R, &b->rng), &b->rng);
    case EXACT_GWG: return CASE_ID(_gwg_step)(&b->chain, m, CASE_ID(_random_r)((CASE_ID(_real))R, &b->rng), &b->rng);
    case EXACT_RWM: return CASE_ID(_rwm_step)(&b->chain, m, CASE_ID(_random_r)((CASE_ID(_real))R, &b->rng), &b->rng);
    case EXACT_ALBP: return CASE_ID(_albp_step)(&b->chain, m, &b->tuner, &b->rng);
    case EXACT_AGWG: return CASE_ID(_agwg_step)(&b->chain, m, &b->tuner, &b->rng);
    case EXACT_ARWM: return CASE_ID(_arwm_step)(&b->chain, m, &b->tuner, &b->rng);
    case EXACT_MIX: return CASE_ID(_step)(b, m, R, (int)(lbp_rng_u64(&b->rng) % EXACT_MIXED));
    default: return CASE_ID(_gibbs_sweep)(&b->chain, m, &b->rng);
  }
}

/* A new replica: tuned, if this kind is, and then put at an exact draw, from where the tuner must not learn any
 * more. */
static void CASE_ID(_start)(CASE_ID(_bed) *b, const law *l, double R, int kind, uint64_t seed,
                            uint32_t replica) {
  const CASE_MODEL_T *m = (const CASE_MODEL_T *)l->model;
  const int tuned = kind == EXACT_ALBP || kind == EXACT_AGWG || kind == EXACT_ARWM;
  uint32_t t;
  int status;
  b->seed = seed + replica;
  lbp_rng_init(&b->rng, seed, replica);
  l->draw(l, &b->seed, b->x);
#ifdef CASE_FIELDS
  status = CASE_ID(_init)(&b->chain, l->n, b->x, &b->fields, b->ws, CASE_ID(_ws_len)(l->n));
#else
  status = CASE_ID(_init)(&b->chain, l->n, b->x, b->ws, CASE_ID(_ws_len)(l->n));
#endif
  if (status != LBP_OK) CHECK(status == LBP_OK);
  if (tuned) {
    CASE_ID(_tuner_init)(&b->tuner, l->n, EXACT_WARMUP, kind == EXACT_ARWM ? LBP_TARGET_RWM : LBP_TARGET_LBP);
    for (t = 0; t < EXACT_WARMUP; t++) CASE_ID(_step)(b, m, R, kind);
    l->draw(l, &b->seed, b->x);
    CASE_ID(_touch)(&b->chain);
  }
  b->r = b->tuner.r;
  memcpy(b->from, b->x, l->n);
}

static CASE_ID(_bed) *CASE_ID(_beds)(const law *l, uint32_t width) {
  CASE_ID(_bed) *bed = (CASE_ID(_bed) *)law_memory(width, sizeof *bed);
  uint32_t w;
  for (w = 0; w < width; w++) {
    bed[w].ws = (uint64_t *)law_memory(CASE_ID(_ws_len)(l->n), sizeof *bed[w].ws);
    bed[w].x = (uint8_t *)law_memory(l->n, 1);
    bed[w].from = (uint8_t *)law_memory(l->n, 1);
    bed[w].sum = law_doubles(l->count);
#ifdef CASE_FIELDS
    CHECK(CASE_PASTE(CASE_FIELDS, _init)((const CASE_MODEL_T *)l->model, &bed[w].fields) == LBP_OK);
#endif
  }
  return bed;
}

static void CASE_ID(_free)(CASE_ID(_bed) *bed, uint32_t width) {
  uint32_t w;
  for (w = 0; w < width; w++) {
    free(bed[w].ws);
    free(bed[w].x);
    free(bed[w].from);
    free(bed[w].sum);
#ifdef CASE_FIELDS
    CASE_PASTE(CASE_FIELDS, _free)(&bed[w].fields);
#endif
  }
  free(bed);
}

#ifdef CASE_MANY
/* One step of each of the first `width` chains. Returns the mean acceptance probability. */
static double CASE_ID(_steps)(CASE_ID(_bed) *bed, const CASE_MODEL_T *m, double R, uint32_t width) {
  CASE_ID(_chain) *chain[EXACT_WIDTH];
  CASE_ID(_info) info[EXACT_WIDTH];
  lbp_rng *rng[EXACT_WIDTH];
  uint32_t r[EXACT_WIDTH], w;
  double accept = 0;
  for (w = 0; w < width; w++) {
    chain[w] = &bed[w].chain;
    rng[w] = &bed[w].rng;
    r[w] = CASE_ID(_random_r)((CASE_ID(_real))R, rng[w]);
  }
  CASE_ID(_lbp_steps)(chain, m, r, rng, width, info);
  for (w = 0; w < width; w++) accept += (double)info[w].accept / width;
  return accept;
}
#endif

static void CASE_ID(_run)(const law *l, const exact_plan *plan, int kind) {
  const CASE_MODEL_T *m = (const CASE_MODEL_T *)l->model;
  const uint32_t width = kind == EXACT_MANY ? EXACT_WIDTH : 1;
  const exact_plan p = exact_of_kind(plan, kind);
  const double R = kind == EXACT_RWM ? p.r_uniform : kind == EXACT_LBP_1 ? 1 : p.r_informed;
  CASE_ID(_bed) *bed = CASE_ID(_beds)(l, width);
  static judge j;
  uint32_t replica, visit, t, w;
  judge_start(&j, l, CASE_TEXT(CASE), exact_kinds[kind], EXACT_SEED);
  for (replica = 0; replica < EXACT_REPLICAS; replica += width) {
    for (w = 0; w < width; w++) CASE_ID(_start)(&bed[w], l, R, kind, j.seed, replica + w);
    for (visit = 0; visit < p.visits; visit++) {
      for (t = 0; t < p.stride; t++, j.steps++) {
#ifdef CASE_MANY
        if (kind == EXACT_MANY) {
          j.accept += CASE_ID(_steps)(bed, m, R, width);
          continue;
        }
#endif
        j.accept += (double)CASE_ID(_step)(&bed[0], m, R, kind == EXACT_LBP_1 ? EXACT_LBP : kind).accept;
      }
      for (w = 0; w < width; w++) l->add(l, bed[w].x, 1, bed[w].sum);
    }
    for (w = 0; w < width; w++) {
      judge_replica(&j, bed[w].sum, p.visits, bed[w].from, bed[w].x);
      j.thawed += memcmp(&bed[w].r, &bed[w].tuner.r, sizeof bed[w].r) != 0;
    }
  }
  judge_finish(&j, exact_wanders(R > 1));
  CASE_ID(_free)(bed, width);
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE_TEXT2
#undef CASE_TEXT
#undef CASE
#undef CASE_MODEL_T
#undef CASE_FIELDS
#undef CASE_MANY
