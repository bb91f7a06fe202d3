# A row: effective samples per 10,000 evaluations, and microseconds of a step that takes four.
function samples(target, sampler,    x) {
  if (!how_many(tables, "target=" target ";sampler=" sampler)) return " |"
  x = at(tables, "target=" target ";sampler=" sampler, "ess_per_10k_queries")
  return " " (x < 10 ? digits(x, 2) : fixed(x, 0)) " |"
}
function costs(target, sampler,    row, x) {
  row = "target=" target ";sampler=" sampler
  if (!how_many(tables, row)) return " |"
  x = 400 * at(tables, row, "ess_per_10k_queries") / nonzero(at(tables, row, "ess_per_second"))
  return " " (x < 10 ? fixed(x, 1) : fixed(x, 0)) " |"
}
function say_row(name, target, told) {
  shown++
  say("| " name " |" samples(target, "Gibbs") samples(target, "DLP") samples(target, "AB-trace-damped") \
      samples(target, told) costs(target, "DLP") costs(target, "AB-trace-damped") costs(target, told))
}
function targets(    r, seen, count) {
  for (r = 1; r <= rows[tables]; r++) count += !seen[cell[tables, r, "target"]]++
  return count
}
function seconds(values) { return all(diagonals, values, "seconds") }
function sparse(n) { return seconds("matrix=cycle*;n=" n) " " seconds("matrix=Bara*;n=" n) }
function apart(    r, list) {
  for (r = 1; r <= rows[diagonals]; r++) {
    if (cell[diagonals, r, "csdp"] != "") list = list " " cell[diagonals, r, "trace"] / cell[diagonals, r, "csdp"] - 1
  }
  return highest(list)
}
function diagonal() {
  diagonals = read("any_scale/diagonal.csv")
  say_if(apart() < 1e-3, "its trace is within 10^-3 of that of CSDP")
  say("| dense, 784 | " between(seconds("n=784;matrix=dense*"), 1) " | " \
      between(all(diagonals, "n=784;matrix=dense*", "csdp_seconds"), 1) " |")
  say("| sparse, 2000 | " between(seconds("matrix=grid;n=2025") sparse(2000), 2) " | |")
  say("| sparse, 10^4 | " between(seconds("matrix=grid;n=10000") sparse(10000), 1) " | |")
}
# Of steps with a momentum: three numbers in a cell, of the distance, of log pi, of the worst site.
function of_momentum(target, eps, relax) { return "target=" target ";sampler=momentum;eps=" eps ";relax=" relax }
function beside(target, sampler) { return "target=" target ";sampler=" sampler }
function rates(values, over,    k, name, text) {
  for (k = split("distance logp worst_site", name, " "); k > 0; k--) {
    text = digits(at(momenta, values, name[k] "_per_second") / nonzero(at(momenta, over, name[k] "_per_second")), 2) \
           (text == "" ? "" : " / ") text
  }
  return text
}
# On the grid at the critical point and beyond, per second by AB told W: all three numbers.
function on_cold_grids(values,    k, target, list) {
  for (k = split("grid-0.4407 grid-0.7071", target, " "); k > 0; k--) {
    list = list " " rates("target=" target[k] ";" values, beside(target[k], "AB-trace-Hessian"))
  }
  gsub("/", "", list)
  return list
}
# Of log pi, with relax = 1 by relax = 0, for each eps.
function relaxed(target,    k, eps, list) {
  for (k = split("0 0.7 0.9", eps, " "); k > 0; k--) {
    list = list " " at(momenta, of_momentum(target, eps[k], 1), "logp_per_10k_queries") / \
      nonzero(at(momenta, of_momentum(target, eps[k], 0), "logp_per_10k_queries"))
  }
  return list
}
# The largest error of a figure in the table, in percent: of this target, or of all the others.
function worst_error(only,    r, k, name, target, list) {
  for (r = 1; r <= rows[momenta]; r++) {
    target = cell[momenta, r, "target"]
    if (target == "ba-0.3" || target == "grid-0.7071" || (only == "" ? target == "grid-0.4407" : target != only)) continue
    if (!is(momenta, r, "sampler=AB*") && !is(momenta, r, "eps=0.8;relax=0.4") && !is(momenta, r, "eps=0.9;relax=0") && \
        !is(momenta, r, "eps=0.7;relax=1")) continue
    for (k = split("distance logp worst_site", name, " "); k > 0; k--) {
      list = list " " 100 * cell[momenta, r, name[k] "_se"] / nonzero(cell[momenta, r, name[k] "_per_10k_queries"])
    }
  }
  return fixed(highest(list), 0)
}
function say_rates(name, target,    ab) {
  ab = beside(target, "AB-trace-Hessian")
  say("| " name " | " rates(of_momentum(target, "0.8", "0.4"), ab) " | " rates(of_momentum(target, "0.9", "0"), ab) " | " \
      rates(of_momentum(target, "0.7", "1"), ab) " | " rates(beside(target, "AB-1st"), ab) " |")
}
function momentum(    k, count, target, name) {
  momenta = read("any_scale/momentum.csv")
  count = split("grid-0.3 grid-0.4407 ba-0.4407 rotation-10 rotation-50 sparse-10 sparse-50", target, " ")
  split("Ising, 20 x 20 grid, J = 0.3|the same, J = 0.4407|Ising, Barabasi-Albert, J = 0.4407|rotated Gaussian, L = 10|" \
        "rotated Gaussian, L = 50|sparse Gaussian, L = 10|sparse Gaussian, L = 50", name, "|")
  for (k = 1; k <= count; k++) say_rates(name[k], target[k])
  say("a momentum with eps 0.7, relax 1 has " between(on_cold_grids("sampler=momentum;eps=0.7;relax=1"), 1) \
      " times the effective samples of AB told W, AB of the first order " between(on_cold_grids("sampler=AB-1st"), 1) " times")
  say("log pi has " between(relaxed("sparse-10") relaxed("sparse-50"), 1) " of the effective samples at relax = 1")
  say("Errors of effective samples are up to " worst_error("") " %, at J = 0.4407 on the grid up to " worst_error("grid-0.4407") " %")
  tables = read("any_scale/tables.csv")
  say("at J = 0.4407 and 0.7071 it gives " first_order("ba-0.4407") " and " first_order("ba-0.7071") " times as many")
  say("estimates W, on logistic regression " first_order("logistic") " times")
}
function first_order(target) {
  return fixed(ratio(tables, "target=" target, "sampler=AB-1st", "sampler=AB-trace-damped", "ess_per_second"), 1)
}

