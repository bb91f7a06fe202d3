/* Part of test_api.c: the model check must find each planted mistake, report the site and both values, and leave x
 * alone. */

#include "../sick.h"

/* local, with and without log pi */
#define LBP_NAME           sl
#define LBP_MODEL_T        sick
#define LBP_DELTA          sick_delta
#define LBP_NEIGHBOURS     sick_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_LOGP           sick_logp
#include "../../lbp.h"

#define LBP_NAME           sb
#define LBP_MODEL_T        sick
#define LBP_N              SICK_N
#define LBP_DELTA          sick_delta
#define LBP_NEIGHBOURS     sick_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "../../lbp.h"

/* dense */
#define LBP_NAME    sd
#define LBP_MODEL_T sick
#define LBP_DELTAS  sick_deltas
#define LBP_DELTA   sick_delta
#include "../../lbp.h"

/* dense with estimates */
#define LBP_NAME    sg
#define LBP_MODEL_T sick
#define LBP_DELTAS  sick_deltas
#define LBP_DELTA   sick_delta
#define LBP_LOGP    sick_logp
#include "../../lbp.h"

/* dense with fields, flipped back or restored */
#define LBP_NAME        sf
#define LBP_MODEL_T     sick
#define LBP_FIELDS_T    sick_fields
#define LBP_FIELDS_INIT sick_fields_set
#define LBP_FLIP        sick_flip
#define LBP_DELTAS      sick_fields_deltas
#include "../../lbp.h"

#define LBP_NAME        sr
#define LBP_MODEL_T     sick
#define LBP_FIELDS_T    sick_fields
#define LBP_FIELDS_INIT sick_fields_set
#define LBP_FLIP        sick_flip
#define LBP_SAVE        sick_save
#define LBP_RESTORE     sick_restore
#define LBP_DELTAS      sick_fields_deltas
#define LBP_DELTA       sick_fields_delta
#include "../../lbp.h"

/* weight functions: t^0.4 is not balanced, min(1, t) is */
#define LBP_NAME           wp
#define LBP_MODEL_T        sick
#define LBP_WEIGHT         LBP_CUSTOM
#define LBP_LOG_WEIGHT(d)  (0.4 * (d))
#define LBP_DELTA          sick_delta
#define LBP_NEIGHBOURS     sick_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "../../lbp.h"

#define LBP_NAME           wm
#define LBP_MODEL_T        sick
#define LBP_WEIGHT         LBP_CUSTOM
#define LBP_LOG_WEIGHT(d)  ((d) < 0 ? (d) : 0)
#define LBP_DELTA          sick_delta
#define LBP_NEIGHBOURS     sick_neighbours
#define LBP_MAX_NEIGHBOURS 2
#include "../../lbp.h"

/* Runs a check of `fault` on a local instance: what it reports, and that x stays. */
static void check_local(int fault, int with_logp, int status, uint32_t other, double got, double want) {
  static uint64_t ws[LBP_WS_LEN(SICK_N)];
  static sb_chain fixed;
  uint8_t x[SICK_N];
  uint64_t calls = 0;
  const sick m = {fault, &calls};
  lbp_rng rng;
  lbp_rng_init(&rng, 1, 0);
  memcpy(x, sick_start, sizeof x);
  if (with_logp) {
    sl_chain c;
    sl_report r;
    CHECK(sl_init(&c, SICK_N, x, ws, sl_ws_len(SICK_N)) == LBP_OK);
    r = sl_check(&c, &m, 20, &rng);
    if (r.status != status) printf("fault %d: %s\n", fault, lbp_error(r.status));
    CHECK(r.status == status);
    if (status == LBP_OK) return;
    CHECK(r.site == SICK_SITE && r.other == other);
    if (got != want) CHECK_NEAR(fabs((double)(r.got - r.want)), fabs(got - want), 1e-9);
    CHECK(memcmp(x, sick_start, sizeof x) == 0);
  } else {
    sb_report r;
    CHECK(sb_init(&fixed, x) == LBP_OK);
    r = sb_check(&fixed, &m, 20, &rng);
    if (r.status != status) printf("fault %d: %s\n", fault, lbp_error(r.status));
    CHECK(r.status == status);
    if (status == LBP_OK) return;
    CHECK(r.site == SICK_SITE && r.other == other);
    if (got != want) CHECK_NEAR(fabs((double)(r.got - r.want)), fabs(got - want), 1e-9);
    CHECK(memcmp(fixed.x, sick_start, sizeof x) == 0);
  }
}

