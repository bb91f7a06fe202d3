/* Trains a deep energy-based model of small pictures by persistent contrastive divergence, with locally balanced or
 * any-scale steps that tune themselves, and estimates the log-likelihood of pictures. `make ebm` runs it on shapes
 * that it draws itself.
 *
 * Writes PREFIX.run, from which the same command resumes if it was stopped, and PREFIX.pgm: data next to samples,
 * during training those of the buffer. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <signal.h>

#include "basic.h"
#include "data.h"
#include "store.h"

/* Two squares of ACROSS x ACROSS pictures, a frame around each. */
enum { ACROSS = 10, STEP = EBM_SIDE + 2, WIDTH = (2 * ACROSS + 1) * STEP, HEIGHT = ACROSS * STEP };
enum { JUDGED = 1000, TABLE = 20, LOST = 100 * EBM_N, DIVERGED = 3 };
/* JUDGED: pictures, at most; TABLE: lines; LOST: a gap, in nat, from where training does not return; DIVERGED: the exit
 * status then */

typedef struct {
  const char *data, *test, *out, *sampler, *tune;
  uint32_t iterations, steps, sites, channels, deep, warmup, long_run, rungs, anneal, every;
  int dynamic, threads;
  double rate, sigma, alpha;
  uint64_t seed;
} options;

#define HEAD "P5\n%d %d\n255\n" /* of a grey-scale picture */

static volatile sig_atomic_t stop;
static void on_signal(int number) {
  (void)number;
  stop = 1;
}

