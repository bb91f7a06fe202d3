/* Template: long runs of one instance of lbp_ab.h, which has been included before. Parameters: CASE, the instance's
 * LBP_NAME; CASE_MODEL_T. Generates CASE_run(law, plan, kind): one kind of sampler on one law, judged. */

#define CASE_PASTE2(a, b) a##b
#define CASE_PASTE(a, b)  CASE_PASTE2(a, b)
#define CASE_ID(name)     CASE_PASTE(CASE, name)
#define CASE_TEXT2(name)  #name
#define CASE_TEXT(name)   CASE_TEXT2(name)

typedef struct {
  CASE_ID(_chain) chain;
  CASE_ID(_tuner) tuner;
  CASE_ID(_adaptive) adaptive;
  CASE_ID(_real) sigma;       /* what these two were frozen at */
  CASE_ID(_scale) scale;
  CASE_ID(_curvature) curvature;
  lbp_rng rng;
  uint64_t seed; /* of the law's own draws */
  CASE_ID(_real) *ws;
  double *D;
  void *memory, *adaptive_memory;
  uint8_t *x, *from;
  double *sum;
} CASE_ID(_bed);

static CASE_ID(_scale) CASE_ID(_scale_of)(const exact_ab_plan *plan, int kind) {
  const CASE_ID(_real) sigma = (CASE_ID(_real))plan->sigma, s = (CASE_ID(_real))plan->s;
  switch (kind) {
    case EXACT_AB_DLP: return CASE_ID(_first_order)(sigma, (CASE_ID(_real))0.5);
    case EXACT_AB_FIRST: return CASE_ID(_first_order)(sigma, (CASE_ID(_real))0.75);
    case EXACT_AB_LANGEVIN_D: return CASE_ID(_langevin_d)(s);
    case EXACT_AB_EDGES: return CASE_ID(_second_order_d)(s, 1, (CASE_ID(_real))0.7);
    case EXACT_AB_PRINTED: return CASE_ID(_second_order)(sigma, (CASE_ID(_real))0.75);
    default: return CASE_ID(_second_order_d)(s, 1, 1);
  }
}

/* Returns the acceptance probability. */
static double CASE_ID(_step)(CASE_ID(_bed) *b, const CASE_MODEL_T *m, const exact_ab_plan *plan, int kind) {
  const CASE_ID(_scale) scale = CASE_ID(_scale_of)(plan, kind);
  switch (kind) {
    case EXACT_AB_DLP:
    case EXACT_AB_FIRST: return (double)CASE_ID(_ab_step)(&b->chain, m, NULL, &scale, &b->rng).accept;
    case EXACT_AB_RWM: return (double)CASE_ID(_rwm_step)(&b->chain, m, (CASE_ID(_real))plan->sigma / 2, &b->rng).accept;
    case EXACT_AB_GIBBS: return (double)CASE_ID(_gibbs_step)(&b->chain, m, &b->rng).accept;
    case EXACT_AB_ADLP: return (double)CASE_ID(_adlp_step)(&b->chain, m, &b->tuner, &b->rng).accept;
    case EXACT_AB_ARWM: return (double)CASE_ID(_arwm_step)(&b->chain, m, &b->tuner, &b->rng).accept;
    case EXACT_AB_GIVEN:
    case EXACT_AB_LEARNT: return (double)CASE_ID(_adaptive_step)(&b->chain, m, &b->adaptive, &b->rng).accept;
    case EXACT_AB_MIX: return CASE_ID(_step)(b, m, plan, (int)(lbp_rng_u64(&b->rng) % EXACT_AB_MIXED));
    default: return (double)CASE_ID(_ab_step)(&b->chain, m, &b->curvature, &scale, &b->rng).accept;
  }
}

/* What replicas share: a diagonal, and the curvature. */
static void CASE_ID(_shape)(CASE_ID(_bed) *b, const exact_ab_plan *plan, int kind) {
  const lbp_symmetric *W = plan->W;
  const int diagonal = kind == EXACT_AB_EDGES     ? LBP_DIAGONAL_DOMINANT
                       : kind == EXACT_AB_PRINTED ? LBP_DIAGONAL_TRACE
                                                  : LBP_DIAGONAL_SHIFT;
  const int exact = kind == EXACT_AB_SECOND || kind == EXACT_AB_GIVEN;
  const size_t work_len = lbp_diagonal_workspace(diagonal, W->n);
  double *work = law_doubles(work_len);
  size_t bytes;
  b->D = law_doubles(W->n);
  CHECK(lbp_diagonal(diagonal, W, b->D, work, work_len) == LBP_OK);
  bytes = CASE_ID(_curvature_bytes)(W, b->D, exact);
  b->memory = law_memory(bytes, 1);
  CHECK(CASE_ID(_curvature_init)(&b->curvature, W, b->D, exact, b->memory, bytes) == LBP_OK);
  free(work);
}

