# ---- bench/compare ---------------------------------------------------------------------------------------------------

function part_of(model, sampler, column) { return at(compare, "model=" model ";sampler=" sampler, column) }
function second(model, sampler) { return digits(part_of(model, sampler, "second_ratio"), 2) }
function evaluation(model, sampler) { return digits(part_of(model, sampler, "evaluation_ratio"), 2) }
function nanoseconds(model, sampler) { return part_of(model, sampler, "ns_per_step") / nonzero(part_of(model, sampler, "n")) }
# Effective samples per second of one sampler by another's, on all targets that resolve both.
function both(one, other,    r, here, list) {
  for (r = 1; r <= rows[compare]; r++) {
    if (!is(compare, r, "resolved=yes;sampler=" one)) continue
    here = "resolved=yes;model=" cell[compare, r, "model"]
    if (how_many(compare, here ";sampler=" other)) list = list " " ratio(compare, here, "sampler=" one, "sampler=" \
      other, "ess_per_second")
  }
  return list
}
function rejected(model) { return 100 - digits(100 * part_of(model, "RWM-1", "acceptance"), 1) }

function easy_and_sharp(    r, model, models, costs) {
  compare = read("compare/compare.csv")
  for (r = 1; r <= rows[compare]; r++) {
    if (cell[compare, r, "model"] == model) continue
    model = cell[compare, r, "model"]
    models++
    if (model != "network") costs = costs " " nanoseconds(model, "Gibbs")
  }
  say("on " word(models) " targets")
  sweeps_on_smooth_targets(compare)
  plain_c()
  smooth(compare, "^(ising|critical|field|glass|bernoulli)", 0.03)
  say_if(how_many(compare, "model=critical-128;sampler=ALBP;resolved=few") && \
         how_many(compare, "model=glass-1;sampler=ALBP;resolved=disagree") && unresolved == 2, \
         "(" toupper(substr(word(unresolved), 1, 1)) substr(word(unresolved), 2) \
         " targets were not resolved: the critical grid of " \
         "128 x 128 sites, and the glass at beta = 1.)")
  say("A conditional of ready-made models costs " between(costs, 0) " ns")
  say("gives " between(both("AGWG", "ALBP"), 2) " times the effective samples per second of ALBP tuned per step, " \
      between(both("AGWG", "ALBP-second"), 2) " times those of ALBP tuned per second")
  say("at beta = 0.8 (" rejected("ising-0.8") " % rejected) and 1.2 (" rejected("ising-1.2") " % rejected) LBP-1 gives " \
      evaluation("ising-0.8", "LBP-1") " and " evaluation("ising-1.2", "LBP-1") " times as many effective samples per evaluation")
  say_if(part_of("ising-0.8", "Metropolis", "second_ratio") > part_of("ising-0.8", "ALBP-second", "second_ratio"),
         "Per second the plain C by table is still ahead at 0.8")
  say("at 1.2 LBP-1 gives " digits(ratio(compare, "model=ising-1.2", "sampler=LBP-1", "sampler=Metropolis", "ess_per_second"), 2) \
      " times as many as it")
  say("tuned per second gives " evaluation("bernoulli-sharp", "ALBP-second") " times as many per evaluation and " \
      second("bernoulli-sharp", "ALBP-second") " times per second")
  say("| ALBP, t/(1+t) | " second("network", "ALBP") " | " evaluation("network", "ALBP") " |")
  say("| ALBP, sqrt(t) | " second("network", "ALBP-sqrt") " | " evaluation("network", "ALBP-sqrt") " |")
  say("| effective samples per second, neural energy | " \
      fixed(ratio(compare, "model=network", "sampler=ALBP-sqrt", "sampler=ALBP", "ess_per_second"), 2) " |")
  against_levels()
}

# The Metropolis sweeps of bench/compare, which are no functions of lbp.
function plain_c(    by_table, in_order) {
  by_table = sites_of(grids " critical-128")
  in_order = sites_of(in_fields)
  say("not in lbp, gives " between(by_informed(compare, grids, "Metropolis"), 0) " times on grids without field, " \
      between(by_informed(compare, in_fields, "Metropolis"), 1) " times in fields and on a glass")
  say("a multiple of 4 | " between(by_table, 2) " |")
  say("grids in fields, a glass | " between(in_order, 1) " |")
  say("by table gives " second("critical-64", "Metropolis") " times the effective samples")
}
function sites_of(models,    n, k, model, list) {
  n = split(models, model, " ")
  for (k = 1; k <= n; k++) list = list " " nanoseconds(model[k], "Metropolis")
  return list
}

