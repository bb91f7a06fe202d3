/* The tools of `make bench-paper`: fits (bench/common/fit.h) against curves whose peak and slope are known, and the
 * journal of finished work (bench/common/journal.h) against kills, damage, full disks and a second run.
 *
 * Tests with random input have fixed seeds, so they pass always or never; odds given are those of another seed. */
#include "../bench/common/fit.h"
#include "../bench/common/journal.h"
#include "test.h"

#include <dirent.h>
#include <float.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* ---- curves whose peak is known ---------------------------------------------------------------------------------- */

enum { POINTS = 48, REPLICAS = 400 };

/* R a(R) at acceptance rates 0.98, 0.96, ..., 0.04. */
static void theory_curve(const lbp_scaling *s, double *a, double *ejd) {
  int k, i;
  for (k = 0; k < POINTS; k++) {
    double low = 0, high = 1;
    a[k] = 0.98 - 0.02 * k;
    while (lbp_scaling_acceptance(s, high) > a[k]) high *= 2;
    for (i = 0; i < 200; i++) {
      const double middle = (low + high) / 2;
      if (lbp_scaling_acceptance(s, middle) > a[k]) low = middle;
      else high = middle;
    }
    ejd[k] = lbp_scaling_ejd(s, low);
  }
}

/* share 0.8 makes the fit reach far: what is left of its bias must be small against the 0.02 between points. */
static void test_peak_of_theory(const lbp_scaling *s, double acceptance) {
  const double best = lbp_scaling_ejd(s, lbp_scaling_best_z(s) / s->rate);
  double a[POINTS], ejd[POINTS], back_a[POINTS], back_ejd[POINTS], scaled[POINTS];
  double low = 1, high = 0, largest = 0;
  peak p, q;
  int k;
  theory_curve(s, a, ejd);
  for (k = 0; k < POINTS; k++) largest = fmax(largest, ejd[k]);
  for (k = 0; k < POINTS; k++) { /* the fit is to cover the points that reach the share, no more and no less */
    if (ejd[k] < 0.8 * largest) continue;
    low = fmin(low, a[k]);
    high = fmax(high, a[k]);
  }
  for (k = 0; k < POINTS; k++) {
    back_a[k] = a[POINTS - 1 - k];
    back_ejd[k] = ejd[POINTS - 1 - k];
    scaled[k] = 1e6 * ejd[k];
  }
  p = fit_peak(a, ejd, POINTS, 0.8);
  CHECK(p.inside == 1);
  CHECK_NEAR(p.at, acceptance, 0.003);
  CHECK_NEAR(p.value / best, 1, 0.002);
  CHECK(p.at_se >= 0 && p.at_se < 0.003 && p.value_se >= 0 && p.value_se < 0.002 * best);
  CHECK(p.low < p.at && p.at < p.high);
  CHECK(p.low == low && p.high == high);

  q = fit_peak(back_a, back_ejd, POINTS, 0.8);
  CHECK(q.inside == 1 && q.low == p.low && q.high == p.high);
  CHECK_NEAR(q.at, p.at, 1e-9);
  CHECK_NEAR(q.at_se, p.at_se, 1e-9);
  CHECK_NEAR(q.value / p.value, 1, 1e-9);

  q = fit_peak(a, scaled, POINTS, 0.8);
  CHECK(q.inside == 1 && q.low == p.low && q.high == p.high);
  CHECK_NEAR(q.at, p.at, 1e-9);
  CHECK_NEAR(q.at_se, p.at_se, 1e-9);
  CHECK_NEAR(q.value / (1e6 * p.value), 1, 1e-9);
  CHECK_NEAR(q.value_se / (1e6 * p.value_se), 1, 1e-5);
}

/* Squares of (estimate - mean of estimates) / error have the mean of a squared t variable, 1.1 with the 20 to 30
 * degrees of freedom here; the mean of 400 of them scatters by 0.09. One seed in 300 leaves 0.8 to 1.35. */
