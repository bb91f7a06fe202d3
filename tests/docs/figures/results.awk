# ---- tables 5 to 16 of the optimal-scaling paper ---------------------------------------------------------------------

# Within 10 % of the paper's, or 3 of our standard errors.
function near_papers(x, se, y) { return square(x - y) <= square(0.1 * y) || square(x - y) <= 9 * square(se) }

# A row for a model and a measure: how many cells are near the reference's, how many near the paper's, and the
# geometric mean of the paper's by ours.
function say_row(number, title, model, measure,    r, x, se, y, near_reference, references, near_paper, cells, sum) {
  for (r = 1; r <= rows[tables]; r++) {
    if (!is(tables, r, "model=" model)) continue
    x = cell[tables, r, measure]
    se = cell[tables, r, measure "_se"]
    if ((y = cell[tables, r, "reference_" measure]) != "") {
      references++
      near_reference += near(x, se, y, cell[tables, r, "reference_" measure "_se"])
    }
    if ((y = cell[tables, r, "paper_" measure]) == "" || y <= 0) continue
    cells++
    near_paper += near_papers(x, se, y)
    sum += ln(y / x)
  }
  say("| " number ": " title " | " \
      (measure == "seconds" ? "| |" : near_reference + 0 " of " references + 0 " | " near_paper + 0 " of " cells " |") \
      " " digits(e_to(sum / nonzero(cells)), 2) " |")
}
# Cells that are farther from the paper's, of models and samplers like these: their number. The largest of their figures
# goes to `largest`; to `apart`, how many are more than 3 standard errors off where the paper's are as large as ours.
function far(models, samplers,    r, m, measure, x, se, y, count) {
  largest = apart = 0
  for (r = 1; r <= rows[tables]; r++) {
    if (cell[tables, r, "model"] !~ models || cell[tables, r, "sampler"] !~ samplers) continue
    for (m = split("ejd ess", measure, " "); m > 0; m--) {
      x = cell[tables, r, measure[m]]
      se = cell[tables, r, measure[m] "_se"]
      y = cell[tables, r, "paper_" measure[m]]
      if (y == "" || y <= 0 || near_papers(x, se, y)) continue
      count++
      apart += square(x - y) > 18 * square(se)
      if (x > largest) largest = x
      if (y > largest) largest = y
    }
  }
  return count + 0
}
# Figures off the reference, of models and sizes like these.
function off(models,    r, m, measure, y, count) {
  for (r = 1; r <= rows[tables]; r++) {
    if (cell[tables, r, "model"] " " cell[tables, r, "size"] !~ models) continue
    for (m = split("ejd ess", measure, " "); m > 0; m--) {
      if ((y = cell[tables, r, "reference_" measure[m]]) == "") continue
      count += !near(cell[tables, r, measure[m]], cell[tables, r, measure[m] "_se"], y,
                     cell[tables, r, "reference_" measure[m] "_se"])
    }
  }
  return count + 0
}
function rows_of(number, title, model) {
  say_row(number, title ", jump distance", model, "ejd")
  say_row(number + 1, title ", effective sample size", model, "ess")
  say_row(number + 2, title ", time", model, "seconds")
}

# ---- tables 2 to 5 of the any-scale paper, which have all numbers of table 1 but four --------------------------------

function any_row(number, title, target,    r, x, y, se, near_reference, references, near_paper, cells, sum, seconds) {
  for (r = 1; r <= rows[any]; r++) {
    if (!is(any, r, "target=" target "*")) continue
    x = cell[any, r, "ess_per_10k_queries"]
    if ((y = cell[any, r, "reference"]) != "") {
      references++
      se = square(cell[any, r, "se"]) + square(cell[any, r, "reference_se"])
      near_reference += square(x - y) <= square(0.1 * y) || square(x - y) <= 9 * se
    }
    cells++
    near_paper += cell[any, r, "within_10_percent"]
    sum += ln(cell[any, r, "paper"] / x)
    seconds += ln(cell[any, r, "ess_per_second"] / cell[any, r, "paper_per_second"])
  }
  say("| " number ": " title " | " near_reference + 0 " of " references + 0 " | " near_paper " of " cells " | " \
      digits(e_to(sum / nonzero(cells)), 2) " | " digits(e_to(seconds / nonzero(cells)), 2) " |")
}