# LBP against a Gibbs sweep by level, of bench/sharp.
function by_level(target, sampler) {
  return at(sharp, "target=" target ";marginals=plain;sampler=" sampler, "seconds_to_gibbs")
}
function against_levels() {
  say("| | LBP-1, ALBP | " digits(by_level("ising-.8", "LBP-1"), 2) ", " digits(by_level("ising-.8", "ALBP"), 2) " |")
  say("| | LBP-1, ALBP | " digits(by_level("ising-1.2", "LBP-1"), 2) ", " digits(by_level("ising-1.2", "ALBP"), 2) " |")
}

# ---- bench/clusters --------------------------------------------------------------------------------------------------

# Effective samples a chain, of the slower statistic.
function samples(target, sampler,    row) {
  row = "target=" target ";sampler=" sampler
  return at(chains, row, "steps") / nonzero(highest(at(chains, row, "iact_energy") " " at(chains, row, "iact_order")))
}
function best_sweep(target) { return at(chains, "target=" target ";sampler=Gibbs", "to_best_sweep") == 1 ? "Gibbs" : "Metropolis" }
function is_resolved(target, sampler) { return samples(target, sampler) >= 20 && samples(target, best_sweep(target)) >= 20 }
function to_sweep(target, sampler,    row) {
  row = "target=" target ";sampler=" sampler
  if (!how_many(chains, row) || value_or_none(chains, row, "to_best_sweep") == "") return ""
  return digits(at(chains, row, "to_best_sweep"), 2) (is_resolved(target, sampler) ? "" : " ?")
}
function cluster_row(shown, target,    lanes) {
  lanes = to_sweep(target, "lanes")
  say("| " shown " | " to_sweep(target, "Swendsen-Wang") " | " to_sweep(target, "Wolff") " | " (lanes == "" ? "" : lanes " ") "|")
}
function rounds_of(glass, way, column,    x) {
  x = value_or_none(replicas, "glass=" glass ";replicas=" way, column)
  return x == "" ? "|" : digits(x, 2) " |"
}
function replica_row(shown, glass, way, as,    here) {
  here = "glass=" glass ";replicas=" way
  say("| " shown " | " as " | " rounds_of(glass, way, "iact_energy") " " rounds_of(glass, way, "iact_overlap") " " \
      digits(at(replicas, here, "us_per_round"), 2) " | " \
      with_error(at(replicas, here, "overlap"), at(replicas, here, "error_overlap")) " |")
}
function a_site(target, sampler,    row) {
  row = "target=" target ";sampler=" sampler
  return 1000 * at(chains, row, "us_per_step") / nonzero(at(chains, row, "sites"))
}
# The same of all Ising targets whose names look like `pattern`.
function all_sites(pattern, sampler,    r, list) {
  for (r = 1; r <= rows[chains]; r++) {
    if (is(chains, r, "sampler=" sampler) && cell[chains, r, "target"] ~ pattern) list = list " " a_site(cell[chains, r, "target"], sampler)
  }
  return list
}
function by_gibbs(sampler) {
  return digits(ratio(chains, "target=ising-64", "sampler=" sampler, "sampler=Gibbs", "ess_per_s"), 2)
}
function clusters(    k, glass, apart, metropolis) {
  say("`LBP_SAMPLER_LANES`](lanes.md): " lanes_range() " with AVX2")
  chains = read("clusters/clusters.csv")
  replicas = read("clusters/replicas.csv")
  cluster_row("critical Ising grid, 32 x 32", "ising-32")
  cluster_row("64 x 64", "ising-64")
  cluster_row("128 x 128", "ising-128")
  cluster_row("64 x 64 at beta = 0.40", "ising-64-hot")
  cluster_row("64 x 64 at beta = 0.48", "ising-64-cold")
  cluster_row("critical 64 x 64, with beta h = 0.001", "ising-64-h0.001")
  cluster_row("with beta h = 0.01", "ising-64-h0.01")
  cluster_row("with beta h = 0.1", "ising-64-h0.1")
  cluster_row("with random h of 0.2 J", "random-field-0.2")
  cluster_row("with random h of 0.5 J", "random-field-0.5")
  cluster_row("with random h of J, beta = 0.6", "random-field-1")
  cluster_row("critical Potts torus, 3 values, 32 x 32", "potts3-32")
  cluster_row("3 values, 64 x 64", "potts3-64")
  cluster_row("4 values, 64 x 64", "potts4-64")
  cluster_row("denoising a noisy picture of four grey values", "picture-noisy")
  cluster_row("denoising a clear picture of four grey values", "picture-clear")
  cluster_row("spin glass in two dimensions, beta = 0.5", "glass2d-0.5")
  cluster_row("beta = 1", "glass2d-1")
  cluster_row("in three dimensions, beta = 0.5", "glass3d-0.5")
  cluster_row("communities of a graph by modularity", "communities")
  metropolis = digits(a_site("ising-64", "Metropolis"), 2)
  say("on the critical 64 x 64 one " metropolis " ns a site. A model by terms has no levels, and [takes " \
      digits(at(read("lanes/avx2.csv"), "model=Ising 64^2;beta=0.44", "metropolis"), 2) " ns]")
  replica_row("16 x 16, beta = 3", "2d-16", "whole", "whole swaps")
  replica_row("16 x 16, beta = 3", "2d-16", "parts", "parts")
  replica_row("32 x 32, beta = 4", "2d-32", "whole by lanes", "whole swaps, by lanes")
  replica_row("32 x 32, beta = 4", "2d-32", "parts", "parts")
  replica_row("6 x 6 x 6, beta = 1.4", "3d-6", "whole", "whole swaps")
  replica_row("6 x 6 x 6, beta = 1.4", "3d-6", "parts", "parts")
  cluster_speed()
  say("takes " between(all_sites("^ising-[0-9]+(-hot|-cold)?$", "Swendsen-Wang"), 0) " ns a site on Ising grids without field, " \
      between(all_sites("^ising-64-h0|^random-field", "Swendsen-Wang"), 0) " ns with fields")
  say("The same by lbp: " by_gibbs("Metropolis") " times by `NAME_metropolis_sweep` by level (" metropolis \
      " ns a site), " by_gibbs("lanes") " times by [lanes](#clusters)")
  say("Parts give " with_error(parts_by_lanes(), parts_by_lanes() * root(square(share_of("parts")) + \
      square(share_of("whole by lanes")))) " times as many per second")
  say("Standard errors are " between(percents("Swendsen-Wang") percents("Wolff"), 0) " % of the clusters' figures, " \
      between(percents("lanes"), 0) " % of the lanes'")
  say_if(longer("2d-16", "iact_energy") && longer("2d-16", "iact_overlap") && longer("3d-6", "iact_energy") && \
         longer("3d-6", "iact_overlap"), "on 16 x 16 sites and in three dimensions that costs more than it gains")
  for (k = split("2d-32 2d-16 3d-6", glass, " "); k > 0; k--) {
    apart = apart " " errors_apart(glass[k], "overlap", "error_overlap") " " errors_apart(glass[k], "energy_per_site", "error")
  }
  say("means of abs(q) and energies are at most " fixed(highest(apart), 1) " standard errors apart")
}
# Nanoseconds a site, of grids of both sizes, and how many times as long as by hand.
function cluster_speed(    speed) {
  speed = read("clusters/speed.md", "lbp ")
  say("takes " between(all(speed, "ns a site=Swendsen-Wang", "lbp"), 0) " ns a site, of Wolff's " \
      between(all(speed, "ns a site=Wolff", "lbp"), 0) " ns a site of the cluster, " \
      between(all(speed, "ns a site=Swendsen-Wang", "ratio"), 1) " and " between(all(speed, "ns a site=Wolff", "ratio"), 1) \
      " times as long as")
}
function parts_by_lanes() {
  return at(replicas, "glass=2d-32;replicas=whole by lanes", "iact_overlap") * at(replicas, "glass=2d-32;replicas=whole by lanes", \
    "us_per_round") / at(replicas, "glass=2d-32;replicas=parts", "iact_overlap") / at(replicas, \
    "glass=2d-32;replicas=parts", "us_per_round")
}
# The error of rounds an effective overlap, as a share of them.
function share_of(way,    row) {
  row = "glass=2d-32;replicas=" way
  return at(replicas, row, "error_iact_overlap") / nonzero(at(replicas, row, "iact_overlap"))
}
# Errors of a sampler's figures, in percent of them.
function percents(sampler,    r, list) {
  for (r = 1; r <= rows[chains]; r++) {
    if (is(chains, r, "sampler=" sampler) && is_resolved(cell[chains, r, "target"], sampler)) {
      list = list " " 100 * cell[chains, r, "error_to_best"] / nonzero(cell[chains, r, "to_best_sweep"])
    }
  }
  return list
}
# Whether parts take longer for an effective sample than whole swaps of one replica a temperature.
function longer(glass, rounds,    one, other) {
  one = "glass=" glass ";replicas=parts"
  other = "glass=" glass ";replicas=whole"
  return at(replicas, one, rounds) * at(replicas, one, "us_per_round") > \
    at(replicas, other, rounds) * at(replicas, other, "us_per_round")
}
function errors_apart(glass, column, error,    one, other, gap) {
  one = "glass=" glass ";replicas=parts"
  other = "glass=" glass ";replicas=whole by lanes"
  gap = at(replicas, one, column) - at(replicas, other, column)
  return (gap < 0 ? -gap : gap) / root(square(at(replicas, one, error)) + square(at(replicas, other, error)))
}

