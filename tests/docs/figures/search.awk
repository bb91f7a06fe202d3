function cuts(graph, solver, seconds) {
  return mean(all(runs, "graph=" graph ";solver=" solver ";seconds=" seconds, "mean"))
}
# CPU seconds until a read comes near the largest known cut, by the better of the two lengths; "-" where none did, and how
# many did where these are fewer than four.
function near_in(graph, solver,    r, seconds, took, reached, best, count, x) {
  for (r = 1; r <= rows[runs]; r++) {
    if (!is(runs, r, "graph=" graph ";solver=" solver)) continue
    seconds = cell[runs, r, "seconds"]
    took[seconds] += cell[runs, r, "cpu"]
    reached[seconds] += cell[runs, r, "reached"]
  }
  for (seconds in took) {
    x = reached[seconds] ? took[seconds] / reached[seconds] : 0
    if (x && (!best || x < best)) {
      best = x
      count = reached[seconds]
    }
  }
  return best ? digits(best, best < 10 ? 2 : 3) (count < 4 ? " (" count ")" : "") : "-"
}
function say_row(graph, known,    b, s, seconds, solver, text, mine, x) {
  if (highest(all(runs, "graph=" graph, "best")) > known) complain(graph ": a cut beyond " known)
  split("1 10", seconds, " ")
  split("lbp dwave openjij", solver, " ")
  for (b = 1; b <= 2; b++) {
    for (s = 1; s <= 3; s++) {
      x = cuts(graph, solver[s], seconds[b])
      if (s == 1) mine = x
      else ahead[seconds[b], solver[s]] += mine > x
      text = text " | " fixed(x, 1)
    }
  }
  for (s = 1; s <= 3; s++) text = text " | " near_in(graph, solver[s])
  say("| " graph " | " known text " |")
  graphs++
}
function errors_of(graph, solver,    x) {
  x = cuts(graph, solver, 10)
  return fixed(x, 1) " +- " fixed(error, 1)
}

function beside(graph, name,    row) {
  row = "graph=" graph ";variant=" name
  return sprintf("%+.1f +- %.1f", at(variants, row, "beside"), at(variants, row, "beside_se"))
}
function loses(name,    list) {
  list = all(variants, "variant=" name, "beside")
  return fixed(-highest(list), 0) " to " fixed(-lowest(list), 0)
}
# Whether there is none that is ahead on each graph.
function none_ahead(    r, found) {
  for (r = 1; r <= rows[variants]; r++) {
    if (lowest(all(variants, "variant=" cell[variants, r, "variant"], "beside")) > 0) found++
  }
  return !found
}
function other_samplers(    list, r) {
  variants = read("search_variants.csv")
  say(value(variants, "graph=G1;variant=Metropolis", "reads") " reads each")
  say("Gibbs has " beside("G1", "Gibbs") " on G1, " beside("G22", "Gibbs") " on G22, " beside("G55", "Gibbs") " on G55, " \
      beside("G81", "Gibbs") " on G81")
  say("skip sweeps lose " loses("skip Metropolis") ", LBP with R tuned " loses("LBP R tuned"))
  list = all(variants, "variant=reheated*", "beside")
  for (r = 1; r <= rows[variants]; r++) {
    if (is(variants, r, "variant=reheated*") && cell[variants, r, "beside"] + 0 == highest(list)) break
  }
  say("up to 0.5 of the coldest inverse temperature are ahead by " \
      beside(cell[variants, r, "graph"], cell[variants, r, "variant"]) " at best, and behind by up to " fixed(-lowest(list), 0))
  list = all(variants, "variant=3 times*", "beside") all(variants, "variant=7 times*", "beside")
  say_if(highest(list) < 0, "reheated three or seven times they are behind by " fixed(-highest(list), 0) " to " \
         fixed(-lowest(list), 0) " everywhere")
  say("begin at 0.2 of it have " beside("G81", "Metropolis from 0.2") " on G81, but " beside("G22", "Metropolis from 0.2") \
      " on G22")
  say_if(none_ahead(), "of all that was tried nothing is better on every graph")
}

