/* Smooth fits through noisy curves: where a curve is largest, and the slope of a line, with standard errors. */
#ifndef BENCH_FIT_H
#define BENCH_FIT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../lbp.h"

enum { FIT_TERMS = 5, FIT_MOST = 128 }; /* coefficients, points */

/* y = sum_j beta_j t^j by least squares; covariance is (X'X)^-1 times the mean square of the residuals. */
typedef struct {
  int terms;
  double beta[FIT_TERMS], covariance[FIT_TERMS][FIT_TERMS], sigma;
} fit;

/* Gauss-Jordan elimination of the `terms` normal equations, [X'X | X'y, 1], which are positive definite and so need no
 * pivots. Returns 0 if they are singular. */
LBP_FN int fit_solve(double a[FIT_TERMS][2 * FIT_TERMS + 1], int terms) {
  const int columns = 2 * terms + 1;
  for (int k = 0; k < terms; k++) {
    if (a[k][k] < 1e-12) return 0;
    for (int column = columns - 1; column >= k; column--) a[k][column] /= a[k][k];
    for (int row = 0; row < terms; row++) {
      const double factor = a[row][k];
      if (row == k) continue;
      for (int column = k; column < columns; column++) a[row][column] -= factor * a[k][column];
    }
  }
  return 1;
}

/* Returns 0 unless there are more points than terms, at enough different t. Keep t within [-1, 1] or so. */
LBP_FN int fit_polynomial(fit *f, const double *t, const double *y, uint32_t count, int terms) {
  double a[FIT_TERMS][2 * FIT_TERMS + 1], squares = 0;
  memset(f, 0, sizeof *f);
  memset(a, 0, sizeof a);
  f->terms = terms;
  if (terms > FIT_TERMS || count <= (uint32_t)terms) return 0;
  for (uint32_t i = 0; i < count; i++) {
    for (int j = 0; j < terms; j++) {
      for (int k = 0; k < terms; k++) a[j][k] += pow(t[i], j + k) / count;
      a[j][terms] += pow(t[i], j) * y[i] / count;
    }
  }
  for (int j = 0; j < terms; j++) a[j][terms + 1 + j] = 1;
  if (!fit_solve(a, terms)) return 0;
  for (int j = 0; j < terms; j++) f->beta[j] = a[j][terms];
  for (uint32_t i = 0; i < count; i++) {
    double residual = y[i];
    for (int j = 0; j < terms; j++) residual -= f->beta[j] * pow(t[i], j);
    squares += residual * residual;
  }
  f->sigma = sqrt(squares / (count - (uint32_t)terms));
  for (int j = 0; j < terms; j++) {
    for (int k = 0; k < terms; k++) f->covariance[j][k] = a[j][terms + 1 + k] * f->sigma * f->sigma / count;
  }
  return 1;
}

/* The derivative of the given order at t; gradient gets its derivatives by the coefficients. */
LBP_FN double fit_derivative(const fit *f, double t, int order, double gradient[FIT_TERMS]) {
  double sum = 0;
  for (int j = 0; j < f->terms; j++) {
    double factor = j >= order ? pow(t, j - order) : 0;
    for (int k = 0; k < order; k++) factor *= j - k;
    gradient[j] = factor;
    sum += factor * f->beta[j];
  }
  return sum;
}

/* The variance of the linear combination of the coefficients. */
LBP_FN double fit_variance(const fit *f, const double gradient[FIT_TERMS]) {
  double sum = 0;
  for (int j = 0; j < f->terms; j++) {
    for (int k = 0; k < f->terms; k++) sum += gradient[j] * gradient[k] * f->covariance[j][k];
  }
  return sum;
}

typedef struct {
  int inside;           /* 0: the curve rises up to its first or last point, which is then given without errors */
  double at, at_se;     /* where y is largest, as x */
  double value, value_se;
  double low, high;     /* the fit covers these x */
} peak;

/* Where y > 0 is largest: a polynomial of degree 4 through log y, over the points around the largest y for as long as
 * they reach `share` of it; the error comes from the scatter about the fit (delta method). x increases or decreases.
 * Points with y <= 0 end the curve. */
