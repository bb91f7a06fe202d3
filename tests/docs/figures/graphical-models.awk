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
BEGIN {
  others = read("infer_others.csv")
  next_to("lbp", "`infer`")
  next_to("libDAI", "libDAI 0.3.0")
  next_to("pgmpy", "pgmpy 1.1.2")
  say_row(read("infer.csv"), 4, 20)
  say_row(read("infer_30.csv"), 30, 1)
  say("with it those of marginals are " sprintf("%.2f and %.2f", of_marginals("infer.csv", 1), of_marginals("infer_30.csv", 1)))
}
