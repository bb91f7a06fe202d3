/* Part of the templates cat_case.h and cat_long_case.h. */

/* The weights of one site's values. */
LBP_FN void CASE_ID(_weigh_one)(const CASE_REAL *d, uint32_t from, int staying, float cost, uint32_t *w,
                                uint32_t *total) {
  CASE_ID(_priv_values) l;
  uint32_t v;
  CASE_ID(_priv_begin_lot)(&l, 1);
  l.from[0] = from;
  CASE_ID(_priv_weigh_lot)(&l, d, staying, cost);
  for (v = 0; v < CASE_K; v++) w[v] = l.weight[v * CASE_ID(_priv_lot)];
  total[0] = l.total[0];
}
