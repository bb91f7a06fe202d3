function over_gibbs(target, sampler,    row) {
  row = "target=" target ";sampler=" sampler
  errors = errors " " at(race, row, "error_to_gibbs")
  return at(race, row, "per_second_to_gibbs")
}
# A row of one sampler, or of the best weight of one that has several.
function row(name, sampler,    k, target, text) {
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
BEGIN {
  race = read("categorical_race.csv")
  row("metropolised Gibbs", "metropolised Gibbs")
  best_row("LBP, R tuned, by its best weight", "ALBP", "heat-bath metropolised sqrt(t) t/(1+t)")
  best_row("GWG, R tuned, by the better of two", "AGWG", "heat-bath sqrt(t)")
  row("LBP, R = 1, sqrt", "LBP-1 sqrt(t)")
  row("discrete Langevin", "DLP")
  row("RWM, one site", "RWM-1")
  say("the largest of its errors is " fixed(highest(errors), 2))
  away = highest(all(race, "target=protein_PF00014", "chains_away"))
  say_if(away == at(race, "target=protein_PF00014;sampler=Gibbs", "chains_away"),
         "as many as " away " of 16, of the Gibbs sweep")
  say(within(read("categorical.csv"), read("../data/categorical.csv"), "model sampler weight R", \
             "acceptance ejd ess ess_hamming", 30) " figures within 3 standard errors or 3 %")
}