# ---- bench/ebm -------------------------------------------------------------------------------------------------------

# Of the samplers that move many sites, and of those that move one, all that a table says in a column.
function of_many(table, column) {
  return all(table, "sampler=ALBP*", column) all(table, "sampler=AB*", column) all(table, "sampler=DLP*", column) \
    all(table, "sampler=GWG*", column)
}
function of_one(table, column) {
  return all(table, "sampler=LBP-1", column) all(table, "sampler=RWM", column) all(table, "sampler=Gibbs", column)
}
function yield(sampler,    list) {
  list = all(early, "sampler=" sampler "*", "ESS/s a core") all(early_2, "sampler=" sampler "*", "ESS/s a core")
  return fixed(mean(list), 0) " (" between(list, 0) ")"
}
function steps(sampler,    text) {
  text = value(mixing, "sampler=" sampler "*", "steps")
  return text ~ />/ ? "more than " substr(text, 3) : text
}
function deep(    costs, one) {
  mixing = read("ebm/report.md", "**mnist**, >> From the base")
  yields = read("ebm/report.md", "**mnist**, >> From the end")
  early = read("ebm/report.md", "**mnist_early**, >> From the end")
  early_2 = read("ebm/report.md", "**mnist_early_2**, >> From the end")
  costs = of_many(yields, "us a step")
  one = nonzero(at(yields, "sampler=Gibbs", "us a step"))
  say("A step of each costs " between(lowest(costs) / one " " highest(costs) / one, 1) " conditionals and moves " \
      between(of_many(yields, "jump"), 0) " sites")
  say("chains of two seeds still mix (R-hat " between(of_many(early, "R-hat") of_many(early_2, "R-hat"), 2) ")")
  say("| AB | " yield("AB") " | " steps("AB") " |")
  say("| ALBP | " yield("ALBP") " | " steps("ALBP") " |")
  say("| DLP | " yield("DLP") " | " steps("DLP") " |")
  say("| GWG | " yield("GWG") " | " steps("GWG") " |")
  say("| LBP-1, RWM, single Gibbs conditionals | at most " \
      fixed(highest(of_one(early, "ESS/s a core") of_one(early_2, "ESS/s a core")), 0) " | " steps("LBP-1") " |")
  say("(R-hat " between(of_many(yields, "R-hat") of_one(yields, "R-hat"), 2) ")")
}

