# ESS per second of one sampler, or of the best of both weights
function second(model, sampler) { return digits(at(race, "model=" model ";sampler=" sampler, "ess_per_second"), 3) }
function better(model, begin, end) {
  return digits(highest(all(race, "model=" model ";sampler=" begin " t/(1+t)" end, "ess_per_second") \
                        all(race, "model=" model ";sampler=" begin " sqrt(t)" end, "ess_per_second")), 3)
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
  say("down to acceptance rates of " accepted("matching 10", "exchange sweep", 1))
  say("per 1000 answers uniform swaps give " evaluation("varsel 10", "Kawasaki sweep"))
  say("swaps by weights " evaluation("varsel 10", "swap t/(1+t) R = 1") ", with a tuned R " \
      evaluation("varsel 10", "swap t/(1+t) tuned"))
  say("uniform exchanges give more even per 1000 log-ratios, " evaluation("matching 10", "exchange sweep") " against " \
      evaluation("matching 10", "pairs t/(1+t) R = 1"))
}

# Against the reference; a note has how many log-ratios a step takes.
function reference(    note) {
  ours = read("constraints.csv")
  note = value(ours, "model=matching 10;sampler=informed-exchange;weight=t/(1+t);R=1", "note")
  sub(/.*evals=/, "", note)
  say("a step from the table of pairs asks for " fixed(note, 0) " of them")
  say(within(ours, read("../data/constraints.csv"), "model sampler weight R", "acceptance ejd ess", 20) \
      " figures, acceptance, jump distance and effective sample size of " rows[ours] \
      " rows of samplers and models, are within 3 standard errors or 3 %")
}

# The largest value of a polynomial of degree 4 through the logarithms of y[first ... last], over x, as
# bench/common/fit.h has it; y[top] if that is not within.
function peak(x, y, first, last, top,    i, j, k, t, a, factor, middle, half, highest_at, best, sum) {
  middle = (x[first] + x[last]) / 2
  half = (x[last] - x[first]) / 2
  if (last - first < 5 || half == 0) return y[top]
  for (i = first; i <= last; i++) {
    t = (x[i] - middle) / half
    for (j = 0; j < 5; j++) {
      for (k = 0; k < 5; k++) a[j, k] += t ^ (j + k)
      a[j, 5] += t ^ j * log(y[i])
    }
  }
  for (i = 0; i < 5; i++) {
    for (k = 5; k >= i; k--) a[i, k] /= a[i, i]
    for (j = 0; j < 5; j++) {
      factor = a[j, i]
      for (k = i; j != i && k <= 5; k++) a[j, k] -= factor * a[i, k]
    }
  }
  for (i = 0; i <= 2000; i++) {
    t = i / 1000 - 1
    sum = a[0, 5] + t * (a[1, 5] + t * (a[2, 5] + t * (a[3, 5] + t * a[4, 5])))
    if (i == 0 || sum > best) {
      best = sum
      highest_at = i
    }
  }
  return highest_at == 0 || highest_at == 2000 ? y[top] : exp(best)
}
# What of the largest jump distance is lost where R is tuned to acceptance 0.574, of a curve that begins with row r.
function lost(r,    key, count, x, y, top, first, last, tuned) {
  for (key = curve(r); curve(r) == key; r++) {
    if (count > 0 && cell[curves, r, "R"] + 0 <= cell[curves, r - 1, "R"] + 0) continue
    x[++count] = cell[curves, r, "acceptance"] + 0
    y[count] = cell[curves, r, "ejd"] + 0
    if (count == 1 || y[count] > y[top]) top = count
    if (count > 1 && x[count] <= 0.574 && x[count - 1] > 0.574) {
      tuned = y[count - 1] + (y[count] - y[count - 1]) * (x[count - 1] - 0.574) / (x[count - 1] - x[count])
    }
  }
  for (first = top; first > 1 && y[first - 1] >= 0.7 * y[top];) first--
  for (last = top; last < count && y[last + 1] >= 0.7 * y[top];) last++
  return 1 - tuned / peak(x, y, first, last, top)
}
function curve(r) { return key_of(curves, r, "model sampler weight shift") }
function what_to_tune_to(    r, list) {
  curves = read("constraints_best.csv")
  for (r = 1; r <= rows[curves]; r++) if (curve(r) != curve(r - 1)) list = list " " 100 * lost(r)
  say("Tuning R to 0.574 loses at most " fixed(highest(list), 1) " % of the largest jump distance")
}

BEGIN {
  race_of_all()
  reference()
  what_to_tune_to()
}
