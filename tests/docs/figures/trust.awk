# A whole number with commas between thousands.
function commas(x) {
  x = sprintf("%.0f", x)
  while (match(x, /^[0-9]+[0-9][0-9][0-9]($|,)/) && RLENGTH > 3) sub(/[0-9][0-9][0-9]($|,)/, ",&", x)
  return x
}
# Rows are of a version each; those of the report's own count.
function machines(    on, version, r, now, passed, failed, same, excepted, older, measured) {
  on = read("portability.md", "| compiler |")
  version = after("portability.md", "lbp ", "[0-9.]+[0-9]")
  for (r = 1; r <= rows[on]; r++) {
    if (index(cell[on, r, "of"], version ",") != 1) {
      older++
      continue
    }
    now++
    passed += cell[on, r, "passed"]
    failed += cell[on, r, "failed"]
    same += cell[on, r, "same draws"] == "yes"
    excepted += cell[on, r, "same draws"] ~ /^excepted, (fast|wide)$/
  }
  say_if(same + excepted == now && failed == 0, "[" now " rows](../bench/results/portability.md), " commas(passed) \
         " checks passed, none failed, the same draws in " same "; " excepted " are excepted (`-Ofast`, the x87)" \
         (older ? "; " older " more " (older > 1 ? "are" : "is") " older" : ""))
  measured = after("paper/report.md", "lbp ", "[0-9.]+[0-9]")
  say_if(!older && after("table1/report.md", "lbp ", "[0-9.]+[0-9]") == measured, \
         "Figures on this page are of version " version ", those of `make bench` and `make bench-paper` of " measured)
}
function two_cells(measure) { return after("paper/report.md", measure ": ", "[0-9]+ of [0-9]+") }
function best_at(sampler, column) { return all(peaks, "model=bernoulli;size=N=6400;sampler=" sampler, column) }
# Slopes of the best R over the largest sizes of a model.
function growth(model,    config, k, list) {
  for (k = 1; k <= 3; k++) {
    config = "quantity=best_R;model=" model ";config=C" k
    list = list " " at(slopes, config ";from_sites=" highest(all(slopes, config, "from_sites")), "slope")
  }
  return "N^" fixed(lowest(list), 3) " to N^" fixed(highest(list), 3)
}
function paper(    of, list) {
  say(after("table1/report.md", "", "[0-9]+ of [0-9]+ figures are within 10 % of the reference's"))
  say(substr(after("table1/report.md", "", "[0-9]+ of [0-9]+ figures are within 10 % of the paper's"), 1, 16) " within 10 % of the paper's")
  say("not compared: " after("table1/report.md", "figures are within 10 % of the reference's (", "[0-9]+") " and " \
      after("table1/report.md", "figures are within 10 % of the paper's (", "[0-9]+"))
  say(two_cells("Expected jump distance") " jump distances and " two_cells("Effective sample size") \
      " effective sample sizes are within 3 standard errors or 3 %")
  peaks = read("paper/peaks.csv")
  say("(Bernoulli, N = 6400) | " between(best_at("LBP", "acceptance"), 3) " and " between(best_at("RWM", "acceptance"), 3) \
      ", each +- " between(best_at("LBP", "acceptance_se") best_at("RWM", "acceptance_se"), 3) " |")
  slopes = read("paper/slopes.csv")
  of = "model=bernoulli;quantity=best_R;from_sites=12800"
  list = all(slopes, of, "slope")
  say("Bernoulli, 12800 to " highest(all(slopes, of, "to_sites")) " sites | N^" fixed(lowest(list), 3) " to N^" \
      fixed(highest(list), 3) " |")
  say("| Ising models | " growth("ising") " |")
  say("| factorial HMMs | " growth("fhmm") " |")
}
# The last cell of a row: how many times as long steps of checked builds take, of some samplers of a header.
function checked(header, names,    n, k, part, list) {
  n = split(names, part, " ")
  for (k = 1; k <= n; k++) list = list all(builds, "build=LBP_CHECKED;header=" header ";sampler=" part[k], "ratio")
  return " | " between_digits(list, 2) " |"
}
function what_builds_cost() {
  builds = read("speed/builds.csv")
  say("| LBP-R, GWG-R" checked("lbp.h", "LBP GWG"))
  say("| sweeps of `lbp.h`" checked("lbp.h", "Gibbs Metropolis"))
  say("| LBP-1, RWM-R" checked("lbp.h", "LBP-1 RWM"))
  say("| AB, DLP, RWM of `lbp_ab.h`" checked("lbp_ab.h", "AB DLP RWM"))
  say("| Gibbs sweeps of `lbp_ab.h`" checked("lbp_ab.h", "Gibbs"))
  say("(up to " fixed(100 * highest(all(builds, "build=LBP_EXACT;header=lbp_ab.h", "ratio")) - 100, 0) \
      " % slower in `lbp_ab.h`")
}
BEGIN {
  what_builds_cost()
  machines()
  paper()
}
