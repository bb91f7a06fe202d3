/* lbp/run/perm_kernel.h - the kernel of lbp_perm.h's instances, NAME_kernel: all its samplers, in the form that drivers
 * use (lbp/run/kernel.h).
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp_perm.h includes it if an instance is for lbp_run.h. States have 4 bytes
 * an item: the uint8_t pointers of run.start and of columns point to a uint32_t[n].
 *
 * Order of this file: chains; states; the law; samplers; tuners; the kernel.
 */

#ifndef LBP_NAME_
#error "lbp/run/perm_kernel.h: lbp_perm.h includes it, inside its template: don't include it yourself"
#else

#ifndef LBP_LOGP
#error "lbp_run.h: every draw has log pi: define LBP_LOGP, log pi(s) up to a constant"
#else

typedef struct {
  lbp_unit unit; /* comes first */
  LBP_CHAIN_T chain;
} LBP_(unit); /* workspace and s come behind it */

/* ---- chains ------------------------------------------------------------------------------------------------------ */

LBP_FN size_t LBP_(kernel_ws_len)(const lbp_plan *plan) {
  return plan->sampler->sampler == LBP_SAMPLER_PAIRS ? LBP_WS_LEN_PAIRS(plan->n) : LBP_WS_LEN_PERM(plan->n);
}

LBP_FN size_t LBP_(kernel_bytes)(const lbp_plan *plan) {
  const size_t own = (sizeof(LBP_(unit)) + 63) / 64 * 64;
  const size_t room = lbp_size_plus(lbp_size_times(LBP_(kernel_ws_len)(plan), sizeof(uint64_t)),
                                    lbp_size_times(plan->n, sizeof(uint32_t)));
  return lbp_size_plus(own, lbp_size_plus(room, 63) / 64 * 64);
}

LBP_FN int LBP_(kernel_make)(void *chain, const void *model, const lbp_plan *plan) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  uint64_t *ws = (uint64_t *)(void *)((unsigned char *)chain + (sizeof *u + 63) / 64 * 64);
  uint32_t *s = (uint32_t *)(void *)(ws + LBP_(kernel_ws_len)(plan)), a;
  (void)model;
  for (a = 0; a < plan->n; a++) s[a] = a;
  u->unit.x = s;
#ifdef LBP_PERM_PARTIAL_ROWS
  if (LBP_(call_partial_rows)((const LBP_MODEL_T *)model) > plan->n) return LBP_E_SIZE;
  if (LBP_(call_partial_columns)((const LBP_MODEL_T *)model) > plan->n) return LBP_E_SIZE;
#endif
  return LBP_NAME_(init)(&u->chain, plan->n, s, ws, LBP_(kernel_ws_len)(plan));
}

LBP_FN void LBP_(kernel_drop)(void *chain) { (void)chain; }

LBP_FN void LBP_(kernel_touch)(void *chain) { LBP_NAME_(touch)(&((LBP_(unit) *)chain)->chain); }

LBP_FN int LBP_(kernel_clamp)(void *chain, const uint8_t *mask) {
  return LBP_NAME_(clamp)(&((LBP_(unit) *)chain)->chain, mask);
}

LBP_FN void LBP_(kernel_temper)(void *chain, double beta) {
  LBP_NAME_(temper)(&((LBP_(unit) *)chain)->chain, beta);
}

LBP_FN lbp_finding LBP_(finding)(LBP_REPORT_T report) {
  lbp_finding it;
  it.status = report.status;
  it.placed = 1;
  it.site = report.site;
  it.other = report.other;
  it.got = (double)report.got;
  it.want = (double)report.want;
  return it;
}

#if LBP_P_WATCHES
/* Keeps in mind that the log-ratio of exchanging rows a and b is NaN, if it is and s is possible. */
LBP_COLD void LBP_(meet_nan)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a, uint32_t b) {
  if (c->nan[0] > 0 || !lbp_is_nan((double)LBP_(call_exchange)(c, m, a, b))) return;
  if (!lbp_is_finite((double)LBP_(call_logp)(c, m))) return;
  c->nan[0] = a + 1;
  c->nan[1] = b;
}

