/* Communities of a graph by modularity: log pi(x) = gain (edges within communities - sum over communities of their
 * degrees squared / 4 edges). Clusters know the edges alone; the squares, which join all sites, are the rest. */
#ifndef BENCH_CLUSTERS_COMMUNITIES_H
#define BENCH_CLUSTERS_COMMUNITIES_H

#define COMMUNITY_VALUES 4
enum { COMMUNITY_SITES = 200, COMMUNITY_DEGREE = 48 };

typedef struct {
  uint32_t edges, degree[COMMUNITY_SITES], near[COMMUNITY_SITES][COMMUNITY_DEGREE];
  float gain;
} communities;

/* The degrees of each community. */
typedef struct { uint32_t sum[COMMUNITY_VALUES]; } communities_fields;

static void communities_set(const communities *m, communities_fields *f, const uint8_t *x) {
  memset(f, 0, sizeof *f);
  for (uint32_t i = 0; i < COMMUNITY_SITES; i++) f->sum[x[i]] += m->degree[i];
}

static int communities_begin(const communities *m, communities_fields *f) {
  (void)m;
  memset(f, 0, sizeof *f);
  return LBP_OK;
}

static void communities_end(communities_fields *f) { (void)f; }

LBP_INLINE void communities_change(const communities *m, communities_fields *f, const uint8_t *x, uint32_t i,
                                   uint32_t old) {
  f->sum[old] -= m->degree[i];
  f->sum[x[i]] += m->degree[i];
}

LBP_INLINE void communities_deltas(const communities *m, const communities_fields *f, const uint8_t *x, uint32_t i,
                                   float *out) {
  const float own = (float)m->degree[i], each = own / (2 * (float)m->edges);
  float value[COMMUNITY_VALUES];
  for (uint32_t v = 0; v < COMMUNITY_VALUES; v++) value[v] = -each * ((float)f->sum[v] - (v == x[i] ? own : 0));
  for (uint32_t k = 0; k < m->degree[i]; k++) value[x[m->near[i][k]]] += 1;
  for (uint32_t v = 0; v < COMMUNITY_VALUES; v++) out[v] = m->gain * (value[v] - value[x[i]]);
}

static float communities_delta(const communities *m, const communities_fields *f, const uint8_t *x, uint32_t i,
                               uint32_t v) {
  float out[COMMUNITY_VALUES];
  communities_deltas(m, f, x, i, out);
  return out[v];
}

static double communities_logp(const communities *m, const communities_fields *f, const uint8_t *x) {
  double within = 0, squares = 0, sum[COMMUNITY_VALUES] = {0};
  (void)f;
  for (uint32_t i = 0; i < COMMUNITY_SITES; i++) {
    sum[x[i]] += m->degree[i];
    for (uint32_t k = 0; k < m->degree[i]; k++) within += 0.5 * (x[i] == x[m->near[i][k]]);
  }
  for (uint32_t v = 0; v < COMMUNITY_VALUES; v++) squares += sum[v] * sum[v];
  return (double)m->gain * (within - squares / (4.0 * m->edges));
}

/* The degrees join each site to all others. */
static uint32_t communities_neighbours(const communities *m, uint32_t i, uint32_t *out) {
  uint32_t count = 0;
  (void)m;
  for (uint32_t j = 0; j < COMMUNITY_SITES; j++) {
    if (j != i) out[count++] = j;
  }
  return count;
}

static uint32_t communities_pairs(const communities *m, uint32_t i, uint32_t *site) {
  memcpy(site, m->near[i], m->degree[i] * sizeof *site);
  return m->degree[i];
}

LBP_INLINE float communities_pair(const communities *m, uint32_t i, uint32_t k, uint32_t v, uint32_t w) {
  (void)i, (void)k;
  return v == w ? m->gain : 0;
}

/* Four planted communities of 50 sites, some ten neighbours within and two without. */
static void communities_make(communities *m, uint8_t *planted) {
  lbp_rng rng;
  lbp_rng_init(&rng, 62, 5);
  memset(m, 0, sizeof *m);
  m->gain = 0.3f;
  for (uint32_t i = 0; i < COMMUNITY_SITES; i++) planted[i] = (uint8_t)(i / (COMMUNITY_SITES / COMMUNITY_VALUES));
  for (uint32_t i = 0; i < COMMUNITY_SITES; i++) {
    for (uint32_t j = i + 1; j < COMMUNITY_SITES; j++) {
      if (!(lbp_u01(lbp_rng_u64(&rng)) < (planted[i] == planted[j] ? 0.2 : 0.013))) continue;
      if (m->degree[i] == COMMUNITY_DEGREE || m->degree[j] == COMMUNITY_DEGREE) basic_die("COMMUNITY_DEGREE");
      m->near[i][m->degree[i]++] = j;
      m->near[j][m->degree[j]++] = i;
      m->edges++;
    }
  }
}

#define LBP_NAME           communities
#define LBP_MODEL_T        communities
#define LBP_REAL           float
#define LBP_CAT_STATES     COMMUNITY_VALUES
#define LBP_FIELDS_T       communities_fields
#define LBP_FIELDS_INIT    communities_set
#define LBP_FIELDS_MAKE    communities_begin
#define LBP_FIELDS_FREE    communities_end
#define LBP_CAT_CHANGE     communities_change
#define LBP_CAT_DELTAS_OF  communities_deltas
#define LBP_CAT_DELTA      communities_delta
#define LBP_NEIGHBOURS     communities_neighbours
#define LBP_MAX_NEIGHBOURS COMMUNITY_SITES
#define LBP_LOGP           communities_logp
#define LBP_CAT_PAIRS      communities_pairs
#define LBP_CAT_PAIR       communities_pair
#include "../../lbp_run.h"

#endif
