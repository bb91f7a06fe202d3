/* Permutations s of 0 ... n - 1 for other languages: log pi(s) = sum_a L[a][s[a]] + sum_ab F[a][b] D[s[a]][s[b]].
 * With L alone this is linear assignment; with F and D quadratic assignment (flows, distances). An order of n objects is
 * one, too: place a has object s[a], F has ones above its diagonal, and D[p][q] is the worth of p before q. F and D may
 * be empty.
 *   cc -O3 -march=native -shared -fPIC -I../.. assignment.c -o assignment.so -lm */
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t n, n2; /* n2: length of F and D, n * n or 0 */
  const double *L, *F, *D;
} assignment;

static double assignment_exchange(const assignment *m, const uint32_t *s, uint32_t a, uint32_t b) {
  const uint32_t n = m->n, p = s[a], q = s[b];
  const double *F = m->F, *D = m->D, *Fa, *Fb, *Dp, *Dq;
  double sum = m->L[(size_t)a * n + q] + m->L[(size_t)b * n + p] - m->L[(size_t)a * n + p] - m->L[(size_t)b * n + q];
  if (m->n2 == 0) return sum;
  Fa = F + (size_t)a * n, Fb = F + (size_t)b * n, Dp = D + (size_t)p * n, Dq = D + (size_t)q * n;
  sum += (Fa[a] - Fb[b]) * (Dq[q] - Dp[p]) + (Fa[b] - Fb[a]) * (Dq[p] - Dp[q]);
  for (uint32_t k = 0; k < n; k++) {
    const double *Fk = F + (size_t)k * n, *Dk = D + (size_t)s[k] * n;
    if (k != a && k != b) sum += (Fk[a] - Fk[b]) * (Dk[q] - Dk[p]) + (Fa[k] - Fb[k]) * (Dq[s[k]] - Dp[s[k]]);
  }
  return sum;
}

static double assignment_logp(const assignment *m, const uint32_t *s) {
  double sum = 0;
  for (uint32_t a = 0; a < m->n; a++) {
    sum += m->L[(size_t)a * m->n + s[a]];
    for (uint32_t b = 0; b < m->n && m->n2 > 0; b++) sum += m->F[(size_t)a * m->n + b] * m->D[(size_t)s[a] * m->n + s[b]];
  }
  return sum;
}

static int assignment_build(const assignment *m, char *why); /* below: it needs the statuses of the header */

#define LBP_NAME                 assignment
#define LBP_MODEL_T              assignment
#define LBP_EXCHANGE             assignment_exchange
#define LBP_LOGP                 assignment_logp
#define LBP_BRIDGE_SIZES(S)      S(n) S(n2)
#define LBP_BRIDGE_ARRAYS(A)     A(L, double, n * n) A(F, double, n2) A(D, double, n2)
#define LBP_BRIDGE_BUILD(m, why) assignment_build(m, why)
#include "lbp_bridge.h"

static int assignment_build(const assignment *m, char *why) {
  if (m->n2 == 0 || m->n2 == (uint64_t)m->n * m->n) return LBP_OK;
  snprintf(why, 1024, "F, D: %lu numbers, not n * n, where n = %lu, and not none", (unsigned long)m->n2, (unsigned long)m->n);
  return LBP_E_SIZE;
}
