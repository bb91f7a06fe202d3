/* stream - random bytes of the generator on standard output, for the test batteries of others, which read 32-bit
 * numbers from a pipe. `make bench-rng` feeds them to dieharder. Usage: stream KIND SEED, where KIND selects the bytes:
 *
 *   words    stream (SEED, 0) as it is
 *   low      the lowest eight bits of each of its words
 *   chains   a word each, in turn, of 64 streams: eight seeds from 8 SEED on, chains 0 to 7
 *   starts   the first eight words of the streams (SEED, 0), (SEED, 1), (SEED, 2) and so on
 *   planted  not ours: the lowest eight bits of a congruential generator, which any battery must refuse
 *
 * It ends when its reader ends. */
#include <stdio.h>
#include <stdlib.h>

#include "../../lbp/base/numbers.h"

enum { STREAMS = 64, FIRST = 8, WORDS = 4096 };

static void make_words(uint64_t *out, uint64_t seed) {
  static lbp_rng rng;
  static int started;
  if (!started++) lbp_rng_init(&rng, seed, 0);
  lbp_rng_fill(&rng, out, WORDS);
}

static void make_low(uint64_t *out, uint64_t seed) {
  static uint64_t word[WORDS];
  uint8_t *byte = (uint8_t *)out;
  for (uint32_t part = 0; part < sizeof *out; part++) {
    make_words(word, seed);
    for (uint32_t k = 0; k < WORDS; k++) *byte++ = (uint8_t)word[k];
  }
}

static void make_chains(uint64_t *out, uint64_t seed) {
  static lbp_rng rng[STREAMS];
  static int started;
  for (uint32_t k = 0; k < STREAMS && !started; k++) lbp_rng_init(&rng[k], 8 * seed + k / 8, k % 8);
  started = 1;
  for (uint32_t k = 0; k < WORDS; k++) out[k] = lbp_rng_u64(&rng[k % STREAMS]);
}

static void make_starts(uint64_t *out, uint64_t seed) {
  static uint64_t chain;
  lbp_rng rng;
  for (uint32_t k = 0; k < WORDS; k += FIRST) {
    lbp_rng_init(&rng, seed, chain++);
    lbp_rng_fill(&rng, out + k, FIRST);
  }
}

static void make_planted(uint64_t *out, uint64_t seed) {
  static uint64_t state;
  uint8_t *byte = (uint8_t *)out;
  uint32_t k;
  for (k = 0; k < WORDS * sizeof *out; k++) byte[k] = (uint8_t)(state = state * 6364136223846793005u + 2 * seed + 1);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*make)(uint64_t *out, uint64_t seed);
  } kinds[] = {{"words", make_words}, {"low", make_low}, {"chains", make_chains}, {"starts", make_starts},
               {"planted", make_planted}};
  static uint64_t block[WORDS];
  for (size_t k = 0; argc == 3 && k < sizeof kinds / sizeof kinds[0]; k++) {
    if (strcmp(argv[1], kinds[k].name) != 0) continue;
    do {
      kinds[k].make(block, strtoull(argv[2], NULL, 10));
    } while (fwrite(block, sizeof block, 1, stdout) == 1);
    return 0;
  }
  fprintf(stderr, "usage: stream words|low|chains|starts|planted SEED\n");
  return 2;
}