# ---- bench/paper -----------------------------------------------------------------------------------------------------

# How far sqrt(t) moves by how far t/(1+t) does, in all cells of a model.
function by_weight(model,    r, here, list) {
  for (r = 1; r <= rows[paper]; r++) {
    if (!is(paper, r, "sampler=ALBP;weight=sqrt(t);model=" model)) continue
    here = "sampler=ALBP;model=" model ";config=" cell[paper, r, "config"] ";size=" cell[paper, r, "size"]
    list = list " " ratio(paper, here, "weight=sqrt(t)", "weight=t/(1+t)", "ejd")
  }
  return between(list, 2)
}
# Acceptance rates at which the jump distance is largest, and how far GWG moves when tuned to 0.574 by the best of a
# grid.
function best_rates(    r, here, gwg, local_lbp, rbm_lbp, rwm, list) {
  peaks = read("paper/peaks.csv")
  for (r = 1; r <= rows[peaks]; r++) {
    if (!is(peaks, r, "inside=1")) continue
    if (is(peaks, r, "sampler=GWG")) gwg = gwg " " cell[peaks, r, "acceptance"]
    else if (is(peaks, r, "sampler=RWM")) rwm = rwm " " cell[peaks, r, "acceptance"]
    else if (is(peaks, r, "model=rbm")) rbm_lbp = rbm_lbp " " cell[peaks, r, "acceptance"]
    else local_lbp = local_lbp " " cell[peaks, r, "acceptance"]
  }
  say("| LBP | 0.574 | " between(local_lbp, 2) " on the paper's local models, " between(rbm_lbp, 2) " on RBMs |")
  say("| GWG | | " between(gwg, 2) ", as")
  for (r = 1; r <= rows[paper]; r++) {
    if (!is(paper, r, "sampler=AGWG")) continue
    here = "model=" cell[paper, r, "model"] ";config=" cell[paper, r, "config"] ";weight=" cell[paper, r, "weight"]
    list = list " " ratio(paper, here ";size=" cell[paper, r, "size"], "sampler=AGWG", "sampler=GGWG", "ejd")
  }
  say("tuned to 0.574 it moves " between(list, 2) " times as far as with the best R")
  say("| RWM | 0.234 | " between(rwm, 2) " |")
}
# Of all targets that resolve both but the neural energy, sqrt(t) by t/(1+t) per second; how many to `others_of_both`.
function both_weights(    r, here, list) {
  others_of_both = 0
  for (r = 1; r <= rows[compare]; r++) {
    if (!is(compare, r, "resolved=yes;sampler=ALBP-sqrt") || cell[compare, r, "model"] == "network") continue
    here = "resolved=yes;model=" cell[compare, r, "model"]
    if (!how_many(compare, here ";sampler=ALBP")) continue
    others_of_both++
    list = list " " ratio(compare, here, "sampler=ALBP-sqrt", "sampler=ALBP", "ess_per_second")
  }
  return list
}
function per_step(    r, here, list) {
  paper = read("paper/tables.csv")
  best_rates()
  say("Bernoulli products | " by_weight("bernoulli") " |")
  say("| per step, Ising models | " by_weight("ising") " |")
  say("| per step, factorial HMMs | " by_weight("fhmm") " |")
  say("| per step, RBMs | " by_weight("rbm") " |")
  list = both_weights()
  say(word(others_of_both) " other targets that resolve both | " between(list, 2) " |")
  list = ""
  for (r = 1; r <= rows[paper]; r++) {
    if (!is(paper, r, "sampler=ALBP")) continue
    here = "model=" cell[paper, r, "model"] ";config=" cell[paper, r, "config"] ";weight=" cell[paper, r, "weight"]
    here = here ";size=" cell[paper, r, "size"]
    list = list " " ratio(paper, here, "sampler=AGWG", "sampler=ALBP", "ejd")
  }
  say("Per step it moves " between(list, 2) " times as far as LBP")
}

