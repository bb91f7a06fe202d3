function over_gibbs(target, sampler,    row) {
  row = "target=" target ";sampler=" sampler
  errors = errors " " at(race, row, "error_to_gibbs")
  return at(race, row, "per_second_to_gibbs")
}
# A row of one sampler, or of the best weight of one that has several.
function say_row(name, sampler,    k, target, text) {
  for (k = 1; k <= split("product_K4 potts_b0.8 glass_q4 protein_PF00014", target, " "); k++) {
    text = text " | " fixed(over_gibbs(target[k], sampler), 2)
  }
  say("| " name text " |")
}
function best_row(name, sampler, weights,    k, w, target, weight, text, best, x) {
  for (k = 1; k <= split("product_K4 potts_b0.8 glass_q4 protein_PF00014", target, " "); k++) {
    split(weights, weight, " ")
    best = 1
    for (w = 2; w in weight; w++) {
      x = ratio(race, "target=" target[k], "sampler=" sampler " " weight[w], "sampler=" sampler " " weight[best],
                "ess_per_second")
      if (x > 1) best = w
    }
    text = text " | " fixed(over_gibbs(target[k], sampler " " weight[best]), 2) " " \
      (weight[best] == "sqrt(t)" ? "sqrt" : weight[best])
  }
  say("| " name text " |")
}
# What the line of a training says.
function training(name,    text, n, part) {
  text = after("categorical_others.md", name " ", "[^;]*; best [0-9.]*[0-9]")
  n = split(text, part, /[ ,;]+/)
  cores = part[3]
  steps = part[5]
  best = fixed(part[n], 2)
  lower = part[9]
  higher = part[13]
}
function trainings(family, name,    text) {
  training(family ", examples/protein.c")
  text = "| " name " | 0.9 in " lower " s, 0.95 in " higher " s, with " cores " of a core | "
  training(family ", adabmDCA, as it is")
  text = text best " (" steps " gradient steps, " cores " of a core) | "
  training(family ", adabmDCA, 1000 chains")
  say(text best " (" steps ", " cores ") |")
}
BEGIN {
  race = read("categorical_race.csv")
  say_row("metropolised Gibbs", "metropolised Gibbs")
  best_row("LBP, R tuned, by its best weight", "ALBP", "heat-bath metropolised sqrt(t) t/(1+t)")
  best_row("GWG, R tuned, by the better of two", "AGWG", "heat-bath sqrt(t)")
  say_row("LBP, R = 1, sqrt", "LBP-1 sqrt(t)")
  say_row("discrete Langevin", "DLP")
  say_row("RWM, one site", "RWM-1")
  say("the largest of its errors is " fixed(highest(errors), 2))
  away = highest(all(race, "target=protein_PF00014", "chains_away"))
  say_if(away == at(race, "target=protein_PF00014;sampler=Gibbs", "chains_away"),
         "as many as " away " of 16, of the Gibbs sweep")
  say(within(read("categorical.csv"), read("../data/categorical.csv"), "model sampler weight R", \
             "acceptance ejd ess ess_hamming", 30) " figures within 3 standard errors or 3 %")
  trainings("PF00014", "PF00014, 4914 sequences")
  trainings("RF00379", "RF00379")
  n = split(after("categorical_others.md", "", "Gibbs [0-9.]+ us a step, [^,]*, [0-9.]+ times thrml"), part, " ")
  say("`LBP_HEAT_BATH` gives " fixed(ratio(race, "target=product_K4", "sampler=ALBP heat-bath", "sampler=ALBP metropolised", \
    "ess_per_second"), 1) " times the effective samples of `LBP_METROPOLISED`, on a Potts grid this " \
      fixed(ratio(race, "target=potts_b0.8", "sampler=ALBP metropolised", "sampler=ALBP sqrt(t)", "ess_per_second"), 1) " times")
  split(after("categorical_others.md", "64 chains at once", " +[0-9.]+ us a sweep of a chain, +[0-9]+"), crowd, " ")
  say("and " fixed(at(race, "target=potts_b0.8;sampler=Gibbs", "ess_per_second") / nonzero(crowd[8]), 1) \
      " times those with 64 chains at once")
  say("a Gibbs sweep gives " fixed(part[n - 2], 1) " times the effective samples per second that thrml")
}