# ---- other networks, other states x0 ----------------------------------------------------------------------------------

# A row of the last table: those of other seeds go to `others`, what the reference and the paper have to `theirs`.
function seeds_row(name,    line, path, n, k, part) {
  path = "bench/results/paper/spread.md"
  others = ""
  while ((getline line < path) > 0) {
    if (index(line, "| " name " |") != 1) continue
    n = split(line, part, / *\| */)
    for (k = 3; k < n - 2; k++) if (part[k] != "") others = others " " part[k] + 0
    theirs["reference"] = part[n - 2]
    theirs["paper"] = part[n - 1]
  }
  close(path)
  if (others == "") complain(path ": no row " name)
  return fixed(lowest(others), 2) " to " fixed(highest(others), 2)
}
# How many figures of the paper, or of the reference, are within what was seen.
function times_seen(model, whose,    begin) {
  begin = "- " model ": within 3 standard errors of what was seen is the paper in "
  if (whose == "reference") begin = begin after("paper/spread.md", begin, "[0-9]+ of [0-9]+ cells, the reference in ")
  return after("paper/spread.md", begin, "[0-9]+ of [0-9]+")
}

# ---- other people's code ---------------------------------------------------------------------------------------------

# From how many times to how many times as long as ours a step takes; nothing where there is none.
function times(peer, source, samplers,    r, list) {
  for (r = 1; r <= rows[peers]; r++) {
    if (!is(peers, r, "peer=" peer ";source=" source) || cell[peers, r, "sampler"] !~ samplers) continue
    list = list " " cell[peers, r, "us"] / nonzero(cell[peers, r, "lbp_us"])
  }
  return list == "" ? "" : between_digits(list, 2)
}
function peer_row(title, peer, source,    n, k, part, text) {
  n = split("LBP GWG RWM Gibbs|Metropolis", part, " ")
  for (k = 1; k <= n; k++) text = text " | " times(peer, source, part[k])
  text = "| " title text " |"
  gsub(/ +/, " ", text)
  say(text)
}

# Beside millipede, of each selection of columns: how many times its effective samples per second the best sampler here
# has; and how well they are known, in percent, as `doubts`.
function beside_millipede(    path, line, list, most, x) {
  path = "bench/results/sharp_others.md"
  while ((getline line < path) > 0) {
    if (line ~ /^selection/ && most) {
      list = list " " most
      most = 0
    }
    if (match(line, /\+- [0-9]+ %/)) doubts = doubts " " substr(line, RSTART + 3, RLENGTH - 5)
    if (match(line, /[0-9.e+]+ times as many/)) {
      x = substr(line, RSTART, RLENGTH) + 0
      if (x > most) most = x
    }
  }
  close(path)
  return list " " most
}

function two_cells(measure) { return after("paper/report.md", measure ": ", "[0-9]+ of [0-9]+") }

