/* Max-cut and quadratic unconstrained binary optimisation (QUBO): the best states by annealing or tempering within a
 * given time.
 *
 *   cc -O3 -march=native -fopenmp -I.. maxcut.c -lm && ./a.out
 *         cuts a graph whose largest cut is known: it exits with 1 if it does not find it
 *   ./a.out FILE [OUT [SECONDS [READS [temper | parts [SEED]]]]]
 *         FILE      a graph in the format of the G-set (n edges, then i j weight, sites from 1); or the terms of a
 *                   QUBO, which is minimised (i j value, sites from 0; spins if a comment has vartype=SPIN): see
 *                   lbp/models/qubo.h; or, if its name ends in .sparse, a matrix as in the Biq Mac Library. It may be
 *                   compressed by gzip
 *         OUT       OUT.txt gets the best states, a line of zeros and ones each, and OUT.svg a picture of the best
 *                   value against time; -: no files
 *         SECONDS   10
 *         READS     reads at a time; 0: 16 for each core, then fewer, longer ones, down to one for each core, as
 *                   long as no two reads find the same
 *         temper    parallel tempering (replica exchange): a read is 32 replicas, whose temperatures the warm-up finds;
 *                   READS 0: one for each core
 *         parts     replicas that exchange parts of their states (lbp/options/parts.h), for sparse, nearly planar
 *                   graphs: READS replicas at each of 8 temperatures; 0: 4. It uses one core, and ends after SECONDS,
 *                   or at a known cut or energy: parts=1410
 *         SEED      1; of `parts` alone
 *
 * Reads anneal for longer and longer, with four times as many sweeps in each round, until the time is over. So small
 * problems are solved at once, and large ones get the rest of the time. The same holds for tempering.
 */
#define _POSIX_C_SOURCE 200809L
#include "cut.h"
#include "usage.h"

enum { BEST = 100, MOMENTS = 1000 };
enum { BY_ANNEALING, BY_TEMPERING, BY_PARTS };

/* The best states of all rounds, best first, and when the best one was improved. */
typedef struct {
  uint32_t n, states, moments;
  double energy[BEST], time[MOMENTS], value[MOMENTS];
  uint8_t *x; /* [BEST][n] */
} findings;

/* A state goes to its place, unless it is there or is none of the best. */
static void find(findings *f, double energy, const uint8_t *x) {
  uint32_t at = f->states, k;
  while (at > 0 && f->energy[at - 1] > energy) at--;
  for (k = at; k > 0 && !(f->energy[k - 1] < energy); k--) {
    if (memcmp(f->x + (size_t)(k - 1) * f->n, x, f->n) == 0) return;
  }
  if (at == BEST) return;
  if (f->states < BEST) f->states++;
  for (k = f->states - 1; k > at; k--) {
    f->energy[k] = f->energy[k - 1];
    memcpy(f->x + (size_t)k * f->n, f->x + (size_t)(k - 1) * f->n, f->n);
  }
  f->energy[at] = energy;
  memcpy(f->x + (size_t)at * f->n, x, f->n);
}

/* The value, found at `time`, is printed and remembered if it is better than all before; the last place is for the
 * last. */
static void note(findings *f, double time, double value, double sign) {
  if (f->moments > 0 && sign * (value - f->value[f->moments - 1]) >= 0) return;
  if (f->moments == MOMENTS) f->moments--;
  f->time[f->moments] = time;
  f->value[f->moments++] = value;
  printf("%8.2f s%12.10g\n", time, value);
}

/* A round of tempering of so many sweeps, half of them warm-up. */
static int temper(lbp_run *run, const lbp_qubo *m, uint32_t n, lbp_run_result *found) {
  run->sampler = LBP_SAMPLER_METROPOLIS;
  run->tempering.rungs = 32;
  run->tempering.adapt_ends = 1;
  run->warmup = (uint32_t)(run->annealing.sweeps < 2000000000 ? run->annealing.sweeps / 2 : 1000000000);
  run->draws = run->annealing.sweeps - run->warmup;
  return cut_run(run, m, n, found);
}

/* Rounds until the time is over, or the energy is as low as `goal`. Of more than `least` reads, a quarter goes on, four
 * times as long, if no other read of a round has found its best state: then longer ones are better than more. */
