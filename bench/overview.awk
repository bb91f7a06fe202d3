# lbp next to the best of its peers in each family, from files of bench/results alone:
#
#   awk -f bench/common/numbers.awk -f tests/docs/figures.awk -f bench/overview.awk
#
# prints overview.csv: family, quantity, peer; how many times better lbp is (below 1: worse), the median, the lowest and the
# highest of all targets that both have; how many those are; the files. Of several peers the best counts. Files that are not
# there are left out.

function there(file,    line, status) {
  status = (getline line < ("bench/results/" file))
  close("bench/results/" file)
  return status > 0
}

# of numbers in a text
function middle(list,    n, x, i, j, t) {
  n = split(list, x, " ")
  for (i = 2; i <= n; i++) {
    t = x[i] + 0
    for (j = i; j > 1 && x[j - 1] > t; j--) x[j] = x[j - 1]
    x[j] = t
  }
  count = n
  return n % 2 ? x[(n + 1) / 2] : root(x[n / 2] * x[n / 2 + 1])
}

function bar(family, quantity, peer, list, file,    mid) {
  if (list !~ /[0-9]/) return
  mid = middle(list)
  printf "%s,%s,%s,%s,%s,%s,%d,%s\n", family, quantity, peer, shorter(mid), shorter(lowest(list)), shorter(highest(list)), count, file
}
function shorter(x) { return sprintf("%.3g", x) }

# of each model that some of the peers measured here have: the fastest peer's time by lbp's
function steps(file, sampler, names,    r, key, best, mine, list) {
  for (r = 1; r <= rows[file]; r++) {
    if (!is(file, r, "source=measured;sampler=" sampler) || index(" " names " ", " " cell[file, r, "peer"] " ") == 0) continue
    key = cell[file, r, "model"]
    if (!(key in best) || cell[file, r, "us"] / cell[file, r, "lbp_us"] < best[key]) best[key] = cell[file, r, "us"] / cell[file, r, "lbp_us"]
  }
  for (key in best) list = list " " best[key]
  return list
}

function steps_of_others(    file) {
  if (!there("compare/peers.csv")) return
  file = read("compare/peers.csv")
  bar("binary sites", "a step of LBP", "authors' code and DISCS (PyTorch; JAX)", steps(file, "LBP", "LBP_Scale DISCS"), "compare/peers.csv")
  bar("binary sites", "a step of GWG", "authors' code and DISCS (PyTorch; JAX)", steps(file, "GWG", "LBP_Scale DISCS"), "compare/peers.csv")
  bar("binary sites", "a Gibbs sweep of an Ising grid", "dwave-samplers", steps(file, "Gibbs", "dwave-samplers"), "compare/peers.csv")
  bar("binary sites", "a Metropolis sweep of an Ising grid", "dwave-samplers and OpenJij", \
      steps(file, "Metropolis", "dwave-samplers OpenJij"), "compare/peers.csv")
  bar("binary sites", "a Metropolis sweep", "NumPyro and PyMC", steps(file, "Metropolis", "NumPyro PyMC"), "compare/peers.csv")
}

function inverse(list,    n, k, part, out) {
  n = split(list, part, " ")
  for (k = 1; k <= n; k++) out = out " " 1 / part[k]
  return out
}

# of cells "median (lowest to highest)"
function medians(name, heading, column,    file, r, out) {
  file = read(name, heading)
  for (r = 1; r <= rows[file]; r++) out = out " " cell[file, r, column] + 0
  return out
}

# of all rows
function ratios_of(file, one, other,    r, list) {
  for (r = 1; r <= rows[file]; r++) list = list " " cell[file, r, one] / nonzero(cell[file, r, other])
  return list
}

function by_hand(    file, r, list, loops) {
  if (there("speed/floor.csv")) {
    file = read("speed/floor.csv")
    bar("binary sites", "a step of LBP", "plain C for one target", inverse(all(file, "", "pace_ratio")), "speed/floor.csv")
  }
  if (there("speed/sweeps.csv")) {
    file = read("speed/sweeps.csv")
    list = all(file, "sweep=Metropolis;by=level", "ratio")
    loops = there("sharp_by_hand.md") ? " sharp_by_hand.md" : ""
    if (loops) list = list medians("sharp_by_hand.md", "50x50 sites", "Metropolis/by hand")
    bar("binary sites", "a Metropolis sweep by level", "plain C for Ising grids; two loops", inverse(list), "speed/sweeps.csv" loops)
    bar("categorical sites", "a Gibbs sweep of a Potts grid", "plain C for Potts grids", inverse(all(file, "sweep=Gibbs;by=powers", "ratio")), "speed/sweeps.csv")
  }
  if (there("lanes/by_hand.csv")) {
    file = read("lanes/by_hand.csv")
    bar("lanes", "a Metropolis sweep of 256 chains", "bit-packed plain C for Ising grids", ratios_of(file, "by_hand", "lanes"), "lanes/by_hand.csv")
  }
  if (there("clusters/speed.md")) {
    file = read("clusters/speed.md", "lbp ")
    bar("clusters", "a step of Wolff", "plain C for Ising grids", inverse(all(file, "ns a site=Wolff", "ratio")), "clusters/speed.md")
    bar("clusters", "a step of Swendsen-Wang", "plain C for Ising grids", inverse(all(file, "ns a site=Swendsen-Wang", "ratio")), "clusters/speed.md")
  }
}

