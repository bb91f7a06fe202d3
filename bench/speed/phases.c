/* phases - where the time of an LBP-R step goes: LBP_TICK of lbp.h by a counter of the processor, in instances next to
 * those without, which take turns with them. `make bench-phases`, or build/bench/phases --help. Writes phases.csv and,
 * with gnuplot, phases.svg and phases.png.
 *
 * A phase's time is its share of the ticks, times the step's CPU time. Processors work on several phases at once, and a
 * counter waits for none of them: some of a phase's time is counted as the next one's. */
#include "target.h"

/* The phases of lbp.h. */
#define PHASES(X)        X(candidates) X(keep) X(flips) X(lists) X(weights) X(sums) X(accept) X(settle)
#define PHASE_ID(name)   PHASE_##name,
#define PHASE_NAME(name) #name,

enum { PHASES(PHASE_ID) PHASE_COUNT };
static const char *const phase_names[PHASE_COUNT] = {PHASES(PHASE_NAME)};

static struct {
  uint64_t last, ticks[PHASE_COUNT];
} counter;

#if defined __x86_64__ || defined __i386__
static const char tick_name[] = "of the time-stamp counter";
LBP_INLINE uint64_t ticks_now(void) { return __builtin_ia32_rdtsc(); }
#elif defined __aarch64__
static const char tick_name[] = "of the virtual counter";
LBP_INLINE uint64_t ticks_now(void) {
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
#else
static const char tick_name[] = "of the clock, ns";
LBP_INLINE uint64_t ticks_now(void) { return (uint64_t)(1e9 * basic_now()); }
#endif

LBP_INLINE void phase_end(int phase) {
  const uint64_t now = ticks_now();
  counter.ticks[phase] += now - counter.last;
  counter.last = now;
}

#undef LBP_TICK
#define LBP_TICK(phase) phase_end(PHASE_##phase)
#define PAIRS(name)     BENCH_PASTE(name, _ticked)
#include "../common/pairs.h"

/* Per proposed flip: ns of each phase, of their sum, of the step without counters, and ticks of all. */
enum { SUM = PHASE_COUNT, STEP, TICKS, FIGURES };

static void measure(const options *o, const effort *how, int target, int size, FILE *csv) {
  static entry plain, ticked;
  static double figure[FIGURES][MOST_TURNS];
  double middle[FIGURES];
  bench_model m;
  target_make(&m, target, target_extent(target, size), o->seed);
  const uint32_t n = bench_model_sites(m.kind, target_extent(target, size)), turns = how->turns;
  entry_make(&plain, target, WEIGHT_BARKER, LBP_SAMPLER_LBP, &m.as, n, 0, how, o->seed);
  entry_make_twin(&ticked, &plain, pair_kernels_ticked[m.kind][WEIGHT_BARKER](), o->seed);
  basic_progress_begin(turns);
  for (uint32_t turn = 0; turn < turns; turn++) {
    double all = 0;
    entry_turn(&plain, turn);
    entry_walk(&ticked, ticked.steps / 8 + 1);
    memset(&counter, 0, sizeof counter);
    counter.last = ticks_now();
    const double ns = 1e9 * entry_walk(&ticked, ticked.steps) / ticked.chain.moves->proposed;
    for (int k = 0; k < PHASE_COUNT; k++) all += (double)counter.ticks[k];
    for (int k = 0; k < PHASE_COUNT; k++) figure[k][turn] = ns * (double)counter.ticks[k] / all;
    figure[SUM][turn] = ns;
    figure[STEP][turn] = plain.flip[turn];
    figure[TICKS][turn] = all / ticked.chain.moves->proposed;
    basic_progress_add(1);
  }
  basic_progress_clear();
  printf("%-17s %8u %8.1f", target_names[target], (unsigned)n, plain.r);
  fprintf(csv, "%s,%u,%.6g", target_names[target], (unsigned)n, plain.r);
  for (int k = 0; k < FIGURES; k++) printf(" %*.2f", k ? 8 : 11, middle[k] = bench_median(figure[k], turns));
  write_numbers(csv, middle, FIGURES);
  printf("\n");
  fprintf(csv, "\n");
  lbp_chains_free(&plain.chain);
  lbp_chains_free(&ticked.chain);
  bench_model_free(&m);
}

int main(int argc, char **argv) {
  const options o = target_parse(argc, argv, "usage: phases [option ...]", TARGETS, 0);
  char head[300] = "model,N,R";
  bench_start(1);
  printf("LBP-R, t/(1+t), R tuned: ns per proposed flip by phases; their sum, and a step without counters; ticks\n%s\n"
         "%-17s %8s %8s ", tick_name, "", "N", "R");
  for (int k = 0; k < FIGURES; k++) {
    const char *const name = k < PHASE_COUNT ? phase_names[k] : k == SUM ? "sum" : k == STEP ? "step" : "ticks";
    snprintf(head + strlen(head), sizeof head - strlen(head), ",%s", name);
    printf(" %*s", k ? 8 : 10, name);
  }
  printf("\n");
  const bench_file csv = bench_create(o.out, "phases.csv", head);
  for (int target = 0; target < TARGETS; target++) {
    for (int size = 0; size < SIZES; size++) {
      if (target_is_measured(&o, target, size)) measure(&o, &efforts[o.quick], target, size, csv.to);
    }
  }
  bench_close(&csv);
  printf("Rows: %s\n", csv.path);
  bench_draw("speed", "phases", o.out);
  return 0;
}
