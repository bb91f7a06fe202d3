# ESS per second of one sampler, or of the best of both weights
function second(model, sampler) { return digits(at(race, "model=" model ";sampler=" sampler, "ess_per_second"), 3) }
function better(model, begin, end) {
  return digits(highest(all(race, "model=" model ";sampler=" begin " t/(1+t)" end, "ess_per_second") \
                        all(race, "model=" model ";sampler=" begin " sqrt(t)" end, "ess_per_second")), 3)
}
# On models with interactions, weights sqrt(t) by t/(1+t).
function by_root(begin, end,    k, model, list) {
  for (k = split("ising 0.2;ising 0.4;g1 0.2", model, ";"); k > 0; k--) {
    list = list " " ratio(race, "model=" model[k], "sampler=" begin " sqrt(t)" end, "sampler=" begin " t/(1+t)" end, "ess_per_second")
  }
  return list
}
function accepted(model, sampler, count) {
  return digits(at(race, "model=" model ";sampler=" sampler, "acceptance"), count)
}
function evaluation(model, sampler) {
  return digits(at(race, "model=" model ";sampler=" sampler, "ess_per_1000_evaluations"), 2)
}
function swaps(name, model, plain) {
  plain = plain ? " " second(model, "Kawasaki in plain C") : ""
  say("| " name " | " accepted(model, "Kawasaki", 2) " |" plain " | " second(model, "Kawasaki sweep") \
      " | " better(model, "swap", " R = 1") " | " better(model, "swap", " tuned") \
      " | " better(model, "remove-add", " R = 50") " |")
}
function race_of_all() {
  race = read("constraints_race.csv")
  swaps("800 independent sites, 200 ones", "product-k200", 1)
  swaps("the same in groups of 8, 2 ones each", "product-100x8-k2", 0)
  swaps("Ising 50 x 50, coupling 0.2, half ones", "ising 0.2", 1)
  swaps("the same, coupling 0.4", "ising 0.4", 1)
  swaps("G1 cut into halves", "g1 0.2", 1)
  say("| 10 of 100 columns of a regression | " accepted("varsel 10", "Kawasaki", 2) " | | " \
      second("varsel 10", "Kawasaki sweep") " | " better("varsel 10", "swap", " R = 1") " | " \
      better("varsel 10", "swap", " tuned") " | |")
  say("| matching of 30 rows | " accepted("matching 10", "exchange sweep", 1) " | " \
      second("matching 10", "exchange in plain C") " | " second("matching 10", "exchange sweep") " | " \
      second("matching 10", "pairs t/(1+t) R = 1") " | " better("matching 10", "pairs", " tuned") " | |")
  say("swaps gave " between(by_root("swap", " tuned"), 1) " times as many effective samples per second as by `LBP_BARKER`, but R = 1 " \
      between(by_root("swap", " R = 1"), 1) " times, and paths " between(by_root("remove-add", " R = 50"), 1) " times")
  say("down to acceptance rates of " accepted("matching 10", "exchange sweep", 1))
  say("per 1000 answers uniform swaps give " evaluation("varsel 10", "Kawasaki sweep"))
  say("swaps by weights " evaluation("varsel 10", "swap t/(1+t) R = 1") ", with a tuned R " \
      evaluation("varsel 10", "swap t/(1+t) tuned"))
  say("uniform exchanges give more even per 1000 log-ratios, " evaluation("matching 10", "exchange sweep") " against " \
      evaluation("matching 10", "pairs t/(1+t) R = 1"))
}

# Against the reference; a note has how many log-ratios a step takes.
function of_reference(    note) {
  ours = read("constraints.csv")
  note = value(ours, "model=matching 10;sampler=informed-exchange;weight=t/(1+t);R=1", "note")
  sub(/.*evals=/, "", note)
  say("a step from the table of pairs asks for " fixed(note, 0) " of them")
  say(within(ours, read("../data/constraints.csv"), "model sampler weight R", "acceptance ejd ess", 20) \
      " figures, acceptance, jump distance and effective sample size of " rows[ours] \
      " rows of samplers and models, are within 3 standard errors or 3 %")
}

function what_to_tune_to(    best) {
  best = read("constraints.md", "| jump distance over R")
  say("Tuning R to 0.574 loses at most " fixed(highest(all(best, "", "lost at 0.574, %")), 1) " % of the largest jump distance")
}
function speed(    times) {
  times = all(read("constraints_speed.md", "| weight | swap / flip"), "", "ratio")
  say("takes " between(times, 2) " times as long as a flip of LBP-R")
}

# ---- bench/constraints/bisection -------------------------------------------------------------------------------------

function read_at(graph, cut, by, column) { return value(cuts, "graph=" graph ";cut=" cut ";by=" by, column) }
# How far paths are ahead of plain C, in standard errors of the difference.
function ahead(graph, cut,    paths, plain, sign) {
  split(read_at(graph, cut, "paths", "mean of 32 reads"), paths, " [+]- ")
  split(read_at(graph, cut, "plain C", "mean of 32 reads"), plain, " [+]- ")
  sign = cut == "largest" ? 1 : -1
  return sign * (paths[1] - plain[1]) / root(square(paths[2]) + square(plain[2]))
}
function bisections(    n, m, i, j, k, graph, cut, by, line, more, front, behind) {
  cuts = read("bisection.md", "| graph |")
  n = split("G1 G14 G22", graph, " ")
  m = split("largest smallest", cut, " ")
  split("plain C,paths,sweeps of uniform swaps,R swaps by weight", by, ",")
  for (j = 1; j <= n; j++) {
    for (k = 1; k <= m; k++) {
      line = "| " graph[j] " | " cut[k] " |"
      for (i = 1; i <= 4; i++) line = line " " read_at(graph[j], cut[k], by[i], "mean of 32 reads") " |"
      say(line)
      more = more " " read_at(graph[j], cut[k], by[1], "steps") / read_at(graph[j], cut[k], by[3], "steps")
      if (ahead(graph[j], cut[k]) > 1) front = front ", " graph[j] " " cut[k]
      if (ahead(graph[j], cut[k]) < -1) behind = behind ", " graph[j] " " cut[k]
    }
  }
  say("ahead by more than its standard error on" substr(front, 2) "; behind on" substr(behind, 2))
  say("takes " between(more, 1) " times as many sweeps")
}

# ---- bench/constraints/pyergm ----------------------------------------------------------------------------------------

function rounded(statistic, by, places,    part) {
  split(value(networks, "statistic=" statistic, by), part, " [+]- ")
  return fixed(part[1], places) " +- " fixed(part[2], places)
}
function networks_of_both(    apart) {
  networks = read("networks.md", "| statistic |")
  apart = all(networks, "", "apart, in standard errors")
  gsub("-", "", apart)
  say("which take it " after("networks.md", "kept of 40000, ", "[0-9]+") " s of CPU time, " \
      after("networks.md", "pyERGM: ", "[0-9]+") " happen to be possible")
  say("within " highest(apart) " standard errors of ours: two-stars " rounded("two-stars", "pyERGM", 1) " and " \
      rounded("two-stars", "lbp", 2) ", triangles " rounded("triangles", "pyERGM", 2) " and " rounded("triangles", "lbp", 2))
  say("all of them possible, in " after("networks.md", "8 chains x 5000 draws, ", "[0-9.]+") " s")
}

BEGIN {
  race_of_all()
  of_reference()
  what_to_tune_to()
  speed()
  bisections()
  networks_of_both()
}
