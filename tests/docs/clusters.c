/* The page on samplers: clusters. */
#include "top.c"

int main(void) {
  uint32_t jump;
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
#include "main.c"
  jump = magnet_wolff_step(&chain, &model, &rng).jump + magnet_swendsen_wang_step(&chain, &model, &rng).jump;
  lbp_ising_free(&model);
  return jump == 0;
}