static void check_dense(int fault, int status, double gap) {
  static uint64_t ws[LBP_WS_LEN_DENSE(SICK_N)];
  uint8_t x[SICK_N];
  uint64_t calls = 0;
  const sick m = {fault, &calls};
  sd_chain c;
  sd_report r;
  lbp_rng rng;
  lbp_rng_init(&rng, 2, 0);
  memcpy(x, sick_start, sizeof x);
  CHECK(sd_init(&c, SICK_N, x, ws, sd_ws_len(SICK_N)) == LBP_OK);
  r = sd_check(&c, &m, 20, &rng);
  CHECK(r.status == status);
  CHECK(memcmp(x, sick_start, sizeof x) == 0);
  if (status != LBP_OK) CHECK(r.site == SICK_SITE);
  if (gap > 0) CHECK_NEAR(fabs(r.got - r.want), gap, 1e-9);
}

/* Where log pi decides, the log-ratios need not be those of a flip. */
static void check_estimates(int fault, int status) {
  static uint64_t ws[LBP_WS_LEN_DENSE(SICK_N)];
  uint8_t x[SICK_N];
  uint64_t calls = 0;
  const sick m = {fault, &calls};
  sg_chain c;
  sg_report r;
  lbp_rng rng;
  lbp_rng_init(&rng, 5, 0);
  memcpy(x, sick_start, sizeof x);
  CHECK(sg_init(&c, SICK_N, x, ws, sg_ws_len(SICK_N)) == LBP_OK);
  r = sg_check(&c, &m, 20, &rng);
  CHECK(r.status == status && (status == LBP_OK || r.site == SICK_SITE));
  CHECK(memcmp(x, sick_start, sizeof x) == 0);
}

static void check_fields(int fault, int flips_back, int restores) {
  static uint64_t ws[LBP_WS_LEN_DENSE(SICK_N)];
  uint8_t x[SICK_N];
  uint64_t calls = 0;
  const sick m = {fault, &calls};
  sick_fields fields;
  sf_chain f;
  sr_chain s;
  sf_report rf;
  sr_report rs;
  lbp_rng rng;
  lbp_rng_init(&rng, 3, 0);
  memcpy(x, sick_start, sizeof x);
  CHECK(sf_init(&f, SICK_N, x, &fields, ws, sf_ws_len(SICK_N)) == LBP_OK);
  rf = sf_check(&f, &m, 20, &rng);
  CHECK(rf.status == flips_back && (rf.status == LBP_OK || rf.got != rf.want));
  CHECK(memcmp(x, sick_start, sizeof x) == 0);
  CHECK(sr_init(&s, SICK_N, x, &fields, ws, sr_ws_len(SICK_N)) == LBP_OK);
  rs = sr_check(&s, &m, 20, &rng);
  CHECK(rs.status == restores && (rs.status == LBP_OK || rs.got != rs.want));
  CHECK(memcmp(x, sick_start, sizeof x) == 0);
}