# ---- bench/sharp -----------------------------------------------------------------------------------------------------

function over_gibbs(target, sampler,    row) {
  row = "target=" target ";sampler=" sampler ";marginals=" marginals
  return with_error(at(sharp, row, "seconds_to_gibbs"), at(sharp, row, "error_to_gibbs"))
}
function birth_death(target) {
  return digits(at(sharp, "target=" target ";sampler=clock birth-death;marginals=rb", "seconds_to_gibbs"), 2)
}
# Whether AB and DLP are behind LBP-1 on all selections.
function behind(    r, here) {
  for (r = 1; r <= rows[sharp]; r++) {
    if (!is(sharp, r, "target=selection*;sampler=LBP-1")) continue
    here = "target=" cell[sharp, r, "target"] ";marginals=" cell[sharp, r, "marginals"]
    if (ratio(sharp, here, "sampler=AB", "sampler=LBP-1", "ess_per_second") >= 1) return 0
    if (ratio(sharp, here, "sampler=DLP", "sampler=LBP-1", "ess_per_second") >= 1) return 0
  }
  return 1
}
# Below which effective samples per 1000 evaluations of a Gibbs sweep the clock is ahead of it.
function rule(    r, gibbs, won, lost) {
  for (r = 1; r <= rows[sharp]; r++) {
    if (!is(sharp, r, "marginals=rb;sampler=clock birth-death")) continue
    gibbs = at(sharp, "marginals=rb;sampler=Gibbs;target=" cell[sharp, r, "target"], "ess_per_1000_evaluations")
    if (cell[sharp, r, "seconds_to_gibbs"] > 1) won = won " " gibbs
    else lost = lost " " gibbs
  }
  say_if(highest(won) < lowest(lost), "fewer than about " digits(highest(won), 1) " effective samples per 1000")
}
# The same by means of draws.
function by_draws(target, count) {
  return digits(at(sharp, "target=" target ";sampler=clock birth-death;marginals=plain", "seconds_to_gibbs"), count)
}
function say_columns(target, times) { say("| " target " | birth-death clock | " times " |") }
# The clock's effective samples per second by LBP-1's, of all rows of targets.
function clock_by_single(targets,    r, here, list) {
  for (r = 1; r <= rows[sharp]; r++) {
    if (!is(sharp, r, "sampler=clock t/(1+t);target=" targets)) continue
    here = "target=" cell[sharp, r, "target"] ";marginals=" cell[sharp, r, "marginals"]
    list = list " " ratio(sharp, here, "sampler=clock t/(1+t)", "sampler=LBP-1", "ess_per_second")
  }
  return list
}
function selections() {
  say("`LBP_DELTAS_EXACT`) | Metropolis sweep | " \
      between(all(sharp, "target=selection*;sampler=Metropolis", "seconds_to_gibbs"), 1) " |")
  say_if(behind(), "| LBP-1 (AB and DLP less) | " \
                   between(all(sharp, "target=selection*;sampler=LBP-1", "seconds_to_gibbs"), 2) " |")
  rule()
  marginals = "rb"
  say_columns("100 columns of correlation .94", over_gibbs("selection-100-.94", "clock birth-death"))
  say_columns("300 columns", over_gibbs("selection-300-.81", "clock birth-death"))
  say_columns("1000 columns", over_gibbs("selection-1000-.64", "clock birth-death"))
  say_columns("1000 others by the same law, whose modes a sweep finds easily", birth_death("selection-1000-.64-b"))
  say_columns("100 columns of correlation .64", birth_death("selection-100-.64"))
  say_columns("15 columns", birth_death("selection-15-.81"))
  say("by means of draws the birth-death clock gives " by_draws("selection-100-.94", 2) ", " by_draws("selection-300-.81", 2) \
      " and " by_draws("selection-1000-.64", 2) " times on the first three, " between(by_draws("selection-1000-.64-b", 2) " " \
      by_draws("selection-100-.64", 2) " " by_draws("selection-15-.81", 2), 2) " times on the others")
  say("the clock of weights t/(1+t) gives " between(clock_by_single("selection*"), 1) " times LBP-1")
}
# Nanoseconds of an update.
function update(target, sampler,    row) {
  row = "target=" target ";sampler=" sampler
  return 1e6 * at(sharp, row, "ess_per_1000_evaluations") / nonzero(at(sharp, row, "ess_per_second"))
}
function local_targets(    list) {
  marginals = "plain"
  say("| Ising, beta = 0.8 | skip sweep | " over_gibbs("ising-.8", "skip Gibbs") " |")
  say("| Ising, beta = 1.2 | skip sweep | " over_gibbs("ising-1.2", "skip Gibbs") " |")
  say("sweep takes " between(update("ising-.8", "Gibbs") " " update("ising-1.2", "Gibbs"), 1) " ns a site in these chains")
  list = ratios(sharp, "target", "ising-.8 ising-1.2", "sampler=skip Gibbs", "sampler=LBP-1", "ess_per_second")
  say("a skip sweep, " between(list, 1) " times LBP-1")
  say(digits(ratio(sharp, "target=ising-1.2", "sampler=clock t/(1+t)", "sampler=LBP-1", "ess_per_second"), 2) \
      " times LBP-1 at beta = 1.2, where LBP-1 is accepted " digits(part_of("ising-1.2", "LBP-1", "acceptance"), 2) \
      " of the time, and " fixed(ratio(sharp, "target=ising-.8", "sampler=clock t/(1+t)", "sampler=LBP-1", "ess_per_second"), 1) \
      " times at beta = 0.8, where that is " digits(part_of("ising-0.8", "LBP-1", "acceptance"), 2))
  say("| hard core, over 2 % flip | skip sweep | " over_gibbs("hard-core", "skip Gibbs") " |")
  say("| products, over 2 % flip | skip sweep | " between(all(sharp, "target=product*;sampler=skip Gibbs", "seconds_to_gibbs"), 1) " |")
  say("| a ladder of temperatures, over 2 % flip | skip sweep | " \
      digits(at(sharp, "target=glass-ladder;sampler=skip Gibbs", "seconds_to_gibbs"), 2) " |")
}

