function to_gibbs(target, sampler) {
  return fixed(at(sharp, "target=" target ";sampler=" sampler ";marginals=" marginals, "seconds_to_gibbs"), 0)
}
function colder(sampler, places) {
  return fixed(at(sharp, "target=ising-.8;sampler=" sampler ";marginals=" marginals, "seconds_to_gibbs"), places)
}
function sharp_row(target, times) { say("| " target " | skip sweep, rejection-free, LBP-1 | " times " |") }
function ab(targets) {
  return ratios(tables, "target", targets, "sampler=AB-trace-damped", "sampler=Gibbs", "ess_per_second")
}
# The lowest figure next to plain C.
function slowest() { return lowest(all(peers, "peer=plain C*", "lowest")) }
function critical(sampler) {
  return digits(ratio(clusters, "target=ising-64", "sampler=" sampler, "sampler=Gibbs", "ess_per_s"), 2)
}
function by_level(target) { return ratio(clusters, "target=" target, "sampler=Metropolis", "sampler=Gibbs", "ess_per_s") }
BEGIN {
  say("compared with the reference and the paper: " fixed(at(read("times.md", "| benchmark |"), "benchmark=table1", "minutes"), 0) \
      " minutes on two cores")
  sharp = read("sharp.csv")
  compare = read("compare/compare.csv")
  tables = read("any_scale/tables.csv")
  marginals = "plain"
  sharp_row("sharp, nearly all flips rejected: Ising, beta = 1.2", \
            to_gibbs("ising-1.2", "skip Gibbs") ", " to_gibbs("ising-1.2", "clock t/(1+t)") ", " to_gibbs("ising-1.2", "LBP-1"))
  sharp_row("the same at beta = 0.8", \
            colder("skip Gibbs", 1) ", " colder("clock t/(1+t)", 2) ", " colder("LBP-1", 2))
  sweeps_on_smooth_targets(compare)
  marginals = "rb"
  conditionals = to_gibbs("selection-1000-.64", "clock birth-death")
  marginals = "plain"
  say("| rejection-free | " conditionals " by means of conditionals, " \
      fixed(at(sharp, "target=selection-1000-.64;sampler=clock birth-death;marginals=plain", "seconds_to_gibbs"), 1) " by means of draws; " \
      digits(at(sharp, "target=selection-1000-.64-b;sampler=clock birth-death;marginals=rb", "seconds_to_gibbs"), 2) ", " \
      digits(at(sharp, "target=selection-1000-.64-b;sampler=clock birth-death;marginals=plain", "seconds_to_gibbs"), 2) " |")
  say("| LBP, R tuned | " between(at(compare, "model=network;sampler=ALBP", "second_ratio") " " \
                         at(compare, "model=network;sampler=ALBP-sqrt", "second_ratio"), 0) " |")
  say("| AB and DLP; AB | " \
      between(ab("logistic") ratios(tables, "target", "logistic", "sampler=DLP", "sampler=Gibbs", "ess_per_second"), 0) \
      "; " fixed(ab("quartic"), 0) " |")
  say("Barabasi-Albert graphs, sparse Gaussians | AB | " \
      between(ab("ba-0.3 ba-0.4407 ba-0.7071 sparse-2 sparse-10 sparse-50"), 1) " |")
  peers = read("overview.csv")
  say("Plain C for one target is [up to " fixed(1 / nonzero(slowest()), 1) " times as fast]")
  clusters = read("clusters/clusters.csv")
  say("`NAME_metropolis_sweep` by level gives " between(by_level("ising-32") " " by_level("ising-64") " " by_level("ising-128"), 1) \
      " times a Gibbs sweep's there, but " fixed(by_level("ising-64-cold"), 1) " times at beta = 0.48")
  say("critical Ising grids, not in lbp, [about " digits(at(compare, "model=critical-64;sampler=Metropolis", "second_ratio") * \
      ratio(clusters, "target=ising-64", "sampler=Gibbs", "sampler=Metropolis", "ess_per_s"), 2) " times]")
  say("| a ferromagnet at its critical point, 64 x 64 sites | Wolff, Swendsen-Wang; lanes | " critical("Wolff") ", " \
      critical("Swendsen-Wang") "; " critical("lanes") " |")
  say("| grids; rotated Gaussians | AB | " between(ab("grid-0.3 grid-0.4407 grid-0.7071"), 1) "; " \
      fixed(ab("rotation-2"), 0) " down to 1/" fixed(1 / nonzero(ab("rotation-50")), 0) " |")
}
