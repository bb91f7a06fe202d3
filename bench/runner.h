/* Template: runs many chains of one instance of lbp.h. Parameters: RUN, the instance's LBP_NAME; RUN_MODEL_T; and for
 * models with fields RUN_FIELDS_T, RUN_FIELDS_INIT(m, f) -> status, RUN_FIELDS_FREE(f). Generates RUN_run().
 *
 * Chain k draws from stream (seed, k) wherever it runs, and sums over chains are taken in the order of chains, so
 * results do not depend on the number of threads. */

#define RUN_PASTE2(a, b) a##b
#define RUN_PASTE(a, b)  RUN_PASTE2(a, b)
#define RUN_ID(name)     RUN_PASTE(RUN, name)

typedef struct {
  RUN_ID(_chain) chain;
#ifdef RUN_FIELDS_T
  RUN_FIELDS_T fields;
#endif
  lbp_rng rng;
  uint8_t *x;
  uint64_t *ws;
  double accept, jump, evaluations; /* sums over the measured steps */
  double seconds;                   /* its CPU time */
} RUN_ID(_bench_chain);

static void RUN_ID(_bench_start)(RUN_ID(_bench_chain) *b, const instance *in, const run_spec *spec, uint32_t k) {
  const size_t ws_len = RUN_ID(_ws_len)(in->n);
  uint32_t i;
  int status;
  b->x = (uint8_t *)basic_alloc(in->n, 1);
  b->ws = (uint64_t *)basic_alloc(ws_len, sizeof *b->ws);
  lbp_rng_init(&b->rng, spec->seed, k);
  for (i = 0; i < in->n; i++) {
    b->x[i] = spec->states      ? spec->states[(size_t)k * in->n + i]
              : spec->burned_in ? spec->burned_in[i]
                                : lbp_u01(lbp_rng_u64(&b->rng)) < (spec->start ? spec->start[i] : 0.5);
  }
#ifdef RUN_FIELDS_T
  status = RUN_FIELDS_INIT((const RUN_MODEL_T *)in->model, &b->fields);
  if (status != LBP_OK) basic_die("%s", lbp_error(status));
  status = RUN_ID(_init)(&b->chain, in->n, b->x, &b->fields, b->ws, ws_len);
#else
  status = RUN_ID(_init)(&b->chain, in->n, b->x, b->ws, ws_len);
#endif
  if (status != LBP_OK) basic_die("%s", lbp_error(status));
}

static RUN_ID(_info) RUN_ID(_bench_step)(RUN_ID(_bench_chain) *b, const RUN_MODEL_T *m, kernel kind, uint32_t R) {
  switch (kind) {
    case KERNEL_RWM: return RUN_ID(_rwm_step)(&b->chain, m, R, &b->rng);
    case KERNEL_GWG: return RUN_ID(_gwg_step)(&b->chain, m, R, &b->rng);
    case KERNEL_LBP: return RUN_ID(_lbp_step)(&b->chain, m, R, &b->rng);
    default: return RUN_ID(_gibbs_sweep)(&b->chain, m, &b->rng);
  }
}

/* The measured steps of one chain; trace gets the Hamming distances to spec->reference. */
static void RUN_ID(_bench_measure)(RUN_ID(_bench_chain) *b, const RUN_MODEL_T *m, const run_spec *spec,
                                   const RUN_ID(_tuner) *frozen, uint32_t steps, double *trace) {
  const double begin = bench_cpu_now();
  uint32_t t, i, distance = 0;
  for (i = 0; spec->reference && i < b->chain.n; i++) distance += b->x[i] != spec->reference[i];
  for (t = 0; t < steps; t++) {
    const uint32_t R = spec->r == 1 ? 1
                       : spec->r > 0 ? RUN_ID(_random_r)((RUN_ID(_real))spec->r, &b->rng)
                                     : RUN_ID(_tuner_draw)(frozen, &b->rng);
    const RUN_ID(_info) info = RUN_ID(_bench_step)(b, m, spec->kernel, R);
    b->accept += (double)info.accept;
    b->jump += info.jump;
    b->evaluations += info.evaluations;
    if (!spec->reference) continue;
    for (i = 0; i < info.jump; i++) {
      const uint32_t site = info.sites[i];
      distance += b->x[site] != spec->reference[site] ? 1u : ~0u;
    }
    trace[t] = distance;
  }
  b->seconds = bench_cpu_now() - begin;
}