static int search(const lbp_qubo *m, uint32_t n, double seconds, uint32_t reads, uint32_t least, int tempers,
                  int is_cut, double goal, findings *f, char *why) {
  const double begin = lbp_run_now(), sign = is_cut ? -1 : 1;
  uint64_t sweeps = tempers ? 400 : 100;
  lbp_run run;
  int status = LBP_OK;
  lbp_run_init(&run);
  run.name = "maxcut";
  run.chains = reads;
  run.progress = stderr;
  for (run.seed = 1; status == LBP_OK && lbp_run_now() - begin < seconds; run.seed++, sweeps *= 4) {
    const double before = lbp_run_now() - begin, left = seconds - before;
    lbp_run_result found;
    double spent;
    uint32_t k, next = run.chains;
    run.annealing.sweeps = sweeps;
    run.seconds = left;
    status = tempers ? temper(&run, m, n, &found) : cut_anneal(&run, m, n, &found);
    if (status != LBP_OK) snprintf(why, INPUT_WHY, "%.390s", found.message);
    for (k = 0; status == LBP_OK && k < found.histories; k++) {
      const double *at = found.history + (size_t)3 * k;
      note(f, before + at[0], -sign * at[2], sign);
    }
    for (k = 0; status == LBP_OK && k < found.chains && lbp_is_finite(found.best_logp[k]); k++) { /* best first */
      if (k == 0 && tempers) note(f, lbp_run_now() - begin, -sign * found.best_logp[k], sign);
      find(f, -found.best_logp[k], found.best + (size_t)k * n);
    }
    spent = lbp_run_now() - begin - before;
    if (status == LBP_OK && found.hits && found.hits[0] < 2) next = run.chains / 4 > least ? run.chains / 4 : least;
    if (status == LBP_OK && found.ended == LBP_END_COMPLETE && spent > left / 8 && spent < left) {
      sweeps = (uint64_t)((double)sweeps * (left / spent - 1)) / 4; /* the rest in one */
    }
    if (next < run.chains) sweeps = sweeps * run.chains / next, run.chains = next;
    if (sweeps < (tempers ? 400 : 25)) sweeps = tempers ? 400 : 25;
    lbp_run_free(&found);
    if (f->states > 0 && f->energy[0] <= goal) break;
  }
  return status;
}

/* ---- replicas that exchange parts -------------------------------------------------------------------------------- */

enum { RUNGS = 8, SWEEPS = 2 }; /* temperatures; sweeps between exchanges, which cost as much as one or two */

/* A replica, and log pi of its state. */
typedef struct {
  cut_chain chain;
  lbp_qubo_fields fields;
  double logp;
} replica;

/* All of them: those of rung r are [r * each .. (r + 1) * each). */
typedef struct {
  uint32_t n, each, count;
  double beta[RUNGS];
  replica **at;
  replica *all;
  uint8_t *x;
  uint64_t *ws;
} replicas;

static void replicas_free(replicas *r) {
  uint32_t k;
  for (k = 0; r->all && k < r->count; k++) lbp_qubo_fields_free(&r->all[k].fields);
  free(r->at);
  free(r->all);
  free(r->x);
  free(r->ws);
}

/* Random states; temperatures in a geometric row, from one at which many flips are accepted to one at which hardly any
 * that loses is, by the size of log-ratios in random states. More of them slow the search down: states found where it
 * is warm have to come through all. */
