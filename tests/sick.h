/* A model with one mistake, chosen when it runs: the model check must find it, and so must the steps of a checked
 * build. Needs not_a_number(). */
#ifndef SICK_H
#define SICK_H

#include <math.h>

enum {
  SOUND,
  WRONG_SIGN,      /* of one site's log-ratio */
  ONE_WAY,         /* the flip back does not undo the log-ratio of the flip */
  FORGOTTEN,       /* a neighbour is missing from a list */
  OUT_OF_RANGE,    /* a list names a site >= n */
  TOO_MANY,        /* a list is too long */
  UNDEFINED,       /* a log-ratio is NaN */
  NO_RETURN,       /* the flip back is impossible, that there is not ... */
  NO_WAY_THERE,    /* ... or the other way round */
  NOT_REPEATABLE,  /* a log-ratio depends on the number of calls */
  WRONG_LOGP,      /* log pi has a term that the log-ratios lack */
  UNDEFINED_LOGP,  /* log pi is NaN */
  DENSE_DIFFERS,   /* one of all log-ratios in one call differs from the single one */
  DENSE_UNDEFINED, /* one of them is NaN */
  DRIFT,           /* a flip changes a field by the wrong amount */
  HALF_RESTORED    /* a rejection brings back only half of the fields */
};

#define SICK_N 9
enum { SICK_SITE = 5, SICK_OTHER = 6 };

/* A ring of SICK_N sites, log pi = sum_i 0.5 s_i s_{i+1} + 0.25 s_i, with one mistake at SICK_SITE. */
typedef struct {
  int fault;
  uint64_t *calls;
} sick;

typedef struct {
  double h[SICK_N], saved[SICK_N];
} sick_fields;

static double sick_field(const uint8_t *x, uint32_t i) {
  return 0.25 + (x[(i + 1) % SICK_N] ? 0.5 : -0.5) + (x[(i + SICK_N - 1) % SICK_N] ? 0.5 : -0.5);
}

static double sick_delta(const sick *m, const uint8_t *x, uint32_t i) {
  double d = 2 * (x[i] ? -1 : 1) * sick_field(x, i);
  if (i != SICK_SITE) return d;
  if (m->fault == WRONG_SIGN) d = -d;
  if (m->fault == ONE_WAY) d += 0.125;
  if (m->fault == UNDEFINED) d = not_a_number();
  if (m->fault == (x[i] ? NO_RETURN : NO_WAY_THERE)) d = -HUGE_VAL;
  if (m->fault == NOT_REPEATABLE) d += 1e-3 * (double)++*m->calls;
  return d;
}

static uint32_t sick_neighbours(const sick *m, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  out[count++] = (i + SICK_N - 1) % SICK_N;
  if (i != SICK_SITE || m->fault != FORGOTTEN) out[count++] = (i + 1) % SICK_N;
  if (i == SICK_SITE && m->fault == OUT_OF_RANGE) out[1] = SICK_N;
  if (i == SICK_SITE && m->fault == TOO_MANY) out[count++] = (i + 2) % SICK_N;
  return count;
}

static double sick_logp(const sick *m, const uint8_t *x) {
  double sum = m->fault == WRONG_LOGP ? 0.5 * x[SICK_SITE] : 0;
  uint32_t i;
  for (i = 0; i < SICK_N; i++) sum += 0.5 * (x[i] == x[(i + 1) % SICK_N] ? 0.5 : -0.5) * 2 + (x[i] ? 0.25 : -0.25);
  return m->fault == UNDEFINED_LOGP ? not_a_number() : sum;
}

static void sick_deltas(const sick *m, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < SICK_N; i++) out[i] = sick_delta(m, x, i);
  if (m->fault == DENSE_DIFFERS) out[SICK_SITE] += 0.25;
  if (m->fault == DENSE_UNDEFINED) out[SICK_SITE] = not_a_number();
}

static void sick_fields_set(const sick *m, sick_fields *f, const uint8_t *x) {
  uint32_t i;
  (void)m;
  for (i = 0; i < SICK_N; i++) f->h[i] = sick_field(x, i);
}

static void sick_flip(const sick *m, sick_fields *f, const uint8_t *x, uint32_t i) {
  f->h[(i + 1) % SICK_N] += x[i] ? 1 : -1;
  f->h[(i + SICK_N - 1) % SICK_N] += (x[i] ? 1 : -1) * (m->fault == DRIFT && i == SICK_SITE ? 1.001 : 1.0);
}

static void sick_save(const sick *m, sick_fields *f) {
  (void)m;
  memcpy(f->saved, f->h, sizeof f->h);
}

static void sick_restore(const sick *m, sick_fields *f) {
  memcpy(f->h, f->saved, m->fault == HALF_RESTORED ? SICK_N / 2 * sizeof f->h[0] : sizeof f->h);
}

static double sick_fields_delta(const sick *m, sick_fields *f, const uint8_t *x, uint32_t i) {
  (void)m;
  return 2 * (x[i] ? -1 : 1) * f->h[i];
}

static void sick_fields_deltas(const sick *m, sick_fields *f, const uint8_t *x, double *out) {
  uint32_t i;
  for (i = 0; i < SICK_N; i++) out[i] = sick_fields_delta(m, f, x, i);
}

static const uint8_t sick_start[SICK_N] = {1, 0, 1, 1, 0, 0, 1, 0, 1};

#endif