LBP_FN peak fit_peak(const double *x, const double *y, uint32_t count, double share) {
  double t[FIT_MOST], log_y[FIT_MOST], gradient[FIT_TERMS], best = 0;
  uint32_t top = 0, first, last;
  fit f;
  peak p = {0};
  if (count == 0 || count > FIT_MOST) return p;
  for (uint32_t i = 1; i < count; i++) {
    if (y[i] > y[top]) top = i;
  }
  for (first = top; first > 0 && y[first - 1] > 0 && y[first - 1] >= share * y[top];) first--;
  for (last = top; last + 1 < count && y[last + 1] > 0 && y[last + 1] >= share * y[top];) last++;
  p.at = x[top];
  p.value = y[top];
  p.low = x[first] < x[last] ? x[first] : x[last];
  p.high = x[first] < x[last] ? x[last] : x[first];
  const double middle = (p.low + p.high) / 2, half = (p.high - p.low) / 2;
  if (!(half > 0)) return p;
  for (uint32_t i = first; i <= last; i++) {
    t[i - first] = (x[i] - middle) / half;
    log_y[i - first] = log(y[i]);
  }
  if (!fit_polynomial(&f, t, log_y, last - first + 1, FIT_TERMS)) return p;
  for (uint32_t i = 0; i <= 2000; i++) {
    const double at = (double)i / 1000 - 1;
    if (i == 0 || fit_derivative(&f, at, 0, gradient) > fit_derivative(&f, best, 0, gradient)) best = at;
  }
  if (best <= -1 || best >= 1) return p;
  for (uint32_t i = 0; i < 5; i++) { /* Newton, from within a thousandth */
    const double curvature = fit_derivative(&f, best, 2, gradient);
    if (!(curvature < -1e-9)) return p; /* flat, but for rounding */
    best -= fit_derivative(&f, best, 1, gradient) / curvature;
  }
  if (!(best > -1 && best < 1)) return p;
  p.inside = 1;
  p.at = middle + half * best;
  const double spread = -fit_derivative(&f, best, 2, gradient);
  fit_derivative(&f, best, 1, gradient);
  p.at_se = half * sqrt(fit_variance(&f, gradient)) / spread;
  p.value = exp(fit_derivative(&f, best, 0, gradient));
  p.value_se = p.value * sqrt(fit_variance(&f, gradient));
  return p;
}

/* The errors of a peak found in the means of `chains` curves, anew: by the jackknife, that is from the peaks without
 * one chain after the other. Where all points are of the same chains, the scatter about the fit does not see what those
 * have in common. x, y: [count][chains]; the points are those that the peak was fitted to. */
LBP_FN void fit_peak_jackknife(peak *top, const double *x, const double *y, uint32_t count, uint32_t chains) {
  double less_x[FIT_MOST], less_y[FIT_MOST], sum[2] = {0, 0}, squares[2] = {0, 0};
  for (uint32_t k = 0; k < chains; k++) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < count && used < FIT_MOST; i++) {
      double sum_x = 0, sum_y = 0;
      for (uint32_t j = 0; j < chains; j++) sum_x += x[i * chains + j], sum_y += y[i * chains + j];
      const double at = sum_x / chains, off = 1e-9 * fabs(at);
      if (at < top->low - off || at > top->high + off) continue;
      less_x[used] = (sum_x - x[i * chains + k]) / (chains - 1);
      less_y[used++] = (sum_y - y[i * chains + k]) / (chains - 1);
    }
    const peak p = fit_peak(less_x, less_y, used, 0);
    const double off[2] = {p.at - top->at, p.value - top->value};
    for (int what = 0; what < 2; what++) sum[what] += off[what], squares[what] += off[what] * off[what];
  }
  top->at_se = sqrt((squares[0] - sum[0] * sum[0] / chains) * (chains - 1) / chains);
  top->value_se = sqrt((squares[1] - sum[1] * sum[1] / chains) * (chains - 1) / chains);
}

typedef struct { double slope, se; } log_slope;

/* The slope of log y against log x, all positive. se is -1 with fewer than three points. */
LBP_FN log_slope fit_log_slope(const double *x, const double *y, uint32_t count) {
  double t[FIT_MOST], log_y[FIT_MOST];
  log_slope result = {0, -1};
  fit f;
  uint32_t i;
  for (i = 0; i < count && i < FIT_MOST; i++) {
    t[i] = log(x[i]);
    log_y[i] = log(y[i]);
  }
  if (!fit_polynomial(&f, t, log_y, i, 2)) return result;
  result.slope = f.beta[1];
  result.se = sqrt(f.covariance[1][1]);
  return result;
}

/* The same slope's error, of y that are known to within these shares of them. */
LBP_FN double fit_log_slope_error(const double *x, const double *share, uint32_t count) {
  double mean = 0, squares = 0, sum = 0;
  for (uint32_t i = 0; i < count; i++) mean += log(x[i]) / count;
  for (uint32_t i = 0; i < count; i++) {
    const double t = log(x[i]) - mean;
    squares += t * t;
    sum += t * t * share[i] * share[i];
  }
  return sqrt(sum) / squares;
}

#endif
