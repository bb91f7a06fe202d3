function nanoseconds(model, sampler, R) { return at(race, "model=" model ";sampler=" sampler, "ns_a_step") / R }
function of_path(model) { return nanoseconds(model, "path t/(1+t) R = 31", 31) }
function single(model) { return nanoseconds(model, "LBP t/(1+t) R = 1", 1) }
function path_over_step(model) { return digits(of_path(model) / nonzero(single(model)), 2) }
function both(model) { return "(" fixed(of_path(model), 0) " and " fixed(single(model), 0) " ns)" }
function accepted(R) {
  return fixed(at(race, "model=hardcore 1;sampler=path t/(1+t) R = " R, "acceptance"), 3) " at R = " R
}
function second(sampler) { return all(race, "model=hardcore 1;sampler=" sampler, "ess_per_second") }
# A jump of the clock over a step of LBP-1 with the same weights: times of an update.
function clocks(    r, here, list) {
  for (r = 1; r <= rows[sharp]; r++) {
    if (!is(sharp, r, "statistic=energy;sampler=clock t/(1+t)")) continue
    here = "target=" cell[sharp, r, "target"]
    list = list " " ratio(sharp, here, "sampler=clock t/(1+t)", "sampler=LBP-1", "ess_per_1000_evaluations") / \
      nonzero(ratio(sharp, here, "sampler=clock t/(1+t)", "sampler=LBP-1", "ess_per_second"))
  }
  return between(list, 2)
}
BEGIN {
  race = read("constraints_race.csv")
  sharp = read("sharp.csv")
  say("Acceptance hardly falls with R (" accepted(31) ", " accepted(301))
  say("| path, independent sets | " path_over_step("hardcore 1") " times " both("hardcore 1") " |")
  say("| path, Ising grid | " path_over_step("ising-free 0.2") " times " both("ising-free 0.2") " |")
  say("| clock, [sharp targets](../bench/results/sharp.csv) | " clocks() " times |")
  tuned = highest(second("LBP t/(1+t) tuned") second("LBP sqrt(t) tuned"))
  say("LBP with tuned R gives " digits(tuned / nonzero(highest(second("path*"))), 2) " times as many as a path, a Gibbs sweep " \
      digits(highest(second("Gibbs sweep")) / nonzero(tuned), 2) " times as many as that LBP")
}