static void test_model_check(void) {
  check_local(SOUND, 0, LBP_OK, 0, 0, 0);
  check_local(SOUND, 1, LBP_OK, 0, 0, 0);
  check_local(WRONG_SIGN, 1, LBP_E_LOGP, SICK_SITE, 0, 0);
  check_local(ONE_WAY, 0, LBP_E_ANTISYMMETRY, SICK_SITE, 0.25, 0);
  check_local(FORGOTTEN, 0, LBP_E_NEIGHBOUR_MISSING, SICK_OTHER, 2, 0); /* 4 J = 2 */
  check_local(FORGOTTEN, 1, LBP_E_NEIGHBOUR_MISSING, SICK_OTHER, 2, 0);
  check_local(OUT_OF_RANGE, 0, LBP_E_NEIGHBOUR_RANGE, SICK_N, 0, 0);
  check_local(OUT_OF_RANGE, 1, LBP_E_NEIGHBOUR_RANGE, SICK_N, 0, 0);
  check_local(NO_RETURN, 0, LBP_E_ANTISYMMETRY, SICK_SITE, 0, 0);
  check_local(NO_WAY_THERE, 0, LBP_E_ANTISYMMETRY, SICK_SITE, 0, 0);
  check_local(TOO_MANY, 0, LBP_E_NEIGHBOUR_RANGE, SICK_SITE, 3, 2);
  check_local(UNDEFINED, 0, LBP_E_DELTA_NAN, SICK_SITE, 0, 0);
  check_local(UNDEFINED, 1, LBP_E_DELTA_NAN, SICK_SITE, 0, 0);
  check_local(NOT_REPEATABLE, 0, LBP_E_NOT_REPEATABLE, SICK_SITE, 1e-3, 0);
  check_local(WRONG_LOGP, 0, LBP_OK, 0, 0, 0); /* not asked for */
  check_local(WRONG_LOGP, 1, LBP_E_LOGP, SICK_SITE, 0.5, 0);

  check_dense(SOUND, LBP_OK, 0);
  check_dense(DENSE_DIFFERS, LBP_E_DELTAS, 0.25);
  check_dense(DENSE_UNDEFINED, LBP_E_DELTA_NAN, 0);
  check_dense(ONE_WAY, LBP_E_ANTISYMMETRY, 0.25);

  check_estimates(SOUND, LBP_OK);
  check_estimates(DENSE_DIFFERS, LBP_OK);
  check_estimates(DENSE_UNDEFINED, LBP_E_DELTA_NAN);
  check_estimates(NOT_REPEATABLE, LBP_E_NOT_REPEATABLE);

  check_fields(SOUND, LBP_OK, LBP_OK);
  check_fields(DRIFT, LBP_E_FIELDS, LBP_E_FIELDS);
  check_fields(HALF_RESTORED, LBP_OK, LBP_E_FIELDS);
  {
    static uint64_t ws[LBP_WS_LEN(SICK_N)];
    uint8_t x[SICK_N] = {0};
    uint64_t calls = 0;
    const sick sound = {SOUND, &calls}, no_logp = {UNDEFINED_LOGP, &calls};
    wp_chain p;
    wp_report rp;
    wm_chain m;
    sl_chain l;
    lbp_rng rng;
    lbp_rng_init(&rng, 4, 0);
    CHECK(wp_init(&p, SICK_N, x, ws, wp_ws_len(SICK_N)) == LBP_OK);
    rp = wp_check(&p, &sound, 5, &rng);
    CHECK(rp.status == LBP_E_BALANCE);
    CHECK_NEAR(rp.want - rp.got, rp.got / 0.4 * 0.2, 1e-9); /* log g(d) = 0.4 d should be d - 0.4 d */
    CHECK(wm_init(&m, SICK_N, x, ws, wm_ws_len(SICK_N)) == LBP_OK);
    CHECK(wm_check(&m, &sound, 5, &rng).status == LBP_OK);
    CHECK(sl_init(&l, SICK_N, x, ws, sl_ws_len(SICK_N)) == LBP_OK);
    CHECK(sl_check(&l, &no_logp, 5, &rng).status == LBP_E_LOGP);
  }
}
