function to_gibbs(target, sampler) {
  return fixed(at(sharp, "target=" target ";sampler=" sampler ";marginals=" marginals, "seconds_to_gibbs"), 0)
}
function colder(sampler, places) {
  return fixed(at(sharp, "target=ising-.8;sampler=" sampler ";marginals=" marginals, "seconds_to_gibbs"), places)
}
function ab(targets) {
  return ratios(tables, "target", targets, "sampler=AB-trace-damped", "sampler=Gibbs", "ess_per_second")
}
BEGIN {
  sharp = read("sharp.csv")
  compare = read("compare/compare.csv")
  tables = read("any_scale/tables.csv")
  marginals = "plain"
  say("Ising at beta = 1.2: " to_gibbs("ising-1.2", "skip Gibbs") ", " to_gibbs("ising-1.2", "clock t/(1+t)") " and " \
      to_gibbs("ising-1.2", "LBP-1") " times per second what a Gibbs sweep by level gives; at beta = 0.8 " \
      colder("skip Gibbs", 1) ", " colder("clock t/(1+t)", 2) " and " colder("LBP-1", 2) " times")
  sweeps_on_smooth_targets(compare)
  marginals = "rb"
  say("the clock, " to_gibbs("selection-1000-.64", "clock birth-death") " times a Gibbs sweep's per second")
  say("LBP on a neural energy " \
      between(at(compare, "model=network;sampler=ALBP", "second_ratio") " " \
              at(compare, "model=network;sampler=ALBP-sqrt", "second_ratio"), 0) " times Gibbs per second")
  say("AB and DLP on logistic regression " \
      between(ab("logistic") ratios(tables, "target", "logistic", "sampler=DLP", "sampler=Gibbs", "ess_per_second"), \
      0) \
      " times, AB on a quartic mixture " fixed(ab("quartic"), 0))
  say("On Barabasi-Albert graphs and sparse Gaussians " \
      between(ab("ba-0.3 ba-0.4407 ba-0.7071 sparse-2 sparse-10 sparse-50"), 1) " times Gibbs per second")
  say("on a grid " between(ab("grid-0.3 grid-0.4407 grid-0.7071"), 1) " times")
  say("on rotated Gaussians from " fixed(ab("rotation-2"), 0) " times ahead")
  say("to " fixed(1 / nonzero(ab("rotation-50")), 0) " times behind")
}
