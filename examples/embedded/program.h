/* Two models, each an instance of lbp.h in its own file, and a program that samples them. All of it is the same on
 * a microcontroller and on a PC, and so is every byte that it computes. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>

#ifndef SIDE
#define SIDE 16
#endif
#define CONTACTS (SIDE * SIDE) /* a number that the preprocessor can see: LBP_N needs one */

/* The result of a step: the probability that its proposal is accepted, and whether it was. */
typedef struct {
  float accept;
  uint32_t accepted;
} outcome;

/* ising.c: a mat of SIDE x SIDE contacts; `read`, which it goes on using, has its readings. Starts the chain again with
 * stream (seed, 0); returns the state, or NULL if that failed. A step flips R contacts, or as many as the tuner
 * chooses. */
const uint8_t *ising_start(const uint8_t *read, uint64_t seed);
outcome ising_step(uint32_t R);
outcome ising_adaptive_step(void);

#define PIXELS 64

/* rbm.c: the same for a restricted Boltzmann machine that draws bars on 8 x 8 pixels. */
const uint8_t *rbm_start(uint64_t seed);
outcome rbm_step(uint32_t R);
outcome rbm_adaptive_step(void);

/* program.c: runs all samplers and prints a line for each. Returns 0 if all went well. */
int program(void);

/* pc.c and board.c: shows a text. */
void say(const char *text);

#endif