static int replicas_init(replicas *r, const lbp_qubo *m, uint32_t n, uint32_t each, lbp_rng *rng) {
  const size_t len = cut_ws_len(n);
  double square = 0;
  uint32_t k, i;
  int status = LBP_OK;
  memset(r, 0, sizeof *r);
  r->n = n;
  r->each = each;
  r->count = RUNGS * each;
  r->all = (replica *)calloc(r->count, sizeof *r->all);
  r->at = (replica **)calloc(r->count, sizeof *r->at);
  r->x = (uint8_t *)calloc(r->count, n);
  r->ws = (uint64_t *)calloc(r->count, len * sizeof *r->ws);
  if (!r->all || !r->at || !r->x || !r->ws) return LBP_E_MEMORY;
  for (k = 0; k < r->count && status == LBP_OK; k++) {
    replica *it = r->at[k] = &r->all[k];
    uint8_t *x = r->x + (size_t)k * n;
    for (i = 0; i < n; i++) x[i] = (uint8_t)(lbp_rng_u64(rng) >> 63);
    status = lbp_qubo_fields_init(m, &it->fields);
    if (status == LBP_OK) status = cut_init(&it->chain, n, x, &it->fields, r->ws + k * len, len);
    if (status != LBP_OK) break;
    it->logp = lbp_qubo_logp(m, x);
    lbp_qubo_fields_set(m, &it->fields, x);
    for (i = 0; k == 0 && i < n; i++) {
      const double d = (double)lbp_qubo_fields_delta(m, &it->fields, x, i);
      square += d * d / n;
    }
  }
  for (k = 0; k < RUNGS; k++) {
    r->beta[k] = (square > 0 ? 1 / sqrt(square) : 1) * 1.6 * pow(9, (double)k / (RUNGS - 1));
  }
  for (k = 0; k < r->count && status == LBP_OK; k++) status = cut_temper(&r->at[k]->chain, (lbp_real)r->beta[k / each]);
  return status;
}

/* Two replicas exchange parts. */
static void exchange_parts(replicas *r, const lbp_qubo *m, uint32_t a, uint32_t b, lbp_rng *rng) {
  const cut_parts info = cut_swap_parts(&r->at[a]->chain, &r->at[b]->chain, m, rng);
  r->at[a]->logp += (double)info.log_ratio[0] / r->beta[a / r->each];
  r->at[b]->logp += (double)info.log_ratio[1] / r->beta[b / r->each];
}

/* Or their whole states, by going to each other's temperature. */
static void exchange_all(replicas *r, uint32_t a, uint32_t b, lbp_rng *rng) {
  replica *const it = r->at[a];
  const double gain = (r->beta[a / r->each] - r->beta[b / r->each]) * (r->at[b]->logp - it->logp);
  if (gain < 0 && !(lbp_u01(lbp_rng_u64(rng)) < exp(gain))) return;
  r->at[a] = r->at[b];
  r->at[b] = it;
  cut_temper(&r->at[a]->chain, (lbp_real)r->beta[a / r->each]);
  cut_temper(&r->at[b]->chain, (lbp_real)r->beta[b / r->each]);
}

/* A round: every replica takes some sweeps; replicas at one temperature exchange parts two by two; and those at
 * neighbouring ones parts or, in turn, whole states. */
static void replicas_round(replicas *r, const lbp_qubo *m, uint64_t round, lbp_rng *rng) {
  uint32_t k, rung, sweep;
  for (k = 0; k < r->count; k++) {
    for (sweep = 0; sweep < SWEEPS; sweep++) {
      const cut_info info = cut_metropolis_sweep(&r->at[k]->chain, m, rng);
      r->at[k]->logp += (double)info.log_ratio / r->beta[k / r->each];
    }
  }
  for (rung = 0; rung < RUNGS; rung++) {
    for (k = 0; k + 1 < r->each; k += 2) {
      const uint32_t first = rung * r->each;
      exchange_parts(r, m, first + (uint32_t)(k + round) % r->each, first + (uint32_t)(k + 1 + round) % r->each, rng);
    }
  }
  for (rung = (uint32_t)(round / 2 % 2); rung + 1 < RUNGS; rung += 2) {
    for (k = rung * r->each; k < (rung + 1) * r->each; k++) {
      if (round % 2 == 0) exchange_parts(r, m, k, k + r->each, rng);
      else exchange_all(r, k, k + r->each, rng);
    }
  }
}

