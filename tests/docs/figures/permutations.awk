function part_of(sampler, weight, R, column) {
  return at(ours, "model=matching 10;sampler=" sampler ";weight=" weight ";R=" R, column)
}
function accepted(sampler, R) { return fixed(part_of(sampler, "t/(1+t)", R, "acceptance"), 3) }
function sweep_over(sampler) {
  return digits(ratio(race, "model=matching 10", "sampler=exchange sweep", "sampler=" sampler, "ess_per_second"), 2)
}
BEGIN {
  ours = read("constraints.csv")
  race = read("constraints_race.csv")
  say("a uniform exchange is accepted with " fixed(part_of("uniform-swap", "-", 1, "acceptance"), 3))
  say("the row step with " accepted("row-exchange", 1) ", with row weights " accepted("row-exchange-informed", 1))
  say("one pair from the table with " accepted("informed-exchange", 1))
  say("four at once with " accepted("informed-exchange", 4) ", which changes " \
      fixed(part_of("informed-exchange", "t/(1+t)", 4, "ejd"), 1) " rows a step")
  say("Sweeps still have " sweep_over("row t/(1+t)") " times the effective samples per second of row steps there")
  best = read("constraints.md", "| jump distance over R")
  say("change " digits(ratio(best, "jump distance over R=matching 10, informed-exchange", "weight=t/(1+t)", "weight=sqrt(t)", \
    "jump distance"), 2) " times as many rows a step as by `LBP_SQRT` with the best R of each, and give " \
      digits(ratio(race, "model=matching 10", "sampler=pairs t/(1+t) tuned", "sampler=pairs sqrt(t) tuned", "ess_per_second"), 2) \
      " times as many effective samples per second")
  say("and " sweep_over("pairs t/(1+t) R = 1") " times those of single pairs")
}