static void test_peak_errors(const lbp_scaling *s, uint64_t seed) {
  static double at[REPLICAS], at_se[REPLICAS], value[REPLICAS], value_se[REPLICAS];
  double a[POINTS], ejd[POINTS], noisy[POINTS], at_mean = 0, value_mean = 0, at_square = 0, value_square = 0;
  peak exact;
  lbp_rng rng;
  int i, k, inside = 0;
  theory_curve(s, a, ejd);
  exact = fit_peak(a, ejd, POINTS, 0.8);
  lbp_rng_init(&rng, seed, 0);
  for (i = 0; i < REPLICAS; i++) {
    peak p;
    for (k = 0; k < POINTS; k++) noisy[k] = ejd[k] * exp(0.01 * lbp_models_normal(&rng));
    p = fit_peak(a, noisy, POINTS, 0.8);
    inside += p.inside;
    at[i] = p.at;
    at_se[i] = p.at_se;
    value[i] = p.value;
    value_se[i] = p.value_se;
    at_mean += p.at / REPLICAS;
    value_mean += p.value / REPLICAS;
  }
  CHECK(inside == REPLICAS);
  for (i = 0; i < REPLICAS; i++) {
    at_square += pow((at[i] - at_mean) / at_se[i], 2) / REPLICAS;
    value_square += pow((value[i] - value_mean) / value_se[i], 2) / REPLICAS;
  }
  CHECK(at_square > 0.8 && at_square < 1.35);
  CHECK(value_square > 0.8 && value_square < 1.35);
  /* noise moves the peak by its own error, but not to one side: 4.5 errors of the mean, one seed in 70000 */
  CHECK_NEAR(at_mean, exact.at, 4.5 * at_se[0] / sqrt(REPLICAS) + 1e-3);
  CHECK_NEAR(value_mean / exact.value, 1, 0.002);
}

/* ---- curves without a peak --------------------------------------------------------------------------------------- */

static void check_no_peak(const double *x, const double *y, uint32_t count, double at, double value, int line) {
  const peak p = fit_peak(x, y, count, 0.8);
  char what[80];
  snprintf(what, sizeof what, "the curve of line %d: inside %d, at %g, value %g", line, p.inside, p.at, p.value);
  test_count(p.inside == 0 && p.at == at && p.value == value && p.at_se == 0 && p.value_se == 0, __FILE__, line, what);
}
#define NO_PEAK(x, y, count, at, value) check_no_peak(x, y, count, at, value, __LINE__)

static void test_no_peak(void) {
  enum { MANY = 21 };
  const double constants[] = {1, 0.7, 3, 1e-7, 12345.678};
  double x[FIT_MOST + 1], y[FIT_MOST + 1];
  uint32_t k;
  for (k = 0; k <= FIT_MOST; k++) x[k] = 0.1 * (k + 1);

  for (k = 0; k < MANY; k++) y[k] = exp(0.05 * k);
  NO_PEAK(x, y, MANY, x[MANY - 1], y[MANY - 1]);
  for (k = 0; k < MANY; k++) y[k] = sqrt(k + 1.0);
  NO_PEAK(x, y, MANY, x[MANY - 1], y[MANY - 1]);
  for (k = 0; k < MANY; k++) y[k] = 1 / (k + 20.0);
  NO_PEAK(x, y, MANY, x[0], y[0]);
  for (k = 0; k < sizeof constants / sizeof *constants; k++) {
    uint32_t i;
    for (i = 0; i < MANY; i++) y[i] = constants[k];
    NO_PEAK(x, y, MANY, x[0], constants[k]);
  }

  y[0] = 2;
  NO_PEAK(x, y, 1, x[0], 2);
  y[1] = 2.1;
  NO_PEAK(x, y, 2, x[1], 2.1);
  for (k = 0; k < 6; k++) y[k] = 10 - pow(k - 2.3, 2) / 10;
  NO_PEAK(x, y, 5, x[2], y[2]); /* as many points as terms say nothing of errors */
  CHECK(fit_peak(x, y, 6, 0.8).inside == 1);
  CHECK_NEAR(fit_peak(x, y, 6, 0.8).at, 0.1 + 0.1 * 2.3, 1e-3);
  for (k = 0; k < MANY; k++) y[k] = 7 * exp(-0.3 * pow(x[k] - 1.23456, 2)); /* a parabola: no error is left */
  CHECK_NEAR(fit_peak(x, y, MANY, 0.8).at, 1.23456, 1e-9);
  CHECK_NEAR(fit_peak(x, y, MANY, 0.8).value, 7, 1e-9);
  for (k = 0; k < 6; k++) y[k] = 10 - pow(k - 2.3, 2) / 10;
  for (k = 0; k < 6; k++) x[k] = 0.5;
  NO_PEAK(x, y, 6, 0.5, y[2]);
  for (k = 0; k < 6; k++) x[k] = 0.1 * (k + 1);

  for (k = 0; k < MANY; k++) y[k] = 0;
  NO_PEAK(x, y, MANY, x[0], 0);
  y[7] = 5;
  NO_PEAK(x, y, MANY, x[7], 5);
  NO_PEAK(x, y, 8, x[7], 5);
  y[0] = 6;
  NO_PEAK(x, y, MANY, x[0], 6);
  /* a zero behind the top: what is left rises to its end */
  for (k = 0; k < MANY; k++) y[k] = 10 - pow(k - 10.4, 2) / 100;
  y[11] = 0;
  NO_PEAK(x, y, MANY, x[10], y[10]);
  for (k = 0; k < MANY; k++) y[k] = 10 - pow(k - 10.4, 2) / 100; /* zeros at the ends, outside of a peak: no harm */
  y[0] = y[MANY - 1] = 0;
  CHECK(fit_peak(x, y, MANY, 0.8).inside == 1 && fit_peak(x, y, MANY, 0.8).low == x[1]);
  CHECK_NEAR(fit_peak(x, y, MANY, 0.8).at, 0.1 + 0.1 * 10.4, 1e-3);

  CHECK(fit_peak(x, y, 0, 0.8).inside == 0);
  for (k = 0; k <= FIT_MOST; k++) y[k] = 1 + k;
  NO_PEAK(x, y, FIT_MOST, x[FIT_MOST - 1], FIT_MOST);
  CHECK(fit_peak(x, y, FIT_MOST + 1, 0.8).inside == 0);
}

