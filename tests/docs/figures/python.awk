function whole_run(states) { return value(runs, "draws of a chain=20000;states=" states, "Python / C") }
function cut(graph, solver) { return value(cuts, "graph=" graph ";solver=" solver, "mean") }
BEGIN {
  runs = read("bridge.md", "| draws of a chain |")
  say("with 20,000 draws a chain " whole_run("none") " of its CPU time")
  say("with all states in memory " whole_run("in memory"))
  say("costs a look at all sites, " fixed(after("bridge.md", "with a look at all sites, ", "[0-9.]+"), 0) " us there, from Python " \
      fixed(after("bridge.md", "from Python ", "[0-9.]+"), 0) " us")
  say("a step of a loop in C takes " fixed(after("bridge.md", "A step of LBP-20 there takes ", "[0-9.]+"), 1))
  cuts = read("bridge.md", "| graph |")
  say("in " between(all(cuts, "", "CPU s"), 1) " s of CPU time a call")
  for (k = split("G1 G14 G22 G32", graph, " "); k > 0; k--) {
    say("| " graph[k] " | " cut(graph[k], "lbp") " | " cut(graph[k], "dwave-samplers") " |")
  }
  more = ratios(cuts, "graph", "G1 G14 G22 G32", "solver=lbp", "solver=dwave-samplers", "reads")
  say("of " between(more, 1) " times as many reads")
}