# Nanoseconds a site of sharp --by-hand.
function by_hand(beta, sweep) { return at(hand, "beta=" beta, sweep) }
function kept_small(    r, list) {
  hand = read("sharp_by_hand.md", "50x50 sites")
  for (r = 1; r <= rows[hand]; r++) list = list " " by_hand(cell[hand, r, "beta"], "Metropolis/by hand")
  say("a Metropolis sweep takes " between(list, 1) " times as long as one written by hand")
  say(between(by_hand("0.8", "Metropolis") " " by_hand("1.2", "Metropolis"), 1) " ns a site where few flip")
  say("A skip sweep takes " digits(100 * by_hand("0.8", "skip Gibbs") / nonzero(by_hand("0.8", "Gibbs")), 2) \
      " % (beta = 0.8) and " digits(100 * by_hand("1.2", "skip Gibbs") / nonzero(by_hand("1.2", "Gibbs")), 2) \
      " % (1.2) of the time of that program's Gibbs sweep, which takes " fixed(by_hand("0.8", "Gibbs"), 1) " and " \
      fixed(by_hand("1.2", "Gibbs"), 1) " ns a site")
}

# ---- bench/tuning ----------------------------------------------------------------------------------------------------

# Percent of the best jump distance per second of a grid, of R tuned per "step" or "second", in each of two runs.
function of_best(model, per) {
  return of_best_in("tuning.md", model, per) of_best_in("tuning_seconds.md", model, per)
}
function of_best_in(file, model, per,    text, part) {
  text = after(file, model " step ", "[0-9. ]+second [0-9. ]+")
  split(text, part, per == "step" ? "^" : "second ")
  split(part[per == "step" ? 1 : 2], part, " ")
  return " " 100 * part[5]
}
# How many times as long as with R = 1 a step of the RBM takes with the tuned R.
function rbm_step(file,    text, part, r) {
  text = after(file, "rbm step ", "[0-9.]+.* a step costs [0-9.]+ [+] [0-9.]+ R ns")
  r = text + 0
  sub(/.* a step costs /, "", text)
  split(text, part, " ")
  return " " (part[1] + part[3] * r) / nonzero(part[1] + part[3])
}
# Percent of the best jump distance of a grid, with the R of a tuner after a warm-up: "mean" or "worst" of all.
function warmed_up(model, after_so_many, r, which,    text) {
  text = after("tuning.md", model " ", ".*")
  text = substr(text, index(text, after_so_many))
  text = substr(text, index(text, r))
  text = substr(text, index(text, which))
  sub(/^[^0-9]*(of 40: )?/, "", text)
  return 100 * (text + 0)
}
# The worst of local models, and both of the RBM, after 2000 steps and after the paper's.
function worst_of(after_so_many, r) {
  return fixed(lowest(warmed_up("bernoulli", after_so_many, r, "worst") " " warmed_up("ising", after_so_many, r, "worst") " " \
                      warmed_up("fhmm", after_so_many, r, "worst")), 1) " %"
}
function of_rbm(after_so_many, r) {
  return " " fixed(warmed_up("rbm", after_so_many, r, "mean"), 0) " % | " fixed(warmed_up("rbm", after_so_many, r, "worst"), 0) " % |"
}
function warm_up(    brief, papers) {
  brief = "warm-up of 2000 steps"
  papers = "as in the paper"
  say("| mean over the second half | | " worst_of(brief, "second half") " | | " worst_of(papers, "second half") " |")
  say("| last R_t | | " worst_of(brief, "last R_t") " | | " worst_of(papers, "last R_t") " |")
  say("| RBM, whose chains warm up in one mode | mean over the second half |" of_rbm(brief, "second half") \
      of_rbm(papers, "second half"))
  say("| RBM | last R_t |" of_rbm(brief, "last R_t") of_rbm(papers, "last R_t"))
}
function tuning(    other) {
  warm_up()
  other = of_best("bernoulli", "second")
  say_if(lowest(other) == lowest(other of_best("ising", "second") of_best("fhmm", "second") of_best("rbm", "second")), \
         "the lowest, of Bernoulli products, is " fixed(highest(other), 0) " % in the other run")
  say("RBM with the tuned R takes only " between(rbm_step("tuning.md") rbm_step("tuning_seconds.md"), 1) \
      " times as long as with R = 1")
  say("| R tuned per second, four models of table 1 | " \
      between(of_best("bernoulli", "second") of_best("ising", "second") of_best("fhmm", "second") of_best("rbm", "second"), 0) \
      " % |")
  say("| R tuned per step, three local models | " \
      between(of_best("bernoulli", "step") of_best("ising", "step") of_best("fhmm", "step"), 0) " % |")
  say("| R tuned per step, RBM | " between(of_best("rbm", "step"), 0) " % |")
}