/* ---- polynomials and slopes -------------------------------------------------------------------------------------- */

static void test_polynomial(void) {
  const double beta[FIT_TERMS] = {0.3, -1.7, 2.5, 0.04, -3.1};
  const double line_t[] = {-1, 0, 1}, line_y[] = {0, 3, 0};
  double t[11], y[11], gradient[FIT_TERMS];
  fit f;
  int terms, k, j;
  for (k = 0; k < 11; k++) t[k] = (k - 5) / 5.0;
  for (terms = 1; terms <= FIT_TERMS; terms++) {
    for (k = 0; k < 11; k++) {
      y[k] = 0;
      for (j = terms - 1; j >= 0; j--) y[k] = y[k] * t[k] + beta[j];
    }
    CHECK(fit_polynomial(&f, t, y, 11, terms) == 1);
    for (j = 0; j < terms; j++) CHECK_NEAR(f.beta[j], beta[j], 1e-9);
    CHECK_NEAR(f.sigma, 0, 1e-9);
    CHECK(fit_polynomial(&f, t, y, (uint32_t)terms, terms) == 0);
    CHECK(fit_polynomial(&f, t, y, (uint32_t)terms - 1, terms) == 0);
    CHECK(fit_polynomial(&f, t, y, (uint32_t)terms + 1, terms) == 1);
  }
  CHECK(fit_polynomial(&f, t, y, 11, FIT_TERMS + 1) == 0);

  CHECK(fit_polynomial(&f, t, y, 11, FIT_TERMS) == 1);
  CHECK_NEAR(fit_derivative(&f, 0.5, 0, gradient), 0.3 - 1.7 / 2 + 2.5 / 4 + 0.04 / 8 - 3.1 / 16, 1e-9);
  CHECK_NEAR(fit_derivative(&f, 0.5, 1, gradient), -1.7 + 2 * 2.5 / 2 + 3 * 0.04 / 4 - 4 * 3.1 / 8, 1e-9);
  CHECK_NEAR(fit_derivative(&f, 0.5, 2, gradient), 2 * 2.5 + 6 * 0.04 / 2 - 12 * 3.1 / 4, 1e-9);
  CHECK(gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 2 && gradient[3] == 3 && gradient[4] == 3);

  /* by hand: residuals -1, 2, -1 leave one degree of freedom, so sigma^2 = 6; X'X is diagonal, 3 and 2 */
  CHECK(fit_polynomial(&f, line_t, line_y, 3, 2) == 1);
  CHECK_NEAR(f.beta[0], 1, 1e-12);
  CHECK_NEAR(f.beta[1], 0, 1e-12);
  CHECK_NEAR(f.sigma * f.sigma, 6, 1e-12);
  CHECK_NEAR(f.covariance[0][0], 2, 1e-12);
  CHECK_NEAR(f.covariance[1][1], 3, 1e-12);
  CHECK_NEAR(f.covariance[0][1], 0, 1e-12);
  CHECK_NEAR(f.covariance[1][0], 0, 1e-12);
  gradient[0] = 1;
  gradient[1] = 2;
  CHECK_NEAR(fit_variance(&f, gradient), 2 + 4 * 3, 1e-12);

  for (k = 0; k < 11; k++) t[k] = 0.3;
  for (terms = 2; terms <= FIT_TERMS; terms++) CHECK(fit_polynomial(&f, t, y, 11, terms) == 0);
  for (k = 0; k < 11; k++) t[k] = k % 2;
  CHECK(fit_polynomial(&f, t, y, 11, 3) == 0); /* two different t, three terms */
  CHECK(fit_polynomial(&f, t, y, 11, 2) == 1);
}

