/* Chains on a GPU, one a thread: whether they draw what the host draws, and the time of a site or a flip.
 *   nvcc -O3 -fmad=false -arch=native gpu.cu -o gpu && ./gpu
 * gpu                   both, with 16384, 32768 and 131072 chains
 * gpu CHAINS...         both, with so many
 * gpu --draws           only the draws: also what the host's are, where there is no device; a plain C++ compiler does
 * The exit status is 1 if draws differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "families.h"

/* An Ising lattice, 32 x 32, in float, as in the page's table. */
enum { SIDE = 32, GRID = SIDE * SIDE };
typedef struct { float beta; } grid;

LBP_FN uint32_t grid_step(uint32_t i, uint32_t d) { /* the neighbour in direction d */
  const uint32_t row = i / SIDE, column = i % SIDE;
  const uint32_t rows = d == 0 ? 1 : d == 1 ? SIDE - 1 : 0, columns = d == 2 ? 1 : d == 3 ? SIDE - 1 : 0;
  return (row + rows) % SIDE * SIDE + (column + columns) % SIDE;
}
LBP_FN int grid_near(const uint8_t *x, uint32_t i) {
  return x[grid_step(i, 0)] + x[grid_step(i, 1)] + x[grid_step(i, 2)] + x[grid_step(i, 3)];
}
LBP_FN float grid_delta(const grid *m, const uint8_t *x, uint32_t i) {
  const int change = (x[i] ? -4 : 4) * (grid_near(x, i) - 2);
  return m->beta * (float)change;
}
LBP_FN uint32_t grid_neighbours(const grid *m, uint32_t i, uint32_t *out) {
  (void)m;
  for (uint32_t d = 0; d < 4; d++) out[d] = grid_step(i, d);
  return 4;
}

#define LBP_NAME            ising
#define LBP_MODEL_T         grid
#define LBP_REAL            float
#define LBP_DELTA           grid_delta
#define LBP_NEIGHBOURS      grid_neighbours
#define LBP_MAX_NEIGHBOURS  4
#define LBP_SWEEPS
#define LBP_LEVEL(m, x, i)  (5 * (x)[i] + grid_near(x, i))
#define LBP_LEVELS          10
#include "../../lbp.h"

enum { GIBBS, METROPOLIS, SKIP, RWM, ONE, MANY, KINDS, FLIPS = 85 };

/* A chain with all that it needs, as a thread has it. */
typedef struct {
  ising_chain chain;
  lbp_rng rng;
  uint64_t ws[LBP_WS_LEN(GRID)];
  uint8_t x[GRID];
} lattice;

LBP_FN void lattice_begin(lattice *l, uint32_t k) {
  lbp_rng_init(&l->rng, 1, k);
  for (uint32_t i = 0; i < GRID; i++) l->x[i] = (uint8_t)(((i ^ i >> 5) + k) & 1);
  ising_init(&l->chain, GRID, l->x, l->ws, LBP_WS_LEN(GRID));
}

LBP_FN void lattice_go(lattice *l, int kind, uint32_t steps) {
  const grid m = {0.4f};
  for (uint32_t t = 0; t < steps; t++) {
    switch (kind) {
      case GIBBS: ising_gibbs_sweep(&l->chain, &m, &l->rng); break;
      case METROPOLIS: ising_metropolis_sweep(&l->chain, &m, &l->rng); break;
      case SKIP: ising_skip_sweep(&l->chain, &m, LBP_METROPOLIS, &l->rng); break;
      case RWM: ising_rwm_step(&l->chain, &m, 1, &l->rng); break;
      case ONE: ising_lbp_step(&l->chain, &m, 1, &l->rng); break;
      default: ising_lbp_step(&l->chain, &m, FLIPS, &l->rng);
    }
  }
}

typedef struct {
  const char *name;
  uint32_t steps; /* of a launch */
  double work;    /* sites of a sweep, or flips of a step */
} kind_of;
static const kind_of kinds[KINDS] = {{"Gibbs sweep, a site", 50, GRID}, {"Metropolis sweep by level, a site", 50, GRID},
                                     {"skip sweep, a site", 50, GRID},  {"RWM, R = 1, a flip", 2000, 1},
                                     {"LBP, R = 1, a flip", 2000, 1},   {"LBP, R = 85, a flip", 100, FLIPS}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t bytes) {
  void *p = calloc(bytes, 1);
  if (!p) fprintf(stderr, "gpu: out of memory\n"), exit(2);
  return p;
}

enum { CHAINS = 64 }; /* of each family */
static const char *const family_name[FAMILIES] = {"binary, eight samplers", "groups", "categorical", "permutations"};

/* Prints the hashes of the first chains of each family; returns 0 if one could not begin, or all are alike. */
static int host_draws(family *host) {
  int well = 1;
  printf("bytes: %lu, %lu, %lu, %lu; %lu, %lu\n", (unsigned long)sizeof(spins_chain), (unsigned long)sizeof(blocks_chain),
         (unsigned long)sizeof(shades_chain), (unsigned long)sizeof(order_chain), (unsigned long)sizeof(ising_chain),
         (unsigned long)sizeof(lattice)); /* the same in code for the device, or copies would not be */
  for (uint32_t k = 0; k < CHAINS; k++) family_run(&host[k], k);
  for (uint32_t f = 0; f < FAMILIES; f++) {
    uint64_t all = 1;
    uint32_t unlike = 0;
    for (uint32_t k = 0; k < CHAINS; k++) {
      all = family_mix(all, &host[k].hash[f], sizeof all);
      unlike += k > 0 && host[k].hash[f] != host[0].hash[f];
      well &= host[k].hash[f] != 0;
    }
    well &= unlike == CHAINS - 1;
    printf("host: %s: %08lx%08lx\n", family_name[f], (unsigned long)(all >> 32), (unsigned long)(all & 0xffffffffu));
  }
  return well;
}

