/* examples/ring.c in CUDA: prints what its model's chains draw on the host, and where there is a GPU, the same of it. A
 * plain C++ compiler sees the host's half. */
#ifdef __CUDACC__
#define LBP_FN static inline __host__ __device__
#endif
#include <stdlib.h>

#define main ring_main
#include "../../examples/ring.c"
#undef main

enum { SITES = 100, CHAINS = 40 };

typedef struct {
  uint8_t x[SITES];
  uint64_t ws[LBP_WS_LEN(SITES)];
  uint64_t hash;
} work;

/* All samplers, one after another; a hash of the states and of the tuner's R. */
LBP_FN void run(work *w, uint32_t stream) {
  const ring model = {SITES, 0.4, 0.1};
  ring_chain chain;
  ring_tuner tuner;
  lbp_rng rng;
  uint64_t bits;
  uint32_t t, i;
  memset(w->x, 0, sizeof w->x);
  w->hash = 0;
  lbp_rng_init(&rng, 1, stream);
  if (ring_init(&chain, SITES, w->x, w->ws, LBP_WS_LEN(SITES)) != LBP_OK) return;
  if (ring_check(&chain, &model, 1, &rng).status != LBP_OK || ring_fault(&chain).status != LBP_OK) return;
  ring_tuner_init(&tuner, SITES, 50, LBP_TARGET_LBP);
  for (t = 0; t < 200; t++) {
    ring_albp_step(&chain, &model, &tuner, &rng);
    ring_gwg_step(&chain, &model, 1 + t % 70, &rng);
    ring_rwm_step(&chain, &model, ring_random_r(2.5, &rng), &rng);
    if (t % 10 == 0) ring_gibbs_sweep(&chain, &model, &rng);
    for (i = 0; i < SITES; i++) w->hash = (w->hash ^ w->x[i]) * 0x100000001b3u;
    memcpy(&bits, &tuner.r, sizeof bits);
    w->hash = (w->hash ^ bits) * 0x100000001b3u;
  }
}

static void print(const char *where, const work *w) {
  uint32_t k;
  printf("%s", where);
  for (k = 0; k < CHAINS; k++) {
    printf(" %08lx%08lx", (unsigned long)(w[k].hash >> 32), (unsigned long)(w[k].hash & 0xffffffffu));
  }
  printf("\n");
}

#ifdef __CUDACC__
__global__ void run_all(work *w) {
  if (threadIdx.x < CHAINS) run(&w[threadIdx.x], threadIdx.x);
}

static int on_device(work *w) {
  work *there;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 0;
  if (cudaMalloc((void **)&there, CHAINS * sizeof *there) != cudaSuccess) return 0;
  run_all<<<1, 64>>>(there);
  if (cudaMemcpy(w, there, CHAINS * sizeof *w, cudaMemcpyDeviceToHost) != cudaSuccess) memset(w, 0, CHAINS * sizeof *w);
  cudaFree(there);
  return 1;
}
#else
static int on_device(work *w) { return (void)w, 0; }
#endif

int main(void) {
  static work w[CHAINS];
  uint32_t k;
  for (k = 0; k < CHAINS; k++) run(&w[k], k);
  print("host", w);
  if (on_device(w)) print("device", w);
  return ring_main() != 0;
}