BEGIN {
  diagonal()
  momentum()
  tables = read("any_scale/tables.csv")
  say_row("Ising, 20 x 20 grid, J = 0.3", "grid-0.3", "AB-trace-Hessian")
  say_row("the same at the critical point, J = 0.4407", "grid-0.4407", "AB-trace-Hessian")
  say_row("Ising, Barabasi-Albert, 400 sites, J = 0.4407", "ba-0.4407", "AB-trace-Hessian")
  say_row("rotated Gaussian, {0 ... 20}^100, L = 10", "rotation-10", "AB-trace-Hessian")
  say_row("sparse Gaussian, {0 ... 20}^100, L = 50", "sparse-50", "AB-trace-Hessian")
  say_row("Bayesian logistic regression, d = 100", "logistic", "AB-trace-Hessian")
  say_row("quartic mixture, {0 ... 20}^50", "quartic", "AB-trace-Hessian")
  say_row("Ising, 100 x 100 grid, J = 0.3", "grid-10000", "AB-dominant-Hessian")
  say(after("any_scale/report.md", "", "[0-9]+ of [0-9]+ cells are within 3 standard errors or 10 %"))
  say("on the logistic regression it has " fixed(at(tables, "target=logistic;sampler=AB-trace", \
    "ess_per_10k_queries"), 0) \
      ", fewer than DLP and than AB of the first order, " \
      fixed(at(tables, "target=logistic;sampler=AB-1st", "ess_per_10k_queries"), 0))
  best = read("any_scale/report.md", "## Adapted against fixed settings")
  reached = all(best, "", "adapted / best")
  say("reaches " between(100 * lowest(reached) " " 100 * highest(reached), 0) " % of the best of " \
      after("any_scale/report.md", "the best of ", "[0-9]+ ") "fixed settings on all " word(rows[best]) " targets")
  say("on " word(shown) " of " word(targets()) " targets")
}