/* The same of rows[0] and rows[1], which callers then need not keep in registers. */
LBP_COLD void LBP_(meet_nan_there)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  LBP_(meet_nan)(c, m, c->rows[0], c->rows[1]);
}

/* After the exchanges of row a were weighed, one of which may have a log-ratio that is NaN: asks again. */
LBP_COLD void LBP_(meet_nans)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, uint32_t a) {
  uint32_t b = 0;
  if (c->nan[0] > 0 || LBP_(is_clamped)(c, a)) return;
  LBP_(call_row)(c, m, a);
  while (b < c->n && (LBP_(is_clamped)(c, b) || !lbp_is_nan((double)c->ratio[b]))) b++;
  if (b == c->n || !lbp_is_finite((double)LBP_(call_logp)(c, m))) return;
  c->nan[0] = a + 1;
  c->nan[1] = b;
}
#endif

LBP_FN lbp_finding LBP_(kernel_check)(void *chain, const void *model, uint32_t trials, lbp_rng *rng) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  return LBP_(finding)(LBP_NAME_(check)(c, (const LBP_MODEL_T *)model, trials, rng));
}

LBP_FN lbp_finding LBP_(kernel_fault)(void *chain) {
  return LBP_(finding)(LBP_NAME_(fault)(&((LBP_(unit) *)chain)->chain));
}

/* Returns the chain in a unit of a driver. */
LBP_FN LBP_CHAIN_T *LBP_NAME_(chain_of)(void *chain) { return &((LBP_(unit) *)chain)->chain; }

/* ---- states ------------------------------------------------------------------------------------------------------ */

LBP_FN int LBP_(kernel_admits)(void *chain, const void *model, uint64_t *which) {
  const LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  (void)model;
  *which = 0; /* exchanges lead everywhere, as far as the values of clamped rows allow, which the driver compares */
  return lbp_is_permutation(c->s, c->n, (uint8_t *)(void *)c->was) ? LBP_OK : LBP_E_STATE;
}

#ifdef LBP_PERM_PARTIAL_ROWS
/* Of rows that may move and their images: how many are not spare; and the least number of links. */
typedef struct {
  uint32_t rows, columns, least;
} LBP_(sides);

/* Counts them, and sorts them: rows[] gets the rows, was[] their images, of both those that are not spare first. */
LBP_FN LBP_(sides) LBP_(find_sides)(LBP_CHAIN_T *c, const LBP_MODEL_T *m) {
  const uint32_t rows = LBP_(call_partial_rows)(m), columns = LBP_(call_partial_columns)(m);
  LBP_(sides) it = {0, 0, 0};
  uint32_t k, spare = c->free;
  for (k = 0; k < c->free; k++) { /* list[] goes up */
    const uint32_t v = c->s[c->list[k]];
    c->rows[k] = c->list[k];
    it.rows += c->list[k] < rows;
    if (v < columns) c->was[it.columns++] = v;
    else c->was[--spare] = v;
  }
  if (it.rows + it.columns > c->free) it.least = it.rows + it.columns - c->free;
  return it;
}

/* Log of the number of matchings that give rows which may move the least number of links or more; there are
 * C(rows, L) C(columns, L) L! of L. With a generator *links gets L of one of them, all equally likely. */
LBP_FN double LBP_(log_matchings)(const LBP_(sides) *it, lbp_rng *rng, uint32_t *links) {
  const uint32_t most = it->rows < it->columns ? it->rows : it->columns;
  double here = 0, sum = 0; /* logs: of how many have L links, and how many fewer or as many */
  uint32_t k;
  for (k = 0; k <= most; k++) {
    if (k > 0) here += lbp_log_fine(it->rows - (k - 1.0)) + lbp_log_fine((it->columns - (k - 1.0)) / k);
    if (k < it->least) continue;
    if (k == it->least) sum = here;
    else if (here > sum) sum = here + lbp_log_fine(1 + lbp_exp(sum - here));
    else sum += lbp_log_fine(1 + lbp_exp(here - sum));
    if (rng && lbp_u01(lbp_rng_u64(rng)) < lbp_exp(here - sum)) *links = k;
  }
  return sum;
}