/* Rounds until the time is over, or the energy is as low as `goal`. */
static int search_by_parts(const lbp_qubo *m, uint32_t n, double seconds, uint32_t each, uint64_t seed, int is_cut,
                           double goal, findings *f) {
  const double begin = lbp_run_now(), sign = is_cut ? -1 : 1;
  uint64_t round;
  uint32_t k;
  replicas r;
  lbp_rng rng;
  int status;
  lbp_rng_init(&rng, seed, 0);
  status = replicas_init(&r, m, n, each, &rng);
  for (round = 0; status == LBP_OK && lbp_run_now() - begin < seconds; round++) {
    replicas_round(&r, m, round, &rng);
    for (k = 0; k < r.count; k++) {
      const double energy = -r.at[k]->logp;
      if (f->states > 0 && energy > f->energy[0] - (f->states < BEST ? -1e-6 : 1e-6)) continue;
      r.at[k]->logp = lbp_qubo_logp(m, r.at[k]->chain.x); /* without accumulated rounding */
      find(f, -r.at[k]->logp, r.at[k]->chain.x);
      note(f, lbp_run_now() - begin, -sign * r.at[k]->logp, sign);
    }
    if (f->states > 0 && f->energy[0] <= goal) break;
  }
  replicas_free(&r);
  return status;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static int write_states(const findings *f, const char *out, int is_cut, char *why) {
  char path[1100];
  FILE *file;
  uint32_t k, i;
  int failed;
  snprintf(path, sizeof path, "%.1000s.txt", out);
  file = fopen(path, "w");
  for (k = 0; k < f->states && file; k++) {
    fprintf(file, "%.15g ", is_cut ? -f->energy[k] : f->energy[k]);
    for (i = 0; i < f->n; i++) fputc('0' + f->x[(size_t)k * f->n + i], file);
    fputc('\n', file);
  }
  failed = !file || ferror(file);
  if (file && fclose(file) != 0) failed = 1;
  if (failed) snprintf(why, INPUT_WHY, "%.200s: cannot be written", path);
  return failed ? LBP_E_FILE : LBP_OK;
}

/* The best so far against time, in steps. */
static int draw(const findings *f, double seconds, const char *out, char *why) {
  const double first = f->value[0], last = f->value[f->moments - 1], span = last != first ? last - first : 1;
  char path[1100];
  FILE *file;
  uint32_t k;
  int failed;
  snprintf(path, sizeof path, "%.1000s.svg", out);
  file = fopen(path, "w");
  if (file) {
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"360\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"640\" height=\"360\" fill=\"white\"/>\n"
            "<path d=\"M60 20V320H620\" fill=\"none\" stroke=\"black\"/>\n"
            "<text x=\"620\" y=\"340\" text-anchor=\"end\">%.3g s</text>\n"
            "<text x=\"56\" y=\"36\" text-anchor=\"end\">%.6g</text>\n"
            "<text x=\"56\" y=\"320\" text-anchor=\"end\">%.6g</text>\n<path d=\"", seconds, last, first);
    for (k = 0; k < f->moments; k++) {
      const double x = 60 + 560 * (f->time[k] < seconds ? f->time[k] / seconds : 1);
      const double y = 320 - 290 * (f->value[k] - first) / span;
      fprintf(file, k == 0 ? "M%.1f %.1f" : "H%.1fV%.1f", x, y);
    }
    fprintf(file, "H620\" fill=\"none\" stroke=\"#0057b7\" stroke-width=\"2\"/>\n</svg>\n");
  }
  failed = !file || ferror(file);
  if (file && fclose(file) != 0) failed = 1;
  if (failed) snprintf(why, INPUT_WHY, "%.200s: cannot be written", path);
  return failed ? LBP_E_FILE : LBP_OK;
}

/* Searches, prints, writes. At most `reads` at a time, at least `least`; *best: the energy to end at; then the one that
 * was found. */
