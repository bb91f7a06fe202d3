/* Part of bridge.sh: every warning that the headers' enums have, one after another, has a sentence and its name in the
 * bridge. warnings.h, which bridge.sh makes of lbp/run/want.h and lbp/run/ais.h, has a line NAMED(kind, name) for each. */
#include "../../examples/bridge/field.c"
#include "../test.h"

/* The sampler has this warning alone, by a run (0) or for log Z (1). */
static void test_warning(lbp_bridge_sampler *s, int ais, unsigned warning, const char *name) {
  const char *got, *sentence, *none = ais ? lbp_ais_advice(0) : lbp_run_advice(0);
  s->driver = ais ? LBP_P_BRIDGE_AIS : LBP_P_BRIDGE_RUN;
  s->ais.warnings = ais ? warning : 0;
  s->result.warnings = ais ? 0 : warning;
  got = lbp_bridge_warning_name(s, 0);
  sentence = lbp_bridge_warning(s, 0);
  CHECK(got && strcmp(got, name) == 0);
  CHECK(sentence && strcmp(sentence, none) != 0);
  CHECK(!lbp_bridge_warning(s, 1) && !lbp_bridge_warning_name(s, 1));
  if (!got || strcmp(got, name) != 0) printf("%s: the bridge has no such name\n", name);
}

int main(void) {
  lbp_bridge_sampler *s = (lbp_bridge_sampler *)calloc(1, sizeof *s);
  if (!s) return 1;
#define NAMED(ais, name) test_warning(s, ais, name, #name);
#include "warnings.h"
  free(s);
  return test_report();
}
