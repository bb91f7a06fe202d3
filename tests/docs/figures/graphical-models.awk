# Mean squares of error over standard error in the sampled runs of a file: of marginals, of all networks or all but
# pathfinder; and of log10 Z, of pathfinder alone or of all others.
function of_marginals(file, pathfinder,    r, sum, count) {
  for (r = 1; r <= rows[file]; r++) {
    if (!is(file, r, "method=sampled") || cell[file, r, "cells"] + 0 == 0) continue
    if (!pathfinder && is(file, r, "network=pathfinder.uai")) continue
    sum += cell[file, r, "z2"]
    count++
  }
  return sum / count
}
function of_log_z(file, pathfinder,    r, z, sum, count) {
  for (r = 1; r <= rows[file]; r++) {
    if (!is(file, r, "method=sampled") || is(file, r, "network=pathfinder.uai") != pathfinder) continue
    if (cell[file, r, "pr_se"] + 0 == 0) continue
    z = cell[file, r, "pr_error"] / cell[file, r, "pr_se"]
    sum += z * z
    count++
  }
  return sum / count
}
# networks with a warning in most runs
function warned_networks(file,    r, name, runs, warnings, count) {
  for (r = 1; r <= rows[file]; r++) {
    if (!is(file, r, "method=sampled")) continue
    name = cell[file, r, "network"]
    runs[name]++
    warnings[name] += cell[file, r, "warned"]
  }
  for (name in runs) count += 2 * warnings[name] > runs[name]
  return count + 0
}
function silent(file,    r, count) {
  for (r = 1; r <= rows[file]; r++) {
    count += is(file, r, "method=sampled") && !cell[file, r, "warned"] && cell[file, r, "error"] > 0.01
  }
  return count + 0
}
function say_row(file, seconds, seeds) {
  say("| " seconds " | " seeds " | " warned_networks(file) " of " how_many(file, "method=exact") " | " \
      silent(file) " | " sprintf("%.2f", of_marginals(file, 0)) " | " sprintf("%.2f", of_log_z(file, 0)) " | " \
      sprintf("%.0f", of_log_z(file, 1)) " |")
}
# of one program on both networks
function next_to(program, shown,    n, k, network, row, line) {
  n = split("testfast alarm", network, " ")
  for (k = 1; k <= n; k++) {
    row = "network=" network[k] ";program=" program ";method="
    line = line " | " (how_many(others, row "exact") ? digits(1000 * at(others, row "exact", "seconds"), 2) : "-") " | " \
           (how_many(others, row "sampled") ? digits(root(mean(all(others, row "sampled", "mse")) * \
              mean(all(others, row "sampled", "seconds"))), 2) : "-")
  }
  say("| " shown line " |")
}
function ns(x) { return x >= 100 ? fixed(x, 0) : fixed(x, 1) }
function as_graph(shown, model,    row) {
  row = "model=" model ";by=graph"
  say("| " shown " | " ns(at(terms, row, "ns_a_site")) " | " ns(at(terms, row, "by_hand")) " | " fixed(at(terms, row, "ratio"), 2) " |")
}
BEGIN {
  terms = read("speed/terms.csv")
  say("A Gibbs sweep costs " between(all(terms, "by=graph", "ratio"), 1) " times as much as one whose log-ratios are written by hand")
  as_graph("Potts, 4 values, 8 neighbours", "Potts of 8 neighbours")
  as_graph("5000 terms of 3 sites with 5 values, 400 different tables", "400 tables")
  as_graph("the same, 5000 different tables", "5000 tables")
  others = read("infer_others.csv")
  next_to("lbp", "`infer`")
  next_to("libDAI", "libDAI 0.3.0")
  next_to("pgmpy", "pgmpy 1.1.2")
  say_row(read("infer.csv"), 4, 20)
  say_row(read("infer_30.csv"), 30, 1)
  say("with it those of marginals are " sprintf("%.2f and %.2f", of_marginals("infer.csv", 1), of_marginals("infer_30.csv", 1)))
}