/* One of the matchings that clamped rows allow, all equally likely, by one of the permutations that represent it. */
LBP_FN void LBP_(kernel_scatter)(void *chain, const void *model, lbp_rng *rng) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const LBP_(sides) it = LBP_(find_sides)(c, (const LBP_MODEL_T *)model);
  const uint32_t alone = it.columns; /* from there on was[] has spare columns */
  uint32_t links = it.least, k, count = 0;
  LBP_(log_matchings)(&it, rng, &links);
  lbp_shuffle(c->rows, it.rows, rng);
  lbp_shuffle(c->was, it.columns, rng);
  lbp_shuffle(c->was + alone, c->free - alone, rng);
  for (k = 0; k < it.rows; k++) c->s[c->rows[k]] = c->was[k < links ? k : alone + k - links];
  for (k = links; k < c->free; k++) { /* the remaining columns go to spare rows */
    if (k < alone || k >= alone + it.rows - links) c->back[count++] = c->was[k];
  }
  lbp_shuffle(c->back, count, rng);
  for (k = 0; k < count; k++) c->s[c->rows[it.rows + k]] = c->back[k];
  LBP_NAME_(touch)(c);
}

LBP_FN double LBP_(kernel_log_states)(void *chain, const void *model) {
  const LBP_(sides) it = LBP_(find_sides)(&((LBP_(unit) *)chain)->chain, (const LBP_MODEL_T *)model);
  uint32_t links;
  return LBP_(log_matchings)(&it, NULL, &links);
}

/* Where two rows are spare, or two columns, they can be exchanged without a change of the matching, so that even
 * permutations represent it as odd ones do. */
LBP_FN int LBP_(kernel_parity)(void *chain, const void *model, const lbp_plan *plan, uint32_t R) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  const LBP_(sides) it = LBP_(find_sides)(c, (const LBP_MODEL_T *)model);
  const double mean = plan->setting[0];
  if (c->free - it.rows > 1 || c->free - it.columns > 1 || mean > (uint32_t)mean) return LBP_PARITY_FREE;
  return R % 2 == 0 ? LBP_PARITY_KEPT : LBP_PARITY_TURNED;
}
#else
/* A random order of the images of rows that may move. */
LBP_FN void LBP_(kernel_scatter)(void *chain, const void *model, lbp_rng *rng) {
  LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  uint32_t k;
  (void)model;
  for (k = 0; k < c->free; k++) c->was[k] = c->s[c->list[k]];
  lbp_shuffle(c->was, c->free, rng);
  for (k = 0; k < c->free; k++) c->s[c->list[k]] = c->was[k];
}

LBP_FN double LBP_(kernel_log_states)(void *chain, const void *model) {
  const LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  double sum = 0;
  uint32_t k;
  (void)model;
  for (k = 2; k <= c->free; k++) sum += lbp_log_fine(k);
  return sum;
}
#endif

/* ---- the law ----------------------------------------------------------------------------------------------------- */

LBP_FN double LBP_(kernel_logp)(void *chain, const void *model) {
  return (double)LBP_(call_logp)(&((LBP_(unit) *)chain)->chain, (const LBP_MODEL_T *)model);
}

/* Of all pairs of rows, at the chain's temperature. */
LBP_FN void LBP_(kernel_ratios)(void *chain, const void *model, void (*take)(void *data, uint32_t i, double d),
                                void *data) {
  const LBP_CHAIN_T *c = &((LBP_(unit) *)chain)->chain;
  uint32_t a, b;
  for (a = 0; a < c->n; a++) {
    for (b = a + 1; b < c->n; b++) {
      const double d = LBP_(tempered)(c, LBP_(call_exchange)(c, (const LBP_MODEL_T *)model, a, b));
      take(data, a, LBP_(is_clamped)(c, a) || LBP_(is_clamped)(c, b) ? (double)lbp_impossible() : d);
    }
  }
}

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