/* Chains that are each high or low along a whole curve: the jackknife tells what peaks of other such chains differ by,
 * the scatter about the fit does not. */
static void test_jackknife(void) {
  enum { POINTS = 9, CHAINS = 16, TRIALS = 400 };
  double x[POINTS * CHAINS], y[POINTS * CHAINS], mean[POINTS], at[POINTS], sum = 0, squares = 0, told = 0, scatter = 0;
  lbp_rng rng;
  lbp_rng_init(&rng, 8, 0);
  for (int trial = 0; trial < TRIALS; trial++) {
    memset(mean, 0, sizeof mean);
    for (int c = 0; c < CHAINS; c++) {
      const double high = exp(0.05 * lbp_models_normal(&rng));
      for (int i = 0; i < POINTS; i++) {
        const double t = i / 10.0 - 0.4;
        x[i * CHAINS + c] = at[i] = 2 + t;
        y[i * CHAINS + c] = 7 * high * exp(-t * t + 0.002 * lbp_models_normal(&rng));
        mean[i] += y[i * CHAINS + c] / CHAINS;
      }
    }
    peak p = fit_peak(at, mean, POINTS, 0.8);
    scatter += p.value_se * p.value_se;
    fit_peak_jackknife(&p, x, y, POINTS, CHAINS);
    told += p.value_se * p.value_se;
    sum += p.value;
    squares += p.value * p.value;
  }
  const double spread = (squares - sum * sum / TRIALS) / (TRIALS - 1);
  CHECK_NEAR(sqrt(told / TRIALS / spread), 1, 4 * sqrt(0.5 / TRIALS));
  CHECK(scatter / TRIALS < 0.01 * spread);
}