static void RUN_ID(_run)(const instance *in, const run_spec *spec, run_result *result) {
  const RUN_MODEL_T *m = (const RUN_MODEL_T *)in->model;
  const int chains = (int)spec->chains;
  const uint32_t warmup = spec->warmup, measured = spec->steps;
  const double begin = basic_now(), step_work = basic_progress.share / ((double)warmup + measured) / spec->chains;
  RUN_ID(_bench_chain) *bench = (RUN_ID(_bench_chain) *)basic_alloc(spec->chains, sizeof *bench);
  double *trace = (double *)basic_alloc(spec->reference ? (size_t)spec->chains * measured : 1, sizeof *trace);
  double *value = (double *)basic_alloc(spec->chains, sizeof *value), middle = begin, evaluations = 0;
  RUN_ID(_real) *accept = (RUN_ID(_real) *)basic_alloc(2 * (size_t)spec->chains, sizeof *accept);
  RUN_ID(_tuner) tuner;
  lbp_stream tuned_r;
  estimate pace;
  uint32_t k, with_ess = 0;
  const int tuned = spec->r <= 0 && spec->kernel != KERNEL_GIBBS;
  int status;
  memset(result, 0, sizeof *result);
  lbp_stream_init(&tuned_r);
  status = RUN_ID(_tuner_init)(&tuner, in->n, warmup, (RUN_ID(_real))(tuned ? spec->target : 0.5));
  if (status == LBP_OK && spec->costs) {
    status = RUN_ID(_tuner_cost)(&tuner, (RUN_ID(_real))spec->costs[0].r, (RUN_ID(_real))spec->costs[0].cost,
                                 (RUN_ID(_real))spec->costs[1].r, (RUN_ID(_real))spec->costs[1].cost);
  }
  if (status != LBP_OK) basic_die("tuner: %s", lbp_error(status));
  if (spec->first_r > 1) tuner.r = (RUN_ID(_real))(spec->first_r < in->n ? spec->first_r : in->n);
#pragma omp parallel
  {
    int c;
    uint32_t t, u;
#pragma omp for schedule(static)
    for (c = 0; c < chains; c++) RUN_ID(_bench_start)(&bench[c], in, spec, (uint32_t)c);
    if (tuned) {
      /* Every thread keeps a copy of the tuner and feeds it the same numbers: one barrier a step. Two sets of numbers,
       * since a thread may be a step ahead. */
      RUN_ID(_tuner) mine = tuner;
      for (t = 0; t < warmup; t++) {
        RUN_ID(_real) *set = accept + (t % 2) * spec->chains, sum = 0;
#pragma omp for schedule(static)
        for (c = 0; c < chains; c++) {
          const uint32_t R = RUN_ID(_tuner_draw)(&mine, &bench[c].rng);
          set[c] = RUN_ID(_bench_step)(&bench[c], m, spec->kernel, R).accept;
        }
        for (u = 0; u < spec->chains; u++) sum += set[u];
        RUN_ID(_tuner_update)(&mine, sum / (RUN_ID(_real))spec->chains);
#pragma omp master
        {
          if (t + 1 < warmup) result->r_last = (double)mine.r; /* the last update replaces it by the mean */
          if (t >= warmup / 2 && t + 1 < warmup) lbp_stream_push(&tuned_r, result->r_last);
          basic_progress_add(step_work * spec->chains);
        }
      }
#pragma omp single
      tuner = mine;
    } else {
#pragma omp for schedule(dynamic)
      for (c = 0; c < chains; c++) {
        for (t = 0; t < warmup; t++) {
          const uint32_t R = spec->r == 1 ? 1 : RUN_ID(_random_r)((RUN_ID(_real))spec->r, &bench[c].rng);
          RUN_ID(_bench_step)(&bench[c], m, spec->kernel, R);
        }
#pragma omp critical
        basic_progress_add(step_work * warmup);
      }
    }
#pragma omp single
    middle = basic_now();
#pragma omp for schedule(dynamic)
    for (c = 0; c < chains; c++) {
      RUN_ID(_bench_measure)(&bench[c], m, spec, &tuner, measured,
                             trace + (spec->reference ? (size_t)c * measured : 0));
#pragma omp critical
      basic_progress_add(step_work * measured);
    }
  }
  result->seconds = basic_now() - begin;
  result->measured_seconds = basic_now() - middle;
  result->r = tuned ? (double)tuner.r : spec->r;
  result->r_se = -1;
  if (tuned) {
    double mean;
    lbp_stream_mean(&tuned_r, &mean, &result->r_se);
  }
  for (k = 0; k < spec->chains; k++) value[k] = bench[k].seconds;
  pace = bench_estimate(value, spec->chains);
  result->seconds_se = result->seconds * pace.se / pace.mean;
  result->step_seconds = pace.mean / measured;
  for (k = 0; k < spec->chains; k++) value[k] = bench[k].accept / measured;
  result->acceptance = bench_estimate(value, spec->chains);
  for (k = 0; k < spec->chains; k++) value[k] = bench[k].jump / measured;
  result->ejd = bench_estimate(value, spec->chains);
  for (k = 0; k < spec->chains; k++) evaluations += bench[k].evaluations;
  result->evaluations = evaluations / measured / spec->chains;
  if (spec->reference) {
    const size_t length = lbp_ess_workspace(measured);
#pragma omp parallel
    {
      double *work = (double *)basic_alloc(length, sizeof *work);
      int c;
#pragma omp for schedule(dynamic)
      for (c = 0; c < chains; c++) {
        value[c] = -1;
        lbp_ess(LBP_ESS_TFP, trace + (size_t)c * measured, measured, work, length, &value[c]);
      }
      free(work);
    }
    for (k = 0; k < spec->chains; k++) {
      if (value[k] >= 0) value[with_ess++] = value[k];
    }
    result->ess = bench_estimate(value, with_ess);
    result->without_ess = spec->chains - with_ess;
  }
  for (k = 0; k < spec->chains; k++) {
    if (spec->last) memcpy(spec->last + (size_t)k * in->n, bench[k].x, in->n);
#ifdef RUN_FIELDS_T
    RUN_FIELDS_FREE(&bench[k].fields);
#endif
    free(bench[k].x);
    free(bench[k].ws);
  }
  free(bench);
  free(trace);
  free(value);
  free(accept);
}

#undef RUN_PASTE2
#undef RUN_PASTE
#undef RUN_ID
#undef RUN
#undef RUN_MODEL_T
#undef RUN_FIELDS_T
#undef RUN_FIELDS_INIT
#undef RUN_FIELDS_FREE