/* Adds a step to `moves`. Returns its work. */
LBP_INLINE double LBP_(tell)(const void *chain, const lbp_plan *plan, const LBP_INFO_T *info, double parameter,
                             lbp_moves *moves) {
  moves->accept += info->accept;
  moves->parameter += parameter;
  moves->jump += info->jump;
  moves->proposed += info->proposed;
  moves->evaluations += info->evaluations;
  moves->log_ratio += info->log_ratio;
  if (plan->see) plan->see(plan->see_data, chain, info->rows, info->jump);
  return 1.0 + info->evaluations;
}

/* Steps that have no parameter. */
typedef LBP_INFO_T LBP_(step)(LBP_CHAIN_T *c, const LBP_MODEL_T *m, lbp_rng *rng);
LBP_INLINE uint32_t LBP_(kernel_steps)(LBP_(step) *step, void *chain, const void *model, const lbp_plan *plan,
                                       uint32_t count, double limit, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    const LBP_INFO_T info = step(&u->chain, (const LBP_MODEL_T *)model, &u->unit.rng);
    work += LBP_(tell)(chain, plan, &info, 0, moves);
  }
  return k;
}

LBP_P_SAMPLER(kernel_row, kernel_steps, LBP_NAME_(row_step))
LBP_P_SAMPLER(kernel_exchange, kernel_steps, LBP_NAME_(exchange_sweep))

LBP_FN uint32_t LBP_(kernel_pairs)(void *chain, const void *model, const lbp_plan *plan, void *tuner, uint32_t count,
                                   double limit, int learn, lbp_moves *moves) {
  LBP_(unit) *u = (LBP_(unit) *)chain;
  lbp_pairs_tuner *t = (lbp_pairs_tuner *)tuner;
  const double mean = plan->setting[0];
  double work = 0;
  uint32_t k;
  for (k = 0; k < count && work < limit; k++) {
    const uint32_t whole = (uint32_t)mean; /* fixed, random with that mean, or the tuner's */
    const uint32_t R = mean > whole ? lbp_pairs_random(mean, &u->unit.rng)
                       : whole > 0  ? whole
                                    : lbp_pairs_tuner_draw(t, &u->unit.rng);
    const LBP_INFO_T info = LBP_NAME_(pairs_step)(&u->chain, (const LBP_MODEL_T *)model, R, &u->unit.rng);
    if (learn) lbp_pairs_tuner_update(t, info.accept);
    work += LBP_(tell)(chain, plan, &info, R, moves);
  }
  return k;
}

/* ---- tuners ------------------------------------------------------------------------------------------------------ */

LBP_FN size_t LBP_(kernel_tuner_bytes)(const lbp_plan *plan) { return (void)plan, sizeof(lbp_pairs_tuner); }

LBP_FN int LBP_(kernel_tuner_init)(void *tuner, const lbp_plan *plan) {
  lbp_pairs_tuner *t = (lbp_pairs_tuner *)tuner;
  const double target = plan->sampler->parameter_name ? plan->target : 0.5; /* the others have nothing to tune */
  const int status = lbp_pairs_tuner_init(t, plan->n - plan->clamped, plan->warmup, target);
  if (plan->part > 0) t->largest = lbp_pairs_most(2 * lbp_part_of(plan->part, (plan->n - plan->clamped) / 2));
  if (plan->first > 0) t->r = plan->first < t->largest ? plan->first : t->largest;
  return status;
}

LBP_FN void LBP_(kernel_tuner_update)(void *tuner, double accept) {
  lbp_pairs_tuner_update((lbp_pairs_tuner *)tuner, accept);
}

LBP_FN void LBP_(kernel_tuner_setting)(const void *tuner, double *setting) {
  setting[0] = ((const lbp_pairs_tuner *)tuner)->r;
}

/* Everything that updates change. */
LBP_FN void LBP_(words_of_tuner)(lbp_words *w, lbp_pairs_tuner *t) {
  lbp_words_double(w, &t->r);
  lbp_words_double(w, &t->mean);
  lbp_words_u32(w, &t->step);
}

LBP_FN size_t LBP_(kernel_tuner_words)(const lbp_plan *plan) { return (void)plan, 3; }