# Gaps between theory and measurement at four sizes, as cells of a row.
function gaps(before,    text) {
  text = after("theory.md", before " at N = 100, 800, 6400, 51200: ", "[0-9., +-]+")
  gsub(/ [+]- [0-9.]+/, "", text)
  sub(/ +$/, "", text)
  gsub(/, /, " | ", text)
  return text " |"
}
function theory(    part) {
  split(gaps("Largest gap"), part, " [|] ?")
  say("the largest gap of LBP falls from " part[1] " at 100 sites to " part[4] " at 51200")
  say("the gap for sqrt(t) on C3 stays: " fixed(printed_gap(6400), 4) " at 6400 sites, " fixed(printed_gap(51200), 4) " at 51200")
}

# ---- bench/any_scale -------------------------------------------------------------------------------------------------

function ab(targets) {
  return ratios(tables, "target", targets, "sampler=AB-trace-damped", "sampler=Gibbs", "ess_per_second")
}
# With an error: that of effective samples, as a share.
function ab_on_grid(target,    k, part, sampler, share) {
  for (k = split("AB-trace-damped Gibbs", sampler, " "); k > 0; k--) {
    part = "target=" target ";sampler=" sampler[k]
    share += square(at(tables, part, "se") / nonzero(at(tables, part, "ess_per_10k_queries")))
  }
  return with_error(ab(target), ab(target) * root(share))
}
function damped(target) {
  return fixed(ratio(tables, "target=" target, "sampler=AB-trace-damped", "sampler=AB-trace", "ess_per_10k_queries"), 1)
}
function other_damped(    r, target, list) {
  for (r = 1; r <= rows[tables]; r++) {
    target = cell[tables, r, "target"]
    if (!is(tables, r, "sampler=AB-trace-damped") || target == "ba-0.7071" || target == "logistic") continue
    list = list " " ratio(tables, "target=" target, "sampler=AB-trace-damped", "sampler=AB-trace", \
      "ess_per_10k_queries")
  }
  return list
}
function dlp_by_ab(target) { return ratio(tables, "target=" target, "sampler=DLP", "sampler=AB-trace-damped", "ess_per_second") }
function microseconds(sampler) {
  sampler = "=" sampler
  return value(costs, sampler, "grid-0.3, d = 400") " " value(costs, sampler, "ba-0.3, d = 400") " " \
    value(costs, sampler, "rotation-10, d = 100") " " value(costs, sampler, "sparse-10, d = 100")
}
function any_scale() {
  tables = read("any_scale/tables.csv")
  costs = read("any_scale/report.md", "## What a step costs")
  say("a Gibbs step takes " between(microseconds("Gibbs"), 1) " us, one of DLP " between(microseconds("DLP"), 0) \
      ", of AB " between(microseconds("AB-trace-damped"), 0))
  say("| 20 x 20 grid, J = 0.3 | " ab_on_grid("grid-0.3") " |")
  say("| 20 x 20 grid, J = 0.4407 | " ab_on_grid("grid-0.4407") " |")
  say("| 20 x 20 grid, J = 0.7071 | " ab_on_grid("grid-0.7071") " |")
  say("| rotated Gaussian, L = 2, 10 and 50 | " digits(ab("rotation-2"), 2) ", " digits(ab("rotation-10"), 2) " and " \
      digits(ab("rotation-50"), 2) " |")
  say("graphs and sparse Gaussians | " between(ab("ba-0.3 ba-0.4407 ba-0.7071 sparse-2 sparse-10 sparse-50"), 1) " |")
  say("| logistic regression, whose conditional costs log pi | " digits(ab("logistic"), 2) " |")
  say("| quartic mixture, likewise | " digits(ab("quartic"), 2) " |")
  say("Per second it gives " fixed(dlp_by_ab("logistic"), 2) " times AB's effective samples on logistic regression, but " \
      fixed(dlp_by_ab("quartic"), 2) " times on the quartic mixture")
  say("gives " damped("ba-0.7071") " times the effective samples on cold Barabasi-Albert graphs")
  say(", " damped("logistic") " times on logistic regression, " between(other_damped(), 1) " times elsewhere")
}

