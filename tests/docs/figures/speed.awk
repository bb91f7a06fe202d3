# What made a file.
function processor(file) { return after(file, "", "AMD EPYC|Xeon") == "Xeon" ? "Intel Xeon" : "AMD EPYC" }
function flips(model, N,    row) {
  row = "model=" model ";weight=t/(1+t);N=" N
  return " " fixed(at(floors_of, row, "ns_per_flip"), 1) " (" fixed(at(floors_of, row, "ratio"), 1) "x) |"
}
function single(model, N) { return fixed(at(samplers, "model=" model ";sampler=LBP-1;N=" N, "ns_per_flip"), 0) }
function floors(    times) {
  floors_of = read("speed/floor.csv")
  samplers = read("speed/floor_samplers.csv")
  say("| Bernoulli |" flips("bernoulli", 100) flips("bernoulli", 800) flips("bernoulli", 6400) \
      flips("bernoulli", 100000) flips("bernoulli", 1000000))
  say("| Ising grid, with fields |" flips("ising", 100) flips("ising", 784) flips("ising", 6400) \
      flips("ising", 99856) flips("ising", 1000000))
  say("| Bernoulli, p from 10^-6 to 1 - 10^-6 | |" flips("bernoulli-skewed", 800) flips("bernoulli-skewed", 6400) \
      flips("bernoulli-skewed", 100000) " |")
  say("| LBP-1, a step: Bernoulli | | " single("bernoulli", 800) " | | | " single("bernoulli", 1000000) " |")
  say("| LBP-1, a step: grid | | " single("ising", 784) " | | | " single("ising", 1000000) " |")
  say("the floor, on one core of an " processor("speed/floor.csv") " with AVX-512, shared")
  times = read("times.md", "| benchmark |")
  say("`make bench-floor` (" word(fixed(at(times, "benchmark=floor", "minutes"), 0)) " minutes)")
  say("The factorial HMM takes " fixed(at(floors_of, "model=fhmm;N=5000", "ns_per_flip"), 0) " ns (N = 5000)")
}
# AVX2's times by AVX-512's: of flips with t/(1+t), and of steps of LBP-1.
function by_vectors(    r, row, list, singles, narrow) {
  for (r = 1; r <= rows[floors_of]; r++) {
    if (!is(floors_of, r, "weight=t/(1+t)")) continue
    row = "weight=t/(1+t);model=" cell[floors_of, r, "model"] ";N=" cell[floors_of, r, "N"]
    list = list " " at(avx2, row, "ns_per_flip") / nonzero(at(floors_of, row, "ns_per_flip"))
  }
  narrow = read("speed/floor_avx2_samplers.csv")
  for (r = 1; r <= rows[samplers]; r++) {
    if (!is(samplers, r, "sampler=LBP-1")) continue
    row = "sampler=LBP-1;model=" cell[samplers, r, "model"] ";N=" cell[samplers, r, "N"]
    singles = singles " " at(narrow, row, "ns_per_flip") / nonzero(at(samplers, row, "ns_per_flip"))
  }
  say("With AVX2 flips of these models take " between(list, 2) " times as long as with AVX-512, but steps of LBP-1 " \
      between(singles, 2) " times")
}
# Steps by pace cars, with quartiles.
function paced(file, model, N,    row) {
  row = "model=" model ";weight=t/(1+t);N=" N
  return " " fixed(at(file, row, "pace_ratio"), 2) " (" fixed(at(file, row, "pace_low"), 2) " - " \
         fixed(at(file, row, "pace_high"), 2) ") |"
}
function pace_rows(title, file) {
  say("| " title ", Bernoulli |" paced(file, "bernoulli", 100) paced(file, "bernoulli", 800) \
      paced(file, "bernoulli", 6400) paced(file, "bernoulli", 100000) paced(file, "bernoulli", 1000000))
  say("| " title ", Ising |" paced(file, "ising", 100) paced(file, "ising", 784) paced(file, "ising", 6400) \
      paced(file, "ising", 99856) paced(file, "ising", 1000000))
}
function paces(weight) {
  weight = "weight=" weight
  return between(all(avx2, weight, "pace_ratio") all(floors_of, weight, "pace_ratio"), 1)
}
function no_step_wins() {
  say_if(lowest(all(avx2, "", "pace_low") all(floors_of, "", "pace_low")) > 1, \
         "No step is as fast as its pace car: with t/(1+t) a step takes " paces("t/(1+t)") \
         " times as long, with sqrt(t) " paces("sqrt(t)") " times.")
}
# Counts of a flip, of a step and of its pace car.
function counted(model, N, column, places,    row, car) {
  row = "model=" model ";N=" N
  car = column == "misses" ? "car's misses" : "car's"
  return " " fixed(at(counts, row, column), places) " / " fixed(at(counts, row, car), places) " |"
}
function counts_row(title, model, other, column, places) {
  say("| " title " |" counted(model, 100, column, places) counted(model, 6400, column, places) \
      counted(model, other, column, places) counted(model, 1000000, column, places))
}
function counts_rows() {
  counts = read("speed/counts.md", "| model |")
  counts_row("instructions, Bernoulli", "bernoulli", 100000, "instructions", 0)
  counts_row("instructions, Ising", "ising", 99856, "instructions", 0)
  counts_row("misses, Bernoulli", "bernoulli", 100000, "misses", 1)
  counts_row("misses, Ising", "ising", 99856, "misses", 1)
}
# Instructions and times by those of pace cars, at two sizes whose data stay in the caches.
function counted_ratios(model) {
  model = "model=" model ";N="
  return between(at(counts, model 100, "ratio") " " at(counts, model 6400, "ratio"), 1)
}
function timed_ratios(model, small) {
  model = "weight=t/(1+t);model=" model ";N="
  return between(at(avx2, model small, "pace_ratio") " " at(avx2, model 6400, "pace_ratio"), 1)
}
function in_caches() {
  say("at 100 and 6400 sites " counted_ratios("ising") " times as many, in " timed_ratios("ising", 100) \
      " times the time")
  say("On Bernoulli they explain a part: " counted_ratios("bernoulli") " times as many, in " \
      timed_ratios("bernoulli", 100) " times the time")
}
function avx2_flips(model, N,    row) {
  row = "model=" model ";weight=t/(1+t);N=" N
  return " " fixed(at(avx2, row, "ns_per_flip"), 1) " (" fixed(at(avx2, row, "ratio"), 1) "x) |"
}
function at_o2(model, N) { return " " fixed(at(o2, "model=" model ";N=" N, "o2_ratio"), 2) " |" }
function dense_flip(title, name,    row) {
  row = "flip=" name
  say("| " title " | " fixed(at(dense_flips, row, "ns"), 0) " | " fixed(at(dense_flips, row, "by_hand_ns"), 0) " | " \
      fixed(at(dense_flips, row, "ratio"), 2) " (" fixed(at(dense_flips, row, "low"), 2) " - " \
      fixed(at(dense_flips, row, "high"), 2) ") |")
}
function avx2_rows(    list, dense_ratios) {
  avx2 = read("speed/floor_avx2.csv")
  o2 = read("speed/floor_avx2_o2.csv")
  dense_flips = read("speed/floor_avx2_dense.csv")
  say("| AVX2, Bernoulli |" avx2_flips("bernoulli", 100) avx2_flips("bernoulli", 800) avx2_flips("bernoulli", 6400) \
      avx2_flips("bernoulli", 100000) avx2_flips("bernoulli", 1000000))
  say("| AVX2, Ising grid, with fields |" avx2_flips("ising", 100) avx2_flips("ising", 784) avx2_flips("ising", 6400) \
      avx2_flips("ising", 99856) avx2_flips("ising", 1000000))
  pace_rows("AVX2", avx2)
  pace_rows("AVX-512", floors_of)
  list = all(o2, "", "o2_ratio")
  say("at `-O2` a step takes " between(all(read("speed/floor_o2.csv"), "", "o2_ratio"), 1) " times as long with AVX-512, [" \
      between(list, 1) "](#without-flags-and-dense-rows) with AVX2")
  say("| Bernoulli |" at_o2("bernoulli", 800) at_o2("bernoulli", 6400) at_o2("bernoulli", 100000))
  say("| Ising |" at_o2("ising", 784) at_o2("ising", 6400) at_o2("ising", 99856))
  dense_ratios = all(dense_flips, "", "ratio")
  dense_flip("`lbp_qubo_dense_flip`, 1000 sites", "lbp_qubo_dense_flip")
  dense_flip("`lbp_potts_dense_change`, 53 x 21", "lbp_potts_dense_change")
  dense_flips = read("speed/floor_dense.csv")
  say("AVX-512 the ratios are " fixed(at(dense_flips, "flip=lbp_qubo_dense_flip", "ratio"), 2) " and " \
      fixed(at(dense_flips, "flip=lbp_potts_dense_change", "ratio"), 2) ")")
  dense_ratios = dense_ratios all(dense_flips, "", "ratio")
  say("A flip of the dense models takes " between(dense_ratios, 2) " times as long as a plain loop")
}
function square_root(model,    r, here, list) {
  for (r = 1; r <= rows[floors_of]; r++) {
    if (!is(floors_of, r, "weight=t/(1+t);model=" model)) continue
    here = "model=" model ";N=" cell[floors_of, r, "N"]
    list = list " " 100 * ratio(floors_of, here, "weight=sqrt(t)", "weight=t/(1+t)", "ns_per_flip") - 100
  }
  return between(list, 0)
}
function square_roots() {
  say("`LBP_SQRT` costs " square_root("bernoulli") " % more on Bernoulli, " square_root("ising") " % more on Ising grids, " \
      square_root("bernoulli-skewed") " % more where p is")
}
# Of as many draws as LBP-R's, on products of all sizes.
function by_lbp(sampler) {
  return ratios(samplers, "N", "100 800 6400 100000 1000000", "model=bernoulli;sampler=" sampler, \
                "model=bernoulli;sampler=LBP", "ns_per_flip")
}
function others() {
  say("GWG-R takes " between(by_lbp("GWG"), 1) " times as long as LBP-R, RWM-R " between(by_lbp("RWM"), 2) " times")
}
function exact(file, header) { return fixed(100 * highest(all(file, "build=LBP_EXACT;header=" header, "ratio")) - 100, 0) }
function builds(    file, list) {
  file = read("speed/builds.csv")
  say("`LBP_EXACT 1` costs up to " exact(file, "lbp_ab.h") " % in `lbp_ab.h`, up to " exact(file, "lbp.h") " % in `lbp.h`")
  list = all(file, "build=LBP_CHECKED", "ratio")
  say("takes " between_digits(list, 2) " times as long")
}
# The power of N that a column grows with from 10^3 to 10^5 sites.
function exponent(column) {
  return fixed(ln(ratio(scaling, "model=bernoulli", "N=100000", "N=1000", column)) / ln(100), 2)
}
function sizes(    list) {
  scaling = read("speed/floor_scaling.csv")
  say("as N^" exponent("step_ns") " from 10^3 to 10^5 sites, where the best R grows as N^" exponent("R"))
  list = all(read("speed/floor_small.csv"), "", "ratio")
  say("a step's time by " between(100 / nonzero(highest(list)) - 100 " " 100 / nonzero(lowest(list)) - 100, 0) " %")
}
# Of the columns low and high the last are of the rest.
function dense(    file, r) {
  file = read("speed/dense.csv")
  for (r = 1; r <= rows[file]; r++) {
    say("| " cell[file, r, "chains"] " | " fixed(cell[file, r, "R"], 0) " | " fixed(cell[file, r, "step"], 1) " | " \
        fixed(cell[file, r, "product"], 1) " | " fixed(cell[file, r, "rows"], 2) " | " fixed(cell[file, r, "rest"], 2) \
        " (" fixed(cell[file, r, "low"], 2) " - " fixed(cell[file, r, "high"], 2) ") |")
  }
  say("a step takes " many_by_one(file, "step", 2) " times as long as with one chain, its product " \
      many_by_one(file, "product", 2) " times, but rows of flips " many_by_one(file, "rows", 1) \
      " times and all but the product " many_by_one(file, "rest", 1) " times")
}
# What a hundred chains take, each, by what one takes.
function many_by_one(file, column, places) {
  return between(ratios(file, "R", "16 38.32", "chains=100", "chains=1", column), places)
}
function phases_row(title, model, N, n,    row, k, name, line) {
  row = "model=" model ";N=" N
  for (k = split("candidates keep flips lists weights sums accept settle sum step", name, " "); k > 0; k--) {
    line = " " fixed(at(phases, row, name[k]), 1) " |" line
  }
  say("| " title " | " n " |" line)
}
function phases_rows(    r, list) {
  phases = read("speed/phases.csv")
  for (r = 1; r <= rows[phases]; r++) {
    list = list " " 100 * cell[phases, r, "step"] / nonzero(cell[phases, r, "sum"]) - 100
  }
  say("a step without counters comes out up to " fixed(highest(list), 0) " % longer")
  phases_row("Bernoulli", "bernoulli", 800, 800)
  phases_row("Bernoulli", "bernoulli", 1000000, "10^6")
  phases_row("Bernoulli, p from 10^-6 to 1 - 10^-6", "bernoulli-skewed", 6400, 6400)
  phases_row("Ising grid, with fields", "ising", 784, 784)
  phases_row("Ising grid, with fields", "ising", 1000000, "10^6")
  phases_row("factorial HMM", "fhmm", 5000, 5000)
}
function potts(file, by) { return between(all(file, "sweep=Gibbs;by=" by, "ratio"), 1) }
function metropolis(file, beta) { return " " at(file, "sweep=Metropolis;beta=" beta, "ratio") }
# A row for each of the file's: the model, and what its numbers come from.
function sweeps_rows(    file, r, title, by) {
  file = read("speed/sweeps.csv")
  say("[a bit for each chain](lanes.md) costs " lanes_range() " with AVX2.")
  say("on a shared core of an " processor("speed/sweeps.csv"))
  say_if(lowest(all(file, "sweep=Gibbs", "ratio")) > 1, "On Potts grids all sweeps lose to the loop by hand: by " \
         "`LBP_CAT_POWERS_OF` they take " potts(file, "powers") " times as long, by log-ratios " \
         potts(file, "log-ratios") ", with fields " potts(file, "fields") ".")
  say("Metropolis sweep by level takes " \
      between(metropolis(file, 0.1) metropolis(file, 0.3) metropolis(file, 0.44), 2) \
      " times as long up to beta = 0.44, " fixed(metropolis(file, 0.6), 2) " times at 0.6")
  by["powers"] = "`LBP_CAT_POWERS_OF`"
  by["log-ratios"] = "`LBP_CAT_DELTAS_OF`"
  by["fields"] = "fields"
  by["level"] = "`LBP_LEVEL`"
  for (r = 1; r <= rows[file]; r++) {
    title = cell[file, r, "sweep"] ", " (cell[file, r, "sweep"] == "Gibbs" ? "Potts, " cell[file, r, "values"] " values" : "Ising")
    say("| " title " | " cell[file, r, "beta"] " | " by[cell[file, r, "by"]] " | " fixed(cell[file, r, "ns_a_site"], 1) \
        " | " fixed(cell[file, r, "by_hand"], 1) " | " fixed(cell[file, r, "ratio"], 2) " (" \
        fixed(cell[file, r, "low"], 2) " - " fixed(cell[file, r, "high"], 2) ") |")
  }
}
BEGIN {
  floors()
  avx2_rows()
  counts_rows()
  by_vectors()
  no_step_wins()
  in_caches()
  square_roots()
  others()
  builds()
  sizes()
  dense()
  phases_rows()
  sweeps_rows()
}
