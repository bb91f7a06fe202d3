/* Laws of columns of sites, each column joined to the next: pi(x) ~ prod_c exp(node_c(s_c)) prod_c exp(edge(s_c,
 * s_{c+1})), s_c the state of column c. Sums over all states go column by column: the transfer matrix of
 * statistical mechanics (Kramers, Wannier, "Statistics of the two-dimensional ferromagnet", Physical Review 60,
 * 1941), the forward-backward algorithm of hidden Markov models (Rabiner, "A tutorial on hidden Markov models",
 * Proceedings of the IEEE 77, 1989).
 *
 * Statistics: every site; for every column but the last the products of its sites with their neighbours in the
 * next; log pi and the sum of all sites, and the squares of their deviations from the mean. */
#ifndef EXACT_COLUMNS_H
#define EXACT_COLUMNS_H

#include "law.h"

typedef struct {
  uint32_t columns, width, states;     /* states of a column: values^width */
  uint32_t along, across;              /* site (column, k) is x[column * along + k * across] */
  double *node, *edge, *factor;        /* [columns][states] and [states][states]: logarithms; factor = exp(edge) */
  double *total;                       /* [states] sum of the sites */
  double *forward, *backward;          /* [columns][states] sums over what lies up to a column, and after it */
  double centre[2];                    /* means of log pi and of the sum */
} columns;

static uint32_t columns_digit(const law *l, uint32_t state, uint32_t k) {
  while (k-- > 0) state /= l->values;
  return state % l->values;
}

static uint32_t columns_state(const law *l, const columns *c, const uint8_t *x, uint32_t column) {
  uint32_t state = 0, k;
  for (k = c->width; k-- > 0;) state = state * l->values + x[column * c->along + k * c->across];
  return state;
}

/* From the last column back: given the next column, a column's law is its forward sum times the factor between them. */
static void columns_draw(const law *l, uint64_t *seed, uint8_t *x) {
  const columns *c = (const columns *)l->own;
  const uint32_t S = c->states;
  double *weight = law_doubles(S);
  uint32_t column, s, k, next = 0;
  for (column = c->columns; column-- > 0;) {
    for (s = 0; s < S; s++) {
      weight[s] = c->forward[column * S + s] * (column + 1 < c->columns ? c->factor[s * S + next] : 1);
    }
    next = law_pick(weight, S, seed);
    for (k = 0; k < c->width; k++) x[column * c->along + k * c->across] = (uint8_t)columns_digit(l, next, k);
  }
  free(weight);
}

static void columns_add(const law *l, const uint8_t *x, double weight, double *sum) {
  const columns *c = (const columns *)l->own;
  double part[2] = {0, 0};
  uint32_t column, k, i, state = 0;
  for (i = 0; i < l->n; i++) *sum++ += weight * x[i];
  for (column = 0; column < c->columns; column++) {
    const uint32_t before = state;
    state = columns_state(l, c, x, column);
    part[0] += c->node[column * c->states + state];
    part[1] += c->total[state];
    if (column > 0) {
      const uint8_t *at = x + column * c->along;
      uint32_t products = 0;
      for (k = 0; k < c->width; k++, at += c->across) products += (uint32_t)*at * *(at - c->along);
      *sum++ += weight * products;
      part[0] += c->edge[before * c->states + state];
    }
  }
  for (k = 0; k < 2; k++) {
    *sum++ += weight * part[k];
    *sum++ += weight * (part[k] - c->centre[k]) * (part[k] - c->centre[k]);
  }
}

static void columns_normalise(double *v, uint32_t count, double by) {
  uint32_t k;
  for (k = 0; k < count; k++) v[k] /= by;
}

static void columns_sums(columns *c) {
  const uint32_t S = c->states;
  uint32_t column, s, t;
  for (column = 0; column < c->columns; column++) {
    double *now = c->forward + column * S, all = 0;
    for (t = 0; t < S; t++) {
      double before = column == 0;
      for (s = 0; column > 0 && s < S; s++) before += (now - S)[s] * c->factor[s * S + t];
      all += now[t] = before * exp(c->node[column * S + t]);
    }
    columns_normalise(now, S, all);
  }
  for (column = c->columns; column-- > 0;) {
    double *now = c->backward + column * S, all = 0;
    for (s = 0; s < S; s++) {
      now[s] = column + 1 == c->columns;
      for (t = 0; column + 1 < c->columns && t < S; t++) {
        now[s] += c->factor[s * S + t] * exp(c->node[(column + 1) * S + t]) * (now + S)[t];
      }
      all += c->forward[column * S + s] * now[s];
    }
    columns_normalise(now, S, all); /* so that forward times backward is the column's law */
  }
}