static int answer(const lbp_qubo_terms *t, int is_cut, double seconds, uint32_t reads, uint32_t least, int way,
                  uint64_t seed, const char *out, double *best, char *why) {
  findings f;
  lbp_qubo m;
  int status = cut_model(&m, t, why);
  memset(&f, 0, sizeof f);
  f.n = t->n;
  f.x = (uint8_t *)calloc(BEST, t->n);
  if (status == LBP_OK && !f.x) status = LBP_E_MEMORY;
  if (status == LBP_OK) {
    printf("%lu sites, %lu terms\n%10s%12s\n", (unsigned long)t->n, (unsigned long)t->count, "time",
           is_cut ? "cut" : "energy");
    status = way == BY_PARTS ? search_by_parts(&m, t->n, seconds, reads, seed, is_cut, *best, &f)
                             : search(&m, t->n, seconds, reads, least, way == BY_TEMPERING, is_cut, *best, &f, why);
  }
  if (status == LBP_OK && f.states == 0) {
    status = LBP_E_TOO_SHORT;
    snprintf(why, INPUT_WHY, "SECONDS: no sweep has ended within %g s: give more", seconds);
  }
  if (status == LBP_OK) {
    uint32_t k, alike = 0;
    for (k = 0; k < f.states; k++) alike += !(f.energy[k] > f.energy[0]);
    *best = f.energy[0];
    printf("best %s %.15g; %lu%s different states have it\n", is_cut ? "cut" : "energy",
           is_cut ? -f.energy[0] : f.energy[0], (unsigned long)alike, alike == BEST ? " or more" : "");
    if (out) status = write_states(&f, out, is_cut, why);
    if (status == LBP_OK && out && f.moments > 0) status = draw(&f, seconds, out, why);
  }
  free(f.x);
  lbp_qubo_free(&m);
  return status;
}

/* The way, by its name, and of `parts=1410` the goal. Returns whether there is such a way. */
static int read_way(const char *text, int is_cut, int *way, double *best) {
  const char *goal = strchr(text, '=');
  *way = strcmp(text, "temper") == 0 ? BY_TEMPERING : BY_PARTS;
  if (*way == BY_TEMPERING || strcmp(text, "parts") == 0) return 1;
  if (strncmp(text, "parts=", 6) != 0) return 0;
  *best = input_real(goal + 1) * (is_cut ? -1 : 1);
  return *best == *best;
}

int main(int argc, char **argv) {
  const char *out = argc > 2 && strcmp(argv[2], "-") != 0 ? argv[2] : NULL;
  const double seconds = argc > 3 ? input_real(argv[3]) : argc > 1 ? 10 : 60;
  long reads = argc > 4 ? input_whole(argv[4]) : 0, least, seed = argc > 6 ? input_whole(argv[6]) : 1;
  char why[INPUT_WHY] = "";
  lbp_qubo_terms t;
  double best = argc > 1 ? -HUGE_VAL : -2 * CUT_SITES;
  int is_cut = 1, way = BY_ANNEALING, status;
  if (argc > 7 || usage_is_asked(argc, argv, 2) || !(seconds > 0) || reads < 0 || reads > 1000000 || seed < 0 ||
      (argc > 5 && !read_way(argv[5], is_cut, &way, &best)) || (argc > 6 && way != BY_PARTS) ||
      (way == BY_PARTS && reads > 1000)) {
    fprintf(stderr, "usage: %s [FILE [OUT [SECONDS [READS [temper | parts[=GOAL] [SEED]]]]]]\n", argv[0]);
    return 2;
  }
  if (reads == 0) {
    reads = way == BY_TEMPERING ? 1 : way == BY_PARTS ? 4 : 16;
#if defined _OPENMP
    if (way != BY_PARTS) reads *= omp_get_max_threads();
#endif
    least = way == BY_ANNEALING ? reads / 16 : reads;
  } else {
    least = reads;
  }
  status = argc > 1 ? cut_read(&t, argv[1], LBP_QUBO_GUESS, &is_cut, why) : cut_torus(&t);
  if (status == LBP_OK && argc > 5) read_way(argv[5], is_cut, &way, &best); /* now the goal's sign is known */
  if (status == LBP_OK) {
    status = answer(&t, is_cut, seconds, (uint32_t)reads, (uint32_t)least, way, (uint64_t)seed, out, &best, why);
  }
  if (status != LBP_OK) fprintf(stderr, "maxcut: %s\n", *why ? why : lbp_error(status));
  if (status == LBP_OK && argc == 1) { /* the other way, too */
    double other = -2 * CUT_SITES;
    status = answer(&t, is_cut, seconds, 4, 4, BY_PARTS, 1, NULL, &other, why);
    if (other > best) best = other;
  }
  lbp_qubo_terms_free(&t);
  return status != LBP_OK || (argc == 1 && best > -2 * CUT_SITES); /* all edges of the torus */
}
