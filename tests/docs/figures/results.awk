# ---- tables 5 to 16 of the optimal-scaling paper ---------------------------------------------------------------------

# Within 10 % of the paper's, or 3 of our standard errors.
function near_papers(x, se, y) { return square(x - y) <= square(0.1 * y) || square(x - y) <= 9 * square(se) }

# A row for a model and a measure: how many cells are near the reference's, how many near the paper's, and the
# geometric mean of the paper's by ours. The paper's seconds are of 100 chains, ours of as many as a cell has.
function say_row(number, title, model, measure,    r, x, se, y, near_reference, references, near_paper, cells, sum) {
  for (r = 1; r <= rows[tables]; r++) {
    if (!is(tables, r, "model=" model)) continue
    x = cell[tables, r, measure]
    se = cell[tables, r, measure "_se"]
    if (measure == "seconds") x *= 100 / cell[tables, r, "chains"]
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
  say_row(number, title ", EJD", model, "ejd")
  say_row(number + 1, title ", ESS", model, "ess")
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

# ---- what the papers conclude
# -----------------------------------------------------------------------------------------

# Distribution function of the standard normal law, by Simpson's rule, and where it is p.
function phi(z,    k, n, h, sum) {
  n = 400
  h = z / n
  for (k = 0; k <= n; k++) sum += (k == 0 || k == n ? 1 : k % 2 ? 4 : 2) * e_to(-square(k * h) / 2)
  return 0.5 + sum * h / 3 / root(6.283185307179586)
}
function quantile(p,    low, high, k) {
  low = -9
  high = 9
  for (k = 0; k < 60; k++) {
    if (phi((low + high) / 2) < p) low = (low + high) / 2
    else high = (low + high) / 2
  }
  return (low + high) / 2
}

# A row of the tables, with what it says so only if that is true.
function conclusion(claim, where, found, came, truth) {
  say_if(truth, "| " claim " | " where " | " found " | " came " |")
}

# Acceptance rates at which the jump distance is largest, where that is inside of a curve.
function best_rates(models, sampler, weight,    r, list) {
  for (r = 1; r <= rows[peaks]; r++) {
    if (cell[peaks, r, "model"] ~ models && is(peaks, r, "inside=1;sampler=" sampler) &&
        cell[peaks, r, "weight"] ~ weight) list = list " " cell[peaks, r, "acceptance"]
  }
  return list
}
# Of curves, the lowest share of the largest jump distance that acceptance rates between 0.5 and 0.7 leave.
function kept(models,    r, key, most, least) {
  for (r = 1; r <= rows[curves]; r++) {
    if (!is(curves, r, "sampler=LBP") || cell[curves, r, "model"] !~ models) continue
    key = key_of(curves, r, "model config size weight")
    if (cell[curves, r, "ejd"] > most[key]) most[key] = cell[curves, r, "ejd"] + 0
  }
  least = 1
  for (r = 1; r <= rows[curves]; r++) {
    if (!is(curves, r, "sampler=LBP") || cell[curves, r, "model"] !~ models) continue
    if (cell[curves, r, "acceptance"] < 0.5 || cell[curves, r, "acceptance"] > 0.7) continue
    key = key_of(curves, r, "model config size weight")
    if (cell[curves, r, "ejd"] / most[key] < least) least = cell[curves, r, "ejd"] / most[key]
  }
  return least
}
# Of the largest sizes, the slopes of a quantity for a model.
function slopes_of(model, quantity,    r, config, k, from, list) {
  for (k = 1; k <= 3; k++) {
    config = "model=" model ";config=C" k ";quantity=" quantity
    from = highest(all(slopes, config, "from_sites"))
    list = list " " at(slopes, config ";from_sites=" from, "slope")
  }
  return list
}
function growths(quantity) {
  return "Bernoulli N^" between(slopes_of("bernoulli", quantity), 2) ", FHMM N^" between(slopes_of("fhmm", quantity), 2) \
    ", Ising N^" between(slopes_of("ising", quantity), 2)
}
# RWM's best R on the largest size of a model by that on the smallest.
function walks(    r, key, first, last, sites, list) {
  for (r = 1; r <= rows[scaling]; r++) {
    key = key_of(scaling, r, "model config")
    if (!(key in first)) {
      first[key] = cell[scaling, r, "rwm_R"]
      sites[key] = cell[scaling, r, "sites"]
    }
    last[key] = cell[scaling, r, "rwm_R"]
    if (cell[scaling, r, "sites"] < sites[key]) complain("scaling.csv: sizes are out of order")
  }
  for (key in last) list = list " " last[key] / nonzero(first[key])
  return list
}
# Ratios of a measure, over all models and sizes and both weights, of two samplers. By steps and chains if it is
# seconds.
function table_ratios(models, one, other, measure,    r, here, k, x, y, list) {
  for (r = 1; r <= rows[tables]; r++) {
    if (!is(tables, r, "sampler=" one) || cell[tables, r, "model"] !~ models) continue
    here = "model=" cell[tables, r, "model"] ";config=" cell[tables, r, "config"] ";size=" cell[tables, r, "size"] \
      ";sampler=" other
    if (other !~ /RWM/) here = here ";weight=" cell[tables, r, "weight"]
    x = cell[tables, r, measure]
    y = at(tables, here, measure)
    if (measure == "seconds") {
      x /= cell[tables, r, "steps"] * cell[tables, r, "chains"]
      y /= at(tables, here, "steps") * at(tables, here, "chains")
    }
    list = list " " x / nonzero(y)
  }
  return list
}
# Whether RWM's gaps are smaller with every other beta, at every size.
function is_worst(gaps, n,    path, line, k, part, others, smaller) {
  path = "bench/results/theory.md"
  smaller = 1
  while ((getline line < path) > 0) {
    if (line !~ /^Largest gap of beta = / || line ~ /= 0.05 /) continue
    others++
    sub(/^.*: /, "", line)
    if (split(line, part, ", ") != n) complain("theory.md: other sizes")
    for (k = 1; k <= n; k++) smaller = smaller && part[k] + 0 < gaps[k] + 0
  }
  close(path)
  return others > 0 && smaller
}
# Steps that training needs to come within 10 nat of the best, with R = 1 and with R tuned, of each data set in turn.
function steps_needed(weight,    n, k, data, table, text) {
  n = split("mnist dynamic omniglot caltech", data, " ")
  for (k = 1; k <= n; k++) {
    table = read("ebm/report.md", "## How few steps training needs >> " data[k] ": `")
    text = text (k > 1 ? ", " : "") value(table, "within, nat=10", "LBP_" weight "-1") " and " \
      value(table, "within, nat=10", "ALBP_" weight)
  }
  return text
}

function optimal(    list, found, k, n, other, sqrt_best, barker_best) {
  peaks = read("paper/peaks.csv")
  curves = read("paper/curves.csv")
  slopes = read("paper/slopes.csv")
  scaling = read("paper/scaling.csv")
  reach = read("paper/reach.csv")
  gradient = read("paper/gradient.csv")
  list = after("theory.md", "Largest gap at N = 100, 800, 6400, 51200: ", "[0-9., +-]+")
  n = split(list, other, ", ")
  conclusion("LBP's acceptance rate tends to 2 Phi(-lambda_1 R^(3/2) / 2N)", "theorem 3.1", \
             "with lambda_1 corrected: largest gap " other[1] + 0 " at N = 100, " fixed(other[n] + 0, 3) \
             " at N = 51,200; as printed in (7), sqrt(t) on C3: gap " fixed(printed_gap(6400), 4) " at N = 6,400, " \
             fixed(printed_gap(51200), 4) " at 51,200", "partly", \
             other[n] + 0 < 0.2 * other[1] && printed_gap(51200) > 0.5 * printed_gap(6400))
  list = after("theory.md", "Largest gap of beta = 0.05 at N = 100, 800, 6400, 51200: ", "[0-9., +-]+")
  n = split(list, other, ", ")
  conclusion("RWM's tends to 2 Phi(-lambda_2 l^(1/2) / 2)", "theorem 3.8", \
             "beta = 0.05: largest gap " fixed(other[1] + 0, 3) " at N = 100, " fixed(other[n] + 0, 3) \
             " at 51,200; smaller for larger beta", "yes", \
             other[n] + 0 < 0.5 * other[1] && is_worst(other, n))
  barker_best = best_rates("ising|fhmm", "LBP", "1")
  sqrt_best = best_rates("ising|fhmm", "LBP", "sqrt")
  list = all(peaks, "model=bernoulli;size=N=6400;sampler=LBP", "acceptance")
  conclusion("LBP is best at rate 0.574, whatever the target", "corollary 3.2, figures 1 to 4", \
             "Bernoulli N = 6400: " between(list, 2) "; Ising and FHMM: " between(sqrt_best, 2) " with sqrt(t), but " \
             between(barker_best, 2) " with t/(1+t), lower the larger and sharper; RBM: " \
             between(best_rates("rbm", "LBP", "."), 2), "partly", lowest(barker_best) < 0.55)
  list = best_rates(".", "RWM", "^$")
  conclusion("RWM is best at rate 0.234", "corollary 3.9, figures 1 to 4", \
             between(list, 2) "; on RBMs even R = 1 is accepted less often", "yes", \
             lowest(list) > 0.21 && highest(list) < 0.25 && best_rates("rbm", "RWM", "^$") == "")
  conclusion("Rates from 0.5 to 0.7 keep most of the efficiency", "introduction", \
             "at least " fixed(100 * kept("bernoulli|ising|fhmm"), 0) " % of the largest EJD; on RBMs " \
             fixed(100 * kept("rbm"), 0) " %", "yes", kept(".") > 0.75)
  conclusion("LBP's best R grows as N^(2/3)", "6.1, figure 5", \
             growths("best_R") ", less the sharper", "partly", lowest(slopes_of("ising", "best_R")) < 0.6)
  conclusion("LBP's EJD over RWM's grows as N^(2/3)", "6.1, figure 5", \
             growths("ratio"), "partly", lowest(slopes_of("ising", "ratio")) < 0.6)
  list = walks()
  conclusion("RWM's best R does not grow", "3.5, figure 5", \
             between(list, 2) " times as large with at least 256 times the sites", \
             "yes", highest(list) < 2)
  list = table_ratios(".", "ALBP", "GLBP", "ejd")
  conclusion("ALBP does as well as a grid search for R", "6.2, tables 1 and 5 to 15", \
             fixed(lowest(list), 2) " to " fixed(highest(list), 2) " of its EJD", "yes", lowest(list) > 0.9)
  list = table_ratios(".", "ALBP", "LBP-1", "ejd")
  found = table_ratios("rbm", "ALBP", "LBP-1", "ess")
  conclusion("Adaptive samplers, above all LBP, beat R = 1 by far", "6.2, tables 1 and 5 to 15", \
             "ALBP: " between_digits(list, 2) " times the EJD of LBP-1, " \
             between_digits(table_ratios("bernoulli|ising|fhmm", "ALBP", "LBP-1", "ess"), 2) \
             " times its ESS on the local models, on RBMs " between_digits(found, 2) "; its ESS per second " \
             between_digits(table_ratios(".", "ALBP", "LBP-1", "ess_per_second"), 2) " times", "partly", \
             lowest(found) >= 1 && lowest(found) < 2 && \
             lowest(table_ratios(".", "ALBP", "LBP-1", "ess_per_second")) < 1)
  found = table_ratios(".", "ALBP", "ARWM", "seconds")
  conclusion("A step of LBP takes about as long as one of RWM (1.2 +- 0.2 times)", "6", \
             "ALBP's takes " between_digits(found, 2) " times as long as ARWM's, which visits fewer sites", "no", \
             lowest(found) > 2.4)
  conclusion("Gradients can replace log-ratios", "6", \
             "exact on Ising models; FHMM C3 with t/(1+t): EJD " \
             digits(at(gradient, "model=fhmm;config=C3;sampler=ALBP;weight=t/(1+t)", "ejd"), 2) " in place of " \
             digits(at(tables, "model=fhmm;config=C3;size=L=1000;sampler=ALBP;weight=t/(1+t)", "ejd"), 3) \
             ", with sqrt(t) " digits(at(gradient, "model=fhmm;config=C3;sampler=ALBP;weight=sqrt(t)", "ejd"), 3) \
             " of " digits(at(tables, "model=fhmm;config=C3;size=L=1000;sampler=ALBP;weight=sqrt(t)", "ejd"), 3), "partly", \
             at(gradient, "model=fhmm;config=C3;sampler=ALBP;weight=t/(1+t)", "ejd") < \
             0.5 * at(tables, "model=fhmm;config=C3;size=L=1000;sampler=ALBP;weight=t/(1+t)", "ejd"))
  list = steps_needed("b")
  found = steps_needed("s")
  conclusion("Training needs a half to a fifth of the steps with ALBP", "6.3, table 2", \
             "steps to 10 nat of the best, LBP-1 and ALBP, on MNIST, dynamic MNIST, Omniglot, Caltech: sqrt(t) " \
             found "; t/(1+t) " list ", no fewer on MNIST", "partly", list ~ /^64 and 64, 64 and 64/)
  conclusion("N must grow as epsilon^-2 where p = 1/2 - epsilon, as 1/epsilon where p = epsilon", \
             "appendix B.2, tables 3 and 4", \
             "our N is " between(reach_ratios(3), 2) " times the paper's, and " between(reach_ratios(4), 2) " times", \
             "yes", highest(reach_ratios(3)) < 1.1 * lowest(reach_ratios(3)) && \
             highest(reach_ratios(4)) < 1.1 * lowest(reach_ratios(4)))
}
function reach_ratios(table,    r, list) {
  for (r = 1; r <= rows[reach]; r++) {
    if (is(reach, r, "table=" table)) list = list " " cell[reach, r, "N"] / cell[reach, r, "paper_N"]
  }
  return list
}

# Of the any-scale paper's targets whose names are like these: effective samples of a sampler by those of others' best.
function any_ratios(targets, one, others, column,    r, n, k, other, list, text) {
  n = split(others, other, " ")
  for (r = 1; r <= rows[scales]; r++) {
    if (!is(scales, r, "sampler=" one) || cell[scales, r, "target"] !~ targets) continue
    list = ""
    for (k = 1; k <= n; k++) list = list " " at(scales, "target=" cell[scales, r, "target"] ";sampler=" other[k], \
      column)
    text = text " " cell[scales, r, column] / nonzero(highest(list))
  }
  return text
}
function count_above(list, least,    n, k, part, count) {
  n = split(list, part, " ")
  for (k = 1; k <= n; k++) count += part[k] > least
  return count + 0 " of " n
}
function ess(target, sampler) { return fixed(at(scales, "target=" target ";sampler=" sampler, "ess_per_10k_queries"), \
  0) }
function with_se(target, sampler) {
  return ess(target, sampler) " +- " fixed(at(scales, "target=" target ";sampler=" sampler, "se"), 0)
}
# By how many standard errors of the difference AB-trace is ahead of another sampler.
function ahead_by(target, sampler,    here) {
  here = "target=" target ";sampler="
  return (at(scales, here "AB-trace", "ess_per_10k_queries") - at(scales, here sampler, "ess_per_10k_queries")) / \
    root(square(at(scales, here "AB-trace", "se")) + square(at(scales, here sampler, "se")))
}
function mixing_steps(data, sampler,    text) {
  text = value(read("ebm/report.md", "**" data "**, >> From the base"), "sampler=" sampler "*", "steps")
  return text ~ />/ ? "more than " substr(text, 3) : text
}
function mixing_end(data, sampler) {
  return value(read("ebm/report.md", "**" data "**, >> From the base"), "sampler=" sampler "*", "log pi at the end")
}
# Of figure 1, the best alpha for each sigma, in the order of sigma.
function best_alphas(    r, n, k, sigma, most, best, text, s, least, done) {
  settings = read("any_scale/settings.csv")
  for (r = 1; r <= rows[settings]; r++) {
    if (!is(settings, r, "figure=figure1")) continue
    s = cell[settings, r, "sigma_or_s"] + 0
    if (!(s in most)) n++
    if (cell[settings, r, "ess_per_10k_queries"] > most[s]) {
      most[s] = cell[settings, r, "ess_per_10k_queries"] + 0
      best[s] = cell[settings, r, "alpha"] + 0
    }
  }
  for (k = 1; k <= n; k++) {
    least = ""
    for (s in most) if (!(s in done) && (least == "" || s + 0 < least)) least = s + 0
    done[least] = 1
    text = text (k == 1 ? "" : k < n ? ", " : " and ") best[least]
  }
  return text
}
function rises(list,    n, k, part) {
  gsub(/ and|,/, "", list)
  n = split(list, part, " ")
  for (k = 2; k <= n; k++) if (part[k] <= part[k - 1]) return 0
  return n > 2
}
function any_scale(    all_targets, baselines, e, list, second, k, grid) {
  scales = read("any_scale/tables.csv")
  all_targets = "^(grid|ba)-0|^(rotation|sparse)-"
  baselines = "Gibbs RWM DLP"
  e = "ess_per_10k_queries"
  list = best_alphas()
  conclusion("The best alpha rises with sigma, from 1/2 to 1", "1, figure 1", list \
             " for sigma from 0.25 to 16", "yes", \
             rises(list))
  list = any_ratios(all_targets, "AB-trace", baselines, e)
  conclusion("AB-trace outperforms Gibbs, RWM and DLP on all quadratic targets", "5.2, tables 1 to 5", \
             between(list, 1) " times the best of them; per second, on one core, ahead on " \
             count_above(any_ratios(all_targets, "AB-trace", baselines, "ess_per_second"), 1), "yes", \
             lowest(list) > 1)
  list = any_ratios(all_targets, "AB-shift", baselines, e) any_ratios(all_targets, "AB-max", baselines, e)
  second = any_ratios(all_targets, "AB-1st", baselines, e)
  conclusion("All AB samplers outperform these", "5.2, tables 1 to 5", \
             "AB-1st on " count_above(second, 1) ", AB-shift and AB-max on " count_above(list, 1) \
             "; the others as low as " \
             fixed(lowest(list), 2) " times", "partly", lowest(list) < 1 && count_above(list, 1) !~ /^[0-9] /)
  list = any_ratios(all_targets, "AB-1st", "DLP", e)
  conclusion("AB-1st has consistently more ESS than DLP", "5.2", "on " count_above(list, 1) "; " \
             fixed(lowest(list), 2) " times on sparse Gaussians, L = 50", "partly", \
             lowest(list) == any_ratios("^sparse-50", "AB-1st", "DLP", e) + 0 && lowest(list) < 1)
  list = any_ratios("^(grid-0|rotation)", "AB-trace", "AB-shift", e)
  second = any_ratios("^(ba-0|sparse)", "AB-trace", "AB-shift", e)
  conclusion("AB-trace equals AB-shift on grids and rotated Gaussians, and is far better on graphs and sparse Gaussians", \
             "5.2", between(list, 1) " times and " between(second, 1) " times", "yes", \
             highest(list) < 1.5 && lowest(second) > 1.5)
  conclusion("AB-trace is ahead of AB-1st on cold graphs, too", "table 3, J = 0.7071", \
             "AB-1st " digits(ess("ba-0.7071", "AB-1st"), 4) ", AB-trace " digits(ess("ba-0.7071", "AB-trace"), 4) \
             " (the paper: " digits(at(scales, "target=ba-0.7071;sampler=AB-1st", "paper"), 3) " and " \
             digits(at(scales, "target=ba-0.7071;sampler=AB-trace", "paper"), 3) "); damped it has " \
             digits(ess("ba-0.7071", "AB-trace-damped"), 4), "no", \
             ess("ba-0.7071", "AB-1st") + 0 > ess("ba-0.7071", "AB-trace") + 0)
  conclusion("There AB-1st beats AB-shift and AB-max", "appendix B.2", "against " ess("ba-0.7071", "AB-shift") " and " \
             ess("ba-0.7071", "AB-max"), "yes", \
             ess("ba-0.7071", "AB-1st") + 0 > highest(ess("ba-0.7071", "AB-shift") " " ess("ba-0.7071", "AB-max")))
  conclusion("AB-trace outperforms the others on logistic regression", "5.3, figure 2", \
             "AB-trace " ess("logistic", "AB-trace") ", DLP " ess("logistic", "DLP") ", AB-1st " ess("logistic", \
             "AB-1st") "; " \
             ess("logistic", "AB-trace-damped") " with our damping of W", "no", \
             ess("logistic", "AB-trace") + 0 < ess("logistic", "DLP") + 0)
  conclusion("There AB-1st outperforms AB-shift and AB-max", "5.3", ess("logistic", "AB-1st") " against " \
             ess("logistic", "AB-shift") " and " ess("logistic", "AB-max"), "yes", \
             ess("logistic", "AB-1st") + 0 > highest(ess("logistic", "AB-shift") " " ess("logistic", "AB-max")))
  conclusion("AB-trace outperforms the others on the quartic mixture", "5.3, figure 3", \
             with_se("quartic", "AB-trace") "; the best of Gibbs, RWM and DLP " highest(ess("quartic", "Gibbs") " " ess("quartic", "RWM") " " \
             ess("quartic", "DLP")) ", AB-1st " ess("quartic", "AB-1st") "; but AB-max " \
             with_se("quartic", "AB-max") " and AB-shift " with_se("quartic", "AB-shift") \
             " are within 3 standard errors", "partly", \
             ahead_by("quartic", "AB-max") < 3 && ahead_by("quartic", "AB-shift") < 3 && \
             ahead_by("quartic", "RWM") > 3 && \
             ahead_by("quartic", "AB-1st") > 3 && ahead_by("quartic", "DLP") > 3 && ahead_by("quartic", "Gibbs") > 3)
  list = any_ratios(all_targets "|logistic|quartic", "AB-trace-as-printed", "AB-trace", e)
  second = read("any_scale/report.md", "## Adapted against fixed settings")
  conclusion("Algorithm 3 finds a good (sigma, alpha)", "3.1 and 5.3", \
             "as printed it gives " between(list, 2) " of AB-trace with s and rho adapted, which reaches " \
             between(all(second, "", "adapted / best"), 2) " of the best fixed setting", "partly", \
             highest(list) < 0.9)
  diagonals = read("any_scale/diagonal.csv")
  list = all(diagonals, "n=100", "seconds")
  conclusion("D of 100 dimensions takes milliseconds", "3.2", \
             digits(1000 * lowest(list), 1) " to " digits(1000 * highest(list), 1) " ms", "yes", highest(list) < 0.01)
  conclusion("AB mixes faster than DLP on deep models of all three data sets", "5.4, figure 4", \
             "MNIST " mixing_steps("mnist", "AB") " steps against " mixing_steps("mnist", "DLP") \
             "; Omniglot and Caltech: neither " \
             "arrives in 1,000 steps, where log pi is " mixing_end("omniglot", "AB") " against " \
             mixing_end("omniglot", "DLP") \
             " and " mixing_end("caltech", "AB") " against " mixing_end("caltech", "DLP"), "partly", \
             mixing_steps("mnist", "AB") + 0 < mixing_steps("mnist", "DLP") + 0 && \
             mixing_end("omniglot", "AB") - mixing_end("omniglot", "DLP") < 0 && \
             mixing_end("caltech", "AB") - mixing_end("caltech", "DLP") < 0 && \
             mixing_steps("omniglot", "AB") ~ /more/ && mixing_steps("caltech", "AB") ~ /more/)
  for (k = split("mnist omniglot caltech", grid, " "); k > 0; k--) {
    list = value(read("ebm/report.md", "**" grid[k] "**, >> From the base"), "sampler=AB*", "sampler")
    sub(/^.*alpha /, "", list)
    grid["best"] = grid["best"] " " list + 0
  }
  conclusion("The best alpha there is 0.6, 0.55 and 0.55", "5.4", "the grid search takes " fixed(lowest(grid["best"]), 2) \
             " on all three, the edge of its grid", "no", lowest(grid["best"]) == highest(grid["best"]))
  conclusion("On large sparse models D is slow, and its root need not be sparse", "6", \
             "D of 10,000 sites in " between(all(diagonals, "matrix=grid;n=10000", "seconds") \
             all(diagonals, "matrix=cycle*;n=10000", "seconds") all(diagonals, "matrix=Bara*;n=10000", "seconds"), 1) \
             " s; with D_i = sum_j abs(W_ij) - W_ii the noise is a sum over edges, without a root", "answered here", \
             highest(all(diagonals, "matrix=grid;n=10000", "seconds")) < 5)
}

# Steps and chains of a model's cells, of its sizes in turn.
function run_row(model, sizes,    n, k, part, text, here) {
  n = split(sizes, part, " ")
  for (k = 1; k <= n; k++) {
    here = all(tables, "model=" model ";size=" part[k], "steps")
    if (lowest(here) != highest(here)) complain(part[k] ": steps differ")
    text = text (k > 1 ? ", " : "") digits(highest(here), length(highest(here) ""))
  }
  text = text " |"
  for (k = 1; k <= n; k++) {
    here = all(tables, "model=" model ";size=" part[k], "chains")
    text = text (k > 1 ? ", " : " ") (lowest(here) == highest(here) ? "" : lowest(here) " to ") highest(here)
  }
  return text " |"
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

# What is known of the reverse path: the tables against ours and against a simulation that takes it forwards, and what
# the
# published code does at a fixed R beside what forward order would come to: lambda_1 sqrt(4/3) times as large in (6).
function reverse_path(    r, here, n, ours, papers, emulated, step, rate) {
  simulated = read("../data/reference.csv")
  for (r = 1; r <= rows[simulated]; r++) {
    if (!is(simulated, r, "model=bernoulli;sampler=ALBP")) continue
    here = "model=bernoulli;config=" cell[simulated, r, "config"] ";size=" cell[simulated, r, "size"]
    n++
    emulated += ln(cell[simulated, r, "paper_ejd"] / cell[simulated, r, "ejd_as_in_paper_code"])
  }
  n = nonzero(n)
  papers = 0
  for (r = 1; r <= rows[tables]; r++) {
    if (cell[tables, r, "model"] == "bernoulli" && cell[tables, r, "sampler"] ~ /^[AG]LBP$/) {
      ours++
      papers += ln(cell[tables, r, "paper_ejd"] / cell[tables, r, "ejd"])
    }
  }
  say("tables have " fixed(e_to(papers / nonzero(ours)), 3) " of our jump distances, and " fixed(e_to(emulated / n), 3) \
    " of those")
  say("such an order brings " fixed(e_to(ln(3 / 4) / 3), 3) " where R is tuned")
  peers = read("compare/peers.csv")
  step = "peer=LBP_Scale;source=measured;model=bernoulli 800;sampler=LBP"
  rate = at(peers, step, "lbp_ejd") / at(peers, step, "R")
  say("at N = 800, C2, R = " at(peers, step, "R") ", it moves " fixed(at(peers, step, "ejd"), 2) " +- " \
      fixed(at(peers, step, "ejd_se"), 2) " sites a step, ours " fixed(at(peers, step, "lbp_ejd"), 2) \
      ", and forward order would give " fixed(at(peers, step, "R") * 2 * phi(root(4 / 3) * quantile(rate / 2)), 0))
}

function two_cells(measure) { return after("paper/report.md", measure ": ", "[0-9]+ of [0-9]+") }

BEGIN {
  tables = read("paper/tables.csv")
  optimal()
  any_scale()
  say("| Bernoulli | N = 100, 800, 6,400 | " run_row("bernoulli", "N=100 N=800 N=6400"))
  say("| Ising | p = 20, 50, 100 | " run_row("ising", "p=20 p=50 p=100"))
  say("| FHMM | L = 200, 1,000, 4,000 | " run_row("fhmm", "L=200 L=1000 L=4000"))
  say("| RBM | h = 100, 400, 1,000 | " run_row("rbm", "h=100 h=400 h=1000"))
  say("curves of " between(all(curves, "sampler=LBP", "chains"), 0) " chains and " \
      digits(lowest(all(curves, "sampler=LBP", "steps")), 2) " to " digits(highest(all(curves, "sampler=LBP", \
      "steps")), 2) " steps (RWM " \
      between(all(curves, "sampler=RWM", "chains"), 0) " and " digits(highest(all(curves, "sampler=RWM", "steps")), \
      3) ")")
  rows_of(5, "Bernoulli", "bernoulli")
  rows_of(8, "Ising", "ising")
  rows_of(11, "FHMM", "fhmm")
  rows_of(14, "RBM", "rbm")
  say(two_cells("Expected jump distance") " jump distances and " two_cells("Effective sample size") \
      " effective sample sizes of tables 5 to 15 are within 3 standard errors or 3 %")
  say(far(".", ".") " cells are farther from the paper's than that")
  say("**LBP with R > 1 on Bernoulli products**, " far("bernoulli", "^[AG]LBP") " cells")
  reverse_path()
  say("**The others of the three local models**, " far("bernoulli|ising|fhmm", "RWM|GWG|-1") \
      " cells: effective sample sizes up to " digits(largest, 2))
  say("If the paper's errors are like ours, " apart " is more than 3 standard errors off")
  say("**RBMs**, " far("rbm", ".") " cells")
  say("**Ising p = 20**, " off("ising p=20") " effective sample sizes")
  odd = "model=fhmm;config=C2;size=L=4000;sampler=ARWM"
  say(digits(at(tables, odd, "ejd"), 4) " sites a step here, " \
      digits(at(tables, "model=fhmm;config=C2;size=L=4000;sampler=GRWM", "ejd"), 4) " with R by grid search, " \
      fixed(at(tables, odd, "paper_ejd"), 2) " in the paper, and " digits(at(tables, odd, "reference_ejd"), 4) \
      " in the reference, of which ours is " fixed(at(tables, odd, "ejd") / at(tables, odd, "reference_ejd"), 3) " times")
  odd = "model=ising;config=C2;size=p=50;sampler=ALBP;weight=sqrt(t)"
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
  say(times_seen("rbm", "paper") " of the paper's figures of tuned samplers and " times_seen("rbm", "reference") " of the reference's")
  text = seeds_row("ising p=20, effective sample sizes")
  say("give " text " times ours, the reference's " theirs["reference"])
  text = seeds_row("fhmm L=200, effective sample sizes")
  say("On FHMM L = 200 they give " text " times, the reference's " theirs["reference"])
  say(times_seen("ising", "reference") " and " times_seen("fhmm", "reference") " of its figures are within")
  any = read("any_scale/paper.csv")
  any_row(2, "Ising models on a grid", "grid-")
  any_row(3, "on Barabasi-Albert graphs", "ba-")
  any_row(4, "rotated Gaussians", "rotation-")
  any_row(5, "sparse Gaussians", "sparse-")
  say(after("any_scale/report.md", "", "[0-9]+ of 88 cells are within 10 %") " of the paper")
  say(after("any_scale/report.md", "| not known | ", "[0-9]+") " have no explanation")
  say("the reference has " after("any_scale/report.md", "Of these the independent simulator has ", "[0-9]+") \
      "; ours agree in " after("any_scale/report.md", "within 3 standard errors or 10 %, in ", "[0-9]+"))
  say(after("any_scale/report.md", "", "[0-9]+ of [0-9]+ cells are within 3 standard errors or 10 %"))
  spent = read("times.md", "# All benchmarks")
  count = split(all(spent, "benchmark=*", "minutes"), minutes, " ")
  for (k = 1; k <= count; k++) hours += minutes[k] / 60
  say("of these take " fixed(hours, 0) " hours on two cores")
  peers = read("compare/peers.csv")
  peer_row("the optimal-scaling paper's code, PyTorch", "LBP_Scale", "measured")
  peer_row("the same on a GPU, as published", "LBP_Scale", "published")
  peer_row("DISCS, by authors of both papers", "DISCS", "measured")
  peer_row("NumPyro", "NumPyro", "measured")
  peer_row("PyMC", "PyMC", "measured")
  peer_row("dwave-samplers", "dwave-samplers", "measured")
  peer_row("OpenJij", "OpenJij", "measured")
  say("the best sampler here gives " between_digits(beside_millipede(), 2) " times as many effective samples of inclusion")
  say("by means of draws it gives " \
      between_digits(all(read("overview.csv"), "peer=millipede*", "lowest") " " all(read("overview.csv"), "peer=millipede*", "highest"), 2) " times")
  say("Millipede's own are known to " between(doubts, 0) " %")
  say("millipede-regression " after("sharp_others.md", "millipede-regression ", "[0-9.]+[0-9]"))
}