/* A new replica: tuned, if this kind is, and then put at an exact draw, from where nothing must be learnt any more. */
static void CASE_ID(_start)(CASE_ID(_bed) *b, const law *l, const exact_ab_plan *plan, int kind, uint64_t seed,
                            uint32_t replica) {
  const CASE_MODEL_T *m = (const CASE_MODEL_T *)l->model;
  const size_t bytes = CASE_ID(_adaptive_bytes)(l->n);
  uint32_t warmup = 0, t;
  int status = LBP_OK;
  b->seed = seed + replica;
  lbp_rng_init(&b->rng, seed, replica);
  l->draw(l, &b->seed, b->x);
  if (CASE_ID(_init)(&b->chain, l->n, l->values, b->x, b->ws, LBP_WS_LEN_AB(l->n)) != LBP_OK) CHECK(0);
  if (kind == EXACT_AB_ADLP || kind == EXACT_AB_ARWM) {
    const float target = kind == EXACT_AB_ADLP ? LBP_TARGET_LBP : LBP_TARGET_RWM;
    warmup = EXACT_WARMUP;
    status = CASE_ID(_tuner_init)(&b->tuner, (CASE_ID(_real))plan->sigma, warmup, (CASE_ID(_real))target);
  } else if (kind == EXACT_AB_GIVEN) {
    warmup = 2 * EXACT_WARMUP;
    status = CASE_ID(_adaptive_given)(&b->adaptive, &b->curvature, warmup);
  } else if (kind == EXACT_AB_LEARNT) {
    if (b->adaptive_memory == NULL) b->adaptive_memory = law_memory(bytes, 1);
    warmup = 4 * EXACT_WARMUP;
    status = CASE_ID(_adaptive_init)(&b->adaptive, l->n, warmup, b->adaptive_memory, bytes);
  }
  if (status != LBP_OK) CHECK(status == LBP_OK);
  if (warmup > 0) {
    for (t = 0; t < warmup; t++) CASE_ID(_step)(b, m, plan, kind);
    l->draw(l, &b->seed, b->x);
    CASE_ID(_touch)(&b->chain);
  }
  b->sigma = b->tuner.sigma;
  b->scale = b->adaptive.scale;
  memcpy(b->from, b->x, l->n);
}

static void CASE_ID(_run)(const law *l, const exact_ab_plan *plan, int kind) {
  const CASE_MODEL_T *m = (const CASE_MODEL_T *)l->model;
  const uint32_t stride = kind == EXACT_AB_GIBBS ? l->n : plan->stride; /* Gibbs: sweeps, each looked at */
  const uint32_t visits = exact_scaled(kind == EXACT_AB_GIBBS ? plan->visits * plan->stride / 4 : plan->visits);
  CASE_ID(_bed) b;
  static judge j;
  uint32_t replica, visit, t;
  memset(&b, 0, sizeof b);
  b.ws = (CASE_ID(_real) *)law_memory(LBP_WS_LEN_AB(l->n), sizeof *b.ws);
  b.x = (uint8_t *)law_memory(l->n, 1);
  b.from = (uint8_t *)law_memory(l->n, 1);
  b.sum = law_doubles(l->count);
  CASE_ID(_shape)(&b, plan, kind);
  judge_start(&j, l, CASE_TEXT(CASE), exact_ab_kinds[kind], EXACT_SEED);
  for (replica = 0; replica < EXACT_REPLICAS; replica++) {
    CASE_ID(_start)(&b, l, plan, kind, j.seed, replica);
    for (visit = 0; visit < visits; visit++) {
      for (t = 0; t < stride; t++, j.steps++) j.accept += CASE_ID(_step)(&b, m, plan, kind);
      l->add(l, b.x, 1, b.sum);
    }
    judge_replica(&j, b.sum, visits, b.from, b.x);
    j.thawed += memcmp(&b.sigma, &b.tuner.sigma, sizeof b.sigma) != 0;
    j.thawed += memcmp(&b.scale, &b.adaptive.scale, sizeof b.scale) != 0;
  }
  judge_finish(&j, exact_wanders(1));
  free(b.ws);
  free(b.x);
  free(b.from);
  free(b.sum);
  free(b.D);
  free(b.memory);
  free(b.adaptive_memory);
}

#undef CASE_PASTE2
#undef CASE_PASTE
#undef CASE_ID
#undef CASE_TEXT2
#undef CASE_TEXT
#undef CASE
#undef CASE_MODEL_T
