# The fewest steps with which a sampler comes within 10 nat of the best of a seed, of those that were tried; "> most" if
# none are enough.
function fewest(data, sampler, seed,    r, best, steps, most) {
  best = highest(all(trainings, "data=" data ";seed=" seed ";log_likelihood=-*", "log_likelihood"))
  for (r = 1; r <= rows[trainings]; r++) {
    if (!is(trainings, r, "data=" data ";sampler=" sampler ";seed=" seed)) continue
    if (cell[trainings, r, "steps"] > most + 0) most = cell[trainings, r, "steps"] + 0
    if (cell[trainings, r, "log_likelihood"] !~ /^-/ || cell[trainings, r, "log_likelihood"] < best - 10) continue
    if (steps == "" || cell[trainings, r, "steps"] < steps) steps = cell[trainings, r, "steps"] + 0
  }
  return steps == "" ? "> " most : steps
}
# Over three seeds.
function over_seeds(data, sampler,    seed, got, list, more) {
  for (seed = 1; seed <= 3; seed++) {
    got = fewest(data, sampler, seed)
    if (got ~ />/) more = got
    else list = list " " got
  }
  if (more == "") return between(list, 0)
  return list == "" ? more : fixed(lowest(list), 0) " to " more
}
function row(name, data) {
  say("| " name " | " over_seeds(data, "LBP_b-1") " | " over_seeds(data, "ALBP_b") " | " over_seeds(data, "LBP_s-1") \
      " | " over_seeds(data, "ALBP_s") " |")
}
BEGIN {
  models = read("ebm/report.md", "## Models")
  say("its model gives test pictures " value(models, "data=static MNIST", "log-likelihood, nat") " nat")
  costs = read("ebm/report.md", "## What a step costs")
  say("A step of 100 chains costs " fixed(100 * at(costs, "channels=16", "ms a state"), 0) " ms")
  say("the sampler takes " fixed(at(costs, "channels=16", "of a step"), 0) " %")
  say("the network runs at " fixed(at(costs, "channels=16", "of its own products"), 0) " % of what sgemm gives")
  trainings = read("ebm/ebm_steps.csv")
  row("static MNIST", "mnist")
  row("Caltech silhouettes", "caltech")
}
