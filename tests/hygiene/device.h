/* Device code of lbp.h for a plain compiler, with -D__CUDA_ARCH__: these two are all that it needs of CUDA's. */
static inline float __fadd_rn(float a, float b) {
  volatile float sum = a + b;
  return sum;
}
static inline double __dadd_rn(double a, double b) {
  volatile double sum = a + b;
  return sum;
}