# ---- bench/compare/peers ---------------------------------------------------------------------------------------------

function others(    peers, r, list) {
  peers = read("compare/peers.csv")
  for (r = 1; r <= rows[peers]; r++) {
    if (is(peers, r, "source=measured")) list = list " " cell[peers, r, "us"] / nonzero(cell[peers, r, "lbp_us"])
  }
  say("take " between_digits(list, 2) " times as long for a step")
}

# What the rows leave out.
function left_out(    searches, burers) {
  say("is ahead of lbp's best sampler on " cuts_of_plain_c() " of 6")
  searches = read("search.csv")
  burers = read("search_burer.csv")
  say_if(missing(searches, "G1", 11624, "solver=lbp;") == 0 && missing(searches, "G11", 564, "solver=lbp;") == 0, \
         "on both lbp misses nothing, BURER2002 " missing(burers, "G1", 11624, "") " and " missing(burers, "G11", 564, ""))
  say("one in " fixed(40000 / nonzero(after("networks.md", "pyERGM: ", "[0-9]+")), 0) " of its networks is possible")
}
function missing(file, graph, known, more) { return known - mean(all(file, "graph=" graph ";" more "seconds=10", "best")) }
# Of how many balanced cuts the plain program has the best mean.
function cuts_of_plain_c(    cuts, n, m, j, k, i, graph, cut, by, sign, first, count) {
  cuts = read("bisection.md", "| graph |")
  n = split("G1 G14 G22", graph, " ")
  m = split("largest smallest", cut, " ")
  split("paths,sweeps of uniform swaps,R swaps by weight", by, ",")
  for (j = 1; j <= n; j++) {
    for (k = 1; k <= m; k++) {
      sign = cut[k] == "largest" ? 1 : -1
      first = 1
      for (i = 1; i <= 3; i++) if (sign * mean_cut(cuts, graph[j], cut[k], by[i]) > sign * mean_cut(cuts, graph[j], cut[k], "plain C")) first = 0
      count += first
    }
  }
  return count
}
function mean_cut(cuts, graph, cut, by) { return at(cuts, "graph=" graph ";cut=" cut ";by=" by, "mean of 32 reads") }

# lbp next to its peers
function overview(    file, r, times) {
  file = read("overview.csv")
  for (r = 1; r <= rows[file]; r++) {
    times = digits(cell[file, r, "times"], 2)
    if (digits(cell[file, r, "lowest"], 2) != digits(cell[file, r, "highest"], 2)) times = times " (" between_digits(cell[file, r, "lowest"] " " cell[file, r, "highest"], 2) ")"
    say("| " cell[file, r, "family"] " | " cell[file, r, "quantity"] " | " cell[file, r, "peer"] " | " times " | " cell[file, r, "targets"] " |")
  }
}

BEGIN {
  overview()
  left_out()
  sharp = read("sharp.csv")
  easy_and_sharp()
  clusters()
  deep()
  per_step()
  selections()
  local_targets()
  kept_small()
  tuning()
  theory()
  any_scale()
  others()
}