function range_mean(key, way) { return mean(all(ranges, "problem=" key ";way=" way, "mean")) }
function range_cell(key, way,    x) {
  x = mean(all(ranges, "problem=" key ";way=" way, "mean"))
  found_error = error
  found_mean = x
  return sprintf("%.5g +- %.2g", x, error)
}
# The row of a problem: the default, D-Wave's range, the best of the scan. All count, some are in the page.
function say_range(problem) {
  say(range_row(problem))
  ranges_shown++
}
function range_row(problem,    key, text, lbp, lbp_error, gap, k, ways, way, best, best_error, best_text, times) {
  key = problem
  gsub(/,/, "", key)
  text = range_cell(key, "lbp")
  lbp = found_mean
  lbp_error = found_error
  text = text " | " range_cell(key, "dwave")
  gap = lbp - found_mean
  if (gap * gap > 4 * (lbp_error * lbp_error + found_error * found_error)) {
    if (gap < 0) range_lower++
    else range_higher++
  }
  ranged++
  ways = split("0.000976562 0.00390625 0.015625 0.0625 0.25 1 4 16 64 256 1024", way, " ")
  for (k = 1; k <= ways; k++) {
    times = range_cell(key, way[k])
    if (k > 1 && found_mean >= best) continue
    best = found_mean
    best_error = found_error
    best_text = times " | " way[k]
  }
  if (lbp > best) {
    if (square(lbp - best) > 4 * (square(lbp_error) + square(best_error))) range_beaten++
    else range_behind++
    range_gap[problem] = 100 * (lbp - best) / (best < 0 ? -best : best)
  }
  return "| " problem " | " text " | " best_text " |"
}
function default_range() {
  ranges = read("search_ranges.csv")
  range_row("tour of 8, penalty 1")
  say_range("tour of 16, penalty 1")
  range_row("tour of 24, penalty 0.5")
  say_range("tour of 24, penalty 4")
  range_row("tour of 24, penalty 100")
  range_row("tour of 32, penalty 2")
  range_row("tour of 32, penalty 10")
  range_row("tour of 48, penalty 1")
  range_row("tour of 48, penalty 4")
  range_row("assignment of 20, penalty 1")
  range_row("assignment of 20, penalty 50")
  say_range("assignment of 30, penalty 5")
  range_row("partition of 40, to 100")
  say_range("partition of 100, to 10000")
  range_row("knapsack of 60, penalty 5")
  say_range("knapsack of 60, penalty 1000")
  say_range("colours, degree 8, penalty 4")
  range_row("colours, degree 8, penalty 100")
  range_row("independent, degree 8, penalty 4")
  say_range("glass +-1, 8^3")
  range_row("glass normal, 8^3")
  range_row("mean-field glass, 256")
  range_row("weighted cut, spread 1")
  say_range("weighted cut, spread 3")
  say_range("G1")
  range_row("G11")
  range_row("G14")
  say(toupper(substr(word(ranges_shown), 1, 1)) substr(word(ranges_shown), 2) " of " ranged " problems:")
  say("is lower than D-Wave's range on " range_lower " of " ranged " problems")
  say_if(range_higher == 0, "and higher on none")
  say("it is behind the scan's best cold end on " range_beaten ": by " fixed(range_gap["knapsack of 60, penalty 5"], 0) \
      " % of the value on the knapsack with penalty 5, by " fixed(range_gap["weighted cut, spread 3"], 1) " % on the cut above")
  say("By less than two it is behind on " range_behind ", most on the partition above, " \
      fixed(range_mean("partition of 100 to 10000", "lbp"), 0) " instead of " \
      fixed(range_mean("partition of 100 to 10000", "4"), 0) ", and on the assignment above, by " \
      fixed(range_gap["assignment of 30, penalty 5"], 0) " %")
}

# Cuts by replicas that exchange parts; the largest that are known.
function by_parts(    file, list) {
  file = read("search_parts.csv")
  list = all(file, "graph=G32", "cpu")
  say("| G32, 2000 sites | 1410 | 1410, " word(how_many(file, "graph=G32;best=1410")) " of " word(how_many(file, "graph=G32")) \
      " seeds | " between(list, 2) " s |")
  say("| G81, 20,000 sites | 14060 | " value(file, "graph=G81", "best") " | " digits(at(file, "graph=G81", "cpu"), 2) " s |")
  say("In " digits(at(file, "graph=G55", "cpu"), 2) " s of CPU time parts come to " value(file, "graph=G55", "best") " on G55, and in " \
      digits(at(file, "graph=G70", "cpu"), 2) " s to " value(file, "graph=G70", "best") " on G70, where a read of annealing of 1000 sweeps has " \
      fixed(cuts("G55", "lbp", 1), 1) " and " fixed(cuts("G70", "lbp", 1), 1) " on average")
}

BEGIN {
  other_samplers()
  default_range()
  runs = read("search.csv")
  say_row("G1", 11624)
  say_row("G11", 564)
  say_row("G14", 3064)
  say_row("G22", 13359)
  say_row("G32", 1410)
  say_row("G55", 10299)
  say_row("G70", 9595)
  say_row("G81", 14060)
  by_parts()
  say("With 1000 sweeps lbp's reads are ahead of dwave's on " ahead[1, "dwave"] " and of OpenJij's on " ahead[1, "openjij"])
  say("of " graphs " graphs, with 10,000 on " ahead[10, "dwave"] " and " ahead[10, "openjij"])
  say("level on G22, " errors_of("G22", "lbp") " and " errors_of("G22", "openjij"))
  say(after("search.csv", "", "dwave-samplers [0-9.]*") " and OpenJij " after("search.csv", "openjij ", "[0-9.]*"))
  say(how_many(runs, "graph=G1;solver=lbp;seconds=1") " runs of 1 s and of 10 s of CPU time")
  say("all with reads of " between(all(runs, "seconds=1", "sweeps"), 0) " and of " \
      between(all(runs, "seconds=10", "sweeps"), 0) " sweeps")
  glasses = read("glasses.csv")
  for (r = 1; r <= rows[glasses]; r++) same += cell[glasses, r, "energy_anneal"] == cell[glasses, r, "energy_temper"]
  say("Of " rows[glasses] " spin glasses")
  say(how_many(glasses, "couplings=+-1") " with couplings +-1 and " how_many(glasses, "couplings=normal") " with")
  say_if(same == rows[glasses], "end at the [same lowest energies](../bench/results/glasses.csv) on all")
}