LBP_FN void LBP_(kernel_tuner_save)(void *tuner, double *words) {
  lbp_words w = {words, NULL};
  LBP_(words_of_tuner)(&w, (lbp_pairs_tuner *)tuner);
}

LBP_FN void LBP_(kernel_tuner_load)(void *tuner, const double *words) {
  lbp_pairs_tuner *t = (lbp_pairs_tuner *)tuner;
  lbp_words w = {NULL, words};
  LBP_(words_of_tuner)(&w, t);
  t->r = lbp_perm_between(t->r, t->largest); /* of a run.metric where more rows could move */
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

LBP_FN const char *LBP_(kernel_judge)(const lbp_plan *plan, int tempering) {
  (void)tempering;
  if (plan->values != plan->n) return "n: it must be the number of rows given to NAME_kernel";
  if (plan->sampler->sampler != LBP_SAMPLER_PAIRS) return NULL;
  if (plan->n > LBP_MAX_PAIRED) return "sampler: pairs keep a table of up to 30000 rows; take row or exchange";
  if (plan->setting[0] > 1 && plan->setting[0] > (plan->n - plan->clamped) / 2) {
    return "parameter: R is 0 (tuned), or 1 to half of the rows that are not clamped";
  }
  return NULL;
}

LBP_FN double LBP_(kernel_rebuild_cost)(const lbp_plan *plan) {
  return plan->sampler->sampler == LBP_SAMPLER_PAIRS ? 0.5 * plan->n * (plan->n + 1.0) : plan->n; /* a table, or not */
}

/* This instance as drivers know it, for n rows. */
LBP_FN lbp_kernel LBP_NAME_(kernel)(uint32_t n) {
  static const lbp_sampler rows[] = {
      {LBP_SAMPLER_ROW, "row", "row", NULL, 0, "evaluations", LBP_TRAIT_PARITY, LBP_(kernel_row), NULL},
      {LBP_SAMPLER_PAIRS, "pairs", "pairs_r", "R", (double)LBP_TARGET_LBP, "evaluations",
       LBP_TRAIT_SITES | LBP_TRAIT_PARITY, LBP_(kernel_pairs), NULL},
      {LBP_SAMPLER_EXCHANGE, "exchange", "exchange", NULL, 0, "evaluations", 0, LBP_(kernel_exchange), NULL}};
  lbp_kernel k;
  memset(&k, 0, sizeof k);
  k.sampler = rows;
  k.samplers = sizeof rows / sizeof rows[0];
  k.values = n;
  k.item_bytes = sizeof(uint32_t);
  k.real_bytes = sizeof(LBP_REAL);
  k.weight = LBP_WEIGHT;
  k.local = k.exact = 1;
  k.judge = LBP_(kernel_judge);
  k.rebuild_cost = LBP_(kernel_rebuild_cost);
  k.bytes = LBP_(kernel_bytes);
  k.make = LBP_(kernel_make);
  k.drop = LBP_(kernel_drop);
  k.clamp = LBP_(kernel_clamp);
  k.touch = LBP_(kernel_touch);
  k.check = LBP_(kernel_check);
  k.fault = LBP_(kernel_fault);
  k.logp = LBP_(kernel_logp);
  k.ratios = LBP_(kernel_ratios);
  k.temper = LBP_(kernel_temper);
  k.admits = LBP_(kernel_admits);
  k.scatter = LBP_(kernel_scatter);
  k.log_states = LBP_(kernel_log_states);
  LBP_P_PARTIAL(k.parity = LBP_(kernel_parity);)
  k.tuner_bytes = LBP_(kernel_tuner_bytes);
  k.tuner_init = LBP_(kernel_tuner_init);
  k.tuner_update = LBP_(kernel_tuner_update);
  k.tuner_setting = LBP_(kernel_tuner_setting);
  k.tuner_words = LBP_(kernel_tuner_words);
  k.tuner_save = LBP_(kernel_tuner_save);
  k.tuner_load = LBP_(kernel_tuner_load);
  return k;
}

#define LBP_P_KERNEL LBP_NAME_(kernel)(n)

#endif /* no error */

#endif /* LBP_NAME_ */
