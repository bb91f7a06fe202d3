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
function nat(table, sampler,    text) {
  text = value(table, "sampler=" sampler, "log-likelihood, nat")
  return text ~ /^-/ ? fixed(text, 1) : text
}
function both(name, sampler) { say("| " name " | " nat(mnist, sampler) " | " nat(omniglot, sampler) " |") }
function diverged(sampler) { return how_many(mnist, "sampler=" sampler ";log-likelihood, nat=diverged") }
BEGIN {
  say("Its model gives test pictures " \
      rounded(after("ebm/report.md", "log-likelihood ", "-?[0-9.]+ \\+- [0-9.]+")) " nat")
  costs = read("ebm/report.md", "## What a step costs")
  say("A step of 100 chains costs " fixed(100 * at(costs, "channels=16", "ms a state"), 0) " ms")
  say("the sampler takes " fixed(at(costs, "channels=16", "of a step"), 0) " %")
  say("the network runs at " fixed(at(costs, "channels=16", "of its own products"), 0) " % of the speed of sgemm")
  say_row("static MNIST", "mnist")
  say_row("dynamic MNIST", "dynamic")
  say_row("Omniglot", "omniglot")
  say_row("Caltech silhouettes", "caltech")
  mnist = read("ebm/report.md", "mnist: 8 steps an iteration")
  omniglot = read("ebm/report.md", "omniglot: 8 steps an iteration")
  both("ALBP, R tuned", "R tuned")
  both("LBP, R = 9", "R=9")
  both("LBP, R = 3", "R=3")
  both("AB, s tuned", "AB tuned")
  both("AB, sigma tuned", "AB sigma tuned")
  both("AB, algorithm 3", "AB algorithm 3")
  say("On static MNIST " diverged("R=*") " of " how_many(mnist, "sampler=R=*") " fixed R diverge, and " \
      diverged("AB, sigma*") " of " how_many(mnist, "sampler=AB, sigma*") " fixed scales of AB")
}