static void test_log_slope(void) {
  enum { SIZES = 8, TRIALS = 2000 };
  double x[FIT_MOST + 2], y[FIT_MOST + 2];
  log_slope s;
  lbp_rng rng;
  int covered = 0, i, k;
  for (k = 0; k < SIZES; k++) {
    x[k] = 100 * pow(2, k);
    y[k] = 3 * pow(x[k], 2.0 / 3.0);
  }
  s = fit_log_slope(x, y, SIZES);
  CHECK_NEAR(s.slope, 2.0 / 3.0, 1e-12);
  CHECK_NEAR(s.se, 0, 1e-9);
  CHECK(s.se >= 0);
  s = fit_log_slope(x, y, 3);
  CHECK_NEAR(s.slope, 2.0 / 3.0, 1e-11);
  for (k = 0; k < 3; k++) CHECK(fit_log_slope(x, y, (uint32_t)k).se == -1);

  /* 2.447: 95 % of the t distribution with 6 degrees of freedom. 4 standard errors about it: one seed in 15000. */
  lbp_rng_init(&rng, 7, 0);
  for (i = 0; i < TRIALS; i++) {
    for (k = 0; k < SIZES; k++) y[k] = 3 * pow(x[k], 2.0 / 3.0) * exp(0.02 * lbp_models_normal(&rng));
    s = fit_log_slope(x, y, SIZES);
    covered += fabs(s.slope - 2.0 / 3.0) < 2.447 * s.se;
  }
  CHECK_NEAR((double)covered / TRIALS, 0.95, 4 * sqrt(0.95 * 0.05 / TRIALS));

  /* sizes whose errors are known, and differ: what trials differ by is the error that is told, within 4 of its own */
  double share[SIZES], sum = 0, squares = 0;
  for (k = 0; k < SIZES; k++) share[k] = 0.04 / (k + 1);
  for (i = 0; i < TRIALS; i++) {
    for (k = 0; k < SIZES; k++) y[k] = 3 * pow(x[k], 2.0 / 3.0) * exp(share[k] * lbp_models_normal(&rng));
    s = fit_log_slope(x, y, SIZES);
    sum += s.slope;
    squares += s.slope * s.slope;
  }
  const double spread = sqrt(squares / TRIALS - sum * sum / TRIALS / TRIALS);
  CHECK_NEAR(spread / fit_log_slope_error(x, share, SIZES), 1, 4 / sqrt(2.0 * TRIALS));

  for (k = 0; k < 4; k++) x[k] = 409600; /* all alike */
  CHECK(fit_log_slope(x, y, 4).se == -1);
}

/* ---- files: main goes to a folder of this run, so that names here are relative to it ----------------------------- */

static void remove_tree(const char *path) {
  DIR *directory = opendir(path);
  struct dirent *entry;
  if (directory) {
    while ((entry = readdir(directory)) != NULL) {
      char inner[4096];
      if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
      snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
      remove_tree(inner);
    }
    closedir(directory);
  }
  remove(path);
}

static size_t read_bytes(const char *path, char *bytes, size_t size) {
  FILE *file = fopen(path, "rb");
  size_t got;
  if (!file) return 0;
  got = fread(bytes, 1, size - 1, file);
  bytes[got] = '\0';
  fclose(file);
  return got;
}

static void write_bytes(const char *path, const char *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) exit(2);
}

/* Standard error into a file, and back: what journals say about damage is to be checked, not shown. */
static int real_stderr = -1;

static void catch_stderr(void) {
  const int file = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  fflush(stderr);
  if (real_stderr < 0) real_stderr = dup(2);
  if (file < 0 || dup2(file, 2) < 0) exit(2);
  close(file);
}

static const char *caught_stderr(void) {
  static char text[4096];
  fflush(stderr);
  dup2(real_stderr, 2);
  text[0] = '\0';
  read_bytes("stderr", text, sizeof text);
  remove("stderr");
  return text;
}

/* Runs f(path) in a process of its own, since basic_die ends it. Returns its exit status, or 1000 + the number of the
 * signal that killed it; said is then what it wrote on standard error. */
static const char *said;

