function machines(    on, r, sum, different) {
  on = read("portability.md", "| compiler |")
  for (r = 1; r <= rows[on]; r++) different += cell[on, r, "same draws"] !~ /^(yes|excepted.*\(yes\))$/
  split(after("portability.md", "", "[0-9]+ passed, [0-9]+ failed"), sum, " ")
  say_if(!different && sum[3] == 0, "[" rows[on] " rows](../bench/results/portability.md), " sum[1] \
         " checks passed, none failed, the same draws in all")
}
function cells(measure) { return after("paper/report.md", measure ": ", "[0-9]+ of [0-9]+") }
function best_at(sampler, column) { return all(peaks, "model=bernoulli;size=N=6400;sampler=" sampler, column) }
function paper(    of, list) {
  say(cells("Expected jump distance") " jump distances and " cells("Effective sample size") \
      " effective sample sizes are within 3 standard errors or 3 %")
  peaks = read("paper/peaks.csv")
  say("is at acceptance rate " between(best_at("LBP", "acceptance"), 3) " (LBP) and " \
      between(best_at("RWM", "acceptance"), 3) " (RWM), each +- " \
      between(best_at("LBP", "acceptance_se") best_at("RWM", "acceptance_se"), 3))
  slopes = read("paper/slopes.csv")
  of = "model=bernoulli;quantity=best_R;from_sites=12800"
  list = all(slopes, of, "slope")
  say("the best R grows as N^" fixed(lowest(list), 3) " to N^" fixed(highest(list), 3) " from 12800 to " \
      highest(all(slopes, of, "to_sites")) " sites")
}
BEGIN {
  machines()
  paper()
}
