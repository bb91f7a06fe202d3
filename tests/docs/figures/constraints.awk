# ESS per second of the best of both weights, or of one sampler
function second(model, sampler) { return digits(at(race, "model=" model ";sampler=" sampler, "ess_per_second"), 3) }
function better(model, before, after,    one, other) {
  one = at(race, "model=" model ";sampler=" before " t/(1+t)" after, "ess_per_second")
  other = at(race, "model=" model ";sampler=" before " sqrt(t)" after, "ess_per_second")
  return digits(one > other ? one : other, 3)
}
function swaps(name, model, plain) {
  say(sprintf("| %s | %s |%s | %s | %s | %s | %s |", name, digits(at(race, "model=" model ";sampler=Kawasaki", "acceptance"), 2),
              plain ? " " second(model, "Kawasaki in plain C") : "", second(model, "Kawasaki sweep"),
              better(model, "swap", " R = 1"), better(model, "swap", " tuned"), better(model, "remove-add", " R = 50")))
}
BEGIN {
  race = "constraints_race.csv"
  read(race)
  swaps("800 independent sites, 200 ones", "product-k200", 1)
  swaps("the same in groups of 8, 2 ones each", "product-100x8-k2", 0)
  swaps("Ising 50 x 50, coupling 0.2, half ones", "ising 0.2", 1)
  swaps("the same, coupling 0.4", "ising 0.4", 1)
  swaps("G1 cut into halves", "g1 0.2", 1)
  say(sprintf("| 10 of 100 columns of a regression | %s | | %s | %s | %s | |", digits(at(race, "model=varsel 10;sampler=Kawasaki", "acceptance"), 2),
              second("varsel 10", "Kawasaki sweep"), better("varsel 10", "swap", " R = 1"), better("varsel 10", "swap", " tuned")))
  say(sprintf("| matching of 30 rows | %s | %s | %s | %s | %s | |", digits(at(race, "model=matching 10;sampler=exchange sweep", "acceptance"), 1),
              second("matching 10", "exchange in plain C"), second("matching 10", "exchange sweep"),
              second("matching 10", "pairs t/(1+t) R = 1"), better("matching 10", "pairs", " tuned")))
}