/* Mean of A = log pi (which = 0) or the sum of all sites (1), and of (A - centre)^2: the forward sums again, each with
 * the mean and the mean square of the part of A so far. */
static void columns_moments(const columns *c, int which, double centre, double *out) {
  const uint32_t S = c->states;
  double *old = law_doubles(3 * S), *now = law_doubles(3 * S), *swap, all[3] = {0, 0, 0};
  uint32_t column, s, t, k;
  for (column = 0; column < c->columns; column++) {
    double sum = 0;
    for (t = 0; t < S; t++) {
      double m[3] = {0, 0, 0}, own = which == 0 ? c->node[column * S + t] : c->total[t];
      if (column == 0) m[0] = 1, own -= centre;
      for (s = 0; column > 0 && s < S; s++) {
        const double f = c->factor[s * S + t], a = which == 0 ? c->edge[s * S + t] : 0;
        m[0] += f * old[s];
        m[1] += f * (old[S + s] + a * old[s]);
        m[2] += f * (old[2 * S + s] + 2 * a * old[S + s] + a * a * old[s]);
      }
      now[t] = exp(c->node[column * S + t]) * m[0];
      now[S + t] = exp(c->node[column * S + t]) * (m[1] + own * m[0]);
      now[2 * S + t] = exp(c->node[column * S + t]) * (m[2] + 2 * own * m[1] + own * own * m[0]);
      sum += now[t];
    }
    columns_normalise(now, 3 * S, sum);
    swap = old, old = now, now = swap;
  }
  for (k = 0; k < 3 * S; k++) all[k / S] += old[k];
  out[0] = centre + all[1] / all[0];
  out[1] = all[2] / all[0];
  free(old);
  free(now);
}

/* A law without parameters yet; the caller fills in node and edge, then calls columns_finish. */
static law columns_begin(const char *name, const void *model, uint32_t values, uint32_t count, uint32_t width,
                         uint32_t along, uint32_t across) {
  columns *c = (columns *)law_memory(1, sizeof *c);
  law l;
  memset(&l, 0, sizeof l);
  l.name = name;
  l.model = model;
  l.n = count * width;
  l.values = values;
  l.own = c;
  l.draw = columns_draw;
  l.add = columns_add;
  c->columns = count;
  c->width = width;
  c->states = (uint32_t)(pow(values, width) + 0.5);
  c->along = along;
  c->across = across;
  c->node = law_doubles((size_t)count * c->states);
  c->edge = law_doubles((size_t)c->states * c->states);
  c->factor = law_doubles((size_t)c->states * c->states);
  c->total = law_doubles(c->states);
  c->forward = law_doubles((size_t)count * c->states);
  c->backward = law_doubles((size_t)count * c->states);
  return l;
}

static void columns_finish(law *l) {
  columns *c = (columns *)l->own;
  const uint32_t S = c->states;
  uint32_t column, s, t, k, which;
  double *out, unused[2];
  law_declare(l, "site", l->n);
  law_declare(l, "next", c->columns - 1);
  law_declare(l, "log pi", 1);
  law_declare(l, "its square", 1);
  law_declare(l, "sum", 1);
  law_declare(l, "its square", 1);
  l->exact = out = law_doubles(l->count);
  for (s = 0; s < S * S; s++) c->factor[s] = exp(c->edge[s]);
  for (s = 0; s < S; s++) {
    for (k = 0; k < c->width; k++) c->total[s] += columns_digit(l, s, k);
  }
  columns_sums(c);
  for (column = 0; column < c->columns; column++) {
    for (s = 0; s < S; s++) {
      const double p = c->forward[column * S + s] * c->backward[column * S + s];
      for (k = 0; k < c->width; k++) out[column * c->along + k * c->across] += p * columns_digit(l, s, k);
    }
  }
  out += l->n;
  for (column = 0; column + 1 < c->columns; column++, out++) {
    double all = 0;
    for (s = 0; s < S; s++) {
      for (t = 0; t < S; t++) {
        const double p = c->forward[column * S + s] * c->factor[s * S + t] * exp(c->node[(column + 1) * S + t]) *
                         c->backward[(column + 1) * S + t];
        uint32_t products = 0;
        for (k = 0; k < c->width; k++) products += columns_digit(l, s, k) * columns_digit(l, t, k);
        all += p;
        *out += p * products;
      }
    }
    *out /= all;
  }
  for (which = 0; which < 2; which++, out += 2) {
    columns_moments(c, (int)which, 0, unused);
    c->centre[which] = unused[0];
    columns_moments(c, (int)which, c->centre[which], out);
  }
}

static void columns_free(law *l) {
  columns *c = (columns *)l->own;
  free(c->node);
  free(c->edge);
  free(c->factor);
  free(c->total);
  free(c->forward);
  free(c->backward);
  free(c);
  free(l->exact);
}

#endif