static int in_child(void (*f)(const char *), const char *path) {
  int status;
  pid_t child;
  fflush(stdout); /* or the child, too, prints what waits in the buffer */
  catch_stderr();
  child = fork();
  if (child < 0) exit(2);
  if (child == 0) {
    f(path);
    exit(0);
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  said = caught_stderr();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int says(const char *text) { return strstr(said, text) != NULL; }

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static int same_values(const journal_entry *e, const double *values, uint32_t count) {
  return e && e->count == count && memcmp(e->values, values, count * sizeof *values) == 0; /* bits: -0.0 is not 0.0 */
}

/* The values of the entry that tests call k. */
static void some_values(double *values, int k) {
  values[0] = k / 3.0;
  values[1] = -1e-5 * k;
  values[2] = 1e17 + k;
}

static void add_some(journal *j, int k) {
  double values[3];
  char key[32];
  some_values(values, k);
  snprintf(key, sizeof key, "cell/%d", k);
  journal_add(j, key, "chains=8", values, 3);
}

static int has_some(const journal *j, int k) {
  double values[3];
  char key[32];
  some_values(values, k);
  snprintf(key, sizeof key, "cell/%d", k);
  return same_values(journal_find(j, key, "chains=8"), values, 3);
}

/* All of the cells 0 to count - 1, and no others. */
static int has_all(const journal *j, int count) {
  int k, has = 0;
  for (k = 0; k < count; k++) has += has_some(j, k);
  return has == count && j->count == (uint32_t)count;
}

static void open_and_close(const char *path) {
  journal j;
  journal_open(&j, path, 1);
  journal_close(&j);
}

static void test_values(void) {
  const double values[] = {0.1,      1e-308,    4.9406564584124654e-324, -0.0, 0.0, DBL_MAX, -DBL_MAX, DBL_MIN, 1 / 3.0,
                           2.0 / 3,  1e22,      123456789.123456789,     -1,   1,   DBL_EPSILON,
                           1 + DBL_EPSILON, 9007199254740993.0, 5e-324};
  const uint32_t count = sizeof values / sizeof *values;
  const double other[] = {42};
  journal j;
  journal_open(&j, "values/of/a/journal", 1); /* folders are made */
  CHECK(j.count == 0 && journal_find(&j, "a", "") == NULL);
  CHECK(same_values(journal_add(&j, "a", "chains=1 steps=2", values, count), values, count));
  journal_add(&j, "none", "", values, 0);
  journal_close(&j);

  journal_open(&j, "values/of/a/journal", 1);
  CHECK(j.count == 2);
  CHECK(same_values(journal_find(&j, "a", "chains=1 steps=2"), values, count));
  CHECK(same_values(journal_find(&j, "none", ""), values, 0));
  CHECK(journal_find(&j, "a", "chains=1 steps=20") == NULL);
  CHECK(journal_find(&j, "a", "chains=1 steps=") == NULL);
  CHECK(journal_find(&j, "a", "") == NULL);
  CHECK(journal_find(&j, "A", "chains=1 steps=2") == NULL && journal_find(&j, "", "chains=1 steps=2") == NULL);

  journal_add(&j, "a", "chains=9", other, 1); /* other parameters, and another number of values: both are kept */
  CHECK(j.count == 3 && same_values(journal_find(&j, "a", "chains=1 steps=2"), values, count));
  CHECK(same_values(journal_find(&j, "a", "chains=9"), other, 1));
  journal_add(&j, "a", "chains=1 steps=2", other, 1);
  journal_close(&j);
  journal_open(&j, "values/of/a/journal", 1);
  CHECK(j.count == 3 && same_values(journal_find(&j, "a", "chains=1 steps=2"), other, 1));
  CHECK(same_values(journal_find(&j, "a", "chains=9"), other, 1));
  CHECK(same_values(journal_find(&j, "none", ""), values, 0));
  journal_close(&j);
}

static void test_many(void) {
  enum { MANY = 500 };
  journal j;
  int k;
  journal_open(&j, "many", 1);
  for (k = 0; k < MANY; k++) add_some(&j, k); /* cell/1 begins like cell/10 */
  CHECK(has_all(&j, MANY));
  journal_close(&j);
  CHECK(j.entries == NULL && j.count == 0);
  journal_open(&j, "many", 1);
  CHECK(has_all(&j, MANY));
  CHECK(journal_find(&j, "cell/500", "chains=8") == NULL && journal_find(&j, "cell/", "chains=8") == NULL);
  journal_close(&j);
}

/* ---- what a kill and a bad disk leave ---------------------------------------------------------------------------- */

static char whole[8192], damaged[8192];

/* A journal of cells 0 to count - 1, and its bytes. */
static size_t fresh(const char *path, int count) {
  char file[1100];
  journal j;
  int k;
  journal_open(&j, path, 1);
  for (k = 0; k < count; k++) add_some(&j, k);
  strcpy(file, j.path);
  journal_close(&j);
  return read_bytes(file, whole, sizeof whole);
}

/* Where the line with this number begins. */
static size_t line_begin(int line) {
  const char *at = whole;
  while (line-- > 0) at = strchr(at, '\n') + 1;
  return (size_t)(at - whole);
}

static void test_cut(void) {
  const char *file = "cut/journal.txt";
  const size_t size = fresh("cut", 3), last = line_begin(2);
  int lost = 0, kept = 0, again = 0, quiet = 0, tries = 0;
  size_t cut;
  CHECK(last < size && size < sizeof whole - 1 && whole[size - 1] == '\n');
  for (cut = last; cut < size; cut++, tries++) {
    journal j;
    write_bytes(file, whole, cut);
    catch_stderr();
    journal_open(&j, "cut", 1);
    lost += j.count == 2 && journal_find(&j, "cell/2", "chains=8") == NULL;
    kept += has_some(&j, 0) && has_some(&j, 1);
    add_some(&j, 2);
    journal_close(&j);
    journal_open(&j, "cut", 1);
    again += has_all(&j, 3);
    journal_close(&j);
    again += read_bytes(file, damaged, sizeof damaged) == size && memcmp(damaged, whole, size) == 0;
    quiet += strcmp(caught_stderr(), "") == 0; /* a kill is nothing to complain of */
  }
  CHECK(tries > 50);
  CHECK(lost == tries);
  CHECK(kept == tries);
  CHECK(again == 2 * tries);
  CHECK(quiet == tries);
}

/* One line of five damaged, the byte at `at` being `byte`: is it left out and said so, and are the others kept, then
 * and (compute_again) after the cell has been computed again? */
static int survives(size_t size, size_t at, char byte, int compute_again, const char *sentence) {
  const char *said_then;
  journal j;
  int good;
  memcpy(damaged, whole, size);
  damaged[at] = byte;
  write_bytes("damage/journal.txt", damaged, size);
  catch_stderr();
  journal_open(&j, "damage", 1);
  good = j.count == 4 && has_some(&j, 0) && has_some(&j, 1) && has_some(&j, 3) && has_some(&j, 4);
  if (compute_again) {
    add_some(&j, 2);
    journal_close(&j);
    journal_open(&j, "damage", 1);
    good = good && has_all(&j, 5);
  }
  journal_close(&j);
  said_then = caught_stderr();
  return good && strstr(said_then, sentence) != NULL && strstr(said_then, "damage/journal.txt") != NULL;
}

static void test_damage(void) {
  const size_t size = fresh("damage", 5), begin = line_begin(2), end = line_begin(3) - 1;
  int bit = 0, bar = 0, newline = 0, zero = 0, tries = 0, bars = 0;
  journal j;
  size_t at;
  for (at = begin; at < end; at++, tries++) {
    bit += survives(size, at, (char)(whole[at] ^ 1), 1, "1 damaged line");
    bars += whole[at] == '|';
    bar += survives(size, at, '|', 0, "1 damaged line") && whole[at] != '|';
    newline += survives(size, at, '\n', 0, " damaged line");
    zero += survives(size, at, '\0', 0, " damaged line");
  }
  CHECK(tries > 50);
  CHECK(bit == tries);
  CHECK(bars == 3 && bar == tries - bars);
  CHECK(newline == tries);
  CHECK(zero == tries); /* zeros are what a crash of the machine leaves in a file */

  memcpy(damaged, whole, size); /* the end of a line damaged: two run together, and neither counts, the others do */
  damaged[end] = '#';
  write_bytes("damage/journal.txt", damaged, size);
  catch_stderr();
  journal_open(&j, "damage", 1);
  CHECK(j.count == 3 && has_some(&j, 0) && has_some(&j, 1) && has_some(&j, 4));
  journal_close(&j);
  caught_stderr();
}

/* ---- who else is there, and what cannot be written --------------------------------------------------------------- */

static void test_two_runs(void) {
  const char *path = "two";
  journal j;
  journal_open(&j, path, 1);
  add_some(&j, 0);
  CHECK(in_child(open_and_close, path) == 1);
  CHECK(says("two/journal.txt is in use by another run"));
  CHECK(in_child(open_and_close, path) == 1); /* the first attempt has not taken the lock away */
  add_some(&j, 1);
  CHECK(in_child(open_and_close, "elsewhere") == 0);
  journal_close(&j);
  CHECK(in_child(open_and_close, path) == 0);
  journal_open(&j, path, 1);
  CHECK(has_all(&j, 2));
  journal_close(&j);
}

static int exists(const char *path) { return access(path, F_OK) == 0; }

static void test_folders(void) {
  char deep[1100];
  size_t length;
  write_bytes("file", "mine\n", 5);
  CHECK(in_child(open_and_close, "file/x") == 1);
  CHECK(says("cannot make the folder") && says("file/x: "));
  CHECK(in_child(open_and_close, "file") == 1);
  CHECK(says("cannot write") && says("file/journal.txt: "));
  CHECK(read_bytes("file", damaged, sizeof damaged) == 5 && strcmp(damaged, "mine\n") == 0);
  CHECK(in_child(open_and_close, "with//two/slashes/") == 0);
  CHECK(exists("with/two/slashes/journal.txt"));

  /* Names up to where the journal's own has no room any more: never a file of another name. */
  for (length = 1000; length <= 1030; length += 3) {
    size_t k;
    int status;
    for (k = 0; k < length; k++) deep[k] = k % 100 == 1 && k + 1 < length ? '/' : 'd';
    deep[length] = '\0';
    status = in_child(open_and_close, deep);
    strcat(deep, "/journal.txt");
    CHECK(status == 1 ? says("too long") : status == 0 && exists(deep));
    remove_tree("d");
  }
}

/* Files of at most `most_bytes`, as on a disk that is full. */
static rlim_t most_bytes;

static void limit_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) exit(3);
  limit.rlim_cur = most_bytes;
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(3);
}