#ifdef __CUDACC__
#define MUST(call)                                                                              \
  do {                                                                                          \
    const cudaError_t e = call;                                                                 \
    if (e != cudaSuccess) fprintf(stderr, "gpu: %s: %s\n", #call, cudaGetErrorString(e)), exit(2); \
  } while (0)

__global__ void families_run(family *f, uint32_t count) {
  const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) family_run(&f[k], k);
}
__global__ void lattices_begin(lattice *l, uint32_t count) {
  const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) lattice_begin(&l[k], k);
}
__global__ void lattices_go(lattice *l, uint32_t count, int kind, uint32_t steps) {
  const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) lattice_go(&l[k], kind, steps);
}

static int has_device(void) {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

/* Returns how many chains differ. */
static int device_draws(const family *host) {
  family *there, *back = (family *)memory(CHAINS * sizeof *back);
  int differ = 0;
  MUST(cudaMalloc((void **)&there, CHAINS * sizeof *there));
  families_run<<<2, CHAINS / 2>>>(there, CHAINS);
  MUST(cudaGetLastError());
  MUST(cudaMemcpy(back, there, CHAINS * sizeof *back, cudaMemcpyDeviceToHost));
  for (uint32_t f = 0; f < FAMILIES; f++) {
    int same = 0;
    for (uint32_t k = 0; k < CHAINS; k++) same += back[k].hash[f] == host[k].hash[f];
    printf("device: %s: %d of %d chains as on the host\n", family_name[f], same, CHAINS);
    differ += CHAINS - same;
  }
  MUST(cudaFree(there));
  free(back);
  return differ;
}

/* A row of the table; returns how many of some chains differ from the host's. */
static int race(lattice *there, uint32_t chains, int kind) {
  const uint32_t block = 64, blocks = (chains + block - 1) / block, steps = kinds[kind].steps, some = 8;
  lattice *host = (lattice *)memory(sizeof *host), *back = (lattice *)memory(sizeof *back);
  double on_device, on_host;
  uint32_t repeats = 0;
  int differ = 0;
  lattices_begin<<<blocks, block>>>(there, chains);
  lattices_go<<<blocks, block>>>(there, chains, kind, steps); /* warm */
  MUST(cudaDeviceSynchronize());
  on_device = now();
  lattices_go<<<blocks, block>>>(there, chains, kind, steps);
  MUST(cudaDeviceSynchronize());
  on_device = (now() - on_device) / chains;
  for (uint32_t s = 0; s < some; s++) {
    const uint32_t k = (uint32_t)((uint64_t)s * (chains - 1) / (some - 1));
    lattice_begin(host, k);
    lattice_go(host, kind, 2 * steps);
    MUST(cudaMemcpy(back, there + k, sizeof *back, cudaMemcpyDeviceToHost));
    differ += memcmp(back->x, host->x, GRID) != 0;
  }
  on_host = now();
  do lattice_go(host, kind, steps);
  while (++repeats, now() - on_host < 0.3);
  on_host = (now() - on_host) / repeats;
  printf("| %s | %lu | %.3f | %.1f | %d of %lu |\n", kinds[kind].name, (unsigned long)chains,
         1e9 * on_device / steps / kinds[kind].work, 1e9 * on_host / steps / kinds[kind].work, (int)some - differ,
         (unsigned long)some);
  fflush(stdout);
  free(host);
  free(back);
  return differ;
}

static int device_table(int argc, char **argv) {
  static const char *const usual[] = {"16384", "32768", "131072"};
  const char *const *list = argc > 1 ? argv + 1 : usual;
  const int count = argc > 1 ? argc - 1 : 3;
  struct cudaDeviceProp device;
  lattice *there;
  int differ = 0;
  MUST(cudaGetDeviceProperties(&device, 0));
  printf("\n%s, %lu bytes a chain\n\n| ns | chains | device | a host core | draws as on the host |\n|---|---:|---:|---:|---|\n",
         device.name, (unsigned long)sizeof(lattice));
  for (int k = 0; k < count; k++) {
    const unsigned long chains = strtoul(list[k], NULL, 10);
    if (chains < 8 || chains > 1ul << 24) {
      fprintf(stderr, "gpu: %s chains: give a number from 8 to 16777216\n", list[k]);
      exit(2);
    }
    MUST(cudaMalloc((void **)&there, chains * sizeof *there));
    for (int kind = 0; kind < KINDS; kind++) differ += race(there, (uint32_t)chains, kind);
    MUST(cudaFree(there));
  }
  return differ;
}
#else
static int has_device(void) { return 0; }
static int device_draws(const family *host) { return (void)host, 0; }
static int device_table(int argc, char **argv) {
  return (void)argc, (void)argv, (void)now, (void)kinds, (void)lattice_begin, (void)lattice_go, 0;
}
#endif

int main(int argc, char **argv) {
  family *host = (family *)memory(CHAINS * sizeof *host);
  const int only = argc > 1 && strcmp(argv[1], "--draws") == 0;
  int differ = 0;
  if (!only && !has_device()) {
    printf("bench-gpu: there is no CUDA device\n");
    return 0;
  }
  if (!host_draws(host)) {
    fprintf(stderr, "gpu: a chain could not begin, or chains are alike\n");
    return 1;
  }
  if (has_device()) differ = device_draws(host);
  if (!only) differ += device_table(argc, argv);
  free(host);
  return differ > 0;
}
