/* The parts of steps of one instance of lbp_ab.h, against formulas: weights, draws, normals. Included once for
 * each precision, with AB_NAME the instance's name and AB_TOLERANCE that of its probabilities. */
#define AB_PASTE2(left, right) left##right
#define AB_PASTE(left, right)  AB_PASTE2(left, right)
#define AB_ID(name)            AB_PASTE(AB_NAME, _##name)

/* LBP_AB_WIDTH coordinates, drawn or looked up. */
static void AB_ID(lanes)(AB_ID(priv_strip) *b, uint32_t states, int draw) {
  if (states == 2) AB_ID(priv_propose_bits)(b, 0, draw);
  else AB_ID(priv_propose_values)(b, 0, states, draw);
}

/* Probabilities must be those of the formula, but for the 1 in 2^31 / S that every value has at least, and add up to 1,
 * whatever c and a are; each value must be drawn as often as
 * its own probability says, which must be the same to the last bit when it is looked up. */
static void AB_ID(weights)(uint32_t states, double c, double a) {
  enum { DRAWS = 2048 };
  static AB_ID(priv_strip) b;
  static uint32_t drawn[256];
  double law[256], got[256], top = -INFINITY, sum = 0, all = 0, error = 0;
  uint32_t unlike = 0, i, v;
  char text[120];
  for (i = 0; i < LBP_AB_WIDTH; i++) {
    b.c[i] = (AB_ID(real))c;
    b.a[i] = (AB_ID(real))a;
  }
  for (v = 0; v < states + LBP_AB_WIDTH - 1; v += LBP_AB_WIDTH) {
    for (i = 0; i < LBP_AB_WIDTH; i++) b.v[i] = v + i < states ? v + i : 0;
    AB_ID(lanes)(&b, states, 0);
    for (i = 0; i < LBP_AB_WIDTH && v + i < states; i++) got[v + i] = (double)b.q[i];
  }
  for (v = 0; v < states; v++) {
    law[v] = ((double)(AB_ID(real))c - (double)(AB_ID(real))a * v / 2) * v;
    if (law[v] > top) top = law[v];
    all += got[v];
    unlike += !(got[v] >= 2.3283064365386962890625e-10);
    drawn[v] = 0;
  }
  for (v = 0; v < states; v++) sum += exp(law[v] - top);
  for (v = 0; v < states; v++) {
    const double gap = fabs(got[v] - exp(law[v] - top) / sum);
    if (gap > error) error = gap;
  }
  for (v = 0; v < DRAWS; v += LBP_AB_WIDTH) { /* evenly spaced, and the last */
    for (i = 0; i < LBP_AB_WIDTH; i++) b.bits[i] = v + i < DRAWS - 1 ? (v + i) << 21 : 0xffffffffu;
    AB_ID(lanes)(&b, states, 1);
    for (i = 0; i < LBP_AB_WIDTH; i++) {
      unlike += b.v[i] >= states || (double)b.q[i] != got[b.v[i]];
      if (b.v[i] < states) drawn[b.v[i]]++;
    }
  }
  if (states >= 21 && fabs(c) <= 3 && a >= 4) unlike += b.v[LBP_AB_WIDTH - 1] != states - 1; /* far from the mode */
  for (v = 0; v < states; v++) unlike += !(fabs(drawn[v] - DRAWS * got[v]) < 2.1);
  snprintf(text, sizeof text, "S = %u, c = %g, a = %g: sum off by %.2g, error %.2g, %u draws unlike", states, c, a, all - 1,
           error, unlike);
  test_count(fabs(all - 1) < AB_TOLERANCE && error < AB_TOLERANCE + ldexp(states * states, -31) && unlike == 0, __FILE__,
             __LINE__, text);
}

static void AB_ID(all_weights)(void) {
  const double c_of[] = { 0, 3, -3, 40.3, 1e3, -1e3, 1e37, -1e37, 0.01, -INFINITY, INFINITY, NAN };
  static const double a_of[] = { 0, 1e-3, 0.1, 1, 4.2, 30, 1e4 };
  static const uint32_t states[] = { 2, 3, 4, 21, 256 };
  uint32_t s, k, j;
  for (s = 0; s < 5; s++)
    for (k = 0; k < 12; k++)
      for (j = 0; j < 7; j++) AB_ID(weights)(states[s], c_of[k], a_of[j]);
}

/* Moments of 2^18 standard normals. */
static void AB_ID(moments)(void) {
  enum { N = 4096, TIMES = 64 };
  static AB_ID(real) z[N];
  double sum[5] = { 0 }, halves = 0, n = (double)N * TIMES;
  lbp_rng rng;
  uint32_t t, i;
  lbp_rng_init(&rng, 4, 4);
  for (t = 0; t < TIMES; t++) {
    AB_ID(priv_normals)(&rng, z, N);
    for (i = 0; i < N; i++) {
      const double v = (double)z[i], square = v * v;
      sum[1] += v;
      sum[2] += square;
      sum[3] += square * v;
      sum[4] += square * square;
      halves += v * (double)z[(i + LBP_BLOCK) % N]; /* the other one of a pair */
    }
  }
  CHECK_NEAR(sum[1] / n, 0, 6 / sqrt(n));
  CHECK_NEAR(sum[2] / n, 1, 6 * sqrt(2 / n));
  CHECK_NEAR(sum[3] / n, 0, 6 * sqrt(15 / n));
  CHECK_NEAR(sum[4] / n, 3, 6 * sqrt(96 / n));
  CHECK_NEAR(halves / n, 0, 6 / sqrt(n));
}

#undef AB_PASTE2
#undef AB_PASTE
#undef AB_ID
#undef AB_NAME
#undef AB_TOLERANCE