/* From now on SIGINT and SIGTERM do this. Some signal() would do it for the first one only. */
static void on_signals(void (*what)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = what;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* A grey-scale picture: data left, samples right. */
static void draw(const char *path, const uint8_t *data, const uint8_t *samples) {
  static uint8_t picture[HEIGHT * WIDTH];
  FILE *file = fopen(path, "wb");
  int k, i, ok;
  memset(picture, 128, sizeof picture);
  for (k = 0; k < 2 * ACROSS * ACROSS; k++) {
    const int right = k >= ACROSS * ACROSS, place = k % (ACROSS * ACROSS);
    const int row = place / ACROSS * STEP + 1, column = (place % ACROSS + right * (ACROSS + 1)) * STEP + 1;
    const uint8_t *x = (right ? samples : data) + place * EBM_N;
    uint8_t *corner = picture + row * WIDTH + column;
    for (i = 0; i < EBM_N; i++) corner[i / EBM_SIDE * WIDTH + i % EBM_SIDE] = x[i] ? 255 : 0;
  }
  ok = file && fprintf(file, HEAD, WIDTH, HEIGHT) > 0 && fwrite(picture, sizeof picture, 1, file) == 1;
  if (file && fclose(file) != 0) ok = 0;
  if (!ok) basic_die("%s: cannot be written: %s", path, strerror(errno));
}

/* The same as PNG, where there is gnuplot. */
static int convert(const char *path) {
  char settings[2400];
  const int head = snprintf(NULL, 0, HEAD, WIDTH, HEIGHT);
  snprintf(settings, sizeof settings, "from='%.900s'; to='%.*s.png'; width=%d; height=%d; head=%d", path,
           (int)strlen(path) - 4, path, WIDTH, HEIGHT, head);
  return basic_gnuplot("examples/ebm/picture.gp", settings);
}

static void save(ebm_trainer *t, const char *path) {
  char why[EBM_WHY];
  if (ebm_save(t, path, why) != LBP_OK) basic_die("%s", why);
}

/* CPU time of this process, all its threads. */
static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The settings of AB in the end. */
static void say_scale(const ebm_trainer *t) {
  const deep_scale *s = &deep_adaptive_of(t->chains.tuner)->scale;
  if (s->along > 0) printf("scale            s %.3f, alpha %.3f\n", (double)(1 / s->along), (double)s->alpha);
  else printf("scale            sigma %.3f, alpha %.3f\n", (double)(1 / s->flat), (double)s->alpha);
}

/* Trains up to o->iterations; 0 if a signal came. */
static int train(ebm_trainer *t, const ebm_data *data, const options *o, const char *path, const char *picture) {
  static uint8_t batch[EBM_BATCH * EBM_N];
  const uint8_t *x[EBM_BATCH];
  const uint64_t line = o->iterations < TABLE ? 1 : o->iterations / TABLE;
  const double spent = cpu_now();
  const uint64_t from = t->iteration;
  double saved = basic_now(), begin = saved;
  printf("iteration        gap acceptance sites/step   seconds\n");
  basic_progress_begin((double)o->iterations - (double)t->iteration);
  while (t->iteration < o->iterations && !stop) {
    ebm_data_batch(data, EBM_BATCH, &t->rng, batch, x);
    ebm_iterate(t, x);
    if (!(fabs(t->gap) < LOST)) {
      basic_progress_clear();
      fprintf(stderr, "ebm: training diverges: iteration %" PRIu64 " has a gap of %.3g nat; begin anew with another"
              " --out and a smaller --rate, a longer --warmup or more --steps\n", t->iteration, t->gap);
      exit(DIVERGED);
    }
    basic_progress_add(1);
    if (t->iteration % line == 0 || t->iteration == o->iterations) {
      basic_progress_clear();
      printf("%9" PRIu64 " %10.3f %10.3f %10.1f %9.0f\n", t->iteration, t->gap, t->accept, t->R, basic_now() - begin);
      fflush(stdout);
    }
    if (basic_now() - saved > o->every) {
      save(t, path);
      draw(picture, batch, t->buffer);
      saved = basic_now();
    }
  }
  basic_progress_clear();
  save(t, path);
  printf("training         %" PRIu64 " iterations in %.2f s of CPU time\n", t->iteration - from, cpu_now() - spent);
  if (t->how.sampler == EBM_AB) say_scale(t);
  return !stop;
}

/* Log-likelihood of pictures under the running means of the parameters. Where annealing does not find the model's mass,
 * as of one whose training failed, log Z comes out below log pi of a single state: then there is none. */
static void judge(const ebm_trainer *t, const ebm_data *data, const options *o) {
  const uint32_t count = data->count < JUDGED ? data->count : JUDGED;
  uint8_t *x = (uint8_t *)basic_alloc(count, EBM_N);
  const uint8_t **at = (const uint8_t **)basic_alloc(count, sizeof *at);
  const uint8_t *buffer[EBM_BUFFER];
  double mean, se, highest, ignored[2], most;
  lbp_run run;
  lbp_ais_result annealed;
  lbp_rng rng;
  uint32_t k;
  lbp_rng_init(&rng, o->seed, EBM_BATCH + 1);
  for (k = 0; k < count; k++) {
    at[k] = x + (size_t)k * EBM_N;
    ebm_data_take(data, (uint32_t)((uint64_t)k * data->count / count), &rng, x + (size_t)k * EBM_N);
  }
  for (k = 0; k < EBM_BUFFER; k++) buffer[k] = t->buffer + (size_t)k * EBM_N;
  ebm_mean_logp(&t->model, at, count, &mean, &se, &highest);
  ebm_mean_logp(&t->model, buffer, EBM_BUFFER, &ignored[0], &ignored[1], &most);
  if (most > highest) highest = most;
  lbp_run_init(&run);
  run.name = "ebm";
  run.chains = o->anneal;
  run.tempering.rungs = o->rungs;
  run.seed = o->seed + 1;
  if (isatty(2)) run.progress = stderr;
  if (ebm_ais(&run, &t->model, EBM_N, &annealed) != LBP_OK) basic_die("%s", annealed.message);
  printf("log Z            %.2f +- %.2f by annealing: %lu chains, of which %.0f count, %lu rungs\n", annealed.log_z,
         annealed.log_z_se, (unsigned long)o->anneal, annealed.weights, (unsigned long)o->rungs);
  if (highest > annealed.log_z) {
    printf("log-likelihood   unknown: there is a state with log pi = %.2f, above log Z, so annealing has missed the"
           " model's mass: training failed, or --rungs are too few\n", highest);
  } else {
    printf("log-likelihood   %.2f +- %.2f nat a picture (%s, %lu pictures)\n", mean - annealed.log_z,
           sqrt(se * se + annealed.log_z_se * annealed.log_z_se), o->test ? "test" : "training", (unsigned long)count);
  }
  lbp_ais_free(&annealed);
  free(x);
  free(at);
}

/* A long run from the buffer's states, shown next to data. */
static void show(ebm_trainer *t, const ebm_data *data, const options *o, const char *path) {
  static uint8_t left[ACROSS * ACROSS * EBM_N], right[ACROSS * ACROSS * EBM_N];
  const uint8_t *at[ACROSS * ACROSS];
  double accept = 0, flips = 0, sites = 0;
  lbp_rng rng;
  uint32_t s, k;
  lbp_rng_init(&rng, o->seed, EBM_BATCH + 2);
  ebm_data_batch(data, ACROSS * ACROSS, &rng, left, at);
  for (k = 0; k < EBM_BATCH; k++) memcpy(ebm_chains_x(&t->chains, k), t->buffer + (size_t)k * EBM_N, EBM_N);
  ebm_chains_touch(&t->chains);
  basic_progress_begin(o->long_run);
  for (s = 0; s < o->long_run; s++) {
    accept += ebm_chains_step(&t->chains, &flips);
    sites += flips;
    basic_progress_add(1);
  }
  basic_progress_clear();
  for (k = 0; k < ACROSS * ACROSS; k++) memcpy(right + k * EBM_N, ebm_chains_x(&t->chains, k), EBM_N);
  draw(path, left, right);
  printf("picture          %s%s: data left, samples right after %lu steps", path, convert(path) ? " and .png" : "",
         (unsigned long)s);
  if (s > 0) printf(" (acceptance rate %.3f, %.1f sites)", accept / s, sites / s);
  printf("\n");
}

/* Which of two words an option's value is. */
static int pick(const char *option, const char *value, const char *first, const char *second) {
  char possible[64];
  snprintf(possible, sizeof possible, "possible are %s and %s", first, second);
  if (strcmp(value, first) != 0 && strcmp(value, second) != 0) basic_wrong(option, value, possible);
  return strcmp(value, second) == 0;
}

int main(int argc, char **argv) {
  options o = {.out = "ebm", .sampler = "lbp", .tune = "rate", .iterations = 1500, .steps = 10, .channels = 8,
               .deep = 2, .warmup = 200, .long_run = 1000, .rungs = 2000, .anneal = 100, .every = 60, .rate = 1,
               .seed = 1};
  const basic_option list[] = {
    {"--data FILE", "pictures, an IDX file (gzipped, if built with zlib); default: shapes drawn here", OPTION_TEXT,
     &o.data, 0, 0, NULL},
    {"--test FILE", "pictures to judge the model by (default: those that it was trained on)", OPTION_TEXT, &o.test, 0,
     0, NULL},
    {"--dynamic", "pixels are 1 as likely as they are grey, anew each time (default: above the middle)", OPTION_FLAG,
     &o.dynamic, 0, 0, NULL},
    {"--out PREFIX", "where PREFIX.run and PREFIX.pgm go (default ebm)", OPTION_TEXT, &o.out, 0, 0, NULL},
    {"--iterations N", "how many (default 1500)", OPTION_COUNT, &o.iterations, 0, 100000000, NULL},
    {"--steps N", "Metropolis-Hastings steps of each chain in an iteration (default 10)", OPTION_COUNT, &o.steps, 1,
     1000000, NULL},
    {"--sampler NAME", "of training, lbp or ab (default lbp)", OPTION_TEXT, &o.sampler, 0, 0, NULL},
    {"--sites N", "of lbp, per step; 0 tunes them to the acceptance rate 0.574 (default 0)", OPTION_COUNT, &o.sites, 0,
     EBM_N, NULL},
    {"--sigma X", "of ab (default: tuned)", OPTION_SECONDS, &o.sigma, 0, 0, NULL},
    {"--alpha X", "of ab, up to 1 (default: goes with the scale; with --sigma 0.5)", OPTION_SECONDS, &o.alpha, 0, 0,
     NULL},
    {"--tune WHAT", "what ab is tuned to: rate, 0.574, or jump, by algorithm 3 of its paper (default rate)",
     OPTION_TEXT, &o.tune, 0, 0, NULL},
    {"--channels N", "of the network (default 8; the paper: 64)", OPTION_COUNT, &o.channels, 1, 256, NULL},
    {"--deep N", "its residual blocks of stride 1 (default 2; the paper: 6)", OPTION_COUNT, &o.deep, 0, NET_DEEP_MOST,
     NULL},
    {"--rate X", "learning rate in thousandths (default 1)", OPTION_SECONDS, &o.rate, 0, 0, NULL},
    {"--warmup N", "iterations in which that is reached (default 200)", OPTION_COUNT, &o.warmup, 0, 100000000, NULL},
    {"--long N", "steps that the samples shown take from the buffer of training (default 1000)", OPTION_COUNT,
     &o.long_run, 0, 100000000, NULL},
    {"--rungs N", "of annealed importance sampling; 0: none (default 2000)", OPTION_COUNT, &o.rungs, 0, 100000000,
     NULL},
    {"--anneal N", "its chains (default 100)", OPTION_COUNT, &o.anneal, 2, 100000000, NULL},
    {"--every N", "seconds between two savings, of the run and of a picture of the buffer (default 60)", OPTION_COUNT,
     &o.every, 0, 1000000, NULL},
    {"--seed S", "(default 1)", OPTION_SEED, &o.seed, 0, UINT64_MAX, NULL},
    {"--threads N", "(default: all)", OPTION_INT, &o.threads, 1, 1024, NULL}};
  static ebm_trainer t;
  ebm_data data, test;
  ebm_how how;
  char about[400], why[EBM_WHY], run[1000], picture[1000];
  double begin = basic_now();
  int status, goes_on;
  snprintf(about, sizeof about,
           "Usage: ebm [option ...]\n"
           "Trains a deep energy-based model of pictures of %d x %d pixels by %d chains, of lbp with weights %s.\n"
           "Exit status: 0; 1 after an error; 2 for bad options; %d if training diverges; 130 if it was stopped.\n",
           EBM_SIDE, EBM_SIDE, EBM_BATCH, EBM_WEIGHT == LBP_SQRT ? "sqrt(t)" : "t/(1+t)", DIVERGED);
  basic_parse(argc, argv, about, list, sizeof list / sizeof *list);
  basic_threads(o.threads);
  basic_single_blas();
  on_signals(on_signal);
  if (strlen(o.out) > 900) basic_wrong("--out", o.out, "give a shorter name, of up to 900 characters");
  if (ebm_data_read(&data, o.data, EBM_SHAPES, o.dynamic, why) != LBP_OK) basic_die("%s", why);
  if (o.test && ebm_data_read(&test, o.test, 0, o.dynamic, why) != LBP_OK) basic_die("%s", why);
  memset(&how, 0, sizeof how);
  how.channels = o.channels;
  how.deep = o.deep;
  how.steps = o.steps;
  how.sampler = pick("--sampler", o.sampler, "lbp", "ab") ? EBM_AB : EBM_ALBP;
  how.by_jump = (uint64_t)pick("--tune", o.tune, "rate", "jump");
  how.sites = o.sites;
  how.sigma = o.sigma;
  how.alpha = o.sigma > 0 && !(o.alpha > 0) ? 0.5 : o.alpha;
  if (o.alpha > 1) basic_wrong("--alpha", "", "give a number up to 1");
  how.warmup = o.warmup;
  how.rate = o.rate / 1000;
  how.decay = 0.999;
  how.weight = EBM_WEIGHT;
  how.dynamic = (uint64_t)o.dynamic;
  how.seed = o.seed;
  status = ebm_trainer_init(&t, &how, data.mean);
  if (status != LBP_OK) basic_die("%s", lbp_error(status));
  snprintf(run, sizeof run, "%s.run", o.out);
  snprintf(picture, sizeof picture, "%s.pgm", o.out);
  goes_on = access(run, F_OK) == 0;
  if (goes_on && ebm_load(&t, run, why) != LBP_OK) basic_die("%s", why);
  printf("%lu pictures; network of %lu parameters, %.2f million multiplications a picture\n", (unsigned long)data.count,
         (unsigned long)t.model.shape.parameters, net_products(&t.model.shape) / 1e6);
  if (goes_on) printf("%s goes on after iteration %" PRIu64 "\n", run, t.iteration);
  if (!train(&t, &data, &o, run, picture)) {
    printf("Stopped after iteration %" PRIu64 ", saved in %s: the same command goes on.\n", t.iteration, run);
    return 130;
  }
  on_signals(SIG_DFL); /* the run is in its file: the rest may end at any time */
  ebm_use_mean(&t);
  if (o.rungs > 1) judge(&t, o.test ? &test : &data, &o);
  show(&t, &data, &o, picture);
  printf("time             %.0f s, %.1f million states seen by the network\n", basic_now() - begin,
         1e-6 * (double)ebm_evaluations(&t.model));
  if (o.test) ebm_data_free(&test);
  ebm_data_free(&data);
  ebm_trainer_free(&t);
  return 0;
}
