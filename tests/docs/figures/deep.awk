# The fewest steps over seeds: "8", "16 to 32", "64 to > 64", "> 64".
function over_seeds(list,    n, k, part, counts, more) {
  n = split(list, part, /, */)
  for (k = 1; k <= n; k++) {
    if (part[k] ~ />/) more = part[k]
    else counts = counts " " part[k]
  }
  if (more == "") return between(counts, 0)
  return counts == "" ? more : fixed(lowest(counts), 0) " to " more
}
function say_row(name, data,    table, k, sampler, text) {
  table = read("ebm/report.md", data ": `--channels")
  for (k = 1; k <= split("LBP_b-1 ALBP_b LBP_s-1 ALBP_s", sampler, " "); k++) {
    text = text " | " over_seeds(value(table, "within, nat=10", sampler[k]))
  }
  say("| " name text " |")
}
function rounded(text,    part) {
  split(text, part, / \+- /)
  return fixed(part[1], 1) " +- " fixed(part[2], 1)
}
function nat(sampler,    text) { # of the table `tuned`
  text = value(tuned, "sampler=" sampler, "log-likelihood, nat")
  return text ~ /^-/ ? fixed(text, 1) : text
}
function diverged(sampler) { return how_many(tuned, "sampler=" sampler ";log-likelihood, nat=diverged") }
BEGIN {
  say("its model gives test pictures " \
      rounded(after("ebm/report.md", "log-likelihood ", "-?[0-9.]+ \\+- [0-9.]+")) " nat")
  costs = read("ebm/report.md", "## What a step costs")
  say("A step of 100 chains costs " fixed(100 * at(costs, "channels=16", "ms a state"), 0) " ms")
  say("the sampler takes " fixed(at(costs, "channels=16", "of a step"), 0) " %")
  say("the network runs at " fixed(at(costs, "channels=16", "of its own products"), 0) " % of what sgemm gives")
  say_row("static MNIST", "mnist")
  say_row("dynamic MNIST", "dynamic")
  say_row("Omniglot", "omniglot")
  say_row("Caltech silhouettes", "caltech")
  tuned = read("ebm/report.md", "mnist: 8 steps an iteration")
  say("R tuned comes to " nat("R tuned") " nat, AB with s tuned to " nat("AB tuned") ", with sigma tuned to " \
      nat("AB sigma tuned"))
  say("R = 9 at " nat("R=9") " and R = 3 at " nat("R=3"))
  say(diverged("R=*") " of " how_many(tuned, "sampler=R=*") " fixed R diverge, " diverged("AB, sigma*") " of " \
      how_many(tuned, "sampler=AB, sigma*") " fixed scales")
  if (nat("AB algorithm 3") == "diverged") say("and algorithm 3")
  tuned = read("ebm/report.md", "omniglot: 8 steps an iteration")
  say("On Omniglot R tuned comes to " nat("R tuned") ", R = 3 to " nat("R=3") ", R = 9 to " nat("R=9") ", algorithm 3 to " \
      nat("AB algorithm 3"))
  if (nat("AB tuned") nat("AB sigma tuned") == "unknownunknown") say("of AB with s or sigma tuned annealing misses log Z")
}