static void open_with_little_room(const char *path) {
  journal j;
  limit_files();
  journal_open(&j, path, (size_t)8 << 20);
  exit(4);
}

static void add_until_full(const char *path) {
  journal j;
  int k;
  limit_files();
  journal_open(&j, path, 1);
  for (k = 3; k < 100; k++) add_some(&j, k);
  exit(4);
}

static void test_no_room(void) {
  const char *path = "full", *file = "full/journal.txt";
  journal j;
  size_t size;
  int k, kept = 0;
  journal_open(&j, path, 1);
  for (k = 0; k < 3; k++) add_some(&j, k);
  journal_close(&j);
  size = read_bytes(file, whole, sizeof whole);

  most_bytes = 4096;
  CHECK(in_child(open_with_little_room, path) == 1);
  CHECK(says("cannot write") && says("full/journal.txt: "));
  CHECK(!exists("full/room.tmp"));
  CHECK(read_bytes(file, damaged, sizeof damaged) == size && memcmp(damaged, whole, size) == 0);

  most_bytes = (rlim_t)(2 * size + size / 2); /* full within a line, so that a part of it is written */
  CHECK(in_child(add_until_full, path) == 1);
  CHECK(says("cannot write") && says("full/journal.txt: "));
  CHECK(read_bytes(file, damaged, sizeof damaged) == most_bytes && damaged[most_bytes - 1] != '\n');
  journal_open(&j, path, 1);
  for (k = 0; k < (int)j.count; k++) kept += has_some(&j, k);
  CHECK(j.count > 3 && kept == (int)j.count);
  add_some(&j, 1000);
  journal_close(&j);
  journal_open(&j, path, 1);
  CHECK((int)j.count == kept + 1 && has_some(&j, 0) && has_some(&j, 1000));
  journal_close(&j);
}