# of the best sampler, by the peer, on each model that has one
function constraints(    file, r, key, mine, peer, list) {
  if (!there("constraints_race.csv")) return
  file = read("constraints_race.csv")
  for (r = 1; r <= rows[file]; r++) {
    key = cell[file, r, "model"]
    if (cell[file, r, "sampler"] ~ /in plain C$/) peer[key] = cell[file, r, "ess_per_second"]
    else if (cell[file, r, "ess_per_second"] + 0 > mine[key] + 0) mine[key] = cell[file, r, "ess_per_second"]
  }
  for (key in peer) if (key !~ /^matching/) list = list " " mine[key] / peer[key]
  bar("fixed numbers of ones", "effective samples per second", "Kawasaki moves in plain C", list, "constraints_race.csv")
  if (peer["matching 10"] + 0) bar("permutations", "effective samples per second", "exchanges in plain C", " " mine["matching 10"] / peer["matching 10"], "constraints_race.csv")
}

# CPU seconds until a read comes near the largest known cut, by the better of two lengths; 0: fewer than four reads did,
# whose number alone is off by half and more
function time_to(file, graph, solver,    r, s, took, reached, best, x) {
  for (r = 1; r <= rows[file]; r++) {
    if (!is(file, r, "graph=" graph ";solver=" solver)) continue
    s = cell[file, r, "seconds"]
    took[s] += cell[file, r, "cpu"]
    reached[s] += cell[file, r, "reached"]
  }
  for (s in took) if (reached[s] >= 4 && (!best || took[s] / reached[s] < best)) best = took[s] / reached[s]
  return best
}
function searches(    file, n, g, graph, theirs, x, list) {
  if (!there("search.csv")) return
  file = read("search.csv")
  n = split("G1 G11 G14 G22 G32 G55", graph, " ")
  for (g = 1; g <= n; g++) {
    theirs = time_to(file, graph[g], "openjij")
    x = time_to(file, graph[g], "dwave")
    if (x && (!theirs || x < theirs)) theirs = x
    x = time_to(file, graph[g], "lbp")
    if (x && theirs) list = list " " theirs / x
  }
  bar("annealing", "time to 99.9 % of the largest known cut", "dwave-samplers and OpenJij", list, "search.csv")
  if (there("search_burer.csv")) burer(file)
}
# what is missing to the largest known cut, the best of runs of 10 s on average
function burer(file,    other, n, g, graph, known, mine, theirs, list) {
  other = read("search_burer.csv")
  n = split("G1 G11 G14 G22 G32 G55 G70 G81", graph, " ")
  split("11624 564 3064 13359 1410 10299 9595 14060", known, " ")
  for (g = 1; g <= n; g++) {
    if (!how_many(other, "graph=" graph[g] ";seconds=10")) continue
    mine = known[g] - mean(all(file, "graph=" graph[g] ";solver=lbp;seconds=10", "best"))
    theirs = known[g] - mean(all(other, "graph=" graph[g] ";seconds=10", "best"))
    if (mine > 0 && theirs > 0) list = list " " theirs / mine
  }
  if (list != "") bar("annealing", "missing to the largest known cut after 10 s", "BURER2002 of MQLib", list, "search_burer.csv")
}

function others(    list) {
  if (there("categorical_others.md")) bar("categorical sites", "effective samples per second of a Potts grid", "thrml (JAX)", \
    " " after("categorical_others.md", "effective samples per second, ", "[0-9.]+ times thrml") + 0, "categorical_others.md")
  if (there("sharp_others.md")) bar("selection of columns", "effective samples per second", "millipede (PyTorch)", selections(), "sharp_others.md")
  if (there("networks.md")) bar("networks", "effective samples per second of two-stars", "pyERGM", networks(), "networks.md")
}
# of the best sampler by plain means, on each target
function selections(    path, line, best, list) {
  path = "bench/results/sharp_others.md"
  while ((getline line < path) > 0) {
    if (line ~ /^selection-/) {
      if (best) list = list " " best
      best = 0
    } else if (line ~ / plain / && match(line, /[0-9.e+]+ times as many/)) {
      line = substr(line, RSTART, RLENGTH) + 0
      if (line > best) best = line
    }
  }
  close(path)
  return list " " best
}
# standard errors and seconds of both: a fourth of the error is worth 16 times the time
function networks(    file, mine, theirs, seconds) {
  file = read("networks.md", "pyERGM")
  mine = value(file, "statistic=two-stars", "lbp")
  theirs = value(file, "statistic=two-stars", "pyERGM")
  sub(/.*[+]- /, "", mine)
  sub(/.*[+]- /, "", theirs)
  seconds = after("networks.md", "draws, ", "[0-9.]+") + 0
  return " " square(theirs / mine) * (after("networks.md", "of 40000, ", "[0-9.]+") + 0) / seconds
}

# of the better of those that answer, on each network: CPU seconds, sampled times the mean square of errors
function marginals_of(file, row) {
  if (!how_many(file, row)) return 0
  return row ~ /exact/ ? value(file, row, "seconds") : mean(all(file, row, "seconds")) * mean(all(file, row, "mse"))
}
function graphs(method, quantity,    file, n, k, network, row, theirs, x, list) {
  if (!there("infer_others.csv")) return
  file = read("infer_others.csv")
  n = split("testfast alarm", network, " ")
  for (k = 1; k <= n; k++) {
    row = "network=" network[k] ";method=" method ";program="
    theirs = marginals_of(file, row "libDAI")
    x = marginals_of(file, row "pgmpy")
    if (x && (!theirs || x < theirs)) theirs = x
    if (theirs) list = list " " theirs / nonzero(marginals_of(file, row "lbp"))
  }
  if (list != "") bar("graphical models", quantity, "libDAI and pgmpy", list, "infer_others.csv")
}

BEGIN {
  print "family,quantity,peer,times,lowest,highest,targets,file"
  by_hand()
  constraints()
  searches()
  others()
  graphs("exact", "time to exact marginals")
  graphs("sampled", "effective samples of marginals per second")
  steps_of_others()
}
