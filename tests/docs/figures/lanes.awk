# Lanes: bench/lanes.

function sweep_row(shown, model, beta,    row) {
  row = "model=" model ";beta=" beta
  say("| " shown " | " digits(at(avx2, row, "lanes"), 2) " | " digits(at(native, row, "lanes"), 2) " | " \
      digits(at(plain, row, "lanes"), 2) " | " \
      (value_or_none(avx2, row, "heat_bath") == "" ? "-" : digits(at(avx2, row, "heat_bath"), 2)) " | " \
      digits(at(avx2, row, "with_energies"), 2) " | " digits(at(avx2, row, "metropolis"), 2) " |")
}

function reads(graphs, sampler, count,    row) {
  row = "graphs=" graphs ";sampler=" sampler ";reads=" count
  return fixed(mean(all(annealing, row, "mean")), 1) " / " fixed(mean(all(annealing, row, "best")), 1)
}
# Lanes' mean less that of 16 reads, of the same graph and turn.
function ahead(graphs,    n, k, ours, theirs, list, gain) {
  n = split(all(annealing, "graphs=" graphs ";sampler=lanes", "mean"), ours, " ")
  split(all(annealing, "graphs=" graphs ";sampler=Metropolis;reads=16", "mean"), theirs, " ")
  for (k = 1; k <= n; k++) list = list " " (ours[k] - theirs[k])
  gain = mean(list)
  unclear += gain < 2 * error
  return sprintf("%.1f +- %.1f", gain, error)
}
function race_row(shown, graphs) {
  say("| " shown " | " reads(graphs, "lanes", 256) " | " reads(graphs, "Metropolis", 16) " | " \
      reads(graphs, "Metropolis", 256) " | " ahead(graphs) " |")
}

# The middle of a list, or of its two middle ones the mean.
function median(list,    n, j, k, x, swapped) {
  n = split(list, x, " ")
  for (k = 2; k <= n; k++) {
    for (j = k; j > 1 && x[j - 1] + 0 > x[j] + 0; j--) {
      swapped = x[j]
      x[j] = x[j - 1]
      x[j - 1] = swapped
    }
  }
  return (x[int((n + 1) / 2)] + x[int(n / 2) + 1]) / 2
}
# Of Metropolis sweeps the better spacing of swaps.
function glass(g,    row, swaps, ours, theirs, begin, begins) {
  row = "glass=" g ";sampler="
  ours = median(all(glasses, row "lanes", "ms"))
  row = row "Metropolis;swap_every="
  swaps = median(all(glasses, row 5, "ms")) < median(all(glasses, row 1, "ms")) ? 5 : 1
  theirs = median(all(glasses, row swaps, "ms"))
  begins = lowest(all(glasses, row swaps, "ms_to_begin"))
  begin = lowest(all(glasses, "glass=" g ";sampler=lanes", "ms_to_begin"))
  whole = whole " " theirs / nonzero(ours)
  beyond = beyond " " (theirs - begins) / nonzero(ours - begin)
  say("| " g " | " fixed(ours, 1) " (" fixed(begin, 1) ") | " fixed(theirs, 1) " (" fixed(begins, 1) ") | " \
      fixed(theirs / ours, 1) " | " fixed((theirs - begins) / nonzero(ours - begin), 1) " |")
}

function by_hand(build,    r, list) {
  for (r = 1; r <= rows[hand]; r++) {
    if (is(hand, r, "build=" build)) list = list " " cell[hand, r, "by_hand"] / nonzero(cell[hand, r, "lanes"])
  }
  return between_digits(list, 2)
}
BEGIN {
  hand = read("lanes/by_hand.csv")
  say("takes " by_hand("avx2") " (AVX2) or " by_hand("native") " (AVX-512) times as long")
  avx2 = read("lanes/avx2.csv")
  native = read("lanes/native.csv")
  plain = read("lanes/plain.csv")
  say(lanes_range() " on one core")
  energies = read("lanes/energies.csv")
  annealing = read("lanes/annealing.csv")
  glasses = read("lanes/glasses.csv")
  sweep_row("Ising 64 x 64, beta 0.44", "Ising 64^2", 0.44)
  sweep_row("Ising 64 x 64, beta 0.8", "Ising 64^2", 0.8)
  sweep_row("Ising 256 x 256, beta 0.44", "Ising 256^2", 0.44)
  sweep_row("glass 20 x 20 x 20, beta 0.5", "glass 20^3", 0.5)
  sweep_row("800 sites of 48 neighbours, beta 0.3", "like G1", 0.3)
  say_if(rows[energies] == 9, "The largest difference is " fixed(furthest(), 1) " standard errors, of nine pairs")
  race_row("torus 40 x 50, couplings +-1", "torus 40x50")
  race_row("cut, 800 sites, 19,176 edges, like G1", "like G1")
  race_row("cut, 2,000 sites, 19,990 edges, like G22", "like G22")
  race_row("cut, 1,000 sites, 9,990 edges, like G43", "like G43")
  say_if(!unclear, "and so is their mean, by two standard errors or more")
  for (g = 1; g <= 6; g++) glass(g)
  say("On the easiest glass lanes gain " fixed(lowest(whole), 1))
  levels = read("sharp_by_hand.md", "50x50 sites")
  say("such a sweep takes " between(at(levels, "beta=0.2", "Metropolis") " " at(levels, "beta=0.44", "Metropolis"), 0) \
      " ns on grids up to beta = 0.44, " fixed(at(levels, "beta=0.8", "Metropolis"), 1) " ns at beta = 0.8")
  say("The median of the six ratios is " fixed(median(whole), 1) ", or " fixed(median(beyond), 1) " without what a run takes " \
      "to begin. That is " between(all(glasses, "sampler=lanes", "ms_to_begin"), 1) " ms of lanes' time")
}

function furthest(    list) {
  list = all(energies, "", "errors_off")
  return highest(list) > -lowest(list) ? highest(list) : -lowest(list)
}