static char folder[512];
static pid_t owner;

/* However it ends; but not when a child does. Then too, what a journal of ours died of is to be seen. */
static void leave(void) {
  if (getpid() != owner) return;
  if (real_stderr >= 0) fputs(caught_stderr(), stderr);
  remove_tree(folder);
}

int main(void) {
  const char *temporary = getenv("TMPDIR");
  lbp_scaling lbp, rwm;
  (void)basic_progress.share; /* of basic.h, for programs that run chains */
  snprintf(folder, sizeof folder, "%.400s/lbp-bench-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  if (!mkdtemp(folder) || chdir(folder) != 0 || !getcwd(folder, sizeof folder)) {
    perror(folder);
    return 2;
  }
  owner = getpid();
  atexit(leave);
  CHECK(lbp_scaling_lbp(&lbp, 0.7, 10000) == LBP_OK && lbp_scaling_rwm(&rwm, 0.2, 10000) == LBP_OK);
  test_peak_of_theory(&lbp, 0.574);
  test_peak_of_theory(&rwm, 0.234);
  test_peak_errors(&lbp, 1);
  test_peak_errors(&rwm, 2);
  test_no_peak();
  test_polynomial();
  test_jackknife();
  test_log_slope();
  test_values();
  test_many();
  test_cut();
  test_damage();
  test_two_runs();
  test_folders();
  test_no_room();
  return test_report();
}