BEGIN {
  tables = read("paper/tables.csv")
  rows_of(5, "Bernoulli products", "bernoulli")
  rows_of(8, "Ising models", "ising")
  rows_of(11, "factorial HMMs", "fhmm")
  rows_of(14, "RBMs", "rbm")
  say(two_cells("Expected jump distance") " jump distances and " two_cells("Effective sample size") \
      " effective sample sizes of tables 5 to 15 are within 3 standard errors or 3 %")
  say(far(".", ".") " cells are farther from the paper's than that")
  say("**LBP with R > 1 on Bernoulli products**, " far("bernoulli", "^[AG]LBP") " cells")
  say("falls to 0.909 of what it is without; the tables have " after("paper/report.md", "the tables give ", "[0-9.]*[0-9]"))
  say("**The others of the three local models**, " far("bernoulli|ising|fhmm", "RWM|GWG|-1") \
      " cells, all of effective sample sizes up to " digits(largest, 2))
  say("With errors of the paper's like ours, " apart " of them is more than 3 standard errors off")
  say("**RBMs**, " far("rbm", ".") " cells")
  say("**Ising p = 20 and FHMM L = 200**, " off("ising p=20|fhmm L=200") " effective sample sizes")
  odd = "model=ising;config=C2;size=p=50;sampler=ALBP;weight=sqrt(t)"
  simulated = read("../data/reference.csv")
  say(digits(at(tables, odd, "ess"), 3) " effective samples here and " \
      digits(at(tables, "model=ising;config=C2;size=p=50;sampler=GLBP;weight=sqrt(t)", "ess"), 3) " with R by grid search")
  say("the reference has " digits(at(tables, odd, "reference_ess"), 3) ", but " \
      digits(at(simulated, odd, "ess_as_in_paper_code"), 3))
  say("and the paper has " digits(at(tables, odd, "paper_ess"), 3))
  say("**RBMs**, " off("rbm h=400") " cells, h = 400")
  text = seeds_row("rbm h=400, jump distances")
  say(text " times as far as on ours at h = 400, the paper's " fixed(theirs["paper"], 2))
  text = seeds_row("rbm h=100, effective sample sizes")
  say(text " times as many effective samples at h = 100, the paper's " fixed(theirs["paper"], 2))
  say(times_seen("rbm", "paper") " of the paper's figures of tuned samplers, and " times_seen("rbm", "reference") " of the reference's")
  text = seeds_row("ising p=20, effective sample sizes")
  say("with others it is " text " times that, with the reference's " theirs["reference"])
  text = seeds_row("fhmm L=200, effective sample sizes")
  say("L = 200 they give " text " times, the reference's " theirs["reference"])
  say(times_seen("ising", "reference") " and " times_seen("fhmm", "reference") " of its figures are within")
  any = read("any_scale/paper.csv")
  any_row(2, "Ising models on a grid", "grid-")
  any_row(3, "on Barabasi-Albert graphs", "ba-")
  any_row(4, "rotated Gaussians", "rotation-")
  any_row(5, "sparse Gaussians", "sparse-")
  say(after("any_scale/report.md", "", "[0-9]+ of 88 cells are within 10 %") " of the paper")
  say(after("any_scale/report.md", "| not known | ", "[0-9]+") " have no explanation")
  say("the independent simulator has " after("any_scale/report.md", "Of these the independent simulator has ", "[0-9]+") \
      "; ours is its number in " after("any_scale/report.md", "within 3 standard errors or 10 %, in ", "[0-9]+"))
  say(after("any_scale/report.md", "", "[0-9]+ of [0-9]+ cells are within 3 standard errors or 10 %"))
  spent = read("times.md", "# All benchmarks")
  count = split(all(spent, "benchmark=*", "minutes"), minutes, " ")
  for (k = 1; k <= count; k++) hours += minutes[k] / 60
  say("`make bench-everything`, which takes " fixed(hours, 0) " hours of two cores")
  peers = read("compare/peers.csv")
  peer_row("the optimal-scaling paper's code, PyTorch", "LBP_Scale", "measured")
  peer_row("the same on a GPU, as published", "LBP_Scale", "published")
  peer_row("DISCS, by authors of both papers", "DISCS", "measured")
  peer_row("NumPyro", "NumPyro", "measured")
  peer_row("PyMC", "PyMC", "measured")
  peer_row("dwave-samplers", "dwave-samplers", "measured")
  peer_row("OpenJij", "OpenJij", "measured")
  say("the best sampler here gives " between_digits(beside_millipede(), 2) " times as many effective samples of inclusion")
  say("whose own are known to " between(doubts, 0) " %")
  say("millipede-regression " after("sharp_others.md", "millipede-regression ", "[0-9.]+[0-9]"))
}
